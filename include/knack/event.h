// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Two things called events, and how they hang together.
///
/// **Records** (kn_event_record) run through the pipeline modify -> gate -> apply -> notify while
/// the simulation runs: a hit, an interrupt, an effect being applied. Effects bring modifiers and
/// gates (immunity, restrictions) that act on them.
///
/// **Events** (kn_event) tell observers what happened. They are collected in order and handed out
/// after the step; see kn_world_events() and kn_listener_add(). Observers change nothing.
#ifndef KNACK_EVENT_H
#define KNACK_EVENT_H

#include "knack/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_world kn_world;
typedef struct kn_spec_view kn_spec_view;

// Causes --------------------------------------------------------------------

/// Why something happens. 0 is "the host asked for it". Valid until the step after next.
typedef uint32_t kn_cause;

typedef enum kn_cause_kind {
    KN_CAUSE_HOST,      ///< a call from outside the simulation
    KN_CAUSE_APPLY,     ///< an effect being applied
    KN_CAUSE_TICK,      ///< a periodic effect executing
    KN_CAUSE_EXPIRE,    ///< an effect running out
    KN_CAUSE_REMOVE,    ///< an effect being removed
    KN_CAUSE_CHILD,     ///< an effect started by another
    KN_CAUSE_TAG,       ///< a tag came or went
    KN_CAUSE_ATTRIBUTE, ///< an attribute changed
    KN_CAUSE_RULE,      ///< a rule reacting
    KN_CAUSE_EVENT,     ///< an event record being run or sent
    KN_CAUSE_TIMER,     ///< a timer firing
    KN_CAUSE_DESTROY,   ///< an entity being destroyed
    KN_CAUSE_ABILITY,   ///< an ability being activated
    KN_CAUSE_END,       ///< an activation ending
    KN_CAUSE_TASK,      ///< a task
} kn_cause_kind;

/// One link of a chain of causes. The chain of what a timer of an effect does, a tick or an expiry,
/// leads on to its application, however long ago that was: who applied it and, if the effect's
/// context names one that is still there, by which ability.
typedef struct kn_cause_info {
    kn_cause parent; ///< 0 at the root
    kn_cause_kind kind;
    uint32_t depth;      ///< links before it in the running step; 0 for what began there
    kn_entity_id entity; ///< whom it happens to; of abilities: the owner
    kn_effect_id effect;
    kn_effect_type_id type;
    kn_entity_id source; ///< KN_CAUSE_APPLY, and of timers of effects: who applied it; may be null
    kn_tag tag;
    kn_ability_type_id ability; ///< KN_CAUSE_ABILITY, _END, _TASK
} kn_cause_info;

/// Looks up a cause of the last published or the running step. False when it is too old.
KN_API bool kn_cause_get(const kn_world *world, kn_cause cause, kn_cause_info *info);
/// "tick of Burn #12 on entity 3 <- Burn applied by entity 1 on entity 3 <- Fireball on entity 1 <-
/// host". Returns the full length.
KN_API uint32_t kn_cause_print(const kn_world *world, kn_cause cause, char *text, uint32_t size);

// What observers get --------------------------------------------------------

