// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Messages between the machines of a capability.
//
// From a client they are commands: an event of its world asks for one. From the authority they are
// items of a component that clients get, each with a number; a client delivers those whose number
// is higher than that of the last one that it delivered to the set, and the authority takes them
// away after a while. What comes before a member is set up waits in a list.

#include "parts.h"

#include <math.h>
#include <string.h>

#define MESSAGES_MAX 32 // that wait or are sent, for one entity
#define MESSAGE_TIME KN_S(5)

// Checking ----------------------------------------------------------------------

static uint32_t set_number_of(uint32_t number)
{
    return number != 0 ? (number - 1) / KN_CAPABILITY_MEMBERS_MAX + 1 : 0;
}

static const head *head_of(const kn_world *world, kn_entity_id entity, uint32_t number)
{
    uint32_t count = 0, set_number = set_number_of(number);
    const head *heads =
        kn_component_read_items(world, knc_capability_kit_of_world(world)->heads, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (heads[i].number == set_number) {
            return &heads[i];
        }
    }
    return NULL;
}

// The capability with a number, also of a set that waits; null if there is none.
static kn_capability_id capability_of(
    const kn_world *world, kn_entity_id entity, const kn_capability_message *message)
{
    const head *h = head_of(world, entity, message->number);
    const kn_capability_set_def *def =
        h != NULL ? kn_capability_set_get_def(kn_world_library(world), h->set) : NULL;
    uint32_t place = (message->number - 1) % KN_CAPABILITY_MEMBERS_MAX;
    return def != NULL && place < def->capability_count ? def->capabilities[place]
                                                        : (kn_capability_id){0};
}

static bool is_finite(const kn_capability_message *message)
{
    return isfinite(message->value) && isfinite(message->vector.x) && isfinite(message->vector.y) &&
           isfinite(message->vector.z);
}

static kn_result message_check(
    const kn_world *world, kn_entity_id entity, const kn_capability_message *message)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    if (kit == NULL || message == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    kn_capability_id id = capability_of(world, entity, message);
    if (id.index1 == 0 || kit->plans[id.index1 - 1].def->message.function == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    return is_finite(message) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

// Delivering --------------------------------------------------------------------

static void message_hook(
    kn_world *world, kn_entity_id entity, const member *m, const kn_capability_message *message)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_capability_message call = *message;
    call.set_number = m->set_number;
    knc_capability_hold(world, entity);
    (void)kn_hook_run(world, kit->capability_kind, m->capability.index1,
        &kit->plans[m->capability.index1 - 1].def->message, entity, &call);
    knc_capability_let_go(world, entity);
}

static kn_result message_keep(
    kn_world *world, kn_entity_id entity, const kn_capability_message *message)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->inbox;
    uint32_t count = 0;
    if (kn_component_add(world, type, entity) == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    (void)kn_component_read_items(world, type, entity, &count);
    if (count >= MESSAGES_MAX) {
        return KN_REFUSED_LIMIT;
    }
    kn_capability_message *items = kn_component_resize(world, type, entity, count + 1);
    if (items == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    items[count] = *message;
    return KN_OK;
}

typedef enum fate {
    FATE_DELIVER,
    FATE_WAIT, // it is not set up yet
    FATE_DROP, // this machine may not run it
} fate;

static fate message_fate(
    const kn_world *world, kn_entity_id entity, const kn_capability_message *message)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const member *m = knc_capability_member_read(world, entity, message->number, NULL);
    const head *h = head_of(world, entity, message->number);
    if (m == NULL) {
        return h != NULL && h->is_there == 0 ? FATE_WAIT : FATE_DROP;
    }
    const kn_capability_def *def = kit->plans[m->capability.index1 - 1].def;
    if ((m->flags & MEMBER_LEAVING) != 0) {
        return FATE_DROP;
    }
    if ((m->flags & MEMBER_SET_UP) != 0) {
        return FATE_DELIVER;
    }
    if (knc_capability_side_allows(world, entity, def->side)) {
        return FATE_WAIT;
    }
    if (!def->messages_always) {
        return FATE_DROP;
    }
    return (m->flags & MEMBER_STARTED) != 0 ? FATE_DELIVER : FATE_WAIT;
}

static kn_result message_take(
    kn_world *world, kn_entity_id entity, const kn_capability_message *message)
{
    switch (message_fate(world, entity, message)) {
    case FATE_DELIVER: {
        const member m = *knc_capability_member_read(world, entity, message->number, NULL);
        message_hook(world, entity, &m, message);
        return KN_OK;
    }
    case FATE_WAIT:
        return message_keep(world, entity, message);
    default:
        return KN_REFUSED_BLOCKED;
    }
}

// Takes the first message out of the list that does not have to wait; false if there is none.
static bool inbox_take(kn_world *world, kn_entity_id entity, kn_capability_message *out)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->inbox;
    uint32_t count = 0;
    const kn_capability_message *items = kn_component_read_items(world, type, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (message_fate(world, entity, &items[i]) == FATE_WAIT) {
            continue;
        }
        kn_capability_message *writable = kn_component_items(world, type, entity, &count);
        *out = writable[i];
        memmove(&writable[i], &writable[i + 1], (count - i - 1) * sizeof(*writable));
        (void)kn_component_resize(world, type, entity, count - 1);
        if (count == 1) {
            (void)kn_component_remove(world, type, entity);
        }
        return true;
    }
    return false;
}

