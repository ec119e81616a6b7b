// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Activations: starting, committing, ending, cancelling, and the inputs that lead to them. Hooks
// run at each of these, so every function looks records up again after calling one.

#include "ability/actor.h"
#include "ability/task.h"

#include <math.h>

// Effects of an ability -----------------------------------------------------

// A view of an effect as the ability would apply it to its owner, for reading magnitudes.
void kni_ability_view(
    const kn_world *world, uint32_t slot, const kni_effect_type *type, kn_spec_view *view)
{
    kn_world *same; // views also serve rules, so they hold a mutable world; this one is only read
    memcpy(&same, &world, sizeof(same));
    const kni_ability *ability = kni_ability_at(world, slot);
    kn_entity_id owner = kni_component_entity(world, ability->component);
    *view = (kn_spec_view){
        .world = same,
        .type = type,
        .source = owner,
        .target = owner,
        .source_component = ability->component,
        .target_component = ability->component,
        .level = ability->level,
        .stacks = 1,
        .effect = KNI_NONE,
        .ability1 = slot + 1,
        .duration = -1,
        .period = -1,
    };
}

#define VALUES_MAX (2 * KN_ABILITY_VALUES_MAX) // those of the ability, and those of the call

// The caller values of the ability; those of the call come after them and win.
static uint32_t ability_values(const kn_world *world, uint32_t slot, kn_caller_value *values)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    uint32_t count = 0;
    for (uint32_t i = 0; i < ability->caller.count; i++) {
        const kni_pair *pair = KNI_SPAN_AT(world, ability->caller, kni_pair, i);
        values[count++] = (kn_caller_value){{pair->key}, pair->value};
    }
    return count;
}

static uint32_t ability_parameters(const kn_world *world, uint32_t slot, kn_named_value *values)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    uint32_t count = 0;
    for (uint32_t i = 0; i < ability->named.count; i++) {
        const kni_pair *pair = KNI_SPAN_AT(world, ability->named, kni_pair, i);
        values[count++] = (kn_named_value){{pair->key}, pair->value};
    }
    return count;
}

kn_result kni_ability_apply_own(kn_world *world, uint32_t slot, kn_effect_type_id type,
    const kn_caller_value *value, kn_tags granted)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    kn_entity_id owner = kni_component_entity(world, ability->component);
    kn_caller_value values[VALUES_MAX];
    kn_effect_context context = {.ability = kni_ability_id_of(world, slot)};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = owner;
    def.target = owner;
    def.level = ability->level;
    def.caller_values = values;
    def.caller_value_count = ability_values(world, slot, values);
    if (value != NULL) {
        values[def.caller_value_count++] = *value;
    }
    kn_named_value named[KN_ABILITY_VALUES_MAX];
    def.named_values = named;
    def.named_value_count = ability_parameters(world, slot, named);
    def.dynamic_granted_tags = granted;
    def.ignore_gates = true;
    const kni_effect_type *effect = kni_type_at(world, type.index1 - 1);
    if ((effect->flags & (KNI_EFFECT_PLAIN_MODIFIERS | KNI_EFFECT_CONST_TIME)) !=
        (KNI_EFFECT_PLAIN_MODIFIERS | KNI_EFFECT_CONST_TIME)) {
        def.context = &context; // its numbers may read the ability
    }
    return kn_effect_apply(world, &def, NULL);
}

kn_result kn_activation_apply(kn_world *world, kn_activation_id id, kn_effect_type_id type,
    kn_entity_id target, kn_effect_id *effect)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = target;
    return kn_activation_apply_def(world, id, &def, effect);
}

kn_result kni_activation_apply(kn_world *world, kn_activation_id id,
    const kn_effect_apply_def *given, kn_effect_id *effect, kni_put *put)
{
    *put = (kni_put){0};
    uint32_t slot = kni_activation_find(world, id);
    if (effect != NULL) {
        *effect = (kn_effect_id){0};
    }
    if (slot == KNI_NONE || given == NULL) {
        return KN_REFUSED_STALE_ID;
    }
    if (given->caller_value_count > KN_ABILITY_VALUES_MAX ||
        (given->named_value_count > KN_ABILITY_VALUES_MAX &&
            kni_ability_at(world, kni_activation_at(world, slot)->ability)->named.count > 0)) {
        return KN_REFUSED_LIMIT;
    }
    uint32_t ability_slot = kni_activation_at(world, slot)->ability;
    const kni_ability *ability = kni_ability_at(world, ability_slot);
    kn_caller_value values[VALUES_MAX];
    uint32_t count = ability_values(world, ability_slot, values);
    for (uint32_t i = 0; i < given->caller_value_count; i++) {
        values[count++] = given->caller_values[i];
    }
    kn_effect_context context = given->context != NULL ? *given->context : (kn_effect_context){0};
    context.ability = kni_ability_id_of(world, ability_slot);
    context.activation = id;
    if (context.source_object == 0) {
        context.source_object = ability->source_object;
    }
    kn_effect_apply_def def = *given;
    def.source = kni_component_entity(world, ability->component);
    def.level = ability->level;
    def.caller_values = values;
    def.caller_value_count = count;
    kn_named_value named[VALUES_MAX];
    if (ability->named.count > 0) {
        def.named_value_count = ability_parameters(world, ability_slot, named);
        for (uint32_t i = 0; i < given->named_value_count; i++) {
            named[def.named_value_count++] = given->named_values[i];
        }
        def.named_values = named;
    }
    def.context = &context;
    return kni_effect_apply(world, &def, effect, put);
}

kn_result kn_activation_apply_def(
    kn_world *world, kn_activation_id id, const kn_effect_apply_def *given, kn_effect_id *effect)
{
    kni_put put;
    return kni_activation_apply(world, id, given, effect, &put);
}

// Starting ------------------------------------------------------------------

static void ability_react_all(kn_world *world, kn_trigger trigger, uint32_t ability,
    kn_activation_id activation, const kn_cancel *end)
{
    uint32_t component = kni_ability_at(world, ability)->component;
    kn_reaction reaction = {.trigger = trigger,
        .entity = kni_component_entity(world, component),
        .ability = kni_ability_id_of(world, ability),
        .activation = activation,
        .ability_type = {kni_ability_at(world, ability)->type + 1u}};
    if (end != NULL) {
        reaction.end_reason = end->reason;
        reaction.instigator = end->instigator;
        reaction.tag = end->tag;
        reaction.magnitude = end->number;
    }
    kni_react_all(world, component, &reaction);
}

// Notifies rules and watchers; usually there are none. `end` says why it ended, if it did.
static inline void ability_react(kn_world *world, kn_trigger trigger, uint32_t ability,
    kn_activation_id activation, const kn_cancel *end)
{
    if (kni_is_heard(world, kni_ability_at(world, ability)->component, trigger)) {
        ability_react_all(world, trigger, ability, activation, end);
    }
}

static void tags_own(kn_world *world, uint32_t component, kn_tags tags, int32_t change)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        kni_tag_change(world, component, tags.data[i].index1, KN_TAG_ORIGIN_ABILITY, change);
    }
}