typedef enum kn_event_type {
    KN_EVENT_ENTITY_CREATED,
    KN_EVENT_ENTITY_DESTROYED,
    KN_EVENT_AVATAR_CHANGED,        ///< `avatar`
    KN_EVENT_OWNER_CHANGED,         ///< `avatar`: the group owner
    KN_EVENT_TAG_COUNT,             ///< `tag`: every change of a count
    KN_EVENT_TAG_CHANGED,           ///< `tag`: came (count > 0) or went (0)
    KN_EVENT_ATTRIBUTE_CHANGED,     ///< `attribute`
    KN_EVENT_ATTRIBUTE_INITIALISED, ///< `attribute`
    KN_EVENT_SET_ADDED,             ///< `set`
    KN_EVENT_SET_REMOVED,           ///< `set`; after changes of what modifiers gave its attributes
    KN_EVENT_EFFECT_APPLIED,        ///< `effect`: an active effect began
    KN_EVENT_EFFECT_EXECUTED,       ///< `effect`: instant effect or tick (if the world wants them);
                                    ///< `old_count` is the index of the tick
    KN_EVENT_EFFECT_REMOVED,        ///< `effect`, with a reason
    KN_EVENT_EFFECT_STACKS,       ///< `effect`, old and new count; equal for a further application
                                  ///< that changed neither count nor time, as at the limit
    KN_EVENT_EFFECT_STACK_DENIED, ///< `effect`; once per effect and step
    KN_EVENT_EFFECT_INHIBITED,    ///< `effect`: count 0 switched off, 1 on again
    KN_EVENT_EFFECT_TIME,         ///< `effect`: its duration changed
    KN_EVENT_EFFECT_BLOCKED,      ///< `effect`: a gate refused it; `by` says which effect's gate
    KN_EVENT_EFFECT_PART_BLOCKED, ///< `effect`: one modifier or execution was void; count = index
    KN_EVENT_EFFECT_REFUSED,      ///< `refusal`: an application was refused, a child's too; after
                                  ///< KN_EVENT_EFFECT_BLOCKED and _STACK_DENIED
    KN_EVENT_RESTRICTED,          ///< `record`: a gate refused an event record
    KN_EVENT_RECORD,              ///< `record`: an event record was applied, or sent
    KN_EVENT_CUE,                 ///< `cue`, see cue.h
    KN_EVENT_ERROR,               ///< `error`
    KN_EVENT_ABILITY_GRANTED,     ///< `ability`
    KN_EVENT_ABILITY_CHANGED,     ///< `ability`: level, input, tags or number of grants
    KN_EVENT_ABILITY_REMOVED,     ///< `ability`
    KN_EVENT_ABILITY_ACTIVATED,   ///< `ability`; always before it ends
    KN_EVENT_ABILITY_CONFIRMED,   ///< `ability`: the server has confirmed what was predicted
    KN_EVENT_ABILITY_COMMITTED,   ///< `ability`
    KN_EVENT_ABILITY_ENDED,       ///< `ability`, with a reason
    KN_EVENT_ABILITY_FAILED,      ///< `ability`: refused, `reasons` says why; with an activation,
                                  ///< its commit was
    KN_EVENT_ABILITY_STATUS,      ///< `ability`: kn_ability_status() changed (if wanted)
    KN_EVENT_CHARGES,             ///< `charges`: number of charges, or the cycle, changed
    KN_EVENT_ANIMATION,           ///< `animation`: the host plays or stops one
    KN_EVENT_MOTION,              ///< `motion`: a source began or ended; see kn_motions()
    KN_EVENT_REQUEST,             ///< `request`: what a client has to tell the server
    KN_EVENT_RETICLE,             ///< `reticle`: what a targeting task sees became valid or not
    KN_EVENT_TYPE_COUNT,
} kn_event_type;

/// Why an effect, or a stack of it, ended. One list for all profiles.
typedef enum kn_removal_reason {
    KN_REMOVED_EXPIRED = 1,  ///< its time was up
    KN_REMOVED_BY_CALL,      ///< game code removed it
    KN_REMOVED_DISPELLED,    ///< game code removed it as a dispel
    KN_REMOVED_BY_EFFECT,    ///< another effect removes effects with its tags
    KN_REMOVED_OVERWRITTEN,  ///< an exclusive group or a take-over replaced it
    KN_REMOVED_REQUIREMENT,  ///< a removal requirement was met
    KN_REMOVED_TARGET_DIED,  ///< its target was destroyed
    KN_REMOVED_SOURCE_GONE,  ///< its source was destroyed and it ends with it
    KN_REMOVED_PARENT_ENDED, ///< the effect that started it ended
    KN_REMOVED_CHARGES_USED,
    KN_REMOVED_STACK_CLEARED, ///< overflow cleared the stack
    KN_REMOVED_SHORTENED,     ///< its remaining time was set to 0 or less
    KN_REMOVED_MISPREDICTED,
    KN_REMOVED_RULE, ///< its own hook asked for it
    KN_REMOVAL_REASON_COUNT,
} kn_removal_reason;

