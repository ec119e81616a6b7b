// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Settings that can never act: legal, but hardly what their author meant. Each is a warning of the
// library. What a modifier, a script or a call may bring to life is left alone, as far as the
// library shows it.

#include "parts.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct lint {
    kn_library *library;
    const combat *kit;
} lint;

static void lint_warn(const lint *l, const char *format, ...)
{
    char sentence[512], whole[540];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    (void)snprintf(whole, sizeof(whole), "%s [idle-setting]", sentence);
    kn_library_warn(l->library, whole);
}

// A number that is the same whoever asks, and in which case.
static bool is_constant(const kn_magnitude *magnitude, float *number)
{
    const kn_scalable *scale = &magnitude->scale;
    *number = scale->value;
    return magnitude->kind == KN_MAGNITUDE_SCALABLE && scale->curve.index1 == 0 &&
           scale->parameter.index1 == 0 && magnitude->final_curve.index1 == 0;
}

static bool is_number(const kn_magnitude *magnitude, float number)
{
    float own;
    return is_constant(magnitude, &own) && own == number;
}

static bool is_zero_or_less(const kn_magnitude *magnitude)
{
    float own;
    return is_constant(magnitude, &own) && own <= 0.0f;
}

// Whether an effect of the library modifies a value.
static bool value_is_modified(const lint *l, kn_value_id value)
{
    for (uint32_t i = 1; i <= kn_def_count(l->library, KN_DEF_EFFECT); i++) {
        const kn_effect_def *def = kn_def_get(l->library, KN_DEF_EFFECT, i);
        for (uint32_t k = 0; k < def->modifier_count; k++) {
            if (def->modifiers[k].value.index1 == value.index1) {
                return true;
            }
        }
    }
    return false;
}

// Casts -------------------------------------------------------------------------------

static void lint_cast(const lint *l, const void *item)
{
    const kn_cast_def *def = item;
    const kn_cast_def usual = kn_cast_def_default();
    bool is_channel = def->kind == KN_CAST_CHANNEL;
    bool has_seconds = !is_number(&def->pushback, usual.pushback.scale.value);
    bool has_share = def->pushback_share != usual.pushback_share;
    bool has_pushback =
        has_seconds || has_share || def->pushed_by_ticks || def->pushback_value.index1 != 0;
    if (def->kind == KN_CAST_INSTANT) {
        const struct {
            const char *field;
            bool is_set;
        } idle[] = {{"length", !is_zero_or_less(&def->length)}, {"is_static", def->is_static},
            {"pushback", has_pushback}, {"pushbacks", def->pushbacks != usual.pushbacks},
            {"cue", def->cue.index1 != 0}, {"cancel_cue", def->cancel_cue.index1 != 0},
            {"cancelled", def->cancelled.function != NULL},
            {"interrupt_cue", def->interrupt_cue.index1 != 0},
            {"interrupted", def->interrupted.function != NULL},
            {"interruptible", !def->interruptible}, {"frees_global", def->frees_global}};
        for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++) {
            if (idle[i].is_set) {
                lint_warn(l,
                    "cast `%s` is instant, so that `%s` never acts: leave it out, or write another "
                    "kind",
                    def->name, idle[i].field);
                return;
            }
        }
    } else if (def->pushbacks == 0 && has_pushback) {
        lint_warn(l,
            "cast `%s` has settings for pushback, but no hit pushes it back: leave them out, or "
            "raise pushbacks",
            def->name);
    } else if (is_channel ? has_seconds : has_share) {
        lint_warn(l,
            is_channel ? "cast `%s`: a hit shortens a channel by a share of its length; write "
                         "pushback_share instead of pushback"
                       : "cast `%s`: a hit prolongs it by seconds; write pushback instead of "
                         "pushback_share",
            def->name);
    }
    if (!def->needs_data &&
        (def->missing != usual.missing || def->late_limit != usual.late_limit)) {
        lint_warn(l,
            "cast `%s` waits for no data, so that `%s` never acts: leave it out, or write "
            "needs_data: true",
            def->name, def->missing != usual.missing ? "missing" : "late_limit");
    }
}

