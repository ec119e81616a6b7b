// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Effects: how attributes and tags change. A def is data; registered it is a type; applied it
/// either executes at once (instant) or becomes an active effect that ends by itself, by removal,
/// or with its target.
///
/// Order inside an application: gates of the target (immunity) -> application requirements ->
/// custom requirement -> chance -> captures -> magnitudes -> exclusive group and stacking -> store,
/// or execute -> granted tags -> effects removed by tags -> children queued -> cues -> events.
///
/// An active effect is *inhibited* while its `ongoing` conditions are not met: it stays, but its
/// modifiers, tags and gates do not act.
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

// A kn_spec_view is the spec an effect is applied with. Calculations, executions, requirements and
// hooks receive one; it is valid during their call and must not be kept.

/// The type of the effect.
KN_API kn_effect_type_id kn_spec_view_type(const kn_spec_view *spec);
/// The level of the effect.
KN_API float kn_spec_view_level(const kn_spec_view *spec);
/// The stack count of the active effect; while it is being applied, the stacks of the application,
/// at least 1.
KN_API uint32_t kn_spec_view_stacks(const kn_spec_view *spec);
/// The entity that applies the effect; may be null or stale.
KN_API kn_entity_id kn_spec_view_source(const kn_spec_view *spec);
/// The entity that receives the effect; null in a spec that has not been applied.
KN_API kn_entity_id kn_spec_view_target(const kn_spec_view *spec);
/// Who is responsible: the instigator of the context, otherwise the source; may be null or stale.
KN_API kn_entity_id kn_spec_view_instigator(const kn_spec_view *spec);
/// The weapon or projectile of the context, or null.
KN_API kn_entity_id kn_spec_view_causer(const kn_spec_view *spec);
/// Where the effect comes from. False, and zero, if the context does not say. `origin` may be NULL.
/// What was hit, and where, is in the target data: kn_spec_view_targets() of target.h.
KN_API bool kn_spec_view_origin(const kn_spec_view *spec, kn_vec3 *origin);
/// The host's 64 bits in the context; 0 for none.
KN_API uint64_t kn_spec_view_source_object(const kn_spec_view *spec);
/// The active effect; null while it is being applied, and for an instant one.
KN_API kn_effect_id kn_spec_view_effect(const kn_spec_view *spec);
/// The value the caller set under a tag, or `fallback`. `warn` logs a warning, once per world, when
/// it is missing.
KN_API float kn_spec_view_caller_value(
    const kn_spec_view *spec, kn_tag tag, float fallback, bool warn);
/// The value the caller set under a name, or `fallback`. `warn` logs a warning, once per world,
/// when it is missing.
KN_API float kn_spec_view_named_value(
    const kn_spec_view *spec, kn_name name, float fallback, bool warn);
/// A declared parameter: what the caller gave, otherwise the def's default, otherwise `fallback`.
KN_API float kn_spec_view_parameter(const kn_spec_view *spec, kn_name name, float fallback);
/// True if the effect has the asset tag or one below it, by its def or added to the spec.
KN_API bool kn_spec_view_has_asset_tag(const kn_spec_view *spec, kn_tag tag);
/// The asset tags of the effect, each once: those of its def, then those added to the spec. Returns
/// how many there are; at most `capacity` are written. 0 for NULL.
/// @param out may be NULL if `capacity` is 0
KN_API uint32_t kn_spec_view_asset_tags(const kn_spec_view *spec, kn_tag *out, uint32_t capacity);
/// True if the source had the tag, or one below it, when the spec was made.
KN_API bool kn_spec_view_source_has_tag(const kn_spec_view *spec, kn_tag tag);
/// True if the target has the tag, or one below it, now.
KN_API bool kn_spec_view_target_has_tag(const kn_spec_view *spec, kn_tag tag);
/// True if the target has the tag itself now; tags below it do not count.
KN_API bool kn_spec_view_target_has_tag_exact(const kn_spec_view *spec, kn_tag tag);
/// The ability behind the effect; null for none. May be stale.
KN_API kn_ability_id kn_spec_view_ability(const kn_spec_view *spec);
/// The activation behind the effect; null for none. May be stale.
KN_API kn_activation_id kn_spec_view_activation(const kn_spec_view *spec);
/// Index of the execution: 0 for the first tick and for an instant effect.
KN_API uint32_t kn_spec_view_tick(const kn_spec_view *spec);
/// The context's payload if it is of this type, else NULL. Valid until the hook's next call that
/// changes the world.
KN_API const void *kn_spec_view_payload(const kn_spec_view *spec, kn_context_type_id type);
/// The world, for reading.
KN_API const kn_world *kn_spec_view_world(const kn_spec_view *spec);

/// A magnitude calculation while it runs. Valid during the call.
typedef struct kn_calculation kn_calculation;
/// The spec of the effect. Valid during the call.
KN_API const kn_spec_view *kn_calculation_spec(const kn_calculation *calculation);
/// A declared capture by index. Reading an undeclared one publishes a KN_EVENT_ERROR and gives 0.
KN_API float kn_calculation_capture(const kn_calculation *calculation, uint32_t index);

/// Returns one number. Must be pure: it reads its captures and the spec, nothing else.
typedef float kn_calculation_fn(void *user, const kn_calculation *calculation);

/// Longest expression in bytes. A longer one, more than 64 levels of nesting, 32 attributes or
/// about 1000 operations is KN_ERROR_BAD_DATA.
#define KN_EXPRESSION_LENGTH_MAX 4096

/// A calculation: a function or a formula that returns a magnitude.
typedef struct kn_calculation_def {
    const char *name;            ///< unique name; required
    const kn_capture *captures;  ///< attributes that the calculation reads
    uint32_t capture_count;      ///< number of entries in `captures`
    kn_calculation_fn *function; ///< computes the number; set this or `expression`
    void *user;                  ///< passed to `function`
    /// A formula instead of a function, such as `source.Combat.Power * (1 + 0.1 * level)`; see
    /// docs/expressions.md. What it names must be registered before; the attributes it reads are
    /// appended to `captures`. A result that is not a number (division by zero, root of a negative
    /// number), or a missing value, refuses the application (KN_REFUSED_BAD_NUMBER,
    /// KN_REFUSED_MISSING_VALUE).
    const char *expression;
    uint32_t cookie; ///< set by kn_calculation_def_default(); do not change it
} kn_calculation_def;

/// A calculation def with nothing set.
KN_API kn_calculation_def kn_calculation_def_default(void);
/// Registers a calculation.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for an invalid
///         name or capture, or an error in the expression, with line and column within its text;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults, with neither a function nor an
///         expression, or with both; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_calculation_register(kn_library *library,
    const kn_calculation_def *def, kn_calculation_id *calculation, kn_error *error);
/// The calculation with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_calculation_id kn_calculation_find(const kn_library *library, const char *name);
/// The name of a calculation; "" for null. Valid as long as the library.
KN_API const char *kn_calculation_name(const kn_library *library, kn_calculation_id calculation);
/// The def of a calculation as registered; it belongs to the library. NULL when unknown.
KN_API const kn_calculation_def *kn_calculation_get_def(
    const kn_library *library, kn_calculation_id calculation);

/// Evaluates a magnitude outside of an effect, such as one in a definition of an own kind
/// (knack/kind.h). Attributes are read now, snapshots too; there is 1 stack, no tick and no causer,
/// and no caller values and parameters are given. Changes nothing.
/// @param source whose attributes and tags count as those of the source; may be null
/// @param target whose attributes and tags count as those of the target; may be null
/// @param level where curves are looked up
/// @param value receives the number; 0 on anything but KN_OK
/// @return KN_OK; KN_REFUSED_MISSING_ATTRIBUTE for an attribute that is absent and has no default;
///         KN_REFUSED_MISSING_VALUE for a parameter, and for a caller value without a default;
///         KN_REFUSED_BAD_NUMBER for a level or a result that is not finite;
///         KN_ERROR_INVALID_ARGUMENT for an unknown kind, attribute, calculation or curve
KN_API kn_result kn_magnitude_evaluate(const kn_world *world, const kn_magnitude *magnitude,
    kn_entity_id source, kn_entity_id target, float level, float *value);

/// An execution while it runs: a rule that may change several attributes, and anything else. Calls
/// that remove or rearrange wait until the effect has been executed (docs/step-order.md, "A hook").
/// Valid during the call.
typedef struct kn_execution kn_execution;
/// The world, for reading and changing.
KN_API kn_world *kn_execution_world(const kn_execution *execution);
/// The spec of the effect. Valid during the call.
KN_API const kn_spec_view *kn_execution_spec(const kn_execution *execution);
/// The entity that receives the effect.
KN_API kn_entity_id kn_execution_target(const kn_execution *execution);
/// The entity that applied the effect; may be null or stale.
KN_API kn_entity_id kn_execution_source(const kn_execution *execution);
/// A declared capture by index, as changed by the effect's calculation modifiers. Reading an
/// undeclared one publishes a KN_EVENT_ERROR and gives 0.
KN_API float kn_execution_capture(const kn_execution *execution, uint32_t index);
/// A transient variable: 0, as changed by the effect's calculation modifiers. False, and 0, for a
/// tag the execution does not list.
KN_API bool kn_execution_transient(const kn_execution *execution, kn_tag tag, float *value);
/// Adds an output: it runs through the execute hooks like a modifier, after the function returns.
/// At most 64. One that cannot be added publishes a KN_EVENT_ERROR: KN_REFUSED_LIMIT,
/// KN_REFUSED_BAD_NUMBER for a magnitude that is not finite, KN_ERROR_INVALID_ARGUMENT for an
/// unknown attribute or operation.
KN_API void kn_execution_output(
    kn_execution *execution, kn_attribute_id attribute, uint32_t key, kn_op op, float magnitude);
