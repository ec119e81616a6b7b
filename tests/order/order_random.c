// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders, deaths, tags and hooks at random: no order is lost without an event, a unit never carries
// out two at once, no current order is aimed at something that is gone, and a snapshot in between
// changes nothing. A model beside the units knows all orders by a number, which is their index.

#include "order_test.h"

#include "knack/tree.h"

enum { UNITS = 5, TARGETS = 6, SERIALS = 60000, HELD = 4096 };

// What a unit carries out.
typedef struct running {
    uint32_t ticket; // 0: nothing yet
    int32_t serial;
    bool is_over;
    bool ends_by_itself; // a stop order, or one of a tree
} running;

typedef struct model {
    uint64_t random;
    int32_t serial;  // of the next order
    uint32_t budget; // what hooks may still do before the next call from outside
    kn_entity_id units[UNITS], targets[TARGETS];
    running running[UNITS];
    int32_t held[UNITS][HELD]; // orders that were taken, and have not gone
    uint32_t held_count[UNITS];
} model;

typedef struct game {
    fixture *f;
    script *stop, *plain, *other, *attack, *long_one, *instant, *work, *pierce;
    kn_order_type_id tree;
    model m;
    uint8_t ends[SERIALS];   // how often it ended
    uint8_t owners[SERIALS]; // 1 + the unit that it was given to
    uint32_t seen_executed, seen_lost, seen_deferred, seen_refused;
} game;

static game *playing;

static uint32_t roll(game *g, uint32_t sides)
{
    g->m.random ^= g->m.random << 13;
    g->m.random ^= g->m.random >> 7;
    g->m.random ^= g->m.random << 17;
    return (uint32_t)(g->m.random >> 32) % sides;
}

static uint32_t number_of(const game *g, kn_entity_id unit)
{
    for (uint32_t i = 0; i < UNITS; i++) {
        if (kn_entity_id_equal(g->m.units[i], unit)) {
            return i;
        }
    }
    fail_msg("no such unit");
    return 0;
}

// Deeds, from outside and from hooks ------------------------------------------------------------

static void held_add(game *g, uint32_t unit, int32_t serial)
{
    assert_true(g->m.held_count[unit] < HELD);
    g->m.held[unit][g->m.held_count[unit]++] = serial;
}

static void give_something(game *g, kn_world *world, uint32_t unit)
{
    static kn_result (*const ways[])(
        kn_world *, kn_entity_id, const kn_order *, kn_order_answer *) = {kn_order_issue,
        kn_order_enqueue, kn_order_enqueue, kn_order_insert_after, kn_order_insert_before};
    const script *const types[] = {g->plain, g->other, g->attack, g->attack, g->long_one,
        g->instant, g->work, g->pierce, NULL, g->stop};
    uint32_t which = roll(g, 10);
    kn_order order = kn_order_of(types[which] != NULL ? types[which]->id : g->tree);
    if (types[which] != g->stop) {
        order.index = g->m.serial++;
        assert_true(order.index < SERIALS);
        g->owners[order.index] = (uint8_t)(unit + 1);
    }
    if (types[which] == g->attack || (types[which] == g->other && roll(g, 2) == 0)) {
        order.target = g->m.targets[roll(g, TARGETS)];
    }
    kn_order_answer answer = {0};
    kn_result result = ways[roll(g, 5)](world, g->m.units[unit], &order, &answer);
    if (result == KN_OK && answer.outcome != KN_ORDER_IS_SAME && order.index >= 0 &&
        g->owners[order.index] != 0) { // otherwise it was instant, and is done
        held_add(g, unit, order.index);
        g->seen_deferred += answer.outcome == KN_ORDER_DEFERRED;
    }
    assert_true(result == KN_OK || answer.outcome == KN_ORDER_NOT_TAKEN);
}

static void change_tag(game *g, kn_world *world)
{
    fixture *f = g->f;
    const kn_tag tags[] = {f->alive, f->immobile, f->unarmed, f->invulnerable};
    kn_entity_id who =
        roll(g, 2) == 0 ? g->m.units[roll(g, UNITS)] : g->m.targets[roll(g, TARGETS)];
    kn_tag tag = tags[roll(g, 4)];
    if (!kn_entity_is_alive(world, who)) {
        return;
    }
    if (kn_entity_has_tag(world, who, tag)) {
        (void)kn_entity_remove_tag(world, who, tag, KN_TAG_ORIGIN_LOOSE, 1);
    } else {
        (void)kn_entity_add_tag(world, who, tag, KN_TAG_ORIGIN_LOOSE, 1);
    }
}

