// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Whether an order may be given, and how good a target is. All of it only reads.

#include "parts.h"

#include <float.h>
#include <math.h>

// Positions -----------------------------------------------------------------------

kn_vec3 knc_order_position(const kn_world *world, kn_entity_id entity)
{
    kn_vec3 at = {0};
    (void)kn_space_position(kn_world_space(world), world, entity, &at);
    return at;
}

bool knc_order_may_aim(const kn_world *world, kn_entity_id entity)
{
    return kn_entity_is_alive(world, entity) && !kn_entity_is_dying(world, entity);
}

float knc_order_distance(kn_vec3 a, kn_vec3 b)
{
    float x = a.x - b.x, y = a.y - b.y;
    return sqrtf(x * x + y * y);
}

// Relations -------------------------------------------------------------------------

// Without a hook: by their owners, `a` and `b`.
static uint32_t relation_of_owners(
    kn_entity_id from, kn_entity_id a, kn_entity_id to, kn_entity_id b)
{
    if (kn_entity_id_equal(a, to) || kn_entity_id_equal(b, from) ||
        (a.index1 != 0 && kn_entity_id_equal(a, b))) {
        return KN_ORDER_FRIENDLY | KN_ORDER_VISIBLE;
    }
    return (a.index1 != 0 && b.index1 != 0 ? KN_ORDER_HOSTILE : KN_ORDER_NEUTRAL) |
           KN_ORDER_VISIBLE;
}

uint32_t kn_order_get_relation(const kn_world *world, kn_entity_id from, kn_entity_id to)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    if (kit == NULL || !kn_entity_is_alive(world, from) || !kn_entity_is_alive(world, to)) {
        return KN_ORDER_NEUTRAL;
    }
    if (kn_entity_id_equal(from, to)) {
        return KN_ORDER_FRIENDLY | KN_ORDER_SELF | KN_ORDER_VISIBLE;
    }
    kn_order_relation_call call = {.other = to,
        .relation = kit->relation != NULL ? kit->relation(kit->relation_user, world, from, to)
                                          : relation_of_owners(from, kn_entity_owner(world, from),
                                                to, kn_entity_owner(world, to))};
    if (kit->rules->relation.function != NULL) {
        (void)kn_hook_read(world, kit->rules_kind, 1, &kit->rules->relation, from, &call);
    }
    return call.relation & ~(uint32_t)KN_ORDER_SELF;
}

kn_result kn_order_set_relations(kn_library *library, kn_order_relation_fn *function, void *user)
{
    if (library == NULL || !kn_order_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_library_is_finished(library)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    order_kit *kit = knc_order_kit_of(library);
    kit->relation = function;
    kit->relation_user = user;
    return KN_OK;
}

static const struct {
    kn_order_relation flag;
    kit_tag tag;
} relation_tags[] = {
    {KN_ORDER_FRIENDLY, TAG_FRIENDLY},
    {KN_ORDER_HOSTILE, TAG_HOSTILE},
    {KN_ORDER_NEUTRAL, TAG_NEUTRAL},
    {KN_ORDER_SELF, TAG_SELF},
    {KN_ORDER_VISIBLE, TAG_VISIBLE},
};

uint32_t knc_order_relations_with(const kn_library *library, const order_kit *kit, kn_tag tag)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < COUNT(relation_tags); i++) {
        if (kn_tag_matches(library, kit->tags[relation_tags[i].tag], tag)) {
            flags |= (uint32_t)relation_tags[i].flag;
        }
    }
    return flags;
}

// Targets -----------------------------------------------------------------------------

