// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Methods of active effects and specs.

#include "rows.h"

#include <math.h>

// Applying ------------------------------------------------------------------

#define APPLY(name, field, doc) O_FIELD(name, KN_STRUCT_EFFECT_APPLY_DEF, field, doc)
#define CONTEXT(name, field, doc) O_FIELD(name, KN_STRUCT_EFFECT_CONTEXT, field, doc)

const knl_param knl_apply_options[] = {
    APPLY("source", "source", "the source of the effect"),
    APPLY("level", "level", "default 1"),
    APPLY("stacks", "stacks", "stacks to add; default: as the def says"),
    APPLY("duration", "duration", "default: as the def says"),
    APPLY("period", "period", "default: as the def says"),
    APPLY("values", "caller_values", "caller values: tag = number"),
    APPLY("parameters", "named_values", "parameters and named values: name = number"),
    APPLY("granted_tags", "dynamic_granted_tags", "additional tags it grants"),
    APPLY("asset_tags", "dynamic_asset_tags", "additional tags that describe it"),
    CONTEXT("instigator", "instigator", "default: the source"),
    CONTEXT("causer", "causer", "weapon, projectile"),
    CONTEXT("object", "source_object", "64 bits for the host"),
    CONTEXT("origin", "origin", "position it comes from"),
    CONTEXT("ability", "ability", "the ability it comes from"),
    CONTEXT("activation", "activation", "the activation it comes from"),
    CONTEXT("targets", "targets", "target data that is passed along with it"),
    APPLY("ignore_gates", "ignore_gates", "immunity does not block it"),
    O_END,
};

// A number, or nil where there is no limit.
static void set_limit(lua_State *L, const char *name, float value)
{
    if (value > -HUGE_VALF && value < HUGE_VALF) {
        lua_pushnumber(L, (double)value);
    } else {
        lua_pushnil(L);
    }
    knl_set_field(L, name);
}

static void push_effect_refusal(const knl_args *args, const kn_effect_refusal *refusal)
{
    lua_State *L = args->L;
    char text[512];
    (void)kn_effect_refusal_print(args->world, refusal, text, sizeof(text));
    knl_struct_push(L, KNL_RESULT_EFFECT_REFUSAL, refusal);
    lua_pushstring(L, text);
    knl_set_field(L, "text");
    if (refusal->reason == KN_REFUSED_REQUIREMENT && refusal->attribute.index1 != 0) {
        set_limit(L, "min", refusal->min);
        set_limit(L, "max", refusal->max);
    }
    if (refusal->modifier != 0) {
        lua_pushinteger(L, (lua_Integer)refusal->modifier);
        knl_set_field(L, "modifier");
    }
}

int knl_push_applied(
    knl_args *args, kn_result result, kn_effect_id effect, const kn_effect_refusal *refusal)
{
    if (result == KN_OK && effect.index1 != 0) {
        KNL_PUSH_ID(args->L, KNL_ID_EFFECT, effect);
        return 1;
    }
    int count = knl_push_result(args, result);
    if (refusal->reason == KN_OK || result == KN_OK) {
        return count;
    }
    push_effect_refusal(args, refusal);
    return count + 1;
}

void knl_apply_take(knl_args *args, const knl_value *options, kn_effect_apply_def *def,
    kn_effect_context *context, kn_target_data *data)
{
    *def = kn_effect_apply_def_default();
    *context = (kn_effect_context){0};
    (void)knl_options_fill(args, knl_apply_options, options, KN_STRUCT_EFFECT_APPLY_DEF, def, NULL);
    if (knl_options_fill(
            args, knl_apply_options, options, KN_STRUCT_EFFECT_CONTEXT, context, data)) {
        def->context = context;
    }
}

// Effects -------------------------------------------------------------------

#define EFFECT args->v[0].as.effect

// What is known of it; false, with nil pushed, for a stale id.
static bool info_of(knl_args *args, kn_effect_info *info)
{
    if (kn_effect_get(args->world, EFFECT, info)) {
        return true;
    }
    lua_pushnil(args->L);
    return false;
}

static int effect_is_alive(knl_args *args)
{
    return knl_push_bool(args, kn_effect_is_alive(args->world, EFFECT));
}

static int effect_type(knl_args *args)
{
    kn_effect_info info;
    if (info_of(args, &info)) {
        knl_effect_type_push(args->L, args->world, info.type);
    }
    return 1;
}

static int effect_target(knl_args *args)
{
    kn_effect_info info;
    return info_of(args, &info) ? knl_push_entity(args, info.target) : 1;
}

static int effect_source(knl_args *args)
{
    kn_effect_info info;
    return info_of(args, &info) ? knl_push_entity(args, info.source) : 1;
}

static int effect_level(knl_args *args)
{
    kn_effect_info info;
    return info_of(args, &info) ? knl_push_float(args, info.level) : 1;
}

