// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Dumps as JSON: whole worlds at every step of a fight, a small page key by key, and buffers that
// are too small.

#include "json_reader.h"
#include "rich_world.h"
#include "scenes/scene.h"

#include <math.h>

// A whole dump in a block of its own.
static char *entity_json(const kn_world *world, kn_entity_id entity)
{
    uint32_t length = kn_entity_dump_json(world, entity, NULL, 0);
    char *text = malloc(length + 1);
    assert_int_equal(kn_entity_dump_json(world, entity, text, length + 1), length);
    assert_int_equal(strlen(text), length);
    return text;
}

static char *world_json(const kn_world *world)
{
    uint32_t length = kn_world_dump_json(world, NULL, 0);
    char *text = malloc(length + 1);
    assert_int_equal(kn_world_dump_json(world, text, length + 1), length);
    assert_int_equal(strlen(text), length);
    return text;
}

static void assert_float_at(const char *text, const char *path, float expected)
{
    float value;
    assert_true(kn_float_parse(json_at(text, path), &value));
    assert_memory_equal(&value, &expected, sizeof(value));
}

static void assert_time_at(const char *text, const char *path, kn_time expected)
{
    if (expected == KN_TIME_INFINITE) {
        assert_string_equal(json_at(text, path), "null");
    } else {
        assert_int_equal(kn_time_from_seconds(strtod(json_at(text, path), NULL)), expected);
    }
}

// Every attribute and effect of the text is what the world says, to the bit.
static void assert_reads_back(const kn_world *world, kn_entity_id entity, const char *text)
{
    const kn_library *library = kn_world_library(world);
    char path[64], expected[64];
    (void)snprintf(expected, sizeof(expected), "\"%u:%u\"", entity.index1, entity.generation);
    assert_string_equal(json_at(text, "id"), expected);
    uint32_t attributes = json_count(json_find(text, "attributes"));
    for (uint32_t i = 0; i < attributes; i++) {
        const char *one = json_element_at(json_find(text, "attributes"), i);
        char name[128];
        (void)snprintf(name, sizeof(name), "%.127s", json_at(one, "attribute") + 1);
        name[strlen(name) - 1] = 0;
        kn_attribute_id attribute = kn_attribute_find(library, name);
        uint32_t key = (uint32_t)strtoul(json_at(one, "key"), NULL, 10);
        assert_int_not_equal(attribute.index1, 0);
        float value = kn_attribute_value_keyed(world, entity, attribute, key);
        assert_float_at(one, "current", value);
        assert_float_at(one, "base", kn_attribute_base_keyed(world, entity, attribute, key));
        uint32_t lines = json_count(json_find(one, "lines"));
        assert_true(lines > 0);
        (void)snprintf(path, sizeof(path), "lines[%u].result", lines - 1);
        assert_float_at(one, path, value); // the last line of an explanation is the value
    }
    kn_effect_id effects[64];
    kn_effect_query query = kn_effect_query_default();
    uint32_t count = kn_effects_find(world, entity, &query, effects, 64);
    assert_int_equal(json_count(json_find(text, "effects")), count);
    for (uint32_t i = 0; i < count && i < 64; i++) {
        kn_effect_info info;
        assert_true(kn_effect_get(world, effects[i], &info));
        const char *one = json_element_at(json_find(text, "effects"), i);
        (void)snprintf(
            expected, sizeof(expected), "\"%u:%u\"", effects[i].index1, effects[i].generation);
        assert_string_equal(json_at(one, "id"), expected);
        assert_float_at(one, "level", info.level);
        assert_time_at(one, "remaining", info.remaining);
        assert_time_at(one, "duration", info.duration);
        assert_time_at(one, "start", info.start);
        assert_time_at(one, "period", info.period > 0 ? info.period : KN_TIME_INFINITE);
        assert_int_equal(strtoul(json_at(one, "stacks"), NULL, 10), info.stacks);
        assert_int_equal(strtoul(json_at(one, "executions"), NULL, 10), info.executions);
    }
    kn_ability_id abilities[64];
    count = kn_abilities_find(world, entity, NULL, abilities, 64);
    assert_int_equal(json_count(json_find(text, "abilities")), count);
    for (uint32_t i = 0; i < count && i < 64; i++) {
        kn_ability_info info;
        assert_true(kn_ability_get(world, abilities[i], &info));
        const char *one = json_element_at(json_find(text, "abilities"), i);
        assert_float_at(one, "level", info.level);
        assert_int_equal(strtoul(json_at(one, "input"), NULL, 10), info.input);
        assert_string_equal(json_at(one, "pressed"), info.is_pressed ? "true" : "false");
        assert_int_equal(json_count(json_find(one, "activations")), info.active_count);
    }
}

