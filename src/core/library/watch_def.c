// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of types of watches.

#include "library/types.h"

#include <math.h>

kn_watch_def kn_watch_def_default(void)
{
    kn_watch_def def = {.effects = {.cookie = KN_COOKIE}, .cookie = KN_COOKIE};
    return def;
}

static kn_result watch_check(const kn_watch_def *def, kn_error *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if (def->function == NULL) {
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "watch `%s` has no function", name);
    }
    bool for_trigger = def->kind == KN_WATCH_TRIGGER;
    if (for_trigger && def->tag.index1 == 0 &&
        (def->trigger == KN_TRIGGER_TAG_ADDED || def->trigger == KN_TRIGGER_TAG_REMOVED)) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "watch `%s` must say which tag it waits for", name);
    }
    if (def->attribute.index1 == 0 &&
        (def->kind == KN_WATCH_THRESHOLD ||
            (for_trigger && def->trigger == KN_TRIGGER_ATTRIBUTE_CHANGED))) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "watch `%s` must say which attribute it waits for", name);
    }
    if (def->kind == KN_WATCH_QUERY && def->query == NULL) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "watch `%s` must have a query that tags can match", name);
    }
    const kn_effect_query *effects = &def->effects;
    if (effects->cookie != KN_COOKIE) {
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT,
            "watch `%s`: its `effects` start from kn_effect_query_default()", name);
    }
    if (effects->source.index1 != 0 || effects->has_source_object || effects->ignore_count > 0) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "watch `%s`: its `effects` name something of a world, which a type cannot know", name);
    }
    if (!isfinite(def->value)) {
        return kni_error(error, KN_ERROR_BAD_DATA, "watch `%s`: its value is not finite", name);
    }
    return KN_OK;
}

// Whether a query of effects says anything.
static bool effects_are_asked(const kn_effect_query *query)
{
    return query->type.index1 != 0 || query->any_tags.count > 0 || query->all_tags.count > 0 ||
           query->asset_tags.count > 0 || query->granted_tags.count > 0 ||
           query->tag_query != NULL || !kn_tag_requirement_is_empty(&query->source_tags) ||
           query->modifies.index1 != 0 || query->predicate != NULL;
}

static kn_result watch_register(
    kn_library *library, const kn_watch_def *def, kn_watch_type_id *type, kn_error *error)
{
    KNI_REGISTER(KN_DEF_WATCH, &kni_watch_def_table, kni_watch_type, "watch")
    if (result != KN_OK) {
        return result;
    }
    kni_watch_type *item = KNI_ITEM(library, KN_DEF_WATCH, kni_watch_type, index1 - 1);
    item->has_query = effects_are_asked(&item->def.effects);
    result = kni_state_make(library, KN_DEF_WATCH, &item->state, item->def.state_size,
        item->def.state_fields, item->def.state_field_count, error);
    type->index1 = result == KN_OK ? index1 : 0;
    return result;
}

kn_result kn_watch_type_register(
    kn_library *library, const kn_watch_def *def, kn_watch_type_id *type, kn_error *error)
{
    type->index1 = 0;
    if (library == NULL) {
        KN_ASSERT(library != NULL);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "the library is missing");
    }
    if (def != NULL && def->cookie == KN_COOKIE) {
        const char *name = def->name != NULL ? def->name : "";
        kn_result checked = watch_check(def, error);
        if (checked == KN_OK && def->state_size > KN_WATCH_STATE_MAX) {
            checked = kni_error(error, KN_ERROR_BAD_DATA,
                "watch `%s`: its state must not exceed %d bytes", name, KN_WATCH_STATE_MAX);
        }
        if (checked == KN_OK && def->state_size > 0 && def->state_field_count == 0) {
            checked =
                kni_error(error, KN_ERROR_BAD_DATA, "watch `%s`: its state has no fields", name);
        }
        if (checked == KN_OK) {
            checked = kni_state_check(library, "watch", name, def->state_size, def->state_fields,
                def->state_field_count, error);
        }
        if (checked != KN_OK) {
            return checked;
        }
    }
    return watch_register(library, def, type, error);
}
