// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Two things are called events; this is how they relate.
///
/// **Records** (kn_event_record) run through the pipeline modify -> gate -> apply -> notify while
/// the simulation runs: a hit, an interrupt, an effect being applied. Effects bring modifiers and
/// gates (immunity, restrictions) that act on them.
///
/// **Events** (kn_event) let observers know what happened. They are collected in order and
/// published after the step; see kn_world_events() and kn_listener_add(). Observers never change
/// what happened.
#ifndef KNACK_EVENT_H
#define KNACK_EVENT_H

#include "knack/library.h"
#include "knack/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_world kn_world;
typedef struct kn_spec_view kn_spec_view;

// Causes --------------------------------------------------------------------

/// Names why something happens. 0 is "the host called". Valid until the step after next.
typedef uint32_t kn_cause;

/// Kinds of causes.
typedef enum kn_cause_kind {
    KN_CAUSE_HOST,       ///< a call from outside the simulation
    KN_CAUSE_APPLY,      ///< an effect being applied
    KN_CAUSE_TICK,       ///< a periodic effect executing
    KN_CAUSE_EXPIRE,     ///< an effect expiring
    KN_CAUSE_REMOVE,     ///< an effect being removed
    KN_CAUSE_CHILD,      ///< an effect started by another
    KN_CAUSE_TAG,        ///< a tag was added or removed
    KN_CAUSE_ATTRIBUTE,  ///< an attribute changed
    KN_CAUSE_RULE,       ///< a rule reacting
    KN_CAUSE_EVENT,      ///< an event record being run or sent
    KN_CAUSE_TIMER,      ///< a timer firing
    KN_CAUSE_DESTROY,    ///< an entity being destroyed
    KN_CAUSE_ABILITY,    ///< an ability being activated
    KN_CAUSE_END,        ///< an activation ending
    KN_CAUSE_TASK,       ///< a task reporting a result, or the timer or wake-up of a custom one
    KN_CAUSE_COMMAND,    ///< a command being carried out
    KN_CAUSE_SYSTEM,     ///< a system running
    KN_CAUSE_CUSTOM,     ///< a rule of a game or kit named it with kn_cause_open()
    KN_CAUSE_KIND_COUNT, ///< number of the values above; not a value itself
} kn_cause_kind;

/// One link of a chain of causes. The chain of what a timer of an effect does, a tick or an expiry,
/// leads back to its application, however long ago that was: who applied it and, if the effect's
/// context names an ability that still exists, by which ability.
typedef struct kn_cause_info {
    kn_cause parent;        ///< the cause of this cause; 0 at the root
    kn_cause_kind kind;     ///< what kind of cause it is
    uint32_t depth;         ///< links before it in the running step; 0 where the chain began
    kn_entity_id entity;    ///< the entity it happens to; for abilities the owner
    kn_effect_id effect;    ///< the active effect concerned; may be null or stale
    kn_effect_type_id type; ///< the type of the effect concerned; null for none
    /// KN_CAUSE_APPLY, and timers of effects: who applied the effect; may be null.
    kn_entity_id source;
    kn_tag tag;                 ///< the tag concerned; null for none
    kn_ability_type_id ability; ///< KN_CAUSE_ABILITY, _END, _TASK: the ability
    kn_command_type_id command; ///< KN_CAUSE_COMMAND: the kind of command
    kn_system_id system;        ///< KN_CAUSE_SYSTEM: the system
    kn_cause_type_id custom;    ///< KN_CAUSE_CUSTOM: its kind
    /// KN_CAUSE_CUSTOM: the kn_def_kind of the definition concerned, and its number from 1; 0 and 0
    /// for none.
    uint32_t def_kind, def1;
} kn_cause_info;

/// Why what is running now happens: the innermost link of the chain, for kn_cause_get(). Every hook
/// sees the right one: rules, timers, hooks of abilities, tasks, attribute sets and effects,
/// executions, calculations, conditions. 0 outside the simulation, in listeners, and in what the
/// host calls directly without an operation that has a cause of its own, such as the hooks of
/// kn_attribute_set_base(). The number itself depends on what happened before and differs after a
/// load: use it to look, do not keep it or decide by it.
KN_API kn_cause kn_world_cause(const kn_world *world);
/// Looks up a cause of the last published or the running step. False, and a zeroed `info`, for 0
/// and for a cause that is too old.
KN_API bool kn_cause_get(const kn_world *world, kn_cause cause, kn_cause_info *info);
/// Writes a chain of causes, such as "tick of Burn #12 on entity 3 <- Burn applied by entity 1 on
/// entity 3 <- Fireball on entity 1 <- host". Returns the full length; the text is truncated to
/// `size` bytes including the final zero.
KN_API uint32_t kn_cause_print(const kn_world *world, kn_cause cause, char *text, uint32_t size);

/// Registers a kind of causes that rules of a game or kit open, such as "order".
/// @param name words that are printed; unique among them
/// @param text how such a cause is printed, with `{entity}`, `{tag}` and `{def}` in place: "order
///             {def} of {entity}"; NULL: the name, then what it has of these
/// @return KN_OK; KN_ERROR_BAD_DATA for an invalid name, or a text with anything else in braces;
///         KN_REFUSED_DUPLICATE for a name that is taken; KN_REFUSED_LIMIT beyond 65535;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_cause_type_register(kn_library *library, const char *name,
    const char *text, kn_cause_type_id *type, kn_error *error);
/// The kind of causes with this name; null when there is none.
KN_API kn_cause_type_id kn_cause_type_find(const kn_library *library, const char *name);
/// The name of a kind of causes; "" for null. Valid as long as the library.
KN_API const char *kn_cause_type_name(const kn_library *library, kn_cause_type_id type);

/// What a rule names as the cause of what it does next. What is left zero does not concern it.
typedef struct kn_cause_link {
    kn_cause_type_id type; ///< the kind of cause; required
    kn_entity_id entity;   ///< the entity concerned; may be null
    kn_tag tag;            ///< the tag concerned; may be null
    uint32_t def_kind;     ///< kn_def_kind of the definition concerned, ours or own
    uint32_t def1;         ///< number of the definition concerned, from 1; 0: none
} kn_cause_link;

