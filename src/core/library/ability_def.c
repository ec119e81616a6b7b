// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of abilities, ability sets, task types and animations.

#include "library/types.h"

#include <math.h>

#define ABILITY_COOLDOWNS_MAX 64

// Registration --------------------------------------------------------------

kn_ability_def kn_ability_def_default(void)
{
    kn_ability_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_cooldown_def kn_cooldown_def_default(void)
{
    kn_cooldown_def def = {
        .charges = {1.0f, {0}, {0}},
        .cost = {1.0f, {0}, {0}},
        .returned = {1.0f, {0}, {0}},
        .predict_length = true,
    };
    return def;
}

kn_cooldown_def kn_cooldown_seconds(float seconds)
{
    kn_cooldown_def def = kn_cooldown_def_default();
    def.duration.value = seconds;
    return def;
}

static kn_result ability_bad(kn_error *error, const kn_ability_def *def, const char *what)
{
    return kni_error(error, KN_ERROR_BAD_DATA, "ability `%s`: %s", def->name, what);
}

static const kn_effect_def *effect_def(const kn_library *library, kn_effect_type_id type)
{
    return &KNI_ITEM(library, KN_DEF_EFFECT, kni_effect_type, type.index1 - 1)->def;
}

static bool conditions_are_empty(const kn_conditions *conditions)
{
    return kn_tag_requirement_is_empty(&conditions->target) &&
           kn_tag_requirement_is_empty(&conditions->source) && conditions->attribute_count == 0;
}

// A cost or cooldown must not depend on luck or circumstances.
static bool effect_always_applies(const kn_effect_def *def)
{
    return conditions_are_empty(&def->application) && conditions_are_empty(&def->removal) &&
           def->requirement.index1 == 0 && kni_chance_is_certain(def);
}

static kn_result ability_effects_check(
    const kn_library *library, const kn_ability_def *def, kn_error *error)
{
    if (def->cost_effect.index1 != 0) {
        const kn_effect_def *cost = effect_def(library, def->cost_effect);
        if (cost->duration_kind != KN_DURATION_INSTANT || cost->execution_count > 0) {
            return ability_bad(
                error, def, "its cost must be an instant effect of modifiers, without executions");
        }
        if (!effect_always_applies(cost)) {
            return ability_bad(error, def, "its cost effect must not have conditions or a chance");
        }
    }
    if (def->cooldown_effect.index1 != 0) {
        const kn_effect_def *cooldown = effect_def(library, def->cooldown_effect);
        if (cooldown->duration_kind == KN_DURATION_INSTANT) {
            return ability_bad(error, def, "its cooldown effect must have a duration");
        }
        if (cooldown->execution_count > 0) {
            return ability_bad(error, def, "its cooldown effect must not have executions");
        }
        if (!effect_always_applies(cooldown)) {
            return ability_bad(
                error, def, "its cooldown effect must not have conditions or a chance");
        }
        if (cooldown->granted_tags.count == 0 && def->cooldown_tags.count == 0) {
            return ability_bad(
                error, def, "its cooldown effect must grant a tag that identifies it");
        }
    }
    return KN_OK;
}

// Says what is wrong with the names in one entry of `applies`; NULL when nothing is.
static const char *apply_names_problem(const kn_ability_apply_def *apply)
{
    if ((apply->effect.index1 != 0) == (apply->container.index1 != 0)) {
        return "each entry of `applies` names either an effect or a container";
    }
    if ((apply->to == KN_APPLY_TO_TARGETING) != (apply->targeting.index1 != 0)) {
        return "`to: targeting` needs a `targeting` type, and `targeting` needs `to: targeting`";
    }
    if (apply->targeting.index1 != 0 && apply->container.index1 != 0) {
        return "`targeting` is for effects; a container finds its own targets";
    }
    return NULL;
}

bool kni_apply_is_good(const kn_library *library, const kn_ability_apply_def *apply)
{
    return apply_names_problem(apply) == NULL && (uint32_t)apply->to < KN_APPLY_TO_COUNT &&
           apply->container.index1 <= library->registries[KN_DEF_CONTAINER].count &&
           apply->targeting.index1 <= library->registries[KN_DEF_TARGETING].count &&
           apply->magnitude_tag.index1 <= kn_tag_count(library);
}

static const char *apply_problem(
    const kn_library *library, const kn_ability_def *def, const kn_ability_apply_def *apply)
{
    const char *problem = apply_names_problem(apply);
    if (problem != NULL) {
        return problem;
    }
    if (apply->while_active && def->body == KN_BODY_USE) {
        return "`while_active` needs a body that lasts; this one ends at once";
    }
    if (apply->while_active && apply->effect.index1 != 0 &&
        effect_def(library, apply->effect)->duration_kind == KN_DURATION_INSTANT) {
        return "`while_active` needs an effect with a duration";
    }
    return NULL;
}

static kn_result ability_body_check(
    const kn_library *library, const kn_ability_def *def, kn_error *error)
{
    bool has_functions = def->activate != NULL || def->activate_by_event != NULL;
    bool has_lasts = def->lasts.value != 0.0f;
    if (def->body == KN_BODY_NONE) {
        if (def->trigger_count > 0 && !has_functions) {
            return ability_bad(error, def,
                "it has triggers but nothing to do; give it a body, such as `use`, or functions");
        }
        return def->apply_count == 0 && !has_lasts
                   ? KN_OK
                   : ability_bad(error, def, "`applies` and `lasts` need a body, such as `use`");
    }
    if (has_functions) {
        return ability_bad(error, def, "it already has functions; `body` is for abilities without");
    }
    if (def->instancing == KN_INSTANCING_NONE && def->body != KN_BODY_USE) {
        return ability_bad(error, def, "without instances the body can only be `use`");
    }
    if (has_lasts != (def->body == KN_BODY_TIMED)) {
        return ability_bad(
            error, def, "the body `timed` needs `lasts`, and `lasts` needs the body `timed`");
    }
    if (def->body == KN_BODY_EFFECTS && def->apply_count == 0) {
        return ability_bad(error, def, "the body `effects` needs effects in `applies`");
    }
    for (uint32_t i = 0; i < def->apply_count; i++) {
        const char *problem = apply_problem(library, def, &def->applies[i]);
        if (problem != NULL) {
            return ability_bad(error, def, problem);
        }
    }
    return KN_OK;
}

static kn_result ability_parts_check(
    const kn_library *library, const kn_ability_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < def->cost_count; i++) {
        if (def->costs[i].attribute.index1 == 0) {
            return ability_bad(error, def, "a cost does not name an attribute");
        }
    }
    for (uint32_t i = 0; i < def->trigger_count; i++) {
        if (def->triggers[i].tag.index1 == 0) {
            return ability_bad(error, def, "a trigger does not name a tag");
        }
    }
    if (def->cooldown_count > ABILITY_COOLDOWNS_MAX) {
        return ability_bad(error, def, "an ability has at most 64 cooldowns");
    }
    bool has_own = false;
    for (uint32_t i = 0; i < def->cooldown_count; i++) {
        if (def->cooldowns[i].key.index1 == 0 && has_own) {
            return ability_bad(error, def, "with several cooldowns, each needs a key");
        }
        has_own |= def->cooldowns[i].key.index1 == 0;
    }
    kn_result state = kni_state_check(library, "ability", def->name, def->state_size,
        def->state_fields, def->state_field_count, error);
    if (state != KN_OK) {
        return state;
    }
    if (def->instancing == KN_INSTANCING_NONE && def->state_size > 0) {
        return ability_bad(error, def, "an ability without instances cannot have state");
    }
    if (kni_def_has_parameter(&kni_ability_def_table, def)) {
        return ability_bad(
            error, def, "one of its numbers is a parameter; only effects have parameters");
    }
    kn_result result = ability_body_check(library, def, error);
    return result == KN_OK ? ability_effects_check(library, def, error) : result;
}

