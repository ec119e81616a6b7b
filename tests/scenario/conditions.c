// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tags and attributes that decide whether an effect comes in, acts, or goes; tags of effects.

#include "scenario/effect_fixture.h"

static kn_effect_def boost(fixture *f, const char *name)
{
    static kn_modifier_def modifier; // copied by registration
    modifier = kn_modifier_constant(f->power, KN_OP_ADD, 50.0f);
    kn_effect_def def = infinite(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return def;
}

static kn_attribute_condition at_most(kn_attribute_id attribute, kn_capture_from from, float most)
{
    kn_attribute_condition condition = {
        .from = from, .attribute = attribute, .has_max = true, .max = most};
    return condition;
}

static void set_health(fixture *f, kn_entity_id entity, float health)
{
    set_base(f, entity, f->health, health);
}

// ETG-002, ETG-005, TVE-110
static void an_unmet_ongoing_requirement_switches_the_effect_off_and_on(void **state)
{
    fixture *f = *state;
    kn_tag silenced = tag_of(f, "State.Silenced"), blessed = tag_of(f, "State.Blessed");
    kn_effect_def def = boost(f, "Blessing");
    def.granted_tags = (kn_tags){&blessed, 1};
    def.ongoing.target.ignored = (kn_tags){&silenced, 1};
    kn_effect_type_id blessing = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, blessing);
    assert_near(current(f, f->power), 60.0f);

    add_tag(f, f->foe, silenced);
    assert_near(current(f, f->power), 10.0f);
    assert_false(kn_entity_has_tag(f->world, f->foe, blessed));
    assert_true(info_of(f, effect).is_inhibited);
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
    remove_tag(f, f->foe, silenced);
    assert_near(current(f, f->power), 60.0f);
    assert_true(kn_entity_has_tag(f->world, f->foe, blessed));
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_INHIBITED, blessing), 2);
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_false(kn_entity_has_tag(f->world, f->foe, blessed));
    assert_near(current(f, f->power), 10.0f);
}

// TVE-110
static void time_runs_on_while_an_effect_is_switched_off(void **state)
{
    fixture *f = *state;
    kn_tag silenced = tag_of(f, "State.Silenced");
    kn_effect_def def = boost(f, "Blessing");
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(10);
    def.ongoing.target.ignored = (kn_tags){&silenced, 1};
    kn_effect_type_id blessing = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, blessing);
    step_seconds(f, 2);
    add_tag(f, f->foe, silenced);
    step_seconds(f, 4);
    remove_tag(f, f->foe, silenced);
    step_seconds(f, 3.999);
    assert_true(kn_effect_is_alive(f->world, effect));
    step_seconds(f, 0.001);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// ETG-002, TVE-118
static void an_unmet_application_requirement_refuses_without_an_immunity_event(void **state)
{
    fixture *f = *state;
    kn_tag wounded = tag_of(f, "State.Wounded"), dead = tag_of(f, "State.Dead");
    kn_effect_def def = boost(f, "Bandage");
    def.application.target.required = (kn_tags){&wounded, 1};
    def.application.target.ignored = (kn_tags){&dead, 1};
    kn_effect_type_id bandage = effect_register(f, &def);
    begin(f);
    assert_int_equal(try_apply(f, bandage), KN_REFUSED_REQUIREMENT);
    add_tag(f, f->foe, wounded);
    add_tag(f, f->foe, dead);
    assert_int_equal(try_apply(f, bandage), KN_REFUSED_REQUIREMENT);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_BLOCKED, (kn_effect_type_id){0}), 0);
    remove_tag(f, f->foe, dead);
    apply(f, bandage);
}

// ETG-005
static void a_requirement_may_be_a_query(void **state)
{
    fixture *f = *state;
    kn_tag stunned = tag_of(f, "State.Stunned"), rooted = tag_of(f, "State.Rooted");
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ANY_TAGS);
    kn_tag_query_tag(&query, stunned);
    kn_tag_query_tag(&query, rooted);
    kn_tag_query_end(&query);
    kn_effect_def def = boost(f, "Revenge");
    def.ongoing.target.query = &query;
    kn_effect_type_id revenge = effect_register(f, &def);
    begin(f);
    apply(f, revenge);
    assert_near(current(f, f->power), 10.0f);
    add_tag(f, f->foe, rooted);
    assert_near(current(f, f->power), 60.0f);
    remove_tag(f, f->foe, rooted);
    assert_near(current(f, f->power), 10.0f);
}

