// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Granted abilities: granting, revoking, changing and finding them, and ability sets. Grants of one
// shared ability are counted; it is removed with the last.

#include "ability/actor.h"

#include <math.h>

// Events --------------------------------------------------------------------

void kni_ability_event(kn_world *world, kn_event_type type, uint32_t slot,
    kn_activation_id activation, uint32_t reasons, kn_end_reason reason)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    kni_component *component = kni_component_at(world, ability->component);
    if (kni_wants(world, type)) {
        kn_entity_id entity = {component->entity + 1, component->generation};
        kn_event *event = kni_emit(world, type, entity);
        event->data.ability.ability = (kn_ability_id){slot + 1, (uint32_t)ability->number};
        event->data.ability.type.index1 = ability->type + 1u;
        event->data.ability.activation = activation;
        event->data.ability.end_reason = reason;
        event->data.ability.reasons = reasons;
        event->data.ability.tags1 = 0;
        event->data.ability.instigator = (kn_entity_id){0};
    }
    kni_touch_component(world, component);
}

void kni_ended_event(
    kn_world *world, uint32_t slot, kn_activation_id activation, const kn_cancel *cancel)
{
    uint32_t before = world->pending.count;
    kni_ability_event(world, KN_EVENT_ABILITY_ENDED, slot, activation, 0, cancel->reason);
    if (world->pending.count > before) {
        kn_event *event = &world->pending.events[before];
        event->data.ability.tag = cancel->tag;
        event->data.ability.number = cancel->number;
        event->data.ability.instigator = cancel->instigator;
    }
}

// Beside the event: how many tags there are, the tags, and lines of what hooks said.
void kni_commit_event(kn_world *world, kn_event_type type, uint32_t slot,
    kn_activation_id activation, uint32_t reasons, kn_tags tags, const kn_check_answer *answer)
{
    uint32_t before = world->pending.count, offset;
    kni_ability_event(world, type, slot, activation, reasons, 0);
    uint32_t counts[2] = {tags.count, answer != NULL ? kni_answer_kept(answer) : 0};
    size_t tags_size = tags.count * sizeof(kn_tag);
    size_t lines_size = counts[1] * sizeof(kn_refusal_line);
    uint32_t size = (uint32_t)(sizeof(counts) + tags_size + lines_size);
    if (size == sizeof(counts) || world->pending.count == before ||
        !kni_bytes_room(world, size, &offset)) {
        return;
    }
    uint8_t *out = world->pending.bytes + offset;
    memcpy(out, counts, sizeof(counts));
    if (tags_size > 0) {
        memcpy(out + sizeof(counts), tags.data, tags_size);
    }
    if (lines_size > 0) {
        memcpy(out + sizeof(counts) + tags_size, answer->lines, lines_size);
    }
    world->pending.events[before].data.ability.tags1 = offset + 1;
}

// The tags of an event, and where its lines begin; nothing for other events.
static kn_tags event_parts(
    const kn_world *world, const kn_event *event, const uint8_t **lines, uint32_t *line_count)
{
    kn_tags tags = {NULL, 0};
    *line_count = 0;
    if (world == NULL || event == NULL ||
        (event->type != KN_EVENT_ABILITY_COMMITTED && event->type != KN_EVENT_ABILITY_FAILED) ||
        event->data.ability.tags1 == 0) {
        return tags;
    }
    const kni_event_buffer *buffer = &world->published;
    uint32_t counts[2], offset = event->data.ability.tags1 - 1;
    uint32_t room = offset < buffer->byte_count ? buffer->byte_count - offset : 0;
    if (room < sizeof(counts)) {
        return tags;
    }
    const uint8_t *in = buffer->bytes + offset;
    memcpy(counts, in, sizeof(counts));
    room -= (uint32_t)sizeof(counts);
    if (counts[0] > room / sizeof(kn_tag) ||
        counts[1] > (room - counts[0] * sizeof(kn_tag)) / sizeof(kn_refusal_line)) {
        return tags;
    }
    if (counts[0] > 0) {
        tags = (kn_tags){(const kn_tag *)(const void *)(in + sizeof(counts)), counts[0]};
    }
    *lines = in + sizeof(counts) + counts[0] * sizeof(kn_tag);
    *line_count = counts[1];
    return tags;
}

kn_tags kn_ability_event_tags(const kn_world *world, const kn_event *event)
{
    const uint8_t *lines;
    uint32_t count;
    return event_parts(world, event, &lines, &count);
}

uint32_t kn_ability_event_lines(
    const kn_world *world, const kn_event *event, kn_refusal_line *out, uint32_t capacity)
{
    const uint8_t *lines;
    uint32_t count;
    (void)event_parts(world, event, &lines, &count);
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        memcpy(&out[i], lines + i * sizeof(*out), sizeof(*out)); // not aligned
    }
    return count;
}

static void ability_changed(kn_world *world, uint32_t slot)
{
    kni_mark_ability(world, kni_ability_at(world, slot));
    kni_ability_event(world, KN_EVENT_ABILITY_CHANGED, slot, (kn_activation_id){0}, 0, 0);
}

kn_ability_call kni_ability_call_of(kn_world *world, uint32_t slot, kn_activation_id activation)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    const kni_component *component = kni_component_at(world, ability->component);
    kn_ability_call call = {
        .world = world,
        .user = kni_ability_type_at(world->library, ability->type)->def.user,
        .owner = {component->entity + 1, component->generation},
        .avatar = component->avatar,
        .ability = kni_ability_id_of(world, slot),
        .activation = activation,
    };
    return call;
}

// Granting ------------------------------------------------------------------

kn_ability_grant_def kn_ability_grant_def_default(void)
{
    kn_ability_grant_def def = {.level = 1.0f, .input = KN_INPUT_FROM_DEF, .cookie = KN_COOKIE};
    return def;
}

