// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What players ask of their units, as commands. On the authority they are carried out by the calls
// that everybody uses; on clients they are noted as pending until the authority has decided.

#include "parts.h"

#include <string.h>

#define OWNERS_MAX 16 // from a unit to the player behind it

// Orders in payloads ----------------------------------------------------------------------

static kn_order request_order(const kn_order_request *request)
{
    const kn_order order = {.type = request->type,
        .index = (int32_t)(request->variant - 1u),
        .target = request->target,
        .location = request->location,
        .uses_location = request->uses_location != 0};
    return order;
}

// Whether it comes with an order.
static bool ask_has_order(kn_order_ask ask)
{
    return ask <= KN_ORDER_ASK_INSERT_BEFORE;
}

static bool ask_is_for_groups(kn_order_ask ask)
{
    return ask != KN_ORDER_ASK_INSERT_AFTER && ask != KN_ORDER_ASK_INSERT_BEFORE;
}

static bool type_is_given(const kn_library *library, kn_order_type_id type)
{
    const kn_order_type_def *def = kn_order_type_get_def(library, type);
    return def != NULL && def->target_kind != KN_ORDER_TARGET_PASSIVE;
}

// Who may ask -------------------------------------------------------------------------------

// The connection that controls an entity, as sessions see it: its own, or else that of its owner or
// of what it is attached to, and so on; 0 for none.
static uint32_t controller_of(const kn_world *world, kn_entity_id entity)
{
    uint32_t controller = 0;
    for (uint32_t i = 0; i < OWNERS_MAX && entity.index1 != 0 && controller == 0; i++) {
        controller = kn_entity_connection(world, entity);
        kn_entity_id owner = kn_entity_owner(world, entity);
        entity = kn_entity_is_alive(world, owner) ? owner : kn_entity_parent(world, entity);
    }
    return controller;
}

static kn_result control_check(const kn_world *world, kn_entity_id unit, uint32_t connection)
{
    if (!kn_entity_is_alive(world, unit)) {
        return KN_REFUSED_STALE_ID;
    }
    return connection == 0 || connection == controller_of(world, unit) ? KN_OK : KN_REFUSED_BLOCKED;
}

// Reasons -----------------------------------------------------------------------------------

static void tags_refuse(
    const kn_command *command, kn_fail reason, const kn_tag *tags, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const kn_refusal_line line = {.reason = reason, .tag = tags[i]};
        kn_check_refuse(command->answer, &line);
    }
}

static void errors_refuse(const kn_command *command, const kn_order_errors *errors)
{
    tags_refuse(command, KN_FAIL_MISSING_TAGS, errors->missing, errors->missing_count);
    tags_refuse(command, KN_FAIL_BLOCKED, errors->blocking, errors->blocking_count);
    tags_refuse(command, KN_FAIL_CUSTOM, errors->others, errors->other_count);
}

void kn_order_errors_read(kn_order_errors *errors, const kn_refusal_line *lines, uint32_t count)
{
    for (uint32_t i = 0; errors != NULL && lines != NULL && i < count; i++) {
        if (lines[i].tag.index1 == 0) {
            continue;
        }
        switch (lines[i].reason) {
        case KN_FAIL_MISSING_TAGS:
            knc_order_errors_add_missing(errors, lines[i].tag);
            break;
        case KN_FAIL_BLOCKED:
            knc_order_errors_add_blocking(errors, lines[i].tag);
            break;
        default:
            kn_order_errors_add(errors, lines[i].tag);
            break;
        }
    }
}

// One unit ----------------------------------------------------------------------------------

static kn_result unit_ask(kn_world *world, kn_entity_id unit, kn_order_ask ask,
    const kn_order *order, kn_order_answer *answer)
{
    switch (ask) {
    case KN_ORDER_ASK_ISSUE:
        return kn_order_issue(world, unit, order, answer);
    case KN_ORDER_ASK_ENQUEUE:
        return kn_order_enqueue(world, unit, order, answer);
    case KN_ORDER_ASK_INSERT_AFTER:
        return kn_order_insert_after(world, unit, order, answer);
    case KN_ORDER_ASK_INSERT_BEFORE:
        return kn_order_insert_before(world, unit, order, answer);
    case KN_ORDER_ASK_STOP:
        return kn_order_stop(world, unit, answer);
    case KN_ORDER_ASK_CLEAR_QUEUE:
        return kn_order_clear_queue(world, unit);
    default:
        return kn_order_resume_work(world, unit);
    }
}