/// For rules: begins a link of the chain of causes below the one that runs. What the rule does
/// until kn_cause_close() has it as its cause, and so has what follows from that. A link counts
/// towards the length of a chain. One that is not closed ends with the rule.
/// @param previous receives what kn_cause_close() takes
/// @return KN_OK; KN_REFUSED_LIMIT in too long a chain, which is reported, and nothing is opened;
///         KN_ERROR_INVALID_ARGUMENT outside of the simulation, and for an unknown kind, tag or
///         definition; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_cause_open(
    kn_world *world, const kn_cause_link *link, kn_cause *previous);
/// For rules: ends a link that kn_cause_open() began. Does nothing outside of the simulation.
KN_API void kn_cause_close(kn_world *world, kn_cause previous);

// What observers get --------------------------------------------------------

/// Kinds of events, each with the member of kn_event.data that it fills.
typedef enum kn_event_type {
    KN_EVENT_ENTITY_CREATED,        ///< an entity was created; no data
    KN_EVENT_ENTITY_DESTROYED,      ///< an entity was destroyed; no data; `entity` is stale
    KN_EVENT_AVATAR_CHANGED,        ///< `avatar`: the entity has another body
    KN_EVENT_OWNER_CHANGED,         ///< `avatar`: kn_entity_set_owner() set another owner
    KN_EVENT_TAG_COUNT,             ///< `tag`: the count of a tag changed (only if wanted)
    KN_EVENT_TAG_CHANGED,           ///< `tag`: an entity gained (count > 0) or lost (0) a tag
    KN_EVENT_ATTRIBUTE_CHANGED,     ///< `attribute`: a current value changed
    KN_EVENT_ATTRIBUTE_INITIALISED, ///< `attribute`: kn_attribute_init() or its like set a value
    KN_EVENT_SET_ADDED,             ///< `set`: an entity gained an attribute set
    /// `set`: an entity lost an attribute set; after the changes that its modifiers' end made.
    KN_EVENT_SET_REMOVED,
    KN_EVENT_EFFECT_APPLIED, ///< `effect`: an active effect began
    /// `effect`: an instant effect or a tick (only if wanted); `old_count` is the index of the
    /// tick.
    KN_EVENT_EFFECT_EXECUTED,
    KN_EVENT_EFFECT_REMOVED, ///< `effect`: an active effect ended, with a reason
    /// `effect`: old and new stack count; equal for a further application that changed neither
    /// count nor time, as at the limit.
    KN_EVENT_EFFECT_STACKS,
    /// `effect`: a stack refused an application; once per effect and step.
    KN_EVENT_EFFECT_STACK_DENIED,
    KN_EVENT_EFFECT_INHIBITED, ///< `effect`: count 0 when it is inhibited, 1 when it acts again
    KN_EVENT_EFFECT_TIME,      ///< `effect`: its duration changed
    KN_EVENT_EFFECT_BLOCKED,   ///< `effect`: a gate refused it; `by` is the effect with the gate
    /// `effect`: a gate voided one modifier or execution; `count` is its index.
    KN_EVENT_EFFECT_PART_BLOCKED,
    /// `refusal`: an application was refused, a child's too; after KN_EVENT_EFFECT_BLOCKED and
    /// _STACK_DENIED.
    KN_EVENT_EFFECT_REFUSED,
    KN_EVENT_RESTRICTED,      ///< `record`: a gate refused an event record
    KN_EVENT_RECORD,          ///< `record`: an event record was applied, or sent
    KN_EVENT_CUE,             ///< `cue`: something is to be shown; see cue.h
    KN_EVENT_ERROR,           ///< `error`: something went wrong while rules ran
    KN_EVENT_ABILITY_GRANTED, ///< `ability`: an entity gained an ability
    /// `ability`: its level, input, tags, caller values or number of grants changed.
    KN_EVENT_ABILITY_CHANGED,
    KN_EVENT_ABILITY_REMOVED,   ///< `ability`: an entity lost an ability
    KN_EVENT_ABILITY_ACTIVATED, ///< `ability`: an activation began; always before it ends
    KN_EVENT_ABILITY_CONFIRMED, ///< `ability`: the server confirmed what was predicted
    KN_EVENT_ABILITY_COMMITTED, ///< `ability`: it paid its cost or started its cooldown
    KN_EVENT_ABILITY_ENDED,     ///< `ability`: an activation ended, with a reason
    /// `ability`: it was refused, see `reasons`; with an activation, its commit was refused.
    KN_EVENT_ABILITY_FAILED,
    KN_EVENT_ABILITY_STATUS, ///< `ability`: kn_ability_status() changed (only if wanted)
    KN_EVENT_CHARGES,        ///< `charges`: the number of charges, or the cycle, changed
    KN_EVENT_ANIMATION,      ///< `animation`: the host has to play or stop one
    KN_EVENT_MOTION,         ///< `motion`: a motion source began or ended; see kn_motions()
    KN_EVENT_REQUEST,        ///< `request`: something a client has to send to the server
    KN_EVENT_RETICLE,        ///< `reticle`: what a targeting task found became valid or invalid
    KN_EVENT_COMMAND,        ///< `command`: a command was carried out, or refused
    KN_EVENT_CUSTOM,         ///< `custom`: kn_world_publish(), by a rule of a game or kit
    /// `charges`: a use within the tolerance of its entity was refused, since too early uses of the
    /// cooldown add up to more than its limit; see kn_entity_set_tolerance().
    KN_EVENT_EARLY_USE,
    KN_EVENT_TYPE_COUNT, ///< number of the values above; not a value itself
} kn_event_type;

