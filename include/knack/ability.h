// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Abilities: what an entity can do. A def is data and hooks; registered it is a type; granted to
/// an entity it is an ability with a level, an input and charges; activated it is an activation
/// that runs until it is ended or cancelled. Any number may run at once.
///
///   grant -> check -> activate -> (tasks, commit) -> end
///
/// Hooks are rules: they run inside the simulation, may call the API and keep their state in the
/// activation's block (kn_activation_state()). What takes time is a task, see task.h.
#ifndef KNACK_ABILITY_H
#define KNACK_ABILITY_H

#include "knack/effect.h"
#include "knack/event.h"
#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Why not? ------------------------------------------------------------------

/// Reasons why an ability cannot start, as bits: all of them are reported, not just the first. A
/// library may add reasons of its own, see kn_fail_register().
typedef enum kn_fail {
    KN_FAIL_STALE = 1 << 0,      ///< the ability is gone, or being removed
    KN_FAIL_NETWORKING = 1 << 1, ///< the policies of the ability do not let this machine start it
    KN_FAIL_DEAD = 1 << 2,       ///< the owner is dying, or has the library's tag for the dead
    /// Blocked by an active ability or effect, by kn_abilities_block(), or by owned tags.
    KN_FAIL_BLOCKED = 1 << 3,
    KN_FAIL_MISSING_TAGS = 1 << 4, ///< required tags are missing
    KN_FAIL_COOLDOWN = 1 << 5,     ///< not enough charges, or the owner has a cooldown tag
    KN_FAIL_COST = 1 << 6,         ///< the cost cannot be paid
    KN_FAIL_ACTIVE = 1 << 7, ///< the ability is active, and neither per execution nor retriggered
    KN_FAIL_CUSTOM = 1 << 8, ///< the can_activate hook of the ability said no
    KN_FAIL_NOT_READY = 1 << 9,  ///< the responds hook said that the event is not for the ability
    KN_FAIL_NO_TARGET = 1 << 10, ///< no entity to act on, or no event where one is needed
    KN_FAIL_COUNT = 11,          ///< number of the reasons above; not a reason itself
    KN_FAIL_OWN_FIRST = 1 << 11, ///< the first reason that a library registers
    KN_FAIL_OWN_LAST = 1 << 30,  ///< the last one there is room for
} kn_fail;

/// Most reasons that a library can register besides those in kn_fail.
#define KN_FAIL_OWN_MAX 20

/// The word for one reason, the same in data, scenarios and scripts: "missing_tags". "" for none or
/// several, and for reasons of a library, see kn_library_fail_name(). Valid forever.
KN_API const char *kn_fail_name(kn_fail reason);

/// A reason of a game or kit why an ability cannot start. Checks and can_activate hooks give it,
/// see kn_check_refuse(). Start from kn_fail_def_default().
typedef struct kn_fail_def {
    /// Unique name, a word for data, scenarios and scripts, such as `silenced`; required.
    const char *name;
    kn_tag tag; ///< tag that stands for the reason, as those of `fail_tags`; null: none
    /// What explanations say, such as `needs {need} rage, has {have}`: `{need}`, `{have}`, `{tag}`
    /// and `{ability}` stand for the numbers, the tag and the name of the ability of the refusal;
    /// default: its name.
    const char *text;
    uint32_t cookie; ///< set by kn_fail_def_default(); do not change it
} kn_fail_def;

/// A reason with nothing set.
KN_API kn_fail_def kn_fail_def_default(void);
/// Registers a reason: it takes the next bit from KN_FAIL_OWN_FIRST on, in order of registration.
/// An activation that is refused for it alone returns KN_REFUSED_CUSTOM.
/// @param fail receives its bit; 0 on anything but KN_OK
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken, also by one of kn_fail;
///         KN_REFUSED_LIMIT for more than KN_FAIL_OWN_MAX; KN_ERROR_BAD_DATA for an invalid name or
///         tag; KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED
///         once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_fail_register(
    kn_library *library, const kn_fail_def *def, kn_fail *fail, kn_error *error);
/// The reason with this name, one of kn_fail or of the library; 0 when there is none.
KN_API kn_fail kn_fail_find(const kn_library *library, const char *name);
/// The word for one reason, of kn_fail or of the library. "" for none or several. Valid as long as
/// the library.
KN_API const char *kn_library_fail_name(const kn_library *library, kn_fail reason);
/// The def of a reason as registered; it belongs to the library. NULL for those of kn_fail, for
/// none and for several.
KN_API const kn_fail_def *kn_fail_get_def(const kn_library *library, kn_fail reason);
/// The tag that stands for a reason, such as `Activation.Fail.OnCooldown`; null if the library has
/// none. kn_ability_fail_tags_register() registers the standard ones.
KN_API kn_tag kn_ability_fail_tag(const kn_library *library, kn_fail reason);
/// Registers the standard tags for reasons (`Activation.Fail.IsDead`, `.OnCooldown`,
/// `.CantAffordCost`, `.BlockedByTags`, `.MissingTags`, `.Networking`, `.AlreadyActive`, `.Custom`,
/// `.NotReady`, `.NoTarget`, `.Stale`). Without this call refusals have reasons but no tags.
/// Results as kn_tag_register_module().
KN_API KN_MUST_USE kn_result kn_ability_fail_tags_register(kn_library *library, kn_error *error);
/// Sets the tag that stands for one reason of kn_fail; null for none.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for an unknown tag, or anything but a single reason;
///         KN_ERROR_WORLD_LOCKED once the library is finished
KN_API KN_MUST_USE kn_result kn_ability_fail_tag_set(
    kn_library *library, kn_fail reason, kn_tag tag);
/// Sets the tag of the dead: an entity with this tag counts as dead. All its abilities but those
/// with `works_when_dead` fail with KN_FAIL_DEAD. Null for none.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for an unknown tag; KN_ERROR_WORLD_LOCKED once the
///         library is finished
KN_API KN_MUST_USE kn_result kn_ability_dead_tag_set(kn_library *library, kn_tag tag);
/// The tag of the dead; null if the library has none.
KN_API kn_tag kn_ability_dead_tag(const kn_library *library);

// The definition ------------------------------------------------------------

/// What a running ability keeps, and how often it runs at once.
typedef enum kn_instancing {
    KN_INSTANCING_PER_ACTOR, ///< one activation at a time; its state is kept from one to the next
    /// Any number at once, each with a state of its own, zero at first.
    KN_INSTANCING_PER_EXECUTION,
    KN_INSTANCING_NONE, ///< no state and no tasks: over when its function returns
} kn_instancing;

/// Where an ability runs.
typedef enum kn_net_execution {
    KN_NET_EXECUTION_LOCAL_PREDICTED,  ///< on the owning client at once, then on the server
    KN_NET_EXECUTION_LOCAL_ONLY,       ///< only on the owning client
    KN_NET_EXECUTION_SERVER_ONLY,      ///< only on the server
    KN_NET_EXECUTION_SERVER_INITIATED, ///< on the server, then on the owning client
    KN_NET_EXECUTION_COUNT,            ///< number of the values above; not a value itself
} kn_net_execution;

/// What the server lets the owning client ask for.
typedef enum kn_net_security {
    KN_NET_SECURITY_CLIENT_OR_SERVER,        ///< no request is ignored
    KN_NET_SECURITY_SERVER_ONLY_EXECUTION,   ///< requests to start are ignored
    KN_NET_SECURITY_SERVER_ONLY_TERMINATION, ///< requests to cancel or end are ignored
    KN_NET_SECURITY_SERVER_ONLY_ALL,         ///< requests to start, cancel or end are ignored
    KN_NET_SECURITY_COUNT,                   ///< number of the values above; not a value itself
} kn_net_security;

/// What activates an ability that has a trigger.
typedef enum kn_trigger_source {
    KN_TRIGGER_SOURCE_EVENT,       ///< an event with `tag` or a tag below it
    KN_TRIGGER_SOURCE_TAG_ADDED,   ///< the owner gains `tag`
    KN_TRIGGER_SOURCE_TAG_REMOVED, ///< the owner loses `tag`
    /// The owner gains `tag`; the activation ends when the tag is lost, cancelable or not.
    KN_TRIGGER_SOURCE_TAG_PRESENT,
    KN_TRIGGER_SOURCE_COUNT, ///< number of the values above; not a value itself
} kn_trigger_source;

/// Something that activates an ability by itself.
typedef struct kn_trigger_def {
    kn_tag tag; ///< the event or tag that triggers the ability; required
    /// What triggers the ability: an event, or gaining, losing or having the tag; default event.
    kn_trigger_source source;
    /// Of several abilities the one with the higher priority is triggered first, then the one
    /// granted first; default 0.
    int32_t priority;
} kn_trigger_def;

/// A trigger with nothing set: all zero.
KN_API kn_trigger_def kn_trigger_def_default(void);

