// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The input queue. An entity that a player has pressed buttons for has a component whose items are
// the presses that wait, and at most one that is used automatically. Each item knows when it is
// tried next; one timer for all of them fires at the earliest of these times. What may come sooner,
// the end of a cast or a changed cooldown, is a reaction that sets the time to now.

#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What an item waits for.
enum { WAITS_TIME, WAITS_CAST, WAITS_COOLDOWN, WAITS_QUEUE };

#define TRIES_MAX 4 // of an item at one and the same time
#define COOLDOWNS_MAX 16

typedef struct input_queue {
    kn_time due; // of the timer
    kn_timer_id timer;
} input_queue;

typedef struct input_item {
    kn_command_event event;
    kn_ability_id ability;
    kn_time since, due;
    kn_tag category;
    uint32_t waits;
    uint32_t connection;   // of the player who pressed it
    uint32_t is_automatic; // 1: it is used again and again
    uint32_t tries;        // at the present time
    uint32_t target_size;
    uint8_t targets[KN_INPUT_TARGETS_MAX]; // as kn_target_write() writes them
} input_item;

#define OWNER_FIELD(type, name_, member, kind_, count_)                                            \
    {                                                                                              \
        .name = name_, .kind = kind_, .offset = (uint32_t)offsetof(type, member), .count = count_, \
        .sync = KN_SYNC_OWNER                                                                      \
    }

static const kn_field queue_fields[] = {
    OWNER_FIELD(input_queue, "due", due, KN_FIELD_TIME, 1),
    OWNER_FIELD(input_queue, "timer", timer, KN_FIELD_TIMER, 1),
};
static const kn_field item_fields[] = {
    OWNER_FIELD(input_item, "object", event.object, KN_FIELD_U64, 1),
    OWNER_FIELD(input_item, "object2", event.object2, KN_FIELD_U64, 1),
    OWNER_FIELD(input_item, "instigator", event.instigator, KN_FIELD_ENTITY, 1),
    OWNER_FIELD(input_item, "target", event.target, KN_FIELD_ENTITY, 1),
    OWNER_FIELD(input_item, "magnitude", event.magnitude, KN_FIELD_F32, 1),
    OWNER_FIELD(input_item, "tag", event.tag, KN_FIELD_TAG, 1),
    OWNER_FIELD(input_item, "tags", event.tags, KN_FIELD_TAG, KN_COMMAND_TAGS_MAX),
    OWNER_FIELD(input_item, "by_event", event.by_event, KN_FIELD_U32, 1),
    OWNER_FIELD(input_item, "unused", event.unused, KN_FIELD_U32, 1),
    OWNER_FIELD(input_item, "ability", ability, KN_FIELD_ABILITY, 1),
    OWNER_FIELD(input_item, "since", since, KN_FIELD_TIME, 1),
    OWNER_FIELD(input_item, "due", due, KN_FIELD_TIME, 1),
    OWNER_FIELD(input_item, "category", category, KN_FIELD_TAG, 1),
    OWNER_FIELD(input_item, "waits", waits, KN_FIELD_U32, 1),
    OWNER_FIELD(input_item, "connection", connection, KN_FIELD_U32, 1),
    OWNER_FIELD(input_item, "is_automatic", is_automatic, KN_FIELD_U32, 1),
    OWNER_FIELD(input_item, "tries", tries, KN_FIELD_U32, 1),
    OWNER_FIELD(input_item, "target_size", target_size, KN_FIELD_U32, 1),
    OWNER_FIELD(input_item, "targets", targets, KN_FIELD_U8, KN_INPUT_TARGETS_MAX),
};

static const input_ids *ids_of(const kn_world *world)
{
    return &knc_combat_of_world(world)->input;
}

static const input_item *items_read(const kn_world *world, kn_entity_id entity, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(world, ids_of(world)->component, entity, count);
}

static void happening_publish(kn_world *world, kn_entity_id entity, const input_item *item,
    kn_input_happening what, kn_result result)
{
    kn_time due = item->is_automatic ? 0 : item->due;
    kn_input_event event = {item->ability, due, what, result};
    (void)kn_world_publish(world, entity, ids_of(world)->event, &event);
}

// The list --------------------------------------------------------------------------

