// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Immunity to effects and to parts of them, and the reasons effects end with.

#include "scenario/effect_fixture.h"

static kn_effect_type_id shield(fixture *f, const char *name, kn_gate_def gate)
{
    kn_effect_def def = infinite(name);
    def.gates = &gate;
    def.gate_count = 1;
    return effect_register(f, &def);
}

// A lasting effect with an asset tag and a cue.
static kn_effect_type_id curse(fixture *f, const char *name, const char *asset)
{
    kn_tag what = tag_of(f, asset), cue = tag_of(f, "Cue.Curse");
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, -3.0f);
    kn_effect_def def = infinite(name);
    def.asset_tags = (kn_tags){&what, 1};
    def.cue_tags = (kn_tags){&cue, 1};
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

// IMM-001, IMM-002, IMM-005, TVE-118
static void immunity_blocks_and_tells_what_was_blocked_and_by_what(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire");
    kn_gate_def gate = {.record.required = {&fire, 1}};
    kn_effect_type_id ward = shield(f, "Ward", gate);
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire.Burn");
    kn_effect_type_id chill = curse(f, "Chill", "School.Frost");
    kn_effect_def picky_def = infinite("Picky");
    picky_def.application.target.required = (kn_tags){&fire, 1};
    kn_effect_type_id picky = effect_register(f, &picky_def);
    begin(f);
    kn_effect_id by = apply_from(f, ward, f->foe);
    step_seconds(f, 0);

    assert_int_equal(try_apply(f, burn), KN_REFUSED_BLOCKED);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_BLOCKED, burn), 1);
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_BLOCKED);
    assert_true(kn_effect_id_equal(event->data.effect.by, by));
    assert_true(kn_effect_type_id_equal(event->data.effect.type, burn));
    assert_true(kn_entity_id_equal(event->data.effect.source, f->hero));
    assert_true(kn_entity_id_equal(event->entity, f->foe));
    assert_null(last_event(f, KN_EVENT_CUE));
    assert_near(current(f, f->power), 10.0f);
    (void)apply_from_to(f, burn, f->hero, f->ally, 1.0f); // who has no ward
    step_seconds(f, 0);
    assert_null(last_event(f, KN_EVENT_EFFECT_BLOCKED));
    apply(f, chill);
    step_seconds(f, 0);
    assert_non_null(last_event(f, KN_EVENT_CUE));
    // Other means refuse as well, and no immunity is published.
    assert_int_equal(try_apply(f, picky), KN_REFUSED_REQUIREMENT);
    step_seconds(f, 0);
    assert_null(last_event(f, KN_EVENT_EFFECT_BLOCKED));
}

// IMM-003
static void immunity_to_a_source_looks_at_the_tags_of_the_source(void **state)
{
    fixture *f = *state;
    kn_tag undead = tag_of(f, "Race.Undead"), ghoul = tag_of(f, "Race.Undead.Ghoul");
    kn_gate_def gate = {.source_any = {&undead, 1}};
    kn_effect_type_id ward = shield(f, "Ward", gate);
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire");
    begin(f);
    add_tag(f, f->hero, ghoul);
    apply_from(f, ward, f->foe);
    assert_int_equal(try_apply(f, burn), KN_REFUSED_BLOCKED);
    apply_from(f, burn, f->ally);
    add_tag(f, f->foe, ghoul); // whose it is does not matter
    apply_from(f, burn, f->ally);
    remove_tag(f, f->hero, ghoul);
    apply(f, burn);
}

