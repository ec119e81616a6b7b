// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Tasks: what an activation does over time. A task waits for something and tells its ability
/// through the `task_done` hook; it ends with its activation at the latest. All of its state
/// belongs to the world, so that it survives snapshots, saves and rollbacks at any moment.
///
///   kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
///   def.delay = KN_MS(250);
///   def.label = FIRE;                                  // given back with every result
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

typedef enum kn_task_kind {
    KN_TASK_DELAY = 1,      ///< after `delay`
    KN_TASK_REPEAT,         ///< every `interval`, `count` times, first after one; 0: for ever
    KN_TASK_EVENT,          ///< an event with `tag` or below
    KN_TASK_TAG_ADDED,      ///< `tag` comes; at once if it is there
    KN_TASK_TAG_REMOVED,    ///< `tag` goes; at once if it is not there
    KN_TASK_TAG_QUERY,      ///< `query` becomes true, or false with `when_false`; at once if so
    KN_TASK_ATTRIBUTE,      ///< `attribute` changes
    KN_TASK_THRESHOLD,      ///< `attribute` comes to fulfil `compare` with `value`; at once if so
    KN_TASK_EFFECT_APPLIED, ///< an active effect of `effect_type`, or any
    KN_TASK_EFFECT_REMOVED, ///< `effect`, or one of `effect_type`; at once if `effect` is gone
    KN_TASK_EFFECT_STACKS,  ///< the count of `effect`, or of one of `effect_type`; KN_TASK_GONE
                            ///< when `effect` ends
    KN_TASK_ABILITY_ACTIVATED, ///< an ability with any of `tags`, or any, but not its own
    KN_TASK_ABILITY_COMMITTED,
    KN_TASK_ABILITY_ENDED,
    KN_TASK_INPUT_PRESSED,  ///< the input of its ability; at once with `test_now` if it is down
    KN_TASK_INPUT_RELEASED, ///< the same; the result has the time it was held
    KN_TASK_CONFIRM,        ///< the owner's confirm or cancel input
    KN_TASK_OVERLAP,        ///< kn_host_overlap()
    KN_TASK_MOVEMENT,       ///< kn_host_movement_mode(), `mode` or any
    KN_TASK_ANIMATION,      ///< plays `animation`
    KN_TASK_SPAWN,          ///< creates an entity, on the authority only
    KN_TASK_MOTION,         ///< moves the owner by `motion` until it is over
    KN_TASK_STATE,          ///< a named part of the ability, until it is ended by name or otherwise
    KN_TASK_NET_SYNC,       ///< a point at which server and client meet
    KN_TASK_TARGET,         ///< looks for targets by `targeting` until they are confirmed
    KN_TASK_CUE,            ///< shows the cue `tag` until it ends
    KN_TASK_CUSTOM,         ///< a registered task
    KN_TASK_KIND_COUNT,
} kn_task_kind;

/// What happened. Which of these a task can tell is said at its kind.
typedef enum kn_task_output {
    KN_TASK_FIRED = 1,           ///< what it waited for
    KN_TASK_FINISHED,            ///< nothing more will come: the end of a motion or a state
    KN_TASK_CONFIRMED,           ///< KN_TASK_CONFIRM
    KN_TASK_CANCELLED,           ///< KN_TASK_CONFIRM
    KN_TASK_BLEND_OUT,           ///< KN_TASK_ANIMATION: the last part began
    KN_TASK_COMPLETED,           ///< KN_TASK_ANIMATION
    KN_TASK_INTERRUPTED,         ///< another task took its resource; the host stopped the animation
    KN_TASK_NOTIFY,              ///< KN_TASK_ANIMATION: a notify, `tag`
    KN_TASK_TIMED_OUT,           ///< `timeout` passed first
    KN_TASK_GONE,                ///< what or whom it watched is not there any more
    KN_TASK_CUSTOM_OUTPUT = 100, ///< from here on: of custom tasks
} kn_task_output;