typedef struct switches {
    uint32_t calls;
} switches;

static void note_switch(
    void *user, kn_world *world, const kn_spec_view *spec, void *block, bool is_inhibited)
{
    (void)world;
    (void)spec;
    (void)block;
    (void)is_inhibited;
    ++((switches *)user)->calls;
}

// ETG-005
static void several_tag_changes_of_one_effect_recheck_others_once(void **state)
{
    fixture *f = *state;
    kn_tag pair[2] = {tag_of(f, "State.A"), tag_of(f, "State.B")};
    switches seen = {0};
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Counter";
    logic.inhibited = note_switch;
    logic.user = &seen;
    kn_effect_logic_id logic_id;
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &logic_id, NULL), KN_OK);
    kn_effect_def def = boost(f, "Watcher");
    def.logic = logic_id;
    def.ongoing.target.required = (kn_tags){&pair[1], 1};
    def.ongoing.target.ignored = (kn_tags){&pair[0], 1};
    kn_effect_type_id watcher = effect_register(f, &def);
    kn_effect_def both = infinite("Both");
    both.granted_tags = (kn_tags){pair, 2};
    kn_effect_type_id granting = effect_register(f, &both);
    begin(f);
    apply(f, watcher); // off: B is missing
    kn_effect_id effect = apply(f, granting);
    assert_int_equal(seen.calls, 0); // never on in between
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_int_equal(seen.calls, 0);
}

// ETG-005
static void an_effect_that_would_switch_itself_off_is_a_registration_error(void **state)
{
    fixture *f = *state;
    kn_tag parent = tag_of(f, "State.Debuff"), child = tag_of(f, "State.Debuff.Stun");
    kn_effect_def def = boost(f, "Silly");
    def.granted_tags = (kn_tags){&child, 1};
    def.ongoing.target.ignored = (kn_tags){&parent, 1};
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "State.Debuff.Stun"));
}

// ETG-003, BEY-029
static void a_removal_requirement_removes_and_refuses(void **state)
{
    fixture *f = *state;
    kn_tag cleansed = tag_of(f, "State.Cleansed");
    kn_effect_def def = boost(f, "Curse");
    def.removal.target.required = (kn_tags){&cleansed, 1};
    kn_effect_type_id curse = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, curse);
    add_tag(f, f->foe, cleansed);
    assert_false(kn_effect_is_alive(f->world, effect));
    step_seconds(f, 0);
    assert_int_equal(
        last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_REQUIREMENT);
    assert_int_equal(try_apply(f, curse), KN_REFUSED_REQUIREMENT);
}

// ETG-003
static void blocked_ability_tags_hold_while_the_effect_is_on(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "Ability.Fire"), ball = tag_of(f, "Ability.Fire.Ball");
    kn_tag clear = tag_of(f, "State.Clear");
    kn_effect_def def = boost(f, "Interrupt");
    def.blocked_ability_tags = (kn_tags){&fire, 1};
    def.ongoing.target.ignored = (kn_tags){&clear, 1};
    kn_effect_type_id interrupt = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, interrupt);
    assert_true(kn_entity_ability_tag_blocked(f->world, f->foe, ball));
    assert_false(kn_entity_ability_tag_blocked(f->world, f->hero, ball));
    add_tag(f, f->foe, clear);
    assert_false(kn_entity_ability_tag_blocked(f->world, f->foe, ball));
    remove_tag(f, f->foe, clear);
    assert_true(kn_entity_ability_tag_blocked(f->world, f->foe, ball));
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_false(kn_entity_ability_tag_blocked(f->world, f->foe, ball));
}

