// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Commands as text and JSON.

#include "report/dump.h"

#include "base/json.h"
#include "library/command_kinds.h"

static const kni_command_type *type_of(const kn_world *world, const kn_command *command)
{
    uint32_t index1 = command->type.index1;
    return index1 == 0 || index1 > kni_ref_count(world->library, KN_DEF_COMMAND)
               ? NULL
               : KNI_ITEM(world->library, KN_DEF_COMMAND, const kni_command_type, index1 - 1);
}

// " Fireball", or " ability 12" for one that is gone; nothing for null.
static void text_ability(kni_text *text, const kn_world *world, kn_ability_id ability)
{
    kn_ability_info info;
    if (ability.index1 == 0) {
        return;
    }
    if (kn_ability_get(world, ability, &info)) {
        kni_text_char(text, ' ');
        kni_text_str(text, kn_ability_type_name(world->library, info.type));
        return;
    }
    kni_text_str(text, " ability ");
    kni_text_u64(text, ability.generation);
    kni_text_str(text, " (gone)");
}

static void text_input(kni_text *text, uint32_t input)
{
    kni_text_str(text, " input ");
    kni_text_u64(text, input);
}

static void text_activate(
    kni_text *text, const kn_world *world, const kn_command_activate *activate)
{
    if (activate->ability.index1 != 0) {
        text_ability(text, world, activate->ability);
        return;
    }
    kni_text_str(text, activate->all != 0 ? " all" : "");
    if (activate->type.index1 != 0) {
        kni_text_char(text, ' ');
        kni_text_str(text, kn_ability_type_name(world->library, activate->type));
    }
    if (activate->tag.index1 != 0) {
        kni_text_str(text, " with tag ");
        kni_text_tag(text, world, activate->tag);
    }
    if (activate->input != 0) {
        kni_text_str(text, " at");
        text_input(text, activate->input);
    }
}

// What a predefined kind is about.
static void text_what(kni_text *text, const kn_world *world, const kn_command *command)
{
    if (command->type.index1 == KNI_COMMAND_BATCH) {
        kni_text_char(text, ' ');
        kni_text_u64(text, command->part_count);
        kni_text_str(text, command->part_count == 1 ? " command" : " commands");
        return;
    }
    if (command->payload == NULL) {
        return;
    }
    switch (command->type.index1) {
    case KNI_COMMAND_ACTIVATE: {
        kn_command_activate activate;
        memcpy(&activate, command->payload, sizeof(activate));
        text_activate(text, world, &activate);
        break;
    }
    case KNI_COMMAND_PRESS:
    case KNI_COMMAND_RELEASE: {
        uint32_t input; // both begin with it
        memcpy(&input, command->payload, sizeof(input));
        text_input(text, input);
        break;
    }
    case KNI_COMMAND_CONFIRM:
    case KNI_COMMAND_CANCEL:
    case KNI_COMMAND_TARGETS: {
        kn_command_task task;
        memcpy(&task, command->payload, sizeof(task));
        if (task.task.index1 != 0) {
            kni_text_str(text, " task ");
            kni_text_u64(text, task.task.generation);
        }
        text_ability(text, world, task.ability);
        break;
    }
    case KNI_COMMAND_END:
    case KNI_COMMAND_CANCEL_ABILITY: {
        kn_command_end end;
        memcpy(&end, command->payload, sizeof(end));
        if (kn_activation_is_alive(world, end.activation)) {
            text_ability(text, world, kn_activation_ability(world, end.activation));
        } else if (end.activation.index1 != 0) {
            kni_text_str(text, " activation ");
            kni_text_u64(text, end.activation.generation);
        }
        text_ability(text, world, end.ability);
        break;
    }
    case KNI_COMMAND_SYNC: {
        kn_command_sync sync;
        memcpy(&sync, command->payload, sizeof(sync));
        text_ability(text, world, sync.ability);
        kni_text_str(text, " at point ");
        kni_text_u64(text, sync.point);
        break;
    }
    default:
        break;
    }
}

