// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Teams, alliances and vision of the RTS kit: how players stand to each other, and what they see.
/// A library has the model if it registers team rules, in data files `rts_team_rules`; then it
/// answers for kn_order_get_relation(), and the hook `relation` of the order rules begins with its
/// answer.
///
///   rts_team_rules:
///     Teams: {stance: enemy, sight: Unit.Sight, default_sight: 8}
///
///   kn_result result = kn_rts_player_set_team(world, red, 1);
///   result = kn_rts_set_mutual_stance(world, red, blue, KN_RTS_ALLY);
///   if (kn_rts_is_visible(world, red, tank)) {
///       draw(tank);
///   }
///
/// Players are entities, at most 64 at a time. Each has a team, a stance towards every other
/// player, and may share what its units see. A unit belongs to the player who owns it, or who owns
/// its owner. All of it is state of the authority: calls that change something are refused on
/// clients, which see players, stances and who sees what.
#ifndef KNACK_RTS_TEAM_H
#define KNACK_RTS_TEAM_H

#include "knack/rts.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most players of a world at a time.
#define KN_RTS_PLAYERS_MAX 64

// Rules ---------------------------------------------------------------------------

/// How one player stands to another.
typedef enum kn_rts_stance {
    KN_RTS_ENEMY,        ///< its units are hostile
    KN_RTS_INDIFFERENT,  ///< its units are neutral
    KN_RTS_ALLY,         ///< its units are friendly
    KN_RTS_STANCE_COUNT, ///< number of the values above; not a value itself
} kn_rts_stance;

/// Arguments of the hook `sees`. The unit that looks is the entity of the kn_hook_call.
typedef struct kn_rts_sees_call {
    kn_entity_id other; ///< a unit within its sight
    uint32_t answer;    ///< 1: it sees it; 0: something is in between; at first 1
    uint32_t unused;    ///< keeps the struct free of gaps
} kn_rts_sees_call;

/// Teams and vision of a library, in data files under `rts_team_rules`; at most one. Without one,
/// owners decide about relations, and everybody sees everybody. Start from
/// kn_rts_team_rules_def_default().
typedef struct kn_rts_team_rules_def {
    const char *name; ///< unique name; required
    /// How players stand to each other who are not in one team and have no stance of their own:
    /// enemy, indifferent or ally; default enemy.
    kn_rts_stance stance;
    /// Players share what they see with other players that they are allies of; default true.
    bool allies_share_vision;
    /// Units are seen by players with something that looks at them; false: everybody sees
    /// everybody, but teams count; default true.
    bool has_vision;
    /// How far a unit sees, so that effects and upgrades change it; null: all as far as
    /// `default_sight`.
    kn_attribute_id sight;
    /// How far units see that do not have the attribute `sight`, 0 or more; default 0: they are
    /// blind.
    float default_sight;
    /// How far a unit with the tag `detector` reveals stealthed ones; null: as far as it sees.
    kn_attribute_id detection;
    /// Time between two looks of a unit, 0.02 to 10 s; default 0.25 s. What nobody looks at any
    /// more is lost within twice as long.
    kn_time look_interval;
    /// Units with one of these tags are remembered where players saw them last; default: those with
    /// the tag of buildings.
    kn_tags remembered;
    /// Whether a unit sees another one that is within its sight, for walls and high ground; it must
    /// only read. Without it: it does.
    kn_hook sees;
    uint32_t cookie; ///< set by kn_rts_team_rules_def_default(); do not change it
} kn_rts_team_rules_def;

/// A def with the defaults named above.
KN_API kn_rts_team_rules_def kn_rts_team_rules_def_default(void);
/// Registers the rules, which switches the model on.
/// @return KN_OK; KN_ERROR_BAD_DATA for a def that makes no sense; KN_REFUSED_DUPLICATE for a name
///         that is taken; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a library
///         without the kit; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY; KN_ERROR_BAD_DATA at finish if there are two
KN_API KN_MUST_USE kn_result kn_rts_team_rules_register(
    kn_library *library, const kn_rts_team_rules_def *def, kn_error *error);
/// True for a finished library with team rules.
KN_API bool kn_rts_has_teams(const kn_library *library);

// Players -------------------------------------------------------------------------
//
// Owners of units with vision, and entities without an owner that are given a team or a stance, are
// made players by the call. A player that is destroyed leaves: what it knew is forgotten, and its
// units belong to nobody.