// IMM-003
static void immunity_to_a_source_looks_at_the_tags_of_its_ability(void **state)
{
    fixture *f = *state;
    kn_tag melee = tag_of(f, "Ability.Melee"), stab_tag = tag_of(f, "Ability.Melee.Stab");
    kn_gate_def gate = {.source_any = {&melee, 1}};
    kn_effect_type_id ward = shield(f, "Ward", gate);
    kn_effect_type_id wound = curse(f, "Wound", "School.Steel");
    kn_ability_def def = kn_ability_def_default();
    def.name = "Stab";
    def.tags = (kn_tags){&stab_tag, 1};
    kn_ability_type_id types[2];
    assert_int_equal(kn_ability_register(f->library, &def, &types[0], NULL), KN_OK);
    def.name = "Throw";
    def.tags = (kn_tags){NULL, 0};
    assert_int_equal(kn_ability_register(f->library, &def, &types[1], NULL), KN_OK);
    begin(f);
    apply_from(f, ward, f->foe);
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = types[i];
        kn_ability_id ability;
        kn_activation_id activation;
        assert_int_equal(kn_ability_grant(f->world, f->hero, &grant, &ability), KN_OK);
        assert_int_equal(kn_ability_activate(f->world, ability, NULL, &activation), KN_OK);
        assert_int_equal(kn_activation_apply(f->world, activation, wound, f->foe, NULL),
            i == 0 ? KN_REFUSED_BLOCKED : KN_OK);
    }
    apply(f, wound); // by no ability
}

// IMM-005
static void immunity_uses_requirement_semantics(void **state)
{
    fixture *f = *state;
    kn_tag enemy = tag_of(f, "Team.Enemy"), boss = tag_of(f, "Rank.Boss");
    kn_gate_def gate = {.source = {.required = {&enemy, 1}, .ignored = {&boss, 1}}};
    kn_effect_type_id ward = shield(f, "Ward", gate);
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire");
    begin(f);
    apply_from(f, ward, f->foe);
    apply(f, burn);
    add_tag(f, f->hero, enemy);
    assert_int_equal(try_apply(f, burn), KN_REFUSED_BLOCKED);
    add_tag(f, f->hero, boss);
    apply(f, burn);
}

// IMM-004, MAP-033
static void immunity_by_query_type_or_modified_attribute(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire"), holy = tag_of(f, "School.Holy");
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ALL);
    kn_tag_query_begin(&query, KN_QUERY_ANY_TAGS);
    kn_tag_query_tag(&query, fire);
    kn_tag_query_end(&query);
    kn_tag_query_begin(&query, KN_QUERY_NO_TAGS);
    kn_tag_query_tag(&query, holy);
    kn_tag_query_end(&query);
    kn_tag_query_end(&query);
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire");
    kn_effect_type_id light = curse(f, "Light", "School.Holy");
    kn_effect_type_id by_query = shield(f, "ByQuery", (kn_gate_def){.record.query = &query});
    kn_effect_type_id by_type =
        shield(f, "ByType", (kn_gate_def){.types = &light, .type_count = 1});
    kn_effect_type_id by_value = shield(f, "ByValue", (kn_gate_def){.modifies = f->power});
    begin(f);
    kn_effect_id ward = apply_from(f, by_query, f->foe);
    assert_int_equal(try_apply(f, burn), KN_REFUSED_BLOCKED);
    apply(f, light);
    // The spec is tested, with the tags it was given on top.
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = burn;
    request.source = f->hero;
    request.target = f->foe;
    request.dynamic_asset_tags = (kn_tags){&holy, 1};
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);
    kn_effect_remove(f->world, ward, 0, KN_REMOVED_BY_CALL);
    ward = apply_from(f, by_type, f->foe);
    assert_int_equal(try_apply(f, light), KN_REFUSED_BLOCKED);
    apply(f, burn);
    kn_effect_remove(f->world, ward, 0, KN_REMOVED_BY_CALL);
    apply_from(f, by_value, f->foe);
    assert_int_equal(try_apply(f, burn), KN_REFUSED_BLOCKED);
    assert_int_equal(try_apply(f, light), KN_REFUSED_BLOCKED);
}

typedef struct asked {
    kn_entity_id instigator, target, source, causer;
    kn_effect_type_id type;
    float level;
    uint32_t calls;
} asked;

static bool is_strong(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)world;
    (void)answer;
    asked *a = user;
    a->calls++;
    a->instigator = record->instigator;
    a->target = record->target;
    a->source = kn_spec_view_source(record->effect);
    a->causer = kn_spec_view_causer(record->effect);
    a->type = kn_spec_view_type(record->effect);
    a->level = kn_spec_view_level(record->effect);
    return a->level > 2.0f;
}