static void lint_input(const lint *l, const void *item)
{
    const kn_input_def *def = item;
    const kn_input_rules_def *rules = kn_def_get(l->library, l->kit->input.rules_kind, 1);
    bool is_sorted = rules != NULL && rules->form == KN_INPUT_ONE_PER_CATEGORY;
    if (def->category.index1 != 0 && !is_sorted) {
        lint_warn(l,
            "input `%s` has a category, but one press waits whatever its category: leave it out, "
            "or write input_rules: {Rules: {form: one_per_category}}",
            def->name);
    }
}

// Resources ----------------------------------------------------------------------------

static bool archetype_has(const lint *l, const kn_archetype_def *def, kn_attribute_set_id set)
{
    for (uint32_t depth = 0; def != NULL && depth < 64; depth++) {
        for (uint32_t i = 0; i < def->set_count; i++) {
            if (def->sets[i].index1 == set.index1) {
                return true;
            }
        }
        def = kn_archetype_get_def(l->library, def->parent);
    }
    return false;
}

// Whether an archetype has the first set, and whether one of those has the second too.
static bool sets_never_meet(const lint *l, kn_attribute_id first, kn_attribute_id second)
{
    kn_attribute_set_id own = kn_attribute_set_of(l->library, first);
    kn_attribute_set_id other = kn_attribute_set_of(l->library, second);
    bool is_there = false;
    for (uint32_t i = 1; i <= kn_def_count(l->library, KN_DEF_ARCHETYPE); i++) {
        const kn_archetype_def *def = kn_def_get(l->library, KN_DEF_ARCHETYPE, i);
        if (!archetype_has(l, def, own)) {
            continue;
        }
        is_there = true;
        if (archetype_has(l, def, other)) {
            return false;
        }
    }
    return is_there;
}

// An attribute that a magnitude reads and no archetype has that has `own`; null: none.
static kn_attribute_id magnitude_lacks(
    const lint *l, const kn_magnitude *magnitude, kn_attribute_id own)
{
    const kn_calculation_def *formula =
        magnitude->kind == KN_MAGNITUDE_CALCULATION
            ? kn_def_get(l->library, KN_DEF_CALCULATION, magnitude->calculation.index1)
            : NULL;
    bool is_attribute = magnitude->kind == KN_MAGNITUDE_ATTRIBUTE;
    const kn_capture *captures = is_attribute ? &magnitude->capture : NULL;
    uint32_t count = is_attribute ? 1 : 0;
    if (formula != NULL && formula->expression != NULL) { // functions in C may do without
        captures = formula->captures;
        count = formula->capture_count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sets_never_meet(l, own, captures[i].attribute)) {
            return captures[i].attribute;
        }
    }
    return (kn_attribute_id){0};
}

static void lint_flow(
    const lint *l, const kn_resource_def *def, const kn_resource_flow *flow, const char *name)
{
    const kn_resource_flow usual = kn_resource_def_default().regeneration;
    bool has_settings = flow->delay != usual.delay || flow->interval != usual.interval ||
                        flow->in_combat != usual.in_combat ||
                        flow->while_casting != usual.while_casting;
    if (is_zero_or_less(&flow->amount) && has_settings) {
        lint_warn(l, "resource `%s`: its %s has no amount, and never acts; write %s: {amount: 5}",
            def->name, name, name);
    }
    kn_attribute_id missing = magnitude_lacks(l, &flow->amount, def->attribute);
    if (missing.index1 != 0) {
        lint_warn(l,
            "resource `%s`: its %s reads the attribute %s, which no archetype with %s has, and "
            "never acts",
            def->name, name, kn_attribute_name(l->library, missing),
            kn_attribute_name(l->library, def->attribute));
    }
}

