// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Prints the reference from the tables that define the bindings: as a page to read, and as
// annotations for the Lua language server.

#include "rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct page {
    kn_script_write_fn *write;
    void *user;
    const kn_library *library; // NULL: what every script can call
    const knl_own *own;
} page;

static void page_put(const page *p, const char *format, ...) KN_PRINTF(2, 3);

static void page_put(const page *p, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    p->write(p->user, text);
}

// Tables of options that functions take, by their names in the reference.
typedef struct option_table {
    const char *name;
    const knl_param *options;
    const char *doc;
} option_table;

static const option_table tables[] = {
    {"kn.record_options", knl_record_options, "An event record."},
    {"kn.apply_options", knl_apply_options, "How an effect is applied."},
    {"kn.effect_query", knl_effect_query_options, "Selects active effects; every test must match."},
    {"kn.container_options", knl_container_options, "How a container is applied."},
    {"kn.grant_options", knl_grant_options, "How an ability is granted."},
    {"kn.ability_query", knl_ability_query_options, "Selects abilities; every test must match."},
    {"kn.cue_params", knl_cue_options, "The parameters of a cue."},
    {"kn.task_options", knl_task_options, "What a task needs, by kind."},
    {"kn.motion", knl_motion_options, "A motion."},
    {"kn.filter", knl_filter_options, "Selects entities; every test must match."},
};

#define TABLE_COUNT (sizeof(tables) / sizeof(tables[0]))

static const char *table_name(const void *options)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (tables[i].options == options) {
            return tables[i].name;
        }
    }
    return "table";
}

// Types ---------------------------------------------------------------------

// Enums that have a name of their own.
typedef struct enum_name {
    const char *name;
    kn_struct which; // a field that has its words
    const char *field;
} enum_name;

static const enum_name enums[] = {
    {"kn.op", WORDS_OP},
    {"kn.removal_reason", WORDS_REMOVAL_REASON},
    {"kn.end_reason", WORDS_END_REASON},
    {"kn.fail", WORDS_FAIL},
    {"kn.trigger", WORDS_TRIGGER},
    {"kn.task_kind", WORDS_TASK_KIND},
    {"kn.cause_kind", WORDS_CAUSE_KIND},
    {"kn.task_output", WORDS_TASK_OUTPUT},
    {"kn.compare", WORDS_COMPARE},
    {"kn.sync_wait", WORDS_SYNC_WAIT},
};

#define ENUM_COUNT (sizeof(enums) / sizeof(enums[0]))

static void words_text(char *text, size_t size, const char *const *words, uint32_t count)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        if (words[i][0] != '\0' && length < size) {
            length += (size_t)snprintf(
                text + length, size - length, "%s\"%s\"", length > 0 ? "|" : "", words[i]);
        }
    }
}

static void enum_text(char *text, size_t size, const enum_name *of)
{
    const kn_def_field *words = knl_words(of->which, of->field);
    words_text(text, size, words->names, words->limit);
}

static const char *const plain_types[] = {[KNL_T_BOOL] = "boolean",
    [KNL_T_INTEGER] = "integer",
    [KNL_T_U32] = "integer",
    [KNL_T_NUMBER] = "number",
    [KNL_T_SECONDS] = "number",
    [KNL_T_TEXT] = "string",
    [KNL_T_HANDLER] = "string",
    [KNL_T_VEC3] = "kn.vec3",
    [KNL_T_ANY] = "any",
    [KNL_T_OPTIONS] = "table",
    [KNL_T_TAGS] = "string|string[]",
    [KNL_T_VALUES] = "table<string, number>",
    [KNL_T_NAMED] = "table<string, number>",
    [KNL_T_TARGETS] = "(kn.target|kn.entity)[]",
    [KNL_T_ENTITIES] = "kn.entity[]"};

static void type_text(char *text, size_t size, const knl_param *given)
{
    knl_param plain = knl_param_plain(given);
    const knl_param *param = &plain;
    if (param->type == KNL_T_ENUM) {
        for (size_t i = 0; i < ENUM_COUNT; i++) {
            if (knl_words(enums[i].which, enums[i].field)->names == param->extra) {
                (void)snprintf(text, size, "%s", enums[i].name);
                return;
            }
        }
        words_text(text, size, param->extra, param->number);
    } else if (param->type == KNL_T_OPTIONS) {
        (void)snprintf(text, size, "%s", table_name(param->extra));
    } else if (param->type >= KNL_T_NAME || param->type == KNL_T_DEF) {
        (void)snprintf(text, size, "string");
    } else if (param->type >= KNL_T_ID) {
        (void)snprintf(text, size, "kn.%s", knl_id_names[param->type - KNL_T_ID]);
    } else {
        (void)snprintf(text, size, "%s", plain_types[param->type]);
    }
}