static void item_remove(kn_world *world, kn_entity_id entity, uint32_t at)
{
    uint32_t count = 0;
    input_item *items = kn_component_items(world, ids_of(world)->component, entity, &count);
    memmove(&items[at], &items[at + 1], (count - at - 1) * sizeof(*items));
    (void)kn_component_resize(world, ids_of(world)->component, entity, count - 1);
}

// Puts an item among the others by the time it was pressed; an automatic one is the last.
static void item_insert(kn_world *world, kn_entity_id entity, const input_item *item)
{
    uint32_t count;
    (void)items_read(world, entity, &count);
    input_item *items = kn_component_resize(world, ids_of(world)->component, entity, count + 1);
    if (items == NULL) {
        return; // the world is broken
    }
    uint32_t at = count;
    while (at > 0 && !item->is_automatic &&
           (items[at - 1].is_automatic || items[at - 1].since > item->since)) {
        items[at] = items[at - 1];
        at--;
    }
    items[at] = *item;
}

// Removes the first item that a function picks.
typedef bool item_pick_fn(const input_item *item, const input_item *like);

static bool item_take(kn_world *world, kn_entity_id entity, item_pick_fn *pick,
    const input_item *like, input_item *taken)
{
    uint32_t count;
    const input_item *items = items_read(world, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (pick(&items[i], like)) {
            *taken = items[i];
            item_remove(world, entity, i);
            return true;
        }
    }
    return false;
}

static bool pick_waiting(const input_item *item, const input_item *like)
{
    (void)like;
    return !item->is_automatic;
}

static bool pick_category(const input_item *item, const input_item *like)
{
    return !item->is_automatic && kn_tag_equal(item->category, like->category);
}

static bool pick_automatic(const input_item *item, const input_item *like)
{
    (void)like;
    return item->is_automatic != 0;
}

static bool pick_waiting_ability(const input_item *item, const input_item *like)
{
    return !item->is_automatic && kn_ability_id_equal(item->ability, like->ability);
}

static bool pick_due(const input_item *item, const input_item *like)
{
    return item->due <= like->due;
}

static bool pick_any(const input_item *item, const input_item *like)
{
    (void)item;
    (void)like;
    return true;
}

// The timer fires at the earliest time of all items.
static void queue_plan(kn_world *world, kn_entity_id entity)
{
    const input_ids *ids = ids_of(world);
    uint32_t count;
    const input_item *items = items_read(world, entity, &count);
    const input_queue *queue = kn_component_read(world, ids->component, entity);
    kn_time due = KN_TIME_INFINITE, now = kn_world_now(world);
    for (uint32_t i = 0; i < count; i++) {
        due = items[i].due < due ? items[i].due : due;
    }
    if (queue == NULL || (queue->due == due && kn_timer_is_alive(world, queue->timer))) {
        return;
    }
    (void)kn_timer_cancel(world, queue->timer);
    kn_timer_id timer = {0};
    if (due != KN_TIME_INFINITE) {
        kn_result result =
            kn_timer_start(world, ids->timer, entity, due > now ? due - now : 0, NULL, &timer);
        due = result == KN_OK ? due : KN_TIME_INFINITE;
    }
    input_queue *own = kn_component_get(world, ids->component, entity);
    own->timer = timer;
    own->due = due;
}

// Looking at what is in the way --------------------------------------------------------

typedef enum judgement {
    JUDGED_USE,      // it can be used
    JUDGED_CANCEL,   // it can be used once the cast is cancelled
    JUDGED_CAST,     // it waits for the end of the cast
    JUDGED_COOLDOWN, // it waits for the end of a cooldown
    JUDGED_IGNORE,   // it is being cast, and ignores itself
    JUDGED_REFUSE,   // something else is in the way
} judgement;

// What an ability is up against.
typedef struct outlook {
    const kn_input_def *def; // NULL: it has the defaults
    kn_time window;
    uint32_t reasons;  // against it, but for the cast
    bool is_cast;      // a cast is in the way
    bool casts_itself; // which is that of the ability
    kn_time cast_end;
    kn_time wait; // for cooldowns that it may wait for; KN_TIME_INFINITE for others
} outlook;

static kn_ability_type_id type_of(const kn_world *world, kn_ability_id ability)
{
    kn_ability_info info = {0};
    (void)kn_ability_get(world, ability, &info);
    return info.type;
}

