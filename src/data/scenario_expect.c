// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What must be true, what is there instead, and why.

#include "alloc.h"
#include "scenario_run.h"
#include "scenario_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Why -----------------------------------------------------------------------

static const char *entity_text(const kn_scenario_run *run, const kni_part *part)
{
    return kni_run_name_text(run, part->entity);
}

static void why_event(const kn_scenario_run *run, kni_line *why, kn_entity_id entity,
    kn_event_type first, kn_event_type last, uint32_t about)
{
    uint32_t count = run->history_count < KNI_HISTORY ? run->history_count : KNI_HISTORY;
    for (uint32_t i = 1; i <= count; i++) {
        const kni_past_event *past = &run->history[(run->history_count - i) % KNI_HISTORY];
        const kn_event *event = &past->event;
        bool is_it = event->type >= first && event->type <= last &&
                     kn_entity_id_equal(event->entity, entity);
        if (is_it && about > 0) {
            // The first member of these is the number of a tag, attribute or, after its id, a type.
            uint32_t number = first == KN_EVENT_EFFECT_APPLIED ? event->data.effect.type.index1
                                                               : event->data.tag.tag.index1;
            is_it = number == about;
        }
        if (is_it) {
            kni_line_add(why, "%slast: %s", why->length > 0 ? "\n" : "", past->line);
            if (past->cause[0] != 0) {
                kni_line_add(why, "\n  because: %s", past->cause);
            }
            return;
        }
    }
}

static void why_attribute(
    const kn_scenario_run *run, const kni_part *part, kn_attribute_id attribute, kni_line *why)
{
    char text[KNI_WHY_SIZE];
    kn_entity_id entity = kni_run_entity(run, part->entity);
    (void)kn_attribute_explain_text(run->world, entity, attribute, part->key, text, sizeof(text));
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') {
        text[--length] = 0;
    }
    kni_line_add(why, "%s", text);
    why_event(run, why, entity, KN_EVENT_ATTRIBUTE_CHANGED, KN_EVENT_ATTRIBUTE_INITIALISED,
        attribute.index1);
}

void kni_explain_ability(const kn_scenario_run *run, kn_ability_id ability, kni_line *why)
{
    char text[KNI_WHY_SIZE];
    if (kn_ability_is_alive(run->world, ability)) {
        (void)kn_ability_explain_print(run->world, ability, NULL, text, sizeof(text));
        kni_line_add(why, "%s", text);
    }
}

// Numbers -------------------------------------------------------------------

bool kni_is_near(float value, float wanted, float tolerance)
{
    float apart = value > wanted ? value - wanted : wanted - value;
    return value == wanted || apart <= tolerance;
}

bool kni_vector_is_near(kn_vec3 value, kn_vec3 wanted, float tolerance)
{
    return kni_is_near(value.x, wanted.x, tolerance) && kni_is_near(value.y, wanted.y, tolerance) &&
           kni_is_near(value.z, wanted.z, tolerance);
}

// The first bound that a number breaks.
static bool bounds_hold(const kni_bounds *bounds, float value, const char *what, kni_line *expected)
{
    const struct {
        bool is_broken;
        const char *word;
        float bound;
    } tests[] = {
        {bounds->has_value && !kni_is_near(value, bounds->value, bounds->tolerance), "is ",
            bounds->value},
        {bounds->has_above && !(value > bounds->above), "is above ", bounds->above},
        {bounds->has_below && !(value < bounds->below), "is below ", bounds->below},
        {bounds->has_least && !(value >= bounds->least), "is at least ", bounds->least},
        {bounds->has_most && !(value <= bounds->most), "is at most ", bounds->most},
    };
    for (uint32_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        if (tests[i].is_broken) {
            kni_line_add(expected, "%s %s", what, tests[i].word);
            kni_line_float(expected, tests[i].bound);
            if (i == 0 && bounds->tolerance > 0.0f) {
                kni_line_add(expected, " (give or take ");
                kni_line_float(expected, bounds->tolerance);
                kni_line_add(expected, ")");
            }
            return false;
        }
    }
    return true;
}

static void found_float(kni_line *found, float value)
{
    kni_line_add(found, "it is ");
    kni_line_float(found, value);
}

// Each of these tests one field; with the field not given it holds.

static bool whole_holds(const kni_part *part, kni_key key, uint64_t wanted, uint64_t found,
    const char *what, const char *whose, kni_difference *out)
{
    if (!kni_part_has(part, key) || wanted == found) {
        return true;
    }
    kni_line_add(&out->expected, "%s of %s is %llu", what, whose, (unsigned long long)wanted);
    kni_line_add(&out->found, "it is %llu", (unsigned long long)found);
    return false;
}

static bool time_holds(const kni_part *part, kni_key key, kn_time wanted, kn_time found,
    const char *what, const char *whose, kni_difference *out)
{
    kn_time tolerance = kn_time_from_seconds((double)part->bounds.tolerance);
    kn_time apart = found > wanted ? found - wanted : wanted - found;
    if (!kni_part_has(part, key) || wanted == found || (apart >= 0 && apart <= tolerance)) {
        return true;
    }
    kni_line_add(&out->expected, "%s of %s is ", what, whose);
    kni_line_time(&out->expected, wanted);
    kni_line_add(&out->found, "it is ");
    kni_line_time(&out->found, found);
    return false;
}

