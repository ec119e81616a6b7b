// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about buffs, diminishing returns, dispels, procs and auras.

#include "script_part.h"

#include "knack/combat.h"

ONE_RESULT(value, float, KN_FIELD_F32);
ONE_RESULT(count, uint32_t, KN_FIELD_U32);
ONE_RESULT(effect, kn_effect_id, KN_FIELD_EFFECT);
ONE_RESULT(entity, kn_entity_id, KN_FIELD_ENTITY);

static const kn_def_field self_args[] = {ARG_ENTITY};
static const kn_def_field effect_args[] = {ARG_EFFECT};

// Buffs -----------------------------------------------------------------------

static const kn_def_field buff_fields[] = {
    KN_DEF_F_KIND(kn_buff_info, buff, "buff", "The buff."),
    KN_DEF_F_ENUM_OF(kn_buff_info, polarity, "kn_polarity", "Whether it helps or harms."),
    KN_DEF_F(kn_buff_info, absorb_left, KN_FIELD_F32, "What its pool still absorbs."),
    KN_DEF_F(kn_buff_info, absorb_full, KN_FIELD_F32, "The most that its pool has had."),
    KN_DEF_F(kn_buff_info, taken, KN_FIELD_F32, "Damage that has counted towards breaking it."),
    KN_DEF_F(kn_buff_info, breaks_at, KN_FIELD_F32,
        "Damage that breaks it; 0 for any, below 0 for never."),
};
static const kn_def_table buff_table = FIELD_TABLE("buff_info", kn_buff_info, buff_fields);
static const kn_def_field absorb_args[] = {
    ARG_EFFECT, ARG("left", number, KN_FIELD_F32, "What is left in its pool; 0 ends the effect.")};

static kn_result buff_get(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_buff_get(call->world, a->effect, call->results) ? KN_OK : KN_REFUSED_NOT_FOUND;
}

static kn_result buff_absorb_left(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(float *)call->results = kn_absorb_left(call->world, a->entity);
    return KN_OK;
}

static kn_result buff_set_absorb(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_absorb_set(call->writable, a->effect, a->number);
}

// Diminishing returns -----------------------------------------------------------

static const kn_def_field group_args[] = {
    ARG_ENTITY, ARG_DEF("group", "diminishing", "Which group.")};

static kn_result diminishing_level(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(uint32_t *)call->results =
        kn_diminishing_level(call->world, a->entity, (kn_diminishing_id){a->def});
    return KN_OK;
}

static kn_result diminishing_factor(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(float *)call->results =
        kn_diminishing_factor(call->world, a->entity, (kn_diminishing_id){a->def});
    return KN_OK;
}

static kn_result diminishing_reset(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_diminishing_reset(call->writable, a->entity, (kn_diminishing_id){a->def});
}

// Dispels -----------------------------------------------------------------------

static const kn_def_field dispel_args[] = {ARG_ENTITY, ARG_DEF("dispel", "dispel", "Which dispel."),
    ARG_OTHER("source", "Who dispels; default nobody.")};
static const kn_def_field dispel_fields[] = {
    KN_DEF_F(kn_dispel_result, attempts, KN_FIELD_U32, "Attempts that were used up."),
    KN_DEF_F(kn_dispel_result, removed, KN_FIELD_U32, "Attempts that removed something."),
    KN_DEF_F(kn_dispel_result, stolen, KN_FIELD_U32, "Attempts that stole something."),
    KN_DEF_F(kn_dispel_result, resisted, KN_FIELD_U32, "Attempts that a resistance made fail."),
    KN_DEF_F(kn_dispel_result, blocked, KN_FIELD_U32, "Effects that gates protect."),
};
static const kn_def_table dispel_table =
    FIELD_TABLE("dispel_result", kn_dispel_result, dispel_fields);

static kn_result dispel_run(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_dispel(call->writable, (kn_dispel_id){a->def}, a->other, a->entity, call->results);
}

static uint32_t candidate_ids(const kn_function_call *call, void *out, uint32_t capacity)
{
    const script_args *a = call->arguments;
    return kn_dispel_candidates(
        call->world, (kn_dispel_id){a->def}, a->other, a->entity, out, capacity);
}

static kn_result dispel_candidates(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, candidate_ids, sizeof(kn_effect_id));
}

// Procs -------------------------------------------------------------------------

static const char *const on_words[] = {"hit_done", "hit_taken", "healing_done", "healing_taken",
    "use_begins", "use_ends", "kill", "death", "dispel_done", "dispel_taken", "interrupt_done",
    "interrupt_taken", "event"};