/// The words of the enum, "by call"; in scripts with `_` for blanks, in scenarios either way.
KN_API const char *kn_removal_reason_name(kn_removal_reason reason);
/// True for every reason but KN_REMOVED_EXPIRED.
static inline bool kn_removal_is_premature(kn_removal_reason reason)
{
    return reason != KN_REMOVED_EXPIRED;
}

typedef enum kn_cue_action {
    KN_CUE_ADDED,    ///< an effect with the cue became active
    KN_CUE_EXECUTED, ///< instant effect or tick
    KN_CUE_UPDATED,  ///< stacks, level or magnitude changed; once per effect, at the end of a step
    KN_CUE_REMOVED,
} kn_cue_action;

/// What went wrong while rules ran. The world goes on.
typedef struct kn_event_error {
    kn_result code;
    uint32_t detail;        ///< of a script: the line; else by the code
    kn_effect_type_id type; ///< where; null ids: nowhere in particular
    kn_attribute_id attribute;
    kn_ability_type_id ability;
} kn_event_error;

/// One thing that happened. `type` says which member of `data` is filled.
typedef struct kn_event {
    kn_event_type type;
    kn_cause cause;
    kn_time time;
    kn_entity_id entity; ///< whom it happened to
    union {
        struct {
            kn_tag tag;
            uint32_t count;     ///< new count
            uint32_t old_count; ///< old count
        } tag;
        struct {
            kn_attribute_id attribute;
            uint32_t key;
            float old_value;
            float new_value;
            kn_effect_id effect; ///< the effect that changed it, null for none or an instant one
        } attribute;
        struct {
            kn_attribute_set_id set;
            uint32_t key;
        } set;
        struct {
            kn_effect_id effect; ///< may be stale already; null for instant effects
            kn_effect_type_id type;
            uint32_t count;     ///< stacks; see the event type
            uint32_t old_count; ///< stacks before
            kn_removal_reason reason;
            kn_entity_id source; ///< who applied it; may be stale already, null for none
            union {
                kn_effect_id by; ///< KN_EVENT_EFFECT_BLOCKED, _PART_BLOCKED: whose gate
                float level;     ///< all other events: of the effect
            };
        } effect;
        /// The first reason, as kn_effect_refusal has it; `entity` is the target.
        struct {
            kn_effect_type_id type;
            kn_result reason;
            kn_entity_id source;
            kn_effect_id by; ///< whose gate, whose stack, or the stronger one
            kn_tag tag;
            kn_attribute_id attribute;
            kn_name parameter;
            uint8_t from; ///< kn_capture_from: whose tag, attribute or gate
            bool is_there, is_removal;
        } refusal;
        struct {
            kn_event_kind_id kind;
            kn_tag tag;
            kn_entity_id instigator;
            float magnitude;
            kn_effect_id by; ///< KN_EVENT_RESTRICTED: whose gate
        } record;
        struct {
            kn_tag tag;
            kn_cue_action action;
            kn_effect_id effect; ///< null for instant effects
            kn_effect_type_id type;
            float magnitude;
            bool interrupted;
            uint32_t params1; ///< see kn_cue_event_params()
        } cue;
        struct {
            kn_entity_id avatar;
            kn_entity_id old_avatar;
        } avatar;
        struct {
            kn_ability_id ability; ///< may be stale already
            kn_ability_type_id type;
            kn_activation_id activation;
            uint32_t reasons;    ///< kn_fail bits
            uint32_t end_reason; ///< kn_end_reason
            uint32_t tags1;      ///< see kn_ability_event_tags()
        } ability;
        struct {
            kn_animation_id animation;
            kn_task_id task;
            bool plays; ///< else it stops
            float rate;
            kn_time start;   ///< within the animation
            kn_name section; ///< null: none
        } animation;
        struct {
            kn_task_id task;
            bool begins;
        } motion;
        struct {
            kn_ability_id ability; ///< may be stale already
            kn_activation_id activation;
            uint32_t parts;   ///< kn_request_part bits, to be carried out in their order
            uint32_t offset1; ///< see kn_request_targets()
            uint32_t size;
            bool is_pressed; ///< its input, when it was activated
        } request;
        struct {
            kn_task_id task;
            kn_entity_id target;
            bool is_valid;
            bool is_entity;
        } reticle;
        struct {
            kn_ability_id ability; ///< null for a shared cooldown
            kn_tag key;
            uint32_t charges;
            uint32_t old_charges;
            kn_time end; ///< of the running cycle; KN_TIME_INFINITE for none
        } charges;
        kn_event_error error;
    } data;
} kn_event;

