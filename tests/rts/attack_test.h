// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of attacks share: content with soldiers, archers and what they fight with, on the
// field that tests of orders play on.
#ifndef KNACK_RTS_ATTACK_TEST_H
#define KNACK_RTS_ATTACK_TEST_H

#include "order/order_content.h"

#include "knack/order_ready.h"
#include "knack/rts_attack.h"
#include "knack/save.h"

#include <math.h>

// Everything but the rules and weapons, which each test may have of its own.
#define ATTACK_BASE                                                                                \
    "kits: [order, ready_orders, rts]\n"                                                           \
    "settings: {fail_tags: standard}\n"                                                            \
    "tags: [Unit.Soldier, Unit.Archer, Unit.Spare, Armour.Light, Armour.Heavy, Damage.Pierce,\n"   \
    "  Damage.Pierce.Fire, Damage.Crush, Buff.Frost, Buff.Flame, Orb, Event.Poison]\n"             \
    "attribute_sets:\n"                                                                            \
    "  Body:\n"                                                                                    \
    "    attributes:\n"                                                                            \
    "      Health: {default_value: 100, base_min: 0}\n"                                            \
    "      Mana: {default_value: 10, base_min: 0}\n"                                               \
    "      Armour: {default_value: 0}\n"                                                           \
    "      Evasion: {default_value: 0}\n"                                                          \
    "      Luck: {default_value: 0}\n"                                                             \
    "      Second: {default_value: 7}\n"                                                           \
    "movers:\n"                                                                                    \
    "  Walk: {speed: 4, rate: 20, tag: Unit.Soldier}\n"                                            \
    "order_units:\n"                                                                               \
    "  Soldier:\n"                                                                                 \
    "    {tag: Unit.Soldier, stop: Knack.Stop, autos: [{type: Knack.Rts.Attack}],\n"               \
    "     acquisition_radius: 12, auto_interval: 0}\n"                                             \
    "archetypes:\n"                                                                                \
    "  Soldier:\n"                                                                                 \
    "    sets: [Body, Knack.Rts.Attack]\n"                                                         \
    "    tags: [Knack.Status.Alive, Unit.Soldier]\n"                                               \
    "    values: {Knack.Rts.Attack.Damage: 20, Knack.Rts.Attack.Range: 2}\n"                       \
    "  Archer:\n"                                                                                  \
    "    sets: [Body, Knack.Rts.Attack]\n"                                                         \
    "    tags: [Knack.Status.Alive, Unit.Soldier, Unit.Archer]\n"                                  \
    "    values: {Knack.Rts.Attack.Damage: 20, Knack.Rts.Attack.Range: 30}\n"                      \
    "  Dummy: {sets: [Body], tags: [Knack.Status.Alive]}\n"

static inline kn_library *attack_library(const char *text)
{
    static const kn_kit kits[] = {{"order", kn_order_register},
        {"ready_orders", kn_order_ready_register}, {"rts", kn_rts_register}};
    return library_load(kits, 3, text);
}

static inline kn_tag tag_of(const field *f, const char *name)
{
    kn_tag tag = kn_tag_find(f->library, name);
    assert_int_not_equal(tag.index1, 0);
    return tag;
}

static inline kn_attribute_id attribute_of(const field *f, const char *name)
{
    kn_attribute_id attribute = kn_attribute_find(f->library, name);
    assert_int_not_equal(attribute.index1, 0);
    return attribute;
}

static inline void base_set(field *f, kn_entity_id entity, const char *attribute, float value)
{
    assert_int_equal(
        kn_attribute_set_base(f->world, entity, attribute_of(f, attribute), 0, value), KN_OK);
}

static inline float health(const field *f, kn_entity_id entity)
{
    return value_of(f, entity, "Body.Health");
}

static inline kn_rts_weapon_id weapon_named(const field *f, const char *name)
{
    kn_rts_weapon_id weapon = kn_rts_weapon_find(f->library, name);
    assert_int_not_equal(weapon.index1, 0);
    return weapon;
}

static inline void arm(field *f, kn_entity_id entity, const char *weapon)
{
    assert_int_equal(kn_rts_weapon_add(f->world, entity, weapon_named(f, weapon)), KN_OK);
}

static inline kn_rts_weapon_info weapon_info(const field *f, kn_entity_id entity)
{
    kn_rts_weapon_info info = {0};
    assert_true(kn_rts_weapons(f->world, entity, &info, 1) >= 1);
    return info;
}

static inline void step_us(field *f, kn_time us)
{
    assert_int_equal(kn_world_step(f->world, us), KN_OK);
}

static inline void step_ms(field *f, int64_t ms)
{
    step_us(f, KN_MS(ms));
}

static inline void die(field *f, kn_entity_id entity)
{
    assert_int_equal(kn_entity_set_tag_count(f->world, entity, tag_of(f, "Knack.Status.Alive"),
                         KN_TAG_ORIGIN_LOOSE_SYNCED, 0),
        KN_OK);
}

static inline void near(float value, float expected, float slack)
{
    if (!(fabsf(value - expected) <= slack)) {
        fail_msg("%.6f is not %.6f", (double)value, (double)expected);
    }
}

// Saves a world and loads it again.
static inline void save_and_load(field *f)
{
    size_t size = 0;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    void *bytes = malloc(size);
    const uint64_t before = kn_world_hash(f->world);
    assert_int_equal(kn_save_write(f->world, bytes, size, &size), KN_OK);
    assert_int_equal(kn_save_read(f->world, bytes, size, NULL), KN_OK);
    assert_true(kn_world_hash(f->world) == before);
    free(bytes);
}

// The payload of the custom events of a kind that the last step published, of the first `capacity`
// of them; how many there are.
static inline uint32_t events_of(
    const field *f, const char *name, void *out, uint32_t size, uint32_t capacity)
{
    const kn_custom_event_id kind = kn_custom_event_find(f->library, name);
    const kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CUSTOM &&
            events.data[i].data.custom.kind.index1 == kind.index1) {
            uint32_t bytes;
            const void *payload = kn_event_payload(f->world, &events.data[i], &bytes);
            assert_int_equal(bytes, size);
            if (count < capacity) {
                memcpy((char *)out + (size_t)count * size, payload, size);
            }
            count++;
        }
    }
    return count;
}

#endif
