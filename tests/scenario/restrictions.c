// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events that are about to happen, what may veto them, and effects with logic.

#define FIXTURE_OWN                                                                                \
    kn_value_id outgoing, incoming;                                                                \
    kn_event_kind_id damage_event, whisper;                                                        \
    kn_tag crowd_control, poison, fire, hit, elite;                                                \
    uint32_t applied;                                                                              \
    float applied_magnitude;                                                                       \
    uint32_t rule_calls;                                                                           \
    uint32_t applied_before_rule; /* how often it was applied when the rule was called last */

#include "scenario/fixture.h"

static int setup(void **state)
{
    *state = fixture_create(2);
    return 0;
}

static void note_damage(void *user, kn_world *world, const kn_event_record *record, float magnitude)
{
    (void)world;
    (void)record;
    fixture *f = user;
    f->applied++;
    f->applied_magnitude = magnitude;
}

static void note_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    (void)reaction;
    fixture *f = user;
    f->applied_before_rule = f->applied;
    f->rule_calls++;
}

static kn_value_id value_add(fixture *f, const char *name)
{
    kn_value_def def = kn_value_def_default();
    def.name = name;
    kn_value_id value = {0};
    assert_int_equal(kn_value_register(f->library, &def, &value, NULL), KN_OK);
    return value;
}

static void declare_all(fixture *f)
{
    f->crowd_control = tag_of(f, "Buff.CrowdControl");
    f->poison = tag_of(f, "Buff.Poison");
    f->fire = tag_of(f, "School.Fire");
    f->hit = tag_of(f, "Event.Hit");
    f->elite = tag_of(f, "Rank.Elite");
    f->outgoing = value_add(f, "DamageDone");
    f->incoming = value_add(f, "DamageTaken");
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Damage";
    kind.tag = f->hit;
    kind.outgoing = f->outgoing;
    kind.incoming = f->incoming;
    kind.apply = note_damage;
    kind.user = f;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &f->damage_event, NULL), KN_OK);
    kind = kn_event_kind_def_default();
    kind.name = "Whisper";
    kind.restrictable = false;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &f->whisper, NULL), KN_OK);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "OnHit";
    rule.trigger = KN_TRIGGER_EVENT;
    rule.tag = kn_tag_find(f->library, "Event");
    rule.function = note_rule;
    rule.user = f;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
}

static kn_effect_type_id gate_effect(
    fixture *f, const char *name, const kn_gate_def *gates, uint32_t n)
{
    kn_effect_def def = infinite(name);
    def.gates = gates;
    def.gate_count = n;
    return effect_register(f, &def);
}

static kn_effect_type_id buff_with(fixture *f, const char *name, const kn_tag *asset)
{
    kn_effect_def def = infinite(name);
    def.asset_tags = (kn_tags){asset, 1};
    return effect_register(f, &def);
}

static kn_effect_id apply(fixture *f, kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->foe, target, 1.0f, &effect), KN_OK);
    return effect;
}

static kn_event_record hit_of(fixture *f, float magnitude)
{
    kn_event_record record = kn_event_record_default();
    record.kind = f->damage_event;
    record.instigator = f->foe;
    record.target = f->hero;
    record.magnitude = magnitude;
    return record;
}

static kn_result run(fixture *f, float magnitude, kn_event_outcome *outcome)
{
    kn_event_record record = hit_of(f, magnitude);
    return kn_event_run(f->world, &record, outcome);
}

// Immunity ------------------------------------------------------------------------------------

