// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about units, their orders, automatic orders, groups and relations.

#include "script_part.h"

#include <float.h>

// The first argument of an order among those of ARGS_ORDER, as a bit of kn_function_call.given.
#define ORDER_BIT 1
#define LOCATION_BIT (ORDER_BIT + 2)

static const char *const outcome_words[KN_ORDER_OUTCOME_COUNT] = {
    "obeyed", "waits", "is_same", "deferred", "not_taken"};
static const char *const result_words[KN_ORDER_RESULT_COUNT] = {"succeeded", "failed", "canceled"};

static void args_init(void *arguments)
{
    script_args *a = arguments;
    a->index = -1;
    a->number = -1.0f;
    a->flag = true;
}

kn_result knc_order_functions_register(
    kn_library *library, const script_function *functions, uint32_t count, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < count; i++) {
        const script_function *f = &functions[i];
        kn_def_table table = {
            "arguments", sizeof(script_args), f->fields, f->field_count, args_init};
        kn_function_def def = kn_function_def_default();
        def.name = f->name;
        def.text = f->text;
        def.arguments = &table;
        def.required = f->required;
        def.results = f->results;
        def.form = f->form;
        def.flags = f->flags;
        def.function = f->function;
        result = kn_function_register(library, &def, error);
    }
    return result;
}

static kn_order order_of(const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_order order = kn_order_on(a->order, a->target);
    order.index = a->index;
    if ((call->given >> LOCATION_BIT & 1) != 0) {
        kn_order_set_location(&order, a->location);
    }
    return order;
}

// Giving orders -----------------------------------------------------------------

typedef struct outcome_result {
    uint32_t outcome;
} outcome_result;

static const kn_def_field outcome_fields[] = {
    KN_DEF_F_ENUM(outcome_result, outcome, outcome_words, "What became of the order."),
};
static const kn_def_table outcome_table =
    FIELD_TABLE("order_outcome", outcome_result, outcome_fields);

typedef kn_result give_fn(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer);

static kn_result order_give(give_fn *give, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    outcome_result *r = call->results;
    kn_order order = order_of(call);
    kn_order_answer said = {0};
    kn_result result = give(call->writable, a->entity, &order, &said);
    r->outcome = (uint32_t)said.outcome;
    return result;
}

static kn_result order_issue(void *user, const kn_function_call *call)
{
    (void)user;
    return order_give(kn_order_issue, call);
}

static kn_result order_enqueue(void *user, const kn_function_call *call)
{
    (void)user;
    return order_give(kn_order_enqueue, call);
}

static kn_result order_insert_after(void *user, const kn_function_call *call)
{
    (void)user;
    return order_give(kn_order_insert_after, call);
}

static kn_result order_insert_before(void *user, const kn_function_call *call)
{
    (void)user;
    return order_give(kn_order_insert_before, call);
}

static kn_result order_clear(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_order_clear_queue(call->writable, a->entity);
}

static kn_result order_end(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    kn_unit_info info;
    uint32_t ticket = a->ticket;
    if ((call->given >> 2 & 1) == 0 && kn_unit_get_info(call->world, a->entity, &info)) {
        ticket = info.ticket;
    }
    return kn_order_end(call->writable, a->entity, ticket, (kn_order_result)a->word);
}

static kn_result order_resume(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_order_resume_work(call->writable, a->entity);
}

static kn_result order_retarget(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_order_retarget(call->writable, a->entity, a->target, call->results);
}

static kn_result unit_add(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_unit_add(call->writable, a->entity, a->unit);
}

static kn_result unit_remove(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_unit_remove(call->writable, a->entity);
}

static const kn_def_field self_args[] = {ARG_ENTITY};
static const kn_def_field give_args[] = {ARG_ENTITY, ARGS_ORDER};
static const kn_def_field end_args[] = {ARG_ENTITY,
    ARG_WORD("result", result_words, "How it ended; default succeeded."),
    ARG("ticket", ticket, KN_FIELD_U32,
        "The order that is meant, as `execute` and `current_order` give it; default the current "
        "one.")};
static const kn_def_field to_args[] = {
    ARG_ENTITY, ARG("to", target, KN_FIELD_ENTITY, "The entity that takes its place.")};
