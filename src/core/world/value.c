// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Evaluates modifiers in stages: which of them qualify, what they add up to, rounding; and
// transient values. Pure: nothing here changes the world.

#include "world/world.h"

#include <math.h>

float kni_scale_by_stacks(kn_op op, float magnitude, uint32_t stacks)
{
    if (stacks == 1) {
        return magnitude;
    }
    float n = (float)stacks;
    switch (op) {
    case KN_OP_ADD:
    case KN_OP_ADD_FINAL:
        return magnitude * n;
    case KN_OP_OVERRIDE:
        return magnitude;
    default:
        return 1.0f + (magnitude - 1.0f) * n;
    }
}

float kni_apply_op(kn_op op, float base, float magnitude)
{
    switch (op) {
    case KN_OP_ADD:
    case KN_OP_ADD_FINAL:
        return base + magnitude;
    case KN_OP_OVERRIDE:
        return magnitude;
    case KN_OP_DIVIDE:
    case KN_OP_DIVIDE_ADDITIVE:
    case KN_OP_DIVIDE_COMPOUND:
        return fabsf(magnitude) < KN_DIVISOR_MIN ? base : base / magnitude;
    default:
        return base * magnitude;
    }
}

float kni_round(kn_rounding rounding, bool minimum_one, float value, float base)
{
    if (rounding == KN_ROUND_NONE) {
        return value;
    }
    const float guard = 1e-5f;
    float result = value;
    switch (rounding) {
    case KN_ROUND_TRUNCATE:
        result = value < 0.0f ? ceilf(value - guard) : floorf(value + guard);
        break;
    case KN_ROUND_HALF_AWAY:
        result = value < 0.0f ? ceilf(value - 0.5f - guard) : floorf(value + 0.5f + guard);
        break;
    case KN_ROUND_HALF_TO_BASE:
        // Halves are rounded towards the base.
        result = value > base ? ceilf(value - 0.5f - guard) : floorf(value + 0.5f + guard);
        break;
    case KN_ROUND_UP:
        result = ceilf(value - guard);
        break;
    case KN_ROUND_DOWN:
        result = floorf(value + guard);
        break;
    default:
        break;
    }
    if (minimum_one && base != 0.0f && result < 1.0f) {
        result = 1.0f;
    }
    return result == 0.0f ? 0.0f : result; // never -0
}

// Qualification -------------------------------------------------------------

// How far a modifier alone moves the base, signed; negative if it lowers the result.
static float mod_influence(const kni_mod *mod, float base)
{
    float size = base == 0.0f ? 1.0f : fabsf(base);
    switch (mod->op) {
    case KN_OP_ADD:
    case KN_OP_ADD_FINAL:
        return mod->magnitude;
    case KN_OP_OVERRIDE:
        return mod->magnitude - base;
    case KN_OP_DIVIDE_ADDITIVE:
    case KN_OP_DIVIDE_COMPOUND:
        return fabsf(mod->magnitude) < KN_DIVISOR_MIN ? 0.0f
                                                      : size * (1.0f / mod->magnitude - 1.0f);
    default:
        return size * (mod->magnitude - 1.0f);
    }
}

static bool source_has_all(const kn_world *world, const kni_mod *mod, const kn_tags *tags)
{
    const kni_effect *effect = kni_effect_at(world, mod->effect);
    const kni_rare *rare = effect->rare1 != 0 ? kni_rare_at(world, effect->rare1) : NULL;
    uint32_t component = kni_component_find(world, effect->source);
    for (uint32_t i = 0; i < tags->count; i++) {
        bool has = false;
        if (rare != NULL && rare->has_source_tags) {
            for (uint32_t j = 0; j < rare->source_tags.count && !has; j++) {
                kn_tag tag = {*KNI_SPAN_AT(world, rare->source_tags, uint32_t, j)};
                has = kn_tag_matches(world->library, tag, tags->data[i]);
            }
        } else {
            has = component != KNI_NONE && kni_has_tag(world, component, tags->data[i].index1);
        }
        if (!has) {
            return false;
        }
    }
    return true;
}

// Whether a modifier itself allows it to take part.
static bool mod_is_candidate(const kni_evaluation *e, const kni_mod *mod)
{
    if ((mod->flags & KNI_MOD_UNMET) != 0) {
        return false;
    }
    if (e->source_filter != NULL && e->source_filter->count > 0 &&
        !source_has_all(e->world, mod, e->source_filter)) {
        return false;
    }
    for (uint32_t i = 0; e->target_filter != NULL && i < e->target_filter->count; i++) {
        if (e->target_component == KNI_NONE ||
            !kni_has_tag(e->world, e->target_component, e->target_filter->data[i].index1)) {
            return false;
        }
    }
    return true;
}

