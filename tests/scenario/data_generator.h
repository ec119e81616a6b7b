// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Documents for every field of every def, made from the field tables: a new field is covered as
// soon as it is in its table. A case is a field, reached through structs and lists, and values for
// it; a document of it sets the field to one of them and has around it only what registration
// demands.
#ifndef DATA_GENERATOR_H
#define DATA_GENERATOR_H

#include "data_fixture.h"
#include "data_natives.h"

#define CASE_DEPTH_MAX 8
#define CASE_TEXT_MAX 4096

typedef struct field_case {
    const char *section;
    kn_def_kind kind;
    const kn_def_table *tables[CASE_DEPTH_MAX];
    const kn_def_field *fields[CASE_DEPTH_MAX];
    uint32_t depth;
    uint32_t value_count;
    char path[256]; // "effects.modifiers.magnitude.kind"
} field_case;

typedef void field_case_fn(const field_case *c, void *user);

static const struct {
    const char *key;
    kn_def_kind kind;
} case_sections[] = {
    {"curves", KN_DEF_CURVE},
    {"attribute_sets", KN_DEF_ATTRIBUTE_SET},
    {"values", KN_DEF_VALUE},
    {"event_kinds", KN_DEF_EVENT_KIND},
    {"calculations", KN_DEF_CALCULATION},
    {"executions", KN_DEF_EXECUTION},
    {"components", KN_DEF_COMPONENT},
    {"tickers", KN_DEF_TICKER},
    {"tasks", KN_DEF_TASK},
    {"animations", KN_DEF_ANIMATION},
    {"target_types", KN_DEF_TARGET},
    {"targetings", KN_DEF_TARGETING},
    {"commands", KN_DEF_COMMAND},
    {"effect_logics", KN_DEF_EFFECT_LOGIC},
    {"effects", KN_DEF_EFFECT},
    {"containers", KN_DEF_CONTAINER},
    {"rules", KN_DEF_RULE},
    {"system_groups", KN_DEF_SYSTEM_GROUP},
    {"systems", KN_DEF_SYSTEM},
    {"abilities", KN_DEF_ABILITY},
    {"watches", KN_DEF_WATCH},
    {"ability_sets", KN_DEF_ABILITY_SET},
    {"archetypes", KN_DEF_ARCHETYPE},
    {"fail_reasons", KN_DEF_FAIL},
    {"end_reasons", KN_DEF_END_REASON},
    {"checks", KN_DEF_CHECK},
    {"custom_events", KN_DEF_CUSTOM_EVENT},
};

#define CASE_SECTIONS (sizeof(case_sections) / sizeof(*case_sections))

// Two things of every kind, alike but for their names, for references.
static const char case_context[] =
    "tags: [Some.A, Some.B, GameplayCue.A, GameplayCue.B]\n"
    "curves: {A: [[1, 1], [2, 2]], B: [[1, 1], [2, 2]]}\n"
    "attribute_sets: {Set: {attributes: {A: 1, B: 1}}, Sets: {attributes: {A: 1, B: 1}}}\n"
    "values: {A: , B: }\n"
    "event_kinds: {A: {native: any, tag: Some.A}, B: {native: any, tag: Some.A}}\n"
    "calculations: {A: {expression: level}, B: {expression: level}}\n"
    "executions: {A: {native: any, transients: [Some.A, Some.B]},\n"
    "  B: {native: any, transients: [Some.A, Some.B]}}\n"
    "requirements: {A: {expression: level > 1}, B: {expression: level > 1}}\n"
    "conditions: {A: {expression: event.magnitude > 1}, B: {expression: event.magnitude > 1}}\n"
    "contexts: {A: 8, B: 8}\n"
    "components: {A: {fields: {x: u32}}, B: {fields: {x: u32}}}\n"
    "tickers: {C: {native: any, interval: 1}, D: {native: any, interval: 1}}\n"
    "tasks: {A: {native: any}, B: {native: any}}\n"
    "animations: {A: {length: 1}, B: {length: 1}}\n"
    "target_types: {A: {fields: {x: u32}}, B: {fields: {x: u32}}}\n"
    "custom_events: {A: {fields: {x: u32}}, B: {fields: {x: u32}}}\n"
    "targetings: {A: , B: }\n"
    "commands: {A: {native: any, fields: {x: u32}}, B: {native: any, fields: {x: u32}}}\n"
    "effect_logics: {A: {native: any}, B: {native: any}}\n"
    "effects: {A: {duration: 1, granted_tags: [Some.A]}, B: {duration: 1, granted_tags: "
    "[Some.A]},\n"
    "  Price: {modifiers: {Set.A: -1}}, Prices: {modifiers: {Set.A: -1}}}\n"
    "containers: {A: {effects: [A]}, B: {effects: [A]}}\n"
    "rules: {A: {native: any, tag: Some.A}, B: {native: any, tag: Some.A}}\n"
    "systems: {A: {native: any, rate: 5}, B: {native: any, rate: 5}}\n"
    "abilities: {A: {native: any}, B: {native: any}}\n"
    "watches: {A: {native: any}, B: {native: any}}\n"
    "ability_sets: {A: {entries: [A]}, B: {entries: [A]}}\n"
    "fail_reasons: {A: , B: }\n"
    "system_groups: {A: {number: 3}, B: }\n"
    "archetypes: {A: {sets: [Set]}, B: {sets: [Set]}}\n";