uint32_t kni_abilities_hold(const kn_world *world, uint32_t component, uint32_t tag)
{
    const kni_actor *actor = kni_actor_of(world, component);
    uint32_t count = 0;
    for (uint32_t i = 0; actor != NULL && i < actor->activations.count; i++) {
        const kni_activation *activation =
            kni_activation_at(world, *KNI_SPAN_AT(world, actor->activations, uint32_t, i));
        kn_tags owned = kni_type_of_ability(world, activation->ability)->def.owned_tags;
        for (uint32_t t = 0; t < owned.count; t++) {
            count += owned.data[t].index1 == tag;
        }
    }
    for (uint32_t i = 0; actor != NULL && i < actor->charges.count; i++) {
        const kni_charge *charge =
            kni_charge_at(world, *KNI_SPAN_AT(world, actor->charges, uint32_t, i));
        count += charge->has_tag != 0 && charge->key == tag;
    }
    return count;
}

static void blocks_change(kn_world *world, uint32_t component, kn_tags tags, int32_t change)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        kni_blocked_change(world, component, tags.data[i].index1, change);
    }
}

// Cancels other abilities with any of these tags, but not the one that starts.
static void cancel_others(kn_world *world, uint32_t component, kn_tags tags, uint32_t own)
{
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = actor->activations.count; i-- > 0 && !world->is_broken;) {
        actor = kni_actor_of(world, component);
        if (i >= actor->activations.count) {
            continue;
        }
        uint32_t slot = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        const kni_activation *activation = kni_activation_at(world, slot);
        bool is_hit = false;
        for (uint32_t t = 0; t < tags.count && !is_hit; t++) {
            is_hit = kni_ability_has_tag(world, activation->ability, tags.data[t].index1);
        }
        if (is_hit && activation->ability != own &&
            (activation->flags & KNI_ACTIVATION_FIXED) == 0) {
            kni_activation_end_now(world, slot, KN_ENDED_BY_TAGS);
        }
    }
}

static void cancel_own(kn_world *world, uint32_t ability, kn_end_reason reason)
{
    uint32_t component = kni_ability_at(world, ability)->component;
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = actor->activations.count; i-- > 0 && !world->is_broken;) {
        actor = kni_actor_of(world, component);
        if (actor == NULL || i >= actor->activations.count) {
            continue;
        }
        uint32_t slot = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        if (kni_activation_at(world, slot)->ability == ability) {
            kni_activation_end_now(world, slot, reason);
        }
    }
}

uint64_t kni_activation_seed_take(kn_world *world, uint32_t ability, kn_time start)
{
    kni_ability *a = kni_ability_at(world, ability);
    a->at_once = a->started == start ? a->at_once : 0;
    a->started = start;
    kni_mark_ability(world, a);
    kni_hash hash = kni_hash_begin(world->seed);
    kni_hash_u64(&hash, (uint64_t)start);
    kni_hash_pair(&hash, kn_entity_id_pack(kni_component_entity(world, a->component)), a->type);
    kni_hash_u64(&hash, a->at_once++);
    if (a->salt != 0) {
        kni_hash_u64(&hash, a->salt);
    }
    return kni_hash_end(&hash);
}

// The record of a new activation, added to its lists. KNI_NONE when out of memory.
static uint32_t activation_store(
    kn_world *world, uint32_t ability, uint32_t payload1, uint32_t trigger)
{
    kni_ability *a = kni_ability_at(world, ability);
    const kn_ability_def *def = &kni_ability_type_at(world->library, a->type)->def;
    kni_actor *actor = kni_actor_of(world, a->component);
    uint32_t slot = kni_pool_acquire(&world->activations, &world->memory);
    uint32_t *place = slot == KNI_NONE ? NULL
                                       : kni_span_push(&world->heap, &world->memory,
                                             &actor->activations, sizeof(uint32_t));
    if (place == NULL) {
        kni_break(world);
        return KNI_NONE;
    }
    *place = slot;
    kni_activation *activation = kni_activation_at(world, slot);
    activation->number = kni_number_next(world);
    activation->start = world->now;
    activation->ability = ability;
    activation->trigger = (uint16_t)trigger;
    activation->flags = KNI_ACTIVATION_STARTING;
    activation->seed = kni_activation_seed_take(world, ability, world->now);
    kni_key key = kni_cause_key(world, world->cause);
    activation->by_connection = key.connection;
    activation->by_sequence = key.sequence;
    a->active_count++;
    activation->payload1 = payload1;
    if (payload1 != 0) {
        activation->flags |= KNI_ACTIVATION_BY_EVENT;
    } else if (trigger < def->trigger_count &&
               def->triggers[trigger].source == KN_TRIGGER_SOURCE_TAG_PRESENT) {
        activation->flags |= KNI_ACTIVATION_BY_PRESENCE;
    }
    if (def->instancing == KN_INSTANCING_PER_EXECUTION && def->state_size > 0) {
        if (!kni_span_reserve(
                &world->heap, &world->memory, &activation->state, def->state_size, 1)) {
            kni_break(world);
            return KNI_NONE;
        }
        activation->state.count = def->state_size;
        memset(kni_heap_at(&world->heap, activation->state.ref), 0, def->state_size);
    } else if (def->resets_state && a->state.count > 0) {
        memset(kni_heap_at(&world->heap, a->state.ref), 0, a->state.count);
    }
    return world->is_broken ? KNI_NONE : slot;
}

// Adds tags and blocks and cancels others, before the body. False if that ended it.
static bool activation_prepare(kn_world *world, uint32_t slot)
{
    kn_activation_id id = kni_activation_id_of(world, slot);
    uint32_t ability = kni_activation_at(world, slot)->ability;
    uint32_t component = kni_ability_at(world, ability)->component;
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    tags_own(world, component, def->owned_tags, 1);
    kni_activation_at(world, slot)->flags |= KNI_ACTIVATION_BLOCKS;
    kni_mark_activation(world, kni_activation_at(world, slot));
    blocks_change(world, component, def->block_with, 1);
    if (def->cancel_with.count > 0) {
        cancel_others(world, component, def->cancel_with, ability);
    }
    if (kni_activation_find(world, id) != KNI_NONE && def->pre_activate != NULL) {
        kn_ability_call call = kni_ability_call_of(world, ability, id);
        call.has_event = kni_activation_at(world, slot)->payload1 != 0;
        def->pre_activate(&call);
    }
    return kni_activation_find(world, id) != KNI_NONE;
}

// With a copy of the event: the body may end the activation, and may move memory that belongs to
// the world.
static kn_result body_by_event(kn_world *world, uint32_t slot, const kn_ability_call *call)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    const kn_ability_def *def = &kni_type_of_ability(world, activation->ability)->def;
    kni_payload_copy copy;
    if (!kni_payload_take(world, activation->payload1, &copy)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = def->activate_by_event(call, &copy.record);
    kni_payload_drop(world, &copy);
    return result;
}

