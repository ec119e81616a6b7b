// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Casts: a task is the bar, another one waits for hits, and an interrupt is a cancel with a reason.

#include "parts.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAST_BAR = 1, CAST_HIT }; // labels of tasks

#define CASTS_MAX 8 // of one entity that an interrupt looks at

// The state of a running cast.
typedef struct cast_state {
    kn_task_id bar;
    uint32_t pushed;
    uint32_t is_refused; // it could not pay
} cast_state;

static const kn_field cast_state_fields[] = {
    KN_FIELD(cast_state, bar, KN_FIELD_TASK),
    KN_FIELD(cast_state, pushed, KN_FIELD_U32),
    KN_FIELD(cast_state, is_refused, KN_FIELD_U32),
};

// The definition ----------------------------------------------------------------

#define CAST_COOKIE 0x74736163u

typedef struct cast_id {
    uint32_t index1;
} cast_id;

cast_def cast_def_default(void)
{
    cast_def def = {.length = kn_magnitude_constant(1.0f),
        .pushback = 0.5f,
        .pushbacks = 2,
        .cookie = CAST_COOKIE};
    return def;
}

static void cast_init(void *def)
{
    *(cast_def *)def = cast_def_default();
}

static const kn_def_field cast_fields[] = {
    KN_DEF_F(cast_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(cast_def, ability, KN_DEF_ABILITY,
        "The ability that is cast; it has the functions `cast`. Required."),
    KN_DEF_F_PART(cast_def, length, "kn_magnitude",
        "Seconds from the begin to the end, by level of the ability; source and target are the "
        "caster; default 1."),
    KN_DEF_F(cast_def, pushed_by, KN_FIELD_ATTRIBUTE,
        "Losing some of this attribute is a hit; default none: hits do not matter."),
    KN_DEF_F(cast_def, pushback, KN_FIELD_F32, "Seconds that a hit adds; default 0.5."),
    KN_DEF_F(cast_def, pushbacks, KN_FIELD_U32, "Most hits that count; default 2."),
    KN_DEF_F_REF(cast_def, effect, KN_DEF_EFFECT, "What the target of the event gets."),
    KN_DEF_F(cast_def, school, KN_FIELD_TAG, "What an interrupt is about."),
    KN_DEF_F_REF(cast_def, lockout, KN_DEF_EFFECT,
        "What the caster gets when it is interrupted; it reads the seconds under Kit.Lockout."),
    KN_DEF_F(cast_def, spent_by_interrupt, KN_FIELD_TAG,
        "Key of a cooldown of the ability that starts even if the cast is interrupted."),
    KN_DEF_F(cast_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table cast_table = {"cast_def", sizeof(cast_def), cast_fields,
    sizeof(cast_fields) / sizeof(*cast_fields), cast_init};

static kn_result cast_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const cast_def *def = item;
    (void)user;
    (void)library;
    if (def->ability.index1 == 0) {
        (void)snprintf(error->message, sizeof(error->message),
            "cast `%s` must name its ability: ability: Fireball", def->name);
        return KN_ERROR_BAD_DATA;
    }
    if (!(def->pushback >= 0.0f)) {
        (void)snprintf(error->message, sizeof(error->message),
            "cast `%s`: its pushback must be at least 0", def->name);
        return KN_ERROR_BAD_DATA;
    }
    return KN_OK;
}

// Finds out which ability is which cast, once everything is registered.
static kn_result cast_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    cast_ids *ids = user;
    ids->ability_count = kn_def_count(library, KN_DEF_ABILITY);
    free(ids->by_ability);
    ids->by_ability = calloc(ids->ability_count + 1u, sizeof(*ids->by_ability));
    if (ids->by_ability == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 1; i <= kn_def_count(library, kind); i++) {
        const cast_def *def = kn_def_get(library, kind, i);
        uint32_t *own = &ids->by_ability[def->ability.index1];
        if (*own != 0) {
            (void)snprintf(error->message, sizeof(error->message),
                "cast `%s` has the same ability as `%s`; leave out one of them", def->name,
                kn_def_name(library, kind, *own));
            return KN_ERROR_BAD_DATA;
        }
        *own = i;
    }
    return global_check(library, error);
}

kn_result cast_register(kn_library *library, const cast_def *def, kn_error *error)
{
    uint32_t index1;
    return kn_def_register(library, kit_of(library)->cast.kind, def, &index1, error);
}

static cast_id cast_of_ability(const kn_library *library, kn_ability_type_id type)
{
    const cast_ids *ids = &kit_of(library)->cast;
    return (cast_id){type.index1 <= ids->ability_count ? ids->by_ability[type.index1] : 0};
}

// The cast that an activation is; NULL if it is none.
static const cast_def *cast_of(const kn_world *world, kn_activation_id activation, cast_id *id)
{
    const kn_library *library = kn_world_library(world);
    kn_ability_info info;
    if (!kn_ability_get(world, kn_activation_ability(world, activation), &info)) {
        return NULL;
    }
    *id = cast_of_ability(library, info.type);
    return kn_def_get(library, kit_of(library)->cast.kind, id->index1);
}

// Events --------------------------------------------------------------------------

static const char *const cast_outcome_words[] = {"done", "refused", "interrupted", "cancelled"};

typedef struct cast_started {
    kn_time length;
    cast_id cast;
    uint32_t unused;
} cast_started;

typedef struct cast_pushed {
    kn_time remaining;
    cast_id cast;
    uint32_t hits;
} cast_pushed;

typedef struct cast_ended {
    kn_entity_id by; // who interrupted it
    cast_id cast;
    cast_outcome outcome;
} cast_ended;

static const kn_field cast_started_fields[] = {
    KN_FIELD(cast_started, length, KN_FIELD_TIME),
    KN_FIELD_TO(cast_started, cast, "cast"),
    KN_FIELD(cast_started, unused, KN_FIELD_U32),
};
static const kn_field cast_pushed_fields[] = {
    KN_FIELD(cast_pushed, remaining, KN_FIELD_TIME),
    KN_FIELD_TO(cast_pushed, cast, "cast"),
    KN_FIELD(cast_pushed, hits, KN_FIELD_U32),
};
static const kn_field cast_ended_fields[] = {
    KN_FIELD(cast_ended, by, KN_FIELD_ENTITY),
    KN_FIELD_TO(cast_ended, cast, "cast"),
    {.name = "outcome",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(cast_ended, outcome),
        .refers_to = "cast_outcome"},
};

// Running -------------------------------------------------------------------------

static kn_result cast_activate(const kn_ability_call *call)
{
    kn_world *world = call->world;
    const cast_ids *ids = &kit_of(kn_world_library(world))->cast;
    cast_started event = {0};
    const cast_def *def = cast_of(world, call->activation, &event.cast);
    if (def == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    float seconds;
    kn_result result = kn_magnitude_evaluate(world, &def->length, call->owner, call->owner,
        kn_ability_level(world, call->ability), &seconds);
    if (result != KN_OK) {
        return result;
    }
    kn_task_def bar = kn_task_def_default(KN_TASK_DELAY);
    bar.label = CAST_BAR;
    bar.name = ids->bar;
    bar.delay = seconds > 0.0f ? kn_time_from_seconds((double)seconds) : 0;
    kn_task_id task;
    result = kn_task_run(world, call->activation, &bar, &task);
    if (result != KN_OK) {
        return result;
    }
    cast_state *state = kn_activation_state(world, call->activation);
    *state = (cast_state){.bar = task};
    if (def->pushed_by.index1 != 0) {
        kn_task_def hit = kn_task_def_default(KN_TASK_ATTRIBUTE);
        hit.label = CAST_HIT;
        hit.attribute = def->pushed_by;
        hit.repeats = true;
        result = kn_task_run(world, call->activation, &hit, NULL);
        if (result != KN_OK) {
            return result;
        }
    }
    event.length = bar.delay;
    return kn_world_publish(world, call->owner, ids->started, &event);
}

// Moves the end of the bar, but not so far that more than the whole length is left.
static void cast_hit(const kn_ability_call *call, const kn_task_result *result)
{
    kn_world *world = call->world;
    cast_pushed event = {0};
    const cast_def *def = cast_of(world, call->activation, &event.cast);
    cast_state *state = kn_activation_state(world, call->activation);
    kn_task_info bar;
    if (def == NULL || result->data.attribute.new_value >= result->data.attribute.old_value ||
        state->pushed >= def->pushbacks || !kn_task_get(world, state->bar, &bar)) {
        return;
    }
    kn_time now = kn_world_now(world);
    kn_time delta = kn_time_from_seconds((double)def->pushback);
    kn_time elapsed = now - bar.start;
    event.hits = ++state->pushed;
    if (kn_task_add_remaining(world, state->bar, delta < elapsed ? delta : elapsed) == KN_OK &&
        kn_task_get(world, state->bar, &bar)) {
        event.remaining = bar.due - now;
        (void)kn_world_publish(
            world, call->owner, kit_of(kn_world_library(world))->cast.pushed, &event);
    }
}

static void cast_complete(const kn_ability_call *call)
{
    kn_world *world = call->world;
    cast_id id;
    const cast_def *def = cast_of(world, call->activation, &id);
    if (def == NULL || kn_activation_commit(world, call->activation) != KN_OK) {
        ((cast_state *)kn_activation_state(world, call->activation))->is_refused = 1;
        (void)kn_activation_cancel(world, call->activation);
        return;
    }
    kn_event_record event;
    kn_entity_id target = call->owner;
    if (kn_activation_event(world, call->activation, &event) &&
        kn_entity_is_alive(world, event.target)) {
        target = event.target;
    }
    if (def->effect.index1 != 0) {
        (void)kn_activation_apply(world, call->activation, def->effect, target, NULL);
    }
    (void)kn_activation_end(world, call->activation);
}

static void cast_task_done(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->label == CAST_HIT) {
        cast_hit(call, result);
    } else {
        cast_complete(call);
    }
}

// The caster cannot use the school for some time.
static void cast_lock_out(const kn_ability_call *call, const cast_def *def, const kn_cancel *cancel)
{
    if (def->lockout.index1 == 0 || !(cancel->number > 0.0f)) {
        return;
    }
    kn_caller_value seconds = {kit_of(kn_world_library(call->world))->cast.lockout, cancel->number};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = def->lockout;
    apply.target = call->owner;
    apply.source = cancel->instigator;
    apply.caller_values = &seconds;
    apply.caller_value_count = 1;
    kn_result result = kn_effect_apply(call->world, &apply, NULL);
    (void)result; // refused by an immunity, say: then the school stays open
}

static void cast_ended_hook(const kn_ability_call *call, kn_end_reason reason)
{
    const cast_ids *ids = &kit_of(kn_world_library(call->world))->cast;
    cast_ended event = {.outcome = reason == KN_ENDED_DONE ? CAST_DONE : CAST_CANCELLED};
    const cast_def *def = cast_of(call->world, call->activation, &event.cast);
    const cast_state *state = kn_activation_read_state(call->world, call->activation);
    kn_cancel cancel;
    if (def == NULL) {
        return;
    }
    if (state->is_refused != 0) {
        event.outcome = CAST_REFUSED;
    } else if (reason == ids->interrupted &&
               kn_activation_get_cancel(call->world, call->activation, &cancel)) {
        event.outcome = CAST_INTERRUPTED;
        event.by = cancel.instigator;
        cast_lock_out(call, def, &cancel);
    }
    (void)kn_world_publish(call->world, call->owner, ids->ended, &event);
}

kn_ability_def cast_ability_def(void)
{
    kn_ability_def def = kn_ability_def_default();
    def.activate = cast_activate;
    def.task_done = cast_task_done;
    def.ended = cast_ended_hook;
    def.state_size = sizeof(cast_state);
    def.state_fields = cast_state_fields;
    def.state_field_count = 3;
    return def;
}

// Looking and interrupting ------------------------------------------------------------

bool cast_bar_of(const kn_world *world, kn_entity_id entity, cast_bar *bar)
{
    const cast_ids *ids = &kit_of(kn_world_library(world))->cast;
    kn_activation_id running[CASTS_MAX];
    uint32_t count = kn_activations(world, entity, running, CASTS_MAX);
    for (uint32_t i = 0; i < count && i < CASTS_MAX; i++) {
        cast_id id;
        kn_task_info task;
        kn_ability_info ability;
        if (cast_of(world, running[i], &id) != NULL &&
            kn_task_get(world, kn_task_find(world, running[i], ids->bar), &task) &&
            kn_ability_get(world, kn_activation_ability(world, running[i]), &ability)) {
            const cast_state *state = kn_activation_read_state(world, running[i]);
            *bar = (cast_bar){running[i], ability.type, task.due - task.start,
                task.due - kn_world_now(world), state->pushed};
            return true;
        }
    }
    return false;
}

// For scripts: what an entity casts, and how long that still takes.

typedef struct bar_arguments {
    kn_entity_id entity;
} bar_arguments;

static const kn_def_field bar_argument_fields[] = {
    KN_DEF_F(bar_arguments, entity, KN_FIELD_ENTITY, "Who casts."),
};
static const kn_def_table bar_argument_table = {
    "bar_arguments", sizeof(bar_arguments), bar_argument_fields, 1, NULL};
static const kn_def_field bar_result_fields[] = {
    KN_DEF_F_REF(cast_bar, ability, KN_DEF_ABILITY, "The ability that is cast."),
    KN_DEF_F(cast_bar, remaining, KN_FIELD_TIME, "Seconds left."),
    KN_DEF_F(cast_bar, pushed, KN_FIELD_U32, "Hits that counted."),
};
static const kn_def_table bar_result_table = {
    "cast_bar", sizeof(cast_bar), bar_result_fields, 3, NULL};

static kn_result cast_bar_function(void *user, const kn_function_call *call)
{
    (void)user;
    const bar_arguments *arguments = call->arguments;
    return cast_bar_of(call->world, arguments->entity, call->results) ? KN_OK
                                                                      : KN_REFUSED_NOT_FOUND;
}

static kn_result cast_functions_register(kn_library *library, kn_error *error)
{
    kn_function_def def = kn_function_def_default();
    def.name = "casting.bar";
    def.text = "The oldest cast of an entity.";
    def.arguments = &bar_argument_table;
    def.required = 1;
    def.results = &bar_result_table;
    def.form = KN_FUNCTION_TABLE;
    def.flags = KN_FUNCTION_REFUSES;
    def.function = cast_bar_function;
    return kn_function_register(library, &def, error);
}

typedef struct interrupt_call {
    kn_entity_id entity, by;
    float seconds;
    uint32_t count; // casts that were interrupted
} interrupt_call;

static kn_result cast_interrupt_call(void *user, kn_world *world)
{
    interrupt_call *call = user;
    const cast_ids *ids = &kit_of(kn_world_library(world))->cast;
    kn_activation_id running[CASTS_MAX];
    uint32_t count = kn_activations(world, call->entity, running, CASTS_MAX);
    for (uint32_t i = 0; i < count && i < CASTS_MAX; i++) {
        cast_id id;
        const cast_def *def = cast_of(world, running[i], &id);
        if (def == NULL || !kn_task_is_alive(world, kn_task_find(world, running[i], ids->bar))) {
            continue;
        }
        kn_tag key = def->spent_by_interrupt;
        kn_cancel cancel = kn_cancel_default();
        cancel.reason = ids->interrupted;
        cancel.instigator = call->by;
        cancel.tag = def->school;
        cancel.number = call->seconds;
        if (key.index1 != 0) {
            kn_result spent = kn_activation_commit_cooldown_key(world, running[i], key);
            (void)spent; // refused if it runs already
        }
        call->count += kn_activation_cancel_with(world, running[i], &cancel) == KN_OK;
    }
    return KN_OK;
}

uint32_t cast_interrupt(kn_world *world, kn_entity_id entity, kn_entity_id by, float seconds)
{
    interrupt_call call = {entity, by, seconds, 0};
    (void)kn_world_call(world, cast_interrupt_call, &call);
    return call.count;
}

static void cast_interrupt_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)cast_interrupt(world, reaction->entity, reaction->instigator, reaction->magnitude);
}