// IMM-004: a condition sees all of the spec, and who is who.
static void immunity_by_a_condition_on_the_spec(void **state)
{
    fixture *f = *state;
    asked a = {.calls = 0};
    kn_gate_def gate = {0};
    assert_int_equal(
        kn_condition_register(f->library, "Strong", is_strong, &a, &gate.condition, NULL), KN_OK);
    kn_effect_type_id ward = shield(f, "Ward", gate);
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire");
    begin(f);
    kn_entity_id sword = entity_create(f);
    apply_from(f, ward, f->ally);
    kn_effect_context context = {.instigator = f->ally, .causer = sword};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = burn;
    request.source = f->hero;
    request.target = f->foe;
    request.context = &context;
    for (uint32_t i = 0; i < 2; i++) {
        a.calls = 0;
        request.level = i == 0 ? 3.0f : 2.0f;
        assert_int_equal(
            kn_effect_apply(f->world, &request, NULL), i == 0 ? KN_REFUSED_BLOCKED : KN_OK);
        assert_int_equal(a.calls, 1);
        assert_true(kn_entity_id_equal(a.instigator, f->hero)); // of the event: who applies it
        assert_true(kn_entity_id_equal(a.target, f->foe));
        assert_true(kn_entity_id_equal(a.source, f->hero));
        assert_true(kn_entity_id_equal(a.causer, sword));
        assert_true(kn_effect_type_id_equal(a.type, burn));
        assert_near(a.level, request.level);
    }
}

// IMM-005, ETG-003
static void immunity_acts_only_while_its_effect_is_on_and_removes_nothing(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire"), silenced = tag_of(f, "State.Silenced");
    kn_gate_def gate = {.record.required = {&fire, 1}};
    kn_effect_def def = infinite("Ward");
    def.gates = &gate;
    def.gate_count = 1;
    def.ongoing.target.ignored = (kn_tags){&silenced, 1};
    kn_effect_type_id ward = effect_register(f, &def);
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire");
    begin(f);
    kn_effect_id before = apply(f, burn);
    kn_effect_id by = apply_from(f, ward, f->foe);
    assert_true(kn_effect_is_alive(f->world, before));
    assert_int_equal(try_apply(f, burn), KN_REFUSED_BLOCKED);
    add_tag(f, f->foe, silenced);
    apply(f, burn);
    remove_tag(f, f->foe, silenced);
    assert_int_equal(try_apply(f, burn), KN_REFUSED_BLOCKED);
    kn_effect_remove(f->world, by, 0, KN_REMOVED_BY_CALL);
    apply(f, burn);
}

// IMM-001
static void a_caller_may_ask_to_ignore_immunity(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire");
    kn_effect_type_id ward = shield(f, "Ward", (kn_gate_def){.record.required = {&fire, 1}});
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire");
    begin(f);
    apply_from(f, ward, f->foe);
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = burn;
    request.target = f->foe;
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_REFUSED_BLOCKED);
    request.ignore_gates = true;
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);
}

// IMM-001, TVE-117
static void a_blocked_effect_removes_nothing(void **state)
{
    fixture *f = *state;
    kn_tag poison = tag_of(f, "Poison"), fire = tag_of(f, "School.Fire");
    kn_effect_type_id venom = curse(f, "Venom", "Poison");
    kn_effect_type_id ward = shield(f, "Ward", (kn_gate_def){.record.required = {&fire, 1}});
    kn_effect_def def = instant("Cauterise");
    def.asset_tags = (kn_tags){&fire, 1};
    def.remove_effects_with = (kn_tags){&poison, 1};
    kn_effect_type_id cauterise = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, venom);
    kn_effect_id by = apply_from(f, ward, f->foe);
    assert_int_equal(try_apply(f, cauterise), KN_REFUSED_BLOCKED);
    assert_true(kn_effect_is_alive(f->world, effect));
    kn_effect_remove(f->world, by, 0, KN_REMOVED_BY_CALL);
    apply(f, cauterise);
    assert_false(kn_effect_is_alive(f->world, effect));
}

