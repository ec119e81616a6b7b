// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// A world owns everything that lives: entities, their tags, attributes, effects and abilities,
/// timers and random streams. It belongs to one thread at a time; different worlds are independent.
///
/// Functions that change a world may be called between steps and from rules. Most of them can
/// return KN_ERROR_OUT_OF_MEMORY, with nothing changed, and KN_ERROR_WORLD_BROKEN: memory ran out
/// when a part was already done, now or in an earlier call. A broken world refuses to be changed
/// until a snapshot is restored. From a hook that runs in the middle of an operation, calls that
/// remove or rearrange things return KN_OK and are carried out when the operation is complete
/// (docs/step-order.md, "A hook").
#ifndef KNACK_WORLD_H
#define KNACK_WORLD_H

#include "knack/attribute.h"
#include "knack/component.h"
#include "knack/effect.h"
#include "knack/event.h"
#include "knack/library.h"

#ifdef __cplusplus
extern "C" {
#endif

// The world -----------------------------------------------------------------

/// Called when a grant of an effect begins or ends. A rule; carries out what the kn_grant_def asks
/// for. Calls that remove or rearrange wait until the effect is complete (docs/step-order.md, "A
/// hook").
typedef void kn_grant_fn(void *user, kn_world *world, kn_entity_id entity, kn_effect_id effect,
    const kn_grant_def *grant, bool is_granted);

/// How to create a world. Start from kn_world_def_default(); copied by kn_world_create().
typedef struct kn_world_def {
    const kn_library *library; ///< required; must be finished; kept alive by the world
    kn_hooks hooks;            ///< memory and log of the world; all-zero for malloc and stderr
    uint64_t seed;             ///< seed of all random streams; default 1
    /// Mixed into the seed of the streams that clients must not know: those of
    /// kn_library_def.hidden_streams, and those that kn_stream_register() hides. A server takes it
    /// from a source that nobody else knows; it is neither saved nor sent, and a client cannot work
    /// out such a stream from the seed. Default 0: they follow from the seed alone.
    uint64_t secret;
    kn_time start; ///< simulated time at creation, not negative; default 0
    /// Entities to reserve memory for; default 0. A world begins with about 60 KB and grows as it
    /// needs; the capacities spare it the growing.
    uint32_t entity_capacity;
    /// Entities with tags, attributes or effects to reserve memory for; default 0.
    uint32_t actor_capacity;
    uint32_t effect_capacity; ///< active effects to reserve memory for; default 0
    uint32_t event_capacity;  ///< events of one step to reserve memory for; default 0
    size_t heap_capacity;     ///< bytes to reserve for variable-length state; default 0
    /// Longest chain of reactions; default 64. Chains that branch are cut earlier: all chains from
    /// one cause together have at most 64 times as many links beyond a quarter of that length.
    uint32_t chain_limit;
    uint32_t reaction_limit;      ///< most reactions in one step or call; default 1,000,000
    uint32_t random_stream_count; ///< random streams for the game; default 8, at most 64
    /// One bit per kn_event_type that is published. Default: all but EFFECT_EXECUTED, TAG_COUNT and
    /// ABILITY_STATUS. Events that a listener wants are published in any case.
    uint64_t event_mask;
    /// Carries out grants whose name is not an ability of the library; may be NULL.
    kn_grant_fn *grant_fn;
    void *grant_user;    ///< passed to `grant_fn`
    bool is_client;      ///< another machine is the authority; default false
    uint32_t connection; ///< connection of the player at this machine; 0: none, a dedicated server
    /// Nobody plays or watches at this machine: what is only there to be seen or heard need not run
    /// here. For kits and games; the library itself ignores it. Default false.
    bool is_dedicated;
    uint32_t task_limit; ///< most tasks at once; default 0: no limit
    /// Distance between the numbers that new records get, which are a part of their ids, 1 to 256;
    /// default 1. A client leaves room, so that records of its server which were created in between
    /// do not change the ids of later ones (KN_IDENTITY_PLACES).
    uint32_t number_step;
    /// The lowest index of ids that entities get which this world creates itself, at most
    /// KN_OWN_ENTITIES_MAX; default 0: any. See kn_world_set_own_entities().
    uint32_t own_entities;
    /// Answers spatial queries, see kn_world_set_space(); may be NULL.
    const struct kn_space *space;
    uint32_t cookie; ///< set by kn_world_def_default(); do not change it
} kn_world_def;

/// A def with the defaults named above and no library.
KN_API kn_world_def kn_world_def_default(void);
/// Highest value of kn_world_def.own_entities.
#define KN_OWN_ENTITIES_MAX (1u << 24)

/// Creates a world. Destroy it with kn_world_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, a library that is
///         missing or not finished, a negative start, too many streams, or a `number_step` or
///         `own_entities` out of range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_world_create(const kn_world_def *def, kn_world **world);
/// Destroys a world with everything in it. No hook runs and no event is published. NULL is ignored.
KN_API void kn_world_destroy(kn_world *world);
/// The library of a world; NULL for NULL. Valid as long as the world, or until kn_world_reload().
KN_API const kn_library *kn_world_library(const kn_world *world);

/// The hooks a world was created with, for what allocates and logs along with it, such as an index;
/// all zero for NULL.
KN_API kn_hooks kn_world_hooks(const kn_world *world);
/// True inside a rule, a listener or another call of the world: it cannot be stepped, saved, loaded
/// or restored now.
KN_API bool kn_world_is_locked(const kn_world *world);

/// Advances time by `dt`. Timers fire at their exact time in order of (time, creation), then what
/// happened is published and listeners are called. docs/step-order.md states the order.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a `dt` below 0 or beyond KN_TIME_MAX;
///         KN_ERROR_WORLD_LOCKED from a rule or a listener; KN_ERROR_OUT_OF_MEMORY with nothing
///         done; KN_ERROR_WORLD_BROKEN when memory ran out halfway
KN_API KN_MUST_USE kn_result kn_world_step(kn_world *world, kn_time dt);
/// A function that kn_world_call() calls. A rule: it may change the world and must be
/// deterministic, if the caller is.
typedef kn_result kn_world_call_fn(void *user, kn_world *world);
/// Calls a function as one operation: what its calls trigger waits until the function has returned,
/// as in a rule, and kn_cause_open() works in it. For functions of a kit that the host calls and
/// that consist of several calls: without it, rules would run after each of them. In a rule it just
/// calls the function.
/// @return what the function returned; KN_ERROR_OUT_OF_MEMORY before it was called;
///         KN_ERROR_WORLD_BROKEN, also if memory ran out in a call of the function
KN_API kn_result kn_world_call(kn_world *world, kn_world_call_fn *function, void *user);
/// The current simulated time: inside a step, the exact time of what is happening.
KN_API kn_time kn_world_now(const kn_world *world);
/// For script engines: adds `amount` to the work counted since the outermost call of the host (a
/// step, an activation) began, and returns the total, so that many rules that each stay within
/// their own limit cannot stall a step together. The unit is up to the engine; the count is not
/// part of the state. Outside of such a call nothing is counted, and `amount` is returned.
KN_API uint64_t kn_world_count_work(const kn_world *world, uint64_t amount);
/// True after memory ran out in the middle of a call, until a snapshot is restored.
KN_API bool kn_world_is_broken(const kn_world *world);

/// Memory and counts of a world.
typedef struct kn_world_stats {
    uint64_t bytes;       ///< bytes of memory held now
    uint64_t allocations; ///< calls of the allocator since creation
    uint32_t entities;    ///< live entities
    uint32_t actors;      ///< entities that have, or had, tags, attributes, effects or abilities
    uint32_t effects;     ///< active effects
    uint32_t timers;      ///< scheduled timers, those of effects, tasks and cooldowns included
    uint32_t modifiers;   ///< modifiers that sit on a value
    /// Modifiers waiting for an attribute that their target does not have.
    uint32_t parked_modifiers;
} kn_world_stats;

/// Memory and counts now; all zero for NULL. Walks all effects: for tools, not for every frame.
KN_API kn_world_stats kn_world_get_stats(const kn_world *world);

/// Checks every invariant of the world's structures. Slow. Returns true when all hold; otherwise
/// asserts and returns false. False for a broken world.
KN_API bool kn_world_validate(const kn_world *world);

// Random numbers ------------------------------------------------------------

/// The stream for chances to apply. A game's own streams are 0 to random_stream_count - 1.
#define KN_STREAM_CHANCE 0x100u
/// The stream for random starting values of attributes.
#define KN_STREAM_INIT 0x101u
/// The most streams that a library can register.
#define KN_STREAM_OWN_MAX 16
/// Not a stream: draws from it give 0.
#define KN_STREAM_NONE UINT32_MAX

/// Registers a random stream of a kit or game by name. Every world of the library has it: it is
/// part of snapshots, saves, which find it by name, and the hash. It begins with the world's seed
/// and its name, so that other streams do not shift it; a world loaded from a save without it
/// begins it likewise.
/// @param hidden clients must not know it: projections by place (KN_IDENTITY_PLACES) leave it out,
///               and what draws from it is decided by the server alone, as for the streams of
///               kn_library_hidden_streams()
/// @param stream receives its number for kn_random_u32() and the like, from KN_STREAM_INIT + 1 on
///               in order of registration; KN_STREAM_NONE on anything but KN_OK
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_REFUSED_LIMIT beyond
///         KN_STREAM_OWN_MAX; KN_ERROR_BAD_DATA for an invalid name; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_INVALID_ARGUMENT for NULL; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_stream_register(
    kn_library *library, const char *name, bool hidden, uint32_t *stream, kn_error *error);
