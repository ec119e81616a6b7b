// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The life of an active effect after it was stored: it is attached and detached, inhibited and acts
// again, gains and loses stacks, ends.

#include "effect/effect.h"

// Attaching and detaching ---------------------------------------------------

static void tags_change(kn_world *world, uint32_t slot, int32_t change)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    uint32_t component = effect->component;
    bool edits = (type->flags & KNI_EFFECT_EDITS) != 0;
    if (edits && change < 0) {
        kni_tags_show(world, component); // tags it hid are shown again before its own are removed
    }
    for (uint32_t i = 0; i < type->granted_count; i++) {
        kni_tag_change(world, component, type->granted[i].index1, KN_TAG_ORIGIN_EFFECT, change);
    }
    uint32_t rare1 = kni_effect_at(world, slot)->rare1;
    for (uint32_t i = 0; rare1 != 0 && i < kni_rare_at(world, rare1)->granted.count; i++) {
        uint32_t tag = *KNI_SPAN_AT(world, kni_rare_at(world, rare1)->granted, uint32_t, i);
        kni_tag_change(world, component, tag, KN_TAG_ORIGIN_EFFECT, change);
    }
    bool blocks = (type->flags & KNI_EFFECT_BLOCKS) != 0;
    for (uint32_t i = 0; blocks && i < type->def.blocked_ability_tags.count; i++) {
        kni_blocked_change(world, component, type->def.blocked_ability_tags.data[i].index1, change);
    }
    if (edits && change > 0) {
        kni_tags_show(world, component);
    }
}

// Whether its modifiers are in lists while it is active; those of ticks are not.
static bool type_has_lists(const kni_effect_type *type)
{
    return type->modifier_count > 0 && (type->flags & KNI_EFFECT_PERIODIC) == 0;
}

static void owned_count_change(kn_world *world, uint32_t slot, int32_t change)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & (KNI_EFFECT_OWNED | KNI_EFFECT_GATES | KNI_EFFECT_EDITS)) == 0) {
        return;
    }
    kni_component *component = kni_component_at(world, effect->component);
    if ((type->flags & KNI_EFFECT_OWNED) != 0) {
        component->owned_count += (uint32_t)change;
    }
    if ((type->flags & KNI_EFFECT_GATES) != 0) {
        component->gate_count += (uint32_t)change;
    }
    if ((type->flags & KNI_EFFECT_EDITS) != 0) {
        component->edit_count += (uint32_t)change;
    }
}

