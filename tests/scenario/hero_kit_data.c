// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// It must not matter how an ability is authored: the hero kit in C and the one in YAML and Lua
// (content/hero-kit) play the same fight, and every number and every event is the same. ABI-015

#include "group.h"

#include "scenes/hero_kit.h"

#include "knack/data.h"
#include "knack/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HERTZ 60
#define STEPS (40 * HERTZ)

// One of the two sides of the comparison. The script stays with the loader, for its errors.
typedef struct kit {
    kn_library *library;
    kn_script_loader *loader;
    kn_world *world;
    kn_grid *grid;
} kit;

// Libraries -----------------------------------------------------------------

static kn_library *native_library(void)
{
    kn_library *library;
    kn_error error;
    assert_int_equal(scene_create_library(scene_find("hero_kit"), NULL, &library, &error), KN_OK);
    return library;
}

static kn_result declare_minds(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    scene_builder builder = {.library = library};
    hero_kit_declare_minds(&builder);
    *error = builder.error;
    return builder.result;
}

static void print_messages(const kn_data *data)
{
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        print_error("%s\n", line);
    }
}

static kn_library *data_library(kn_script_loader *loader)
{
    kn_data_def def = kn_data_def_default();
    def.prepare = declare_minds;
    def.scripts = kn_script_loader_scripts(loader);
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_folder(data, KNACK_CONTENT "/hero-kit"), KN_OK);
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    if (result != KN_OK) {
        print_messages(data);
    }
    assert_int_equal(result, KN_OK);
    kn_data_destroy(data);
    return library;
}

// Kits ----------------------------------------------------------------------

static void kit_add_grid(kn_world *world, kn_grid **grid)
{
    kn_grid_def def = kn_grid_def_default();
    def.world = world;
    assert_int_equal(kn_grid_create(&def, grid), KN_OK);
    kn_world_set_space(world, kn_grid_space(*grid));
}

static void kit_open_world(kit *k, kn_world **world, kn_grid **grid)
{
    assert_int_equal(scene_create_empty_world(k->library, NULL, world), KN_OK);
    kit_add_grid(*world, grid);
}

static kit kit_create(bool is_native)
{
    kit k = {0};
    if (is_native) {
        k.library = native_library();
    } else {
        assert_int_equal(kn_script_loader_create(NULL, &k.loader), KN_OK);
        k.library = data_library(k.loader);
    }
    kit_open_world(&k, &k.world, &k.grid);
    return k;
}

static void kit_close_world(kit *k)
{
    kn_grid_destroy(k->grid);
    kn_world_destroy(k->world);
}

static void kit_destroy(kit *k)
{
    if (k->loader != NULL) {
        kn_script_error error;
        if (kn_script_get_error(kn_script_loader_script(k->loader), 0, &error)) {
            fail_msg("%s:%u: %s: %s", error.chunk, error.line, error.definition, error.message);
        }
    }
    kit_close_world(k);
    kn_library_destroy(k->library);
    kn_script_loader_destroy(k->loader);
}

static void kit_step(kit *k, uint32_t index)
{
    assert_int_equal(scene_step(k->world, index, HERTZ), KN_OK);
}

// Comparing -----------------------------------------------------------------

static bool same_bits(float a, float b)
{
    uint32_t x, y;
    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    return x == y;
}

static void same_name(const char *a, const char *b)
{
    assert_string_equal(a, b);
}

#define SAME_BITS(a, b) assert_true(same_bits(a, b))
#define SAME_ENTITY(a, b) assert_true(kn_entity_id_equal(a, b))
// The thing of a kind that two numbers stand for, each in its library.
#define SAME_TYPE(kind, a, b)                                                                      \
    same_name(                                                                                     \
        kn_def_name(one->library, kind, (a).index1), kn_def_name(two->library, kind, (b).index1))

static void compare_attributes(const kit *one, const kit *two, kn_entity_id entity)
{
    uint32_t count = kn_def_count(one->library, KN_DEF_ATTRIBUTE);
    for (uint32_t i = 1; i <= count; i++) {
        kn_attribute_id a = {i};
        kn_attribute_id b = {kn_def_find(
            two->library, KN_DEF_ATTRIBUTE, kn_def_name(one->library, KN_DEF_ATTRIBUTE, i))};
        assert_int_not_equal(b.index1, 0);
        SAME_BITS(
            kn_attribute_base(one->world, entity, a), kn_attribute_base(two->world, entity, b));
        SAME_BITS(
            kn_attribute_value(one->world, entity, a), kn_attribute_value(two->world, entity, b));
    }
}

