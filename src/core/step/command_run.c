// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Carrying out the commands that wait, at the beginning of a step. Those that every library has are
// here; they do with public functions what a host could do by itself.

#include "step/step.h"

#include "library/command_kinds.h"

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
    kn_refusal_line *lines; // KN_COMMAND_LINES_MAX: what its check and function said
    uint32_t line_count;
} command_outcome;

// The predefined kinds --------------------------------------------------------

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
    // Whether this machine could start it by itself says nothing about a peer.
    const uint32_t own = KN_FAIL_NETWORKING;
    if (is_remote(world, command) && outcome->reasons != own) {
        outcome->reasons &= ~own;
    }
}

// The first ability of the walk that can be activated; if none can, the first one for its reasons.
static kn_ability_id ability_choose(
    const kn_world *world, kni_ability_walk walk, const kn_event_record *event)
{
    kn_ability_id first = {0};
    uint32_t slot;
    while ((slot = kni_ability_walk_next(world, &walk)) != KNI_NONE) {
        kn_ability_id ability = kni_ability_id_of(world, slot);
        if (kn_ability_check(world, ability, event) == 0) {
            return ability;
        }
        first = first.index1 == 0 ? ability : first;
    }
    return first;
}

// All abilities that fit. Of several the last refusal counts, but only if none was activated.
static void activate_all(kn_world *world, const kn_command *command, kni_ability_walk walk,
    const kn_event_record *event, command_outcome *outcome)
{
    bool is_done = false;
    uint32_t slot;
    while ((slot = kni_ability_walk_next(world, &walk)) != KNI_NONE) {
        command_outcome one = {.result = KN_OK};
        ability_activate(world, command, kni_ability_id_of(world, slot), event, &one);
        if (one.result == KN_OK || !is_done) {
            *outcome = one;
        }
        is_done = is_done || one.result == KN_OK;
    }
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
    uint32_t component = kni_component_find(world, command->entity);
    outcome->result = component == KNI_NONE ? KN_REFUSED_STALE_ID : KN_REFUSED_NOT_FOUND;
    bool is_named = payload.type.index1 != 0 || payload.tag.index1 != 0 || payload.input != 0;
    if (component == KNI_NONE || !is_named) {
        return; // without a name it would activate whatever comes first
    }
    kn_ability_query query = kn_ability_query_default();
    query.type = payload.type;
    query.all_tags = (kn_tags){&payload.tag, payload.tag.index1 != 0};
    query.input = payload.input;
    kni_ability_walk walk = kni_ability_walk_begin(world, component, &query);
    if (payload.all != 0) {
        activate_all(world, command, walk, event, outcome);
        return;
    }
    kn_ability_id ability = ability_choose(world, walk, event);
    if (ability.index1 != 0) {
        ability_activate(world, command, ability, event, outcome);
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

static kn_task_id targeting_task_of(const kn_world *world, uint32_t activation)
{
    const kni_span *tasks = &kni_activation_at(world, activation)->tasks;
    for (uint32_t i = 0; i < tasks->count; i++) {
        kn_task_id task = kni_task_id_of(world, *KNI_SPAN_AT(world, *tasks, uint32_t, i));
        kn_task_info info;
        if (kn_task_get(world, task, &info) && info.kind == KN_TASK_TARGET && info.is_started) {
            return task;
        }
    }
    return (kn_task_id){0};
}

// The first targeting task of an entity, or of one of its abilities; null if there is none.
static kn_task_id targeting_task(const kn_world *world, kn_entity_id entity, kn_ability_id ability)
{
    uint32_t component = kni_component_find(world, entity);
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    kn_task_id task = {0};
    for (uint32_t i = 0; actor != NULL && task.index1 == 0 && i < actor->activations.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        kn_ability_id of = kn_activation_ability(world, kni_activation_id_of(world, slot));
        if (ability.index1 == 0 || kn_ability_id_equal(of, ability)) {
            task = targeting_task_of(world, slot);
        }
    }
    return task;
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

static kn_result run_sync(kn_world *world, const kn_command *command)
{
    kn_command_sync payload;
    memcpy(&payload, command->payload, sizeof(payload));
    if (!kn_ability_is_alive(world, payload.ability)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!ability_is_of(world, payload.ability, command->entity)) {
        return KN_REFUSED_NOT_FOUND;
    }
    return kni_sync_command(world, command->connection, &payload);
}

static kn_result run_tolerance(kn_world *world, const kn_command *command)
{
    kn_command_tolerance payload;
    memcpy(&payload, command->payload, sizeof(payload));
    if (command->connection != 0) {
        return KN_REFUSED_BLOCKED; // nobody tolerates himself
    }
    return kn_entity_set_tolerance(
        world, command->entity, (kn_tolerance){payload.early, payload.limit});
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

// Calls the check of a kind, or its function. Whoever says why not has refused the command.
static void command_call(kn_world *world, const kni_command_type *type, bool is_check,
    kn_command *command, command_outcome *outcome)
{
    kn_check_answer answer = {
        .world = world, .lines = outcome->lines, .capacity = KN_COMMAND_LINES_MAX};
    command->answer = &answer;
    outcome->result = is_check ? type->check(type->check_user, world, command)
                               : type->def.function(type->def.user, world, command);
    command->answer = NULL;
    outcome->reasons = answer.reasons;
    outcome->line_count = kni_answer_kept(&answer);
    if (outcome->result == KN_OK && answer.reasons != 0) {
        outcome->result = kn_fail_result(answer.reasons);
    }
}

static void command_do(kn_world *world, kn_command *command, command_outcome *outcome)
{
    const kni_command_type *type =
        KNI_ITEM(world->library, KN_DEF_COMMAND, kni_command_type, command->type.index1 - 1);
    outcome->result = owner_check(world, type, command);
    if (outcome->result == KN_OK && type->check != NULL) {
        command_call(world, type, true, command, outcome);
    }
    if (outcome->result != KN_OK) {
        return;
    }
    if (type->def.function != NULL) {
        command_call(world, type, false, command, outcome);
        return;
    }
    switch (command->type.index1) {
    case KNI_COMMAND_ACTIVATE:
        run_activate(world, command, outcome);
        break;
    case KNI_COMMAND_PRESS:
        outcome->result = run_press(world, command);
        break;
    case KNI_COMMAND_RELEASE:
        outcome->result = run_release(world, command);
        break;
    case KNI_COMMAND_CONFIRM:
    case KNI_COMMAND_CANCEL:
    case KNI_COMMAND_TARGETS:
        outcome->result = run_task(world, command);
        break;
    case KNI_COMMAND_END:
    case KNI_COMMAND_CANCEL_ABILITY:
        outcome->result = run_end(world, command);
        break;
    case KNI_COMMAND_SYNC:
        outcome->result = run_sync(world, command);
        break;
    case KNI_COMMAND_TOLERANCE:
        outcome->result = run_tolerance(world, command);
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
    uint32_t size = outcome->line_count * (uint32_t)sizeof(kn_refusal_line), offset = 0;
    bool has_lines = size > 0 && kni_bytes_room(world, size, &offset);
    kn_event *event = kni_emit(world, KN_EVENT_COMMAND, command->entity);
    memset(&event->data, 0, sizeof(event->data));
    if (has_lines) {
        memcpy(world->pending.bytes + offset, outcome->lines, size);
        event->data.command.lines1 = offset + 1;
        event->data.command.line_count = outcome->line_count;
    }
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

// Shows the past that the player saw to whatever queries the space, which is returned. NULL if that
// is the present.
static const kn_space *view_begin(kn_world *world, const kn_command *command)
{
    const kn_space *space = world->def.space;
    if (command->view == 0 || command->view >= world->now || space == NULL ||
        space->rewind == NULL || space->resume == NULL) {
        return NULL;
    }
    space->rewind(space->user, world, command->view, command->connection);
    return space;
}

// Carries out a command, and the reactions to it.
static kn_result command_one(kn_world *world, uint32_t slot)
{
    command_copy copy;
    kn_refusal_line lines[KN_COMMAND_LINES_MAX];
    command_outcome outcome = {.result = KN_OK, .lines = lines};
    command_take(world, slot, &copy);
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_COMMAND, copy.command.entity, (kn_effect_id){0},
            (kn_effect_type_id){0}, copy.command.type.index1, &previous)) {
        return KN_REFUSED_LIMIT;
    }
    const kn_space *rewound = view_begin(world, &copy.command);
    kni_cause_set_key(world, (kni_key){copy.command.connection, copy.command.sequence});
    command_do(world, &copy.command, &outcome);
    command_publish(world, &copy, &outcome);
    kni_cause_end(world, previous);
    if (world->reaction_count > 0) {
        kni_drain(world);
    }
    if (rewound != NULL) {
        rewound->resume(rewound->user, world);
    }
    return outcome.result;
}

void kni_commands_run(kn_world *world)
{
    // What is issued from here on waits for the next step.
    kni_commands_settle(world);
    uint32_t count = world->command_count;
    memcpy(world->commands_running, world->command_order, count * sizeof(uint32_t));
    world->command_count = 0;
    world->ordered_count = 0;
    for (uint32_t i = 0; i < count && !world->is_broken;) {
        uint32_t slot = world->commands_running[i++];
        if (kni_command_at(world, slot)->parts == 0) {
            (void)command_one(world, slot);
            continue;
        }
        command_copy batch;
        kn_refusal_line lines[KN_COMMAND_LINES_MAX];
        command_outcome outcome = {.result = KN_OK, .lines = lines};
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
