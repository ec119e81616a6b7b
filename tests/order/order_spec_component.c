// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The state machine of a unit, chapter by chapter of the specification: its state, its events, how
// orders begin and end, homes, what is watched, and automatic orders.

#include "order_test.h"

static kn_unit_info info_of(fixture *f, kn_entity_id unit)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, unit, &info));
    return info;
}

// State -----------------------------------------------------------------------------------------

// ORD-003, ORD-050, ORD-060, ORD-061, ORD-062, ORD-063, ORD-064
static void a_unit_can_be_read(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    kn_unit_info info = info_of(f, f->unit);
    assert_int_equal(info.current.type.index1, q.s->id.index1); // it begins with its stop order
    assert_true(info.is_idle);
    assert_int_equal(info.current.uses_location, 0); // its location means nothing
    assert_int_equal(info.current.target.index1, 0);
    assert_int_equal(info.current.index, -1);
    kn_order order = kn_order_at(q.a->id, (kn_vec3){7, 8, 9});
    order.target = f->foe;
    order.index = 5;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    order.type = q.b->id;
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, NULL), KN_OK);
    info = info_of(f, f->unit);
    assert_int_equal(info.current.type.index1, q.a->id.index1);
    assert_false(info.is_idle);
    assert_true(kn_entity_id_equal(info.current.target, f->foe));
    assert_int_equal(info.current.index, 5);
    assert_int_equal(info.current.uses_location, 1); // and now it does
    assert_true(info.current.location.x == 7 && info.current.location.y == 8);
    info.current.index = 99; // a copy
    kn_order queue[2] = {{.index = 77}, {.index = 77}};
    assert_int_equal(kn_unit_queue(f->world, f->unit, queue, 1), 1);
    assert_true(kn_order_equal(&queue[0], &order));
    assert_int_equal(queue[1].index, 77);
    assert_int_equal(info_of(f, f->unit).current.index, 5);
    // Only those with orders have any.
    kn_unit_info none;
    assert_false(kn_unit_get_info(f->world, f->stone, &none));
    assert_int_equal(kn_unit_queue(f->world, f->stone, queue, 2), 0);
}

// ORD-053, ORD-160: all ways that lead to the stop order
static void four_ways_lead_to_the_stop_order(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    q.x->is_refused = true;
    arrange(f, q.a, NULL, 0);
    assert_int_equal(issue(f, q.x), KN_REFUSED_REQUIREMENT); // a refused order
    STATE(f, "S |");
    arrange(f, q.a, NULL, 0);
    end(f, q.a, KN_ORDER_FAILED); // a failure
    STATE(f, "S |");
    arrange(f, q.a, NULL, 0);
    end(f, q.a, KN_ORDER_SUCCEEDED); // a success with nothing behind it
    STATE(f, "S |");
    arrange(f, q.u, NULL, 0);
    end(f, q.u, KN_ORDER_FAILED); // also of one that cannot be cancelled: ORD-163
    STATE(f, "S |");
}

// ORD-053, ORD-160: the fourth one
static void a_cancelled_order_without_success_leads_to_the_stop_order(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    assert_int_equal(kn_order_end(f->world, f->unit, y.attack->ticket, KN_ORDER_CANCELED), KN_OK);
    STATE(f, "S |"); // the target lives
    order_attack(f, &y, f->foe);
    assert_int_equal(enqueue(f, y.b), KN_OK);
    lose(f, f->foe, f->alive); // now it counts
    STATE(f, "B |");
}

// Events ----------------------------------------------------------------------------------------

// All events of a unit in a step, with the length of the queue.
static const char *events_of(fixture *f)
{
    static char text[512];
    step(f);
    kn_events events = kn_world_events(f->world);
    text[0] = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM || !kn_entity_id_equal(event->entity, f->unit)) {
            continue;
        }
        const char *name = kn_custom_event_name(f->library, event->data.custom.kind);
        const void *payload = kn_event_payload(f->world, event, &size);
        size_t length = strlen(text);
        if (strcmp(name, "Knack.OrderQueue") == 0) {
            const kn_order_queue_event *queue = payload;
            (void)snprintf(text + length, sizeof(text) - length, "%u%s ", queue->count,
                queue->is_cleared != 0 ? "!" : "");
        } else if (strncmp(name, "Knack.Order", 11) == 0) {
            (void)snprintf(text + length, sizeof(text) - length, "%s ", name + 11);
        }
    }
    return text;
}