static const char *const answer_words[] = {"may_act", "not_there", "inhibited", "no_charges",
    "on_cooldown", "other_event", "outcome", "tags", "ability", "periodic", "triggered", "itself",
    "depth", "suppressed", "same_use", "condition", "no_chance"};

_Static_assert(sizeof(on_words) / sizeof(*on_words) == KN_PROC_ON_COUNT, "a word for each bit");
_Static_assert(
    sizeof(answer_words) / sizeof(*answer_words) == KN_PROC_ANSWER_COUNT, "a word for each");

typedef struct proc_options {
    kn_entity_id other, source, target;
    kn_ability_type_id ability;
    kn_effect_type_id effect;
    kn_tag outcome;
    kn_tags tags;
    float magnitude;
    kn_time interval;
    bool triggered, periodic;
} proc_options;

typedef struct proc_args {
    script_args args;
    proc_options options;
} proc_args;

static const kn_def_field proc_option_fields[] = {
    KN_DEF_F(proc_options, other, KN_FIELD_ENTITY, "the other party"),
    KN_DEF_F(proc_options, source, KN_FIELD_ENTITY, "who caused the event"),
    KN_DEF_F(proc_options, target, KN_FIELD_ENTITY, "who the event happens to"),
    KN_DEF_F_REF(proc_options, ability, KN_DEF_ABILITY, "the ability behind it"),
    KN_DEF_F_REF(proc_options, effect, KN_DEF_EFFECT, "the effect behind it"),
    KN_DEF_F(proc_options, outcome, KN_FIELD_TAG, "outcome of a hit"),
    KN_DEF_F(proc_options, tags, KN_DEF_FIELD_TAGS, "describe the event"),
    KN_DEF_F(proc_options, magnitude, KN_FIELD_F32, "how much of it, such as damage dealt"),
    KN_DEF_F(proc_options, interval, KN_FIELD_TIME, "seconds that the action took"),
    KN_DEF_F(proc_options, triggered, KN_FIELD_BOOL, "it follows from a proc"),
    KN_DEF_F(proc_options, periodic, KN_FIELD_BOOL, "it is a tick of a periodic effect"),
};
static const kn_def_table proc_option_table =
    FIELD_TABLE("proc_options", proc_options, proc_option_fields);
static const kn_def_field proc_fields[] = {ARG_ENTITY,
    ARG_WORD("on", on_words, "What happens to the entity."),
    ARG_OPTIONS(proc_args, proc_option_table)};

static kn_proc_event proc_event_of(const proc_args *a)
{
    const proc_options *o = &a->options;
    kn_proc_event event = kn_proc_event_default();
    event.bearer = a->args.entity;
    event.on = 1u << a->args.word;
    event.other = o->other;
    event.source = o->source;
    event.target = o->target;
    event.ability = o->ability;
    event.effect = o->effect;
    event.outcome = o->outcome;
    event.magnitude = o->magnitude;
    event.interval = (float)kn_time_to_seconds(o->interval);
    event.flags =
        (o->triggered ? KN_PROC_FLAG_TRIGGERED : 0u) | (o->periodic ? KN_PROC_FLAG_PERIODIC : 0u);
    return event;
}

static kn_result proc_run(void *user, const kn_function_call *call)
{
    (void)user;
    const proc_args *a = call->arguments;
    kn_proc_event event = proc_event_of(a);
    return kn_proc_run(call->writable, &event, a->options.tags, call->results);
}

static uint32_t proc_lines(const kn_function_call *call, void *out, uint32_t capacity)
{
    const proc_args *a = call->arguments;
    kn_proc_event event = proc_event_of(a);
    return kn_proc_explain(call->world, &event, a->options.tags, out, capacity);
}

static kn_result proc_explain(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, proc_lines, sizeof(kn_proc_line));
}

static kn_result proc_get(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_proc_get(call->world, a->entity, (kn_proc_id){a->def}, call->results)
               ? KN_OK
               : KN_REFUSED_NOT_FOUND;
}

#define STATE_FIELDS                                                                               \
    KN_DEF_F_KIND(kn_proc_line, proc, "proc", "The proc."),                                        \
        KN_DEF_F(kn_proc_line, effect, KN_FIELD_EFFECT, "The effect that brings it along."),       \
        KN_DEF_F(kn_proc_line, ability, KN_FIELD_ABILITY, "The ability that brings it along."),    \
        KN_DEF_F(kn_proc_line, cooldown, KN_FIELD_TIME, "Seconds left of its cooldown."),          \
        KN_DEF_F(                                                                                  \
            kn_proc_line, charges, KN_FIELD_U32, "Charges that are left; 0 also if it has none.")

