// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Looks into the text of a chunk for what Lua finds only when it gets there: names nobody defined,
// functions the API does not have, globals that rules assign, functions of definitions that nobody
// calls. The chunk is known to be Lua, so this walks over its grammar without checking it. A value
// has a class where the bindings say so (a `self`, what a function of the API returns) and is
// unknown otherwise; about what is unknown nothing is said.

#include "lint.h"

#include <string.h>

#define DEPTH_MAX 180 // of blocks and expressions

static knl_value_type walk_expression(knl_walker *w);
static void walk_block(knl_walker *w);

// Tokens --------------------------------------------------------------------

static void walker_advance(knl_walker *w)
{
    w->token = w->ahead;
    w->ahead = knl_lexer_next(&w->lexer);
}

static bool walker_is(const knl_walker *w, const char *text)
{
    return knl_token_is(&w->token, text);
}

static bool walker_accept(knl_walker *w, const char *text)
{
    bool is_there = walker_is(w, text);
    if (is_there) {
        walker_advance(w);
    }
    return is_there;
}

// Variables -----------------------------------------------------------------

static void variable_add(knl_walker *w, const knl_token *name, knl_value_type type)
{
    if (w->variable_count == KNL_LINT_VARIABLES) {
        w->is_lost = true;
        return;
    }
    w->variables[w->variable_count++] = (knl_variable){*name, type};
}

static knl_variable *variable_find(knl_walker *w, const knl_token *name)
{
    for (uint32_t i = w->variable_count; i > 0; i--) {
        if (knl_token_equals(&w->variables[i - 1].name, name)) {
            return &w->variables[i - 1];
        }
    }
    return NULL;
}

// Expressions ---------------------------------------------------------------

// Whether the token that comes ahead ends an argument.
static bool ends_value(const knl_token *token)
{
    static const char *const ends[] = {",", ";", ")", "}"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (knl_token_is(token, ends[i])) {
            return true;
        }
    }
    return false;
}

static void walk_table(knl_walker *w, const knl_param *param);

// One value in a place whose type is known; `param` may be NULL.
static void walk_value(knl_walker *w, const knl_param *param)
{
    if (w->token.kind == KNL_TOKEN_STRING && ends_value(&w->ahead)) {
        knl_lint_string(w, &w->token, param);
        walker_advance(w);
    } else if (walker_is(w, "{") && param != NULL) {
        walk_table(w, param);
    } else {
        (void)walk_expression(w);
    }
}

static void walk_table(knl_walker *w, const knl_param *param)
{
    // Of a list of tags every element is one.
    bool is_list = param != NULL && knl_param_plain(param).type == KNL_T_TAGS;
    const knl_param *element = is_list ? param : NULL;
    walker_advance(w);
    while (!walker_is(w, "}") && w->token.kind != KNL_TOKEN_END && !w->is_lost) {
        if (walker_accept(w, "[")) {
            knl_token key = w->token;
            bool is_plain = key.kind == KNL_TOKEN_STRING && knl_token_is(&w->ahead, "]");
            (void)walk_expression(w);
            (void)walker_accept(w, "]");
            (void)walker_accept(w, "=");
            walk_value(w, is_plain ? knl_lint_key(w, &key, param) : NULL);
        } else if (w->token.kind == KNL_TOKEN_NAME && knl_token_is(&w->ahead, "=")) {
            knl_token key = w->token;
            walker_advance(w);
            walker_advance(w);
            walk_value(w, knl_lint_key(w, &key, param));
        } else {
            walk_value(w, element);
        }
        if (!walker_accept(w, ",") && !walker_accept(w, ";")) {
            break;
        }
    }
    (void)walker_accept(w, "}");
}

// The parameters of a row, one after the other; NULL after the last.
static const knl_param *param_next(const knl_param *param)
{
    return param != NULL && param[1].type != KNL_T_END ? param + 1 : NULL;
}

