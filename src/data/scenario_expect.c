// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What must be true of entities, attributes, tags, plain data, effects and timers. Every test
// reports all differences.

#include "scenario_expect.h"
#include "scenario_call.h"
#include "scenario_sessions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Attributes ----------------------------------------------------------------

static void why_attribute(const kni_look *at, kn_attribute_id attribute, kni_line *why)
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
    kni_why_event(at->run, why, entity, KN_EVENT_ATTRIBUTE_CHANGED, KN_EVENT_ATTRIBUTE_INITIALISED,
        attribute.index1);
}

static void attribute_test(const kni_look *at, kn_attribute_id attribute, const kni_bounds *bounds)
{
    const kn_scenario_run *run = at->run;
    const kni_part *part = at->part;
    kn_entity_id entity = kni_run_entity(run, part->entity);
    char what[KNI_LINE_SIZE];
    (void)snprintf(what, sizeof(what), "%s of %s",
        kn_attribute_name(run->scenario->library, attribute), kni_look_entity(at));
    bool exists = kn_attribute_exists(run->world, entity, attribute, part->key);
    if (!kni_test_bool(
            at, KNI_KEY_EXISTS, part->exists, exists, what, "is there", "is not there") ||
        (!exists && kni_look_has(at, KNI_KEY_EXISTS))) {
        return;
    }
    if (!exists) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "a number for %s", what);
        kni_line_add(&difference->found, "%s has no such attribute", kni_look_entity(at));
        return;
    }
    float value = kn_attribute_value_keyed(run->world, entity, attribute, part->key);
    float base = kn_attribute_base_keyed(run->world, entity, attribute, part->key);
    uint32_t before = at->out->count;
    kni_test_bounds(at, bounds, value, what);
    if (bounds->has_base && !kni_is_near(base, bounds->base, &bounds->tolerance)) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "the base of %s is ", what);
        kni_line_float(&difference->expected, bounds->base);
        kni_line_tolerance(&difference->expected, &bounds->tolerance);
        kni_found_float(&difference->found, base);
        kni_propose_tolerance(difference, base, bounds->base);
    }
    why_attribute(at, attribute, kni_why_since(at, before));
}

static void attributes_test(const kni_look *at)
{
    const kni_part *part = at->part;
    kn_attribute_id attribute = {part->attribute};
    if (kni_look_has(at, KNI_KEY_ATTRIBUTE)) {
        attribute_test(at, attribute, &part->bounds);
    }
    if (kni_look_has(at, KNI_KEY_ATTRIBUTE) && kni_look_has(at, KNI_KEY_EXPLANATION)) {
        char text[2 * KNI_WHY_SIZE];
        (void)kn_attribute_explain_text(at->run->world, kni_run_entity(at->run, part->entity),
            attribute, part->key, text, sizeof(text));
        kni_test_explanation(at, text, kn_attribute_name(at->run->scenario->library, attribute));
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

static void transient_test(const kni_look *at)
{
    if (!kni_look_has(at, KNI_KEY_TRANSIENT)) {
        return;
    }
    const kni_part *part = at->part;
    kn_value_id value = {part->transient};
    char what[KNI_LINE_SIZE];
    (void)snprintf(what, sizeof(what), "%s of %s", kn_value_name(at->run->scenario->library, value),
        kni_look_entity(at));
    float found = kn_value_evaluate(at->run->world, kni_run_entity(at->run, part->entity), value,
        part->bounds.base, NULL, false);
    kni_test_bounds(at, &part->bounds, found, what);
}

static void measure_test(const kni_look *at)
{
    if (!kni_look_has(at, KNI_KEY_MEASURE)) {
        return;
    }
    const kni_measure *measure = &at->run->scenario->measures[at->part->measure - 1];
    kni_test_bounds(at, &at->part->bounds, kni_run_measured(at->run, measure), measure->name);
}

// Tags ----------------------------------------------------------------------

static void tag_counts_test(const kni_look *at, const kni_tag_amounts *amounts, bool exact)
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
        kni_difference *difference = kni_differ(at);
        if (amount->has_count) {
            kni_line_add(&difference->expected, "%s has %s %u times", kni_look_entity(at), name,
                amount->count);
            kni_line_add(&difference->found, "it has it %u times", count);
        } else {
            kni_line_add(&difference->expected, "%s has %s", kni_look_entity(at), name);
            kni_line_add(&difference->found, "it does not");
        }
        kni_why_event(at->run, &difference->why, entity, KN_EVENT_TAG_COUNT, KN_EVENT_TAG_CHANGED,
            amount->tag.index1);
    }
}