static const kn_def_field unit_args[] = {
    ARG_ENTITY, ARG_DEF("unit", unit, "order unit", "The type of unit.")};
ONE_RESULT(units, uint32_t, KN_FIELD_U32);

// Looking at units ----------------------------------------------------------------

typedef struct order_result {
    kn_order order;
    bool has_location;
} order_result;

static order_result order_result_of(const kn_order *order)
{
    return (order_result){*order, order->uses_location != 0};
}

#define ORDER_FIELD(name_, member, kind_, text_)                                                   \
    {                                                                                              \
        name_, (uint8_t)(kind_), 0, (uint32_t)offsetof(order_result, member), 1, 0, NULL, NULL,    \
            NULL, text_                                                                            \
    }
#define ORDER_RESULT_FIELDS                                                                        \
    {"order", KN_DEF_FIELD_REF, 0, (uint32_t)offsetof(order_result, order.type), 1, 0, NULL, NULL, \
        "order type", "What to do; nil for none."},                                                \
        ORDER_FIELD("index", order.index, KN_FIELD_I32, "Variant of the order; -1 for none."),     \
        ORDER_FIELD("target", order.target, KN_FIELD_ENTITY, "The entity it is aimed at."),        \
        ORDER_FIELD(                                                                               \
            "location", order.location, KN_FIELD_VEC3, "The point it is aimed at; nil for none."), \
        ORDER_FIELD("has_location", has_location, KN_FIELD_BOOL, "It is aimed at a point.")

static const kn_def_field order_result_fields[] = {ORDER_RESULT_FIELDS};
static const kn_def_table order_result_table =
    FIELD_TABLE("order", order_result, order_result_fields);

typedef struct current_result {
    order_result order;
    kn_vec3 home;
    uint32_t ticket, queue_count;
    bool is_idle, interrupts;
} current_result;

static const kn_def_field current_fields[] = {
    ORDER_RESULT_FIELDS,
    KN_DEF_F(current_result, home, KN_FIELD_VEC3, "Where the unit belongs meanwhile."),
    KN_DEF_F(current_result, ticket, KN_FIELD_U32, "What `end_order` needs."),
    KN_DEF_F(current_result, queue_count, KN_FIELD_U32, "Orders that wait."),
    KN_DEF_F(current_result, is_idle, KN_FIELD_BOOL,
        "It is the stop order of the unit, or there is none."),
    KN_DEF_F(
        current_result, interrupts, KN_FIELD_BOOL, "It has interrupted the order that comes next."),
};
static const kn_def_table current_table =
    FIELD_TABLE("current_order", current_result, current_fields);

static kn_result order_current(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    current_result *r = call->results;
    kn_unit_info info;
    (void)user;
    if (!kn_unit_get_info(call->world, a->entity, &info)) {
        return KN_REFUSED_NOT_FOUND;
    }
    r->order = order_result_of(&info.current);
    r->home = info.home;
    r->ticket = info.ticket;
    r->queue_count = info.queue_count;
    r->is_idle = info.is_idle;
    r->interrupts = info.interrupts;
    return KN_OK;
}