/// Says that the function plays the cues itself: the effect's own are not executed.
KN_API void kn_execution_handle_cues(kn_execution *execution);
/// Says that the function has taken stacks into account: outputs are not scaled.
KN_API void kn_execution_handle_stacks(kn_execution *execution);
/// Starts the effect's conditional children (KN_CHILD_EXECUTED) after this execution.
KN_API void kn_execution_trigger_children(kn_execution *execution);

/// Executes an effect: reads captures and adds outputs. A rule.
typedef void kn_execution_fn(void *user, kn_execution *execution);

/// An execution: a function that several effects may use.
typedef struct kn_execution_def {
    const char *name;           ///< unique name; required
    const kn_capture *captures; ///< attributes that the execution reads
    uint32_t capture_count;     ///< number of entries in `captures`
    kn_tags transients; ///< names, as tags, of variables that effects may change for the execution
    /// Clients run the execution ahead of the server; false: they leave it out until the server has
    /// confirmed the tick; default true.
    bool predict;
    kn_execution_fn *function; ///< called at each execution; required
    void *user;                ///< passed to `function`
    uint32_t cookie;           ///< set by kn_execution_def_default(); do not change it
} kn_execution_def;

/// An execution def with nothing set.
KN_API kn_execution_def kn_execution_def_default(void);
/// Registers an execution.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for an invalid
///         name or capture; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or function;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_execution_register(
    kn_library *library, const kn_execution_def *def, kn_execution_id *execution, kn_error *error);
/// The execution with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_execution_id kn_execution_find(const kn_library *library, const char *name);
/// The name of an execution; "" for null. Valid as long as the library.
KN_API const char *kn_execution_name(const kn_library *library, kn_execution_id execution);
/// The def of an execution as registered; it belongs to the library. NULL when unknown.
KN_API const kn_execution_def *kn_execution_get_def(
    const kn_library *library, kn_execution_id execution);

/// The answer of a custom application requirement.
typedef enum kn_requirement_answer {
    KN_REQUIREMENT_ALLOW,   ///< the effect may be applied
    KN_REQUIREMENT_DENY,    ///< the application is refused with KN_REFUSED_CUSTOM
    KN_REQUIREMENT_HANDLED, ///< the function did the work itself; the apply call gives *existing
                            ///< and KN_OK
} kn_requirement_answer;

/// Decides about an application. A rule: it may look for an existing effect and change that instead
/// of letting a new one in; kn_spec_view_refuse() says why it refuses. `spec` is valid during the
/// call.
typedef kn_requirement_answer kn_requirement_fn(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing);
/// Registers a custom application requirement written in C.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for an invalid
///         name; KN_ERROR_INVALID_ARGUMENT for a NULL function; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_requirement_register(kn_library *library, const char *name,
    kn_requirement_fn *function, void *user, kn_requirement_id *requirement, kn_error *error);
/// The requirement with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_requirement_id kn_requirement_find(const kn_library *library, const char *name);
/// The name of a requirement; "" for null. Valid as long as the library.
KN_API const char *kn_requirement_name(const kn_library *library, kn_requirement_id requirement);
/// Registers a requirement as an expression (docs/expressions.md). Anything but 0 allows, 0 refuses
/// with KN_REFUSED_CUSTOM. Attributes are read at application. An absent attribute without default,
/// a missing value or a bad number refuses with its own reason, as in calculations. Example:
///
///   target.Vitals.Health < 0.3 * target.Vitals.Health.max
///
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for an invalid
///         name, or an error in the expression, with line and column; KN_ERROR_WORLD_LOCKED once
///         the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_requirement_register_expression(kn_library *library,
    const char *name, const char *expression, kn_requirement_id *requirement, kn_error *error);

/// A further application that joined an active effect, and what it did to it. It holds what the
/// application brought, whichever of the two the stack has kept (kn_merge).
typedef struct kn_effect_reapplication {
    /// This application: its caller values, tags and context. Valid during the call.
    const kn_spec_view *application;
    kn_entity_id source;         ///< who applied it this time; may be null or stale
    kn_entity_id instigator;     ///< instigator of the context, otherwise the source; may be stale
    kn_entity_id causer;         ///< weapon or projectile of the context; null for none
    kn_ability_id ability;       ///< the ability behind the application; null for none
    kn_activation_id activation; ///< the activation behind the application; null for none
    kn_vec3 origin;              ///< origin of the context, with `has_origin`
    bool has_origin;             ///< `origin` is set
    /// The effect now has the source, level, values and context of this application; otherwise it
    /// has kept its own.
    bool took_over;
    float level;            ///< level of the application
    uint32_t stacks;        ///< stacks that the application brought
    uint32_t old_stacks;    ///< stacks of the effect before
    uint32_t new_stacks;    ///< stacks of the effect now; `old_stacks` at the limit
    uint64_t source_object; ///< the host's 64 bits in the context
    kn_time old_remaining;  ///< time that was left before; KN_TIME_INFINITE for no end
    kn_time new_remaining;  ///< time that is left now; KN_TIME_INFINITE for no end
} kn_effect_reapplication;

/// Hooks of effects with logic. Each may be NULL. `state` is the effect's block, zero at first,
/// saved and snapshotted with the world; `spec` describes the effect; both are valid during the
/// call. Hooks are rules: they may change the world; calls that remove or rearrange wait until the
/// operation in progress is done (docs/step-order.md, "A hook"). Nested hooks of one effect share
/// one state.
typedef struct kn_effect_logic_def {
    const char *name;    ///< unique name; required
    uint32_t state_size; ///< bytes of state, at most 4096: plain data without pointers
    /// The fields of the state, in order, covering all of it: it is saved and dumped by name. None:
    /// it is saved as raw bytes.
    const kn_field *state_fields;
    uint32_t state_field_count; ///< number of entries in `state_fields`
    /// Called when the effect became active.
    void (*applied)(void *user, kn_world *world, const kn_spec_view *spec, void *state);
    /// Called at each tick.
    void (*ticked)(void *user, kn_world *world, const kn_spec_view *spec, void *state);
    /// Called when the stack count changed.
    void (*stacks_changed)(void *user, kn_world *world, const kn_spec_view *spec, void *state,
        uint32_t old_count, uint32_t new_count);
    /// Called when the effect is inhibited (true) or acts again (false).
    void (*inhibited)(
        void *user, kn_world *world, const kn_spec_view *spec, void *state, bool is_inhibited);
    /// Called when the effect ends, for whatever reason.
    void (*removed)(void *user, kn_world *world, const kn_spec_view *spec, void *state,
        kn_removal_reason reason);
    /// Called when a further application has joined the effect: with more stacks, more time, or, as
    /// at the limit, with neither. After `stacks_changed`; not for one that was refused.
    void (*reapplied)(void *user, kn_world *world, const kn_spec_view *spec, void *state,
        const kn_effect_reapplication *again);
    /// Called when an instant effect has been executed; `state` is zero, and not kept. Of an
    /// instant effect no other hook is called.
    void (*executed)(void *user, kn_world *world, const kn_spec_view *spec, void *state);
    void *user;      ///< passed to every hook
    uint32_t cookie; ///< set by kn_effect_logic_def_default(); do not change it
} kn_effect_logic_def;

/// A logic def with nothing set.
KN_API kn_effect_logic_def kn_effect_logic_def_default(void);
/// Registers hooks and state for effects.
/// @return KN_OK; KN_ERROR_BAD_DATA for an invalid name, too much state, or fields that do not
///         cover it; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for a
///         def without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_effect_logic_register(kn_library *library,
    const kn_effect_logic_def *def, kn_effect_logic_id *logic, kn_error *error);
/// The effect logic with this name. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_effect_logic_id kn_effect_logic_find(const kn_library *library, const char *name);
/// The name of an effect logic; "" for null. Valid as long as the library.
KN_API const char *kn_effect_logic_name(const kn_library *library, kn_effect_logic_id logic);
/// The def of an effect logic as registered; it belongs to the library. NULL when unknown.
KN_API const kn_effect_logic_def *kn_effect_logic_get_def(
    const kn_library *library, kn_effect_logic_id logic);

// The definition ------------------------------------------------------------

