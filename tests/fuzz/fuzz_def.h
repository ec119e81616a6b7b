// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Effect definitions made of fuzz input: every field may be anything a caller could write.
#ifndef KNACK_FUZZ_DEF_H
#define KNACK_FUZZ_DEF_H

#include "fuzz_input.h"

#include <stdio.h>

#define FUZZ_DEF_PARTS 3

// How many things of each kind a def can refer to.
typedef struct fuzz_refs {
    const kn_library *library;
    uint32_t tags, attributes, curves, names, values, kinds, types;
    uint32_t calculations, executions, conditions, requirements, logics;
} fuzz_refs;

// What a def points to while it is being registered.
typedef struct fuzz_def {
    char name[16];
    kn_tag tags[64];
    uint32_t tag_count;
    kn_modifier_def modifiers[FUZZ_DEF_PARTS];
    kn_child_def children[FUZZ_DEF_PARTS];
    kn_gate_def gates[FUZZ_DEF_PARTS];
    kn_raise_def raises[FUZZ_DEF_PARTS];
    kn_execution_use executions[FUZZ_DEF_PARTS];
    kn_parameter_def parameters[FUZZ_DEF_PARTS];
    kn_grant_def grants[FUZZ_DEF_PARTS];
    kn_tag_edit edits[FUZZ_DEF_PARTS];
    kn_attribute_condition conditions[3 * FUZZ_DEF_PARTS];
    uint32_t condition_count;
    kn_tag_query query;
    kn_effect_type_id types[FUZZ_DEF_PARTS];
    kn_effect_def def;
} fuzz_def;

// A number of something: rarely null or unknown.
static inline uint32_t take_ref(fuzz_input *input, uint32_t count)
{
    uint32_t byte = take_u8(input);
    if (byte >= 254) {
        return byte == 255 ? count + 1 : 0;
    }
    return count > 0 ? 1 + byte % count : 0;
}

static inline kn_tag take_tag(fuzz_input *input, const fuzz_refs *refs)
{
    return (kn_tag){take_ref(input, refs->tags)};
}

static inline kn_attribute_id take_attribute(fuzz_input *input, const fuzz_refs *refs)
{
    return (kn_attribute_id){take_ref(input, refs->attributes)};
}

// A few tags, often none; valid ones only, since a wrong number in a list breaks the contract.
static inline kn_tags take_tags(fuzz_def *out, fuzz_input *input, const fuzz_refs *refs)
{
    uint32_t byte = take_u8(input);
    uint32_t count = byte < 160 ? 0 : byte < 230 ? 1 : 2;
    if (out->tag_count + count > sizeof out->tags / sizeof out->tags[0]) {
        count = 0;
    }
    kn_tag *first = &out->tags[out->tag_count];
    for (uint32_t i = 0; i < count; i++) {
        first[i] = (kn_tag){1 + take_below(input, refs->tags)};
    }
    out->tag_count += count;
    return (kn_tags){first, count};
}

static inline kn_tag_requirement take_requirement(
    fuzz_def *out, fuzz_input *input, const fuzz_refs *refs)
{
    kn_tag_requirement requirement = {0};
    if (take_rarely(input, 3)) {
        requirement.required = take_tags(out, input, refs);
        requirement.ignored = take_tags(out, input, refs);
        if (take_rarely(input, 8)) {
            kn_tag_query_begin(&out->query, (kn_query_op)(1 + take_below(input, 6)));
            kn_tag_query_tag(&out->query, (kn_tag){1 + take_below(input, refs->tags)});
            kn_tag_query_end(&out->query);
            requirement.query =
                kn_tag_query_is_valid(refs->library, &out->query) ? &out->query : NULL;
        }
    }
    return requirement;
}

static inline kn_scalable take_scalable(fuzz_input *input, const fuzz_refs *refs, float usual)
{
    kn_scalable scalable = kn_constant(usual);
    uint32_t byte = take_u8(input);
    if (byte >= 128) {
        scalable.value = byte >= 250 ? take_float(input) : (float)(byte % 8);
        scalable.curve.index1 = byte % 16 == 15 ? take_ref(input, refs->curves) : 0;
        scalable.parameter.index1 = byte % 16 == 14 ? take_ref(input, refs->names) : 0;
    }
    return scalable;
}

