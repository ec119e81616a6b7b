// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Specs and magnitudes, changes of attributes, gates, and the life of effects from application to
// end.
#ifndef KNI_EFFECT_H
#define KNI_EFFECT_H

#include "world/world.h"

// Magnitudes, specs (magnitude.c, spec.c) -----------------------------------

struct kn_spec_view {
    kn_world *world;
    const kni_effect_type *type;
    kn_entity_id source;
    kn_entity_id target;
    uint32_t source_component; // KNI_NONE if there is none
    uint32_t target_component; // KNI_NONE if there is none
    float level;
    uint32_t stacks;
    uint32_t effect; // slot of an active effect, else KNI_NONE
    uint32_t rare1;
    uint32_t ability1; // slot + 1 of the ability that applies it, while there is no rare record
    uint32_t tick;
    kn_time duration, period; // overrides, negative for none; of an active effect: its actual times
    kn_effect_refusal *said;  // where a hook that decides about it says why; NULL while none does
};

void kni_view_of_effect(kn_world *world, uint32_t effect, kn_spec_view *view);
// A caller value of the ability that applies the spec, or NULL.
const kni_pair *kni_ability_pair(const kn_spec_view *spec, uint32_t tag);
// A number that may scale with the level or be a parameter.
kn_result kni_scalable(const kn_spec_view *spec, const kn_scalable *scalable, float *value);
// A magnitude. `slot` is its first capture slot, or KNI_NONE to read attributes now.
kn_result kni_magnitude(
    const kn_spec_view *spec, const kn_magnitude *magnitude, uint32_t slot, float *value);
// The component that a capture reads, or KNI_NONE.
uint32_t kni_capture_component(const kn_spec_view *spec, kn_capture_from from);
// What an expression reads from a spec; `subject` is a kn_spec_view.
kn_result kni_spec_read(const void *subject, const kni_reading *reading, float *value);
// Runs an expression with captures stored from `slot` on, or read now for KNI_NONE.
kn_result kni_expression_of_spec(
    const kn_spec_view *spec, const kni_expression *expression, uint32_t slot, float *value);
// Reads one capture now. KN_REFUSED_MISSING_ATTRIBUTE when it is absent and has no default.
kn_result kni_capture_read(const kn_spec_view *spec, const kn_capture *capture, float *value);
// Fills the capture slots of the spec's rare record: at creation only snapshots of the source, at
// application everything that was not read yet.
bool kni_capture_all(kn_world *world, const kn_spec_view *spec, bool at_creation);
// Magnitude of one modifier, before stacks.
kn_result kni_modifier_magnitude(const kn_spec_view *spec, uint32_t modifier, float *value);
float kni_modifier_scaled(
    const kn_spec_view *spec, uint32_t modifier, float magnitude, uint32_t stacks);
// Whether the magnitude of a modifier follows exactly this attribute.
bool kni_modifier_reads(
    const kn_spec_view *spec, uint32_t modifier, uint32_t component, uint32_t position);
bool kni_modifier_requirement(const kn_spec_view *spec, uint32_t modifier);
bool kni_conditions_met(const kn_spec_view *spec, const kn_conditions *conditions);
bool kni_spec_has_any_tag(const kn_spec_view *spec, kn_tags tags, bool asset, bool granted);
bool kni_spec_has_tag(const kn_spec_view *spec, uint32_t tag, bool exact, bool asset, bool granted);
bool kni_source_has_tag(const kn_spec_view *spec, uint32_t tag, bool exact);
// For gates: the tags of the ability behind the effect count too.
bool kni_source_or_ability_has_tag(const kn_spec_view *spec, uint32_t tag, bool exact);
bool kni_source_meets(const kn_spec_view *spec, const kn_tag_requirement *requirement);
// The same by the tags the source has now, ignoring captured ones.
bool kni_source_meets_now(const kn_spec_view *spec, const kn_tag_requirement *requirement);

