// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of attribute sets and starting values, redirects of renamed attributes, and, when
// the library is finished, resolution of limits: bounds by name become indices, circles are
// refused, and each attribute gets the list of those it limits.

#include "library/types.h"

#include "base/text.h"

#include <math.h>

kn_value_profile kn_value_profile_gas(void)
{
    kn_value_profile profile = {
        .allow_divide = true,
        .allow_override = true,
        .allow_final = true,
        .scale_with_stacks = true,
    };
    return profile;
}

kn_value_profile kn_value_profile_combat(void)
{
    kn_value_profile profile = {
        .multiply_compound = true,
        .divide_compound = true,
        .clamp_factors = true,
        .clamp_sum = true,
        .clamp_product = true,
    };
    return profile;
}

kn_attribute_def kn_attribute_def_default(void)
{
    kn_attribute_def def = {.profile = kn_value_profile_gas(), .cookie = KN_COOKIE};
    return def;
}

kn_attribute_set_def kn_attribute_set_def_default(void)
{
    kn_attribute_set_def def = {.cookie = KN_COOKIE};
    return def;
}

static void set_full_name(char *name, uint32_t size, const char *set, const char *attribute)
{
    kni_text text;
    kni_text_init(&text, name, size);
    kni_text_str(&text, set);
    kni_text_char(&text, '.');
    kni_text_str(&text, attribute);
}

static kn_result set_attribute_check(
    const kn_attribute_set_def *def, uint32_t index, kn_error *error)
{
    const kn_attribute_def *attribute = &def->attributes[index];
    if (attribute->cookie != KN_COOKIE) {
        KN_ASSERT_DEF(attribute, kn_attribute_def);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT,
            "set `%s`: start attribute %u from kn_attribute_def_default()", def->name, index);
    }
    const char *name = attribute->name;
    if (name == NULL || name[0] == 0 || strchr(name, '.') != NULL ||
        strlen(def->name) + strlen(name) > KN_TAG_NAME_MAX - 1) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "set `%s`: attribute %u needs a name without dots", def->name, index);
    }
    if (attribute->has_random && !(attribute->random_min <= attribute->random_max)) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "%s.%s: random_min is above random_max", def->name, name);
    }
    if (kni_wire_check("attribute", name, &attribute->wire, error) != KN_OK) {
        return KN_ERROR_BAD_DATA;
    }
    if (attribute->qualify == KN_QUALIFY_CUSTOM && attribute->policy.index1 == 0) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "%s.%s: a custom policy needs a function", def->name, name);
    }
    if (attribute->event_kind != NULL && !attribute->is_meta) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s.%s: only a meta attribute can run an event kind", def->name, name);
    }
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(def->attributes[i].name, name) == 0) {
            return kni_error(
                error, KN_REFUSED_DUPLICATE, "%s.%s is declared twice", def->name, name);
        }
    }
    return KN_OK;
}

static kn_result set_check(kn_library *library, const kn_attribute_set_def *def, kn_error *error)
{
    kn_result result = kni_register_check(
        library, KN_DEF_ATTRIBUTE_SET, def->name, def->cookie, "attribute set", error);
    if (result == KN_OK) {
        result = kni_def_check(library, &kni_attribute_set_def_table, def, error);
    }
    uint32_t inherited = def->parent.index1 != 0 && result == KN_OK
                             ? kni_set_at(library, def->parent.index1 - 1)->count
                             : 0;
    if (result == KN_OK &&
        (inherited + def->attribute_count == 0 || inherited + def->attribute_count > 4096)) {
        result =
            kni_error(error, KN_ERROR_BAD_DATA, "set `%s` needs 1 to 4096 attributes", def->name);
    }
    for (uint32_t i = 0; i < def->attribute_count && result == KN_OK; i++) {
        result = set_attribute_check(def, i, error);
    }
    return result;
}

