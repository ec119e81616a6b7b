// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Descriptions: the pieces of a plan are written one after the other, numbers as they are for an
// entity, a level, or an active effect. Numbers are written digit by digit, so that the locale of
// the program does not matter.

#include "knack/rts_tech.h"
#include "text_parts.h"

#include <math.h>
#include <string.h>

// Writing -----------------------------------------------------------------------------

typedef struct writer {
    char *text;
    uint32_t size, length;
} writer;

static writer writer_begin(char *text, uint32_t size)
{
    if (text != NULL && size > 0) {
        text[0] = 0;
    }
    return (writer){text, text != NULL ? size : 0, 0};
}

static void write_bytes(writer *w, const char *text, uint32_t length)
{
    if (w->length + 1 < w->size) {
        const uint32_t room = w->size - 1 - w->length;
        const uint32_t count = length < room ? length : room;
        memcpy(w->text + w->length, text, count);
        w->text[w->length + count] = 0;
    }
    w->length += length;
}

static void write_number(writer *w, float value, uint32_t decimals)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    if (!isfinite(value)) {
        write_bytes(w, "?", 1);
        return;
    }
    const uint64_t power = powers[decimals < COUNT(powers) ? decimals : COUNT(powers) - 1];
    double size = (double)fabsf(value);
    uint32_t zeros = 0;
    while (size >= 1e12) { // more digits than a float has
        size /= 10;
        zeros++;
    }
    uint64_t digits = (uint64_t)(size * (double)power + 0.5), part = power;
    char text[32];
    uint32_t at = sizeof(text);
    bool is_needed = false; // zeros at the end are not
    const bool is_negative = value < 0 && digits != 0;
    for (; part > 1; part /= 10, digits /= 10) {
        is_needed |= digits % 10 != 0;
        if (is_needed) {
            text[--at] = (char)('0' + digits % 10);
        }
    }
    if (is_needed) {
        text[--at] = '.';
    }
    do {
        text[--at] = (char)('0' + digits % 10);
        digits /= 10;
    } while (digits != 0);
    if (is_negative) {
        text[--at] = '-';
    }
    write_bytes(w, text + at, (uint32_t)sizeof(text) - at);
    for (; zeros > 0; zeros--) {
        write_bytes(w, "0", 1);
    }
}

uint32_t kn_rts_number_print(float value, uint32_t decimals, char *text, uint32_t size)
{
    writer w = writer_begin(text, size);
    write_number(&w, value, decimals);
    return w.length;
}

// A placeholder of plain text: the argument that is called so, and how many decimal places it asks
// for. NULL: it stays as it is.
static const kn_rts_text_argument *argument_find(const char *name, uint32_t length,
    const kn_rts_text_argument *arguments, uint32_t count, uint32_t *decimals)
{
    *decimals = 2;
    if (length > 2 && name[length - 2] == ':' && name[length - 1] >= '0' &&
        name[length - 1] <= '6') {
        *decimals = (uint32_t)(name[length - 1] - '0');
        length -= 2;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strlen(arguments[i].name) == length && memcmp(arguments[i].name, name, length) == 0) {
            return &arguments[i];
        }
    }
    return NULL;
}

uint32_t kn_rts_text_format(const char *format, const kn_rts_text_argument *arguments,
    uint32_t count, char *text, uint32_t size)
{
    writer w = writer_begin(text, size);
    while (format != NULL && *format != 0) {
        const char *end = *format == '{' ? strchr(format, '}') : NULL;
        if ((*format == '{' || *format == '}') && format[1] == *format) {
            write_bytes(&w, format, 1);
            format += 2;
        } else if (end != NULL) {
            uint32_t decimals;
            const uint32_t length = (uint32_t)(end - format - 1);
            const kn_rts_text_argument *found =
                argument_find(format + 1, length, arguments, count, &decimals);
            if (found != NULL) {
                write_number(&w, found->value, decimals);
            } else {
                write_bytes(&w, format, length + 2);
            }
            format = end + 1;
        } else {
            write_bytes(&w, format, 1);
            format++;
        }
    }
    return w.length;
}

