// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Entries: what files define, by kind and name, and how each becomes a registered thing.

#include "loader.h"
#include "shapes.h"

#include <stdio.h>
#include <string.h>

// How long a chain of definitions may be of which each needs the next.
#define LOADER_DEPTH_MAX 256

// Messages ------------------------------------------------------------------

void kni_loader_error(kni_loader *loader, const kni_place *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    kni_report_add_list(loader->report, KNI_SEVERITY_ERROR, place, format, arguments);
    va_end(arguments);
}

void kni_loader_node_error(kni_loader *loader, kni_node node, const char *format, ...)
{
    kni_place place = kni_node_place(node);
    va_list arguments;
    va_start(arguments, format);
    kni_report_add_list(loader->report, KNI_SEVERITY_ERROR, &place, format, arguments);
    va_end(arguments);
}

bool kni_loader_reported(
    kni_loader *loader, kn_result result, const kni_place *place, const kn_error *error)
{
    if (result == KN_ERROR_OUT_OF_MEMORY) {
        loader->arena.failed = true;
    } else if (result != KN_OK) {
        kni_loader_error(loader, place, "%s", error->message);
    }
    return result == KN_OK;
}

bool kni_loader_node_reported(
    kni_loader *loader, kn_result result, kni_node node, const kn_error *error)
{
    kni_place place = kni_node_place(node);
    return kni_loader_reported(loader, result, &place, error);
}

// Within `{}` and `[]` a comma ends a text without quotes, and leaves a bracket open in a formula.
static bool is_cut(const kni_scalar *scalar)
{
    int open = 0;
    for (uint32_t i = 0; i < scalar->length; i++) {
        open += (scalar->text[i] == '(') - (scalar->text[i] == ')');
    }
    return !scalar->quoted && open > 0 && strchr(scalar->text, ',') == NULL;
}

void kni_loader_expression_error(kni_loader *loader, kni_node node, const kn_error *error)
{
    kni_place place = kni_node_place(node);
    kni_scalar scalar = kni_node_scalar(node);
    if (error->line > 1) {
        place.line += error->line - 1;
        place.column = error->column;
    } else if (error->line == 1 && error->column > 0) {
        place.column += error->column - 1 + (scalar.quoted ? 1 : 0);
    }
    if (error->code == KN_ERROR_BAD_DATA && is_cut(&scalar)) {
        kni_loader_error(loader, &place,
            "%s; inside `{}` and `[]` a formula with commas needs quotes", error->message);
        return;
    }
    (void)kni_loader_reported(loader, error->code, &place, error);
}

// Entries -------------------------------------------------------------------

// Names are looked up without regard to ASCII case, like those of the library.
static char letter_fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t entry_hash(kn_def_kind kind, const char *name)
{
    uint32_t hash = 2166136261u ^ (uint32_t)kind;
    for (; *name != 0; name++) {
        hash = (hash ^ (uint8_t)letter_fold(*name)) * 16777619u;
    }
    return hash;
}

static bool name_is(const char *a, const char *b)
{
    while (*a != 0 && letter_fold(*a) == letter_fold(*b)) {
        a++;
        b++;
    }
    return letter_fold(*a) == letter_fold(*b);
}

// The place of a name in the map: of its entry, or the free one where that would be.
static uint32_t map_place(const kni_loader *loader, kn_def_kind kind, const char *name)
{
    uint32_t mask = loader->map_capacity - 1;
    uint32_t at = entry_hash(kind, name) & mask;
    while (loader->map[at] != 0) {
        const kni_entry *entry = &loader->entries[loader->map[at] - 1];
        if (entry->kind == kind && name_is(entry->name, name)) {
            break;
        }
        at = (at + 1) & mask;
    }
    return at;
}

