// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions that games and kits give to scripts. Here they are only checked and kept; what calls
// them reads the tables.

#include "library/types.h"

#define OPTIONS_MAX 32 // fields of a table of options
#define WORD_MAX 63    // bytes of each part of a name

typedef struct function_check {
    const kn_library *library;
    const kn_function_def *def;
    const kn_def_table *table;
    kn_error *error;
} function_check;

kn_function_def kn_function_def_default(void)
{
    kn_function_def def = {.cookie = KN_COOKIE};
    return def;
}

uint32_t kn_function_count(const kn_library *library)
{
    return library != NULL ? library->own_function_count : 0;
}

const kn_function_def *kn_function_get_def(const kn_library *library, uint32_t index)
{
    return index < kn_function_count(library) ? &library->own_functions[index] : NULL;
}

// Checks --------------------------------------------------------------------

static size_t word_length(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length <= WORD_MAX && (text[0] < '0' || text[0] > '9') ? length : 0;
}

// The kind of id that a function is called on: 0 for a module, KN_FIELD_KIND_END for nonsense.
static uint32_t receiver_kind(const char *name)
{
    static const struct {
        const char *prefix;
        kn_field_kind kind;
    } receivers[] = {{"entity:", KN_FIELD_ENTITY}, {"effect:", KN_FIELD_EFFECT},
        {"ability:", KN_FIELD_ABILITY}, {"activation:", KN_FIELD_ACTIVATION}};
    size_t first = word_length(name);
    size_t second = first > 0 && name[first] != 0 ? word_length(name + first + 1) : 0;
    if (second == 0 || name[first + 1 + second] != 0) {
        return KN_FIELD_KIND_END;
    }
    for (size_t i = 0; i < sizeof(receivers) / sizeof(*receivers); i++) {
        if (strncmp(name, receivers[i].prefix, first + 1) == 0) {
            return (uint32_t)receivers[i].kind;
        }
    }
    return name[first] == '.' ? 0 : KN_FIELD_KIND_END;
}

static kn_result function_bad(
    const function_check *check, const kn_def_field *field, const char *sentence)
{
    const char *name = field != NULL && field->name != NULL ? field->name : "";
    return kni_error(check->error, KN_ERROR_BAD_DATA, "function `%s`: %s%s%s %s", check->def->name,
        check->table != NULL && check->table->name != NULL ? check->table->name : "it",
        name[0] != 0 ? "." : "", name, sentence);
}

static bool kind_is_allowed(uint32_t kind)
{
    switch (kind) {
    case KN_FIELD_BOOL:
    case KN_FIELD_U32:
    case KN_FIELD_I32:
    case KN_FIELD_I64:
    case KN_FIELD_F32:
    case KN_FIELD_TIME:
    case KN_FIELD_VEC3:
    case KN_FIELD_ENTITY:
    case KN_FIELD_EFFECT:
    case KN_FIELD_ABILITY:
    case KN_FIELD_ACTIVATION:
    case KN_FIELD_TAG:
    case KN_FIELD_ATTRIBUTE:
    case KN_DEF_FIELD_STRING:
    case KN_DEF_FIELD_REF:
    case KN_DEF_FIELD_ENUM:
    case KN_DEF_FIELD_TAGS:
        return true;
    default:
        return false;
    }
}

// An argument that is a list of entities. Scripts keep one list for each call.
static bool field_is_entities(const kn_def_table *table, const kn_def_field *field)
{
    bool is_list = field->kind == KN_DEF_FIELD_ARRAY && field->table != NULL &&
                   field->table->size == sizeof(kn_entity_id) && field->table->field_count == 1 &&
                   field->table->fields[0].kind == KN_FIELD_ENTITY &&
                   table->size >= sizeof(uint32_t) &&
                   field->count_offset <= table->size - sizeof(uint32_t);
    for (const kn_def_field *other = table->fields; is_list && other < field; other++) {
        is_list = other->kind != KN_DEF_FIELD_ARRAY;
    }
    return is_list;
}

static kn_result names_check(const function_check *check, const kn_def_field *field)
{
    uint32_t count = field->limit;
    if (field->kind == KN_DEF_FIELD_REF) {
        bool is_there = field->of != NULL
                            ? kn_kind_find(check->library, field->of) != KN_DEF_KIND_COUNT
                            : field->limit < KN_DEF_KIND_COUNT;
        return is_there ? KN_OK : function_bad(check, field, "names a kind that is not registered");
    }
    if (field->kind != KN_DEF_FIELD_ENUM) {
        return KN_OK;
    }
    if (field->of != NULL) {
        return kn_enum_words(check->library, field->of, &count) != NULL
                   ? KN_OK
                   : function_bad(check, field, "is of an enum that is not registered");
    }
    bool is_good = field->names != NULL && count > 0 && count <= KN_ENUM_WORDS_MAX;
    for (uint32_t i = 0; is_good && i < count; i++) {
        is_good = field->names[i] != NULL;
    }
    return is_good ? KN_OK : function_bad(check, field, "has no words, or too many");
}