static void tags_test(const kni_look *at)
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
            kni_difference *difference = kni_differ(at);
            kni_line_add(&difference->expected, "%s has no %s", kni_look_entity(at),
                kn_tag_name(library, tag));
            kni_line_add(&difference->found, "it has it %u times",
                kn_entity_tag_count(run->world, entity, tag));
            kni_why_event(run, &difference->why, entity, KN_EVENT_TAG_COUNT, KN_EVENT_TAG_CHANGED,
                tag.index1);
        }
    }
    if (part->query != NULL && !kn_entity_matches_query(run->world, entity, part->query)) {
        char text[KNI_LINE_SIZE];
        kn_tag tags[64];
        kni_difference *difference = kni_differ(at);
        (void)kn_tag_query_print(library, part->query, text, sizeof(text));
        kni_line_add(&difference->expected, "%s matches %s", kni_look_entity(at), text);
        uint32_t count = kn_entity_tags(run->world, entity, tags, 64);
        (void)kn_tags_print(library, (kn_tags){tags, count < 64 ? count : 64}, text, sizeof(text));
        kni_line_add(&difference->found, "it has %s", text[0] != 0 ? text : "no tags");
    }
}

// Plain data ----------------------------------------------------------------

static void fields_test(
    const kni_look *at, const kni_fields_of *of, kni_node values, const uint8_t *block)
{
    kni_children children = kni_node_children(values);
    for (kni_node child; kni_children_next(&children, &child);) {
        char texts[2][KNI_LINE_SIZE];
        kni_line expected = {texts[0], KNI_LINE_SIZE, 0};
        kni_line found = {texts[1], KNI_LINE_SIZE, 0};
        if (!kni_field_is(
                at->run, of, child, block, &at->part->bounds.tolerance, &expected, &found)) {
            kni_difference *difference = kni_differ(at);
            kni_line_add(&difference->expected, "%s", texts[0]);
            kni_line_add(&difference->found, "%s", texts[1]);
        }
    }
}

// The first component of an entity, or that many further, counted from 1.
static const void *component_find(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t instance)
{
    if (instance <= 1) {
        return instance == 1 ? kn_component_read(world, type, entity) : NULL;
    }
    kn_component_id at = kn_component_instance_next(world, type, entity, (kn_component_id){0});
    for (uint32_t i = 1; i < instance && at.index1 != 0; i++) {
        at = kn_component_instance_next(world, type, entity, at);
    }
    return kn_component_instance_read(world, type, at);
}

static void component_test(const kni_look *at)
{
    const kn_scenario_run *run = at->run;
    kn_component_type_id type = {at->part->component};
    if (!kni_look_has(at, KNI_KEY_COMPONENT)) {
        return;
    }
    const kn_component_def *def = kn_component_get_def(run->scenario->library, type);
    kn_entity_id entity = kni_run_entity(run, at->part->entity);
    const void *block = component_find(
        run->world, type, entity, kni_look_has(at, KNI_KEY_INSTANCE) ? at->part->instance : 1);
    const char *whose = at->part->entity > 0 ? kni_look_entity(at) : "the world";
    if (kni_look_has(at, KNI_KEY_COUNT)) {
        uint32_t count = kn_component_instance_count(run->world, type, entity);
        kni_test_whole(
            at, KNI_KEY_COUNT, at->part->count, count, "the number of such components", whose);
        if (count == 0 && at->part->count == 0) {
            return;
        }
    }
    bool wanted = kni_look_has(at, KNI_KEY_EXISTS) ? at->part->exists : true;
    if (wanted != (block != NULL)) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s has %s %s", whose,
            wanted ? "the component" : "no component", def->name);
        kni_line_add(&difference->found, "%s", wanted ? "it does not" : "it has one");
        return;
    }
    char name[KNI_LINE_SIZE];
    (void)snprintf(name, sizeof(name), "%s of %s", def->name, whose);
    kni_fields_of of = {.name = name, .fields = def->fields, .count = def->field_count};
    if (block != NULL) {
        fields_test(at, &of, at->part->fields, block);
    }
}

