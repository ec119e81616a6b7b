// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bodies of abilities without functions. Everything that lasts is in their tasks: one that waits
// for the end, and one for each effect that is held or waited for. So a body has no state of its
// own.

#include "ability/task.h"

// Starts a task whose results go to the body.
static kn_result body_wait(
    kn_world *world, kn_activation_id id, const kn_task_def *def, uint32_t flags, uint32_t held)
{
    kn_task_id task;
    kn_result result = kn_task_create(world, id, def, &task);
    if (result != KN_OK) {
        return result;
    }
    kni_task_at(world, task.index1 - 1)->flags |= (uint16_t)(KNI_TASK_BODY | flags);
    kni_task_at(world, task.index1 - 1)->held = held;
    kni_mark_task(world, kni_task_at(world, task.index1 - 1));
    return kn_task_start(world, task);
}

static void body_let_go(kn_world *world, kn_effect_id effect, const kni_claim *hold)
{
    kn_effect_info info;
    kn_cause previous;
    if (!kn_effect_get(world, effect, &info)) {
        return;
    }
    bool has_cause =
        kni_cause_begin(world, KN_CAUSE_REMOVE, info.target, effect, info.type, 0, &previous);
    kni_claim_end(world, effect, hold, KN_REMOVED_BY_CALL);
    if (has_cause) {
        kni_cause_end(world, previous);
    }
}

void kni_body_let_go(kn_world *world, uint32_t task)
{
    const kni_task *t = kni_task_at(world, task);
    uint32_t ability = kni_activation_at(world, t->activation)->ability;
    kni_claim hold = {
        t->held, t->start, kni_component_entity(world, kni_ability_at(world, ability)->component)};
    body_let_go(world, t->effect, &hold);
}

// What the event of the activation contained. Copied, since effects may move the memory it is in.
typedef struct body_event {
    kn_entity_id given[KNI_CONTAINER_TARGETS]; // the targets of the event
    uint32_t given_count;
    kn_entity_id instigator;
    kn_target_data data;
    bool is_there;
    float magnitude;
} body_event;

static void body_event_of(const kn_world *world, kn_activation_id id, body_event *event)
{
    kn_event_record record;
    event->given_count = 0;
    event->data.size = 0;
    event->is_there = kn_activation_event(world, id, &record);
    if (!event->is_there) {
        return;
    }
    event->instigator = record.instigator;
    event->magnitude = record.magnitude;
    kn_target_view view = {record.data, record.data_size};
    if (view.size > 0 && kn_target_is_valid(world->library, view)) {
        event->data.size = view.size;
        memcpy(event->data.bytes, view.data, view.size);
        uint32_t count = kn_target_entities(view, event->given, KNI_CONTAINER_TARGETS);
        event->given_count = count < KNI_CONTAINER_TARGETS ? count : KNI_CONTAINER_TARGETS;
    }
    if (event->given_count == 0) {
        event->given[0] = record.target;
        event->given_count = 1;
    }
}

static kn_result body_apply_one(kn_world *world, kn_activation_id id,
    const kn_ability_apply_def *apply, const body_event *event, bool is_watched,
    kn_effect_type_id type, kn_entity_id target, const kn_effect_context *context)
{
    kn_caller_value value = {apply->magnitude_tag, event->magnitude};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = target;
    def.context = context;
    def.caller_values = &value;
    def.caller_value_count = event->is_there && apply->magnitude_tag.index1 != 0 ? 1 : 0;
    kn_effect_id effect;
    kni_put put;
    kn_result result = kni_activation_apply(world, id, &def, &effect, &put);
    if (result != KN_OK) {
        return kn_result_is_refused(result) ? KN_OK : result;
    }
    if (effect.index1 == 0 || !is_watched) {
        return KN_OK;
    }
    kn_task_def wait = kn_task_def_default(KN_TASK_EFFECT_REMOVED);
    wait.effect = effect;
    if (apply->while_active) {
        kni_claim_begin(world, effect, &put);
        result = body_wait(world, id, &wait, KNI_TASK_HOLDS, put.claim.stacks);
    } else {
        result = body_wait(world, id, &wait, 0, 0);
    }
    if (result != KN_OK && apply->while_active) {
        body_let_go(world, effect, &put.claim); // nothing would remove it later
    }
    return result == KN_REFUSED_STALE_ID ? KN_OK : result; // an effect has ended the activation
}

