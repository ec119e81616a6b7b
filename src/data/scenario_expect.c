// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What must be true, what is there instead, and why. Every test reports all differences.

#include "alloc.h"
#include "scenario_run.h"
#include "scenario_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// One expectation that is looked at.
typedef struct look {
    const kn_scenario_run *run;
    const kni_part *part;
    kni_differences *out;
} look;

static bool has(const look *at, kni_key key)
{
    return kni_part_has(at->part, key);
}

// The next difference, to be filled.
static kni_difference *differ(const look *at)
{
    uint32_t index = at->out->count < KNI_DIFFERENCES ? at->out->count : KNI_DIFFERENCES;
    kni_difference *difference = &at->out->items[index];
    at->out->count++;
    kni_difference_begin(difference);
    return difference;
}

// The explanation of the first difference since `count`; NULL if none is reported.
static kni_line *why_since(const look *at, uint32_t count)
{
    return at->out->count > count && count < KNI_DIFFERENCES ? &at->out->items[count].why : NULL;
}

// Why -----------------------------------------------------------------------

static const char *entity_text(const look *at)
{
    return kni_run_name_text(at->run, at->part->entity);
}

static void why_event(const kn_scenario_run *run, kni_line *why, kn_entity_id entity,
    kn_event_type first, kn_event_type last, uint32_t about)
{
    uint32_t count = run->history_count < KNI_HISTORY ? run->history_count : KNI_HISTORY;
    for (uint32_t i = 1; why != NULL && i <= count; i++) {
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

static void why_attribute(const look *at, kn_attribute_id attribute, kni_line *why)
{
    char text[KNI_WHY_SIZE];
    kn_entity_id entity = kni_run_entity(at->run, at->part->entity);
    if (why == NULL) {
        return;
    }
    (void)kn_attribute_explain_text(
        at->run->world, entity, attribute, at->part->key, text, sizeof(text));
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') {
        text[--length] = 0;
    }
    kni_line_add(why, "%s%s", why->length > 0 ? "\n" : "", text);
    why_event(at->run, why, entity, KN_EVENT_ATTRIBUTE_CHANGED, KN_EVENT_ATTRIBUTE_INITIALISED,
        attribute.index1);
}

void kni_explain_ability(const kn_scenario_run *run, kn_ability_id ability, kni_line *why)
{
    char text[KNI_WHY_SIZE];
    if (why != NULL && kn_ability_is_alive(run->world, ability)) {
        (void)kn_ability_explain_print(run->world, ability, NULL, text, sizeof(text));
        kni_line_add(why, "%s", text);
    }
}

// Numbers -------------------------------------------------------------------

bool kni_is_near(float value, float wanted, const kni_tolerance *tolerance)
{
    float apart = value > wanted ? value - wanted : wanted - value;
    float size = wanted < 0.0f ? -wanted : wanted;
    float most = tolerance->is_share ? tolerance->amount * size : tolerance->amount;
    return value == wanted || apart <= most;
}

bool kni_time_is_near(kn_time value, kn_time wanted, const kni_tolerance *tolerance)
{
    kn_time apart = value > wanted ? value - wanted : wanted - value;
    double size = kn_time_to_seconds(wanted < 0 ? -wanted : wanted);
    double most = (double)tolerance->amount * (tolerance->is_share ? size : 1.0);
    return value == wanted || (apart >= 0 && apart <= kn_time_from_seconds(most));
}

bool kni_vector_is_near(kn_vec3 value, kn_vec3 wanted, const kni_tolerance *tolerance)
{
    return kni_is_near(value.x, wanted.x, tolerance) && kni_is_near(value.y, wanted.y, tolerance) &&
           kni_is_near(value.z, wanted.z, tolerance);
}

static void line_tolerance(kni_line *line, const kni_tolerance *tolerance)
{
    if (tolerance->amount > 0.0f) {
        kni_line_add(line, " (give or take ");
        kni_line_float(line, tolerance->amount * (tolerance->is_share ? 100.0f : 1.0f));
        kni_line_add(line, "%s)", tolerance->is_share ? "%" : "");
    }
}

#define NEAR_SHARE 1e-5f // two numbers that differ only by rounding

// Numbers that differ in their last digits: sums of floats. Says how to allow that.
static void propose_tolerance(kni_difference *difference, float value, float wanted)
{
    float apart = value > wanted ? value - wanted : wanted - value;
    float size = wanted < 0.0f ? -wanted : wanted;
    if (!(apart > 0.0f && apart <= size * NEAR_SHARE)) {
        return;
    }
    // The least power of ten that is enough, as it is written by hand.
    uint32_t digits = 0;
    double amount = 1.0;
    while (digits < 12 && amount / 10.0 >= (double)apart) {
        amount /= 10.0;
        digits++;
    }
    while (amount < (double)apart) {
        amount *= 10.0;
    }
    kni_line_add(&difference->why, "the difference is a rounding error: `tolerance: ");
    if (digits > 0) {
        kni_line_add(&difference->why, "0.%0*d", (int)digits, 1);
    } else {
        kni_line_add(&difference->why, "%llu", (unsigned long long)amount);
    }
    kni_line_add(&difference->why, "` allows it, here or for the whole file");
}

static void found_float(kni_line *found, float value)
{
    kni_line_add(found, "it is ");
    kni_line_float(found, value);
}

// Every bound that a number breaks.
static void bounds_test(const look *at, const kni_bounds *bounds, float value, const char *what)
{
    const struct {
        bool is_broken;
        const char *word;
        float bound;
    } tests[] = {
        {bounds->has_value && !kni_is_near(value, bounds->value, &bounds->tolerance), "is ",
            bounds->value},
        {bounds->has_above && !(value > bounds->above), "is above ", bounds->above},
        {bounds->has_below && !(value < bounds->below), "is below ", bounds->below},
        {bounds->has_least && !(value >= bounds->least), "is at least ", bounds->least},
        {bounds->has_most && !(value <= bounds->most), "is at most ", bounds->most},
    };
    for (uint32_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        if (tests[i].is_broken) {
            kni_difference *difference = differ(at);
            kni_line_add(&difference->expected, "%s %s", what, tests[i].word);
            kni_line_float(&difference->expected, tests[i].bound);
            found_float(&difference->found, value);
            if (i == 0) {
                line_tolerance(&difference->expected, &bounds->tolerance);
                propose_tolerance(difference, value, tests[i].bound);
            }
        }
    }
}

// Each of these tests one field; with the field not given it holds.

static void whole_test(const look *at, kni_key key, uint64_t wanted, uint64_t found,
    const char *what, const char *whose)
{
    if (has(at, key) && wanted != found) {
        kni_difference *difference = differ(at);
        kni_line_add(
            &difference->expected, "%s of %s is %llu", what, whose, (unsigned long long)wanted);
        kni_line_add(&difference->found, "it is %llu", (unsigned long long)found);
    }
}

static void time_test(
    const look *at, kni_key key, kn_time wanted, kn_time found, const char *what, const char *whose)
{
    if (has(at, key) && !kni_time_is_near(found, wanted, &at->part->bounds.tolerance)) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s of %s is ", what, whose);
        kni_line_time(&difference->expected, wanted);
        kni_line_add(&difference->found, "it is ");
        kni_line_time(&difference->found, found);
    }
}