// ORD-070, ORD-072, ORD-075, ORD-076: which events there are, and when
static void events_tell_user_interfaces_what_happens(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    assert_int_equal(issue(f, q.u), KN_OK);
    assert_string_equal(events_of(f), "0! Changed ");
    assert_int_equal(issue(f, q.a), KN_OK); // waits: the queue changes, but nothing was enqueued
    assert_string_equal(events_of(f), "0! 1 ");
    assert_int_equal(enqueue(f, q.b), KN_OK);
    assert_string_equal(events_of(f), "Enqueued 2 ");
    assert_int_equal(give(f, q.c, kn_order_insert_after), KN_OK);
    assert_string_equal(events_of(f), "3 ");
    end(f, q.u, KN_ORDER_SUCCEEDED); // the end comes before the next order
    assert_string_equal(events_of(f), "Ended 2 Changed ");
    assert_int_equal(give(f, q.u, kn_order_insert_before), KN_OK);
    assert_string_equal(events_of(f), "3 Changed ");
    assert_int_equal(kn_order_clear_queue(f->world, f->unit), KN_OK);
    assert_string_equal(events_of(f), "0! ");
    end(f, q.u, KN_ORDER_FAILED);
    assert_string_equal(events_of(f), "Ended Changed ");
}

static kn_order current_seen;

static void see_current(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    kn_unit_info info;
    (void)f;
    (void)ticket;
    assert_true(kn_unit_get_info(world, unit, &info));
    current_seen = info.current;
}

// ORD-070, ORD-150, ORD-152: the order is current when its hook runs, which knows everything
static void a_hook_finds_its_order_as_the_current_one(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    q.a->executes = see_current;
    place(f, f->unit, 30, 40);
    place(f, f->foe, 60, 0);
    kn_order order = kn_order_on(q.a->id, f->foe);
    order.index = 2;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    assert_true(kn_order_equal(&current_seen, &order));
    assert_true(kn_order_equal(&q.a->last.order, &order));
    assert_true(kn_entity_id_equal(q.a->last.target.entity, f->foe));
    assert_true(q.a->last.target.location.x == 60);
    assert_true(q.a->last.home.x == 30 && q.a->last.home.y == 40);
    assert_int_equal(q.a->last.ticket, info_of(f, f->unit).ticket);
}

// Giving orders ---------------------------------------------------------------------------------

// ORD-058, ORD-100: authority comes before everything else
static void a_client_asks_nobody(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    begin_with(f, def);
    kn_order order = kn_order_of(a->id);
    kn_order_answer answer = {0};
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_order_insert_after(f->world, f->unit, &order, &answer), KN_REFUSED_BLOCKED);
    assert_int_equal(
        kn_order_insert_before(f->world, f->unit, &order, &answer), KN_REFUSED_BLOCKED);
    assert_int_equal(answer.outcome, KN_ORDER_NOT_TAKEN);
    assert_int_equal(a->asked, 0);
    assert_true(kn_world_hash(f->world) == hash);
}

// ORD-114: what can become of an order
static void a_call_says_what_became_of_the_order(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    const struct {
        const script *type;
        kn_order_outcome outcome;
        kn_result result;
    } calls[] = {
        {q.a, KN_ORDER_OBEYED, KN_OK},
        {q.a, KN_ORDER_IS_SAME, KN_OK},
        {q.u, KN_ORDER_OBEYED, KN_OK},
        {q.b, KN_ORDER_WAITS, KN_OK},
        {q.i, KN_ORDER_OBEYED, KN_OK},
    };
    kn_order_answer answer;
    for (uint32_t i = 0; i < 5; i++) {
        kn_order order = kn_order_of(calls[i].type->id);
        assert_int_equal(kn_order_issue(f->world, f->unit, &order, &answer), calls[i].result);
        assert_int_equal(answer.outcome, calls[i].outcome);
    }
    kn_order order = kn_order_of(q.x->id);
    q.x->refused_with = f->upgrade;
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.outcome, KN_ORDER_NOT_TAKEN);
    assert_int_equal(answer.errors.others[0].index1, f->upgrade.index1);
}

typedef struct policy_watch {
    kn_entity_id unit;
    int32_t index;
} policy_watch;

static kn_result watch_policy(void *user, const kn_hook_call *call)
{
    policy_watch *w = user;
    kn_order_call *c = call->arguments;
    w->unit = call->entity;
    w->index = c->order.index;
    c->answer = c->order.index == 3 ? KN_ORDER_UNCANCELABLE : KN_ORDER_CANCELABLE;
    return KN_OK;
}

