// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Kinds of definitions, enums and data that games and kits bring along. The tables of a kind are
// copied and resolved here: what they name (own kinds, enums, structs of ours) becomes numbers and
// pointers, so that everything that works by table need not know where a table comes from.

#include "library/types.h"

#define KIND_DEPTH_MAX 8 // structs inside structs

// Tables --------------------------------------------------------------------

static bool kind_table_is_ours(const kn_def_table *table)
{
    return kn_def_part_table(table->name) == table;
}

static void kind_words_free(kni_memory *memory, char **words, uint32_t count)
{
    for (uint32_t i = 0; words != NULL && i < count; i++) {
        kni_strfree(memory, words[i]);
    }
    kni_free(memory, words, words != NULL ? count * sizeof(*words) : 0);
}

static char **kind_words_copy(kni_memory *memory, const char *const *words, uint32_t count)
{
    char **copy = kni_realloc(memory, NULL, 0, count * sizeof(*copy));
    if (copy == NULL) {
        return NULL;
    }
    memset(copy, 0, count * sizeof(*copy));
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = kni_strdup(memory, words[i] != NULL ? words[i] : "");
        if (copy[i] == NULL) {
            kind_words_free(memory, copy, count);
            return NULL;
        }
    }
    return copy;
}

// What belongs to a copy is const to its readers only.
void kni_kind_text_free(kni_memory *memory, const char *text)
{
    char *own;
    memcpy(&own, &text, sizeof(own));
    kni_strfree(memory, own);
}

// Of a table inside: ours, and the one that it is inside of, are not its own.
static bool kind_table_is_own(const kn_def_table *outer, const kn_def_table *table)
{
    return table != NULL && table != outer && !kind_table_is_ours(table);
}

static void kind_field_free(kni_memory *memory, const kn_def_table *outer, kn_def_field *field)
{
    if (kind_table_is_own(outer, field->table)) {
        kn_def_table *own;
        memcpy(&own, &field->table, sizeof(own));
        kni_kind_table_free(memory, own);
    }
    if (field->names != NULL && field->of == NULL) { // otherwise those of an enum
        char **own;
        memcpy(&own, &field->names, sizeof(own));
        kind_words_free(memory, own, field->limit);
    }
    kni_kind_text_free(memory, field->name);
    kni_kind_text_free(memory, field->of);
    kni_kind_text_free(memory, field->text);
}

void kni_kind_table_free(kni_memory *memory, kn_def_table *table)
{
    if (table == NULL) {
        return;
    }
    kn_def_field *fields;
    memcpy(&fields, &table->fields, sizeof(fields));
    for (uint32_t i = 0; fields != NULL && i < table->field_count; i++) {
        kind_field_free(memory, table, &fields[i]);
    }
    kni_free(memory, fields, fields != NULL ? table->field_count * sizeof(*fields) : 0);
    kni_kind_text_free(memory, table->name);
    kni_free(memory, table, sizeof(*table));
}

bool kni_kind_text_copy(kni_memory *memory, const char *text, const char **copy)
{
    *copy = text != NULL ? kni_strdup(memory, text) : NULL;
    return text == NULL || *copy != NULL;
}

// A table, and the copy that is made of it.
typedef struct kind_tables {
    const kn_def_table *from, *to;
} kind_tables;

// One field, checked before. What it names is resolved, but for kinds.
static bool kind_field_copy(const kn_library *library, kni_memory *memory, kind_tables outer,
    const kn_def_field *from, kn_def_field *to)
{
    *to = (kn_def_field){.kind = from->kind,
        .limit = from->limit,
        .offset = from->offset,
        .count = from->count == 0 ? 1 : from->count,
        .count_offset = from->count_offset};
    bool ok = kni_kind_text_copy(memory, from->name, &to->name) &&
              kni_kind_text_copy(memory, from->text, &to->text);
    switch (from->kind) {
    case KN_FIELD_TAG:
    case KN_FIELD_ATTRIBUTE:
    case KN_FIELD_CURVE:
        to->limit = (uint32_t)kni_field_ref_kind(from);
        to->kind = KN_DEF_FIELD_REF;
        return ok;
    case KN_DEF_FIELD_REF:
    case KN_DEF_FIELD_REFS:
        if (from->of != NULL) {
            to->limit = KN_DEF_KIND_COUNT;
        }
        return ok && kni_kind_text_copy(memory, from->of, &to->of);
    case KN_DEF_FIELD_STRUCT:
    case KN_DEF_FIELD_ARRAY: {
        const kn_def_table *part = from->of != NULL ? kn_def_part_table(from->of) : from->table;
        if (part == outer.from) {
            to->table = outer.to;
            return ok;
        }
        to->table = kind_table_is_ours(part) ? part : kni_kind_table_copy(library, memory, part);
        return ok && to->table != NULL;
    }
    case KN_DEF_FIELD_ENUM:
        if (from->of != NULL) {
            if (!ok || !kni_kind_text_copy(memory, from->of, &to->of)) {
                return false;
            }
            to->names = kn_enum_words(library, from->of, &to->limit); // the enum's, thanks to `of`
            return true;
        }
        break;
    default:
        break;
    }
    if (from->names != NULL && from->limit > 0) {
        char **words = kind_words_copy(memory, from->names, from->limit);
        memcpy(&to->names, &words, sizeof(words));
        ok = ok && words != NULL;
    }
    return ok;
}

