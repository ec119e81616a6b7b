// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Gates: another part of a game has a say in products.

#include "produce_test.h"

#include <math.h>

static const char content[] =
    "kits: [production]\n"
    "tags: [Unit.Barracks, Unit.Worker, State.Closed, Tech.Bows]\n"
    "attribute_sets:\n"
    "  Stock: {attributes: {Gold: 100}}\n"
    "archetypes:\n"
    "  Player: {sets: [Stock]}\n"
    "  Barracks: {tags: [Unit.Barracks, Knack.Status.Alive]}\n"
    "  Worker: {tags: [Unit.Worker, Knack.Status.Alive]}\n"
    "  Soldier: {}\n"
    "products:\n"
    "  Soldier: {archetype: Soldier, time: 10, costs: [{attribute: Stock.Gold, amount: 10}]}\n"
    "  Secret: {research: true, time: 5}\n"
    "  House: {archetype: Barracks, site: true, time: 4, builds_itself: true,\n"
    "    costs: [{attribute: Stock.Gold, amount: 20}]}\n"
    "producers:\n"
    "  Barracks: {tag: Unit.Barracks, products: [Soldier, Secret]}\n"
    "  Worker: {tag: Unit.Worker, products: [House]}\n";

static struct {
    bool is_closed, holds;
    float price; // below 0: that of the definition
    kn_time time;
    uint32_t quotes;
    char log[1024];
} gate;

static void gate_quote(
    void *user, const kn_world *world, const kn_product_case *one, kn_product_terms *terms)
{
    (void)user;
    (void)world;
    (void)one;
    gate.quotes++;
    if (gate.price >= 0) {
        terms->costs[0].amount = gate.price;
        terms->time = gate.time;
    }
}

static kn_result gate_check(
    void *user, const kn_world *world, const kn_product_case *one, kn_product_answer *answer)
{
    (void)user;
    (void)one;
    if (gate.is_closed) {
        kn_order_errors_add(&answer->errors, kn_tag_find(kn_world_library(world), "State.Closed"));
    }
    return gate.is_closed ? KN_REFUSED_REQUIREMENT : KN_OK;
}

static bool gate_may_begin(void *user, const kn_world *world, const kn_product_case *one)
{
    (void)user;
    (void)world;
    (void)one;
    return !gate.holds;
}

static void gate_changed(
    void *user, kn_world *world, const kn_product_case *one, kn_product_stage stage)
{
    static const char *const words[] = {"queued", "held", "begun", "finished", "cancelled"};
    (void)user;
    const size_t length = strlen(gate.log);
    (void)snprintf(gate.log + length, sizeof(gate.log) - length, "%s%s(%s%s%s)",
        length > 0 ? " " : "", words[stage],
        kn_product_get_def(kn_world_library(world), one->product)->name,
        one->created.index1 != 0 ? ", created" : "", one->is_begun ? ", begun" : "");
}

static const char *noted(void)
{
    static char text[sizeof(gate.log)];
    (void)snprintf(text, sizeof(text), "%s", gate.log);
    gate.log[0] = 0;
    return text;
}

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_grid_register(library, NULL, error);
}

static yard *yard_begin(void)
{
    const kn_product_gate own = {NULL, gate_quote, gate_check, gate_may_begin, gate_changed};
    kn_library *library = library_build(data_with(content, prepare));
    memset(&gate, 0, sizeof(gate));
    gate.price = -1;
    assert_int_equal(kn_product_gate_register(library, &own), KN_OK);
    assert_int_equal(kn_product_gate_register(library, &own), KN_OK); // counts once
    return yard_of(library);
}

static kn_producer_info info_of(const yard *y, kn_entity_id producer)
{
    kn_producer_info info;
    assert_true(kn_producer_get_info(y->world, producer, &info));
    return info;
}

static void a_gate_refuses_and_says_why(void **state)
{
    yard *y = yard_begin();
    kn_entity_id barracks = spawn(y, "Barracks", y->player);
    kn_product_answer answer;
    (void)state;
    step(y, 0);
    gate.is_closed = true;
    assert_int_equal(kn_product_enqueue(y->world, barracks, product(y, "Soldier"), &answer),
        KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.other_count, 1);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "State.Closed").index1);
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 100, 0);
    assert_string_equal(noted(), "");
    yard_destroy(y);
}

