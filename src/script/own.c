// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions that games and kits register (knack/function.h), as rows and classes like those of the
// bindings: so the sandbox, the lints and the reference need not know where a function comes from.
// All rows lie in one array, in runs that end with a NULL name: one for each kind of id, one for
// each module. `defs` has the function of each row.

#include "rows.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct own_block own_block;
struct own_block {
    own_block *next;
    size_t size;
};

struct knl_own {
    kn_hooks hooks;
    own_block *blocks; // all that is allocated, to be freed together
    knl_row *rows;
    const kn_function_def **defs; // by row
    uint32_t row_count;
    const knl_row *ids[KNL_ID_COUNT]; // runs of rows
    knl_class *modules;
    uint32_t module_count;
    knl_class *results;
    uint32_t result_count;
};

// Calling -------------------------------------------------------------------

typedef struct own_list {
    knl_vm *vm;
    size_t size;      // of an element
    size_t begin;     // where its elements begin
    bool is_complete; // there was memory for all of them
} own_list;

static void list_add(void *context, const void *element)
{
    own_list *list = context;
    knl_vm *vm = list->vm;
    size_t wanted = vm->element_bytes + list->size;
    if (wanted > vm->element_capacity) {
        size_t capacity = vm->element_capacity < 1024 ? 1024 : vm->element_capacity;
        while (capacity < wanted) {
            capacity *= 2;
        }
        void *grown = knl_script_realloc(vm->script, vm->elements, vm->element_capacity, capacity);
        if (grown == NULL) {
            list->is_complete = false;
            return;
        }
        vm->elements = grown;
        vm->element_capacity = capacity;
    }
    memcpy(vm->elements + vm->element_bytes, element, list->size);
    vm->element_bytes = wanted;
}

static void field_push(
    lua_State *L, const kn_def_table *table, const kn_def_field *field, const void *from)
{
    if (field->kind == KN_DEF_FIELD_STRING) {
        const char *text;
        memcpy(&text, (const uint8_t *)from + field->offset, sizeof(text));
        knl_text_push(L, text);
    } else if (field->kind == KN_FIELD_U32 && field->names != NULL) {
        uint32_t bits;
        memcpy(&bits, (const uint8_t *)from + field->offset, sizeof(bits));
        knl_bits_push(L, field, bits);
    } else {
        knl_member_push(L, table, field, from);
    }
}

static void table_push(lua_State *L, const kn_def_table *table, const void *from)
{
    lua_createtable(L, 0, (int)table->field_count);
    for (uint32_t i = 0; i < table->field_count; i++) {
        field_push(L, table, &table->fields[i], from);
        lua_setfield(L, -2, table->fields[i].name);
    }
}

static int list_push(knl_args *args, const kn_function_def *def, const own_list *list)
{
    lua_State *L = args->L;
    knl_vm *vm = list->vm;
    if (!list->is_complete) {
        vm->element_bytes = list->begin;
        knl_raise(L, "not enough memory");
    }
    size_t count = (vm->element_bytes - list->begin) / list->size;
    lua_createtable(L, (int)(count & 0x7fffffff), 0);
    for (size_t i = 0; i < count; i++) {
        // Copied, for it must be aligned.
        max_align_t element[KN_FUNCTION_SIZE_MAX / sizeof(max_align_t)];
        memcpy(element, vm->elements + list->begin + i * list->size, list->size);
        if (def->form == KN_FUNCTION_VALUE_LIST) {
            field_push(L, def->results, &def->results->fields[0], element);
        } else {
            table_push(L, def->results, element);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    vm->element_bytes = list->begin;
    return 1;
}

static int results_push(
    knl_args *args, const kn_function_def *def, const void *results, const own_list *list)
{
    switch (def->form) {
    case KN_FUNCTION_LIST:
    case KN_FUNCTION_VALUE_LIST:
        return list_push(args, def, list);
    case KN_FUNCTION_TABLE:
        table_push(args->L, def->results, results);
        return 1;
    default:
        luaL_checkstack(args->L, (int)def->results->field_count + 4, NULL);
        for (uint32_t i = 0; i < def->results->field_count; i++) {
            field_push(args->L, def->results, &def->results->fields[i], results);
        }
        return (int)def->results->field_count;
    }
}

static void options_store(
    knl_args *args, const kn_def_field *field, const knl_value *value, uint8_t *to)
{
    const kn_def_table *table = field->table;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const knl_value *option = knl_option(value, i);
        if (option->is_given) {
            knl_value_store(args, table, option, to + field->offset);
        }
    }
}

// Fills the struct of the arguments; which were given, as bits.
static uint32_t arguments_store(knl_args *args, const kn_function_def *def, uint8_t *to)
{
    const kn_def_table *table = def->arguments;
    uint32_t given = 0;
    kn_def_init(table, to);
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        knl_value *value = &args->v[i];
        if (field->kind == KN_DEF_FIELD_STRUCT) {
            if (field->table->init != NULL) {
                kn_def_init(field->table, to + field->offset);
            }
            options_store(args, field, value, to);
        } else if (value->is_given) {
            value->field = field; // that of a receiver is not set
            knl_value_store(args, table, value, to);
        }
        given |= (uint32_t)value->is_given << i;
    }
    return given;
}

