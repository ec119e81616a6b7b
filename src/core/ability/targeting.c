// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Targeting types as spatial queries, and tasks that look for targets until they are confirmed.

#include "ability/task_kinds.h"

#include <float.h>
#include <math.h>

#define TARGETS_MAX 128

static const kn_targeting_def *targeting_def(const kn_library *library, uint32_t index1)
{
    return &KNI_ITEM(library, KN_DEF_TARGETING, kni_targeting, index1 - 1)->def;
}

void kn_world_set_space(kn_world *world, const kn_space *space)
{
    if (world != NULL) {
        world->def.space = space;
    }
}

const kn_space *kn_world_space(const kn_world *world)
{
    return world != NULL ? world->def.space : NULL;
}

// Queries -------------------------------------------------------------------

// Where a query starts, and in which direction.
static bool start_of(
    const kn_targeting_call *call, const kn_targeting_def *def, kn_view_point *view)
{
    const kn_space *space = call->world->def.space;
    if (!kn_space_view(space, call->world, call->avatar, view) &&
        !kn_space_position(space, call->world, call->avatar, &view->origin)) {
        return false;
    }
    if (!def->from_view) {
        (void)kn_space_position(space, call->world, call->avatar, &view->origin);
    }
    view->origin.x += view->direction.x * def->offset.x;
    view->origin.y += view->direction.y * def->offset.x + def->offset.y;
    view->origin.z += view->direction.z * def->offset.x + def->offset.z;
    return true;
}

static kn_space_filter filter_of(const kn_targeting_call *call, const kn_targeting_def *def)
{
    kn_space_filter filter = kn_space_filter_default();
    filter.layers = def->layers;
    filter.ignore = def->includes_self ? (kn_entity_id){0} : call->avatar;
    filter.tags = kn_tag_requirement_is_empty(&def->tags) ? NULL : &def->tags;
    filter.accept = def->accept;
    filter.user = def->user;
    return filter;
}

// How many of the targets found there is no room for; those beyond the type's own limit are not
// wanted.
static uint32_t targets_missed(
    const kn_targeting_def *def, uint32_t found, const kn_target_data *out)
{
    uint32_t wanted = def->limit != 0 && def->limit < found ? def->limit : found;
    return wanted > out->count ? wanted - out->count : 0;
}

static void add_entities(
    const kn_library *library, kn_target_data *out, const kn_entity_id *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kn_target_entity record = {entities[i]};
        (void)kn_target_add(library, out, kn_target_type_entity(), &record);
    }
}

static void add_hits(
    const kn_library *library, kn_target_data *out, const kn_space_hit *hits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kn_target_hit record = {.entity = hits[i].entity,
            .point = hits[i].point,
            .normal = hits[i].normal,
            .distance = hits[i].distance};
        (void)kn_target_add(library, out, kn_target_type_hit(), &record);
    }
}

static uint32_t find_overlaps(const kn_targeting_call *call, const kn_targeting_def *def,
    const kn_view_point *view, const kn_space_filter *filter, uint32_t limit, kn_target_data *out)
{
    const kn_space *space = call->world->def.space;
    kn_entity_id found[TARGETS_MAX];
    uint32_t count;
    if (def->shape == KN_SHAPE_SPHERE) {
        kn_sphere sphere = {view->origin, def->radius};
        count = kn_space_sphere(space, call->world, &sphere, filter, found, limit);
    } else {
        kn_cone cone = {view->origin, view->direction, def->cosine, def->range};
        count = kn_space_cone(space, call->world, &cone, filter, found, limit);
    }
    add_entities(call->world->library, out, found, count < limit ? count : limit);
    return targets_missed(def, count, out);
}