void kni_test_state(const kni_look *at, kni_fields_of of, const void *block, const char *whose)
{
    if (!kni_look_has(at, KNI_KEY_STATE)) {
        return;
    }
    if (block == NULL || of.count == 0) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s has a state", whose);
        kni_line_add(&difference->found, "it has none");
        return;
    }
    fields_test(at, &of, at->part->state, block);
}

// Effects -------------------------------------------------------------------

static uint32_t effects_count(const kni_look *at)
{
    kn_effect_query query = kn_effect_query_default();
    query.type.index1 = at->part->effect.type;
    query.source = kni_run_entity(at->run, at->part->from);
    return kn_effects_find(
        at->run->world, kni_run_entity(at->run, at->part->entity), &query, NULL, 0);
}

static void caller_values_test(const kni_look *at, kn_effect_id effect, const char *whose)
{
    for (uint32_t i = 0; i < at->part->caller_values.count; i++) {
        const kn_caller_value *value = &at->part->caller_values.data[i];
        // Two fallbacks differ only where there is no value.
        float found = kn_effect_caller_value(at->run->world, effect, value->tag, 0.0f);
        bool exists = kn_effect_caller_value(at->run->world, effect, value->tag, 1.0f) == found;
        if (exists && kni_is_near(found, value->value, &at->part->bounds.tolerance)) {
            continue;
        }
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s of %s is ",
            kn_tag_name(at->run->scenario->library, value->tag), whose);
        kni_line_float(&difference->expected, value->value);
        if (exists) {
            kni_found_float(&difference->found, found);
            kni_propose_tolerance(difference, found, value->value);
        } else {
            kni_line_add(&difference->found, "it has none");
        }
    }
}

#define TARGETS_MAX 256

void kni_test_targets(
    const kni_look *at, const kni_part *part, kn_target_view view, const char *whose)
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
    kni_difference *difference = kni_differ(at);
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
    const kni_look *at, kn_effect_id effect, kn_effect_type_id type, const char *whose)
{
    const kn_effect_def *def = kn_effect_type_get_def(at->run->world, type);
    const kn_effect_logic_def *logic =
        def != NULL ? kn_def_get(at->run->scenario->library, KN_DEF_EFFECT_LOGIC, def->logic.index1)
                    : NULL;
    kni_fields_of of = {0};
    if (logic != NULL) {
        of = (kni_fields_of){
            .name = whose, .fields = logic->state_fields, .count = logic->state_field_count};
    }
    kni_test_state(at, of, kn_effect_state(at->run->world, effect), whose);
}

static void effect_fields_test(const kni_look *at, const char *whose)
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
    kni_test_whole(at, KNI_KEY_STACKS, part->stacks, info.stacks, "stacks", whose);
    kni_test_time(at, KNI_KEY_REMAINING, part->remaining, info.remaining, "the time left", whose);
    kni_test_time(at, KNI_KEY_DURATION, part->duration, info.duration, "the duration", whose);
    kni_test_time(at, KNI_KEY_PERIOD, part->period, info.period, "the period", whose);
    kni_test_whole(at, KNI_KEY_EXECUTIONS, part->executions, info.executions, "executions", whose);
    kni_test_f32(at, KNI_KEY_LEVEL, part->level, info.level, "the level", whose);
    (void)kni_test_bool(at, KNI_KEY_INHIBITED, part->inhibited, info.is_inhibited, whose,
        "is inhibited", "is not inhibited");
    kni_test_f32(at, KNI_KEY_MAGNITUDE, part->magnitude, kn_effect_magnitude(world, effect, 0),
        "the magnitude", whose);
    kni_test_name(
        at, KNI_KEY_INSTIGATOR, part->instigator, info.instigator, "the instigator", whose);
    kni_test_name(at, KNI_KEY_CAUSER, part->causer, info.causer, "the causer", whose);
    kni_test_whole(at, KNI_KEY_OBJECT, part->object, info.source_object, "the object", whose);
    kni_test_time(at, KNI_KEY_NEXT, part->next, next, "the time until the next execution", whose);
    kni_test_f32(at, KNI_KEY_LOST, part->lost, info.tally_loss, "what was lost", whose);
    kni_test_f32(at, KNI_KEY_GAINED, part->gained, info.tally_gain, "what was gained", whose);
    caller_values_test(at, effect, whose);
    kni_test_targets(at, part, kn_effect_targets(world, effect), whose);
    effect_state_test(at, effect, info.type, whose);
}

