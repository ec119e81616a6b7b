// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of resources: what designers write, what makes no sense, and what follows from them.

#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESOURCE_COOKIE 0x73657263u

kn_resource_def kn_resource_def_default(void)
{
    const kn_resource_flow none = {.interval = 1.0f, .in_combat = 1.0f, .while_casting = 1.0f};
    kn_resource_def def = {.regeneration = none, .decay = none, .cookie = RESOURCE_COOKIE};
    return def;
}

static void resource_init(void *def)
{
    *(kn_resource_def *)def = kn_resource_def_default();
}

static void flow_init(void *flow)
{
    *(kn_resource_flow *)flow = kn_resource_def_default().decay;
}

static const kn_def_field flow_fields[] = {
    KN_DEF_F_PART(kn_resource_flow, amount, "kn_magnitude",
        "Amount per interval, evaluated each time; its source and target are the entity; default "
        "0: none."),
    KN_DEF_F(kn_resource_flow, interval, KN_FIELD_F32,
        "Seconds between two amounts, above 0; default 1."),
    KN_DEF_F(kn_resource_flow, delay, KN_FIELD_F32,
        "Seconds that it waits, before the first interval begins: regeneration after the resource "
        "was lowered, decay after it was raised; default 0."),
    KN_DEF_F(kn_resource_flow, in_combat, KN_FIELD_F32,
        "Factor on the amount while the entity is in combat, at least 0; default 1."),
    KN_DEF_F(kn_resource_flow, while_casting, KN_FIELD_F32,
        "Factor on the amount while the entity casts, at least 0; default 1."),
};
static const kn_def_table flow_table = {"resource_flow", sizeof(kn_resource_flow), flow_fields,
    sizeof(flow_fields) / sizeof(*flow_fields), flow_init};

static const kn_def_field resource_fields[] = {
    KN_DEF_F(kn_resource_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F(kn_resource_def, attribute, KN_FIELD_ATTRIBUTE,
        "The attribute that is the resource; it must have a `base_min` of at least 0. Required."),
    KN_DEF_F(kn_resource_def, tag, KN_FIELD_TAG,
        "Tag that modifiers and conditions see in the event of a change, besides "
        "`Knack.Regeneration` and `Knack.Decay`; default none."),
    KN_DEF_F_REF(kn_resource_def, gain_value, KN_DEF_VALUE,
        "Transient value of the entity whose modifiers change what is gained; default "
        "`Knack.ResourceGain`."),
    KN_DEF_F_REF(kn_resource_def, loss_value, KN_DEF_VALUE,
        "Transient value of the entity whose modifiers change what is lost, without its sign; "
        "default `Knack.ResourceLoss`. Costs of abilities are not losses."),
    KN_DEF_F(kn_resource_def, minimum_from, KN_FIELD_ATTRIBUTE,
        "Attribute that sets the minimum, while the entity has it; the `base_min` of the attribute "
        "must "
        "be an attribute, which then follows this one; default none."),
    KN_DEF_F(kn_resource_def, maximum_from, KN_FIELD_ATTRIBUTE,
        "Attribute that sets the maximum, while the entity has it; the `base_max` of the attribute "
        "must "
        "be an attribute, which then follows this one; default none."),
    KN_DEF_F_STRUCT(kn_resource_def, regeneration, &flow_table,
        "How it rises: up to the maximum, or to `rest` if it decays."),
    KN_DEF_F_STRUCT(kn_resource_def, decay, &flow_table, "How it falls back to `rest`."),
    KN_DEF_F_PART(kn_resource_def, rest, "kn_magnitude",
        "Where decay ends; its source and target are the entity; default 0."),
    KN_DEF_F_HOOK(kn_resource_def, added, "Called when an entity has gained the resource."),
    KN_DEF_F_HOOK(kn_resource_def, changed, "Called after each change and its event."),
    KN_DEF_F(kn_resource_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table resource_table = {"resource_def", sizeof(kn_resource_def),
    resource_fields, sizeof(resource_fields) / sizeof(*resource_fields), resource_init};

// Limits --------------------------------------------------------------------------

// The attribute that a limit names, in the set of the attribute that has the limit or one above it.
static kn_attribute_id limit_attribute(
    const kn_library *library, kn_attribute_id attribute, const kn_limit *limit)
{
    kn_attribute_id found = {0};
    if (!limit->is_set || limit->attribute == NULL) {
        return found;
    }
    found.index1 = kn_def_find(library, KN_DEF_ATTRIBUTE, limit->attribute);
    kn_attribute_set_id set = kn_attribute_set_of(library, attribute);
    while (found.index1 == 0 && set.index1 != 0) {
        char name[512];
        (void)snprintf(
            name, sizeof(name), "%s.%s", kn_attribute_set_name(library, set), limit->attribute);
        found.index1 = kn_def_find(library, KN_DEF_ATTRIBUTE, name);
        const kn_attribute_set_def *def = kn_attribute_set_get_def(library, set);
        set = def->parent;
    }
    return found;
}

static resource_limits limits_of(const kn_library *library, const kn_resource_def *def)
{
    const kn_attribute_def *attribute = kn_attribute_get_def(library, def->attribute);
    resource_limits limits = {
        limit_attribute(library, def->attribute, &attribute->base_min),
        limit_attribute(library, def->attribute, &attribute->base_max),
    };
    return limits;
}

// Checks --------------------------------------------------------------------------

static kn_result flow_check(
    const kn_resource_def *def, const kn_resource_flow *flow, const char *name, kn_error *error)
{
    const float numbers[] = {flow->delay, flow->in_combat, flow->while_casting};
    if (!(flow->interval >= 1e-6f) || !isfinite(flow->interval)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "resource `%s`: the interval of its %s must be above 0", def->name, name);
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        if (!(numbers[i] >= 0.0f) || !isfinite(numbers[i])) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "resource `%s`: delay and factors of its %s must be at least 0", def->name, name);
        }
    }
    return KN_OK;
}

