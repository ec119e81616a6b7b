// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tasks: how a running ability waits. Each names the function of the definition that goes on with
// the result; the name's hash is the label of the task.

#include "rows.h"

#include <string.h>

static const char *const conflict_names[] = {"interrupt", "refuse", "allow", NULL};
static const char *const confirm_names[] = {"instant", "user", "custom", "custom_multi", NULL};
static const char *const motion_names[] = {"force", "radial", "move_to", "follow", "jump", NULL};

enum {
    TASK_NAME,
    TASK_ENTITY,
    TASK_REPEATS,
    TASK_TEST_NOW,
    TASK_TIMEOUT,
    TASK_RESOURCE,
    TASK_CONFLICT,
    TASK_DELAY,
    TASK_INTERVAL,
    TASK_COUNT,
    TASK_TAG,
    TASK_TAGS,
    TASK_QUERY,
    TASK_WHEN_FALSE,
    TASK_ATTRIBUTE,
    TASK_RELATIVE_TO,
    TASK_COMPARE,
    TASK_VALUE,
    TASK_EFFECT_TYPE,
    TASK_EFFECT,
    TASK_MODE,
    TASK_ANIMATION,
    TASK_SECTION,
    TASK_RATE,
    TASK_START,
    TASK_QUIET_END,
    TASK_USER,
    TASK_TARGETING,
    TASK_CONFIRM,
    TASK_MOTION,
    TASK_TYPE,
    TASK_STATE,
};

const knl_param knl_task_options[] = {
    O("name", T_NAME, "a name to find it by"),
    O("entity", T_ENTITY, "the entity it watches; default: the owner"),
    O("repeats", KNL_T_BOOL, "continues after a result"),
    O("test_now", KNL_T_BOOL, "inputs: counts an input that is already down"),
    O("timeout", KNL_T_SECONDS, "the output is \"timed_out\" after this time"),
    O("resource", T_TAG, "the resources it claims"),
    O_ENUM("conflict", conflict_names, "what happens to a task that claims the same"),
    O("delay", KNL_T_SECONDS, "delay: the time to wait"),
    O("interval", KNL_T_SECONDS, "repeat: the time between results"),
    O("count", KNL_T_U32, "repeat: how many times; 0: forever"),
    O("tag", T_TAG, "event, tag_added, tag_removed, cue"),
    O("tags", KNL_T_TAGS, "ability_*: with any of these"),
    O("query", KNL_T_TEXT, "tag_query: a tag query"),
    O("when_false", KNL_T_BOOL, "tag_query: waits until it no longer matches"),
    O("attribute", T_ATTRIBUTE, "attribute, threshold"),
    O("relative_to", T_ATTRIBUTE, "threshold: `value` is a share of this"),
    O_ENUM("compare", knl_compare_names, "threshold"),
    O("value", KNL_T_NUMBER, "threshold"),
    O("effect_type", T_EFFECT_TYPE, "effect_*: of this type"),
    O("effect", T_EFFECT, "effect_*: this one"),
    O("mode", KNL_T_U32, "movement: this mode; default any"),
    O("animation", T_ANIMATION, "animation"),
    O("section", T_NAME, "animation: where it begins"),
    O("rate", KNL_T_NUMBER, "animation: playback rate; default 1"),
    O("start", KNL_T_SECONDS, "animation: where it begins"),
    O("quiet_end", KNL_T_BOOL, "animation: no result after the blend-out"),
    O("user", KNL_T_INTEGER, "spawn: the host's 64 bits for the new entity"),
    O("targeting", T_TARGETING, "target: the targeting type"),
    O_ENUM("confirm", confirm_names, "target: when targets become final"),
    O("motion", KNL_T_ANY, "motion: a table; see kn.motion"),
    O("type", T_TASK_TYPE, "custom: the type of task"),
    O("state", KNL_T_ANY, "custom: a table of the fields that the task declares"),
    O_END,
};

_Static_assert(
    sizeof(knl_task_options) / sizeof(knl_task_options[0]) <= KNL_OPTIONS_MAX, "too many");