// Whether a candidate of the same channel, and group or sign, is better than the modifier at
// `index`. Among equal ones the older wins.
typedef enum better_rule {
    BETTER_RAISES,   // more influence
    BETTER_LOWERS,   // less influence
    BETTER_ABSOLUTE, // more absolute influence
} better_rule;

static bool is_better(better_rule rule, float a, float b)
{
    switch (rule) {
    case BETTER_RAISES:
        return a > b;
    case BETTER_LOWERS:
        return a < b;
    default:
        return fabsf(a) > fabsf(b);
    }
}

static bool is_beaten(
    const kni_evaluation *e, uint32_t index, better_rule rule, bool same_group, bool same_sign)
{
    const kni_mod *mod = &e->mods[index];
    float influence = mod_influence(mod, e->base);
    for (uint32_t i = 0; i < e->count; i++) {
        const kni_mod *other = &e->mods[i];
        if (i == index || (same_group && other->group != mod->group) ||
            other->channel != mod->channel || !mod_is_candidate(e, other)) {
            continue;
        }
        float rival = mod_influence(other, e->base);
        if (same_sign && (rival < 0.0f) != (influence < 0.0f)) {
            continue;
        }
        if (is_better(rule, rival, influence) ||
            (i < index && !is_better(rule, influence, rival))) {
            return true;
        }
    }
    return false;
}

static kn_qualification qualify_by_group(const kni_evaluation *e, uint32_t index)
{
    const kni_mod *mod = &e->mods[index];
    if (mod->group == 0 || mod->group_rule == KN_GROUP_SUM) {
        return KN_QUALIFICATION_OK;
    }
    bool beaten = false;
    switch (mod->group_rule) {
    case KN_GROUP_MAX:
        beaten = is_beaten(e, index, BETTER_RAISES, true, false);
        break;
    case KN_GROUP_MIN:
        beaten = is_beaten(e, index, BETTER_LOWERS, true, false);
        break;
    default:
        beaten = is_beaten(e, index, BETTER_ABSOLUTE, true, true);
        break;
    }
    return beaten ? KN_QUALIFICATION_GROUP : KN_QUALIFICATION_OK;
}

static void qualify_ask(const kni_evaluation *e, kni_choice *choice)
{
    kn_modifier_view views[KNI_POLICY_MAX] = {{0}};
    choice->count = e->count < KNI_POLICY_MAX ? e->count : KNI_POLICY_MAX;
    for (uint32_t i = 0; i < choice->count; i++) {
        const kni_mod *mod = &e->mods[i];
        const kni_effect *effect = kni_effect_at(e->world, mod->effect);
        views[i] = (kn_modifier_view){
            .op = (kn_op)mod->op,
            .channel = mod->channel,
            .magnitude = mod->magnitude,
            .stacks = effect->stacks,
            .group = {mod->group < 0x80000000u ? mod->group : 0},
            .source = effect->source,
            .type = {(uint32_t)effect->type + 1},
            .influence = mod_influence(mod, e->base),
        };
        choice->qualifies[i] = true;
    }
    const kni_policy *policy =
        KNI_ITEM(e->world->library, KN_DEF_POLICY, kni_policy, e->policy - 1);
    policy->function(policy->user, e->base, views, choice->count, choice->qualifies);
    choice->is_known = true;
}

static bool qualify_custom(const kni_evaluation *e, uint32_t index)
{
    kni_choice own;
    kni_choice *choice = e->choice != NULL ? e->choice : &own;
    if (e->choice == NULL || !choice->is_known) {
        qualify_ask(e, choice);
    }
    return index >= choice->count || choice->qualifies[index];
}

static kn_qualification qualify_by_policy(const kni_evaluation *e, uint32_t index)
{
    const kni_mod *mod = &e->mods[index];
    bool passes = true;
    switch (e->qualify) {
    case KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE:
        passes =
            mod_influence(mod, e->base) >= 0.0f || !is_beaten(e, index, BETTER_LOWERS, false, true);
        break;
    case KN_QUALIFY_MOST_POSITIVE:
        passes =
            mod_influence(mod, e->base) > 0.0f && !is_beaten(e, index, BETTER_RAISES, false, false);
        break;
    case KN_QUALIFY_GREATEST_ABSOLUTE:
        passes = !is_beaten(e, index, BETTER_ABSOLUTE, false, false);
        break;
    case KN_QUALIFY_ONE_PER_GROUP:
        passes = mod->group == 0 || !is_beaten(e, index, BETTER_ABSOLUTE, true, false);
        break;
    case KN_QUALIFY_CUSTOM:
        passes = qualify_custom(e, index);
        break;
    default:
        break;
    }
    return passes ? KN_QUALIFICATION_OK : KN_QUALIFICATION_POLICY;
}