/// Why an effect, or a stack of it, ended.
typedef enum kn_removal_reason {
    KN_REMOVED_EXPIRED = 1,   ///< the time of the effect was over
    KN_REMOVED_BY_CALL,       ///< game code removed it
    KN_REMOVED_DISPELLED,     ///< game code removed it as a dispel
    KN_REMOVED_BY_EFFECT,     ///< another effect removes effects with its tags
    KN_REMOVED_OVERWRITTEN,   ///< an exclusive group or a take-over replaced it
    KN_REMOVED_REQUIREMENT,   ///< a removal requirement was met
    KN_REMOVED_TARGET_DIED,   ///< the target of the effect was destroyed
    KN_REMOVED_SOURCE_GONE,   ///< the source was destroyed, and the effect ends with its source
    KN_REMOVED_PARENT_ENDED,  ///< the effect that started it ended
    KN_REMOVED_CHARGES_USED,  ///< never set by the library: for game code that uses up an effect
    KN_REMOVED_STACK_CLEARED, ///< overflow cleared the stack
    KN_REMOVED_SHORTENED,     ///< the remaining time was set to 0 or less
    /// Never set by the library: for a transport, when the server did not apply it.
    KN_REMOVED_MISPREDICTED,
    KN_REMOVED_RULE,         ///< never set by the library: for the effect's own logic
    KN_REMOVAL_REASON_COUNT, ///< number of the values above; not a value itself
} kn_removal_reason;

/// The words for a reason, such as "by call"; "" for a number that is not one. Scripts write `_`
/// for the blank, scenarios accept both. Valid forever.
KN_API const char *kn_removal_reason_name(kn_removal_reason reason);
/// True for every reason but KN_REMOVED_EXPIRED.
static inline bool kn_removal_is_premature(kn_removal_reason reason)
{
    return reason != KN_REMOVED_EXPIRED;
}

/// What happened to a cue.
typedef enum kn_cue_action {
    KN_CUE_ADDED,    ///< a lasting cue began: an effect with it became active, or kn_cue_add()
    KN_CUE_EXECUTED, ///< a cue happened once: an instant effect, a tick, or kn_cue_execute()
    KN_CUE_UPDATED,  ///< stacks, level or magnitude changed; once per effect, at the end of a step
    KN_CUE_REMOVED,  ///< a lasting cue ended
} kn_cue_action;

/// What went wrong while rules ran. The world carries on.
typedef struct kn_event_error {
    kn_result code;             ///< what went wrong
    uint32_t detail;            ///< a script's line number; otherwise depends on `code`
    kn_effect_type_id type;     ///< the effect concerned; null for none
    kn_attribute_id attribute;  ///< the attribute concerned; null for none
    kn_ability_type_id ability; ///< the ability concerned; null for none
} kn_event_error;