static void f32_test(
    const look *at, kni_key key, float wanted, float found, const char *what, const char *whose)
{
    if (has(at, key) && !kni_is_near(found, wanted, &at->part->bounds.tolerance)) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s of %s is ", what, whose);
        kni_line_float(&difference->expected, wanted);
        found_float(&difference->found, found);
        propose_tolerance(difference, found, wanted);
    }
}

static bool bool_test(const look *at, kni_key key, bool wanted, bool found, const char *whose,
    const char *yes, const char *no)
{
    if (!has(at, key) || wanted == found) {
        return true;
    }
    kni_difference *difference = differ(at);
    kni_line_add(&difference->expected, "%s %s", whose, wanted ? yes : no);
    kni_line_add(&difference->found, "it %s", found ? yes : no);
    return false;
}

static void name_test(const look *at, kni_key key, uint32_t wanted, kn_entity_id found,
    const char *what, const char *whose)
{
    if (!has(at, key) || kn_entity_id_equal(kni_run_entity(at->run, wanted), found)) {
        return;
    }
    kni_difference *difference = differ(at);
    const char *name = kn_scenario_run_name(at->run, found);
    kni_line_add(
        &difference->expected, "%s of %s is %s", what, whose, kni_run_name_text(at->run, wanted));
    kni_line_add(&difference->found, "it is %s",
        name != NULL                  ? name
        : kn_entity_id_is_null(found) ? "nobody"
                                      : "an unnamed entity");
}

static void vector_test(const look *at, kni_key key, kn_vec3 wanted, bool exists, kn_vec3 found,
    const char *what, const char *whose)
{
    if (!has(at, key) ||
        (exists && kni_vector_is_near(found, wanted, &at->part->bounds.tolerance))) {
        return;
    }
    kni_difference *difference = differ(at);
    kni_line_add(&difference->expected, "%s of %s is ", what, whose);
    kni_line_vector(&difference->expected, wanted);
    if (exists) {
        kni_line_add(&difference->found, "it is ");
        kni_line_vector(&difference->found, found);
    } else {
        kni_line_add(&difference->found, "there is none");
    }
}

// Explanations --------------------------------------------------------------

// Whether a text has a part; any number of blanks is as good as one.
static const char *text_find(const char *text, const char *part)
{
    for (const char *from = text; *from != 0; from++) {
        const char *a = from, *b = part;
        while (*b != 0 && *a != 0 && *a != '\n') {
            if (*b == ' ' && *a == ' ') {
                a += strspn(a, " ");
                b += strspn(b, " ");
            } else if (*a == *b) {
                a++;
                b++;
            } else {
                break;
            }
        }
        if (*b == 0) {
            return a;
        }
    }
    return NULL;
}

// Parts of lines that must come in this order, each in a line of its own.
static void explanation_test(const look *at, const char *text, const char *what)
{
    const char *from = text;
    for (uint32_t i = 0; i < at->part->explanation.count; i++) {
        const char *part = at->part->explanation.data[i];
        const char *found = text_find(from, part);
        if (found == NULL) {
            kni_difference *difference = differ(at);
            kni_line_add(&difference->expected, "the explanation of %s has `%s`%s", what, part,
                i > 0 ? " after the previous one" : "");
            kni_line_add(&difference->found, "it does not");
            kni_line_add(&difference->why, "%s", text);
            while (difference->why.length > 0 && difference->why.length < KNI_WHY_SIZE &&
                   difference->why_text[difference->why.length - 1] == '\n') {
                difference->why_text[--difference->why.length] = 0;
            }
            return;
        }
        from = found + strcspn(found, "\n");
    }
}

// Attributes ----------------------------------------------------------------

static void attribute_test(const look *at, kn_attribute_id attribute, const kni_bounds *bounds)
{
    const kn_scenario_run *run = at->run;
    const kni_part *part = at->part;
    kn_entity_id entity = kni_run_entity(run, part->entity);
    char what[KNI_LINE_SIZE];
    (void)snprintf(what, sizeof(what), "%s of %s",
        kn_attribute_name(run->scenario->library, attribute), entity_text(at));
    bool exists = kn_attribute_exists(run->world, entity, attribute, part->key);
    if (!bool_test(at, KNI_KEY_EXISTS, part->exists, exists, what, "is there", "is not there") ||
        (!exists && has(at, KNI_KEY_EXISTS))) {
        return;
    }
    if (!exists) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "a number for %s", what);
        kni_line_add(&difference->found, "%s has no such attribute", entity_text(at));
        return;
    }
    float value = kn_attribute_value_keyed(run->world, entity, attribute, part->key);
    float base = kn_attribute_base_keyed(run->world, entity, attribute, part->key);
    uint32_t before = at->out->count;
    bounds_test(at, bounds, value, what);
    if (bounds->has_base && !kni_is_near(base, bounds->base, &bounds->tolerance)) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "the base of %s is ", what);
        kni_line_float(&difference->expected, bounds->base);
        line_tolerance(&difference->expected, &bounds->tolerance);
        found_float(&difference->found, base);
        propose_tolerance(difference, base, bounds->base);
    }
    why_attribute(at, attribute, why_since(at, before));
}