// Every element of a list has these keys, one word each. Returns how many elements there are.
static uint32_t assert_keys(const char *list, const char *keys)
{
    assert_non_null(list);
    uint32_t count = json_count(list);
    for (uint32_t i = 0; i < count; i++) {
        for (const char *at = keys; *at != 0; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            if (json_member(json_element_at(list, i), at, length) == NULL) {
                fail_msg("no \"%.*s\" in %.200s", (int)length, at, json_element_at(list, i));
            }
            at += length;
        }
    }
    return count;
}

// "All keys are always there", as docs/debugging.md lists them. Counts what was looked at.
static void assert_all_keys(const char *text, uint32_t seen[8])
{
    size_t size = strlen(text) + 3;
    char *list = malloc(size);
    assert_non_null(list);
    (void)snprintf(list, size, "[%s]", text);
    (void)assert_keys(list,
        "id time user connection dying body body_of part_of owned_by tags blocked_ability_tags "
        "attributes effects abilities cooldowns cues cues_suppressed components");
    free(list);
    seen[0] += assert_keys(json_find(text, "tags"), "tag count origins shown");
    seen[1] +=
        assert_keys(json_find(text, "attributes"), "attribute key current base min max meta lines");
    const char *effects = json_find(text, "effects");
    seen[2] += assert_keys(effects,
        "id type number level stacks source source_alive instigator causer start duration "
        "remaining period next_tick_in executions gained lost inhibited inhibited_by modifiers "
        "grants_tags");
    for (uint32_t i = 0; i < json_count(effects); i++) {
        seen[3] += assert_keys(json_find(json_element_at(effects, i), "modifiers"),
            "key operation channel magnitude acts why_not");
    }
    const char *abilities = json_find(text, "abilities");
    seen[4] += assert_keys(abilities,
        "id type level input pressed removing grants source granted_by user tags refusals "
        "activations");
    for (uint32_t i = 0; i < json_count(abilities); i++) {
        const char *ability = json_element_at(abilities, i);
        (void)assert_keys(json_find(ability, "refusals"),
            "reason fail_tag tag attribute have need remaining total effect ability");
        const char *activations = json_find(ability, "activations");
        seen[5] += assert_keys(activations, "id start cancelable blocking idle paid tasks");
        for (uint32_t k = 0; k < json_count(activations); k++) {
            seen[6] += assert_keys(json_find(json_element_at(activations, k), "tasks"),
                "id kind about entity label started due_in");
        }
    }
    seen[7] += assert_keys(json_find(text, "cooldowns"), "charges max next_in next_use_in");
    (void)assert_keys(json_find(text, "cues"), "tag count instigator activation magnitude");
    (void)assert_keys(json_find(text, "components"), "type fields items");
}

static void assert_world_dumps(const kn_world *world)
{
    uint64_t hash = kn_world_hash(world);
    char *all = world_json(world);
    assert_true(json_is_valid(all));
    assert_int_equal(json_count(json_find(all, "entities")), kn_entity_count(world));
    char *again = world_json(world);
    assert_string_equal(all, again);
    free(again);
    free(all);
    for (kn_entity_id e = kn_entity_next(world, (kn_entity_id){0}); e.index1 != 0;
         e = kn_entity_next(world, e)) {
        char *one = entity_json(world, e);
        assert_true(json_is_valid(one));
        assert_reads_back(world, e, one);
        free(one);
    }
    assert_true(kn_world_hash(world) == hash); // looking changes nothing
}

// DBG-001, DBG-004, DBG-005: everything about anybody, as data, at any moment.
static void a_fight_can_be_read_at_every_step(void **state)
{
    (void)state;
    const scene_info *scene = scene_find("hero_kit");
    assert_non_null(scene);
    kn_library *library;
    kn_world *world;
    assert_int_equal(scene_create_library(scene, NULL, &library, NULL), KN_OK);
    assert_int_equal(scene_create_world(scene, library, NULL, &world), KN_OK);
    uint32_t tasks = 0, refusals = 0;
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(scene_step(world, i, 10), KN_OK);
        if (i % SHARE(8) == 0) {
            assert_world_dumps(world);
        }
        char *all = world_json(world);
        tasks += strstr(all, "\"tasks\":[{") != NULL;
        refusals += strstr(all, "\"refusals\":[{\"reason\":\"on cooldown\"") != NULL;
        free(all);
    }
    assert_true(tasks > 0);
    assert_true(refusals > 0);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