// Removes the set again, and those of its attributes that were added.
static void set_undo(kn_library *library, uint32_t added)
{
    kni_memory *memory = &library->memory;
    kni_registry *attributes = &library->registries[KN_DEF_ATTRIBUTE];
    for (uint32_t i = 0; i < added; i++) {
        kni_attribute *attribute = kni_registry_at(attributes, attributes->count - 1);
        kni_def_free(memory, &kni_attribute_def_table, &attribute->def);
        kni_registry_pop(memory, attributes);
    }
    kni_registry *sets = &library->registries[KN_DEF_ATTRIBUTE_SET];
    kni_set *set = kni_registry_at(sets, sets->count - 1);
    kni_free(memory, set->attributes, set->attributes != NULL ? set->count * sizeof(uint32_t) : 0);
    kni_def_free(memory, &kni_attribute_set_def_table, &set->def);
    kni_registry_pop(memory, sets);
}

// A hook that is not given is inherited from the parent set, together with its user pointer.
static void set_hooks(kni_set *set, const kn_attribute_hooks *own, const kni_set *parent)
{
    set->hooks = *own;
    for (uint32_t i = 0; i < KNI_HOOK_COUNT; i++) {
        set->users[i] = own->user;
    }
#define KNI_INHERIT(hook, index)                                                                   \
    if (set->hooks.hook == NULL && parent != NULL) {                                               \
        set->hooks.hook = parent->hooks.hook;                                                      \
        set->users[index] = parent->users[index];                                                  \
    }                                                                                              \
    set->has_hooks |= set->hooks.hook != NULL
    KNI_INHERIT(pre_execute, KNI_HOOK_PRE_EXECUTE);
    KNI_INHERIT(pre_base_change, KNI_HOOK_PRE_BASE_CHANGE);
    KNI_INHERIT(post_base_change, KNI_HOOK_POST_BASE_CHANGE);
    KNI_INHERIT(pre_change, KNI_HOOK_PRE_CHANGE);
    KNI_INHERIT(post_change, KNI_HOOK_POST_CHANGE);
    KNI_INHERIT(post_execute, KNI_HOOK_POST_EXECUTE);
#undef KNI_INHERIT
}