static bool ability_tags_store(kn_world *world, kni_span *span, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        uint32_t tag = tags.data[i].index1, at = 0;
        while (at < span->count && *KNI_SPAN_AT(world, *span, uint32_t, at) < tag) {
            at++;
        }
        if (at < span->count && *KNI_SPAN_AT(world, *span, uint32_t, at) == tag) {
            continue;
        }
        uint32_t *place = kni_span_insert(&world->heap, &world->memory, span, at, sizeof(uint32_t));
        if (place == NULL) {
            return false;
        }
        *place = tag;
    }
    return true;
}

static bool ability_store(kn_world *world, kni_ability *ability, const kn_ability_grant_def *grant)
{
    const kn_ability_def *def = &kni_ability_type_at(world->library, ability->type)->def;
    ability->level = grant->level;
    ability->input = grant->input == KN_INPUT_FROM_DEF ? def->input : grant->input;
    ability->grants = 1;
    ability->source = grant->source;
    ability->source_object = grant->source_object;
    ability->user = grant->user;
    kni_mark_ability(world, ability);
    if (!ability_tags_store(world, &ability->tags, grant->dynamic_tags)) {
        return false;
    }
    for (uint32_t i = 0; i < grant->caller_value_count; i++) {
        if (!kni_pairs_set(world, &ability->caller, grant->caller_values[i].tag.index1,
                grant->caller_values[i].value)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < grant->parameter_count; i++) {
        if (!kni_pairs_set(world, &ability->named, grant->parameters[i].name.index1,
                grant->parameters[i].value)) {
            return false;
        }
    }
    if (def->instancing == KN_INSTANCING_PER_ACTOR && def->state_size > 0) {
        if (!kni_span_reserve(&world->heap, &world->memory, &ability->state, def->state_size, 1)) {
            return false;
        }
        ability->state.count = def->state_size;
        memset(kni_heap_at(&world->heap, ability->state.ref), 0, def->state_size);
    }
    return true;
}

void kni_triggers_watch(kn_world *world, uint32_t slot)
{
    static const kn_trigger triggers[KN_TRIGGER_SOURCE_COUNT] = {
        KN_TRIGGER_EVENT, KN_TRIGGER_TAG_ADDED, KN_TRIGGER_TAG_REMOVED, KN_TRIGGER_TAG_ADDED};
    const kni_ability *ability = kni_ability_at(world, slot);
    uint32_t component = ability->component;
    const kn_ability_def *def = &kni_ability_type_at(world->library, ability->type)->def;
    for (uint32_t i = 0; i < def->trigger_count; i++) {
        const kn_trigger_def *trigger = &def->triggers[i];
        kni_watcher watcher = {
            .trigger = (uint8_t)triggers[trigger->source],
            .detail = (uint16_t)trigger->source,
            .priority = trigger->priority,
            .key = trigger->tag.index1,
            .slot = slot,
        };
        kni_watch_add(world, component, watcher);
        if (trigger->source == KN_TRIGGER_SOURCE_TAG_PRESENT) {
            watcher.trigger = KN_TRIGGER_TAG_REMOVED;
            kni_watch_add(world, component, watcher);
        }
    }
}

static uint32_t ability_of_type(const kn_world *world, uint32_t component, uint32_t type)
{
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = 0; actor != NULL && i < actor->abilities.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->abilities, uint32_t, i);
        const kni_ability *ability = kni_ability_at(world, slot);
        if (ability->type == type && (ability->flags & KNI_ABILITY_REMOVING) == 0) {
            return slot;
        }
    }
    return KNI_NONE;
}

// A number that no other ability of this type has on the owner; the new one is in the list already.
static uint32_t ability_salt(const kn_world *world, const kni_actor *actor, uint32_t type)
{
    uint32_t salt = 0;
    for (uint32_t i = 0; i + 1 < actor->abilities.count; i++) {
        const kni_ability *other =
            kni_ability_at(world, *KNI_SPAN_AT(world, actor->abilities, uint32_t, i));
        salt = other->type == type && other->salt >= salt ? other->salt + 1 : salt;
    }
    return salt;
}

// Notifies rules and watchers that an ability is there, or goes; usually there are none.
static void ability_react(kn_world *world, kn_trigger trigger, uint32_t slot)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    if (!kni_is_heard(world, ability->component, trigger)) {
        return;
    }
    kn_reaction reaction = {.trigger = trigger,
        .entity = kni_component_entity(world, ability->component),
        .ability = kni_ability_id_of(world, slot),
        .ability_type = {ability->type + 1u}};
    kni_react_all(world, ability->component, &reaction);
}

