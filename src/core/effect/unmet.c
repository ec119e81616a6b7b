// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Which parts of conditions are not met: tested one by one, for explanations.

#include "effect/unmet.h"

#include "world/names.h"

typedef struct unmet_list {
    kni_unmet *out;
    uint32_t capacity;
    uint32_t count;
} unmet_list;

static void unmet_add(unmet_list *list, kni_unmet unmet)
{
    if (list->count < list->capacity) {
        list->out[list->count] = unmet;
    }
    list->count++;
}

// Tests one part of the conditions after the other.
static void unmet_tags(unmet_list *list, const kn_spec_view *spec,
    const kn_tag_requirement *requirement, bool of_source)
{
    for (uint32_t i = 0; i < requirement->required.count + requirement->ignored.count + 1; i++) {
        uint32_t ignored = i - requirement->required.count;
        kn_conditions one = {.attribute_count = 0};
        kn_tag_requirement *part = of_source ? &one.source : &one.target;
        kni_unmet unmet = {.of_source = of_source};
        if (i < requirement->required.count) {
            part->required = (kn_tags){&requirement->required.data[i], 1};
            unmet.missing = requirement->required.data[i];
        } else if (ignored < requirement->ignored.count) {
            part->ignored = (kn_tags){&requirement->ignored.data[ignored], 1};
            unmet.unwanted = requirement->ignored.data[ignored];
        } else {
            part->query = requirement->query;
            unmet.query = true;
        }
        if (!kni_conditions_met(spec, &one)) {
            unmet_add(list, unmet);
        }
    }
}

uint32_t kni_conditions_unmet(
    const kn_spec_view *spec, const kn_conditions *conditions, kni_unmet *out, uint32_t capacity)
{
    unmet_list list = {out, capacity, 0};
    unmet_tags(&list, spec, &conditions->target, false);
    unmet_tags(&list, spec, &conditions->source, true);
    kn_conditions attributes = {
        .attributes = conditions->attributes, .attribute_count = conditions->attribute_count};
    bool any_group = kni_conditions_met(spec, &attributes);
    for (uint32_t i = 0; !any_group && i < conditions->attribute_count; i++) {
        const kn_attribute_condition *condition = &conditions->attributes[i];
        kn_conditions one = {.attributes = condition, .attribute_count = 1};
        if (!kni_conditions_met(spec, &one)) {
            unmet_add(&list, (kni_unmet){
                                 .of_source = condition->from == KN_CAPTURE_FROM_SOURCE,
                                 .attribute = condition,
                             });
        }
    }
    return list.count;
}

static void text_condition(
    kni_text *text, const kn_world *world, const kn_attribute_condition *condition)
{
    kni_text_str(text, "needs ");
    kni_text_attribute(text, world, condition->attribute, condition->key);
    if (condition->has_min) {
        kni_text_str(text, " from ");
        kni_text_float(text, condition->min);
    }
    if (condition->has_max) {
        kni_text_str(text, " up to ");
        kni_text_float(text, condition->max);
    }
    if (condition->has_above) {
        kni_text_str(text, " above ");
        kni_text_float(text, condition->above);
    }
    if (condition->has_below) {
        kni_text_str(text, " below ");
        kni_text_float(text, condition->below);
    }
    if (condition->relative_to.index1 != 0) {
        kni_text_str(text, " of ");
        kni_text_attribute(text, world, condition->relative_to, condition->key);
    }
}

#define UNMET_LINES 16

void kni_text_unmet(kni_text *text, const kn_spec_view *spec, const kn_conditions *conditions)
{
    kni_unmet unmet[UNMET_LINES];
    uint32_t count = kni_conditions_unmet(spec, conditions, unmet, UNMET_LINES);
    for (uint32_t i = 0; i < count && i < UNMET_LINES; i++) {
        kni_text_str(text, i > 0 ? "; " : "");
        kni_text_str(text, unmet[i].of_source ? "source " : "");
        if (unmet[i].attribute != NULL) {
            text_condition(text, spec->world, unmet[i].attribute);
        } else if (unmet[i].query) {
            kni_text_str(text, "needs other tags");
        } else {
            bool is_missing = unmet[i].missing.index1 != 0;
            kni_text_str(text, is_missing ? "needs " : "has ");
            kni_text_tag(text, spec->world, is_missing ? unmet[i].missing : unmet[i].unwanted);
        }
    }
    kni_text_str(text, count > UNMET_LINES ? "; ..." : "");
}
