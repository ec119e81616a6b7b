// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Running trees. A turn begins with one call (a start, a timer, a signal ...), lets the tree go on
// until it waits for something, and then does what hooks asked for meanwhile. Inside a turn the
// tree cannot be started or stopped by others, but its entity may disappear: pointers to the state
// are fetched again after everything that may change the world.

#include "tree_parts.h"

#include <string.h>

typedef struct turn {
    kn_world *world;
    kn_entity_id entity;
    const tree_kit *kit;
    const plan *p;
    tree_run *run;
    node_state *states;
    board_view view;
    uint32_t steps; // nodes that began in this turn
    uint32_t stuck; // the node at which there were too many; otherwise NONE
    bool is_over;   // the tree is stuck or gone: nothing more is done
    bool was_stuck; // and is ended for that
} turn;

// State -----------------------------------------------------------------------------------

static uint32_t plan_size(const plan *p)
{
    return p->node_count + p->service_count + p->condition_count;
}

const tree_run *knc_tree_run_read(const kn_world *world, kn_entity_id entity)
{
    return kn_component_read(world, knc_tree_kit_of_world(world)->runs, entity);
}

static bool states_fit(const tree_run *run, uint32_t count, const plan *p)
{
    return run->shape == p->shape && count == plan_size(p);
}

const node_state *knc_tree_states_read(const kn_world *world, kn_entity_id entity, const plan *p)
{
    const void *states;
    uint32_t count = 0;
    const tree_run *run =
        kn_component_read_whole(world, knc_tree_kit_of_world(world)->runs, entity, &states, &count);
    return p != NULL && run != NULL && states_fit(run, count, p) ? states : NULL;
}

// After everything that may change the world.
static void refresh(turn *t)
{
    uint32_t count = 0;
    void *states;
    t->view.is_known = false;
    t->view.count = 0;
    t->run = kn_component_get_whole(t->world, t->kit->runs, t->entity, &states, &count);
    t->states = states;
    t->p = t->run != NULL ? knc_tree_plan(t->kit, t->run->tree) : NULL;
    if (t->run == NULL || (t->p != NULL && !states_fit(t->run, count, t->p))) {
        t->is_over = true;
    }
}

static node_state *service_state(turn *t, uint32_t service)
{
    return &t->states[t->p->node_count + service];
}

static node_state *condition_state(turn *t, uint32_t condition)
{
    return &t->states[t->p->conditions[condition].state];
}

static void ended_publish(turn *t, kn_custom_event_id event, kn_tree_result result, uint32_t node)
{
    const kn_tree_event payload = {t->run->tree, result, node};
    (void)kn_world_publish(t->world, t->entity, event, &payload);
}

// Timers ------------------------------------------------------------------------------------

static void timer_begin(turn *t, uint32_t at, uint32_t ticket, kn_time delay)
{
    uint8_t data[KN_TIMER_DATA_SIZE] = {0};
    kn_writer writer = {data, sizeof(data), 0};
    kn_timer_id timer = {0};
    kn_write_u32(&writer, at);
    kn_write_u32(&writer, ticket);
    kn_result result = kn_timer_start(t->world, t->kit->timer, t->entity, delay, data, &timer);
    refresh(t);
    if (result == KN_OK && !t->is_over) {
        t->states[at].timer = timer;
    }
}

static void timer_end(turn *t, node_state *state)
{
    if (state->timer.index1 != 0) {
        (void)kn_timer_cancel(t->world, state->timer);
        state->timer = (kn_timer_id){0};
    }
}

// Beginning and ending nodes --------------------------------------------------------------------

// What nodes of some kinds leave behind when they end.
static void clean_up(turn *t, const plan_node *node, node_state *s)
{
    timer_end(t, s);
    for (uint32_t i = 0; i < node->service_count; i++) {
        timer_end(t, service_state(t, node->first_service + i));
    }
    if (node->kind == KN_TREE_COOLDOWN) {
        s->until = kn_world_now(t->world) + node->def->duration;
    }
    s->activation = (kn_activation_id){0};
}

// A node has ended: nothing of it goes on.
static inline kn_tree_result settle(turn *t, uint32_t n, kn_tree_state state)
{
    const plan_node *node = &t->p->nodes[n];
    node_state *s = &t->states[n];
    if (node->leaves_any) {
        clean_up(t, node, s);
    }
    s->state = state;
    return state == KN_TREE_STATE_SUCCEEDED ? KN_TREE_SUCCEEDED : KN_TREE_FAILED;
}

static inline kn_tree_result settle_as(turn *t, uint32_t n, kn_tree_result result)
{
    return settle(
        t, n, result == KN_TREE_SUCCEEDED ? KN_TREE_STATE_SUCCEEDED : KN_TREE_STATE_FAILED);
}

static bool is_running(const turn *t, uint32_t n)
{
    return t->states[n].state == KN_TREE_STATE_RUNNING;
}

// Those inside it first.
static void abort_node(turn *t, uint32_t n)
{
    if (t->is_over || !is_running(t, n)) {
        return;
    }
    const plan *p = t->p; // of the turn it may be gone after a hook
    const plan_node *node = &p->nodes[n];
    for (uint32_t c = n + 1; !t->is_over && c < node->end; c = p->nodes[c].end) {
        abort_node(t, c);
    }
    if (t->is_over) {
        return;
    }
    const node_state copy = t->states[n];
    (void)settle(t, n, KN_TREE_STATE_ABORTED);
    if (node->child_count == 0) {
        knc_tree_task_abort(t->world, t->entity, t->p, n, &copy);
        refresh(t);
    }
}