/// A cost of an ability. With `share_of` the amount is a share of that attribute; with `up_to` it
/// takes what is there, at least `minimum`, and the ability can read what was paid
/// (kn_activation_paid()).
typedef struct kn_cost_def {
    kn_attribute_id attribute; ///< the attribute that pays; required
    kn_scalable amount;        ///< amount to pay, by level; a negative one is gained; default 0
    /// The amount is a share of this attribute: 0.1 is a tenth of it; null: a plain number.
    kn_attribute_id share_of;
    bool up_to; ///< pay what is there, up to the amount, instead of refusing; default false
    kn_scalable minimum; ///< least that must be there, with `up_to`; default 0
    /// Transient value of the owner whose modifiers change the amount, without its sign; those that
    /// need an event do not take part; null: none.
    kn_value_id value;
} kn_cost_def;

/// A cost with nothing set: all zero.
KN_API kn_cost_def kn_cost_def_default(void);

/// When a use of an ability starts one of its cooldowns.
typedef enum kn_cooldown_start {
    KN_COOLDOWN_AT_COMMIT, ///< when the ability commits
    /// As soon as the ability is activated, as a global cooldown does. While it runs it refuses
    /// other activations, but not the first commit of the activation that started it.
    KN_COOLDOWN_AT_ACTIVATION,
    KN_COOLDOWN_START_COUNT, ///< number of the values above; not a value itself
} kn_cooldown_start;

/// A cooldown as charges. The plain kind has one charge that a use spends and a cycle returns.
/// Abilities with the same `key` share one record on their owner.
typedef struct kn_cooldown_def {
    /// Tag of a cooldown that all abilities with the same tag share; null: the ability's own.
    kn_tag key;
    /// Seconds until a spent charge returns, by level; 0 or less: at once; default 0.
    kn_scalable duration;
    /// Transient value of the owner whose modifiers change the duration; null: none.
    kn_value_id value;
    /// Attribute of the owner that is the speed of the cooldown, followed live: 2 is twice as fast;
    /// an owner without it counts as 1; null: none.
    kn_attribute_id rate;
    kn_scalable charges;  ///< most charges; default 1
    kn_scalable cost;     ///< charges that a use spends; default 1
    kn_scalable returned; ///< charges that return at a time; default 1
    /// Attribute of the owner that is the most charges, followed live, instead of `charges`, which
    /// counts for owners without it: those that are there stay, up to a lower maximum, and a cycle
    /// begins for those that are missing; null: none.
    kn_attribute_id charges_from;
    /// Transient value of the owner whose modifiers change `cost`; null: none.
    kn_value_id cost_value;
    /// Transient value of the owner whose modifiers change `returned`, evaluated when a use or a
    /// cycle begins; null: none.
    kn_value_id returned_value;
    bool restart_on_use; ///< each use starts the running cooldown again; default false
    kn_scalable spacing; ///< for bursts: seconds between two uses while charges are left; default 0
    /// Charges do not return one by one: all come back once the ability has not been used for
    /// `duration`; default false.
    bool all_after_idle;
    /// For networking: clients need not wait for the server to know the length; default true.
    bool predict_length;
    /// When a use starts the cooldown: at the commit, or already at the activation; default
    /// at_commit.
    kn_cooldown_start starts;
} kn_cooldown_def;

/// When an ability pays its cost and starts its cooldown.
typedef enum kn_commit_policy {
    KN_COMMIT_EXPLICIT, ///< when its function says so (kn_activation_commit())
    KN_COMMIT_AT_USE,   ///< before its function runs; checked once
} kn_commit_policy;

/// What an ability does by itself, without functions: it commits, applies what `applies` lists, and
/// stays active as long as stated here. Effects that are refused are passed over, as with
/// containers. An ability that applies everything to an event's target or instigator is refused
/// before it pays if there is none (KN_FAIL_NO_TARGET).
typedef enum kn_ability_body {
    /// Nothing: its functions, or the code that activates it, do everything and end it.
    KN_BODY_NONE,
    KN_BODY_USE,   ///< over at once
    KN_BODY_TIMED, ///< active for `lasts` seconds
    /// Active until its input is released. Ends at once if the input is not down, except on a
    /// server that started it for a client: there the client's release message ends it.
    KN_BODY_HELD,
    KN_BODY_EFFECTS, ///< active until the last of the effects it applied has ended
    KN_BODY_STAY,    ///< active until it is ended or cancelled, or the tag of its trigger is lost
    KN_BODY_COUNT,   ///< number of the values above; not a value itself
} kn_ability_body;

/// Who receives what a body applies.
typedef enum kn_apply_to {
    KN_APPLY_TO_OWNER, ///< the owner of the ability
    /// The targets that came with the event, else its target; nobody without an event.
    KN_APPLY_TO_TARGET,
    KN_APPLY_TO_INSTIGATOR, ///< the instigator of the event; nobody without an event
    KN_APPLY_TO_TARGETING,  ///< those that `targeting` finds, at once
    KN_APPLY_TO_COUNT,      ///< number of the values above; not a value itself
} kn_apply_to;

/// One thing that a body applies, as kn_activation_apply() would: the owner is the source, level
/// and caller values are the ability's, and the event's target data is passed on.
typedef struct kn_ability_apply_def {
    kn_effect_type_id effect;  ///< the effect to apply; this or `container` is required
    kn_container_id container; ///< a container to apply instead of one effect
    /// Who receives the effect; for a container with KN_CONTAINER_GIVEN, the targets it is given;
    /// default owner.
    kn_apply_to to;
    kn_targeting_id targeting; ///< finds the recipients, for KN_APPLY_TO_TARGETING
    /// Tag under which the effect reads the magnitude of the event; null: none.
    kn_tag magnitude_tag;
    /// The effect ends with the ability: one stack is removed when the activation ends, unless
    /// other activations still hold every stack. Not for KN_BODY_USE; default false.
    bool while_active;
} kn_ability_apply_def;

/// An entry with nothing set: all zero, to the owner.
KN_API kn_ability_apply_def kn_ability_apply_def_default(void);

/// What kn_ability_set_level() does to what runs.
typedef enum kn_level_up {
    KN_LEVEL_UP_RAISE,   ///< what runs goes on at the new level
    KN_LEVEL_UP_REGRANT, ///< what runs is cancelled, and the ability is granted anew
} kn_level_up;

/// Why an activation ended.
typedef enum kn_end_reason {
    KN_ENDED_DONE = 1,        ///< the ability ended it: its job is done
    KN_ENDED_CANCELLED,       ///< a hook of the ability, or game code, cancelled it
    KN_ENDED_BY_TAGS,         ///< another ability cancels those with its tags
    KN_ENDED_RETRIGGERED,     ///< the ability was activated again
    KN_ENDED_REMOVED,         ///< the ability was removed
    KN_ENDED_OWNER_GONE,      ///< the owner was destroyed
    KN_ENDED_FAILED,          ///< the commit was refused, or the activate hook did not return KN_OK
    KN_ENDED_TAG_LOST,        ///< the tag of its KN_TRIGGER_SOURCE_TAG_PRESENT trigger was lost
    KN_ENDED_REJECTED,        ///< the server refused what was predicted, see kn_peer_reject()
    KN_ENDED_REMOTE,          ///< the other side ended it, see kn_peer_end()
    KN_END_REASON_COUNT,      ///< number of the values above; not a value itself
    KN_END_REASON_LAST = 255, ///< the last number that a reason of a library can have
} kn_end_reason;

/// The words for a reason, such as "owner gone"; "" for a number that is not one. Scripts write `_`
/// for the blank, scenarios accept both. Valid forever.
KN_API const char *kn_end_reason_name(kn_end_reason reason);

/// A reason of a game or kit why an activation is cancelled, see kn_activation_cancel_with(). Start
/// from kn_end_reason_def_default().
typedef struct kn_end_reason_def {
    /// Unique name, for data, scenarios and scripts, such as `interrupted`; required.
    const char *name;
    kn_tag tag; ///< tag that stands for the reason; null: none
    /// What logs and printed events say; default: its name.
    const char *text;
    uint32_t cookie; ///< set by kn_end_reason_def_default(); do not change it
} kn_end_reason_def;

/// A reason with nothing set.
KN_API kn_end_reason_def kn_end_reason_def_default(void);
/// Registers a reason: it takes the next number from KN_END_REASON_COUNT on, in order of
/// registration.
/// @param reason receives its number; 0 on anything but KN_OK
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken, also by one of kn_end_reason;
///         KN_REFUSED_LIMIT beyond KN_END_REASON_LAST; KN_ERROR_BAD_DATA for an invalid name or
///         tag; KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED
///         once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_end_reason_register(
    kn_library *library, const kn_end_reason_def *def, kn_end_reason *reason, kn_error *error);
