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

/// Reasons an ability cannot start, as bits: all of them are told, not only the first.
typedef enum kn_fail {
    KN_FAIL_STALE = 1 << 0,        ///< the ability is gone, or being removed
    KN_FAIL_NETWORKING = 1 << 1,   ///< its policies do not let this machine start it
    KN_FAIL_DEAD = 1 << 2,         ///< the owner is dying, or has the library's tag for it
    KN_FAIL_BLOCKED = 1 << 3,      ///< blocked by an active ability or effect, or by owned tags
    KN_FAIL_MISSING_TAGS = 1 << 4, ///< required tags are missing
    KN_FAIL_COOLDOWN = 1 << 5,     ///< not enough charges, or a cooldown tag is there
    KN_FAIL_COST = 1 << 6,         ///< the cost cannot be paid
    KN_FAIL_ACTIVE = 1 << 7,       ///< it runs already and is neither per execution nor retriggered
    KN_FAIL_CUSTOM = 1 << 8,       ///< its can_activate hook said no
    KN_FAIL_NOT_READY = 1 << 9,    ///< its responds hook says that the event is not for it
    KN_FAIL_NO_TARGET = 1 << 10,   ///< it has nobody to act on, or needs an event, and got none
    KN_FAIL_COUNT = 11,
} kn_fail;

/// The word for one reason, the same in data, scenarios and scripts: "missing_tags"; "" for none or
/// several.
KN_API const char *kn_fail_name(kn_fail reason);
/// The tag that stands for a reason: `Activation.Fail.OnCooldown` and so on; null if the library
/// does not have it. kn_ability_fail_tags_register() registers them all, and one for the dead.
KN_API kn_tag kn_ability_fail_tag(const kn_library *library, kn_fail reason);
/// Registers the standard names (`Activation.Fail.IsDead`, `.OnCooldown`, `.CantAffordCost`,
/// `.BlockedByTags`, `.MissingTags`, `.Networking`, `.AlreadyActive`, `.Custom`, `.NotReady`,
/// `.NoTarget`, `.Stale`). Without it refusals have reasons but no tags.
KN_API KN_MUST_USE kn_result kn_ability_fail_tags_register(kn_library *library, kn_error *error);
/// Another name for one reason; null for none. Before the library is finished.
KN_API KN_MUST_USE kn_result kn_ability_fail_tag_set(
    kn_library *library, kn_fail reason, kn_tag tag);
/// Who has this tag is dead: KN_FAIL_DEAD for all abilities but those with `works_when_dead`.
KN_API KN_MUST_USE kn_result kn_ability_dead_tag_set(kn_library *library, kn_tag tag);
KN_API kn_tag kn_ability_dead_tag(const kn_library *library);

// The definition ------------------------------------------------------------

/// What a running ability keeps, and how often it runs at once.
typedef enum kn_instancing {
    KN_PER_ACTOR,     ///< one activation at a time; its state stays from one to the next
    KN_PER_EXECUTION, ///< any number at once, each with a state of its own, zero at first
    KN_NON_INSTANCED, ///< no state and no tasks: over when its hook returns
} kn_instancing;

/// Where an ability runs.
typedef enum kn_net_execution {
    KN_NET_LOCAL_PREDICTED,  ///< owning client at once, then server
    KN_NET_LOCAL_ONLY,       ///< owning client
    KN_NET_SERVER_ONLY,      ///< server
    KN_NET_SERVER_INITIATED, ///< server, then owning client
    KN_NET_EXECUTION_COUNT,
} kn_net_execution;

/// What the server lets the owning client ask for.
typedef enum kn_net_security {
    KN_NET_CLIENT_OR_SERVER,
    KN_NET_SERVER_ONLY_EXECUTION,   ///< requests to start are ignored
    KN_NET_SERVER_ONLY_TERMINATION, ///< requests to cancel or end are ignored
    KN_NET_SERVER_ONLY_ALL,
    KN_NET_SECURITY_COUNT,
} kn_net_security;

typedef enum kn_trigger_source {
    KN_ON_EVENT,       ///< an event with `tag` or a tag below it
    KN_ON_TAG_ADDED,   ///< the owner gains `tag`
    KN_ON_TAG_REMOVED, ///< the owner loses `tag`
    KN_ON_TAG_PRESENT, ///< the owner gains `tag`; ended when it is lost, cancelable or not
    KN_TRIGGER_SOURCE_COUNT,
} kn_trigger_source;

/// What activates an ability by itself.
typedef struct kn_trigger_def {
    kn_tag tag;
    kn_trigger_source source;
    int32_t priority; ///< higher first, then by grant
} kn_trigger_def;

KN_API kn_trigger_def kn_trigger_def_default(void);

/// A price. With `share_of` the amount is a share of that attribute; with `up_to` it takes what is
/// there, at least `minimum`, and the rest of the def reads what was paid (kn_activation_paid()).
typedef struct kn_cost_def {
    kn_attribute_id attribute;
    kn_scalable amount; ///< by level; positive is paid, negative is gained
    kn_attribute_id share_of;
    bool up_to;
    kn_scalable minimum;
} kn_cost_def;

KN_API kn_cost_def kn_cost_def_default(void);