/// How long an effect lasts.
typedef enum kn_duration_kind {
    /// Changes base values at once and is over; grants nothing, not even for a moment.
    KN_DURATION_INSTANT,
    KN_DURATION_TIMED,    ///< active for the seconds in `duration`
    KN_DURATION_INFINITE, ///< active until it is removed
} kn_duration_kind;

/// What a further application does to the remaining time of a stack.
typedef enum kn_refresh {
    KN_REFRESH_RESTART,     ///< the full duration from now
    KN_REFRESH_NEVER,       ///< the remaining time stays as it is
    KN_REFRESH_EXTEND,      ///< the new duration is added to the remaining time
    KN_REFRESH_KEEP_LONGER, ///< the remaining time or the new duration, whichever is longer
    /// The new duration plus the remaining time, of which at most the share `pandemic` of the new
    /// duration.
    KN_REFRESH_PANDEMIC,
    KN_REFRESH_COMPLETE_PERIOD, ///< the running period to its end, then the full duration
    KN_REFRESH_ALIGN_TICK,      ///< the full duration, lengthened to end on a tick
} kn_refresh;

/// What a further application does to the next tick.
typedef enum kn_period_reset {
    KN_PERIOD_RESET, ///< the next tick comes a full period from now
    KN_PERIOD_KEEP,  ///< the next tick comes when it was due
} kn_period_reset;

/// What happens when the duration ends with stacks left.
typedef enum kn_expiration {
    KN_EXPIRE_CLEAR,           ///< the whole effect ends
    KN_EXPIRE_ONE_AND_REFRESH, ///< one stack is removed, and the duration starts again
    KN_EXPIRE_REFRESH, ///< the duration starts again with all stacks, until something removes them
} kn_expiration;

/// What becomes of the ticks of an effect that is inhibited and later acts again.
typedef enum kn_inhibit_period {
    /// Ticks stay where they were; those that fall into the inhibition do nothing.
    KN_INHIBIT_NEVER_RESET,
    KN_INHIBIT_RESET, ///< the next tick comes a full period after the effect acts again
    /// A tick at the moment the effect acts again, the next a full period later.
    KN_INHIBIT_EXECUTE_AND_RESET,
    KN_INHIBIT_PAUSE, ///< the period stops and goes on where it stopped
} kn_inhibit_period;

/// Whether a period or duration follows attributes, level and caller values while the effect runs.
typedef enum kn_live_time {
    KN_LIVE_NONE, ///< computed once, when the effect is applied
    /// A duration gets longer or shorter at once, by the difference; a period changes after the
    /// next tick.
    KN_LIVE_NEXT,
    /// As KN_LIVE_NEXT, but the running period changes too: the next tick comes one new period
    /// after the last.
    KN_LIVE_RESCALE,
} kn_live_time;

/// Which applications share one active effect.
typedef enum kn_stacking_kind {
    KN_STACK_NONE,      ///< every application is an effect of its own
    KN_STACK_BY_SOURCE, ///< one stack per source and target
    KN_STACK_BY_TARGET, ///< one stack per target
} kn_stacking_kind;

/// What a further application does to the stack that is there.
typedef enum kn_stack_rule {
    KN_STACK_JOIN,   ///< the new application joins the stack
    KN_STACK_REFUSE, ///< the new application is refused with KN_REFUSED_STACK_DENIED
    /// It joins, and level, source and values of the stack are now its own, whatever `merge` says.
    KN_STACK_TAKE_OVER,
    KN_STACK_RESTART, ///< as KN_STACK_TAKE_OVER, and the count starts again at `initial`
} kn_stack_rule;

/// What happens at the limit of stacks with their own timers. A stack without an end makes room
/// only for another without one: where all are such, a timed one is refused.
typedef enum kn_stack_cap {
    KN_STACK_CAP_REPLACE_OLDEST,       ///< the oldest stack is replaced
    KN_STACK_CAP_REPLACE_FIRST_ENDING, ///< the stack that ends first is replaced; of several the
                                       ///< oldest
    KN_STACK_CAP_REFUSE,               ///< the application is refused
} kn_stack_cap;

/// Which application a merged stack belongs to. Level, source, values, context, source tags and
/// asset tags, captures and period are all of that one application, and live captures follow its
/// source. Tags granted by the first application, and the state of logic, stay.
typedef enum kn_merge {
    KN_MERGE_LATEST, ///< of the latest application
    /// Of the application with the highest level; of equal levels the latest.
    KN_MERGE_HIGHEST_LEVEL,
    KN_MERGE_FIRST, ///< of the first application
    /// Of the latest; what the others have not dealt yet is kept and spread over the ticks that are
    /// left, for magnitudes of kind KN_MAGNITUDE_POOL.
    KN_MERGE_POOL,
} kn_merge;

/// How several applications of one effect stack.
typedef struct kn_stacking {
    kn_stacking_kind kind; ///< which applications share one active effect; default none
    bool key_level;        ///< only applications of the same level share a stack
    /// Only applications with the same source object, such as a weapon, share a stack.
    bool key_object;
    /// What a further application does whose level is below the stack's; default join.
    kn_stack_rule on_lower_level;
    /// What a further application does whose level is the stack's; default join.
    kn_stack_rule on_equal_level;
    /// What a further application does whose level is above the stack's; default join.
    kn_stack_rule on_higher_level;
    /// What a further application of the same source does, as `merge` has kept it; default join.
    kn_stack_rule on_same_source;
    /// What a further application of another source does, for KN_STACK_BY_TARGET; default join.
    kn_stack_rule on_other_source;
    kn_scalable limit; ///< most stacks, by level; 0 or less: no limit; default 0
    /// Most stacks of one source, for KN_STACK_BY_TARGET with `own_timers`; 0 or less: no limit;
    /// default 0.
    kn_scalable limit_per_source;
    kn_scalable initial;         ///< stacks that the first application starts with; default 1
    kn_scalable per_application; ///< stacks that each further application adds; default 1
    kn_refresh refresh; ///< what a further application does to the remaining time; default restart
    /// Most of the remaining time that KN_REFRESH_PANDEMIC keeps, as a share of the new duration;
    /// default 0.3.
    kn_scalable pandemic;
    /// What a further application does to the next tick; default reset.
    kn_period_reset period_reset;
    kn_expiration expiration; ///< what happens when the duration is over; default clear
    kn_merge merge;           ///< whose level, source and values a stack has; default latest
    /// An application at the limit is refused; otherwise it only refreshes the stack.
    bool deny_overflow;
    /// With `deny_overflow`: an application that is refused at the limit also ends the stack.
    bool clear_on_overflow;
    bool tick_on_stack;  ///< a periodic effect also ticks at each further application
    bool own_timers;     ///< each stack has a duration of its own, and ends alone
    kn_stack_cap at_cap; ///< what happens at the limit, with `own_timers`; default replace_oldest
    /// With `own_timers`: all stacks end `common_duration` after the last application.
    bool common_timer;
    /// With `common_timer`: seconds; 0 or less: the duration of the effect; default 0.
    kn_scalable common_duration;
} kn_stacking;

/// How members of one exclusive group, of any type, treat each other on one target.
typedef enum kn_exclusive_rule {
    KN_EXCLUSIVE_NEWEST,            ///< a new member replaces all others
    KN_EXCLUSIVE_NEWEST_PER_SOURCE, ///< a new member replaces those of the same source
    /// A new member that is weaker is refused; any other replaces what is there.
    KN_EXCLUSIVE_STRONGEST,
    /// All stay; of those that change one value in one direction, only the strongest acts.
    KN_EXCLUSIVE_BEST_COUNTS,
    KN_EXCLUSIVE_NAME_ONCE, ///< all stay; of several effects of one type, only the strongest acts
} kn_exclusive_rule;

/// A test of an attribute. An absent attribute does not meet it. Start from
/// kn_attribute_condition_default().
typedef struct kn_attribute_condition {
    kn_capture_from from;      ///< whose attribute: the target's or the source's; default target
    kn_attribute_id attribute; ///< the attribute to test; required
    /// Instance of the attribute set, for entities that have the set several times; default 0.
    uint32_t key;
    /// `min`, or `max`, is tested; at least one of the four bounds is required.
    bool has_min, has_max;
    /// `above`, or `below`, is tested; at least one of the four bounds is required.
    bool has_above, has_below;
    float min, max;     ///< lowest and highest value that meets the condition
    float above, below; ///< the value must lie above, or below, this number
    /// The limits are shares of this attribute: 0.5 is half of it; null: plain numbers.
    kn_attribute_id relative_to;
    uint32_t group; ///< all conditions of one group must hold, and one group is enough; default 0
} kn_attribute_condition;

/// A condition on the target with nothing else set. Zeroed memory would mean the source.
KN_API kn_attribute_condition kn_attribute_condition_default(void);

/// Tags and attribute values that must hold.
typedef struct kn_conditions {
    kn_tag_requirement target; ///< tags the target must have, or must not have
    /// Tags the source must have, or must not have; once the source is gone, required tags fail and
    /// ignored ones pass.
    kn_tag_requirement source;
    /// Tests of attributes; all must hold, unless their `group` differs.
    const kn_attribute_condition *attributes;
    uint32_t attribute_count; ///< number of entries in `attributes`
} kn_conditions;

