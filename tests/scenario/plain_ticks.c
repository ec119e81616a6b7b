// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Ticks that only add a constant run together, on a short path. A world whose changes are followed
// takes the long path: both must publish the same events, for the same reasons, and end in the same
// state.

#include "scenario/effect_fixture.h"

#define EFFECTS 12
#define ENTITIES 3

typedef struct twin {
    kn_world *world;
    kn_entity_id entities[ENTITIES];
    kn_effect_id effects[ENTITIES][EFFECTS];
} twin;

typedef struct cast {
    fixture *f;
    twin twins[2]; // short path, long path
} cast;

static kn_effect_type_id ticking(fixture *f, const char *name, kn_attribute_id attribute, kn_op op,
    float magnitude, float period)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, magnitude);
    kn_effect_def def = effect_def(name, KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(period);
    return effect_register(f, &def);
}

static void twins_begin(cast *c, fixture *f)
{
    *c = (cast){.f = f};
    library_finish(f);
    for (uint32_t t = 0; t < 2; t++) {
        twin *one = &c->twins[t];
        one->world = world_of(f, kn_world_def_default());
        for (uint32_t i = 0; i < ENTITIES; i++) {
            assert_int_equal(kn_entity_create(one->world, &one->entities[i]), KN_OK);
            assert_int_equal(kn_attribute_set_add(one->world, one->entities[i], f->set, 0), KN_OK);
        }
        assert_int_equal(kn_changes_follow(one->world, t == 1), KN_OK);
        assert_int_equal(kn_world_step(one->world, 0), KN_OK);
    }
}

static void twins_end(cast *c)
{
    for (uint32_t t = 0; t < 2; t++) {
        assert_true(kn_world_validate(c->twins[t].world));
        kn_world_destroy(c->twins[t].world);
    }
}

// `source` and `target` are indices of entities.
static void twins_apply(
    cast *c, kn_effect_type_id type, uint32_t index, uint32_t source, uint32_t target)
{
    for (uint32_t t = 0; t < 2; t++) {
        twin *one = &c->twins[t];
        assert_int_equal(kn_effect_apply_simple(one->world, type, one->entities[source],
                             one->entities[target], 1.0f, &one->effects[target][index]),
            KN_OK);
    }
}

static void causes_compare(const cast *c, kn_cause a, kn_cause b)
{
    kn_cause_info left, right;
    assert_true(kn_cause_get(c->twins[0].world, a, &left));
    assert_true(kn_cause_get(c->twins[1].world, b, &right));
    assert_int_equal(left.kind, right.kind);
    assert_int_equal(left.entity.index1, right.entity.index1);
    assert_int_equal(left.source.index1, right.source.index1);
    assert_int_equal(left.effect.index1, right.effect.index1);
    assert_int_equal(left.effect.generation, right.effect.generation);
    assert_int_equal(left.type.index1, right.type.index1);
    assert_int_equal(left.depth, right.depth);
}

// Steps both worlds and compares what they publish; returns the number of events.
static uint32_t twins_step(cast *c, kn_time dt)
{
    for (uint32_t t = 0; t < 2; t++) {
        assert_int_equal(kn_world_step(c->twins[t].world, dt), KN_OK);
    }
    kn_events a = kn_world_events(c->twins[0].world), b = kn_world_events(c->twins[1].world);
    assert_int_equal(a.count, b.count);
    for (uint32_t i = 0; i < a.count; i++) {
        const kn_event *left = &a.data[i], *right = &b.data[i];
        assert_int_equal(left->type, right->type);
        assert_int_equal(left->cause, right->cause);
        assert_int_equal(left->time, right->time);
        assert_int_equal(left->entity.index1, right->entity.index1);
        assert_int_equal(left->entity.generation, right->entity.generation);
        if (left->type == KN_EVENT_ATTRIBUTE_CHANGED) {
            assert_memory_equal(
                &left->data.attribute, &right->data.attribute, sizeof(left->data.attribute));
            causes_compare(c, left->cause, right->cause);
        }
    }
    assert_int_equal(kn_world_hash(c->twins[0].world), kn_world_hash(c->twins[1].world));
    return a.count;
}

