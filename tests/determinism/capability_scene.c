// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A playground of capabilities as a scene: entities that walk, sprint, glide, swim and rest by
// tags, which their own hooks and a timer change at random, block each other, gain and lose whole
// sets from inside of hooks, and tell others what to do.

#include "determinism.h"
#include "scenes/scene_tools.h"

#include "knack/capability.h"

#include <string.h>

#define PLAYERS 12
#define STREAM 0

typedef struct legs {
    float distance;
    uint32_t steps;
} legs;

static const char *const play_names[] = {
    "Sense", "Walk", "Sprint", "Glide", "Swim", "Rest", "Shout", "Tire"};
enum { SENSE, WALK, SPRINT, GLIDE, SWIM, REST, SHOUT, TIRE, PLAY_COUNT };

static kn_tag play_tag(const kn_world *world, const char *name)
{
    return kn_tag_find(kn_world_library(world), name);
}

static bool play_has(const kn_hook_call *call, const char *tag)
{
    return kn_entity_has_tag(call->world, call->entity, play_tag(call->world, tag));
}

// Hooks ---------------------------------------------------------------------------

static kn_result sprint_starts(void *user, const kn_hook_call *call)
{
    (void)user;
    return play_has(call, "Play.Wild") && !play_has(call, "Play.Tired") ? KN_OK : KN_REFUSED_CUSTOM;
}

static kn_result sprint_stops(void *user, const kn_hook_call *call)
{
    (void)user;
    return play_has(call, "Play.Tired") ? KN_OK : KN_REFUSED_CUSTOM;
}

static kn_result steps_tick(void *user, const kn_hook_call *call)
{
    const kn_capability_call *c = call->arguments;
    legs *state = kn_capability_state(call->writable, call->entity, c->number);
    (void)user;
    state->distance += (float)c->dt * 1e-6f;
    state->steps++;
    if (kn_random_below(call->writable, STREAM, 20) == 0) {
        (void)kn_capability_set_interval(call->writable, call->entity, c->number,
            KN_MS(10 * kn_random_below(call->writable, STREAM, 8)));
    }
    return KN_OK;
}

// Somebody else, by its slot.
static kn_entity_id play_other(kn_world *world)
{
    kn_entity_id entity = {0};
    for (uint32_t i = kn_random_below(world, STREAM, PLAYERS) + 1; i > 0; i--) {
        entity = kn_entity_next(world, entity);
    }
    return entity;
}

static void shout_block(kn_world *world, kn_entity_id entity, uint32_t number)
{
    static const char *const tags[] = {"Play.Move", "Play.Move.Fast", "Play.Move.Air"};
    const kn_capability_block block = {
        .tag = play_tag(world, tags[kn_random_below(world, STREAM, 3)]),
        .source = {.kind = KN_CAPABILITY_SOURCE_MEMBER, .entity = entity, .number = number},
        .while_active = kn_random_below(world, STREAM, 2) == 0,
    };
    (void)kn_capability_block_add(world, play_other(world), &block);
}

static kn_result shout_tick(void *user, const kn_hook_call *call)
{
    const kn_capability_call *c = call->arguments;
    kn_world *world = call->writable;
    kn_entity_id other = play_other(world);
    uint32_t number = kn_random_below(world, STREAM, 10) + 1;
    (void)user;
    switch (kn_random_below(world, STREAM, 7)) {
    case 0:
        shout_block(world, call->entity, c->number);
        break;
    case 1:
        (void)kn_capability_activate(world, other, number);
        break;
    case 2:
        (void)kn_capability_deactivate(world, other, number);
        break;
    case 3:
        (void)kn_capability_set_enabled(
            world, other, number, kn_random_below(world, STREAM, 3) != 0);
        break;
    case 4:
        (void)kn_capability_wake_after(
            world, other, number, KN_MS(kn_random_below(world, STREAM, 900)));
        break;
    case 5:
        (void)kn_capability_deactivate(world, call->entity, c->number);
        break;
    default:
        (void)kn_capability_move(world, other, number, kn_random_below(world, STREAM, 9));
        break;
    }
    return KN_OK;
}

// Adds or removes a whole set, of itself or of somebody else.
static kn_result tire_switched(void *user, const kn_hook_call *call)
{
    static const char *const names[] = {"Ground", "Extra", "Moods"};
    kn_world *world = call->writable;
    kn_entity_id entity = kn_random_below(world, STREAM, 2) == 0 ? call->entity : play_other(world);
    kn_capability_set_id set =
        kn_capability_set_find(kn_world_library(world), names[kn_random_below(world, STREAM, 3)]);
    (void)user;
    if (kn_capability_set_add(world, entity, set, NULL) == KN_REFUSED_DUPLICATE) {
        (void)kn_capability_set_remove(world, entity, set);
    }
    return KN_OK;
}

// Declaring -------------------------------------------------------------------------

