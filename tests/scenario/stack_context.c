// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Whose level, values and context a merged stack has, and which source it follows from then on.
// Source, target, instigator and causer are different entities throughout.

#include "scenario/effect_fixture.h"

typedef struct cast {
    kn_entity_id source;
    float level;
    kn_entity_id instigator, causer;
    uint64_t object;
    float amount; // caller value; 0: none
    kn_time duration, period;
} cast;

// What a calculation sees of the spec behind a stack.
typedef struct seen {
    kn_entity_id source, causer;
    kn_ability_id ability;
    kn_activation_id activation;
    uint64_t object;
    float amount, payload;
    bool is_marked;
} seen;

static kn_tag data_amount, state_marked, state_off;
static kn_context_type_id hit_type;
static seen last_seen;

static float look(void *user, const kn_calculation *calculation)
{
    (void)user;
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    const float *payload = kn_spec_view_payload(spec, hit_type);
    last_seen = (seen){
        .source = kn_spec_view_source(spec),
        .causer = kn_spec_view_causer(spec),
        .ability = kn_spec_view_ability(spec),
        .activation = kn_spec_view_activation(spec),
        .object = kn_spec_view_source_object(spec),
        .amount = kn_spec_view_caller_value(spec, data_amount, -1.0f, false),
        .payload = payload != NULL ? *payload : -1.0f,
        .is_marked = kn_spec_view_source_has_tag(spec, state_marked),
    };
    return 1.0f;
}

static struct {
    kn_entity_id s1, s2, lord1, lord2, sword, bow;
} stage;

static int merge_setup(void **state)
{
    int result = setup(state);
    fixture *f = *state;
    data_amount = tag_of(f, "Data.Amount");
    state_marked = tag_of(f, "State.Marked");
    state_off = tag_of(f, "State.Off");
    assert_int_equal(
        kn_context_type_register(f->library, "Hit", sizeof(float), &hit_type, NULL), KN_OK);
    return result;
}

static kn_effect_def stacking(const char *name, kn_merge merge)
{
    kn_effect_def def = infinite(name);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.merge = merge;
    return def;
}

// Two sources with lords and weapons, all but the weapons with Vitals.
static void begin_cast(fixture *f)
{
    f->entity_count = 0;
    begin(f);
    kn_entity_id *entities[] = {
        &stage.s1, &stage.s2, &stage.lord1, &stage.lord2, &f->foe, &stage.sword, &stage.bow};
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(kn_entity_create(f->world, entities[i]), KN_OK);
        if (i < 5) {
            add_set(f, *entities[i], f->set);
        }
    }
}

static kn_effect_id throw(fixture * f, kn_effect_type_id type, const cast *made)
{
    float payload = made->level * 100.0f;
    kn_effect_context context = {.instigator = made->instigator,
        .causer = made->causer,
        .source_object = made->object,
        .origin = {made->level, made->level + 1.0f, made->level + 2.0f},
        .has_origin = true,
        .payload_type = hit_type,
        .payload = &payload,
        .ability = {(uint32_t)made->object, 1},
        .activation = {(uint32_t)made->object, 2}};
    kn_caller_value value = {data_amount, made->amount};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = f->foe;
    def.source = made->source;
    def.level = made->level;
    def.caller_values = &value;
    def.caller_value_count = made->amount != 0.0f;
    def.duration = made->duration != 0 ? made->duration : -1;
    def.period = made->period != 0 ? made->period : -1;
    bool has_context = made->object != 0 || made->causer.index1 != 0;
    def.context = has_context ? &context : NULL;
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
    return effect;
}

static kn_effect_id plain(fixture *f, kn_effect_type_id type, kn_entity_id source, float level)
{
    cast c = {.source = source, .level = level};
    return throw(f, type, &c);
}

#define assert_entity(got, expected) assert_true(kn_entity_id_equal(got, expected))

static void set(fixture *f, kn_entity_id entity, kn_attribute_id attribute, float number)
{
    set_base(f, entity, attribute, number);
}

static void assert_value(const fixture *f, kn_attribute_id attribute, float expected)
{
    assert_float_equal(kn_attribute_value(f->world, f->foe, attribute), expected, 1e-4);
}