static inline kn_magnitude take_magnitude(
    fuzz_def *out, fuzz_input *input, const fuzz_refs *refs, float usual)
{
    uint32_t byte = take_u8(input);
    if (byte < 100) {
        return kn_magnitude_constant(usual);
    }
    kn_magnitude_kind kind = (kn_magnitude_kind)take_below(input, KN_MAGNITUDE_KIND_COUNT);
    if (kind == KN_MAGNITUDE_CALCULATION && refs->calculations == 0) {
        kind = KN_MAGNITUDE_ATTRIBUTE;
    }
    kn_magnitude magnitude = kn_magnitude_of(kind);
    magnitude.scale = take_scalable(input, refs, kind == KN_MAGNITUDE_SCALABLE ? usual : 0.25f);
    magnitude.pre_add = take_scalable(input, refs, 0.0f);
    magnitude.post_add = take_scalable(input, refs, kind == KN_MAGNITUDE_SCALABLE ? 0.0f : 0.5f);
    magnitude.capture.attribute = take_attribute(input, refs);
    magnitude.capture.from = (kn_capture_from)take_below(input, 3);
    magnitude.capture.value = (kn_capture_value)(byte % 4 == 0 ? take_below(input, 8) : 0);
    magnitude.capture.channel = (uint8_t)take_below(input, 4);
    magnitude.capture.snapshot = take_rarely(input, 3);
    magnitude.capture.has_default = byte % 3 != 0;
    magnitude.capture.default_value = 1.0f;
    magnitude.capture.key = byte % 16 == 1 ? 1 : 0;
    if (byte % 16 == 2) {
        magnitude.capture.source_filter = take_tags(out, input, refs);
        magnitude.capture.target_filter = take_tags(out, input, refs);
    }
    magnitude.calculation.index1 =
        kind == KN_MAGNITUDE_CALCULATION ? take_ref(input, refs->calculations) : 0;
    magnitude.caller_tag = take_tag(input, refs);
    magnitude.has_default = byte % 2 == 0;
    magnitude.final_curve.index1 = byte % 32 == 9 ? take_ref(input, refs->curves) : 0;
    return magnitude;
}

static inline kn_modifier_def take_modifier(fuzz_def *out, fuzz_input *input, const fuzz_refs *refs)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = take_attribute(input, refs);
    if (refs->values > 0 && take_rarely(input, 6)) {
        modifier.value.index1 = take_ref(input, refs->values);
        modifier.attribute.index1 = take_rarely(input, 32) ? 1 : 0;
        modifier.event = take_requirement(out, input, refs);
        modifier.condition.index1 = take_rarely(input, 3) ? take_ref(input, refs->conditions) : 0;
    }
    modifier.key = take_rarely(input, 16) ? take_below(input, 3) : 0;
    modifier.op = (kn_op)take_below(input, KN_OP_COUNT);
    modifier.channel = (uint8_t)(take_rarely(input, 8) ? take_below(input, 17) : 0);
    float size = take_small_float(input);
    modifier.magnitude = take_magnitude(out, input, refs, size);
    modifier.scaling = (kn_stack_scaling)take_below(input, 3);
    modifier.stack_curve.index1 = take_rarely(input, 16) ? take_ref(input, refs->curves) : 0;
    if (take_rarely(input, 6)) {
        modifier.source = take_requirement(out, input, refs);
        modifier.target = take_requirement(out, input, refs);
        modifier.when = (kn_requirement_time)take_below(input, 3);
    }
    if (take_rarely(input, 8)) {
        modifier.group = take_tag(input, refs);
        modifier.group_rule = (kn_group_rule)take_below(input, 4);
        modifier.has_limit_min = take_bool(input);
        modifier.has_limit_max = take_bool(input);
        modifier.limit_min = take_float(input);
        modifier.limit_max = take_float(input);
        modifier.priority = (int32_t)take_u8(input) - 100;
    }
    modifier.tags = take_rarely(input, 8) ? take_tags(out, input, refs) : (kn_tags){0};
    return modifier;
}

static inline kn_conditions take_conditions(fuzz_def *out, fuzz_input *input, const fuzz_refs *refs)
{
    kn_conditions conditions = {0};
    conditions.target = take_requirement(out, input, refs);
    conditions.source = take_requirement(out, input, refs);
    if (take_rarely(input, 4)) {
        kn_attribute_condition *condition = &out->conditions[out->condition_count++];
        condition->from = (kn_capture_from)take_below(input, 2);
        condition->attribute = take_attribute(input, refs);
        condition->has_min = take_bool(input);
        condition->has_max = !condition->has_min || take_bool(input);
        condition->min = take_float(input);
        condition->max = take_float(input);
        condition->has_above = take_rarely(input, 4);
        condition->above = take_float(input);
        condition->relative_to =
            take_rarely(input, 4) ? take_attribute(input, refs) : (kn_attribute_id){0};
        conditions.attributes = condition;
        conditions.attribute_count = 1;
    }
    return conditions;
}