/// One thing that happened. `type` says which member of `data` is filled.
typedef struct kn_event {
    kn_event_type type;  ///< what happened
    kn_cause cause;      ///< why it happened; see kn_cause_get()
    kn_time time;        ///< simulated time at which it happened
    kn_entity_id entity; ///< the entity it happened to; may be stale already
    /// What belongs to the type of the event; kn_event_type says which member is filled.
    union {
        /// KN_EVENT_TAG_COUNT, KN_EVENT_TAG_CHANGED.
        struct {
            kn_tag tag;         ///< the tag whose count changed
            uint32_t count;     ///< how often the entity has the tag now
            uint32_t old_count; ///< how often it had the tag before
        } tag;
        /// KN_EVENT_ATTRIBUTE_CHANGED, KN_EVENT_ATTRIBUTE_INITIALISED.
        struct {
            kn_attribute_id attribute; ///< the attribute that changed
            uint32_t key;              ///< set instance of the attribute
            float old_value;           ///< current value before
            float new_value;           ///< current value now
            kn_effect_id effect;       ///< the active effect that changed it; null for none
        } attribute;
        /// KN_EVENT_SET_ADDED, KN_EVENT_SET_REMOVED.
        struct {
            kn_attribute_set_id set; ///< the attribute set
            uint32_t key;            ///< which instance of the set; 0 by default
        } set;
        /// KN_EVENT_EFFECT_*, but not KN_EVENT_EFFECT_REFUSED.
        struct {
            kn_effect_id effect;    ///< the effect; may be stale already; null for instant effects
            kn_effect_type_id type; ///< the type of the effect
            uint32_t count;         ///< stack count now, or what the event type says
            uint32_t old_count;     ///< stack count before, or what the event type says
            kn_removal_reason reason; ///< KN_EVENT_EFFECT_REMOVED: why it ended
            kn_entity_id source;      ///< who applied it; may be stale already, null for none
            union {
                kn_effect_id by; ///< KN_EVENT_EFFECT_BLOCKED, _PART_BLOCKED: owner of the gate
                float level;     ///< all other events: level of the effect
            };
        } effect;
        /// KN_EVENT_EFFECT_REFUSED: the first reason, as in kn_effect_refusal. `entity` is the
        /// target.
        struct {
            kn_effect_type_id type; ///< the effect that was refused
            kn_result reason;       ///< why it was refused: a KN_REFUSED_* result
            kn_entity_id source;    ///< who tried to apply it; may be null
            kn_effect_id by;        ///< the effect with the gate or stack, or the stronger effect
            kn_tag tag;             ///< the tag that decides, as in kn_effect_refusal; null: none
            kn_attribute_id attribute; ///< the attribute that decides; null: none
            kn_name parameter;         ///< the parameter that is missing; null: none
            uint8_t from;              ///< kn_capture_from: whose tag, attribute or gate it is
            /// True: the tag is present and must not be; false: it is missing.
            bool is_there;
            /// The effect's `removal` conditions hold: it would be removed at once.
            bool is_removal;
            /// Where its details are: read them with kn_effect_event_refusal().
            uint8_t details1;
        } refusal;
        /// KN_EVENT_RECORD, KN_EVENT_RESTRICTED.
        struct {
            kn_event_kind_id kind;   ///< the kind of record; null for one that was sent without
            kn_tag tag;              ///< tag of the record; may be null
            kn_entity_id instigator; ///< who caused it; may be null or stale
            float magnitude;         ///< how much of it, after modifiers
            kn_effect_id by;         ///< KN_EVENT_RESTRICTED: the effect with the gate
        } record;
        /// KN_EVENT_CUE.
        struct {
            kn_tag tag;           ///< tag of the cue
            kn_cue_action action; ///< what happened to the cue
            kn_effect_id effect;  ///< the effect it belongs to; null for instant effects and calls
            kn_effect_type_id type; ///< type of that effect; null for cues of calls
            float magnitude;        ///< the magnitude as the effect or caller asked for it
            bool interrupted; ///< KN_CUE_REMOVED: it was cut short instead of coming to its end
            uint32_t params1; ///< where its parameters are: read them with kn_cue_event_params()
        } cue;
        /// KN_EVENT_AVATAR_CHANGED: the body; KN_EVENT_OWNER_CHANGED: the owner.
        struct {
            kn_entity_id avatar;     ///< the body, or owner, now; may be null
            kn_entity_id old_avatar; ///< the body, or owner, before; may be null or stale
        } avatar;
        /// KN_EVENT_ABILITY_*.
        struct {
            kn_ability_id ability;       ///< the ability; may be stale already
            kn_ability_type_id type;     ///< the type of the ability
            kn_activation_id activation; ///< the activation concerned; null for none
            uint32_t end_reason;         ///< KN_EVENT_ABILITY_ENDED: why it ended, a kn_end_reason
            union {
                uint32_t reasons; ///< why it was refused, kn_fail bits; not KN_EVENT_ABILITY_ENDED
                kn_tag tag;       ///< KN_EVENT_ABILITY_ENDED: the tag of its kn_cancel
            };
            union {
                /// Where its tags are: read them with kn_ability_event_tags(). Not
                /// KN_EVENT_ABILITY_ENDED.
                uint32_t tags1;
                float number; ///< KN_EVENT_ABILITY_ENDED: the number of its kn_cancel
            };
            kn_entity_id instigator; ///< KN_EVENT_ABILITY_ENDED: who cancelled it; may be null
        } ability;
        /// KN_EVENT_ANIMATION.
        struct {
            kn_animation_id animation; ///< the animation to play or stop
            kn_task_id task;           ///< the task that plays it; may be stale already
            bool plays;                ///< true: play it; false: stop it
            float rate;                ///< speed to play it at; 1 is its own
            kn_time start;             ///< where to begin within the animation
            kn_name section;           ///< section it was asked to start at; null: none
        } animation;
        /// KN_EVENT_MOTION.
        struct {
            kn_task_id task; ///< the task that moves the entity; may be stale already
            bool begins;     ///< true: the motion began; false: it ended
        } motion;
        /// KN_EVENT_REQUEST.
        struct {
            kn_ability_id ability;       ///< the ability concerned; may be stale already
            kn_activation_id activation; ///< the activation concerned; may be null or stale
            uint32_t parts;              ///< kn_request_part bits, to be carried out in their order
            uint32_t offset1; ///< where its target data is: read it with kn_request_targets()
            uint32_t size;    ///< bytes of its target data
            bool is_pressed;  ///< the ability's input was down when it was activated
            uint32_t event1;  ///< where its event is: read it with kn_request_event()
            uint32_t use;     ///< KN_REQUEST_PART_SYNC: the command behind the activation; 0: none
            uint32_t point;   ///< KN_REQUEST_PART_SYNC: number of the sync point, from 0
        } request;
        /// KN_EVENT_RETICLE.
        struct {
            kn_task_id task;     ///< the targeting task
            kn_entity_id target; ///< the first entity found; null: none
            bool is_valid;       ///< something was found
            bool is_entity;      ///< what was found is an entity
        } reticle;
        /// KN_EVENT_CHARGES, KN_EVENT_EARLY_USE.
        struct {
            kn_ability_id ability; ///< the ability with the cooldown; null for a shared cooldown
            kn_tag key;            ///< tag of a shared cooldown; null for one of the ability alone
            uint32_t charges;      ///< charges that are left
            uint32_t old_charges;  ///< charges before
            kn_time end;           ///< when the running cycle ends; KN_TIME_INFINITE for none
        } charges;
        /// KN_EVENT_COMMAND. `entity` is that of the command; it may be stale.
        struct {
            kn_command_type_id type; ///< the kind of command
            uint32_t connection;     ///< connection of the player who sent it; 0: this machine
            uint32_t sequence;       ///< number of the command among those of its connection
            uint32_t part;           ///< number of the part of a batch, from 1; 0: not a part
            kn_result result;        ///< what carrying it out returned, or why it was refused
            /// kn_fail bits, if an ability was refused, or the check or function said why.
            uint32_t reasons;
            kn_activation_id activation; ///< the activation that it began; null: none
            uint32_t lines1;             ///< for kn_command_event_lines()
            uint32_t line_count;         ///< how many lines there are
        } command;
        /// KN_EVENT_CUSTOM.
        struct {
            kn_custom_event_id kind; ///< the kind of event
            uint32_t offset1;        ///< where its payload is: read it with kn_event_payload()
            uint32_t size;           ///< bytes of the payload
        } custom;
        /// KN_EVENT_ERROR.
        kn_event_error error;
    } data;
} kn_event;

/// A view of events in the order they happened.
typedef struct kn_events {
    const kn_event *data; ///< the first event; NULL if there are none
    uint32_t count;       ///< number of events in `data`
} kn_events;

/// What happened from the end of the step before last to the end of the last step. Valid until the
/// next step, restore, load or reload. kn_world_step(world, 0) publishes what calls between steps
/// did.
KN_API kn_events kn_world_events(const kn_world *world);
/// For rules: publishes a KN_EVENT_ERROR. Errors are not part of the state, but must follow from
/// it: every machine has to report the same.
/// @param entity the entity concerned; may be null
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_world_report(kn_world *world, kn_entity_id entity, const kn_event_error *error);
/// Writes one event as a line of text, such as "1.250 s  entity 3  Vitals.Health 100 -> 92  (tick
/// of Burn)". Returns the full length; the text is truncated to `size` bytes including the final
/// zero.
KN_API uint32_t kn_event_print(
    const kn_world *world, const kn_event *event, char *text, uint32_t size);
/// The words for an event type, such as "tag changed"; "" for a number that is not one. Valid
/// forever.
KN_API const char *kn_event_type_name(kn_event_type type);

// Events of games and kits --------------------------------------------------

/// Most bytes of the payload of a custom event.
#define KN_CUSTOM_EVENT_SIZE_MAX 4096

