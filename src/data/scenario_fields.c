// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Plain data of components, states, payloads and target data: values as they are written against
// bytes as their field tables say.

#include "scenario_run.h"
#include "scenario_tables.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static uint32_t element_size(kn_field_kind kind)
{
    kn_def_field field = {.kind = (uint8_t)kind};
    return (uint32_t)kn_def_field_size(&field);
}

// Reading -------------------------------------------------------------------

static kn_result word_refuse(kn_error *error, const char *what, const char *word)
{
    error->code = KN_ERROR_BAD_DATA;
    (void)snprintf(error->message, sizeof(error->message), "there is no %s `%s`", what, word);
    return KN_ERROR_BAD_DATA;
}

static kn_result read_whole(
    kni_node node, kn_field_kind kind, kni_element *out, uint32_t size, kn_error *error)
{
    if (kind == KN_FIELD_I32 || kind == KN_FIELD_I64) {
        int64_t value;
        int64_t most = kind == KN_FIELD_I32 ? INT32_MAX : INT64_MAX;
        kn_result result = kni_node_i64(node, -most - 1, most, &value, error);
        int32_t small = (int32_t)value;
        memcpy(out->bytes, kind == KN_FIELD_I32 ? (void *)&small : (void *)&value, size);
        return result;
    }
    uint64_t value;
    uint64_t most = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    kn_result result = kni_node_u64(node, 0, most, &value, error);
    uint8_t u8 = (uint8_t)value;
    uint16_t u16 = (uint16_t)value;
    uint32_t u32 = (uint32_t)value;
    const void *from = size == 1   ? (void *)&u8
                       : size == 2 ? (void *)&u16
                       : size == 4 ? (void *)&u32
                                   : (void *)&value;
    memcpy(out->bytes, from, size);
    return result;
}

static kn_result read_vector(kni_node node, kni_element *out, kn_error *error)
{
    float parts[3] = {0.0f};
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE || kni_node_count(node) != 3) {
        return kni_node_refuse(node, "a list of three numbers [x, y, z]", error);
    }
    uint32_t i = 0;
    kn_result result = KN_OK;
    kni_children children = kni_node_children(node);
    for (kni_node child; result == KN_OK && kni_children_next(&children, &child); i++) {
        result = kni_node_f32(child, -FLT_MAX, FLT_MAX, &parts[i], error);
    }
    memcpy(out->bytes, parts, sizeof(parts));
    return result;
}

// What a scenario can name of each kind of live id; tasks have no names.
static const struct {
    kni_name_kind kind;
    const char *what;
} id_names[KN_FIELD_KIND_END] = {
    [KN_FIELD_ENTITY] = {KNI_NAME_ENTITY, "entity"},
    [KN_FIELD_EFFECT] = {KNI_NAME_EFFECT, "effect"},
    [KN_FIELD_ABILITY] = {KNI_NAME_ABILITY, "ability"},
    [KN_FIELD_ACTIVATION] = {KNI_NAME_ACTIVATION, "activation"},
    [KN_FIELD_TASK] = {KNI_NAME_KIND_COUNT, "task"},
    [KN_FIELD_TIMER] = {KNI_NAME_TIMER, "timer"},
    [KN_FIELD_SPEC] = {KNI_NAME_SPEC, "spec"},
};

// A name of the scenario; `run` says what it stands for. All live ids have the same form.
static kn_result read_id(const kn_scenario *scenario, const kn_scenario_run *run,
    kn_field_kind kind, kni_node node, kni_element *out, kn_error *error)
{
    const char *text;
    if (kni_node_is_null(node)) {
        return KN_OK;
    }
    kn_result result = kni_node_text(node, &text, error);
    if (result != KN_OK) {
        return result;
    }
    bool has_names = id_names[kind].kind != KNI_NAME_KIND_COUNT;
    uint32_t name = has_names ? kni_name_find(scenario, id_names[kind].kind, text) : 0;
    if (name == 0) {
        return word_refuse(error, id_names[kind].what, text);
    }
    kn_entity_id id = kn_entity_id_unpack(run != NULL ? kni_run_packed(run, name) : 0);
    memcpy(out->bytes, &id, sizeof(id));
    return KN_OK;
}

