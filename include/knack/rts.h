// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The RTS kit, knack::rts: what strategy games have on top of abilities and orders. It is written
/// on the public headers of the core and of the order kit (knack/order.h).
///
/// A library has the kit after kn_order_register() and kn_rts_register(); content asks for both
/// with `kits: [order, rts]`.
#ifndef KNACK_RTS_H
#define KNACK_RTS_H

#include "knack/order.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the RTS kit: its kinds of definitions, components, events, tags and rules. After
/// kn_order_register() and before definitions that use them, once per library.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the library has the kit, or a name of the kit is taken;
///         KN_REFUSED_REQUIREMENT without the order kit; KN_ERROR_INVALID_ARGUMENT without a
///         library; KN_ERROR_WORLD_LOCKED once it is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_rts_register(kn_library *library, kn_error *error);
/// True for a library that has the kit.
KN_API bool kn_rts_is_there(const kn_library *library);

// Tags ----------------------------------------------------------------------------
//
// The tags that strategy games have in common. Content may write their names; code asks for them by
// number. A game with names of its own maps them in its rules (kn_rts_rules_def.tags), those that
// kn_order_rules_def has as well there, or redirects the names (kn_tag_redirect()).

/// A tag that the kit knows. Those called permanent say what a unit can do by nature, changing ones
/// the state it is in; those of relations are never on an entity, but computed for two of them.
typedef enum kn_rts_tag_name {
    KN_RTS_PERMANENT,          ///< `Knack.Rts.Permanent`: above the permanent ones of this kit
    KN_RTS_CAN_ATTACK,         ///< `Knack.Status.CanAttack`: it can attack
    KN_RTS_CAN_REPAIR,         ///< `Knack.Rts.Permanent.CanRepair`: it can repair machines
    KN_RTS_CAN_CONSTRUCT,      ///< `Knack.Rts.Permanent.CanConstruct`: it can build
    KN_RTS_CAN_PRODUCE,        ///< `Knack.Rts.Permanent.CanProduce`: it can train units
    KN_RTS_MOVABLE,            ///< `Knack.Rts.Permanent.Movable`: it can move
    KN_RTS_IS_CONTAINER,       ///< `Knack.Rts.Permanent.IsContainer`: it can hold other units
    KN_RTS_IS_CONTAINABLE,     ///< `Knack.Rts.Permanent.IsContainable`: it fits into containers
    KN_RTS_CAN_GATHER,         ///< `Knack.Status.CanGather`: it can gather resources
    KN_RTS_IS_RESOURCE_SOURCE, ///< `Knack.Rts.Permanent.IsResourceSource`: it can be gathered from
    KN_RTS_IS_RESOURCE_DRAIN,  ///< `Knack.Rts.Permanent.IsResourceDrain`: resources go there
    KN_RTS_SUMMONED,           ///< `Knack.Rts.Permanent.Summoned`: an ability has created it
    KN_RTS_HAS_INVENTORY,      ///< `Knack.Rts.Permanent.HasInventory`: it can carry items
    KN_RTS_IS_ITEM,            ///< `Knack.Rts.Permanent.IsItem`: an item that lies in the world
    KN_RTS_IS_SHOP,            ///< `Knack.Rts.Permanent.IsShop`: it buys and sells items
    KN_RTS_CHANGING,           ///< `Knack.Rts.Changing`: above the changing ones of this kit
    KN_RTS_ALIVE,              ///< `Knack.Status.Alive`: it lives; mapped by the order rules
    KN_RTS_UNARMED,            ///< `Knack.Status.Unarmed`: it cannot attack now
    KN_RTS_SILENCED,           ///< `Knack.Rts.Changing.Silenced`: it cannot use abilities now
    KN_RTS_STEALTHED,          ///< `Knack.Rts.Changing.Stealthed`: hidden unless it is detected
    KN_RTS_DETECTOR,           ///< `Knack.Rts.Changing.Detector`: it reveals the stealthed
    KN_RTS_IMMOBILIZED,        ///< `Knack.Status.Immobilized`: it cannot move now
    KN_RTS_MOVING,             ///< `Knack.Rts.Changing.IsMoving`: it moves
    KN_RTS_INVULNERABLE,       ///< `Knack.Status.Invulnerable`: it takes no damage
    KN_RTS_INVISIBLE,          ///< `Knack.Rts.Changing.Invisible`: hidden, and never detected
    KN_RTS_INJURED,            ///< `Knack.Rts.Changing.Injured`: its health is below the maximum
    KN_RTS_UNDER_CONSTRUCTION, ///< `Knack.Rts.Changing.UnderConstruction`: it is not finished
    KN_RTS_CONSTRUCTING,       ///< `Knack.Status.Constructing`: it is building something
    KN_RTS_CONTAINER_IS_OPEN,  ///< `Knack.Rts.Changing.ContainerCanLoadAnyone`: open to any unit
    KN_RTS_CONTAINER_IS_FULL,  ///< `Knack.Rts.Changing.ContainerCapacityReached`: no room left
    KN_RTS_GATHERER_IS_FULL,   ///< `Knack.Rts.Changing.GatherCapacityReached`: it carries enough
    KN_RTS_CARRIES_RESOURCES,  ///< `Knack.Rts.Changing.IsCarryingResources`: it carries something
    KN_RTS_LAST_STAND,         ///< `Knack.Rts.Changing.LastStand`: damage cannot kill it
    KN_RTS_ASLEEP,             ///< `Knack.Rts.Changing.Sleeped`: incapacitated until damaged
    KN_RTS_ABSORBS_DAMAGE,     ///< `Knack.Rts.Changing.DamageAbsorbing`: it loses no health
    KN_RTS_RELATION,           ///< `Knack.Relation`: above all relations
    KN_RTS_SELF,               ///< `Knack.Relation.Self`: the same; mapped by the order rules
    KN_RTS_FRIENDLY,           ///< `Knack.Relation.Friendly`: allied; mapped by the order rules
    KN_RTS_HOSTILE,            ///< `Knack.Relation.Hostile`: enemies; mapped by the order rules
    KN_RTS_NEUTRAL,            ///< `Knack.Relation.Neutral`: neither; mapped by the order rules
    KN_RTS_SAME_PLAYER,        ///< `Knack.Relation.SamePlayer`: both belong to one player
    KN_RTS_VISIBLE,            ///< `Knack.Relation.Visible`: seen; mapped by the order rules
    KN_RTS_BUILDING,           ///< `Knack.Kind.Building`: a building
    KN_RTS_UNIT,               ///< `Knack.Rts.Kind.Unit`: a unit that is not a building
    KN_RTS_HERO,               ///< `Knack.Rts.Kind.Hero`: a hero
    KN_RTS_GOLD,               ///< `Knack.Rts.Resource.Gold`: a kind of resources
    KN_RTS_LUMBER,             ///< `Knack.Rts.Resource.Lumber`: a kind of resources
    KN_RTS_FAIL_BLOCKED,       ///< `Activation.Fail.BlockedByTags`: a blocking tag is there
    KN_RTS_FAIL_MISSING,       ///< `Activation.Fail.MissingTags`: a required tag is missing
    KN_RTS_FAIL_COOLDOWN,      ///< `Activation.Fail.OnCooldown`: the ability cools down
    KN_RTS_FAIL_COST,          ///< `Activation.Fail.CantAffordCost`: its cost is too high
    KN_RTS_FAIL_NO_TARGET,     ///< `Knack.Order.NoTarget`: a target is needed
    KN_RTS_EVENT_HIT,          ///< `Knack.Rts.Event.OnHitEffect`: event: an attack has hit
    KN_RTS_EVENT_ATTACK,       ///< `Knack.Rts.Event.Attack`: event that triggers basic attacks
    KN_RTS_ABILITY_ON_HIT,     ///< `Knack.Rts.Ability.OnHitEffect`: of passive on-hit abilities
    KN_RTS_ABILITY_ATTACK,     ///< `Knack.Ability.Attack`: of attacks and their cooldown effects
    KN_RTS_ABILITY_SLEEP,      ///< `Knack.Rts.Ability.Sleep`: of effects that damage removes
    KN_RTS_MELEE,              ///< `Knack.Rts.Classification.Melee`: it fights hand to hand
    KN_RTS_RANGED,             ///< `Knack.Rts.Classification.Ranged`: it fights from a distance
    KN_RTS_CONSTRUCTION_SITE,  ///< `Knack.Rts.Container.ConstructionSite`: holds its builders
    KN_RTS_RESOURCE_CONTAINER, ///< `Knack.Rts.Container.ResourceSource`: holds gatherers
    KN_RTS_TAG_COUNT,          ///< number of the values above; not a value itself
} kn_rts_tag_name;

