// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tags and attributes that decide whether an effect comes in, acts, or goes; tags of effects.

#include "scenario/effect_events.h"
#include "scenario/stack_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kn_tag tag(fixture *f, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag found = kn_tag_find(f->library, name);
    if (found.index1 == 0) {
        assert_int_equal(kn_tag_register(f->library, &def, &found, NULL), KN_OK);
    }
    return found;
}

static kn_effect_def infinite(const char *name)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    return def;
}

static kn_effect_def instant(const char *name)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    return def;
}

static kn_effect_type_id add(fixture *f, const kn_effect_def *def)
{
    kn_effect_type_id type;
    kn_error error;
    kn_result result = kn_effect_register(f->library, def, &type, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    return type;
}

// Finishes the library and puts three entities with Vitals into a world.
static void begin_with(fixture *f, kn_world_def *def)
{
    kn_error error;
    if (kn_library_finish(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    def->library = f->library;
    assert_int_equal(kn_world_create(def, &f->world), KN_OK);
    kn_entity_id *entities[3] = {&f->target, &f->source, &f->other};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_entity_create(f->world, entities[i]), KN_OK);
        assert_int_equal(kn_attribute_set_add(f->world, *entities[i], f->vitals, 0), KN_OK);
    }
}

static void begin(fixture *f)
{
    kn_world_def def = kn_world_def_default();
    begin_with(f, &def);
}

static kn_effect_id apply(fixture *f, kn_effect_type_id type, kn_entity_id source)
{
    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, source, f->target, 1.0f, &effect), KN_OK);
    return effect;
}

static kn_result refusal(fixture *f, kn_effect_type_id type, kn_entity_id source, float level)
{
    kn_effect_id effect = {0};
    kn_result result = kn_effect_apply_simple(f->world, type, source, f->target, level, &effect);
    assert_int_not_equal(result, KN_OK);
    assert_true(kn_effect_id_is_null(effect));
    return result;
}

static void run(fixture *f, double seconds)
{
    assert_int_equal(kn_world_step(f->world, kn_time_from_seconds(seconds)), KN_OK);
}

static void assert_near(float got, float expected)
{
    if (!(fabsf(got - expected) <= 1e-5f * fmaxf(1.0f, fabsf(expected)))) {
        fail_msg("%g is not %g", (double)got, (double)expected);
    }
}

static float value(const fixture *f, kn_attribute_id attribute)
{
    return kn_attribute_value(f->world, f->target, attribute);
}

// Events of the last step; a null effect type means any.
static uint32_t events(const fixture *f, kn_event_type type, kn_effect_type_id effect)
{
    return effect_events(f->world, type, effect);
}

static const kn_event *last_event(const fixture *f, kn_event_type type)
{
    kn_events all = kn_world_events(f->world);
    const kn_event *found = NULL;
    for (uint32_t i = 0; i < all.count; i++) {
        found = all.data[i].type == type ? &all.data[i] : found;
    }
    return found;
}

static kn_effect_info info_of(fixture *f, kn_effect_id effect)
{
    kn_effect_info info;
    assert_true(kn_effect_get(f->world, effect, &info));
    return info;
}

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
    assert_int_equal(kn_attribute_set_base(f->world, entity, f->health, 0, health), KN_OK);
}