// What registration demands beside a field: `text` is added to the mapping of `table` on the way
// to fields whose path contains one of the parts of `when`, which `|` divides; after a `!`: none.
static const struct {
    const char *table;
    const char *when;
    const char *text;
} case_needs[] = {
    {"kn_ability_def", "!abilities.body|abilities.applies|abilities.lasts", "native: any"},
    {"kn_ability_def", "abilities.applies", "body: stay"},
    {"kn_ability_def", "abilities.lasts", "body: timed"},
    {"kn_ability_set_entry", "", "type: A"},
    {"kn_animation_def", "", "length: 9"},
    {"kn_ability_apply_def", "!applies.effect|applies.container", "effect: A"},
    {"kn_ability_apply_def", "applies.targeting", "to: targeting"},
    {"kn_archetype_def", "", "sets: [Set]"},
    {"kn_archetype_effect", "", "type: A"},
    {"kn_archetype_timer", "", "type: A"},
    {"kn_archetype_value", "", "attribute: Set.A"},
    {"kn_attribute_condition", "", "attribute: Set.A"},
    {"kn_attribute_condition", "", "max: 5"},
    {"kn_attribute_condition", "", "min: 0"},
    {"kn_attribute_condition", "", "below: 7"},
    {"kn_attribute_def", "", "name: A"},
    {"kn_attribute_def", "attributes.qualify", "policy: A"},
    {"kn_attribute_def", "event_kind", "is_meta: true"},
    {"kn_attribute_def", "random_max", "random_min: 0"},
    {"kn_attribute_def", "random_min", "random_max: 9"},
    {"kn_custom_event_def", "command", "fields: {x: u32}"},
    {"kn_command_def", "", "native: any"},
    {"kn_calculation_def", "captures", "native: any"},
    {"kn_cancel_def", "on_tick", "with: [Some.A]"},
    {"kn_capture", "", "attribute: Set.A"},
    {"kn_child_def", "", "type: A"},
    {"kn_calculation_modifier", "", "transient: Some.A"},
    {"kn_check_def", "", "native: any"},
    {"kn_component_def", "item_|several|sync", "fields: [{name: x, kind: u8}]"},
    {"kn_component_def", "components.references", "fields: {A: entity, B: entity}"},
    {"kn_component_def", "components.references", "item_fields: {A: entity, B: entity}"},
    {"kn_component_reference", "", "field: A"},
    {"kn_container_def", "", "effects: [A]"},
    {"kn_container_def", "target", "native: any"},
    {"kn_container_def", "target", "targeting_type: A"},
    {"kn_cost_def", "", "attribute: Set.A"},
    {"kn_curve_def", "", "points: [[1, 1]]"},
    {"kn_effect_def", "", "duration: 5"},
    {"kn_effect_def", "executions|is_periodic|modifiers.magnitude.kind|on_tick", "period: 1"},
    {"kn_effect_def", "parameter", "parameters: {A: 1, B: 1}"},
    {"kn_execution_def", "", "native: any"},
    {"kn_execution_use", "", "execution: A"},
    {"kn_field", "", "kind: u8"},
    {"kn_field", "", "name: x"},
    {"kn_gate_def", "!gates.kind", "parts: [Some.A]"},
    {"kn_gate_def", "gates.kind", "source_any: [Some.A]"},
    {"kn_grant_def", "", "ability: A"},
    {"kn_magnitude", "magnitude.kind|duration.kind|period.kind|haste.kind|chance.kind",
        "calculation: A"},
    {"kn_magnitude", "magnitude.kind|duration.kind|period.kind|haste.kind|chance.kind",
        "caller_tag: Some.A"},
    {"kn_magnitude", "magnitude.kind|duration.kind|period.kind|haste.kind|chance.kind",
        "capture: source.Set.A"},
    {"kn_magnitude", "effects.chance", "scale: 0.75"},
    {"kn_magnitude", "!effects.chance", "scale: 3"},
    {"kn_modifier_def", "!modifiers.event|modifiers.condition|modifiers.value", "attribute: Set.A"},
    {"kn_modifier_def", "modifiers.event|modifiers.condition", "value: A"},
    {"kn_modifier_def", "", "magnitude: 1"},
    {"kn_named_value", "", "name: A"},
    {"kn_notify_def", "", "tag: Some.A"},
    {"kn_parameter_def", "", "name: A"},
    {"kn_raise_def", "", "tag: Some.A"},
    {"kn_rule_def", "", "attribute: Set.A"},
    {"kn_rule_def", "", "native: any"},
    {"kn_rule_def", "", "tag: Some.A"},
    {"kn_scalable", "duration.|period.|haste.|lasts.", "value: 3"},
    {"kn_section_def", "", "name: A"},
    {"kn_stacking", "", "kind: by_target"},
    {"kn_stacking", "clear_on_overflow", "deny_overflow: true"},
    {"kn_system_def", "", "native: any"},
    {"kn_system_def", "!systems.period", "rate: 10"},
    {"kn_tag_edit", "", "tag: Some.A"},
    {"kn_tag_edit", "tag_edits.kind", "with: Some.B"},
    {"kn_targeting_def", "", "native: any"},
    {"kn_task_type_def", "", "native: any"},
    {"kn_ticker_def", "", "native: any"},
    {"kn_ticker_def", "", "interval: 3"},
    {"kn_trigger_def", "", "tag: Some.A"},
    {"kn_watch_def", "", "native: any"},
    {"kn_watch_def", "", "tag: Some.A"},
    {"kn_watch_def", "", "attribute: Set.A"},
    {"kn_watch_def", "watches.kind", "query: all_tags(Some.A)"},
    {"kn_wire", "wire.min", "max: 9"},
};

