// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What each kind of task waits for and reports: conditions, animations, motion, spawning, custom
// tasks.

#include "ability/task_kinds.h"

#include <math.h>

static bool task_ends(const kni_task *task)
{
    return (task->flags & KNI_TASK_REPEATS) == 0;
}

// Watching ------------------------------------------------------------------

static void task_watch(kn_world *world, uint32_t slot, kn_trigger trigger, uint32_t key)
{
    const kni_task *task = kni_task_at(world, slot);
    uint32_t entity = kni_entity_find(world, task->entity);
    uint32_t component = entity == KNI_NONE ? KNI_NONE : kni_component_ensure(world, entity);
    if (component == KNI_NONE) {
        return;
    }
    kni_watcher watcher = {.trigger = (uint8_t)trigger, .is_task = 1, .key = key, .slot = slot};
    kni_watch_add(world, component, watcher);
}

static const kn_task_type_def *task_type(const kn_world *world, const kni_task *task)
{
    return &KNI_ITEM(world->library, KN_DEF_TASK, kni_task_type, task->type1 - 1)->def;
}

// The watches of a custom task are stored after its state.
static uint32_t watched_count(const kn_world *world, const kni_task *task)
{
    return task->kind != KN_TASK_CUSTOM ? 0
                                        : (task->data.count - task_type(world, task)->state_size) /
                                              (uint32_t)sizeof(kni_task_watched);
}

static kni_task_watched watched_at(const kn_world *world, const kni_task *task, uint32_t index)
{
    kni_task_watched watched;
    const uint8_t *bytes = kni_heap_at(&world->heap, task->data.ref);
    memcpy(&watched, bytes + task_type(world, task)->state_size + index * sizeof(watched),
        sizeof(watched));
    return watched;
}

bool kni_task_watches_are_good(const kn_world *world, const kni_task *task)
{
    uint32_t size = task_type(world, task)->state_size;
    if (task->data.count < size || (task->data.count - size) % sizeof(kni_task_watched) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < watched_count(world, task); i++) {
        if (watched_at(world, task, i).trigger >= KN_TRIGGER_COUNT) {
            return false;
        }
    }
    return true;
}

void kni_task_rewatch(kn_world *world, uint32_t slot)
{
    const kni_task task = *kni_task_at(world, slot);
    switch (task.kind) {
    case KN_TASK_EVENT:
        task_watch(world, slot, KN_TRIGGER_EVENT, task.tag);
        break;
    case KN_TASK_TAG_ADDED:
        task_watch(world, slot, KN_TRIGGER_TAG_ADDED, task.tag);
        break;
    case KN_TASK_TAG_REMOVED:
        task_watch(world, slot, KN_TRIGGER_TAG_REMOVED, task.tag);
        break;
    case KN_TASK_TAG_QUERY:
        task_watch(world, slot, KN_TRIGGER_TAG_ADDED, 0);
        task_watch(world, slot, KN_TRIGGER_TAG_REMOVED, 0);
        break;
    case KN_TASK_THRESHOLD:
    case KN_TASK_ATTRIBUTE:
        task_watch(world, slot, KN_TRIGGER_ATTRIBUTE_CHANGED, task.attribute);
        if (task.relative_to != 0 && task.relative_to != task.attribute) {
            task_watch(world, slot, KN_TRIGGER_ATTRIBUTE_CHANGED, task.relative_to);
        }
        break;
    case KN_TASK_EFFECT_APPLIED:
        task_watch(world, slot, KN_TRIGGER_EFFECT_APPLIED, task.effect_type);
        break;
    case KN_TASK_EFFECT_REMOVED:
        task_watch(world, slot, KN_TRIGGER_EFFECT_REMOVED, task.effect_type);
        break;
    case KN_TASK_EFFECT_STACKS:
        task_watch(world, slot, KN_TRIGGER_EFFECT_STACKS, task.effect_type);
        if (task.effect.index1 != 0) { // the end of the effect ends the wait
            task_watch(world, slot, KN_TRIGGER_EFFECT_REMOVED, task.effect_type);
        }
        break;
    case KN_TASK_ABILITY_ACTIVATED:
        task_watch(world, slot, KN_TRIGGER_ABILITY_ACTIVATED, 0);
        break;
    case KN_TASK_ABILITY_COMMITTED:
        task_watch(world, slot, KN_TRIGGER_ABILITY_COMMITTED, 0);
        break;
    case KN_TASK_ABILITY_ENDED:
        task_watch(world, slot, KN_TRIGGER_ABILITY_ENDED, 0);
        break;
    case KN_TASK_OVERLAP:
        task_watch(world, slot, KN_TRIGGER_OVERLAP, 0);
        break;
    case KN_TASK_MOVEMENT:
        task_watch(world, slot, KN_TRIGGER_MOVEMENT, 0);
        break;
    case KN_TASK_CUSTOM:
        for (uint32_t i = 0; i < watched_count(world, &task); i++) {
            kni_task_watched watched = watched_at(world, &task, i);
            uint32_t component = kni_component_find(world, watched.entity);
            if (component != KNI_NONE) {
                kni_watcher watcher = {.trigger = (uint8_t)watched.trigger,
                    .is_task = 1,
                    .key = watched.what,
                    .slot = slot};
                kni_watch_add(world, component, watcher);
            }
        }
        break;
    default:
        break;
    }
}