kn_qualification kni_qualification(const kni_evaluation *e, uint32_t index)
{
    const kni_mod *mod = &e->mods[index];
    if (!mod_is_candidate(e, mod)) {
        return KN_QUALIFICATION_REQUIREMENT;
    }
    bool is_divide = mod->op == KN_OP_DIVIDE_ADDITIVE || mod->op == KN_OP_DIVIDE_COMPOUND;
    if (is_divide && fabsf(mod->magnitude) < KN_DIVISOR_MIN) {
        return KN_QUALIFICATION_DIVISOR;
    }
    kn_qualification group = qualify_by_group(e, index);
    if (group != KN_QUALIFICATION_OK) {
        return group;
    }
    kn_qualification policy = qualify_by_policy(e, index);
    if (policy != KN_QUALIFICATION_OK || mod->op != KN_OP_OVERRIDE) {
        return policy;
    }
    for (uint32_t i = 0; i < e->count; i++) {
        const kni_mod *other = &e->mods[i];
        if (i != index && other->op == KN_OP_OVERRIDE && other->channel == mod->channel &&
            mod_is_candidate(e, other) &&
            (other->priority > mod->priority || (other->priority == mod->priority && i > index))) {
            return KN_QUALIFICATION_OVERRIDDEN;
        }
    }
    return KN_QUALIFICATION_OK;
}

// Evaluation ----------------------------------------------------------------

uint64_t kni_mod_turn(const kni_evaluation *e, uint32_t index)
{
    static const uint8_t stages[KN_OP_COUNT] = {
        [KN_OP_MULTIPLY_ADDITIVE] = 1,
        [KN_OP_DIVIDE_ADDITIVE] = 2,
        [KN_OP_MULTIPLY_COMPOUND] = 3,
        [KN_OP_DIVIDE_COMPOUND] = 3,
        [KN_OP_ADD_FINAL] = 4,
        [KN_OP_OVERRIDE] = 5,
    };
    const kni_mod *mod = &e->mods[index];
    return (uint64_t)mod->channel << 40 | (uint64_t)stages[mod->op] << 32 | index;
}

// While explaining, only modifiers whose turn has passed take part.
static bool mod_waits(const kni_evaluation *e, uint32_t index)
{
    return e->before != 0 && kni_mod_turn(e, index) >= e->before;
}

static const kni_sums sums_of_none = {.multiply = 1.0f, .divide = 1.0f, .product = 1.0f};

static void stage_apply(kni_sums *s, const kn_value_profile *profile, uint8_t op, float magnitude)
{
    switch (op) {
    case KN_OP_ADD:
        s->add += magnitude;
        break;
    case KN_OP_MULTIPLY_ADDITIVE:
        s->multiply += magnitude - 1.0f;
        break;
    case KN_OP_DIVIDE_ADDITIVE:
        s->divide += magnitude - 1.0f;
        break;
    case KN_OP_MULTIPLY_COMPOUND:
        s->product *= profile->clamp_factors && magnitude < 0.0f ? 0.0f : magnitude;
        break;
    case KN_OP_DIVIDE_COMPOUND:
        s->product /= magnitude;
        break;
    case KN_OP_ADD_FINAL:
        s->final += magnitude;
        break;
    default:
        s->override = magnitude;
        s->has_override = 1;
        break;
    }
}

// Sets `skipped`, which may be NULL, when a sum of divisors is too close to zero.
static float stage_result(
    const kni_sums *s, const kn_value_profile *profile, float base, bool *skipped)
{
    float value = base + s->add;
    if (profile->clamp_sum && value < 0.0f) {
        value = 0.0f;
    }
    value *= s->multiply;
    if (fabsf(s->divide) >= KN_DIVISOR_MIN) {
        value /= s->divide;
    } else if (skipped != NULL) {
        *skipped = true;
    }
    value *= s->product;
    if (profile->clamp_product && value < 0.0f) {
        value = 0.0f;
    }
    value += s->final;
    return s->has_override != 0 ? s->override : value;
}