/// A cooldown as charges. The plain kind has one charge that a use spends and a cycle returns.
/// Abilities with the same `key` share one record on their owner.
typedef struct kn_cooldown_def {
    kn_tag key;           ///< shared by all with this key; null: the ability's own
    kn_scalable duration; ///< seconds of a cycle, by level; 0 or less: over at once
    kn_value_id value;    ///< the duration runs through this transient value of the owner
    kn_attribute_id rate; ///< cycles run at this speed, followed live; absent means 1
    kn_scalable charges;  ///< most charges, default 1
    kn_scalable cost;     ///< charges a use spends, default 1
    kn_scalable returned; ///< charges a cycle gives back, default 1
    bool restart_on_use;  ///< a use starts the running cycle again
    /// Bursts: as long as charges are left, the next use waits this long after the last.
    kn_scalable spacing;
    /// Charges do not return one by one: all come back when it has not been used for a cycle.
    bool all_after_idle;
    bool predict_length; ///< for a transport: clients need not wait for the length; default true
} kn_cooldown_def;

typedef enum kn_commit_policy {
    KN_COMMIT_EXPLICIT, ///< hooks commit, when they like
    KN_COMMIT_AT_USE,   ///< paid before the activate hook, checked once
} kn_commit_policy;

/// What an ability does by itself, without functions: it commits, applies what `applies` lists, and
/// stays active as long as is said here. Effects that are refused are passed over, as with
/// containers. One that applies everything to an event's target or instigator, who is not there,
/// is refused before it pays (KN_FAIL_NO_TARGET).
typedef enum kn_ability_body {
    KN_BODY_NONE,    ///< nothing: `activate` or whoever activates it does all, and ends it
    KN_BODY_USE,     ///< over at once
    KN_BODY_TIMED,   ///< for `lasts` seconds
    KN_BODY_HELD,    ///< until its input is released; over at once if it is not down here, unless
                     ///< this is a server and the client asked for it: the release is told
    KN_BODY_EFFECTS, ///< until the last of the effects it applied is gone
    KN_BODY_STAY,    ///< until it is ended, cancelled, or the tag of its trigger goes
    KN_BODY_COUNT,
} kn_ability_body;

/// Whom a body applies something to.
typedef enum kn_apply_to {
    KN_APPLY_TO_OWNER,
    KN_APPLY_TO_TARGET,     ///< the event's target data, else its target; nobody without an event
    KN_APPLY_TO_INSTIGATOR, ///< the event's; nobody without an event
    KN_APPLY_TO_TARGETING,  ///< those that `targeting` finds, at once
    KN_APPLY_TO_COUNT,
} kn_apply_to;

/// One thing that a body applies, as kn_activation_apply() would: the owner is the source, level
/// and caller values are the ability's, and the event's target data goes along.
typedef struct kn_apply_def {
    kn_effect_type_id effect;  ///< this one,
    kn_container_id container; ///< or all of these, to those that the container finds
    kn_apply_to to;            ///< and whom a container is given
    kn_targeting_id targeting; ///< for KN_APPLY_TO_TARGETING
    kn_tag magnitude_tag; ///< the event's magnitude is the caller value of this tag; null: none
    /// One stack goes when the activation ends, unless others like it hold all there are. Not for
    /// KN_BODY_USE.
    bool while_active;
} kn_apply_def;

KN_API kn_apply_def kn_apply_def_default(void);

typedef enum kn_level_up {
    KN_LEVEL_RAISE,   ///< what runs goes on at the new level
    KN_LEVEL_REGRANT, ///< what runs is cancelled; it becomes a new ability
} kn_level_up;

/// Why an activation ended.
typedef enum kn_end_reason {
    KN_ENDED = 1,         ///< it ended itself: its job is done
    KN_ENDED_CANCELLED,   ///< its own hook, or game code, cancelled it
    KN_ENDED_BY_TAGS,     ///< another ability cancels those with its tags
    KN_ENDED_RETRIGGERED, ///< activated again
    KN_ENDED_REMOVED,     ///< the ability was taken away
    KN_ENDED_OWNER_GONE,  ///< the owner was destroyed
    KN_ENDED_FAILED,      ///< its activate hook reported an error
    KN_ENDED_TAG_LOST,    ///< the tag of its KN_ON_TAG_PRESENT trigger went
    KN_ENDED_REJECTED,    ///< the server refused what was predicted, see kn_peer_reject()
    KN_ENDED_REMOTE,      ///< the other side ended it, see kn_peer_end()
    KN_END_REASON_COUNT,
} kn_end_reason;

/// The words of the enum, "owner gone"; in scripts with `_` for blanks, in scenarios either way.
KN_API const char *kn_end_reason_name(kn_end_reason reason);
/// True for every reason but KN_ENDED.
static inline bool kn_end_is_cancelled(kn_end_reason reason)
{
    return reason != KN_ENDED;
}

/// What a hook is told.
typedef struct kn_ability_call {
    kn_world *world;
    void *user; ///< of the def
    kn_entity_id owner;
    kn_entity_id avatar; ///< the body; the owner itself if it has no other
    kn_ability_id ability;
    kn_activation_id activation; ///< null in hooks about the grant
    bool has_event;              ///< it was, or is to be, triggered by an event
} kn_ability_call;

