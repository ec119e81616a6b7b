// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "library/types.h"

#include "base/text.h"
#include "world/log.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const uint32_t registry_item_sizes[KN_DEF_KIND_COUNT] = {
    [KN_DEF_NAME] = sizeof(kni_name_entry),
    [KN_DEF_CURVE] = sizeof(kni_curve),
    [KN_DEF_ATTRIBUTE_SET] = sizeof(kni_set),
    [KN_DEF_ATTRIBUTE] = sizeof(kni_attribute),
    [KN_DEF_VALUE] = sizeof(kni_value_type),
    [KN_DEF_EVENT_KIND] = sizeof(kni_event_kind),
    [KN_DEF_CALCULATION] = sizeof(kni_calculation),
    [KN_DEF_EXECUTION] = sizeof(kni_execution_type),
    [KN_DEF_REQUIREMENT] = sizeof(kni_requirement),
    [KN_DEF_CONDITION] = sizeof(kni_condition),
    [KN_DEF_POLICY] = sizeof(kni_policy),
    [KN_DEF_EFFECT_LOGIC] = sizeof(kni_logic),
    [KN_DEF_EFFECT] = sizeof(kni_effect_type),
    [KN_DEF_CONTAINER] = sizeof(kni_container),
    [KN_DEF_RULE] = sizeof(kni_rule),
    [KN_DEF_TIMER] = sizeof(kni_timer_type),
    [KN_DEF_COMPONENT] = sizeof(kni_component_type),
    [KN_DEF_CONTEXT] = sizeof(kni_context_type),
    [KN_DEF_ABILITY] = sizeof(kni_ability_type),
    [KN_DEF_ABILITY_SET] = sizeof(kni_ability_set),
    [KN_DEF_TASK] = sizeof(kni_task_type),
    [KN_DEF_ANIMATION] = sizeof(kni_animation),
    [KN_DEF_TARGET] = sizeof(kni_target_type),
    [KN_DEF_TARGETING] = sizeof(kni_targeting),
    [KN_DEF_ARCHETYPE] = sizeof(kni_archetype),
};