// The limits of a group in a channel: the strictest of its members.
static bool group_limits(
    const kni_evaluation *e, const kni_mod *mod, float *minimum, float *maximum)
{
    *minimum = -INFINITY;
    *maximum = INFINITY;
    bool limited = false;
    for (uint32_t i = 0; i < e->count; i++) {
        const kni_mod *other = &e->mods[i];
        if (other->group != mod->group || other->channel != mod->channel ||
            (other->flags & KNI_MOD_LIMITED) == 0) {
            continue;
        }
        const kni_effect *effect = kni_effect_at(e->world, other->effect);
        const kn_modifier_def *def =
            kni_type_at(e->world, effect->type)->modifiers[other->modifier].def;
        if (def->has_limit_min && def->limit_min > *minimum) {
            *minimum = def->limit_min;
        }
        if (def->has_limit_max && def->limit_max < *maximum) {
            *maximum = def->limit_max;
        }
        limited = true;
    }
    return limited;
}

// Combines the modifiers of one group, operation and channel, with the total held within the
// group's limits. The total is a sum, or a factor minus 1. Returns false for members after the
// first.
static bool group_total(const kni_evaluation *e, uint32_t index, float *magnitude)
{
    const kni_mod *mod = &e->mods[index];
    float minimum, maximum;
    if (mod->group == 0 || mod->op == KN_OP_OVERRIDE || !group_limits(e, mod, &minimum, &maximum)) {
        *magnitude = mod->magnitude;
        return true;
    }
    kni_sums sums = sums_of_none;
    for (uint32_t i = 0; i < e->count; i++) {
        const kni_mod *other = &e->mods[i];
        if (other->group != mod->group || other->op != mod->op || other->channel != mod->channel ||
            mod_waits(e, i) || kni_qualification(e, i) != KN_QUALIFICATION_OK) {
            continue;
        }
        if (i < index) {
            return false;
        }
        stage_apply(&sums, e->profile, other->op, other->magnitude);
    }
    bool is_sum = mod->op == KN_OP_ADD || mod->op == KN_OP_ADD_FINAL;
    float bias = is_sum ? 0.0f : 1.0f;
    float total = 0.0f;
    switch (mod->op) {
    case KN_OP_ADD:
        total = sums.add;
        break;
    case KN_OP_ADD_FINAL:
        total = sums.final;
        break;
    case KN_OP_MULTIPLY_ADDITIVE:
        total = sums.multiply - bias;
        break;
    case KN_OP_DIVIDE_ADDITIVE:
        total = sums.divide - bias;
        break;
    case KN_OP_DIVIDE_COMPOUND:
        total = 1.0f / sums.product - bias;
        break;
    default:
        total = sums.product - bias;
        break;
    }
    total = total < minimum ? minimum : total;
    total = total > maximum ? maximum : total;
    *magnitude = total + bias;
    return true;
}

static bool record_has(
    const kn_world *world, bool has_tags, kn_tags tags, kn_entity_id entity, kn_tag tag)
{
    return has_tags ? kn_tags_has(world->library, tags, tag)
                    : kn_entity_has_tag(world, entity, tag);
}

kn_result kni_record_read(const void *subject, const kni_reading *reading, float *value)
{
    const kn_world *world = ((const kni_record_subject *)subject)->world;
    const kn_event_record *record = ((const kni_record_subject *)subject)->record;
    kn_tag tag = {reading->reference};
    bool has = false;
    switch (reading->op) {
    case KNI_CODE_EVENT_MAGNITUDE:
        *value = record->magnitude;
        return KN_OK;
    case KNI_CODE_EVENT_HAS:
        has = kn_tags_has(world->library, record->tags, tag);
        break;
    case KNI_CODE_EVENT_INSTIGATOR_HAS:
        has = record_has(
            world, record->has_instigator_tags, record->instigator_tags, record->instigator, tag);
        break;
    case KNI_CODE_EVENT_TARGET_HAS:
        has = record_has(world, record->has_target_tags, record->target_tags, record->target, tag);
        break;
    default:
        KN_ASSERT(false);
        return KN_REFUSED_BAD_NUMBER;
    }
    *value = has ? 1.0f : 0.0f;
    return KN_OK;
}