static bool f32_holds(const kni_part *part, kni_key key, float wanted, float found,
    const char *what, const char *whose, kni_difference *out)
{
    if (!kni_part_has(part, key) || kni_is_near(found, wanted, part->bounds.tolerance)) {
        return true;
    }
    kni_line_add(&out->expected, "%s of %s is ", what, whose);
    kni_line_float(&out->expected, wanted);
    found_float(&out->found, found);
    return false;
}

static bool bool_holds(const kni_part *part, kni_key key, bool wanted, bool found,
    const char *whose, const char *yes, const char *no, kni_difference *out)
{
    if (!kni_part_has(part, key) || wanted == found) {
        return true;
    }
    kni_line_add(&out->expected, "%s %s", whose, wanted ? yes : no);
    kni_line_add(&out->found, "it %s", found ? yes : no);
    return false;
}

static bool name_holds(const kn_scenario_run *run, const kni_part *part, kni_key key,
    uint32_t wanted, kn_entity_id found, const char *what, const char *whose, kni_difference *out)
{
    if (!kni_part_has(part, key) || kn_entity_id_equal(kni_run_entity(run, wanted), found)) {
        return true;
    }
    const char *name = kn_scenario_run_name(run, found);
    kni_line_add(&out->expected, "%s of %s is %s", what, whose, kni_run_name_text(run, wanted));
    kni_line_add(&out->found, "it is %s",
        name != NULL                  ? name
        : kn_entity_id_is_null(found) ? "nobody"
                                      : "somebody without a name");
    return false;
}

static void line_vector(kni_line *line, kn_vec3 vector)
{
    kni_line_add(line, "[");
    kni_line_float(line, vector.x);
    kni_line_add(line, ", ");
    kni_line_float(line, vector.y);
    kni_line_add(line, ", ");
    kni_line_float(line, vector.z);
    kni_line_add(line, "]");
}

static bool vector_holds(const kni_part *part, kni_key key, kn_vec3 wanted, bool exists,
    kn_vec3 found, const char *what, const char *whose, kni_difference *out)
{
    if (!kni_part_has(part, key) ||
        (exists && kni_vector_is_near(found, wanted, part->bounds.tolerance))) {
        return true;
    }
    kni_line_add(&out->expected, "%s of %s is ", what, whose);
    line_vector(&out->expected, wanted);
    if (exists) {
        kni_line_add(&out->found, "it is ");
        line_vector(&out->found, found);
    } else {
        kni_line_add(&out->found, "there is none");
    }
    return false;
}

static bool attribute_holds(const kn_scenario_run *run, const kni_part *part,
    kn_attribute_id attribute, const kni_bounds *bounds, kni_difference *out)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    char what[KNI_LINE_SIZE];
    (void)snprintf(what, sizeof(what), "%s of %s",
        kn_attribute_name(run->scenario->library, attribute), entity_text(run, part));
    bool exists = kn_attribute_exists(run->world, entity, attribute, part->key);
    if (!bool_holds(
            part, KNI_KEY_EXISTS, part->exists, exists, what, "is there", "is not there", out)) {
        return false;
    }
    if (!exists && kni_part_has(part, KNI_KEY_EXISTS)) {
        return true;
    }
    if (!exists) {
        kni_line_add(&out->expected, "a number for %s", what);
        kni_line_add(&out->found, "%s has no such attribute", entity_text(run, part));
        return false;
    }
    float value = kn_attribute_value_keyed(run->world, entity, attribute, part->key);
    float base = kn_attribute_base_keyed(run->world, entity, attribute, part->key);
    bool ok = bounds_hold(bounds, value, what, &out->expected);
    if (!ok) {
        found_float(&out->found, value);
    } else if (bounds->has_base && !kni_is_near(base, bounds->base, bounds->tolerance)) {
        kni_line_add(&out->expected, "the base of %s is ", what);
        kni_line_float(&out->expected, bounds->base);
        found_float(&out->found, base);
        ok = false;
    }
    if (!ok) {
        why_attribute(run, part, attribute, &out->why);
    }
    return ok;
}

static bool attributes_hold(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    if (kni_part_has(part, KNI_KEY_ATTRIBUTE) &&
        !attribute_holds(run, part, (kn_attribute_id){part->attribute}, &part->bounds, out)) {
        return false;
    }
    for (uint32_t i = 0; i < part->attributes.count; i++) {
        const kni_attribute_bounds *one = &part->attributes.data[i];
        kni_bounds bounds = one->bounds;
        if (bounds.tolerance == 0.0f) {
            bounds.tolerance = part->bounds.tolerance;
        }
        if (!attribute_holds(run, part, one->attribute, &bounds, out)) {
            return false;
        }
    }
    return true;
}

static bool transient_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    if (!kni_part_has(part, KNI_KEY_TRANSIENT)) {
        return true;
    }
    kn_value_id value = {part->transient};
    char what[KNI_LINE_SIZE];
    (void)snprintf(what, sizeof(what), "%s of %s", kn_value_name(run->scenario->library, value),
        entity_text(run, part));
    float found = kn_value_evaluate(
        run->world, kni_run_entity(run, part->entity), value, part->bounds.base, NULL, false);
    if (!bounds_hold(&part->bounds, found, what, &out->expected)) {
        found_float(&out->found, found);
        return false;
    }
    return true;
}

