// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the functions for scripts have in common: how they are registered, and how they return lists
// of any length.

#include "script_part.h"

#include "parts.h"

#include <stdlib.h>

kn_result knc_functions_register(
    kn_library *library, const script_function *functions, uint32_t count, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < count; i++) {
        const script_function *f = &functions[i];
        kn_def_table table = {"arguments", f->size != 0 ? f->size : sizeof(script_args), f->fields,
            f->field_count, NULL};
        kn_function_def def = kn_function_def_default();
        def.name = f->name;
        def.text = f->text;
        def.arguments = &table;
        def.required = f->required;
        def.results = f->results;
        def.form = f->form;
        def.flags = f->flags;
        def.function = f->function;
        result = kn_function_register(library, &def, error);
    }
    return result;
}

kn_result knc_function_list(const kn_function_call *call, script_list_fn *list, size_t size)
{
    max_align_t few[8192 / sizeof(max_align_t)];
    uint8_t *elements = (uint8_t *)few;
    uint32_t count = list(call, few, (uint32_t)(sizeof(few) / size));
    if (count > sizeof(few) / size) {
        elements = malloc(count * size);
        if (elements == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        (void)list(call, elements, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        kn_function_add(call, elements + i * size);
    }
    if (elements != (uint8_t *)few) {
        free(elements);
    }
    return KN_OK;
}

kn_result knc_script_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)kit;
    kn_result result = knc_script_casts_register(library, error);
    result = result != KN_OK ? result : knc_script_fights_register(library, error);
    return result != KN_OK ? result : knc_script_buffs_register(library, error);
}