typedef struct kn_task_result kn_task_result;
typedef struct kn_task_call kn_task_call;

/// Everything about one kind of ability. Absent parts cost nothing.
typedef struct kn_ability_def {
    const char *name;   ///< required, unique
    const char *parent; ///< for reference and queries by family: an ability registered before

    kn_tags tags;        ///< describe the ability
    kn_tags cancel_with; ///< on activation, others with any of these are cancelled; never it itself
    kn_tags block_with;  ///< while active, others with any of these cannot start; never it itself
    kn_tags owned_tags;  ///< the owner has them while it is active
    kn_tag_requirement activation; ///< of the owner: required and blocked tags
    kn_tag_requirement source;     ///< of an event's instigator; event activations only
    kn_tag_requirement target;     ///< of an event's target; event activations only

    kn_effect_type_id cost_effect; ///< instant; its modifiers are the price
    const kn_cost_def *costs;      ///< and these
    uint32_t cost_count;
    /// A lasting effect without executions that grants cooldown tags, applied on commit. Its caller
    /// value `cooldown_caller_tag`, if set, is `cooldown_duration` at the ability's level.
    kn_effect_type_id cooldown_effect;
    kn_tag cooldown_caller_tag;
    kn_scalable cooldown_duration;
    kn_tags cooldown_tags; ///< also granted by that effect; who has one of these is on cooldown
    const kn_cooldown_def *cooldowns; ///< charges; ready when none lacks any
    uint32_t cooldown_count;
    kn_commit_policy commit;

    /// What it does without functions; it commits at the start, whatever `commit` says. Not with
    /// `activate` or `activate_by_event`; the other hooks may be there.
    kn_ability_body body;
    const kn_apply_def *applies; ///< in this order
    uint32_t apply_count;
    kn_scalable lasts; ///< KN_BODY_TIMED: seconds, by level at the start; 0 or less: over at once

    const kn_trigger_def *triggers; ///< need a body or functions
    uint32_t trigger_count;
    kn_instancing instancing;
    kn_net_execution net_execution; ///< default KN_NET_LOCAL_PREDICTED
    kn_net_security net_security;
    bool respects_remote_cancel; ///< the client's end ends the server's, see kn_peer_end()
    bool sends_input;            ///< while it runs, presses and releases are requests too
    bool no_activation_by_input; ///< bound to its input, but only for its tasks
    bool activates_on_grant;     ///< once it is granted and its owner has a body: passives
    bool retriggers;             ///< activated while active: the old one ends first, cancelable
                                 ///< or not
    bool works_when_dead;        ///< not refused by the tag of the dead
    bool ends_with_avatar;       ///< cancelled when the owner gets another body
    kn_level_up level_up;
    uint32_t input;      ///< bound to this input unless the grant says otherwise; 0: none
    uint32_t state_size; ///< plain bytes, at most 4096; no pointers
    /// What the state holds, byte for byte, as the fields of a component do; saved and dumped by
    /// name. None: saved as the bytes lie.
    const kn_field *state_fields;
    uint32_t state_field_count;
    bool resets_state; ///< KN_PER_ACTOR: zero again at each activation

    /// The body. An error or refusal cancels the activation (KN_ENDED_FAILED) and is reported.
    kn_result (*activate)(const kn_ability_call *call);
    /// The body for activations by events; NULL: `activate` serves both. Without `activate` and
    /// `body`, activations without an event are refused (KN_FAIL_NO_TARGET).
    kn_result (*activate_by_event)(const kn_ability_call *call, const kn_event_record *event);
    /// Before the body: tags are there, others are cancelled.
    void (*pre_activate)(const kn_ability_call *call);
    /// Exactly once for each activation; its tasks are over, its tags and block still there. Calls
    /// that take away or rearrange wait until the end is complete (docs/step-order.md, "A hook").
    void (*ended)(const kn_ability_call *call, kn_end_reason reason);
    /// Pure. A last say in whether it may start; `event` is NULL for other activations.
    bool (*can_activate)(const kn_ability_call *call, const kn_event_record *event);
    /// Pure. Whether an event is for it at all; asked before everything else.
    bool (*responds)(const kn_ability_call *call, const kn_event_record *event);
    /// In these three, calls that take away or rearrange wait as in `ended`.
    void (*granted)(const kn_ability_call *call);
    void (*removed)(const kn_ability_call *call);
    void (*avatar_set)(const kn_ability_call *call);
    void (*level_changed)(const kn_ability_call *call, float old_level);
    void (*input_pressed)(const kn_ability_call *call);
    void (*input_released)(const kn_ability_call *call);
    void (*task_done)(const kn_ability_call *call, const kn_task_result *result);
    void *user;
    uint32_t cookie;
} kn_ability_def;

KN_API kn_ability_def kn_ability_def_default(void);
KN_API kn_cooldown_def kn_cooldown_def_default(void);
/// One charge, so many seconds.
KN_API kn_cooldown_def kn_cooldown_seconds(float seconds);
KN_API KN_MUST_USE kn_result kn_ability_register(
    kn_library *library, const kn_ability_def *def, kn_ability_type_id *type, kn_error *error);