static void lint_resource(const lint *l, const void *item)
{
    const kn_resource_def *def = item;
    lint_flow(l, def, &def->regeneration, "regeneration");
    lint_flow(l, def, &def->decay, "decay");
    if (is_zero_or_less(&def->decay.amount) && !is_number(&def->rest, 0.0f)) {
        lint_warn(l,
            "resource `%s` has a rest, but does not decay to it; write decay: {amount: 5}, or "
            "leave out rest",
            def->name);
    }
}

// Outcomes -----------------------------------------------------------------------------

static kn_tag outcome_tag_of(const lint *l, const kn_outcome_def *def)
{
    char name[KN_TAG_NAME_MAX + 1];
    if (def->tag.index1 != 0) {
        return def->tag;
    }
    (void)snprintf(name, sizeof(name), "Knack.Outcome.%s", def->name);
    return kn_tag_find(l->library, name);
}

static bool outcome_never_happens(const lint *l, const kn_outcome_def *def)
{
    return is_zero_or_less(&def->chance) &&
           (def->chance_value.index1 == 0 || !value_is_modified(l, def->chance_value));
}

static void lint_outcome(const lint *l, const void *item)
{
    const kn_outcome_def *def = item;
    if (outcome_never_happens(l, def)) {
        lint_warn(l, "outcome `%s` has no chance, and never happens; write chance: 0.1", def->name);
    }
}

// Buffs and dispels --------------------------------------------------------------------

static void lint_absorb(const lint *l, const kn_buff_def *def)
{
    const kn_absorb_def *own = &def->absorb;
    const kn_absorb_def usual = kn_absorb_def_default();
    bool has_settings = own->kind != usual.kind || !kn_tag_requirement_is_empty(&own->hits) ||
                        own->priority != usual.priority || own->share != usual.share ||
                        own->bypassed_by.count > 0 || own->bypass != usual.bypass ||
                        own->points != usual.points || own->again != usual.again;
    if (is_zero_or_less(&own->amount) && own->pays.index1 == 0) {
        if (has_settings || !is_number(&own->amount, 0.0f)) {
            lint_warn(l,
                "buff `%s`: its absorb has no amount, and absorbs nothing; write absorb: {amount: "
                "300}",
                def->name);
        }
        return;
    }
    if (own->share == 0.0f) {
        lint_warn(l, "buff `%s`: its absorb has a share of 0, and absorbs nothing", def->name);
    }
    if (own->bypassed_by.count == 0 && own->bypass != usual.bypass) {
        lint_warn(l, "buff `%s`: `bypass` of its absorb never acts without bypassed_by", def->name);
    }
    if (own->pays.index1 == 0 && own->points != usual.points) {
        lint_warn(l, "buff `%s`: `points` of its absorb never acts without pays", def->name);
    }
}

static bool dispel_takes(const lint *l, const kn_dispel_def *dispel, const kn_buff_def *buff)
{
    bool has_type = dispel->types.count == 0;
    for (uint32_t i = 0; i < dispel->types.count; i++) {
        has_type |= kn_tag_matches(l->library, buff->dispel_type, dispel->types.data[i]);
    }
    return has_type && (dispel->polarity >> buff->polarity & 1) != 0 &&
           buff->strength <= dispel->strength;
}

// A game may have dispels for what harms alone: then types of what helps are only a label.
static void lint_dispel_type(const lint *l, const kn_buff_def *def)
{
    uint32_t count = kn_def_count(l->library, l->kit->buff.dispel_kind);
    bool is_taken = def->dispel_type.index1 == 0 || count == 0;
    for (uint32_t i = 1; i <= count && !is_taken; i++) {
        kn_dispel_def dispel =
            *(const kn_dispel_def *)kn_def_get(l->library, l->kit->buff.dispel_kind, i);
        dispel.polarity = KN_POLARITY_BITS;
        is_taken = dispel_takes(l, &dispel, def);
    }
    if (!is_taken) {
        lint_warn(l,
            "buff `%s` has the dispel_type `%s`, but no dispel takes it: compare types and "
            "strength",
            def->name, kn_tag_name(l->library, def->dispel_type));
    }
}

