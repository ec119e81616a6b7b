// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders: a component with a list is the current order and the queue, commands fill it, and rules
// notice that an ability has ended or that a target is gone.

#include "parts.h"

#include <stdio.h>
#include <string.h>

// The component `Kit.Orders`: the current order, if any.
typedef struct orders {
    kn_entity_id target;
    kn_activation_id activation;
    kn_effect_id effect;
    kn_timer_id patience;
    kn_time since;
    order_id current; // null: idle
    kn_tag held;      // tag that the unit has because of the current order
    uint32_t done;
    uint32_t refused;
} orders;

// An order that waits.
typedef struct order_item {
    kn_entity_id target;
    order_id order;
    uint32_t unused;
} order_item;

static const kn_field orders_fields[] = {
    KN_FIELD(orders, target, KN_FIELD_ENTITY),
    KN_FIELD(orders, activation, KN_FIELD_ACTIVATION),
    KN_FIELD(orders, effect, KN_FIELD_EFFECT),
    KN_FIELD(orders, patience, KN_FIELD_TIMER),
    KN_FIELD(orders, since, KN_FIELD_TIME),
    KN_FIELD_TO(orders, current, "order"),
    KN_FIELD(orders, held, KN_FIELD_TAG),
    KN_FIELD(orders, done, KN_FIELD_U32),
    KN_FIELD(orders, refused, KN_FIELD_U32),
};
// What waits is for the owner's eyes only.
static const kn_field order_item_fields[] = {
    {.name = "target",
        .kind = KN_FIELD_ENTITY,
        .offset = offsetof(order_item, target),
        .sync = KN_SYNC_OWNER},
    {.name = "order",
        .kind = KN_FIELD_REF,
        .offset = offsetof(order_item, order),
        .refers_to = "order",
        .sync = KN_SYNC_OWNER},
    KN_FIELD(order_item, unused, KN_FIELD_U32),
};

// Who acts on a target is found without looking at all units; what waits for one that is gone is
// dropped.
enum { REFERENCE_TARGET };
static const kn_component_reference orders_references[] = {
    {.field = "target"},
    {.field = "target", .of_items = true, .when_destroyed = KN_REFERENCE_REMOVE},
};

// The definition ----------------------------------------------------------------

#define ORDER_COOKIE 0x6472726fu

static const char *const order_aim_words[] = {"none", "unit", "any"};
static const char *const order_place_words[] = {"now", "last", "next"};
static const char *const order_refusal_words[] = {
    "none", "target", "needs", "condition", "ability", "insists", "full", "chain"};
static const char *const order_outcome_words[] = {
    "done", "failed", "replaced", "cleared", "given_up", "target_gone"};

order_def order_def_default(void)
{
    order_def def = {.patience = kn_magnitude_constant(0.0f), .cookie = ORDER_COOKIE};
    return def;
}

static void order_init(void *def)
{
    *(order_def *)def = order_def_default();
}

