// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Tasks: what an activation does over time. A task waits for something and reports it to its
/// ability through the `task_done` hook; it ends with its activation at the latest. All of its
/// state belongs to the world, so that it survives snapshots, saves and rollbacks at any moment.
///
///   kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
///   def.delay = KN_MS(250);
///   def.label = FIRE;                                  // returned with every result
///   kn_result result = kn_task_run(call->world, call->activation, &def, NULL);
///
/// kn_task_create() and kn_task_start() do the same in two parts: nothing happens before the start,
/// and a task that is never started is reported.
#ifndef KNACK_TASK_H
#define KNACK_TASK_H

#include "knack/ability.h"
#include "knack/motion.h"
#include "knack/target.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a task does or waits for. "At once" means: if that is so when the task starts, it reports
/// without waiting.
typedef enum kn_task_kind {
    KN_TASK_DELAY = 1,   ///< waits for `delay`
    KN_TASK_REPEAT,      ///< reports every `interval`, first after one, `count` times; 0: forever
    KN_TASK_EVENT,       ///< waits for an event with `tag` or a tag below it
    KN_TASK_TAG_ADDED,   ///< waits until `tag` is gained; at once if it is there
    KN_TASK_TAG_REMOVED, ///< waits until `tag` is lost; at once if it is not there
    /// Waits until `query` matches, or does not with `when_false`; at once if so.
    KN_TASK_TAG_QUERY,
    KN_TASK_ATTRIBUTE,      ///< waits until `attribute` changes
    KN_TASK_THRESHOLD,      ///< waits until `attribute` meets `compare` with `value`; at once if so
    KN_TASK_EFFECT_APPLIED, ///< waits for an active effect of `effect_type`, or any
    /// Waits until `effect`, or one of `effect_type`, ends; at once if `effect` is gone.
    KN_TASK_EFFECT_REMOVED,
    /// Waits until the stack count of `effect`, or of one of `effect_type`, changes; KN_TASK_GONE
    /// when `effect` ends.
    KN_TASK_EFFECT_STACKS,
    /// Waits until another ability with any of `tags`, or any other, is activated.
    KN_TASK_ABILITY_ACTIVATED,
    /// Waits until another ability with any of `tags`, or any other, is committed.
    KN_TASK_ABILITY_COMMITTED,
    KN_TASK_ABILITY_ENDED, ///< waits until another ability with any of `tags`, or any other, ends
    /// Waits for a press of the ability's input; at once with `test_now` if it is down.
    KN_TASK_INPUT_PRESSED,
    /// Waits for a release of the ability's input; the result has the time it was held.
    KN_TASK_INPUT_RELEASED,
    KN_TASK_CONFIRM,   ///< waits for the owner's confirm or cancel input
    KN_TASK_OVERLAP,   ///< waits for kn_host_overlap()
    KN_TASK_MOVEMENT,  ///< waits for kn_host_movement_mode() with `mode`, or any
    KN_TASK_ANIMATION, ///< plays `animation`
    /// Creates an entity, on the authority and on clients that predict creation
    /// (kn_world_def.own_entities).
    KN_TASK_SPAWN,
    KN_TASK_MOTION, ///< moves the owner by `motion` until it is over
    KN_TASK_STATE,  ///< a named part of the ability that lasts until it is ended
    /// A sync point: waits for the other side by `sync`, at most `timeout`; at once in a world that
    /// is alone, and for abilities that only one side runs. See docs/prediction.md.
    KN_TASK_NET_SYNC,
    KN_TASK_TARGET,     ///< looks for targets by `targeting` until they are confirmed
    KN_TASK_CUE,        ///< shows the cue `tag` until it ends
    KN_TASK_CUSTOM,     ///< a task of a registered type
    KN_TASK_KIND_COUNT, ///< number of the values above; not a value itself
} kn_task_kind;