// SAIV-025, RSTR-003, RSTR-011, MAP-033
static void crowd_control_immunity_blocks_new_ones_and_names_itself(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_gate_def gate = {.record = {.required = {&f->crowd_control, 1}}};
    kn_effect_type_id immunity = gate_effect(f, "Immunity", &gate, 1);
    kn_effect_type_id stun = buff_with(f, "Stun", &f->crowd_control);
    kn_effect_type_id venom = buff_with(f, "Venom", &f->poison);
    begin(f);
    kn_effect_id present = apply(f, stun, f->hero);
    kn_effect_id shield = apply(f, immunity, f->hero);
    assert_true(kn_effect_is_alive(f->world, present)); // what is in place stays
    kn_event event;
    published(f, KN_EVENT_EFFECT_BLOCKED, &event);

    kn_effect_id none = {1, 1};
    assert_int_equal(
        kn_effect_apply_simple(f->world, stun, f->foe, f->hero, 1.0f, &none), KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_is_null(none));
    assert_int_equal(kn_effects_count(f->world, f->hero), 2);
    assert_int_equal(published(f, KN_EVENT_EFFECT_BLOCKED, &event), 1);
    assert_true(kn_effect_id_equal(event.data.effect.by, shield));
    assert_int_equal(event.data.effect.type.index1, stun.index1);
    assert_true(kn_entity_id_equal(event.entity, f->hero));
    assert_true(kn_entity_id_equal(event.data.effect.source, f->foe));
    assert_int_equal(event_count(f, KN_EVENT_EFFECT_APPLIED), 0);

    apply(f, venom, f->hero);
    apply(f, stun, f->foe); // others are not immune
    remove_effect(f, shield);
    apply(f, stun, f->hero);
}

// MAP-033
static void immunity_may_ask_for_the_source(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_gate_def gate = {.source_any = {&f->elite, 1}};
    kn_effect_type_id immunity = gate_effect(f, "Immunity", &gate, 1);
    kn_effect_type_id venom = buff_with(f, "Venom", &f->poison);
    begin(f);
    apply(f, immunity, f->hero);
    apply(f, venom, f->hero);
    add_tag(f, f->foe, f->elite);
    assert_int_equal(
        kn_effect_apply_simple(f->world, venom, f->foe, f->hero, 1.0f, NULL), KN_REFUSED_BLOCKED);
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = venom;
    def.source = f->foe;
    def.target = f->hero;
    def.ignore_gates = true;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
}

// The pipeline -----------------------------------------------------------------------------------

// RSTR-009, RSTR-006
static void an_event_is_modified_applied_and_told(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_modifier_def more = kn_modifier_def_default(), less = kn_modifier_def_default();
    more.value = f->outgoing;
    more.magnitude = kn_magnitude_constant(10.0f);
    less.value = f->incoming;
    less.op = KN_OP_MULTIPLY;
    less.magnitude = kn_magnitude_constant(0.75f);
    kn_effect_def strong = kn_effect_def_default(), tough = kn_effect_def_default();
    strong.name = "Strong";
    tough.name = "Tough";
    strong.duration_kind = tough.duration_kind = KN_DURATION_INFINITE;
    strong.modifiers = &more;
    tough.modifiers = &less;
    strong.modifier_count = tough.modifier_count = 1;
    kn_effect_type_id strong_type, tough_type;
    strong_type = effect_register(f, &strong);
    tough_type = effect_register(f, &tough);
    begin(f);
    kn_effect_id strength = apply(f, strong_type, f->foe);
    kn_effect_id toughness = apply(f, tough_type, f->hero);
    kn_event_outcome outcome;
    assert_int_equal(run(f, 30.0f, &outcome), KN_OK);
    assert_true(outcome.magnitude == 30.0f); // (30 + 10) x 0.75
    assert_true(f->applied_magnitude == 30.0f);
    assert_int_equal(run(f, 14.0f, &outcome), KN_OK);
    assert_true(f->applied_magnitude == 18.0f);
    remove_effect(f, strength);
    remove_effect(f, toughness);
    kn_event last;
    published(f, KN_EVENT_RECORD, &last);
    assert_true(last.data.record.magnitude == 18.0f);
    f->applied = f->rule_calls = 0;
    assert_int_equal(run(f, 30.0f, &outcome), KN_OK);
    assert_int_equal(outcome.result, KN_OK);
    assert_int_equal(f->applied, 1);
    assert_true(f->applied_magnitude == 30.0f);
    assert_int_equal(f->rule_calls, 1);
    assert_int_equal(f->applied_before_rule, 1); // it has happened when it is told
    kn_event event;
    assert_int_equal(published(f, KN_EVENT_RECORD, &event), 1);
    assert_int_equal(event.data.record.tag.index1, f->hit.index1);
    assert_int_equal(event.data.record.kind.index1, f->damage_event.index1);
    assert_true(kn_entity_id_equal(event.entity, f->hero));
    assert_true(kn_entity_id_equal(event.data.record.instigator, f->foe));
    assert_true(event.data.record.magnitude == 30.0f);
}

