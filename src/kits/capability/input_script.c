// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions of input for scripts.

#include "parts.h"

#include "knack/function.h"

// One struct for all of them; each uses the fields that it names.
typedef struct input_arguments {
    kn_entity_id entity, controller;
    uint32_t number;
    kn_input_action_id action;
    kn_input_context_id context;
    kn_input_trigger on;
} input_arguments;

typedef struct input_results {
    kn_vec3 value;
} input_results;

static void arguments_init(void *arguments)
{
    ((input_arguments *)arguments)->on = KN_INPUT_TRIGGER_TRIGGERED;
}

static kn_result value_call(void *user, const kn_function_call *call)
{
    const input_arguments *a = call->arguments;
    input_results *r = call->results;
    (void)user;
    r->value = kn_capability_action_value(call->world, a->entity, a->action);
    return KN_OK;
}

static kn_result bind_action_call(void *user, const kn_function_call *call)
{
    const input_arguments *a = call->arguments;
    (void)user;
    return kn_capability_bind_action(call->writable, a->entity, a->number, a->action, a->on);
}

static kn_result bind_context_call(void *user, const kn_function_call *call)
{
    const input_arguments *a = call->arguments;
    (void)user;
    return kn_capability_bind_context(call->writable, a->entity, a->number, a->context);
}

static kn_result use_call(void *user, const kn_function_call *call)
{
    const input_arguments *a = call->arguments;
    (void)user;
    return kn_capability_use_input(call->writable, a->entity, a->number);
}

static kn_result stop_call(void *user, const kn_function_call *call)
{
    const input_arguments *a = call->arguments;
    (void)user;
    return kn_capability_stop_input(call->writable, a->entity, a->number);
}

static kn_result set_call(void *user, const kn_function_call *call)
{
    const input_arguments *a = call->arguments;
    (void)user;
    return kn_capability_set_controller(
        call->writable, a->entity, (kn_controller){a->controller, a->number, 0});
}

static kn_result remove_call(void *user, const kn_function_call *call)
{
    const input_arguments *a = call->arguments;
    (void)user;
    return kn_capability_remove_controller(call->writable, a->entity);
}

#define ENTITY KN_DEF_F(input_arguments, entity, KN_FIELD_ENTITY, NULL)
#define NUMBER                                                                                     \
    KN_DEF_F(input_arguments, number, KN_FIELD_U32,                                                \
        "Number of the capability on the entity, as its functions get it.")
#define ACTION KN_DEF_F_KIND(input_arguments, action, "input action", "The action.")

static const kn_def_field value_fields[] = {ENTITY, ACTION};
static const kn_def_field bind_action_fields[] = {
    ENTITY,
    NUMBER,
    ACTION,
    KN_DEF_F_ENUM(input_arguments, on, knc_capability_input_trigger_words,
        "What happens to it; default triggered."),
};
static const kn_def_field bind_context_fields[] = {
    ENTITY,
    NUMBER,
    KN_DEF_F_KIND(input_arguments, context, "input context", "The context."),
};
static const kn_def_field number_fields[] = {ENTITY, NUMBER};
static const kn_def_field set_fields[] = {
    ENTITY,
    KN_DEF_F(input_arguments, number, KN_FIELD_U32, "A number, such as that of the player."),
    KN_DEF_F(input_arguments, controller, KN_FIELD_ENTITY, "The entity that controls it."),
};
static const kn_def_field entity_fields[] = {ENTITY};
static const kn_def_field result_fields[] = {
    KN_DEF_F(input_results, value, KN_FIELD_VEC3, "Its value."),
};
static const kn_def_table result_table = {
    "action_value", sizeof(input_results), result_fields, 1, NULL};

typedef struct input_function {
    const char *name, *text;
    const kn_def_field *fields;
    uint32_t field_count, required;
    kn_function_fn *function;
} input_function;

#define FIELDS(array) (array), (uint32_t)(sizeof(array) / sizeof(*(array)))

static const input_function functions[] = {
    {"entity:action_value", "The value that an input action has now; 0 if it is not held.",
        FIELDS(value_fields), 2, value_call},
    {"entity:bind_action", "Binds a capability to an input action, until its controller goes.",
        FIELDS(bind_action_fields), 3, bind_action_call},
    {"entity:bind_context", "Lets a capability use a mapping context, until its controller goes.",
        FIELDS(bind_context_fields), 3, bind_context_call},
    {"entity:use_input", "Switches the mapping contexts of a capability on.", FIELDS(number_fields),
        2, use_call},
    {"entity:stop_input", "Switches the mapping contexts of a capability off.",
        FIELDS(number_fields), 2, stop_call},
    {"entity:set_controller", "Says who controls the entity, to its capabilities.",
        FIELDS(set_fields), 2, set_call},
    {"entity:remove_controller", "Says that nobody controls the entity any more.",
        FIELDS(entity_fields), 1, remove_call},
};

kn_result knc_capability_input_functions_register(
    kn_library *library, capability_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    (void)kit;
    for (size_t i = 0; result == KN_OK && i < sizeof(functions) / sizeof(*functions); i++) {
        const input_function *f = &functions[i];
        const kn_def_table table = {
            "arguments", sizeof(input_arguments), f->fields, f->field_count, arguments_init};
        bool reads = f->function == value_call;
        kn_function_def def = kn_function_def_default();
        def.name = f->name;
        def.text = f->text;
        def.arguments = &table;
        def.required = f->required;
        def.results = reads ? &result_table : NULL;
        def.flags = reads ? 0 : KN_FUNCTION_CHANGES | KN_FUNCTION_REFUSES;
        def.function = f->function;
        result = kn_function_register(library, &def, error);
    }
    return result;
}