static bool map_grow(kni_loader *loader)
{
    if (loader->map_capacity > 2 * loader->entry_count) {
        return true;
    }
    uint32_t capacity = loader->map_capacity == 0 ? 256 : 4 * loader->map_capacity;
    const kn_hooks *hooks = &loader->arena.hooks;
    uint32_t *map = kn_memory_resize(hooks, NULL, 0, capacity * sizeof(*map));
    if (map == NULL) {
        loader->arena.failed = true;
        return false;
    }
    memset(map, 0, capacity * sizeof(*map));
    kn_memory_free(hooks, loader->map, loader->map_capacity * sizeof(*map));
    loader->map = map;
    loader->map_capacity = capacity;
    for (uint32_t i = 0; i < loader->entry_count; i++) {
        map[map_place(loader, loader->entries[i].kind, loader->entries[i].name)] = i + 1;
    }
    return true;
}

kni_entry *kni_loader_find(const kni_loader *loader, kn_def_kind kind, const char *name)
{
    if (loader->map_capacity == 0) {
        return NULL;
    }
    uint32_t index1 = loader->map[map_place(loader, kind, name)];
    return index1 != 0 ? &loader->entries[index1 - 1] : NULL;
}

kni_entry *kni_loader_add_at(
    kni_loader *loader, kn_def_kind kind, const kni_place *place, const char *name)
{
    const kni_entry *first = kni_loader_find(loader, kind, name);
    if (first != NULL) {
        kni_loader_error(loader, place, "%s `%s` is defined twice; first in %s, line %u",
            kn_kind_name(loader->library, kind), name,
            first->place.file != NULL ? first->place.file : "a text", first->place.line);
        return NULL;
    }
    if (!map_grow(loader) ||
        !kn_memory_grow(&loader->arena.hooks, &loader->entries, &loader->entry_capacity,
            loader->entry_count + 1, sizeof(kni_entry))) {
        loader->arena.failed = true;
        return NULL;
    }
    kni_entry *entry = &loader->entries[loader->entry_count++];
    *entry = (kni_entry){.kind = kind, .name = name, .place = *place};
    loader->map[map_place(loader, kind, name)] = loader->entry_count;
    return entry;
}

kni_entry *kni_loader_add(kni_loader *loader, kn_def_kind kind, kni_node node, const char *name)
{
    kni_place place = kni_node_key_place(node);
    kni_entry *entry = kni_loader_add_at(loader, kind, &place, name);
    if (entry != NULL) {
        entry->node = node;
    }
    return entry;
}

// References ----------------------------------------------------------------

// The nearest name among what is registered and what files define. Messages beyond the limit
// are not worth the search.
static const char *name_suggest(kni_loader *loader, kn_def_kind kind, const char *name)
{
    uint32_t limit = loader->def->message_limit;
    if (kni_report_error_count(loader->report) >= (limit != 0 ? limit : KNI_REPORT_LIMIT)) {
        return NULL;
    }
    if (kind == KN_DEF_TAG) {
        return kn_tag_suggest(loader->library, name);
    }
    uint32_t registered = kn_def_count(loader->library, kind);
    kni_arena_mark mark = kni_arena_here(&loader->arena);
    const char **names =
        kni_arena_take(&loader->arena, (registered + loader->entry_count) * sizeof(const char *));
    uint32_t count = 0;
    for (uint32_t i = 1; names != NULL && i <= registered; i++) {
        names[count++] = kn_def_name(loader->library, kind, i);
    }
    for (uint32_t i = 0; names != NULL && i < loader->entry_count; i++) {
        if (loader->entries[i].kind == kind) {
            names[count++] = loader->entries[i].name;
        }
    }
    const char *nearest = NULL;
    (void)kni_report_suggest(names, count, name, &nearest);
    kni_arena_release(&loader->arena, mark);
    return nearest;
}

