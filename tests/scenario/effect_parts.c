// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Optional parts of effects: cues, chance, children, blocked abilities; and listeners.

#include "scenario/effect_stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kn_tag tag_of(stage *s, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(s->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static kn_tags one(const kn_tag *tag)
{
    kn_tags tags = {tag, 1};
    return tags;
}

static kn_effect_def effect_def(
    const char *name, kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(10.0f);
    def.modifiers = modifiers;
    def.modifier_count = count;
    return def;
}

static kn_effect_type_id add_effect(stage *s, const kn_effect_def *def)
{
    kn_error error = {0};
    kn_effect_type_id type = {0};
    if (kn_effect_register(s->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// An effect with one constant modifier.
static kn_effect_type_id simple(stage *s, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, magnitude);
    kn_effect_def def = effect_def(name, kind, &modifier, 1);
    return add_effect(s, &def);
}

// The hero applies an effect to the foe.
static kn_effect_id apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect), KN_OK);
    return effect;
}

static kn_result try_apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {77, 77};
    kn_result result = kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect);
    if (result != KN_OK) {
        assert_true(kn_effect_id_is_null(effect));
    }
    return result;
}

static void remove_effect(stage *s, kn_effect_id effect)
{
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
}

static void step(stage *s, kn_time dt)
{
    assert_int_equal(kn_world_step(s->world, dt), KN_OK);
}

static void near(float found, float expected)
{
    float tolerance = 1e-5f * fmaxf(1.0f, fabsf(expected));
    if (!(fabsf(found - expected) <= tolerance)) {
        fail_msg("%g is not %g", (double)found, (double)expected);
    }
}

// Current and base value of the foe.
static float current(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_value(s->world, s->foe, attribute);
}

static float base(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_base(s->world, s->foe, attribute);
}

static void add_tag(stage *s, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_add_tag(s->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static uint32_t published(const stage *s, kn_event_type type)
{
    kn_events events = kn_world_events(s->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == type;
    }
    return count;
}

static uint32_t cues(const stage *s, kn_cue_action action)
{
    kn_events events = kn_world_events(s->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_CUE && events.data[i].data.cue.action == action;
    }
    return count;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

// Cues ------------------------------------------------------------------------

// EFF-015: cues play only if the effect got in.
static void refused_effect_plays_no_cue(void **state)
{
    stage *s = *state;
    kn_tag cue = tag_of(s, "Cue.Hit"), wet = tag_of(s, "State.Wet");
    kn_tag fire = tag_of(s, "Effect.Fire");
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_ADD, -5);
    kn_effect_def def = effect_def("Shock", KN_DURATION_INSTANT, &modifier, 1);
    def.cue_tags = one(&cue);
    def.asset_tags = one(&fire);
    def.application.target.required = one(&wet);
    kn_effect_type_id type = add_effect(s, &def);
    kn_gate_def gate = {.record = {.required = one(&fire)}};
    kn_effect_def immunity = effect_def("Immunity", KN_DURATION_INFINITE, NULL, 0);
    immunity.gates = &gate;
    immunity.gate_count = 1;
    kn_effect_type_id immune = add_effect(s, &immunity);
    begin(s);

    assert_int_equal(try_apply(s, type), KN_REFUSED_REQUIREMENT);
    add_tag(s, s->foe, wet);
    kn_effect_id shield = apply(s, immune);
    assert_int_equal(try_apply(s, type), KN_REFUSED_BLOCKED);
    step(s, 0);
    assert_int_equal(published(s, KN_EVENT_CUE), 0);
    remove_effect(s, shield);
    apply(s, type);
    step(s, 0);

    assert_int_equal(cues(s, KN_CUE_EXECUTED), 1);
    near(base(s, s->health), 95);
}

static bool veto_all(void *user, kn_execute_data *data)
{
    (void)user;
    (void)data;
    return false;
}

// EFF-015, BEY-047: cues only when a modifier succeeded.
static void cue_can_depend_on_a_modifier_that_did_something(void **state)
{
    stage *s = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Value";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vetoed";
    set.attributes = &attribute;
    set.attribute_count = 1;
    set.hooks.pre_execute = veto_all;
    kn_attribute_set_id set_id;
    assert_int_equal(kn_attribute_set_register(s->library, &set, &set_id, NULL), KN_OK);
    kn_tag cue = tag_of(s, "Cue.Hit");
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(s->library, "Vetoed.Value"), KN_OP_ADD, 1);
    kn_effect_def def = effect_def("Always", KN_DURATION_INSTANT, &modifier, 1);
    def.cue_tags = one(&cue);
    kn_effect_type_id always = add_effect(s, &def);
    def.name = "OnChange";
    def.cue_needs_success = KN_CUE_PHASE_EXECUTED;
    kn_effect_type_id on_change = add_effect(s, &def);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, set_id, 0), KN_OK);

    apply(s, on_change);
    step(s, 0);
    assert_int_equal(cues(s, KN_CUE_EXECUTED), 0);
    apply(s, always);
    step(s, 0);
    assert_int_equal(cues(s, KN_CUE_EXECUTED), 1);
}