static bool condition_note(turn *t, uint32_t n, const plan_condition *c, bool holds)
{
    t->states[c->state].state = holds ? ANSWER_YES : ANSWER_NO;
    if (!holds) {
        t->states[n].state = KN_TREE_STATE_BLOCKED;
        t->states[n].child = (uint32_t)(c - t->p->conditions) - t->p->nodes[n].first_condition;
    }
    return holds;
}

// Whether all conditions of a node hold; the first that does not is noted.
static bool conditions_hold(turn *t, uint32_t n)
{
    const plan_node *node = &t->p->nodes[n];
    const plan_condition *first = &t->p->conditions[node->first_condition];
    for (const plan_condition *c = first; c < first + node->condition_count; c++) {
        bool holds = knc_tree_condition_holds(t->world, t->entity, t->p, c, &t->view);
        if (!condition_note(t, n, c, holds)) {
            return false;
        }
    }
    return true;
}

// The same for what most nodes have: one test of a key, on a blackboard that was found already.
static inline bool condition_holds_fast(turn *t, uint32_t n)
{
    const plan_node *node = &t->p->nodes[n];
    const plan_condition *c = &t->p->conditions[node->first_condition];
    if (node->condition_count != 1 || !c->asks_is_set || c->key1 > t->view.count) {
        return conditions_hold(t, n);
    }
    const board_value *value = &t->view.values[c->key1 - 1];
    bool is_set = value->is_set != 0 &&
                  (value->entity.index1 == 0 || kn_entity_is_alive(t->world, value->entity));
    node_state *states = t->states;
    if (is_set == c->is_inverted) {
        states[c->state].state = ANSWER_NO;
        states[n].state = KN_TREE_STATE_BLOCKED;
        states[n].child = 0;
        return false;
    }
    states[c->state].state = ANSWER_YES;
    return true;
}

static void services_begin(turn *t, uint32_t n)
{
    const plan_node *node = &t->p->nodes[n];
    for (uint32_t i = 0; i < node->service_count; i++) {
        uint32_t at = node->first_service + i;
        const plan_service *service = &t->p->services[at];
        timer_begin(t, t->p->node_count + at, t->states[n].ticket, service->def->interval);
        if (t->is_over) {
            return;
        }
        service_state(t, at)->ticket = t->states[n].ticket;
        knc_tree_service_call(t->world, t->entity, t->p, service);
        refresh(t);
        if (t->is_over) {
            return;
        }
    }
}

static kn_tree_result time_wait(turn *t, uint32_t n, kn_time time)
{
    if (time > 0 && time != KN_TIME_INFINITE) {
        timer_begin(t, n, t->states[n].ticket, time);
    }
    return time > 0 ? KN_TREE_RUNNING : KN_TREE_SUCCEEDED;
}

// How long a cooldown takes may change meanwhile; then this is asked again when its time is over.
static kn_tree_result ability_wait(turn *t, uint32_t n)
{
    kn_time time;
    if (!knc_tree_ability_wait(t->world, t->entity, &t->p->nodes[n], &time)) {
        return KN_TREE_FAILED;
    }
    return time_wait(t, n, time != KN_TIME_INFINITE ? time : KN_S(1));
}

static kn_tree_result wait_begin(turn *t, uint32_t n)
{
    const kn_tree_node *def = t->p->nodes[n].def;
    bool has_tag;
    switch (def->kind) {
    case KN_TREE_WAIT:
        return time_wait(t, n, def->duration);
    case KN_TREE_WAIT_ABILITY:
        return ability_wait(t, n);
    case KN_TREE_WAIT_TAG:
    case KN_TREE_WAIT_NO_TAG:
        has_tag = kn_entity_has_tag(t->world, t->entity, def->tag);
        return has_tag == (def->kind == KN_TREE_WAIT_TAG) ? KN_TREE_SUCCEEDED : KN_TREE_RUNNING;
    default:
        return KN_TREE_RUNNING;
    }
}

// A node without children.
static kn_tree_result leaf_begin(turn *t, uint32_t n)
{
    kn_tree_node_kind kind = t->p->nodes[n].kind;
    kn_tree_result result;
    if (kind >= KN_TREE_WAIT && kind <= KN_TREE_WAIT_ABILITY) {
        result = wait_begin(t, n);
    } else {
        kn_activation_id activation = {0};
        uint32_t move = 0;
        result = knc_tree_task_begin(
            t->world, t->entity, t->p, n, t->states[n].ticket, &activation, &move);
        refresh(t);
        if (!t->is_over) {
            t->states[n].activation = activation;
            t->states[n].count = move;
        }
    }
    return t->is_over || result == KN_TREE_RUNNING ? KN_TREE_RUNNING : settle_as(t, n, result);
}

static kn_tree_result advance(turn *t, uint32_t n, uint32_t child, kn_tree_result result);

// What some nodes do before their children or their task begin.
static void prepare(turn *t, uint32_t n)
{
    const plan_node *node = &t->p->nodes[n];
    services_begin(t, n);
    if (!t->is_over && node->kind == KN_TREE_TIME_LIMIT) {
        timer_begin(t, n, t->states[n].ticket, node->def->duration);
    }
    if (!t->is_over && node->kind == KN_TREE_SUB_TREE && node->value_count > 0) {
        knc_tree_values_write(t->world, t->entity, t->p, node);
        refresh(t);
    }
}

// Whether a node may begin. A tree that goes on and on is stopped here.
static inline bool may_begin(turn *t, uint32_t n)
{
    if (++t->steps > KN_TREE_STEPS_MAX) {
        t->is_over = true;
        t->stuck = n;
        return false;
    }
    return t->p->nodes[n].condition_count == 0 || condition_holds_fast(t, n);
}

