// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the functions for scripts share (knack/function.h). Those of a part have the arguments of
// one struct, of which each names those it takes.
#ifndef KNACK_RTS_SCRIPT_PARTS_H
#define KNACK_RTS_SCRIPT_PARTS_H

#include "parts.h"

typedef struct function_row {
    const char *name, *text;
    kn_function_fn *function;
    const kn_def_field *fields;
    uint32_t field_count, required;
    const kn_def_table *results; // NULL: it changes something, and may be refused
    kn_function_form form;
    uint32_t flags; // beside those
} function_row;

#define ARGS(fields, required_) fields, COUNT(fields), required_
#define MAY_CHANGE (KN_FUNCTION_CHANGES | KN_FUNCTION_REFUSES)

// rts_script.c: registers functions whose arguments are of a size; `init` may be NULL.
kn_result knc_rts_functions_add(kn_library *library, const function_row *rows, uint32_t count,
    uint32_t size, void (*init)(void *arguments), kn_error *error);

#endif
