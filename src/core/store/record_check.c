// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What makes each record of a world good. A save that is read may hold anything; a world that runs
// holds what the library put there. Both are judged here, so that whatever can be saved can be
// loaded.

#include "store/store.h"

#include <math.h>

// Ends a function that returns a kni_problem, unless the condition holds.
#define HOLDS(condition, what)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return (kni_problem){what, #condition, __FILE__, __LINE__};                            \
        }                                                                                          \
    } while (0)

static const kni_problem check_ok = {NULL, NULL, NULL, 0};

// Numbers of living things are below the next one.
static bool number_is_good(const kn_world *world, uint64_t number)
{
    return (uint32_t)number != 0 && number < world->next_number;
}

static bool time_between(kn_time time, kn_time first, kn_time last)
{
    return time >= first && time <= last;
}

static bool time_is_coming(const kn_world *world, kn_time time)
{
    return time == KN_TIME_INFINITE || time_between(time, world->now, KN_TIME_MAX);
}

// Sorted, without zero, none twice: as the API keeps lists by number.
static bool list_is_sorted(const kn_world *world, const kni_span *span, size_t size)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < span->count; i++) {
        uint32_t key;
        memcpy(&key, kni_span_at(&world->heap, span, i, size), sizeof(key));
        if (key <= before) {
            return false;
        }
        before = key;
    }
    return true;
}

static const char unknown_word[] = "a field of a state has a number without a word";

// The state at the front of a record's bytes.
static bool state_words_are_good(
    const kn_world *world, kni_bytes which, const void *record, const kni_span *bytes)
{
    const kni_fields *state = kni_bytes_state(world, which, record);
    return bytes->count < state->size || bytes->count == 0 ||
           kni_words_are_good(state, kni_heap_at(&world->heap, bytes->ref));
}

// Entities and components ---------------------------------------------------

kni_problem kni_entity_problem(const kn_world *world, uint32_t slot)
{
    uint32_t generation = kni_entity_at(world, slot)->generation;
    HOLDS(generation != 0, "an entity has an invalid number");
    // Half a number says nothing once the numbers have outgrown it.
    HOLDS(world->next_number > UINT32_MAX || generation < world->next_number,
        "an entity has an invalid number");
    return check_ok;
}

kni_problem kni_extension_problem(
    const kn_world *world, const kni_extension *extension, const kni_extension_head *head)
{
    HOLDS((head->generation != 0) == extension->is_several, "a component has an invalid number");
    HOLDS(world->next_number > UINT32_MAX || head->generation < world->next_number,
        "a component has an invalid number");
    return check_ok;
}

kni_problem kni_parents_problem(const kn_world *world, uint32_t slot)
{
    uint32_t at = slot, steps = 0;
    for (kn_entity_id parent = kni_component_at(world, at)->parent; parent.index1 != 0;
         parent = kni_component_at(world, at)->parent) {
        at = kni_component_find(world, parent);
        HOLDS(at != KNI_NONE, "a component has the wrong parent");
        HOLDS(kn_entity_id_equal(kni_component_entity(world, at), parent),
            "a component has the wrong parent");
        steps++;
        HOLDS(steps < KNI_PARENT_CHAIN_MAX,
            "parents of components form a cycle, or a chain that is too long");
    }
    HOLDS(kni_component_at(world, at)->parent.generation == 0, "a component has the wrong parent");
    return check_ok;
}

kni_value_place kni_value_place_of(
    const kn_world *world, uint32_t component, const kni_set_instance *instance, uint32_t index)
{
    const kni_set *set = kni_set_at(world->library, instance->set);
    return (kni_value_place){component, instance->first + index, instance->key, set,
        kni_attribute_at(world->library, set->attributes[index])};
}

bool kni_value_is_derivable(const kni_value_place *place)
{
    return place->set->hooks.pre_change == NULL && place->attribute->def.link != KN_LINK_KEEP &&
           (place->attribute->flags & KNI_ATTRIBUTE_META) == 0;
}

float kni_value_expected(const kn_world *world, const kni_value_place *place)
{
    const kni_component *component = kni_component_at(world, place->component);
    const kni_attribute *attribute = place->attribute;
    const kni_value *value = &kni_values_of(world, component)[place->position];
    float current = value->aggregator1 == 0 ? value->base
                                            : kni_attribute_raw(world, place->component,
                                                  place->position, attribute, value->base, NULL);
    float minimum, maximum;
    kni_bounds(world, component, attribute, place->key, false, &minimum, &maximum);
    current = kni_bounded(current, minimum, maximum);
    current = kni_round(attribute->def.rounding, attribute->def.minimum_one, current, value->base);
    return kni_bounded(current, minimum, maximum);
}