/// The reason with this name, one of kn_end_reason or of the library; `_` and blanks count as the
/// same. 0 when there is none.
KN_API kn_end_reason kn_end_reason_find(const kn_library *library, const char *name);
/// The words for a reason, of kn_end_reason or of the library; "" for a number that is not one.
/// Valid as long as the library.
KN_API const char *kn_library_end_reason_name(const kn_library *library, kn_end_reason reason);
/// The def of a reason as registered; it belongs to the library. NULL for those of kn_end_reason
/// and for a number that is not one.
KN_API const kn_end_reason_def *kn_end_reason_get_def(
    const kn_library *library, kn_end_reason reason);
/// True for every reason but KN_ENDED_DONE.
static inline bool kn_end_is_cancelled(kn_end_reason reason)
{
    return reason != KN_ENDED_DONE;
}

/// Collects what checks say; see kn_check_refuse().
typedef struct kn_check_answer kn_check_answer;

/// Arguments passed to a hook. Valid during the call.
typedef struct kn_ability_call {
    kn_world *world;             ///< the world the ability is in
    void *user;                  ///< the `user` of the ability def, or of the check
    kn_entity_id owner;          ///< the entity that has the ability
    kn_entity_id avatar;         ///< the owner's body; the owner itself if it has no other
    kn_ability_id ability;       ///< the ability the hook belongs to
    kn_activation_id activation; ///< the activation; null in hooks about the grant
    bool has_event;              ///< the activation was, or would be, triggered by an event
    /// In can_activate and checks: where kn_check_refuse() puts reasons; NULL in other hooks.
    kn_check_answer *answer;
} kn_ability_call;

typedef struct kn_task_result kn_task_result;
typedef struct kn_task_call kn_task_call;

/// Everything about one kind of ability. Parts that are not set cost nothing. Start from
/// kn_ability_def_default().
typedef struct kn_ability_def {
    const char *name; ///< unique name; required
    /// Another ability: data files start from its fields, and queries for it find this ability too
    /// (in C: registered before); may be NULL.
    const char *parent;

    kn_tags tags; ///< tags that describe the ability
    /// Activation cancels other abilities of the owner with any of these tags, never the ability
    /// itself.
    kn_tags cancel_with;
    /// While active, other abilities of the owner with any of these tags cannot start.
    kn_tags block_with;
    kn_tags owned_tags; ///< tags the owner has while the ability is active
    /// Tags the owner must have, or must not have, to activate the ability.
    kn_tag_requirement activation;
    /// Tags the instigator of the event must have, or must not have; for activations by an event.
    kn_tag_requirement source;
    /// Tags the target of the event must have, or must not have; for activations by an event.
    kn_tag_requirement target;

    /// An instant effect whose modifiers are part of the cost; null: none.
    kn_effect_type_id cost_effect;
    const kn_cost_def *costs; ///< what a commit of the ability costs, besides `cost_effect`
    uint32_t cost_count;      ///< number of entries in `costs`
    /// An effect that a commit applies and that grants the tags of the cooldown; it lasts, and has
    /// no executions; null: none.
    kn_effect_type_id cooldown_effect;
    /// Tag under which `cooldown_effect` reads `cooldown_duration`; null: none.
    kn_tag cooldown_caller_tag;
    kn_scalable cooldown_duration; ///< seconds passed to `cooldown_effect`, by level; default 0
    /// The ability is on cooldown while its owner has any of these tags, wherever they come from;
    /// those that `cooldown_effect` grants count too.
    kn_tags cooldown_tags;
    /// Cooldowns with charges; the ability is ready when each has enough.
    const kn_cooldown_def *cooldowns;
    uint32_t cooldown_count; ///< number of entries in `cooldowns`
    /// When the ability pays its cost and starts its cooldowns; default explicit.
    kn_commit_policy commit;

    /// What the ability does by itself, without functions: it pays at the start, whatever `commit`
    /// says, and must not have the functions `activate` and `activate_by_event`; default none.
    kn_ability_body body;
    /// What the ability applies when it has a `body`, in this order.
    const kn_ability_apply_def *applies;
    uint32_t apply_count; ///< number of entries in `applies`
    /// With KN_BODY_TIMED: seconds, by level at the start; 0 or less: over at once; default 0.
    kn_scalable lasts;

    const kn_trigger_def *triggers; ///< events and tags that activate the ability
    uint32_t trigger_count;         ///< number of entries in `triggers`
    /// How often the ability runs at once, and what it keeps; default per_actor.
    kn_instancing instancing;
    kn_net_execution net_execution; ///< where the ability runs; default local_predicted
    /// What the server lets the owning client ask for; default client_or_server.
    kn_net_security net_security;
    /// When the client ends or cancels the ability, the server does too (kn_peer_end()); default
    /// false.
    bool respects_remote_cancel;
    /// While the ability runs on a client, presses and releases of its input are sent to the
    /// server; default false.
    bool sends_input;
    /// The input does not activate the ability, it only reaches its tasks; default false.
    bool no_activation_by_input;
    /// The ability activates as soon as it is granted and its owner has a body, as passives do;
    /// default false.
    bool activates_on_grant;
    /// An activation while the ability is active ends the running one first; otherwise it is
    /// refused; default false.
    bool retriggers;
    /// The ability can be activated while its owner is dead (`dead_tag`); default false.
    bool works_when_dead;
    /// The ability is cancelled when its owner gets another body; default false.
    bool ends_with_avatar;
    kn_level_up level_up; ///< what a new level does to activations that run; default raise
    /// Number of the input that activates the ability, unless its grant names another; default 0:
    /// none.
    uint32_t input;
    uint32_t state_size; ///< bytes of state, at most 4096: plain data without pointers
    /// The fields of the state, in order, covering all of it: it is saved and dumped by name. None:
    /// it is saved as raw bytes.
    const kn_field *state_fields;
    uint32_t state_field_count; ///< number of entries in `state_fields`
    /// The state is zeroed at each activation, for KN_INSTANCING_PER_ACTOR; default false.
    bool resets_state;

    /// Carries out an activation. Anything but KN_OK cancels it (KN_ENDED_FAILED) and is what the
    /// activating call returns; an error is published as KN_EVENT_ERROR too.
    kn_result (*activate)(const kn_ability_call *call);
    /// Carries out an activation by an event; NULL: `activate` serves both. Without `activate` and
    /// `body`, activations without an event are refused (KN_FAIL_NO_TARGET).
    kn_result (*activate_by_event)(const kn_ability_call *call, const kn_event_record *event);
    /// Called before `activate`: owned tags are there, other abilities are cancelled.
    void (*pre_activate)(const kn_ability_call *call);
    /// Called exactly once for each activation; its tasks are over, its tags and block still there.
    /// Calls that remove or rearrange wait until the end is complete (docs/step-order.md, "A
    /// hook").
    void (*ended)(const kn_ability_call *call, kn_end_reason reason);
    /// Decides whether the ability may start, after everything but checks (kn_check_register());
    /// `event` is NULL for activations without one. kn_check_refuse() says why not; false alone is
    /// KN_FAIL_CUSTOM. Must be pure.
    bool (*can_activate)(const kn_ability_call *call, const kn_event_record *event);
    /// Returns whether an event is for this ability at all; called before all other tests. Must be
    /// pure.
    bool (*responds)(const kn_ability_call *call, const kn_event_record *event);
    /// Called after the ability was granted. Calls that remove or rearrange wait as in `ended`.
    void (*granted)(const kn_ability_call *call);
    /// Called before the ability is gone. Calls that remove or rearrange wait as in `ended`.
    void (*removed)(const kn_ability_call *call);
    /// Called once after the ability was granted, and when the owner gets another body. Calls that
    /// remove or rearrange wait as in `ended`.
    void (*avatar_set)(const kn_ability_call *call);
    /// Called after kn_ability_set_level() changed the level.
    void (*level_changed)(const kn_ability_call *call, float old_level);
    /// Called when the ability's input is pressed while it is active.
    void (*input_pressed)(const kn_ability_call *call);
    /// Called when the ability's input is released while it is active.
    void (*input_released)(const kn_ability_call *call);
    /// Called when a task of the activation reports a result, which is valid during the call.
    void (*task_done)(const kn_ability_call *call, const kn_task_result *result);
    void *user;      ///< passed to every hook
    uint32_t cookie; ///< set by kn_ability_def_default(); do not change it
} kn_ability_def;

/// An ability def with nothing set: per actor, locally predicted, committed by hooks.
KN_API kn_ability_def kn_ability_def_default(void);
/// A cooldown of one charge without a duration.
KN_API kn_cooldown_def kn_cooldown_def_default(void);
/// A cooldown of one charge that recharges in the given number of seconds.
KN_API kn_cooldown_def kn_cooldown_seconds(float seconds);
/// Registers an ability.
/// @return KN_OK; KN_ERROR_BAD_DATA for a def that makes no sense, and `error` names the field;
///         KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_ability_register(
    kn_library *library, const kn_ability_def *def, kn_ability_type_id *type, kn_error *error);
/// The ability type with this name. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_ability_type_id kn_ability_type_find(const kn_library *library, const char *name);
/// The name of an ability type; "" for null. Valid as long as the library.
KN_API const char *kn_ability_type_name(const kn_library *library, kn_ability_type_id type);
/// The def as registered; it belongs to the library. NULL when unknown.
KN_API const kn_ability_def *kn_ability_type_get_def(
    const kn_library *library, kn_ability_type_id type);