/// A kind of events that games and kits publish. They are for observers, as all events are: what
/// happened in the rules of a kit, for UI, sound, logs and scenarios.
typedef struct kn_custom_event_def {
    const char *name; ///< unique name, such as "OrderGiven"; required
    /// Bytes of the payload, at most 4096; data files may leave it out; 0: there is none.
    uint32_t size;
    const kn_field *fields; ///< the fields of the payload, in order; required with `size`
    uint32_t field_count;   ///< number of entries in `fields`
    /// How an event is printed, with fields in braces: `follows the order {order}`; left out: the
    /// name and all fields.
    const char *text;
    /// In the world of a client, such an event asks for a command of this kind, with the entity and
    /// the payload of the event, to be sent to the server: so that rules of a client can ask for
    /// something. Sessions send it. Copies of a command that is on its way are not sent again, so
    /// payloads should differ. The command must have a payload of the same size; default none.
    kn_command_type_id command;
    uint32_t cookie; ///< set by kn_custom_event_def_default(); do not change it
} kn_custom_event_def;

/// A custom event def with nothing set: an event without payload.
KN_API kn_custom_event_def kn_custom_event_def_default(void);
/// Registers a kind of custom events.
/// @return KN_OK; KN_ERROR_BAD_DATA for fields that do not cover the payload, a text that names an
///         unknown field, or an invalid name; KN_REFUSED_DUPLICATE for a name that is taken;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_custom_event_register(
    kn_library *library, const kn_custom_event_def *def, kn_custom_event_id *kind, kn_error *error);
/// The kind of custom events with this name. Null when there is none; a finished library then logs
/// a warning, once per name.
KN_API kn_custom_event_id kn_custom_event_find(const kn_library *library, const char *name);
/// The name of a kind of custom events; "" for null. Valid as long as the library.
KN_API const char *kn_custom_event_name(const kn_library *library, kn_custom_event_id kind);
/// The def of a kind of custom events as registered; it belongs to the library. NULL when unknown.
KN_API const kn_custom_event_def *kn_custom_event_get_def(
    const kn_library *library, kn_custom_event_id kind);

/// For rules: publishes a KN_EVENT_CUSTOM. Custom events are not part of the state and change
/// nothing, but must follow from it: every machine has to publish the same.
/// @param entity the entity it happened to; may be null
/// @param payload `size` bytes of the kind, copied; NULL: all zero
/// @return KN_OK, also if nobody wants the event; KN_ERROR_INVALID_ARGUMENT for an unknown kind;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_world_publish(
    kn_world *world, kn_entity_id entity, kn_custom_event_id kind, const void *payload);
/// True if a listener names this kind of custom events in kn_listener_def.custom. For rules that
/// publish what only few observers look at: they may leave out kn_world_publish() otherwise.
/// Nothing else may depend on it. False for an unknown kind.
KN_API bool kn_custom_event_is_wanted(const kn_world *world, kn_custom_event_id kind);
/// The payload of a KN_EVENT_CUSTOM of the last step, aligned for any of its fields, and its bytes
/// in `*size`; NULL, and 0, for other events and without payload. Valid as long as the event.
KN_API const void *kn_event_payload(const kn_world *world, const kn_event *event, uint32_t *size);

// Listeners -----------------------------------------------------------------

/// Called after the step, once per matching event, in the order of the events; several listeners of
/// one event in order of registration, KN_EVENT_TAG_COUNT before KN_EVENT_TAG_CHANGED. May add and
/// remove listeners (new ones receive later events only) and call the API, but not step, restore,
/// load or reload the world. `event` is valid during the call.
typedef void kn_listener_fn(void *user, kn_world *world, const kn_event *event);

/// Which events a listener wants. Null ids mean "any". Start from kn_listener_def_default().
typedef struct kn_listener_def {
    kn_event_type type;  ///< the type of events to receive
    kn_entity_id entity; ///< only events that happen to this entity
    /// Only events of this tag: tag events exactly this one, records also those below it.
    kn_tag tag;
    kn_attribute_id attribute;       ///< only events of this attribute
    kn_effect_type_id effect_type;   ///< only events of effects of this type
    kn_effect_id effect;             ///< only events of this effect
    kn_ability_type_id ability_type; ///< only events of abilities of this type
    kn_ability_id ability;           ///< only events of this ability
    kn_custom_event_id custom;       ///< only events of this kind of KN_EVENT_CUSTOM
    kn_entity_id owner; ///< the listener is removed with this entity; null: it stays until removed
    kn_listener_fn *function; ///< called for each event; required
    void *user;               ///< passed to `function`
    uint32_t cookie;          ///< set by kn_listener_def_default(); do not change it
} kn_listener_def;

/// A listener def for KN_EVENT_ENTITY_CREATED of any entity; set `type` and `function`.
KN_API kn_listener_def kn_listener_def_default(void);
/// Adds a listener. Listeners are not state: they survive kn_snapshot_restore() and are not saved.
/// @param listener receives its id; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale owner; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults or function, or with an unknown type, tag, attribute, effect
///         type or kind of custom event; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_listener_add(
    kn_world *world, const kn_listener_def *def, kn_listener_id *listener);
/// Removes a listener; it is not called again. False if it is gone already.
KN_API bool kn_listener_remove(kn_world *world, kn_listener_id listener);
/// Number of listeners in a world.
KN_API uint32_t kn_listener_count(const kn_world *world);

// Records and the pipeline --------------------------------------------------

/// Something that is about to happen, or that rules are notified of. Tags describe it. Start from
/// kn_event_record_default(). Everything a call needs of it is copied; in hooks and rules its views
/// are valid during the call.
typedef struct kn_event_record {
    kn_event_kind_id kind;   ///< which pipeline the record runs through; required by kn_event_run()
    kn_tags tags;            ///< describe the event: school, hit style ...; at most KN_TAG_SET_MAX
    kn_entity_id instigator; ///< who causes it; may be null
    kn_entity_id target;     ///< the entity it happens to
    float magnitude;         ///< how much of it; must be finite
    uint64_t object;         ///< 64 bits for the host, such as the weapon or projectile
    uint64_t object2;        ///< 64 more bits for the host
    const kn_spec_view *effect; ///< the effect the event comes from; NULL for none; not kept
    kn_tag tag; ///< tag under which the event was sent; filled in for those who receive it
    /// Abilities test `instigator_tags` and `target_tags` instead of the tags those entities have.
    bool has_instigator_tags, has_target_tags;
    /// Tags of the instigator that abilities test, with `has_instigator_tags`.
    kn_tags instigator_tags;
    kn_tags target_tags;   ///< tags of the target that abilities test, with `has_target_tags`
    const void *data;      ///< target data, see target.h; may be NULL
    uint32_t data_size;    ///< bytes of target data
    bool ignore_modifiers; ///< modifiers of instigator and target do not change the magnitude
    bool ignore_gates;     ///< gates cannot refuse the record
    uint32_t cookie;       ///< set by kn_event_record_default(); do not change it
} kn_event_record;