// Effects and specs ---------------------------------------------------------

static bool rare_lists_are_sorted(const kn_world *world, const kni_rare *rare)
{
    return list_is_sorted(world, &rare->caller, sizeof(kni_pair)) &&
           list_is_sorted(world, &rare->named, sizeof(kni_pair)) &&
           list_is_sorted(world, &rare->granted, sizeof(uint32_t)) &&
           list_is_sorted(world, &rare->asset, sizeof(uint32_t)) &&
           list_is_sorted(world, &rare->source_tags, sizeof(uint32_t));
}

kni_problem kni_rare_problem(
    const kn_world *world, const kni_rare *rare, const kni_effect_type *type, bool is_settled)
{
    static const char times[] = "an effect has invalid times";
    HOLDS(rare->magnitudes.count == 0 || rare->magnitudes.count == type->modifier_count,
        "an effect has the wrong number of modifiers");
    HOLDS(rare->captures.count == type->capture_count || (rare->captures.count == 0 && !is_settled),
        "an effect has the wrong number of captures");
    HOLDS((rare->payload_type != 0) == (rare->payload != 0), "a context has lost its payload");
    HOLDS(rare->has_source_tags <= 1 && rare->has_origin <= 1, times);
    HOLDS(rare->given <= (KNI_GIVEN_DURATION | KNI_GIVEN_PERIOD), times);
    HOLDS(time_between(rare->period, 0, KN_TIME_MAX), times);
    HOLDS(rare->paused >= -1, times);
    HOLDS(rare->state == 0 || kni_words_are_good(kni_rare_blocks(world, type, 0).state,
                                  kni_heap_at(&world->heap, rare->state)),
        unknown_word);
    if (!is_settled) {
        return check_ok;
    }
    HOLDS(rare->base_duration == KN_TIME_INFINITE ||
              time_between(rare->base_duration, 0, KN_TIME_MAX),
        times);
    HOLDS(rare->paused <= KN_TIME_MAX - world->now, times);
    HOLDS(time_between(rare->last_tick, 0, world->now), times);
    HOLDS(kn_target_is_valid(world->library, kni_targets_view(world, &rare->targets)),
        "a context has malformed target data");
    HOLDS(rare_lists_are_sorted(world, rare),
        "a tag or name is missing from a list, or appears in it twice");
    return check_ok;
}

static kni_problem effect_times_problem(
    const kn_world *world, const kni_effect *effect, bool is_settled)
{
    static const char times[] = "an effect has invalid times";
    const kni_effect_type *type = kni_type_at(world, effect->type);
    bool is_endless = effect->duration == KN_TIME_INFINITE;
    HOLDS(time_between(effect->start, 0, world->now), times);
    HOLDS(is_endless || time_between(effect->duration, 0, KN_TIME_MAX - effect->start), times);
    HOLDS(effect->next_tick == KN_TIME_INFINITE || (type->flags & KNI_EFFECT_PERIODIC) != 0,
        "an effect has an invalid next tick");
    if (!is_settled) {
        return check_ok;
    }
    HOLDS(is_endless == (type->def.duration_kind == KN_DURATION_INFINITE) ||
              (is_endless && (type->flags & KNI_EFFECT_OWN_TIMERS) != 0),
        times);
    HOLDS(is_endless || kni_effect_end_time(effect) >= world->now, times);
    HOLDS(effect->next_tick == KN_TIME_INFINITE ||
              (kni_effect_period(world, effect) > 0 && time_is_coming(world, effect->next_tick)),
        "an effect has an invalid next tick");
    return check_ok;
}

// Stacks with timers of their own: as many as the effect says, and the first to end ends it.
static kni_problem effect_stacks_problem(const kn_world *world, const kni_effect *effect)
{
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_rare *rare = effect->rare1 != 0 ? kni_rare_at(world, effect->rare1) : NULL;
    uint32_t timers = rare != NULL ? rare->stacks.count : 0;
    if ((type->flags & KNI_EFFECT_OWN_TIMERS) == 0) {
        HOLDS(timers == 0, "an effect has timers it cannot have");
        return check_ok;
    }
    for (uint32_t i = 0; i < timers; i++) {
        const kni_stack *stack = KNI_SPAN_AT(world, rare->stacks, kni_stack, i);
        HOLDS(time_between(stack->start, 0, world->now), "a stack has invalid times");
        HOLDS(time_is_coming(world, stack->end), "a stack has invalid times");
    }
    HOLDS(timers == effect->stacks, "the stacks of an effect do not add up");
    HOLDS(kni_stacks_next_end(world, effect) == kni_effect_end_time(effect),
        "the stacks of an effect do not add up");
    return check_ok;
}