/// The number of the registered stream with this name; KN_STREAM_NONE when there is none.
KN_API uint32_t kn_stream_find(const kn_library *library, const char *name);

/// Draws 32 random bits from one stream; 0 for an unknown stream. Changes the world: for rules and
/// the host, never for listeners or other observers.
KN_API uint32_t kn_random_u32(kn_world *world, uint32_t stream);
/// Draws a number, uniform in [0, bound), from one stream; 0 for bound 0 or an unknown stream.
KN_API uint32_t kn_random_below(kn_world *world, uint32_t stream, uint32_t bound);
/// Draws a number, uniform in [0, 1), from one stream; 0 for an unknown stream.
KN_API float kn_random_float(kn_world *world, uint32_t stream);
/// The chance of an attempt whose chance rises with each failure since the last success: long
/// streaks are rare, and on average it is the chance that is given, to within 0.002. Compare it
/// with kn_random_float(), and count failures. Above 1 for a success that is certain.
/// @param chance the average, 0 to 1; 0 or less, and NaN, give 0; above 1 counts as 1
/// @param failures failed attempts since the last success
KN_API float kn_random_accumulating(float chance, uint32_t failures);

// Entities ------------------------------------------------------------------

/// Creates an entity. It costs a few bytes until it gets tags, attributes or effects.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_entity_create(kn_world *world, kn_entity_id *entity);
/// Destroys an entity: its effects end with KN_REMOVED_TARGET_DIED, and effects it applied
/// elsewhere keep the last values they captured from it. Inside the simulation the entity is dying
/// until the reactions are done: it accepts no new effects. False for an id that is stale or dying
/// already, and in a broken world.
KN_API bool kn_entity_destroy(kn_world *world, kn_entity_id entity);
/// True from creation until the entity is gone; still true while it is dying.
KN_API bool kn_entity_is_alive(const kn_world *world, kn_entity_id entity);
/// True from kn_entity_destroy() until the entity is gone: rules and hooks see it, but nothing new
/// should begin with it. False for a stale id.
KN_API bool kn_entity_is_dying(const kn_world *world, kn_entity_id entity);
/// Number of live entities.
KN_API uint32_t kn_entity_count(const kn_world *world);
/// Walks live entities in order of their slots: start with the null id, pass the id returned
/// before. Null at the end.
KN_API kn_entity_id kn_entity_next(const kn_world *world, kn_entity_id entity);