// What a task needs as long as it is being made.
typedef struct task_parts {
    kn_tag_query query;
    kn_motion_def motion;
    uint64_t params[KNL_STATE_MAX / 8];
} task_parts;

// Motions -------------------------------------------------------------------

enum {
    MOTION_KIND,
    MOTION_DURATION,
    MOTION_PRIORITY,
    MOTION_ADDS,
    MOTION_STRENGTH,
    MOTION_STRENGTH_CURVE,
    MOTION_CENTRE,
    MOTION_RADIUS,
    MOTION_PULLS,
    MOTION_DIRECTION,
    MOTION_DESTINATION,
    MOTION_OFFSET,
    MOTION_EASING,
    MOTION_DISTANCE,
    MOTION_HEIGHT,
    MOTION_TAG,
    MOTION_POSITION,
    MOTION_VELOCITY,
    MOTION_TARGET,
};

const knl_param knl_motion_options[] = {
    O_ENUM("kind", motion_names, "required"),
    O("duration", KNL_T_SECONDS, "default 1"),
    O("priority", KNL_T_INTEGER, "priority among those that override"),
    O("adds", KNL_T_BOOL, "whether it is added to the host's velocity or overrides it"),
    O("strength", KNL_T_NUMBER, "forces: units per second"),
    O("strength_curve", T_CURVE, "forces: curve of the factor over time"),
    O("centre", KNL_T_VEC3, "radial"),
    O("radius", KNL_T_NUMBER, "radial"),
    O("pulls", KNL_T_BOOL, "radial: towards the centre"),
    O("direction", KNL_T_VEC3, "forces and jumps"),
    O("destination", KNL_T_VEC3, "move_to"),
    O("offset", KNL_T_VEC3, "follow: seen from the target"),
    O("easing", T_CURVE, "paths: curve of the share of the way over time"),
    O("distance", KNL_T_NUMBER, "jump"),
    O("height", KNL_T_NUMBER, "jump"),
    O("tag", T_TAG, "a tag for the host"),
    O("position", KNL_T_VEC3, "where it begins; default: where the owner is"),
    O("velocity", KNL_T_VEC3, "the velocity before the motion"),
    O("target", T_ENTITY, "follow: whom"),
    O_END,
};

static kn_vec3 vec_arg(const knl_value *value, kn_vec3 fallback)
{
    return value->is_given ? value->as.vec : fallback;
}

static void motion_take(knl_args *args, int index, task_parts *parts, kn_task_def *def)
{
    knl_value o[sizeof(knl_motion_options) / sizeof(knl_motion_options[0])];
    if (lua_type(args->L, index) != LUA_TTABLE) {
        knl_raise(args->L, "`motion` takes a table");
    }
    knl_options_take(args, index, knl_motion_options, o);
    if (!o[MOTION_KIND].is_given) {
        knl_raise(args->L, "a motion needs a kind");
    }
    kn_motion_def *motion = &parts->motion;
    *motion = kn_motion_def_default((kn_motion_kind)o[MOTION_KIND].as.number);
    motion->duration = knl_time_arg(&o[MOTION_DURATION], motion->duration);
    motion->priority =
        o[MOTION_PRIORITY].is_given ? (int32_t)o[MOTION_PRIORITY].as.integer : motion->priority;
    if (o[MOTION_ADDS].is_given) {
        motion->blend = o[MOTION_ADDS].as.flag ? KN_MOTION_ADD : KN_MOTION_OVERRIDE;
    }
    motion->strength = knl_float_arg(&o[MOTION_STRENGTH], motion->strength);
    motion->strength_curve.index1 = knl_u32_arg(&o[MOTION_STRENGTH_CURVE], 0);
    motion->centre = vec_arg(&o[MOTION_CENTRE], motion->centre);
    motion->radius = knl_float_arg(&o[MOTION_RADIUS], motion->radius);
    motion->pulls = o[MOTION_PULLS].as.flag;
    motion->direction = vec_arg(&o[MOTION_DIRECTION], motion->direction);
    motion->destination = vec_arg(&o[MOTION_DESTINATION], motion->destination);
    motion->offset = vec_arg(&o[MOTION_OFFSET], motion->offset);
    motion->easing.index1 = knl_u32_arg(&o[MOTION_EASING], 0);
    motion->distance = knl_float_arg(&o[MOTION_DISTANCE], motion->distance);
    motion->height = knl_float_arg(&o[MOTION_HEIGHT], motion->height);
    motion->tag = knl_tag_arg(&o[MOTION_TAG]);
    kn_error error;
    if (kn_motion_check(args->library, motion, &error) != KN_OK) {
        knl_raise(args->L, "motion: %s", error.message);
    }
    kn_vec3 position = {0.0f, 0.0f, 0.0f};
    (void)kn_space_position(
        kn_world_space(args->world), args->world, args->frame->ability->avatar, &position);
    def->motion = motion;
    def->motion_start.position = vec_arg(&o[MOTION_POSITION], position);
    def->motion_start.velocity = vec_arg(&o[MOTION_VELOCITY], (kn_vec3){0.0f, 0.0f, 0.0f});
    def->motion_start.target = o[MOTION_TARGET].as.entity;
}

