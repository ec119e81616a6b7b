// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Whole worlds are checked: damage of every kind of record is noticed by its name, by
// kn_world_validate() and, in builds with KN_VALIDATE, at the end of the next call.

#include "ability/task.h"
#include "scenario/rich_world.h"
#include "world/state_tables.h"

#include <math.h>

static char noticed[256]; // the first condition that failed

static bool remember_assert(const char *condition, const char *file, int line)
{
    (void)file;
    (void)line;
    if (noticed[0] == 0) {
        snprintf(noticed, sizeof(noticed), "%s", condition);
    }
    return false;
}

static void listen(void)
{
    noticed[0] = 0;
    kn_assert_set_handler(remember_assert);
}

static void expect_condition(const char *part)
{
    kn_assert_set_handler(NULL);
#if KN_ASSERTS
    if (strstr(noticed, part) == NULL) {
        fail_msg("expected a condition with `%s`, got `%s`", part, noticed);
    }
#else
    (void)part;
#endif
}

typedef struct fixture {
    kn_library *library;
    kn_world *world;
    rich_memory memory;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->library = rich_library(0);
    f->world = rich_world_create(f->library, &f->memory);
    rich_step(f->world, 10);
    assert_true(kn_world_validate(f->world));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kn_world_destroy(f->world);
    assert_int_equal(f->memory.blocks, 0);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

// Writes something wrong, checks, and puts back what was there.
static void expect_noticed(
    kn_world *world, void *place, const void *wrong, size_t size, const char *condition)
{
    uint8_t right[16];
    assert_true(size <= sizeof(right));
    memcpy(right, place, size);
    memcpy(place, wrong, size);
    listen();
    bool is_good = kn_world_validate(world);
    expect_condition(condition);
    if (is_good) {
        fail_msg("nothing is wrong although `%s` does not hold", condition);
    }
    memcpy(place, right, size);
    assert_true(kn_world_validate(world));
}

#define DAMAGE(type, place, value, condition)                                                      \
    do {                                                                                           \
        type wrong_ = (type)(value);                                                               \
        expect_noticed(world, &(place), &wrong_, sizeof(wrong_), condition);                       \
    } while (0)

// The first component with effects, tags, modifiers and a parent, as far as there is one.
static uint32_t component_with(const kn_world *world, size_t span)
{
    KNI_POOL_EACH(i, &world->components) {
        kni_span found;
        memcpy(&found, (const uint8_t *)kni_component_at(world, i) + span, sizeof(found));
        if (found.count > 1) {
            return i;
        }
    }
    fail_msg("no component has what the test needs");
    return KNI_NONE;
}

#define WITH(member) component_with(world, offsetof(kni_component, member))

static void damaged_entities_and_components_are_noticed(void **state)
{
    kn_world *world = ((fixture *)*state)->world;
    uint32_t slot = WITH(effects);
    kni_component *component = kni_component_at(world, slot);
    kni_entity *entity = kni_entity_at(world, component->entity);

    DAMAGE(uint32_t, entity->generation, 0, "generation != 0");
    DAMAGE(uint32_t, entity->generation, UINT32_MAX, "generation");
    DAMAGE(uint32_t, entity->component1, world->components.used + 1, "components");
    DAMAGE(uint32_t, component->generation, component->generation + 1, "component->generation");
    DAMAGE(uint32_t, component->avatar.index1, 0, "avatar");
    DAMAGE(uint32_t, component->flags, KNI_COMPONENT_DYING, "KNI_COMPONENT_DYING");
    DAMAGE(uint32_t, component->watch_count, component->watch_count + 1, "watch_count");
    DAMAGE(uint32_t, component->gate_count, component->gate_count + 1, "gate_count");
    DAMAGE(uint32_t, component->owned_count, component->owned_count + 1, "owned_count");
    DAMAGE(uint32_t, component->edit_count, component->edit_count + 1, "edit_count");
    DAMAGE(uint32_t, component->layout, world->layout_count, "layout_count");
}

static void damaged_effects_are_noticed(void **state)
{
    kn_world *world = ((fixture *)*state)->world;
    kni_component *component = kni_component_at(world, WITH(effects));
    uint32_t *slots = KNI_SPAN_AT(world, component->effects, uint32_t, 0);
    kni_effect *effect = kni_effect_at(world, slots[0]);

    DAMAGE(uint64_t, effect->number, world->next_number, "effect->number");
    DAMAGE(uint32_t, effect->stacks, 0, "stacks > 0");
    DAMAGE(float, effect->level, NAN, "isfinite");
    DAMAGE(kn_time, effect->start, world->now + 1, "world->now");
    DAMAGE(uint16_t, effect->type, world->type_count, "type_count");
    DAMAGE(uint16_t, effect->flags, effect->flags | KNI_ACTIVE_QUEUED, "KNI_ACTIVE_QUEUED");
    DAMAGE(uint32_t, effect->component, effect->component + 1, "component == slot");
    DAMAGE(uint32_t, slots[1], slots[0], "number > last");
    DAMAGE(uint32_t, slots[0], world->effects.used, "effects");
}

static void damaged_tags_are_noticed(void **state)
{
    kn_world *world = ((fixture *)*state)->world;
    uint32_t slot = WITH(tags);
    kni_component *component = kni_component_at(world, slot);
    kni_tag_row *row = KNI_SPAN_AT(world, component->tags, kni_tag_row, 0);

    DAMAGE(uint32_t, row->total, row->total + 1, "tag_totals");
    DAMAGE(uint16_t, row->count, row->count + 1, "tag_counts");
    DAMAGE(uint16_t, row->tag, kn_tag_count(world->library) + 1, "tag_count");
    uint64_t *bits = world->tag_bits + (size_t)slot * world->tag_words;
    DAMAGE(uint64_t, bits[0], bits[0] ^ (UINT64_C(1) << row->tag), "kni_has_tag");
}

static void damaged_values_and_modifiers_are_noticed(void **state)
{
    kn_world *world = ((fixture *)*state)->world;
    kni_aggregator *aggregator = NULL;
    KNI_POOL_EACH(i, &world->aggregators) {
        kni_aggregator *found = kni_aggregator_at(world, i);
        aggregator = found->mods.count > 1 && !found->is_transient ? found : aggregator;
    }
    assert_non_null(aggregator);
    kni_mod *mod = KNI_SPAN_AT(world, aggregator->mods, kni_mod, 0);
    const kni_component *component = kni_component_at(world, aggregator->component);
    kni_value *value = &kni_values_of(world, component)[aggregator->position];

    DAMAGE(float, mod->magnitude, mod->magnitude + 1.0f, "magnitude");
    DAMAGE(uint64_t, mod->number, mod->number + 1, "number");
    DAMAGE(uint8_t, mod->op, mod->op + 1, "op");
    DAMAGE(uint32_t, mod->effect, world->effects.used, "effects");
    DAMAGE(uint32_t, aggregator->position, aggregator->position + 1, "aggregator");
    DAMAGE(float, value->current, value->current + 1.0f, "value.current == expected");
    DAMAGE(float, value->base, NAN, "isfinite");
    DAMAGE(uint32_t, value->aggregator1, 0, "aggregator1");
    DAMAGE(uint32_t, aggregator->mods.count, aggregator->mods.count - 1, "mod_is_listed");
}

static void damaged_timers_are_noticed(void **state)
{
    kn_world *world = ((fixture *)*state)->world;
    uint32_t slot = kni_pool_next(&world->timers, 0);
    assert_int_not_equal(slot, KNI_NONE);
    kni_rule_timer *timer = kni_pool_at(&world->timers, slot);

    DAMAGE(kn_time, timer->time, world->now - 1, "timer->time");
    DAMAGE(kn_time, timer->time, timer->time + 1, "SEEN_RULE");
    DAMAGE(uint64_t, timer->number, 0, "timer->number");
    DAMAGE(uint32_t, timer->entity.generation, timer->entity.generation + 1, "entity");
    DAMAGE(uint32_t, world->wheel.count, world->wheel.count + 1, "wheel is damaged");
}

static void damaged_memory_is_noticed(void **state)
{
    kn_world *world = ((fixture *)*state)->world;
    kni_component *first = kni_component_at(world, WITH(effects));
    kni_component *second = first;
    KNI_POOL_EACH(i, &world->components) {
        kni_component *found = kni_component_at(world, i);
        second = found != first && found->effects.count > 1 ? found : second;
    }
    assert_ptr_not_equal(first, second);

    DAMAGE(kni_ref, first->effects.ref, second->effects.ref, "is_free"); // held twice
    DAMAGE(uint32_t, first->effects.count, first->effects.capacity + 1, "count <= span->capacity");
    DAMAGE(uint32_t, first->effects.ref, UINT32_MAX, "heap.used");
    DAMAGE(size_t, world->heap.live_bytes, world->heap.live_bytes + 8, "heap is damaged");
    DAMAGE(uint32_t, world->effects.count, world->effects.count + 1, "pool is damaged");
}

static void a_broken_world_is_not_valid(void **state)
{
    kn_world *world = ((fixture *)*state)->world;
    world->is_broken = true;
    assert_false(kn_world_validate(world));
    world->is_broken = false;
    assert_true(kn_world_validate(world));
    assert_false(kn_world_validate(NULL));
}

// Checks after every call ---------------------------------------------------

// Damage that no call repairs or trips over.
static void the_next_call_notices_damage_in_builds_that_validate(void **state)
{
    fixture *f = *state;
    kn_world *world = f->world;
    kn_entity_id entity = kni_entity_id_of(world, 0);
    kn_tag lit = kn_tag_find(f->library, "State.Lit");
    assert_int_equal(kn_entity_add_tag(world, entity, lit, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    f->memory.fail_at = UINT64_MAX; // only counts
    world->unchecked_calls = 0;
    kni_component *component = kni_component_at(world, WITH(effects));
    uint32_t right = component->owned_count++;
    listen();

    kn_result result = kn_entity_add_tag(world, entity, lit, KN_TAG_ORIGIN_LOOSE, 1);

#ifdef KN_VALIDATE
    expect_condition("owned_count");
#else
    kn_assert_set_handler(NULL);
    assert_int_equal(noticed[0], 0);
#endif
    assert_int_equal(result, KN_OK);
    assert_int_equal(f->memory.calls, 0); // the host does not see the check
    component->owned_count = right;
}

#ifdef KN_VALIDATE
// Large worlds are checked less often, so that the cost for each call has a bound.
static void a_large_world_is_checked_now_and_then(void **state)
{
    fixture *f = *state;
    kn_world *world = f->world;
    for (uint32_t i = 0; i < 20000; i++) {
        kn_entity_id entity;
        assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    }
    assert_int_equal(kn_world_step(world, 0), KN_OK);
    kni_component *component = kni_component_at(world, WITH(effects));
    uint32_t right = component->owned_count++;
    uint32_t calls = 0;
    listen();

    while (noticed[0] == 0 && calls < 1000) {
        assert_int_equal(kn_world_step(world, 0), KN_OK);
        calls++;
    }

    expect_condition("owned_count");
    assert_in_range(calls, 2, 100);
    component->owned_count = right;
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(damaged_entities_and_components_are_noticed, setup, teardown),
    cmocka_unit_test_setup_teardown(damaged_effects_are_noticed, setup, teardown),
    cmocka_unit_test_setup_teardown(damaged_tags_are_noticed, setup, teardown),
    cmocka_unit_test_setup_teardown(damaged_values_and_modifiers_are_noticed, setup, teardown),
    cmocka_unit_test_setup_teardown(damaged_timers_are_noticed, setup, teardown),
    cmocka_unit_test_setup_teardown(damaged_memory_is_noticed, setup, teardown),
    cmocka_unit_test_setup_teardown(a_broken_world_is_not_valid, setup, teardown),
    cmocka_unit_test_setup_teardown(
        the_next_call_notices_damage_in_builds_that_validate, setup, teardown),
#ifdef KN_VALIDATE
    cmocka_unit_test_setup_teardown(a_large_world_is_checked_now_and_then, setup, teardown),
#endif
};

TEST_GROUP(test_validate, tests, NULL, NULL);
