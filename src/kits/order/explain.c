// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a unit obeys an order or does not, as text. All of it only reads.

#include "parts.h"

#include <float.h>
#include <math.h>

#define NEAREST_MAX 5 // entities that are looked at one by one

float knc_order_radius(
    const kn_world *world, const kn_order *order, kn_entity_id unit, float radius)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    const kn_unit_type_def *own = kit != NULL ? kn_def_get(kn_world_library(world), kit->unit_kind,
                                                    kn_unit_get_type(world, unit).index1)
                                              : NULL;
    if (radius >= 0.0f || def == NULL) {
        return radius;
    }
    return knc_order_acquisition(world, def, own, unit, order);
}

// Words ---------------------------------------------------------------------------------

void knc_order_name(
    kn_text *out, const kn_world *world, kn_entity_id entity, kn_order_name_fn *name, void *user)
{
    char text[128] = "";
    if (name == NULL) {
        kn_text_add(out, "entity %u", entity.index1);
        return;
    }
    name(user, world, entity, text, sizeof(text));
    text[sizeof(text) - 1] = 0;
    kn_text_add(out, "%s", text);
}

// What an explanation is about, and where it goes.
typedef struct talk {
    const kn_world *world;
    const order_kit *kit;
    kn_entity_id unit;
    kn_order_name_fn *name;
    void *user;
    kn_text *out;
} talk;

static void entity_add(const talk *t, kn_entity_id entity)
{
    knc_order_name(t->out, t->world, entity, t->name, t->user);
}

static void number_add(const talk *t, float number)
{
    char text[48];
    (void)kn_float_print(number, text, sizeof(text));
    kn_text_add(t->out, "%s", text);
}

static void default_name(
    void *user, const kn_world *world, kn_entity_id entity, char *text, uint32_t size)
{
    (void)user;
    (void)world;
    kn_text out = kn_text_begin(text, size);
    kn_text_add(&out, "entity %u", entity.index1);
}

static void order_add(const talk *t, const kn_order *order)
{
    char text[512];
    (void)kn_order_print(
        t->world, order, t->name != NULL ? t->name : default_name, t->user, text, sizeof(text));
    kn_text_add(t->out, "%s", text);
}

static void tag_add(const talk *t, kn_tag tag)
{
    kn_text_add(t->out, "%s", kn_tag_name(kn_world_library(t->world), tag));
}

// Reasons -------------------------------------------------------------------------------

// Reasons of one party: its name, what it lacks, what it has. A line for each with `before` in
// front, or all of them behind each other.
static void tags_add(
    const talk *t, const kn_order_errors *errors, kn_entity_id who, const char *before)
{
    for (uint32_t i = 0; i < errors->missing_count; i++) {
        kn_text_add(t->out, "%s", before);
        entity_add(t, who);
        kn_text_add(t->out, " lacks ");
        tag_add(t, errors->missing[i]);
        kn_text_add(t->out, "\n");
    }
    for (uint32_t i = 0; i < errors->blocking_count; i++) {
        kn_text_add(t->out, "%s", before);
        entity_add(t, who);
        kn_text_add(t->out, " has ");
        tag_add(t, errors->blocking[i]);
        kn_text_add(t->out, ", which blocks it\n");
    }
}

// Asks a hook that may refuse, whatever else is against the order.
static bool hook_add(const talk *t, const char *word, const kn_hook *hook, const kn_order *order,
    const kn_order_target *target, const char *before)
{
    kn_order_call call = {.order = *order};
    if (target != NULL) {
        call.target = *target;
    }
    if (hook->function == NULL || kn_hook_read(t->world, t->kit->type_kind, order->type.index1,
                                      hook, t->unit, &call) == KN_OK) {
        return true;
    }
    const char *separator = ": ";
    kn_text_add(t->out, "%sits function `%s` refuses", before, word);
    for (uint32_t i = 0; i < COUNT(call.errors); i++) {
        if (call.errors[i].index1 != 0) {
            kn_text_add(t->out, "%s", separator);
            tag_add(t, call.errors[i]);
            separator = ", ";
        }
    }
    kn_text_add(t->out, "%s\n", separator[0] == ':' ? " without a reason" : "");
    return false;
}

