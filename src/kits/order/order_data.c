// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders, targets and errors as values: making, comparing and printing them.

#include "parts.h"

#include <math.h>
#include <stdio.h>

kn_order kn_order_default(void)
{
    kn_order order = {.index = -1};
    return order;
}

kn_order kn_order_of(kn_order_type_id type)
{
    kn_order order = kn_order_default();
    order.type = type;
    return order;
}

kn_order kn_order_on(kn_order_type_id type, kn_entity_id target)
{
    kn_order order = kn_order_of(type);
    order.target = target;
    return order;
}

kn_order kn_order_at(kn_order_type_id type, kn_vec3 location)
{
    kn_order order = kn_order_of(type);
    kn_order_set_location(&order, location);
    return order;
}

void kn_order_set_location(kn_order *order, kn_vec3 location)
{
    order->location = location;
    order->uses_location = 1;
}

bool knc_order_is_finite(const kn_order *order)
{
    const kn_vec3 at = order->location;
    return order->uses_location == 0 || (isfinite(at.x) && isfinite(at.y) && isfinite(at.z));
}

bool kn_order_equal(const kn_order *a, const kn_order *b)
{
    bool uses = a->uses_location != 0;
    return a->type.index1 == b->type.index1 && a->index == b->index &&
           kn_entity_id_equal(a->target, b->target) && uses == (b->uses_location != 0) &&
           (!uses || (a->location.x == b->location.x && a->location.y == b->location.y &&
                         a->location.z == b->location.z));
}

// Automatic orders --------------------------------------------------------------

kn_order_auto kn_order_auto_default(void)
{
    return (kn_order_auto){.index = -1};
}

bool kn_order_auto_equal(const kn_order_auto *a, const kn_order_auto *b)
{
    return a->type.index1 == b->type.index1 && a->index == b->index;
}

kn_order kn_order_of_auto(const kn_order_auto *order)
{
    kn_order own = kn_order_of(order->type);
    own.index = order->index;
    return own;
}

uint32_t kn_order_auto_print(
    const kn_library *library, const kn_order_auto *order, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    const kn_order_type_def *def = kn_order_type_get_def(library, order->type);
    kn_text_add(&out, "%s (Index: %d)", def != NULL ? def->name : "None", order->index);
    return out.length;
}

// Errors ------------------------------------------------------------------------

static void tag_add(kn_tag *list, uint32_t *count, kn_tag tag)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i].index1 == tag.index1) {
            return;
        }
    }
    if (*count < KN_ORDER_ERRORS_MAX) {
        list[(*count)++] = tag;
    }
}

void kn_order_errors_add(kn_order_errors *errors, kn_tag tag)
{
    if (errors != NULL && tag.index1 != 0) {
        tag_add(errors->others, &errors->other_count, tag);
    }
}

void knc_order_errors_add_missing(kn_order_errors *errors, kn_tag tag)
{
    if (errors != NULL) {
        tag_add(errors->missing, &errors->missing_count, tag);
    }
}

void knc_order_errors_add_blocking(kn_order_errors *errors, kn_tag tag)
{
    if (errors != NULL) {
        tag_add(errors->blocking, &errors->blocking_count, tag);
    }
}

bool kn_order_errors_is_empty(const kn_order_errors *errors)
{
    return errors->missing_count + errors->blocking_count + errors->other_count == 0;
}

// Text --------------------------------------------------------------------------

static void tags_print(
    kn_text *out, const kn_library *library, const char *before, const kn_tag *tags, uint32_t count)
{
    kn_text_add(out, "%s(", before);
    for (uint32_t i = 0; i < count; i++) {
        kn_text_add(out, "%s%s", i > 0 ? ", " : "", kn_tag_name(library, tags[i]));
    }
    kn_text_add(out, ")");
}

uint32_t kn_order_errors_print(
    const kn_library *library, const kn_order_errors *errors, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    tags_print(&out, library, "Missing Tags: ", errors->missing, errors->missing_count);
    tags_print(&out, library, ", Blocking Tags: ", errors->blocking, errors->blocking_count);
    tags_print(&out, library, ", Error Tags: ", errors->others, errors->other_count);
    return out.length;
}

static void entity_print(
    kn_text *out, const kn_world *world, kn_entity_id entity, kn_order_name_fn *name, void *user)
{
    char text[128] = "";
    if (entity.index1 == 0) {
        kn_text_add(out, "None");
        return;
    }
    if (name == NULL) {
        kn_text_add(out, "%u", entity.index1);
        return;
    }
    name(user, world, entity, text, sizeof(text));
    text[sizeof(text) - 1] = 0;
    kn_text_add(out, "%s", text);
}

// One digit after the point, whatever the locale is.
static void tenths_print(kn_text *out, const char *before, float number)
{
    double tenths = round(fabs((double)number) * 10.0);
    bool is_negative = number < 0.0f && tenths > 0.0;
    if (!(tenths < 1e15)) {
        char text[48];
        (void)kn_float_print(number, text, sizeof(text));
        kn_text_add(out, "%s%s", before, text);
        return;
    }
    uint64_t whole = (uint64_t)tenths;
    kn_text_add(out, "%s%s%llu.%llu", before, is_negative ? "-" : "",
        (unsigned long long)(whole / 10), (unsigned long long)(whole % 10));
}

static void location_print(kn_text *out, kn_vec3 location)
{
    tenths_print(out, "Location: X=", location.x);
    tenths_print(out, " Y=", location.y);
}

uint32_t kn_order_print(const kn_world *world, const kn_order *order, kn_order_name_fn *name,
    void *user, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    const char *before = " (";
    kn_text_add(&out, "%s", def != NULL ? def->name : "None");
    if (order->target.index1 != 0) {
        kn_text_add(&out, "%sTarget: ", before);
        entity_print(&out, world, order->target, name, user);
        before = ", ";
    }
    if (order->uses_location != 0) {
        kn_text_add(&out, "%s", before);
        location_print(&out, order->location);
        before = ", ";
    }
    if (order->index != -1) {
        kn_text_add(&out, "%sIndex: %d", before, order->index);
        before = ", ";
    }
    kn_text_add(&out, "%s", before[0] == ',' ? ")" : "");
    return out.length;
}

uint32_t kn_order_target_print(const kn_world *world, const kn_order_target *target,
    kn_order_name_fn *name, void *user, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    kn_text_add(&out, "(Actor: ");
    entity_print(&out, world, target->entity, name, user);
    kn_text_add(&out, ", ");
    location_print(&out, target->location);
    tags_print(&out, kn_world_library(world), ", Tags:", target->tags, target->tag_count);
    kn_text_add(&out, ")");
    return out.length;
}
