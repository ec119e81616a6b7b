// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Looks into the text of a chunk for what Lua finds only when it gets there: names nobody defined,
// functions the API does not have, globals that rules assign, functions of definitions that nobody
// calls. The chunk is known to be Lua, so this walks over its grammar without checking it. A value
// has a class where the bindings say so (a `self`, what a function of the API returns) and is
// unknown otherwise; about what is unknown nothing is said.

#include "internal.h"
#include "lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define VARIABLES_MAX 512
#define KEYS_MAX 128
#define DEPTH_MAX 180
#define WORD_MAX 96 // bytes of a name that is looked for

// What is known of a value.
typedef struct value_type {
    const knl_class *class; // NULL: nothing
    const char *module;     // "math", "kn": a module that is no class
    bool is_list;           // of the class
    bool is_state;          // self.state
} value_type;

typedef struct variable {
    knl_token name;
    value_type type;
} variable;

// The definition around the place: what its table has.
typedef struct definition {
    const knl_def_info *info; // NULL: none
    knl_token name;
    knl_token functions[KEYS_MAX];
    uint32_t function_count;
    knl_token states[KEYS_MAX];
    uint32_t state_count;
    bool has_states; // and all of them are known
} definition;

typedef struct walker {
    knl_lexer lexer;
    knl_token token, ahead;
    const char *text;
    size_t size;
    lua_State *L;
    int globals; // on the stack: those of all chunks
    const kn_library *library;
    variable variables[VARIABLES_MAX];
    uint32_t variable_count;
    definition definition;
    uint32_t function_depth;
    uint32_t depth;
    bool is_lost; // more than it can keep: nothing is said any more
    kn_data_tell_fn *tell;
    void *user;
} walker;

static value_type walk_expression(walker *w);
static void walk_block(walker *w);

// Telling -------------------------------------------------------------------

static void tell(walker *w, const knl_token *at, const char *lint, const char *format, ...)
    KN_PRINTF(4, 5);
static void tell(walker *w, const knl_token *at, const char *lint, const char *format, ...)
{
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    if (!w->is_lost) {
        w->tell(w->user, lint, at->line, at->column, sentence);
    }
}

static char small(char letter)
{
    return (char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
}

// Insertions, removals, changes and swaps that make one word the other; letters alike in both
// cases.
static uint32_t word_distance(const char *a, const char *b)
{
    uint32_t rows[3][WORD_MAX + 1];
    size_t length = strlen(a), other = strlen(b);
    if (length > WORD_MAX || other > WORD_MAX) {
        return UINT32_MAX;
    }
    for (uint32_t j = 0; j <= other; j++) {
        rows[0][j] = j;
    }
    for (uint32_t i = 1; i <= length; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= other; j++) {
            uint32_t change = above[j - 1] + (small(a[i - 1]) != small(b[j - 1]));
            uint32_t least = above[j] < row[j - 1] ? above[j] + 1 : row[j - 1] + 1;
            least = change < least ? change : least;
            bool is_swap = i > 1 && j > 1 && small(a[i - 1]) == small(b[j - 2]) &&
                           small(a[i - 2]) == small(b[j - 1]);
            row[j] = is_swap && before[j - 2] + 1 < least ? before[j - 2] + 1 : least;
        }
    }
    return rows[length % 3][other];
}

// The word that was most likely meant, as far as it was found.
typedef struct nearest {
    char wanted[WORD_MAX + 1];
    const char *word;
    uint32_t distance;
} nearest;

static nearest nearest_to(const knl_token *token)
{
    nearest n = {.distance = UINT32_MAX};
    size_t length = token->length < WORD_MAX ? token->length : WORD_MAX;
    memcpy(n.wanted, token->text, length);
    return n;
}

static void nearest_try(nearest *n, const char *word)
{
    uint32_t distance = word_distance(n->wanted, word);
    size_t length = strlen(n->wanted);
    if (distance < n->distance && distance < length && distance <= 1 + length / 4) {
        n->distance = distance;
        n->word = word;
    }
}

// "; did you mean `x`?", or nothing.
typedef struct hint {
    char text[WORD_MAX + 32];
} hint;

static hint nearest_hint(const nearest *n)
{
    hint h = {""};
    if (n->word != NULL) {
        (void)snprintf(h.text, sizeof(h.text), "; did you mean `%.*s`?", WORD_MAX, n->word);
    }
    return h;
}

// Tokens --------------------------------------------------------------------