static void walk_arguments(knl_walker *w, const knl_row *row)
{
    const knl_param *param = row != NULL ? row->params : NULL;
    param = param != NULL && param->type == KNL_T_END ? NULL : param;
    if (w->token.kind == KNL_TOKEN_STRING) {
        knl_lint_string(w, &w->token, param);
        walker_advance(w);
    } else if (walker_is(w, "{")) {
        walk_table(w, param);
    } else if (walker_accept(w, "(")) {
        while (!walker_is(w, ")") && w->token.kind != KNL_TOKEN_END && !w->is_lost) {
            walk_value(w, param);
            param = param_next(param);
            if (!walker_accept(w, ",")) {
                break;
            }
        }
        (void)walker_accept(w, ")");
    }
}

static bool begins_arguments(const knl_walker *w)
{
    return walker_is(w, "(") || walker_is(w, "{") || w->token.kind == KNL_TOKEN_STRING;
}

// A function: from its parameters on. `types` are those of the parameters, as a signature has them.
static void walk_function(knl_walker *w, const char *signature, bool has_self)
{
    uint32_t count = w->variable_count;
    if (has_self) {
        knl_token self = {.kind = KNL_TOKEN_NAME, .text = "self", .length = 4};
        variable_add(w, &self, (knl_value_type){0});
    }
    const char *type = signature != NULL ? strchr(signature, '(') : NULL;
    (void)walker_accept(w, "(");
    while (w->token.kind == KNL_TOKEN_NAME) {
        type = type != NULL ? strstr(type, ": ") : NULL;
        variable_add(w, &w->token, knl_type_read(w->own, type != NULL ? type + 2 : NULL));
        type = type != NULL ? strpbrk(type, ",)") : NULL;
        type = type != NULL && *type == ',' ? type : NULL;
        walker_advance(w);
        (void)walker_accept(w, ",");
    }
    (void)walker_accept(w, "...");
    (void)walker_accept(w, ")");
    w->function_depth++;
    walk_block(w);
    w->function_depth--;
    (void)walker_accept(w, "end");
    w->variable_count = count;
}

// `:name(...)`: the value it gives.
static knl_value_type walk_method(knl_walker *w, knl_value_type of)
{
    knl_token name = w->token;
    walker_advance(w);
    const knl_row *row = NULL;
    bool is_known = of.class != NULL && !of.is_list;
    if (is_known) {
        row = knl_row_of(w->own, of.class, &name);
        if (row == NULL) {
            (void)knl_lint_field(w, of, &name);
        }
    } else if (of.module == NULL) {
        row = knl_row_anywhere(w->own, &name);
        if (row == NULL) {
            knl_lint_unknown_method(w, &name);
        }
    }
    walk_arguments(w, row);
    return is_known && row != NULL ? knl_type_read(w->own, row->returns) : (knl_value_type){0};
}

static const knl_def_info *definition_named(const knl_token *name)
{
    for (int i = 0; i < KNL_DEF_COUNT; i++) {
        if (knl_token_reads(name, knl_def_infos[i].name)) {
            return &knl_def_infos[i];
        }
    }
    return NULL;
}

static void walk_definition(knl_walker *w, const knl_def_info *info);

static knl_value_type walk_primary(knl_walker *w, bool *is_call)
{
    knl_value_type type = {0};
    *is_call = false;
    if (walker_accept(w, "(")) {
        (void)walk_expression(w);
        (void)walker_accept(w, ")");
        return type;
    }
    knl_token name = w->token;
    const knl_variable *v = variable_find(w, &name);
    const knl_def_info *info = v == NULL ? definition_named(&name) : NULL;
    if (info != NULL && w->ahead.kind == KNL_TOKEN_STRING && w->function_depth == 0) {
        walker_advance(w);
        walk_definition(w, info);
        *is_call = true;
        return type;
    }
    walker_advance(w);
    return v != NULL ? v->type : knl_lint_global(w, &name);
}

// Whether the name alone is assigned to: then nobody reads it.
static bool is_assigned_name(const knl_walker *w)
{
    return w->token.kind == KNL_TOKEN_NAME &&
           (knl_token_is(&w->ahead, "=") || knl_token_is(&w->ahead, ","));
}

