// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of input actions and mapping contexts.

#include "parts.h"

#include <math.h>

#define ACTION_COOKIE 0x74636169u
#define CONTEXT_COOKIE 0x78746369u

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(*(array)))

// Actions -----------------------------------------------------------------------

kn_input_action_def kn_input_action_def_default(void)
{
    kn_input_action_def def = {.cookie = ACTION_COOKIE};
    return def;
}

static void action_init(void *def)
{
    *(kn_input_action_def *)def = kn_input_action_def_default();
}

static const char *const kind_words[] = {
    [KN_INPUT_KIND_BUTTON] = "button",
    [KN_INPUT_KIND_AXIS] = "axis",
    [KN_INPUT_KIND_AXIS2] = "axis2",
    [KN_INPUT_KIND_AXIS3] = "axis3",
};

static const kn_def_field action_fields[] = {
    KN_DEF_F(kn_input_action_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_ENUM(kn_input_action_def, kind, kind_words,
        "What values it has: `button`, `axis`, `axis2` or `axis3`; default button."),
    KN_DEF_F(kn_input_action_def, hold, KN_FIELD_TIME,
        "How long it is held before it is triggered; default 0: at once."),
    KN_DEF_F(kn_input_action_def, once, KN_FIELD_BOOL,
        "It is triggered once each time it is held; default false: again and again."),
    KN_DEF_F(kn_input_action_def, repeat, KN_FIELD_TIME,
        "Time between two triggers while it is held; default 0: in every run."),
    KN_DEF_F(kn_input_action_def, deadzone, KN_FIELD_F32,
        "Values up to this length count as 0; default 0."),
    KN_DEF_F(kn_input_action_def, limit, KN_FIELD_F32,
        "Longer values are shortened to this length; default 0: any length."),
    KN_DEF_F(kn_input_action_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table action_table = {"input_action_def", sizeof(kn_input_action_def),
    action_fields, COUNT(action_fields), action_init};

static bool is_span(kn_time time)
{
    return time >= 0 && time <= KN_TIME_MAX;
}

static kn_result action_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_input_action_def *def = item;
    (void)user;
    (void)library;
    if (!is_span(def->hold) || !is_span(def->repeat)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "input action `%s`: `hold` and `repeat` must be at least 0", def->name);
    }
    if (def->deadzone < 0.0f || def->limit < 0.0f) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "input action `%s`: `deadzone` and `limit` must be at least 0", def->name);
    }
    return KN_OK;
}

kn_vec3 knc_capability_input_shape(const kn_input_action_def *def, kn_vec3 value)
{
    const kn_vec3 rest = {0.0f, 0.0f, 0.0f};
    value.y = def->kind >= KN_INPUT_KIND_AXIS2 ? value.y : 0.0f;
    value.z = def->kind >= KN_INPUT_KIND_AXIS3 ? value.z : 0.0f;
    float length = sqrtf(value.x * value.x + value.y * value.y + value.z * value.z);
    if (!isfinite(value.x) || !isfinite(value.y) || !isfinite(value.z) || !isfinite(length) ||
        length <= def->deadzone) {
        return rest;
    }
    if (def->kind == KN_INPUT_KIND_BUTTON) {
        return (kn_vec3){1.0f, 0.0f, 0.0f};
    }
    if (def->limit > 0.0f && length > def->limit) {
        float factor = def->limit / length;
        value = (kn_vec3){value.x * factor, value.y * factor, value.z * factor};
    }
    return value;
}