// Values for fields where plain ones are refused, or where a text means something.
static const struct {
    const char *field; // "kn_effect_def.cue_tags", or a path
    const char *values[2];
} case_values[] = {
    {"kn_calculation_def.expression", {"level", "level + 1"}},
    {"kn_ability_def.cost_effect", {"Price", "Prices"}},
    {"kn_effect_def.cue_tags", {"[GameplayCue.A]", "[GameplayCue.B]"}},
    {"kn_limit.attribute", {"Set.A", "Set.B"}},
    {"effects.chance.scale.value", {"0.25", "0.5"}},
    {"kn_targeting_def.cosine", {"0.25", "0.5"}},
};

// Words that registration refuses at some place, whatever stands beside them.
static const struct {
    const char *field;
    const char *words;
} case_refused[] = {
    {"kn_calculation_modifier.op", " multiply_additive divide_additive multiply_compound "
                                   "divide_compound add_final "},
    {"kn_attribute_condition.from", " causer "},
    {"kn_ability_apply_def.to", " targeting "},
};

// Fields that cannot change alone, since others follow from them or they from others: two bodies,
// and what differs in their defs.
typedef struct case_pair {
    const char *path;
    const char *bodies[2];
    const char *changed;
} case_pair;

// The fields of a state, in each kind of def that has one.
#define CASE_STATE_PAIRS(section)                                                                  \
    {section ".state_fields.kind",                                                                 \
        {"{native: any, state_fields: {x: u8}}", "{native: any, state_fields: {x: entity}}"},      \
        section ".state_size " section ".state_fields.kind "},                                     \
        {section ".state_fields.count",                                                            \
            {"{native: any, state_fields: {x: {kind: u8, count: 2}}}",                             \
                "{native: any, state_fields: {x: {kind: u8, count: 3}}}"},                         \
            section ".state_size " section ".state_fields.count "},                                \
    {                                                                                              \
        section ".state_fields.offset",                                                            \
            {"{native: any, state_fields: {x: u8, y: {kind: u8, offset: 1}}}",                     \
                "{native: any, state_fields: {x: u16, y: {kind: u8, offset: 2}}}"},                \
            section ".state_size " section ".state_fields.kind " section ".state_fields.offset "   \
    }