static uint32_t vetoes_asked;

static bool veto_large(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    (void)answer;
    vetoes_asked++;
    return record->magnitude > 100.0f;
}

// RSTR-001, RSTR-002, RSTR-005, RSTR-007
static void one_veto_suffices_and_a_vetoed_event_changes_nothing(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_gate_def gate = {
        .kind = f->damage_event, .condition = condition_of(f, "VetoLarge", veto_large)};
    kn_effect_type_id first = gate_effect(f, "First", &gate, 1);
    kn_effect_type_id second = gate_effect(f, "Second", &gate, 1);
    begin(f);
    kn_effect_id a = apply(f, first, f->hero), b = apply(f, second, f->hero);
    kn_event event;
    published(f, KN_EVENT_RESTRICTED, &event);
    kn_event_outcome outcome;
    vetoes_asked = 0;
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(run(f, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_world_hash(f->world), hash);
    assert_int_equal(vetoes_asked, 1); // no gate is tested after the first
    assert_int_equal(outcome.result, KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(outcome.blocked_by, a)); // the first in order of creation
    assert_int_equal(f->applied, 0);
    assert_int_equal(f->rule_calls, 0);
    assert_int_equal(published(f, KN_EVENT_RESTRICTED, &event), 1);
    assert_true(kn_effect_id_equal(event.data.record.by, a));
    assert_int_equal(event.data.record.kind.index1, f->damage_event.index1);
    assert_true(kn_entity_id_equal(event.entity, f->hero));
    assert_true(kn_entity_id_equal(event.data.record.instigator, f->foe));
    assert_true(event.data.record.magnitude == 500.0f && outcome.magnitude == 500.0f);
    assert_int_equal(event_count(f, KN_EVENT_RECORD), 0); // it has not happened
    assert_int_equal(run(f, 50.0f, &outcome), KN_OK);
    assert_int_equal(f->applied, 1);
    remove_effect(f, a);
    assert_int_equal(run(f, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(outcome.blocked_by, b));
    remove_effect(f, b);
    assert_int_equal(run(f, 500.0f, &outcome), KN_OK);
    assert_true(kn_effect_id_is_null(outcome.blocked_by));
}

// RSTR-006, MAP-034
static void gates_see_the_modified_number_unless_the_kind_says_otherwise(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "EarlyGate";
    kind.incoming = f->incoming;
    kind.gate_sees_final = false;
    kn_event_kind_id early;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &early, NULL), KN_OK);
    kn_gate_def gates[] = {
        {.kind = f->damage_event, .condition = condition_of(f, "VetoLarge", veto_large)},
        {.kind = early}};
    gates[1].condition = gates[0].condition;
    kn_effect_type_id shell = gate_effect(f, "Shell", gates, 2);
    kn_modifier_def half = kn_modifier_def_default();
    half.value = f->incoming;
    half.op = KN_OP_MULTIPLY;
    half.magnitude = kn_magnitude_constant(0.5f);
    kn_effect_def armour = infinite("Armour");
    armour.modifiers = &half;
    armour.modifier_count = 1;
    kn_effect_type_id armour_type = effect_register(f, &armour);
    begin(f);
    apply(f, shell, f->hero);
    apply(f, armour_type, f->hero);
    kn_event_outcome outcome;
    assert_int_equal(run(f, 150.0f, &outcome), KN_OK); // 75 for the gate
    assert_true(outcome.magnitude == 75.0f);
    kn_event_record record = hit_of(f, 150.0f);
    record.kind = early;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_REFUSED_BLOCKED);
    record.magnitude = 90.0f;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_OK);
    assert_true(outcome.magnitude == 45.0f);
}

