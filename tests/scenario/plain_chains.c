// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Values that follow one another in a chain are updated on a short path. Effects whose capture has
// a default take the long path: with either kind, worlds must publish the same changes in the same
// order and end with the same values.

#include "scenario/effect_fixture.h"

#define VALUES 9
#define ENTITIES 2
#define CASES 400
#define CHANGES 12

static const char *const names[VALUES] = {"A", "B", "C", "D", "E", "F", "G", "H", "I"};

typedef struct chains {
    fixture *f;
    kn_attribute_id values[VALUES];
    kn_effect_type_id follow[2][VALUES][VALUES]; // short path or long, from, to (always later)
    kn_effect_type_id plus, times;               // on the fifth value
    kn_world *worlds[2];
    kn_entity_id entities[2][ENTITIES];
    uint64_t random;
    uint32_t events, applied;
} chains;

static uint32_t chains_random(chains *c, uint32_t limit)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(c->random >> 33) % limit;
}

static void chains_register(chains *c)
{
    fixture *f = c->f;
    kn_attribute_def defs[VALUES];
    for (uint32_t i = 0; i < VALUES; i++) {
        defs[i] = attribute_def(names[i], (float)(i + 1));
    }
    defs[3].min = kn_limit_constant(-20);
    defs[3].max = kn_limit_constant(40);
    defs[5].rounding = KN_ROUND_DOWN;
    defs[6].base_max = kn_limit_attribute("C");
    kn_attribute_set_id set = set_register(f, "Chain", defs, VALUES);
    f->set = set;
    for (uint32_t i = 0; i < VALUES; i++) {
        c->values[i] = attribute_of(f, "Chain", names[i]);
    }
    for (uint32_t from = 0; from < VALUES; from++) {
        for (uint32_t to = from + 1; to < VALUES; to++) {
            for (uint32_t is_long = 0; is_long < 2; is_long++) {
                kn_magnitude magnitude = kn_magnitude_attribute(
                    c->values[from], KN_CAPTURE_FROM_SOURCE, false, from % 2 == 0 ? 0.7f : -1.3f);
                magnitude.pre_add = kn_constant((float)to);
                magnitude.post_add = kn_constant(0.1f);
                magnitude.capture.has_default = is_long != 0;
                char name[32];
                (void)snprintf(
                    name, sizeof name, "%s%s%s", names[from], names[to], is_long ? "Long" : "");
                c->follow[is_long][from][to] = adding(f, name, c->values[to], magnitude);
            }
        }
    }
    c->plus = simple(f, "Plus", KN_DURATION_INFINITE, c->values[4], KN_OP_ADD, 0.3f);
    c->times = simple(f, "Times", KN_DURATION_INFINITE, c->values[4], KN_OP_MULTIPLY, 1.7f);
    library_finish(f);
}

static void chains_begin(chains *c)
{
    for (uint32_t w = 0; w < 2; w++) {
        c->worlds[w] = world_of(c->f, kn_world_def_default());
        for (uint32_t i = 0; i < ENTITIES; i++) {
            kn_entity_id *entity = &c->entities[w][i];
            assert_int_equal(kn_entity_create(c->worlds[w], entity), KN_OK);
            assert_int_equal(kn_attribute_set_add(c->worlds[w], *entity, c->f->set, 0), KN_OK);
        }
    }
}

// Both worlds do the same, even if they refuse.
static void chains_apply(
    chains *c, kn_effect_type_id left, kn_effect_type_id right, uint32_t source)
{
    kn_result results[2];
    for (uint32_t w = 0; w < 2; w++) {
        results[w] = kn_effect_apply_simple(c->worlds[w], w == 0 ? left : right,
            c->entities[w][source], c->entities[w][0], 1.0f, NULL);
    }
    assert_int_equal(results[0], results[1]);
    c->applied += results[0] == KN_OK;
}

static void chains_follow(chains *c, uint32_t from, uint32_t to, uint32_t source)
{
    chains_apply(c, c->follow[0][from][to], c->follow[1][from][to], source);
}

static void chains_compare(chains *c)
{
    for (uint32_t w = 0; w < 2; w++) {
        assert_int_equal(kn_world_step(c->worlds[w], KN_MS(1)), KN_OK);
    }
    kn_events left = kn_world_events(c->worlds[0]), right = kn_world_events(c->worlds[1]);
    assert_int_equal(left.count, right.count);
    for (uint32_t i = 0; i < left.count; i++) {
        assert_int_equal(left.data[i].type, right.data[i].type);
        assert_int_equal(left.data[i].cause, right.data[i].cause);
        assert_int_equal(left.data[i].entity.index1, right.data[i].entity.index1);
        if (left.data[i].type == KN_EVENT_ATTRIBUTE_CHANGED) {
            assert_memory_equal(&left.data[i].data.attribute, &right.data[i].data.attribute,
                sizeof(left.data[i].data.attribute));
        }
    }
    c->events += left.count;
    for (uint32_t i = 0; i < ENTITIES * VALUES; i++) {
        float found[2];
        for (uint32_t w = 0; w < 2; w++) {
            found[w] =
                kn_attribute_value(c->worlds[w], c->entities[w][i / VALUES], c->values[i % VALUES]);
        }
        assert_memory_equal(&found[0], &found[1], sizeof(float));
    }
}

