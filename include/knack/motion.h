// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Motion sources: dash, knock-back, pull, leap and jump as functions of time.
///
/// A source is plain data: a def, which says what kind of motion it is, and a start record, which
/// says when and where it began. There is no other state. kn_motion_evaluate() computes where the
/// thing is, or how fast it is pushed, at any time, in any order, as often as you like: the answer
/// depends on the def, the start record and the input alone, to the bit, on every machine. So a
/// source can be stored in a component, rolled back, saved and predicted, and no error accumulates.
///
/// The library moves nothing. The host reads samples and moves its things, or passes sources to a
/// movement system of its own through kn_movement.
///
/// Two families:
///
///   forces      KN_MOTION_FORCE, KN_MOTION_RADIAL: a velocity. Act in [start, start + duration).
///   paths       KN_MOTION_MOVE_TO, KN_MOTION_FOLLOW, KN_MOTION_JUMP: a position. Act from the
///               start on; at the end, and after it, they give their last position.
///
/// Lengths and axes are the host's; speeds are units per second.
#ifndef KNACK_MOTION_H
#define KNACK_MOTION_H

#include "knack/library.h"
#include "knack/value.h"
#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a source is ----------------------------------------------------------

/// Kinds of motion.
typedef enum kn_motion_kind {
    KN_MOTION_FORCE,   ///< along `direction` with `strength`: knock-back, wind, conveyor
    KN_MOTION_RADIAL,  ///< away from a centre or towards it: explosion, black hole
    KN_MOTION_MOVE_TO, ///< from where it started to `destination`: dash, charge
    KN_MOTION_FOLLOW,  ///< from where it started to a target that may move: leap at an enemy, hook
    KN_MOTION_JUMP,    ///< along `direction` over `distance`, rising by `height` on the way
    KN_MOTION_KIND_COUNT, ///< number of the values above; not a value itself
} kn_motion_kind;

/// How a source acts together with the host's own velocity.
typedef enum kn_motion_blend {
    KN_MOTION_ADD,         ///< the motion is added to the host's velocity
    KN_MOTION_OVERRIDE,    ///< the motion replaces the host's velocity
    KN_MOTION_BLEND_COUNT, ///< number of the values above; not a value itself
} kn_motion_blend;

/// The velocity a thing is left with when a source ends.
typedef enum kn_motion_end {
    KN_MOTION_END_KEEP,    ///< the velocity it has
    KN_MOTION_END_SET,     ///< `end_velocity`
    KN_MOTION_END_CLAMP,   ///< the velocity it has, at most as fast as `end_speed_max`
    KN_MOTION_END_RESTORE, ///< the velocity it had when the source started
    KN_MOTION_END_COUNT,   ///< number of the values above; not a value itself
} kn_motion_end;

/// The x of the curves over time, which are all but `falloff_curve`. A curve that goes on beyond
/// the end is cut there; one that is shorter keeps its last value.
typedef enum kn_motion_axis {
    KN_MOTION_AXIS_PROGRESS, ///< 0 at the start, 1 at the end; seconds if it never ends
    KN_MOTION_AXIS_SECONDS,  ///< seconds since the start
    KN_MOTION_AXIS_COUNT,    ///< number of the values above; not a value itself
} kn_motion_axis;

/// How a radial force weakens from the centre to `radius`. Beyond the radius there is none.
typedef enum kn_motion_falloff {
    KN_MOTION_FALLOFF_NONE,   ///< full strength everywhere
    KN_MOTION_FALLOFF_LINEAR, ///< full at the centre, 0 at the radius
    KN_MOTION_FALLOFF_CURVE,  ///< times `falloff_curve` at distance / radius, 0 to 1
    KN_MOTION_FALLOFF_COUNT,  ///< number of the values above; not a value itself
} kn_motion_falloff;

