// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Applying an effect, in the order that the public effect.h states. Short paths for instant effects
// and for plain lasting ones do the same as the general path, without what such effects do not
// have.

#include "effect/effect.h"
#include "effect/effect_stack.h"

#include <math.h>

kn_effect_apply_def kn_effect_apply_def_default(void)
{
    kn_effect_apply_def def = {.level = 1.0f, .duration = -1, .period = -1, .cookie = KN_COOKIE};
    return def;
}

// Gates ---------------------------------------------------------------------

static void blocked_event(
    kn_world *world, kn_event_type type, const kn_spec_view *spec, uint32_t gate, uint32_t count)
{
    if (!kni_wants(world, type)) {
        return;
    }
    kn_event *event = kni_emit(world, type, spec->target);
    memset(&event->data, 0, sizeof(event->data));
    event->data.effect.type = kni_type_id(spec->type);
    event->data.effect.count = count;
    event->data.effect.source = spec->source;
    event->data.effect.by = kni_effect_id_of(world, gate);
}

// Whether an effect does anything besides its modifiers and executions, not counting cues.
static bool has_more_than_numbers(const kn_world *world, const kn_spec_view *spec)
{
    const uint32_t more = KNI_EFFECT_GATES | KNI_EFFECT_CHILDREN | KNI_EFFECT_RAISES |
                          KNI_EFFECT_GRANTS | KNI_EFFECT_LOGIC | KNI_EFFECT_REMOVES |
                          KNI_EFFECT_BLOCKS | KNI_EFFECT_EDITS;
    return (spec->type->flags & more) != 0 || spec->type->granted_count > 0 ||
           (spec->rare1 != 0 && kni_rare_at(world, spec->rare1)->granted.count > 0);
}

// Parts that a gate disables are bits in the rare record. Returns the gate if nothing is left of
// the effect.
static uint32_t gate_parts(kn_world *world, kn_spec_view *spec, const kni_gate_subject *subject)
{
    const kni_effect_type *type = spec->type;
    if ((type->flags & KNI_EFFECT_PARTS) == 0) {
        return KNI_NONE;
    }
    uint64_t off_modifiers = 0, off_executions = 0;
    uint32_t gate, count = 0;
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        kn_tags tags = type->modifiers[i].def->tags;
        if (tags.count > 0 &&
            kni_gate_blocks_part(world, spec->target_component, subject, tags, &gate)) {
            off_modifiers |= UINT64_C(1) << i;
            count++;
            blocked_event(world, KN_EVENT_EFFECT_PART_BLOCKED, spec, gate, i);
        }
    }
    for (uint32_t i = 0; i < type->def.execution_count; i++) {
        kn_tags tags = type->def.executions[i].tags;
        if (tags.count > 0 &&
            kni_gate_blocks_part(world, spec->target_component, subject, tags, &gate)) {
            off_executions |= UINT64_C(1) << i;
            count++;
            blocked_event(
                world, KN_EVENT_EFFECT_PART_BLOCKED, spec, gate, type->modifier_count + i);
        }
    }
    if (count == 0) {
        return KNI_NONE;
    }
    if (count == type->modifier_count + type->def.execution_count &&
        !has_more_than_numbers(world, spec)) {
        return gate;
    }
    if (spec->rare1 == 0) {
        spec->rare1 = kni_rare_acquire(world);
    }
    if (spec->rare1 != 0) {
        kni_rare_at(world, spec->rare1)->off_modifiers |= off_modifiers;
        kni_rare_at(world, spec->rare1)->off_executions |= off_executions;
    }
    return KNI_NONE;
}

kn_event_record kni_application_record(const kn_spec_view *spec)
{
    kn_event_record record = kn_event_record_default();
    record.kind = kn_event_kind_effect_application();
    record.instigator = spec->source;
    record.target = spec->target;
    record.effect = spec;
    return record;
}

static kn_result apply_gates(kn_world *world, kni_application *application)
{
    kn_spec_view *spec = &application->spec;
    bool target_gates = kni_component_at(world, spec->target_component)->gate_count > 0;
    bool source_gates = spec->source_component != KNI_NONE &&
                        kni_component_at(world, spec->source_component)->gate_count > 0;
    if (application->ignore_gates || (!target_gates && !source_gates)) {
        return KN_OK;
    }
    kn_event_record record = kni_application_record(spec);
    kni_gate_subject subject = {&record, spec, 1, spec->source_component, &application->gate};
    uint32_t gate = KNI_NONE;
    spec->said = application->given;
    if (source_gates) {
        gate = kni_gate_find(world, spec->source_component, true, &subject);
    }
    if (gate == KNI_NONE && target_gates) {
        gate = kni_gate_find(world, spec->target_component, false, &subject);
    }
    if (gate == KNI_NONE && target_gates) {
        gate = gate_parts(world, spec, &subject);
    }
    spec->said = NULL;
    if (gate != KNI_NONE) {
        blocked_event(world, KN_EVENT_EFFECT_BLOCKED, spec, gate, 0);
        application->by = kni_effect_id_of(world, gate);
        return KN_REFUSED_BLOCKED;
    }
    return KN_OK;
}

// Requirements --------------------------------------------------------------

kn_result kni_application_chance(const kni_application *application, float *chance)
{
    kn_spec_view spec = application->spec;
    spec.stacks = application->stacks > 0 ? application->stacks : 1;
    return kni_magnitude(&spec, &spec.type->def.chance, KNI_NONE, chance);
}

