// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an order type is for a unit and a variant: the ability that it uses, who gets it, when it is
// given automatically, and how it looks. All of it only reads.

#include "parts.h"

#include <math.h>

static kn_order_variant plain_variant(
    const kn_order_type_def *def, kn_order_type_id type, int32_t index)
{
    return (kn_order_variant){
        .type = type,
        .index = index,
        .ability = def->ability,
        .group = (uint32_t)def->group,
        .acquisition_radius = def->acquisition_radius,
        .auto_for_players = def->auto_for_players,
        .auto_begins = def->auto_begins,
        .auto_for_ai = def->auto_for_ai,
    };
}

static bool variant_find(const kn_world *world, const kn_order_type_def *def, kn_order_type_id type,
    kn_entity_id unit, int32_t index, kn_order_variant *variant)
{
    *variant = plain_variant(def, type, index);
    if (def->find_variant.function == NULL) {
        return true;
    }
    kn_order_variant found = *variant;
    if (kn_hook_read(world, knc_order_kit_of_world(world)->type_kind, type.index1,
            &def->find_variant, unit, &found) != KN_OK) {
        variant->ability = (kn_ability_type_id){0};
        return false;
    }
    found.type = type;
    found.index = index;
    found.group = found.group < KN_ORDER_GROUP_COUNT ? found.group : variant->group;
    if (!isfinite(found.acquisition_radius)) {
        found.acquisition_radius = variant->acquisition_radius;
    }
    found.count = index >= 0                            ? 0
                  : found.count < KN_ORDER_VARIANTS_MAX ? found.count
                                                        : KN_ORDER_VARIANTS_MAX;
    *variant = found;
    return true;
}

bool kn_order_get_variant(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, kn_order_variant *variant)
{
    const kn_order_type_def *def = knc_order_type_of(world, type);
    kn_order_variant ignored;
    variant = variant != NULL ? variant : &ignored;
    if (def == NULL) {
        *variant = (kn_order_variant){.index = index, .acquisition_radius = -1.0f};
        return false;
    }
    return variant_find(world, def, type, unit, index, variant);
}

kn_ability_type_id knc_order_ability(const kn_world *world, const kn_order_type_def *def,
    kn_order_type_id type, kn_entity_id unit, int32_t index)
{
    if (def->find_variant.function == NULL) {
        return def->ability;
    }
    kn_order_variant variant;
    (void)variant_find(world, def, type, unit, index, &variant);
    return variant.ability;
}

float knc_order_acquisition(const kn_world *world, const kn_order_type_def *def,
    const kn_unit_type_def *own, kn_entity_id unit, const kn_order *order)
{
    float radius = def->acquisition_radius;
    if (def->find_variant.function != NULL) {
        kn_order_variant variant;
        (void)variant_find(world, def, order->type, unit, order->index, &variant);
        radius = variant.acquisition_radius;
    }
    return radius >= 0.0f ? radius : own != NULL ? own->acquisition_radius : 0.0f;
}

// Abilities among variants ----------------------------------------------------------------

static bool ability_has(const kn_library *library, kn_ability_type_id type, kn_tag tag)
{
    const kn_ability_def *def = kn_ability_type_get_def(library, type);
    for (uint32_t i = 0; def != NULL && i < def->tags.count; i++) {
        if (kn_tag_matches(library, def->tags.data[i], tag)) {
            return true;
        }
    }
    return false;
}

int32_t kn_order_find_variant(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, kn_tag tag)
{
    kn_order_variant all, one;
    if (!kn_order_get_variant(world, type, unit, -1, &all)) {
        return -1;
    }
    for (int32_t i = 0; i < (int32_t)all.count; i++) {
        if (kn_order_get_variant(world, type, unit, i, &one) &&
            ability_has(kn_world_library(world), one.ability, tag)) {
            return i;
        }
    }
    return -1;
}

bool knc_order_is_auto_command(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index)
{
    kn_order_variant variant;
    return kn_order_get_variant(world, type, unit, index, &variant) &&
           variant.ability.index1 != 0 && variant.is_never_auto == 0 &&
           kn_order_get_target_kind(world, type, unit, index) != KN_ORDER_TARGET_PASSIVE &&
           !ability_has(kn_world_library(world), variant.ability,
               knc_order_kit_of_world(world)->tags[TAG_ATTACK_ABILITY]);
}