// Granting ------------------------------------------------------------------

/// One grant of an ability. Start from kn_ability_grant_def_default().
typedef struct kn_ability_grant_def {
    kn_ability_type_id type; ///< the ability to grant; required
    float level;             ///< level of the ability; default 1
    uint32_t input; ///< input to bind; KN_INPUT_FROM_DEF, the default: as the def says; 0: none
    kn_entity_id source; ///< who or what grants it; may be null, and may be destroyed later
    /// 64 bits of the host for who or what grants it; passed on to its effects.
    uint64_t source_object;
    uint64_t user;        ///< 64 bits for the host
    kn_tags dynamic_tags; ///< ability tags besides those of the def
    /// Caller values passed to every effect the ability applies.
    const kn_caller_value *caller_values;
    uint32_t caller_value_count; ///< at most KN_ABILITY_VALUES_MAX
    /// Parameters, by name, passed to every effect the ability applies; those that the application
    /// itself gives win.
    const kn_named_value *parameters;
    uint32_t parameter_count; ///< at most KN_ABILITY_VALUES_MAX
    /// An ability of this type that is there already is granted once more instead: it stays until
    /// each grant is revoked.
    bool share;
    uint32_t cookie; ///< set by kn_ability_grant_def_default(); do not change it
} kn_ability_grant_def;

/// As the input of a grant: the one in the ability's def.
#define KN_INPUT_FROM_DEF UINT32_MAX
/// Most caller values, and most parameters, of one ability, and most that a call may add to them.
#define KN_ABILITY_VALUES_MAX 32

/// A grant at level 1 with the input of the ability's def.
KN_API kn_ability_grant_def kn_ability_grant_def_default(void);
/// Grants an ability. An ability that activates on grant does so before this returns.
/// @param ability receives its id; null if its `granted` hook made it go at once; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DYING; KN_REFUSED_BAD_NUMBER for a level or
///         caller value or parameter that is not finite; KN_REFUSED_LIMIT for too many of them;
///         KN_REFUSED_BLOCKED on a client, unless the entity is its own (kn_entity_is_own());
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults or with an unknown type, tag or
///         name; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_ability_grant(kn_world *world, kn_entity_id entity,
    const kn_ability_grant_def *grant, kn_ability_id *ability);
/// Grants an ability, activates it once and removes it when that activation ends, or at once if it
/// does not start: then the result says why. `event` and `ability` may be NULL.
/// @return as kn_ability_grant() and kn_ability_activate()
KN_API KN_MUST_USE kn_result kn_ability_grant_once(kn_world *world, kn_entity_id entity,
    const kn_ability_grant_def *grant, const kn_event_record *event, kn_ability_id *ability);
/// Revokes one grant; the last one removes the ability as `removal` says. KN_GRANT_KEEP does
/// nothing.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for an unknown removal;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_revoke(
    kn_world *world, kn_ability_id ability, kn_grant_removal removal);
/// Removes an ability, however often it was granted. Results as kn_ability_revoke().
KN_API kn_result kn_ability_remove(
    kn_world *world, kn_ability_id ability, kn_grant_removal removal);

/// Everything worth knowing about a granted ability.
typedef struct kn_ability_info {
    kn_ability_type_id type; ///< the ability type it was granted from
    kn_entity_id owner;      ///< the entity that has the ability
    float level;             ///< level of the ability
    uint32_t input;          ///< input the ability is bound to; 0: none
    bool is_pressed;         ///< the input is down
    bool is_removing;        ///< the ability is removed when what runs has ended
    uint32_t grants;         ///< how often the ability is granted
    uint32_t active_count;   ///< number of running activations
    kn_activation_id latest; ///< the running activation that began last; null for none
    kn_entity_id source;     ///< who or what granted it; null for none and once it is gone
    uint64_t source_object;  ///< 64 bits of the host for who or what granted it
    uint64_t user;           ///< 64 bits for the host
    kn_effect_id effect;     ///< the effect that granted it; null for none
} kn_ability_info;

/// Fills `info` for a granted ability. False, and `info` unchanged, for a stale id.
KN_API bool kn_ability_get(const kn_world *world, kn_ability_id ability, kn_ability_info *info);
/// True until the ability is removed.
KN_API bool kn_ability_is_alive(const kn_world *world, kn_ability_id ability);
/// True while an activation of the ability runs.
KN_API bool kn_ability_is_active(const kn_world *world, kn_ability_id ability);
/// The type of a granted ability; null for a stale id.
KN_API kn_ability_type_id kn_ability_get_type(const kn_world *world, kn_ability_id ability);
/// The level of an ability; 0 for a stale id.
KN_API float kn_ability_level(const kn_world *world, kn_ability_id ability);
/// Sets the level, as the def's `level_up` says. Setting the same level changes nothing. `*ability`
/// is replaced by the new id if the ability was granted anew.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for NaN or infinity;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_set_level(kn_world *world, kn_ability_id *ability, float level);
/// Binds an ability to an input; 0: none. Another input counts as not pressed.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_set_input(kn_world *world, kn_ability_id ability, uint32_t input);
/// Sets the 64 bits that an ability keeps for the host.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_set_user(kn_world *world, kn_ability_id ability, uint64_t user);
/// Adds a tag to those that describe the ability. Adding one that is there changes nothing.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for a null or unknown tag;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_add_tag(kn_world *world, kn_ability_id ability, kn_tag tag);
/// Removes a tag that was added to the ability; those of its def stay.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if the tag was not added;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_remove_tag(kn_world *world, kn_ability_id ability, kn_tag tag);
/// True if the ability has the tag or one below it, by its def or added to it.
KN_API bool kn_ability_has_tag(const kn_world *world, kn_ability_id ability, kn_tag tag);
/// Sets a number under a tag for every effect the ability applies from now on. Setting the number
/// that is there changes nothing.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for NaN or infinity; KN_REFUSED_LIMIT
///         for more than KN_ABILITY_VALUES_MAX; KN_ERROR_INVALID_ARGUMENT for a null or unknown
///         tag; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_set_caller_value(
    kn_world *world, kn_ability_id ability, kn_tag tag, float value);
/// The number an ability has under a tag; `fallback` for a stale id or a missing value.
KN_API float kn_ability_caller_value(
    const kn_world *world, kn_ability_id ability, kn_tag tag, float fallback);

/// Sets a parameter for every effect the ability applies from now on. Setting the number that is
/// there changes nothing.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for NaN or infinity; KN_REFUSED_LIMIT
///         for more than KN_ABILITY_VALUES_MAX; KN_ERROR_INVALID_ARGUMENT for a null or unknown
///         name; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_set_parameter(
    kn_world *world, kn_ability_id ability, kn_name name, float value);
/// The number an ability has under a parameter's name; `fallback` for a stale id or a missing one.
KN_API float kn_ability_parameter(
    const kn_world *world, kn_ability_id ability, kn_name name, float fallback);

/// Which abilities of an entity. Every test that is set must hold; kn_ability_query_default()
/// matches all.
typedef struct kn_ability_query {
    /// Abilities of this type, or of one that descends from it by `parent`; null: any.
    kn_ability_type_id type;
    kn_tags all_tags;        ///< abilities that have all of these tags
    kn_tags any_tags;        ///< abilities that have any of these tags; empty: not tested
    kn_tags no_tags;         ///< abilities that have none of these tags
    uint32_t input;          ///< abilities bound to this input; 0: any
    kn_effect_id effect;     ///< abilities granted by this effect; null: any
    bool is_active;          ///< only abilities that run
    bool meets_tags;         ///< only abilities whose tag requirements are met now
    kn_activation_id ignore; ///< not the ability of this activation; null: none
    uint32_t cookie;         ///< set by kn_ability_query_default(); do not change it
} kn_ability_query;

/// A query that matches every ability.
KN_API kn_ability_query kn_ability_query_default(void);
/// The matching abilities of an entity in order of grant; a NULL query matches all. Returns how
/// many there are; at most `capacity` are written.
KN_API uint32_t kn_abilities_find(const kn_world *world, kn_entity_id entity,
    const kn_ability_query *query, kn_ability_id *out, uint32_t capacity);
/// Removes all abilities that match, as `removal` says. Returns how many; 0 for a stale id,
/// KN_GRANT_KEEP or a broken world.
KN_API uint32_t kn_abilities_remove(
    kn_world *world, kn_entity_id entity, const kn_ability_query *query, kn_grant_removal removal);

// Ability sets --------------------------------------------------------------

/// One ability of an ability set.
typedef struct kn_ability_set_entry {
    kn_ability_type_id type; ///< the ability to grant; required
    float level;             ///< level of the ability; default 1
    /// Number of the input to bind; 0: none; default: as the ability says (KN_INPUT_FROM_DEF).
    uint32_t input;
    /// Parameters, by name, that every effect the ability applies gets; at most 32.
    const kn_named_value *parameters;
    uint32_t parameter_count; ///< number of entries in `parameters`
} kn_ability_set_entry;

