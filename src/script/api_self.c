// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What hooks see: fields and methods of `self` and its kin, read from the frame of the call.

#include "rows.h"

#include <math.h>
#include <string.h>

static void push_state(lua_State *L, const knl_frame *frame)
{
    knl_state_push(L, frame);
}

static void push_frame_entity(lua_State *L, const knl_frame *frame)
{
    KNL_PUSH_ID(L, KNL_ID_ENTITY, frame->entity);
}

// A running ability ---------------------------------------------------------

static void running_level(lua_State *L, const knl_frame *frame)
{
    lua_pushnumber(L, (double)kn_ability_level(frame->world, frame->ability->ability));
}

static void running_event(lua_State *L, const knl_frame *frame)
{
    kn_event_record record;
    if (kn_activation_event(frame->world, frame->ability->activation, &record)) {
        knl_struct_push(L, KNL_RESULT_EVENT, &record);
    } else {
        lua_pushnil(L);
    }
}

static void running_start(lua_State *L, const knl_frame *frame)
{
    knl_seconds_push(L, kn_activation_start(frame->world, frame->ability->activation));
}

static const knl_field_row running_fields[] = {
    F_OWN("state", "table", push_state,
        "State that lasts as long as the activation; see `state` of the definition."),
    F("owner", "kn.entity", "The entity whose ability it is."),
    F("avatar", "kn.entity", "Its avatar; the owner itself if it has no other."),
    F("ability", "kn.ability", "The ability."),
    F("activation", "kn.activation?", "This activation; nil in hooks about the grant."),
    F_OWN("level", "number", running_level, "Its level."),
    F_OWN("event", "kn.event?", running_event, "The event that triggered it."),
    F("has_event", "boolean", "True if it was, or is about to be, triggered by an event."),
    F_OWN("start", "number", running_start, "When it began."),
    FIELDS_END,
};

// Tasks of your own ---------------------------------------------------------

static const knl_field_row task_fields[] = {
    F_OWN("state", "table", push_state, "State that lasts as long as the task."),
    F("owner", "kn.entity", "The entity whose ability it serves."),
    F("task", "kn.task", "The task."),
    F("activation", "kn.activation", "The activation it belongs to."),
    F("ability", "kn.ability", "The ability of that activation."),
    FIELDS_END,
};

// Effects: calculations, executions, requirements, logic, execute hooks -----

static void spec_type(lua_State *L, const knl_frame *frame)
{
    if (frame->spec == NULL) {
        lua_pushnil(L);
        return;
    }
    knl_effect_type_push(L, frame->world, kn_spec_view_type(frame->spec));
}

static void spec_level(lua_State *L, const knl_frame *frame)
{
    lua_pushnumber(L, frame->spec != NULL ? (double)kn_spec_view_level(frame->spec) : 0.0);
}

static void spec_stacks(lua_State *L, const knl_frame *frame)
{
    lua_pushinteger(L, frame->spec != NULL ? kn_spec_view_stacks(frame->spec) : 0);
}

static void spec_source(lua_State *L, const knl_frame *frame)
{
    kn_entity_id source =
        frame->spec != NULL ? kn_spec_view_source(frame->spec) : (kn_entity_id){0};
    KNL_PUSH_ID(L, KNL_ID_ENTITY, source);
}

static void spec_causer(lua_State *L, const knl_frame *frame)
{
    kn_entity_id causer =
        frame->spec != NULL ? kn_spec_view_causer(frame->spec) : (kn_entity_id){0};
    KNL_PUSH_ID(L, KNL_ID_ENTITY, causer);
}

static void spec_instigator(lua_State *L, const knl_frame *frame)
{
    kn_entity_id instigator =
        frame->spec != NULL ? kn_spec_view_instigator(frame->spec) : (kn_entity_id){0};
    KNL_PUSH_ID(L, KNL_ID_ENTITY, instigator);
}

static void spec_origin(lua_State *L, const knl_frame *frame)
{
    kn_vec3 origin;
    if (frame->spec != NULL && kn_spec_view_origin(frame->spec, &origin)) {
        knl_vec3_push(L, origin);
    } else {
        lua_pushnil(L);
    }
}