// ORD-106: the policy of the current order is asked for its unit and its index
static void the_variant_of_an_order_decides_whether_it_can_be_cancelled(void **state)
{
    fixture *f = *state;
    policy_watch w = {0};
    script *s = type_add(f, "S"), *a = type_add(f, "A"), *b = type_add(f, "B");
    (void)s;
    a->def.find_policy = (kn_hook){watch_policy, &w};
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    kn_order order = kn_order_of(a->id);
    order.index = 3;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    w = (policy_watch){0};
    assert_int_equal(issue(f, b), KN_OK);
    assert_true(kn_entity_id_equal(w.unit, f->unit));
    assert_int_equal(w.index, 3);
    STATE(f, "A | B");
    assert_int_equal(kn_order_end(f->world, f->unit, a->ticket, KN_ORDER_FAILED), KN_OK);
    order.index = 4;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    assert_int_equal(issue(f, b), KN_OK);
    STATE(f, "B |");
}

// ORD-109, ORD-151: an instant order is never current, however it is given
static void an_instant_order_is_never_current(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    kn_result (*const calls[])(kn_world *, kn_entity_id, const kn_order *, kn_order_answer *) = {
        kn_order_issue, kn_order_enqueue, kn_order_insert_after, kn_order_insert_before};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(give(f, q.i, calls[i]), KN_OK);
        EXPECT(f, "EX(I)"); // beside the stop order
        STATE(f, "S |");
    }
    assert_int_equal(q.i->ticket, 0); // nobody waits for its end
}

// ORD-124, ORD-180: orders are asked twice
static void an_order_is_checked_again_when_its_turn_comes(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, NULL, 0);
    uint32_t asked = q.b->asked;
    assert_int_equal(enqueue(f, q.b), KN_OK);
    assert_int_equal(q.b->asked, asked + 1);
    end(f, q.a, KN_ORDER_SUCCEEDED);
    assert_int_equal(q.b->asked, asked + 2);
    STATE(f, "B |");
}

static void home_is(const script *s, float x)
{
    assert_true(s->home.x == x);
}

// ORD-105, ORD-154, ORD-192: what was remembered is used once, and a new order forgets it
static void a_new_order_forgets_homes(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    place(f, f->unit, 100, 0);
    arrange(f, q.a, NULL, 0);
    place(f, f->unit, 200, 0);
    assert_int_equal(give(f, q.b, kn_order_insert_before), KN_OK);
    STATE(f, "B | A");
    place(f, f->unit, 300, 0);
    assert_int_equal(issue(f, q.a), KN_OK); // the same as the one that waits, but a new one
    home_is(q.a, 300);
    place(f, f->unit, 400, 0);
    assert_int_equal(give(f, q.b, kn_order_insert_before), KN_OK);
    end(f, q.b, KN_ORDER_SUCCEEDED);
    home_is(q.a, 300);
    assert_int_equal(enqueue(f, q.c), KN_OK);
    place(f, f->unit, 500, 0);
    end(f, q.a, KN_ORDER_SUCCEEDED);
    home_is(q.c, 500); // it was used up
}

// ORD-133, ORD-145: an order that is inserted behind leaves the home of others alone
static void an_inserted_order_leaves_other_homes_alone(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    place(f, f->unit, 100, 0);
    arrange(f, q.a, NULL, 0);
    place(f, f->unit, 200, 0);
    assert_int_equal(give(f, q.b, kn_order_insert_before), KN_OK);
    assert_int_equal(give(f, q.c, kn_order_insert_after), KN_OK);
    STATE(f, "B | C A");
    place(f, f->unit, 300, 0);
    end(f, q.b, KN_ORDER_SUCCEEDED);
    home_is(q.c, 300); // its own
    end(f, q.c, KN_ORDER_SUCCEEDED);
    home_is(q.a, 100);
}

// Ending ------------------------------------------------------------------------------------------

static kn_order_call cancelled_with;

static kn_result watch_cancel(void *user, const kn_hook_call *call)
{
    (void)user;
    cancelled_with = *(const kn_order_call *)call->arguments;
    assert_non_null(call->writable);
    return KN_OK;
}

// ORD-170, ORD-258: who cleans up knows what
static void a_cancelled_order_knows_what_it_was(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A"), *b = type_add(f, "B");
    a->def.cancelled = (kn_hook){watch_cancel, NULL};
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    kn_order order = kn_order_on(a->id, f->foe);
    order.index = 8;
    place(f, f->unit, 12, 0);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    uint32_t ticket = a->ticket;
    assert_int_equal(issue(f, b), KN_OK);
    assert_true(kn_entity_id_equal(cancelled_with.target.entity, f->foe));
    assert_int_equal(cancelled_with.order.index, 8);
    assert_int_equal(cancelled_with.ticket, ticket);
    assert_true(cancelled_with.home.x == 12);
}

