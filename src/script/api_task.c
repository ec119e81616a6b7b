// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tasks: how a running ability waits. Each names the function of the definition that goes on with
// the result; the name's hash is the label of the task.

#include "rows.h"

#include <stdio.h>
#include <string.h>

#define OF_TASK(name, doc) O_FIELD(name, KN_STRUCT_TASK_DEF, name, doc)

// Options that are not fields of a task.
enum { OWN_QUERY, OWN_MOTION, OWN_STATE };

const knl_param knl_task_options[] = {
    OF_TASK("name", "a name to find it by"),
    OF_TASK("entity", "the entity it watches; default: the owner"),
    OF_TASK("repeats", "continues after a result"),
    OF_TASK("test_now", "inputs: counts an input that is already down"),
    OF_TASK("timeout", "the output is \"timed_out\" after this time"),
    OF_TASK("resource", "the resources it claims"),
    OF_TASK("conflict", "what happens to a task that claims the same"),
    OF_TASK("delay", "delay: the time to wait"),
    OF_TASK("interval", "repeat: the time between results"),
    OF_TASK("count", "repeat: how many times; 0: forever"),
    OF_TASK("tag", "event, tag_added, tag_removed, cue"),
    OF_TASK("tags", "ability_*: with any of these"),
    O("query", KNL_T_TEXT, "tag_query: a tag query"),
    OF_TASK("when_false", "tag_query: waits until it no longer matches"),
    OF_TASK("attribute", "attribute, threshold"),
    OF_TASK("relative_to", "threshold: `value` is a share of this"),
    OF_TASK("compare", "threshold"),
    OF_TASK("value", "threshold"),
    OF_TASK("effect_type", "effect_*: of this type"),
    OF_TASK("effect", "effect_*: this one"),
    OF_TASK("mode", "movement: this mode; default any"),
    OF_TASK("animation", "animation"),
    OF_TASK("section", "animation: where it begins"),
    OF_TASK("rate", "animation: playback rate; default 1"),
    OF_TASK("start", "animation: where it begins"),
    O_FIELD("quiet_end", KN_STRUCT_TASK_DEF, "no_result_after_blend_out",
        "animation: no result after the blend-out"),
    OF_TASK("user", "spawn: the host's 64 bits for the new entity"),
    OF_TASK("targeting", "target: the targeting type"),
    OF_TASK("confirm", "target: when targets become final"),
    OF_TASK("sync", "net_sync: who waits; default \"server_waits\""),
    OF_TASK("sync_expiry", "net_sync: what happens after the timeout; default \"continue\""),
    O("motion", KNL_T_ANY, "motion: a table; see kn.motion"),
    OF_TASK("type", "custom: the type of task"),
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

#define MOTION(name, doc) O_FIELD(name, KN_STRUCT_MOTION_DEF, name, doc)
#define START(name, doc) O_FIELD(name, KN_STRUCT_MOTION_START, name, doc)

// The option that is not a field of a motion.
enum { OWN_ADDS };

const knl_param knl_motion_options[] = {
    MOTION("kind", "required"),
    MOTION("duration", "default 1"),
    MOTION("priority", "priority among those that override"),
    O("adds", KNL_T_BOOL, "whether it is added to the host's velocity or overrides it"),
    MOTION("strength", "forces: units per second"),
    MOTION("strength_curve", "forces: curve of the factor over time"),
    MOTION("centre", "radial"),
    MOTION("radius", "radial"),
    MOTION("pulls", "radial: towards the centre"),
    MOTION("direction", "forces and jumps"),
    MOTION("destination", "move_to"),
    MOTION("offset", "follow: seen from the target"),
    MOTION("easing", "paths: curve of the share of the way over time"),
    MOTION("distance", "jump"),
    MOTION("height", "jump"),
    MOTION("tag", "a tag for the host"),
    START("position", "where it begins; default: where the owner is"),
    START("velocity", "the velocity before the motion"),
    START("target", "follow: the entity to follow"),
    O_END,
};

#define KIND_AT 1 // of `kind` among the values: behind `adds`

static void motion_take(knl_args *args, int index, task_parts *parts, kn_task_def *def)
{
    knl_value o[sizeof(knl_motion_options) / sizeof(knl_motion_options[0])];
    const knl_value options = {.as.options = o, .is_given = true};
    if (lua_type(args->L, index) != LUA_TTABLE) {
        knl_raise(args->L, "`motion` takes a table");
    }
    knl_options_take(args, index, knl_motion_options, o);
    if (!o[KIND_AT].is_given) {
        knl_raise(args->L, "a motion needs a kind");
    }
    kn_motion_def *motion = &parts->motion;
    *motion = kn_motion_def_default((kn_motion_kind)o[KIND_AT].as.number);
    (void)knl_options_fill(args, knl_motion_options, &options, KN_STRUCT_MOTION_DEF, motion, NULL);
    if (o[OWN_ADDS].is_given) {
        motion->blend = o[OWN_ADDS].as.flag ? KN_MOTION_ADD : KN_MOTION_OVERRIDE;
    }
    kn_error error;
    if (kn_motion_check(args->library, motion, &error) != KN_OK) {
        knl_raise(args->L, "motion: %s", error.message);
    }
    def->motion = motion;
    def->motion_start = (kn_motion_start){0};
    (void)kn_space_position(kn_world_space(args->world), args->world, args->frame->ability->avatar,
        &def->motion_start.position);
    (void)knl_options_fill(
        args, knl_motion_options, &options, KN_STRUCT_MOTION_START, &def->motion_start, NULL);
}

// Making tasks --------------------------------------------------------------

// The type of a custom task is the last name that was pushed for it: its text is still there.
static void custom_take(knl_args *args, const knl_value *state, task_parts *parts, kn_task_def *def)
{
    if (!state->is_given) {
        return;
    }
    lua_getfield(args->L, 4, "type");
    const char *name = lua_tostring(args->L, -1);
    const knl_binding *binding =
        name != NULL ? knl_script_find_binding(args->vm->script, KNL_DEF_TASK, name) : NULL;
    if (binding == NULL || lua_type(args->L, state->as.index) != LUA_TTABLE) {
        knl_raise(args->L, "`state` takes a table of fields the task declares");
    }
    memset(parts->params, 0, sizeof(parts->params));
    knl_state_fill(args->L, state->as.index, &binding->layout, parts->params);
    def->params = parts->params;
    def->param_size = binding->layout.size;
}

static void task_take(knl_args *args, const knl_value *options, task_parts *parts, kn_task_def *def)
{
    const knl_value *query = knl_option(options, OWN_QUERY);
    (void)knl_options_fill(args, knl_task_options, options, KN_STRUCT_TASK_DEF, def, NULL);
    if (query->is_given) {
        kn_error error;
        if (kn_tag_query_parse(args->library, query->as.text, &parts->query, &error) != KN_OK) {
            knl_raise(args->L, "query: %s", error.message);
        }
        def->query = &parts->query;
    }
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
        knl_raise(args->L, "a task of kind `%s` lacks a required option",
            knl_words(WORDS_TASK_KIND)->names[def->kind]);
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
    task_take(args, &args->v[3], &parts, &def);
    if (knl_option(&args->v[3], OWN_MOTION)->is_given) {
        motion_take(args, knl_option(&args->v[3], OWN_MOTION)->as.index, &parts, &def);
    }
    custom_take(args, knl_option(&args->v[3], OWN_STATE), &parts, &def);
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
    task_take(args, &args->v[3], &parts, &def);
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
    task_take(args, &args->v[3], &parts, &def);
    return task_run(args, &def);
}

static int running_aim(knl_args *args)
{
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    task_parts parts;
    def.targeting.index1 = args->v[1].as.number;
    def.label = knl_u32_arg(&args->v[2], 0);
    task_take(args, &args->v[3], &parts, &def);
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
        "handler", KNL_T_HANDLER, KNL_OPTIONAL, 0, NULL, NULL                                      \
    }

enum { REFUSE_TEXT };

const knl_param knl_refuse_options[] = {
    O("text", KNL_T_TEXT, "what explanations say; default: the text of the reason"),
    O_FIELD("tag", KN_STRUCT_REFUSAL_LINE, "tag", "the tag that is there, or missing"),
    O_FIELD("attribute", KN_STRUCT_REFUSAL_LINE, "attribute", "the attribute that is too low"),
    O_FIELD("have", KN_STRUCT_REFUSAL_LINE, "have", "what is there"),
    O_FIELD("need", KN_STRUCT_REFUSAL_LINE, "need", "what is needed"),
    O_FIELD("remaining", KN_STRUCT_REFUSAL_LINE, "remaining", "seconds to wait"),
    O_FIELD("effect", KN_STRUCT_REFUSAL_LINE, "effect", "the effect behind it"),
    O_END,
};

kn_refusal_line knl_refusal_take(knl_args *args, const knl_value *reason, const knl_value *options)
{
    kn_refusal_line line = {.reason = kn_fail_find(args->library, reason->as.text)};
    if (line.reason == 0) {
        knl_raise(args->L, "there is no fail reason `%s`", reason->as.text);
    }
    (void)knl_options_fill(args, knl_refuse_options, options, KN_STRUCT_REFUSAL_LINE, &line, NULL);
    const knl_value *text = knl_option(options, REFUSE_TEXT);
    if (text->is_given) {
        (void)snprintf(line.text, sizeof(line.text), "%s", text->as.text);
    }
    return line;
}

static int running_refuse(knl_args *args)
{
    const knl_vm *vm = knl_vm_of(args->L);
    const knl_frame *frame = vm->frames[vm->depth];
    if (frame->ability == NULL || frame->ability->answer == NULL) {
        knl_raise(args->L, "`refuse` is for `can_activate` and checks");
    }
    return knl_refuse(args, frame->ability->answer);
}

int knl_refuse(knl_args *args, kn_check_answer *answer)
{
    kn_refusal_line line = knl_refusal_take(args, &args->v[1], &args->v[2]);
    kn_check_refuse(answer, &line);
    return knl_push_bool(args, false);
}

const knl_row knl_running_rows[] = {
    {"refuse", running_refuse,
        PARAMS(P("reason", KNL_T_TEXT), P_OPTIONS("line", knl_refuse_options)), "boolean", 0,
        "In `can_activate` and checks: refuses the activation for this reason, with what is behind "
        "it. Returns false."},
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
        PARAMS(
            P_WORDS("kind", WORDS_TASK_KIND, 0), HANDLER, P_OPTIONS("options", knl_task_options)),
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

static int task_set_remaining(knl_args *args)
{
    return knl_push_result(args, kn_task_set_remaining(args->writable, TASK, args->v[1].as.time));
}

static int task_add_remaining(knl_args *args)
{
    return knl_push_result(args, kn_task_add_remaining(args->writable, TASK, args->v[1].as.time));
}

static int task_info(knl_args *args)
{
    kn_task_info info;
    if (kn_task_get(args->world, TASK, &info)) {
        knl_struct_push(args->L, KNL_RESULT_TASK_INFO, &info);
    } else {
        lua_pushnil(args->L);
    }
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
    {"set_remaining", task_set_remaining, PARAMS(P("seconds", KNL_T_SECONDS)), "true|nil, refusal?",
        KNL_CHANGES, "Sets the time until its timer fires."},
    {"add_remaining", task_add_remaining, PARAMS(P("seconds", KNL_T_SECONDS)), "true|nil, refusal?",
        KNL_CHANGES,
        "Adds to the time until its timer fires, such as a push back of a cast; may be negative."},
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

const knl_class knl_class_task = {"task",
    "One task of an active ability. Ids are integers; nil means none.", NULL, {task_rows}, 0, 0};

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
    case KN_TRIGGER_EFFECT_EXECUTED:
    case KN_TRIGGER_EFFECT_INHIBITED:
    case KN_TRIGGER_EFFECT_REAPPLIED:
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
        args, kn_task_report(args->writable, args->frame->task->task,
                  KN_TASK_CUSTOM_OUTPUT + args->v[1].as.number, count > 0 ? data : NULL,
                  count * (uint32_t)sizeof(float), ends));
}

static int own_sync(knl_args *args)
{
    kn_time timeout = args->v[2].is_given ? args->v[2].as.time : 0;
    return knl_push_result(args, kn_task_sync(args->writable, args->frame->task->task,
                                     (kn_sync_wait)args->v[1].as.number, timeout));
}

static int own_stop(knl_args *args)
{
    return knl_push_result(args, kn_task_end(args->writable, args->frame->task->task));
}

const knl_row knl_own_task_rows[] = {
    {"wake_after", own_wake_after, PARAMS(P("seconds", KNL_T_SECONDS)), "true|nil, refusal?",
        KNL_CHANGES, "Sets its timer; a negative time stops it."},
    {"watch", own_watch,
        PARAMS(P_WORDS("trigger", WORDS_TRIGGER, 0), P_OPT("what", KNL_T_ANY),
            P_OPT("entity", T_ENTITY)),
        "true|nil, refusal?", KNL_CHANGES,
        "Wakes the task when this happens to an entity (default: its owner); `what` is a tag, "
        "attribute or effect (default: any)."},
    {"tell", own_tell,
        PARAMS(P("output", KNL_T_U32), P_OPT("data", KNL_T_ANY), P_OPT("ends", KNL_T_BOOL)),
        "true|nil, refusal?", KNL_CHANGES,
        "Reports a number and an array of floats to its ability; ends the task unless `ends` is "
        "false."},
    {"sync", own_sync, PARAMS(P_WORDS("wait", WORDS_SYNC_WAIT, 0), P_OPT("timeout", KNL_T_SECONDS)),
        "true|nil, refusal?", KNL_CHANGES,
        "Reaches a sync point: `synced` is called when server and client have met there, or after "
        "the timeout."},
    {"stop", own_stop, NULL, "true|nil, refusal?", KNL_CHANGES, "Ends it without a result."},
    ROWS_END,
};