static kn_result activation_body(kn_world *world, uint32_t slot, bool is_asked)
{
    kn_activation_id id = kni_activation_id_of(world, slot);
    const kni_activation *activation = kni_activation_at(world, slot);
    const kn_ability_def *def = &kni_type_of_ability(world, activation->ability)->def;
    kn_ability_call call = kni_ability_call_of(world, activation->ability, id);
    call.has_event = activation->payload1 != 0;
    if (call.has_event && def->activate_by_event != NULL) {
        return body_by_event(world, slot, &call);
    }
    if (def->body != KN_BODY_NONE) {
        return kni_body_run(world, slot, is_asked);
    }
    return def->activate != NULL ? def->activate(&call) : KN_OK;
}

static kn_result activation_run(kn_world *world, uint32_t slot, bool is_asked)
{
    kn_activation_id id = kni_activation_id_of(world, slot);
    uint32_t ability = kni_activation_at(world, slot)->ability;
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    kn_result result = KN_OK;
    if (def->commit == KN_COMMIT_AT_USE || def->body != KN_BODY_NONE) {
        result = kn_activation_commit(world, id);
    }
    if (result == KN_OK && kni_activation_find(world, id) != KNI_NONE) {
        result = activation_body(world, slot, is_asked);
    }
    if (world->is_broken || kni_activation_find(world, id) == KNI_NONE) {
        return result;
    }
    kni_activation_at(world, slot)->flags &= (uint16_t)~KNI_ACTIVATION_STARTING;
    if (result != KN_OK) {
        if (!kn_result_is_refused(result)) {
            kni_emit_ability_error(world, result,
                kni_component_entity(world, kni_ability_at(world, ability)->component),
                kni_ability_at(world, ability)->type + 1u);
        }
        kni_activation_end_now(world, slot, KN_ENDED_FAILED);
    } else if (def->instancing == KN_INSTANCING_NONE) {
        kni_activation_end_now(world, slot, KN_ENDED_DONE);
    }
    return result;
}

static void failed_react(kn_world *world, uint32_t ability, kn_activation_id activation,
    uint32_t reasons, const kn_event_record *event)
{
    kn_event_record told;
    uint32_t component = kni_ability_at(world, ability)->component;
    kn_reaction reaction = {.trigger = KN_TRIGGER_ABILITY_FAILED,
        .entity = kni_component_entity(world, component),
        .ability = kni_ability_id_of(world, ability),
        .activation = activation,
        .fail_reasons = reasons,
        .ability_type = {kni_ability_at(world, ability)->type + 1u}};
    if (event != NULL) {
        told = *event;
        told.effect = NULL;
        reaction.record = &told;
    }
    kni_react_all(world, component, &reaction);
}

static void failed_tell(kn_world *world, uint32_t slot, const kn_check_answer *answer,
    const kni_attempt *attempt, const kni_price *price)
{
    bool is_asked = attempt->origin == KN_NET_ORIGIN_PEER;
    if (kni_log_wants(world, KN_LOG_ABILITIES, KN_LOG_INFO)) {
        kni_log_refusal(world, slot, answer, is_asked, price);
    }
    kn_tag_set tags = {0};
    for (uint32_t i = 0; i < kni_answer_kept(answer); i++) {
        if (answer->lines[i].tag.index1 != 0) {
            (void)kn_tag_set_add(&tags, answer->lines[i].tag);
        }
    }
    uint32_t reasons = answer->plain | answer->reasons;
    kni_commit_event(world, KN_EVENT_ABILITY_FAILED, slot, (kn_activation_id){0}, reasons,
        kn_tag_set_view(&tags), answer);
    if ((reasons & KN_FAIL_COOLDOWN) != 0) {
        kni_cooldown_early(world, slot);
    }
    failed_react(world, slot, (kn_activation_id){0}, reasons, attempt->event);
}

kn_result kni_activate(
    kn_world *world, uint32_t ability, const kni_attempt *attempt, kn_activation_id *out)
{
    *out = (kn_activation_id){0};
    const kn_event_record *event = attempt->event;
    kn_ability_id id = kni_ability_id_of(world, ability);
    uint32_t component = kni_ability_at(world, ability)->component;
    kni_starting starting; // not cleared: a price has room for many steps
    starting.version = kni_component_at(world, component)->version;
    kn_refusal_line lines[KNI_CHECK_LINES];
    kn_check_answer answer = {.lines = lines, .capacity = KNI_CHECK_LINES};
    kni_hold(world);
    uint32_t reasons = kni_ability_check_all(world, ability, attempt, &answer, &starting.price);
    kni_release(world);
    bool is_asked = attempt->origin == KN_NET_ORIGIN_PEER;
    if (kni_ability_find(world, id) == KNI_NONE) {
        return KN_REFUSED_STALE_ID; // a hook that should be pure removed it
    }
    if (reasons != 0) {
        failed_tell(world, ability, &answer, attempt, &starting.price);
        return kn_fail_result(reasons);
    }
    const kni_ability_type *type = kni_type_of_ability(world, ability);
    kn_entity_id owner = kni_component_entity(world, component);
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_ABILITY, owner, (kn_effect_id){0}, (kn_effect_type_id){0},
            kni_ability_at(world, ability)->type + 1u, &previous)) {
        return KN_REFUSED_LIMIT;
    }
    // Before hooks run: the event may be a view of memory that they move.
    uint32_t payload1 = event != NULL ? kni_payload_store(world, event, event->tag.index1) : 0;
    if (type->def.retriggers && type->def.instancing == KN_INSTANCING_PER_ACTOR &&
        kni_ability_at(world, ability)->active_count > 0) {
        cancel_own(world, ability, KN_ENDED_RETRIGGERED);
    }
    kn_result result = KN_REFUSED_STALE_ID;
    uint32_t slot = KNI_NONE;
    if (kni_ability_find(world, id) != KNI_NONE && !world->is_broken) {
        slot = activation_store(world, ability, payload1, attempt->trigger);
    } else if (payload1 != 0 && !world->is_broken) {
        kni_payload_release(world, payload1);
    }
    if (slot != KNI_NONE) {
        *out = kni_activation_id_of(world, slot);
        kni_ability_event(world, KN_EVENT_ABILITY_ACTIVATED, ability, *out, 0, 0);
        kni_request(world, ability, *out, KN_REQUEST_PART_ACTIVATE, NULL, 0);
        ability_react(world, KN_TRIGGER_ABILITY_ACTIVATED, ability, *out, NULL);
        if ((type->flags & KNI_ABILITY_COOLS_EARLY) != 0) {
            kni_cooldown_start(world, ability, KNI_COOLDOWNS_EARLY, 0);
        }
        starting.activation = *out;
        starting.version++; // for the event of its own start
        starting.outer = world->starting;
        world->starting = &starting;
        result = activation_prepare(world, slot) ? activation_run(world, slot, is_asked) : KN_OK;
        world->starting = starting.outer;
    }
    kni_cause_end(world, previous);
    return world->is_broken ? KN_ERROR_OUT_OF_MEMORY : result;
}