kn_def_table *kni_kind_table_copy(
    const kn_library *library, kni_memory *memory, const kn_def_table *from)
{
    kn_def_table *table = kni_realloc(memory, NULL, 0, sizeof(*table));
    kn_def_field *fields = kni_realloc(memory, NULL, 0, from->field_count * sizeof(*fields));
    if (table == NULL || fields == NULL) {
        kni_free(memory, table, table != NULL ? sizeof(*table) : 0);
        kni_free(memory, fields, fields != NULL ? from->field_count * sizeof(*fields) : 0);
        return NULL;
    }
    memset(fields, 0, from->field_count * sizeof(*fields));
    *table = (kn_def_table){NULL, from->size, fields, from->field_count, from->init};
    bool ok = kni_kind_text_copy(memory, from->name, &table->name);
    for (uint32_t i = 0; ok && i < from->field_count; i++) {
        const kind_tables outer = {from, table};
        ok = kind_field_copy(library, memory, outer, &from->fields[i], &fields[i]);
    }
    if (!ok) {
        kni_kind_table_free(memory, table);
        return NULL;
    }
    return table;
}

// Checks of tables ----------------------------------------------------------

typedef struct kind_check {
    const kn_library *library;
    const char *kind; // the name of the kind, for messages
    const kn_def_table *table;
    const kn_def_field *field;
    kn_error *error;
} kind_check;

static kn_result kind_bad(const kind_check *check, const char *sentence)
{
    const char *field =
        check->field != NULL && check->field->name != NULL ? check->field->name : "";
    return kni_error(check->error, KN_ERROR_BAD_DATA, "kind `%s`: %s%s%s %s", check->kind,
        check->table != NULL && check->table->name != NULL ? check->table->name : "its table",
        field[0] != 0 ? "." : "", field, sentence);
}

static kn_result kind_table_check(
    const kind_check *outer, const kn_def_table *table, uint32_t depth);

// The offset and size of what a field has, within its struct.
static bool kind_field_fits(const kn_def_field *field, size_t element, size_t size)
{
    uint64_t count = field->count == 0 ? 1 : field->count;
    bool has_count = field->kind == KN_DEF_FIELD_ARRAY || field->kind == KN_DEF_FIELD_REFS;
    return element > 0 && field->offset <= size && count * element <= size - field->offset &&
           (!has_count ||
               (size >= sizeof(uint32_t) && field->count_offset <= size - sizeof(uint32_t)));
}

static kn_result kind_words_check(const kind_check *check, const kn_def_field *field)
{
    uint32_t count = field->limit;
    if (field->kind == KN_DEF_FIELD_ENUM && field->of != NULL) {
        return kn_enum_words(check->library, field->of, &count) != NULL
                   ? KN_OK
                   : kind_bad(check, "is of an enum that is not registered: register it before");
    }
    if (field->names == NULL) {
        return field->kind == KN_DEF_FIELD_ENUM ? kind_bad(check, "has no words") : KN_OK;
    }
    if (count == 0 || count > (field->kind == KN_FIELD_U32 ? 32 : KN_ENUM_WORDS_MAX)) {
        return kind_bad(check, "has no words, or too many");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (field->names[i] == NULL) {
            return kind_bad(check, "has a word that is NULL");
        }
    }
    return KN_OK;
}

static kn_result kind_field_check(
    const kind_check *check, const kn_def_field *field, uint32_t depth)
{
    bool is_plain = field->kind >= KN_FIELD_U8 && field->kind < KN_FIELD_KIND_END;
    bool is_def = field->kind >= KN_DEF_FIELD_ENUM && field->kind < KN_DEF_FIELD_PUBLIC_END;
    if (kni_kind_of(field->kind)->number == KNI_NUMBER_ID) {
        return kind_bad(check, "names something of a world, which a definition cannot know");
    }
    if (!is_plain && !is_def) {
        return kind_bad(check, "is of an unknown kind");
    }
    if (field->kind == KN_FIELD_REF || field->kind == KN_FIELD_ENUM) {
        return kind_bad(check, "must be KN_DEF_FIELD_REF or KN_DEF_FIELD_ENUM in a definition");
    }
    const kn_def_table *part = field->table;
    bool is_struct = field->kind == KN_DEF_FIELD_STRUCT || field->kind == KN_DEF_FIELD_ARRAY;
    if (is_struct) {
        part = field->of != NULL ? kn_def_part_table(field->of) : field->table;
        if (part == NULL) {
            return kind_bad(check, "has no table");
        }
        if (part == &kni_hook_table && (depth > 0 || field->kind == KN_DEF_FIELD_ARRAY)) {
            return kind_bad(check, "is a hook, which must be a field of the definition itself");
        }
        bool is_nested = part == check->table && field->kind == KN_DEF_FIELD_ARRAY;
        kn_result result = is_nested || kind_table_is_ours(part)
                               ? KN_OK
                               : kind_table_check(check, part, depth + 1);
        if (result != KN_OK) {
            return result;
        }
    }
    bool is_reference = field->kind == KN_DEF_FIELD_REF || field->kind == KN_DEF_FIELD_REFS;
    if (is_reference && field->of == NULL && field->limit >= KN_DEF_KIND_COUNT) {
        return kind_bad(check, "refers to an unknown kind: name an own kind in `of`");
    }
    if (field->count > 1) {
        return kind_bad(check, "is an array: make it a list (KN_DEF_FIELD_ARRAY)");
    }
    size_t element =
        field->kind == KN_DEF_FIELD_STRUCT ? part->size : kni_kind_of(field->kind)->size;
    if (!kind_field_fits(field, element, check->table->size)) {
        return kind_bad(check, "is not inside its struct");
    }
    return kind_words_check(check, field);
}

