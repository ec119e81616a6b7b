// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The RTS kit, knack::rts: what strategy games have on top of abilities and orders. It is written
/// on the public headers of the core and of the order kit (knack/order.h).
///
/// An entity becomes a unit by its name tag or by kn_rts_unit_add(). Its type says what it begins
/// with: attributes from tables by name and level, abilities, tags, and how it gains levels. All of
/// it is state of the world. Units are the authority's: calls on clients are refused, and clients
/// see experience, ability points, abilities and tags.
///
///   kn_result result = kn_rts_add_experience(world, hero, 120);
///   if (kn_rts_can_learn(world, hero, fireball, NULL)) {
///       result = kn_rts_learn(world, hero, fireball);
///   }
///
/// What a hook asks of its own unit takes effect when the hook is done; the call returns KN_OK.
///
/// A library has the kit after kn_order_register() and kn_rts_register(); content asks for both
/// with `kits: [order, rts]`.
#ifndef KNACK_RTS_H
#define KNACK_RTS_H

#include "knack/order.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_rts_unit_type_id)

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

/// Who gets the experience for a kill.
typedef enum kn_rts_share {
    KN_RTS_SHARE_KILLER, ///< the killer alone; the default
    /// The killer, and every unit of its side within `share_radius` of the killed one, each all of
    /// it.
    KN_RTS_SHARE_ALL,
    /// The same units, in equal parts.
    KN_RTS_SHARE_SPLIT,
    KN_RTS_SHARE_COUNT, ///< number of the values above; not a value itself
} kn_rts_share;

/// What all units of a library have in common, in data files under `rts_rules`; at most one. Start
/// from kn_rts_rules_def_default().
typedef struct kn_rts_rules_def {
    const char *name;           ///< unique name; required
    const kn_rts_tag_map *tags; ///< tags that the game calls otherwise, each once
    uint32_t tag_count;         ///< number of entries in `tags`
    /// A unit dies when this attribute falls to 0 or below; null: only when it loses the tag of the
    /// living.
    kn_attribute_id health;
    kn_rts_share share; ///< who gets the experience for a kill; default killer
    /// How far from the killed unit others share in it; must be above 0 for shares by radius;
    /// default 0.
    float share_radius;
    /// Experience goes to enemies of the killed unit alone; default true.
    bool only_enemies;
    /// Units with the tag `summoned` give experience, too; default false.
    bool summoned_give_experience;
    /// Time in which damage counts as an assist, or as the kill if nobody else is behind it;
    /// default 0: damage is not remembered.
    kn_time assist_window;
    float assist_share; ///< part of the experience that each assist gets besides, 0 to 1; default 0
    uint32_t cookie;    ///< set by kn_rts_rules_def_default(); do not change it
} kn_rts_rules_def;

/// A def with the defaults named above.
KN_API kn_rts_rules_def kn_rts_rules_def_default(void);
/// Registers the rules.
/// @return KN_OK; KN_ERROR_BAD_DATA for a def that makes no sense; KN_REFUSED_DUPLICATE for a name
///         that is taken; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a library
///         without the kit; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY; KN_ERROR_BAD_DATA at finish if there are two
KN_API KN_MUST_USE kn_result kn_rts_rules_register(
    kn_library *library, const kn_rts_rules_def *def, kn_error *error);

// Abilities of units ----------------------------------------------------------------
//
// Every ability of a unit can be used by one order type, `Knack.UseUnitAbility`, which the kit
// registers. The index of the order is the place of the ability (kn_rts_unit_ability()), and what
// the order is follows from the ability each time it is asked: target, policy, group, range,
// automatic use, tags, score, and how it looks (knack/rts_text.h). As a command of an order unit it
// stands for all abilities of the unit. A game may have order types of its own for single abilities
// instead, which say all of this themselves.

/// Arguments of the hooks `find_range` and `score` of an ability. The unit is the entity of the
/// kn_hook_call; for `find_range` it may be null.
typedef struct kn_rts_ability_call {
    kn_ability_type_id ability; ///< the ability
    float level;                ///< level at which the unit has it; 1 if it does not have it
    kn_entity_id target;        ///< `score`: the target; null: a point
    kn_vec3 location;           ///< `score`: where the target is
    float number;               ///< the answer; as without the hook at first
} kn_rts_ability_call;