/// Sets the 64 bits that an entity keeps for the host. Saved with the world; the library ignores
/// them.
/// @return KN_OK or KN_REFUSED_STALE_ID
KN_API kn_result kn_entity_set_user(kn_world *world, kn_entity_id entity, uint64_t user);
/// The 64 bits for the host; 0 at first and for a stale id.
KN_API uint64_t kn_entity_user(const kn_world *world, kn_entity_id entity);

/// Makes the entity an actor: it gets the record that holds tags, attributes, effects and
/// abilities. Everything that needs the record adds it by itself; nothing happens if the entity has
/// it already.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_entity_make_actor(kn_world *world, kn_entity_id entity);
/// True if the entity is an actor, or the avatar of one.
KN_API bool kn_entity_is_actor(const kn_world *world, kn_entity_id entity);

/// Binds a body: `avatar` answers for `owner`'s tags, attributes and effects. A null avatar, or the
/// owner itself, makes the owner its own body. Repeating a call changes nothing. Animations and
/// motions of the old body are interrupted. Publishes KN_EVENT_AVATAR_CHANGED.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DUPLICATE for an avatar that is an actor itself;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_entity_set_avatar(kn_world *world, kn_entity_id owner, kn_entity_id avatar);
/// The body of an entity: the entity itself unless another is bound. Null for a stale id.
KN_API kn_entity_id kn_entity_avatar(const kn_world *world, kn_entity_id owner);
/// The actor that answers for this entity's tags, attributes and effects: the entity itself, or the
/// owner of an avatar. Null for a stale id.
KN_API kn_entity_id kn_entity_actor(const kn_world *world, kn_entity_id entity);