// Writes the world and reads it into another one, which is to be the same.
static void reload(fixture *f)
{
    size_t size = 0;
    void *bytes = save_of(f->world, &size);
    kn_world *other = world_of(f, kn_world_def_default());
    save_load(other, bytes, size);
    free(bytes);
    assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    kn_world_destroy(f->world);
    f->world = other;
}

// STK-014
static void level_values_and_context_are_those_of_the_one_the_policy_names(void **state)
{
    fixture *f = *state;
    const kn_merge policies[] = {
        KN_MERGE_LATEST, KN_MERGE_HIGHEST_LEVEL, KN_MERGE_FIRST, KN_MERGE_POOL};
    const char *names[] = {"Latest", "Highest", "First", "Pool"};
    const uint32_t named[] = {2, 1, 0, 2};
    kn_calculation_def calculation = kn_calculation_def_default();
    calculation.name = "Look";
    calculation.function = look;
    kn_calculation_id id;
    assert_int_equal(kn_calculation_register(f->library, &calculation, &id, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->speed;
    modifier.magnitude = kn_magnitude_calculation(id);
    kn_effect_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        kn_effect_def def = stacking(names[i], policies[i]);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        types[i] = effect_register(f, &def);
    }
    begin_cast(f);
    add_tag(f, stage.s2, state_marked);
    const cast casts[] = {
        {stage.s1, 2.0f, stage.lord1, stage.sword, 11, 20.0f, 0, 0},
        {stage.s2, 5.0f, stage.lord2, stage.bow, 12, 50.0f, 0, 0},
        {stage.s1, 3.0f, stage.lord2, stage.sword, 13, 30.0f, 0, 0},
    };
    for (uint32_t i = 0; i < 4; i++) {
        kn_effect_id effect = {0};
        for (uint32_t j = 0; j < 3; j++) {
            effect = throw(f, types[i], &casts[j]);
        }
        reload(f);
        const cast *wanted = &casts[named[i]];
        kn_effect_info info = info_of(f, effect);
        assert_int_equal(info.stacks, 3);
        assert_true(info.level == wanted->level);
        assert_entity(info.source, wanted->source);
        assert_entity(info.instigator, wanted->instigator);
        assert_entity(info.causer, wanted->causer);
        assert_int_equal(info.source_object, wanted->object);
        assert_true(info.has_origin);
        assert_true(info.origin.x == wanted->level && info.origin.y == wanted->level + 1.0f &&
                    info.origin.z == wanted->level + 2.0f);
        assert_true(kn_effect_caller_value(f->world, effect, data_amount, 0) == wanted->amount);

        last_seen = (seen){0};
        assert_int_equal(kn_effect_refresh(f->world, effect), KN_OK);
        assert_entity(last_seen.source, wanted->source);
        assert_entity(last_seen.causer, wanted->causer);
        assert_int_equal(last_seen.object, wanted->object);
        assert_int_equal(last_seen.ability.index1, wanted->object);
        assert_int_equal(last_seen.activation.index1, wanted->object);
        assert_int_equal(last_seen.activation.generation, 2);
        assert_true(last_seen.amount == wanted->amount);
        assert_true(last_seen.payload == wanted->level * 100.0f);
        assert_int_equal(last_seen.is_marked, kn_entity_id_equal(wanted->source, stage.s2));
    }
}

// STK-014
static void a_newcomer_that_brings_nothing_leaves_nothing_of_the_first(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 1.0f);
    kn_effect_def def = stacking("Plain", KN_MERGE_LATEST);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    kn_modifier_def by_caller = kn_modifier_def_default();
    by_caller.attribute = f->speed;
    by_caller.magnitude = kn_magnitude_set_by_caller(data_amount);
    by_caller.magnitude.has_default = true;
    by_caller.magnitude.default_value = 4.0f;
    by_caller.scaling = KN_STACK_SCALING_NO;
    def = stacking("Value", KN_MERGE_LATEST);
    def.modifiers = &by_caller;
    def.modifier_count = 1;
    kn_effect_type_id value = effect_register(f, &def);
    begin_cast(f);

    cast first = {stage.s1, 1.0f, stage.lord1, stage.sword, 7, 10.0f, 0, 0};
    throw(f, type, &first);
    kn_effect_id effect = plain(f, type, stage.s2, 1.0f);
    kn_effect_info info = info_of(f, effect);
    assert_entity(info.source, stage.s2);
    assert_entity(info.instigator, stage.s2); // by default the source
    assert_entity(info.causer, (kn_entity_id){0});
    assert_int_equal(info.source_object, 0);
    assert_false(info.has_origin);
    assert_true(kn_effect_caller_value(f->world, effect, data_amount, -1.0f) == -1.0f);
    assert_null(kn_effect_payload(f->world, effect, hit_type));

    throw(f, value, &first);
    assert_value(f, f->speed, 610.0f);
    plain(f, value, stage.s2, 1.0f);
    assert_value(f, f->speed, 604.0f);

    // And the other way round: the first brings nothing, the second everything.
    remove_effect(f, effect);
    plain(f, type, stage.s2, 1.0f);
    effect = throw(f, type, &first);
    info = info_of(f, effect);
    assert_entity(info.instigator, stage.lord1);
    assert_entity(info.causer, stage.sword);
    assert_int_equal(info.source_object, 7);
    reload(f);
    assert_entity(info_of(f, effect).instigator, stage.lord1);
}