static kn_result apply_requirements(kn_world *world, kni_application *application)
{
    kn_spec_view *spec = &application->spec;
    const kni_effect_type *type = spec->type;
    const kn_effect_def *def = &type->def;
    if ((type->flags & KNI_EFFECT_APPLICATION) != 0 &&
        !kni_conditions_met(spec, &def->application)) {
        return KN_REFUSED_REQUIREMENT;
    }
    if ((type->flags & KNI_EFFECT_REMOVAL) != 0 && kni_conditions_met(spec, &def->removal)) {
        return KN_REFUSED_REQUIREMENT;
    }
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        float value = kn_spec_view_parameter(spec, def->parameters[i].name, NAN);
        if (def->parameters[i].required && isnan(value)) {
            return KN_REFUSED_MISSING_VALUE;
        }
    }
    if ((type->flags & KNI_EFFECT_REQUIREMENT) != 0) {
        const kni_requirement *requirement = KNI_ITEM(
            world->library, KN_DEF_REQUIREMENT, kni_requirement, def->requirement.index1 - 1);
        kn_effect_id existing = {0};
        kn_requirement_answer answer = KN_REQUIREMENT_ALLOW;
        if (requirement->function != NULL) {
            spec->said = application->given;
            kni_hold(world);
            answer = requirement->function(requirement->user, world, spec, &existing);
            kni_release(world);
            spec->said = NULL;
            if (answer != KN_REQUIREMENT_DENY) {
                application->given->reason = KN_OK; // it refuses nothing, whatever it said
            }
        } else {
            float value;
            kn_result result =
                kni_expression_of_spec(spec, requirement->formula.code, KNI_NONE, &value);
            if (result != KN_OK) {
                return result;
            }
            answer = value != 0.0f ? KN_REQUIREMENT_ALLOW : KN_REQUIREMENT_DENY;
        }
        if (answer == KN_REQUIREMENT_HANDLED) {
            application->effect =
                kni_effect_find(world, existing) != KNI_NONE ? existing : (kn_effect_id){0};
            application->is_handled = true;
            return KN_OK;
        }
        if (answer != KN_REQUIREMENT_ALLOW) {
            return KN_REFUSED_CUSTOM;
        }
    }
    if ((type->flags & KNI_EFFECT_CHANCE) != 0) {
        float chance;
        kn_result result = kni_application_chance(application, &chance);
        if (result != KN_OK) {
            return result;
        }
        application->chance = chance;
        // A certain outcome draws no random number.
        if (chance <= 0.0f ||
            (chance < 1.0f && kn_random_float(world, KN_STREAM_CHANCE) >= chance)) {
            return KN_REFUSED_CHANCE;
        }
    }
    return KN_OK;
}

// Magnitudes ----------------------------------------------------------------

static kn_result apply_magnitudes(kn_world *world, kn_spec_view *spec)
{
    const kni_effect_type *type = spec->type;
    if ((type->flags & KNI_EFFECT_PLAIN_MODIFIERS) != 0) {
        return KN_OK;
    }
    kni_rare *rare = kni_rare_at(world, spec->rare1);
    if (rare->magnitudes.count == 0 && type->modifier_count > 0) {
        if (!kni_span_reserve(&world->heap, &world->memory, &rare->magnitudes, type->modifier_count,
                sizeof(float))) {
            kni_break(world);
            return KN_ERROR_OUT_OF_MEMORY;
        }
        rare->magnitudes.count = type->modifier_count;
    }
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        float *place = KNI_SPAN_AT(world, kni_rare_at(world, spec->rare1)->magnitudes, float, i);
        *place = 0.0f;
        if (modifier->has_requirement && modifier->def->when == KN_REQUIREMENT_TIME_APPLIED &&
            !kni_modifier_requirement(spec, i)) {
            kni_rare_at(world, spec->rare1)->off_modifiers |= UINT64_C(1) << i;
        }
        float value;
        kn_result result = kni_modifier_magnitude(spec, i, &value);
        if (result != KN_OK) {
            return result;
        }
        *KNI_SPAN_AT(world, kni_rare_at(world, spec->rare1)->magnitudes, float, i) = value;
    }
    return KN_OK;
}

// Storing -------------------------------------------------------------------

static bool state_begin(kn_world *world, uint32_t slot)
{
    const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, slot)->type);
    uint32_t size =
        KNI_ITEM(world->library, KN_DEF_EFFECT_LOGIC, kni_logic, type->def.logic.index1 - 1)
            ->def.state_size;
    if (size == 0) {
        return true;
    }
    kni_ref ref = kni_heap_acquire(&world->heap, &world->memory, size);
    if (ref == 0) {
        kni_break(world);
        return false;
    }
    memset(kni_heap_at(&world->heap, ref), 0, size);
    kni_rare_at(world, kni_effect_at(world, slot)->rare1)->state = ref;
    return true;
}