static kn_result read_registered(
    const kn_scenario *scenario, kn_def_kind kind, kni_node node, kni_element *out, kn_error *error)
{
    const char *text;
    if (kni_node_is_null(node)) {
        return KN_OK;
    }
    kn_result result = kni_node_text(node, &text, error);
    if (result != KN_OK) {
        return result;
    }
    uint32_t index1 = kn_def_find(scenario->library, kind, text);
    memcpy(out->bytes, &index1, sizeof(index1));
    return index1 > 0 ? KN_OK : word_refuse(error, kn_kind_name(scenario->library, kind), text);
}

// A word of the field.
static kn_result read_word(const kn_field *field, kni_node node, kni_element *out, kn_error *error)
{
    const char *text;
    kn_result result = kni_node_text(node, &text, error);
    if (result != KN_OK) {
        return result;
    }
    uint32_t value = kn_words_find(field->words, text);
    if (value == UINT32_MAX) {
        error->code = KN_ERROR_BAD_DATA;
        (void)snprintf(error->message, sizeof(error->message),
            "%.50s has no word `%.50s`; it has: %.90s", field->name, text, field->words);
        return KN_ERROR_BAD_DATA;
    }
    memcpy(out->bytes, &value, sizeof(value));
    return KN_OK;
}

// The kind of definition that a field refers to.
static kn_def_kind refers_to(const kn_library *library, const kn_field *field)
{
    switch (field->kind) {
    case KN_FIELD_TAG:
        return KN_DEF_TAG;
    case KN_FIELD_ATTRIBUTE:
        return KN_DEF_ATTRIBUTE;
    case KN_FIELD_CURVE:
        return KN_DEF_CURVE;
    default:
        return kn_kind_find(library, field->refers_to);
    }
}

kn_result kni_element_read(const kn_scenario *scenario, const kn_scenario_run *run,
    const kn_field *field, kni_node node, kni_element *out, kn_error *error)
{
    kn_field_kind kind = field->kind;
    *out = (kni_element){{0}};
    bool truth = false;
    float number = 0.0f;
    kn_time time = 0;
    kn_result result;
    switch (kind) {
    case KN_FIELD_BOOL:
        result = kni_node_bool(node, &truth, error);
        out->bytes[0] = truth;
        return result;
    case KN_FIELD_F32:
        result = kni_node_f32(node, -FLT_MAX, FLT_MAX, &number, error);
        memcpy(out->bytes, &number, sizeof(number));
        return result;
    case KN_FIELD_TIME:
        result = kni_node_time(node, -KN_TIME_MAX, KN_TIME_INFINITE, &time, error);
        memcpy(out->bytes, &time, sizeof(time));
        return result;
    case KN_FIELD_VEC3:
        return read_vector(node, out, error);
    case KN_FIELD_ENTITY:
    case KN_FIELD_EFFECT:
    case KN_FIELD_ABILITY:
    case KN_FIELD_ACTIVATION:
    case KN_FIELD_TASK:
    case KN_FIELD_TIMER:
    case KN_FIELD_SPEC:
        return read_id(scenario, run, kind, node, out, error);
    case KN_FIELD_TAG:
    case KN_FIELD_ATTRIBUTE:
    case KN_FIELD_CURVE:
    case KN_FIELD_REF:
        return read_registered(scenario, refers_to(scenario->library, field), node, out, error);
    case KN_FIELD_ENUM:
        return read_word(field, node, out, error);
    default:
        return read_whole(node, kind, out, element_size(kind), error);
    }
}

// Comparing -----------------------------------------------------------------

static bool floats_near(
    const uint8_t *found, const uint8_t *wanted, uint32_t count, const kni_tolerance *tolerance)
{
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) {
        float a, b;
        memcpy(&a, found + sizeof(a) * i, sizeof(a));
        memcpy(&b, wanted + sizeof(b) * i, sizeof(b));
        ok &= kni_is_near(a, b, tolerance);
    }
    return ok;
}