// An attribute of which only the set was left out: its whole name, or NULL.
static const char *suggest_set(kni_loader *loader, const char *name)
{
    uint32_t registered = kn_def_count(loader->library, KN_DEF_ATTRIBUTE);
    for (uint32_t i = 1; i <= registered; i++) {
        const char *whole = kn_def_name(loader->library, KN_DEF_ATTRIBUTE, i);
        const char *dot = strrchr(whole, '.');
        if (dot != NULL && name_is(dot + 1, name)) {
            return whole;
        }
    }
    for (uint32_t i = 0; loader->entries != NULL && i < loader->entry_count; i++) {
        const kni_entry *entry = &loader->entries[i];
        kni_children children = kni_node_children(kni_node_get(entry->node, "attributes"));
        for (kni_node child;
             entry->kind == KN_DEF_ATTRIBUTE_SET && kni_children_next(&children, &child);) {
            const char *key = kni_node_key(child);
            size_t size = strlen(entry->name) + strlen(name) + 2;
            char *whole =
                key != NULL && name_is(key, name) ? kni_arena_take(&loader->arena, size) : NULL;
            if (whole != NULL) {
                (void)snprintf(whole, size, "%s.%s", entry->name, key);
                return whole;
            }
        }
    }
    return NULL;
}

static void resolve_unknown(
    kni_loader *loader, kn_def_kind kind, const kni_place *place, const char *name)
{
    const char *whole = kind == KN_DEF_ATTRIBUTE ? suggest_set(loader, name) : NULL;
    const char *nearest = whole != NULL ? whole : name_suggest(loader, kind, name);
    if (nearest != NULL) {
        kni_loader_error(loader, place, "there is no %s `%s`; did you mean `%s`?",
            kn_kind_name(loader->library, kind), name, nearest);
    } else {
        kni_loader_error(
            loader, place, "there is no %s `%s`", kn_kind_name(loader->library, kind), name);
    }
}

// Interned when first used.
static bool resolve_name(
    kni_loader *loader, const kni_place *place, const char *name, uint32_t *index1)
{
    kn_name id;
    kn_error error;
    bool ok = kni_loader_reported(
        loader, kn_name_register(loader->library, name, &id, &error), place, &error);
    *index1 = ok ? id.index1 : 0;
    return ok;
}

// The entry that has to be registered first: for an attribute, that of its set.
static kni_entry *entry_behind(const kni_loader *loader, kn_def_kind kind, const char *name)
{
    if (kind != KN_DEF_ATTRIBUTE) {
        return kni_loader_find(loader, kind, name);
    }
    char set[KN_TAG_NAME_MAX + 1];
    const char *dot = strrchr(name, '.');
    if (dot == NULL || (size_t)(dot - name) >= sizeof(set)) {
        return NULL;
    }
    memcpy(set, name, (size_t)(dot - name));
    set[dot - name] = 0;
    return kni_loader_find(loader, KN_DEF_ATTRIBUTE_SET, set);
}

// "A -> B -> C -> A", from the entry that is needed again over those that need each other.
static void circle_print(const kni_entry *from, const kni_entry *first, char *text, size_t size)
{
    const kni_entry *path[LOADER_DEPTH_MAX];
    uint32_t count = 0;
    for (; from != NULL && from != first && count < LOADER_DEPTH_MAX; from = from->needed_by) {
        path[count++] = from;
    }
    size_t length = (size_t)snprintf(text, size, "%s", first->name);
    while (count > 0 && length < size) {
        length += (size_t)snprintf(text + length, size - length, " -> %s", path[--count]->name);
    }
    if (length < size) {
        (void)snprintf(text + length, size - length, " -> %s", first->name);
    }
}