/// The abilities a character starts with.
typedef struct kn_ability_set_def {
    const char *name;                    ///< unique name; required
    const kn_ability_set_entry *entries; ///< the abilities of the set, granted in this order
    uint32_t entry_count;                ///< number of entries in `entries`
    uint32_t cookie;                     ///< set by kn_ability_set_def_default(); do not change it
} kn_ability_set_def;

/// An ability set without entries.
KN_API kn_ability_set_def kn_ability_set_def_default(void);
/// Registers an ability set.
/// @return KN_OK; KN_ERROR_BAD_DATA for an entry without an ability, or an invalid name;
///         KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_ability_set_register(
    kn_library *library, const kn_ability_set_def *def, kn_ability_set_id *set, kn_error *error);
/// The ability set with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_ability_set_id kn_ability_set_find(const kn_library *library, const char *name);
/// The name of an ability set; "" for null. Valid as long as the library.
KN_API const char *kn_ability_set_name(const kn_library *library, kn_ability_set_id set);
/// The def of an ability set as registered; it belongs to the library. NULL when unknown.
KN_API const kn_ability_set_def *kn_ability_set_get_def(
    const kn_library *library, kn_ability_set_id set);
/// Grants all abilities of a set, once. Writes at most `capacity` ids in the order of the set.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DUPLICATE if the entity has the set;
///         KN_REFUSED_DYING; KN_REFUSED_BLOCKED on a client, unless the entity is its own
///         (kn_entity_is_own()); KN_ERROR_INVALID_ARGUMENT for an unknown set;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_ability_set_grant(kn_world *world, kn_entity_id entity,
    kn_ability_set_id set, kn_ability_id *out, uint32_t capacity);
/// Removes the abilities that a set granted, as `removal` says.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if the entity does not have the set;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_set_remove(
    kn_world *world, kn_entity_id entity, kn_ability_set_id set, kn_grant_removal removal);

// Checking ------------------------------------------------------------------

/// All reasons against starting now, as kn_fail bits; 0 if there is none. Changes nothing. `event`
/// is what would trigger the ability, or NULL.
KN_API uint32_t kn_ability_check(
    const kn_world *world, kn_ability_id ability, const kn_event_record *event);
/// All reasons against starting now without the can_activate hook and KN_FAIL_NO_TARGET, as kn_fail
/// bits. The answer is kept until something it depends on changes: for user interfaces that ask
/// every frame. See KN_EVENT_ABILITY_STATUS.
KN_API uint32_t kn_ability_status(kn_world *world, kn_ability_id ability);
/// The tags for a set of reasons, as far as the library has them. Returns how many there are; at
/// most `capacity` are written.
KN_API uint32_t kn_ability_fail_tags(
    const kn_world *world, uint32_t reasons, kn_tag *out, uint32_t capacity);
/// The result an activation returns for a set of reasons.
/// @return KN_OK for 0; otherwise the refusal of the lowest bit, which is the most serious
KN_API kn_result kn_fail_result(uint32_t reasons);

/// One line of an answer to "why can I not use it?". Fields that do not apply are zero.
typedef struct kn_refusal_line {
    kn_fail reason;            ///< one reason
    kn_tag tag;                ///< the tag that is there, or missing
    kn_attribute_id attribute; ///< the attribute that cannot pay
    float have;                ///< value of the attribute, or charges
    float need;                ///< value or charges needed
    kn_time remaining;         ///< time left of the cooldown
    kn_time total;             ///< whole length of the cooldown
    kn_effect_id effect;       ///< the effect behind it; null for none
    kn_ability_id ability;     ///< the ability behind it; null for none
    kn_check_id check;         ///< the check that refuses; null for none
    kn_entity_id source;       ///< the source of a kn_abilities_block(); null for none
    /// The key of a kn_abilities_block(); 0 for none. A check that sets it speaks for the block:
    /// text leaves out what the block itself would say about `tag` and those below it.
    uint64_t key;
    /// What the refusing hook says about it, at most KN_REFUSAL_TEXT_MAX - 1 bytes; "" for nothing.
    char text[KN_REFUSAL_TEXT_MAX];
} kn_refusal_line;

/// A condition for abilities from somebody else than their def: a kit, a game mode. Any number may
/// exist for an ability; each may add reasons. Start from kn_check_def_default().
typedef struct kn_check_def {
    const char *name; ///< unique name; required
    /// Only abilities of this type, or of one that descends from it by `parent`; null: any.
    kn_ability_type_id ability;
    /// Only abilities whose tags match, those added to them included; NULL: any.
    const kn_tag_query *tags;
    /// Of several checks the one with the higher priority comes first, then the one registered
    /// first; default 0.
    int32_t priority;
    /// A condition that must hold (an expression or a function): its instigator is the owner of the
    /// ability, its target that of the event, or the owner; everything else is the event's; null:
    /// none.
    kn_condition_id condition;
    /// Name of the reason if the condition does not hold or the function returns false, such as
    /// `silenced`: a fail reason of the library, or a built-in one; default `custom`.
    const char *reason;
    /// Decides whether the ability may start, after its can_activate hook; kn_check_refuse() adds
    /// reasons, false alone adds `reason`. `event` is NULL for activations without one. Must be
    /// pure. May be NULL if there is a condition.
    bool (*check)(const kn_ability_call *call, const kn_event_record *event);
    void *user;      ///< passed to `check`
    uint32_t cookie; ///< set by kn_check_def_default(); do not change it
} kn_check_def;

/// A check of all abilities with nothing else set.
KN_API kn_check_def kn_check_def_default(void);
/// Registers a check. kn_library_finish() refuses one whose `reason` does not exist.
/// @return KN_OK; KN_ERROR_BAD_DATA for neither condition nor function, or an invalid name or
/// field;
///         KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_check_register(
    kn_library *library, const kn_check_def *def, kn_check_id *check, kn_error *error);
/// The check with this name. Null when there is none; a finished library then logs a warning, once
/// per name.
KN_API kn_check_id kn_check_find(const kn_library *library, const char *name);
/// The name of a check; "" for null. Valid as long as the library.
KN_API const char *kn_check_name(const kn_library *library, kn_check_id check);
/// The def of a check as registered; it belongs to the library. NULL when unknown.
KN_API const kn_check_def *kn_check_get_def(const kn_library *library, kn_check_id check);
/// For can_activate hooks and checks: refuses the activation, with whatever of `line` is set. The
/// reason may be one of the library's (kn_fail_register()); anything but a single known reason
/// counts as KN_FAIL_CUSTOM. `check` is filled in. May be called several times.
/// @param answer the one in the kn_ability_call; NULL is ignored
/// @param line copied
KN_API void kn_check_refuse(kn_check_answer *answer, const kn_refusal_line *line);

/// Every reason against starting now, with the tags and numbers behind it. `event` is what would
/// trigger the ability, or NULL. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_ability_explain(const kn_world *world, kn_ability_id ability,
    const kn_event_record *event, kn_refusal_line *out, uint32_t capacity);
/// Explains why an ability cannot start as text: "Meteor: on cooldown for 3.2 of 8 s; needs 40
/// Mana, has 12", or "Meteor: ready". Returns the full length; the text is truncated to `size`
/// bytes including the final zero.
KN_API uint32_t kn_ability_explain_print(const kn_world *world, kn_ability_id ability,
    const kn_event_record *event, char *text, uint32_t size);

// Activating ----------------------------------------------------------------

/// Activates an ability. On refusal nothing has changed, and KN_EVENT_ABILITY_FAILED has the
/// reasons.
/// @param event what it is activated with, or NULL; copied
/// @param activation receives the activation, which may be over already; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED, _REQUIREMENT, _COOLDOWN, _COST, _CUSTOM,
///         _DYING, _DUPLICATE (it is active) or _NOT_FOUND (the event is not for it), see
///         kn_fail_result(); KN_REFUSED_LIMIT in too long a chain; KN_REFUSED_BAD_NUMBER or
///         KN_ERROR_INVALID_ARGUMENT for a bad event; what its activate hook returned, after which
///         the activation is over; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_activate(kn_world *world, kn_ability_id ability,
    const kn_event_record *event, kn_activation_id *activation);
/// Activates an ability for the first of its triggers `tag_added` and `tag_present` whose tag the
/// owner has already, as if it had gained the tag now: for abilities that are granted later than
/// the tag came. For `tag_present`, the activation ends when the tag is lost.
/// @param activation receives the activation, which may be over already; may be NULL
/// @return as kn_ability_activate(); KN_REFUSED_NOT_FOUND without such a trigger
KN_API kn_result kn_ability_activate_by_tag(
    kn_world *world, kn_ability_id ability, kn_activation_id *activation);