/// A view of events in the order they happened.
typedef struct kn_events {
    const kn_event *data;
    uint32_t count;
} kn_events;

/// What happened up to the end of the last step, since the end of the one before. Valid until the
/// next step. kn_world_step(world, 0) publishes what calls between steps did.
KN_API kn_events kn_world_events(const kn_world *world);
/// For rules: tells that something went wrong, as a KN_EVENT_ERROR. Not part of the state, so it
/// must come from the state alone: every machine has to report the same.
/// @param entity may be null
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_world_report(kn_world *world, kn_entity_id entity, const kn_event_error *error);
/// One event as a line of text, such as "1.250 s  entity 3  Vitals.Health 100 -> 92  (tick of
/// Burn)". Returns the full length.
KN_API uint32_t kn_event_print(
    const kn_world *world, const kn_event *event, char *text, uint32_t size);
KN_API const char *kn_event_type_name(kn_event_type type);

// Listeners -----------------------------------------------------------------

/// Called after the step, once per matching event, in the order of the events; listeners of one
/// event in order of registration, KN_EVENT_TAG_COUNT before KN_EVENT_TAG_CHANGED. May add and
/// remove listeners (new ones hear later events only) and call the API.
typedef void kn_listener_fn(void *user, kn_world *world, const kn_event *event);

/// Which events a listener wants. Null ids mean "any".
typedef struct kn_listener_def {
    kn_event_type type;
    kn_entity_id entity; ///< whom it happens to
    kn_tag tag;          ///< tag events and records: this tag exactly, or below for records
    kn_attribute_id attribute;
    kn_effect_type_id effect_type;
    kn_effect_id effect;
    kn_ability_type_id ability_type;
    kn_ability_id ability;
    kn_entity_id owner; ///< the listener dies with this entity; null: lives until removed
    kn_listener_fn *function;
    void *user;
    uint32_t cookie;
} kn_listener_def;

KN_API kn_listener_def kn_listener_def_default(void);
/// Listeners are not state: they survive restore and are not saved.
KN_API KN_MUST_USE kn_result kn_listener_add(
    kn_world *world, const kn_listener_def *def, kn_listener_id *listener);
/// False if it is gone already.
KN_API bool kn_listener_remove(kn_world *world, kn_listener_id listener);
KN_API uint32_t kn_listener_count(const kn_world *world);

// Records and the pipeline --------------------------------------------------

/// Something that is about to happen, or is told to rules. Tags describe it; numbers beyond
/// `magnitude` travel as values.
typedef struct kn_event_record {
    kn_event_kind_id kind;
    kn_tags tags; ///< school, hit style ...; at most KN_TAG_SET_MAX
    kn_entity_id instigator;
    kn_entity_id target;
    float magnitude;
    uint64_t object;            ///< for the host: weapon, projectile
    uint64_t object2;           ///< for the host
    const kn_spec_view *effect; ///< the effect it comes from; NULL for none; not kept
    kn_tag tag;                 ///< of an event that was sent: for those who receive it
    /// Tags of instigator and target that abilities test; with the flag unset, those they have.
    bool has_instigator_tags, has_target_tags;
    kn_tags instigator_tags;
    kn_tags target_tags;
    const void *data; ///< target data, see target.h; may be NULL
    uint32_t data_size;
    bool ignore_modifiers;
    bool ignore_gates;
    uint32_t cookie;
} kn_event_record;