static void effect_test(const kni_look *at)
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
    (void)snprintf(whose, sizeof(whose), by_name ? "%s" : "%s on %s", text, kni_look_entity(at));
    bool found = kn_effect_is_alive(at->run->world, kni_run_effect(at->run, part));
    uint32_t count = by_name ? (uint32_t)found : effects_count(at);
    bool wanted = kni_look_has(at, KNI_KEY_EXISTS)  ? part->exists
                  : kni_look_has(at, KNI_KEY_COUNT) ? part->count > 0
                                                    : true;
    uint32_t before = at->out->count;
    if (wanted != found) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s %s", whose, wanted ? "is active" : "is not active");
        kni_line_add(&difference->found, "it is%s", found ? "" : " not");
    } else {
        kni_test_whole(at, KNI_KEY_COUNT, part->count, count, "the number of effects", whose);
        if (found) {
            effect_fields_test(at, whose);
        }
    }
    kni_why_event(at->run, kni_why_since(at, before), kni_run_entity(at->run, part->entity),
        KN_EVENT_EFFECT_APPLIED, KN_EVENT_EFFECT_REFUSED, part->effect.type);
}

// Others --------------------------------------------------------------------

static void cooldown_tags_test(const kni_look *at)
{
    if (!kni_look_has(at, KNI_KEY_COOLDOWN_TAGS)) {
        return;
    }
    const kni_part *part = at->part;
    kn_time remaining = 0, total = 0;
    bool found = kn_cooldown_remaining(at->run->world, kni_run_entity(at->run, part->entity),
        part->cooldown_tags, &remaining, &total);
    const char *whose = kni_look_entity(at);
    (void)kni_test_bool(at, KNI_KEY_EXISTS, part->exists, found, whose, "has such a cooldown",
        "has no such cooldown");
    kni_test_time(
        at, KNI_KEY_REMAINING, part->remaining, remaining, "the time left of that cooldown", whose);
    kni_test_time(
        at, KNI_KEY_DURATION, part->duration, total, "the whole length of that cooldown", whose);
}

static void relations_test(const kni_look *at, kn_entity_id entity)
{
    const kni_part *part = at->part;
    const kn_world *world = at->run->world;
    const char *whose = kni_look_entity(at);
    kn_body body = {0};
    bool has_body = at->run->grid != NULL && kn_grid_get_body(at->run->grid, entity, &body);
    for (uint32_t i = 0; i < part->sets.count; i++) {
        kn_attribute_set_id set = {part->sets.data[i]};
        if (!kn_attribute_set_has(world, entity, set, part->key)) {
            kni_difference *difference = kni_differ(at);
            kni_line_add(&difference->expected, "%s has the set %s", whose,
                kn_attribute_set_name(at->run->scenario->library, set));
            kni_line_add(&difference->found, "it does not");
        }
    }
    kni_test_name(
        at, KNI_KEY_OWNER, part->owner, kn_entity_owner(world, entity), "the owner", whose);
    kni_test_name(
        at, KNI_KEY_PARENT, part->parent, kn_entity_parent(world, entity), "the parent", whose);
    kni_test_name(
        at, KNI_KEY_AVATAR, part->avatar, kn_entity_avatar(world, entity), "the avatar", whose);
    uint32_t connection = at->run->sessions != NULL
                              ? kni_sessions_connection(at->run, part->controller)
                              : part->connection;
    kni_test_whole(at, KNI_KEY_CONNECTION, connection, kn_entity_connection(world, entity),
        "the connection", whose);
    kni_test_vector(
        at, KNI_KEY_POSITION, part->position, has_body, body.position, "the position", whose);
}

static void cue_test(const kni_look *at, kn_entity_id entity)
{
    kn_tag cue = {at->part->cue};
    uint32_t count = kn_cue_count(at->run->world, entity, cue);
    char what[KNI_LINE_SIZE];
    (void)snprintf(
        what, sizeof(what), "the count of cue %s", kn_tag_name(at->run->scenario->library, cue));
    kni_test_whole(at, KNI_KEY_COUNT, at->part->count, count, what, kni_look_entity(at));
    if (!kni_look_has(at, KNI_KEY_COUNT) && count == 0) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s is not 0 for %s", what, kni_look_entity(at));
        kni_line_add(&difference->found, "it is 0");
    }
}

