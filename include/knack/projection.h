// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Projections: entities as bytes, cut to what a viewer may see, and written into another world
/// under the same ids. Networks, inspectors and tools that copy entities use them. Both worlds must
/// have the same library. What a projection covers is, after it was written, equal in both worlds,
/// and goes on alike as long as nothing from outside of it interferes.
#ifndef KNACK_PROJECTION_H
#define KNACK_PROJECTION_H

#include "knack/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the format. Projections of other versions are refused.
#define KN_PROJECTION_VERSION 2

/// Parts of an entity. A projection may leave out all but the first.
typedef enum kn_part {
    KN_PART_ENTITY,     ///< the entity itself and its links; always there
    KN_PART_ATTRIBUTES, ///< attribute sets and values
    KN_PART_TAGS,       ///< counts of tags that do not come from effects
    KN_PART_EFFECTS,    ///< active effects
    /// Abilities, cooldowns, activations and their tasks, and blocks of ability tags on it; a block
    /// whose source the other world does not have arrives without one.
    KN_PART_ABILITIES,
    /// Cues that calls added. A cue that a call executes counts as a change of this part, one of an
    /// effect as a change of KN_PART_EFFECTS.
    KN_PART_CUES,
    KN_PART_TIMERS, ///< timers of rules
    /// Watches outside of activations; one whose owner the other world does not have arrives
    /// without it.
    KN_PART_WATCHES,
    KN_PART_COMPONENTS, ///< components of games and kits
    KN_PART_COUNT,      ///< number of parts
} kn_part;

/// A bit for each kn_part.
#define KN_PARTS_ALL ((1u << KN_PART_COUNT) - 1)
/// The parts that may be among kn_projection_filter.empty_parts.
#define KN_PARTS_EMPTIABLE                                                                         \
    (1u << KN_PART_EFFECTS | 1u << KN_PART_ABILITIES | 1u << KN_PART_CUES | 1u << KN_PART_TIMERS | \
        1u << KN_PART_WATCHES)

/// Who will see a projection; see kn_sync.
typedef enum kn_viewer {
    KN_VIEWER_ALL,    ///< somebody who may see everything, such as another server or a tool
    KN_VIEWER_OWNER,  ///< the owner of the entity: not what is KN_SYNC_NONE
    KN_VIEWER_OTHERS, ///< anybody else: only what is KN_SYNC_ALL
    KN_VIEWER_COUNT,  ///< number of viewers
} kn_viewer;

/// How a projection names effects, abilities, activations, tasks, timers and watches. Entities have
/// the same ids in both worlds in any case.
typedef enum kn_identity {
    /// By their ids: they get the same ones in the other world.
    KN_IDENTITY_IDS,
    /// By their places, as the second effect of their entity: each world gives them ids of its own,
    /// and two worlds that came to the same state in different ways have equal projections. Writing
    /// one keeps the ids of records that are there already: those of the same type, in the order of
    /// their creation. References between records of different entities, to prepared effects, and
    /// to parts that are left out, arrive as null; the 16 bytes of timers and watches are copied as
    /// they are. Of the world itself there are its seed, random streams, switched systems,
    /// components, and timers and watches without an entity.
    KN_IDENTITY_PLACES,
    KN_IDENTITY_COUNT, ///< number of the values above
} kn_identity;

/// What of an entity is in a projection.
///
/// Attributes and fields of components that are cut keep the value they have in the other world;
/// parts that are cut stay there as they are, unless they are among `empty_parts`. Without
/// KN_PART_EFFECTS, tags from effects arrive with the origin KN_TAG_ORIGIN_MINIMAL, attributes with
/// their current value as base, and with KN_IDENTITY_PLACES the cues of effects as if calls had
/// added them. A viewer other than KN_VIEWER_ALL gets loose tags as far as their kn_tag_sync says,
/// and keeps those of its own machine.
typedef struct kn_projection_filter {
    kn_viewer viewer; ///< who will see it; default KN_VIEWER_ALL
    uint32_t parts;   ///< a bit for each kn_part, as 1u << KN_PART_TAGS; default all
    /// A bit for each kn_part that is cut and of which nothing may stay in the other world: for a
    /// viewer who may not see it any more. Only effects, abilities, cues, timers and watches, and
    /// none of `parts`; default none.
    uint32_t empty_parts;
    /// A bit for each group of attributes and fields, see kn_wire.group; default all.
    uint32_t groups;
    kn_identity identity; ///< how records are named; default KN_IDENTITY_IDS
    /// A bit for each random stream of the game that the viewer must not know, with
    /// KN_IDENTITY_PLACES; default none. Registered streams that are hidden (kn_stream_register())
    /// are left out in any case.
    uint64_t hidden_streams;
    /// Write every entity as one that does not exist, such as for somebody who does not see it any
    /// more; default false.
    bool is_gone;
    uint32_t cookie; ///< set by kn_projection_filter_default()
} kn_projection_filter;

/// A filter that cuts nothing.
KN_API kn_projection_filter kn_projection_filter_default(void);