kn_result kn_attribute_set_register(
    kn_library *library, const kn_attribute_set_def *def, kn_attribute_set_id *out, kn_error *error)
{
    out->index1 = 0;
    if (library == NULL || def == NULL) {
        KN_ASSERT(library != NULL && def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = set_check(library, def, error);
    if (result != KN_OK) {
        return result;
    }
    kni_memory *memory = &library->memory;
    kni_registry *attributes = &library->registries[KN_DEF_ATTRIBUTE];
    kni_set *set = kni_registry_add(memory, &library->registries[KN_DEF_ATTRIBUTE_SET], def->name);
    if (set == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for set `%s`", def->name);
    }
    uint32_t set_index = library->registries[KN_DEF_ATTRIBUTE_SET].count - 1;
    const kni_set *parent = NULL;
    set->parent = KNI_NONE;
    if (def->parent.index1 != 0) {
        set->parent = def->parent.index1 - 1;
        parent = kni_set_at(library, set->parent);
    }
    set->first = attributes->count;
    set->own_count = def->attribute_count;
    set->count = def->attribute_count + (parent != NULL ? parent->count : 0);
    set->attributes = kni_realloc(memory, NULL, 0, set->count * sizeof(uint32_t));
    uint32_t inherited = set->count - set->own_count;
    bool ok = set->attributes != NULL &&
              kni_def_copy(memory, &kni_attribute_set_def_table, &set->def, def);
    if (ok && inherited > 0 && parent != NULL) {
        memcpy(set->attributes, parent->attributes, inherited * sizeof(uint32_t));
    }

    uint32_t added = 0;
    for (uint32_t i = 0; ok && i < def->attribute_count; i++) {
        char name[KN_TAG_NAME_MAX + 1];
        set_full_name(name, sizeof(name), def->name, def->attributes[i].name);
        kni_attribute *attribute = kni_registry_add(memory, attributes, name);
        ok = attribute != NULL;
        if (!ok) {
            break;
        }
        added++;
        attribute->set = set_index;
        attribute->set_index = inherited + i;
        set->attributes[inherited + i] = attributes->count - 1;
        ok = kni_def_copy(memory, &kni_attribute_def_table, &attribute->def, &def->attributes[i]);
    }
    if (!ok) {
        set_undo(library, added);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for set `%s`", def->name);
    }

    set_hooks(set, &def->hooks, parent);
    out->index1 = set_index + 1;
    return KN_OK;
}

// Redirects -----------------------------------------------------------------

kn_result kn_attribute_redirect(
    kn_library *library, const char *old_name, const char *new_name, kn_error *error)
{
    if (library == NULL || old_name == NULL || new_name == NULL) {
        KN_ASSERT(library != NULL && old_name != NULL && new_name != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (library->finished) {
        return kni_error(error, KN_ERROR_WORLD_LOCKED, "the library is finished");
    }
    // The chain of redirects from the new name must not lead back to the old one.
    const char *at = new_name;
    for (uint32_t i = 0; i <= library->attribute_redirect_count; i++) {
        if (strcmp(at, old_name) == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "redirects between `%s` and `%s` form a cycle", old_name, new_name);
        }
        const char *next = NULL;
        for (uint32_t j = 0; j < library->attribute_redirect_count; j++) {
            if (strcmp(library->attribute_redirects[j].old_name, at) == 0) {
                next = library->attribute_redirects[j].new_name;
            }
        }
        if (next == NULL) {
            break;
        }
        at = next;
    }
    kni_memory *memory = &library->memory;
    kni_redirect redirect = {kni_strdup(memory, old_name), kni_strdup(memory, new_name)};
    if (redirect.old_name == NULL || redirect.new_name == NULL ||
        !kni_grow(memory, &library->attribute_redirects, &library->attribute_redirect_capacity,
            library->attribute_redirect_count + 1, sizeof(kni_redirect))) {
        kni_strfree(memory, redirect.old_name);
        kni_strfree(memory, redirect.new_name);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for a redirect");
    }
    library->attribute_redirects[library->attribute_redirect_count++] = redirect;
    return KN_OK;
}

bool kn_attribute_redirect_at(
    const kn_library *library, uint32_t index, const char **old_name, const char **new_name)
{
    bool is_there = index < library->attribute_redirect_count;
    *old_name = is_there ? library->attribute_redirects[index].old_name : "";
    *new_name = is_there ? library->attribute_redirects[index].new_name : "";
    return is_there;
}

static const char *redirect_once(const kn_library *library, const char *name)
{
    for (uint32_t i = library->attribute_redirect_count; i-- > 0;) {
        if (strcmp(library->attribute_redirects[i].old_name, name) == 0) {
            return library->attribute_redirects[i].new_name;
        }
    }
    return NULL;
}

uint32_t kni_attribute_set_find_quiet(const kn_library *library, const char *name)
{
    kn_attribute_set_id set = {0};
    for (uint32_t i = 0; name != NULL && i <= library->attribute_redirect_count; i++) {
        uint32_t index = kni_registry_find(&library->registries[KN_DEF_ATTRIBUTE_SET], name);
        if (index != KNI_NONE) {
            set.index1 = index + 1;
            break;
        }
        name = redirect_once(library, name);
    }
    return set.index1;
}

uint32_t kni_attribute_find_quiet(const kn_library *library, const char *name)
{
    kn_attribute_id attribute = {0};
    char renamed[KN_TAG_NAME_MAX + 1];
    for (uint32_t i = 0; name != NULL && i <= library->attribute_redirect_count; i++) {
        uint32_t index = kni_registry_find(&library->registries[KN_DEF_ATTRIBUTE], name);
        if (index != KNI_NONE) {
            attribute.index1 = index + 1;
            break;
        }
        const char *next = redirect_once(library, name);
        const char *dot = strchr(name, '.');
        if (next == NULL && dot != NULL && (size_t)(dot - name) < sizeof(renamed)) {
            // The set may have been renamed.
            char set[KN_TAG_NAME_MAX + 1];
            memcpy(set, name, (size_t)(dot - name));
            set[dot - name] = 0;
            const char *new_set = redirect_once(library, set);
            if (new_set != NULL) {
                char rest[KN_TAG_NAME_MAX + 1];
                kni_text text;
                kni_text_init(&text, rest, sizeof(rest));
                kni_text_str(&text, dot + 1);
                set_full_name(renamed, sizeof(renamed), new_set, rest);
                next = renamed;
            }
        }
        name = next;
    }
    return attribute.index1;
}

kn_attribute_set_id kn_attribute_set_of(const kn_library *library, kn_attribute_id attribute)
{
    kn_attribute_set_id set = {0};
    if (attribute.index1 != 0 && attribute.index1 <= kn_attribute_count(library)) {
        set.index1 = kni_attribute_at(library, attribute.index1 - 1)->set + 1;
    }
    return set;
}

uint32_t kn_attribute_count(const kn_library *library)
{
    return library->registries[KN_DEF_ATTRIBUTE].count;
}

// Starting values -----------------------------------------------------------

// The slot of a row in the map: that of an equal row, or a free one. The map is never full.
static uint32_t *start_row_place(
    const kn_library *library, const char *group, const char *attribute, uint32_t level)
{
    kni_hash hash = kni_hash_begin(level);
    kni_hash_str(&hash, group);
    kni_hash_str(&hash, attribute);
    uint32_t mask = library->start_row_map_capacity - 1;
    for (uint32_t at = (uint32_t)kni_hash_end(&hash) & mask;; at = (at + 1) & mask) {
        uint32_t *place = &library->start_row_map[at];
        const kni_start_row *row = *place != 0 ? &library->start_rows[*place - 1] : NULL;
        if (row == NULL || (row->level == level && strcmp(row->group, group) == 0 &&
                               strcmp(row->attribute_name, attribute) == 0)) {
            return place;
        }
    }
}

static void start_row_map_fill(kn_library *library)
{
    memset(library->start_row_map, 0, library->start_row_map_capacity * sizeof(uint32_t));
    for (uint32_t i = 0; i < library->start_row_count; i++) {
        const kni_start_row *row = &library->start_rows[i];
        *start_row_place(library, row->group, row->attribute_name, row->level) = i + 1;
    }
}

// Makes room for `count` rows, with half of the map free. False when out of memory.
static bool start_row_map_reserve(kn_library *library, uint32_t count)
{
    uint32_t capacity = library->start_row_map_capacity > 0 ? library->start_row_map_capacity : 16;
    while (capacity / 2 < count) {
        if (capacity > UINT32_MAX / 2) {
            return false;
        }
        capacity *= 2;
    }
    if (capacity == library->start_row_map_capacity) {
        return true;
    }
    uint32_t *map = kni_realloc(&library->memory, NULL, 0, capacity * sizeof(*map));
    if (map == NULL) {
        return false;
    }
    kni_free(
        &library->memory, library->start_row_map, library->start_row_map_capacity * sizeof(*map));
    library->start_row_map = map;
    library->start_row_map_capacity = capacity;
    start_row_map_fill(library);
    return true;
}

static kn_result start_row_add(
    kn_library *library, const kn_attribute_row *row, uint32_t number, kn_error *error)
{
    kni_memory *memory = &library->memory;
    if (row->group == NULL || row->attribute == NULL || !isfinite(row->value)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "row %u needs a group, an attribute and a finite value", number);
    }
    bool ok = start_row_map_reserve(library, library->start_row_count + 1) &&
              kni_grow(memory, &library->start_rows, &library->start_row_capacity,
                  library->start_row_count + 1, sizeof(kni_start_row));
    uint32_t *place = ok ? start_row_place(library, row->group, row->attribute, row->level) : NULL;
    if (ok && *place != 0) {
        return kni_error(error, KN_REFUSED_DUPLICATE, "row %u: %s of group %s has level %u twice",
            number, row->attribute, row->group, row->level);
    }
    kni_start_row copy = {ok ? kni_strdup(memory, row->group) : NULL, 0, row->level, row->value,
        ok ? kni_strdup(memory, row->attribute) : NULL};
    if (copy.group == NULL || copy.attribute_name == NULL) {
        kni_strfree(memory, copy.group);
        kni_strfree(memory, copy.attribute_name);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for starting values");
    }
    library->start_rows[library->start_row_count++] = copy;
    *place = library->start_row_count;
    return KN_OK;
}

kn_result kn_attribute_table_register(
    kn_library *library, const kn_attribute_row *rows, uint32_t count, kn_error *error)
{
    if (library == NULL || (rows == NULL && count > 0)) {
        KN_ASSERT(library != NULL && rows != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (library->finished) {
        return kni_error(error, KN_ERROR_WORLD_LOCKED, "the library is finished");
    }
    uint32_t before = library->start_row_count;
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < count && result == KN_OK; i++) {
        result = start_row_add(library, &rows[i], i, error);
    }
    if (result != KN_OK && library->start_row_count > before) {
        while (library->start_row_count > before) {
            kni_start_row *row = &library->start_rows[--library->start_row_count];
            kni_strfree(&library->memory, row->group);
            kni_strfree(&library->memory, row->attribute_name);
        }
        start_row_map_fill(library);
    }
    return result;
}

bool kn_attribute_row_at(const kn_library *library, uint32_t index, kn_attribute_row *row)
{
    *row = (kn_attribute_row){0};
    if (index >= library->start_row_count) {
        return false;
    }
    const kni_start_row *from = &library->start_rows[index];
    row->group = from->group;
    row->attribute = from->attribute_name;
    row->level = from->level;
    row->value = from->value;
    return true;
}

// Finish --------------------------------------------------------------------

static kn_result limit_resolve(const kn_library *library, const kni_attribute *attribute,
    const kn_limit *limit, kni_limit *out, kn_error *error)
{
    out->is_set = limit->is_set;
    out->value = limit->value;
    out->attribute = KNI_NONE;
    if (!limit->is_set || limit->attribute == NULL) {
        return KN_OK;
    }
    char name[KN_TAG_NAME_MAX + 1];
    const char *wanted = limit->attribute;
    if (strchr(wanted, '.') == NULL) {
        // A sibling: an attribute of the same set, own or inherited.
        const kni_set *set = kni_set_at(library, attribute->set);
        for (uint32_t i = 0; i < set->count; i++) {
            const kni_attribute *sibling = kni_attribute_at(library, set->attributes[i]);
            if (strcmp(sibling->def.name, wanted) == 0) {
                out->attribute = set->attributes[i];
                return KN_OK;
            }
        }
        set_full_name(name, sizeof(name), set->name, wanted);
        wanted = name;
    }
    kn_attribute_id found = {kni_attribute_find_quiet(library, wanted)};
    if (found.index1 == 0) {
        return kni_error(error, KN_ERROR_BAD_DATA, "%s is limited by `%s`, which is not declared",
            attribute->name, limit->attribute);
    }
    out->attribute = found.index1 - 1;
    return KN_OK;
}

static uint32_t limit_list(const kni_attribute *attribute, uint32_t out[4])
{
    const kni_limit *limits[4] = {
        &attribute->base_min, &attribute->base_max, &attribute->min, &attribute->max};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; i++) {
        if (!limits[i]->is_set || limits[i]->attribute == KNI_NONE) {
            continue;
        }
        bool known = false;
        for (uint32_t j = 0; j < count; j++) {
            known |= out[j] == limits[i]->attribute;
        }
        if (!known) {
            out[count++] = limits[i]->attribute;
        }
    }
    return count;
}

// Depth-first search over "is limited by"; state 1 = on the path, 2 = done.
static kn_result limit_cycle_check(
    const kn_library *library, uint8_t *state, uint32_t index, uint32_t depth, kn_error *error)
{
    const kni_attribute *attribute = kni_attribute_at(library, index);
    if (state[index] == 2) {
        return KN_OK;
    }
    if (state[index] == 1 || depth > 64) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s is limited by itself, through other attributes: break the cycle", attribute->name);
    }
    state[index] = 1;
    uint32_t limits[4];
    uint32_t count = limit_list(attribute, limits);
    for (uint32_t i = 0; i < count; i++) {
        kn_result result = limit_cycle_check(library, state, limits[i], depth + 1, error);
        if (result != KN_OK) {
            return result;
        }
    }
    state[index] = 2;
    return KN_OK;
}

static bool limits_cross(const kni_limit *min, const kni_limit *max)
{
    return min->is_set && max->is_set && min->attribute == KNI_NONE && max->attribute == KNI_NONE &&
           min->value > max->value;
}

static kn_result limits_finish(kn_library *library, kn_error *error)
{
    uint32_t count = kn_attribute_count(library);
    for (uint32_t i = 0; i < count; i++) {
        kni_attribute *attribute = KNI_ITEM(library, KN_DEF_ATTRIBUTE, kni_attribute, i);
        const kn_attribute_def *def = &attribute->def;
        const struct {
            const kn_limit *from;
            kni_limit *to;
        } limits[4] = {
            {&def->base_min, &attribute->base_min},
            {&def->base_max, &attribute->base_max},
            {&def->min, &attribute->min},
            {&def->max, &attribute->max},
        };
        for (uint32_t j = 0; j < 4; j++) {
            kn_result result =
                limit_resolve(library, attribute, limits[j].from, limits[j].to, error);
            if (result != KN_OK) {
                return result;
            }
        }
        if (limits_cross(&attribute->min, &attribute->max) ||
            limits_cross(&attribute->base_min, &attribute->base_max)) {
            return kni_error(
                error, KN_ERROR_BAD_DATA, "%s: its minimum is above its maximum", attribute->name);
        }
    }
    if (count == 0) {
        return KN_OK;
    }
    uint8_t *state = kni_realloc(&library->memory, NULL, 0, count);
    if (state == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory while checking limits");
    }
    memset(state, 0, count);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < count && result == KN_OK; i++) {
        result = limit_cycle_check(library, state, i, 0, error);
    }
    kni_free(&library->memory, state, count);
    return result;
}