KN_API kn_event_record kn_event_record_default(void);

/// A record that has been run.
typedef struct kn_event_outcome {
    kn_result result; ///< KN_OK or KN_REFUSED_BLOCKED
    float magnitude;  ///< after modifiers
    kn_effect_id blocked_by;
} kn_event_outcome;

/// A transient value: takes its base and an event record at evaluation. Effects put modifiers on
/// it.
typedef struct kn_value_def {
    const char *name;         ///< required, unique: "CastLength"
    kn_value_profile profile; ///< default kn_value_profile_combat()
    bool has_min, has_max;
    float min, max;
    kn_rounding rounding;
    bool minimum_one;
    bool context_free; ///< something cached depends on it: modifiers with conditions are refused
    kn_attribute_id factor; ///< this attribute of the entity joins as one factor; absent means 1
    uint32_t cookie;
} kn_value_def;

KN_API kn_value_def kn_value_def_default(void);
KN_API KN_MUST_USE kn_result kn_value_register(
    kn_library *library, const kn_value_def *def, kn_value_id *value, kn_error *error);
KN_API kn_value_id kn_value_find(const kn_library *library, const char *name);
KN_API const char *kn_value_name(const kn_library *library, kn_value_id value);

/// Evaluates a transient value of an entity. Pure; good for previews. `record` may be NULL: then
/// modifiers that need one do not take part. `is_static` leaves out all modifiers, not the limits.
KN_API float kn_value_evaluate(const kn_world *world, kn_entity_id entity, kn_value_id value,
    float base, const kn_event_record *record, bool is_static);

/// A modifier that a condition found.
typedef struct kn_condition_answer {
    kn_op op;        ///< on entry: of the modifier's def
    float magnitude; ///< on entry: of the modifier's def
} kn_condition_answer;

/// Looks at a record and says whether its modifier applies, and may change operation and
/// magnitude. Also the predicate of gates. Pure. A magnitude that is NaN or infinite counts as
/// "does not apply" and is reported once.
typedef bool kn_condition_fn(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer);
KN_API KN_MUST_USE kn_result kn_condition_register(kn_library *library, const char *name,
    kn_condition_fn *function, void *user, kn_condition_id *condition, kn_error *error);
/// A condition as an expression (docs/expressions.md), such as
/// `event.tag(School.Fire) and event.magnitude > 50`: it holds unless the result is 0, and leaves
/// operation and magnitude as they are. It does not hold when an attribute is absent and has no
/// default, nor for a bad number, which is reported once.
KN_API KN_MUST_USE kn_result kn_condition_register_expression(kn_library *library, const char *name,
    const char *expression, kn_condition_id *condition, kn_error *error);

/// Carries out a record that passed its gates. A rule: may change the world; calls that take away
/// or rearrange wait until the record has been published (docs/step-order.md, "A hook").
typedef void kn_event_apply_fn(
    void *user, kn_world *world, const kn_event_record *record, float magnitude);

/// A kind of event. kn_event_kind_effect_application() is predefined.
typedef struct kn_event_kind_def {
    const char *name;         ///< required, unique: "Damage"
    kn_tag tag;               ///< rules and listeners find it by this; may be null
    kn_value_id outgoing;     ///< modifiers of the instigator; null: none
    kn_value_id incoming;     ///< modifiers of the target, on the outgoing result; null: none
    bool restrictable;        ///< default true
    bool gate_sees_final;     ///< gates see the modified magnitude; default true
    kn_event_apply_fn *apply; ///< may be NULL
    void *user;
    uint32_t cookie;
} kn_event_kind_def;

/// The kind every effect application has: restrictable, not modifiable, gated before magnitudes.
static inline kn_event_kind_id kn_event_kind_effect_application(void)
{
    kn_event_kind_id kind = {1};
    return kind;
}

KN_API kn_event_kind_def kn_event_kind_def_default(void);
KN_API KN_MUST_USE kn_result kn_event_kind_register(
    kn_library *library, const kn_event_kind_def *def, kn_event_kind_id *kind, kn_error *error);