static void compare_place(const kit *one, const kit *two, kn_entity_id entity)
{
    kn_body a, b;
    assert_int_equal(
        kn_grid_get_body(one->grid, entity, &a), kn_grid_get_body(two->grid, entity, &b));
    SAME_BITS(a.position.x, b.position.x);
    SAME_BITS(a.position.y, b.position.y);
    SAME_BITS(a.position.z, b.position.z);
    SAME_BITS(a.facing.x, b.facing.x);
    SAME_BITS(a.facing.y, b.facing.y);
}

static void compare_tag_event(const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    SAME_TYPE(KN_DEF_TAG, a->data.tag.tag, b->data.tag.tag);
    assert_int_equal(a->data.tag.count, b->data.tag.count);
    assert_int_equal(a->data.tag.old_count, b->data.tag.old_count);
}

static void compare_attribute_event(
    const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    SAME_TYPE(KN_DEF_ATTRIBUTE, a->data.attribute.attribute, b->data.attribute.attribute);
    assert_int_equal(a->data.attribute.key, b->data.attribute.key);
    SAME_BITS(a->data.attribute.old_value, b->data.attribute.old_value);
    SAME_BITS(a->data.attribute.new_value, b->data.attribute.new_value);
}

static void compare_effect_event(
    const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    SAME_TYPE(KN_DEF_EFFECT, a->data.effect.type, b->data.effect.type);
    assert_int_equal(a->data.effect.count, b->data.effect.count);
    assert_int_equal(a->data.effect.old_count, b->data.effect.old_count);
    assert_int_equal(a->data.effect.reason, b->data.effect.reason);
}

static void compare_record_event(
    const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    SAME_TYPE(KN_DEF_EVENT_KIND, a->data.record.kind, b->data.record.kind);
    SAME_TYPE(KN_DEF_TAG, a->data.record.tag, b->data.record.tag);
    SAME_ENTITY(a->data.record.instigator, b->data.record.instigator);
    SAME_BITS(a->data.record.magnitude, b->data.record.magnitude);
}

static void compare_cue_event(const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    SAME_TYPE(KN_DEF_TAG, a->data.cue.tag, b->data.cue.tag);
    SAME_TYPE(KN_DEF_EFFECT, a->data.cue.type, b->data.cue.type);
    assert_int_equal(a->data.cue.action, b->data.cue.action);
    SAME_BITS(a->data.cue.magnitude, b->data.cue.magnitude);
    assert_int_equal(a->data.cue.interrupted, b->data.cue.interrupted);
    kn_cue_params x, y;
    assert_int_equal(
        kn_cue_event_params(one->world, a, &x), kn_cue_event_params(two->world, b, &y));
    SAME_BITS(x.magnitude, y.magnitude);
    SAME_ENTITY(x.instigator, y.instigator);
    assert_int_equal(x.has_location, y.has_location);
    SAME_BITS(x.location.x, y.location.x);
    SAME_BITS(x.location.y, y.location.y);
}

static void compare_refusal_event(
    const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    SAME_TYPE(KN_DEF_EFFECT, a->data.refusal.type, b->data.refusal.type);
    SAME_TYPE(KN_DEF_TAG, a->data.refusal.tag, b->data.refusal.tag);
    assert_int_equal(a->data.refusal.reason, b->data.refusal.reason);
    SAME_ENTITY(a->data.refusal.source, b->data.refusal.source);
}

static void compare_ability_event(
    const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    SAME_TYPE(KN_DEF_ABILITY, a->data.ability.type, b->data.ability.type);
    assert_int_equal(a->data.ability.reasons, b->data.ability.reasons);
    assert_int_equal(a->data.ability.end_reason, b->data.ability.end_reason);
}

static void compare_animation_event(
    const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    SAME_TYPE(KN_DEF_ANIMATION, a->data.animation.animation, b->data.animation.animation);
    assert_int_equal(a->data.animation.plays, b->data.animation.plays);
    SAME_BITS(a->data.animation.rate, b->data.animation.rate);
    assert_true(a->data.animation.start == b->data.animation.start);
}