static int effect_stacks(knl_args *args)
{
    return knl_push_count(args, kn_effect_stacks(args->world, EFFECT));
}

static int effect_remaining(knl_args *args)
{
    knl_seconds_push(args->L, kn_effect_remaining(args->world, EFFECT));
    return 1;
}

static int effect_info(knl_args *args)
{
    kn_effect_info info;
    if (info_of(args, &info)) {
        knl_struct_push(args->L, KNL_RESULT_EFFECT_INFO, &info);
    }
    return 1;
}

static int effect_magnitude(knl_args *args)
{
    uint32_t modifier = args->v[1].as.number;
    return knl_push_float(
        args, modifier > 0 ? kn_effect_magnitude(args->world, EFFECT, modifier - 1) : 0.0f);
}

static int effect_caller_value(knl_args *args)
{
    return knl_push_float(args, kn_effect_caller_value(args->world, EFFECT,
                                    knl_tag_arg(&args->v[1]), knl_float_arg(&args->v[2], 0.0f)));
}

static int effect_remove(knl_args *args)
{
    return knl_push_result(
        args, kn_effect_remove(args->writable, EFFECT, knl_u32_arg(&args->v[1], 0),
                  (kn_removal_reason)knl_u32_arg(&args->v[2], KN_REMOVED_BY_CALL)));
}

static int effect_set_remaining(knl_args *args)
{
    return knl_push_result(
        args, kn_effect_set_remaining(args->writable, EFFECT, args->v[1].as.time));
}

static int effect_add_remaining(knl_args *args)
{
    return knl_push_result(args, kn_effect_add_remaining(args->writable, EFFECT, args->v[1].as.time,
                                     knl_time_arg(&args->v[2], -1)));
}

static int effect_scale_remaining(knl_args *args)
{
    return knl_push_result(
        args, kn_effect_scale_remaining(args->writable, EFFECT, args->v[1].as.value));
}

static int effect_set_total(knl_args *args)
{
    return knl_push_result(args, kn_effect_set_total(args->writable, EFFECT, args->v[1].as.time));
}

static int effect_restart(knl_args *args)
{
    return knl_push_result(args, kn_effect_restart(args->writable, EFFECT, args->v[1].as.time));
}

static int effect_set_level(knl_args *args)
{
    return knl_push_result(args, kn_effect_set_level(args->writable, EFFECT, args->v[1].as.value));
}

static int effect_set_stacks(knl_args *args)
{
    return knl_push_result(
        args, kn_effect_set_stacks(args->writable, EFFECT, args->v[1].as.number));
}

static int effect_set_caller_value(knl_args *args)
{
    return knl_push_result(args, kn_effect_set_caller_value(args->writable, EFFECT,
                                     knl_tag_arg(&args->v[1]), args->v[2].as.value));
}

static int effect_refresh(knl_args *args)
{
    return knl_push_result(args, kn_effect_refresh(args->writable, EFFECT));
}

static int effect_execute(knl_args *args)
{
    return knl_push_result(args, kn_effect_execute(args->writable, EFFECT));
}

static int effect_targets(knl_args *args)
{
    knl_targets_push(args->L, args->world, kn_effect_targets(args->world, EFFECT));
    return 1;
}

