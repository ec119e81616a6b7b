// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What follows from definitions: components for states, lanes with a system each, and plans that
// runs look at instead of definitions.

#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 160
#define STATE_SIZE_MAX UINT32_C(65536)

// Components ------------------------------------------------------------------

static uint32_t field_bytes(kn_field_kind kind)
{
    switch (kind) {
    case KN_FIELD_U8:
    case KN_FIELD_BOOL:
        return 1;
    case KN_FIELD_U16:
        return 2;
    case KN_FIELD_VEC3:
        return 12;
    case KN_FIELD_U64:
    case KN_FIELD_I64:
    case KN_FIELD_TIME:
    case KN_FIELD_ENTITY:
    case KN_FIELD_EFFECT:
    case KN_FIELD_ABILITY:
    case KN_FIELD_ACTIVATION:
    case KN_FIELD_TASK:
    case KN_FIELD_TIMER:
    case KN_FIELD_SPEC:
        return 8;
    default:
        return 4;
    }
}

// The fields of a state follow those of the kit, one after the other.
static uint32_t state_layout(const kn_capability_def *def, kn_field *fields)
{
    uint32_t at = sizeof(state_head);
    fields[0] = (kn_field)KN_FIELD_INIT("capability_number", KN_FIELD_U32, 0, 1);
    fields[1] = (kn_field)KN_FIELD_INIT("capability_unused", KN_FIELD_U32, 4, 1);
    for (uint32_t i = 0; i < def->state_count; i++) {
        uint32_t count = def->state[i].count > 0 ? def->state[i].count : 1;
        fields[2 + i] = def->state[i];
        fields[2 + i].offset = at;
        at += field_bytes(def->state[i].kind) * count;
    }
    return at;
}

static kn_result component_register(
    kn_library *library, const kn_component_def *def, kn_component_type_id *type, kn_error *error)
{
    kn_result result = kn_component_register(library, def, type, error);
    if (result == KN_REFUSED_DUPLICATE) { // the library is finished for a second time
        *type = kn_component_find(library, def->name);
        result = type->index1 != 0 ? KN_OK : result;
    }
    return result;
}

// Presenters keep the state of a capability that presents, so its fields are checked only.
static kn_result presented_state_check(const kn_library *library, const kn_capability_def *def,
    kn_field *fields, uint32_t size, kn_error *error)
{
    for (uint32_t i = 0; i < def->state_count; i++) {
        fields[i].offset -= (uint32_t)sizeof(state_head);
    }
    if (size > STATE_SIZE_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability `%s`: its state must have at most %u bytes", def->name, STATE_SIZE_MAX);
    }
    return kn_fields_check(
        library, "state of capability", def->name, fields, def->state_count, size, error);
}

static kn_result state_register(
    kn_library *library, const kn_capability_def *def, capability_plan *plan, kn_error *error)
{
    if (def->state_count == 0) {
        return KN_OK;
    }
    char name[NAME_SIZE];
    kn_field *fields = calloc(def->state_count + 2, sizeof(*fields));
    if (fields == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    (void)snprintf(name, sizeof(name), "Capability.%s", def->name);
    kn_component_def component = kn_component_def_default();
    component.name = name;
    component.size = state_layout(def, fields);
    component.fields = fields;
    component.field_count = def->state_count + 2;
    component.several = !plan->is_single;
    component.sync = KN_SYNC_NONE;
    plan->state_size = component.size - (uint32_t)sizeof(state_head);
    kn_result result =
        def->presents ? presented_state_check(library, def, fields + 2, plan->state_size, error)
                      : component_register(library, &component, &plan->state, error);
    free(fields);
    return result;
}

// Lanes -----------------------------------------------------------------------------

static bool is_lane(const lane *l, uint32_t rate, const char *group)
{
    return l->rate == rate && (l->rate == 0 || strcmp(l->group, group) == 0);
}

static kn_result lane_register(kn_library *library, capability_kit *kit, uint32_t rate,
    const char *group, uint8_t *index, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD(lane_mark, unused, KN_FIELD_U32)};
    for (uint32_t i = 0; i < kit->lane_count; i++) {
        if (is_lane(&kit->lanes[i], rate, group)) {
            *index = (uint8_t)i;
            return KN_OK;
        }
    }
    if (kit->lane_count == LANES_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capabilities run in more than %u combinations of rate and group: use fewer",
            LANES_MAX);
    }
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof(name), "Knack.Lane.%u.%s", rate, rate == 0 ? "host" : group);
    kn_component_def mark = kn_component_def_default();
    mark.name = name;
    mark.size = sizeof(lane_mark);
    mark.fields = fields;
    mark.field_count = 1;
    mark.sync = KN_SYNC_NONE;
    *index = (uint8_t)kit->lane_count;
    lane *l = &kit->lanes[kit->lane_count];
    l->rate = rate;
    l->group = group;
    kn_result result = component_register(library, &mark, &l->mark, error);
    kit->lane_count++;
    return result != KN_OK || rate == 0
               ? result
               : knc_capability_system_register(library, kit, *index, error);
}