KN_API kn_ability_type_id kn_ability_type_find(const kn_library *library, const char *name);
KN_API const char *kn_ability_type_name(const kn_library *library, kn_ability_type_id type);
/// NULL when unknown.
KN_API const kn_ability_def *kn_ability_type_def(
    const kn_library *library, kn_ability_type_id type);

// Granting ------------------------------------------------------------------

/// One grant. Start from kn_ability_grant_def_default().
typedef struct kn_ability_grant_def {
    kn_ability_type_id type;
    float level;                          ///< default 1
    uint32_t input;                       ///< KN_INPUT_FROM_DEF: as the def says; 0: none
    kn_entity_id source;                  ///< who or what gave it; may die
    uint64_t source_object;               ///< the same for the host
    uint64_t user;                        ///< for the host
    kn_tags dynamic_tags;                 ///< further ability tags
    const kn_caller_value *caller_values; ///< given to every effect the ability makes
    uint32_t caller_value_count;          ///< at most KN_ABILITY_VALUES_MAX
    /// An ability of this type that is there already is granted once more: it stays until each
    /// grant is revoked.
    bool share;
    uint32_t cookie;
} kn_ability_grant_def;

#define KN_INPUT_FROM_DEF UINT32_MAX
/// Most caller values of one ability, and most that a call may add to them.
#define KN_ABILITY_VALUES_MAX 32

KN_API kn_ability_grant_def kn_ability_grant_def_default(void);
/// Grants an ability. An ability that activates on grant does so before this returns.
/// @return KN_OK; KN_REFUSED_STALE_ID, _DYING, _BAD_NUMBER for a level that is not finite, _LIMIT
///         for too many caller values; KN_REFUSED_BLOCKED on a machine that is not the authority;
///         KN_ERROR_*
KN_API KN_MUST_USE kn_result kn_ability_grant(kn_world *world, kn_entity_id entity,
    const kn_ability_grant_def *grant, kn_ability_id *ability);
/// Grants, activates once and takes the ability away when that activation ends, or at once if it
/// does not start: then the result says why. `event` may be NULL.
KN_API KN_MUST_USE kn_result kn_ability_grant_once(kn_world *world, kn_entity_id entity,
    const kn_ability_grant_def *grant, const kn_event_record *event, kn_ability_id *ability);
/// Revokes one grant; the last one removes the ability. KN_GRANT_KEEP does nothing.
KN_API kn_result kn_ability_revoke(
    kn_world *world, kn_ability_id ability, kn_grant_removal removal);
/// Removes an ability whatever the number of its grants.
KN_API kn_result kn_ability_remove(
    kn_world *world, kn_ability_id ability, kn_grant_removal removal);

/// Everything worth knowing about a granted ability.
typedef struct kn_ability_info {
    kn_ability_type_id type;
    kn_entity_id owner;
    float level;
    uint32_t input;
    bool is_pressed;
    bool is_removing; ///< goes when what runs has ended
    uint32_t grants;
    uint32_t active_count;
    kn_activation_id latest; ///< of the running activations, the one that began last
    kn_entity_id source;
    uint64_t source_object;
    uint64_t user;
    kn_effect_id effect; ///< the effect that granted it; null for none
} kn_ability_info;

/// False for a stale id.
KN_API bool kn_ability_get(const kn_world *world, kn_ability_id ability, kn_ability_info *info);
KN_API bool kn_ability_is_alive(const kn_world *world, kn_ability_id ability);
KN_API bool kn_ability_is_active(const kn_world *world, kn_ability_id ability);
/// 0 for a stale id.
KN_API float kn_ability_level(const kn_world *world, kn_ability_id ability);
/// Sets the level as the def's `level_up` says. Setting the level it has changes nothing.
/// `ability` is replaced by the new id if it was granted anew.
KN_API kn_result kn_ability_set_level(kn_world *world, kn_ability_id *ability, float level);
KN_API kn_result kn_ability_set_input(kn_world *world, kn_ability_id ability, uint32_t input);
KN_API kn_result kn_ability_set_user(kn_world *world, kn_ability_id ability, uint64_t user);
KN_API kn_result kn_ability_add_tag(kn_world *world, kn_ability_id ability, kn_tag tag);
KN_API kn_result kn_ability_remove_tag(kn_world *world, kn_ability_id ability, kn_tag tag);
/// True if the ability has the tag or one below it, by its def or added to it.
KN_API bool kn_ability_has_tag(const kn_world *world, kn_ability_id ability, kn_tag tag);
/// KN_REFUSED_LIMIT for one more than KN_ABILITY_VALUES_MAX.
KN_API kn_result kn_ability_set_caller_value(
    kn_world *world, kn_ability_id ability, kn_tag tag, float value);
KN_API float kn_ability_caller_value(
    const kn_world *world, kn_ability_id ability, kn_tag tag, float fallback);