static kn_time window_of(const kn_world *world, const kn_input_def *def)
{
    float seconds = def != NULL && def->window >= 0.0f
                        ? def->window
                        : kn_input_rules(kn_world_library(world))->window;
    return kn_time_from_seconds((double)seconds);
}

// How long cooldowns keep an ability from being used; KN_TIME_INFINITE if one of those that do not
// count does.
static kn_time cooldown_wait(const kn_world *world, kn_ability_id ability, bool all)
{
    kn_cooldown_info infos[COOLDOWNS_MAX];
    kn_tag global = ids_of(world)->global;
    uint32_t count = kn_ability_cooldowns(world, ability, infos, COOLDOWNS_MAX);
    kn_time wait = 0;
    for (uint32_t i = 0; i < count && i < COOLDOWNS_MAX; i++) {
        bool counts = all || kn_tag_equal(infos[i].key, global);
        if (infos[i].wait > wait) {
            wait = counts ? infos[i].wait : KN_TIME_INFINITE;
        }
    }
    return wait;
}

static bool is_from_peer(const kn_world *world, const input_item *item)
{
    return item->connection != 0 && item->connection != kn_world_connection(world);
}

// The event of an item, whose views are in `tags` and `data`.
typedef struct item_event {
    kn_event_record record;
    kn_tag tags[KN_COMMAND_TAGS_MAX];
    kn_target_data data;
} item_event;

static bool event_is_there(const kn_command_event *event)
{
    bool has_tags = event->tag.index1 != 0;
    for (uint32_t i = 0; i < KN_COMMAND_TAGS_MAX; i++) {
        has_tags |= event->tags[i].index1 != 0;
    }
    return has_tags || event->by_event != 0 || event->object != 0 || event->object2 != 0 ||
           event->instigator.index1 != 0 || event->target.index1 != 0 || event->magnitude != 0.0f;
}

// False if it has none.
static bool item_read_event(const kn_world *world, const input_item *item, item_event *out)
{
    const kn_command_event *event = &item->event;
    if (item->target_size == 0 && !event_is_there(event)) {
        return false;
    }
    out->record = kn_event_record_default();
    out->record.object = event->object;
    out->record.object2 = event->object2;
    out->record.instigator = event->instigator;
    out->record.target = event->target;
    out->record.magnitude = event->magnitude;
    out->record.tag = event->tag;
    for (uint32_t i = 0; i < KN_COMMAND_TAGS_MAX; i++) {
        if (event->tags[i].index1 != 0) {
            out->tags[out->record.tags.count++] = event->tags[i];
        }
    }
    out->record.tags.data = out->tags;
    if (item->target_size > 0 && kn_target_read(kn_world_library(world), item->targets,
                                     item->target_size, &out->data) == KN_OK) {
        kn_target_view view = kn_target_data_view(&out->data);
        out->record.data = view.data;
        out->record.data_size = view.size;
    }
    return true;
}

static outlook look(const kn_world *world, kn_entity_id entity, const input_item *item)
{
    const kn_library *library = kn_world_library(world);
    kn_ability_type_id type = type_of(world, item->ability);
    uint32_t casting = knc_combat_of(library)->cast.casting;
    outlook out = {.def = kn_input_of_ability(library, type)};
    kn_cast_info cast;
    item_event event;
    bool has_event = item_read_event(world, item, &event);
    out.window = window_of(world, out.def);
    out.reasons = kn_ability_check(world, item->ability, has_event ? &event.record : NULL);
    if (is_from_peer(world, item)) { // its own check knows who asks
        out.reasons &= ~(uint32_t)KN_FAIL_NETWORKING;
    }
    if (kn_cast_get(world, entity, &cast)) {
        out.casts_itself = cast.ability.index1 == type.index1;
        out.is_cast = out.casts_itself || (out.reasons & casting) != 0;
        out.cast_end = cast.end;
        out.reasons &= ~(casting | (out.casts_itself ? (uint32_t)KN_FAIL_ACTIVE : 0));
    }
    if ((out.reasons & KN_FAIL_COOLDOWN) != 0) {
        bool all = item->is_automatic || kn_input_rules(library)->waits_for_cooldown;
        out.wait = cooldown_wait(world, item->ability, all);
    }
    return out;
}

