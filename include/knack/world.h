// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// A world owns everything that lives: entities, their tags, attributes and effects, timers and
/// random streams. It belongs to one thread at a time; different worlds are independent.
#ifndef KNACK_WORLD_H
#define KNACK_WORLD_H

#include "knack/attribute.h"
#include "knack/effect.h"
#include "knack/event.h"
#include "knack/library.h"

#ifdef __cplusplus
extern "C" {
#endif

// The world -----------------------------------------------------------------

/// A grant of an effect begins or ends. A rule; carries out what kn_grant_def asks for. Calls that
/// take away or rearrange wait until the effect is complete (docs/step-order.md, "A hook").
typedef void kn_grant_fn(void *user, kn_world *world, kn_entity_id entity, kn_effect_id effect,
    const kn_grant_def *grant, bool is_granted);

typedef struct kn_world_def {
    const kn_library *library; ///< finished; kept alive by the world
    kn_hooks hooks;
    uint64_t seed;               ///< of the random streams; default 1
    kn_time start;               ///< time of the first moment, default 0
    /// Room made up front for this many of each, default 0. A world begins with about 60 KB and
    /// grows as it needs; set what you expect to spare it the growing.
    uint32_t entity_capacity;
    uint32_t component_capacity; ///< entities with tags, attributes or effects
    uint32_t effect_capacity;    ///< active effects
    uint32_t event_capacity;     ///< events per step
    size_t heap_capacity;        ///< bytes for variable-length state
    /// Longest chain of reactions, default 64. What branches is cut earlier: all chains from one
    /// cause have at most 64 times as many links beyond a quarter of that length.
    uint32_t chain_limit;
    uint32_t reaction_limit;      ///< most reactions in one step or call, default 1,000,000
    uint32_t random_stream_count; ///< streams for the game, default 8, at most 64
    uint64_t event_mask;          ///< bit per kn_event_type that is recorded; default all but
                         ///< EFFECT_EXECUTED, TAG_COUNT and ABILITY_STATUS; what listeners want is
                         ///< recorded anyway
    kn_grant_fn *grant_fn; ///< for grants that no ability has the name of; may be NULL
    void *grant_user;
    bool is_client;               ///< another machine is the authority
    uint32_t connection;          ///< of the player at this machine; 0: a server without one
    uint32_t task_limit;          ///< most tasks at once; default 0: no limit
    const struct kn_space *space; ///< whom spatial questions go to; see kn_world_set_space()
    uint32_t cookie;
} kn_world_def;

KN_API kn_world_def kn_world_def_default(void);
/// @return KN_OK, KN_ERROR_INVALID_ARGUMENT for a library that is missing or not finished,
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_world_create(const kn_world_def *def, kn_world **world);
KN_API void kn_world_destroy(kn_world *world);
KN_API const kn_library *kn_world_library(const kn_world *world);

/// Advances time. Timers fire at their exact time in order of (time, creation), then what
/// happened is published and listeners are called. The order is stated in docs/step-order.md.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a negative or absurd dt; KN_ERROR_WORLD_LOCKED
///         from a rule; KN_ERROR_WORLD_BROKEN when memory ran out half-way
KN_API KN_MUST_USE kn_result kn_world_step(kn_world *world, kn_time dt);
/// The current time: inside a step, the exact time of what is happening.
KN_API kn_time kn_world_now(const kn_world *world);
/// For those who run rules, such as script engines: adds to the work done since the outermost call
/// from the host (a step, an activation) began, and gives the sum. So that rules of which each
/// keeps its own limit cannot hold up a step together. The unit is theirs; it is not part of the
/// state. Questions from outside a call are not summed up: they give `amount`.
KN_API uint64_t kn_world_count_work(const kn_world *world, uint64_t amount);
/// True after a step that ran out of memory, until a snapshot is restored.
KN_API bool kn_world_is_broken(const kn_world *world);

/// Memory of a world.
typedef struct kn_world_stats {
    uint64_t bytes;       ///< held now
    uint64_t allocations; ///< made since creation
    uint32_t entities;
    uint32_t components;
    uint32_t effects;
    uint32_t timers;
    uint32_t modifiers;
    uint32_t parked_modifiers; ///< waiting for an attribute that is not there
} kn_world_stats;

KN_API kn_world_stats kn_world_get_stats(const kn_world *world);

/// Checks every invariant of the world's structures. Slow. True when all hold; otherwise asserts
/// and returns false.
KN_API bool kn_world_validate(const kn_world *world);

// Random numbers ------------------------------------------------------------

/// Streams the library itself draws from; a game's streams are 0 to random_stream_count - 1.
#define KN_STREAM_CHANCE 0x100u
#define KN_STREAM_INIT 0x101u

/// Draws from one stream; only for rules and the host, outside observers. Unknown streams give 0.
KN_API uint32_t kn_random_u32(kn_world *world, uint32_t stream);
/// Uniform in [0, bound); 0 for bound 0.
KN_API uint32_t kn_random_below(kn_world *world, uint32_t stream, uint32_t bound);
/// Uniform in [0, 1).
KN_API float kn_random_float(kn_world *world, uint32_t stream);

// Entities ------------------------------------------------------------------

/// Creates an entity. It costs a few bytes until it gets tags, attributes or effects.
KN_API KN_MUST_USE kn_result kn_entity_create(kn_world *world, kn_entity_id *entity);
/// Destroys an entity: its effects end with KN_REMOVED_TARGET_DIED, effects it made freeze what
/// they read from it. Inside the simulation the entity is dying until the reactions are done:
/// it accepts no new effects. False for a stale id.
KN_API bool kn_entity_destroy(kn_world *world, kn_entity_id entity);
KN_API bool kn_entity_is_alive(const kn_world *world, kn_entity_id entity);
KN_API uint32_t kn_entity_count(const kn_world *world);
/// Walks live entities: start with the null id; null at the end.
KN_API kn_entity_id kn_entity_next(const kn_world *world, kn_entity_id entity);

/// 64 bits for the host.
KN_API kn_result kn_entity_set_user(kn_world *world, kn_entity_id entity, uint64_t user);
KN_API uint64_t kn_entity_user(const kn_world *world, kn_entity_id entity);

/// Makes sure the entity has its ability component. Everything that needs one does this by itself.
KN_API kn_result kn_entity_add_component(kn_world *world, kn_entity_id entity);
KN_API bool kn_entity_has_component(const kn_world *world, kn_entity_id entity);

/// Binds the body: `avatar` answers for `owner`'s tags, attributes and effects. A null avatar, or
/// the owner itself, makes the owner its own body. Doing it twice changes nothing. The avatar must
/// not have a component of its own (KN_REFUSED_DUPLICATE).
KN_API kn_result kn_entity_set_avatar(kn_world *world, kn_entity_id owner, kn_entity_id avatar);
KN_API kn_entity_id kn_entity_avatar(const kn_world *world, kn_entity_id owner);
/// The entity whose component answers for this one: itself, or the owner of an avatar.
KN_API kn_entity_id kn_entity_component_owner(const kn_world *world, kn_entity_id entity);

/// The connection of the player who owns it; 0 for none.
KN_API kn_result kn_entity_set_connection(
    kn_world *world, kn_entity_id entity, uint32_t connection);
KN_API uint32_t kn_entity_connection(const kn_world *world, kn_entity_id entity);

/// Attaches a component to a parent: its tags count for the parent too (a weapon in the hand).
/// Null detaches. KN_REFUSED_CYCLE if it would be its own ancestor.
KN_API kn_result kn_entity_set_parent(kn_world *world, kn_entity_id entity, kn_entity_id parent);
KN_API kn_entity_id kn_entity_parent(const kn_world *world, kn_entity_id entity);

/// Who owns it (a player, a team), for effects that act on all owned entities. Null for nobody.
KN_API kn_result kn_entity_set_owner(kn_world *world, kn_entity_id entity, kn_entity_id owner);
KN_API kn_entity_id kn_entity_owner(const kn_world *world, kn_entity_id entity);

// Tags of entities ----------------------------------------------------------

/// Where a count comes from; counts of different origins never touch each other.
typedef enum kn_tag_origin {
    KN_ORIGIN_LOOSE,        ///< game code, on this machine only
    KN_ORIGIN_LOOSE_SYNCED, ///< game code, sent to clients
    KN_ORIGIN_EFFECT,       ///< granted by effects; not for callers
    KN_ORIGIN_MINIMAL,      ///< what the network tells about effects that are not here
    KN_ORIGIN_ABILITY,      ///< held while an ability runs; what it owns cannot be taken from it
    KN_ORIGIN_CHILD,        ///< from attached components; not for callers
    KN_ORIGIN_COUNT,
} kn_tag_origin;

/// How a synced loose tag travels.
typedef enum kn_tag_sync {
    KN_TAG_SYNC_NONE,
    KN_TAG_SYNC_TAG,         ///< presence, to all
    KN_TAG_SYNC_COUNT_OWNER, ///< presence to all, count to the owner
    KN_TAG_SYNC_COUNT_ALL,
} kn_tag_sync;

/// Adds to, or takes from, the count of a tag.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_LIMIT when the count would leave
///         [0, 65535], or for more than the origin has; KN_ERROR_INVALID_ARGUMENT for a bad tag or
///         origin
KN_API kn_result kn_entity_add_tag(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count);
KN_API kn_result kn_entity_remove_tag(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count);
/// Sets the count of one origin; loose origins only.
KN_API kn_result kn_entity_set_tag_count(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count);
/// A loose tag with a sync rule; the rule of a tag is that of its last addition.
KN_API kn_result kn_entity_add_loose_tag(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_sync sync);
KN_API kn_tag_sync kn_entity_tag_sync(const kn_world *world, kn_entity_id entity, kn_tag tag);

/// True if the entity has the tag or one below it. False for null and stale ids.
KN_API bool kn_entity_has_tag(const kn_world *world, kn_entity_id entity, kn_tag tag);
/// True only for the tag itself.
KN_API bool kn_entity_has_tag_exact(const kn_world *world, kn_entity_id entity, kn_tag tag);
KN_API bool kn_entity_has_any_tag(const kn_world *world, kn_entity_id entity, kn_tags tags);
KN_API bool kn_entity_has_all_tags(const kn_world *world, kn_entity_id entity, kn_tags tags);
KN_API bool kn_entity_meets(
    const kn_world *world, kn_entity_id entity, const kn_tag_requirement *requirement);
KN_API bool kn_entity_matches_query(
    const kn_world *world, kn_entity_id entity, const kn_tag_query *query);
/// Instances of the tag and all below it. Counts tell what is there; whether an effect hides or
/// replaces it (kn_tag_edit) shows in the has and meets functions.
KN_API uint32_t kn_entity_tag_count(const kn_world *world, kn_entity_id entity, kn_tag tag);
/// Instances of the tag itself, from all origins or one.
KN_API uint32_t kn_entity_tag_count_exact(const kn_world *world, kn_entity_id entity, kn_tag tag);
KN_API uint32_t kn_entity_tag_count_origin(
    const kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin);
/// The tags the entity itself shows (not implied parents), by number. Returns how many there are.
KN_API uint32_t kn_entity_tags(
    const kn_world *world, kn_entity_id entity, kn_tag *out, uint32_t capacity);
/// True while an effect blocks abilities with this tag, or with a parent of it.
KN_API bool kn_entity_ability_tag_blocked(const kn_world *world, kn_entity_id entity, kn_tag tag);

// Timers for rules ----------------------------------------------------------

/// Called when a timer fires. A rule. `data` is the 16 bytes given at creation, writable;
/// returning a time above 0 fires again after that span, anything else ends the timer.
typedef kn_time kn_timer_fn(void *user, kn_world *world, kn_entity_id entity, void *data);
KN_API KN_MUST_USE kn_result kn_timer_type_register(kn_library *library, const char *name,
    kn_timer_fn *function, void *user, kn_timer_type_id *type, kn_error *error);
KN_API kn_timer_type_id kn_timer_type_find(const kn_library *library, const char *name);
/// The function of a type and its `user`; both NULL for a type that is not registered.
KN_API kn_timer_fn *kn_timer_type_function(
    const kn_library *library, kn_timer_type_id type, void **user);
#define KN_TIMER_DATA_SIZE 16
/// Starts a timer. It dies with `entity` unless that is null. `data` may be NULL for zeros.
KN_API KN_MUST_USE kn_result kn_timer_start(kn_world *world, kn_timer_type_id type,
    kn_entity_id entity, kn_time delay, const void *data, kn_timer_id *timer);
KN_API bool kn_timer_cancel(kn_world *world, kn_timer_id timer);
/// False once it has fired for the last time, was cancelled, or has died with its entity.
KN_API bool kn_timer_is_alive(const kn_world *world, kn_timer_id timer);
/// Time until it fires; 0 for a stale id, and while it fires.
KN_API kn_time kn_timer_remaining(const kn_world *world, kn_timer_id timer);
/// The timer whose function runs now, so that the function can tell which of several it is for;
/// null at any other time.
KN_API kn_timer_id kn_timer_firing(const kn_world *world);

// Extension components ------------------------------------------------------

/// Plain data a kit or game hangs on entities, or on the world. Snapshots, saves, hashes and dumps
/// cover it through its field table. Every byte of the struct must belong to a field.
typedef struct kn_component_def {
    const char *name; ///< required, unique
    uint32_t size;    ///< of the struct; at most 65536
    const kn_field *fields;
    uint32_t field_count;
    /// Elements of the variable-length part, if any, with a field table of their own.
    uint32_t item_size;
    const kn_field *item_fields;
    uint32_t item_field_count;
    uint32_t cookie;
} kn_component_def;

KN_API kn_component_def kn_component_def_default(void);
KN_API KN_MUST_USE kn_result kn_component_register(
    kn_library *library, const kn_component_def *def, kn_component_type_id *type, kn_error *error);
KN_API kn_component_type_id kn_component_find(const kn_library *library, const char *name);
/// The def as registered; it belongs to the library. NULL when unknown.
KN_API const kn_component_def *kn_component_get_def(
    const kn_library *library, kn_component_type_id type);

/// Adds a component to an entity (null: to the world itself), zeroed, or finds it. The pointer is
/// valid until the next call that may create something.
KN_API void *kn_component_add(kn_world *world, kn_component_type_id type, kn_entity_id entity);
KN_API bool kn_component_remove(kn_world *world, kn_component_type_id type, kn_entity_id entity);
/// NULL when it is not there.
KN_API void *kn_component_get(kn_world *world, kn_component_type_id type, kn_entity_id entity);
KN_API const void *kn_component_read(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity);
/// The variable-length part: sets its length (new items zeroed) and returns it; NULL for length 0
/// or when out of memory (the length is unchanged then).
KN_API void *kn_component_resize(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t count);
KN_API void *kn_component_items(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t *count);
/// The same for who only reads; NULL when there are none.
KN_API const void *kn_component_read_items(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t *count);
/// Walks the entities that have one, by slot: start with the null id; null at the end. The
/// world's own is not visited.
KN_API kn_entity_id kn_component_next(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity);

// Looking at it -------------------------------------------------------------

/// Everything about one entity as text: owned tags with origins, attributes with base and current,
/// effects with remaining time, stacks and state, abilities with what keeps them from starting and
/// the tasks of those that run, cooldowns, cues. Returns the full length.
KN_API uint32_t kn_entity_dump(
    const kn_world *world, kn_entity_id entity, char *text, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