// Making tasks --------------------------------------------------------------

// The type of a custom task is the last name that was pushed for it: its text is still there.
static void custom_take(knl_args *args, const knl_value *o, task_parts *parts, kn_task_def *def)
{
    def->type.index1 = knl_u32_arg(&o[TASK_TYPE], 0);
    if (!o[TASK_STATE].is_given) {
        return;
    }
    lua_getfield(args->L, 4, "type");
    const char *name = lua_tostring(args->L, -1);
    const knl_binding *binding =
        name != NULL ? knl_script_find_binding(args->vm->script, KNL_DEF_TASK, name) : NULL;
    if (binding == NULL || lua_type(args->L, o[TASK_STATE].as.index) != LUA_TTABLE) {
        knl_raise(args->L, "`state` takes a table of fields the task declares");
    }
    memset(parts->params, 0, sizeof(parts->params));
    knl_state_fill(args->L, o[TASK_STATE].as.index, &binding->layout, parts->params);
    def->params = parts->params;
    def->param_size = binding->layout.size;
}

static void task_take(knl_args *args, task_parts *parts, kn_task_def *def)
{
    const knl_value *o = args->o;
    def->name.index1 = knl_u32_arg(&o[TASK_NAME], 0);
    def->entity = o[TASK_ENTITY].as.entity;
    def->repeats = o[TASK_REPEATS].as.flag;
    def->test_now = o[TASK_TEST_NOW].as.flag;
    def->timeout = knl_time_arg(&o[TASK_TIMEOUT], def->timeout);
    def->resource = knl_tag_arg(&o[TASK_RESOURCE]);
    def->conflict = (kn_task_conflict)knl_u32_arg(&o[TASK_CONFLICT], def->conflict);
    def->delay = knl_time_arg(&o[TASK_DELAY], def->delay);
    def->interval = knl_time_arg(&o[TASK_INTERVAL], def->interval);
    def->count = knl_u32_arg(&o[TASK_COUNT], def->count);
    def->tag = o[TASK_TAG].is_given ? knl_tag_arg(&o[TASK_TAG]) : def->tag;
    def->tags = o[TASK_TAGS].is_given ? o[TASK_TAGS].as.tags : def->tags;
    if (o[TASK_QUERY].is_given) {
        kn_error error;
        if (kn_tag_query_parse(args->library, o[TASK_QUERY].as.text, &parts->query, &error) !=
            KN_OK) {
            knl_raise(args->L, "query: %s", error.message);
        }
        def->query = &parts->query;
    }
    def->when_false = o[TASK_WHEN_FALSE].as.flag;
    def->attribute =
        o[TASK_ATTRIBUTE].is_given ? knl_attribute_arg(&o[TASK_ATTRIBUTE]) : def->attribute;
    def->relative_to = knl_attribute_arg(&o[TASK_RELATIVE_TO]);
    def->compare = (kn_compare)knl_u32_arg(&o[TASK_COMPARE], def->compare);
    def->value = knl_float_arg(&o[TASK_VALUE], def->value);
    def->effect_type.index1 = knl_u32_arg(&o[TASK_EFFECT_TYPE], def->effect_type.index1);
    def->effect = o[TASK_EFFECT].is_given ? o[TASK_EFFECT].as.effect : def->effect;
    def->mode = knl_u32_arg(&o[TASK_MODE], def->mode);
    def->animation.index1 = knl_u32_arg(&o[TASK_ANIMATION], def->animation.index1);
    def->section.index1 = knl_u32_arg(&o[TASK_SECTION], 0);
    def->rate = knl_float_arg(&o[TASK_RATE], def->rate);
    def->start = knl_time_arg(&o[TASK_START], def->start);
    def->no_result_after_blend_out = o[TASK_QUIET_END].as.flag;
    def->user = (uint64_t)o[TASK_USER].as.integer;
    def->targeting.index1 = knl_u32_arg(&o[TASK_TARGETING], def->targeting.index1);
    def->confirm = (kn_confirm)knl_u32_arg(&o[TASK_CONFIRM], def->confirm);
}