static bool kind_word_is_good(const char *word)
{
    size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && length < 64 && word[length] == 0;
}

static kn_result kind_table_check(
    const kind_check *outer, const kn_def_table *table, uint32_t depth)
{
    kind_check check = *outer;
    check.table = table;
    check.field = NULL;
    if (table->name == NULL || table->fields == NULL || table->field_count == 0 ||
        table->size == 0 || table->size > KN_KIND_SIZE_MAX) {
        return kind_bad(&check, "needs a name, fields, and a size of 1 to 4096 bytes");
    }
    if (kn_def_part_table(table->name) != NULL || strncmp(table->name, "kn_", 3) == 0) {
        return kind_bad(&check, "has a name that belongs to the library");
    }
    if (depth > KIND_DEPTH_MAX) {
        return kind_bad(&check, "has structs inside structs that go too deep, or in a circle");
    }
    for (uint32_t i = 0; i < table->field_count; i++) {
        check.field = &table->fields[i];
        if (check.field->name == NULL || !kind_word_is_good(check.field->name)) {
            return kind_bad(&check, "has a field without a name of a-z, 0-9 and `_`");
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(table->fields[j].name, check.field->name) == 0) {
                return kind_bad(&check, "appears twice");
            }
        }
        kn_result result = kind_field_check(&check, check.field, depth);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

// Kinds ---------------------------------------------------------------------

static const kni_own_kind *kind_own(const kn_library *library, kn_def_kind kind)
{
    uint32_t number = (uint32_t)kind - KN_DEF_KIND_OWN; // wraps below
    return library != NULL && number < library->own_kind_count ? &library->own_kinds[number] : NULL;
}

bool kni_kind_exists(const kn_library *library, kn_def_kind kind)
{
    return (uint32_t)kind < KN_DEF_KIND_COUNT || kind_own(library, kind) != NULL;
}

const kni_def_part *kni_def_part_of(const kn_library *library, kn_def_kind kind)
{
    static const kni_def_part none = {"", NULL, 0};
    if ((uint32_t)kind < KN_DEF_KIND_COUNT) {
        return &kni_def_parts[kind];
    }
    const kni_own_kind *own = kind_own(library, kind);
    return own != NULL ? &own->part : &none;
}

const char *kn_kind_name(const kn_library *library, kn_def_kind kind)
{
    return kni_def_part_of(library, kind)->name;
}

const kn_def_table *kn_kind_table(const kn_library *library, kn_def_kind kind)
{
    return kni_def_part_of(library, kind)->table;
}

const kn_kind_def *kn_kind_get_def(const kn_library *library, kn_def_kind kind)
{
    const kni_own_kind *own = kind_own(library, kind);
    return own != NULL ? &own->def : NULL;
}

uint32_t kn_kind_count(const kn_library *library)
{
    return library != NULL ? library->own_kind_count : 0;
}

kn_def_kind kn_kind_find(const kn_library *library, const char *name)
{
    for (uint32_t kind = 0; library != NULL && name != NULL && kind < KN_DEF_KIND_END; kind++) {
        if (kni_kind_exists(library, (kn_def_kind)kind) &&
            strcmp(kn_kind_name(library, (kn_def_kind)kind), name) == 0) {
            return (kn_def_kind)kind;
        }
    }
    return KN_DEF_KIND_COUNT;
}

kn_kind_def kn_kind_def_default(void)
{
    kn_kind_def def = {.cookie = KN_COOKIE};
    return def;
}

static void own_kind_free(kni_memory *memory, kni_own_kind *own)
{
    kn_def_table *table;
    memcpy(&table, &own->def.table, sizeof(table));
    kni_kind_table_free(memory, table);
    kni_kind_text_free(memory, own->def.name);
    kni_kind_text_free(memory, own->def.section);
    kni_kind_text_free(memory, own->def.text);
    kn_kind_hook *hooks;
    memcpy(&hooks, &own->def.hooks, sizeof(hooks));
    for (uint32_t i = 0; hooks != NULL && i < own->def.hook_count; i++) {
        kni_def_free(memory, &kni_kind_hook_table, &hooks[i]);
    }
    kni_free(memory, hooks, hooks != NULL ? own->def.hook_count * sizeof(*hooks) : 0);
}

static bool kind_hooks_copy(kn_library *library, const kn_kind_def *def, kn_kind_def *own)
{
    if (def->hook_count == 0) {
        return true;
    }
    kn_kind_hook *hooks = kni_realloc(&library->memory, NULL, 0, def->hook_count * sizeof(*hooks));
    if (hooks == NULL) {
        return false;
    }
    memset(hooks, 0, def->hook_count * sizeof(*hooks));
    own->hooks = hooks;
    own->hook_count = def->hook_count;
    for (uint32_t i = 0; i < def->hook_count; i++) {
        if (!kni_def_copy(&library->memory, &kni_kind_hook_table, &hooks[i], &def->hooks[i])) {
            return false;
        }
    }
    return true;
}

// Gives fields that name a kind its number, once it is there.
void kni_kind_resolve(const kn_library *library, const kn_def_table *table)
{
    kn_def_field *fields;
    memcpy(&fields, &table->fields, sizeof(fields));
    for (uint32_t i = 0; i < table->field_count; i++) {
        kn_def_field *field = &fields[i];
        bool is_reference = field->kind == KN_DEF_FIELD_REF || field->kind == KN_DEF_FIELD_REFS;
        if (is_reference && field->of != NULL && field->limit == KN_DEF_KIND_COUNT) {
            field->limit = (uint32_t)kn_kind_find(library, field->of);
        } else if (kind_table_is_own(table, field->table)) {
            kni_kind_resolve(library, field->table);
        }
    }
}

// The first field whose kind is not there; NULL if all are.
static const kn_def_field *kind_unresolved(const kn_def_table *table)
{
    const kn_def_field *found = NULL;
    for (uint32_t i = 0; found == NULL && i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (field->kind == KN_DEF_FIELD_REF || field->kind == KN_DEF_FIELD_REFS) {
            found = field->limit == KN_DEF_KIND_COUNT ? field : NULL;
        } else if (field->table != NULL && field->table != table) {
            found = kind_unresolved(field->table);
        }
    }
    return found;
}

static const char *const kind_sections_taken[] = {"module", "tags", "redirects", "common_tags",
    "names", "lints_off", "settings", "starting_values", "curves", "attribute_sets", "values",
    "event_kinds", "calculations", "executions", "requirements", "conditions", "policies", "timers",
    "contexts", "components", "tasks", "animations", "target_types", "targetings", "effect_logics",
    "effects", "containers", "rules", "abilities", "ability_sets", "archetypes", "systems",
    "tickers", "commands", "fail_reasons", "end_reasons", "checks", "custom_events", "watches",
    "system_groups", "scenario"};

static bool kind_section_is_taken(const kn_library *library, const char *section)
{
    for (size_t i = 0; i < sizeof(kind_sections_taken) / sizeof(*kind_sections_taken); i++) {
        if (strcmp(kind_sections_taken[i], section) == 0) {
            return true;
        }
    }
    for (uint32_t i = 0; i < library->own_kind_count; i++) {
        if (strcmp(library->own_kinds[i].def.section, section) == 0) {
            return true;
        }
    }
    return false;
}

static bool kind_name_is_good(const char *name)
{
    size_t length = name != NULL ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789 ") : 0;
    return length > 0 && length < 64 && name[length] == 0 && name[0] != ' ';
}

static bool kind_field_is_hook(const kn_def_field *field)
{
    const kn_def_table *part = field->of != NULL ? kn_def_part_table(field->of) : field->table;
    return field->kind == KN_DEF_FIELD_STRUCT && part == &kni_hook_table;
}

static const kn_kind_hook *kind_hook_find(const kn_kind_def *def, const char *field)
{
    for (uint32_t i = 0; i < def->hook_count; i++) {
        if (def->hooks[i].field != NULL && strcmp(def->hooks[i].field, field) == 0) {
            return &def->hooks[i];
        }
    }
    return NULL;
}

// Each hook of the struct is described once, and nothing else is.
static kn_result kind_hooks_check(const kn_kind_def *def, kn_error *error)
{
    if (def->hook_count > 0 && def->hooks == NULL) {
        return kni_error(error, KN_ERROR_BAD_DATA, "kind `%s` has no hooks", def->name);
    }
    for (uint32_t i = 0; i < def->hook_count; i++) {
        const kn_kind_hook *hook = &def->hooks[i];
        const char *name = hook->field != NULL ? hook->field : "";
        const kn_def_field *field = kn_def_field_find(def->table, name);
        if (field == NULL || !kind_field_is_hook(field) || kind_hook_find(def, name) != hook) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "kind `%s`: hook `%s` must be a field KN_DEF_F_HOOK of its table, and be there "
                "once",
                def->name, name);
        }
        if (hook->size > KN_HOOK_SIZE_MAX || (hook->size > 0 && hook->fields == NULL)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "kind `%s`: the arguments of hook `%s` have at most %d bytes, with a field table",
                def->name, name, KN_HOOK_SIZE_MAX);
        }
    }
    for (uint32_t i = 0; i < def->table->field_count; i++) {
        const kn_def_field *field = &def->table->fields[i];
        if (kind_field_is_hook(field) && kind_hook_find(def, field->name) == NULL) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "kind `%s`: its hook `%s` is missing in kn_kind_def.hooks", def->name, field->name);
        }
    }
    return KN_OK;
}

