// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The life of tasks: creating, starting, reporting, ending, and what wakes them. What each kind
// does is in task_kinds.c.

#include "ability/task.h"
#include "ability/task_kinds.h"

#include <math.h>

#define TASK_PARAMS_MAX 4096

static uint32_t task_ability(const kn_world *world, uint32_t slot)
{
    return kni_activation_at(world, kni_task_at(world, slot)->activation)->ability;
}

uint32_t kni_task_component(const kn_world *world, uint32_t slot)
{
    return kni_ability_at(world, task_ability(world, slot))->component;
}

uint32_t kni_task_walk_next(const kn_world *world, uint32_t component, kni_task_walk *walk)
{
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    for (; actor != NULL && walk->activation < actor->activations.count; walk->activation++) {
        const kni_activation *activation = kni_activation_at(
            world, *KNI_SPAN_AT(world, actor->activations, uint32_t, walk->activation));
        if (walk->task < activation->tasks.count) {
            return *KNI_SPAN_AT(world, activation->tasks, uint32_t, walk->task++);
        }
        walk->task = 0;
    }
    return KNI_NONE;
}

// Creating ------------------------------------------------------------------

kn_task_def kn_task_def_default(kn_task_kind kind)
{
    kn_task_def def = {.kind = kind, .rate = 1.0f, .cookie = KN_COOKIE};
    return def;
}

static bool ref_is_good(const kn_world *world, kn_def_kind kind, uint32_t index1, bool needed)
{
    return index1 == 0 ? !needed : index1 <= kni_ref_count(world->library, kind);
}

// Whether the def has what its kind requires.
static bool task_def_has_needs(const kn_world *world, const kn_task_def *def)
{
    switch (def->kind) {
    case KN_TASK_REPEAT:
        return def->interval > 0;
    case KN_TASK_EVENT:
    case KN_TASK_TAG_ADDED:
    case KN_TASK_TAG_REMOVED:
        return def->tag.index1 != 0;
    case KN_TASK_TAG_QUERY:
        return def->query != NULL && kn_tag_query_is_valid(world->library, def->query);
    case KN_TASK_ATTRIBUTE:
    case KN_TASK_THRESHOLD:
        return def->attribute.index1 != 0 && (uint32_t)def->compare < KN_COMPARE_COUNT;
    case KN_TASK_EFFECT_REMOVED:
    case KN_TASK_EFFECT_STACKS:
        return def->effect.index1 != 0 || def->effect_type.index1 != 0;
    case KN_TASK_ANIMATION:
        return def->animation.index1 != 0;
    case KN_TASK_MOTION:
        return def->motion != NULL;
    case KN_TASK_CUSTOM:
        return def->type.index1 != 0;
    default:
        return true;
    }
}

static bool tags_are_good(const kn_world *world, kn_tags tags)
{
    bool ok = tags.count <= KN_TAG_SET_MAX && (tags.data != NULL || tags.count == 0);
    for (uint32_t i = 0; i < tags.count && ok; i++) {
        ok = ref_is_good(world, KN_DEF_TAG, tags.data[i].index1, true);
    }
    return ok;
}

static bool section_is_good(const kn_world *world, const kn_task_def *def)
{
    bool found = def->section.index1 == 0 || def->kind != KN_TASK_ANIMATION;
    const kn_animation_def *animation =
        found ? NULL : kn_animation_get_def(world->library, def->animation);
    for (uint32_t i = 0; animation != NULL && i < animation->section_count; i++) {
        found = found || animation->sections[i].name.index1 == def->section.index1;
    }
    return found;
}