static void spec_object(lua_State *L, const knl_frame *frame)
{
    lua_pushinteger(
        L, frame->spec != NULL ? (lua_Integer)kn_spec_view_source_object(frame->spec) : 0);
}

static void spec_effect(lua_State *L, const knl_frame *frame)
{
    kn_effect_id effect =
        frame->spec != NULL ? kn_spec_view_effect(frame->spec) : (kn_effect_id){0};
    KNL_PUSH_ID(L, KNL_ID_EFFECT, effect);
}

static void spec_ability(lua_State *L, const knl_frame *frame)
{
    kn_ability_id ability =
        frame->spec != NULL ? kn_spec_view_ability(frame->spec) : (kn_ability_id){0};
    KNL_PUSH_ID(L, KNL_ID_ABILITY, ability);
}

static void spec_activation(lua_State *L, const knl_frame *frame)
{
    kn_activation_id activation =
        frame->spec != NULL ? kn_spec_view_activation(frame->spec) : (kn_activation_id){0};
    KNL_PUSH_ID(L, KNL_ID_ACTIVATION, activation);
}

static void spec_tick(lua_State *L, const knl_frame *frame)
{
    lua_pushinteger(L, frame->spec != NULL ? kn_spec_view_tick(frame->spec) : 0);
}

static void spec_targets(lua_State *L, const knl_frame *frame)
{
    kn_target_view view = {NULL, 0};
    if (frame->spec != NULL) {
        view = kn_spec_view_targets(frame->spec);
    }
    knl_targets_push(L, frame->world, view);
}

static const knl_field_row effect_fields[] = {
    F_OWN("state", "table", push_state, "Logic: state that lasts as long as the effect."),
    F_OWN("type", "string", spec_type, "The effect."),
    F_OWN("level", "number", spec_level, "Its level."),
    F_OWN("stacks", "integer", spec_stacks, "Its stacks."),
    F_OWN("source", "kn.entity?", spec_source, "The source: the entity that applied it."),
    F_OWN("target", "kn.entity", push_frame_entity, "The target."),
    F_OWN("instigator", "kn.entity?", spec_instigator, "Who is responsible; else the source."),
    F_OWN("causer", "kn.entity?", spec_causer, "Weapon or projectile."),
    F_OWN("origin", "kn.vec3?", spec_origin, "Where it comes from, if known."),
    F_OWN("object", "integer", spec_object, "The host's 64 bits."),
    F_OWN("effect", "kn.effect?", spec_effect, "The active effect; nil while it is being applied."),
    F_OWN("ability", "kn.ability?", spec_ability, "The ability that applied it."),
    F_OWN("activation", "kn.activation?", spec_activation, "The activation that applied it."),
    F_OWN("tick", "integer", spec_tick, "How many executions came before this one."),
    F_OWN("targets", "kn.target[]", spec_targets, "The target data it was applied with."),
    FIELDS_END,
};

#define SPEC args->v[0].as.frame->spec

static int self_caller_value(knl_args *args)
{
    float fallback = knl_float_arg(&args->v[2], 0.0f);
    return knl_push_float(args,
        SPEC != NULL ? kn_spec_view_caller_value(SPEC, knl_tag_arg(&args->v[1]), fallback, false)
                     : fallback);
}

static int self_parameter(knl_args *args)
{
    kn_name name = {args->v[1].as.number};
    float fallback = knl_float_arg(&args->v[2], 0.0f);
    return knl_push_float(
        args, SPEC != NULL ? kn_spec_view_parameter(SPEC, name, fallback) : fallback);
}

static int self_named_value(knl_args *args)
{
    kn_name name = {args->v[1].as.number};
    float fallback = knl_float_arg(&args->v[2], 0.0f);
    return knl_push_float(
        args, SPEC != NULL ? kn_spec_view_named_value(SPEC, name, fallback, false) : fallback);
}

static int self_has_asset_tag(knl_args *args)
{
    return knl_push_bool(
        args, SPEC != NULL && kn_spec_view_has_asset_tag(SPEC, knl_tag_arg(&args->v[1])));
}