// The arguments of the hooks, which may refer to definitions of the kind itself.
static kn_result kind_arguments_check(kn_library *library, const kn_kind_def *own, kn_error *error)
{
    kn_kind_hook *hooks;
    memcpy(&hooks, &own->hooks, sizeof(hooks));
    for (uint32_t i = 0; i < own->hook_count; i++) {
        kn_result result = kni_public_fields_check(library, "hook", hooks[i].field, hooks[i].fields,
            hooks[i].field_count, hooks[i].size, error);
        if (result != KN_OK) {
            return result;
        }
        if (!kni_enums_fill(library, &kni_kind_hook_table, &hooks[i])) {
            return kni_error(
                error, KN_ERROR_OUT_OF_MEMORY, "out of memory for kind `%s`", own->name);
        }
    }
    return KN_OK;
}

const kn_kind_hook *kn_kind_hook_find(
    const kn_library *library, kn_def_kind kind, const char *field)
{
    const kni_own_kind *own = kind_own(library, kind);
    return own != NULL && field != NULL ? kind_hook_find(&own->def, field) : NULL;
}

kn_result kn_hook_run(kn_world *world, kn_def_kind kind, uint32_t index1, const kn_hook *hook,
    kn_entity_id entity, void *arguments)
{
    kn_hook_call call = {world, world, kind, index1, entity, arguments};
    return hook != NULL && hook->function != NULL ? hook->function(hook->user, &call) : KN_OK;
}