static bool vec_is_finite(kn_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static kn_result task_def_check(const kn_world *world, const kn_task_def *def)
{
    if (def == NULL || def->cookie != KN_COOKIE || (uint32_t)def->kind >= KN_TASK_KIND_COUNT ||
        (uint32_t)def->kind == 0 || (uint32_t)def->conflict >= KN_TASK_CONFLICT_COUNT ||
        !ref_is_good(world, KN_DEF_TAG, def->tag.index1, false) ||
        !ref_is_good(world, KN_DEF_TAG, def->resource.index1, false) ||
        !ref_is_good(world, KN_DEF_NAME, def->name.index1, false) ||
        !ref_is_good(world, KN_DEF_ATTRIBUTE, def->attribute.index1, false) ||
        !ref_is_good(world, KN_DEF_ATTRIBUTE, def->relative_to.index1, false) ||
        !ref_is_good(world, KN_DEF_ANIMATION, def->animation.index1, false) ||
        !ref_is_good(world, KN_DEF_TASK, def->type.index1, false) ||
        def->effect_type.index1 > world->type_count || def->param_size > TASK_PARAMS_MAX ||
        (def->params == NULL && def->param_size > 0) || !task_def_has_needs(world, def) ||
        !tags_are_good(world, def->tags) || !section_is_good(world, def)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (def->kind == KN_TASK_NET_SYNC && ((uint32_t)def->sync >= KN_SYNC_WAIT_COUNT ||
                                             (uint32_t)def->sync_expiry >= KN_SYNC_EXPIRY_COUNT)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (def->delay < 0 || def->interval < 0 || def->timeout < 0 || def->start < 0 ||
        def->delay > KN_TIME_MAX || def->interval > KN_TIME_MAX || def->timeout > KN_TIME_MAX ||
        def->start > KN_TIME_MAX || !isfinite(def->value) || !isfinite(def->rate) ||
        (def->kind == KN_TASK_ANIMATION && !(def->rate > 0.0f))) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (def->kind == KN_TASK_MOTION &&
        (kn_motion_check(world->library, def->motion, NULL) != KN_OK ||
            !vec_is_finite(def->motion_start.position) ||
            !vec_is_finite(def->motion_start.velocity))) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (def->kind == KN_TASK_SPAWN && world->def.is_client && world->def.own_entities == 0) {
        return KN_REFUSED_BLOCKED;
    }
    if (def->kind == KN_TASK_CUE && !kn_cue_tag_is_valid(world->library, def->tag)) {
        return KN_REFUSED_REQUIREMENT;
    }
    return def->kind == KN_TASK_TARGET ? kni_target_task_check(world, def) : KN_OK;
}

static bool bytes_set(kn_world *world, kni_span *span, const void *data, uint32_t size)
{
    if (size == 0) {
        return true;
    }
    if (!kni_span_reserve(&world->heap, &world->memory, span, size, 1)) {
        return false;
    }
    memcpy(kni_heap_at(&world->heap, span->ref), data, size);
    span->count = size;
    return true;
}

// Stores the bytes that a kind keeps.
static bool task_data_set(kn_world *world, kni_task *task, const kn_task_def *def)
{
    switch (def->kind) {
    case KN_TASK_TAG_QUERY:
        return bytes_set(world, &task->data, def->query, sizeof(*def->query));
    case KN_TASK_ABILITY_ACTIVATED:
    case KN_TASK_ABILITY_COMMITTED:
    case KN_TASK_ABILITY_ENDED:
        return bytes_set(
            world, &task->data, def->tags.data, def->tags.count * (uint32_t)sizeof(kn_tag));
    case KN_TASK_MOTION: {
        kn_motion_source source;
        memset(&source, 0, sizeof(source));
        source.def = *def->motion;
        source.start = def->motion_start;
        return bytes_set(world, &task->data, &source, sizeof(source));
    }
    case KN_TASK_CUSTOM: {
        uint8_t zero[TASK_PARAMS_MAX] = {0};
        uint32_t size = KNI_ITEM(world->library, KN_DEF_TASK, kni_task_type, def->type.index1 - 1)
                            ->def.state_size;
        if (def->param_size > 0) {
            memcpy(zero, def->params, def->param_size < size ? def->param_size : size);
        }
        return bytes_set(world, &task->data, zero, size);
    }
    default:
        return true;
    }
}

static void task_fill(kni_task *task, const kn_task_def *def)
{
    task->kind = (uint16_t)def->kind;
    task->flags = (uint16_t)((def->repeats ? KNI_TASK_REPEATS : 0) |
                             (def->when_false ? KNI_TASK_WHEN_FALSE : 0) |
                             (def->no_result_after_blend_out ? KNI_TASK_QUIET : 0) |
                             (def->test_now ? KNI_TASK_FULFILLED : 0));
    task->label = def->label;
    task->name = def->name.index1;
    task->resource = def->resource.index1;
    task->tag = def->tag.index1;
    task->attribute = def->attribute.index1;
    task->relative_to = def->relative_to.index1;
    task->effect_type = def->effect_type.index1;
    task->effect = def->effect;
    task->type1 = def->type.index1;
    task->animation = def->animation.index1;
    task->targeting = def->targeting.index1;
    task->interval = def->kind == KN_TASK_DELAY ? def->delay : def->interval;
    task->limit = def->count;
    task->value = def->value;
    task->timeout = def->timeout > 0 ? def->timeout : KN_TIME_INFINITE; // a span until it starts
    task->due = KN_TIME_INFINITE;
    switch (def->kind) {
    case KN_TASK_THRESHOLD:
        task->compare = def->compare;
        break;
    case KN_TASK_MOVEMENT:
        task->mode = def->mode;
        break;
    case KN_TASK_TARGET:
        task->confirm = def->confirm;
        break;
    case KN_TASK_ANIMATION:
        task->rate = def->rate;
        task->offset = def->start;
        task->section = def->section.index1;
        break;
    default:
        break;
    }
}

// Interrupts another task of the owner with the same resource, or is refused because of it.
static kn_result resource_claim(kn_world *world, uint32_t component, const kn_task_def *def)
{
    kni_task_walk walk = {0};
    uint32_t slot;
    while ((slot = kni_task_walk_next(world, component, &walk)) != KNI_NONE) {
        if (kni_task_at(world, slot)->resource != def->resource.index1) {
            continue;
        }
        if (def->conflict == KN_TASK_CONFLICT_REFUSE) {
            return KN_REFUSED_EXCLUSIVE;
        }
        kni_task_queue(world, slot, KN_TASK_INTERRUPTED, true);
        kni_task_at(world, slot)->resource = 0; // it has lost the resource
        kni_mark_task(world, kni_task_at(world, slot));
    }
    return KN_OK;
}

// The entity a task watches. An effect has one target, whatever else the def says.
static kn_entity_id task_subject(const kn_world *world, uint32_t component, const kn_task_def *def)
{
    bool is_about_one = def->kind == KN_TASK_EFFECT_REMOVED || def->kind == KN_TASK_EFFECT_STACKS;
    uint32_t effect = is_about_one ? kni_effect_find(world, def->effect) : KNI_NONE;
    if (effect != KNI_NONE) {
        return kni_component_entity(world, kni_effect_at(world, effect)->component);
    }
    return def->entity.index1 != 0 ? def->entity : kni_component_entity(world, component);
}

static kn_result task_create(
    kn_world *world, uint32_t activation, const kn_task_def *def, uint32_t *out)
{
    uint32_t ability = kni_activation_at(world, activation)->ability;
    uint32_t component = kni_ability_at(world, ability)->component;
    if (kni_type_of_ability(world, ability)->def.instancing == KN_INSTANCING_NONE) {
        return KN_REFUSED_BLOCKED;
    }
    if (world->def.task_limit != 0 && world->tasks.count >= world->def.task_limit) {
        return KN_REFUSED_LIMIT;
    }
    if (def->resource.index1 != 0 && def->conflict != KN_TASK_CONFLICT_ALLOW) {
        kn_result result = resource_claim(world, component, def);
        if (result != KN_OK) {
            return result;
        }
    }
    uint32_t slot = kni_pool_acquire(&world->tasks, &world->memory);
    uint32_t *place = slot == KNI_NONE
                          ? NULL
                          : kni_span_push(&world->heap, &world->memory,
                                &kni_activation_at(world, activation)->tasks, sizeof(uint32_t));
    if (place == NULL) {
        kni_break(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *place = slot;
    kni_task *task = kni_task_at(world, slot);
    task->number = kni_number_next(world);
    task->activation = activation;
    task_fill(task, def);
    if (def->kind == KN_TASK_NET_SYNC) {
        kni_sync_fill(world, task, def);
    }
    task->entity = task_subject(world, component, def);
    kni_mark_task(world, task);
    world->unstarted_tasks++;
    if (!task_data_set(world, task, def) ||
        (def->kind == KN_TASK_TARGET &&
            !kni_slots_add(&world->heap, &world->memory, &world->targeting_tasks, slot))) {
        kni_break(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (world->log.task_made != NULL) {
        kni_log_task_made(world, slot);
    }
    if (def->kind == KN_TASK_SPAWN) {
        kni_task_spawn(world, slot, def->user);
    }
    *out = slot;
    return world->is_broken ? KN_ERROR_OUT_OF_MEMORY : KN_OK;
}

kn_result kn_task_create(
    kn_world *world, kn_activation_id id, const kn_task_def *def, kn_task_id *out)
{
    if (out != NULL) {
        *out = (kn_task_id){0};
    }
    uint32_t activation = kni_activation_find(world, id);
    if (activation == KNI_NONE ||
        (kni_activation_at(world, activation)->flags & KNI_ACTIVATION_ENDING) != 0) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = task_def_check(world, def);
    if (result != KN_OK) {
        return result;
    }
    if (def->entity.index1 != 0 && kni_entity_find(world, def->entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t slot = KNI_NONE;
    result = task_create(world, activation, def, &slot);
    if (result == KN_OK && out != NULL) {
        *out = kni_task_id_of(world, slot);
    }
    return kni_leave(world, result);
}

kn_result kn_task_run(
    kn_world *world, kn_activation_id activation, const kn_task_def *def, kn_task_id *out)
{
    kn_task_id task;
    kn_result result = kn_task_create(world, activation, def, &task);
    if (out != NULL) {
        *out = task;
    }
    return result == KN_OK ? kn_task_start(world, task) : result;
}

// Timers --------------------------------------------------------------------

void kni_task_schedule(kn_world *world, uint32_t slot, kn_time due)
{
    kni_task *task = kni_task_at(world, slot);
    kn_time old = kni_task_due(task);
    task->due = due;
    kni_mark_task(world, task);
    kn_time wanted = kni_task_due(task);
    if (old == wanted) {
        return;
    }
    if (old != KN_TIME_INFINITE) {
        kni_wheel_cancelled(&world->wheel);
    }
    if (wanted != KN_TIME_INFINITE) {
        kni_timer_add(world, wanted, task->number, slot, KNI_TIMER_TASK);
    }
}

kn_time kni_time_after(const kn_world *world, kn_time span)
{
    return span > KN_TIME_MAX - world->now ? KN_TIME_MAX : world->now + span;
}

bool kni_task_alive(const kn_world *world, const kni_timer *timer)
{
    const kni_task *task = kni_task_at(world, KNI_TIMER_SLOT(timer->owner));
    return (uint32_t)task->number == timer->number && task->number != 0 &&
           (task->flags & KNI_TASK_STARTED) != 0 && kni_task_due(task) == timer->time;
}

void kni_task_fire(kn_world *world, const kni_timer *timer)
{
    uint32_t slot = KNI_TIMER_SLOT(timer->owner);
    kni_task *task = kni_task_at(world, slot);
    if (task->timeout <= world->now && task->timeout < task->due) {
        task->timeout = KN_TIME_INFINITE;
        if (task->due != KN_TIME_INFINITE) {
            kni_timer_add(world, task->due, task->number, slot, KNI_TIMER_TASK);
        }
        if (!kni_sync_expire(world, slot)) {
            kni_task_report_plain(world, slot, KN_TASK_TIMED_OUT, true);
        }
        return;
    }
    task->due = KN_TIME_INFINITE; // its entry has left the wheel
    kni_mark_task(world, task);
    if (task->timeout != KN_TIME_INFINITE) {
        kni_timer_add(world, task->timeout, task->number, slot, KNI_TIMER_TASK);
    }
    kni_task_timer(world, slot);
}

void kni_task_give_up(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    task->due = KN_TIME_INFINITE; // its entry has left the wheel
    task->timeout = KN_TIME_INFINITE;
    kni_task_release(world, slot);
}

// Reporting -----------------------------------------------------------------

kn_task_result kni_task_result_of(const kn_world *world, uint32_t slot, kn_task_output output)
{
    const kni_task *task = kni_task_at(world, slot);
    kn_task_result result;
    memset(&result, 0, sizeof(result));
    result.task = kni_task_id_of(world, slot);
    result.kind = (kn_task_kind)task->kind;
    result.output = output;
    result.label = task->label;
    result.name.index1 = task->name;
    return result;
}

// Ends the task if it is done, then reports to the ability.
void kni_task_report(kn_world *world, uint32_t slot, const kn_task_result *result, bool ends)
{
    uint32_t activation = kni_task_at(world, slot)->activation;
    kn_activation_id id = kni_activation_id_of(world, activation);
    uint32_t ability = kni_activation_at(world, activation)->ability;
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    kn_entity_id owner = kni_component_entity(world, kni_ability_at(world, ability)->component);
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_TASK, owner, (kn_effect_id){0}, (kn_effect_type_id){0},
            kni_ability_at(world, ability)->type + 1u, &previous)) {
        return;
    }
    kni_cause_set_key(world, kni_activation_key(kni_activation_at(world, activation)));
    uint32_t flags = kni_task_at(world, slot)->flags;
    if (ends) {
        kni_task_release(world, slot);
    }
    if (!kni_activation_runs(world, id)) {
        // the activation has ended, so nothing receives the result
    } else if ((flags & KNI_TASK_BODY) != 0) {
        kni_body_woken(world, activation, result->kind, (flags & KNI_TASK_HOLDS) != 0);
    } else if (def->task_done != NULL) {
        kn_ability_call call = kni_ability_call_of(world, ability, id);
        call.has_event = kni_activation_at(world, activation)->payload1 != 0;
        def->task_done(&call, result);
    }
    kni_cause_end(world, previous);
}

void kni_task_report_plain(kn_world *world, uint32_t slot, kn_task_output output, bool ends)
{
    kn_task_result result = kni_task_result_of(world, slot, output);
    kni_task_report(world, slot, &result, ends);
}

// Queues a result for later: a task must not call its ability inside a running hook.
void kni_task_queue(kn_world *world, uint32_t slot, kn_task_output output, bool ends)
{
    kni_task_queue_bytes(world, slot, output, NULL, 0, ends);
}

// The same with bytes that are copied: targets from elsewhere, or the result of a custom task.
void kni_task_queue_bytes(kn_world *world, uint32_t slot, kn_task_output output, const void *data,
    uint32_t size, bool ends)
{
    uint32_t payload1 = 0;
    if (size > 0) {
        kn_event_record record = kn_event_record_default();
        record.data = data;
        record.data_size = size;
        payload1 = kni_payload_store(world, &record, 0);
    }
    kni_task *task = kni_task_at(world, slot);
    task->flags |= ends ? KNI_TASK_LAST : 0;
    kni_queued *queued = kni_react(world, KNI_REACT_ANSWER);
    queued->answer.slot = slot;
    queued->answer.number = (uint32_t)task->number;
    queued->answer.output = (uint16_t)output;
    queued->answer.ends = ends;
    queued->answer.payload1 = payload1;
}

static void task_answer(kn_world *world, const kni_queued *queued)
{
    const kni_task *task = kni_task_at(world, queued->answer.slot);
    if ((uint32_t)task->number != queued->answer.number || task->number == 0 ||
        (task->flags & KNI_TASK_ENDING) != 0) {
        return;
    }
    if (queued->answer.output == KNI_TASK_SYNCED) {
        kni_task_synced(world, queued->answer.slot, true);
        return;
    }
    const uint32_t quiet = KNI_TASK_QUIET | KNI_TASK_BLENDED;
    if ((task->flags & quiet) == quiet) {
        kni_task_release(
            world, queued->answer.slot); // an animation that has reported its final result
        return;
    }
    kn_event_record record = kn_event_record_default();
    if (queued->answer.payload1 != 0) {
        kni_payload_view(world, queued->answer.payload1, &record);
    }
    kn_task_result result =
        kni_task_result_of(world, queued->answer.slot, (kn_task_output)queued->answer.output);
    if (task->kind == KN_TASK_TARGET &&
        (result.output == KN_TASK_FIRED || result.output == KN_TASK_CANCELLED)) {
        kn_target_view view = {record.data, record.data_size};
        kni_target_task_report(world, queued->answer.slot, result.output,
            queued->answer.payload1 != 0 ? &view : NULL, queued->answer.ends);
        return;
    }
    uint8_t bytes[KNI_TASK_TOLD_MAX]; // hooks may move the payload
    kni_task_describe(world, queued->answer.slot, &result);
    if (record.data_size > 0) {
        memcpy(bytes, record.data, record.data_size);
        result.data.custom.data = bytes;
        result.data.custom.size = record.data_size;
    }
    kni_task_report(world, queued->answer.slot, &result, queued->answer.ends);
}

void kni_task_answer(kn_world *world, const kni_queued *queued)
{
    task_answer(world, queued);
    if (queued->answer.payload1 != 0 && !world->is_broken) {
        kni_payload_release(world, queued->answer.payload1);
    }
}

void kni_task_gone(kn_world *world, uint32_t slot)
{
    kni_task_queue(world, slot, KN_TASK_GONE, true);
}

// Starting ------------------------------------------------------------------

// Whether the kind watches an entity that may be another than the owner.
static bool kind_has_subject(uint32_t kind)
{
    return (kind >= KN_TASK_EVENT && kind <= KN_TASK_ABILITY_ENDED) || kind == KN_TASK_OVERLAP ||
           kind == KN_TASK_MOVEMENT || kind == KN_TASK_SPAWN;
}

kn_result kn_task_start(kn_world *world, kn_task_id id)
{
    uint32_t slot = kni_task_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if ((kni_task_at(world, slot)->flags & (KNI_TASK_STARTED | KNI_TASK_ENDING)) != 0) {
        return KN_REFUSED_DUPLICATE;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_task *task = kni_task_at(world, slot);
    bool test_now = (task->flags & KNI_TASK_FULFILLED) != 0;
    world->unstarted_tasks -= (task->flags & KNI_TASK_REPORTED) == 0;
    task->flags |= KNI_TASK_STARTED;
    kni_mark_task(world, task);
    task->flags &= (uint16_t)~KNI_TASK_FULFILLED;
    task->start = world->now;
    if (task->timeout != KN_TIME_INFINITE) {
        task->timeout = kni_time_after(world, task->timeout);
        kni_timer_add(world, task->timeout, task->number, slot, KNI_TIMER_TASK);
    }
    if (kind_has_subject(task->kind)) {
        task->entity = kn_entity_actor(world, task->entity); // of an avatar: its owner
    }
    if (kni_entity_find(world, task->entity) == KNI_NONE && kind_has_subject(task->kind)) {
        kni_task_gone(world, slot);
        return kni_leave(world, KN_OK);
    }
    if (kni_log_wants(world, KN_LOG_TASKS, KN_LOG_VERBOSE)) {
        kni_log_task(world, slot, "begins");
    }
    kni_task_rewatch(world, slot);
    kni_task_begin(world, slot, test_now);
    return kni_leave(world, KN_OK);
}

void kni_tasks_report(kn_world *world)
{
    for (uint32_t i = kni_pool_next(&world->tasks, 0); i != KNI_NONE && world->unstarted_tasks > 0;
         i = kni_pool_next(&world->tasks, i + 1)) {
        kni_task *task = kni_task_at(world, i);
        if ((task->flags & (KNI_TASK_STARTED | KNI_TASK_REPORTED)) != 0) {
            continue;
        }
        world->unstarted_tasks--;
        task->flags |= KNI_TASK_REPORTED;
        kni_emit_error(world, KN_REFUSED_NOT_FOUND,
            kni_component_entity(world, kni_task_component(world, i)), 0, 0, task->label);
        kni_log_line(world, KN_LOG_TASKS, KN_LOG_WARNING, KN_REFUSED_NOT_FOUND,
            "a task was created but never started");
    }
}

// Ending --------------------------------------------------------------------

void kni_task_release(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    if ((task->flags & KNI_TASK_ENDING) != 0) {
        return;
    }
    task->flags |= KNI_TASK_ENDING;
    kni_mark_task(world, task);
    if (kni_log_wants(world, KN_LOG_TASKS, KN_LOG_VERBOSE)) {
        kni_log_task(world, slot, "ends");
    }
    kni_task_finish(world, slot);
    if (world->is_broken) {
        return;
    }
    task = kni_task_at(world, slot);
    if (task->kind == KN_TASK_TARGET) {
        kni_slots_remove(&world->heap, &world->targeting_tasks, slot);
    }
    if ((task->flags & KNI_TASK_STARTED) == 0) {
        world->unstarted_tasks -= (task->flags & KNI_TASK_REPORTED) == 0;
    } else if (kni_task_due(task) != KN_TIME_INFINITE) {
        kni_wheel_cancelled(&world->wheel);
    }
    uint32_t component = kni_component_find(world, task->entity);
    if (component != KNI_NONE) {
        kni_watch_remove(world, component, slot, true);
    }
    kni_task_unwatch(world, slot);
    kni_activation *activation = kni_activation_at(world, task->activation);
    for (uint32_t i = activation->tasks.count; i-- > 0;) {
        if (*KNI_SPAN_AT(world, activation->tasks, uint32_t, i) == slot) {
            kni_span_remove(&world->heap, &activation->tasks, i, sizeof(uint32_t));
            break;
        }
    }
    kni_span_clear(&world->heap, &kni_task_at(world, slot)->data, 1);
    kni_pool_release(&world->tasks, slot);
}

void kni_tasks_end(kn_world *world, uint32_t activation)
{
    while (!world->is_broken) {
        const kni_span *tasks = &kni_activation_at(world, activation)->tasks;
        uint32_t slot = KNI_NONE;
        for (uint32_t i = tasks->count; i-- > 0 && slot == KNI_NONE;) {
            uint32_t task = *KNI_SPAN_AT(world, *tasks, uint32_t, i);
            bool is_ending = (kni_task_at(world, task)->flags & KNI_TASK_ENDING) != 0;
            slot = is_ending ? KNI_NONE : task; // one that is ending does so further up the stack
        }
        if (slot == KNI_NONE) {
            break;
        }
        kni_task_release(world, slot);
    }
}

kn_result kn_task_end(kn_world *world, kn_task_id id)
{
    uint32_t slot = kni_task_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (kni_is_held(world)) {
        return kni_postpone(world,
            &(kni_call){
                .kind = KNI_CALL_TASK_END, .index1 = id.index1, .generation = id.generation});
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    const kni_task *task = kni_task_at(world, slot);
    if (task->kind == KN_TASK_STATE && (task->flags & KNI_TASK_STARTED) != 0) {
        kni_task_queue(world, slot, KN_TASK_FINISHED, true);
    } else {
        kni_task_release(world, slot);
    }
    return kni_leave(world, KN_OK);
}

// Waking --------------------------------------------------------------------

void kni_task_wake(kn_world *world, const kni_queued *queued)
{
    const kni_task *task = kni_task_at(world, queued->watch.slot);
    if ((uint32_t)task->number != queued->watch.number || task->number == 0 ||
        (task->flags & (KNI_TASK_ENDING | KNI_TASK_STARTED)) != KNI_TASK_STARTED) {
        return;
    }
    kni_task_heard(world, queued->watch.slot, &queued->watch.reaction, queued->watch.payload1);
}

void kni_tasks_input(kn_world *world, uint32_t ability, bool is_pressed)
{
    uint32_t kind = is_pressed ? KN_TASK_INPUT_PRESSED : KN_TASK_INPUT_RELEASED;
    kni_task_walk walk = {0};
    uint32_t component = kni_ability_at(world, ability)->component, slot;
    while ((slot = kni_task_walk_next(world, component, &walk)) != KNI_NONE) {
        const kni_task *task = kni_task_at(world, slot);
        if (task_ability(world, slot) == ability && task->kind == kind &&
            (task->flags & KNI_TASK_STARTED) != 0) {
            kni_task_queue(world, slot, KN_TASK_FIRED, (task->flags & KNI_TASK_REPEATS) == 0);
        }
    }
}

bool kni_tasks_confirm(kn_world *world, uint32_t component, bool is_confirmed)
{
    bool heard = false;
    kni_task_walk walk = {0};
    uint32_t slot;
    while ((slot = kni_task_walk_next(world, component, &walk)) != KNI_NONE) {
        const kni_task *task = kni_task_at(world, slot);
        if ((task->flags & KNI_TASK_STARTED) == 0) {
            continue;
        }
        if (task->kind == KN_TASK_CONFIRM) {
            kni_task_queue(world, slot, is_confirmed ? KN_TASK_CONFIRMED : KN_TASK_CANCELLED,
                (task->flags & KNI_TASK_REPEATS) == 0);
            heard = true;
        } else if (task->kind == KN_TASK_TARGET && task->confirm == KN_CONFIRM_USER) {
            if (is_confirmed) {
                kni_target_task_look(world, slot);
            }
            bool sees = (kni_task_at(world, slot)->flags & KNI_TASK_FULFILLED) != 0;
            if (!is_confirmed || sees) {
                kni_task_queue(world, slot, is_confirmed ? KN_TASK_FIRED : KN_TASK_CANCELLED, true);
            }
            heard = true; // aiming at nothing is not confirmed, but uses up the press
        }
    }
    return heard;
}

// Reading -------------------------------------------------------------------

kn_task_id kn_task_find(const kn_world *world, kn_activation_id id, kn_name name)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE || name.index1 == 0) {
        return (kn_task_id){0};
    }
    const kni_activation *activation = kni_activation_at(world, slot);
    for (uint32_t i = 0; i < activation->tasks.count; i++) {
        uint32_t task = *KNI_SPAN_AT(world, activation->tasks, uint32_t, i);
        if (kni_task_at(world, task)->name == name.index1) {
            return kni_task_id_of(world, task);
        }
    }
    return (kn_task_id){0};
}

// Whether the timer of a task can be moved, and where it stands.
static kn_result timer_find(const kn_world *world, kn_task_id id, uint32_t *slot, kn_time *due)
{
    *slot = kni_task_find(world, id);
    if (*slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    const kni_task *task = kni_task_at(world, *slot);
    if ((task->flags & (KNI_TASK_ENDING | KNI_TASK_LAST)) != 0) {
        return KN_REFUSED_STALE_ID;
    }
    if (task->kind == KN_TASK_ANIMATION || task->kind == KN_TASK_MOTION) {
        return KN_REFUSED_BLOCKED;
    }
    *due = task->due != KN_TIME_INFINITE ? task->due : task->timeout;
    return (task->flags & KNI_TASK_STARTED) == 0 || *due == KN_TIME_INFINITE ? KN_REFUSED_NOT_FOUND
                                                                             : KN_OK;
}

static kn_result timer_move(kn_world *world, uint32_t slot, kn_time remaining)
{
    if (remaining > KN_TIME_MAX - world->now) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kn_time time = world->now + (remaining > 0 ? remaining : 0);
    kni_task *task = kni_task_at(world, slot);
    if (task->due != KN_TIME_INFINITE) {
        kni_task_schedule(world, slot, time);
    } else if (task->timeout != time) {
        kni_wheel_cancelled(&world->wheel);
        task->timeout = time;
        kni_mark_task(world, task);
        kni_timer_add(world, time, task->number, slot, KNI_TIMER_TASK);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_task_set_remaining(kn_world *world, kn_task_id task, kn_time remaining)
{
    uint32_t slot;
    kn_time due;
    kn_result result = timer_find(world, task, &slot, &due);
    return result == KN_OK ? timer_move(world, slot, remaining) : result;
}

kn_result kn_task_add_remaining(kn_world *world, kn_task_id task, kn_time delta)
{
    uint32_t slot;
    kn_time due;
    kn_result result = timer_find(world, task, &slot, &due);
    if (result != KN_OK) {
        return result;
    }
    kn_time left = due - world->now;
    if (delta > 0 && left > KN_TIME_MAX - delta) {
        return KN_REFUSED_BAD_NUMBER;
    }
    return timer_move(world, slot, delta < -left ? 0 : left + delta);
}

bool kn_task_get(const kn_world *world, kn_task_id id, kn_task_info *info)
{
    uint32_t slot = kni_task_find(world, id);
    if (slot == KNI_NONE || info == NULL) {
        return false;
    }
    const kni_task *task = kni_task_at(world, slot);
    bool is_started = (task->flags & KNI_TASK_STARTED) != 0;
    *info = (kn_task_info){
        .kind = (kn_task_kind)task->kind,
        .type = {task->type1},
        .activation = kni_activation_id_of(world, task->activation),
        .label = task->label,
        .name = {task->name},
        .is_started = is_started,
        .start = task->start,
        .due = is_started ? kni_task_due(task) : KN_TIME_INFINITE,
    };
    return true;
}

bool kn_task_is_alive(const kn_world *world, kn_task_id task)
{
    return kni_task_find(world, task) != KNI_NONE;
}

uint32_t kn_tasks(const kn_world *world, kn_activation_id id, kn_task_id *out, uint32_t capacity)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE) {
        return 0;
    }
    const kni_span *tasks = &kni_activation_at(world, slot)->tasks;
    for (uint32_t i = 0; i < tasks->count && i < capacity; i++) {
        out[i] = kni_task_id_of(world, *KNI_SPAN_AT(world, *tasks, uint32_t, i));
    }
    return tasks->count;
}

uint32_t kn_task_count(const kn_world *world)
{
    return world != NULL ? world->tasks.count : 0;
}

// Shorthands ----------------------------------------------------------------

kn_result kn_wait_delay(kn_world *world, kn_activation_id activation, uint32_t label, kn_time delay)
{
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.label = label;
    def.delay = delay;
    return kn_task_run(world, activation, &def, NULL);
}

kn_result kn_wait_event(kn_world *world, kn_activation_id activation, uint32_t label, kn_tag tag)
{
    kn_task_def def = kn_task_def_default(KN_TASK_EVENT);
    def.label = label;
    def.tag = tag;
    return kn_task_run(world, activation, &def, NULL);
}

kn_result kn_wait_input_release(kn_world *world, kn_activation_id activation, uint32_t label)
{
    kn_task_def def = kn_task_def_default(KN_TASK_INPUT_RELEASED);
    def.label = label;
    return kn_task_run(world, activation, &def, NULL);
}