// A type as the page shows it: what a name names, and no bars, which divide columns.
static void type_words(const page *p, char *text, size_t size, const knl_param *given)
{
    char raw[512];
    knl_param plain = knl_param_plain(given);
    const knl_param *param = &plain;
    if (param->type >= KNL_T_NAME) {
        (void)snprintf(text, size, "%s", knl_name_titles[param->type - KNL_T_NAME]);
        return;
    }
    if (param->type == KNL_T_DEF) {
        kn_def_kind kind = (kn_def_kind)((const kn_def_field *)param->extra)->limit;
        (void)snprintf(text, size, "%s", kn_kind_name(p->library, kind));
        return;
    }
    if (param->type == KNL_T_SECONDS) {
        (void)snprintf(text, size, "seconds");
        return;
    }
    type_text(raw, sizeof(raw), param);
    size_t length = 0;
    text[0] = '\0';
    for (const char *c = raw; *c != '\0' && length + 5 < size; c++) {
        length += (size_t)snprintf(text + length, size - length, *c == '|' ? " or " : "%c", *c);
    }
}

// The page ------------------------------------------------------------------

static void markdown_row(const page *p, const char *receiver, const knl_row *row)
{
    page_put(p, "- `%s%s(", receiver, row->name);
    for (const knl_param *param = row->params; param != NULL && param->type != KNL_T_END; param++) {
        char type[512];
        type_words(p, type, sizeof(type), param);
        page_put(p, "%s%s%s: %s", param == row->params ? "" : ", ", param->name,
            (param->flags & KNL_OPTIONAL) != 0 ? "?" : "", type);
    }
    page_put(p, ")`%s%s%s%s\n  %s\n", row->returns != NULL ? " returns `" : "",
        row->returns != NULL ? row->returns : "", row->returns != NULL ? "`." : "",
        (row->flags & KNL_CHANGES) != 0 ? " Changes the world." : "", row->doc);
}

static void markdown_class(const page *p, const knl_class *class, const char *receiver)
{
    page_put(p, "\n## kn.%s\n\n%s\n\n", class->name, class->doc);
    for (const knl_field_row *f = class->fields; f != NULL && f->name != NULL; f++) {
        page_put(p, "- `%s.%s`: `%s`\n  %s\n", receiver, f->name, f->type, f->doc);
    }
    char call[64];
    (void)snprintf(
        call, sizeof(call), "%s%s", receiver, strcmp(receiver, "world") == 0 ? "." : ":");
    for (uint32_t i = 0; i < KNL_ROWS_MAX; i++) {
        for (const knl_row *row = class->rows[i]; row != NULL && row->name != NULL; row++) {
            markdown_row(p, call, row);
        }
    }
}

// Names and meanings of the arguments, where functions say so.
static void markdown_arguments(const page *p, const knl_row *row)
{
    for (const knl_param *param = row->params; param != NULL && param->type != KNL_T_END; param++) {
        const knl_param *option = param->type == KNL_T_OPTIONS ? param->extra : NULL;
        const char *text = option != NULL && param->doc[0] == 0 ? "A table with:" : param->doc;
        if (text[0] != 0) {
            page_put(p, "  - `%s`: %s\n", param->name, text);
        }
        for (; option != NULL && option->type != KNL_T_END; option++) {
            char type[512];
            type_words(p, type, sizeof(type), option);
            page_put(p, "    - `%s` (%s): %s\n", option->name, type, option->doc);
        }
    }
}

static void markdown_own_rows(const page *p, const knl_row *rows, const char *receiver)
{
    for (; rows != NULL && rows->name != NULL; rows++) {
        markdown_row(p, receiver, rows);
        markdown_arguments(p, rows);
    }
}

static void markdown_fields(const page *p, const knl_class *class)
{
    page_put(p, "\n### kn.%s\n\n%s\n\n| Field | Type | Meaning |\n| --- | --- | --- |\n",
        class->name, class->doc);
    for (const knl_field_row *f = class->fields; f->name != NULL; f++) {
        page_put(p, "| `%s` | ", f->name);
        for (const char *c = f->type; *c != '\0'; c++) {
            page_put(p, *c == '|' ? " or " : "%c", *c);
        }
        page_put(p, " | %s |\n", f->doc);
    }
}

