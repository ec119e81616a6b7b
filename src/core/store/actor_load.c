// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Actors after a save was read: whether their records make sense together, and the lists, watchers
// and timers that are derived from them.

#include "ability/task.h"
#include "store/save_format.h"

#include <math.h>

// Checking ------------------------------------------------------------------

static bool number_is_good(const kn_world *world, uint64_t number)
{
    return number != 0 && number < world->next_number;
}

static bool time_is_coming(const kn_world *world, kn_time time)
{
    return time == KN_TIME_INFINITE || (time >= world->now && time <= KN_TIME_MAX);
}

// Sorted, without zero, none twice: as the API keeps lists by number.
static bool list_is_sorted(const kn_world *world, const kni_span *span, size_t size)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t key = kni_field_load(kni_span_at(&world->heap, span, i, size), 4);
        if (key <= before) {
            return false;
        }
        before = key;
    }
    return true;
}

static const char *actors_check(kn_world *world)
{
    for (uint32_t i = kni_pool_next(&world->actors, 0); i != KNI_NONE;
         i = kni_pool_next(&world->actors, i + 1)) {
        const kni_actor *actor = kni_actor_at(world, i);
        if (!kni_pool_is_live(&world->components, actor->component) ||
            kni_component_at(world, actor->component)->actor1 != 0 ||
            actor->flags > KNI_ACTOR_FLAGS) {
            return "an actor has the wrong owner";
        }
        kni_component_at(world, actor->component)->actor1 = i + 1;
    }
    return NULL;
}

static bool has_actor(const kn_world *world, uint32_t component)
{
    return kni_pool_is_live(&world->components, component) &&
           kni_component_at(world, component)->actor1 != 0;
}