// The keys of the page, in a fight and in everything that can be kept.
static void all_keys_are_always_there(void **state)
{
    (void)state;
    const scene_info *scene = scene_find("hero_kit");
    kn_library *libraries[2] = {NULL, rich_library(0)};
    assert_int_equal(scene_create_library(scene, NULL, &libraries[0], NULL), KN_OK);
    kn_world *worlds[2] = {NULL, rich_world_create(libraries[1], NULL)};
    assert_int_equal(scene_create_world(scene, libraries[0], NULL, &worlds[0]), KN_OK);
    uint32_t seen[8] = {0};
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(scene_step(worlds[0], i, 10), KN_OK);
        rich_step(worlds[1], 2);
        for (uint32_t w = 0; w < 2 && i % SHARE(5) == 0; w++) {
            for (kn_entity_id e = kn_entity_next(worlds[w], (kn_entity_id){0}); e.index1 != 0;
                 e = kn_entity_next(worlds[w], e)) {
                char *one = entity_json(worlds[w], e);
                assert_all_keys(one, seen);
                free(one);
            }
        }
    }
    for (uint32_t i = 0; i < 8; i++) {
        assert_true(seen[i] > 0);
    }
    for (uint32_t w = 0; w < 2; w++) {
        kn_world_destroy(worlds[w]);
        kn_library_destroy(libraries[w]);
    }
}

// The same for everything that can be kept; and a world that was rolled back prints the same again.
static void a_rich_world_can_be_read_before_and_after_a_rollback(void **state)
{
    (void)state;
    kn_library *library = rich_library(0);
    kn_world *world = rich_world_create(library, NULL);
    for (uint32_t i = 0; i < 12 / SHARE(4); i++) {
        size_t size = kn_snapshot_size(world), written;
        void *snapshot = malloc(size);
        assert_int_equal(kn_snapshot_take(world, snapshot, size, &written), KN_OK);
        char *before = world_json(world);
        rich_step(world, 3);
        assert_world_dumps(world);
        assert_int_equal(kn_snapshot_restore(world, snapshot, size), KN_OK);
        char *after = world_json(world);
        assert_string_equal(before, after);
        free(before);
        free(after);
        free(snapshot);
        rich_step(world, 3);
    }
    size_t size;
    uint8_t *save = save_of(world, &size);
    assert_int_equal(kn_save_read(world, save, size, NULL), KN_OK);
    free(save);
    assert_world_dumps(world);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void a_buffer_that_is_too_small_is_cut(void **state)
{
    (void)state;
    kn_library *library = rich_library(0);
    kn_world *world = rich_world_create(library, NULL);
    rich_step(world, 20);
    kn_entity_id entity = kn_entity_next(world, (kn_entity_id){0});
    char *whole[2] = {entity_json(world, entity), world_json(world)};
    for (uint32_t w = 0; w < 2; w++) {
        uint32_t length = (uint32_t)strlen(whole[w]);
        char *buffer = malloc(length + 2);
        for (uint32_t size = 0; size <= length + 1; size += size < 400 ? 1 : 97 * SHARE(4)) {
            memset(buffer, '#', length + 2);
            uint32_t full = w == 0 ? kn_entity_dump_json(world, entity, buffer, size)
                                   : kn_world_dump_json(world, buffer, size);
            assert_int_equal(full, length);
            assert_int_equal(buffer[size], '#');
            if (size > 0) {
                uint32_t fitting = size - 1 < length ? size - 1 : length;
                assert_int_equal(strlen(buffer), fitting);
                assert_memory_equal(buffer, whole[w], fitting);
            }
        }
        free(buffer);
        free(whole[w]);
    }
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void nobody_has_no_dump(void **state)
{
    (void)state;
    kn_library *library = rich_library(0);
    kn_world *world = rich_empty_world(library, NULL);
    char text[128] = "#";
    assert_int_equal(kn_entity_dump_json(world, (kn_entity_id){0}, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    assert_true(kn_entity_destroy(world, entity));
    assert_int_equal(kn_entity_dump_json(world, entity, NULL, 0), 0);
    assert_int_equal(kn_world_dump_json(NULL, text, sizeof(text)), 0);
    assert_true(kn_world_dump_json(world, text, sizeof(text)) > 0);
    assert_string_equal(text, "{\"time\":0,\"broken\":false,\"entities\":[],\"components\":[],"
                              "\"systems\":[],\"tickers\":[],\"watches\":[]}");
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_fight_can_be_read_at_every_step),
    cmocka_unit_test(all_keys_are_always_there),
    cmocka_unit_test(a_rich_world_can_be_read_before_and_after_a_rollback),
    cmocka_unit_test(a_buffer_that_is_too_small_is_cut),
    cmocka_unit_test(nobody_has_no_dump),
};

TEST_GROUP(debug_json, tests, NULL, NULL);