static const case_pair case_pairs[] = {
    CASE_STATE_PAIRS("abilities"),
    CASE_STATE_PAIRS("tasks"),
    CASE_STATE_PAIRS("watches"),
    {"tickers.state_size",
        {"{native: any, interval: 1, state_fields: {x: u8}}",
            "{native: any, interval: 1, state_fields: {x: u16}}"},
        "tickers.state_size tickers.state_fields.kind "},
    {"tickers.state_fields.name",
        {"{native: any, interval: 1, state_fields: {x: u8}}",
            "{native: any, interval: 1, state_fields: {y: u8}}"},
        "tickers.state_fields.name "},
    {"tickers.state_fields.kind",
        {"{native: any, interval: 1, state_fields: {x: u8}}",
            "{native: any, interval: 1, state_fields: {x: entity}}"},
        "tickers.state_size tickers.state_fields.kind "},
    {"tickers.state_fields.count",
        {"{native: any, interval: 1, state_fields: {x: {kind: u8, count: 2}}}",
            "{native: any, interval: 1, state_fields: {x: {kind: u8, count: 3}}}"},
        "tickers.state_size tickers.state_fields.count "},
    {"tickers.state_fields.offset",
        {"{native: any, interval: 1, state_fields: {x: u8, y: {kind: u8, offset: 1}}}",
            "{native: any, interval: 1, state_fields: {x: u16, y: {kind: u8, offset: 2}}}"},
        "tickers.state_size tickers.state_fields.kind tickers.state_fields.offset "},
    CASE_STATE_PAIRS("effect_logics"),
    {"components.size", {"{size: 1, fields: {x: u8}}", "{size: 2, fields: {x: u16}}"},
        "components.size components.fields.kind "},
    {"components.fields.kind", {"{fields: {x: u8}}", "{fields: {x: entity}}"},
        "components.size components.fields.kind "},
    {"components.fields.count",
        {"{fields: {x: {kind: u8, count: 2}}}", "{fields: {x: {kind: u8, count: 3}}}"},
        "components.size components.fields.count "},
    {"components.fields.offset",
        {"{fields: {x: u8, y: {kind: u8, offset: 1}}}",
            "{fields: {x: u16, y: {kind: u8, offset: 2}}}"},
        "components.size components.fields.kind components.fields.offset "},
    {"components.item_size",
        {"{fields: {x: u8}, item_size: 1, item_fields: {x: u8}}",
            "{fields: {x: u8}, item_size: 2, item_fields: {x: u16}}"},
        "components.item_size components.item_fields.kind "},
    {"components.item_fields.kind",
        {"{fields: {x: u8}, item_fields: {x: u8}}", "{fields: {x: u8}, item_fields: {x: entity}}"},
        "components.item_size components.item_fields.kind "},
    {"components.item_fields.count",
        {"{fields: {x: u8}, item_fields: {x: {kind: u8, count: 2}}}",
            "{fields: {x: u8}, item_fields: {x: {kind: u8, count: 3}}}"},
        "components.item_size components.item_fields.count "},
    {"components.item_fields.offset",
        {"{fields: {x: u8}, item_fields: {x: u8, y: {kind: u8, offset: 1}}}",
            "{fields: {x: u8}, item_fields: {x: u16, y: {kind: u8, offset: 2}}}"},
        "components.item_size components.item_fields.kind components.item_fields.offset "},
    {"target_types.size", {"{size: 1, fields: {x: u8}}", "{size: 2, fields: {x: u16}}"},
        "target_types.size target_types.fields.kind "},
    {"target_types.fields.kind", {"{fields: {x: u8}}", "{fields: {x: entity}}"},
        "target_types.size target_types.fields.kind "},
    {"target_types.fields.count",
        {"{fields: {x: {kind: u8, count: 2}}}", "{fields: {x: {kind: u8, count: 3}}}"},
        "target_types.size target_types.fields.count "},
    {"target_types.fields.offset",
        {"{fields: {x: u8, y: {kind: u8, offset: 1}}}",
            "{fields: {x: u16, y: {kind: u8, offset: 2}}}"},
        "target_types.size target_types.fields.kind target_types.fields.offset "},
    {"commands.size",
        {"{native: any, size: 1, fields: {x: u8}}", "{native: any, size: 2, fields: {x: u16}}"},
        "commands.size commands.fields.kind "},
    {"commands.fields.kind",
        {"{native: any, fields: {x: u8}}", "{native: any, fields: {x: entity}}"},
        "commands.size commands.fields.kind "},
    {"commands.fields.count",
        {"{native: any, fields: {x: {kind: u8, count: 2}}}",
            "{native: any, fields: {x: {kind: u8, count: 3}}}"},
        "commands.size commands.fields.count "},
    {"commands.fields.offset",
        {"{native: any, fields: {x: u8, y: {kind: u8, offset: 1}}}",
            "{native: any, fields: {x: u16, y: {kind: u8, offset: 2}}}"},
        "commands.size commands.fields.kind commands.fields.offset "},
    {"custom_events.size", {"{size: 1, fields: {x: u8}}", "{size: 2, fields: {x: u16}}"},
        "custom_events.size custom_events.fields.kind "},
    {"custom_events.fields.kind", {"{fields: {x: u8}}", "{fields: {x: entity}}"},
        "custom_events.size custom_events.fields.kind "},
    {"custom_events.fields.count",
        {"{fields: {x: {kind: u8, count: 2}}}", "{fields: {x: {kind: u8, count: 3}}}"},
        "custom_events.size custom_events.fields.count "},
    {"custom_events.fields.offset",
        {"{fields: {x: u8, y: {kind: u8, offset: 1}}}",
            "{fields: {x: u16, y: {kind: u8, offset: 2}}}"},
        "custom_events.size custom_events.fields.kind custom_events.fields.offset "},
    {"abilities.state_fields.refers_to",
        {"{native: any, state_fields: {x: {kind: ref, refers_to: effect}}}",
            "{native: any, state_fields: {x: {kind: ref, refers_to: ability}}}"},
        "abilities.state_fields.refers_to "},
    {"abilities.state_fields.words",
        {"{native: any, state_fields: {x: {kind: enum, words: a b}}}",
            "{native: any, state_fields: {x: {kind: enum, words: a c}}}"},
        "abilities.state_fields.words "},
    {"tasks.state_fields.refers_to",
        {"{native: any, state_fields: {x: {kind: ref, refers_to: effect}}}",
            "{native: any, state_fields: {x: {kind: ref, refers_to: ability}}}"},
        "tasks.state_fields.refers_to "},
    {"tasks.state_fields.words",
        {"{native: any, state_fields: {x: {kind: enum, words: a b}}}",
            "{native: any, state_fields: {x: {kind: enum, words: a c}}}"},
        "tasks.state_fields.words "},
    {"effect_logics.state_fields.refers_to",
        {"{native: any, state_fields: {x: {kind: ref, refers_to: effect}}}",
            "{native: any, state_fields: {x: {kind: ref, refers_to: ability}}}"},
        "effect_logics.state_fields.refers_to "},
    {"effect_logics.state_fields.words",
        {"{native: any, state_fields: {x: {kind: enum, words: a b}}}",
            "{native: any, state_fields: {x: {kind: enum, words: a c}}}"},
        "effect_logics.state_fields.words "},
    {"systems.group_name",
        {"{native: any, rate: 10, group_name: A}", "{native: any, rate: 10, group_name: movement}"},
        "systems.group_name "},
    {"watches.state_size",
        {"{native: any, state_fields: {x: u8}}", "{native: any, state_fields: {x: u16}}"},
        "watches.state_size watches.state_fields.kind "},
    {"watches.state_fields.refers_to",
        {"{native: any, state_fields: {x: {kind: ref, refers_to: effect}}}",
            "{native: any, state_fields: {x: {kind: ref, refers_to: ability}}}"},
        "watches.state_fields.refers_to "},
    {"watches.state_fields.words",
        {"{native: any, state_fields: {x: {kind: enum, words: one two}}}",
            "{native: any, state_fields: {x: {kind: enum, words: two one}}}"},
        "watches.state_fields.words "},
    {"tickers.state_fields.refers_to",
        {"{native: any, interval: 1, state_fields: {x: {kind: ref, refers_to: effect}}}",
            "{native: any, interval: 1, state_fields: {x: {kind: ref, refers_to: ability}}}"},
        "tickers.state_fields.refers_to "},
    {"tickers.state_fields.words",
        {"{native: any, interval: 1, state_fields: {x: {kind: enum, words: a b}}}",
            "{native: any, interval: 1, state_fields: {x: {kind: enum, words: a c}}}"},
        "tickers.state_fields.words "},
    {"components.fields.refers_to",
        {"{fields: {x: {kind: ref, refers_to: effect}}}",
            "{fields: {x: {kind: ref, refers_to: ability}}}"},
        "components.fields.refers_to "},
    {"components.fields.words",
        {"{fields: {x: {kind: enum, words: a b}}}", "{fields: {x: {kind: enum, words: a c}}}"},
        "components.fields.words "},
    {"components.item_fields.refers_to",
        {"{fields: {x: u8}, item_fields: {x: {kind: ref, refers_to: effect}}}",
            "{fields: {x: u8}, item_fields: {x: {kind: ref, refers_to: ability}}}"},
        "components.item_fields.refers_to "},
    {"components.item_fields.words",
        {"{fields: {x: u8}, item_fields: {x: {kind: enum, words: a b}}}",
            "{fields: {x: u8}, item_fields: {x: {kind: enum, words: a c}}}"},
        "components.item_fields.words "},
    {"target_types.fields.refers_to",
        {"{fields: {x: {kind: ref, refers_to: effect}}}",
            "{fields: {x: {kind: ref, refers_to: ability}}}"},
        "target_types.fields.refers_to "},
    {"target_types.fields.words",
        {"{fields: {x: {kind: enum, words: a b}}}", "{fields: {x: {kind: enum, words: a c}}}"},
        "target_types.fields.words "},
    {"commands.fields.refers_to",
        {"{native: any, fields: {x: {kind: ref, refers_to: effect}}}",
            "{native: any, fields: {x: {kind: ref, refers_to: ability}}}"},
        "commands.fields.refers_to "},
    {"commands.fields.words",
        {"{native: any, fields: {x: {kind: enum, words: a b}}}",
            "{native: any, fields: {x: {kind: enum, words: a c}}}"},
        "commands.fields.words "},
    {"custom_events.fields.refers_to",
        {"{fields: {x: {kind: ref, refers_to: effect}}}",
            "{fields: {x: {kind: ref, refers_to: ability}}}"},
        "custom_events.fields.refers_to "},
    {"custom_events.fields.words",
        {"{fields: {x: {kind: enum, words: a b}}}", "{fields: {x: {kind: enum, words: a c}}}"},
        "custom_events.fields.words "},
    {"abilities.body", {"{body: use}", "{body: held}"}, "abilities.body "},
    {"effects.children.type_name", {"{children: [{type_name: A}]}", "{children: [{type_name: B}]}"},
        "effects.children.type effects.children.type_name "},
};