static void attributes_test(const look *at)
{
    const kni_part *part = at->part;
    kn_attribute_id attribute = {part->attribute};
    if (has(at, KNI_KEY_ATTRIBUTE)) {
        attribute_test(at, attribute, &part->bounds);
    }
    if (has(at, KNI_KEY_ATTRIBUTE) && has(at, KNI_KEY_EXPLANATION)) {
        char text[2 * KNI_WHY_SIZE];
        (void)kn_attribute_explain_text(at->run->world, kni_run_entity(at->run, part->entity),
            attribute, part->key, text, sizeof(text));
        explanation_test(at, text, kn_attribute_name(at->run->scenario->library, attribute));
    }
    for (uint32_t i = 0; i < part->attributes.count; i++) {
        const kni_attribute_bounds *one = &part->attributes.data[i];
        kni_bounds bounds = one->bounds;
        if (!bounds.tolerance.is_given) {
            bounds.tolerance = part->bounds.tolerance;
        }
        attribute_test(at, one->attribute, &bounds);
    }
}

static void transient_test(const look *at)
{
    if (!has(at, KNI_KEY_TRANSIENT)) {
        return;
    }
    const kni_part *part = at->part;
    kn_value_id value = {part->transient};
    char what[KNI_LINE_SIZE];
    (void)snprintf(what, sizeof(what), "%s of %s", kn_value_name(at->run->scenario->library, value),
        entity_text(at));
    float found = kn_value_evaluate(at->run->world, kni_run_entity(at->run, part->entity), value,
        part->bounds.base, NULL, false);
    bounds_test(at, &part->bounds, found, what);
}

static void measure_test(const look *at)
{
    if (!has(at, KNI_KEY_MEASURE)) {
        return;
    }
    const kni_measure *measure = &at->run->scenario->measures[at->part->measure - 1];
    bounds_test(at, &at->part->bounds, kni_run_measured(at->run, measure), measure->name);
}

// Tags ----------------------------------------------------------------------

static void tag_counts_test(const look *at, const kni_tag_amounts *amounts, bool exact)
{
    const kn_world *world = at->run->world;
    kn_entity_id entity = kni_run_entity(at->run, at->part->entity);
    for (uint32_t i = 0; i < amounts->count; i++) {
        const kni_tag_amount *amount = &amounts->data[i];
        const char *name = kn_tag_name(at->run->scenario->library, amount->tag);
        uint32_t count = exact ? kn_entity_tag_count_exact(world, entity, amount->tag)
                               : kn_entity_tag_count(world, entity, amount->tag);
        bool is_there = exact ? kn_entity_has_tag_exact(world, entity, amount->tag)
                              : kn_entity_has_tag(world, entity, amount->tag);
        if (amount->has_count ? count == amount->count : is_there) {
            continue;
        }
        kni_difference *difference = differ(at);
        if (amount->has_count) {
            kni_line_add(
                &difference->expected, "%s has %s %u times", entity_text(at), name, amount->count);
            kni_line_add(&difference->found, "it has it %u times", count);
        } else {
            kni_line_add(&difference->expected, "%s has %s", entity_text(at), name);
            kni_line_add(&difference->found, "it does not");
        }
        why_event(at->run, &difference->why, entity, KN_EVENT_TAG_COUNT, KN_EVENT_TAG_CHANGED,
            amount->tag.index1);
    }
}

static void tags_test(const look *at)
{
    const kn_scenario_run *run = at->run;
    const kni_part *part = at->part;
    const kn_library *library = run->scenario->library;
    kn_entity_id entity = kni_run_entity(run, part->entity);
    tag_counts_test(at, &part->tag_counts, false);
    tag_counts_test(at, &part->exact_tags, true);
    for (uint32_t i = 0; i < part->no_tags.count; i++) {
        kn_tag tag = part->no_tags.data[i];
        if (kn_entity_has_tag(run->world, entity, tag)) {
            kni_difference *difference = differ(at);
            kni_line_add(
                &difference->expected, "%s has no %s", entity_text(at), kn_tag_name(library, tag));
            kni_line_add(&difference->found, "it has it %u times",
                kn_entity_tag_count(run->world, entity, tag));
            why_event(run, &difference->why, entity, KN_EVENT_TAG_COUNT, KN_EVENT_TAG_CHANGED,
                tag.index1);
        }
    }
    if (part->query != NULL && !kn_entity_matches_query(run->world, entity, part->query)) {
        char text[KNI_LINE_SIZE];
        kn_tag tags[64];
        kni_difference *difference = differ(at);
        (void)kn_tag_query_print(library, part->query, text, sizeof(text));
        kni_line_add(&difference->expected, "%s matches %s", entity_text(at), text);
        uint32_t count = kn_entity_tags(run->world, entity, tags, 64);
        (void)kn_tags_print(library, (kn_tags){tags, count < 64 ? count : 64}, text, sizeof(text));
        kni_line_add(&difference->found, "it has %s", text[0] != 0 ? text : "no tags");
    }
}

// Plain data ----------------------------------------------------------------

