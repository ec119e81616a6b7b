// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Executing an instant effect or a tick: modifiers on base values, then execution functions.

#include "effect/effect.h"

#include <math.h>

#define KNI_OUTPUT_MAX 64

typedef struct execution_output {
    uint32_t attribute;
    uint32_t key;
    kn_op op;
    float magnitude;
} execution_output;

struct kn_execution {
    kn_world *world;
    const kn_spec_view *spec;
    const kn_execution_use *use;
    const kn_execution_def *def;
    uint32_t index; // index of the execution in the def
    execution_output outputs[KNI_OUTPUT_MAX];
    uint32_t output_count;
    bool handles_cues;
    bool handles_stacks;
    bool triggers_children;
};

kn_world *kn_execution_world(const kn_execution *execution)
{
    return execution->world;
}

const kn_spec_view *kn_execution_spec(const kn_execution *execution)
{
    return execution->spec;
}

kn_entity_id kn_execution_target(const kn_execution *execution)
{
    return execution->spec->target;
}

kn_entity_id kn_execution_source(const kn_execution *execution)
{
    return execution->spec->source;
}

static float calculation_modifiers(
    const kn_execution *execution, uint32_t capture, uint32_t transient, float value)
{
    for (uint32_t i = 0; i < execution->use->modifier_count; i++) {
        const kn_calculation_modifier *modifier = &execution->use->modifiers[i];
        bool mine = transient != 0
                        ? modifier->transient.index1 == transient
                        : modifier->transient.index1 == 0 && modifier->capture == capture;
        float magnitude;
        if (mine && kni_scalable(execution->spec, &modifier->magnitude, &magnitude) == KN_OK) {
            value = kni_apply_op(modifier->op, value, magnitude);
        }
    }
    return value;
}

float kn_execution_capture(const kn_execution *execution, uint32_t index)
{
    if (index >= execution->def->capture_count) {
        kni_emit_error(execution->world, KN_ERROR_INVALID_ARGUMENT, execution->spec->target,
            execution->spec->type->index1, 0, index);
        return 0.0f;
    }
    const kni_rare *rare = kni_rare_at(execution->world, execution->spec->rare1);
    uint32_t slot = execution->spec->type->execution_capture[execution->index] + index;
    float value = *KNI_SPAN_AT(execution->world, rare->captures, float, slot);
    return calculation_modifiers(execution, index, 0, isnan(value) ? 0.0f : value);
}

bool kn_execution_transient(const kn_execution *execution, kn_tag tag, float *value)
{
    *value = 0.0f;
    if (!kn_tags_has_exact(execution->def->transients, tag)) {
        return false;
    }
    *value = calculation_modifiers(execution, 0, tag.index1, 0.0f);
    return true;
}

void kn_execution_output(
    kn_execution *execution, kn_attribute_id attribute, uint32_t key, kn_op op, float magnitude)
{
    bool is_known = attribute.index1 != 0 &&
                    attribute.index1 <= kn_attribute_count(execution->world->library) &&
                    (uint32_t)op < KN_OP_COUNT;
    if (!is_known || execution->output_count == KNI_OUTPUT_MAX || !isfinite(magnitude)) {
        kn_result code = !is_known              ? KN_ERROR_INVALID_ARGUMENT
                         : !isfinite(magnitude) ? KN_REFUSED_BAD_NUMBER
                                                : KN_REFUSED_LIMIT;
        kni_emit_error(execution->world, code, execution->spec->target,
            execution->spec->type->index1, attribute.index1, execution->output_count);
        return;
    }
    execution->outputs[execution->output_count++] =
        (execution_output){attribute.index1 - 1, key, op, magnitude};
}

void kn_execution_handle_cues(kn_execution *execution)
{
    execution->handles_cues = true;
}

void kn_execution_handle_stacks(kn_execution *execution)
{
    execution->handles_stacks = true;
}

void kn_execution_trigger_children(kn_execution *execution)
{
    execution->triggers_children = true;
}

// Returns false if a capture is absent: then the execution does nothing.
static bool execution_captures(kn_world *world, const kn_spec_view *spec, uint32_t index)
{
    const kn_execution_def *def = &KNI_ITEM(world->library, KN_DEF_EXECUTION, kni_execution_type,
        spec->type->def.executions[index].execution.index1 - 1)
                                       ->def;
    uint32_t first = spec->type->execution_capture[index];
    for (uint32_t i = 0; i < def->capture_count; i++) {
        float *stored =
            KNI_SPAN_AT(world, kni_rare_at(world, spec->rare1)->captures, float, first + i);
        float value;
        // Live captures see what the modifiers of this same execution changed.
        if (!def->captures[i].snapshot &&
            kni_capture_read(spec, &def->captures[i], &value) == KN_OK) {
            *stored = value;
        }
        if (isnan(*stored)) {
            return false;
        }
    }
    return true;
}