kn_result kn_hook_read(const kn_world *world, kn_def_kind kind, uint32_t index1,
    const kn_hook *hook, kn_entity_id entity, void *arguments)
{
    kn_hook_call call = {world, NULL, kind, index1, entity, arguments};
    return hook != NULL && hook->function != NULL ? hook->function(hook->user, &call) : KN_OK;
}

static kn_result kind_register_check(
    const kn_library *library, const kn_kind_def *def, kn_error *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if (library->finished) {
        return kni_error(error, KN_ERROR_WORLD_LOCKED,
            "the library is finished: register the kind `%s` before kn_library_finish()", name);
    }
    if (!kind_name_is_good(def->name)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "kind `%s`: its name has 1 to 63 letters a-z, digits and spaces", name);
    }
    if (def->section == NULL || !kind_word_is_good(def->section)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "kind `%s`: its section has 1 to 63 letters a-z, digits and `_`, such as `orders`",
            name);
    }
    if (kn_kind_find(library, name) != KN_DEF_KIND_COUNT) {
        return kni_error(error, KN_REFUSED_DUPLICATE, "kind `%s` is registered twice", name);
    }
    if (kind_section_is_taken(library, def->section)) {
        return kni_error(error, KN_REFUSED_DUPLICATE,
            "kind `%s`: the section `%s` belongs to another kind", name, def->section);
    }
    if (library->own_kind_count == KN_KIND_MAX) {
        return kni_error(error, KN_REFUSED_LIMIT, "kind `%s`: a library has at most %u own kinds",
            name, (uint32_t)KN_KIND_MAX);
    }
    if (def->table == NULL) {
        return kni_error(error, KN_ERROR_BAD_DATA, "kind `%s` has no table", name);
    }
    kind_check check = {.library = library, .kind = name, .error = error};
    kn_result result = kind_table_check(&check, def->table, 0);
    if (result != KN_OK) {
        return result;
    }
    const kn_def_field *first = &def->table->fields[0];
    if (strcmp(first->name, "name") != 0 || first->kind != KN_DEF_FIELD_STRING) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "kind `%s`: the first field of its table must be the string `name`", name);
    }
    return kind_hooks_check(def, error);
}

// The def of an item lies behind its name, aligned for anything.
#define KIND_DEF_OFFSET sizeof(kni_own_item)

kn_result kn_kind_register(
    kn_library *library, const kn_kind_def *def, kn_def_kind *kind, kn_error *error)
{
    *kind = KN_DEF_KIND_COUNT;
    if (library == NULL || def == NULL || def->cookie != KN_COOKIE) {
        KN_ASSERT(library != NULL);
        KN_ASSERT_DEF(def, kn_kind_def);
        return kni_error(
            error, KN_ERROR_INVALID_ARGUMENT, "kn_kind_def: start from kn_kind_def_default()");
    }
    kn_result result = kind_register_check(library, def, error);
    if (result != KN_OK) {
        return result;
    }
    kni_memory *memory = &library->memory;
    kni_own_kind own = {.def = *def};
    own.def.name = own.def.section = own.def.text = NULL;
    own.def.table = NULL;
    own.def.hooks = NULL;
    own.def.hook_count = 0;
    bool ok = kni_kind_text_copy(memory, def->name, &own.def.name) &&
              kni_kind_text_copy(memory, def->section, &own.def.section) &&
              kni_kind_text_copy(memory, def->text, &own.def.text) &&
              kind_hooks_copy(library, def, &own.def);
    own.def.table = ok ? kni_kind_table_copy(library, memory, def->table) : NULL;
    if (own.def.table == NULL || !kni_grow(memory, &library->own_kinds, &library->own_kind_capacity,
                                     library->own_kind_count + 1, sizeof(own))) {
        own_kind_free(memory, &own);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for kind `%s`", def->name);
    }
    own.part = (kni_def_part){own.def.name, own.def.table, KIND_DEF_OFFSET};
    *kind = (kn_def_kind)(KN_DEF_KIND_OWN + library->own_kind_count);
    size_t unit = sizeof(kni_own_item);
    size_t size = (own.def.table->size + unit - 1) / unit * unit;
    library->registries[*kind].item_size = (uint32_t)(KIND_DEF_OFFSET + size);
    library->own_kinds[library->own_kind_count++] = own;
    result = kind_arguments_check(library, &own.def, error);
    if (result != KN_OK) {
        library->own_kind_count--;
        library->registries[*kind].item_size = 0;
        *kind = KN_DEF_KIND_COUNT;
        own_kind_free(memory, &own);
        return result;
    }
    for (uint32_t i = 0; i < library->own_kind_count; i++) {
        kni_kind_resolve(library, library->own_kinds[i].def.table);
    }
    return KN_OK;
}