static void fields_test(
    const look *at, const kni_fields_of *of, kni_node values, const uint8_t *block)
{
    kni_children children = kni_node_children(values);
    for (kni_node child; kni_children_next(&children, &child);) {
        char texts[2][KNI_LINE_SIZE];
        kni_line expected = {texts[0], KNI_LINE_SIZE, 0};
        kni_line found = {texts[1], KNI_LINE_SIZE, 0};
        if (!kni_field_is(
                at->run, of, child, block, &at->part->bounds.tolerance, &expected, &found)) {
            kni_difference *difference = differ(at);
            kni_line_add(&difference->expected, "%s", texts[0]);
            kni_line_add(&difference->found, "%s", texts[1]);
        }
    }
}

static void component_test(const look *at)
{
    const kn_scenario_run *run = at->run;
    kn_component_type_id type = {at->part->component};
    if (!has(at, KNI_KEY_COMPONENT)) {
        return;
    }
    const kn_component_def *def = kn_component_get_def(run->scenario->library, type);
    const void *block = kn_component_read(run->world, type, kni_run_entity(run, at->part->entity));
    const char *whose = at->part->entity > 0 ? entity_text(at) : "the world";
    bool wanted = has(at, KNI_KEY_EXISTS) ? at->part->exists : true;
    if (wanted != (block != NULL)) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s has %s %s", whose,
            wanted ? "the component" : "no component", def->name);
        kni_line_add(&difference->found, "%s", wanted ? "it does not" : "it has one");
        return;
    }
    char name[KNI_LINE_SIZE];
    (void)snprintf(name, sizeof(name), "%s of %s", def->name, whose);
    kni_fields_of of = {name, def->fields, def->field_count};
    if (block != NULL) {
        fields_test(at, &of, at->part->fields, block);
    }
}

static void state_test(const look *at, kni_fields_of of, const void *block, const char *whose)
{
    if (!has(at, KNI_KEY_STATE)) {
        return;
    }
    if (block == NULL || of.count == 0) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s has a state", whose);
        kni_line_add(&difference->found, "it has none");
        return;
    }
    fields_test(at, &of, at->part->state, block);
}

// Effects -------------------------------------------------------------------

static uint32_t effects_count(const look *at)
{
    kn_effect_query query = kn_effect_query_default();
    query.type.index1 = at->part->effect.type;
    query.source = kni_run_entity(at->run, at->part->from);
    return kn_effects_find(
        at->run->world, kni_run_entity(at->run, at->part->entity), &query, NULL, 0);
}

static void caller_values_test(const look *at, kn_effect_id effect, const char *whose)
{
    for (uint32_t i = 0; i < at->part->caller_values.count; i++) {
        const kn_caller_value *value = &at->part->caller_values.data[i];
        // Two fallbacks differ only where there is no value.
        float found = kn_effect_caller_value(at->run->world, effect, value->tag, 0.0f);
        bool exists = kn_effect_caller_value(at->run->world, effect, value->tag, 1.0f) == found;
        if (exists && kni_is_near(found, value->value, &at->part->bounds.tolerance)) {
            continue;
        }
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s of %s is ",
            kn_tag_name(at->run->scenario->library, value->tag), whose);
        kni_line_float(&difference->expected, value->value);
        if (exists) {
            found_float(&difference->found, found);
            propose_tolerance(difference, found, value->value);
        } else {
            kni_line_add(&difference->found, "it has none");
        }
    }
}

#define TARGETS_MAX 256

static void targets_test(
    const look *at, const kni_part *part, kn_target_view view, const char *whose)
{
    kn_entity_id entities[TARGETS_MAX];
    uint32_t count = kn_target_entities(view, entities, TARGETS_MAX);
    bool ok = !kni_part_has(part, KNI_KEY_TARGETS) || count == part->targets.count;
    for (uint32_t i = 0; ok && i < part->targets.count && i < TARGETS_MAX; i++) {
        ok = kn_entity_id_equal(kni_run_entity(at->run, part->targets.data[i]), entities[i]);
    }
    if (ok) {
        return;
    }
    kni_difference *difference = differ(at);
    kni_line_add(&difference->expected, "the targets of %s are", whose);
    for (uint32_t i = 0; i < part->targets.count; i++) {
        kni_line_add(
            &difference->expected, " %s", kni_run_name_text(at->run, part->targets.data[i]));
    }
    kni_line_add(&difference->found, count > 0 ? "they are" : "there are none");
    for (uint32_t i = 0; i < count && i < TARGETS_MAX; i++) {
        const char *name = kn_scenario_run_name(at->run, entities[i]);
        kni_line_add(&difference->found, " %s", name != NULL ? name : "somebody");
    }
}

static void effect_state_test(
    const look *at, kn_effect_id effect, kn_effect_type_id type, const char *whose)
{
    const kn_effect_def *def = kn_effect_type_get_def(at->run->world, type);
    const kn_effect_logic_def *logic =
        def != NULL ? kn_def_get(at->run->scenario->library, KN_DEF_EFFECT_LOGIC, def->logic.index1)
                    : NULL;
    kni_fields_of of = {0};
    if (logic != NULL) {
        of = (kni_fields_of){whose, logic->state_fields, logic->state_field_count};
    }
    state_test(at, of, kn_effect_state(at->run->world, effect), whose);
}

