// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about threat, combat, hits, death and resurrection.

#include "script_part.h"

#include "knack/combat.h"

ONE_RESULT(value, float, KN_FIELD_F32);
ONE_RESULT(flag, bool, KN_FIELD_BOOL);
ONE_RESULT(seconds, kn_time, KN_FIELD_TIME);
ONE_RESULT(entity, kn_entity_id, KN_FIELD_ENTITY);

static const kn_def_field self_args[] = {ARG_ENTITY};
static const kn_def_field of_args[] = {
    ARG_ENTITY, ARG_OTHER("of", "Whose threat it is: an attacker.")};
static const kn_def_field other_args[] = {ARG_ENTITY, ARG_OTHER("other", "The other one.")};

// Threat ----------------------------------------------------------------------

static kn_result threat_begin(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_begin(call->writable, a->entity);
}

static kn_result threat_has_table(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(bool *)call->results = kn_threat_has_table(call->world, a->entity);
    return KN_OK;
}

static kn_result threat_get(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(float *)call->results = kn_threat_get(call->world, a->entity, a->other);
    return KN_OK;
}

static kn_result threat_has(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(bool *)call->results = kn_threat_has(call->world, a->entity, a->other);
    return KN_OK;
}

static kn_result threat_add(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_add(call->writable, a->entity, a->other, a->number);
}

static kn_result threat_set(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_set(call->writable, a->entity, a->other, a->number);
}

static kn_result threat_scale(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_scale(call->writable, a->entity, a->other, a->number);
}

static kn_result threat_remove(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_remove(call->writable, a->entity, a->other);
}

static kn_result threat_clear(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_clear(call->writable, a->entity);
}

static kn_result threat_leave(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_leave(call->writable, a->entity);
}

static uint32_t threat_entries(const kn_function_call *call, void *out, uint32_t capacity)
{
    const script_args *a = call->arguments;
    return kn_threat_list(call->world, a->entity, out, capacity);
}

static kn_result threat_list(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, threat_entries, sizeof(kn_threat_entry));
}

static uint32_t threat_owner_ids(const kn_function_call *call, void *out, uint32_t capacity)
{
    const script_args *a = call->arguments;
    return kn_threat_owners(call->world, a->entity, out, capacity);
}

static kn_result threat_owners(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, threat_owner_ids, sizeof(kn_entity_id));
}

static kn_result threat_top(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    kn_threat_entry *top = call->results;
    return kn_threat_list(call->world, a->entity, top, 1) > 0 ? KN_OK : KN_REFUSED_NOT_FOUND;
}

static kn_result threat_target(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(kn_entity_id *)call->results = kn_threat_target(call->world, a->entity);
    return KN_OK;
}

static kn_result threat_update(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_update(call->writable, a->entity);
}

static kn_result threat_taunt(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_taunt(call->writable, a->other, a->entity, a->time);
}

static kn_result threat_fixate(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_fixate(call->writable, a->entity, a->other, a->time);
}

static kn_result threat_suppress(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_suppress(call->writable, a->entity, a->other, a->time);
}

static kn_result threat_redirect(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_threat_redirect(call->writable, a->entity, a->other, a->number, a->time);
}

static const kn_def_field amount_args[] = {ARG_ENTITY,
    ARG_OTHER("of", "Whose threat it is: an attacker."),
    ARG("amount", number, KN_FIELD_F32, "How much.")};
static const kn_def_field factor_args[] = {ARG_ENTITY,
    ARG_OTHER("of", "Whose threat it is: an attacker."),
    ARG("factor", number, KN_FIELD_F32, "What the threat is multiplied by.")};
static const kn_def_field taunt_args[] = {ARG_ENTITY,
    ARG_OTHER("owner", "Who is taunted: an entity with a threat table."),
    ARG("seconds", time, KN_FIELD_TIME, "How long.")};
static const kn_def_field fixate_args[] = {ARG_ENTITY,
    ARG_OTHER("on", "The entity that is the target meanwhile."),
    ARG("seconds", time, KN_FIELD_TIME, "How long.")};
static const kn_def_field suppress_args[] = {ARG_ENTITY,
    ARG_OTHER("of", "The entity that others are preferred to."),
    ARG("seconds", time, KN_FIELD_TIME, "How long.")};
static const kn_def_field redirect_args[] = {ARG_ENTITY,
    ARG_OTHER("to", "The entity that gets the threat."),
    ARG("share", number, KN_FIELD_F32, "The part of the threat, 0 to 1."),
    ARG("seconds", time, KN_FIELD_TIME, "How long.")};