void kni_effect_attach(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if ((effect->flags & KNI_ACTIVE_ATTACHED) != 0) {
        return;
    }
    effect->flags |= KNI_ACTIVE_ATTACHED;
    kni_mark_effect(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    // Modifiers last: their hooks may end the effect.
    owned_count_change(world, slot, 1);
    tags_change(world, slot, 1);
    if (type_has_lists(type)) {
        kni_targets_walk(world, slot, kni_modifiers_attach);
    }
}

void kni_effect_detach(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if ((effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
        return;
    }
    effect->flags &= (uint16_t)~KNI_ACTIVE_ATTACHED;
    kni_mark_effect(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    owned_count_change(world, slot, -1);
    tags_change(world, slot, -1);
    if (type_has_lists(type)) {
        kni_targets_walk(world, slot, kni_modifiers_detach);
    }
}

static void rules_about_effect(kn_world *world, kn_trigger trigger, uint32_t slot,
    uint32_t old_count, uint32_t count, kn_removal_reason reason);

static void effect_event(kn_world *world, kn_event_type type, uint32_t slot, uint32_t old_count,
    uint32_t count, kn_removal_reason reason)
{
    if (!kni_wants(world, type)) {
        return;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_event *event = kni_emit(world, type, kni_component_entity(world, effect->component));
    event->data.effect.effect = kni_effect_id_of(world, slot);
    event->data.effect.type.index1 = (uint32_t)effect->type + 1;
    event->data.effect.count = count;
    event->data.effect.old_count = old_count;
    event->data.effect.reason = reason;
    event->data.effect.source = effect->source;
    event->data.effect.by = (kn_effect_id){0};
    event->data.effect.level = effect->level;
}

// Schedules the next tick of an effect that acts again: after the rest that a pause left, or a full
// period.
static void tick_resume(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_time rest = kni_effect_period(world, effect);
    if (effect->rare1 != 0) {
        kni_rare *rare = kni_rare_at(world, effect->rare1);
        rare->last_tick = rare->paused >= 0 ? world->now - rare->last_tick : world->now;
        rest = rare->paused >= 0 ? rare->paused : rest;
        rare->paused = -1;
    }
    kni_effect_schedule_tick(world, slot, world->now + rest);
}

// Inhibits an effect, or lets it act again.
static void effect_inhibit(kn_world *world, uint32_t slot, bool off)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    kn_effect_id id = kni_effect_id_of(world, slot);
    bool is_periodic = (type->flags & KNI_EFFECT_PERIODIC) != 0;
    kn_inhibit_period policy = type->def.inhibit_period;
    if (off) {
        effect->flags |= KNI_ACTIVE_INHIBITED;
        if (is_periodic && policy != KN_INHIBIT_NEVER_RESET) {
            if (policy == KN_INHIBIT_PAUSE && effect->next_tick != KN_TIME_INFINITE) {
                kni_rare *rare = kni_rare_at(world, effect->rare1);
                rare->paused = effect->next_tick - world->now;
                rare->last_tick = world->now - rare->last_tick;
            }
            kni_effect_schedule_tick(world, slot, KN_TIME_INFINITE);
        }
        kni_effect_detach(world, slot);
    } else {
        effect->flags &= (uint16_t)~KNI_ACTIVE_INHIBITED;
        kni_effect_attach(world, slot);
    }
    if (kni_effect_find(world, id) == KNI_NONE) {
        return;
    }
    effect_event(world, KN_EVENT_EFFECT_INHIBITED, slot, off, !off, (kn_removal_reason)0);
    rules_about_effect(world, KN_TRIGGER_EFFECT_INHIBITED, slot, off, !off, (kn_removal_reason)0);
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    if (off) {
        kni_effect_cues_end(world, slot, true);
    } else {
        kni_effect_cues_begin(world, slot);
    }
    if ((type->flags & KNI_EFFECT_LOGIC) != 0) {
        kni_logic_call call = {.kind = KNI_LOGIC_INHIBITED, .is_inhibited = off};
        kni_logic_notify(world, &spec, &call);
    }
    if ((type->flags & KNI_EFFECT_GRANTS) != 0 && kni_effect_find(world, id) != KNI_NONE) {
        world->above->grants_follow(world, slot, off);
    }
    if (off || !is_periodic || kni_effect_find(world, id) == KNI_NONE) {
        return;
    }
    if (policy == KN_INHIBIT_EXECUTE_AND_RESET && !kni_tick(world, slot)) {
        return;
    }
    if (policy != KN_INHIBIT_NEVER_RESET) {
        tick_resume(world, slot);
    }
}

// An owned entity may now pass, or fail, the filter of an owner-wide effect.
static void owned_refilter(kn_world *world, uint32_t slot, uint32_t component)
{
    if (kni_owned_meets(world, slot, component)) {
        kni_modifiers_attach(world, slot, component);
    } else {
        kni_modifiers_detach(world, slot, component);
    }
}

static void effect_recheck(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    effect->flags &= (uint16_t)~KNI_ACTIVE_QUEUED;
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((kni_component_at(world, effect->component)->flags & KNI_COMPONENT_DYING) != 0) {
        return;
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    if ((type->flags & KNI_EFFECT_REMOVAL) != 0 && kni_conditions_met(&spec, &type->def.removal)) {
        kni_effect_end(world, slot, KN_REMOVED_REQUIREMENT);
        return;
    }
    if ((type->flags & KNI_EFFECT_ONGOING) != 0) {
        bool off = !kni_conditions_met(&spec, &type->def.ongoing);
        if (off != ((effect->flags & KNI_ACTIVE_INHIBITED) != 0)) {
            effect_inhibit(world, slot, off);
        }
    }
    if (kni_effect_find(world, id) == KNI_NONE) {
        return;
    }
    if ((type->flags & (KNI_EFFECT_CONTINUOUS | KNI_EFFECT_LIVE)) != 0) {
        kni_targets_walk(world, slot, kni_modifiers_refresh);
    }
    if ((type->flags & KNI_EFFECT_OWNED) != 0 && kni_effect_find(world, id) != KNI_NONE &&
        (kni_effect_at(world, slot)->flags & KNI_ACTIVE_ATTACHED) != 0) {
        kni_targets_walk(world, slot, owned_refilter);
    }
}

void kni_effect_recheck(kn_world *world, uint32_t slot)
{
    // Effects that inhibit each other forever form a chain, and chains are limited.
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_TAG, kni_component_entity(world, effect->component),
            kni_effect_id_of(world, slot), kni_type_id(kni_type_at(world, effect->type)), 0,
            &previous)) {
        kni_effect_at(world, slot)->flags &= (uint16_t)~KNI_ACTIVE_QUEUED;
        // The effect stays as it is; its modifiers still follow the tags, which cannot repeat
        // forever.
        if ((kni_effect_at(world, slot)->flags & KNI_ACTIVE_ATTACHED) != 0) {
            kni_targets_walk(world, slot, kni_modifiers_refresh);
        }
        return;
    }
    effect_recheck(world, slot);
    kni_cause_end(world, previous);
}

// Logic, cues, events, children ---------------------------------------------

static void reaction_context(kn_reaction *reaction, const kni_rare *rare)
{
    reaction->ability = rare->ability;
    reaction->activation = rare->activation;
    reaction->causer = rare->causer;
    reaction->object = rare->source_object;
}

static void rules_about_effect(kn_world *world, kn_trigger trigger, uint32_t slot,
    uint32_t old_count, uint32_t count, kn_removal_reason reason)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    uint32_t component = effect->component;
    if (!kni_is_heard(world, component, trigger)) {
        return;
    }
    kn_reaction reaction = {.trigger = trigger,
        .entity = kni_component_entity(world, effect->component),
        .old_count = old_count,
        .new_count = count,
        .effect = kni_effect_id_of(world, slot),
        .effect_type = {(uint32_t)effect->type + 1},
        .reason = reason,
        .instigator = effect->source,
        .level = effect->level};
    if (effect->rare1 != 0) {
        reaction_context(&reaction, kni_rare_at(world, effect->rare1));
    }
    kni_react_all(world, component, &reaction);
}

void kni_executed_react(kn_world *world, const kn_spec_view *spec)
{
    kn_reaction reaction = {.trigger = KN_TRIGGER_EFFECT_EXECUTED,
        .entity = spec->target,
        .old_count = spec->tick,
        .new_count = spec->stacks,
        .effect = kn_spec_view_effect(spec),
        .effect_type = kni_type_id(spec->type),
        .instigator = spec->source,
        .level = spec->level,
        .ability = kn_spec_view_ability(spec)};
    if (spec->rare1 != 0) {
        reaction_context(&reaction, kni_rare_at(world, spec->rare1));
    }
    kni_react_all(world, spec->target_component, &reaction);
}

static kn_time time_left(const kn_world *world, kn_time end)
{
    return end == KN_TIME_INFINITE ? end : end > world->now ? end - world->now : 0;
}

void kni_effect_reannounce(kn_world *world, const kni_application *application, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    bool has_logic = (kni_type_at(world, effect->type)->flags & KNI_EFFECT_LOGIC) != 0;
    if (!has_logic && !kni_is_heard(world, effect->component, KN_TRIGGER_EFFECT_REAPPLIED)) {
        return;
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_spec_view made = application->spec;
    made.effect = slot;
    made.stacks = application->put;
    if (application->took_over) {
        made.rare1 = effect->rare1; // merging has exchanged them
    }
    kn_effect_reapplication again = {.application = &made,
        .source = made.source,
        .instigator = kn_spec_view_instigator(&made),
        .causer = kn_spec_view_causer(&made),
        .ability = kn_spec_view_ability(&made),
        .activation = kn_spec_view_activation(&made),
        .took_over = application->took_over,
        .level = made.level,
        .stacks = application->put,
        .old_stacks = application->old_stacks,
        .new_stacks = effect->stacks,
        .source_object = kn_spec_view_source_object(&made),
        .old_remaining = time_left(world, application->old_end),
        .new_remaining = time_left(world, kni_effect_end_time(effect))};
    again.has_origin = kn_spec_view_origin(&made, &again.origin);
    kn_reaction reaction = {.trigger = KN_TRIGGER_EFFECT_REAPPLIED,
        .entity = made.target,
        .old_count = again.old_stacks,
        .new_count = again.new_stacks,
        .effect = id,
        .effect_type = kni_type_id(made.type),
        .instigator = again.source,
        .ability = again.ability,
        .activation = again.activation,
        .causer = again.causer,
        .level = again.level,
        .object = again.source_object,
        .old_remaining = again.old_remaining,
        .new_remaining = again.new_remaining};
    kni_react_all(world, made.target_component, &reaction);
    if (has_logic) {
        kn_spec_view spec;
        kni_view_of_effect(world, slot, &spec);
        kni_logic_call call = {.kind = KNI_LOGIC_REAPPLIED, .again = &again};
        kni_logic_notify(world, &spec, &call);
    }
}

// Publishes that an effect became active, and notifies its logic, rules and children.
void kni_effect_announce(kn_world *world, uint32_t slot)
{
    uint32_t stacks = kni_effect_at(world, slot)->stacks;
    effect_event(world, KN_EVENT_EFFECT_APPLIED, slot, 0, stacks, (kn_removal_reason)0);
    rules_about_effect(world, KN_TRIGGER_EFFECT_APPLIED, slot, 0, stacks, (kn_removal_reason)0);
}

// Stacks --------------------------------------------------------------------

void kni_effect_joined_publish(kn_world *world, uint32_t slot)
{
    uint32_t stacks = kni_effect_at(world, slot)->stacks;
    effect_event(world, KN_EVENT_EFFECT_STACKS, slot, stacks, stacks, (kn_removal_reason)0);
}

void kni_effect_set_count(kn_world *world, uint32_t slot, uint32_t count, kn_removal_reason reason)
{
    kni_effect *effect = kni_effect_at(world, slot);
    uint32_t old = effect->stacks;
    if (count == old) {
        return;
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    float cue = kni_cue_magnitude(world, slot);
    effect->stacks = count;
    kni_mark_effect(world, slot);
    kni_magnitudes_compute(world, slot, false);
    kni_targets_walk(world, slot, kni_modifiers_refresh);
    if (kni_effect_find(world, id) == KNI_NONE) {
        return;
    }
    effect_event(world, KN_EVENT_EFFECT_STACKS, slot, old, count, reason);
    rules_about_effect(world, KN_TRIGGER_EFFECT_STACKS, slot, old, count, reason);
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    if ((type->flags & KNI_EFFECT_LOGIC) != 0) {
        kni_logic_call call = {.kind = KNI_LOGIC_STACKS, .old_count = old, .new_count = count};
        kni_logic_notify(world, &spec, &call);
        if (kni_effect_find(world, id) == KNI_NONE) {
            return;
        }
    }
    if ((type->flags & KNI_EFFECT_RAISES) != 0) {
        kni_raise(world, &spec, count > old ? KN_RAISE_STACK_GAINED : KN_RAISE_STACK_LOST);
    }
    if (!type->def.no_cue_on_stack) {
        kni_effect_cues_changed(world, slot, kni_cue_magnitude(world, slot) != cue);
    }
    if ((type->flags & KNI_EFFECT_CHILDREN) != 0) {
        kni_children_start(world, &spec, KN_CHILD_COUNT_REACHED, old, count);
        kni_children_start(world, &spec, KN_CHILD_COUNT_HELD, old, count);
        for (uint32_t i = 0; i < type->def.child_count; i++) {
            const kn_child_def *child = &type->def.children[i];
            if (child->when == KN_CHILD_COUNT_HELD && old >= child->count && count < child->count) {
                kni_children_end(world, slot, i, false);
            }
        }
    }
}

// Ending --------------------------------------------------------------------

// A hook asks for its end: until that is taken from the queue the effect acts, but nothing joins
// it.
static void end_later(kn_world *world, uint32_t slot, kn_removal_reason reason)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if ((effect->flags & KNI_ACTIVE_LEAVING) == 0) {
        effect->flags |= KNI_ACTIVE_LEAVING;
        kni_queued *queued = kni_react(world, KNI_REACT_REMOVE);
        queued->effect.id = kni_effect_id_of(world, slot);
        queued->effect.reason = reason;
    }
}

// The index of an effect in the list of its component, which is in order of creation; KNI_NONE if
// it is not there. Bisects a long list, then searches from the end.
static uint32_t effect_place(const kn_world *world, const kni_component *component, uint32_t slot)
{
    const uint32_t *list = KNI_SPAN_AT(world, component->effects, const uint32_t, 0);
    uint64_t number = kni_effect_at(world, slot)->number;
    uint32_t begin = 0, end = component->effects.count;
    while (end - begin > 32) {
        uint32_t middle = begin + (end - begin) / 2;
        if (kni_effect_at(world, list[middle])->number <= number) {
            begin = middle;
        } else {
            end = middle;
        }
    }
    while (end-- > begin) {
        if (list[end] == slot) {
            return end;
        }
    }
    return KNI_NONE;
}

void kni_effect_end(kn_world *world, uint32_t slot, kn_removal_reason reason)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if ((effect->flags & KNI_ACTIVE_REMOVING) != 0) {
        return;
    }
    if (kni_is_held(world)) {
        end_later(world, slot, reason);
        return;
    }
    effect->flags |= KNI_ACTIVE_REMOVING;
    kni_mark_effect(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    uint32_t component = effect->component;
    uint32_t stacks = effect->stacks;
    if (effect->next_tick != KN_TIME_INFINITE) {
        effect->next_tick = KN_TIME_INFINITE;
        kni_wheel_cancelled(&world->wheel);
    }
    kni_effect_end_cancelled(world, effect);
    kni_captures_register(world, slot, false);
    kni_effect_detach(world, slot);

    // Removes it from the component's list.
    kni_component *c = kni_component_at(world, component);
    uint32_t place = effect_place(world, c, slot);
    if (place != KNI_NONE) { // else it was removed with others, see kni_entity_destroy_now()
        kni_span_remove(&world->heap, &c->effects, place, sizeof(uint32_t));
    }
    if ((type->flags & (KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL | KNI_EFFECT_CONTINUOUS)) != 0) {
        c->watch_count--;
    }
    effect_event(world, KN_EVENT_EFFECT_REMOVED, slot, stacks, 0, reason);
    rules_about_effect(world, KN_TRIGGER_EFFECT_REMOVED, slot, stacks, 0, reason);

    const uint32_t tells = KNI_EFFECT_LOGIC | KNI_EFFECT_CUES | KNI_EFFECT_RAISES |
                           KNI_EFFECT_CHILDREN | KNI_EFFECT_GRANTS;
    if ((type->flags & tells) != 0) {
        bool early = kn_removal_is_premature(reason);
        kn_spec_view spec;
        kni_view_of_effect(world, slot, &spec);
        if ((type->flags & KNI_EFFECT_GRANTS) != 0) {
            world->above->grants_end(world, slot);
        }
        if ((type->flags & KNI_EFFECT_LOGIC) != 0) {
            kni_logic_call call = {.kind = KNI_LOGIC_REMOVED, .reason = reason};
            kni_logic_notify(world, &spec, &call);
        }
        if ((kni_effect_at(world, slot)->flags & KNI_ACTIVE_INHIBITED) == 0) {
            kni_effect_cues_end(world, slot, early);
        }
        if ((type->flags & KNI_EFFECT_RAISES) != 0) {
            kni_raise(world, &spec, early ? KN_RAISE_REMOVED_EARLY : KN_RAISE_EXPIRED);
        }
        if ((type->flags & KNI_EFFECT_CHILDREN) != 0) {
            kni_children_end(world, slot, 0, true);
            kni_children_start(
                world, &spec, early ? KN_CHILD_REMOVED_EARLY : KN_CHILD_EXPIRED, stacks, 0);
            kni_children_start(world, &spec, KN_CHILD_ENDED, stacks, 0);
        }
    }
    if (kni_effect_at(world, slot)->rare1 != 0) {
        kni_rare_release(world, kni_effect_at(world, slot)->rare1, type);
    }
    kni_pool_release(&world->effects, slot);
}
