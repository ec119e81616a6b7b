// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The combat log: hits, deaths, casts and other events of the kit as rows and as lines, and meters
/// that are computed from them. Part of knack::combat.
///
///   kn_combat_log_def def = kn_combat_log_def_default();
///   kn_combat_log *log;
///   kn_result result = kn_combat_log_create(&def, &log);
///   ...
///   kn_world_step(world, KN_MS(16));
///   kn_combat_log_read(log, world);
///   ...
///   kn_meter_query query = kn_meter_query_default(); // damage by source
///   kn_combat_meter_print(log, world, &query, text, sizeof(text));
///
/// A log is an observer: it reads the events of a world and never changes it, so that results are
/// the same with and without it. Its memory is allocated when it is created. It is not thread-safe,
/// and may read several worlds of one library, one after the other.
#ifndef KNACK_COMBAT_LOG_H
#define KNACK_COMBAT_LOG_H

#include "knack/hit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A combat log. Opaque; see kn_combat_log_create().
typedef struct kn_combat_log kn_combat_log;

/// Writes the name of an entity, such as that of a player, which may be gone already. The text has
/// `size` bytes including the final zero.
typedef void kn_combat_name_fn(
    void *user, const kn_world *world, kn_entity_id entity, char *text, uint32_t size);

/// How to create a combat log. Start from kn_combat_log_def_default().
typedef struct kn_combat_log_def {
    kn_hooks hooks; ///< memory of the log; all-zero for malloc
    /// Rows that are kept, 1 to 1048576; the oldest is dropped for a new one; default 1024.
    uint32_t row_capacity;
    /// Combinations of source, target, ability and effect that the meters tell apart, 1 to 65536;
    /// further ones are counted together, as of nobody; default 1024.
    uint32_t cell_capacity;
    bool only_hits;          ///< rows for hits, deaths and resurrections only; default false
    kn_combat_name_fn *name; ///< names entities; NULL: "entity 3"
    void *name_user;         ///< passed to `name`
    uint32_t cookie;         ///< set by kn_combat_log_def_default(); do not change it
} kn_combat_log_def;

/// A def with the defaults named above.
KN_API kn_combat_log_def kn_combat_log_def_default(void);
/// Creates a combat log. Destroy it with kn_combat_log_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a capacity out of
///         range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_combat_log_create(
    const kn_combat_log_def *def, kn_combat_log **log);
/// Destroys a combat log. NULL is ignored.
KN_API void kn_combat_log_destroy(kn_combat_log *log);

// Rows ------------------------------------------------------------------------------

/// What a row is about.
typedef enum kn_combat_row_kind {
    KN_COMBAT_ROW_HIT,         ///< a hit, dealt or refused: `hit`
    KN_COMBAT_ROW_DIED,        ///< an entity died
    KN_COMBAT_ROW_RESURRECTED, ///< an entity was resurrected
    KN_COMBAT_ROW_OTHER,       ///< another event of the kit, such as `Knack.CastStarted`
    KN_COMBAT_ROW_KIND_COUNT,  ///< number of the values above; not a value itself
} kn_combat_row_kind;

/// One row of a combat log. What an event does not have is null.
typedef struct kn_combat_row {
    kn_time time;               ///< when it happened
    kn_combat_row_kind kind;    ///< what it is
    kn_custom_event_id event;   ///< the kind of event
    kn_entity_id entity;        ///< the entity it happened to
    kn_entity_id source;        ///< who did it
    kn_entity_id target;        ///< the entity it was done to, as far as the event says so
    kn_ability_type_id ability; ///< the ability behind it
    kn_effect_type_id effect;   ///< the effect behind it
    kn_hit hit;                 ///< KN_COMBAT_ROW_HIT: the hit; otherwise zero
} kn_combat_row;