// Creates the active effect and its timers; nothing acts yet.
static uint32_t effect_store(
    kn_world *world, const kn_spec_view *spec, uint32_t count, kn_time duration, kn_time period)
{
    const kni_effect_type *type = spec->type;
    uint32_t slot = kni_pool_acquire(&world->effects, &world->memory);
    if (slot == KNI_NONE) {
        kni_break(world);
        return KNI_NONE;
    }
    kni_component *component = kni_component_at(world, spec->target_component);
    uint32_t *place =
        kni_span_push(&world->heap, &world->memory, &component->effects, sizeof(uint32_t));
    if (place == NULL) {
        kni_break(world);
        return KNI_NONE;
    }
    *place = slot;
    uint64_t number = kni_number_next(world);
    kni_effect *effect = kni_effect_at(world, slot);
    effect->number = number;
    effect->source = spec->source;
    effect->start = world->now;
    effect->duration = duration;
    effect->next_tick = KN_TIME_INFINITE;
    effect->type = (uint16_t)(type->index1 - 1);
    effect->component = spec->target_component;
    effect->stacks = count;
    effect->level = spec->level;
    effect->rare1 = spec->rare1;
    kni_mark_effect(world, slot);
    if ((type->flags & (KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL | KNI_EFFECT_CONTINUOUS)) != 0) {
        component->watch_count++;
    }
    if (effect->rare1 != 0) {
        kni_rare *rare = kni_rare_at(world, effect->rare1);
        rare->period = period != type->period ? period : 0;
        rare->base_duration = duration;
        rare->last_tick = world->now;
        if ((type->flags & KNI_EFFECT_OWN_TIMERS) != 0 &&
            !kni_stack_begin_timers(world, spec, slot, count, duration)) {
            return KNI_NONE;
        }
        if ((type->flags & KNI_EFFECT_LOGIC) != 0 && !state_begin(world, slot)) {
            return KNI_NONE;
        }
        kn_spec_view view = *spec;
        view.effect = slot;
        kni_pool_fill(world, &view);
    }
    if (duration != KN_TIME_INFINITE) {
        kni_timer_add(world, world->now + duration, number, slot, KNI_TIMER_EXPIRY);
    }
    if ((type->flags & KNI_EFFECT_OWN_TIMERS) != 0) {
        kni_stacks_reschedule(world, slot); // the common timer may end first
    }
    if (period > 0) {
        kni_effect_schedule_tick(world, slot, world->now + period);
    }
    return slot;
}

// Removes effects on the target with certain tags, except the new one.
static void remove_by_tags(kn_world *world, const kn_spec_view *spec, kn_effect_id own)
{
    kn_tags tags = spec->type->def.remove_effects_with;
    for (uint32_t i = kni_component_at(world, spec->target_component)->effects.count; i-- > 0;) {
        const kni_component *target = kni_component_at(world, spec->target_component);
        if (i >= target->effects.count) {
            continue;
        }
        uint32_t slot = *KNI_SPAN_AT(world, target->effects, uint32_t, i);
        if (kn_effect_id_equal(kni_effect_id_of(world, slot), own)) {
            continue;
        }
        kn_spec_view view;
        kni_view_of_effect(world, slot, &view);
        if (kni_spec_has_any_tag(&view, tags, true, true)) {
            kni_effect_end(world, slot, KN_REMOVED_BY_EFFECT);
        }
    }
}

// Modifiers on absent attributes wait for them, which is reported, once.
static void report_parked(kn_world *world, const kni_effect_type *type, uint32_t component)
{
    if ((type->flags & (KNI_EFFECT_PERIODIC | KNI_EFFECT_OWNED)) != 0) {
        return;
    }
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        if (modifier->attribute != KNI_NONE &&
            kni_position_keyed(world, kni_component_at(world, component), modifier->attribute,
                modifier->key) == KNI_NONE) {
            kni_emit_error(world, KN_REFUSED_MISSING_ATTRIBUTE,
                kni_component_entity(world, component), type->index1, modifier->attribute + 1, i);
            kni_log_missing(world, type->index1, modifier->attribute, component);
        }
    }
}

// What follows for effects with more than modifiers and tags, in the stated order.
static void apply_more_consequences(
    kn_world *world, const kni_application *application, bool is_new)
{
    kn_spec_view spec = application->spec;
    const kni_effect_type *type = spec.type;
    if ((type->flags & KNI_EFFECT_REMOVES) != 0) {
        remove_by_tags(world, &spec, application->effect);
        world->above->effect_cancels(world, &spec, false);
    }
    bool is_active = application->effect.index1 != 0;
    uint32_t slot = kni_effect_find(world, application->effect);
    if (!is_new) {
        spec.rare1 = 0; // what the merge left
    }
    if (is_active && slot == KNI_NONE) {
        return; // removed again, with something it removed
    }
    if (is_active) {
        kni_view_of_effect(world, slot, &spec);
    }
    if ((type->flags & KNI_EFFECT_CHILDREN) != 0) {
        kni_children_start(world, &spec, KN_CHILD_APPLIED, 0, spec.stacks);
        if (is_new && is_active) {
            kni_children_start(world, &spec, KN_CHILD_COUNT_REACHED, 0, spec.stacks);
            kni_children_start(world, &spec, KN_CHILD_COUNT_HELD, 0, spec.stacks);
        }
    }
    if ((type->flags & KNI_EFFECT_CUES) != 0 && is_new && is_active) {
        kni_effect_cues_begin(world, slot);
    }
    if ((type->flags & KNI_EFFECT_RAISES) != 0) {
        kni_raise(world, &spec, KN_RAISE_APPLIED);
    }
    if (!is_new) {
        if (is_active) {
            kni_effect_reannounce(world, application, slot);
        }
        return;
    }
    if (is_active) {
        kni_effect_announce(world, slot);
    }
    if ((type->flags & KNI_EFFECT_LOGIC) != 0) {
        kni_logic_call call = {.kind = is_active ? KNI_LOGIC_APPLIED : KNI_LOGIC_EXECUTED};
        kni_logic_notify(world, &spec, &call);
    }
}