static void speed_up(void *user, kn_execution *execution)
{
    const fixture *f = user;
    kn_execution_output(execution, f->speed, 0, KN_OP_ADD, 10.0f);
}

// BEY-031
static void an_immune_part_is_void_and_reported_and_the_rest_applies(void **state)
{
    fixture *f = *state;
    kn_tag slow = tag_of(f, "Part.Slow"), drain = tag_of(f, "Part.Drain"),
           rush = tag_of(f, "Part.Rush");
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "SpeedUp";
    execution.function = speed_up;
    execution.user = f;
    kn_execution_id execution_id;
    assert_int_equal(kn_execution_register(f->library, &execution, &execution_id, NULL), KN_OK);
    kn_modifier_def modifiers[2] = {kn_modifier_constant(f->power, KN_OP_ADD, -4.0f),
        kn_modifier_constant(f->health, KN_OP_ADD, -5.0f)};
    modifiers[0].tags = (kn_tags){&slow, 1};
    modifiers[1].tags = (kn_tags){&drain, 1};
    kn_execution_use use = {.execution = execution_id, .tags = {&rush, 1}};
    kn_effect_def def = instant("Mixed");
    def.modifiers = modifiers;
    def.modifier_count = 2;
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id mixed = effect_register(f, &def);
    kn_effect_type_id anti_slow = shield(f, "AntiSlow", (kn_gate_def){.parts = {&slow, 1}});
    kn_effect_type_id anti_rush = shield(f, "AntiRush", (kn_gate_def){.parts = {&rush, 1}});
    begin(f);
    kn_effect_id by = apply_from(f, anti_slow, f->foe);
    step_seconds(f, 0);

    apply(f, mixed);
    assert_near(current(f, f->power), 10.0f);
    assert_near(current(f, f->health), 95.0f);
    assert_near(current(f, f->speed), 610.0f);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_PART_BLOCKED, mixed), 1);
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_PART_BLOCKED);
    assert_int_equal(event->data.effect.count, 0);
    assert_true(kn_effect_id_equal(event->data.effect.by, by));
    assert_true(kn_entity_id_equal(event->entity, f->foe));
    assert_true(kn_entity_id_equal(event->data.effect.source, f->hero));
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_BLOCKED, mixed), 0);

    kn_effect_remove(f->world, by, 0, KN_REMOVED_BY_CALL);
    by = apply_from(f, anti_rush, f->foe);
    apply(f, mixed);
    assert_near(current(f, f->power), 6.0f);
    assert_near(current(f, f->health), 90.0f);
    assert_near(current(f, f->speed), 610.0f);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_PART_BLOCKED, mixed), 1);
    event = last_event(f, KN_EVENT_EFFECT_PART_BLOCKED);
    assert_true(kn_effect_id_equal(event->data.effect.by, by));
    assert_int_equal(event->data.effect.count, 2); // executions follow the modifiers
}

// BEY-031
static void a_void_part_of_a_lasting_effect_stays_void(void **state)
{
    fixture *f = *state;
    kn_tag slow = tag_of(f, "Part.Slow");
    kn_modifier_def modifiers[2] = {kn_modifier_constant(f->speed, KN_OP_ADD, -100.0f),
        kn_modifier_constant(f->power, KN_OP_ADD, -1.0f)};
    modifiers[0].tags = (kn_tags){&slow, 1};
    kn_effect_def def = infinite("Chill");
    def.modifiers = modifiers;
    def.modifier_count = 2;
    kn_effect_type_id chill = effect_register(f, &def);
    kn_effect_type_id ward = shield(f, "Ward", (kn_gate_def){.parts = {&slow, 1}});
    begin(f);
    kn_effect_id by = apply_from(f, ward, f->foe);
    apply(f, chill);
    assert_near(current(f, f->speed), 600.0f);
    assert_near(current(f, f->power), 9.0f);
    kn_effect_remove(f->world, by, 0, KN_REMOVED_BY_CALL);
    assert_near(current(f, f->speed), 600.0f);
    apply(f, chill);
    assert_near(current(f, f->speed), 500.0f);
}