/// Makes an entity a player.
/// @return KN_OK, also if it is one; KN_REFUSED_LIMIT if there are KN_RTS_PLAYERS_MAX;
///         KN_REFUSED_STALE_ID; KN_REFUSED_DYING; KN_REFUSED_BLOCKED on a client;
///         KN_ERROR_INVALID_ARGUMENT for a library without team rules; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_player_add(kn_world *world, kn_entity_id entity);
/// The player that an entity belongs to: itself if it is a player, otherwise the nearest player
/// among its owner, the owner of that and so on, at most 8 of them. Null if there is none, and for
/// a stale id.
KN_API kn_entity_id kn_rts_player_of(const kn_world *world, kn_entity_id entity);
/// The number of a player, 1 to 64, which it keeps while it is one; 0 for other entities.
KN_API uint32_t kn_rts_player_number(const kn_world *world, kn_entity_id player);
/// All players by number. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_rts_players(const kn_world *world, kn_entity_id *out, uint32_t capacity);

/// Puts a player into a team: members of one team are allies, unless a stance of their own says
/// otherwise. What follows for stances, vision and orders happens at once.
/// @param team any number; 0: no team
/// @return as kn_rts_player_add(); KN_REFUSED_NOT_FOUND for an entity that has an owner and is not
///         a player
KN_API kn_result kn_rts_player_set_team(kn_world *world, kn_entity_id player, uint32_t team);
/// The team of the player that an entity belongs to; 0 for none.
KN_API uint32_t kn_rts_team_of(const kn_world *world, kn_entity_id entity);

/// Sets how a player stands to another; the other one keeps its own stance. Publishes
/// `Knack.RtsStance` if it changes, and orders that do not agree with it any more are cancelled.
/// @return as kn_rts_player_set_team(), of both players; KN_ERROR_INVALID_ARGUMENT for an unknown
///         stance, and for a player and itself
KN_API kn_result kn_rts_set_stance(
    kn_world *world, kn_entity_id from, kn_entity_id to, kn_rts_stance stance);
/// Sets how two players stand to each other, in both directions.
/// @return as kn_rts_set_stance()
KN_API kn_result kn_rts_set_mutual_stance(
    kn_world *world, kn_entity_id a, kn_entity_id b, kn_rts_stance stance);
/// Lets teams and rules decide again how a player stands to another.
/// @return as kn_rts_set_stance()
KN_API kn_result kn_rts_clear_stance(kn_world *world, kn_entity_id from, kn_entity_id to);
/// How the player of one entity stands to that of another. Without players owners count: those of
/// one owner are allies of each other and of it, and two with different owners have the stance of
/// the rules. Allies for one player, and for an entity and itself. Indifferent if one of them has
/// no owner and is not a player, for a stale id, and in a library without team rules.
KN_API kn_rts_stance kn_rts_get_stance(const kn_world *world, kn_entity_id from, kn_entity_id to);

/// Lets a player see what another one sees, or not, whatever their stance. It is not passed on to
/// third players. Publishes `Knack.RtsSharing` if it changes.
/// @param from the player whose units see
/// @param to the player who sees it, too
/// @return as kn_rts_set_stance()
KN_API kn_result kn_rts_set_shares_vision(
    kn_world *world, kn_entity_id from, kn_entity_id to, bool shares);
/// Whether a player lets another one see what it sees. True for a player and itself; false if one
/// is not a player.
KN_API bool kn_rts_shares_vision(const kn_world *world, kn_entity_id from, kn_entity_id to);

// Vision --------------------------------------------------------------------------
//
// Units of the kit have vision from their beginning; kn_rts_vision_add() gives it to other
// entities, such as resources and items. Those with vision look around from where they are, unless
// they are dead or nowhere, and are seen by:
//
// - the player they belong to, and those who share its vision, always;
// - players with a unit whose sight they touch, and those who share it: one look after they come
//   into it, and until nobody has looked at them for an interval;
// - if they are stealthed (KN_RTS_STEALTHED): only where a detector (KN_RTS_DETECTOR) reveals them;
// - if they are invisible (KN_RTS_INVISIBLE): not by others.
//
// Everybody sees entities without vision. Units that belong to no player see all that is not
// stealthed or invisible.

/// Gives an entity vision: it looks around, and not everybody sees it any more.
/// @return KN_OK, also if it has it; KN_REFUSED_BLOCKED on a client; KN_REFUSED_STALE_ID;
///         KN_REFUSED_DYING; KN_REFUSED_NOT_FOUND if the rules have no vision;
///         KN_ERROR_INVALID_ARGUMENT for a library without team rules; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_vision_add(kn_world *world, kn_entity_id entity);
/// Takes vision from an entity: everybody sees it, and it does not look.
/// @return KN_OK; KN_REFUSED_NOT_FOUND without vision; KN_REFUSED_BLOCKED on a client;
///         KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for a library without team rules;
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_vision_remove(kn_world *world, kn_entity_id entity);