bool kni_loader_resolve_at(kni_loader *loader, kn_def_kind kind, const kni_place *place,
    const char *name, bool may_wait, uint32_t *index1)
{
    if (kind == KN_DEF_NAME) {
        return resolve_name(loader, place, name, index1);
    }
    *index1 = kn_def_find(loader->library, kind, name);
    if (*index1 != 0) {
        return true;
    }
    kni_entry *entry = entry_behind(loader, kind, name);
    if (entry == NULL) {
        resolve_unknown(loader, kind, place, name);
        return false;
    }
    if (entry->state == KNI_ENTRY_VISITED) {
        if (!may_wait) {
            char circle[KNI_REPORT_MESSAGE_MAX / 2];
            circle_print(loader->current, entry, circle, sizeof(circle));
            kni_loader_error(loader, place,
                "these definitions need each other in a cycle: %s; break it at one of them",
                circle);
        }
        return may_wait;
    }
    if (!kni_loader_register(loader, entry)) {
        return false; // already reported
    }
    *index1 = kn_def_find(loader->library, kind, name);
    if (*index1 == 0) {
        resolve_unknown(loader, kind, place, name); // the set has no such attribute
    }
    return *index1 != 0;
}

bool kni_loader_resolve(kni_loader *loader, kn_def_kind kind, kni_node node, const char *name,
    bool may_wait, uint32_t *index1)
{
    kni_place place = kni_node_place(node);
    return kni_loader_resolve_at(loader, kind, &place, name, may_wait, index1);
}

// Registration --------------------------------------------------------------

// The parent's def as a start, if the kind inherits by copying.
static bool start_from_parent(
    kni_loader *loader, const kni_entry *entry, const kn_def_table *table, void *def)
{
    kni_node node = kni_node_get(entry->node, "parent");
    const kn_def_field *field = kn_def_field_find(table, "parent");
    if (!kni_node_exists(node) || kni_node_is_null(node) ||
        (field != NULL && field->kind != KN_DEF_FIELD_STRING)) {
        return true;
    }
    const char *name;
    uint32_t index1;
    if (!kni_read_text(loader, node, &name) ||
        !kni_loader_resolve(loader, entry->kind, node, name, false, &index1)) {
        return false;
    }
    memcpy(def, kn_def_get(loader->library, entry->kind, index1), table->size);
    if (field != NULL) {
        memcpy((uint8_t *)def + field->offset, &name, sizeof(name));
    }
    return true;
}

// Functions get at least the state they were written for.
static void take_state_size(const kn_def_field *field, const void *at, void *def)
{
    uint32_t needed, given;
    memcpy(&needed, at, sizeof(needed));
    memcpy(&given, (uint8_t *)def + field->offset, sizeof(given));
    if (given < needed) {
        memcpy((uint8_t *)def + field->offset, &needed, sizeof(needed));
    }
}

// What the functions say of their state stands, else what the file says.
static void take_state_fields(const kn_def_field *field, const void *from, void *def)
{
    uint32_t count;
    memcpy(&count, (const uint8_t *)from + field->count_offset, sizeof(count));
    if (count > 0) {
        memcpy((uint8_t *)def + field->count_offset, &count, sizeof(count));
        memcpy((uint8_t *)def + field->offset, (const uint8_t *)from + field->offset,
            sizeof(const void *));
    }
}

// Takes function pointers, user pointer, state size and its fields from a def given in C.
static void take_native(const kn_def_table *table, const void *from, void *def)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        const uint8_t *at = (const uint8_t *)from + field->offset;
        if (strcmp(field->name, "state_size") == 0) {
            take_state_size(field, at, def);
        } else if (strcmp(field->name, "state_fields") == 0) {
            take_state_fields(field, from, def);
        } else if (field->kind == KN_DEF_FIELD_POINTER) {
            memcpy((uint8_t *)def + field->offset, at, kn_def_field_size(field));
        } else if (field->kind == KN_DEF_FIELD_STRUCT) {
            take_native(field->table, at, (uint8_t *)def + field->offset);
        }
    }
}

