// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Carrying out the commands that wait, at the beginning of a step. Those that every library has are
// here; they do with public functions what a host could do by itself.

#include "step/step.h"

// A command outside the heap, which moves while the command is carried out.
typedef struct command_copy {
    kn_command command;
    uint32_t part;
    uint32_t parts;
    uint64_t payload[KN_COMMAND_SIZE_MAX / 8];
    uint64_t targets[KN_TARGET_BYTES_MAX / 8];
} command_copy;

// What is published about it.
typedef struct command_outcome {
    kn_result result;
    uint32_t reasons;
    kn_activation_id activation;
} command_outcome;

// The predefined kinds --------------------------------------------------------

#define NEAR_MAX 256 // abilities, activations and tasks that are looked at

// Whether the command comes from another machine, so that the rules for peers apply.
static bool is_remote(const kn_world *world, const kn_command *command)
{
    return command->connection != 0 && command->connection != world->def.connection;
}

static bool ability_is_of(const kn_world *world, kn_ability_id ability, kn_entity_id entity)
{
    kn_ability_info info;
    return kn_ability_get(world, ability, &info) &&
           kn_entity_id_equal(info.owner, kn_entity_actor(world, entity));
}

static bool event_is_empty(const kn_command_event *from, uint32_t tag_count)
{
    return from->object == 0 && from->object2 == 0 && from->instigator.index1 == 0 &&
           from->target.index1 == 0 && from->magnitude == 0.0f && from->tag.index1 == 0 &&
           tag_count == 0 && from->by_event == 0;
}

// The event of a command. False if there is none.
static bool event_make(
    const kn_command *command, const kn_command_event *from, kn_tag *tags, kn_event_record *event)
{
    *event = kn_event_record_default();
    uint32_t count = 0;
    for (uint32_t i = 0; i < KN_COMMAND_TAGS_MAX; i++) {
        if (from->tags[i].index1 != 0) {
            tags[count++] = from->tags[i];
        }
    }
    event->tags = (kn_tags){tags, count};
    event->instigator = from->instigator;
    event->target = from->target;
    event->magnitude = from->magnitude;
    event->object = from->object;
    event->object2 = from->object2;
    event->tag = from->tag;
    event->data = command->targets.size > 0 ? command->targets.data : NULL;
    event->data_size = command->targets.size;
    return command->targets.size > 0 || !event_is_empty(from, count);
}

static void ability_activate(kn_world *world, const kn_command *command, kn_ability_id ability,
    const kn_event_record *event, command_outcome *outcome)
{
    kn_activation_id activation;
    kn_result result =
        is_remote(world, command)
            ? kn_peer_activate(world, command->connection, ability, event, &activation)
            : kn_ability_activate(world, ability, event, &activation);
    outcome->result = result;
    outcome->activation = activation;
    outcome->reasons = kn_result_is_refused(result) ? kn_ability_check(world, ability, event) : 0;
}

static void run_activate(kn_world *world, const kn_command *command, command_outcome *outcome)
{
    kn_command_activate payload;
    memcpy(&payload, command->payload, sizeof(payload));
    kn_event_record record;
    kn_tag tags[KN_COMMAND_TAGS_MAX];
    const kn_event_record *event =
        event_make(command, &payload.event, tags, &record) ? &record : NULL;
    if (payload.ability.index1 != 0) {
        outcome->result = !kn_ability_is_alive(world, payload.ability) ? KN_REFUSED_STALE_ID
                                                                       : KN_REFUSED_NOT_FOUND;
        if (ability_is_of(world, payload.ability, command->entity)) {
            ability_activate(world, command, payload.ability, event, outcome);
        }
        return;
    }
    outcome->result =
        !kn_entity_is_alive(world, command->entity) ? KN_REFUSED_STALE_ID : KN_REFUSED_NOT_FOUND;
    if (payload.type.index1 == 0 && payload.tag.index1 == 0 && payload.input == 0) {
        return; // would activate whatever comes first
    }
    kn_ability_query query = kn_ability_query_default();
    query.type = payload.type;
    query.all_tags = (kn_tags){&payload.tag, payload.tag.index1 != 0};
    query.input = payload.input;
    kn_ability_id found[NEAR_MAX];
    uint32_t end = kn_abilities_find(world, command->entity, &query, found, NEAR_MAX);
    end = end < NEAR_MAX ? end : NEAR_MAX;
    uint32_t first = 0;
    if (payload.all == 0 && end > 0) {
        uint32_t ready = 0;
        while (ready < end && kn_ability_check(world, found[ready], event) != 0) {
            ready++;
        }
        first = ready < end ? ready : 0; // none can: the reasons of the first
        end = first + 1;
    }
    // Of several the last refusal counts, but only if none was activated.
    bool is_done = false;
    for (uint32_t i = first; i < end; i++) {
        command_outcome one = {KN_OK, 0, {0, 0}};
        ability_activate(world, command, found[i], event, &one);
        if (one.result == KN_OK || !is_done) {
            *outcome = one;
        }
        is_done = is_done || one.result == KN_OK;
    }
}