static void a_gate_sees_a_product_from_the_queue_to_its_end(void **state)
{
    yard *y = yard_begin();
    kn_entity_id barracks = spawn(y, "Barracks", y->player);
    (void)state;
    step(y, 0);
    assert_int_equal(kn_product_enqueue(y->world, barracks, product(y, "Soldier"), NULL), KN_OK);
    assert_int_equal(kn_product_enqueue(y->world, barracks, product(y, "Secret"), NULL), KN_OK);
    assert_string_equal(noted(), "queued(Soldier) begun(Soldier) queued(Secret)");
    step(y, KN_S(10));
    assert_string_equal(noted(), "finished(Soldier, created) begun(Secret)");
    assert_int_equal(kn_product_enqueue(y->world, barracks, product(y, "Soldier"), NULL), KN_OK);
    assert_int_equal(kn_product_cancel(y->world, barracks, 1), KN_OK);
    assert_int_equal(kn_product_cancel(y->world, barracks, 0), KN_OK);
    assert_string_equal(noted(), "queued(Soldier) cancelled(Soldier) cancelled(Secret, begun)");
    yard_destroy(y);
}

static void a_product_that_may_not_begin_is_held_and_tried_again(void **state)
{
    yard *y = yard_begin();
    kn_entity_id barracks = spawn(y, "Barracks", y->player);
    kn_product_item item;
    (void)state;
    step(y, 0);
    assert_int_equal(kn_producer_retry(y->world, barracks), KN_REFUSED_NOT_FOUND);
    gate.holds = true;
    assert_int_equal(kn_product_enqueue(y->world, barracks, product(y, "Soldier"), NULL), KN_OK);
    assert_string_equal(noted(), "queued(Soldier) held(Soldier)");
    step(y, KN_S(3));
    assert_int_equal(info_of(y, barracks).state, KN_PRODUCER_HOLDS);
    assert_int_equal(kn_producer_queue(y->world, barracks, &item, 1), 1);
    assert_true(item.done_at == KN_TIME_INFINITE && item.progress == 0);
    assert_int_equal(kn_producer_retry(y->world, barracks), KN_OK); // in vain
    assert_string_equal(noted(), "");
    gate.holds = false;
    assert_int_equal(kn_producer_retry(y->world, barracks), KN_OK);
    assert_string_equal(noted(), "begun(Soldier)");
    assert_true(info_of(y, barracks).remaining == KN_S(10));
    assert_int_equal(kn_product_cancel(y->world, barracks, 0), KN_OK);
    gate.holds = true;
    assert_int_equal(kn_product_enqueue(y->world, barracks, product(y, "Soldier"), NULL), KN_OK);
    gate.holds = false;
    step(y, KN_S(1)); // a second later it is tried anyway
    assert_int_equal(info_of(y, barracks).state, KN_PRODUCER_WORKS);
    (void)noted();
    gate.holds = true;
    assert_int_equal(kn_product_enqueue(y->world, barracks, product(y, "Secret"), NULL), KN_OK);
    step(y, KN_S(10));
    assert_int_equal(kn_product_cancel(y->world, barracks, 0), KN_OK); // held: not begun
    assert_string_equal(
        noted(), "queued(Secret) finished(Soldier, created) held(Secret) cancelled(Secret)");
    assert_int_equal(info_of(y, barracks).state, KN_PRODUCER_IDLE);
    assert_int_equal(kn_producer_retry(y->world, y->player), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_producer_retry(y->world, (kn_entity_id){0}), KN_REFUSED_STALE_ID);
    yard_destroy(y);
}

static void a_held_queue_survives_a_save(void **state)
{
    yard *y = yard_begin();
    kn_entity_id barracks = spawn(y, "Barracks", y->player);
    (void)state;
    step(y, 0);
    gate.holds = true;
    assert_int_equal(kn_product_enqueue(y->world, barracks, product(y, "Soldier"), NULL), KN_OK);
    kn_world *copy = world_of(y->library, false);
    size_t size;
    void *save = save_of(y->world, &size);
    save_load(copy, save, size);
    free(save);
    gate.holds = false;
    assert_int_equal(kn_world_step(copy, KN_S(1)), KN_OK);
    step(y, KN_S(1));
    assert_int_equal(kn_world_hash(copy), kn_world_hash(y->world));
    assert_int_equal(info_of(y, barracks).state, KN_PRODUCER_WORKS);
    kn_world_destroy(copy);
    yard_destroy(y);
}

static void a_gate_changes_the_price_and_the_time(void **state)
{
    yard *y = yard_begin();
    kn_entity_id barracks = spawn(y, "Barracks", y->player);
    kn_product_terms terms;
    (void)state;
    step(y, 0);
    assert_true(kn_product_quote(y->world, barracks, product(y, "Soldier"), &terms));
    assert_true(terms.time == KN_S(10) && terms.cost_count == 1 && terms.costs[0].amount == 10);
    gate.price = 33;
    gate.time = KN_S(2);
    assert_true(kn_product_quote(y->world, barracks, product(y, "Soldier"), &terms));
    assert_true(terms.time == KN_S(2) && terms.costs[0].amount == 33);
    assert_int_equal(kn_product_enqueue(y->world, barracks, product(y, "Soldier"), NULL), KN_OK);
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 67, 0);
    gate.price = 5; // what was paid is refunded
    assert_int_equal(kn_product_cancel(y->world, barracks, 0), KN_OK);
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 100, 0);
    gate.price = 101;
    kn_product_answer answer;
    assert_int_equal(
        kn_product_check(y->world, barracks, product(y, "Soldier"), &answer), KN_REFUSED_COST);
    assert_true(answer.shortage_count == 1 && answer.shortages[0].amount == 1);
    gate.price = INFINITY; // a number that makes no sense is none
    gate.time = -1;
    assert_true(kn_product_quote(y->world, barracks, product(y, "Soldier"), &terms));
    assert_true(terms.time == 0 && terms.costs[0].amount == 0);
    assert_false(kn_product_quote(y->world, barracks, (kn_product_id){0}, &terms));
    assert_false(kn_product_quote(y->world, (kn_entity_id){0}, product(y, "Soldier"), &terms));
    yard_destroy(y);
}