static void entity_test(const kni_look *at)
{
    const kni_part *part = at->part;
    kn_entity_id entity = kni_run_entity(at->run, part->entity);
    const char *whose = kni_look_entity(at);
    uint32_t before = at->out->count;
    (void)kni_test_bool(at, KNI_KEY_ALIVE, part->alive, kn_entity_is_alive(at->run->world, entity),
        whose, "is alive", "is not alive");
    kni_why_event(at->run, kni_why_since(at, before), entity, KN_EVENT_ENTITY_CREATED,
        KN_EVENT_ENTITY_DESTROYED, 0);
    kni_test_whole(at, KNI_KEY_EFFECT_COUNT, part->effect_count,
        kn_effects_count(at->run->world, entity), "the number of effects", whose);
    kni_test_whole(
        at, KNI_KEY_USER, part->user, kn_entity_user(at->run->world, entity), "user", whose);
    relations_test(at, entity);
    if (part->cue > 0) {
        cue_test(at, entity);
    }
}

// All of them ---------------------------------------------------------------

#define ALIKE_MAX 5 // events that a message shows

// The last events of the same type.
static void why_alike(const kn_scenario_run *run, const kni_part *part, kni_line *why)
{
    uint32_t count = run->history_count < KNI_HISTORY ? run->history_count : KNI_HISTORY;
    uint32_t told = 0;
    for (uint32_t i = 1; i <= count && told < ALIKE_MAX; i++) {
        const kni_past_event *past = &run->history[(run->history_count - i) % KNI_HISTORY];
        if ((uint32_t)past->event.type == part->event_type) {
            kni_line_add(why, "%sthere was: %s", told++ > 0 ? "\n" : "", past->line);
        }
    }
}

static void happened_test(const kni_look *at)
{
    const kni_part *part = at->part;
    uint32_t count = at->run->watches[part->watch - 1].count;
    bool has_number = kni_look_has(at, KNI_KEY_HAPPENED);
    if (has_number ? count == part->happened : count > 0) {
        return;
    }
    kni_difference *difference = kni_differ(at);
    kni_pattern_print(at->run, part, &difference->expected);
    kni_line_add(&difference->expected, "%s", part->revoked ? " and was taken back," : "");
    if (at->run->sessions != NULL) { // where the same event may come from several sides
        why_alike(at->run, part, &difference->why);
    }
    if (has_number) {
        kni_line_add(&difference->expected, " happened %u times", part->happened);
        kni_line_add(&difference->found, "it happened %u times", count);
    } else {
        kni_line_add(&difference->expected, " happened");
        kni_line_add(&difference->found, "it did not");
    }
}

static void timer_test(const kni_look *at)
{
    const kni_part *part = at->part;
    if (part->timer == 0) {
        return;
    }
    kn_timer_id timer = kn_timer_id_unpack(kni_run_packed(at->run, part->timer));
    const char *whose = kni_run_name_text(at->run, part->timer);
    bool wanted = kni_look_has(at, KNI_KEY_EXISTS) ? part->exists : true;
    bool found = kn_timer_is_alive(at->run->world, timer);
    if (wanted != found) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s %s", whose, wanted ? "runs" : "is over");
        kni_line_add(&difference->found, "it %s", found ? "runs" : "is over");
        return;
    }
    kni_test_time(at, KNI_KEY_REMAINING, part->remaining, kn_timer_remaining(at->run->world, timer),
        "the time left", whose);
}

// Other entities, or another seed, are another world.
static void hash_test(const kni_look *at)
{
    const kn_scenario_run *run = at->run;
    bool is_base = run->def.variant == KN_SCENARIO_BASE && !run->def.has_seed;
    uint64_t wanted = at->part->hash;
    uint64_t hash = is_base && kni_look_has(at, KNI_KEY_HASH) ? kn_world_hash(run->world) : wanted;
    if (hash != wanted) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "the hash is 0x%016" PRIx64, wanted);
        kni_line_add(&difference->found, "it is 0x%016" PRIx64, hash);
    }
}

typedef void test_fn(const kni_look *at);

bool kni_run_holds(const kn_scenario_run *run, const kni_part *part, kni_differences *out)
{
    static test_fn *const tests[] = {entity_test, attributes_test, transient_test, measure_test,
        tags_test, component_test, effect_test, kni_test_ability, kni_test_ability_tags,
        kni_test_activation, cooldown_tags_test, timer_test, kni_test_calls, hash_test};
    kni_look at = {run, part, out};
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
              kn_memory_grow(&run->hooks, &run->failures, &run->failure_capacity,
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