// EFF-015: cues can be suppressed for further stacks.
static void cue_can_be_left_out_for_further_stacks(void **state)
{
    stage *s = *state;
    kn_tag cue = tag_of(s, "Cue.Stack");
    kn_effect_def def = effect_def("Loud", KN_DURATION_INFINITE, NULL, 0);
    def.cue_tags = one(&cue);
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id loud = add_effect(s, &def);
    def.name = "Quiet";
    def.no_cue_on_stack = true;
    kn_effect_type_id quiet = add_effect(s, &def);
    begin(s);
    apply(s, loud);
    apply(s, quiet);
    step(s, 0);
    assert_int_equal(published(s, KN_EVENT_CUE), 2);

    apply(s, quiet);
    step(s, 0);
    assert_int_equal(published(s, KN_EVENT_CUE), 0);
    apply(s, loud);
    step(s, 0);

    assert_int_equal(cues(s, KN_CUE_UPDATED), 1);
}

// Chance --------------------------------------------------------------------------

// EFF-016: 0 never, 1 always, and by level.
static void chance_decides_whether_an_effect_applies(void **state)
{
    stage *s = *state;
    const kn_curve_point points[] = {{1, 0}, {2, 1}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "Chance";
    curve_def.points = points;
    curve_def.point_count = COUNT(points);
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(s->library, &curve_def, &curve, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_ADD, -1);
    kn_effect_def def = effect_def("ByLevel", KN_DURATION_INSTANT, &modifier, 1);
    def.chance = kn_by_level(1, curve);
    kn_effect_type_id by_level = add_effect(s, &def);
    def.name = "Sometimes";
    def.chance = kn_constant(0.25f);
    kn_effect_type_id sometimes = add_effect(s, &def);
    begin(s);

    assert_int_equal(try_apply(s, by_level), KN_REFUSED_CHANCE);
    near(base(s, s->health), 100);
    assert_int_equal(kn_effect_apply_simple(s->world, by_level, s->hero, s->foe, 2, NULL), KN_OK);
    near(base(s, s->health), 99);
    uint32_t successes = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        kn_result result = try_apply(s, sometimes);
        assert_true(result == KN_OK || result == KN_REFUSED_CHANCE);
        successes += result == KN_OK;
    }
    assert_in_range(successes, 200, 300);
}

// Children ------------------------------------------------------------------------

static kn_effect_type_id parent_of(stage *s, kn_child_def child, kn_duration_kind kind, bool stacks)
{
    simple(s, "Child", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, -100);
    child.type_name = "Child";
    kn_effect_def def = effect_def("Parent", kind, NULL, 0);
    def.children = &child;
    def.child_count = 1;
    if (stacks) {
        def.stacking.kind = KN_STACK_BY_TARGET;
        def.stacking.limit = kn_constant(2);
    }
    return add_effect(s, &def);
}

// EFF-016: applied with it, if the source has the tags.
static void conditional_effect_needs_tags_of_the_source(void **state)
{
    stage *s = *state;
    kn_tag angry = tag_of(s, "State.Angry");
    kn_child_def child = kn_child_def_default();
    child.when = KN_CHILD_APPLIED;
    child.source.required = one(&angry);
    kn_effect_type_id type = parent_of(s, child, KN_DURATION_INSTANT, false);
    begin(s);

    apply(s, type);
    near(current(s, s->speed), 600);
    add_tag(s, s->hero, angry);
    apply(s, type);

    near(current(s, s->speed), 500);
}

// EFF-016: at a premature end.
static void effect_starts_another_when_removed_early(void **state)
{
    stage *s = *state;
    kn_child_def child = kn_child_def_default();
    child.when = KN_CHILD_REMOVED_EARLY;
    kn_effect_type_id type = parent_of(s, child, KN_DURATION_TIMED, false);
    begin(s);

    apply(s, type);
    step(s, KN_S(10));
    near(current(s, s->speed), 600);
    remove_effect(s, apply(s, type));

    near(current(s, s->speed), 500);
}