// What other parts of the game have against it.
static bool gates_add(const talk *t, const kn_order *order, const char *before)
{
    kn_order_errors errors = {0};
    const bool agrees = knc_order_gates_agree(t->world, t->kit, order, t->unit, &errors);
    for (uint32_t i = 0; i < errors.missing_count; i++) {
        kn_text_add(t->out, "%sit needs ", before);
        tag_add(t, errors.missing[i]);
        kn_text_add(t->out, "\n");
    }
    for (uint32_t i = 0; i < errors.blocking_count; i++) {
        kn_text_add(t->out, "%sit is blocked by ", before);
        tag_add(t, errors.blocking[i]);
        kn_text_add(t->out, "\n");
    }
    for (uint32_t i = 0; i < errors.other_count; i++) {
        kn_text_add(t->out, "%sit is refused: ", before);
        tag_add(t, errors.others[i]);
        kn_text_add(t->out, "\n");
    }
    return agrees;
}

// Everything that is against a unit obeying at all; true for nothing.
static bool source_add(
    const talk *t, const kn_order_type_def *def, const kn_order *order, const char *before)
{
    kn_order_errors errors = {0};
    bool holds = knc_order_source_holds(t->world, def, t->unit, &errors);
    tags_add(t, &errors, t->unit, before);
    kn_order question = kn_order_of(order->type);
    question.index = order->index;
    holds = gates_add(t, &question, before) && holds;
    return hook_add(t, "can_obey", &def->can_obey, &question, NULL, before) && holds;
}

// Everything that is against a target; true for nothing.
static bool target_add(const talk *t, const kn_order_type_def *def, const kn_order *order,
    const kn_order_target *target, const char *before)
{
    kn_order_errors errors = {0};
    bool needs_entity = kn_order_get_target_kind(t->world, order->type, t->unit, order->index) ==
                        KN_ORDER_TARGET_ENTITY;
    if (needs_entity && target->entity.index1 == 0) {
        kn_text_add(t->out, "%sit has no target%s\n", before,
            order->target.index1 != 0 ? ": that is gone" : "");
        return false;
    }
    bool holds = knc_order_target_holds(t->world, &def->tags, target, &errors);
    tags_add(t, &errors, target->entity, before);
    kn_order question = kn_order_on(order->type, target->entity);
    question.index = order->index;
    return hook_add(t, "is_valid_target", &def->is_valid_target, &question, target, before) &&
           holds;
}

// Targets -------------------------------------------------------------------------------

typedef struct near_entity {
    kn_entity_id entity;
    float distance;
} near_entity;

// The nearest entities around a unit, itself left out. A space may show one twice.
typedef struct near_list {
    kn_entity_id unit;
    kn_vec3 at;
    float radius;
    uint32_t count, total;
    near_entity items[NEAREST_MAX];
} near_list;

static bool near_look(void *user, const kn_world *world, kn_entity_id entity)
{
    near_list *list = user;
    float distance = knc_order_distance(knc_order_position(world, entity), list->at);
    uint32_t at = 0;
    if (kn_entity_id_equal(entity, list->unit) || distance > list->radius) {
        return false;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (kn_entity_id_equal(list->items[i].entity, entity)) {
            return false;
        }
    }
    list->total++;
    while (at < list->count && (list->items[at].distance < distance ||
                                   (list->items[at].distance == distance &&
                                       list->items[at].entity.index1 < entity.index1))) {
        at++;
    }
    list->count += list->count < NEAREST_MAX;
    for (uint32_t i = list->count; at < list->count && --i > at;) {
        list->items[i] = list->items[i - 1];
    }
    if (at < list->count) {
        list->items[at] = (near_entity){entity, distance};
    }
    return false;
}

// How far a unit looks, and how far targets may be from its home.
typedef struct sight {
    float radius, chase;
    kn_vec3 home;
} sight;

static sight sight_of(const talk *t, const kn_order *order)
{
    const kn_unit_type_def *own = kn_def_get(
        kn_world_library(t->world), t->kit->unit_kind, kn_unit_get_type(t->world, t->unit).index1);
    kn_unit_info info = {0};
    (void)kn_unit_get_info(t->world, t->unit, &info);
    return (sight){
        knc_order_radius(t->world, order, t->unit, -1.0f),
        own != NULL && own->leash > 0.0f ? own->leash : FLT_MAX,
        info.interrupts ? info.returns_to : info.home,
    };
}

