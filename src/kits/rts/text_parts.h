// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources of displays and descriptions share. A description is cut into pieces when the
// library is finished: text, and numbers whose names are resolved. Nothing is parsed later.
#ifndef KNACK_RTS_TEXT_PARTS_H
#define KNACK_RTS_TEXT_PARTS_H

#include "knack/rts_card.h"
#include "knack/rts_text.h"
#include "parts.h"

typedef enum piece_kind {
    PIECE_TEXT,
    PIECE_LEVEL,
    PIECE_UNIT_LEVEL,
    PIECE_ATTRIBUTE,
    PIECE_VALUE, // of the display
    PIECE_DURATION,
    PIECE_PERIOD,
    PIECE_TICKS,
    PIECE_CHANCE,
    PIECE_STACKS,
    PIECE_MODIFIER,
    PIECE_COST,
    PIECE_COOLDOWN,
    PIECE_CHARGES,
    PIECE_LASTS,
    PIECE_MAX_LEVEL,
    PIECE_RANGE,
    PIECE_TIME,
} piece_kind;

typedef enum piece_form {
    FORM_PLAIN,
    FORM_AMOUNT,
    FORM_PERCENT,
    FORM_SIGNED_PERCENT,
    FORM_TOTAL,
} piece_form;

typedef struct text_piece {
    piece_kind kind;
    piece_form form;
    uint32_t decimals;
    uint32_t begin, length;    // text: where it is in the description
    kn_effect_type_id effect;  // those of effects
    kn_attribute_id attribute; // attributes and costs
    uint32_t index;            // of the modifier, or of the value
} text_piece;

// The description of a display. What it is about is known once the library is finished.
typedef struct text_plan {
    text_piece *pieces;
    uint32_t piece_count, piece_capacity;
    kn_ability_type_id ability; // also that of the order
    kn_effect_type_id effect;   // also the first one of the ability, or that of the product
    kn_order_type_id order;
    kn_product_id product;
} text_plan;

// What command cards need of an ability.
typedef struct card_ability {
    const kn_ability_def *def;
    kn_ability_type_id type;
    uint32_t max_level;
    bool has_heirs;      // other abilities descend from it
    bool has_one_charge; // it has no cooldown, or one with a single charge of its own
} card_ability;

// What command cards need of an order type.
typedef struct card_plan {
    const kn_order_type_def *def;
    card_ability ability; // without a def: none
    kn_rts_look look;
} card_plan;

typedef struct display_kit {
    kn_def_kind kind;
    text_plan *plans; // by number of the display - 1
    uint32_t plan_count;
    uint32_t *of[4]; // by display_of and number - 1: number of the display, or 0
    uint32_t of_count[4];
    card_plan *cards; // by number of the order type - 1
    uint32_t card_count;
    card_ability *abilities; // by number of the ability - 1
    uint32_t ability_count;
    kn_order_type_id produce, build; // those that stand for products; null without production
    kn_tag no_ability;
} display_kit;

typedef enum display_of {
    DISPLAY_OF_ABILITY,
    DISPLAY_OF_EFFECT,
    DISPLAY_OF_ORDER,
    DISPLAY_OF_PRODUCT,
} display_of;

// rts_display.c
display_kit *knc_rts_displays(const kn_library *library);
// The number of the display of something; 0: it has none.
uint32_t knc_rts_display_find(const kn_library *library, display_of of, uint32_t index1);
// What is known of an ability; nothing for null.
card_ability knc_rts_card_ability(const display_kit *kit, kn_ability_type_id ability);
// How a variant of a known order type looks.
kn_rts_look knc_rts_variant_look(const kn_library *library, const kn_order_variant *variant);

// rts_query.c
// How long an ability cools down when nothing runs; 0: it does not.
kn_time knc_rts_cooldown_nominal(const kn_world *world, kn_entity_id unit,
    kn_ability_type_id ability, kn_ability_id grant, float level);
// What an ability costs in one attribute at a level, by its definition.
float knc_rts_cost_nominal(const kn_world *world, kn_entity_id unit, const kn_ability_def *def,
    float level, kn_attribute_id attribute);
// A magnitude of an effect as an ability, or nobody, would apply it.
bool knc_rts_magnitude(const kn_world *world, const kn_effect_def *effect,
    const kn_magnitude *magnitude, kn_entity_id source, kn_ability_id grant, float level,
    float *value);

#endif
