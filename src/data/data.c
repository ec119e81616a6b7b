// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sources, natives and the build. What the last build read stays until the next one, so that
// places of definitions can be queried.

#include "files.h"
#include "ini.h"
#include "lint.h"
#include "loader.h"
#include "shapes.h"
#include "tables.h"

#include <stdio.h>
#include <string.h>

#define DATA_COOKIE 0x64617461u

typedef enum source_kind {
    SOURCE_TEXT, // bytes in memory
    SOURCE_FILE,
    SOURCE_FOLDER,
    SOURCE_NODE, // of a document that is somebody else's
} source_kind;

typedef struct data_source {
    source_kind kind;
    char *name;
    kni_buffer text;
    kni_node node;
} data_source;

typedef struct data_document {
    kni_document *own; // NULL: not its own
    kni_node root;
} data_document;

struct kn_data {
    kn_data_def def;
    char *lints_off;
    data_source *sources;
    uint32_t source_count, source_capacity;
    kni_native *natives;
    uint32_t native_count, native_capacity;
    kn_kind_def *kinds; // own ones that each library gets
    uint32_t kind_count, kind_capacity;

    // Of the last build.
    kni_report *report;
    data_document *documents;
    uint32_t document_count, document_capacity;
    kni_csv **tables;
    uint32_t table_count, table_capacity;
    kni_loader loader;
    kni_buffer scripts; // the text of all scripts
    kni_chunk *chunks;  // each of them
    uint32_t chunk_count, chunk_capacity;
    bool no_memory;
};

// Creation ------------------------------------------------------------------

kn_data_def kn_data_def_default(void)
{
    kn_data_def def = {
        .message_limit = 100,
        .file_limit = (size_t)16 << 20,
        .warn = true,
        .cookie = DATA_COOKIE,
    };
    return def;
}