static kn_result resource_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_resource_def *def = item;
    (void)user;
    if (def->attribute.index1 == 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "resource `%s` must name its attribute: attribute: Vitals.Mana", def->name);
    }
    const kn_attribute_def *attribute = kn_attribute_get_def(library, def->attribute);
    // Costs and effects change the base value: limits of the current value alone would let it run
    // away unseen.
    if (!attribute->base_min.is_set ||
        (attribute->base_min.attribute == NULL && attribute->base_min.value < 0.0f)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "resource `%s`: the base value of its attribute %s must have a minimum of at least 0: "
            "base_min: 0",
            def->name, kn_attribute_name(library, def->attribute));
    }
    if (attribute->max.is_set && !attribute->base_max.is_set) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "resource `%s`: the maximum of its attribute %s must hold for the base value, which "
            "costs and effects change: base_max instead of max",
            def->name, kn_attribute_name(library, def->attribute));
    }
    if (attribute->is_meta || attribute->is_static) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "resource `%s`: its attribute %s must not be meta or static", def->name,
            kn_attribute_name(library, def->attribute));
    }
    resource_limits limits = limits_of(library, def);
    bool lacks_minimum = def->minimum_from.index1 != 0 && limits.minimum.index1 == 0;
    if (lacks_minimum || (def->maximum_from.index1 != 0 && limits.maximum.index1 == 0)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "resource `%s`: %s needs an attribute as the %s of %s, such as %s", def->name,
            lacks_minimum ? "minimum_from" : "maximum_from",
            lacks_minimum ? "base_min" : "base_max", kn_attribute_name(library, def->attribute),
            lacks_minimum ? "base_min: MinMana" : "base_max: MaxMana");
    }
    kn_result result = flow_check(def, &def->regeneration, "regeneration", error);
    return result != KN_OK ? result : flow_check(def, &def->decay, "decay", error);
}

// A client that predicts an amount needs the attribute that it is read from.
static void flow_warn(kn_library *library, const kn_resource_def *def, const kn_resource_flow *flow)
{
    char sentence[512];
    if (flow->amount.kind != KN_MAGNITUDE_ATTRIBUTE) {
        return;
    }
    const kn_attribute_def *read = kn_attribute_get_def(library, flow->amount.capture.attribute);
    const kn_attribute_def *own = kn_attribute_get_def(library, def->attribute);
    if (read != NULL && !read->is_static && read->sync > own->sync) {
        (void)snprintf(sentence, sizeof(sentence),
            "resource `%s` is predicted by clients from the attribute %s, which they do not get; "
            "write sync: %s there",
            def->name, kn_attribute_name(library, flow->amount.capture.attribute),
            own->sync == KN_SYNC_ALL ? "all" : "owner");
        kn_library_warn(library, sentence);
    }
}