static void advance(walker *w)
{
    w->token = w->ahead;
    w->ahead = knl_lexer_next(&w->lexer);
}

static bool is(const walker *w, const char *text)
{
    return knl_token_is(&w->token, text);
}

static bool accept(walker *w, const char *text)
{
    bool is_there = is(w, text);
    if (is_there) {
        advance(w);
    }
    return is_there;
}

static bool token_equals(const knl_token *a, const knl_token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static bool token_reads(const knl_token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

// Variables -----------------------------------------------------------------

static void variable_add(walker *w, const knl_token *name, value_type type)
{
    if (w->variable_count == VARIABLES_MAX) {
        w->is_lost = true;
        return;
    }
    w->variables[w->variable_count++] = (variable){*name, type};
}

static variable *variable_find(walker *w, const knl_token *name)
{
    for (uint32_t i = w->variable_count; i > 0; i--) {
        if (token_equals(&w->variables[i - 1].name, name)) {
            return &w->variables[i - 1];
        }
    }
    return NULL;
}

// Classes -------------------------------------------------------------------

static const knl_class *class_named(const char *name, size_t length)
{
    for (int i = 1; i < KNL_ID_COUNT; i++) {
        const char *known = knl_id_classes[i]->name;
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            return knl_id_classes[i];
        }
    }
    for (int i = 0; i < KNL_SELF_COUNT; i++) {
        const char *known = knl_self_classes[i]->name;
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            return knl_self_classes[i];
        }
    }
    for (uint32_t i = 0; i < KNL_RESULT_COUNT; i++) {
        const char *known = knl_result_classes[i].name;
        bool is_open = i == KNL_RESULT_TARGET; // games have types of their own
        if (!is_open && strlen(known) == length && strncmp(known, name, length) == 0) {
            return &knl_result_classes[i];
        }
    }
    return NULL;
}

// The first type of a list as the reference has it: "kn.effect|nil, refusal?".
static value_type type_read(const char *text)
{
    value_type type = {0};
    if (text == NULL || strncmp(text, "kn.", 3) != 0) {
        return type;
    }
    size_t length = strcspn(text + 3, "?|,[]:) ");
    const char *rest = text + 3 + length;
    type.class = class_named(text + 3, length);
    type.is_list = type.class != NULL && strncmp(rest, "[]", 2) == 0;
    rest += type.is_list ? 2 : 0;
    rest += *rest == '?';
    // "kn.effect|true|nil": may be something else, about which nothing is known.
    if (*rest == '|' && strncmp(rest, "|nil", 4) != 0) {
        return (value_type){0};
    }
    return type;
}

static const knl_row *row_of(const knl_class *class, const knl_token *name)
{
    for (uint32_t i = 0; i < KNL_ROWS_MAX; i++) {
        for (const knl_row *row = class->rows[i]; row != NULL && row->name != NULL; row++) {
            if (token_reads(name, row->name)) {
                return row;
            }
        }
    }
    return NULL;
}

static const knl_field_row *field_of(const knl_class *class, const knl_token *name)
{
    for (const knl_field_row *f = class->fields; f != NULL && f->name != NULL; f++) {
        if (token_reads(name, f->name)) {
            return f;
        }
    }
    return NULL;
}

static void nearest_of_class(nearest *n, const knl_class *class)
{
    for (const knl_field_row *f = class->fields; f != NULL && f->name != NULL; f++) {
        nearest_try(n, f->name);
    }
    for (uint32_t i = 0; i < KNL_ROWS_MAX; i++) {
        for (const knl_row *row = class->rows[i]; row != NULL && row->name != NULL; row++) {
            nearest_try(n, row->name);
        }
    }
}

#define CLASS_COUNT (1 + (KNL_ID_COUNT - 1) + KNL_SELF_COUNT)

static const knl_class *class_at(int index)
{
    if (index == 0) {
        return &knl_class_world;
    }
    return index < KNL_ID_COUNT ? knl_id_classes[index] : knl_self_classes[index - KNL_ID_COUNT];
}

// The only row of this name; NULL if there is none, or several with other parameters.
static const knl_row *row_anywhere(const knl_token *name)
{
    const knl_row *found = NULL;
    for (int i = 1; i < CLASS_COUNT; i++) {
        const knl_row *row = row_of(class_at(i), name);
        if (row != NULL && found != NULL && row != found) {
            return NULL;
        }
        found = row != NULL ? row : found;
    }
    return found;
}

