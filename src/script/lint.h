// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the lints of scripts share: the walk over a chunk (lint.c) and what is known of names
// (lint_names.c).
#ifndef KNL_SCRIPT_LINT_H
#define KNL_SCRIPT_LINT_H

#include "internal.h"
#include "lexer.h"

#define KNL_LINT_VARIABLES 512
#define KNL_LINT_KEYS 128
#define KNL_LINT_WORD 96 // bytes of a name that is looked for

// What is known of a value.
typedef struct knl_value_type {
    const knl_class *class; // NULL: nothing
    const char *module;     // "math", "kn": a module that is not a class
    bool is_list;           // of the class
    bool is_state;          // self.state
} knl_value_type;

typedef struct knl_variable {
    knl_token name;
    knl_value_type type;
} knl_variable;

// The definition around the place: what its table has.
typedef struct knl_definition {
    const knl_def_info *info; // NULL: none
    knl_token name;
    knl_token functions[KNL_LINT_KEYS];
    uint32_t function_count;
    knl_token states[KNL_LINT_KEYS];
    uint32_t state_count;
    bool has_states; // and all of them are known
} knl_definition;

typedef struct knl_walker {
    knl_lexer lexer;
    knl_token token, ahead;
    const char *text;
    size_t size;
    lua_State *L;
    int globals; // on the stack: those of all chunks
    const kn_library *library;
    const knl_own *own; // functions of games and kits
    knl_variable variables[KNL_LINT_VARIABLES];
    uint32_t variable_count;
    knl_definition definition;
    uint32_t function_depth;
    uint32_t depth;
    bool is_lost; // more than it can keep: nothing is said any more
    kn_data_report_fn *tell;
    void *user;
} knl_walker;

// The word that was most likely meant, as far as it was found.
typedef struct knl_nearest {
    char wanted[KNL_LINT_WORD + 1];
    const char *word;
    uint32_t distance;
} knl_nearest;

// "; did you mean `x`?", or nothing.
typedef struct knl_hint {
    char text[KNL_LINT_WORD + 32];
} knl_hint;

knl_nearest knl_nearest_to(const knl_token *token);
void knl_nearest_try(knl_nearest *n, const char *word);
knl_hint knl_nearest_hint(const knl_nearest *n);

// Reports something about the token.
void knl_lint_report(knl_walker *w, const knl_token *at, const char *lint, const char *format, ...)
    KN_PRINTF(4, 5);

// The first type of a list as the reference has it: "kn.effect|nil, refusal?".
knl_value_type knl_type_read(const knl_own *own, const char *text);
const knl_row *knl_row_of(const knl_own *own, const knl_class *class, const knl_token *name);
// The only row of this name; NULL if there is none, or several with other parameters.
const knl_row *knl_row_anywhere(const knl_own *own, const knl_token *name);

// Each reports what is wrong with a name in its place.

// A global; its type.
knl_value_type knl_lint_global(knl_walker *w, const knl_token *name);
// A field of a value; its type.
knl_value_type knl_lint_field(knl_walker *w, knl_value_type of, const knl_token *name);
// A method of a value of which nothing is known.
void knl_lint_unknown_method(knl_walker *w, const knl_token *name);
// A string for a parameter, which is NULL where nothing is known of it.
void knl_lint_string(knl_walker *w, const knl_token *token, const knl_param *given);
// A key of a table for a parameter; what its value must be.
const knl_param *knl_lint_key(knl_walker *w, const knl_token *key, const knl_param *param);

#endif