/// Blocks event records while the effect is active and not inhibited. Immunity is a gate on effect
/// applications; the tags of the ability that applies an effect count as tags of its source. A gate
/// without any test is refused at registration.
typedef struct kn_gate_def {
    kn_event_kind_id kind; ///< kind of events to block; null: applications of effects
    /// Block what the bearer of the effect does; otherwise what happens to the bearer; default
    /// false.
    bool as_instigator;
    kn_tags source_any;        ///< block if the source has any of these tags
    kn_tag_requirement source; ///< block if the source has, or does not have, these tags
    /// Block if the event has, or does not have, these tags; those of an effect are its asset and
    /// granted tags.
    kn_tag_requirement record;
    const kn_effect_type_id *types; ///< block these effects
    uint32_t type_count;            ///< number of entries in `types`
    kn_attribute_id modifies;       ///< block effects that modify this attribute; null: any
    kn_condition_id condition;      ///< block if this condition on the event holds; null: none
    /// Block only modifiers and executions with any of these tags, not the whole effect; an effect
    /// of which nothing is left is refused.
    kn_tags parts;
    /// Name of the reason that refusals by this gate give, such as `warded`: a fail reason of the
    /// library, or a built-in one; default none.
    const char *reason;
} kn_gate_def;

/// A gate with nothing set: all zero.
KN_API kn_gate_def kn_gate_def_default(void);

/// When an effect starts a child.
typedef enum kn_child_when {
    KN_CHILD_APPLIED,  ///< after a successful application, first or further
    KN_CHILD_EXECUTED, ///< after an execution that asks for it (kn_execution_trigger_children())
    KN_CHILD_EXPIRED,  ///< when its duration is over
    KN_CHILD_REMOVED_EARLY, ///< when it ends in any other way
    KN_CHILD_ENDED,         ///< when it ends, in any way
    KN_CHILD_OVERFLOW,      ///< after an application at the stack limit, refused or not
    KN_CHILD_COUNT_REACHED, ///< when the stack count rises to `count`
    KN_CHILD_COUNT_HELD,    ///< as long as the stack count is at or above `count`
    KN_CHILD_WHEN_COUNT,    ///< number of the values above; not a value itself
} kn_child_when;

/// Who receives a child effect or an event that an effect sends.
typedef enum kn_recipient {
    KN_RECIPIENT_TARGET,     ///< the target of the effect
    KN_RECIPIENT_SOURCE,     ///< the source of the effect
    KN_RECIPIENT_INSTIGATOR, ///< the instigator of the context; the source if there is none
} kn_recipient;

/// An effect that is started by another effect. Start from kn_child_def_default().
typedef struct kn_child_def {
    kn_effect_type_id type; ///< the effect to start; this or `type_name` is required
    /// Name of the effect to start, which may be registered later; NULL: `type`.
    const char *type_name;
    kn_child_when when; ///< when the child is started; default applied
    /// Stack count for KN_CHILD_COUNT_REACHED and KN_CHILD_COUNT_HELD, at least 2; default 2.
    uint32_t count;
    bool every;      ///< with KN_CHILD_COUNT_REACHED: at every multiple of `count` too
    kn_recipient to; ///< who receives the child; default target
    uint32_t stacks; ///< stacks to apply; default 0: as many as the child says
    /// The child ends with this effect; of a stack, only those stacks that this effect added.
    bool remove_with_parent;
    bool inherit_level; ///< the child has the level of this effect; false: level 1; default true
    /// The child has the source of this effect; false: the target is its source; default true.
    bool inherit_source;
    /// The child gets the numbers that the caller passed to this effect; default true.
    bool copy_caller_values;
    /// Tags the source must have, or must not have, for the child to start.
    kn_tag_requirement source;
} kn_child_def;

/// A child that inherits level, source and caller values, with count 2 and no type.
KN_API kn_child_def kn_child_def_default(void);

/// When an effect sends an event.
typedef enum kn_raise_when {
    KN_RAISE_APPLIED,       ///< after a successful application, first or further
    KN_RAISE_EXECUTED,      ///< after each execution
    KN_RAISE_EXPIRED,       ///< when its duration is over
    KN_RAISE_REMOVED_EARLY, ///< when it ends in any other way
    KN_RAISE_STACK_GAINED,  ///< when its stack count rises
    KN_RAISE_STACK_LOST,    ///< when its stack count falls
    KN_RAISE_WHEN_COUNT,    ///< number of the values above; not a value itself
} kn_raise_when;

/// An event that an effect sends. Its record has the effect's source as instigator, the effect's
/// target as target (even when another entity receives it), the effect's asset tags and its source
/// object.
typedef struct kn_raise_def {
    kn_raise_when when;     ///< when the event is sent; default applied
    kn_tag tag;             ///< tag of the event; required
    kn_recipient to;        ///< who receives the event; default target
    kn_magnitude magnitude; ///< magnitude of the event; default 0
} kn_raise_def;

/// An event with nothing set: all zero.
KN_API kn_raise_def kn_raise_def_default(void);

/// A number that changes what an execution reads.
typedef struct kn_calculation_modifier {
    /// Which capture of the execution to change, counted from 0; not read with `transient`.
    uint32_t capture;
    kn_tag transient; ///< a variable of the execution to change instead of a capture; null: none
    kn_op op; ///< what to do with the number: add, multiply, divide or override; default add
    kn_scalable magnitude; ///< the number, by level; default 0
} kn_calculation_modifier;

/// An execution of an effect, and how the effect changes what it reads.
typedef struct kn_execution_use {
    kn_execution_id execution;                ///< the execution to run; required
    const kn_calculation_modifier *modifiers; ///< changes to what the execution reads
    uint32_t modifier_count;                  ///< number of entries in `modifiers`
    kn_tags tags; ///< tags that describe this execution, so that a gate can void it alone (`parts`)
} kn_execution_use;

/// A parameter that callers may set under a name.
typedef struct kn_parameter_def {
    /// Name under which an application sets the parameter, and `$Name` reads it; required.
    kn_name name;
    float value;   ///< value when the application sets none; default 0
    bool required; ///< an application that does not set it is refused; default false
} kn_parameter_def;

/// An optional parameter with default 0 and no name.
KN_API kn_parameter_def kn_parameter_def_default(void);

/// A number that a caller passes under a name: a declared parameter, or free data for calculations.
typedef struct kn_named_value {
    kn_name name; ///< name under which effects read the number; required
    float value;  ///< the number; default 0
} kn_named_value;

/// What happens to a granted ability when the grant is revoked.
typedef enum kn_grant_removal {
    KN_GRANT_CANCEL,    ///< the ability is cancelled and removed at once
    KN_GRANT_AFTER_END, ///< the ability may finish, then it is removed
    KN_GRANT_KEEP,      ///< the ability stays
} kn_grant_removal;

/// What happens to a granted ability while the effect is inhibited. An ability that is granted from
/// elsewhere too (`share`) is left alone.
typedef enum kn_grant_follow {
    KN_GRANT_FOLLOW_IGNORE, ///< nothing: the ability stays
    /// What runs is cancelled, and the ability cannot start (KN_FAIL_BLOCKED). An ability that
    /// activates on grant does so again when the effect acts again.
    KN_GRANT_FOLLOW_CANCEL,
    /// The ability is removed as soon as what runs has ended, and granted anew when the effect acts
    /// again; if it still runs then, it stays. If game code removes it meanwhile, it stays removed.
    KN_GRANT_FOLLOW_AFTER_END,
    KN_GRANT_FOLLOW_COUNT, ///< number of the values above; not a value itself
} kn_grant_follow;

/// Something granted while the effect is active: an ability of the library, or something that the
/// world's grant hook carries out.
typedef struct kn_grant_def {
    /// Name of the ability; one that is not an ability is passed to the program (the world's grant
    /// hook).
    kn_name ability;
    kn_scalable level; ///< level of the ability, by level of the effect; default 1
    /// Number of the input to bind the ability to; 0: none; default -1: as the ability says.
    int32_t input;
    kn_grant_removal removal; ///< what happens to the ability when the effect ends; default cancel
    /// What happens to the ability while the effect is inhibited; default ignore.
    kn_grant_follow follow_inhibition;
    /// Parameters, by name, that every effect the ability applies gets; at most 32.
    const kn_named_value *parameters;
    uint32_t parameter_count; ///< number of entries in `parameters`
} kn_grant_def;

/// A grant at level 1 with the ability's own input.
KN_API kn_grant_def kn_grant_def_default(void);

/// Cancels running abilities of the target that have any of `with` and none of `without`. An entry
/// without any tag is refused at registration.
typedef struct kn_cancel_def {
    kn_tags with;    ///< cancel abilities with any of these tags; empty: any ability
    kn_tags without; ///< spare abilities with any of these tags
    /// Cancel at each tick of a periodic effect; false: at each application; default false.
    bool on_tick;
} kn_cancel_def;

