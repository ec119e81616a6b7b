// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Technology, a part of the RTS kit (knack/rts.h): upgrades that change all units of a player,
/// present and future, what a player must have for something, and how many units it may have.
///
///   kn_rts_research_info info;
///   if (kn_rts_can_research(world, smithy, blades, &info)) {
///       result = kn_rts_research(world, smithy, blades);
///   }
///
/// A player is an entity that owns units (kn_entity_set_owner()). What it has is its tags and
/// attributes: a unit that lives and is finished gives its owner the tags in `provides` of its type
/// and room for more units, an upgrade gives tags and an effect. Requirements are questions about
/// these tags.
///
/// Upgrades are researched, and units trained, in the queues of production (knack/order_produce.h):
/// there they are paid, cancelled and refunded, by the orders `Knack.Produce` and
/// `Knack.CancelProduct`, and what is missing is among the reasons of a refusal. Content asks for
/// it with `kits: [order, production, rts]`.
///
/// All of it is the authority's: calls on clients are refused. Clients see the upgrades of their
/// own player.
#ifndef KNACK_RTS_TECH_H
#define KNACK_RTS_TECH_H

#include "knack/order_produce.h"
#include "knack/rts.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_rts_upgrade_id)
KN_TYPE_ID(kn_rts_requirement_id)

// Upgrades --------------------------------------------------------------------------

/// A part of the price of an upgrade.
typedef struct kn_rts_cost {
    kn_attribute_id attribute; ///< what is paid with, an attribute of the player; required
    kn_scalable amount;        ///< how much, by the level that is researched; default 0
} kn_rts_cost;

/// What one level of an upgrade needs and gives.
typedef struct kn_rts_upgrade_level {
    kn_tags required;          ///< the player must have all of these to research it
    kn_tags blocked;           ///< the player must have none of these
    const kn_tag_query *query; ///< a question that the tags of the player must meet; may be NULL
    kn_tags tags;              ///< tags that the player has from this level on
} kn_rts_upgrade_level;

/// Arguments of the hook `changed` of an upgrade. The player is the entity of the kn_hook_call.
typedef struct kn_rts_upgrade_call {
    uint32_t before; ///< level before
    uint32_t after;  ///< level now
} kn_rts_upgrade_call;

/// Most levels of an upgrade.
#define KN_RTS_UPGRADE_LEVEL_MAX 1000

/// Something that a player researches, in data files under `rts_upgrades`. Start from
/// kn_rts_upgrade_def_default().
typedef struct kn_rts_upgrade_def {
    const char *name; ///< unique name; required
    /// The product that researches it, with `research: true`; NULL: the one called as the upgrade,
    /// if there is one. Title, description, icon and refund are those of the product.
    const char *product;
    uint32_t max_level;       ///< highest level, 1 to 1000; default 1
    const kn_rts_cost *costs; ///< its price; none: that of the product
    uint32_t cost_count;      ///< number of entries in `costs`, at most 8
    /// Seconds to research it, by the level that is researched; default 0: those of the product.
    kn_scalable time;
    /// An effect that the player has while it has the upgrade, at the level of the upgrade; null:
    /// none. With `acts_on_owned` it changes all units of the player that meet `owned`. An instant
    /// one is executed when the level rises.
    kn_effect_type_id effect;
    kn_tags tags;                       ///< tags that the player has while it has the upgrade
    const kn_rts_upgrade_level *levels; ///< what single levels need and give, from level 1 on
    uint32_t level_count;               ///< number of entries in `levels`, at most `max_level`
    kn_hook changed;                    ///< called when the level for a player has changed
    uint32_t cookie;                    ///< set by kn_rts_upgrade_def_default(); do not change it
} kn_rts_upgrade_def;

/// A def with the defaults named above.
KN_API kn_rts_upgrade_def kn_rts_upgrade_def_default(void);
/// Registers an upgrade.
/// @return as kn_rts_rules_register(); KN_ERROR_BAD_DATA at finish for a product that is missing,
///         that is not research, or that another upgrade has
KN_API KN_MUST_USE kn_result kn_rts_upgrade_register(kn_library *library,
    const kn_rts_upgrade_def *def, kn_rts_upgrade_id *upgrade, kn_error *error);