// Whether the text has this name where it could define a field: before '=' or after 'function'.
static bool is_defined_here(const walker *w, const knl_token *name)
{
    knl_lexer lexer;
    knl_lexer_begin(&lexer, w->text, w->size);
    knl_token at = knl_lexer_next(&lexer);
    bool is_function = false;
    while (at.kind != KNL_TOKEN_END) {
        knl_token next = knl_lexer_next(&lexer);
        is_function = knl_token_is(&at, "function") ||
                      (is_function && (at.kind == KNL_TOKEN_NAME || knl_token_is(&at, ".") ||
                                          knl_token_is(&at, ":")));
        if (at.kind == KNL_TOKEN_NAME && token_equals(&at, name) &&
            (is_function || knl_token_is(&next, "="))) {
            return true;
        }
        at = next;
    }
    return false;
}

// A method of an unknown value: only a name that is close to one of the API is reported.
static void check_unknown_method(walker *w, const knl_token *name)
{
    nearest n = nearest_to(name);
    for (int i = 1; i < CLASS_COUNT; i++) {
        if (row_of(class_at(i), name) != NULL || field_of(class_at(i), name) != NULL) {
            return;
        }
        nearest_of_class(&n, class_at(i));
    }
    for (const knl_library_row *row = knl_library_rows; row->name != NULL; row++) {
        if (row->module != NULL && strcmp(row->module, "string") == 0 &&
            token_reads(name, row->name)) {
            return;
        }
    }
    if (n.word != NULL && n.distance <= 2 && !is_defined_here(w, name)) {
        tell(w, name, "script-api", "there is no function `%.*s`%s", (int)name->length, name->text,
            nearest_hint(&n).text);
    }
}

// Names in text -------------------------------------------------------------

static void check_name(walker *w, const knl_token *token, knl_name_kind kind)
{
    char name[WORD_MAX * 2];
    if (token->has_escapes || token->length >= sizeof(name)) {
        return;
    }
    memcpy(name, token->text, token->length);
    name[token->length] = '\0';
    kn_def_kind def = knl_name_def_kind(kind);
    if (strlen(name) != token->length || kn_def_find(w->library, def, name) != 0) {
        return;
    }
    nearest n = nearest_to(token);
    for (uint32_t i = 1; i <= kn_def_count(w->library, def); i++) {
        nearest_try(&n, kn_def_name(w->library, def, i));
    }
    tell(w, token, "script-name", "there is no %s `%s`%s", knl_name_titles[kind], name,
        nearest_hint(&n).text);
}

static void check_enum(walker *w, const knl_token *token, const knl_param *param)
{
    const char *const *words = param->extra;
    nearest n = nearest_to(token);
    for (uint32_t i = 0; i < param->number; i++) {
        if (token_reads(token, words[i])) {
            return;
        }
        if (words[i][0] != '\0') {
            nearest_try(&n, words[i]);
        }
    }
    tell(w, token, "script-name", "`%.*s` is not one of the words allowed here%s",
        (int)token->length, token->text, nearest_hint(&n).text);
}

static void check_handler(walker *w, const knl_token *token)
{
    const definition *d = &w->definition;
    nearest n = nearest_to(token);
    if (d->info == NULL || !d->info->has_continuations) {
        return;
    }
    char names[KEYS_MAX][WORD_MAX + 1];
    for (uint32_t i = 0; i < d->function_count; i++) {
        if (token_equals(&d->functions[i], token)) {
            return;
        }
        size_t length = d->functions[i].length < WORD_MAX ? d->functions[i].length : WORD_MAX;
        memcpy(names[i], d->functions[i].text, length);
        names[i][length] = '\0';
        nearest_try(&n, names[i]);
    }
    tell(w, token, "script-hook", "%s `%.*s` has no function `%.*s`%s", d->info->name,
        (int)d->name.length, d->name.text, (int)token->length, token->text, nearest_hint(&n).text);
}

// A string in a place whose type is known.
static void check_string(walker *w, const knl_token *token, const knl_param *given)
{
    if (given == NULL) {
        return;
    }
    knl_param param = knl_param_plain(given);
    if (param.type == KNL_T_TAGS) {
        check_name(w, token, KNL_NAME_TAG);
    } else if (param.type == KNL_T_ENUM) {
        check_enum(w, token, &param);
    } else if (param.type == KNL_T_HANDLER) {
        check_handler(w, token);
    } else if (param.type >= KNL_T_NAME) {
        check_name(w, token, (knl_name_kind)(param.type - KNL_T_NAME));
    }
}