// ORD-187: an order that never says so never ends
static void an_order_goes_on_until_somebody_ends_it(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    for (int i = 0; i < 500; i++) {
        step(f);
    }
    STATE(f, "A | B");
    end(f, q.a, KN_ORDER_SUCCEEDED);
    STATE(f, "B |");
}

// Watching ----------------------------------------------------------------------------------------

// ORD-200, ORD-204, OD-062: both parties are watched, and only as long as the order is current
static void an_order_that_has_gone_is_not_watched(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    order_attack(f, &y, f->stone); // another target
    step(f);
    gain(f, f->foe, f->invulnerable); // the old one
    EXPECT(f, "");
    assert_true(kn_entity_destroy(f->world, f->foe));
    EXPECT(f, "");
    STATE(f, "K |");
    gain(f, f->stone, f->invulnerable);
    EXPECT(f, "XC(K) CANCEL(K) CH(S) EX(S)");
    lose(f, f->stone, f->invulnerable);
    order_attack(f, &y, f->stone);
    step(f);
    gain(f, f->unit, f->unarmed); // of the unit, too
    EXPECT(f, "XC(K) CANCEL(K) CH(S) EX(S)");
    gain(f, f->stone, f->invulnerable); // it is over: once
    lose(f, f->unit, f->unarmed);
    assert_true(kn_entity_destroy(f->world, f->stone));
    EXPECT(f, "");
}

// ORD-205: the stop order is not watched
static void a_stop_order_is_not_watched(void **state)
{
    fixture *f = *state;
    static kn_tag blocked[1];
    script *s = type_add(f, "S");
    blocked[0] = f->constructing;
    s->def.tags.source_blocked = (kn_tags){blocked, 1};
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    step(f);
    gain(f, f->unit, f->constructing);
    EXPECT(f, "");
    STATE(f, "S |");
}

// ORD-202: counts do not matter, only whether a tag is there
static void a_tag_counts_when_it_comes_and_goes(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    gain(f, f->foe, f->alive); // twice
    lose(f, f->foe, f->alive); // still there
    step(f);
    STATE(f, "K |");
    lose(f, f->foe, f->alive);
    EXPECT(f, "XC(K) CANCEL(K) CH(S) EX(S)");
}

// Definitions -------------------------------------------------------------------------------------

static kn_result parent_first(void *user, const kn_hook_call *call)
{
    script *s = script_of(user);
    kn_result result = script_can_obey(s, call); // that of the parent
    kn_order_call *c = call->arguments;
    if (result == KN_OK && c->order.index == 13) {
        c->errors[c->error_count++] = s->f->building;
        return KN_REFUSED_CUSTOM;
    }
    return result;
}

// ORD-012, ORD-044, ORD-278, ORD-300, TVO-107: a child has what it does not replace
static void a_type_can_be_derived_from_another(void **state)
{
    fixture *f = *state;
    static kn_tag blocked[1];
    script *parent = type_add(f, "P"), *child = type_add(f, "Q");
    blocked[0] = f->constructing;
    parent->def.needs_life = true;
    parent->def.tags.source_blocked = (kn_tags){blocked, 1};
    parent->def.range = 4;
    child->def = parent->def;
    child->def.name = child->name;
    child->def.target_kind = KN_ORDER_TARGET_LOCATION;
    child->def.individual_locations = true;
    child->def.can_obey = (kn_hook){parent_first, parent};
    begin_with(f, kn_world_def_default());
    const kn_order_type_def *def = kn_order_type_get_def(f->library, child->id);
    assert_int_equal(def->target_kind, KN_ORDER_TARGET_LOCATION);
    assert_int_equal(def->group, KN_ORDER_GROUP_ALL);
    assert_true(def->individual_locations && def->needs_life && def->restarts_tree);
    assert_int_equal(def->policy, KN_ORDER_CANCELABLE);
    assert_false(def->allows_auto);
    assert_true(kn_order_get_range(f->world, child->id, f->unit, -1) == 4);
    kn_order_errors errors = {0};
    assert_false(kn_order_can_obey(f->world, child->id, f->unit, -1, &errors)); // not alive
    assert_int_equal(errors.missing[0].index1, f->alive.index1);
    gain(f, f->unit, f->alive);
    assert_true(kn_order_can_obey(f->world, child->id, f->unit, -1, NULL));
    parent->is_refused = true; // the hook of the parent is asked first
    parent->refused_with = f->upgrade;
    errors = (kn_order_errors){0};
    assert_false(kn_order_can_obey(f->world, child->id, f->unit, 13, &errors));
    assert_int_equal(errors.other_count, 1);
    assert_int_equal(errors.others[0].index1, f->upgrade.index1);
    parent->is_refused = false;
    assert_false(kn_order_can_obey(f->world, child->id, f->unit, 13, NULL));
    assert_true(kn_order_can_obey(f->world, parent->id, f->unit, 13, NULL));
}