/// A record with nothing set.
KN_API kn_event_record kn_event_record_default(void);

/// What became of a record that was run.
typedef struct kn_event_outcome {
    kn_result result;        ///< the result kn_event_run() returned
    float magnitude;         ///< the magnitude after modifiers
    kn_effect_id blocked_by; ///< the effect whose gate refused the record; null for none
    uint32_t fail;           ///< the `reason` of that gate, a bit of kn_fail; 0: none
} kn_event_outcome;

/// Changes the result of a transient value. Must be pure: it depends on its arguments and on what
/// it reads in the world alone, and changes nothing.
/// @param entity the entity whose value it is
/// @param record what it is evaluated for; may be NULL
/// @param value  the result of base, modifiers and factor
/// @return the value to use; one that is not finite counts as unchanged and is reported once
typedef float kn_value_adjust_fn(void *user, const kn_world *world, kn_entity_id entity,
    const kn_event_record *record, float value);

/// A transient value: a number that is evaluated on demand from a base and an event record, such as
/// the length of a cast. Effects put modifiers on it.
typedef struct kn_value_def {
    const char *name; ///< unique name, such as "CastLength"; required
    /// How modifiers combine; default `combat` (kn_value_profile_combat()).
    kn_value_profile profile;
    bool has_min, has_max; ///< the result has a lower, or upper, bound
    float min, max;        ///< lower and upper limit of the result; default none
    kn_rounding rounding;  ///< how the result is rounded; default none
    bool minimum_one;      ///< a rounded result is at least 1, unless the base is 0
    /// Modifiers with conditions on an event are refused: for values that something else caches.
    bool context_free;
    /// Attribute of the entity that multiplies the value; an entity without it counts as 1; null:
    /// none.
    kn_attribute_id factor;
    /// Called with the result of the modifiers, before limits and rounding, unless modifiers are
    /// left out (`is_static`) or the entity is stale; may be NULL.
    kn_value_adjust_fn *adjust;
    void *user;      ///< passed to `adjust`
    uint32_t cookie; ///< set by kn_value_def_default(); do not change it
} kn_value_def;

/// A value def with kn_value_profile_combat() and nothing else set.
KN_API kn_value_def kn_value_def_default(void);
/// Registers a transient value.
/// @return KN_OK; KN_ERROR_BAD_DATA for a minimum above the maximum, or an invalid name or field;
///         KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_value_register(
    kn_library *library, const kn_value_def *def, kn_value_id *value, kn_error *error);
/// The transient value with this name. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_value_id kn_value_find(const kn_library *library, const char *name);
/// The name of a transient value; "" for null. Valid as long as the library.
KN_API const char *kn_value_name(const kn_library *library, kn_value_id value);
/// The def of a transient value as registered; it belongs to the library. NULL when unknown.
KN_API const kn_value_def *kn_value_get_def(const kn_library *library, kn_value_id value);

/// Evaluates a transient value of an entity. Changes nothing; good for previews. Gives the bounded
/// and rounded base for a stale entity; 0 for an unknown value or a base that is not finite.
/// @param record may be NULL: modifiers that need one do not take part then
/// @param is_static leaves out all modifiers and `adjust`, but not the limits
KN_API float kn_value_evaluate(const kn_world *world, kn_entity_id entity, kn_value_id value,
    float base, const kn_event_record *record, bool is_static);

/// The modifier a condition decides about. On entry its fields are those of the modifier's def.
typedef struct kn_condition_answer {
    kn_op op;        ///< operation of the modifier; may be changed
    float magnitude; ///< magnitude of the modifier; may be changed
} kn_condition_answer;

/// Looks at a record and returns whether its modifier applies; may change operation and magnitude.
/// Also the predicate of gates. Must be pure. A magnitude that is NaN or infinite counts as "does
/// not apply" and is reported once. Pointers are valid during the call.
typedef bool kn_condition_fn(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer);
/// Registers a condition written in C.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for an invalid
///         name; KN_ERROR_INVALID_ARGUMENT for a NULL function; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_condition_register(kn_library *library, const char *name,
    kn_condition_fn *function, void *user, kn_condition_id *condition, kn_error *error);
/// The condition with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_condition_id kn_condition_find(const kn_library *library, const char *name);
/// The name of a condition; "" for null. Valid as long as the library.
KN_API const char *kn_condition_name(const kn_library *library, kn_condition_id condition);
/// Tests a condition against a record, such as one that a definition of an own kind names
/// (knack/kind.h). Changes nothing. False for a null or unknown condition.
/// @param record its instigator and target are those of the condition; its tags, magnitude and the
///               rest are what it happens with. A stale target or instigator has no tags and no
///               attributes
KN_API bool kn_condition_holds(
    const kn_world *world, kn_condition_id condition, const kn_event_record *record);
/// Registers a condition as an expression (docs/expressions.md). It holds unless the result is 0,
/// and leaves operation and magnitude as they are. It does not hold when an attribute is absent and
/// has no default, nor for a bad number, which is reported once. Example:
///
///   event.tag(School.Fire) and event.magnitude > 50
///
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for an invalid
///         name, or an error in the expression, with line and column; KN_ERROR_WORLD_LOCKED once
///         the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_condition_register_expression(kn_library *library, const char *name,
    const char *expression, kn_condition_id *condition, kn_error *error);

/// Carries out a record that passed its gates. A rule: may change the world; calls that remove or
/// rearrange wait until the record has been published (docs/step-order.md, "A hook"). `record` is
/// valid during the call.
typedef void kn_event_apply_fn(
    void *user, kn_world *world, const kn_event_record *record, float magnitude);

