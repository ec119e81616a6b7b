// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The queue of commands: records that wait for the next step, and the order in which it carries
// them out.

#include "world/world.h"

// The order -----------------------------------------------------------------

bool kni_commands_reserve(kn_world *world, uint32_t count)
{
    return count <= UINT32_MAX / 2 &&
           kni_grow(&world->memory, &world->command_order, &world->command_capacity, 2 * count,
               sizeof(uint32_t)) &&
           kni_grow(&world->memory, &world->commands_running, &world->running_capacity, count,
               sizeof(uint32_t));
}

bool kni_command_is_before(const kni_command *a, const kni_command *b)
{
    if (a->connection != b->connection) {
        return a->connection < b->connection;
    }
    return a->sequence != b->sequence ? a->sequence < b->sequence : a->number < b->number;
}

static bool slot_is_before(const kn_world *world, uint32_t a, uint32_t b)
{
    return kni_command_is_before(kni_command_at(world, a), kni_command_at(world, b));
}

// Puts a command behind the others, where there is room for it: most of them arrive in order.
static void order_add(kn_world *world, uint32_t slot)
{
    uint32_t count = world->command_count++;
    world->command_order[count] = slot;
    if (world->ordered_count == count &&
        (count == 0 || slot_is_before(world, world->command_order[count - 1], slot))) {
        world->ordered_count++;
    }
}

// Merges two sorted runs that follow each other.
static void runs_merge(
    const kn_world *world, const uint32_t *from, uint32_t middle, uint32_t end, uint32_t *to)
{
    uint32_t left = 0, right = middle;
    for (uint32_t i = 0; i < end; i++) {
        bool takes_right =
            left == middle || (right < end && slot_is_before(world, from[right], from[left]));
        to[i] = takes_right ? from[right++] : from[left++];
    }
}

void kni_commands_settle(const kn_world *world)
{
    uint32_t count = world->command_count;
    if (*world->commands_ordered >= count) {
        return; // there may not even be a list
    }
    uint32_t *from = world->command_order, *to = world->command_order + count;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t at = 0; at < count; at += 2 * width) {
            uint32_t end = count - at < 2 * width ? count - at : 2 * width;
            runs_merge(world, from + at, end < width ? end : width, end, to + at);
        }
        uint32_t *other = from;
        from = to;
        to = other;
    }
    if (from != world->command_order) {
        memcpy(world->command_order, from, count * sizeof(uint32_t));
    }
    *world->commands_ordered = count;
}

void kni_commands_order_all(kn_world *world)
{
    KN_ASSERT(world->commands.count <= world->command_capacity / 2);
    world->command_count = 0;
    world->ordered_count = 0;
    KNI_POOL_EACH(slot, &world->commands) {
        order_add(world, slot);
    }
}

const char *kni_commands_problem(const kn_world *world)
{
    static const char parts[] = "a batch of commands has the wrong parts";
    const kni_command *previous = NULL, *batch = NULL;
    uint32_t part = 0;
    kni_commands_settle(world);
    if (world->command_count != world->commands.count) {
        return "the order of commands is incomplete";
    }
    for (uint32_t i = 0; i < world->command_count; i++) {
        const kni_command *command = kni_command_at(world, world->command_order[i]);
        if (previous != NULL && !kni_command_is_before(previous, command)) {
            return "commands are out of order";
        }
        if (batch != NULL && part < batch->parts) {
            part++;
            if (command->part != part || command->connection != batch->connection ||
                command->sequence != batch->sequence) {
                return parts;
            }
        } else {
            if (command->part != 0) {
                return parts;
            }
            batch = command->parts > 0 ? command : NULL;
            part = 0;
        }
        previous = command;
    }
    return batch != NULL && part < batch->parts ? parts : NULL;
}

void kni_command_release(kn_world *world, uint32_t slot)
{
    kni_command *command = kni_command_at(world, slot);
    kni_span_clear(&world->heap, &command->payload, 1);
    kni_span_clear(&world->heap, &command->targets, 1);
    kni_pool_release(&world->commands, slot);
}

// Issuing -------------------------------------------------------------------

// Copies bytes, or zeros for NULL.
static bool bytes_store(kn_world *world, kni_span *span, const void *bytes, uint32_t size)
{
    if (size == 0) {
        return true;
    }
    if (!kni_span_reserve(&world->heap, &world->memory, span, size, 1)) {
        return false;
    }
    void *to = kni_heap_at(&world->heap, span->ref);
    if (bytes != NULL) {
        memcpy(to, bytes, size);
    } else {
        memset(to, 0, size);
    }
    span->count = size;
    return true;
}

