// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Threat: who an enemy attacks, and combat: which entities fight each other. Part of
/// knack::combat.
///
/// An entity with a **threat table** keeps a number for everybody who fights it, and attacks one of
/// them, its target. Entities with the `threat_tag` of the combat rules have a table, and those
/// that kn_threat_begin() gave one. Damage and healing fill it by themselves (kn_combat_def).
///
///   kn_entity_id target = kn_threat_target(world, boss);
///
/// The target stays until somebody else has `switch_near` times its threat, or `switch_far` times
/// if that one is far away. A taunt makes its caster the target for a time, a fixation comes before
/// taunts. Every change publishes `Knack.TargetChanged`.
///
/// **Combat** is between pairs. Two entities are in combat from the first hostile act between them
/// until `combat_lasts` seconds after the last one, and as long as one has the other in its threat
/// table. An entity has the tag `Knack.InCombat` while it fights with anybody.
///
/// Threat runs as events of the kind `Knack.Threat`, taunts and fixations as `Knack.ThreatAction`
/// with the tag `Knack.Taunt` or `Knack.Fixate`: gates of effects can refuse them. Modifiers of the
/// value `Knack.ThreatDone` change how much threat somebody causes.
///
/// Effects act on threat by the events that they raise:
///
/// | `raises`                   | What it does                                                    |
/// | -------------------------- | --------------------------------------------------------------- |
/// | `Knack.AddThreat: 500`     | the target's table gets 500 more for the source                 |
/// | `Knack.ScaleThreat: 0.5`   | halves the threat of the source with the target; on an entity   |
/// |                            | without a table, its own threat with everybody                  |
/// | `Knack.DropThreat: 0`      | as above, but the entry is removed                              |
/// | `Knack.Taunt: 3`           | the source taunts the target for 3 s                            |
/// | `Knack.Fixate: 10`         | the target attacks the source for 10 s                          |
/// | `Knack.SuppressThreat: 4`  | enemies prefer other targets to the target for 4 s              |
/// | `Knack.RedirectThreat: 30` | threat of the source goes to the target for 30 s                |
/// | `Knack.LeaveCombat: 0`     | the target leaves combat                                        |
#ifndef KNACK_THREAT_H
#define KNACK_THREAT_H

#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

// Tables --------------------------------------------------------------------------

/// One entry of a threat table.
typedef struct kn_threat_entry {
    kn_entity_id entity; ///< whose threat it is
    float threat;        ///< how much, at least 0
    bool is_target;      ///< it is the target now
    bool is_suppressed;  ///< others are preferred, see kn_threat_suppress()
    bool is_taunting;    ///< its taunt is in force
    bool is_fixed;       ///< the owner of the table is fixed on it
} kn_threat_entry;

/// Payload of the events `Knack.TargetChanged`, which happen to the owner of a table.
typedef struct kn_target_changed {
    kn_entity_id target;     ///< the target now; null: none
    kn_entity_id old_target; ///< the target before; may be null or stale
} kn_target_changed;

/// Payload of the events `Knack.ThreatCleared`, which happen to the owner of a table.
typedef struct kn_threat_cleared {
    kn_entity_id entity; ///< whose entry was removed; null: all entries; may be stale
} kn_threat_cleared;

/// Gives an entity a threat table; nothing happens if it has one.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DYING for an entity that is being destroyed;
///         KN_ERROR_INVALID_ARGUMENT for a library without combat rules; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_threat_begin(kn_world *world, kn_entity_id owner);
/// True if an entity has a threat table. False for a stale id.
KN_API bool kn_threat_has_table(const kn_world *world, kn_entity_id owner);

/// Adds threat, as a hit does: modifiers of `Knack.ThreatDone` and redirection change it, gates can
/// refuse it, and both are in combat. A negative amount takes threat away, without modifiers and
/// gates, and not below 0.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DYING if one of them is dying or dead;
///         KN_REFUSED_NOT_FOUND if the owner has no table; KN_REFUSED_DUPLICATE if both are the
///         same entity; KN_REFUSED_BAD_NUMBER for an amount that is not finite; KN_REFUSED_BLOCKED
///         by a gate; KN_ERROR_INVALID_ARGUMENT for a library without combat rules;
///         KN_REFUSED_LIMIT, KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_threat_add(
    kn_world *world, kn_entity_id owner, kn_entity_id entity, float amount);
/// Sets threat to a number, at least 0, without modifiers and gates; both are in combat.
/// @return as kn_threat_add(); KN_REFUSED_BAD_NUMBER also for a number below 0
KN_API kn_result kn_threat_set(
    kn_world *world, kn_entity_id owner, kn_entity_id entity, float threat);
/// Multiplies threat by a factor, at least 0.
/// @return as kn_threat_set(); KN_REFUSED_NOT_FOUND also if the entity is not in the table
KN_API kn_result kn_threat_scale(
    kn_world *world, kn_entity_id owner, kn_entity_id entity, float factor);