kn_order_target kn_order_look(
    const kn_world *world, kn_entity_id unit, kn_entity_id target, kn_vec3 location)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    kn_order_target seen = {.location = location};
    if (kit == NULL || !knc_order_may_aim(world, target)) {
        return seen;
    }
    seen.entity = target;
    const uint32_t room = KN_ORDER_TARGET_TAGS_MAX - COUNT(relation_tags);
    uint32_t count = kn_entity_tags(world, target, seen.tags, room);
    seen.tag_count = count < room ? count : room;
    uint32_t relation =
        kn_entity_is_alive(world, unit) ? kn_order_get_relation(world, unit, target) : 0;
    for (uint32_t i = 0; i < COUNT(relation_tags); i++) {
        if ((relation & (uint32_t)relation_tags[i].flag) != 0) {
            seen.tags[seen.tag_count++] = kit->tags[relation_tags[i].tag];
        }
    }
    return seen;
}

kn_order_target knc_order_target_of(const kn_world *world, kn_entity_id unit, const kn_order *order)
{
    bool is_where_it_is = order->uses_location == 0 && kn_entity_is_alive(world, order->target);
    return kn_order_look(world, unit, order->target,
        is_where_it_is ? knc_order_position(world, order->target) : order->location);
}

static bool target_has(const kn_library *library, const kn_order_target *target, kn_tag tag)
{
    for (uint32_t i = 0; i < target->tag_count; i++) {
        if (kn_tag_matches(library, target->tags[i], tag)) {
            return true;
        }
    }
    return false;
}

// Tags --------------------------------------------------------------------------------

// Who has tags: an entity as it is, or a target as it was seen.
typedef struct party {
    const kn_world *world;
    kn_entity_id entity;
    const kn_order_target *target; // instead of an entity
} party;

static bool party_has(const party *p, kn_tag tag)
{
    return p->target != NULL ? target_has(kn_world_library(p->world), p->target, tag)
                             : kn_entity_has_tag(p->world, p->entity, tag);
}

// Looks at all of them, so that the caller gets every error.
static bool tags_hold(const party *p, kn_tags required, kn_tags blocked, kn_order_errors *errors)
{
    bool holds = true;
    for (uint32_t i = 0; i < blocked.count; i++) {
        if (party_has(p, blocked.data[i])) {
            knc_order_errors_add_blocking(errors, blocked.data[i]);
            holds = false;
        }
    }
    for (uint32_t i = 0; i < required.count; i++) {
        if (!party_has(p, required.data[i])) {
            knc_order_errors_add_missing(errors, required.data[i]);
            holds = false;
        }
    }
    return holds;
}

// Whether the rules spare a unit questions about its own tags.
static bool is_spared(const kn_world *world, kn_entity_id unit)
{
    return knc_order_kit_of_world(world)->rules->spares_untagged &&
           kn_entity_tags(world, unit, NULL, 0) == 0;
}

static bool source_holds(const kn_world *world, const order_kit *kit, const kn_order_type_def *def,
    kn_entity_id unit, kn_order_errors *errors)
{
    if (is_spared(world, unit)) {
        return true;
    }
    const party p = {.world = world, .entity = unit};
    const kn_tag alive = kit->tags[TAG_ALIVE];
    bool lives =
        !def->needs_life || tags_hold(&p, (kn_tags){&alive, 1}, (kn_tags){NULL, 0}, errors);
    return tags_hold(&p, def->tags.source_required, def->tags.source_blocked, errors) && lives;
}

bool knc_order_source_holds(
    const kn_world *world, const kn_order_type_def *def, kn_entity_id unit, kn_order_errors *errors)
{
    return source_holds(world, knc_order_kit_of_world(world), def, unit, errors);
}

bool knc_order_target_holds(const kn_world *world, const kn_order_tags *tags,
    const kn_order_target *target, kn_order_errors *errors)
{
    const party p = {.world = world, .target = target};
    return tags_hold(&p, tags->target_required, tags->target_blocked, errors);
}

// What `find_tags` adds for a unit, and for a target as it was seen.
static bool found_source_holds(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, bool is_success, kn_order_errors *errors)
{
    const party p = {.world = world, .entity = unit};
    kn_order_tags_call call;
    if (!knc_order_find_tags(world, type, unit, index, is_success, &call) ||
        is_spared(world, unit)) {
        return true;
    }
    const kn_order_tags tags = knc_order_found_tags(&call);
    return tags_hold(&p, tags.source_required, tags.source_blocked, errors);
}