// Whether every cookie of a def holds what its defaults have.
static bool own_cookie_is_good(const kn_def_table *table, const void *def)
{
    _Alignas(max_align_t) uint8_t plain[KN_KIND_SIZE_MAX];
    kn_def_init(table, plain);
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (field->kind == KN_DEF_FIELD_COOKIE &&
            memcmp(plain + field->offset, (const uint8_t *)def + field->offset, 4) != 0) {
            return false;
        }
    }
    return true;
}

kn_result kni_own_register(
    kn_library *library, kn_def_kind kind, const void *def, uint32_t *index1, kn_error *error)
{
    const kni_own_kind *own = kind_own(library, kind);
    const kn_def_table *table = own->def.table;
    const char *name;
    memcpy(&name, (const uint8_t *)def + table->fields[0].offset, sizeof(name));
    kn_result result = kni_register_check(library, kind, name, KN_COOKIE, own->def.name, error);
    if (result == KN_OK && !own_cookie_is_good(table, def)) {
        result = kni_error(error, KN_ERROR_INVALID_ARGUMENT, "%s `%s`: start from its defaults",
            own->def.name, name);
    }
    if (result == KN_OK) {
        result = kni_def_check(library, table, def, error);
    }
    if (result == KN_OK && own->def.check != NULL) {
        kn_error said = {0};
        result = own->def.check(own->def.user, library, def, &said);
        if (result != KN_OK && said.message[0] == 0) {
            (void)kni_error(&said, result, "%s `%s` is refused by its check", own->def.name, name);
        }
        if (result != KN_OK && error != NULL) {
            *error = said;
            error->code = result;
        }
    }
    return result != KN_OK ? result
                           : kni_register_def(library, kind, table, KIND_DEF_OFFSET, def, name,
                                 KN_COOKIE, own->def.name, index1, error);
}

// What a function of a kind said, or a sentence of ours if it said nothing.
static kn_result kind_refuse(
    const kn_kind_def *def, kn_result result, kn_error *said, kn_error *error)
{
    if (said->message[0] == 0) {
        (void)kni_error(said, result, "kind `%s` is refused by its check", def->name);
    }
    said->code = result;
    if (error != NULL) {
        *error = *said;
    }
    return result;
}

static void kinds_count(const kn_library *library, uint32_t counts[KN_DEF_KIND_END])
{
    for (uint32_t kind = 0; kind < KN_DEF_KIND_END; kind++) {
        counts[kind] = kn_def_count(library, (kn_def_kind)kind);
    }
}

// Notes what was registered since then.
static kn_result derived_note(kn_library *library, const uint32_t before[KN_DEF_KIND_END])
{
    for (uint32_t kind = 0; kind < KN_DEF_KIND_END; kind++) {
        uint32_t now = kn_def_count(library, (kn_def_kind)kind);
        if (now == before[kind]) {
            continue;
        }
        if (!kni_grow(&library->memory, &library->derived, &library->derived_capacity,
                library->derived_count + 1, sizeof(*library->derived))) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        library->derived[library->derived_count++] =
            (struct kni_derived){(kn_def_kind)kind, before[kind], now};
    }
    return KN_OK;
}

bool kn_def_is_derived(const kn_library *library, kn_def_kind kind, uint32_t index1)
{
    for (uint32_t i = 0; library != NULL && i < library->derived_count; i++) {
        const struct kni_derived *derived = &library->derived[i];
        if (derived->kind == kind && index1 > derived->first && index1 <= derived->end) {
            return true;
        }
    }
    return false;
}

kn_result kni_kinds_expand(kn_library *library, kn_error *error)
{
    uint32_t before[KN_DEF_KIND_END];
    kn_result result = KN_OK;
    kn_error said = {0};
    uint32_t i = 0;
    kinds_count(library, before);
    while (result == KN_OK && i < library->own_kind_count) {
        const kn_kind_def *def = &library->own_kinds[i].def;
        said = (kn_error){0};
        if (def->expand != NULL) {
            result = def->expand(def->user, library, (kn_def_kind)(KN_DEF_KIND_OWN + i), &said);
        }
        i += result == KN_OK;
    }
    kn_result noted = derived_note(library, before);
    return result != KN_OK ? kind_refuse(&library->own_kinds[i].def, result, &said, error) : noted;
}

kn_result kni_kinds_finish(kn_library *library, kn_error *error)
{
    for (uint32_t i = 0; i < library->own_kind_count; i++) {
        const kn_kind_def *def = &library->own_kinds[i].def;
        const kn_def_field *field = kind_unresolved(def->table);
        if (field != NULL) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "kind `%s`: its field %s refers to the kind `%s`, which is not registered",
                def->name, field->name, field->of);
        }
        kn_error said = {0};
        kn_result result = def->finish != NULL ? def->finish(def->user, library,
                                                     (kn_def_kind)(KN_DEF_KIND_OWN + i), &said)
                                               : KN_OK;
        if (result != KN_OK) {
            return kind_refuse(def, result, &said, error);
        }
    }
    return KN_OK;
}

// Enums ---------------------------------------------------------------------

static const kni_own_enum *enum_find(const kn_library *library, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < library->own_enum_count; i++) {
        if (strcmp(library->own_enums[i].name, name) == 0) {
            return &library->own_enums[i];
        }
    }
    return NULL;
}

