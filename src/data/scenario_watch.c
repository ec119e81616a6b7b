// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events of a run: sequences that must come in order, counts, measures, and a short memory for
// explanations.

#include "scenario_sessions.h"
#include "scenario_tables.h"

#include <string.h>

// Patterns ------------------------------------------------------------------

// A pattern has no key that its type of event has not: kni_event_rows says which.

static bool is_attribute_event(kn_event_type type)
{
    return type == KN_EVENT_ATTRIBUTE_CHANGED || type == KN_EVENT_ATTRIBUTE_INITIALISED;
}

static bool is_record_event(kn_event_type type)
{
    return type == KN_EVENT_RECORD || type == KN_EVENT_RESTRICTED;
}

static bool thing_matches(
    const kn_scenario_run *run, const kni_thing *thing, uint64_t packed, uint32_t type)
{
    if (thing->name > 0) {
        return run->names[thing->name - 1] == packed && packed != 0;
    }
    return thing->type == type;
}

static bool effect_matches(const kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    if (event->type == KN_EVENT_ERROR) {
        return thing_matches(run, &part->effect, 0, event->data.error.type.index1);
    }
    if (event->type == KN_EVENT_EFFECT_REFUSED) {
        return thing_matches(run, &part->effect, 0, event->data.refusal.type.index1);
    }
    bool is_cue = event->type == KN_EVENT_CUE;
    kn_effect_id effect = is_cue ? event->data.cue.effect : event->data.effect.effect;
    kn_effect_type_id type = is_cue ? event->data.cue.type : event->data.effect.type;
    return thing_matches(run, &part->effect, kn_effect_id_pack(effect), type.index1);
}

static bool ability_matches(const kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    if (event->type == KN_EVENT_ERROR) {
        return thing_matches(run, &part->ability, 0, event->data.error.ability.index1);
    }
    bool is_charges = event->type == KN_EVENT_CHARGES || event->type == KN_EVENT_EARLY_USE;
    if (is_charges || event->type == KN_EVENT_REQUEST) {
        kn_ability_id ability =
            is_charges ? event->data.charges.ability : event->data.request.ability;
        kn_ability_info info = {0};
        return kn_ability_get(run->world, ability, &info) &&
               thing_matches(run, &part->ability, kn_ability_id_pack(ability), info.type.index1);
    }
    return thing_matches(run, &part->ability, kn_ability_id_pack(event->data.ability.ability),
        event->data.ability.type.index1);
}

static bool value_matches(const kni_part *part, const kn_event *event)
{
    const kni_bounds *bounds = &part->bounds;
    float value = event->data.attribute.new_value;
    return (!bounds->has_value || kni_is_near(value, bounds->value, &bounds->tolerance)) &&
           (!bounds->has_above || value > bounds->above) &&
           (!bounds->has_below || value < bounds->below) &&
           (!bounds->has_least || value >= bounds->least) &&
           (!bounds->has_most || value <= bounds->most);
}

static float event_magnitude(const kn_event *event)
{
    return event->type == KN_EVENT_CUE    ? event->data.cue.magnitude
           : is_record_event(event->type) ? event->data.record.magnitude
           : is_attribute_event(event->type)
               ? event->data.attribute.new_value - event->data.attribute.old_value
               : 0.0f;
}

static bool refusal_matches(const kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    char line[KNI_LINE_SIZE];
    (void)kn_event_print(run->world, event, line, sizeof(line));
    return part->why == NULL || strstr(line, part->why) != NULL;
}

static bool instigator_matches(
    const kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    kn_cue_params params = kn_cue_params_default();
    if (!is_record_event(event->type) && !kn_cue_event_params(run->world, event, &params)) {
        return false;
    }
    kn_entity_id found =
        is_record_event(event->type) ? event->data.record.instigator : params.instigator;
    return kn_entity_id_equal(kni_run_entity(run, part->instigator), found);
}

