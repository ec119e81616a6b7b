// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of small definitions: names, transient values, event kinds, containers, and the
// types of payloads.

#include "library/types.h"

kn_result kn_name_register(kn_library *library, const char *text, kn_name *name, kn_error *error)
{
    if (library == NULL) {
        return kni_register_check(library, KN_DEF_NAME, text, KN_COOKIE, "name", error);
    }
    if (name != NULL) {
        name->index1 = kni_ref_find(library, KN_DEF_NAME, text);
        if (name->index1 != 0) {
            return KN_OK;
        }
    }
    void *item;
    uint32_t index1;
    kn_result result =
        kni_register_function(library, KN_DEF_NAME, text, true, "name", &item, &index1, error);
    if (result == KN_OK && name != NULL) {
        name->index1 = index1;
    }
    return result;
}

kn_name kn_name_find(const kn_library *library, const char *text)
{
    kn_name name = {kni_find_expected(library, KN_DEF_NAME, text)};
    return name;
}

const char *kn_name_text(const kn_library *library, kn_name name)
{
    return kni_ref_name(library, KN_DEF_NAME, name.index1);
}

kn_value_def kn_value_def_default(void)
{
    kn_value_def def = {.profile = kn_value_profile_combat(), .cookie = KN_COOKIE};
    return def;
}

kn_result kn_value_register(
    kn_library *library, const kn_value_def *def, kn_value_id *value, kn_error *error)
{
    value->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE && def->has_min && def->has_max &&
        def->min > def->max) {
        return kni_error(error, KN_ERROR_BAD_DATA, "value `%s`: its minimum is above its maximum",
            def->name != NULL ? def->name : "");
    }
    KNI_REGISTER(KN_DEF_VALUE, &kni_value_def_table, kni_value_type, "value")
    value->index1 = index1;
    return result;
}

kn_event_kind_def kn_event_kind_def_default(void)
{
    kn_event_kind_def def = {.restrictable = true, .gate_sees_final = true, .cookie = KN_COOKIE};
    return def;
}

kn_result kn_event_kind_register(
    kn_library *library, const kn_event_kind_def *def, kn_event_kind_id *kind, kn_error *error)
{
    KNI_REGISTER(KN_DEF_EVENT_KIND, &kni_event_kind_def_table, kni_event_kind, "event kind")
    kind->index1 = index1;
    return result;
}

kn_custom_event_def kn_custom_event_def_default(void)
{
    kn_custom_event_def def = {.cookie = KN_COOKIE};
    return def;
}

// Every {name} in the text of a custom event is one of its fields.
static kn_result custom_text_check(
    const char *name, const kn_custom_event_def *def, kn_error *error)
{
    const char *at = def->text != NULL ? strchr(def->text, '{') : NULL;
    for (; at != NULL; at = strchr(at, '{')) {
        size_t length = strcspn(++at, "}");
        bool is_known = false;
        for (uint32_t i = 0; i < def->field_count; i++) {
            is_known |= strlen(def->fields[i].name) == length &&
                        strncmp(def->fields[i].name, at, length) == 0;
        }
        if (!is_known || at[length] == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "custom event `%s`: its text has `{%s`, which is not one of its fields in braces",
                name, at);
        }
    }
    return KN_OK;
}

static kn_result custom_command_check(
    const kn_library *library, const char *name, const kn_custom_event_def *def, kn_error *error)
{
    if (def->command.index1 == 0) {
        return KN_OK;
    }
    const kn_command_def *command = kn_command_get_def(library, def->command);
    if (command != NULL && command->size == def->size) {
        return KN_OK;
    }
    return kni_error(error, KN_ERROR_BAD_DATA,
        command == NULL ? "custom event `%s`: its command is not registered"
                        : "custom event `%s`: its command has another payload",
        name);
}

kn_result kn_custom_event_register(
    kn_library *library, const kn_custom_event_def *def, kn_custom_event_id *kind, kn_error *error)
{
    kind->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE) {
        const char *name = def->name != NULL ? def->name : "";
        kn_result check = kni_state_check(
            library, "custom event", name, def->size, def->fields, def->field_count, error);
        if (check == KN_OK && def->size > 0 && def->field_count == 0) {
            check = kni_error(
                error, KN_ERROR_BAD_DATA, "custom event `%s`: its payload has no fields", name);
        }
        if (check == KN_OK) {
            check = custom_text_check(name, def, error);
        }
        if (check == KN_OK) {
            check = custom_command_check(library, name, def, error);
        }
        if (check != KN_OK) {
            return check;
        }
    }
    KNI_REGISTER(KN_DEF_CUSTOM_EVENT, &kni_custom_event_def_table, kni_custom_event, "custom event")
    if (result == KN_OK) {
        kni_custom_event *item =
            KNI_ITEM(library, KN_DEF_CUSTOM_EVENT, kni_custom_event, index1 - 1);
        result = kni_state_make(library, KN_DEF_CUSTOM_EVENT, &item->payload, item->def.size,
            item->def.fields, item->def.field_count, error);
    }
    kind->index1 = result == KN_OK ? index1 : 0;
    return result;
}

kn_container_def kn_container_def_default(void)
{
    kn_container_def def = {.target = KN_CONTAINER_GIVEN, .cookie = KN_COOKIE};
    return def;
}

kn_result kn_container_register(
    kn_library *library, const kn_container_def *def, kn_container_id *container, kn_error *error)
{
    container->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE &&
        (def->effect_count == 0 || (def->target == KN_CONTAINER_CUSTOM && def->targeting == NULL) ||
            (def->target == KN_CONTAINER_TARGETING && def->targeting_type.index1 == 0))) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "container `%s` needs effects, and a function or type for targets it has to find",
            def->name != NULL ? def->name : "");
    }
    KNI_REGISTER(KN_DEF_CONTAINER, &kni_container_def_table, kni_container, "container")
    container->index1 = index1;
    return result;
}

kn_result kn_context_type_register(
    kn_library *library, const char *name, uint32_t size, kn_context_type_id *type, kn_error *error)
{
    if (size == 0 || size > 65536) {
        type->index1 = 0;
        return kni_error(error, KN_ERROR_BAD_DATA, "context `%s`: its size must be 1 to 65536",
            name != NULL ? name : "");
    }
    void *item;
    kn_result result = kni_register_function(
        library, KN_DEF_CONTEXT, name, true, "context", &item, &type->index1, error);
    if (item != NULL) {
        ((kni_context_type *)item)->size = size;
    }
    return result;
}

uint32_t kn_context_type_size(const kn_library *library, kn_context_type_id type)
{
    return type.index1 == 0 || type.index1 > kn_def_count(library, KN_DEF_CONTEXT)
               ? 0
               : KNI_ITEM(library, KN_DEF_CONTEXT, kni_context_type, type.index1 - 1)->size;
}