static kn_result enum_check(const kn_library *library, const char *name, const char *const *words,
    uint32_t count, kn_error *error)
{
    if (library->finished) {
        return kni_error(error, KN_ERROR_WORLD_LOCKED,
            "the library is finished: register the enum before kn_library_finish()");
    }
    if (name == NULL || !kind_word_is_good(name)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "enum `%s`: its name has 1 to 63 letters a-z, digits and `_`",
            name != NULL ? name : "");
    }
    if (enum_find(library, name) != NULL) {
        return kni_error(error, KN_REFUSED_DUPLICATE, "enum `%s` is registered twice", name);
    }
    if (words == NULL || count == 0 || count > KN_ENUM_WORDS_MAX) {
        return kni_error(error, KN_ERROR_BAD_DATA, "enum `%s` needs 1 to %u words", name,
            (uint32_t)KN_ENUM_WORDS_MAX);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (words[i] == NULL || !kind_word_is_good(words[i])) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "enum `%s`: word %u must have 1 to 63 letters a-z, digits and `_`", name, i);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(words[i], words[j]) == 0) {
                return kni_error(
                    error, KN_ERROR_BAD_DATA, "enum `%s`: `%s` appears twice", name, words[i]);
            }
        }
    }
    return KN_OK;
}

static char *words_join(kni_memory *memory, const char *const *words, uint32_t count)
{
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        size += strlen(words[i]) + 1;
    }
    char *text = kni_realloc(memory, NULL, 0, size);
    for (uint32_t i = 0, at = 0; text != NULL && i < count; i++) {
        size_t length = strlen(words[i]);
        memcpy(text + at, words[i], length);
        at += (uint32_t)length;
        text[at++] = i + 1 < count ? ' ' : 0;
    }
    return text;
}

const char *kni_enum_text(const kn_library *library, const char *name)
{
    const kni_own_enum *own = enum_find(library, name);
    return own != NULL ? own->text : NULL;
}

bool kni_enums_fill(kn_library *library, const kn_def_table *table, void *def)
{
    for (uint32_t i = 0; library->own_enum_count > 0 && i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (field->kind != KN_DEF_FIELD_ARRAY || strcmp(field->table->name, "kn_field") != 0) {
            continue;
        }
        kn_field *fields;
        uint32_t count;
        memcpy(&fields, (uint8_t *)def + field->offset, sizeof(fields));
        memcpy(&count, (uint8_t *)def + field->count_offset, sizeof(count));
        for (uint32_t j = 0; j < count; j++) {
            if (fields[j].kind == KN_FIELD_ENUM && fields[j].words == NULL) {
                const char *text = kni_enum_text(library, fields[j].refers_to);
                fields[j].words = text != NULL ? kni_strdup(&library->memory, text) : NULL;
                if (fields[j].words == NULL) {
                    return false;
                }
            }
        }
    }
    return true;
}