static const knl_param *option_of(const knl_param *options, const knl_token *name)
{
    for (; options != NULL && options->type != KNL_T_END; options++) {
        if (token_reads(name, options->name)) {
            return options;
        }
    }
    return NULL;
}

// A key of a table in a place whose type is known; what its value must be.
static const knl_param *check_key(walker *w, const knl_token *key, const knl_param *param)
{
    if (param == NULL) {
        return NULL;
    }
    uint8_t type = knl_param_plain(param).type;
    if (type == KNL_T_VALUES || type == KNL_T_NAMED) {
        check_name(w, key, type == KNL_T_VALUES ? KNL_NAME_TAG : KNL_NAME_NAME);
        return NULL;
    }
    if (type != KNL_T_OPTIONS || param->extra == NULL) {
        return NULL;
    }
    const knl_param *option = option_of(param->extra, key);
    if (option == NULL) {
        nearest n = nearest_to(key);
        for (const knl_param *o = param->extra; o->type != KNL_T_END; o++) {
            nearest_try(&n, o->name);
        }
        tell(w, key, "script-api", "there is no option `%.*s`%s", (int)key->length, key->text,
            nearest_hint(&n).text);
    }
    return option;
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

static void walk_table(walker *w, const knl_param *param);

// One value in a place whose type is known; `param` may be NULL.
static void walk_value(walker *w, const knl_param *param)
{
    if (w->token.kind == KNL_TOKEN_STRING && ends_value(&w->ahead)) {
        check_string(w, &w->token, param);
        advance(w);
    } else if (is(w, "{") && param != NULL) {
        walk_table(w, param);
    } else {
        (void)walk_expression(w);
    }
}

static void walk_table(walker *w, const knl_param *param)
{
    // Of a list of tags every element is one.
    bool is_list = param != NULL && knl_param_plain(param).type == KNL_T_TAGS;
    const knl_param *element = is_list ? param : NULL;
    advance(w);
    while (!is(w, "}") && w->token.kind != KNL_TOKEN_END && !w->is_lost) {
        if (accept(w, "[")) {
            knl_token key = w->token;
            bool is_plain = key.kind == KNL_TOKEN_STRING && knl_token_is(&w->ahead, "]");
            (void)walk_expression(w);
            (void)accept(w, "]");
            (void)accept(w, "=");
            walk_value(w, is_plain ? check_key(w, &key, param) : NULL);
        } else if (w->token.kind == KNL_TOKEN_NAME && knl_token_is(&w->ahead, "=")) {
            knl_token key = w->token;
            advance(w);
            advance(w);
            walk_value(w, check_key(w, &key, param));
        } else {
            walk_value(w, element);
        }
        if (!accept(w, ",") && !accept(w, ";")) {
            break;
        }
    }
    (void)accept(w, "}");
}

// The parameters of a row, one after the other; NULL after the last.
static const knl_param *param_next(const knl_param *param)
{
    return param != NULL && param[1].type != KNL_T_END ? param + 1 : NULL;
}

static void walk_arguments(walker *w, const knl_row *row)
{
    const knl_param *param = row != NULL ? row->params : NULL;
    param = param != NULL && param->type == KNL_T_END ? NULL : param;
    if (w->token.kind == KNL_TOKEN_STRING) {
        check_string(w, &w->token, param);
        advance(w);
    } else if (is(w, "{")) {
        walk_table(w, param);
    } else if (accept(w, "(")) {
        while (!is(w, ")") && w->token.kind != KNL_TOKEN_END && !w->is_lost) {
            walk_value(w, param);
            param = param_next(param);
            if (!accept(w, ",")) {
                break;
            }
        }
        (void)accept(w, ")");
    }
}

static bool begins_arguments(const walker *w)
{
    return is(w, "(") || is(w, "{") || w->token.kind == KNL_TOKEN_STRING;
}

// A function: from its parameters on. `types` are those of the parameters, as a signature has them.
static void walk_function(walker *w, const char *signature, bool has_self)
{
    uint32_t count = w->variable_count;
    if (has_self) {
        knl_token self = {.kind = KNL_TOKEN_NAME, .text = "self", .length = 4};
        variable_add(w, &self, (value_type){0});
    }
    const char *type = signature != NULL ? strchr(signature, '(') : NULL;
    (void)accept(w, "(");
    while (w->token.kind == KNL_TOKEN_NAME) {
        type = type != NULL ? strstr(type, ": ") : NULL;
        variable_add(w, &w->token, type_read(type != NULL ? type + 2 : NULL));
        type = type != NULL ? strpbrk(type, ",)") : NULL;
        type = type != NULL && *type == ',' ? type : NULL;
        advance(w);
        (void)accept(w, ",");
    }
    (void)accept(w, "...");
    (void)accept(w, ")");
    w->function_depth++;
    walk_block(w);
    w->function_depth--;
    (void)accept(w, "end");
    w->variable_count = count;
}

static bool global_exists(const walker *w, const knl_token *name)
{
    lua_pushlstring(w->L, name->text, name->length);
    bool is_there = lua_rawget(w->L, w->globals) != LUA_TNIL;
    lua_pop(w->L, 1);
    return is_there;
}

static void nearest_global(walker *w, nearest *n)
{
    for (uint32_t i = w->variable_count; i > 0; i--) {
        const knl_token *name = &w->variables[i - 1].name;
        char word[WORD_MAX + 1];
        size_t length = name->length < WORD_MAX ? name->length : WORD_MAX;
        memcpy(word, name->text, length);
        word[length] = '\0';
        if (word_distance(n->wanted, word) < n->distance) {
            lua_pushlstring(w->L, word, length); // kept by the table of words
            lua_pushvalue(w->L, -1);
            lua_pushboolean(w->L, 1);
            lua_rawset(w->L, w->globals + 1);
            nearest_try(n, lua_tostring(w->L, -1));
            lua_pop(w->L, 1);
        }
    }
    lua_pushnil(w->L);
    while (lua_next(w->L, w->globals) != 0) {
        lua_pop(w->L, 1);
        if (lua_type(w->L, -1) == LUA_TSTRING) {
            nearest_try(n, lua_tostring(w->L, -1));
        }
    }
}

static value_type global_type(walker *w, const knl_token *name)
{
    static const char *const modules[] = {"math", "string", "table", "kn"};
    value_type type = {0};
    if (token_reads(name, "world")) {
        type.class = &knl_class_world;
    }
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        type.module = token_reads(name, modules[i]) ? modules[i] : type.module;
    }
    if (!global_exists(w, name) && !token_reads(name, "_ENV")) {
        nearest n = nearest_to(name);
        nearest_global(w, &n);
        tell(w, name, "script-global", "there is no variable `%.*s`%s", (int)name->length,
            name->text, nearest_hint(&n).text);
    }
    return type;
}