// Builds the reverse lists: the attributes that each attribute limits.
static kn_result limit_lists_finish(kn_library *library, kn_error *error)
{
    uint32_t count = kn_attribute_count(library);
    for (uint32_t i = 0; i < count; i++) {
        kni_attribute *attribute = KNI_ITEM(library, KN_DEF_ATTRIBUTE, kni_attribute, i);
        kni_free(&library->memory, attribute->limits, attribute->limit_count * sizeof(uint32_t));
        attribute->limits = NULL;
        attribute->limit_count = 0;
        for (uint32_t pass = 0; pass < 2; pass++) {
            uint32_t found = 0;
            for (uint32_t j = 0; j < count; j++) {
                uint32_t limits[4];
                uint32_t limit_count = limit_list(kni_attribute_at(library, j), limits);
                for (uint32_t k = 0; k < limit_count; k++) {
                    if (limits[k] == i) {
                        if (pass == 1) {
                            attribute->limits[found] = j;
                        }
                        found++;
                    }
                }
            }
            if (pass == 0 && found > 0) {
                attribute->limits =
                    kni_realloc(&library->memory, NULL, 0, found * sizeof(uint32_t));
                if (attribute->limits == NULL) {
                    return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for limits");
                }
                attribute->limit_count = found;
            } else if (pass == 0) {
                break;
            }
        }
    }
    return KN_OK;
}