// Everything that follows once the effect acts.
static void apply_consequences(kn_world *world, const kni_application *application, bool is_new)
{
    const uint32_t more = KNI_EFFECT_REMOVES | KNI_EFFECT_CHILDREN | KNI_EFFECT_CUES |
                          KNI_EFFECT_RAISES | KNI_EFFECT_LOGIC;
    if ((application->spec.type->flags & more) != 0) {
        apply_more_consequences(world, application, is_new);
        return;
    }
    uint32_t slot = kni_effect_find(world, application->effect);
    if (slot == KNI_NONE) {
        return; // instant, or removed again
    }
    if (is_new) {
        kni_effect_announce(world, slot);
    } else {
        kni_effect_reannounce(world, application, slot);
    }
}

// Like calls, applications stop at 65,535 of a tag; a parent counts its children's tags too.
bool kni_tags_have_room(const kn_world *world, const kn_spec_view *spec)
{
    for (uint32_t at = spec->target_component; at != KNI_NONE;
         at = kni_component_find(world, kni_component_at(world, at)->parent)) {
        for (uint32_t i = 0; i < spec->type->granted_count; i++) {
            if (!kni_tag_can_change(world, at, spec->type->granted[i].index1, 1)) {
                return false;
            }
        }
        uint32_t dynamic = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->granted.count : 0;
        for (uint32_t i = 0; i < dynamic; i++) {
            uint32_t tag =
                *KNI_SPAN_AT(world, kni_rare_at(world, spec->rare1)->granted, uint32_t, i);
            if (!kni_tag_can_change(world, at, tag, 1)) {
                return false;
            }
        }
    }
    return true;
}