static inline void state_begin(turn *t, node_state *s)
{
    s->state = KN_TREE_STATE_RUNNING;
    s->ticket = ++t->run->ticket;
    s->child = NONE;
    s->count = 0;
}

// Begins a node whose conditions hold.
static kn_tree_result begin(turn *t, uint32_t n)
{
    const plan_node *node = &t->p->nodes[n];
    node_state *s = &t->states[n];
    if (!node->is_plain && node->kind == KN_TREE_COOLDOWN && kn_world_now(t->world) < s->until) {
        s->state = KN_TREE_STATE_FAILED;
        return KN_TREE_FAILED;
    }
    state_begin(t, s);
    if (!node->is_plain) {
        prepare(t, n);
        if (t->is_over) {
            return KN_TREE_RUNNING;
        }
    }
    return node->child_count > 0 ? advance(t, n, NONE, KN_TREE_SUCCEEDED) : leaf_begin(t, n);
}

// Begins a node if it may. Of a turn that is over it says that the node runs, so that nothing
// follows.
static kn_tree_result enter(turn *t, uint32_t n)
{
    if (!may_begin(t, n)) {
        return t->is_over ? KN_TREE_RUNNING : KN_TREE_FAILED;
    }
    return begin(t, n);
}

// Parallel nodes ----------------------------------------------------------------------------------

// What the children of a parallel node make of it; running if that is open.
static kn_tree_result parallel_decide(const turn *t, uint32_t n)
{
    const plan_node *node = &t->p->nodes[n];
    uint32_t succeeded = 0, failed = 0;
    for (uint32_t c = n + 1; c < node->end; c = t->p->nodes[c].end) {
        uint32_t state = t->states[c].state;
        succeeded += state == KN_TREE_STATE_SUCCEEDED;
        failed += state > KN_TREE_STATE_SUCCEEDED;
    }
    if (succeeded > 0 && node->def->succeeds == KN_TREE_ONE) {
        return KN_TREE_SUCCEEDED;
    }
    if (failed > 0 && node->def->fails == KN_TREE_ONE) {
        return KN_TREE_FAILED;
    }
    if (succeeded + failed < node->child_count) {
        return KN_TREE_RUNNING;
    }
    return failed == 0 ? KN_TREE_SUCCEEDED : KN_TREE_FAILED;
}

// Notes what is decided. True if the node can end.
static bool parallel_is_done(turn *t, uint32_t n, bool all_began)
{
    const plan_node *node = &t->p->nodes[n];
    node_state *s = &t->states[n];
    kn_tree_result result = parallel_decide(t, n);
    if (s->count == 0 && result != KN_TREE_RUNNING) {
        s->count = 1 + (uint32_t)result;
    }
    if (s->count == 0 || node->def->rest == KN_TREE_REST_ABORTED) {
        return s->count != 0;
    }
    for (uint32_t c = n + 1; c < node->end; c = t->p->nodes[c].end) {
        all_began = all_began && !is_running(t, c);
    }
    return all_began;
}

static kn_tree_result parallel_end(turn *t, uint32_t n)
{
    const plan *p = t->p; // of the turn it may be gone after a hook
    const uint32_t end = p->nodes[n].end;
    for (uint32_t c = n + 1; !t->is_over && c < end; c = p->nodes[c].end) {
        abort_node(t, c);
    }
    return t->is_over ? KN_TREE_RUNNING : settle_as(t, n, (kn_tree_result)(t->states[n].count - 1));
}

static kn_tree_result parallel_advance(turn *t, uint32_t n, uint32_t child)
{
    const plan_node *node = &t->p->nodes[n];
    if (child != NONE) {
        return parallel_is_done(t, n, true) ? parallel_end(t, n) : KN_TREE_RUNNING;
    }
    for (uint32_t c = n + 1; c < node->end; c = t->p->nodes[c].end) {
        t->states[c].state = KN_TREE_STATE_NONE;
    }
    for (uint32_t c = n + 1; c < node->end; c = t->p->nodes[c].end) {
        kn_tree_result result = enter(t, c);
        if (t->is_over) {
            return KN_TREE_RUNNING;
        }
        bool is_last = t->p->nodes[c].end >= node->end;
        if (result != KN_TREE_RUNNING && parallel_is_done(t, n, is_last)) {
            return parallel_end(t, n);
        }
    }
    return KN_TREE_RUNNING;
}

// Other nodes with children -----------------------------------------------------------------

// The next of the children that have not been tried, by chance; NONE if there is none.
static uint32_t random_pick(turn *t, uint32_t n)
{
    const plan_node *node = &t->p->nodes[n];
    node_state *s = &t->states[n];
    uint32_t left = 0;
    for (uint32_t i = 0; i < node->child_count; i++) {
        left += (s->count >> i & 1) == 0;
    }
    if (left == 0) {
        return NONE;
    }
    uint32_t pick = kn_random_below(t->world, t->kit->stream, left);
    for (uint32_t i = 0, c = n + 1;; i++, c = t->p->nodes[c].end) {
        if ((s->count >> i & 1) == 0 && pick-- == 0) {
            s->count |= 1u << i;
            return c;
        }
    }
}