// One entry of `applies`; treated as a container, whether it is one or not.
static kn_result body_apply(kn_world *world, kn_activation_id id, const kn_ability_apply_def *apply,
    const body_event *event, bool is_watched)
{
    kn_container_def own = kn_container_def_default();
    own.target = apply->to == KN_APPLY_TO_TARGETING ? KN_CONTAINER_TARGETING : KN_CONTAINER_GIVEN;
    own.targeting_type = apply->targeting;
    own.effects = &apply->effect;
    own.effect_count = 1;
    const kn_container_def *container = &own;
    if (apply->container.index1 != 0) {
        uint32_t index = apply->container.index1 - 1;
        container = &KNI_ITEM(world->library, KN_DEF_CONTAINER, kni_container, index)->def;
    }
    kn_effect_context context = {0};
    kn_container_apply_def given = kn_container_apply_def_default();
    given.source = kn_activation_owner(world, id);
    given.data = event->data.bytes;
    given.data_size = event->data.size;
    if (event->data.size > 0 && container->target != KN_CONTAINER_TARGETING) {
        context.targets = given.data;
        context.target_size = given.data_size;
    }
    given.context = &context;
    if (apply->to == KN_APPLY_TO_OWNER) {
        given.targets = &given.source;
        given.target_count = 1;
    } else if (apply->to == KN_APPLY_TO_TARGET) {
        given.targets = event->given;
        given.target_count = event->given_count;
    } else if (apply->to == KN_APPLY_TO_INSTIGATOR && event->is_there) {
        given.targets = &event->instigator;
        given.target_count = 1;
    }
    kni_container_reach reach;
    kn_result result = kni_container_find(world, container, &given, &reach);
    if (result == KN_OK) {
        kni_container_publish(world, &given, &reach);
    }
    for (uint32_t t = 0; result == KN_OK && t < reach.count; t++) {
        for (uint32_t e = 0; e < container->effect_count && result == KN_OK; e++) {
            if (!kni_activation_runs(world, id)) {
                return KN_OK;
            }
            result = body_apply_one(world, id, apply, event, is_watched, container->effects[e],
                reach.targets[t], &reach.context);
        }
    }
    return result;
}

// Whether it waits for a task of its own.
static bool body_waits(const kn_world *world, uint32_t activation)
{
    const kni_span *tasks = &kni_activation_at(world, activation)->tasks;
    for (uint32_t i = 0; i < tasks->count; i++) {
        const kni_task *task = kni_task_at(world, *KNI_SPAN_AT(world, *tasks, uint32_t, i));
        if ((task->flags & KNI_TASK_BODY) != 0) {
            return true;
        }
    }
    return false;
}

// Starts waiting once everything is done; ends the activation if there is nothing to wait for.
// `done` is how long it has been running. If a client asked for it, that client has the input, and
// the server only receives the release.
static kn_result body_stay(
    kn_world *world, kn_activation_id id, const kn_ability_def *def, kn_time done, bool is_asked)
{
    uint32_t activation = id.index1 - 1;
    kn_task_def wait = kn_task_def_default(KN_TASK_DELAY);
    switch (def->body) {
    case KN_BODY_TIMED: {
        uint32_t ability = kni_activation_at(world, activation)->ability;
        float level = kni_ability_at(world, ability)->level;
        wait.delay =
            kn_time_from_seconds((double)kni_level_value(world, &def->lasts, level)) - done;
        return wait.delay > 0 ? body_wait(world, id, &wait, 0, 0) : kn_activation_end(world, id);
    }
    case KN_BODY_HELD:
        wait = kn_task_def_default(KN_TASK_INPUT_RELEASED);
        wait.test_now =
            !is_asked || kn_entity_role(world, kn_activation_owner(world, id)) != KN_ROLE_SERVER;
        return body_wait(world, id, &wait, 0, 0);
    case KN_BODY_EFFECTS:
        return body_waits(world, activation) ? KN_OK : kn_activation_end(world, id);
    case KN_BODY_STAY:
        return KN_OK;
    default:
        return kn_activation_end(world, id);
    }
}