static const kn_def_field entry_fields[] = {
    KN_DEF_F(kn_threat_entry, entity, KN_FIELD_ENTITY, "Whose threat it is."),
    KN_DEF_F(kn_threat_entry, threat, KN_FIELD_F32, "How much."),
    KN_DEF_F(kn_threat_entry, is_target, KN_FIELD_BOOL, "It is the target now."),
    KN_DEF_F(kn_threat_entry, is_suppressed, KN_FIELD_BOOL, "Others are preferred."),
    KN_DEF_F(kn_threat_entry, is_taunting, KN_FIELD_BOOL, "Its taunt is in force."),
    KN_DEF_F(kn_threat_entry, is_fixed, KN_FIELD_BOOL, "The owner of the table is fixed on it."),
};
static const kn_def_table entry_table = FIELD_TABLE("threat_entry", kn_threat_entry, entry_fields);
static const kn_def_field top_fields[] = {
    KN_DEF_F(kn_threat_entry, entity, KN_FIELD_ENTITY, NULL),
    KN_DEF_F(kn_threat_entry, threat, KN_FIELD_F32, NULL),
};
static const kn_def_table top_table = FIELD_TABLE("top_threat", kn_threat_entry, top_fields);

// Combat ----------------------------------------------------------------------

static kn_result combat_start(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_combat_start(call->writable, a->entity, a->other);
}

static kn_result combat_end(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_combat_end(call->writable, a->entity, a->other);
}

static kn_result combat_leave(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_combat_leave(call->writable, a->entity);
}

static kn_result combat_is_fighting(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(bool *)call->results = kn_combat_is_fighting(call->world, a->entity, a->other);
    return KN_OK;
}

static kn_result combat_is_in(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(bool *)call->results = kn_combat_in_combat(call->world, a->entity);
    return KN_OK;
}

static kn_result combat_remaining(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(kn_time *)call->results = kn_combat_remaining(call->world, a->entity, a->other);
    return KN_OK;
}

static uint32_t opponent_ids(const kn_function_call *call, void *out, uint32_t capacity)
{
    const script_args *a = call->arguments;
    return kn_combat_opponents(call->world, a->entity, out, capacity);
}

static kn_result combat_opponents(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, opponent_ids, sizeof(kn_entity_id));
}

// Hits ------------------------------------------------------------------------

typedef struct hit_options {
    kn_entity_id source;
    kn_tags tags;
    kn_effect_type_id effect;
    kn_ability_type_id ability;
    kn_tag outcome;
    float level;
    bool flags[11]; // in the order of the bits
} hit_options;

typedef struct hit_args {
    script_args args;
    hit_options options;
} hit_args;

static void hit_options_init(void *options)
{
    *(hit_options *)options = (hit_options){.level = 1.0f};
}

#define HIT_FLAG(index, name_, text_)                                                              \
    {                                                                                              \
        name_, KN_FIELD_BOOL, 0, (uint32_t)(offsetof(hit_options, flags) + (index)), 1, 0, NULL,   \
            NULL, NULL, text_                                                                      \
    }

static const kn_def_field hit_option_fields[] = {
    KN_DEF_F(hit_options, source, KN_FIELD_ENTITY, "who deals it; default nobody"),
    KN_DEF_F(hit_options, tags, KN_DEF_FIELD_TAGS, "describe it: school, style"),
    KN_DEF_F_REF(hit_options, effect, KN_DEF_EFFECT, "the effect behind it"),
    KN_DEF_F_REF(hit_options, ability, KN_DEF_ABILITY, "the ability behind it"),
    KN_DEF_F(hit_options, outcome, KN_FIELD_TAG, "the outcome it has, instead of drawing"),
    KN_DEF_F(hit_options, level, KN_FIELD_F32, "where curves of outcomes are looked up; default 1"),
    HIT_FLAG(0, "no_modifiers", "modifiers of source and target do not change it"),
    HIT_FLAG(1, "no_outcome", "no outcome is drawn"),
    HIT_FLAG(2, "no_gates", "immunity and other gates cannot refuse it"),
    HIT_FLAG(3, "no_share", "nobody takes a part of it"),
    HIT_FLAG(4, "no_absorb", "absorbing effects let it pass"),
    HIT_FLAG(5, "no_procs", "no proc reacts to it"),
    HIT_FLAG(6, "no_threat", "it causes no threat"),
    HIT_FLAG(7, "no_pushback", "it pushes no cast back"),
    HIT_FLAG(8, "no_combat", "it begins no combat"),
    HIT_FLAG(9, "periodic", "it counts as a tick of a periodic effect"),
    HIT_FLAG(10, "triggered", "it follows from a proc: procs leave it alone"),
};
static const kn_def_table hit_option_table = {"hit_options", sizeof(hit_options), hit_option_fields,
    sizeof(hit_option_fields) / sizeof(*hit_option_fields), hit_options_init};

