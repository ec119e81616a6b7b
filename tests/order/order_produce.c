// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Products, queues of producers, prices, and rally points.

#include "produce_test.h"

#include <math.h>

static const char content[] =
    "kits: [production]\n"
    "tags: [Unit.Barracks, Unit.Soldier, Unit.Tower, Unit.Keep, Tech.Bows, Tech.Lost, "
    "State.Stunned,\n"
    "  State.Off, Event.Done, Event.Go, Event.Researched]\n"
    "effects:\n"
    "  Blessing: {duration: infinite, granted_tags: [Tech.Bows]}\n"
    "archetypes:\n"
    "  Player: {sets: [Stock]}\n"
    "  Alone: {sets: [Stock], tags: [Unit.Tower, Knack.Status.Alive]}\n"
    "  Barracks: {tags: [Unit.Barracks, Knack.Status.Alive]}\n"
    "  Keep: {tags: [Unit.Keep, Knack.Status.Alive]}\n"
    "  Soldier: {tags: [Unit.Soldier, Knack.Status.Alive]}\n"
    "blackboards:\n"
    "  Orders: {order_keys: true}\n"
    "trees:\n"
    "  Rest: {blackboard: Orders, root: {kind: wait_event, tag: Event.Go}}\n"
    "order_types:\n"
    "  Stop: {tree: Rest}\n"
    "  Knack.Move: {tree: Rest, target_kind: location}\n"
    "  Escort: {tree: Rest, target_kind: entity, fallback: Knack.Move, "
    "tags: {target_required: [Knack.Relation.Friendly]}}\n"
    "order_units:\n"
    "  Soldier: {tag: Unit.Soldier, stop: Stop}\n"
    "  Barracks: {tag: Unit.Barracks, stop: Stop}\n"
    "  Tower: {tag: Unit.Tower, stop: Stop}\n"
    "products:\n"
    "  Soldier: {archetype: Soldier, time: 10,\n"
    "    costs: [{attribute: Stock.Gold, amount: 60}, {attribute: Stock.Wood, amount: 10}]}\n"
    "  Archer: {archetype: Soldier, time: 7, costs: [{attribute: Stock.Gold, amount: 100}],\n"
    "    refund: 0.5, limit: 2, payer_required: [Tech.Bows], payer_blocked: [Tech.Lost],\n"
    "    blocked: [State.Off]}\n"
    "  Faith: {effect: Blessing, event: Event.Researched, time: 3}\n"
    "  Token: {event: Event.Done}\n"
    "  House: {archetype: Barracks, site: true}\n"
    "  Miracle: {event: Event.Done, costs: [{attribute: Stock.Gold, amount: 7},\n"
    "    {attribute: Stock.Favor, amount: 15}]}\n"
    "  Bolt: {archetype: Soldier, time: 1, costs: [{attribute: Stock.Gold, amount: 5}]}\n"
    "producers:\n"
    "  Barracks: {tag: Unit.Barracks, products: [Soldier, Archer, Faith, Token, House, Guard],\n"
    "    paused_by: [State.Stunned], rally_entity_order: Escort}\n"
    "  Tower: {tag: Unit.Tower, products: [Bolt, Soldier], on_death: lose, on_owner_change: keep,\n"
    "    exit: [0, 4, 1]}\n"
    "  Keep: {tag: Unit.Keep, products: [Token, Miracle], queue_limit: 0, on_owner_change: lose}\n";

// What hooks of the product `Guard` do.
static struct {
    bool cannot_make, cannot_finish;
    uint32_t created;
    kn_product_call last;
    kn_entity_id maker;
    void (*during)(kn_world *world, kn_entity_id maker);
} hooks;

static kn_result hook_make(void *user, const kn_hook_call *call)
{
    kn_product_call *c = call->arguments;
    (void)user;
    assert_null(call->writable);
    if (hooks.cannot_make) {
        c->errors[c->error_count++] = kn_tag_find(kn_world_library(call->world), "State.Off");
    }
    return hooks.cannot_make ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result hook_finish(void *user, const kn_hook_call *call)
{
    (void)user;
    assert_null(call->writable);
    return hooks.cannot_finish ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result hook_created(void *user, const kn_hook_call *call)
{
    (void)user;
    hooks.created++;
    hooks.last = *(const kn_product_call *)call->arguments;
    hooks.maker = call->entity;
    if (hooks.during != NULL) {
        hooks.during(call->writable, call->entity);
    }
    return KN_OK;
}

// A product that takes no time, and is queued again when it is done.
static bool is_endless;
static uint32_t tokens;

static void token_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    tokens++;
    if (is_endless) {
        (void)kn_product_enqueue(
            world, reaction->entity, kn_product_find(kn_world_library(world), "Token"), NULL);
    }
}

// Whether new units are given something to do before they hear of the rally point.
static bool is_busy;

static void busy_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (is_busy) {
        kn_order order = kn_order_on(
            kn_order_type_find(kn_world_library(world), "Escort"), reaction->instigator);
        assert_int_equal(kn_order_issue(world, reaction->entity, &order, NULL), KN_OK);
    }
}

static kn_tag tag_register(kn_library *library, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    kn_tag tag;
    def.name = name;
    assert_int_equal(kn_tag_register(library, &def, &tag, NULL), KN_OK);
    return tag;
}

static void stock_register(kn_library *library)
{
    kn_attribute_def attributes[] = {
        kn_attribute_def_default(), kn_attribute_def_default(), kn_attribute_def_default()};
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id id;
    attributes[0].name = "Gold";
    attributes[0].default_value = 1000;
    attributes[1].name = "Wood";
    attributes[1].default_value = 500;
    set.name = "Stock";
    set.attributes = attributes;
    attributes[2].name = "Favor";
    attributes[2].default_value = 20;
    attributes[2].base_min = kn_limit_constant(10);
    set.attribute_count = 3;
    assert_int_equal(kn_attribute_set_register(library, &set, &id, NULL), KN_OK);
}

// What has functions in C.
static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    static const kn_kit kit = {"production", kn_order_produce_register};
    kn_archetype_def archetype = kn_archetype_def_default();
    kn_product_def guard = kn_product_def_default();
    kn_rule_def rule = kn_rule_def_default();
    kn_archetype_id id;
    kn_rule_id rule_id;
    (void)user;
    assert_int_equal(kn_kit_register(library, &kit, error), KN_OK);
    assert_int_equal(kn_grid_register(library, NULL, error), KN_OK);
    stock_register(library);
    const kn_tag tags[] = {
        tag_register(library, "Unit.Soldier"), tag_register(library, "Knack.Status.Alive")};
    archetype.name = "Guard";
    archetype.tags = (kn_tags){tags, 2};
    assert_int_equal(kn_archetype_register(library, &archetype, &id, error), KN_OK);
    const kn_product_cost cost = {kn_attribute_find(library, "Stock.Gold"), 30};
    guard.name = "Guard";
    guard.archetype = id;
    guard.time = KN_S(4);
    guard.costs = &cost;
    guard.cost_count = 1;
    guard.can_make = (kn_hook){hook_make, NULL};
    guard.can_finish = (kn_hook){hook_finish, NULL};
    guard.created = (kn_hook){hook_created, NULL};
    assert_int_equal(kn_product_register(library, &guard, NULL, error), KN_OK);
    rule.name = "Busy";
    rule.trigger = KN_TRIGGER_EVENT;
    rule.tag = tag_register(library, "Knack.Event.Produced");
    rule.priority = 1;
    rule.function = busy_rule;
    assert_int_equal(kn_rule_register(library, &rule, &rule_id, error), KN_OK);
    rule.name = "Token";
    rule.trigger = KN_TRIGGER_EVENT;
    rule.tag = tag_register(library, "Event.Done");
    rule.function = token_rule;
    return kn_rule_register(library, &rule, &rule_id, error);
}

