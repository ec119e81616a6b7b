// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Effects as a whole: definitions, the three durations, switching off and on, cues, optional parts.

#include "scenario/effect_fixture.h"

// Definitions -----------------------------------------------------------------

// EFF-002, EFF-014: data, copied at registration, shared by everything made from it.
static void definition_is_data_that_all_applications_share(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 50);
    kn_effect_def def = effect_def("Boost", KN_DURATION_INFINITE, &modifier, 1);
    kn_effect_type_id type = effect_register(f, &def);
    modifier.magnitude = kn_magnitude_constant(999); // too late
    begin(f);

    kn_effect_id first = apply(f, type);
    kn_effect_id second = apply(f, type);

    assert_near(current(f, f->speed), 700);
    assert_false(kn_effect_id_equal(first, second));
    assert_int_equal(kn_effects_count(f->world, f->foe), 2);
    assert_int_equal(info_of(f, first).type.index1, info_of(f, second).type.index1);
    const kn_effect_def *shared = kn_effect_type_get_def(f->world, type);
    assert_ptr_equal(shared, kn_effect_type_get_def(f->world, info_of(f, second).type));
    assert_string_equal(shared->name, "Boost");
    assert_near(shared->modifiers[0].magnitude.scale.value, 50);
}

// EFF-002: definitions derive from definitions.
static void definition_derives_from_another_by_copy_and_name(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "Effect.Fire");
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 50);
    kn_effect_def parent = effect_def("Boost", KN_DURATION_INFINITE, &modifier, 1);
    effect_register(f, &parent);
    kn_effect_def child = parent;
    child.name = "HotBoost";
    child.parent = "Boost";
    child.asset_tags = one(&fire);
    kn_effect_type_id type = effect_register(f, &child);
    kn_effect_type_id parent_type = kn_effect_type_find(f->library, "Boost");
    kn_effect_def orphan = parent;
    orphan.name = "Orphan";
    orphan.parent = "Nobody";
    assert_int_equal(refused_def(f, &orphan), KN_ERROR_BAD_DATA);
    begin(f);

    apply(f, type);

    assert_near(current(f, f->speed), 650);
    assert_string_equal(kn_effect_type_get_def(f->world, type)->parent, "Boost");
    kn_effect_query query = kn_effect_query_default();
    query.asset_tags = one(&fire);
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, NULL, 0), 1);
    apply(f, parent_type); // what the child adds is not the parent's
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, NULL, 0), 1);
}

// EFF-002, EFF-041
static void malformed_definitions_are_refused(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(ignore_assert);
    kn_effect_def nameless = effect_def(NULL, KN_DURATION_INFINITE, NULL, 0);
    kn_effect_def zero = {.name = "Zero"};
    kn_effect_def lost = effect_def("Lost", KN_DURATION_INFINITE, NULL, 3);
    kn_effect_def kind = effect_def("Kind", (kn_duration_kind)77, NULL, 0);
    kn_effect_def chance = effect_def("Chance", KN_DURATION_INFINITE, NULL, 0);
    chance.chance = kn_magnitude_constant(1.5f);
    const kn_effect_def cases[] = {nameless, zero, lost, kind, chance};
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_result result = refused_def(f, &cases[i]);
        if (result != KN_ERROR_BAD_DATA && result != KN_ERROR_INVALID_ARGUMENT) {
            fail_msg("case %u gives %s", i, kn_result_name(result));
        }
    }
    simple(f, "Twice", KN_DURATION_INSTANT, f->health, KN_OP_ADD, 1);
    kn_effect_def twice = effect_def("Twice", KN_DURATION_INSTANT, NULL, 0);
    assert_int_equal(refused_def(f, &twice), KN_REFUSED_DUPLICATE);
    kn_assert_set_handler(NULL);
}

// Durations -------------------------------------------------------------------

static void count_event(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    (void)event;
    ++*(uint32_t *)user;
}