// Numbers ------------------------------------------------------------------------------

// The unit, level and effect that a description is written for.
typedef struct reader {
    const kn_world *world;
    const kn_rts_display_def *def;
    const text_plan *plan;
    kn_entity_id unit;
    kn_ability_id grant; // of the ability; null: it does not have it
    kn_effect_id active; // the numbers of this effect count; null: none
    kn_effect_info info; // of `active`
    int32_t index;       // variant of the order
    float level;
} reader;

// Whether a piece is about the active effect itself.
static bool is_active(const reader *r, const text_piece *piece)
{
    return r->active.index1 != 0 && r->info.type.index1 == piece->effect.index1;
}

static bool effect_magnitude(
    const reader *r, const kn_effect_def *effect, const kn_magnitude *magnitude, float *value)
{
    return knc_rts_magnitude(r->world, effect, magnitude, r->unit, r->grant, r->level, value);
}

static float seconds(kn_time time)
{
    return (float)((double)time / 1e6);
}

// A duration or period: haste divides it, and an active effect knows its own.
static bool effect_time(const reader *r, const text_piece *piece, bool is_period, float *value)
{
    const kn_effect_def *def = kn_effect_type_get_def(r->world, piece->effect);
    if (is_active(r, piece)) {
        *value = seconds(is_period ? r->info.period : r->info.duration);
        return true;
    }
    float haste = 1;
    if (!effect_magnitude(r, def, is_period ? &def->period : &def->duration, value) ||
        (def->has_haste && !effect_magnitude(r, def, &def->haste, &haste))) {
        return false;
    }
    *value = haste > 0 ? *value / haste : *value;
    return true;
}

static bool effect_ticks(const reader *r, const text_piece *piece, float *value)
{
    const kn_effect_def *def = kn_effect_type_get_def(r->world, piece->effect);
    float duration, period;
    if (!effect_time(r, piece, false, &duration) || !effect_time(r, piece, true, &period) ||
        !(period > 0)) {
        return false;
    }
    // In microseconds, as the effect itself counts.
    const int64_t all = (int64_t)((double)duration * 1e6 + 0.5);
    const int64_t one = (int64_t)((double)period * 1e6 + 0.5);
    const int64_t whole = all / (one > 0 ? one : 1);
    *value = (float)whole + (def->skip_first_tick ? 0.0f : 1.0f);
    return true;
}

static bool modifier_value(const reader *r, const text_piece *piece, float *value)
{
    const kn_effect_def *def = kn_effect_type_get_def(r->world, piece->effect);
    if (is_active(r, piece)) {
        *value = kn_effect_magnitude(r->world, r->active, piece->index);
        return true;
    }
    return effect_magnitude(r, def, &def->modifiers[piece->index].magnitude, value);
}

// What the product costs the producer now; without one, what its definition says.
static void product_terms(const reader *r, kn_product_terms *terms)
{
    const kn_product_def *def =
        r->plan->product.index1 != 0
            ? kn_product_get_def(kn_world_library(r->world), r->plan->product)
            : NULL;
    if (def == NULL || kn_product_quote(r->world, r->unit, r->plan->product, terms)) {
        return;
    }
    terms->time = def->time;
    terms->cost_count = def->cost_count;
    for (uint32_t i = 0; i < def->cost_count; i++) {
        terms->costs[i] = def->costs[i];
    }
}

static bool cost_value(const reader *r, const text_piece *piece, float *value)
{
    const kn_library *library = kn_world_library(r->world);
    kn_product_terms terms = {0};
    product_terms(r, &terms);
    for (uint32_t i = 0; i < terms.cost_count; i++) {
        if (terms.costs[i].attribute.index1 == piece->attribute.index1) {
            *value = terms.costs[i].amount;
            return true;
        }
    }
    kn_cost_quote quotes[8];
    const bool is_now = r->grant.index1 != 0 && kn_ability_level(r->world, r->grant) == r->level;
    const uint32_t count = is_now ? kn_ability_quote(r->world, r->grant, quotes, COUNT(quotes)) : 0;
    for (uint32_t i = 0; i < count && i < COUNT(quotes); i++) {
        if (quotes[i].attribute.index1 == piece->attribute.index1) {
            *value = quotes[i].amount;
            return true;
        }
    }
    const kn_ability_def *ability = kn_ability_type_get_def(library, r->plan->ability);
    *value = ability != NULL
                 ? knc_rts_cost_nominal(r->world, r->unit, ability, r->level, piece->attribute)
                 : 0;
    return ability != NULL;
}