static judgement judge(const kn_world *world, const outlook *out)
{
    kn_time now = kn_world_now(world);
    bool may_wait = out->reasons == KN_FAIL_COOLDOWN && out->wait <= out->window;
    if (out->is_cast) {
        if (out->casts_itself && out->def != NULL && out->def->ignores_itself) {
            return JUDGED_IGNORE;
        }
        if (out->cast_end < KN_TIME_MAX && out->cast_end - now <= out->window) {
            return JUDGED_CAST;
        }
        if (out->reasons == 0 || kn_input_rules(kn_world_library(world))->cancels_first) {
            return JUDGED_CANCEL;
        }
    } else if (out->reasons == 0) {
        return JUDGED_USE;
    }
    return may_wait ? JUDGED_COOLDOWN : JUDGED_REFUSE;
}

// Using -----------------------------------------------------------------------------

static kn_result item_use(kn_world *world, const input_item *item)
{
    item_event event;
    const kn_event_record *record = item_read_event(world, item, &event) ? &event.record : NULL;
    return is_from_peer(world, item)
               ? kn_peer_activate(world, item->connection, item->ability, record, NULL)
               : kn_ability_activate(world, item->ability, record, NULL);
}

// Lets a press wait, in the place of the one that has it.
static void item_wait(kn_world *world, kn_entity_id entity, const input_item *item, bool is_fresh)
{
    bool is_one = kn_input_rules(kn_world_library(world))->form == KN_INPUT_ONE_PLACE;
    input_item old;
    while (item_take(world, entity, is_one ? pick_waiting : pick_category, item, &old)) {
        happening_publish(world, entity, &old, KN_INPUT_REPLACED, KN_OK);
    }
    item_insert(world, entity, item);
    if (is_fresh) {
        happening_publish(world, entity, item, KN_INPUT_QUEUED, KN_OK);
    }
}

// Handles a press, a fresh one or one whose time has come: uses it, lets it wait, or refuses it.
static kn_result item_process(
    kn_world *world, kn_entity_id entity, input_item *item, kn_input_outcome *outcome)
{
    outlook out = look(world, entity, item);
    judgement judged = judge(world, &out);
    kn_time now = kn_world_now(world);
    *outcome = KN_INPUT_REFUSED;
    if (judged == JUDGED_CANCEL) {
        kn_result result = kn_cast_cancel(world, entity, 0);
        if (result != KN_OK) {
            return result;
        }
        out = look(world, entity, item);
        judged = judge(world, &out);
    }
    if (judged == JUDGED_IGNORE) {
        *outcome = KN_INPUT_IGNORED;
        return KN_OK;
    }
    if (judged == JUDGED_CAST || judged == JUDGED_COOLDOWN) {
        bool is_fresh = item->due == 0;
        item->waits = judged == JUDGED_CAST ? WAITS_CAST : WAITS_COOLDOWN;
        item->due = judged == JUDGED_CAST ? out.cast_end : now + out.wait;
        // What is about to end at this very time ends after this: it is tried once more then.
        item->tries = item->due <= now ? item->tries + 1 : 0;
        if (item->tries < TRIES_MAX) {
            item_wait(world, entity, item, is_fresh);
            *outcome = KN_INPUT_WAITS;
            return KN_OK;
        }
    }
    kn_result result = item_use(world, item); // if it is refused, this says why
    *outcome = result == KN_OK ? KN_INPUT_USED : KN_INPUT_REFUSED;
    return result;
}

// A press that waited: a cast that was prolonged keeps it waiting, everything else is looked at
// again as with a fresh press.
static void item_retry(kn_world *world, kn_entity_id entity, input_item *item)
{
    kn_cast_info cast;
    kn_input_outcome outcome;
    if (!kn_ability_is_alive(world, item->ability)) {
        happening_publish(world, entity, item, KN_INPUT_DROPPED, KN_OK);
        return;
    }
    if (item->waits == WAITS_CAST && kn_cast_get(world, entity, &cast) &&
        cast.end > kn_world_now(world)) {
        item->due = cast.end;
        item_insert(world, entity, item);
        return;
    }
    kn_result result = item_process(world, entity, item, &outcome);
    if (outcome != KN_INPUT_WAITS) {
        happening_publish(world, entity, item, KN_INPUT_TRIED, result);
    }
}