// STK-014
static void live_captures_follow_the_source_and_the_causer_the_policy_names(void **state)
{
    fixture *f = *state;
    const kn_merge policies[] = {
        KN_MERGE_LATEST, KN_MERGE_HIGHEST_LEVEL, KN_MERGE_FIRST, KN_MERGE_POOL};
    const char *names[] = {"Latest", "Highest", "First", "Pool"};
    const uint32_t named[] = {2, 2, 1, 2}; // which source, after s1, s1, s2
    kn_modifier_def modifiers[2] = {kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[0].attribute = f->speed;
    modifiers[0].magnitude = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 1.0f);
    modifiers[1].attribute = f->haste;
    modifiers[1].magnitude = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_CAUSER, false, 1.0f);
    kn_effect_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        kn_effect_def def = stacking(names[i], policies[i]);
        def.modifiers = modifiers;
        def.modifier_count = 2;
        types[i] = effect_register(f, &def);
    }
    begin_cast(f);
    kn_entity_id *weapons[] = {&stage.sword, &stage.bow};
    for (uint32_t i = 0; i < 2; i++) {
        add_set(f, *weapons[i], f->set);
    }
    for (uint32_t i = 0; i < 4; i++) {
        set(f, stage.s1, f->power, 10.0f);
        set(f, stage.s2, f->power, 20.0f);
        set(f, stage.sword, f->power, 3.0f);
        set(f, stage.bow, f->power, 5.0f);
        const cast casts[] = {
            {stage.s1, 1.0f, stage.lord1, stage.sword, 0, 0, 0, 0},
            {stage.s1, 2.0f, stage.lord1, stage.sword, 0, 0, 0, 0},
            {stage.s2, 3.0f, stage.lord2, stage.bow, 0, 0, 0, 0},
        };
        kn_effect_id effect = {0};
        for (uint32_t j = 0; j < 3; j++) {
            effect = throw(f, types[i], &casts[j]);
        }
        bool is_second = named[i] == 2;
        assert_value(f, f->speed, 600.0f + 3.0f * (is_second ? 20.0f : 10.0f));
        assert_value(f, f->haste, 1.0f + 3.0f * (is_second ? 5.0f : 3.0f));
        for (uint32_t j = 0; j < 2; j++) { // the same after loading
            set(f, stage.s1, f->power, 11.0f + (float)j);
            set(f, stage.s2, f->power, 22.0f + (float)j);
            set(f, stage.sword, f->power, 4.0f + (float)j);
            set(f, stage.bow, f->power, 6.0f + (float)j);
            assert_value(f, f->speed, 600.0f + 3.0f * ((is_second ? 22.0f : 11.0f) + (float)j));
            assert_value(f, f->haste, 1.0f + 3.0f * ((is_second ? 6.0f : 4.0f) + (float)j));
            reload(f);
        }
        remove_effect(f, effect);
    }
}

