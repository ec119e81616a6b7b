// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The log: categories and levels, what each logs, and that logging changes nothing.

#include "rich_world.h"
#include "scenario/recipe.h"
#include "scenes/scene.h"

#define PLAYER 7

static void keep_line(void *user, const kn_log_entry *entry)
{
    note(user, "%s %s: %s\n", kn_log_category_name(entry->category),
        kn_log_level_name(entry->level), entry->message);
}

static kn_world_def logged(fixture *f)
{
    kn_world_def def = kn_world_def_default();
    def.hooks.log_fn = keep_line;
    def.hooks.log_user = f;
    return def;
}

static void tell(kn_world *world, kn_log_category category, kn_log_level level)
{
    assert_int_equal(kn_log_set_level(world, category, level), KN_OK);
    assert_int_equal(kn_log_level_of(world, category), level);
}

// Levels --------------------------------------------------------------------

// DBG-006: set, listed and reset at run time, by name as from a console.
static void levels_are_set_listed_and_reset(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_tag cue = kn_tag_find(f->library, "Activation.Fail");
    assert_int_equal(kn_log_set_cue_filter(f->world, cue), KN_OK);
    assert_int_equal(
        kn_log_set_level(f->world, kn_log_category_find("effects"), kn_log_level_find("verbose")),
        KN_OK);
    tell(f->world, KN_LOG_TAGS, KN_LOG_OFF);
    char text[512];
    uint32_t length = kn_log_print(f->world, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "world       warning\n"
                              "tags        off\n"
                              "attributes  warning\n"
                              "effects     verbose\n"
                              "abilities   warning\n"
                              "tasks       warning\n"
                              "cues        warning, only Activation.Fail\n"
                              "targeting   warning\n"
                              "network     warning\n"
                              "game        warning\n");
    kn_log_reset(f->world);
    for (uint32_t i = 0; i < KN_LOG_CATEGORY_COUNT; i++) {
        assert_int_equal(kn_log_level_of(f->world, (kn_log_category)i), KN_LOG_WARNING);
        assert_int_equal(kn_log_category_find(kn_log_category_name((kn_log_category)i)), i);
    }
    assert_true(kn_log_print(f->world, text, 10) > 10);
    assert_string_equal(text, "world    ");
    for (uint32_t i = 0; i < KN_LOG_LEVEL_COUNT; i++) {
        assert_int_equal(kn_log_level_find(kn_log_level_name((kn_log_level)i)), i);
    }
}

static void what_is_unknown_is_refused(void **state)
{
    fixture *f = *state;
    begin(f);
    assert_int_equal(kn_log_set_level(NULL, KN_LOG_TAGS, KN_LOG_INFO), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_log_set_level(f->world, KN_LOG_CATEGORY_COUNT, KN_LOG_INFO), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_log_set_level(f->world, KN_LOG_TAGS, KN_LOG_LEVEL_COUNT), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_log_set_cue_filter(f->world, (kn_tag){9999}), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_log_level_of(f->world, KN_LOG_CATEGORY_COUNT), KN_LOG_OFF);
    assert_int_equal(kn_log_category_find("nonsense"), KN_LOG_CATEGORY_COUNT);
    assert_int_equal(kn_log_level_find(NULL), KN_LOG_LEVEL_COUNT);
    assert_string_equal(kn_log_category_name(KN_LOG_CATEGORY_COUNT), "");
    assert_string_equal(kn_log_level_name(KN_LOG_LEVEL_COUNT), "");
    kn_log_reset(NULL);
    assert_int_equal(kn_log_print(NULL, NULL, 0), 0);
}

// DBG-006: what is above the level is not logged; lines of the game's own go through the same gate.
static void own_lines_are_told_as_the_category_says(void **state)
{
    fixture *f = *state;
    begin_with(f, logged(f));
    kn_log_entry entry = {.level = KN_LOG_INFO, .category = KN_LOG_TARGETING, .message = "seen"};
    kn_log_write(f->world, &entry);
    EXPECT_LOG(f, "");
    assert_false(kn_log_wants(f->world, KN_LOG_TARGETING, KN_LOG_INFO));
    tell(f->world, KN_LOG_TARGETING, KN_LOG_INFO);
    assert_true(kn_log_wants(f->world, KN_LOG_TARGETING, KN_LOG_INFO));
    assert_false(kn_log_wants(f->world, KN_LOG_TARGETING, KN_LOG_VERBOSE));
    kn_log_write(f->world, &entry);
    EXPECT_LOG(f, "targeting info: seen\n");
    tell(f->world, KN_LOG_TARGETING, KN_LOG_OFF);
    entry.level = KN_LOG_ERROR;
    kn_log_write(f->world, &entry);
    EXPECT_LOG(f, "");
}