static bool condition_expression(
    const kn_world *world, const kni_expression *expression, const kn_event_record *record)
{
    float frame[KNI_EXPRESSION_FRAME], value;
    for (uint32_t i = 0; i < expression->capture_count; i++) {
        const kn_capture *capture = &expression->captures[i];
        kn_entity_id entity =
            capture->from == KN_CAPTURE_FROM_TARGET ? record->target : record->instigator;
        if (kni_capture_read_of(world, kni_component_find(world, entity), capture, &frame[i]) !=
            KN_OK) {
            return false;
        }
    }
    kni_record_subject subject = {world, record};
    kni_expression_input input = {world->library, kni_record_read, &subject};
    if (kni_expression_run(expression, &input, frame, &value) != KN_OK) {
        kni_log_once(world, KN_REPORT_CONDITION, KN_LOG_ATTRIBUTES, KN_REFUSED_BAD_NUMBER,
            "the expression of a condition gives a number that is not finite");
        return false;
    }
    return value != 0.0f;
}

static inline bool condition_ask(const kn_world *world, kn_condition_id id,
    const kn_event_record *record, kn_condition_answer *answer)
{
    const kni_condition *condition =
        KNI_ITEM(world->library, KN_DEF_CONDITION, kni_condition, id.index1 - 1);
    return condition->function != NULL
               ? condition->function(condition->user, world, record, answer)
               : condition_expression(world, condition->formula.code, record);
}

bool kni_condition_holds(const kn_world *world, kn_condition_id id, const kn_event_record *record,
    kn_condition_answer *answer)
{
    return condition_ask(world, id, record, answer);
}

bool kn_condition_holds(
    const kn_world *world, kn_condition_id condition, const kn_event_record *record)
{
    KN_ASSERT(world != NULL && record != NULL);
    if (world == NULL || record == NULL || condition.index1 == 0 ||
        condition.index1 > kn_def_count(world->library, KN_DEF_CONDITION)) {
        return false;
    }
    kn_condition_answer unused = {0};
    return kni_condition_holds(world, condition, record, &unused);
}

// A condition tests the record; a modifier without one needs no record.
static bool condition_holds(
    const kni_evaluation *e, const kni_mod *mod, kn_condition_answer *answer)
{
    answer->op = (kn_op)mod->op;
    answer->magnitude = mod->magnitude;
    if ((mod->flags & KNI_MOD_CONDITION) == 0) {
        return true;
    }
    if (e->record == NULL) {
        return false;
    }
    const kn_world *world = e->world;
    const kni_effect *effect = kni_effect_at(world, mod->effect);
    const kni_modifier *modifier = &kni_type_at(world, effect->type)->modifiers[mod->modifier];
    const kn_modifier_def *def = modifier->def;
    if (!kn_tag_requirement_is_empty(&def->event) &&
        !kn_tag_requirement_is_met(world->library, &def->event, e->record->tags)) {
        return false;
    }
    if (def->condition.index1 == 0) {
        return true;
    }
    // The function is passed the magnitude of one stack; stacks scale its answer.
    answer->magnitude = modifier->constant;
    if (effect->rare1 != 0) {
        const kni_rare *rare = kni_rare_at(world, effect->rare1);
        if (mod->modifier < rare->magnitudes.count) {
            answer->magnitude = *KNI_SPAN_AT(world, rare->magnitudes, float, mod->modifier);
        }
    }
    if (!condition_ask(world, def->condition, e->record, answer) ||
        (uint32_t)answer->op >= KN_OP_COUNT) {
        return false;
    }
    if (!isfinite(answer->magnitude)) {
        kni_log_once(world, KN_REPORT_CONDITION, KN_LOG_ATTRIBUTES, KN_REFUSED_BAD_NUMBER,
            "a condition returned a number that is not finite");
        return false;
    }
    if (def->stack_curve.index1 != 0) {
        answer->magnitude *= kn_curve_at(world->library, def->stack_curve, (float)effect->stacks);
    } else if (modifier->scales) {
        answer->magnitude = kni_scale_by_stacks(answer->op, answer->magnitude, effect->stacks);
    }
    if (answer->op == KN_OP_MULTIPLY) {
        answer->op =
            e->profile->multiply_compound ? KN_OP_MULTIPLY_COMPOUND : KN_OP_MULTIPLY_ADDITIVE;
    } else if (answer->op == KN_OP_DIVIDE) {
        answer->op = e->profile->divide_compound ? KN_OP_DIVIDE_COMPOUND : KN_OP_DIVIDE_ADDITIVE;
    }
    return true;
}