// Automatic use ---------------------------------------------------------------------

static bool is_waiting(const kn_world *world, kn_entity_id entity)
{
    uint32_t count;
    const input_item *items = items_read(world, entity, &count);
    return count > 0 && !items[0].is_automatic;
}

// When an automatic ability is tried next.
static void automatic_next(kn_world *world, kn_entity_id entity, input_item *item)
{
    kn_time now = kn_world_now(world);
    float retry = kn_input_rules(kn_world_library(world))->retry;
    outlook out = look(world, entity, item);
    bool is_busy = out.is_cast || (out.reasons & KN_FAIL_ACTIVE) != 0;
    item->due = now + kn_time_from_seconds((double)retry);
    item->waits = WAITS_TIME;
    if (is_waiting(world, entity)) {
        item->waits = WAITS_QUEUE;
        item->due = KN_TIME_INFINITE;
    } else if (is_busy) {
        item->waits = WAITS_CAST; // its end is a reaction
        item->due = KN_TIME_INFINITE;
    } else if (out.wait > 0 && out.wait < KN_TIME_MAX - now) {
        item->waits = WAITS_COOLDOWN;
        item->due = now + out.wait;
    }
}

static void automatic_try(kn_world *world, kn_entity_id entity, input_item *item)
{
    if (!kn_ability_is_alive(world, item->ability)) {
        happening_publish(world, entity, item, KN_INPUT_STOPPED, KN_OK);
        return;
    }
    outlook out = look(world, entity, item);
    if (!is_waiting(world, entity) && !out.is_cast && out.reasons == 0) {
        (void)item_use(world, item);
    }
    automatic_next(world, entity, item);
    item_insert(world, entity, item);
}

static void automatic_stop(kn_world *world, kn_entity_id entity)
{
    input_item item;
    if (item_take(world, entity, pick_automatic, NULL, &item)) {
        happening_publish(world, entity, &item, KN_INPUT_STOPPED, KN_OK);
    }
}

static void automatic_start(kn_world *world, kn_entity_id entity, const input_item *press)
{
    input_item item = *press;
    item.is_automatic = 1;
    item.tries = 0;
    automatic_next(world, entity, &item);
    item_insert(world, entity, &item);
    happening_publish(world, entity, &item, KN_INPUT_STARTED, KN_OK);
}

// What waited for others is tried when nothing waits any more.
static void automatic_wake(kn_world *world, kn_entity_id entity)
{
    uint32_t count = 0;
    input_item *items = kn_component_items(world, ids_of(world)->component, entity, &count);
    if (count > 0 && items[0].is_automatic && items[0].waits == WAITS_QUEUE) {
        items[0].waits = WAITS_TIME;
        items[0].due = kn_world_now(world);
    }
}

// Time and reactions ------------------------------------------------------------------

static kn_time input_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const input_ids *ids = ids_of(world);
    input_queue *queue = kn_component_get(world, ids->component, entity);
    (void)user;
    (void)data;
    if (queue == NULL || !kn_timer_id_equal(queue->timer, kn_timer_firing(world))) {
        return 0;
    }
    queue->timer = (kn_timer_id){0};
    queue->due = KN_TIME_INFINITE;
    uint32_t count;
    (void)items_read(world, entity, &count);
    input_item now = {.due = kn_world_now(world)}, item;
    // As many as there are: those that are due again at this time wait for the next timer.
    for (uint32_t i = 0; i < count && item_take(world, entity, pick_due, &now, &item); i++) {
        if (item.is_automatic) {
            automatic_try(world, entity, &item);
        } else {
            item_retry(world, entity, &item);
        }
    }
    automatic_wake(world, entity);
    queue_plan(world, entity);
    return 0;
}

// Items that wait for this are due now. By a timer, so that a chain of uses is not one of causes.
static void items_wake(kn_world *world, kn_entity_id entity, uint32_t waits)
{
    uint32_t count = 0;
    input_item *items = kn_component_items(world, ids_of(world)->component, entity, &count);
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].waits == waits) {
            items[i].due = kn_world_now(world);
            any = true;
        }
    }
    if (any) {
        queue_plan(world, entity);
    }
}