static uint32_t find_hits(const kn_targeting_call *call, const kn_targeting_def *def,
    const kn_view_point *view, const kn_space_filter *filter, uint32_t limit, kn_target_data *out)
{
    const kn_space *space = call->world->def.space;
    kn_space_hit hits[TARGETS_MAX];
    uint32_t count;
    if (def->shape == KN_SHAPE_NEAREST) {
        kn_sphere sphere = {view->origin, def->radius};
        count = kn_space_nearest(space, call->world, &sphere, filter, hits, limit);
    } else {
        kn_ray ray = {view->origin, view->direction, def->range, def->radius};
        count = kn_space_ray(
            space, call->world, &ray, filter, hits, def->shape == KN_SHAPE_POINT ? 1 : limit);
    }
    if (def->shape == KN_SHAPE_RAY || def->shape == KN_SHAPE_NEAREST) {
        add_hits(call->world->library, out, hits, count < limit ? count : limit);
        return targets_missed(def, count, out);
    }
    kn_target_location location = {.direction = view->direction};
    location.position.x = view->origin.x + view->direction.x * def->range;
    location.position.y = view->origin.y + view->direction.y * def->range;
    location.position.z = view->origin.z + view->direction.z * def->range;
    if (count > 0) {
        location.position = hits[0].point;
    }
    (void)kn_target_add(call->world->library, out, kn_target_type_location(), &location);
    return 0;
}

static bool targets_find(const kn_targeting_call *call, const kn_targeting_def *def,
    kn_target_data *out, uint32_t *missed)
{
    memset(out, 0, sizeof(*out));
    *missed = 0;
    uint32_t limit = def->limit == 0 || def->limit > TARGETS_MAX ? TARGETS_MAX : def->limit;
    kn_space_filter filter = filter_of(call, def);
    kn_view_point view = {{0, 0, 0}, {0, 0, 0}};
    switch (def->shape) {
    case KN_SHAPE_SELF:
        add_entities(call->world->library, out, &call->avatar, 1);
        break;
    case KN_SHAPE_CUSTOM:
        if (!def->find(call, out)) {
            memset(out, 0, sizeof(*out));
        }
        break;
    case KN_SHAPE_EVENT: {
        kn_event_record event;
        if (kn_activation_event(call->world, call->activation, &event) && event.data != NULL &&
            kn_target_is_valid(
                call->world->library, (kn_target_view){event.data, event.data_size})) {
            memcpy(out->bytes, event.data, event.data_size);
            out->size = event.data_size;
            out->count = kn_target_count(kn_target_data_view(out));
        }
        break;
    }
    case KN_SHAPE_SPHERE:
    case KN_SHAPE_CONE:
        if (start_of(call, def, &view)) {
            *missed = find_overlaps(call, def, &view, &filter, limit, out);
        }
        break;
    default:
        if (start_of(call, def, &view)) {
            *missed = find_hits(call, def, &view, &filter, limit, out);
        }
        break;
    }
    return out->size > 0;
}

bool kni_targeting_query(const kn_world *world, kn_targeting_id targeting, kn_entity_id entity,
    kn_target_data *out, uint32_t *missed)
{
    *missed = 0;
    memset(out, 0, sizeof(*out));
    if (world == NULL || !kn_entity_is_alive(world, entity) || targeting.index1 == 0 ||
        targeting.index1 > world->library->registries[KN_DEF_TARGETING].count) {
        return false;
    }
    const kn_targeting_def *def = targeting_def(world->library, targeting.index1);
    kn_targeting_call call = {
        .world = world,
        .user = def->user,
        .owner = kn_entity_actor(world, entity),
        .avatar = kn_entity_avatar(world, entity),
    };
    return targets_find(&call, def, out, missed);
}

bool kn_targeting_query(
    const kn_world *world, kn_targeting_id targeting, kn_entity_id entity, kn_target_data *out)
{
    uint32_t missed;
    return out != NULL && kni_targeting_query(world, targeting, entity, out, &missed);
}

// Tasks ---------------------------------------------------------------------

static kn_targeting_call task_call(const kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    const kni_component *component = kni_component_at(world, kni_task_component(world, slot));
    kn_targeting_call call = {
        .world = world,
        .user = targeting_def(world->library, task->targeting)->user,
        .owner = {component->entity + 1, component->generation},
        .avatar = component->avatar,
        .activation = kni_activation_id_of(world, task->activation),
        .task = kni_task_id_of(world, slot),
    };
    return call;
}

static kn_target_view task_view(const kn_world *world, const kni_task *task)
{
    kn_target_view view = {
        task->data.count > 0 ? kni_heap_at(&world->heap, task->data.ref) : NULL, task->data.count};
    return view;
}