// Tags ----------------------------------------------------------------------

static bool tag_counts_hold(const kn_scenario_run *run, const kni_part *part,
    const kni_tag_amounts *amounts, bool exact, kni_difference *out)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    for (uint32_t i = 0; i < amounts->count; i++) {
        const kni_tag_amount *amount = &amounts->data[i];
        const char *name = kn_tag_name(run->scenario->library, amount->tag);
        uint32_t count = exact ? kn_entity_tag_count_exact(run->world, entity, amount->tag)
                               : kn_entity_tag_count(run->world, entity, amount->tag);
        bool has = exact ? kn_entity_has_tag_exact(run->world, entity, amount->tag)
                         : kn_entity_has_tag(run->world, entity, amount->tag);
        bool ok = amount->has_count ? count == amount->count : has;
        if (!ok && amount->has_count) {
            kni_line_add(
                &out->expected, "%s has %u times %s", entity_text(run, part), amount->count, name);
            kni_line_add(&out->found, "it has it %u times", count);
        } else if (!ok) {
            kni_line_add(&out->expected, "%s has %s", entity_text(run, part), name);
            kni_line_add(&out->found, "it has not");
        }
        if (!ok) {
            why_event(run, &out->why, entity, KN_EVENT_TAG_COUNT, KN_EVENT_TAG_CHANGED,
                amount->tag.index1);
            return false;
        }
    }
    return true;
}

static bool tags_hold(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    if (!tag_counts_hold(run, part, &part->tag_counts, false, out) ||
        !tag_counts_hold(run, part, &part->exact_tags, true, out)) {
        return false;
    }
    for (uint32_t i = 0; i < part->no_tags.count; i++) {
        kn_tag tag = part->no_tags.data[i];
        if (kn_entity_has_tag(run->world, entity, tag)) {
            kni_line_add(&out->expected, "%s has no %s", entity_text(run, part),
                kn_tag_name(run->scenario->library, tag));
            kni_line_add(
                &out->found, "it has it %u times", kn_entity_tag_count(run->world, entity, tag));
            why_event(run, &out->why, entity, KN_EVENT_TAG_COUNT, KN_EVENT_TAG_CHANGED, tag.index1);
            return false;
        }
    }
    if (part->query != NULL && !kn_entity_matches_query(run->world, entity, part->query)) {
        char text[KNI_LINE_SIZE];
        kn_tag tags[64];
        (void)kn_tag_query_print(run->scenario->library, part->query, text, sizeof(text));
        kni_line_add(&out->expected, "%s matches %s", entity_text(run, part), text);
        uint32_t count = kn_entity_tags(run->world, entity, tags, 64);
        (void)kn_tags_print(
            run->scenario->library, (kn_tags){tags, count < 64 ? count : 64}, text, sizeof(text));
        kni_line_add(&out->found, "it has %s", text[0] != 0 ? text : "no tags");
        return false;
    }
    return true;
}

// Effects -------------------------------------------------------------------

static uint32_t effects_count(const kn_scenario_run *run, const kni_part *part)
{
    kn_effect_query query = kn_effect_query_default();
    query.type.index1 = part->effect.type;
    query.source = kni_run_entity(run, part->from);
    return kn_effects_find(run->world, kni_run_entity(run, part->entity), &query, NULL, 0);
}

// What it was applied with, and what came of it.
static bool effect_context_holds(const kn_scenario_run *run, const kni_part *part,
    const kn_effect_info *info, const char *whose, kni_difference *out)
{
    bool has_next = info->next_tick != KN_TIME_INFINITE;
    kn_time next = has_next ? info->next_tick - kn_world_now(run->world) : KN_TIME_INFINITE;
    return name_holds(run, part, KNI_KEY_INSTIGATOR, part->instigator, info->instigator,
               "the instigator", whose, out) &&
           name_holds(
               run, part, KNI_KEY_CAUSER, part->causer, info->causer, "the causer", whose, out) &&
           whole_holds(
               part, KNI_KEY_OBJECT, part->object, info->source_object, "the object", whose, out) &&
           time_holds(part, KNI_KEY_NEXT, part->next, next, "the time until the next execution",
               whose, out) &&
           f32_holds(
               part, KNI_KEY_LOST, part->lost, info->tally_loss, "what was lost", whose, out) &&
           f32_holds(
               part, KNI_KEY_GAINED, part->gained, info->tally_gain, "what was gained", whose, out);
}

static bool caller_values_hold(const kn_scenario_run *run, const kni_part *part,
    kn_effect_id effect, const char *whose, kni_difference *out)
{
    for (uint32_t i = 0; i < part->caller_values.count; i++) {
        const kn_caller_value *value = &part->caller_values.data[i];
        // Two fallbacks differ only where there is no value.
        float found = kn_effect_caller_value(run->world, effect, value->tag, 0.0f);
        bool exists = kn_effect_caller_value(run->world, effect, value->tag, 1.0f) == found;
        if (exists && kni_is_near(found, value->value, part->bounds.tolerance)) {
            continue;
        }
        kni_line_add(
            &out->expected, "%s of %s is ", kn_tag_name(run->scenario->library, value->tag), whose);
        kni_line_float(&out->expected, value->value);
        if (exists) {
            found_float(&out->found, found);
        } else {
            kni_line_add(&out->found, "it has none");
        }
        return false;
    }
    return true;
}