void kni_task_unwatch(kn_world *world, uint32_t slot)
{
    const kni_task task = *kni_task_at(world, slot);
    for (uint32_t i = 0; i < watched_count(world, &task); i++) {
        uint32_t component = kni_component_find(world, watched_at(world, &task, i).entity);
        if (component != KNI_NONE) {
            kni_watch_remove(world, component, slot, true);
        }
    }
}

// Conditions ----------------------------------------------------------------

static bool threshold_is_met(const kn_world *world, const kni_task *task)
{
    kn_attribute_id attribute = {task->attribute}, relative_to = {task->relative_to};
    if (!kn_attribute_exists(world, task->entity, attribute, 0)) {
        return false;
    }
    float limit = task->value;
    if (relative_to.index1 != 0) {
        limit *= kn_attribute_value(world, task->entity, relative_to);
    }
    return kni_compare(
        (kn_compare)task->compare, kn_attribute_value(world, task->entity, attribute), limit);
}

static bool query_is_met(const kn_world *world, const kni_task *task)
{
    kn_tag_query query;
    memcpy(&query, kni_heap_at(&world->heap, task->data.ref), sizeof(query));
    bool matches = kn_entity_matches_query(world, task->entity, &query);
    return matches != ((task->flags & KNI_TASK_WHEN_FALSE) != 0);
}

// Whether the condition of a task is met. False for kinds that wait for something to happen.
static bool task_is_met(const kn_world *world, const kni_task *task)
{
    kn_tag tag = {task->tag};
    switch (task->kind) {
    case KN_TASK_TAG_ADDED:
        return kn_entity_has_tag(world, task->entity, tag);
    case KN_TASK_TAG_REMOVED:
        return !kn_entity_has_tag(world, task->entity, tag);
    case KN_TASK_TAG_QUERY:
        return query_is_met(world, task);
    case KN_TASK_THRESHOLD:
        return threshold_is_met(world, task);
    case KN_TASK_EFFECT_REMOVED:
        return task->effect.index1 != 0 && !kn_effect_is_alive(world, task->effect);
    default:
        return false;
    }
}

// Animations ----------------------------------------------------------------

static const kn_animation_def *task_animation(const kn_world *world, const kni_task *task)
{
    return &KNI_ITEM(world->library, KN_DEF_ANIMATION, kni_animation, task->animation - 1)->def;
}

// Where in the animation a task began, in seconds.
static float animation_offset(const kn_world *world, const kni_task *task)
{
    const kn_animation_def *def = task_animation(world, task);
    float offset = (float)kn_time_to_seconds(task->offset);
    for (uint32_t i = 0; i < def->section_count; i++) {
        if (def->sections[i].name.index1 == task->section && task->section != 0) {
            offset += def->sections[i].start;
        }
    }
    return offset;
}

// When a moment of the animation is reached.
static kn_time animation_moment(const kn_world *world, const kni_task *task, float seconds)
{
    float left = (seconds - animation_offset(world, task)) / task->rate;
    kn_time span = left > 0.0f ? kn_time_from_seconds((double)left) : 0;
    return span > KN_TIME_MAX - task->start ? KN_TIME_MAX : task->start + span;
}