/// What a task reports. Which of these a task can report depends on its kind.
typedef enum kn_task_output {
    KN_TASK_FIRED = 1, ///< what it waited for happened
    KN_TASK_FINISHED,  ///< nothing more will come: a motion or a state has ended
    KN_TASK_CONFIRMED, ///< KN_TASK_CONFIRM: the player confirmed
    KN_TASK_CANCELLED, ///< KN_TASK_CONFIRM, KN_TASK_TARGET: the player cancelled
    KN_TASK_BLEND_OUT, ///< KN_TASK_ANIMATION: the last part began
    KN_TASK_COMPLETED, ///< KN_TASK_ANIMATION: it was played to its end
    /// Another task claimed its resource, the host stopped the animation, or the owner of an
    /// animation or a motion got another body.
    KN_TASK_INTERRUPTED,
    KN_TASK_NOTIFY,              ///< KN_TASK_ANIMATION: a notify was reached, `tag`
    KN_TASK_TIMED_OUT,           ///< `timeout` passed first
    KN_TASK_GONE,                ///< what it watched is gone
    KN_TASK_CUSTOM_OUTPUT = 100, ///< from here on: outputs of custom tasks
} kn_task_output;

/// How thresholds of tasks and watches compare an attribute with a number.
typedef enum kn_compare {
    KN_COMPARE_LESS,          ///< the attribute is below the number
    KN_COMPARE_LESS_EQUAL,    ///< the attribute is at most the number
    KN_COMPARE_EQUAL,         ///< the attribute equals the number
    KN_COMPARE_NOT_EQUAL,     ///< the attribute differs from the number
    KN_COMPARE_GREATER_EQUAL, ///< the attribute is at least the number
    KN_COMPARE_GREATER,       ///< the attribute is above the number
    KN_COMPARE_COUNT,         ///< number of the values above; not a value itself
} kn_compare;

/// What happens when a task of the same owner already claims the same resource.
typedef enum kn_task_conflict {
    KN_TASK_CONFLICT_INTERRUPT, ///< the running task is interrupted
    KN_TASK_CONFLICT_REFUSE,    ///< the new task is refused with KN_REFUSED_EXCLUSIVE
    KN_TASK_CONFLICT_ALLOW,     ///< both run
    KN_TASK_CONFLICT_COUNT,     ///< number of the values above; not a value itself
} kn_task_conflict;

/// Who waits at a sync point. A client that reaches one on which the server waits signals it, and
/// kn_client sends that as a command.
typedef enum kn_sync_wait {
    /// The server waits for the client's signal; the client goes on at once. Both have then gone on
    /// at the same simulated time, if the signal came in time for its tick.
    KN_SYNC_SERVER_WAITS,
    /// The client waits until the server is known to have passed; the server goes on at once.
    KN_SYNC_CLIENT_WAITS,
    /// The server waits for the client's signal, the client until the server is known to have
    /// passed.
    KN_SYNC_BOTH_WAIT,
    KN_SYNC_WAIT_COUNT, ///< number of the values above; not a value itself
} kn_sync_wait;

/// What happens when nobody came to a sync point in time.
typedef enum kn_sync_expiry {
    KN_SYNC_CONTINUE,     ///< the task ends with KN_TASK_TIMED_OUT, and the ability goes on
    KN_SYNC_CANCEL,       ///< the activation ends as KN_ENDED_CANCELLED, cancelable or not
    KN_SYNC_EXPIRY_COUNT, ///< number of the values above; not a value itself
} kn_sync_expiry;

// Animations ----------------------------------------------------------------

/// A moment of an animation that is reported to the ability.
typedef struct kn_notify_def {
    float time; ///< seconds from the start of the animation, at rate 1
    /// Tag of the event that the owner and the ability receive at that moment; required.
    kn_tag tag;
} kn_notify_def;

/// A notify with nothing set: all zero.
KN_API kn_notify_def kn_notify_def_default(void);