// ORD-302: some orders spread a group, others do not
static void healers_share_their_patient(void **state)
{
    fixture *f = *state;
    script *move = type_add(f, "M"), *heal = type_add(f, "T");
    move->def.target_kind = heal->def.target_kind = KN_ORDER_TARGET_LOCATION;
    move->def.individual_locations = true;
    begin_with(f, kn_world_def_default());
    const kn_entity_id units[] = {f->unit, f->friend};
    kn_vec3 points[2];
    kn_order order = kn_order_at(move->id, (kn_vec3){50, 0, 0});
    assert_int_equal(kn_order_find_locations(f->world, &order, units, 2, points), KN_OK);
    assert_true(points[0].y != points[1].y);
    order.type = heal->id;
    assert_int_equal(kn_order_find_locations(f->world, &order, units, 2, points), KN_OK);
    assert_true(points[0].x == 50 && points[0].y == 0 && points[1].x == 50 && points[1].y == 0);
}

// Automatic orders --------------------------------------------------------------------------------

typedef struct medic {
    script *s, *attack, *heal, *shout;
} medic;

static kn_result is_hurt(void *user, const kn_hook_call *call)
{
    const fixture *f = user;
    const kn_order_call *c = call->arguments;
    for (uint32_t i = 0; i < c->target.tag_count; i++) {
        if (c->target.tags[i].index1 == f->worker.index1) {
            return KN_OK;
        }
    }
    return KN_REFUSED_CUSTOM;
}

static uint32_t is_of_ai;

static kn_result who_plays(void *user, const kn_hook_call *call)
{
    kn_order_ai_call *c = call->arguments;
    (void)user;
    assert_null(call->writable);
    c->is_ai = is_of_ai;
    return KN_OK;
}

static kn_result offer(void *user, const kn_hook_call *call)
{
    kn_order_provide_call *c = call->arguments;
    (void)user;
    (void)call;
    c->autos[c->count++] = (kn_order_auto){.type = {4}, .index = -1};
    c->autos[c->count++] = (kn_order_auto){.type = {0}, .index = -1};   // has no such equipment
    c->autos[c->count++] = (kn_order_auto){.type = {999}, .index = -1}; // nobody can do that
    return KN_OK;
}

// Heals friends who are hurt, attacks, and shouts when the AI plays it.
static medic medic_begin(fixture *f)
{
    static kn_order_auto autos[2];
    static kn_tag hostile[1], friendly[1];
    medic m = {type_add(f, "S"), type_add(f, "K"), type_add(f, "T"), type_add(f, "C")};
    hostile[0] = kn_tag_find(f->library, "Knack.Relation.Hostile");
    friendly[0] = kn_tag_find(f->library, "Knack.Relation.Friendly");
    m.s->def.allows_auto = true;
    m.attack->def.target_kind = m.heal->def.target_kind = KN_ORDER_TARGET_ENTITY;
    m.attack->def.tags.target_required = (kn_tags){hostile, 1};
    m.heal->def.tags.target_required = (kn_tags){friendly, 1};
    m.heal->def.is_valid_target = (kn_hook){is_hurt, f};
    m.attack->def.auto_for_players = m.attack->def.auto_begins = true;
    m.heal->def.auto_for_players = m.heal->def.auto_begins = true;
    m.shout->def.auto_for_ai = true;
    autos[0] = (kn_order_auto){{3}, -1, 0};
    autos[1] = (kn_order_auto){{2}, -1, 0};
    f->unit_def.autos = autos;
    f->unit_def.auto_count = 2;
    f->unit_def.provide = (kn_hook){offer, NULL};
    f->unit_def.auto_interval = 0;
    f->unit_def.acquisition_radius = 100;
    kn_order_rules_def rules = kn_order_rules_def_default();
    rules.name = "Rules";
    rules.is_ai = (kn_hook){who_plays, NULL};
    is_of_ai = 0;
    assert_int_equal(kn_order_rules_register(f->library, &rules, NULL), KN_OK);
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    return m;
}