static void execution_run(kn_world *world, kn_spec_view *spec, uint32_t index, float part,
    bool *handles_cues, bool *did_something)
{
    const kn_execution_use *use = &spec->type->def.executions[index];
    if (spec->type->capture_count > 0 && !execution_captures(world, spec, index)) {
        return;
    }
    kn_execution execution;
    execution.world = world;
    execution.spec = spec;
    execution.use = use;
    execution.def =
        &KNI_ITEM(world->library, KN_DEF_EXECUTION, kni_execution_type, use->execution.index1 - 1)
             ->def;
    if (!execution.def->predict && kni_leaves_out(world)) {
        return;
    }
    execution.index = index;
    execution.output_count = 0;
    execution.handles_cues = false;
    execution.handles_stacks = false;
    execution.triggers_children = false;
    kni_hold(world);
    execution.def->function(execution.def->user, &execution);
    kni_release(world);
    *handles_cues |= execution.handles_cues;
    kn_effect_id id = kn_spec_view_effect(spec);
    for (uint32_t i = 0; i < execution.output_count; i++) {
        const execution_output *output = &execution.outputs[i];
        float magnitude = output->magnitude;
        if (!execution.handles_stacks) {
            magnitude = kni_scale_by_stacks(output->op, magnitude, spec->stacks);
        }
        if (part != 1.0f) {
            bool is_sum = output->op == KN_OP_ADD || output->op == KN_OP_ADD_FINAL;
            magnitude = is_sum                         ? magnitude * part
                        : output->op == KN_OP_OVERRIDE ? magnitude
                                                       : 1.0f + (magnitude - 1.0f) * part;
        }
        *did_something |= kni_execute(world, spec->target_component, output->attribute, output->key,
            output->op, magnitude, spec);
        if (id.index1 != 0 && kni_effect_find(world, id) == KNI_NONE) {
            return;
        }
    }
    if (execution.triggers_children && (spec->type->flags & KNI_EFFECT_CHILDREN) != 0) {
        kni_children_start(world, spec, KN_CHILD_EXECUTED, 0, spec->stacks);
    }
}

void kni_executed_publish(kn_world *world, const kn_spec_view *spec)
{
    if ((world->heard >> KN_TRIGGER_EFFECT_EXECUTED & 1) != 0) {
        kni_executed_react(world, spec);
    }
    if (!kni_wants(world, KN_EVENT_EFFECT_EXECUTED)) {
        return;
    }
    kn_event *event = kni_emit(world, KN_EVENT_EFFECT_EXECUTED, spec->target);
    memset(&event->data, 0, sizeof(event->data));
    event->data.effect.effect = kn_spec_view_effect(spec);
    event->data.effect.type = kni_type_id(spec->type);
    event->data.effect.count = spec->stacks;
    event->data.effect.old_count = spec->tick;
    event->data.effect.source = spec->source;
    event->data.effect.level = spec->level;
}

void kni_effect_execute_all(kn_world *world, kn_spec_view *spec, float part)
{
    float cue_before = kn_attribute_base(world, spec->target, spec->type->def.cue_attribute);
    const kni_effect_type *type = spec->type;
    kn_effect_id id = kn_spec_view_effect(spec);
    uint64_t off = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->off_modifiers : 0;
    bool did_something = false, handles_cues = false;
    // Applying an instant effect has just computed all magnitudes. The first is still valid, unless
    // members of a group were removed in between; later functions may depend on what earlier
    // modifiers changed.
    bool is_known =
        id.index1 == 0 && (type->flags & (KNI_EFFECT_PLAIN_MODIFIERS | KNI_EFFECT_EXCLUSIVE)) == 0;
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        if ((off >> i & 1) != 0 || modifier->attribute == KNI_NONE) {
            continue;
        }
        if (modifier->has_requirement && modifier->def->when != KN_REQUIREMENT_TIME_APPLIED &&
            !kni_modifier_requirement(spec, i)) {
            continue;
        }
        float magnitude;
        kn_result result = KN_OK;
        if (i == 0 && is_known) {
            magnitude = *KNI_SPAN_AT(world, kni_rare_at(world, spec->rare1)->magnitudes, float, 0);
        } else {
            result = kni_modifier_magnitude(spec, i, &magnitude);
        }
        if (result != KN_OK) {
            kni_emit_error(world, result, spec->target, type->index1, modifier->attribute + 1, i);
            continue;
        }
        magnitude = kni_modifier_scaled(spec, i, magnitude, spec->stacks);
        if (part != 1.0f) {
            bool is_sum = modifier->op == KN_OP_ADD || modifier->op == KN_OP_ADD_FINAL;
            magnitude = is_sum                           ? magnitude * part
                        : modifier->op == KN_OP_OVERRIDE ? magnitude
                                                         : 1.0f + (magnitude - 1.0f) * part;
        }
        did_something |= kni_execute(world, spec->target_component, modifier->attribute,
            modifier->key, (kn_op)modifier->op, magnitude, spec);
        if (id.index1 != 0 && kni_effect_find(world, id) == KNI_NONE) {
            return; // a hook ended the effect
        }
        if (modifier->def->magnitude.kind == KN_MAGNITUDE_POOL && spec->rare1 != 0) {
            float share;
            (void)kni_magnitude(spec, &modifier->def->magnitude, KNI_NONE, &share);
            float scale = modifier->def->magnitude.scale.value;
            kni_rare *rare = kni_rare_at(world, spec->rare1);
            rare->pool = kni_saturated(rare->pool - (scale != 0.0f ? share / scale * part : 0.0f));
        }
    }
    uint64_t off_executions =
        spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->off_executions : 0;
    for (uint32_t i = 0; i < type->def.execution_count; i++) {
        if ((off_executions >> i & 1) == 0) {
            execution_run(world, spec, i, part, &handles_cues, &did_something);
            if (id.index1 != 0 && kni_effect_find(world, id) == KNI_NONE) {
                return;
            }
        }
    }
    if (kni_executed_is_wanted(world)) {
        kni_executed_publish(world, spec);
    }
    bool plays = !handles_cues &&
                 (did_something || (type->def.cue_needs_success & KN_CUE_PHASE_EXECUTED) == 0);
    if ((type->flags & KNI_EFFECT_CUES) != 0 && plays) {
        float change = kn_attribute_base(world, spec->target, type->def.cue_attribute) - cue_before;
        kni_cues(world, spec, KN_CUE_EXECUTED, false, change);
    }
    if ((type->flags & KNI_EFFECT_RAISES) != 0) {
        kni_raise(world, spec, KN_RAISE_EXECUTED);
    }
}
