// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about casts, interrupts, lock-outs, the input queue and resources.

#include "script_part.h"

#include "knack/combat.h"

#include <math.h>

static const kn_def_field self_args[] = {ARG_ENTITY};

// Casts -----------------------------------------------------------------------

static const kn_def_field cast_fields[] = {
    KN_DEF_F(kn_cast_info, activation, KN_FIELD_ACTIVATION,
        "The activation that casts; nil for observers."),
    KN_DEF_F_REF(kn_cast_info, ability, KN_DEF_ABILITY, "The ability that is cast."),
    KN_DEF_F_KIND(kn_cast_info, cast, "cast", "Its definition."),
    KN_DEF_F_ENUM_OF(kn_cast_info, kind, "kn_cast_kind", "What it does over time."),
    KN_DEF_F(kn_cast_info, start, KN_FIELD_TIME, "When it began."),
    {"finish", KN_FIELD_TIME, 0, (uint32_t)offsetof(kn_cast_info, end), 1, 0, NULL, NULL, NULL,
        "When it is over, as things stand."},
    KN_DEF_F(kn_cast_info, total, KN_FIELD_TIME, "Its full length, without pushback."),
    KN_DEF_F(kn_cast_info, next, KN_FIELD_TIME, "When the next tick or stage is due."),
    KN_DEF_F(kn_cast_info, tick, KN_FIELD_U32, "Number of the last tick that was due."),
    KN_DEF_F(kn_cast_info, ticks, KN_FIELD_U32, "Number of the last tick there is."),
    KN_DEF_F(kn_cast_info, stage, KN_FIELD_U32, "Stages that a held cast has reached."),
    KN_DEF_F(kn_cast_info, stages, KN_FIELD_U32, "Stages there are; 0 for other kinds."),
    KN_DEF_F(kn_cast_info, pushed, KN_FIELD_U32, "How often it was pushed back."),
    KN_DEF_F(kn_cast_info, is_interruptible, KN_FIELD_BOOL, "It can be interrupted."),
    KN_DEF_F(kn_cast_info, progress, KN_FIELD_F32, "How far it is, 0 to 1."),
};
static const kn_def_table cast_table = FIELD_TABLE("cast_info", kn_cast_info, cast_fields);

static kn_result cast_get(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_cast_get(call->world, a->entity, call->results) ? KN_OK : KN_REFUSED_NOT_FOUND;
}

static kn_result cast_get_activation(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_cast_get_activation(call->world, a->activation, call->results) ? KN_OK
                                                                             : KN_REFUSED_NOT_FOUND;
}

static kn_result cast_start(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_cast_start(call->writable, a->activation, (kn_cast_id){a->def});
}

static kn_result cast_cancel(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_cast_cancel(call->writable, a->entity, a->count);
}

static kn_result cast_release(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_cast_release(call->writable, a->entity);
}

static kn_result cast_push_back(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_cast_push_back(call->writable, a->entity);
}

static kn_result cast_set_interruptible(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_cast_set_interruptible(call->writable, a->entity, a->flag);
}

static const kn_def_field activation_args[] = {ARG_ACTIVATION};
static const kn_def_field start_args[] = {ARG_ACTIVATION, ARG_DEF("cast", "cast", "What is cast.")};
static const kn_def_field cancel_args[] = {
    ARG_ENTITY, ARG("last_tick", count, KN_FIELD_U32,
                    "Number of the last tick that still runs; default 0: none.")};
static const kn_def_field interruptible_args[] = {
    ARG_ENTITY, ARG("is_interruptible", flag, KN_FIELD_BOOL, "Whether it can be interrupted.")};

// Interrupts and lock-outs ------------------------------------------------------

typedef struct interrupt_options {
    kn_entity_id instigator;
    kn_tags any_tags;
    kn_time lockout;
} interrupt_options;

typedef struct interrupt_args {
    script_args args;
    interrupt_options options;
} interrupt_args;

static const kn_def_field interrupt_option_fields[] = {
    KN_DEF_F(interrupt_options, instigator, KN_FIELD_ENTITY, "who interrupts; default nobody"),
    KN_DEF_F(interrupt_options, any_tags, KN_DEF_FIELD_TAGS,
        "only casts of abilities with any of these tags; default any cast"),
    KN_DEF_F(interrupt_options, lockout, KN_FIELD_TIME, "seconds of the lock-out; default none"),
};
static const kn_def_table interrupt_option_table =
    FIELD_TABLE("interrupt_options", interrupt_options, interrupt_option_fields);