/// Activates the first ability of a type, or of one that descends from it, that can be activated.
/// @return as kn_ability_activate(), for the first one if none can; KN_REFUSED_NOT_FOUND if the
///         entity has none of the type
KN_API kn_result kn_ability_activate_type(
    kn_world *world, kn_entity_id entity, kn_ability_type_id type, kn_activation_id *activation);
/// Tries to activate every ability that has all of the tags. `activated` counts successes; may be
/// NULL.
/// @return KN_OK if at least one was activated; otherwise why the last one was not, or
///         KN_REFUSED_NOT_FOUND if there is none; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_activate_tags(
    kn_world *world, kn_entity_id entity, kn_tags tags, uint32_t *activated);

/// True until the activation has ended.
KN_API bool kn_activation_is_alive(const kn_world *world, kn_activation_id activation);
/// The ability of an activation; null for a stale id.
KN_API kn_ability_id kn_activation_ability(const kn_world *world, kn_activation_id activation);
/// The owner of the ability of an activation; null for a stale id.
KN_API kn_entity_id kn_activation_owner(const kn_world *world, kn_activation_id activation);
/// Simulated time at which the activation began; 0 for a stale id.
KN_API kn_time kn_activation_start(const kn_world *world, kn_activation_id activation);
/// The state block of an activation, zero at first; NULL if the def has none, or for a stale id.
/// Valid until the next call that may create something.
KN_API void *kn_activation_state(kn_world *world, kn_activation_id activation);
/// The state block of an activation, for reading; NULL if the def has none, or for a stale id.
/// Valid until the next call that may create something.
KN_API const void *kn_activation_read_state(const kn_world *world, kn_activation_id activation);
/// The event that triggered an activation; false if none did. The views in `event` are valid until
/// the next call that may create something.
KN_API bool kn_activation_event(
    const kn_world *world, kn_activation_id activation, kn_event_record *event);
/// Running activations of an entity, in the order they began. Returns how many there are; at most
/// `capacity` are written.
KN_API uint32_t kn_activations(
    const kn_world *world, kn_entity_id entity, kn_activation_id *out, uint32_t capacity);

/// A seed for the random numbers of one activation: equal on server and client, different in every
/// match (the world's seed is the salt) and for every use of every ability, however many others
/// were refused before. It stays the same while the activation runs, across saves. 0 for a stale
/// id.
KN_API uint64_t kn_activation_seed(const kn_world *world, kn_activation_id activation);
/// A random number of one activation, uniform over the multiples of 2^-24 in [0, 1): mixed from its
/// seed and an index with integers alone, so equal on every machine. It draws from no stream of the
/// world and leaves no trace: the same seed and index always give the same number. Use another
/// index for each purpose. 0 for an activation that is over.
KN_API float kn_activation_random(
    const kn_world *world, kn_activation_id activation, uint32_t index);

/// Applies an effect as the ability: its owner is the source, its level and caller values are
/// passed on, and the context names it. `effect` may be NULL. Results as kn_effect_apply();
/// KN_REFUSED_STALE_ID also for a stale activation.
KN_API kn_result kn_activation_apply(kn_world *world, kn_activation_id activation,
    kn_effect_type_id type, kn_entity_id target, kn_effect_id *effect);
/// Applies an effect as the ability, with everything else as given: source and level are the
/// ability's, and caller values under the same tag replace its own. Results as
/// kn_activation_apply(); KN_REFUSED_LIMIT also for more caller values than KN_ABILITY_VALUES_MAX.
KN_API kn_result kn_activation_apply_def(kn_world *world, kn_activation_id activation,
    const kn_effect_apply_def *apply, kn_effect_id *effect);
/// Applies a list as the body of an ability does (kn_ability_def.applies), at any time while the
/// activation runs: for rules of kits that have such lists in definitions of their own. Recipients
/// and `magnitude_tag` are those of the event of the activation; an effect with `while_active` ends
/// with the activation, and an activation that waits for its effects (KN_BODY_EFFECTS) waits for
/// these too. Effects that are refused are passed over. If an effect ends the activation, the rest
/// of the list is passed over.
/// @param applies the entries, applied in this order; may be NULL if `count` is 0
/// @return KN_OK, whatever was refused; KN_REFUSED_STALE_ID for an activation that is over or
///         ending; KN_ERROR_INVALID_ARGUMENT for an entry that an ability could not have: with
///         neither effect nor container, both, or one that is unknown, and so on; then nothing is
///         applied. If nothing can wait for the end of an effect, it is removed again if it has
///         `while_active`, and the rest of the list is passed over: KN_REFUSED_BLOCKED for an
///         ability without instances, KN_REFUSED_LIMIT for more tasks than the world allows.
///         KN_ERROR_OUT_OF_MEMORY likewise in the middle of the list; KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_activation_apply_all(kn_world *world, kn_activation_id activation,
    const kn_ability_apply_def *applies, uint32_t count);

// Committing ----------------------------------------------------------------

/// Pays the cost and starts the cooldowns, after checking both once more. On refusal nothing has
/// changed, the activation goes on, and KN_EVENT_ABILITY_FAILED has the reasons.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_COOLDOWN; KN_REFUSED_COST;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_activation_commit(kn_world *world, kn_activation_id activation);
/// Pays the cost alone. Results as kn_activation_commit(), but never KN_REFUSED_COOLDOWN.
KN_API KN_MUST_USE kn_result kn_activation_commit_cost(
    kn_world *world, kn_activation_id activation);
/// Starts the cooldowns alone. Results as kn_activation_commit(), but never KN_REFUSED_COST.
KN_API KN_MUST_USE kn_result kn_activation_commit_cooldown(
    kn_world *world, kn_activation_id activation);
/// Starts one cooldown of the ability alone, after checking it: the one with `key`, or with a null
/// key the ability's own. It is remembered: the first kn_activation_commit() or
/// kn_activation_commit_cooldown() after it checks and starts only the others. Results as
/// kn_activation_commit_cooldown(); KN_REFUSED_NOT_FOUND if its def has no such cooldown;
/// KN_REFUSED_LIMIT for one beyond the first 32 of its def.
KN_API KN_MUST_USE kn_result kn_activation_commit_cooldown_key(
    kn_world *world, kn_activation_id activation, kn_tag key);

/// Parts of a commit, as bits.
typedef enum kn_commit_part {
    KN_COMMIT_COST = 1 << 0,     ///< pay the cost
    KN_COMMIT_COOLDOWN = 1 << 1, ///< start the cooldowns
    KN_COMMIT_ALL = 3,           ///< pay the cost and start the cooldowns
} kn_commit_part;

/// Commits some or all parts with tags. The tags in `relevant` are published with
/// KN_EVENT_ABILITY_COMMITTED, or with KN_EVENT_ABILITY_FAILED if it is refused. On refusal the
/// tags of the reasons (kn_ability_fail_tag()) and of the cooldowns that are not ready are added to
/// it first, as far as there is room; otherwise it stays as it is.
/// @param parts kn_commit_part bits, at least one
/// @param relevant may be NULL
/// @return as kn_activation_commit(); KN_ERROR_INVALID_ARGUMENT for unknown parts or tags
KN_API KN_MUST_USE kn_result kn_activation_commit_tagged(
    kn_world *world, kn_activation_id activation, uint32_t parts, kn_tag_set *relevant);
/// The tags that an event of the last step was published with: those of a commit with tags, and for
/// a refused activation those that its can_activate hook and checks gave; else none. Valid until
/// the next step.
KN_API kn_tags kn_ability_event_tags(const kn_world *world, const kn_event *event);
/// What can_activate hooks and checks said against a refused activation (kn_check_refuse()), for a
/// KN_EVENT_ABILITY_FAILED of the last step: reason, tag, numbers and text, at most 8 lines.
/// Returns how many there are; at most `capacity` are written. 0 for any other event.
KN_API uint32_t kn_ability_event_lines(
    const kn_world *world, const kn_event *event, kn_refusal_line *out, uint32_t capacity);

/// How much the activation has paid of an attribute so far; 0 for a stale id.
KN_API float kn_activation_paid(
    const kn_world *world, kn_activation_id activation, kn_attribute_id attribute);
/// Gives back a share, 0 to 1, of what was paid, such as when the action misses.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for any other share;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_activation_refund(kn_world *world, kn_activation_id activation, float share);

/// The cost of an ability in one attribute.
typedef struct kn_cost_quote {
    kn_attribute_id attribute; ///< the attribute that pays
    float amount;              ///< what would be taken; negative: gained
    float have;                ///< base value of the attribute now
    bool is_affordable;        ///< the attribute can pay
} kn_cost_quote;

/// What the ability would cost now, per attribute. Returns how many there are; at most `capacity`
/// are written. 0 for a stale id.
KN_API uint32_t kn_ability_quote(
    const kn_world *world, kn_ability_id ability, kn_cost_quote *out, uint32_t capacity);

// Cooldowns -----------------------------------------------------------------