/// A cancellation with nothing set: all zero.
KN_API kn_cancel_def kn_cancel_def_default(void);

/// Phases of an effect's cues that may depend on its success, as bits. A cue that was added is
/// always removed.
typedef enum kn_cue_phase {
    /// Cues are added only when a modifier of the effect acts: its attribute is there and its
    /// conditions are met. Tested when the effect begins or acts again and, as long as the cues
    /// were not added, whenever its stacks, level or magnitude change.
    KN_CUE_PHASE_ADDED = 1 << KN_CUE_ADDED,
    /// Cues are executed only when a modifier or an execution really changed something.
    KN_CUE_PHASE_EXECUTED = 1 << KN_CUE_EXECUTED,
    /// Cues are updated only when the magnitude they see changed, not just stacks or level.
    KN_CUE_PHASE_UPDATED = 1 << KN_CUE_UPDATED,
    KN_CUE_PHASES = 7, ///< all of the phases above
} kn_cue_phase;

/// How an effect edits the tags its target shows.
typedef enum kn_tag_edit_kind {
    KN_TAG_EDIT_ADD,    ///< shows `tag`
    KN_TAG_EDIT_REMOVE, ///< hides `tag` and the tags below it, no matter where they come from
    /// Shows `with` in place of `tag` and the tags below it, while there is one.
    KN_TAG_EDIT_REPLACE,
} kn_tag_edit_kind;

/// Edits the tags the target shows while the effect is active. Edits act one after the other, in
/// the order in which their effects were created, on the tags the entity has; counts stay as they
/// are.
typedef struct kn_tag_edit {
    kn_tag_edit_kind kind; ///< whether the tag is shown, hidden or replaced; default add
    kn_tag tag;            ///< the tag to show, hide or replace
    kn_tag with;           ///< the tag to show instead, for KN_TAG_EDIT_REPLACE
} kn_tag_edit;

/// Everything about one kind of effect. Parts that are not set cost nothing. Start from
/// kn_effect_def_default().
typedef struct kn_effect_def {
    const char *name; ///< unique name; required
    /// Another effect: data files start from its fields, and queries for it find this effect too
    /// (in C: registered before); may be NULL.
    const char *parent;
    /// Whether the effect is instant, lasts for `duration`, or until it is removed; default
    /// instant.
    kn_duration_kind duration_kind;
    /// Seconds the effect lasts (in C: for KN_DURATION_TIMED); data files may also write `instant`
    /// or `infinite`.
    kn_magnitude duration;
    /// Whether the duration follows attributes, level and caller values while the effect runs;
    /// default none.
    kn_live_time live_duration;
    /// A transient value of the target whose modifiers change the duration of each application,
    /// such as resistance to stuns: evaluated with the duration in seconds, after haste, as base
    /// and magnitude, and the asset tags as tags of the event. A result of 0 or less refuses the
    /// application with KN_REFUSED_BLOCKED. Needs a duration in seconds; stacks without end are
    /// left alone; a live duration is evaluated again when it changes, and kept if that leaves no
    /// time; null: none.
    kn_value_id duration_value;

    bool is_periodic; ///< the effect executes every `period` instead of modifying continuously
    /// Seconds between two ticks, above 0; a periodic effect changes base values at each tick.
    kn_magnitude period;
    /// Whether the period follows attributes, level and caller values while the effect runs;
    /// default none.
    kn_live_time live_period;
    /// No tick when the effect is applied: the first comes after a period; default false.
    bool skip_first_tick;
    /// An effect that expires within a period ticks once more, with the share of the period that
    /// has passed; default false.
    bool partial_last_tick;
    /// What becomes of the ticks of an effect that is inhibited and later acts again; default
    /// never_reset.
    kn_inhibit_period inhibit_period;
    bool has_haste; ///< duration and period are divided by `haste`
    /// Speed of the effect: 2 halves duration and period, so that the number of ticks stays; above
    /// 0.
    kn_magnitude haste;

    const kn_modifier_def *modifiers; ///< changes to attributes and transient values
    uint32_t modifier_count;          ///< number of entries in `modifiers`
    /// Executions to run when the effect is applied, or at each tick.
    const kn_execution_use *executions;
    uint32_t execution_count;           ///< number of entries in `executions`
    const kn_parameter_def *parameters; ///< numbers that an application may set by name
    uint32_t parameter_count;           ///< number of entries in `parameters`

    kn_tags asset_tags;   ///< tags that describe the effect; the target does not get them
    kn_tags granted_tags; ///< tags the target has while the effect is active
    /// Changes to the tags that the target shows while the effect is active, in this order.
    const kn_tag_edit *tag_edits;
    uint32_t tag_edit_count; ///< number of entries in `tag_edits`
    /// Abilities of the target with any of these tags cannot start while the effect is active.
    kn_tags blocked_ability_tags;
    /// Cues to play: once for an instant effect and at each tick, otherwise while the effect is
    /// active.
    kn_tags cue_tags;
    /// Attribute whose modifier gives the magnitude of the cues; null: that of the first modifier.
    kn_attribute_id cue_attribute;
    /// Lowest and highest magnitude: cues see the range between the two as 0 to 1; equal: no range.
    float cue_min, cue_max;
    bool no_cue_on_stack; ///< further applications to a stack play no cue; default false
    /// Phases of the cues that are played only on success, as kn_cue_phase bits; default none.
    uint32_t cue_needs_success;

    kn_conditions application; ///< conditions for the effect to be applied; otherwise it is refused
    /// Conditions for the effect to act; while they are not met, it stays but is inhibited.
    kn_conditions ongoing;
    /// Conditions under which the effect is removed, and cannot be applied; without any, it stays.
    kn_conditions removal;
    /// Chance that an application succeeds, 0 to 1; below 0 counts as 0, above 1 as 1. Attributes
    /// are read when the effect is applied, even those of snapshots; default 1.
    kn_magnitude chance;
    /// A requirement for the effect to be applied, as a formula or function; null: none.
    kn_requirement_id requirement;

    kn_stacking stacking; ///< how several applications of the effect stack
    /// Group of effects that exclude each other on one target, of any type; null: none.
    kn_tag exclusive_group;
    /// How the effects of the exclusive group treat each other; default newest.
    kn_exclusive_rule exclusive_rule;

    /// What the target is immune to, or cannot do, while the effect is active.
    const kn_gate_def *gates;
    uint32_t gate_count; ///< number of entries in `gates`
    /// An application removes effects on the target that have any of these asset or granted tags.
    kn_tags remove_effects_with;
    /// Running abilities of the target that an application, or a tick, cancels.
    const kn_cancel_def *cancels;
    uint32_t cancel_count;        ///< number of entries in `cancels`
    const kn_child_def *children; ///< effects that this effect starts
    uint32_t child_count;         ///< number of entries in `children`
    const kn_raise_def *raises;   ///< events that this effect sends to rules and abilities
    uint32_t raise_count;         ///< number of entries in `raises`
    const kn_grant_def *grants;   ///< abilities the target has while the effect is active
    uint32_t grant_count;         ///< number of entries in `grants`

    bool ends_with_source; ///< the effect is removed when its source is destroyed; default false
    /// The effect counts what it really takes away and adds, for magnitudes and scripts; default
    /// false.
    bool keeps_tally;
    /// The modifiers act on every entity that the target owns, as a player owns units
    /// (kn_entity_set_owner()); default false.
    bool acts_on_owned;
    /// With `acts_on_owned`: only on owned entities that have, or do not have, these tags.
    kn_tag_requirement owned;
    kn_effect_logic_id logic; ///< functions and state of the effect; null: none
    /// Clients apply the effect ahead of the server; false: it appears there when the server has
    /// confirmed it, costs and cooldowns too; default true.
    bool predict;
    uint32_t cookie; ///< set by kn_effect_def_default(); do not change it
} kn_effect_def;

/// An instant effect with chance 1, stacks of 1 and nothing else set.
KN_API kn_effect_def kn_effect_def_default(void);
/// Registers an effect. Children may be named before they are registered.
/// @return KN_OK; KN_ERROR_BAD_DATA for a def that makes no sense, and `error` names the field;
///         KN_REFUSED_LIMIT for more than 32767 effects; KN_REFUSED_DUPLICATE for a name that is
///         taken; KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED
///         once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_effect_register(
    kn_library *library, const kn_effect_def *def, kn_effect_type_id *type, kn_error *error);
/// The effect with this name in a library. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_effect_type_id kn_effect_type_find(const kn_library *library, const char *name);
/// Registers an effect at run time, for one world and of any duration kind. It lives as long as the
/// world and is part of its saves. Registering an equal def again gives the same type, so that code
/// may build, apply and forget.
/// @return KN_OK; KN_REFUSED_DUPLICATE for another def under a taken name; KN_REFUSED_LIMIT for
///         more than 65534 effects in a world; KN_ERROR_BAD_DATA for a def that makes no sense or
///         names a child by name; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a
///         name; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_world_effect_register(
    kn_world *world, const kn_effect_def *def, kn_effect_type_id *type, kn_error *error);