static bool found_target_holds(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, bool is_success, const kn_order_target *target, kn_order_errors *errors)
{
    kn_order_tags_call call;
    if (!knc_order_find_tags(world, type, unit, index, is_success, &call)) {
        return true;
    }
    const kn_order_tags tags = knc_order_found_tags(&call);
    return knc_order_target_holds(world, &tags, target, errors);
}

// The same for an entity as it is now, without a look at all of its tags.
static bool entity_holds(
    const kn_world *world, const type_plan *plan, kn_entity_id entity, uint32_t relation)
{
    const kn_tags required = plan->def->tags.target_required;
    const kn_tags blocked = plan->def->tags.target_blocked;
    const uint8_t *relations = plan->relations;
    for (uint32_t i = 0; i < required.count; i++, relations++) {
        if ((relation & *relations) == 0 && !kn_entity_has_tag(world, entity, required.data[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < blocked.count; i++, relations++) {
        if ((relation & *relations) != 0 || kn_entity_has_tag(world, entity, blocked.data[i])) {
            return false;
        }
    }
    return true;
}

bool knc_order_unit_holds(const kn_world *world, kn_entity_id unit, const kn_order *order)
{
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    return def != NULL && knc_order_source_holds(world, def, unit, NULL);
}

// What `find_tags` said when the current order of a unit began.
static bool kept_tags_hold(const kn_world *world, kn_entity_id unit, const kn_order *order)
{
    kn_order_tags_call call;
    if (!knc_order_tags_kept(world, unit, &call)) {
        return true;
    }
    const party p = {.world = world, .entity = unit};
    const kn_order_tags tags = knc_order_found_tags(&call);
    const kn_order_target target = knc_order_target_of(world, unit, order);
    return (is_spared(world, unit) ||
               tags_hold(&p, tags.source_required, tags.source_blocked, NULL)) &&
           knc_order_target_holds(world, &tags, &target, NULL);
}

bool knc_order_still_holds(
    const kn_world *world, kn_entity_id unit, const kn_order *order, bool is_gone)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const type_plan *plan = knc_order_plan_of(kit, order->type);
    if (plan == NULL || is_gone || !source_holds(world, kit, plan->def, unit, NULL) ||
        !kept_tags_hold(world, unit, order)) {
        return false;
    }
    const kn_order_tags *tags = &plan->def->tags;
    if (tags->target_required.count + tags->target_blocked.count == 0) {
        return true;
    }
    if (!knc_order_may_aim(world, order->target)) {
        const kn_order_target nothing = {0};
        return knc_order_target_holds(world, tags, &nothing, NULL);
    }
    return entity_holds(
        world, plan, order->target, kn_order_get_relation(world, unit, order->target));
}

// Questions about types -----------------------------------------------------------------

static kn_order_call call_of(const kn_order *order, const kn_order_target *target)
{
    kn_order_call call = {.order = *order};
    if (target != NULL) {
        call.target = *target;
    }
    return call;
}

// Asks a hook of an order type; its answers are in the call.
static kn_result ask(
    const kn_world *world, const kn_hook *hook, kn_entity_id unit, kn_order_call *call)
{
    return kn_hook_read(
        world, knc_order_kit_of_world(world)->type_kind, call->order.type.index1, hook, unit, call);
}

static uint32_t ask_number(const kn_world *world, const kn_hook *hook, kn_order_type_id type,
    kn_entity_id unit, int32_t index, uint32_t plain, uint32_t limit)
{
    if (hook->function == NULL) {
        return plain;
    }
    kn_order order = kn_order_of(type);
    order.index = index;
    kn_order_call call = call_of(&order, NULL);
    call.answer = plain;
    (void)ask(world, hook, unit, &call);
    return call.answer < limit ? call.answer : plain;
}

kn_order_target_kind knc_order_target_kind(const kn_world *world, const kn_order_type_def *def,
    kn_order_type_id type, kn_entity_id unit, int32_t index)
{
    return (kn_order_target_kind)ask_number(
        world, &def->find_target_kind, type, unit, index, def->target_kind, KN_ORDER_TARGET_COUNT);
}

kn_order_target_kind kn_order_get_target_kind(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index)
{
    const kn_order_type_def *def = knc_order_type_of(world, type);
    return def == NULL ? KN_ORDER_TARGET_NONE
                       : knc_order_target_kind(world, def, type, unit, index);
}

kn_order_policy kn_order_get_policy(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index)
{
    const kn_order_type_def *def = knc_order_type_of(world, type);
    if (def == NULL) {
        return KN_ORDER_CANCELABLE;
    }
    const kn_order_policy policy = (kn_order_policy)ask_number(
        world, &def->find_policy, type, unit, index, def->policy, KN_ORDER_POLICY_COUNT);
    const kn_ability_type_id ability = knc_order_ability(world, def, type, unit, index);
    if (ability.index1 != 0) {
        return kn_order_ability_policy(
            world, unit, ability, policy, kn_order_get_target_kind(world, type, unit, index));
    }
    return policy == KN_ORDER_UNCANCELABLE_IN_TASKS ? KN_ORDER_CANCELABLE : policy;
}

// Answers a float of a hook; what is not finite counts as the plain one.
static float ask_float(const kn_world *world, const kn_hook *hook, kn_entity_id unit,
    const kn_order *order, const kn_order_target *target, float plain)
{
    if (hook->function == NULL) {
        return plain;
    }
    kn_order_call call = call_of(order, target);
    call.number = plain;
    (void)ask(world, hook, unit, &call);
    return isfinite(call.number) ? call.number : plain;
}

// Asks the hook for a score; false if it refuses the target for searches.
static bool ask_score(const kn_world *world, const kn_hook *hook, kn_entity_id unit,
    const kn_order *order, const kn_order_target *target, float *score)
{
    if (hook->function == NULL) {
        return true;
    }
    kn_order_call call = call_of(order, target);
    call.number = *score;
    const kn_result result = ask(world, hook, unit, &call);
    *score = isfinite(call.number) ? call.number : *score;
    return !kn_result_is_refused(result);
}

float kn_order_get_range(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index)
{
    const kn_order_type_def *def = knc_order_type_of(world, type);
    kn_order order = kn_order_of(type);
    order.index = index;
    if (def == NULL) {
        return 0.0f;
    }
    float range = def->range;
    if (kn_attribute_exists(world, unit, def->range_attribute, 0)) {
        range = kn_attribute_value(world, unit, def->range_attribute);
    }
    range = ask_float(world, &def->find_range, unit, &order, NULL, range);
    return range > 0.0f ? range : 0.0f;
}

// Checks --------------------------------------------------------------------------------

// A hook that may refuse, with its reasons.
static bool hook_agrees(const kn_world *world, const kn_hook *hook, kn_entity_id unit,
    const kn_order *order, const kn_order_target *target, kn_order_errors *errors)
{
    if (hook->function == NULL) {
        return true;
    }
    kn_order_call call = call_of(order, target);
    bool agrees = ask(world, hook, unit, &call) == KN_OK;
    for (uint32_t i = 0; !agrees && i < COUNT(call.errors); i++) {
        if (call.errors[i].index1 != 0) { // scripts need not count them
            kn_order_errors_add(errors, call.errors[i]);
        }
    }
    return agrees;
}

kn_result kn_order_gate_register(kn_library *library, kn_order_gate_fn *function, void *user)
{
    order_kit *kit = knc_order_kit_of(library);
    if (kit == NULL || function == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < kit->gate_count; i++) {
        if (kit->gates[i].function == function && kit->gates[i].user == user) {
            return KN_OK; // finished for a second time
        }
    }
    if (kit->gate_count == KN_ORDER_GATES_MAX) {
        return KN_REFUSED_LIMIT;
    }
    kit->gates[kit->gate_count].function = function;
    kit->gates[kit->gate_count++].user = user;
    return KN_OK;
}

bool knc_order_gates_agree(const kn_world *world, const order_kit *kit, const kn_order *order,
    kn_entity_id unit, kn_order_errors *errors)
{
    bool agrees = true;
    for (uint32_t i = 0; i < kit->gate_count; i++) {
        agrees &= kit->gates[i].function(
            kit->gates[i].user, world, unit, order->type, order->index, errors);
    }
    return agrees;
}

// `with_ability`: the ability of the order must agree, too.
static bool unit_agrees(const kn_world *world, const order_kit *kit, const type_plan *plan,
    const kn_order *order, kn_entity_id unit, bool with_ability, kn_order_errors *errors)
{
    const kn_order_type_def *def = plan->def;
    bool holds = source_holds(world, kit, def, unit, errors); // all reasons at once
    holds = knc_order_gates_agree(world, kit, order, unit, errors) && holds;
    const bool asks = def->find_tags.function != NULL;
    if ((asks && !found_source_holds(world, order->type, unit, order->index, false, errors)) ||
        !holds) {
        return false;
    }
    kn_ability_type_id ability = def->ability;
    if (def->find_variant.function != NULL) {
        kn_order_variant variant;
        if (!kn_order_get_variant(world, order->type, unit, order->index, &variant)) {
            kn_order_errors_add(errors, kit->tags[TAG_NO_ABILITY]);
            return false;
        }
        ability = variant.ability;
    }
    if (with_ability && ability.index1 != 0 &&
        !knc_order_ability_agrees(world, unit, ability, (kn_entity_id){0}, errors)) {
        return false;
    }
    return hook_agrees(world, &def->can_obey, unit, order, NULL, errors);
}

bool knc_order_can_obey(const kn_world *world, const order_kit *kit, const type_plan *plan,
    kn_order_type_id type, kn_entity_id unit, int32_t index, kn_order_errors *errors)
{
    kn_order order = kn_order_of(type);
    order.index = index;
    return unit_agrees(world, kit, plan, &order, unit, true, errors);
}

static bool can_obey(const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index,
    bool with_ability, kn_order_errors *errors)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const type_plan *plan = kit != NULL ? knc_order_plan_of(kit, type) : NULL;
    kn_order order = kn_order_of(type);
    order.index = index;
    return plan != NULL && kn_entity_is_alive(world, unit) &&
           unit_agrees(world, kit, plan, &order, unit, with_ability, errors);
}

bool kn_order_can_obey(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, kn_order_errors *errors)
{
    return can_obey(world, type, unit, index, true, errors);
}

bool kn_order_can_obey_otherwise(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, kn_order_errors *errors)
{
    return can_obey(world, type, unit, index, false, errors);
}

bool kn_order_is_valid_target(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    const kn_order_target *target, int32_t index, kn_order_errors *errors)
{
    const kn_order_type_def *def = knc_order_type_of(world, type);
    if (def == NULL) {
        return false;
    }
    if (kn_order_get_target_kind(world, type, unit, index) == KN_ORDER_TARGET_ENTITY &&
        !knc_order_may_aim(world, target->entity)) {
        kn_order_errors_add(errors, knc_order_kit_of_world(world)->tags[TAG_NO_TARGET]);
        return false;
    }
    bool holds = knc_order_target_holds(world, &def->tags, target, errors); // all reasons at once
    if (!found_target_holds(world, type, unit, index, false, target, errors) || !holds) {
        return false;
    }
    const kn_ability_type_id ability = knc_order_ability(world, def, type, unit, index);
    if (ability.index1 != 0 && target->entity.index1 != 0 && kn_entity_is_alive(world, unit) &&
        !knc_order_ability_agrees(world, unit, ability, target->entity, errors)) {
        return false;
    }
    kn_order order = kn_order_on(type, target->entity);
    order.index = index;
    return hook_agrees(world, &def->is_valid_target, unit, &order, target, errors);
}

bool kn_order_check(
    const kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_errors *errors)
{
    if (!kn_order_can_obey(world, order->type, unit, order->index, errors)) {
        return false;
    }
    kn_order_target target = knc_order_target_of(world, unit, order);
    return kn_order_is_valid_target(world, order->type, unit, &target, order->index, errors);
}

bool kn_order_would_succeed(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, const kn_order_target *target)
{
    return kn_order_variant_would_succeed(world, type, unit, target, -1);
}

bool kn_order_variant_would_succeed(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    const kn_order_target *target, int32_t index)
{
    const kn_order_type_def *def = knc_order_type_of(world, type);
    if (def == NULL || !kn_entity_is_alive(world, unit)) {
        return false;
    }
    const party p = {.world = world, .entity = unit};
    return (is_spared(world, unit) ||
               tags_hold(&p, def->success.source_required, def->success.source_blocked, NULL)) &&
           knc_order_target_holds(world, &def->success, target, NULL) &&
           found_source_holds(world, type, unit, index, true, NULL) &&
           found_target_holds(world, type, unit, index, true, target, NULL);
}

bool kn_order_resolve(
    const kn_world *world, kn_entity_id unit, const kn_order *order, kn_order *resolved)
{
    *resolved = *order;
    // A bound, since fallbacks may name each other in a circle.
    for (uint32_t turn = 0; turn < 64; turn++) {
        const kn_order_type_def *def = knc_order_type_of(world, resolved->type);
        if (def == NULL) {
            break;
        }
        kn_order_target_kind kind =
            kn_order_get_target_kind(world, resolved->type, unit, resolved->index);
        if (kind == KN_ORDER_TARGET_LOCATION && resolved->uses_location == 0 &&
            kn_entity_is_alive(world, resolved->target)) {
            kn_order_set_location(resolved, knc_order_position(world, resolved->target));
            resolved->target = (kn_entity_id){0};
        }
        if (kn_order_check(world, unit, resolved, NULL)) {
            return true;
        }
        kn_order_type_id next = def->fallback;
        *resolved = *order;
        resolved->type = next;
    }
    *resolved = kn_order_default();
    return false;
}

// Scores --------------------------------------------------------------------------------

static float plain_score(float distance, float radius)
{
    if (radius > 0.0f) {
        return 1.0f - fminf(distance / radius, 1.0f);
    }
    return distance <= 0.0f ? 1.0f : 0.0f;
}

float kn_order_score(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    const kn_order_target *target, int32_t index, float radius)
{
    const kn_order_type_def *def = knc_order_type_of(world, type);
    if (def == NULL || !kn_entity_is_alive(world, unit)) {
        return 0.0f;
    }
    float distance = knc_order_distance(knc_order_position(world, unit), target->location);
    float plain = plain_score(distance, radius);
    kn_order order = kn_order_on(type, target->entity);
    order.index = index;
    return ask_float(world, &def->score, unit, &order, target, plain);
}

// A search among those that the space finds. It may see an entity twice, and they may come in any
// order: the best one wins, the first slot of equals.
typedef struct search {
    const order_kit *kit;
    const type_plan *plan;
    const kn_space *space;
    const kn_order *order;
    kn_ability_type_id ability; // that the order uses
    kn_entity_id unit, owner, best, except;
    float radius, chase, score;
    kn_vec3 at, home;
} search;

// As kn_order_get_relation(), for entities that exist; what the unit is is known already.
static uint32_t search_relation(const search *s, const kn_world *world, kn_entity_id entity)
{
    if (s->kit->rules->relation.function != NULL || s->kit->relation != NULL) {
        return kn_order_get_relation(world, s->unit, entity);
    }
    return kn_entity_id_equal(s->unit, entity)
               ? KN_ORDER_FRIENDLY | KN_ORDER_SELF | KN_ORDER_VISIBLE
               : relation_of_owners(s->unit, s->owner, entity, kn_entity_owner(world, entity));
}

// Whether hooks accept an entity, and how good they find it. Only they need to see all of its tags.
static bool search_ask(
    const search *s, const kn_world *world, kn_entity_id entity, kn_vec3 there, float *score)
{
    const kn_order_type_def *def = s->plan->def;
    if (s->ability.index1 != 0 &&
        !knc_order_ability_agrees(world, s->unit, s->ability, entity, NULL)) {
        return false;
    }
    if (def->is_valid_target.function == NULL && def->score.function == NULL &&
        def->find_tags.function == NULL) {
        return true;
    }
    kn_order_target target = kn_order_look(world, s->unit, entity, there);
    kn_order order = kn_order_on(s->order->type, entity);
    order.index = s->order->index;
    return found_target_holds(world, order.type, s->unit, order.index, false, &target, NULL) &&
           hook_agrees(world, &def->is_valid_target, s->unit, &order, &target, NULL) &&
           ask_score(world, &def->score, s->unit, &order, &target, score);
}

static bool search_look(void *user, const kn_world *world, kn_entity_id entity)
{
    search *s = user;
    const kn_order_type_def *def = s->plan->def;
    kn_vec3 there;
    // Tags first: most of those around a unit are not what it looks for.
    if (!knc_order_may_aim(world, entity) || kn_entity_id_equal(entity, s->except) ||
        !entity_holds(world, s->plan, entity, search_relation(s, world, entity))) {
        return false;
    }
    (void)kn_space_position(s->space, world, entity, &there);
    float distance = knc_order_distance(there, s->at);
    if (!(distance <= s->radius) ||
        (s->chase < FLT_MAX && !(knc_order_distance(there, s->home) <= s->chase))) {
        return false;
    }
    float score = plain_score(distance, s->radius);
    bool is_plain = def->is_valid_target.function == NULL && def->score.function == NULL &&
                    def->find_tags.function == NULL && s->ability.index1 == 0;
    if ((is_plain || search_ask(s, world, entity, there, &score)) &&
        (s->best.index1 == 0 || score > s->score ||
            (score == s->score && entity.index1 < s->best.index1))) {
        s->best = entity;
        s->score = score;
    }
    return false;
}

kn_entity_id knc_order_search(const kn_world *world, const order_kit *kit, const type_plan *plan,
    const kn_order *order, kn_entity_id unit, float radius, float chase, kn_vec3 home, float *score)
{
    search s = {.kit = kit,
        .plan = plan,
        .space = kn_world_space(world),
        .order = order,
        .ability = knc_order_ability(world, plan->def, order->type, unit, order->index),
        .unit = unit,
        .owner = kn_entity_owner(world, unit),
        .except = order->target,
        .radius = radius,
        .chase = chase,
        .home = home};
    if (radius >= 0.0f && kn_space_position(s.space, world, unit, &s.at)) {
        const kn_sphere around = {s.at, radius};
        kn_space_filter filter = kn_space_filter_default();
        filter.accept = search_look;
        filter.user = &s;
        (void)kn_space_sphere(s.space, world, &around, &filter, NULL, 0);
    }
    *score = s.score;
    return s.best;
}

kn_entity_id kn_order_find_target(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, float radius, float chase, kn_vec3 home, float *score)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const type_plan *plan = kit != NULL ? knc_order_plan_of(kit, type) : NULL;
    kn_order_target_kind kind = kn_order_get_target_kind(world, type, unit, index);
    kn_entity_id found = {0};
    float ignored;
    score = score != NULL ? score : &ignored;
    *score = 0.0f;
    if (plan != NULL && kind != KN_ORDER_TARGET_NONE && kind != KN_ORDER_TARGET_PASSIVE) {
        kn_order order = kn_order_of(type);
        order.index = index;
        found = knc_order_search(world, kit, plan, &order, unit, radius, chase, home, score);
    }
    return found;
}