// RSTR-006
static void gates_of_the_source_come_before_those_of_the_target(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_gate_def disarm = {.kind = f->damage_event,
        .as_instigator = true,
        .condition = condition_of(f, "VetoLarge", veto_large)};
    kn_gate_def shell = {.kind = f->damage_event, .condition = disarm.condition};
    kn_effect_type_id disarmed = gate_effect(f, "Disarmed", &disarm, 1);
    kn_effect_type_id shelled = gate_effect(f, "Shelled", &shell, 1);
    begin(f);
    kn_effect_id target_gate = apply(f, shelled, f->hero);
    kn_effect_id source_gate = apply(f, disarmed, f->foe);
    kn_event_outcome outcome;
    assert_int_equal(run(f, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(outcome.blocked_by, source_gate));
    kn_event_record record = hit_of(f, 500.0f);
    kn_effect_id vetoes[4];
    assert_int_equal(kn_event_vetoes(f->world, &record, vetoes, 4), 2);
    assert_true(kn_effect_id_equal(vetoes[0], source_gate));
    assert_true(kn_effect_id_equal(vetoes[1], target_gate));
    // The other way round neither gate is concerned.
    record.instigator = f->hero;
    record.target = f->foe;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_OK);
}

// RSTR-012
static void listing_vetoes_changes_nothing(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_gate_def gate = {
        .kind = f->damage_event, .condition = condition_of(f, "VetoLarge", veto_large)};
    kn_effect_type_id shell = gate_effect(f, "Shell", &gate, 1);
    kn_effect_type_id wall = gate_effect(f, "Wall", &gate, 1);
    begin(f);
    kn_effect_id a = apply(f, shell, f->hero), b = apply(f, wall, f->hero);
    kn_event event;
    published(f, KN_EVENT_RESTRICTED, &event);
    kn_event_record record = hit_of(f, 500.0f);
    kn_effect_id vetoes[1] = {{0}};
    assert_int_equal(kn_event_vetoes(f->world, &record, NULL, 0), 2);
    assert_int_equal(kn_event_vetoes(f->world, &record, vetoes, 1), 2);
    assert_true(kn_effect_id_equal(vetoes[0], a));
    record.magnitude = 5.0f;
    assert_int_equal(kn_event_vetoes(f->world, &record, vetoes, 1), 0);
    assert_int_equal(published(f, KN_EVENT_RESTRICTED, &event), 0);
    assert_int_equal(f->applied, 0);
    assert_true(kn_effect_is_alive(f->world, b));
}

// RSTR-010, RSTR-012
static void an_event_may_ignore_restrictions(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_gate_def gate = {
        .kind = f->damage_event, .condition = condition_of(f, "VetoLarge", veto_large)};
    kn_effect_type_id shell = gate_effect(f, "Shell", &gate, 1);
    begin(f);
    apply(f, shell, f->hero);
    kn_event_record record = hit_of(f, 500.0f);
    record.ignore_gates = true;
    kn_event_outcome outcome;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_OK);
    assert_int_equal(f->applied, 1);
    assert_int_equal(kn_event_vetoes(f->world, &record, NULL, 0), 0);
}