// Whether the def has what its kind cannot do without.
static bool task_has_needs(const kn_task_def *def)
{
    switch (def->kind) {
    case KN_TASK_REPEAT:
        return def->interval > 0;
    case KN_TASK_EVENT:
    case KN_TASK_TAG_ADDED:
    case KN_TASK_TAG_REMOVED:
    case KN_TASK_CUE:
        return def->tag.index1 != 0;
    case KN_TASK_TAG_QUERY:
        return def->query != NULL;
    case KN_TASK_ATTRIBUTE:
    case KN_TASK_THRESHOLD:
        return def->attribute.index1 != 0;
    case KN_TASK_ANIMATION:
        return def->animation.index1 != 0 && def->rate > 0.0f;
    case KN_TASK_MOTION:
        return def->motion != NULL;
    case KN_TASK_TARGET:
        return def->targeting.index1 != 0;
    case KN_TASK_CUSTOM:
        return def->type.index1 != 0;
    default:
        return true;
    }
}

static int task_run(knl_args *args, kn_task_def *def)
{
    const knl_frame *frame = args->v[0].as.frame;
    kn_task_id task = {0};
    if (def->delay < 0 || def->timeout < 0 || def->interval < 0 || def->start < 0) {
        knl_raise(args->L, "a time is negative");
    }
    if (!task_has_needs(def)) {
        knl_raise(
            args->L, "a task of kind `%s` lacks a required option", knl_task_kind_names[def->kind]);
    }
    if (frame->ability->activation.index1 == 0) {
        return knl_push_result(args, KN_REFUSED_STALE_ID);
    }
    kn_result result = kn_task_run(args->writable, frame->ability->activation, def, &task);
    if (result != KN_OK) {
        return knl_push_result(args, result);
    }
    KNL_PUSH_ID(args->L, KNL_ID_TASK, task);
    return 1;
}

static int running_task(knl_args *args)
{
    kn_task_def def = kn_task_def_default((kn_task_kind)args->v[1].as.number);
    task_parts parts;
    def.label = knl_u32_arg(&args->v[2], 0);
    if (args->v[3].is_given) {
        task_take(args, &parts, &def);
        if (args->o[TASK_MOTION].is_given) {
            motion_take(args, args->o[TASK_MOTION].as.index, &parts, &def);
        }
        custom_take(args, args->o, &parts, &def);
    }
    return task_run(args, &def);
}

static int running_wait(knl_args *args)
{
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.delay = args->v[1].as.time;
    def.label = knl_u32_arg(&args->v[2], 0);
    return task_run(args, &def);
}

