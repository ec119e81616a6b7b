// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Motion sources: dash, knock-back, pull, leap and jump as functions of time.
///
/// A source is plain data: a def, which says what kind of motion it is, and a start record, which
/// says when and where it began. There is no other state. kn_motion_evaluate() tells where the
/// thing is, or how fast it is pushed, at any time, in any order, as often as wanted: the answer
/// depends on the def, the start record and the input alone, to the bit, on every machine. So a
/// source can be stored in a component, rolled back, saved and predicted, and no error adds up.
///
/// The library moves nothing. The host reads samples and moves its things, or hands sources to a
/// movement system of its own through kn_movement.
///
/// Two families:
///
///   forces      KN_MOTION_FORCE, KN_MOTION_RADIAL: a velocity. Act in [start, start + duration).
///   paths       KN_MOTION_MOVE_TO, KN_MOTION_FOLLOW, KN_MOTION_JUMP: a position. Act from the
///               start on; at the end, and after it, they give their last position.
///
/// Lengths, speeds and axes are the host's: units, and units per second.
#ifndef KNACK_MOTION_H
#define KNACK_MOTION_H

#include "knack/library.h"
#include "knack/value.h"
#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a source is ----------------------------------------------------------

typedef enum kn_motion_kind {
    KN_MOTION_FORCE,   ///< along `direction` with `strength`: knock-back, wind, conveyor
    KN_MOTION_RADIAL,  ///< away from a centre or towards it: explosion, black hole
    KN_MOTION_MOVE_TO, ///< from where it started to `destination`: dash, charge
    KN_MOTION_FOLLOW,  ///< from where it started to a target that may move: leap at an enemy, hook
    KN_MOTION_JUMP,    ///< along `direction` over `distance`, rising by `height` on the way
    KN_MOTION_KIND_COUNT,
} kn_motion_kind;

/// How a source acts together with the host's own velocity.
typedef enum kn_motion_blend {
    KN_MOTION_ADD,      ///< added to it
    KN_MOTION_OVERRIDE, ///< replaces it
    KN_MOTION_BLEND_COUNT,
} kn_motion_blend;

/// The velocity a thing is left with when a source ends.
typedef enum kn_motion_end {
    KN_MOTION_END_KEEP,    ///< what it has
    KN_MOTION_END_SET,     ///< `end_velocity`
    KN_MOTION_END_CLAMP,   ///< what it has, at most as fast as `end_speed_max`
    KN_MOTION_END_RESTORE, ///< what it had when the source started
    KN_MOTION_END_COUNT,
} kn_motion_end;

/// What the x of the curves over time is: all but `falloff_curve`. A curve that goes on beyond the
/// end is cut there; one that is shorter keeps its last value.
typedef enum kn_motion_axis {
    KN_MOTION_AXIS_PROGRESS, ///< 0 at the start, 1 at the end; seconds if it never ends
    KN_MOTION_AXIS_SECONDS,  ///< since the start
    KN_MOTION_AXIS_COUNT,
} kn_motion_axis;

/// How a radial force weakens from the centre to `radius`. Beyond the radius there is none.
typedef enum kn_motion_falloff {
    KN_MOTION_FALLOFF_NONE,   ///< full strength everywhere
    KN_MOTION_FALLOFF_LINEAR, ///< full at the centre, 0 at the radius
    KN_MOTION_FALLOFF_CURVE,  ///< times `falloff_curve` at distance / radius, 0 to 1
    KN_MOTION_FALLOFF_COUNT,
} kn_motion_falloff;