static const knl_row effect_rows[] = {
    {"is_alive", effect_is_alive, NULL, "boolean", 0, "False once it has ended."},
    {"type", effect_type, NULL, "string?", 0, "Its name; nil once it has ended."},
    {"target", effect_target, NULL, "kn.entity?", 0, "The entity that has it."},
    {"source", effect_source, NULL, "kn.entity?", 0,
        "The entity that applied it; it may no longer exist."},
    {"level", effect_level, NULL, "number?", 0, "Its level."},
    {"stacks", effect_stacks, NULL, "integer", 0, "Its stacks; 0 once it has ended."},
    {"remaining", effect_remaining, NULL, "number?", 0, "Seconds left; nil if it lasts forever."},
    {"targets", effect_targets, NULL, "kn.target[]", 0, "The target data it was applied with."},
    {"info", effect_info, NULL, "kn.effect_info?", 0, "A table with everything about it."},
    {"magnitude", effect_magnitude, PARAMS(P("modifier", KNL_T_U32)), "number", 0,
        "The scaled magnitude of one modifier, from 1."},
    {"caller_value", effect_caller_value, PARAMS(P("tag", T_TAG), P_OPT("fallback", KNL_T_NUMBER)),
        "number", 0, "A caller value it was applied with."},
    {"remove", effect_remove,
        PARAMS(P_OPT("stacks", KNL_T_U32), P_WORDS("reason", WORDS_REMOVAL_REASON, KNL_OPTIONAL)),
        "true|nil, refusal?", KNL_CHANGES, "Removes some stacks, or the whole effect."},
    {"set_remaining", effect_set_remaining, PARAMS(P("seconds", KNL_T_SECONDS)),
        "true|nil, refusal?", KNL_CHANGES, "Sets the time left."},
    {"add_remaining", effect_add_remaining,
        PARAMS(P("seconds", KNL_T_SECONDS), P_OPT("cap", KNL_T_SECONDS)), "true|nil, refusal?",
        KNL_CHANGES, "Adds to the time left, up to a maximum."},
    {"scale_remaining", effect_scale_remaining, PARAMS(P("factor", KNL_T_NUMBER)),
        "true|nil, refusal?", KNL_CHANGES, "Multiplies the time left."},
    {"set_total", effect_set_total, PARAMS(P("seconds", KNL_T_SECONDS)), "true|nil, refusal?",
        KNL_CHANGES, "Changes its total duration, counted from its start."},
    {"restart", effect_restart, PARAMS(P("seconds", KNL_T_SECONDS)), "true|nil, refusal?",
        KNL_CHANGES, "Restarts it now with this duration."},
    {"set_level", effect_set_level, PARAMS(P("level", KNL_T_NUMBER)), "true|nil, refusal?",
        KNL_CHANGES, "Sets its level."},
    {"set_stacks", effect_set_stacks, PARAMS(P("stacks", KNL_T_U32)), "true|nil, refusal?",
        KNL_CHANGES, "Sets its stacks."},
    {"set_caller_value", effect_set_caller_value, PARAMS(P("tag", T_TAG), P("value", KNL_T_NUMBER)),
        "true|nil, refusal?", KNL_CHANGES, "Sets a caller value and updates what depends on it."},
    {"refresh", effect_refresh, NULL, "true|nil, refusal?", KNL_CHANGES,
        "Recomputes its magnitudes."},
    {"execute", effect_execute, NULL, "true|nil, refusal?", KNL_CHANGES,
        "Executes a tick now, outside its schedule."},
    ROWS_END,
};

const knl_class knl_class_effect = {
    "effect", "An active effect. Ids are integers; nil means none.", NULL, {effect_rows}, 0, 0};

// Specs ---------------------------------------------------------------------

#define SPEC args->v[0].as.spec

static int spec_is_alive(knl_args *args)
{
    return knl_push_bool(args, kn_spec_is_alive(args->world, SPEC));
}

static int spec_destroy(knl_args *args)
{
    bool was_alive = kn_spec_is_alive(args->world, SPEC);
    kn_spec_destroy(args->writable, SPEC);
    return knl_push_bool(args, was_alive);
}

static int spec_copy(knl_args *args)
{
    kn_spec_id copy;
    kn_result result = kn_spec_copy(args->writable, SPEC, &copy);
    if (result != KN_OK) {
        return knl_push_result(args, result);
    }
    KNL_PUSH_ID(args->L, KNL_ID_SPEC, copy);
    return 1;
}

static int spec_set_caller_value(knl_args *args)
{
    return knl_push_result(args, kn_spec_set_caller_value(args->writable, SPEC,
                                     knl_tag_arg(&args->v[1]), args->v[2].as.value));
}

static int spec_set_parameter(knl_args *args)
{
    kn_name name = {args->v[1].as.number};
    return knl_push_result(
        args, kn_spec_set_named_value(args->writable, SPEC, name, args->v[2].as.value));
}

static int spec_caller_value(knl_args *args)
{
    return knl_push_float(args, kn_spec_caller_value(args->world, SPEC, knl_tag_arg(&args->v[1]),
                                    knl_float_arg(&args->v[2], 0.0f)));
}

static int spec_set_level(knl_args *args)
{
    return knl_push_result(args, kn_spec_set_level(args->writable, SPEC, args->v[1].as.value));
}

static int spec_set_duration(knl_args *args)
{
    return knl_push_result(args, kn_spec_set_duration(args->writable, SPEC, args->v[1].as.time));
}

static int spec_set_period(knl_args *args)
{
    return knl_push_result(args, kn_spec_set_period(args->writable, SPEC, args->v[1].as.time));
}

static int spec_set_stacks(knl_args *args)
{
    return knl_push_result(args, kn_spec_set_stacks(args->writable, SPEC, args->v[1].as.number));
}

static int spec_add_granted_tag(knl_args *args)
{
    return knl_push_result(
        args, kn_spec_add_granted_tag(args->writable, SPEC, knl_tag_arg(&args->v[1])));
}

static int spec_add_asset_tag(knl_args *args)
{
    return knl_push_result(
        args, kn_spec_add_asset_tag(args->writable, SPEC, knl_tag_arg(&args->v[1])));
}