static int running_every(knl_args *args)
{
    kn_task_def def = kn_task_def_default(KN_TASK_REPEAT);
    def.interval = args->v[1].as.time;
    def.label = knl_u32_arg(&args->v[2], 0);
    def.count = knl_u32_arg(&args->v[3], 0);
    return task_run(args, &def);
}

// A task that needs a tag, a handler and options.
static int wait_for_tag(knl_args *args, kn_task_kind kind)
{
    kn_task_def def = kn_task_def_default(kind);
    task_parts parts;
    def.tag = knl_tag_arg(&args->v[1]);
    def.label = knl_u32_arg(&args->v[2], 0);
    if (args->v[3].is_given) {
        task_take(args, &parts, &def);
    }
    return task_run(args, &def);
}

static int running_wait_event(knl_args *args)
{
    return wait_for_tag(args, KN_TASK_EVENT);
}

static int running_wait_tag(knl_args *args)
{
    return wait_for_tag(args, KN_TASK_TAG_ADDED);
}

static int running_wait_no_tag(knl_args *args)
{
    return wait_for_tag(args, KN_TASK_TAG_REMOVED);
}

static int running_wait_release(knl_args *args)
{
    kn_task_def def = kn_task_def_default(KN_TASK_INPUT_RELEASED);
    def.test_now = true;
    def.label = knl_u32_arg(&args->v[1], 0);
    return task_run(args, &def);
}

static int running_play(knl_args *args)
{
    kn_task_def def = kn_task_def_default(KN_TASK_ANIMATION);
    task_parts parts;
    def.animation.index1 = args->v[1].as.number;
    def.label = knl_u32_arg(&args->v[2], 0);
    if (args->v[3].is_given) {
        task_take(args, &parts, &def);
    }
    return task_run(args, &def);
}

static int running_aim(knl_args *args)
{
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    task_parts parts;
    def.targeting.index1 = args->v[1].as.number;
    def.label = knl_u32_arg(&args->v[2], 0);
    if (args->v[3].is_given) {
        task_take(args, &parts, &def);
    }
    return task_run(args, &def);
}

static int running_move(knl_args *args)
{
    kn_task_def def = kn_task_def_default(KN_TASK_MOTION);
    task_parts parts;
    def.label = knl_u32_arg(&args->v[2], 0);
    motion_take(args, args->v[1].as.index, &parts, &def);
    return task_run(args, &def);
}

#define HANDLER                                                                                    \
    {                                                                                              \
        "handler", KNL_T_HANDLER, KNL_OPTIONAL, NULL, NULL                                         \
    }

const knl_row knl_running_rows[] = {
    {"wait", running_wait, PARAMS(P("seconds", KNL_T_SECONDS), HANDLER), "kn.task|nil, refusal?",
        KNL_CHANGES, "Calls the handler after this time."},
    {"every", running_every,
        PARAMS(P("seconds", KNL_T_SECONDS), HANDLER, P_OPT("count", KNL_T_U32)),
        "kn.task|nil, refusal?", KNL_CHANGES,
        "Calls the handler at this interval, `count` times, or as long as the ability is active."},
    {"wait_event", running_wait_event,
        PARAMS(P("tag", T_TAG), HANDLER, P_OPTIONS("options", knl_task_options)),
        "kn.task|nil, refusal?", KNL_CHANGES, "Waits for an event with the tag or a tag below it."},
    {"wait_tag", running_wait_tag,
        PARAMS(P("tag", T_TAG), HANDLER, P_OPTIONS("options", knl_task_options)),
        "kn.task|nil, refusal?", KNL_CHANGES, "Waits until the entity has the tag."},
    {"wait_no_tag", running_wait_no_tag,
        PARAMS(P("tag", T_TAG), HANDLER, P_OPTIONS("options", knl_task_options)),
        "kn.task|nil, refusal?", KNL_CHANGES, "Waits until the entity does not have the tag."},
    {"wait_release", running_wait_release, PARAMS(HANDLER), "kn.task|nil, refusal?", KNL_CHANGES,
        "Waits until its input is released; at once if it is not down."},
    {"play", running_play,
        PARAMS(P("animation", T_ANIMATION), HANDLER, P_OPTIONS("options", knl_task_options)),
        "kn.task|nil, refusal?", KNL_CHANGES, "Plays an animation."},
    {"aim", running_aim,
        PARAMS(P("targeting", T_TARGETING), HANDLER, P_OPTIONS("options", knl_task_options)),
        "kn.task|nil, refusal?", KNL_CHANGES, "Looks for targets until they are confirmed."},
    {"move", running_move, PARAMS(P("motion", KNL_T_ANY), HANDLER), "kn.task|nil, refusal?",
        KNL_CHANGES, "Moves the owner; see kn.motion."},
    {"task", running_task,
        PARAMS(P_ENUM("kind", knl_task_kind_names, 0), HANDLER,
            P_OPTIONS("options", knl_task_options)),
        "kn.task|nil, refusal?", KNL_CHANGES, "A task of any kind."},
    ROWS_END,
};