/// The state of one cooldown.
typedef struct kn_cooldown_info {
    kn_tag key;           ///< the shared key; null for an ability's own cooldown
    uint32_t charges;     ///< charges there are now
    uint32_t max_charges; ///< most charges at the ability's level
    /// Time left of the running cycle; 0 when none runs, KN_TIME_INFINITE if its speed is 0.
    kn_time remaining;
    kn_time total; ///< whole length of the running cycle
    kn_time wait;  ///< time until a use is possible, as things stand
} kn_cooldown_info;

/// The ability's cooldowns: its charge records, then effects that grant one of its cooldown tags.
/// Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_ability_cooldowns(
    const kn_world *world, kn_ability_id ability, kn_cooldown_info *out, uint32_t capacity);
/// The cooldown of the ability with the longest wait: time left and whole length. False, and 0 for
/// both, when the ability is ready.
KN_API bool kn_ability_cooldown(
    const kn_world *world, kn_ability_id ability, kn_time *remaining, kn_time *total);
/// The longest wait of all shared charge records and effects of an entity with any of these tags.
/// False, and 0 for both, when there is none or no tag was given.
KN_API bool kn_cooldown_remaining(
    const kn_world *world, kn_entity_id entity, kn_tags tags, kn_time *remaining, kn_time *total);
/// The charges of the ability's own record (null key), or of the shared one with `key`. False, and
/// `info` unchanged, if its def has no such cooldown.
KN_API bool kn_ability_charges(
    const kn_world *world, kn_ability_id ability, kn_tag key, kn_cooldown_info *info);
/// Adds charges (removes them, below 0), within 0 and the maximum.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if its def has no cooldown with `key`;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_add_charges(
    kn_world *world, kn_ability_id ability, kn_tag key, int32_t charges);
/// Restores all charges and stops the cycle. Results as kn_ability_add_charges().
KN_API kn_result kn_ability_reset_cooldown(kn_world *world, kn_ability_id ability, kn_tag key);
/// Adds `delta` to the time left of the running cycle. A reduction beyond its end is carried over
/// to the cycles that follow, as long as charges are missing; a `floor` above 0 is the least that
/// stays of it. Results as kn_ability_add_charges(); KN_REFUSED_NOT_FOUND also when no cycle runs.
KN_API kn_result kn_ability_change_cooldown(
    kn_world *world, kn_ability_id ability, kn_tag key, kn_time delta, kn_time floor);
/// Multiplies the time left of the running cycle by `factor`. Results as
/// kn_ability_change_cooldown(); KN_REFUSED_BAD_NUMBER for a factor below 0 or not finite.
KN_API kn_result kn_ability_scale_cooldown(
    kn_world *world, kn_ability_id ability, kn_tag key, float factor);

// Ending --------------------------------------------------------------------

/// Ends an activation as done. Ending one that is already ending changes nothing.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_activation_end(kn_world *world, kn_activation_id activation);
/// Cancels an activation: it ends as KN_ENDED_CANCELLED.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED if it is not cancelable;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_activation_cancel(kn_world *world, kn_activation_id activation);
/// Why an activation is cancelled, and who cancels it. All who learn of its end can read it: the
/// `ended` hook (kn_activation_get_cancel()), KN_EVENT_ABILITY_ENDED, rules about
/// KN_TRIGGER_ABILITY_ENDED, and tasks that wait for the end (KN_TASK_ABILITY_ENDED). Start from
/// kn_cancel_default().
typedef struct kn_cancel {
    /// KN_ENDED_CANCELLED, the default, or a reason of the library (kn_end_reason_register()).
    kn_end_reason reason;
    kn_entity_id instigator; ///< who cancels it; may be null
    kn_tag tag;              ///< what it is about, such as the kind of interrupt; null: nothing
    float number;            ///< a number for those who react to it; finite; default 0
    uint32_t cookie;         ///< set by kn_cancel_default(); do not change it
} kn_cancel;

/// A cancel without an instigator: KN_ENDED_CANCELLED.
KN_API kn_cancel kn_cancel_default(void);
/// Cancels an activation with a reason and an instigator. In a hook inside an operation it waits as
/// kn_activation_cancel() does, with everything in `cancel`.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED if it is not cancelable;
///         KN_REFUSED_BAD_NUMBER for a number that is not finite; KN_ERROR_INVALID_ARGUMENT for a
///         cancel without its defaults, an unknown tag, or a reason that is neither
///         KN_ENDED_CANCELLED nor one of the library; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_activation_cancel_with(
    kn_world *world, kn_activation_id activation, const kn_cancel *cancel);
/// While an activation ends, in its `ended` hook and those of its tasks: why, and if it was
/// cancelled with a kn_cancel, who did it and the rest. False, and zeroes, for one that is not
/// ending.
KN_API bool kn_activation_get_cancel(
    const kn_world *world, kn_activation_id activation, kn_cancel *cancel);
/// Sets whether an activation can be cancelled; true at first. While false, cancelling is refused
/// with KN_REFUSED_BLOCKED, and cancelling by tags or queries passes it over. It still ends with
/// its owner and its ability, when it is retriggered, and when the tag of its
/// KN_TRIGGER_SOURCE_TAG_PRESENT trigger is lost.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_activation_set_cancelable(
    kn_world *world, kn_activation_id activation, bool is_cancelable);
/// Lifts, or restores, the block of an activation on other abilities while it runs on.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_activation_set_blocking(
    kn_world *world, kn_activation_id activation, bool is_blocking);
/// Blocks ability tags of an entity: abilities with one of the tags, or a tag below it, cannot
/// start (KN_FAIL_BLOCKED) until the same source lifts the block with the same key. Others that
/// block the same tags, abilities and effects included, are independent of it. What runs goes on.
/// The block ends with `source`, and with `entity`. A tag that this source blocks already under
/// this key stays blocked once. Abilities that this changes publish KN_EVENT_ABILITY_STATUS.
/// @param tags at least one
/// @param source who blocks; null: nobody, the key alone tells the block from others
/// @param key a number of yours for blocks of one source that are lifted apart; 0 is one too
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale entity or source; KN_REFUSED_DYING;
///         KN_ERROR_INVALID_ARGUMENT for no tags, or unknown ones; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_abilities_block(
    kn_world *world, kn_entity_id entity, kn_tags tags, kn_entity_id source, uint64_t key);
/// Lifts blocks that kn_abilities_block() put on an entity with this source and key. Those of
/// others stay. kn_entity_blocked_tags() lists all of them.
/// @param tags exactly these tags; empty: all that this source blocks with this key
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale entity or source; KN_REFUSED_NOT_FOUND if this
///         source blocks none of them with this key; KN_ERROR_INVALID_ARGUMENT for unknown tags;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_abilities_unblock(
    kn_world *world, kn_entity_id entity, kn_tags tags, kn_entity_id source, uint64_t key);
/// Cancels all cancelable activations of an ability.
/// @return KN_OK, also if none ran; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_cancel(kn_world *world, kn_ability_id ability);
/// Cancels all cancelable activations of an ability with a reason and an instigator. Results as
/// kn_activation_cancel_with(), but KN_OK also if none ran or could be cancelled.
KN_API kn_result kn_ability_cancel_with(
    kn_world *world, kn_ability_id ability, const kn_cancel *cancel);
/// Cancels the cancelable activations of every ability that matches; NULL for all. Returns how
/// many.
KN_API uint32_t kn_abilities_cancel(
    kn_world *world, kn_entity_id entity, const kn_ability_query *query);
/// Cancels the cancelable activations of every ability that matches, with a reason and an
/// instigator, as kn_activation_cancel_with(); a NULL query matches all. Returns how many; 0 for a
/// cancel that kn_activation_cancel_with() would not accept.
KN_API uint32_t kn_abilities_cancel_with(
    kn_world *world, kn_entity_id entity, const kn_ability_query *query, const kn_cancel *cancel);

// Input ---------------------------------------------------------------------

/// Sets which inputs are "confirm" and "cancel" of an entity; 0: none. Repeating a call changes
/// nothing.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_input_bind(
    kn_world *world, kn_entity_id entity, uint32_t confirm, uint32_t cancel);
/// Presses an input. If it is the confirm or cancel input and a task waits for that, the task gets
/// it. Otherwise it goes to every ability bound to it: active ones are notified, others are
/// activated. Refused activations are not reported here, see KN_EVENT_ABILITY_FAILED.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for input 0;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_input_press(kn_world *world, kn_entity_id entity, uint32_t input);
/// Presses an input with data: abilities that it activates see `event` as their event. Results as
/// kn_input_press(); KN_REFUSED_BAD_NUMBER or KN_ERROR_INVALID_ARGUMENT for a bad event.
KN_API kn_result kn_input_press_with(
    kn_world *world, kn_entity_id entity, uint32_t input, const kn_event_record *event);
/// Releases an input: active abilities bound to it are notified. Results as kn_input_press().
KN_API kn_result kn_input_release(kn_world *world, kn_entity_id entity, uint32_t input);
/// Confirms without an input: tasks of the entity that wait for it get it. On a server, targeting
/// whose type has `server_looks` looks again first.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if no task waits;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_input_confirm(kn_world *world, kn_entity_id entity);
/// Cancels without an input: tasks of the entity that wait for it get it. Results as
/// kn_input_confirm().
KN_API kn_result kn_input_cancel(kn_world *world, kn_entity_id entity);