static kni_problem effect_rare_problem(
    const kn_world *world, const kni_rare *rare, const kni_effect_type *type)
{
    HOLDS((rare->state == 0) == (kni_rare_blocks(world, type, 0).size[KNI_BLOCK_STATE] == 0),
        "an effect has lost the state of its logic");
    for (uint32_t i = 0; i < rare->children.count; i++) {
        const kni_child_link *link = KNI_SPAN_AT(world, rare->children, kni_child_link, i);
        HOLDS(link->child < type->def.child_count, "an effect has a child it cannot have");
    }
    return check_ok;
}

kni_problem kni_effect_problem(const kn_world *world, uint32_t slot, bool is_settled)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    HOLDS((type->flags & KNI_EFFECT_ACTIVE) != 0, "an instant effect is active");
    HOLDS((type->flags & KNI_EFFECT_NEEDS_RARE) == 0 || effect->rare1 != 0,
        "an effect has lost its captures, timers or state");
    uint32_t flags = effect->flags & KNI_ACTIVE_STATE;
    bool is_off = (flags & KNI_ACTIVE_INHIBITED) != 0;
    bool is_attached = (flags & KNI_ACTIVE_ATTACHED) != 0;
    HOLDS(!is_off || (type->flags & KNI_EFFECT_ONGOING) != 0, "an effect is neither on nor off");
    if (is_settled) {
        bool may_have_cues = (type->def.cue_needs_success & KN_CUE_PHASE_ADDED) != 0 && !is_off;
        uint32_t known = KNI_ACTIVE_INHIBITED | KNI_ACTIVE_ATTACHED;
        known |= may_have_cues ? KNI_ACTIVE_CUES : 0;
        HOLDS((flags & ~known) == 0, "an effect is neither on nor off");
        HOLDS(is_off != is_attached, "an effect is neither on nor off");
    }
    HOLDS(number_is_good(world, effect->number), "an effect has an invalid number or target");
    HOLDS(effect->stacks > 0, "an effect has an invalid number or target");
    HOLDS(kni_pool_is_live(&world->components, effect->component),
        "an effect has an invalid number or target");
    HOLDS(isfinite(effect->level), "a number is not finite");
    kni_problem problem = check_ok;
    if (effect->rare1 != 0 && is_settled) {
        problem = effect_rare_problem(world, kni_rare_at(world, effect->rare1), type);
    }
    if (problem.what != NULL) {
        return problem;
    }
    HOLDS(
        kni_grants_parked_are_good(world, slot), "an effect has removed a grant it cannot remove");
    problem = effect_times_problem(world, effect, is_settled);
    return problem.what != NULL || !is_settled ? problem : effect_stacks_problem(world, effect);
}

kni_problem kni_spec_problem(const kn_world *world, uint32_t slot, bool is_settled)
{
    static const char numbers[] = "a spec has invalid numbers";
    const kni_spec *spec = kni_pool_at(&world->specs, slot);
    HOLDS(number_is_good(world, spec->number), numbers);
    HOLDS(spec->rare1 != 0, numbers);
    if (!is_settled) {
        return check_ok;
    }
    HOLDS(spec->flags <= 1, numbers);
    HOLDS(spec->duration <= KN_TIME_MAX, numbers);
    HOLDS(spec->period <= KN_TIME_MAX && spec->period != 0, numbers);
    const kni_rare *rare = kni_rare_at(world, spec->rare1);
    HOLDS(rare->stacks.count == 0 && rare->children.count == 0 && rare->state == 0 &&
              rare->magnitudes.count == 0 && rare->parked == 0,
        "a spec has data that only active effects have");
    return check_ok;
}