static void effect_fields_test(const look *at, const char *whose)
{
    const kni_part *part = at->part;
    const kn_world *world = at->run->world;
    kn_effect_info info;
    kn_effect_id effect = kni_run_effect(at->run, part);
    if (!kn_effect_get(world, effect, &info)) {
        return;
    }
    bool has_next = info.next_tick != KN_TIME_INFINITE;
    kn_time next = has_next ? info.next_tick - kn_world_now(world) : KN_TIME_INFINITE;
    whole_test(at, KNI_KEY_STACKS, part->stacks, info.stacks, "stacks", whose);
    time_test(at, KNI_KEY_REMAINING, part->remaining, info.remaining, "the time left", whose);
    time_test(at, KNI_KEY_DURATION, part->duration, info.duration, "the duration", whose);
    time_test(at, KNI_KEY_PERIOD, part->period, info.period, "the period", whose);
    whole_test(at, KNI_KEY_EXECUTIONS, part->executions, info.executions, "executions", whose);
    f32_test(at, KNI_KEY_LEVEL, part->level, info.level, "the level", whose);
    (void)bool_test(at, KNI_KEY_INHIBITED, part->inhibited, info.is_inhibited, whose,
        "is inhibited", "is not inhibited");
    f32_test(at, KNI_KEY_MAGNITUDE, part->magnitude, kn_effect_magnitude(world, effect, 0),
        "the magnitude", whose);
    name_test(at, KNI_KEY_INSTIGATOR, part->instigator, info.instigator, "the instigator", whose);
    name_test(at, KNI_KEY_CAUSER, part->causer, info.causer, "the causer", whose);
    whole_test(at, KNI_KEY_OBJECT, part->object, info.source_object, "the object", whose);
    time_test(at, KNI_KEY_NEXT, part->next, next, "the time until the next execution", whose);
    f32_test(at, KNI_KEY_LOST, part->lost, info.tally_loss, "what was lost", whose);
    f32_test(at, KNI_KEY_GAINED, part->gained, info.tally_gain, "what was gained", whose);
    caller_values_test(at, effect, whose);
    targets_test(at, part, kn_effect_targets(world, effect), whose);
    effect_state_test(at, effect, info.type, whose);
}

static void effect_test(const look *at)
{
    const kni_part *part = at->part;
    bool by_name = part->effect.name > 0;
    if (!by_name && part->effect.type == 0) {
        return;
    }
    char whose[KNI_LINE_SIZE];
    const char *text =
        by_name ? kni_run_name_text(at->run, part->effect.name)
                : kn_def_name(at->run->scenario->library, KN_DEF_EFFECT, part->effect.type);
    (void)snprintf(whose, sizeof(whose), by_name ? "%s" : "%s on %s", text, entity_text(at));
    bool found = kn_effect_is_alive(at->run->world, kni_run_effect(at->run, part));
    uint32_t count = by_name ? (uint32_t)found : effects_count(at);
    bool wanted = has(at, KNI_KEY_EXISTS)  ? part->exists
                  : has(at, KNI_KEY_COUNT) ? part->count > 0
                                           : true;
    uint32_t before = at->out->count;
    if (wanted != found) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s %s", whose, wanted ? "is active" : "is not active");
        kni_line_add(&difference->found, "it is%s", found ? "" : " not");
    } else {
        whole_test(at, KNI_KEY_COUNT, part->count, count, "the number of effects", whose);
        if (found) {
            effect_fields_test(at, whose);
        }
    }
    why_event(at->run, why_since(at, before), kni_run_entity(at->run, part->entity),
        KN_EVENT_EFFECT_APPLIED, KN_EVENT_EFFECT_REFUSED, part->effect.type);
}

// Abilities -----------------------------------------------------------------

static void refusal_test(const look *at, kn_ability_id ability, const char *whose)
{
    const kni_part *part = at->part;
    if (!has(at, KNI_KEY_REFUSED) && !has(at, KNI_KEY_READY)) {
        return; // hooks are not asked for nothing
    }
    // Whether it can be used, whoever its target will be.
    uint32_t fails = kn_ability_check(at->run->world, ability, NULL) & ~(uint32_t)KN_FAIL_NO_TARGET;
    uint32_t before = at->out->count;
    if (has(at, KNI_KEY_REFUSED) && fails != part->refused) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s is refused: ", whose);
        kni_fails_print(&difference->expected, part->refused);
        kni_line_add(&difference->found, "the reasons are: ");
        kni_fails_print(&difference->found, fails);
    }
    (void)bool_test(at, KNI_KEY_READY, part->ready, fails == 0, whose, "is ready", "is not ready");
    kni_explain_ability(at->run, ability, why_since(at, before));
}

static void cooldown_test(const look *at, kn_ability_id ability, const char *whose)
{
    const kni_part *part = at->part;
    kn_time remaining = 0, total = 0;
    kn_cooldown_info info = {0};
    (void)kn_ability_cooldown(at->run->world, ability, &remaining, &total);
    (void)kn_ability_charges(at->run->world, ability, (kn_tag){part->cooldown_key}, &info);
    uint32_t before = at->out->count;
    time_test(at, KNI_KEY_COOLDOWN, part->cooldown, remaining, "the cooldown", whose);
    time_test(at, KNI_KEY_TOTAL, part->total, total, "the whole cooldown", whose);
    whole_test(at, KNI_KEY_CHARGES, part->charges, info.charges, "charges", whose);
    kni_explain_ability(at->run, ability, why_since(at, before));
}

#define COSTS_MAX 32

static void costs_test(const look *at, kn_ability_id ability, const char *whose)
{
    kn_cost_quote quotes[COSTS_MAX];
    uint32_t count = kn_ability_quote(at->run->world, ability, quotes, COSTS_MAX);
    for (uint32_t i = 0; i < at->part->costs.count; i++) {
        const kni_attribute_bounds *one = &at->part->costs.data[i];
        float amount = 0.0f;
        for (uint32_t k = 0; k < count && k < COSTS_MAX; k++) {
            bool is_it = kn_attribute_id_equal(quotes[k].attribute, one->attribute);
            amount = is_it ? quotes[k].amount : amount;
        }
        char what[KNI_LINE_SIZE];
        (void)snprintf(what, sizeof(what), "the cost in %s",
            kn_attribute_name(at->run->scenario->library, one->attribute));
        f32_test(at, KNI_KEY_COSTS, one->bounds.value, amount, what, whose);
    }
}