/// A named part of an animation, at which it can be started.
typedef struct kn_section_def {
    kn_name name; ///< name of the section; required
    float start;  ///< seconds from the start of the animation, at rate 1
} kn_section_def;

/// A section with nothing set: all zero.
KN_API kn_section_def kn_section_def_default(void);

/// What the simulation needs to know about an animation. The host plays it, see KN_EVENT_ANIMATION.
typedef struct kn_animation_def {
    const char *name; ///< unique name; required
    float length;     ///< length in seconds, at rate 1; above 0
    /// Seconds before the end at which the animation begins to blend out, at rate 1; 0: it does
    /// not.
    float blend_out;
    const kn_section_def *sections; ///< named parts, at which the animation can be started
    uint32_t section_count;         ///< number of entries in `sections`
    const kn_notify_def *notifies;  ///< moments at which an event is sent, in order of time
    uint32_t notify_count;          ///< number of entries in `notifies`
    uint64_t user;   ///< 64 bits for the program, such as the number of an asset; default 0
    uint32_t cookie; ///< set by kn_animation_def_default(); do not change it
} kn_animation_def;

/// An animation def with nothing set.
KN_API kn_animation_def kn_animation_def_default(void);
/// Registers an animation.
/// @return KN_OK; KN_ERROR_BAD_DATA for a length, section or notify that makes no sense, or an
///         invalid name; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT
///         for a def without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_animation_register(
    kn_library *library, const kn_animation_def *def, kn_animation_id *animation, kn_error *error);
/// The animation with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_animation_id kn_animation_find(const kn_library *library, const char *name);
/// The name of an animation; "" for null. Valid as long as the library.
KN_API const char *kn_animation_name(const kn_library *library, kn_animation_id animation);
/// The def as registered; it belongs to the library. NULL when unknown.
KN_API const kn_animation_def *kn_animation_get_def(
    const kn_library *library, kn_animation_id animation);

// Starting ------------------------------------------------------------------

/// One task. Its kind says which fields matter. Start from kn_task_def_default().
typedef struct kn_task_def {
    kn_task_kind kind;    ///< what the task does or waits for
    kn_task_type_id type; ///< type of a custom task
    uint32_t label;       ///< number for the ability: returned with every result
    kn_name name;         ///< name to find the task by; may be null
    /// The entity to watch; null: the owner. An `effect` is watched on its target.
    kn_entity_id entity;
    bool repeats;  ///< the task goes on after a result; default false
    bool test_now; ///< inputs: one that is down already counts
    /// Time after which the task ends with KN_TASK_TIMED_OUT; 0: never, and for KN_TASK_NET_SYNC
    /// the library's `sync_timeout`.
    kn_time timeout;
    kn_tag resource;           ///< resource the task claims; null: none
    kn_task_conflict conflict; ///< what happens when another task claims the same resource

    kn_time delay;             ///< KN_TASK_DELAY: time to wait
    kn_time interval;          ///< KN_TASK_REPEAT: time between two results
    uint32_t count;            ///< KN_TASK_REPEAT: number of results; 0: forever
    kn_tag tag;                ///< the event, tag or cue concerned
    kn_tags tags;              ///< KN_TASK_ABILITY_*: tags of the ability to wait for; empty: any
    const kn_tag_query *query; ///< KN_TASK_TAG_QUERY: the query to match; copied
    bool when_false;           ///< KN_TASK_TAG_QUERY: waits until the query does not match
    kn_attribute_id attribute; ///< KN_TASK_ATTRIBUTE, KN_TASK_THRESHOLD: the attribute to watch
    /// KN_TASK_THRESHOLD: `value` is a share of this attribute; null: a number.
    kn_attribute_id relative_to;
    kn_compare compare; ///< KN_TASK_THRESHOLD: how the attribute is compared with `value`
    float value;        ///< KN_TASK_THRESHOLD: number to compare with
    kn_effect_type_id effect_type; ///< KN_TASK_EFFECT_*: the type of effect to wait for; null: any
    /// KN_TASK_EFFECT_REMOVED, _STACKS: the effect to watch; null: any of the type.
    kn_effect_id effect;
    uint32_t mode;             ///< KN_TASK_MOVEMENT: the movement mode to wait for; 0: any
    kn_animation_id animation; ///< KN_TASK_ANIMATION: the animation to play
    kn_name section;           ///< KN_TASK_ANIMATION: section to start at; null: the beginning
    float rate;                ///< KN_TASK_ANIMATION: speed, above 0; default 1
    kn_time start;             ///< KN_TASK_ANIMATION: where to begin within the animation
    /// KN_TASK_ANIMATION: nothing is reported after KN_TASK_BLEND_OUT.
    bool no_result_after_blend_out;
    uint64_t user;               ///< KN_TASK_SPAWN: the 64 bits for the host of the spawned entity
    kn_targeting_id targeting;   ///< KN_TASK_TARGET: how to find targets
    kn_confirm confirm;          ///< KN_TASK_TARGET: when targets are final
    const kn_motion_def *motion; ///< KN_TASK_MOTION: how to move the owner; copied
    /// KN_TASK_MOTION: where and how the motion begins; the time is filled in.
    kn_motion_start motion_start;
    kn_sync_wait sync; ///< KN_TASK_NET_SYNC: who waits; default the server
    kn_sync_expiry
        sync_expiry;     ///< KN_TASK_NET_SYNC: what happens after `timeout`; default continue
    const void *params;  ///< KN_TASK_CUSTOM: the first bytes of its state; copied
    uint32_t param_size; ///< KN_TASK_CUSTOM: bytes of `params`
    uint32_t cookie;     ///< set by kn_task_def_default(); do not change it
} kn_task_def;