static void a_gate_sees_sites(void **state)
{
    yard *y = yard_begin();
    kn_entity_id worker = spawn_at(y, "Worker", y->player, 0, 0), site;
    const kn_vec3 at = {9, 0, 0};
    (void)state;
    step(y, 0);
    gate.is_closed = true;
    assert_int_equal(kn_site_begin(y->world, worker, product(y, "House"), at, NULL, &site),
        KN_REFUSED_REQUIREMENT);
    gate.is_closed = false;
    gate.price = 30;
    gate.time = KN_S(8);
    assert_int_equal(kn_site_begin(y->world, worker, product(y, "House"), at, NULL, &site), KN_OK);
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 70, 0);
    assert_string_equal(noted(), "begun(House)");
    step(y, KN_S(7));
    assert_string_equal(noted(), "");
    step(y, KN_S(1));
    assert_string_equal(noted(), "finished(House, created)");
    const kn_vec3 there = {19, 0, 0};
    assert_int_equal(
        kn_site_begin(y->world, worker, product(y, "House"), there, NULL, &site), KN_OK);
    assert_int_equal(kn_site_cancel(y->world, site), KN_OK);
    assert_string_equal(noted(), "begun(House) cancelled(House, begun)");
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 70, 0);
    yard_destroy(y);
}

static kn_result other_check(
    void *user, const kn_world *world, const kn_product_case *one, kn_product_answer *answer)
{
    (void)world;
    (void)one;
    (void)answer;
    return *(const kn_result *)user;
}

static void of_several_gates_the_first_refusal_counts(void **state)
{
    yard *y = yard_begin();
    kn_entity_id barracks = spawn(y, "Barracks", y->player);
    static kn_result results[2];
    const kn_product_id soldier = product(y, "Soldier");
    (void)state;
    step(y, 0);
    for (uint32_t i = 0; i < 2; i++) {
        const kn_product_gate other = {&results[i], NULL, other_check, NULL, NULL};
        assert_int_equal(kn_product_gate_register(y->library, &other), KN_OK);
    }
    results[0] = KN_REFUSED_EXCLUSIVE;
    results[1] = KN_OK;
    assert_int_equal(kn_product_check(y->world, barracks, soldier, NULL), KN_REFUSED_EXCLUSIVE);
    results[1] = KN_REFUSED_LIMIT;
    assert_int_equal(kn_product_check(y->world, barracks, soldier, NULL), KN_REFUSED_EXCLUSIVE);
    results[1] = KN_REFUSED_REQUIREMENT; // comes before all others, as tags do
    assert_int_equal(kn_product_check(y->world, barracks, soldier, NULL), KN_REFUSED_REQUIREMENT);
    yard_destroy(y);
}

static void bad_gates_are_refused(void **state)
{
    yard *y = yard_begin();
    kn_product_gate other = {&gate, NULL, NULL, NULL, NULL};
    static char users[KN_PRODUCT_GATES_MAX];
    (void)state;
    assert_int_equal(kn_product_gate_register(y->library, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_product_gate_register(NULL, &other), KN_ERROR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < KN_PRODUCT_GATES_MAX; i++) {
        other.user = &users[i];
        assert_int_equal(kn_product_gate_register(y->library, &other),
            i + 1 < KN_PRODUCT_GATES_MAX ? KN_OK : KN_REFUSED_LIMIT);
    }
    yard_destroy(y);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_gate_refuses_and_says_why),
    cmocka_unit_test(a_gate_sees_a_product_from_the_queue_to_its_end),
    cmocka_unit_test(a_product_that_may_not_begin_is_held_and_tried_again),
    cmocka_unit_test(a_held_queue_survives_a_save),
    cmocka_unit_test(a_gate_changes_the_price_and_the_time),
    cmocka_unit_test(a_gate_sees_sites),
    cmocka_unit_test(of_several_gates_the_first_refusal_counts),
    cmocka_unit_test(bad_gates_are_refused),
};

TEST_GROUP(order_gates, tests, NULL, NULL);