// EFF-001, EFF-004: at once and for good; its tags never show.
static void instant_effect_changes_the_base_and_leaves_nothing(void **state)
{
    fixture *f = *state;
    kn_tag stun = tag_of(f, "State.Stun");
    kn_tag cue = tag_of(f, "Cue.Hit");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -30);
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, &modifier, 1);
    def.granted_tags = one(&stun);
    def.cue_tags = one(&cue);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    uint32_t counts = 0; // a listener, so that counts are published
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_TAG_COUNT;
    listener.function = count_event;
    listener.user = &counts;
    assert_int_equal(kn_listener_add(f->world, &listener, NULL), KN_OK);

    kn_effect_id effect = apply(f, type);
    assert_false(kn_entity_has_tag(f->world, f->foe, stun));
    step(f, 0);

    assert_true(kn_effect_id_is_null(effect));
    assert_near(base(f, f->health), 70);
    assert_near(current(f, f->health), 70);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    assert_int_equal(counts, 0);
    assert_int_equal(event_count(f, KN_EVENT_TAG_CHANGED), 0);
    assert_int_equal(cue_count(f, KN_CUE_EXECUTED), 1);
    assert_int_equal(cue_count(f, KN_CUE_ADDED), 0);
    assert_int_equal(cue_count(f, KN_CUE_REMOVED), 0);
}

// EFF-001, EFF-004, TVE-001: for a while, on the current value.
static void duration_effect_acts_until_its_time_is_up(void **state)
{
    fixture *f = *state;
    kn_tag haste = tag_of(f, "State.Haste");
    kn_tag cue = tag_of(f, "Cue.Haste");
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 50);
    kn_effect_def def = effect_def("Haste", KN_DURATION_TIMED, &modifier, 1);
    def.granted_tags = one(&haste);
    def.cue_tags = one(&cue);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, type);
    assert_near(base(f, f->speed), 600);
    assert_near(current(f, f->speed), 650);
    assert_true(kn_entity_has_tag(f->world, f->foe, haste));
    step(f, KN_S(10) - 1);
    assert_true(kn_effect_is_alive(f->world, effect));
    assert_int_equal(cue_count(f, KN_CUE_ADDED), 1);
    step(f, 1);

    assert_false(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->speed), 600);
    assert_false(kn_entity_has_tag(f->world, f->foe, haste));
    assert_int_equal(cue_count(f, KN_CUE_REMOVED), 1);
    assert_int_equal(cue_count(f, KN_CUE_EXECUTED), 0);
    assert_int_equal(
        first_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_EXPIRED);
    effect = apply(f, type); // or until it is removed
    step(f, KN_S(1));
    remove_effect(f, effect);
    assert_near(current(f, f->speed), 600);
    assert_false(kn_entity_has_tag(f->world, f->foe, haste));
    step(f, 0);
    assert_int_equal(cue_count(f, KN_CUE_REMOVED), 1);
}

// EFF-004: never by itself.
static void infinite_effect_stays_until_it_is_removed(void **state)
{
    fixture *f = *state;
    kn_tag blessed = tag_of(f, "State.Blessed");
    kn_tag cue = tag_of(f, "Cue.Aura");
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 50);
    kn_effect_def def = effect_def("Aura", KN_DURATION_INFINITE, &modifier, 1);
    def.granted_tags = one(&blessed);
    def.cue_tags = one(&cue);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, type);
    step(f, KN_S(1000000));
    assert_near(current(f, f->speed), 650);
    assert_near(base(f, f->speed), 600);
    assert_true(kn_entity_has_tag(f->world, f->foe, blessed));
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_TIME_INFINITE);
    assert_int_equal(cue_count(f, KN_CUE_ADDED), 1);
    assert_int_equal(cue_count(f, KN_CUE_EXECUTED), 0);
    remove_effect(f, effect);
    step(f, 0);

    assert_near(current(f, f->speed), 600);
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_false(kn_entity_has_tag(f->world, f->foe, blessed));
    assert_int_equal(cue_count(f, KN_CUE_REMOVED), 1);
}

// TVE-002: base and current with both kinds.
static void instant_and_lasting_changes_do_not_mix(void **state)
{
    fixture *f = *state;
    kn_effect_type_id hit = simple(f, "Hit", KN_DURATION_INSTANT, f->health, KN_OP_ADD, -30);
    kn_effect_type_id bonus = simple(f, "Bonus", KN_DURATION_INFINITE, f->health, KN_OP_ADD, 20);
    kn_effect_type_id scratch =
        simple(f, "Scratch", KN_DURATION_INSTANT, f->health, KN_OP_ADD, -10);
    begin(f);

    apply(f, hit);
    kn_effect_id effect = apply(f, bonus);
    assert_near(base(f, f->health), 70);
    assert_near(current(f, f->health), 90);
    apply(f, scratch);
    assert_near(base(f, f->health), 60);
    assert_near(current(f, f->health), 80);
    remove_effect(f, effect);

    assert_near(base(f, f->health), 60);
    assert_near(current(f, f->health), 60);
}