/// A task of a kind, at rate 1, with nothing else set.
KN_API kn_task_def kn_task_def_default(kn_task_kind kind);

/// Creates a task. Nothing happens before kn_task_start(); a task that is never started is reported
/// at the end of the step (KN_EVENT_ERROR with KN_REFUSED_NOT_FOUND, and a warning).
/// @return KN_OK; KN_REFUSED_STALE_ID for an activation that is over or ending, or a stale
///         `entity`; KN_REFUSED_BLOCKED for an ability without instances, or a spawn on a client;
///         KN_REFUSED_EXCLUSIVE if the resource is claimed; KN_REFUSED_LIMIT at the world's
///         task_limit; KN_REFUSED_BAD_NUMBER for a number or motion that is out of range;
///         KN_REFUSED_REQUIREMENT for a tag that is not registered as a cue, or a way of confirming
///         that the targeting type does not support; KN_ERROR_INVALID_ARGUMENT for a def that makes
///         no sense; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_task_create(
    kn_world *world, kn_activation_id activation, const kn_task_def *def, kn_task_id *task);
/// Starts a task. If what it waits for is there already, the ability is notified after the running
/// hook, before the outermost call returns.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DUPLICATE if it was started before;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_task_start(kn_world *world, kn_task_id task);
/// Creates and starts a task. `task` may be NULL. Results as kn_task_create().
KN_API KN_MUST_USE kn_result kn_task_run(
    kn_world *world, kn_activation_id activation, const kn_task_def *def, kn_task_id *task);
/// Ends a task without a result; a KN_TASK_STATE reports KN_TASK_FINISHED.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_task_end(kn_world *world, kn_task_id task);
/// Sets the time until the timer of a task that waits fires: the end of a delay, the next result of
/// a repetition, which the others follow at its interval, the timer of a custom task, or else the
/// timeout of a task. 0 or less: at once, but not before the running hook returns. Such as a cast
/// that is pushed back.
/// @return KN_OK; KN_REFUSED_STALE_ID for a task that is gone or has reported its final result;
///         KN_REFUSED_NOT_FOUND for one that is not started, or has no timer; KN_REFUSED_BLOCKED
///         for animations and motions, which follow their own course; KN_REFUSED_BAD_NUMBER beyond
///         KN_TIME_MAX; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_task_set_remaining(kn_world *world, kn_task_id task, kn_time remaining);
/// Adds `delta`, which may be negative, to the time until the timer of a task fires. Results as
/// kn_task_set_remaining().
KN_API kn_result kn_task_add_remaining(kn_world *world, kn_task_id task, kn_time delta);
/// The first task of an activation with a name; null if there is none.
KN_API kn_task_id kn_task_find(const kn_world *world, kn_activation_id activation, kn_name name);