bool kni_element_is(const kn_field *field, const uint8_t *found, const uint8_t *wanted,
    const kni_tolerance *tolerance)
{
    kn_time a = 0, b = 0;
    switch (field->kind) {
    case KN_FIELD_F32:
        return floats_near(found, wanted, 1, tolerance);
    case KN_FIELD_VEC3:
        return floats_near(found, wanted, 3, tolerance);
    case KN_FIELD_TIME:
        memcpy(&a, found, sizeof(a));
        memcpy(&b, wanted, sizeof(b));
        return kni_time_is_near(a, b, tolerance);
    default:
        return memcmp(found, wanted, element_size(field->kind)) == 0;
    }
}

static void print_registered(
    const kn_scenario_run *run, kn_def_kind kind, const uint8_t *bytes, kni_line *line)
{
    uint32_t index1;
    memcpy(&index1, bytes, sizeof(index1));
    const char *name = kn_def_name(run->scenario->library, kind, index1);
    kni_line_add(line, "%s", index1 > 0 ? name : "none");
}

static void print_entity(const kn_scenario_run *run, const uint8_t *bytes, kni_line *line)
{
    kn_entity_id id;
    memcpy(&id, bytes, sizeof(id));
    const char *name = kn_scenario_run_name(run, id);
    kni_line_add(line, "%s",
        name != NULL               ? name
        : kn_entity_id_is_null(id) ? "nobody"
                                   : "an unnamed entity");
}

static void print_id(
    const kn_scenario_run *run, kn_field_kind kind, const uint8_t *bytes, kni_line *line)
{
    kn_entity_id id;
    memcpy(&id, bytes, sizeof(id));
    for (uint32_t i = 0; i < run->scenario->name_count; i++) {
        if (run->scenario->names[i].kind == id_names[kind].kind && run->names[i] != 0 &&
            run->names[i] == kn_entity_id_pack(id)) {
            kni_line_add(line, "%s", run->scenario->names[i].text);
            return;
        }
    }
    if (kn_entity_id_is_null(id)) {
        kni_line_add(line, "none");
    } else {
        kni_line_add(line, "an unnamed %s", id_names[kind].what);
    }
}

static void print_whole(kn_field_kind kind, const uint8_t *bytes, kni_line *line)
{
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    int32_t i32;
    int64_t i64;
    switch (kind) {
    case KN_FIELD_U16:
        memcpy(&u16, bytes, sizeof(u16));
        kni_line_add(line, "%u", u16);
        return;
    case KN_FIELD_U32:
        memcpy(&u32, bytes, sizeof(u32));
        kni_line_add(line, "%u", u32);
        return;
    case KN_FIELD_I32:
        memcpy(&i32, bytes, sizeof(i32));
        kni_line_add(line, "%d", i32);
        return;
    case KN_FIELD_U64:
        memcpy(&u64, bytes, sizeof(u64));
        kni_line_add(line, "%llu", (unsigned long long)u64);
        return;
    case KN_FIELD_I64:
        memcpy(&i64, bytes, sizeof(i64));
        kni_line_add(line, "%lld", (long long)i64);
        return;
    default:
        kni_line_add(line, "%u", bytes[0]);
        return;
    }
}

static void print_word(const kn_field *field, const uint8_t *bytes, kni_line *line)
{
    uint32_t value, length;
    memcpy(&value, bytes, sizeof(value));
    const char *word = kn_words_at(field->words, value, &length);
    if (length > 0) {
        kni_line_add(line, "%.*s", (int)length, word);
    } else {
        kni_line_add(line, "%u, which is not a word of it", value);
    }
}

void kni_element_print(
    const kn_scenario_run *run, const kn_field *field, const uint8_t *bytes, kni_line *line)
{
    kn_field_kind kind = field->kind;
    float numbers[3];
    kn_time time;
    switch (kind) {
    case KN_FIELD_BOOL:
        kni_line_add(line, "%s", bytes[0] != 0 ? "true" : "false");
        return;
    case KN_FIELD_F32:
        memcpy(numbers, bytes, sizeof(*numbers));
        kni_line_float(line, numbers[0]);
        return;
    case KN_FIELD_TIME:
        memcpy(&time, bytes, sizeof(time));
        kni_line_time(line, time);
        return;
    case KN_FIELD_VEC3:
        memcpy(numbers, bytes, sizeof(numbers));
        kni_line_vector(line, (kn_vec3){numbers[0], numbers[1], numbers[2]});
        return;
    case KN_FIELD_ENTITY:
        print_entity(run, bytes, line);
        return;
    case KN_FIELD_EFFECT:
    case KN_FIELD_ABILITY:
    case KN_FIELD_ACTIVATION:
    case KN_FIELD_TASK:
    case KN_FIELD_TIMER:
    case KN_FIELD_SPEC:
        print_id(run, kind, bytes, line);
        return;
    case KN_FIELD_TAG:
    case KN_FIELD_ATTRIBUTE:
    case KN_FIELD_CURVE:
    case KN_FIELD_REF:
        print_registered(run, refers_to(run->scenario->library, field), bytes, line);
        return;
    case KN_FIELD_ENUM:
        print_word(field, bytes, line);
        return;
    default:
        print_whole(kind, bytes, line);
        return;
    }
}