/// The name of an effect type, run-time ones included; "" when unknown. Valid as long as the world.
KN_API const char *kn_effect_type_name(const kn_world *world, kn_effect_type_id type);
/// The def of an effect type, run-time ones included; NULL when unknown. Belongs to the world or
/// its library.
KN_API const kn_effect_def *kn_effect_type_get_def(const kn_world *world, kn_effect_type_id type);

// Applying ------------------------------------------------------------------

/// A number that a caller passes under a tag.
typedef struct kn_caller_value {
    kn_tag tag;  ///< tag under which effects read the number
    float value; ///< the number; must be finite
} kn_caller_value;

/// Who and what is behind an effect. Everything is optional; all-zero is valid.
typedef struct kn_effect_context {
    kn_entity_id instigator; ///< who is responsible; null: the source
    kn_entity_id causer;     ///< the weapon or projectile
    uint64_t source_object;  ///< 64 bits for the host; part of the stack key with `key_object`
    kn_vec3 origin;          ///< where it comes from, with `has_origin`
    bool has_origin;         ///< `origin` is set
    kn_context_type_id payload_type; ///< type of the payload; null: none
    const void *payload;             ///< plain bytes of the size registered for the type; copied
    const void *targets;   ///< target data, see target.h; copied; KN_ERROR_BAD_DATA if malformed
    uint32_t target_size;  ///< bytes of target data
    kn_ability_id ability; ///< the ability behind the effect
    kn_activation_id activation; ///< the activation behind the effect
} kn_effect_context;

/// Registers a type of context payload: plain bytes of a given size.
/// @param size 1 to 65536 bytes
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for a size out
///         of range or an invalid name; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_context_type_register(kn_library *library, const char *name,
    uint32_t size, kn_context_type_id *type, kn_error *error);
/// The payload type with this name. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_context_type_id kn_context_type_find(const kn_library *library, const char *name);
/// The name of a payload type; "" for null. Valid as long as the library.
KN_API const char *kn_context_type_name(const kn_library *library, kn_context_type_id type);
/// Bytes of a payload of this type; 0 for null.
KN_API uint32_t kn_context_type_size(const kn_library *library, kn_context_type_id type);

/// Bytes of the text of one refusal, with its final zero.
#define KN_REFUSAL_TEXT_MAX 80

/// One reason against an application, with details. Fields that do not apply are zero.
typedef struct kn_effect_refusal {
    kn_result reason;     ///< the result that kn_effect_apply() returns for it
    kn_capture_from from; ///< whose tag, attribute or gate it is
    /// The tag that decides. For a gate: the tag of the effect or its source that it blocks. For a
    /// missing caller value: its tag.
    kn_tag tag;
    bool is_there;   ///< true: the tag is present and must not be; false: it is missing
    bool is_removal; ///< the effect's `removal` conditions hold: it would be removed at once
    bool is_absent;  ///< the entity does not have the attribute
    /// An attribute that is absent, out of range, or would depend on itself.
    kn_attribute_id attribute;
    float have;     ///< the attribute's value, the strength in an exclusive group, or the chance
    float min, max; ///< range that `have` must be in; infinite for no limit
    bool is_above, is_below; ///< `min`, or `max`, itself is out of range
    /// The `duration_value` of the effect, if it leaves no time; `have` is its result in seconds.
    kn_value_id value;
    kn_name parameter; ///< the parameter that is missing
    uint32_t modifier; ///< index + 1 of the modifier concerned; 0: none
    /// The effect whose gate blocks, whose stack refuses, or which is stronger.
    kn_effect_id effect;
    /// Reason that the requirement function or the gate gives: a bit of kn_fail, as a rule one that
    /// the library registers (kn_fail_register()); 0: none.
    uint32_t fail;
    float need; ///< what a requirement function or the condition of a gate says is needed
    /// What a requirement function or the condition of a gate says about it, with `{need}`,
    /// `{have}` and `{tag}` for the numbers and the tag; "" for nothing.
    char text[KN_REFUSAL_TEXT_MAX];
} kn_effect_refusal;

/// For requirement functions, and for conditions of gates on applications and the `adjust` of a
/// `duration_value` (where `spec` is the `effect` of the record): says why they refuse. Of `why`
/// counts what is set of `fail`, `tag`, `attribute`, `have`, `need`, `effect` and `text`; the
/// refusal, its event and explanations show it. Of several calls the last one counts, and none if
/// the application is not refused by the caller. Elsewhere, and for NULL, it does nothing.
/// @param why copied; numbers that are not finite and ids of what is not there are left out
KN_API void kn_spec_view_refuse(const kn_spec_view *spec, const kn_effect_refusal *why);
/// The whole first reason of a KN_EVENT_EFFECT_REFUSED of the last step, as `refusal` of
/// kn_effect_apply_def receives it. Of more than 255 in a step with numbers, reasons or texts, the
/// later ones lack those. False, and zeroes, for any other event.
KN_API bool kn_effect_event_refusal(
    const kn_world *world, const kn_event *event, kn_effect_refusal *refusal);

/// One application of an effect. Start from kn_effect_apply_def_default().
typedef struct kn_effect_apply_def {
    kn_effect_type_id type; ///< the effect to apply; required
    kn_entity_id target;    ///< who receives the effect; required
    kn_entity_id source;    ///< who applies the effect; may be null
    float level;            ///< level of the effect; default 1
    uint32_t stacks;        ///< stacks to add; 0: as the def says
    /// Duration in place of the def's; below 0: as the def says. KN_TIME_INFINITE is for stacks
    /// with `own_timers`: this one stays until removed.
    kn_time duration;
    kn_time period; ///< period in place of the def's; below 0: as the def says
    const kn_caller_value *caller_values; ///< numbers set under tags
    uint32_t caller_value_count;          ///< number of entries in `caller_values`
    const kn_named_value *named_values;   ///< numbers set under names
    uint32_t named_value_count;           ///< number of entries in `named_values`
    kn_tags dynamic_granted_tags;         ///< granted tags besides those of the def
    kn_tags dynamic_asset_tags;           ///< asset tags besides those of the def
    const kn_effect_context *context;     ///< who and what is behind the effect; may be NULL
    bool ignore_gates;                    ///< gates cannot refuse the application
    kn_effect_refusal *refusal;           ///< receives the first reason of a refusal; may be NULL
    uint32_t cookie; ///< set by kn_effect_apply_def_default(); do not change it
} kn_effect_apply_def;

/// An application at level 1 with duration, period and stacks of the effect's def.
KN_API kn_effect_apply_def kn_effect_apply_def_default(void);

/// Applies an effect to an entity. An instant effect changes base values now; any other becomes
/// active and ends by itself, by removal, or with its target. Of a refusal, `refusal` of the def
/// and KN_EVENT_EFFECT_REFUSED have the details.
/// @param apply copied; start from kn_effect_apply_def_default()
/// @param effect receives the active effect, or the null id for an instant one; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale target (a stale source counts as none);
///         KN_REFUSED_BLOCKED by a gate or `duration_value`; KN_REFUSED_REQUIREMENT, _CUSTOM or
///         _CHANCE by the def's conditions; KN_REFUSED_STACK_DENIED or _EXCLUSIVE by what is
///         active; KN_REFUSED_MISSING_VALUE, _MISSING_ATTRIBUTE, _BAD_NUMBER or _CYCLE for its
///         magnitudes; KN_REFUSED_DYING; KN_REFUSED_LIMIT in too long a chain; KN_ERROR_BAD_DATA
///         for malformed target data; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or
///         with an unknown type, tag or name; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_effect_apply(
    kn_world *world, const kn_effect_apply_def *apply, kn_effect_id *effect);
/// Applies an effect with everything else at its default. Results as kn_effect_apply().
KN_API kn_result kn_effect_apply_simple(kn_world *world, kn_effect_type_id type,
    kn_entity_id source, kn_entity_id target, float level, kn_effect_id *effect);

/// Why an application would be refused, as far as that is certain: every reason, in the order of
/// the tests. Changes nothing and draws no random number: a chance counts only at 0, and a
/// requirement that is a function is not called. What a chain of effects would do on the way is not
/// foreseen. Returns how many there are; at most `capacity` are written.
/// @param world  not const: a record is borrowed while the tests run, so that code which only has a
///               const world cannot call this
KN_API uint32_t kn_effect_explain(
    kn_world *world, const kn_effect_apply_def *apply, kn_effect_refusal *out, uint32_t capacity);
/// Explains an application as text: "Burn: target has State.Wet; source needs State.Lit", or "Burn:
/// can be applied". Returns the full length; the text is truncated to `size` bytes including the
/// final zero.
KN_API uint32_t kn_effect_explain_print(
    kn_world *world, const kn_effect_apply_def *apply, char *text, uint32_t size);
/// Writes one reason as text: "blocked by Shield #5 of the target (Damage.Fire)". Returns the full
/// length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_effect_refusal_print(
    const kn_world *world, const kn_effect_refusal *refusal, char *text, uint32_t size);

// Specs: made now, applied later --------------------------------------------