static void check_module(walker *w, const char *module, const knl_token *name)
{
    char word[WORD_MAX + 1] = "";
    size_t length = name->length < WORD_MAX ? name->length : WORD_MAX;
    memcpy(word, name->text, length);
    lua_getfield(w->L, w->globals, module);
    bool is_there = true;
    nearest n = nearest_to(name);
    if (knl_frozen_content(w->L, -1)) {
        is_there = lua_getfield(w->L, -1, word) != LUA_TNIL;
        lua_pop(w->L, 1);
        lua_pushnil(w->L);
        while (!is_there && lua_next(w->L, -2) != 0) {
            lua_pop(w->L, 1);
            if (lua_type(w->L, -1) == LUA_TSTRING) {
                nearest_try(&n, lua_tostring(w->L, -1));
            }
        }
        lua_settop(w->L, lua_gettop(w->L) - (is_there ? 2 : 1));
    }
    lua_pop(w->L, 1);
    if (!is_there) {
        bool is_random = strcmp(module, "math") == 0 && strcmp(word, "random") == 0;
        tell(w, name, "script-api", "there is no `%s.%s`%s", module, word,
            is_random ? "; `world.random` and `self:random` roll back" : nearest_hint(&n).text);
    }
}

static void check_state(walker *w, const knl_token *name)
{
    const definition *d = &w->definition;
    if (d->info == NULL || !d->has_states) {
        return;
    }
    for (uint32_t i = 0; i < d->state_count; i++) {
        if (token_equals(&d->states[i], name)) {
            return;
        }
    }
    tell(w, name, "script-api", "the state of %s `%.*s` has no field `%.*s`", d->info->name,
        (int)d->name.length, d->name.text, (int)name->length, name->text);
}