// Roles ---------------------------------------------------------------------

/// What this machine is to an entity.
typedef enum kn_net_role {
    /// This machine's state wins and it controls the entity: single player, AI, a host's own
    /// player.
    KN_ROLE_AUTHORITY,
    KN_ROLE_SERVER,   ///< this machine's state wins, and a client controls the entity
    KN_ROLE_OWNER,    ///< the client that controls the entity
    KN_ROLE_OBSERVER, ///< any other client; runs no abilities
    KN_ROLE_COUNT,    ///< number of the values above; not a value itself
} kn_net_role;

/// What a machine asks for.
typedef enum kn_net_request {
    KN_REQUEST_ACTIVATE, ///< to activate an ability
    KN_REQUEST_CANCEL,   ///< to cancel an activation
    KN_REQUEST_END,      ///< to end an activation as done
    KN_REQUEST_COUNT,    ///< number of the values above; not a value itself
} kn_net_request;

/// The answer to a request.
typedef enum kn_net_verdict {
    KN_NET_VERDICT_REFUSE,       ///< refuse it: not here, or not for this sender
    KN_NET_VERDICT_RUN,          ///< do it here only
    KN_NET_VERDICT_RUN_AND_SEND, ///< do it here now, and notify the other side
    KN_NET_VERDICT_REQUEST,      ///< ask the other side to do it
    KN_NET_VERDICT_COUNT,        ///< number of the values above; not a value itself
} kn_net_verdict;

/// Where a request comes from.
typedef enum kn_net_origin {
    KN_NET_ORIGIN_HERE,  ///< code on this machine
    KN_NET_ORIGIN_PEER,  ///< the other side, by message
    KN_NET_ORIGIN_COUNT, ///< number of the values above; not a value itself
} kn_net_origin;

/// Decides about a request by the policies of an ability and the role of this machine. The single
/// authority on policies: docs/net-policies.md is printed from it. KN_NET_VERDICT_REFUSE for
/// numbers out of range.
KN_API kn_net_verdict kn_net_decide(kn_net_request request, kn_net_origin origin, kn_net_role role,
    kn_net_execution execution, kn_net_security security);
/// What a client asks the server to do for one ability, as bits, carried out from the lowest to the
/// highest.
typedef enum kn_request_part {
    KN_REQUEST_PART_ACTIVATE = 1 << 0, ///< activate the ability
    KN_REQUEST_PART_TARGETS = 1 << 1,  ///< use these targets, see kn_request_targets()
    KN_REQUEST_PART_CONFIRM = 1 << 2,  ///< use the targets that the server finds itself
    KN_REQUEST_PART_DECLINE = 1 << 3,  ///< the player cancelled targeting
    /// The input was pressed while the ability runs; abilities that send their input.
    KN_REQUEST_PART_PRESS = 1 << 4,
    /// The input was released; abilities that send their input, and KN_BODY_HELD.
    KN_REQUEST_PART_RELEASE = 1 << 5,
    KN_REQUEST_PART_END = 1 << 6,    ///< end the activation
    KN_REQUEST_PART_CANCEL = 1 << 7, ///< cancel the activation
    /// The activation is at a sync point: see `use` and `point` of the request. Always alone. On a
    /// server: it has passed one on which the client waits.
    KN_REQUEST_PART_SYNC = 1 << 8,
} kn_request_part;

/// Allows or forbids batches for an entity. On a client, what its own abilities do that the server
/// has to know is published as KN_EVENT_REQUEST, one per action; a transport sends them. While a
/// batch is open, the actions of one ability become one request: a shot is one message, not three.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_entity_allow_batches(kn_world *world, kn_entity_id entity, bool allowed);
/// Opens a batch for an ability; one that is open is closed first. Without permission (see
/// kn_entity_allow_batches()) none is opened.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_batch_begin(kn_world *world, kn_ability_id ability);
/// Closes the open batch and publishes what it holds, if anything.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_ability_batch_end(kn_world *world);
/// The target data of a KN_EVENT_REQUEST of the last step, and its bytes in `*size`; NULL, and 0,
/// if it has none. Valid until the next step.
KN_API const void *kn_request_targets(const kn_world *world, const kn_event *event, uint32_t *size);
/// The event that the ability of a KN_EVENT_REQUEST of the last step was activated with: what a
/// transport passes to kn_peer_activate() on the server. False, and a default record, if the
/// request has no KN_REQUEST_PART_ACTIVATE or the activation no event. The views in `record` are
/// valid until the next step.
KN_API bool kn_request_event(const kn_world *world, const kn_event *event, kn_event_record *record);

/// For a transport: activates an ability because the other side asked for it, if kn_net_decide()
/// lets the sender ask and everything else holds here too. On a server the sender is the client
/// with this connection, on a client the server, connection 0. This and the other kn_peer_*
/// functions trust nothing in a message: ids may be stale or invented, events garbage, the sender
/// somebody else's client.
/// @return as kn_ability_activate(); KN_REFUSED_BLOCKED for a sender without permission;
///         KN_ERROR_BAD_DATA for an event whose target data is malformed
KN_API kn_result kn_peer_activate(kn_world *world, uint32_t connection, kn_ability_id ability,
    const kn_event_record *event, kn_activation_id *activation);
/// For a transport, on a server: presses an input because the client that controls the entity asks
/// for it. As kn_input_press_with(), but what it activates is activated as by kn_peer_activate().
/// `event` may be NULL.
/// @return as kn_input_press_with(); KN_REFUSED_BLOCKED for a sender without permission;
///         KN_ERROR_BAD_DATA for an event whose target data is malformed
KN_API kn_result kn_peer_press(kn_world *world, uint32_t connection, kn_entity_id entity,
    uint32_t input, const kn_event_record *event);
/// For a transport: ends an activation as KN_ENDED_REMOTE, because it ended or was cancelled on the
/// other side. A server does so only for abilities with `respects_remote_cancel`.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED for a sender without permission, or if it
///         is not cancelable; it runs on then; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_peer_end(
    kn_world *world, uint32_t connection, kn_activation_id activation, bool is_cancelled);
/// For a transport: the other side is at a sync point, or has passed one on which this side waits;
/// see KN_TASK_NET_SYNC. One that is not reached here yet is kept until it is. On a server the
/// sender is the client with this connection, on a client the server, connection 0.
/// @param use number of the command that began the activation (kn_activation_key()); 0: the latest
///            one of the ability without a command
/// @param point number of the sync point among those of the activation, from 0
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale ability; KN_REFUSED_NOT_FOUND if there is no such
///         activation; KN_REFUSED_BLOCKED for a sender without permission; KN_REFUSED_LIMIT for a
///         point far ahead; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_peer_sync(
    kn_world *world, uint32_t connection, kn_ability_id ability, uint32_t use, uint32_t point);
/// For a transport, on a client: the server runs what was predicted too. Publishes
/// KN_EVENT_ABILITY_CONFIRMED, once; repeating the call changes nothing.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED if it was not predicted here;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_peer_confirm(kn_world *world, kn_activation_id activation);
/// For a transport, on a client: the server has refused what was predicted. The activation ends at
/// once as KN_ENDED_REJECTED, cancelable or not. What it changed is undone by restoring a snapshot.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED if it was not predicted here, or is
///         confirmed; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_peer_reject(kn_world *world, kn_activation_id activation);

/// What an activation is to this machine.
typedef enum kn_activation_mode {
    KN_ACTIVATION_MODE_NONE,       ///< a stale id
    KN_ACTIVATION_MODE_AUTHORITY,  ///< what it does counts: on a server, or nobody else runs it
    KN_ACTIVATION_MODE_PREDICTING, ///< a client runs ahead of the server
    KN_ACTIVATION_MODE_CONFIRMED,  ///< predicted, and the server runs it too
    KN_ACTIVATION_MODE_REJECTED,   ///< predicted, and the server has refused it: it is just ending
    KN_ACTIVATION_MODE_REMOTE,     ///< a client runs it because the server does
    KN_ACTIVATION_MODE_COUNT,      ///< number of the values above; not a value itself
} kn_activation_mode;

/// What an activation is to this machine; KN_ACTIVATION_MODE_NONE for a stale id.
KN_API kn_activation_mode kn_activation_get_mode(
    const kn_world *world, kn_activation_id activation);

/// The role of this world for an entity; see kn_world_def.is_client and .connection.
KN_API kn_net_role kn_entity_role(const kn_world *world, kn_entity_id entity);
/// True if the entity is controlled on this machine: KN_ROLE_AUTHORITY or KN_ROLE_OWNER.
KN_API bool kn_entity_is_local(const kn_world *world, kn_entity_id entity);

#ifdef __cplusplus
}
#endif

#endif