// RSTR-010
static void a_restriction_lives_exactly_as_long_as_its_effect_acts(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_gate_def gate = {
        .kind = f->damage_event, .condition = condition_of(f, "VetoLarge", veto_large)};
    kn_effect_def def = timed("Bubble", 3.0f);
    def.gates = &gate;
    def.gate_count = 1;
    def.ongoing.target.ignored = (kn_tags){&f->poison, 1};
    kn_effect_type_id bubble = effect_register(f, &def);
    begin(f);
    apply(f, bubble, f->hero);
    kn_event_outcome outcome;
    assert_int_equal(run(f, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    add_tag(f, f->hero, f->poison);
    assert_int_equal(run(f, 500.0f, &outcome), KN_OK); // switched off
    remove_tag(f, f->hero, f->poison);
    assert_int_equal(run(f, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    step(f, KN_S(3));
    assert_int_equal(run(f, 500.0f, &outcome), KN_OK);
}

// RSTR-009, RSTR-001
static void kinds_are_a_registry_and_say_what_may_be_restricted(void **state)
{
    fixture *f = *state;
    declare_all(f);
    assert_int_equal(kn_event_kind_find(f->library, "Damage").index1, f->damage_event.index1);
    assert_string_equal(kn_event_kind_name(f->library, f->whisper), "Whisper");
    assert_int_equal(kn_event_kind_find(f->library, "Nothing").index1, 0);
    assert_string_not_equal(kn_event_kind_name(f->library, kn_event_kind_effect_application()), "");
    kn_condition_id condition = condition_of(f, "VetoLarge", veto_large);
    kn_gate_def gates[] = {
        {.kind = f->whisper, .condition = condition}, // not restrictable
        {.kind = f->damage_event},                    // no test at all
        {.as_instigator = false},
        {.kind = f->damage_event, .modifies = {1}}, // no effect, no attribute
    };
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        kn_effect_def def = infinite("Bad");
        def.gates = &gates[i];
        def.gate_count = 1;
        kn_effect_type_id type;
        assert_int_not_equal(kn_effect_register(f->library, &def, &type, NULL), KN_OK);
        assert_int_equal(type.index1, 0);
    }
    kn_event_kind_def again = kn_event_kind_def_default();
    again.name = "Damage";
    kn_event_kind_id kind;
    assert_int_equal(kn_event_kind_register(f->library, &again, &kind, NULL), KN_REFUSED_DUPLICATE);
}

static kn_ability_id grant_tagged(fixture *f, const char *name)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = kn_ability_type_find(f->library, name);
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &def, &ability), KN_OK);
    return ability;
}

// RSTR-004, SAIV-026: the status follows at once, and nobody has to ask with an event.
static void abilities_are_blocked_by_tags_without_a_context(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_tag bolt = tag_of(f, "Ability.Fire.Bolt"), slash = tag_of(f, "Ability.Slash");
    kn_tag fire = kn_tag_find(f->library, "Ability.Fire");
    kn_effect_def def = infinite("Silence");
    def.blocked_ability_tags = (kn_tags){&fire, 1};
    kn_effect_type_id silence = effect_register(f, &def);
    const kn_tag *const tags[2] = {&bolt, &slash};
    static const char *const names[2] = {"Bolt", "Slash"};
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_def ability = kn_ability_def_default();
        ability.name = names[i];
        ability.tags = (kn_tags){tags[i], 1};
        kn_ability_type_id type;
        assert_int_equal(kn_ability_register(f->library, &ability, &type, NULL), KN_OK);
    }
    begin(f);
    kn_ability_id bolts = grant_tagged(f, "Bolt"), slashes = grant_tagged(f, "Slash");
    assert_int_equal(kn_ability_status(f->world, bolts), 0);
    kn_effect_id first = apply(f, silence, f->hero), second = apply(f, silence, f->foe);
    assert_int_equal(kn_ability_status(f->world, bolts), KN_FAIL_BLOCKED);
    assert_int_equal(kn_ability_activate(f->world, bolts, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_ability_status(f->world, slashes), 0);
    remove_effect(f, second); // of somebody else
    assert_int_equal(kn_ability_status(f->world, bolts), KN_FAIL_BLOCKED);
    second = apply(f, silence, f->hero);
    assert_true(kn_entity_ability_tag_blocked(f->world, f->hero, bolt));
    assert_true(kn_entity_ability_tag_blocked(f->world, f->hero, fire));
    assert_false(kn_entity_ability_tag_blocked(f->world, f->hero, slash));
    assert_false(
        kn_entity_ability_tag_blocked(f->world, f->hero, kn_tag_find(f->library, "Ability")));
    remove_effect(f, first);
    assert_true(kn_entity_ability_tag_blocked(f->world, f->hero, bolt));
    assert_int_equal(kn_ability_status(f->world, bolts), KN_FAIL_BLOCKED);
    remove_effect(f, second);
    assert_false(kn_entity_ability_tag_blocked(f->world, f->hero, bolt));
    assert_int_equal(kn_ability_status(f->world, bolts), 0);
    assert_int_equal(kn_ability_activate(f->world, bolts, NULL, NULL), KN_OK);
}

