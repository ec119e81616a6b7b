// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The command card, a part of the RTS kit (knack/rts.h): everything that a user interface shows
/// for the orders and abilities of the selected units, as one query that is cheap enough for every
/// frame; and short queries about units, abilities, effects and tags.
///
///   kn_rts_button buttons[24];
///   uint32_t count = kn_rts_card(world, selection, selected, buttons, 24);
///   for (uint32_t i = 0; i < count && i < 24; i++) {
///       draw_button(&buttons[i], buttons[i].is_ready, buttons[i].cooldown_fraction);
///   }
///
/// All of it only reads, on clients too, and allocates nothing.
#ifndef KNACK_RTS_CARD_H
#define KNACK_RTS_CARD_H

#include "knack/rts_text.h"

#ifdef __cplusplus
extern "C" {
#endif

// The command card --------------------------------------------------------------------

/// Most units whose buttons are shown together.
#define KN_RTS_SELECTION_MAX 200
/// Most costs of a button.
#define KN_RTS_BUTTON_COSTS_MAX 8

/// Whether an order is given automatically.
typedef enum kn_rts_auto_state {
    KN_RTS_AUTO_NONE,  ///< the player cannot have it given automatically
    KN_RTS_AUTO_OFF,   ///< the player may switch it on
    KN_RTS_AUTO_ON,    ///< it is given automatically
    KN_RTS_AUTO_COUNT, ///< number of the values above; not a value itself
} kn_rts_auto_state;

/// One button of a command card.
typedef struct kn_rts_button {
    kn_order_type_id order;     ///< the order that it gives
    int32_t index;              ///< variant of the order: the product by its place; -1: none
    kn_ability_type_id ability; ///< the ability that the order uses; null: none
    kn_product_id product;      ///< the product that it makes; null: none
    /// The unit that the button speaks of: the first one that could obey now; without any, the one
    /// whose cooldown ends first.
    kn_entity_id unit;
    uint32_t unit_count;              ///< how many of the units have the button
    kn_rts_look look;                 ///< title, icon and place
    kn_order_target_kind target_kind; ///< what the player must aim at
    bool is_ready;                    ///< the order could be given now, to a fitting target
    bool is_current;                  ///< the unit obeys this order now
    bool can_learn;                   ///< an ability point may be spent on the ability
    kn_rts_auto_state auto_state;     ///< whether it is given automatically
    /// All that is against it: missing tags, blocking tags, and tags of other reasons.
    kn_order_errors why_not;
    uint32_t level;          ///< level of the ability; 0: not learned
    uint32_t max_level;      ///< highest level of the ability; 0: it has no levels
    uint32_t learn_why_not;  ///< bits of kn_rts_why_not: why it cannot be learned or raised
    uint32_t charges;        ///< charges there are now
    uint32_t max_charges;    ///< most charges; 0 or 1: it has none worth showing
    kn_time cooldown;        ///< time until it can be used, or until the next charge; 0: none runs
    kn_time cooldown_total;  ///< whole length of that; 0: none runs
    float cooldown_fraction; ///< how much of it is left, 1 to 0
    uint32_t cost_count;     ///< number of entries in `costs`
    kn_cost_quote costs[KN_RTS_BUTTON_COSTS_MAX]; ///< what it costs now
} kn_rts_button;

/// The buttons of some units: their `commands`, in order; those of further units that the ones
/// before do not have come behind. The order `Knack.Produce` or `Knack.Build` among the commands of
/// a producer stands for a button for each of its products. Entities that do not obey orders have
/// none.
/// @param count at most the first KN_RTS_SELECTION_MAX units count
/// @param out may be NULL if `capacity` is 0
/// @return how many buttons there are; at most `capacity` are written. One that is not written is
///         counted again for each further unit that has it
KN_API uint32_t kn_rts_card(const kn_world *world, const kn_entity_id *units, uint32_t count,
    kn_rts_button *out, uint32_t capacity);
/// The description of a button, for the unit that it speaks of. Returns the full length; the text
/// is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_rts_describe_button(
    const kn_world *world, const kn_rts_button *button, char *text, uint32_t size);