/// Which abilities of an entity. Every test that is set must hold; kn_ability_query_default()
/// matches all.
typedef struct kn_ability_query {
    kn_ability_type_id type; ///< of this type, or of one that descends from it by `parent`
    kn_tags all_tags;
    kn_tags any_tags;
    kn_tags no_tags;
    uint32_t input;          ///< 0: any
    kn_effect_id effect;     ///< granted by this effect
    bool is_active;          ///< only those that run
    bool meets_tags;         ///< only those whose tag requirements are met now
    kn_activation_id ignore; ///< not the ability of this activation
    uint32_t cookie;
} kn_ability_query;

KN_API kn_ability_query kn_ability_query_default(void);
/// Matching abilities in order of their grants; at most `capacity` are written. Returns how many
/// there are. A NULL query matches all.
KN_API uint32_t kn_abilities_find(const kn_world *world, kn_entity_id entity,
    const kn_ability_query *query, kn_ability_id *out, uint32_t capacity);
/// Removes all that match. Returns how many.
KN_API uint32_t kn_abilities_remove(
    kn_world *world, kn_entity_id entity, const kn_ability_query *query, kn_grant_removal removal);

// Ability sets --------------------------------------------------------------

typedef struct kn_ability_set_entry {
    kn_ability_type_id type;
    float level;
    uint32_t input; ///< KN_INPUT_FROM_DEF: as the def says
} kn_ability_set_entry;

/// The abilities a character starts with.
typedef struct kn_ability_set_def {
    const char *name; ///< required, unique
    const kn_ability_set_entry *entries;
    uint32_t entry_count;
    uint32_t cookie;
} kn_ability_set_def;

KN_API kn_ability_set_def kn_ability_set_def_default(void);
KN_API KN_MUST_USE kn_result kn_ability_set_register(
    kn_library *library, const kn_ability_set_def *def, kn_ability_set_id *set, kn_error *error);
KN_API kn_ability_set_id kn_ability_set_find(const kn_library *library, const char *name);
/// Grants all of a set once: KN_REFUSED_DUPLICATE if the entity has it. Writes at most `capacity`
/// ids in the order of the set.
KN_API KN_MUST_USE kn_result kn_ability_set_grant(kn_world *world, kn_entity_id entity,
    kn_ability_set_id set, kn_ability_id *out, uint32_t capacity);
/// Takes back what the set granted. KN_REFUSED_NOT_FOUND if the entity does not have it.
KN_API kn_result kn_ability_set_remove(
    kn_world *world, kn_entity_id entity, kn_ability_set_id set, kn_grant_removal removal);

// Checking ------------------------------------------------------------------

/// All reasons against starting now, as kn_fail bits; 0 if there is none. Changes nothing.
/// `event` is what would trigger it, or NULL.
KN_API uint32_t kn_ability_check(
    const kn_world *world, kn_ability_id ability, const kn_event_record *event);
/// The same without the can_activate hook and KN_FAIL_NO_TARGET, remembered until something it
/// depends on changes: for user interfaces that ask every frame. See KN_EVENT_ABILITY_STATUS.
KN_API uint32_t kn_ability_status(kn_world *world, kn_ability_id ability);
/// The tags of a set of reasons, as far as the library has them. Returns how many there are.
KN_API uint32_t kn_ability_fail_tags(
    const kn_world *world, uint32_t reasons, kn_tag *out, uint32_t capacity);
/// The result an activation returns for a set of reasons: of the gravest.
KN_API kn_result kn_fail_result(uint32_t reasons);

/// One line of an answer to "why can I not use it?".
typedef struct kn_refusal_line {
    kn_fail reason;
    kn_tag tag; ///< the tag that is there, or missing
    kn_attribute_id attribute;
    float have; ///< value, or charges
    float need;
    kn_time remaining; ///< of the cooldown
    kn_time total;
    kn_effect_id effect;   ///< the effect behind it, if one is
    kn_ability_id ability; ///< the ability behind it, if one is
} kn_refusal_line;

/// Every reason with the tags and numbers behind it. Returns how many lines there are.
KN_API uint32_t kn_ability_explain(const kn_world *world, kn_ability_id ability,
    const kn_event_record *event, kn_refusal_line *out, uint32_t capacity);
/// The same as text: "Meteor: on cooldown for 3.2 of 8 s; needs 40 Mana, has 12". Returns the full
/// length.
KN_API uint32_t kn_ability_explain_print(const kn_world *world, kn_ability_id ability,
    const kn_event_record *event, char *text, uint32_t size);

// Activating ----------------------------------------------------------------

/// Activates an ability. On refusal nothing has changed, and KN_EVENT_ABILITY_FAILED has the
/// reasons.
/// @param event what it is activated with, or NULL; copied
/// @param activation receives the activation, which may be over already; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID, _BLOCKED, _REQUIREMENT, _COOLDOWN, _COST, _CUSTOM, _DYING,
///         _DUPLICATE (it is active), _NOT_FOUND (the event is not for it), or what its activate
///         hook returned
KN_API kn_result kn_ability_activate(kn_world *world, kn_ability_id ability,
    const kn_event_record *event, kn_activation_id *activation);
/// The first of this type that can be activated.
KN_API kn_result kn_ability_activate_type(
    kn_world *world, kn_entity_id entity, kn_ability_type_id type, kn_activation_id *activation);