// Effects with logic
// ----------------------------------------------------------------------------------

typedef struct thorns_state {
    uint32_t ticks;
    uint32_t stacks;
} thorns_state;

static uint32_t thorns_removed;

static void thorns_tick(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)world;
    thorns_state *thorns = state;
    thorns->ticks++;
    thorns->stacks = kn_spec_view_stacks(spec);
}

static void thorns_end(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, kn_removal_reason reason)
{
    (void)user;
    (void)world;
    (void)spec;
    assert_int_equal(((thorns_state *)state)->ticks, 3);
    assert_int_equal(reason, KN_REMOVED_DISPELLED);
    thorns_removed++;
}

// MAP-031, MAP-035
static void a_buff_with_logic_keeps_state_and_a_plain_one_has_none(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Thorns";
    logic.state_size = sizeof(thorns_state);
    logic.ticked = thorns_tick;
    logic.removed = thorns_end;
    kn_effect_def def = infinite("ThornsBuff");
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &def.logic, NULL), KN_OK);
    kn_effect_type_id thorns = effect_register(f, &def);
    kn_effect_type_id plain = buff_with(f, "Plain", &f->poison);
    begin(f);
    kn_effect_id effect = apply(f, thorns, f->hero), data_only = apply(f, plain, f->hero);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    step(f, KN_S(2));
    uint64_t hash = kn_world_hash(f->world); // ticks that were predicted come again
    snapshot_restore(f->world, snapshot, size);
    free(snapshot);
    assert_int_equal(((const thorns_state *)kn_effect_state(f->world, effect))->ticks, 1);
    step(f, KN_S(2));
    assert_true(kn_world_hash(f->world) == hash);
    const thorns_state *block = kn_effect_state(f->world, effect);
    assert_non_null(block);
    assert_int_equal(block->ticks, 3); // at 0, 1 and 2 s
    assert_int_equal(block->stacks, 1);
    assert_null(kn_effect_state(f->world, data_only));
    thorns_removed = 0;
    assert_int_equal(kn_effect_remove(f->world, effect, 0, KN_REMOVED_DISPELLED), KN_OK);
    assert_int_equal(thorns_removed, 1);
}

// MAP-030
static void the_duplicate_rules_of_buffs_are_kinds_of_stacking(void **state)
{
    fixture *f = *state;
    declare_all(f);
    static const kn_stacking_kind kinds[] = {KN_STACK_NONE, KN_STACK_BY_SOURCE, KN_STACK_BY_TARGET};
    static const char *const names[] = {"Unlimited", "PerSource", "PerTarget"};
    static const uint32_t expected[] = {4, 2, 1};
    kn_effect_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_def def = timed(names[i], 5.0f);
        def.stacking.kind = kinds[i];
        types[i] = effect_register(f, &def);
    }
    begin(f);
    for (uint32_t i = 0; i < 3; i++) {
        kn_entity_id target = entity_create(f);
        for (uint32_t j = 0; j < 4; j++) {
            assert_int_equal(kn_effect_apply_simple(f->world, types[i],
                                 j % 2 == 0 ? f->foe : f->hero, target, 1.0f, NULL),
                KN_OK);
        }
        assert_int_equal(kn_effects_count(f->world, target), expected[i]);
    }
}

// Bad input
// -----------------------------------------------------------------------------------------------

