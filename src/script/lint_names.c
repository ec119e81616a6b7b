// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Names in a chunk: whether the API, the library, the definition around them or the globals have
// them, and which was meant if not.

#include "lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Reports ---------------------------------------------------------------------

void knl_lint_report(knl_walker *w, const knl_token *at, const char *lint, const char *format, ...)
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

static char letter_small(char letter)
{
    return (char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
}

// Insertions, removals, changes and swaps that make one word the other; letters alike in both
// cases.
static uint32_t word_distance(const char *a, const char *b)
{
    uint32_t rows[3][KNL_LINT_WORD + 1];
    size_t length = strlen(a), other = strlen(b);
    if (length > KNL_LINT_WORD || other > KNL_LINT_WORD) {
        return UINT32_MAX;
    }
    for (uint32_t j = 0; j <= other; j++) {
        rows[0][j] = j;
    }
    for (uint32_t i = 1; i <= length; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= other; j++) {
            uint32_t change = above[j - 1] + (letter_small(a[i - 1]) != letter_small(b[j - 1]));
            uint32_t least = above[j] < row[j - 1] ? above[j] + 1 : row[j - 1] + 1;
            least = change < least ? change : least;
            bool is_swap = i > 1 && j > 1 && letter_small(a[i - 1]) == letter_small(b[j - 2]) &&
                           letter_small(a[i - 2]) == letter_small(b[j - 1]);
            row[j] = is_swap && before[j - 2] + 1 < least ? before[j - 2] + 1 : least;
        }
    }
    return rows[length % 3][other];
}

knl_nearest knl_nearest_to(const knl_token *token)
{
    knl_nearest n = {.distance = UINT32_MAX};
    size_t length = token->length < KNL_LINT_WORD ? token->length : KNL_LINT_WORD;
    memcpy(n.wanted, token->text, length);
    return n;
}

void knl_nearest_try(knl_nearest *n, const char *word)
{
    uint32_t distance = word_distance(n->wanted, word);
    size_t length = strlen(n->wanted);
    if (distance < n->distance && distance < length && distance <= 1 + length / 4) {
        n->distance = distance;
        n->word = word;
    }
}

knl_hint knl_nearest_hint(const knl_nearest *n)
{
    knl_hint h = {""};
    if (n->word != NULL) {
        (void)snprintf(h.text, sizeof(h.text), "; did you mean `%.*s`?", KNL_LINT_WORD, n->word);
    }
    return h;
}

// Classes -------------------------------------------------------------------