static int own_call(knl_args *args)
{
    const knl_own *own = args->vm->script->own;
    const kn_function_def *def = own->defs[args->row - own->rows];
    max_align_t arguments[KN_FUNCTION_SIZE_MAX / sizeof(max_align_t)];
    max_align_t results[KN_FUNCTION_SIZE_MAX / sizeof(max_align_t)];
    bool is_list = def->form == KN_FUNCTION_LIST || def->form == KN_FUNCTION_VALUE_LIST;
    own_list list = {args->vm, 1, args->vm->element_bytes, true};
    kn_function_call call = {.world = args->world, .add = list_add, .context = &list};
    if ((def->flags & KN_FUNCTION_CHANGES) != 0) {
        call.writable = args->writable;
    }
    if (def->arguments != NULL) {
        call.given = arguments_store(args, def, (uint8_t *)arguments);
        call.arguments = arguments;
    }
    if (def->results != NULL) {
        list.size = def->results->size;
        memset(results, 0, list.size);
        call.results = is_list ? NULL : results;
    }
    kn_result result = def->function(def->user, &call);
    if (result != KN_OK || def->results == NULL) {
        args->vm->element_bytes = list.begin;
        return knl_push_result(args, result);
    }
    return results_push(args, def, results, &list);
}

// Making rows ---------------------------------------------------------------