static kn_library *library_create(void)
{
    return library_build(data_with(content, prepare));
}

static int setup(void **state)
{
    memset(&hooks, 0, sizeof(hooks));
    is_endless = is_busy = false;
    tokens = 0;
    *state = yard_of(library_create());
    return 0;
}

static int teardown(void **state)
{
    yard_destroy(*state);
    return 0;
}

static kn_result enqueue(yard *y, kn_entity_id producer, const char *name)
{
    return kn_product_enqueue(y->world, producer, product(y, name), NULL);
}

static kn_entity_id barracks(yard *y)
{
    kn_entity_id entity = spawn_at(y, "Barracks", y->player, 10, 20);
    place(y, entity, 10, 20, 3);
    return entity;
}

static kn_producer_info info_of(const yard *y, kn_entity_id producer)
{
    kn_producer_info info;
    assert_true(kn_producer_get_info(y->world, producer, &info));
    return info;
}

#define ASSERT_STOCK(y, entity, gold, wood)                                                        \
    do {                                                                                           \
        assert_float_equal(stock((y), (entity), "Stock.Gold"), (gold), 0);                         \
        assert_float_equal(stock((y), (entity), "Stock.Wood"), (wood), 0);                         \
    } while (0)

// Prices ----------------------------------------------------------------------------

static void the_owner_pays_when_a_product_is_queued(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    assert_true(kn_entity_id_equal(kn_product_payer(y->world, b), y->player));
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    ASSERT_STOCK(y, y->player, 940, 490);
    ASSERT_STOCK(y, y->rival, 1000, 500);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    ASSERT_STOCK(y, y->player, 880, 480);
    step(y, KN_MS(10));
    assert_string_equal(happened(y), "Queued(Soldier) Started(Soldier) Queued(Soldier)");
    assert_int_equal(last_event(y, "Knack.ProductQueued").position, 1);
    assert_true(kn_entity_id_equal(last_event(y, "Knack.ProductQueued").payer, y->player));
}

static void a_producer_without_an_owner_pays_itself(void **state)
{
    yard *y = *state;
    kn_entity_id tower = spawn_at(y, "Alone", (kn_entity_id){0}, 0, 0);
    assert_true(kn_entity_id_equal(kn_product_payer(y->world, tower), tower));
    assert_int_equal(enqueue(y, tower, "Bolt"), KN_OK);
    ASSERT_STOCK(y, tower, 995, 500);
    kn_entity_destroy(y->world, y->rival); // an owner who is gone does not pay
    assert_int_equal(kn_entity_set_owner(y->world, tower, y->player), KN_OK);
    kn_entity_destroy(y->world, y->player);
    assert_true(kn_entity_id_equal(kn_product_payer(y->world, tower), tower));
    kn_entity_destroy(y->world, tower);
    assert_int_equal(kn_product_payer(y->world, tower).index1, 0);
}

static void a_price_is_paid_as_a_whole_or_not_at_all(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    kn_product_answer answer;
    stock_set(y, y->player, "Stock.Wood", 4);
    assert_int_equal(
        kn_product_enqueue(y->world, b, product(y, "Soldier"), &answer), KN_REFUSED_COST);
    assert_int_equal(answer.shortage_count, 1);
    assert_string_equal(kn_attribute_name(y->library, answer.shortages[0].attribute), "Stock.Wood");
    assert_float_equal(answer.shortages[0].amount, 6, 0);
    assert_int_equal(answer.errors.other_count, 1);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Knack.Order.Cost").index1);
    ASSERT_STOCK(y, y->player, 1000, 4);
    stock_set(y, y->player, "Stock.Gold", -20);
    assert_int_equal(
        kn_product_check(y->world, b, product(y, "Soldier"), &answer), KN_REFUSED_COST);
    assert_int_equal(answer.shortage_count, 2);
    assert_float_equal(answer.shortages[0].amount, 60, 0);
    stock_set(y, y->player, "Stock.Gold", 60);
    stock_set(y, y->player, "Stock.Wood", 10);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    ASSERT_STOCK(y, y->player, 0, 0);
    step(y, KN_MS(10));
    assert_string_equal(happened(y), "Queued(Soldier) Started(Soldier)");
}

static void what_an_attribute_does_not_give_is_not_paid(void **state)
{
    yard *y = *state;
    kn_entity_id keep = spawn(y, "Keep", y->player);
    kn_product_answer answer;
    assert_int_equal( // favor never falls below 10
        kn_product_enqueue(y->world, keep, product(y, "Miracle"), &answer), KN_REFUSED_COST);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Knack.Order.Cost").index1);
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 1000, 0);
    assert_float_equal(stock(y, y->player, "Stock.Favor"), 20, 0);
    assert_int_equal(info_of(y, keep).queue_count, 0);
    stock_set(y, y->player, "Stock.Favor", 25);
    assert_int_equal(enqueue(y, keep, "Miracle"), KN_OK);
    assert_float_equal(stock(y, y->player, "Stock.Favor"), 10, 0);
}

static void a_payer_without_the_attribute_cannot_pay(void **state)
{
    yard *y = *state;
    kn_entity_id b = spawn(y, "Barracks", (kn_entity_id){0});
    kn_product_answer answer;
    assert_int_equal(
        kn_product_enqueue(y->world, b, product(y, "Soldier"), &answer), KN_REFUSED_COST);
    assert_int_equal(answer.shortage_count, 2);
    assert_int_equal(enqueue(y, b, "Token"), KN_OK); // costs nothing
}