static kn_result apply_active(
    kn_world *world, kni_application *application, kn_time duration, kn_time period)
{
    kn_spec_view *spec = &application->spec;
    const kni_effect_type *type = spec->type;
    kni_stack_plan plan = kni_stack_plan_make(world, application);
    if (plan.existing != KNI_NONE) {
        application->by = kni_effect_id_of(world, plan.existing);
    }
    if (plan.result != KN_OK) {
        if (plan.existing != KNI_NONE) {
            kni_stack_deny(world, application, plan.existing);
        }
        return plan.result;
    }
    if (plan.existing != KNI_NONE) {
        kn_result result = kni_exclusive_judge(application, plan.count);
        if (result == KN_OK) {
            result = kni_stack_merge(world, application, plan.existing, duration);
        }
        if (result == KN_OK) {
            kni_exclusive_replace(world, spec, application->effect);
            apply_consequences(world, application, false);
        }
        return result;
    }
    if (!kni_tags_have_room(world, spec)) {
        return KN_REFUSED_LIMIT;
    }
    if ((type->flags & KNI_EFFECT_EXCLUSIVE) != 0) {
        kn_result judged = kni_exclusive_judge(application, plan.count);
        if (judged != KN_OK) {
            return judged;
        }
    }
    if (spec->rare1 == 0 &&
        (period != type->period || (type->flags & KNI_EFFECT_NEEDS_RARE) != 0)) {
        spec->rare1 = kni_rare_acquire(world);
        if (spec->rare1 == 0) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    uint32_t slot = effect_store(world, spec, plan.count, duration, period);
    application->put = application->added = plan.count;
    spec->rare1 = 0; // the effect owns it now
    if (slot == KNI_NONE) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    application->effect = id;
    if (plan.count != spec->stacks) {
        kni_magnitudes_compute(world, slot, false); // some depend on the count
    }
    kni_captures_register(world, slot, true);
    kni_exclusive_replace(world, spec, id);
    if (kni_effect_find(world, id) == KNI_NONE) {
        return KN_OK; // what it replaced was applied again and replaced it
    }
    kn_spec_view view;
    if ((type->flags & KNI_EFFECT_ONGOING) != 0) {
        kni_view_of_effect(world, slot, &view);
        if (!kni_conditions_met(&view, &type->def.ongoing)) {
            kni_effect_at(world, slot)->flags |= KNI_ACTIVE_INHIBITED;
            kni_effect_schedule_tick(world, slot,
                type->def.inhibit_period == KN_INHIBIT_NEVER_RESET && period > 0
                    ? world->now + period
                    : KN_TIME_INFINITE);
        }
    }
    bool on = (kni_effect_at(world, slot)->flags & KNI_ACTIVE_INHIBITED) == 0;
    report_parked(world, type, spec->target_component);
    if (on) {
        kni_effect_attach(world, slot);
    }
    if ((type->flags & KNI_EFFECT_GRANTS) != 0 && kni_effect_find(world, id) != KNI_NONE) {
        world->above->grants_begin(world, slot);
    }
    apply_consequences(world, application, true);
    if ((type->flags & KNI_EFFECT_PERIODIC) != 0 && on && !type->def.skip_first_tick &&
        kni_effect_find(world, id) != KNI_NONE) {
        kni_tick(world, slot);
    }
    if (duration <= 0 && kni_effect_find(world, id) != KNI_NONE) {
        kni_queued *queued = kni_react(world, KNI_REACT_REMOVE);
        queued->effect.id = id;
        queued->effect.reason = KN_REMOVED_EXPIRED;
    }
    return KN_OK;
}

static kn_result apply_body(kn_world *world, kni_application *application)
{
    kn_spec_view *spec = &application->spec;
    const kni_effect_type *type = spec->type;
    kn_result result = apply_gates(world, application);
    if (result == KN_OK) {
        result = apply_requirements(world, application);
    }
    if (result != KN_OK || application->is_handled) {
        return result;
    }
    if ((type->flags & KNI_EFFECT_NEEDS_RARE) != 0 && spec->rare1 == 0) {
        spec->rare1 = kni_rare_acquire(world);
        if (spec->rare1 == 0) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    if ((type->flags & KNI_EFFECT_CAPTURES) != 0 && !kni_capture_all(world, spec, false)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_time duration = type->duration, period = type->period;
    if ((type->flags & KNI_EFFECT_ACTIVE) != 0) {
        spec->said = type->def.duration_value.index1 != 0 ? application->given : NULL;
        result = kni_effect_times(spec, &duration, &period);
        if (spec->said != NULL && result != KN_REFUSED_BLOCKED) {
            spec->said->reason = KN_OK; // it refuses nothing, whatever it said
        }
        spec->said = NULL;
        if (result == KN_OK && duration != KN_TIME_INFINITE &&
            duration > KN_TIME_MAX - world->now) {
            duration = KN_TIME_MAX - world->now;
        }
        if (spec->rare1 != 0) {
            kni_rare_at(world, spec->rare1)->given =
                (spec->duration >= 0 ? KNI_GIVEN_DURATION : 0u) |
                (spec->period > 0 ? KNI_GIVEN_PERIOD : 0u);
        }
        spec->duration = duration;
        spec->period = period;
    }
    if (result == KN_OK) {
        spec->stacks = application->stacks > 0 ? application->stacks : 1;
        result = apply_magnitudes(world, spec);
    }
    if (result == KN_OK && kni_would_cycle(spec)) {
        result = KN_REFUSED_CYCLE;
    }
    if (result != KN_OK) {
        return result;
    }
    if ((type->flags & KNI_EFFECT_ACTIVE) != 0) {
        return apply_active(world, application, duration, period);
    }
    if ((type->flags & KNI_EFFECT_EXCLUSIVE) != 0) {
        result = kni_exclusive_judge(application, spec->stacks);
        if (result != KN_OK) {
            return result;
        }
        kni_exclusive_replace(world, spec, application->effect);
    }
    kni_effect_execute_all(world, spec, 1.0f);
    apply_consequences(world, application, true);
    return KN_OK;
}

kn_result kni_apply(kn_world *world, kni_application *application)
{
    kn_spec_view *spec = &application->spec;
    const kni_effect_type *type = spec->type;
    kn_result result = KN_OK;
    if (!type->def.predict && kni_leaves_out(world)) { // it comes from the server
        kni_rare_release(world, spec->rare1, type);
        spec->rare1 = 0;
        return KN_OK;
    }
    kn_effect_refusal given;
    given.reason = KN_OK;
    application->given = &given;
    if ((kni_component_at(world, spec->target_component)->flags & KNI_COMPONENT_DYING) != 0) {
        result = KN_REFUSED_DYING;
    }
    kn_effect_id applier = {spec->source.index1, spec->source.generation};
    kn_cause previous = 0;
    bool has_cause = result == KN_OK && kni_cause_begin(world, KN_CAUSE_APPLY, spec->target,
                                            applier, kni_type_id(type), 0, &previous);
    if (result == KN_OK && !has_cause) {
        result = KN_REFUSED_LIMIT;
    }
    if (result == KN_OK) {
        result = apply_body(world, application);
    }
    if (has_cause) {
        kni_cause_end(world, previous);
    }
    if (kn_result_is_refused(result)) {
        kni_apply_refused(world, application, result);
    }
    kni_rare_release(world, spec->rare1, type);
    spec->rare1 = 0;
    application->given = NULL;
    return result;
}

kni_put kni_application_put(const kni_application *application)
{
    const kn_spec_view *spec = &application->spec;
    return (kni_put){.claim = {application->put, spec->world->now, spec->source},
        .spare = application->put - application->added};
}

// Public --------------------------------------------------------------------

// The view that the general path would have.
static kn_spec_view instant_view(kn_world *world, const kni_effect_type *type, uint32_t component,
    const kn_effect_apply_def *def)
{
    kn_spec_view spec = {
        .world = world,
        .type = type,
        .source = kni_source_of(world, def->source),
        .target = kni_component_entity(world, component),
        .source_component = kni_component_find(world, def->source),
        .target_component = component,
        .level = def->level,
        .stacks = 1,
        .effect = KNI_NONE,
        .duration = -1,
        .period = -1,
    };
    return spec;
}

// One modifier of an instant effect, where a hook or an observer is involved after all.
KNI_SLOW static void instant_modifier_slow(kn_world *world, const kni_effect_type *type,
    uint32_t component, const kn_effect_apply_def *def, const kni_modifier *modifier)
{
    kn_spec_view spec = instant_view(world, type, component, def);
    kni_execute(world, component, modifier->attribute, modifier->key, (kn_op)modifier->op,
        modifier->constant, &spec);
}

KNI_SLOW static void instant_tell(kn_world *world, const kni_effect_type *type, uint32_t component,
    const kn_effect_apply_def *def)
{
    kn_spec_view spec = instant_view(world, type, component, def);
    kni_executed_publish(world, &spec);
}

// A bare application of an instant, constant effect without hooks or observers: the vast majority
// of hits. False, with nothing done, when it is not that simple.
static bool apply_instant_fast(kn_world *world, const kni_effect_type *type, uint32_t component,
    kn_entity_id entity, const kn_effect_apply_def *def)
{
    const uint32_t mask = KNI_EFFECT_ACTIVE | KNI_EFFECT_SLOW | KNI_EFFECT_PLAIN_MODIFIERS;
    const kni_component *c = kni_component_at(world, component);
    if ((type->flags & mask) != KNI_EFFECT_PLAIN_MODIFIERS || c->gate_count > 0 ||
        (c->flags & KNI_COMPONENT_DYING) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        if (modifier->key != 0 || !kni_execute_plain(world, kni_component_at(world, component),
                                      modifier->info, modifier->attribute, (kn_op)modifier->op,
                                      modifier->constant, entity, (kn_effect_id){0})) {
            instant_modifier_slow(world, type, component, def, modifier);
        }
    }
    if (kni_executed_is_wanted(world)) {
        instant_tell(world, type, component, def);
    }
    return true;
}

// Flags of effects that are more than constants: conditions, stacks, captures, consequences.
#define KNI_EFFECT_NOT_PLAIN                                                                       \
    (KNI_EFFECT_SLOW | KNI_EFFECT_ONGOING | KNI_EFFECT_GATES | KNI_EFFECT_GRANTS |                 \
        KNI_EFFECT_LIVE | KNI_EFFECT_OWNED | KNI_EFFECT_NEEDS_RARE | KNI_EFFECT_BLOCKS |           \
        KNI_EFFECT_SOURCE_WATCH | KNI_EFFECT_ENDS_WITH_SOURCE | KNI_EFFECT_CONTINUOUS |            \
        KNI_EFFECT_PARTS | KNI_EFFECT_EDITS)

// The same steps as apply_active(), without everything that such an effect does not have, of a bare
// application. False, with nothing done, when the effect is not that simple.
static bool apply_active_fast(kn_world *world, const kni_effect_type *type, uint32_t component,
    const kn_effect_apply_def *def, kn_effect_id *out)
{
    const uint32_t wanted = KNI_EFFECT_ACTIVE | KNI_EFFECT_PLAIN_MODIFIERS | KNI_EFFECT_CONST_TIME;
    kni_component *c = kni_component_at(world, component);
    if ((type->flags & (wanted | KNI_EFFECT_NOT_PLAIN)) != wanted ||
        (type->duration > KN_TIME_MAX - world->now && type->duration != KN_TIME_INFINITE) ||
        c->gate_count > 0 || (c->flags & KNI_COMPONENT_DYING) != 0 || c->origins.count > 0 ||
        c->parent.index1 != 0 || c->effects.count + type->granted_count > UINT16_MAX / 2) {
        return false;
    }
    kn_spec_view spec = {.type = type,
        .source = kni_source_of(world, def->source),
        .target_component = component,
        .level = def->level};
    uint32_t slot = effect_store(world, &spec, 1, type->duration, type->period);
    if (slot == KNI_NONE) {
        return true;
    }
    kni_effect *effect = kni_effect_at(world, slot);
    effect->flags |= KNI_ACTIVE_ATTACHED;
    *out = kni_effect_id_of(world, slot);
    for (uint32_t i = 0; i < type->granted_count; i++) {
        kni_tag_change(world, component, type->granted[i].index1, KN_TAG_ORIGIN_EFFECT, 1);
    }
    if (type->modifier_count > 0 && type->period == 0) {
        report_parked(world, type, component);
        kni_modifiers_attach(world, slot, component);
    }
    // A hook in between may have ended it.
    if (kni_effect_find(world, *out) != KNI_NONE) {
        kni_effect_announce(world, slot);
        if (type->period > 0 && !type->def.skip_first_tick) {
            kni_tick(world, slot);
        }
    }
    return true;
}

static kni_application application_of(
    kn_world *world, const kn_effect_apply_def *def, uint32_t component)
{
    kni_application application = {
        .spec =
            {
                .world = world,
                .type = kni_type_at(world, def->type.index1 - 1),
                .source = kni_source_of(world, def->source),
                .target =
                    component != KNI_NONE ? kni_component_entity(world, component) : def->target,
                .source_component = kni_component_find(world, def->source),
                .target_component = component,
                .level = def->level,
                .stacks = 1,
                .effect = KNI_NONE,
                .duration = def->duration,
                .period = def->period,
            },
        .stacks = def->stacks,
        .ignore_gates = def->ignore_gates,
        .refusal = def->refusal,
    };
    return application;
}

static kn_result apply_from_def(kn_world *world, const kn_effect_apply_def *def, uint32_t component,
    kn_effect_id *effect, kni_put *put)
{
    kni_application application = application_of(world, def, component);
    const kni_effect_type *type = application.spec.type;
    uint32_t source_component = application.spec.source_component;
    bool keeps_tags = world->keeps_source_tags && source_component != KNI_NONE &&
                      (type->flags & KNI_EFFECT_ACTIVE) != 0;
    if (keeps_tags || kni_apply_def_has_extras(def)) {
        application.spec.rare1 = kni_rare_acquire(world);
        if (application.spec.rare1 == 0 || !kni_rare_fill(world, application.spec.rare1, def)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        if (keeps_tags) {
            kni_rare_capture_source_tags(world, application.spec.rare1, source_component);
        }
    }
    kn_result result = kni_apply(world, &application);
    *effect = application.effect;
    *put = kni_application_put(&application);
    return result;
}

// Whether a short path may be taken as far as the source is concerned: it is the target itself, or
// there is none, or it is alive, stands for itself and has no gates.
static inline bool source_is_plain(const kn_world *world, const kn_effect_apply_def *def)
{
    if (kn_entity_id_equal(def->source, def->target) ||
        (def->source.index1 | def->source.generation) == 0) {
        return true;
    }
    uint32_t entity = kni_entity_find(world, def->source);
    if (entity == KNI_NONE) {
        return false;
    }
    uint32_t component1 = kni_entity_at(world, entity)->component1;
    if (component1 == 0) {
        return true;
    }
    const kni_component *c = kni_component_at(world, component1 - 1);
    return c->gate_count == 0 && c->entity == entity;
}

// For a refusal before there is an application.
KNI_SLOW static kn_result refused_early(const kn_effect_apply_def *def, kn_result result)
{
    if (kn_result_is_refused(result) && def->refusal != NULL) {
        *def->refusal = (kn_effect_refusal){.reason = result};
    }
    return result;
}

// Enters the world for an application that was checked, with that result. KN_OK, and the component
// of the target; anything else is the result of the call.
KNI_FAST kn_result apply_enter(
    kn_world *world, const kn_effect_apply_def *def, kn_result checked, uint32_t *component)
{
    uint32_t entity = kni_entity_find(world, def->target);
    if (checked != KN_OK || entity == KNI_NONE) {
        return refused_early(def, checked != KN_OK ? checked : KN_REFUSED_STALE_ID);
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    *component = kni_entity_at(world, entity)->component1 - 1;
    if (*component == KNI_NONE) {
        *component = kni_component_ensure(world, entity);
        if (*component == KNI_NONE) {
            return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
        }
    }
    return KN_OK;
}

// With everything that an application can have; the world has been entered.
KNI_SLOW static kn_result apply_general(kn_world *world, const kn_effect_apply_def *def,
    uint32_t component, kn_effect_id *out, kni_put *put)
{
    kn_effect_id effect = {0};
    kn_result result = apply_from_def(world, def, component, &effect, put);
    result = kni_leave(world, result);
    if (out != NULL && result == KN_OK) {
        *out = effect;
    }
    return result;
}

kn_result kni_effect_apply(
    kn_world *world, const kn_effect_apply_def *def, kn_effect_id *out, kni_put *put)
{
    *put = (kni_put){0};
    if (out != NULL) {
        *out = (kn_effect_id){0};
    }
    uint32_t component;
    kn_result result = apply_enter(world, def, kni_apply_def_check(world, def), &component);
    return result == KN_OK ? apply_general(world, def, component, out, put) : result;
}

// The bare application of a lasting effect; its cause has begun.
KNI_SLOW static kn_result apply_lasting(kn_world *world, const kn_effect_apply_def *def,
    uint32_t component, kn_cause previous, kn_effect_id *out)
{
    kn_effect_id effect = {0};
    bool is_done =
        apply_active_fast(world, kni_type_at(world, def->type.index1 - 1), component, def, &effect);
    kni_cause_end(world, previous);
    if (!is_done) {
        kni_put put;
        world->pending.cause_count--; // the general path begins its own
        return apply_general(world, def, component, out, &put);
    }
    kn_result result = kni_leave(world, KN_OK);
    if (out != NULL && result == KN_OK) {
        *out = effect;
    }
    return result;
}

// For callers who do not use what was put.
KNI_SLOW static kn_result apply_any(
    kn_world *world, const kn_effect_apply_def *def, kn_effect_id *out)
{
    kni_put put;
    return kni_effect_apply(world, def, out, &put);
}

// The same where the world has been entered.
KNI_SLOW static kn_result apply_entered(
    kn_world *world, const kn_effect_apply_def *def, uint32_t component, kn_effect_id *out)
{
    kni_put put;
    return apply_general(world, def, component, out, &put);
}

// A bare application before the world is entered.
KNI_SLOW static kn_result apply_bare(
    kn_world *world, const kn_effect_apply_def *def, kn_effect_id *out)
{
    uint32_t component;
    kn_result result = apply_enter(world, def, kni_apply_bare_check(world, def), &component);
    if (result != KN_OK) {
        return result;
    }
    bool is_avatar = kni_component_at(world, component)->entity != def->target.index1 - 1;
    if (world->keeps_source_tags || is_avatar || !source_is_plain(world, def)) {
        return apply_entered(world, def, component, out);
    }
    const kni_effect_type *type = kni_type_at(world, def->type.index1 - 1);
    kn_effect_id applier = {def->source.index1, def->source.generation};
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_APPLY, def->target, applier, def->type, 0, &previous)) {
        return kni_leave(world, refused_early(def, KN_REFUSED_LIMIT));
    }
    if ((type->flags & KNI_EFFECT_ACTIVE) != 0) {
        return apply_lasting(world, def, component, previous, out);
    }
    bool is_done = apply_instant_fast(world, type, component, def->target, def);
    kni_cause_end(world, previous);
    if (!is_done) {
        world->pending.cause_count--; // the general path begins its own
        return apply_entered(world, def, component, out);
    }
    return kni_leave(world, KN_OK);
}

// Nearly every hit from start to end: a bare application of a plain change, by the host, to an
// entity that nobody follows. It calls no function, so it saves no registers, and it changes
// nothing before all tests have passed: false when something is not that simple.
KNI_FAST bool apply_hit(kn_world *world, const kn_effect_apply_def *def)
{
    kni_event_buffer *buffer = &world->pending;
    uint32_t slot = def->target.index1 - 1;
    if (def->cookie != KN_COOKIE || def->type.index1 - 1 >= world->type_count ||
        !kni_is_finite(def->level) || slot >= world->entities.used) {
        return false;
    }
    const kni_effect_type *type = world->types[def->type.index1 - 1];
    const kni_plain_change *plain = &type->plain_change;
    const kni_entity *entity = kni_entity_at(world, slot);
    if (plain->attribute1 == 0 || (type->flags & KNI_EFFECT_ACTIVE) != 0 ||
        entity->generation != def->target.generation || entity->component1 == 0) {
        return false;
    }
    kni_component *c = kni_component_at(world, entity->component1 - 1);
    uint32_t wrong = c->gate_count | (c->flags & (KNI_COMPONENT_DYING | KNI_COMPONENT_WATCHED)) |
                     (c->entity ^ slot); // of an avatar
    if (wrong != 0 || (c->actor1 != 0 && c->touched != world->touch_stamp) ||
        world->headroom_calls == 0 || world->cause != 0 || world->marks != NULL ||
        buffer->cause_count >= buffer->cause_capacity || buffer->count >= buffer->capacity ||
        kni_executed_is_wanted(world) || !source_is_plain(world, def)) {
        return false;
    }
    uint32_t position = world->layouts[c->layout].positions[plain->attribute1 - 1];
    if (position == KNI_NO_POSITION) {
        return false;
    }
    kni_value *value = &kni_values_of(world, c)[position];
    float old = value->current;
    if (value->aggregator1 != 0 || !kni_plain_change_do(plain, value)) {
        return false;
    }
    world->headroom_calls--;
    if (c->actor1 != 0) { // avoids dirtying a cache line
        c->version++;
    }
    kni_cause_record_root(&buffer->causes[buffer->cause_count++], KN_CAUSE_APPLY, def->target,
        (kn_effect_id){def->source.index1, def->source.generation}, def->type, 0);
    if (value->current != old && kni_wants(world, KN_EVENT_ATTRIBUTE_CHANGED)) {
        kn_event *event = &buffer->events[buffer->count++];
        kni_event_head(event, KN_EVENT_ATTRIBUTE_CHANGED, buffer->cause_base + buffer->cause_count,
            world->now, def->target);
        kni_changed_fill(event, plain->attribute1, old, value->current, (kn_effect_id){0});
    }
    if (world->depth == 0) {
        kni_validate_call(world);
    }
    return true;
}

kn_result kn_effect_apply(kn_world *world, const kn_effect_apply_def *def, kn_effect_id *out)
{
    if (out != NULL) {
        *out = (kn_effect_id){0};
    }
    if (world == NULL || def == NULL) {
        KN_ASSERT(world != NULL && def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kni_apply_def_is_bare(def)) {
        return apply_any(world, def, out);
    }
    return apply_hit(world, def) ? KN_OK : apply_bare(world, def, out);
}

kn_result kn_effect_apply_simple(kn_world *world, kn_effect_type_id type, kn_entity_id source,
    kn_entity_id target, float level, kn_effect_id *effect)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = source;
    def.target = target;
    def.level = level;
    return kn_effect_apply(world, &def, effect);
}

uint32_t kn_effect_explain(
    kn_world *world, const kn_effect_apply_def *def, kn_effect_refusal *out, uint32_t capacity)
{
    if (world == NULL || def == NULL) {
        KN_ASSERT(world != NULL && def != NULL);
        return 0;
    }
    kn_result result = kni_apply_def_check(world, def);
    if (result == KN_OK && kni_entity_find(world, def->target) == KNI_NONE) {
        result = KN_REFUSED_STALE_ID;
    }
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        bool is_reason = kn_result_is_refused(result);
        if (is_reason && capacity > 0) {
            out[0] = (kn_effect_refusal){.reason = result};
        }
        return is_reason;
    }
    kni_application application =
        application_of(world, def, kni_component_find(world, def->target));
    // A temporary record; releasing it leaves the free list as it was.
    uint32_t rare1 = kni_apply_def_has_extras(def) ? kni_rare_acquire(world) : 0;
    application.spec.rare1 = rare1;
    uint32_t count = 0;
    if (rare1 == 0 || kni_rare_fill(world, rare1, def)) {
        count = kni_application_explain(&application, out, capacity);
    }
    kni_rare_release(world, rare1, application.spec.type);
    (void)kni_leave(world, KN_OK);
    return count;
}