/// How an ability of units rises, and what the order to use it is, in data files under
/// `rts_abilities`. Abilities without one have the defaults. Start from
/// kn_rts_ability_def_default().
typedef struct kn_rts_ability_def {
    const char *name;           ///< unique name; required
    kn_ability_type_id ability; ///< the ability; null: the one called as this definition
    uint32_t max_level;         ///< highest level; 0: it never rises; default 1
    /// Level that a unit needs to raise the ability from level 0, 1 and so on, by the level that it
    /// has: value x curve; default 0: twice the level plus 1, that is 1, 3, 5, 7.
    kn_scalable unit_level;
    /// What the order is aimed at; `passive`: it is never ordered; default none.
    kn_order_target_kind target_kind;
    /// How the order gets along with others: see kn_order_ability_policy(); default instant.
    kn_order_policy policy;
    kn_order_group group; ///< who of a group gets the order; default most_suitable
    kn_scalable range;    ///< how near to the target it is used, by its level; default 0
    /// Automatic orders look for targets within `acquisition_radius` instead of the radius of the
    /// unit; default false.
    bool overrides_radius;
    float acquisition_radius; ///< the radius if `overrides_radius` says so, 0 or more; default 0
    bool auto_for_players;    ///< players may have it used automatically; default false
    bool auto_begins;         ///< it is used automatically until the player stops it; default false
    bool auto_for_ai;         ///< units of the AI use it by themselves; default true
    /// `score` says how good a target is; default false: the nearer, the better.
    bool scores_targets;
    kn_hook find_range; ///< answers the range in `number`; must only read
    /// Answers how good a target is in `number`, higher is better; without it all are worth 1; if
    /// it refuses, searches pass the target over; must only read.
    kn_hook score;
    uint32_t cookie; ///< set by kn_rts_ability_def_default(); do not change it
} kn_rts_ability_def;

/// A def with the defaults named above.
KN_API kn_rts_ability_def kn_rts_ability_def_default(void);
/// Registers how an ability rises.
/// @return as kn_rts_rules_register(); KN_ERROR_BAD_DATA at finish for a second one of an ability
KN_API KN_MUST_USE kn_result kn_rts_ability_register(
    kn_library *library, const kn_rts_ability_def *def, kn_error *error);
/// How an ability rises; the defaults, with `name` NULL, if nothing is registered for it. It
/// belongs to the library. NULL for a library without the kit, and before it is finished.
KN_API const kn_rts_ability_def *kn_rts_ability_get_def(
    const kn_library *library, kn_ability_type_id ability);
/// The level that a unit needs to raise an ability that is at a level.
KN_API uint32_t kn_rts_required_level(
    const kn_library *library, kn_ability_type_id ability, uint32_t level);
/// How near to its target a unit uses an ability, at the level that it has, or at level 1; 0 for an
/// unknown ability. Order types of their own have their own range (kn_order_get_range()).
/// @param unit may be null
KN_API float kn_rts_ability_range(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability);
/// The radius in which automatic orders to use an ability look for targets.
/// @param radius receives `acquisition_radius` of the ability, also if it does not count; may be
///               NULL
/// @return whether it counts; false: that of the unit does
KN_API bool kn_rts_ability_radius(
    const kn_library *library, kn_ability_type_id ability, float *radius);
/// How good a target is for an ability of a unit by its own score, higher is better; 1 without one,
/// also if the ability does not use it.
/// @param score receives it; may be NULL
/// @return false if its hook refuses the target
KN_API bool kn_rts_ability_score(const kn_world *world, kn_entity_id unit,
    kn_ability_type_id ability, const kn_order_target *target, float *score);
/// What a unit would do with an order to use an ability now: the policy of the ability, as
/// kn_order_ability_policy() makes it. Cancelable for an unknown ability.
KN_API kn_order_policy kn_rts_ability_policy(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability);
/// Adds the tags that an ability requires of its source and, if its order is aimed at an entity, of
/// its target, to those that are in `call`, as far as there is room. Nothing is removed. For
/// `find_tags` of order types.
KN_API void kn_rts_ability_add_tags(
    const kn_library *library, kn_ability_type_id ability, kn_order_tags_call *call);

// Parts of units --------------------------------------------------------------------

/// Most tags that a hook `provide` may add.
#define KN_RTS_PROVIDE_MAX 16