kn_entity_id knc_order_find_other(const kn_world *world, kn_entity_id unit, const kn_order *order)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const type_plan *plan = knc_order_plan_of(kit, order->type);
    kn_unit_info info;
    (void)kn_unit_get_info(world, unit, &info);
    const kn_unit_type_def *own = knc_order_unit_of(kit, info.type);
    const float radius = knc_order_acquisition(world, plan->def, own, unit, order);
    const float chase = info.interrupts && own->leash > 0.0f ? own->leash : FLT_MAX;
    float score;
    return radius > 0.0f ? knc_order_search(world, kit, plan, order, unit, radius, chase,
                               info.returns_to, &score)
                         : (kn_entity_id){0};
}

// Those that were looked at, for explanations.
typedef struct candidates {
    kn_order_type_id type;
    kn_entity_id unit;
    int32_t index;
    float radius, chase;
    kn_vec3 at, home;
} candidates;

static bool candidate_look(void *user, const kn_world *world, kn_entity_id entity)
{
    const candidates *s = user;
    kn_vec3 there = knc_order_position(world, entity);
    return knc_order_distance(there, s->at) <= s->radius &&
           knc_order_distance(there, s->home) <= s->chase;
}

static kn_order_candidate candidate_of(
    const kn_world *world, const candidates *s, kn_entity_id entity)
{
    kn_vec3 there = knc_order_position(world, entity);
    kn_order_candidate candidate = {.entity = entity, .distance = knc_order_distance(there, s->at)};
    kn_order_target target = kn_order_look(world, s->unit, entity, there);
    candidate.is_accepted =
        kn_order_is_valid_target(world, s->type, s->unit, &target, s->index, &candidate.errors);
    if (candidate.is_accepted) {
        kn_order order = kn_order_on(s->type, entity);
        order.index = s->index;
        candidate.score = plain_score(candidate.distance, s->radius);
        candidate.is_accepted = ask_score(world, &knc_order_type_of(world, s->type)->score, s->unit,
            &order, &target, &candidate.score);
        candidate.score = candidate.is_accepted ? candidate.score : 0.0f;
    }
    return candidate;
}