// `.name`: the value it gives.
static value_type walk_field(walker *w, value_type of, const knl_token *name)
{
    value_type none = {0};
    if (of.module != NULL) {
        check_module(w, of.module, name);
        return none;
    }
    if (of.is_state) {
        check_state(w, name);
        return none;
    }
    if (of.class == NULL || of.is_list) {
        return none;
    }
    const knl_field_row *field = field_of(of.class, name);
    if (field != NULL) {
        value_type type = type_read(field->type);
        type.is_state = strcmp(field->name, "state") == 0;
        return type;
    }
    if (row_of(of.class, name) == NULL) {
        nearest n = nearest_to(name);
        nearest_of_class(&n, of.class);
        bool is_world = of.class == &knl_class_world;
        tell(w, name, "script-api", "%s%s has no `%.*s`%s", is_world ? "" : "kn.", of.class->name,
            (int)name->length, name->text, nearest_hint(&n).text);
    }
    return none;
}

// `:name(...)`: the value it gives.
static value_type walk_method(walker *w, value_type of)
{
    knl_token name = w->token;
    advance(w);
    const knl_row *row = NULL;
    bool is_known = of.class != NULL && !of.is_list;
    if (is_known) {
        row = row_of(of.class, &name);
        if (row == NULL) {
            (void)walk_field(w, of, &name);
        }
    } else if (of.module == NULL) {
        row = row_anywhere(&name);
        if (row == NULL) {
            check_unknown_method(w, &name);
        }
    }
    walk_arguments(w, row);
    return is_known && row != NULL ? type_read(row->returns) : (value_type){0};
}

static const knl_def_info *definition_named(const knl_token *name)
{
    for (int i = 0; i < KNL_DEF_COUNT; i++) {
        if (token_reads(name, knl_def_infos[i].name)) {
            return &knl_def_infos[i];
        }
    }
    return NULL;
}

static void walk_definition(walker *w, const knl_def_info *info);

static value_type walk_primary(walker *w, bool *is_call)
{
    value_type type = {0};
    *is_call = false;
    if (accept(w, "(")) {
        (void)walk_expression(w);
        (void)accept(w, ")");
        return type;
    }
    knl_token name = w->token;
    const variable *v = variable_find(w, &name);
    const knl_def_info *info = v == NULL ? definition_named(&name) : NULL;
    if (info != NULL && w->ahead.kind == KNL_TOKEN_STRING && w->function_depth == 0) {
        advance(w);
        walk_definition(w, info);
        *is_call = true;
        return type;
    }
    advance(w);
    return v != NULL ? v->type : global_type(w, &name);
}

// Whether the name alone is assigned to: then nobody reads it.
static bool is_assigned_name(const walker *w)
{
    return w->token.kind == KNL_TOKEN_NAME &&
           (knl_token_is(&w->ahead, "=") || knl_token_is(&w->ahead, ","));
}

// A name with what hangs on it: a.b[c]:d(e). False in `is_call` unless a call ends it.
static value_type walk_suffixed(walker *w, bool *is_call)
{
    value_type type = walk_primary(w, is_call);
    while (!w->is_lost) {
        if (is(w, ".")) {
            advance(w);
            knl_token name = w->token;
            advance(w);
            bool is_world_call = type.class == &knl_class_world && begins_arguments(w);
            const knl_row *row = is_world_call ? row_of(type.class, &name) : NULL;
            value_type of = type;
            type = walk_field(w, of, &name);
            *is_call = false;
            if (row != NULL) {
                walk_arguments(w, row);
                type = type_read(row->returns);
                *is_call = true;
            }
        } else if (is(w, "[")) {
            advance(w);
            (void)walk_expression(w);
            (void)accept(w, "]");
            type = (value_type){.class = type.is_list ? type.class : NULL};
            *is_call = false;
        } else if (is(w, ":")) {
            advance(w);
            type = walk_method(w, type);
            *is_call = true;
        } else if (begins_arguments(w)) {
            walk_arguments(w, NULL);
            type = (value_type){0};
            *is_call = true;
        } else {
            return type;
        }
    }
    return type;
}

static bool is_binary(const walker *w)
{
    static const char *const operators[] = {"+", "-", "*", "/", "//", "%", "^", "..",
        "==", "~=", "<", ">", "<=", ">=", "and", "or", "&", "|", "~", "<<", ">>"};
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (is(w, operators[i])) {
            return true;
        }
    }
    return false;
}

static value_type walk_simple(walker *w)
{
    bool is_call;
    value_type none = {0};
    while (is(w, "not") || is(w, "-") || is(w, "#") || is(w, "~")) {
        advance(w);
        (void)walk_simple(w);
        return none;
    }
    if (w->token.kind == KNL_TOKEN_STRING || w->token.kind == KNL_TOKEN_NUMBER || is(w, "nil") ||
        is(w, "true") || is(w, "false") || is(w, "...")) {
        advance(w);
        return none;
    }
    if (is(w, "{")) {
        walk_table(w, NULL);
        return none;
    }
    if (accept(w, "function")) {
        walk_function(w, NULL, false);
        return none;
    }
    if (w->token.kind == KNL_TOKEN_NAME || is(w, "(")) {
        return walk_suffixed(w, &is_call);
    }
    w->is_lost = true; // no Lua that this knows
    return none;
}