/// One motion. Holds no pointers and no padding: it can be copied as bytes and stored anywhere.
/// Directions need not have length 1. Every number must be finite, also where the kind does not
/// read it. Curve ids belong to the library that is passed along.
typedef struct kn_motion_def {
    /// How long it lasts, above 0; default 1 s; KN_TIME_INFINITE is for forces only.
    kn_time duration;
    kn_motion_kind kind; ///< kind of motion
    int32_t priority;    ///< among overriding sources the highest wins; default 0
    /// How it acts together with the host's velocity; default KN_MOTION_ADD for forces,
    /// KN_MOTION_OVERRIDE for paths.
    kn_motion_blend blend;
    kn_motion_end end;    ///< velocity when it ends; default KN_MOTION_END_KEEP
    kn_vec3 end_velocity; ///< velocity when it ends, for KN_MOTION_END_SET
    float end_speed_max;  ///< highest speed when it ends, for KN_MOTION_END_CLAMP; not negative
    /// When it ends, the movement mode in force before it started is restored; default false.
    bool restores_mode;
    bool follows_target; ///< radial: the centre is the input's target, and `centre` is not read
    bool pulls;          ///< radial: towards the centre; default away from it
    /// Radial: nothing along `up`, all of the strength across it; distances stay spatial.
    bool is_flat;
    kn_motion_axis axis; ///< x of the curves over time; default KN_MOTION_AXIS_PROGRESS
    kn_vec3 up;          ///< direction that is up, not zero; default {0, 0, 1}
    kn_tag tag;          ///< for the host to tell sources apart; default null

    // Forces.
    float strength;             ///< units per second; negative values reverse the direction
    kn_curve_id strength_curve; ///< factor on the strength over time; null: 1

    // Radial forces.
    kn_vec3 centre;            ///< centre of a radial force that does not follow a target
    float radius;              ///< reach of a radial force, above 0; default 1
    kn_motion_falloff falloff; ///< how a radial force weakens towards the radius
    /// Strength by distance / radius; required by KN_MOTION_FALLOFF_CURVE.
    kn_curve_id falloff_curve;

    // Forces and jumps.
    /// Direction of a force or jump, not zero; a jump over distance 0 needs none; default {1, 0,
    /// 0}.
    kn_vec3 direction;

    // Paths.
    kn_vec3 destination; ///< where KN_MOTION_MOVE_TO ends
    kn_vec3 offset;      ///< where KN_MOTION_FOLLOW ends, relative to the target
    /// Share of the way that is covered, over time: 0 is the start, 1 the end, more goes beyond.
    /// Null: uniform. A curve that does not end at 1 does not end at the destination.
    kn_curve_id easing;
    /// Bends the way of MOVE_TO and FOLLOW sideways: the curve's value over time, times `across`,
    /// is how far the thing is off the straight line. Null: not at all. Sideways is way x up: to
    /// the right where axes are right-handed. A way straight up or down has no side.
    kn_curve_id across_curve;
    float across; ///< length that `across_curve` is multiplied by; default 1
    /// Bends the way of MOVE_TO and FOLLOW along `up`, as `across_curve` does sideways. Null: not
    /// at all.
    kn_curve_id rise_curve;
    float rise; ///< length that `rise_curve` is multiplied by; default 1

    // Jumps.
    float distance; ///< length of a jump along `direction`, not negative
    float height;   ///< height of a jump above the straight line, along `up`, reached at half time
    /// Share of the height over time; null: the parabola of a throw, 4 p (1 - p).
    kn_curve_id height_curve;

    uint32_t cookie; ///< set by kn_motion_def_default(); do not change it
} kn_motion_def;

/// A motion of a kind that still needs its direction, destination, strength or distance.
KN_API kn_motion_def kn_motion_def_default(kn_motion_kind kind);

/// Finds what is wrong with a def before it is used. An evaluation does not repeat this: it is safe
/// with any def, but gives whatever a bad one means.
/// @param error names the field; may be NULL
/// @return KN_OK; KN_ERROR_BAD_DATA; KN_ERROR_INVALID_ARGUMENT for a def that was not made by
///         kn_motion_def_default()
KN_API KN_MUST_USE kn_result kn_motion_check(
    const kn_library *library, const kn_motion_def *def, kn_error *error);

