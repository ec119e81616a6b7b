// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Optional parts of effects: cues, chance, children, blocked abilities; and listeners.

#include "scenario/effect_fixture.h"

// Cues ------------------------------------------------------------------------

// EFF-015: cues play only if the effect got in.
static void refused_effect_plays_no_cue(void **state)
{
    fixture *f = *state;
    kn_tag cue = tag_of(f, "Cue.Hit"), wet = tag_of(f, "State.Wet");
    kn_tag fire = tag_of(f, "Effect.Fire");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    kn_effect_def def = effect_def("Shock", KN_DURATION_INSTANT, &modifier, 1);
    def.cue_tags = one(&cue);
    def.asset_tags = one(&fire);
    def.application.target.required = one(&wet);
    kn_effect_type_id type = effect_register(f, &def);
    kn_gate_def gate = {.record = {.required = one(&fire)}};
    kn_effect_def immunity = effect_def("Immunity", KN_DURATION_INFINITE, NULL, 0);
    immunity.gates = &gate;
    immunity.gate_count = 1;
    kn_effect_type_id immune = effect_register(f, &immunity);
    begin(f);

    assert_int_equal(try_apply(f, type), KN_REFUSED_REQUIREMENT);
    add_tag(f, f->foe, wet);
    kn_effect_id shield = apply(f, immune);
    assert_int_equal(try_apply(f, type), KN_REFUSED_BLOCKED);
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_CUE), 0);
    remove_effect(f, shield);
    apply(f, type);
    step(f, 0);

    assert_int_equal(cue_count(f, KN_CUE_EXECUTED), 1);
    assert_near(base(f, f->health), 95);
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
    fixture *f = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Value";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vetoed";
    set.attributes = &attribute;
    set.attribute_count = 1;
    set.hooks.pre_execute = veto_all;
    kn_attribute_set_id set_id;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &set_id, NULL), KN_OK);
    kn_tag cue = tag_of(f, "Cue.Hit");
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(f->library, "Vetoed.Value"), KN_OP_ADD, 1);
    kn_effect_def def = effect_def("Always", KN_DURATION_INSTANT, &modifier, 1);
    def.cue_tags = one(&cue);
    kn_effect_type_id always = effect_register(f, &def);
    def.name = "OnChange";
    def.cue_needs_success = KN_CUE_PHASE_EXECUTED;
    kn_effect_type_id on_change = effect_register(f, &def);
    begin(f);
    add_set(f, f->foe, set_id);

    apply(f, on_change);
    step(f, 0);
    assert_int_equal(cue_count(f, KN_CUE_EXECUTED), 0);
    apply(f, always);
    step(f, 0);
    assert_int_equal(cue_count(f, KN_CUE_EXECUTED), 1);
}

// EFF-015: cues can be suppressed for further stacks.
static void cue_can_be_left_out_for_further_stacks(void **state)
{
    fixture *f = *state;
    kn_tag cue = tag_of(f, "Cue.Stack");
    kn_effect_def def = effect_def("Loud", KN_DURATION_INFINITE, NULL, 0);
    def.cue_tags = one(&cue);
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id loud = effect_register(f, &def);
    def.name = "Quiet";
    def.no_cue_on_stack = true;
    kn_effect_type_id quiet = effect_register(f, &def);
    begin(f);
    apply(f, loud);
    apply(f, quiet);
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_CUE), 2);

    apply(f, quiet);
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_CUE), 0);
    apply(f, loud);
    step(f, 0);

    assert_int_equal(cue_count(f, KN_CUE_UPDATED), 1);
}

// Chance --------------------------------------------------------------------------

// EFF-016: 0 never, 1 always, and by level.
static void chance_decides_whether_an_effect_applies(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 0}, {2, 1}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "Chance";
    curve_def.points = points;
    curve_def.point_count = COUNT(points);
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(f->library, &curve_def, &curve, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1);
    kn_effect_def def = effect_def("ByLevel", KN_DURATION_INSTANT, &modifier, 1);
    def.chance = kn_magnitude_by_level(1, curve);
    kn_effect_type_id by_level = effect_register(f, &def);
    def.name = "Sometimes";
    def.chance = kn_magnitude_constant(0.25f);
    kn_effect_type_id sometimes = effect_register(f, &def);
    begin(f);

    assert_int_equal(try_apply(f, by_level), KN_REFUSED_CHANCE);
    assert_near(base(f, f->health), 100);
    assert_int_equal(kn_effect_apply_simple(f->world, by_level, f->hero, f->foe, 2, NULL), KN_OK);
    assert_near(base(f, f->health), 99);
    uint32_t successes = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        kn_result result = try_apply(f, sometimes);
        assert_true(result == KN_OK || result == KN_REFUSED_CHANCE);
        successes += result == KN_OK;
    }
    assert_in_range(successes, 200, 300);
}

