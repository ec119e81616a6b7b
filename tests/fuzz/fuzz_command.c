// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bytes as commands. Each begins with its length. What is not refused is the same when it is
// written again, can be issued, survives a save while it waits, and leaves a valid world.

#include "fuzz_input.h"

#include "knack/knack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMANDS_MAX 16

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_command: %s\n", what);
        abort();
    }
}

typedef struct order {
    kn_vec3 place;
    float strength;
    kn_entity_id at;
    kn_tag tags[2];
    uint16_t count;
    bool is_queued;
    uint8_t unused;
    int32_t change;
} order;

static const kn_field order_fields[] = {
    {.name = "place", .kind = KN_FIELD_VEC3, .offset = offsetof(order, place)},
    {.name = "strength", .kind = KN_FIELD_F32, .offset = offsetof(order, strength)},
    {.name = "at", .kind = KN_FIELD_ENTITY, .offset = offsetof(order, at)},
    {.name = "tags", .kind = KN_FIELD_TAG, .offset = offsetof(order, tags), .count = 2},
    {.name = "count", .kind = KN_FIELD_U16, .offset = offsetof(order, count)},
    {.name = "is_queued", .kind = KN_FIELD_BOOL, .offset = offsetof(order, is_queued)},
    {.name = "unused", .kind = KN_FIELD_U8, .offset = offsetof(order, unused)},
    {.name = "change", .kind = KN_FIELD_I32, .offset = offsetof(order, change)},
};

static kn_result order_run(void *user, kn_world *world, const kn_command *command)
{
    (void)user;
    const order *o = command->payload;
    if (!kn_entity_id_is_null(o->at)) {
        (void)kn_entity_destroy(world, o->at);
    }
    // Some answer with a command.
    kn_command next = {.type = kn_command_type_confirm(), .entity = command->entity};
    return o->is_queued ? kn_world_command(world, &next, NULL) : KN_REFUSED_CUSTOM;
}

static kn_library *library_of(void)
{
    static kn_library *library;
    if (library != NULL) {
        return library;
    }
    kn_library_def def = kn_library_def_default();
    must(kn_library_create(&def, &library) == KN_OK, "no library");
    kn_tag tag;
    kn_tag_def tag_def = kn_tag_def_default();
    tag_def.name = "Kind.Attack";
    must(kn_tag_register(library, &tag_def, &tag, NULL) == KN_OK, "no tag");
    kn_command_def kind = kn_command_def_default();
    kind.name = "Order";
    kind.size = sizeof(order);
    kind.fields = order_fields;
    kind.field_count = 8;
    kind.has_targets = true;
    kind.owner_only = false;
    kind.function = order_run;
    kn_command_type_id type;
    must(kn_command_register(library, &kind, &type, NULL) == KN_OK, "no command");
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Strike";
    ability.body = KN_BODY_STAY;
    ability.input = 1;
    ability.tags = (kn_tags){&tag, 1};
    kn_ability_type_id ability_type;
    must(kn_ability_register(library, &ability, &ability_type, NULL) == KN_OK, "no ability");
    must(kn_library_finish(library, NULL) == KN_OK, "not finished");
    return library;
}

static kn_world *world_of(const kn_library *library)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    must(kn_world_create(&def, &world) == KN_OK, "no world");
    return world;
}

static void read_one(
    const kn_library *library, kn_world *world, const uint8_t *bytes, uint32_t size)
{
    static kn_command_data data;
    static uint8_t again[2 * KN_COMMAND_BYTES_MAX];
    char text[64];
    kn_error error;
    uint8_t *exact = malloc(size > 0 ? size : 1);
    must(exact != NULL, "no memory");
    memcpy(exact, bytes, size);
    kn_result result = kn_command_read(library, exact, size, &data, &error);
    if (result == KN_OK) {
        must(kn_command_write(library, &data.command, again, sizeof(again)) == size,
            "written again it has another size");
        must(memcmp(again, exact, size) == 0, "written again it is another command");
        must(kn_world_command(world, &data.command, &error) == KN_OK, error.message);
        (void)kn_command_print(world, &data.command, text, sizeof(text));
        (void)kn_command_json(world, &data.command, text, sizeof(text));
    } else {
        must(result == KN_ERROR_BAD_DATA && error.message[0] != 0, "refused without a message");
        must(data.command.type.index1 == 0, "refused, but there is a command");
    }
    free(exact);
}

// A world with the same commands waiting.
static kn_world *loaded(const kn_library *library, const kn_world *world)
{
    size_t size;
    must(kn_save_write(world, NULL, 0, &size) == KN_OK, "no size");
    uint8_t *save = malloc(size);
    must(save != NULL && kn_save_write(world, save, size, &size) == KN_OK, "no save");
    kn_world *other = world_of(library);
    kn_error error = {0};
    must(kn_save_read(other, save, size, &error) == KN_OK, error.message);
    must(kn_world_hash(other) == kn_world_hash(world), "the save is another world");
    free(save);
    return other;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const kn_library *library = library_of();
    kn_world *world = world_of(library);
    kn_entity_id hero, foe;
    must(kn_entity_create(world, &hero) == KN_OK && kn_entity_create(world, &foe) == KN_OK,
        "no entities");
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type.index1 = 1;
    must(kn_ability_grant(world, hero, &grant, NULL) == KN_OK, "no ability");
    for (uint32_t i = 0; i < COMMANDS_MAX && input.size > 0; i++) {
        uint32_t length = take_u8(&input);
        length = length < input.size ? length : (uint32_t)input.size;
        read_one(library, world, input.data, length);
        input.data += length;
        input.size -= length;
    }
    must(kn_world_validate(world), "the queue is not valid");
    kn_world *other = loaded(library, world);
    for (uint32_t i = 0; i < 3; i++) {
        must(kn_world_step(world, KN_MS(10)) == KN_OK, "no step");
        must(kn_world_step(other, KN_MS(10)) == KN_OK, "no step of the other");
        must(kn_world_hash(other) == kn_world_hash(world), "the other world went elsewhere");
        must(kn_world_validate(world), "the world is not valid");
    }
    kn_world_destroy(other);
    kn_world_destroy(world);
    return 0;
}