kni_problem kni_rule_timer_problem(const kn_world *world, uint32_t slot, bool is_settled)
{
    static const char wrong[] = "a timer has an invalid time or owner";
    const kni_rule_timer *timer = kni_pool_at(&world->timers, slot);
    HOLDS(number_is_good(world, timer->number), wrong);
    HOLDS(timer->type < kni_ref_count(world->library, KN_DEF_TIMER), wrong);
    // One that fires has no time.
    HOLDS(!is_settled || time_between(timer->time, world->now, KN_TIME_MAX), wrong);
    HOLDS(timer->entity.index1 == 0 || kni_entity_find(world, timer->entity) != KNI_NONE, wrong);
    return check_ok;
}

kni_problem kni_watch_problem(const kn_world *world, uint32_t slot)
{
    static const char wrong[] = "a watch has an invalid number, entity or value";
    const kni_watch *watch = kni_pool_at(&world->watches, slot);
    HOLDS(number_is_good(world, watch->number), wrong);
    HOLDS(watch->type < kni_ref_count(world->library, KN_DEF_WATCH), wrong);
    const kn_watch_def *def =
        &KNI_ITEM(world->library, KN_DEF_WATCH, const kni_watch_type, watch->type)->def;
    bool needs_entity =
        def->kind != KN_WATCH_TRIGGER || def->trigger == KN_TRIGGER_ATTRIBUTE_CHANGED;
    HOLDS(watch->entity.index1 == 0 ? !needs_entity
                                    : kni_entity_find(world, watch->entity) != KNI_NONE,
        wrong);
    HOLDS(watch->owner.index1 == 0 || kni_entity_find(world, watch->owner) != KNI_NONE, wrong);
    HOLDS(watch->flags <= (KNI_WATCH_ONCE | KNI_WATCH_HOLDS) && isfinite(watch->value), wrong);
    HOLDS(watch->component_type.index1 <= kni_ref_count(world->library, KN_DEF_COMPONENT), wrong);
    HOLDS(watch->state.count == kni_bytes_state(world, KNI_BYTES_WATCH, watch)->size,
        "the state of a watch has the wrong size");
    HOLDS(state_words_are_good(world, KNI_BYTES_WATCH, watch, &watch->state), unknown_word);
    return check_ok;
}

kni_problem kni_tag_block_problem(const kn_world *world, uint32_t slot)
{
    static const char wrong[] = "a block has an invalid number, tag, entity or source";
    const kni_tag_block *block = kni_tag_block_at(world, slot);
    HOLDS(number_is_good(world, block->number), wrong);
    HOLDS(block->tag != 0 && block->tag <= kn_tag_count(world->library), wrong);
    uint32_t component = kni_component_find(world, block->entity);
    HOLDS(component != KNI_NONE, wrong);
    HOLDS(kn_entity_id_equal(kni_component_entity(world, component), block->entity), wrong);
    HOLDS(block->source.index1 == 0 || kni_entity_find(world, block->source) != KNI_NONE, wrong);
    return check_ok;
}

kni_problem kni_switch_problem(const kn_world *world, uint32_t slot)
{
    static const char wrong[] = "a system that was switched is neither on nor off";
    const kni_switch *changed = kni_pool_at(&world->switches, slot);
    HOLDS(changed->system < kni_ref_count(world->library, KN_DEF_SYSTEM), wrong);
    HOLDS(changed->is_on <= 1, wrong);
    return check_ok;
}

// Abilities -----------------------------------------------------------------

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

kni_problem kni_ability_problem(const kn_world *world, uint32_t slot)
{
    static const char wrong[] = "an ability has an invalid number, owner or list";
    const uint32_t known =
        KNI_ABILITY_PRESSED | KNI_ABILITY_REMOVING | KNI_ABILITY_ONCE | KNI_ABILITY_PARKED;
    const kni_ability *ability = kni_ability_at(world, slot);
    HOLDS(number_is_good(world, ability->number), wrong);
    HOLDS(has_actor(world, ability->component), wrong);
    HOLDS(ability->grants != 0, wrong);
    HOLDS(isfinite(ability->level), wrong);
    HOLDS(ability->caller.count <= KN_ABILITY_VALUES_MAX, wrong);
    HOLDS(ability->named.count <= KN_ABILITY_VALUES_MAX, wrong);
    HOLDS((ability->flags & KNI_ABILITY_STATE & ~known) == 0, wrong);
    HOLDS(list_is_sorted(world, &ability->tags, sizeof(uint32_t)), wrong);
    HOLDS(list_is_sorted(world, &ability->caller, sizeof(kni_pair)), wrong);
    HOLDS(list_is_sorted(world, &ability->named, sizeof(kni_pair)), wrong);
    HOLDS(ability->state.count == kni_bytes_state(world, KNI_BYTES_ABILITY, ability)->size,
        "the state of an ability has changed its layout");
    HOLDS(state_words_are_good(world, KNI_BYTES_ABILITY, ability, &ability->state), unknown_word);
    HOLDS(granting_is_good(world, ability),
        "an ability was granted by an effect that cannot grant it");
    return check_ok;
}