kn_result kn_input_action_register(
    kn_library *library, const kn_input_action_def *def, kn_input_action_id *id, kn_error *error)
{
    kn_input_action_id ignored;
    id = id != NULL ? id : &ignored;
    id->index1 = 0;
    if (library == NULL || def == NULL || !kn_capability_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(
        library, knc_capability_kit_of(library)->action_kind, def, &id->index1, error);
}

kn_input_action_id kn_input_action_find(const kn_library *library, const char *name)
{
    kn_input_action_id id = {0};
    if (kn_capability_is_there(library)) {
        id.index1 =
            kn_def_find_expected(library, knc_capability_kit_of(library)->action_kind, name);
    }
    return id;
}

const kn_input_action_def *kn_input_action_get_def(const kn_library *library, kn_input_action_id id)
{
    return kn_capability_is_there(library)
               ? kn_def_get(library, knc_capability_kit_of(library)->action_kind, id.index1)
               : NULL;
}

// Contexts ----------------------------------------------------------------------

kn_input_mapping kn_input_mapping_default(void)
{
    kn_input_mapping mapping = {.scale = 1.0f};
    return mapping;
}

static void mapping_init(void *mapping)
{
    *(kn_input_mapping *)mapping = kn_input_mapping_default();
}

kn_input_context_def kn_input_context_def_default(void)
{
    kn_input_context_def def = {.cookie = CONTEXT_COOKIE};
    return def;
}

static void context_init(void *def)
{
    *(kn_input_context_def *)def = kn_input_context_def_default();
}

static const char *const axis_words[] = {
    [KN_INPUT_AXIS_X] = "x",
    [KN_INPUT_AXIS_Y] = "y",
    [KN_INPUT_AXIS_Z] = "z",
};

static const kn_def_field mapping_fields[] = {
    KN_DEF_F(kn_input_mapping, key, KN_DEF_FIELD_STRING,
        "Name of the key, such as `Space`; the program has to know it."),
    KN_DEF_F(kn_input_mapping, number, KN_FIELD_U32,
        "Number of the key, instead of a name; default 0: it has a name, or there is no key yet."),
    KN_DEF_F_KIND(kn_input_mapping, action, "input action", "The action; required."),
    KN_DEF_F_ENUM(kn_input_mapping, axis, axis_words,
        "Where its value goes: `x`, `y` or `z` of the action; default x."),
    KN_DEF_F(kn_input_mapping, scale, KN_FIELD_F32,
        "Factor of its value; below 0 it is the other way round; default 1."),
    KN_DEF_F(kn_input_mapping, deadzone, KN_FIELD_F32,
        "Values of the key up to this count as 0, and those beyond grow from there, 0 to less "
        "than 1; default 0."),
};
static const kn_def_table mapping_table = {
    "input_mapping", sizeof(kn_input_mapping), mapping_fields, COUNT(mapping_fields), mapping_init};

static const kn_def_field context_fields[] = {
    KN_DEF_F(kn_input_context_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F(kn_input_context_def, priority, KN_FIELD_I32,
        "A key that contexts of higher priority map does nothing in this one; default 0."),
    KN_DEF_F_ARRAY(kn_input_context_def, mappings, mapping_count, &mapping_table,
        "What keys do; at most 256."),
    KN_DEF_F(kn_input_context_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table context_table = {"input_context_def", sizeof(kn_input_context_def),
    context_fields, COUNT(context_fields), context_init};

// How many axes an action has.
static uint32_t axes_of(kn_input_kind kind)
{
    return kind <= KN_INPUT_KIND_AXIS ? 1 : (uint32_t)kind;
}

static kn_result mapping_check(
    const kn_library *library, const kn_input_context_def *def, uint32_t index, kn_error *error)
{
    const kn_input_mapping *mapping = &def->mappings[index];
    const kn_input_action_def *action = kn_input_action_get_def(library, mapping->action);
    if (action == NULL) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "input context `%s`: mapping %u needs an action", def->name, index + 1);
    }
    if (mapping->key != NULL &&
        (mapping->number != 0 || !knc_capability_input_key_is_valid(mapping->key))) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "input context `%s`: mapping %u needs the name of a key, of at most %u characters, or "
            "a number, not both",
            def->name, index + 1, KN_INPUT_KEY_NAME_MAX - 1);
    }
    if (mapping->number >= KN_INPUT_KEYS_NAMED) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "input context `%s`: the number of the key of mapping %u must be below 2147483648",
            def->name, index + 1);
    }
    if ((uint32_t)mapping->axis >= axes_of(action->kind)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "input context `%s`: mapping %u is for axis `%s`, which `%s` does not have; choose "
            "another `kind` for the action",
            def->name, index + 1, axis_words[mapping->axis], action->name);
    }
    if (!(mapping->deadzone >= 0.0f && mapping->deadzone < 1.0f)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "input context `%s`: `deadzone` of mapping %u must be at least 0 and below 1",
            def->name, index + 1);
    }
    return KN_OK;
}