static float charges_value(const reader *r)
{
    const kn_library *library = kn_world_library(r->world);
    const kn_cooldown_def *cooldown =
        &kn_ability_type_get_def(library, r->plan->ability)->cooldowns[0];
    return cooldown->charges_from.index1 != 0 &&
                   kn_attribute_exists(r->world, r->unit, cooldown->charges_from, 0)
               ? kn_attribute_value(r->world, r->unit, cooldown->charges_from)
               : knc_rts_scalable(library, &cooldown->charges, r->level);
}

static bool attribute_value(const reader *r, const text_piece *piece, float *value)
{
    *value = kn_attribute_value(r->world, r->unit, piece->attribute);
    return kn_attribute_exists(r->world, r->unit, piece->attribute, 0);
}

// The number of a piece about the ability, order or product; false: it cannot be known.
static bool other_value(const reader *r, const text_piece *piece, float *value)
{
    const kn_library *library = kn_world_library(r->world);
    switch (piece->kind) {
    case PIECE_COST:
        return cost_value(r, piece, value);
    case PIECE_COOLDOWN:
        *value = seconds(
            knc_rts_cooldown_nominal(r->world, r->unit, r->plan->ability, r->grant, r->level));
        return true;
    case PIECE_CHARGES:
        *value = charges_value(r);
        return true;
    case PIECE_LASTS:
        *value = knc_rts_scalable(
            library, &kn_ability_type_get_def(library, r->plan->ability)->lasts, r->level);
        return true;
    case PIECE_MAX_LEVEL:
        *value = (float)kn_rts_ability_get_def(library, r->plan->ability)->max_level;
        return true;
    case PIECE_RANGE:
        *value = r->plan->order.index1 != 0
                     ? kn_order_get_range(r->world, r->plan->order, r->unit, r->index)
                     : knc_rts_ability_range(r->world, r->unit, r->plan->ability, r->level);
        return true;
    default: {
        kn_product_terms terms = {0};
        product_terms(r, &terms);
        *value = seconds(terms.time);
        return true;
    }
    }
}

static bool piece_value(const reader *r, const text_piece *piece, float *value)
{
    const kn_effect_def *effect = kn_effect_type_get_def(r->world, piece->effect);
    switch (piece->kind) {
    case PIECE_LEVEL:
        *value = r->level;
        return true;
    case PIECE_UNIT_LEVEL:
        *value = (float)kn_rts_level(r->world, r->unit);
        return true;
    case PIECE_ATTRIBUTE:
        return attribute_value(r, piece, value);
    case PIECE_VALUE:
        return kn_magnitude_evaluate(r->world, &r->def->values[piece->index].magnitude, r->unit,
                   r->info.target, r->level, value) == KN_OK;
    case PIECE_DURATION:
        return effect_time(r, piece, false, value);
    case PIECE_PERIOD:
        return effect_time(r, piece, true, value);
    case PIECE_TICKS:
        return effect_ticks(r, piece, value);
    case PIECE_CHANCE:
        return effect_magnitude(r, effect, &effect->chance, value);
    case PIECE_STACKS:
        *value = knc_rts_scalable(kn_world_library(r->world), &effect->stacking.limit, r->level);
        return true;
    case PIECE_MODIFIER:
        return modifier_value(r, piece, value);
    default:
        return other_value(r, piece, value);
    }
}