// What a player of a client asked for. It goes when the server has decided: what it confirmed is
// not pending any more, and what it refused is simulated again without the command.
static void pending_note(kn_world *world, kn_entity_id unit, const kn_command *command)
{
    const kn_order_request *request = command->payload;
    const kn_order_pending pending = {
        .order = ask_has_order(request->ask) ? request_order(request) : kn_order_default(),
        .ask = request->ask,
        .sequence = command->sequence};
    knc_order_pending_add(world, unit, &pending);
}

static kn_result order_command(void *user, kn_world *world, const kn_command *command)
{
    const kn_order_request *request = command->payload;
    kn_result result = control_check(world, command->entity, command->connection);
    (void)user;
    if (result != KN_OK) {
        return result;
    }
    if (kn_world_is_client(world)) {
        if (kn_world_leaves_out(world)) {
            pending_note(world, command->entity, command);
        }
        return KN_OK;
    }
    const kn_order order = request_order(request);
    kn_order_answer answer = {0};
    result = unit_ask(world, command->entity, request->ask, &order, &answer);
    errors_refuse(command, &answer.errors);
    return result;
}

// Groups --------------------------------------------------------------------------------------

typedef struct asked_group {
    kn_entity_id units[KN_ORDER_MESSAGE_UNITS_MAX];
    uint32_t active[KN_ORDER_MESSAGE_UNITS_MAX]; // indices of the active part
    uint32_t count, active_count, first;
} asked_group;

// The units of a group that obey the player.
static kn_result group_read(const kn_world *world, const kn_command *command, asked_group *g)
{
    const kn_order_request *request = command->payload;
    kn_entity_id named[KN_ORDER_MESSAGE_UNITS_MAX];
    uint32_t count = kn_target_entities(command->targets, named, COUNT(named));
    kn_result result = KN_REFUSED_STALE_ID;
    *g = (asked_group){0};
    if (count > COUNT(named)) {
        return KN_REFUSED_LIMIT;
    }
    for (uint32_t i = 0; i < count; i++) {
        kn_result allowed = control_check(world, named[i], command->connection);
        if (allowed != KN_OK) {
            result = allowed == KN_REFUSED_BLOCKED ? allowed : result;
            continue;
        }
        g->first = kn_entity_id_equal(named[i], command->entity) ? g->count : g->first;
        if (i < request->active_count) {
            g->active[g->active_count++] = g->count;
        }
        g->units[g->count++] = named[i];
    }
    return g->count > 0 ? KN_OK : result;
}

// Each for itself; fine if one of them does it.
static kn_result group_ask_all(kn_world *world, const asked_group *g, kn_order_ask ask)
{
    kn_result result = KN_OK;
    bool is_done = false;
    for (uint32_t i = 0; i < g->count; i++) {
        kn_result one = unit_ask(world, g->units[i], ask, NULL, NULL);
        is_done = is_done || one == KN_OK;
        result = result == KN_OK ? one : result;
    }
    return is_done ? KN_OK : result;
}