// Field tables ----------------------------------------------------------------

static const kn_field *field_find(const kni_fields_of *of, const char *name, kn_error *error)
{
    const char *words[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        if (strcmp(of->fields[i].name, name) == 0) {
            return &of->fields[i];
        }
        if (count < 64) {
            words[count++] = of->fields[i].name;
        }
    }
    kni_hint hint = kni_report_hint(words, count, name);
    error->code = KN_ERROR_BAD_DATA;
    (void)snprintf(error->message, sizeof(error->message), "%.50s has no field `%.50s`%.100s",
        of->name, name, hint.text);
    return NULL;
}

// The next element of a field that is written, in place of a list if the field is none.
typedef struct element_walk {
    kni_children children;
    kni_node single;
    uint32_t index;
} element_walk;

static bool elements_begin(
    const kn_field *field, kni_node node, element_walk *walk, kn_error *error)
{
    uint32_t count = field->count > 1 ? field->count : 1;
    *walk = (element_walk){.single = node};
    if (count == 1) {
        return true;
    }
    walk->single = (kni_node){0};
    walk->children = kni_node_children(node);
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE || kni_node_count(node) > count) {
        char what[48];
        (void)snprintf(what, sizeof(what), "a list of at most %u values", count);
        (void)kni_node_refuse(node, what, error);
        return false;
    }
    return true;
}

static bool elements_next(element_walk *walk, kni_node *element)
{
    if (kni_node_exists(walk->single)) {
        *element = walk->single;
        walk->single = (kni_node){0};
        return true;
    }
    return kni_children_next(&walk->children, element);
}

// An ability by its type, if the scenario has no such name. False if this is something else.
static bool read_ability_type(const kn_scenario *scenario, const kn_scenario_run *run,
    const kni_fields_of *of, kni_node node, kni_element *out)
{
    kn_error error = {0};
    const char *text;
    if (!of->has_owner || kni_node_is_null(node) || kni_node_text(node, &text, &error) != KN_OK ||
        kni_name_find(scenario, KNI_NAME_ABILITY, text) > 0) {
        return false;
    }
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id ability = {0};
    query.type.index1 = kn_def_find(scenario->library, KN_DEF_ABILITY, text);
    if (query.type.index1 > 0 && run != NULL) {
        (void)kn_abilities_find(run->world, of->owner, &query, &ability, 1);
    }
    *out = (kni_element){{0}};
    memcpy(out->bytes, &ability, sizeof(ability));
    return query.type.index1 > 0;
}

static kn_result element_of(const kn_scenario *scenario, const kn_scenario_run *run,
    const kni_fields_of *of, const kn_field *field, kni_node node, kni_element *out,
    kn_error *error)
{
    if (field->kind == KN_FIELD_ABILITY && read_ability_type(scenario, run, of, node, out)) {
        return KN_OK;
    }
    return kni_element_read(scenario, run, field, node, out, error);
}

bool kni_fields_check(kn_scenario *scenario, const kni_fields_of *of, kni_node values)
{
    bool ok = true;
    kni_children children = kni_node_children(values);
    for (kni_node child; kni_children_next(&children, &child);) {
        kn_error error = {0};
        element_walk walk;
        const kn_field *field = field_find(of, kni_node_key(child), &error);
        if (field == NULL) {
            kni_scenario_key_error(scenario, child, "%s", error.message);
            ok = false;
            continue;
        }
        bool good = elements_begin(field, child, &walk, &error);
        kni_element element;
        for (kni_node node; good && elements_next(&walk, &node);) {
            good = element_of(scenario, NULL, of, field, node, &element, &error) == KN_OK;
        }
        if (!good) {
            kni_scenario_error(scenario, child, "%s", error.message);
        }
        ok &= good;
    }
    return ok;
}