uint32_t kni_rare_acquire(kn_world *world); // slot + 1, 0 when out of memory
// False, and a broken world, when out of memory.
bool kni_effect_rare_ensure(kn_world *world, uint32_t effect);
void kni_rare_release(kn_world *world, uint32_t rare1, const kni_effect_type *type);
bool kni_rare_copy(kn_world *world, uint32_t from1, uint32_t to1);
bool kni_rare_fill(kn_world *world, uint32_t rare1, const kn_effect_apply_def *def);
// Checks the context passed by a caller, and copies it into a record. Copying returns false, with a
// broken world, when out of memory.
kn_result kni_context_check(const kn_world *world, const kn_effect_context *context);
bool kni_context_fill(kn_world *world, kni_rare *rare, const kn_effect_context *context);
// Inserts one tag in order; false when out of memory.
bool kni_spec_tags_add(kn_world *world, kni_span *span, uint32_t tag);
// Gives a key a value, or adds to the one it has; false when out of memory.
bool kni_pairs_set(kn_world *world, kni_span *span, uint32_t key, float value);
bool kni_pairs_add(kn_world *world, kni_span *span, uint32_t key, float amount);
// What an application put into an effect: its stacks, for a holder who wants to claim them, and for
// how many of them the limit had no room.
typedef struct kni_put {
    kni_claim claim;
    uint32_t spare;
} kni_put;

// As kn_effect_apply() and kn_spec_apply(), and says what was put there.
kn_result kni_effect_apply(
    kn_world *world, const kn_effect_apply_def *def, kn_effect_id *effect, kni_put *put);
kn_result kni_spec_apply(kn_world *world, kn_spec_id id, kn_entity_id target, kn_effect_id *effect,
    kni_put *put, kn_effect_refusal *refusal);
// Records that the stacks an application put into an effect belong to a holder.
void kni_claim_begin(kn_world *world, kn_effect_id effect, const kni_put *put);
// Removes these stacks, and never those of others.
void kni_claim_end(
    kn_world *world, kn_effect_id effect, const kni_claim *hold, kn_removal_reason reason);
void kni_pairs_remove(kn_world *world, kni_span *span, uint32_t key);
const kni_pair *kni_pairs_find(const kn_world *world, const kni_span *span, uint32_t key);
void kni_rare_capture_source_tags(kn_world *world, uint32_t rare1, uint32_t source_component);
void kni_spec_release(kn_world *world, uint32_t slot);
kn_entity_id kni_source_of(const kn_world *world, kn_entity_id entity);
// Adds a type of this world only; the def was checked.
kn_result kni_dynamic_type_add(
    kn_world *world, const kn_effect_def *def, uint32_t *index, kn_error *error);

// Changes of attributes (attribute_change.c, attribute_set.c) ---------------

// Whether the set of an attribute has a hook for changes of current values.
bool kni_value_has_hook(const kn_world *world, const kni_component *component, uint32_t position);
// Executes one operation on a base value, with its hooks. Returns false if it was discarded.
bool kni_execute(kn_world *world, uint32_t component, uint32_t attribute, uint32_t key, kn_op op,
    float magnitude, const kn_spec_view *spec);
// Writes a base value. The position must exist.
kn_result kni_base_write(kn_world *world, uint32_t component, uint32_t position, uint32_t attribute,
    uint32_t key, float value, uint32_t effect);
// Evaluates the current value again, publishes a change and propagates it.
void kni_current_update(kn_world *world, uint32_t component, uint32_t position, uint32_t effect);
// Propagates a change of a current value to everything that depends on it.
void kni_propagate(
    kn_world *world, uint32_t component, uint32_t position, float old_value, uint32_t effect);
// Calls the pre_change hook. False if the hook changed the inputs of the value: then that change
// has already stored the result.
bool kni_pre_change(kn_world *world, const kni_set *set, uint32_t component, uint32_t position,
    const kni_attribute *attribute, kn_attribute_change *change, float *raw);
// The set that the attribute at a position belongs to.
const kni_set *kni_set_at_position(
    const kn_world *world, const kni_component *component, uint32_t position);
// A value within its limits, rounded as its attribute requires.
KNI_SLOW float kni_value_settle_slow(const kn_world *world, uint32_t component,
    const kni_attribute *attribute, uint32_t key, bool is_base, float value, float base);

