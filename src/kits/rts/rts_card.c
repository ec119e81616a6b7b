// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The command card. Buttons of several units are put together: one that is ready says all there is
// to say, so further units that have it are only counted.

#include "text_parts.h"

#include <string.h>

#define GRANTS_MAX 64
#define BUTTON_HINTS 64 // buttons behind these share the last one
#define AUTOS_MAX (KN_ORDER_AUTOS_MAX + KN_ORDER_PROVIDE_MAX)

// A unit, and what its buttons have in common. Parts are read when the first button needs them.
typedef struct card_unit {
    const kn_world *world;
    const kn_library *library;
    const display_kit *kit;
    kn_entity_id unit;
    const kn_unit_type_def *def;
    const kn_producer_def *producer; // NULL: it makes nothing
    bool is_read, has_grants;
    bool is_rts, asks_learners;
    uint32_t level, points;
    kn_order current;
    uint32_t auto_count, grant_count;
    kn_order_auto_info autos[AUTOS_MAX];
    kn_ability_id grants[GRANTS_MAX];
    uint32_t types[GRANTS_MAX]; // of the grants
    bool may_repeat;            // it may have two abilities of one type
} card_unit;

// What a button is for.
typedef struct card_slot {
    kn_order_type_id order;
    int32_t index;
    kn_product_id product;
    const card_plan *plan;
    uint8_t *hint; // where the ability was among the grants of the unit before
} card_slot;

static void unit_read(card_unit *u)
{
    kn_unit_info info;
    u->is_read = true;
    u->current = kn_unit_get_info(u->world, u->unit, &info) ? info.current : kn_order_default();
    const uint32_t count = kn_order_autos(u->world, u->unit, u->autos, AUTOS_MAX);
    u->auto_count = count < AUTOS_MAX ? count : AUTOS_MAX;
    u->is_rts = knc_rts_unit_read(u->world, u->unit) != NULL;
    u->level = kn_rts_level(u->world, u->unit);
    u->points = kn_rts_points(u->world, u->unit);
}

static void unit_read_grants(card_unit *u)
{
    const uint32_t count = kn_abilities_find(u->world, u->unit, NULL, u->grants, GRANTS_MAX);
    u->has_grants = true;
    u->grant_count = count < GRANTS_MAX ? count : GRANTS_MAX;
    u->may_repeat = false;
    uint64_t seen = 0; // different types may share a bit, equal ones always do
    for (uint32_t i = 0; i < u->grant_count; i++) {
        u->types[i] = kn_ability_get_type(u->world, u->grants[i]).index1;
        const uint64_t bit = UINT64_C(1) << u->types[i] % 64;
        u->may_repeat |= (seen & bit) != 0;
        seen |= bit;
    }
}

static kn_rts_auto_state auto_state(const card_unit *u, const card_slot *slot)
{
    for (uint32_t i = 0; i < u->auto_count; i++) {
        const kn_order_auto_info *info = &u->autos[i];
        if (info->order.type.index1 == slot->order.index1 && info->order.index == slot->index) {
            return !info->is_for_players ? KN_RTS_AUTO_NONE
                   : info->is_on         ? KN_RTS_AUTO_ON
                                         : KN_RTS_AUTO_OFF;
        }
    }
    return KN_RTS_AUTO_NONE;
}

// Abilities -----------------------------------------------------------------------------

// The ability of a unit that an order would use, and all that is against it.
typedef struct card_grant {
    kn_ability_id id; // null: it has none that was learned
    uint32_t reasons;
} card_grant;