// Any ability may have cast: one with functions of its own begins the cast of another.
static void input_ended_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const input_ids *ids = user;
    if (kn_component_read(world, ids->component, reaction->entity) != NULL &&
        !knc_cast_is_casting(world, reaction->entity)) {
        items_wake(world, reaction->entity, WAITS_CAST);
    }
}

static void input_charges_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    items_wake(world, reaction->entity, WAITS_COOLDOWN);
}

static void queue_drop(kn_world *world, kn_entity_id entity)
{
    input_item item;
    automatic_stop(world, entity);
    while (item_take(world, entity, pick_any, NULL, &item)) {
        happening_publish(world, entity, &item, KN_INPUT_DROPPED, KN_OK);
    }
    queue_plan(world, entity);
}

void knc_input_dead_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    queue_drop(world, kn_entity_actor(world, reaction->entity));
}

// Pressing and releasing ---------------------------------------------------------------

#define PRESS_COOKIE 0x73657270u

kn_input_press_def kn_input_press_def_default(void)
{
    kn_input_press_def def = {.cookie = PRESS_COOKIE};
    return def;
}

typedef struct press_call {
    kn_entity_id entity;
    input_item item;
    kn_input_outcome outcome;
} press_call;

static kn_result press_run(void *user, kn_world *world)
{
    press_call *call = user;
    input_item *item = &call->item;
    const kn_input_def *def =
        kn_input_of_ability(kn_world_library(world), type_of(world, item->ability));
    if (kn_component_add(world, ids_of(world)->component, call->entity) == NULL) {
        return KN_REFUSED_DYING;
    }
    automatic_stop(world, call->entity); // another ability, or a fresh press of the same
    item->since = kn_world_now(world);
    item->category = def != NULL ? def->category : (kn_tag){0};
    kn_result result = item_process(world, call->entity, item, &call->outcome);
    if (def != NULL && def->automatic && kn_ability_is_alive(world, item->ability)) {
        automatic_start(world, call->entity, item);
    }
    queue_plan(world, call->entity);
    return result;
}