// ETG-002, TVE-117, BEY-029
static void effects_with_certain_asset_or_granted_tags_are_removed(void **state)
{
    fixture *f = *state;
    kn_tag poison = tag_of(f, "Poison"), snake = tag_of(f, "Poison.Snake"),
           sealed = tag_of(f, "Sealed");
    kn_effect_def def = boost(f, "ByAsset");
    def.asset_tags = (kn_tags){&snake, 1};
    kn_effect_type_id by_asset = effect_register(f, &def);
    def = boost(f, "ByGrant");
    def.granted_tags = (kn_tags){&poison, 1};
    kn_effect_type_id by_grant = effect_register(f, &def);
    def = boost(f, "Bystander");
    kn_effect_type_id bystander = effect_register(f, &def);
    def = instant("Antidote");
    def.remove_effects_with = (kn_tags){&poison, 1};
    def.application.target.ignored = (kn_tags){&sealed, 1};
    kn_effect_type_id antidote = effect_register(f, &def);
    begin(f);
    kn_effect_id a = apply(f, by_asset);
    kn_effect_id b = apply(f, by_grant);
    kn_effect_id c = apply(f, bystander);
    kn_effect_id elsewhere[] = {apply_from_to(f, by_asset, f->foe, f->hero, 1.0f),
        apply_from_to(f, by_grant, f->hero, f->ally, 1.0f)};
    assert_false(kn_entity_has_tag(f->world, f->foe, snake)); // asset tags do nothing by themselves

    add_tag(f, f->foe, sealed);
    assert_int_equal(try_apply(f, antidote), KN_REFUSED_REQUIREMENT);
    assert_true(kn_effect_is_alive(f->world, a) && kn_effect_is_alive(f->world, b));

    remove_tag(f, f->foe, sealed);
    apply(f, antidote);
    assert_false(kn_effect_is_alive(f->world, a));
    assert_false(kn_effect_is_alive(f->world, b));
    assert_true(kn_effect_is_alive(f->world, c));
    for (uint32_t i = 0; i < 2; i++) { // on the target alone
        assert_true(kn_effect_is_alive(f->world, elsewhere[i]));
    }
    step_seconds(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_EFFECT_REMOVED), 2);
    assert_int_equal(
        last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_BY_EFFECT);
}

// ETG-001
static void tags_of_an_inherited_definition_are_added_and_removed(void **state)
{
    fixture *f = *state;
    kn_tag p = tag_of(f, "P"), q = tag_of(f, "Q"), r = tag_of(f, "R");
    kn_tag parent_tags[2] = {p, q};
    kn_effect_def parent = boost(f, "Parent");
    parent.granted_tags = (kn_tags){parent_tags, 2};
    effect_register(f, &parent);
    kn_tag_set combined = {0};
    assert_int_equal(
        kn_tag_set_combine(&combined, parent.granted_tags, (kn_tags){&r, 1}, (kn_tags){&q, 1}),
        KN_OK);
    kn_effect_def child = boost(f, "Child");
    child.parent = "Parent";
    child.granted_tags = kn_tag_set_view(&combined);
    kn_effect_type_id type = effect_register(f, &child);
    begin(f);
    apply(f, type);
    assert_true(kn_entity_has_tag(f->world, f->foe, p));
    assert_false(kn_entity_has_tag(f->world, f->foe, q));
    assert_true(kn_entity_has_tag(f->world, f->foe, r));
    assert_string_equal(kn_effect_type_get_def(f->world, type)->parent, "Parent");
}

// ETG-004
static void a_spec_adds_dynamic_granted_and_asset_tags(void **state)
{
    fixture *f = *state;
    kn_tag burning = tag_of(f, "State.Burning"), magic = tag_of(f, "School.Magic");
    kn_effect_def def = boost(f, "Spell");
    kn_effect_type_id spell = effect_register(f, &def);
    begin(f);
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = spell;
    request.target = f->foe;
    request.dynamic_granted_tags = (kn_tags){&burning, 1};
    request.dynamic_asset_tags = (kn_tags){&magic, 1};
    kn_effect_id effect, found;
    assert_int_equal(kn_effect_apply(f->world, &request, &effect), KN_OK);
    assert_true(kn_entity_has_tag(f->world, f->foe, burning));
    kn_effect_query query = kn_effect_query_default();
    query.asset_tags = (kn_tags){&magic, 1};
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, &found, 1), 1);
    assert_true(kn_effect_id_equal(found, effect));
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_false(kn_entity_has_tag(f->world, f->foe, burning));
}

// TVE-116
static void a_modifier_requirement_met_at_application_is_not_asked_again(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_modifier_def shock = kn_modifier_constant(f->health, KN_OP_ADD, -5.0f);
    shock.target.required = (kn_tags){&wet, 1};
    kn_effect_def def = infinite("Shock");
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    def.skip_first_tick = true;
    def.modifiers = &shock;
    def.modifier_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_tag(f, f->foe, wet);
    apply(f, type);
    step_seconds(f, 1);
    remove_tag(f, f->foe, wet);
    step_seconds(f, 1);
    assert_near(current(f, f->health), 90.0f);
}