// A name with what hangs on it: a.b[c]:d(e). False in `is_call` unless a call ends it.
static knl_value_type walk_suffixed(knl_walker *w, bool *is_call)
{
    knl_value_type type = walk_primary(w, is_call);
    while (!w->is_lost) {
        if (walker_is(w, ".")) {
            walker_advance(w);
            knl_token name = w->token;
            walker_advance(w);
            bool is_module_call = knl_class_is_module(w->own, type.class) && begins_arguments(w);
            const knl_row *row = is_module_call ? knl_row_of(w->own, type.class, &name) : NULL;
            knl_value_type of = type;
            type = knl_lint_field(w, of, &name);
            *is_call = false;
            if (row != NULL) {
                walk_arguments(w, row);
                type = knl_type_read(w->own, row->returns);
                *is_call = true;
            }
        } else if (walker_is(w, "[")) {
            walker_advance(w);
            (void)walk_expression(w);
            (void)walker_accept(w, "]");
            type = (knl_value_type){.class = type.is_list ? type.class : NULL};
            *is_call = false;
        } else if (walker_is(w, ":")) {
            walker_advance(w);
            type = walk_method(w, type);
            *is_call = true;
        } else if (begins_arguments(w)) {
            walk_arguments(w, NULL);
            type = (knl_value_type){0};
            *is_call = true;
        } else {
            return type;
        }
    }
    return type;
}

static bool is_binary(const knl_walker *w)
{
    static const char *const operators[] = {"+", "-", "*", "/", "//", "%", "^", "..",
        "==", "~=", "<", ">", "<=", ">=", "and", "or", "&", "|", "~", "<<", ">>"};
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (walker_is(w, operators[i])) {
            return true;
        }
    }
    return false;
}

static knl_value_type walk_simple(knl_walker *w)
{
    bool is_call;
    knl_value_type none = {0};
    while (walker_is(w, "not") || walker_is(w, "-") || walker_is(w, "#") || walker_is(w, "~")) {
        walker_advance(w);
        (void)walk_simple(w);
        return none;
    }
    if (w->token.kind == KNL_TOKEN_STRING || w->token.kind == KNL_TOKEN_NUMBER ||
        walker_is(w, "nil") || walker_is(w, "true") || walker_is(w, "false") ||
        walker_is(w, "...")) {
        walker_advance(w);
        return none;
    }
    if (walker_is(w, "{")) {
        walk_table(w, NULL);
        return none;
    }
    if (walker_accept(w, "function")) {
        walk_function(w, NULL, false);
        return none;
    }
    if (w->token.kind == KNL_TOKEN_NAME || walker_is(w, "(")) {
        return walk_suffixed(w, &is_call);
    }
    w->is_lost = true; // no Lua that this knows
    return none;
}

static knl_value_type walk_expression(knl_walker *w)
{
    if (++w->depth > DEPTH_MAX) {
        w->is_lost = true;
    }
    knl_value_type type = {0};
    if (!w->is_lost) {
        type = walk_simple(w);
        while (!w->is_lost && is_binary(w)) {
            walker_advance(w);
            (void)walk_simple(w);
            type = (knl_value_type){0};
        }
    }
    w->depth--;
    return type;
}

// Definitions ---------------------------------------------------------------

static bool token_opens(const knl_token *token)
{
    return knl_token_is(token, "function") || knl_token_is(token, "do") ||
           knl_token_is(token, "if") || knl_token_is(token, "repeat");
}

static bool token_closes(const knl_token *token)
{
    return knl_token_is(token, "end") || knl_token_is(token, "until");
}