static bool effect_fields_hold(
    const kn_scenario_run *run, const kni_part *part, const char *whose, kni_difference *out)
{
    kn_effect_info info;
    kn_effect_id effect = kni_run_effect(run, part);
    if (!kn_effect_get(run->world, effect, &info)) {
        return true;
    }
    return whole_holds(part, KNI_KEY_STACKS, part->stacks, info.stacks, "stacks", whose, out) &&
           time_holds(part, KNI_KEY_REMAINING, part->remaining, info.remaining, "the time left",
               whose, out) &&
           time_holds(
               part, KNI_KEY_DURATION, part->duration, info.duration, "the duration", whose, out) &&
           time_holds(part, KNI_KEY_PERIOD, part->period, info.period, "the period", whose, out) &&
           whole_holds(part, KNI_KEY_EXECUTIONS, part->executions, info.executions, "executions",
               whose, out) &&
           f32_holds(part, KNI_KEY_LEVEL, part->level, info.level, "the level", whose, out) &&
           bool_holds(part, KNI_KEY_INHIBITED, part->inhibited, info.is_inhibited, whose,
               "is switched off", "is switched on", out) &&
           f32_holds(part, KNI_KEY_MAGNITUDE, part->magnitude,
               kn_effect_magnitude(run->world, effect, 0), "the magnitude", whose, out) &&
           effect_context_holds(run, part, &info, whose, out) &&
           caller_values_hold(run, part, effect, whose, out);
}

static bool effect_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    bool by_name = part->effect.name > 0;
    if (!by_name && part->effect.type == 0) {
        return true;
    }
    char whose[KNI_LINE_SIZE];
    const char *text = by_name
                           ? kni_run_name_text(run, part->effect.name)
                           : kn_def_name(run->scenario->library, KN_DEF_EFFECT, part->effect.type);
    (void)snprintf(whose, sizeof(whose), by_name ? "%s" : "%s on %s", text, entity_text(run, part));
    bool found = kn_effect_is_alive(run->world, kni_run_effect(run, part));
    uint32_t count = by_name ? (uint32_t)found : effects_count(run, part);
    bool wanted = kni_part_has(part, KNI_KEY_EXISTS)  ? part->exists
                  : kni_part_has(part, KNI_KEY_COUNT) ? part->count > 0
                                                      : true;
    bool ok = true;
    if (wanted != found) {
        kni_line_add(&out->expected, "%s %s", whose, wanted ? "is active" : "is not active");
        kni_line_add(&out->found, "it is%s", found ? "" : " not");
        ok = false;
    }
    ok =
        ok &&
        whole_holds(part, KNI_KEY_COUNT, part->count, count, "the number of effects", whose, out) &&
        (!found || effect_fields_hold(run, part, whose, out));
    if (!ok) {
        why_event(run, &out->why, kni_run_entity(run, part->entity), KN_EVENT_EFFECT_APPLIED,
            KN_EVENT_EFFECT_BLOCKED, part->effect.type);
    }
    return ok;
}

// Abilities -----------------------------------------------------------------

static bool refusal_holds(const kn_scenario_run *run, const kni_part *part, kn_ability_id ability,
    const char *whose, kni_difference *out)
{
    uint32_t fails = kn_ability_check(run->world, ability, NULL);
    bool ok = true;
    if (kni_part_has(part, KNI_KEY_REFUSED) && fails != part->refused) {
        kni_line_add(&out->expected, "%s is refused: ", whose);
        kni_fails_print(&out->expected, part->refused);
        kni_line_add(&out->found, "the reasons are: ");
        kni_fails_print(&out->found, fails);
        ok = false;
    } else if (!bool_holds(part, KNI_KEY_READY, part->ready, fails == 0, whose, "is ready",
                   "is not ready", out)) {
        ok = false;
    }
    if (!ok) {
        kni_explain_ability(run, ability, &out->why);
    }
    return ok;
}

static bool cooldown_holds(const kn_scenario_run *run, const kni_part *part, kn_ability_id ability,
    const char *whose, kni_difference *out)
{
    kn_time remaining = 0, total = 0;
    kn_cooldown_info info = {0};
    (void)kn_ability_cooldown(run->world, ability, &remaining, &total);
    (void)kn_ability_charges(run->world, ability, (kn_tag){part->cooldown_key}, &info);
    bool ok =
        time_holds(part, KNI_KEY_COOLDOWN, part->cooldown, remaining, "the cooldown", whose, out) &&
        time_holds(part, KNI_KEY_TOTAL, part->total, total, "the whole cooldown", whose, out) &&
        whole_holds(part, KNI_KEY_CHARGES, part->charges, info.charges, "charges", whose, out);
    if (!ok) {
        kni_explain_ability(run, ability, &out->why);
    }
    return ok;
}

#define COSTS_MAX 32