static const kn_def_field interrupt_fields[] = {
    ARG_ENTITY, ARG_OPTIONS(interrupt_args, interrupt_option_table)};
static const kn_def_field interrupt_result_fields[] = {
    KN_DEF_F_REF(kn_interrupt_result, ability, KN_DEF_ABILITY, "The ability that was cast."),
    KN_DEF_F_KIND(kn_interrupt_result, cast, "cast", "Its cast."),
    KN_DEF_F(kn_interrupt_result, lockout, KN_FIELD_F32,
        "Seconds of the lock-out, after modifiers; 0 for none."),
};
static const kn_def_table interrupt_result_table =
    FIELD_TABLE("interrupt_result", kn_interrupt_result, interrupt_result_fields);

static kn_result cast_interrupt(void *user, const kn_function_call *call)
{
    (void)user;
    const interrupt_args *a = call->arguments;
    kn_interrupt_def def = kn_interrupt_def_default();
    def.target = a->args.entity;
    def.instigator = a->options.instigator;
    def.any_tags = a->options.any_tags;
    def.lockout = (float)kn_time_to_seconds(a->options.lockout);
    return kn_cast_interrupt(call->writable, &def, call->results);
}

static kn_result lockout_add(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_lockout_add(
        call->writable, a->entity, a->tags, a->other, (float)kn_time_to_seconds(a->time));
}

static kn_result lockout_remove(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_lockout_remove(call->writable, a->entity, a->tag);
}

static uint32_t lockout_entries(const kn_function_call *call, void *out, uint32_t capacity)
{
    const script_args *a = call->arguments;
    return kn_lockouts(call->world, a->entity, out, capacity);
}

static kn_result lockout_list(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, lockout_entries, sizeof(kn_lockout));
}

static const kn_def_field lockout_args[] = {ARG_ENTITY,
    ARG("tags", tags, KN_DEF_FIELD_TAGS, "What is locked out: abilities with any of these tags."),
    ARG("seconds", time, KN_FIELD_TIME, "How long."),
    ARG_OTHER("instigator", "Who causes it; default nobody.")};
static const kn_def_field lockout_tag_args[] = {
    ARG_ENTITY, ARG("tag", tag, KN_FIELD_TAG, "The lock-out that ends; default all of them.")};
static const kn_def_field lockout_fields[] = {
    KN_DEF_F(kn_lockout, tag, KN_FIELD_TAG, "What is locked out."),
    KN_DEF_F(kn_lockout, instigator, KN_FIELD_ENTITY, "Who caused it last."),
    KN_DEF_F(kn_lockout, start, KN_FIELD_TIME, "When it began."),
    {"finish", KN_FIELD_TIME, 0, (uint32_t)offsetof(kn_lockout, end), 1, 0, NULL, NULL, NULL,
        "When it is over."},
};
static const kn_def_table lockout_table = FIELD_TABLE("lockout", kn_lockout, lockout_fields);

typedef struct global_result {
    kn_time left, total;
} global_result;

static const kn_def_field global_fields[] = {
    KN_DEF_F(global_result, left, KN_FIELD_TIME, NULL),
    KN_DEF_F(global_result, total, KN_FIELD_TIME, NULL),
};
static const kn_def_table global_table =
    FIELD_TABLE("global_cooldown", global_result, global_fields);

static kn_result global_get(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    global_result *r = call->results;
    (void)kn_global_cooldown(call->world, a->entity, &r->left, &r->total);
    return KN_OK;
}

static kn_result global_end(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_global_cooldown_end(call->writable, a->entity);
}

// The input queue ---------------------------------------------------------------

typedef struct press_options {
    kn_entity_id target, instigator;
    float magnitude;
    kn_tag tag;
} press_options;

typedef struct press_args {
    script_args args;
    press_options options;
} press_args;

static const kn_def_field press_option_fields[] = {
    KN_DEF_F(press_options, target, KN_FIELD_ENTITY, "target of the event it is activated with"),
    KN_DEF_F(press_options, instigator, KN_FIELD_ENTITY, "who causes the event"),
    KN_DEF_F(press_options, magnitude, KN_FIELD_F32, "magnitude of the event"),
    KN_DEF_F(press_options, tag, KN_FIELD_TAG, "tag of the event"),
};
static const kn_def_table press_option_table =
    FIELD_TABLE("press_options", press_options, press_option_fields);
static const kn_def_field press_fields[] = {ARG_ENTITY,
    ARG("ability", ability, KN_FIELD_ABILITY, "The ability that the button means."),
    ARG_OPTIONS(press_args, press_option_table)};