/// When and where a source began. Written once, by the code that starts it. No pointers, no
/// padding.
typedef struct kn_motion_start {
    kn_time time;     ///< simulated time of the start
    kn_vec3 position; ///< position at the start, where paths begin
    kn_vec3 velocity; ///< velocity at the start, for KN_MOTION_END_RESTORE
    uint32_t mode;    ///< movement mode before, in the host's numbers; see kn_movement_begin()
    uint32_t number;  ///< distinguishes the sources of an entity; chosen by the code that starts it
    /// The entity whose position the host gives as the input's target; not read by evaluation.
    kn_entity_id target;
} kn_motion_start;

/// A motion and its start together, as a host stores them.
typedef struct kn_motion_source {
    kn_motion_def def;     ///< the motion
    kn_motion_start start; ///< when and where the motion began
} kn_motion_source;

/// The fields of a kn_motion_source, for a component that is one or has them as items: snapshots,
/// saves and hashes then cover running sources. Tags and curves are saved by name. Valid forever.
KN_API const kn_field *kn_motion_source_fields(uint32_t *count);

// What it does --------------------------------------------------------------

/// What may change while a source runs.
typedef struct kn_motion_input {
    kn_time now;      ///< simulated time to evaluate at
    kn_vec3 position; ///< position of the thing itself; read by radial forces
    kn_vec3 target;   ///< position of the target; read by KN_MOTION_FOLLOW and `follows_target`
} kn_motion_input;

/// Flag of a sample or total with a position.
#define KN_MOTION_HAS_POSITION 1u
/// Flag of a sample or total with a velocity.
#define KN_MOTION_HAS_VELOCITY 2u

/// What a source does at one time.
typedef struct kn_motion_sample {
    uint32_t flags;   ///< KN_MOTION_HAS_*; 0: the source does not act (not yet, or no longer)
    kn_vec3 position; ///< where the source puts the thing; 0 unless flagged
    kn_vec3 velocity; ///< how fast the source moves the thing; 0 unless flagged
    float progress;   ///< 0 at the start, 1 at the end and after; 0 if it never ends
    bool is_finished; ///< time to remove it; a path still gives its last position
} kn_motion_sample;

/// Evaluates a source at `input->now`. A force gives a velocity, a path a position.
///
/// Guaranteed: equal def, start, input and curves give equal bits, whatever was evaluated before,
/// on every compiler and processor. A thing that is *set* to the position is at the same place at
/// the same time at any frame rate. With an easing that ends at 1, a path ends at its destination
/// exactly.
/// @param start all numbers finite, as in `input`
/// @param sample zeroed on anything but KN_OK
/// @return KN_OK; KN_REFUSED_BAD_NUMBER for NaN or infinity in the input or the result;
///         KN_ERROR_BAD_DATA for an unknown kind; KN_ERROR_INVALID_ARGUMENT for a def that was not
///         made by kn_motion_def_default()
KN_API KN_MUST_USE kn_result kn_motion_evaluate(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *input, kn_motion_sample *sample);

/// Computes how far a source carries the thing from one time to a later one.
///
/// - Paths: the position at `to` minus the position at `from`, rounded once. The deltas of any
///   split of a time add up to the whole but for that rounding; set positions to avoid it.
/// - KN_MOTION_FORCE: strength and curve integrated exactly over the time in which it acts, so a
///   step that reaches beyond the end counts in part. Deltas of a split add up in the same way.
/// - KN_MOTION_RADIAL: likewise over time, with position and centre as they are at `from`; the
///   length of the steps shows. A pull ends at the centre and does not swing over it.
///
/// @return as kn_motion_evaluate(); KN_ERROR_INVALID_ARGUMENT also for `to` before `from`
KN_API KN_MUST_USE kn_result kn_motion_delta(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *from, const kn_motion_input *to,
    kn_vec3 *delta);