kni_problem kni_activation_problem(const kn_world *world, uint32_t slot)
{
    static const char wrong[] = "an activation has an invalid number or ability";
    static const char layout[] = "the state of an activation has changed its layout";
    const uint32_t known = KNI_ACTIVATION_FIXED | KNI_ACTIVATION_BLOCKS | KNI_ACTIVATION_COST |
                           KNI_ACTIVATION_COOLDOWN | KNI_ACTIVATION_BY_EVENT |
                           KNI_ACTIVATION_BY_PRESENCE | KNI_ACTIVATION_CUES;
    const kni_activation *activation = kni_activation_at(world, slot);
    HOLDS(number_is_good(world, activation->number), wrong);
    HOLDS(kni_pool_is_live(&world->abilities, activation->ability), wrong);
    HOLDS(time_between(activation->start, 0, world->now), wrong);
    HOLDS((activation->flags & KNI_ACTIVATION_STATE & ~known) == 0, wrong);
    HOLDS(activation->payload1 == 0 || kni_pool_is_live(&world->payloads, activation->payload1 - 1),
        wrong);
    HOLDS(list_is_sorted(world, &activation->paid, sizeof(kni_pair)), wrong);
    const kn_ability_def *def = &kni_type_of_ability(world, activation->ability)->def;
    HOLDS(def->cooldown_count >= 32 || activation->keyed >> def->cooldown_count == 0, wrong);
    HOLDS(activation->state.count == kni_bytes_state(world, KNI_BYTES_ACTIVATION, activation)->size,
        layout);
    HOLDS(def->instancing != KN_INSTANCING_NONE, layout);
    HOLDS(state_words_are_good(world, KNI_BYTES_ACTIVATION, activation, &activation->state),
        unknown_word);
    return check_ok;
}

kni_problem kni_charge_problem(const kn_world *world, uint32_t slot)
{
    static const char changed[] = "a cooldown has changed its definition";
    static const char numbers[] = "a cooldown has invalid numbers";
    const kni_charge *charge = kni_charge_at(world, slot);
    const kn_ability_def *def = &kni_ability_type_at(world->library, charge->type)->def;
    HOLDS(charge->cooldown < def->cooldown_count, changed);
    HOLDS(def->cooldowns[charge->cooldown].key.index1 == charge->key, changed);
    HOLDS(number_is_good(world, charge->number), numbers);
    HOLDS(has_actor(world, charge->component), numbers);
    // Either shared by a key, or of one ability.
    HOLDS((charge->key == 0) == (charge->ability1 != 0), numbers);
    HOLDS(charge->ability1 == 0 || kni_pool_is_live(&world->abilities, charge->ability1 - 1),
        numbers);
    HOLDS(charge->charges <= charge->max, numbers);
    HOLDS(charge->has_tag == 0 || (charge->has_tag == 1 && charge->key != 0), numbers);
    HOLDS(time_is_coming(world, charge->end), numbers);
    HOLDS(time_between(charge->start, 0, world->now), numbers);
    HOLDS(
        charge->next_use == 0 || time_between(charge->next_use, world->now, KN_TIME_MAX), numbers);
    HOLDS(charge->speed >= 0.0f, numbers);
    HOLDS(isfinite(charge->level), numbers);
    HOLDS(time_between(charge->left, 0, KN_TIME_MAX), numbers);
    HOLDS(charge->by_use <= 1 && charge->borrowed <= 1000000, numbers);
    HOLDS(charge->borrowed == 0 || charge->end != KN_TIME_INFINITE, numbers);
    HOLDS(time_between(charge->early, 0, KN_TIME_MAX), numbers);
    HOLDS(time_between(charge->used, 0, world->now), numbers);
    HOLDS(time_between(charge->length, 0, KN_TIME_MAX), numbers);
    HOLDS(charge->ability1 == 0 ||
              kni_ability_at(world, charge->ability1 - 1)->component == charge->component,
        "a cooldown has the wrong owner");
    return check_ok;
}