typedef enum kn_compare {
    KN_COMPARE_LESS,
    KN_COMPARE_LESS_EQUAL,
    KN_COMPARE_EQUAL,
    KN_COMPARE_NOT_EQUAL,
    KN_COMPARE_GREATER_EQUAL,
    KN_COMPARE_GREATER,
    KN_COMPARE_COUNT,
} kn_compare;

/// What becomes of a running task of the same owner that claims the same resource.
typedef enum kn_task_overlap {
    KN_OVERLAP_INTERRUPT, ///< it is interrupted
    KN_OVERLAP_REFUSE,    ///< the new one is refused with KN_REFUSED_EXCLUSIVE
    KN_OVERLAP_ALLOW,
    KN_OVERLAP_COUNT,
} kn_task_overlap;

// Animations ----------------------------------------------------------------

/// A moment of an animation that the ability hears of.
typedef struct kn_notify_def {
    float time; ///< seconds at rate 1
    kn_tag tag; ///< sent to the owner as an event, and told to the ability
} kn_notify_def;

KN_API kn_notify_def kn_notify_def_default(void);

typedef struct kn_section_def {
    kn_name name;
    float start; ///< seconds at rate 1
} kn_section_def;

KN_API kn_section_def kn_section_def_default(void);

/// What the simulation has to know of an animation. The host plays it, see KN_EVENT_ANIMATION.
typedef struct kn_animation_def {
    const char *name; ///< required, unique
    float length;     ///< seconds at rate 1, above 0
    float blend_out;  ///< so long before the end, the last part begins
    const kn_section_def *sections;
    uint32_t section_count;
    const kn_notify_def *notifies; ///< in order of time
    uint32_t notify_count;
    uint64_t user; ///< for the host
    uint32_t cookie;
} kn_animation_def;

KN_API kn_animation_def kn_animation_def_default(void);
KN_API KN_MUST_USE kn_result kn_animation_register(
    kn_library *library, const kn_animation_def *def, kn_animation_id *animation, kn_error *error);
KN_API kn_animation_id kn_animation_find(const kn_library *library, const char *name);
KN_API const kn_animation_def *kn_animation_get_def(
    const kn_library *library, kn_animation_id animation);

// Starting ------------------------------------------------------------------

/// One task. Which fields matter is said at its kind; start from kn_task_def_default().
typedef struct kn_task_def {
    kn_task_kind kind;
    kn_task_type_id type; ///< KN_TASK_CUSTOM
    uint32_t label;       ///< for the ability: comes back with every result
    kn_name name;         ///< to find it by; may be null
    kn_entity_id entity;  ///< whom it watches; null: the owner. An `effect` is watched where it is
    bool repeats;         ///< goes on after a result; default false
    bool test_now;        ///< for inputs: an input that is down already counts
    kn_time timeout;      ///< KN_TASK_TIMED_OUT after so long; 0: never
    kn_tag resource;      ///< what it claims; null: nothing
    kn_task_overlap overlap;

    kn_time delay;
    kn_time interval;
    uint32_t count;
    kn_tag tag;
    kn_tags tags;
    const kn_tag_query *query;
    bool when_false;
    kn_attribute_id attribute;
    kn_attribute_id relative_to; ///< `value` is a share of this attribute
    kn_compare compare;
    float value;
    kn_effect_type_id effect_type;
    kn_effect_id effect;
    uint32_t mode;
    kn_animation_id animation;
    kn_name section;
    float rate;    ///< of the animation, default 1
    kn_time start; ///< of the animation
    bool no_result_after_blend_out;
    uint64_t user; ///< of the spawned entity
    kn_targeting_id targeting;
    kn_confirm confirm;
    const kn_motion_def *motion;
    kn_motion_start motion_start; ///< where and how it begins; the time is filled in
    const void *params;           ///< KN_TASK_CUSTOM: the first bytes of its state
    uint32_t param_size;
    uint32_t cookie;
} kn_task_def;