// What only cues have.
static bool cue_matches(const kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    kn_cue_params params = kn_cue_params_default();
    (void)kn_cue_event_params(run->world, event, &params);
    return (!kni_part_has(part, KNI_KEY_CAUSER) ||
               kn_entity_id_equal(kni_run_entity(run, part->causer), params.causer)) &&
           (!kni_part_has(part, KNI_KEY_OBJECT) || params.source_object == part->object) &&
           (!kni_part_has(part, KNI_KEY_LOCATION) ||
               (params.has_location &&
                   kni_vector_is_near(params.location, part->location, &part->bounds.tolerance)));
}

// Keys that are compared with a field of the event. Where it has none of this name, the next row
// with the key may have another.
static const struct {
    kni_key key;
    const char *field;
} event_keys[] = {
    {KNI_KEY_TAG, "tag"},
    {KNI_KEY_TAG, "key"},
    {KNI_KEY_CUE, "tag"},
    {KNI_KEY_COUNT, "count"},
    {KNI_KEY_COUNT, "charges"},
    {KNI_KEY_OLD_COUNT, "old_count"},
    {KNI_KEY_OLD_COUNT, "old_charges"},
    {KNI_KEY_ATTRIBUTE, "attribute"},
    {KNI_KEY_KEY, "key"},
    {KNI_KEY_OLD, "old_value"},
    {KNI_KEY_KIND, "kind"},
    {KNI_KEY_ACTIVATION, "activation"},
    {KNI_KEY_REASON, "reason"},
    {KNI_KEY_END_REASON, "end_reason"},
    {KNI_KEY_REFUSED, "reasons"},
    {KNI_KEY_ERROR, "code"},
    {KNI_KEY_ERROR, "result"},
    {KNI_KEY_COMMAND, "type"},
    {KNI_KEY_CONNECTION, "connection"},
    {KNI_KEY_SEQUENCE_NUMBER, "sequence"},
    {KNI_KEY_LINE, "detail"},
    {KNI_KEY_ACTION, "action"},
    {KNI_KEY_INTERRUPTED, "interrupted"},
    {KNI_KEY_TARGET, "target"},
    {KNI_KEY_VALID, "is_valid"},
    {KNI_KEY_AVATAR, "avatar"},
    {KNI_KEY_OWNER, "avatar"},
    {KNI_KEY_CUSTOM, "kind"},
};

// Whether a field of the event is what the part has for a key.
static bool field_matches(const kn_scenario_run *run, const kni_part *part, kni_key key,
    const kn_def_field *field, const kn_event *event)
{
    const uint8_t *wanted = (const uint8_t *)part + kni_keys[key].offset;
    const uint8_t *found = (const uint8_t *)event + field->offset;
    float numbers[2];
    uint32_t name;
    kn_entity_id id; // all live ids have the same form
    switch (field->kind) {
    case KN_FIELD_F32:
        memcpy(&numbers[0], found, sizeof(float));
        memcpy(&numbers[1], wanted, sizeof(float));
        return kni_is_near(numbers[0], numbers[1], &part->bounds.tolerance);
    case KN_FIELD_U32:
        if (key == KNI_KEY_CONNECTION && run->sessions != NULL) {
            memcpy(&name, found, sizeof(name));
            return name == kni_sessions_connection(run, part->controller);
        }
        return memcmp(wanted, found, sizeof(uint32_t)) == 0;
    case KN_FIELD_ENTITY:
    case KN_FIELD_ACTIVATION:
        memcpy(&id, found, sizeof(id));
        memcpy(&name, wanted, sizeof(name));
        return kn_entity_id_pack(id) == kni_run_packed(run, name);
    default:
        return memcmp(wanted, found, kn_def_field_size(field)) == 0;
    }
}