static kn_time animation_next(const kn_world *world, const kni_task *task)
{
    const kn_animation_def *def = task_animation(world, task);
    kn_time next = animation_moment(world, task, def->length);
    if ((task->flags & KNI_TASK_BLENDED) == 0) {
        next = animation_moment(world, task, def->length - def->blend_out);
    }
    if (task->notify < def->notify_count) {
        kn_time notify = animation_moment(world, task, def->notifies[task->notify].time);
        next = notify < next ? notify : next;
    }
    return next;
}

static void animation_event(kn_world *world, uint32_t slot, bool plays)
{
    const kni_task *task = kni_task_at(world, slot);
    if (!kni_wants(world, KN_EVENT_ANIMATION)) {
        return;
    }
    kn_event *event = kni_emit(
        world, KN_EVENT_ANIMATION, kni_component_entity(world, kni_task_component(world, slot)));
    memset(&event->data, 0, sizeof(event->data));
    event->data.animation.animation.index1 = task->animation;
    event->data.animation.task = kni_task_id_of(world, slot);
    event->data.animation.plays = plays;
    event->data.animation.rate = task->rate;
    event->data.animation.start = task->offset;
    event->data.animation.section.index1 = task->section;
}

static void animation_begin(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    const kn_animation_def *def = task_animation(world, task);
    float offset = animation_offset(world, task);
    task->notify = 0;
    kni_mark_task(world, task);
    while (task->notify < def->notify_count && def->notifies[task->notify].time < offset) {
        task->notify++; // before its beginning
    }
    animation_event(world, slot, true);
    kni_task_schedule(world, slot, animation_next(world, kni_task_at(world, slot)));
}

static void animation_notify(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    kn_task_id id = kni_task_id_of(world, slot);
    kn_tag tag = task_animation(world, task)->notifies[task->notify++].tag;
    kn_entity_id owner = kni_component_entity(world, kni_task_component(world, slot));
    kn_event_record record = kn_event_record_default();
    record.instigator = owner;
    record.target = owner;
    (void)kn_event_send(world, owner, tag, &record);
    if (kni_task_find(world, id) != KNI_NONE) {
        kn_task_result result = kni_task_result_of(world, slot, KN_TASK_NOTIFY);
        result.data.tag.tag = tag;
        kni_task_report(world, slot, &result, false);
    }
}

// Reports one moment at a time: notifies before the blend-out, that before the end.
static void animation_timer(kn_world *world, uint32_t slot)
{
    kn_task_id id = kni_task_id_of(world, slot);
    kni_task *task = kni_task_at(world, slot);
    const kn_animation_def *def = task_animation(world, task);
    if (task->notify < def->notify_count &&
        animation_moment(world, task, def->notifies[task->notify].time) <= world->now) {
        animation_notify(world, slot);
    } else if ((task->flags & KNI_TASK_BLENDED) == 0) {
        task->flags |= KNI_TASK_BLENDED;
        kni_mark_task(world, task);
        if (def->blend_out > 0.0f) {
            kni_task_report_plain(world, slot, KN_TASK_BLEND_OUT, false);
        }
    } else {
        if ((task->flags & KNI_TASK_QUIET) != 0 && def->blend_out > 0.0f) {
            kni_task_release(world, slot);
        } else {
            kni_task_report_plain(world, slot, KN_TASK_COMPLETED, true);
        }
        return;
    }
    if (kni_task_find(world, id) != KNI_NONE &&
        (kni_task_at(world, slot)->flags & KNI_TASK_ENDING) == 0) {
        kni_task_schedule(world, slot, animation_next(world, kni_task_at(world, slot)));
    }
}

// Motion, spawning ----------------------------------------------------------

static void motion_event(kn_world *world, uint32_t slot, bool begins)
{
    if (kni_wants(world, KN_EVENT_MOTION)) {
        kn_event *event = kni_emit(
            world, KN_EVENT_MOTION, kni_component_entity(world, kni_task_component(world, slot)));
        memset(&event->data, 0, sizeof(event->data));
        event->data.motion.task = kni_task_id_of(world, slot);
        event->data.motion.begins = begins;
    }
}

