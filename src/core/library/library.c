// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The life of a library: it is created open, takes registrations, and is finished once, which
// resolves names, compiles effects and abilities, orders rules and computes the hash. From then on
// it does not change; its creator and every world hold a reference, and the last one to let go
// frees it.

#include "library/types.h"

#include "base/text.h"

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
    [KN_DEF_COMMAND] = sizeof(kni_command_type),
    [KN_DEF_SYSTEM] = sizeof(kni_system_type),
    [KN_DEF_FAIL] = sizeof(kni_fail_reason),
    [KN_DEF_END_REASON] = sizeof(kni_end_reason),
    [KN_DEF_CHECK] = sizeof(kni_check),
    [KN_DEF_CUSTOM_EVENT] = sizeof(kni_custom_event),
    [KN_DEF_TICKER] = sizeof(kni_ticker_type),
    [KN_DEF_WATCH] = sizeof(kni_watch_type),
    [KN_DEF_SYSTEM_GROUP] = sizeof(kni_system_group),
};

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

#define SYNC_TIMEOUT KN_S(1)

kn_library_def kn_library_def_default(void)
{
    kn_library_def def = {.sync_timeout = SYNC_TIMEOUT, .cookie = KN_COOKIE};
    return def;
}

kn_result kn_library_create(const kn_library_def *def, kn_library **out)
{
    if (out == NULL) {
        KN_ASSERT(out != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (def == NULL || def->cookie != KN_COOKIE || def->sync_timeout <= 0 ||
        def->sync_timeout > KN_TIME_MAX) {
        KN_ASSERT_DEF(def, kn_library_def);
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
    library->sync_timeout = def->sync_timeout;
    library->hidden_streams = def->hidden_streams;
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
        kni_targets_init(library) != KN_OK || kni_commands_init(library) != KN_OK) {
        kn_library_destroy(library);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = library;
    return KN_OK;
}

void kni_formula_free(kni_memory *memory, kni_formula *formula)
{
    kni_strfree(memory, formula->text);
    kni_expression_free(memory, formula->code);
}

static void fields_free(kni_memory *memory, kni_fields *fields)
{
    kni_free(memory, fields->fields, fields->table.field_count * sizeof(kn_def_field));
}

// Frees what an item holds besides its name and def.
void kni_item_free_compiled(kni_memory *memory, kn_def_kind kind, void *item)
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
        kni_formula_free(memory, &((kni_requirement *)item)->formula);
    } else if (kind == KN_DEF_CONDITION) {
        kni_formula_free(memory, &((kni_condition *)item)->formula);
    } else if (kind == KN_DEF_EFFECT) {
        kni_effect_type_free(memory, item);
    } else if (kind == KN_DEF_COMPONENT) {
        fields_free(memory, &((kni_component_type *)item)->record);
        fields_free(memory, &((kni_component_type *)item)->items);
    } else if (kind == KN_DEF_TARGET) {
        fields_free(memory, &((kni_target_type *)item)->record);
    } else if (kind == KN_DEF_EFFECT_LOGIC) {
        fields_free(memory, &((kni_logic *)item)->state);
    } else if (kind == KN_DEF_CUSTOM_EVENT) {
        fields_free(memory, &((kni_custom_event *)item)->payload);
    } else if (kind == KN_DEF_TASK) {
        fields_free(memory, &((kni_task_type *)item)->state);
    } else if (kind == KN_DEF_WATCH) {
        fields_free(memory, &((kni_watch_type *)item)->state);
    } else if (kind == KN_DEF_COMMAND) {
        fields_free(memory, &((kni_command_type *)item)->payload);
    } else if (kind == KN_DEF_ABILITY) {
        kni_ability_type *ability = item;
        fields_free(memory, &ability->state);
        kni_free(memory, ability->cooldown_tags, ability->cooldown_tag_count * sizeof(kn_tag));
        kni_cooldowns_free(memory, ability);
        kni_free(memory, ability->checks, ability->check_capacity * sizeof(*ability->checks));
    }
}

static void registry_free(kn_library *library, kn_def_kind kind)
{
    kni_registry *registry = &library->registries[kind];
    kni_memory *memory = &library->memory;
    const kni_def_part *part = kni_def_part_of(library, kind);
    for (uint32_t i = 0; i < registry->count; i++) {
        uint8_t *item = kni_registry_at(registry, i);
        kni_item_free_compiled(memory, kind, item);
        if (part->table != NULL && kind != KN_DEF_EFFECT) { // freed with what was compiled
            kni_def_free(memory, part->table, item + part->offset);
        }
        char *name;
        memcpy(&name, item, sizeof(name));
        kni_strfree(memory, name);
    }
    kni_free(memory, registry->items, (size_t)registry->capacity * registry->item_size);
    kni_free(memory, registry->map, registry->map_capacity * sizeof(*registry->map));
}

// The reference count is the one field of a finished library that is shared and changes: worlds on
// other threads use the same library.
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
    kni_kinds_release(library);
    for (uint32_t i = 0; i < KN_DEF_KIND_END; i++) {
        registry_free(library, (kn_def_kind)i);
    }
    for (uint32_t i = 0; i < library->words_count; i++) {
        kni_words_free(memory, &library->words[i]);
    }
    kni_free(memory, library->words, library->words_capacity * sizeof(kni_words));
    kni_functions_free(library);
    kni_kinds_free(library);
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
    kni_free(memory, library->derived, library->derived_capacity * sizeof(*library->derived));
    for (uint32_t i = 0; i < library->stream_count; i++) {
        kni_strfree(memory, library->streams[i].name);
    }
    for (uint32_t i = 0; i < library->kit_count; i++) {
        kni_strfree(memory, library->kits[i].name);
    }
    kni_free(memory, library->kits, library->kit_capacity * sizeof(*library->kits));
    kni_free(memory, library->rules_by_trigger,
        library->rule_capacity * sizeof(*library->rules_by_trigger));
    kni_free(memory, library->event_rule_tags,
        library->event_rule_words * sizeof(*library->event_rule_tags));
    kni_free(memory, library->systems_by_rank,
        library->system_capacity * sizeof(*library->systems_by_rank));
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

// Marks the tags whose events some rule reacts to, so that other events do not look at any rule.
static kn_result rules_mark_events(kn_library *library, kn_error *error)
{
    uint32_t tags = kn_tag_count(library);
    if (!kni_grow(&library->memory, &library->event_rule_tags, &library->event_rule_words,
            tags / 64 + 1, sizeof(*library->event_rule_tags))) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for rules");
    }
    memset(
        library->event_rule_tags, 0, library->event_rule_words * sizeof(*library->event_rule_tags));
    uint32_t end = library->rule_starts[KN_TRIGGER_EVENT + 1];
    for (uint32_t i = library->rule_starts[KN_TRIGGER_EVENT]; i < end; i++) {
        kn_tag wanted = kni_rule_at(library, library->rules_by_trigger[i])->def.tag;
        for (uint32_t tag = 1; tag <= tags; tag++) {
            if (kn_tag_matches(library, (kn_tag){tag}, wanted)) {
                library->event_rule_tags[tag / 64] |= (uint64_t)1 << tag % 64;
            }
        }
    }
    return KN_OK;
}