// What games and kits bring.
static void markdown_own(const page *p)
{
    if (kn_function_count(p->library) == 0) {
        return;
    }
    page_put(p, "\n## Functions of kits\n\nScripts have these if the library has the kits");
    const kn_kit *kit;
    for (uint32_t i = 0; (kit = kn_library_kit(p->library, i)) != NULL; i++) {
        page_put(p, "%s `%s`", i > 0 ? "," : "", kit->name);
    }
    page_put(p, ". [Kits](kits.md#functions-for-scripts) says how a game or kit adds its own.\n\n");
    for (int kind = 1; kind < KNL_ID_COUNT; kind++) {
        char receiver[64];
        (void)snprintf(receiver, sizeof(receiver), "%s:", knl_id_names[kind]);
        markdown_own_rows(p, knl_own_rows(p->own, knl_id_classes[kind]), receiver);
    }
    const knl_class *class;
    for (uint32_t i = 0; (class = knl_own_module(p->own, i)) != NULL; i++) {
        char receiver[80];
        (void)snprintf(receiver, sizeof(receiver), "%s.", class->name);
        markdown_own_rows(p, class->rows[0], receiver);
    }
    for (uint32_t i = 0; (class = knl_own_result(p->own, i)) != NULL; i++) {
        markdown_fields(p, class);
    }
}

static void markdown_definitions(const page *p)
{
    page_put(p, "\n## Definitions\n\nDefinitions are made while a chunk is being loaded: `ability "
                "\"Meteor\" {...}`.\n");
    for (int kind = 0; kind < KNL_DEF_COUNT; kind++) {
        const knl_def_info *info = &knl_def_infos[kind];
        page_put(p, "\n### %s\n\n%s%s\n\n", info->name, info->doc,
            info->state_max > 0 ? " Has `state`." : "");
        for (const knl_hook *hook = info->hooks; hook->name != NULL; hook++) {
            page_put(p, "- `%s`: `%s`\n  %s\n", hook->name, hook->signature, hook->doc);
        }
    }
}

static void markdown_tables(const page *p)
{
    page_put(p, "\n## Tables of options\n");
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        page_put(p, "\n### %s\n\n%s\n\n| Field | Type | Meaning |\n| --- | --- | --- |\n",
            tables[i].name, tables[i].doc);
        for (const knl_param *o = tables[i].options; o->type != KNL_T_END; o++) {
            char type[512];
            type_words(p, type, sizeof(type), o);
            page_put(p, "| `%s` | %s | %s |\n", o->name, type, o->doc);
        }
    }
    page_put(p, "\n## Tables passed to scripts\n");
    for (uint32_t i = 0; i < KNL_RESULT_COUNT; i++) {
        markdown_fields(p, &knl_result_classes[i]);
    }
    page_put(p, "\n## Names\n\n");
    for (size_t i = 0; i < ENUM_COUNT; i++) {
        char values[1024];
        enum_text(values, sizeof(values), &enums[i]);
        page_put(p, "- %s: `%s`\n", enums[i].name, values);
    }
}

static void markdown_library(const page *p)
{
    page_put(p,
        "\n## Lua's own library\n\n"
        "These are the functions of the Lua library that a script can use. Work done outside Lua's "
        "own code counts as instructions.\nA call of one of these functions costs 1, plus 1 for "
        "each argument, plus 1 for every %d bytes of text among the arguments\n(every %d bytes "
        "where text is read as a number), plus what the table says. A call of the functions in the "
        "sections below\ncosts 10, plus 1 for each byte of text, plus 4 for each element of a list "
        "it returns; one that searches the effects of an\nentity, or space, costs 1 more for each "
        "effect or entity there is. A string has at most %d bytes; making one of more than\n"
        "70 bytes costs 1 for every %d bytes.\n\n"
        "| Function | Additional cost |\n| --- | --- |\n",
        KNL_BYTES_PER_COST, KNL_DIGITS_PER_COST, KNL_STRING_MAX, KNL_BYTES_PER_COST);
    for (const knl_library_row *row = knl_library_rows; row->name != NULL; row++) {
        page_put(p, "| `%s%s%s` | %s |\n", row->module != NULL ? row->module : "",
            row->module != NULL ? "." : "", row->name, row->cost);
    }
}