// Documents -----------------------------------------------------------------

typedef struct case_text {
    char *data;
    size_t size, length;
} case_text;

static inline void case_put(case_text *text, const char *format, ...) KN_PRINTF(2, 3);
static inline void case_put(case_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(text->data + text->length, text->size - text->length, format, arguments);
    va_end(arguments);
    assert_true(added >= 0 && (size_t)added < text->size - text->length);
    text->length += (size_t)added;
}

static inline const kn_def_field *case_leaf(const field_case *c)
{
    return c->fields[c->depth - 1];
}

// "kn_effect_def.parent"
static inline void case_field_name(const field_case *c, char *name, size_t size)
{
    (void)snprintf(name, size, "%s.%s", c->tables[c->depth - 1]->name, case_leaf(c)->name);
}

// The pair for a field that cannot change alone, or NULL.
static inline const case_pair *case_pair_of(const field_case *c)
{
    for (size_t i = 0; i < sizeof(case_pairs) / sizeof(*case_pairs); i++) {
        if (strcmp(case_pairs[i].path, c->path) == 0) {
            return &case_pairs[i];
        }
    }
    return NULL;
}

// Whether a value can be registered.
static inline bool case_is_good(const field_case *c, uint32_t number)
{
    char full[128], word[64];
    case_field_name(c, full, sizeof(full));
    for (size_t i = 0; i < sizeof(case_refused) / sizeof(*case_refused); i++) {
        if (strcmp(case_refused[i].field, full) == 0) {
            (void)snprintf(word, sizeof(word), " %s ", case_leaf(c)->names[number]);
            return strstr(case_refused[i].words, word) == NULL;
        }
    }
    return true;
}

