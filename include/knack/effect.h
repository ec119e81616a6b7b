// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Effects: how attributes and tags change. A def is data; registered it is a type; applied it
/// either executes at once (instant) or becomes an active effect that ends by itself, by removal,
/// or with its target.
///
/// Order inside an application: gates of the target (immunity) -> application requirements ->
/// custom requirement -> chance -> captures -> magnitudes -> exclusive group and stacking ->
/// store, or execute -> granted tags -> effects removed by tags -> children queued -> cues ->
/// events.
#ifndef KNACK_EFFECT_H
#define KNACK_EFFECT_H

#include "knack/attribute.h"
#include "knack/event.h"
#include "knack/library.h"
#include "knack/value.h"

#ifdef __cplusplus
extern "C" {
#endif

// Calculations and executions -----------------------------------------------

/// Reads the spec an effect is applied with. Passed to calculations, executions, requirements and
/// hooks; valid during the call.
KN_API kn_effect_type_id kn_spec_view_type(const kn_spec_view *spec);
KN_API float kn_spec_view_level(const kn_spec_view *spec);
KN_API uint32_t kn_spec_view_stacks(const kn_spec_view *spec);
KN_API kn_entity_id kn_spec_view_source(const kn_spec_view *spec);
KN_API kn_entity_id kn_spec_view_target(const kn_spec_view *spec);
/// The weapon or projectile of the context, or null.
KN_API kn_entity_id kn_spec_view_causer(const kn_spec_view *spec);
KN_API uint64_t kn_spec_view_source_object(const kn_spec_view *spec);
/// The active effect, or null while it is being applied, or for an instant one.
KN_API kn_effect_id kn_spec_view_effect(const kn_spec_view *spec);
/// The value set by the caller, or `fallback`. `warn` logs, once per world, that one is missing.
KN_API float kn_spec_view_caller_value(
    const kn_spec_view *spec, kn_tag tag, float fallback, bool warn);
KN_API float kn_spec_view_named_value(
    const kn_spec_view *spec, kn_name name, float fallback, bool warn);
/// A declared parameter: what the caller gave, else the def's default.
KN_API float kn_spec_view_parameter(const kn_spec_view *spec, kn_name name, float fallback);
/// Asset tags of the def and dynamic ones.
KN_API bool kn_spec_view_has_asset_tag(const kn_spec_view *spec, kn_tag tag);
/// Tags of the source as captured when the spec was made, and of the target now.
KN_API bool kn_spec_view_source_has_tag(const kn_spec_view *spec, kn_tag tag);
KN_API bool kn_spec_view_target_has_tag(const kn_spec_view *spec, kn_tag tag);
/// Literal match, parents of owned tags do not count.
KN_API bool kn_spec_view_target_has_tag_exact(const kn_spec_view *spec, kn_tag tag);
/// The ability that made it and its activation, or null; either may be stale.
KN_API kn_ability_id kn_spec_view_ability(const kn_spec_view *spec);
KN_API kn_activation_id kn_spec_view_activation(const kn_spec_view *spec);
/// Index of the execution: 0 for the first tick or an instant effect.
KN_API uint32_t kn_spec_view_tick(const kn_spec_view *spec);
/// The context's payload if it is of this type, else NULL. Valid until the hook's next call that
/// changes the world.
KN_API const void *kn_spec_view_payload(const kn_spec_view *spec, kn_context_type_id type);
KN_API const kn_world *kn_spec_view_world(const kn_spec_view *spec);

/// A magnitude calculation at work. kn_calculation_capture() reads the declared captures.
typedef struct kn_calculation kn_calculation;
KN_API const kn_spec_view *kn_calculation_spec(const kn_calculation *calculation);
/// A declared capture by index. Reading an undeclared one is an error event and gives 0.
KN_API float kn_calculation_capture(const kn_calculation *calculation, uint32_t index);

/// Returns one number. Pure: it reads its captures and the spec, nothing else.
typedef float kn_calculation_fn(void *user, const kn_calculation *calculation);

/// Longest expression in bytes. Beyond, and for more than 64 levels of nesting, 32 attributes or
/// about 1000 operations: KN_ERROR_BAD_DATA.
#define KN_EXPRESSION_LENGTH_MAX 4096

typedef struct kn_calculation_def {
    const char *name; ///< required, unique
    const kn_capture *captures;
    uint32_t capture_count;
    kn_calculation_fn *function; ///< this, or `expression`
    void *user;                  ///< for `function`
    /// A formula instead of a function, such as `source.Combat.Power * (1 + 0.1 * level)`; see
    /// docs/expressions.md. Compiled at registration: what it names must be registered before,
    /// and the attributes it reads are appended to `captures`. A step that is not finite (division
    /// by zero, overflow, root of a negative number) refuses with KN_REFUSED_BAD_NUMBER, a missing
    /// value of the caller or parameter with KN_REFUSED_MISSING_VALUE.
    const char *expression;
    uint32_t cookie;
} kn_calculation_def;

KN_API kn_calculation_def kn_calculation_def_default(void);
/// An error in the expression is KN_ERROR_BAD_DATA, with line and column within its text.
KN_API KN_MUST_USE kn_result kn_calculation_register(kn_library *library,
    const kn_calculation_def *def, kn_calculation_id *calculation, kn_error *error);

/// An execution at work: a rule that may change several attributes, and anything else. Calls that
/// take away or rearrange wait until the effect has been executed (docs/step-order.md, "A hook").
typedef struct kn_execution kn_execution;
KN_API kn_world *kn_execution_world(const kn_execution *execution);
KN_API const kn_spec_view *kn_execution_spec(const kn_execution *execution);
KN_API kn_entity_id kn_execution_target(const kn_execution *execution);
KN_API kn_entity_id kn_execution_source(const kn_execution *execution);
/// A declared capture, as changed by the effect's calculation modifiers.
KN_API float kn_execution_capture(const kn_execution *execution, uint32_t index);
/// A transient variable: 0, as changed by the effect's calculation modifiers. False, and 0, for a
/// tag the execution does not list.
KN_API bool kn_execution_transient(const kn_execution *execution, kn_tag tag, float *value);
/// Adds an output: it runs through the execute hooks like a modifier, after the function returns.
KN_API void kn_execution_output(
    kn_execution *execution, kn_attribute_id attribute, uint32_t key, kn_op op, float magnitude);
/// The function plays the cues itself: the effect's are not executed.
KN_API void kn_execution_handle_cues(kn_execution *execution);
/// The function has taken stacks into account: outputs are not scaled.
KN_API void kn_execution_handle_stacks(kn_execution *execution);
/// Start the effect's conditional children (KN_CHILD_EXECUTED) after this execution.
KN_API void kn_execution_trigger_children(kn_execution *execution);

typedef void kn_execution_fn(void *user, kn_execution *execution);

typedef struct kn_execution_def {
    const char *name; ///< required, unique
    const kn_capture *captures;
    uint32_t capture_count;
    kn_tags transients; ///< variables that effects may modify
    kn_execution_fn *function;
    void *user;
    uint32_t cookie;
} kn_execution_def;

KN_API kn_execution_def kn_execution_def_default(void);
KN_API KN_MUST_USE kn_result kn_execution_register(
    kn_library *library, const kn_execution_def *def, kn_execution_id *execution, kn_error *error);

/// What a custom application requirement answers.
typedef enum kn_requirement_answer {
    KN_REQUIREMENT_ALLOW,
    KN_REQUIREMENT_DENY,
    KN_REQUIREMENT_HANDLED, ///< it did the work itself; the apply call gives *existing and KN_OK
} kn_requirement_answer;

/// May look for an existing effect and change it instead of letting a new one in.
typedef kn_requirement_answer kn_requirement_fn(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing);
KN_API KN_MUST_USE kn_result kn_requirement_register(kn_library *library, const char *name,
    kn_requirement_fn *function, void *user, kn_requirement_id *requirement, kn_error *error);
/// A requirement as an expression (docs/expressions.md), such as
/// `target.Vitals.Health < 0.3 * target.Vitals.Health.max`: anything but 0 allows, 0 refuses with
/// KN_REFUSED_CUSTOM. Attributes are read at application. An absent attribute without default, a
/// missing value or a bad number refuses with its own reason, as in calculations.
KN_API KN_MUST_USE kn_result kn_requirement_register_expression(kn_library *library,
    const char *name, const char *expression, kn_requirement_id *requirement, kn_error *error);

/// Hooks of an effect with logic. Each may be NULL. `state` is the effect's block, zero at first,
/// saved and snapshotted with the world; `spec` describes the effect. Rules: may change the world;
/// calls that take away or rearrange wait until the operation that called is done
/// (docs/step-order.md, "A hook"). Hooks of one effect inside each other share one state.
typedef struct kn_effect_logic_def {
    const char *name;    ///< required, unique
    uint32_t state_size; ///< plain bytes, at most 4096; no pointers
    /// What the state holds, byte for byte, as the fields of a component do; saved and dumped by
    /// name. None: saved as the bytes lie.
    const kn_field *state_fields;
    uint32_t state_field_count;
    void (*applied)(void *user, kn_world *world, const kn_spec_view *spec, void *state);
    void (*ticked)(void *user, kn_world *world, const kn_spec_view *spec, void *state);
    void (*stacks_changed)(void *user, kn_world *world, const kn_spec_view *spec, void *state,
        uint32_t old_count, uint32_t new_count);
    void (*inhibited)(
        void *user, kn_world *world, const kn_spec_view *spec, void *state, bool is_inhibited);
    void (*removed)(void *user, kn_world *world, const kn_spec_view *spec, void *state,
        kn_removal_reason reason);
    void *user;
    uint32_t cookie;
} kn_effect_logic_def;

KN_API kn_effect_logic_def kn_effect_logic_def_default(void);
KN_API KN_MUST_USE kn_result kn_effect_logic_register(kn_library *library,
    const kn_effect_logic_def *def, kn_effect_logic_id *logic, kn_error *error);

// The definition ------------------------------------------------------------

typedef enum kn_duration_kind {
    KN_INSTANT,  ///< changes base values now; grants nothing, not even for a moment
    KN_DURATION, ///< active for `duration`
    KN_INFINITE, ///< active until removed
} kn_duration_kind;

/// What a repeated application does to the remaining time.
typedef enum kn_refresh {
    KN_REFRESH_RESTART,         ///< full duration from now
    KN_REFRESH_NEVER,           ///< the clock runs on
    KN_REFRESH_EXTEND,          ///< new duration added to what remains
    KN_REFRESH_KEEP_LONGER,     ///< the longer of what remains and the new duration
    KN_REFRESH_PANDEMIC,        ///< new duration + at most `pandemic` x it from what remained
    KN_REFRESH_COMPLETE_PERIOD, ///< the running period to its end, then the full duration
    KN_REFRESH_ALIGN_TICK,      ///< full duration, lengthened to end on a tick
} kn_refresh;

/// What a repeated application does to the next tick.
typedef enum kn_period_reset {
    KN_PERIOD_RESET, ///< a full period from now
    KN_PERIOD_KEEP,  ///< the tick comes when it was going to come
} kn_period_reset;

/// What happens when the duration ends with stacks left.
typedef enum kn_expiration {
    KN_EXPIRE_CLEAR,           ///< the whole effect ends
    KN_EXPIRE_ONE_AND_REFRESH, ///< one stack goes, the duration restarts
    KN_EXPIRE_REFRESH,         ///< the duration restarts; rules remove stacks
} kn_expiration;

/// Ticks of an effect that is switched off and on again.
typedef enum kn_inhibit_period {
    KN_INHIBIT_NEVER_RESET,       ///< the clock runs on; ticks while off do nothing
    KN_INHIBIT_RESET,             ///< next tick a full period after switching on
    KN_INHIBIT_EXECUTE_AND_RESET, ///< a tick on switching on, then a full period
    KN_INHIBIT_PAUSE,             ///< goes on where it stood
} kn_inhibit_period;

/// A period or duration that follows attributes, level and caller values while the effect runs.
typedef enum kn_live_time {
    KN_LIVE_NONE,    ///< computed once, at application
    KN_LIVE_NEXT,    ///< duration: remaining += new - old; period: the scheduled tick stays
    KN_LIVE_RESCALE, ///< period: elapsed time stays, the tick comes at the new length
} kn_live_time;

/// Which applications share one active effect.
typedef enum kn_stacking_kind {
    KN_STACK_NONE,      ///< every application is an effect of its own
    KN_STACK_BY_SOURCE, ///< one per source and target
    KN_STACK_BY_TARGET, ///< one per target
} kn_stacking_kind;

/// What a newcomer does to the stack that is there.
typedef enum kn_stack_rule {
    KN_STACK_JOIN,
    KN_STACK_REFUSE,
    KN_STACK_TAKE_OVER, ///< the stack becomes the newcomer's, whatever `merge` says; the count goes
                        ///< on
    KN_STACK_RESTART,   ///< takes over, and the count starts again
} kn_stack_rule;

/// At the cap of independently timed stacks. One without an end makes room only for another without
/// one: where all are such, a timed one is refused.
typedef enum kn_stack_cap {
    KN_CAP_REPLACE_OLDEST,
    KN_CAP_REPLACE_FIRST_ENDING, ///< of those that end at one time the oldest
    KN_CAP_REFUSE,
} kn_stack_cap;

/// Whose a merged stack is: level, source, values, the whole context, source tags and asset tags,
/// captures and period are all of that one application, and live captures follow its source.
/// Granted tags that came with the first application, and the state of logic, stay.
typedef enum kn_merge {
    KN_MERGE_LATEST,
    KN_MERGE_HIGHEST_LEVEL, ///< of equal levels the latest
    KN_MERGE_FIRST,
    KN_MERGE_POOL, ///< latest, and KN_MAGNITUDE_POOL conserves what was left
} kn_merge;

/// How applications of one effect add up.
typedef struct kn_stacking {
    kn_stacking_kind kind;
    bool key_level;                ///< only equal levels share a stack
    bool key_object;               ///< only equal source objects share a stack
    kn_stack_rule on_lower_level;  ///< newcomer below the stack's level; default join
    kn_stack_rule on_equal_level;  ///< default join
    kn_stack_rule on_higher_level; ///< default join
    kn_stack_rule on_same_source;  ///< newcomer of the source `merge` names; default join
    kn_stack_rule on_other_source; ///< by target: newcomer of another source; default join
    kn_scalable limit;             ///< most stacks, by level; 0 or less: no limit. Default 0
    kn_scalable limit_per_source;  ///< by target: most stacks of one source; needs own timers
    kn_scalable initial;           ///< count of a new stack, default 1
    kn_scalable per_application;   ///< added by each further one, default 1
    kn_refresh refresh;            ///< default restart
    kn_scalable pandemic;          ///< default 0.3
    kn_period_reset period_reset;  ///< default reset
    kn_expiration expiration;      ///< default clear
    kn_merge merge;                ///< default latest
    bool deny_overflow;            ///< an application at the limit is refused
    bool clear_on_overflow;        ///< with deny_overflow: the stack is cleared
    bool tick_on_stack;            ///< a tick on each successful further application
    bool own_timers;               ///< each stack has a duration of its own
    kn_stack_cap at_cap;           ///< for own_timers
    bool common_timer; ///< with own_timers: and all end some time after the last application,
    kn_scalable common_duration; ///< namely so many seconds; 0 or less: the def's `duration`
} kn_stacking;

/// How members of one exclusive group, of any type, get along on one target.
typedef enum kn_exclusive_rule {
    KN_EXCLUSIVE_NEWEST,            ///< the newcomer replaces all members
    KN_EXCLUSIVE_NEWEST_PER_SOURCE, ///< the newcomer replaces members of its source
    KN_EXCLUSIVE_STRONGEST,         ///< a weaker newcomer is refused; else it replaces
    KN_EXCLUSIVE_BEST_COUNTS,       ///< all stay; per value, channel and sign only the best acts
    KN_EXCLUSIVE_NAME_ONCE,         ///< all stay; of several of one type only the best acts
} kn_exclusive_rule;

/// A test of an attribute. Absent attribute: not met. Start from kn_attribute_condition_default().
typedef struct kn_attribute_condition {
    kn_capture_from from; ///< KN_FROM_TARGET, which is the default, or KN_FROM_SOURCE
    kn_attribute_id attribute;
    uint32_t key;
    bool has_min, has_max;       ///< at least one of these four
    bool has_above, has_below;   ///< at least one of these four
    float min, max;              ///< inclusive
    float above, below;          ///< exclusive
    kn_attribute_id relative_to; ///< if set, the four numbers are shares of this attribute
    uint32_t group;              ///< all conditions of one group must hold, any one group suffices
} kn_attribute_condition;

/// Of the target. Zeroed memory would mean the source.
KN_API kn_attribute_condition kn_attribute_condition_default(void);

/// Tags and attributes that must hold.
typedef struct kn_conditions {
    kn_tag_requirement target;
    kn_tag_requirement source; ///< with the source gone, required fails and ignored passes
    const kn_attribute_condition *attributes;
    uint32_t attribute_count;
} kn_conditions;

/// Blocks events while the effect is active and not switched off. Immunity is a gate on
/// effect applications. An entry without any test is refused at registration.
typedef struct kn_gate_def {
    kn_event_kind_id kind; ///< null: effect application
    bool as_instigator;    ///< gates what the bearer does; default: what happens to it
    kn_tags source_any;    ///< blocks if the source has any of these
    kn_tag_requirement source;
    kn_tag_requirement record;      ///< tags of the record: for effects, asset and granted tags
    const kn_effect_type_id *types; ///< effects: any of these
    uint32_t type_count;
    kn_attribute_id modifies; ///< effects: that modify this attribute
    kn_condition_id condition;
    /// Voids only modifiers and executions with any of these tags. If nothing else is left of the
    /// effect, it is refused.
    kn_tags parts;
} kn_gate_def;

KN_API kn_gate_def kn_gate_def_default(void);

typedef enum kn_child_when {
    KN_CHILD_APPLIED,       ///< after a successful application, first or further
    KN_CHILD_EXECUTED,      ///< after an execution that asks for it
    KN_CHILD_EXPIRED,       ///< at its normal end
    KN_CHILD_REMOVED_EARLY, ///< at any other end
    KN_CHILD_ENDED,         ///< at any end
    KN_CHILD_OVERFLOW,      ///< an application at the stack limit, refused or not
    KN_CHILD_COUNT_REACHED, ///< the count rises to `count`, or to every multiple of it
    KN_CHILD_COUNT_HELD,    ///< while the count is at or above `count`; then as remove_with_parent
    KN_CHILD_WHEN_COUNT,
} kn_child_when;

typedef enum kn_recipient {
    KN_TO_TARGET,
    KN_TO_SOURCE,
    KN_TO_INSTIGATOR, ///< of the context; the source if there is none
} kn_recipient;

/// An effect started by an effect.
typedef struct kn_child_def {
    kn_effect_type_id type; ///< or, before it is registered:
    const char *type_name;
    kn_child_when when;
    uint32_t count; ///< thresholds; at least 2
    bool every;     ///< KN_CHILD_COUNT_REACHED: every `count` stacks, not once
    kn_recipient to;
    uint32_t stacks;           ///< 0: as the child's def says
    bool remove_with_parent;   ///< at the end of this effect: of a stack those it put there go
    bool inherit_level;        ///< default true
    bool inherit_source;       ///< default true; else the target is the source
    bool copy_caller_values;   ///< default true
    kn_tag_requirement source; ///< the source must have these
} kn_child_def;

KN_API kn_child_def kn_child_def_default(void);

typedef enum kn_raise_when {
    KN_RAISE_APPLIED,
    KN_RAISE_EXECUTED,
    KN_RAISE_EXPIRED,
    KN_RAISE_REMOVED_EARLY,
    KN_RAISE_STACK_GAINED,
    KN_RAISE_STACK_LOST,
    KN_RAISE_WHEN_COUNT,
} kn_raise_when;

/// An event sent by data. Its record has the effect's source as instigator, its target as target,
/// whoever receives it, its asset tags and its source object.
typedef struct kn_raise_def {
    kn_raise_when when;
    kn_tag tag;
    kn_recipient to;
    kn_magnitude magnitude;
} kn_raise_def;

KN_API kn_raise_def kn_raise_def_default(void);

/// A number added to what an execution reads.
typedef struct kn_calculation_modifier {
    uint32_t capture; ///< index of a capture of the execution, or
    kn_tag transient; ///< one of its transient variables, if not null
    kn_op op;         ///< Add, Multiply, Divide or Override
    kn_scalable magnitude;
} kn_calculation_modifier;

typedef struct kn_execution_use {
    kn_execution_id execution;
    const kn_calculation_modifier *modifiers;
    uint32_t modifier_count;
    kn_tags tags; ///< describe the part, for immunity to parts
} kn_execution_use;

typedef struct kn_parameter_def {
    kn_name name;
    float value;   ///< default
    bool required; ///< no default: an application without it is refused
} kn_parameter_def;

KN_API kn_parameter_def kn_parameter_def_default(void);

/// What becomes of a granted ability when the effect leaves.
typedef enum kn_grant_removal {
    KN_GRANT_CANCEL,    ///< cancelled and removed at once
    KN_GRANT_AFTER_END, ///< may finish, then removed
    KN_GRANT_KEEP,      ///< stays
} kn_grant_removal;

/// What becomes of a granted ability while the effect is switched off by its `ongoing` conditions.
/// An ability that others have granted too (`share`) stays as it is.
typedef enum kn_grant_follow {
    KN_FOLLOW_IGNORE, ///< nothing
    KN_FOLLOW_CANCEL, ///< what runs is cancelled, and it cannot start (KN_FAIL_BLOCKED); an ability
                      ///< that activates on grant does so when the effect is on again
    /// It is taken away, as soon as what runs has ended; when the effect is on again it is granted
    /// anew, or stays if it still runs. Game code that takes it away meanwhile has the last word.
    KN_FOLLOW_AFTER_END,
    KN_FOLLOW_COUNT,
} kn_grant_follow;

/// Something granted while the effect is active: an ability of the library, or something that the
/// world's grant hook carries out.
typedef struct kn_grant_def {
    kn_name ability;
    kn_scalable level; ///< default 1
    int32_t input;     ///< default -1: as the ability's def says
    kn_grant_removal removal;
    kn_grant_follow follow_inhibition; ///< of abilities; default KN_FOLLOW_IGNORE
} kn_grant_def;

KN_API kn_grant_def kn_grant_def_default(void);

/// Cancels running abilities of the target that have any of `with` and none of `without`. An entry
/// without any tag is refused at registration.
typedef struct kn_cancel_def {
    kn_tags with; ///< empty: any ability
    kn_tags without;
    bool on_tick; ///< at each tick of a periodic effect; else on each application
} kn_cancel_def;

KN_API kn_cancel_def kn_cancel_def_default(void);

/// Phases of an effect's cues that may depend on its success, as bits. The end of a cue that was
/// added is always told.
typedef enum kn_cue_phase {
    /// One of the effect's modifiers is in force: its value is there and its requirements are met.
    /// Looked at when the effect begins or is switched on, and, as long as the cues were not added,
    /// whenever its stacks, level or magnitude change.
    KN_CUE_PHASE_ADDED = 1 << KN_CUE_ADDED,
    /// A modifier or an execution really changed something.
    KN_CUE_PHASE_EXECUTED = 1 << KN_CUE_EXECUTED,
    /// The magnitude that the cues see changed, not only stacks or level.
    KN_CUE_PHASE_UPDATED = 1 << KN_CUE_UPDATED,
    KN_CUE_PHASES = 7,
} kn_cue_phase;

typedef enum kn_tag_edit_kind {
    KN_TAG_EDIT_ADD,     ///< shows `tag`
    KN_TAG_EDIT_REMOVE,  ///< hides `tag` and what is below it, whoever granted it
    KN_TAG_EDIT_REPLACE, ///< shows `with` in place of `tag` and what is below it, while it is there
} kn_tag_edit_kind;

/// Edits the tags the target shows while the effect is active. Edits act one after the other, by
/// the creation of their effects, on what the entity has; counts stay as they are.
typedef struct kn_tag_edit {
    kn_tag_edit_kind kind;
    kn_tag tag;
    kn_tag with; ///< for KN_TAG_EDIT_REPLACE
} kn_tag_edit;

/// Everything about one kind of effect. Absent parts cost nothing.
typedef struct kn_effect_def {
    const char *name; ///< required, unique
    const char
        *parent; ///< for reference and queries by family: an effect registered before; may be NULL
    kn_duration_kind duration_kind;
    kn_magnitude duration; ///< seconds; for KN_DURATION
    kn_live_time live_duration;

    bool is_periodic;
    kn_magnitude period; ///< seconds, above 0
    kn_live_time live_period;
    bool skip_first_tick; ///< no tick on application; default false
    /// The period that runs at the end ticks with the part of the magnitude that is over of it.
    bool partial_last_tick;
    kn_inhibit_period inhibit_period;
    bool has_haste;
    kn_magnitude haste; ///< divides duration and period alike: the number of ticks stays

    const kn_modifier_def *modifiers;
    uint32_t modifier_count;
    const kn_execution_use *executions;
    uint32_t execution_count;
    const kn_parameter_def *parameters;
    uint32_t parameter_count;

    kn_tags asset_tags;           ///< describe the effect
    kn_tags granted_tags;         ///< the target has them while the effect is active
    const kn_tag_edit *tag_edits; ///< of the target, in this order
    uint32_t tag_edit_count;
    kn_tags blocked_ability_tags;
    kn_tags cue_tags;
    kn_attribute_id cue_attribute; ///< whose modifier is the cues' magnitude; null: the first
    float cue_min, cue_max;        ///< the range that cues see as 0 to 1; equal: none
    bool no_cue_on_stack;          ///< further stacks play no cue
    uint32_t cue_needs_success;    ///< kn_cue_phase bits; default 0

    kn_conditions application; ///< to be applied
    kn_conditions ongoing;     ///< to be switched on
    kn_conditions removal;     ///< to be removed, if not empty: also refuses application
    kn_scalable chance;        ///< 0 to 1, default 1
    kn_requirement_id requirement;

    kn_stacking stacking;
    kn_tag exclusive_group;
    kn_exclusive_rule exclusive_rule;

    const kn_gate_def *gates;
    uint32_t gate_count;
    /// Effects on the target with any of these among their asset or granted tags are removed.
    kn_tags remove_effects_with;
    const kn_cancel_def *cancels; ///< of running abilities
    uint32_t cancel_count;
    const kn_child_def *children;
    uint32_t child_count;
    const kn_raise_def *raises;
    uint32_t raise_count;
    const kn_grant_def *grants;
    uint32_t grant_count;

    bool ends_with_source;    ///< removed when its source is destroyed
    bool keeps_tally;         ///< counts what it really changed
    bool acts_on_owned;       ///< modifiers act on every entity owned by the target, see
                              ///< kn_entity_set_owner
    kn_tag_requirement owned; ///< of these, those that meet this
    kn_effect_logic_id logic;
    uint32_t cookie;
} kn_effect_def;

KN_API kn_effect_def kn_effect_def_default(void);
KN_API KN_MUST_USE kn_result kn_effect_register(
    kn_library *library, const kn_effect_def *def, kn_effect_type_id *type, kn_error *error);
KN_API kn_effect_type_id kn_effect_type_find(const kn_library *library, const char *name);
/// A type made at run time for one world, for every duration kind. It lives as long as the world
/// and is part of its saves. Registering an equal def again gives the same type, so that code may
/// build, apply and forget; another def under a taken name is refused.
KN_API KN_MUST_USE kn_result kn_world_effect_register(
    kn_world *world, const kn_effect_def *def, kn_effect_type_id *type, kn_error *error);
/// Name and def of a type, run-time ones included; "" and NULL when unknown.
KN_API const char *kn_effect_type_name(const kn_world *world, kn_effect_type_id type);
KN_API const kn_effect_def *kn_effect_type_def(const kn_world *world, kn_effect_type_id type);

// Applying ------------------------------------------------------------------

/// A float handed in under a tag.
typedef struct kn_caller_value {
    kn_tag tag;
    float value;
} kn_caller_value;

/// A float handed in under a name: a declared parameter, or free data for calculations.
typedef struct kn_named_value {
    kn_name name;
    float value;
} kn_named_value;

/// Who and what stands behind an effect. Everything is optional.
typedef struct kn_effect_context {
    kn_entity_id instigator; ///< default: the source
    kn_entity_id causer;     ///< weapon, projectile
    uint64_t source_object;  ///< for the host; part of the stack key if asked for
    kn_vec3 origin;
    bool has_origin;
    kn_context_type_id payload_type;
    const void *payload; ///< copied; size as registered
    const void *targets; ///< target data, see target.h; copied. KN_ERROR_BAD_DATA if malformed
    uint32_t target_size;
    kn_ability_id ability;       ///< the ability it comes from
    kn_activation_id activation; ///< and its activation
} kn_effect_context;

/// A kind of context payload: plain bytes described by a size.
KN_API KN_MUST_USE kn_result kn_context_type_register(kn_library *library, const char *name,
    uint32_t size, kn_context_type_id *type, kn_error *error);
KN_API kn_context_type_id kn_context_type_find(const kn_library *library, const char *name);
/// Bytes of its payload; 0 for null.
KN_API uint32_t kn_context_type_size(const kn_library *library, kn_context_type_id type);

/// One reason against an application, and what is behind it. Fields that do not apply are zero.
typedef struct kn_effect_refusal {
    kn_result reason;     ///< as kn_effect_apply() returns it
    kn_capture_from from; ///< whose tag, attribute or gate it is
    /// The tag that decides; of a gate, what it knows the effect or its source by; of a missing
    /// value of the caller, its tag.
    kn_tag tag;
    bool is_there;             ///< the tag is there and must not be; else it is missing
    bool is_removal;           ///< its `removal` conditions hold: it would be removed at once
    bool is_absent;            ///< the attribute is not there
    kn_attribute_id attribute; ///< absent, out of its range, or one that would follow itself
    float have;                ///< its value, the strength in an exclusive group, or the chance
    float min, max;            ///< what it must be within; infinite for no limit
    bool is_above, is_below;   ///< `min`, `max` themselves are not within
    kn_name parameter;         ///< the parameter that is missing
    uint32_t modifier;         ///< index + 1 of the modifier concerned; 0: none
    kn_effect_id effect;       ///< whose gate blocks, whose stack it is, or the stronger one
} kn_effect_refusal;

/// One application.
typedef struct kn_effect_apply_def {
    kn_effect_type_id type;
    kn_entity_id target;
    kn_entity_id source; ///< who makes it; may be null
    float level;         ///< default 1
    uint32_t stacks;     ///< stacks to add; 0: as the def says
    kn_time duration; ///< below 0: as the def says; KN_TIME_INFINITE: a stack of `own_timers` stays
    kn_time period;   ///< below 0: as the def says
    const kn_caller_value *caller_values;
    uint32_t caller_value_count;
    const kn_named_value *named_values;
    uint32_t named_value_count;
    kn_tags dynamic_granted_tags;
    kn_tags dynamic_asset_tags;
    const kn_effect_context *context; ///< may be NULL
    bool ignore_gates;
    kn_effect_refusal *refusal; ///< receives the first reason when it is refused; may be NULL
    uint32_t cookie;
} kn_effect_apply_def;

KN_API kn_effect_apply_def kn_effect_apply_def_default(void);

/// Applies an effect to an entity. An instant effect changes base values now; any
/// other becomes active and ends by itself, by removal, or with its target.
/// @param world  must not be stepping, unless a rule calls
/// @param apply  copied; start from kn_effect_apply_def_default()
/// @param effect receives the active effect, or the null id for an instant one; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale target; a stale source counts as none;
///         KN_REFUSED_BLOCKED, _REQUIREMENT, _CUSTOM, _CHANCE, _STACK_DENIED, _EXCLUSIVE,
///         _MISSING_VALUE, _MISSING_ATTRIBUTE, _BAD_NUMBER, _CYCLE, _DYING or _LIMIT;
///         KN_ERROR_BAD_DATA for malformed target data; KN_ERROR_OUT_OF_MEMORY.
///         Of a refusal, `refusal` of the def and KN_EVENT_EFFECT_REFUSED say why
KN_API KN_MUST_USE kn_result kn_effect_apply(
    kn_world *world, const kn_effect_apply_def *apply, kn_effect_id *effect);
/// The same with everything else at its default.
KN_API kn_result kn_effect_apply_simple(kn_world *world, kn_effect_type_id type,
    kn_entity_id source, kn_entity_id target, float level, kn_effect_id *effect);

/// Why an application would be refused, as far as that is certain: every reason, in the order in
/// which they are looked at. Changes nothing, and draws no number: a chance counts only at 0, and
/// a requirement that is a function is not asked. What a chain of effects would do on the way is
/// not foreseen.
/// @return how many reasons there are; at most `capacity` are written
KN_API uint32_t kn_effect_explain(const kn_world *world, const kn_effect_apply_def *apply,
    kn_effect_refusal *out, uint32_t capacity);
/// The same as text: "Burn: target has State.Wet; source needs State.Lit", or "Burn: can be
/// applied". Returns the full length.
KN_API uint32_t kn_effect_explain_print(
    const kn_world *world, const kn_effect_apply_def *apply, char *text, uint32_t size);
/// One reason as text: "blocked by Shield #5 of the target (Damage.Fire)". Returns the full length.
KN_API uint32_t kn_effect_refusal_print(
    const kn_world *world, const kn_effect_refusal *refusal, char *text, uint32_t size);

// Specs: made now, applied later --------------------------------------------

/// Makes a spec: source attributes and tags are captured now. `target` is ignored. The spec is
/// world state: a projectile carries its id.
KN_API KN_MUST_USE kn_result kn_spec_create(
    kn_world *world, const kn_effect_apply_def *def, kn_spec_id *spec);
KN_API void kn_spec_destroy(kn_world *world, kn_spec_id spec);
KN_API bool kn_spec_is_alive(const kn_world *world, kn_spec_id spec);
/// A second spec with the same content.
KN_API KN_MUST_USE kn_result kn_spec_copy(kn_world *world, kn_spec_id spec, kn_spec_id *copy);
KN_API kn_result kn_spec_set_caller_value(
    kn_world *world, kn_spec_id spec, kn_tag tag, float value);
KN_API kn_result kn_spec_set_named_value(
    kn_world *world, kn_spec_id spec, kn_name name, float value);
/// The value, or `fallback` when the spec or the value is not there.
KN_API float kn_spec_caller_value(
    const kn_world *world, kn_spec_id spec, kn_tag tag, float fallback);
KN_API kn_result kn_spec_set_level(kn_world *world, kn_spec_id spec, float level);
KN_API kn_result kn_spec_set_duration(kn_world *world, kn_spec_id spec, kn_time duration);
KN_API kn_result kn_spec_set_period(kn_world *world, kn_spec_id spec, kn_time period);
KN_API kn_result kn_spec_set_stacks(kn_world *world, kn_spec_id spec, uint32_t stacks);
KN_API kn_result kn_spec_add_granted_tag(kn_world *world, kn_spec_id spec, kn_tag tag);
KN_API kn_result kn_spec_add_asset_tag(kn_world *world, kn_spec_id spec, kn_tag tag);
/// Replaces the context. Captured source tags stay if `keep_captures`, else they are taken anew.
KN_API kn_result kn_spec_set_context(
    kn_world *world, kn_spec_id spec, const kn_effect_context *context, bool keep_captures);
/// Applies a spec; it stays and can be applied again. Results as kn_effect_apply().
KN_API KN_MUST_USE kn_result kn_spec_apply(
    kn_world *world, kn_spec_id spec, kn_entity_id target, kn_effect_id *effect);
/// As kn_effect_explain(), for applying a spec.
KN_API uint32_t kn_spec_explain(const kn_world *world, kn_spec_id spec, kn_entity_id target,
    kn_effect_refusal *out, uint32_t capacity);

// Containers ----------------------------------------------------------------

/// Whom a container reaches when it is applied. Of those that are found, the first 256, or as many
/// as fit into target data; how many more there are is told as a KN_EVENT_ERROR of the source,
/// KN_REFUSED_LIMIT with their number as `detail`.
typedef enum kn_container_target {
    KN_CONTAINER_SOURCE,    ///< who made it
    KN_CONTAINER_GIVEN,     ///< the entities handed in
    KN_CONTAINER_CUSTOM,    ///< those a function finds; the source may be gone
    KN_CONTAINER_TARGETING, ///< those a targeting type finds, at once
    KN_CONTAINER_DATA,      ///< those the target data handed in names
} kn_container_target;

/// Finds targets; writes at most `capacity`, and returns how many there are.
typedef uint32_t kn_targeting_fn(void *user, const kn_world *world, kn_entity_id source,
    const kn_vec3 *origin, kn_entity_id *out, uint32_t capacity);

/// Effects and the rule for whom they reach, as one thing.
typedef struct kn_container_def {
    const char *name; ///< required, unique
    kn_tag tag;       ///< to find it by; may be null
    kn_container_target target;
    kn_targeting_fn *targeting; ///< for KN_CONTAINER_CUSTOM
    void *user;
    kn_targeting_id targeting_type; ///< for KN_CONTAINER_TARGETING
    const kn_effect_type_id *effects;
    uint32_t effect_count;
    uint32_t cookie;
} kn_container_def;

KN_API kn_container_def kn_container_def_default(void);
KN_API KN_MUST_USE kn_result kn_container_register(
    kn_library *library, const kn_container_def *def, kn_container_id *container, kn_error *error);
KN_API kn_container_id kn_container_find(const kn_library *library, const char *name);

/// A value for the effect of one type in a container, or for all if the type is null.
typedef struct kn_container_value {
    kn_effect_type_id type;
    kn_caller_value value;
} kn_container_value;

typedef struct kn_container_apply_def {
    kn_container_id container;
    kn_entity_id source;
    float level;
    const kn_entity_id *targets; ///< for KN_CONTAINER_GIVEN
    uint32_t target_count;
    const void *data; ///< for KN_CONTAINER_DATA: see target.h
    uint32_t data_size;
    const kn_container_value *values;
    uint32_t value_count;
    const kn_effect_context *context;
    uint32_t cookie;
} kn_container_apply_def;

KN_API kn_container_apply_def kn_container_apply_def_default(void);
/// Applies every effect to every target. `applied` counts successes; may be NULL. Target data that
/// was handed in or found goes along in the context, unless that has its own.
/// Refusals of single applications are not errors; target data that is malformed is
/// (KN_ERROR_BAD_DATA).
KN_API kn_result kn_container_apply(
    kn_world *world, const kn_container_apply_def *def, uint32_t *applied);

// Removing and querying -----------------------------------------------------

/// Removes stacks of an effect, or all of it if `stacks` is 0 or more than there are. Never
/// touches the remaining time.
/// @return KN_OK, KN_REFUSED_STALE_ID, KN_ERROR_INVALID_ARGUMENT for a reason out of range
KN_API kn_result kn_effect_remove(
    kn_world *world, kn_effect_id effect, uint32_t stacks, kn_removal_reason reason);

/// Which effects of an entity. Every test that is set must hold. `{0}`, made by
/// kn_effect_query_default(), matches all.
typedef struct kn_effect_query {
    kn_effect_type_id type;         ///< of this type, or of one that descends from it by `parent`
    kn_tags any_tags;               ///< asset or granted: any of these
    kn_tags all_tags;               ///< asset or granted: all of these
    kn_tags asset_tags;             ///< asset: any of these
    kn_tags granted_tags;           ///< granted: any of these
    const kn_tag_query *tag_query;  ///< over asset and granted tags
    kn_tag_requirement source_tags; ///< tags of the source: captured by the spec, else as they are
    kn_entity_id source;
    bool has_source_object;
    uint64_t source_object;
    kn_attribute_id modifies;
    const kn_effect_id *ignore;
    uint32_t ignore_count;
    bool (*predicate)(void *user, const kn_world *world, kn_effect_id effect);
    void *user;
    uint32_t cookie;
} kn_effect_query;

KN_API kn_effect_query kn_effect_query_default(void);
/// Matching effects in order of creation. Returns how many there are, at most `capacity` written.
KN_API uint32_t kn_effects_find(const kn_world *world, kn_entity_id entity,
    const kn_effect_query *query, kn_effect_id *out, uint32_t capacity);
/// Removes stacks of matching effects (0: all). An empty query is refused.
/// @return KN_OK, KN_REFUSED_STALE_ID, KN_ERROR_INVALID_ARGUMENT for an empty query
KN_API kn_result kn_effects_remove(kn_world *world, kn_entity_id entity,
    const kn_effect_query *query, uint32_t stacks, kn_removal_reason reason, uint32_t *removed);
KN_API uint32_t kn_effects_count(const kn_world *world, kn_entity_id entity);

/// Times of the matching effect that ends last. False when there is none, or no tag was given.
KN_API bool kn_effects_remaining(const kn_world *world, kn_entity_id entity,
    const kn_effect_query *query, kn_time *remaining, kn_time *duration);

/// Everything worth knowing about an active effect.
typedef struct kn_effect_info {
    kn_effect_type_id type;
    kn_entity_id target;
    kn_entity_id source; ///< may be stale: the source is gone
    kn_entity_id instigator;
    kn_entity_id causer;
    uint64_t source_object;
    float level;
    uint32_t stacks;
    kn_time start;
    kn_time duration;    ///< KN_TIME_INFINITE for infinite
    kn_time remaining;   ///< KN_TIME_INFINITE for infinite
    kn_time period;      ///< 0: not periodic
    kn_time next_tick;   ///< time of the next tick; KN_TIME_INFINITE for none
    uint32_t executions; ///< ticks so far; while one runs, it counts already
    bool is_inhibited;
    float tally_loss, tally_gain;
    kn_vec3 origin; ///< of the context
    bool has_origin;
} kn_effect_info;

/// False for a stale id.
KN_API bool kn_effect_get(const kn_world *world, kn_effect_id effect, kn_effect_info *info);
KN_API bool kn_effect_is_alive(const kn_world *world, kn_effect_id effect);
KN_API uint32_t kn_effect_stacks(const kn_world *world, kn_effect_id effect);
KN_API kn_time kn_effect_remaining(const kn_world *world, kn_effect_id effect);
/// The scaled magnitude of one modifier, or 0.
KN_API float kn_effect_magnitude(const kn_world *world, kn_effect_id effect, uint32_t modifier);
KN_API float kn_effect_caller_value(
    const kn_world *world, kn_effect_id effect, kn_tag tag, float fallback);
/// The context's payload if it is of this type, else NULL. Valid until the world changes.
KN_API const void *kn_effect_payload(
    const kn_world *world, kn_effect_id effect, kn_context_type_id type);
/// The state block of an effect with logic, for reading; NULL for none.
KN_API const void *kn_effect_state(const kn_world *world, kn_effect_id effect);

// Changing what is active ---------------------------------------------------

/// The effect ends `remaining` from now. 0 or less ends it at once, early and without a tick. Only
/// the running cycle of an effect whose duration restarts gets shorter or longer, not the next.
/// KN_REFUSED_NOT_FOUND for an effect without an end of its own: an infinite one, or one whose
/// stacks have their own timers; so in all functions that change the time.
KN_API kn_result kn_effect_set_remaining(kn_world *world, kn_effect_id effect, kn_time remaining);
/// Adds to the remaining time, at most up to `cap` (below 0: no cap). A delta below 0 takes away,
/// whatever the cap.
KN_API kn_result kn_effect_add_remaining(
    kn_world *world, kn_effect_id effect, kn_time delta, kn_time cap);
KN_API kn_result kn_effect_scale_remaining(kn_world *world, kn_effect_id effect, float factor);
/// Keeps the start and changes the total length; one that has passed ends the effect at once. So
/// long are cycles to come, too, unless the duration follows attributes; so kn_effect_restart().
KN_API kn_result kn_effect_set_total(kn_world *world, kn_effect_id effect, kn_time duration);
/// Restarts the effect now with a new duration.
KN_API kn_result kn_effect_restart(kn_world *world, kn_effect_id effect, kn_time duration);
/// Computes magnitudes and live times anew; cues are updated only by another level.
/// @return KN_OK, KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for a level that is not finite, or at
///         which a live period would be 0 or less: then nothing has changed
KN_API kn_result kn_effect_set_level(kn_world *world, kn_effect_id effect, float level);
KN_API kn_result kn_effect_set_stacks(kn_world *world, kn_effect_id effect, uint32_t stacks);
/// Computes magnitudes and live times anew. Results as kn_effect_set_level().
KN_API kn_result kn_effect_set_caller_value(
    kn_world *world, kn_effect_id effect, kn_tag tag, float value);
/// Computes magnitudes and live times anew: for calculations that read more than attributes.
KN_API kn_result kn_effect_refresh(kn_world *world, kn_effect_id effect);
/// Executes a periodic effect now, without touching its schedule.
KN_API kn_result kn_effect_execute(kn_world *world, kn_effect_id effect);

#ifdef __cplusplus
}
#endif

#endif