static void kill_target(game *g, kn_world *world)
{
    (void)kn_entity_destroy(world, g->m.targets[roll(g, TARGETS)]);
}

// What a hook does besides.
static void meddle(game *g, kn_world *world, uint32_t unit)
{
    if (g->m.budget == 0) {
        return;
    }
    g->m.budget--;
    switch (roll(g, 7)) {
    case 0:
    case 1:
        give_something(g, world, unit);
        break;
    case 2:
        give_something(g, world, roll(g, UNITS));
        break;
    case 3:
        change_tag(g, world);
        break;
    case 4:
        kill_target(g, world);
        break;
    default:
        break;
    }
}

// Hooks -------------------------------------------------------------------------------------------

// An order begins: the one before has ended or was cancelled, or it was interrupted and comes next.
static void begin_order(
    game *g, const kn_world *world, uint32_t unit, const kn_order *order, uint32_t ticket)
{
    running *r = &g->m.running[unit];
    kn_unit_info info;
    assert_true(kn_unit_get_info(world, g->m.units[unit], &info));
    assert_int_equal(info.ticket, ticket); // it is the current one
    assert_true(kn_order_equal(&info.current, order));
    assert_true(order->target.index1 == 0 || kn_entity_is_alive(world, order->target));
    if (r->ticket != 0 && !r->is_over && !r->ends_by_itself) {
        kn_order next;
        assert_true(kn_unit_queue(world, g->m.units[unit], &next, 1) > 0);
        assert_true(info.interrupts);
        assert_int_equal(next.index, r->serial);
    }
    *r = (running){ticket, order->index, false,
        order->type.index1 == g->tree.index1 || order->type.index1 == g->stop->id.index1};
}

static kn_result tree_begins(void *user, const kn_hook_call *call)
{
    game *g = playing;
    kn_unit_info info;
    (void)user;
    assert_true(kn_unit_get_info(call->world, call->entity, &info));
    assert_int_equal(info.current.type.index1, g->tree.index1);
    begin_order(g, call->world, number_of(g, call->entity), &info.current, info.ticket);
    return KN_OK;
}

static kn_result random_execute(void *user, const kn_hook_call *call)
{
    game *g = playing;
    script *s = user;
    const kn_order_call *c = call->arguments;
    uint32_t unit = number_of(g, call->entity);
    ran(s, call->writable, call->entity, false);
    g->seen_executed++;
    if (c->ticket == 0) { // instant: beside all others
        assert_true(s == g->instant);
        for (uint32_t i = 0; i < g->m.held_count[unit]; i++) {
            if (g->m.held[unit][i] == c->order.index) {
                g->m.held[unit][i] = g->m.held[unit][--g->m.held_count[unit]];
            }
        }
        g->owners[c->order.index] = 0; // done
        meddle(g, call->writable, unit);
        return roll(g, 4) == 0 ? KN_REFUSED_CUSTOM : KN_OK;
    }
    begin_order(g, call->world, unit, &c->order, c->ticket);
    meddle(g, call->writable, unit);
    uint32_t how = roll(g, 8);
    if (how < 3 && g->m.running[unit].ticket == c->ticket) {
        g->m.running[unit].ends_by_itself = true; // unless what was asked for before cancels it
        if (how == 2) {
            return KN_REFUSED_CUSTOM;
        }
        kn_result result = kn_order_end(call->writable, call->entity, c->ticket,
            how == 0 ? KN_ORDER_SUCCEEDED : KN_ORDER_FAILED);
        assert_true(
            result == KN_OK || result == KN_REFUSED_NOT_FOUND || result == KN_REFUSED_STALE_ID);
    }
    return KN_OK;
}

static kn_result random_cancel(void *user, const kn_hook_call *call)
{
    game *g = playing;
    script *s = user;
    const kn_order_call *c = call->arguments;
    uint32_t unit = number_of(g, call->entity);
    ran(s, call->writable, call->entity, true);
    assert_int_equal(g->m.running[unit].ticket, c->ticket); // what runs, and no other
    assert_false(g->m.running[unit].is_over);               // once
    g->m.running[unit].is_over = true;
    meddle(g, call->writable, unit);
    return KN_OK;
}

// The board ---------------------------------------------------------------------------------------