static void ability_fields_test(
    const look *at, kn_ability_id ability, const kn_ability_info *info, const char *whose)
{
    const kni_part *part = at->part;
    uint32_t before = at->out->count;
    (void)bool_test(at, KNI_KEY_ACTIVE, part->active, info->active_count > 0, whose, "is active",
        "is not active");
    f32_test(at, KNI_KEY_LEVEL, part->level, info->level, "the level", whose);
    whole_test(
        at, KNI_KEY_COUNT, part->count, info->active_count, "the number of activations", whose);
    why_event(at->run, why_since(at, before), info->owner, KN_EVENT_ABILITY_GRANTED,
        KN_EVENT_ABILITY_FAILED, 0);
    (void)bool_test(at, KNI_KEY_PRESSED, part->pressed, info->is_pressed, whose, "is held down",
        "is not held down");
    whole_test(at, KNI_KEY_INPUT, part->input, info->input, "the input", whose);
    if (!kn_ability_is_alive(at->run->world, ability)) {
        return;
    }
    refusal_test(at, ability, whose);
    cooldown_test(at, ability, whose);
    costs_test(at, ability, whose);
    if (has(at, KNI_KEY_EXPLANATION) && !has(at, KNI_KEY_ATTRIBUTE)) {
        char text[2 * KNI_WHY_SIZE];
        (void)kn_ability_explain_print(at->run->world, ability, NULL, text, sizeof(text));
        explanation_test(at, text, whose);
    }
}

static void ability_test(const look *at)
{
    const kni_part *part = at->part;
    bool by_name = part->ability.name > 0;
    if (!by_name && part->ability.type == 0) {
        return;
    }
    char whose[KNI_LINE_SIZE];
    const char *text =
        by_name ? kni_run_name_text(at->run, part->ability.name)
                : kn_def_name(at->run->scenario->library, KN_DEF_ABILITY, part->ability.type);
    (void)snprintf(whose, sizeof(whose), by_name ? "%s" : "%s of %s", text, entity_text(at));
    kn_ability_info info = {0};
    kn_ability_id ability = kni_run_ability(at->run, part);
    bool found = kn_ability_get(at->run->world, ability, &info);
    bool wanted = has(at, KNI_KEY_GRANTED) ? part->granted : true;
    if (found != wanted) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s is %s", whose, wanted ? "granted" : "not granted");
        kni_line_add(&difference->found, "it is%s", found ? "" : " not");
        return;
    }
    ability_fields_test(at, ability, &info, whose);
}

static void ability_tags_test(const look *at)
{
    if (!has(at, KNI_KEY_ABILITY_TAGS)) {
        return;
    }
    const kni_part *part = at->part;
    kn_ability_query query = kn_ability_query_default();
    query.all_tags = part->ability_tags;
    query.meets_tags = part->meets_tags;
    query.is_active = has(at, KNI_KEY_ACTIVE) && part->active;
    uint32_t count =
        kn_abilities_find(at->run->world, kni_run_entity(at->run, part->entity), &query, NULL, 0);
    whole_test(
        at, KNI_KEY_COUNT, part->count, count, "the number of such abilities", entity_text(at));
}

// Others --------------------------------------------------------------------

static void cooldown_tags_test(const look *at)
{
    if (!has(at, KNI_KEY_COOLDOWN_TAGS)) {
        return;
    }
    const kni_part *part = at->part;
    kn_time remaining = 0, total = 0;
    bool found = kn_cooldown_remaining(at->run->world, kni_run_entity(at->run, part->entity),
        part->cooldown_tags, &remaining, &total);
    const char *whose = entity_text(at);
    (void)bool_test(at, KNI_KEY_EXISTS, part->exists, found, whose, "has such a cooldown",
        "has no such cooldown");
    time_test(
        at, KNI_KEY_REMAINING, part->remaining, remaining, "the time left of that cooldown", whose);
    time_test(
        at, KNI_KEY_DURATION, part->duration, total, "the whole length of that cooldown", whose);
}

static void relations_test(const look *at, kn_entity_id entity)
{
    const kni_part *part = at->part;
    const kn_world *world = at->run->world;
    const char *whose = entity_text(at);
    kn_body body = {0};
    bool has_body = at->run->grid != NULL && kn_grid_get_body(at->run->grid, entity, &body);
    for (uint32_t i = 0; i < part->sets.count; i++) {
        kn_attribute_set_id set = {part->sets.data[i]};
        if (!kn_attribute_set_has(world, entity, set, part->key)) {
            kni_difference *difference = differ(at);
            kni_line_add(&difference->expected, "%s has the set %s", whose,
                kn_attribute_set_name(at->run->scenario->library, set));
            kni_line_add(&difference->found, "it does not");
        }
    }
    name_test(at, KNI_KEY_OWNER, part->owner, kn_entity_owner(world, entity), "the owner", whose);
    name_test(
        at, KNI_KEY_PARENT, part->parent, kn_entity_parent(world, entity), "the parent", whose);
    name_test(
        at, KNI_KEY_AVATAR, part->avatar, kn_entity_avatar(world, entity), "the avatar", whose);
    whole_test(at, KNI_KEY_CONNECTION, part->connection, kn_entity_connection(world, entity),
        "the connection", whose);
    vector_test(
        at, KNI_KEY_POSITION, part->position, has_body, body.position, "the position", whose);
}

static void cue_test(const look *at, kn_entity_id entity)
{
    kn_tag cue = {at->part->cue};
    uint32_t count = kn_cue_count(at->run->world, entity, cue);
    char what[KNI_LINE_SIZE];
    (void)snprintf(
        what, sizeof(what), "the count of cue %s", kn_tag_name(at->run->scenario->library, cue));
    whole_test(at, KNI_KEY_COUNT, at->part->count, count, what, entity_text(at));
    if (!has(at, KNI_KEY_COUNT) && count == 0) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s is not 0 for %s", what, entity_text(at));
        kni_line_add(&difference->found, "it is 0");
    }
}