static kn_result group_give(kn_world *world, const kn_command *command, const asked_group *g)
{
    const kn_order_request *request = command->payload;
    const kn_order order = request_order(request);
    kn_order_group_def def = kn_order_group_def_default();
    def.units = g->units;
    def.unit_count = g->count;
    def.first = g->first;
    def.sub_group = request->active_count > 0 ? g->active : NULL;
    def.sub_group_count = g->active_count;
    def.enqueues = request->ask == KN_ORDER_ASK_ENQUEUE;
    if (!type_is_given(kn_world_library(world), order.type)) {
        return KN_REFUSED_NOT_FOUND;
    }
    // Before, since a refused order may change what the next check says.
    kn_order_errors errors = {0};
    bool may_obey = false;
    for (uint32_t i = 0; i < g->count; i++) {
        may_obey = kn_order_check(world, g->units[i], &order, &errors) || may_obey;
    }
    uint32_t given;
    kn_result result = kn_order_issue_group(world, &def, &order, &given);
    if (result == KN_OK && given == 0) {
        errors_refuse(command, &errors);
        result = may_obey && def.enqueues ? KN_REFUSED_LIMIT : KN_REFUSED_REQUIREMENT;
    }
    return result;
}

static kn_result group_command(void *user, kn_world *world, const kn_command *command)
{
    const kn_order_request *request = command->payload;
    asked_group g;
    (void)user;
    if (!ask_is_for_groups(request->ask)) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_result result = group_read(world, command, &g);
    if (result != KN_OK) {
        return result;
    }
    if (!kn_world_is_client(world)) {
        return ask_has_order(request->ask) ? group_give(world, command, &g)
                                           : group_ask_all(world, &g, request->ask);
    }
    bool is_pending = kn_world_leaves_out(world);
    for (uint32_t i = 0; is_pending && i < g.count; i++) {
        pending_note(world, g.units[i], command);
    }
    return KN_OK;
}

// Automatic orders ----------------------------------------------------------------------------

static kn_result auto_command(void *user, kn_world *world, const kn_command *command)
{
    const kn_order_auto_request *request = command->payload;
    const int32_t index = (int32_t)(request->variant - 1u);
    kn_result result = control_check(world, command->entity, command->connection);
    (void)user;
    if (result != KN_OK) {
        return result;
    }
    return kn_world_is_client(world) ? knc_order_auto_switch(world, command->entity, request->type,
                                           index, request->is_on != 0)
                                     : kn_order_set_auto(world, command->entity, request->type,
                                           index, request->is_on != 0);
}

// Messages ------------------------------------------------------------------------------------