// BEY-031
static void an_effect_of_which_nothing_is_left_is_refused_with_the_gate(void **state)
{
    fixture *f = *state;
    kn_tag slow = tag_of(f, "Part.Slow"), drain = tag_of(f, "Part.Drain"),
           ill = tag_of(f, "State.Ill");
    kn_tag cue = tag_of(f, "GameplayCue.Chill");
    kn_modifier_def modifiers[2] = {kn_modifier_constant(f->speed, KN_OP_ADD, -100.0f),
        kn_modifier_constant(f->health, KN_OP_ADD, -5.0f)};
    modifiers[0].tags = (kn_tags){&slow, 1};
    modifiers[1].tags = (kn_tags){&drain, 1};
    kn_effect_def defs[3] = {instant("Hit"), infinite("Chill"), infinite("Illness")};
    kn_effect_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        defs[i].modifiers = modifiers;
        defs[i].modifier_count = 2;
        defs[i].cue_tags = (kn_tags){&cue, 1};
        defs[i].granted_tags = i == 2 ? (kn_tags){&ill, 1} : (kn_tags){0};
        types[i] = effect_register(f, &defs[i]);
    }
    const kn_tag both[2] = {slow, drain};
    kn_effect_type_id ward = shield(f, "Ward", (kn_gate_def){.parts = {both, 2}});
    kn_effect_type_id half = shield(f, "Half", (kn_gate_def){.parts = {&slow, 1}});
    begin(f);
    kn_effect_id by = apply_from(f, ward, f->ally);
    remove_effect(f, by);
    kn_effect_id weak = apply_from(f, half, f->ally);
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(f->world, types[0], f->hero, f->foe, 1.0f, &effect), KN_OK);
    assert_near(current(f, f->health), 95.0f); // one of two
    kn_effect_remove(f->world, weak, 0, KN_REMOVED_BY_CALL);
    by = apply_from(f, ward, f->ally);
    step_seconds(f, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_effect_apply_simple(f->world, types[i], f->hero, f->foe, 1.0f, &effect),
            KN_REFUSED_BLOCKED);
        assert_true(kn_effect_id_is_null(effect));
        step_seconds(f, 0);
        assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_BLOCKED, types[i]), 1);
        const kn_event *event = last_event(f, KN_EVENT_EFFECT_BLOCKED);
        assert_true(kn_effect_id_equal(event->data.effect.by, by));
        assert_true(kn_entity_id_equal(event->entity, f->foe));
        assert_null(last_event(f, KN_EVENT_CUE));
    }
    assert_near(current(f, f->health), 95.0f);
    // Its tag is left of this one.
    assert_int_equal(
        kn_effect_apply_simple(f->world, types[2], f->hero, f->foe, 1.0f, &effect), KN_OK);
    assert_true(kn_entity_has_tag(f->world, f->foe, ill));
    assert_near(current(f, f->health), 95.0f);
}

// BEY-032, BEY-095
static void an_empty_query_lists_all_but_neither_blocks_nor_removes(void **state)
{
    fixture *f = *state;
    kn_gate_def empty = {0};
    kn_effect_def def = infinite("Ward");
    def.gates = &empty;
    def.gate_count = 1;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire");
    kn_effect_type_id chill = curse(f, "Chill", "School.Frost");
    begin(f);
    apply(f, burn);
    apply(f, chill);
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id found[4];
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, found, 4), 2);
    uint32_t removed = 7;
    assert_int_equal(kn_effects_remove(f->world, f->foe, &query, 0, KN_REMOVED_BY_CALL, &removed),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_effects_count(f->world, f->foe), 2);
    query.type = burn;
    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &query, 0, KN_REMOVED_DISPELLED, &removed), KN_OK);
    assert_int_equal(removed, 1);
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
}

