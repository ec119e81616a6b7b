// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registries: the registered things of each kind, found by name through a hash map that ignores
// case. Registration goes through here for every kind, and so do the checks of names.

#include "base/log_entry.h"
#include "base/text.h"
#include "library/types.h"

static char name_fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t name_hash(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name != 0; name++) {
        hash = (hash ^ (uint8_t)name_fold(*name)) * 16777619u;
    }
    return hash;
}

static bool name_equal(const char *a, const char *b)
{
    while (*a != 0 && (*a == *b || name_fold(*a) == name_fold(*b))) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *kni_registry_name(const kni_registry *registry, uint32_t index)
{
    const char *name;
    memcpy(&name, kni_registry_at(registry, index), sizeof(name));
    return name;
}

uint32_t kni_registry_find(const kni_registry *registry, const char *name)
{
    if (name == NULL || registry->map_capacity == 0) {
        return KNI_NONE;
    }
    uint32_t mask = registry->map_capacity - 1;
    for (uint32_t i = name_hash(name) & mask; registry->map[i] != 0; i = (i + 1) & mask) {
        if (name_equal(kni_registry_name(registry, registry->map[i] - 1), name)) {
            return registry->map[i] - 1;
        }
    }
    return KNI_NONE;
}

static void registry_map_insert(kni_registry *registry, const char *name, uint32_t index)
{
    uint32_t mask = registry->map_capacity - 1;
    uint32_t i = name_hash(name) & mask;
    while (registry->map[i] != 0) {
        i = (i + 1) & mask;
    }
    registry->map[i] = index + 1;
}

static void registry_map_rebuild(kni_registry *registry)
{
    memset(registry->map, 0, registry->map_capacity * sizeof(*registry->map));
    for (uint32_t i = 0; i < registry->count; i++) {
        registry_map_insert(registry, kni_registry_name(registry, i), i);
    }
}

void *kni_registry_add(kni_memory *memory, kni_registry *registry, const char *name)
{
    if (!kni_grow(memory, &registry->items, &registry->capacity, registry->count + 1,
            registry->item_size)) {
        return NULL;
    }
    if (registry->map_capacity < 2 * (registry->count + 1)) {
        uint32_t capacity = registry->map_capacity == 0 ? 16 : registry->map_capacity * 2;
        uint32_t *map = kni_realloc(
            memory, registry->map, registry->map_capacity * sizeof(*map), capacity * sizeof(*map));
        if (map == NULL) {
            return NULL;
        }
        registry->map = map;
        registry->map_capacity = capacity;
        registry_map_rebuild(registry);
    }
    char *copy = kni_strdup(memory, name);
    if (copy == NULL) {
        return NULL;
    }
    void *item = kni_registry_at(registry, registry->count);
    memset(item, 0, registry->item_size);
    memcpy(item, &copy, sizeof(copy));
    registry_map_insert(registry, name, registry->count);
    registry->count++;
    return item;
}

void kni_registry_pop(kni_memory *memory, kni_registry *registry)
{
    registry->count--;
    char *name;
    memcpy(&name, kni_registry_at(registry, registry->count), sizeof(name));
    kni_strfree(memory, name);
    registry_map_rebuild(registry);
}

static bool name_is_valid(const char *name)
{
    if (name == NULL || name[0] == 0) {
        return false;
    }
    size_t length = 0;
    for (; name[length] != 0; length++) {
        char c = name[length];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '_' || c == '-' || c == '.' || c == ' ' || (uint8_t)c >= 0x80;
        if (!good || length >= KN_TAG_NAME_MAX) {
            return false;
        }
    }
    return true;
}

kn_result kni_name_check(const char *name, const char *what, kn_error *error)
{
    if (!name_is_valid(name)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s `%s`: a name has 1 to 255 characters: letters, digits, `_`, `-`, `.` and spaces",
            what, name != NULL ? name : "");
    }
    return KN_OK;
}

kn_result kni_register_check(kn_library *library, kn_def_kind kind, const char *name,
    uint32_t cookie, const char *what, kn_error *error)
{
    if (library == NULL || cookie != KN_COOKIE) {
        KN_ASSERT(library != NULL);
        const kn_def_table *table = kn_def_table_of(kind);
        const char *type = table != NULL ? table->name : what;
        kn_error missing;
        kn_result result = kni_error(
            &missing, KN_ERROR_INVALID_ARGUMENT, "%s: start from %s_default()", type, type);
        if (library != NULL && KN_ASSERTS) {
            kn_assert_report(missing.message, __FILE__, __LINE__);
        }
        if (error != NULL) {
            *error = missing;
        }
        return result;
    }
    if (library->finished) {
        return kni_error(error, KN_ERROR_WORLD_LOCKED,
            "the library is finished: register the %s before kn_library_finish()", what);
    }
    kn_result result = kni_name_check(name, what, error);
    if (result != KN_OK) {
        return result;
    }
    if (kni_registry_find(&library->registries[kind], name) != KNI_NONE) {
        return kni_error(error, KN_REFUSED_DUPLICATE, "%s `%s` is registered twice", what, name);
    }
    return KN_OK;
}