static bool fields_match(const kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    const kn_def_table *table = kn_event_data_table(event->type);
    bool ok = true;
    for (uint32_t i = 0; ok && table != NULL && i < sizeof(event_keys) / sizeof(*event_keys); i++) {
        kni_key key = event_keys[i].key;
        const kn_def_field *field =
            kni_part_has(part, key) ? kn_def_field_find(table, event_keys[i].field) : NULL;
        ok = field == NULL || field_matches(run, part, key, field, event);
    }
    return ok;
}

// The fields of the payload that the part names.
static bool payload_matches(const kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    const kn_custom_event_def *def =
        kn_custom_event_get_def(run->scenario->library, event->data.custom.kind);
    uint32_t size;
    const uint8_t *payload = kn_event_payload(run->world, event, &size);
    if (def == NULL || !kni_part_has(part, KNI_KEY_FIELDS)) {
        return true;
    }
    kni_fields_of of = {.name = def->name, .fields = def->fields, .count = def->field_count};
    bool ok = size >= def->size && payload != NULL;
    kni_children children = kni_node_children(part->fields);
    for (kni_node child; ok && kni_children_next(&children, &child);) {
        char texts[2][KNI_LINE_SIZE];
        kni_line expected = {texts[0], sizeof(texts[0]), 0},
                 found = {texts[1], sizeof(texts[1]), 0};
        ok = kni_field_is(run, &of, child, payload, &part->bounds.tolerance, &expected, &found);
    }
    return ok;
}

// What the data of the event's own type says, beyond its fields.
static bool own_matches(const kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    switch (event->type) {
    case KN_EVENT_ATTRIBUTE_CHANGED:
    case KN_EVENT_ATTRIBUTE_INITIALISED:
        return value_matches(part, event);
    case KN_EVENT_CUE:
        return cue_matches(run, part, event);
    case KN_EVENT_EFFECT_REFUSED:
        return refusal_matches(run, part, event);
    case KN_EVENT_CUSTOM:
        return payload_matches(run, part, event);
    default:
        return true;
    }
}

bool kni_event_matches(const kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    bool is_typed = kni_part_has(part, KNI_KEY_EVENT_TYPE);
    if ((uint32_t)event->type != (is_typed ? part->event_type : (uint32_t)KN_EVENT_CUE)) {
        return false;
    }
    const kni_tolerance *tolerance = &part->bounds.tolerance;
    return (!kni_part_has(part, KNI_KEY_AT) ||
               kni_time_is_near(event->time, part->at, tolerance)) &&
           (!kni_part_has(part, KNI_KEY_ENTITY) ||
               kn_entity_id_equal(kni_run_entity(run, part->entity), event->entity)) &&
           fields_match(run, part, event) &&
           (!kni_part_has(part, KNI_KEY_MAGNITUDE) ||
               kni_is_near(event_magnitude(event), part->magnitude, tolerance)) &&
           (!kni_part_has(part, KNI_KEY_INSTIGATOR) || instigator_matches(run, part, event)) &&
           (!kni_part_has(part, KNI_KEY_EFFECT) || effect_matches(run, part, event)) &&
           (!kni_part_has(part, KNI_KEY_ABILITY) || ability_matches(run, part, event)) &&
           own_matches(run, part, event);
}