// BEY-020
static void attribute_conditions_gate_the_application(void **state)
{
    fixture *f = *state;
    kn_attribute_condition low = at_most(f->health, KN_CAPTURE_FROM_TARGET, 50.0f);
    kn_effect_def def = boost(f, "Execute");
    def.application.attributes = &low;
    def.application.attribute_count = 1;
    kn_effect_type_id execute = effect_register(f, &def);
    kn_attribute_condition strong = {
        .from = KN_CAPTURE_FROM_SOURCE, .attribute = f->power, .has_min = true, .min = 20.0f};
    def = boost(f, "Smash");
    def.application.attributes = &strong;
    def.application.attribute_count = 1;
    kn_effect_type_id smash = effect_register(f, &def);
    begin(f);
    assert_int_equal(try_apply(f, execute), KN_REFUSED_REQUIREMENT);
    set_health(f, f->foe, 50.0f); // inclusive
    apply(f, execute);
    assert_int_equal(try_apply(f, smash), KN_REFUSED_REQUIREMENT);
    set_base(f, f->hero, f->power, 20.0f);
    apply(f, smash);
    assert_int_equal(try_apply_from(f, smash, (kn_entity_id){0}, 1.0f), KN_REFUSED_REQUIREMENT);
}

// BEY-020
static void an_ongoing_condition_on_a_share_of_a_maximum_wakes_by_either(void **state)
{
    fixture *f = *state;
    kn_attribute_condition low = at_most(f->health, KN_CAPTURE_FROM_TARGET, 0.25f);
    low.relative_to = f->max_health;
    kn_effect_def def = boost(f, "LastStand");
    def.ongoing.attributes = &low;
    def.ongoing.attribute_count = 1;
    kn_effect_type_id stand = effect_register(f, &def);
    begin(f);
    apply(f, stand); // 100 of 200
    assert_near(current(f, f->power), 10.0f);
    set_health(f, f->foe, 50.0f);
    assert_near(current(f, f->power), 60.0f);
    set_base(f, f->foe, f->max_health, 100.0f);
    assert_near(current(f, f->power), 10.0f);
    set_health(f, f->foe, 25.0f);
    assert_near(current(f, f->power), 60.0f);
}

// BEY-020
static void ongoing_and_removal_conditions_follow_attributes_of_the_source(void **state)
{
    fixture *f = *state;
    kn_attribute_condition low = at_most(f->health, KN_CAPTURE_FROM_SOURCE, 0.25f);
    low.relative_to = f->max_health;
    kn_attribute_condition fast = {
        .from = KN_CAPTURE_FROM_SOURCE, .attribute = f->speed, .has_min = true, .min = 700.0f};
    kn_effect_def def = boost(f, "Bond");
    def.ongoing.attributes = &low;
    def.ongoing.attribute_count = 1;
    def.removal.attributes = &fast;
    def.removal.attribute_count = 1;
    kn_effect_type_id bond = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, bond);
    set_health(f, f->foe, 10.0f); // whose health it is
    set_health(f, f->ally, 10.0f);
    assert_near(current(f, f->power), 10.0f);
    set_health(f, f->hero, 50.0f);
    assert_near(current(f, f->power), 60.0f);
    set_base(f, f->hero, f->max_health, 100.0f);
    assert_near(current(f, f->power), 10.0f);
    set_health(f, f->hero, 25.0f);
    assert_near(current(f, f->power), 60.0f);
    set_base(f, f->foe, f->speed, 700.0f);
    set_base(f, f->hero, f->speed, 699.0f);
    assert_true(kn_effect_is_alive(f->world, effect));
    set_base(f, f->hero, f->speed, 700.0f);
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_int_equal(try_apply(f, bond), KN_REFUSED_REQUIREMENT);
}

// BEY-020
static void a_removal_condition_on_an_attribute_removes(void **state)
{
    fixture *f = *state;
    kn_attribute_condition full = {
        .from = KN_CAPTURE_FROM_TARGET, .attribute = f->health, .has_min = true, .min = 1.0f};
    full.relative_to = f->max_health;
    kn_effect_def def = boost(f, "Rest");
    def.removal.attributes = &full;
    def.removal.attribute_count = 1;
    kn_effect_type_id rest = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, rest);
    set_health(f, f->foe, 199.0f);
    assert_true(kn_effect_is_alive(f->world, effect));
    set_health(f, f->foe, 200.0f);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-020