static int self_asset_tags(knl_args *args)
{
    kn_tag found[KN_TAG_SET_MAX * 2];
    uint32_t capacity = KN_TAG_SET_MAX * 2;
    uint32_t count = kn_spec_view_asset_tags(SPEC, found, capacity);
    knl_tags_push(args->L, (kn_tags){found, count < capacity ? count : capacity});
    return 1;
}

static int self_source_has_tag(knl_args *args)
{
    return knl_push_bool(
        args, SPEC != NULL && kn_spec_view_source_has_tag(SPEC, knl_tag_arg(&args->v[1])));
}

static int self_target_has_tag(knl_args *args)
{
    return knl_push_bool(
        args, SPEC != NULL && kn_spec_view_target_has_tag(SPEC, knl_tag_arg(&args->v[1])));
}

// Says why the application of an effect is refused.
static void spec_refuse(knl_args *args, const kn_spec_view *spec)
{
    kn_refusal_line line = knl_refusal_take(args, &args->v[1], &args->v[2]);
    kn_effect_refusal why = {
        .fail = (uint32_t)line.reason,
        .tag = line.tag,
        .attribute = line.attribute,
        .have = line.have,
        .need = line.need,
        .effect = line.effect,
    };
    memcpy(why.text, line.text, sizeof(why.text));
    kn_spec_view_refuse(spec, &why);
}

static int self_refuse(knl_args *args)
{
    spec_refuse(args, SPEC);
    return knl_push_bool(args, false);
}

static const knl_row spec_rows[] = {
    {"caller_value", self_caller_value, PARAMS(P("tag", T_TAG), P_OPT("fallback", KNL_T_NUMBER)),
        "number", 0, "A caller value."},
    {"parameter", self_parameter, PARAMS(P("name", T_NAME), P_OPT("fallback", KNL_T_NUMBER)),
        "number", 0, "A declared parameter."},
    {"named_value", self_named_value, PARAMS(P("name", T_NAME), P_OPT("fallback", KNL_T_NUMBER)),
        "number", 0, "A named caller value."},
    {"has_asset_tag", self_has_asset_tag, PARAMS(P("tag", T_TAG)), "boolean", 0,
        "Whether a tag describes the effect."},
    {"asset_tags", self_asset_tags, NULL, "string[]", 0, "The tags that describe the effect."},
    {"source_has_tag", self_source_has_tag, PARAMS(P("tag", T_TAG)), "boolean", 0,
        "Whether the source had the tag when the spec was made."},
    {"target_has_tag", self_target_has_tag, PARAMS(P("tag", T_TAG)), "boolean", 0,
        "Whether the target has the tag."},
    ROWS_END,
};

static int self_capture(knl_args *args)
{
    const knl_frame *frame = args->v[0].as.frame;
    uint32_t index = args->v[1].as.number;
    if (index < 1 || (frame->calculation == NULL && frame->execution == NULL)) {
        knl_raise(args->L, "there is no capture %d here", (int)index);
    }
    if (frame->calculation != NULL) {
        return knl_push_float(args, kn_calculation_capture(frame->calculation, index - 1));
    }
    return knl_push_float(args, kn_execution_capture(frame->execution, index - 1));
}

static kn_execution *execution_of(knl_args *args)
{
    kn_execution *execution = args->v[0].as.frame->execution;
    if (execution == NULL) {
        knl_raise(args->L, "only an execution can do this");
    }
    return execution;
}

static int self_output(knl_args *args)
{
    kn_execution_output(execution_of(args), knl_attribute_arg(&args->v[1]),
        knl_u32_arg(&args->v[4], 0), (kn_op)args->v[2].as.number, args->v[3].as.value);
    return 0;
}

static int self_transient(knl_args *args)
{
    float value;
    if (!kn_execution_transient(execution_of(args), knl_tag_arg(&args->v[1]), &value)) {
        lua_pushnil(args->L);
        return 1;
    }
    return knl_push_float(args, value);
}

static int self_handle_cues(knl_args *args)
{
    kn_execution_handle_cues(execution_of(args));
    return 0;
}

static int self_handle_stacks(knl_args *args)
{
    kn_execution_handle_stacks(execution_of(args));
    return 0;
}

static int self_trigger_children(knl_args *args)
{
    kn_execution_trigger_children(execution_of(args));
    return 0;
}