// STK-014
static void a_stack_ends_with_the_source_the_policy_names(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking("Latest", KN_MERGE_LATEST);
    def.ends_with_source = true;
    kn_effect_type_id latest = effect_register(f, &def);
    def = stacking("First", KN_MERGE_FIRST);
    def.ends_with_source = true;
    kn_effect_type_id first = effect_register(f, &def);
    begin_cast(f);
    kn_effect_id a = {0}, b = {0};
    const kn_entity_id order[] = {stage.s1, stage.s1, stage.s2};
    for (uint32_t i = 0; i < 3; i++) {
        a = plain(f, latest, order[i], 1.0f);
        b = plain(f, first, order[i], 1.0f);
    }
    assert_true(kn_entity_destroy(f->world, stage.s1));
    assert_true(kn_effect_is_alive(f->world, a));
    assert_false(kn_effect_is_alive(f->world, b));
    assert_true(kn_entity_destroy(f->world, stage.s2));
    assert_false(kn_effect_is_alive(f->world, a));
}

// STK-014
static void conditions_look_at_the_source_the_policy_names(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking("Latest", KN_MERGE_LATEST);
    def.ongoing.source.ignored = (kn_tags){&state_off, 1};
    kn_effect_type_id type = effect_register(f, &def);
    begin_cast(f);
    add_tag(f, stage.s2, state_off);
    kn_effect_id effect = plain(f, type, stage.s1, 1.0f);
    assert_false(info_of(f, effect).is_inhibited);
    plain(f, type, stage.s2, 1.0f);
    assert_true(info_of(f, effect).is_inhibited);
    remove_tag(f, stage.s2, state_off);
    assert_false(info_of(f, effect).is_inhibited);
    add_tag(f, stage.s1, state_off);
    assert_false(info_of(f, effect).is_inhibited);
    plain(f, type, stage.s1, 1.0f);
    assert_true(info_of(f, effect).is_inhibited);
}

// STK-014
static void the_period_is_that_of_the_one_the_policy_names(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 2}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Level";
    curve.points = points;
    curve.point_count = 2;
    kn_curve_id by_level;
    assert_int_equal(kn_curve_register(f->library, &curve, &by_level, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    modifier.scaling = KN_STACK_SCALING_NO;
    kn_effect_type_id types[4];
    const char *names[] = {"Keep", "Reset", "First", "Constant"};
    for (uint32_t i = 0; i < 4; i++) {
        kn_effect_def def = stacking(names[i], i == 2 ? KN_MERGE_FIRST : KN_MERGE_LATEST);
        def.is_periodic = true;
        def.period = i == 3 ? kn_magnitude_constant(2.0f) : kn_magnitude_by_level(2.0f, by_level);
        def.skip_first_tick = true;
        def.stacking.period_reset = i == 1 ? KN_PERIOD_RESET : KN_PERIOD_KEEP;
        def.modifiers = &modifier;
        def.modifier_count = 1;
        types[i] = effect_register(f, &def);
    }
    begin_cast(f);
    const kn_time next[] = {KN_S(2), KN_S(5), KN_S(2), KN_S(2)};
    const kn_time after[] = {KN_S(6), KN_S(9), KN_S(4), KN_S(5)};
    const kn_time periods[] = {KN_S(4), KN_S(4), KN_S(2), KN_S(3)};
    kn_effect_id effects[4];
    for (uint32_t i = 0; i < 4; i++) {
        effects[i] = plain(f, types[i], stage.s1, 1.0f);
    }
    step_seconds(f, 1);
    for (uint32_t i = 0; i < 4; i++) {
        cast second = {.source = stage.s2, .level = 2.0f, .period = i == 3 ? KN_S(3) : 0};
        assert_true(kn_effect_id_equal(throw(f, types[i], &second), effects[i]));
        assert_int_equal(info_of(f, effects[i]).period, periods[i]);
        assert_int_equal(info_of(f, effects[i]).next_tick, next[i]);
    }
    reload(f);
    step_seconds(f, 1); // 2
    for (uint32_t i = 0; i < 4; i++) {
        if (next[i] == KN_S(2)) {
            assert_int_equal(info_of(f, effects[i]).next_tick, after[i]);
        }
    }
    step_seconds(f, 3); // 5
    assert_int_equal(info_of(f, effects[1]).next_tick, after[1]);
}

// STK-014: a period that the latest brings itself does not follow its level, one of the type does.
static void a_given_period_comes_and_goes_with_the_latest(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 2}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Level";
    curve.points = points;
    curve.point_count = 2;
    kn_curve_id by_level;
    assert_int_equal(kn_curve_register(f->library, &curve, &by_level, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def def = stacking("Venom", KN_MERGE_LATEST);
    def.is_periodic = true;
    def.period = kn_magnitude_by_level(2.0f, by_level);
    def.live_period = KN_LIVE_NEXT;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    begin_cast(f);
    kn_effect_id effect = plain(f, type, stage.s1, 1.0f);
    const cast casts[] = {{.source = stage.s2, .level = 2.0f, .period = KN_S(3)},
        {.source = stage.s1, .level = 2.0f}};
    const kn_time periods[] = {KN_S(3), KN_S(4)}, lowered[] = {KN_S(3), KN_S(2)};
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kn_effect_id_equal(throw(f, type, &casts[i]), effect));
        assert_int_equal(info_of(f, effect).period, periods[i]);
        assert_int_equal(kn_effect_set_level(f->world, effect, 1.0f), KN_OK);
        assert_int_equal(info_of(f, effect).period, lowered[i]);
        reload(f);
    }
}