static void lint_buff(const lint *l, const void *item)
{
    const kn_buff_def *def = item;
    float after;
    lint_absorb(l, def);
    lint_dispel_type(l, def);
    if (is_constant(&def->breaks_after, &after) && after < 0.0f &&
        (!kn_tag_requirement_is_empty(&def->breaks_on) || def->breaks_by_periodic)) {
        lint_warn(l, "buff `%s` has %s, but never breaks; write breaks_after: 0 for any damage",
            def->name, def->breaks_by_periodic ? "breaks_by_periodic" : "breaks_on");
    }
    if (is_zero_or_less(&def->shares.part) && !kn_tag_requirement_is_empty(&def->shares.hits)) {
        lint_warn(l, "buff `%s` shares nothing; write shares: {part: 0.5}", def->name);
    }
    if (is_zero_or_less(&def->reflects.part) &&
        (!kn_tag_requirement_is_empty(&def->reflects.hits) || def->reflects.tags.count > 0 ||
            def->reflects.reflected)) {
        lint_warn(l, "buff `%s` reflects nothing; write reflects: {part: 0.5}", def->name);
    }
}

static void lint_dispel(const lint *l, const void *item)
{
    const kn_dispel_def *def = item;
    kn_def_kind known = l->kit->buff.kind;
    for (uint32_t i = 0; i < def->types.count; i++) {
        kn_dispel_def one = *def;
        bool is_there = false;
        one.types = (kn_tags){&def->types.data[i], 1};
        for (uint32_t k = 1; k <= kn_def_count(l->library, known) && !is_there; k++) {
            is_there = dispel_takes(l, &one, kn_def_get(l->library, known, k));
        }
        if (!is_there) {
            lint_warn(l,
                "dispel `%s` takes `%s`, but no buff of its polarity and strength has that "
                "dispel_type",
                def->name, kn_tag_name(l->library, def->types.data[i]));
        }
    }
}

static void lint_diminishing(const lint *l, const void *item)
{
    const kn_diminishing_def *def = item;
    bool is_used = false;
    for (uint32_t i = 1; i <= kn_def_count(l->library, l->kit->buff.kind) && !is_used; i++) {
        const kn_buff_def *buff = kn_def_get(l->library, l->kit->buff.kind, i);
        is_used =
            kn_def_get(l->library, l->kit->buff.diminishing_kind, buff->diminishing.index1) == item;
    }
    if (!is_used) {
        lint_warn(
            l, "diminishing `%s` is of no buff; write diminishing: %s there", def->name, def->name);
    }
}

// Procs ----------------------------------------------------------------------------------

static bool proc_outcome_exists(const lint *l, const kn_proc_def *def)
{
    const proc_ids *ids = &l->kit->proc;
    kn_tags one;
    kn_tag always[] = {ids->normal, ids->absorbed};
    one.count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        one.data = &always[i];
        if (kn_tags_has_any(l->library, one, def->outcomes)) {
            return true;
        }
    }
    for (uint32_t i = 1; i <= kn_def_count(l->library, l->kit->hit.outcome_kind); i++) {
        const kn_outcome_def *outcome = kn_def_get(l->library, l->kit->hit.outcome_kind, i);
        kn_tag tag = outcome_tag_of(l, outcome);
        one.data = &tag;
        if (tag.index1 != 0 && kn_tags_has_any(l->library, one, def->outcomes)) {
            return true;
        }
    }
    return false;
}