// Commands ------------------------------------------------------------------------------

static const kn_unit_type_def *unit_def(const kn_world *world, kn_entity_id unit)
{
    return kn_unit_type_get_def(kn_world_library(world), kn_unit_get_type(world, unit));
}

kn_order_type_id kn_unit_command(const kn_world *world, kn_entity_id unit, uint32_t place)
{
    const kn_unit_type_def *def = unit_def(world, unit);
    return def != NULL && place < def->command_count ? def->commands[place] : (kn_order_type_id){0};
}

int32_t kn_unit_find_command(const kn_world *world, kn_entity_id unit, kn_tag tag)
{
    const kn_unit_type_def *def = unit_def(world, unit);
    for (uint32_t i = 0; def != NULL && i < def->command_count; i++) {
        kn_order_variant variant;
        if (kn_order_get_variant(world, def->commands[i], unit, -1, &variant) &&
            (ability_has(kn_world_library(world), variant.ability, tag) ||
                kn_order_find_variant(world, def->commands[i], unit, tag) >= 0)) {
            return (int32_t)i;
        }
    }
    return -1;
}

// Looks -----------------------------------------------------------------------------------

kn_result kn_order_set_looks(kn_library *library, kn_order_look_fn *look, void *user)
{
    if (!kn_order_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_library_is_finished(library)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    order_kit *kit = knc_order_kit_of(library);
    kit->look = look;
    kit->look_user = user;
    return KN_OK;
}

// What the definition says; what it leaves open is NULL.
static kn_order_display own_display(const kn_order_type_def *def)
{
    return (kn_order_display){
        .title = def->title,
        .description = def->description,
        .icon = def->icon,
        .icon_hovered = def->icon_hovered,
        .icon_pressed = def->icon_pressed,
        .icon_disabled = def->icon_disabled,
        .button = def->button,
        .preview = def->preview,
        .preview_snap = def->preview_snap,
    };
}

static const char *either(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

// Takes from another display what is not known yet. A place for a preview comes with the preview.
static void display_add(kn_order_display *display, const kn_order_display *more)
{
    display->title = either(display->title, more->title);
    display->description = either(display->description, more->description);
    display->icon = either(display->icon, more->icon);
    display->icon_hovered = either(display->icon_hovered, more->icon_hovered);
    display->icon_pressed = either(display->icon_pressed, more->icon_pressed);
    display->icon_disabled = either(display->icon_disabled, more->icon_disabled);
    display->button = display->button >= 0 ? display->button : more->button;
    if (display->preview == NULL) {
        display->preview = more->preview;
        display->preview_snap = more->preview_snap;
    }
}

static kn_order_display display_end(kn_order_display display, const kn_order_type_def *def)
{
    display.title = either(display.title, def->name);
    display.description = either(display.description, "");
    display.has_button = display.button >= 0;
    return display;
}

kn_order_display kn_order_get_display(const kn_library *library, kn_order_type_id type)
{
    const kn_order_type_def *def = kn_order_type_get_def(library, type);
    const kn_order_display unknown = {.title = "", .description = "", .button = -1};
    return def != NULL ? display_end(own_display(def), def) : unknown;
}

kn_order_display kn_order_get_unit_display(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_order_type_def *def = knc_order_type_of(world, type);
    kn_order_display display = {.button = -1}, look = {.button = -1};
    kn_order_variant variant;
    if (def == NULL) {
        return kn_order_get_display(NULL, type);
    }
    const bool is_there = variant_find(world, def, type, unit, index, &variant);
    const kn_order_type_def *like = knc_order_type_of(world, variant.looks_like);
    if (is_there && like != NULL) {
        const kn_order_display other = own_display(like);
        display_add(&display, &other);
        display.title = either(display.title, like->name);
    }
    const bool has_look =
        kit->look != NULL && variant.ability.index1 != 0 &&
        kit->look(kit->look_user, kn_world_library(world), variant.ability, &look);
    const bool is_found = variant.ability.index1 != def->ability.index1;
    if (has_look && is_found) {
        display_add(&display, &look);
    }
    const kn_order_display own = own_display(def);
    display_add(&display, &own);
    if (has_look && !is_found) {
        display_add(&display, &look);
    }
    return display_end(display, def);
}