/// Makes a spec, an application for later: source attributes and tags are captured now. `target` of
/// the def is ignored. The spec is part of the world's state until it is destroyed; a projectile
/// can carry its id.
/// @return KN_OK; KN_REFUSED_BAD_NUMBER for a number that is not finite or a bad time;
///         KN_ERROR_BAD_DATA for malformed target data; KN_ERROR_INVALID_ARGUMENT for a def without
///         its defaults or with an unknown type, tag or name; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_spec_create(
    kn_world *world, const kn_effect_apply_def *def, kn_spec_id *spec);
/// Destroys a spec. Effects it was applied as stay. A stale id is ignored.
KN_API void kn_spec_destroy(kn_world *world, kn_spec_id spec);
/// True until the spec is destroyed.
KN_API bool kn_spec_is_alive(const kn_world *world, kn_spec_id spec);
/// Makes a second spec with the same content, captures included.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_spec_copy(kn_world *world, kn_spec_id spec, kn_spec_id *copy);
/// Sets a number under a tag, for later applications.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for NaN or infinity;
///         KN_ERROR_INVALID_ARGUMENT for a null or unknown tag; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_spec_set_caller_value(
    kn_world *world, kn_spec_id spec, kn_tag tag, float value);
/// Sets a number under a name, for later applications.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for NaN or infinity;
///         KN_ERROR_INVALID_ARGUMENT for a null or unknown name; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_spec_set_named_value(
    kn_world *world, kn_spec_id spec, kn_name name, float value);
/// The number a spec has under a tag; `fallback` for a stale id or a missing value.
KN_API float kn_spec_caller_value(
    const kn_world *world, kn_spec_id spec, kn_tag tag, float fallback);
/// Sets the level of later applications. Attributes and tags that were captured stay.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for NaN or infinity
KN_API kn_result kn_spec_set_level(kn_world *world, kn_spec_id spec, float level);
/// Sets the duration of later applications; below 0: as the def says.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER beyond KN_TIME_MAX
KN_API kn_result kn_spec_set_duration(kn_world *world, kn_spec_id spec, kn_time duration);
/// Sets the period of later applications; below 0: as the def says.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for 0 or beyond KN_TIME_MAX
KN_API kn_result kn_spec_set_period(kn_world *world, kn_spec_id spec, kn_time period);
/// Sets the stacks that later applications add; 0: as the def says.
/// @return KN_OK or KN_REFUSED_STALE_ID
KN_API kn_result kn_spec_set_stacks(kn_world *world, kn_spec_id spec, uint32_t stacks);
/// Adds a tag that the target of later applications has while the effect is active.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for a null or unknown tag;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_spec_add_granted_tag(kn_world *world, kn_spec_id spec, kn_tag tag);
/// Adds a tag that describes the effect of later applications.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for a null or unknown tag;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_spec_add_asset_tag(kn_world *world, kn_spec_id spec, kn_tag tag);
/// Replaces the context. With `keep_captures`, captured tags and attributes of the source stay;
/// otherwise they are captured again.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_BAD_DATA for malformed target data;
///         KN_ERROR_INVALID_ARGUMENT for an unknown payload type; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_spec_set_context(
    kn_world *world, kn_spec_id spec, const kn_effect_context *context, bool keep_captures);
/// Applies a spec to a target. The spec stays and can be applied again. `effect` may be NULL.
/// Results as kn_effect_apply(); KN_REFUSED_STALE_ID also for a stale spec.
KN_API KN_MUST_USE kn_result kn_spec_apply(
    kn_world *world, kn_spec_id spec, kn_entity_id target, kn_effect_id *effect);
/// Applies a spec as kn_spec_apply() does, and says why it is refused. Results as kn_spec_apply().
/// @param refusal receives the first reason of a refusal, else zeroes; may be NULL
KN_API KN_MUST_USE kn_result kn_spec_apply_why(kn_world *world, kn_spec_id spec,
    kn_entity_id target, kn_effect_id *effect, kn_effect_refusal *refusal);
/// Why applying a spec to a target would be refused, as kn_effect_explain(); a stale spec or target
/// is the only reason then. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_spec_explain(const kn_world *world, kn_spec_id spec, kn_entity_id target,
    kn_effect_refusal *out, uint32_t capacity);

// Containers ----------------------------------------------------------------

/// Which entities a container reaches. Of those that are found, the first 256, or as many as fit
/// into target data. If there are more, a KN_EVENT_ERROR of the source with KN_REFUSED_LIMIT is
/// published; its `detail` is how many were left out.
typedef enum kn_container_target {
    KN_CONTAINER_SOURCE,    ///< the source itself
    KN_CONTAINER_GIVEN,     ///< the entities that the call, or the ability, passes in `targets`
    KN_CONTAINER_CUSTOM,    ///< those that a function finds; the source may be gone
    KN_CONTAINER_TARGETING, ///< those that `targeting_type` finds, at once
    /// Those named in the target data that the call, or the event, passes in `data`.
    KN_CONTAINER_DATA,
} kn_container_target;

/// Finds targets for KN_CONTAINER_CUSTOM: writes at most `capacity` and returns how many there are.
/// `origin` is that of the context, or NULL. Must not change the world.
typedef uint32_t kn_targeting_fn(void *user, const kn_world *world, kn_entity_id source,
    const kn_vec3 *origin, kn_entity_id *out, uint32_t capacity);

/// Several effects, and the rule for which entities they reach, under one name.
typedef struct kn_container_def {
    const char *name; ///< unique name; required
    kn_tag tag;       ///< tag that describes the container, for the program; may be null
    /// Which entities the container reaches; default KN_CONTAINER_GIVEN.
    kn_container_target target;
    kn_targeting_fn *targeting;     ///< finds the targets, for KN_CONTAINER_CUSTOM
    void *user;                     ///< passed to `targeting`
    kn_targeting_id targeting_type; ///< finds the targets, for KN_CONTAINER_TARGETING
    /// Effects to apply to every target, in this order; at least one.
    const kn_effect_type_id *effects;
    uint32_t effect_count; ///< number of entries in `effects`
    uint32_t cookie;       ///< set by kn_container_def_default(); do not change it
} kn_container_def;

/// A container for given targets, without effects.
KN_API kn_container_def kn_container_def_default(void);
/// Registers a container.
/// @return KN_OK; KN_ERROR_BAD_DATA for a container without effects or without a way to find its
///         targets, or an invalid name; KN_REFUSED_DUPLICATE for a name that is taken;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_container_register(
    kn_library *library, const kn_container_def *def, kn_container_id *container, kn_error *error);
/// The container with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_container_id kn_container_find(const kn_library *library, const char *name);
/// The name of a container; "" for null. Valid as long as the library.
KN_API const char *kn_container_name(const kn_library *library, kn_container_id container);
/// The def of a container as registered; it belongs to the library. NULL when unknown.
KN_API const kn_container_def *kn_container_get_def(
    const kn_library *library, kn_container_id container);

/// A number for the effects of one type in a container, or for all of them if the type is null.
typedef struct kn_container_value {
    kn_effect_type_id type; ///< the effect that gets the number; null: all
    kn_caller_value value;  ///< the number and its tag
} kn_container_value;

/// One application of a container. Start from kn_container_apply_def_default().
typedef struct kn_container_apply_def {
    kn_container_id container; ///< the container to apply; required
    /// Who applies the effects; required unless targets are given or found by a function.
    kn_entity_id source;
    float level;                      ///< level of the effects; default 1
    const kn_entity_id *targets;      ///< the targets, for KN_CONTAINER_GIVEN
    uint32_t target_count;            ///< number of entries in `targets`
    const void *data;                 ///< target data, see target.h, for KN_CONTAINER_DATA
    uint32_t data_size;               ///< bytes of `data`
    const kn_container_value *values; ///< caller values for the effects, at most 32
    uint32_t value_count;             ///< number of entries in `values`
    const kn_effect_context *context; ///< who and what is behind the effects; may be NULL
    uint32_t cookie;                  ///< set by kn_container_apply_def_default(); do not change it
} kn_container_apply_def;

/// An application at level 1 with nothing else set.
KN_API kn_container_apply_def kn_container_apply_def_default(void);
/// Applies every effect of a container to every target. `applied` counts successes; may be NULL.
/// Target data that was given or found is passed on in the context, unless that has its own.
/// Refusals of single applications are not errors.
/// @return KN_OK; KN_REFUSED_STALE_ID if the container needs a source and it is gone;
///         KN_REFUSED_BAD_NUMBER for a level that is not finite; KN_ERROR_BAD_DATA for malformed
///         target data; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, an unknown
///         container or too many values; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_container_apply(
    kn_world *world, const kn_container_apply_def *def, uint32_t *applied);

// Removing and querying -----------------------------------------------------

/// Removes stacks of an effect, or all of it if `stacks` is 0 or more than there are. Never touches
/// the remaining time.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for a reason out of range;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_effect_remove(
    kn_world *world, kn_effect_id effect, uint32_t stacks, kn_removal_reason reason);