// The same for the lengths of cooldowns, the global one among them.
static void cooldowns_warn(kn_library *library)
{
    for (uint32_t i = 1; i <= kn_def_count(library, KN_DEF_ABILITY); i++) {
        const kn_ability_def *def = kn_def_get(library, KN_DEF_ABILITY, i);
        for (uint32_t k = 0; k < def->cooldown_count; k++) {
            const kn_value_def *value = kn_value_get_def(library, def->cooldowns[k].value);
            kn_attribute_id stats[] = {
                def->cooldowns[k].rate, value != NULL ? value->factor : (kn_attribute_id){0}};
            for (uint32_t s = 0; s < 2; s++) {
                const kn_attribute_def *stat = kn_attribute_get_def(library, stats[s]);
                char sentence[512];
                if (stat == NULL || stat->is_static || stat->sync != KN_SYNC_NONE ||
                    !def->cooldowns[k].predict_length) {
                    continue;
                }
                (void)snprintf(sentence, sizeof(sentence),
                    "ability `%s`: clients predict a cooldown that depends on the attribute %s, "
                    "which they do not get; write sync: owner there",
                    def->name, kn_attribute_name(library, stats[s]));
                kn_library_warn(library, sentence);
            }
        }
    }
}

// What follows ----------------------------------------------------------------------

static kn_result use_rule(
    kn_library *library, resource_ids *ids, kn_attribute_id attribute, kn_error *error)
{
    char name[512];
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    (void)snprintf(name, sizeof(name), "Knack.Resource.%s", kn_attribute_name(library, attribute));
    def.name = name;
    def.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    def.attribute = attribute;
    def.function = knc_resource_attribute_rule;
    def.user = ids;
    kn_result result = kn_rule_register(library, &def, &rule, error);
    if (result == KN_REFUSED_DUPLICATE) { // it is used twice, or the library is finished again
        *error = (kn_error){0};
        return KN_OK;
    }
    return result;
}

// Adds one use, in order of attributes, then of resources.
static void use_add(resource_ids *ids, kn_attribute_id attribute, uint32_t resource1, bool is_value)
{
    uint32_t at = ids->use_count++;
    while (at > 0 && ids->uses[at - 1].attribute1 > attribute.index1) {
        ids->uses[at] = ids->uses[at - 1];
        at--;
    }
    ids->uses[at] = (resource_use){attribute.index1, resource1, is_value};
}

#define USES_MAX 6u // of one resource

// The attribute at which a resource rests; null if that is something else. Formulas do not say what
// they read: a rest of this kind counts from the next change of the resource.
static kn_attribute_id rest_from(const kn_resource_def *def)
{
    bool is_read = def->rest.kind == KN_MAGNITUDE_ATTRIBUTE;
    return is_read ? def->rest.capture.attribute : (kn_attribute_id){0};
}

static kn_result resource_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    resource_ids *ids = user;
    uint32_t count = kn_def_count(library, kind);
    free(ids->uses);
    free(ids->limits);
    ids->uses = calloc(USES_MAX * count + 1u, sizeof(*ids->uses));
    ids->limits = calloc(count + 1u, sizeof(*ids->limits));
    ids->use_count = 0;
    ids->resource_count = count;
    if (ids->uses == NULL || ids->limits == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= count; i++) {
        const kn_resource_def *def = kn_def_get(library, kind, i);
        ids->limits[i] = limits_of(library, def);
        const kn_attribute_id used[USES_MAX] = {def->attribute, ids->limits[i].minimum,
            ids->limits[i].maximum, def->minimum_from, def->maximum_from, rest_from(def)};
        for (uint32_t k = 0; result == KN_OK && k < USES_MAX; k++) {
            if (used[k].index1 != 0) {
                use_add(ids, used[k], i, k == 0);
                result = use_rule(library, ids, used[k], error);
            }
        }
        flow_warn(library, def, &def->regeneration);
        flow_warn(library, def, &def->decay);
    }
    cooldowns_warn(library);
    return result;
}