kn_result kni_activate_call(
    kn_world *world, kn_ability_id ability, const kni_attempt *attempt, kn_activation_id *out)
{
    kn_activation_id activation = {0};
    if (out != NULL) {
        *out = activation;
    }
    uint32_t slot = kni_ability_find(world, ability);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = attempt->event != NULL ? kni_record_check(world, attempt->event) : KN_OK;
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result == KN_OK) {
        result = kni_leave(world, kni_activate(world, slot, attempt, &activation));
    }
    if (out != NULL) {
        *out = activation;
    }
    return result;
}

kn_result kn_ability_activate(
    kn_world *world, kn_ability_id ability, const kn_event_record *event, kn_activation_id *out)
{
    kni_attempt attempt = kni_attempt_here(event);
    return kni_activate_call(world, ability, &attempt, out);
}

kn_result kn_ability_activate_by_tag(kn_world *world, kn_ability_id ability, kn_activation_id *out)
{
    kn_ability_info info;
    if (out != NULL) {
        *out = (kn_activation_id){0};
    }
    if (!kn_ability_get(world, ability, &info)) {
        return KN_REFUSED_STALE_ID;
    }
    const kn_ability_def *def = kn_ability_type_get_def(world->library, info.type);
    for (uint32_t i = 0; i < def->trigger_count; i++) {
        const kn_trigger_def *trigger = &def->triggers[i];
        if ((trigger->source == KN_TRIGGER_SOURCE_TAG_ADDED ||
                trigger->source == KN_TRIGGER_SOURCE_TAG_PRESENT) &&
            kn_entity_has_tag(world, info.owner, trigger->tag)) {
            kni_attempt attempt = kni_attempt_here(NULL);
            attempt.trigger = i;
            return kni_activate_call(world, ability, &attempt, out);
        }
    }
    return KN_REFUSED_NOT_FOUND;
}

kn_result kn_ability_activate_type(
    kn_world *world, kn_entity_id entity, kn_ability_type_id type, kn_activation_id *out)
{
    if (out != NULL) {
        *out = (kn_activation_id){0};
    }
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE) {
        return kni_entity_find(world, entity) == KNI_NONE ? KN_REFUSED_STALE_ID
                                                          : KN_REFUSED_NOT_FOUND;
    }
    kn_ability_query query = kn_ability_query_default();
    query.type = type;
    uint32_t first = kni_abilities_matching(world, component, &query, 0);
    if (type.index1 == 0 || first == KNI_NONE) {
        return KN_REFUSED_NOT_FOUND;
    }
    uint32_t slot, index = 0;
    while ((slot = kni_abilities_matching(world, component, &query, index)) != KNI_NONE) {
        if (kn_ability_check(world, kni_ability_id_of(world, slot), NULL) == 0) {
            return kn_ability_activate(world, kni_ability_id_of(world, slot), NULL, out);
        }
        index++;
    }
    return kn_ability_activate(world, kni_ability_id_of(world, first), NULL, out); // says why
}

kn_result kn_ability_activate_tags(
    kn_world *world, kn_entity_id entity, kn_tags tags, uint32_t *activated)
{
    if (activated != NULL) {
        *activated = 0;
    }
    kn_ability_query query = kn_ability_query_default();
    query.all_tags = tags;
    uint32_t component = tags.count == 0 ? KNI_NONE : kni_component_find(world, entity);
    kn_result result = component == KNI_NONE ? KN_REFUSED_NOT_FOUND : kni_enter(world);
    if (result != KN_OK) {
        return kni_entity_find(world, entity) == KNI_NONE ? KN_REFUSED_STALE_ID : result;
    }
    kni_ability_walk walk = kni_ability_walk_begin(world, component, &query);
    kn_result why = KN_REFUSED_NOT_FOUND;
    uint32_t successes = 0, slot;
    while ((slot = kni_ability_walk_next(world, &walk)) != KNI_NONE) {
        kn_result one = kn_ability_activate(world, kni_ability_id_of(world, slot), NULL, NULL);
        successes += one == KN_OK;
        why = one;
    }
    if (activated != NULL) {
        *activated = successes;
    }
    return kni_leave(world, successes > 0 ? KN_OK : why);
}

// Ending --------------------------------------------------------------------

static void activation_release(kn_world *world, uint32_t slot)
{
    kni_activation *activation = kni_activation_at(world, slot);
    kni_ability *ability = kni_ability_at(world, activation->ability);
    kni_actor *actor = kni_actor_of(world, ability->component);
    for (uint32_t i = actor->activations.count; i-- > 0;) {
        if (*KNI_SPAN_AT(world, actor->activations, uint32_t, i) == slot) {
            kni_span_remove(&world->heap, &actor->activations, i, sizeof(uint32_t));
            break;
        }
    }
    ability->active_count--;
    kni_mark_ability(world, ability);
    if (activation->payload1 != 0) {
        kni_payload_release(world, activation->payload1);
    }
    kni_span_clear(&world->heap, &activation->state, 1);
    kni_span_clear(&world->heap, &activation->paid, sizeof(kni_pair));
    kni_span_clear(&world->heap, &activation->tasks, sizeof(uint32_t));
    kni_span_clear(&world->heap, &activation->cues, sizeof(uint32_t));
    kni_pool_release(&world->activations, slot);
}

void kni_activation_end_now(kn_world *world, uint32_t slot, kn_end_reason reason)
{
    kni_activation_cancel_now(world, slot, &(kn_cancel){.reason = reason});
}

void kni_activation_cancel_now(kn_world *world, uint32_t slot, const kn_cancel *cancel)
{
    kn_end_reason reason = cancel->reason;
    kni_activation *activation = kni_activation_at(world, slot);
    if ((activation->flags & KNI_ACTIVATION_ENDING) != 0) {
        return;
    }
    activation->flags |= KNI_ACTIVATION_ENDING;
    kn_activation_id id = kni_activation_id_of(world, slot);
    kni_ending ending = {world->ending, id, cancel};
    world->ending = &ending;
    uint32_t ability = activation->ability;
    uint32_t component = kni_ability_at(world, ability)->component;
    kni_touch(world, component);
    kn_entity_id owner = kni_component_entity(world, component);
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    kn_cause previous;
    bool has_cause = kni_cause_begin(world, KN_CAUSE_END, owner, (kn_effect_id){0},
        (kn_effect_type_id){0}, kni_ability_at(world, ability)->type + 1u, &previous);
    if (reason == KN_ENDED_REJECTED && kni_log_wants(world, KN_LOG_ABILITIES, KN_LOG_INFO)) {
        kni_log_rejected(world, slot);
    }
    kni_tasks_end(world, slot);
    if ((kni_activation_at(world, slot)->flags & KNI_ACTIVATION_CUES) != 0) {
        kni_cues_end_with(world, slot, kn_end_is_cancelled(reason));
    }
    if (def->ended != NULL && !world->is_broken) {
        kn_ability_call call = kni_ability_call_of(world, ability, id);
        call.has_event = kni_activation_at(world, slot)->payload1 != 0;
        kni_hold(world);
        def->ended(&call, reason);
        kni_release(world);
    }
    world->ending = ending.outer;
    if (world->is_broken) {
        return;
    }
    tags_own(world, component, def->owned_tags, -1);
    if ((kni_activation_at(world, slot)->flags & KNI_ACTIVATION_BLOCKS) != 0) {
        blocks_change(world, component, def->block_with, -1);
    }
    kni_ended_event(world, ability, id, cancel);
    if (reason != KN_ENDED_REJECTED && reason != KN_ENDED_REMOTE) { // the other side knows already
        kni_request(world, ability, id,
            reason == KN_ENDED_DONE ? KN_REQUEST_PART_END : KN_REQUEST_PART_CANCEL, NULL, 0);
    }
    ability_react(world, KN_TRIGGER_ABILITY_ENDED, ability, id, cancel);
    activation_release(world, slot);
    const kni_ability *a = kni_ability_at(world, ability);
    bool is_last = a->active_count == 0 && (a->flags & KNI_ABILITY_GONE) == 0;
    if (is_last && (a->flags & (KNI_ABILITY_REMOVING | KNI_ABILITY_ONCE)) != 0) {
        kni_ability_remove_now(world, ability);
    }
    if (has_cause) {
        kni_cause_end(world, previous);
    }
}