static int spec_set_context(knl_args *args)
{
    kn_effect_context context = {0};
    kn_target_data data;
    (void)knl_options_fill(
        args, knl_apply_options, &args->v[1], KN_STRUCT_EFFECT_CONTEXT, &context, &data);
    return knl_push_result(
        args, kn_spec_set_context(args->writable, SPEC, &context, args->v[2].as.flag));
}

static int spec_apply(knl_args *args)
{
    kn_effect_id effect;
    kn_effect_refusal refusal = {0};
    kn_result result =
        kn_spec_apply_why(args->writable, SPEC, args->v[1].as.entity, &effect, &refusal);
    return knl_push_applied(args, result, effect, &refusal);
}

static int spec_reasons(knl_args *args)
{
    kn_effect_refusal lines[16];
    uint32_t count = kn_spec_explain(args->world, SPEC, args->v[1].as.entity, lines, 16);
    count = count < 16 ? count : 16;
    lua_createtable(args->L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        push_effect_refusal(args, &lines[i]);
        lua_rawseti(args->L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static const knl_row spec_rows[] = {
    {"is_alive", spec_is_alive, NULL, "boolean", 0, "False once it is destroyed."},
    {"destroy", spec_destroy, NULL, "boolean", KNL_CHANGES,
        "Destroys it; false if it no longer existed."},
    {"copy", spec_copy, NULL, "kn.spec|nil, refusal?", KNL_CHANGES, "Makes a copy of it."},
    {"apply", spec_apply, PARAMS(P("target", T_ENTITY)),
        "kn.effect|true|nil, refusal?, kn.effect_refusal?", KNL_CHANGES,
        "Applies it; the spec remains and can be applied again."},
    {"reasons", spec_reasons, PARAMS(P("target", T_ENTITY)), "kn.effect_refusal[]", 0,
        "All reasons against applying it now, as far as they are certain; empty if there is none."},
    {"caller_value", spec_caller_value, PARAMS(P("tag", T_TAG), P_OPT("fallback", KNL_T_NUMBER)),
        "number", 0, "A caller value."},
    {"set_caller_value", spec_set_caller_value, PARAMS(P("tag", T_TAG), P("value", KNL_T_NUMBER)),
        "true|nil, refusal?", KNL_CHANGES, "Sets a caller value."},
    {"set_parameter", spec_set_parameter, PARAMS(P("name", T_NAME), P("value", KNL_T_NUMBER)),
        "true|nil, refusal?", KNL_CHANGES, "Sets a parameter or named value."},
    {"set_level", spec_set_level, PARAMS(P("level", KNL_T_NUMBER)), "true|nil, refusal?",
        KNL_CHANGES, "Sets its level."},
    {"set_duration", spec_set_duration, PARAMS(P("seconds", KNL_T_SECONDS)), "true|nil, refusal?",
        KNL_CHANGES, "Sets its duration."},
    {"set_period", spec_set_period, PARAMS(P("seconds", KNL_T_SECONDS)), "true|nil, refusal?",
        KNL_CHANGES, "Sets its period."},
    {"set_stacks", spec_set_stacks, PARAMS(P("stacks", KNL_T_U32)), "true|nil, refusal?",
        KNL_CHANGES, "Sets the stacks it adds."},
    {"add_granted_tag", spec_add_granted_tag, PARAMS(P("tag", T_TAG)), "true|nil, refusal?",
        KNL_CHANGES, "Adds a tag that it grants."},
    {"add_asset_tag", spec_add_asset_tag, PARAMS(P("tag", T_TAG)), "true|nil, refusal?",
        KNL_CHANGES, "Adds a tag that describes it."},
    {"set_context", spec_set_context,
        PARAMS(P_OPTIONS("context", knl_apply_options), P_OPT("keep_captures", KNL_T_BOOL)),
        "true|nil, refusal?", KNL_CHANGES,
        "Replaces instigator, causer, object, origin, targets, ability and activation."},
    ROWS_END,
};

const knl_class knl_class_spec = {"spec",
    "An effect that is prepared but not yet applied. Ids are integers.", NULL, {spec_rows}, 0, 0};

// Timers --------------------------------------------------------------------

static int timer_cancel(knl_args *args)
{
    return knl_push_bool(args, kn_timer_cancel(args->writable, args->v[0].as.timer));
}

static int timer_remaining(knl_args *args)
{
    knl_seconds_push(args->L, kn_timer_remaining(args->world, args->v[0].as.timer));
    return 1;
}

static const knl_row timer_rows[] = {
    {"cancel", timer_cancel, NULL, "boolean", KNL_CHANGES,
        "Stops it; false if it no longer existed."},
    {"remaining", timer_remaining, NULL, "number", 0, "Seconds left; 0 once it has ended."},
    ROWS_END,
};

const knl_class knl_class_timer = {
    "timer", "A running timer. Ids are integers.", NULL, {timer_rows}, 0, 0};