// How much a number changes something, in percent.
static float percent_of(const reader *r, const text_piece *piece, float value)
{
    if (piece->kind != PIECE_MODIFIER) {
        return value * 100.0f;
    }
    switch (kn_effect_type_get_def(r->world, piece->effect)->modifiers[piece->index].op) {
    case KN_OP_MULTIPLY:
    case KN_OP_MULTIPLY_ADDITIVE:
    case KN_OP_MULTIPLY_COMPOUND:
        return (value - 1.0f) * 100.0f;
    case KN_OP_DIVIDE:
    case KN_OP_DIVIDE_ADDITIVE:
    case KN_OP_DIVIDE_COMPOUND:
        return value != 0.0f ? (1.0f / value - 1.0f) * 100.0f : NAN;
    default:
        return value * 100.0f;
    }
}

static void write_piece(writer *w, const reader *r, const text_piece *piece)
{
    float value = 0, ticks = 1;
    if (piece->kind == PIECE_TEXT) {
        // A display of an ability may describe its order: the text is that of the display.
        write_bytes(w, r->def->description + piece->begin, piece->length);
        return;
    }
    bool is_known = piece_value(r, piece, &value);
    if (piece->form == FORM_TOTAL) {
        is_known = is_known && effect_ticks(r, piece, &ticks);
        value *= ticks;
    }
    if (piece->form == FORM_PERCENT || piece->form == FORM_SIGNED_PERCENT) {
        value = percent_of(r, piece, value);
    }
    if (piece->form != FORM_PLAIN && piece->form != FORM_SIGNED_PERCENT) {
        value = fabsf(value);
    }
    if (piece->form == FORM_SIGNED_PERCENT && is_known && value > 0) {
        write_bytes(w, "+", 1);
    }
    write_number(w, is_known ? value : NAN, piece->decimals);
    if (piece->form == FORM_PERCENT || piece->form == FORM_SIGNED_PERCENT) {
        write_bytes(w, "%", 1);
    }
}

static uint32_t describe(reader *r, uint32_t display, char *text, uint32_t size)
{
    writer w = writer_begin(text, size);
    const display_kit *kit = knc_rts_displays(kn_world_library(r->world));
    if (display != 0) {
        r->def = kn_def_get(kn_world_library(r->world), kit->kind, display);
        r->plan = &kit->plans[display - 1];
        r->level = r->level > 0 ? r->level : 1;
        for (uint32_t i = 0; i < r->plan->piece_count; i++) {
            write_piece(&w, r, &r->plan->pieces[i]);
        }
    }
    return w.length;
}

static uint32_t describe_plain(const char *description, char *text, uint32_t size)
{
    writer w = writer_begin(text, size);
    write_bytes(&w, description != NULL ? description : "",
        description != NULL ? (uint32_t)strlen(description) : 0);
    return w.length;
}

static bool has_text(const kn_rts_display_def *def)
{
    return def != NULL && def->description != NULL;
}

// The grant of the ability that a description is about, and its level unless one is given.
static void reader_set_ability(reader *r, kn_ability_type_id ability)
{
    r->grant =
        ability.index1 != 0 ? knc_rts_ability_of(r->world, r->unit, ability) : (kn_ability_id){0};
    if (!(r->level > 0)) {
        r->level = (float)kn_rts_ability_level_of(r->world, r->unit, ability);
    }
}

uint32_t kn_rts_describe_ability(const kn_world *world, kn_entity_id unit,
    kn_ability_type_id ability, float level, char *text, uint32_t size)
{
    if (knc_rts_kit_of_world(world) == NULL) {
        return describe_plain(NULL, text, size);
    }
    reader r = {.world = world, .unit = unit, .level = level, .index = -1};
    reader_set_ability(&r, ability);
    return describe(&r,
        knc_rts_display_find(kn_world_library(world), DISPLAY_OF_ABILITY, ability.index1), text,
        size);
}

uint32_t kn_rts_describe_effect(const kn_world *world, kn_entity_id source,
    kn_effect_type_id effect, float level, char *text, uint32_t size)
{
    if (knc_rts_kit_of_world(world) == NULL) {
        return describe_plain(NULL, text, size);
    }
    reader r = {.world = world, .unit = source, .level = level, .index = -1};
    return describe(&r,
        knc_rts_display_find(kn_world_library(world), DISPLAY_OF_EFFECT, effect.index1), text,
        size);
}