// One random graph and a few changes of its first values. Chains are frequent: mostly a value is
// followed by the next one only.
static void chains_play(chains *c)
{
    chains_begin(c);
    uint32_t branches = chains_random(c, 3);
    for (uint32_t from = 0; from + 1 < VALUES; from++) {
        uint32_t to = from + 1 + (branches == 2 ? chains_random(c, VALUES - from - 1) : 0);
        uint32_t source = chains_random(c, 4) == 0 ? 1 : 0;
        if (chains_random(c, 8) != 0) { // sometimes a gap
            chains_follow(c, from, to, source);
        }
        if (branches != 0 && chains_random(c, 6) == 0) {
            chains_follow(c, from, VALUES - 1, 0);
        }
    }
    uint32_t kind = chains_random(c, 4);
    if (kind != 0) {
        kn_effect_type_id type = kind == 1 ? c->times : c->plus;
        chains_apply(c, type, type, 0);
    }
    if (kind == 3) {
        assert_int_equal(kn_changes_follow(c->worlds[0], true), KN_OK); // it only observes
    }
    chains_compare(c);
    for (uint32_t i = 0; i < CHANGES; i++) {
        uint32_t value = chains_random(c, 3), entity = chains_random(c, ENTITIES);
        float base = i == 5 || i == 6 ? 3e38f : (float)chains_random(c, 9) - 4.0f;
        kn_result results[2];
        for (uint32_t w = 0; w < 2; w++) {
            results[w] = kn_attribute_set_base(
                c->worlds[w], c->entities[w][entity], c->values[value], 0, base);
        }
        assert_int_equal(results[0], results[1]);
        chains_compare(c);
    }
    for (uint32_t w = 0; w < 2; w++) {
        assert_true(kn_world_validate(c->worlds[w]));
        kn_world_destroy(c->worlds[w]);
    }
}

static void short_and_long_paths_agree(void **state)
{
    chains *c = calloc(1, sizeof(*c));
    assert_non_null(c);
    c->f = *state;
    c->random = 7;
    chains_register(c);
    for (uint32_t i = 0; i < CASES; i++) {
        chains_play(c);
    }
    assert_true(c->applied > CASES * 5);
    assert_true(c->events > CASES * CHANGES * 3);
    free(c);
}

// A chain in numbers: each value is the one before it, doubled, and 1 more.
static void chain_reaches_its_end_in_one_call(void **state)
{
    fixture *f = *state;
    const kn_attribute_id order[] = {f->power, f->speed, f->haste, f->attack, f->armor};
    kn_effect_type_id follow[COUNT(order) - 1];
    for (uint32_t i = 0; i + 1 < COUNT(order); i++) {
        kn_magnitude magnitude =
            kn_magnitude_attribute(order[i], KN_CAPTURE_FROM_TARGET, false, 2.0f);
        magnitude.post_add = kn_constant(1.0f);
        follow[i] = adding(f, names[i], order[i + 1], magnitude);
    }
    begin(f);
    for (uint32_t i = 0; i < COUNT(order); i++) {
        set_base(f, f->foe, order[i], 0.0f);
    }
    for (uint32_t i = 0; i + 1 < COUNT(order); i++) {
        apply(f, follow[i]);
    }
    step(f, 0);

    set_base(f, f->foe, f->power, 3.0f);

    assert_near(current(f, f->speed), 7.0f);
    assert_near(current(f, f->haste), 15.0f);
    assert_near(current(f, f->attack), 31.0f);
    assert_near(current(f, f->armor), 63.0f);
    assert_near(base(f, f->armor), 0.0f);
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t place = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ATTRIBUTE_CHANGED) {
            assert_true(place < COUNT(order));
            assert_int_equal(events.data[i].data.attribute.attribute.index1, order[place].index1);
            place++;
        }
    }
    assert_int_equal(place, COUNT(order));
}

static kn_effect_type_id following(
    fixture *f, const char *name, kn_attribute_id from, kn_attribute_id to, float scale)
{
    return adding(f, name, to, kn_magnitude_attribute(from, KN_CAPTURE_FROM_TARGET, false, scale));
}

// Two effects that follow different values follow each other with the definitions of another
// library, which no application would have allowed.
static void a_circle_that_a_reload_closes_ends_in_an_error(void **state)
{
    static const float scales[] = {-1.0f, 1.0f, -2.0f, 0.5f};
    (void)state;
    for (uint32_t i = 0; i < 2 * COUNT(scales); i++) {
        const float scale = scales[i / 2];
        const bool is_one = i % 2 != 0; // a circle of one effect
        void *before = NULL, *after = NULL;
        assert_int_equal(setup(&before), 0);
        assert_int_equal(setup(&after), 0);
        fixture *f = before, *g = after;
        kn_effect_type_id first = following(f, "X", f->power, f->speed, is_one ? scale : 1.0f);
        kn_effect_type_id second = following(f, "Y", f->haste, f->attack, scale);
        (void)following(g, "X", g->power, is_one ? g->power : g->speed, is_one ? scale : 1.0f);
        (void)following(g, "Y", is_one ? g->haste : g->speed, is_one ? g->attack : g->power, scale);
        library_finish(g);
        begin(f);
        apply(f, first);
        apply(f, second);
        step(f, 0);
        assert_int_equal(kn_world_reload(f->world, g->library, NULL), KN_OK);
        set_base(f, f->foe, g->power, 5.0f);
        step(f, 0);
        assert_in_range(kn_world_events(f->world).count, 1, 200);
        // Others grow beyond all bounds, or come to rest.
        assert_true(scale * scale != 1.0f || error_count(f, KN_REFUSED_LIMIT) == 1);
        assert_int_equal(teardown(&before), 0);
        assert_int_equal(teardown(&after), 0);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(short_and_long_paths_agree),
    TEST(chain_reaches_its_end_in_one_call),
    cmocka_unit_test(a_circle_that_a_reload_closes_ends_in_an_error),
};

TEST_GROUP(plain_chains, tests, NULL, NULL);