/// Which effects of an entity. Every test that is set must hold. kn_effect_query_default() matches
/// all.
typedef struct kn_effect_query {
    /// Effects of this type, or of one that descends from it by `parent`; null: any.
    kn_effect_type_id type;
    kn_tags any_tags;              ///< effects with any of these asset or granted tags
    kn_tags all_tags;              ///< effects with all of these among their asset and granted tags
    kn_tags asset_tags;            ///< effects with any of these asset tags
    kn_tags granted_tags;          ///< effects with any of these granted tags
    const kn_tag_query *tag_query; ///< effects whose asset and granted tags match; may be NULL
    /// Effects whose source meets this: tags captured by the spec, otherwise those it has now.
    kn_tag_requirement source_tags;
    kn_entity_id source;        ///< effects of this source; null: any
    bool has_source_object;     ///< `source_object` is tested
    uint64_t source_object;     ///< effects with these 64 bits in their context
    kn_attribute_id modifies;   ///< effects that modify this attribute; null: any
    const kn_effect_id *ignore; ///< effects to leave out
    uint32_t ignore_count;      ///< number of entries in `ignore`
    /// Called last for every effect that passed the other tests; may be NULL. Must be pure.
    bool (*predicate)(void *user, const kn_world *world, kn_effect_id effect);
    void *user;      ///< passed to `predicate`
    uint32_t cookie; ///< set by kn_effect_query_default(); do not change it
} kn_effect_query;

/// A query that matches every effect.
KN_API kn_effect_query kn_effect_query_default(void);
/// The matching effects of an entity in order of creation. Returns how many there are; at most
/// `capacity` are written. 0 for a stale id.
KN_API uint32_t kn_effects_find(const kn_world *world, kn_entity_id entity,
    const kn_effect_query *query, kn_effect_id *out, uint32_t capacity);
/// True if an active effect matches a query. False for a stale id.
KN_API bool kn_effect_matches(
    const kn_world *world, kn_effect_id effect, const kn_effect_query *query);
/// Removes stacks (0: all) of every matching effect. `removed` counts the effects; may be NULL.
/// @return KN_OK, also when nothing matched; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for an
///         empty query or a reason out of range; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_effects_remove(kn_world *world, kn_entity_id entity,
    const kn_effect_query *query, uint32_t stacks, kn_removal_reason reason, uint32_t *removed);
/// Number of active effects on an entity, inhibited ones included; 0 for a stale id.
KN_API uint32_t kn_effects_count(const kn_world *world, kn_entity_id entity);

/// Remaining time and duration of the matching effect that ends last; KN_TIME_INFINITE for one
/// without an end. False, and 0 for both, when nothing matches or the query is empty.
KN_API bool kn_effects_remaining(const kn_world *world, kn_entity_id entity,
    const kn_effect_query *query, kn_time *remaining, kn_time *duration);

/// Everything worth knowing about an active effect.
typedef struct kn_effect_info {
    kn_effect_type_id type;  ///< the type of the effect
    kn_entity_id target;     ///< the entity the effect is on
    kn_entity_id source;     ///< who applied it; may be null or stale
    kn_entity_id instigator; ///< instigator of the context, otherwise the source; may be stale
    kn_entity_id causer;     ///< weapon or projectile of the context; null for none
    uint64_t source_object;  ///< the host's 64 bits in the context
    float level;             ///< level of the effect
    uint32_t stacks;         ///< stack count, at least 1
    kn_time start;           ///< simulated time at which the running duration began
    kn_time duration;        ///< total length; KN_TIME_INFINITE for an infinite effect
    kn_time remaining;       ///< time left; KN_TIME_INFINITE for an infinite effect
    kn_time period;          ///< time between two ticks; 0: not periodic
    kn_time next_tick;       ///< simulated time of the next tick; KN_TIME_INFINITE for none
    uint32_t executions;     ///< ticks so far, one that is running included
    bool is_inhibited;       ///< the effect's `ongoing` conditions are not met
    /// What the effect really took away, and added, with `keeps_tally`.
    float tally_loss, tally_gain;
    kn_vec3 origin;  ///< origin of the context, with `has_origin`
    bool has_origin; ///< `origin` is set
} kn_effect_info;

/// Fills `info` for an active effect. False, and a zeroed `info`, for a stale id.
KN_API bool kn_effect_get(const kn_world *world, kn_effect_id effect, kn_effect_info *info);
/// True while the effect is active, inhibited or not.
KN_API bool kn_effect_is_alive(const kn_world *world, kn_effect_id effect);
/// The stack count of an effect; 0 for a stale id.
KN_API uint32_t kn_effect_stacks(const kn_world *world, kn_effect_id effect);
/// The remaining time of an effect; KN_TIME_INFINITE for one without an end, 0 for a stale id.
KN_API kn_time kn_effect_remaining(const kn_world *world, kn_effect_id effect);
/// The magnitude of one modifier, scaled by stacks; 0 for a stale id or an index out of range.
KN_API float kn_effect_magnitude(const kn_world *world, kn_effect_id effect, uint32_t modifier);
/// The number an effect has under a tag; `fallback` for a stale id or a missing value.
KN_API float kn_effect_caller_value(
    const kn_world *world, kn_effect_id effect, kn_tag tag, float fallback);
/// The context's payload if it is of this type, else NULL. Valid until the world changes.
KN_API const void *kn_effect_payload(
    const kn_world *world, kn_effect_id effect, kn_context_type_id type);
/// The state block of an effect with logic, for reading; NULL for none. Valid until the world
/// changes.
KN_API const void *kn_effect_state(const kn_world *world, kn_effect_id effect);
/// Evaluates a magnitude as one of an active effect, such as one in a definition of an own kind
/// (knack/kind.h): with its source, target, level, stacks, ticks, caller values, parameters and
/// tags. Attributes are read now, snapshots too. Changes nothing.
/// @param value receives the number; 0 on anything but KN_OK
/// @return KN_OK; KN_REFUSED_STALE_ID; otherwise as kn_magnitude_evaluate()
KN_API kn_result kn_effect_evaluate(
    const kn_world *world, kn_effect_id effect, const kn_magnitude *magnitude, float *value);

// Changing what is active ---------------------------------------------------

/// Makes the effect end `remaining` from now. 0 or less ends it at once, early and without a tick.
/// For an effect whose duration restarts, only the running cycle changes, not the next.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND for an effect without an end of its
///         own: an infinite one, or one whose stacks have their own timers; KN_REFUSED_BAD_NUMBER
///         beyond KN_TIME_MAX; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_effect_set_remaining(kn_world *world, kn_effect_id effect, kn_time remaining);
/// Adds `delta` to the remaining time, up to at most `cap`; below 0: no cap. A cap never shortens;
/// a negative `delta` takes away whatever the cap. Results as kn_effect_set_remaining().
KN_API kn_result kn_effect_add_remaining(
    kn_world *world, kn_effect_id effect, kn_time delta, kn_time cap);
/// Multiplies the remaining time by `factor`. Results as kn_effect_set_remaining();
/// KN_REFUSED_BAD_NUMBER for a factor below 0 or not finite.
KN_API kn_result kn_effect_scale_remaining(kn_world *world, kn_effect_id effect, float factor);
/// Keeps the start and changes the total length; one that has already passed ends the effect at
/// once. Later cycles of an effect whose duration restarts have that length too, unless the
/// duration follows attributes. Results as kn_effect_set_remaining().
KN_API kn_result kn_effect_set_total(kn_world *world, kn_effect_id effect, kn_time duration);
/// Restarts the effect now with a new duration, which later cycles have too, as with
/// kn_effect_set_total(). Results as kn_effect_set_remaining().
KN_API kn_result kn_effect_restart(kn_world *world, kn_effect_id effect, kn_time duration);
/// Sets the level and computes magnitudes and live times again; cues are updated if the level
/// changed.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for a level that is not finite, or at
///         which a live period would be 0 or less; another refusal of a magnitude, such as
///         KN_REFUSED_MISSING_VALUE; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_effect_set_level(kn_world *world, kn_effect_id effect, float level);
/// Sets the stack count. Stacks removed this way have KN_REMOVED_BY_CALL as their reason.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_LIMIT for 0, beyond the stack's limit, or for
///         more stacks than there are if they have their own timers; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_effect_set_stacks(kn_world *world, kn_effect_id effect, uint32_t stacks);
/// Sets a number under a tag and computes magnitudes and live times again.
/// @return as kn_effect_set_level(); KN_ERROR_INVALID_ARGUMENT for a null or unknown tag
KN_API kn_result kn_effect_set_caller_value(
    kn_world *world, kn_effect_id effect, kn_tag tag, float value);
/// Computes magnitudes and live times again: for calculations that read more than attributes.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_effect_refresh(kn_world *world, kn_effect_id effect);
/// Executes a periodic effect now, without touching its schedule.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND for an effect that is not periodic;
///         KN_REFUSED_REQUIREMENT while it is inhibited; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_effect_execute(kn_world *world, kn_effect_id effect);

#ifdef __cplusplus
}
#endif

#endif