// What follows when a child has ended, or with NONE at the beginning: the next child in `*next`, or
// how the node ends.
static kn_tree_result decide(
    turn *t, uint32_t n, uint32_t child, kn_tree_result result, uint32_t *next)
{
    const plan_node *node = &t->p->nodes[n];
    const kn_tree_node *def = node->def;
    node_state *s = &t->states[n];
    bool begins = child == NONE;
    bool succeeded = !begins && result == KN_TREE_SUCCEEDED;
    switch (node->kind) {
    case KN_TREE_RANDOM_SELECTOR:
        *next = succeeded ? NONE : random_pick(t, n);
        return result;
    case KN_TREE_REPEAT:
        s->count += succeeded;
        *next = begins || (succeeded && (def->count == 0 || s->count < def->count)) ? n + 1 : NONE;
        return result;
    case KN_TREE_LOOP_UNTIL:
        if (!begins && result == def->until) {
            return KN_TREE_SUCCEEDED;
        }
        s->count += !begins;
        *next = def->count == 0 || s->count < def->count ? n + 1 : NONE;
        return KN_TREE_FAILED;
    case KN_TREE_INVERT:
        *next = begins ? n + 1 : NONE;
        return succeeded ? KN_TREE_FAILED : KN_TREE_SUCCEEDED;
    case KN_TREE_SUCCEED:
        *next = begins ? n + 1 : NONE;
        return KN_TREE_SUCCEEDED;
    default: // time_limit, cooldown, sub_tree
        *next = begins ? n + 1 : NONE;
        return result;
    }
}

// How children of a sequence or selector end so that the next one begins.
static inline kn_tree_result goes_on_after(const plan_node *node)
{
    return node->kind == KN_TREE_SEQUENCE ? KN_TREE_SUCCEEDED : KN_TREE_FAILED;
}

// Sequences and selectors: the children in order, as long as they end as it takes. Those inside
// each other, as most trees have them, are run here in one go.
static kn_tree_result row_advance(turn *t, uint32_t top, uint32_t child, kn_tree_result result)
{
    const plan_node *nodes = t->p->nodes;
    uint32_t n = top, next = top + 1;
    if (child != NONE) {
        next = result == goes_on_after(&nodes[n]) ? nodes[child].end : nodes[n].end;
    }
    for (;;) {
        if (next < nodes[n].end) {
            child = next;
            t->states[n].child = child;
            if (!may_begin(t, child)) {
                result = KN_TREE_FAILED;
            } else if (nodes[child].kind <= KN_TREE_SELECTOR && nodes[child].is_plain &&
                       nodes[child].child_count > 0) {
                state_begin(t, &t->states[child]);
                n = child;
                next = child + 1;
                continue;
            } else {
                result = begin(t, child);
            }
            if (t->is_over || result == KN_TREE_RUNNING) {
                return KN_TREE_RUNNING;
            }
        } else {
            result = settle_as(t, n, result);
            if (n == top) {
                return result;
            }
            child = n;
            n = nodes[n].parent;
        }
        next = result == goes_on_after(&nodes[n]) ? nodes[child].end : nodes[n].end;
    }
}

static kn_tree_result advance(turn *t, uint32_t n, uint32_t child, kn_tree_result result)
{
    if (t->p->nodes[n].kind <= KN_TREE_SELECTOR) {
        return row_advance(t, n, child, result);
    }
    if (t->p->nodes[n].kind == KN_TREE_PARALLEL) {
        return parallel_advance(t, n, child);
    }
    for (;;) {
        uint32_t next = NONE;
        kn_tree_result end = decide(t, n, child, result, &next);
        if (next == NONE) {
            return settle_as(t, n, end);
        }
        t->states[n].child = next;
        child = next;
        result = enter(t, next);
        if (result == KN_TREE_RUNNING) {
            return KN_TREE_RUNNING;
        }
    }
}

// Trees
// ---------------------------------------------------------------------------------------------

static void tree_end(turn *t, kn_tree_result result)
{
    t->run->result = result;
    ended_publish(t, t->kit->ended, result, 0);
    refresh(t);
    if (!t->is_over && result != KN_TREE_ABORTED && t->run->order != 0 && t->run->end_order == 0) {
        knc_tree_order_finish(t->world, t->entity, result, t->was_stuck);
        refresh(t);
    }
}

// Ends sequences and selectors for which nothing is left to do, from `n` upwards. Returns the first
// node that is not like that, and in `*child` the one below it; NONE above the root.
static uint32_t rows_climb(turn *t, uint32_t n, kn_tree_result result, uint32_t *child)
{
    const plan_node *nodes = t->p->nodes;
    node_state *states = t->states;
    bool succeeded = result == KN_TREE_SUCCEEDED;
    const kn_tree_node_kind kind = succeeded ? KN_TREE_SELECTOR : KN_TREE_SEQUENCE;
    const uint32_t state = succeeded ? KN_TREE_STATE_SUCCEEDED : KN_TREE_STATE_FAILED;
    while (n != NONE && nodes[n].kind == kind && !nodes[n].leaves_any) {
        states[n].state = state;
        *child = n;
        n = nodes[n].parent;
    }
    return n;
}

// A node has ended in the middle of the tree: those around it go on.
static void climb(turn *t, uint32_t n, kn_tree_result result)
{
    while (!t->is_over && n != 0) {
        uint32_t child = n;
        n = t->p->nodes[n].parent;
        n = rows_climb(t, n, result, &child);
        if (n == NONE) {
            break;
        }
        result = advance(t, n, child, result);
        if (result == KN_TREE_RUNNING) {
            return;
        }
    }
    if (!t->is_over) {
        tree_end(t, result);
    }
}

static void node_done(turn *t, uint32_t n, kn_tree_result result)
{
    climb(t, n, settle_as(t, n, result));
}

static bool tree_is_running(const turn *t)
{
    return !t->is_over && t->p != NULL && t->run->result == KN_TREE_RUNNING;
}