static kn_result set_lanes_register(kn_library *library, capability_kit *kit,
    const kn_capability_set_def *def, set_plan *plan, kn_error *error)
{
    for (uint32_t i = 0; i < def->capability_count; i++) {
        const kn_capability_def *capability =
            kn_def_get(library, kit->capability_kind, def->capabilities[i].index1);
        const char *group = capability->group != NULL ? capability->group
                            : def->group != NULL      ? def->group
                                                      : "rules";
        kn_result result = lane_register(library, kit, def->rate, group, &plan->lanes[i], error);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

// Warnings --------------------------------------------------------------------------

static bool blocks_own_tag(const kn_library *library, const kn_capability_def *def)
{
    for (uint32_t i = 0; i < def->blocks.count; i++) {
        if (kn_tags_has(library, def->tags, def->blocks.data[i])) {
            return true;
        }
    }
    return false;
}

static bool has_start(const kn_capability_def *def)
{
    return def->should_activate.function != NULL || def->start_when.index1 != 0;
}

static bool has_stop(const kn_capability_def *def)
{
    return def->should_deactivate.function != NULL || def->stop_when.index1 != 0 ||
           !kn_tag_requirement_is_empty(&def->when);
}

static bool hears_anything(const kn_capability_def *def)
{
    return def->hears_tags.count + def->hears_attribute_count + def->hears_events.count +
               def->hears_effect_count + def->hears_ability_count + def->blocked_by.count >
           0;
}

static void warn(kn_library *library, const kn_capability_def *def, const char *sentence)
{
    char text[320];
    (void)snprintf(text, sizeof(text), "capability `%s`: %s", def->name, sentence);
    kn_library_warn(library, text);
}

static void capability_lint(kn_library *library, const kn_capability_def *def)
{
    if (has_start(def) && !has_stop(def) && def->initial == KN_INITIAL_STOP) {
        warn(library, def,
            "it has a condition to start and none to stop, so it begins active; add "
            "`should_deactivate`, `stop_when` or `initial: start`");
    }
    if (def->blocks_itself && blocks_own_tag(library, def)) {
        warn(library, def,
            "it blocks a tag of its own with `blocks_itself`, so it is switched off in every "
            "second run");
    }
    if (!def->can_tick && def->should_activate.function != NULL && !def->sleeps) {
        warn(library, def,
            def->presents
                ? "`should_activate` is not asked again and again with `can_tick: false`"
                : "`should_activate` is not asked again and again with `can_tick: false`; call "
                  "kn_capability_evaluate() or let it sleep");
    }
    if (def->sleeps && !hears_anything(def) && kn_tag_requirement_is_empty(&def->when) &&
        (has_start(def) || has_stop(def))) {
        warn(library, def, "it sleeps and hears of nothing, so only calls can wake it");
    }
    if (def->sleeps && def->when.query != NULL && def->hears_tags.count == 0) {
        warn(library, def,
            "the tags of its query do not wake it; name them in `hears_tags` as well");
    }
    for (uint32_t i = 0; i < def->input_count; i++) {
        if (def->inputs[i].action.index1 == 0) {
            warn(library, def, "one of its `inputs` has no action and is passed over");
        }
    }
    if (!def->can_tick && def->tick.function != NULL) {
        warn(library, def, "`tick` is never called with `can_tick: false`");
    }
}

// Plans -----------------------------------------------------------------------------

// Whether at most one set has the capability.
static bool is_single(const kn_library *library, const capability_kit *kit, uint32_t capability1)
{
    uint32_t sets = kn_def_count(library, kit->set_kind), found = 0;
    for (uint32_t i = 1; i <= sets; i++) {
        const kn_capability_set_def *def = kn_def_get(library, kit->set_kind, i);
        for (uint32_t j = 0; j < def->capability_count; j++) {
            found += def->capabilities[j].index1 == capability1;
        }
    }
    return found <= 1;
}

kn_result knc_capability_plans_expand(kn_library *library, capability_kit *kit, kn_error *error)
{
    uint32_t count = kn_def_count(library, kit->capability_kind);
    free(kit->plans);
    kit->plan_count = 0;
    kit->plans = calloc((size_t)count + 1, sizeof(*kit->plans));
    if (kit->plans == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->plan_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const kn_capability_def *def = kn_def_get(library, kit->capability_kind, i + 1);
        kit->plans[i].is_single = is_single(library, kit, i + 1);
        kn_result result = state_register(library, def, &kit->plans[i], error);
        if (result != KN_OK) {
            return result;
        }
        capability_lint(library, def);
    }
    for (const gap *noted = kit->context_gaps; noted != NULL; noted = noted->next) {
        warn(library, kn_def_get(library, kit->capability_kind, noted->owner1),
            "one of its `contexts` does not exist and is passed over");
    }
    return knc_capability_hearings_expand(library, kit, error);
}

static void interval_lint(
    kn_library *library, const capability_kit *kit, const kn_capability_set_def *def)
{
    for (uint32_t i = 0; def->rate > 0 && i < def->capability_count; i++) {
        const kn_capability_def *capability =
            kn_def_get(library, kit->capability_kind, def->capabilities[i].index1);
        if (capability != NULL && !capability->presents && capability->interval > 0 &&
            capability->interval < KN_S(1) / def->rate) {
            warn(library, capability, "its interval is shorter than a run of its set");
        }
    }
}

static void gaps_warn(kn_library *library, const capability_kit *kit)
{
    for (const gap *noted = kit->gaps; noted != NULL; noted = noted->next) {
        char sentence[NAME_SIZE + 64];
        (void)snprintf(sentence, sizeof(sentence),
            "capability set `%s`: capability %u does not exist and is passed over",
            kn_def_name(library, kit->set_kind, noted->owner1), noted->place + 1);
        kn_library_warn(library, sentence);
    }
}

kn_result knc_capability_set_plans_expand(kn_library *library, capability_kit *kit, kn_error *error)
{
    uint32_t count = kn_def_count(library, kit->set_kind);
    free(kit->set_plans);
    kit->lane_count = 0;
    kit->set_plan_count = 0;
    kit->set_plans = calloc((size_t)count + 1, sizeof(*kit->set_plans));
    if (kit->set_plans == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->set_plan_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const kn_capability_set_def *def = kn_def_get(library, kit->set_kind, i + 1);
        kn_result result = set_lanes_register(library, kit, def, &kit->set_plans[i], error);
        if (result != KN_OK) {
            return result;
        }
        interval_lint(library, kit, def);
    }
    gaps_warn(library, kit);
    return KN_OK;
}

void knc_capability_plans_finish(capability_kit *kit, const kn_library *library)
{
    const kn_capability_rules_def *rules = kn_def_get(library, kit->rules_kind, 1);
    bool shares = rules != NULL && rules->shares_ability_blocks;
    for (uint32_t i = 0; i < kit->plan_count; i++) {
        capability_plan *plan = &kit->plans[i];
        plan->def = kn_def_get(library, kit->capability_kind, i + 1);
        plan->should_activate = plan->def->should_activate;
        plan->should_deactivate = plan->def->should_deactivate;
        plan->tick = plan->def->tick;
        plan->has_when = !kn_tag_requirement_is_empty(&plan->def->when);
        plan->asks_data =
            plan->has_when || plan->def->start_when.index1 != 0 || plan->def->stop_when.index1 != 0;
        plan->has_tags_against = plan->def->blocked_by.count > 0 || shares;
        plan->sleeps = plan->def->sleeps;
        plan->has_input = plan->def->input_count + plan->def->context_count > 0 ||
                          plan->def->controller_attached.function != NULL ||
                          plan->def->controller_detached.function != NULL ||
                          plan->def->bind.function != NULL;
        plan->is_owner_side = plan->def->side == KN_SIDE_OWNER_LOCAL;
        plan->presents = plan->def->presents;
    }
    kit->presents = false;
    for (uint32_t i = 0; i < kit->set_plan_count; i++) {
        set_plan *plan = &kit->set_plans[i];
        plan->def = kn_def_get(library, kit->set_kind, i + 1);
        plan->sees_changes = false;
        plan->presented = 0;
        for (uint32_t j = 0; j < plan->def->capability_count; j++) {
            uint32_t index1 = plan->def->capabilities[j].index1;
            plan->sees_changes =
                plan->sees_changes ||
                (index1 != 0 && kit->plans[index1 - 1].def->data_changed.function != NULL);
            plan->presented += index1 != 0 && kit->plans[index1 - 1].presents;
        }
        kit->presents = kit->presents || plan->presented > 0;
    }
}

void knc_capability_plans_release(capability_kit *kit)
{
    free(kit->plans);
    free(kit->set_plans);
}