// EFF-016: at its normal end.
static void effect_starts_another_when_it_expires(void **state)
{
    stage *s = *state;
    kn_child_def child = kn_child_def_default();
    child.when = KN_CHILD_EXPIRED;
    kn_effect_type_id type = parent_of(s, child, KN_DURATION_TIMED, false);
    begin(s);

    remove_effect(s, apply(s, type));
    near(current(s, s->speed), 600);
    apply(s, type);
    step(s, KN_S(10));

    near(current(s, s->speed), 500);
}

// EFF-016: at the stack limit.
static void effect_starts_another_when_its_stack_overflows(void **state)
{
    stage *s = *state;
    kn_child_def child = kn_child_def_default();
    child.when = KN_CHILD_OVERFLOW;
    kn_effect_type_id type = parent_of(s, child, KN_DURATION_INFINITE, true);
    begin(s);

    apply(s, type);
    apply(s, type);
    near(current(s, s->speed), 600);
    apply(s, type);

    near(current(s, s->speed), 500);
}

// EFF-016: an effect that always starts itself is refused as a whole.
static void circle_of_children_is_refused(void **state)
{
    stage *s = *state;
    kn_child_def child = kn_child_def_default();
    child.type_name = "Second";
    kn_effect_def def = effect_def("First", KN_DURATION_INSTANT, NULL, 0);
    def.children = &child;
    def.child_count = 1;
    add_effect(s, &def);
    child.type_name = "First";
    def.name = "Second";
    add_effect(s, &def);
    kn_error error = {0};

    assert_int_equal(kn_library_finish(s->library, &error), KN_ERROR_BAD_DATA);
    assert_false(kn_library_is_finished(s->library));
}

// EFF-016: so is a child that was never registered.
static void unknown_child_is_refused(void **state)
{
    stage *s = *state;
    kn_child_def child = kn_child_def_default();
    child.type_name = "Nobody";
    kn_effect_def def = effect_def("First", KN_DURATION_INSTANT, NULL, 0);
    def.children = &child;
    def.child_count = 1;
    add_effect(s, &def);
    kn_error error = {0};

    assert_int_not_equal(kn_library_finish(s->library, &error), KN_OK);
    assert_non_null(strstr(error.message, "Nobody"));
}

// Blocked abilities ------------------------------------------------------------------