static void add_tag(fixture *f, kn_entity_id entity, kn_tag what)
{
    assert_int_equal(kn_entity_add_tag(f->world, entity, what, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static void remove_tag(fixture *f, kn_entity_id entity, kn_tag what)
{
    assert_int_equal(kn_entity_remove_tag(f->world, entity, what, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

// ETG-002, ETG-005, TVE-110
static void an_unmet_ongoing_requirement_switches_the_effect_off_and_on(void **state)
{
    fixture *f = *state;
    kn_tag silenced = tag(f, "State.Silenced"), blessed = tag(f, "State.Blessed");
    kn_effect_def def = boost(f, "Blessing");
    def.granted_tags = (kn_tags){&blessed, 1};
    def.ongoing.target.ignored = (kn_tags){&silenced, 1};
    kn_effect_type_id blessing = add(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, blessing, f->source);
    assert_near(value(f, f->power), 60.0f);

    add_tag(f, f->target, silenced);
    assert_near(value(f, f->power), 10.0f);
    assert_false(kn_entity_has_tag(f->world, f->target, blessed));
    assert_true(info_of(f, effect).is_inhibited);
    assert_int_equal(kn_effects_count(f->world, f->target), 1);
    remove_tag(f, f->target, silenced);
    assert_near(value(f, f->power), 60.0f);
    assert_true(kn_entity_has_tag(f->world, f->target, blessed));
    run(f, 0);
    assert_int_equal(events(f, KN_EVENT_EFFECT_INHIBITED, blessing), 2);
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_false(kn_entity_has_tag(f->world, f->target, blessed));
    assert_near(value(f, f->power), 10.0f);
}

// TVE-110
static void time_runs_on_while_an_effect_is_switched_off(void **state)
{
    fixture *f = *state;
    kn_tag silenced = tag(f, "State.Silenced");
    kn_effect_def def = boost(f, "Blessing");
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(10);
    def.ongoing.target.ignored = (kn_tags){&silenced, 1};
    kn_effect_type_id blessing = add(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, blessing, f->source);
    run(f, 2);
    add_tag(f, f->target, silenced);
    run(f, 4);
    remove_tag(f, f->target, silenced);
    run(f, 3.999);
    assert_true(kn_effect_is_alive(f->world, effect));
    run(f, 0.001);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// ETG-002, TVE-118
static void an_unmet_application_requirement_refuses_without_an_immunity_event(void **state)
{
    fixture *f = *state;
    kn_tag wounded = tag(f, "State.Wounded"), dead = tag(f, "State.Dead");
    kn_effect_def def = boost(f, "Bandage");
    def.application.target.required = (kn_tags){&wounded, 1};
    def.application.target.ignored = (kn_tags){&dead, 1};
    kn_effect_type_id bandage = add(f, &def);
    begin(f);
    assert_int_equal(refusal(f, bandage, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
    add_tag(f, f->target, wounded);
    add_tag(f, f->target, dead);
    assert_int_equal(refusal(f, bandage, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
    run(f, 0);
    assert_int_equal(events(f, KN_EVENT_EFFECT_BLOCKED, (kn_effect_type_id){0}), 0);
    remove_tag(f, f->target, dead);
    apply(f, bandage, f->source);
}

// ETG-005
static void a_requirement_may_be_a_query(void **state)
{
    fixture *f = *state;
    kn_tag stunned = tag(f, "State.Stunned"), rooted = tag(f, "State.Rooted");
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ANY_TAGS);
    kn_tag_query_tag(&query, stunned);
    kn_tag_query_tag(&query, rooted);
    kn_tag_query_end(&query);
    kn_effect_def def = boost(f, "Revenge");
    def.ongoing.target.query = &query;
    kn_effect_type_id revenge = add(f, &def);
    begin(f);
    apply(f, revenge, f->source);
    assert_near(value(f, f->power), 10.0f);
    add_tag(f, f->target, rooted);
    assert_near(value(f, f->power), 60.0f);
    remove_tag(f, f->target, rooted);
    assert_near(value(f, f->power), 10.0f);
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
    kn_tag pair[2] = {tag(f, "State.A"), tag(f, "State.B")};
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
    kn_effect_type_id watcher = add(f, &def);
    kn_effect_def both = infinite("Both");
    both.granted_tags = (kn_tags){pair, 2};
    kn_effect_type_id granting = add(f, &both);
    begin(f);
    apply(f, watcher, f->source); // off: B is missing
    kn_effect_id effect = apply(f, granting, f->source);
    assert_int_equal(seen.calls, 0); // never on in between
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_int_equal(seen.calls, 0);
}

// ETG-005
static void an_effect_that_would_switch_itself_off_is_a_registration_error(void **state)
{
    fixture *f = *state;
    kn_tag parent = tag(f, "State.Debuff"), child = tag(f, "State.Debuff.Stun");
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
    kn_tag cleansed = tag(f, "State.Cleansed");
    kn_effect_def def = boost(f, "Curse");
    def.removal.target.required = (kn_tags){&cleansed, 1};
    kn_effect_type_id curse = add(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, curse, f->source);
    add_tag(f, f->target, cleansed);
    assert_false(kn_effect_is_alive(f->world, effect));
    run(f, 0);
    assert_int_equal(
        last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_REQUIREMENT);
    assert_int_equal(refusal(f, curse, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
}

// ETG-003
static void blocked_ability_tags_hold_while_the_effect_is_on(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag(f, "Ability.Fire"), ball = tag(f, "Ability.Fire.Ball");
    kn_effect_def def = boost(f, "Interrupt");
    def.blocked_ability_tags = (kn_tags){&fire, 1};
    kn_effect_type_id interrupt = add(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, interrupt, f->source);
    assert_true(kn_entity_ability_tag_blocked(f->world, f->target, ball));
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_false(kn_entity_ability_tag_blocked(f->world, f->target, ball));
}

// ETG-002, TVE-117, BEY-029
static void effects_with_certain_asset_or_granted_tags_are_removed(void **state)
{
    fixture *f = *state;
    kn_tag poison = tag(f, "Poison"), snake = tag(f, "Poison.Snake"), sealed = tag(f, "Sealed");
    kn_effect_def def = boost(f, "ByAsset");
    def.asset_tags = (kn_tags){&snake, 1};
    kn_effect_type_id by_asset = add(f, &def);
    def = boost(f, "ByGrant");
    def.granted_tags = (kn_tags){&poison, 1};
    kn_effect_type_id by_grant = add(f, &def);
    def = boost(f, "Bystander");
    kn_effect_type_id bystander = add(f, &def);
    def = instant("Antidote");
    def.remove_effects_with = (kn_tags){&poison, 1};
    def.application.target.ignored = (kn_tags){&sealed, 1};
    kn_effect_type_id antidote = add(f, &def);
    begin(f);
    kn_effect_id a = apply(f, by_asset, f->source);
    kn_effect_id b = apply(f, by_grant, f->source);
    kn_effect_id c = apply(f, bystander, f->source);
    assert_false(
        kn_entity_has_tag(f->world, f->target, snake)); // asset tags do nothing by themselves

    add_tag(f, f->target, sealed);
    assert_int_equal(refusal(f, antidote, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
    assert_true(kn_effect_is_alive(f->world, a) && kn_effect_is_alive(f->world, b));

    remove_tag(f, f->target, sealed);
    apply(f, antidote, f->source);
    assert_false(kn_effect_is_alive(f->world, a));
    assert_false(kn_effect_is_alive(f->world, b));
    assert_true(kn_effect_is_alive(f->world, c));
    run(f, 0);
    assert_int_equal(
        last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_BY_EFFECT);
}

// ETG-001
static void tags_of_an_inherited_definition_are_added_and_removed(void **state)
{
    fixture *f = *state;
    kn_tag p = tag(f, "P"), q = tag(f, "Q"), r = tag(f, "R");
    kn_tag parent_tags[2] = {p, q};
    kn_effect_def parent = boost(f, "Parent");
    parent.granted_tags = (kn_tags){parent_tags, 2};
    add(f, &parent);
    kn_tag_set combined = {0};
    assert_int_equal(
        kn_tag_set_combine(&combined, parent.granted_tags, (kn_tags){&r, 1}, (kn_tags){&q, 1}),
        KN_OK);
    kn_effect_def child = boost(f, "Child");
    child.parent = "Parent";
    child.granted_tags = kn_tag_set_view(&combined);
    kn_effect_type_id type = add(f, &child);
    begin(f);
    apply(f, type, f->source);
    assert_true(kn_entity_has_tag(f->world, f->target, p));
    assert_false(kn_entity_has_tag(f->world, f->target, q));
    assert_true(kn_entity_has_tag(f->world, f->target, r));
    assert_string_equal(kn_effect_type_get_def(f->world, type)->parent, "Parent");
}

// ETG-004
static void a_spec_adds_dynamic_granted_and_asset_tags(void **state)
{
    fixture *f = *state;
    kn_tag burning = tag(f, "State.Burning"), magic = tag(f, "School.Magic");
    kn_effect_def def = boost(f, "Spell");
    kn_effect_type_id spell = add(f, &def);
    begin(f);
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = spell;
    request.target = f->target;
    request.dynamic_granted_tags = (kn_tags){&burning, 1};
    request.dynamic_asset_tags = (kn_tags){&magic, 1};
    kn_effect_id effect, found;
    assert_int_equal(kn_effect_apply(f->world, &request, &effect), KN_OK);
    assert_true(kn_entity_has_tag(f->world, f->target, burning));
    kn_effect_query query = kn_effect_query_default();
    query.asset_tags = (kn_tags){&magic, 1};
    assert_int_equal(kn_effects_find(f->world, f->target, &query, &found, 1), 1);
    assert_true(kn_effect_id_equal(found, effect));
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_false(kn_entity_has_tag(f->world, f->target, burning));
}

// TVE-116
static void a_modifier_requirement_met_at_application_is_not_asked_again(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag(f, "State.Wet");
    kn_modifier_def shock = kn_modifier_constant(f->health, KN_OP_ADD, -5.0f);
    shock.target.required = (kn_tags){&wet, 1};
    kn_effect_def def = infinite("Shock");
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    def.skip_first_tick = true;
    def.modifiers = &shock;
    def.modifier_count = 1;
    kn_effect_type_id type = add(f, &def);
    begin(f);
    add_tag(f, f->target, wet);
    apply(f, type, f->source);
    run(f, 1);
    remove_tag(f, f->target, wet);
    run(f, 1);
    assert_near(value(f, f->health), 90.0f);
}

// BEY-020
static void attribute_conditions_gate_the_application(void **state)
{
    fixture *f = *state;
    kn_attribute_condition low = at_most(f->health, KN_CAPTURE_FROM_TARGET, 50.0f);
    kn_effect_def def = boost(f, "Execute");
    def.application.attributes = &low;
    def.application.attribute_count = 1;
    kn_effect_type_id execute = add(f, &def);
    kn_attribute_condition strong = {
        .from = KN_CAPTURE_FROM_SOURCE, .attribute = f->power, .has_min = true, .min = 20.0f};
    def = boost(f, "Smash");
    def.application.attributes = &strong;
    def.application.attribute_count = 1;
    kn_effect_type_id smash = add(f, &def);
    begin(f);
    assert_int_equal(refusal(f, execute, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
    set_health(f, f->target, 50.0f); // inclusive
    apply(f, execute, f->source);
    assert_int_equal(refusal(f, smash, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_attribute_set_base(f->world, f->source, f->power, 0, 20.0f), KN_OK);
    apply(f, smash, f->source);
    assert_int_equal(refusal(f, smash, (kn_entity_id){0}, 1.0f), KN_REFUSED_REQUIREMENT);
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
    kn_effect_type_id stand = add(f, &def);
    begin(f);
    apply(f, stand, f->source); // 100 of 200
    assert_near(value(f, f->power), 10.0f);
    set_health(f, f->target, 50.0f);
    assert_near(value(f, f->power), 60.0f);
    assert_int_equal(kn_attribute_set_base(f->world, f->target, f->max_health, 0, 100.0f), KN_OK);
    assert_near(value(f, f->power), 10.0f);
    set_health(f, f->target, 25.0f);
    assert_near(value(f, f->power), 60.0f);
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
    kn_effect_type_id bond = add(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, bond, f->source);
    set_health(f, f->target, 10.0f); // whose health it is
    set_health(f, f->other, 10.0f);
    assert_near(value(f, f->power), 10.0f);
    set_health(f, f->source, 50.0f);
    assert_near(value(f, f->power), 60.0f);
    assert_int_equal(kn_attribute_set_base(f->world, f->source, f->max_health, 0, 100.0f), KN_OK);
    assert_near(value(f, f->power), 10.0f);
    set_health(f, f->source, 25.0f);
    assert_near(value(f, f->power), 60.0f);
    assert_int_equal(kn_attribute_set_base(f->world, f->target, f->speed, 0, 700.0f), KN_OK);
    assert_int_equal(kn_attribute_set_base(f->world, f->source, f->speed, 0, 699.0f), KN_OK);
    assert_true(kn_effect_is_alive(f->world, effect));
    assert_int_equal(kn_attribute_set_base(f->world, f->source, f->speed, 0, 700.0f), KN_OK);
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_int_equal(refusal(f, bond, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
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
    kn_effect_type_id rest = add(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, rest, f->source);
    set_health(f, f->target, 199.0f);
    assert_true(kn_effect_is_alive(f->world, effect));
    set_health(f, f->target, 200.0f);
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
    kn_effect_type_id pity = add(f, &def);
    begin(f);
    set_health(f, f->target, 50.0f);
    assert_int_equal(refusal(f, pity, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_attribute_set_base(f->world, f->target, f->power, 0, 5.0f), KN_OK);
    apply(f, pity, f->source); // all of group 0
    set_health(f, f->target, 100.0f);
    assert_int_equal(refusal(f, pity, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_attribute_set_base(f->world, f->target, f->speed, 0, 90.0f), KN_OK);
    apply(f, pity, f->source); // all of group 1
}

// BEY-020, BEY-027
static void an_absent_attribute_is_not_met_and_wakes_when_it_comes(void **state)
{
    fixture *f = *state;
    kn_attribute_def rage = kn_attribute_def_default();
    rage.name = "Rage";
    rage.default_value = 5.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Temper";
    set.attributes = &rage;
    set.attribute_count = 1;
    kn_attribute_set_id temper;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &temper, NULL), KN_OK);
    kn_attribute_id attribute = kn_attribute_find(f->library, "Temper.Rage");
    kn_attribute_condition calm = at_most(attribute, KN_CAPTURE_FROM_TARGET, 10.0f);
    kn_effect_def def = boost(f, "Focus");
    def.ongoing.attributes = &calm;
    def.ongoing.attribute_count = 1;
    kn_effect_type_id focus = add(f, &def);
    def = boost(f, "Strict");
    def.application.attributes = &calm;
    def.application.attribute_count = 1;
    kn_effect_type_id strict = add(f, &def);
    begin(f);
    assert_int_equal(refusal(f, strict, f->source, 1.0f), KN_REFUSED_REQUIREMENT);
    apply(f, focus, f->source);
    assert_near(value(f, f->power), 10.0f);
    assert_int_equal(kn_attribute_set_add(f->world, f->target, temper, 0), KN_OK);
    assert_near(value(f, f->power), 60.0f);
    assert_int_equal(kn_attribute_set_base(f->world, f->target, attribute, 0, 11.0f), KN_OK);
    assert_near(value(f, f->power), 10.0f);
    assert_int_equal(kn_attribute_set_base(f->world, f->target, attribute, 0, 1.0f), KN_OK);
    assert_near(value(f, f->power), 60.0f);
    assert_int_equal(kn_attribute_set_remove(f->world, f->target, temper, 0), KN_OK);
    assert_near(value(f, f->power), 10.0f);
}

// BEY-021
static void ongoing_and_removal_requirements_read_the_source_too(void **state)
{
    fixture *f = *state;
    kn_tag channeling = tag(f, "State.Channeling"), dead = tag(f, "State.Dead");
    kn_effect_def def = boost(f, "Link");
    def.ongoing.source.required = (kn_tags){&channeling, 1};
    def.removal.source.required = (kn_tags){&dead, 1};
    kn_effect_type_id link = add(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, link, f->source);
    assert_near(value(f, f->power), 10.0f);
    add_tag(f, f->source, channeling);
    assert_near(value(f, f->power), 60.0f);
    remove_tag(f, f->source, channeling);
    assert_near(value(f, f->power), 10.0f);
    add_tag(f, f->source, dead);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-021
static void with_the_source_gone_required_fails_and_ignored_passes(void **state)
{
    fixture *f = *state;
    kn_tag awake = tag(f, "State.Awake");
    kn_effect_def def = boost(f, "Requires");
    def.ongoing.source.required = (kn_tags){&awake, 1};
    kn_effect_type_id requires = add(f, &def);
    def = boost(f, "Ignores");
    def.ongoing.source.ignored = (kn_tags){&awake, 1};
    kn_effect_type_id ignores = add(f, &def);
    begin(f);
    add_tag(f, f->source, awake);
    kn_effect_id a = apply(f, requires, f->source);
    kn_effect_id b = apply(f, ignores, f->source);
    assert_false(info_of(f, a).is_inhibited);
    assert_true(info_of(f, b).is_inhibited);
    assert_true(kn_entity_destroy(f->world, f->source));
    assert_true(info_of(f, a).is_inhibited);
    assert_false(info_of(f, b).is_inhibited);
    assert_near(value(f, f->power), 60.0f);
}

// BEY-021: the same for what removes.
static void with_the_source_gone_removal_by_required_fails_and_by_ignored_passes(void **state)
{
    fixture *f = *state;
    kn_tag awake = tag(f, "State.Awake");
    kn_effect_def def = boost(f, "Requires");
    def.removal.source.required = (kn_tags){&awake, 1};
    kn_effect_type_id requires = add(f, &def);
    def = boost(f, "Ignores");
    def.removal.source.ignored = (kn_tags){&awake, 1};
    kn_effect_type_id ignores = add(f, &def);
    begin(f);
    kn_effect_id a = apply(f, requires, f->source);
    add_tag(f, f->other, awake);
    kn_effect_id b = apply(f, ignores, f->other);
    assert_true(kn_entity_destroy(f->world, f->source));
    assert_true(kn_effect_is_alive(f->world, a) && kn_effect_is_alive(f->world, b));
    assert_true(kn_entity_destroy(f->world, f->other));
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    return cmocka_run_group_tests_name("conditions", tests, NULL, NULL);
}