/// The upgrade with this name; null when there is none.
KN_API kn_rts_upgrade_id kn_rts_upgrade_find(const kn_library *library, const char *name);
/// The def of an upgrade as registered; it belongs to the library. NULL when unknown.
KN_API const kn_rts_upgrade_def *kn_rts_upgrade_get_def(
    const kn_library *library, kn_rts_upgrade_id upgrade);
/// The product that researches an upgrade; null for none, and before the library is finished.
KN_API kn_product_id kn_rts_upgrade_product(const kn_library *library, kn_rts_upgrade_id upgrade);
/// The upgrade that a product researches; null for none, and before the library is finished.
KN_API kn_rts_upgrade_id kn_rts_product_upgrade(const kn_library *library, kn_product_id product);

/// An upgrade of a player.
typedef struct kn_rts_upgrade_info {
    kn_rts_upgrade_id upgrade; ///< the upgrade
    uint32_t level;            ///< its level; 0: it is only being researched
    uint32_t researched_level; ///< the level that is being researched; 0: none
    kn_entity_id building;     ///< where it is being researched; null: nowhere
} kn_rts_upgrade_info;

/// The level of an upgrade of a player; 0 without it.
KN_API uint32_t kn_rts_upgrade_level_of(
    const kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade);
/// The upgrades that a player has or researches, in the order in which it began with them. Returns
/// how many there are; at most `capacity` are written.
KN_API uint32_t kn_rts_upgrades(
    const kn_world *world, kn_entity_id player, kn_rts_upgrade_info *out, uint32_t capacity);
/// Sets the level of an upgrade of a player without a price, as campaigns and cheats do. Research
/// of a level that is reached by it is cancelled and refunded. What the hook `changed` of the
/// upgrade sets itself takes effect when it is done.
/// @param level 0: the player loses the upgrade; at most that of the upgrade counts
/// @return KN_OK, also if it has the level already; KN_REFUSED_STALE_ID; KN_REFUSED_DYING;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for an unknown upgrade or a
///         library without the kit; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_set_upgrade(
    kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade, uint32_t level);

// Research --------------------------------------------------------------------------
//
// One building at a time researches an upgrade for a player. Research that is in a queue of a
// building which changes sides is cancelled and refunded, also if its queue goes on otherwise.

/// Reasons why a building cannot research an upgrade now, as bits.
typedef enum kn_rts_research_why {
    KN_RTS_RESEARCH_NOT_HERE = 1 << 0,    ///< the building cannot research it
    KN_RTS_RESEARCH_AT_MAXIMUM = 1 << 1,  ///< the player has its highest level
    KN_RTS_RESEARCH_RUNS = 1 << 2,        ///< it is being researched, here or elsewhere
    KN_RTS_RESEARCH_REQUIREMENT = 1 << 3, ///< tags of the player or the building do not fit
    KN_RTS_RESEARCH_COST = 1 << 4,        ///< the player cannot pay for it
    KN_RTS_RESEARCH_QUEUE = 1 << 5,       ///< the queue of the building is full
    KN_RTS_RESEARCH_OTHER = 1 << 6,       ///< a hook or another part refuses
} kn_rts_research_why;

/// What a user interface shows beside an upgrade.
typedef struct kn_rts_research_info {
    uint32_t why_not;         ///< bits of kn_rts_research_why; 0: it can be researched
    uint32_t level;           ///< the level that the player has
    uint32_t max_level;       ///< highest level of the upgrade
    kn_product_terms terms;   ///< price and time of the next level
    kn_product_answer answer; ///< tags for all reasons, and how much of what is missing
} kn_rts_research_info;

/// Whether a building could begin to research the next level of an upgrade for its owner. Only
/// reads, on clients too.
/// @param info receives all reasons against it, and the numbers; may be NULL
KN_API bool kn_rts_can_research(const kn_world *world, kn_entity_id building,
    kn_rts_upgrade_id upgrade, kn_rts_research_info *info);