static const kn_def_field release_fields[] = {
    ARG_ENTITY, ARG("ability", ability, KN_FIELD_ABILITY, "The ability that the button means.")};

static const char *const outcome_words[] = {"refused", "used", "waits", "ignored"};
static const kn_def_field outcome_fields[] = {
    {"outcome", KN_DEF_FIELD_ENUM, 4, 0, 1, 0, NULL, outcome_words, NULL, NULL}};
static const kn_def_table outcome_table =
    FIELD_TABLE("press_outcome", kn_input_outcome, outcome_fields);

static kn_result queue_press(void *user, const kn_function_call *call)
{
    (void)user;
    const press_args *a = call->arguments;
    kn_input_press_def def = kn_input_press_def_default();
    def.ability = a->args.ability;
    def.event.target = a->options.target;
    def.event.instigator = a->options.instigator;
    def.event.magnitude = a->options.magnitude;
    def.event.tag = a->options.tag;
    return kn_input_queue_press(call->writable, a->args.entity, &def, call->results);
}

static kn_result queue_release(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_input_queue_release(call->writable, a->entity, a->ability);
}

static kn_result queue_clear(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_input_queue_clear(call->writable, a->entity);
}

static uint32_t queue_entries(const kn_function_call *call, void *out, uint32_t capacity)
{
    const script_args *a = call->arguments;
    return kn_input_queue_get(call->world, a->entity, out, capacity);
}

static kn_result queue_list(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, queue_entries, sizeof(kn_input_waiting));
}

static const kn_def_field waiting_fields[] = {
    KN_DEF_F(kn_input_waiting, ability, KN_FIELD_ABILITY, "The ability that will be used."),
    KN_DEF_F(kn_input_waiting, category, KN_FIELD_TAG, "Its category."),
    KN_DEF_F(kn_input_waiting, since, KN_FIELD_TIME, "When it was pressed."),
    KN_DEF_F(kn_input_waiting, due, KN_FIELD_TIME, "When it is tried, as things stand."),
    KN_DEF_F(kn_input_waiting, waits_for_cast, KN_FIELD_BOOL,
        "It waits for the end of a cast, otherwise for a cooldown."),
};
static const kn_def_table waiting_table =
    FIELD_TABLE("queued_press", kn_input_waiting, waiting_fields);
ONE_RESULT(ability, kn_ability_id, KN_FIELD_ABILITY);

static kn_result queue_automatic(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(kn_ability_id *)call->results = kn_input_queue_automatic(call->world, a->entity);
    return KN_OK;
}

static kn_result use_restrict(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_use_restrict(call->writable, a->ability, a->tag, a->flag);
}

static const char *const use_words[] = {"charges", "resource", "custom", "tag", "gone"};
static const kn_def_field use_fields[] = {
    {"reason", KN_DEF_FIELD_ENUM, 5, 0, 1, 0, NULL, use_words, NULL, NULL}};
static const kn_def_table use_table = FIELD_TABLE("use_reason", uint32_t, use_fields);

// All reasons; the primary one first, as it is the lowest bit.
static kn_result use_status(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    uint32_t reasons = kn_use_status(call->writable, a->ability);
    for (uint32_t i = 0; i < KN_USE_FAIL_COUNT; i++) {
        if ((reasons >> i & 1) != 0) {
            kn_function_add(call, &i);
        }
    }
    return KN_OK;
}

static const kn_def_field ability_args[] = {ARG_ABILITY};
static const kn_def_field restrict_args[] = {ARG_ABILITY,
    ARG("tag", tag, KN_FIELD_TAG, "`Knack.Restricted` or a tag below it."),
    ARG("is_restricted", flag, KN_FIELD_BOOL, "Whether the restriction is there from now on.")};

// Resources ---------------------------------------------------------------------

static const kn_def_field resource_fields[] = {
    KN_DEF_F_KIND(kn_resource_info, resource, "resource", "The resource."),
    KN_DEF_F(kn_resource_info, value, KN_FIELD_F32, "What is there."),
    KN_DEF_F(kn_resource_info, minimum, KN_FIELD_F32, "Lowest value."),
    KN_DEF_F(kn_resource_info, maximum, KN_FIELD_F32, "Highest value; `math.huge` without one."),
    KN_DEF_F(
        kn_resource_info, is_regenerating, KN_FIELD_BOOL, "The next change by itself is a gain."),
    KN_DEF_F(kn_resource_info, is_decaying, KN_FIELD_BOOL, "The next change by itself is a loss."),
    KN_DEF_F(kn_resource_info, next, KN_FIELD_TIME,
        "Seconds until the next change by itself; nil for none."),
    KN_DEF_F(kn_resource_info, next_amount, KN_FIELD_F32, "What that would change."),
};
static const kn_def_table resource_table =
    FIELD_TABLE("resource_info", kn_resource_info, resource_fields);