static const kn_def_field hit_fields[] = {ARG_ENTITY,
    ARG("amount", number, KN_FIELD_F32, "Health to take or give, at least 0."),
    ARG_OPTIONS(hit_args, hit_option_table)};

// What scripts see of a hit.
typedef struct hit_result {
    kn_entity_id source, target;
    float amount, mitigated, shared, absorbed, over, dealt;
    kn_tag outcome;
    bool is_refused, has_killed;
    kn_effect_type_id stopped;
} hit_result;

static const kn_def_field hit_result_fields[] = {
    KN_DEF_F(hit_result, source, KN_FIELD_ENTITY, "Who dealt it."),
    KN_DEF_F(hit_result, target, KN_FIELD_ENTITY, "Who was hit."),
    KN_DEF_F(hit_result, amount, KN_FIELD_F32, "What was asked for: the sum of what follows."),
    KN_DEF_F(hit_result, mitigated, KN_FIELD_F32,
        "What modifiers, the outcome and gates took away; negative if they made it larger."),
    KN_DEF_F(hit_result, shared, KN_FIELD_F32, "What others took for the target."),
    KN_DEF_F(hit_result, absorbed, KN_FIELD_F32, "What effects absorbed."),
    KN_DEF_F(hit_result, over, KN_FIELD_F32, "Overkill, or healing beyond the full."),
    KN_DEF_F(hit_result, dealt, KN_FIELD_F32, "Health really lost or gained."),
    KN_DEF_F(hit_result, outcome, KN_FIELD_TAG, "Tag of its first outcome; nil for a normal hit."),
    KN_DEF_F(hit_result, is_refused, KN_FIELD_BOOL, "A gate refused it."),
    KN_DEF_F(hit_result, has_killed, KN_FIELD_BOOL, "The target died of it."),
    KN_DEF_F_REF(hit_result, stopped, KN_DEF_EFFECT, "The effect whose gate refused it."),
};
static const kn_def_table hit_result_table =
    FIELD_TABLE("combat_hit", hit_result, hit_result_fields);

static kn_hit_def hit_def_of(const kn_function_call *call, kn_hit_kind kind)
{
    const hit_args *a = call->arguments;
    const hit_options *o = &a->options;
    kn_hit_def def = kn_hit_def_default();
    def.kind = kind;
    def.target = a->args.entity;
    def.amount = a->args.number;
    def.source = o->source;
    def.tags = o->tags;
    def.effect = o->effect;
    def.ability = o->ability;
    def.outcome = o->outcome;
    def.level = o->level;
    for (uint32_t i = 0; i < sizeof(o->flags); i++) {
        def.flags |= o->flags[i] ? 1u << i : 0;
    }
    return def;
}

// A hit that a gate refused is a result like any other.
static kn_result hit_run(const kn_function_call *call, kn_hit_kind kind)
{
    kn_hit_def def = hit_def_of(call, kind);
    kn_hit hit = {0};
    kn_result result = kn_hit_run(call->writable, &def, &hit);
    *(hit_result *)call->results = (hit_result){
        .source = hit.source,
        .target = hit.target,
        .amount = hit.amount,
        .mitigated = hit.mitigated,
        .shared = hit.shared,
        .absorbed = hit.absorbed,
        .over = hit.over,
        .dealt = hit.dealt,
        .outcome = hit.outcome,
        .is_refused = hit.refused != 0,
        .has_killed = (hit.flags & KN_HIT_KILLED) != 0,
        .stopped = hit.stopped,
    };
    return result == KN_REFUSED_BLOCKED && hit.refused != 0 ? KN_OK : result;
}

static kn_result hit_damage(void *user, const kn_function_call *call)
{
    (void)user;
    return hit_run(call, KN_HIT_DAMAGE);
}

static kn_result hit_healing(void *user, const kn_function_call *call)
{
    (void)user;
    return hit_run(call, KN_HIT_HEALING);
}

static const char *const stage_words[] = {
    "amount", "source", "outcome", "target", "gate", "share", "absorb", "limit", "health"};