/// Threat of an entity in a table; 0 if it is not in there, and for stale ids.
KN_API float kn_threat_get(const kn_world *world, kn_entity_id owner, kn_entity_id entity);
/// True if an entity is in a table, with threat or without.
KN_API bool kn_threat_has(const kn_world *world, kn_entity_id owner, kn_entity_id entity);
/// Removes an entity from a table, and publishes `Knack.ThreatCleared`. Combat between both ends
/// `combat_lasts` after their last hostile act.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it is not in there; KN_REFUSED_STALE_ID for a stale
///         owner; KN_ERROR_INVALID_ARGUMENT, KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_threat_remove(kn_world *world, kn_entity_id owner, kn_entity_id entity);
/// Removes everybody from a table, with taunts and fixations, and publishes one
/// `Knack.ThreatCleared`.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if the owner has no table; otherwise as kn_threat_remove()
KN_API kn_result kn_threat_clear(kn_world *world, kn_entity_id owner);
/// Removes an entity from all tables it is in.
/// @return KN_OK, also if it is in none; otherwise as kn_threat_remove()
KN_API kn_result kn_threat_leave(kn_world *world, kn_entity_id entity);

/// The entries of a table: those that are not suppressed first, by threat, equal ones by age.
/// Returns how many there are; at most `capacity` are written. 0 without a table.
KN_API uint32_t kn_threat_list(
    const kn_world *world, kn_entity_id owner, kn_threat_entry *out, uint32_t capacity);
/// The owners of tables that an entity is in, by slot. Returns how many there are; at most
/// `capacity` are written. Costs what there are, not what the world has.
KN_API uint32_t kn_threat_owners(
    const kn_world *world, kn_entity_id entity, kn_entity_id *out, uint32_t capacity);

// Targets ---------------------------------------------------------------------------

/// Who the owner of a table attacks; null for nobody, and without a table. Threat, taunts and
/// death bring it up to date by themselves.
KN_API kn_entity_id kn_threat_target(const kn_world *world, kn_entity_id owner);
/// Chooses the target again, such as after entities have moved: who is near decides how much threat
/// it needs.
/// @return as kn_threat_clear()
KN_API kn_result kn_threat_update(kn_world *world, kn_entity_id owner);
/// Taunts: `by` gets as much threat as the highest entry, and is the target for a time. A new taunt
/// replaces an older one.
/// @param duration at least 0; KN_TIME_INFINITE, or beyond KN_TIME_MAX: until another taunt
/// @return as kn_threat_add(); KN_REFUSED_BAD_NUMBER for a duration below 0
KN_API kn_result kn_threat_taunt(
    kn_world *world, kn_entity_id owner, kn_entity_id by, kn_time duration);
/// Fixes the owner of a table on an entity, whatever threat and taunts say. Ends with the time,
/// with the entry, or with a call for another entity.
/// @param on null: the fixation ends now
/// @param duration above 0; KN_TIME_INFINITE: until it is ended
/// @return as kn_threat_taunt()
KN_API kn_result kn_threat_fixate(
    kn_world *world, kn_entity_id owner, kn_entity_id on, kn_time duration);
/// Makes an entity the last choice of a table for a time: it is the target only if nobody else is
/// left, unless it taunts.
/// @param duration 0: not suppressed any more; KN_TIME_INFINITE: until then
/// @return as kn_threat_scale(); KN_REFUSED_BAD_NUMBER for a duration below 0
KN_API kn_result kn_threat_suppress(
    kn_world *world, kn_entity_id owner, kn_entity_id entity, kn_time duration);
/// Lets a share of the threat that `from` causes from now on count for `to`. A new redirection
/// replaces an older one.
/// @param share 0 to 1; 0: the redirection ends now
/// @param duration above 0; KN_TIME_INFINITE: until it is ended or replaced
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DUPLICATE if both are the same entity;
///         KN_REFUSED_BAD_NUMBER for a share or duration out of range; KN_REFUSED_DYING,
///         KN_ERROR_INVALID_ARGUMENT, KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_threat_redirect(
    kn_world *world, kn_entity_id from, kn_entity_id to, float share, kn_time duration);

// Combat ------------------------------------------------------------------------------

/// Payload of the events `Knack.CombatStarted` and `Knack.CombatEnded`, which happen to both
/// entities of a pair.
typedef struct kn_combat_pair {
    kn_entity_id other; ///< the other one; may be stale
} kn_combat_pair;

/// Brings two entities into combat with each other, or renews it: a hostile act without a hit.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DYING if one of them is dying or dead;
///         KN_REFUSED_DUPLICATE if both are the same entity; KN_ERROR_INVALID_ARGUMENT for a
///         library without combat rules; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_combat_start(kn_world *world, kn_entity_id a, kn_entity_id b);
/// Ends combat between two entities now; they leave each other's threat tables.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if they do not fight; otherwise as kn_combat_start()
KN_API kn_result kn_combat_end(kn_world *world, kn_entity_id a, kn_entity_id b);
/// Ends all combat of an entity now; it leaves all threat tables, and its own is cleared.
/// @return KN_OK, also if it fights with nobody; otherwise as kn_combat_end()
KN_API kn_result kn_combat_leave(kn_world *world, kn_entity_id entity);
/// True while two entities are in combat with each other. False for stale ids.
KN_API bool kn_combat_is_fighting(const kn_world *world, kn_entity_id a, kn_entity_id b);
/// True while an entity is in combat with anybody. False for a stale id.
KN_API bool kn_combat_in_combat(const kn_world *world, kn_entity_id entity);
/// Those that an entity is in combat with, first those it has attacked by age, then those that have
/// attacked it by slot. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_combat_opponents(
    const kn_world *world, kn_entity_id entity, kn_entity_id *out, uint32_t capacity);
/// Time until combat between two entities ends by itself; KN_TIME_INFINITE while a threat table
/// keeps it up; 0 if they do not fight.
KN_API kn_time kn_combat_remaining(const kn_world *world, kn_entity_id a, kn_entity_id b);

#ifdef __cplusplus
}
#endif

#endif
