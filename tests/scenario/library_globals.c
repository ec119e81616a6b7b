// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A library is the one place for settings that hold everywhere: names of reasons, the tag of the
// dead, the root of cues, tables of starting values, payloads of contexts. There is no other, none
// is global, and nothing has to be called first.

#include "scenario/ability_fixture.h"

// What one game sets and another does not.
typedef struct settings {
    const char *cooldown_tag; // NULL: the standard names
    const char *dead_tag;
    const char *cue_root; // NULL: as it is
    float start_health;
    bool has_cue_init;
} settings;

typedef struct game {
    fixture f;
    kn_ability_id ability;
    kn_tag cue;
    kn_effect_type_id hit;
} game;

static void shout(void *user, const kn_spec_view *spec, kn_cue_params *params)
{
    (void)user;
    (void)spec;
    params->magnitude = 99.0f;
}

static void note_cue(const kn_cue_call *call)
{
    note(call->user, "shows %g. ", (double)call->params->magnitude);
}

static kn_result commit(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

static void game_settings(fixture *f, const settings *s)
{
    if (s->cooldown_tag != NULL) {
        assert_int_equal(
            kn_ability_fail_tag_set(f->library, KN_FAIL_COOLDOWN, tag_of(f, s->cooldown_tag)),
            KN_OK);
    } else {
        assert_int_equal(kn_ability_fail_tags_register(f->library, NULL), KN_OK);
    }
    assert_int_equal(kn_ability_dead_tag_set(f->library, tag_of(f, s->dead_tag)), KN_OK);
    if (s->cue_root != NULL) {
        assert_int_equal(kn_cue_root_set(f->library, tag_of(f, s->cue_root)), KN_OK);
    }
    if (s->has_cue_init) {
        assert_int_equal(kn_cue_init_set(f->library, shout, NULL), KN_OK);
    }
    kn_attribute_row row = {"Hero", "Vitals.Health", 1, s->start_health};
    assert_int_equal(kn_attribute_table_register(f->library, &row, 1, NULL), KN_OK);
}

static void game_set(fixture *f)
{
    kn_attribute_def health = attribute_def("Health", 1.0f);
    f->set = set_register(f, "Vitals", &health, 1);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
}

static kn_ability_type_id game_types(game *g, const char *cue)
{
    fixture *f = &g->f;
    kn_cooldown_def rest = kn_cooldown_seconds(5.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Cast";
    def.activate = commit;
    def.cooldowns = &rest;
    def.cooldown_count = 1;
    kn_effect_def hit = instant("Hit");
    hit.cue_tags = tags_of(f, cue);
    g->cue = tag_of(f, cue);
    g->hit = effect_register(f, &hit);
    return ability_register(f, &def);
}

// Everything is registered either with the settings first or with them last.
static void game_create(game *g, const settings *s, const char *cue, bool settings_first)
{
    *g = (game){.f = {.entity_count = 2}};
    fixture *f = &g->f;
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    if (settings_first) {
        game_settings(f, s);
    }
    kn_ability_type_id type = game_types(g, cue);
    game_set(f);
    if (!settings_first) {
        game_settings(f, s);
    }
    begin(f);
    assert_int_equal(kn_attribute_init_group(f->world, f->hero, "Hero", 1, 0), KN_OK);
    g->ability = grant(f, type);
}

static void game_destroy(game *g)
{
    kn_world_destroy(g->f.world);
    kn_library_destroy(g->f.library);
}

// What can be seen of the settings: start, reason, death, cue.
static void game_play(game *g)
{
    fixture *f = &g->f;
    note(f, "%g health. ", (double)value_of(f, f->health));
    activate(f, g->ability);
    uint32_t reasons = kn_ability_check(f->world, g->ability, NULL);
    kn_tag tag = {0};
    (void)kn_ability_fail_tags(f->world, reasons, &tag, 1);
    note(f, "%s. ", kn_tag_name(f->library, tag));
    kn_cue_player_def def = kn_cue_player_def_default();
    def.library = f->library;
    kn_cue_player *player;
    assert_int_equal(kn_cue_player_create(&def, &player), KN_OK);
    kn_cue_handler_def handler = kn_cue_handler_def_default();
    handler.tag = g->cue;
    handler.executed = note_cue;
    handler.user = f;
    assert_int_equal(kn_cue_handler_add(player, &handler), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f->world, g->hit, f->foe, f->hero, 1.0f, NULL), KN_OK);
    step(f, 0);
    kn_cue_player_update(player, f->world);
    kn_cue_player_destroy(player);
    kn_tag dead = kn_tag_find(f->library, "State.Fallen");
    if (dead.index1 != 0) {
        add_tag(f, f->hero, dead);
    }
    note(f, "%s. ",
        (kn_ability_check(f->world, g->ability, NULL) & KN_FAIL_DEAD) != 0 ? "dead" : "alive");
}

static const settings plain = {.dead_tag = "State.Dead", .start_health = 120.0f};
static const settings own = {.cooldown_tag = "Nope.TooSoon",
    .dead_tag = "State.Fallen",
    .cue_root = "Show",
    .start_health = 80.0f,
    .has_cue_init = true};

// ASG-001, ASG-002, ASG-003, SET-006: the parts that can be chosen are chosen here, and two games
// of different choices live in one process.
static void a_library_holds_the_settings_of_its_game_and_of_no_other(void **state)
{
    (void)state;
    game first, second;
    game_create(&first, &plain, "GameplayCue.Hit", true);
    game_create(&second, &own, "Show.Hit", true);
    game_play(&first);
    game_play(&second);
    EXPECT_LOG(&first.f, "120 health. Activation.Fail.OnCooldown. shows 0. alive. ");
    EXPECT_LOG(&second.f, "80 health. Nope.TooSoon. shows 99. dead. ");
    game_destroy(&first);
    game_destroy(&second);
}

// ASG-001, ASG-003: settings are made before play and then stay.
static void a_finished_library_keeps_its_settings(void **state)
{
    (void)state;
    game g;
    game_create(&g, &plain, "GameplayCue.Hit", true);
    kn_library *library = g.f.library;
    uint64_t before = kn_library_hash(library);
    kn_tag tag = kn_tag_find(library, "State.Dead");
    kn_context_type_id context;
    kn_attribute_row row = {"Hero", "Vitals.Health", 2, 5.0f};
    assert_int_equal(kn_ability_fail_tags_register(library, NULL), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_ability_fail_tag_set(library, KN_FAIL_COST, tag), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_ability_dead_tag_set(library, tag), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_cue_root_set(library, tag), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_cue_init_set(library, shout, NULL), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_attribute_table_register(library, &row, 1, NULL), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(
        kn_context_type_register(library, "Late", 4, &context, NULL), KN_ERROR_WORLD_LOCKED);
    assert_true(kn_library_hash(library) == before);
    game_play(&g);
    EXPECT_LOG(&g.f, "120 health. Activation.Fail.OnCooldown. shows 0. alive. ");
    game_destroy(&g);
}

// ASG-003: the six reasons have names of the game's, one by one.
static void each_of_the_reasons_can_have_another_name(void **state)
{
    (void)state;
    static const kn_fail reasons[] = {KN_FAIL_DEAD, KN_FAIL_COOLDOWN, KN_FAIL_COST, KN_FAIL_BLOCKED,
        KN_FAIL_MISSING_TAGS, KN_FAIL_NETWORKING};
    fixture f = {.library = NULL};
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &f.library), KN_OK);
    assert_int_equal(kn_ability_fail_tag(f.library, KN_FAIL_COST).index1, 0);
    for (uint32_t i = 0; i < 6; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "My.Reason%u", i);
        assert_int_equal(kn_ability_fail_tag_set(f.library, reasons[i], tag_of(&f, name)), KN_OK);
    }
    for (uint32_t i = 0; i < 6; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "My.Reason%u", i);
        kn_tag tag = kn_ability_fail_tag(f.library, reasons[i]);
        assert_string_equal(kn_tag_name(f.library, tag), name);
    }
    kn_library_destroy(f.library);
}

