// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Periodic effects that are switched off and on, crossed: when they are off, what becomes of the
// period, whether it follows an attribute, whether a part of a tick is made up for at the end, and
// what the cues hear. Source, target, instigator and causer are different entities.

#include "scenario/effect_fixture.h"

// A period of 4 s that becomes 3 s at 6.5 s if it follows; the effect ends at 10 s.
typedef enum off_kind { OFF_NEVER, OFF_LATER, OFF_FIRST, OFF_AT_THE_END, OFF_COUNT } off_kind;

static const struct {
    double from, to; // off
    uint32_t added;  // cues
} offs[OFF_COUNT] = {
    [OFF_NEVER] = {20.0, 20.0, 1},
    [OFF_LATER] = {5.0, 7.5, 2},
    [OFF_FIRST] = {0.0, 3.0, 1},
    [OFF_AT_THE_END] = {9.0, 20.0, 1},
};

// Whole ticks by 10 s, and the part at the end, in twenty-fourths of a tick.
typedef struct outcome {
    uint32_t ticks, part;
} outcome;

static const outcome expected[OFF_COUNT][4][3] =
    {
        // The policies in their order, each with: no live period, the next one, rescaled.
        [OFF_NEVER] =
            {
                {{3, 12}, {3, 16}, {4, 0}}, // 0 4 8; and 11; 0 4 7 10
                {{3, 12}, {3, 16}, {4, 0}},
                {{3, 12}, {3, 16}, {4, 0}},
                {{3, 12}, {3, 16}, {4, 0}},
            },
        [OFF_LATER] =
            {
                {{3, 12}, {3, 16}, {3, 0}},  // 0 4 8; and 11; 0 4 (7) 10
                {{2, 15}, {2, 20}, {2, 20}}, // 0 4, from 7.5 on to 11.5; to 10.5
                {{3, 15}, {3, 20}, {3, 20}}, // 0 4 7.5, the same
                {{2, 21}, {2, 21}, {3, 4}},  // 0 4, 3.5 s of the period to 10.5; 0 4 9.5
            },
        [OFF_FIRST] =
            {
                {{2, 12}, {2, 16}, {3, 0}}, // 4 8; and 11; 4 7 10
                {{1, 18}, {2, 0}, {2, 4}},  // 7, to 11; 7 10; 6.5 9.5
                {{2, 18}, {3, 0}, {3, 4}},  // 3 and the same
                {{1, 18}, {2, 0}, {2, 4}},  // nothing had begun
            },
        [OFF_AT_THE_END] =
            {
                {{3, 0}, {3, 0}, {3, 0}},
                {{3, 0}, {3, 0}, {3, 0}},
                {{3, 0}, {3, 0}, {3, 0}},
                {{3, 0}, {3, 0}, {3, 0}},
            },
};

typedef struct crossing {
    kn_inhibit_period policy;
    kn_live_time live;
    bool has_part;
} crossing;

static kn_tag cue_tag, off_tag;
static kn_entity_id lord, weapon;

static kn_effect_type_id crossing_add(fixture *f, const crossing *c, const kn_stacking *stacking)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "Dot%d%d%d", (int)c->policy, (int)c->live, c->has_part);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -24.0f);
    modifier.scaling = KN_STACK_SCALING_NO;
    kn_effect_def def = timed(name, 10.0f);
    def.is_periodic = true;
    def.period = kn_magnitude_attribute(f->haste, KN_CAPTURE_FROM_SOURCE, false, 4.0f);
    def.live_period = c->live;
    def.partial_last_tick = c->has_part;
    def.inhibit_period = c->policy;
    def.ongoing.target.ignored = (kn_tags){&off_tag, 1};
    def.cue_tags = (kn_tags){&cue_tag, 1};
    def.modifiers = &modifier;
    def.modifier_count = 1;
    if (stacking != NULL) {
        def.stacking = *stacking;
    }
    return effect_register(f, &def);
}

static int crossing_setup(void **state)
{
    int result = setup(state);
    fixture *f = *state;
    cue_tag = tag_of(f, "GameplayCue.Dot");
    off_tag = tag_of(f, "State.Off");
    return result;
}

static void world_begin(fixture *f)
{
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    kn_world_destroy(f->world);
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    kn_entity_id *entities[] = {&f->foe, &f->hero, &lord, &weapon};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(kn_entity_create(f->world, entities[i]), KN_OK);
        add_set(f, *entities[i], f->set);
    }
    set_base(f, f->foe, f->max_health, 1000.0f);
    set_base(f, f->foe, f->health, 1000.0f);
    step(f, 0);
}

static kn_effect_id crossing_apply(fixture *f, kn_effect_type_id type)
{
    kn_effect_context context = {.instigator = lord, .causer = weapon};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = f->foe;
    def.source = f->hero;
    def.context = &context;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
    return effect;
}

static void switch_off(fixture *f, bool off)
{
    assert_int_equal(off ? kn_entity_add_tag(f->world, f->foe, off_tag, KN_TAG_ORIGIN_LOOSE, 1)
                         : kn_entity_remove_tag(f->world, f->foe, off_tag, KN_TAG_ORIGIN_LOOSE, 1),
        KN_OK);
}