static kn_motion_source motion_source(const kn_world *world, const kni_task *task)
{
    kn_motion_source source;
    memcpy(&source, kni_heap_at(&world->heap, task->data.ref), sizeof(source));
    return source;
}

static void motion_begin(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    kn_motion_source source = motion_source(world, task);
    source.start.time = world->now;
    source.start.number = (uint32_t)task->number;
    memcpy(kni_heap_at(&world->heap, task->data.ref), &source, sizeof(source));
    motion_event(world, slot, true);
    if (source.def.duration != KN_TIME_INFINITE) {
        kni_task_schedule(world, slot, kni_time_after(world, source.def.duration));
    }
}

uint32_t kn_motions(
    const kn_world *world, kn_entity_id entity, kn_motion_source *out, uint32_t capacity)
{
    kni_task_walk walk = {0};
    uint32_t component = kni_component_find(world, entity), count = 0, slot;
    while ((slot = kni_task_walk_next(world, component, &walk)) != KNI_NONE) {
        const kni_task *task = kni_task_at(world, slot);
        if (task->kind == KN_TASK_MOTION && (task->flags & KNI_TASK_STARTED) != 0) {
            if (count < capacity) {
                out[count] = motion_source(world, task);
            }
            count++;
        }
    }
    return count;
}

// The entity exists as soon as the task does; starting the task reports it to the ability.
void kni_task_spawn(kn_world *world, uint32_t slot, uint64_t user)
{
    kn_entity_id owner = kni_component_entity(world, kni_task_component(world, slot));
    kn_entity_id spawned;
    if (kn_entity_create(world, &spawned) != KN_OK ||
        kn_entity_set_user(world, spawned, user) != KN_OK ||
        kn_entity_set_owner(world, spawned, owner) != KN_OK) {
        kni_break(world);
        return;
    }
    kni_task_at(world, slot)->entity = spawned;
    kni_mark_task(world, kni_task_at(world, slot));
}

// Custom tasks --------------------------------------------------------------

static kn_task_call task_call(kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    uint32_t ability = kni_activation_at(world, task->activation)->ability;
    kn_task_call call = {
        .world = world,
        .user = task_type(world, task)->user,
        .task = kni_task_id_of(world, slot),
        .activation = kni_activation_id_of(world, task->activation),
        .ability = kni_ability_id_of(world, ability),
        .owner = kni_component_entity(world, kni_ability_at(world, ability)->component),
    };
    return call;
}

// Begins the cause of a hook of a custom task; as kni_cause_begin().
static bool custom_cause_begin(kn_world *world, const kn_task_call *call, kn_cause *previous)
{
    uint32_t ability = kni_ability_find(world, call->ability);
    uint32_t activation = kni_activation_find(world, call->activation);
    if (!kni_cause_begin(world, KN_CAUSE_TASK, call->owner, (kn_effect_id){0},
            (kn_effect_type_id){0}, kni_ability_at(world, ability)->type + 1u, previous)) {
        return false;
    }
    kni_cause_set_key(world, kni_activation_key(kni_activation_at(world, activation)));
    return true;
}

static void custom_timer(kn_world *world, uint32_t slot)
{
    const kn_task_type_def *def = task_type(world, kni_task_at(world, slot));
    kn_task_call call = task_call(world, slot);
    kn_time again = 0;
    kn_cause previous;
    if (def->timer != NULL && custom_cause_begin(world, &call, &previous)) {
        again = def->timer(&call);
        kni_cause_end(world, previous);
    }
    if (again > 0 && kni_task_find(world, call.task) != KNI_NONE) {
        kni_task_schedule(world, slot, kni_time_after(world, again));
    }
}

void kni_task_synced(kn_world *world, uint32_t slot, bool is_in_time)
{
    const kn_task_type_def *def = task_type(world, kni_task_at(world, slot));
    kn_task_call call = task_call(world, slot);
    kn_cause previous;
    if (def->synced != NULL && custom_cause_begin(world, &call, &previous)) {
        def->synced(&call, is_in_time);
        kni_cause_end(world, previous);
    }
}