/// Arguments of the hook `provide`: it adds tags that the unit begins with.
typedef struct kn_rts_provide_call {
    kn_tag tags[KN_RTS_PROVIDE_MAX]; ///< the tags; in scripts `tag1` to `tag16`
    uint32_t count;                  ///< number of entries in `tags`; 0 at first
} kn_rts_provide_call;

/// Arguments of the hook `may_initialize`: whether an attribute is read from the tables.
typedef struct kn_rts_filter_call {
    kn_attribute_id attribute; ///< the attribute
    uint32_t is_initial;       ///< 1: the unit begins; 0: its level changes
    uint32_t answer;           ///< 1: it is read; 0: it keeps its value; at first 1
} kn_rts_filter_call;

/// Arguments of the hook `initialized`: attributes were read from the tables.
typedef struct kn_rts_init_call {
    uint32_t level;      ///< the level that they were read for
    uint32_t is_initial; ///< 1: the unit begins; 0: its level changes
} kn_rts_init_call;

/// What an attribute set or a component means for the units that have it, in data files under
/// `rts_parts`; with neither, what all units have in common. Start from kn_rts_part_def_default().
typedef struct kn_rts_part_def {
    const char *name;               ///< unique name; required
    kn_attribute_set_id set;        ///< for units with this attribute set; null: any
    kn_component_type_id component; ///< for units with this component; null: any
    kn_tags status_tags;            ///< tags that such units begin with
    /// Adds further tags that the unit begins with; it must only read. What it finds later does not
    /// change them.
    kn_hook provide;
    const kn_attribute_id *initial_only; ///< attributes read from tables only when the unit begins
    uint32_t initial_only_count;         ///< number of entries in `initial_only`
    const kn_attribute_id *never;        ///< attributes that are never read from tables
    uint32_t never_count;                ///< number of entries in `never`
    /// Attributes that begin at the upper limit of their value, such as health; not when the level
    /// changes.
    const kn_attribute_id *filled;
    uint32_t filled_count;  ///< number of entries in `filled`
    kn_hook may_initialize; ///< whether an attribute is read from the tables; it must only read
    kn_hook initialized;    ///< called when attributes were read; may compute others from them
    uint32_t cookie;        ///< set by kn_rts_part_def_default(); do not change it
} kn_rts_part_def;

/// A def with nothing set.
KN_API kn_rts_part_def kn_rts_part_def_default(void);
/// Registers what a set or component means for units.
/// @return as kn_rts_rules_register()
KN_API KN_MUST_USE kn_result kn_rts_part_register(
    kn_library *library, const kn_rts_part_def *def, kn_error *error);

// Types of units --------------------------------------------------------------------

/// An ability that a unit begins with at a level.
typedef struct kn_rts_ability_level {
    kn_ability_type_id ability; ///< the ability; required
    uint32_t level;             ///< its level, at least 1; at most that of the ability counts
} kn_rts_ability_level;

/// An ability that rises while the owner of a unit has a tag.
typedef struct kn_rts_player_ability {
    kn_tag tag;                 ///< the tag of the player; required
    kn_ability_type_id ability; ///< the ability of the unit that rises by one level; required
} kn_rts_player_ability;

/// Arguments of the hook `experience_changed`.
typedef struct kn_rts_experience_call {
    float before; ///< experience before
    float after;  ///< experience now
} kn_rts_experience_call;

/// Arguments of the hook `level_changed`.
typedef struct kn_rts_level_call {
    uint32_t before; ///< level before
    uint32_t after;  ///< level now
} kn_rts_level_call;

/// Arguments of the hook `killed`.
typedef struct kn_rts_killed_call {
    kn_entity_id killer; ///< who gets the credit; null: nobody
    float experience;    ///< what it gives; the hook may change it
    uint32_t assists;    ///< how many others have damaged it lately
} kn_rts_killed_call;

/// Most levels of a unit.
#define KN_RTS_LEVEL_MAX 1000