static void *own_new(knl_own *own, size_t size)
{
    size_t head =
        (sizeof(own_block) + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    own_block *block = kn_memory_resize(&own->hooks, NULL, 0, head + size);
    if (block == NULL) {
        return NULL;
    }
    memset(block, 0, head + size);
    *block = (own_block){own->blocks, head + size};
    own->blocks = block;
    return (uint8_t *)block + head;
}

static const char *own_text(knl_own *own, const char *text, size_t length)
{
    char *copy = own_new(own, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

// The types of results, as the reference writes them.

static void text_add(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);
    (void)snprintf(text + length, size - length, "%s", more);
}

static void type_add(char *text, size_t size, const kn_def_field *field)
{
    switch (field->kind) {
    case KN_FIELD_BOOL:
        text_add(text, size, "boolean");
        return;
    case KN_FIELD_U32:
        text_add(text, size, field->names != NULL ? "string[]" : "integer");
        return;
    case KN_FIELD_I32:
    case KN_FIELD_I64:
        text_add(text, size, "integer");
        return;
    case KN_FIELD_F32:
        text_add(text, size, "number");
        return;
    case KN_FIELD_TIME:
        text_add(text, size, "number?");
        return;
    case KN_FIELD_VEC3:
        text_add(text, size, "kn.vec3");
        return;
    case KN_FIELD_ENTITY:
        text_add(text, size, "kn.entity?");
        return;
    case KN_FIELD_EFFECT:
        text_add(text, size, "kn.effect?");
        return;
    case KN_FIELD_ABILITY:
        text_add(text, size, "kn.ability?");
        return;
    case KN_FIELD_ACTIVATION:
        text_add(text, size, "kn.activation?");
        return;
    case KN_DEF_FIELD_TAGS:
        text_add(text, size, "string[]");
        return;
    case KN_DEF_FIELD_ENUM:
        for (uint32_t i = 0; i < field->limit; i++) {
            text_add(text, size, i > 0 ? "|\"" : "\"");
            text_add(text, size, field->names[i]);
            text_add(text, size, "\"");
        }
        return;
    default:
        text_add(text, size, "string?");
        return;
    }
}

// Makes a type one that may be nil.
static void nil_add(char *text, size_t size)
{
    size_t length = strlen(text);
    if (length == 0 || text[length - 1] != '?') {
        text_add(text, size, "|nil");
    }
}

static const char *returns_text(knl_own *own, const kn_function_def *def)
{
    char text[1024] = "";
    bool is_refused = (def->flags & KN_FUNCTION_REFUSES) != 0;
    uint32_t count = 1;
    if (def->results == NULL) {
        text_add(text, sizeof(text), "true");
    } else if (def->form == KN_FUNCTION_TABLE || def->form == KN_FUNCTION_LIST) {
        text_add(text, sizeof(text), "kn.");
        text_add(text, sizeof(text), def->results->name);
        text_add(text, sizeof(text), def->form == KN_FUNCTION_LIST ? "[]" : "");
    } else if (def->form == KN_FUNCTION_VALUE_LIST) {
        type_add(text, sizeof(text), &def->results->fields[0]);
        size_t length = strlen(text);
        text[length - (length > 0 && text[length - 1] == '?')] = 0; // lists have no holes
        text_add(text, sizeof(text), "[]");
    } else {
        count = def->results->field_count;
        type_add(text, sizeof(text), &def->results->fields[0]);
    }
    if (is_refused) {
        nil_add(text, sizeof(text));
    }
    for (uint32_t i = 1; i < count; i++) {
        text_add(text, sizeof(text), ", ");
        type_add(text, sizeof(text), &def->results->fields[i]);
        text_add(text, sizeof(text), is_refused && i == 1 ? "|refusal" : "");
    }
    text_add(text, sizeof(text), is_refused && count == 1 ? ", refusal?" : "");
    return own_text(own, text, strlen(text));
}

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

// The fields from `first` on as parameters; NULL without memory.
static const knl_param *params_make(
    knl_own *own, const kn_def_table *table, uint32_t first, uint32_t required)
{
    knl_param *params = own_new(own, (table->field_count - first + 1) * sizeof(*params));
    for (uint32_t i = first; params != NULL && i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        uint8_t flags = i >= required ? KNL_OPTIONAL : 0;
        knl_param *param = &params[i - first];
        *param = (knl_param){field->name, KNL_T_MEMBER, flags, 0, field, text_of(field->text)};
        if (field->kind == KN_DEF_FIELD_STRUCT) {
            param->type = KNL_T_OPTIONS;
            param->extra = params_make(own, field->table, 0, 0);
            if (param->extra == NULL) {
                return NULL;
            }
        }
    }
    return params;
}

// Classes -------------------------------------------------------------------

static knl_id_kind receiver_of(const kn_function_def *def)
{
    for (int kind = 1; kind < KNL_ID_COUNT; kind++) {
        size_t length = strlen(knl_id_names[kind]);
        if (strncmp(def->name, knl_id_names[kind], length) == 0 && def->name[length] == ':') {
            return (knl_id_kind)kind;
        }
    }
    return (knl_id_kind)0;
}

static size_t module_length(const kn_function_def *def)
{
    return strcspn(def->name, ".:");
}

static bool is_in_module(const kn_function_def *def, const char *module)
{
    size_t length = module_length(def);
    return receiver_of(def) == 0 && strlen(module) == length &&
           strncmp(def->name, module, length) == 0;
}

static bool rows_have(const knl_row *rows, const char *name)
{
    for (; rows != NULL && rows->name != NULL; rows++) {
        if (strcmp(rows->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool class_has(const knl_class *class, const char *name)
{
    bool is_there = false;
    for (uint32_t i = 0; i < KNL_ROWS_MAX; i++) {
        is_there |= rows_have(class->rows[i], name);
    }
    return is_there;
}

// Whether a module would hide something that scripts have.
static bool global_is_ours(const kn_library *library, const char *name)
{
    static const char *const globals[] = {"world", "kn", "math", "string", "table"};
    for (size_t i = 0; i < sizeof(globals) / sizeof(globals[0]); i++) {
        if (strcmp(globals[i], name) == 0) {
            return true;
        }
    }
    for (int i = 0; i < KNL_DEF_COUNT; i++) {
        if (strcmp(knl_def_infos[i].name, name) == 0) {
            return true;
        }
    }
    for (const knl_library_row *row = knl_library_rows; row->name != NULL; row++) {
        if (row->module == NULL && strcmp(row->name, name) == 0) {
            return true;
        }
    }
    char word[64];
    (void)snprintf(word, sizeof(word), "%s", name);
    for (char *c = word; *c != 0; c++) {
        *c = (char)(*c == '_' ? ' ' : *c);
    }
    kn_def_kind kind = kn_kind_find(library, word);
    kind = kind == KN_DEF_KIND_COUNT ? kn_kind_find(library, name) : kind;
    return kind >= KN_DEF_KIND_OWN && kind != KN_DEF_KIND_COUNT;
}

static bool result_is_ours(const char *name)
{
    for (uint32_t i = 0; i < KNL_RESULT_COUNT; i++) {
        if (strcmp(knl_result_classes[i].name, name) == 0) {
            return true;
        }
    }
    for (int i = 1; i < KNL_ID_COUNT; i++) {
        if (strcmp(knl_id_classes[i]->name, name) == 0) {
            return true;
        }
    }
    for (int i = 0; i < KNL_SELF_COUNT; i++) {
        if (strcmp(knl_self_classes[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_table(const kn_function_def *def)
{
    return def->results != NULL &&
           (def->form == KN_FUNCTION_TABLE || def->form == KN_FUNCTION_LIST);
}

static kn_result name_taken(kn_error *error, const kn_function_def *def, const char *what)
{
    char message[256];
    (void)snprintf(message, sizeof(message),
        "function `%s`: scripts have something else of the name `%s`", def->name, what);
    return knl_fail(error, KN_ERROR_BAD_DATA, message);
}

static kn_result names_check(const kn_library *library, kn_error *error)
{
    const kn_function_def *def;
    for (uint32_t i = 0; (def = kn_function_get_def(library, i)) != NULL; i++) {
        size_t length = module_length(def);
        const char *name = def->name + length + 1;
        knl_id_kind receiver = receiver_of(def);
        char module[64];
        (void)snprintf(module, sizeof(module), "%.*s", (int)length, def->name);
        bool is_ours = receiver != 0 ? class_has(knl_id_classes[receiver], name) ||
                                           (receiver == KNL_ID_ACTIVATION &&
                                               class_has(knl_self_classes[KNL_SELF_RUNNING], name))
                                     : global_is_ours(library, module);
        if (is_ours) {
            return name_taken(error, def, receiver != 0 ? name : module);
        }
        if (has_table(def) && result_is_ours(def->results->name)) {
            return name_taken(error, def, def->results->name);
        }
    }
    return KN_OK;
}

// Appends the run of all functions that belong together, and its end.
static const knl_row *run_make(
    knl_own *own, const kn_library *library, knl_id_kind receiver, const char *module)
{
    uint32_t begin = own->row_count;
    const kn_function_def *def;
    for (uint32_t i = 0; (def = kn_function_get_def(library, i)) != NULL; i++) {
        bool is_here = module != NULL ? is_in_module(def, module)
                                      : receiver != 0 && receiver_of(def) == receiver;
        if (!is_here) {
            continue;
        }
        uint32_t first = receiver != 0 ? 1 : 0;
        knl_row row = {.name = def->name + module_length(def) + 1,
            .call = own_call,
            .returns = returns_text(own, def),
            .flags = (def->flags & KN_FUNCTION_CHANGES) != 0 ? KNL_CHANGES : 0,
            .doc = text_of(def->text)};
        bool has_params = def->arguments != NULL && def->arguments->field_count > first;
        row.params = has_params ? params_make(own, def->arguments, first, def->required) : NULL;
        if (row.returns == NULL || (has_params && row.params == NULL)) {
            return NULL;
        }
        own->defs[own->row_count] = def;
        own->rows[own->row_count++] = row;
    }
    own->row_count++; // the end, all zero
    return &own->rows[begin];
}

static bool modules_make(knl_own *own, const kn_library *library)
{
    const kn_function_def *def;
    for (uint32_t i = 0; (def = kn_function_get_def(library, i)) != NULL; i++) {
        bool is_new = receiver_of(def) == 0;
        for (uint32_t j = 0; is_new && j < own->module_count; j++) {
            is_new = !is_in_module(def, own->modules[j].name);
        }
        if (is_new) {
            knl_class *module = &own->modules[own->module_count];
            module->name = own_text(own, def->name, module_length(def));
            module->doc = "Functions that a game or kit brings.";
            module->rows[0] =
                module->name != NULL ? run_make(own, library, (knl_id_kind)0, module->name) : NULL;
            if (module->rows[0] == NULL) {
                return false;
            }
            own->module_count++;
        }
    }
    return true;
}

static bool results_make(knl_own *own, const kn_library *library)
{
    const kn_function_def *def;
    for (uint32_t i = 0; (def = kn_function_get_def(library, i)) != NULL; i++) {
        bool is_new = has_table(def);
        for (uint32_t j = 0; is_new && j < own->result_count; j++) {
            is_new = strcmp(own->results[j].name, def->results->name) != 0;
        }
        if (!is_new) {
            continue;
        }
        const kn_def_table *table = def->results;
        knl_field_row *fields = own_new(own, (table->field_count + 1) * sizeof(*fields));
        for (uint32_t f = 0; fields != NULL && f < table->field_count; f++) {
            char type[1024] = "";
            type_add(type, sizeof(type), &table->fields[f]);
            fields[f].name = table->fields[f].name;
            fields[f].type = own_text(own, type, strlen(type));
            fields[f].doc = text_of(table->fields[f].text);
            if (fields[f].type == NULL) {
                return false;
            }
        }
        if (fields == NULL) {
            return false;
        }
        knl_class *class = &own->results[own->result_count++];
        class->name = table->name;
        class->doc = "A table that functions of a game or kit return.";
        class->fields = fields;
    }
    return true;
}

void knl_own_destroy(knl_own *own)
{
    if (own == NULL) {
        return;
    }
    while (own->blocks != NULL) {
        own_block *next = own->blocks->next;
        kn_memory_free(&own->hooks, own->blocks, own->blocks->size);
        own->blocks = next;
    }
    kn_hooks hooks = own->hooks;
    kn_memory_free(&hooks, own, sizeof(*own));
}

knl_own *knl_own_create(const kn_hooks *hooks, const kn_library *library, kn_error *error)
{
    uint32_t count = kn_function_count(library);
    if (names_check(library, error) != KN_OK) {
        return NULL;
    }
    knl_own *own = kn_memory_resize(hooks, NULL, 0, sizeof(*own));
    if (own != NULL) {
        *own = (knl_own){.hooks = *hooks};
        size_t rows = 2 * (size_t)count + KNL_ID_COUNT; // with the ends of runs
        own->rows = own_new(own, rows * sizeof(*own->rows));
        own->defs = own_new(own, rows * sizeof(*own->defs));
        own->modules = own_new(own, (count + 1) * sizeof(*own->modules));
        own->results = own_new(own, (count + 1) * sizeof(*own->results));
        bool ok =
            own->rows != NULL && own->defs != NULL && own->modules != NULL && own->results != NULL;
        for (int kind = 1; ok && kind < KNL_ID_COUNT; kind++) {
            own->ids[kind] = run_make(own, library, (knl_id_kind)kind, NULL);
            ok = own->ids[kind] != NULL;
        }
        if (ok && modules_make(own, library) && results_make(own, library)) {
            return own;
        }
        knl_own_destroy(own);
    }
    (void)knl_fail(error, KN_ERROR_OUT_OF_MEMORY, "not enough memory");
    return NULL;
}

// Looking at them -----------------------------------------------------------

const knl_row *knl_own_rows(const knl_own *own, const knl_class *class)
{
    if (own == NULL) {
        return NULL;
    }
    if (class == knl_self_classes[KNL_SELF_RUNNING]) {
        return own->ids[KNL_ID_ACTIVATION]; // a running ability is an activation
    }
    for (int kind = 1; kind < KNL_ID_COUNT; kind++) {
        if (class == knl_id_classes[kind]) {
            return own->ids[kind];
        }
    }
    return NULL;
}

const knl_class *knl_own_module(const knl_own *own, uint32_t index)
{
    return own != NULL && index < own->module_count ? &own->modules[index] : NULL;
}

const knl_class *knl_own_result(const knl_own *own, uint32_t index)
{
    return own != NULL && index < own->result_count ? &own->results[index] : NULL;
}

bool knl_class_is_module(const knl_own *own, const knl_class *class)
{
    const knl_class *module;
    for (uint32_t i = 0; (module = knl_own_module(own, i)) != NULL; i++) {
        if (module == class) {
            return true;
        }
    }
    return class == &knl_class_world;
}