// Children ------------------------------------------------------------------------

static kn_effect_type_id parent_of(
    fixture *f, kn_child_def child, kn_duration_kind kind, bool stacks)
{
    simple(f, "Child", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, -100);
    child.type_name = "Child";
    kn_effect_def def = effect_def("Parent", kind, NULL, 0);
    def.children = &child;
    def.child_count = 1;
    if (stacks) {
        def.stacking.kind = KN_STACK_BY_TARGET;
        def.stacking.limit = kn_constant(2);
    }
    return effect_register(f, &def);
}

// EFF-016: applied with it, if the source has the tags.
static void conditional_effect_needs_tags_of_the_source(void **state)
{
    fixture *f = *state;
    kn_tag angry = tag_of(f, "State.Angry");
    kn_child_def child = kn_child_def_default();
    child.when = KN_CHILD_APPLIED;
    child.source.required = one(&angry);
    kn_effect_type_id type = parent_of(f, child, KN_DURATION_INSTANT, false);
    begin(f);

    apply(f, type);
    assert_near(current(f, f->speed), 600);
    add_tag(f, f->hero, angry);
    apply(f, type);

    assert_near(current(f, f->speed), 500);
}

// EFF-016: at a premature end.
static void effect_starts_another_when_removed_early(void **state)
{
    fixture *f = *state;
    kn_child_def child = kn_child_def_default();
    child.when = KN_CHILD_REMOVED_EARLY;
    kn_effect_type_id type = parent_of(f, child, KN_DURATION_TIMED, false);
    begin(f);

    apply(f, type);
    step(f, KN_S(10));
    assert_near(current(f, f->speed), 600);
    remove_effect(f, apply(f, type));

    assert_near(current(f, f->speed), 500);
}

// EFF-016: at its normal end.
static void effect_starts_another_when_it_expires(void **state)
{
    fixture *f = *state;
    kn_child_def child = kn_child_def_default();
    child.when = KN_CHILD_EXPIRED;
    kn_effect_type_id type = parent_of(f, child, KN_DURATION_TIMED, false);
    begin(f);

    remove_effect(f, apply(f, type));
    assert_near(current(f, f->speed), 600);
    apply(f, type);
    step(f, KN_S(10));

    assert_near(current(f, f->speed), 500);
}

// EFF-016: at the stack limit.
static void effect_starts_another_when_its_stack_overflows(void **state)
{
    fixture *f = *state;
    kn_child_def child = kn_child_def_default();
    child.when = KN_CHILD_OVERFLOW;
    kn_effect_type_id type = parent_of(f, child, KN_DURATION_INFINITE, true);
    begin(f);

    apply(f, type);
    apply(f, type);
    assert_near(current(f, f->speed), 600);
    apply(f, type);

    assert_near(current(f, f->speed), 500);
}

// EFF-016: an effect that always starts itself is refused as a whole.
static void circle_of_children_is_refused(void **state)
{
    fixture *f = *state;
    kn_child_def child = kn_child_def_default();
    child.type_name = "Second";
    kn_effect_def def = effect_def("First", KN_DURATION_INSTANT, NULL, 0);
    def.children = &child;
    def.child_count = 1;
    effect_register(f, &def);
    child.type_name = "First";
    def.name = "Second";
    effect_register(f, &def);
    kn_error error = {0};

    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_false(kn_library_is_finished(f->library));
}

// EFF-016: so is a child that was never registered.
static void unknown_child_is_refused(void **state)
{
    fixture *f = *state;
    kn_child_def child = kn_child_def_default();
    child.type_name = "Nobody";
    kn_effect_def def = effect_def("First", KN_DURATION_INSTANT, NULL, 0);
    def.children = &child;
    def.child_count = 1;
    effect_register(f, &def);
    kn_error error = {0};

    assert_int_not_equal(kn_library_finish(f->library, &error), KN_OK);
    assert_non_null(strstr(error.message, "Nobody"));
}

// Blocked abilities ------------------------------------------------------------------

static kn_ability_type_id ability_of(fixture *f, const char *name, kn_tags tags)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.tags = tags;
    kn_ability_type_id type = {0};
    assert_int_equal(kn_ability_register(f->library, &def, &type, NULL), KN_OK);
    return type;
}