// What an ability says of the effect that granted it, if that is still there.
static bool granting_is_good(const kn_world *world, const kni_ability *ability)
{
    uint32_t slot = kni_effect_find(world, ability->effect);
    bool is_parked = (ability->flags & KNI_ABILITY_PARKED) != 0;
    if (slot == KNI_NONE) {
        return !is_parked;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    const kn_effect_def *def = &kni_type_at(world, effect->type)->def;
    if (ability->grant1 == 0 || ability->grant1 > def->grant_count ||
        effect->component != ability->component) {
        return false;
    }
    const char *name = kn_name_text(world->library, def->grants[ability->grant1 - 1].ability);
    if (kni_ref_find(world->library, KN_DEF_ABILITY, name) != ability->type + 1u) {
        return false;
    }
    return !is_parked ||
           ((ability->flags & KNI_ABILITY_REMOVING) != 0 && ability->grant1 <= 64 &&
               effect->rare1 != 0 &&
               (kni_rare_at(world, effect->rare1)->parked >> (ability->grant1 - 1) & 1) != 0);
}

static const char *abilities_check(const kn_world *world)
{
    for (uint32_t i = kni_pool_next(&world->abilities, 0); i != KNI_NONE;
         i = kni_pool_next(&world->abilities, i + 1)) {
        const kni_ability *ability = kni_ability_at(world, i);
        if (!number_is_good(world, ability->number) || !has_actor(world, ability->component) ||
            ability->grants == 0 || !isfinite(ability->level) ||
            ability->caller.count > KN_ABILITY_VALUES_MAX ||
            (ability->flags & ~(KNI_ABILITY_PRESSED | KNI_ABILITY_REMOVING | KNI_ABILITY_ONCE |
                                  KNI_ABILITY_PARKED)) != 0 ||
            !list_is_sorted(world, &ability->tags, sizeof(uint32_t)) ||
            !list_is_sorted(world, &ability->caller, sizeof(kni_pair))) {
            return "an ability has an invalid number, owner or list";
        }
        if (ability->state.count != kni_bytes_state(world, KNI_BYTES_ABILITY, ability)->size) {
            return "the state of an ability has changed its layout";
        }
        if (!granting_is_good(world, ability)) {
            return "an ability was granted by an effect that cannot grant it";
        }
    }
    return NULL;
}

static const char *activation_check(const kn_world *world, const kni_activation *activation)
{
    const uint32_t known = KNI_ACTIVATION_FIXED | KNI_ACTIVATION_BLOCKS | KNI_ACTIVATION_COST |
                           KNI_ACTIVATION_COOLDOWN | KNI_ACTIVATION_BY_EVENT |
                           KNI_ACTIVATION_BY_PRESENCE | KNI_ACTIVATION_CUES;
    if (!number_is_good(world, activation->number) ||
        !kni_pool_is_live(&world->abilities, activation->ability) || activation->start < 0 ||
        activation->start > world->now || (activation->flags & ~known) != 0 ||
        (activation->payload1 != 0 &&
            !kni_pool_is_live(&world->payloads, activation->payload1 - 1)) ||
        !list_is_sorted(world, &activation->paid, sizeof(kni_pair))) {
        return "an activation has an invalid number or ability";
    }
    const kn_ability_def *def = &kni_type_of_ability(world, activation->ability)->def;
    uint32_t state = kni_bytes_state(world, KNI_BYTES_ACTIVATION, activation)->size;
    if (activation->state.count != state || def->instancing == KN_INSTANCING_NONE) {
        return "the state of an activation has changed its layout";
    }
    return NULL;
}

// Counts of activations and of payloads' users must be what they say.
static const char *activations_check(kn_world *world)
{
    const char *problem = NULL;
    for (uint32_t i = kni_pool_next(&world->activations, 0); i != KNI_NONE && problem == NULL;
         i = kni_pool_next(&world->activations, i + 1)) {
        const kni_activation *activation = kni_activation_at(world, i);
        problem = activation_check(world, activation);
        if (problem == NULL) {
            kni_ability_at(world, activation->ability)->active_count--;
            if (activation->payload1 != 0) {
                kni_payload_at(world, activation->payload1 - 1)->references--;
            }
        }
    }
    for (uint32_t i = kni_pool_next(&world->abilities, 0); i != KNI_NONE && problem == NULL;
         i = kni_pool_next(&world->abilities, i + 1)) {
        problem = kni_ability_at(world, i)->active_count != 0 ? "activations are missing" : NULL;
    }
    for (uint32_t i = kni_pool_next(&world->payloads, 0); i != KNI_NONE && problem == NULL;
         i = kni_pool_next(&world->payloads, i + 1)) {
        const kni_payload *payload = kni_payload_at(world, i);
        if (payload->references != 0 || !number_is_good(world, payload->number) ||
            payload->has_instigator_tags > 1 || payload->has_target_tags > 1 ||
            !isfinite(payload->magnitude)) {
            problem = "an event has an invalid number, or no owner";
        }
    }
    for (uint32_t i = kni_pool_next(&world->activations, 0); i != KNI_NONE && problem == NULL;
         i = kni_pool_next(&world->activations, i + 1)) {
        const kni_activation *activation = kni_activation_at(world, i);
        kni_ability_at(world, activation->ability)->active_count++;
        if (activation->payload1 != 0) {
            kni_payload_at(world, activation->payload1 - 1)->references++;
        }
    }
    return problem;
}

static const char *charges_check(const kn_world *world)
{
    for (uint32_t i = kni_pool_next(&world->charges, 0); i != KNI_NONE;
         i = kni_pool_next(&world->charges, i + 1)) {
        const kni_charge *charge = kni_charge_at(world, i);
        const kn_ability_def *def = &kni_ability_type_at(world->library, charge->type)->def;
        if (charge->cooldown >= def->cooldown_count ||
            def->cooldowns[charge->cooldown].key.index1 != charge->key) {
            return "a cooldown has changed its definition";
        }
        bool is_own = charge->key == 0;
        if (!number_is_good(world, charge->number) || !has_actor(world, charge->component) ||
            is_own != (charge->ability1 != 0) ||
            (is_own && !kni_pool_is_live(&world->abilities, charge->ability1 - 1)) ||
            charge->charges > charge->max || charge->has_tag > 1 ||
            (charge->has_tag != 0 && charge->key == 0) || !time_is_coming(world, charge->end) ||
            charge->start < 0 || charge->start > world->now ||
            (charge->next_use != 0 && charge->next_use < world->now) ||
            charge->next_use > KN_TIME_MAX || !(charge->speed >= 0.0f) ||
            !isfinite(charge->level) || charge->left < 0 || charge->left > KN_TIME_MAX) {
            return "a cooldown has invalid numbers";
        }
        if (is_own && kni_ability_at(world, charge->ability1 - 1)->component != charge->component) {
            return "a cooldown has the wrong owner";
        }
    }
    return NULL;
}

// The bytes a kind of task must have.
static bool task_data_is_good(const kn_world *world, const kni_task *task)
{
    switch (task->kind) {
    case KN_TASK_TAG_QUERY: {
        kn_tag_query query;
        if (task->data.count != sizeof(query)) {
            return false;
        }
        memcpy(&query, kni_heap_at(&world->heap, task->data.ref), sizeof(query));
        return kn_tag_query_is_valid(world->library, &query);
    }
    case KN_TASK_ABILITY_ACTIVATED:
    case KN_TASK_ABILITY_COMMITTED:
    case KN_TASK_ABILITY_ENDED: {
        const kn_tag *tags = kni_heap_at(&world->heap, task->data.ref);
        uint32_t count = task->data.count / (uint32_t)sizeof(*tags);
        bool ok = task->data.count % sizeof(*tags) == 0;
        for (uint32_t i = 0; i < count && ok; i++) {
            ok = tags[i].index1 - 1 < kn_tag_count(world->library);
        }
        return ok;
    }
    case KN_TASK_MOTION: {
        kn_motion_source source;
        if (task->data.count != sizeof(source)) {
            return false;
        }
        memcpy(&source, kni_heap_at(&world->heap, task->data.ref), sizeof(source));
        return kn_motion_check(world->library, &source.def, NULL) == KN_OK;
    }
    case KN_TASK_CUSTOM:
        return task->type1 != 0 && kni_task_watches_are_good(world, task);
    case KN_TASK_TARGET: {
        kn_target_view view = {kni_heap_at(&world->heap, task->data.ref), task->data.count};
        return task->targeting != 0 && task->limit < KN_CONFIRM_COUNT && task->next_look >= 0 &&
               task->next_look <= KN_TIME_MAX && kn_target_is_valid(world->library, view);
    }
    case KN_TASK_CUE:
        return task->tag != 0 && task->data.count == 0;
    case KN_TASK_ANIMATION:
        return task->animation != 0 && task->value > 0.0f && task->data.count == 0;
    default:
        return task->data.count == 0;
    }
}

static const char *tasks_check(const kn_world *world)
{
    for (uint32_t i = kni_pool_next(&world->tasks, 0); i != KNI_NONE;
         i = kni_pool_next(&world->tasks, i + 1)) {
        const kni_task *task = kni_task_at(world, i);
        bool is_started = (task->flags & KNI_TASK_STARTED) != 0;
        if (!number_is_good(world, task->number) ||
            !kni_pool_is_live(&world->activations, task->activation) || task->kind == 0 ||
            task->kind >= KN_TASK_KIND_COUNT || (task->flags & ~KNI_TASK_STATE_FLAGS) != 0 ||
            !isfinite(task->value) || task->interval < 0 || task->interval > KN_TIME_MAX ||
            task->start < 0 || task->start > world->now) {
            return "a task has invalid numbers";
        }
        bool times = is_started
                         ? time_is_coming(world, task->due) && time_is_coming(world, task->timeout)
                         : task->due == KN_TIME_INFINITE && task->timeout > 0;
        if (!times || (task->kind == KN_TASK_REPEAT && task->interval == 0) ||
            !task_data_is_good(world, task)) {
            return "a task has invalid times or data";
        }
        if ((task->kind == KN_TASK_ATTRIBUTE || task->kind == KN_TASK_THRESHOLD) &&
            task->attribute == 0) {
            return "a task does not name the attribute it waits for";
        }
    }
    return NULL;
}

static const char *cues_check(const kn_world *world)
{
    for (uint32_t i = kni_pool_next(&world->cues, 0); i != KNI_NONE;
         i = kni_pool_next(&world->cues, i + 1)) {
        const kni_cue *cue = kni_cue_at(world, i);
        uint32_t size = cue->payload_type == 0 ? 0
                                               : KNI_ITEM(world->library, KN_DEF_CONTEXT,
                                                     kni_context_type, cue->payload_type - 1)
                                                     ->size;
        if (!number_is_good(world, cue->number) || !has_actor(world, cue->component) ||
            cue->tag == 0 || cue->count == 0 || !isfinite(cue->magnitude) ||
            !isfinite(cue->change) || !isfinite(cue->normalised) || !isfinite(cue->effect_level) ||
            !isfinite(cue->ability_level) ||
            cue->flags > (KNI_CUE_HAS_LOCATION | KNI_CUE_HAS_NORMAL) ||
            cue->payload.count != size ||
            !kn_target_is_valid(world->library, kni_targets_view(world, &cue->targets))) {
            return "a cue has invalid numbers";
        }
    }
    return NULL;
}

const char *kni_actors_check(kn_world *world)
{
    const char *problem = actors_check(world);
    problem = problem != NULL ? problem : abilities_check(world);
    problem = problem != NULL ? problem : activations_check(world);
    problem = problem != NULL ? problem : charges_check(world);
    problem = problem != NULL ? problem : cues_check(world);
    return problem != NULL ? problem : tasks_check(world);
}

// What is derived -----------------------------------------------------------

// The slots of a pool by creation. Every record begins with its number. False when out of memory.
static bool pool_sort(kn_world *world, const kni_pool *pool, kni_sort_item **items)
{
    *items = NULL;
    if (pool->count == 0) {
        return true;
    }
    *items = kni_realloc(&world->memory, NULL, 0, pool->count * sizeof(**items));
    if (*items == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t i = kni_pool_next(pool, 0); i != KNI_NONE; i = kni_pool_next(pool, i + 1)) {
        memset(&(*items)[count], 0, sizeof(**items));
        memcpy(&(*items)[count].key, kni_pool_at(pool, i), sizeof(uint64_t));
        (*items)[count++].value = i;
    }
    kni_sort_by_key(*items, sizeof(**items), count);
    return true;
}

static bool slot_push(kn_world *world, kni_span *span, uint32_t slot)
{
    uint32_t *place = kni_span_push(&world->heap, &world->memory, span, sizeof(uint32_t));
    if (place != NULL) {
        *place = slot;
    }
    return place != NULL;
}

static bool ability_restore(kn_world *world, uint32_t slot)
{
    uint32_t component = kni_ability_at(world, slot)->component;
    kni_ability_at(world, slot)->status_version = kni_component_at(world, component)->version - 1;
    bool is_plain = (kni_type_of_ability(world, slot)->flags & KNI_ABILITY_PLAIN_COST) != 0;
    bool ok = slot_push(world, &kni_actor_of(world, component)->abilities, slot) &&
              (is_plain || kni_slots_add(&world->heap, &world->memory, &world->priced, slot));
    if (ok) {
        kni_triggers_watch(world, slot);
    }
    return ok;
}

static bool activation_restore(kn_world *world, uint32_t slot)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    const kni_ability *ability = kni_ability_at(world, activation->ability);
    kn_tags blocks = kni_ability_type_at(world->library, ability->type)->def.block_with;
    if ((activation->flags & KNI_ACTIVATION_BLOCKS) != 0) {
        for (uint32_t i = 0; i < blocks.count; i++) {
            kni_blocked_change(world, ability->component, blocks.data[i].index1, 1);
        }
    }
    return slot_push(world, &kni_actor_of(world, ability->component)->activations, slot);
}