KN_API kn_task_def kn_task_def_default(kn_task_kind kind);

/// Makes a task. Nothing happens before kn_task_start(); what is never started is reported at the
/// end of the step (KN_EVENT_ERROR with KN_REFUSED_NOT_FOUND, and a warning).
/// @return KN_OK; KN_REFUSED_STALE_ID for an activation that is over or ending; KN_REFUSED_BLOCKED
///         for an ability without instances; KN_REFUSED_EXCLUSIVE; KN_REFUSED_LIMIT at the world's
///         task_limit; KN_REFUSED_BAD_NUMBER; KN_ERROR_INVALID_ARGUMENT for a def that makes no
///         sense
KN_API KN_MUST_USE kn_result kn_task_create(
    kn_world *world, kn_activation_id activation, const kn_task_def *def, kn_task_id *task);
/// Starts a task, once. What it waits for may be there: then the ability is told after the running
/// hook, before the outermost call returns.
KN_API kn_result kn_task_start(kn_world *world, kn_task_id task);
/// Both. `task` may be NULL.
KN_API KN_MUST_USE kn_result kn_task_run(
    kn_world *world, kn_activation_id activation, const kn_task_def *def, kn_task_id *task);
/// Ends a task without a result.
KN_API kn_result kn_task_end(kn_world *world, kn_task_id task);
/// The first task of an activation with a name; null if there is none.
KN_API kn_task_id kn_task_find(const kn_world *world, kn_activation_id activation, kn_name name);

/// The shorthands for the most common ones.
KN_API kn_result kn_wait_delay(
    kn_world *world, kn_activation_id activation, uint32_t label, kn_time delay);
KN_API kn_result kn_wait_event(
    kn_world *world, kn_activation_id activation, uint32_t label, kn_tag tag);
KN_API kn_result kn_wait_input_release(
    kn_world *world, kn_activation_id activation, uint32_t label);

// Results -------------------------------------------------------------------

/// What a task tells its ability. `kind` and `output` say which member of `data` is filled.
struct kn_task_result {
    kn_task_id task; ///< may be over already
    kn_task_kind kind;
    kn_task_output output;
    uint32_t label;
    kn_name name;
    union {
        const kn_event_record *event; ///< EVENT; valid during the hook
        struct {
            kn_tag tag;
            bool is_there;
        } tag; ///< TAG_ADDED, TAG_REMOVED, TAG_QUERY, ANIMATION with KN_TASK_NOTIFY
        struct {
            kn_attribute_id attribute;
            float old_value;
            float new_value;
        } attribute; ///< ATTRIBUTE, THRESHOLD
        struct {
            kn_effect_id effect; ///< may be stale
            kn_effect_type_id type;
            uint32_t count;
            uint32_t old_count;
            kn_removal_reason reason;
        } effect; ///< EFFECT_*
        struct {
            kn_ability_id ability; ///< may be stale
            kn_activation_id activation;
            kn_end_reason reason;
        } ability;    ///< ABILITY_*
        kn_time held; ///< INPUT_*: since the task began
        struct {
            uint32_t index; ///< 1 for the first
            bool is_last;
        } repeat;
        kn_entity_id entity;    ///< SPAWN, OVERLAP: whom
        uint32_t mode;          ///< MOVEMENT
        kn_target_view targets; ///< TARGET; valid during the hook
        struct {
            const void *data;
            uint32_t size;
        } custom; ///< of custom tasks; valid during the hook
    } data;
};

// Looking at tasks ----------------------------------------------------------

typedef struct kn_task_info {
    kn_task_kind kind;
    kn_task_type_id type;
    kn_activation_id activation;
    uint32_t label;
    kn_name name;
    bool is_started;
    kn_time start;
    kn_time due; ///< of its timer; KN_TIME_INFINITE for none
} kn_task_info;