static script *random_type(fixture *f, const char *name)
{
    script *s = type_add(f, name);
    s->def.execute = (kn_hook){random_execute, s};
    s->def.cancelled = (kn_hook){random_cancel, s};
    s->def.can_obey = (kn_hook){0};
    return s;
}

static void target_create(game *g, uint32_t i)
{
    assert_int_equal(kn_entity_create(g->f->world, &g->m.targets[i]), KN_OK);
    own(g->f, g->m.targets[i], g->f->rival);
    gain(g->f, g->m.targets[i], g->f->alive);
}

static void unit_create(game *g, uint32_t i)
{
    assert_int_equal(kn_entity_create(g->f->world, &g->m.units[i]), KN_OK);
    place(g->f, g->m.units[i], (float)i, 0);
    own(g->f, g->m.units[i], g->f->player);
    g->m.running[i] = (running){0};
    assert_int_equal(kn_unit_add(g->f->world, g->m.units[i], g->f->unit_type), KN_OK);
}

static void game_begin(game *g, fixture *f)
{
    static kn_tag alive[1], blocked[1], moving[1];
    kn_error error = {0};
    alive[0] = f->alive;
    blocked[0] = f->invulnerable;
    moving[0] = f->immobile;
    g->f = f;
    g->stop = random_type(f, "S");
    g->plain = random_type(f, "A");
    g->other = random_type(f, "B");
    g->attack = random_type(f, "K");
    g->long_one = random_type(f, "U");
    g->instant = random_type(f, "I");
    g->work = random_type(f, "W");
    g->pierce = random_type(f, "P");
    g->plain->def.tags.source_blocked = (kn_tags){moving, 1};
    g->attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    g->attack->def.tags.target_required = (kn_tags){alive, 1};
    g->attack->def.tags.target_blocked = (kn_tags){blocked, 1};
    g->attack->def.success.target_blocked = (kn_tags){alive, 1};
    g->long_one->def.policy = KN_ORDER_UNCANCELABLE;
    g->instant->def.policy = KN_ORDER_INSTANT;
    g->work->def.is_work = true;
    g->pierce->def.pierces = true;
    kn_blackboard_def board = kn_blackboard_def_default();
    kn_blackboard_id board_id;
    board.name = "Board";
    board.order_keys = true;
    assert_int_equal(kn_blackboard_register(f->library, &board, &board_id, &error), KN_OK);
    kn_tree_action_def action = kn_tree_action_def_default();
    action.name = "Begin";
    action.run = (kn_hook){tree_begins, NULL};
    kn_tree_node nodes[2] = {kn_tree_node_default(), kn_tree_node_default()};
    nodes[0].kind = KN_TREE_TASK;
    assert_int_equal(kn_tree_action_register(f->library, &action, &nodes[0].action, &error), KN_OK);
    nodes[1].kind = KN_TREE_WAIT;
    nodes[1].duration = KN_MS(25);
    kn_tree_def tree = kn_tree_def_default();
    tree.name = "Wait";
    tree.blackboard = board_id;
    tree.root.children = nodes;
    tree.root.child_count = 2;
    kn_order_type_def def = kn_order_type_def_default();
    def.name = "T";
    def.needs_life = false;
    def.cancelled = (kn_hook){random_cancel, g->stop};
    assert_int_equal(kn_tree_register(f->library, &tree, &def.tree, &error), KN_OK);
    assert_int_equal(kn_order_type_register(f->library, &def, &g->tree, &error), KN_OK);
    f->unit_def.queue_limit = 6;
    f->unit_def.resumes_work = true;
    begin_with(f, kn_world_def_default());
    playing = g;
    for (uint32_t i = 0; i < UNITS; i++) {
        unit_create(g, i);
    }
    for (uint32_t i = 0; i < TARGETS; i++) {
        target_create(g, i);
    }
}

// Looking -----------------------------------------------------------------------------------------

typedef struct news {
    bool is_cleared;
    uint32_t count;
    int32_t named[4096]; // orders that an event said have ended or were refused
} news;