kn_result kn_ability_register(
    kn_library *library, const kn_ability_def *def, kn_ability_type_id *type, kn_error *error)
{
    type->index1 = 0;
    if (def == NULL) {
        KN_ASSERT(def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result =
        kni_register_check(library, KN_DEF_ABILITY, def->name, def->cookie, "ability", error);
    if (result == KN_OK) {
        result = kni_def_check(library, &kni_ability_def_table, def, error);
    }
    if (result == KN_OK) {
        result = ability_parts_check(library, def, error);
    }
    uint32_t parent1 = 0;
    if (result == KN_OK && def->parent != NULL) {
        parent1 = kni_ref_find(library, KN_DEF_ABILITY, def->parent);
        if (parent1 == 0) {
            result = ability_bad(error, def, "its parent is not registered");
        }
    }
    if (result != KN_OK) {
        return result;
    }
    result = kni_register_def(library, KN_DEF_ABILITY, &kni_ability_def_table,
        offsetof(kni_ability_type, def), def, def->name, def->cookie, "ability", &type->index1,
        error);
    if (result != KN_OK) {
        return result;
    }
    kni_ability_type *item = KNI_ITEM(library, KN_DEF_ABILITY, kni_ability_type, type->index1 - 1);
    item->parent1 = parent1;
    result = kni_state_make(library, KN_DEF_ABILITY, &item->state, item->def.state_size,
        item->def.state_fields, item->def.state_field_count, error);
    type->index1 = result == KN_OK ? type->index1 : 0;
    return result;
}

// Sets ----------------------------------------------------------------------

kn_ability_set_def kn_ability_set_def_default(void)
{
    kn_ability_set_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_result kn_ability_set_register(
    kn_library *library, const kn_ability_set_def *def, kn_ability_set_id *set, kn_error *error)
{
    set->index1 = 0;
    if (def == NULL) {
        KN_ASSERT(def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; def->cookie == KN_COOKIE && i < def->entry_count; i++) {
        if (def->entries == NULL || def->entries[i].type.index1 == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "ability set `%s`: entry %u does not name an ability",
                def->name != NULL ? def->name : "", i);
        }
        if (!kni_parameters_are_good(def->entries[i].parameters, def->entries[i].parameter_count)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "ability set `%s`: entry %u: a grant has at most %d parameters, each with a name",
                def->name != NULL ? def->name : "", i, KN_ABILITY_VALUES_MAX);
        }
    }
    return kni_register_def(library, KN_DEF_ABILITY_SET, &kni_ability_set_def_table,
        offsetof(kni_ability_set, def), def, def->name, def->cookie, "ability set", &set->index1,
        error);
}

// Tasks and animations ------------------------------------------------------

kn_task_type_def kn_task_type_def_default(void)
{
    kn_task_type_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_result kn_task_type_register(
    kn_library *library, const kn_task_type_def *def, kn_task_type_id *type, kn_error *error)
{
    type->index1 = 0;
    if (def == NULL) {
        KN_ASSERT(def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_state_check(library, "task", def->name != NULL ? def->name : "",
        def->state_size, def->state_fields, def->state_field_count, error);
    if (result == KN_OK) {
        result = kni_register_def(library, KN_DEF_TASK, &kni_task_type_def_table,
            offsetof(kni_task_type, def), def, def->name, def->cookie, "task", &type->index1,
            error);
    }
    if (result != KN_OK) {
        return result;
    }
    kni_task_type *item = KNI_ITEM(library, KN_DEF_TASK, kni_task_type, type->index1 - 1);
    result = kni_state_make(library, KN_DEF_TASK, &item->state, item->def.state_size,
        item->def.state_fields, item->def.state_field_count, error);
    type->index1 = result == KN_OK ? type->index1 : 0;
    return result;
}

kn_trigger_def kn_trigger_def_default(void)
{
    kn_trigger_def def = {0};
    return def;
}

kn_cost_def kn_cost_def_default(void)
{
    kn_cost_def def = {0};
    return def;
}

kn_ability_apply_def kn_ability_apply_def_default(void)
{
    kn_ability_apply_def def = {0};
    return def;
}

kn_notify_def kn_notify_def_default(void)
{
    kn_notify_def def = {0};
    return def;
}

kn_section_def kn_section_def_default(void)
{
    kn_section_def def = {0};
    return def;
}

kn_animation_def kn_animation_def_default(void)
{
    kn_animation_def def = {.cookie = KN_COOKIE};
    return def;
}

static kn_result animation_check(const kn_animation_def *def, kn_error *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if (!(def->length > 0.0f) || !(def->blend_out >= 0.0f) || !(def->blend_out <= def->length)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "animation `%s`: the length must be above 0, and the blend-out must not exceed it",
            name);
    }
    for (uint32_t i = 0; i < def->notify_count; i++) {
        float before = i > 0 ? def->notifies[i - 1].time : 0.0f;
        if (!(def->notifies[i].time >= before) || !(def->notifies[i].time <= def->length) ||
            def->notifies[i].tag.index1 == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "animation `%s`: notify %u has no tag, or is earlier than the previous one", name,
                i);
        }
    }
    for (uint32_t i = 0; i < def->section_count; i++) {
        if (!(def->sections[i].start >= 0.0f) || !(def->sections[i].start <= def->length) ||
            def->sections[i].name.index1 == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "animation `%s`: section %u has no name, or lies outside the animation", name, i);
        }
    }
    return KN_OK;
}

kn_result kn_animation_register(
    kn_library *library, const kn_animation_def *def, kn_animation_id *animation, kn_error *error)
{
    animation->index1 = 0;
    if (def == NULL) {
        KN_ASSERT(def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result =
        kni_register_check(library, KN_DEF_ANIMATION, def->name, def->cookie, "animation", error);
    if (result == KN_OK) {
        result = animation_check(def, error);
    }
    return result != KN_OK ? result
                           : kni_register_def(library, KN_DEF_ANIMATION, &kni_animation_def_table,
                                 offsetof(kni_animation, def), def, def->name, def->cookie,
                                 "animation", &animation->index1, error);
}

// Finishing -----------------------------------------------------------------

static bool requirement_is_set(const kn_tag_requirement *requirement)
{
    return !kn_tag_requirement_is_empty(requirement);
}

static bool cost_is_plain(const kn_library *library, const kn_ability_def *def)
{
    for (uint32_t i = 0; i < def->cost_count; i++) {
        if (def->costs[i].value.index1 != 0) {
            return false;
        }
    }
    for (uint32_t i = 0; i < def->cooldown_count; i++) {
        if (def->cooldowns[i].cost_value.index1 != 0) {
            return false;
        }
    }
    return def->cost_effect.index1 == 0 ||
           (KNI_ITEM(library, KN_DEF_EFFECT, kni_effect_type, def->cost_effect.index1 - 1)->flags &
               KNI_EFFECT_PLAIN_MODIFIERS) != 0;
}

static void cooldown_tag_add(kni_ability_type *type, kn_tag tag)
{
    for (uint32_t i = 0; i < type->cooldown_tag_count; i++) {
        if (type->cooldown_tags[i].index1 == tag.index1) {
            return;
        }
    }
    type->cooldown_tags[type->cooldown_tag_count++] = tag;
}

// Collects every tag that means that the ability is on cooldown.
static bool cooldown_tags_collect(kn_library *library, kni_ability_type *type)
{
    const kn_ability_def *def = &type->def;
    kni_free(&library->memory, type->cooldown_tags, type->cooldown_tag_count * sizeof(kn_tag));
    type->cooldown_tags = NULL;
    type->cooldown_tag_count = 0;
    kn_tags granted = {NULL, 0};
    if (def->cooldown_effect.index1 != 0) {
        granted = effect_def(library, def->cooldown_effect)->granted_tags;
    }
    uint32_t most = def->cooldown_tags.count + granted.count + def->cooldown_count;
    if (most == 0) {
        return true;
    }
    type->cooldown_tags = kni_realloc(&library->memory, NULL, 0, most * sizeof(kn_tag));
    if (type->cooldown_tags == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < def->cooldown_tags.count; i++) {
        cooldown_tag_add(type, def->cooldown_tags.data[i]);
    }
    for (uint32_t i = 0; i < granted.count; i++) {
        cooldown_tag_add(type, granted.data[i]);
    }
    for (uint32_t i = 0; i < def->cooldown_count; i++) {
        if (def->cooldowns[i].key.index1 != 0) {
            cooldown_tag_add(type, def->cooldowns[i].key);
        }
    }
    uint32_t count = type->cooldown_tag_count;
    type->cooldown_tags = kni_realloc(
        &library->memory, type->cooldown_tags, most * sizeof(kn_tag), count * sizeof(kn_tag));
    return true;
}

// Frees what an earlier kn_library_finish() that failed had compiled, too.
void kni_cooldowns_free(kni_memory *memory, kni_ability_type *type)
{
    size_t size = type->def.cooldown_count * sizeof(*type->cooldowns);
    kni_free(memory, type->cooldowns, type->cooldowns != NULL ? size : 0);
    type->cooldowns = NULL;
}

static void cooldown_compile(kni_cooldown_type *cooldown, const kn_cooldown_def *def)
{
    uint32_t varies = def->duration.curve.index1 | def->charges.curve.index1 |
                      def->cost.curve.index1 | def->returned.curve.index1 | def->value.index1 |
                      def->rate.index1 | def->charges_from.index1 | def->cost_value.index1 |
                      def->returned_value.index1;
    float seconds = def->duration.value;
    *cooldown = (kni_cooldown_type){.def = def,
        .length = seconds > 0.0f ? kn_time_from_seconds((double)seconds) : 0,
        .max = kni_charges_of(def->charges.value),
        .cost = kni_charges_of(def->cost.value),
        .returned = kni_charges_of(def->returned.value)};
    // The end of a cycle of this length is a time, whenever it begins.
    cooldown->is_fixed = varies == 0 && cooldown->length < (kn_time)1 << 50;
}

static bool cooldowns_compile(kn_library *library, kni_ability_type *type)
{
    kni_cooldowns_free(&library->memory, type);
    uint32_t count = type->def.cooldown_count;
    if (count == 0) {
        return true;
    }
    type->cooldowns = kni_realloc(&library->memory, NULL, 0, count * sizeof(*type->cooldowns));
    for (uint32_t i = 0; i < count && type->cooldowns != NULL; i++) {
        cooldown_compile(&type->cooldowns[i], &type->def.cooldowns[i]);
    }
    return type->cooldowns != NULL;
}

// Whether all it does is act on entities that an event names.
static bool needs_target(const kn_library *library, const kn_ability_def *def)
{
    for (uint32_t i = 0; i < def->apply_count; i++) {
        const kn_ability_apply_def *apply = &def->applies[i];
        const kni_container *container =
            apply->container.index1 == 0
                ? NULL
                : KNI_ITEM(library, KN_DEF_CONTAINER, kni_container, apply->container.index1 - 1);
        kn_container_target reach = container != NULL ? container->def.target : KN_CONTAINER_GIVEN;
        bool of_event = reach == KN_CONTAINER_DATA ||
                        (reach == KN_CONTAINER_GIVEN && (apply->to == KN_APPLY_TO_TARGET ||
                                                            apply->to == KN_APPLY_TO_INSTIGATOR));
        if (!of_event) {
            return false;
        }
    }
    bool has_only_event_hook =
        def->body == KN_BODY_NONE && def->activate == NULL && def->activate_by_event != NULL;
    return def->apply_count > 0 || has_only_event_hook;
}

kn_result kni_abilities_finish(kn_library *library, kn_error *error)
{
    const kni_registry *registry = &library->registries[KN_DEF_ABILITY];
    for (uint32_t i = 0; i < registry->count; i++) {
        kni_ability_type *type = kni_registry_at(registry, i);
        const kn_ability_def *def = &type->def;
        if (!cooldown_tags_collect(library, type) || !cooldowns_compile(library, type)) {
            return kni_error(
                error, KN_ERROR_OUT_OF_MEMORY, "out of memory while finishing the library");
        }
        type->flags = 0;
        type->flags |= requirement_is_set(&def->activation) ? KNI_ABILITY_NEEDS_TAGS : 0u;
        type->flags |= requirement_is_set(&def->source) || requirement_is_set(&def->target)
                           ? KNI_ABILITY_NEEDS_EVENT
                           : 0u;
        type->flags |=
            def->cost_count > 0 || def->cost_effect.index1 != 0 ? KNI_ABILITY_HAS_COST : 0u;
        type->flags |=
            type->cooldown_tag_count > 0 || def->cooldown_count > 0 ? KNI_ABILITY_HAS_COOLDOWN : 0u;
        type->flags |= cost_is_plain(library, def) ? KNI_ABILITY_PLAIN_COST : 0u;
        type->flags |= needs_target(library, def) ? KNI_ABILITY_NEEDS_TARGET : 0u;
        for (uint32_t c = 0; c < def->cooldown_count; c++) {
            type->flags |= def->cooldowns[c].starts == KN_COOLDOWN_AT_ACTIVATION
                               ? KNI_ABILITY_COOLS_EARLY
                               : 0u;
        }
    }
    return KN_OK;
}
