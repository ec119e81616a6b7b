// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an effect really changed, what captures can read, and when executions read it.

#include "scenario/effect_fixture.h"

#include <float.h>

static kn_effect_def ticking(kn_modifier_def *modifiers, uint32_t count, const char *name)
{
    kn_effect_def def = infinite(name);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    def.skip_first_tick = true;
    def.modifiers = modifiers;
    def.modifier_count = count;
    return def;
}

// BEY-025
static void a_tally_counts_what_really_changed_after_clamps(void **state)
{
    fixture *f = *state;
    kn_modifier_def hit = kn_modifier_constant(f->health, KN_OP_ADD, -40.0f);
    kn_effect_def def = ticking(&hit, 1, "Burn");
    def.keeps_tally = true;
    kn_effect_type_id burn = effect_register(f, &def);
    def.name = "Plain";
    def.keeps_tally = false;
    kn_effect_type_id plain = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, burn);
    step_seconds(f, 2);
    assert_near(info_of(f, effect).tally_loss, 80.0f);
    step_seconds(f, 2); // 20, then nothing: the clamp at 0
    assert_near(info_of(f, effect).tally_loss, 100.0f);
    assert_near(info_of(f, effect).tally_gain, 0.0f);
    kn_effect_id other = apply(f, plain);
    step_seconds(f, 1);
    assert_near(info_of(f, other).tally_loss, 0.0f);
}

static void drain_and_feed(void *user, kn_execution *execution)
{
    const fixture *f = user;
    kn_execution_output(execution, f->health, 0, KN_OP_ADD, -6.0f);
    kn_execution_output(execution, f->power, 0, KN_OP_ADD, 4.0f);
}

static kn_execution_id register_execution(fixture *f, const char *name, kn_execution_fn *function,
    const kn_capture *captures, uint32_t count)
{
    kn_execution_def def = kn_execution_def_default();
    def.name = name;
    def.function = function;
    def.user = f;
    def.captures = captures;
    def.capture_count = count;
    kn_execution_id id;
    assert_int_equal(kn_execution_register(f->library, &def, &id, NULL), KN_OK);
    return id;
}

// BEY-025
static void executions_are_part_of_the_tally(void **state)
{
    fixture *f = *state;
    kn_execution_use use = {.execution = register_execution(f, "Drain", drain_and_feed, NULL, 0)};
    kn_effect_def def = ticking(NULL, 0, "Leech");
    def.executions = &use;
    def.execution_count = 1;
    def.keeps_tally = true;
    kn_effect_type_id leech = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, leech);
    step_seconds(f, 3);
    assert_near(info_of(f, effect).tally_loss, 18.0f);
    assert_near(info_of(f, effect).tally_gain, 12.0f);
}

// BEY-025
static void a_tally_is_readable_as_a_magnitude(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[2] = {kn_modifier_constant(f->health, KN_OP_ADD, -10.0f),
        kn_modifier_constant(f->speed, KN_OP_OVERRIDE, 0)};
    modifiers[1].magnitude = kn_magnitude_of(KN_MAGNITUDE_TALLY_LOSS);
    const kn_magnitude_kind kinds[3] = {
        KN_MAGNITUDE_TALLY_NET, KN_MAGNITUDE_TALLY_LOSS, KN_MAGNITUDE_TALLY_GAIN};
    kn_raise_def raises[3];
    for (uint32_t i = 0; i < 3; i++) {
        raises[i] = kn_raise_def_default();
        raises[i].when = KN_RAISE_REMOVED_EARLY;
        raises[i].tag = tag_of(f, "Event.Total");
        raises[i].magnitude = kn_magnitude_of(kinds[i]);
    }
    kn_modifier_def trade[2] = {modifiers[0], kn_modifier_constant(f->power, KN_OP_ADD, 4.0f)};
    kn_effect_def def = ticking(trade, 2, "Burn");
    def.keeps_tally = true;
    def.raises = raises;
    def.raise_count = 3;
    kn_effect_type_id burn = effect_register(f, &def);
    def = ticking(modifiers, 2, "Echo");
    def.keeps_tally = true;
    kn_effect_type_id echo = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, burn);
    step_seconds(f, 3);
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    step_seconds(f, 0);
    const float totals[3] = {-18.0f, 30.0f, 12.0f}; // net, loss, gain
    uint32_t heard = 0;
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_RECORD) {
            assert_in_range(heard, 0, 2);
            assert_near(events.data[i].data.record.magnitude, totals[heard++]);
        }
    }
    assert_int_equal(heard, 3);
    apply(f, echo);
    step_seconds(f, 1);
    assert_near(current(f, f->health), 60.0f);
    assert_near(current(f, f->speed), 10.0f); // the first modifier's loss, seen by the second
    step_seconds(f, 1);
    assert_near(current(f, f->health), 50.0f);
}