static kn_ability_type_id ability_of(stage *s, const char *name, kn_tags tags)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.tags = tags;
    kn_ability_type_id type = {0};
    assert_int_equal(kn_ability_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

// EFF-017: while active, abilities with these tags are blocked.
static void effect_blocks_ability_tags_while_it_is_active(void **state)
{
    stage *s = *state;
    kn_tag melee = tag_of(s, "Ability.Melee");
    kn_tag slash = tag_of(s, "Ability.Melee.Slash");
    kn_tag shoot = tag_of(s, "Ability.Shoot");
    kn_effect_def def = effect_def("Disarm", KN_DURATION_TIMED, NULL, 0);
    def.blocked_ability_tags = one(&melee);
    kn_effect_type_id type = add_effect(s, &def);
    kn_ability_type_id types[] = {
        ability_of(s, "Slash", one(&slash)), ability_of(s, "Shoot", one(&shoot))};
    begin(s);
    kn_ability_id abilities[COUNT(types)];
    for (uint32_t i = 0; i < COUNT(types); i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = types[i];
        assert_int_equal(kn_ability_grant(s->world, s->foe, &grant, &abilities[i]), KN_OK);
    }

    apply(s, type);
    assert_int_equal(kn_ability_check(s->world, abilities[0], NULL), KN_FAIL_BLOCKED);
    assert_int_equal(kn_ability_activate(s->world, abilities[0], NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_ability_check(s->world, abilities[1], NULL), 0);
    assert_true(kn_entity_ability_tag_blocked(s->world, s->foe, melee));
    assert_true(kn_entity_ability_tag_blocked(s->world, s->foe, slash));
    assert_false(kn_entity_ability_tag_blocked(s->world, s->foe, shoot));
    assert_false(kn_entity_ability_tag_blocked(s->world, s->hero, melee));
    step(s, KN_S(10));

    assert_false(kn_entity_ability_tag_blocked(s->world, s->foe, melee));
    assert_int_equal(kn_ability_activate(s->world, abilities[0], NULL, NULL), KN_OK);
}

// All parts ---------------------------------------------------------------------------

static kn_requirement_answer allow(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    (void)world;
    (void)spec;
    (void)existing;
    ++*(uint32_t *)user;
    return KN_REQUIREMENT_ALLOW;
}

// EFF-018: every optional block of a definition, side by side on one effect.
static void optional_parts_work_side_by_side(void **state)
{
    stage *s = *state;
    uint32_t asked = 0;
    kn_requirement_id requirement;
    assert_int_equal(
        kn_requirement_register(s->library, "Allow", allow, &asked, &requirement, NULL), KN_OK);
    kn_tag asset = tag_of(s, "Effect.All"), granted = tag_of(s, "State.All");
    kn_tag ability = tag_of(s, "Ability.Any"), poison = tag_of(s, "Effect.Poison");
    kn_tag wet = tag_of(s, "State.Wet");
    kn_effect_def poison_def = effect_def("Poison", KN_DURATION_INFINITE, NULL, 0);
    poison_def.asset_tags = one(&poison);
    kn_effect_type_id poison_type = add_effect(s, &poison_def);
    simple(s, "Extra", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, 5);
    kn_child_def child = kn_child_def_default();
    child.type_name = "Extra";
    kn_ability_query jumps = kn_ability_query_default();
    jumps.type = ability_of(s, "Jump", (kn_tags){0});
    kn_grant_def grant = {.level = kn_constant(1), .input = -1};
    assert_int_equal(kn_name_register(s->library, "Jump", &grant.ability, NULL), KN_OK);
    kn_gate_def gate = {.record = {.required = one(&poison)}};
    kn_effect_def def = effect_def("All", KN_DURATION_INFINITE, NULL, 0);
    def.grants = &grant;
    def.grant_count = 1;
    def.children = &child;
    def.child_count = 1;
    def.asset_tags = one(&asset);
    def.blocked_ability_tags = one(&ability);
    def.chance = kn_constant(1);
    def.requirement = requirement;
    def.gates = &gate;
    def.gate_count = 1;
    def.remove_effects_with = one(&poison);
    def.application.target.required = one(&wet);
    def.granted_tags = one(&granted);
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    kn_effect_id poisoned = apply(s, poison_type);
    assert_int_equal(try_apply(s, type), KN_REFUSED_REQUIREMENT);
    add_tag(s, s->foe, wet);

    assert_int_equal(kn_abilities_find(s->world, s->foe, &jumps, NULL, 0), 0);

    kn_effect_id all = apply(s, type);

    kn_effect_query query = kn_effect_query_default();
    query.asset_tags = one(&asset);
    kn_effect_id found;
    assert_int_equal(kn_effects_find(s->world, s->foe, &query, &found, 1), 1);
    assert_true(kn_effect_id_equal(found, all));
    assert_int_equal(kn_abilities_find(s->world, s->foe, &jumps, NULL, 0), 1);
    assert_int_equal(asked, 1);
    assert_false(kn_effect_is_alive(s->world, poisoned));
    assert_int_equal(try_apply(s, poison_type), KN_REFUSED_BLOCKED);
    near(current(s, s->speed), 605);
    assert_true(kn_entity_has_tag(s->world, s->foe, granted));
    assert_false(kn_entity_has_tag(s->world, s->foe, asset));
    assert_true(kn_entity_ability_tag_blocked(s->world, s->foe, ability));
}

// EFF-018: absent parts cost nothing: effects without them add no memory once there is room.
static void absent_parts_cost_nothing(void **state)
{
    stage *s = *state;
    kn_effect_def def = effect_def("Bare", KN_DURATION_TIMED, NULL, 0);
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 100; i++) {
            apply(s, type);
        }
        step(s, KN_S(10));
    }
    uint64_t before = kn_world_get_stats(s->world).allocations;

    for (uint32_t i = 0; i < 100; i++) {
        apply(s, type);
    }
    step(s, KN_S(10));

    assert_true(kn_world_get_stats(s->world).allocations == before);
    assert_int_equal(kn_world_get_stats(s->world).effects, 0);
}

// Listeners -----------------------------------------------------------------------------

typedef struct heard {
    uint32_t count;
    kn_event last;
} heard;

static void hear(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    heard *h = user;
    h->count++;
    h->last = *event;
}

static void listen(stage *s, kn_event_type type, heard *h)
{
    kn_listener_def def = kn_listener_def_default();
    def.type = type;
    def.entity = s->foe;
    def.function = hear;
    def.user = h;
    kn_listener_id id;
    assert_int_equal(kn_listener_add(s->world, &def, &id), KN_OK);
}