static kn_result run_press(kn_world *world, const kn_command *command)
{
    kn_command_press payload;
    memcpy(&payload, command->payload, sizeof(payload));
    if (payload.input == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_event_record record;
    kn_tag tags[KN_COMMAND_TAGS_MAX];
    const kn_event_record *event =
        event_make(command, &payload.event, tags, &record) ? &record : NULL;
    return is_remote(world, command)
               ? kn_peer_press(world, command->connection, command->entity, payload.input, event)
           : event != NULL ? kn_input_press_with(world, command->entity, payload.input, event)
                           : kn_input_press(world, command->entity, payload.input);
}

static kn_result run_release(kn_world *world, const kn_command *command)
{
    kn_command_release payload;
    memcpy(&payload, command->payload, sizeof(payload));
    return payload.input == 0 ? KN_REFUSED_NOT_FOUND
                              : kn_input_release(world, command->entity, payload.input);
}

// The first targeting task of an entity, or of one of its abilities; null if there is none.
static kn_task_id targeting_task(const kn_world *world, kn_entity_id entity, kn_ability_id ability)
{
    kn_activation_id activations[NEAR_MAX];
    kn_task_id tasks[NEAR_MAX];
    uint32_t count = kn_activations(world, entity, activations, NEAR_MAX);
    for (uint32_t i = 0; i < count && i < NEAR_MAX; i++) {
        if (ability.index1 != 0 &&
            !kn_ability_id_equal(kn_activation_ability(world, activations[i]), ability)) {
            continue;
        }
        uint32_t task_count = kn_tasks(world, activations[i], tasks, NEAR_MAX);
        for (uint32_t t = 0; t < task_count && t < NEAR_MAX; t++) {
            kn_task_info info;
            if (kn_task_get(world, tasks[t], &info) && info.kind == KN_TASK_TARGET &&
                info.is_started) {
                return tasks[t];
            }
        }
    }
    return (kn_task_id){0};
}

static kn_result run_task(kn_world *world, const kn_command *command)
{
    kn_command_task payload;
    memcpy(&payload, command->payload, sizeof(payload));
    bool is_confirm = command->type.index1 == kn_command_type_confirm().index1;
    bool is_cancel = command->type.index1 == kn_command_type_cancel().index1;
    if (payload.task.index1 == 0) {
        if (is_confirm || is_cancel) {
            return is_confirm ? kn_input_confirm(world, command->entity)
                              : kn_input_cancel(world, command->entity);
        }
        payload.task = targeting_task(world, command->entity, payload.ability);
        if (payload.task.index1 == 0) {
            return kn_entity_is_alive(world, command->entity) ? KN_REFUSED_NOT_FOUND
                                                              : KN_REFUSED_STALE_ID;
        }
    }
    kn_task_info info;
    if (!kn_task_get(world, payload.task, &info)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kn_entity_id_equal(
            kn_activation_owner(world, info.activation), kn_entity_actor(world, command->entity))) {
        return KN_REFUSED_NOT_FOUND;
    }
    return is_confirm  ? kn_target_confirm(world, payload.task)
           : is_cancel ? kn_target_cancel(world, payload.task)
                       : kn_target_provide(world, payload.task, command->targets);
}

static kn_result run_end(kn_world *world, const kn_command *command)
{
    kn_command_end payload;
    memcpy(&payload, command->payload, sizeof(payload));
    bool is_cancel = command->type.index1 == kn_command_type_cancel_ability().index1;
    kn_activation_id activation = payload.activation;
    if (activation.index1 == 0) {
        kn_ability_info info;
        if (!kn_ability_get(world, payload.ability, &info)) {
            return KN_REFUSED_STALE_ID;
        }
        if (!ability_is_of(world, payload.ability, command->entity)) {
            return KN_REFUSED_NOT_FOUND;
        }
        if (is_cancel && !is_remote(world, command)) {
            return kn_ability_cancel(world, payload.ability);
        }
        activation = info.latest;
        if (activation.index1 == 0) {
            return KN_REFUSED_NOT_FOUND;
        }
    }
    if (!kn_activation_is_alive(world, activation)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!ability_is_of(world, kn_activation_ability(world, activation), command->entity)) {
        return KN_REFUSED_NOT_FOUND;
    }
    return is_remote(world, command)
               ? kn_peer_end(world, command->connection, activation, is_cancel)
           : is_cancel ? kn_activation_cancel(world, activation)
                       : kn_activation_end(world, activation);
}

// All kinds -------------------------------------------------------------------

static kn_result owner_check(
    const kn_world *world, const kni_command_type *type, const kn_command *command)
{
    if (!type->def.owner_only || command->connection == 0) {
        return KN_OK;
    }
    if (!kn_entity_is_alive(world, command->entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kn_entity_connection(world, command->entity) == command->connection ? KN_OK
                                                                               : KN_REFUSED_BLOCKED;
}

static void command_do(kn_world *world, const kn_command *command, command_outcome *outcome)
{
    const kni_command_type *type =
        KNI_ITEM(world->library, KN_DEF_COMMAND, kni_command_type, command->type.index1 - 1);
    outcome->result = owner_check(world, type, command);
    if (outcome->result == KN_OK && type->check != NULL) {
        outcome->result = type->check(type->check_user, world, command);
    }
    if (outcome->result != KN_OK) {
        return;
    }
    if (type->def.function != NULL) {
        outcome->result = type->def.function(type->def.user, world, command);
        return;
    }
    enum { ACTIVATE = 1, PRESS, RELEASE, CONFIRM, CANCEL, TARGETS, END, CANCEL_ABILITY };
    switch (command->type.index1) {
    case ACTIVATE:
        run_activate(world, command, outcome);
        break;
    case PRESS:
        outcome->result = run_press(world, command);
        break;
    case RELEASE:
        outcome->result = run_release(world, command);
        break;
    case CONFIRM:
    case CANCEL:
    case TARGETS:
        outcome->result = run_task(world, command);
        break;
    case END:
    case CANCEL_ABILITY:
        outcome->result = run_end(world, command);
        break;
    default: // a batch: its parts follow
        break;
    }
}

static void command_publish(
    kn_world *world, const command_copy *copy, const command_outcome *outcome)
{
    if (!kni_wants(world, KN_EVENT_COMMAND)) {
        return;
    }
    const kn_command *command = &copy->command;
    kn_event *event = kni_emit(world, KN_EVENT_COMMAND, command->entity);
    memset(&event->data, 0, sizeof(event->data));
    event->data.command.type = command->type;
    event->data.command.connection = command->connection;
    event->data.command.sequence = command->sequence;
    event->data.command.part = copy->part;
    event->data.command.result = outcome->result;
    event->data.command.reasons = outcome->reasons;
    event->data.command.activation = outcome->activation;
}

// Takes the record out of the world.
static void command_take(kn_world *world, uint32_t slot, command_copy *copy)
{
    const kni_command *record = kni_command_at(world, slot);
    kni_command_view(world, slot, &copy->command);
    copy->part = record->part;
    copy->parts = record->parts;
    if (copy->command.size > 0) {
        memcpy(copy->payload, copy->command.payload, copy->command.size);
        copy->command.payload = copy->payload;
    }
    if (copy->command.targets.size > 0) {
        memcpy(copy->targets, copy->command.targets.data, copy->command.targets.size);
        copy->command.targets.data = copy->targets;
    }
    copy->command.part_count = 0;
    kni_command_release(world, slot);
}

// Carries out a command, and the reactions to it.
static kn_result command_one(kn_world *world, uint32_t slot)
{
    command_copy copy;
    command_outcome outcome = {KN_OK, 0, {0, 0}};
    command_take(world, slot, &copy);
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_COMMAND, copy.command.entity, (kn_effect_id){0},
            (kn_effect_type_id){0}, copy.command.type.index1, &previous)) {
        return KN_REFUSED_LIMIT;
    }
    command_do(world, &copy.command, &outcome);
    command_publish(world, &copy, &outcome);
    kni_cause_end(world, previous);
    if (world->reaction_count > 0) {
        kni_drain(world);
    }
    return outcome.result;
}

void kni_commands_run(kn_world *world)
{
    // What is issued from here on waits for the next step.
    uint32_t count = world->command_count;
    memcpy(world->commands_running, world->command_order, count * sizeof(uint32_t));
    world->command_count = 0;
    for (uint32_t i = 0; i < count && !world->is_broken;) {
        uint32_t slot = world->commands_running[i++];
        if (kni_command_at(world, slot)->parts == 0) {
            (void)command_one(world, slot);
            continue;
        }
        command_copy batch;
        command_outcome outcome = {KN_OK, 0, {0, 0}};
        command_take(world, slot, &batch);
        // Nobody who may not send the batch gets its parts through.
        command_do(world, &batch.command, &outcome);
        bool is_allowed = outcome.result == KN_OK;
        for (uint32_t part = 0; part < batch.parts && !world->is_broken; part++) {
            slot = world->commands_running[i++];
            if (!is_allowed) {
                kni_command_release(world, slot);
                continue;
            }
            kn_result result = command_one(world, slot);
            outcome.result = outcome.result == KN_OK ? result : outcome.result;
        }
        command_publish(world, &batch, &outcome);
    }
}