void kni_pattern_print(const kn_scenario_run *run, const kni_part *part, kni_line *line)
{
    const kn_library *library = run->scenario->library;
    if (part->cue > 0) {
        kni_line_add(line, "cue %s", kn_tag_name(library, (kn_tag){part->cue}));
    } else {
        kni_line_add(line, "`%s`", kn_event_type_name((kn_event_type)part->event_type));
    }
    if (part->entity > 0) {
        kni_line_add(line, " of %s", kni_run_name_text(run, part->entity));
    }
    if (part->effect.type > 0) {
        kni_line_add(line, ", %s", kn_def_name(library, KN_DEF_EFFECT, part->effect.type));
    }
    if (part->ability.type > 0) {
        kni_line_add(line, ", %s", kn_def_name(library, KN_DEF_ABILITY, part->ability.type));
    }
    if (part->attribute > 0) {
        kni_line_add(line, ", %s", kn_attribute_name(library, (kn_attribute_id){part->attribute}));
    }
    if (part->bounds.has_value) {
        kni_line_add(line, ", to ");
        kni_line_float(line, part->bounds.value);
    }
    if (part->tag > 0) {
        kni_line_add(line, ", %s", kn_tag_name(library, (kn_tag){part->tag}));
    }
    if (part->custom > 0) {
        kni_line_add(line, ", %s", kn_def_name(library, KN_DEF_CUSTOM_EVENT, part->custom));
    }
    if (part->target > 0) {
        kni_line_add(line, ", on %s", kni_run_name_text(run, part->target));
    }
    if (kni_part_has(part, KNI_KEY_VALID)) {
        kni_line_add(line, ", %s", part->valid ? "valid" : "not valid");
    }
    if (kni_part_has(part, KNI_KEY_AT)) {
        kni_line_add(line, " at ");
        kni_line_time(line, part->at);
    }
}

// Counting ------------------------------------------------------------------

// An error of a script that an expectation is about does not fail the run.
static void error_note(kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    bool is_unwanted = kni_part_has(part, KNI_KEY_HAPPENED) && part->happened == 0;
    bool is_taken = kni_part_has(part, KNI_KEY_TAKE) || kni_part_has(part, KNI_KEY_EVENT_TAKE);
    if (event->type == KN_EVENT_ERROR && !is_unwanted && !is_taken && !part->is_never &&
        !kn_scenario_run_expected_error(run, event->data.error.detail) &&
        kn_memory_grow(&run->hooks, &run->error_lines, &run->error_line_capacity,
            run->error_line_count + 1, sizeof(*run->error_lines))) {
        run->error_lines[run->error_line_count++] = event->data.error.detail;
    }
}

// Where an event happened: the run as that machine sees it, which may have taken it back.
typedef struct observed {
    const kn_scenario_run *view;
    uint32_t machine;
    const kn_event *event;
    bool is_revoked;
} observed;

static bool observed_matches(const observed *seen, const kni_part *part)
{
    return part->machine == seen->machine && kni_part_has(part, KNI_KEY_EVENT_TYPE) &&
           kni_event_matches(seen->view, part, seen->event);
}

static void watch_event(kn_scenario_run *run, const kni_part *part, const observed *seen)
{
    kni_watch *watch = &run->watches[part->watch - 1];
    const kn_event *event = seen->event;
    if (!observed_matches(seen, part)) {
        return;
    }
    if (seen->is_revoked != part->revoked) {
        watch->count -= seen->is_revoked && watch->count > 0;
        return;
    }
    error_note(run, part, event);
    watch->count++;
    watch->sum += (double)event_magnitude(event);
    watch->first = watch->first < 0 ? event->time : watch->first;
    watch->last = event->time;
}

static void watch_attribute(kn_scenario_run *run, const kni_part *part, const kn_event *event)
{
    kni_watch *watch = &run->watches[part->watch - 1];
    bool is_it = event->type == KN_EVENT_ATTRIBUTE_CHANGED &&
                 event->data.attribute.attribute.index1 == part->attribute &&
                 event->data.attribute.key == part->key &&
                 kn_entity_id_equal(event->entity, kni_run_entity(run, part->entity));
    if (!is_it) {
        return;
    }
    float value = event->data.attribute.new_value;
    float delta = value - event->data.attribute.old_value;
    watch->lost += delta < 0.0f ? -(double)delta : 0.0;
    watch->gained += delta > 0.0f ? (double)delta : 0.0;
    watch->lowest = value < watch->lowest ? value : watch->lowest;
    watch->highest = value > watch->highest ? value : watch->highest;
}

static void watch_parts(kn_scenario_run *run, const kni_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        if (parts->data[i].watch > 0) {
            run->watched[run->watched_count++] = &parts->data[i];
        }
    }
}