// EFF-017: while active, abilities with these tags are blocked.
static void effect_blocks_ability_tags_while_it_is_active(void **state)
{
    fixture *f = *state;
    kn_tag melee = tag_of(f, "Ability.Melee");
    kn_tag slash = tag_of(f, "Ability.Melee.Slash");
    kn_tag shoot = tag_of(f, "Ability.Shoot");
    kn_effect_def def = effect_def("Disarm", KN_DURATION_TIMED, NULL, 0);
    def.blocked_ability_tags = one(&melee);
    kn_effect_type_id type = effect_register(f, &def);
    kn_ability_type_id types[] = {
        ability_of(f, "Slash", one(&slash)), ability_of(f, "Shoot", one(&shoot))};
    begin(f);
    kn_ability_id abilities[COUNT(types)];
    for (uint32_t i = 0; i < COUNT(types); i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = types[i];
        assert_int_equal(kn_ability_grant(f->world, f->foe, &grant, &abilities[i]), KN_OK);
    }

    apply(f, type);
    assert_int_equal(kn_ability_check(f->world, abilities[0], NULL), KN_FAIL_BLOCKED);
    assert_int_equal(kn_ability_activate(f->world, abilities[0], NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_ability_check(f->world, abilities[1], NULL), 0);
    assert_true(kn_entity_ability_tag_blocked(f->world, f->foe, melee));
    assert_true(kn_entity_ability_tag_blocked(f->world, f->foe, slash));
    assert_false(kn_entity_ability_tag_blocked(f->world, f->foe, shoot));
    assert_false(kn_entity_ability_tag_blocked(f->world, f->hero, melee));
    step(f, KN_S(10));

    assert_false(kn_entity_ability_tag_blocked(f->world, f->foe, melee));
    assert_int_equal(kn_ability_activate(f->world, abilities[0], NULL, NULL), KN_OK);
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
    fixture *f = *state;
    uint32_t asked = 0;
    kn_requirement_id requirement;
    assert_int_equal(
        kn_requirement_register(f->library, "Allow", allow, &asked, &requirement, NULL), KN_OK);
    kn_tag asset = tag_of(f, "Effect.All"), granted = tag_of(f, "State.All");
    kn_tag ability = tag_of(f, "Ability.Any"), poison = tag_of(f, "Effect.Poison");
    kn_tag wet = tag_of(f, "State.Wet");
    kn_effect_def poison_def = effect_def("Poison", KN_DURATION_INFINITE, NULL, 0);
    poison_def.asset_tags = one(&poison);
    kn_effect_type_id poison_type = effect_register(f, &poison_def);
    simple(f, "Extra", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 5);
    kn_child_def child = kn_child_def_default();
    child.type_name = "Extra";
    kn_ability_query jumps = kn_ability_query_default();
    jumps.type = ability_of(f, "Jump", (kn_tags){0});
    kn_grant_def grant = {.level = kn_constant(1), .input = -1};
    assert_int_equal(kn_name_register(f->library, "Jump", &grant.ability, NULL), KN_OK);
    kn_gate_def gate = {.record = {.required = one(&poison)}};
    kn_effect_def def = effect_def("All", KN_DURATION_INFINITE, NULL, 0);
    def.grants = &grant;
    def.grant_count = 1;
    def.children = &child;
    def.child_count = 1;
    def.asset_tags = one(&asset);
    def.blocked_ability_tags = one(&ability);
    def.chance = kn_magnitude_constant(1);
    def.requirement = requirement;
    def.gates = &gate;
    def.gate_count = 1;
    def.remove_effects_with = one(&poison);
    def.application.target.required = one(&wet);
    def.granted_tags = one(&granted);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id poisoned = apply(f, poison_type);
    assert_int_equal(try_apply(f, type), KN_REFUSED_REQUIREMENT);
    add_tag(f, f->foe, wet);

    assert_int_equal(kn_abilities_find(f->world, f->foe, &jumps, NULL, 0), 0);

    kn_effect_id all = apply(f, type);

    kn_effect_query query = kn_effect_query_default();
    query.asset_tags = one(&asset);
    kn_effect_id found;
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, &found, 1), 1);
    assert_true(kn_effect_id_equal(found, all));
    assert_int_equal(kn_abilities_find(f->world, f->foe, &jumps, NULL, 0), 1);
    assert_int_equal(asked, 1);
    assert_false(kn_effect_is_alive(f->world, poisoned));
    assert_int_equal(try_apply(f, poison_type), KN_REFUSED_BLOCKED);
    assert_near(current(f, f->speed), 605);
    assert_true(kn_entity_has_tag(f->world, f->foe, granted));
    assert_false(kn_entity_has_tag(f->world, f->foe, asset));
    assert_true(kn_entity_ability_tag_blocked(f->world, f->foe, ability));
}

