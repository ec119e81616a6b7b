// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Causes that rules of a kit name: links of the chain, with a definition of an own kind.

#include "scenario/fixture.h"
#include "scenario/order_kind.h"

typedef enum act {
    ACT_CLOSE,
    ACT_FORGET,
    ACT_NEST,
    ACT_LOOP,
} act;

static act how;
static kn_tag busy, hit;
static kn_cause_type_id order_cause, told_cause;
static kn_def_kind orders;
static uint32_t attack;
static kn_effect_type_id mark;
static kn_result opened;

// Applies an effect as part of an order.
static void order_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    kn_cause previous, inner;
    kn_cause_link link = {.type = order_cause,
        .entity = reaction->instigator,
        .tag = hit,
        .def_kind = (uint32_t)orders,
        .def1 = attack};
    opened = kn_cause_open(world, &link, &previous);
    if (opened != KN_OK) {
        return;
    }
    if (how == ACT_NEST) {
        kn_cause_link told = {.type = told_cause, .entity = reaction->entity};
        assert_int_equal(kn_cause_open(world, &told, &inner), KN_OK);
    }
    if (how == ACT_LOOP) {
        assert_int_equal(kn_event_send(world, reaction->entity, busy, NULL), KN_OK);
    }
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = mark;
    def.target = reaction->entity;
    assert_int_equal(kn_effect_apply(world, &def, NULL), KN_OK);
    if (how == ACT_NEST) {
        kn_cause_close(world, inner);
    }
    if (how != ACT_FORGET) {
        kn_cause_close(world, previous);
        (void)kn_entity_add_tag(world, reaction->entity, hit, KN_TAG_ORIGIN_LOOSE, 1);
    }
}

static int setup(void **state)
{
    fixture *f = fixture_create(3);
    *state = f;
    how = ACT_CLOSE;
    busy = tag_of(f, "Unit.Busy");
    hit = tag_of(f, "Unit.Hit");
    assert_int_equal(order_kind_register(f->library, &orders, NULL), KN_OK);
    order_def order = order_def_default();
    order.name = "Attack";
    assert_int_equal(kn_def_register(f->library, orders, &order, &attack, NULL), KN_OK);
    kn_effect_def effect = infinite("Mark");
    assert_int_equal(kn_effect_register(f->library, &effect, &mark, NULL), KN_OK);
    assert_int_equal(kn_cause_type_register(f->library, "order", NULL, &order_cause, NULL), KN_OK);
    assert_int_equal(kn_cause_type_register(
                         f->library, "told", "{entity} is told {def} ({tag})", &told_cause, NULL),
        KN_OK);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Obey";
    rule.tag = busy;
    rule.function = order_rule;
    kn_rule_id rule_id;
    assert_int_equal(kn_rule_register(f->library, &rule, &rule_id, NULL), KN_OK);
    return 0;
}

static void command(fixture *f)
{
    kn_event_record record = kn_event_record_default();
    record.instigator = f->foe;
    assert_int_equal(kn_event_send(f->world, f->hero, busy, &record), KN_OK);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
}

static const kn_event *event_of(const fixture *f, kn_event_type type)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = events.count; i-- > 0;) {
        if (events.data[i].type == type) {
            return &events.data[i];
        }
    }
    fail_msg("no event");
    return NULL;
}

static void expect_chain(const fixture *f, kn_event_type type, const char *expected)
{
    char text[512];
    (void)kn_cause_print(f->world, event_of(f, type)->cause, text, sizeof(text));
    assert_string_equal(text, expected);
}

static void a_chain_names_the_order(void **state)
{
    fixture *f = *state;
    begin(f);
    command(f);
    expect_chain(f, KN_EVENT_EFFECT_APPLIED,
        "Mark applied on entity 1 <- order Attack Unit.Hit of entity 2 <- rule about Unit.Busy on "
        "entity 1 <- event Unit.Busy on entity 1 <- host");
    kn_cause_info info;
    assert_true(kn_cause_get(f->world, event_of(f, KN_EVENT_EFFECT_APPLIED)->cause, &info));
    assert_true(kn_cause_get(f->world, info.parent, &info));
    assert_int_equal(info.kind, KN_CAUSE_CUSTOM);
    assert_int_equal(info.custom.index1, order_cause.index1);
    assert_true(kn_entity_id_equal(info.entity, f->foe));
    assert_true(kn_tag_equal(info.tag, hit));
    assert_int_equal(info.def_kind, orders);
    assert_int_equal(info.def1, attack);
    assert_int_equal(info.type.index1, 0);
    assert_int_equal(info.effect.index1, 0);
    // What the rule did after it was closed has nothing to do with the order.
    expect_chain(f, KN_EVENT_TAG_CHANGED,
        "rule about Unit.Busy on entity 1 <- event Unit.Busy on entity 1 <- host");
}

static void links_nest_and_are_printed_by_their_text(void **state)
{
    fixture *f = *state;
    how = ACT_NEST;
    begin(f);
    command(f);
    expect_chain(f, KN_EVENT_EFFECT_APPLIED,
        "Mark applied on entity 1 <- entity 1 is told none (none) <- order Attack Unit.Hit of "
        "entity 2 <- rule about Unit.Busy on entity 1 <- event Unit.Busy on entity 1 <- host");
}