static float three_seconds(void *user, const kn_calculation *calculation)
{
    (void)user;
    (void)calculation;
    return 3.0f;
}

// EFF-007: a duration is a magnitude of every kind.
static void duration_is_a_magnitude(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 3}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "Row";
    curve_def.points = points;
    curve_def.point_count = COUNT(points);
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(f->library, &curve_def, &curve, NULL), KN_OK);
    kn_calculation_def calculation_def = kn_calculation_def_default();
    calculation_def.name = "Three";
    calculation_def.function = three_seconds;
    kn_calculation_id three;
    assert_int_equal(kn_calculation_register(f->library, &calculation_def, &three, NULL), KN_OK);
    kn_tag key = tag_of(f, "Data.Duration");
    struct {
        const char *name;
        kn_magnitude duration;
        kn_time expected;
        kn_effect_type_id type;
    } cases[] = {
        {"ByLevel", kn_magnitude_by_level(2, curve), KN_S(6), {0}},
        {"OfAttribute", kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, true, 0.5f),
            KN_S(5), {0}},
        {"Computed", kn_magnitude_calculation(three), KN_S(3), {0}},
        {"OfCaller", kn_magnitude_set_by_caller(key), KN_MS(2500), {0}},
    };
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_effect_def def = effect_def(cases[i].name, KN_DURATION_TIMED, NULL, 0);
        def.duration = cases[i].duration;
        cases[i].type = effect_register(f, &def);
    }
    begin(f);

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_caller_value value = {key, 2.5f};
        kn_effect_apply_def def = from_hero(f, cases[i].type);
        def.level = 2;
        def.caller_values = &value;
        def.caller_value_count = 1;
        kn_effect_id effect;
        assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
        assert_int_equal(info_of(f, effect).duration, cases[i].expected);
        step(f, cases[i].expected - 1);
        assert_true(kn_effect_is_alive(f->world, effect));
        step(f, 1);
        assert_false(kn_effect_is_alive(f->world, effect));
    }
}

// EFF-007: lengths that make no sense are refused, or over at once where they are computed.
static void bad_durations_are_refused(void **state)
{
    fixture *f = *state;
    const float bad[] = {0.0f, -1.0f, NAN, INFINITY};
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        kn_effect_def def = effect_def("Bad", KN_DURATION_TIMED, NULL, 0);
        def.duration = kn_magnitude_constant(bad[i]);
        kn_result result = refused_def(f, &def);
        if (result != KN_ERROR_BAD_DATA && result != KN_ERROR_INVALID_ARGUMENT) {
            fail_msg("%g gives %s", (double)bad[i], kn_result_name(result));
        }
    }
    kn_tag key = tag_of(f, "Data.Duration");
    kn_effect_def def = effect_def("OfCaller", KN_DURATION_TIMED, NULL, 0);
    def.duration = kn_magnitude_set_by_caller(key);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    assert_int_equal(try_apply(f, type), KN_REFUSED_MISSING_VALUE);
    kn_caller_value value = {key, -3.0f};
    kn_effect_apply_def apply_def = from_hero(f, type);
    apply_def.caller_values = &value;
    apply_def.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_OK); // over at once
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

// EFF-007: the longest length does not overflow.
static void enormous_duration_lasts_to_the_end_of_time(void **state)
{
    fixture *f = *state;
    kn_effect_def def = effect_def("Long", KN_DURATION_TIMED, NULL, 0);
    def.duration = kn_magnitude_constant(3e38f);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    step(f, KN_S(100));

    kn_effect_id effect = apply(f, type);

    assert_true(kn_effect_remaining(f->world, effect) > KN_S(1000000));
    assert_true(kn_effect_remaining(f->world, effect) <= KN_TIME_MAX);
    step(f, KN_S(1000));
    assert_true(kn_effect_is_alive(f->world, effect));
}

// Switching off and on --------------------------------------------------------------