/// Why a button is not ready, as one line for people: the names of all tags. Empty if it is.
/// Returns the full length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_rts_button_print(
    const kn_world *world, const kn_rts_button *button, char *text, uint32_t size);

// Attributes ----------------------------------------------------------------------------

/// The current value of an attribute; `fallback` for an entity that does not have it.
KN_API float kn_rts_attribute(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, float fallback);
/// A number by level: value x curve(level), or the value alone without a curve; 0 if its curve is
/// not one of the library, or it reads a parameter of an effect.
KN_API float kn_rts_scalable_at(
    const kn_library *library, const kn_scalable *scalable, float level);

// Abilities -----------------------------------------------------------------------------

/// The tag of the first trigger of an ability that is an event; null without one.
KN_API kn_tag kn_rts_event_trigger(const kn_library *library, kn_ability_type_id ability);
/// Abilities of a unit that the event KN_RTS_EVENT_ATTACK triggers, in order of grant. Returns how
/// many there are; at most `capacity` are written.
KN_API uint32_t kn_rts_basic_attacks(
    const kn_world *world, kn_entity_id unit, kn_ability_id *out, uint32_t capacity);
/// Time until a unit can use an ability again, and the whole length of its cooldown: while it is
/// ready, how long the cooldown would be, also for a unit that does not have it yet. Both are 0
/// for an ability without a cooldown. Each may be NULL.
KN_API void kn_rts_cooldown(const kn_world *world, kn_entity_id unit, kn_ability_type_id ability,
    kn_time *remaining, kn_time *duration);
/// True if an entity has all tags that the activation of an ability requires, as passive abilities
/// do that upgrades unlock. Whether it has the ability does not matter. False for unknown ones.
KN_API bool kn_rts_is_unlocked(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability);
/// The abilities that an effect grants, in order. Returns how many there are; at most `capacity`
/// are written.
KN_API uint32_t kn_rts_granted_abilities(
    const kn_world *world, kn_effect_type_id effect, kn_ability_type_id *out, uint32_t capacity);
/// The abilities that a unit has from effects, such as those of items, in order of grant. Returns
/// how many there are; at most `capacity` are written.
KN_API uint32_t kn_rts_item_abilities(
    const kn_world *world, kn_entity_id unit, kn_ability_id *out, uint32_t capacity);
/// The place of an ability among kn_rts_item_abilities(); -1 for none.
KN_API int32_t kn_rts_item_ability_index(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability);

// Effects -------------------------------------------------------------------------------

/// How long active effects last.
typedef struct kn_rts_effect_time {
    uint32_t count;    ///< active effects of the type
    bool is_infinite;  ///< one of them has no end: `remaining` and `duration` are -1
    kn_time remaining; ///< longest time left of any of them; 0: none is active
    kn_time duration;  ///< longest whole length of any of them; 0: none is active
} kn_rts_effect_time;

/// How long the active effects of exactly one type on an entity last.
KN_API kn_rts_effect_time kn_rts_get_effect_time(
    const kn_world *world, kn_entity_id entity, kn_effect_type_id effect);

// Tags ----------------------------------------------------------------------------------

/// True if units of a type are called by a tag: their name tag or one of their initial tags is the
/// tag or one below it. Tags from parts and providers do not count.
KN_API bool kn_rts_unit_type_has_tag(
    const kn_library *library, kn_rts_unit_type_id type, kn_tag tag);
/// The tags for how an entity stands to another: neutral if one of them is null or gone; otherwise
/// those of kn_order_get_relation(), and KN_RTS_SAME_PLAYER if both belong to one player. Returns
/// how many there are; at most `capacity` are written.
KN_API uint32_t kn_rts_relation_tags(
    const kn_world *world, kn_entity_id from, kn_entity_id to, kn_tag *out, uint32_t capacity);