void kni_run_watch_begin(kn_scenario_run *run)
{
    const kn_scenario *scenario = run->scenario;
    watch_parts(run, &scenario->expectations);
    watch_parts(run, &scenario->final);
    watch_parts(run, &scenario->always);
    watch_parts(run, &scenario->never);
    if (run->def.variant < scenario->variant_count) {
        watch_parts(run, &scenario->variants[run->def.variant].expectations);
    }
    for (uint32_t i = 0; i < scenario->watch_count; i++) {
        run->watches[i].first = -1;
        run->watches[i].last = -1;
    }
    for (uint32_t i = 0; i < scenario->measure_count; i++) {
        const kni_part *part = &scenario->measures[i].part;
        kni_watch *watch = &run->watches[part->watch - 1];
        watch->lowest = kn_attribute_value_keyed(run->world, kni_run_entity(run, part->entity),
            (kn_attribute_id){part->attribute}, part->key);
        watch->highest = watch->lowest;
    }
}

// Sequences -----------------------------------------------------------------

static void sequence_event(
    kn_scenario_run *run, const kni_parts *parts, uint32_t *at, const observed *seen)
{
    const kni_part *part = *at < parts->count ? &parts->data[*at] : NULL;
    if (part != NULL && part->machine == seen->machine && !seen->is_revoked &&
        kni_event_matches(seen->view, part, seen->event)) {
        error_note(run, part, seen->event);
        (*at)++;
    }
}

static void sequence_end(kn_scenario_run *run, const kni_parts *parts, uint32_t at)
{
    if (at >= parts->count) {
        return;
    }
    const kni_part *part = &parts->data[at];
    kni_difference difference;
    kni_difference_begin(&difference);
    kni_pattern_print(run, part, &difference.expected);
    if (at > 0) {
        kni_line_add(&difference.expected, ", after ");
        kni_pattern_print(run, &parts->data[at - 1], &difference.expected);
    }
    kni_line_add(&difference.found, "it did not happen; %u of %u happened", at, parts->count);
    // What is most like it: events of its type.
    uint32_t count = run->history_count < KNI_HISTORY ? run->history_count : KNI_HISTORY;
    uint32_t type = part->cue > 0 ? (uint32_t)KN_EVENT_CUE : part->event_type;
    for (uint32_t i = count; i > 0; i--) {
        const kni_past_event *past = &run->history[(run->history_count - i) % KNI_HISTORY];
        if ((uint32_t)past->event.type == type) {
            kni_line_add(&difference.why, "%sthere was: %s", difference.why.length > 0 ? "\n" : "",
                past->line);
        }
    }
    kni_run_fail(run, &part->place, &difference);
}

void kni_run_sequences_end(kn_scenario_run *run)
{
    sequence_end(run, &run->scenario->events, run->event_at);
    sequence_end(run, &run->scenario->cues, run->cue_at);
}

// What a step published -------------------------------------------------------

// The name of the entity with this number; those that live come first, since numbers are used
// again.
static const char *name_of_number(const kn_scenario_run *run, uint32_t number)
{
    const char *found = NULL;
    for (uint32_t i = 0; i < run->scenario->name_count; i++) {
        kn_entity_id entity = kn_entity_id_unpack(run->names[i]);
        if (run->scenario->names[i].kind != KNI_NAME_ENTITY || entity.index1 != number) {
            continue;
        }
        found = run->scenario->names[i].text;
        if (kn_entity_is_alive(run->world, entity)) {
            break;
        }
    }
    return found;
}