static void compare_charges_event(
    const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    SAME_TYPE(KN_DEF_TAG, a->data.charges.key, b->data.charges.key);
    assert_int_equal(a->data.charges.charges, b->data.charges.charges);
    assert_int_equal(a->data.charges.old_charges, b->data.charges.old_charges);
    assert_true(a->data.charges.end == b->data.charges.end);
}

// What an event of this type carries beyond its time and entity.
static void compare_event_data(const kit *one, const kit *two, const kn_event *a, const kn_event *b)
{
    switch (a->type) {
    case KN_EVENT_TAG_COUNT:
    case KN_EVENT_TAG_CHANGED:
        compare_tag_event(one, two, a, b);
        break;
    case KN_EVENT_ATTRIBUTE_CHANGED:
    case KN_EVENT_ATTRIBUTE_INITIALISED:
        compare_attribute_event(one, two, a, b);
        break;
    case KN_EVENT_SET_ADDED:
    case KN_EVENT_SET_REMOVED:
        SAME_TYPE(KN_DEF_ATTRIBUTE_SET, a->data.set.set, b->data.set.set);
        break;
    case KN_EVENT_EFFECT_APPLIED:
    case KN_EVENT_EFFECT_EXECUTED:
    case KN_EVENT_EFFECT_REMOVED:
    case KN_EVENT_EFFECT_STACKS:
    case KN_EVENT_EFFECT_STACK_DENIED:
    case KN_EVENT_EFFECT_INHIBITED:
    case KN_EVENT_EFFECT_TIME:
    case KN_EVENT_EFFECT_BLOCKED:
        compare_effect_event(one, two, a, b);
        break;
    case KN_EVENT_EFFECT_REFUSED:
        compare_refusal_event(one, two, a, b);
        break;
    case KN_EVENT_RECORD:
        compare_record_event(one, two, a, b);
        break;
    case KN_EVENT_CUE:
        compare_cue_event(one, two, a, b);
        break;
    case KN_EVENT_ABILITY_GRANTED:
    case KN_EVENT_ABILITY_ACTIVATED:
    case KN_EVENT_ABILITY_COMMITTED:
    case KN_EVENT_ABILITY_ENDED:
    case KN_EVENT_ABILITY_FAILED:
    case KN_EVENT_ABILITY_STATUS:
        compare_ability_event(one, two, a, b);
        break;
    case KN_EVENT_CHARGES:
        compare_charges_event(one, two, a, b);
        break;
    case KN_EVENT_ANIMATION:
        compare_animation_event(one, two, a, b);
        break;
    case KN_EVENT_MOTION:
        assert_int_equal(a->data.motion.begins, b->data.motion.begins);
        break;
    case KN_EVENT_RETICLE:
        assert_int_equal(a->data.reticle.is_valid, b->data.reticle.is_valid);
        SAME_ENTITY(a->data.reticle.target, b->data.reticle.target);
        break;
    case KN_EVENT_REQUEST:
        assert_int_equal(a->data.request.parts, b->data.request.parts);
        assert_int_equal(a->data.request.is_pressed, b->data.request.is_pressed);
        break;
    case KN_EVENT_ENTITY_CREATED:
        break;
    default: // nothing else may happen in this fight
        fail_msg("unexpected event: %s", kn_event_type_name(a->type));
    }
}

// Events by type, time, entity, names, numbers, and the text with its chain of causes.
static void compare_events(const kit *one, const kit *two)
{
    kn_events a = kn_world_events(one->world), b = kn_world_events(two->world);
    uint32_t count = a.count < b.count ? a.count : b.count;
    for (uint32_t i = 0; i < count; i++) {
        char x[1024], y[1024];
        (void)kn_event_print(one->world, &a.data[i], x, sizeof(x));
        (void)kn_event_print(two->world, &b.data[i], y, sizeof(y));
        assert_string_equal(x, y);
        assert_int_equal(a.data[i].type, b.data[i].type);
        assert_true(a.data[i].time == b.data[i].time);
        SAME_ENTITY(a.data[i].entity, b.data[i].entity);
        compare_event_data(one, two, &a.data[i], &b.data[i]);
        (void)kn_cause_print(one->world, a.data[i].cause, x, sizeof(x));
        (void)kn_cause_print(two->world, b.data[i].cause, y, sizeof(y));
        assert_string_equal(x, y);
    }
    for (uint32_t i = count; i < a.count || i < b.count; i++) {
        const kit *k = i < a.count ? one : two;
        char text[1024];
        (void)kn_event_print(k->world, i < a.count ? &a.data[i] : &b.data[i], text, sizeof(text));
        print_error("only in %s: %s\n", k == one ? "the first" : "the second", text);
    }
    assert_int_equal(a.count, b.count);
}