static kn_result context_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_input_context_def *def = item;
    (void)user;
    if (def->mapping_count > KN_INPUT_MAPPINGS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "input context `%s`: it must have at most %u mappings", def->name,
            KN_INPUT_MAPPINGS_MAX);
    }
    for (uint32_t i = 0; i < def->mapping_count; i++) {
        kn_result result = mapping_check(library, def, i, error);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

kn_result kn_input_context_register(
    kn_library *library, const kn_input_context_def *def, kn_input_context_id *id, kn_error *error)
{
    kn_input_context_id ignored;
    id = id != NULL ? id : &ignored;
    id->index1 = 0;
    if (library == NULL || def == NULL || !kn_capability_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(
        library, knc_capability_kit_of(library)->context_kind, def, &id->index1, error);
}

kn_input_context_id kn_input_context_find(const kn_library *library, const char *name)
{
    kn_input_context_id id = {0};
    if (kn_capability_is_there(library)) {
        id.index1 =
            kn_def_find_expected(library, knc_capability_kit_of(library)->context_kind, name);
    }
    return id;
}

const kn_input_context_def *kn_input_context_get_def(
    const kn_library *library, kn_input_context_id id)
{
    return kn_capability_is_there(library)
               ? kn_def_get(library, knc_capability_kit_of(library)->context_kind, id.index1)
               : NULL;
}

// Bindings of capabilities ------------------------------------------------------------

kn_capability_input kn_capability_input_default(void)
{
    kn_capability_input input = {.on = KN_INPUT_TRIGGER_TRIGGERED};
    return input;
}

static void input_init(void *input)
{
    *(kn_capability_input *)input = kn_capability_input_default();
}

const char *const knc_capability_input_trigger_words[KN_INPUT_TRIGGER_COUNT] = {
    [KN_INPUT_TRIGGER_STARTED] = "started",
    [KN_INPUT_TRIGGER_ONGOING] = "ongoing",
    [KN_INPUT_TRIGGER_TRIGGERED] = "triggered",
    [KN_INPUT_TRIGGER_CANCELED] = "canceled",
    [KN_INPUT_TRIGGER_COMPLETED] = "completed",
};

static const kn_def_field input_fields[] = {
    KN_DEF_F_KIND(kn_capability_input, action, "input action", "The action; required."),
    KN_DEF_F_ENUM(kn_capability_input, on, knc_capability_input_trigger_words,
        "What happens to it: `started`, `ongoing`, `triggered`, `canceled` or `completed`; default "
        "triggered."),
};
const kn_def_table knc_capability_input_table = {
    "capability_input", sizeof(kn_capability_input), input_fields, COUNT(input_fields), input_init};

kn_result knc_capability_input_kinds_register(
    kn_library *library, capability_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "input action";
    kind.section = "input_actions";
    kind.table = &action_table;
    kind.text = "Something that a player can do, such as to move or to jump: a button, or values "
                "of one to three axes.";
    kind.check = action_check;
    kn_result result = kn_kind_register(library, &kind, &kit->action_kind, error);
    if (result != KN_OK) {
        return result;
    }
    kind.name = "input context";
    kind.section = "input_contexts";
    kind.table = &context_table;
    kind.text = "Keys and the input actions that they stand for, while a capability uses the "
                "context.";
    kind.check = context_check;
    return kn_kind_register(library, &kind, &kit->context_kind, error);
}