// Stores the ability; the caller runs hooks and activates it on grant.
static kn_result grant_store(kn_world *world, uint32_t component, const kn_ability_grant_def *grant,
    kn_effect_id effect, uint32_t grant1, uint32_t *out)
{
    uint32_t type = grant->type.index1 - 1;
    if (grant->share) {
        uint32_t same = ability_of_type(world, component, type);
        if (same != KNI_NONE) {
            kni_ability_at(world, same)->grants++;
            ability_changed(world, same);
            *out = same;
            return KN_OK;
        }
    }
    kni_actor *actor = kni_actor_ensure(world, component);
    uint32_t slot = actor == NULL ? KNI_NONE : kni_pool_acquire(&world->abilities, &world->memory);
    uint32_t *place = slot == KNI_NONE ? NULL
                                       : kni_span_push(&world->heap, &world->memory,
                                             &actor->abilities, sizeof(uint32_t));
    if (place == NULL) {
        kni_break(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *place = slot;
    kni_ability *ability = kni_ability_at(world, slot);
    ability->number = kni_number_next(world);
    ability->component = component;
    ability->type = (uint16_t)type;
    ability->effect = effect;
    ability->grant1 = grant1;
    ability->salt = ability_salt(world, actor, type);
    ability->status_version = kni_component_at(world, component)->version - 1;
    bool is_priced = (kni_type_of_ability(world, slot)->flags & KNI_ABILITY_PLAIN_COST) == 0;
    if (!ability_store(world, ability, grant) ||
        (is_priced && !kni_slots_add(&world->heap, &world->memory, &world->priced, slot))) {
        kni_break(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kni_triggers_watch(world, slot);
    kni_charges_begin(world, slot);
    kni_ability_event(world, KN_EVENT_ABILITY_GRANTED, slot, (kn_activation_id){0}, 0, 0);
    ability_react(world, KN_TRIGGER_ABILITY_GRANTED, slot);
    *out = slot;
    return KN_OK;
}

// False if the hook removed it.
static bool granted_hook(kn_world *world, uint32_t slot)
{
    kn_ability_id id = kni_ability_id_of(world, slot);
    const kn_ability_def *def = &kni_type_of_ability(world, slot)->def;
    if (def->granted != NULL) {
        kn_ability_call call = kni_ability_call_of(world, slot, (kn_activation_id){0});
        kni_hold(world);
        def->granted(&call);
        kni_release(world);
    }
    return kni_ability_find(world, id) != KNI_NONE;
}

// False if the hook removed it.
static bool avatar_hook(kn_world *world, uint32_t slot)
{
    kn_ability_id id = kni_ability_id_of(world, slot);
    const kn_ability_def *def = &kni_type_of_ability(world, slot)->def;
    if (def->avatar_set != NULL) {
        kn_ability_call call = kni_ability_call_of(world, slot, (kn_activation_id){0});
        kni_hold(world);
        def->avatar_set(&call);
        kni_release(world);
    }
    return kni_ability_find(world, id) != KNI_NONE;
}

// Activates an ability if its def says so. False if that removed it.
static bool passive_start(kn_world *world, uint32_t slot)
{
    kn_ability_id id = kni_ability_id_of(world, slot);
    if (kni_type_of_ability(world, slot)->def.activates_on_grant &&
        kni_ability_at(world, slot)->active_count == 0) {
        kn_activation_id activation;
        kni_attempt attempt = kni_attempt_here(NULL);
        (void)kni_activate(world, slot, &attempt, &activation);
    }
    return kni_ability_find(world, id) != KNI_NONE;
}

// Notifies an ability that it has an avatar, or has one again, and activates it if its def says so.
// False if a hook removed it.
bool kni_ability_granted_hooks(kn_world *world, uint32_t slot)
{
    return avatar_hook(world, slot) && passive_start(world, slot);
}

// The authority grants; a client may for what it created itself.
static bool grant_is_allowed(const kn_world *world, kn_entity_id entity)
{
    return !world->def.is_client || kn_entity_is_own(world, entity);
}

static kn_result grant_check(
    const kn_world *world, kn_entity_id entity, const kn_ability_grant_def *grant)
{
    if (world == NULL || grant == NULL || grant->cookie != KN_COOKIE || grant->type.index1 == 0 ||
        grant->type.index1 > world->library->registries[KN_DEF_ABILITY].count ||
        (grant->caller_values == NULL && grant->caller_value_count > 0) ||
        (grant->parameters == NULL && grant->parameter_count > 0) ||
        (grant->dynamic_tags.data == NULL && grant->dynamic_tags.count > 0)) {
        KN_ASSERT(world != NULL);
        KN_ASSERT_DEF(grant, kn_ability_grant_def);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < grant->dynamic_tags.count; i++) {
        if (grant->dynamic_tags.data[i].index1 - 1 >= kn_tag_count(world->library)) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
    }
    for (uint32_t i = 0; i < grant->caller_value_count; i++) {
        if (grant->caller_values[i].tag.index1 - 1 >= kn_tag_count(world->library)) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
        if (!isfinite(grant->caller_values[i].value)) {
            return KN_REFUSED_BAD_NUMBER;
        }
    }
    for (uint32_t i = 0; i < grant->parameter_count; i++) {
        if (grant->parameters[i].name.index1 - 1 >= kni_ref_count(world->library, KN_DEF_NAME)) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
        if (!isfinite(grant->parameters[i].value)) {
            return KN_REFUSED_BAD_NUMBER;
        }
    }
    if (!isfinite(grant->level)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (grant->caller_value_count > KN_ABILITY_VALUES_MAX ||
        grant->parameter_count > KN_ABILITY_VALUES_MAX) {
        return KN_REFUSED_LIMIT;
    }
    if (kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    return grant_is_allowed(world, entity) ? KN_OK : KN_REFUSED_BLOCKED;
}

// `slot` is KNI_NONE if the hook of a new ability removed it; `is_new` is false if it is shared.
static kn_result ability_grant(kn_world *world, kn_entity_id entity,
    const kn_ability_grant_def *def, uint32_t flags, uint32_t *slot, bool *is_new)
{
    uint32_t component = kni_component_ensure(world, kni_entity_find(world, entity));
    if (component == KNI_NONE) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if ((kni_component_at(world, component)->flags & KNI_COMPONENT_DYING) != 0) {
        return KN_REFUSED_DYING;
    }
    kn_result result = grant_store(world, component, def, (kn_effect_id){0}, 0, slot);
    if (result == KN_OK) {
        kni_ability_at(world, *slot)->flags |= (uint16_t)flags;
        kni_mark_ability(world, kni_ability_at(world, *slot));
        *is_new = kni_ability_at(world, *slot)->grants == 1;
        *slot = !*is_new || granted_hook(world, *slot) ? *slot : KNI_NONE;
    }
    return result;
}

void kni_ability_grant_by_effect(kn_world *world, uint32_t component,
    const kn_ability_grant_def *def, kn_effect_id effect, uint32_t grant)
{
    uint32_t slot;
    if (grant_store(world, component, def, effect, grant + 1, &slot) == KN_OK &&
        granted_hook(world, slot)) {
        (void)kni_ability_granted_hooks(world, slot);
    }
}

kn_result kn_ability_grant(
    kn_world *world, kn_entity_id entity, const kn_ability_grant_def *def, kn_ability_id *out)
{
    if (out != NULL) {
        *out = (kn_ability_id){0};
    }
    kn_result result = grant_check(world, entity, def);
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t slot = KNI_NONE;
    bool is_new = false;
    result = ability_grant(world, entity, def, 0, &slot, &is_new);
    if (result == KN_OK && slot != KNI_NONE) {
        kn_ability_id id = kni_ability_id_of(world, slot);
        if (out != NULL) {
            *out = id;
        }
        (void)(is_new ? kni_ability_granted_hooks(world, slot) : passive_start(world, slot));
    }
    return kni_leave(world, result);
}

kn_result kn_ability_grant_once(kn_world *world, kn_entity_id entity,
    const kn_ability_grant_def *def, const kn_event_record *event, kn_ability_id *out)
{
    if (out != NULL) {
        *out = (kn_ability_id){0};
    }
    kn_result result = grant_check(world, entity, def);
    if (result == KN_OK && event != NULL) {
        result = kni_record_check(world, event);
    }
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    kn_ability_grant_def once = *def;
    once.share = false; // a grant of its own, to be revoked
    // Before hooks run: the event may be a view of memory that they move.
    uint32_t payload1 = event != NULL ? kni_payload_store(world, event, event->tag.index1) : 0;
    uint32_t slot = KNI_NONE;
    kn_ability_id id = {0};
    bool is_new = false;
    result = ability_grant(world, entity, &once, KNI_ABILITY_ONCE, &slot, &is_new);
    if (result == KN_OK && slot != KNI_NONE && avatar_hook(world, slot)) {
        id = kni_ability_id_of(world, slot);
        kn_event_record record;
        if (payload1 != 0) {
            kni_payload_view(world, payload1, &record);
        }
        kn_activation_id activation;
        kni_attempt attempt = kni_attempt_here(payload1 != 0 ? &record : NULL);
        result = kni_activate(world, slot, &attempt, &activation);
        if (kni_ability_find(world, id) != KNI_NONE && result != KN_OK) {
            kni_ability_remove_now(world, slot);
        }
    }
    if (payload1 != 0 && !world->is_broken) {
        kni_payload_release(world, payload1);
    }
    if (out != NULL && result == KN_OK) {
        *out = id;
    }
    return kni_leave(world, result);
}

// Removing ------------------------------------------------------------------

static void abilities_list_remove(kn_world *world, kni_actor *actor, uint32_t slot)
{
    for (uint32_t i = actor->abilities.count; i-- > 0;) {
        if (*KNI_SPAN_AT(world, actor->abilities, uint32_t, i) == slot) {
            kni_span_remove(&world->heap, &actor->abilities, i, sizeof(uint32_t));
        }
    }
}

// The latest activation of an ability that is not ending, or KNI_NONE.
static uint32_t running_activation(const kn_world *world, uint32_t ability)
{
    const kni_actor *actor = kni_actor_of(world, kni_ability_at(world, ability)->component);
    for (uint32_t i = actor->activations.count; i-- > 0;) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        const kni_activation *activation = kni_activation_at(world, slot);
        if (activation->ability == ability && (activation->flags & KNI_ACTIVATION_ENDING) == 0) {
            return slot;
        }
    }
    return KNI_NONE;
}

void kni_ability_remove_now(kn_world *world, uint32_t slot)
{
    kni_ability *ability = kni_ability_at(world, slot);
    if ((ability->flags & KNI_ABILITY_GONE) != 0) {
        return; // its end hook removes it once more
    }
    ability->flags |= KNI_ABILITY_GONE | KNI_ABILITY_REMOVING;
    kni_mark_ability(world, ability);
    uint32_t component = ability->component;
    const kn_ability_def *def = &kni_type_of_ability(world, slot)->def;
    uint32_t last;
    while ((last = running_activation(world, slot)) != KNI_NONE && !world->is_broken) {
        kni_activation_end_now(world, last, KN_ENDED_REMOVED);
    }
    if (kni_ability_at(world, slot)->active_count > 0 && !world->is_broken) {
        // An end hook removes it: this happens when that end is complete.
        kni_ability_at(world, slot)->flags &= (uint16_t)~KNI_ABILITY_GONE;
        return;
    }
    if (def->removed != NULL) {
        kn_ability_call call = kni_ability_call_of(world, slot, (kn_activation_id){0});
        kni_hold(world);
        def->removed(&call);
        kni_release(world);
    }
    if (world->is_broken) {
        return;
    }
    kni_ability_event(world, KN_EVENT_ABILITY_REMOVED, slot, (kn_activation_id){0}, 0, 0);
    ability_react(world, KN_TRIGGER_ABILITY_REMOVED, slot);
    if (def->trigger_count > 0) {
        kni_watch_remove(world, component, slot, false);
    }
    kni_charges_of_ability_release(world, slot);
    abilities_list_remove(world, kni_actor_of(world, component), slot);
    ability = kni_ability_at(world, slot);
    kni_span_clear(&world->heap, &ability->tags, sizeof(uint32_t));
    kni_span_clear(&world->heap, &ability->caller, sizeof(kni_pair));
    kni_span_clear(&world->heap, &ability->named, sizeof(kni_pair));
    kni_span_clear(&world->heap, &ability->state, 1);
    if ((kni_type_of_ability(world, slot)->flags & KNI_ABILITY_PLAIN_COST) == 0) {
        kni_slots_remove(&world->heap, &world->priced, slot);
    }
    kni_pool_release(&world->abilities, slot);
}

// It will not be restored with its effect: a call, or the effect's end, removes it.
static void parked_forget(kn_world *world, uint32_t slot)
{
    kni_ability *ability = kni_ability_at(world, slot);
    uint32_t effect = kni_effect_find(world, ability->effect);
    if ((ability->flags & KNI_ABILITY_PARKED) != 0 && effect != KNI_NONE) {
        kni_rare *rare = kni_rare_at(world, kni_effect_at(world, effect)->rare1);
        rare->parked &= ~(UINT64_C(1) << (ability->grant1 - 1));
    }
    ability->flags &= (uint16_t)~KNI_ABILITY_PARKED;
    kni_mark_ability(world, ability);
}

static void grant_drop(kn_world *world, uint32_t slot)
{
    kni_ability *ability = kni_ability_at(world, slot);
    ability->grants--;
    ability_changed(world, slot);
    uint32_t effect = kni_effect_find(world, ability->effect);
    if (effect != KNI_NONE && (kni_effect_at(world, effect)->flags & KNI_ACTIVE_INHIBITED) != 0) {
        kni_grants_follow(world, effect, true); // nothing else may hold it any more
    }
}

static void ability_take(kn_world *world, uint32_t slot, kn_grant_removal removal, bool all)
{
    if (removal == KN_GRANT_KEEP) {
        return;
    }
    if (!all && kni_ability_at(world, slot)->grants > 1) {
        grant_drop(world, slot);
        return;
    }
    parked_forget(world, slot);
    if (removal == KN_GRANT_AFTER_END && kni_ability_at(world, slot)->active_count > 0) {
        kni_ability_at(world, slot)->flags |= KNI_ABILITY_REMOVING;
        ability_changed(world, slot);
    } else {
        kni_ability_remove_now(world, slot);
    }
}

static bool removal_is_good(kn_grant_removal removal)
{
    KN_ASSERT((uint32_t)removal <= KN_GRANT_KEEP);
    return (uint32_t)removal <= KN_GRANT_KEEP;
}

static kn_result ability_revoke(
    kn_world *world, kn_ability_id id, kn_grant_removal removal, bool all)
{
    uint32_t slot = kni_ability_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!removal_is_good(removal)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kni_is_held(world)) {
        return kni_postpone(
            world, &(kni_call){.kind = all ? KNI_CALL_ABILITY_REMOVE : KNI_CALL_ABILITY_REVOKE,
                       .index1 = id.index1,
                       .generation = id.generation,
                       .reason = (uint32_t)removal});
    }
    kn_result result = kni_enter(world);
    if (result == KN_OK) {
        ability_take(world, slot, removal, all);
        result = kni_leave(world, KN_OK);
    }
    return result;
}

kn_result kn_ability_revoke(kn_world *world, kn_ability_id ability, kn_grant_removal removal)
{
    return ability_revoke(world, ability, removal, false);
}

kn_result kn_ability_remove(kn_world *world, kn_ability_id ability, kn_grant_removal removal)
{
    return ability_revoke(world, ability, removal, true);
}

void kni_ability_revoke_by_effect(kn_world *world, uint32_t slot, kn_grant_removal removal)
{
    // Its own grant only, and once: others may share the ability.
    kni_ability_at(world, slot)->effect = (kn_effect_id){0};
    kni_ability_at(world, slot)->grant1 = 0;
    kni_ability_at(world, slot)->flags &= (uint16_t)~KNI_ABILITY_PARKED;
    kni_mark_ability(world, kni_ability_at(world, slot));
    // An ability that stays is no longer suspended with the effect.
    kni_touch(world, kni_ability_at(world, slot)->component);
    ability_take(world, slot, removal, false);
}

void kni_ability_park(kn_world *world, uint32_t slot)
{
    kni_ability *ability = kni_ability_at(world, slot);
    if (ability->active_count == 0) {
        kni_ability_remove_now(world, slot);
        return;
    }
    ability->flags |= KNI_ABILITY_REMOVING | KNI_ABILITY_PARKED;
    ability_changed(world, slot);
}

void kni_ability_unpark(kn_world *world, uint32_t slot)
{
    kni_ability_at(world, slot)->flags &= (uint16_t) ~(KNI_ABILITY_REMOVING | KNI_ABILITY_PARKED);
    ability_changed(world, slot);
}

bool kni_ability_is_suspended(const kn_world *world, const kni_ability *ability)
{
    uint32_t effect = ability->grants == 1 ? kni_effect_find(world, ability->effect) : KNI_NONE;
    if (effect == KNI_NONE || (kni_effect_at(world, effect)->flags & KNI_ACTIVE_INHIBITED) == 0) {
        return false;
    }
    const kn_effect_def *def = &kni_type_at(world, kni_effect_at(world, effect)->type)->def;
    return def->grants[ability->grant1 - 1].follow_inhibition == KN_GRANT_FOLLOW_CANCEL;
}

// Reading -------------------------------------------------------------------

bool kn_ability_get(const kn_world *world, kn_ability_id id, kn_ability_info *info)
{
    uint32_t slot = kni_ability_find(world, id);
    if (slot == KNI_NONE || info == NULL) {
        return false;
    }
    const kni_ability *ability = kni_ability_at(world, slot);
    *info = (kn_ability_info){
        .type = {ability->type + 1u},
        .owner = kni_component_entity(world, ability->component),
        .level = ability->level,
        .input = ability->input,
        .is_pressed = (ability->flags & KNI_ABILITY_PRESSED) != 0,
        .is_removing = (ability->flags & KNI_ABILITY_REMOVING) != 0,
        .grants = ability->grants,
        .active_count = ability->active_count,
        .source = kn_entity_is_alive(world, ability->source) ? ability->source : (kn_entity_id){0},
        .source_object = ability->source_object,
        .user = ability->user,
        .effect = ability->effect,
    };
    const kni_actor *actor = kni_actor_of(world, ability->component);
    for (uint32_t i = actor->activations.count; i-- > 0;) {
        uint32_t at = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        if (kni_activation_at(world, at)->ability == slot) {
            info->latest = kni_activation_id_of(world, at);
            break;
        }
    }
    return true;
}

bool kn_ability_is_alive(const kn_world *world, kn_ability_id ability)
{
    return kni_ability_find(world, ability) != KNI_NONE;
}

bool kn_ability_is_active(const kn_world *world, kn_ability_id ability)
{
    uint32_t slot = kni_ability_find(world, ability);
    return slot != KNI_NONE && kni_ability_at(world, slot)->active_count > 0;
}

kn_ability_type_id kn_ability_get_type(const kn_world *world, kn_ability_id ability)
{
    uint32_t slot = kni_ability_find(world, ability);
    kn_ability_type_id type = {slot == KNI_NONE ? 0 : kni_ability_at(world, slot)->type + 1u};
    return type;
}

float kn_ability_level(const kn_world *world, kn_ability_id ability)
{
    uint32_t slot = kni_ability_find(world, ability);
    return slot != KNI_NONE ? kni_ability_at(world, slot)->level : 0.0f;
}

bool kn_ability_has_tag(const kn_world *world, kn_ability_id ability, kn_tag tag)
{
    uint32_t slot = kni_ability_find(world, ability);
    return slot != KNI_NONE && tag.index1 != 0 && kni_ability_has_tag(world, slot, tag.index1);
}

// Changing ------------------------------------------------------------------

// Begins a change of one ability; returns the slot, or KNI_NONE with the result to return.
static uint32_t change_begin(kn_world *world, kn_ability_id id, kn_result *result)
{
    uint32_t slot = kni_ability_find(world, id);
    if (slot == KNI_NONE) {
        *result = KN_REFUSED_STALE_ID;
        return KNI_NONE;
    }
    *result = kni_enter(world);
    return *result == KN_OK ? slot : KNI_NONE;
}

static kn_result level_regrant(kn_world *world, uint32_t slot, float level, kn_ability_id *id)
{
    const kni_ability *old = kni_ability_at(world, slot);
    uint32_t component = old->component, input = old->input, grants = old->grants;
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type.index1 = old->type + 1u;
    def.level = level;
    def.input = input;
    def.source = old->source;
    def.source_object = old->source_object;
    def.user = old->user;
    kn_effect_id effect = old->effect;
    uint32_t set1 = old->set1, fresh;
    kn_result result = grant_store(world, component, &def, effect, old->grant1, &fresh);
    if (result != KN_OK) {
        return result;
    }
    // Everything added to the old ability is passed on to the new one.
    kni_ability *to = kni_ability_at(world, fresh), *from = kni_ability_at(world, slot);
    to->tags = from->tags;
    to->caller = from->caller;
    to->named = from->named;
    from->tags = from->caller = from->named = (kni_span){0};
    to->grants = grants;
    to->set1 = set1;
    *id = kni_ability_id_of(world, fresh);
    kni_charge_move(world, slot, fresh);
    kni_ability_remove_now(world, slot);
    if (kni_ability_find(world, *id) != KNI_NONE && granted_hook(world, fresh)) {
        (void)kni_ability_granted_hooks(world, fresh);
    }
    return KN_OK;
}

kn_result kn_ability_set_level(kn_world *world, kn_ability_id *id, float level)
{
    if (id == NULL) {
        KN_ASSERT(id != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!isfinite(level)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result;
    uint32_t slot = change_begin(world, *id, &result);
    if (slot == KNI_NONE) {
        return result;
    }
    float old_level = kni_ability_at(world, slot)->level;
    const kn_ability_def *def = &kni_type_of_ability(world, slot)->def;
    if (old_level == level) {
        return kni_leave(world, KN_OK);
    }
    // An ability that is about to be removed is not granted again.
    bool is_going =
        (kni_ability_at(world, slot)->flags & (KNI_ABILITY_REMOVING | KNI_ABILITY_ONCE)) != 0;
    if (def->level_up == KN_LEVEL_UP_REGRANT && !is_going) {
        return kni_leave(world, level_regrant(world, slot, level, id));
    }
    kni_ability_level_set(world, slot, level);
    if (kni_ability_find(world, *id) == KNI_NONE) {
        return kni_leave(world, KN_OK);
    }
    ability_changed(world, slot);
    if (def->level_changed != NULL) {
        kn_ability_call call = kni_ability_call_of(world, slot, (kn_activation_id){0});
        def->level_changed(&call, old_level);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_ability_set_input(kn_world *world, kn_ability_id id, uint32_t input)
{
    kn_result result;
    uint32_t slot = change_begin(world, id, &result);
    if (slot == KNI_NONE) {
        return result;
    }
    kni_ability *ability = kni_ability_at(world, slot);
    if (ability->input != input) {
        ability->input = input;
        ability->flags &= (uint16_t)~KNI_ABILITY_PRESSED;
        ability_changed(world, slot);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_ability_set_user(kn_world *world, kn_ability_id id, uint64_t user)
{
    kn_result result;
    uint32_t slot = change_begin(world, id, &result);
    if (slot == KNI_NONE) {
        return result;
    }
    kni_ability *ability = kni_ability_at(world, slot);
    if (ability->user != user) {
        ability->user = user;
        kni_mark_ability(world, ability);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_ability_add_tag(kn_world *world, kn_ability_id id, kn_tag tag)
{
    if (world == NULL || tag.index1 - 1 >= kn_tag_count(world->library)) {
        KN_ASSERT(world != NULL && tag.index1 != 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result;
    uint32_t slot = change_begin(world, id, &result);
    if (slot == KNI_NONE) {
        return result;
    }
    kn_tags tags = {&tag, 1};
    uint32_t count = kni_ability_at(world, slot)->tags.count;
    if (!ability_tags_store(world, &kni_ability_at(world, slot)->tags, tags)) {
        kni_break(world);
    } else if (kni_ability_at(world, slot)->tags.count != count) {
        ability_changed(world, slot);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_ability_remove_tag(kn_world *world, kn_ability_id id, kn_tag tag)
{
    kn_result result;
    uint32_t slot = change_begin(world, id, &result);
    if (slot == KNI_NONE) {
        return result;
    }
    kni_ability *ability = kni_ability_at(world, slot);
    result = KN_REFUSED_NOT_FOUND;
    for (uint32_t i = ability->tags.count; i-- > 0;) {
        if (*KNI_SPAN_AT(world, ability->tags, uint32_t, i) == tag.index1) {
            kni_span_remove(&world->heap, &ability->tags, i, sizeof(uint32_t));
            ability_changed(world, slot);
            result = KN_OK;
        }
    }
    return kni_leave(world, result);
}

// Sets a caller value or a parameter.
static kn_result number_set(
    kn_world *world, kn_ability_id id, bool is_named, uint32_t key, float value)
{
    if (!isfinite(value)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result;
    uint32_t slot = change_begin(world, id, &result);
    if (slot == KNI_NONE) {
        return result;
    }
    kni_ability *ability = kni_ability_at(world, slot);
    kni_span *pairs = is_named ? &ability->named : &ability->caller;
    const kni_pair *pair = kni_pairs_find(world, pairs, key);
    if (pair != NULL && pair->value == value) {
        return kni_leave(world, KN_OK);
    }
    if (pairs->count >= KN_ABILITY_VALUES_MAX && pair == NULL) {
        return kni_leave(world, KN_REFUSED_LIMIT);
    }
    if (!kni_pairs_set(world, pairs, key, value)) {
        kni_break(world);
    } else {
        ability_changed(world, slot); // costs may depend on it
    }
    kni_touch(world, kni_ability_at(world, slot)->component); // for costs
    return kni_leave(world, KN_OK);
}

kn_result kn_ability_set_caller_value(kn_world *world, kn_ability_id id, kn_tag tag, float value)
{
    if (world == NULL || tag.index1 - 1 >= kn_tag_count(world->library)) {
        KN_ASSERT(world != NULL && tag.index1 != 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return number_set(world, id, false, tag.index1, value);
}

kn_result kn_ability_set_parameter(kn_world *world, kn_ability_id id, kn_name name, float value)
{
    if (world == NULL || name.index1 - 1 >= kni_ref_count(world->library, KN_DEF_NAME)) {
        KN_ASSERT(world != NULL && name.index1 != 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return number_set(world, id, true, name.index1, value);
}

float kn_ability_caller_value(const kn_world *world, kn_ability_id id, kn_tag tag, float fallback)
{
    uint32_t slot = kni_ability_find(world, id);
    const kni_pair *pair =
        slot == KNI_NONE ? NULL
                         : kni_pairs_find(world, &kni_ability_at(world, slot)->caller, tag.index1);
    return pair != NULL ? pair->value : fallback;
}

float kn_ability_parameter(const kn_world *world, kn_ability_id id, kn_name name, float fallback)
{
    uint32_t slot = kni_ability_find(world, id);
    const kni_pair *pair =
        slot == KNI_NONE ? NULL
                         : kni_pairs_find(world, &kni_ability_at(world, slot)->named, name.index1);
    return pair != NULL ? pair->value : fallback;
}

// Finding -------------------------------------------------------------------

kn_ability_query kn_ability_query_default(void)
{
    kn_ability_query query = {.cookie = KN_COOKIE};
    return query;
}

static bool ability_is_a(const kn_world *world, uint32_t type, kn_ability_type_id wanted)
{
    uint32_t at = type + 1;
    while (at != 0 && at != wanted.index1) {
        at = kni_ability_type_at(world->library, at - 1)->parent1;
    }
    return at != 0;
}

static bool tags_match(const kn_world *world, uint32_t slot, const kn_ability_query *query)
{
    for (uint32_t i = 0; i < query->all_tags.count; i++) {
        if (!kni_ability_has_tag(world, slot, query->all_tags.data[i].index1)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < query->no_tags.count; i++) {
        if (kni_ability_has_tag(world, slot, query->no_tags.data[i].index1)) {
            return false;
        }
    }
    bool any = query->any_tags.count == 0;
    for (uint32_t i = 0; i < query->any_tags.count && !any; i++) {
        any = kni_ability_has_tag(world, slot, query->any_tags.data[i].index1);
    }
    return any;
}

static bool ability_matches(const kn_world *world, uint32_t slot, const kn_ability_query *query)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    if (query == NULL) {
        return true;
    }
    if ((query->type.index1 != 0 && !ability_is_a(world, ability->type, query->type)) ||
        (query->input != 0 && ability->input != query->input) ||
        (query->is_active && ability->active_count == 0) ||
        (query->effect.index1 != 0 && !kn_effect_id_equal(query->effect, ability->effect))) {
        return false;
    }
    uint32_t ignored = kni_activation_find(world, query->ignore);
    if (ignored != KNI_NONE && kni_activation_at(world, ignored)->ability == slot) {
        return false;
    }
    return tags_match(world, slot, query) &&
           (!query->meets_tags || kni_ability_meets_tags(world, slot));
}

// The slot of match number `index`, or with KNI_NONE how many there are.
uint32_t kni_abilities_matching(
    const kn_world *world, uint32_t component, const kn_ability_query *query, uint32_t index)
{
    const kni_actor *actor = kni_actor_of(world, component);
    uint32_t count = 0;
    for (uint32_t i = 0; actor != NULL && i < actor->abilities.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->abilities, uint32_t, i);
        if (ability_matches(world, slot, query) && count++ == index) {
            return slot;
        }
    }
    return index == KNI_NONE ? count : KNI_NONE;
}

kni_ability_walk kni_ability_walk_begin(
    const kn_world *world, uint32_t component, const kn_ability_query *query)
{
    kni_ability_walk walk = {component, query, 0, world->next_number};
    return walk;
}

// Where the abilities with higher numbers begin in the list, which is by number.
static uint32_t ability_after(const kn_world *world, const kni_actor *actor, uint64_t number)
{
    uint32_t low = 0, high = actor->abilities.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t slot = *KNI_SPAN_AT(world, actor->abilities, uint32_t, middle);
        bool is_before = kni_ability_at(world, slot)->number <= number;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

uint32_t kni_ability_walk_next(const kn_world *world, kni_ability_walk *walk)
{
    const kni_actor *actor = kni_actor_of(world, walk->component);
    uint32_t i = actor != NULL ? ability_after(world, actor, walk->after) : 0;
    for (; actor != NULL && i < actor->abilities.count && !world->is_broken; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->abilities, uint32_t, i);
        uint64_t number = kni_ability_at(world, slot)->number;
        if (number >= walk->before) {
            break; // the list is by number
        }
        if (ability_matches(world, slot, walk->query)) {
            walk->after = number;
            return slot;
        }
    }
    return KNI_NONE;
}

uint32_t kn_abilities_find(const kn_world *world, kn_entity_id entity,
    const kn_ability_query *query, kn_ability_id *out, uint32_t capacity)
{
    uint32_t component = kni_component_find(world, entity);
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    uint32_t count = 0;
    for (uint32_t i = 0; actor != NULL && i < actor->abilities.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->abilities, uint32_t, i);
        if (query == NULL || ability_matches(world, slot, query)) {
            if (count < capacity) {
                out[count] = kni_ability_id_of(world, slot);
            }
            count++;
        }
    }
    return count;
}

uint32_t kn_abilities_remove(
    kn_world *world, kn_entity_id entity, const kn_ability_query *query, kn_grant_removal removal)
{
    uint32_t component = kni_component_find(world, entity);
    if (!removal_is_good(removal) || component == KNI_NONE || kni_enter(world) != KN_OK) {
        return 0;
    }
    kni_ability_walk walk = kni_ability_walk_begin(world, component, query);
    uint32_t removed = 0, slot;
    while ((slot = kni_ability_walk_next(world, &walk)) != KNI_NONE) {
        (void)ability_revoke(world, kni_ability_id_of(world, slot), removal, true);
        removed += removal != KN_GRANT_KEEP;
    }
    (void)kni_leave(world, KN_OK);
    return removed;
}

// Sets ----------------------------------------------------------------------

static bool set_is_there(const kn_world *world, uint32_t component, uint32_t set1)
{
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = 0; actor != NULL && i < actor->abilities.count; i++) {
        if (kni_ability_at(world, *KNI_SPAN_AT(world, actor->abilities, uint32_t, i))->set1 ==
            set1) {
            return true;
        }
    }
    return false;
}

static kn_result set_grant(kn_world *world, kn_entity_id entity, kn_ability_set_id set,
    kn_ability_id *out, uint32_t capacity)
{
    const kn_ability_set_def *def =
        &KNI_ITEM(world->library, KN_DEF_ABILITY_SET, kni_ability_set, set.index1 - 1)->def;
    uint32_t component = kni_component_ensure(world, kni_entity_find(world, entity));
    if (component == KNI_NONE) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (set_is_there(world, component, set.index1)) {
        return KN_REFUSED_DUPLICATE;
    }
    for (uint32_t i = 0; i < def->entry_count; i++) {
        kn_ability_grant_def one = kn_ability_grant_def_default();
        one.type = def->entries[i].type;
        one.level = def->entries[i].level;
        one.input = def->entries[i].input;
        one.parameters = def->entries[i].parameters;
        one.parameter_count = def->entries[i].parameter_count;
        uint32_t slot = KNI_NONE;
        bool is_new = false;
        kn_result result = ability_grant(world, entity, &one, 0, &slot, &is_new);
        if (result != KN_OK) {
            return result;
        }
        kn_ability_id id = {0};
        if (slot != KNI_NONE) {
            id = kni_ability_id_of(world, slot);
            kni_ability_at(world, slot)->set1 = set.index1;
            kni_mark_ability(world, kni_ability_at(world, slot));
            (void)kni_ability_granted_hooks(world, slot);
        }
        if (i < capacity) {
            out[i] = id;
        }
    }
    return KN_OK;
}

kn_result kn_ability_set_grant(kn_world *world, kn_entity_id entity, kn_ability_set_id set,
    kn_ability_id *out, uint32_t capacity)
{
    if (world == NULL || set.index1 - 1 >= world->library->registries[KN_DEF_ABILITY_SET].count) {
        KN_ASSERT(world != NULL && set.index1 != 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!grant_is_allowed(world, entity)) {
        return KN_REFUSED_BLOCKED;
    }
    kn_result result = kni_enter(world);
    return result == KN_OK ? kni_leave(world, set_grant(world, entity, set, out, capacity))
                           : result;
}

kn_result kn_ability_set_remove(
    kn_world *world, kn_entity_id entity, kn_ability_set_id set, kn_grant_removal removal)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE || set.index1 == 0) {
        return kni_entity_find(world, entity) == KNI_NONE ? KN_REFUSED_STALE_ID
                                                          : KN_REFUSED_NOT_FOUND;
    }
    if (!removal_is_good(removal)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    result = set_is_there(world, component, set.index1) ? KN_OK : KN_REFUSED_NOT_FOUND;
    kni_ability_walk walk = kni_ability_walk_begin(world, component, NULL);
    uint32_t slot;
    while ((slot = kni_ability_walk_next(world, &walk)) != KNI_NONE) {
        if (kni_ability_at(world, slot)->set1 == set.index1) {
            kni_ability_at(world, slot)->set1 = 0;
            kni_mark_ability(world, kni_ability_at(world, slot));
            (void)ability_revoke(world, kni_ability_id_of(world, slot), removal, true);
        }
    }
    return kni_leave(world, result);
}