// Rules of each trigger in the order they react: higher priority first, then order of registration.
static kn_result rules_finish(kn_library *library, kn_error *error)
{
    uint32_t count = library->registries[KN_DEF_RULE].count;
    if (count == 0) {
        return KN_OK;
    }
    // An earlier call may have failed, and rules may have been registered since.
    if (!kni_grow(&library->memory, &library->rules_by_trigger, &library->rule_capacity, count,
            sizeof(*library->rules_by_trigger))) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for rules");
    }
    uint32_t placed = 0;
    for (uint32_t trigger = 0; trigger < KN_TRIGGER_COUNT; trigger++) {
        uint32_t start = library->rule_starts[trigger] = placed;
        for (uint32_t i = 0; i < count; i++) {
            const kn_rule_def *rule = &kni_rule_at(library, i)->def;
            if ((uint32_t)rule->trigger != trigger) {
                continue;
            }
            uint32_t at = placed++;
            uint32_t *order = library->rules_by_trigger;
            while (
                at > start && kni_rule_at(library, order[at - 1])->def.priority < rule->priority) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = i;
        }
        library->trigger_mask |= placed > start ? 1u << trigger : 0u;
    }
    library->rule_starts[KN_TRIGGER_COUNT] = placed;
    return rules_mark_events(library, error);
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
    for (uint32_t kind = 0; kind < KN_DEF_KIND_END; kind++) {
        const kni_def_part *part = kni_def_part_of(library, (kn_def_kind)kind);
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

void kni_library_count_uses(kn_library *library)
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
        if (k > KN_DEF_ARCHETYPE && registry->count == 0) {
            continue; // libraries without the newer kinds keep their hash
        }
        kni_hash_u32(&hash, registry->count);
        for (uint32_t i = 0; i < registry->count; i++) {
            kni_hash_str(&hash, kni_registry_name(registry, i));
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
    kni_kinds_hash(library, &hash);
    if (library->added_hash != 0) {
        kni_hash_u64(&hash, library->added_hash);
    }
    if (library->sync_timeout != SYNC_TIMEOUT || library->hidden_streams != 0) {
        kni_hash_u64(&hash, (uint64_t)library->sync_timeout);
        kni_hash_u64(&hash, library->hidden_streams);
    }
    for (uint32_t i = 0; i < library->stream_count; i++) {
        kni_hash_str(&hash, library->streams[i].name);
        kni_hash_u32(&hash, library->streams[i].hidden);
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

    kn_result result = kni_kinds_expand(library, error);
    if (result == KN_OK) {
        result = kni_tag_table_finish(&library->tags, &library->memory, error);
    }
    if (result == KN_OK) {
        result = kni_attributes_finish(library, error);
    }
    if (result == KN_OK) {
        result = rules_finish(library, error);
    }
    if (result == KN_OK) {
        result = kni_systems_finish(library, error);
    }
    if (result == KN_OK) {
        result = kni_effects_finish(library, error);
    }
    if (result == KN_OK) {
        result = kni_abilities_finish(library, error);
    }
    if (result == KN_OK) {
        result = kni_kinds_finish(library, error);
    }
    if (result == KN_OK) {
        result = kni_checks_finish(library, error);
    }
    if (result == KN_OK) {
        result = kni_gates_finish(library, error);
    }
    if (result == KN_OK && library->poisoned) {
        result =
            kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory while finishing the library");
    }
    if (result != KN_OK) {
        library->tags.finished = false;
        return result;
    }
    kni_library_count_uses(library);
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

uint64_t kn_library_hidden_streams(const kn_library *library)
{
    return library != NULL ? library->hidden_streams : 0;
}

static bool library_has_kit(const kn_library *library, const char *name)
{
    for (uint32_t i = 0; i < library->kit_count; i++) {
        if (strcmp(library->kits[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

kn_result kn_kit_register(kn_library *library, const kn_kit *kit, kn_error *error)
{
    if (library == NULL || kit == NULL || kit->register_fn == NULL) {
        KN_ASSERT(library != NULL && kit != NULL && kit->register_fn != NULL);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT,
            "a kit needs a library and a function that registers it");
    }
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    kn_result result = kni_name_check(kit->name, "kit", error);
    if (result != KN_OK) {
        return result;
    }
    if (library->finished) {
        return kni_error(error, KN_ERROR_WORLD_LOCKED,
            "kit `%s`: the library is finished; register it before", kit->name);
    }
    if (library_has_kit(library, kit->name)) {
        return kni_error(error, KN_REFUSED_DUPLICATE, "kit `%s` is registered twice", kit->name);
    }
    char *name = kni_strdup(&library->memory, kit->name);
    kni_kit copy = {{name, kit->register_fn}, name};
    if (name == NULL || !kni_grow(&library->memory, &library->kits, &library->kit_capacity,
                            library->kit_count + 1, sizeof(copy))) {
        kni_strfree(&library->memory, name);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for kit `%s`", kit->name);
    }
    library->kits[library->kit_count++] = copy;
    return kit->register_fn(library, error);
}

const kn_kit *kn_library_kit(const kn_library *library, uint32_t index)
{
    return library != NULL && index < library->kit_count ? &library->kits[index].kit : NULL;
}

kn_result kn_stream_register(
    kn_library *library, const char *name, bool hidden, uint32_t *stream, kn_error *error)
{
    if (library == NULL || stream == NULL) {
        KN_ASSERT(library != NULL && stream != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *stream = KN_STREAM_NONE;
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (library->finished) {
        return kni_error(error, KN_ERROR_WORLD_LOCKED,
            "stream `%s`: the library is finished; register it before", name != NULL ? name : "");
    }
    kn_result result = kni_name_check(name, "stream", error);
    if (result != KN_OK) {
        return result;
    }
    if (kn_stream_find(library, name) != KN_STREAM_NONE) {
        return kni_error(error, KN_REFUSED_DUPLICATE, "stream `%s` is registered twice", name);
    }
    if (library->stream_count == KN_STREAM_OWN_MAX) {
        return kni_error(error, KN_REFUSED_LIMIT, "stream `%s`: a library has at most %u streams",
            name, (uint32_t)KN_STREAM_OWN_MAX);
    }
    char *copy = kni_strdup(&library->memory, name);
    if (copy == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for stream `%s`", name);
    }
    library->streams[library->stream_count] = (kni_stream){copy, hidden};
    *stream = KN_STREAM_INIT + 1 + library->stream_count++;
    return KN_OK;
}

uint32_t kn_stream_find(const kn_library *library, const char *name)
{
    for (uint32_t i = 0; library != NULL && name != NULL && i < library->stream_count; i++) {
        if (strcmp(library->streams[i].name, name) == 0) {
            return KN_STREAM_INIT + 1 + i;
        }
    }
    return KN_STREAM_NONE;
}

uint64_t kn_library_hash(const kn_library *library)
{
    return library->hash;
}

void kn_library_warn(kn_library *library, const char *sentence)
{
    if (library == NULL || sentence == NULL) {
        KN_ASSERT(library != NULL && sentence != NULL);
        return;
    }
    if (!library->finished) {
        kni_library_warn(library, "%s", sentence);
    }
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