/// Whether one sees another. On the authority the player of `viewer` decides; on a client the
/// players of its own connection, whoever `viewer` is, and without any the player of `viewer`.
/// False if either is null or gone; true for an entity without vision.
/// @param viewer a player, or something that belongs to one
KN_API bool kn_rts_is_visible(const kn_world *world, kn_entity_id viewer, kn_entity_id other);
/// The players who see an entity, by number. Returns how many there are; at most `capacity` are
/// written. All players for an entity without vision; 0 for a stale id.
KN_API uint32_t kn_rts_viewers(
    const kn_world *world, kn_entity_id entity, kn_entity_id *out, uint32_t capacity);
/// How far a unit sees now; 0 if it is dead or has no vision. The number is that of the rules;
/// where it stands does not matter.
KN_API float kn_rts_sight(const kn_world *world, kn_entity_id unit);
/// Whether a player sees a place: whether it is within the sight of a unit of a player who shares
/// vision with it. A sight that grows counts from the next look of its unit on. The hook `sees` is
/// not called. Finds units through the space of the world, so
/// that it costs as much as there is around the place. True if the rules have no vision.
/// @param viewer a player, or something that belongs to one; false without a player
KN_API bool kn_rts_sees_place(const kn_world *world, kn_entity_id viewer, kn_vec3 place);

/// A unit as a player saw it last.
typedef struct kn_rts_ghost {
    kn_entity_id unit;        ///< the unit; stale if it is gone, which its player does not know
    kn_vec3 position;         ///< where it was
    kn_rts_unit_type_id type; ///< what it was; null for an entity that is not a unit
    kn_time time;             ///< when it went out of sight; now for one that is seen
} kn_rts_ghost;

/// Where a player saw a unit last: where it is while it is seen, otherwise as remembered. Units
/// with a tag of kn_rts_team_rules_def.remembered are remembered when they go out of sight, until
/// they are seen again or the place is seen without them. Clients know it of their own players.
/// @param viewer a player, or something that belongs to one
/// @param unit may be gone
/// @param ghost receives it; all zero if it is neither seen nor remembered; may be NULL
/// @return false if it is neither seen nor remembered
KN_API bool kn_rts_last_seen(
    const kn_world *world, kn_entity_id viewer, kn_entity_id unit, kn_rts_ghost *ghost);
/// All units that a player remembers and does not see, by slot. Returns how many there are; at most
/// `capacity` are written.
KN_API uint32_t kn_rts_ghosts(
    const kn_world *world, kn_entity_id player, kn_rts_ghost *out, uint32_t capacity);

/// Whether a connection may know of an entity, as a kn_server_relevant_fn: so that a server sends
/// its clients what their players see and nothing else.
///
///   kn_server_def def = kn_server_def_default();
///   def.is_relevant = kn_rts_vision_relevance;
///
/// True for an entity without vision, and for one that a player sees whose entity has the
/// connection (kn_entity_set_connection()). An item that is held is seen with its holder, and only
/// where kn_rts_item_relevance() allows it. A connection without a player sees nothing that has
/// vision: wrap the function for spectators.
/// @param user ignored
KN_API bool kn_rts_vision_relevance(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity);

// Events --------------------------------------------------------------------------

/// Payload of the custom event `Knack.RtsStance`: a player stands otherwise to another one, for
/// any reason. Its entity is the player. Clients publish it when they see it.
typedef struct kn_rts_stance_event {
    kn_entity_id other;   ///< the other player
    kn_rts_stance before; ///< how it stood to it
    kn_rts_stance after;  ///< how it stands to it now
} kn_rts_stance_event;

/// Payload of the custom event `Knack.RtsSharing`: a player begins or ceases to share its vision
/// with another one, for any reason. Its entity is the player.
typedef struct kn_rts_sharing_event {
    kn_entity_id other; ///< the player who sees it, too
    uint32_t shares;    ///< 1: it does now; 0: not any more
    uint32_t unused;    ///< keeps the struct free of gaps
} kn_rts_sharing_event;

/// Payload of the custom events `Knack.RtsSighted` and `Knack.RtsLost`: a player sees a unit that
/// it did not see, or does not see it any more. Its entity is the unit. One that is destroyed is
/// not lost.
typedef struct kn_rts_sight_event {
    kn_entity_id player; ///< the player
    kn_vec3 position;    ///< where the unit is
    uint32_t unused;     ///< keeps the struct free of gaps
} kn_rts_sight_event;

/// Payload of the custom event `Knack.RtsForgotten`: a player sees the place where it remembered a
/// unit, which is not there. Its entity is the player.
typedef struct kn_rts_forgotten_event {
    kn_entity_id unit; ///< the unit; may be stale
    kn_vec3 position;  ///< where it was remembered
    uint32_t unused;   ///< keeps the struct free of gaps
} kn_rts_forgotten_event;

#ifdef __cplusplus
}
#endif

#endif