static float evaluate_channel(const kni_evaluation *e, uint32_t channel, float base, bool last)
{
    kni_sums sums = sums_of_none;
    for (uint32_t i = 0; i < e->count; i++) {
        const kni_mod *mod = &e->mods[i];
        if (mod->channel != channel || mod_waits(e, i) ||
            kni_qualification(e, i) != KN_QUALIFICATION_OK) {
            continue;
        }
        kn_condition_answer answer;
        if (!condition_holds(e, mod, &answer)) {
            continue;
        }
        float magnitude = answer.magnitude;
        if (mod->group != 0 && (mod->flags & KNI_MOD_CONDITION) == 0 &&
            !group_total(e, i, &magnitude)) {
            continue;
        }
        stage_apply(&sums, e->profile, (uint8_t)answer.op, magnitude);
    }
    if (last && e->factor != 1.0f) {
        sums.product *= e->profile->clamp_factors && e->factor < 0.0f ? 0.0f : e->factor;
    }
    return stage_result(&sums, e->profile, base, e->skipped);
}

kn_qualification kni_mod_answer(
    const kni_evaluation *e, uint32_t index, kn_condition_answer *answer)
{
    const kni_mod *mod = &e->mods[index];
    bool holds = condition_holds(e, mod, answer);
    kn_qualification qualification = kni_qualification(e, index);
    return qualification != KN_QUALIFICATION_OK || holds ? qualification
                                                         : KN_QUALIFICATION_CONDITION;
}

// Adds up modifiers of one channel that all qualify, without groups and conditions. False if one of
// them is of another kind.
static inline bool sums_add(
    kni_sums *sums, const kn_value_profile *profile, const kni_mod *mods, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const kni_mod *mod = &mods[i];
        if (mod->channel != 0 || mod->group != 0 || (mod->flags & KNI_MOD_CONDITION) != 0) {
            return false;
        }
        if ((mod->flags & KNI_MOD_UNMET) != 0) {
            continue;
        }
        bool is_divide = mod->op == KN_OP_DIVIDE_ADDITIVE || mod->op == KN_OP_DIVIDE_COMPOUND;
        if (is_divide && fabsf(mod->magnitude) < KN_DIVISOR_MIN) {
            continue;
        }
        if (mod->op == KN_OP_OVERRIDE) {
            if (sums->has_override != 0 && mod->priority < sums->priority) {
                continue;
            }
            sums->priority = mod->priority;
        }
        stage_apply(sums, profile, mod->op, mod->magnitude);
    }
    return true;
}

// The common case: one channel, everything qualifies, no groups, no record.
static bool evaluate_simple(const kni_evaluation *e, float *result)
{
    if (e->qualify != KN_QUALIFY_ALL || e->source_filter != NULL || e->target_filter != NULL ||
        e->record != NULL || e->factor != 1.0f || e->channel_end == 0 || e->before != 0) {
        return false;
    }
    kni_sums sums = sums_of_none;
    if (!sums_add(&sums, e->profile, e->mods, e->count)) {
        return false;
    }
    *result = stage_result(&sums, e->profile, e->base, e->skipped);
    return true;
}

// The same for the modifiers on an attribute, with the sums of those that are known.
static bool attribute_simple(const kn_world *world, const kni_aggregator *aggregator,
    const kn_value_profile *profile, float base, bool *skipped, float *result)
{
    const kni_span *known = &aggregator->sums;
    uint32_t first = known->count * KNI_SUMS_STEP;
    kni_sums sums =
        first > 0 ? *KNI_SPAN_AT(world, *known, kni_sums, known->count - 1) : sums_of_none;
    if (!sums_add(&sums, profile, KNI_SPAN_AT(world, aggregator->mods, kni_mod, first),
            aggregator->mods.count - first)) {
        return false;
    }
    *result = stage_result(&sums, profile, base, skipped);
    return true;
}

void kni_sums_extend(kn_world *world, uint32_t slot, const kni_attribute *attribute)
{
    kni_aggregator *aggregator = kni_aggregator_at(world, slot); // stays: only the heap may move
    kni_span *known = &aggregator->sums;
    while ((known->count + 1) * KNI_SUMS_STEP <= aggregator->mods.count) {
        uint32_t first = known->count * KNI_SUMS_STEP;
        kni_sums sums =
            first > 0 ? *KNI_SPAN_AT(world, *known, kni_sums, known->count - 1) : sums_of_none;
        if (!sums_add(&sums, &attribute->def.profile,
                KNI_SPAN_AT(world, aggregator->mods, kni_mod, first), KNI_SUMS_STEP)) {
            return;
        }
        kni_sums *place = kni_span_push(&world->heap, &world->memory, known, sizeof(kni_sums));
        if (place == NULL) {
            return; // every evaluation adds them up
        }
        *place = sums;
    }
}

