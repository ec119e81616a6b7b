// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Data of single ticks, from the player. Each tick whose data is early, or that lacks its data, has
// a component of the caster.

#include "parts.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

// What is kept for one tick. Its items are the bytes of the data, if they are there.
typedef struct cast_data {
    kn_activation_id activation;
    kn_time due;   // when the tick was due, or will be
    kn_time until; // how long it waits; KN_TIME_INFINITE with data
    uint32_t tick;
    uint32_t has_data;
} cast_data;

static const kn_field data_fields[] = {
    KN_FIELD(cast_data, activation, KN_FIELD_ACTIVATION),
    KN_FIELD(cast_data, due, KN_FIELD_TIME),
    KN_FIELD(cast_data, until, KN_FIELD_TIME),
    KN_FIELD(cast_data, tick, KN_FIELD_U32),
    KN_FIELD(cast_data, has_data, KN_FIELD_U32),
};
static const kn_field byte_fields[] = {KN_FIELD_INIT("byte", KN_FIELD_U8, 0, 1)};

typedef struct cast_count {
    uint32_t dropped;
} cast_count;

static const kn_field count_fields[] = {KN_FIELD(cast_count, dropped, KN_FIELD_U32)};

bool knc_cast_waits(const cast_at *at, const kn_cast_def *def)
{
    return def->needs_data && kn_entity_role(at->world, at->owner) != KN_ROLE_AUTHORITY;
}

// The next one of an activation after `*id`, which becomes its id; NULL at the end.
static const cast_data *data_next(const cast_at *at, kn_component_id *id)
{
    kn_component_type_id type = at->ids->data;
    while ((*id = kn_component_instance_next(at->world, type, at->owner, *id)).index1 != 0) {
        const cast_data *data = kn_component_instance_read(at->world, type, *id);
        if (data != NULL && kn_activation_id_equal(data->activation, at->activation)) {
            return data;
        }
    }
    return NULL;
}

// What is kept for a tick; null if there is nothing.
static kn_component_id data_find(const cast_at *at, uint32_t tick)
{
    kn_component_id id = {0};
    const cast_data *data = data_next(at, &id);
    while (data != NULL && data->tick != tick) {
        data = data_next(at, &id);
    }
    return id;
}

kn_time knc_cast_data_limit(const cast_at *at, const kn_cast_def *def)
{
    kn_time limit = KN_TIME_INFINITE;
    const cast_data *data;
    kn_component_id id = {0};
    while (def->needs_data && (data = data_next(at, &id)) != NULL) {
        limit = data->until < limit ? data->until : limit;
    }
    return limit;
}

// Runs a tick with what is kept for it, which is forgotten.
static void data_run(const cast_at *at, kn_component_id id)
{
    kn_component_type_id type = at->ids->data;
    const cast_data *read = kn_component_instance_read(at->world, type, id);
    cast_data data = *read;
    uint32_t size = 0;
    const void *bytes = kn_component_instance_read_items(at->world, type, id, &size);
    if (data.has_data != 0 && size <= KN_TARGET_BYTES_MAX) {
        kn_target_data targets; // aligned, unlike a list of bytes
        memcpy(targets.bytes, bytes, size);
        targets.size = size;
        (void)kn_activation_set_targets(at->world, at->activation, kn_target_data_view(&targets));
    }
    (void)kn_component_instance_remove(at->world, type, id);
    knc_cast_tick_run(at, data.tick, kn_world_now(at->world) - data.due);
}

static kn_time wait_of(const kn_cast_def *def, const cast_run *run)
{
    kn_time wait = kn_time_from_seconds((double)def->late_limit);
    kn_time interval = def->kind == KN_CAST_CHANNEL ? run->length / def->ticks : run->length;
    return wait > interval ? wait : interval;
}