static const kn_def_field line_fields[] = {
    KN_DEF_F_ENUM(kn_hit_line, stage, stage_words, "What the line is about."),
    KN_DEF_F(kn_hit_line, result, KN_FIELD_F32, "What is left of the hit with this line."),
    KN_DEF_F(kn_hit_line, delta, KN_FIELD_F32, "The difference to the line before."),
    KN_DEF_F(kn_hit_line, effect, KN_FIELD_EFFECT,
        "The effect that modifies, refuses, shares or absorbs."),
    KN_DEF_F_REF(kn_hit_line, type, KN_DEF_EFFECT, "The type of that effect."),
    KN_DEF_F(
        kn_hit_line, source, KN_FIELD_ENTITY, "Who applied that effect, or who takes the share."),
    KN_DEF_F(kn_hit_line, magnitude, KN_FIELD_F32, "Of a modifier; for outcomes the factor."),
    KN_DEF_F(kn_hit_line, outcome, KN_FIELD_TAG, "For outcomes: the tag."),
    KN_DEF_F(kn_hit_line, chance, KN_FIELD_F32, "For outcomes: the probability."),
    KN_DEF_F(kn_hit_line, is_certain, KN_FIELD_BOOL, "For outcomes: it happens for sure."),
};
static const kn_def_table line_table = FIELD_TABLE("hit_line", kn_hit_line, line_fields);

static uint32_t damage_lines(const kn_function_call *call, void *out, uint32_t capacity)
{
    kn_hit_def def = hit_def_of(call, KN_HIT_DAMAGE);
    return kn_hit_explain(call->world, &def, out, capacity);
}

static uint32_t healing_lines(const kn_function_call *call, void *out, uint32_t capacity)
{
    kn_hit_def def = hit_def_of(call, KN_HIT_HEALING);
    return kn_hit_explain(call->world, &def, out, capacity);
}

static kn_result hit_explain_damage(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, damage_lines, sizeof(kn_hit_line));
}

static kn_result hit_explain_healing(void *user, const kn_function_call *call)
{
    (void)user;
    return knc_function_list(call, healing_lines, sizeof(kn_hit_line));
}

// Life ------------------------------------------------------------------------

static kn_result life_is_dead(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    *(bool *)call->results = kn_combat_is_dead(call->world, a->entity);
    return KN_OK;
}

static kn_result life_kill(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_combat_kill(call->writable, a->entity, a->other);
}

static kn_result life_resurrect(void *user, const kn_function_call *call)
{
    (void)user;
    const script_args *a = call->arguments;
    return kn_combat_resurrect(call->writable, a->entity, a->other, a->number);
}

static const kn_def_field kill_args[] = {
    ARG_ENTITY, ARG_OTHER("by", "Who does it; default nobody.")};
static const kn_def_field resurrect_args[] = {ARG_ENTITY,
    ARG("share", number, KN_FIELD_F32, "Health as a share of the maximum, above 0, at most 1."),
    ARG_OTHER("by", "Who does it; default nobody.")};

// The table -------------------------------------------------------------------