static bool targets_keep(kn_world *world, uint32_t slot, const kn_target_data *found)
{
    kni_span *data = &kni_task_at(world, slot)->data;
    if (!kni_span_reserve(&world->heap, &world->memory, data, found->size, 1)) {
        kni_break(world);
        return false;
    }
    if (found->size > 0) {
        memcpy(kni_heap_at(&world->heap, data->ref), found->bytes, found->size);
    }
    data->count = found->size;
    return true;
}

// What a task keeps of targets it no longer sees: all that are alive.
static bool targets_left(const kn_world *world, const kni_task *task, kn_target_data *left)
{
    kn_target_view view = task_view(world, task);
    uint32_t count = kn_target_count(view);
    memset(left, 0, sizeof(*left));
    for (uint32_t i = 0; i < count; i++) {
        kn_target_type_id type = kn_target_type_at(view, i);
        const void *record = kn_target_get(view, i, type);
        kn_entity_id entity = {0};
        if (type.index1 == kn_target_type_entity().index1 ||
            type.index1 == kn_target_type_hit().index1) {
            memcpy(&entity, record, sizeof(entity)); // both types begin with it
        }
        if (entity.index1 == 0 || kn_entity_is_alive(world, entity)) {
            (void)kn_target_add(world->library, left, type, record);
        }
    }
    return left->size > 0;
}

static void reticle_event(kn_world *world, uint32_t slot, bool is_valid, kn_entity_id target)
{
    if (kni_wants(world, KN_EVENT_RETICLE)) {
        kn_event *event = kni_emit(
            world, KN_EVENT_RETICLE, kni_component_entity(world, kni_task_component(world, slot)));
        memset(&event->data, 0, sizeof(event->data));
        event->data.reticle.task = kni_task_id_of(world, slot);
        event->data.reticle.target = target;
        event->data.reticle.is_valid = is_valid;
        event->data.reticle.is_entity = target.index1 != 0;
    }
}

// Searches once and publishes if the result became valid, became invalid, or changed.
static void targets_look(kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    const kn_targeting_def *def = targeting_def(world->library, task->targeting);
    kn_targeting_call call = task_call(world, slot);
    kn_target_data found;
    uint32_t missed;
    bool has_found = targets_find(&call, def, &found, &missed);
    if (!has_found && def->persists) {
        has_found = targets_left(world, task, &found);
    }
    bool was_valid = (task->flags & KNI_TASK_FULFILLED) != 0;
    kn_entity_id before = task->entity, now = {0};
    if (!targets_keep(world, slot, &found)) {
        return;
    }
    (void)kn_target_entities(kn_target_data_view(&found), &now, 1);
    kni_task *after = kni_task_at(world, slot);
    after->entity = now;
    after->flags &= (uint16_t)~KNI_TASK_FULFILLED;
    after->flags |= has_found ? KNI_TASK_FULFILLED : 0;
    if (was_valid != has_found || !kn_entity_id_equal(before, now)) {
        reticle_event(world, slot, has_found, now);
    }
}

kn_result kni_target_task_check(const kn_world *world, const kn_task_def *def)
{
    if (def->targeting.index1 == 0 ||
        def->targeting.index1 > world->library->registries[KN_DEF_TARGETING].count ||
        (uint32_t)def->confirm >= KN_CONFIRM_COUNT) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    const kn_targeting_def *type = targeting_def(world->library, def->targeting.index1);
    return (type->confirms >> def->confirm & 1) != 0 ? KN_OK : KN_REFUSED_REQUIREMENT;
}

static kn_time next_look(const kn_world *world, const kni_task *task)
{
    kn_time interval = targeting_def(world->library, task->targeting)->interval;
    return interval > KN_TIME_MAX - world->targeting_now ? KN_TIME_MAX
                                                         : world->targeting_now + interval;
}

void kni_target_task_begin(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    task->entity = (kn_entity_id){0};
    kni_mark_task(world, task);
    if (task->confirm == KN_CONFIRM_INSTANT) {
        kn_target_data found;
        kn_targeting_call call = task_call(world, slot);
        uint32_t missed;
        (void)targets_find(&call, targeting_def(world->library, task->targeting), &found, &missed);
        (void)targets_keep(world, slot, &found);
        kni_task_queue(world, slot, KN_TASK_FIRED, true);
        return;
    }
    task->next_look = next_look(world, task);
    targets_look(world, slot);
}

