// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the rooms above use of this one: entering and leaving calls, hooks, causes and events, tags,
// attributes and values, extension components.
#ifndef KNI_WORLD_H
#define KNI_WORLD_H

#include "world/state.h"

// Functions of higher rooms that lower ones call: the only calls that go up. World creation fills
// it in.
typedef struct kni_above {
    void (*drain)(kn_world *world);      // empties the reaction queue
    void (*log_events)(kn_world *world); // logs pending events that are not logged yet
    // Adapts the charges whose cycles follow the attribute to its new value.
    void (*rates_changed)(kn_world *world, uint32_t component, uint32_t attribute);
    // Adapts the charges whose maximum is the attribute to its new value.
    void (*maximum_changed)(kn_world *world, uint32_t component, uint32_t attribute);
    // The part of a tag's count that comes from running abilities and their cooldowns.
    uint32_t (*abilities_hold)(const kn_world *world, uint32_t component, uint32_t tag);
    // Grants or revokes the abilities of an effect that becomes active, ends, is inhibited or acts
    // again. Hooks run: the effect may be removed afterwards.
    void (*grants_begin)(kn_world *world, uint32_t effect);
    void (*grants_end)(kn_world *world, uint32_t effect);
    void (*grants_follow)(kn_world *world, uint32_t effect, bool off);
    // Cancels the abilities of the target that the effect cancels on ticks, or on applications.
    void (*effect_cancels)(kn_world *world, const kn_spec_view *spec, bool on_tick);
    // kn_effect_matches()
    bool (*effect_matches)(
        const kn_world *world, kn_effect_id effect, const kn_effect_query *query);
} kni_above;

// Calls ---------------------------------------------------------------------

// Every public call that changes the world begins with kni_enter() and ends with kni_leave().
KNI_SLOW kn_result kni_enter_slow(kn_world *world);
// Makes room for this many records of each kind. False when out of memory.
bool kni_headroom(kn_world *world, uint32_t records);

KNI_FAST kn_result kni_enter(kn_world *world)
{
    if (world == NULL) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (world->headroom_calls == 0) {
        kn_result result = kni_enter_slow(world);
        if (result != KN_OK) {
            return result;
        }
    }
    world->headroom_calls--;
    world->depth++;
    return KN_OK;
}

// Marks the world as broken: memory ran out halfway.
static inline void kni_break(kn_world *world)
{
    world->is_broken = true;
    world->headroom_calls = 0;
}

// Ends every outermost call in builds with KN_VALIDATE: checks the whole world, or in a large one
// once in a while (store/validate.c).
#ifdef KN_VALIDATE
void kni_validate_call(kn_world *world);
#else
static inline void kni_validate_call(kn_world *world)
{
    (void)world;
}
#endif

// Returns `result`, or KN_ERROR_WORLD_BROKEN when memory ran out during the call.
static inline kn_result kni_leave(kn_world *world, kn_result result)
{
    KN_ASSERT(world->depth > 0);
    if (result == KN_ERROR_OUT_OF_MEMORY && world->depth > 1) {
        kni_break(world); // inside the simulation, an unnoticed failure would change its course
    }
    if (world->depth == 1) {
        if (world->reaction_count > 0) {
            world->above->drain(world);
        }
        world->cause = 0;
        world->work_done = 0;
    }
    world->depth--;
    if (world->depth == 0) {
        kni_validate_call(world);
    }
    return world->is_broken ? KN_ERROR_WORLD_BROKEN : result;
}

// The low half of the next creation number; never 0, which means "free".
static inline uint32_t kni_number_take(kn_world *world)
{
    return (uint32_t)kni_number_next(world);
}

// Hooks ---------------------------------------------------------------------

// Around every hook that is called halfway through an operation. Until it returns, calls that
// remove or rearrange things wait in the reaction queue (docs/step-order.md), so that the operation
// finds its lists and records as it left them, apart from additions.
static inline void kni_hold(kn_world *world)
{
    world->held++;
}

static inline void kni_release(kn_world *world)
{
    KN_ASSERT(world->held > 0);
    world->held--;
}

// Whether no call, step or publication is running.
static inline bool kni_is_outside(const kn_world *world)
{
    return world->depth == 0 && !world->is_stepping && !world->is_publishing;
}

static inline bool kni_is_held(const kn_world *world)
{
    return world->held > 0;
}

// Queues a call whose arguments were checked. Returns KN_OK or KN_ERROR_WORLD_BROKEN.
kn_result kni_postpone(kn_world *world, const kni_call *call);
// Whether a call of this kind about the entity is queued, so that its effect is still to come.
bool kni_call_waits(const kn_world *world, kni_call_kind kind, kn_entity_id entity);
// Whether the call only removes things, so that it cannot repeat forever.
bool kni_call_only_removes(const kni_call *call);