/// True if another machine is the authority, as kn_world_def.is_client has it. False for NULL.
KN_API bool kn_world_is_client(const kn_world *world);
/// True if nobody plays or watches at this machine, as kn_world_def.is_dedicated has it. False for
/// NULL.
KN_API bool kn_world_is_dedicated(const kn_world *world);
/// The connection of the player at this machine, as kn_world_def.connection has it; 0: none.
KN_API uint32_t kn_world_connection(const kn_world *world);
/// Sets the connection of the player at this machine, such as when the host of a server begins to
/// play; 0 for none. It decides the roles of all entities, see kn_entity_role(). Not part of the
/// state: set it between steps, before abilities of that player run.
KN_API void kn_world_set_connection(kn_world *world, uint32_t connection);

/// Sets the connection of the player who controls the entity; 0 for none. It decides the entity's
/// role, see kn_entity_role().
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_entity_set_connection(
    kn_world *world, kn_entity_id entity, uint32_t connection);
/// The connection of the player who controls the entity; 0 for none and for a stale id.
KN_API uint32_t kn_entity_connection(const kn_world *world, kn_entity_id entity);

/// Attaches the entity to a parent: its tags count for the parent too, such as those of a weapon in
/// the hand. Null detaches it.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_CYCLE if it would be its own ancestor;
///         KN_REFUSED_LIMIT if a tag count would exceed 65535 or more than 256 entities would form
///         a chain; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_entity_set_parent(kn_world *world, kn_entity_id entity, kn_entity_id parent);
/// The parent an entity is attached to; null for none and for a stale id.
KN_API kn_entity_id kn_entity_parent(const kn_world *world, kn_entity_id entity);

/// Sets who owns the entity (a player, a team), for effects that act on all owned entities. Null
/// for nobody. Publishes KN_EVENT_OWNER_CHANGED.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_entity_set_owner(kn_world *world, kn_entity_id entity, kn_entity_id owner);
/// Who owns the entity; null for nobody and for a stale id.
KN_API kn_entity_id kn_entity_owner(const kn_world *world, kn_entity_id entity);