// ASG-002: what an effect carries along is the game's choice: a payload of its own type.
static void contexts_are_of_the_games_own_making(void **state)
{
    (void)state;
    fixture *f = fixture_create(2);
    kn_effect_context context = {.source_object = 1};
    kn_context_type_id other;
    assert_int_equal(
        kn_context_type_register(f->library, "Hit", 8, &context.payload_type, NULL), KN_OK);
    assert_int_equal(kn_context_type_register(f->library, "Other", 8, &other, NULL), KN_OK);
    kn_effect_def burn = infinite("Burn");
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = effect_register(f, &burn);
    game_set(f);
    begin(f);
    uint64_t payload = UINT64_C(0x1122334455667788);
    context.payload = &payload;
    apply.target = f->hero;
    apply.context = &context;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &apply, &effect), KN_OK);
    payload = 0; // copied
    const uint64_t *kept = kn_effect_payload(f->world, effect, context.payload_type);
    assert_true(*kept == UINT64_C(0x1122334455667788));
    assert_null(kn_effect_payload(f->world, effect, other));
    assert_true(fixture_destroy(f));
}

// ASG-004, SET-003, CHG-019, TRB-002: a library that was just made reads and writes target data;
// there is no other beginning.
static void nothing_has_to_be_initialised_before_target_data(void **state)
{
    (void)state;
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    kn_target_data data = {0}, copy;
    kn_target_location place = {.position = {1, 2, 3}};
    assert_int_equal(kn_target_add(library, &data, kn_target_type_location(), &place), KN_OK);
    uint8_t message[64];
    uint32_t size = kn_target_write(library, kn_target_data_view(&data), message, sizeof(message));
    assert_in_range(size, 1, sizeof(message));
    assert_int_equal(kn_target_read(library, message, size, &copy), KN_OK);
    kn_vec3 found;
    assert_true(kn_target_position(kn_target_data_view(&copy), &found) && found.z == 3.0f);
    // An empty world the same.
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    kn_world_def world_def = kn_world_def_default();
    world_def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
    kn_entity_id entity;
    kn_event_record event = kn_event_record_default();
    event.data = data.bytes;
    event.data_size = data.size;
    assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    assert_int_equal(kn_input_press_with(world, entity, 1, &event), KN_OK); // nobody is there
    assert_int_equal(kn_world_step(world, KN_MS(16)), KN_OK);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

// ASG-005, SET-004: tables and settings may come before or after what they speak of.
static void the_order_of_registration_does_not_matter(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        const settings *s = i == 0 ? &plain : &own;
        game early, late;
        game_create(&early, s, i == 0 ? "GameplayCue.Hit" : "Show.Hit", true);
        game_create(&late, s, i == 0 ? "GameplayCue.Hit" : "Show.Hit", false);
        game_play(&early);
        game_play(&late);
        assert_string_not_equal(early.f.log, "");
        assert_string_equal(early.f.log, late.f.log);
        game_destroy(&early);
        game_destroy(&late);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_library_holds_the_settings_of_its_game_and_of_no_other),
    cmocka_unit_test(a_finished_library_keeps_its_settings),
    cmocka_unit_test(each_of_the_reasons_can_have_another_name),
    cmocka_unit_test(contexts_are_of_the_games_own_making),
    cmocka_unit_test(nothing_has_to_be_initialised_before_target_data),
    cmocka_unit_test(the_order_of_registration_does_not_matter),
};

TEST_GROUP(library_globals, tests, NULL, NULL);
