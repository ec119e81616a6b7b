// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Very many effects of one bearer that end together: its values let go of all of them at once
// (docs/step-order.md), everything else happens one by one as ever.

#include "scenario/effect_fixture.h"

#define MANY 3000
#define FEW 1000

typedef struct crowd {
    fixture *f;
    kn_effect_type_id swarm, other, reader;
    kn_value_id value;
    kn_effect_id reading;
} crowd;

// The foe has `count` effects that speed it up by 1, follow its armour in attack, and cheapen
// something; five others by 100. The hero's mana follows its speed.
static crowd crowd_begin(fixture *f, uint32_t count)
{
    crowd c = {.f = f};
    kn_value_def value = kn_value_def_default();
    value.name = "Price";
    assert_int_equal(kn_value_register(f->library, &value, &c.value, NULL), KN_OK);
    kn_modifier_def modifiers[3] = {kn_modifier_constant(f->speed, KN_OP_ADD, 1.0f),
        kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[1].attribute = f->attack;
    modifiers[1].magnitude = kn_magnitude_attribute(f->armor, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    modifiers[2].value = c.value;
    modifiers[2].magnitude = kn_magnitude_constant(1.0f);
    c.swarm = effect_of(f, "Swarm", KN_DURATION_INFINITE, modifiers, 3);
    modifiers[0] = kn_modifier_constant(f->speed, KN_OP_ADD, 100.0f);
    c.other = effect_of(f, "Other", KN_DURATION_INFINITE, modifiers, 1);
    modifiers[0] = kn_modifier_def_default();
    modifiers[0].attribute = f->mana;
    modifiers[0].magnitude = kn_magnitude_attribute(f->speed, KN_CAPTURE_FROM_SOURCE, false, 1.0f);
    c.reader = effect_of(f, "Reader", KN_DURATION_INFINITE, modifiers, 1);
    begin(f);
    for (uint32_t i = 0; i < count; i++) {
        (void)apply(f, c.swarm);
        if (i % (count / 5) == 0) {
            (void)apply(f, c.other);
        }
    }
    c.reading = apply_from_to(f, c.reader, f->foe, f->hero, 1.0f);
    assert_float_equal(
        kn_attribute_value(f->world, f->foe, f->speed), 600.0f + 500.0f + (float)count, 0.0f);
    assert_float_equal(
        kn_attribute_value(f->world, f->foe, f->attack), 10.0f + 5.0f * (float)count, 0.0f);
    assert_float_equal(
        kn_attribute_value(f->world, f->hero, f->mana), 60.0f + 1100.0f + (float)count, 0.0f);
    assert_float_equal(
        kn_value_evaluate(f->world, f->foe, c.value, 5.0f, NULL, false), 5.0f + (float)count, 0.0f);
    step(f, 0);
    return c;
}

static uint32_t changes_of(const fixture *f, kn_entity_id entity, kn_attribute_id attribute)
{
    uint32_t count = 0;
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        count += event->type == KN_EVENT_ATTRIBUTE_CHANGED &&
                 kn_entity_id_equal(event->entity, entity) &&
                 event->data.attribute.attribute.index1 == attribute.index1;
    }
    return count;
}

static uint32_t removals(const fixture *f, kn_effect_type_id type, kn_removal_reason reason)
{
    uint32_t count = 0;
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        count += event->type == KN_EVENT_EFFECT_REMOVED &&
                 event->data.effect.type.index1 == type.index1 &&
                 event->data.effect.reason == reason;
    }
    return count;
}