static bool profile_is_gas(const kn_value_profile *profile)
{
    return !profile->clamp_factors && !profile->clamp_sum && !profile->clamp_product;
}

// Whether it is the maximum of charges of some ability.
static bool attribute_counts_charges(const kn_library *library, uint32_t index)
{
    for (uint32_t i = 0; i < library->registries[KN_DEF_ABILITY].count; i++) {
        const kn_ability_def *def = &KNI_ITEM(library, KN_DEF_ABILITY, kni_ability_type, i)->def;
        for (uint32_t c = 0; c < def->cooldown_count; c++) {
            if (def->cooldowns[c].charges_from.index1 == index + 1) {
                return true;
            }
        }
    }
    return false;
}

static void attribute_flags_finish(kn_library *library, kni_attribute *attribute, uint32_t index)
{
    const kn_attribute_def *def = &attribute->def;
    const kni_set *set = kni_set_at(library, attribute->set);
    uint32_t flags = 0;
    bool has_rules = false;
    for (uint32_t i = 0; i < library->registries[KN_DEF_RULE].count; i++) {
        const kn_rule_def *rule = &kni_rule_at(library, i)->def;
        has_rules |=
            rule->trigger == KN_TRIGGER_ATTRIBUTE_CHANGED && rule->attribute.index1 == index + 1;
    }
    // A derived set may have hooks for attributes it inherits.
    bool has_hooks = set->has_hooks;
    for (uint32_t i = 0; i < library->registries[KN_DEF_ATTRIBUTE_SET].count; i++) {
        const kni_set *other = kni_set_at(library, i);
        for (uint32_t j = 0; other->has_hooks && j < other->count; j++) {
            has_hooks |= other->attributes[j] == index;
        }
    }
    uint32_t linked[4];
    bool is_linked = limit_list(attribute, linked) > 0;
    flags |= def->is_meta ? KNI_ATTRIBUTE_META : 0u;
    flags |= def->is_static ? KNI_ATTRIBUTE_STATIC : 0u;
    flags |= has_rules ? KNI_ATTRIBUTE_HAS_RULES : 0u;
    bool counts_charges = attribute_counts_charges(library, index);
    flags |= counts_charges ? KNI_ATTRIBUTE_COUNTS_CHARGES : 0u;
    bool has_limits = attribute->base_min.is_set || attribute->base_max.is_set ||
                      attribute->min.is_set || attribute->max.is_set;
    flags |= has_limits ? KNI_ATTRIBUTE_HAS_LIMITS : 0u;
    if (!def->is_meta && !def->is_static && !has_hooks && !has_rules && !is_linked &&
        !counts_charges && attribute->limit_count == 0 && def->rounding == KN_ROUND_NONE &&
        profile_is_gas(&def->profile)) {
        flags |= KNI_ATTRIBUTE_PLAIN;
    }
    attribute->const_base_min = attribute->base_min.is_set ? attribute->base_min.value : -INFINITY;
    attribute->const_base_max = attribute->base_max.is_set ? attribute->base_max.value : INFINITY;
    attribute->const_min = attribute->min.is_set ? attribute->min.value : -INFINITY;
    attribute->const_max = attribute->max.is_set ? attribute->max.value : INFINITY;
    attribute->flags = flags;
}