// The abilities of a unit that an order may use, learned ones alone. Returns how many were written.
static uint32_t grants_of(
    card_unit *u, const card_slot *slot, const card_plan *plan, kn_ability_id *out)
{
    uint32_t found = 0, count = 0;
    if (plan->ability.has_heirs) {
        kn_ability_query query = kn_ability_query_default();
        query.type = plan->ability.type;
        found = kn_abilities_find(u->world, u->unit, &query, out, GRANTS_MAX);
        found = found < GRANTS_MAX ? found : GRANTS_MAX;
    } else {
        if (!u->has_grants) {
            unit_read_grants(u);
        }
        const uint32_t wanted = plan->ability.type.index1;
        if (!u->may_repeat && *slot->hint < u->grant_count && u->types[*slot->hint] == wanted) {
            out[found++] = u->grants[*slot->hint];
        } else {
            for (uint32_t i = 0; i < u->grant_count; i++) {
                if (u->types[i] == wanted) {
                    out[found++] = u->grants[i];
                    *slot->hint = (uint8_t)i;
                }
            }
        }
    }
    for (uint32_t i = 0; i < found; i++) {
        if (kn_ability_level(u->world, out[i]) > 0.0f) {
            out[count++] = out[i];
        }
    }
    return count;
}

static uint32_t reasons_against(const card_unit *u, kn_ability_id grant)
{
    // The target is not known yet.
    return kn_ability_check(u->world, grant, NULL) & ~(uint32_t)KN_FAIL_NO_TARGET;
}

static card_grant grant_find(card_unit *u, const card_slot *slot, const card_plan *plan)
{
    kn_ability_id grants[GRANTS_MAX];
    card_grant best = {0};
    const uint32_t count = grants_of(u, slot, plan, grants);
    for (uint32_t i = 0; i < count && (i == 0 || best.reasons != 0); i++) {
        const uint32_t reasons = reasons_against(u, grants[i]);
        if (i == 0 || reasons == 0) {
            best = (card_grant){grants[i], reasons};
        }
    }
    return best;
}

// The cooldown that keeps it from being used; otherwise, while charges are missing, that of the
// next charge.
static void button_cooldown(
    const card_unit *u, const card_plan *plan, const card_grant *grant, kn_rts_button *b)
{
    if (plan->ability.has_one_charge && (grant->reasons & KN_FAIL_COOLDOWN) == 0) {
        b->charges = b->max_charges = plan->ability.def->cooldown_count;
        return;
    }
    kn_cooldown_info own;
    if (kn_ability_charges(u->world, grant->id, (kn_tag){0}, &own)) {
        b->charges = own.charges;
        b->max_charges = own.max_charges;
        b->cooldown = own.remaining;
        b->cooldown_total = own.remaining > 0 ? own.total : 0;
    }
    kn_time remaining, total;
    if (kn_ability_cooldown(u->world, grant->id, &remaining, &total)) {
        b->cooldown = remaining;
        b->cooldown_total = total;
    }
    if (b->cooldown_total > 0 && b->cooldown_total < KN_TIME_INFINITE) {
        const double left = (double)b->cooldown / (double)b->cooldown_total;
        b->cooldown_fraction = left < 1.0 ? (float)left : 1.0f;
    }
}

// What an ability costs that the unit does not have yet, at level 1.
static void button_nominal_costs(const card_unit *u, const kn_ability_def *def, kn_rts_button *b)
{
    for (uint32_t i = 0; i < def->cost_count && b->cost_count < KN_RTS_BUTTON_COSTS_MAX; i++) {
        const kn_attribute_id attribute = def->costs[i].attribute;
        bool is_new = true;
        for (uint32_t k = 0; k < b->cost_count; k++) {
            is_new &= b->costs[k].attribute.index1 != attribute.index1;
        }
        if (is_new) {
            kn_cost_quote *quote = &b->costs[b->cost_count++];
            quote->attribute = attribute;
            quote->amount = knc_rts_cost_nominal(u->world, u->unit, def, 1, attribute);
            quote->have = kn_attribute_base(u->world, u->unit, attribute);
            quote->is_affordable = quote->have >= quote->amount;
        }
    }
}