static value_type walk_expression(walker *w)
{
    if (++w->depth > DEPTH_MAX) {
        w->is_lost = true;
    }
    value_type type = {0};
    if (!w->is_lost) {
        type = walk_simple(w);
        while (!w->is_lost && is_binary(w)) {
            advance(w);
            (void)walk_simple(w);
            type = (value_type){0};
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
static void definition_scan(walker *w)
{
    definition *d = &w->definition;
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
            } else if (d->function_count < KEYS_MAX && value.kind == KNL_TOKEN_NAME) {
                d->functions[d->function_count++] = at; // "function", or perhaps one by its name
            }
        } else if (is_key && state_depth == 2 && depth == 2 && d->state_count < KEYS_MAX) {
            d->states[d->state_count++] = at;
        }
        at = next;
    }
}

static const knl_hook *hook_of(const knl_def_info *info, const knl_token *name)
{
    for (const knl_hook *hook = info->hooks; hook->name != NULL; hook++) {
        if (token_reads(name, hook->name)) {
            return hook;
        }
    }
    return NULL;
}

// Whether some string of the text is this name.
static bool is_named_in_text(const walker *w, const knl_token *name)
{
    knl_lexer lexer;
    knl_lexer_begin(&lexer, w->text, w->size);
    knl_token at;
    while ((at = knl_lexer_next(&lexer)).kind != KNL_TOKEN_END) {
        if (at.kind == KNL_TOKEN_STRING && token_equals(&at, name)) {
            return true;
        }
    }
    return false;
}

static void check_function(walker *w, const knl_token *name)
{
    const definition *d = &w->definition;
    if (hook_of(d->info, name) != NULL ||
        (d->info->has_continuations && is_named_in_text(w, name))) {
        return;
    }
    nearest n = nearest_to(name);
    for (const knl_hook *hook = d->info->hooks; hook->name != NULL; hook++) {
        nearest_try(&n, hook->name);
    }
    tell(w, name, "script-hook", "`%.*s` is not a hook of %s `%.*s`%s%s", (int)name->length,
        name->text, d->info->name, (int)d->name.length, d->name.text,
        d->info->has_continuations ? ", and no task names it" : "", nearest_hint(&n).text);
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
static void walk_definition(walker *w, const knl_def_info *info)
{
    knl_token name = w->token;
    advance(w);
    if (!is(w, "{")) {
        return;
    }
    w->definition = (definition){.info = info, .name = name};
    definition_scan(w);
    advance(w);
    while (!is(w, "}") && w->token.kind != KNL_TOKEN_END && !w->is_lost) {
        knl_token key = w->token;
        if (key.kind == KNL_TOKEN_NAME && knl_token_is(&w->ahead, "=")) {
            advance(w);
            advance(w);
            if (accept(w, "function")) {
                check_function(w, &key);
                walk_function(w, signature_of(info, &key), false);
            } else {
                (void)walk_expression(w);
            }
        } else {
            if (accept(w, "[")) {
                (void)walk_expression(w);
                (void)accept(w, "]");
                (void)accept(w, "=");
            }
            (void)walk_expression(w);
        }
        if (!accept(w, ",") && !accept(w, ";")) {
            break;
        }
    }
    (void)accept(w, "}");
    w->definition.info = NULL;
}

// Statements ----------------------------------------------------------------

static void check_assigned(walker *w, const knl_token *name)
{
    if (w->function_depth > 0 && variable_find(w, name) == NULL) {
        tell(w, name, "script-global",
            "`%.*s` is a global, and a rule cannot assign to it; declare it `local`, or keep it in "
            "self.state",
            (int)name->length, name->text);
    }
}

static void walk_list(walker *w)
{
    do {
        (void)walk_expression(w);
    } while (accept(w, ",") && !w->is_lost);
}

static void walk_local(walker *w)
{
    if (accept(w, "function")) {
        variable_add(w, &w->token, (value_type){0});
        advance(w);
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
        advance(w);
        if (accept(w, "<")) { // an attribute
            advance(w);
            (void)accept(w, ">");
        }
    } while (accept(w, ","));
    value_type first = {0};
    if (accept(w, "=")) {
        first = walk_expression(w);
        if (accept(w, ",")) {
            walk_list(w);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        variable_add(w, &names[i], i == 0 ? first : (value_type){0});
    }
}

static void walk_scope(walker *w)
{
    uint32_t count = w->variable_count;
    walk_block(w);
    w->variable_count = count;
}

static void walk_for(walker *w)
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
        advance(w);
    } while (accept(w, ","));
    bool is_generic = accept(w, "in");
    (void)accept(w, "=");
    value_type element = {0};
    // `for _, e in ipairs(list)`: what the list is of.
    if (is_generic && is(w, "ipairs") && knl_token_is(&w->ahead, "(")) {
        advance(w);
        advance(w);
        value_type list = walk_expression(w);
        (void)accept(w, ")");
        element.class = list.is_list ? list.class : NULL;
    } else {
        walk_list(w);
    }
    (void)accept(w, "do");
    for (uint32_t i = 0; i < name_count; i++) {
        variable_add(w, &names[i], i == 1 ? element : (value_type){0});
    }
    walk_block(w);
    (void)accept(w, "end");
    w->variable_count = count;
}