kni_problem kni_payload_problem(const kn_world *world, uint32_t slot)
{
    static const char wrong[] = "an event has an invalid number, or no owner";
    const kni_payload *payload = kni_payload_at(world, slot);
    HOLDS(number_is_good(world, payload->number), wrong);
    HOLDS(payload->has_instigator_tags <= 1 && payload->has_target_tags <= 1, wrong);
    HOLDS(isfinite(payload->magnitude), wrong);
    return check_ok;
}

// Tasks and cues ------------------------------------------------------------

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

kni_problem kni_task_problem(const kn_world *world, uint32_t slot)
{
    static const char numbers[] = "a task has invalid numbers";
    static const char times[] = "a task has invalid times or data";
    const kni_task *task = kni_task_at(world, slot);
    HOLDS(number_is_good(world, task->number), numbers);
    HOLDS(kni_pool_is_live(&world->activations, task->activation), numbers);
    HOLDS(task->kind != 0 && task->kind < KN_TASK_KIND_COUNT, numbers);
    HOLDS(isfinite(task->value), numbers);
    HOLDS(time_between(task->interval, 0, KN_TIME_MAX), numbers);
    HOLDS(time_between(task->start, 0, world->now), numbers);
    if ((task->flags & KNI_TASK_STARTED) != 0) {
        HOLDS(time_is_coming(world, task->due), times);
        HOLDS(time_is_coming(world, task->timeout), times);
    } else {
        HOLDS(task->due == KN_TIME_INFINITE && task->timeout > 0, times);
    }
    HOLDS(task->kind != KN_TASK_REPEAT || task->interval != 0, times);
    HOLDS(kni_sync_is_good(task), numbers);
    HOLDS(task_data_is_good(world, task), times);
    HOLDS(state_words_are_good(world, KNI_BYTES_TASK, task, &task->data), unknown_word);
    HOLDS(task->attribute != 0 ||
              (task->kind != KN_TASK_ATTRIBUTE && task->kind != KN_TASK_THRESHOLD),
        "a task does not name the attribute it waits for");
    return check_ok;
}

kni_problem kni_command_problem(const kn_world *world, uint32_t slot)
{
    static const char numbers[] = "a command has invalid numbers";
    const kni_command *command = kni_command_at(world, slot);
    HOLDS(number_is_good(world, command->number), numbers);
    HOLDS(command->type1 != 0, numbers);
    const kni_command_type *type =
        KNI_ITEM(world->library, KN_DEF_COMMAND, kni_command_type, command->type1 - 1);
    HOLDS(command->view >= 0 && command->view <= KN_TIME_MAX, numbers);
    HOLDS(command->payload.count == type->def.size, numbers);
    HOLDS(
        command->payload.count == 0 || kni_command_payload_problem(world->library, type,
                                           kni_heap_at(&world->heap, command->payload.ref)) == NULL,
        numbers);
    HOLDS(command->targets.count == 0 || type->def.has_targets, numbers);
    HOLDS(kn_target_is_valid(world->library, kni_targets_view(world, &command->targets)), numbers);
    bool is_batch = command->type1 == kn_command_type_batch().index1;
    HOLDS(is_batch ? command->part == 0 && command->parts - 1 < KN_COMMAND_PARTS_MAX
                   : command->parts == 0 && command->part <= KN_COMMAND_PARTS_MAX,
        "a batch of commands has the wrong parts");
    return check_ok;
}

kni_problem kni_cue_problem(const kn_world *world, uint32_t slot)
{
    static const char numbers[] = "a cue has invalid numbers";
    const kni_cue *cue = kni_cue_at(world, slot);
    uint32_t size = cue->payload_type == 0 ? 0
                                           : KNI_ITEM(world->library, KN_DEF_CONTEXT,
                                                 kni_context_type, cue->payload_type - 1)
                                                 ->size;
    HOLDS(number_is_good(world, cue->number), numbers);
    HOLDS(has_actor(world, cue->component), numbers);
    HOLDS(cue->tag != 0 && cue->count != 0, numbers);
    HOLDS(isfinite(cue->magnitude) && isfinite(cue->change) && isfinite(cue->normalised), numbers);
    HOLDS(isfinite(cue->effect_level) && isfinite(cue->ability_level), numbers);
    HOLDS(cue->flags <= (KNI_CUE_HAS_LOCATION | KNI_CUE_HAS_NORMAL), numbers);
    HOLDS(cue->payload.count == size, numbers);
    HOLDS(kn_target_is_valid(world->library, kni_targets_view(world, &cue->targets)), numbers);
    return check_ok;
}