// As kn_rts_can_learn(), which would look for everything again; it is asked where that is needed.
static void button_learn(
    const card_unit *u, const card_plan *plan, const card_grant *grant, kn_rts_button *b)
{
    b->max_level = plan->ability.max_level;
    if (grant->id.index1 == 0 || !u->is_rts ||
        kn_ability_get_type(u->world, grant->id).index1 != b->ability.index1) {
        kn_rts_learn_info info;
        b->can_learn = kn_rts_can_learn(u->world, u->unit, b->ability, &info);
        b->learn_why_not = info.why_not;
        b->level = kn_rts_ability_level_of(u->world, u->unit, b->ability);
        return;
    }
    b->level = (uint32_t)kn_ability_level(u->world, grant->id);
    b->learn_why_not |= u->points == 0 ? (uint32_t)KN_RTS_NO_POINTS : 0;
    b->learn_why_not |= b->level >= b->max_level ? (uint32_t)KN_RTS_AT_MAXIMUM : 0;
    b->learn_why_not |= u->level < kn_rts_required_level(u->library, b->ability, b->level)
                            ? (uint32_t)KN_RTS_LEVEL_TOO_LOW
                            : 0;
    b->learn_why_not |=
        u->asks_learners && !knc_rts_tech_may_learn(u->world, u->unit, b->ability, b->level + 1)
            ? (uint32_t)KN_RTS_NO_TECHNOLOGY
            : 0;
    b->can_learn = b->learn_why_not == 0;
}

static void button_ability(
    card_unit *u, const card_slot *slot, const card_plan *plan, kn_rts_button *b)
{
    const card_grant grant = grant_find(u, slot, plan);
    button_learn(u, plan, &grant, b);
    if (grant.id.index1 == 0) {
        kn_order_errors_add(&b->why_not, u->kit->no_ability);
        button_nominal_costs(u, plan->ability.def, b);
        b->is_ready = false;
        return;
    }
    if (grant.reasons != 0) {
        kn_tag tags[KN_ORDER_ERRORS_MAX];
        const uint32_t count = kn_ability_fail_tags(u->world, grant.reasons, tags, COUNT(tags));
        for (uint32_t i = 0; i < count && i < COUNT(tags); i++) {
            kn_order_errors_add(&b->why_not, tags[i]);
        }
        b->is_ready = false;
    }
    const uint32_t count = kn_ability_quote(u->world, grant.id, b->costs, KN_RTS_BUTTON_COSTS_MAX);
    b->cost_count = count < KN_RTS_BUTTON_COSTS_MAX ? count : KN_RTS_BUTTON_COSTS_MAX;
    button_cooldown(u, plan, &grant, b);
}

// Products ------------------------------------------------------------------------------

// Adds what a list does not have yet.
static void list_join(kn_tag *list, uint32_t *count, const kn_tag *more, uint32_t more_count)
{
    for (uint32_t i = 0; i < more_count; i++) {
        uint32_t at = 0;
        while (at < *count && list[at].index1 != more[i].index1) {
            at++;
        }
        if (at == *count && at < KN_ORDER_ERRORS_MAX) {
            list[(*count)++] = more[i];
        }
    }
}

static void errors_join(kn_order_errors *errors, const kn_order_errors *more)
{
    list_join(errors->missing, &errors->missing_count, more->missing, more->missing_count);
    list_join(errors->blocking, &errors->blocking_count, more->blocking, more->blocking_count);
    list_join(errors->others, &errors->other_count, more->others, more->other_count);
}

static void button_product(const card_unit *u, kn_rts_button *b)
{
    const kn_product_def *def = kn_product_get_def(u->library, b->product);
    const kn_entity_id payer = kn_product_payer(u->world, u->unit);
    kn_product_answer answer = {0};
    const kn_result result = def->site ? kn_site_check(u->world, u->unit, b->product, NULL, &answer)
                                       : kn_product_check(u->world, u->unit, b->product, &answer);
    b->look = kn_rts_product_look(u->library, b->product);
    b->is_ready = b->is_ready && result == KN_OK;
    errors_join(&b->why_not, &answer.errors);
    kn_product_terms terms;
    (void)kn_product_quote(u->world, u->unit, b->product, &terms);
    for (uint32_t i = 0; i < terms.cost_count && i < KN_RTS_BUTTON_COSTS_MAX; i++) {
        kn_cost_quote *quote = &b->costs[b->cost_count++];
        quote->attribute = terms.costs[i].attribute;
        quote->amount = terms.costs[i].amount;
        quote->have = kn_attribute_base(u->world, payer, quote->attribute);
        quote->is_affordable = quote->have >= quote->amount;
    }
}