// Two resources of one attribute would both regenerate it.
static kn_result resource_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    const resource_ids *ids = user;
    const resource_use *last = NULL;
    for (uint32_t i = 0; i < ids->use_count; i++) {
        const resource_use *use = &ids->uses[i];
        if (!use->is_value) {
            continue;
        }
        if (last != NULL && last->attribute1 == use->attribute1) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "resource `%s` has the same attribute as `%s`; leave out one of them",
                kn_def_name(library, kind, use->resource1),
                kn_def_name(library, kind, last->resource1));
        }
        last = use;
    }
    return KN_OK;
}

// Registration ------------------------------------------------------------------------

static const char *const why_words[] = {"other", "change", "regeneration", "decay", "limit"};

static const kn_field changed_fields[] = {
    KN_FIELD(kn_resource_changed, source, KN_FIELD_ENTITY),
    KN_FIELD_TO(kn_resource_changed, resource, "resource"),
    {.name = "why",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(kn_resource_changed, why),
        .refers_to = "resource_why"},
    KN_FIELD(kn_resource_changed, amount, KN_FIELD_F32),
    KN_FIELD(kn_resource_changed, old_value, KN_FIELD_F32),
    KN_FIELD(kn_resource_changed, new_value, KN_FIELD_F32),
};
static const kn_field event_fields[] = {KN_FIELD_TO(kn_resource_event, resource, "resource")};

kn_result knc_resource_kind_register(kn_library *library, resource_ids *ids, kn_error *error)
{
    static const kn_kind_hook hooks[] = {
        {.field = "added", .text = "Called when an entity has gained the resource."},
        {.field = "changed",
            .size = sizeof(kn_resource_changed),
            .fields = changed_fields,
            .field_count = sizeof(changed_fields) / sizeof(*changed_fields),
            .text = "Called after each change of the resource and its event."},
    };
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "resource";
    kind.section = "resources";
    kind.table = &resource_table;
    kind.text = "What is spent and comes back: mana, rage, ammunition.";
    kind.check = resource_check;
    kind.expand = resource_expand;
    kind.finish = resource_finish;
    kind.user = ids;
    kind.hooks = hooks;
    kind.hook_count = 2;
    kn_result result =
        kn_enum_register(library, "resource_why", why_words, KN_RESOURCE_WHY_COUNT, error);
    return result != KN_OK ? result : kn_kind_register(library, &kind, &ids->kind, error);
}

kn_result knc_resource_events_register(kn_library *library, resource_ids *ids, kn_error *error)
{
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = "Knack.ResourceAdded";
    def.size = sizeof(kn_resource_event);
    def.fields = event_fields;
    def.field_count = 1;
    def.text = "gains the resource {resource}";
    kn_result result = kn_custom_event_register(library, &def, &ids->added, error);
    def.name = "Knack.ResourceRemoved";
    def.text = "loses the resource {resource}";
    result =
        result != KN_OK ? result : kn_custom_event_register(library, &def, &ids->removed, error);
    def.name = "Knack.ResourceChanged";
    def.size = sizeof(kn_resource_changed);
    def.fields = changed_fields;
    def.field_count = sizeof(changed_fields) / sizeof(*changed_fields);
    def.text = "{resource} {old_value} -> {new_value} ({why})";
    return result != KN_OK ? result : kn_custom_event_register(library, &def, &ids->changed, error);
}

// Reading -----------------------------------------------------------------------------

kn_result kn_resource_register(
    kn_library *library, const kn_resource_def *def, kn_resource_id *resource, kn_error *error)
{
    kn_resource_id ignored;
    resource = resource != NULL ? resource : &ignored;
    resource->index1 = 0;
    if (library == NULL || def == NULL || !kn_combat_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(
        library, knc_combat_of(library)->resource.kind, def, &resource->index1, error);
}

kn_resource_id kn_resource_find(const kn_library *library, const char *name)
{
    kn_resource_id found = {0};
    if (kn_combat_is_there(library) && name != NULL) {
        found.index1 = kn_def_find(library, knc_combat_of(library)->resource.kind, name);
    }
    return found;
}

const char *kn_resource_name(const kn_library *library, kn_resource_id resource)
{
    return kn_combat_is_there(library)
               ? kn_def_name(library, knc_combat_of(library)->resource.kind, resource.index1)
               : "";
}

const kn_resource_def *kn_resource_get_def(const kn_library *library, kn_resource_id resource)
{
    return kn_combat_is_there(library)
               ? kn_def_get(library, knc_combat_of(library)->resource.kind, resource.index1)
               : NULL;
}