static kn_result request_fill(
    kn_order_message *message, const kn_library *library, kn_order_ask ask, const kn_order *order)
{
    if (message == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    memset(message, 0, sizeof(*message));
    if (!kn_order_is_there(library) || (uint32_t)ask >= KN_ORDER_ASK_COUNT ||
        (ask_has_order(ask) && order == NULL)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    message->request.ask = ask;
    if (!ask_has_order(ask)) {
        return KN_OK;
    }
    if (!type_is_given(library, order->type)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (!knc_order_is_finite(order)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    message->request.type = order->type;
    message->request.target = order->target;
    message->request.location = order->uses_location != 0 ? order->location : (kn_vec3){0};
    message->request.uses_location = order->uses_location != 0;
    message->request.variant = (uint32_t)order->index + 1u;
    return KN_OK;
}

kn_result kn_order_message_unit(kn_order_message *message, const kn_library *library,
    kn_entity_id unit, kn_order_ask ask, const kn_order *order)
{
    kn_result result = request_fill(message, library, ask, order);
    if (result != KN_OK) {
        if (message != NULL) {
            memset(message, 0, sizeof(*message));
        }
        return result;
    }
    message->command = (kn_command){.type = knc_order_kit_of(library)->order_command,
        .entity = unit,
        .payload = &message->request,
        .size = sizeof(message->request)};
    return KN_OK;
}

static bool unit_is_named(const kn_order_group_def *group, uint32_t end, kn_entity_id unit)
{
    for (uint32_t i = 0; i < end; i++) {
        if (kn_entity_id_equal(group->units[i], unit)) {
            return true;
        }
    }
    return false;
}

// The active part of a group comes first. Nobody is named twice.
static kn_result units_fill(
    kn_order_message *message, const kn_library *library, const kn_order_group_def *group)
{
    bool is_active[KN_ORDER_MESSAGE_UNITS_MAX] = {false};
    for (uint32_t i = 0; group->sub_group != NULL && i < group->sub_group_count; i++) {
        if (group->sub_group[i] >= group->unit_count) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
        is_active[group->sub_group[i]] = true;
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < group->unit_count; i++) {
            const kn_target_entity record = {group->units[i]};
            if (is_active[i] != (pass == 0) || unit_is_named(group, i, group->units[i])) {
                continue;
            }
            message->request.active_count += pass == 0;
            (void)kn_target_add(library, &message->units, kn_target_type_entity(), &record);
        }
    }
    return KN_OK;
}

kn_result kn_order_message_group(kn_order_message *message, const kn_library *library,
    const kn_order_group_def *group, kn_order_ask ask, const kn_order *order)
{
    kn_result result = request_fill(message, library, ask, order);
    if (result == KN_OK && (!ask_is_for_groups(ask) || group == NULL || group->units == NULL ||
                               group->cookie != kn_order_group_def_default().cookie ||
                               group->first >= group->unit_count)) {
        result = KN_ERROR_INVALID_ARGUMENT;
    }
    if (result == KN_OK && group->unit_count > KN_ORDER_MESSAGE_UNITS_MAX) {
        result = KN_REFUSED_LIMIT;
    }
    result = result == KN_OK ? units_fill(message, library, group) : result;
    if (result != KN_OK) {
        if (message != NULL) {
            memset(message, 0, sizeof(*message));
        }
        return result;
    }
    message->command = (kn_command){.type = knc_order_kit_of(library)->group_command,
        .entity = group->units[group->first],
        .payload = &message->request,
        .size = sizeof(message->request),
        .targets = kn_target_data_view(&message->units)};
    return KN_OK;
}

kn_result kn_order_message_auto(kn_order_message *message, const kn_library *library,
    kn_entity_id unit, kn_order_type_id type, int32_t index, bool is_on)
{
    if (message == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    memset(message, 0, sizeof(*message));
    if (!kn_order_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_order_type_get_def(library, type) == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    message->autos = (kn_order_auto_request){type, (uint32_t)index + 1u, is_on};
    message->command = (kn_command){.type = knc_order_kit_of(library)->auto_command,
        .entity = unit,
        .payload = &message->autos,
        .size = sizeof(message->autos)};
    return KN_OK;
}

// Registration ----------------------------------------------------------------------------------

kn_result knc_order_commands_register(kn_library *library, order_kit *kit, kn_error *error)
{
    static const kn_field order_fields[] = {
        KN_FIELD_WORDS(kn_order_request, ask, KNC_ORDER_ASK_WORDS),
        KN_FIELD_TO(kn_order_request, type, "order type"),
        KN_FIELD(kn_order_request, target, KN_FIELD_ENTITY),
        KN_FIELD(kn_order_request, location, KN_FIELD_VEC3),
        KN_FIELD(kn_order_request, uses_location, KN_FIELD_U32),
        KN_FIELD(kn_order_request, variant, KN_FIELD_U32),
        KN_FIELD(kn_order_request, active_count, KN_FIELD_U32),
    };
    static const kn_field auto_fields[] = {
        KN_FIELD_TO(kn_order_auto_request, type, "order type"),
        KN_FIELD(kn_order_auto_request, variant, KN_FIELD_U32),
        KN_FIELD(kn_order_auto_request, is_on, KN_FIELD_U32),
    };
    kn_command_def def = kn_command_def_default();
    def.name = "Knack.Order";
    def.size = sizeof(kn_order_request);
    def.fields = order_fields;
    def.field_count = COUNT(order_fields);
    def.owner_only = false; // owners of owners may ask, too
    def.function = order_command;
    kn_result result = kn_command_register(library, &def, &kit->order_command, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = "Knack.OrderGroup";
    def.has_targets = true;
    def.function = group_command;
    result = kn_command_register(library, &def, &kit->group_command, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = "Knack.AutoOrder";
    def.size = sizeof(kn_order_auto_request);
    def.fields = auto_fields;
    def.field_count = COUNT(auto_fields);
    def.has_targets = false;
    def.function = auto_command;
    return kn_command_register(library, &def, &kit->auto_command, error);
}