// Tasks that run ------------------------------------------------------------

#define TASK args->v[0].as.task

static int task_is_alive(knl_args *args)
{
    return knl_push_bool(args, kn_task_is_alive(args->world, TASK));
}

static int task_stop(knl_args *args)
{
    return knl_push_result(args, kn_task_end(args->writable, TASK));
}

static int task_info(knl_args *args)
{
    lua_State *L = args->L;
    kn_task_info info;
    if (!kn_task_get(args->world, TASK, &info)) {
        lua_pushnil(L);
        return 1;
    }
    lua_createtable(L, 0, 6);
    knl_enum_push(L, knl_task_kind_names, info.kind);
    knl_set_field(L, "kind");
    KNL_PUSH_ID(L, KNL_ID_ACTIVATION, info.activation);
    knl_set_field(L, "activation");
    knl_text_push(L, kn_name_text(args->library, info.name));
    knl_set_field(L, "name");
    lua_pushboolean(L, info.is_started);
    knl_set_field(L, "is_started");
    knl_seconds_push(L, info.start);
    knl_set_field(L, "start");
    knl_seconds_push(L, info.due);
    knl_set_field(L, "due");
    return 1;
}

static int task_targets(knl_args *args)
{
    knl_targets_push(args->L, args->world, kn_task_targets(args->world, TASK));
    return 1;
}

static int task_confirm(knl_args *args)
{
    return knl_push_result(args, kn_target_confirm(args->writable, TASK));
}

static int task_cancel(knl_args *args)
{
    return knl_push_result(args, kn_target_cancel(args->writable, TASK));
}

static int task_provide(knl_args *args)
{
    kn_target_data data;
    knl_targets_take(args->L, args->v[1].as.index, args->library, &data);
    if (data.count == 0) {
        return knl_push_result(args, KN_REFUSED_NOT_FOUND);
    }
    return knl_push_result(
        args, kn_target_provide(args->writable, TASK, kn_target_data_view(&data)));
}

static const knl_row task_rows[] = {
    {"is_alive", task_is_alive, NULL, "boolean", 0, "False once it has ended."},
    {"stop", task_stop, NULL, "true|nil, refusal?", KNL_CHANGES, "Ends it without a result."},
    {"info", task_info, NULL, "kn.task_info?", 0, "A table with everything about it."},
    {"targets", task_targets, NULL, "kn.target[]", 0,
        "The targets a targeting task has found so far."},
    {"confirm", task_confirm, NULL, "true|nil, refusal?", KNL_CHANGES,
        "Confirms the current targets of a targeting task."},
    {"cancel", task_cancel, NULL, "true|nil, refusal?", KNL_CHANGES, "Cancels a targeting task."},
    {"provide", task_provide, PARAMS(P("targets", KNL_T_TARGETS)), "true|nil, refusal?",
        KNL_CHANGES, "Provides final targets from elsewhere."},
    ROWS_END,
};

const knl_class knl_class_task = {
    "task", "One task of an active ability. Ids are integers; nil means none.", NULL, {task_rows}};

// Tasks of your own ---------------------------------------------------------