static bool costs_hold(const kn_scenario_run *run, const kni_part *part, kn_ability_id ability,
    const char *whose, kni_difference *out)
{
    kn_cost_quote quotes[COSTS_MAX];
    uint32_t count = kn_ability_quote(run->world, ability, quotes, COSTS_MAX);
    for (uint32_t i = 0; i < part->costs.count; i++) {
        const kni_attribute_bounds *one = &part->costs.data[i];
        float amount = 0.0f;
        for (uint32_t k = 0; k < count && k < COSTS_MAX; k++) {
            bool is_it = kn_attribute_id_equal(quotes[k].attribute, one->attribute);
            amount = is_it ? quotes[k].amount : amount;
        }
        char what[KNI_LINE_SIZE];
        (void)snprintf(what, sizeof(what), "the cost in %s",
            kn_attribute_name(run->scenario->library, one->attribute));
        if (!f32_holds(part, KNI_KEY_COSTS, one->bounds.value, amount, what, whose, out)) {
            return false;
        }
    }
    return true;
}

static bool ability_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    bool by_name = part->ability.name > 0;
    if (!by_name && part->ability.type == 0) {
        return true;
    }
    char whose[KNI_LINE_SIZE];
    const char *text =
        by_name ? kni_run_name_text(run, part->ability.name)
                : kn_def_name(run->scenario->library, KN_DEF_ABILITY, part->ability.type);
    (void)snprintf(whose, sizeof(whose), by_name ? "%s" : "%s of %s", text, entity_text(run, part));
    kn_ability_info info = {0};
    kn_ability_id ability = kni_run_ability(run, part);
    bool found = kn_ability_get(run->world, ability, &info);
    bool wanted = kni_part_has(part, KNI_KEY_GRANTED) ? part->granted : true;
    if (found != wanted) {
        kni_line_add(&out->expected, "%s is %s", whose, wanted ? "granted" : "not granted");
        kni_line_add(&out->found, "it is%s", found ? "" : " not");
        return false;
    }
    bool ok = bool_holds(part, KNI_KEY_ACTIVE, part->active, info.active_count > 0, whose,
                  "is active", "is not active", out) &&
              f32_holds(part, KNI_KEY_LEVEL, part->level, info.level, "the level", whose, out) &&
              whole_holds(part, KNI_KEY_COUNT, part->count, info.active_count,
                  "the number of activations", whose, out);
    if (!ok) {
        why_event(run, &out->why, info.owner, KN_EVENT_ABILITY_GRANTED, KN_EVENT_ABILITY_FAILED, 0);
    }
    ok = ok &&
         bool_holds(part, KNI_KEY_PRESSED, part->pressed, info.is_pressed, whose, "is held down",
             "is not held down", out) &&
         whole_holds(part, KNI_KEY_INPUT, part->input, info.input, "the input", whose, out);
    return ok && (!found || (refusal_holds(run, part, ability, whose, out) &&
                                cooldown_holds(run, part, ability, whose, out) &&
                                costs_hold(run, part, ability, whose, out)));
}

static bool ability_tags_hold(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    if (!kni_part_has(part, KNI_KEY_ABILITY_TAGS)) {
        return true;
    }
    kn_ability_query query = kn_ability_query_default();
    query.all_tags = part->ability_tags;
    query.meets_tags = part->meets_tags;
    query.is_active = kni_part_has(part, KNI_KEY_ACTIVE) && part->active;
    uint32_t count =
        kn_abilities_find(run->world, kni_run_entity(run, part->entity), &query, NULL, 0);
    return whole_holds(part, KNI_KEY_COUNT, part->count, count, "the number of such abilities",
        entity_text(run, part), out);
}

// Others --------------------------------------------------------------------

static bool cooldown_tags_hold(
    const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    if (!kni_part_has(part, KNI_KEY_COOLDOWN_TAGS)) {
        return true;
    }
    kn_time remaining = 0, total = 0;
    bool found = kn_cooldown_remaining(
        run->world, kni_run_entity(run, part->entity), part->cooldown_tags, &remaining, &total);
    const char *whose = entity_text(run, part);
    return bool_holds(part, KNI_KEY_EXISTS, part->exists, found, whose, "has such a cooldown",
               "has no such cooldown", out) &&
           time_holds(part, KNI_KEY_REMAINING, part->remaining, remaining,
               "the time left of that cooldown", whose, out) &&
           time_holds(part, KNI_KEY_DURATION, part->duration, total,
               "the whole length of that cooldown", whose, out);
}

static bool relations_hold(
    const kn_scenario_run *run, const kni_part *part, kn_entity_id entity, kni_difference *out)
{
    const kn_world *world = run->world;
    const char *whose = entity_text(run, part);
    kn_body body = {0};
    bool has_body = run->grid != NULL && kn_grid_get_body(run->grid, entity, &body);
    for (uint32_t i = 0; i < part->sets.count; i++) {
        kn_attribute_set_id set = {part->sets.data[i]};
        if (!kn_attribute_set_has(world, entity, set, part->key)) {
            kni_line_add(&out->expected, "%s has the set %s", whose,
                kn_attribute_set_name(run->scenario->library, set));
            kni_line_add(&out->found, "it has not");
            return false;
        }
    }
    return name_holds(run, part, KNI_KEY_OWNER, part->owner, kn_entity_owner(world, entity),
               "the owner", whose, out) &&
           name_holds(run, part, KNI_KEY_PARENT, part->parent, kn_entity_parent(world, entity),
               "the parent", whose, out) &&
           name_holds(run, part, KNI_KEY_AVATAR, part->avatar, kn_entity_avatar(world, entity),
               "the avatar", whose, out) &&
           whole_holds(part, KNI_KEY_CONNECTION, part->connection,
               kn_entity_connection(world, entity), "the connection", whose, out) &&
           vector_holds(part, KNI_KEY_POSITION, part->position, has_body, body.position,
               "the position", whose, out);
}