// STK-013, STK-014
static void a_live_duration_goes_on_from_what_the_stack_itself_computes(void **state)
{
    fixture *f = *state;
    const char *names[] = {"First", "Latest", "Never"};
    kn_effect_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_def def = stacking(names[i], i == 0 ? KN_MERGE_FIRST : KN_MERGE_LATEST);
        def.duration_kind = KN_DURATION_TIMED;
        def.duration = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 1.0f);
        def.live_duration = KN_LIVE_NEXT;
        def.stacking.refresh = i == 2 ? KN_REFRESH_NEVER : KN_REFRESH_RESTART;
        types[i] = effect_register(f, &def);
    }
    begin_cast(f);
    set(f, stage.s1, f->power, 10.0f);
    set(f, stage.s2, f->power, 20.0f);
    kn_effect_id effects[3];
    for (uint32_t i = 0; i < 3; i++) {
        effects[i] = plain(f, types[i], stage.s1, 1.0f);
    }
    step_seconds(f, 4);
    for (uint32_t i = 0; i < 3; i++) {
        plain(f, types[i], stage.s2, 1.0f);
    }
    // The newcomer's 20 s from now on; without a refresh what is left changes by the difference.
    assert_int_equal(info_of(f, effects[0]).remaining, KN_S(20));
    assert_int_equal(info_of(f, effects[1]).remaining, KN_S(20));
    assert_int_equal(info_of(f, effects[2]).remaining, KN_S(16));
    reload(f);
    set(f, stage.s1, f->power, 11.0f);
    assert_int_equal(info_of(f, effects[0]).remaining, KN_S(21));
    assert_int_equal(info_of(f, effects[1]).remaining, KN_S(20));
    assert_int_equal(info_of(f, effects[2]).remaining, KN_S(16));
    set(f, stage.s2, f->power, 23.0f);
    assert_int_equal(info_of(f, effects[0]).remaining, KN_S(21));
    assert_int_equal(info_of(f, effects[1]).remaining, KN_S(23));
    assert_int_equal(info_of(f, effects[2]).remaining, KN_S(19));

    // A duration that the caller gives does not follow, until one comes that nobody gave.
    cast given = {.source = stage.s2, .level = 1.0f, .duration = KN_S(5)};
    throw(f, types[1], &given);
    set(f, stage.s2, f->power, 30.0f);
    assert_int_equal(info_of(f, effects[1]).remaining, KN_S(5));
    plain(f, types[1], stage.s2, 1.0f);
    set(f, stage.s2, f->power, 31.0f);
    assert_int_equal(info_of(f, effects[1]).remaining, KN_S(31));
}

#define MERGE(name) cmocka_unit_test_setup_teardown(name, merge_setup, teardown)

static const struct CMUnitTest tests[] = {
    MERGE(level_values_and_context_are_those_of_the_one_the_policy_names),
    MERGE(a_newcomer_that_brings_nothing_leaves_nothing_of_the_first),
    MERGE(live_captures_follow_the_source_and_the_causer_the_policy_names),
    MERGE(a_stack_ends_with_the_source_the_policy_names),
    MERGE(conditions_look_at_the_source_the_policy_names),
    MERGE(the_period_is_that_of_the_one_the_policy_names),
    MERGE(a_given_period_comes_and_goes_with_the_latest),
    MERGE(a_live_duration_goes_on_from_what_the_stack_itself_computes),
};

TEST_GROUP(stack_context, tests, NULL, NULL);