static inline float kni_value_settle(const kn_world *world, uint32_t component,
    const kni_attribute *attribute, uint32_t key, bool is_base, float value, float base)
{
    if ((attribute->flags & KNI_ATTRIBUTE_HAS_LIMITS) == 0 &&
        !attribute->def.profile.clamp_product && attribute->def.rounding == KN_ROUND_NONE) {
        return value;
    }
    return kni_value_settle_slow(world, component, attribute, key, is_base, value, base);
}

// Effects of `owner` that act on everything it owns stop acting on `component`.
void kni_owner_effects_detach(kn_world *world, kn_entity_id owner, uint32_t component);

// Effects (effect_apply.c, effect_active.c, effect_time.c) ------------------

typedef struct kni_application {
    kn_spec_view spec;
    uint32_t stacks; // as requested by the caller; 0 = as the def says
    bool ignore_gates;
    bool is_handled;            // a requirement handled the application itself
    kn_effect_id effect;        // the result
    kn_effect_id by;            // for a refusal: the effect that caused it
    kn_effect_refusal *refusal; // for the caller; may be NULL
    uint32_t put, added;        // stacks it accounts for, and by how many the count rose
    float chance;               // for a refusal by chance: how high it was
    const kn_gate_def *gate;    // for a refusal by a gate: which
    kn_effect_refusal *given;   // what a hook that refuses said, if its `reason` is not KN_OK
    bool took_over;             // the stack it joined has its values now
    uint32_t old_stacks;        // of the stack it joined, before
    kn_time old_end;            // likewise
} kni_application;

// Attributes to set, one after the other: writes the index of the next one and its value, beginning
// with *at 0; false at the end.
typedef bool kni_init_next(const void *user, uint32_t *at, uint32_t *attribute, float *value);
// Initialises them all at once, as kn_attribute_init() does, to exactly these values, whatever
// their order. KN_REFUSED_NOT_FOUND without any; KN_REFUSED_MISSING_ATTRIBUTE and _BAD_NUMBER
// change nothing. Runs inside kni_enter()/kni_leave(). (attribute_set.c)
kn_result kni_attributes_init(
    kn_world *world, uint32_t component, uint32_t key, kni_init_next *next, const void *user);
// Why an application was refused (effect_why.c). Reports it to the caller and publishes it; calls
// no hooks, so that the presence of an observer makes no difference.
KNI_SLOW void kni_apply_refused(
    kn_world *world, const kni_application *application, kn_result result);
// All reasons; calls only hooks that are pure.
uint32_t kni_application_explain(
    const kni_application *application, kn_effect_refusal *out, uint32_t capacity);
// The chance of an application to succeed, from what can be read now.
kn_result kni_application_chance(const kni_application *application, float *chance);
// The record that gates are tested against.
kn_event_record kni_application_record(const kn_spec_view *spec);
// The first modifier that would follow itself, or KNI_NONE.
uint32_t kni_cycle_find(const kn_spec_view *spec);
// The strength that decides in an exclusive group, and the slot of a stronger member, or KNI_NONE.
float kni_exclusive_strength(const kn_spec_view *spec, uint32_t stacks);
uint32_t kni_exclusive_stronger(const kn_spec_view *spec, uint32_t stacks, float *strength);
// Whether a new effect with this many stacks may enter its exclusive group.
kn_result kni_exclusive_judge(kni_application *application, uint32_t stacks);
// Removes the members of the group that a new effect replaces; `own` is that effect, if it is
// active.
void kni_exclusive_replace(kn_world *world, const kn_spec_view *spec, kn_effect_id own);
bool kni_tags_have_room(const kn_world *world, const kn_spec_view *spec);

// Whether an application has values, tags or a context of its own.
static inline bool kni_apply_def_has_extras(const kn_effect_apply_def *def)
{
    return (def->caller_value_count | def->named_value_count | def->dynamic_granted_tags.count |
               def->dynamic_asset_tags.count) > 0 ||
           def->context != NULL;
}

// Whether it has nothing but a source and a level: times and stacks are those of the effect.
static inline bool kni_apply_def_is_bare(const kn_effect_apply_def *def)
{
    return def->duration < 0 && def->period < 0 && def->stacks <= 1 &&
           !kni_apply_def_has_extras(def);
}