KN_API bool kn_task_get(const kn_world *world, kn_task_id task, kn_task_info *info);
KN_API bool kn_task_is_alive(const kn_world *world, kn_task_id task);
/// Tasks of an activation in order of creation; returns how many there are.
KN_API uint32_t kn_tasks(
    const kn_world *world, kn_activation_id activation, kn_task_id *out, uint32_t capacity);
/// Of all activations.
KN_API uint32_t kn_task_count(const kn_world *world);
/// The motion sources that move an entity now, oldest first, for kn_motion_combine(). Returns how
/// many there are.
KN_API uint32_t kn_motions(
    const kn_world *world, kn_entity_id entity, kn_motion_source *out, uint32_t capacity);

// What the host tells -------------------------------------------------------

/// Two entities touch: tasks of `entity` that wait for it are woken.
KN_API kn_result kn_host_overlap(kn_world *world, kn_entity_id entity, kn_entity_id other);
/// The movement mode of an entity changed: it landed, fell, swims.
KN_API kn_result kn_host_movement_mode(kn_world *world, kn_entity_id entity, uint32_t mode);
/// The host stopped the animations of an entity.
KN_API kn_result kn_host_animation_stopped(kn_world *world, kn_entity_id entity);

// Tasks of your own ---------------------------------------------------------

struct kn_task_call {
    kn_world *world;
    void *user;
    kn_task_id task;
    kn_activation_id activation;
    kn_ability_id ability;
    kn_entity_id owner;
};

/// A task of your own. Hooks are rules; each may be NULL.
typedef struct kn_task_type_def {
    const char *name;    ///< required, unique
    uint32_t state_size; ///< plain bytes, at most 4096; `params` of the def are copied to its front
    /// What the state holds, byte for byte, as the fields of a component do; saved and dumped by
    /// name. None: saved as the bytes lie.
    const kn_field *state_fields;
    uint32_t state_field_count;
    void (*start)(const kn_task_call *call);
    /// Something it watches happened, see kn_task_watch().
    void (*woken)(const kn_task_call *call, const kn_reaction *reaction);
    /// Its timer is up, see kn_task_wait(). Above 0: again after that span.
    kn_time (*timer)(const kn_task_call *call);
    /// It ends, for whatever reason; its ability is still there. Calls that take away or rearrange
    /// wait until it has ended (docs/step-order.md, "A hook").
    void (*ended)(const kn_task_call *call);
    void *user;
    uint32_t cookie;
} kn_task_type_def;

KN_API kn_task_type_def kn_task_type_def_default(void);
KN_API KN_MUST_USE kn_result kn_task_type_register(
    kn_library *library, const kn_task_type_def *def, kn_task_type_id *type, kn_error *error);
KN_API kn_task_type_id kn_task_type_find(const kn_library *library, const char *name);

/// The state of a custom task; NULL if it has none. Valid until the next call that may create
/// something.
KN_API void *kn_task_state(kn_world *world, kn_task_id task);
/// Wakes the task when `trigger` happens to an entity: a tag, attribute or effect type by number, 0
/// for any.
KN_API kn_result kn_task_watch(
    kn_world *world, kn_task_id task, kn_entity_id entity, kn_trigger trigger, uint32_t what);
/// Sets the timer; below 0 stops it.
KN_API kn_result kn_task_wait(kn_world *world, kn_task_id task, kn_time delay);
/// Tells the ability, after the running hook; `ends` ends the task as well, just before that. The
/// bytes, at most 4096, are copied. KN_REFUSED_STALE_ID for a task that has told its last;
/// KN_ERROR_INVALID_ARGUMENT for a targeting task: see kn_target_provide().
KN_API kn_result kn_task_tell(
    kn_world *world, kn_task_id task, uint32_t output, const void *data, uint32_t size, bool ends);

#ifdef __cplusplus
}
#endif

#endif