/// Tries every ability that has all of the tags. KN_OK if at least one was activated; `activated`
/// counts them and may be NULL.
KN_API kn_result kn_ability_activate_tags(
    kn_world *world, kn_entity_id entity, kn_tags tags, uint32_t *activated);

KN_API bool kn_activation_is_alive(const kn_world *world, kn_activation_id activation);
/// The ability of an activation; null for a stale id.
KN_API kn_ability_id kn_activation_ability(const kn_world *world, kn_activation_id activation);
KN_API kn_entity_id kn_activation_owner(const kn_world *world, kn_activation_id activation);
KN_API kn_time kn_activation_start(const kn_world *world, kn_activation_id activation);
/// The state block, zero at first; NULL if the def has none. Valid until the next call that may
/// create something.
KN_API void *kn_activation_state(kn_world *world, kn_activation_id activation);
/// What it was triggered with. False if it was not; the views in `event` are valid until the next
/// call that may create something.
KN_API bool kn_activation_event(
    const kn_world *world, kn_activation_id activation, kn_event_record *event);
/// Running activations of an entity, in the order they began. Returns how many there are.
KN_API uint32_t kn_activations(
    const kn_world *world, kn_entity_id entity, kn_activation_id *out, uint32_t capacity);

/// A seed for random numbers of one activation: equal on server and client, different in every
/// match (the world's seed is the salt) and for every use of every ability, and no matter how many
/// others were refused before. It stays the same as long as the activation runs, saved and loaded.
KN_API uint64_t kn_activation_seed(const kn_world *world, kn_activation_id activation);
/// A random number of one activation, even over the multiples of 2^-24 in [0, 1): mixed from its
/// seed and an index with integers alone, so equal on every machine. It draws from no stream of the
/// world and leaves no trace: the same again for the same seed and index, whatever was asked
/// before. Take another index for each purpose. 0 for an activation that is over.
KN_API float kn_activation_random(
    const kn_world *world, kn_activation_id activation, uint32_t index);

/// Applies an effect as the ability: its owner is the source, its level and caller values go
/// along, and the context names it. Results as kn_effect_apply().
KN_API kn_result kn_activation_apply(kn_world *world, kn_activation_id activation,
    kn_effect_type_id type, kn_entity_id target, kn_effect_id *effect);
/// The same with everything else as given; source and level are the ability's, and caller values
/// under the same tag take the place of its own. KN_REFUSED_LIMIT for more of them than
/// KN_ABILITY_VALUES_MAX.
KN_API kn_result kn_activation_apply_def(kn_world *world, kn_activation_id activation,
    const kn_effect_apply_def *apply, kn_effect_id *effect);

// Committing ----------------------------------------------------------------

/// Pays the cost and starts the cooldowns, after checking both once more. On refusal
/// (KN_REFUSED_COOLDOWN, KN_REFUSED_COST) nothing has changed, the activation goes on and
/// KN_EVENT_ABILITY_FAILED has the reasons.
KN_API KN_MUST_USE kn_result kn_activation_commit(kn_world *world, kn_activation_id activation);
KN_API KN_MUST_USE kn_result kn_activation_commit_cost(
    kn_world *world, kn_activation_id activation);
KN_API KN_MUST_USE kn_result kn_activation_commit_cooldown(
    kn_world *world, kn_activation_id activation);

/// What a commit is about, as bits.
typedef enum kn_commit_part {
    KN_COMMIT_COST = 1 << 0,
    KN_COMMIT_COOLDOWN = 1 << 1,
    KN_COMMIT_ALL = 3,
} kn_commit_part;

/// Commits some or all of it with tags. What `relevant` holds is told with
/// KN_EVENT_ABILITY_COMMITTED, or with KN_EVENT_ABILITY_FAILED if it is refused. On refusal the
/// tags of the reasons (kn_ability_fail_tag()) and of the cooldowns that are waited for are added
/// to it first, as far as there is room; otherwise it stays as it is.
/// @param parts    kn_commit_part bits, at least one
/// @param relevant may be NULL
/// @return as kn_activation_commit(), or KN_ERROR_INVALID_ARGUMENT
KN_API KN_MUST_USE kn_result kn_activation_commit_tagged(
    kn_world *world, kn_activation_id activation, uint32_t parts, kn_tag_set *relevant);
/// The tags an event of the last step was told with: of a commit with tags, else none. Valid until
/// the next step.
KN_API kn_tags kn_ability_event_tags(const kn_world *world, const kn_event *event);

/// How much the activation has paid of an attribute so far.
KN_API float kn_activation_paid(
    const kn_world *world, kn_activation_id activation, kn_attribute_id attribute);
/// Gives back a share, 0 to 1, of what was paid, such as a fraction when the action misses.
/// KN_REFUSED_BAD_NUMBER for any other share.
KN_API kn_result kn_activation_refund(kn_world *world, kn_activation_id activation, float share);

/// One entry of a price.
typedef struct kn_cost_quote {
    kn_attribute_id attribute;
    float amount; ///< what would be taken, positive; negative: gained
    float have;   ///< the base value now
    bool is_affordable;
} kn_cost_quote;