// Checks a bare application.
KNI_FAST kn_result kni_apply_bare_check(const kn_world *world, const kn_effect_apply_def *def)
{
    if (def->cookie != KN_COOKIE || def->type.index1 - 1 >= world->type_count) {
        KN_ASSERT_DEF(def, kn_effect_apply_def);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kni_is_finite(def->level) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

// Checks any application; shared by kn_effect_apply() and kn_spec_create().
kn_result kni_apply_def_check(const kn_world *world, const kn_effect_apply_def *def);

static inline kn_target_view kni_targets_view(const kn_world *world, const kni_span *targets)
{
    kn_target_view view = {
        targets->count > 0 ? kni_heap_at(&world->heap, targets->ref) : NULL, targets->count};
    return view;
}

// Applies; consumes spec.rare1. Runs inside kni_enter()/kni_leave().
kn_result kni_apply(kn_world *world, kni_application *application);
kni_put kni_application_put(const kni_application *application); // afterwards
// The asset tags of an effect: those of the def, then dynamic ones. A view of the def, or of
// `room`.
kn_tags kni_asset_tags(const kn_spec_view *spec, kn_tag *room, uint32_t capacity);
// Queues the children that an effect starts on an occasion.
void kni_children_start(kn_world *world, const kn_spec_view *spec, kn_child_when when,
    uint32_t old_count, uint32_t count);
void kni_children_end(kn_world *world, uint32_t effect, uint32_t child, bool all);
void kni_raise(kn_world *world, const kn_spec_view *spec, kn_raise_when when);

// Cues (effect_cue.c) -------------------------------------------------------

// `change` is what an execution changed of the cue attribute.
void kni_cues(kn_world *world, const kn_spec_view *spec, kn_cue_action action, bool interrupted,
    float change);
// An active effect begins or acts again; ends or is inhibited. Nothing happens without cues.
void kni_effect_cues_begin(kn_world *world, uint32_t effect);
void kni_effect_cues_end(kn_world *world, uint32_t effect, bool interrupted);
// Its stacks, level or magnitude changed: published once, at the end of the step.
void kni_effect_cues_changed(kn_world *world, uint32_t effect, bool is_magnitude);
void kni_cue_changes_publish(kn_world *world);
bool kni_cues_are_suppressed(const kn_world *world, uint32_t component);
bool kni_cue_params_are_finite(const kn_cue_params *params);
// Publishes a cue that does not belong to an effect.
void kni_cue_event(kn_world *world, uint32_t component, kn_tag tag, kn_cue_action action,
    const kn_cue_params *given, bool interrupted);
// The parameters of an effect's cues, except the tags.
void kni_effect_cue_params(const kn_world *world, const kn_spec_view *spec, kn_cue_params *params);
// Whether the cues of an effect were added.
bool kni_effect_shows_cues(const kn_world *world, uint32_t effect);
void kni_effect_cues_publish(
    kn_world *world, uint32_t effect, kn_cue_action action, bool interrupted);
// Bytes of a payload of this type; 0 without a type.
uint32_t kni_payload_size_of(const kn_world *world, uint32_t type1);
// The magnitude that the cues of an active effect show; 0 without cues.
float kni_cue_magnitude(kn_world *world, uint32_t effect);

// Executes modifiers and executions on base values. `part` scales the magnitudes of a partial tick.
void kni_effect_execute_all(kn_world *world, kn_spec_view *spec, float part);
// Whether anybody wants to know that an effect was executed.
static inline bool kni_executed_is_wanted(const kn_world *world)
{
    return kni_wants(world, KN_EVENT_EFFECT_EXECUTED) ||
           (world->heard >> KN_TRIGGER_EFFECT_EXECUTED & 1) != 0;
}
// Publishes that it was executed and notifies rules; the caller has checked
// kni_executed_is_wanted().
KNI_SLOW void kni_executed_publish(kn_world *world, const kn_spec_view *spec);

void kni_effect_attach(kn_world *world, uint32_t effect);
void kni_effect_detach(kn_world *world, uint32_t effect);
// The entry of a modifier in the list of the value it acts on.
kni_mod kni_modifier_entry(kn_world *world, uint32_t effect, uint32_t modifier, uint32_t component);
void kni_modifiers_attach(kn_world *world, uint32_t effect, uint32_t component);
void kni_modifiers_detach(kn_world *world, uint32_t effect, uint32_t component);
// The same without evaluating: notes the values that have to be, for changes of several effects.
void kni_modifiers_link(kn_world *world, uint32_t effect, uint32_t component, kni_positions *noted);
void kni_modifiers_unlink(
    kn_world *world, uint32_t effect, uint32_t component, kni_positions *noted);
// Marks the values it acts on for evaluation by the running propagation.
void kni_modifiers_mark(kn_world *world, uint32_t slot, uint32_t component);
// Whether an effect on everything that an owner owns acts on this component.
bool kni_owned_meets(const kn_world *world, uint32_t effect, uint32_t component);
// Calls a function for every component that the modifiers of an effect act on.
void kni_targets_walk(kn_world *world, uint32_t slot,
    void (*function)(kn_world *world, uint32_t effect, uint32_t component));
// If more effects than this are removed together, KNI_ACTIVE_LOOSE is used.
#define KNI_EFFECTS_MANY 1024
// Removes the modifiers of all effects with KNI_ACTIVE_LOOSE from a component, evaluating each
// value once.
void kni_modifiers_let_go(kn_world *world, uint32_t component);
// Writes new magnitudes into the modifier lists.
void kni_modifiers_refresh(kn_world *world, uint32_t effect, uint32_t component);
// Computes the magnitudes again, for owned entities too. True if one changed.
bool kni_effect_refresh_all(kn_world *world, uint32_t effect);
// Recomputes the stored magnitudes; true if one changed. A number that is not finite is reported
// and leaves the old one. `captured_only`: only those that read attributes; others would change
// lists that the running propagation does not visit.
bool kni_magnitudes_compute(kn_world *world, uint32_t effect, bool captured_only);
// The same for an effect with a kni_plain_follow, and writes the magnitude into the modifier list,
// which the running propagation evaluates. False, with nothing done, if it is not that simple.
bool kni_follow_plain(kn_world *world, uint32_t effect);
void kni_effect_announce(kn_world *world, uint32_t effect);
// Notifies rules and logic of an application that joined the effect.
void kni_effect_reannounce(kn_world *world, const kni_application *application, uint32_t effect);
// Notifies rules and tasks that wait for executions.
KNI_SLOW void kni_executed_react(kn_world *world, const kn_spec_view *spec);
// Adds an active effect to the lists of what it reads, or removes it from them.
KNI_SLOW void kni_captures_register_slow(kn_world *world, uint32_t effect, bool add);

static inline void kni_captures_register(kn_world *world, uint32_t effect, bool add)
{
    const uint32_t reads = KNI_EFFECT_LIVE | KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL |
                           KNI_EFFECT_SOURCE_WATCH | KNI_EFFECT_ENDS_WITH_SOURCE;
    if ((kni_type_at(world, kni_effect_at(world, effect)->type)->flags & reads) != 0) {
        kni_captures_register_slow(world, effect, add);
    }
}

void kni_captures_changed(kn_world *world, uint32_t effect);
void kni_effect_recheck(kn_world *world, uint32_t effect);
void kni_effect_end(kn_world *world, uint32_t effect, kn_removal_reason reason);
// Publishes an application that joined the effect without changing its count or time.
void kni_effect_joined_publish(kn_world *world, uint32_t effect);
void kni_effect_set_count(
    kn_world *world, uint32_t effect, uint32_t count, kn_removal_reason reason);
bool kni_would_cycle(const kn_spec_view *spec);

kn_result kni_effect_times(const kn_spec_view *spec, kn_time *duration, kn_time *period);
kn_time kni_effect_period(const kn_world *world, const kni_effect *effect);
void kni_effect_schedule_tick(kn_world *world, uint32_t effect, kn_time time);
void kni_effect_schedule_end(kn_world *world, uint32_t effect);
void kni_effect_set_end(kn_world *world, uint32_t effect, kn_time start, kn_time duration);
void kni_effect_time_changed(kn_world *world, uint32_t effect);
// For entries of the timer wheel: whether their effect still agrees with them, and handling those
// due.
bool kni_tick_alive(const kn_world *world, const kni_timer *timer);
bool kni_expiry_alive(const kn_world *world, const kni_timer *timer);
void kni_tick_due(kn_world *world, const kni_timer *timer);
// Fires the ticks at the front of the wheel, up to `until`, as long as they are plain: the world
// may be one in which none is. The next timer is then one for kni_wheel_pop().
KNI_SLOW void kni_plain_ticks_run(kn_world *world, kn_time until);
void kni_expiry_due(kn_world *world, const kni_timer *timer);
// Returns whether the effect is still active.
bool kni_tick(kn_world *world, uint32_t effect);

// Hooks of an effect with logic: the state block is copied out and back, because a hook may cause
// the heap to move.
typedef enum kni_logic_kind {
    KNI_LOGIC_APPLIED,
    KNI_LOGIC_TICKED,
    KNI_LOGIC_STACKS,
    KNI_LOGIC_INHIBITED,
    KNI_LOGIC_REAPPLIED,
    KNI_LOGIC_EXECUTED,
    KNI_LOGIC_REMOVED,
} kni_logic_kind;

typedef struct kni_logic_call {
    kni_logic_kind kind;
    uint32_t old_count, new_count;
    bool is_inhibited;
    kn_removal_reason reason;
    const kn_effect_reapplication *again;
} kni_logic_call;

void kni_logic_notify(kn_world *world, const kn_spec_view *spec, const kni_logic_call *call);
// The running hook of this effect, or NULL.
const kni_logic_frame *kni_logic_running(const kn_world *world, kn_effect_id effect);

kn_time kni_stacks_next_end(const kn_world *world, const kni_effect *effect);
void kni_stacks_reschedule(kn_world *world, uint32_t effect);
void kni_effect_times_follow(kn_world *world, uint32_t effect);
// Whether its live times could be computed at this level: KN_OK, or why not.
kn_result kni_effect_times_check(kn_world *world, uint32_t effect, float level);
// Sets another period; the current one is rescaled if the def says so.
void kni_effect_set_period(kn_world *world, uint32_t effect, kn_time period);

static inline kn_time kni_effect_end_time(const kni_effect *effect)
{
    return effect->duration == KN_TIME_INFINITE ? KN_TIME_INFINITE
                                                : effect->start + effect->duration;
}

// Counts the wheel's entry for the end of an effect, if there is one, as cancelled.
static inline void kni_effect_end_cancelled(kn_world *world, kni_effect *effect)
{
    if (effect->duration != KN_TIME_INFINITE && (effect->flags & KNI_ACTIVE_EXPIRING) == 0) {
        kni_wheel_cancelled(&world->wheel);
    }
    effect->flags &= (uint16_t)~KNI_ACTIVE_EXPIRING;
}

// Gates (gate.c) ------------------------------------------------------------

// The first gate of `component` that blocks the record: slot of its effect, or KNI_NONE.
typedef struct kni_gate_subject {
    const kn_event_record *record;
    const kn_spec_view *spec;  // for applications of effects, else NULL
    uint32_t kind;             // index + 1 of the event kind
    uint32_t source_component; // component of the record's instigator, or KNI_NONE
    const kn_gate_def **found; // receives the gate that holds
} kni_gate_subject;
uint32_t kni_gate_find(
    const kn_world *world, uint32_t component, bool as_instigator, const kni_gate_subject *subject);
// Whether the tests of one gate hold, not counting parts.
bool kni_gate_holds(
    const kn_world *world, const kn_gate_def *gate, const kni_gate_subject *subject);
// The reason of a gate as a kn_fail bit; 0 for none.
uint32_t kni_gate_fail(const kn_world *world, const kn_gate_def *gate);
// The effect behind the gate at `index`, as kni_gate_walk() counts them.
uint32_t kni_gate_effect(const kn_world *world, uint32_t component, uint32_t index);
// The first gate from `first` on, in order of creation, that blocks the record or a part of it.
uint32_t kni_gate_walk(const kn_world *world, uint32_t component, bool as_instigator,
    const kni_gate_subject *subject, const kn_tags *part, uint32_t first);
bool kni_gate_blocks_part(const kn_world *world, uint32_t component,
    const kni_gate_subject *subject, kn_tags part_tags, uint32_t *by);
kn_result kni_event_modify_and_gate(
    kn_world *world, const kn_event_record *record, kn_event_outcome *outcome);

#endif