/// Runs a KN_TASK_DELAY. Results as kn_task_create().
KN_API kn_result kn_wait_delay(
    kn_world *world, kn_activation_id activation, uint32_t label, kn_time delay);
/// Runs a KN_TASK_EVENT on the owner. Results as kn_task_create().
KN_API kn_result kn_wait_event(
    kn_world *world, kn_activation_id activation, uint32_t label, kn_tag tag);
/// Runs a KN_TASK_INPUT_RELEASED. Results as kn_task_create().
KN_API kn_result kn_wait_input_release(
    kn_world *world, kn_activation_id activation, uint32_t label);

/// Runs a KN_TASK_NET_SYNC with the library's time limit. Results as kn_task_create().
KN_API kn_result kn_wait_sync(
    kn_world *world, kn_activation_id activation, uint32_t label, kn_sync_wait wait);

// Results -------------------------------------------------------------------

/// What a task reports to its ability. `kind` and `output` say which member of `data` is filled.
/// Valid during the hook.
struct kn_task_result {
    kn_task_id task;       ///< the task; stale if it has ended
    kn_task_kind kind;     ///< what the task does or waits for
    kn_task_output output; ///< what the task reports
    uint32_t label;        ///< number that the ability gave the task
    kn_name name;          ///< name of the task; null: none
    /// What belongs to the kind of the task.
    union {
        const kn_event_record *event; ///< KN_TASK_EVENT: the event; valid during the hook
        /// KN_TASK_TAG_ADDED, KN_TASK_TAG_REMOVED, KN_TASK_TAG_QUERY; KN_TASK_ANIMATION with
        /// KN_TASK_NOTIFY.
        struct {
            kn_tag tag;    ///< the tag that was waited for, or of the notify; null for a query
            bool is_there; ///< the tag is there, or the query matches
        } tag;
        /// KN_TASK_ATTRIBUTE, KN_TASK_THRESHOLD.
        struct {
            kn_attribute_id attribute; ///< the attribute that changed
            float old_value;           ///< current value before
            float new_value;           ///< current value now
        } attribute;
        /// KN_TASK_EFFECT_*.
        struct {
            kn_effect_id effect;      ///< the effect; may be stale already
            kn_effect_type_id type;   ///< the type of the effect
            uint32_t count;           ///< stack count now
            uint32_t old_count;       ///< stack count before
            kn_removal_reason reason; ///< KN_TASK_EFFECT_REMOVED: why it ended
        } effect;
        /// KN_TASK_ABILITY_*.
        struct {
            kn_ability_id ability;       ///< the other ability; may be stale already
            kn_activation_id activation; ///< the activation of that ability; may be stale already
            kn_end_reason reason;        ///< KN_TASK_ABILITY_ENDED: why it ended
            kn_entity_id instigator;     ///< KN_TASK_ABILITY_ENDED: who cancelled it; may be null
            kn_tag tag;                  ///< KN_TASK_ABILITY_ENDED: the tag of its kn_cancel
            float number;                ///< KN_TASK_ABILITY_ENDED: the number of its kn_cancel
        } ability;
        kn_time held; ///< KN_TASK_INPUT_*: time since the task began
        /// KN_TASK_REPEAT.
        struct {
            uint32_t index; ///< number of the result; the first is 1
            bool is_last;   ///< no result follows
        } repeat;
        kn_entity_id entity;    ///< KN_TASK_SPAWN, KN_TASK_OVERLAP: the spawned or touching entity
        uint32_t mode;          ///< KN_TASK_MOVEMENT: the new movement mode
        kn_target_view targets; ///< KN_TASK_TARGET: the targets; valid during the hook
        /// KN_TASK_CUSTOM: the bytes passed to kn_task_report(). Valid during the hook.
        struct {
            const void *data; ///< the bytes; NULL if there are none
            uint32_t size;    ///< number of bytes
        } custom;
    } data;
};