static kn_result order_last(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    order_result *r = call->results;
    kn_unit_info info;
    (void)user;
    if (!kn_unit_get_info(call->world, a->entity, &info) || info.last.type.index1 == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    *r = order_result_of(&info.last);
    return KN_OK;
}

typedef uint32_t orders_fn(
    const kn_world *world, kn_entity_id unit, kn_order *out, uint32_t capacity);

#define LIST_MAX 256 // orders that a list of a script has

static kn_result orders_list(orders_fn *list, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_order orders[LIST_MAX];
    uint32_t count = list(call->world, a->entity, orders, LIST_MAX);
    for (uint32_t i = 0; i < count && i < LIST_MAX; i++) {
        order_result r = order_result_of(&orders[i]);
        kn_function_add(call, &r);
    }
    return KN_OK;
}

static kn_result order_queue(void *user, const kn_function_call *call)
{
    (void)user;
    return orders_list(kn_unit_queue, call);
}

static kn_result order_work(void *user, const kn_function_call *call)
{
    (void)user;
    return orders_list(kn_unit_work, call);
}

typedef struct unit_result {
    kn_unit_type_id unit;
} unit_result;

static const kn_def_field unit_result_fields[] = {
    KN_DEF_F_KIND(unit_result, unit, "order unit", "Its type; nil for entities that do not obey."),
};
static const kn_def_table unit_result_table =
    FIELD_TABLE("unit_result", unit_result, unit_result_fields);

static kn_result unit_type(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    unit_result *r = call->results;
    (void)user;
    r->unit = kn_unit_get_type(call->world, a->entity);
    return KN_OK;
}

// Checks ----------------------------------------------------------------------------

// Results may point to tags, which are kept beside them.
typedef struct check_result {
    bool is_possible;
    kn_tags missing, blocking, reasons;
    kn_order_errors errors;
} check_result;

static const kn_def_field check_fields[] = {
    KN_DEF_F(check_result, is_possible, KN_FIELD_BOOL, "Whether it can be done now."),
    KN_DEF_F(check_result, missing, KN_DEF_FIELD_TAGS, "Required tags that are missing."),
    KN_DEF_F(check_result, blocking, KN_DEF_FIELD_TAGS, "Blocked tags that are there."),
    KN_DEF_F(check_result, reasons, KN_DEF_FIELD_TAGS, "Everything else that is against it."),
};
static const kn_def_table check_table = FIELD_TABLE("order_check", check_result, check_fields);

static kn_result check_end(check_result *r, bool is_possible)
{
    r->is_possible = is_possible;
    r->missing = (kn_tags){r->errors.missing, r->errors.missing_count};
    r->blocking = (kn_tags){r->errors.blocking, r->errors.blocking_count};
    r->reasons = (kn_tags){r->errors.others, r->errors.other_count};
    return KN_OK;
}

static kn_result order_can_obey(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    check_result *r = call->results;
    (void)user;
    return check_end(r, kn_order_can_obey(call->world, a->order, a->entity, a->index, &r->errors));
}

static kn_result order_check(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    check_result *r = call->results;
    kn_order order = order_of(call);
    (void)user;
    return check_end(r, kn_order_check(call->world, a->entity, &order, &r->errors));
}

static kn_result order_resolve(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    order_result *r = call->results;
    kn_order order = order_of(call), resolved;
    (void)user;
    if (!kn_order_resolve(call->world, a->entity, &order, &resolved)) {
        return KN_REFUSED_NOT_FOUND;
    }
    *r = order_result_of(&resolved);
    return KN_OK;
}

typedef struct target_result {
    kn_entity_id target;
    float score;
} target_result;

static const kn_def_field target_fields[] = {
    KN_DEF_F(target_result, target, KN_FIELD_ENTITY, "The best target; nil for none."),
    KN_DEF_F(target_result, score, KN_FIELD_F32, "How good it is."),
};
static const kn_def_table target_table = FIELD_TABLE("order_target", target_result, target_fields);

static kn_result order_find_target(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    target_result *r = call->results;
    kn_vec3 home = a->location;
    kn_order order = kn_order_of(a->order);
    order.index = a->index;
    (void)user;
    if ((call->given >> 5 & 1) == 0) {
        home = knc_order_position(call->world, a->entity);
    }
    r->target = kn_order_find_target(call->world, a->order, a->entity, a->index,
        knc_order_radius(call->world, &order, a->entity, a->number),
        a->chase > 0.0f ? a->chase : FLT_MAX, home, &r->score);
    return KN_OK;
}

static kn_result order_score(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_order order = kn_order_on(a->order, a->target);
    order.index = a->index;
    kn_order_target target = knc_order_target_of(call->world, a->entity, &order);
    float *score = call->results;
    (void)user;
    *score = kn_order_score(call->world, a->order, a->entity, &target, a->index,
        knc_order_radius(call->world, &order, a->entity, a->number));
    return KN_OK;
}

static kn_result order_range(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    float *range = call->results;
    (void)user;
    *range = kn_order_get_range(call->world, a->order, a->entity, a->index);
    return KN_OK;
}

static const kn_def_field type_args[] = {ARG_ENTITY,
    ARG_DEF("order", order, "order type", "The order type."),
    ARG("index", index, KN_FIELD_I32, "Its variant; default -1: none.")};
#define ARG_RADIUS                                                                                 \
    ARG("radius", number, KN_FIELD_F32, "How far away it may be; default as for automatic orders.")
static const kn_def_field find_args[] = {ARG_ENTITY,
    ARG_DEF("order", order, "order type", "The order type."), ARG_RADIUS,
    ARG("index", index, KN_FIELD_I32, "Its variant; default -1: none."),
    ARG("chase", chase, KN_FIELD_F32, "How far it may be from `home`; default 0: any distance."),
    ARG("home", location, KN_FIELD_VEC3, "A point; default where the unit is.")};
static const kn_def_field score_args[] = {ARG_ENTITY,
    ARG_DEF("order", order, "order type", "The order type."),
    ARG("target", target, KN_FIELD_ENTITY, "The target."), ARG_RADIUS,
    ARG("index", index, KN_FIELD_I32, "Its variant; default -1: none.")};
ONE_RESULT(range, float, KN_FIELD_F32);
ONE_RESULT(score, float, KN_FIELD_F32);

// Automatic orders --------------------------------------------------------------------

static const kn_def_field auto_fields[] = {
    {"order", KN_DEF_FIELD_REF, 0, (uint32_t)offsetof(kn_order_auto_info, order.type), 1, 0, NULL,
        NULL, "order type", "The order type."},
    {"index", KN_FIELD_I32, 0, (uint32_t)offsetof(kn_order_auto_info, order.index), 1, 0, NULL,
        NULL, NULL, "Its variant; -1 for none."},
    {"priority", KN_FIELD_I32, 0, (uint32_t)offsetof(kn_order_auto_info, order.priority), 1, 0,
        NULL, NULL, NULL, "Those with higher ones come first, if the unit ranks them."},
    KN_DEF_F(kn_order_auto_info, is_for_players, KN_FIELD_BOOL, "Players may switch it."),
    KN_DEF_F(kn_order_auto_info, is_for_ai, KN_FIELD_BOOL, "Units of the AI do it always."),
    KN_DEF_F(kn_order_auto_info, is_on, KN_FIELD_BOOL, "A player has it on."),
};
static const kn_def_table auto_table = FIELD_TABLE("auto_order", kn_order_auto_info, auto_fields);

static kn_result autos_list(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_order_auto_info autos[KN_ORDER_AUTOS_MAX + KN_ORDER_PROVIDE_MAX];
    uint32_t count = kn_order_autos(call->world, a->entity, autos, COUNT(autos));
    (void)user;
    for (uint32_t i = 0; i < count && i < COUNT(autos); i++) {
        kn_function_add(call, &autos[i]);
    }
    return KN_OK;
}

static kn_result auto_set(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_order_set_auto(call->writable, a->entity, a->order, a->index, a->flag);
}

static kn_result autos_refresh(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_order_refresh_autos(call->writable, a->entity);
}

static kn_result autos_check(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_order_check_autos(call->writable, a->entity, call->results);
}

static const kn_def_field auto_args[] = {ARG_ENTITY,
    ARG_DEF("order", order, "order type", "The order type."),
    ARG("is_on", flag, KN_FIELD_BOOL, "Whether the unit does it by itself; default true."),
    ARG("index", index, KN_FIELD_I32, "Its variant; default -1: none.")};
ONE_RESULT(found, bool, KN_FIELD_BOOL);

// Groups ------------------------------------------------------------------------------

static kn_result group_issue(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_order_group_def def = kn_order_group_def_default();
    kn_order order = order_of(call);
    uint32_t part[KN_FUNCTION_ENTITIES_MAX];
    (void)user;
    def.units = a->units;
    def.unit_count = a->unit_count;
    def.enqueues = (call->given >> 5 & 1) != 0 && a->flag;
    if (a->count > 0 && a->count < a->unit_count && a->count <= COUNT(part)) {
        for (uint32_t i = 0; i < a->count; i++) {
            part[i] = i;
        }
        def.sub_group = part;
        def.sub_group_count = a->count;
    }
    return kn_order_issue_group(call->writable, &def, &order, call->results);
}

static const kn_def_field id_fields[] = {
    {"id", KN_FIELD_ENTITY, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
static const kn_def_table id_table = FIELD_TABLE("ids", kn_entity_id, id_fields);
static const kn_def_field group_args[] = {
    {"units", KN_DEF_FIELD_ARRAY, 0, (uint32_t)offsetof(script_args, units), 1,
        (uint32_t)offsetof(script_args, unit_count), &id_table, NULL, NULL,
        "The group; the first one stands for it."},
    ARGS_ORDER,
    ARG("enqueues", flag, KN_FIELD_BOOL,
        "They obey when all other orders are done; default false."),
    ARG("sub_group", count, KN_FIELD_U32,
        "How many units, from the first on, are the active part of the group; default 0: all.")};
ONE_RESULT(given, uint32_t, KN_FIELD_U32);

// Relations -----------------------------------------------------------------------------

typedef struct relation_result {
    bool is_friendly, is_hostile, is_neutral, is_self, is_visible;
} relation_result;

static const kn_def_field relation_fields[] = {
    KN_DEF_F(relation_result, is_friendly, KN_FIELD_BOOL, "They are on one side."),
    KN_DEF_F(relation_result, is_hostile, KN_FIELD_BOOL, "They are enemies."),
    KN_DEF_F(relation_result, is_neutral, KN_FIELD_BOOL, "Neither."),
    KN_DEF_F(relation_result, is_self, KN_FIELD_BOOL, "They are the same."),
    KN_DEF_F(relation_result, is_visible, KN_FIELD_BOOL, "The first one sees the other."),
};
static const kn_def_table relation_table =
    FIELD_TABLE("order_relation", relation_result, relation_fields);

static kn_result relation_get(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    relation_result *r = call->results;
    uint32_t relation = kn_order_get_relation(call->world, a->entity, a->target);
    (void)user;
    *r = (relation_result){
        (relation & KN_ORDER_FRIENDLY) != 0,
        (relation & KN_ORDER_HOSTILE) != 0,
        (relation & KN_ORDER_NEUTRAL) != 0,
        (relation & KN_ORDER_SELF) != 0,
        (relation & KN_ORDER_VISIBLE) != 0,
    };
    return KN_OK;
}

static kn_result relation_changed(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_order_relation_changed(call->writable, a->entity, a->target);
}

static kn_result enemy_is_near(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    bool *found = call->results;
    (void)user;
    *found = kn_order_enemy_is_near(call->world, a->entity, a->number);
    return KN_OK;
}

static const kn_def_field other_args[] = {
    ARG_ENTITY, ARG("other", target, KN_FIELD_ENTITY, "The other entity.")};
static const kn_def_field radius_args[] = {
    ARG_ENTITY, ARG("radius", number, KN_FIELD_F32, "How far away it may be.")};

// All of them -----------------------------------------------------------------------------

kn_result knc_order_script_register(kn_library *library, kn_error *error)
{
    static const script_function functions[] = {
        {"entity:issue_order", order_issue, ARGS(give_args), 2, &outcome_table, KN_FUNCTION_VALUES,
            CHANGES, "Replaces all orders of a unit. See kn_order_issue()."},
        {"entity:enqueue_order", order_enqueue, ARGS(give_args), 2, &outcome_table,
            KN_FUNCTION_VALUES, CHANGES, "Gives an order for when all others are done."},
        {"entity:insert_order_after", order_insert_after, ARGS(give_args), 2, &outcome_table,
            KN_FUNCTION_VALUES, CHANGES, "Gives an order for when the current one is done."},
        {"entity:insert_order_before", order_insert_before, ARGS(give_args), 2, &outcome_table,
            KN_FUNCTION_VALUES, CHANGES,
            "Interrupts the current order, which is obeyed again afterwards."},
        {"entity:clear_order_queue", order_clear, ARGS(self_args), 1, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Empties the queue; the current order goes on."},
        {"entity:end_order", order_end, ARGS(end_args), 1, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Ends the current order. An old ticket is refused."},
        {"entity:resume_work", order_resume, ARGS(self_args), 1, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Goes back to the work that the unit remembers."},
        {"entity:retarget_orders", order_retarget, ARGS(to_args), 2, &units_result,
            KN_FUNCTION_VALUES, CHANGES,
            "Aims all orders at the entity at another one that takes its place; how many units it "
            "concerned."},
        {"entity:make_unit", unit_add, ARGS(unit_args), 2, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Lets an entity obey orders; it begins with its stop order."},
        {"entity:remove_unit", unit_remove, ARGS(self_args), 1, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Takes all orders away from an entity, which obeys no more."},
        {"entity:unit_type", unit_type, ARGS(self_args), 1, &unit_result_table, KN_FUNCTION_VALUES,
            0, "The type of a unit."},
        {"entity:current_order", order_current, ARGS(self_args), 1, &current_table,
            KN_FUNCTION_TABLE, REFUSES, "The current order of a unit."},
        {"entity:last_order", order_last, ARGS(self_args), 1, &order_result_table,
            KN_FUNCTION_TABLE, REFUSES, "The order before the current one."},
        {"entity:order_queue", order_queue, ARGS(self_args), 1, &order_result_table,
            KN_FUNCTION_LIST, 0, "The orders that wait, the next one first; at most 256."},
        {"entity:remembered_work", order_work, ARGS(self_args), 1, &order_result_table,
            KN_FUNCTION_LIST, 0, "The work that a unit remembers; at most 256 orders."},
        {"entity:can_obey", order_can_obey, ARGS(type_args), 2, &check_table, KN_FUNCTION_VALUES, 0,
            "Whether a unit may obey orders of a type at all, and all that is against it."},
        {"entity:check_order", order_check, ARGS(give_args), 2, &check_table, KN_FUNCTION_VALUES, 0,
            "Whether a unit could be given an order, and all that is against it."},
        {"entity:resolve_order", order_resolve, ARGS(give_args), 2, &order_result_table,
            KN_FUNCTION_TABLE, REFUSES,
            "The first order of the chain of fallbacks that the unit could be given."},
        {"entity:find_order_target", order_find_target, ARGS(find_args), 2, &target_table,
            KN_FUNCTION_VALUES, 0, "The best target for an order, and how good it is."},
        {"entity:order_score", order_score, ARGS(score_args), 3, &score_result, KN_FUNCTION_VALUES,
            0, "How good a target is, higher is better."},
        {"entity:order_range", order_range, ARGS(type_args), 2, &range_result, KN_FUNCTION_VALUES,
            0, "How near to its target an order is carried out."},
        {"entity:auto_orders", autos_list, ARGS(self_args), 1, &auto_table, KN_FUNCTION_LIST, 0,
            "The automatic orders of a unit."},
        {"entity:set_auto_order", auto_set, ARGS(auto_args), 2, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Switches an automatic order for the player."},
        {"entity:refresh_auto_orders", autos_refresh, ARGS(self_args), 1, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Gathers the automatic orders of a unit again."},
        {"entity:check_auto_orders", autos_check, ARGS(self_args), 1, &found_result,
            KN_FUNCTION_VALUES, CHANGES, "Lets a unit look for something to do now."},
        {"orders.issue_group", group_issue, ARGS(group_args), 2, &given_result, KN_FUNCTION_VALUES,
            CHANGES,
            "Gives an order to those of a group who should get it, each with a point of its own if "
            "the type says so; how many took it."},
        {"entity:relation_to", relation_get, ARGS(other_args), 2, &relation_table,
            KN_FUNCTION_TABLE, 0, "How two entities stand to each other."},
        {"entity:relation_changed", relation_changed, ARGS(other_args), 2, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Tests orders at the other entity again after the relation has changed."},
        {"entity:enemy_is_near", enemy_is_near, ARGS(radius_args), 2, &found_result,
            KN_FUNCTION_VALUES, 0, "Whether a hostile entity is within a radius."},
    };
    return knc_order_functions_register(library, functions, COUNT(functions), error);
}

kn_result knc_order_scripts_register(kn_library *library, order_kit *kit, kn_error *error)
{
    (void)kit;
    kn_result result = knc_order_script_register(library, error);
    return result != KN_OK ? result : knc_tree_script_register(library, error);
}