static bool entity_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    const char *whose = entity_text(run, part);
    if (!bool_holds(part, KNI_KEY_ALIVE, part->alive, kn_entity_is_alive(run->world, entity), whose,
            "is alive", "is not alive", out)) {
        why_event(run, &out->why, entity, KN_EVENT_ENTITY_CREATED, KN_EVENT_ENTITY_DESTROYED, 0);
        return false;
    }
    if (!whole_holds(part, KNI_KEY_EFFECT_COUNT, part->effect_count,
            kn_effects_count(run->world, entity), "the number of effects", whose, out) ||
        !whole_holds(part, KNI_KEY_USER, part->user, kn_entity_user(run->world, entity), "user",
            whose, out) ||
        !relations_hold(run, part, entity, out)) {
        return false;
    }
    if (part->cue > 0) {
        uint32_t count = kn_cue_count(run->world, entity, (kn_tag){part->cue});
        char what[KNI_LINE_SIZE];
        (void)snprintf(what, sizeof(what), "the count of cue %s",
            kn_tag_name(run->scenario->library, (kn_tag){part->cue}));
        if (!whole_holds(part, KNI_KEY_COUNT, part->count, count, what, whose, out)) {
            return false;
        }
        if (!kni_part_has(part, KNI_KEY_COUNT) && count == 0) {
            kni_line_add(&out->expected, "%s is not 0 for %s", what, whose);
            kni_line_add(&out->found, "it is 0");
            return false;
        }
    }
    return true;
}

// Activations ---------------------------------------------------------------

// Tasks of the kind and name that are asked for; `first` is the one that is due first. False
// without memory.
static bool tasks_find(const kn_scenario_run *run, const kni_part *part,
    kn_activation_id activation, uint32_t *found, kn_task_info *first)
{
    uint32_t all = kn_tasks(run->world, activation, NULL, 0);
    size_t size = ((size_t)all + 1) * sizeof(kn_task_id);
    kn_task_id *tasks = kni_alloc_resize(&run->hooks, NULL, 0, size);
    if (tasks == NULL) {
        return false;
    }
    (void)kn_tasks(run->world, activation, tasks, all);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all; i++) {
        kn_task_info info;
        bool is_it = kn_task_get(run->world, tasks[i], &info) &&
                     (part->task == 0 || (uint32_t)info.kind == part->task) &&
                     (part->task_name == 0 || info.name.index1 == part->task_name);
        if (is_it && (count == 0 || info.due < first->due)) {
            *first = info;
        }
        count += is_it;
    }
    kni_alloc_free(&run->hooks, tasks, size);
    *found = count;
    return true;
}

static bool tasks_hold(const kn_scenario_run *run, const kni_part *part,
    kn_activation_id activation, const char *whose, kni_difference *out)
{
    kn_task_info first = {0};
    uint32_t count;
    if (!tasks_find(run, part, activation, &count, &first)) {
        kni_line_add(&out->found, "there is not enough memory for the tasks of %s", whose);
        return false;
    }
    bool is_asked = kni_part_has(part, KNI_KEY_TASK) || kni_part_has(part, KNI_KEY_TASK_NAME);
    if (is_asked && count == 0 && !kni_part_has(part, KNI_KEY_TASKS)) {
        kni_line_add(&out->expected, "%s has such a task", whose);
        kni_line_add(&out->found, "it has %u others", kn_tasks(run->world, activation, NULL, 0));
        return false;
    }
    if (!whole_holds(part, KNI_KEY_TASKS, part->tasks, count, "the number of tasks", whose, out)) {
        return false;
    }
    kn_time left = first.due == KN_TIME_INFINITE ? first.due : first.due - kn_world_now(run->world);
    return count == 0 || time_holds(part, KNI_KEY_REMAINING, part->remaining, left,
                             "the time left of that task", whose, out);
}

static bool paid_holds(const kn_scenario_run *run, const kni_part *part,
    kn_activation_id activation, const char *whose, kni_difference *out)
{
    for (uint32_t i = 0; i < part->paid.count; i++) {
        const kni_attribute_bounds *one = &part->paid.data[i];
        char what[KNI_LINE_SIZE];
        (void)snprintf(what, sizeof(what), "what was paid in %s",
            kn_attribute_name(run->scenario->library, one->attribute));
        if (!f32_holds(part, KNI_KEY_PAID, one->bounds.value,
                kn_activation_paid(run->world, activation, one->attribute), what, whose, out)) {
            return false;
        }
    }
    return true;
}

#define TARGETS_MAX 256