// A field of a script that has a default is followed by `name.set`; until it is written the bytes
// say nothing.
static bool has_default(const kni_fields_of *of, const kn_field *field, const uint8_t *block)
{
    char name[128];
    (void)snprintf(name, sizeof(name), "%s.set", field->name);
    for (uint32_t i = 0; i < of->count; i++) {
        if (of->fields[i].kind == KN_FIELD_BOOL && strcmp(of->fields[i].name, name) == 0) {
            return block[of->fields[i].offset] == 0;
        }
    }
    return false;
}

bool kni_field_is(const kn_scenario_run *run, const kni_fields_of *of, kni_node value,
    const uint8_t *block, const kni_tolerance *tolerance, kni_line *expected, kni_line *found)
{
    kn_error error = {0};
    element_walk walk;
    const kn_field *field = field_find(of, kni_node_key(value), &error);
    if (field == NULL || !elements_begin(field, value, &walk, &error)) {
        kni_line_add(expected, "%s of %s is known", kni_node_key(value), of->name);
        kni_line_add(found, "%s", error.message);
        return false;
    }
    uint32_t size = element_size(field->kind);
    uint32_t index = 0;
    for (kni_node node; elements_next(&walk, &node); index++) {
        const uint8_t *bytes = block + field->offset + (size_t)size * index;
        kni_element wanted;
        if (kni_element_read(run->scenario, run, field, node, &wanted, &error) != KN_OK) {
            kni_line_add(expected, "%s of %s can be compared", field->name, of->name);
            kni_line_add(found, "%s", error.message);
            return false;
        }
        if (!kni_element_is(field, bytes, wanted.bytes, tolerance)) {
            kni_line_add(expected, "%s", field->name);
            if (field->count > 1) {
                kni_line_add(expected, "[%u]", index);
            }
            kni_line_add(expected, " of %s is ", of->name);
            kni_element_print(run, field, wanted.bytes, expected);
            kni_line_add(found, "it is ");
            kni_element_print(run, field, bytes, found);
            if (has_default(of, field, block)) {
                found->length = 0;
                kni_line_add(found, "it was not written yet and has the default of the script");
            }
            return false;
        }
    }
    return true;
}

bool kni_fields_write(
    const kn_scenario_run *run, const kni_fields_of *of, kni_node values, uint8_t *block)
{
    bool ok = true;
    kni_children children = kni_node_children(values);
    for (kni_node child; kni_children_next(&children, &child);) {
        kn_error error = {0};
        element_walk walk;
        const kn_field *field = field_find(of, kni_node_key(child), &error);
        uint32_t index = 0;
        if (field == NULL || !elements_begin(field, child, &walk, &error)) {
            ok = false;
            continue;
        }
        uint32_t size = element_size(field->kind);
        for (kni_node node; elements_next(&walk, &node); index++) {
            kni_element element;
            ok &= element_of(run->scenario, run, of, field, node, &element, &error) == KN_OK;
            memcpy(block + field->offset + (size_t)size * index, element.bytes, size);
        }
    }
    return ok;
}

// Payloads --------------------------------------------------------------------

const kni_payload_kind kni_payload_kinds[] = {{"u8", KN_FIELD_U8}, {"u16", KN_FIELD_U16},
    {"u32", KN_FIELD_U32}, {"i32", KN_FIELD_I32}, {"f32", KN_FIELD_F32}, {"u64", KN_FIELD_U64},
    {"i64", KN_FIELD_I64}, {"entity", KN_FIELD_ENTITY}};
const uint32_t kni_payload_kind_count = sizeof(kni_payload_kinds) / sizeof(*kni_payload_kinds);