static void all_of_a_group_or_any_group(void **state)
{
    fixture *f = *state;
    kn_attribute_condition conditions[3] = {at_most(f->health, KN_CAPTURE_FROM_TARGET, 50.0f),
        at_most(f->power, KN_CAPTURE_FROM_TARGET, 5.0f),
        at_most(f->speed, KN_CAPTURE_FROM_TARGET, 100.0f)};
    conditions[2].group = 1;
    kn_effect_def def = infinite("Pity");
    def.application.attributes = conditions;
    def.application.attribute_count = 3;
    kn_effect_type_id pity = effect_register(f, &def);
    begin(f);
    set_health(f, f->foe, 50.0f);
    assert_int_equal(try_apply(f, pity), KN_REFUSED_REQUIREMENT);
    set_base(f, f->foe, f->power, 5.0f);
    apply(f, pity); // all of group 0
    set_health(f, f->foe, 100.0f);
    assert_int_equal(try_apply(f, pity), KN_REFUSED_REQUIREMENT);
    set_base(f, f->foe, f->speed, 90.0f);
    apply(f, pity); // all of group 1
}

// BEY-020, BEY-027
static void an_absent_attribute_is_not_met_and_wakes_when_it_comes(void **state)
{
    fixture *f = *state;
    kn_attribute_def rage = attribute_def("Rage", 5.0f);
    kn_attribute_set_id temper = set_register(f, "Temper", &rage, 1);
    kn_attribute_id attribute = kn_attribute_find(f->library, "Temper.Rage");
    kn_attribute_condition calm = at_most(attribute, KN_CAPTURE_FROM_TARGET, 10.0f);
    kn_effect_def def = boost(f, "Focus");
    def.ongoing.attributes = &calm;
    def.ongoing.attribute_count = 1;
    kn_effect_type_id focus = effect_register(f, &def);
    def = boost(f, "Strict");
    def.application.attributes = &calm;
    def.application.attribute_count = 1;
    kn_effect_type_id strict = effect_register(f, &def);
    def = infinite("Fragile");
    def.removal.attributes = &calm;
    def.removal.attribute_count = 1;
    kn_effect_type_id fragile = effect_register(f, &def);
    kn_attribute_condition share = at_most(f->health, KN_CAPTURE_FROM_TARGET, 1000.0f);
    share.relative_to = attribute;
    def = infinite("Share");
    def.application.attributes = &share;
    def.application.attribute_count = 1;
    kn_effect_type_id relative = effect_register(f, &def);
    begin(f);
    assert_int_equal(try_apply(f, strict), KN_REFUSED_REQUIREMENT);
    assert_int_equal(try_apply(f, relative), KN_REFUSED_REQUIREMENT);
    kn_effect_id removed = apply(f, fragile); // what is unknown removes nothing
    step_seconds(f, 1);
    assert_true(kn_effect_is_alive(f->world, removed));
    apply(f, focus);
    assert_near(current(f, f->power), 10.0f);
    add_set(f, f->foe, temper);
    assert_near(current(f, f->power), 60.0f);
    assert_false(kn_effect_is_alive(f->world, removed));
    remove_effect(f, apply(f, relative));
    set_base(f, f->foe, attribute, 11.0f);
    assert_near(current(f, f->power), 10.0f);
    set_base(f, f->foe, attribute, 1.0f);
    assert_near(current(f, f->power), 60.0f);
    assert_int_equal(kn_attribute_set_remove(f->world, f->foe, temper, 0), KN_OK);
    assert_near(current(f, f->power), 10.0f);
}

// BEY-021
static void ongoing_and_removal_requirements_read_the_source_too(void **state)
{
    fixture *f = *state;
    kn_tag channeling = tag_of(f, "State.Channeling"), dead = tag_of(f, "State.Dead");
    kn_effect_def def = boost(f, "Link");
    def.ongoing.source.required = (kn_tags){&channeling, 1};
    def.removal.source.required = (kn_tags){&dead, 1};
    kn_effect_type_id link = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, link);
    assert_near(current(f, f->power), 10.0f);
    add_tag(f, f->hero, channeling);
    assert_near(current(f, f->power), 60.0f);
    remove_tag(f, f->hero, channeling);
    assert_near(current(f, f->power), 10.0f);
    add_tag(f, f->hero, dead);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-021
