// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Files change while a world runs: it continues with the new definitions, or with those it had.

#define _POSIX_C_SOURCE 200809L

#include "data_fixture.h"

#include <unistd.h>

static const char vitals[] = "attribute_sets:\n"
                             "  Vitals: {attributes: {Health: 100, Mana: 50}}\n"
                             "archetypes: {Hero: {sets: Vitals, abilities: [Channel]}}\n";

// A folder with one file that changes, a world that plays it: the hero burns and channels.
typedef struct fixture {
    char folder[64];
    kn_data *data;
    kn_library *library;
    kn_world *world;
    kn_entity_id hero;
    kn_effect_id burn;
    kn_activation_id channel;
} fixture;

static kn_result channel_activate(const kn_ability_call *call)
{
    (void)call;
    return KN_OK; // and goes on
}

// Tries to reload from inside the simulation, and ends.
static kn_result meddle_activate(const kn_ability_call *call)
{
    kn_error error = {0};
    kn_result result = kn_world_reload(call->world, kn_world_library(call->world), &error);
    return result == KN_ERROR_WORLD_LOCKED && error.message[0] != 0
               ? kn_activation_end(call->world, call->activation)
               : KN_ERROR_INVALID_ARGUMENT;
}

static void file_write(const fixture *f, const char *name, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", f->folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void file_remove(const fixture *f, const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", f->folder, name);
    (void)remove(path);
}