static kn_result table_check(
    function_check *check, const kn_def_table *table, uint32_t max, bool has_options);

static kn_result field_check(
    function_check *check, const kn_def_field *field, bool has_options, bool is_last)
{
    const kn_def_table *table = check->table;
    bool is_options = field->kind == KN_DEF_FIELD_STRUCT;
    if (field->name == NULL || field->name[word_length(field->name)] != 0 || field->name[0] == 0) {
        return function_bad(check, NULL, "has a field without a name of a-z, 0-9 and `_`");
    }
    for (const kn_def_field *other = table->fields; other < field; other++) {
        if (strcmp(other->name, field->name) == 0) {
            return function_bad(check, field, "appears twice");
        }
    }
    if (is_options && (!has_options || !is_last || field->table == NULL)) {
        return function_bad(
            check, field, "is a struct: only the last argument may be one, and it needs a table");
    }
    if (!is_options && !kind_is_allowed(field->kind) &&
        (!has_options || !field_is_entities(table, field))) {
        return function_bad(check, field, "is of a kind that scripts cannot pass");
    }
    size_t size = is_options ? field->table->size : kni_kind_of(field->kind)->size;
    if (field->count > 1 || field->offset > table->size || size > table->size - field->offset) {
        return function_bad(check, field, "is an array, or not inside its struct");
    }
    if (is_options) {
        kn_result result = table_check(check, field->table, OPTIONS_MAX, false);
        check->table = table;
        return result;
    }
    return names_check(check, field);
}