static const knl_class *class_named(const knl_own *own, const char *name, size_t length)
{
    const knl_class *table;
    for (uint32_t i = 0; (table = knl_own_result(own, i)) != NULL; i++) {
        if (strlen(table->name) == length && strncmp(table->name, name, length) == 0) {
            return table;
        }
    }
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
knl_value_type knl_type_read(const knl_own *own, const char *text)
{
    knl_value_type type = {0};
    if (text == NULL || strncmp(text, "kn.", 3) != 0) {
        return type;
    }
    size_t length = strcspn(text + 3, "?|,[]:) ");
    const char *rest = text + 3 + length;
    type.class = class_named(own, text + 3, length);
    type.is_list = type.class != NULL && strncmp(rest, "[]", 2) == 0;
    rest += type.is_list ? 2 : 0;
    rest += *rest == '?';
    // "kn.effect|true|nil": may be something else, about which nothing is known.
    if (*rest == '|' && strncmp(rest, "|nil", 4) != 0) {
        return (knl_value_type){0};
    }
    return type;
}

// All rows of a class in turn, those that games and kits bring last; NULL at the end.
static const knl_row *row_run(const knl_own *own, const knl_class *class, uint32_t index)
{
    return index < KNL_ROWS_MAX ? class->rows[index] : knl_own_rows(own, class);
}

const knl_row *knl_row_of(const knl_own *own, const knl_class *class, const knl_token *name)
{
    for (uint32_t i = 0; i <= KNL_ROWS_MAX; i++) {
        const knl_row *row = row_run(own, class, i);
        for (; row != NULL && row->name != NULL; row++) {
            if (knl_token_reads(name, row->name)) {
                return row;
            }
        }
    }
    return NULL;
}

static const knl_field_row *field_of(const knl_class *class, const knl_token *name)
{
    for (const knl_field_row *f = class->fields; f != NULL && f->name != NULL; f++) {
        if (knl_token_reads(name, f->name)) {
            return f;
        }
    }
    return NULL;
}

static void nearest_of_class(knl_nearest *n, const knl_own *own, const knl_class *class)
{
    for (const knl_field_row *f = class->fields; f != NULL && f->name != NULL; f++) {
        knl_nearest_try(n, f->name);
    }
    for (uint32_t i = 0; i <= KNL_ROWS_MAX; i++) {
        const knl_row *row = row_run(own, class, i);
        for (; row != NULL && row->name != NULL; row++) {
            knl_nearest_try(n, row->name);
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
const knl_row *knl_row_anywhere(const knl_own *own, const knl_token *name)
{
    const knl_row *found = NULL;
    for (int i = 1; i < CLASS_COUNT; i++) {
        const knl_row *row = knl_row_of(own, class_at(i), name);
        if (row != NULL && found != NULL && row != found) {
            return NULL;
        }
        found = row != NULL ? row : found;
    }
    return found;
}

// Whether the text has this name where it could define a field: before '=' or after 'function'.
static bool is_defined_here(const knl_walker *w, const knl_token *name)
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
        if (at.kind == KNL_TOKEN_NAME && knl_token_equals(&at, name) &&
            (is_function || knl_token_is(&next, "="))) {
            return true;
        }
        at = next;
    }
    return false;
}

// A method of an unknown value: only a name that is close to one of the API is reported.
void knl_lint_unknown_method(knl_walker *w, const knl_token *name)
{
    knl_nearest n = knl_nearest_to(name);
    for (int i = 1; i < CLASS_COUNT; i++) {
        if (knl_row_of(w->own, class_at(i), name) != NULL || field_of(class_at(i), name) != NULL) {
            return;
        }
        nearest_of_class(&n, w->own, class_at(i));
    }
    for (const knl_library_row *row = knl_library_rows; row->name != NULL; row++) {
        if (row->module != NULL && strcmp(row->module, "string") == 0 &&
            knl_token_reads(name, row->name)) {
            return;
        }
    }
    if (n.word != NULL && n.distance <= 2 && !is_defined_here(w, name)) {
        knl_lint_report(w, name, "script-api", "there is no function `%.*s`%s", (int)name->length,
            name->text, knl_nearest_hint(&n).text);
    }
}

// Names in text -------------------------------------------------------------

static void check_def(knl_walker *w, const knl_token *token, kn_def_kind def, const char *title)
{
    char name[KNL_LINT_WORD * 2];
    if (token->has_escapes || token->length >= sizeof(name)) {
        return;
    }
    memcpy(name, token->text, token->length);
    name[token->length] = '\0';
    if (strlen(name) != token->length || kn_def_find(w->library, def, name) != 0) {
        return;
    }
    knl_nearest n = knl_nearest_to(token);
    for (uint32_t i = 1; i <= kn_def_count(w->library, def); i++) {
        knl_nearest_try(&n, kn_def_name(w->library, def, i));
    }
    knl_lint_report(
        w, token, "script-name", "there is no %s `%s`%s", title, name, knl_nearest_hint(&n).text);
}

static void check_name(knl_walker *w, const knl_token *token, knl_name_kind kind)
{
    check_def(w, token, knl_name_def_kind(kind), knl_name_titles[kind]);
}

static void check_enum(knl_walker *w, const knl_token *token, const knl_param *param)
{
    const char *const *words = param->extra;
    knl_nearest n = knl_nearest_to(token);
    for (uint32_t i = 0; i < param->number; i++) {
        if (knl_token_reads(token, words[i])) {
            return;
        }
        if (words[i][0] != '\0') {
            knl_nearest_try(&n, words[i]);
        }
    }
    knl_lint_report(w, token, "script-name", "`%.*s` is not one of the words allowed here%s",
        (int)token->length, token->text, knl_nearest_hint(&n).text);
}

static void check_handler(knl_walker *w, const knl_token *token)
{
    const knl_definition *d = &w->definition;
    knl_nearest n = knl_nearest_to(token);
    if (d->info == NULL || !d->info->has_continuations) {
        return;
    }
    char names[KNL_LINT_KEYS][KNL_LINT_WORD + 1];
    for (uint32_t i = 0; i < d->function_count; i++) {
        if (knl_token_equals(&d->functions[i], token)) {
            return;
        }
        size_t length =
            d->functions[i].length < KNL_LINT_WORD ? d->functions[i].length : KNL_LINT_WORD;
        memcpy(names[i], d->functions[i].text, length);
        names[i][length] = '\0';
        knl_nearest_try(&n, names[i]);
    }
    knl_lint_report(w, token, "script-hook", "%s `%.*s` has no function `%.*s`%s", d->info->name,
        (int)d->name.length, d->name.text, (int)token->length, token->text,
        knl_nearest_hint(&n).text);
}

// A string in a place whose type is known.
void knl_lint_string(knl_walker *w, const knl_token *token, const knl_param *given)
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
    } else if (param.type == KNL_T_DEF) {
        kn_def_kind kind = (kn_def_kind)((const kn_def_field *)param.extra)->limit;
        check_def(w, token, kind, kn_kind_name(w->library, kind));
    } else if (param.type >= KNL_T_NAME) {
        check_name(w, token, (knl_name_kind)(param.type - KNL_T_NAME));
    }
}