static void candidates_add(const talk *t, const kn_order_type_def *def, const kn_order *order,
    const sight *s, const char *before)
{
    near_list list = {.unit = t->unit, .radius = s->radius};
    char deep[32];
    kn_text indent = kn_text_begin(deep, sizeof(deep));
    kn_text_add(&indent, "%s    ", before);
    if (!kn_space_position(kn_world_space(t->world), t->world, t->unit, &list.at)) {
        kn_text_add(t->out, "%s  nothing is found: the unit has no position\n", before);
        return;
    }
    const kn_sphere around = {list.at, s->radius};
    kn_space_filter filter = kn_space_filter_default();
    filter.accept = near_look;
    filter.user = &list;
    (void)kn_space_sphere(kn_world_space(t->world), t->world, &around, &filter, NULL, 0);
    for (uint32_t i = 0; i < list.count; i++) {
        kn_entity_id entity = list.items[i].entity;
        kn_vec3 there = knc_order_position(t->world, entity);
        kn_order_target target = kn_order_look(t->world, t->unit, entity, there);
        float from_home = knc_order_distance(there, s->home);
        kn_text_add(t->out, "%s  ", before);
        entity_add(t, entity);
        kn_text_add(t->out, ", ");
        number_add(t, list.items[i].distance);
        kn_text_add(t->out, " away:\n");
        (void)target_add(t, def, order, &target, deep);
        if (from_home > s->chase) {
            kn_text_add(t->out, "%sit is ", deep);
            number_add(t, from_home);
            kn_text_add(t->out, " from the home of the unit, whose leash is ");
            number_add(t, s->chase);
            kn_text_add(t->out, "\n");
        }
    }
    if (list.total > list.count) {
        kn_text_add(t->out, "%s  and others further away\n", before);
    }
}

// The best target, or why there is none.
static void search_add(
    const talk *t, const kn_order_type_def *def, const kn_order *order, const char *before)
{
    const sight s = sight_of(t, order);
    float score;
    if (!(s.radius > 0.0f)) {
        kn_text_add(t->out, "%sit looks for no target: the acquisition radius is 0\n", before);
        return;
    }
    kn_entity_id best = kn_order_find_target(
        t->world, order->type, t->unit, order->index, s.radius, s.chase, s.home, &score);
    if (best.index1 != 0) {
        kn_text_add(t->out, "%sthe best target within ", before);
        number_add(t, s.radius);
        kn_text_add(t->out, " is ");
        entity_add(t, best);
        kn_text_add(t->out, ", with a score of ");
        number_add(t, score);
        kn_text_add(t->out, "\n");
        return;
    }
    kn_text_add(t->out, "%snobody within ", before);
    number_add(t, s.radius);
    kn_text_add(t->out, " is accepted\n");
    candidates_add(t, def, order, &s, before);
}

// One order -------------------------------------------------------------------------------

static void range_add(const talk *t, const kn_order *order)
{
    kn_order_target target = knc_order_target_of(t->world, t->unit, order);
    kn_vec3 at;
    if ((target.entity.index1 == 0 && order->uses_location == 0) ||
        !kn_space_position(kn_world_space(t->world), t->world, t->unit, &at)) {
        return;
    }
    float range = kn_order_get_range(t->world, order->type, t->unit, order->index);
    float distance = knc_order_distance(at, target.location);
    kn_text_add(t->out, "  the target is ");
    number_add(t, distance);
    kn_text_add(t->out, " away, and the range is ");
    number_add(t, range);
    kn_text_add(t->out, "%s\n", distance <= range ? "" : ": the unit has to come nearer");
}

// What would become of an order that is accepted.
static void place_add(const talk *t, const kn_order_type_def *def, const kn_order *order)
{
    kn_unit_info info;
    (void)kn_unit_get_info(t->world, t->unit, &info);
    const kn_unit_type_def *own =
        kn_def_get(kn_world_library(t->world), t->kit->unit_kind, info.type.index1);
    bool is_instant =
        kn_order_get_policy(t->world, order->type, t->unit, order->index) == KN_ORDER_INSTANT;
    bool is_held = info.current.type.index1 != 0 && !def->pierces && !is_instant &&
                   kn_order_get_policy(t->world, info.current.type, t->unit, info.current.index) ==
                       KN_ORDER_UNCANCELABLE;
    if (is_instant) {
        kn_text_add(t->out, "  it is carried out at once, beside the current order\n");
    } else if (kn_order_equal(&info.current, order)) {
        kn_text_add(t->out, "  the unit does this already\n");
    } else if (is_held) {
        kn_text_add(t->out, "  it would wait behind ");
        order_add(t, &info.current);
        kn_text_add(t->out, ", which cannot be cancelled\n");
    } else {
        kn_text_add(t->out, "  it would replace ");
        order_add(t, &info.current);
        kn_text_add(t->out, "\n");
    }
    if (own != NULL && own->queue_limit != 0 && info.queue_count >= own->queue_limit) {
        kn_text_add(t->out, "  the queue is full: %u orders wait\n", info.queue_count);
    }
}

typedef enum auto_detail {
    AUTO_WHOLE,
    AUTO_BRIEF, // what is against it was said before
} auto_detail;
static void auto_add(
    const talk *t, const kn_order_auto_info *info, bool is_open, auto_detail detail);