// Requests to the server what it has to know of a choice: the targets, or just that there was one.
static void targets_request(
    kn_world *world, uint32_t slot, kn_task_output output, const kn_target_data *targets)
{
    const kni_task *task = kni_task_at(world, slot);
    bool has_targets =
        output == KN_TASK_FIRED && !targeting_def(world->library, task->targeting)->server_looks;
    kn_request_part part = output != KN_TASK_FIRED ? KN_REQUEST_PART_DECLINE
                           : has_targets           ? KN_REQUEST_PART_TARGETS
                                                   : KN_REQUEST_PART_CONFIRM;
    kni_request(world, kni_activation_at(world, task->activation)->ability,
        kni_activation_id_of(world, task->activation), part, has_targets ? targets->bytes : NULL,
        has_targets ? targets->size : 0);
}

void kni_target_task_report(
    kn_world *world, uint32_t slot, kn_task_output output, const kn_target_view *given, bool ends)
{
    kn_target_view view = {NULL, 0};
    if (output == KN_TASK_FIRED) {
        view = given != NULL ? *given : task_view(world, kni_task_at(world, slot));
    }
    kn_target_data copy; // the bytes may be freed with the task
    memset(&copy, 0, sizeof(copy));
    if (view.data != NULL && view.size > 0) {
        memcpy(copy.bytes, view.data, view.size);
        copy.size = view.size;
    }
    kn_task_result result = kni_task_result_of(world, slot, output);
    result.data.targets = kn_target_data_view(&copy);
    targets_request(world, slot, output, &copy);
    kni_task_report(world, slot, &result, ends);
}

kn_result kn_targeting_step(kn_world *world, kn_time dt)
{
    if (world == NULL || dt < 0 || dt > KN_TIME_MAX - world->targeting_now) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kni_is_outside(world)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    world->targeting_now += dt;
    const kni_span *slots = &world->targeting_tasks;
    for (uint32_t i = kni_slots_next(&world->heap, slots, 0); i != KNI_NONE && !world->is_broken;
         i = kni_slots_next(&world->heap, slots, i + 1)) {
        kni_task *task = kni_task_at(world, i);
        if ((task->flags & KNI_TASK_STARTED) != 0 && task->next_look <= world->targeting_now) {
            task->next_look = next_look(world, task);
            kni_mark_task(world, task);
            targets_look(world, i);
        }
    }
    return kni_leave(world, KN_OK);
}

kn_time kn_targeting_now(const kn_world *world)
{
    return world != NULL ? world->targeting_now : 0;
}

// The slot of a running targeting task, or KNI_NONE.
static uint32_t target_task(const kn_world *world, kn_task_id id)
{
    uint32_t slot = kni_task_find(world, id);
    if (slot == KNI_NONE || kni_task_at(world, slot)->kind != KN_TASK_TARGET ||
        (kni_task_at(world, slot)->flags & (KNI_TASK_STARTED | KNI_TASK_ENDING)) !=
            KNI_TASK_STARTED) {
        return KNI_NONE;
    }
    return slot;
}

bool kn_task_reticle(const kn_world *world, kn_task_id id, kn_reticle *reticle)
{
    uint32_t slot = target_task(world, id);
    if (slot == KNI_NONE || reticle == NULL) {
        return false;
    }
    const kni_task *task = kni_task_at(world, slot);
    const kn_targeting_def *def = targeting_def(world->library, task->targeting);
    *reticle = (kn_reticle){
        .targeting = {task->targeting},
        .source = kni_component_at(world, kni_task_component(world, slot))->avatar,
        .target = task->entity,
        .is_valid = (task->flags & KNI_TASK_FULFILLED) != 0,
        .is_entity = task->entity.index1 != 0,
        .scale = def->reticle_scale,
    };
    if (!kn_target_position(task_view(world, task), &reticle->location)) {
        (void)kn_space_position(world->def.space, world, task->entity, &reticle->location);
    }
    return true;
}

kn_target_view kn_task_targets(const kn_world *world, kn_task_id id)
{
    uint32_t slot = target_task(world, id);
    return slot == KNI_NONE ? (kn_target_view){NULL, 0}
                            : task_view(world, kni_task_at(world, slot));
}

static bool task_is_multi(const kni_task *task)
{
    return task->confirm == KN_CONFIRM_CUSTOM_MULTI;
}