static void with_the_source_gone_required_fails_and_ignored_passes(void **state)
{
    fixture *f = *state;
    kn_tag awake = tag_of(f, "State.Awake");
    kn_effect_def def = boost(f, "Requires");
    def.ongoing.source.required = (kn_tags){&awake, 1};
    kn_effect_type_id requires = effect_register(f, &def);
    def = boost(f, "Ignores");
    def.ongoing.source.ignored = (kn_tags){&awake, 1};
    kn_effect_type_id ignores = effect_register(f, &def);
    begin(f);
    add_tag(f, f->hero, awake);
    kn_effect_id a = apply(f, requires);
    kn_effect_id b = apply(f, ignores);
    assert_false(info_of(f, a).is_inhibited);
    assert_true(info_of(f, b).is_inhibited);
    assert_true(kn_entity_destroy(f->world, f->hero));
    assert_true(info_of(f, a).is_inhibited);
    assert_false(info_of(f, b).is_inhibited);
    assert_near(current(f, f->power), 60.0f);
}

// BEY-021: the same for what removes.
static void with_the_source_gone_removal_by_required_fails_and_by_ignored_passes(void **state)
{
    fixture *f = *state;
    kn_tag awake = tag_of(f, "State.Awake");
    kn_effect_def def = boost(f, "Requires");
    def.removal.source.required = (kn_tags){&awake, 1};
    kn_effect_type_id requires = effect_register(f, &def);
    def = boost(f, "Ignores");
    def.removal.source.ignored = (kn_tags){&awake, 1};
    kn_effect_type_id ignores = effect_register(f, &def);
    begin(f);
    kn_effect_id a = apply(f, requires);
    add_tag(f, f->ally, awake);
    kn_effect_id b = apply_from(f, ignores, f->ally);
    assert_true(kn_entity_destroy(f->world, f->hero));
    assert_true(kn_effect_is_alive(f->world, a) && kn_effect_is_alive(f->world, b));
    assert_true(kn_entity_destroy(f->world, f->ally));
    assert_true(kn_effect_is_alive(f->world, a));
    assert_false(kn_effect_is_alive(f->world, b));
}

// BEY-020, BEY-095
static void a_condition_without_bounds_or_attribute_is_a_registration_error(void **state)
{
    fixture *f = *state;
    kn_attribute_condition conditions[3] = {
        {.from = KN_CAPTURE_FROM_TARGET, .attribute = f->health},
        {.from = KN_CAPTURE_FROM_TARGET, .has_min = true},
        {.from = KN_CAPTURE_FROM_CAUSER, .attribute = f->health, .has_min = true},
    };
    for (int i = 0; i < 3; i++) {
        kn_effect_def def = infinite("Bad");
        def.ongoing.attributes = &conditions[i];
        def.ongoing.attribute_count = 1;
        kn_effect_type_id type;
        kn_error error;
        assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(an_unmet_ongoing_requirement_switches_the_effect_off_and_on),
    TEST(time_runs_on_while_an_effect_is_switched_off),
    TEST(an_unmet_application_requirement_refuses_without_an_immunity_event),
    TEST(a_requirement_may_be_a_query),
    TEST(several_tag_changes_of_one_effect_recheck_others_once),
    TEST(an_effect_that_would_switch_itself_off_is_a_registration_error),
    TEST(a_removal_requirement_removes_and_refuses),
    TEST(blocked_ability_tags_hold_while_the_effect_is_on),
    TEST(effects_with_certain_asset_or_granted_tags_are_removed),
    TEST(tags_of_an_inherited_definition_are_added_and_removed),
    TEST(a_spec_adds_dynamic_granted_and_asset_tags),
    TEST(a_modifier_requirement_met_at_application_is_not_asked_again),
    TEST(attribute_conditions_gate_the_application),
    TEST(an_ongoing_condition_on_a_share_of_a_maximum_wakes_by_either),
    TEST(ongoing_and_removal_conditions_follow_attributes_of_the_source),
    TEST(a_removal_condition_on_an_attribute_removes),
    TEST(all_of_a_group_or_any_group),
    TEST(an_absent_attribute_is_not_met_and_wakes_when_it_comes),
    TEST(ongoing_and_removal_requirements_read_the_source_too),
    TEST(with_the_source_gone_required_fails_and_ignored_passes),
    TEST(with_the_source_gone_removal_by_required_fails_and_by_ignored_passes),
    TEST(a_condition_without_bounds_or_attribute_is_a_registration_error),
};

TEST_GROUP(conditions, tests, NULL, NULL);