// A record of a command that was checked, or KNI_NONE without memory.
static uint32_t command_store(kn_world *world, const kn_command *command, uint32_t part)
{
    uint32_t slot = kni_pool_acquire(&world->commands, &world->memory);
    if (slot == KNI_NONE) {
        return KNI_NONE;
    }
    const kn_command_def *def = kn_command_get_def(world->library, command->type);
    kni_span payload = {0}, targets = {0};
    if (!bytes_store(world, &payload, command->payload, def->size) ||
        !bytes_store(world, &targets, command->targets.data, command->targets.size)) {
        kni_span_clear(&world->heap, &payload, 1);
        kni_span_clear(&world->heap, &targets, 1);
        kni_pool_release(&world->commands, slot);
        return KNI_NONE;
    }
    kni_command *record = kni_command_at(world, slot);
    *record = (kni_command){.number = kni_number_next(world),
        .entity = command->entity,
        .connection = command->connection,
        .sequence = command->sequence,
        .type1 = command->type.index1,
        .part = part,
        .parts = command->part_count,
        .payload = payload,
        .targets = targets,
        .view = command->view};
    return slot;
}

// All of it or nothing.
static kn_result command_queue(kn_world *world, const kn_command *command)
{
    uint32_t slots[1 + KN_COMMAND_PARTS_MAX];
    uint32_t count = 1 + command->part_count;
    uint64_t number = world->next_number;
    // Those of the running step have their records still.
    if (!kni_commands_reserve(world, world->commands.count + count)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        kn_command part = i == 0 ? *command : command->parts[i - 1];
        part.connection = command->connection;
        part.sequence = command->sequence;
        part.view = command->view;
        part.entity = part.entity.index1 == 0 ? command->entity : part.entity;
        slots[i] = command_store(world, &part, i);
        if (slots[i] == KNI_NONE) {
            while (i-- > 0) {
                kni_command_release(world, slots[i]);
            }
            world->next_number = number;
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        order_add(world, slots[i]);
    }
    return KN_OK;
}

kn_result kn_world_command(kn_world *world, const kn_command *command, kn_error *error)
{
    if (world == NULL || command == NULL) {
        KN_ASSERT(world != NULL && command != NULL);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "the world or the command is missing");
    }
    kn_result result = kn_command_check(world->library, command, error);
    if (result != KN_OK) {
        return result;
    }
    result = kni_enter(world);
    if (result == KN_OK) {
        result = kni_leave(world, command_queue(world, command));
    }
    return result == KN_OK ? KN_OK
                           : kni_error(error, result, "the command could not be queued: %s",
                                 kn_result_name(result));
}

// Looking at it -------------------------------------------------------------

void kni_command_view(const kn_world *world, uint32_t slot, kn_command *out)
{
    const kni_command *command = kni_command_at(world, slot);
    *out = (kn_command){.type = {command->type1},
        .connection = command->connection,
        .sequence = command->sequence,
        .entity = command->entity,
        .size = command->payload.count,
        .part_count = command->parts,
        .view = command->view};
    if (command->payload.count > 0) {
        out->payload = kni_heap_at(&world->heap, command->payload.ref);
    }
    if (command->targets.count > 0) {
        out->targets = (kn_target_view){
            kni_heap_at(&world->heap, command->targets.ref), command->targets.count};
    }
}

uint32_t kn_world_commands(const kn_world *world, kn_command *out, uint32_t capacity)
{
    if (world == NULL) {
        return 0;
    }
    kni_commands_settle(world);
    for (uint32_t i = 0; i < world->command_count && i < capacity; i++) {
        kni_command_view(world, world->command_order[i], &out[i]);
    }
    return world->command_count;
}

uint32_t kn_world_drop_commands(kn_world *world, uint32_t connection)
{
    uint32_t dropped = 0, left = 0;
    if (world == NULL || world->is_broken) {
        return 0;
    }
    kni_commands_settle(world);
    for (uint32_t i = 0; i < world->command_count; i++) {
        uint32_t slot = world->command_order[i];
        const kni_command *command = kni_command_at(world, slot);
        if (command->connection == connection) {
            dropped += command->part == 0;
            kni_command_release(world, slot);
        } else {
            world->command_order[left++] = slot;
        }
    }
    world->command_count = left;
    world->ordered_count = left;
    return dropped;
}

uint32_t kn_command_event_lines(
    const kn_world *world, const kn_event *event, kn_refusal_line *out, uint32_t capacity)
{
    if (world == NULL || event == NULL || event->type != KN_EVENT_COMMAND ||
        event->data.command.lines1 == 0) {
        return 0;
    }
    const kni_event_buffer *buffer = world->log.is_pending ? &world->pending : &world->published;
    uint32_t offset = event->data.command.lines1 - 1, count = event->data.command.line_count;
    if (count > KN_COMMAND_LINES_MAX || offset > buffer->byte_count ||
        count * sizeof(*out) > buffer->byte_count - offset) {
        return 0; // not of the last step
    }
    uint32_t written = count < capacity ? count : capacity;
    if (written > 0) {
        memcpy(out, buffer->bytes + offset, written * sizeof(*out));
    }
    return count;
}