static bool check_autos(fixture *f)
{
    bool is_issued = false;
    assert_int_equal(kn_order_check_autos(f->world, f->unit, &is_issued), KN_OK);
    return is_issued;
}

// ORD-380, ORD-430, ORD-431, ORD-434, OD-010, OD-012: the own list first, then what is offered
static void candidates_come_from_the_unit_and_then_from_others(void **state)
{
    fixture *f = *state;
    medic m = medic_begin(f);
    kn_order_auto_info all[4];
    assert_int_equal(kn_order_autos(f->world, f->unit, all, 4), 3); // what is not set is left out
    assert_int_equal(all[0].order.type.index1, m.heal->id.index1);
    assert_int_equal(all[1].order.type.index1, m.attack->id.index1);
    assert_int_equal(all[2].order.type.index1, m.shout->id.index1);
    assert_int_equal(all[2].order.index, -1);
    assert_true(all[0].is_for_players && !all[0].is_for_ai && all[0].is_on);
    assert_true(!all[2].is_for_players && all[2].is_for_ai && !all[2].is_on); // ORD-383
}

// ORD-426, ORD-435, RTS-224: when to heal is a matter of the order
static void a_medic_heals_who_is_hurt(void **state)
{
    fixture *f = *state;
    medic m = medic_begin(f);
    assert_true(check_autos(f)); // nobody is hurt
    STATE(f, "K | S");
    end(f, m.attack, KN_ORDER_SUCCEEDED);
    gain(f, f->friend, f->worker);
    assert_true(check_autos(f));
    STATE(f, "T | S");
    assert_true(kn_entity_id_equal(info_of(f, f->unit).current.target, f->friend));
    end(f, m.heal, KN_ORDER_SUCCEEDED);
    lose(f, f->friend, f->worker);
    gain(f, f->unit, f->worker); // itself
    assert_true(check_autos(f));
    assert_true(kn_entity_id_equal(info_of(f, f->unit).current.target, f->unit));
}

// ORD-393, ORD-402, ORD-412, RTS-225: who plays is asked at each check
static void the_game_says_who_plays(void **state)
{
    fixture *f = *state;
    medic m = medic_begin(f);
    assert_true(check_autos(f));
    STATE(f, "K | S");
    end(f, m.attack, KN_ORDER_SUCCEEDED);
    is_of_ai = 1; // the AI takes over: it has no switches, and other orders
    assert_true(check_autos(f));
    STATE(f, "C | S");
    end(f, m.shout, KN_ORDER_SUCCEEDED);
    is_of_ai = 0;
    assert_int_equal(kn_order_set_auto(f->world, f->unit, m.shout->id, -1, true),
        KN_REFUSED_REQUIREMENT); // ORD-401
    assert_int_equal(kn_order_set_auto(f->world, f->unit, m.attack->id, -1, false), KN_OK);
    assert_false(check_autos(f));
}

static const struct CMUnitTest tests[] = {
    TEST(a_unit_can_be_read),
    TEST(four_ways_lead_to_the_stop_order),
    TEST(a_cancelled_order_without_success_leads_to_the_stop_order),
    TEST(events_tell_user_interfaces_what_happens),
    TEST(a_hook_finds_its_order_as_the_current_one),
    TEST(a_client_asks_nobody),
    TEST(a_call_says_what_became_of_the_order),
    TEST(the_variant_of_an_order_decides_whether_it_can_be_cancelled),
    TEST(an_instant_order_is_never_current),
    TEST(an_order_is_checked_again_when_its_turn_comes),
    TEST(a_new_order_forgets_homes),
    TEST(an_inserted_order_leaves_other_homes_alone),
    TEST(a_cancelled_order_knows_what_it_was),
    TEST(an_order_goes_on_until_somebody_ends_it),
    TEST(an_order_that_has_gone_is_not_watched),
    TEST(a_stop_order_is_not_watched),
    TEST(a_tag_counts_when_it_comes_and_goes),
    TEST(a_type_can_be_derived_from_another),
    TEST(healers_share_their_patient),
    TEST(candidates_come_from_the_unit_and_then_from_others),
    TEST(a_medic_heals_who_is_hurt),
    TEST(the_game_says_who_plays),
};

TEST_GROUP(order_spec_component, tests, NULL, NULL);