static const knl_row work_rows[] = {
    {"capture", self_capture, PARAMS(P("index", KNL_T_U32)), "number", 0,
        "Calculations, executions: a declared capture, from 1."},
    {"output", self_output,
        PARAMS(P("attribute", T_ATTRIBUTE), P_WORDS("op", WORDS_OP, 0),
            P("magnitude", KNL_T_NUMBER), P_OPT("key", KNL_T_U32)),
        NULL, KNL_CHANGES, "Executions: changes an attribute, after the function returns."},
    {"transient", self_transient, PARAMS(P("tag", T_TAG)), "number?", 0,
        "Executions: a transient variable; nil if the execution does not list it."},
    {"handle_cues", self_handle_cues, NULL, NULL, KNL_CHANGES,
        "Executions: the effect's cues are not executed."},
    {"handle_stacks", self_handle_stacks, NULL, NULL, KNL_CHANGES,
        "Executions: outputs are not scaled by stacks."},
    {"trigger_children", self_trigger_children, NULL, NULL, KNL_CHANGES,
        "Executions: starts the effect's conditional children."},
    {"refuse", self_refuse, PARAMS(P("reason", KNL_T_TEXT), P_OPTIONS("line", knl_refuse_options)),
        "boolean", 0,
        "Requirements: says why the effect is refused, and what is behind it. Returns false."},
    ROWS_END,
};

// Changes of attributes -----------------------------------------------------

static const knl_field_row change_fields[] = {
    F("entity", "kn.entity", "The entity whose attribute changes."),
    F("attribute", "string", "The attribute."),
    F("key", "integer", "The instance of the attribute set."),
    F("old_value", "number", "The value before."),
    F("new_value", "number", "The value after the change, or about to be stored."),
    FIELDS_END,
};

static const knl_field_row execute_fields[] = {
    F("entity", "kn.entity", "The entity whose base value changes."),
    F("attribute", "string", "The attribute."),
    F("key", "integer", "The instance of the attribute set."),
    F("op", "kn.op", "The operation."),
    F("magnitude", "number", "The change."),
    F("old_base", "number", "The value before; post_execute only."),
    F("new_base", "number", "The value after; post_execute only."),
    F_OWN("type", "string?", spec_type, "The effect that causes it."),
    F_OWN("level", "number", spec_level, "Its level."),
    F_OWN("stacks", "integer", spec_stacks, "Its stacks."),
    F_OWN("source", "kn.entity?", spec_source, "The source: the entity that applied it."),
    F_OWN("instigator", "kn.entity?", spec_instigator, "Who is responsible; else the source."),
    F_OWN("causer", "kn.entity?", spec_causer, "Weapon or projectile."),
    F_OWN("origin", "kn.vec3?", spec_origin, "Where it comes from, if known."),
    F_OWN("object", "integer", spec_object, "The host's 64 bits."),
    F_OWN("effect", "kn.effect?", spec_effect, "The active effect."),
    F_OWN("ability", "kn.ability?", spec_ability, "The ability that applied it."),
    F_OWN("activation", "kn.activation?", spec_activation, "The activation that applied it."),
    F_OWN("targets", "kn.target[]", spec_targets, "The target data it was applied with."),
    FIELDS_END,
};

// Records -------------------------------------------------------------------

static void record_targets(lua_State *L, const knl_frame *frame)
{
    knl_targets_push(
        L, frame->world, (kn_target_view){frame->record->data, frame->record->data_size});
}

static const knl_field_row record_fields[] = {
    F("kind", "string?", "The event kind."),
    F("tag", "string?", "Its tag."),
    F("tags", "string[]", "The tags that describe it."),
    F("instigator", "kn.entity?", "The entity that causes it."),
    F("target", "kn.entity?", "The entity it happens to."),
    F("magnitude", "number", "The magnitude."),
    F("object", "integer", "The host's 64 bits."),
    F("object2", "integer", "The host's 64 bits."),
    F_OWN("targets", "kn.target[]", record_targets, "Its target data."),
    FIELDS_END,
};

static int record_has_tag(knl_args *args)
{
    const kn_event_record *record = args->v[0].as.frame->record;
    return knl_push_bool(args, kn_tags_has(args->library, record->tags, knl_tag_arg(&args->v[1])));
}