static kn_result resource_get(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_resource_get(call->world, a->entity, (kn_resource_id){a->def}, call->results)
               ? KN_OK
               : KN_REFUSED_NOT_FOUND;
}

static uint32_t resource_ids(const kn_function_call *call, void *out, uint32_t capacity)
{
    const script_args *a = call->arguments;
    return kn_resources(call->world, a->entity, out, capacity);
}

static kn_result resource_list(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, resource_ids, sizeof(kn_resource_id));
}

static const kn_def_field resource_id_fields[] = {
    {"resource", KN_DEF_FIELD_REF, 0, 0, 1, 0, NULL, NULL, "resource", NULL}};
static const kn_def_table resource_id_table =
    FIELD_TABLE("resource_name", kn_resource_id, resource_id_fields);

typedef struct change_options {
    kn_entity_id source;
    kn_tags tags;
    bool ignore_modifiers;
} change_options;

typedef struct change_args {
    script_args args;
    change_options options;
} change_args;

static const kn_def_field change_option_fields[] = {
    KN_DEF_F(change_options, source, KN_FIELD_ENTITY, "who changes it; default nobody"),
    KN_DEF_F(change_options, tags, KN_DEF_FIELD_TAGS, "what modifiers and conditions see"),
    KN_DEF_F(change_options, ignore_modifiers, KN_FIELD_BOOL, "modifiers do not change the amount"),
};
static const kn_def_table change_option_table =
    FIELD_TABLE("change_options", change_options, change_option_fields);
static const kn_def_field change_fields[] = {ARG_ENTITY,
    ARG_DEF("resource", "resource", "Which one."),
    ARG("amount", number, KN_FIELD_F32, "What to add; negative to take away."),
    ARG_OPTIONS(change_args, change_option_table)};
ONE_RESULT(changed, float, KN_FIELD_F32);

static kn_result resource_change(void *user, const kn_function_call *call)
{
    (void)user;
    const change_args *a = call->arguments;
    kn_resource_change_def def = kn_resource_change_def_default();
    def.resource = (kn_resource_id){a->args.def};
    def.entity = a->args.entity;
    def.amount = a->args.number;
    def.source = a->options.source;
    def.tags = a->options.tags;
    def.ignore_modifiers = a->options.ignore_modifiers;
    return kn_resource_change(call->writable, &def, call->results);
}

// What is not given is not a number.
typedef struct start_options {
    float minimum, maximum, value;
} start_options;

typedef struct resource_start_args {
    script_args args;
    start_options options;
} resource_start_args;

static void start_options_init(void *options)
{
    *(start_options *)options = (start_options){NAN, NAN, NAN};
}

static const kn_def_field start_option_fields[] = {
    KN_DEF_F(start_options, minimum, KN_FIELD_F32, "lowest value; default as the definition says"),
    KN_DEF_F(start_options, maximum, KN_FIELD_F32, "highest value; default as the definition says"),
    KN_DEF_F(start_options, value, KN_FIELD_F32, "what is there; default as the attribute says"),
};
static const kn_def_table start_option_table = {
    "start_options", sizeof(start_options), start_option_fields, 3, start_options_init};
static const kn_def_field resource_start_fields[] = {ARG_ENTITY,
    ARG_DEF("resource", "resource", "Which one."),
    ARG_OPTIONS(resource_start_args, start_option_table)};
static const kn_def_field resource_args[] = {
    ARG_ENTITY, ARG_DEF("resource", "resource", "Which one.")};

static kn_result resource_start(void *user, const kn_function_call *call)
{
    (void)user;
    const resource_start_args *a = call->arguments;
    kn_resource_init_def def = kn_resource_init_def_default();
    def.resource = (kn_resource_id){a->args.def};
    def.has_minimum = !isnan(a->options.minimum);
    def.minimum = a->options.minimum;
    def.has_maximum = !isnan(a->options.maximum);
    def.maximum = a->options.maximum;
    def.has_value = !isnan(a->options.value);
    def.value = a->options.value;
    return kn_resource_init(call->writable, a->args.entity, &def);
}

// The table -------------------------------------------------------------------