// Tags of entities ----------------------------------------------------------

/// Where a tag count comes from. Counts of different origins never affect each other.
typedef enum kn_tag_origin {
    KN_TAG_ORIGIN_LOOSE,        ///< added by game code, on this machine only
    KN_TAG_ORIGIN_LOOSE_SYNCED, ///< added by game code and sent to clients
    KN_TAG_ORIGIN_EFFECT,       ///< granted by effects; not for callers
    KN_TAG_ORIGIN_MINIMAL, ///< reserved for the network: from effects that are not simulated here
    /// Held while an ability runs; what the ability holds cannot be removed by a call.
    KN_TAG_ORIGIN_ABILITY,
    KN_TAG_ORIGIN_CHILD, ///< from attached entities; not for callers
    KN_TAG_ORIGIN_COUNT, ///< number of the values above; not a value itself
} kn_tag_origin;

/// How a synced loose tag is sent to clients.
typedef enum kn_tag_sync {
    KN_TAG_SYNC_NONE,        ///< not sent
    KN_TAG_SYNC_TAG,         ///< presence, to all clients
    KN_TAG_SYNC_COUNT_OWNER, ///< presence to all clients, the count to the owner
    KN_TAG_SYNC_COUNT_ALL,   ///< the count, to all clients
} kn_tag_sync;

/// Adds `count` to the count of a tag under one origin.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_LIMIT when a count would exceed 65535;
///         KN_ERROR_INVALID_ARGUMENT for a null or unknown tag, and for origins that are not for
///         callers; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_entity_add_tag(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count);
/// Takes `count` from the count of a tag under one origin.
/// @return as kn_entity_add_tag(); KN_REFUSED_LIMIT for more than that origin has
KN_API kn_result kn_entity_remove_tag(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count);
/// Sets the count of a tag under KN_TAG_ORIGIN_LOOSE or KN_TAG_ORIGIN_LOOSE_SYNCED.
/// @return as kn_entity_add_tag(); KN_ERROR_INVALID_ARGUMENT for any other origin
KN_API kn_result kn_entity_set_tag_count(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count);
/// Adds 1 to a loose tag, with a rule for how it is sent. The rule of the last addition counts.
/// @return as kn_entity_add_tag(); KN_ERROR_INVALID_ARGUMENT for a number that is not a kn_tag_sync
KN_API kn_result kn_entity_add_loose_tag(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_sync sync);
/// How a synced loose tag is sent; KN_TAG_SYNC_NONE if the entity does not have it.
KN_API kn_tag_sync kn_entity_tag_sync(const kn_world *world, kn_entity_id entity, kn_tag tag);

/// True if the entity has the tag or one below it. False for null and stale ids.
KN_API bool kn_entity_has_tag(const kn_world *world, kn_entity_id entity, kn_tag tag);
/// True if the entity has the tag itself; tags below it do not count. False for null and stale ids.
KN_API bool kn_entity_has_tag_exact(const kn_world *world, kn_entity_id entity, kn_tag tag);
/// True if the entity has any of the tags, or one below them. False for an empty list or a stale
/// id.
KN_API bool kn_entity_has_any_tag(const kn_world *world, kn_entity_id entity, kn_tags tags);
/// True if the entity has all of the tags, or ones below them. True for an empty list.
KN_API bool kn_entity_has_all_tags(const kn_world *world, kn_entity_id entity, kn_tags tags);
/// True if the entity's tags meet a requirement. False for a stale id.
KN_API bool kn_entity_meets(
    const kn_world *world, kn_entity_id entity, const kn_tag_requirement *requirement);
/// True if the entity's tags match a query. False for an empty query and for a stale id.
KN_API bool kn_entity_matches_query(
    const kn_world *world, kn_entity_id entity, const kn_tag_query *query);