static void stop_do(turn *t)
{
    if (tree_is_running(t)) {
        abort_node(t, 0);
    }
    if (tree_is_running(t)) {
        t->run->order = 0;
        tree_end(t, KN_TREE_ABORTED);
    }
}

static void start_do(turn *t, kn_tree_id tree, uint32_t order)
{
    const plan *p = knc_tree_plan(t->kit, tree);
    stop_do(t);
    if (t->is_over || p == NULL) {
        return;
    }
    if (p->def->blackboard.index1 != 0) {
        (void)knc_tree_board_add(t->world, t->entity, p->def->blackboard);
    }
    node_state *states = kn_component_resize(t->world, t->kit->runs, t->entity, plan_size(p));
    t->run = kn_component_get(t->world, t->kit->runs, t->entity);
    if (states == NULL || t->run == NULL) {
        t->is_over = true;
        return;
    }
    memset(states, 0, plan_size(p) * sizeof(*states));
    t->run->tree = tree;
    t->run->result = KN_TREE_RUNNING;
    t->run->run++;
    t->run->shape = p->shape;
    t->run->order = order;
    t->run->by_order = order != 0;
    t->run->end_order = 0;
    refresh(t);
    if (t->is_over || t->p == NULL) {
        return;
    }
    kn_tree_result result = enter(t, 0);
    if (!t->is_over && result != KN_TREE_RUNNING) {
        tree_end(t, result);
    }
}

static void order_do(turn *t, const tree_call *call)
{
    bool goes_on = tree_is_running(t) && t->run->tree.index1 == call->tree.index1 &&
                   t->run->by_order != 0 && call->result == 0;
    if (!goes_on) {
        stop_do(t);
    }
    if (t->is_over) {
        return;
    }
    const plan *p = knc_tree_plan(t->kit, call->tree);
    (void)knc_tree_board_add(t->world, t->entity, p->def->blackboard);
    knc_tree_order_write(t->world, t->entity, call); // tells the tree that goes on
    refresh(t);
    if (t->is_over) {
        return;
    }
    if (!goes_on) {
        start_do(t, call->tree, call->ticket);
        return;
    }
    t->run->order = call->ticket;
    t->run->end_order = 0;
}

// Observers
// -----------------------------------------------------------------------------------------

// A condition that may interrupt is tested again.
static void observe(turn *t, const plan_hearing *h)
{
    const plan_condition *c = &t->p->conditions[h->condition];
    kn_tree_aborts aborts = c->def->aborts;
    uint32_t n = h->node, parent = t->p->nodes[n].parent;
    bool runs = is_running(t, n);
    if (!runs && (parent == NONE || !is_running(t, parent))) {
        return;
    }
    bool holds = knc_tree_condition_holds(t->world, t->entity, t->p, c, &t->view);
    bool began = holds && condition_state(t, h->condition)->state != ANSWER_YES;
    condition_state(t, h->condition)->state = holds ? ANSWER_YES : ANSWER_NO;
    if (runs && !holds && (aborts == KN_TREE_ABORTS_SELF || aborts == KN_TREE_ABORTS_BOTH)) {
        abort_node(t, n);
        if (!t->is_over) {
            t->states[n].state = KN_TREE_STATE_BLOCKED;
            t->states[n].child = h->condition - t->p->nodes[n].first_condition;
            climb(t, n, KN_TREE_FAILED);
        }
        return;
    }
    bool is_lower = aborts == KN_TREE_ABORTS_LOWER || aborts == KN_TREE_ABORTS_BOTH;
    uint32_t other = runs || parent == NONE ? 0 : t->states[parent].child;
    if (runs || !is_lower || !began || other <= n || other >= t->p->node_count ||
        !conditions_hold(t, n)) {
        return;
    }
    abort_node(t, other);
    if (t->is_over) {
        return;
    }
    t->states[parent].child = n;
    kn_tree_result result = enter(t, n);
    if (result != KN_TREE_RUNNING) {
        climb(t, n, result);
    }
}

// The goal of a movement is another one now.
static void move_again(turn *t, uint32_t n)
{
    const uint32_t before = t->states[n].count;
    kn_tree_result result = leaf_begin(t, n);
    if (t->is_over || result == KN_TREE_RUNNING) {
        return;
    }
    const node_state old = {.count = before};
    knc_tree_task_abort(t->world, t->entity, t->p, n, &old); // if it could not begin anew
    refresh(t);
    if (!t->is_over) {
        climb(t, n, result);
    }
}

static void signal_do(turn *t, uint32_t signal, uint32_t index1)
{
    const uint32_t run = t->run->run;
    for (uint32_t i = 0; tree_is_running(t) && t->run->run == run && i < t->p->hearing_count; i++) {
        const plan_hearing *h = &t->p->hearings[i];
        if (h->signal != signal || h->index1 != index1) {
            continue;
        }
        if (h->condition != NONE) {
            observe(t, h);
        } else if (is_running(t, h->node) && t->p->nodes[h->node].kind == KN_TREE_MOVE_TO) {
            move_again(t, h->node);
        } else if (is_running(t, h->node)) {
            node_done(t, h->node, KN_TREE_SUCCEEDED);
        }
    }
}

// Calls
// ---------------------------------------------------------------------------------------------

// Whether a node is a task that goes on, with this ticket.
static bool task_is(const plan *p, const node_state *states, uint32_t n, uint32_t ticket)
{
    return n < p->node_count && states[n].ticket == ticket &&
           states[n].state == KN_TREE_STATE_RUNNING && p->nodes[n].kind == KN_TREE_TASK;
}

static void finish_do(turn *t, const tree_call *call)
{
    if (task_is(t->p, t->states, call->index1, call->ticket)) {
        node_done(t, call->index1, (kn_tree_result)call->result);
    }
}