/// A tag of the kit, as the game has mapped it. Null for an unknown number, and for a library
/// without the kit.
KN_API kn_tag kn_rts_tag(const kn_library *library, kn_rts_tag_name which);
/// The name of a tag of the kit before it is mapped, such as "Knack.Rts.Permanent.Movable"; "" for
/// an unknown number.
KN_API const char *kn_rts_tag_text(kn_rts_tag_name which);

// Rules ---------------------------------------------------------------------------

/// A tag of the kit, and the tag that a game has for it.
typedef struct kn_rts_tag_map {
    kn_rts_tag_name tag; ///< the tag of the kit
    kn_tag is;           ///< the tag of the game that stands for it; required
} kn_rts_tag_map;

/// What all units of a library have in common, in data files under `rts_rules`; at most one. Start
/// from kn_rts_rules_def_default().
typedef struct kn_rts_rules_def {
    const char *name;           ///< unique name; required
    const kn_rts_tag_map *tags; ///< tags that the game calls otherwise, each once
    uint32_t tag_count;         ///< number of entries in `tags`
    uint32_t cookie;            ///< set by kn_rts_rules_def_default(); do not change it
} kn_rts_rules_def;

/// A def with nothing set.
KN_API kn_rts_rules_def kn_rts_rules_def_default(void);
/// Registers the rules.
/// @return KN_OK; KN_ERROR_BAD_DATA for a def that makes no sense; KN_REFUSED_DUPLICATE for a name
///         that is taken; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a library
///         without the kit; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY; KN_ERROR_BAD_DATA at finish if there are two
KN_API KN_MUST_USE kn_result kn_rts_rules_register(
    kn_library *library, const kn_rts_rules_def *def, kn_error *error);

#ifdef __cplusplus
}
#endif

#endif