static bool targets_hold(const kn_scenario_run *run, const kni_part *part, kn_target_view view,
    const char *whose, kni_difference *out)
{
    kn_entity_id entities[TARGETS_MAX];
    uint32_t count = kn_target_entities(view, entities, TARGETS_MAX);
    bool ok = !kni_part_has(part, KNI_KEY_TARGETS) || count == part->targets.count;
    for (uint32_t i = 0; ok && i < part->targets.count && i < TARGETS_MAX; i++) {
        ok = kn_entity_id_equal(kni_run_entity(run, part->targets.data[i]), entities[i]);
    }
    if (!ok) {
        kni_line_add(&out->expected, "the targets of %s are", whose);
        for (uint32_t i = 0; i < part->targets.count; i++) {
            kni_line_add(&out->expected, " %s", kni_run_name_text(run, part->targets.data[i]));
        }
        kni_line_add(&out->found, count > 0 ? "they are" : "there are none");
        for (uint32_t i = 0; i < count && i < TARGETS_MAX; i++) {
            const char *name = kn_scenario_run_name(run, entities[i]);
            kni_line_add(&out->found, " %s", name != NULL ? name : "somebody");
        }
    }
    return ok;
}

static bool tags_are(const kn_scenario_run *run, const kni_part *part, kn_tags found,
    const char *whose, kni_difference *out)
{
    char text[KNI_LINE_SIZE];
    bool ok = !kni_part_has(part, KNI_KEY_TAGS) || part->tags.count == found.count;
    for (uint32_t i = 0; ok && i < part->tags.count; i++) {
        bool has = false;
        for (uint32_t k = 0; k < found.count; k++) {
            has |= found.data[k].index1 == part->tags.data[i].index1;
        }
        ok = has;
    }
    if (!ok) {
        (void)kn_tags_print(run->scenario->library, part->tags, text, sizeof(text));
        kni_line_add(&out->expected, "the tags of %s are %s", whose, text[0] != 0 ? text : "none");
        (void)kn_tags_print(run->scenario->library, found, text, sizeof(text));
        kni_line_add(&out->found, "they are %s", text[0] != 0 ? text : "none");
    }
    return ok;
}

static bool number_holds(const kn_scenario_run *run, const kni_part *part, kni_key key,
    kn_def_kind kind, uint32_t wanted, uint32_t found, const char *whose, kni_difference *out)
{
    if (!kni_part_has(part, key) || wanted == found) {
        return true;
    }
    const char *name = found > 0 ? kn_def_name(run->scenario->library, kind, found) : "none";
    kni_line_add(&out->expected, "the %s of %s is %s", kn_def_kind_name(kind), whose,
        kn_def_name(run->scenario->library, kind, wanted));
    kni_line_add(&out->found, "it is %s", name);
    return false;
}

// What an activation was started with.
static bool record_holds(const kn_scenario_run *run, const kni_part *part,
    kn_activation_id activation, const char *activation_text, kni_difference *out)
{
    kn_event_record record;
    if (part == NULL) {
        return true;
    }
    if (!kn_activation_event(run->world, activation, &record)) {
        kni_line_add(&out->expected, "%s was started with an event", activation_text);
        kni_line_add(&out->found, "it was not");
        return false;
    }
    char whose[KNI_LINE_SIZE];
    (void)snprintf(whose, sizeof(whose), "the event of %s", activation_text);
    kn_target_view view = {record.data, record.data_size};
    return number_holds(
               run, part, KNI_KEY_TAG, KN_DEF_TAG, part->tag, record.tag.index1, whose, out) &&
           number_holds(run, part, KNI_KEY_KIND, KN_DEF_EVENT_KIND, part->kind, record.kind.index1,
               whose, out) &&
           name_holds(run, part, KNI_KEY_INSTIGATOR, part->instigator, record.instigator,
               "the instigator", whose, out) &&
           name_holds(
               run, part, KNI_KEY_TARGET, part->target, record.target, "the target", whose, out) &&
           f32_holds(part, KNI_KEY_MAGNITUDE, part->magnitude, record.magnitude, "the magnitude",
               whose, out) &&
           whole_holds(
               part, KNI_KEY_OBJECT, part->object, record.object, "the object", whose, out) &&
           tags_are(run, part, record.tags, whose, out) &&
           targets_hold(run, part, view, whose, out);
}

static bool mode_holds(const kn_scenario_run *run, const kni_part *part,
    kn_activation_id activation, const char *whose, kni_difference *out)
{
    uint32_t mode = (uint32_t)kn_activation_get_mode(run->world, activation);
    if (!kni_part_has(part, KNI_KEY_ACTIVATION_MODE) || mode == part->activation_mode) {
        return true;
    }
    kni_words words;
    kni_words_of(KNI_WORDS_MODE, &words);
    kni_line_add(&out->expected, "the mode of %s is %s", whose, words.items[part->activation_mode]);
    kni_line_add(&out->found, "it is %s", words.items[mode] != NULL ? words.items[mode] : "none");
    return false;
}