static void compare_kits(const kit *one, const kit *two)
{
    assert_int_equal(kn_entity_count(one->world), kn_entity_count(two->world));
    for (kn_entity_id at = kn_entity_next(one->world, (kn_entity_id){0}); at.index1 != 0;
         at = kn_entity_next(one->world, at)) {
        assert_true(kn_entity_is_alive(two->world, at));
        compare_attributes(one, two, at);
        compare_place(one, two, at);
    }
    compare_events(one, two);
}

// What the fight must have had in it, so that there was something to compare.
typedef struct tally {
    uint32_t deaths, returns, bounties, meteors, stuns, shots, dashes, sprints, aims, plates, jumps;
} tally;

static bool is_effect(const kit *k, const kn_event *event, const char *name)
{
    return strcmp(kn_effect_type_name(k->world, event->data.effect.type), name) == 0;
}

static bool is_use(const kit *k, const kn_event *event, const char *name)
{
    return event->type == KN_EVENT_ABILITY_COMMITTED &&
           strcmp(kn_def_name(k->library, KN_DEF_ABILITY, event->data.ability.type.index1), name) ==
               0;
}

static void tally_event(const kit *k, const kn_event *event, tally *t)
{
    bool is_tag = event->type == KN_EVENT_TAG_CHANGED;
    const char *tag = is_tag ? kn_tag_name(k->library, event->data.tag.tag) : "";
    bool applied = event->type == KN_EVENT_EFFECT_APPLIED;
    bool dies = strcmp(tag, "State.Dead") == 0;
    t->deaths += dies && event->data.tag.count > 0;
    t->returns += dies && event->data.tag.count == 0;
    t->bounties += event->type == KN_EVENT_EFFECT_EXECUTED && is_effect(k, event, "GE_Bounty");
    t->meteors += is_use(k, event, "GA_Meteor");
    t->stuns += applied && is_effect(k, event, "GE_Stun");
    t->shots += is_use(k, event, "GA_FireGun");
    t->dashes += is_use(k, event, "GA_Dash");
    t->sprints += applied && is_effect(k, event, "GE_Sprint");
    t->aims += applied && is_effect(k, event, "GE_Aim");
    t->plates += event->type == KN_EVENT_EFFECT_STACKS && is_effect(k, event, "GE_Armour");
    t->jumps += event->type == KN_EVENT_CUE &&
                strcmp(kn_tag_name(k->library, event->data.cue.tag), "GameplayCue.Jump") == 0;
}

static void tally_step(const kit *k, tally *t)
{
    kn_events events = kn_world_events(k->world);
    for (uint32_t i = 0; i < events.count; i++) {
        tally_event(k, &events.data[i], t);
    }
}

// Tests ---------------------------------------------------------------------

static void populate(kit *k)
{
    assert_int_equal(scene_populate(scene_find("hero_kit"), k->world), KN_OK);
}

// SMP-003 (17, 18), SMP-005
static void the_kit_in_files_plays_the_fight_of_the_kit_in_c(void **state)
{
    (void)state;
    kit native = kit_create(true), data = kit_create(false);
    populate(&native);
    populate(&data);
    tally t = {0};
    for (uint32_t i = 0; i < STEPS; i++) {
        kit_step(&native, i);
        kit_step(&data, i);
        compare_kits(&native, &data);
        tally_step(&data, &t);
    }
    assert_true(t.deaths >= 5 && t.returns >= 5 && t.bounties >= 5);
    assert_true(t.meteors >= 5 && t.stuns >= 5 && t.shots >= 100);
    assert_true(t.dashes >= 5 && t.sprints >= 5 && t.aims >= 5 && t.plates >= 5 && t.jumps >= 5);
    kit_destroy(&native);
    kit_destroy(&data);
}

static void fire_once(kit *k, kn_vec3 at)
{
    scene_stage stage = {.world = k->world, .library = k->library};
    kn_entity_id hero = hero_kit_add_hero(&stage, HERO_SIDE_LEFT, (kn_vec3){0, 0, 0}, false);
    hero_kit_add_hero(&stage, HERO_SIDE_RIGHT, at, false);
    assert_int_equal(stage.result, KN_OK);
    assert_int_equal(kn_input_press(k->world, hero, HERO_INPUT_FIRE), KN_OK);
}