/// What the ability would cost now, per attribute. Returns how many entries there are.
KN_API uint32_t kn_ability_quote(
    const kn_world *world, kn_ability_id ability, kn_cost_quote *out, uint32_t capacity);

// Cooldowns -----------------------------------------------------------------

/// The state of one cooldown.
typedef struct kn_cooldown_info {
    kn_tag key; ///< null for an ability's own
    uint32_t charges;
    uint32_t max_charges;
    kn_time
        remaining; ///< of the running cycle; 0 when none runs, KN_TIME_INFINITE if it stands still
    kn_time total;
    kn_time wait; ///< until a use is possible, as things stand
} kn_cooldown_info;

/// The ability's cooldowns: its charge records, then effects that grant one of its cooldown tags.
/// Returns how many there are.
KN_API uint32_t kn_ability_cooldowns(
    const kn_world *world, kn_ability_id ability, kn_cooldown_info *out, uint32_t capacity);
/// The longest wait of the ability: time left and the whole length. False when there is none.
KN_API bool kn_ability_cooldown(
    const kn_world *world, kn_ability_id ability, kn_time *remaining, kn_time *total);
/// The longest of all charge records and effects of an entity with any of these tags. False when
/// there is none, or no tag was given.
KN_API bool kn_cooldown_remaining(
    const kn_world *world, kn_entity_id entity, kn_tags tags, kn_time *remaining, kn_time *total);
/// Charges of the ability's own record, or of the shared one with `key`.
KN_API bool kn_ability_charges(
    const kn_world *world, kn_ability_id ability, kn_tag key, kn_cooldown_info *info);
/// Adds charges (or takes, below 0), within 0 and the maximum.
KN_API kn_result kn_ability_add_charges(
    kn_world *world, kn_ability_id ability, kn_tag key, int32_t charges);
/// Full charges, no cycle.
KN_API kn_result kn_ability_reset_cooldown(kn_world *world, kn_ability_id ability, kn_tag key);
/// Adds to the time left of the running cycle. What is taken beyond its end is taken from the
/// cycles that follow, as long as charges are missing; a `floor` above 0 is the least that stays of
/// it.
KN_API kn_result kn_ability_change_cooldown(
    kn_world *world, kn_ability_id ability, kn_tag key, kn_time delta, kn_time floor);
KN_API kn_result kn_ability_scale_cooldown(
    kn_world *world, kn_ability_id ability, kn_tag key, float factor);

// Ending --------------------------------------------------------------------

/// Ends an activation as done. Ending what has ended, or is ending, changes nothing.
KN_API kn_result kn_activation_end(kn_world *world, kn_activation_id activation);
KN_API kn_result kn_activation_cancel(kn_world *world, kn_activation_id activation);
/// While false, cancelling is refused with KN_REFUSED_BLOCKED, and what cancels by tags or queries
/// passes it by. It still ends with its owner and its ability, when it is retriggered, and when the
/// tag of its KN_ON_TAG_PRESENT trigger goes.
KN_API kn_result kn_activation_set_cancelable(
    kn_world *world, kn_activation_id activation, bool is_cancelable);
/// Lifts, or restores, its block on other abilities while it runs on.
KN_API kn_result kn_activation_set_blocking(
    kn_world *world, kn_activation_id activation, bool is_blocking);
/// Cancels all activations of an ability.
KN_API kn_result kn_ability_cancel(kn_world *world, kn_ability_id ability);
/// Cancels the activations of every ability that matches; NULL for all. Returns how many.
KN_API uint32_t kn_abilities_cancel(
    kn_world *world, kn_entity_id entity, const kn_ability_query *query);

// Input ---------------------------------------------------------------------

/// Which inputs are "confirm" and "cancel" of an entity. Doing it again changes nothing; 0: none.
KN_API kn_result kn_input_bind(
    kn_world *world, kn_entity_id entity, uint32_t confirm, uint32_t cancel);
/// A press: goes to a waiting confirm or cancel if it is that input; otherwise to every ability
/// bound to it, active ones are told, others are activated.
KN_API kn_result kn_input_press(kn_world *world, kn_entity_id entity, uint32_t input);
/// The same with data for abilities that it activates: they see it as their event.
KN_API kn_result kn_input_press_with(
    kn_world *world, kn_entity_id entity, uint32_t input, const kn_event_record *event);
KN_API kn_result kn_input_release(kn_world *world, kn_entity_id entity, uint32_t input);
/// Confirm and cancel without an input.
KN_API kn_result kn_input_confirm(kn_world *world, kn_entity_id entity);
KN_API kn_result kn_input_cancel(kn_world *world, kn_entity_id entity);

// Roles ---------------------------------------------------------------------

/// What a machine is for an entity.
typedef enum kn_net_role {
    KN_ROLE_AUTHORITY, ///< its state wins and it is controlled here: one player, AI, own player
    KN_ROLE_SERVER,    ///< its state wins, a client controls it
    KN_ROLE_OWNER,     ///< the client that controls it
    KN_ROLE_OBSERVER,  ///< any other client; runs no abilities
    KN_ROLE_COUNT,
} kn_net_role;

typedef enum kn_net_request {
    KN_REQUEST_ACTIVATE,
    KN_REQUEST_CANCEL,
    KN_REQUEST_END,
    KN_REQUEST_COUNT,
} kn_net_request;