static const knl_param *option_of(const knl_param *options, const knl_token *name)
{
    for (; options != NULL && options->type != KNL_T_END; options++) {
        if (knl_token_reads(name, options->name)) {
            return options;
        }
    }
    return NULL;
}

// A key of a table in a place whose type is known; what its value must be.
const knl_param *knl_lint_key(knl_walker *w, const knl_token *key, const knl_param *param)
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
        knl_nearest n = knl_nearest_to(key);
        for (const knl_param *o = param->extra; o->type != KNL_T_END; o++) {
            knl_nearest_try(&n, o->name);
        }
        knl_lint_report(w, key, "script-api", "there is no option `%.*s`%s", (int)key->length,
            key->text, knl_nearest_hint(&n).text);
    }
    return option;
}

// Fields and globals ----------------------------------------------------------

static bool global_exists(const knl_walker *w, const knl_token *name)
{
    lua_pushlstring(w->L, name->text, name->length);
    bool is_there = lua_rawget(w->L, w->globals) != LUA_TNIL;
    lua_pop(w->L, 1);
    return is_there;
}

static void nearest_global(knl_walker *w, knl_nearest *n)
{
    for (uint32_t i = w->variable_count; i > 0; i--) {
        const knl_token *name = &w->variables[i - 1].name;
        char word[KNL_LINT_WORD + 1];
        size_t length = name->length < KNL_LINT_WORD ? name->length : KNL_LINT_WORD;
        memcpy(word, name->text, length);
        word[length] = '\0';
        if (word_distance(n->wanted, word) < n->distance) {
            lua_pushlstring(w->L, word, length); // kept by the table of words
            lua_pushvalue(w->L, -1);
            lua_pushboolean(w->L, 1);
            lua_rawset(w->L, w->globals + 1);
            knl_nearest_try(n, lua_tostring(w->L, -1));
            lua_pop(w->L, 1);
        }
    }
    lua_pushnil(w->L);
    while (lua_next(w->L, w->globals) != 0) {
        lua_pop(w->L, 1);
        if (lua_type(w->L, -1) == LUA_TSTRING) {
            knl_nearest_try(n, lua_tostring(w->L, -1));
        }
    }
}