/// A kind of event record. kn_event_kind_effect_application() is predefined.
typedef struct kn_event_kind_def {
    const char *name; ///< unique name, such as "Damage"; required
    kn_tag tag; ///< tag by which rules and listeners recognise events of this kind; may be null
    /// Transient value of the instigator whose modifiers change the magnitude first; null: none.
    kn_value_id outgoing;
    /// Transient value of the target whose modifiers change the magnitude next; null: none.
    kn_value_id incoming;
    bool restrictable; ///< gates of effects may refuse events of this kind; default true
    /// Gates see the magnitude after modifiers; false: the one before; default true.
    bool gate_sees_final;
    kn_event_apply_fn *apply; ///< carries out a record that passed its gates; may be NULL
    void *user;               ///< passed to `apply`
    uint32_t cookie;          ///< set by kn_event_kind_def_default(); do not change it
} kn_event_kind_def;

/// The kind of every effect application: restrictable, not modifiable, gated before magnitudes.
static inline kn_event_kind_id kn_event_kind_effect_application(void)
{
    kn_event_kind_id kind = {1};
    return kind;
}

/// An event kind that can be restricted and whose gates see the modified magnitude.
KN_API kn_event_kind_def kn_event_kind_def_default(void);
/// Registers a kind of event record.
/// @return KN_OK; KN_ERROR_BAD_DATA for an invalid name or field; KN_REFUSED_DUPLICATE for a name
///         that is taken; KN_ERROR_INVALID_ARGUMENT for a def without its defaults;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_event_kind_register(
    kn_library *library, const kn_event_kind_def *def, kn_event_kind_id *kind, kn_error *error);
/// The event kind with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_event_kind_id kn_event_kind_find(const kn_library *library, const char *name);
/// The name of an event kind; "" for null. Valid as long as the library.
KN_API const char *kn_event_kind_name(const kn_library *library, kn_event_kind_id kind);
/// The def of an event kind as registered; it belongs to the library. NULL when unknown.
KN_API const kn_event_kind_def *kn_event_kind_get_def(
    const kn_library *library, kn_event_kind_id kind);

/// Runs a record: outgoing modifiers of the instigator, incoming ones of the target, gates of the
/// instigator and the target, apply, notify. A refused record changes nothing.
/// @param outcome receives the modified magnitude and the gate that refused; may be NULL
/// @return KN_OK; KN_REFUSED_BLOCKED by a gate; KN_REFUSED_STALE_ID for a stale target;
///         KN_REFUSED_BAD_NUMBER for a magnitude that is not finite; KN_REFUSED_LIMIT in too long a
///         chain; KN_ERROR_INVALID_ARGUMENT for an unknown kind or tag; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_event_run(
    kn_world *world, const kn_event_record *record, kn_event_outcome *outcome);
/// The effects whose gates would refuse the record now, those of the instigator first. Changes
/// nothing. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_event_vetoes(
    const kn_world *world, const kn_event_record *record, kn_effect_id *out, uint32_t capacity);
/// Notifies rules, abilities, tasks and listeners of `tag` and its parents; no pipeline.
/// @param record what goes along; copied; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for a magnitude that is not finite;
///         KN_REFUSED_LIMIT in too long a chain; KN_ERROR_INVALID_ARGUMENT for a null or unknown
///         tag, or a record that makes no sense; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_event_send(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_event_record *record);

// Rules ---------------------------------------------------------------------

/// What rules and custom tasks react to.
typedef enum kn_trigger {
    /// An event is sent (kn_event_send()) or run, and its tag is `tag` or below it.
    KN_TRIGGER_EVENT,
    KN_TRIGGER_TAG_ADDED,         ///< an entity gains `tag`
    KN_TRIGGER_TAG_REMOVED,       ///< an entity loses `tag`
    KN_TRIGGER_ATTRIBUTE_CHANGED, ///< `attribute` changes
    /// An effect becomes active. Applying it once more triggers KN_TRIGGER_EFFECT_REAPPLIED, and an
    /// instant effect triggers KN_TRIGGER_EFFECT_EXECUTED. Set `effect_type` to react to effects of
    /// one type only, here and in the other triggers for effects.
    KN_TRIGGER_EFFECT_APPLIED,
    KN_TRIGGER_EFFECT_REMOVED, ///< an active effect ends
    KN_TRIGGER_EFFECT_STACKS,  ///< the stack count of an effect changes
    /// An ability is activated; `ability` and `activation` say which.
    KN_TRIGGER_ABILITY_ACTIVATED,
    KN_TRIGGER_ABILITY_COMMITTED, ///< an ability pays its cost
    /// An activation ends, for `end_reason`; its id and that of the ability may be stale already.
    /// If it was cancelled, `instigator`, `tag` and `magnitude` come from the cancel.
    KN_TRIGGER_ABILITY_ENDED,
    KN_TRIGGER_OVERLAP, ///< `instigator` touches the entity (kn_host_overlap())
    /// The entity changes how it moves (kn_host_movement_mode()): `key` is the new mode.
    KN_TRIGGER_MOVEMENT,
    KN_TRIGGER_ENTITY_CREATED, ///< an entity is created
    /// An entity is about to be destroyed: it is dying, but everything it has can still be read.
    KN_TRIGGER_ENTITY_DESTROYED,
    /// The entity gets another owner (kn_entity_set_owner()): `other` instead of `old_other`.
    KN_TRIGGER_OWNER_CHANGED,
    /// The entity changes its parent from `old_other` to `other`; either may be null.
    KN_TRIGGER_PARENT_CHANGED,
    /// An instant effect or a tick of a periodic effect is executed. `old_count` is the index of
    /// the tick, `new_count` the stack count; `effect` is null for an instant effect.
    KN_TRIGGER_EFFECT_EXECUTED,
    /// An effect is inhibited (`new_count` is 0) or starts to act again (`new_count` is 1).
    KN_TRIGGER_EFFECT_INHIBITED,
    /// An ability cannot be activated or committed; `fail_reasons` says why.
    KN_TRIGGER_ABILITY_FAILED,
    /// An active effect is applied once more, even if that changes neither its stacks nor its
    /// time. `old_count` and `new_count` are stack counts.
    KN_TRIGGER_EFFECT_REAPPLIED,
    /// The entity gains an ability. Granting a shared ability again does not trigger it.
    KN_TRIGGER_ABILITY_GRANTED,
    KN_TRIGGER_ABILITY_REMOVED, ///< the entity has lost an ability; its id is stale already
    /// The entity gains the attribute set `set`, instance `key`: its attributes have their starting
    /// values.
    KN_TRIGGER_SET_ADDED,
    KN_TRIGGER_SET_REMOVED, ///< the entity loses the attribute set `set`, instance `key`
    /// The charges of a cooldown change from `old_count` to `new_count`, or only its running cycle
    /// changes. `ability` is the ability it belongs to; `tag` is the key of a shared cooldown.
    KN_TRIGGER_CHARGES,
    /// Control of the entity passes to another player or to nobody (kn_entity_set_connection()):
    /// `old_count` and `new_count` are the connections.
    KN_TRIGGER_CONNECTION_CHANGED,
    KN_TRIGGER_COUNT, ///< number of the values above; not a value itself
} kn_trigger;