static void page_markdown(const page *p)
{
    page_put(p,
        "# Everything a script can call\n\n"
        "This page is printed from the tables that the bindings are made of; "
        "`docs/scripting.md` is the guide. Ids are integers with\nmethods; nil is the null id. "
        "Names of tags, effects, abilities and so on are strings. Times are in seconds. A "
        "function that can\nbe refused returns nil and the name of the refusal; calling one "
        "that \"changes the world\" is an error in read-only hooks.\nA `?` marks what may be "
        "left out.\n");
    markdown_definitions(p);
    page_put(p, "\n### Types of state\n\n`state = { hits = kn.u32, power = kn.f32(1.5), seen = "
                "kn.array(kn.entity, 8) }`\n\n| Type | Holds |\n| --- | --- |\n");
    const char *doc;
    for (uint32_t i = 0; knl_state_type(i, &doc) != NULL; i++) {
        page_put(p, "| `kn.%s` | %s |\n", knl_state_type(i, &doc), doc);
    }
    markdown_library(p);
    markdown_class(p, &knl_class_world, "world");
    for (int kind = 1; kind < KNL_ID_COUNT; kind++) {
        markdown_class(p, knl_id_classes[kind], knl_id_names[kind]);
    }
    for (int kind = 0; kind < KNL_SELF_COUNT; kind++) {
        markdown_class(p, knl_self_classes[kind], "self");
    }
    markdown_own(p);
    markdown_tables(p);
}

// Annotations ---------------------------------------------------------------

// Options that have no name of their own are written out.
static void luals_type(char *text, size_t size, const knl_param *param)
{
    type_text(text, size, param);
    if (param->type != KNL_T_OPTIONS || param->extra == NULL || strcmp(text, "table") != 0) {
        return;
    }
    const knl_param *options = param->extra;
    size_t length = 0;
    for (const knl_param *o = options; o->type != KNL_T_END && length < size; o++) {
        char type[512];
        type_text(type, sizeof(type), o);
        length += (size_t)snprintf(
            text + length, size - length, "%s%s?: %s", o == options ? "{ " : ", ", o->name, type);
    }
    (void)snprintf(text + length, length < size ? size - length : 0, " }");
}

static void luals_row(const page *p, const char *receiver, const knl_row *row)
{
    page_put(p, "\n---%s\n", row->doc);
    for (const knl_param *param = row->params; param != NULL && param->type != KNL_T_END; param++) {
        char type[2048];
        luals_type(type, sizeof(type), param);
        bool has_doc = param->doc != NULL && param->doc[0] != 0;
        page_put(p, "---@param %s%s %s%s%s\n", param->name,
            (param->flags & KNL_OPTIONAL) != 0 ? "?" : "", type, has_doc ? " " : "",
            has_doc ? param->doc : "");
    }
    if (row->returns != NULL) {
        char returns[256];
        size_t length = 0;
        for (const char *c = row->returns; *c != '\0' && length + 16 < sizeof(returns); c++) {
            if (strncmp(c, ", ", 2) == 0) {
                length +=
                    (size_t)snprintf(returns + length, sizeof(returns) - length, "\n---@return ");
                c++;
            } else {
                returns[length++] = *c;
            }
        }
        returns[length] = '\0';
        page_put(p, "---@return %s\n", returns);
    }
    page_put(p, "function %s%s(", receiver, row->name);
    for (const knl_param *param = row->params; param != NULL && param->type != KNL_T_END; param++) {
        page_put(p, "%s%s", param == row->params ? "" : ", ", param->name);
    }
    page_put(p, ") end\n");
}

static void luals_class(const page *p, const knl_class *class, bool is_id)
{
    bool is_world = knl_class_is_module(p->own, class);
    page_put(p, "\n---%s\n---@class kn.%s%s\n", class->doc, class->name, is_id ? ": integer" : "");
    for (const knl_field_row *f = class->fields; f != NULL && f->name != NULL; f++) {
        page_put(p, "---@field %s %s %s\n", f->name, f->type, f->doc);
    }
    page_put(p, is_world ? "%s = {}\n" : "local %s = {}\n", class->name);
    char receiver[64];
    (void)snprintf(receiver, sizeof(receiver), "%s%s", class->name, is_world ? "." : ":");
    for (uint32_t i = 0; i < KNL_ROWS_MAX; i++) {
        for (const knl_row *row = class->rows[i]; row != NULL && row->name != NULL; row++) {
            luals_row(p, receiver, row);
        }
    }
    const knl_row *row = knl_own_rows(p->own, class);
    for (; row != NULL && row->name != NULL; row++) {
        luals_row(p, receiver, row);
    }
}

static void luals_result(const page *p, const knl_class *class)
{
    page_put(p, "\n---%s\n---@class kn.%s\n", class->doc, class->name);
    for (const knl_field_row *f = class->fields; f->name != NULL; f++) {
        if (strcmp(f->name, "end") == 0) { // a keyword
            page_put(p, "---@field [\"end\"] %s %s\n", f->type, f->doc);
        } else {
            page_put(p, "---@field %s %s %s\n", f->name, f->type, f->doc);
        }
    }
    if (strcmp(class->name, "target") == 0) {
        page_put(p, "---@field [string] any Fields of a type that the game defines.\n");
    }
}