/// One motion. Holds no pointers and no padding: it can be copied as bytes and stored anywhere.
/// Directions need not have length 1. Every number must be finite, also where the kind does not
/// read it. Curve ids belong to the library that is passed along.
typedef struct kn_motion_def {
    /// How long it lasts, above 0. Default 1 s. KN_TIME_INFINITE is for forces.
    kn_time duration;
    kn_motion_kind kind;
    int32_t priority;      ///< among overriding sources the highest wins; default 0
    kn_motion_blend blend; ///< default KN_MOTION_ADD for forces, KN_MOTION_OVERRIDE for paths
    kn_motion_end end;     ///< default KN_MOTION_END_KEEP
    kn_vec3 end_velocity;  ///< for KN_MOTION_END_SET
    float end_speed_max;   ///< for KN_MOTION_END_CLAMP, not negative
    /// When it ends, the movement mode in force before it started is restored. Default false.
    bool restores_mode;
    bool follows_target; ///< radial: the centre is the input's target, and `centre` is not read
    bool pulls;          ///< radial: towards the centre; default away from it
    /// Radial: nothing along `up`, all of the strength across it. Distances stay spatial.
    bool is_flat;
    kn_motion_axis axis; ///< x of the curves over time; default KN_MOTION_AXIS_PROGRESS
    kn_vec3 up;          ///< not zero; default {0, 0, 1}
    kn_tag tag;          ///< what it is, for the host to tell sources apart; default null

    // Forces.
    float strength;             ///< units per second; below 0 turns the direction round
    kn_curve_id strength_curve; ///< factor on the strength over time; null: 1

    // Radial forces.
    kn_vec3 centre; ///< if it does not follow a target
    float radius;   ///< above 0; default 1
    kn_motion_falloff falloff;
    kn_curve_id falloff_curve; ///< required by KN_MOTION_FALLOFF_CURVE

    // Forces and jumps.
    kn_vec3 direction; ///< not zero; a jump over distance 0 needs none. Default {1, 0, 0}

    // Paths.
    kn_vec3 destination; ///< of KN_MOTION_MOVE_TO
    kn_vec3 offset;      ///< of KN_MOTION_FOLLOW: the end lies here, seen from the target
    /// Share of the way that is covered, over time: 0 is the start, 1 the end, more goes beyond.
    /// Null: uniform. A curve that does not end at 1 does not end at the destination.
    kn_curve_id easing;
    /// Bends the way of MOVE_TO and FOLLOW: the curve's value over time, times the length beside
    /// it, is how far the thing is off the straight line. Null: not at all. Across is way x up:
    /// to the right where axes are right-handed. A way straight up or down has no across.
    kn_curve_id across_curve;
    float across; ///< default 1
    kn_curve_id rise_curve;
    float rise; ///< along `up`; default 1

    // Jumps.
    float distance; ///< along `direction`, not negative
    float height;   ///< above the straight line, along `up`: reached at half time
    /// Share of the height over time. Null: the parabola of a throw, 4 p (1 - p).
    kn_curve_id height_curve;

    uint32_t cookie;
} kn_motion_def;

/// A motion of a kind that still needs its direction, destination, strength or distance.
KN_API kn_motion_def kn_motion_def_default(kn_motion_kind kind);

/// Finds what is wrong with a def before it is used. An evaluation does not repeat this: it is
/// safe with any def, but gives whatever a bad one means.
/// @param error names the field; may be NULL
/// @return KN_OK, KN_ERROR_BAD_DATA, or KN_ERROR_INVALID_ARGUMENT for NULL or a def that was not
///         made by kn_motion_def_default()
KN_API KN_MUST_USE kn_result kn_motion_check(
    const kn_library *library, const kn_motion_def *def, kn_error *error);

/// When and from where a source began. Written once, by whoever starts it. No pointers, no padding.
typedef struct kn_motion_start {
    kn_time time;
    kn_vec3 position; ///< where paths begin
    kn_vec3 velocity; ///< for KN_MOTION_END_RESTORE
    uint32_t mode;    ///< movement mode before, in the host's numbers; see kn_movement_begin()
    uint32_t number;  ///< tells the sources of an entity apart; the starter's choice
    /// Whose position the host gives as the input's target; evaluation does not read it.
    kn_entity_id target;
} kn_motion_start;

/// Both together, as a host stores them, oldest first.
typedef struct kn_motion_source {
    kn_motion_def def;
    kn_motion_start start;
} kn_motion_source;

/// The fields of a kn_motion_source, for a component that is one or has them as items: snapshots,
/// saves and hashes then cover running sources. Tags and curves are saved by name. Valid for ever.
KN_API const kn_field *kn_motion_source_fields(uint32_t *count);

// What it does --------------------------------------------------------------

/// What may change while a source runs.
typedef struct kn_motion_input {
    kn_time now;
    kn_vec3 position; ///< of the thing itself; read by radial forces
    kn_vec3 target;   ///< position of the target; read by KN_MOTION_FOLLOW and `follows_target`
} kn_motion_input;

/// What a sample determines.
#define KN_MOTION_HAS_POSITION 1u
#define KN_MOTION_HAS_VELOCITY 2u

/// A source at one time.
typedef struct kn_motion_sample {
    uint32_t flags;   ///< KN_MOTION_HAS_*; 0: the source does not act (not yet, or no longer)
    kn_vec3 position; ///< 0 unless flagged
    kn_vec3 velocity; ///< 0 unless flagged
    float progress;   ///< 0 at the start, 1 at the end and after; 0 if it never ends
    bool is_finished; ///< time to remove it; a path gives its last position nevertheless
} kn_motion_sample;

/// A source at `input->now`. A force gives a velocity, a path a position.
///
/// Guaranteed: equal def, start, input and curves give equal bits, whatever was asked before, on
/// every compiler and processor. A thing that is *set* to the position is at the same place at the
/// same time at any frame rate. With an easing that ends at 1, a path ends at its destination
/// exactly.
/// @param start, input  all numbers finite
/// @param sample        zeroed on anything but KN_OK
/// @return KN_OK, KN_REFUSED_BAD_NUMBER for NaN or infinity in the input or the result,
///         KN_ERROR_BAD_DATA for an unknown kind, KN_ERROR_INVALID_ARGUMENT for NULL or a def that
///         was not made by kn_motion_def_default()
KN_API KN_MUST_USE kn_result kn_motion_evaluate(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *input, kn_motion_sample *sample);