static void ability_do(turn *t, const tree_call *call)
{
    for (uint32_t n = 0; n < t->p->node_count; n++) {
        const kn_activation_id own = t->states[n].activation;
        if (is_running(t, n) && own.index1 == call->activation.index1 &&
            own.generation == call->activation.generation && own.index1 != 0) {
            node_done(t, n, (kn_tree_result)call->result);
            return;
        }
    }
}

static void move_do(turn *t, const tree_call *call)
{
    for (uint32_t n = 0; n < t->p->node_count; n++) {
        const kn_tree_node_kind kind = t->p->nodes[n].kind;
        if ((kind == KN_TREE_MOVE_TO || kind == KN_TREE_FACE) && is_running(t, n) &&
            t->states[n].count == call->ticket) {
            node_done(t, n, (kn_tree_result)call->result);
            return;
        }
    }
}

static void timer_do(turn *t, const tree_call *call)
{
    uint32_t at = call->index1;
    if (at >= t->p->node_count + t->p->service_count || t->states[at].ticket != call->ticket) {
        return;
    }
    if (at >= t->p->node_count) {
        const plan_service *service = &t->p->services[at - t->p->node_count];
        if (is_running(t, service->node)) {
            knc_tree_service_call(t->world, t->entity, t->p, service);
            refresh(t);
        }
        return;
    }
    if (!is_running(t, at)) {
        return;
    }
    t->states[at].timer = (kn_timer_id){0};
    if (t->p->nodes[at].kind == KN_TREE_WAIT) {
        node_done(t, at, KN_TREE_SUCCEEDED);
        return;
    }
    if (t->p->nodes[at].kind == KN_TREE_WAIT_ABILITY) {
        kn_tree_result result = ability_wait(t, at);
        if (result != KN_TREE_RUNNING) {
            node_done(t, at, result);
        }
        return;
    }
    abort_node(t, at + 1);
    if (!t->is_over) {
        node_done(t, at, KN_TREE_FAILED);
    }
}

static void call_do(turn *t, const tree_call *call)
{
    if (call->kind == TREE_CALL_START) {
        start_do(t, call->tree, 0);
        return;
    }
    if (call->kind == TREE_CALL_ORDER) {
        order_do(t, call);
        return;
    }
    if (!tree_is_running(t)) {
        return;
    }
    switch ((tree_call_kind)call->kind) {
    case TREE_CALL_STOP:
        stop_do(t);
        break;
    case TREE_CALL_LEAVE:
        if (t->run->by_order != 0) {
            stop_do(t);
        }
        break;
    case TREE_CALL_FINISH:
        finish_do(t, call);
        break;
    case TREE_CALL_SIGNAL:
        signal_do(t, call->signal, call->index1);
        break;
    case TREE_CALL_TIMER:
        timer_do(t, call);
        break;
    case TREE_CALL_ABILITY:
        ability_do(t, call);
        break;
    case TREE_CALL_MOVE:
        move_do(t, call);
        break;
    default:
        break;
    }
}

static bool call_wait(kn_world *world, kn_entity_id entity, const tree_call *call)
{
    kn_component_type_id type = knc_tree_kit_of_world(world)->calls;
    uint32_t count = 0;
    if (kn_component_add(world, type, entity) == NULL) {
        return false;
    }
    (void)kn_component_read_items(world, type, entity, &count);
    tree_call *items = kn_component_resize(world, type, entity, count + 1);
    tree_run *run = kn_component_get(world, knc_tree_kit_of_world(world)->runs, entity);
    if (items == NULL || run == NULL) {
        return false;
    }
    items[count] = *call;
    run->waiting = count + 1;
    return true;
}

static bool call_take(turn *t, tree_call *out)
{
    uint32_t count = 0;
    if (t->run->waiting == 0) {
        return false;
    }
    tree_call *items = kn_component_items(t->world, t->kit->calls, t->entity, &count);
    t->run->waiting = count > 0 ? count - 1 : 0;
    if (count == 0) {
        return false;
    }
    *out = items[0];
    memmove(items, items + 1, (count - 1) * sizeof(*items));
    (void)kn_component_resize(t->world, t->kit->calls, t->entity, count - 1);
    refresh(t);
    return true;
}

// A tree that went on and on: it fails. What it asked for meanwhile is dropped, but for an order
// that begins, which fails.
static void stuck_end(turn *t)
{
    uint32_t node = t->stuck;
    tree_call call;
    t->is_over = false;
    t->stuck = NONE;
    t->was_stuck = true;
    refresh(t);
    if (t->is_over) {
        return;
    }
    ended_publish(t, t->kit->stuck, KN_TREE_FAILED, node);
    refresh(t);
    while (!t->is_over && call_take(t, &call)) {
        if (call.kind == TREE_CALL_ORDER) {
            t->run->order = call.ticket;
            t->run->end_order = 0;
        }
    }
    abort_node(t, 0);
    if (!t->is_over) {
        tree_end(t, KN_TREE_FAILED);
    }
    (void)kn_component_remove(t->world, t->kit->calls, t->entity); // of hooks that clean up
    refresh(t);
    if (t->run != NULL) {
        t->run->waiting = 0;
    }
}

// Calls
// --------------------------------------------------------------------------------------------

typedef struct tree_turn {
    kn_entity_id entity;
    const tree_call *call;
} tree_turn;