static float health(const fixture *f)
{
    return kn_attribute_value(f->world, f->hero, kn_attribute_find(f->library, "Vitals.Health"));
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    *state = f;
    (void)snprintf(f->folder, sizeof(f->folder), "data_reload_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    file_write(f, "vitals.yaml", vitals);
    file_write(f, "game.yaml",
        "tags: [State.Burning]\n"
        "effects:\n"
        "  Burn: {duration: 10, period: 1, skip_first_tick: true, modifiers: {Vitals.Health: -3},\n"
        "    granted_tags: [State.Burning]}\n"
        "abilities:\n"
        "  Channel: {native: channel, activation: {required: State.Burning}}\n"
        "  Meddle: {native: meddle}\n");
    f->data = data_create();
    kn_ability_def hooks = kn_ability_def_default();
    hooks.activate = channel_activate;
    hooks.state_size = 4;
    assert_int_equal(kn_data_add_native(f->data, KN_DEF_ABILITY, "channel", &hooks), KN_OK);
    hooks.activate = meddle_activate;
    assert_int_equal(kn_data_add_native(f->data, KN_DEF_ABILITY, "meddle", &hooks), KN_OK);
    assert_int_equal(kn_data_add_folder(f->data, f->folder), KN_OK);
    f->library = data_build(f->data);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    assert_int_equal(
        kn_archetype_spawn(f->world, kn_archetype_find(f->library, "Hero"), 1.0f, &f->hero), KN_OK);
    kn_effect_type_id burn = kn_effect_type_find(f->library, "Burn");
    assert_int_equal(
        kn_effect_apply_simple(f->world, burn, f->hero, f->hero, 1.0f, &f->burn), KN_OK);
    assert_int_equal(kn_ability_activate_type(f->world, f->hero,
                         kn_ability_type_find(f->library, "Channel"), &f->channel),
        KN_OK);
    assert_int_equal(kn_world_step(f->world, KN_MS(2500)), KN_OK); // two ticks and a half
    assert_true(health(f) == 94.0f);
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    kn_data_destroy(f->data);
    file_remove(f, "game.yaml");
    file_remove(f, "more.yaml");
    file_remove(f, "vitals.yaml");
    assert_int_equal(rmdir(f->folder), 0);
    free(f);
    return 0;
}

static void expect_as_before(const fixture *f, uint64_t hash)
{
    assert_ptr_equal(kn_world_library(f->world), f->library);
    assert_true(kn_world_hash(f->world) == hash);
    assert_true(kn_activation_is_alive(f->world, f->channel));
    assert_true(kn_effect_is_alive(f->world, f->burn));
}

// The burn ticks stronger, tags and attributes have other numbers, more is there to use.
static void a_world_in_the_middle_of_things_follows_changed_files(void **state)
{
    fixture *f = *state;
    file_write(f, "game.yaml",
        "tags: [Another, State.Wet, State.Burning]\n"
        "effects:\n"
        "  Aid: {modifiers: {Vitals.Health: 40}}\n"
        "  Burn: {duration: 10, period: 1, skip_first_tick: true, modifiers: {Vitals.Health: -5},\n"
        "    granted_tags: [State.Burning]}\n"
        "abilities: {Channel: {native: channel, activation: {required: State.Burning}, input: "
        "4}}\n");
    file_write(f, "more.yaml", "attribute_sets: {Armor: {attributes: {Plates: 2}}}\n");
    kn_library *fresh = data_build(f->data);
    kn_error error;
    assert_int_equal(kn_world_reload(f->world, fresh, &error), KN_OK);
    kn_library_destroy(f->library);
    f->library = fresh;
    assert_true(health(f) == 94.0f);
    assert_true(kn_effect_is_alive(f->world, f->burn));
    assert_true(kn_activation_is_alive(f->world, f->channel));
    assert_true(kn_entity_has_tag(f->world, f->hero, kn_tag_find(f->library, "State.Burning")));
    assert_int_equal(kn_world_step(f->world, KN_MS(1000)), KN_OK); // the third tick, on time
    assert_true(health(f) == 89.0f);
    kn_effect_type_id aid = kn_effect_type_find(f->library, "Aid");
    assert_int_equal(kn_effect_apply_simple(f->world, aid, f->hero, f->hero, 1.0f, NULL), KN_OK);
    assert_true(health(f) == 129.0f);
    assert_int_equal(kn_world_step(f->world, KN_S(10)), KN_OK);
    assert_true(health(f) == 129.0f - 7.0f * 5.0f); // ten ticks in all
    assert_false(kn_effect_is_alive(f->world, f->burn));
}

static void files_with_mistakes_change_nothing(void **state)
{
    fixture *f = *state;
    uint64_t hash = kn_world_hash(f->world);
    file_write(f, "game.yaml", "effects: {Burn: {duraton: 10}}\n");
    kn_library *fresh;
    assert_int_equal(kn_data_build(f->data, &fresh), KN_ERROR_BAD_DATA);
    assert_null(fresh);
    assert_true(kn_data_error_count(f->data) >= 2); // and the archetype's ability is gone
    expect_as_before(f, hash);
    assert_int_equal(kn_world_step(f->world, KN_S(1)), KN_OK);
    assert_true(health(f) == 91.0f);
}

// Good files that a running world cannot follow.
static void what_cannot_be_followed_is_refused_with_its_reason(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *vitals, *game, *reason;
    } changes[] = {
        {"attribute_sets: {Other: {attributes: {Health: 100}}}\n", "tags: [State.Wet]\n",
            "the library lacks what the world has: "},
        {NULL,
            "tags: [State.Burning]\neffects: {Burn: {modifiers: {Vitals.Health: -3}}}\n"
            "abilities: {Channel: {native: channel}}\n",
            "effect `Burn` is active in the world but instant here"},
        {NULL,
            "tags: [State.Burning]\n"
            "effects: {Burn: {duration: 10, period: 1, modifiers: {Vitals.Health: "
            "-source.Vitals.Mana}}}\n"
            "abilities: {Channel: {native: channel}}\n",
            "effect `Burn` has other needs than in the world: it now keeps captures, timers or "
            "state"},
        {"attribute_sets: {Vitals: {attributes: {Health: 100, Mana: 50}}}\n",
            "tags: [State.Burning]\n"
            "effects: {Burn: {duration: 10, period: 1, modifiers: {Vitals.Health: -3}}}\n",
            "Channel"},
        {NULL, "effects: {Scorch: {duration: 10}}\nabilities: {Channel: {native: channel}}\n",
            "Burn"},
        {"attribute_sets: {Vitals: {attributes: {Health: 100}}}\n"
         "archetypes: {Hero: {sets: Vitals, abilities: [Channel]}}\n",
            "tags: [State.Burning]\n"
            "effects: {Burn: {duration: 10, period: 1, modifiers: {Vitals.Health: -3}}}\n"
            "abilities: {Channel: {native: channel}}\n",
            "Mana"},
    };
    uint64_t hash = kn_world_hash(f->world);
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        file_write(f, "vitals.yaml", changes[i].vitals != NULL ? changes[i].vitals : vitals);
        file_write(f, "game.yaml", changes[i].game);
        kn_library *fresh = data_build(f->data);
        kn_error error = {0};
        kn_result result = kn_world_reload(f->world, fresh, &error);
        if (result != KN_ERROR_BAD_DATA || strstr(error.message, changes[i].reason) == NULL) {
            fail_msg("%s, %s: %s", changes[i].reason, kn_result_name(result), error.message);
        }
        if (i == 0) { // all that is missing, not only the first
            const char *const names[] = {"`Vitals`", "`Burn`", "`Channel`", "Vitals.Mana"};
            for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
                assert_non_null(strstr(error.message, names[n]));
            }
        }
        expect_as_before(f, hash);
        kn_library_destroy(fresh);
    }
    assert_int_equal(kn_world_step(f->world, KN_S(1)), KN_OK);
    assert_true(health(f) == 91.0f);
}

static void only_between_calls_is_it_safe(void **state)
{
    fixture *f = *state;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = kn_ability_type_find(f->library, "Meddle");
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant, &ability), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_OK);
    assert_ptr_equal(kn_world_library(f->world), f->library);
    assert_true(kn_effect_is_alive(f->world, f->burn));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(
        a_world_in_the_middle_of_things_follows_changed_files, setup, teardown),
    cmocka_unit_test_setup_teardown(files_with_mistakes_change_nothing, setup, teardown),
    cmocka_unit_test_setup_teardown(only_between_calls_is_it_safe, setup, teardown),
    cmocka_unit_test_setup_teardown(
        what_cannot_be_followed_is_refused_with_its_reason, setup, teardown),
};

TEST_GROUP(data_reload, tests, NULL, NULL);