static int own_wake_after(knl_args *args)
{
    return knl_push_result(
        args, kn_task_wait(args->writable, args->frame->task->task, args->v[1].as.time));
}

// What a trigger is about, by the kind of name it takes; 0 for any.
static uint32_t trigger_subject(knl_args *args, kn_trigger trigger, const knl_value *value)
{
    if (!value->is_given) {
        return 0;
    }
    switch (trigger) {
    case KN_TRIGGER_EVENT:
    case KN_TRIGGER_TAG_ADDED:
    case KN_TRIGGER_TAG_REMOVED:
        return knl_name_take(args->L, value->as.index, KNL_NAME_TAG, "what");
    case KN_TRIGGER_ATTRIBUTE_CHANGED:
        return knl_name_take(args->L, value->as.index, KNL_NAME_ATTRIBUTE, "what");
    case KN_TRIGGER_EFFECT_APPLIED:
    case KN_TRIGGER_EFFECT_REMOVED:
    case KN_TRIGGER_EFFECT_STACKS:
        return knl_name_take(args->L, value->as.index, KNL_NAME_EFFECT_TYPE, "what");
    default:
        return 0;
    }
}

static int own_watch(knl_args *args)
{
    const kn_task_call *call = args->frame->task;
    kn_trigger trigger = (kn_trigger)args->v[1].as.number;
    kn_entity_id entity = args->v[3].is_given ? args->v[3].as.entity : call->owner;
    uint32_t what = trigger_subject(args, trigger, &args->v[2]);
    return knl_push_result(args, kn_task_watch(args->writable, call->task, entity, trigger, what));
}

static int own_tell(knl_args *args)
{
    lua_State *L = args->L;
    float data[64];
    uint32_t count = 0;
    if (args->v[2].is_given) {
        int index = args->v[2].as.index;
        if (lua_type(L, index) != LUA_TTABLE) {
            knl_raise(L, "`data` takes an array of numbers");
        }
        for (; lua_geti(L, index, (lua_Integer)count + 1) != LUA_TNIL; count++) {
            if (count == 64 || lua_type(L, -1) != LUA_TNUMBER) {
                knl_raise(L, "`data` takes an array of at most 64 numbers");
            }
            data[count] = (float)lua_tonumber(L, -1);
            lua_pop(L, 1);
        }
    }
    if (args->v[1].as.number > 1000000) {
        knl_raise(L, "`output` takes 0 to 1000000");
    }
    bool ends = !args->v[3].is_given || args->v[3].as.flag;
    return knl_push_result(
        args, kn_task_tell(args->writable, args->frame->task->task,
                  KN_TASK_CUSTOM_OUTPUT + args->v[1].as.number, count > 0 ? data : NULL,
                  count * (uint32_t)sizeof(float), ends));
}

static int own_stop(knl_args *args)
{
    return knl_push_result(args, kn_task_end(args->writable, args->frame->task->task));
}

const knl_row knl_own_task_rows[] = {
    {"wake_after", own_wake_after, PARAMS(P("seconds", KNL_T_SECONDS)), "true|nil, refusal?",
        KNL_CHANGES, "Sets its timer; a negative time stops it."},
    {"watch", own_watch,
        PARAMS(P_ENUM("trigger", knl_trigger_names, 0), P_OPT("what", KNL_T_ANY),
            P_OPT("entity", T_ENTITY)),
        "true|nil, refusal?", KNL_CHANGES,
        "Wakes the task when this happens to an entity (default: its owner); `what` is a tag, "
        "attribute or effect (default: any)."},
    {"tell", own_tell,
        PARAMS(P("output", KNL_T_U32), P_OPT("data", KNL_T_ANY), P_OPT("ends", KNL_T_BOOL)),
        "true|nil, refusal?", KNL_CHANGES,
        "Reports a number and an array of floats to its ability; ends the task unless `ends` is "
        "false."},
    {"stop", own_stop, NULL, "true|nil, refusal?", KNL_CHANGES, "Ends it without a result."},
    ROWS_END,
};