static kn_result turn_run(void *user, kn_world *world)
{
    const tree_turn *c = user;
    const tree_kit *kit = knc_tree_kit_of_world(world);
    turn t = {.world = world, .entity = c->entity, .kit = kit, .stuck = NONE};
    refresh(&t);
    if (t.run == NULL && kn_component_add(world, kit->runs, c->entity) == NULL) {
        return kn_world_is_broken(world) ? KN_ERROR_WORLD_BROKEN : KN_REFUSED_DYING;
    }
    if (t.run == NULL) {
        t.is_over = false;
        refresh(&t);
    }
    if (t.is_over) { // its definition has changed: what it was doing is lost
        t.is_over = false;
        t.p = NULL;
        t.run->tree = (kn_tree_id){0};
        t.run->result = KN_TREE_ABORTED;
        t.run->busy = 0;
        knc_tree_order_finish(world, c->entity, KN_TREE_FAILED, false);
        refresh(&t);
    }
    if (t.run->busy == knc_order_busy_now(world)) {
        return call_wait(world, c->entity, c->call) ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    }
    t.run->busy = knc_order_busy_now(world);
    call_do(&t, c->call);
    tree_call call;
    while (!t.is_over && call_take(&t, &call)) {
        call_do(&t, &call);
    }
    if (t.stuck != NONE) {
        stuck_end(&t);
    }
    if (t.is_over) {
        refresh(&t);
    }
    if (t.run != NULL) {
        t.run->busy = 0;
    }
    return KN_OK;
}