static bool bind_native(
    kni_loader *loader, const kni_entry *entry, const kn_def_table *table, kni_node node, void *def)
{
    const char *name;
    const char *names[256];
    uint32_t count = 0;
    if (!kni_read_text(loader, node, &name)) {
        return false;
    }
    for (uint32_t i = 0; i < loader->native_count; i++) {
        const kni_native *native = &loader->natives[i];
        bool is_of_kind =
            native->kind_name == NULL
                ? native->kind == entry->kind
                : strcmp(native->kind_name, kn_kind_name(loader->library, entry->kind)) == 0;
        if (is_of_kind && strcmp(native->name, name) == 0 && table != NULL) {
            if (native->size != table->size) {
                kni_loader_node_error(loader, node,
                    "the C functions called `%s` are in a struct of %u bytes, but that of this "
                    "kind has %u",
                    name, (unsigned)native->size, (unsigned)table->size);
                return false;
            }
            take_native(table, native->def, def);
            return true;
        }
        if (is_of_kind && count < 256) {
            names[count++] = native->name;
        }
    }
    kni_hint hint = kni_report_hint(names, count, name);
    kni_loader_node_error(loader, node, "there are no C functions called `%s`%s", name, hint.text);
    return false;
}

static bool bind_script(kni_loader *loader, const kni_entry *entry, kni_node node, void *def)
{
    const kn_data_scripts *scripts = &loader->def->scripts;
    const char *name;
    if (!kni_read_text(loader, node, &name)) {
        return false;
    }
    if (scripts->bind == NULL) {
        kni_loader_node_error(
            loader, node, "`%s` is a script, but the program does not load scripts", name);
        return false;
    }
    kn_error error = {0};
    kn_result result =
        scripts->bind(scripts->user, loader->library, entry->kind, name, def, &error);
    // A script that was not loaded has reported why.
    if (result != KN_OK && !(result == KN_REFUSED_NOT_FOUND && loader->has_bad_scripts)) {
        kni_loader_node_error(loader, node, "%s",
            error.message[0] != 0 ? error.message : "the script has no such functions");
    }
    return result == KN_OK;
}

// The fields of a def's state; none for a kind that has no state.
static const kn_field *state_fields_of(const kn_def_table *table, const void *def, uint32_t *count)
{
    const kn_def_field *field = table != NULL ? kn_def_field_find(table, "state_fields") : NULL;
    const kn_field *fields = NULL;
    *count = 0;
    if (field != NULL) {
        memcpy(&fields, (const uint8_t *)def + field->offset, sizeof(fields));
        memcpy(count, (const uint8_t *)def + field->count_offset, sizeof(*count));
    }
    return fields;
}

static uint32_t elements_of(const kn_field *field)
{
    return field->count == 0 ? 1 : field->count;
}

static bool texts_agree(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

// A file need not say what the functions say of their state, but must not contradict them.
static bool state_is_agreed(kni_loader *loader, const kni_entry *entry, const kn_def_table *table,
    const void *def, const kn_field *said, uint32_t said_count)
{
    kni_node node = kni_node_get(entry->node, "state_fields");
    uint32_t count;
    const kn_field *fields = state_fields_of(table, def, &count);
    bool ok = !kni_node_exists(node) || fields == said || count == said_count;
    for (uint32_t i = 0; ok && kni_node_exists(node) && fields != said && i < count; i++) {
        ok = strcmp(fields[i].name, said[i].name) == 0 && fields[i].kind == said[i].kind &&
             elements_of(&fields[i]) == elements_of(&said[i]) &&
             texts_agree(fields[i].refers_to, said[i].refers_to) &&
             texts_agree(fields[i].words, said[i].words);
    }
    if (!ok) {
        kni_loader_node_error(loader, node,
            "the functions of `%s` declare a different state; leave this out", entry->name);
    }
    return ok;
}

static bool bind_functions(
    kni_loader *loader, const kni_entry *entry, const kn_def_table *table, void *def)
{
    kni_node native = kni_node_get(entry->node, "native");
    kni_node script = kni_node_get(entry->node, "script");
    uint32_t said_count;
    const kn_field *said = state_fields_of(table, def, &said_count);
    bool ok = true;
    bool is_cleared = kni_node_is_null(native) || kni_node_is_null(script);
    if (is_cleared && table != NULL) { // none, whatever the parent has
        void *plain = kni_arena_take(&loader->arena, table->size);
        if (plain == NULL) {
            return false;
        }
        kn_def_init(table, plain);
        take_native(table, plain, def);
    }
    if (kni_node_exists(native) && !kni_node_is_null(native)) {
        ok = bind_native(loader, entry, table, native, def);
    }
    if (kni_node_exists(script) && !kni_node_is_null(script)) {
        ok = bind_script(loader, entry, script, def) && ok;
    }
    return ok && state_is_agreed(loader, entry, table, def, said, said_count);
}

// Fields of a struct that only scripts and tools look at need no offsets: they follow each other.
// Those that the file gives are kept, for registration to check.
static uint32_t fields_lay_out(kn_field *fields, uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        kn_def_field probe = {.kind = (uint8_t)fields[i].kind, .count = 1};
        uint32_t elements = fields[i].count == 0 ? 1 : fields[i].count;
        if (fields[i].offset == 0) {
            fields[i].offset = at;
        }
        at += (uint32_t)kn_def_field_size(&probe) * elements;
    }
    return at;
}