static inline kn_stacking take_stacking(
    fuzz_input *input, const fuzz_refs *refs, kn_duration_kind duration)
{
    kn_stacking stacking = kn_effect_def_default().stacking;
    stacking.kind = (kn_stacking_kind)take_below(input, 3);
    if (duration == KN_DURATION_INSTANT && !take_rarely(input, 32)) {
        stacking.kind = KN_STACK_NONE;
    }
    if (stacking.kind == KN_STACK_NONE) {
        return stacking;
    }
    uint32_t bits = take_u8(input);
    stacking.key_level = (bits & 7) == 7;
    stacking.key_object = (bits & 0x38) == 0x38;
    stacking.own_timers = (bits & 0x40) != 0 && duration == KN_DURATION_TIMED;
    stacking.common_timer = (bits & 0xc0) == 0xc0 && stacking.own_timers;
    stacking.on_lower_level = (kn_stack_rule)take_below(input, 4);
    stacking.on_higher_level = (kn_stack_rule)take_below(input, 4);
    stacking.on_other_source = (kn_stack_rule)take_below(input, 4);
    if (take_rarely(input, 4)) {
        stacking.on_equal_level = (kn_stack_rule)take_below(input, 4);
        stacking.on_same_source = (kn_stack_rule)take_below(input, 4);
    }
    stacking.limit = take_scalable(input, refs, 3.0f);
    if (stacking.own_timers && stacking.kind == KN_STACK_BY_TARGET) {
        stacking.limit_per_source = take_scalable(input, refs, 0.0f);
    }
    stacking.initial = take_scalable(input, refs, 1.0f);
    stacking.per_application = take_scalable(input, refs, 1.0f);
    stacking.refresh = (kn_refresh)take_below(input, 7);
    stacking.pandemic = take_scalable(input, refs, 0.3f);
    stacking.period_reset = (kn_period_reset)take_below(input, 2);
    stacking.expiration = (kn_expiration)take_below(input, 3);
    stacking.merge = (kn_merge)take_below(input, 4);
    bits = take_u8(input);
    stacking.deny_overflow = (bits & 3) == 3;
    stacking.clear_on_overflow = (bits & 7) == 7;
    stacking.tick_on_stack = (bits & 0x30) == 0x30;
    stacking.at_cap = (kn_stack_cap)take_below(input, 3);
    return stacking;
}

static inline void take_times(fuzz_def *out, fuzz_input *input, const fuzz_refs *refs)
{
    kn_effect_def *def = &out->def;
    def->duration_kind = (kn_duration_kind)take_below(input, 3);
    if (def->duration_kind == KN_DURATION_TIMED) {
        def->duration = take_magnitude(out, input, refs, 0.01f + (float)take_u8(input) * 0.02f);
        def->live_duration = (kn_live_time)take_below(input, 3);
    }
    if (def->duration_kind != KN_DURATION_INSTANT && take_bool(input)) {
        def->is_periodic = true;
        def->period = take_magnitude(out, input, refs, 0.05f + (float)take_u8(input) * 0.005f);
        def->live_period = (kn_live_time)take_below(input, 3);
        def->skip_first_tick = take_bool(input);
        def->partial_last_tick = take_bool(input);
        def->inhibit_period = (kn_inhibit_period)take_below(input, 4);
    }
    if (take_rarely(input, 6)) {
        def->has_haste = true;
        def->haste = take_magnitude(out, input, refs, 1.5f);
    }
}

static inline void take_parts(fuzz_def *out, fuzz_input *input, const fuzz_refs *refs)
{
    kn_effect_def *def = &out->def;
    for (uint32_t i = take_below(input, FUZZ_DEF_PARTS + 1); i > 0; i--) {
        out->modifiers[def->modifier_count++] = take_modifier(out, input, refs);
    }
    if (refs->executions > 0 && take_rarely(input, 6)) {
        out->executions[0].execution.index1 = take_ref(input, refs->executions);
        def->execution_count = 1;
    }
    if (refs->names > 0 && take_bool(input)) {
        out->parameters[0] = (kn_parameter_def){{take_ref(input, refs->names)}, 2.0f, false};
        out->parameters[0].required = take_rarely(input, 4);
        def->parameter_count = 1;
    }
    for (uint32_t i = take_rarely(input, 3) ? take_below(input, FUZZ_DEF_PARTS) : 0; i > 0; i--) {
        kn_child_def *child = &out->children[def->child_count++];
        *child = kn_child_def_default();
        child->type.index1 = take_ref(input, refs->types);
        child->when = (kn_child_when)take_below(input, KN_CHILD_WHEN_COUNT);
        child->count = 2 + take_below(input, 3);
        child->every = take_bool(input);
        child->to = (kn_recipient)take_below(input, 3);
        child->stacks = take_below(input, 3);
        uint32_t bits = take_u8(input);
        child->remove_with_parent = (bits & 1) != 0;
        child->inherit_level = (bits & 2) != 0;
        child->inherit_source = (bits & 4) != 0;
        child->copy_caller_values = (bits & 8) != 0;
        child->source = take_requirement(out, input, refs);
    }
    if (take_rarely(input, 4)) {
        kn_gate_def *gate = &out->gates[def->gate_count++];
        *gate = (kn_gate_def){0};
        gate->kind.index1 = take_bool(input) ? take_ref(input, refs->kinds) : 0;
        gate->as_instigator = take_bool(input);
        gate->source_any = take_tags(out, input, refs);
        gate->source = take_requirement(out, input, refs);
        gate->record = take_requirement(out, input, refs);
        gate->condition.index1 = take_rarely(input, 3) ? take_ref(input, refs->conditions) : 0;
        gate->parts = take_tags(out, input, refs);
        gate->modifies = take_rarely(input, 4) ? take_attribute(input, refs) : (kn_attribute_id){0};
        if (take_rarely(input, 4)) {
            out->types[0].index1 = take_ref(input, refs->types);
            gate->types = out->types;
            gate->type_count = 1;
        }
    }
    if (take_rarely(input, 4)) {
        kn_raise_def *raise = &out->raises[def->raise_count++];
        *raise = kn_raise_def_default();
        raise->when = (kn_raise_when)take_below(input, KN_RAISE_WHEN_COUNT);
        raise->tag = take_tag(input, refs);
        raise->to = (kn_recipient)take_below(input, 3);
        raise->magnitude = take_magnitude(out, input, refs, 1.0f);
    }
    if (refs->names > 0 && take_rarely(input, 8)) {
        out->grants[0] = (kn_grant_def){
            .ability = {take_ref(input, refs->names)}, .level = kn_constant(1.0f), .input = -1};
        out->grants[0].removal = (kn_grant_removal)take_below(input, 3);
        out->grants[0].follow_inhibition =
            (kn_grant_follow)take_below(input, KN_GRANT_FOLLOW_COUNT);
        def->grant_count = 1;
    }
}