// Registries ----------------------------------------------------------------

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
    while (*a != 0 && name_fold(*a) == name_fold(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

static const char *registry_name(const kni_registry *registry, uint32_t index)
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
        if (name_equal(registry_name(registry, registry->map[i] - 1), name)) {
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
        registry_map_insert(registry, registry_name(registry, i), i);
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

kn_result kni_register_check(kn_library *library, kn_def_kind kind, const char *name,
    uint32_t cookie, const char *what, kn_error *error)
{
    if (library == NULL || cookie != KNI_COOKIE) {
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
    if (!name_is_valid(name)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s `%s`: a name has 1 to 255 characters: letters, digits, `_`, `-`, `.` and spaces",
            what, name != NULL ? name : "");
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
    *index1 = registry->count;
    return KN_OK;
}

// Registers a function, or just a name. *item is NULL unless the result is KN_OK.
static kn_result register_function(kn_library *library, kn_def_kind kind, const char *name,
    bool has_function, const char *what, void **item, uint32_t *index1, kn_error *error)
{
    *item = NULL;
    *index1 = 0;
    kn_result result = kni_register_check(library, kind, name, KNI_COOKIE, what, error);
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
    return index1 == 0 || index1 > registry->count ? "" : registry_name(registry, index1 - 1);
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

// Whether an unknown name is logged for the first time. Worlds on other threads may ask,
// too.
static bool name_is_news(const kn_library *library, kn_def_kind kind, const char *name)
{
    uint32_t hash = 2166136261u ^ (uint32_t)kind;
    for (; *name != 0; name++) {
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    }
    uint32_t bit = 1u << (hash & 31);
    return (kni_atomic_or(&library->told->bits[hash >> 5 & 31], bit) & bit) == 0;
}

uint32_t kni_find_told(const kn_library *library, kn_def_kind kind, const char *name)
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
            kn_def_kind_name(kind), name, near != NULL ? "; did you mean `" : "",
            near != NULL ? near : "", near != NULL ? "`?" : "");
        kni_log_hooks(&library->hooks, KN_LOG_WORLD, KN_REFUSED_NOT_FOUND, sentence.message);
    }
    return index1;
}

uint32_t kni_ref_count(const kn_library *library, kn_def_kind kind)
{
    return kind == KN_DEF_TAG ? kn_tag_count(library) : library->registries[kind].count;
}

// Create, finish, destroy ---------------------------------------------------

kni_tag_table *kni_library_tags(kn_library *library)
{
    return &library->tags;
}

const kni_tag_table *kni_library_tags_const(const kn_library *library)
{
    return &library->tags;
}

kni_memory *kni_library_memory(kn_library *library)
{
    return &library->memory;
}

kn_library_def kn_library_def_default(void)
{
    kn_library_def def = {.cookie = KNI_COOKIE};
    return def;
}

kn_result kn_library_create(const kn_library_def *def, kn_library **out)
{
    if (out == NULL) {
        KN_ASSERT(out != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (def == NULL || def->cookie != KNI_COOKIE) {
        KNI_ASSERT_DEF(def, kn_library_def);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kni_memory memory;
    kni_memory_init(&memory, &def->hooks);
    kn_library *library = kni_realloc(&memory, NULL, 0, sizeof(*library));
    if (library == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(library, 0, sizeof(*library));
    library->memory = memory;
    library->hooks = def->hooks;
    kni_atomic_add(&library->references, 1);
    library->told = &library->told_names;
    for (uint32_t i = 0; i < KN_DEF_KIND_COUNT; i++) {
        library->registries[i].item_size = registry_item_sizes[i];
    }
    kni_tag_table_init(&library->tags);

    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "EffectApplication";
    kind.gate_sees_final = false;
    kn_event_kind_id kind_id;
    if (kn_event_kind_register(library, &kind, &kind_id, NULL) != KN_OK ||
        kni_targets_init(library) != KN_OK) {
        kn_library_destroy(library);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = library;
    return KN_OK;
}

static void formula_free(kni_memory *memory, kni_formula *formula)
{
    kni_strfree(memory, formula->text);
    kni_expression_free(memory, formula->code);
}

static void fields_free(kni_memory *memory, kni_fields *fields)
{
    kni_free(memory, fields->fields, fields->table.field_count * sizeof(kn_def_field));
}

// What an item holds besides its name and def.
static void item_free_compiled(kni_memory *memory, kn_def_kind kind, void *item)
{
    if (kind == KN_DEF_ATTRIBUTE) {
        kni_attribute *attribute = item;
        kni_free(memory, attribute->limits, attribute->limit_count * sizeof(uint32_t));
    } else if (kind == KN_DEF_ATTRIBUTE_SET) {
        kni_set *set = item;
        kni_free(memory, set->attributes, set->count * sizeof(uint32_t));
    } else if (kind == KN_DEF_CALCULATION) {
        kni_expression_free(memory, ((kni_calculation *)item)->code);
    } else if (kind == KN_DEF_REQUIREMENT) {
        formula_free(memory, &((kni_requirement *)item)->formula);
    } else if (kind == KN_DEF_CONDITION) {
        formula_free(memory, &((kni_condition *)item)->formula);
    } else if (kind == KN_DEF_EFFECT) {
        kni_effect_type_free(memory, item);
    } else if (kind == KN_DEF_COMPONENT) {
        fields_free(memory, &((kni_component_type *)item)->record);
        fields_free(memory, &((kni_component_type *)item)->items);
    } else if (kind == KN_DEF_EFFECT_LOGIC) {
        fields_free(memory, &((kni_logic *)item)->state);
    } else if (kind == KN_DEF_TASK) {
        fields_free(memory, &((kni_task_type *)item)->state);
    } else if (kind == KN_DEF_ABILITY) {
        kni_ability_type *ability = item;
        fields_free(memory, &ability->state);
        kni_free(memory, ability->cooldown_tags, ability->cooldown_tag_count * sizeof(kn_tag));
    }
}

static void registry_free(kn_library *library, kn_def_kind kind)
{
    kni_registry *registry = &library->registries[kind];
    kni_memory *memory = &library->memory;
    const kni_def_part *part = &kni_def_parts[kind];
    for (uint32_t i = 0; i < registry->count; i++) {
        uint8_t *item = kni_registry_at(registry, i);
        item_free_compiled(memory, kind, item);
        if (part->table != NULL && kind != KN_DEF_EFFECT) { // which is freed with what was compiled
            kni_def_free(memory, part->table, item + part->offset);
        }
        char *name;
        memcpy(&name, item, sizeof(name));
        kni_strfree(memory, name);
    }
    kni_free(memory, registry->items, (size_t)registry->capacity * registry->item_size);
    kni_free(memory, registry->map, registry->map_capacity * sizeof(*registry->map));
}

// The reference count is the one field of a finished library that changes; worlds on other threads
// share it.
static uint32_t library_reference(kn_library *library, int32_t change)
{
    return kni_atomic_add(&library->references, (uint32_t)change);
}

void kni_library_retain(const kn_library *library)
{
    kn_library *shared;
    memcpy(&shared, &library, sizeof(shared));
    library_reference(shared, 1);
}

void kn_library_destroy(kn_library *library)
{
    if (library == NULL || library_reference(library, -1) > 0) {
        return;
    }
    kni_memory *memory = &library->memory;
    for (uint32_t i = library->kept_count; i-- > 0;) {
        library->kept[i].release(library->kept[i].user);
    }
    kni_free(memory, library->kept, library->kept_capacity * sizeof(kni_kept));
    for (uint32_t i = 0; i < KN_DEF_KIND_COUNT; i++) {
        registry_free(library, (kn_def_kind)i);
    }
    kni_tag_table_free(&library->tags, memory);
    for (uint32_t i = 0; i < library->attribute_redirect_count; i++) {
        kni_strfree(memory, library->attribute_redirects[i].old_name);
        kni_strfree(memory, library->attribute_redirects[i].new_name);
    }
    kni_free(memory, library->attribute_redirects,
        library->attribute_redirect_capacity * sizeof(kni_redirect));
    for (uint32_t i = 0; i < library->start_row_count; i++) {
        kni_strfree(memory, library->start_rows[i].group);
        kni_strfree(memory, library->start_rows[i].attribute_name);
    }
    kni_free(memory, library->start_rows, library->start_row_capacity * sizeof(kni_start_row));
    kni_free(memory, library->start_row_map, library->start_row_map_capacity * sizeof(uint32_t));
    kni_free(memory, library->rules_by_priority,
        library->rule_capacity * sizeof(*library->rules_by_priority));
    for (uint32_t i = 0; i < library->warning_count; i++) {
        kni_strfree(memory, library->warnings[i]);
    }
    kni_free(memory, library->warnings, library->warning_capacity * sizeof(char *));
    kni_memory last = *memory;
    kni_free(&last, library, sizeof(*library));
}

void kni_library_warn(kn_library *library, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    kni_text text;
    kni_text_init(&text, message, sizeof(message));
    for (const char *c = format; *c != 0; c++) {
        if (*c == '%') {
            c++;
            kni_text_str(&text, va_arg(arguments, const char *));
        } else {
            kni_text_char(&text, *c);
        }
    }
    va_end(arguments);
    if (!kni_grow(&library->memory, &library->warnings, &library->warning_capacity,
            library->warning_count + 1, sizeof(char *))) {
        library->poisoned = true;
        return;
    }
    char *copy = kni_strdup(&library->memory, message);
    library->poisoned |= copy == NULL;
    if (copy != NULL) {
        library->warnings[library->warning_count++] = copy;
    }
}

// Rules in the order they react: higher priority first, then order of registration.
static kn_result rules_finish(kn_library *library, kn_error *error)
{
    uint32_t count = library->registries[KN_DEF_RULE].count;
    if (count == 0) {
        return KN_OK;
    }
    // An earlier try may have failed, and more rules have come since.
    if (!kni_grow(&library->memory, &library->rules_by_priority, &library->rule_capacity, count,
            sizeof(*library->rules_by_priority))) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for rules");
    }
    for (uint32_t i = 0; i < count; i++) {
        const kni_rule *rule = KNI_ITEM(library, KN_DEF_RULE, kni_rule, i);
        library->trigger_mask |= 1u << rule->def.trigger;
        uint32_t at = i;
        while (
            at > 0 && KNI_ITEM(library, KN_DEF_RULE, kni_rule, library->rules_by_priority[at - 1])
                              ->def.priority < rule->def.priority) {
            library->rules_by_priority[at] = library->rules_by_priority[at - 1];
            at--;
        }
        library->rules_by_priority[at] = i;
    }
    return KN_OK;
}

// The expression of a registered thing; NULL if it has none.
static const kni_expression *library_expression(
    const kn_library *library, kn_def_kind kind, uint32_t index)
{
    switch (kind) {
    case KN_DEF_CALCULATION:
        return KNI_ITEM(library, kind, kni_calculation, index)->code;
    case KN_DEF_REQUIREMENT:
        return KNI_ITEM(library, kind, kni_requirement, index)->formula.code;
    case KN_DEF_CONDITION:
        return KNI_ITEM(library, kind, kni_condition, index)->formula.code;
    default:
        return NULL;
    }
}

// Calls `visit` for every def that is registered, kind by kind. Attributes are visited as part of
// their sets.
static void library_visit(kn_library *library,
    void (*visit)(kn_library *, const kn_def_table *, const void *, void *), void *user)
{
    for (uint32_t kind = 0; kind < KN_DEF_KIND_COUNT; kind++) {
        const kni_def_part *part = &kni_def_parts[kind];
        const kni_registry *registry = &library->registries[kind];
        for (uint32_t i = 0; part->table != NULL && kind != KN_DEF_ATTRIBUTE && i < registry->count;
             i++) {
            visit(library, part->table,
                (const uint8_t *)kni_registry_at(registry, i) + part->offset, user);
        }
    }
}

static void visit_count_uses(
    kn_library *library, const kn_def_table *table, const void *def, void *user)
{
    (void)user;
    kni_def_count_uses(library, table, def);
}

static void visit_hash(kn_library *library, const kn_def_table *table, const void *def, void *user)
{
    kni_def_hash(library, table, def, user);
}

static void library_count_uses(kn_library *library)
{
    for (uint32_t k = 1; k < KN_DEF_KIND_COUNT; k++) {
        for (uint32_t i = 0; i < library->registries[k].count; i++) {
            const kni_expression *code = library_expression(library, (kn_def_kind)k, i);
            if (code != NULL) {
                kni_expression_count_uses(library, code);
            }
        }
    }
    library_visit(library, visit_count_uses, NULL);
}

static void formula_hash(const kni_formula *formula, kni_hash *hash)
{
    kni_hash_u32(hash, formula->text != NULL);
    kni_hash_str(hash, formula->text != NULL ? formula->text : "");
}

static void library_hash_update(kn_library *library)
{
    kni_hash hash = kni_hash_begin(1);
    kni_hash_u64(&hash, kn_tag_table_hash(library));
    for (uint32_t k = 1; k < KN_DEF_KIND_COUNT; k++) {
        const kni_registry *registry = &library->registries[k];
        kni_hash_u32(&hash, registry->count);
        for (uint32_t i = 0; i < registry->count; i++) {
            kni_hash_str(&hash, registry_name(registry, i));
        }
    }
    library_visit(library, visit_hash, &hash);
    for (uint32_t i = 0; i < library->registries[KN_DEF_REQUIREMENT].count; i++) {
        formula_hash(&KNI_ITEM(library, KN_DEF_REQUIREMENT, kni_requirement, i)->formula, &hash);
    }
    for (uint32_t i = 0; i < library->registries[KN_DEF_CONDITION].count; i++) {
        formula_hash(&KNI_ITEM(library, KN_DEF_CONDITION, kni_condition, i)->formula, &hash);
    }
    for (uint32_t i = 0; i < library->start_row_count; i++) {
        const kni_start_row *row = &library->start_rows[i];
        kni_hash_str(&hash, row->group);
        kni_hash_u32(&hash, row->attribute);
        kni_hash_u32(&hash, row->level);
        kni_hash_f32(&hash, row->value);
    }
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        kni_hash_u32(&hash, library->fail_tags[i].index1);
    }
    kni_hash_u32(&hash, library->dead_tag.index1);
    kni_hash_u32(&hash, library->cue_root.index1);
    if (library->added_hash != 0) {
        kni_hash_u64(&hash, library->added_hash);
    }
    library->hash = kni_hash_end(&hash);
}

kn_result kn_library_finish(kn_library *library, kn_error *error)
{
    if (library == NULL) {
        KN_ASSERT(library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (library->finished) {
        return KN_OK;
    }
    library->poisoned = false;
    for (uint32_t i = 0; i < library->warning_count; i++) {
        kni_strfree(&library->memory, library->warnings[i]);
    }
    library->warning_count = 0;

    kn_result result = kni_tag_table_finish(&library->tags, &library->memory, error);
    if (result == KN_OK) {
        result = kni_attributes_finish(library, error);
    }
    if (result == KN_OK) {
        result = rules_finish(library, error);
    }
    if (result == KN_OK) {
        result = kni_effects_finish(library, error);
    }
    if (result == KN_OK) {
        result = kni_abilities_finish(library, error);
    }
    if (result == KN_OK && library->poisoned) {
        result =
            kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory while finishing the library");
    }
    if (result != KN_OK) {
        library->tags.finished = false;
        return result;
    }
    library_count_uses(library);
    library_hash_update(library);
    library->finished = true;
    return KN_OK;
}

kn_result kn_library_keep(kn_library *library, kn_library_release_fn *release, void *user)
{
    if (library == NULL || release == NULL) {
        KN_ASSERT(library != NULL && release != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (library->finished) {
        return KN_ERROR_WORLD_LOCKED;
    }
    if (!kni_grow(&library->memory, &library->kept, &library->kept_capacity,
            library->kept_count + 1, sizeof(kni_kept))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    library->kept[library->kept_count++] = (kni_kept){release, user};
    return KN_OK;
}

kn_result kn_library_add_hash(kn_library *library, uint64_t hash)
{
    if (library == NULL) {
        KN_ASSERT(library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (library->finished) {
        return KN_ERROR_WORLD_LOCKED;
    }
    kni_hash sum = kni_hash_begin(library->added_hash);
    kni_hash_u64(&sum, hash);
    library->added_hash = kni_hash_end(&sum);
    return KN_OK;
}

bool kn_library_is_finished(const kn_library *library)
{
    return library != NULL && library->finished;
}

uint64_t kn_library_hash(const kn_library *library)
{
    return library->hash;
}

uint32_t kn_library_warning_count(const kn_library *library)
{
    return library->warning_count;
}

const char *kn_library_warning(const kn_library *library, uint32_t index)
{
    return index < library->warning_count ? library->warnings[index] : "";
}

uint64_t kn_library_bytes(const kn_library *library)
{
    return library->memory.bytes;
}

// Names ---------------------------------------------------------------------

kn_result kn_name_register(kn_library *library, const char *text, kn_name *name, kn_error *error)
{
    if (library == NULL) {
        return kni_register_check(library, KN_DEF_NAME, text, KNI_COOKIE, "name", error);
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
        register_function(library, KN_DEF_NAME, text, true, "name", &item, &index1, error);
    if (result == KN_OK && name != NULL) {
        name->index1 = index1;
    }
    return result;
}

kn_name kn_name_find(const kn_library *library, const char *text)
{
    kn_name name = {kni_find_told(library, KN_DEF_NAME, text)};
    return name;
}

const char *kn_name_text(const kn_library *library, kn_name name)
{
    return kni_ref_name(library, KN_DEF_NAME, name.index1);
}

// Curves --------------------------------------------------------------------

kn_curve_def kn_curve_def_default(void)
{
    kn_curve_def def = {.kind = KN_CURVE_LINEAR, .cookie = KNI_COOKIE};
    return def;
}

kn_result kn_curve_register(
    kn_library *library, const kn_curve_def *def, kn_curve_id *curve, kn_error *error)
{
    uint32_t index1 = 0;
    if (def != NULL && def->cookie == KNI_COOKIE && def->points != NULL) {
        for (uint32_t i = 1; i < def->point_count; i++) {
            if (!(def->points[i].x > def->points[i - 1].x)) {
                *curve = (kn_curve_id){0};
                return kni_error(error, KN_ERROR_BAD_DATA,
                    "curve `%s`: x of point %u does not increase",
                    def->name != NULL ? def->name : "", i);
            }
        }
    }
    kn_result result = KN_ERROR_INVALID_ARGUMENT;
    if (def != NULL && def->cookie == KNI_COOKIE && def->point_count == 0) {
        result = kni_error(error, KN_ERROR_BAD_DATA, "curve `%s` has no points",
            def->name != NULL ? def->name : "");
    } else if (def != NULL) {
        result = kni_register_def(library, KN_DEF_CURVE, &kni_curve_def_table,
            offsetof(kni_curve, def), def, def->name, def->cookie, "curve", &index1, error);
    }
    curve->index1 = index1;
    return result;
}

float kn_curve_at(const kn_library *library, kn_curve_id curve, float x)
{
    if (curve.index1 == 0 || curve.index1 > library->registries[KN_DEF_CURVE].count) {
        return 1.0f;
    }
    const kn_curve_def *def = &KNI_ITEM(library, KN_DEF_CURVE, kni_curve, curve.index1 - 1)->def;
    const kn_curve_point *points = def->points;
    uint32_t low = 0, high = def->point_count; // the first point above x lies in [low, high]
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (points[middle].x <= x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return points[0].y;
    }
    const kn_curve_point *a = &points[low - 1];
    if (def->kind == KN_CURVE_STEP || low == def->point_count) {
        return a->y;
    }
    const kn_curve_point *b = &points[low];
    float width = b->x - a->x, rise = b->y - a->y;
    if (!isfinite(width) || !isfinite(rise)) { // neighbours further apart than a float can say
        double part = ((double)x - (double)a->x) / ((double)b->x - (double)a->x);
        return (float)((double)a->y + ((double)b->y - (double)a->y) * part);
    }
    return a->y + rise * ((x - a->x) / width);
}

// Fields of structs -----------------------------------------------------------

// Fields must tile the struct: in order, without gap or overlap.
kn_result kni_public_fields_check(const char *what, const char *name, const kn_field *fields,
    uint32_t count, uint32_t size, kn_error *error)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const kn_field *field = &fields[i];
        kn_def_field probe = {.name = field->name, .kind = (uint8_t)field->kind, .count = 1};
        size_t bytes = field->kind >= KN_FIELD_U8 && field->kind <= KN_FIELD_CURVE
                           ? kni_field_size(&probe)
                           : 0;
        uint32_t elements = field->count == 0 ? 1 : field->count;
        if (bytes == 0 || field->name == NULL || elements > KNI_FIELD_ELEMENTS_MAX) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s `%s`: field %u has no name or no known kind", what, name, i);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(fields[j].name, field->name) == 0) {
                return kni_error(error, KN_ERROR_BAD_DATA, "%s `%s`: field %s appears twice", what,
                    name, field->name);
            }
        }
        if (field->offset != at) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s `%s`: field %s begins at %u, but the one before ends at %u", what, name,
                field->name, field->offset, at);
        }
        if (bytes * elements > UINT32_MAX - at) {
            return kni_error(error, KN_ERROR_BAD_DATA, "%s `%s`: field %s is too large", what, name,
                field->name);
        }
        at += (uint32_t)bytes * elements;
    }
    if (at != size) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s `%s`: its fields cover %u of %u bytes; name the padding too", what, name, at, size);
    }
    return KN_OK;
}

static bool fields_make(kn_library *library, const char *name, const kn_field *fields,
    uint32_t count, uint32_t size, kni_fields *out)
{
    kn_def_field *made = NULL;
    if (count > 0) {
        made = kni_realloc(&library->memory, NULL, 0, count * sizeof(kn_def_field));
        if (made == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        made[i] = (kn_def_field){.name = fields[i].name,
            .kind = (uint8_t)fields[i].kind,
            .offset = fields[i].offset,
            .count = fields[i].count == 0 ? 1 : fields[i].count};
    }
    *out = (kni_fields){.fields = made,
        .table = {name, size, made, count, NULL},
        .size = size,
        .number1 = count > 0 ? ++library->fields_count : 0};
    return true;
}

// Without memory for what else it holds, the last of a kind is not registered.
static kn_result register_undo(kn_library *library, kn_def_kind kind, kn_error *error)
{
    kni_registry *registry = &library->registries[kind];
    uint8_t *item = kni_registry_at(registry, registry->count - 1);
    const char *name = kn_def_name(library, kind, registry->count);
    kn_result result = kni_error(
        error, KN_ERROR_OUT_OF_MEMORY, "out of memory for %s `%s`", kn_def_kind_name(kind), name);
    item_free_compiled(&library->memory, kind, item);
    kni_def_free(&library->memory, kni_def_parts[kind].table, item + kni_def_parts[kind].offset);
    kni_registry_pop(&library->memory, registry);
    return result;
}

kn_result kni_state_check(const char *what, const char *name, uint32_t size, const kn_field *fields,
    uint32_t count, kn_error *error)
{
    if (size > KNI_STATE_MAX) {
        return kni_error(error, KN_ERROR_BAD_DATA, "%s `%s`: its state must not exceed %d bytes",
            what, name, KNI_STATE_MAX);
    }
    if (fields == NULL && count > 0) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s `%s`: it declares %u state fields, but the pointer to them is NULL", what, name,
            count);
    }
    return count == 0 ? KN_OK : kni_public_fields_check(what, name, fields, count, size, error);
}

kn_result kni_state_make(kn_library *library, kn_def_kind kind, kni_fields *state, uint32_t size,
    const kn_field *fields, uint32_t count, kn_error *error)
{
    const char *name = kn_def_name(library, kind, library->registries[kind].count);
    return fields_make(library, name, fields, count, size, state)
               ? KN_OK
               : register_undo(library, kind, error);
}

// Everything else that is registered by a def -------------------------------

#define KNI_REGISTER(kind, table, item_type, what)                                                 \
    uint32_t index1 = 0;                                                                           \
    kn_result result = def == NULL                                                                 \
                           ? KN_ERROR_INVALID_ARGUMENT                                             \
                           : kni_register_def(library, kind, table, offsetof(item_type, def), def, \
                                 def->name, def->cookie, what, &index1, error);

kn_value_def kn_value_def_default(void)
{
    kn_value_def def = {.profile = kn_value_profile_combat(), .cookie = KNI_COOKIE};
    return def;
}

kn_result kn_value_register(
    kn_library *library, const kn_value_def *def, kn_value_id *value, kn_error *error)
{
    value->index1 = 0;
    if (def != NULL && def->cookie == KNI_COOKIE && def->has_min && def->has_max &&
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
    kn_event_kind_def def = {.restrictable = true, .gate_sees_final = true, .cookie = KNI_COOKIE};
    return def;
}

kn_result kn_event_kind_register(
    kn_library *library, const kn_event_kind_def *def, kn_event_kind_id *kind, kn_error *error)
{
    KNI_REGISTER(KN_DEF_EVENT_KIND, &kni_event_kind_def_table, kni_event_kind, "event kind")
    kind->index1 = index1;
    return result;
}

kn_rule_def kn_rule_def_default(void)
{
    kn_rule_def def = {.cookie = KNI_COOKIE};
    return def;
}

kn_result kn_rule_register(
    kn_library *library, const kn_rule_def *def, kn_rule_id *rule, kn_error *error)
{
    rule->index1 = 0;
    if (def != NULL && def->cookie == KNI_COOKIE && def->function == NULL) {
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "rule `%s` has no function",
            def->name != NULL ? def->name : "");
    }
    bool by_tag = def != NULL && def->trigger <= KN_TRIGGER_TAG_REMOVED;
    if (def != NULL && def->cookie == KNI_COOKIE &&
        ((by_tag && def->tag.index1 == 0) ||
            (def->trigger == KN_TRIGGER_ATTRIBUTE_CHANGED && def->attribute.index1 == 0))) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "rule `%s` must say which tag or attribute triggers it",
            def->name != NULL ? def->name : "");
    }
    KNI_REGISTER(KN_DEF_RULE, &kni_rule_def_table, kni_rule, "rule")
    rule->index1 = index1;
    return result;
}

kn_calculation_def kn_calculation_def_default(void)
{
    kn_calculation_def def = {.cookie = KNI_COOKIE};
    return def;
}

static kn_result captures_check(
    const kn_capture *captures, uint32_t count, const char *what, const char *name, kn_error *error)
{
    for (uint32_t i = 0; captures != NULL && i < count; i++) {
        if (captures[i].attribute.index1 == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s `%s`: capture %u does not name an attribute", what, name != NULL ? name : "",
                i);
        }
    }
    return KN_OK;
}

// A calculation with an expression: the attributes it reads become captures of the def.
static kn_result calculation_compile(
    kn_library *library, kn_calculation_def *def, kni_expression **code, kn_error *error)
{
    *code = NULL;
    kn_result result = kni_register_check(
        library, KN_DEF_CALCULATION, def->name, def->cookie, "calculation", error);
    if (result == KN_OK) {
        result = kni_def_check(library, &kni_calculation_def_table, def, error);
    }
    if (result != KN_OK) {
        return result;
    }
    kni_expression_def expression = {KNI_EXPRESSION_CALCULATION, "calculation", def->name,
        def->expression, def->captures, def->capture_count};
    result = kni_expression_compile(library, &library->memory, &expression, code, error);
    if (result == KN_OK) {
        def->captures = (*code)->captures;
        def->capture_count = (*code)->capture_count;
    }
    return result;
}

kn_result kn_calculation_register(kn_library *library, const kn_calculation_def *def,
    kn_calculation_id *calculation, kn_error *error)
{
    calculation->index1 = 0;
    kn_calculation_def full;
    kni_expression *code = NULL;
    if (def != NULL && def->cookie == KNI_COOKIE) {
        kn_result check =
            captures_check(def->captures, def->capture_count, "calculation", def->name, error);
        if (check == KN_OK && (def->function == NULL) == (def->expression == NULL)) {
            check = kni_error(error, KN_ERROR_INVALID_ARGUMENT,
                "calculation `%s` has %s; give it one", def->name != NULL ? def->name : "",
                def->function == NULL ? "neither function nor expression"
                                      : "both a function and an expression");
        }
        if (check == KN_OK && def->expression != NULL) {
            full = *def;
            check = calculation_compile(library, &full, &code, error);
            def = &full;
        }
        if (check != KN_OK) {
            return check;
        }
    }
    KNI_REGISTER(KN_DEF_CALCULATION, &kni_calculation_def_table, kni_calculation, "calculation")
    calculation->index1 = index1;
    if (code != NULL && result == KN_OK) {
        kni_calculation *item = KNI_ITEM(library, KN_DEF_CALCULATION, kni_calculation, index1 - 1);
        item->code = code;
        code->captures = item->def.captures; // whose filters are copies
    } else if (code != NULL) {
        kni_expression_free(&library->memory, code);
    }
    return result;
}

kn_execution_def kn_execution_def_default(void)
{
    kn_execution_def def = {.cookie = KNI_COOKIE};
    return def;
}

kn_result kn_execution_register(
    kn_library *library, const kn_execution_def *def, kn_execution_id *execution, kn_error *error)
{
    execution->index1 = 0;
    if (def != NULL && def->cookie == KNI_COOKIE) {
        kn_result check =
            captures_check(def->captures, def->capture_count, "execution", def->name, error);
        if (check == KN_OK && def->function == NULL) {
            check = kni_error(error, KN_ERROR_INVALID_ARGUMENT, "execution `%s` has no function",
                def->name != NULL ? def->name : "");
        }
        if (check != KN_OK) {
            return check;
        }
    }
    KNI_REGISTER(KN_DEF_EXECUTION, &kni_execution_def_table, kni_execution_type, "execution")
    execution->index1 = index1;
    return result;
}

kn_effect_logic_def kn_effect_logic_def_default(void)
{
    kn_effect_logic_def def = {.cookie = KNI_COOKIE};
    return def;
}

kn_result kn_effect_logic_register(
    kn_library *library, const kn_effect_logic_def *def, kn_effect_logic_id *logic, kn_error *error)
{
    logic->index1 = 0;
    if (def != NULL && def->cookie == KNI_COOKIE) {
        kn_result check = kni_state_check("effect logic", def->name != NULL ? def->name : "",
            def->state_size, def->state_fields, def->state_field_count, error);
        if (check != KN_OK) {
            return check;
        }
    }
    KNI_REGISTER(KN_DEF_EFFECT_LOGIC, &kni_logic_def_table, kni_logic, "effect logic")
    if (result == KN_OK) {
        kni_logic *item = KNI_ITEM(library, KN_DEF_EFFECT_LOGIC, kni_logic, index1 - 1);
        result = kni_state_make(library, KN_DEF_EFFECT_LOGIC, &item->state, item->def.state_size,
            item->def.state_fields, item->def.state_field_count, error);
    }
    logic->index1 = result == KN_OK ? index1 : 0;
    return result;
}

kn_container_def kn_container_def_default(void)
{
    kn_container_def def = {.target = KN_CONTAINER_GIVEN, .cookie = KNI_COOKIE};
    return def;
}

kn_result kn_container_register(
    kn_library *library, const kn_container_def *def, kn_container_id *container, kn_error *error)
{
    container->index1 = 0;
    if (def != NULL && def->cookie == KNI_COOKIE &&
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

// Extension components ------------------------------------------------------

kn_component_def kn_component_def_default(void)
{
    kn_component_def def = {.cookie = KNI_COOKIE};
    return def;
}

kn_result kn_component_register(
    kn_library *library, const kn_component_def *def, kn_component_type_id *type, kn_error *error)
{
    type->index1 = 0;
    if (def != NULL && def->cookie == KNI_COOKIE) {
        const char *name = def->name != NULL ? def->name : "";
        if (def->size == 0 || def->size > 65536 || def->item_size > 65536 || def->fields == NULL ||
            (def->item_size > 0 && def->item_fields == NULL)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "component `%s`: its size must be 1 to 65536, with a field table for every part",
                name);
        }
        kn_result check = kni_public_fields_check(
            "component", name, def->fields, def->field_count, def->size, error);
        if (check == KN_OK) {
            check = kni_public_fields_check(
                "component", name, def->item_fields, def->item_field_count, def->item_size, error);
        }
        if (check != KN_OK) {
            return check;
        }
    }
    KNI_REGISTER(KN_DEF_COMPONENT, &kni_component_def_table, kni_component_type, "component")
    if (result != KN_OK) {
        return result;
    }
    kni_component_type *item = KNI_ITEM(library, KN_DEF_COMPONENT, kni_component_type, index1 - 1);
    if (!fields_make(library, item->name, item->def.fields, item->def.field_count, item->def.size,
            &item->record) ||
        !fields_make(library, item->name, item->def.item_fields, item->def.item_field_count,
            item->def.item_size, &item->items)) {
        return register_undo(library, KN_DEF_COMPONENT, error);
    }
    type->index1 = index1;
    return KN_OK;
}

// Functions -----------------------------------------------------------------

kn_result kn_policy_register(kn_library *library, const char *name, kn_policy_fn *function,
    void *user, kn_policy_id *policy, kn_error *error)
{
    void *item;
    kn_result result = register_function(
        library, KN_DEF_POLICY, name, function != NULL, "policy", &item, &policy->index1, error);
    if (item != NULL) {
        ((kni_policy *)item)->function = function;
        ((kni_policy *)item)->user = user;
    }
    return result;
}

kn_result kn_condition_register(kn_library *library, const char *name, kn_condition_fn *function,
    void *user, kn_condition_id *condition, kn_error *error)
{
    void *item;
    kn_result result = register_function(library, KN_DEF_CONDITION, name, function != NULL,
        "condition", &item, &condition->index1, error);
    if (item != NULL) {
        ((kni_condition *)item)->function = function;
        ((kni_condition *)item)->user = user;
    }
    return result;
}

kn_result kn_requirement_register(kn_library *library, const char *name,
    kn_requirement_fn *function, void *user, kn_requirement_id *requirement, kn_error *error)
{
    void *item;
    kn_result result = register_function(library, KN_DEF_REQUIREMENT, name, function != NULL,
        "requirement", &item, &requirement->index1, error);
    if (item != NULL) {
        ((kni_requirement *)item)->function = function;
        ((kni_requirement *)item)->user = user;
    }
    return result;
}

// Registers an expression under a name. *item is NULL unless the result is KN_OK.
static kn_result register_expression(kn_library *library, kn_def_kind kind,
    const kni_expression_def *def, kni_formula *formula, void **item, uint32_t *index1,
    kn_error *error)
{
    *item = NULL;
    *index1 = 0;
    *formula = (kni_formula){0};
    kn_result result = kni_register_check(library, kind, def->name, KNI_COOKIE, def->what, error);
    if (result == KN_OK && def->text == NULL) {
        result = kni_error(
            error, KN_ERROR_INVALID_ARGUMENT, "%s `%s` has no expression", def->what, def->name);
    }
    if (result == KN_OK) {
        result = kni_expression_compile(library, &library->memory, def, &formula->code, error);
    }
    if (result != KN_OK) {
        return result;
    }
    formula->text = kni_strdup(&library->memory, def->text);
    if (formula->text == NULL) {
        result = kni_error(
            error, KN_ERROR_OUT_OF_MEMORY, "out of memory for %s `%s`", def->what, def->name);
    } else {
        result = register_function(library, kind, def->name, true, def->what, item, index1, error);
    }
    if (result != KN_OK) {
        formula_free(&library->memory, formula);
    }
    return result;
}

kn_result kn_condition_register_expression(kn_library *library, const char *name,
    const char *expression, kn_condition_id *condition, kn_error *error)
{
    kni_expression_def def = {KNI_EXPRESSION_CONDITION, "condition", name, expression, NULL, 0};
    void *item;
    kni_formula formula;
    kn_result result = register_expression(
        library, KN_DEF_CONDITION, &def, &formula, &item, &condition->index1, error);
    if (item != NULL) {
        ((kni_condition *)item)->formula = formula;
    }
    return result;
}

kn_result kn_requirement_register_expression(kn_library *library, const char *name,
    const char *expression, kn_requirement_id *requirement, kn_error *error)
{
    kni_expression_def def = {KNI_EXPRESSION_REQUIREMENT, "requirement", name, expression, NULL, 0};
    void *item;
    kni_formula formula;
    kn_result result = register_expression(
        library, KN_DEF_REQUIREMENT, &def, &formula, &item, &requirement->index1, error);
    if (item != NULL) {
        ((kni_requirement *)item)->formula = formula;
    }
    return result;
}

kn_result kn_timer_type_register(kn_library *library, const char *name, kn_timer_fn *function,
    void *user, kn_timer_type_id *type, kn_error *error)
{
    void *item;
    kn_result result = register_function(
        library, KN_DEF_TIMER, name, function != NULL, "timer", &item, &type->index1, error);
    if (item != NULL) {
        ((kni_timer_type *)item)->function = function;
        ((kni_timer_type *)item)->user = user;
    }
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
    kn_result result = register_function(
        library, KN_DEF_CONTEXT, name, true, "context", &item, &type->index1, error);
    if (item != NULL) {
        ((kni_context_type *)item)->size = size;
    }
    return result;
}

kn_timer_fn *kn_timer_type_function(const kn_library *library, kn_timer_type_id type, void **user)
{
    *user = NULL;
    if (library == NULL || type.index1 - 1 >= kni_ref_count(library, KN_DEF_TIMER)) {
        return NULL;
    }
    const kni_timer_type *item =
        KNI_ITEM(library, KN_DEF_TIMER, const kni_timer_type, type.index1 - 1);
    *user = item->user;
    return item->function;
}

uint32_t kn_context_type_size(const kn_library *library, kn_context_type_id type)
{
    return type.index1 == 0 || type.index1 > kn_def_count(library, KN_DEF_CONTEXT)
               ? 0
               : KNI_ITEM(library, KN_DEF_CONTEXT, kni_context_type, type.index1 - 1)->size;
}