static inline bool case_path_has(const field_case *c, const char *when)
{
    bool wanted = when[0] != '!';
    if (when[0] == 0) {
        return true;
    }
    for (const char *part = when + !wanted; part != NULL;) {
        const char *end = strchr(part, '|');
        char word[64];
        size_t length = end != NULL ? (size_t)(end - part) : strlen(part);
        assert_true(length < sizeof(word));
        memcpy(word, part, length);
        word[length] = 0;
        if (strstr(c->path, word) != NULL) {
            return wanted;
        }
        part = end != NULL ? end + 1 : NULL;
    }
    return !wanted;
}

// The text of a value; `number` counts them from 0.
static inline void case_put_value(case_text *text, const field_case *c, uint32_t number)
{
    const kn_def_field *field = case_leaf(c);
    char full[128];
    case_field_name(c, full, sizeof(full));
    for (size_t i = 0; i < sizeof(case_values) / sizeof(*case_values); i++) {
        if (strcmp(case_values[i].field, full) == 0 || strcmp(case_values[i].field, c->path) == 0) {
            case_put(text, "%s", case_values[i].values[number]);
            return;
        }
    }
    char letter = number == 0 ? 'A' : 'B';
    const char *list = field->kind == KN_DEF_FIELD_REFS ? "[" : "";
    const char *list_end = field->kind == KN_DEF_FIELD_REFS ? "]" : "";
    switch (field->kind) {
    case KN_FIELD_BOOL:
        case_put(text, "%s", number == 0 ? "true" : "false");
        break;
    case KN_FIELD_VEC3:
        case_put(text, "[%u, 2, 3.5]", number);
        break;
    case KN_DEF_FIELD_ENUM:
        case_put(text, "%s", field->names[number]);
        break;
    case KN_DEF_FIELD_REF:
    case KN_DEF_FIELD_REFS:
        if (field->limit == KN_DEF_ATTRIBUTE) {
            case_put(text, "%sSet.%c%s", list, letter, list_end);
        } else if (field->limit == KN_DEF_TAG) {
            case_put(text, "%sSome.%c%s", list, letter, list_end);
        } else if (field->limit == KN_DEF_ATTRIBUTE_SET) {
            case_put(text, "%s%s%s", list, number == 0 ? "Set" : "Sets", list_end);
        } else {
            case_put(text, "%s%c%s", list, letter, list_end);
        }
        break;
    case KN_DEF_FIELD_TAGS:
        case_put(text, "[Some.%c]", letter);
        break;
    case KN_DEF_FIELD_QUERY:
        case_put(text, "any_tags(Some.%c)", letter);
        break;
    case KN_DEF_FIELD_STRING:
        case_put(text, "%c", letter);
        break;
    default:
        case_put(text, "%u", number + 1);
        break;
    }
}