// On a server, a type may accept only what the server itself finds.
static bool server_looks(const kn_world *world, uint32_t slot)
{
    return !world->def.is_client &&
           targeting_def(world->library, kni_task_at(world, slot)->targeting)->server_looks;
}

void kni_target_task_look(kn_world *world, uint32_t slot)
{
    if (server_looks(world, slot)) {
        kni_mark_task(world, kni_task_at(world, slot));
        targets_look(world, slot);
    }
}

// Begins a call that confirms or cancels what a task found. A task whose end is in the queue has
// nothing more to report. KNI_NONE with the result to return if it cannot begin.
static uint32_t target_enter(kn_world *world, kn_task_id id, kn_result *result)
{
    uint32_t slot = target_task(world, id);
    if (slot == KNI_NONE || (kni_task_at(world, slot)->flags & KNI_TASK_LAST) != 0) {
        *result = KN_REFUSED_STALE_ID;
        return KNI_NONE;
    }
    *result = kni_enter(world);
    return *result == KN_OK ? slot : KNI_NONE;
}

kn_result kn_target_confirm(kn_world *world, kn_task_id id)
{
    kn_result result;
    uint32_t slot = target_enter(world, id, &result);
    if (slot == KNI_NONE) {
        return result;
    }
    kni_target_task_look(world, slot);
    const kni_task *task = kni_task_at(world, slot);
    if ((task->flags & KNI_TASK_FULFILLED) == 0) {
        return kni_leave(world, KN_REFUSED_NOT_FOUND);
    }
    kni_task_queue(world, slot, KN_TASK_FIRED, !task_is_multi(task));
    return kni_leave(world, KN_OK);
}

kn_result kn_target_cancel(kn_world *world, kn_task_id id)
{
    kn_result result;
    uint32_t slot = target_enter(world, id, &result);
    if (slot == KNI_NONE) {
        return result;
    }
    kni_task_queue(world, slot, KN_TASK_CANCELLED, true);
    return kni_leave(world, KN_OK);
}

// Only the space knows layers, so it is queried for this one entity, wherever that is.
static bool layers_agree(
    const kn_targeting_call *call, const kn_targeting_def *def, kn_entity_id entity)
{
    if (def->layers == UINT32_MAX) {
        return true;
    }
    kn_space_filter filter = kn_space_filter_default();
    filter.layers = def->layers;
    filter.only = entity;
    kn_sphere anywhere = {{0.0f, 0.0f, 0.0f}, FLT_MAX};
    return kn_space_sphere(call->world->def.space, call->world, &anywhere, &filter, NULL, 0) > 0;
}

// Without a hook, targets that the type would not find are refused.
static bool data_is_acceptable(
    const kn_targeting_call *call, const kn_targeting_def *def, kn_target_view data)
{
    if (def->validate != NULL) {
        return def->validate(call, data);
    }
    kn_space_filter filter = filter_of(call, def);
    kn_entity_id entities[TARGETS_MAX];
    uint32_t count = kn_target_entities(data, entities, TARGETS_MAX);
    for (uint32_t i = 0; i < count && i < TARGETS_MAX; i++) {
        if (!kn_entity_is_alive(call->world, entities[i]) ||
            !kn_space_filter_passes(&filter, call->world, entities[i]) ||
            !layers_agree(call, def, entities[i])) {
            return false;
        }
    }
    return count <= TARGETS_MAX && (def->limit == 0 || count <= def->limit);
}

kn_result kn_target_provide(kn_world *world, kn_task_id id, kn_target_view data)
{
    kn_result result;
    uint32_t slot = target_enter(world, id, &result);
    if (slot == KNI_NONE) {
        return result;
    }
    if (!kn_target_is_valid(world->library, data) || data.size == 0) {
        return kni_leave(world, KN_ERROR_BAD_DATA);
    }
    if (server_looks(world, slot)) {
        return kni_leave(world, KN_REFUSED_BLOCKED);
    }
    kn_targeting_call call = task_call(world, slot);
    const kni_task *task = kni_task_at(world, slot);
    if (!data_is_acceptable(&call, targeting_def(world->library, task->targeting), data)) {
        return kni_leave(world, KN_REFUSED_CUSTOM);
    }
    kni_task_queue_bytes(world, slot, KN_TASK_FIRED, data.data, data.size, !task_is_multi(task));
    return kni_leave(world, KN_OK);
}