// Something changed that the status of abilities may depend on. Components with abilities are
// listed from one publication that looks at them to the next.
KNI_SLOW void kni_touch_note(kn_world *world, kni_component *c);
// Begins a new list, or stops listing.
void kni_touch_begin(kn_world *world);
void kni_touch_stop(kn_world *world);

static inline void kni_touch_component(kn_world *world, kni_component *c)
{
    c->version++;
    if (c->actor1 != 0 && c->touched != world->touch_stamp) {
        kni_touch_note(world, c);
    }
}

static inline void kni_touch(kn_world *world, uint32_t component)
{
    kni_touch_component(world, kni_component_at(world, component));
}

// Changes (mark.c) ------------------------------------------------------------

// Notes that a part of an entity changed, for kn_changes_since().
KNI_SLOW void kni_mark_slow(kn_world *world, uint32_t entity, kn_part part);
// The entity in this slot was created, or is about to be destroyed.
void kni_mark_life(kn_world *world, uint32_t entity);
// Everything changed.
void kni_marks_all(kn_world *world);
void kni_marks_free(kn_world *world);
// Bytes of memory that they take.
size_t kni_marks_bytes(const kn_world *world);

static inline void kni_mark(kn_world *world, uint32_t component, kn_part part)
{
    if (world->marks != NULL) {
        kni_mark_slow(world, kni_component_at(world, component)->entity, part);
    }
}

static inline void kni_mark_entity(kn_world *world, kn_entity_id entity, kn_part part)
{
    if (world->marks != NULL && entity.index1 != 0) {
        kni_mark_slow(world, entity.index1 - 1, part);
    }
}

static inline void kni_mark_ability(kn_world *world, const kni_ability *ability)
{
    if (world->marks != NULL) {
        kni_mark(world, ability->component, KN_PART_ABILITIES);
    }
}

static inline void kni_mark_activation(kn_world *world, const kni_activation *activation)
{
    if (world->marks != NULL) {
        kni_mark_ability(world, kni_ability_at(world, activation->ability));
    }
}

static inline void kni_mark_task(kn_world *world, const kni_task *task)
{
    if (world->marks != NULL) {
        kni_mark_activation(world, kni_activation_at(world, task->activation));
    }
}

static inline void kni_mark_charge(kn_world *world, const kni_charge *charge)
{
    if (world->marks != NULL) {
        kni_mark(world, charge->component, KN_PART_ABILITIES);
    }
}

static inline void kni_mark_effect(kn_world *world, uint32_t effect)
{
    if (world->marks != NULL) {
        kni_mark(world, kni_effect_at(world, effect)->component, KN_PART_EFFECTS);
    }
}

// Events and causes (event.c) -----------------------------------------------

static inline bool kni_wants(const kn_world *world, kn_event_type type)
{
    return (world->wanted >> type & 1) != 0;
}

KNI_FAST void kni_event_head(
    kn_event *event, kn_event_type type, kn_cause cause, kn_time time, kn_entity_id entity)
{
    event->type = type;
    event->cause = cause;
    event->time = time;
    event->entity = entity;
}

// A new event with type, time, entity and cause filled in; a dummy when out of memory.
KNI_SLOW kn_event *kni_emit_slow(kn_world *world);

KNI_FAST kn_event *kni_emit(kn_world *world, kn_event_type type, kn_entity_id entity)
{
    kni_event_buffer *buffer = &world->pending;
    kn_event *event =
        buffer->count < buffer->capacity ? &buffer->events[buffer->count++] : kni_emit_slow(world);
    kni_event_head(event, type, world->cause, world->now, entity);
    return event;
}

// Fills in the cause of a call of the host.
KNI_FAST void kni_cause_record_root(kni_cause_record *record, kn_cause_kind kind,
    kn_entity_id entity, kn_effect_id effect, kn_effect_type_id type, uint32_t tag)
{
    record->parent = 0;
    record->tag = tag;
    record->kind = (uint8_t)kind;
    record->has_source = 0;
    record->depth = 0;
    record->type1 = (uint16_t)type.index1;
    record->ability1 = 0;
    record->entity = entity;
    record->effect = effect;
}

// Begins a cause below the current one; false when the chain is too long, which publishes an error
// event. *previous must be passed to kni_cause_end().
KNI_SLOW bool kni_cause_begin_slow(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    kn_effect_id effect, kn_effect_type_id type, uint32_t tag, kn_cause *previous);