/// A type of unit, in data files under `rts_units`. Start from kn_rts_unit_def_default().
///
/// The last part of the name tag is the group of the unit in tables: `Unit.Rifleman` has the group
/// `Rifleman`. An attribute `Combat.Damage` is read from the first of these that there is: the row
/// of `starting_values` of the group for exactly the level; the curve `Rifleman.Combat.Damage`; the
/// curve `Rifleman.Damage`. Without any of them it keeps its value.
typedef struct kn_rts_unit_def {
    const char *name; ///< unique name; required
    /// What kind of unit it is. Entities that gain this tag become such units, and units have it;
    /// null: by call alone, and the group is the name.
    kn_tag name_tag;
    kn_unit_type_id order_unit;          ///< how it obeys orders; null: it obeys none by itself
    const kn_attribute_set_id *sets;     ///< attribute sets that it gets, unless it has them
    uint32_t set_count;                  ///< number of entries in `sets`
    const kn_ability_type_id *abilities; ///< what it begins with, at level 1
    uint32_t ability_count;              ///< number of entries in `abilities`
    const kn_ability_type_id *unlockable_abilities; ///< what it may learn
    uint32_t unlockable_ability_count;              ///< number of entries in `unlockable_abilities`
    const kn_rts_ability_level *initial_levels;     ///< abilities that begin at other levels
    uint32_t initial_level_count;                   ///< number of entries in `initial_levels`
    kn_tags initial_tags;                           ///< tags that it begins with
    bool begins_alive; ///< it begins with the tag of the living; default true
    /// Tags that it gains when it dies, until it lives again; not that of the living.
    kn_tags death_tags_added;
    kn_tags death_tags_removed; ///< tags that it loses when it dies, beside that of the living
    bool can_level;             ///< it gains experience and levels; default false
    uint32_t level;             ///< the level that it begins with, at least 1; default 1
    uint32_t max_level;         ///< highest level, 1 to 1000; required with `can_level`
    /// Experience from a level to the next, by the level; must be above 0 for every level below the
    /// highest; required with `can_level`.
    kn_scalable experience_per_level;
    kn_effect_type_id level_effect; ///< applied to the unit when its level rises; null: none
    /// `level_effect` is applied when attributes have been read for the new level; default false:
    /// before, so that what it changes of the base of such attributes is overwritten.
    bool level_effect_last;
    uint32_t ability_points;        ///< ability points that it begins with; default 0
    uint32_t points_per_level;      ///< ability points for each new level; default 1
    kn_scalable granted_experience; ///< experience for killing it, by its level; default 0
    kn_tags player_tags;            ///< tags that it has as long as its owner has them
    const kn_rts_player_ability *player_abilities; ///< abilities that rise with tags of its owner
    uint32_t player_ability_count;                 ///< number of entries in `player_abilities`
    /// Tags that its owner has for it while it lives and is finished, such as technologies.
    kn_tags provides;
    /// What it takes of the population of its owner, in steps of 0.125; default 0.
    float population;
    /// For how much more population of its owner it has room, in steps of 0.125; default 0.
    float population_cap;
    bool logs_tags;             ///< kn_rts_add_tags() and kn_rts_remove_tags() write to the log
    kn_hook provide;            ///< adds tags that the unit begins with; it must only read
    kn_hook initialized;        ///< called when attributes were read from tables
    kn_hook experience_changed; ///< called when experience changes, before the level does
    kn_hook level_changed;      ///< called when the level has changed
    kn_hook killed;             ///< called when it dies, before experience is given
    uint32_t cookie;            ///< set by kn_rts_unit_def_default(); do not change it
} kn_rts_unit_def;

/// A def with the defaults named above.
KN_API kn_rts_unit_def kn_rts_unit_def_default(void);
/// Registers a type of unit.
/// @return as kn_rts_rules_register()
KN_API KN_MUST_USE kn_result kn_rts_unit_register(
    kn_library *library, const kn_rts_unit_def *def, kn_rts_unit_type_id *type, kn_error *error);
/// The type of unit with this name; null when there is none.
KN_API kn_rts_unit_type_id kn_rts_unit_find(const kn_library *library, const char *name);
/// The def of a type of unit as registered; it belongs to the library. NULL when unknown.
KN_API const kn_rts_unit_def *kn_rts_unit_get_def(
    const kn_library *library, kn_rts_unit_type_id type);