/// How far a source carries the thing from one time to a later one.
///
/// - Paths: the position at `to` minus the position at `from`, rounded once. The deltas of any
///   split of a time add up to the whole but for that rounding; set positions to be rid of it.
/// - KN_MOTION_FORCE: strength and curve integrated exactly over the time in which it acts, so a
///   step that reaches beyond the end counts in part. Deltas of a split add up in the same way.
/// - KN_MOTION_RADIAL: likewise over time, with position and centre as they are at `from`; the
///   length of the steps shows. A pull ends at the centre and does not swing over it.
///
/// @param from, to  `to` must not be earlier than `from`
/// @return as kn_motion_evaluate(); also KN_ERROR_INVALID_ARGUMENT for times in the wrong order
KN_API KN_MUST_USE kn_result kn_motion_delta(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *from, const kn_motion_input *to,
    kn_vec3 *delta);

/// A source over one step of the host: the sample at `to`, and with it, for paths as well, the mean
/// velocity over the step, which is kn_motion_delta() / time. This is what to combine. Over a step
/// without length a force has its velocity at that time, a path none.
/// @return as kn_motion_delta()
KN_API KN_MUST_USE kn_result kn_motion_step(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *from, const kn_motion_input *to,
    kn_motion_sample *sample);

/// What several sources and the host's own velocity come to.
typedef struct kn_motion_total {
    uint32_t flags;   ///< has a velocity always; a position if the winning override has one
    kn_vec3 position; ///< of the winner, without what the additive sources do
    kn_vec3 velocity; ///< of everything
    uint32_t winner;  ///< index of the overriding source that won, or UINT32_MAX
} kn_motion_total;

/// Combines the samples of several sources, `count` of each, in the order in which they started. Of
/// the overriding ones that act, the highest priority takes the place of the host's velocity; among
/// equals the one started last. Additive ones are added in order, paths by their velocity from
/// kn_motion_step(). A host either sets the position, where there is one, or moves by the velocity.
/// @param base_velocity the host's own
KN_API kn_motion_total kn_motion_combine(const kn_motion_sample *samples,
    const kn_motion_source *sources, uint32_t count, kn_vec3 base_velocity);

/// The velocity to go on with when a source has ended, by the def's `end`.
/// @param velocity what the thing has
KN_API kn_vec3 kn_motion_end_velocity(
    const kn_motion_def *def, const kn_motion_start *start, kn_vec3 velocity);

// The host's movement system ------------------------------------------------

/// Begins to apply a source. Anything but KN_OK means that it was not added.
typedef kn_result kn_movement_add_fn(
    void *user, kn_entity_id entity, const kn_motion_source *source);
/// Stops applying the source with this number.
typedef void kn_movement_remove_fn(void *user, kn_entity_id entity, uint32_t number);
/// The entity's movement mode now: walking, falling, swimming; the host's numbers.
typedef uint32_t kn_movement_mode_fn(void *user, kn_entity_id entity);
/// Puts the entity back into a mode.
typedef void kn_movement_restore_fn(void *user, kn_entity_id entity, uint32_t mode);

/// How motion reaches a movement system outside the library. Zero is valid: each function may be
/// NULL, and then that part is left out.
typedef struct kn_movement {
    kn_movement_add_fn *add_source;
    kn_movement_remove_fn *remove_source;
    kn_movement_mode_fn *query_mode;
    kn_movement_restore_fn *restore_mode;
    void *user;
} kn_movement;

/// Starts a source: records the movement mode in it and adds it. While other sources of the entity
/// that restore a mode run, the mode before is theirs, so that overlapping ones end in the mode
/// before the first.
/// @param movement NULL does as one without functions
/// @param running  the entity's sources, `running_count` of them; may be NULL if there are none
/// @param source   `start.mode` is written; 0 without `query_mode`
/// @return KN_OK, or what `add_source` said
KN_API KN_MUST_USE kn_result kn_movement_begin(const kn_movement *movement, kn_entity_id entity,
    const kn_motion_source *running, uint32_t running_count, kn_motion_source *source);

/// Ends a source, in time or early: removes it and, if it restores the mode and no other running
/// source does, restores the mode from before.
/// @param running the entity's sources; whether `source` is among them does not matter
KN_API void kn_movement_end(const kn_movement *movement, kn_entity_id entity,
    const kn_motion_source *running, uint32_t running_count, const kn_motion_source *source);

#ifdef __cplusplus
}
#endif

#endif