/// What a rule reacts to. Fields that the trigger does not fill are zero. Valid during the call.
typedef struct kn_reaction {
    kn_trigger trigger;  ///< what happened
    kn_entity_id entity; ///< the entity it happened to
    kn_cause cause;      ///< why it happened
    /// The tag that was gained or lost, under which the event was sent, of a kn_cancel, or of a
    /// shared cooldown.
    kn_tag tag;
    kn_attribute_id attribute; ///< the attribute that changed
    uint32_t key;        ///< instance of the attribute set; KN_TRIGGER_MOVEMENT: the movement mode
    float old_value;     ///< value of the attribute before
    float new_value;     ///< value of the attribute now
    uint32_t old_count;  ///< stacks of the effect, count of the tag, charges, or connection, before
    uint32_t new_count;  ///< stacks of the effect, count of the tag, charges, or connection, now
    kn_effect_id effect; ///< the effect concerned; may be stale already
    kn_effect_type_id effect_type; ///< type of the effect concerned
    kn_removal_reason reason;      ///< why the effect ended
    /// Who caused the event, applied the effect, touches the entity, or cancelled the activation.
    kn_entity_id instigator;
    float magnitude;             ///< magnitude of the event, or number of a kn_cancel
    kn_ability_id ability;       ///< the ability concerned, or behind the effect; null for none
    kn_activation_id activation; ///< the activation concerned, or behind the effect
    uint32_t end_reason;         ///< why the activation ended, a kn_end_reason
    uint32_t fail_reasons;       ///< why the ability was refused, kn_fail bits
    kn_entity_id other;          ///< the owner or parent now; may be null
    kn_entity_id old_other;      ///< the owner or parent before; may be null or stale
    /// KN_TRIGGER_EVENT: the record that was sent, with target, tags, objects and target data,
    /// without its `effect`. KN_TRIGGER_ABILITY_FAILED: the event that the ability was to be
    /// activated with, likewise; NULL if there was none. NULL for other triggers.
    const kn_event_record *record;
    kn_entity_id causer; ///< weapon or projectile of the effect's context; null for none
    float level;         ///< level of the effect; of a further application, its own
    /// KN_TRIGGER_ABILITY_*: the type of the ability, also when the ability is gone.
    kn_ability_type_id ability_type;
    uint64_t object; ///< the host's 64 bits in the effect's context
    /// KN_TRIGGER_EFFECT_REAPPLIED: time left before and now; KN_TIME_INFINITE for no end.
    kn_time old_remaining, new_remaining;
    kn_attribute_set_id set; ///< the attribute set that was added or removed; null for none
} kn_reaction;

/// Simulation code that reacts to something. It runs from the reaction queue, at the same simulated
/// time, before the outermost call returns; it may change the world, must be deterministic, and
/// keeps no state outside the world.
typedef void kn_rule_fn(void *user, kn_world *world, const kn_reaction *reaction);

/// Says whether a rule wants a reaction, when it happens and before the rule is queued. It is
/// called in the middle of operations: its answer depends on `user`, the library and the fields of
/// `reaction` alone, and it changes nothing. `reaction->cause` is not set yet.
typedef bool kn_rule_wants_fn(void *user, const kn_library *library, const kn_reaction *reaction);

/// A rule: a function and what triggers it.
typedef struct kn_rule_def {
    const char *name;   ///< unique name; required
    kn_trigger trigger; ///< what the rule reacts to; default event
    kn_tag tag;         ///< the tag to react to; required for events and tags
    /// The attribute to react to; required for KN_TRIGGER_ATTRIBUTE_CHANGED.
    kn_attribute_id attribute;
    /// The effect to react to, for the triggers of effects; null: any effect.
    kn_effect_type_id effect_type;
    /// Of several rules the one with the higher priority runs first, then the one registered first;
    /// default 0.
    int32_t priority;
    kn_rule_fn *function; ///< called when the rule is triggered; required
    /// Called with each reaction that triggers the rule; false: it is passed over, at no cost in
    /// the reaction queue. May be NULL: the rule wants all.
    kn_rule_wants_fn *wants;
    void *user;      ///< passed to `function` and `wants`
    uint32_t cookie; ///< set by kn_rule_def_default(); do not change it
} kn_rule_def;

/// A rule def with nothing set.
KN_API kn_rule_def kn_rule_def_default(void);
/// Registers a rule.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for a trigger
///         without its tag or attribute, or an invalid name; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults or function; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_rule_register(
    kn_library *library, const kn_rule_def *def, kn_rule_id *rule, kn_error *error);
/// The rule with this name. Null when there is none; a finished library then logs a warning, once
/// per name.
KN_API kn_rule_id kn_rule_find(const kn_library *library, const char *name);
/// The name of a rule; "" for null. Valid as long as the library.
KN_API const char *kn_rule_name(const kn_library *library, kn_rule_id rule);
/// The def of a rule as registered; it belongs to the library. NULL when unknown.
KN_API const kn_rule_def *kn_rule_get_def(const kn_library *library, kn_rule_id rule);

#ifdef __cplusplus
}
#endif

#endif