// Notes the keys of the table that begins here, behind its '{': those with functions, and those of
// `state`. Returns whether all keys of the state are plain.
static void definition_scan(knl_walker *w)
{
    knl_definition *d = &w->definition;
    knl_lexer lexer = w->lexer;
    knl_token at = w->ahead; // the token itself is the '{'
    uint32_t depth = 1, blocks = 0, state_depth = 0;
    while (at.kind != KNL_TOKEN_END && depth > 0) {
        knl_token next = knl_lexer_next(&lexer);
        if (knl_token_is(&at, "{") || knl_token_is(&at, "(")) {
            depth++;
        } else if (knl_token_is(&at, "}") || knl_token_is(&at, ")")) {
            depth--;
            state_depth = depth < state_depth ? 0 : state_depth;
        }
        blocks += token_opens(&at);
        blocks -= token_closes(&at) && blocks > 0;
        bool is_key = at.kind == KNL_TOKEN_NAME && blocks == 0 && knl_token_is(&next, "=");
        if (is_key && depth == 1) {
            knl_lexer after = lexer;
            knl_token value = knl_lexer_next(&after);
            if (knl_token_is(&at, "state") && knl_token_is(&value, "{")) {
                state_depth = 2;
                d->has_states = true;
            } else if (d->function_count < KNL_LINT_KEYS && value.kind == KNL_TOKEN_NAME) {
                d->functions[d->function_count++] = at; // "function", or perhaps one by its name
            }
        } else if (is_key && state_depth == 2 && depth == 2 && d->state_count < KNL_LINT_KEYS) {
            d->states[d->state_count++] = at;
        }
        at = next;
    }
}

static const knl_hook *hook_of(const knl_def_info *info, const knl_token *name)
{
    for (const knl_hook *hook = info->hooks; hook->name != NULL; hook++) {
        if (knl_token_reads(name, hook->name)) {
            return hook;
        }
    }
    return NULL;
}

// Whether some string of the text is this name.
static bool is_named_in_text(const knl_walker *w, const knl_token *name)
{
    knl_lexer lexer;
    knl_lexer_begin(&lexer, w->text, w->size);
    knl_token at;
    while ((at = knl_lexer_next(&lexer)).kind != KNL_TOKEN_END) {
        if (at.kind == KNL_TOKEN_STRING && knl_token_equals(&at, name)) {
            return true;
        }
    }
    return false;
}

static void check_function(knl_walker *w, const knl_token *name)
{
    const knl_definition *d = &w->definition;
    if (hook_of(d->info, name) != NULL ||
        (d->info->has_continuations && is_named_in_text(w, name))) {
        return;
    }
    knl_nearest n = knl_nearest_to(name);
    for (const knl_hook *hook = d->info->hooks; hook->name != NULL; hook++) {
        knl_nearest_try(&n, hook->name);
    }
    knl_lint_report(w, name, "script-hook", "`%.*s` is not a hook of %s `%.*s`%s%s",
        (int)name->length, name->text, d->info->name, (int)d->name.length, d->name.text,
        d->info->has_continuations ? ", and no task names it" : "", knl_nearest_hint(&n).text);
}

// The signature of a function of a definition: its hook's, or that of what tasks call.
static const char *signature_of(const knl_def_info *info, const knl_token *name)
{
    static const knl_token on_task = {.kind = KNL_TOKEN_NAME, .text = "on_task", .length = 7};
    const knl_hook *hook = hook_of(info, name);
    hook = hook == NULL && info->has_continuations ? hook_of(info, &on_task) : hook;
    return hook != NULL ? hook->signature : NULL;
}

// `ability "Name" {...}` from the name on.
static void walk_definition(knl_walker *w, const knl_def_info *info)
{
    knl_token name = w->token;
    walker_advance(w);
    if (!walker_is(w, "{")) {
        return;
    }
    w->definition = (knl_definition){.info = info, .name = name};
    definition_scan(w);
    walker_advance(w);
    while (!walker_is(w, "}") && w->token.kind != KNL_TOKEN_END && !w->is_lost) {
        knl_token key = w->token;
        if (key.kind == KNL_TOKEN_NAME && knl_token_is(&w->ahead, "=")) {
            walker_advance(w);
            walker_advance(w);
            if (walker_accept(w, "function")) {
                check_function(w, &key);
                walk_function(w, signature_of(info, &key), false);
            } else {
                (void)walk_expression(w);
            }
        } else {
            if (walker_accept(w, "[")) {
                (void)walk_expression(w);
                (void)walker_accept(w, "]");
                (void)walker_accept(w, "=");
            }
            (void)walk_expression(w);
        }
        if (!walker_accept(w, ",") && !walker_accept(w, ";")) {
            break;
        }
    }
    (void)walker_accept(w, "}");
    w->definition.info = NULL;
}