/// Reads what a world has published last (kn_world_events()): call it once after each step.
/// @return how many rows were added
KN_API uint32_t kn_combat_log_read(kn_combat_log *log, const kn_world *world);
/// Reads one event, from a listener or an array of events; those of other modules are ignored.
/// @return true if a row was added
KN_API bool kn_combat_log_add(kn_combat_log *log, const kn_world *world, const kn_event *event);
/// How many rows are kept.
KN_API uint32_t kn_combat_log_count(const kn_combat_log *log);
/// How many rows were added since the log was created or cleared, those dropped included.
KN_API uint64_t kn_combat_log_total(const kn_combat_log *log);
/// A row, the oldest that is kept first. False, and a zeroed row, past the end.
KN_API bool kn_combat_log_row(const kn_combat_log *log, uint32_t index, kn_combat_row *row);
/// Writes a row as a line, such as "1.25 s  entity 3 takes 40 of 50 damage from entity 1
/// (Fireball): 10 mitigated". Returns the full length; the text is truncated to `size` bytes
/// including the final zero. 0 past the end.
KN_API uint32_t kn_combat_log_print(
    const kn_combat_log *log, const kn_world *world, uint32_t index, char *text, uint32_t size);
/// Drops all rows and resets the meters.
KN_API void kn_combat_log_clear(kn_combat_log *log);

// Meters ------------------------------------------------------------------------------

/// What the rows of a meter stand for.
typedef enum kn_meter_by {
    KN_METER_BY_SOURCE,  ///< who dealt it
    KN_METER_BY_TARGET,  ///< who took it
    KN_METER_BY_ABILITY, ///< the ability behind it, or the effect if there is none
    KN_METER_BY_COUNT,   ///< number of the values above; not a value itself
} kn_meter_by;

/// What a meter counts. Start from kn_meter_query_default().
typedef struct kn_meter_query {
    kn_hit_kind kind;    ///< damage or healing; default damage
    kn_meter_by by;      ///< what its rows stand for; default the source
    kn_entity_id source; ///< only what this entity dealt; null: anybody
    kn_entity_id target; ///< only what this entity took; null: anybody
    /// Only the last seconds before the newest event, as far as rows are kept; 0: everything since
    /// the meters were reset; default 0.
    kn_time window;
    uint32_t cookie; ///< set by kn_meter_query_default(); do not change it
} kn_meter_query;

/// One row of a meter.
typedef struct kn_meter_row {
    kn_entity_id entity;        ///< by source or target: who; null: nobody, and what did not fit
    kn_ability_type_id ability; ///< by ability: which; null: an effect without ability
    kn_effect_type_id effect;   ///< by ability, if there is none: which effect; null: none
    uint32_t hits;              ///< hits, those that were refused and missed included
    uint32_t criticals;         ///< hits with the outcome `Knack.Outcome.Critical`
    uint32_t avoided;           ///< hits that neither health nor an absorbing effect felt
    uint32_t kills;             ///< hits that killed
    double amount;              ///< health lost or gained
    double absorbed;            ///< what effects absorbed
    double shared;              ///< what others took for the target
    double mitigated;           ///< what modifiers, outcomes and gates took away
    double over;                ///< overkill or overheal
    double largest;             ///< most health that one hit took or gave
    double per_second;          ///< `amount` per second of the window, or since the first event
    double share;               ///< part of `amount` in the sum of all rows, 0 to 1
} kn_meter_row;

/// A query for all damage by source.
KN_API kn_meter_query kn_meter_query_default(void);
/// Computes a meter: rows with the largest amount first, equal ones by their first hit. Returns how
/// many there are; at most `capacity` are written. 0 for a query without its defaults.
KN_API uint32_t kn_combat_meter(
    kn_combat_log *log, const kn_meter_query *query, kn_meter_row *out, uint32_t capacity);
/// Writes a meter as a table. Returns the full length; the text is truncated to `size` bytes
/// including the final zero.
KN_API uint32_t kn_combat_meter_print(kn_combat_log *log, const kn_world *world,
    const kn_meter_query *query, char *text, uint32_t size);
/// Begins all meters again from zero; rows stay, but meters with a window ignore those before it.
KN_API void kn_combat_meter_reset(kn_combat_log *log);

#ifdef __cplusplus
}
#endif

#endif