static kn_result table_check(
    function_check *check, const kn_def_table *table, uint32_t max, bool has_options)
{
    check->table = table;
    if (table->name == NULL || table->name[word_length(table->name)] != 0 || table->name[0] == 0 ||
        table->fields == NULL || table->field_count == 0 || table->field_count > max) {
        return function_bad(
            check, NULL, "needs a table with a name of a-z, 0-9 and `_`, and not too many fields");
    }
    if (table->size == 0 || table->size > KN_FUNCTION_SIZE_MAX) {
        return function_bad(check, NULL, "needs a struct of 1 to 1024 bytes");
    }
    for (uint32_t i = 0; i < table->field_count; i++) {
        kn_result result =
            field_check(check, &table->fields[i], has_options, i + 1 == table->field_count);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

static bool form_has_name(kn_function_form form)
{
    return form == KN_FUNCTION_TABLE || form == KN_FUNCTION_LIST;
}

// Whether two tables are the same to scripts. What is registered has references where the def may
// have tags and attributes.
static bool tables_agree(const kn_def_table *a, const kn_def_table *b)
{
    bool is_same = a->field_count == b->field_count && a->size == b->size;
    for (uint32_t i = 0; is_same && i < a->field_count; i++) {
        is_same = strcmp(a->fields[i].name, b->fields[i].name) == 0 &&
                  a->fields[i].offset == b->fields[i].offset &&
                  kni_field_size(&a->fields[i]) == kni_field_size(&b->fields[i]);
    }
    return is_same;
}

static kn_result duplicate_check(const function_check *check)
{
    const kn_function_def *def = check->def;
    for (uint32_t i = 0; i < check->library->own_function_count; i++) {
        const kn_function_def *other = &check->library->own_functions[i];
        if (strcmp(other->name, def->name) == 0) {
            return kni_error(
                check->error, KN_REFUSED_DUPLICATE, "function `%s` is registered twice", def->name);
        }
        if (def->results != NULL && other->results != NULL && form_has_name(def->form) &&
            form_has_name(other->form) && strcmp(def->results->name, other->results->name) == 0 &&
            !tables_agree(def->results, other->results)) {
            return kni_error(check->error, KN_REFUSED_DUPLICATE,
                "function `%s`: `%s` returns another table with the name `%s`", def->name,
                other->name, def->results->name);
        }
    }
    return check->library->own_function_count < KN_FUNCTION_MAX
               ? KN_OK
               : kni_error(check->error, KN_REFUSED_LIMIT,
                     "function `%s`: a library has at most %d functions", def->name,
                     KN_FUNCTION_MAX);
}

static kn_result arguments_check(function_check *check)
{
    const kn_function_def *def = check->def;
    uint32_t receiver = receiver_kind(def->name);
    uint32_t count = def->arguments != NULL ? def->arguments->field_count : 0;
    if (receiver == KN_FIELD_KIND_END) {
        return kni_error(check->error, KN_ERROR_BAD_DATA,
            "function `%s`: a name is `entity:name`, `effect:name`, `ability:name`, "
            "`activation:name` or `module.name`, of a-z, 0-9 and `_`",
            def->name);
    }
    if (def->arguments != NULL) {
        kn_result result = table_check(check, def->arguments, KN_FUNCTION_ARGUMENTS_MAX, true);
        if (result != KN_OK) {
            return result;
        }
    }
    if (receiver != 0 && (count == 0 || def->arguments->fields[0].kind != receiver)) {
        return function_bad(check, NULL, "needs what it is called on as its first argument");
    }
    if (def->required > count || (receiver != 0 && def->required == 0)) {
        return function_bad(check, NULL,
            "requires more arguments than it has, or not the one that it is called on");
    }
    return KN_OK;
}

static kn_result function_register_check(
    kn_library *library, const kn_function_def *def, kn_error *error)
{
    function_check check = {.library = library, .def = def, .error = error};
    kn_result result = arguments_check(&check);
    if (result == KN_OK && def->results != NULL) {
        result = table_check(&check, def->results, OPTIONS_MAX, false);
    }
    check.table = NULL;
    if (result == KN_OK && ((uint32_t)def->form >= KN_FUNCTION_FORM_COUNT ||
                               (def->form != KN_FUNCTION_VALUES && def->results == NULL) ||
                               (def->flags & ~(uint32_t)KN_FUNCTION_FLAGS) != 0)) {
        result = function_bad(&check, NULL, "has an unknown form or flag, or no table to return");
    }
    return result == KN_OK ? duplicate_check(&check) : result;
}

// Registration --------------------------------------------------------------

static void function_free(kni_memory *memory, const kn_function_def *def)
{
    kn_def_table *tables[2];
    memcpy(&tables[0], &def->arguments, sizeof(tables[0]));
    memcpy(&tables[1], &def->results, sizeof(tables[1]));
    kni_kind_table_free(memory, tables[0]);
    kni_kind_table_free(memory, tables[1]);
    kni_kind_text_free(memory, def->name);
    kni_kind_text_free(memory, def->text);
}

static bool function_table_copy(
    kn_library *library, const kn_def_table *from, const kn_def_table **to)
{
    *to = from != NULL ? kni_kind_table_copy(library, &library->memory, from) : NULL;
    if (*to != NULL) {
        kni_kind_resolve(library, *to);
    }
    return from == NULL || *to != NULL;
}

kn_result kn_function_register(kn_library *library, const kn_function_def *def, kn_error *error)
{
    if (library == NULL || def == NULL || def->cookie != KN_COOKIE || def->name == NULL ||
        def->function == NULL) {
        KN_ASSERT(library != NULL);
        KN_ASSERT_DEF(def, kn_function_def);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT,
            "kn_function_def: start from kn_function_def_default(), with a name and a function");
    }
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (library->finished) {
        return kni_error(error, KN_ERROR_WORLD_LOCKED,
            "function `%s`: the library is finished; register it before", def->name);
    }
    kn_result result = function_register_check(library, def, error);
    if (result != KN_OK) {
        return result;
    }
    kn_function_def own = *def;
    own.name = own.text = NULL;
    own.arguments = own.results = NULL;
    kni_memory *memory = &library->memory;
    bool ok = kni_kind_text_copy(memory, def->name, &own.name) &&
              kni_kind_text_copy(memory, def->text, &own.text) &&
              function_table_copy(library, def->arguments, &own.arguments) &&
              function_table_copy(library, def->results, &own.results) &&
              kni_grow(memory, &library->own_functions, &library->own_function_capacity,
                  library->own_function_count + 1, sizeof(own));
    if (!ok) {
        function_free(memory, &own);
        return kni_error(
            error, KN_ERROR_OUT_OF_MEMORY, "out of memory for function `%s`", def->name);
    }
    library->own_functions[library->own_function_count++] = own;
    return KN_OK;
}

void kni_functions_free(kn_library *library)
{
    for (uint32_t i = 0; i < library->own_function_count; i++) {
        function_free(&library->memory, &library->own_functions[i]);
    }
    kni_free(&library->memory, library->own_functions,
        library->own_function_capacity * sizeof(*library->own_functions));
}