static void bad_records_are_refused_and_nothing_happens(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    kn_entity_id gone = entity_create(f);
    assert_true(kn_entity_destroy(f->world, gone));
    kn_event_outcome outcome;
    kn_event_record record = hit_of(f, 1.0f);
    record.target = gone;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_REFUSED_STALE_ID);
    assert_int_equal(outcome.result, KN_REFUSED_STALE_ID);
    record.target = (kn_entity_id){0};
    assert_int_equal(kn_event_run(f->world, &record, NULL), KN_REFUSED_STALE_ID);
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(run(f, bad[i], &outcome), KN_REFUSED_BAD_NUMBER);
        record = hit_of(f, bad[i]);
        assert_int_equal(kn_event_vetoes(f->world, &record, NULL, 0), 0);
        assert_int_equal(kn_event_send(f->world, f->hero, f->hit, &record), KN_REFUSED_BAD_NUMBER);
    }
    assert_int_equal(kn_event_send(f->world, gone, f->hit, NULL), KN_REFUSED_STALE_ID);
    kn_assert_set_handler(ignore_assert);
    record = hit_of(f, 1.0f);
    record.kind = (kn_event_kind_id){0};
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_ERROR_INVALID_ARGUMENT);
    record.kind = (kn_event_kind_id){999};
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_ERROR_INVALID_ARGUMENT);
    record = hit_of(f, 1.0f);
    kn_tag no_tag = {0};
    kn_tag wild = {UINT32_MAX};
    const kn_tags bad_tags[3] = {{&no_tag, 1}, {&wild, 1}, {NULL, 2}};
    for (uint32_t i = 0; i < 9; i++) { // as kn_event_send() has it
        record = hit_of(f, 1.0f);
        record.has_instigator_tags = record.has_target_tags = true;
        *(i < 3     ? &record.tags
            : i < 6 ? &record.instigator_tags
                    : &record.target_tags) = bad_tags[i % 3];
        assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(outcome.result, KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(kn_event_vetoes(f->world, &record, NULL, 0), 0);
        assert_int_equal(
            kn_event_send(f->world, f->hero, f->hit, &record), KN_ERROR_INVALID_ARGUMENT);
    }
    record = hit_of(f, 1.0f);
    record.data_size = 8; // of no data
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_ERROR_INVALID_ARGUMENT);
    record = hit_of(f, 1.0f);
    record.cookie = 0;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_event_run(f->world, NULL, &outcome), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_event_send(f->world, f->hero, no_tag, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_event_send(f->world, f->hero, (kn_tag){UINT32_MAX}, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_int_equal(f->applied, 0);
    assert_int_equal(f->rule_calls, 0);
    // A stale instigator counts as none.
    record = hit_of(f, 1.0f);
    record.instigator = gone;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_OK);
    assert_int_equal(f->applied, 1);
}

static void telling_rules_about_something_needs_no_pipeline(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_tag crit = tag_of(f, "Event.Hit.Critical");
    begin(f);
    kn_event_record record = hit_of(f, 12.0f);
    assert_int_equal(kn_event_send(f->world, f->hero, crit, &record), KN_OK);
    assert_int_equal(f->rule_calls, 1); // of a parent of the tag
    assert_int_equal(f->applied, 0);
    kn_event event;
    assert_int_equal(published(f, KN_EVENT_RECORD, &event), 1);
    assert_true(event.data.record.magnitude == 12.0f);
    assert_int_equal(event.data.record.tag.index1, crit.index1);
    assert_int_equal(kn_event_send(f->world, f->hero, f->fire, NULL), KN_OK);
    assert_int_equal(f->rule_calls, 1);
}

static const struct CMUnitTest tests[] = {
    TEST(crowd_control_immunity_blocks_new_ones_and_names_itself),
    TEST(immunity_may_ask_for_the_source),
    TEST(an_event_is_modified_applied_and_told),
    TEST(one_veto_suffices_and_a_vetoed_event_changes_nothing),
    TEST(gates_see_the_modified_number_unless_the_kind_says_otherwise),
    TEST(gates_of_the_source_come_before_those_of_the_target),
    TEST(listing_vetoes_changes_nothing),
    TEST(an_event_may_ignore_restrictions),
    TEST(a_restriction_lives_exactly_as_long_as_its_effect_acts),
    TEST(kinds_are_a_registry_and_say_what_may_be_restricted),
    TEST(abilities_are_blocked_by_tags_without_a_context),
    TEST(a_buff_with_logic_keeps_state_and_a_plain_one_has_none),
    TEST(the_duplicate_rules_of_buffs_are_kinds_of_stacking),
    TEST(bad_records_are_refused_and_nothing_happens),
    TEST(telling_rules_about_something_needs_no_pipeline),
};

TEST_GROUP(restrictions, tests, NULL, NULL);