// BEY-026
static void a_capture_may_come_from_source_target_or_causer(void **state)
{
    fixture *f = *state;
    const kn_capture_from from[3] = {
        KN_CAPTURE_FROM_SOURCE, KN_CAPTURE_FROM_TARGET, KN_CAPTURE_FROM_CAUSER};
    kn_modifier_def modifiers[3];
    for (int i = 0; i < 3; i++) {
        modifiers[i] = kn_modifier_constant(f->speed, KN_OP_ADD, 0);
        modifiers[i].magnitude = kn_magnitude_attribute(f->power, from[i], true, 1.0f);
    }
    kn_effect_def def = instant("Hit");
    def.modifiers = modifiers;
    def.modifier_count = 3;
    kn_effect_type_id hit = effect_register(f, &def);
    begin(f);
    kn_attribute_init(f->world, f->hero, f->power, 0, 1.0f);
    kn_attribute_init(f->world, f->foe, f->power, 0, 20.0f);
    kn_attribute_init(f->world, f->ally, f->power, 0, 300.0f);
    kn_effect_context context = {.causer = f->ally};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = hit;
    request.source = f->hero;
    request.target = f->foe;
    request.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);
    assert_near(current(f, f->speed), 921.0f);
    request.context = NULL; // no weapon, no value
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_near(current(f, f->speed), 921.0f);
}

// BEY-026
static void captures_read_bounds_overflow_and_effective_bonus(void **state)
{
    fixture *f = *state;
    kn_attribute_def mana = attribute_def("Mana", 50.0f);
    mana.min = kn_limit_constant(5.0f);
    mana.max = kn_limit_constant(80.0f);
    kn_attribute_set_id magic = set_register(f, "Magic", &mana, 1);
    kn_attribute_id attribute = kn_attribute_find(f->library, "Magic.Mana");
    const kn_capture_value policies[7] = {KN_CAPTURE_FINAL, KN_CAPTURE_BASE, KN_CAPTURE_MINIMUM,
        KN_CAPTURE_MAXIMUM, KN_CAPTURE_OVERFLOW, KN_CAPTURE_EFFECTIVE_BONUS, KN_CAPTURE_BONUS};
    const float expected[7] = {80, 50, 5, 80, 20, 30, 30};
    const char *names[7] = {"Final", "Base", "Min", "Max", "Overflow", "Effective", "Bonus"};
    kn_effect_type_id types[7];
    for (int i = 0; i < 7; i++) {
        kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_OVERRIDE, 0);
        modifier.magnitude = kn_magnitude_attribute(attribute, KN_CAPTURE_FROM_TARGET, false, 1.0f);
        modifier.magnitude.capture.value = policies[i];
        kn_effect_def def = instant(names[i]);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        types[i] = effect_register(f, &def);
    }
    kn_modifier_def more = kn_modifier_constant(attribute, KN_OP_ADD, 50.0f);
    kn_effect_def def = infinite("More");
    def.modifiers = &more;
    def.modifier_count = 1;
    kn_effect_type_id raise = effect_register(f, &def);
    begin(f);
    add_set(f, f->foe, magic);
    apply(f, raise);
    for (int i = 0; i < 7; i++) {
        apply(f, types[i]);
        assert_near(current(f, f->speed), expected[i]);
    }
    // A base beyond the limits: what shows of the bonus is another matter than the difference.
    const float beyond[7] = {80, 90, 5, 80, 60, 0, -10};
    set_base(f, f->foe, attribute, 90.0f);
    for (int i = 0; i < 7; i++) {
        apply(f, types[i]);
        assert_near(current(f, f->speed), beyond[i]);
    }
}

// BEY-026
static void an_undeclared_bound_is_refused(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 0);
    modifier.magnitude = kn_magnitude_attribute(f->speed, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    modifier.magnitude.capture.value = KN_CAPTURE_MAXIMUM;
    kn_effect_def def = instant("Hit");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id hit = effect_register(f, &def);
    begin(f);
    assert_true(kn_result_is_refused(try_apply(f, hit)));
    assert_near(current(f, f->power), 10.0f);
}