static void entity_test(const look *at)
{
    const kni_part *part = at->part;
    kn_entity_id entity = kni_run_entity(at->run, part->entity);
    const char *whose = entity_text(at);
    uint32_t before = at->out->count;
    (void)bool_test(at, KNI_KEY_ALIVE, part->alive, kn_entity_is_alive(at->run->world, entity),
        whose, "is alive", "is not alive");
    why_event(at->run, why_since(at, before), entity, KN_EVENT_ENTITY_CREATED,
        KN_EVENT_ENTITY_DESTROYED, 0);
    whole_test(at, KNI_KEY_EFFECT_COUNT, part->effect_count,
        kn_effects_count(at->run->world, entity), "the number of effects", whose);
    whole_test(at, KNI_KEY_USER, part->user, kn_entity_user(at->run->world, entity), "user", whose);
    relations_test(at, entity);
    if (part->cue > 0) {
        cue_test(at, entity);
    }
}

// Activations ---------------------------------------------------------------

// Tasks of the kind and name that are asked for; `first` is the one that is due first. False
// without memory.
static bool tasks_find(
    const look *at, kn_activation_id activation, uint32_t *found, kn_task_info *first)
{
    const kn_scenario_run *run = at->run;
    const kni_part *part = at->part;
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

static void tasks_test(const look *at, kn_activation_id activation, const char *whose)
{
    const kn_world *world = at->run->world;
    kn_task_info first = {0};
    uint32_t count;
    if (!tasks_find(at, activation, &count, &first)) {
        kni_line_add(&differ(at)->found, "there is not enough memory for the tasks of %s", whose);
        return;
    }
    bool is_asked = has(at, KNI_KEY_TASK) || has(at, KNI_KEY_TASK_NAME);
    if (is_asked && count == 0 && !has(at, KNI_KEY_TASKS)) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s has such a task", whose);
        kni_line_add(&difference->found, "it has %u others", kn_tasks(world, activation, NULL, 0));
        return;
    }
    whole_test(at, KNI_KEY_TASKS, at->part->tasks, count, "the number of tasks", whose);
    kn_time left = first.due == KN_TIME_INFINITE ? first.due : first.due - kn_world_now(world);
    if (count > 0) {
        time_test(
            at, KNI_KEY_REMAINING, at->part->remaining, left, "the time left of that task", whose);
    }
}

static void paid_test(const look *at, kn_activation_id activation, const char *whose)
{
    for (uint32_t i = 0; i < at->part->paid.count; i++) {
        const kni_attribute_bounds *one = &at->part->paid.data[i];
        char what[KNI_LINE_SIZE];
        (void)snprintf(what, sizeof(what), "what was paid in %s",
            kn_attribute_name(at->run->scenario->library, one->attribute));
        f32_test(at, KNI_KEY_PAID, one->bounds.value,
            kn_activation_paid(at->run->world, activation, one->attribute), what, whose);
    }
}

static void tags_are_test(const look *at, kn_tags found, const char *whose)
{
    const kni_part *part = at->part;
    const kn_library *library = at->run->scenario->library;
    char text[KNI_LINE_SIZE];
    bool ok = !has(at, KNI_KEY_TAGS) || part->tags.count == found.count;
    for (uint32_t i = 0; ok && i < part->tags.count; i++) {
        bool is_there = false;
        for (uint32_t k = 0; k < found.count; k++) {
            is_there |= found.data[k].index1 == part->tags.data[i].index1;
        }
        ok = is_there;
    }
    if (!ok) {
        kni_difference *difference = differ(at);
        (void)kn_tags_print(library, part->tags, text, sizeof(text));
        kni_line_add(
            &difference->expected, "the tags of %s are %s", whose, text[0] != 0 ? text : "none");
        (void)kn_tags_print(library, found, text, sizeof(text));
        kni_line_add(&difference->found, "they are %s", text[0] != 0 ? text : "none");
    }
}

static void number_test(const look *at, kni_key key, kn_def_kind kind, uint32_t wanted,
    uint32_t found, const char *whose)
{
    const kn_library *library = at->run->scenario->library;
    if (!has(at, key) || wanted == found) {
        return;
    }
    kni_difference *difference = differ(at);
    kni_line_add(&difference->expected, "the %s of %s is %s", kn_def_kind_name(kind), whose,
        kn_def_name(library, kind, wanted));
    kni_line_add(
        &difference->found, "it is %s", found > 0 ? kn_def_name(library, kind, found) : "none");
}

// What an activation was started with.
static void record_test(
    const look *outer, const kni_part *part, kn_activation_id activation, const char *name)
{
    kn_event_record record;
    if (part == NULL) {
        return;
    }
    if (!kn_activation_event(outer->run->world, activation, &record)) {
        kni_difference *difference = differ(outer);
        kni_line_add(&difference->expected, "%s was started with an event", name);
        kni_line_add(&difference->found, "it was not");
        return;
    }
    look inner = {outer->run, part, outer->out};
    const look *at = &inner;
    char whose[KNI_LINE_SIZE];
    (void)snprintf(whose, sizeof(whose), "the event of %s", name);
    kn_target_view view = {record.data, record.data_size};
    number_test(at, KNI_KEY_TAG, KN_DEF_TAG, part->tag, record.tag.index1, whose);
    number_test(at, KNI_KEY_KIND, KN_DEF_EVENT_KIND, part->kind, record.kind.index1, whose);
    name_test(at, KNI_KEY_INSTIGATOR, part->instigator, record.instigator, "the instigator", whose);
    name_test(at, KNI_KEY_TARGET, part->target, record.target, "the target", whose);
    f32_test(at, KNI_KEY_MAGNITUDE, part->magnitude, record.magnitude, "the magnitude", whose);
    whole_test(at, KNI_KEY_OBJECT, part->object, record.object, "the object", whose);
    tags_are_test(at, record.tags, whose);
    targets_test(at, part, view, whose);
}