static void play_capability(scene_builder *b, uint32_t index, kn_capability_id *id)
{
    static const kn_field fields[] = {
        {.name = "distance", .kind = KN_FIELD_F32},
        {.name = "steps", .kind = KN_FIELD_U32},
    };
    static const char *const own[] = {
        NULL, "Play.Move", "Play.Move.Fast", "Play.Move.Air", "Play.Move.Water", NULL, NULL, NULL};
    kn_capability_def def = kn_capability_def_default();
    kn_tag tag = own[index] != NULL ? scene_tag(b, own[index]) : (kn_tag){0};
    kn_tag wild = scene_tag(b, "Play.Wild"), tired = scene_tag(b, "Play.Tired"),
           wet = scene_tag(b, "Play.Wet"), move = scene_tag(b, "Play.Move");
    kn_effect_type_id warm = kn_effect_type_find(b->library, "Warm");
    def.name = play_names[index];
    def.tags = tag.index1 != 0 ? (kn_tags){&tag, 1} : def.tags;
    if (index == WALK || index == SPRINT || index == GLIDE || index == SWIM) {
        def.state = fields;
        def.state_count = 2;
        def.tick.function = steps_tick;
    }
    switch (index) {
    case SPRINT:
        def.should_activate.function = sprint_starts;
        def.should_deactivate.function = sprint_stops;
        def.resets_state = true;
        break;
    case GLIDE:
        def.when.required = (kn_tags){&wild, 1};
        def.when.ignored = (kn_tags){&wet, 1};
        def.sleeps = true;
        def.interval = KN_MS(130);
        break;
    case SWIM:
        def.when.required = (kn_tags){&wet, 1};
        def.blocked_by = (kn_tags){&tired, 1};
        def.effects = &warm;
        def.effect_count = 1;
        break;
    case REST:
        def.when.required = (kn_tags){&tired, 1};
        def.blocks = (kn_tags){&move, 1};
        def.sleeps = true;
        break;
    case SHOUT:
        def.interval = KN_MS(170);
        def.staggered = true;
        def.tick.function = shout_tick;
        break;
    case TIRE:
        def.when.required = (kn_tags){&wild, 1};
        def.sleeps = true;
        def.activated.function = tire_switched;
        def.deactivated.function = tire_switched;
        break;
    default:
        break;
    }
    (void)scene_note(b, kn_capability_def_register(b->library, &def, id, &b->error));
}

static void play_set(scene_builder *b, const char *name, uint32_t rate, const char *group,
    const kn_capability_id *members, uint32_t count, const kn_component_type_id *data)
{
    kn_capability_set_def def = kn_capability_set_def_default();
    def.name = name;
    def.rate = rate;
    def.group = group;
    def.capabilities = members;
    def.capability_count = count;
    def.data = data;
    def.data_count = 1;
    (void)scene_note(b, kn_capability_set_register(b->library, &def, NULL, &b->error));
}

// The timer of a player changes one of its tags now and then.
static kn_time play_mind(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    static const char *const tags[] = {"Play.Wild", "Play.Tired", "Play.Wet"};
    kn_tag tag = play_tag(world, tags[kn_random_below(world, STREAM, 3)]);
    (void)user;
    (void)data;
    if (kn_entity_has_tag(world, entity, tag)) {
        (void)kn_entity_remove_tag(world, entity, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    } else {
        (void)kn_entity_add_tag(world, entity, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
    return KN_MS(120 + kn_random_below(world, STREAM, 700));
}

static void play_declare(scene_builder *b)
{
    static const kn_field fields[] = {KN_FIELD_INIT("left", KN_FIELD_F32, 0, 1)};
    kn_capability_id ids[PLAY_COUNT];
    if (!scene_note(b, kn_capability_register(b->library, &b->error))) {
        return;
    }
    kn_component_type_id stamina;
    kn_component_def component = kn_component_def_default();
    component.name = "Stamina";
    component.size = sizeof(float);
    component.fields = fields;
    component.field_count = 1;
    (void)scene_note(b, kn_component_register(b->library, &component, &stamina, &b->error));
    kn_effect_def warm = scene_effect_def("Warm", KN_DURATION_INFINITE, 0.0f);
    (void)scene_effect(b, &warm);
    for (uint32_t i = 0; i < PLAY_COUNT; i++) {
        play_capability(b, i, &ids[i]);
    }
    const kn_capability_id ground[] = {ids[SENSE], ids[WALK], ids[SPRINT], ids[SWIM]};
    const kn_capability_id extra[] = {ids[GLIDE], ids[WALK], ids[SHOUT]};
    const kn_capability_id moods[] = {ids[REST], ids[TIRE]};
    play_set(b, "Ground", 60, "movement", ground, 4, &stamina);
    play_set(b, "Extra", 20, NULL, extra, 3, &stamina);
    play_set(b, "Moods", 60, NULL, moods, 2, &stamina);
    kn_timer_type_id mind;
    (void)scene_note(
        b, kn_timer_type_register(b->library, "Mind", play_mind, NULL, &mind, &b->error));
}

static void play_populate(scene_stage *stage)
{
    static const char *const names[] = {"Ground", "Extra", "Moods"};
    kn_timer_type_id mind = kn_timer_type_find(stage->library, "Mind");
    for (uint32_t i = 0; i < PLAYERS && stage->result == KN_OK; i++) {
        kn_entity_id player;
        (void)scene_act(stage, kn_entity_create(stage->world, &player));
        for (uint32_t j = 0; j < 3; j++) {
            (void)scene_act(
                stage, kn_capability_set_add(stage->world, player,
                           kn_capability_set_find(stage->library, names[(i + j) % 3]), NULL));
        }
        (void)scene_act(
            stage, kn_timer_start(stage->world, mind, player, KN_MS(37 * (i + 1)), NULL, NULL));
    }
}

const scene_info scene_capability = {
    .name = "capability",
    .summary = "entities with capabilities that switch, block, add and remove each other",
    .declare = play_declare,
    .populate = play_populate,
    .seconds = 20,
};