// At these places the time of flight is another one in doubles.
static void a_bullet_arrives_in_the_same_microsecond(void **state)
{
    (void)state;
    static const kn_vec3 places[] = {
        {639.1f, 208.9f, 0.0f}, {520.1f, 252.0f, 0.0f}, {-733.4f, 269.4f, 0.0f}};
    for (uint32_t i = 0; i < COUNT_OF(places); i++) {
        kit native = kit_create(true), data = kit_create(false);
        fire_once(&native, places[i]);
        fire_once(&data, places[i]);
        tally t = {0};
        for (uint32_t step = 0; step < HERTZ; step++) {
            kit_step(&native, step);
            kit_step(&data, step);
            compare_kits(&native, &data);
            tally_step(&data, &t);
        }
        assert_int_equal(t.shots, 1);
        kit_destroy(&native);
        kit_destroy(&data);
    }
}

// Rolls the last step back and makes it again, in the same world and in that of a second kit.
static void roll_back(kit *k, kit *other, uint32_t index, void **buffer, size_t *room)
{
    size_t size = kn_snapshot_size(k->world);
    if (size > *room) {
        *buffer = realloc(*buffer, size);
        *room = size;
        assert_non_null(*buffer);
    }
    size_t written;
    assert_int_equal(kn_snapshot_take(k->world, *buffer, *room, &written), KN_OK);
    kit_step(k, index);
    uint64_t hash = kn_world_hash(k->world);
    kit_step(k, index + 1); // somewhere else
    assert_int_equal(kn_snapshot_restore(k->world, *buffer, written), KN_OK);
    kit_step(k, index);
    assert_true(kn_world_hash(k->world) == hash);
    assert_int_equal(kn_snapshot_restore(other->world, *buffer, written), KN_OK);
    kit_step(other, index);
    assert_true(kn_world_hash(other->world) == hash);
}

static void every_step_can_be_rolled_back(void **state)
{
    (void)state;
    kit native = kit_create(true), data = kit_create(false);
    kit other = data;
    kit_open_world(&other, &other.world, &other.grid);
    populate(&native);
    populate(&data);
    void *buffer = NULL;
    size_t room = 0;
    for (uint32_t i = 0; i < STEPS / 2; i++) {
        kit_step(&native, i);
        roll_back(&data, &other, i, &buffer, &room);
        compare_kits(&native, &data);
    }
    free(buffer);
    kit_close_world(&other);
    kit_destroy(&native);
    kit_destroy(&data);
}

// Loads a save of the kit's world into another one, which takes its place.
static void move_to(kit *k, kn_world *world, kn_grid *grid)
{
    size_t size;
    assert_int_equal(kn_save_write(k->world, NULL, 0, &size), KN_OK);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(k->world, bytes, size, &size), KN_OK);
    kn_error error;
    assert_int_equal(kn_save_read(world, bytes, size, &error), KN_OK);
    assert_true(kn_world_hash(world) == kn_world_hash(k->world));
    free(bytes);
    kit_close_world(k);
    k->world = world;
    k->grid = grid;
}

static void save_and_load(kit *k)
{
    kn_world *world;
    kn_grid *grid;
    kit_open_world(k, &world, &grid);
    move_to(k, world, grid);
}

static void a_save_in_the_middle_goes_on_the_same_way(void **state)
{
    (void)state;
    kit native = kit_create(true), data = kit_create(false);
    populate(&native);
    populate(&data);
    for (uint32_t i = 0; i < STEPS / 2; i++) {
        kit_step(&native, i);
        kit_step(&data, i);
        compare_kits(&native, &data);
        if (i % 7 == 0) {           // with shots, meteors and dashes on their way
            save_and_load(&native); // both: a loaded world publishes again what is ready
            save_and_load(&data);
        }
    }
    kit_destroy(&native);
    kit_destroy(&data);
}

// The player of connection 1 joins: from now on the kit's world is that of a client.
static void join(kit *k)
{
    kn_world_def def = kn_world_def_default();
    def.library = k->library;
    def.is_client = true;
    def.connection = 1;
    def.event_mask = UINT64_MAX;
    kn_world *world;
    kn_grid *grid;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kit_add_grid(world, &grid);
    move_to(k, world, grid);
}