static bool gate_add(const talk *t);

// Whether the unit would give it to itself.
static void itself_add(const talk *t, kn_order_type_id type, auto_detail detail)
{
    kn_order_auto_info autos[KN_ORDER_AUTOS_MAX + KN_ORDER_PROVIDE_MAX];
    uint32_t count = kn_order_autos(t->world, t->unit, autos, COUNT(autos));
    for (uint32_t i = 0; i < count && i < COUNT(autos); i++) {
        if (autos[i].order.type.index1 == type.index1) {
            auto_add(t, &autos[i], gate_add(t), detail);
        }
    }
}

static void fallback_add(const talk *t, const kn_order *order)
{
    kn_order resolved;
    if (kn_order_resolve(t->world, t->unit, order, &resolved)) {
        kn_text_add(t->out, "  instead of it, this could be given: ");
        order_add(t, &resolved);
        kn_text_add(t->out, "\n");
    }
}

static bool talk_begin(talk *t, const kn_world *world, kn_entity_id unit, kn_order_name_fn *name,
    void *user, kn_text *out)
{
    *t = (talk){world, knc_order_kit_of_world(world), unit, name, user, out};
    return t->kit != NULL;
}

uint32_t kn_order_explain(const kn_world *world, kn_entity_id unit, const kn_order *order,
    kn_order_name_fn *name, void *user, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    talk t;
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    if (!talk_begin(&t, world, unit, name, user, &out) || def == NULL) {
        return 0;
    }
    entity_add(&t, unit);
    if (!kn_entity_is_alive(world, unit) || kn_unit_get_type(world, unit).index1 == 0) {
        kn_text_add(&out, " does not obey orders: it is not a unit%s\n",
            kn_entity_is_alive(world, unit) ? "" : " any more");
        return out.length;
    }
    kn_order_target target = knc_order_target_of(world, unit, order);
    bool is_aimed =
        kn_order_get_target_kind(world, order->type, unit, order->index) == KN_ORDER_TARGET_ENTITY;
    bool is_searched = is_aimed && order->target.index1 == 0;
    bool is_possible = is_searched ? kn_order_can_obey(world, order->type, unit, order->index, NULL)
                                   : kn_order_check(world, unit, order, NULL);
    const sight far = sight_of(&t, order);
    bool is_found = !is_searched || kn_order_find_target(world, order->type, unit, order->index,
                                        far.radius, far.chase, far.home, NULL)
                                            .index1 != 0;
    kn_text_add(&out, !is_possible ? " does not obey "
                      : is_found   ? " can obey "
                                   : " finds no target for ");
    order_add(&t, order);
    kn_text_add(&out, "\n");
    (void)source_add(&t, def, order, "  ");
    if (is_searched) {
        search_add(&t, def, order, "  ");
    } else {
        (void)target_add(&t, def, order, &target, "  ");
        range_add(&t, order);
    }
    if (is_possible && !is_searched) {
        place_add(&t, def, order);
    } else if (!is_possible) {
        fallback_add(&t, order);
    }
    itself_add(&t, order->type, is_searched ? AUTO_BRIEF : AUTO_WHOLE);
    return out.length;
}

// Automatic orders ---------------------------------------------------------------------------

// Whether the current order lets others in.
static bool gate_add(const talk *t)
{
    kn_unit_info info;
    (void)kn_unit_get_info(t->world, t->unit, &info);
    const kn_order_type_def *current = knc_order_type_of(t->world, info.current.type);
    const kn_unit_type_def *own =
        kn_def_get(kn_world_library(t->world), t->kit->unit_kind, info.type.index1);
    bool is_open = current == NULL || current->allows_auto;
    if (!is_open) {
        kn_text_add(
            t->out, "  the current order %s does not allow automatic orders\n", current->name);
    }
    if (own != NULL && own->auto_interval == 0) {
        kn_text_add(t->out, "  the unit looks for something to do only when the host asks\n");
    }
    return is_open;
}