/// The tags of two entities, each with those of kn_rts_relation_tags() from the first to the
/// second. Both sets are written anew, with as many tags as they have room for.
KN_API void kn_rts_source_and_target_tags(const kn_world *world, kn_entity_id source,
    kn_entity_id target, kn_tag_set *source_tags, kn_tag_set *target_tags);
/// Gives a unit exactly this tag if it does not have it, or takes it away once if it does.
/// @return KN_OK, also if nothing had to change; otherwise as kn_rts_add_tags()
KN_API kn_result kn_rts_change_tag(kn_world *world, kn_entity_id unit, kn_tag tag, bool exists);
/// The tags of a list that are a tag or below it, in their order. Returns how many there are; at
/// most `capacity` are written.
KN_API uint32_t kn_rts_filter_tags(
    const kn_library *library, kn_tags tags, kn_tag parent, kn_tag *out, uint32_t capacity);
/// Whether a list of tags has all required and no blocked tags, parents included.
/// @param errors every required tag that is missing and every blocked one that is there is added
///               to its lists; may be NULL
KN_API bool kn_rts_check_tags(const kn_library *library, kn_tags tags, kn_tags required,
    kn_tags blocked, kn_order_errors *errors);

// Events --------------------------------------------------------------------------------

/// An event record, and everything that it refers to. Do not copy it: `record` points into it.
typedef struct kn_rts_event {
    kn_tag tag;                 ///< the tag to send it under, for kn_event_send()
    kn_event_record record;     ///< the record
    kn_tag_set instigator_tags; ///< what `record` has as tags of the instigator
    kn_tag_set target_tags;     ///< what `record` has as tags of the target
    kn_target_data targets;     ///< what `record` has as target data
} kn_rts_event;

/// Fills in the event that activates an ability for an order: its tag is that of the first event
/// trigger of the ability, its instigator the unit, its magnitude the level of the unit. Target
/// tags include those of the relation. An order at an entity has that entity as target data, one
/// at a point or in a direction a line from the unit to that point.
/// @param order what the unit is ordered to do; its type must use an ability
/// @param event left alone on anything but KN_OK
/// @return KN_OK; KN_REFUSED_STALE_ID for a null or stale unit; KN_REFUSED_NOT_FOUND for an order
///         without an ability, or whose ability no event triggers; KN_ERROR_INVALID_ARGUMENT
///         without an order or event, or the kit
KN_API kn_result kn_rts_event_for_order(
    const kn_world *world, kn_entity_id unit, const kn_order *order, kn_rts_event *event);
/// Fills in an event of one entity about another, under a tag: the magnitude is the level of the
/// source, tags are read now, and it has no target data.
/// @param event left alone on anything but KN_OK
/// @return KN_OK; KN_REFUSED_STALE_ID for a null or stale entity; KN_ERROR_INVALID_ARGUMENT for an
///         unknown tag, without an event, or without the kit
KN_API kn_result kn_rts_event_with_tag(const kn_world *world, kn_entity_id source,
    kn_entity_id target, kn_tag tag, kn_rts_event *event);
/// Lets the abilities of an entity react to an event, and counts those that do: each one that an
/// event with its tag, or one above it, triggers is tried, in order of grant. The receiver may be
/// anybody, such as the source of the event. Rules, tasks and listeners hear nothing of it;
/// kn_event_send() notifies all of them, and counts nothing.
/// @param activated receives how many were activated; 0 on anything but KN_OK; may be NULL
/// @return KN_OK, also if none was activated; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT
///         without an event or its tag, or without the kit; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_send_event(
    kn_world *world, kn_entity_id receiver, const kn_rts_event *event, uint32_t *activated);

#ifdef __cplusplus
}
#endif

#endif