typedef struct readings {
    float snapshot;
    float live;
    uint32_t calls;
} readings;

static readings seen;

static void read_both(void *user, kn_execution *execution)
{
    (void)user;
    seen.snapshot = kn_execution_capture(execution, 0);
    seen.live = kn_execution_capture(execution, 1);
    seen.calls++;
}

static void both_captures(const fixture *f, kn_capture captures[2])
{
    memset(captures, 0, 2 * sizeof captures[0]);
    captures[0].attribute = captures[1].attribute = f->power;
    captures[0].from = captures[1].from = KN_CAPTURE_FROM_TARGET;
    captures[0].snapshot = true;
}

// BEY-028
static void snapshots_precede_the_modifiers_of_the_effect_and_live_captures_see_them(void **state)
{
    fixture *f = *state;
    kn_capture captures[2];
    both_captures(f, captures);
    kn_execution_use use = {.execution = register_execution(f, "Read", read_both, captures, 2)};
    kn_modifier_def gain = kn_modifier_constant(f->power, KN_OP_ADD, 5.0f);
    kn_effect_def def = instant("Once");
    def.modifiers = &gain;
    def.modifier_count = 1;
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id once = effect_register(f, &def);
    def = ticking(&gain, 1, "Often");
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id often = effect_register(f, &def);
    begin(f);
    apply(f, once);
    assert_near(seen.snapshot, 10.0f);
    assert_near(seen.live, 15.0f);
    apply(f, often); // taken at application: 15
    step_seconds(f, 1);
    assert_near(seen.snapshot, 15.0f);
    assert_near(seen.live, 20.0f);
    step_seconds(f, 1);
    assert_near(seen.snapshot, 15.0f);
    assert_near(seen.live, 25.0f);
}

// BEY-027
static void an_execution_with_an_absent_capture_does_nothing(void **state)
{
    fixture *f = *state;
    kn_capture captures[2];
    both_captures(f, captures);
    captures[1].from = KN_CAPTURE_FROM_SOURCE;
    kn_execution_use use = {.execution = register_execution(f, "Read", read_both, captures, 2)};
    kn_modifier_def gain = kn_modifier_constant(f->power, KN_OP_ADD, 5.0f);
    kn_effect_def def = instant("Once");
    def.modifiers = &gain;
    def.modifier_count = 1;
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id once = effect_register(f, &def);
    begin(f);
    seen.calls = 0;
    apply_from(f, once, (kn_entity_id){0}); // nobody to read from
    assert_int_equal(seen.calls, 0);
    assert_near(current(f, f->power), 15.0f);
    apply(f, once);
    assert_int_equal(seen.calls, 1);
}

static void a_tally_stops_at_the_largest_number_and_can_be_saved(void **state)
{
    fixture *f = *state;
    kn_modifier_def swings[2] = {kn_modifier_constant(f->power, KN_OP_OVERRIDE, -3e38f),
        kn_modifier_constant(f->power, KN_OP_OVERRIDE, 3e38f)};
    kn_effect_def def = infinite("Swing");
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.keeps_tally = true;
    def.modifiers = swings;
    def.modifier_count = 2;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 3);
    kn_effect_info info;
    assert_true(kn_effect_get(f->world, effect, &info));
    assert_true(info.tally_loss == FLT_MAX);
    assert_true(info.tally_gain == FLT_MAX);
    size_t size;
    void *bytes = save_of(f->world, &size);
    kn_world *loaded = world_of(f, kn_world_def_default());
    assert_int_equal(kn_save_read(loaded, bytes, size, NULL), KN_OK);
    assert_true(kn_world_hash(loaded) == kn_world_hash(f->world));
    kn_world_destroy(loaded);
    free(bytes);
}

static const struct CMUnitTest tests[] = {
    LIMITED(a_tally_counts_what_really_changed_after_clamps),
    TEST(executions_are_part_of_the_tally),
    TEST(a_tally_is_readable_as_a_magnitude),
    TEST(a_tally_stops_at_the_largest_number_and_can_be_saved),
    TEST(a_capture_may_come_from_source_target_or_causer),
    TEST(captures_read_bounds_overflow_and_effective_bonus),
    TEST(an_undeclared_bound_is_refused),
    TEST(snapshots_precede_the_modifiers_of_the_effect_and_live_captures_see_them),
    TEST(an_execution_with_an_absent_capture_does_nothing),
};

TEST_GROUP(tally, tests, NULL, NULL);