// Buttons -------------------------------------------------------------------------------

static void button_fill(card_unit *u, const card_slot *slot, kn_rts_button *b)
{
    const card_plan *plan = slot->plan;
    if (!u->is_read) {
        unit_read(u);
    }
    memset(b, 0, sizeof(*b));
    b->order = slot->order;
    b->index = slot->index;
    b->product = slot->product;
    b->ability = plan->ability.type;
    b->unit = u->unit;
    b->unit_count = 1;
    b->look = plan->look;
    b->target_kind = plan->def->find_target_kind.function == NULL
                         ? plan->def->target_kind
                         : kn_order_get_target_kind(u->world, slot->order, u->unit, slot->index);
    b->is_current = u->current.type.index1 == slot->order.index1 && u->current.index == slot->index;
    b->auto_state = u->auto_count > 0 ? auto_state(u, slot) : KN_RTS_AUTO_NONE;
    b->is_ready =
        kn_order_can_obey_otherwise(u->world, slot->order, u->unit, slot->index, &b->why_not) &&
        b->target_kind != KN_ORDER_TARGET_PASSIVE;
    if (slot->product.index1 != 0) {
        button_product(u, b);
    }
    if (plan->ability.def != NULL) {
        button_ability(u, slot, plan, b);
    }
}

// Whether a unit would make a better button than one that is not ready.
static bool is_better(card_unit *u, const card_slot *slot, const kn_rts_button *b)
{
    const card_plan *plan = slot->plan;
    if (plan->ability.def == NULL || b->product.index1 != 0) {
        return true; // only a look tells
    }
    kn_ability_id grants[GRANTS_MAX];
    const uint32_t count = grants_of(u, slot, plan, grants);
    for (uint32_t i = 0; i < count; i++) {
        kn_time remaining, total;
        const bool may_be = b->cooldown > 0
                                ? !kn_ability_cooldown(u->world, grants[i], &remaining, &total) ||
                                      remaining < b->cooldown
                                : b->level == 0 || reasons_against(u, grants[i]) == 0;
        if (may_be) {
            return true;
        }
    }
    return false;
}

// At the same place two units may have different abilities.
static bool variant_is(const kn_rts_button *b, const card_slot *slot)
{
    return slot->index < 0 || b->ability.index1 == slot->plan->ability.type.index1;
}

static bool slot_is(const kn_rts_button *b, const card_slot *slot)
{
    return b->order.index1 == slot->order.index1 && b->product.index1 == slot->product.index1 &&
           (slot->product.index1 != 0 || (b->index == slot->index && variant_is(b, slot)));
}

typedef struct card {
    kn_rts_button *out;
    uint32_t capacity, count;
    uint32_t next;               // the button that the next command probably has
    uint8_t hints[BUTTON_HINTS]; // by button
} card;

static void card_add(card *c, card_unit *u, card_slot *slot)
{
    const uint32_t written = c->count < c->capacity ? c->count : c->capacity;
    uint32_t at = c->next;
    if (at >= written || !slot_is(&c->out[at], slot)) {
        for (at = 0; at < written && !slot_is(&c->out[at], slot); at++) {
        }
    }
    c->next = at + 1;
    slot->hint = &c->hints[at < BUTTON_HINTS ? at : BUTTON_HINTS - 1];
    if (at == written) {
        if (c->count < c->capacity) {
            button_fill(u, slot, &c->out[at]);
        }
        c->count++;
        return;
    }
    kn_rts_button *b = &c->out[at];
    b->unit_count++;
    if (!b->is_ready && is_better(u, slot, b)) {
        kn_rts_button other;
        button_fill(u, slot, &other);
        if (other.is_ready || other.cooldown < b->cooldown || (b->level == 0 && other.level > 0)) {
            other.unit_count = b->unit_count;
            *b = other;
        }
    }
}

static bool stands_for_products(const card_unit *u, kn_order_type_id order)
{
    return u->producer != NULL &&
           (order.index1 == u->kit->produce.index1 || order.index1 == u->kit->build.index1);
}