// EFF-032: each lasting effect added, with target, id and what is in its spec; never an instant
// one.
static void listener_hears_of_lasting_effects_added(void **state)
{
    stage *s = *state;
    kn_effect_type_id lasting = simple(s, "Lasting", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, 1);
    kn_effect_type_id timed = simple(s, "Timed", KN_DURATION_TIMED, s->speed, KN_OP_ADD, 1);
    kn_effect_type_id instant = simple(s, "Instant", KN_DURATION_INSTANT, s->speed, KN_OP_ADD, 1);
    begin(s);
    heard h = {0};
    listen(s, KN_EVENT_EFFECT_APPLIED, &h);

    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(s->world, lasting, s->hero, s->foe, 3.0f, &effect), KN_OK);
    step(s, 0);
    assert_int_equal(h.count, 1);
    assert_true(kn_entity_id_equal(h.last.entity, s->foe));
    assert_true(kn_effect_id_equal(h.last.data.effect.effect, effect));
    assert_int_equal(h.last.data.effect.type.index1, lasting.index1);
    assert_true(kn_entity_id_equal(h.last.data.effect.source, s->hero));
    near(h.last.data.effect.level, 3);
    assert_int_equal(h.last.data.effect.count, 1);
    effect = apply(s, timed);
    step(s, 0);
    assert_int_equal(h.count, 2);
    assert_true(kn_effect_id_equal(h.last.data.effect.effect, effect));
    assert_int_equal(h.last.data.effect.type.index1, timed.index1);
    apply(s, instant);
    step(s, 0);

    assert_int_equal(h.count, 2);
}

// EFF-035, EFF-038: each lasting effect removed, with its reason.
static void listener_hears_of_lasting_effects_removed(void **state)
{
    stage *s = *state;
    kn_effect_type_id timed = simple(s, "Timed", KN_DURATION_TIMED, s->speed, KN_OP_ADD, 1);
    kn_effect_type_id lasting = simple(s, "Lasting", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, 1);
    kn_effect_type_id instant = simple(s, "Instant", KN_DURATION_INSTANT, s->speed, KN_OP_ADD, 1);
    begin(s);
    heard h = {0};
    listen(s, KN_EVENT_EFFECT_REMOVED, &h);
    apply(s, instant);

    kn_effect_id expired = apply(s, timed);
    step(s, KN_S(10));
    assert_int_equal(h.count, 1);
    assert_true(kn_entity_id_equal(h.last.entity, s->foe));
    assert_true(kn_effect_id_equal(h.last.data.effect.effect, expired));
    assert_int_equal(h.last.data.effect.type.index1, timed.index1);
    assert_true(kn_entity_id_equal(h.last.data.effect.source, s->hero));
    assert_int_equal(h.last.data.effect.reason, KN_REMOVED_EXPIRED);
    assert_false(kn_removal_is_premature(h.last.data.effect.reason));
    kn_effect_id effect = apply(s, lasting);
    remove_effect(s, effect);
    step(s, 0);

    assert_int_equal(h.count, 2);
    assert_int_equal(h.last.data.effect.type.index1, lasting.index1);
    assert_true(kn_effect_id_equal(h.last.data.effect.effect, effect));
    assert_int_equal(h.last.data.effect.reason, KN_REMOVED_BY_CALL);
    assert_true(kn_removal_is_premature(h.last.data.effect.reason));
}

static void hear_once(void *user, kn_world *world, const kn_event *event)
{
    (void)event;
    kn_listener_id *id = user;
    assert_true(kn_listener_remove(world, *id));
}

// VER-003: listeners may be removed while they are called.
static void listener_may_remove_itself_while_called(void **state)
{
    stage *s = *state;
    kn_effect_type_id type = simple(s, "Lasting", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, 1);
    begin(s);
    kn_listener_id id;
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_EFFECT_APPLIED;
    def.function = hear_once;
    def.user = &id;
    assert_int_equal(kn_listener_add(s->world, &def, &id), KN_OK);
    heard h = {0};
    listen(s, KN_EVENT_EFFECT_APPLIED, &h);

    apply(s, type);
    apply(s, type);
    step(s, 0);

    assert_int_equal(h.count, 2);
    assert_int_equal(kn_listener_count(s->world), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(refused_effect_plays_no_cue),
        TEST(cue_can_depend_on_a_modifier_that_did_something),
        TEST(cue_can_be_left_out_for_further_stacks),
        TEST(chance_decides_whether_an_effect_applies),
        TEST(conditional_effect_needs_tags_of_the_source),
        TEST(effect_starts_another_when_removed_early),
        TEST(effect_starts_another_when_it_expires),
        TEST(effect_starts_another_when_its_stack_overflows),
        TEST(circle_of_children_is_refused),
        TEST(unknown_child_is_refused),
        TEST(effect_blocks_ability_tags_while_it_is_active),
        TEST(optional_parts_work_side_by_side),
        TEST(absent_parts_cost_nothing),
        TEST(listener_hears_of_lasting_effects_added),
        TEST(listener_hears_of_lasting_effects_removed),
        TEST(listener_may_remove_itself_while_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