/// The last part of the name of a tag: "Rifleman" of `Unit.Rifleman`; "" for null. Valid as long as
/// the tag is registered.
KN_API const char *kn_rts_tag_last_part(const kn_library *library, kn_tag tag);
/// The group of a type of unit in tables: the last part of its name tag; "" when unknown. Valid as
/// long as the library.
KN_API const char *kn_rts_unit_group(const kn_library *library, kn_rts_unit_type_id type);
/// What the tables have for an attribute of a type of unit at a level, without a unit; false, and
/// 0, if they have nothing.
KN_API bool kn_rts_unit_table_value(const kn_library *library, kn_rts_unit_type_id type,
    kn_attribute_id attribute, uint32_t level, float *value);
/// An ability of a type of unit by its place: those that it begins with, then those that it may
/// learn. Null past the end.
KN_API kn_ability_type_id kn_rts_unit_ability(
    const kn_library *library, kn_rts_unit_type_id type, uint32_t place);
/// Experience that a type of unit needs for a level in all: 0 for level 1 and below. Levels above
/// the highest count as the highest.
KN_API float kn_rts_experience_for_level(
    const kn_library *library, kn_rts_unit_type_id type, uint32_t level);

// Units -----------------------------------------------------------------------------

/// Makes an entity a unit. In this order it gets: attribute sets, attributes from the tables of its
/// level, the experience of that level, abilities, those with other levels, all tags at once, what
/// its owner has for it, and its orders.
/// @return KN_OK; KN_REFUSED_DUPLICATE if it is a unit already; KN_REFUSED_STALE_ID;
///         KN_REFUSED_DYING; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for an
///         unknown type; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_unit_add(kn_world *world, kn_entity_id entity, kn_rts_unit_type_id type);
/// Ends that an entity is a unit: it forgets levels and what it has from its owner, and keeps
/// attributes, abilities, orders and all other tags.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it is not a unit; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_unit_remove(kn_world *world, kn_entity_id unit);
/// The type of a unit; null for entities that are none.
KN_API kn_rts_unit_type_id kn_rts_unit_get_type(const kn_world *world, kn_entity_id unit);
/// Reads the attributes of a unit from the tables of a level, as when its level changes. The level
/// itself stays.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it is not a unit; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_read_attributes(kn_world *world, kn_entity_id unit, uint32_t level);
/// Adds tags to a unit, each once more; clients see them.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it is not a unit; KN_REFUSED_STALE_ID; KN_REFUSED_LIMIT
///         for a tag that it has 65535 times; KN_REFUSED_BLOCKED on a client;
///         KN_ERROR_INVALID_ARGUMENT for a null or unknown tag; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_add_tags(kn_world *world, kn_entity_id unit, kn_tags tags);
/// Removes tags from a unit, each once. Those that it does not have, or only by effects, are passed
/// over.
/// @return as kn_rts_add_tags()
KN_API kn_result kn_rts_remove_tags(kn_world *world, kn_entity_id unit, kn_tags tags);

// Death -----------------------------------------------------------------------------
//
// A unit dies when it loses the tag of the living, or its health falls to 0 (`health` of the
// rules). It then has its death tags, `Knack.RtsKilled` is published, and experience is given.
// The killer is the source of the innermost effect or ability in the chain of causes; what is not a
// unit itself, such as a projectile, counts for the unit that owns it. A unit that gains the tag of
// the living again is alive, and may die again.

/// Lets a unit die.
/// @param killer who gets the credit; null: who is behind it by the chain of causes, or the last
/// one
///               who damaged it within `assist_window`
/// @return KN_OK; KN_REFUSED_DUPLICATE if it is dead; KN_REFUSED_NOT_FOUND if it is not a unit;
///         KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_kill(kn_world *world, kn_entity_id unit, kn_entity_id killer);
/// True for a unit that died and does not live again. False for other entities.
KN_API bool kn_rts_is_dead(const kn_world *world, kn_entity_id unit);

/// Somebody who has damaged a unit.
typedef struct kn_rts_hit {
    kn_entity_id attacker; ///< the unit, or what else it was
    kn_time at;            ///< when it was the last time
    float damage;          ///< all health that it took within the window
    uint32_t unused;       ///< keeps the struct free of gaps
} kn_rts_hit;

/// Who has damaged a unit within `assist_window` of now, by the time of their first hit. Returns
/// how many there are; at most `capacity` are written. Clients do not know it.
KN_API uint32_t kn_rts_hits(
    const kn_world *world, kn_entity_id unit, kn_rts_hit *out, uint32_t capacity);