static void walk_if(walker *w)
{
    do {
        (void)walk_expression(w);
        (void)accept(w, "then");
        walk_scope(w);
    } while (accept(w, "elseif") && !w->is_lost);
    if (accept(w, "else")) {
        walk_scope(w);
    }
    (void)accept(w, "end");
}

// `function a.b:c()`: only a plain name is assigned.
static void walk_function_statement(walker *w)
{
    knl_token name = w->token;
    bool is_method = false;
    advance(w);
    if (is(w, ".") || is(w, ":")) {
        while (is(w, ".") || is(w, ":")) {
            is_method = is(w, ":");
            advance(w);
            advance(w);
        }
    } else {
        check_assigned(w, &name);
    }
    walk_function(w, NULL, is_method);
}

// A call, or an assignment to one or more places.
static void walk_expression_statement(walker *w)
{
    bool is_call = false;
    do {
        if (is_assigned_name(w)) {
            knl_token name = w->token;
            variable *v = variable_find(w, &name);
            if (v != NULL) {
                v->type = (value_type){0};
            }
            check_assigned(w, &name);
            advance(w);
        } else {
            (void)walk_suffixed(w, &is_call);
        }
    } while (accept(w, ",") && !w->is_lost);
    if (accept(w, "=")) {
        walk_list(w);
    }
}

static bool ends_block(const walker *w)
{
    return w->token.kind == KNL_TOKEN_END || is(w, "end") || is(w, "else") || is(w, "elseif") ||
           is(w, "until");
}

static void walk_statement(walker *w)
{
    if (accept(w, ";") || accept(w, "break")) {
        return;
    }
    if (accept(w, "goto")) {
        advance(w);
        return;
    }
    if (accept(w, "::")) {
        advance(w);
        (void)accept(w, "::");
        return;
    }
    if (accept(w, "if")) {
        walk_if(w);
    } else if (accept(w, "while")) {
        (void)walk_expression(w);
        (void)accept(w, "do");
        walk_scope(w);
        (void)accept(w, "end");
    } else if (accept(w, "do")) {
        walk_scope(w);
        (void)accept(w, "end");
    } else if (accept(w, "for")) {
        walk_for(w);
    } else if (accept(w, "repeat")) {
        uint32_t count = w->variable_count;
        walk_block(w);
        (void)accept(w, "until");
        (void)walk_expression(w);
        w->variable_count = count;
    } else if (accept(w, "function")) {
        walk_function_statement(w);
    } else if (accept(w, "local")) {
        walk_local(w);
    } else if (accept(w, "return")) {
        if (!ends_block(w) && !is(w, ";")) {
            walk_list(w);
        }
    } else {
        walk_expression_statement(w);
    }
}

static void walk_block(walker *w)
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
    walker *w = lua_touserdata(L, 1);
    luaL_checkstack(L, 20, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_SHARED);
    w->globals = lua_gettop(L);
    lua_newtable(L); // words that are kept
    advance(w);
    advance(w);
    walk_block(w);
    return 0;
}

void knl_script_lint(kn_script *script, const kn_library *library, const char *text, size_t size,
    kn_data_tell_fn *tell_fn, void *user)
{
    walker *w = knl_script_realloc(script, NULL, 0, sizeof(*w));
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