static void mode_test(const look *at, kn_activation_id activation, const char *whose)
{
    uint32_t mode = (uint32_t)kn_activation_get_mode(at->run->world, activation);
    uint32_t wanted = at->part->activation_mode;
    if (!has(at, KNI_KEY_ACTIVATION_MODE) || mode == wanted) {
        return;
    }
    kni_words words;
    kni_words_of(KNI_WORDS_MODE, &words);
    kni_difference *difference = differ(at);
    kni_line_add(&difference->expected, "the mode of %s is %s", whose, words.items[wanted]);
    kni_line_add(
        &difference->found, "it is %s", words.items[mode] != NULL ? words.items[mode] : "none");
}

static void activation_state_test(const look *at, kn_activation_id activation, const char *whose)
{
    kn_ability_info info = {0};
    (void)kn_ability_get(at->run->world, kn_activation_ability(at->run->world, activation), &info);
    const kn_ability_def *def =
        kn_def_get(at->run->scenario->library, KN_DEF_ABILITY, info.type.index1);
    kni_fields_of of = {0};
    if (def != NULL) {
        of = (kni_fields_of){whose, def->state_fields, def->state_field_count};
    }
    state_test(at, of, kn_activation_state(at->run->world, activation), whose);
}

// One that has a name, or the one of an ability that began last if something is asked about it.
static void activation_test(const look *at)
{
    static const kni_key keys[] = {KNI_KEY_TASK, KNI_KEY_TASK_NAME, KNI_KEY_TASKS, KNI_KEY_AGE,
        KNI_KEY_ACTIVATION_MODE, KNI_KEY_STARTED_WITH, KNI_KEY_PAID};
    const kni_part *part = at->part;
    const kn_world *world = at->run->world;
    bool of_effect = part->effect.name > 0 || part->effect.type > 0;
    bool is_asked = part->activation > 0 || (has(at, KNI_KEY_STATE) && !of_effect);
    for (uint32_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        is_asked |= has(at, keys[i]);
    }
    if (!is_asked) {
        return;
    }
    const char *whose =
        part->activation > 0 ? kni_run_name_text(at->run, part->activation) : "the activation";
    kn_activation_id activation = kni_run_activation(at->run, part);
    bool wanted = has(at, KNI_KEY_ACTIVE) ? part->active : true;
    bool found = kn_activation_is_alive(world, activation);
    if (wanted != found) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s %s", whose, wanted ? "is active" : "is over");
        kni_line_add(&difference->found, "%s", found ? "it is active" : "it is over");
        return;
    }
    if (!found) {
        return;
    }
    kn_time age = kn_world_now(world) - kn_activation_start(world, activation);
    tasks_test(at, activation, whose);
    time_test(at, KNI_KEY_AGE, part->age, age, "the age", whose);
    mode_test(at, activation, whose);
    record_test(at, part->started_with, activation, whose);
    paid_test(at, activation, whose);
    if (!of_effect) {
        activation_state_test(at, activation, whose);
    }
}

static void happened_test(const look *at)
{
    const kni_part *part = at->part;
    uint32_t count = at->run->watches[part->watch - 1].count;
    bool has_number = has(at, KNI_KEY_HAPPENED);
    if (has_number ? count == part->happened : count > 0) {
        return;
    }
    kni_difference *difference = differ(at);
    kni_pattern_print(at->run, part, &difference->expected);
    if (has_number) {
        kni_line_add(&difference->expected, " happened %u times", part->happened);
        kni_line_add(&difference->found, "it happened %u times", count);
    } else {
        kni_line_add(&difference->expected, " happened");
        kni_line_add(&difference->found, "it did not");
    }
}

static void timer_test(const look *at)
{
    const kni_part *part = at->part;
    if (part->timer == 0) {
        return;
    }
    kn_timer_id timer = kn_timer_id_unpack(kni_run_packed(at->run, part->timer));
    const char *whose = kni_run_name_text(at->run, part->timer);
    bool wanted = has(at, KNI_KEY_EXISTS) ? part->exists : true;
    bool found = kn_timer_is_alive(at->run->world, timer);
    if (wanted != found) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "%s %s", whose, wanted ? "runs" : "is over");
        kni_line_add(&difference->found, "it %s", found ? "runs" : "is over");
        return;
    }
    time_test(at, KNI_KEY_REMAINING, part->remaining, kn_timer_remaining(at->run->world, timer),
        "the time left", whose);
}

// Other entities, or another seed, are another world.
static void hash_test(const look *at)
{
    const kn_scenario_run *run = at->run;
    bool is_base = run->def.variant == KN_SCENARIO_BASE && !run->def.has_seed;
    uint64_t wanted = at->part->hash;
    uint64_t hash = is_base && has(at, KNI_KEY_HASH) ? kn_world_hash(run->world) : wanted;
    if (hash != wanted) {
        kni_difference *difference = differ(at);
        kni_line_add(&difference->expected, "the hash is 0x%016" PRIx64, wanted);
        kni_line_add(&difference->found, "it is 0x%016" PRIx64, hash);
    }
}

typedef void test_fn(const look *at);

bool kni_run_holds(const kn_scenario_run *run, const kni_part *part, kni_differences *out)
{
    static test_fn *const tests[] = {entity_test, attributes_test, transient_test, measure_test,
        tags_test, component_test, effect_test, ability_test, ability_tags_test, activation_test,
        cooldown_tags_test, timer_test, hash_test};
    look at = {run, part, out};
    out->count = 0;
    if (part->watch > 0) {
        happened_test(&at);
        return out->count == 0;
    }
    for (uint32_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        tests[i](&at);
    }
    return out->count == 0;
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

void kni_run_fail_all(
    kn_scenario_run *run, const kni_place *place, const kni_differences *differences)
{
    for (uint32_t i = 0; i < differences->count; i++) {
        if (i < KNI_DIFFERENCES) {
            kni_run_fail(run, place, &differences->items[i]);
        } else {
            run->failed++; // counted, not reported
        }
    }
}