// Experience and levels -------------------------------------------------------------
//
// The level of a unit always follows from its experience. Gaining experience: the experience
// changes, `experience_changed` is called and `Knack.RtsExperience` published; if it is enough for
// another level, `level_effect` is applied once, attributes are read for the new level, ability
// points are given, then the level changes, `level_changed` is called and `Knack.RtsLevel`
// published. Until then the level is the old one. Clients compute the level from the experience
// that they see, so there `Knack.RtsExperience` comes with the new level.

/// The level of a unit; that of its type if it has no levels; 0 for entities that are not units.
KN_API uint32_t kn_rts_level(const kn_world *world, kn_entity_id unit);
/// All experience that a unit has collected; 0 without levels.
KN_API float kn_rts_experience(const kn_world *world, kn_entity_id unit);
/// True for units that gain experience and levels, also at the highest level.
KN_API bool kn_rts_can_level(const kn_world *world, kn_entity_id unit);
/// Experience since the last level; 0 without levels.
KN_API float kn_rts_level_experience(const kn_world *world, kn_entity_id unit);
/// Experience from the present level to the next; 0 at the highest level and without levels.
KN_API float kn_rts_next_level_experience(const kn_world *world, kn_entity_id unit);
/// How much of the present level is done, 0 to 1; 1 at the highest level and without levels.
KN_API float kn_rts_level_progress(const kn_world *world, kn_entity_id unit);
/// Experience for killing a unit, by its type and level or as it was set; 0 for entities that are
/// not units.
KN_API float kn_rts_granted_experience(const kn_world *world, kn_entity_id unit);
/// Sets what killing a unit gives from now on.
/// @param experience below 0: as its type says
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it is not a unit; KN_REFUSED_BAD_NUMBER for a number that
///         is not finite; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client
KN_API kn_result kn_rts_set_granted_experience(
    kn_world *world, kn_entity_id unit, float experience);
/// Gives experience to a unit.
/// @param amount 0 or more
/// @return KN_OK; KN_REFUSED_REQUIREMENT if it gains no levels; KN_REFUSED_LIMIT at the highest
///         level; KN_REFUSED_BAD_NUMBER for an amount below 0 or not finite; KN_REFUSED_NOT_FOUND
///         if it is not a unit; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_add_experience(kn_world *world, kn_entity_id unit, float amount);
/// Sets the level of a unit, within 1 and the highest. Its experience becomes that of the new
/// level, after the level. A lower level applies no effect and takes no ability points back; each
/// level gives its points once.
/// @return KN_OK, also if it has the level already; otherwise as kn_rts_add_experience(), without
///         KN_REFUSED_LIMIT
KN_API kn_result kn_rts_set_level(kn_world *world, kn_entity_id unit, int32_t level);

// Ability points --------------------------------------------------------------------

/// Reasons why a unit cannot learn or raise an ability now, as bits.
typedef enum kn_rts_why_not {
    KN_RTS_NO_UNIT = 1 << 0,       ///< the entity is not a unit, or it is a client's
    KN_RTS_NOT_ITS = 1 << 1,       ///< it neither has the ability nor may learn it
    KN_RTS_NO_POINTS = 1 << 2,     ///< it has no ability point left
    KN_RTS_AT_MAXIMUM = 1 << 3,    ///< the ability has its highest level
    KN_RTS_LEVEL_TOO_LOW = 1 << 4, ///< the unit needs a higher level
    KN_RTS_NO_TECHNOLOGY = 1 << 5, ///< its owner does not meet a requirement (knack/rts_tech.h)
} kn_rts_why_not;

/// What a user interface shows beside an ability that may rise.
typedef struct kn_rts_learn_info {
    uint32_t why_not;        ///< bits of kn_rts_why_not; 0: it can be learned or raised
    uint32_t level;          ///< its level now; 0: not learned
    uint32_t max_level;      ///< its highest level
    uint32_t required_level; ///< level that the unit needs for the next one
} kn_rts_learn_info;