// Applies the entries in turn, until one of them ends the activation.
static kn_result body_apply_all(kn_world *world, kn_activation_id id, const kn_ability_def *def,
    const kn_ability_apply_def *applies, uint32_t count)
{
    body_event event;
    body_event_of(world, id, &event);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < count && result == KN_OK && kni_activation_runs(world, id); i++) {
        bool is_watched = applies[i].while_active || def->body == KN_BODY_EFFECTS;
        result = body_apply(world, id, &applies[i], &event, is_watched);
    }
    return result;
}

kn_result kn_activation_apply_all(
    kn_world *world, kn_activation_id id, const kn_ability_apply_def *applies, uint32_t count)
{
    if (world == NULL || (applies == NULL && count > 0)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!kni_apply_is_good(world->library, &applies[i]) ||
            (applies[i].effect.index1 != 0 &&
                kn_effect_type_get_def(world, applies[i].effect) == NULL)) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
    }
    uint32_t activation = kni_activation_find(world, id);
    if (activation == KNI_NONE || !kni_activation_runs(world, id)) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    const kn_ability_def *def =
        &kni_type_of_ability(world, kni_activation_at(world, activation)->ability)->def;
    return kni_leave(world, body_apply_all(world, id, def, applies, count));
}

kn_result kni_body_run(kn_world *world, uint32_t activation, bool is_asked)
{
    kn_activation_id id = kni_activation_id_of(world, activation);
    const kn_ability_def *def =
        &kni_type_of_ability(world, kni_activation_at(world, activation)->ability)->def;
    uint64_t left_out = world->left_out;
    kn_result result = body_apply_all(world, id, def, def->applies, def->apply_count);
    if (!kni_activation_runs(world, id)) {
        return result;
    }
    if (def->body == KN_BODY_EFFECTS && world->left_out != left_out && result == KN_OK) {
        return KN_OK; // on a client: the server knows how long its effects last
    }
    return result == KN_OK ? body_stay(world, id, def, 0, is_asked) : result;
}

// An effect was removed. If the library was changed, the body may differ from the one that started:
// one that is timed or held also waits for its end; one that stays only waits for what it holds.
static bool body_goes_on(const kn_world *world, uint32_t activation, bool is_hold)
{
    const kn_ability_def *def =
        &kni_type_of_ability(world, kni_activation_at(world, activation)->ability)->def;
    return body_waits(world, activation) || (is_hold && def->body != KN_BODY_EFFECTS);
}

void kni_body_woken(kn_world *world, uint32_t activation, kn_task_kind kind, bool is_hold)
{
    if (kind != KN_TASK_EFFECT_REMOVED || !body_goes_on(world, activation, is_hold)) {
        kni_activation_end_now(world, activation, KN_ENDED_DONE);
    }
}

void kni_bodies_follow(kn_world *world, const kn_world *old)
{
    if (kni_enter(world) != KN_OK) {
        return;
    }
    for (uint32_t i = kni_pool_next(&world->activations, 0); i != KNI_NONE && !world->is_broken;
         i = kni_pool_next(&world->activations, i + 1)) {
        if (!kni_pool_is_live(&old->activations, i)) {
            continue; // started by something that ended here
        }
        const kni_activation *activation = kni_activation_at(world, i);
        const kn_ability_def *def = &kni_type_of_ability(world, activation->ability)->def;
        kn_ability_body before =
            kni_type_of_ability(old, kni_activation_at(old, i)->ability)->def.body;
        if (before != KN_BODY_STAY || def->body == KN_BODY_NONE) {
            continue; // it waits for its end
        }
        kn_activation_id id = kni_activation_id_of(world, i);
        if (body_stay(world, id, def, world->now - activation->start, false) != KN_OK) {
            (void)kn_activation_end(world, id); // nothing would end it
        }
    }
    (void)kni_leave(world, KN_OK);
}
