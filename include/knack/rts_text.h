// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// What players read about abilities, effects, orders and products, a part of the RTS kit
/// (knack/rts.h): titles, icons, and descriptions whose numbers come from the definitions.
///
///   rts_displays:
///     Slow:
///       effect: Slow
///       title: Slowed
///       description: "Slows by {modifiers.Speed.percent} for {duration} s."
///
/// Descriptions are checked when the library is finished: a placeholder that names nothing is an
/// error. They are filled in for an entity and a level, so that they say what would happen now.
/// Numbers are written the same everywhere, whatever the locale of the machine.
///
/// Placeholders in a description:
///
///   {level}, {unit_level}         level of the ability or effect; level of the unit
///   {attributes.Combat.Damage}    an attribute of the entity
///   {Name}                        one of the `values` of the display
///   {duration}, {period}          seconds, of the effect; for an ability, of the first effect that
///                                 it applies; for a product, of its effect or that of the upgrade
///   {ticks}, {chance}, {stacks}   how often it ticks, its chance, its highest stack count
///   {modifiers.Speed}             magnitude of its first modifier of an attribute or value
///   {effects.Slow.duration}       any of these, of any effect
///   {cost.Mana}                   price of an ability or product
///   {cooldown}, {charges}, {lasts}, {max_level}  of an ability
///   {range}                       of an order or ability
///   {time}                        seconds to make a product; of research, those of the next level
///
/// A number may end in `.amount` (without its sign), `.percent` ("30%": how much a factor changes
/// the value, a share of 1 otherwise), `.signed_percent` ("-30%") or, for modifiers, `.total` (of
/// all ticks, without its sign). `{duration:1}` writes at most 1 decimal place; the default is 2.
/// `{{` and `}}` stand for braces.
#ifndef KNACK_RTS_TEXT_H
#define KNACK_RTS_TEXT_H

#include "knack/order_produce.h"
#include "knack/rts.h"