KNI_FAST bool kni_cause_begin(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    kn_effect_id effect, kn_effect_type_id type, uint32_t tag, kn_cause *previous)
{
    kni_event_buffer *buffer = &world->pending;
    if (world->cause != 0 || buffer->cause_count >= buffer->cause_capacity) {
        return kni_cause_begin_slow(world, kind, entity, effect, type, tag, previous);
    }
    kni_cause_record_root(&buffer->causes[buffer->cause_count++], kind, entity, effect, type, tag);
    *previous = 0;
    world->cause = buffer->cause_base + buffer->cause_count;
    return true;
}

// Fills in the cause of what a timer of an effect sets off.
KNI_FAST void kni_cause_record_timed(kni_cause_record *record, kn_cause_kind kind,
    kn_entity_id entity, const kni_effect *effect, kn_effect_id id, uint32_t ability1)
{
    record->source = effect->source;
    record->kind = (uint8_t)kind;
    record->has_source = 1;
    record->depth = 0;
    record->type1 = (uint16_t)(effect->type + 1);
    record->ability1 = (uint16_t)ability1;
    record->entity = entity;
    record->effect = id;
}

// The same for what a timer of an effect sets off. `ability1` is the type of the ability that
// applied it, 0 for none.
KNI_SLOW bool kni_cause_begin_timed_slow(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    uint32_t slot, uint32_t ability1, kn_cause *previous);