static void tags_of_producer_and_payer_are_needed(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    kn_product_answer answer;
    gain(y, b, "State.Off");
    gain(y, b, "Tech.Bows"); // the payer needs it
    gain(y, y->player, "Tech.Lost");
    assert_int_equal(
        kn_product_enqueue(y->world, b, product(y, "Archer"), &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.missing_count, 1);
    assert_int_equal(answer.errors.missing[0].index1, tag_of(y, "Tech.Bows").index1);
    assert_int_equal(answer.errors.blocking_count, 2);
    assert_int_equal(answer.errors.blocking[0].index1, tag_of(y, "State.Off").index1);
    assert_int_equal(answer.errors.blocking[1].index1, tag_of(y, "Tech.Lost").index1);
    ASSERT_STOCK(y, y->player, 1000, 500);
    lose(y, b, "State.Off");
    lose(y, y->player, "Tech.Lost");
    gain(y, y->player, "Tech.Bows");
    assert_int_equal(enqueue(y, b, "Archer"), KN_OK);
}

static void queues_and_products_have_limits(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    kn_product_answer answer;
    gain(y, y->player, "Tech.Bows");
    assert_int_equal(enqueue(y, b, "Archer"), KN_OK);
    assert_int_equal(enqueue(y, b, "Archer"), KN_OK);
    assert_int_equal(
        kn_product_enqueue(y->world, b, product(y, "Archer"), &answer), KN_REFUSED_LIMIT);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Knack.Order.Limit").index1);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_REFUSED_LIMIT);
    ASSERT_STOCK(y, y->player, 1000 - 200 - 180, 470);
    assert_int_equal(info_of(y, b).queue_count, 5);
    gain(y, b, "State.Off"); // tags come first, and all reasons are there
    assert_int_equal(
        kn_product_enqueue(y->world, b, product(y, "Archer"), &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.other_count, 1);
    assert_int_equal(answer.errors.blocking_count, 1);
}

static void what_a_producer_cannot_make_is_not_found(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    assert_int_equal(enqueue(y, b, "Bolt"), KN_REFUSED_NOT_FOUND);
    assert_int_equal(enqueue(y, b, "House"), KN_REFUSED_NOT_FOUND); // a site
    assert_int_equal(enqueue(y, y->player, "Soldier"), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_product_enqueue(y->world, b, (kn_product_id){0}, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_product_enqueue(y->world, b, (kn_product_id){99}, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_product_enqueue(NULL, b, (kn_product_id){1}, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_entity_destroy(y->world, b);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_REFUSED_STALE_ID);
    assert_int_equal(
        kn_product_check(y->world, b, product(y, "Soldier"), NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_product_cancel(y->world, b, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_producer_remove(y->world, b), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_producer_queue(y->world, b, NULL, 0), 0);
}

static void a_hook_may_refuse_a_product(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    kn_product_answer answer;
    hooks.cannot_make = true;
    assert_int_equal(
        kn_product_enqueue(y->world, b, product(y, "Guard"), &answer), KN_REFUSED_CUSTOM);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "State.Off").index1);
    ASSERT_STOCK(y, y->player, 1000, 500);
}

// Time ------------------------------------------------------------------------------

static void products_are_made_one_after_the_other_at_their_exact_time(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    kn_product_item items[4];
    step(y, KN_MS(300));
    gain(y, y->player, "Tech.Bows");
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(enqueue(y, b, "Archer"), KN_OK);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(kn_producer_queue(y->world, b, items, 2), 3);
    assert_int_equal(items[0].done_at, KN_MS(10300));
    assert_int_equal(items[1].done_at, KN_MS(17300));
    step(y, KN_MS(4000));
    assert_int_equal(kn_producer_queue(y->world, b, items, 4), 3);
    assert_float_equal(items[0].progress, 0.4f, 1e-6f);
    assert_float_equal(items[1].progress, 0, 0);
    assert_int_equal(items[2].done_at, KN_MS(27300));
    assert_float_equal(info_of(y, b).progress, 0.4f, 1e-6f);
    assert_int_equal(info_of(y, b).remaining, KN_S(6));
    assert_int_equal(info_of(y, b).state, KN_PRODUCER_WORKS);
    step(y, KN_MS(5999) + 999);
    assert_int_equal(info_of(y, b).queue_count, 3);
    step(y, 1);
    assert_string_equal(happened(y), "Finished(Soldier) Started(Archer)");
    // One step over the end of two products: no time is lost.
    step(y, KN_S(9));
    assert_string_equal(happened(y), "Finished(Archer) Started(Soldier)");
    assert_int_equal(info_of(y, b).remaining, KN_S(8));
    step(y, KN_S(20));
    assert_string_equal(happened(y), "Finished(Soldier)");
    assert_int_equal(info_of(y, b).state, KN_PRODUCER_IDLE);
    assert_int_equal(kn_producer_queue(y->world, b, items, 4), 0);
}

static void the_length_of_steps_does_not_show(void **state)
{
    static const int64_t rates[] = {1, 30, 60, 144};
    yard *y = *state;
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
        yard *other = yard_of(library_create());
        kn_entity_id b = barracks(other);
        const kn_rally_point point = {.location = {90, 20, 0}};
        assert_int_equal(kn_rally_set(other->world, b, &point, 1), KN_OK);
        for (int j = 0; j < 3; j++) {
            assert_int_equal(enqueue(other, b, "Soldier"), KN_OK);
            assert_int_equal(
                enqueue(other, b, j == 1 ? "Faith" : "Token"), j == 2 ? KN_REFUSED_LIMIT : KN_OK);
        }
        for (int64_t n = 1; n <= 40 * rates[i]; n++) {
            step(other, n * 1000000 / rates[i] - (n - 1) * 1000000 / rates[i]);
        }
        uint64_t own = kn_world_hash(other->world);
        assert_int_equal(hash == 0 || hash == own, 1);
        hash = own;
        assert_int_equal(info_of(other, b).queue_count, 0);
        yard_destroy(other);
    }
    assert_non_null(y);
}

static void a_tag_pauses_production_and_nothing_is_lost(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    kn_product_item item;
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    step(y, KN_MS(2500));
    gain(y, b, "State.Stunned");
    step(y, KN_S(60));
    assert_int_equal(info_of(y, b).state, KN_PRODUCER_PAUSES);
    assert_int_equal(info_of(y, b).remaining, KN_MS(7500));
    assert_float_equal(info_of(y, b).progress, 0.25f, 1e-6f);
    assert_int_equal(kn_producer_queue(y->world, b, &item, 1), 1);
    assert_int_equal(item.done_at, KN_TIME_INFINITE);
    gain(y, b, "Knack.Status.Constructing"); // a second reason
    lose(y, b, "State.Stunned");
    step(y, KN_S(1));
    assert_int_equal(info_of(y, b).state, KN_PRODUCER_PAUSES);
    lose(y, b, "Knack.Status.Constructing");
    assert_int_equal(info_of(y, b).state, KN_PRODUCER_WORKS);
    step(y, KN_MS(7500) - 1);
    assert_int_equal(info_of(y, b).queue_count, 1);
    step(y, 1);
    assert_int_equal(info_of(y, b).queue_count, 0);
    // What is queued meanwhile begins afterwards.
    gain(y, b, "State.Stunned");
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    step(y, KN_S(20));
    assert_float_equal(info_of(y, b).progress, 0, 0);
    lose(y, b, "State.Stunned");
    step(y, KN_S(10));
    assert_string_equal(happened(y), "Finished(Soldier)");
}

static void what_takes_no_time_is_done_at_once(void **state)
{
    yard *y = *state;
    kn_entity_id keep = spawn(y, "Keep", y->player);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(enqueue(y, keep, "Token"), KN_OK);
    }
    step(y, 1);
    assert_int_equal(tokens, 10);
    assert_int_equal(info_of(y, keep).queue_count, 0);
}

static void what_queues_itself_without_taking_time_does_not_stop_the_world(void **state)
{
    yard *y = *state;
    kn_entity_id keep = spawn(y, "Keep", y->player);
    is_endless = true;
    assert_int_equal(enqueue(y, keep, "Token"), KN_OK);
    step(y, KN_MS(1) - 1);
    assert_int_equal(tokens, 64);
    step(y, KN_MS(5));
    assert_true(tokens > 64 && tokens <= 64 * 6);
    is_endless = false;
    step(y, KN_MS(5));
    assert_int_equal(info_of(y, keep).queue_count, 0);
}

static void a_product_that_cannot_be_created_waits(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    hooks.cannot_finish = true;
    assert_int_equal(enqueue(y, b, "Guard"), KN_OK);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    step(y, KN_S(4));
    assert_string_equal(happened(y), "Queued(Guard) Started(Guard) Queued(Soldier) Waits(Guard)");
    step(y, KN_MS(2500));
    assert_string_equal(happened(y), ""); // it is reported once
    assert_int_equal(info_of(y, b).state, KN_PRODUCER_WAITS);
    assert_float_equal(info_of(y, b).progress, 1, 0);
    assert_int_equal(info_of(y, b).queue_count, 2);
    hooks.cannot_finish = false;
    step(y, KN_MS(499));
    assert_int_equal(hooks.created, 0);
    step(y, KN_MS(1)); // 7 s: tried again every second
    assert_string_equal(happened(y), "Finished(Guard) Started(Soldier)");
    assert_int_equal(hooks.created, 1);
    assert_int_equal(info_of(y, b).remaining, KN_S(10));
    // One that waits can be cancelled.
    hooks.cannot_finish = true;
    assert_int_equal(kn_product_cancel(y->world, b, 0), KN_OK);
    assert_int_equal(enqueue(y, b, "Guard"), KN_OK);
    step(y, KN_S(5));
    ASSERT_STOCK(y, y->player, 1000 - 60, 500);
    assert_int_equal(kn_product_cancel(y->world, b, 0), KN_OK);
    ASSERT_STOCK(y, y->player, 1000 - 30, 500);
    assert_int_equal(info_of(y, b).state, KN_PRODUCER_IDLE);
}

// Cancelling --------------------------------------------------------------------------

static void what_is_cancelled_is_refunded_and_others_move_up(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    gain(y, y->player, "Tech.Bows");
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(enqueue(y, b, "Archer"), KN_OK);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    step(y, KN_S(4));
    ASSERT_STOCK(y, y->player, 780, 480);
    assert_int_equal(kn_product_cancel(y->world, b, 3), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_product_cancel(y->world, b, -2), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_product_cancel(y->world, b, -1), KN_OK);
    ASSERT_STOCK(y, y->player, 840, 490);
    assert_int_equal(info_of(y, b).remaining, KN_S(6)); // the first one goes on
    assert_int_equal(kn_product_cancel(y->world, b, 0), KN_OK);
    ASSERT_STOCK(y, y->player, 900, 500);
    assert_int_equal(info_of(y, b).remaining, KN_S(7)); // an archer now, from the beginning
    step(y, KN_S(1));
    assert_string_equal(happened(y), "Cancelled(Soldier) Cancelled(Soldier) Started(Archer)");
    assert_int_equal(kn_product_cancel(y->world, b, 0), KN_OK);
    ASSERT_STOCK(y, y->player, 950, 500); // half of it
    step(y, KN_S(1));
    kn_product_event event = last_event(y, "Knack.ProductCancelled");
    assert_float_equal(event.refunded, 0.5f, 0);
    assert_int_equal(kn_product_cancel(y->world, b, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_product_cancel(y->world, b, -1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_product_cancel(y->world, y->player, 0), KN_REFUSED_NOT_FOUND);
    step(y, KN_S(30));
    assert_string_equal(happened(y), "");
}

static void the_one_who_paid_gets_it_back(void **state)
{
    yard *y = *state;
    kn_entity_id tower = spawn_at(y, "Alone", y->player, 0, 0);
    assert_int_equal(enqueue(y, tower, "Bolt"), KN_OK);
    assert_int_equal(kn_entity_set_owner(y->world, tower, y->rival), KN_OK); // keeps its queue
    assert_int_equal(enqueue(y, tower, "Soldier"), KN_OK);
    ASSERT_STOCK(y, y->player, 995, 500);
    ASSERT_STOCK(y, y->rival, 940, 490);
    kn_product_item items[2];
    assert_int_equal(kn_producer_queue(y->world, tower, items, 2), 2);
    assert_true(kn_entity_id_equal(items[0].payer, y->player));
    assert_true(kn_entity_id_equal(items[1].payer, y->rival));
    assert_int_equal(kn_product_cancel(y->world, tower, 0), KN_OK);
    ASSERT_STOCK(y, y->player, 1000, 500);
    // A payer who is gone gets nothing, and nobody else does.
    kn_entity_destroy(y->world, y->rival);
    assert_int_equal(kn_product_cancel(y->world, tower, 0), KN_OK);
    ASSERT_STOCK(y, y->player, 1000, 500);
    ASSERT_STOCK(y, tower, 1000, 500);
    step(y, 1);
    assert_float_equal(last_event(y, "Knack.ProductCancelled").refunded, 0, 0);
}

static void a_product_whose_payer_is_gone_is_made_all_the_same(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    kn_entity_destroy(y->world, y->player);
    step(y, KN_S(10));
    assert_string_equal(happened(y), "Queued(Soldier) Started(Soldier) Finished(Soldier)");
}

static void the_death_of_a_producer_refunds_its_queue_or_loses_it(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y), tower = spawn_at(y, "Alone", y->player, 0, 0);
    gain(y, y->player, "Tech.Bows");
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(enqueue(y, b, "Archer"), KN_OK);
    assert_int_equal(enqueue(y, tower, "Bolt"), KN_OK);
    step(y, KN_MS(100));
    kn_entity_destroy(y->world, b);
    ASSERT_STOCK(y, y->player, 1000 - 50 - 5, 500); // an archer returns half
    kn_entity_destroy(y->world, tower);
    ASSERT_STOCK(y, y->player, 1000 - 50 - 5, 500);
    step(y, KN_S(30));
    assert_string_equal(happened(y), "Cancelled(Archer) Cancelled(Soldier) Cancelled(Bolt)");
    // One that only loses its life is the same.
    b = barracks(y);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(kn_entity_set_tag_count(y->world, b, tag_of(y, "Knack.Status.Alive"),
                         KN_TAG_ORIGIN_LOOSE_SYNCED, 0),
        KN_OK);
    ASSERT_STOCK(y, y->player, 1000 - 50 - 5, 500);
    assert_int_equal(info_of(y, b).queue_count, 0);
}

static void another_owner_ends_keeps_or_loses_the_queue(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y), tower = spawn_at(y, "Alone", y->player, 0, 0);
    kn_entity_id keep = spawn(y, "Keep", y->player);
    const kn_rally_point point = {.location = {1, 2, 3}};
    gain(y, keep, "Knack.Status.Constructing"); // so that its queue stays
    assert_int_equal(kn_rally_set(y->world, b, &point, 1), KN_OK);
    assert_int_equal(kn_rally_set(y->world, tower, &point, 1), KN_OK);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(enqueue(y, tower, "Soldier"), KN_OK);
    assert_int_equal(enqueue(y, keep, "Token"), KN_OK);
    kn_entity_id *const all[] = {&b, &tower, &keep};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kn_entity_set_owner(y->world, *all[i], y->rival), KN_OK);
    }
    ASSERT_STOCK(y, y->player, 940, 490); // that of the tower
    assert_int_equal(info_of(y, b).queue_count, 0);
    assert_int_equal(info_of(y, tower).queue_count, 1);
    assert_int_equal(info_of(y, keep).queue_count, 0);
    assert_int_equal(kn_rally_get(y->world, b, NULL, 0), 0);
    assert_int_equal(kn_rally_get(y->world, tower, NULL, 0), 1);
    step(y, KN_S(10));
    kn_entity_id made = last_event(y, "Knack.ProductFinished").created;
    assert_true(kn_entity_id_equal(kn_entity_owner(y->world, made), y->rival));
}

// What is made ------------------------------------------------------------------------

static void a_new_unit_belongs_to_the_owner_and_stands_beside_its_producer(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    kn_body body;
    assert_int_equal(kn_entity_set_connection(y->world, b, 7), KN_OK);
    assert_int_equal(enqueue(y, b, "Guard"), KN_OK);
    assert_int_equal(enqueue(y, b, "Guard"), KN_OK);
    step(y, KN_S(4));
    kn_product_event event = last_event(y, "Knack.ProductFinished");
    assert_true(kn_entity_id_equal(kn_entity_owner(y->world, event.created), y->player));
    assert_int_equal(kn_entity_connection(y->world, event.created), 7);
    assert_true(kn_grid_get_body(y->grid, event.created, &body));
    assert_float_equal(body.position.x, 10 + 3 + 0.25f + 0.5f, 1e-5f); // where it looks
    assert_float_equal(body.position.y, 20, 1e-5f);
    assert_float_equal(body.radius, 0.5f, 0);
    assert_true(kn_entity_id_equal(hooks.last.created, event.created));
    assert_true(kn_entity_id_equal(hooks.last.payer, y->player));
    assert_true(kn_entity_id_equal(hooks.maker, b));
    assert_float_equal(hooks.last.location.x, body.position.x, 0);
    // The place is taken: the next one stands a little further round.
    const kn_rally_point point = {.location = {200, 20, 0}};
    assert_int_equal(kn_rally_set(y->world, b, &point, 1), KN_OK);
    step(y, KN_S(4));
    assert_true(kn_grid_get_body(y->grid, last_event(y, "Knack.ProductFinished").created, &body));
    assert_float_equal(body.position.x, 10 + 3.75f * 0.92387953f, 1e-4f);
    assert_float_equal(body.position.y, 20 + 3.75f * 0.38268343f, 1e-4f);
}

static void new_units_leave_towards_the_rally_point_or_at_the_exit(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y), tower = spawn_at(y, "Alone", y->player, 50, 60);
    const kn_rally_point point = {.location = {10, -100, 0}};
    kn_body body;
    assert_int_equal(kn_rally_set(y->world, b, &point, 1), KN_OK);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    step(y, KN_S(10));
    kn_entity_id first = last_event(y, "Knack.ProductFinished").created;
    assert_true(kn_grid_get_body(y->grid, first, &body));
    assert_float_equal(body.position.x, 10, 1e-5f);
    assert_float_equal(body.position.y, 20 - 3.75f, 1e-5f);
    assert_int_equal(enqueue(y, tower, "Bolt"), KN_OK);
    step(y, KN_S(1));
    assert_true(kn_grid_get_body(y->grid, last_event(y, "Knack.ProductFinished").created, &body));
    assert_float_equal(body.position.x, 50, 0);
    assert_float_equal(body.position.y, 64, 0);
    assert_float_equal(body.position.z, 1, 0);
    // What is on other layers is not in the way.
    kn_entity_id ghost = spawn(y, "Soldier", y->player);
    place(y, ghost, 10, 20 - 3.75f, 1);
    assert_true(kn_grid_get_body(y->grid, ghost, &body));
    body.layers = 2;
    assert_int_equal(kn_grid_set_body(y->grid, ghost, &body), KN_OK);
    kn_entity_destroy(y->world, first);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    step(y, KN_S(10));
    assert_true(kn_grid_get_body(y->grid, last_event(y, "Knack.ProductFinished").created, &body));
    assert_float_equal(body.position.x, 10, 1e-5f);
    // Without a place there is no body.
    kn_entity_id nowhere = spawn(y, "Barracks", y->player);
    assert_int_equal(enqueue(y, nowhere, "Soldier"), KN_OK);
    step(y, KN_S(10));
    assert_false(kn_grid_get_body(y->grid, last_event(y, "Knack.ProductFinished").created, &body));
}