uint32_t kn_rts_describe_active_effect(
    const kn_world *world, kn_effect_id effect, char *text, uint32_t size)
{
    reader r = {.world = world, .active = effect, .index = -1};
    if (knc_rts_kit_of_world(world) == NULL || !kn_effect_get(world, effect, &r.info)) {
        return describe_plain(NULL, text, size);
    }
    r.unit = r.info.source;
    r.level = r.info.level;
    return describe(&r,
        knc_rts_display_find(kn_world_library(world), DISPLAY_OF_EFFECT, r.info.type.index1), text,
        size);
}

static uint32_t describe_by_ability(const kn_world *world, kn_entity_id unit, int32_t index,
    kn_ability_type_id ability, char *text, uint32_t size)
{
    reader r = {.world = world, .unit = unit, .index = index};
    reader_set_ability(&r, ability);
    return describe(&r,
        knc_rts_display_find(kn_world_library(world), DISPLAY_OF_ABILITY, ability.index1), text,
        size);
}

uint32_t kn_rts_describe_order(const kn_world *world, kn_entity_id unit, kn_order_type_id order,
    int32_t index, char *text, uint32_t size)
{
    const kn_library *library =
        knc_rts_kit_of_world(world) != NULL ? kn_world_library(world) : NULL;
    const kn_order_type_def *def = library != NULL ? kn_order_type_get_def(library, order) : NULL;
    if (def == NULL) {
        return describe_plain(NULL, text, size);
    }
    kn_order_variant variant;
    const bool is_there = kn_order_get_variant(world, order, unit, index, &variant);
    const kn_order_type_def *like = kn_order_type_get_def(library, variant.looks_like);
    if (is_there && like != NULL &&
        (like->description != NULL ||
            has_text(kn_rts_order_display(library, variant.looks_like)))) {
        order = variant.looks_like;
        def = like;
    } else if (is_there && variant.ability.index1 != def->ability.index1 &&
               has_text(kn_rts_ability_display(library, variant.ability))) {
        return describe_by_ability(world, unit, index, variant.ability, text, size);
    }
    const bool is_own = has_text(kn_rts_order_display(library, order));
    if (!is_own && def->description != NULL) {
        return describe_plain(def->description, text, size);
    }
    if (!is_own) {
        return describe_by_ability(world, unit, index, def->ability, text, size);
    }
    reader r = {.world = world, .unit = unit, .index = index};
    reader_set_ability(&r, variant.ability);
    return describe(&r, knc_rts_display_find(library, DISPLAY_OF_ORDER, order.index1), text, size);
}

uint32_t kn_rts_describe_product(
    const kn_world *world, kn_entity_id producer, kn_product_id product, char *text, uint32_t size)
{
    const kn_library *library =
        knc_rts_kit_of_world(world) != NULL ? kn_world_library(world) : NULL;
    const kn_product_def *def = library != NULL && kn_order_produce_is_there(library)
                                    ? kn_product_get_def(library, product)
                                    : NULL;
    if (def == NULL) {
        return describe_plain(NULL, text, size);
    }
    if (!has_text(kn_rts_product_display(library, product))) {
        return describe_plain(def->description, text, size);
    }
    reader r = {.world = world, .unit = producer, .level = def->level, .index = -1};
    const kn_rts_upgrade_id upgrade = kn_rts_product_upgrade(library, product);
    if (upgrade.index1 != 0) { // the level that would be researched
        const uint32_t level =
            kn_rts_upgrade_level_of(world, kn_product_payer(world, producer), upgrade) + 1;
        const uint32_t most = kn_rts_upgrade_get_def(library, upgrade)->max_level;
        r.level = (float)(level < most ? level : most);
    }
    return describe(
        &r, knc_rts_display_find(library, DISPLAY_OF_PRODUCT, product.index1), text, size);
}