static char *text_copy(kn_data *data, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = kn_memory_resize(&data->def.hooks, NULL, 0, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

static void text_free(kn_data *data, char *text)
{
    if (text != NULL) {
        kn_memory_free(&data->def.hooks, text, strlen(text) + 1);
    }
}

static bool kits_are_good(const kn_data_def *def)
{
    bool ok = def->kits != NULL || def->kit_count == 0;
    for (uint32_t i = 0; ok && i < def->kit_count; i++) {
        ok = def->kits[i].name != NULL && def->kits[i].register_fn != NULL;
    }
    return ok;
}

kn_result kn_data_create(const kn_data_def *def, kn_data **out)
{
    if (out == NULL || def == NULL || def->cookie != DATA_COOKIE || !kits_are_good(def)) {
        KN_ASSERT(out != NULL && def != NULL && def->cookie == DATA_COOKIE);
        if (out != NULL) {
            *out = NULL;
        }
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_data *data = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*data));
    *out = data;
    if (data == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *data = (kn_data){.def = *def, .scripts.hooks = def->hooks};
    data->def.lints_off = NULL;
    char *off = text_copy(data, def->lints_off != NULL ? def->lints_off : "");
    if (off == NULL) {
        kn_data_destroy(data);
        *out = NULL;
        return KN_ERROR_OUT_OF_MEMORY;
    }
    data->lints_off = off;
    return KN_OK;
}

static void data_clear(kn_data *data)
{
    const kn_hooks *hooks = &data->def.hooks;
    kni_loader *loader = &data->loader;
    kni_arena_release(&loader->arena, (kni_arena_mark){0});
    kn_memory_free(hooks, loader->entries, loader->entry_capacity * sizeof(*loader->entries));
    kn_memory_free(hooks, loader->map, loader->map_capacity * sizeof(*loader->map));
    *loader = (kni_loader){0};
    for (uint32_t i = 0; i < data->document_count; i++) {
        kni_document_destroy(data->documents[i].own);
    }
    data->document_count = 0;
    for (uint32_t i = 0; i < data->table_count; i++) {
        kni_csv_destroy(data->tables[i]);
    }
    data->table_count = 0;
    kni_report_destroy(data->report);
    data->report = NULL;
    kni_buffer_free(&data->scripts);
    data->chunk_count = 0;
    data->no_memory = false;
}

void kn_data_destroy(kn_data *data)
{
    if (data == NULL) {
        return;
    }
    kn_hooks hooks = data->def.hooks;
    data_clear(data);
    text_free(data, data->lints_off);
    for (uint32_t i = 0; i < data->source_count; i++) {
        text_free(data, data->sources[i].name);
        kni_buffer_free(&data->sources[i].text);
    }
    for (uint32_t i = 0; i < data->native_count; i++) {
        const kni_native *native = &data->natives[i];
        text_free(data, native->kind_name);
        text_free(data, native->name);
        kn_memory_free(&hooks, native->def, native->size);
    }
    kn_memory_free(&hooks, data->sources, data->source_capacity * sizeof(*data->sources));
    kn_memory_free(&hooks, data->natives, data->native_capacity * sizeof(*data->natives));
    kn_memory_free(&hooks, data->kinds, data->kind_capacity * sizeof(*data->kinds));
    kn_memory_free(&hooks, data->documents, data->document_capacity * sizeof(*data->documents));
    kn_memory_free(&hooks, data->tables, data->table_capacity * sizeof(*data->tables));
    kn_memory_free(&hooks, data->chunks, data->chunk_capacity * sizeof(*data->chunks));
    kn_memory_free(&hooks, data, sizeof(*data));
}

// Sources -------------------------------------------------------------------

static kn_result source_add(
    kn_data *data, source_kind kind, const char *name, const char *text, size_t size)
{
    data_source source = {.kind = kind, .name = text_copy(data, name)};
    source.text.hooks = data->def.hooks;
    if (source.name == NULL || (size > 0 && !kni_buffer_add(&source.text, text, size)) ||
        !kn_memory_grow(&data->def.hooks, &data->sources, &data->source_capacity,
            data->source_count + 1, sizeof(source))) {
        text_free(data, source.name);
        kni_buffer_free(&source.text);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    data->sources[data->source_count++] = source;
    return KN_OK;
}

kn_result kn_data_add_text(kn_data *data, const char *name, const char *text, size_t size)
{
    if (kni_file_ending(name) == KNI_ENDING_UNKNOWN) {
        return KN_ERROR_BAD_DATA;
    }
    return source_add(data, SOURCE_TEXT, name, text, size);
}

kn_result kni_data_add_node(kn_data *data, kni_node root)
{
    kn_result result = source_add(data, SOURCE_NODE, "", NULL, 0);
    if (result == KN_OK) {
        data->sources[data->source_count - 1].node = root;
    }
    return result;
}

kn_result kn_data_add_file(kn_data *data, const char *path)
{
    if (kni_file_ending(path) == KNI_ENDING_UNKNOWN) {
        return KN_ERROR_BAD_DATA;
    }
    kn_result result = source_add(data, SOURCE_FILE, path, NULL, 0);
    return result == KN_OK && !kni_file_exists(path) ? KN_ERROR_IO : result;
}

kn_result kn_data_add_folder(kn_data *data, const char *path)
{
    kn_result result = source_add(data, SOURCE_FOLDER, path, NULL, 0);
    return result == KN_OK && !kni_folder_exists(path) ? KN_ERROR_IO : result;
}

kn_result kn_data_add_kind(kn_data *data, const kn_kind_def *def, kn_def_kind *kind)
{
    *kind = KN_DEF_KIND_COUNT;
    if (def == NULL || def->cookie != kn_kind_def_default().cookie || def->table == NULL) {
        KN_ASSERT(def != NULL && def->table != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (data->kind_count == KN_KIND_MAX) {
        return KN_REFUSED_LIMIT;
    }
    if (!kn_memory_grow(&data->def.hooks, &data->kinds, &data->kind_capacity, data->kind_count + 1,
            sizeof(*def))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *kind = (kn_def_kind)(KN_DEF_KIND_OWN + data->kind_count);
    data->kinds[data->kind_count++] = *def;
    return KN_OK;
}

// The table of a kind that natives may be for.
static const kn_def_table *native_table(const kn_data *data, kn_def_kind kind)
{
    uint32_t own = (uint32_t)kind - KN_DEF_KIND_OWN; // wraps below
    return own < data->kind_count ? data->kinds[own].table : kn_def_table_of(kind);
}

// Whether something is called so already for its kind.
static bool native_is_taken(
    const kn_data *data, kn_def_kind kind, const char *kind_name, const char *name)
{
    for (uint32_t i = 0; i < data->native_count; i++) {
        const kni_native *other = &data->natives[i];
        bool is_same = other->kind == kind && (kind_name == NULL) == (other->kind_name == NULL) &&
                       (kind_name == NULL || strcmp(kind_name, other->kind_name) == 0);
        if (is_same && strcmp(other->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static kn_result native_add(kn_data *data, kn_def_kind kind, const char *kind_name,
    const char *name, const void *def, size_t size)
{
    if (native_is_taken(data, kind, kind_name, name)) {
        return KN_REFUSED_DUPLICATE;
    }
    const kn_hooks *hooks = &data->def.hooks;
    kni_native native = {.kind = kind,
        .kind_name = kind_name != NULL ? text_copy(data, kind_name) : NULL,
        .name = text_copy(data, name),
        .def = kn_memory_resize(hooks, NULL, 0, size),
        .size = size};
    if (native.name == NULL || native.def == NULL ||
        (kind_name != NULL && native.kind_name == NULL) ||
        !kn_memory_grow(hooks, &data->natives, &data->native_capacity, data->native_count + 1,
            sizeof(native))) {
        text_free(data, native.kind_name);
        text_free(data, native.name);
        kn_memory_free(hooks, native.def, native.def != NULL ? size : 0);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memcpy(native.def, def, size);
    data->natives[data->native_count++] = native;
    return KN_OK;
}

kn_result kn_data_add_native(kn_data *data, kn_def_kind kind, const char *name, const void *def)
{
    const kn_def_table *table = native_table(data, kind);
    if (table == NULL || name == NULL || def == NULL) {
        KN_ASSERT(table != NULL && name != NULL && def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return native_add(data, kind, NULL, name, def, table->size);
}

kn_result kn_data_add_kind_native(
    kn_data *data, const char *kind, const char *name, const void *def, size_t size)
{
    if (kind == NULL || name == NULL || def == NULL || size == 0 || size > KN_KIND_SIZE_MAX) {
        KN_ASSERT(kind != NULL && name != NULL && def != NULL && size <= KN_KIND_SIZE_MAX);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return native_add(data, KN_DEF_KIND_COUNT, kind, name, def, size);
}

// Reading -------------------------------------------------------------------

static void read_root(kn_data *data, kni_document *own, kni_node root)
{
    if (!kn_memory_grow(&data->def.hooks, &data->documents, &data->document_capacity,
            data->document_count + 1, sizeof(*data->documents))) {
        kni_document_destroy(own);
        data->no_memory = true;
        return;
    }
    data->documents[data->document_count++] = (data_document){own, root};
    kni_sections_read(&data->loader, root, KNI_PHASE_TAGS);
}

static void read_document(kn_data *data, const char *name, const char *text, size_t size)
{
    kni_document_def def = kni_document_def_default();
    def.text = text;
    def.size = size;
    def.file = name;
    def.hooks = data->def.hooks;
    def.size_limit = data->def.file_limit;
    kni_document *document;
    kn_result result = kni_document_parse(&def, data->report, &document);
    if (result == KN_OK) {
        read_root(data, document, kni_document_root(document));
    }
    data->no_memory |= result == KN_ERROR_OUT_OF_MEMORY;
}

static void read_table(kn_data *data, const char *name, const char *text, size_t size)
{
    kni_csv_def def = kni_csv_def_default();
    def.text = text;
    def.size = size;
    def.file = name;
    def.hooks = data->def.hooks;
    def.size_limit = data->def.file_limit;
    kni_csv *table;
    kn_result result = kni_csv_parse(&def, data->report, &table);
    if (result == KN_OK && !kn_memory_grow(&data->def.hooks, &data->tables, &data->table_capacity,
                               data->table_count + 1, sizeof(*data->tables))) {
        kni_csv_destroy(table);
        result = KN_ERROR_OUT_OF_MEMORY;
    }
    if (result == KN_OK) {
        data->tables[data->table_count++] = table;
        kni_table_read(&data->loader, table, KNI_PHASE_TAGS);
    }
    data->no_memory |= result == KN_ERROR_OUT_OF_MEMORY;
}

static void begin_scripts(kn_data *data)
{
    const kn_data_scripts *scripts = &data->def.scripts;
    kn_error error = {0};
    if (scripts->begin != NULL &&
        scripts->begin(scripts->user, data->loader.library, &error) != KN_OK) {
        kni_place place = {0};
        kni_loader_error(&data->loader, &place, "scripts cannot be loaded: %s", error.message);
    }
}

// Messages of scripts begin with "file:12: ..."; the place is printed once, so it is removed here.
static const char *without_place(const char *message, const char *name, uint32_t line)
{
    char number[16];
    (void)snprintf(number, sizeof(number), ":%u: ", line);
    const char *at = line > 0 ? strstr(message, number) : NULL;
    const char *told = message;
    size_t length = at != NULL ? (size_t)(at - message) : 0;
    if (length > 3 && strncmp(message, "...", 3) == 0 && strlen(name) >= length - 3) {
        told += 3; // the end of a long name
        length -= 3;
        name += strlen(name) - length;
    }
    bool is_place = at != NULL && strlen(name) == length && strncmp(told, name, length) == 0;
    return is_place ? at + strlen(number) : message;
}

// Keeps a script for the lints. False without memory.
static bool script_keep(kn_data *data, const char *name, const char *text, size_t size)
{
    if (!kn_memory_grow(&data->def.hooks, &data->chunks, &data->chunk_capacity,
            data->chunk_count + 1, sizeof(*data->chunks))) {
        return false;
    }
    data->chunks[data->chunk_count++] = (kni_chunk){
        .name = kni_arena_text(&data->loader.arena, name, strlen(name)),
        .offset = data->scripts.size,
        .size = size,
    };
    return kni_buffer_add(&data->scripts, text, size) && kni_buffer_add(&data->scripts, "\n", 1);
}

static void read_script(kn_data *data, const char *name, const char *text, size_t size)
{
    const kn_data_scripts *scripts = &data->def.scripts;
    kni_place place = {.file = name};
    kn_error error = {0};
    if (scripts->load == NULL) {
        kni_report_add(data->report, KNI_SEVERITY_ERROR, &place,
            "this is a script, but the program does not load scripts");
    } else if (scripts->load(scripts->user, name, text, size, &error) != KN_OK) {
        place.line = error.line;
        place.column = error.column;
        kni_report_add(data->report, KNI_SEVERITY_ERROR, &place, "%s",
            without_place(error.message, name, error.line));
    } else if (!script_keep(data, name, text, size)) {
        data->no_memory = true;
    }
    data->loader.has_bad_scripts |= error.code != KN_OK;
}

static void read_text(void *user, const char *name, const char *text, size_t size)
{
    kn_data *data = user;
    switch (kni_file_ending(name)) {
    case KNI_ENDING_SCRIPT:
        read_script(data, name, text, size);
        break;
    case KNI_ENDING_TABLE:
        read_table(data, name, text, size);
        break;
    case KNI_ENDING_TAGS:
        kni_ini_read(&data->loader, name, text, size);
        break;
    default:
        read_document(data, name, text, size);
        break;
    }
}

static void read_file(void *user, const char *path)
{
    kn_data *data = user;
    kni_document_def def = kni_document_def_default();
    def.hooks = data->def.hooks;
    def.size_limit = data->def.file_limit;
    kni_buffer buffer = {.hooks = data->def.hooks};
    kn_result result = kni_document_read_file(path, &def, data->report, &buffer);
    if (result == KN_OK) {
        read_text(data, path, buffer.data != NULL ? buffer.data : "", buffer.size);
    }
    data->no_memory |= result == KN_ERROR_OUT_OF_MEMORY;
    kni_buffer_free(&buffer);
}

static void read_sources(kn_data *data)
{
    for (uint32_t i = 0; i < data->source_count; i++) {
        const data_source *source = &data->sources[i];
        if (source->kind == SOURCE_TEXT) {
            read_text(data, source->name, source->text.data != NULL ? source->text.data : "",
                source->text.size);
        } else if (source->kind == SOURCE_FILE) {
            read_file(data, source->name);
        } else if (source->kind == SOURCE_NODE) {
            read_root(data, NULL, source->node);
        } else {
            kn_result result =
                kni_folder_walk(&data->def.hooks, source->name, data->report, read_file, data);
            data->no_memory |= result == KN_ERROR_OUT_OF_MEMORY;
        }
    }
}

// Kits ----------------------------------------------------------------------
//
// Kits are registered before anything is read, so the files that may name one are looked at first.

typedef struct kit_search {
    kn_data *data;
    kni_place *places; // where each kit is named first; without a line: nowhere
} kit_search;

// A list of kits that makes no sense is reported when its section is read.
static void kits_note(kit_search *search, kni_node root)
{
    kn_data *data = search->data;
    kni_node kits =
        kni_node_kind_of(root) == KNI_NODE_MAPPING ? kni_node_get(root, "kits") : (kni_node){0};
    if (kni_node_kind_of(kits) != KNI_NODE_SEQUENCE) {
        return;
    }
    kni_children children = kni_node_children(kits);
    for (kni_node child; kni_children_next(&children, &child);) {
        uint32_t index = kni_node_kind_of(child) == KNI_NODE_SCALAR
                             ? kni_kit_find(&data->def, kni_node_scalar(child).text)
                             : data->def.kit_count;
        if (index < data->def.kit_count && search->places[index].line == 0) {
            kni_place place = kni_node_place(child);
            place.file = place.file != NULL
                             ? kni_arena_text(&data->loader.arena, place.file, strlen(place.file))
                             : NULL;
            search->places[index] = place;
        }
    }
}

static void kits_find_in_text(kit_search *search, const char *name, const char *text, size_t size)
{
    kn_data *data = search->data;
    bool may_have = false;
    for (size_t i = 0; !may_have && i + 4 <= size; i++) {
        may_have = text[i] == 'k' && memcmp(text + i, "kits", 4) == 0;
    }
    if (!may_have || kni_file_ending(name) != KNI_ENDING_DOCUMENT) {
        return;
    }
    kni_document_def def = kni_document_def_default();
    def.text = text;
    def.size = size;
    def.file = name;
    def.hooks = data->def.hooks;
    def.size_limit = data->def.file_limit;
    kni_report *report; // of mistakes that are found again when it is read
    kni_document *document;
    kn_result result = kni_report_create(&data->def.hooks, 1, &report);
    if (result == KN_OK) {
        result = kni_document_parse(&def, report, &document);
        if (result == KN_OK) {
            kits_note(search, kni_document_root(document));
            kni_document_destroy(document);
        }
        kni_report_destroy(report);
    }
    data->no_memory |= result == KN_ERROR_OUT_OF_MEMORY;
}

static void kits_find_in_file(void *user, const char *path)
{
    kit_search *search = user;
    kn_data *data = search->data;
    kni_document_def def = kni_document_def_default();
    def.hooks = data->def.hooks;
    def.size_limit = data->def.file_limit;
    kni_buffer buffer = {.hooks = data->def.hooks};
    kni_report *report;
    kn_result result = kni_file_ending(path) != KNI_ENDING_DOCUMENT
                           ? KN_REFUSED_NOT_FOUND
                           : kni_report_create(&data->def.hooks, 1, &report);
    if (result == KN_OK) {
        result = kni_document_read_file(path, &def, report, &buffer);
        if (result == KN_OK && buffer.data != NULL) {
            kits_find_in_text(search, path, buffer.data, buffer.size);
        }
        kni_report_destroy(report);
    }
    data->no_memory |= result == KN_ERROR_OUT_OF_MEMORY;
    kni_buffer_free(&buffer);
}

static void kits_find(kit_search *search)
{
    kn_data *data = search->data;
    for (uint32_t i = 0; i < data->source_count; i++) {
        const data_source *source = &data->sources[i];
        if (source->kind == SOURCE_TEXT && source->text.data != NULL) {
            kits_find_in_text(search, source->name, source->text.data, source->text.size);
        } else if (source->kind == SOURCE_FILE) {
            kits_find_in_file(search, source->name);
        } else if (source->kind == SOURCE_NODE) {
            kits_note(search, source->node);
        } else if (source->kind == SOURCE_FOLDER) {
            kni_report *report;
            kn_result result = kni_report_create(&data->def.hooks, 1, &report);
            if (result == KN_OK) {
                result = kni_folder_walk(
                    &data->def.hooks, source->name, report, kits_find_in_file, search);
                kni_report_destroy(report);
            }
            data->no_memory |= result == KN_ERROR_OUT_OF_MEMORY;
        }
    }
}

static void kits_register(kn_data *data)
{
    uint32_t count = data->def.kit_count;
    kit_search search = {data, kni_arena_take(&data->loader.arena, count * sizeof(kni_place))};
    if (count == 0 || search.places == NULL) {
        return;
    }
    kits_find(&search);
    for (uint32_t i = 0; i < count; i++) {
        const kn_kit *kit = &data->def.kits[i];
        kn_error error = {0};
        kn_result result =
            search.places[i].line == 0 ? KN_OK : kn_kit_register(data->loader.library, kit, &error);
        if (result == KN_ERROR_OUT_OF_MEMORY) {
            data->no_memory = true;
        } else if (result != KN_OK && result != KN_REFUSED_DUPLICATE) { // `prepare` may have it
            kni_loader_error(&data->loader, &search.places[i],
                "kit `%s` could not be registered: %s", kit->name,
                error.message[0] != 0 ? error.message : kn_result_name(result));
        }
    }
}

// Building ------------------------------------------------------------------

static void read_phase(kn_data *data, kni_phase phase)
{
    for (uint32_t i = 0; i < data->document_count; i++) {
        kni_sections_read(&data->loader, data->documents[i].root, phase);
    }
    for (uint32_t i = 0; i < data->table_count; i++) {
        kni_table_read(&data->loader, data->tables[i], phase);
    }
}

static void register_all(kni_loader *loader)
{
    for (uint32_t s = 0; s < kni_library_section_count(loader->library); s++) {
        for (uint32_t i = 0; i < loader->entry_count; i++) {
            if (loader->entries[i].kind == kni_library_section(loader->library, s).kind) {
                (void)kni_loader_register(loader, &loader->entries[i]);
            }
        }
    }
}

// An attribute of a set that files define.
static kni_node attribute_node(const kni_loader *loader, const char *name)
{
    char set[KN_TAG_NAME_MAX + 1];
    const char *dot = strrchr(name, '.');
    if (dot == NULL) {
        return (kni_node){0};
    }
    memcpy(set, name, (size_t)(dot - name));
    set[dot - name] = 0;
    const kni_entry *entry = kni_loader_find(loader, KN_DEF_ATTRIBUTE_SET, set);
    if (entry == NULL) {
        return (kni_node){0};
    }
    kni_node attribute = kni_node_get(kni_node_get(entry->node, "attributes"), dot + 1);
    return kni_node_exists(attribute) ? attribute : entry->node;
}

// Whether a sentence has a word, and a blank after it, before `text`, as in "cast `Fireball`".
static bool follows_word(const char *sentence, const char *text, const char *word)
{
    size_t length = strlen(word);
    bool has_room = (size_t)(text - sentence) >= length + 2; // the blank and the quote
    return has_room && text[-2] == ' ' && strncmp(text - 2 - length, word, length) == 0;
}

// The definition with a name that a sentence has at `text`; of several kinds with this name, the
// one that the sentence names.
static bool place_of_name(const kni_loader *loader, const char *sentence, const char *text,
    size_t length, kni_place *place)
{
    char name[KN_TAG_NAME_MAX + 1];
    if (length >= sizeof(name)) {
        return false;
    }
    memcpy(name, text, length);
    name[length] = 0;
    kni_node node = attribute_node(loader, name);
    const kni_entry *entry = NULL;
    bool is_exact = false;
    for (uint32_t i = 0; i < kni_library_section_count(loader->library) && !is_exact; i++) {
        kn_def_kind kind = kni_library_section(loader->library, i).kind;
        const kni_entry *found = kni_loader_find(loader, kind, name);
        is_exact =
            found != NULL && follows_word(sentence, text, kn_kind_name(loader->library, kind));
        entry = is_exact || entry == NULL ? found : entry;
    }
    *place = kni_node_exists(node) || entry == NULL ? kni_node_key_place(node) : entry->place;
    return kni_node_exists(node) || entry != NULL;
}

// The definition a sentence of the library is about: an attribute it begins with, or the first name
// in backticks that a file has.
static kni_place place_of_sentence(const kni_loader *loader, const char *sentence)
{
    kni_place place = {0};
    size_t word = strcspn(sentence, " :,");
    if (memchr(sentence, '.', word) != NULL &&
        place_of_name(loader, sentence, sentence, word, &place)) {
        return place;
    }
    for (const char *quote = strchr(sentence, '`'); quote != NULL; quote = strchr(quote + 1, '`')) {
        const char *end = strchr(quote + 1, '`');
        if (end != NULL &&
            place_of_name(loader, sentence, quote + 1, (size_t)(end - quote - 1), &place)) {
            return place;
        }
    }
    return (kni_place){0};
}

static void finish_library(kn_data *data)
{
    kni_loader *loader = &data->loader;
    kn_error error;
    kn_result result = kn_library_finish(loader->library, &error);
    kni_place about = place_of_sentence(loader, error.message);
    if (!kni_loader_reported(loader, result, &about, &error)) {
        return;
    }
    for (uint32_t i = 0; data->def.warn && i < kn_library_warning_count(loader->library); i++) {
        const char *sentence = kn_library_warning(loader->library, i);
        if (kni_lint_is_off(loader, data->lints_off, sentence)) {
            continue;
        }
        kni_place place = place_of_sentence(loader, sentence);
        kni_report_add(data->report, KNI_SEVERITY_WARNING, &place, "%s", sentence);
    }
    if (data->def.warn && !kni_buffer_add(&data->scripts, "", 1)) {
        data->no_memory = true;
    } else if (data->def.warn) {
        kni_lint(loader, data->lints_off, data->scripts.data, data->chunks, data->chunk_count);
    }
}

static void prepare_library(kn_data *data)
{
    kn_error error = {0};
    for (uint32_t i = 0; i < data->kind_count; i++) {
        kn_def_kind kind;
        kn_result result = kn_kind_register(data->loader.library, &data->kinds[i], &kind, &error);
        kni_place place = {0};
        (void)kni_loader_reported(&data->loader, result, &place, &error);
    }
    if (data->def.prepare != NULL &&
        data->def.prepare(data->def.user, data->loader.library, &error) != KN_OK) {
        kni_place place = {0};
        kni_loader_error(&data->loader, &place,
            "the definitions made in C could not be registered: %s", error.message);
    }
}

static kn_result build_result(const kn_data *data)
{
    if (data->no_memory || data->loader.arena.failed) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    return kni_report_result(data->report);
}

kn_result kn_data_build(kn_data *data, kn_library **out)
{
    *out = NULL;
    data_clear(data);
    kni_loader *loader = &data->loader;
    kn_result result = kni_report_create(&data->def.hooks, data->def.message_limit, &data->report);
    kn_library_def library_def = kn_library_def_default();
    library_def.hooks = data->def.hooks;
    if (result == KN_OK) {
        result = kn_library_create(&library_def, &loader->library);
    }
    if (result != KN_OK) {
        return result;
    }
    loader->def = &data->def;
    loader->natives = data->natives;
    loader->native_count = data->native_count;
    loader->report = data->report;
    loader->arena.hooks = data->def.hooks;
    prepare_library(data);
    kits_register(data);
    begin_scripts(data);
    read_sources(data);
    read_phase(data, KNI_PHASE_ENTRIES);
    register_all(loader);
    read_phase(data, KNI_PHASE_LAST);
    result = build_result(data);
    if (result == KN_OK) {
        finish_library(data);
        result = build_result(data);
    }
    if (result == KN_OK) {
        *out = loader->library;
    } else {
        kn_library_destroy(loader->library);
    }
    loader->library = NULL;
    return result;
}

const char *kn_data_lint_name(uint32_t index)
{
    return index < kni_lint_count ? kni_lint_names[index] : NULL;
}

const char *kn_data_lint_text(uint32_t index)
{
    return index < kni_lint_count ? kni_lint_texts[index] : NULL;
}

// Messages ------------------------------------------------------------------

uint32_t kn_data_message_count(const kn_data *data)
{
    return data->report != NULL ? kni_report_count(data->report) : 0;
}

kn_data_message kn_data_message_at(const kn_data *data, uint32_t index)
{
    return kni_report_message(data->report, index);
}

uint32_t kn_data_message_print(const kn_data *data, uint32_t index, char *text, uint32_t size)
{
    return kni_report_message_print(data->report, index, text, size);
}

uint32_t kn_data_error_count(const kn_data *data)
{
    return data->report != NULL ? kni_report_error_count(data->report) : 0;
}

uint32_t kn_data_warning_count(const kn_data *data)
{
    return data->report != NULL ? kni_report_warning_count(data->report) : 0;
}

bool kn_data_where(const kn_data *data, kn_def_kind kind, const char *name, const char **file,
    uint32_t *line, uint32_t *column)
{
    const kni_entry *entry = kni_loader_find(&data->loader, kind, name);
    kni_place place = entry != NULL ? entry->place : (kni_place){0};
    *file = place.file != NULL ? place.file : "";
    *line = place.line;
    *column = place.column;
    return entry != NULL;
}