static void research_applies_an_effect_and_sends_an_event(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    uint32_t entities = kn_entity_count(y->world);
    assert_int_equal(enqueue(y, b, "Faith"), KN_OK);
    step(y, KN_S(3));
    assert_int_equal(last_event(y, "Knack.ProductFinished").created.index1, 0);
    assert_int_equal(kn_entity_count(y->world), entities);
    assert_true(kn_entity_has_tag(y->world, y->player, tag_of(y, "Tech.Bows")));
    assert_false(kn_entity_has_tag(y->world, b, tag_of(y, "Tech.Bows")));
    assert_int_equal(enqueue(y, b, "Archer"), KN_OK);
    assert_int_equal(enqueue(y, b, "Token"), KN_OK);
    step(y, KN_S(8));
    assert_int_equal(tokens, 1);
}

static void during_destroy(kn_world *world, kn_entity_id maker)
{
    (void)kn_entity_destroy(world, maker);
}

static void during_cancel(kn_world *world, kn_entity_id maker)
{
    assert_int_equal(kn_product_cancel(world, maker, -1), KN_OK);
}

static void during_queue(kn_world *world, kn_entity_id maker)
{
    hooks.during = NULL;
    assert_int_equal(
        kn_product_enqueue(world, maker, kn_product_find(kn_world_library(world), "Soldier"), NULL),
        KN_OK);
}

