// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scripts of libraries that are built from data files: one script per build.

#include "internal.h"

struct kn_script_loader {
    kn_script_def def;
    kn_script *script; // the script of the last build
};

kn_result kn_script_loader_create(const kn_script_def *def, kn_script_loader **out)
{
    kn_script_def own = def != NULL ? *def : kn_script_def_default();
    kn_script_loader *loader = kn_memory_resize(&own.hooks, NULL, 0, sizeof(*loader));
    *out = loader;
    if (loader == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *loader = (kn_script_loader){.def = own};
    return KN_OK;
}

void kn_script_loader_destroy(kn_script_loader *loader)
{
    if (loader != NULL) {
        kn_hooks hooks = loader->def.hooks;
        kn_script_destroy(loader->script);
        kn_memory_free(&hooks, loader, sizeof(*loader));
    }
}

kn_script *kn_script_loader_script(const kn_script_loader *loader)
{
    return loader->script;
}

static kn_result loader_begin(void *user, kn_library *library, kn_error *error)
{
    kn_script_loader *loader = user;
    kn_script_destroy(loader->script);
    loader->script = NULL;
    return kn_script_create(library, &loader->def, &loader->script, error);
}

static kn_result loader_load(
    void *user, const char *name, const char *text, size_t size, kn_error *error)
{
    kn_script_loader *loader = user;
    return kn_script_load(loader->script, name, text, size, error);
}

// Kinds that are registered as a function.
static kn_result bind_function(
    kn_script *script, kn_library *library, kn_def_kind kind, const char *name, kn_error *error)
{
    kn_result result = KN_REFUSED_NOT_FOUND;
    if (kind == KN_DEF_REQUIREMENT) {
        kn_script_requirement bound;
        kn_requirement_id id;
        result = kn_script_bind_requirement(script, name, &bound, error);
        return result != KN_OK
                   ? result
                   : kn_requirement_register(library, name, bound.function, bound.user, &id, error);
    }
    if (kind == KN_DEF_CONDITION) {
        kn_script_condition bound;
        kn_condition_id id;
        result = kn_script_bind_condition(script, name, &bound, error);
        return result != KN_OK
                   ? result
                   : kn_condition_register(library, name, bound.function, bound.user, &id, error);
    }
    if (kind == KN_DEF_POLICY) {
        kn_script_policy bound;
        kn_policy_id id;
        result = kn_script_bind_policy(script, name, &bound, error);
        return result != KN_OK
                   ? result
                   : kn_policy_register(library, name, bound.function, bound.user, &id, error);
    }
    if (kind == KN_DEF_TIMER) {
        kn_script_timer bound;
        kn_timer_type_id id;
        result = kn_script_bind_ticker(script, name, &id, error);
        if (result != KN_REFUSED_NOT_FOUND) {
            return result;
        }
        result = kn_script_bind_timer(script, name, &bound, error);
        return result != KN_OK
                   ? result
                   : kn_timer_type_register(library, name, bound.function, bound.user, &id, error);
    }
    return result;
}

static kn_result loader_bind(
    void *user, kn_library *library, kn_def_kind kind, const char *name, void *def, kn_error *error)
{
    kn_script *script = ((kn_script_loader *)user)->script;
    switch (kind) {
    case KN_DEF_ABILITY:
        return kn_script_bind_ability(script, name, def, error);
    case KN_DEF_TASK:
        return kn_script_bind_task(script, name, def, error);
    case KN_DEF_EFFECT_LOGIC:
        return kn_script_bind_logic(script, name, def, error);
    case KN_DEF_CALCULATION:
        return kn_script_bind_calculation(script, name, def, error);
    case KN_DEF_EXECUTION:
        return kn_script_bind_execution(script, name, def, error);
    case KN_DEF_ATTRIBUTE_SET:
        return kn_script_bind_attribute_hooks(
            script, name, &((kn_attribute_set_def *)def)->hooks, error);
    case KN_DEF_EVENT_KIND:
        return kn_script_bind_event_kind(script, name, def, error);
    case KN_DEF_COMPONENT:
        return kn_script_bind_component(script, name, def, error);
    case KN_DEF_RULE:
        return kn_script_bind_rule(script, name, def, error);
    case KN_DEF_WATCH:
        return kn_script_bind_watch(script, name, def, error);
    case KN_DEF_COMMAND:
        return kn_script_bind_command(script, name, def, error);
    case KN_DEF_TICKER:
        return kn_script_bind_ticker_def(script, name, def, error);
    case KN_DEF_SYSTEM:
        return kn_script_bind_system(script, name, def, error);
    case KN_DEF_CHECK:
        return kn_script_bind_check(script, name, def, error);
    case KN_DEF_TARGETING:
        return kn_script_bind_targeting(script, name, def, error);
    default:
        if (kind >= KN_DEF_KIND_OWN) {
            return kn_script_bind_kind(script, kind, name, def, error);
        }
        return bind_function(script, library, kind, name, error);
    }
}

static void loader_lint(void *user, const kn_library *library, const char *text, size_t size,
    kn_data_report_fn *tell, void *tell_user)
{
    const kn_script_loader *loader = user;
    knl_script_lint(loader->script, library, text, size, tell, tell_user);
}

kn_data_scripts kn_script_loader_scripts(kn_script_loader *loader)
{
    kn_data_scripts scripts = {.user = loader,
        .begin = loader_begin,
        .load = loader_load,
        .bind = loader_bind,
        .lint = loader_lint};
    return scripts;
}