static void test_paths_agree(void **state)
{
    fixture *f = *state;
    cast c;
    const kn_effect_type_id types[] = {
        ticking(f, "Burn", f->mana, KN_OP_ADD, -1.0f, 0.1f),
        ticking(f, "Odd", f->speed, KN_OP_ADD, 0.3f, 0.0157f),
        ticking(f, "Still", f->armor, KN_OP_ADD, 0.0f, 0.02f), // changes nothing
        ticking(f, "Grow", f->attack, KN_OP_MULTIPLY, 1.01f, 0.05f),
        ticking(f, "Limited", f->health, KN_OP_ADD, -30.0f, 0.2f), // a linked limit
        ticking(f, "Long", f->mana, KN_OP_ADD, 2.0f, 3600.0f),
    };
    kn_effect_type_id fast = ticking(f, "Fast", f->haste, KN_OP_ADD, 1.0f, 0.002f);
    kn_effect_type_id buff = simple(f, "Buff", KN_DURATION_INFINITE, f->mana, KN_OP_ADD, 5.0f);
    kn_effect_def stacks = stacking_def(f, "Stacks", KN_STACK_BY_TARGET, 3.0f);
    stacks.is_periodic = true;
    stacks.period = kn_magnitude_constant(0.02f);
    kn_effect_type_id stacking = effect_register(f, &stacks);
    twins_begin(&c, f);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        for (uint32_t k = 0; k < COUNT(types); k++) {
            twins_apply(&c, types[k], k, (i + 1) % ENTITIES, i);
        }
        (void)twins_step(&c, KN_US(777));
    }
    uint32_t events = 0;
    for (uint32_t i = 0; i < 600; i++) { // steps that end inside of a bucket of the wheel
        events += twins_step(&c, KN_US(1111));
    }
    assert_true(events > 150);
    // A value with modifiers, and stacks.
    twins_apply(&c, buff, COUNT(types), 0, 1);
    twins_apply(&c, stacking, COUNT(types) + 1, 0, 1);
    twins_apply(&c, stacking, COUNT(types) + 1, 0, 1);
    for (uint32_t i = 0; i < 20; i++) {
        (void)twins_step(&c, KN_US(33333));
    }
    // Entries of the wheel whose effect is gone, and of others in the same place.
    for (uint32_t t = 0; t < 2; t++) {
        twin *one = &c.twins[t];
        for (uint32_t k = 0; k < COUNT(types); k++) {
            assert_int_equal(
                kn_effect_remove(one->world, one->effects[0][k], 0, KN_REMOVED_BY_CALL), KN_OK);
        }
        assert_true(kn_entity_destroy(one->world, one->entities[2]));
    }
    (void)twins_step(&c, 0);
    for (uint32_t k = 0; k < COUNT(types); k++) {
        twins_apply(&c, types[k], k, 0, 1);
    }
    for (uint32_t i = 0; i < 20; i++) {
        (void)twins_step(&c, KN_US(33333));
    }
    // Ticks that come again before others of their bucket.
    for (uint32_t i = 0; i < 2; i++) {
        twins_apply(&c, fast, COUNT(types) + 2, i, 0);
        (void)twins_step(&c, KN_US(300));
    }
    for (uint32_t i = 0; i < 20; i++) {
        (void)twins_step(&c, KN_US(16667));
    }
    twins_end(&c);
}

// Where a value would become infinite, both report it and leave the value.
static void test_numbers_end(void **state)
{
    fixture *f = *state;
    cast c;
    kn_effect_type_id flood = ticking(f, "Flood", f->mana, KN_OP_ADD, 3e38f, 0.1f);
    twins_begin(&c, f);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        twins_apply(&c, flood, 0, 0, i);
    }
    uint32_t errors = 0;
    for (uint32_t i = 0; i < 30; i++) {
        (void)twins_step(&c, KN_US(16667));
        kn_events events = kn_world_events(c.twins[0].world);
        for (uint32_t e = 0; e < events.count; e++) {
            errors += events.data[e].type == KN_EVENT_ERROR;
        }
    }
    assert_true(errors > 0);
    assert_true(isfinite(kn_attribute_value(c.twins[0].world, c.twins[0].entities[2], f->mana)));
    twins_end(&c);
}

// A rule timer among ticks of the same time finds the world as the ticks before it left it.
typedef struct seen {
    uint32_t count;
    float values[64];
} seen;

static kn_time look(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)data;
    seen *s = user;
    kn_attribute_id mana = kn_attribute_find(kn_world_library(world), "Unit.Mana");
    if (s->count < 64) {
        s->values[s->count++] = kn_attribute_value(world, entity, mana);
    }
    return KN_MS(100);
}

static void test_timers_in_between(void **state)
{
    fixture *f = *state;
    cast c;
    seen s = {0};
    kn_error error = {0};
    kn_timer_type_id timer;
    kn_effect_type_id burn = ticking(f, "Burn", f->mana, KN_OP_ADD, -1.0f, 0.1f);
    kn_effect_type_id other = ticking(f, "Other", f->speed, KN_OP_ADD, -1.0f, 0.1f);
    assert_int_equal(kn_timer_type_register(f->library, "Look", look, &s, &timer, &error), KN_OK);
    twins_begin(&c, f);
    twins_apply(&c, other, 2, 0, 2);
    twins_apply(&c, burn, 0, 0, 1);
    for (uint32_t t = 0; t < 2; t++) {
        twin *one = &c.twins[t];
        assert_int_equal(
            kn_timer_start(one->world, timer, one->entities[1], KN_MS(100), NULL, NULL), KN_OK);
    }
    twins_apply(&c, burn, 1, 0, 1); // after the timer, at the same times
    (void)twins_step(&c, KN_MS(1050));
    assert_int_equal(s.count, 20);
    for (uint32_t i = 0; i < 10; i++) {
        assert_near(s.values[i], s.values[i + 10]);
    }
    assert_true(s.values[1] == s.values[0] - 2.0f);
    twins_end(&c);
}

static const struct CMUnitTest tests[] = {
    LIMITED(test_paths_agree),
    TEST(test_numbers_end),
    TEST(test_timers_in_between),
};

TEST_GROUP(plain_ticks, tests, NULL, NULL);