// Registration ------------------------------------------------------------------------

static kn_result cast_events_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = "CastStarted";
    def.size = sizeof(cast_started);
    def.fields = cast_started_fields;
    def.field_count = 3;
    def.text = "begins {cast}, {length}";
    kn_result result = kn_custom_event_register(library, &def, &ids->started, error);
    if (result == KN_OK) {
        def.name = "CastPushed";
        def.size = sizeof(cast_pushed);
        def.fields = cast_pushed_fields;
        def.text = "is hit while casting {cast}: {remaining} left";
        result = kn_custom_event_register(library, &def, &ids->pushed, error);
    }
    if (result == KN_OK) {
        def.name = "CastEnded";
        def.size = sizeof(cast_ended);
        def.fields = cast_ended_fields;
        def.text = "ends {cast}: {outcome}";
        result = kn_custom_event_register(library, &def, &ids->ended, error);
    }
    return result;
}

kn_result cast_part_register(kn_library *library, kit *own, kn_error *error)
{
    cast_ids *ids = &own->cast;
    static const char *const tags[] = {"Kit.Interrupt", "Kit.Lockout"};
    kn_tag registered[2];
    kn_result result = kn_tag_register_module(library, "Kit", tags, 2, registered, error);
    if (result != KN_OK) {
        return result;
    }
    ids->interrupt = registered[0];
    ids->lockout = registered[1];
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "cast";
    kind.section = "casts";
    kind.table = &cast_table;
    kind.text = "Abilities that take time: hits push them back, others interrupt them.";
    kind.check = cast_check;
    kind.finish = cast_finish;
    kind.user = ids;
    kn_end_reason_def reason = kn_end_reason_def_default();
    reason.name = "interrupted";
    reason.tag = ids->interrupt;
    reason.text = "interrupted";
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Kit.Interrupt";
    rule.tag = ids->interrupt;
    rule.function = cast_interrupt_rule;
    kn_rule_id rule_id;
    result = kn_name_register(library, "Kit.CastBar", &ids->bar, error);
    result = result != KN_OK ? result : cast_functions_register(library, error);
    result = result != KN_OK ? result : kn_kind_register(library, &kind, &ids->kind, error);
    result = result != KN_OK
                 ? result
                 : kn_enum_register(library, "cast_outcome", cast_outcome_words, 4, error);
    result = result != KN_OK ? result
                             : kn_end_reason_register(library, &reason, &ids->interrupted, error);
    result = result != KN_OK ? result : cast_events_register(library, ids, error);
    return result != KN_OK ? result : kn_rule_register(library, &rule, &rule_id, error);
}

void cast_part_release(kit *own)
{
    free(own->cast.by_ability);
}