kn_result kni_activation_stop(kn_world *world, kn_activation_id id, const kn_cancel *cancel)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (cancel->reason != KN_ENDED_DONE &&
        (kni_activation_at(world, slot)->flags & KNI_ACTIVATION_FIXED) != 0) {
        return KN_REFUSED_BLOCKED;
    }
    if (kni_is_held(world)) {
        return kni_postpone(world, &(kni_call){.kind = KNI_CALL_ACTIVATION_STOP,
                                       .index1 = id.index1,
                                       .generation = id.generation,
                                       .cancel = *cancel});
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_activation_cancel_now(world, slot, cancel);
    return kni_leave(world, KN_OK);
}

kn_result kn_activation_end(kn_world *world, kn_activation_id activation)
{
    return kni_activation_stop(world, activation, &(kn_cancel){.reason = KN_ENDED_DONE});
}

kn_result kn_activation_cancel(kn_world *world, kn_activation_id activation)
{
    return kni_activation_stop(world, activation, &(kn_cancel){.reason = KN_ENDED_CANCELLED});
}

kn_cancel kn_cancel_default(void)
{
    kn_cancel cancel = {.reason = KN_ENDED_CANCELLED, .cookie = KN_COOKIE};
    return cancel;
}

static kn_result cancel_check(const kn_world *world, const kn_cancel *cancel)
{
    bool is_good = world != NULL && cancel != NULL && cancel->cookie == KN_COOKIE;
    KN_ASSERT(is_good);
    if (!is_good || cancel->tag.index1 > kn_tag_count(world->library) ||
        (cancel->reason != KN_ENDED_CANCELLED &&
            kn_end_reason_get_def(world->library, cancel->reason) == NULL)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return isfinite(cancel->number) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_activation_cancel_with(
    kn_world *world, kn_activation_id activation, const kn_cancel *cancel)
{
    kn_result result = cancel_check(world, cancel);
    if (result != KN_OK) {
        return result;
    }
    kn_cancel own = *cancel; // it may be a view of memory that hooks move
    return kni_activation_stop(world, activation, &own);
}

bool kn_activation_get_cancel(const kn_world *world, kn_activation_id activation, kn_cancel *cancel)
{
    if (cancel == NULL) {
        return false;
    }
    memset(cancel, 0, sizeof(*cancel));
    for (const kni_ending *ending = world != NULL ? world->ending : NULL; ending != NULL;
         ending = ending->outer) {
        if (kn_activation_id_equal(ending->activation, activation)) {
            *cancel = *ending->cancel;
            cancel->cookie = KN_COOKIE;
            return true;
        }
    }
    return false;
}

kn_result kn_activation_set_cancelable(kn_world *world, kn_activation_id id, bool is_cancelable)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_activation *activation = kni_activation_at(world, slot);
    activation->flags &= (uint16_t)~KNI_ACTIVATION_FIXED;
    activation->flags |= is_cancelable ? 0 : KNI_ACTIVATION_FIXED;
    kni_mark_activation(world, activation);
    return kni_leave(world, KN_OK);
}

kn_result kn_activation_set_blocking(kn_world *world, kn_activation_id id, bool is_blocking)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_activation *activation = kni_activation_at(world, slot);
    bool was = (activation->flags & KNI_ACTIVATION_BLOCKS) != 0;
    kni_mark_activation(world, activation);
    bool ends = (activation->flags & KNI_ACTIVATION_ENDING) != 0;
    if (was != is_blocking && !ends) {
        const kni_ability *ability = kni_ability_at(world, activation->ability);
        activation->flags ^= KNI_ACTIVATION_BLOCKS;
        blocks_change(world, ability->component,
            kni_ability_type_at(world->library, ability->type)->def.block_with,
            is_blocking ? 1 : -1);
    }
    return kni_leave(world, KN_OK);
}

// Cancels activations of one ability that began before a number; returns how many.
static uint32_t cancel_ability(
    kn_world *world, uint32_t ability, uint64_t before, const kn_cancel *cancel)
{
    uint32_t component = kni_ability_at(world, ability)->component;
    uint32_t count = 0;
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = actor->activations.count; i-- > 0 && !world->is_broken;) {
        actor = kni_actor_of(world, component);
        if (actor == NULL || i >= actor->activations.count) {
            continue;
        }
        uint32_t slot = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        const kni_activation *activation = kni_activation_at(world, slot);
        if (activation->ability == ability && activation->number < before &&
            (activation->flags & (KNI_ACTIVATION_FIXED | KNI_ACTIVATION_ENDING)) == 0) {
            kni_activation_cancel_now(world, slot, cancel);
            count++;
        }
    }
    return count;
}

static uint32_t cancelable_count(const kn_world *world, uint32_t ability)
{
    const kni_actor *actor = kni_actor_of(world, kni_ability_at(world, ability)->component);
    uint32_t count = 0;
    for (uint32_t i = 0; i < actor->activations.count; i++) {
        const kni_activation *activation =
            kni_activation_at(world, *KNI_SPAN_AT(world, actor->activations, uint32_t, i));
        count += activation->ability == ability &&
                 (activation->flags & (KNI_ACTIVATION_FIXED | KNI_ACTIVATION_ENDING)) == 0;
    }
    return count;
}

kn_result kni_ability_cancel(kn_world *world, kn_ability_id ability, const kn_cancel *cancel)
{
    uint32_t slot = kni_ability_find(world, ability);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (kni_is_held(world)) {
        return kni_postpone(world, &(kni_call){.kind = KNI_CALL_ABILITY_CANCEL,
                                       .index1 = ability.index1,
                                       .generation = ability.generation,
                                       .cancel = *cancel});
    }
    kn_result result = kni_enter(world);
    if (result == KN_OK) {
        kn_cancel own = *cancel; // it may be a view of memory that hooks move
        (void)cancel_ability(world, slot, world->next_number, &own);
        result = kni_leave(world, KN_OK);
    }
    return result;
}