// Lays out what the file has: the arrays are ours until the def is registered.
static void lay_out_part(const kni_entry *entry, const char *fields_key, const char *size_key,
    const kn_field *const *fields, uint32_t count, uint32_t *size)
{
    if (!kni_node_exists(kni_node_get(entry->node, fields_key))) {
        return; // none, or those of the parent
    }
    kn_field *ours;
    memcpy(&ours, fields, sizeof(ours));
    uint32_t needed = fields_lay_out(ours, count);
    if (!kni_node_exists(kni_node_get(entry->node, size_key))) {
        *size = needed;
    }
}

static void lay_out(const kni_entry *entry, void *def)
{
    if (entry->kind == KN_DEF_COMPONENT) {
        kn_component_def *component = def;
        lay_out_part(
            entry, "fields", "size", &component->fields, component->field_count, &component->size);
        lay_out_part(entry, "item_fields", "item_size", &component->item_fields,
            component->item_field_count, &component->item_size);
    } else if (entry->kind == KN_DEF_TARGET) {
        kn_target_type_def *target = def;
        lay_out_part(entry, "fields", "size", &target->fields, target->field_count, &target->size);
    } else if (entry->kind == KN_DEF_COMMAND) {
        kn_command_def *command = def;
        lay_out_part(
            entry, "fields", "size", &command->fields, command->field_count, &command->size);
    } else if (entry->kind == KN_DEF_CUSTOM_EVENT) {
        kn_custom_event_def *event = def;
        lay_out_part(entry, "fields", "size", &event->fields, event->field_count, &event->size);
    } else if (entry->kind == KN_DEF_ABILITY) {
        kn_ability_def *ability = def;
        lay_out_part(entry, "state_fields", "state_size", &ability->state_fields,
            ability->state_field_count, &ability->state_size);
    } else if (entry->kind == KN_DEF_TICKER) {
        kn_ticker_def *ticker = def;
        lay_out_part(entry, "state_fields", "state_size", &ticker->state_fields,
            ticker->state_field_count, &ticker->state_size);
    } else if (entry->kind == KN_DEF_WATCH) {
        kn_watch_def *watch = def;
        lay_out_part(entry, "state_fields", "state_size", &watch->state_fields,
            watch->state_field_count, &watch->state_size);
    } else if (entry->kind == KN_DEF_TASK) {
        kn_task_type_def *task = def;
        lay_out_part(entry, "state_fields", "state_size", &task->state_fields,
            task->state_field_count, &task->state_size);
    } else if (entry->kind == KN_DEF_EFFECT_LOGIC) {
        kn_effect_logic_def *logic = def;
        lay_out_part(entry, "state_fields", "state_size", &logic->state_fields,
            logic->state_field_count, &logic->state_size);
    }
}