// The state of a custom task; NULL if there is none.
static const kni_task *task_with_state(const kn_world *world, kn_task_id id)
{
    uint32_t slot = kni_task_find(world, id);
    return slot == KNI_NONE || kni_task_at(world, slot)->kind != KN_TASK_CUSTOM ||
                   task_type(world, kni_task_at(world, slot))->state_size == 0
               ? NULL
               : kni_task_at(world, slot);
}

void *kn_task_state(kn_world *world, kn_task_id id)
{
    const kni_task *task = task_with_state(world, id);
    if (task != NULL) {
        kni_mark_task(world, task); // it may be written
    }
    return task != NULL ? kni_heap_at(&world->heap, task->data.ref) : NULL;
}

const void *kn_task_read_state(const kn_world *world, kn_task_id id)
{
    const kni_task *task = task_with_state(world, id);
    return task != NULL ? kni_heap_at(&world->heap, task->data.ref) : NULL;
}

kn_result kn_task_watch(
    kn_world *world, kn_task_id id, kn_entity_id entity, kn_trigger trigger, uint32_t what)
{
    uint32_t slot = kni_task_find(world, id);
    if (slot == KNI_NONE || kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if ((uint32_t)trigger >= KN_TRIGGER_COUNT || kni_task_at(world, slot)->kind != KN_TASK_CUSTOM) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t component = kni_component_ensure(world, kni_entity_find(world, entity));
    kni_task_watched watched = {kn_entity_actor(world, entity), (uint32_t)trigger, what};
    kni_span *data = &kni_task_at(world, slot)->data;
    uint32_t size = (uint32_t)sizeof(watched);
    if (component == KNI_NONE ||
        !kni_span_reserve(&world->heap, &world->memory, data, data->count + size, 1)) {
        kni_break(world);
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    memcpy((uint8_t *)kni_heap_at(&world->heap, data->ref) + data->count, &watched, size);
    data->count += size;
    kni_mark_task(world, kni_task_at(world, slot));
    if ((kni_task_at(world, slot)->flags & KNI_TASK_STARTED) != 0) { // else starting it does this
        kni_watcher watcher = {
            .trigger = (uint8_t)trigger, .is_task = 1, .key = what, .slot = slot};
        kni_watch_add(world, component, watcher);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_task_wait(kn_world *world, kn_task_id id, kn_time delay)
{
    uint32_t slot = kni_task_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (kni_task_at(world, slot)->kind != KN_TASK_CUSTOM ||
        (kni_task_at(world, slot)->flags & KNI_TASK_STARTED) == 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result == KN_OK) {
        kni_task_schedule(world, slot, delay < 0 ? KN_TIME_INFINITE : kni_time_after(world, delay));
        result = kni_leave(world, KN_OK);
    }
    return result;
}

kn_result kn_task_report(
    kn_world *world, kn_task_id id, uint32_t output, const void *data, uint32_t size, bool ends)
{
    uint32_t slot = kni_task_find(world, id);
    if (slot == KNI_NONE ||
        (kni_task_at(world, slot)->flags & (KNI_TASK_ENDING | KNI_TASK_LAST)) != 0) {
        return KN_REFUSED_STALE_ID;
    }
    if (output == 0 || (data == NULL && size > 0) || size > KNI_TASK_TOLD_MAX ||
        kni_task_at(world, slot)->kind == KN_TASK_TARGET) {
        KN_ASSERT(output != 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result == KN_OK) {
        kni_task_queue_bytes(world, slot, (kn_task_output)output, data, size, ends);
        result = kni_leave(world, KN_OK);
    }
    return result;
}

// All kinds -----------------------------------------------------------------

static bool input_is_down(const kn_world *world, const kni_task *task)
{
    uint32_t ability = kni_activation_at(world, task->activation)->ability;
    return (kni_ability_at(world, ability)->flags & KNI_ABILITY_PRESSED) != 0;
}

void kni_task_begin(kn_world *world, uint32_t slot, bool test_now)
{
    kni_task *task = kni_task_at(world, slot);
    switch (task->kind) {
    case KN_TASK_DELAY:
    case KN_TASK_REPEAT:
        kni_task_schedule(world, slot, kni_time_after(world, task->interval));
        break;
    case KN_TASK_ANIMATION:
        animation_begin(world, slot);
        break;
    case KN_TASK_MOTION:
        motion_begin(world, slot);
        break;
    case KN_TASK_SPAWN:
        kni_task_queue(world, slot, KN_TASK_FIRED, true);
        break;
    case KN_TASK_TARGET:
        kni_target_task_begin(world, slot);
        break;
    case KN_TASK_CUE: {
        kn_cue_params params = kn_cue_params_default();
        params.activation = kni_activation_id_of(world, task->activation);
        (void)kn_cue_add(world, task->entity, (kn_tag){task->tag}, &params);
        break;
    }
    case KN_TASK_NET_SYNC:
        kni_sync_begin(world, slot);
        break;
    case KN_TASK_INPUT_PRESSED:
    case KN_TASK_INPUT_RELEASED:
        if (test_now && input_is_down(world, task) == (task->kind == KN_TASK_INPUT_PRESSED)) {
            kni_task_queue(world, slot, KN_TASK_FIRED, task_ends(task));
        }
        break;
    case KN_TASK_EFFECT_STACKS:
        if (task->effect.index1 != 0 && !kn_effect_is_alive(world, task->effect)) {
            kni_task_gone(world, slot);
        }
        break;
    case KN_TASK_CUSTOM: {
        const kn_task_type_def *def = task_type(world, task);
        if (def->start != NULL) {
            kn_task_call call = task_call(world, slot);
            def->start(&call);
        }
        break;
    }
    default:
        if (task_is_met(world, task)) {
            task->flags |= KNI_TASK_FULFILLED;
            kni_mark_task(world, task);
            kni_task_queue(world, slot, KN_TASK_FIRED, task_ends(task));
        }
        break;
    }
}

static void repeat_timer(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    task->count++;
    kni_mark_task(world, task);
    kn_task_result result = kni_task_result_of(world, slot, KN_TASK_FIRED);
    bool is_last = task->limit != 0 && task->count >= task->limit;
    result.data.repeat.index = task->count;
    result.data.repeat.is_last = is_last;
    if (!is_last) {
        kni_task_schedule(world, slot, kni_time_after(world, task->interval));
    }
    kni_task_report(world, slot, &result, is_last);
}

void kni_task_timer(kn_world *world, uint32_t slot)
{
    switch (kni_task_at(world, slot)->kind) {
    case KN_TASK_REPEAT:
        repeat_timer(world, slot);
        break;
    case KN_TASK_ANIMATION:
        animation_timer(world, slot);
        break;
    case KN_TASK_MOTION:
        kni_task_report_plain(world, slot, KN_TASK_FINISHED, true);
        break;
    case KN_TASK_CUSTOM:
        custom_timer(world, slot);
        break;
    default:
        kni_task_report_plain(world, slot, KN_TASK_FIRED, true);
        break;
    }
}

// A condition that changes is reported only when it becomes true.
static bool condition_fires(kn_world *world, kni_task *task)
{
    bool was = (task->flags & KNI_TASK_FULFILLED) != 0;
    bool is = task_is_met(world, task);
    task->flags &= (uint16_t)~KNI_TASK_FULFILLED;
    task->flags |= is ? KNI_TASK_FULFILLED : 0;
    kni_mark_task(world, task);
    return is && !was;
}

static bool reaction_is_wanted(kn_world *world, kni_task *task, const kn_reaction *reaction)
{
    switch (task->kind) {
    case KN_TASK_TAG_QUERY:
    case KN_TASK_THRESHOLD:
        return condition_fires(world, task);
    case KN_TASK_ATTRIBUTE:
        return reaction->attribute.index1 == task->attribute;
    case KN_TASK_EFFECT_APPLIED:
    case KN_TASK_EFFECT_REMOVED:
    case KN_TASK_EFFECT_STACKS:
        return task->effect.index1 == 0 || kn_effect_id_equal(task->effect, reaction->effect);
    case KN_TASK_MOVEMENT:
        return task->mode == 0 || task->mode == reaction->key;
    default:
        return true;
    }
}

static void reaction_describe(
    kn_task_result *result, const kni_task *task, const kn_reaction *reaction)
{
    switch (result->kind) {
    case KN_TASK_TAG_ADDED:
    case KN_TASK_TAG_REMOVED:
        result->data.tag.tag = reaction->tag;
        result->data.tag.is_there = reaction->trigger == KN_TRIGGER_TAG_ADDED;
        break;
    case KN_TASK_ATTRIBUTE:
    case KN_TASK_THRESHOLD:
        if (reaction->attribute.index1 != task->attribute) {
            break; // the attribute it is relative to changed
        }
        result->data.attribute.attribute = reaction->attribute;
        result->data.attribute.old_value = reaction->old_value;
        result->data.attribute.new_value = reaction->new_value;
        break;
    case KN_TASK_EFFECT_APPLIED:
    case KN_TASK_EFFECT_REMOVED:
    case KN_TASK_EFFECT_STACKS:
        result->data.effect.effect = reaction->effect;
        result->data.effect.type = reaction->effect_type;
        result->data.effect.count = reaction->new_count;
        result->data.effect.old_count = reaction->old_count;
        result->data.effect.reason = reaction->reason;
        break;
    case KN_TASK_ABILITY_ACTIVATED:
    case KN_TASK_ABILITY_COMMITTED:
    case KN_TASK_ABILITY_ENDED:
        result->data.ability.ability = reaction->ability;
        result->data.ability.activation = reaction->activation;
        result->data.ability.reason = (kn_end_reason)reaction->end_reason;
        result->data.ability.instigator = reaction->instigator;
        result->data.ability.tag = reaction->tag;
        result->data.ability.number = reaction->magnitude;
        break;
    case KN_TASK_OVERLAP:
        result->data.entity = reaction->instigator;
        break;
    case KN_TASK_MOVEMENT:
        result->data.mode = reaction->key;
        break;
    default:
        break;
    }
}

static void task_woken(kn_world *world, uint32_t slot, const kn_task_type_def *def,
    const kn_reaction *reaction, uint32_t payload1)
{
    kn_reaction told = *reaction;
    kni_payload_copy payload;
    if (payload1 != 0) {
        if (!kni_payload_take(world, payload1, &payload)) {
            return;
        }
        told.record = &payload.record;
    }
    kn_task_call call = task_call(world, slot);
    kn_cause previous;
    if (custom_cause_begin(world, &call, &previous)) {
        told.cause = world->cause;
        def->woken(&call, &told);
        kni_cause_end(world, previous);
    }
    if (payload1 != 0) {
        kni_payload_drop(world, &payload);
    }
}

void kni_task_heard(kn_world *world, uint32_t slot, const kn_reaction *reaction, uint32_t payload1)
{
    kni_task *task = kni_task_at(world, slot);
    if (task->kind == KN_TASK_CUSTOM) {
        const kn_task_type_def *def = task_type(world, task);
        if (def->woken != NULL) {
            task_woken(world, slot, def, reaction, payload1);
        }
        return;
    }
    if (!reaction_is_wanted(world, task, reaction)) {
        return;
    }
    if (task->kind == KN_TASK_EFFECT_STACKS && reaction->trigger == KN_TRIGGER_EFFECT_REMOVED) {
        kni_task_report_plain(world, slot, KN_TASK_GONE, true);
        return;
    }
    kn_task_result result = kni_task_result_of(world, slot, KN_TASK_FIRED);
    if (task->kind == KN_TASK_EVENT) {
        kni_payload_copy payload;
        if (kni_payload_take(world, payload1, &payload)) {
            result.data.event = &payload.record;
            kni_task_report(world, slot, &result, task_ends(task));
            kni_payload_drop(world, &payload);
        }
        return;
    }
    kni_task_describe(world, slot, &result);
    reaction_describe(&result, task, reaction);
    kni_task_report(world, slot, &result, task_ends(task));
}

void kni_task_describe(const kn_world *world, uint32_t slot, kn_task_result *result)
{
    const kni_task *task = kni_task_at(world, slot);
    kn_attribute_id attribute = {task->attribute};
    switch (result->kind) {
    case KN_TASK_TAG_ADDED:
    case KN_TASK_TAG_REMOVED:
    case KN_TASK_TAG_QUERY:
        result->data.tag.tag.index1 = task->tag;
        result->data.tag.is_there =
            result->kind == KN_TASK_TAG_ADDED ||
            (result->kind == KN_TASK_TAG_QUERY && (task->flags & KNI_TASK_WHEN_FALSE) == 0);
        break;
    case KN_TASK_THRESHOLD:
        result->data.attribute.attribute = attribute;
        result->data.attribute.new_value = kn_attribute_value(world, task->entity, attribute);
        result->data.attribute.old_value = result->data.attribute.new_value;
        break;
    case KN_TASK_EFFECT_REMOVED:
        result->data.effect.effect = task->effect;
        result->data.effect.type.index1 = task->effect_type;
        break;
    case KN_TASK_INPUT_PRESSED:
    case KN_TASK_INPUT_RELEASED:
        result->data.held = world->now - task->start;
        break;
    case KN_TASK_SPAWN:
        result->data.entity = task->entity;
        break;
    default:
        break;
    }
}

void kni_task_finish(kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    bool was_started = (task->flags & KNI_TASK_STARTED) != 0;
    switch (task->kind) {
    case KN_TASK_ANIMATION:
        if (was_started) {
            animation_event(world, slot, false);
        }
        break;
    case KN_TASK_MOTION:
        if (was_started) {
            motion_event(world, slot, false);
        }
        break;
    case KN_TASK_CUE:
        if (was_started) {
            (void)kn_cue_remove(world, task->entity, (kn_tag){task->tag});
        }
        break;
    case KN_TASK_SPAWN:
        if (!was_started) {
            (void)kn_entity_destroy(world, task->entity); // it was never reported
        }
        break;
    case KN_TASK_EFFECT_REMOVED:
        if ((task->flags & KNI_TASK_HOLDS) != 0) {
            kni_body_let_go(world, slot);
        }
        break;
    case KN_TASK_CUSTOM:
        if (was_started && task_type(world, task)->ended != NULL) {
            kn_task_call call = task_call(world, slot);
            kni_hold(world);
            task_type(world, task)->ended(&call);
            kni_release(world);
        }
        break;
    default:
        break;
    }
}

// Calls by the host ----------------------------------------------------------

static kn_result host_tell(kn_world *world, kn_entity_id entity, const kn_reaction *given)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE) {
        return kni_entity_find(world, entity) == KNI_NONE ? KN_REFUSED_STALE_ID : KN_OK;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kn_reaction reaction = *given;
    reaction.entity = kni_component_entity(world, component);
    kni_react_all(world, component, &reaction);
    return kni_leave(world, KN_OK);
}

kn_result kn_host_overlap(kn_world *world, kn_entity_id entity, kn_entity_id other)
{
    kn_reaction reaction = {.trigger = KN_TRIGGER_OVERLAP, .instigator = other};
    return host_tell(world, entity, &reaction);
}

kn_result kn_host_movement_mode(kn_world *world, kn_entity_id entity, uint32_t mode)
{
    kn_reaction reaction = {.trigger = KN_TRIGGER_MOVEMENT, .key = mode};
    return host_tell(world, entity, &reaction);
}

static void tasks_interrupt(kn_world *world, uint32_t component, kn_task_kind kind)
{
    kni_task_walk walk = {0};
    uint32_t slot;
    while ((slot = kni_task_walk_next(world, component, &walk)) != KNI_NONE) {
        const kni_task *task = kni_task_at(world, slot);
        if (task->kind == kind && (task->flags & KNI_TASK_STARTED) != 0) {
            kni_task_queue(world, slot, KN_TASK_INTERRUPTED, true);
        }
    }
}

void kni_tasks_lose_body(kn_world *world, uint32_t component)
{
    tasks_interrupt(world, component, KN_TASK_ANIMATION);
    tasks_interrupt(world, component, KN_TASK_MOTION);
}

kn_result kn_host_animation_stopped(kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE) {
        return kni_entity_find(world, entity) == KNI_NONE ? KN_REFUSED_STALE_ID : KN_OK;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    tasks_interrupt(world, component, KN_TASK_ANIMATION);
    return kni_leave(world, KN_OK);
}