static void press(kit *k, kn_entity_id hero, uint32_t step)
{
    static const struct {
        uint32_t step, input;
        bool is_down;
    } keys[] = {{5, HERO_INPUT_FIRE, true}, {6, HERO_INPUT_FIRE, false},
        {40, HERO_INPUT_SPRINT, true}, {50, HERO_INPUT_AIM, true}, {90, HERO_INPUT_SPRINT, false},
        {95, HERO_INPUT_DASH, true}, {120, HERO_INPUT_JUMP, true}, {130, HERO_INPUT_AIM, false},
        {140, HERO_INPUT_METEOR, true}, {150, HERO_INPUT_CONFIRM, true}};
    for (uint32_t i = 0; i < COUNT_OF(keys); i++) {
        if (keys[i].step == step) {
            kn_result result = keys[i].is_down ? kn_input_press(k->world, hero, keys[i].input)
                                               : kn_input_release(k->world, hero, keys[i].input);
            assert_int_equal(result, KN_OK);
        }
    }
}

// A client sees what it does itself, but neither bullets nor what its meteor does to others.
static void a_client_predicts_the_same_with_both_kits(void **state)
{
    (void)state;
    kit kits[2] = {kit_create(true), kit_create(false)};
    kn_entity_id hero, rival;
    for (uint32_t i = 0; i < 2; i++) {
        scene_stage stage = {.world = kits[i].world, .library = kits[i].library};
        hero = hero_kit_add_hero(&stage, HERO_SIDE_LEFT, (kn_vec3){0, 0, 0}, false);
        rival = hero_kit_add_hero(&stage, HERO_SIDE_RIGHT, (kn_vec3){400, 0, 0}, false);
        assert_int_equal(stage.result, KN_OK);
        assert_int_equal(kn_entity_set_connection(kits[i].world, hero, 1), KN_OK);
        join(&kits[i]);
    }
    tally t = {0};
    for (uint32_t step = 0; step < 4 * HERTZ; step++) {
        for (uint32_t i = 0; i < 2; i++) {
            press(&kits[i], hero, step);
            kit_step(&kits[i], step);
        }
        compare_kits(&kits[0], &kits[1]);
        tally_step(&kits[1], &t);
    }
    assert_true(t.shots == 1 && t.sprints == 1 && t.aims == 1 && t.dashes == 1 && t.jumps == 1);
    assert_true(t.meteors == 1 && t.stuns == 0);
    kn_attribute_id health = kn_attribute_find(kits[1].library, "Hero.Health");
    assert_true(kn_attribute_value(kits[1].world, rival, health) == 120.0f);
    kit_destroy(&kits[0]);
    kit_destroy(&kits[1]);
}

// SMP-006
static void archetypes_start_as_the_scene_lets_them_start(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Hero", "HeroRight", "MinionRed", "MinionRedRight", "MinionBlue", "MinionBlueRight"};
    kit native = kit_create(true), data = kit_create(false);
    scene_stage stage = {.world = native.world, .library = native.library};
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        hero_side side = i % 2 == 0 ? HERO_SIDE_LEFT : HERO_SIDE_RIGHT;
        kn_entity_id one =
            i < 2 ? hero_kit_add_hero(&stage, side, (kn_vec3){0, 0, 0}, false)
                  : hero_kit_add_minion(&stage, side, (kn_vec3){0, 0, 0}, i < 4, false);
        kn_entity_id two;
        kn_archetype_id archetype = kn_archetype_find(data.library, names[i]);
        assert_int_equal(kn_archetype_spawn(data.world, archetype, 1.0f, &two), KN_OK);
        SAME_ENTITY(one, two);
        compare_attributes(&native, &data, one);
        assert_int_equal(kn_entity_user(data.world, two), side);
        assert_int_equal(kn_abilities_find(native.world, one, NULL, NULL, 0),
            kn_abilities_find(data.world, two, NULL, NULL, 0));
    }
    assert_int_equal(stage.result, KN_OK);
    kit_destroy(&native);
    kit_destroy(&data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_kit_in_files_plays_the_fight_of_the_kit_in_c),
    cmocka_unit_test(a_bullet_arrives_in_the_same_microsecond),
    cmocka_unit_test(every_step_can_be_rolled_back),
    cmocka_unit_test(a_save_in_the_middle_goes_on_the_same_way),
    cmocka_unit_test(a_client_predicts_the_same_with_both_kits),
    cmocka_unit_test(archetypes_start_as_the_scene_lets_them_start),
};

TEST_GROUP(hero_kit_data, tests, NULL, NULL);