/// Pays for the next level of an upgrade and puts it into the queue of a building.
/// @return as kn_product_enqueue(), with KN_REFUSED_NOT_FOUND also for an upgrade without a
///         product; KN_REFUSED_LIMIT also at the highest level; KN_REFUSED_EXCLUSIVE if it is being
///         researched; KN_ERROR_INVALID_ARGUMENT for an unknown upgrade
KN_API kn_result kn_rts_research(kn_world *world, kn_entity_id building, kn_rts_upgrade_id upgrade);
/// Cancels the research of an upgrade of a player, wherever it is, and refunds it.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it is not being researched; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for a library without the kit;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_cancel_research(
    kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade);

// Requirements ----------------------------------------------------------------------

/// What the owner of a unit must have for something, in data files under `rts_requirements`. Start
/// from kn_rts_requirement_def_default(). It is for one of `product`, `upgrade`, `ability` and
/// `order`; without any of them for what is called as the requirement: a product, upgrade, ability
/// or order type, in this order, or for nothing but kn_rts_requirement_check(). Of several for the
/// same thing all must be met. Without an owner the unit itself counts.
typedef struct kn_rts_requirement_def {
    const char *name;           ///< unique name; required
    const char *product;        ///< to make the product of this name; NULL: for something else
    kn_rts_upgrade_id upgrade;  ///< to research this upgrade; null: for something else
    kn_ability_type_id ability; ///< to learn or raise this ability; null: for something else
    kn_order_type_id order;     ///< to obey orders of this type; null: for something else
    /// The first level of the upgrade or ability that it is for; default 0: all of them.
    uint32_t from_level;
    kn_tags required;          ///< the player must have all of these
    kn_tags blocked;           ///< the player must have none of these
    const kn_tag_query *query; ///< a question that the tags of the player must meet; may be NULL
    /// What players read if it is not met, such as "Requires a keep or a castle"; NULL: the names
    /// of the tags that are missing.
    const char *text;
    uint32_t cookie; ///< set by kn_rts_requirement_def_default(); do not change it
} kn_rts_requirement_def;

/// A def with the defaults named above.
KN_API kn_rts_requirement_def kn_rts_requirement_def_default(void);
/// Registers a requirement.
/// @return as kn_rts_rules_register(); KN_ERROR_BAD_DATA at finish for a product that is missing
KN_API KN_MUST_USE kn_result kn_rts_requirement_register(kn_library *library,
    const kn_rts_requirement_def *def, kn_rts_requirement_id *requirement, kn_error *error);
/// The requirement with this name; null when there is none.
KN_API kn_rts_requirement_id kn_rts_requirement_find(const kn_library *library, const char *name);
/// The def of a requirement as registered; it belongs to the library. NULL when unknown.
KN_API const kn_rts_requirement_def *kn_rts_requirement_get_def(
    const kn_library *library, kn_rts_requirement_id requirement);
/// Whether a player meets a requirement. False for an unknown one and for a stale id.
/// @param errors tags that are missing or in the way are added; for a query that does not match,
///               `Knack.Order.Technology`; may be NULL
KN_API bool kn_rts_requirement_check(const kn_world *world, kn_entity_id player,
    kn_rts_requirement_id requirement, kn_order_errors *errors);
/// Why a producer cannot make a product now, as one line for people: requirements, what is missing
/// of the price, population, and the names of other reasons. Empty if it can. Returns the full
/// length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_rts_product_why_not(
    const kn_world *world, kn_entity_id producer, kn_product_id product, char *text, uint32_t size);

// Population ------------------------------------------------------------------------

/// When the population of a product counts as used.
typedef enum kn_rts_reserve {
    KN_RTS_RESERVE_START, ///< when work on it begins; until there is room the producer holds
    KN_RTS_RESERVE_QUEUE, ///< when it is queued
    KN_RTS_RESERVE_COUNT, ///< number of the values above; not a value itself
} kn_rts_reserve;