static const script_function functions[] = {
    {"entity:begin_threat", threat_begin, ARGS(self_args), 1, 0, NULL, 0, CHANGES,
        "Gives the entity a threat table."},
    {"entity:has_threat_table", threat_has_table, ARGS(self_args), 1, 0, &flag_result, 0, 0,
        "Whether the entity has a threat table."},
    {"entity:threat", threat_get, ARGS(of_args), 2, 0, &value_result, 0, 0,
        "The threat that somebody has with the entity; 0 for none."},
    {"entity:has_threat", threat_has, ARGS(of_args), 2, 0, &flag_result, 0, 0,
        "Whether somebody is in the threat table of the entity."},
    {"entity:add_threat", threat_add, ARGS(amount_args), 3, 0, NULL, 0, CHANGES,
        "Adds threat to the table of the entity, as a hit does: modifiers and gates count."},
    {"entity:set_threat", threat_set, ARGS(amount_args), 3, 0, NULL, 0, CHANGES,
        "Sets the threat that somebody has with the entity."},
    {"entity:scale_threat", threat_scale, ARGS(factor_args), 3, 0, NULL, 0, CHANGES,
        "Multiplies the threat that somebody has with the entity."},
    {"entity:remove_threat", threat_remove, ARGS(of_args), 2, 0, NULL, 0, CHANGES,
        "Removes somebody from the threat table of the entity."},
    {"entity:clear_threat", threat_clear, ARGS(self_args), 1, 0, NULL, 0, CHANGES,
        "Empties the threat table of the entity."},
    {"entity:leave_threat", threat_leave, ARGS(self_args), 1, 0, NULL, 0, CHANGES,
        "Removes the entity from all threat tables."},
    {"entity:threat_list", threat_list, ARGS(self_args), 1, 0, &entry_table, KN_FUNCTION_LIST, 0,
        "The threat table of the entity: those that are not suppressed first, by threat."},
    {"entity:top_threat", threat_top, ARGS(self_args), 1, 0, &top_table, KN_FUNCTION_VALUES,
        REFUSES, "The first of `threat_list`, and how much threat it has."},
    {"entity:threat_owners", threat_owners, ARGS(self_args), 1, 0, &entity_result,
        KN_FUNCTION_VALUE_LIST, 0, "Who has the entity in its threat table."},
    {"entity:threat_target", threat_target, ARGS(self_args), 1, 0, &entity_result, 0, 0,
        "The target of an entity with a threat table; nil for none."},
    {"entity:update_threat_target", threat_update, ARGS(self_args), 1, 0, NULL, 0, CHANGES,
        "Chooses the target of the entity again, at once."},
    {"entity:taunt", threat_taunt, ARGS(taunt_args), 3, 0, NULL, 0, CHANGES,
        "Makes the entity the target of somebody for a time."},
    {"entity:fixate", threat_fixate, ARGS(fixate_args), 3, 0, NULL, 0, CHANGES,
        "Fixes the entity on a target for a time; it comes before taunts."},
    {"entity:suppress_threat", threat_suppress, ARGS(suppress_args), 3, 0, NULL, 0, CHANGES,
        "Makes the entity prefer others to somebody for a time."},
    {"entity:redirect_threat", threat_redirect, ARGS(redirect_args), 4, 0, NULL, 0, CHANGES,
        "Gives a part of the threat that the entity causes to somebody else for a time."},
    {"entity:start_combat", combat_start, ARGS(other_args), 2, 0, NULL, 0, CHANGES,
        "Begins combat between two entities, or prolongs it."},
    {"entity:end_combat", combat_end, ARGS(other_args), 2, 0, NULL, 0, CHANGES,
        "Ends combat between two entities."},
    {"entity:leave_combat", combat_leave, ARGS(self_args), 1, 0, NULL, 0, CHANGES,
        "Ends all combat of the entity."},
    {"entity:is_fighting", combat_is_fighting, ARGS(other_args), 2, 0, &flag_result, 0, 0,
        "Whether two entities are in combat with each other."},
    {"entity:in_combat", combat_is_in, ARGS(self_args), 1, 0, &flag_result, 0, 0,
        "Whether the entity is in combat with anybody."},
    {"entity:combat_remaining", combat_remaining, ARGS(other_args), 2, 0, &seconds_result, 0, 0,
        "Seconds until combat between two entities ends; nil if it does not end by time."},
    {"entity:opponents", combat_opponents, ARGS(self_args), 1, 0, &entity_result,
        KN_FUNCTION_VALUE_LIST, 0, "Who the entity is in combat with."},
    {"entity:damage", hit_damage, ARGS(hit_fields), 2, sizeof(hit_args), &hit_result_table,
        KN_FUNCTION_TABLE, CHANGES, "Hits the entity. Returns what became of the damage."},
    {"entity:heal", hit_healing, ARGS(hit_fields), 2, sizeof(hit_args), &hit_result_table,
        KN_FUNCTION_TABLE, CHANGES, "Heals the entity. Returns what became of the healing."},
    {"entity:explain_damage", hit_explain_damage, ARGS(hit_fields), 2, sizeof(hit_args),
        &line_table, KN_FUNCTION_LIST, 0, "Where damage would go, stage by stage."},
    {"entity:explain_healing", hit_explain_healing, ARGS(hit_fields), 2, sizeof(hit_args),
        &line_table, KN_FUNCTION_LIST, 0, "Where healing would go, stage by stage."},
    {"entity:is_dead", life_is_dead, ARGS(self_args), 1, 0, &flag_result, 0, 0,
        "Whether the entity is dead by the rules of combat."},
    {"entity:kill", life_kill, ARGS(kill_args), 1, 0, NULL, 0, CHANGES,
        "Kills the entity without a hit."},
    {"entity:resurrect", life_resurrect, ARGS(resurrect_args), 2, 0, NULL, 0, CHANGES,
        "Brings the entity back to life."},
};

kn_result knc_script_fights_register(kn_library *library, kn_error *error)
{
    return knc_functions_register(
        library, functions, sizeof(functions) / sizeof(*functions), error);
}