/// How often the entity has the tag or one below it, from all origins. Counts say what is there;
/// that an effect hides or replaces a tag (kn_tag_edit) shows only in the `has` and `meets`
/// functions. 0 for a stale id.
KN_API uint32_t kn_entity_tag_count(const kn_world *world, kn_entity_id entity, kn_tag tag);
/// How often the entity has the tag itself, from all origins. 0 for a stale id.
KN_API uint32_t kn_entity_tag_count_exact(const kn_world *world, kn_entity_id entity, kn_tag tag);
/// How often the entity has the tag itself from one origin. 0 for a stale id.
KN_API uint32_t kn_entity_tag_count_origin(
    const kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin);
/// The tags an entity shows, without implied parents, sorted by number. Returns how many there are;
/// at most `capacity` are written. 0 for a stale id.
KN_API uint32_t kn_entity_tags(
    const kn_world *world, kn_entity_id entity, kn_tag *out, uint32_t capacity);
/// True while an effect or a running ability blocks abilities with this tag or a parent of it.
KN_API bool kn_entity_ability_tag_blocked(const kn_world *world, kn_entity_id entity, kn_tag tag);

// Timers for rules ----------------------------------------------------------

/// Called when a timer fires. A rule. `data` is the 16 bytes given at creation, writable. Returning
/// a time above 0 fires again after that span; anything else ends the timer.
typedef kn_time kn_timer_fn(void *user, kn_world *world, kn_entity_id entity, void *data);
/// Registers a function for timers under a name, by which saves find it.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for an invalid
///         name; KN_ERROR_INVALID_ARGUMENT for a NULL function; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_timer_type_register(kn_library *library, const char *name,
    kn_timer_fn *function, void *user, kn_timer_type_id *type, kn_error *error);
/// The timer type with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_timer_type_id kn_timer_type_find(const kn_library *library, const char *name);
/// The name of a timer type; "" for null. Valid as long as the library.
KN_API const char *kn_timer_type_name(const kn_library *library, kn_timer_type_id type);
/// The function of a type, and its `user` in `*user`. Both NULL for a type that is not registered,
/// and for that of a ticker (knack/ticker.h).
KN_API kn_timer_fn *kn_timer_type_function(
    const kn_library *library, kn_timer_type_id type, void **user);
/// Bytes that a timer carries for its function.
#define KN_TIMER_DATA_SIZE 16
/// Starts a timer that fires after `delay`.
/// @param entity passed to the function; the timer ends with it. May be null: the timer lives on
///         its own
/// @param data KN_TIMER_DATA_SIZE bytes, copied; NULL for zeros
/// @param timer receives its id; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for a delay below 0 or beyond
///         KN_TIME_MAX; KN_ERROR_INVALID_ARGUMENT for an unknown type; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_timer_start(kn_world *world, kn_timer_type_id type,
    kn_entity_id entity, kn_time delay, const void *data, kn_timer_id *timer);
/// Ends a timer before it fires. False if it is gone already.
KN_API bool kn_timer_cancel(kn_world *world, kn_timer_id timer);
/// False once it has fired for the last time, was cancelled, or has ended with its entity.
KN_API bool kn_timer_is_alive(const kn_world *world, kn_timer_id timer);
/// Time until it fires; 0 for a stale id, and while it fires.
KN_API kn_time kn_timer_remaining(const kn_world *world, kn_timer_id timer);
/// The timer whose function is running, so that the function can tell which of several it is for.
/// Null at any other time.
KN_API kn_timer_id kn_timer_firing(const kn_world *world);

// Looking at it -------------------------------------------------------------

/// Everything about one entity as text: owned tags with origins, attributes with base and current
/// value, effects with remaining time, stacks and state, abilities with what keeps them from
/// starting and the tasks of those that run, cooldowns, cues, components, tickers, watches and
/// commands that wait. Returns the full length; the text is
/// truncated to `size` bytes including the final zero. 0 for a stale id.
KN_API uint32_t kn_entity_dump(
    const kn_world *world, kn_entity_id entity, char *text, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