// EFF-018: absent parts cost nothing: effects without them add no memory once there is room.
static void absent_parts_cost_nothing(void **state)
{
    fixture *f = *state;
    kn_effect_def def = effect_def("Bare", KN_DURATION_TIMED, NULL, 0);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 100; i++) {
            apply(f, type);
        }
        step(f, KN_S(10));
    }
    uint64_t before = kn_world_get_stats(f->world).allocations;

    for (uint32_t i = 0; i < 100; i++) {
        apply(f, type);
    }
    step(f, KN_S(10));

    assert_true(kn_world_get_stats(f->world).allocations == before);
    assert_int_equal(kn_world_get_stats(f->world).effects, 0);
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

static void listen(fixture *f, kn_event_type type, heard *h)
{
    kn_listener_def def = kn_listener_def_default();
    def.type = type;
    def.entity = f->foe;
    def.function = hear;
    def.user = h;
    kn_listener_id id;
    assert_int_equal(kn_listener_add(f->world, &def, &id), KN_OK);
}

// EFF-032: each lasting effect added, with target, id and what is in its spec; never an instant
// one.
static void listener_hears_of_lasting_effects_added(void **state)
{
    fixture *f = *state;
    kn_effect_type_id lasting = simple(f, "Lasting", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 1);
    kn_effect_type_id timed = simple(f, "Timed", KN_DURATION_TIMED, f->speed, KN_OP_ADD, 1);
    kn_effect_type_id instant = simple(f, "Instant", KN_DURATION_INSTANT, f->speed, KN_OP_ADD, 1);
    begin(f);
    heard h = {0};
    listen(f, KN_EVENT_EFFECT_APPLIED, &h);

    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(f->world, lasting, f->hero, f->foe, 3.0f, &effect), KN_OK);
    step(f, 0);
    assert_int_equal(h.count, 1);
    assert_true(kn_entity_id_equal(h.last.entity, f->foe));
    assert_true(kn_effect_id_equal(h.last.data.effect.effect, effect));
    assert_int_equal(h.last.data.effect.type.index1, lasting.index1);
    assert_true(kn_entity_id_equal(h.last.data.effect.source, f->hero));
    assert_near(h.last.data.effect.level, 3);
    assert_int_equal(h.last.data.effect.count, 1);
    effect = apply(f, timed);
    step(f, 0);
    assert_int_equal(h.count, 2);
    assert_true(kn_effect_id_equal(h.last.data.effect.effect, effect));
    assert_int_equal(h.last.data.effect.type.index1, timed.index1);
    apply(f, instant);
    step(f, 0);

    assert_int_equal(h.count, 2);
}

// EFF-035, EFF-038: each lasting effect removed, with its reason.
static void listener_hears_of_lasting_effects_removed(void **state)
{
    fixture *f = *state;
    kn_effect_type_id timed = simple(f, "Timed", KN_DURATION_TIMED, f->speed, KN_OP_ADD, 1);
    kn_effect_type_id lasting = simple(f, "Lasting", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 1);
    kn_effect_type_id instant = simple(f, "Instant", KN_DURATION_INSTANT, f->speed, KN_OP_ADD, 1);
    begin(f);
    heard h = {0};
    listen(f, KN_EVENT_EFFECT_REMOVED, &h);
    apply(f, instant);

    kn_effect_id expired = apply(f, timed);
    step(f, KN_S(10));
    assert_int_equal(h.count, 1);
    assert_true(kn_entity_id_equal(h.last.entity, f->foe));
    assert_true(kn_effect_id_equal(h.last.data.effect.effect, expired));
    assert_int_equal(h.last.data.effect.type.index1, timed.index1);
    assert_true(kn_entity_id_equal(h.last.data.effect.source, f->hero));
    assert_int_equal(h.last.data.effect.reason, KN_REMOVED_EXPIRED);
    assert_false(kn_removal_is_premature(h.last.data.effect.reason));
    kn_effect_id effect = apply(f, lasting);
    remove_effect(f, effect);
    step(f, 0);

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
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Lasting", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 1);
    begin(f);
    kn_listener_id id;
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_EFFECT_APPLIED;
    def.function = hear_once;
    def.user = &id;
    assert_int_equal(kn_listener_add(f->world, &def, &id), KN_OK);
    heard h = {0};
    listen(f, KN_EVENT_EFFECT_APPLIED, &h);

    apply(f, type);
    apply(f, type);
    step(f, 0);

    assert_int_equal(h.count, 2);
    assert_int_equal(kn_listener_count(f->world), 1);
}

static const struct CMUnitTest tests[] = {
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

TEST_GROUP(effect_parts, tests, NULL, NULL);