kn_result kn_ability_cancel(kn_world *world, kn_ability_id ability)
{
    return kni_ability_cancel(world, ability, &(kn_cancel){.reason = KN_ENDED_CANCELLED});
}

kn_result kn_ability_cancel_with(kn_world *world, kn_ability_id ability, const kn_cancel *cancel)
{
    kn_result result = cancel_check(world, cancel);
    return result == KN_OK ? kni_ability_cancel(world, ability, cancel) : result;
}

static uint32_t cancel_matching(
    kn_world *world, kn_entity_id entity, const kn_ability_query *query, const kn_cancel *cancel)
{
    kn_ability_query active = query != NULL ? *query : kn_ability_query_default();
    active.is_active = true;
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE || kni_enter(world) != KN_OK) {
        return 0;
    }
    kni_ability_walk walk = kni_ability_walk_begin(world, component, &active);
    uint32_t total = 0, slot;
    while ((slot = kni_ability_walk_next(world, &walk)) != KNI_NONE) {
        if (kni_is_held(world)) {
            total += cancelable_count(world, slot);
            (void)kni_ability_cancel(world, kni_ability_id_of(world, slot), cancel);
        } else {
            total += cancel_ability(world, slot, walk.before, cancel);
        }
    }
    (void)kni_leave(world, KN_OK);
    return total;
}

uint32_t kn_abilities_cancel(kn_world *world, kn_entity_id entity, const kn_ability_query *query)
{
    return cancel_matching(world, entity, query, &(kn_cancel){.reason = KN_ENDED_CANCELLED});
}

uint32_t kn_abilities_cancel_with(
    kn_world *world, kn_entity_id entity, const kn_ability_query *query, const kn_cancel *cancel)
{
    if (cancel_check(world, cancel) != KN_OK) {
        return 0;
    }
    kn_cancel own = *cancel; // it may be a view of memory that hooks move
    return cancel_matching(world, entity, query, &own);
}

// Committing ----------------------------------------------------------------

// Those that started with the activation are not part of its first commit.
static kni_cooldown_which commit_cooldowns(
    const kn_world *world, uint32_t slot, const kni_ability_type *type)
{
    bool has_early = (type->flags & KNI_ABILITY_COOLS_EARLY) != 0;
    return has_early && (kni_activation_at(world, slot)->flags & KNI_ACTIVATION_COOLDOWN) == 0
               ? KNI_COOLDOWNS_LATE
               : KNI_COOLDOWNS_ALL;
}

// Publishes that a commit is refused, and why.
static kn_result commit_refused(
    kn_world *world, uint32_t slot, uint32_t parts, kn_tag_set *relevant)
{
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t ability = kni_activation_at(world, slot)->ability, reasons = 0;
    const kni_ability_type *type = kni_type_of_ability(world, ability);
    kni_cooldown_which which = commit_cooldowns(world, slot, type);
    uint64_t skip = kni_activation_at(world, slot)->keyed; // nor are those committed by key
    if ((parts & KN_COMMIT_COOLDOWN) != 0 && kni_cooldown_blocks(world, ability, which, skip)) {
        reasons |= KN_FAIL_COOLDOWN;
    }
    kni_price price;
    if ((parts & KN_COMMIT_COST) != 0 && (type->flags & KNI_ABILITY_HAS_COST) != 0 &&
        !kni_cost_price(world, ability, &price)) {
        reasons |= KN_FAIL_COST;
    }
    kn_tag tags[32];
    uint32_t count = relevant != NULL ? kn_ability_fail_tags(world, reasons, tags, 32) : 0;
    for (uint32_t i = 0; i < count; i++) {
        (void)kn_tag_set_add(relevant, tags[i]);
    }
    bool waits = relevant != NULL && (reasons & KN_FAIL_COOLDOWN) != 0;
    for (uint32_t i = 0; waits && i < kni_cooldown_count(type); i++) {
        kni_cooldown cooldown;
        bool is_known = kni_cooldown_at(world, ability, i, &cooldown);
        bool is_tag = i >= type->def.cooldown_count; // whatever grants it
        is_known &= is_tag || (skip >> i & 1) == 0;
        uint32_t key = cooldown.info.key.index1;
        if (key != 0 && (is_tag ? kni_has_tag(world, kni_ability_at(world, ability)->component, key)
                                : is_known && cooldown.info.wait > 0)) {
            (void)kn_tag_set_add(relevant, cooldown.info.key);
        }
    }
    kni_commit_event(world, KN_EVENT_ABILITY_FAILED, ability, kni_activation_id_of(world, slot),
        reasons, relevant != NULL ? kn_tag_set_view(relevant) : (kn_tags){NULL, 0}, NULL);
    failed_react(world, ability, kni_activation_id_of(world, slot), reasons, NULL);
    return kni_leave(world, kn_fail_result(reasons));
}

// The price from the check before the start, if it is certain to be unchanged. A cost that is not
// plain may depend on anything.
static const kni_price *commit_checked(
    const kn_world *world, kn_activation_id id, const kni_ability_type *type)
{
    const kni_starting *starting = world->starting;
    if (starting == NULL || !kn_activation_id_equal(starting->activation, id) ||
        (type->flags & KNI_ABILITY_PLAIN_COST) == 0) {
        return NULL;
    }
    uint32_t ability = kni_activation_at(world, id.index1 - 1)->ability;
    uint32_t component = kni_ability_at(world, ability)->component;
    bool is_same = kni_component_at(world, component)->version == starting->version;
    return is_same ? &starting->price : NULL;
}