static bool register_def(kni_loader *loader, const kni_entry *entry, const kn_def_table *table)
{
    void *def = kni_arena_take(&loader->arena, table->size);
    if (def == NULL) {
        return false;
    }
    kn_def_init(table, def);
    bool ok = start_from_parent(loader, entry, table, def);
    const kn_def_field *name = kn_def_field_find(table, "name");
    memcpy((uint8_t *)def + name->offset, &entry->name, sizeof(entry->name));
    ok = kni_read_body(loader, table, entry->node, def) && ok;
    if (ok) {
        lay_out(entry, def); // before functions ask for more
    }
    ok = bind_functions(loader, entry, table, def) && ok;
    if (!ok) {
        return false;
    }
    uint32_t index1;
    kn_error error;
    return kni_loader_reported(loader,
        kn_def_register(loader->library, entry->kind, def, &index1, &error), &entry->place, &error);
}

static bool register_context(kni_loader *loader, const kni_entry *entry)
{
    uint64_t size;
    kn_error error;
    kn_result result = kni_node_u64(entry->node, 1, 65536, &size, &error);
    kn_context_type_id type;
    if (result == KN_OK) {
        result =
            kn_context_type_register(loader->library, entry->name, (uint32_t)size, &type, &error);
    }
    return kni_loader_reported(loader, result, &entry->place, &error);
}

// Functions without a def: from a script, or a formula.
static bool register_function(kni_loader *loader, const kni_entry *entry)
{
    kni_node script = kni_node_get(entry->node, "script");
    kni_node expression = kni_node_get(entry->node, "expression");
    bool by_text = entry->kind == KN_DEF_REQUIREMENT || entry->kind == KN_DEF_CONDITION;
    if (kni_node_exists(script) && kni_node_count(entry->node) == 1) {
        return bind_script(loader, entry, script, NULL);
    }
    if (by_text && kni_node_exists(expression) && kni_node_count(entry->node) == 1) {
        const char *text;
        if (!kni_read_text(loader, expression, &text)) {
            return false;
        }
        kn_error error;
        kn_requirement_id requirement;
        kn_condition_id condition;
        kn_result result = entry->kind == KN_DEF_REQUIREMENT
                               ? kn_requirement_register_expression(
                                     loader->library, entry->name, text, &requirement, &error)
                               : kn_condition_register_expression(
                                     loader->library, entry->name, text, &condition, &error);
        if (result != KN_OK) {
            kni_loader_expression_error(loader, expression, &error);
        }
        return result == KN_OK;
    }
    kni_loader_node_error(loader, entry->node, "a %s is written as `{script: name}`%s",
        kn_kind_name(loader->library, entry->kind), by_text ? " or `{expression: text}`" : "");
    return false;
}

bool kni_loader_register(kni_loader *loader, kni_entry *entry)
{
    if (entry->state != KNI_ENTRY_NEW) {
        return entry->state == KNI_ENTRY_DONE;
    }
    if (loader->depth == LOADER_DEPTH_MAX) {
        kni_loader_node_error(loader, entry->node,
            "a chain of more than %u definitions that need each other", (uint32_t)LOADER_DEPTH_MAX);
        entry->state = KNI_ENTRY_FAILED;
        return false;
    }
    const kni_entry *outer = loader->current;
    uint32_t outer_expressions = loader->expression_count;
    kni_arena_mark mark = kni_arena_here(&loader->arena);
    loader->current = entry;
    entry->needed_by = outer;
    loader->expression_count = 0;
    loader->depth++;
    entry->state = KNI_ENTRY_VISITED;
    const kn_def_table *table = kn_kind_table(loader->library, entry->kind);
    bool ok = table != NULL                   ? register_def(loader, entry, table)
              : entry->kind == KN_DEF_CONTEXT ? register_context(loader, entry)
                                              : register_function(loader, entry);
    entry->state = ok ? KNI_ENTRY_DONE : KNI_ENTRY_FAILED;
    loader->depth--;
    loader->expression_count = outer_expressions;
    loader->current = outer;
    kni_arena_release(&loader->arena, mark);
    return ok;
}