static void news_read(game *g, uint32_t unit, news *n)
{
    kn_events events = kn_world_events(g->f->world);
    *n = (news){0};
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM ||
            !kn_entity_id_equal(event->entity, g->m.units[unit])) {
            continue;
        }
        const char *name = kn_custom_event_name(g->f->library, event->data.custom.kind);
        const void *payload = kn_event_payload(g->f->world, event, &size);
        int32_t serial = -1;
        if (strcmp(name, "Knack.OrderQueue") == 0) {
            n->is_cleared |= ((const kn_order_queue_event *)payload)->is_cleared != 0;
        } else if (strcmp(name, "Knack.OrderEnded") == 0) {
            const kn_order_ended *ended = payload;
            serial = ended->order.index;
            if (serial >= 0 && ended->order.type.index1 != g->work->id.index1) {
                assert_true(++g->ends[serial] < 200);
            }
        } else if (strcmp(name, "Knack.OrderRefused") == 0) {
            serial = ((const kn_order_event *)payload)->order.index;
            g->seen_refused++;
        }
        if (serial >= 0) {
            assert_true(n->count < 4096);
            n->named[n->count++] = serial;
        }
    }
}

static bool is_among(const int32_t *list, uint32_t count, int32_t serial)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == serial) {
            return true;
        }
    }
    return false;
}

// The orders that a unit has: the current one and those that wait. What it remembers besides has
// ended already, and may come back.
static uint32_t serials_read(game *g, uint32_t unit, int32_t *out)
{
    kn_order orders[64];
    kn_unit_info info;
    uint32_t count = 0, active = 0;
    if (!kn_unit_get_info(g->f->world, g->m.units[unit], &info)) {
        return 0;
    }
    orders[0] = info.current;
    uint32_t all = 1 + kn_unit_queue(g->f->world, g->m.units[unit], orders + 1, 31);
    assert_true(all <= 32);
    assert_true(info.current.target.index1 == 0 ||
                kn_entity_is_alive(g->f->world, info.current.target)); // never stale
    uint32_t work = kn_unit_work(g->f->world, g->m.units[unit], orders + all, 31);
    assert_true(work <= 31);
    for (uint32_t i = 0; i < all + work; i++) {
        if (orders[i].index < 0) {
            continue; // a stop order
        }
        assert_int_equal(g->owners[orders[i].index], unit + 1); // nobody else's
        assert_false(is_among(out, count, orders[i].index));    // once
        out[count++] = orders[i].index;
        active += i < all;
    }
    return active;
}

static void unit_check(game *g, uint32_t unit)
{
    static news n;
    int32_t there[64];
    news_read(g, unit, &n);
    uint32_t count = serials_read(g, unit, there);
    for (uint32_t i = 0; i < g->m.held_count[unit]; i++) {
        int32_t serial = g->m.held[unit][i];
        if (is_among(there, count, serial)) {
            continue;
        }
        g->seen_lost++;
        if (!n.is_cleared && !is_among(n.named, n.count, serial)) {
            fail_msg("order %d of unit %u is gone without an event", serial, unit);
        }
    }
    g->m.held_count[unit] = count;
    memcpy(g->m.held[unit], there, count * sizeof(*there));
    kn_unit_info info; // what a hook began and has not ended is the current order, or waits
    const running *r = &g->m.running[unit];
    if (kn_unit_get_info(g->f->world, g->m.units[unit], &info) && r->ticket != 0 && !r->is_over &&
        info.ticket == r->ticket) {
        assert_int_equal(info.current.index, r->serial);
    }
}

// Playing -----------------------------------------------------------------------------------------

static void end_current(game *g, uint32_t unit)
{
    running *r = &g->m.running[unit];
    kn_unit_info info;
    if (!kn_unit_get_info(g->f->world, g->m.units[unit], &info) || r->ticket != info.ticket ||
        r->is_over) {
        return;
    }
    bool may_have_ended = r->ends_by_itself;
    r->is_over = true;
    kn_result result = kn_order_end(g->f->world, g->m.units[unit], info.ticket,
        (kn_order_result)roll(g, KN_ORDER_RESULT_COUNT));
    assert_true(result == KN_OK || (may_have_ended && result == KN_REFUSED_NOT_FOUND));
    assert_int_equal(kn_order_end(g->f->world, g->m.units[unit], info.ticket, KN_ORDER_SUCCEEDED),
        KN_REFUSED_NOT_FOUND); // once
}