static kn_result activation_commit(
    kn_world *world, kn_activation_id id, uint32_t parts, kn_tag_set *relevant)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t ability = kni_activation_at(world, slot)->ability;
    const kni_ability_type *type = kni_type_of_ability(world, ability);
    bool has_cost = (parts & KN_COMMIT_COST) != 0 && (type->flags & KNI_ABILITY_HAS_COST) != 0;
    bool has_cooldown =
        (parts & KN_COMMIT_COOLDOWN) != 0 && (type->flags & KNI_ABILITY_HAS_COOLDOWN) != 0;
    const kni_price *checked = commit_checked(world, id, type);
    kni_cooldown_which which = commit_cooldowns(world, slot, type);
    uint64_t skip = kni_activation_at(world, slot)->keyed; // nor are those committed by key
    KN_ASSERT(
        checked == NULL || !has_cooldown || !kni_cooldown_blocks(world, ability, which, skip));
    kni_price own;
    const kni_price *price = checked != NULL ? checked : &own;
    if (checked == NULL && ((has_cooldown && kni_cooldown_blocks(world, ability, which, skip)) ||
                               (has_cost && !kni_cost_price(world, ability, &own)))) {
        return commit_refused(world, slot, parts, relevant);
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t done = ((parts & KN_COMMIT_COST) != 0 ? (uint32_t)KNI_ACTIVATION_COST : 0) |
                    ((parts & KN_COMMIT_COOLDOWN) != 0 ? (uint32_t)KNI_ACTIVATION_COOLDOWN : 0);
    kni_activation_at(world, slot)->flags |= (uint16_t)done;
    kni_mark_activation(world, kni_activation_at(world, slot));
    if ((parts & KN_COMMIT_COOLDOWN) != 0) {
        kni_activation_at(world, slot)->keyed = 0;
    }
    if (has_cooldown) {
        kni_cooldown_start(world, ability, which, skip);
    }
    if (has_cost && kni_activation_find(world, id) != KNI_NONE) {
        kni_cost_pay(world, slot, price);
    }
    if (kni_activation_find(world, id) != KNI_NONE && !world->is_broken) {
        if (relevant != NULL) {
            kni_commit_event(
                world, KN_EVENT_ABILITY_COMMITTED, ability, id, 0, kn_tag_set_view(relevant), NULL);
        } else {
            kni_ability_event(world, KN_EVENT_ABILITY_COMMITTED, ability, id, 0, 0);
        }
        ability_react(world, KN_TRIGGER_ABILITY_COMMITTED, ability, id, NULL);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_activation_commit(kn_world *world, kn_activation_id activation)
{
    return activation_commit(world, activation, KN_COMMIT_ALL, NULL);
}

kn_result kn_activation_commit_cost(kn_world *world, kn_activation_id activation)
{
    return activation_commit(world, activation, KN_COMMIT_COST, NULL);
}

kn_result kn_activation_commit_cooldown(kn_world *world, kn_activation_id activation)
{
    return activation_commit(world, activation, KN_COMMIT_COOLDOWN, NULL);
}

kn_result kn_activation_commit_cooldown_key(kn_world *world, kn_activation_id id, kn_tag key)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t ability = kni_activation_at(world, slot)->ability, index = 0;
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    while (index < def->cooldown_count && def->cooldowns[index].key.index1 != key.index1) {
        index++;
    }
    if (index == def->cooldown_count) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (index >= 32) {
        return KN_REFUSED_LIMIT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kn_tags tags = {&key, key.index1 != 0 ? 1 : 0};
    if (kni_cooldown_one_blocks(world, ability, index)) {
        kni_commit_event(world, KN_EVENT_ABILITY_FAILED, ability, id, KN_FAIL_COOLDOWN, tags, NULL);
        return kni_leave(world, KN_REFUSED_COOLDOWN);
    }
    kni_activation *activation = kni_activation_at(world, slot);
    kni_mark_activation(world, activation);
    if ((activation->flags & KNI_ACTIVATION_COOLDOWN) == 0) { // until all are committed
        activation->keyed |= UINT32_C(1) << index;
    }
    kni_cooldown_use(world, ability, index);
    if (!world->is_broken) {
        kni_commit_event(world, KN_EVENT_ABILITY_COMMITTED, ability, id, 0, tags, NULL);
        ability_react(world, KN_TRIGGER_ABILITY_COMMITTED, ability, id, NULL);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_activation_commit_tagged(
    kn_world *world, kn_activation_id activation, uint32_t parts, kn_tag_set *relevant)
{
    bool ok = world != NULL && parts != 0 && (parts & ~(uint32_t)KN_COMMIT_ALL) == 0 &&
              (relevant == NULL || relevant->count <= KN_TAG_SET_MAX);
    for (uint32_t i = 0; ok && relevant != NULL && i < relevant->count; i++) {
        ok = relevant->data[i].index1 - 1 < kn_tag_count(world->library);
    }
    return ok ? activation_commit(world, activation, parts, relevant) : KN_ERROR_INVALID_ARGUMENT;
}

// Reading -------------------------------------------------------------------

bool kn_activation_is_alive(const kn_world *world, kn_activation_id activation)
{
    return kni_activation_find(world, activation) != KNI_NONE;
}

kn_ability_id kn_activation_ability(const kn_world *world, kn_activation_id activation)
{
    uint32_t slot = kni_activation_find(world, activation);
    return slot == KNI_NONE ? (kn_ability_id){0}
                            : kni_ability_id_of(world, kni_activation_at(world, slot)->ability);
}

kn_entity_id kn_activation_owner(const kn_world *world, kn_activation_id activation)
{
    uint32_t slot = kni_activation_find(world, activation);
    if (slot == KNI_NONE) {
        return (kn_entity_id){0};
    }
    uint32_t ability = kni_activation_at(world, slot)->ability;
    return kni_component_entity(world, kni_ability_at(world, ability)->component);
}

kn_time kn_activation_start(const kn_world *world, kn_activation_id activation)
{
    uint32_t slot = kni_activation_find(world, activation);
    return slot == KNI_NONE ? 0 : kni_activation_at(world, slot)->start;
}

// The state of an activation; NULL if there is none.
static const kni_span *activation_state(const kn_world *world, kn_activation_id id)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE) {
        return NULL;
    }
    const kni_activation *activation = kni_activation_at(world, slot);
    const kni_span *state = activation->state.count > 0
                                ? &activation->state
                                : &kni_ability_at(world, activation->ability)->state;
    return state->count > 0 ? state : NULL;
}

void *kn_activation_state(kn_world *world, kn_activation_id id)
{
    const kni_span *state = activation_state(world, id);
    if (state != NULL) {
        kni_mark_activation(world, kni_activation_at(world, id.index1 - 1)); // it may be written
    }
    return state != NULL ? kni_heap_at(&world->heap, state->ref) : NULL;
}

const void *kn_activation_read_state(const kn_world *world, kn_activation_id id)
{
    const kni_span *state = activation_state(world, id);
    return state != NULL ? kni_heap_at(&world->heap, state->ref) : NULL;
}

bool kn_activation_event(const kn_world *world, kn_activation_id activation, kn_event_record *event)
{
    uint32_t slot = kni_activation_find(world, activation);
    if (slot == KNI_NONE || kni_activation_at(world, slot)->payload1 == 0 || event == NULL) {
        return false;
    }
    kni_payload_view(world, kni_activation_at(world, slot)->payload1, event);
    return true;
}

// The event as it will be: others may have been activated with the same one.
static uint32_t event_with_targets(kn_world *world, uint32_t payload1, kn_target_view targets)
{
    kn_target_data data; // `targets` may be a view of memory that grows
    if (targets.size > 0) {
        memcpy(data.bytes, targets.data, targets.size);
    }
    kni_payload_copy copy = {.record = kn_event_record_default()};
    if (payload1 != 0 && !kni_payload_take(world, payload1, &copy)) {
        return 0;
    }
    copy.record.data = data.bytes;
    copy.record.data_size = targets.size;
    uint32_t stored1 = kni_payload_store(world, &copy.record, copy.record.tag.index1);
    if (payload1 != 0) {
        kni_payload_drop(world, &copy);
    }
    return stored1;
}

kn_result kn_activation_set_targets(kn_world *world, kn_activation_id id, kn_target_view targets)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE || (kni_activation_at(world, slot)->flags & KNI_ACTIVATION_ENDING) != 0) {
        return KN_REFUSED_STALE_ID;
    }
    if (targets.size > KN_TARGET_BYTES_MAX || !kn_target_is_valid(world->library, targets)) {
        return KN_ERROR_BAD_DATA;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t old1 = kni_activation_at(world, slot)->payload1;
    uint32_t stored1 = event_with_targets(world, old1, targets);
    if (stored1 != 0) {
        kni_activation *activation = kni_activation_at(world, slot);
        activation->payload1 = stored1;
        kni_mark_activation(world, activation);
        if (old1 != 0) {
            kni_payload_release(world, old1);
        }
    }
    return kni_leave(world, KN_OK);
}

uint32_t kn_activations(
    const kn_world *world, kn_entity_id entity, kn_activation_id *out, uint32_t capacity)
{
    uint32_t component = kni_component_find(world, entity);
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    uint32_t count = actor == NULL ? 0 : actor->activations.count;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = kni_activation_id_of(world, *KNI_SPAN_AT(world, actor->activations, uint32_t, i));
    }
    return count;
}