kn_result kn_enum_register(kn_library *library, const char *name, const char *const *words,
    uint32_t count, kn_error *error)
{
    if (library == NULL) {
        KN_ASSERT(library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = enum_check(library, name, words, count, error);
    if (result != KN_OK) {
        return result;
    }
    kni_memory *memory = &library->memory;
    kni_own_enum own = {.count = count};
    own.name = kni_strdup(memory, name);
    own.words = kind_words_copy(memory, words, count);
    own.text = words_join(memory, words, count);
    if (own.name == NULL || own.words == NULL || own.text == NULL ||
        !kni_grow(memory, &library->own_enums, &library->own_enum_capacity,
            library->own_enum_count + 1, sizeof(own))) {
        kni_strfree(memory, own.name);
        kni_strfree(memory, own.text);
        kind_words_free(memory, own.words, count);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for enum `%s`", name);
    }
    library->own_enums[library->own_enum_count++] = own;
    return KN_OK;
}

const char *const *kn_enum_words(const kn_library *library, const char *name, uint32_t *count)
{
    const kni_own_enum *own = library != NULL ? enum_find(library, name) : NULL;
    *count = own != NULL ? own->count : 0;
    return own != NULL ? (const char *const *)own->words : NULL;
}

// Causes --------------------------------------------------------------------

// Whether a text has nothing in braces but what a cause has.
static bool cause_text_is_good(const char *text)
{
    for (const char *at = strchr(text, '{'); at != NULL; at = strchr(at + 1, '{')) {
        if (strncmp(at, "{entity}", 8) != 0 && strncmp(at, "{tag}", 5) != 0 &&
            strncmp(at, "{def}", 5) != 0) {
            return false;
        }
    }
    return true;
}

kn_result kn_cause_type_register(kn_library *library, const char *name, const char *text,
    kn_cause_type_id *type, kn_error *error)
{
    *type = (kn_cause_type_id){0};
    if (library == NULL) {
        KN_ASSERT(library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (library->finished) {
        return kni_error(error, KN_ERROR_WORLD_LOCKED,
            "the library is finished: register the cause before kn_library_finish()");
    }
    if (!kind_name_is_good(name) || (text != NULL && !cause_text_is_good(text))) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "cause `%s`: its name has 1 to 63 letters a-z, digits and spaces, and its text nothing "
            "in braces but {entity}, {tag} and {def}",
            name != NULL ? name : "");
    }
    if (kn_cause_type_find(library, name).index1 != 0) {
        return kni_error(error, KN_REFUSED_DUPLICATE, "cause `%s` is registered twice", name);
    }
    if (library->own_cause_count == UINT16_MAX) {
        return kni_error(error, KN_REFUSED_LIMIT, "cause `%s`: there are too many", name);
    }
    kni_memory *memory = &library->memory;
    kni_own_cause own = {kni_strdup(memory, name), text != NULL ? kni_strdup(memory, text) : NULL};
    if (own.name == NULL || (text != NULL && own.text == NULL) ||
        !kni_grow(memory, &library->own_causes, &library->own_cause_capacity,
            library->own_cause_count + 1, sizeof(own))) {
        kni_strfree(memory, own.name);
        kni_strfree(memory, own.text);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for cause `%s`", name);
    }
    library->own_causes[library->own_cause_count++] = own;
    type->index1 = library->own_cause_count;
    return KN_OK;
}

kn_cause_type_id kn_cause_type_find(const kn_library *library, const char *name)
{
    for (uint32_t i = 0; library != NULL && name != NULL && i < library->own_cause_count; i++) {
        if (strcmp(library->own_causes[i].name, name) == 0) {
            return (kn_cause_type_id){i + 1};
        }
    }
    return (kn_cause_type_id){0};
}

const char *kn_cause_type_name(const kn_library *library, kn_cause_type_id type)
{
    return library == NULL || type.index1 == 0 || type.index1 > library->own_cause_count
               ? ""
               : library->own_causes[type.index1 - 1].name;
}

// Data ----------------------------------------------------------------------

kn_result kn_library_set_data(
    kn_library *library, const void *key, void *data, kn_library_release_fn *release)
{
    if (library == NULL || key == NULL) {
        KN_ASSERT(library != NULL && key != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (library->finished) {
        return KN_ERROR_WORLD_LOCKED;
    }
    for (uint32_t i = 0; i < library->own_data_count; i++) {
        kni_own_data *own = &library->own_data[i];
        if (own->key == key) {
            kni_own_data old = *own;
            own->data = data;
            own->release = release;
            if (old.release != NULL && old.data != data) {
                old.release(old.data);
            }
            return KN_OK;
        }
    }
    if (!kni_grow(&library->memory, &library->own_data, &library->own_data_capacity,
            library->own_data_count + 1, sizeof(kni_own_data))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    library->own_data[library->own_data_count++] = (kni_own_data){key, data, release};
    return KN_OK;
}

void *kn_library_data(const kn_library *library, const void *key)
{
    for (uint32_t i = 0; library != NULL && key != NULL && i < library->own_data_count; i++) {
        if (library->own_data[i].key == key) {
            return library->own_data[i].data;
        }
    }
    return NULL;
}

// All of it -----------------------------------------------------------------

void kni_kinds_release(kn_library *library)
{
    for (uint32_t i = library->own_data_count; i-- > 0;) {
        if (library->own_data[i].release != NULL) {
            library->own_data[i].release(library->own_data[i].data);
        }
    }
    kni_free(&library->memory, library->own_data,
        library->own_data_capacity * sizeof(*library->own_data));
    library->own_data_count = 0;
}

void kni_kinds_free(kn_library *library)
{
    kni_memory *memory = &library->memory;
    for (uint32_t i = 0; i < library->own_kind_count; i++) {
        own_kind_free(memory, &library->own_kinds[i]);
    }
    kni_free(memory, library->own_kinds, library->own_kind_capacity * sizeof(kni_own_kind));
    for (uint32_t i = 0; i < library->own_enum_count; i++) {
        kni_strfree(memory, library->own_enums[i].name);
        kni_strfree(memory, library->own_enums[i].text);
        kind_words_free(memory, library->own_enums[i].words, library->own_enums[i].count);
    }
    kni_free(memory, library->own_enums, library->own_enum_capacity * sizeof(kni_own_enum));
    for (uint32_t i = 0; i < library->own_cause_count; i++) {
        kni_strfree(memory, library->own_causes[i].name);
        kni_strfree(memory, library->own_causes[i].text);
    }
    kni_free(memory, library->own_causes, library->own_cause_capacity * sizeof(kni_own_cause));
}

// Words count as written, so that saves and files of one mean the same to the other.
static void enums_hash(const kn_library *library, kni_hash *hash)
{
    for (uint32_t i = 0; i < library->own_enum_count; i++) {
        const kni_own_enum *own = &library->own_enums[i];
        kni_hash_str(hash, own->name);
        kni_hash_u32(hash, own->count);
        for (uint32_t j = 0; j < own->count; j++) {
            kni_hash_str(hash, own->words[j]);
        }
    }
}

void kni_kinds_hash(const kn_library *library, kni_hash *hash)
{
    enums_hash(library, hash);
    for (uint32_t i = 0; i < library->own_cause_count; i++) {
        kni_hash_str(hash, library->own_causes[i].name);
    }
    for (uint32_t i = 0; i < library->own_kind_count; i++) {
        const kni_registry *registry = &library->registries[KN_DEF_KIND_OWN + i];
        kni_hash_str(hash, library->own_kinds[i].def.name);
        kni_hash_str(hash, library->own_kinds[i].def.section);
        kni_hash_u32(hash, registry->count);
        for (uint32_t j = 0; j < registry->count; j++) {
            kni_hash_str(hash, kni_registry_name(registry, j));
        }
    }
}