// Statements ----------------------------------------------------------------

static void check_assigned(knl_walker *w, const knl_token *name)
{
    if (w->function_depth > 0 && variable_find(w, name) == NULL) {
        knl_lint_report(w, name, "script-global",
            "`%.*s` is a global, and a rule cannot assign to it; declare it `local`, or keep it in "
            "self.state",
            (int)name->length, name->text);
    }
}

static void walk_list(knl_walker *w)
{
    do {
        (void)walk_expression(w);
    } while (walker_accept(w, ",") && !w->is_lost);
}

static void walk_local(knl_walker *w)
{
    if (walker_accept(w, "function")) {
        variable_add(w, &w->token, (knl_value_type){0});
        walker_advance(w);
        walk_function(w, NULL, false);
        return;
    }
    knl_token names[16];
    uint32_t count = 0;
    do {
        if (count == sizeof(names) / sizeof(names[0])) {
            w->is_lost = true;
            return;
        }
        names[count++] = w->token;
        walker_advance(w);
        if (walker_accept(w, "<")) { // an attribute
            walker_advance(w);
            (void)walker_accept(w, ">");
        }
    } while (walker_accept(w, ","));
    knl_value_type first = {0};
    if (walker_accept(w, "=")) {
        first = walk_expression(w);
        if (walker_accept(w, ",")) {
            walk_list(w);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        variable_add(w, &names[i], i == 0 ? first : (knl_value_type){0});
    }
}

static void walk_scope(knl_walker *w)
{
    uint32_t count = w->variable_count;
    walk_block(w);
    w->variable_count = count;
}

static void walk_for(knl_walker *w)
{
    uint32_t count = w->variable_count;
    knl_token names[16];
    uint32_t name_count = 0;
    do {
        if (name_count == sizeof(names) / sizeof(names[0])) {
            w->is_lost = true;
            return;
        }
        names[name_count++] = w->token;
        walker_advance(w);
    } while (walker_accept(w, ","));
    bool is_generic = walker_accept(w, "in");
    (void)walker_accept(w, "=");
    knl_value_type element = {0};
    // `for _, e in ipairs(list)`: what the list is of.
    if (is_generic && walker_is(w, "ipairs") && knl_token_is(&w->ahead, "(")) {
        walker_advance(w);
        walker_advance(w);
        knl_value_type list = walk_expression(w);
        (void)walker_accept(w, ")");
        element.class = list.is_list ? list.class : NULL;
    } else {
        walk_list(w);
    }
    (void)walker_accept(w, "do");
    for (uint32_t i = 0; i < name_count; i++) {
        variable_add(w, &names[i], i == 1 ? element : (knl_value_type){0});
    }
    walk_block(w);
    (void)walker_accept(w, "end");
    w->variable_count = count;
}

static void walk_if(knl_walker *w)
{
    do {
        (void)walk_expression(w);
        (void)walker_accept(w, "then");
        walk_scope(w);
    } while (walker_accept(w, "elseif") && !w->is_lost);
    if (walker_accept(w, "else")) {
        walk_scope(w);
    }
    (void)walker_accept(w, "end");
}

// `function a.b:c()`: only a plain name is assigned.
static void walk_function_statement(knl_walker *w)
{
    knl_token name = w->token;
    bool is_method = false;
    walker_advance(w);
    if (walker_is(w, ".") || walker_is(w, ":")) {
        while (walker_is(w, ".") || walker_is(w, ":")) {
            is_method = walker_is(w, ":");
            walker_advance(w);
            walker_advance(w);
        }
    } else {
        check_assigned(w, &name);
    }
    walk_function(w, NULL, is_method);
}

// A call, or an assignment to one or more places.
static void walk_expression_statement(knl_walker *w)
{
    bool is_call = false;
    do {
        if (is_assigned_name(w)) {
            knl_token name = w->token;
            knl_variable *v = variable_find(w, &name);
            if (v != NULL) {
                v->type = (knl_value_type){0};
            }
            check_assigned(w, &name);
            walker_advance(w);
        } else {
            (void)walk_suffixed(w, &is_call);
        }
    } while (walker_accept(w, ",") && !w->is_lost);
    if (walker_accept(w, "=")) {
        walk_list(w);
    }
}

static bool ends_block(const knl_walker *w)
{
    return w->token.kind == KNL_TOKEN_END || walker_is(w, "end") || walker_is(w, "else") ||
           walker_is(w, "elseif") || walker_is(w, "until");
}

static void walk_statement(knl_walker *w)
{
    if (walker_accept(w, ";") || walker_accept(w, "break")) {
        return;
    }
    if (walker_accept(w, "goto")) {
        walker_advance(w);
        return;
    }
    if (walker_accept(w, "::")) {
        walker_advance(w);
        (void)walker_accept(w, "::");
        return;
    }
    if (walker_accept(w, "if")) {
        walk_if(w);
    } else if (walker_accept(w, "while")) {
        (void)walk_expression(w);
        (void)walker_accept(w, "do");
        walk_scope(w);
        (void)walker_accept(w, "end");
    } else if (walker_accept(w, "do")) {
        walk_scope(w);
        (void)walker_accept(w, "end");
    } else if (walker_accept(w, "for")) {
        walk_for(w);
    } else if (walker_accept(w, "repeat")) {
        uint32_t count = w->variable_count;
        walk_block(w);
        (void)walker_accept(w, "until");
        (void)walk_expression(w);
        w->variable_count = count;
    } else if (walker_accept(w, "function")) {
        walk_function_statement(w);
    } else if (walker_accept(w, "local")) {
        walk_local(w);
    } else if (walker_accept(w, "return")) {
        if (!ends_block(w) && !walker_is(w, ";")) {
            walk_list(w);
        }
    } else {
        walk_expression_statement(w);
    }
}

static void walk_block(knl_walker *w)
{
    if (++w->depth > DEPTH_MAX) {
        w->is_lost = true;
    }
    while (!ends_block(w) && !w->is_lost) {
        const char *before = w->token.text;
        walk_statement(w);
        if (w->token.text == before) {
            w->is_lost = true; // no Lua that this knows
        }
    }
    w->depth--;
}

// The whole -----------------------------------------------------------------

static int lint_protected(lua_State *L)
{
    knl_walker *w = lua_touserdata(L, 1);
    luaL_checkstack(L, 20, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_SHARED);
    w->globals = lua_gettop(L);
    lua_newtable(L); // words that are kept
    walker_advance(w);
    walker_advance(w);
    walk_block(w);
    return 0;
}

void knl_script_lint(kn_script *script, const kn_library *library, const char *text, size_t size,
    kn_data_report_fn *tell_fn, void *user)
{
    knl_walker *w = knl_script_realloc(script, NULL, 0, sizeof(*w));
    knl_vm *vm = w != NULL ? knl_vm_enter(script) : NULL;
    if (vm != NULL) {
        memset(w, 0, sizeof(*w));
        bool has_mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; // of byte order
        text += has_mark ? 3 : 0;
        size -= has_mark ? 3 : 0;
        w->text = text;
        w->size = size;
        w->L = vm->L;
        w->library = library;
        w->own = script->own;
        w->tell = tell_fn;
        w->user = user;
        knl_lexer_begin(&w->lexer, text, size);
        lua_pushcfunction(vm->L, lint_protected);
        lua_pushlightuserdata(vm->L, w);
        if (lua_pcall(vm->L, 1, 0, 0) != LUA_OK) {
            lua_pop(vm->L, 1); // without memory nothing is found
        }
        knl_vm_leave(vm);
    }
    (void)knl_script_realloc(script, w, sizeof(*w), 0);
}