KN_API kn_event_kind_id kn_event_kind_find(const kn_library *library, const char *name);
KN_API const char *kn_event_kind_name(const kn_library *library, kn_event_kind_id kind);

/// Runs a record: outgoing modifiers of the instigator, incoming ones of the target, gates of the
/// instigator and the target, apply, notify. A vetoed record changes nothing.
/// @return KN_OK, KN_REFUSED_BLOCKED, KN_REFUSED_STALE_ID for a stale target,
///         KN_REFUSED_BAD_NUMBER, or an error
KN_API kn_result kn_event_run(
    kn_world *world, const kn_event_record *record, kn_event_outcome *outcome);
/// Which gates would veto the record now; changes nothing. Returns how many there are.
KN_API uint32_t kn_event_vetoes(
    const kn_world *world, const kn_event_record *record, kn_effect_id *out, uint32_t capacity);
/// Tells rules and listeners of `tag` and its parents about something; no pipeline.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_LIMIT in too long a chain;
///         KN_ERROR_INVALID_ARGUMENT for a null or unknown tag; or what is wrong with the record
KN_API kn_result kn_event_send(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_event_record *record);

// Rules ---------------------------------------------------------------------

typedef enum kn_trigger {
    KN_TRIGGER_EVENT,             ///< kn_event_send() or a record of `tag` or below
    KN_TRIGGER_TAG_ADDED,         ///< `tag` came to an entity
    KN_TRIGGER_TAG_REMOVED,       ///< `tag` left an entity
    KN_TRIGGER_ATTRIBUTE_CHANGED, ///< `attribute` changed
    KN_TRIGGER_EFFECT_APPLIED,    ///< of `effect_type`, or any if null
    KN_TRIGGER_EFFECT_REMOVED,
    KN_TRIGGER_EFFECT_STACKS,
    KN_TRIGGER_ABILITY_ACTIVATED, ///< any ability; `ability` and `activation` say which
    KN_TRIGGER_ABILITY_COMMITTED, ///< any ability paid its price
    KN_TRIGGER_ABILITY_ENDED,     ///< any ability, with `end_reason`; both ids may be stale already
    KN_TRIGGER_OVERLAP,           ///< kn_host_overlap(): `instigator` touches it
    KN_TRIGGER_MOVEMENT,          ///< kn_host_movement_mode(): `key` is the new movement mode
    KN_TRIGGER_COUNT,
} kn_trigger;

/// What a rule reacts to.
typedef struct kn_reaction {
    kn_trigger trigger;
    kn_entity_id entity;
    kn_cause cause;
    kn_tag tag;
    kn_attribute_id attribute;
    uint32_t key;
    float old_value; ///< of the attribute
    float new_value;
    uint32_t old_count; ///< stacks of the effect, or how often the tag is there
    uint32_t new_count;
    kn_effect_id effect;
    kn_effect_type_id effect_type;
    kn_removal_reason reason;
    kn_entity_id instigator;
    float magnitude;
    kn_ability_id ability;
    kn_activation_id activation;
    uint32_t end_reason; ///< kn_end_reason
} kn_reaction;

/// Simulation code that reacts. It runs from the reaction queue, at the same simulated time, before
/// the outermost call returns; it may change the world, must be deterministic, and keeps no state
/// outside the world.
typedef void kn_rule_fn(void *user, kn_world *world, const kn_reaction *reaction);

typedef struct kn_rule_def {
    const char *name; ///< required, unique
    kn_trigger trigger;
    kn_tag tag;
    kn_attribute_id attribute;
    kn_effect_type_id effect_type;
    int32_t priority; ///< higher first, then order of registration
    kn_rule_fn *function;
    void *user;
    uint32_t cookie;
} kn_rule_def;

KN_API kn_rule_def kn_rule_def_default(void);
KN_API KN_MUST_USE kn_result kn_rule_register(
    kn_library *library, const kn_rule_def *def, kn_rule_id *rule, kn_error *error);

#ifdef __cplusplus
}
#endif

#endif