/// How many units players may have, in data files under `rts_population`; at most one. Start from
/// kn_rts_population_def_default(). What a unit takes and gives is in its type: `population` and
/// `population_cap` of kn_rts_unit_def. A product takes what the unit takes that its archetype
/// becomes by a tag.
typedef struct kn_rts_population_def {
    const char *name; ///< unique name; required
    /// Attribute of players: how much is used. The kit changes its base; required.
    kn_attribute_id used;
    /// Attribute of players: for how much there is room. The kit adds what units give to its base;
    /// null: only `limit` counts.
    kn_attribute_id cap;
    float limit;            ///< highest cap that counts; 0: any; default 0
    kn_rts_reserve reserve; ///< when the population of a product counts as used; default start
    /// Products may be queued without room, and wait; default false: they are refused.
    bool queues_without_room;
    uint32_t cookie; ///< set by kn_rts_population_def_default(); do not change it
} kn_rts_population_def;

/// A def with the defaults named above.
KN_API kn_rts_population_def kn_rts_population_def_default(void);
/// Registers how many units players may have.
/// @return as kn_rts_rules_register()
KN_API KN_MUST_USE kn_result kn_rts_population_register(
    kn_library *library, const kn_rts_population_def *def, kn_error *error);

/// The population of a player.
typedef struct kn_rts_population_info {
    float used; ///< by units and products in work
    float cap;  ///< for how much there is room, at most the limit; INFINITY without an end
    float room; ///< what is left, 0 or more
} kn_rts_population_info;

/// Reads the population of a player; false, and all zero, without `rts_population` and for an
/// entity without the attribute.
KN_API bool kn_rts_population(
    const kn_world *world, kn_entity_id player, kn_rts_population_info *info);
/// What a product takes, by the type of the unit that it becomes; 0 for other products.
KN_API float kn_rts_product_population(const kn_library *library, kn_product_id product);
/// What a unit takes of the population of its owner now; 0 while it is dead, not finished, or has
/// no owner. Clients do not know it.
KN_API float kn_rts_population_of(const kn_world *world, kn_entity_id unit);

// Resources -------------------------------------------------------------------------

/// Whether a player has enough of everything.
/// @param costs each attribute once; may be NULL with a count of 0: nothing is missing
/// @param missing receives the first `capacity` parts that are missing, and how much of each; may
///                be NULL with a capacity of 0
/// @return how many are missing, which may be more than `capacity`; 0: it can pay. UINT32_MAX for a
///         stale id, for NULL costs with a count above 0, for an amount below 0 or not finite, and
///         for a library without the kit
KN_API uint32_t kn_rts_missing(const kn_world *world, kn_entity_id player,
    const kn_product_cost *costs, uint32_t count, kn_product_shortage *missing, uint32_t capacity);
/// Takes a price from a player: all of it, or nothing.
/// @return KN_OK; KN_REFUSED_COST if something is missing, or a limit of an attribute is in the
///         way; KN_REFUSED_BAD_NUMBER for an amount below 0 or not finite; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for NULL costs with a count
///         above 0 or for a library without the kit; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_pay(
    kn_world *world, kn_entity_id player, const kn_product_cost *costs, uint32_t count);
/// Gives something of a player to another one: all of it, or nothing.
/// @return as kn_rts_pay(); KN_REFUSED_REQUIREMENT if the two are enemies
///         (kn_order_get_relation()); KN_REFUSED_MISSING_ATTRIBUTE if the other does not have the
///         attribute; KN_REFUSED_LIMIT if a limit of it is in the way
KN_API kn_result kn_rts_transfer(
    kn_world *world, kn_entity_id from, kn_entity_id to, kn_attribute_id attribute, float amount);

// Events ----------------------------------------------------------------------------

/// Payload of the custom event `Knack.RtsUpgrade`: the level of an upgrade has changed. Its entity
/// is the player.
typedef struct kn_rts_upgrade_event {
    kn_rts_upgrade_id upgrade; ///< the upgrade
    uint32_t before;           ///< level before
    uint32_t after;            ///< level now
    kn_entity_id building;     ///< where it was researched; null: it was set by a call
} kn_rts_upgrade_event;

#ifdef __cplusplus
}
#endif

#endif