/// Evaluates a source over one step of the host: the sample at `to`, with the mean velocity over
/// the step, for paths as well, which is kn_motion_delta() / time. This is what to combine. Over a
/// step without length a force has its velocity at that time, a path none. Results as
/// kn_motion_delta().
KN_API KN_MUST_USE kn_result kn_motion_step(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *from, const kn_motion_input *to,
    kn_motion_sample *sample);

/// What several sources and the host's own velocity amount to.
typedef struct kn_motion_total {
    uint32_t flags;   ///< always has a velocity; a position if the winning override has one
    kn_vec3 position; ///< position of the winner, without what the additive sources do
    kn_vec3 velocity; ///< velocity of everything together
    uint32_t winner;  ///< index of the overriding source that won, or UINT32_MAX
} kn_motion_total;

/// Combines the samples of several sources, `count` of each, in the order in which they started. Of
/// the overriding ones that act, the one with the highest priority replaces the host's velocity;
/// among equals the one started last. Additive ones are added in order, paths by their velocity
/// from kn_motion_step(). A host either sets the position, where there is one, or moves by the
/// velocity.
/// @param base_velocity the host's own
KN_API kn_motion_total kn_motion_combine(const kn_motion_sample *samples,
    const kn_motion_source *sources, uint32_t count, kn_vec3 base_velocity);

/// The velocity to continue with when a source has ended, by the def's `end`.
/// @param velocity what the thing has now
KN_API kn_vec3 kn_motion_end_velocity(
    const kn_motion_def *def, const kn_motion_start *start, kn_vec3 velocity);

// The host's movement system ------------------------------------------------

/// Begins to apply a source. Anything but KN_OK means that it was not added. `source` is valid
/// during the call.
typedef kn_result kn_movement_add_fn(
    void *user, kn_entity_id entity, const kn_motion_source *source);
/// Stops applying the source with this number.
typedef void kn_movement_remove_fn(void *user, kn_entity_id entity, uint32_t number);
/// Returns the entity's movement mode now: walking, falling, swimming; the host's numbers.
typedef uint32_t kn_movement_mode_fn(void *user, kn_entity_id entity);
/// Puts the entity back into a mode.
typedef void kn_movement_restore_fn(void *user, kn_entity_id entity, uint32_t mode);

/// A movement system outside the library. All-zero is valid: each function may be NULL, and then
/// that part is left out.
typedef struct kn_movement {
    kn_movement_add_fn *add_source;       ///< begins to apply a source
    kn_movement_remove_fn *remove_source; ///< stops applying a source
    kn_movement_mode_fn *query_mode;      ///< returns the movement mode
    kn_movement_restore_fn *restore_mode; ///< puts the entity back into a mode
    void *user;                           ///< passed to every function
} kn_movement;

/// Starts a source: records the movement mode in it and adds it to the movement system. While other
/// sources of the entity that restore a mode run, their mode is used, so that overlapping ones end
/// in the mode before the first.
/// @param movement NULL: as one without functions
/// @param running the entity's sources, `running_count` of them; may be NULL if there are none
/// @param source `start.mode` is written; 0 without `query_mode`
/// @return KN_OK, or what `add_source` returned
KN_API KN_MUST_USE kn_result kn_movement_begin(const kn_movement *movement, kn_entity_id entity,
    const kn_motion_source *running, uint32_t running_count, kn_motion_source *source);

/// Ends a source, in time or early: removes it from the movement system and, if it restores the
/// mode and no other running source does, restores the mode from before.
/// @param running the entity's sources; whether `source` is among them does not matter
KN_API void kn_movement_end(const kn_movement *movement, kn_entity_id entity,
    const kn_motion_source *running, uint32_t running_count, const kn_motion_source *source);

#ifdef __cplusplus
}
#endif

#endif