void knc_capability_messages_deliver(kn_world *world, kn_entity_id entity)
{
    kn_capability_message message;
    for (uint32_t i = 0; i < MESSAGES_MAX && inbox_take(world, entity, &message); i++) {
        (void)message_take(world, entity, &message);
    }
}

// To the authority --------------------------------------------------------------------

// Whether a connection may send messages of an entity.
static bool may_send(const kn_world *world, kn_entity_id entity, uint32_t connection)
{
    return connection == 0 || connection == knc_capability_controller(world, entity);
}

static kn_result command_run(void *user, kn_world *world, const kn_command *command)
{
    kn_capability_message message = *(const kn_capability_message *)command->payload;
    (void)user;
    kn_result result = message_check(world, command->entity, &message);
    if (result != KN_OK) {
        return result;
    }
    if (!may_send(world, command->entity, command->connection)) {
        return KN_REFUSED_BLOCKED;
    }
    message.connection = command->connection;
    return kn_world_is_client(world) ? KN_OK : message_take(world, command->entity, &message);
}

typedef struct send_call {
    kn_entity_id entity;
    const kn_capability_message *message;
    kn_component_type_id type; // of the list that clients get
    uint32_t connection;       // of the receiver; 0: all
    uint32_t sender;
} send_call;

// Stamps tell messages that say the same apart, and are the same when they are simulated again.
static kn_result ask_call(void *user, kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const send_call *c = user;
    host *h = kn_component_get(world, kit->hosts, c->entity);
    kn_capability_message message = *c->message;
    message.stamp = ++h->sent;
    message.connection = 0;
    message.set_number = 0;
    return kn_world_publish(world, c->entity, kit->message, &message);
}

static kn_result take_call(void *user, kn_world *world)
{
    const send_call *c = user;
    kn_capability_message message = *c->message;
    message.connection = c->sender;
    return message_take(world, c->entity, &message);
}

kn_result kn_capability_send_to_authority(
    kn_world *world, kn_entity_id entity, const kn_capability_message *message)
{
    kn_result result = message_check(world, entity, message);
    if (result != KN_OK) {
        return result;
    }
    uint32_t connection = kn_world_connection(world);
    send_call c = {.entity = entity, .message = message, .sender = connection};
    if (!kn_world_is_client(world)) {
        return kn_world_call(world, take_call, &c);
    }
    if (!kn_world_is_locked(world) || connection == 0 || !may_send(world, entity, connection)) {
        return KN_REFUSED_BLOCKED;
    }
    return kn_world_call(world, ask_call, &c);
}

// From the authority --------------------------------------------------------------------