knl_value_type knl_lint_global(knl_walker *w, const knl_token *name)
{
    static const char *const modules[] = {"math", "string", "table", "kn"};
    knl_value_type type = {0};
    if (knl_token_reads(name, "world")) {
        type.class = &knl_class_world;
    }
    const knl_class *module;
    for (uint32_t i = 0; (module = knl_own_module(w->own, i)) != NULL; i++) {
        type.class = knl_token_reads(name, module->name) ? module : type.class;
    }
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        type.module = knl_token_reads(name, modules[i]) ? modules[i] : type.module;
    }
    if (!global_exists(w, name) && !knl_token_reads(name, "_ENV")) {
        knl_nearest n = knl_nearest_to(name);
        nearest_global(w, &n);
        knl_lint_report(w, name, "script-global", "there is no variable `%.*s`%s",
            (int)name->length, name->text, knl_nearest_hint(&n).text);
    }
    return type;
}

static void check_module(knl_walker *w, const char *module, const knl_token *name)
{
    char word[KNL_LINT_WORD + 1] = "";
    size_t length = name->length < KNL_LINT_WORD ? name->length : KNL_LINT_WORD;
    memcpy(word, name->text, length);
    lua_getfield(w->L, w->globals, module);
    bool is_there = true;
    knl_nearest n = knl_nearest_to(name);
    if (knl_frozen_content(w->L, -1)) {
        is_there = lua_getfield(w->L, -1, word) != LUA_TNIL;
        lua_pop(w->L, 1);
        lua_pushnil(w->L);
        while (!is_there && lua_next(w->L, -2) != 0) {
            lua_pop(w->L, 1);
            if (lua_type(w->L, -1) == LUA_TSTRING) {
                knl_nearest_try(&n, lua_tostring(w->L, -1));
            }
        }
        lua_settop(w->L, lua_gettop(w->L) - (is_there ? 2 : 1));
    }
    lua_pop(w->L, 1);
    if (!is_there) {
        bool is_random = strcmp(module, "math") == 0 && strcmp(word, "random") == 0;
        knl_lint_report(w, name, "script-api", "there is no `%s.%s`%s", module, word,
            is_random ? "; `world.random` and `self:random` roll back" : knl_nearest_hint(&n).text);
    }
}

static void check_state(knl_walker *w, const knl_token *name)
{
    const knl_definition *d = &w->definition;
    if (d->info == NULL || !d->has_states) {
        return;
    }
    for (uint32_t i = 0; i < d->state_count; i++) {
        if (knl_token_equals(&d->states[i], name)) {
            return;
        }
    }
    knl_lint_report(w, name, "script-api", "the state of %s `%.*s` has no field `%.*s`",
        d->info->name, (int)d->name.length, d->name.text, (int)name->length, name->text);
}

// `.name`: the value it gives.
knl_value_type knl_lint_field(knl_walker *w, knl_value_type of, const knl_token *name)
{
    knl_value_type none = {0};
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
        knl_value_type type = knl_type_read(w->own, field->type);
        type.is_state = strcmp(field->name, "state") == 0;
        return type;
    }
    if (knl_row_of(w->own, of.class, name) == NULL) {
        knl_nearest n = knl_nearest_to(name);
        nearest_of_class(&n, w->own, of.class);
        bool is_module = knl_class_is_module(w->own, of.class);
        knl_lint_report(w, name, "script-api", "%s%s has no `%.*s`%s", is_module ? "" : "kn.",
            of.class->name, (int)name->length, name->text, knl_nearest_hint(&n).text);
    }
    return none;
}