// To a time, saved and loaded there; counts the cues on the way.
static void run_to(fixture *f, double seconds, uint32_t *cues)
{
    kn_time now = kn_world_now(f->world);
    step(f, kn_time_from_seconds(seconds) - now);
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_CUE) {
            kn_cue_params params;
            assert_true(kn_cue_event_params(f->world, event, &params));
            assert_true(kn_entity_id_equal(params.instigator, lord));
            assert_true(kn_entity_id_equal(params.causer, weapon));
            assert_true(kn_entity_id_equal(event->entity, f->foe));
            cues[event->data.cue.action]++;
        }
    }
    size_t size = 0;
    void *bytes = save_of(f->world, &size);
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_save_read(f->world, bytes, size, NULL), KN_OK);
    assert_true(kn_world_hash(f->world) == hash);
    free(bytes);
}

// What was taken in all, in twenty-fourths of a tick.
static int taken(const fixture *f)
{
    return (int)lroundf(1000.0f - kn_attribute_base(f->world, f->foe, f->health));
}

static void cross(fixture *f, const crossing *c, kn_effect_type_id type, off_kind off)
{
    const double times[] = {3.0, 5.0, 6.5, 7.5, 9.0, 10.0};
    uint32_t cues[4] = {0};
    world_begin(f);
    if (offs[off].from == 0.0) {
        switch_off(f, true);
    }
    kn_effect_id effect = crossing_apply(f, type);
    for (uint32_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        run_to(f, times[i], cues);
        if (times[i] == 6.5) {
            set_base(f, f->hero, f->haste, 0.75f);
        }
        if (times[i] == offs[off].from || times[i] == offs[off].to) {
            switch_off(f, times[i] == offs[off].from);
        }
    }
    run_to(f, 12.0, cues);
    assert_false(kn_effect_is_alive(f->world, effect));
    outcome wanted = expected[off][c->policy][c->live];
    uint32_t part = c->has_part ? wanted.part : 0;
    if (taken(f) != (int)(24 * wanted.ticks + part) ||
        cues[KN_CUE_EXECUTED] != wanted.ticks + (part > 0) ||
        cues[KN_CUE_ADDED] != offs[off].added || cues[KN_CUE_REMOVED] != offs[off].added) {
        fail_msg("off %d, policy %d, live %d, part %d: %d of %d taken; cues %u added, %u executed, "
                 "%u removed",
            (int)off, (int)c->policy, (int)c->live, c->has_part, taken(f),
            (int)(24 * wanted.ticks + part), cues[KN_CUE_ADDED], cues[KN_CUE_EXECUTED],
            cues[KN_CUE_REMOVED]);
    }
}

// BEY-011, BEY-012, BEY-014, EFF-009, EFF-011
static void ticks_parts_and_cues_of_effects_that_are_switched_off_and_on(void **state)
{
    fixture *f = *state;
    kn_effect_type_id types[4][3][2];
    for (uint32_t i = 0; i < 24; i++) {
        crossing c = {(kn_inhibit_period)(i / 6), (kn_live_time)(i / 2 % 3), i % 2 != 0};
        types[c.policy][c.live][c.has_part] = crossing_add(f, &c, NULL);
    }
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    for (uint32_t off = 0; off < OFF_COUNT; off++) {
        for (uint32_t i = 0; i < 24; i++) {
            crossing c = {(kn_inhibit_period)(i / 6), (kn_live_time)(i / 2 % 3), i % 2 != 0};
            cross(f, &c, types[c.policy][c.live][c.has_part], (off_kind)off);
        }
    }
}

// BEY-014: a further application at 6 s, off from 5 s to 7.5 s, ends at 10 s all the same.
static void an_application_while_off_begins_the_period_anew_or_not(void **state)
{
    fixture *f = *state;
    const int reset[] = {3 * 24, 2 * 24 + 15, 3 * 24 + 15, 2 * 24 + 15};
    const int keep[] = {3 * 24 + 12, 2 * 24 + 15, 3 * 24 + 15, 2 * 24 + 21};
    kn_effect_type_id types[4][2];
    for (uint32_t i = 0; i < 4; i++) {
        kn_stacking stacking = kn_effect_def_default().stacking;
        stacking.kind = KN_STACK_BY_TARGET;
        stacking.refresh = KN_REFRESH_NEVER;
        crossing c = {(kn_inhibit_period)i, KN_LIVE_NONE, true};
        types[i][0] = crossing_add(f, &c, &stacking); // reset
        stacking.period_reset = KN_PERIOD_KEEP;
        c.live = KN_LIVE_NEXT; // another name; nothing changes
        types[i][1] = crossing_add(f, &c, &stacking);
    }
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t cues[4] = {0};
        world_begin(f);
        crossing_apply(f, types[i / 2][i % 2]);
        run_to(f, 5.0, cues);
        switch_off(f, true);
        run_to(f, 6.0, cues);
        crossing_apply(f, types[i / 2][i % 2]);
        run_to(f, 7.5, cues);
        switch_off(f, false);
        run_to(f, 12.0, cues);
        assert_int_equal(taken(f), i % 2 == 0 ? reset[i / 2] : keep[i / 2]);
    }
}

#define CROSSING(name) cmocka_unit_test_setup_teardown(name, crossing_setup, teardown)

static const struct CMUnitTest tests[] = {
    CROSSING(ticks_parts_and_cues_of_effects_that_are_switched_off_and_on),
    CROSSING(an_application_while_off_begins_the_period_anew_or_not),
};

TEST_GROUP(inhibition_crossings, tests, NULL, NULL);