static int record_refuse(knl_args *args)
{
    spec_refuse(args, args->v[0].as.frame->record->effect);
    return knl_push_bool(args, true);
}

static const knl_row record_rows[] = {
    {"has_tag", record_has_tag, PARAMS(P("tag", T_TAG)), "boolean", 0,
        "Whether the tag, or a tag below it, describes it."},
    {"refuse", record_refuse,
        PARAMS(P("reason", KNL_T_TEXT), P_OPTIONS("line", knl_refuse_options)), "boolean", 0,
        "In the condition of a gate on effects: says why it blocks. Returns true: it applies."},
    ROWS_END,
};

// Targeting and timers ------------------------------------------------------

static const knl_field_row targeting_fields[] = {
    F("owner", "kn.entity", "The entity that looks for targets."),
    F("avatar", "kn.entity", "Its avatar."),
    F("activation", "kn.activation?", "The activation it looks for."),
    F("task", "kn.task?", "The task it looks for."),
    FIELDS_END,
};

static const knl_field_row timer_fields[] = {
    F_OWN("state", "table", push_state, "The data it was started with; 16 bytes."),
    F_OWN("entity", "kn.entity?", push_frame_entity, "The entity it ends with."),
    FIELDS_END,
};

// Tickers -------------------------------------------------------------------

static void ticker_is_running(lua_State *L, const knl_frame *frame)
{
    lua_pushboolean(L, kn_ticker_is_running(frame->world, frame->ticker, frame->entity));
}

static const knl_field_row ticker_fields[] = {
    F_OWN("state", "table", push_state, "State that lasts as long as the ticker is on the entity."),
    F_OWN("entity", "kn.entity?", push_frame_entity,
        "The entity it is on; nil for the world itself."),
    F_OWN("runs", "boolean", ticker_is_running,
        "Whether it is running: between `started` and `stopped`."),
    FIELDS_END,
};

static int self_stop(knl_args *args)
{
    const knl_frame *frame = args->v[0].as.frame;
    return knl_push_bool(args, kn_ticker_stop(args->writable, frame->ticker, frame->entity));
}

static const knl_row ticker_rows[] = {
    {"stop", self_stop, NULL, "boolean", KNL_CHANGES,
        "Removes it, after calling `stopped` if it is running; false if it is already gone."},
    ROWS_END,
};

// Systems -------------------------------------------------------------------

static void system_name(lua_State *L, const knl_frame *frame)
{
    const kn_library *library = kn_world_library(frame->world);
    lua_pushstring(L, kn_system_name(library, frame->run->system));
}

static void system_now(lua_State *L, const knl_frame *frame)
{
    knl_seconds_push(L, frame->run->now);
}

static void system_index(lua_State *L, const knl_frame *frame)
{
    lua_pushinteger(L, (lua_Integer)frame->run->index);
}

static const knl_field_row system_fields[] = {
    F_OWN("name", "string", system_name, "The system."),
    F_OWN("now", "number", system_now, "When this run happens."),
    F_OWN("index", "integer", system_index,
        "Number of this run, counted from the time 0 of the world; the first run is 1."),
    FIELDS_END,
};

// Components ----------------------------------------------------------------

static void component_name(lua_State *L, const knl_frame *frame)
{
    const kn_component_call *call = frame->component_call;
    lua_pushstring(L, kn_component_name(kn_world_library(call->world), call->type));
}

static void component_instance(lua_State *L, const knl_frame *frame)
{
    kn_component_id id = frame->component_call->component;
    if (kn_component_id_is_null(id)) {
        lua_pushnil(L);
        return;
    }
    lua_pushinteger(L, (lua_Integer)kn_component_id_pack(id));
}

static const knl_field_row component_fields[] = {
    F_OWN("entity", "kn.entity?", push_frame_entity,
        "The entity that has it; nil for the world itself."),
    F_OWN("component", "string", component_name, "The name of its type."),
    F_OWN("instance", "integer?", component_instance, "Its id; nil for a type without `several`."),
    FIELDS_END,
};

// Policies ------------------------------------------------------------------

static void policy_base(lua_State *L, const knl_frame *frame)
{
    lua_pushnumber(L, (double)frame->policy->base);
}