kn_result kni_register_def(kn_library *library, kn_def_kind kind, const kn_def_table *table,
    size_t def_offset, const void *def, const char *name, uint32_t cookie, const char *what,
    uint32_t *index1, kn_error *error)
{
    *index1 = 0;
    kn_result result = kni_register_check(library, kind, name, cookie, what, error);
    if (result == KN_OK) {
        result = kni_def_check(library, table, def, error);
    }
    if (result != KN_OK) {
        return result;
    }
    kni_registry *registry = &library->registries[kind];
    uint8_t *item = kni_registry_add(&library->memory, registry, name);
    if (item == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for %s `%s`", what, name);
    }
    if (!kni_def_copy(&library->memory, table, item + def_offset, def)) {
        kni_registry_pop(&library->memory, registry);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for %s `%s`", what, name);
    }
    if (!kni_enums_fill(library, table, item + def_offset)) {
        kni_def_free(&library->memory, table, item + def_offset);
        kni_registry_pop(&library->memory, registry);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for %s `%s`", what, name);
    }
    *index1 = registry->count;
    return KN_OK;
}

kn_result kni_register_function(kn_library *library, kn_def_kind kind, const char *name,
    bool has_function, const char *what, void **item, uint32_t *index1, kn_error *error)
{
    *item = NULL;
    *index1 = 0;
    kn_result result = kni_register_check(library, kind, name, KN_COOKIE, what, error);
    if (result == KN_OK && !has_function) {
        result = kni_error(error, KN_ERROR_INVALID_ARGUMENT, "%s `%s` has no function", what, name);
    }
    if (result != KN_OK) {
        return result;
    }
    *item = kni_registry_add(&library->memory, &library->registries[kind], name);
    if (*item == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for %s `%s`", what, name);
    }
    *index1 = library->registries[kind].count;
    return KN_OK;
}

const char *kni_ref_name(const kn_library *library, kn_def_kind kind, uint32_t index1)
{
    if (kind == KN_DEF_TAG) {
        kn_tag tag = {index1};
        return kn_tag_name(library, tag);
    }
    const kni_registry *registry = &library->registries[kind];
    return index1 == 0 || index1 > registry->count ? "" : kni_registry_name(registry, index1 - 1);
}

uint32_t kni_ref_find(const kn_library *library, kn_def_kind kind, const char *name)
{
    if (kind == KN_DEF_TAG) {
        return name != NULL ? kni_tag_table_find(&library->tags, name, strlen(name)) : 0;
    }
    if (kind == KN_DEF_ATTRIBUTE) {
        return kni_attribute_find_quiet(library, name);
    }
    if (kind == KN_DEF_ATTRIBUTE_SET) {
        return kni_attribute_set_find_quiet(library, name);
    }
    uint32_t index = kni_registry_find(&library->registries[kind], name);
    return index == KNI_NONE ? 0 : index + 1;
}

// Whether an unknown name is about to be logged for the first time. Atomic, since worlds on other
// threads may look up names too. Two names may share a bit; then only the first is logged.
static bool name_is_news(const kn_library *library, kn_def_kind kind, const char *name)
{
    uint32_t hash = 2166136261u ^ (uint32_t)kind;
    for (; *name != 0; name++) {
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    }
    uint32_t bit = 1u << (hash & 31);
    return (kni_atomic_or(&library->told->bits[hash >> 5 & 31], bit) & bit) == 0;
}

uint32_t kni_find_expected(const kn_library *library, kn_def_kind kind, const char *name)
{
    if (library == NULL || name == NULL) {
        KN_ASSERT(library != NULL);
        return 0;
    }
    uint32_t index1 = kni_ref_find(library, kind, name);
    if (index1 == 0 && library->finished && name_is_news(library, kind, name)) {
        const char *near = kni_registered_near(library, kind, name);
        kn_error sentence;
        (void)kni_error(&sentence, KN_REFUSED_NOT_FOUND, "there is no %s `%s`%s%s%s",
            kn_kind_name(library, kind), name, near != NULL ? "; did you mean `" : "",
            near != NULL ? near : "", near != NULL ? "`?" : "");
        kni_log_hooks(&library->hooks, KN_LOG_WORLD, KN_REFUSED_NOT_FOUND, sentence.message);
    }
    return index1;
}

uint32_t kni_ref_count(const kn_library *library, kn_def_kind kind)
{
    return kind == KN_DEF_TAG ? kn_tag_count(library) : library->registries[kind].count;
}