static void during_remove(kn_world *world, kn_entity_id maker)
{
    assert_int_equal(kn_producer_remove(world, maker), KN_OK);
}

static void hooks_may_do_anything_to_the_producer(void **state)
{
    yard *y = *state;
    void (*const all[])(kn_world *, kn_entity_id) = {
        during_destroy, during_cancel, during_queue, during_remove};
    const float gold[] = {1000 - 30, 1000 - 30, 1000 - 30 - 60 - 60, 1000 - 30};
    for (size_t i = 0; i < 4; i++) {
        stock_set(y, y->player, "Stock.Gold", 1000);
        kn_entity_id b = barracks(y);
        hooks.during = all[i];
        assert_int_equal(enqueue(y, b, "Guard"), KN_OK);
        assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
        step(y, KN_S(4));
        assert_float_equal(stock(y, y->player, "Stock.Gold"), gold[i], 0);
        kn_producer_info info;
        assert_int_equal(kn_producer_get_info(y->world, b, &info), i == 1 || i == 2);
        assert_int_equal(info.queue_count, i == 2 ? 2 : 0);
        assert_true(kn_world_validate(y->world));
        step(y, KN_S(30));
    }
    assert_int_equal(hooks.created, 4);
}

static void a_producer_may_be_added_and_removed(void **state)
{
    yard *y = *state;
    kn_producer_id type = kn_producer_find(y->library, "Tower");
    kn_entity_id entity = spawn(y, "Player", (kn_entity_id){0});
    assert_int_equal(kn_producer_remove(y->world, entity), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_producer_add(y->world, entity, (kn_producer_id){0}), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_producer_add(y->world, entity, (kn_producer_id){9}), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_producer_add(y->world, entity, type), KN_OK);
    assert_int_equal(kn_producer_add(y->world, entity, type), KN_REFUSED_DUPLICATE);
    assert_int_equal(info_of(y, entity).type.index1, type.index1);
    assert_int_equal(enqueue(y, entity, "Soldier"), KN_OK);
    ASSERT_STOCK(y, entity, 940, 490);
    assert_int_equal(kn_producer_remove(y->world, entity), KN_OK);
    ASSERT_STOCK(y, entity, 1000, 500);
    step(y, KN_S(20));
    assert_string_equal(happened(y), "Queued(Soldier) Started(Soldier) Cancelled(Soldier)");
    kn_producer_info info;
    assert_false(kn_producer_get_info(y->world, entity, &info));
    kn_entity_destroy(y->world, entity);
    assert_int_equal(kn_producer_add(y->world, entity, type), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_producer_add(NULL, entity, type), KN_ERROR_INVALID_ARGUMENT);
}

// Rally points --------------------------------------------------------------------------

static kn_unit_info orders_of(const yard *y, kn_entity_id unit)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(y->world, unit, &info));
    return info;
}

// Makes a soldier now, and returns it.
static kn_entity_id soldier_of(yard *y, kn_entity_id b)
{
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    step(y, KN_S(10));
    return last_event(y, "Knack.ProductFinished").created;
}

// ORD-021: a rally point is set by an instant order.
static void new_units_go_to_the_rally_point(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    kn_entity_id unit = soldier_of(y, b);
    assert_true(orders_of(y, unit).is_idle);
    kn_order rally = kn_order_at(order_type(y, "Knack.Rally"), (kn_vec3){30, 40, 5});
    assert_int_equal(kn_order_issue(y->world, b, &rally, NULL), KN_OK);
    assert_true(orders_of(y, b).is_idle);
    unit = soldier_of(y, b);
    kn_unit_info info = orders_of(y, unit);
    assert_int_equal(info.current.type.index1, order_type(y, "Knack.Move").index1);
    assert_float_equal(info.current.location.x, 30, 0);
    assert_float_equal(info.current.location.z, 5, 0);
    assert_int_equal(info.queue_count, 0);
    // Another point after it.
    rally.index = 1;
    rally.location = (kn_vec3){50, 60, 0};
    assert_int_equal(kn_order_issue(y->world, b, &rally, NULL), KN_OK);
    info = orders_of(y, soldier_of(y, b));
    assert_float_equal(info.current.location.x, 30, 0);
    assert_int_equal(info.queue_count, 1);
    // A unit that has something to do already does that.
    is_busy = true;
    info = orders_of(y, soldier_of(y, b));
    assert_int_equal(info.current.type.index1, order_type(y, "Escort").index1);
    assert_int_equal(info.queue_count, 0);
    is_busy = false;
    // One that replaces them, and one that ends it.
    rally.index = -1;
    assert_int_equal(kn_order_issue(y->world, b, &rally, NULL), KN_OK);
    assert_int_equal(kn_rally_get(y->world, b, NULL, 0), 1);
    rally = kn_order_on(order_type(y, "Knack.Rally"), b);
    assert_int_equal(kn_order_issue(y->world, b, &rally, NULL), KN_OK);
    assert_int_equal(kn_rally_get(y->world, b, NULL, 0), 0);
    assert_true(orders_of(y, soldier_of(y, b)).is_idle);
}