kn_result kni_attributes_finish(kn_library *library, kn_error *error)
{
    kn_result result = limits_finish(library, error);
    if (result == KN_OK) {
        result = limit_lists_finish(library, error);
    }
    if (result != KN_OK) {
        return result;
    }
    for (uint32_t i = 0; i < kn_attribute_count(library); i++) {
        kni_attribute *attribute = KNI_ITEM(library, KN_DEF_ATTRIBUTE, kni_attribute, i);
        attribute->event_kind = 0;
        if (attribute->def.event_kind != NULL) {
            attribute->event_kind = kn_event_kind_find(library, attribute->def.event_kind).index1;
            if (attribute->event_kind == 0) {
                return kni_error(error, KN_ERROR_BAD_DATA,
                    "%s runs event kind `%s`, which is not registered", attribute->name,
                    attribute->def.event_kind);
            }
        }
        attribute_flags_finish(library, attribute, i);
    }
    for (uint32_t i = 0; i < library->start_row_count; i++) {
        kni_start_row *row = &library->start_rows[i];
        kn_attribute_id found = {kni_attribute_find_quiet(library, row->attribute_name)};
        if (found.index1 == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "starting values of group %s name `%s`, which is not declared", row->group,
                row->attribute_name);
        }
        row->attribute = found.index1 - 1;
    }
    return KN_OK;
}

const char *kn_op_name(kn_op op)
{
    static const char *const names[KN_OP_COUNT] = {
        [KN_OP_ADD] = "Add",
        [KN_OP_MULTIPLY] = "Multiply",
        [KN_OP_DIVIDE] = "Divide",
        [KN_OP_MULTIPLY_ADDITIVE] = "Multiply Additive",
        [KN_OP_DIVIDE_ADDITIVE] = "Divide Additive",
        [KN_OP_MULTIPLY_COMPOUND] = "Multiply Compound",
        [KN_OP_DIVIDE_COMPOUND] = "Divide Compound",
        [KN_OP_ADD_FINAL] = "Add Final",
        [KN_OP_OVERRIDE] = "Override",
    };
    return (uint32_t)op < KN_OP_COUNT ? names[op] : "";
}

bool kni_sets_overlap(const kn_library *library, uint32_t a, uint32_t b)
{
    for (uint32_t x = a; x != KNI_NONE; x = kni_set_at(library, x)->parent) {
        for (uint32_t y = b; y != KNI_NONE; y = kni_set_at(library, y)->parent) {
            if (x == y) {
                return true;
            }
        }
    }
    return false;
}