// BEY-029
static void every_reason_has_a_name_and_reaches_the_event(void **state)
{
    fixture *f = *state;
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire");
    kn_effect_def def = infinite("Poison");
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    for (int i = KN_REMOVED_EXPIRED; i < KN_REMOVAL_REASON_COUNT; i++) {
        kn_removal_reason reason = (kn_removal_reason)i;
        assert_true(strlen(kn_removal_reason_name(reason)) > 0);
        for (int j = KN_REMOVED_EXPIRED; j < i; j++) {
            assert_string_not_equal(
                kn_removal_reason_name(reason), kn_removal_reason_name((kn_removal_reason)j));
        }
        kn_effect_id effect = apply(f, burn);
        assert_int_equal(kn_effect_remove(f->world, effect, 0, reason), KN_OK);
        step_seconds(f, 0);
        assert_int_equal(last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, reason);
        effect = apply(f, poison); // one stack of two
        apply(f, poison);
        assert_int_equal(kn_effect_remove(f->world, effect, 1, reason), KN_OK);
        step_seconds(f, 0);
        const kn_event *event = last_event(f, KN_EVENT_EFFECT_STACKS);
        assert_int_equal(event->data.effect.count, 1);
        assert_int_equal(event->data.effect.reason, reason);
        assert_int_equal(kn_effect_remove(f->world, effect, 0, reason), KN_OK);
    }
}

// BEY-029
static void death_of_the_target_or_source_is_a_reason(void **state)
{
    fixture *f = *state;
    kn_effect_type_id burn = curse(f, "Burn", "School.Fire");
    kn_effect_def def = infinite("Leash");
    def.ends_with_source = true;
    kn_effect_type_id leash = effect_register(f, &def);
    begin(f);
    apply(f, leash);
    assert_true(kn_entity_destroy(f->world, f->hero));
    step_seconds(f, 0);
    assert_int_equal(
        last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_SOURCE_GONE);
    apply_from(f, burn, f->ally);
    assert_true(kn_entity_destroy(f->world, f->foe));
    step_seconds(f, 0);
    assert_int_equal(
        last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_TARGET_DIED);
}

// IMM-004
static void bad_gates_are_registration_errors(void **state)
{
    fixture *f = *state;
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Damage";
    kn_event_kind_id damage;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &damage, NULL), KN_OK);
    kn_gate_def gates[3] = {
        {.kind = damage, .modifies = f->power},
        {.modifies = {9999}},
        {.types = &(kn_effect_type_id){9999}, .type_count = 1},
    };
    for (int i = 0; i < 3; i++) {
        kn_effect_def def = infinite("Bad");
        def.gates = &gates[i];
        def.gate_count = 1;
        kn_effect_type_id type;
        kn_error error;
        assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(immunity_blocks_and_tells_what_was_blocked_and_by_what),
    TEST(immunity_to_a_source_looks_at_the_tags_of_the_source),
    TEST(immunity_to_a_source_looks_at_the_tags_of_its_ability),
    TEST(immunity_uses_requirement_semantics),
    TEST(immunity_by_query_type_or_modified_attribute),
    TEST(immunity_by_a_condition_on_the_spec),
    TEST(immunity_acts_only_while_its_effect_is_on_and_removes_nothing),
    TEST(a_caller_may_ask_to_ignore_immunity),
    TEST(a_blocked_effect_removes_nothing),
    TEST(an_immune_part_is_void_and_reported_and_the_rest_applies),
    TEST(a_void_part_of_a_lasting_effect_stays_void),
    TEST(an_effect_of_which_nothing_is_left_is_refused_with_the_gate),
    TEST(an_empty_query_lists_all_but_neither_blocks_nor_removes),
    TEST(every_reason_has_a_name_and_reaches_the_event),
    TEST(death_of_the_target_or_source_is_a_reason),
    TEST(bad_gates_are_registration_errors),
};

TEST_GROUP(immunity, tests, NULL, NULL);