// The value with this number, or `instead` of it another text.
static inline void case_put_struct_with(
    case_text *text, const field_case *c, uint32_t level, uint32_t number, const char *instead)
{
    const kn_def_field *field = c->fields[level];
    case_put(text, "{");
    for (size_t i = 0; i < sizeof(case_needs) / sizeof(*case_needs); i++) {
        size_t length = strlen(field->name);
        if (strcmp(case_needs[i].table, c->tables[level]->name) == 0 &&
            case_path_has(c, case_needs[i].when) &&
            !(strncmp(case_needs[i].text, field->name, length) == 0 &&
                case_needs[i].text[length] == ':')) {
            case_put(text, "%s, ", case_needs[i].text);
        }
    }
    case_put(text, "%s: ", field->name);
    if (level + 1 == c->depth && instead != NULL) {
        case_put(text, "%s", instead);
    } else if (level + 1 == c->depth) {
        case_put_value(text, c, number);
    } else if (field->kind == KN_DEF_FIELD_ARRAY) {
        case_put(text, "[");
        case_put_struct_with(text, c, level + 1, number, instead);
        case_put(text, "]");
    } else {
        case_put_struct_with(text, c, level + 1, number, instead);
    }
    case_put(text, "}");
}

// The document that sets the field to a value; the definition is called Subject.
static inline void case_document(const field_case *c, uint32_t number, char *out, size_t size)
{
    case_text text = {out, size, 0};
    const case_pair *pair = case_pair_of(c);
    case_put(&text, "%s:\n  Subject: ", c->section);
    if (pair != NULL) {
        case_put(&text, "%s", pair->bodies[number]);
    } else {
        case_put_struct_with(&text, c, 0, number, NULL);
    }
    case_put(&text, "\n");
}