static float evaluate_channels(const kni_evaluation *e)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        last = e->mods[i].channel > last ? e->mods[i].channel : last;
    }
    float value = e->base;
    for (uint32_t channel = 0; channel <= last && channel < e->channel_end; channel++) {
        value = evaluate_channel(e, channel, value, channel == 0);
    }
    return value;
}

// A policy judges all modifiers at once, so one call serves all of them.
static float evaluate_chosen(const kni_evaluation *e)
{
    kni_choice choice;
    choice.is_known = false;
    kni_evaluation once = *e;
    once.choice = &choice;
    return evaluate_channels(&once);
}

float kni_evaluate(const kni_evaluation *e)
{
    float value;
    if (evaluate_simple(e, &value)) {
        return value;
    }
    return e->qualify == KN_QUALIFY_CUSTOM && e->choice == NULL ? evaluate_chosen(e)
                                                                : evaluate_channels(e);
}

void kni_evaluation_of(const kn_world *world, uint32_t aggregator1, kni_evaluation *e)
{
    if (aggregator1 != 0) {
        const kni_aggregator *aggregator = kni_aggregator_at(world, aggregator1 - 1);
        e->mods = kni_span_at(&world->heap, &aggregator->mods, 0, sizeof(kni_mod));
        e->count = aggregator->mods.count;
    }
}

float kni_attribute_raw(const kn_world *world, uint32_t component, uint32_t position,
    const kni_attribute *attribute, float base, bool *skipped)
{
    const kn_attribute_def *def = &attribute->def;
    uint32_t aggregator1 =
        kni_values_of(world, kni_component_at(world, component))[position].aggregator1;
    float raw;
    if (aggregator1 != 0 && def->qualify == KN_QUALIFY_ALL &&
        attribute_simple(
            world, kni_aggregator_at(world, aggregator1 - 1), &def->profile, base, skipped, &raw)) {
        return raw;
    }
    kni_evaluation e = {
        .world = world,
        .profile = &def->profile,
        .qualify = def->qualify,
        .policy = def->policy.index1,
        .base = base,
        .channel_end = KN_CHANNEL_MAX + 1,
        .factor = 1.0f,
        .skipped = skipped,
    };
    kni_evaluation_of(world, aggregator1, &e);
    return kni_evaluate(&e);
}

// Transient values ----------------------------------------------------------

float kni_value_limited(const kn_value_def *def, float value)
{
    if (def->has_max && value > def->max) {
        value = def->max;
    }
    return def->has_min && value < def->min ? def->min : value;
}

const kn_value_def *kni_value_evaluation(const kn_world *world, kn_entity_id entity,
    kn_value_id value, float base, const kn_event_record *record, kni_evaluation *e)
{
    if (world == NULL || value.index1 == 0 ||
        value.index1 > world->library->registries[KN_DEF_VALUE].count || !isfinite(base)) {
        KN_ASSERT(value.index1 != 0);
        return NULL;
    }
    const kn_value_def *def =
        &KNI_ITEM(world->library, KN_DEF_VALUE, kni_value_type, value.index1 - 1)->def;
    *e = (kni_evaluation){
        .world = world,
        .profile = &def->profile,
        .base = base,
        .channel_end = KN_CHANNEL_MAX + 1,
        .record = record,
        .factor = 1.0f,
    };
    uint32_t component = kni_component_find(world, entity);
    if (component != KNI_NONE) {
        uint32_t aggregator =
            kni_transient_find(world, kni_component_at(world, component), value.index1 - 1);
        kni_evaluation_of(world, aggregator + 1, e);
        if (def->factor.index1 != 0) {
            uint32_t position =
                kni_position(world, kni_component_at(world, component), def->factor.index1 - 1);
            if (position != KNI_NONE) {
                e->factor =
                    kni_values_of(world, kni_component_at(world, component))[position].current;
            }
        }
    }
    return def;
}

float kni_value_adjusted(const kn_world *world, kn_entity_id entity, const kn_value_def *def,
    const kn_event_record *record, float value)
{
    if (def->adjust == NULL || !isfinite(value) || !kn_entity_is_alive(world, entity)) {
        return value;
    }
    float adjusted = def->adjust(def->user, world, entity, record, value);
    if (!isfinite(adjusted)) {
        kni_log_once(world, KN_REPORT_ADJUST, KN_LOG_ATTRIBUTES, KN_REFUSED_BAD_NUMBER,
            "`adjust` of a value returned a number that is not finite");
        return value;
    }
    return adjusted;
}