// EFF-010, EFF-011, TVE-110
static void effect_is_switched_off_and_on_by_its_ongoing_requirement(void **state)
{
    fixture *f = *state;
    kn_tag silenced = tag_of(f, "State.Silenced");
    kn_tag singing = tag_of(f, "State.Singing");
    kn_tag cue = tag_of(f, "Cue.Song");
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 50);
    kn_effect_def def = effect_def("Song", KN_DURATION_INFINITE, &modifier, 1);
    def.ongoing.target.ignored = one(&silenced);
    def.granted_tags = one(&singing);
    def.cue_tags = one(&cue);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    assert_near(current(f, f->speed), 650);
    step(f, 0);

    add_tag(f, f->foe, silenced);
    assert_near(current(f, f->speed), 600);
    assert_false(kn_entity_has_tag(f->world, f->foe, singing));
    assert_true(kn_effect_is_alive(f->world, effect));
    assert_true(info_of(f, effect).is_inhibited);
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
    step(f, 0);
    assert_int_equal(cue_count(f, KN_CUE_REMOVED), 1);
    assert_int_equal(first_event(f, KN_EVENT_EFFECT_INHIBITED)->data.effect.count, 0);
    assert_int_equal(event_count(f, KN_EVENT_EFFECT_REMOVED), 0);

    remove_tag(f, f->foe, silenced);
    assert_near(current(f, f->speed), 650);
    assert_true(kn_entity_has_tag(f->world, f->foe, singing));
    step(f, 0);
    assert_int_equal(cue_count(f, KN_CUE_ADDED), 1);
    assert_int_equal(first_event(f, KN_EVENT_EFFECT_INHIBITED)->data.effect.count, 1);
}

// EFF-011, TVE-110: ten seconds are ten seconds, off or on.
static void duration_runs_on_while_an_effect_is_off(void **state)
{
    fixture *f = *state;
    kn_tag silenced = tag_of(f, "State.Silenced");
    kn_effect_def def = effect_def("Song", KN_DURATION_TIMED, NULL, 0);
    def.ongoing.target.ignored = one(&silenced);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);

    step(f, KN_S(2));
    add_tag(f, f->foe, silenced);
    step(f, KN_S(4));
    remove_tag(f, f->foe, silenced);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(4));
    step(f, KN_S(4));

    assert_false(kn_effect_is_alive(f->world, effect));
}

typedef struct grant_log {
    uint32_t granted, ended;
} grant_log;

static void log_grant(void *user, kn_world *world, kn_entity_id entity, kn_effect_id effect,
    const kn_grant_def *grant, bool is_granted)
{
    (void)world;
    (void)entity;
    (void)effect;
    (void)grant;
    grant_log *log = user;
    log->granted += is_granted;
    log->ended += !is_granted;
}

// EFF-011: what is granted stays while off; only the real end takes it.
static void grants_end_with_the_effect_and_not_while_it_is_off(void **state)
{
    fixture *f = *state;
    kn_tag silenced = tag_of(f, "State.Silenced");
    kn_grant_def grant = {.level = kn_constant(1), .input = -1};
    assert_int_equal(kn_name_register(f->library, "Sing", &grant.ability, NULL), KN_OK);
    kn_effect_def def = effect_def("Song", KN_DURATION_INFINITE, NULL, 0);
    def.ongoing.target.ignored = one(&silenced);
    def.grants = &grant;
    def.grant_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    grant_log log = {0};
    kn_world_def world_def = kn_world_def_default();
    world_def.library = f->library;
    world_def.grant_fn = log_grant;
    world_def.grant_user = &log;
    assert_int_equal(kn_world_create(&world_def, &f->world), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &f->foe), KN_OK);

    kn_effect_id effect = apply(f, type);
    add_tag(f, f->foe, silenced);
    assert_int_equal(log.granted, 1);
    assert_int_equal(log.ended, 0);
    remove_tag(f, f->foe, silenced);
    assert_int_equal(log.granted, 1);
    remove_effect(f, effect);

    assert_int_equal(log.ended, 1);
}

// Recomputing -----------------------------------------------------------------

static float outside_world;

static float read_outside(void *user, const kn_calculation *calculation)
{
    (void)user;
    return outside_world * kn_spec_view_level(kn_calculation_spec(calculation));
}

static kn_effect_type_id outside_effect(fixture *f)
{
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "Outside";
    def.function = read_outside;
    kn_calculation_id calculation = {0};
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    return adding(f, "Outside", f->speed, kn_magnitude_calculation(calculation));
}