kn_result kn_input_queue_press(
    kn_world *world, kn_entity_id entity, const kn_input_press_def *def, kn_input_outcome *outcome)
{
    if (outcome != NULL) {
        *outcome = KN_INPUT_REFUSED;
    }
    if (world == NULL || def == NULL || def->cookie != PRESS_COOKIE ||
        !kn_combat_is_there(kn_world_library(world))) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    press_call call = {.entity = kn_entity_actor(world, entity)};
    kn_ability_info info;
    if (!kn_entity_is_alive(world, entity) || !kn_ability_get(world, def->ability, &info)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kn_entity_id_equal(info.owner, call.entity)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (!isfinite(def->event.magnitude)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    call.item.ability = def->ability;
    call.item.event = def->event;
    call.item.connection = def->connection;
    if (def->targets.size > 0) {
        if (!kn_target_is_valid(kn_world_library(world), def->targets)) {
            return KN_ERROR_BAD_DATA;
        }
        call.item.target_size = kn_target_write(
            kn_world_library(world), def->targets, call.item.targets, KN_INPUT_TARGETS_MAX);
        if (call.item.target_size > KN_INPUT_TARGETS_MAX) {
            return KN_REFUSED_LIMIT;
        }
    }
    kn_result result = kn_world_call(world, press_run, &call);
    if (outcome != NULL && result == KN_OK) {
        *outcome = call.outcome;
    }
    return result;
}

typedef struct release_call {
    kn_entity_id entity;
    kn_ability_id ability;
} release_call;

// What runs of an ability whose button is released.
static kn_result release_cast(kn_world *world, const release_call *call, const kn_input_def *def)
{
    kn_cast_info cast;
    bool cancels = def != NULL && def->cancel_on_release;
    if (!kn_cast_get(world, call->entity, &cast) ||
        cast.ability.index1 != type_of(world, call->ability).index1) {
        return cancels ? kn_ability_cancel(world, call->ability) : KN_OK; // not in the slot
    }
    if (cast.kind == KN_CAST_HELD) {
        return kn_cast_release(world, call->entity);
    }
    bool may_finish =
        cast.end < KN_TIME_MAX && cast.end - kn_world_now(world) <= window_of(world, def);
    return cancels && !may_finish ? kn_cast_cancel(world, call->entity, 0) : KN_OK;
}

static kn_result release_run(void *user, kn_world *world)
{
    const release_call *call = user;
    const kn_input_def *def =
        kn_input_of_ability(kn_world_library(world), type_of(world, call->ability));
    input_item like = {.ability = call->ability}, item;
    kn_ability_id automatic = kn_input_queue_automatic(world, call->entity);
    if (kn_ability_id_equal(automatic, call->ability)) {
        automatic_stop(world, call->entity);
    }
    if (def != NULL && def->cancel_on_release &&
        item_take(world, call->entity, pick_waiting_ability, &like, &item)) {
        happening_publish(world, call->entity, &item, KN_INPUT_DROPPED, KN_OK);
    }
    kn_result result = release_cast(world, call, def);
    queue_plan(world, call->entity);
    return result;
}

kn_result kn_input_queue_release(kn_world *world, kn_entity_id entity, kn_ability_id ability)
{
    if (world == NULL || !kn_combat_is_there(kn_world_library(world))) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    release_call call = {kn_entity_actor(world, entity), ability};
    kn_ability_info info;
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kn_ability_get(world, ability, &info) || !kn_entity_id_equal(info.owner, call.entity)) {
        return KN_OK; // it is gone meanwhile, with everything that it did
    }
    return kn_world_call(world, release_run, &call);
}

static kn_result clear_run(void *user, kn_world *world)
{
    queue_drop(world, *(const kn_entity_id *)user);
    return KN_OK;
}

kn_result kn_input_queue_clear(kn_world *world, kn_entity_id entity)
{
    if (world == NULL || !kn_combat_is_there(kn_world_library(world))) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    kn_entity_id actor = kn_entity_actor(world, entity);
    return kn_world_call(world, clear_run, &actor);
}

uint32_t kn_input_queue_get(
    const kn_world *world, kn_entity_id entity, kn_input_waiting *out, uint32_t capacity)
{
    uint32_t count, found = 0;
    if (world == NULL || !kn_combat_is_there(kn_world_library(world))) {
        return 0;
    }
    const input_item *items = items_read(world, kn_entity_actor(world, entity), &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].is_automatic || !kn_ability_is_alive(world, items[i].ability)) {
            continue;
        }
        if (found < capacity) {
            out[found] = (kn_input_waiting){items[i].ability, items[i].category, items[i].since,
                items[i].due, items[i].waits == WAITS_CAST};
        }
        found++;
    }
    return found;
}

kn_ability_id kn_input_queue_automatic(const kn_world *world, kn_entity_id entity)
{
    uint32_t count;
    kn_ability_id none = {0};
    if (world == NULL || !kn_combat_is_there(kn_world_library(world))) {
        return none;
    }
    const input_item *items = items_read(world, kn_entity_actor(world, entity), &count);
    return count > 0 && items[count - 1].is_automatic ? items[count - 1].ability : none;
}

// Commands --------------------------------------------------------------------------

static kn_result press_command(void *user, kn_world *world, const kn_command *command)
{
    const kn_input_press_command *payload = command->payload;
    kn_input_press_def def = kn_input_press_def_default();
    (void)user;
    if (payload == NULL) {
        return KN_REFUSED_STALE_ID;
    }
    def.ability = payload->ability;
    def.event = payload->event;
    def.targets = command->targets;
    def.connection = command->connection;
    return kn_input_queue_press(world, command->entity, &def, NULL);
}

static kn_result release_command(void *user, kn_world *world, const kn_command *command)
{
    const kn_input_release_command *payload = command->payload;
    (void)user;
    return payload == NULL ? KN_REFUSED_STALE_ID
                           : kn_input_queue_release(world, command->entity, payload->ability);
}

static kn_result clear_command(void *user, kn_world *world, const kn_command *command)
{
    (void)user;
    return kn_input_queue_clear(world, command->entity);
}

