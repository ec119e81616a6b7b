// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The definition of casts: its fields, what makes no sense, and which ability has which cast.

#include "parts.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define CAST_COOKIE 0x7473636bu

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *const kind_words[] = {"plain", "channel", "held", "instant"};
static const char *const commit_words[] = {"start", "completion"};
static const char *const missing_words[] = {"skip", "last", "server"};
static const char *const outcome_words[] = {
    "done", "cancelled", "interrupted", "refused", "rejected"};
static const char *const lost_words[] = {"late", "void"};

kn_cast_def kn_cast_def_default(void)
{
    kn_cast_def def = {
        .length = kn_magnitude_constant(0.0f),
        .ticks = 1,
        .interruptible = true,
        .pushback = kn_magnitude_constant(0.5f),
        .pushback_share = 0.25f,
        .pushbacks = 2,
        .in_slot = true,
        .stages = 1,
        .late_limit = 0.25f,
        .cookie = CAST_COOKIE,
    };
    return def;
}

static void cast_init(void *def)
{
    *(kn_cast_def *)def = kn_cast_def_default();
}

static const kn_def_field cast_fields[] = {
    KN_DEF_F(kn_cast_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_cast_def, ability, KN_DEF_ABILITY,
        "The ability that is cast; default: the one of the same name."),
    KN_DEF_F_ENUM(kn_cast_def, kind, kind_words,
        "What it does over time. `cast`: one tick, at the end. `channel`: ticks at even distances, "
        "the last one at the end. `held`: stages at even distances, and one tick when it is "
        "released. `instant`: tick 0 alone, at once. Default cast."),
    KN_DEF_F_PART(kn_cast_def, length, "kn_magnitude",
        "Seconds from the start to the end, for a held cast to the last stage; source and target "
        "are the caster, the level is that of the ability. 0 or less: all ticks run at once. "
        "Default 0."),
    KN_DEF_F_REF(kn_cast_def, value, KN_DEF_VALUE,
        "Transient value of the caster whose modifiers change the length; default "
        "`Knack.CastLength`."),
    KN_DEF_F(kn_cast_def, is_static, KN_FIELD_BOOL,
        "Modifiers do not change the length; default false."),
    KN_DEF_F(kn_cast_def, ticks, KN_FIELD_U32,
        "Ticks of a channel without the initial one, 1 to 10000; default 1."),
    KN_DEF_F(kn_cast_def, initial_tick, KN_FIELD_BOOL,
        "A channel has a tick 0 at its start; default false."),
    KN_DEF_F_PARTS(kn_cast_def, applies, apply_count, "kn_ability_apply_def",
        "What every tick applies, in this order."),
    KN_DEF_F_PARTS(kn_cast_def, completes, complete_count, "kn_ability_apply_def",
        "What is applied after the last tick, in this order."),
    KN_DEF_F_ENUM(kn_cast_def, commit, commit_words,
        "When it pays its cost and starts cooldowns: at the start, or just before the last tick. "
        "Cooldowns with `starts: at_activation` start with the activation in any case. Default "
        "start."),
    KN_DEF_F(kn_cast_def, revalidate, KN_FIELD_BOOL,
        "Before the last tick everything that may refuse the ability is checked once more; default "
        "false."),
    KN_DEF_F(kn_cast_def, interruptible, KN_FIELD_BOOL, "It can be interrupted; default true."),
    KN_DEF_F(kn_cast_def, school, KN_DEF_FIELD_TAGS,
        "Tags that an interrupt locks out; default: the tags of the ability but those below "
        "`Knack`."),
    KN_DEF_F(kn_cast_def, breaks_on, KN_DEF_FIELD_TAGS,
        "Tags that break it: gaining one cancels the cast, and it cannot begin with one. "
        "`Knack.Moving` is for movement."),
    KN_DEF_F_PART(kn_cast_def, pushback, "kn_magnitude",
        "Seconds by which a hit prolongs a plain or held cast, never beyond its full length; "
        "source and target are the caster; default 0.5."),
    KN_DEF_F(kn_cast_def, pushback_share, KN_FIELD_F32,
        "Share of its full length by which a hit shortens a channel; default 0.25."),
    KN_DEF_F(kn_cast_def, pushbacks, KN_FIELD_U32,
        "Most hits that push it back; 0: none do; default 2."),
    KN_DEF_F_REF(kn_cast_def, pushback_value, KN_DEF_VALUE,
        "Transient value of the caster whose modifiers change the seconds of a pushback; default "
        "`Knack.Pushback`."),
    KN_DEF_F(kn_cast_def, pushed_by_ticks, KN_FIELD_BOOL,
        "Ticks of periodic effects push it back too; default false."),
    KN_DEF_F(kn_cast_def, frees_global, KN_FIELD_BOOL,
        "Cancelling it ends the global cooldown that it started; default false."),
    KN_DEF_F(
        kn_cast_def, in_slot, KN_FIELD_BOOL, "Nothing else can be used meanwhile; default true."),
    KN_DEF_F(kn_cast_def, stages, KN_FIELD_U32, "Stages of a held cast, 1 to 10000; default 1."),
    KN_DEF_F(kn_cast_def, hold, KN_FIELD_F32,
        "Seconds that a held cast can be held after its last stage, before it is released by "
        "itself; default 0."),
    KN_DEF_F(kn_cast_def, needs_data, KN_FIELD_BOOL,
        "Each tick but the initial one waits for data from the player, which replaces the targets "
        "of the activation; default false."),
    KN_DEF_F(kn_cast_def, late_limit, KN_FIELD_F32,
        "Seconds that a tick waits for its data, but at least until the next tick is due; default "
        "0.25."),
    KN_DEF_F_ENUM(kn_cast_def, missing, missing_words,
        "What happens to a tick without data: it does not run, it runs with the last data, or the "
        "hook `aim` may provide some. Default skip."),
    KN_DEF_F_REF(kn_cast_def, cue, KN_DEF_TAG, "Cue that is shown as long as the cast lasts."),
    KN_DEF_F_REF(kn_cast_def, tick_cue, KN_DEF_TAG, "Cue that each tick executes."),
    KN_DEF_F_REF(kn_cast_def, cancel_cue, KN_DEF_TAG, "Cue that is executed when it is cancelled."),
    KN_DEF_F_REF(
        kn_cast_def, interrupt_cue, KN_DEF_TAG, "Cue that is executed when it is interrupted."),
    KN_DEF_F_HOOK(kn_cast_def, began, "Called when it has begun, before an initial tick."),
    KN_DEF_F_HOOK(kn_cast_def, tick, "Called with each tick, before its effects are applied."),
    KN_DEF_F_HOOK(kn_cast_def, completed, "Called when it completes."),
    KN_DEF_F_HOOK(kn_cast_def, cancelled, "Called when it is cancelled, or refused at its end."),
    KN_DEF_F_HOOK(kn_cast_def, interrupted, "Called when it is interrupted."),
    KN_DEF_F_HOOK(kn_cast_def, rejected,
        "Called when the server refuses a predicted cast: on the server, which has no activation "
        "then, and on the client."),
    KN_DEF_F_HOOK(
        kn_cast_def, tick_refused, "Called for a tick that does not run, for lack of data."),
    KN_DEF_F_HOOK(
        kn_cast_def, aim, "Provides data for a tick that lacks it, with `missing: server`."),
    KN_DEF_F(kn_cast_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table cast_table = {
    "cast_def", sizeof(kn_cast_def), cast_fields, COUNT(cast_fields), cast_init};

// Arguments of hooks.
static const kn_field call_fields[] = {
    KN_FIELD(kn_cast_call, activation, KN_FIELD_ACTIVATION),
    KN_FIELD(kn_cast_call, ability, KN_FIELD_ABILITY),
    KN_FIELD(kn_cast_call, target, KN_FIELD_ENTITY),
    KN_FIELD(kn_cast_call, instigator, KN_FIELD_ENTITY),
    KN_FIELD(kn_cast_call, late, KN_FIELD_TIME),
    KN_FIELD(kn_cast_call, tick, KN_FIELD_U32),
    KN_FIELD(kn_cast_call, ticks, KN_FIELD_U32),
    KN_FIELD(kn_cast_call, stage, KN_FIELD_U32),
    KN_FIELD_WORDS(kn_cast_call, outcome, "done cancelled interrupted refused rejected"),
    KN_FIELD_WORDS(kn_cast_call, role, "authority server owner observer"),
    KN_FIELD(kn_cast_call, unused, KN_FIELD_U32),
};

// Checks --------------------------------------------------------------------------

static bool is_count(uint32_t count)
{
    return count >= 1 && count <= KN_CAST_TICKS_MAX;
}

static bool is_amount(float number)
{
    return number >= 0.0f && isfinite(number);
}

static kn_result check_numbers(const kn_cast_def *def, kn_error *error)
{
    if (!is_count(def->ticks) || !is_count(def->stages)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "cast `%s`: `%s` must be 1 to %u", def->name,
            is_count(def->ticks) ? "stages" : "ticks", KN_CAST_TICKS_MAX);
    }
    const struct {
        const char *field;
        float number;
    } amounts[] = {{"pushback_share", def->pushback_share}, {"hold", def->hold},
        {"late_limit", def->late_limit}};
    for (size_t i = 0; i < COUNT(amounts); i++) {
        if (!is_amount(amounts[i].number)) {
            return kn_error_set(error, KN_ERROR_BAD_DATA, "cast `%s`: `%s` must be at least 0",
                def->name, amounts[i].field);
        }
    }
    return KN_OK;
}

static kn_result cast_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_cast_def *def = item;
    const char *kind = kind_words[def->kind];
    (void)user;
    (void)library;
    kn_result result = check_numbers(def, error);
    if (result != KN_OK) {
        return result;
    }
    if (def->kind != KN_CAST_CHANNEL && (def->ticks != 1 || def->initial_tick)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s` is of the kind %s, which has one tick; write kind: channel for `ticks` and "
            "`initial_tick`",
            def->name, kind);
    }
    if (def->kind != KN_CAST_HELD && (def->stages != 1 || def->hold != 0.0f)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s` is of the kind %s, which has no stages; write kind: held for `stages` and "
            "`hold`",
            def->name, kind);
    }
    if (def->kind == KN_CAST_INSTANT && def->needs_data) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s` is instant: the data of its tick comes with the activation; leave out "
            "`needs_data`",
            def->name);
    }
    if (def->aim.function != NULL && def->missing != KN_CAST_MISSING_SERVER) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s`: its hook `aim` is never called; write missing: server", def->name);
    }
    return KN_OK;
}