static void products_add(card *c, card_unit *u, kn_order_type_id order)
{
    for (uint32_t i = 0; i < u->producer->product_count; i++) {
        card_slot slot = {
            order, (int32_t)i, u->producer->products[i], &u->kit->cards[order.index1 - 1], NULL};
        const kn_product_def *def = kn_product_get_def(u->library, slot.product);
        if (def != NULL && def->site == (order.index1 == u->kit->build.index1)) {
            card_add(c, u, &slot);
        }
    }
}

// A button for each variant that the unit has, or one for the order itself.
static void variants_add(card *c, card_unit *u, const card_slot *slot)
{
    kn_order_variant all, one;
    card_plan plan = *slot->plan;
    card_slot own = *slot;
    own.plan = &plan;
    const bool is_there = kn_order_get_variant(u->world, slot->order, u->unit, -1, &all);
    for (int32_t i = all.count > 0 ? 0 : -1; is_there && i < (int32_t)all.count; i++) {
        if (kn_order_get_variant(u->world, slot->order, u->unit, i, &one)) {
            plan.ability = knc_rts_card_ability(u->kit, one.ability);
            plan.look = knc_rts_variant_look(u->library, &one);
            own.index = i;
            card_add(c, u, &own);
        }
    }
}

static void order_add(card *c, card_unit *u, kn_order_type_id order)
{
    card_slot slot = {order, -1, {0}, &u->kit->cards[order.index1 - 1], NULL};
    if (slot.plan->def->find_variant.function == NULL) {
        card_add(c, u, &slot);
    } else {
        variants_add(c, u, &slot);
    }
}

static void unit_add(card *c, card_unit *u)
{
    kn_producer_info info;
    c->next = 0;
    u->producer = NULL;
    u->is_read = u->has_grants = false;
    for (uint32_t i = 0; i < u->def->command_count; i++) {
        const kn_order_type_id order = u->def->commands[i];
        const bool may_make =
            order.index1 == u->kit->produce.index1 || order.index1 == u->kit->build.index1;
        if (may_make && u->producer == NULL && u->kit->produce.index1 != 0 &&
            kn_producer_get_info(u->world, u->unit, &info)) {
            u->producer = kn_producer_get_def(u->library, info.type);
        }
        if (stands_for_products(u, order)) {
            products_add(c, u, order);
        } else if (order.index1 != 0) {
            order_add(c, u, order);
        }
    }
}

uint32_t kn_rts_card(const kn_world *world, const kn_entity_id *units, uint32_t count,
    kn_rts_button *out, uint32_t capacity)
{
    card c = {.out = out, .capacity = out != NULL ? capacity : 0};
    if (knc_rts_kit_of_world(world) == NULL || units == NULL) {
        return 0;
    }
    card_unit u;
    u.world = world;
    u.library = kn_world_library(world);
    u.kit = knc_rts_displays(u.library);
    u.asks_learners = knc_rts_tech_asks_learners(u.library);
    for (uint32_t i = 0; i < count && i < KN_RTS_SELECTION_MAX; i++) {
        u.unit = units[i];
        u.def = kn_unit_type_get_def(u.library, kn_unit_get_type(world, units[i]));
        if (u.def != NULL) {
            unit_add(&c, &u);
        }
    }
    return c.count;
}

// Text ----------------------------------------------------------------------------------

uint32_t kn_rts_describe_button(
    const kn_world *world, const kn_rts_button *button, char *text, uint32_t size)
{
    if (button == NULL) {
        return kn_rts_text_format(NULL, NULL, 0, text, size);
    }
    return button->product.index1 != 0
               ? kn_rts_describe_product(world, button->unit, button->product, text, size)
               : kn_rts_describe_order(
                     world, button->unit, button->order, button->index, text, size);
}

uint32_t kn_rts_button_print(
    const kn_world *world, const kn_rts_button *button, char *text, uint32_t size)
{
    const bool is_silent =
        world == NULL || button == NULL || kn_order_errors_is_empty(&button->why_not);
    return is_silent ? kn_rts_text_format(NULL, NULL, 0, text, size)
                     : kn_order_errors_print(kn_world_library(world), &button->why_not, text, size);
}