uint64_t kn_activation_seed(const kn_world *world, kn_activation_id activation)
{
    uint32_t slot = kni_activation_find(world, activation);
    return slot != KNI_NONE ? kni_activation_at(world, slot)->seed : 0;
}

float kn_activation_random(const kn_world *world, kn_activation_id activation, uint32_t index)
{
    return kni_activation_find(world, activation) != KNI_NONE
               ? kni_random_mix(kn_activation_seed(world, activation), index)
               : 0.0f;
}

// Input ---------------------------------------------------------------------

kn_result kn_input_bind(kn_world *world, kn_entity_id entity, uint32_t confirm, uint32_t cancel)
{
    kn_result result;
    kni_actor *actor = kni_actor_enter(world, entity, &result);
    if (actor == NULL) {
        return result;
    }
    if (actor->confirm != confirm || actor->cancel != cancel) {
        actor->confirm = confirm;
        actor->cancel = cancel;
        kni_mark(world, actor->component, KN_PART_ENTITY);
    }
    return kni_leave(world, KN_OK);
}

static void pressed_tell(kn_world *world, uint32_t ability, bool is_pressed)
{
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    void (*hook)(const kn_ability_call *call) =
        is_pressed ? def->input_pressed : def->input_released;
    kn_ability_id id = kni_ability_id_of(world, ability);
    kn_ability_info info;
    (void)kn_ability_get(world, id, &info);
    if (def->sends_input || (def->body == KN_BODY_HELD && !is_pressed)) {
        kni_request(world, ability, info.latest,
            is_pressed ? KN_REQUEST_PART_PRESS : KN_REQUEST_PART_RELEASE, NULL, 0);
    }
    if (hook != NULL) {
        kn_ability_call call = kni_ability_call_of(world, ability, info.latest);
        hook(&call);
    }
    if (kni_ability_find(world, id) != KNI_NONE) {
        kni_tasks_input(world, ability, is_pressed);
    }
}

// `payload1` is the event of the press, or 0; `connection` that of the client who pressed, 0 for
// this machine.
static void press_one(kn_world *world, uint32_t ability, uint32_t payload1, uint32_t connection)
{
    kni_ability *a = kni_ability_at(world, ability);
    a->flags |= KNI_ABILITY_PRESSED;
    kni_mark_ability(world, a);
    if (a->active_count > 0) {
        pressed_tell(world, ability, true);
    } else if (!kni_type_of_ability(world, ability)->def.no_activation_by_input) {
        kn_event_record event;
        if (payload1 != 0) {
            kni_payload_view(world, payload1, &event);
        }
        kn_ability_id id = kni_ability_id_of(world, ability);
        const kn_event_record *record = payload1 != 0 ? &event : NULL;
        (void)(connection != 0 ? kn_peer_activate(world, connection, id, record, NULL)
                               : kn_ability_activate(world, id, record, NULL));
    }
}

static void release_one(kn_world *world, uint32_t ability)
{
    kni_ability_at(world, ability)->flags &= (uint16_t)~KNI_ABILITY_PRESSED;
    kni_mark_ability(world, kni_ability_at(world, ability));
    if (kni_ability_at(world, ability)->active_count > 0) {
        pressed_tell(world, ability, false);
    }
}

static kn_result input_change(kn_world *world, kn_entity_id entity, uint32_t number,
    bool is_pressed, const kn_event_record *event, uint32_t connection)
{
    if (number == 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE || kni_actor_of(world, component) == NULL) {
        return kni_entity_find(world, entity) == KNI_NONE ? KN_REFUSED_STALE_ID : KN_OK;
    }
    kn_result result = event != NULL ? kni_record_check(world, event) : KN_OK;
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    const kni_actor *actor = kni_actor_of(world, component);
    bool is_confirm = number == actor->confirm, is_cancel = number == actor->cancel;
    if (is_pressed && ((is_confirm && kni_tasks_confirm(world, component, true)) ||
                          (is_cancel && kni_tasks_confirm(world, component, false)))) {
        return kni_leave(world, KN_OK); // a task waited for it
    }
    kn_ability_query query = kn_ability_query_default();
    query.input = number;
    uint32_t payload1 = event != NULL ? kni_payload_store(world, event, event->tag.index1) : 0;
    kni_ability_walk walk = kni_ability_walk_begin(world, component, &query);
    uint32_t ability;
    while ((ability = kni_ability_walk_next(world, &walk)) != KNI_NONE) {
        if (is_pressed) {
            press_one(world, ability, payload1, connection);
        } else {
            release_one(world, ability);
        }
    }
    if (payload1 != 0 && !world->is_broken) {
        kni_payload_release(world, payload1);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_input_press(kn_world *world, kn_entity_id entity, uint32_t number)
{
    return input_change(world, entity, number, true, NULL, 0);
}

kn_result kn_input_press_with(
    kn_world *world, kn_entity_id entity, uint32_t number, const kn_event_record *event)
{
    return input_change(world, entity, number, true, event, 0);
}

kn_result kn_peer_press(kn_world *world, uint32_t connection, kn_entity_id entity, uint32_t number,
    const kn_event_record *event)
{
    if (kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (world->def.is_client || connection == 0 ||
        connection != kn_entity_connection(world, entity)) {
        return KN_REFUSED_BLOCKED;
    }
    if (event != NULL && event->data_size > 0 &&
        !kn_target_is_valid(world->library, (kn_target_view){event->data, event->data_size})) {
        return KN_ERROR_BAD_DATA;
    }
    return input_change(world, entity, number, true, event, connection);
}

kn_result kn_input_release(kn_world *world, kn_entity_id entity, uint32_t number)
{
    return input_change(world, entity, number, false, NULL, 0);
}

static kn_result input_answer(kn_world *world, kn_entity_id entity, bool is_confirmed)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE) {
        return kni_entity_find(world, entity) == KNI_NONE ? KN_REFUSED_STALE_ID
                                                          : KN_REFUSED_NOT_FOUND;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    bool heard = kni_tasks_confirm(world, component, is_confirmed);
    return kni_leave(world, heard ? KN_OK : KN_REFUSED_NOT_FOUND);
}

kn_result kn_input_confirm(kn_world *world, kn_entity_id entity)
{
    return input_answer(world, entity, true);
}

kn_result kn_input_cancel(kn_world *world, kn_entity_id entity)
{
    return input_answer(world, entity, false);
}