// The entity that the event of a command names.
static kn_entity_id event_target(const kn_command *command)
{
    kn_command_activate activate;
    kn_command_press press;
    if (command->payload == NULL) {
        return (kn_entity_id){0};
    }
    if (command->size == sizeof(activate) &&
        command->type.index1 == kn_command_type_activate().index1) {
        memcpy(&activate, command->payload, sizeof(activate));
        return activate.event.target;
    }
    if (command->size == sizeof(press) && command->type.index1 == kn_command_type_press().index1) {
        memcpy(&press, command->payload, sizeof(press));
        return press.event.target;
    }
    return (kn_entity_id){0};
}

static void text_targets(kni_text *text, const kn_command *command)
{
    kn_entity_id found[8];
    uint32_t count = kn_target_entities(command->targets, found, 8);
    kn_entity_id target = event_target(command);
    kn_vec3 place;
    if (count == 0 && target.index1 != 0) {
        found[0] = target;
        count = 1;
    }
    for (uint32_t i = 0; i < count && i < 8; i++) {
        kni_text_str(text, i == 0 ? " on " : ", ");
        kni_text_entity(text, found[i]);
    }
    if (count > 8) {
        kni_text_str(text, " and ");
        kni_text_u64(text, count - 8);
        kni_text_str(text, " more");
    }
    if (count == 0 && kn_target_position(command->targets, &place)) {
        kni_text_str(text, " at ");
        kni_text_float(text, place.x);
        kni_text_char(text, ' ');
        kni_text_float(text, place.y);
        kni_text_char(text, ' ');
        kni_text_float(text, place.z);
    }
}

static void text_command(kni_text *text, const kn_world *world, const kn_command *command)
{
    const kni_command_type *type = type_of(world, command);
    if (type == NULL) {
        kni_text_str(text, "unknown command");
        return;
    }
    bool is_whole = command->payload != NULL && command->size == type->def.size;
    kni_text_str(text, type->name);
    if (is_whole || type->def.size == 0) {
        text_what(text, world, command);
    }
    if (command->entity.index1 != 0) {
        kni_text_str(text, " of ");
        kni_text_entity(text, command->entity);
    }
    if (kn_target_is_valid(world->library, command->targets)) {
        text_targets(text, command);
    }
    if (is_whole && type->def.function != NULL) {
        kni_text_str(text, ": ");
        kni_text_record(text, world, &type->payload.table, command->payload);
    }
}

uint32_t kn_command_print(
    const kn_world *world, const kn_command *command, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    if (world == NULL || command == NULL) {
        KN_ASSERT(world != NULL && command != NULL);
        return 0;
    }
    text_command(&text, world, command);
    for (uint32_t i = 0; command->parts != NULL && i < command->part_count; i++) {
        kni_text_str(&text, i == 0 ? ": " : "; ");
        text_command(&text, world, &command->parts[i]);
    }
    return text.length;
}

void kni_dump_commands(kni_text *text, const kn_world *world, kn_entity_id entity)
{
    bool is_first = true;
    kni_commands_settle(world);
    for (uint32_t i = 0; i < world->command_count; i++) {
        kn_command command;
        kni_command_view(world, world->command_order[i], &command);
        if (!kn_entity_id_equal(command.entity, entity)) {
            continue;
        }
        kni_text_str(text, is_first ? "commands\n  " : "  ");
        is_first = false;
        text_command(text, world, &command);
        if (command.connection != 0) {
            kni_text_str(text, ", connection ");
            kni_text_u64(text, command.connection);
        }
        if (command.sequence != 0) {
            kni_text_str(text, ", sequence ");
            kni_text_u64(text, command.sequence);
        }
        if (command.view != 0) {
            kni_text_str(text, ", view ");
            kni_text_seconds(text, command.view);
        }
        kni_text_char(text, '\n');
    }
}