static void a_link_that_is_not_closed_ends_with_the_rule(void **state)
{
    fixture *f = *state;
    how = ACT_FORGET;
    begin(f);
    command(f);
    assert_int_equal(kn_entity_add_tag(f->world, f->ally, hit, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    expect_chain(f, KN_EVENT_TAG_CHANGED, "host");
}

static void an_endless_chain_of_links_is_cut(void **state)
{
    fixture *f = *state;
    how = ACT_LOOP;
    begin(f);
    command(f);
    assert_int_equal(event_of(f, KN_EVENT_ERROR)->data.error.code, KN_REFUSED_LIMIT);
    assert_true(kn_world_validate(f->world));
}

static void bad_links_and_kinds_are_refused(void **state)
{
    fixture *f = *state;
    kn_cause_type_id type;
    kn_error error = {0};
    assert_int_equal(
        kn_cause_type_register(f->library, "order", NULL, &type, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(
        kn_cause_type_register(f->library, "Bad!", NULL, &type, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(
        kn_cause_type_register(f->library, "other", "by {whom}", &type, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(type.index1, 0);
    assert_int_equal(kn_cause_type_find(f->library, "told").index1, told_cause.index1);
    assert_string_equal(kn_cause_type_name(f->library, order_cause), "order");
    begin(f);
    assert_int_equal(
        kn_cause_type_register(f->library, "late", NULL, &type, &error), KN_ERROR_WORLD_LOCKED);
    kn_cause previous;
    kn_cause_link link = {.type = order_cause};
    assert_int_equal(kn_cause_open(f->world, &link, &previous), KN_ERROR_INVALID_ARGUMENT);
    kn_cause_close(f->world, 77); // nothing to close here
    kn_cause_type_id good = order_cause;
    order_cause.index1 = 99;
    command(f);
    assert_int_equal(opened, KN_ERROR_INVALID_ARGUMENT);
    order_cause = good;
    attack = 99;
    command(f);
    assert_int_equal(opened, KN_ERROR_INVALID_ARGUMENT);
}

static void links_are_restored_like_the_rest(void **state)
{
    fixture *f = *state;
    begin(f);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    command(f);
    uint64_t hash = kn_world_hash(f->world);
    snapshot_restore(f->world, snapshot, size);
    command(f);
    assert_true(kn_world_hash(f->world) == hash);
    expect_chain(f, KN_EVENT_EFFECT_APPLIED,
        "Mark applied on entity 1 <- order Attack Unit.Hit of entity 2 <- rule about Unit.Busy on "
        "entity 1 <- event Unit.Busy on entity 1 <- host");
    free(snapshot);
}

// Several calls of the host as one ----------------------------------------------

static kn_result two_tags(void *user, kn_world *world)
{
    fixture *f = user;
    kn_cause previous;
    kn_cause_link link = {.type = order_cause, .entity = f->foe};
    assert_int_equal(kn_cause_open(world, &link, &previous), KN_OK);
    assert_true(kn_world_is_locked(world));
    assert_int_equal(kn_event_send(world, f->hero, busy, NULL), KN_OK);
    assert_int_equal(kn_effects_count(world, f->hero), 0); // the rule waits
    assert_int_equal(kn_entity_add_tag(world, f->foe, hit, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    kn_cause_close(world, previous);
    return KN_REFUSED_CUSTOM;
}

static void the_host_makes_several_calls_as_one(void **state)
{
    fixture *f = *state;
    kn_cause previous;
    kn_cause_link link = {.type = order_cause, .entity = f->foe};
    begin(f);
    assert_int_equal(kn_cause_open(f->world, &link, &previous), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_world_call(f->world, two_tags, f), KN_REFUSED_CUSTOM); // what it returned
    assert_int_equal(kn_effects_count(f->world, f->hero), 1);
    step(f, 0);
    expect_chain(f, KN_EVENT_EFFECT_APPLIED,
        "Mark applied on entity 1 <- order Attack Unit.Hit <- rule about Unit.Busy on entity 1 <- "
        "event Unit.Busy on entity 1 <- order of entity 2 <- host");
}

static kn_result call_in_a_call(void *user, kn_world *world)
{
    return kn_world_call(world, two_tags, user);
}

static void a_call_in_a_call_is_a_part_of_it(void **state)
{
    fixture *f = *state;
    begin(f);
    assert_int_equal(kn_world_call(f->world, call_in_a_call, f), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_effects_count(f->world, f->hero), 1);
    kn_assert_set_handler(ignore_assert);
    assert_int_equal(kn_world_call(f->world, NULL, f), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(a_chain_names_the_order),
    TEST(links_nest_and_are_printed_by_their_text),
    TEST(a_link_that_is_not_closed_ends_with_the_rule),
    TEST(an_endless_chain_of_links_is_cut),
    TEST(bad_links_and_kinds_are_refused),
    TEST(links_are_restored_like_the_rest),
    TEST(the_host_makes_several_calls_as_one),
    TEST(a_call_in_a_call_is_a_part_of_it),
};

TEST_GROUP(custom_causes, tests, NULL, NULL);