static const script_function functions[] = {
    {"entity:cast", cast_get, ARGS(self_args), 1, 0, &cast_table, KN_FUNCTION_TABLE, REFUSES,
        "What the entity casts; nil if it does not cast."},
    {"activation:cast", cast_get_activation, ARGS(activation_args), 1, 0, &cast_table,
        KN_FUNCTION_TABLE, REFUSES, "What the activation casts, also outside of the slot."},
    {"activation:start_cast", cast_start, ARGS(start_args), 2, 0, NULL, 0, CHANGES,
        "Begins a cast with an activation that runs. The cast ends the activation."},
    {"entity:cancel_cast", cast_cancel, ARGS(cancel_args), 1, 0, NULL, 0, CHANGES,
        "Cancels what the entity casts."},
    {"entity:release_cast", cast_release, ARGS(self_args), 1, 0, NULL, 0, CHANGES,
        "Releases a held cast."},
    {"entity:push_back_cast", cast_push_back, ARGS(self_args), 1, 0, NULL, 0, CHANGES,
        "Pushes back what the entity casts, as a hit does."},
    {"entity:set_interruptible", cast_set_interruptible, ARGS(interruptible_args), 2, 0, NULL, 0,
        CHANGES, "Sets whether what the entity casts can be interrupted."},
    {"entity:interrupt", cast_interrupt, ARGS(interrupt_fields), 1, sizeof(interrupt_args),
        &interrupt_result_table, KN_FUNCTION_TABLE, CHANGES,
        "Interrupts what the entity casts, and locks out its school."},
    {"entity:lock_out", lockout_add, ARGS(lockout_args), 3, 0, NULL, 0, CHANGES,
        "Locks out abilities of the entity for some time."},
    {"entity:end_lockout", lockout_remove, ARGS(lockout_tag_args), 1, 0, NULL, 0, CHANGES,
        "Ends a lock-out of the entity."},
    {"entity:lockouts", lockout_list, ARGS(self_args), 1, 0, &lockout_table, KN_FUNCTION_LIST, 0,
        "The lock-outs of the entity, oldest first."},
    {"entity:global_cooldown", global_get, ARGS(self_args), 1, 0, &global_table, 0, 0,
        "Seconds left of the global cooldown, and its length; 0 for both if none runs."},
    {"entity:end_global_cooldown", global_end, ARGS(self_args), 1, 0, NULL, 0, CHANGES,
        "Ends the global cooldown of the entity."},
    {"entity:queue_press", queue_press, ARGS(press_fields), 2, sizeof(press_args), &outcome_table,
        0, CHANGES, "Presses the button of an ability: it is used, or waits in the input queue."},
    {"entity:queue_release", queue_release, ARGS(release_fields), 2, 0, NULL, 0, CHANGES,
        "Releases the button of an ability."},
    {"entity:clear_queue", queue_clear, ARGS(self_args), 1, 0, NULL, 0, CHANGES,
        "Drops all presses that wait, and ends automatic use."},
    {"entity:queue", queue_list, ARGS(self_args), 1, 0, &waiting_table, KN_FUNCTION_LIST, 0,
        "The presses that wait, in the order they are tried."},
    {"entity:automatic_ability", queue_automatic, ARGS(self_args), 1, 0, &ability_result, 0, 0,
        "The ability that is used again and again while its button is held."},
    {"ability:use_status", use_status, ARGS(ability_args), 1, 0, &use_table, KN_FUNCTION_VALUE_LIST,
        KN_FUNCTION_CHANGES, "Why the ability cannot be used now; empty if it can."},
    {"ability:restrict", use_restrict, ARGS(restrict_args), 3, 0, NULL, 0, CHANGES,
        "Adds or lifts a restriction that the ability imposes on itself."},
    {"entity:resource", resource_get, ARGS(resource_args), 2, 0, &resource_table, KN_FUNCTION_TABLE,
        REFUSES, "Everything about a resource of the entity."},
    {"entity:resources", resource_list, ARGS(self_args), 1, 0, &resource_id_table,
        KN_FUNCTION_VALUE_LIST, 0, "The resources of the entity."},
    {"entity:change_resource", resource_change, ARGS(change_fields), 3, sizeof(change_args),
        &changed_result, 0, CHANGES, "Changes a resource. Returns what really changed."},
    {"entity:start_resource", resource_start, ARGS(resource_start_fields), 2,
        sizeof(resource_start_args), NULL, 0, CHANGES,
        "Starts a resource anew: limits first, then the value within them."},
};

kn_result knc_script_casts_register(kn_library *library, kn_error *error)
{
    return knc_functions_register(
        library, functions, sizeof(functions) / sizeof(*functions), error);
}