static void a_rally_point_may_be_an_entity(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y), hero = spawn_at(y, "Soldier", y->player, 70, 80);
    kn_entity_id foe = spawn_at(y, "Soldier", y->rival, 90, 95);
    kn_order rally = kn_order_on(order_type(y, "Knack.Rally"), hero);
    assert_int_equal(kn_order_issue(y->world, b, &rally, NULL), KN_OK);
    kn_unit_info info = orders_of(y, soldier_of(y, b));
    assert_int_equal(info.current.type.index1, order_type(y, "Escort").index1);
    assert_true(kn_entity_id_equal(info.current.target, hero));
    // An entity that is refused: the fallback goes where it is.
    rally.target = foe;
    assert_int_equal(kn_order_issue(y->world, b, &rally, NULL), KN_OK);
    info = orders_of(y, soldier_of(y, b));
    assert_int_equal(info.current.type.index1, order_type(y, "Knack.Move").index1);
    assert_float_equal(info.current.location.x, 90, 0);
    kn_rally_point point;
    assert_int_equal(kn_rally_get(y->world, b, &point, 1), 1);
    assert_true(kn_entity_id_equal(point.target, foe));
    kn_entity_destroy(y->world, foe);
    step(y, 1);
    assert_int_equal(kn_rally_get(y->world, b, &point, 1), 0);
    assert_true(orders_of(y, soldier_of(y, b)).is_idle);
}