static kn_result post_call(void *user, kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const send_call *c = user;
    uint32_t count = 0;
    clock_state *clock = kn_component_add(world, kit->clock, (kn_entity_id){0});
    if (clock == NULL || kn_component_add(world, c->type, c->entity) == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    (void)kn_component_read_items(world, c->type, c->entity, &count);
    if (count >= MESSAGES_MAX) {
        return KN_REFUSED_LIMIT;
    }
    post_item *items = kn_component_resize(world, c->type, c->entity, count + 1);
    if (items == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    items[count].message = *c->message;
    items[count].message.connection = 0;
    items[count].sent = kn_world_now(world);
    items[count].connection = c->connection;
    clock = kn_component_get(world, kit->clock, (kn_entity_id){0});
    uint32_t number = ++clock->posts;
    items = kn_component_items(world, c->type, c->entity, &count);
    items[count - 1].number = number;
    return KN_OK;
}

static kn_result all_call(void *user, kn_world *world)
{
    kn_result result = post_call(user, world);
    if (result == KN_OK) {
        (void)take_call(user, world);
    }
    return result;
}

static kn_result authority_check(
    const kn_world *world, kn_entity_id entity, const kn_capability_message *message)
{
    kn_result result = message_check(world, entity, message);
    return result == KN_OK && kn_world_is_client(world) ? KN_REFUSED_BLOCKED : result;
}

kn_result kn_capability_send_to_owner(
    kn_world *world, kn_entity_id entity, const kn_capability_message *message)
{
    kn_result result = authority_check(world, entity, message);
    if (result != KN_OK) {
        return result;
    }
    uint32_t connection = knc_capability_controller(world, entity);
    send_call c = {.entity = entity,
        .message = message,
        .type = knc_capability_kit_of_world(world)->mail,
        .connection = connection};
    bool is_here = connection == 0 || connection == kn_world_connection(world);
    return kn_world_call(world, is_here ? take_call : post_call, &c);
}

kn_result kn_capability_send_to_all(
    kn_world *world, kn_entity_id entity, const kn_capability_message *message)
{
    kn_result result = authority_check(world, entity, message);
    if (result != KN_OK) {
        return result;
    }
    send_call c = {
        .entity = entity, .message = message, .type = knc_capability_kit_of_world(world)->news};
    return kn_world_call(world, all_call, &c);
}

// The next item that its set has not had, in the order in which they were sent; false if there is
// none.
static bool post_take(
    kn_world *world, kn_entity_id entity, uint32_t list, kn_capability_message *out)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const kn_component_type_id types[] = {kit->mail, kit->news};
    uint32_t count = 0, heads_count = 0;
    const post_item *items = kn_component_read_items(world, types[list], entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        const head *h = head_of(world, entity, items[i].message.number);
        bool is_for_us =
            items[i].connection == 0 || items[i].connection == kn_world_connection(world);
        if (h == NULL || h->posts[list] >= items[i].number || !is_for_us) {
            continue;
        }
        *out = items[i].message;
        uint32_t number = items[i].number;
        head *heads = kn_component_items(world, kit->heads, entity, &heads_count);
        for (uint32_t j = 0; j < heads_count; j++) {
            if (heads[j].number == set_number_of(out->number)) {
                heads[j].posts[list] = number;
            }
        }
        return true;
    }
    return false;
}

void knc_capability_posts_look(kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const kn_component_type_id types[] = {kit->mail, kit->news};
    for (uint32_t list = 0; list < 2; list++) {
        kn_entity_id entity = {0};
        while ((entity = kn_component_next(world, types[list], entity)).index1 != 0) {
            kn_capability_message message;
            while (post_take(world, entity, list, &message)) {
                (void)message_take(world, entity, &message);
            }
        }
    }
}

// Those in front are the oldest.
static void posts_drop(kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    uint32_t count = 0, old = 0;
    const post_item *items = kn_component_read_items(world, type, entity, &count);
    while (old < count && kn_world_now(world) - items[old].sent >= MESSAGE_TIME) {
        old++;
    }
    if (old == count) {
        (void)kn_component_remove(world, type, entity);
    } else if (old > 0) {
        post_item *writable = kn_component_items(world, type, entity, &count);
        memmove(writable, writable + old, (count - old) * sizeof(*writable));
        (void)kn_component_resize(world, type, entity, count - old);
    }
}

void knc_capability_posts_expire(kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const kn_component_type_id types[] = {kit->mail, kit->news};
    for (uint32_t list = 0; list < 2; list++) {
        kn_entity_id entity = {0};
        while ((entity = kn_component_next(world, types[list], entity)).index1 != 0) {
            posts_drop(world, types[list], entity);
        }
    }
}

// Registration ----------------------------------------------------------------------------

const kn_field knc_capability_message_fields[KNC_CAPABILITY_MESSAGE_FIELDS] = {
    KN_FIELD(kn_capability_message, vector, KN_FIELD_VEC3),
    KN_FIELD(kn_capability_message, value, KN_FIELD_F32),
    KN_FIELD(kn_capability_message, number, KN_FIELD_U32),
    KN_FIELD(kn_capability_message, message, KN_FIELD_U32),
    KN_FIELD(kn_capability_message, data, KN_FIELD_U32),
    KN_FIELD(kn_capability_message, stamp, KN_FIELD_U32),
    KN_FIELD(kn_capability_message, other, KN_FIELD_ENTITY),
    KN_FIELD(kn_capability_message, connection, KN_FIELD_U32),
    KN_FIELD(kn_capability_message, set_number, KN_FIELD_U32),
};

kn_result knc_capability_messages_register(
    kn_library *library, capability_kit *kit, kn_error *error)
{
    kn_command_type_id type;
    kn_command_def command = kn_command_def_default();
    command.name = "Knack.CapabilityMessage";
    command.size = sizeof(kn_capability_message);
    command.fields = knc_capability_message_fields;
    command.field_count = KNC_CAPABILITY_MESSAGE_FIELDS;
    command.owner_only = false; // owners of owners may send, too
    command.function = command_run;
    kn_result result = kn_command_register(library, &command, &type, error);
    if (result != KN_OK) {
        return result;
    }
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = "Knack.CapabilityMessage";
    event.size = sizeof(kn_capability_message);
    event.fields = knc_capability_message_fields;
    event.field_count = KNC_CAPABILITY_MESSAGE_FIELDS;
    event.text = "capability {number} sends message {message} to the authority";
    event.command = type;
    return kn_custom_event_register(library, &event, &kit->message, error);
}