static const kn_field press_fields[] = {
    KN_FIELD(kn_input_press_command, ability, KN_FIELD_ABILITY),
    KN_FIELD_INIT("object", KN_FIELD_U64, offsetof(kn_input_press_command, event.object), 1),
    KN_FIELD_INIT("object2", KN_FIELD_U64, offsetof(kn_input_press_command, event.object2), 1),
    KN_FIELD_INIT(
        "instigator", KN_FIELD_ENTITY, offsetof(kn_input_press_command, event.instigator), 1),
    KN_FIELD_INIT("target", KN_FIELD_ENTITY, offsetof(kn_input_press_command, event.target), 1),
    KN_FIELD_INIT("magnitude", KN_FIELD_F32, offsetof(kn_input_press_command, event.magnitude), 1),
    KN_FIELD_INIT("tag", KN_FIELD_TAG, offsetof(kn_input_press_command, event.tag), 1),
    KN_FIELD_INIT(
        "tags", KN_FIELD_TAG, offsetof(kn_input_press_command, event.tags), KN_COMMAND_TAGS_MAX),
    KN_FIELD_INIT("by_event", KN_FIELD_U32, offsetof(kn_input_press_command, event.by_event), 1),
    KN_FIELD_INIT("unused", KN_FIELD_U32, offsetof(kn_input_press_command, event.unused), 1),
};
static const kn_field release_fields[] = {
    KN_FIELD(kn_input_release_command, ability, KN_FIELD_ABILITY)};

static kn_result input_commands_register(kn_library *library, input_ids *ids, kn_error *error)
{
    kn_command_def def = kn_command_def_default();
    def.name = "Knack.Press";
    def.size = sizeof(kn_input_press_command);
    def.fields = press_fields;
    def.field_count = sizeof(press_fields) / sizeof(*press_fields);
    def.has_targets = true;
    def.function = press_command;
    kn_result result = kn_command_register(library, &def, &ids->press, error);
    def = kn_command_def_default();
    def.name = "Knack.Release";
    def.size = sizeof(kn_input_release_command);
    def.fields = release_fields;
    def.field_count = 1;
    def.function = release_command;
    result = result != KN_OK ? result : kn_command_register(library, &def, &ids->release, error);
    def = kn_command_def_default();
    def.name = "Knack.ClearQueue";
    def.function = clear_command;
    return result != KN_OK ? result : kn_command_register(library, &def, &ids->clear, error);
}

// Registration ------------------------------------------------------------------------

static kn_result input_state_register(kn_library *library, input_ids *ids, kn_error *error)
{
    kn_component_def component = kn_component_def_default();
    component.name = "Knack.InputQueue";
    component.size = sizeof(input_queue);
    component.fields = queue_fields;
    component.field_count = sizeof(queue_fields) / sizeof(*queue_fields);
    component.item_size = sizeof(input_item);
    component.item_fields = item_fields;
    component.item_field_count = sizeof(item_fields) / sizeof(*item_fields);
    kn_result result = kn_component_register(library, &component, &ids->component, error);
    return result != KN_OK ? result
                           : kn_timer_type_register(
                                 library, "Knack.Input", input_timer, NULL, &ids->timer, error);
}

static kn_result input_rules_register(kn_library *library, input_ids *ids, kn_error *error)
{
    kn_rule_def def = kn_rule_def_default();
    kn_rule_id rule;
    def.name = "Knack.InputEnded";
    def.trigger = KN_TRIGGER_ABILITY_ENDED;
    def.function = input_ended_rule;
    def.user = ids;
    kn_result result = kn_rule_register(library, &def, &rule, error);
    def = kn_rule_def_default();
    def.name = "Knack.InputCharges";
    def.trigger = KN_TRIGGER_CHARGES;
    def.function = input_charges_rule;
    def.user = ids;
    return result != KN_OK ? result : kn_rule_register(library, &def, &rule, error);
}

kn_result knc_input_part_register(kn_library *library, combat *kit, kn_error *error)
{
    input_ids *ids = &kit->input;
    kn_result result = knc_input_use_register(library, ids, error);
    result = result != KN_OK ? result : knc_input_kinds_register(library, ids, error);
    result = result != KN_OK ? result : input_state_register(library, ids, error);
    result = result != KN_OK ? result : input_commands_register(library, ids, error);
    return result != KN_OK ? result : input_rules_register(library, ids, error);
}

void knc_input_part_release(combat *kit)
{
    free(kit->input.by_ability);
}