// Refusals ------------------------------------------------------------------

static kn_ability_type_id meteor_register(fixture *f, kn_net_execution execution)
{
    kn_cooldown_def cooldown = kn_cooldown_seconds(8.0f);
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(60.0f)};
    kn_ability_def def = kn_ability_def_default();
    def.name = "Meteor";
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    def.costs = &cost;
    def.cost_count = 1;
    def.commit = KN_COMMIT_AT_USE;
    def.instancing = KN_INSTANCING_NONE;
    def.net_execution = execution;
    return ability_register(f, &def);
}

static void use_up(fixture *f, kn_ability_id meteor)
{
    activate(f, meteor);
    step(f, KN_S(2));
    assert_int_equal(kn_ability_activate(f->world, meteor, NULL, NULL), KN_REFUSED_COOLDOWN);
}

// DBG-009: all reasons, with tags and numbers; and nothing unless somebody asks.
static void a_refusal_is_told_with_its_reasons_if_asked_for(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = meteor_register(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    begin_with(f, logged(f));
    kn_ability_id meteor = grant(f, type);
    use_up(f, meteor);
    EXPECT_LOG(f, "");
    tell(f->world, KN_LOG_ABILITIES, KN_LOG_INFO);
    assert_int_equal(kn_ability_activate(f->world, meteor, NULL, NULL), KN_REFUSED_COOLDOWN);
    EXPECT_LOG(f, "abilities info: 2.000 s  entity 1  Meteor refused: Activation.Fail.OnCooldown, "
                  "Activation.Fail.CantAffordCost: on cooldown for 6.0 of 8 s; needs 60 "
                  "Vitals.Mana, has 40\n");
    kn_log_reset(f->world);
    assert_int_equal(kn_ability_activate(f->world, meteor, NULL, NULL), KN_REFUSED_COOLDOWN);
    EXPECT_LOG(f, "");
}

// ABI-077: the server's log has the client's rejected activation, the ability and the tags.
static void the_server_tells_what_it_rejects(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = meteor_register(f, KN_NET_EXECUTION_SERVER_ONLY);
    begin_with(f, logged(f));
    kn_ability_id meteor = grant(f, type);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, PLAYER), KN_OK);
    tell(f->world, KN_LOG_ABILITIES, KN_LOG_INFO);
    use_up(f, meteor); // its own code asks
    EXPECT_LOG(f, "abilities info: 2.000 s  entity 1  Meteor refused: "
                  "Activation.Fail.OnCooldown, Activation.Fail.CantAffordCost: on cooldown for "
                  "6.0 of 8 s; needs 60 Vitals.Mana, has 40\n");
    assert_int_equal(kn_peer_activate(f->world, PLAYER, meteor, NULL, NULL), KN_REFUSED_COOLDOWN);
    EXPECT_LOG(f, "abilities info: 2.000 s  entity 1  client activation of Meteor rejected: "
                  "Activation.Fail.OnCooldown, Activation.Fail.CantAffordCost: on cooldown for "
                  "6.0 of 8 s; needs 60 Vitals.Mana, has 40\n");
}

// ABI-077: also what the client may not ask for at all.
static void the_server_tells_what_a_client_may_not_ask_for(void **state)
{
    fixture *f = *state;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Meteor";
    def.net_security = KN_NET_SECURITY_SERVER_ONLY_EXECUTION;
    kn_ability_type_id type = ability_register(f, &def);
    begin_with(f, logged(f));
    kn_ability_id meteor = grant(f, type);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, PLAYER), KN_OK);
    tell(f->world, KN_LOG_ABILITIES, KN_LOG_INFO);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, meteor, NULL, NULL), KN_REFUSED_BLOCKED);
    EXPECT_LOG(f, "abilities info: 0.000 s  entity 1  client activation of Meteor rejected: "
                  "Activation.Fail.Networking: not allowed on this machine\n");
}