static bool charge_restore(kn_world *world, uint32_t slot)
{
    const kni_charge *charge = kni_charge_at(world, slot);
    kni_actor *actor = kni_actor_of(world, charge->component);
    actor->rate_count += charge->rate != 0;
    kni_charge_schedule(world, slot);
    return slot_push(world, &actor->charges, slot);
}

static bool cue_restore(kn_world *world, uint32_t slot)
{
    const kni_cue *cue = kni_cue_at(world, slot);
    uint32_t activation = kni_activation_find(world, cue->activation);
    return slot_push(world, &kni_actor_of(world, cue->component)->cues, slot) &&
           (activation == KNI_NONE ||
               slot_push(world, &kni_activation_at(world, activation)->cues, slot));
}

static bool task_restore(kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    if (task->kind == KN_TASK_TARGET &&
        !kni_slots_add(&world->heap, &world->memory, &world->targeting_tasks, slot)) {
        return false;
    }
    if ((task->flags & KNI_TASK_STARTED) == 0) {
        world->unstarted_tasks++;
    } else {
        kni_task_rewatch(world, slot);
        task = kni_task_at(world, slot);
        if (kni_task_due(task) != KN_TIME_INFINITE) {
            kni_timer_add(world, kni_task_due(task), task->number, slot, KNI_TIMER_TASK);
        }
    }
    return slot_push(world, &kni_activation_at(world, task->activation)->tasks, slot);
}

kn_result kni_actors_rebuild(kn_world *world)
{
    typedef bool restore_fn(kn_world * world, uint32_t slot);
    static restore_fn *const restore[] = {
        ability_restore, activation_restore, charge_restore, task_restore, cue_restore};
    const kni_pool *pools[] = {
        &world->abilities, &world->activations, &world->charges, &world->tasks, &world->cues};
    kn_result result = KN_OK;
    for (uint32_t p = 0; p < 5 && result == KN_OK; p++) {
        kni_sort_item *items;
        if (!pool_sort(world, pools[p], &items)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        for (uint32_t i = 0; i < pools[p]->count && result == KN_OK; i++) {
            if (i > 0 && items[i].key == items[i - 1].key) {
                result = KN_ERROR_BAD_DATA;
            } else if (!restore[p](world, items[i].value) || world->is_broken) {
                result = KN_ERROR_OUT_OF_MEMORY;
            }
        }
        kni_free(&world->memory, items, pools[p]->count * sizeof(*items));
    }
    for (uint32_t i = kni_pool_next(&world->actors, 0); i != KNI_NONE;
         i = kni_pool_next(&world->actors, i + 1)) {
        kni_watch_flag_update(world, kni_actor_at(world, i));
    }
    return result;
}