static void lint_proc_filters(const lint *l, const kn_proc_def *def)
{
    const uint32_t hits =
        KN_PROC_HIT_DONE | KN_PROC_HIT_TAKEN | KN_PROC_HEALING_DONE | KN_PROC_HEALING_TAKEN;
    const uint32_t dispels = KN_PROC_DISPEL_DONE | KN_PROC_DISPEL_TAKEN;
    const uint32_t interrupts = KN_PROC_INTERRUPT_DONE | KN_PROC_INTERRUPT_TAKEN;
    const uint32_t life = KN_PROC_KILL | KN_PROC_DEATH;
    if ((def->on & hits) == 0 && (def->outcomes.count > 0 || def->no_periodic)) {
        lint_warn(l,
            "proc `%s` reacts to no hits, so that `%s` never acts: leave it out, or write on: "
            "hit_done",
            def->name, def->outcomes.count > 0 ? "outcomes" : "no_periodic");
    } else if (def->outcomes.count > 0 && !proc_outcome_exists(l, def)) {
        lint_warn(l,
            "proc `%s` reacts to `%s`, but there is no such outcome: define it under outcomes",
            def->name, kn_tag_name(l->library, def->outcomes.data[0]));
    }
    if ((def->on & ~dispels) == 0 && kn_def_count(l->library, l->kit->buff.dispel_kind) == 0) {
        lint_warn(l, "proc `%s` reacts to dispels, but there are none", def->name);
    }
    if ((def->on & ~interrupts) == 0 && kn_def_count(l->library, l->kit->cast.kind) == 0) {
        lint_warn(l, "proc `%s` reacts to interrupts, but there are no casts", def->name);
    }
    if (!def->triggered && (def->on & life) == 0 && def->depth != kn_proc_def_default().depth) {
        lint_warn(l,
            "proc `%s` never reacts to other procs, so that `depth` never acts: write triggered: "
            "true, or leave it out",
            def->name);
    }
}

static void lint_proc(const lint *l, const void *item)
{
    const kn_proc_def *def = item;
    const kn_proc_def usual = kn_proc_def_default();
    bool has_rate = !is_zero_or_less(&def->per_minute);
    lint_proc_filters(l, def);
    if (!has_rate && is_number(&def->chance, 0.0f) && !value_is_modified(l, l->kit->proc.chance)) {
        lint_warn(l, "proc `%s` has a chance of 0, and never acts", def->name);
    }
    if (!has_rate &&
        (!is_number(&def->interval, 0.0f) || def->interval_floor != usual.interval_floor)) {
        lint_warn(l, "proc `%s`: `%s` never acts without per_minute", def->name,
            is_number(&def->interval, 0.0f) ? "interval_floor" : "interval");
    }
    if (def->deck != usual.deck && def->random != KN_PROC_DECK) {
        lint_warn(l, "proc `%s`: `deck` never acts; write random: deck", def->name);
    }
    if (def->cooldown_per_bearer && is_zero_or_less(&def->cooldown)) {
        lint_warn(l, "proc `%s`: `cooldown_per_bearer` never acts without a cooldown", def->name);
    }
    for (uint32_t i = 0; i < def->action_count; i++) {
        const kn_proc_action_def *action = &def->actions[i];
        if (action->effect.index1 == 0 &&
            (action->stacks != 0 || action->magnitude_tag.index1 != 0)) {
            lint_warn(l, "proc `%s`: `%s` of its action %u never acts without an effect", def->name,
                action->stacks != 0 ? "stacks" : "magnitude_tag", i + 1);
        }
    }
}

// Everything -----------------------------------------------------------------------------

kn_result knc_lint_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    lint l = {library, user};
    const combat *kit = user;
    (void)kind;
    (void)error;
    const struct {
        kn_def_kind kind;
        void (*look)(const lint *l, const void *item);
    } rows[] = {{kit->cast.kind, lint_cast}, {kit->input.kind, lint_input},
        {kit->resource.kind, lint_resource}, {kit->hit.outcome_kind, lint_outcome},
        {kit->buff.kind, lint_buff}, {kit->buff.dispel_kind, lint_dispel},
        {kit->buff.diminishing_kind, lint_diminishing}, {kit->proc.kind, lint_proc}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        for (uint32_t k = 1; k <= kn_def_count(library, rows[i].kind); k++) {
            rows[i].look(&l, kn_def_get(library, rows[i].kind, k));
        }
    }
    return KN_OK;
}