// Cases ---------------------------------------------------------------------

static inline void case_walk(
    field_case *c, const kn_def_table *table, field_case_fn *visit, void *user)
{
    assert_true(c->depth < CASE_DEPTH_MAX);
    size_t length = strlen(c->path);
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        bool is_left_out = c->depth == 0 && strcmp(field->name, "name") == 0;
        // Parameters are of effects; elsewhere registration refuses them.
        is_left_out |= c->kind != KN_DEF_EFFECT && strcmp(table->name, "kn_scalable") == 0 &&
                       strcmp(field->name, "parameter") == 0;
        if (field->kind == KN_DEF_FIELD_POINTER || field->kind == KN_DEF_FIELD_COOKIE ||
            is_left_out) {
            continue;
        }
        c->tables[c->depth] = table;
        c->fields[c->depth++] = field;
        (void)snprintf(c->path + length, sizeof(c->path) - length, ".%s", field->name);
        if (field->table != NULL) {
            case_walk(c, field->table, visit, user);
        } else {
            c->value_count =
                field->kind == KN_DEF_FIELD_ENUM && case_pair_of(c) == NULL ? field->limit : 2;
            visit(c, user);
        }
        c->depth--;
    }
    c->path[length] = 0;
}

// Calls `visit` for every field of every def.
static inline void each_field_case(field_case_fn *visit, void *user)
{
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < KN_DEF_KIND_COUNT; i++) {
        kinds += kn_def_table_of((kn_def_kind)i) != NULL && i != KN_DEF_ATTRIBUTE;
    }
    assert_int_equal(kinds, CASE_SECTIONS); // a new kind needs a section
    for (size_t i = 0; i < CASE_SECTIONS; i++) {
        field_case c = {.section = case_sections[i].key, .kind = case_sections[i].kind};
        (void)snprintf(c.path, sizeof(c.path), "%s", c.section);
        case_walk(&c, kn_def_table_of(c.kind), visit, user);
    }
}

// Functions -----------------------------------------------------------------

static inline void case_function(void)
{
}

// Gives every function and user pointer of a def a value; nobody calls them.
static inline void case_fill_pointers(const kn_def_table *table, void *def)
{
    void (*function)(void) = case_function;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        void *at = (uint8_t *)def + field->offset;
        if (field->kind == KN_DEF_FIELD_POINTER) {
            memcpy(at, &function, sizeof(function));
        } else if (field->kind == KN_DEF_FIELD_STRUCT) {
            case_fill_pointers(field->table, at);
        }
    }
}

static inline void case_add_native(kn_data *data, kn_def_kind kind, const char *name)
{
    const kn_def_table *table = kn_def_table_of(kind);
    void *hooks = calloc(1, table->size);
    assert_non_null(hooks);
    kn_def_init(table, hooks);
    case_fill_pointers(table, hooks);
    assert_int_equal(kn_data_add_native(data, kind, name, hooks), KN_OK);
    free(hooks);
}

// What has no def comes from C.
static inline kn_result case_prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    static const kn_def_kind kinds[2] = {KN_DEF_POLICY, KN_DEF_TIMER};
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < 4 && result == KN_OK; i++) {
        result = natives_register(library, kinds[i / 2], i % 2 == 0 ? "A" : "B", error);
    }
    return result;
}

// With the context, and functions called `any` for every kind.
static inline kn_data *case_data(void)
{
    kn_data_def def = kn_data_def_default();
    def.prepare = case_prepare;
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    for (size_t i = 0; i < CASE_SECTIONS; i++) {
        case_add_native(data, case_sections[i].kind, "any");
    }
    data_add(data, "context.yaml", case_context);
    return data;
}

// The library of one document of a case, or NULL with the messages printed.
static inline kn_library *case_build(const field_case *c, uint32_t number)
{
    char text[CASE_TEXT_MAX];
    case_document(c, number, text, sizeof(text));
    kn_data *data = case_data();
    data_add(data, "case.yaml", text);
    kn_library *library;
    if (kn_data_build(data, &library) != KN_OK) {
        print_error("%s, refused:\n%s", c->path, text);
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            char line[512];
            (void)kn_data_message_print(data, i, line, sizeof(line));
            print_error("    %s\n", line);
        }
    }
    kn_data_destroy(data);
    return library;
}

#endif