/// Free ability points of a unit.
KN_API uint32_t kn_rts_points(const kn_world *world, kn_entity_id unit);
/// Sets the free ability points of a unit.
/// @return KN_OK; KN_REFUSED_REQUIREMENT if it gains no levels; KN_REFUSED_NOT_FOUND if it is not a
///         unit; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_set_points(kn_world *world, kn_entity_id unit, uint32_t points);
/// Ability points that a unit has spent on an ability and can get back.
KN_API uint32_t kn_rts_points_spent(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability);
/// The level at which an entity has an ability; 0 without it. Clients know it of all units, also
/// of those that others control; a level that was set by kn_ability_set_level() reaches these with
/// the next change of the unit's abilities.
KN_API uint32_t kn_rts_ability_level_of(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability);
/// Whether a player may let a unit learn or raise an ability now: a free point, a level that is not
/// the highest, the level of the unit, and what its owner must have. Clients may ask, too.
/// @param info receives all reasons against it, and the numbers; may be NULL
KN_API bool kn_rts_can_learn(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability, kn_rts_learn_info *info);
/// Lets a unit learn or raise an ability for a point, if kn_rts_can_learn() allows it: what
/// players ask for, by the command `rts_learn`.
/// @return as kn_rts_raise_ability(); KN_REFUSED_REQUIREMENT if the level of the unit is too low,
///         or its owner does not meet a requirement
KN_API kn_result kn_rts_learn(kn_world *world, kn_entity_id unit, kn_ability_type_id ability);
/// Raises an ability of a unit by one level, or grants one that it may learn at level 1. The level
/// of the unit does not matter.
/// @param uses_point false: it costs no ability point, and cannot be refunded
/// @return KN_OK; KN_REFUSED_COST without a free point; KN_REFUSED_LIMIT at the highest level;
///         KN_REFUSED_NOT_FOUND if it is not a unit, or neither has the ability nor may learn it;
///         KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for an
///         unknown ability; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN. Nothing is spent on
///         anything but KN_OK
KN_API kn_result kn_rts_raise_ability(
    kn_world *world, kn_entity_id unit, kn_ability_type_id ability, bool uses_point);
/// Takes back one level that was paid for: the ability falls by one level, one that falls to 0 is
/// revoked if it was learned, and the point is free again.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if no point was spent on it, and for entities that are not
///         units; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_refund_ability(
    kn_world *world, kn_entity_id unit, kn_ability_type_id ability);
/// Takes back all levels that were paid for.
/// @return as kn_rts_refund_ability(); KN_OK also if there are none
KN_API kn_result kn_rts_reset_abilities(kn_world *world, kn_entity_id unit);

/// Payload of the command `rts_learn`: the unit is its entity.
typedef struct kn_rts_learn_command {
    kn_ability_type_id ability; ///< what it is to learn or raise
} kn_rts_learn_command;

// Events ----------------------------------------------------------------------------

/// Payload of the custom event `Knack.RtsExperience`: the experience of a unit has changed. Clients
/// publish it when they see it.
typedef struct kn_rts_experience_event {
    float before;    ///< experience before
    float after;     ///< experience now
    uint32_t level;  ///< the level when it was published: on clients the new one
    uint32_t unused; ///< keeps the struct free of gaps
} kn_rts_experience_event;

/// Payload of the custom events `Knack.RtsLevel` and `Knack.RtsPoints`: the level of a unit, or its
/// free ability points, have changed. Clients publish them when they see it.
typedef struct kn_rts_change_event {
    uint32_t before; ///< before
    uint32_t after;  ///< now
} kn_rts_change_event;

/// Payload of the custom event `Knack.RtsAbility`: the level of an ability has changed by a call of
/// this part.
typedef struct kn_rts_ability_event {
    kn_ability_type_id ability; ///< the ability
    uint32_t before;            ///< its level before; 0: not learned
    uint32_t after;             ///< its level now; 0: it was revoked
    uint32_t is_paid;           ///< 1: for a point, or a point was given back
} kn_rts_ability_event;

/// Payload of the custom event `Knack.RtsKilled`: a unit has died. Its entity is the unit.
typedef struct kn_rts_killed_event {
    kn_entity_id killer; ///< who gets the credit; null: nobody
    float experience;    ///< what it gives
    uint32_t assists;    ///< how many others have damaged it lately
} kn_rts_killed_event;

/// Payload of the custom event `Knack.RtsAssist`: a unit has helped to kill another. Its entity is
/// the unit that helped.
typedef struct kn_rts_assist_event {
    kn_entity_id killed; ///< the unit that died
    float damage;        ///< the health that it took within the window
    float experience;    ///< what it gets for that
} kn_rts_assist_event;

#ifdef __cplusplus
}
#endif

#endif