/// Writes entities into a buffer. The null id stands for the world itself: its time, random
/// streams, creation numbers, prepared effects, waiting commands and switched systems, and, as far
/// as the filter has their parts, its components, and timers and watches without an entity. A stale
/// id is written as one that does not exist: writing it elsewhere destroys the entity there. An
/// entity that has an avatar needs it: name both, unless the other world has it. The same goes for
/// parents.
/// @param filter may be NULL: everything
/// @param buffer may be NULL, to ask for the size
/// @param written receives the bytes needed
/// @return KN_OK, also for a NULL buffer; KN_ERROR_BUFFER_TOO_SMALL; KN_ERROR_INVALID_ARGUMENT;
///         KN_ERROR_WORLD_LOCKED from a rule; KN_ERROR_WORLD_BROKEN; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_projection_take(const kn_world *world, const kn_entity_id *entities,
    uint32_t count, const kn_projection_filter *filter, void *buffer, size_t size, size_t *written);

/// Writes the entities of a projection into a world, under their ids: those that are there are
/// replaced, others are created, and those that do not exist any more are destroyed. A record of
/// another entity that has a slot which the projection needs is out of date and is removed, with
/// what depends on it. The input may come from anybody: every number is checked. Nothing is
/// published and no hook runs. Followers of components see all of them as changed.
/// @return KN_OK; KN_ERROR_BAD_DATA for input that is corrupt, of another library or does not fit
///         the world, such as a time that has passed or a parent that is not there, and `error`
///         says what; KN_ERROR_WORLD_LOCKED from a rule or a listener; KN_ERROR_WORLD_BROKEN;
///         KN_ERROR_OUT_OF_MEMORY. On anything but KN_OK the world is as it was
KN_API KN_MUST_USE kn_result kn_projection_write(
    kn_world *world, const void *buffer, size_t size, kn_error *error);

/// True if the world's own projection of the same entities, with the same filter, has the same
/// bytes, and its `empty_parts` are empty: writing it would change nothing that it covers. False
/// for bytes that are not a projection, or of another library, and when out of memory.
KN_API bool kn_projection_matches(const kn_world *world, const void *buffer, size_t size);

/// The bytes of a projection; see kn_projections_write().
typedef struct kn_projection {
    const void *bytes; ///< what kn_projection_take() wrote
    size_t size;       ///< how many
} kn_projection;

/// Writes several projections at once, as kn_projection_write() does each: all of them or none.
/// They may have different filters, and entities of one may refer to those of another. Costs little
/// more than writing one.
/// @return as kn_projection_write()
KN_API KN_MUST_USE kn_result kn_projections_write(
    kn_world *world, const kn_projection *projections, uint32_t count, kn_error *error);

// Changes -------------------------------------------------------------------

/// What of an entity has changed since a version.
typedef struct kn_changes {
    /// A bit for each kn_part that changed in a way a holder of its projection cannot know.
    uint32_t changed;
    /// A bit for each kn_part that changed because time passed, as anybody who holds the entity
    /// with its effects and abilities computes it: ticks and ends of effects on it, cycles of its
    /// cooldowns. For a holder without them these are changes like others.
    uint32_t computed;
} kn_changes;

/// Begins or ends noting changes, for kn_changes_since(). While nobody asks for it, nothing is
/// noted. Not part of the state: snapshots and saves do not have it, and restoring one counts as a
/// change of everything. Beginning again forgets all versions.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY; KN_ERROR_WORLD_LOCKED from a rule
KN_API KN_MUST_USE kn_result kn_changes_follow(kn_world *world, bool is_on);
/// The present version: what changes from now on is later. 0 while nothing is noted.
KN_API uint64_t kn_changes_version(kn_world *world);
/// What of an entity changed after a version; a part may be in both masks. Everything is `changed`
/// for an entity that was created or destroyed after it, for version 0, and while nothing is noted.
KN_API kn_changes kn_changes_since(const kn_world *world, kn_entity_id entity, uint64_t version);
/// Walks the entities that changed after a version, the latest change first: start with the null
/// id, pass the id returned last. Costs as much as there are changes. Destroyed entities come too,
/// until their slot is given to another. Null at the end, and while nothing is noted.
KN_API kn_entity_id kn_changes_next(const kn_world *world, uint64_t version, kn_entity_id entity);

/// Lists the entities of a projection in its order; see kn_projection_take().
/// @param entities receives at most `capacity` of them; may be NULL
/// @return how many there are; 0 for bytes that are not a projection
KN_API uint32_t kn_projection_entities(
    const void *buffer, size_t size, kn_entity_id *entities, uint32_t capacity);

/// Reads the filter that a projection was taken with, except for `is_gone`: the same entity, taken
/// with it in another world, has the same bytes if it is the same there.
/// @param filter receives it; as kn_projection_filter_default() says if the result is false
/// @return false for bytes that are not a projection
KN_API bool kn_projection_filter_of(const void *buffer, size_t size, kn_projection_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