// Fills `out` with a def under the name of `number`.
static inline void fuzz_def_take(
    fuzz_def *out, fuzz_input *input, const fuzz_refs *refs, uint32_t number)
{
    *out = (fuzz_def){0};
    kn_effect_def *def = &out->def;
    *def = kn_effect_def_default();
    (void)snprintf(out->name, sizeof out->name, "Fuzz%u", number);
    def->name = out->name;
    take_times(out, input, refs);
    take_parts(out, input, refs);
    def->asset_tags = take_tags(out, input, refs);
    def->granted_tags = take_tags(out, input, refs);
    def->blocked_ability_tags = take_tags(out, input, refs);
    def->cue_tags = take_tags(out, input, refs);
    if (def->duration_kind != KN_DURATION_INSTANT && take_rarely(input, 4)) {
        for (uint32_t i = 1 + take_below(input, FUZZ_DEF_PARTS); i > 0; i--) {
            kn_tag_edit *edit = &out->edits[def->tag_edit_count++];
            edit->kind = (kn_tag_edit_kind)take_below(input, 3);
            edit->tag = take_tag(input, refs);
            edit->with = take_tag(input, refs);
        }
        def->tag_edits = out->edits;
    }
    uint32_t bits = take_u8(input);
    def->no_cue_on_stack = (bits & 1) != 0;
    def->cue_needs_success = (bits & 2) != 0 ? take_below(input, KN_CUE_PHASES + 1) : 0;
    def->ends_with_source = (bits & 12) == 12;
    def->keeps_tally = (bits & 16) != 0;
    def->acts_on_owned =
        (bits & 0x60) == 0x60 && def->duration_kind != KN_DURATION_INSTANT && !def->is_periodic;
    if (take_rarely(input, 3)) {
        def->application = take_conditions(out, input, refs);
        def->ongoing = take_conditions(out, input, refs);
        def->removal = take_conditions(out, input, refs);
    }
    def->chance = (kn_magnitude){.scale = take_scalable(input, refs, 1.0f)};
    def->requirement.index1 = take_rarely(input, 8) ? take_ref(input, refs->requirements) : 0;
    def->stacking = take_stacking(input, refs, def->duration_kind);
    if (take_rarely(input, 6)) {
        def->exclusive_group = take_tag(input, refs);
        def->exclusive_rule = (kn_exclusive_rule)take_below(input, 5);
    }
    def->remove_effects_with = take_tags(out, input, refs);
    def->logic.index1 = take_rarely(input, 6) ? take_ref(input, refs->logics) : 0;
    def->owned = take_requirement(out, input, refs);
    def->modifiers = def->modifier_count > 0 ? out->modifiers : NULL;
    def->children = def->child_count > 0 ? out->children : NULL;
    def->gates = def->gate_count > 0 ? out->gates : NULL;
    def->raises = def->raise_count > 0 ? out->raises : NULL;
    def->executions = def->execution_count > 0 ? out->executions : NULL;
    def->parameters = def->parameter_count > 0 ? out->parameters : NULL;
    def->grants = def->grant_count > 0 ? out->grants : NULL;
}

#endif