float kn_value_evaluate(const kn_world *world, kn_entity_id entity, kn_value_id value, float base,
    const kn_event_record *record, bool is_static)
{
    kni_evaluation e;
    const kn_value_def *def = kni_value_evaluation(
        world, is_static ? (kn_entity_id){0} : entity, value, base, record, &e);
    if (def == NULL) {
        return 0.0f;
    }
    float result = kni_evaluate(&e);
    result = is_static ? result : kni_value_adjusted(world, entity, def, record, result);
    result = kni_value_limited(def, result);
    result = kni_round(def->rounding, def->minimum_one, result, base);
    result = kni_value_limited(def, result);
    return isfinite(result) ? result : kni_value_limited(def, base);
}

// Explanations --------------------------------------------------------------

static float capture_evaluate(const kn_world *world, const kn_capture *capture, uint32_t component,
    uint32_t position, const kni_attribute *attribute, uint32_t channel_end)
{
    const kni_component *c = kni_component_at(world, component);
    kni_value value = kni_values_of(world, c)[position];
    kni_evaluation e = {
        .world = world,
        .profile = &attribute->def.profile,
        .qualify = attribute->def.qualify,
        .policy = attribute->def.policy.index1,
        .base = value.base,
        .channel_end = channel_end,
        .source_filter = capture->source_filter.count > 0 ? &capture->source_filter : NULL,
        .target_filter = capture->target_filter.count > 0 ? &capture->target_filter : NULL,
        .target_component = component,
        .factor = 1.0f,
    };
    if (value.aggregator1 != 0) {
        const kni_aggregator *aggregator = kni_aggregator_at(world, value.aggregator1 - 1);
        e.mods = kni_span_at(&world->heap, &aggregator->mods, 0, sizeof(kni_mod));
        e.count = aggregator->mods.count;
    }
    return kni_evaluate(&e);
}

kn_result kni_capture_read_of(
    const kn_world *world, uint32_t component, const kn_capture *capture, float *value)
{
    uint32_t index = capture->attribute.index1 - 1;
    uint32_t position =
        component == KNI_NONE
            ? KNI_NONE
            : kni_position_keyed(world, kni_component_at(world, component), index, capture->key);
    if (position == KNI_NONE) {
        *value = capture->has_default ? capture->default_value : 0.0f;
        return capture->has_default ? KN_OK : KN_REFUSED_MISSING_ATTRIBUTE;
    }
    const kni_component *c = kni_component_at(world, component);
    kni_value stored = kni_values_of(world, c)[position];
    bool is_filtered = capture->source_filter.count > 0 || capture->target_filter.count > 0;
    if (capture->value == KN_CAPTURE_FINAL && !is_filtered) {
        *value = stored.current; // the most common capture, and always finite
        return KN_OK;
    }
    const kni_attribute *attribute = kni_attribute_at(world->library, index);
    float minimum, maximum;
    kni_bounds(world, c, attribute, capture->key, false, &minimum, &maximum);
    float final = stored.current;
    if (is_filtered) {
        final = kni_bounded(
            capture_evaluate(world, capture, component, position, attribute, KN_CHANNEL_MAX + 1),
            minimum, maximum);
    }
    switch (capture->value) {
    case KN_CAPTURE_FINAL:
        *value = final;
        break;
    case KN_CAPTURE_BASE:
        *value = stored.base;
        break;
    case KN_CAPTURE_BONUS:
        *value = final - stored.base;
        break;
    case KN_CAPTURE_UP_TO_CHANNEL:
        *value = kni_bounded(
            capture_evaluate(world, capture, component, position, attribute, capture->channel),
            minimum, maximum);
        break;
    case KN_CAPTURE_MINIMUM:
        *value = minimum;
        break;
    case KN_CAPTURE_MAXIMUM:
        *value = maximum;
        break;
    case KN_CAPTURE_OVERFLOW: {
        float raw =
            capture_evaluate(world, capture, component, position, attribute, KN_CHANNEL_MAX + 1);
        *value = raw - kni_bounded(raw, minimum, maximum);
        break;
    }
    default:
        *value = final - kni_bounded(stored.base, minimum, maximum);
        break;
    }
    if (!isfinite(*value)) {
        *value = 0.0f;
        return KN_REFUSED_BAD_NUMBER;
    }
    return KN_OK;
}