static const kn_def_field state_fields[] = {STATE_FIELDS};
static const kn_def_table state_table = FIELD_TABLE("proc_info", kn_proc_line, state_fields);
static const kn_def_field line_fields[] = {STATE_FIELDS,
    KN_DEF_F_ENUM(kn_proc_line, answer, answer_words, "The first test that refuses it."),
    KN_DEF_F(kn_proc_line, chance, KN_FIELD_F32, "The chance of this attempt.")};
static const kn_def_table line_table = FIELD_TABLE("proc_line", kn_proc_line, line_fields);
static const kn_def_field proc_args_fields[] = {ARG_ENTITY, ARG_DEF("proc", "proc", "Which proc.")};

// Auras -------------------------------------------------------------------------

static const kn_def_field aura_args[] = {ARG_ENTITY, ARG_DEF("aura", "aura", "Which aura.")};
static const kn_def_field member_args[] = {ARG_ENTITY, ARG_DEF("aura", "aura", "Which aura."),
    ARG_OTHER("member", "Who becomes a member, or ceases to be one."),
    ARG("is_member", flag, KN_FIELD_BOOL, "Whether it is one from now on.")};

static kn_result aura_set_member(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_aura_set_member(call->writable, a->entity, (kn_aura_id){a->def}, a->other, a->flag);
}

static kn_result aura_update(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_aura_update(call->writable, a->entity, (kn_aura_id){a->def});
}

static uint32_t member_ids(const kn_function_call *call, void *out, uint32_t capacity)
{
    const script_args *a = call->arguments;
    return kn_aura_members(call->world, a->entity, (kn_aura_id){a->def}, out, capacity);
}

static kn_result aura_members(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, member_ids, sizeof(kn_entity_id));
}

// The table -------------------------------------------------------------------

static const script_function functions[] = {
    {"effect:buff", buff_get, ARGS(effect_args), 1, 0, &buff_table, KN_FUNCTION_TABLE, REFUSES,
        "What combat knows of the effect; nil for nothing."},
    {"effect:set_absorb", buff_set_absorb, ARGS(absorb_args), 2, 0, NULL, 0, CHANGES,
        "Sets what is left in the absorb pool of the effect."},
    {"entity:absorb_left", buff_absorb_left, ARGS(self_args), 1, 0, &value_result, 0, 0,
        "What all pools of the entity with a limit still absorb of damage."},
    {"entity:diminishing_level", diminishing_level, ARGS(group_args), 2, 0, &count_result, 0, 0,
        "How many effects of a group have counted on the entity."},
    {"entity:diminishing_factor", diminishing_factor, ARGS(group_args), 2, 0, &value_result, 0, 0,
        "The factor that the next effect of a group gets on the entity; 0 if it is immune."},
    {"entity:reset_diminishing", diminishing_reset, ARGS(group_args), 2, 0, NULL, 0, CHANGES,
        "Makes the entity forget the effects of a group that have counted."},
    {"entity:dispel", dispel_run, ARGS(dispel_args), 2, 0, &dispel_table, KN_FUNCTION_TABLE,
        CHANGES, "Dispels effects of the entity."},
    {"entity:dispel_candidates", dispel_candidates, ARGS(dispel_args), 2, 0, &effect_result,
        KN_FUNCTION_VALUE_LIST, 0,
        "The effects of the entity that a dispel could remove now, by priority, then by age."},
    {"entity:run_procs", proc_run, ARGS(proc_fields), 2, sizeof(proc_args), &count_result, 0,
        CHANGES, "Lets the procs of the entity react to something. Returns how many acted."},
    {"entity:explain_procs", proc_explain, ARGS(proc_fields), 2, sizeof(proc_args), &line_table,
        KN_FUNCTION_LIST, 0, "What each proc of the entity would do with an event, and why not."},
    {"entity:proc", proc_get, ARGS(proc_args_fields), 2, 0, &state_table, KN_FUNCTION_TABLE,
        REFUSES, "The state of a proc of the entity, the oldest instance of it."},
    {"entity:set_aura_member", aura_set_member, ARGS(member_args), 4, 0, NULL, 0, CHANGES,
        "Makes somebody a member of an aura without radius, or ends that."},
    {"entity:update_aura", aura_update, ARGS(aura_args), 2, 0, NULL, 0, CHANGES,
        "Looks at once who is near, such as after a teleport."},
    {"entity:aura_members", aura_members, ARGS(aura_args), 2, 0, &entity_result,
        KN_FUNCTION_VALUE_LIST, 0, "The members of an aura of the entity."},
};

kn_result knc_script_buffs_register(kn_library *library, kn_error *error)
{
    return knc_functions_register(
        library, functions, sizeof(functions) / sizeof(*functions), error);
}