#ifdef __cplusplus
extern "C" {
#endif

// Definitions -----------------------------------------------------------------------

/// A number that the description of a display names.
typedef struct kn_rts_text_value {
    const char *name; ///< the placeholder, without dots; required
    /// The number: its source is the entity that is described, its level that of the ability.
    kn_magnitude magnitude;
} kn_rts_text_value;

/// What players see of something, in data files under `rts_displays`. Start from
/// kn_rts_display_def_default(). It is for one of `ability`, `effect`, `order` and `product`;
/// without any of them for what is called as the display: an ability, effect, order type or
/// product, in this order.
typedef struct kn_rts_display_def {
    const char *name;           ///< unique name; required
    kn_ability_type_id ability; ///< it is for this ability; null: for something else
    kn_effect_type_id effect;   ///< it is for this effect; null: for something else
    kn_order_type_id order;     ///< it is for this order type; null: for something else
    const char *product;        ///< it is for the product of this name; NULL: for something else
    const char *title;          ///< what players call it; NULL: its name
    const char *description;    ///< text with placeholders; may be NULL
    const char *icon;           ///< name of its picture; may be NULL
    const char *icon_disabled;  ///< name of its picture when it cannot be used; may be NULL
    int32_t button;             ///< place among the buttons; -1: anywhere; default -1
    bool shows_as_order; ///< its button belongs to the orders, not to the abilities; default false
    const char *preview; ///< of an ability or order: what shows where it is aimed; may be NULL
    kn_order_snap preview_snap;      ///< where that is shown; default none
    const kn_rts_text_value *values; ///< numbers that the description names
    uint32_t value_count;            ///< number of entries in `values`
    uint32_t cookie;                 ///< set by kn_rts_display_def_default(); do not change it
} kn_rts_display_def;

/// A def with the defaults named above.
KN_API kn_rts_display_def kn_rts_display_def_default(void);
/// Registers a display.
/// @return as kn_rts_rules_register(); KN_ERROR_BAD_DATA at finish for a display of nothing, a
///         second one of the same thing, and a description with an unknown placeholder
KN_API KN_MUST_USE kn_result kn_rts_display_register(
    kn_library *library, const kn_rts_display_def *def, kn_error *error);

/// The display of an ability; NULL without one, and before the library is finished. It belongs to
/// the library.
KN_API const kn_rts_display_def *kn_rts_ability_display(
    const kn_library *library, kn_ability_type_id ability);
/// The display of an effect, as kn_rts_ability_display().
KN_API const kn_rts_display_def *kn_rts_effect_display(
    const kn_library *library, kn_effect_type_id effect);
/// The display of an order type, as kn_rts_ability_display().
KN_API const kn_rts_display_def *kn_rts_order_display(
    const kn_library *library, kn_order_type_id order);
/// The display of a product, as kn_rts_ability_display().
KN_API const kn_rts_display_def *kn_rts_product_display(
    const kn_library *library, kn_product_id product);

/// What user interfaces show beside a description.
typedef struct kn_rts_look {
    const char *title;          ///< its title, or its name; never NULL
    const char *icon;           ///< name of its picture; NULL: none
    const char *icon_disabled;  ///< name of its picture when it cannot be used; NULL: none
    int32_t button;             ///< place among the buttons; -1: anywhere
    bool shows_as_order;        ///< its button belongs to the orders, not to the abilities
    const char *preview;        ///< name of what shows where it is aimed; NULL: nothing
    kn_order_snap preview_snap; ///< where that is shown
} kn_rts_look;

/// How an ability looks: without a title it is called by its name. Empty for an unknown ability.
/// Valid as long as the library, as are the answers below.
KN_API kn_rts_look kn_rts_ability_look(const kn_library *library, kn_ability_type_id ability);
/// How an effect looks: with a display without a title it is called by its name. Without a display
/// it is not meant to be shown, and everything is empty.
KN_API kn_rts_look kn_rts_effect_look(const kn_library *library, kn_effect_type_id effect);
/// How an order looks: by its display; then by what its type says; then by the display of its
/// ability; then it is called by its name.
KN_API kn_rts_look kn_rts_order_look(const kn_library *library, kn_order_type_id order);
/// How an order of a unit looks. What `find_variant` of its type answers comes first: the type that
/// it looks like, then the display of its ability; then as kn_rts_order_look().
/// @param unit may be null
/// @param index the variant; -1: none
KN_API kn_rts_look kn_rts_unit_order_look(
    const kn_world *world, kn_entity_id unit, kn_order_type_id order, int32_t index);
/// How a product looks: by its display, then by what its definition says.
KN_API kn_rts_look kn_rts_product_look(const kn_library *library, kn_product_id product);

// Descriptions ----------------------------------------------------------------------
//
// Each writes at most `size` bytes including the final zero, and returns the full length. They only
// read, on clients too. A number that cannot be known, such as one that follows an attribute of a
// target, is written as "?".

/// The description of an ability for a unit.
/// @param unit may be null: then nothing follows from its attributes
/// @param level of the ability; 0: that at which the unit has it, or 1
KN_API uint32_t kn_rts_describe_ability(const kn_world *world, kn_entity_id unit,
    kn_ability_type_id ability, float level, char *text, uint32_t size);
/// The description of an effect as it would be if an entity applied it.
/// @param source may be null
/// @param level of the effect; 0: 1
KN_API uint32_t kn_rts_describe_effect(const kn_world *world, kn_entity_id source,
    kn_effect_type_id effect, float level, char *text, uint32_t size);
/// The description of an active effect, with the numbers that it has. Empty for a stale id.
KN_API uint32_t kn_rts_describe_active_effect(
    const kn_world *world, kn_effect_id effect, char *text, uint32_t size);
/// The description of an order for a unit: that of its display, of its type, or of its ability.
/// What `find_variant` of its type answers comes first, as in kn_rts_unit_order_look().
KN_API uint32_t kn_rts_describe_order(const kn_world *world, kn_entity_id unit,
    kn_order_type_id order, int32_t index, char *text, uint32_t size);
/// The description of a product for a producer: that of its display, or of its definition.
KN_API uint32_t kn_rts_describe_product(
    const kn_world *world, kn_entity_id producer, kn_product_id product, char *text, uint32_t size);

// Plain text ------------------------------------------------------------------------

/// A number with a name, for kn_rts_text_format().
typedef struct kn_rts_text_argument {
    const char *name; ///< the placeholder
    float value;      ///< the number
} kn_rts_text_argument;

/// Writes a text with numbers instead of placeholders, for games that compute them on their own.
/// Placeholders that no argument has stay as they are. Returns the full length; the text is
/// truncated to `size` bytes including the final zero.
KN_API uint32_t kn_rts_text_format(const char *format, const kn_rts_text_argument *arguments,
    uint32_t count, char *text, uint32_t size);
/// Writes a number with at most `decimals` decimal places (0 to 6), rounded to nearest with halves
/// away from zero and without zeros at the end: "2.5", "-3", "1000000". "?" for one that is not
/// finite. Returns the full length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_rts_number_print(float value, uint32_t decimals, char *text, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