// The ability of a cast must leave everything to it.
static kn_result check_ability(
    const kn_library *library, const kn_cast_def *cast, kn_ability_type_id type, kn_error *error)
{
    const kn_ability_def *ability = kn_ability_type_get_def(library, type);
    if (ability->body != KN_BODY_NONE) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s`: its ability `%s` must not have a body; leave out `body` and `lasts`, and "
            "move `applies` to the cast",
            cast->name, ability->name);
    }
    if (ability->activate != NULL || ability->activate_by_event != NULL) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s`: its ability `%s` must not have functions of its own; leave them out, or "
            "begin the cast with kn_cast_start() and name another ability here",
            cast->name, ability->name);
    }
    if (ability->instancing == KN_INSTANCING_NONE) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s`: its ability `%s` takes time and needs instancing: per_actor or "
            "per_execution",
            cast->name, ability->name);
    }
    if (ability->commit == KN_COMMIT_AT_USE && cast->commit == KN_CAST_COMMIT_COMPLETION) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s` commits at its completion, but its ability `%s` at its use; leave out the "
            "`commit` of the ability",
            cast->name, ability->name);
    }
    return KN_OK;
}

static kn_result cast_finish_one(
    const kn_library *library, cast_ids *ids, uint32_t index1, kn_error *error)
{
    const kn_cast_def *def = kn_def_get(library, ids->kind, index1);
    kn_ability_type_id type = def->ability;
    if (type.index1 == 0) {
        type.index1 = kn_def_find(library, KN_DEF_ABILITY, def->name);
    }
    if (type.index1 == 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s`: there is no ability of this name; define one, or name it: ability: "
            "Fireball",
            def->name);
    }
    uint32_t *own = &ids->by_ability[type.index1];
    if (*own != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "cast `%s` has the same ability as `%s`; leave out one of them", def->name,
            kn_def_name(library, ids->kind, *own));
    }
    *own = index1;
    return check_ability(library, def, type, error);
}

// Finds out which ability has which cast, once everything is registered.
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
    kn_result result = KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kind); i++) {
        result = cast_finish_one(library, ids, i, error);
    }
    return result != KN_OK ? result : knc_global_check(library, ids, error);
}

// Registration --------------------------------------------------------------------

kn_result knc_cast_kind_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    static const char *const hook_names[] = {"began", "tick", "completed", "cancelled",
        "interrupted", "rejected", "tick_refused", "aim"};
    kn_kind_hook hooks[COUNT(hook_names)];
    for (size_t i = 0; i < COUNT(hook_names); i++) {
        hooks[i] = (kn_kind_hook){.field = hook_names[i],
            .size = sizeof(kn_cast_call),
            .fields = call_fields,
            .field_count = COUNT(call_fields)};
    }
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "cast";
    kind.section = "casts";
    kind.table = &cast_table;
    kind.text = "Abilities that take time: casts, channels and held casts.";
    kind.check = cast_check;
    kind.finish = cast_finish;
    kind.user = ids;
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    kn_result result =
        kn_enum_register(library, "kn_cast_kind", kind_words, COUNT(kind_words), error);
    result = result != KN_OK ? result
                             : kn_enum_register(library, "kn_cast_outcome", outcome_words,
                                   COUNT(outcome_words), error);
    result = result != KN_OK
                 ? result
                 : kn_enum_register(library, "kn_cast_lost", lost_words, COUNT(lost_words), error);
    return result != KN_OK ? result : kn_kind_register(library, &kind, &ids->kind, error);
}

kn_result kn_cast_register(
    kn_library *library, const kn_cast_def *def, kn_cast_id *cast, kn_error *error)
{
    uint32_t index1 = 0;
    if (cast != NULL) {
        cast->index1 = 0;
    }
    if (library == NULL || def == NULL || !kn_combat_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result =
        kn_def_register(library, knc_combat_of(library)->cast.kind, def, &index1, error);
    if (cast != NULL) {
        cast->index1 = index1;
    }
    return result;
}

kn_cast_id kn_cast_find(const kn_library *library, const char *name)
{
    kn_cast_id cast = {0};
    if (kn_combat_is_there(library)) {
        cast.index1 = kn_def_find(library, knc_combat_of(library)->cast.kind, name);
    }
    return cast;
}

const kn_cast_def *kn_cast_get_def(const kn_library *library, kn_cast_id cast)
{
    return kn_combat_is_there(library)
               ? kn_def_get(library, knc_combat_of(library)->cast.kind, cast.index1)
               : NULL;
}

kn_cast_id kn_cast_of_ability(const kn_library *library, kn_ability_type_id ability)
{
    kn_cast_id cast = {0};
    const combat *kit = kn_combat_is_there(library) ? knc_combat_of(library) : NULL;
    if (kit != NULL && kit->cast.by_ability != NULL && ability.index1 <= kit->cast.ability_count) {
        cast.index1 = kit->cast.by_ability[ability.index1];
    }
    return cast;
}