static void act(game *g)
{
    kn_world *world = g->f->world;
    uint32_t unit = roll(g, UNITS), what = roll(g, 40);
    g->m.budget = 12;
    if (what < 20) {
        give_something(g, world, unit);
    } else if (what < 28) {
        end_current(g, unit);
    } else if (what < 32) {
        change_tag(g, world);
    } else if (what < 34) {
        kill_target(g, world);
    } else if (what == 34) {
        (void)kn_order_clear_queue(world, g->m.units[unit]);
    } else if (what == 35) {
        (void)kn_order_resume_work(world, g->m.units[unit]);
    } else if (what == 36) {
        kn_entity_id to = g->m.targets[roll(g, TARGETS)];
        (void)kn_order_retarget(world, g->m.targets[roll(g, TARGETS)], to, NULL);
    } else if (what == 37) {
        (void)kn_unit_remove(world, g->m.units[unit]);
    } else if (what == 38) {
        (void)kn_entity_destroy(world, g->m.units[unit]);
    }
}

// A few deeds, a step, and a look at everybody; those who are gone are replaced.
static void play(game *g)
{
    for (uint32_t i = roll(g, 4); i > 0; i--) {
        act(g);
    }
    g->m.budget = 12;
    assert_int_equal(kn_world_step(g->f->world, KN_MS(10)), KN_OK);
    for (uint32_t i = 0; i < UNITS; i++) {
        unit_check(g, i);
    }
    g->m.budget = 0; // nobody looks at what happens here
    for (uint32_t i = 0; i < TARGETS; i++) {
        if (!kn_entity_is_alive(g->f->world, g->m.targets[i])) {
            target_create(g, i);
        }
    }
    for (uint32_t i = 0; i < UNITS; i++) {
        if (!kn_entity_is_alive(g->f->world, g->m.units[i])) {
            unit_create(g, i);
        } else if (kn_unit_get_type(g->f->world, g->m.units[i]).index1 == 0) {
            g->m.running[i] = (running){0};
            assert_int_equal(kn_unit_add(g->f->world, g->m.units[i], g->f->unit_type), KN_OK);
        }
    }
}

// Plays on, goes back, and plays the same again.
static void play_twice(game *g)
{
    size_t size = kn_snapshot_size(g->f->world), written;
    void *bytes = malloc(size);
    model *before = malloc(sizeof(*before));
    uint8_t *ends = malloc(sizeof(g->ends)), *owners = malloc(sizeof(g->owners));
    assert_true(bytes != NULL && before != NULL && ends != NULL && owners != NULL);
    assert_int_equal(kn_snapshot_take(g->f->world, bytes, size, &written), KN_OK);
    *before = g->m;
    memcpy(ends, g->ends, sizeof(g->ends));
    memcpy(owners, g->owners, sizeof(g->owners));
    for (int i = 0; i < 5; i++) {
        play(g);
    }
    uint64_t hash = kn_world_hash(g->f->world);
    const uint64_t random = g->m.random;
    assert_int_equal(kn_snapshot_restore(g->f->world, bytes, written), KN_OK);
    g->m = *before;
    memcpy(g->ends, ends, sizeof(g->ends));
    memcpy(g->owners, owners, sizeof(g->owners));
    for (int i = 0; i < 5; i++) {
        play(g);
    }
    assert_true(kn_world_hash(g->f->world) == hash);
    assert_true(g->m.random == random);
    free(bytes);
    free(before);
    free(ends);
    free(owners);
}

static void play_seed(fixture *f, uint64_t seed)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    g->m.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    game_begin(g, f);
    for (int i = 0; i < 1500; i++) {
        if (i % 50 == 7) {
            play_twice(g);
        } else {
            play(g);
        }
    }
    // It was not for nothing.
    assert_true(g->seen_executed > 1000 && g->seen_lost > 500);
    assert_true(g->seen_deferred > 100 && g->seen_refused > 100);
    free(g);
}

// ORD-155, ORD-156, ORD-171, ORD-208
#define SEED(n)                                                                                    \
    static void random_orders_##n(void **state)                                                    \
    {                                                                                              \
        play_seed(*state, n);                                                                      \
    }
SEED(1)
SEED(2)
SEED(3)
SEED(4)
SEED(5)
SEED(6)
SEED(7)
SEED(8)
SEED(9)
SEED(10)
SEED(11)
SEED(12)

static const struct CMUnitTest tests[] = {
    TEST(random_orders_1),
    TEST(random_orders_2),
    TEST(random_orders_3),
    TEST(random_orders_4),
    TEST(random_orders_5),
    TEST(random_orders_6),
    TEST(random_orders_7),
    TEST(random_orders_8),
    TEST(random_orders_9),
    TEST(random_orders_10),
    TEST(random_orders_11),
    TEST(random_orders_12),
};

TEST_GROUP(order_random, tests, NULL, NULL);