kn_result knc_tree_check(const kn_world *world, kn_entity_id entity)
{
    if (knc_tree_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kn_world_is_client(world) ? KN_REFUSED_BLOCKED : KN_OK;
}

kn_result knc_tree_call(kn_world *world, kn_entity_id entity, const tree_call *call)
{
    tree_turn c = {entity, call};
    return kn_world_call(world, turn_run, &c);
}

void knc_tree_signal(kn_world *world, kn_entity_id entity, uint32_t signal, uint32_t index1)
{
    const tree_run *run = knc_tree_run_read(world, entity);
    const plan *p = run != NULL ? knc_tree_plan(knc_tree_kit_of_world(world), run->tree) : NULL;
    if (p == NULL || (run->result != KN_TREE_RUNNING && run->busy != knc_order_busy_now(world))) {
        return;
    }
    for (uint32_t i = 0; i < p->hearing_count; i++) {
        if (p->hearings[i].signal == signal && p->hearings[i].index1 == index1) {
            const tree_call call = {.kind = TREE_CALL_SIGNAL, .signal = signal, .index1 = index1};
            (void)knc_tree_call(world, entity, &call);
            return;
        }
    }
}

void knc_tree_move_ended(kn_world *world, kn_entity_id entity, uint32_t ticket, bool has_succeeded)
{
    const tree_run *run = knc_tree_run_read(world, entity);
    if (run == NULL || (run->result != KN_TREE_RUNNING && run->busy == 0)) {
        return;
    }
    const tree_call call = {.kind = TREE_CALL_MOVE,
        .ticket = ticket,
        .result = has_succeeded ? KN_TREE_SUCCEEDED : KN_TREE_FAILED};
    (void)knc_tree_call(world, entity, &call);
}

kn_result kn_tree_start(kn_world *world, kn_entity_id entity, kn_tree_id tree)
{
    kn_result result = knc_tree_check(world, entity);
    const tree_call call = {.kind = TREE_CALL_START, .tree = tree};
    if (result != KN_OK) {
        return result;
    }
    return knc_tree_plan(knc_tree_kit_of_world(world), tree) != NULL
               ? knc_tree_call(world, entity, &call)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_result kn_tree_stop(kn_world *world, kn_entity_id entity)
{
    kn_result result = knc_tree_check(world, entity);
    const tree_call call = {.kind = TREE_CALL_STOP};
    if (result != KN_OK) {
        return result;
    }
    const tree_run *run = knc_tree_run_read(world, entity);
    return run != NULL && (run->result == KN_TREE_RUNNING || run->busy == knc_order_busy_now(world))
               ? knc_tree_call(world, entity, &call)
               : KN_REFUSED_NOT_FOUND;
}

// The node of the task with this ticket that goes on; NONE if there is none.
static uint32_t task_find(const kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    const tree_kit *kit = knc_tree_kit_of_world(world);
    const void *items;
    uint32_t count = 0;
    const tree_run *run = kn_component_read_whole(world, kit->runs, entity, &items, &count);
    const plan *p = run != NULL ? knc_tree_plan(kit, run->tree) : NULL;
    const node_state *states = items;
    const node_state *end =
        p != NULL && states_fit(run, count, p) ? states + p->node_count : states;
    for (const node_state *s = states; s < end; s++) {
        if (s->ticket == ticket && task_is(p, states, (uint32_t)(s - states), ticket)) {
            return (uint32_t)(s - states);
        }
    }
    return NONE;
}

kn_result kn_tree_finish_task(
    kn_world *world, kn_entity_id entity, uint32_t ticket, kn_tree_result result)
{
    kn_result check = (uint32_t)result <= KN_TREE_FAILED ? knc_tree_check(world, entity)
                                                         : KN_ERROR_INVALID_ARGUMENT;
    if (check != KN_OK) {
        return check;
    }
    const tree_call call = {.kind = TREE_CALL_FINISH,
        .index1 = task_find(world, entity, ticket),
        .ticket = ticket,
        .result = result};
    return call.index1 != NONE ? knc_tree_call(world, entity, &call) : KN_REFUSED_NOT_FOUND;
}

bool kn_tree_get_info(const kn_world *world, kn_entity_id entity, kn_tree_info *info)
{
    const tree_kit *kit = knc_tree_kit_of_world(world);
    const tree_run *run = kit != NULL ? knc_tree_run_read(world, entity) : NULL;
    const plan *p = run != NULL ? knc_tree_plan(kit, run->tree) : NULL;
    *info = (kn_tree_info){0};
    if (p == NULL) {
        return false;
    }
    *info = (kn_tree_info){run->tree, (kn_tree_result)run->result, p->node_count, run->run};
    return true;
}

// Components and timers
// ----------------------------------------------------------------------------

// Services go on as long as their node does.
static kn_time timer_fired(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const tree_kit *kit = user;
    kn_reader reader = {data, KN_TIMER_DATA_SIZE, 0, false, false};
    const uint32_t at = kn_read_u32(&reader), ticket = kn_read_u32(&reader);
    const tree_run *run = knc_tree_run_read(world, entity);
    const plan *p = run != NULL ? knc_tree_plan(kit, run->tree) : NULL;
    const node_state *states = knc_tree_states_read(world, entity, p);
    const tree_call call = {.kind = TREE_CALL_TIMER, .ticket = ticket, .index1 = at};
    if (states == NULL || at >= p->node_count + p->service_count) {
        if (p != NULL && states == NULL) {
            (void)knc_tree_call(world, entity, &call); // finds that the tree has changed
        }
        return 0;
    }
    bool is_service = at >= p->node_count;
    kn_time interval = is_service ? p->services[at - p->node_count].def->interval : 0;
    (void)knc_tree_call(world, entity, &call);
    if (!is_service) {
        return 0;
    }
    run = knc_tree_run_read(world, entity);
    states = run != NULL && knc_tree_plan(kit, run->tree) == p
                 ? knc_tree_states_read(world, entity, p)
                 : NULL;
    bool goes_on = states != NULL && states[at].ticket == ticket &&
                   states[p->services[at - p->node_count].node].state == KN_TREE_STATE_RUNNING &&
                   states[p->services[at - p->node_count].node].ticket == ticket;
    return goes_on ? interval : 0;
}

static kn_result calls_register(kn_library *library, tree_kit *kit, kn_error *error)
{
    enum { ORDER = COUNT(knc_order_fields) };
    static const kn_field empty[] = {KN_FIELD_INIT("unused", KN_FIELD_U32, 0, 1)};
    const kn_field own[] = {
        KN_FIELD(tree_call, home, KN_FIELD_VEC3),
        KN_FIELD(tree_call, range, KN_FIELD_F32),
        KN_FIELD_TO(tree_call, tree, "tree"),
        KN_FIELD(tree_call, kind, KN_FIELD_U32),
        KN_FIELD(tree_call, ticket, KN_FIELD_U32),
        KN_FIELD(tree_call, result, KN_FIELD_U32),
        KN_FIELD(tree_call, signal, KN_FIELD_U32),
        KN_FIELD(tree_call, index1, KN_FIELD_U32),
        KN_FIELD(tree_call, activation, KN_FIELD_ACTIVATION),
    };
    kn_field fields[ORDER + COUNT(own)];
    memcpy(fields, knc_order_fields, sizeof(knc_order_fields));
    memcpy(fields + ORDER, own, sizeof(own));
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.TreeCalls";
    def.size = sizeof(uint32_t);
    def.fields = empty;
    def.field_count = COUNT(empty);
    def.item_size = sizeof(tree_call);
    def.item_fields = fields;
    def.item_field_count = COUNT(fields);
    def.sync = KN_SYNC_NONE;
    return kn_component_register(library, &def, &kit->calls, error);
}

kn_result knc_tree_run_components(kn_library *library, tree_kit *kit, kn_error *error)
{
    static const kn_field run_fields[] = {
        KN_FIELD_TO(tree_run, tree, "tree"),
        KN_FIELD(tree_run, result, KN_FIELD_U32),
        KN_FIELD(tree_run, run, KN_FIELD_U32),
        KN_FIELD(tree_run, ticket, KN_FIELD_U32),
        KN_FIELD(tree_run, busy, KN_FIELD_U32),
        KN_FIELD(tree_run, order, KN_FIELD_U32),
        KN_FIELD(tree_run, end_order, KN_FIELD_U32),
        KN_FIELD(tree_run, end_result, KN_FIELD_U32),
        KN_FIELD(tree_run, ends, KN_FIELD_U32),
        KN_FIELD(tree_run, by_order, KN_FIELD_U32),
        KN_FIELD(tree_run, shape, KN_FIELD_U32),
        KN_FIELD(tree_run, waiting, KN_FIELD_U32),
        KN_FIELD(tree_run, ends_at, KN_FIELD_TIME),
    };
    static const kn_field state_fields[] = {
        KN_FIELD(node_state, until, KN_FIELD_TIME),
        KN_FIELD(node_state, timer, KN_FIELD_TIMER),
        KN_FIELD(node_state, activation, KN_FIELD_ACTIVATION),
        KN_FIELD(node_state, state, KN_FIELD_U32),
        KN_FIELD(node_state, ticket, KN_FIELD_U32),
        KN_FIELD(node_state, child, KN_FIELD_U32),
        KN_FIELD(node_state, count, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Tree";
    def.size = sizeof(tree_run);
    def.fields = run_fields;
    def.field_count = COUNT(run_fields);
    def.item_size = sizeof(node_state);
    def.item_fields = state_fields;
    def.item_field_count = COUNT(state_fields);
    def.sync = KN_SYNC_NONE;
    kn_result result = kn_component_register(library, &def, &kit->runs, error);
    result = result != KN_OK ? result : calls_register(library, kit, error);
    return result != KN_OK ? result
                           : kn_timer_type_register(
                                 library, "Knack.Tree", timer_fired, kit, &kit->timer, error);
}
