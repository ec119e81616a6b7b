// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Actions of the timeline as commands.

#include "scenario_sessions.h"

#include <string.h>

// Records of target data that are written, then those of entities.
void kni_targets_of(const kn_scenario_run *run, const kni_part *part, kn_target_data *out)
{
    memset(out, 0, sizeof(*out));
    (void)kni_records_write(run, part->target_data, out);
    for (uint32_t i = 0; i < part->targets.count; i++) {
        kn_target_entity entity = {kni_run_entity(run, part->targets.data[i])};
        (void)kn_target_add(run->scenario->library, out, kn_target_type_entity(), &entity);
    }
}

// Copies bytes into a command that is held by value; NULL when they do not fit.
static const void *command_keep(
    kn_command_data *data, uint32_t *used, const void *from, uint32_t size)
{
    if (size > sizeof(data->bytes) - *used) {
        return NULL;
    }
    uint8_t *at = (uint8_t *)data->bytes + *used;
    memcpy(at, from, size);
    *used += (size + 7) / 8 * 8;
    return at;
}

// A command, or a part of one. False if it is too large.
static bool command_issue(const kn_scenario_run *run, const kni_part *part, kn_command_data *data,
    uint32_t *used, kn_command *command)
{
    uint64_t payload[KN_COMMAND_SIZE_MAX / 8] = {0};
    kn_target_data targets;
    kni_targets_of(run, part, &targets);
    const kn_command_def *def = kn_def_get(run->scenario->library, KN_DEF_COMMAND, part->command);
    if (kni_part_has(part, KNI_KEY_FIELDS)) {
        kni_fields_of of = {.name = def->name,
            .fields = def->fields,
            .count = def->field_count,
            .has_owner = kni_part_has(part, KNI_KEY_ENTITY),
            .owner = kni_run_entity(run, part->entity)};
        (void)kni_fields_write(run, &of, part->fields, (uint8_t *)payload);
    }
    kn_target_view view = kn_target_data_view(&targets);
    *command = (kn_command){.type = {part->command}, .size = def->size, .targets = view};
    if (kni_part_has(part, KNI_KEY_ENTITY)) {
        command->entity = kni_run_entity(run, part->entity);
    }
    if (def->size > 0) {
        command->payload = command_keep(data, used, payload, def->size);
    }
    command->targets.data = view.size > 0 ? command_keep(data, used, view.data, view.size) : NULL;
    return (def->size == 0 || command->payload != NULL) &&
           (view.size == 0 || command->targets.data != NULL);
}

// A command that is written field by field, and its parts if it is a batch.
static bool command_written(const kn_scenario_run *run, const kni_part *part, kn_command_data *data)
{
    kn_command *command = &data->command;
    uint32_t used = 0;
    bool fits = command_issue(run, part, data, &used, command);
    command->connection =
        run->sessions != NULL ? kni_sessions_connection(run, part->controller) : part->connection;
    command->sequence = part->sequence_number;
    if (part->parts.count > 0) {
        command->parts = data->parts;
        command->part_count = part->parts.count;
    }
    for (uint32_t i = 0; fits && i < part->parts.count; i++) {
        fits = command_issue(run, &part->parts.data[i], data, &used, &data->parts[i]);
    }
    return fits;
}

// The event that goes along with a command.
static kn_command_event command_event(const kn_scenario_run *run, const kni_part *event)
{
    kn_command_event out = {0};
    if (event == NULL) {
        return out;
    }
    out.object = event->object;
    out.instigator = kni_run_entity(run, event->instigator);
    out.target = kni_run_entity(run, event->target);
    out.magnitude = event->magnitude;
    out.tag.index1 = event->tag;
    for (uint32_t i = 0; i < event->tags.count && i < KN_COMMAND_TAGS_MAX; i++) {
        out.tags[i] = event->tags.data[i];
    }
    out.by_event = 1;
    return out;
}

typedef union command_payload {
    kn_command_activate activate;
    kn_command_press press;
    kn_command_release release;
    kn_command_task task;
    kn_command_end end;
} command_payload;

// The kind of command that an action is, with its payload.
static kn_command_type_id command_kind(
    const kn_scenario_run *run, const kni_part *part, command_payload *payload, uint32_t *size)
{
    kn_ability_id ability = kni_run_ability(run, part);
    memset(payload, 0, sizeof(*payload));
    switch (part->verb) {
    case KNI_VERB_ACTIVATE:
        payload->activate.type.index1 = part->ability.type;
        payload->activate.tag.index1 = part->tags.count > 0 ? part->tags.data[0].index1 : 0;
        payload->activate.all = part->tags.count > 0;
        payload->activate.event = command_event(run, part->event);
        *size = sizeof(payload->activate);
        return kn_command_type_activate();
    case KNI_VERB_PRESS:
        payload->press.input = part->input;
        payload->press.event = command_event(run, part->event);
        *size = sizeof(payload->press);
        return kn_command_type_press();
    case KNI_VERB_RELEASE:
        payload->release.input = part->input;
        *size = sizeof(payload->release);
        return kn_command_type_release();
    case KNI_VERB_CANCEL:
    case KNI_VERB_END:
        payload->end.ability = ability;
        *size = sizeof(payload->end);
        return part->verb == KNI_VERB_END ? kn_command_type_end()
                                          : kn_command_type_cancel_ability();
    case KNI_VERB_PROVIDE:
        payload->task.ability = ability;
        *size = sizeof(payload->task);
        return kn_command_type_targets();
    default:
        *size = sizeof(payload->task);
        return part->verb == KNI_VERB_CONFIRM ? kn_command_type_confirm()
                                              : kn_command_type_cancel();
    }
}

bool kni_command_of(const kn_scenario_run *run, const kni_part *part, kn_command_data *data)
{
    if (part->verb == KNI_VERB_ISSUE) {
        return command_written(run, part, data);
    }
    command_payload payload;
    kn_target_data targets;
    uint32_t size = 0, used = 0;
    kni_targets_of(run, part->event != NULL ? part->event : part, &targets);
    kn_target_view view = kn_target_data_view(&targets);
    data->command = (kn_command){.type = command_kind(run, part, &payload, &size),
        .entity = kni_run_entity(run, part->entity),
        .targets = {.size = view.size}};
    data->command.size = size;
    data->command.payload = command_keep(data, &used, &payload, size);
    data->command.targets.data =
        view.size > 0 ? command_keep(data, &used, view.data, view.size) : NULL;
    return data->command.payload != NULL && (view.size == 0 || data->command.targets.data != NULL);
}