/// What becomes of a request.
typedef enum kn_net_verdict {
    KN_NET_REFUSE,       ///< not here, not by this one
    KN_NET_RUN,          ///< here only
    KN_NET_RUN_AND_TELL, ///< here now, and the other side is told
    KN_NET_ASK,          ///< the other side is asked to do it
    KN_NET_VERDICT_COUNT,
} kn_net_verdict;

/// Who asks: code on this machine, or the other side by message.
typedef enum kn_net_origin {
    KN_NET_FROM_HERE,
    KN_NET_FROM_PEER,
    KN_NET_ORIGIN_COUNT,
} kn_net_origin;

/// The one truth about policies: docs/net-policies.md is printed from it.
KN_API kn_net_verdict kn_net_decide(kn_net_request request, kn_net_origin origin, kn_net_role role,
    kn_net_execution execution, kn_net_security security);
/// What a client tells the server about one ability, in the order it is to be carried out.
typedef enum kn_request_part {
    KN_REQUEST_PART_ACTIVATE = 1 << 0,
    KN_REQUEST_PART_TARGETS = 1 << 1, ///< see kn_request_targets()
    KN_REQUEST_PART_CONFIRM = 1 << 2, ///< targets that the server finds itself
    KN_REQUEST_PART_DECLINE = 1 << 3, ///< no targets: the player cancelled
    KN_REQUEST_PART_PRESS = 1 << 4,   ///< of abilities that send their input, while they run
    KN_REQUEST_PART_RELEASE = 1 << 5, ///< of those, and of KN_BODY_HELD
    KN_REQUEST_PART_END = 1 << 6,
    KN_REQUEST_PART_CANCEL = 1 << 7,
} kn_request_part;

/// On a client, what its own abilities do that the server has to know is told as KN_EVENT_REQUEST,
/// one for each deed; a transport sends them. With batching allowed and a batch open, the deeds of
/// one ability become one request: a shot is one message, not three.
KN_API kn_result kn_entity_allow_batches(kn_world *world, kn_entity_id entity, bool allowed);
/// Opens a batch for an ability; an open one is closed first. Without permission nothing changes.
KN_API kn_result kn_ability_batch_begin(kn_world *world, kn_ability_id ability);
/// Closes it and tells what it holds, if anything.
KN_API kn_result kn_ability_batch_end(kn_world *world);
/// The target data of a request of the last step: how many bytes, and where.
KN_API const void *kn_request_targets(const kn_world *world, const kn_event *event, uint32_t *size);

/// What a transport calls when a message of the other side arrives: on a server that of the client
/// with this connection, on a client that of the server, connection 0. Nothing in a message is
/// trusted: ids may be stale or invented, events garbage, the sender another's client.
///
/// Starts an ability if kn_net_decide() lets the sender ask for it and everything else holds here
/// too. Results as kn_ability_activate(); KN_REFUSED_BLOCKED for a sender who has no say,
/// KN_ERROR_BAD_DATA for an event whose target data is malformed.
KN_API kn_result kn_peer_activate(kn_world *world, uint32_t connection, kn_ability_id ability,
    const kn_event_record *event, kn_activation_id *activation);
/// Ends one as KN_ENDED_REMOTE, since it ended or was cancelled there. A server does so only for
/// abilities that respect it; KN_REFUSED_BLOCKED otherwise, and it runs on.
KN_API kn_result kn_peer_end(
    kn_world *world, uint32_t connection, kn_activation_id activation, bool is_cancelled);
/// On a client: the server runs what was predicted too. Told once, as KN_EVENT_ABILITY_CONFIRMED;
/// saying it again changes nothing. KN_REFUSED_BLOCKED if it was not predicted here.
KN_API kn_result kn_peer_confirm(kn_world *world, kn_activation_id activation);
/// On a client: the server has refused what was predicted; it ends at once as KN_ENDED_REJECTED,
/// cancelable or not. What it changed is undone by restoring a snapshot. KN_REFUSED_BLOCKED if it
/// was not predicted here, or is confirmed.
KN_API kn_result kn_peer_reject(kn_world *world, kn_activation_id activation);

/// What an activation is to this machine.
typedef enum kn_activation_mode {
    KN_MODE_NONE,       ///< a stale id
    KN_MODE_AUTHORITY,  ///< what it does counts: on a server, or nobody else runs it
    KN_MODE_PREDICTING, ///< a client runs ahead of the server
    KN_MODE_CONFIRMED,  ///< the same, and the server runs it too
    KN_MODE_REJECTED,   ///< the same, and the server has refused it: it is just ending
    KN_MODE_TOLD,       ///< a client has it because the server runs it
    KN_MODE_COUNT,
} kn_activation_mode;

KN_API kn_activation_mode kn_activation_get_mode(
    const kn_world *world, kn_activation_id activation);

/// The role of this world for an entity; see kn_world_def.is_client and .connection.
KN_API kn_net_role kn_entity_role(const kn_world *world, kn_entity_id entity);
KN_API bool kn_entity_is_local(const kn_world *world, kn_entity_id entity);

#ifdef __cplusplus
}
#endif

#endif