KNI_FAST bool kni_cause_begin_timed(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    uint32_t slot, uint32_t ability1, kn_cause *previous)
{
    kni_event_buffer *buffer = &world->pending;
    if (world->cause != 0 || buffer->cause_count >= buffer->cause_capacity) {
        return kni_cause_begin_timed_slow(world, kind, entity, slot, ability1, previous);
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_effect_id id = {slot + 1, (uint32_t)effect->number};
    kni_cause_record_timed(
        &buffer->causes[buffer->cause_count++], kind, entity, effect, id, ability1);
    *previous = 0;
    world->cause = buffer->cause_base + buffer->cause_count;
    return true;
}

// Notes the command behind the cause that was just begun: one of kind KN_CAUSE_COMMAND or _TASK.
static inline void kni_cause_set_key(kn_world *world, kni_key key)
{
    world->pending.causes[world->pending.cause_count - 1].key = key;
}

// For what clients do not predict: whether this world has to leave it out now. Counts both ways.
static inline bool kni_leaves_out(kn_world *world)
{
    if (world->is_predicting) {
        world->left_out++;
    } else if (world->def.is_client) {
        world->unpredicted++;
    }
    return world->is_predicting;
}

// The command behind a cause; all-zero if there is none.
kni_key kni_cause_key(const kn_world *world, kn_cause cause);

static inline kni_key kni_activation_key(const kni_activation *activation)
{
    return (kni_key){activation->by_connection, activation->by_sequence};
}

static inline kni_key kni_effect_key(const kn_world *world, kn_effect_id id)
{
    uint32_t slot = kni_effect_find(world, id);
    uint32_t rare1 = slot != KNI_NONE ? kni_effect_at(world, slot)->rare1 : 0;
    const kni_rare *rare = rare1 != 0 ? kni_rare_at(world, rare1) : NULL;
    return rare != NULL ? (kni_key){rare->by_connection, rare->by_sequence} : (kni_key){0, 0};
}

static inline void kni_cause_end(kn_world *world, kn_cause previous)
{
    world->cause = previous;
}

void kni_emit_error(kn_world *world, kn_result code, kn_entity_id entity, uint32_t type1,
    uint32_t attribute1, uint32_t detail);
// Publishes the error of a body that failed, unless the body itself has just reported it.
void kni_emit_ability_error(
    kn_world *world, kn_result code, kn_entity_id entity, uint32_t ability1);
// Makes room for bytes beside the pending events and gives the offset. False, and a broken world,
// when out of memory.
bool kni_bytes_room(kn_world *world, uint32_t size, uint32_t *offset);

// Random streams: those of every world, then those of its library.
static inline uint32_t kni_stream_count(const kn_world *world)
{
    return KNI_STREAM_COUNT + world->library->stream_count;
}
// Begins a stream of the library, by the world's seed and its name.
void kni_own_stream_seed(kn_world *world, uint32_t index);

kni_queued *kni_react(kn_world *world, kni_reaction_kind kind);
// Queues a check of an effect's conditions for when the operation is complete.
void kni_effect_queue_recheck(kn_world *world, uint32_t effect);
// Queues every rule that matches the trigger and fields of `reaction`.
void kni_react_rules(kn_world *world, const kn_reaction *reaction);
// A copy of a record for reactions in the queue, with all its lists, valid until the queue is
// empty. NULL, and a broken world, when out of memory.
const kn_event_record *kni_record_keep(kn_world *world, const kn_event_record *record, kn_tag tag);
void kni_records_reset(kn_world *world);
void kni_records_free(kn_world *world);
// Notifies those that wait for another parent of a component.
void kni_parent_react(kn_world *world, uint32_t component, kn_entity_id old);
// Queues what a reaction about an entity wakes, be it an actor or not.
void kni_react_entity(kn_world *world, const kn_reaction *reaction);
// Checks a record passed in by a caller: cookie, tags, kind, bytes, magnitude.
kn_result kni_record_check(const kn_world *world, const kn_event_record *record);
// Publishes an event and notifies rules, triggers and tasks. `record` may be NULL.
void kni_send(kn_world *world, kn_entity_id entity, kn_event_kind_id kind, kn_tag tag,
    kn_entity_id instigator, float magnitude, const kn_event_record *record);

// Actors, watchers, payloads (watch.c, payload.c) ---------------------------

// The actor of a component, created if necessary; NULL, and a broken world, when out of memory.
kni_actor *kni_actor_ensure(kn_world *world, uint32_t component);
// Begins a call about the actor of an entity, created if necessary; NULL with the result to return
// if it cannot begin. The caller ends it with kni_leave().
kni_actor *kni_actor_enter(kn_world *world, kn_entity_id entity, kn_result *result);
void kni_watch_add(kn_world *world, uint32_t component, kni_watcher watcher);
// Whether somebody follows the attributes of its component, by its mask and its charges.
void kni_watch_flag_update(const kn_world *world, const kni_actor *actor);
void kni_watch_remove(kn_world *world, uint32_t component, uint32_t slot, bool is_task);
// The same for a component: by its actor and its watches.
void kni_followed_update(const kn_world *world, uint32_t component);
// Whether a reaction to this trigger wakes anybody: a rule, a watcher of the component or a watch.
static inline bool kni_is_heard(const kn_world *world, uint32_t component, kn_trigger trigger)
{
    if ((world->heard >> trigger & 1) == 0) {
        return false;
    }
    const kni_actor *actor = kni_actor_of(world, component);
    uint32_t mask = world->library->trigger_mask | (actor != NULL ? actor->watch_mask : 0);
    return (mask >> trigger & 1) != 0 || world->watch_counts[trigger] > 0;
}

// Queues everything that a reaction wakes: first rules of the library, then watchers.
void kni_react_all(kn_world *world, uint32_t component, const kn_reaction *reaction);
// The same for an event with its record, which may be NULL.
void kni_watch_event(kn_world *world, uint32_t component, const kn_reaction *reaction,
    const kn_event_record *record);
// Whether an ability has a tag, from its type or added to this one.
bool kni_ability_has_tag(const kn_world *world, uint32_t slot, uint32_t tag);

// Payloads are named by slot + 1 and counted by reference; 0 when out of memory.
uint32_t kni_payload_store(kn_world *world, const kn_event_record *record, uint32_t tag);
void kni_payload_release(kn_world *world, uint32_t payload1);
void kni_payload_view(const kn_world *world, uint32_t payload1, kn_event_record *record);

// A payload that hooks may read while the world grows: its lists are outside the heap.
typedef struct kni_payload_copy {
    kn_event_record record;
    uint8_t *block;
    size_t size;
    size_t used;
    _Alignas(8) uint8_t local[1024];
} kni_payload_copy;

// False, and a broken world, when out of memory. The copy must not be moved until it is dropped.
bool kni_payload_take(kn_world *world, uint32_t payload1, kni_payload_copy *copy);
void kni_payload_drop(kn_world *world, kni_payload_copy *copy);

// Commands (command.c) ------------------------------------------------------

// Makes room for this many in the order; false when out of memory.
bool kni_commands_reserve(kn_world *world, uint32_t count);
// Puts those that wait in order.
void kni_commands_settle(const kn_world *world);
bool kni_command_is_before(const kni_command *a, const kni_command *b);
// Rebuilds the order, which has room for all.
void kni_commands_order_all(kn_world *world);
// What is wrong with the order or with batches, or NULL.
const char *kni_commands_problem(const kn_world *world);
// Fills in a view of a record; `parts` stays NULL.
void kni_command_view(const kn_world *world, uint32_t slot, kn_command *out);
// Frees a record that is not in the order any more.
void kni_command_release(kn_world *world, uint32_t slot);

// Entities and tags (entity.c, owned_tags.c) --------------------------------

// The component of an entity, created if necessary; KNI_NONE when out of memory.
uint32_t kni_component_ensure(kn_world *world, uint32_t entity_slot);
bool kni_tag_bits_reserve(kn_world *world);
// The component that an entity owns itself, not as an avatar, created if necessary.
kn_result kni_component_own(kn_world *world, kn_entity_id entity, uint32_t *component);
// Queues a call by a hook that changes a relation between two entities.
kn_result kni_relation_postpone(
    kn_world *world, kni_call_kind kind, kn_entity_id entity, kn_entity_id other);
// Adds a component to the list of its parent, if it has one.
void kni_component_link(kn_world *world, uint32_t component);
void kni_component_unlink(kn_world *world, uint32_t component, uint32_t parent);
// Adds a component to the list of its owner, if that is alive, or removes it from there.
void kni_owned_add(kn_world *world, uint32_t component);
void kni_owned_remove(kn_world *world, uint32_t component);
// The first component at or after a slot that another one owns, or KNI_NONE.
uint32_t kni_owned_next(const kn_world *world, uint32_t owner, uint32_t component);
// Adds (1) or removes (-1) a component's tags to or from its parent's.
void kni_parent_tags(kn_world *world, uint32_t component, uint32_t parent, int32_t sign);

// Changes the count of a tag. Never removes more than the origin has added.
void kni_tag_change(
    kn_world *world, uint32_t component, uint32_t tag, kn_tag_origin origin, int32_t change);
// Whether the count stays within the limit of public calls.
bool kni_tag_can_change(const kn_world *world, uint32_t component, uint32_t tag, int32_t change);
void kni_blocked_change(kn_world *world, uint32_t component, uint32_t tag, int32_t change);
bool kni_component_meets(
    const kn_world *world, uint32_t component, const kn_tag_requirement *requirement);
// The exact count of a tag, shown or not; and whether it is shown.
uint32_t kni_tag_count_exact(const kn_world *world, uint32_t component, uint32_t tag);
// The same for one of its rows: a count too large for the row follows from the totals below it.
uint32_t kni_row_count_large(const kn_world *world, uint32_t component, const kni_tag_row *row);
static inline uint32_t kni_row_count(
    const kn_world *world, uint32_t component, const kni_tag_row *row)
{
    return row->count < KNI_TAG_COUNT_MAX ? row->count : kni_row_count_large(world, component, row);
}
bool kni_shows_tag_exact(const kn_world *world, uint32_t component, uint32_t tag);
// Computes the tags a component shows through the edits of its effects, and publishes what changed.
void kni_tags_show(kn_world *world, uint32_t component);
// The same as bits, without changing anything: tag_words each for the shown tags and for those with
// their parents.
void kni_tags_shown(
    const kn_world *world, uint32_t component, uint64_t *shown, uint64_t *with_parents);
// The inputs of that: the tags it has, as bits, and one edit of them.
void kni_tags_owned(const kn_world *world, uint32_t component, uint64_t *owned);
void kni_tag_edit_apply(const kn_library *library, const kn_tag_edit *edit, uint64_t *shown);

// Attributes (attribute.c) --------------------------------------------------

// The position of an attribute in a component, or KNI_NONE.
static inline uint32_t kni_position(
    const kn_world *world, const kni_component *component, uint32_t attribute)
{
    const kni_layout *layout = &world->layouts[component->layout];
    uint32_t position = layout->positions[attribute];
    return position == KNI_NO_POSITION ? KNI_NONE : position;
}
uint32_t kni_position_keyed(
    const kn_world *world, const kni_component *component, uint32_t attribute, uint32_t key);

// The set, attribute and key at a position.
static inline const kni_set_instance *kni_instance_at_position(
    const kn_world *world, const kni_component *component, uint32_t position)
{
    const kni_layout *layout = &world->layouts[component->layout];
    const kni_set_instance *instance = &layout->sets[layout->set_count - 1];
    while (instance->first > position) {
        instance--;
    }
    return instance;
}

static inline uint32_t kni_attribute_at_position(
    const kn_world *world, const kni_component *component, uint32_t position, uint32_t *key)
{
    const kni_set_instance *instance = kni_instance_at_position(world, component, position);
    *key = instance->key;
    return kni_set_at(world->library, instance->set)->attributes[position - instance->first];
}

uint32_t kni_layout_find(kn_world *world, const kni_set_instance *sets, uint32_t count);

float kni_apply_op(kn_op op, float base, float magnitude);

static inline float kni_bounded(float value, float minimum, float maximum)
{
    value = value > maximum ? maximum : value;
    return value < minimum ? minimum : value;
}

static inline bool kni_is_finite(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (bits & 0x7f800000u) != 0x7f800000u;
}

// Stored values are finite: sums stop at the largest float.
static inline float kni_saturated(float value)
{
    return value != value ? 0.0f : kni_bounded(value, -FLT_MAX, FLT_MAX);
}

void kni_bounds(const kn_world *world, const kni_component *component,
    const kni_attribute *attribute, uint32_t key, bool is_base, float *minimum, float *maximum);
// The aggregator of a value, created if necessary; KNI_NONE when out of memory.
uint32_t kni_aggregator_ensure(kn_world *world, uint32_t component, uint32_t position);
uint32_t kni_transient_ensure(kn_world *world, uint32_t component, uint32_t value);
uint32_t kni_transient_find(const kn_world *world, const kni_component *component, uint32_t value);
void kni_aggregator_drop_if_empty(kn_world *world, uint32_t aggregator);
// Gives back what it holds, and the aggregator.
void kni_aggregator_release(kn_world *world, uint32_t aggregator);
// The modifier at a place, and perhaps those behind it, are others than before.
static inline void kni_mods_changed(kni_aggregator *aggregator, uint32_t index)
{
    if (aggregator->sums.count > index / KNI_SUMS_STEP) {
        aggregator->sums.count = index / KNI_SUMS_STEP;
    }
}
// Adds up what is not known yet of a long list on an attribute. The heap may move.
void kni_sums_extend(kn_world *world, uint32_t aggregator, const kni_attribute *attribute);
void kni_dependent_add(
    kn_world *world, uint32_t component, uint32_t position, uint32_t effect, uint32_t kinds);
void kni_dependent_remove(kn_world *world, uint32_t component, uint32_t position, uint32_t effect);

// Fills in a KN_EVENT_ATTRIBUTE_CHANGED about an attribute of the default instance.
KNI_FAST void kni_changed_fill(
    kn_event *event, uint32_t attribute1, float old, float current, kn_effect_id effect)
{
    event->data.attribute.attribute.index1 = attribute1;
    event->data.attribute.key = 0;
    event->data.attribute.old_value = old;
    event->data.attribute.new_value = current;
    event->data.attribute.effect = effect;
}

// Changes a value without modifiers. False, with nothing done, if the result is not finite.
KNI_FAST bool kni_plain_change_do(const kni_plain_change *plain, kni_value *value)
{
    float base = kni_bounded(value->base + plain->magnitude, plain->base_min, plain->base_max);
    float current = kni_bounded(base, plain->min, plain->max);
    if (!kni_is_finite(base)) {
        return false; // the general path reports it
    }
    value->base = base;
    value->current = current;
    return true;
}

// Executes a modifier on an attribute of the default instance without hooks, modifiers or
// observers: the common case. False, with nothing done, when it is not that simple.
static inline bool kni_execute_plain(kn_world *world, kni_component *c, const kni_attribute *info,
    uint32_t attribute, kn_op op, float magnitude, kn_entity_id entity, kn_effect_id effect)
{
    uint32_t position = world->layouts[c->layout].positions[attribute];
    if (position == KNI_NO_POSITION || (info->flags & KNI_ATTRIBUTE_PLAIN) == 0 ||
        (c->flags & KNI_COMPONENT_WATCHED) != 0) {
        return false;
    }
    kni_value *value = &kni_values_of(world, c)[position];
    if (value->aggregator1 != 0) {
        return false;
    }
    float base =
        op == KN_OP_ADD ? value->base + magnitude : kni_apply_op(op, value->base, magnitude);
    base = kni_bounded(base, info->const_base_min, info->const_base_max);
    float current = kni_bounded(base, info->const_min, info->const_max);
    float old = value->current;
    if (!kni_is_finite(base)) {
        return false; // the general path reports it
    }
    value->base = base;
    value->current = current;
    if (world->marks != NULL) {
        kni_mark_slow(world, c->entity, KN_PART_ATTRIBUTES);
    }
    if (c->actor1 != 0) { // avoids dirtying a cache line
        kni_touch_component(world, c);
    }
    if (current != old && kni_wants(world, KN_EVENT_ATTRIBUTE_CHANGED)) {
        kn_event *event = kni_emit(world, KN_EVENT_ATTRIBUTE_CHANGED, entity);
        kni_changed_fill(event, attribute + 1, old, current, effect);
    }
    return true;
}

// Values (value.c) ----------------------------------------------------------

// Reads one capture from a component, which may be KNI_NONE.
kn_result kni_capture_read_of(
    const kn_world *world, uint32_t component, const kn_capture *capture, float *value);
// What an expression reads from an event record; `subject` is a kni_record_subject.
typedef struct kni_record_subject {
    const kn_world *world;
    const kn_event_record *record;
} kni_record_subject;
kn_result kni_record_read(const void *subject, const kni_reading *reading, float *value);

#define KNI_POLICY_MAX 256 // modifiers passed to a policy function; the others always qualify

// The answer of a policy function.
typedef struct kni_choice {
    bool is_known;
    uint32_t count;
    bool qualifies[KNI_POLICY_MAX];
} kni_choice;

typedef struct kni_evaluation {
    const kn_world *world;
    const kn_value_profile *profile;
    kn_qualify qualify;
    uint32_t policy; // index + 1 of the policy
    float base;
    const kni_mod *mods;
    uint32_t count;
    uint64_t before;               // only modifiers whose turn is before this; 0 for all
    uint32_t channel_end;          // only channels below this
    const kn_event_record *record; // for conditions; may be NULL
    const kn_tags *source_filter;  // excludes modifiers whose source lacks one of these tags
    const kn_tags *target_filter;
    uint32_t target_component; // for target_filter
    float factor;              // one more compound factor, 1 for none
    bool *skipped;             // set when a sum of divisors is too close to zero; may be NULL
    kni_choice *choice;        // caches the policy's answer for all modifiers; may be NULL
} kni_evaluation;

// The order in which modifiers act: by channel, within it by stage, then by age.
uint64_t kni_mod_turn(const kni_evaluation *e, uint32_t index);
// Fills in the evaluation of the modifiers on a value.
void kni_evaluation_of(const kn_world *world, uint32_t aggregator1, kni_evaluation *e);
// The evaluation of a transient value, with the factor of the entity, which may be null. NULL for
// an unknown value or a base that is not finite.
const kn_value_def *kni_value_evaluation(const kn_world *world, kn_entity_id entity,
    kn_value_id value, float base, const kn_event_record *record, kni_evaluation *e);
float kni_value_limited(const kn_value_def *def, float value);
// What `adjust` makes of the result of the modifiers.
float kni_value_adjusted(const kn_world *world, kn_entity_id entity, const kn_value_def *def,
    const kn_event_record *record, float value);

float kni_evaluate(const kni_evaluation *evaluation);
// Whether a registered condition, function or expression, holds for a record.
bool kni_condition_holds(const kn_world *world, kn_condition_id id, const kn_event_record *record,
    kn_condition_answer *answer);
kn_qualification kni_qualification(const kni_evaluation *evaluation, uint32_t index);
// The same with the modifier's condition, and what the condition makes of the modifier.
kn_qualification kni_mod_answer(
    const kni_evaluation *evaluation, uint32_t index, kn_condition_answer *answer);
// Current value of an attribute before hooks, limits and rounding.
float kni_attribute_raw(const kn_world *world, uint32_t component, uint32_t position,
    const kni_attribute *attribute, float base, bool *skipped);
float kni_round(kn_rounding rounding, bool minimum_one, float value, float base);
float kni_scale_by_stacks(kn_op op, float magnitude, uint32_t stacks);

// Extension components (extension.c), listeners (listener.c) ----------------

void kni_extensions_remove(kn_world *world, uint32_t entity_slot);
// Puts a component at the end of those of its entity. False when out of memory.
bool kni_extension_link(kn_world *world, kni_extension *extension, uint32_t slot);
// Removes a record from the list of its entity.
void kni_extension_unlink(kni_extension *extension, uint32_t slot);
// Removes a record without its hook.
void kni_extension_release(kn_world *world, uint32_t index, uint32_t slot);
// Slot + 1 of the first component of an entity's slot, or of the world for KNI_NONE; 0 for none.
static inline uint32_t kni_extension_first1(const kni_extension *extension, uint32_t entity_slot)
{
    if (entity_slot == KNI_NONE) {
        return extension->world_slot1;
    }
    return entity_slot < extension->by_entity_capacity ? extension->by_entity[entity_slot] : 0;
}
static inline kni_extension_head *kni_extension_at(const kni_extension *extension, uint32_t slot)
{
    return kni_pool_at(&extension->pool, slot);
}
bool kni_extensions_init(kn_world *world);
void kni_extensions_free(kn_world *world);
// Counts that all components were replaced; `old` is the world they were in before, perhaps the
// same.
void kni_extensions_replaced(kn_world *world, const kn_world *old);
// Keeps a list of the latest changes of a type's components, with room for about as many as there
// are components. Without memory there is none, or a shorter one: see kni_extension.
void kni_extension_follow(kni_extension *extension, kni_memory *memory);
// Notes that a component may change now.
void kni_extension_note(kn_world *world, kni_extension *extension, uint32_t slot);
// Removes a component after its hook, at the end of something: never fails.
void kni_extension_remove(kn_world *world, uint32_t type, uint32_t slot);
// References (reference.c): what happens to those to an entity that ends.
void kni_references_end(kn_world *world, kn_entity_id entity);
void kni_references_free(kn_world *world, uint32_t type);
bool kni_references_validate(const kn_world *world, uint32_t type);
void kni_listeners_call(kn_world *world);
void kni_listeners_remove_owner(kn_world *world, kn_entity_id owner);
// After kinds of custom events got other numbers.
void kni_listeners_renumbered(kn_world *world);
void kni_timers_remove(kn_world *world, kn_entity_id entity);
// Makes room for the timers of this many entities; false when out of memory.
bool kni_timers_reserve(kn_world *world, uint32_t entities);
// Rebuilds the lists of timers by entity.
void kni_timers_link_all(kn_world *world);
void kni_rule_timer_release(kn_world *world, uint32_t slot);
void kni_rule_timer_fire(kn_world *world, const kni_timer *timer);

// Blocks on ability tags by others (tag_block.c). Room for the lists of that many entities.
bool kni_tag_blocks_reserve(kn_world *world, uint32_t entities);
// Puts a block at the end of its lists.
void kni_tag_block_link(kn_world *world, uint32_t slot);
// Empties all lists; the records stay.
void kni_tag_blocks_clear(kn_world *world);
// Finds the ends of all lists again, after a snapshot.
void kni_tag_blocks_link_all(kn_world *world);
// Ends the blocks on an entity and those it is the source of.
void kni_tag_blocks_remove(kn_world *world, kn_entity_id entity);
// Slot + 1 of the first block on a component; `next1` leads on.
uint32_t kni_tag_block_first1(const kn_world *world, uint32_t component);
static inline kni_tag_block *kni_tag_block_at(const kn_world *world, uint32_t slot)
{
    return kni_pool_at(&world->tag_blocks, slot);
}

// Whether a comparison holds, for thresholds of tasks and watches (watches.c).
bool kni_compare(kn_compare how, float a, float b);
// Watches (watches.c). Room for the lists of that many entities.
bool kni_watches_reserve(kn_world *world, uint32_t entities);
// Puts a watch at the end of its lists, and counts it.
void kni_watch_link(kn_world *world, uint32_t slot);
// Finds the ends of all lists again, whose records know their neighbours.
void kni_watches_link_all(kn_world *world);
// Empties all lists: every record has to be linked again.
void kni_watches_clear(kn_world *world);
// Whether a watch follows attributes of an entity.
bool kni_watches_follow(const kn_world *world, uint32_t entity_slot);
// Whether the component is there that a watch belongs to, if any.
bool kni_watch_component_is_there(const kn_world *world, const kni_watch *watch);
// Ends those that belong to a component of an entity, or with the null id of the world.
void kni_watches_component_removed(
    kn_world *world, kn_entity_id entity, uint32_t type, kn_component_id component);
// Ends those that watch an entity or belong to it.
void kni_watches_remove(kn_world *world, kn_entity_id entity);
// Queues those that a reaction wakes.
void kni_watches_react(kn_world *world, const kn_reaction *reaction);
// Calls a watch from the queue.
void kni_watch_notice(kn_world *world, const kni_queued *queued);

// The timer of a ticker fires (ticker.c); returns the time until it fires again, or 0.
kn_time kni_ticker_fired(kn_world *world, kn_ticker_id ticker, kn_entity_id entity, void *data);

// Systems (system.c).
bool kni_systems_init(kn_world *world);
void kni_systems_free(kn_world *world);
// What follows from switches and time. False if a system has two switches.
bool kni_systems_restore(kn_world *world);
// Carries out the next run of a system, at its time.
void kni_system_run_next(kn_world *world);

static inline void kni_timer_add(
    kn_world *world, kn_time time, uint64_t number, uint32_t slot, uint32_t kind)
{
    KN_ASSERT(slot < KNI_POOL_MAX && number != 0 && time != KN_TIME_INFINITE);
    kni_timer timer = {time, (uint32_t)number, slot | kind << 28};
    if (!kni_wheel_add(&world->wheel, &world->memory, timer)) {
        kni_break(world);
    }
}

#endif