uint32_t kn_order_candidates(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, float radius, float chase, kn_vec3 home, kn_order_candidate *out,
    uint32_t capacity)
{
    candidates s = {
        .type = type, .unit = unit, .index = index, .radius = radius, .chase = chase, .home = home};
    kn_order_target_kind kind = kn_order_get_target_kind(world, type, unit, index);
    if (kind == KN_ORDER_TARGET_NONE || kind == KN_ORDER_TARGET_PASSIVE || !(radius >= 0.0f) ||
        !kn_space_position(kn_world_space(world), world, unit, &s.at)) {
        return 0;
    }
    const kn_sphere around = {s.at, radius};
    kn_space_filter filter = kn_space_filter_default();
    filter.accept = candidate_look;
    filter.user = &s;
    const kn_hooks hooks = kn_world_hooks(world);
    const size_t size = capacity * sizeof(kn_entity_id);
    kn_entity_id *found = capacity > 0 ? kn_memory_resize(&hooks, NULL, 0, size) : NULL;
    const uint32_t room = found != NULL ? capacity : 0;
    uint32_t count = kn_space_sphere(kn_world_space(world), world, &around, &filter, found, room);
    for (uint32_t i = 0; i < count && i < room; i++) {
        out[i] = candidate_of(world, &s, found[i]);
    }
    kn_memory_free(&hooks, found, found != NULL ? size : 0);
    return count;
}

static bool enemy_look(void *user, const kn_world *world, kn_entity_id entity)
{
    const search *s = user;
    return (kn_order_get_relation(world, s->unit, entity) & KN_ORDER_HOSTILE) != 0 &&
           knc_order_distance(knc_order_position(world, entity), s->at) <= s->radius;
}

bool kn_order_enemy_is_near(const kn_world *world, kn_entity_id unit, float radius)
{
    search s = {.unit = unit, .radius = radius};
    if (knc_order_kit_of_world(world) == NULL || !(radius >= 0.0f) ||
        !kn_space_position(kn_world_space(world), world, unit, &s.at)) {
        return false;
    }
    const kn_sphere around = {s.at, radius};
    kn_space_filter filter = kn_space_filter_default();
    filter.accept = enemy_look;
    filter.user = &s;
    return kn_space_sphere(kn_world_space(world), world, &around, &filter, NULL, 0) > 0;
}