// Looking at tasks ----------------------------------------------------------

/// Everything worth knowing about a task.
typedef struct kn_task_info {
    kn_task_kind kind;           ///< what the task does or waits for
    kn_task_type_id type;        ///< type of a custom task; null for other kinds
    kn_activation_id activation; ///< the activation the task belongs to
    uint32_t label;              ///< number that the ability gave the task
    kn_name name;                ///< name of the task; null: none
    bool is_started;             ///< kn_task_start() was called
    kn_time start;               ///< simulated time at which it was started
    kn_time due; ///< simulated time at which its timer fires; KN_TIME_INFINITE for none
} kn_task_info;

/// Fills `info` for a task. False, and `info` unchanged, for a stale id.
KN_API bool kn_task_get(const kn_world *world, kn_task_id task, kn_task_info *info);
/// True until the task has ended.
KN_API bool kn_task_is_alive(const kn_world *world, kn_task_id task);
/// The tasks of an activation in order of creation. Returns how many there are; at most `capacity`
/// are written.
KN_API uint32_t kn_tasks(
    const kn_world *world, kn_activation_id activation, kn_task_id *out, uint32_t capacity);
/// Number of tasks of all activations in a world.
KN_API uint32_t kn_task_count(const kn_world *world);
/// The motion sources that move an entity now, oldest first, for kn_motion_combine(). Returns how
/// many there are; at most `capacity` are written.
KN_API uint32_t kn_motions(
    const kn_world *world, kn_entity_id entity, kn_motion_source *out, uint32_t capacity);

// What the host reports -----------------------------------------------------

/// Reports that `other` touches `entity`: rules, and tasks that wait for it, are notified.
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale `entity`; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_host_overlap(kn_world *world, kn_entity_id entity, kn_entity_id other);
/// Reports that the movement mode of an entity changed: it landed, fell, swims. Rules, and tasks
/// that wait for it, are notified.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_host_movement_mode(kn_world *world, kn_entity_id entity, uint32_t mode);
/// Reports that the host stopped the animations of an entity: their tasks end with
/// KN_TASK_INTERRUPTED.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_host_animation_stopped(kn_world *world, kn_entity_id entity);

// Tasks of your own ---------------------------------------------------------

/// Arguments passed to the hooks of a custom task. Valid during the call.
struct kn_task_call {
    kn_world *world;             ///< the world; may be changed
    void *user;                  ///< the `user` of the task type
    kn_task_id task;             ///< the task the hook is called for
    kn_activation_id activation; ///< the activation the task belongs to
    kn_ability_id ability;       ///< the ability that the activation runs
    kn_entity_id owner;          ///< the entity that has the ability
};