static kn_result data_add(const cast_at *at, const cast_data *data, kn_target_view targets)
{
    kn_component_type_id type = at->ids->data;
    kn_component_id id;
    kn_result result = kn_component_instance_add(at->world, type, at->owner, &id);
    if (result != KN_OK) {
        return result;
    }
    *(cast_data *)kn_component_instance_get(at->world, type, id) = *data;
    void *bytes =
        targets.size > 0 ? kn_component_instance_resize(at->world, type, id, targets.size) : NULL;
    if (bytes != NULL) {
        memcpy(bytes, targets.data, targets.size);
    }
    return bytes != NULL || targets.size == 0 ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

void knc_cast_tick_due(const cast_at *at, uint32_t tick)
{
    kn_component_id id = data_find(at, tick);
    if (id.index1 != 0) {
        data_run(at, id);
        return;
    }
    const cast_run *run = kn_task_read_state(at->world, at->task);
    const kn_cast_def *def = kn_cast_get_def(kn_world_library(at->world), run->cast);
    kn_time due =
        def->kind == KN_CAST_HELD ? kn_world_now(at->world) : knc_cast_tick_time(def, run, tick);
    cast_data data = {
        .activation = at->activation, .due = due, .until = due + wait_of(def, run), .tick = tick};
    (void)data_add(at, &data, (kn_target_view){NULL, 0});
}

// One that has waited too long.
static void data_give_up(const cast_at *at, kn_component_id id)
{
    kn_component_type_id type = at->ids->data;
    const cast_data *data = kn_component_instance_read(at->world, type, id);
    uint32_t tick = data->tick;
    const cast_run *run = kn_task_read_state(at->world, at->task);
    kn_cast_id cast = run->cast;
    const kn_cast_def *def = kn_cast_get_def(kn_world_library(at->world), cast);
    if (def->missing == KN_CAST_MISSING_SKIP) {
        (void)kn_component_instance_remove(at->world, type, id);
        knc_cast_tick_lose(at, tick, KN_CAST_LOST_LATE);
        return;
    }
    if (def->missing == KN_CAST_MISSING_SERVER && def->aim.function != NULL) {
        kn_cast_call call = {.activation = at->activation,
            .ability = at->ability,
            .tick = tick,
            .ticks = def->kind == KN_CAST_CHANNEL ? def->ticks : 1,
            .role = kn_entity_role(at->world, at->owner)};
        (void)kn_hook_run(at->world, at->ids->kind, cast.index1, &def->aim, at->owner, &call);
    }
    if (kn_component_instance_is_alive(at->world, type, id)) { // the hook provided none
        data_run(at, id);
    }
}

void knc_cast_data_expire(const cast_at *at)
{
    const cast_data *data;
    kn_component_id id = {0};
    kn_time now = kn_world_now(at->world);
    while ((data = data_next(at, &id)) != NULL) {
        if (data->until < now) {
            data_give_up(at, id);
            return; // the caller comes back for the others
        }
    }
}

void knc_cast_data_drop(const cast_at *at, uint32_t last, bool publishes)
{
    const cast_data *data;
    kn_component_id id = {0};
    kn_component_type_id type = at->ids->data;
    while ((data = data_next(at, &id)) != NULL) {
        if (last != 0 && data->tick <= last) {
            continue;
        }
        cast_data dropped = *data;
        if (!kn_component_instance_remove(at->world, type, id)) {
            return; // the world is broken
        }
        if (publishes && dropped.has_data == 0) {
            knc_cast_tick_lose(at, dropped.tick, KN_CAST_LOST_VOID);
        }
        id = (kn_component_id){0}; // what follows a removed one is not known
    }
}

// Providing ---------------------------------------------------------------------------

static kn_result data_late(const cast_at *at, uint32_t tick, kn_target_view targets)
{
    kn_component_type_id type = at->ids->data;
    kn_component_id id = data_find(at, tick);
    if (id.index1 == 0) {
        return KN_REFUSED_LIMIT; // it ran, or waits no more
    }
    ((cast_data *)kn_component_instance_get(at->world, type, id))->has_data = 1;
    void *bytes =
        targets.size > 0 ? kn_component_instance_resize(at->world, type, id, targets.size) : NULL;
    if (bytes == NULL && targets.size > 0) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (bytes != NULL) {
        memcpy(bytes, targets.data, targets.size);
    }
    data_run(at, id);
    return KN_OK;
}

static kn_result data_take(const cast_at *at, uint32_t tick, kn_target_view targets)
{
    const cast_run *run = kn_task_read_state(at->world, at->task);
    const kn_cast_def *def = kn_cast_get_def(kn_world_library(at->world), run->cast);
    uint32_t last = (run->flags & CAST_CUT) != 0   ? run->last
                    : def->kind == KN_CAST_CHANNEL ? def->ticks
                                                   : 1;
    if (!def->needs_data) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (tick == 0 || tick > last) {
        return KN_REFUSED_LIMIT;
    }
    if (tick <= run->tick) {
        return data_late(at, tick, targets);
    }
    if (data_find(at, tick).index1 != 0) {
        return KN_REFUSED_DUPLICATE;
    }
    cast_data data = {.activation = at->activation,
        .due = knc_cast_tick_time(def, run, tick),
        .until = KN_TIME_INFINITE,
        .tick = tick,
        .has_data = 1};
    return data_add(at, &data, targets);
}

typedef struct provide_call {
    kn_activation_id activation;
    uint32_t tick;
    kn_target_view targets;
} provide_call;

static kn_result provide_run(void *user, kn_world *world)
{
    const provide_call *call = user;
    cast_at at;
    if (!knc_cast_of_activation(world, call->activation, &at)) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_result result = data_take(&at, call->tick, call->targets);
    if (result == KN_REFUSED_LIMIT || result == KN_REFUSED_DUPLICATE) {
        cast_count *count = kn_component_add(world, knc_cast_ids_of(world)->count, at.owner);
        if (count != NULL) {
            count->dropped++;
        }
    }
    knc_cast_proceed(&at);
    return result;
}

kn_result kn_cast_provide(
    kn_world *world, kn_activation_id activation, uint32_t tick, kn_target_view targets)
{
    if (!kn_activation_is_alive(world, activation)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kn_target_is_valid(kn_world_library(world), targets)) {
        return KN_ERROR_BAD_DATA;
    }
    provide_call call = {activation, tick, targets};
    return kn_world_call(world, provide_run, &call);
}

uint32_t kn_cast_dropped(const kn_world *world, kn_entity_id entity)
{
    const cast_count *count = kn_component_read(world, knc_cast_ids_of(world)->count, entity);
    return count != NULL ? count->dropped : 0;
}

// The activation that a command began, or the one in the slot.
static kn_activation_id data_activation(kn_world *world, const kn_command *command)
{
    const kn_cast_data_command *payload = command->payload;
    kn_activation_id running[16];
    if (payload->use == 0) {
        cast_at at;
        return knc_cast_of_entity(world, command->entity, &at) ? at.activation
                                                               : (kn_activation_id){0};
    }
    uint32_t count = kn_activations(world, command->entity, running, COUNT(running));
    for (uint32_t i = 0; i < count && i < COUNT(running); i++) {
        kn_prediction_key key = kn_activation_key(world, running[i]);
        if (key.sequence == payload->use && key.connection == command->connection) {
            return running[i];
        }
    }
    return (kn_activation_id){0};
}

static kn_result data_command(void *user, kn_world *world, const kn_command *command)
{
    const kn_cast_data_command *payload = command->payload;
    (void)user;
    return kn_cast_provide(world, data_activation(world, command), payload->tick, command->targets);
}

kn_result knc_cast_data_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    static const kn_field command_fields[] = {KN_FIELD(kn_cast_data_command, use, KN_FIELD_U32),
        KN_FIELD(kn_cast_data_command, tick, KN_FIELD_U32)};
    kn_component_def data = kn_component_def_default();
    data.name = "Knack.CastData";
    data.size = sizeof(cast_data);
    data.fields = data_fields;
    data.field_count = COUNT(data_fields);
    data.item_size = 1;
    data.item_fields = byte_fields;
    data.item_field_count = 1;
    data.several = true;
    kn_component_def count = kn_component_def_default();
    count.name = "Knack.CastDropped";
    count.size = sizeof(cast_count);
    count.fields = count_fields;
    count.field_count = 1;
    kn_command_def command = kn_command_def_default();
    command.name = "cast_data";
    command.size = sizeof(kn_cast_data_command);
    command.fields = command_fields;
    command.field_count = 2;
    command.has_targets = true;
    command.function = data_command;
    kn_command_type_id unused;
    kn_result result = kn_component_register(library, &data, &ids->data, error);
    result = result != KN_OK ? result : kn_component_register(library, &count, &ids->count, error);
    return result != KN_OK ? result : kn_command_register(library, &command, &unused, error);
}