// Writes the names of the scenario in place of "entity 2".
static void name_entities(const kn_scenario_run *run, char *text, uint32_t size)
{
    static const char word[] = "entity ";
    char copy[200];
    kni_line line = {copy, sizeof(copy), 0};
    const char *at = text;
    copy[0] = 0;
    for (const char *next; (next = strstr(at, word)) != NULL;) {
        uint32_t number = 0;
        const char *end = next + sizeof(word) - 1;
        while (*end >= '0' && *end <= '9' && number < 100000000) {
            number = number * 10 + (uint32_t)(*end++ - '0');
        }
        const char *name = name_of_number(run, number);
        kni_line_add(&line, "%.*s", (int)((name != NULL ? next : end) - at), at);
        kni_line_add(&line, "%s", name != NULL ? name : "");
        at = end;
    }
    kni_line_add(&line, "%s", at);
    uint32_t length = line.length < size ? line.length : size - 1;
    memcpy(text, copy, length);
    text[length] = 0;
}

void kni_event_remember(const kn_scenario_run *view, const kn_event *event, kni_past_event *past)
{
    past->event = *event;
    (void)kn_event_print(view->world, event, past->line, sizeof(past->line));
    name_entities(view, past->line, sizeof(past->line));
    past->cause[0] = 0;
    if (event->cause != 0) {
        (void)kn_cause_print(view->world, event->cause, past->cause, sizeof(past->cause));
        name_entities(view, past->cause, sizeof(past->cause));
    }
}

static void event_count(kn_scenario_run *run, const observed *seen)
{
    const kn_scenario *scenario = run->scenario;
    sequence_event(run, &scenario->events, &run->event_at, seen);
    sequence_event(run, &scenario->cues, &run->cue_at, seen);
    for (uint32_t k = 0; k < run->watched_count; k++) {
        watch_event(run, run->watched[k], seen);
    }
}

void kni_run_observe(kn_scenario_run *run, const kn_scenario_run *view, uint32_t machine,
    const kn_event *event, bool is_revoked)
{
    observed seen = {view, machine, event, is_revoked};
    event_count(run, &seen);
}

void kni_run_harvest(kn_scenario_run *run)
{
    const kn_scenario *scenario = run->scenario;
    kn_events events = kn_world_events(run->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        observed seen = {run, 0, event, false};
        if (events.count - i <= KNI_HISTORY) {
            kni_event_remember(run, event, &run->history[run->history_count % KNI_HISTORY]);
        }
        run->history_count++; // those before are forgotten at once
        event_count(run, &seen);
        for (uint32_t k = 0; run->is_begun && k < scenario->measure_count; k++) {
            watch_event(run, &scenario->measures[k].part, &seen);
            watch_attribute(run, &scenario->measures[k].part, event);
        }
    }
}

float kni_run_measured(const kn_scenario_run *run, const kni_measure *measure)
{
    const kni_part *part = &measure->part;
    const kni_watch *watch = &run->watches[part->watch - 1];
    kn_entity_id entity = kni_run_entity(run, part->entity);
    kn_attribute_id attribute = {part->attribute};
    double values[KNI_TAKE_KINDS] = {
        [KNI_TAKE_LOST] = watch->lost,
        [KNI_TAKE_GAINED] = watch->gained,
        [KNI_TAKE_LOWEST] = (double)watch->lowest,
        [KNI_TAKE_HIGHEST] = (double)watch->highest,
        [KNI_TAKE_COUNT] = watch->count,
        [KNI_TAKE_SUM] = watch->sum,
        [KNI_TAKE_FIRST] = watch->first < 0 ? -1.0 : kn_time_to_seconds(watch->first),
        [KNI_TAKE_LAST] = watch->last < 0 ? -1.0 : kn_time_to_seconds(watch->last),
        [KNI_TAKE_HAPPENED] = watch->count > 0 ? 1.0 : 0.0,
    };
    values[KNI_TAKE_VALUE] =
        (double)kn_attribute_value_keyed(run->world, entity, attribute, part->key);
    values[KNI_TAKE_BASE] =
        (double)kn_attribute_base_keyed(run->world, entity, attribute, part->key);
    double seconds = kn_time_to_seconds(run->now - run->scenario->start);
    double value = values[part->take];
    return (float)(part->per_second && seconds > 0.0 ? value / seconds : value);
}