// A client's world: what the server saved, with the hero in this player's hands.
static void become_client(fixture *f)
{
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, PLAYER), KN_OK);
    size_t size;
    uint8_t *save = save_of(f->world, &size);
    kn_world_destroy(f->world);
    kn_world_def def = logged(f);
    def.library = f->library;
    def.is_client = true;
    def.connection = PLAYER;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    assert_int_equal(kn_save_read(f->world, save, size, NULL), KN_OK);
    free(save);
}

// ABI-077
static void a_client_tells_what_it_cannot_activate(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = meteor_register(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    begin_with(f, logged(f));
    kn_ability_id meteor = grant(f, type);
    become_client(f);
    tell(f->world, KN_LOG_ABILITIES, KN_LOG_INFO);
    use_up(f, meteor);
    EXPECT_LOG(f, "abilities info: 2.000 s  entity 1  activation of Meteor failed: "
                  "Activation.Fail.OnCooldown, Activation.Fail.CantAffordCost: on cooldown for "
                  "6.0 of 8 s; needs 60 Vitals.Mana, has 40\n");
}

// What happens --------------------------------------------------------------

// DBG-006, DBG-009: an instant effect leaves a line only while somebody asks for it.
static void effects_tell_what_becomes_of_them(void **state)
{
    fixture *f = *state;
    kn_effect_def burn_def = timed("Burn", 1.0f);
    burn_def.application.target.required = tags_of(f, "State.Dry");
    burn_def.application.source.ignored = tags_of(f, "State.Wet");
    kn_modifier_def damage = kn_modifier_constant(f->health, KN_OP_ADD, -5.0f);
    kn_effect_def hit_def = instant("Hit");
    hit_def.modifiers = &damage;
    hit_def.modifier_count = 1;
    kn_effect_type_id burn = effect_register(f, &burn_def), hit = effect_register(f, &hit_def);
    begin_with(f, logged(f));
    (void)apply_to(f, hit, f->hero);
    step(f, 0);
    EXPECT_LOG(f, "");
    tell(f->world, KN_LOG_EFFECTS, KN_LOG_VERBOSE);
    (void)apply_to(f, hit, f->hero);
    add_tag(f, f->foe, tag_of(f, "State.Wet"));
    assert_int_equal(kn_effect_apply_simple(f->world, burn, f->foe, f->hero, 1.0f, NULL),
        KN_REFUSED_REQUIREMENT);
    step(f, 0);
    EXPECT_LOG(f, "effects verbose: 0.000 s  entity 1  Hit executed  (Hit applied)\n"
                  "effects verbose: 0.000 s  entity 1  Burn by entity 2 refused: target needs "
                  "State.Dry\n");
    add_tag(f, f->hero, tag_of(f, "State.Dry"));
    assert_int_equal(
        kn_effect_apply_simple(f->world, burn, (kn_entity_id){0}, f->hero, 1.0f, NULL), KN_OK);
    step(f, KN_S(2));
    EXPECT_LOG(f,
        "effects verbose: 0.000 s  entity 1  Burn #3 applied\n"
        "effects verbose: 1.000 s  entity 1  Burn #3 removed: expired  (expiry of Burn)\n");
    kn_log_reset(f->world);
    (void)apply_to(f, hit, f->hero);
    step(f, 0);
    EXPECT_LOG(f, "");
}

// What went wrong while rules ran is worth a line at info.
static void errors_of_the_simulation_are_told(void **state)
{
    fixture *f = *state;
    kn_modifier_def missing = kn_modifier_constant(f->mana, KN_OP_ADD, -5.0f);
    missing.key = 7;
    kn_effect_def def = infinite("Curse");
    def.modifiers = &missing;
    def.modifier_count = 1;
    kn_effect_type_id curse = effect_register(f, &def);
    begin_with(f, logged(f));
    (void)apply_to(f, curse, f->hero);
    step(f, 0);
    EXPECT_LOG(f,
        "effects warning: Curse changes Vitals.Mana, which entity 1 does not have: add its "
        "attribute set\n");
    tell(f->world, KN_LOG_WORLD, KN_LOG_INFO);
    (void)apply_to(f, curse, f->hero);
    step(f, 0);
    EXPECT_LOG(f, "world info: 0.000 s  entity 1  error KN_REFUSED_MISSING_ATTRIBUTE in Curse at "
                  "Vitals.Mana  (Curse applied)\n");
}

// DBG-007: a filter for cues.
static void cues_can_be_filtered(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "GameplayCue.Fire.Spark"), ice = tag_of(f, "GameplayCue.Ice");
    begin_with(f, logged(f));
    tell(f->world, KN_LOG_CUES, KN_LOG_VERBOSE);
    assert_int_equal(kn_cue_execute(f->world, f->hero, ice, NULL), KN_OK);
    assert_int_equal(kn_log_set_cue_filter(f->world, tag_of(f, "GameplayCue.Fire")), KN_OK);
    assert_int_equal(kn_cue_execute(f->world, f->hero, ice, NULL), KN_OK);
    assert_int_equal(kn_cue_execute(f->world, f->hero, fire, NULL), KN_OK);
    step(f, 0);
    EXPECT_LOG(f,
        "cues verbose: 0.000 s  entity 1  cue GameplayCue.Ice executed, magnitude 0\n"
        "cues verbose: 0.000 s  entity 1  cue GameplayCue.Fire.Spark executed, magnitude 0\n");
}