// EFF-012: setting the level it already has computes anew.
static void setting_the_same_level_recomputes_magnitudes(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = outside_effect(f);
    begin(f);
    outside_world = 10;
    kn_effect_id effect = apply(f, type);
    assert_near(current(f, f->speed), 610);

    outside_world = 20;
    assert_near(current(f, f->speed), 610);
    assert_int_equal(kn_effect_set_level(f->world, effect, 1), KN_OK);
    assert_near(current(f, f->speed), 620);
    assert_int_equal(kn_effect_set_level(f->world, effect, 3), KN_OK);

    assert_near(current(f, f->speed), 660);
    assert_near(info_of(f, effect).level, 3);
}

// EFF-013: the direct call.
static void refreshing_recomputes_magnitudes(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = outside_effect(f);
    begin(f);
    outside_world = 10;
    kn_effect_id effect = apply(f, type);
    outside_world = 30;

    assert_int_equal(kn_effect_refresh(f->world, effect), KN_OK);

    assert_near(current(f, f->speed), 630);
}

// EFF-013: an equal level with nothing new does not count as a change, neither for those who listen
// nor for those who follow.
static void setting_an_equal_level_reports_no_change(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 3}};
    kn_curve_id curve = curve_of(f, "Row", KN_CURVE_STEP, points, COUNT(points));
    kn_effect_type_id types[] = {
        simple(f, "Plain", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 50),
        adding(f, "ByLevel", f->speed, kn_magnitude_by_level(10, curve)),
        outside_effect(f),
    };
    begin(f);
    outside_world = 10;
    assert_int_equal(kn_changes_follow(f->world, true), KN_OK);
    for (uint32_t i = 0; i < COUNT(types); i++) {
        kn_effect_id effect = apply(f, types[i]);
        step(f, 0);
        uint64_t version = kn_changes_version(f->world);

        assert_int_equal(kn_effect_set_level(f->world, effect, 1), KN_OK);
        assert_int_equal(kn_effect_refresh(f->world, effect), KN_OK);
        assert_int_equal(kn_changes_since(f->world, f->foe, version).changed, 0);
        step(f, 0);

        assert_int_equal(kn_world_events(f->world).count, 0);
        assert_int_equal(kn_effect_set_level(f->world, effect, 2), KN_OK);
        assert_int_not_equal(kn_changes_since(f->world, f->foe, version).changed, 0);
    }
}

// EFF-012: a bad level is refused and nothing changes.
static void bad_levels_and_stale_effects_are_refused(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Plain", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 50);
    begin(f);
    kn_effect_id effect = apply(f, type);
    const float bad[] = {NAN, INFINITY, -INFINITY};

    for (uint32_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(kn_effect_set_level(f->world, effect, bad[i]), KN_REFUSED_BAD_NUMBER);
    }
    assert_near(info_of(f, effect).level, 1);
    remove_effect(f, effect);
    const kn_effect_id stale[] = {effect, {0, 0}, {999, 1}};
    for (uint32_t i = 0; i < COUNT(stale); i++) {
        assert_int_equal(kn_effect_set_level(f->world, stale[i], 1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effect_refresh(f->world, stale[i]), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effect_set_stacks(f->world, stale[i], 1), KN_REFUSED_STALE_ID);
        assert_near(kn_effect_magnitude(f->world, stale[i], 0), 0);
        assert_null(kn_effect_state(f->world, stale[i]));
        assert_int_equal(kn_effect_stacks(f->world, stale[i]), 0);
        kn_effect_info info;
        assert_false(kn_effect_get(f->world, stale[i], &info));
    }
}

static const struct CMUnitTest tests[] = {
    TEST(definition_is_data_that_all_applications_share),
    TEST(definition_derives_from_another_by_copy_and_name),
    TEST(malformed_definitions_are_refused),
    TEST(instant_effect_changes_the_base_and_leaves_nothing),
    TEST(duration_effect_acts_until_its_time_is_up),
    TEST(infinite_effect_stays_until_it_is_removed),
    TEST(instant_and_lasting_changes_do_not_mix),
    TEST(duration_is_a_magnitude),
    TEST(bad_durations_are_refused),
    TEST(enormous_duration_lasts_to_the_end_of_time),
    TEST(effect_is_switched_off_and_on_by_its_ongoing_requirement),
    TEST(duration_runs_on_while_an_effect_is_off),
    TEST(grants_end_with_the_effect_and_not_while_it_is_off),
    TEST(setting_the_same_level_recomputes_magnitudes),
    TEST(refreshing_recomputes_magnitudes),
    TEST(setting_an_equal_level_reports_no_change),
    TEST(bad_levels_and_stale_effects_are_refused),
};

TEST_GROUP(effects, tests, NULL, NULL);