/// A type of custom task. Hooks are rules; each may be NULL.
typedef struct kn_task_type_def {
    const char *name; ///< unique name; required
    /// Bytes of state, at most 4096: plain data without pointers; `params` of the task come first.
    uint32_t state_size;
    /// The fields of the state, in order, covering all of it: it is saved and dumped by name. None:
    /// it is saved as raw bytes.
    const kn_field *state_fields;
    uint32_t state_field_count; ///< number of entries in `state_fields`
    /// Called when the task is started.
    void (*start)(const kn_task_call *call);
    /// Called when something it watches happened, see kn_task_watch().
    void (*woken)(const kn_task_call *call, const kn_reaction *reaction);
    /// Called when its timer fires, see kn_task_wait(). Returning a time above 0 fires it again
    /// after that span.
    kn_time (*timer)(const kn_task_call *call);
    /// Called when a sync point of kn_task_sync() is passed, or with false when its time was over.
    void (*synced)(const kn_task_call *call, bool is_in_time);
    /// Called when it ends, for whatever reason; its ability is still there. Calls that remove or
    /// rearrange wait until it has ended (docs/step-order.md, "A hook").
    void (*ended)(const kn_task_call *call);
    void *user;      ///< passed to every hook
    uint32_t cookie; ///< set by kn_task_type_def_default(); do not change it
} kn_task_type_def;

/// A task type def with nothing set.
KN_API kn_task_type_def kn_task_type_def_default(void);
/// Registers a type of custom task.
/// @return KN_OK; KN_ERROR_BAD_DATA for an invalid name, too much state, or fields that do not
///         cover it; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for a
///         def without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_task_type_register(
    kn_library *library, const kn_task_type_def *def, kn_task_type_id *type, kn_error *error);
/// The task type with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_task_type_id kn_task_type_find(const kn_library *library, const char *name);
/// The name of a task type; "" for null. Valid as long as the library.
KN_API const char *kn_task_type_name(const kn_library *library, kn_task_type_id type);
/// The def of a task type as registered; it belongs to the library. NULL when unknown.
KN_API const kn_task_type_def *kn_task_type_get_def(
    const kn_library *library, kn_task_type_id type);

/// The state of a custom task; NULL if it has none, and for other tasks. Valid until the next call
/// that may create something.
KN_API void *kn_task_state(kn_world *world, kn_task_id task);
/// The state of a custom task, for reading; NULL if it has none, and for other tasks. Valid until
/// the next call that may create something.
KN_API const void *kn_task_read_state(const kn_world *world, kn_task_id task);
/// Wakes a custom task whenever `trigger` happens to an entity. `what` is the number (index1) of
/// the tag, attribute or effect type to watch; 0: any.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for a task that is not custom, or
///         an unknown trigger; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_task_watch(
    kn_world *world, kn_task_id task, kn_entity_id entity, kn_trigger trigger, uint32_t what);
/// Sets the timer of a custom task; a delay below 0 stops it.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for a task that is not custom or
///         not started; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_task_wait(kn_world *world, kn_task_id task, kn_time delay);
/// Reaches a sync point in a custom task, as a KN_TASK_NET_SYNC is one: for tasks that have to meet
/// the other side before they go on. Its type's `synced` is called when the point is passed, after
/// the running hook at the earliest. A task is at one sync point at a time.
/// @param timeout time after which `synced` is called in any case; 0: the library's `sync_timeout`.
///                A task with a timeout of its own may end before
/// @return KN_OK; KN_REFUSED_STALE_ID for a task that is gone or has reported its final result;
///         KN_REFUSED_DUPLICATE if it is at a sync point already; KN_REFUSED_BAD_NUMBER for a
///         timeout below 0 or beyond KN_TIME_MAX; KN_ERROR_INVALID_ARGUMENT for a task that is not
///         custom or not started, or an unknown wait; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_task_sync(kn_world *world, kn_task_id task, kn_sync_wait wait, kn_time timeout);
/// Reports a result to the ability, after the running hook; with `ends` the task ends just before
/// that. The bytes, at most 4096, are copied.
/// @param output a kn_task_output, or KN_TASK_CUSTOM_OUTPUT and above
/// @return KN_OK; KN_REFUSED_STALE_ID for a task that is gone or has already reported its final
///         result; KN_ERROR_INVALID_ARGUMENT for output 0, too many bytes, or a targeting task: see
///         kn_target_provide(); KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_task_report(
    kn_world *world, kn_task_id task, uint32_t output, const void *data, uint32_t size, bool ends);

#ifdef __cplusplus
}
#endif

#endif