static void remove_all(crowd *c, uint32_t count)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = c->swarm;
    uint32_t removed = 0;
    kn_world *world = c->f->world;
    assert_int_equal(
        kn_effects_remove(world, c->f->foe, &query, 0, KN_REMOVED_DISPELLED, &removed), KN_OK);
    assert_int_equal(removed, count);
    assert_true(kn_world_validate(world));
    assert_int_equal(kn_effects_count(world, c->f->foe), 5);
    assert_float_equal(kn_attribute_value(world, c->f->foe, c->f->speed), 1100.0f, 0.0f);
    assert_float_equal(kn_attribute_value(world, c->f->foe, c->f->attack), 10.0f, 0.0f);
    assert_float_equal(kn_attribute_value(world, c->f->hero, c->f->mana), 1160.0f, 0.0f);
    assert_float_equal(
        kn_value_evaluate(world, c->f->foe, c->value, 5.0f, NULL, false), 5.0f, 0.0f);
    assert_int_equal(kn_world_step(world, 0), KN_OK);
    assert_int_equal(removals(c->f, c->swarm, KN_REMOVED_DISPELLED), count);
}

static void very_many_are_removed(void **state)
{
    fixture *f = *state;
    crowd c = crowd_begin(f, MANY);
    remove_all(&c, MANY);
    assert_int_equal(changes_of(f, f->foe, f->speed), 1);
    assert_int_equal(changes_of(f, f->foe, f->attack), 1);
    assert_int_equal(changes_of(f, f->hero, f->mana), 1);
    // What is left acts on.
    set_base(f, f->foe, f->speed, 0.0f);
    assert_float_equal(kn_attribute_value(f->world, f->foe, f->speed), 500.0f, 0.0f);
    assert_float_equal(kn_effect_magnitude(f->world, c.reading, 0), 500.0f, 0.0f);
}

static void a_few_are_removed_one_by_one(void **state)
{
    fixture *f = *state;
    crowd c = crowd_begin(f, FEW);
    remove_all(&c, FEW);
    assert_int_equal(changes_of(f, f->foe, f->speed), FEW);
    assert_int_equal(changes_of(f, f->foe, f->attack), FEW);
}

// Some of very many: those that stay keep their modifiers, whatever their number.
static void a_few_of_very_many_are_removed(void **state)
{
    fixture *f = *state;
    crowd c = crowd_begin(f, MANY);
    kn_effect_query query = kn_effect_query_default();
    query.type = c.other;
    uint32_t removed = 0;
    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &query, 0, KN_REMOVED_BY_CALL, &removed), KN_OK);
    assert_int_equal(removed, 5);
    assert_float_equal(kn_attribute_value(f->world, f->foe, f->speed), 600.0f + MANY, 0.0f);
    // The mark of the query does not stay: these go one by one, and all of them.
    query.type = c.swarm;
    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &query, 1, KN_REMOVED_BY_CALL, &removed), KN_OK);
    assert_int_equal(removed, MANY);
    assert_float_equal(kn_attribute_value(f->world, f->foe, f->speed), 600.0f, 0.0f);
}

static void the_bearer_of_very_many_is_destroyed(void **state)
{
    fixture *f = *state;
    crowd c = crowd_begin(f, MANY);
    assert_true(kn_entity_destroy(f->world, f->foe));
    assert_true(kn_world_validate(f->world));
    step(f, 0);
    assert_int_equal(removals(f, c.swarm, KN_REMOVED_TARGET_DIED), MANY);
    assert_int_equal(removals(f, c.other, KN_REMOVED_TARGET_DIED), 5);
    assert_int_equal(changes_of(f, f->foe, f->speed), 1);
    // What was read from it is what it came to without its effects.
    assert_float_equal(kn_effect_magnitude(f->world, c.reading, 0), 600.0f, 0.0f);
    assert_float_equal(kn_attribute_value(f->world, f->hero, f->mana), 660.0f, 0.0f);
    assert_int_equal(kn_world_get_stats(f->world).effects, 1);
}

static const struct CMUnitTest tests[] = {
    TEST(very_many_are_removed),
    TEST(a_few_are_removed_one_by_one),
    TEST(a_few_of_very_many_are_removed),
    TEST(the_bearer_of_very_many_is_destroyed),
};

TEST_GROUP(many_effects, tests, NULL, NULL);