static kn_result wait_and_commit(const kn_ability_call *call)
{
    return kn_wait_delay(call->world, call->activation, 0, KN_S(1));
}

static void end_it(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

// DBG-006
static void tasks_tags_and_attributes_are_told_by_category(void **state)
{
    fixture *f = *state;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Cast";
    def.activate = wait_and_commit;
    def.task_done = end_it;
    def.owned_tags = tags_of(f, "State.Casting");
    kn_ability_type_id type = ability_register(f, &def);
    begin_with(f, logged(f));
    kn_ability_id cast = grant(f, type);
    step(f, 0);
    tell(f->world, KN_LOG_TASKS, KN_LOG_VERBOSE);
    activate(f, cast);
    step(f, KN_S(2));
    EXPECT_LOG(f, "tasks verbose: 0.000 s  entity 1  Cast task begins: delay\n"
                  "tasks verbose: 1.000 s  entity 1  Cast task ends: delay\n");
    kn_log_reset(f->world);
    tell(f->world, KN_LOG_ATTRIBUTES, KN_LOG_VERBOSE);
    set_base(f, f->hero, f->mana, 30.0f);
    activate(f, cast);
    step(f, 0);
    EXPECT_LOG(f, "attributes verbose: 2.000 s  entity 1  Vitals.Mana 100 -> 30\n");
    kn_log_reset(f->world);
    tell(f->world, KN_LOG_TAGS, KN_LOG_VERBOSE);
    step(f, KN_S(2));
    EXPECT_LOG(f, "tags verbose: 3.000 s  entity 1  State.Casting 1 -> 0  (end of Cast)\n"
                  "tags verbose: 3.000 s  entity 1  loses State.Casting  (end of Cast)\n"
                  "tags verbose: 3.000 s  entity 1  State 1 -> 0  (end of Cast)\n"
                  "tags verbose: 3.000 s  entity 1  loses State  (end of Cast)\n");
    kn_log_reset(f->world);
    tell(f->world, KN_LOG_ABILITIES, KN_LOG_VERBOSE);
    activate(f, cast);
    step(f, KN_S(1));
    EXPECT_LOG(f, "abilities verbose: 4.000 s  entity 1  Cast activated  (Cast)\n"
                  "abilities verbose: 5.000 s  entity 1  Cast ended  (end of Cast)\n");
}

// ABI-135, DBG-010
static void requests_and_batches_are_told(void **state)
{
    fixture *f = *state;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Gun";
    def.instancing = KN_INSTANCING_NONE;
    kn_ability_type_id type = ability_register(f, &def);
    begin_with(f, logged(f));
    kn_ability_id gun = grant(f, type);
    become_client(f);
    assert_int_equal(kn_entity_allow_batches(f->world, f->hero, true), KN_OK);
    assert_int_equal(kn_ability_batch_begin(f->world, gun), KN_OK);
    activate(f, gun);
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    step(f, 0);
    EXPECT_LOG(f, "");
    tell(f->world, KN_LOG_NETWORK, KN_LOG_INFO);
    activate(f, gun);
    step(f, 0);
    EXPECT_LOG(f,
        "network info: 0.000 s  entity 1  requests from the server: Gun, key 5: activate  (Gun)\n"
        "network info: 0.000 s  entity 1  requests from the server: Gun, key 5: end  (end of "
        "Gun)\n");
    assert_int_equal(kn_ability_batch_begin(f->world, gun), KN_OK);
    activate(f, gun);
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    EXPECT_LOG(f,
        "network info: 0.000 s  entity 1  batch of Gun begins\n"
        "network info: 0.000 s  entity 1  requests from the server: Gun, key 6: activate end\n"
        "network info: 0.000 s  entity 1  batch of Gun ends\n");
}

// ABI-013: once for each type.
static void abilities_that_forget_to_end_are_told_once(void **state)
{
    fixture *f = *state;
    kn_ability_def def = kn_ability_def_default();
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.name = "Leak";
    kn_ability_type_id leak = ability_register(f, &def);
    def.name = "Other";
    kn_ability_type_id other = ability_register(f, &def);
    begin_with(f, logged(f));
    kn_ability_id ids[2] = {grant(f, leak), grant(f, other)};
    activate(f, ids[0]);
    step(f, KN_S(1));
    EXPECT_LOG(f, "");
    tell(f->world, KN_LOG_ABILITIES, KN_LOG_INFO);
    step(f, KN_S(1));
    EXPECT_LOG(f, "abilities info: 2.000 s  entity 1  Leak is active but waits for nothing: does "
                  "it forget to end?\n");
    activate(f, ids[0]);
    activate(f, ids[1]);
    step(f, KN_S(1));
    EXPECT_LOG(f, "abilities info: 3.000 s  entity 1  Other is active but waits for nothing: does "
                  "it forget to end?\n");
}

// Nothing of it is state ----------------------------------------------------

static void count_lines(void *user, const kn_log_entry *entry)
{
    assert_true(strlen(entry->message) > 0);
    (*(uint32_t *)user)++;
}

static void tell_everything(kn_world *world)
{
    for (uint32_t i = 0; i < KN_LOG_CATEGORY_COUNT; i++) {
        tell(world, (kn_log_category)i, KN_LOG_VERBOSE);
    }
}

static void a_fight_ends_the_same_with_everything_told(void **state)
{
    (void)state;
    const scene_info *scene = scene_find("hero_kit");
    kn_library *library;
    assert_int_equal(scene_create_library(scene, NULL, &library, NULL), KN_OK);
    kn_world *worlds[2];
    uint32_t lines = 0;
    kn_hooks hooks = {.log_fn = count_lines, .log_user = &lines};
    for (uint32_t w = 0; w < 2; w++) {
        assert_int_equal(scene_create_world(scene, library, &hooks, &worlds[w]), KN_OK);
    }
    tell_everything(worlds[1]);
    assert_int_equal(kn_task_tally_record(worlds[1], true), KN_OK);
    for (uint32_t i = 0; i < 100; i++) {
        for (uint32_t w = 0; w < 2; w++) {
            uint32_t before = lines;
            assert_int_equal(scene_step(worlds[w], i, 20), KN_OK);
            assert_true(w == 1 || lines == before);
        }
        assert_true(kn_world_hash(worlds[0]) == kn_world_hash(worlds[1]));
    }
    assert_true(lines > 1000);
    size_t sizes[2];
    uint8_t *saves[2] = {save_of(worlds[0], &sizes[0]), save_of(worlds[1], &sizes[1])};
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(saves[0], saves[1], sizes[0]);
    for (uint32_t w = 0; w < 2; w++) {
        free(saves[w]);
        assert_true(kn_world_validate(worlds[w]));
        kn_world_destroy(worlds[w]);
    }
    kn_library_destroy(library);
}

// Snapshots and saves neither hold nor change what is logged.
static void levels_stay_through_rollback_and_load(void **state)
{
    (void)state;
    kn_library *library = rich_library(0);
    rich_memory memory = {0};
    kn_world *plain = rich_world_create(library, NULL);
    kn_world *told = rich_world_create(library, &memory);
    tell(told, KN_LOG_ABILITIES, KN_LOG_INFO);
    tell(told, KN_LOG_NETWORK, KN_LOG_OFF);
    assert_int_equal(kn_task_tally_record(told, true), KN_OK);
    for (uint32_t i = 0; i < 6; i++) {
        size_t size;
        void *snapshot = snapshot_of(told, &size);
        rich_step(told, 2);
        kn_log_reset(told);
        tell(told, KN_LOG_ABILITIES, KN_LOG_INFO);
        snapshot_restore(told, snapshot, size);
        free(snapshot);
        assert_int_equal(kn_log_level_of(told, KN_LOG_ABILITIES), KN_LOG_INFO);
        assert_int_equal(kn_log_level_of(told, KN_LOG_NETWORK), KN_LOG_WARNING);
        rich_step(told, 2);
        rich_step(plain, 2);
        assert_same_worlds(plain, told);
    }
    size_t size;
    uint8_t *save = save_of(told, &size);
    assert_int_equal(kn_save_read(told, save, size, NULL), KN_OK);
    assert_int_equal(kn_log_level_of(told, KN_LOG_ABILITIES), KN_LOG_INFO);
    assert_true(kn_task_tally_is_recording(told));
    rich_step(told, 2);
    assert_true(kn_world_validate(told));
    // A load that fails leaves everything as it was.
    save[size / 2] ^= 0xff;
    assert_int_not_equal(kn_save_read(told, save, size, NULL), KN_OK);
    assert_int_equal(kn_log_level_of(told, KN_LOG_ABILITIES), KN_LOG_INFO);
    free(save);
    kn_world_destroy(told);
    assert_int_equal(memory.blocks, 0);
    kn_world_destroy(plain);
    kn_library_destroy(library);
}

// Telling uses no memory of the world's.
static void a_warm_step_allocates_nothing_while_it_tells(void **state)
{
    fixture *f = *state;
    kn_modifier_def damage = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def def = timed("Burn", 0.5f);
    def.modifiers = &damage;
    def.modifier_count = 1;
    def.is_periodic = true;
    def.period = kn_magnitude_constant(0.1f);
    kn_effect_type_id burn = effect_register(f, &def);
    uint32_t lines = 0;
    kn_world_def world = kn_world_def_default();
    world.hooks.log_fn = count_lines;
    world.hooks.log_user = &lines;
    begin_with(f, world);
    tell_everything(f->world);
    uint64_t allocations = 0;
    for (uint32_t i = 0; i < 40; i++) {
        (void)apply_to(f, burn, f->hero);
        step(f, KN_MS(100));
        if (i == 10) {
            allocations = kn_world_get_stats(f->world).allocations;
            lines = 0;
        }
    }
    assert_true(lines > 100);
    assert_true(kn_world_get_stats(f->world).allocations == allocations);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    kn_library *library = rich_library(0);
    rich_memory memory = {0};
    kn_world *world = rich_empty_world(library, &memory);
    memory.calls = 0;
    memory.fail_at = 1;
    assert_int_equal(
        kn_log_set_level(world, KN_LOG_ABILITIES, KN_LOG_VERBOSE), KN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(kn_log_level_of(world, KN_LOG_ABILITIES), KN_LOG_WARNING);
    assert_int_equal(kn_task_tally_record(world, true), KN_ERROR_OUT_OF_MEMORY);
    assert_false(kn_task_tally_is_recording(world));
    assert_int_equal(kn_log_set_level(world, KN_LOG_TAGS, KN_LOG_VERBOSE), KN_OK);
    memory.fail_at = 0;
    kn_world_destroy(world);
    assert_int_equal(memory.blocks, 0);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    TEST(levels_are_set_listed_and_reset),
    TEST(what_is_unknown_is_refused),
    TEST(own_lines_are_told_as_the_category_says),
    TEST(a_refusal_is_told_with_its_reasons_if_asked_for),
    TEST(the_server_tells_what_it_rejects),
    TEST(the_server_tells_what_a_client_may_not_ask_for),
    TEST(a_client_tells_what_it_cannot_activate),
    TEST(effects_tell_what_becomes_of_them),
    TEST(errors_of_the_simulation_are_told),
    TEST(cues_can_be_filtered),
    TEST(tasks_tags_and_attributes_are_told_by_category),
    TEST(requests_and_batches_are_told),
    TEST(abilities_that_forget_to_end_are_told_once),
    cmocka_unit_test(a_fight_ends_the_same_with_everything_told),
    cmocka_unit_test(levels_stay_through_rollback_and_load),
    TEST(a_warm_step_allocates_nothing_while_it_tells),
    cmocka_unit_test(without_memory_nothing_changes),
};

TEST_GROUP(debug_log, tests, NULL, NULL);