static const knl_field_row policy_fields[] = {
    F_OWN("base", "number", policy_base, "The base value of the attribute."),
    FIELDS_END,
};

// All classes ---------------------------------------------------------------

// A self whose fields are those of a struct that its frame points to.
#define OF(which, member) KN_STRUCT_##which + 1, offsetof(knl_frame, member)

// The second array of a running ability is that of activations: see args.c.
static const knl_class class_running = {"running", "An ability in one of its hooks.",
    running_fields, {knl_running_rows, knl_activation_rows}, OF(ABILITY_CALL, ability)};
static const knl_class class_task_self = {"task_self", "A custom task in one of its hooks.",
    task_fields, {knl_own_task_rows}, OF(TASK_CALL, task)};
static const knl_class class_effect_self = {"effect_self",
    "An effect in a calculation, execution, requirement or hook of its logic.", effect_fields,
    {spec_rows, work_rows}, 0, 0};
static const knl_class class_change = {"change",
    "An attribute value that is about to change, or has changed.", change_fields, {NULL},
    OF(ATTRIBUTE_CHANGE, change)};
static const knl_class class_execute = {"execute", "A modifier being executed on a base value.",
    execute_fields, {spec_rows}, OF(EXECUTE_DATA, execute)};
static const knl_class class_record = {"record", "An event record in a condition or an event kind.",
    record_fields, {record_rows}, OF(EVENT_RECORD, record)};
static const knl_class class_reaction = {"reaction_self", "The event a rule reacts to.",
    knl_reaction_fields, {NULL}, OF(REACTION, reaction)};
static const knl_class class_watch = {
    "watch_self", "What a watch has waited for.", knl_watch_fields, {NULL}, OF(REACTION, reaction)};
static const knl_class class_targeting = {"targeting_self", "A search for targets.",
    targeting_fields, {NULL}, OF(TARGETING_CALL, targeting)};
static const knl_class class_timer_self = {
    "timer_self", "A timer that has expired.", timer_fields, {NULL}, 0, 0};
static const knl_class class_ticker_self = {
    "ticker_self", "A ticker in one of its hooks.", ticker_fields, {ticker_rows}, 0, 0};
static const knl_class class_system_self = {
    "system_self", "A run of a system.", system_fields, {NULL}, 0, 0};
static const knl_class class_component_self = {"component_self", "A component in one of its hooks.",
    component_fields, {knl_own_component_rows}, 0, 0};
static const knl_class class_policy_self = {"policy_self",
    "A policy at work. It sees the modifiers, and nothing else of the world.", policy_fields,
    {NULL}, 0, 0};

const knl_class *const knl_id_classes[KNL_ID_COUNT] = {[KNL_ID_ENTITY] = &knl_class_entity,
    [KNL_ID_EFFECT] = &knl_class_effect,
    [KNL_ID_SPEC] = &knl_class_spec,
    [KNL_ID_TIMER] = &knl_class_timer,
    [KNL_ID_ABILITY] = &knl_class_ability,
    [KNL_ID_ACTIVATION] = &knl_class_activation,
    [KNL_ID_TASK] = &knl_class_task};

const knl_class *const knl_self_classes[KNL_SELF_COUNT] = {[KNL_SELF_RUNNING] = &class_running,
    [KNL_SELF_TASK] = &class_task_self,
    [KNL_SELF_EFFECT] = &class_effect_self,
    [KNL_SELF_CHANGE] = &class_change,
    [KNL_SELF_EXECUTE] = &class_execute,
    [KNL_SELF_RECORD] = &class_record,
    [KNL_SELF_REACTION] = &class_reaction,
    [KNL_SELF_TARGETING] = &class_targeting,
    [KNL_SELF_TIMER] = &class_timer_self,
    [KNL_SELF_POLICY] = &class_policy_self,
    [KNL_SELF_TICKER] = &class_ticker_self,
    [KNL_SELF_COMMAND] = &knl_class_command,
    [KNL_SELF_SYSTEM] = &class_system_self,
    [KNL_SELF_COMPONENT] = &class_component_self,
    [KNL_SELF_HOOK] = &knl_class_hook,
    [KNL_SELF_WATCH] = &class_watch};