static void auto_add(
    const talk *t, const kn_order_auto_info *info, bool is_open, auto_detail detail)
{
    const kn_order_type_def *def = knc_order_type_of(t->world, info->order.type);
    kn_order order = kn_order_of(info->order.type), aimed;
    order.index = info->order.index;
    bool is_of_ai = knc_order_is_ai(t->world, t->unit);
    bool is_active = is_of_ai ? info->is_for_ai : info->is_for_players && info->is_on;
    kn_text_add(t->out, "  automatic order ");
    order_add(t, &order);
    if (!is_active) {
        kn_text_add(t->out, is_of_ai                ? ": not for units of the AI\n"
                            : !info->is_for_players ? ": not for units of players\n"
                                                    : ": switched off\n");
        return;
    }
    if (knc_order_auto_aim(t->world, t->unit, &info->order, &aimed)) {
        kn_text_add(t->out, is_open ? ": it would be given, at " : ": it would be aimed at ");
        if (aimed.target.index1 != 0) {
            entity_add(t, aimed.target);
        } else {
            kn_text_add(t->out, "nothing");
        }
        kn_text_add(t->out, "\n");
        return;
    }
    kn_text_add(t->out, ": switched on, but it would not be given\n");
    if (detail == AUTO_BRIEF || !source_add(t, def, &order, "    ")) {
        return;
    }
    switch (kn_order_get_target_kind(t->world, order.type, t->unit, order.index)) {
    case KN_ORDER_TARGET_NONE:
        kn_text_add(t->out, "    no enemy is near\n");
        return;
    case KN_ORDER_TARGET_PASSIVE:
        kn_text_add(t->out, "    it is never given\n");
        return;
    default:
        search_add(t, def, &order, "    ");
    }
}

uint32_t kn_order_explain_autos(const kn_world *world, kn_entity_id unit, kn_order_name_fn *name,
    void *user, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    talk t;
    kn_order_auto_info autos[KN_ORDER_AUTOS_MAX + KN_ORDER_PROVIDE_MAX];
    if (!talk_begin(&t, world, unit, name, user, &out) ||
        kn_unit_get_type(world, unit).index1 == 0) {
        return 0;
    }
    uint32_t count = kn_order_autos(world, unit, autos, COUNT(autos));
    bool is_of_ai = knc_order_is_ai(world, unit);
    entity_add(&t, unit);
    kn_text_add(&out, " is played by %s, and has %u automatic %s\n",
        is_of_ai ? "the AI" : "a player", count, count == 1 ? "order" : "orders");
    bool is_open = count == 0 || gate_add(&t);
    for (uint32_t i = 0; i < count && i < COUNT(autos); i++) {
        auto_add(&t, &autos[i], is_open, AUTO_WHOLE);
    }
    return out.length;
}

// Units ---------------------------------------------------------------------------------------

static void orders_add(const talk *t, const char *word, const kn_order *orders, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kn_text_add(t->out, "  %s: ", word);
        order_add(t, &orders[i]);
        kn_text_add(t->out, "\n");
    }
}

#define PRINT_MAX 32 // orders that are printed

static void list_add(const talk *t, const char *word,
    uint32_t (*list)(const kn_world *, kn_entity_id, kn_order *, uint32_t))
{
    kn_order orders[PRINT_MAX];
    uint32_t count = list(t->world, t->unit, orders, PRINT_MAX);
    orders_add(t, word, orders, count < PRINT_MAX ? count : PRINT_MAX);
    if (count > PRINT_MAX) {
        kn_text_add(t->out, "  and %u more\n", count - PRINT_MAX);
    }
}

uint32_t kn_unit_print(const kn_world *world, kn_entity_id unit, kn_order_name_fn *name, void *user,
    char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    talk t;
    kn_unit_info info;
    kn_order_auto_info autos[KN_ORDER_AUTOS_MAX + KN_ORDER_PROVIDE_MAX];
    if (!talk_begin(&t, world, unit, name, user, &out) || !kn_unit_get_info(world, unit, &info)) {
        return 0;
    }
    const kn_unit_type_def *own =
        kn_def_get(kn_world_library(world), t.kit->unit_kind, info.type.index1);
    kn_text_add(&out, "%s%s\n", own != NULL ? own->name : "", info.is_idle ? ", idle" : "");
    if (info.current.type.index1 != 0) {
        orders_add(&t, info.interrupts ? "current, in between" : "current", &info.current, 1);
    }
    list_add(&t, "queued", kn_unit_queue);
    list_add(&t, "remembered", kn_unit_work);
    uint32_t count = kn_order_autos(world, unit, autos, COUNT(autos));
    for (uint32_t i = 0; i < count && i < COUNT(autos); i++) {
        kn_order order = kn_order_of(autos[i].order.type);
        order.index = autos[i].order.index;
        kn_text_add(&out, "  automatic: ");
        order_add(&t, &order);
        kn_text_add(&out, "%s%s\n",
            !autos[i].is_for_players ? ""
            : autos[i].is_on         ? ", on"
                                     : ", off",
            autos[i].is_for_ai ? ", for the AI" : "");
    }
    return out.length;
}