kn_result kni_payload_read(const kn_scenario *scenario, const kn_scenario_run *run,
    uint32_t context, kni_node list, uint8_t *out, kni_node *wrong, kn_error *error)
{
    uint32_t size = kn_context_type_size(scenario->library, (kn_context_type_id){context});
    uint32_t at = 0;
    *wrong = list;
    kni_children children = kni_node_children(list);
    for (kni_node item; kni_children_next(&children, &item);) {
        kni_children one = kni_node_children(item);
        kni_node value = {0};
        uint32_t kind = 0;
        *wrong = item;
        if (kni_node_kind_of(item) != KNI_NODE_MAPPING || kni_node_count(item) != 1 ||
            !kni_children_next(&one, &value)) {
            return kni_node_refuse(item, "one value with its kind, such as {f32: 1.5}", error);
        }
        while (kind < kni_payload_kind_count &&
               strcmp(kni_payload_kinds[kind].word, kni_node_key(value)) != 0) {
            kind++;
        }
        if (kind == kni_payload_kind_count) {
            return word_refuse(error, "kind of value", kni_node_key(value));
        }
        uint32_t bytes = element_size(kni_payload_kinds[kind].kind);
        kni_element element;
        const kn_field field =
            KN_FIELD_INIT(kni_payload_kinds[kind].word, kni_payload_kinds[kind].kind, 0, 1);
        kn_result result = kni_element_read(scenario, run, &field, value, &element, error);
        if (result != KN_OK) {
            return result;
        }
        if (at + bytes <= size && out != NULL) {
            memcpy(out + at, element.bytes, bytes);
        }
        at += bytes;
    }
    if (at != size) {
        *wrong = list;
        error->code = KN_ERROR_BAD_DATA;
        (void)snprintf(error->message, sizeof(error->message),
            "the payload of %.60s has %u bytes, but these are %u",
            kn_def_name(scenario->library, KN_DEF_CONTEXT, context), size, at);
        return KN_ERROR_BAD_DATA;
    }
    return KN_OK;
}

// Target data -------------------------------------------------------------------

// One of the library's own, or one that every library has, by a word.
static kn_target_type_id target_type(const kn_library *library, const char *name)
{
    static const char *const words[] = {"entity", "hit", "location", "line"};
    kn_target_type_id type = {kn_def_find(library, KN_DEF_TARGET, name)};
    for (uint32_t i = 0; type.index1 == 0 && i < 4; i++) {
        type.index1 = strcmp(words[i], name) == 0 ? i + 1 : 0;
    }
    return type;
}

static kni_fields_of target_fields(const kn_library *library, kn_target_type_id type)
{
    const kn_target_type_def *def = kn_target_type_get_def(library, type);
    return def != NULL ? (kni_fields_of){.name = def->name,
                             .fields = def->fields,
                             .count = def->field_count}
                       : (kni_fields_of){0};
}

bool kni_records_check(kn_scenario *scenario, kni_node list)
{
    bool ok = true;
    kni_children items = kni_node_children(list);
    for (kni_node item; kni_children_next(&items, &item);) {
        if (!kni_scenario_mapping(scenario, item)) {
            ok = false;
            continue;
        }
        kni_children children = kni_node_children(item);
        for (kni_node record; kni_children_next(&children, &record);) {
            kn_target_type_id type = target_type(scenario->library, kni_node_key(record));
            kni_fields_of of = target_fields(scenario->library, type);
            if (of.name == NULL) {
                kni_scenario_key_error(scenario, record,
                    "there is no target type `%s`; every library has entity, "
                    "hit, location and line",
                    kni_node_key(record));
                ok = false;
            } else if (!kni_node_is_null(record)) {
                ok &= kni_scenario_mapping(scenario, record) &&
                      kni_fields_check(scenario, &of, record);
            }
        }
    }
    return ok;
}

kn_result kni_records_write(const kn_scenario_run *run, kni_node list, kn_target_data *data)
{
    const kn_library *library = run->scenario->library;
    kn_result result = KN_OK;
    kni_children items = kni_node_children(list);
    for (kni_node item; result == KN_OK && kni_children_next(&items, &item);) {
        kni_children children = kni_node_children(item);
        for (kni_node record; result == KN_OK && kni_children_next(&children, &record);) {
            uint64_t block[64] = {0}; // the largest record
            kn_target_type_id type = target_type(library, kni_node_key(record));
            kni_fields_of of = target_fields(library, type);
            bool ok = kni_fields_write(run, &of, record, (uint8_t *)block);
            result = ok ? kn_target_add(library, data, type, block) : KN_ERROR_BAD_DATA;
        }
    }
    return result;
}