static void rally_points_are_checked(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y), gone = spawn(y, "Soldier", y->player);
    kn_rally_point points[9] = {{.location = {1, 2, 3}}};
    kn_entity_destroy(y->world, gone);
    assert_int_equal(kn_rally_set(y->world, b, points, 8), KN_OK);
    assert_int_equal(kn_rally_set(y->world, b, points, 9), KN_REFUSED_LIMIT);
    assert_int_equal(kn_rally_set(y->world, b, NULL, 1), KN_ERROR_INVALID_ARGUMENT);
    points[0].location.y = INFINITY;
    assert_int_equal(kn_rally_set(y->world, b, points, 1), KN_REFUSED_BAD_NUMBER);
    points[0] = (kn_rally_point){.target = gone};
    assert_int_equal(kn_rally_set(y->world, b, points, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rally_get(y->world, b, NULL, 0), 8); // as it was
    assert_int_equal(kn_rally_set(y->world, gone, NULL, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rally_set(y->world, y->player, NULL, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rally_set(NULL, b, NULL, 0), KN_ERROR_INVALID_ARGUMENT);
    kn_order rally = kn_order_at(order_type(y, "Knack.Rally"), (kn_vec3){0});
    rally.index = 1; // a ninth one
    assert_int_equal(kn_order_issue(y->world, b, &rally, NULL), KN_REFUSED_CUSTOM);
}

// Orders ------------------------------------------------------------------------------

// OD-020: the index of an order says what is produced.
static void production_is_commanded_by_orders(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    kn_order order = kn_order_of(order_type(y, "Knack.Produce"));
    kn_order_answer answer;
    order.index = 1;
    assert_int_equal(kn_order_issue(y->world, b, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Tech.Bows").index1);
    order.index = 0;
    assert_int_equal(kn_order_issue(y->world, b, &order, NULL), KN_OK);
    order.index = 2;
    assert_int_equal(kn_order_issue(y->world, b, &order, NULL), KN_OK);
    static const int32_t bad[] = {-1, 4, 6, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        order.index = bad[i];
        assert_int_equal(kn_order_issue(y->world, b, &order, NULL), KN_REFUSED_REQUIREMENT);
    }
    kn_product_item items[3];
    assert_int_equal(kn_producer_queue(y->world, b, items, 3), 2);
    assert_int_equal(items[0].product.index1, product(y, "Soldier").index1);
    assert_int_equal(items[1].product.index1, product(y, "Faith").index1);
    stock_set(y, y->player, "Stock.Gold", 0);
    order.index = 0;
    assert_int_equal(kn_order_issue(y->world, b, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Knack.Order.Cost").index1);

    kn_order cancel = kn_order_of(order_type(y, "Knack.CancelProduct"));
    cancel.index = 2;
    assert_int_equal(kn_order_issue(y->world, b, &cancel, NULL), KN_REFUSED_REQUIREMENT);
    cancel.index = -2;
    assert_int_equal(kn_order_issue(y->world, b, &cancel, NULL), KN_REFUSED_REQUIREMENT);
    cancel.index = -1;
    assert_int_equal(kn_order_issue(y->world, b, &cancel, NULL), KN_OK);
    assert_int_equal(kn_producer_queue(y->world, b, items, 3), 1);
    cancel.index = 0;
    assert_int_equal(kn_order_issue(y->world, b, &cancel, NULL), KN_OK);
    ASSERT_STOCK(y, y->player, 60, 500);
    assert_int_equal(kn_order_issue(y->world, b, &cancel, NULL), KN_REFUSED_REQUIREMENT);
    assert_true(orders_of(y, b).is_idle);
}

static void what_is_being_built_does_not_produce(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y), unit = spawn(y, "Soldier", y->player);
    kn_order order = kn_order_of(order_type(y, "Knack.Produce"));
    kn_order_answer answer;
    gain(y, b, "Knack.Status.Constructing");
    order.index = 0;
    assert_int_equal(kn_order_issue(y->world, b, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(
        answer.errors.blocking[0].index1, tag_of(y, "Knack.Status.Constructing").index1);
    // Units that produce nothing.
    assert_int_equal(kn_order_issue(y->world, unit, &order, NULL), KN_REFUSED_REQUIREMENT);
    order = kn_order_at(order_type(y, "Knack.Rally"), (kn_vec3){1, 1, 1});
    assert_int_equal(kn_order_issue(y->world, unit, &order, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_order_issue(y->world, b, &order, NULL), KN_OK);
}

// Copies of the world -------------------------------------------------------------------

static void a_queue_is_saved_in_the_middle(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    const kn_rally_point point = {.location = {30, 40, 0}};
    size_t size, taken;
    assert_int_equal(kn_rally_set(y->world, b, &point, 1), KN_OK);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    assert_int_equal(enqueue(y, b, "Faith"), KN_OK);
    step(y, KN_MS(6789));
    void *save = save_of(y->world, &size), *snapshot = snapshot_of(y->world, &taken);
    step(y, KN_S(5));
    kn_world *other = world_of(y->library, false);
    save_load(other, save, size);
    assert_int_equal(kn_world_step(other, KN_S(5)), KN_OK);
    kn_product_item items[2];
    assert_int_equal(kn_producer_queue(other, b, items, 2), 1);
    assert_int_equal(items[0].done_at, KN_S(13));
    kn_world_destroy(other);
    uint64_t hash = kn_world_hash(y->world);
    snapshot_restore(y->world, snapshot, taken);
    assert_int_equal(info_of(y, b).queue_count, 2);
    step(y, KN_S(5));
    assert_true(kn_world_hash(y->world) == hash);
    free(save);
    free(snapshot);
}

static void clients_see_their_own_queues_and_cannot_change_them(void **state)
{
    yard *y = *state;
    kn_entity_id b = barracks(y);
    assert_int_equal(enqueue(y, b, "Soldier"), KN_OK);
    step(y, KN_S(1));
    const kn_entity_id shown[] = {y->player, b};
    for (int i = 0; i < 2; i++) {
        kn_world *client = world_of(y->library, true);
        kn_product_item item;
        project(y->world, client, shown, 2, i == 0 ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS);
        assert_int_equal(kn_producer_queue(client, b, &item, 1), i == 0);
        if (i == 0) {
            assert_int_equal(item.done_at, KN_S(10));
            assert_int_equal(kn_product_check(client, b, product(y, "Soldier"), NULL), KN_OK);
        }
        assert_int_equal(
            kn_product_enqueue(client, b, product(y, "Soldier"), NULL), KN_REFUSED_BLOCKED);
        assert_int_equal(kn_product_cancel(client, b, 0), KN_REFUSED_BLOCKED);
        assert_int_equal(kn_producer_remove(client, b), KN_REFUSED_BLOCKED);
        assert_int_equal(kn_rally_set(client, b, NULL, 0), KN_REFUSED_BLOCKED);
        assert_int_equal(kn_producer_add(client, y->player, kn_producer_find(y->library, "Keep")),
            KN_REFUSED_BLOCKED);
        assert_int_equal(kn_world_step(client, KN_S(20)), KN_OK);
        kn_world_destroy(client);
    }
}

// Conservation --------------------------------------------------------------------------

typedef struct ledger {
    float spent;    // products that were finished, or lost
    float refunded; // what came back
} ledger;

static float price_of(const yard *y, kn_product_id id)
{
    const kn_product_def *def = kn_product_get_def(y->library, id);
    float sum = 0;
    for (uint32_t i = 0; i < def->cost_count; i++) {
        sum += def->costs[i].amount;
    }
    return sum;
}

static float wealth(const yard *y, kn_entity_id entity)
{
    return stock(y, entity, "Stock.Gold") + stock(y, entity, "Stock.Wood");
}

// Adds up the events of the last step.
static void ledger_read(const yard *y, ledger *l)
{
    kn_events events = kn_world_events(y->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM) {
            continue;
        }
        const char *name = kn_custom_event_name(y->library, event->data.custom.kind);
        const kn_product_event *e = kn_event_payload(y->world, event, &size);
        if (strcmp(name, "Knack.ProductFinished") == 0) {
            l->spent += price_of(y, e->product);
        } else if (strcmp(name, "Knack.ProductCancelled") == 0) {
            l->spent += price_of(y, e->product) * (1 - e->refunded);
            l->refunded += price_of(y, e->product) * e->refunded;
        }
    }
}

static uint32_t dice(uint32_t *seed, uint32_t sides)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % sides;
}

static float queued_wealth(const yard *y, const kn_entity_id *producers, uint32_t count)
{
    float sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        kn_product_item items[16];
        uint32_t n = kn_producer_queue(y->world, producers[i], items, 16);
        for (uint32_t j = 0; j < n && j < 16; j++) {
            sum += price_of(y, items[j].product);
        }
    }
    return sum;
}

// One act of chance; `producers` may be replaced.
static void act(yard *y, kn_entity_id *producers, uint32_t count, uint32_t *seed)
{
    static const char *const names[] = {"Soldier", "Archer", "Faith", "Guard", "Bolt", "Token"};
    kn_entity_id *p = &producers[dice(seed, count)];
    switch (dice(seed, 12)) {
    case 0:
        (void)kn_product_cancel(y->world, *p, (int32_t)dice(seed, 5) - 1);
        break;
    case 1:
        (void)kn_entity_set_owner(y->world, *p, dice(seed, 2) == 0 ? y->player : y->rival);
        break;
    case 2:
        if (dice(seed, 3) == 0) {
            (void)kn_entity_destroy(y->world, *p);
            *p = dice(seed, 2) == 0 ? spawn_at(y, "Alone", y->rival, (float)dice(seed, 50), 4)
                                    : barracks(y);
        }
        break;
    case 3:
        hooks.cannot_finish = dice(seed, 3) == 0;
        break;
    case 4:
        (void)(kn_entity_has_tag(y->world, *p, tag_of(y, "State.Stunned"))
                   ? kn_entity_remove_tag(
                         y->world, *p, tag_of(y, "State.Stunned"), KN_TAG_ORIGIN_LOOSE, 1)
                   : kn_entity_add_tag(
                         y->world, *p, tag_of(y, "State.Stunned"), KN_TAG_ORIGIN_LOOSE, 1));
        break;
    default:
        (void)enqueue(y, *p, names[dice(seed, 6)]);
        break;
    }
}

// Plays the same acts with steps of any length in between.
static uint64_t play_at_random(uint32_t seed, int64_t pieces, bool is_synced)
{
    yard *y = yard_of(library_create());
    kn_entity_id producers[4];
    ledger l = {0};
    for (uint32_t i = 0; i < 4; i++) {
        producers[i] = i % 2 == 0 ? barracks(y) : spawn_at(y, "Alone", y->rival, 0, (float)i);
    }
    stock_set(y, y->player, "Stock.Gold", 100000);
    stock_set(y, y->rival, "Stock.Gold", 100000);
    for (int turn = 0; turn < 300; turn++) {
        act(y, producers, 4, &seed);
        act(y, producers, 4, &seed);
        for (int64_t i = 0; i < pieces; i++) {
            size_t size;
            void *before = is_synced ? snapshot_of(y->world, &size) : NULL;
            const kn_time dt = (i + 1) * 700001 / pieces - i * 700001 / pieces;
            step(y, dt);
            if (before != NULL) {
                uint64_t hash = kn_world_hash(y->world);
                snapshot_restore(y->world, before, size);
                step(y, dt);
                assert_true(hash == kn_world_hash(y->world));
                free(before);
            }
            ledger_read(y, &l);
        }
        const float all = 200000 + 1000;
        const float now =
            wealth(y, y->player) + wealth(y, y->rival) + queued_wealth(y, producers, 4) + l.spent;
        assert_float_equal(now, all, 0.01f);
    }
    assert_true(l.spent > 1000 && l.refunded > 1000);
    uint64_t hash = kn_world_hash(y->world);
    yard_destroy(y);
    return hash;
}

static void nothing_is_invented_or_lost(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 4 / SHARE(4); seed++) {
        memset(&hooks, 0, sizeof(hooks));
        uint64_t hash = play_at_random(seed, 1, seed == 1);
        memset(&hooks, 0, sizeof(hooks));
        assert_true(play_at_random(seed, 7, false) == hash);
        memset(&hooks, 0, sizeof(hooks));
        assert_true(play_at_random(seed, 100, false) == hash);
    }
}

// Bad input -------------------------------------------------------------------------------

static void definitions_that_make_no_sense_are_refused(void **state)
{
    static const char *const texts[] = {
        "products: {A: {time: 1}}\n",
        "products: {A: {archetype: Thing, time: -1}}\n",
        "products: {A: {archetype: Thing, refund: 1.5}}\n",
        "products: {A: {archetype: Thing, refund: -0.5}}\n",
        "products: {A: {archetype: Thing, loss_refund: 2}}\n",
        "products: {A: {archetype: Thing, radius: -1}}\n",
        "products: {A: {archetype: Thing, builder_speed: -1}}\n",
        "products: {A: {event: Tag.A, site: true}}\n",
        "products: {A: {archetype: Thing, costs: [{attribute: Stock.Gold, amount: -5}]}}\n",
        "products: {A: {archetype: Thing, costs: [{amount: 5}]}}\n",
        "products: {A: {event: Tag.A, costs: [{attribute: Stock.Gold}, {attribute: Stock.Gold}]}}",
        "products: {A: {archetype: Nothing}}\n",
        "producers: {A: {products: [Nothing]}}\n",
        "producers: {A: {exit_gap: -1}}\n",
        "producers: {A: {on_death: later}}\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char text[1024];
        kn_library *library = NULL;
        (void)snprintf(text, sizeof(text),
            "kits: [production]\ntags: [Tag.A]\nattribute_sets: {Stock: {attributes: {Gold: 1}}}\n"
            "archetypes: {Thing: {tags: [Tag.A]}}\n%s",
            texts[i]);
        kn_data *data = data_with(text, NULL);
        assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
        assert_true(kn_data_message_count(data) > 0);
        assert_int_equal(kn_data_message_at(data, 0).line, 5);
        kn_data_destroy(data);
    }
}

static void a_library_without_production_has_none(void **state)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    kn_product_def product_def = kn_product_def_default();
    kn_producer_def producer_def = kn_producer_def_default();
    (void)state;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    assert_false(kn_order_produce_is_there(library));
    assert_false(kn_order_produce_is_there(NULL));
    product_def.name = producer_def.name = "A";
    assert_int_equal(
        kn_product_register(library, &product_def, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_producer_register(library, &producer_def, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_product_find(library, "A").index1, 0);
    assert_int_equal(kn_producer_find(library, "A").index1, 0);
    assert_int_equal(kn_order_produce_register(NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_order_produce_register(library, NULL), KN_OK);
    assert_true(kn_order_is_there(library)); // it brings the order kit along
    assert_int_equal(kn_order_produce_register(library, NULL), KN_REFUSED_DUPLICATE);
    product_def.event = kn_tag_find(library, "Knack.Order.Cost");
    kn_product_id id;
    assert_int_equal(kn_product_register(library, &product_def, &id, NULL), KN_OK);
    assert_int_equal(kn_product_register(library, &product_def, &id, NULL), KN_REFUSED_DUPLICATE);
    assert_string_equal(kn_product_get_def(library, kn_product_find(library, "A"))->name, "A");
    assert_int_equal(kn_producer_register(library, &producer_def, NULL, NULL), KN_OK);
    kn_library_destroy(library);
}

// The guide ---------------------------------------------------------------------------------

// The first block of YAML of the guide.
static void block_read(char *text, size_t size)
{
    FILE *file = fopen(ORDER_DOCS "/production.md", "r");
    char line[512];
    size_t length = 0;
    bool is_open = false;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            if (is_open) {
                break;
            }
            is_open = true;
        } else if (is_open) {
            length += (size_t)snprintf(text + length, size - length, "%s", line);
            assert_true(length < size);
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void order_give(yard *y, kn_entity_id unit, kn_order order, int32_t index)
{
    order.index = index;
    assert_int_equal(kn_order_issue(y->world, unit, &order, NULL), KN_OK);
}

// A hall makes a worker, who gathers, and builds barracks, which learn and make a soldier.
static void the_example_of_the_guide_plays(void **state)
{
    static char text[16 * 1024];
    (void)state;
    block_read(text, sizeof(text));
    yard *y = yard_of(library_build(data_with(text, NULL)));
    kn_entity_id hall = spawn_at(y, "Hall", y->player, 0, 0);
    kn_entity_id mine = spawn_at(y, "Mine", (kn_entity_id){0}, 12, 0);
    order_give(y, hall, kn_order_on(order_type(y, "Knack.Rally"), mine), -1);
    order_give(y, hall, kn_order_of(order_type(y, "Knack.Produce")), 0);
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 150, 0);
    step(y, KN_S(8));
    kn_entity_id worker = last_event(y, "Knack.ProductFinished").created;
    assert_int_equal(orders_of(y, worker).current.type.index1, order_type(y, "Gather").index1);
    step(y, KN_S(12));
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 160, 0);
    order_give(y, worker, kn_order_at(order_type(y, "Build"), (kn_vec3){0, 10, 0}), 0);
    kn_order back = kn_order_on(order_type(y, "Gather"), mine);
    assert_int_equal(kn_order_enqueue(y->world, worker, &back, NULL), KN_OK);
    step(y, KN_S(5));
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 10, 0);
    step(y, KN_S(20));
    kn_entity_id b = last_event(y, "Knack.ProductFinished").created;
    order_give(y, b, kn_order_at(order_type(y, "Knack.Rally"), (kn_vec3){9, 30, 0}), -1);
    order_give(y, b, kn_order_of(order_type(y, "Knack.Produce")), 1);
    step(y, KN_S(30));
    assert_true(stock(y, y->player, "Stock.Gold") >= 60); // the worker is at the mine again
    order_give(y, b, kn_order_of(order_type(y, "Knack.Produce")), 0);
    step(y, KN_S(13));
    kn_entity_id soldier = last_event(y, "Knack.ProductFinished").created;
    assert_int_equal(orders_of(y, soldier).current.type.index1, order_type(y, "Walk").index1);
    step(y, KN_S(10));
    kn_body body;
    assert_true(kn_grid_get_body(y->grid, soldier, &body));
    assert_float_equal(body.position.x, 9, 1e-3f);
    assert_float_equal(body.position.y, 30, 1e-3f);
    yard_destroy(y);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(the_owner_pays_when_a_product_is_queued),
    TEST(a_producer_without_an_owner_pays_itself),
    TEST(a_price_is_paid_as_a_whole_or_not_at_all),
    TEST(what_an_attribute_does_not_give_is_not_paid),
    TEST(a_payer_without_the_attribute_cannot_pay),
    TEST(tags_of_producer_and_payer_are_needed),
    TEST(queues_and_products_have_limits),
    TEST(what_a_producer_cannot_make_is_not_found),
    TEST(a_hook_may_refuse_a_product),
    TEST(products_are_made_one_after_the_other_at_their_exact_time),
    TEST(the_length_of_steps_does_not_show),
    TEST(a_tag_pauses_production_and_nothing_is_lost),
    TEST(what_takes_no_time_is_done_at_once),
    TEST(what_queues_itself_without_taking_time_does_not_stop_the_world),
    TEST(a_product_that_cannot_be_created_waits),
    TEST(what_is_cancelled_is_refunded_and_others_move_up),
    TEST(the_one_who_paid_gets_it_back),
    TEST(a_product_whose_payer_is_gone_is_made_all_the_same),
    TEST(the_death_of_a_producer_refunds_its_queue_or_loses_it),
    TEST(another_owner_ends_keeps_or_loses_the_queue),
    TEST(a_new_unit_belongs_to_the_owner_and_stands_beside_its_producer),
    TEST(new_units_leave_towards_the_rally_point_or_at_the_exit),
    TEST(research_applies_an_effect_and_sends_an_event),
    TEST(hooks_may_do_anything_to_the_producer),
    TEST(a_producer_may_be_added_and_removed),
    TEST(new_units_go_to_the_rally_point),
    TEST(a_rally_point_may_be_an_entity),
    TEST(rally_points_are_checked),
    TEST(production_is_commanded_by_orders),
    TEST(what_is_being_built_does_not_produce),
    TEST(a_queue_is_saved_in_the_middle),
    TEST(clients_see_their_own_queues_and_cannot_change_them),
    cmocka_unit_test(nothing_is_invented_or_lost),
    cmocka_unit_test(definitions_that_make_no_sense_are_refused),
    cmocka_unit_test(a_library_without_production_has_none),
    cmocka_unit_test(the_example_of_the_guide_plays),
};

TEST_GROUP(order_produce, tests, NULL, NULL);