static void luals_tables(const page *p)
{
    for (size_t i = 0; i < ENUM_COUNT; i++) {
        char values[1024];
        enum_text(values, sizeof(values), &enums[i]);
        page_put(p, "---@alias %s %s\n", enums[i].name, values);
    }
    page_put(p, "---@alias refusal string\n");
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        page_put(p, "\n---%s\n---@class %s\n", tables[i].doc, tables[i].name);
        for (const knl_param *o = tables[i].options; o->type != KNL_T_END; o++) {
            char type[512];
            type_text(type, sizeof(type), o);
            page_put(p, "---@field %s? %s %s\n", o->name, type, o->doc);
        }
    }
}

static void luals_definitions(const page *p)
{
    for (int kind = 0; kind < KNL_DEF_COUNT; kind++) {
        const knl_def_info *info = &knl_def_infos[kind];
        page_put(p, "\n---%s\n---@class kn.%s_def\n", info->doc, info->name);
        if (info->state_max > 0) {
            page_put(p,
                "---@field state? table<string, kn.type> State that lasts from one call to the "
                "next\n");
        }
        if (info->has_interval) {
            page_put(p, "---@field interval number Seconds between checks\n");
        }
        for (const knl_hook *hook = info->hooks; hook->name != NULL; hook++) {
            page_put(p, "---@field %s? %s %s\n", hook->name, hook->signature, hook->doc);
        }
        if (info->has_continuations) {
            page_put(p, "---@field [string] fun(self: kn.running, result: kn.task_result)|table\n");
        }
        page_put(p,
            "\n---@param name string\n---@return fun(def: kn.%s_def)\nfunction %s(name) end\n",
            info->name, info->name);
    }
}

static void page_luals(const page *p)
{
    page_put(p,
        "-- SPDX-License-Identifier: MIT\n\n"
        "-- What knack gives to scripts, for the Lua language server. Printed from the tables "
        "the bindings\n-- are made of; do not edit.\n\n---@meta\n\n");
    luals_tables(p);
    for (uint32_t i = 0; i < KNL_RESULT_COUNT; i++) {
        luals_result(p, &knl_result_classes[i]);
    }
    const knl_class *result;
    for (uint32_t i = 0; (result = knl_own_result(p->own, i)) != NULL; i++) {
        luals_result(p, result);
    }
    page_put(p, "\n---@class kn.type\n---@overload fun(default: any): kn.type\n"
                "\n---@class kn\n");
    const char *doc;
    for (uint32_t i = 0; knl_state_type(i, &doc) != NULL; i++) {
        page_put(p, "---@field %s kn.type %s\n", knl_state_type(i, &doc), doc);
    }
    page_put(p,
        "kn = {}\n\n---An array of a type.\n---@param type kn.type\n---@param length integer\n"
        "---@return kn.type\nfunction kn.array(type, length) end\n");
    luals_definitions(p);
    luals_class(p, &knl_class_world, false);
    const knl_class *own;
    for (uint32_t i = 0; (own = knl_own_module(p->own, i)) != NULL; i++) {
        luals_class(p, own, false);
    }
    for (int kind = 1; kind < KNL_ID_COUNT; kind++) {
        luals_class(p, knl_id_classes[kind], true);
    }
    for (int kind = 0; kind < KNL_SELF_COUNT; kind++) {
        luals_class(p, knl_self_classes[kind], false);
    }
}

static void page_print(const page *p, kn_script_page kind)
{
    if (kind == KN_SCRIPT_PAGE_LUALS) {
        page_luals(p);
    } else {
        page_markdown(p);
    }
}

void kn_script_print_page(kn_script_page kind, kn_script_write_fn *write, void *user)
{
    page p = {.write = write, .user = user};
    page_print(&p, kind);
}

kn_result kn_script_print_library_page(kn_script_page kind, const kn_library *library,
    kn_script_write_fn *write, void *user, kn_error *error)
{
    kn_hooks hooks = {0};
    if (library == NULL || write == NULL) {
        KN_ASSERT(library != NULL && write != NULL);
        return knl_fail(error, KN_ERROR_INVALID_ARGUMENT, "script: there is nothing to print");
    }
    kn_error found = {0};
    knl_own *own = knl_own_create(&hooks, library, &found);
    if (own == NULL) {
        return knl_fail(error, found.code, found.message);
    }
    page p = {.write = write, .user = user, .library = library, .own = own};
    page_print(&p, kind);
    knl_own_destroy(own);
    return KN_OK;
}