static const kn_def_field order_fields[] = {
    KN_DEF_F(order_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_ENUM_OF(order_def, aim, "order_aim", "What it needs to act on; default none."),
    KN_DEF_F_REF(order_def, ability, KN_DEF_ABILITY,
        "The ability that the unit activates on the target; the order is done when it ends."),
    KN_DEF_F_REF(order_def, effect, KN_DEF_EFFECT, "An effect that the unit has meanwhile."),
    KN_DEF_F(order_def, tag, KN_FIELD_TAG, "A tag that the unit has meanwhile."),
    KN_DEF_F_PART(order_def, needs, "kn_tag_requirement",
        "Tags that the unit must have, or must not have, at the start."),
    KN_DEF_F_REF(order_def, when, KN_DEF_CONDITION,
        "A condition that must hold at the start; its instigator is the unit."),
    KN_DEF_F_PART(order_def, patience, "kn_magnitude",
        "Seconds after which it is given up; its source is the unit; default 0: never."),
    KN_DEF_F_KIND(
        order_def, next, "order", "The order that follows by itself, on the same target."),
    KN_DEF_F(order_def, insists, KN_FIELD_BOOL,
        "Only an order that insists may replace it; default false."),
    KN_DEF_F(order_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table order_table = {"order_def", sizeof(order_def), order_fields,
    sizeof(order_fields) / sizeof(*order_fields), order_init};

static kn_result order_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const order_def *def = item;
    (void)user;
    (void)library;
    if (def->next.index1 != 0 && def->ability.index1 == 0) {
        (void)snprintf(error->message, sizeof(error->message),
            "order `%s` has no ability, so it is never done and nothing follows it; leave out "
            "`next`",
            def->name);
        return KN_ERROR_BAD_DATA;
    }
    return KN_OK;
}

kn_result order_register(kn_library *library, const order_def *def, order_id *id, kn_error *error)
{
    return kn_def_register(library, kit_of(library)->order.kind, def, &id->index1, error);
}

order_id order_find(const kn_library *library, const char *name)
{
    return (order_id){kn_def_find(library, kit_of(library)->order.kind, name)};
}

const order_def *order_get(const kn_library *library, order_id id)
{
    return kn_def_get(library, kit_of(library)->order.kind, id.index1);
}

// Events --------------------------------------------------------------------------

typedef struct order_started {
    kn_entity_id target;
    order_id order;
    uint32_t waiting; // orders behind it
} order_started;

typedef struct order_ended {
    kn_entity_id target;
    kn_time took;
    order_id order;
    order_outcome outcome;
} order_ended;

typedef struct order_refused {
    kn_entity_id target;
    order_id order;
    order_refusal refusal;
    uint32_t reasons; // kn_fail bits of its ability
    uint32_t unused;
} order_refused;

static const kn_field order_started_fields[] = {
    KN_FIELD(order_started, target, KN_FIELD_ENTITY),
    KN_FIELD_TO(order_started, order, "order"),
    KN_FIELD(order_started, waiting, KN_FIELD_U32),
};
static const kn_field order_ended_fields[] = {
    KN_FIELD(order_ended, target, KN_FIELD_ENTITY),
    KN_FIELD(order_ended, took, KN_FIELD_TIME),
    KN_FIELD_TO(order_ended, order, "order"),
    {.name = "outcome",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(order_ended, outcome),
        .refers_to = "order_outcome"},
};
static const kn_field order_refused_fields[] = {
    KN_FIELD(order_refused, target, KN_FIELD_ENTITY),
    KN_FIELD_TO(order_refused, order, "order"),
    {.name = "refusal",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(order_refused, refusal),
        .refers_to = "order_refusal"},
    KN_FIELD(order_refused, reasons, KN_FIELD_U32),
    KN_FIELD(order_refused, unused, KN_FIELD_U32),
};

static const order_ids *ids_of(const kn_world *world)
{
    return &kit_of(kn_world_library(world))->order;
}

static void refused_publish(
    kn_world *world, kn_entity_id unit, order_item item, order_refusal refusal, uint32_t reasons)
{
    order_refused event = {item.target, item.order, refusal, reasons, 0};
    (void)kn_world_publish(world, unit, ids_of(world)->refused, &event);
}

// Looking -------------------------------------------------------------------------

bool orders_read(const kn_world *world, kn_entity_id unit, orders_info *info)
{
    kn_component_type_id type = ids_of(world)->orders;
    const orders *own = kn_component_read(world, type, unit);
    uint32_t waiting = 0;
    if (own == NULL) {
        return false;
    }
    (void)kn_component_read_items(world, type, unit, &waiting);
    *info = (orders_info){
        own->current, own->target, own->activation, own->since, waiting, own->done, own->refused};
    return true;
}

uint32_t orders_against(const kn_world *world, kn_entity_id target)
{
    return kn_component_referrers(world, ids_of(world)->orders, REFERENCE_TARGET, target, NULL, 0);
}

// The end of an order -------------------------------------------------------------------

// Ends the current order, and with it what it has brought along.
static void order_end(kn_world *world, kn_entity_id unit, order_outcome outcome)
{
    const order_ids *ids = ids_of(world);
    orders *own = kn_component_get(world, ids->orders, unit);
    if (own == NULL || own->current.index1 == 0) {
        return;
    }
    // It is over before anything else happens: the rule about abilities finds nothing of it.
    orders before = *own;
    *own = (orders){.done = before.done + (outcome == ORDER_DONE), .refused = before.refused};
    (void)kn_timer_cancel(world, before.patience);
    if (before.held.index1 != 0) {
        (void)kn_entity_remove_tag(world, unit, before.held, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
    if (before.effect.index1 != 0) {
        (void)kn_effect_remove(world, before.effect, 1, KN_REMOVED_BY_CALL);
    }
    order_ended event = {
        before.target, kn_world_now(world) - before.since, before.current, outcome};
    (void)kn_world_publish(world, unit, ids->ended, &event);
    if (kn_activation_is_alive(world, before.activation)) {
        kn_cancel cancel = kn_cancel_default();
        cancel.reason = ids->end_reasons[outcome];
        cancel.instigator = unit;
        (void)kn_activation_cancel_with(world, before.activation, &cancel);
    }
}

// The begin of an order -------------------------------------------------------------------

static bool is_there(const kn_world *world, kn_entity_id entity)
{
    return kn_entity_is_alive(world, entity) && !kn_entity_is_dying(world, entity);
}

static order_refusal order_test(
    const kn_world *world, kn_entity_id unit, const order_def *def, kn_entity_id target)
{
    if (def->aim != ORDER_AIM_NONE && !is_there(world, target)) {
        return ORDER_REFUSED_TARGET;
    }
    if (!kn_tag_requirement_is_empty(&def->needs) && !kn_entity_meets(world, unit, &def->needs)) {
        return ORDER_REFUSED_NEEDS;
    }
    if (def->when.index1 != 0) {
        kn_event_record record = kn_event_record_default();
        record.instigator = unit;
        record.target = def->aim != ORDER_AIM_NONE ? target : unit;
        if (!kn_condition_holds(world, def->when, &record)) {
            return ORDER_REFUSED_CONDITION;
        }
    }
    return ORDER_REFUSED_NONE;
}

// The unit becomes busy: what the order brings along, but for its ability.
static void order_take_up(kn_world *world, kn_entity_id unit, const order_def *def)
{
    const order_ids *ids = ids_of(world);
    kn_effect_id effect = {0};
    kn_timer_id patience = {0};
    kn_tag held = {0};
    float seconds = 0.0f;
    kn_entity_id target = ((const orders *)kn_component_read(world, ids->orders, unit))->target;
    if (def->tag.index1 != 0 &&
        kn_entity_add_tag(world, unit, def->tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1) == KN_OK) {
        held = def->tag;
    }
    if (def->effect.index1 != 0) {
        (void)kn_effect_apply_simple(world, def->effect, unit, unit, 1.0f, &effect);
    }
    if (kn_magnitude_evaluate(world, &def->patience, unit, target, 1.0f, &seconds) == KN_OK &&
        seconds > 0.0f) {
        kn_result result = kn_timer_start(
            world, ids->patience, unit, kn_time_from_seconds((double)seconds), NULL, &patience);
        (void)result; // without memory the world is broken anyway
    }
    orders *own = kn_component_get(world, ids->orders, unit);
    own->effect = effect;
    own->patience = patience;
    own->held = held;
}

// Begins an order of an idle unit. False if it is refused.
static bool order_begin_ability(
    kn_world *world, kn_entity_id unit, const order_def *def, order_item item)
{
    const order_ids *ids = ids_of(world);
    orders *own = kn_component_get(world, ids->orders, unit);
    own->current = item.order; // before the check: abilities may need an order
    own->target = item.target;
    own->since = kn_world_now(world);
    kn_ability_query query = kn_ability_query_default();
    query.type = def->ability;
    kn_ability_id ability = {0};
    kn_event_record event = kn_event_record_default();
    event.instigator = unit;
    event.target = item.target;
    if (def->ability.index1 != 0) {
        uint32_t found = kn_abilities_find(world, unit, &query, &ability, 1);
        uint32_t reasons =
            found == 0 ? (uint32_t)KN_FAIL_STALE : kn_ability_check(world, ability, &event);
        if (reasons != 0) {
            own = kn_component_get(world, ids->orders, unit);
            *own = (orders){.done = own->done, .refused = own->refused + 1};
            refused_publish(world, unit, item, ORDER_REFUSED_ABILITY, reasons);
            return false;
        }
    }
    order_take_up(world, unit, def);
    order_started started = {item.target, item.order, 0};
    (void)kn_component_read_items(world, ids->orders, unit, &started.waiting);
    (void)kn_world_publish(world, unit, ids->started, &started);
    if (def->ability.index1 != 0) {
        kn_activation_id activation;
        if (kn_ability_activate(world, ability, &event, &activation) != KN_OK) {
            order_end(world, unit, ORDER_FAILED);
            return false;
        }
        own = kn_component_get(world, ids->orders, unit);
        own->activation = activation; // may be over: the rule about it comes after this
    }
    return true;
}

static bool order_begin(kn_world *world, kn_entity_id unit, order_item item)
{
    const order_ids *ids = ids_of(world);
    const order_def *def = order_get(kn_world_library(world), item.order);
    kn_cause_link link = {.type = ids->cause,
        .entity = unit,
        .def_kind = (uint32_t)ids->kind,
        .def1 = item.order.index1};
    kn_cause previous;
    if (def == NULL) {
        return false; // a script may have added an item that names nothing
    }
    order_refusal refusal = order_test(world, unit, def, item.target);
    if (refusal == ORDER_REFUSED_NONE && kn_cause_open(world, &link, &previous) != KN_OK) {
        refusal = ORDER_REFUSED_CHAIN;
    }
    if (refusal != ORDER_REFUSED_NONE) {
        ((orders *)kn_component_get(world, ids->orders, unit))->refused++;
        refused_publish(world, unit, item, refusal, 0);
        return false;
    }
    bool has_begun = order_begin_ability(world, unit, def, item);
    kn_cause_close(world, previous);
    return has_begun;
}

// Begins the next order of an idle unit; those that are refused are dropped.
static void orders_next(kn_world *world, kn_entity_id unit)
{
    kn_component_type_id type = ids_of(world)->orders;
    for (;;) {
        const orders *own = kn_component_read(world, type, unit);
        uint32_t count = 0;
        order_item *items = kn_component_items(world, type, unit, &count);
        if (own == NULL || own->current.index1 != 0 || count == 0) {
            return;
        }
        order_item first = items[0];
        memmove(&items[0], &items[1], (count - 1) * sizeof(*items));
        (void)kn_component_resize(world, type, unit, count - 1);
        (void)order_begin(world, unit, first);
    }
}

// Begins the next order in a moment, by a timer: orders that follow each other would otherwise be
// one chain of causes, which the world cuts when it gets too long.
static void orders_later(kn_world *world, kn_entity_id unit)
{
    kn_result result = kn_timer_start(world, ids_of(world)->next, unit, 0, NULL, NULL);
    (void)result; // a unit that is gone has no orders
}

static kn_time order_next_timer(void *user, kn_world *world, kn_entity_id unit, void *data)
{
    (void)user;
    (void)data;
    orders_next(world, unit);
    return 0;
}

// Giving orders ---------------------------------------------------------------------------

static bool order_put(kn_world *world, kn_entity_id unit, order_item item, bool first)
{
    kn_component_type_id type = ids_of(world)->orders;
    uint32_t count = 0;
    (void)kn_component_read_items(world, type, unit, &count);
    order_item *items = kn_component_resize(world, type, unit, count + 1);
    if (items == NULL) {
        return false;
    }
    uint32_t at = first ? 0 : count;
    memmove(&items[at + 1], &items[at], (count - at) * sizeof(*items));
    items[at] = item;
    return true;
}

// Why an order cannot be given; KN_OK if it can.
static kn_result order_may_issue(const kn_world *world, kn_entity_id unit, order_item item,
    order_place place, order_refusal *refusal)
{
    const kn_library *library = kn_world_library(world);
    const order_def *def = order_get(library, item.order);
    orders_info info = {0};
    *refusal = ORDER_REFUSED_NONE;
    if ((uint32_t)place > ORDER_NEXT) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (def == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (def->aim != ORDER_AIM_NONE && !is_there(world, item.target)) {
        *refusal = ORDER_REFUSED_TARGET;
        return KN_REFUSED_STALE_ID;
    }
    if (def->aim == ORDER_AIM_UNIT && kn_entity_id_equal(unit, item.target)) {
        *refusal = ORDER_REFUSED_TARGET;
        return KN_REFUSED_REQUIREMENT;
    }
    if (!orders_read(world, unit, &info)) {
        return KN_OK;
    }
    const order_def *current = order_get(library, info.current);
    if (place == ORDER_NOW && current != NULL && current->insists && !def->insists) {
        *refusal = ORDER_REFUSED_INSISTS;
        return KN_REFUSED_BLOCKED;
    }
    if (place != ORDER_NOW && info.waiting >= ORDERS_MAX) {
        *refusal = ORDER_REFUSED_FULL;
        return KN_REFUSED_LIMIT;
    }
    return KN_OK;
}

typedef struct issue_call {
    kn_entity_id unit;
    order_item item;
    order_place place;
} issue_call;

static kn_result order_issue_call(void *user, kn_world *world)
{
    const issue_call *call = user;
    kn_component_type_id type = ids_of(world)->orders;
    order_refusal refusal;
    if (!is_there(world, call->unit)) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = order_may_issue(world, call->unit, call->item, call->place, &refusal);
    if (refusal != ORDER_REFUSED_NONE) {
        refused_publish(world, call->unit, call->item, refusal, 0);
    }
    if (result != KN_OK) {
        return result;
    }
    if (kn_component_add(world, type, call->unit) == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (call->place == ORDER_NOW) {
        (void)kn_component_resize(world, type, call->unit, 0);
        order_end(world, call->unit, ORDER_REPLACED);
    }
    if (!order_put(world, call->unit, call->item, call->place == ORDER_NEXT)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    orders_next(world, call->unit);
    return KN_OK;
}

// As one operation: rules about what happens on the way wait until the order has begun.
kn_result order_issue(
    kn_world *world, kn_entity_id unit, order_id order, kn_entity_id target, order_place place)
{
    issue_call call = {unit, {target, order, 0}, place};
    return kn_world_call(world, order_issue_call, &call);
}

typedef struct clear_call {
    kn_entity_id unit;
    bool keep_current;
} clear_call;

static kn_result orders_clear_call(void *user, kn_world *world)
{
    const clear_call *call = user;
    (void)kn_component_resize(world, ids_of(world)->orders, call->unit, 0);
    if (!call->keep_current) {
        order_end(world, call->unit, ORDER_CLEARED);
    }
    return KN_OK;
}

void orders_clear(kn_world *world, kn_entity_id unit, bool keep_current)
{
    clear_call call = {unit, keep_current};
    (void)kn_world_call(world, orders_clear_call, &call);
}

static kn_result order_command_run(void *user, kn_world *world, const kn_command *command)
{
    const order_command *payload = command->payload;
    (void)user;
    return order_issue(world, command->entity, payload->order, payload->target, payload->place);
}

static kn_result clear_command_run(void *user, kn_world *world, const kn_command *command)
{
    const clear_command *payload = command->payload;
    (void)user;
    if (kn_component_read(world, ids_of(world)->orders, command->entity) == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    orders_clear(world, command->entity, payload->keep_current != 0);
    return KN_OK;
}

// Rules -----------------------------------------------------------------------------------

// An ability ended: perhaps that of an order.
static void order_ability_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const orders *own = kn_component_read(world, ids_of(world)->orders, reaction->entity);
    (void)user;
    if (own == NULL || own->current.index1 == 0 ||
        !kn_activation_id_equal(own->activation, reaction->activation)) {
        return;
    }
    bool is_done = reaction->end_reason == KN_ENDED_DONE;
    const order_def *def = order_get(kn_world_library(world), own->current);
    order_item next = {own->target, def->next, 0};
    order_end(world, reaction->entity, is_done ? ORDER_DONE : ORDER_FAILED);
    if (is_done && next.order.index1 != 0) {
        (void)order_put(world, reaction->entity, next, true);
    }
    orders_later(world, reaction->entity);
}

#define FOUND_MAX 16

// An entity is about to go: whoever acts on it does something else.
static void order_target_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    kn_component_type_id type = ids_of(world)->orders;
    kn_component_referrer found[FOUND_MAX];
    uint32_t count;
    (void)user;
    orders_clear(world, reaction->entity, false); // its own orders are over, too
    do {
        count = kn_component_referrers(
            world, type, REFERENCE_TARGET, reaction->entity, found, FOUND_MAX);
        for (uint32_t i = 0; i < count && i < FOUND_MAX; i++) {
            order_end(world, found[i].entity, ORDER_TARGET_GONE);
            orders_later(world, found[i].entity);
        }
    } while (count > FOUND_MAX);
}

static kn_time order_patience_timer(void *user, kn_world *world, kn_entity_id unit, void *data)
{
    const orders *own = kn_component_read(world, ids_of(world)->orders, unit);
    (void)user;
    (void)data;
    if (own != NULL && kn_timer_id_equal(own->patience, kn_timer_firing(world))) {
        order_end(world, unit, ORDER_GIVEN_UP);
        orders_later(world, unit);
    }
    return 0;
}

// Abilities with the tag Kit.Ordered need an order.
static bool order_ability_check(const kn_ability_call *call, const kn_event_record *event)
{
    const kn_world *world = call->world;
    kn_ability_info ability;
    orders_info info = {0};
    (void)event;
    if (orders_read(world, call->owner, &info) && info.current.index1 != 0 &&
        kn_ability_get(world, call->ability, &ability) &&
        kn_ability_type_id_equal(
            order_get(kn_world_library(world), info.current)->ability, ability.type)) {
        return true;
    }
    kn_refusal_line line = {.reason = ids_of(world)->without_order, .have = (float)info.waiting};
    kn_check_refuse(call->answer, &line);
    return false;
}

// Registration ------------------------------------------------------------------------

static kn_result order_enums_register(kn_library *library, kn_error *error)
{
    const struct {
        const char *name;
        const char *const *words;
        uint32_t count;
    } enums[] = {
        {"order_aim", order_aim_words, 3},
        {"order_place", order_place_words, 3},
        {"order_refusal", order_refusal_words, 8},
        {"order_outcome", order_outcome_words, 6},
    };
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < sizeof(enums) / sizeof(*enums); i++) {
        result = kn_enum_register(library, enums[i].name, enums[i].words, enums[i].count, error);
    }
    return result;
}

static kn_result order_events_register(kn_library *library, order_ids *ids, kn_error *error)
{
    const struct {
        const char *name, *text;
        uint32_t size;
        const kn_field *fields;
        uint32_t field_count;
        kn_custom_event_id *id;
    } events[] = {
        {"OrderStarted", "begins the order {order}", sizeof(order_started), order_started_fields, 3,
            &ids->started},
        {"OrderEnded", "ends the order {order}: {outcome}", sizeof(order_ended), order_ended_fields,
            4, &ids->ended},
        {"OrderRefused", "refuses the order {order}: {refusal}", sizeof(order_refused),
            order_refused_fields, 5, &ids->refused},
    };
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < sizeof(events) / sizeof(*events); i++) {
        kn_custom_event_def def = kn_custom_event_def_default();
        def.name = events[i].name;
        def.text = events[i].text;
        def.size = events[i].size;
        def.fields = events[i].fields;
        def.field_count = events[i].field_count;
        result = kn_custom_event_register(library, &def, events[i].id, error);
    }
    return result;
}

static const kn_field order_command_fields[] = {
    KN_FIELD(order_command, target, KN_FIELD_ENTITY),
    KN_FIELD_TO(order_command, order, "order"),
    {.name = "place",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(order_command, place),
        .refers_to = "order_place"},
};
static const kn_field clear_command_fields[] = {
    KN_FIELD(clear_command, keep_current, KN_FIELD_U32),
};

static kn_result order_commands_register(kn_library *library, order_ids *ids, kn_error *error)
{
    kn_command_def def = kn_command_def_default();
    def.name = "order";
    def.size = sizeof(order_command);
    def.fields = order_command_fields;
    def.field_count = 3;
    def.function = order_command_run;
    kn_result result = kn_command_register(library, &def, &ids->order_command, error);
    def.name = "clear_orders";
    def.size = sizeof(clear_command);
    def.fields = clear_command_fields;
    def.field_count = 1;
    def.function = clear_command_run;
    return result != KN_OK ? result
                           : kn_command_register(library, &def, &ids->clear_command, error);
}

static kn_result order_reasons_register(kn_library *library, order_ids *ids, kn_error *error)
{
    static const struct {
        order_outcome outcome;
        const char *name;
    } reasons[] = {
        {ORDER_REPLACED, "order_replaced"},
        {ORDER_CLEARED, "order_cleared"},
        {ORDER_GIVEN_UP, "order_given_up"},
        {ORDER_TARGET_GONE, "order_target_gone"},
    };
    kn_fail_def fail = kn_fail_def_default();
    fail.name = "without_order";
    fail.text = "needs an order ({have} wait)";
    kn_result result = kn_fail_register(library, &fail, &ids->without_order, error);
    ids->end_reasons[ORDER_DONE] = ids->end_reasons[ORDER_FAILED] = KN_ENDED_CANCELLED;
    for (size_t i = 0; result == KN_OK && i < sizeof(reasons) / sizeof(*reasons); i++) {
        kn_end_reason_def def = kn_end_reason_def_default();
        def.name = reasons[i].name;
        result =
            kn_end_reason_register(library, &def, &ids->end_reasons[reasons[i].outcome], error);
    }
    return result;
}

static kn_result order_rules_register(kn_library *library, order_ids *ids, kn_error *error)
{
    static const char *const tag_name = "Kit.Ordered";
    kn_tag ordered;
    kn_tag_query query = {0};
    kn_rule_id rule;
    kn_check_id check;
    kn_rule_def ended = kn_rule_def_default();
    ended.name = "Kit.OrderAbility";
    ended.trigger = KN_TRIGGER_ABILITY_ENDED;
    ended.function = order_ability_rule;
    kn_rule_def gone = kn_rule_def_default();
    gone.name = "Kit.OrderTarget";
    gone.trigger = KN_TRIGGER_ENTITY_DESTROYED;
    gone.function = order_target_rule;
    kn_check_def check_def = kn_check_def_default();
    check_def.name = "Kit.Ordered";
    check_def.check = order_ability_check;
    check_def.tags = &query;
    kn_result result = kn_tag_register_module(library, "Kit", &tag_name, 1, &ordered, error);
    if (result == KN_OK) {
        kn_tag_query_begin(&query, KN_QUERY_ANY_TAGS);
        kn_tag_query_tag(&query, ordered);
        kn_tag_query_end(&query);
        result = kn_check_register(library, &check_def, &check, error);
    }
    if (result == KN_OK) {
        result = kn_rule_register(library, &ended, &rule, error);
    }
    if (result == KN_OK) {
        result = kn_rule_register(library, &gone, &rule, error);
    }
    if (result == KN_OK) {
        result = kn_timer_type_register(
            library, "Kit.OrderPatience", order_patience_timer, NULL, &ids->patience, error);
    }
    if (result == KN_OK) {
        result = kn_timer_type_register(
            library, "Kit.OrderNext", order_next_timer, NULL, &ids->next, error);
    }
    return result;
}

kn_result order_part_register(kn_library *library, kit *own, kn_error *error)
{
    order_ids *ids = &own->order;
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "order";
    kind.section = "orders";
    kind.table = &order_table;
    kind.text = "What units can be ordered to do.";
    kind.check = order_check;
    kn_component_def component = kn_component_def_default();
    component.name = "Kit.Orders";
    component.size = sizeof(orders);
    component.fields = orders_fields;
    component.field_count = 9;
    component.item_size = sizeof(order_item);
    component.item_fields = order_item_fields;
    component.item_field_count = 3;
    component.references = orders_references;
    component.reference_count = 2;
    kn_result result = order_enums_register(library, error);
    result = result != KN_OK ? result : kn_kind_register(library, &kind, &ids->kind, error);
    result =
        result != KN_OK ? result : kn_component_register(library, &component, &ids->orders, error);
    result = result != KN_OK ? result
                             : kn_cause_type_register(
                                   library, "order", "order {def} of {entity}", &ids->cause, error);
    result = result != KN_OK ? result : order_events_register(library, ids, error);
    result = result != KN_OK ? result : order_commands_register(library, ids, error);
    result = result != KN_OK ? result : order_reasons_register(library, ids, error);
    return result != KN_OK ? result : order_rules_register(library, ids, error);
}