// One that has a name, or the one of an ability that began last if something is asked about it.
static bool activation_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    static const kni_key keys[] = {KNI_KEY_TASK, KNI_KEY_TASK_NAME, KNI_KEY_TASKS, KNI_KEY_AGE,
        KNI_KEY_ACTIVATION_MODE, KNI_KEY_STARTED_WITH, KNI_KEY_PAID};
    bool is_asked = part->activation > 0;
    for (uint32_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        is_asked |= kni_part_has(part, keys[i]);
    }
    if (!is_asked) {
        return true;
    }
    char whose[KNI_LINE_SIZE] = "the activation";
    if (part->activation > 0) {
        (void)snprintf(whose, sizeof(whose), "%s", kni_run_name_text(run, part->activation));
    }
    kn_activation_id activation = kni_run_activation(run, part);
    bool wanted = kni_part_has(part, KNI_KEY_ACTIVE) ? part->active : true;
    bool found = kn_activation_is_alive(run->world, activation);
    if (wanted != found) {
        kni_line_add(&out->expected, "%s %s", whose, wanted ? "is active" : "is over");
        kni_line_add(&out->found, "%s", found ? "it is active" : "it is over");
        return false;
    }
    kn_time age = kn_world_now(run->world) - kn_activation_start(run->world, activation);
    return !found || (tasks_hold(run, part, activation, whose, out) &&
                         time_holds(part, KNI_KEY_AGE, part->age, age, "the age", whose, out) &&
                         mode_holds(run, part, activation, whose, out) &&
                         record_holds(run, part->started_with, activation, whose, out) &&
                         paid_holds(run, part, activation, whose, out));
}

static bool happened_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    uint32_t count = run->watches[part->watch - 1].count;
    bool has_number = kni_part_has(part, KNI_KEY_HAPPENED);
    if (has_number ? count == part->happened : count > 0) {
        return true;
    }
    kni_pattern_print(run, part, &out->expected);
    if (has_number) {
        kni_line_add(&out->expected, " happened %u times", part->happened);
        kni_line_add(&out->found, "it happened %u times", count);
    } else {
        kni_line_add(&out->expected, " happened");
        kni_line_add(&out->found, "it did not");
    }
    return false;
}

static bool timer_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    if (part->timer == 0) {
        return true;
    }
    kn_timer_id timer = kn_timer_id_unpack(kni_run_packed(run, part->timer));
    const char *whose = kni_run_name_text(run, part->timer);
    bool wanted = kni_part_has(part, KNI_KEY_EXISTS) ? part->exists : true;
    bool found = kn_timer_is_alive(run->world, timer);
    if (wanted != found) {
        kni_line_add(&out->expected, "%s %s", whose, wanted ? "runs" : "is over");
        kni_line_add(&out->found, "it %s", found ? "runs" : "is over");
        return false;
    }
    return time_holds(part, KNI_KEY_REMAINING, part->remaining,
        kn_timer_remaining(run->world, timer), "the time left", whose, out);
}

// Other entities, or another seed, are another world.
static bool hash_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *out)
{
    bool is_base = run->def.variant == KN_SCENARIO_BASE && !run->def.has_seed;
    uint64_t hash =
        is_base && kni_part_has(part, KNI_KEY_HASH) ? kn_world_hash(run->world) : part->hash;
    if (hash == part->hash) {
        return true;
    }
    kni_line_add(&out->expected, "the hash is 0x%016" PRIx64, part->hash);
    kni_line_add(&out->found, "it is 0x%016" PRIx64, hash);
    return false;
}

typedef bool hold_fn(const kn_scenario_run *run, const kni_part *part, kni_difference *out);

bool kni_run_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *difference)
{
    static hold_fn *const tests[] = {entity_holds, attributes_hold, transient_holds, tags_hold,
        effect_holds, ability_holds, ability_tags_hold, activation_holds, cooldown_tags_hold,
        timer_holds, hash_holds};
    kni_difference_begin(difference);
    if (part->watch > 0) {
        return happened_holds(run, part, difference);
    }
    for (uint32_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        if (!tests[i](run, part, difference)) {
            return false;
        }
    }
    return true;
}

// Failures ------------------------------------------------------------------

void kni_run_fail_text(kn_scenario_run *run, const kni_place *place, const char *expected,
    const char *found, const char *why)
{
    run->failed++;
    uint32_t texts = run->texts.size;
    kni_failure failure = {.place = *place, .time = run->now};
    failure.expected = kni_buffer_add_text(&run->texts, expected, strlen(expected));
    failure.found = kni_buffer_add_text(&run->texts, found, strlen(found));
    failure.why = kni_buffer_add_text(&run->texts, why, strlen(why));
    bool ok = failure.expected != UINT32_MAX && failure.found != UINT32_MAX &&
              failure.why != UINT32_MAX && run->failure_count < run->def.failure_limit &&
              kni_alloc_grow(&run->hooks, &run->failures, &run->failure_capacity,
                  run->failure_count + 1, sizeof(failure));
    if (!ok) {
        run->texts.size = texts;
        return;
    }
    run->failures[run->failure_count++] = failure;
    if (run->def.trace != NULL) {
        kn_scenario_trace trace = {.kind = KN_SCENARIO_TRACE_FAILURE,
            .time = run->now,
            .world = run->world,
            .file = place->file != NULL ? place->file : "",
            .line = place->line,
            .column = place->column,
            .text = expected,
            .failure = run->failure_count - 1};
        run->def.trace(run->def.user, run, &trace);
    }
}

void kni_run_fail(kn_scenario_run *run, const kni_place *place, const kni_difference *difference)
{
    kni_run_fail_text(
        run, place, difference->expected_text, difference->found_text, difference->why_text);
}
