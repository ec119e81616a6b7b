// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of the order kit share: order types whose hooks write what happens as the vectors of
// the specification do: CH the current order changed, EN enqueued, CL the queue was cleared, XC
// cancelled, EX executed, OK, FAIL or CANCEL how it ended, RF refused. Orders go on until a test
// ends them.
#ifndef KNACK_ORDER_TEST_H
#define KNACK_ORDER_TEST_H

#include "group.h"

#include "knack/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPES_MAX 16

typedef struct fixture fixture;

// An order type of a test, and what its hooks do.
typedef struct script {
    fixture *f;
    char name[8];
    kn_order_type_def def;
    kn_order_type_id id;
    bool is_refused;        // by can_obey
    kn_tag refused_with;    // may be null
    int ends;               // in `execute`: 1 + a kn_order_result; 0: it goes on
    kn_result answers;      // of `execute`
    kn_order_policy policy; // of find_policy, if the def has it
    void (*executes)(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket);
    void (*cancels)(fixture *f, kn_world *world, kn_entity_id unit);
    uint32_t ticket; // of the last execution
    kn_vec3 home;    // of the last execution
    uint32_t asked;  // how often can_obey was asked
    kn_order_call last;
} script;

struct fixture {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id unit, foe, friend, player, rival, stone;
    kn_tag alive, immobile, unarmed, constructing, invulnerable, building, worker, upgrade;
    kn_custom_event_id ran;
    script scripts[TYPES_MAX];
    uint32_t script_count;
    kn_unit_type_def unit_def;
    kn_unit_type_id unit_type;
    char log[4096];
};

#include "kit_test.h"

typedef struct ran_event {
    uint32_t script;
    uint32_t is_cancel;
} ran_event;

static inline script *script_of(void *user)
{
    return user;
}

static inline void ran(const script *s, kn_world *world, kn_entity_id unit, bool is_cancel)
{
    const ran_event event = {(uint32_t)(s - s->f->scripts), is_cancel};
    (void)kn_world_publish(world, unit, s->f->ran, &event);
}

static inline kn_result script_execute(void *user, const kn_hook_call *call)
{
    script *s = script_of(user);
    const kn_order_call *c = call->arguments;
    s->ticket = c->ticket;
    s->home = c->home;
    s->last = *c;
    ran(s, call->writable, call->entity, false);
    if (s->executes != NULL) {
        s->executes(s->f, call->writable, call->entity, c->ticket);
    }
    if (s->ends != 0) {
        assert_int_equal(
            kn_order_end(call->writable, call->entity, c->ticket, (kn_order_result)(s->ends - 1)),
            KN_OK);
    }
    return s->answers;
}

static inline kn_result script_cancel(void *user, const kn_hook_call *call)
{
    script *s = script_of(user);
    ran(s, call->writable, call->entity, true);
    if (s->cancels != NULL) {
        s->cancels(s->f, call->writable, call->entity);
    }
    return KN_OK;
}

static inline kn_result script_can_obey(void *user, const kn_hook_call *call)
{
    script *s = script_of(user);
    kn_order_call *c = call->arguments;
    assert_null(call->writable);
    s->asked++;
    if (s->is_refused && s->refused_with.index1 != 0) {
        c->errors[c->error_count++] = s->refused_with;
    }
    return s->is_refused ? KN_REFUSED_CUSTOM : KN_OK;
}

static inline kn_result script_policy(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    c->answer = (uint32_t)script_of(user)->policy;
    return KN_OK;
}

// An order type that needs nothing; change its def before begin().
static inline script *type_add(fixture *f, const char *name)
{
    script *s = &f->scripts[f->script_count++];
    s->f = f;
    (void)snprintf(s->name, sizeof(s->name), "%s", name);
    s->def = kn_order_type_def_default();
    s->def.name = s->name;
    s->def.needs_life = false;
    s->def.execute = (kn_hook){script_execute, s};
    s->def.cancelled = (kn_hook){script_cancel, s};
    s->def.can_obey = (kn_hook){script_can_obey, s};
    return s;
}

static inline fixture *fixture_create(void)
{
    static const kn_field fields[] = {
        KN_FIELD(ran_event, script, KN_FIELD_U32),
        KN_FIELD(ran_event, is_cancel, KN_FIELD_U32),
    };
    fixture *f = calloc(1, sizeof(*f));
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    assert_non_null(f);
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    if (kn_order_register(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(kn_grid_register(f->library, NULL, &error), KN_OK);
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = "Test.Ran";
    event.size = sizeof(ran_event);
    event.fields = fields;
    event.field_count = 2;
    assert_int_equal(kn_custom_event_register(f->library, &event, &f->ran, &error), KN_OK);
    f->alive = kn_tag_find(f->library, "Knack.Status.Alive");
    f->immobile = tag_named(f, "Status.Immobile");
    f->unarmed = tag_named(f, "Status.Unarmed");
    f->constructing = tag_named(f, "Status.Constructing");
    f->invulnerable = tag_named(f, "Status.Invulnerable");
    f->building = tag_named(f, "Kind.Building");
    f->worker = tag_named(f, "Kind.Worker");
    f->upgrade = tag_named(f, "Order.Error.MissingUpgrade");
    f->unit_def = kn_unit_type_def_default();
    f->unit_def.name = "Soldier";
    return f;
}

// Registers what was added, and makes a world: `unit` and `friend` belong to a player, `foe` to a
// rival, `stone` to nobody. The first type is the stop order, if there is one called S.
static inline void begin_with(fixture *f, kn_world_def def)
{
    kn_error error = {0};
    for (uint32_t i = 0; i < f->script_count; i++) {
        script *s = &f->scripts[i];
        assert_int_equal(kn_order_type_register(f->library, &s->def, &s->id, &error), KN_OK);
        if (strcmp(s->name, "S") == 0) {
            f->unit_def.stop = s->id;
        }
    }
    assert_int_equal(kn_unit_type_register(f->library, &f->unit_def, &f->unit_type, &error), KN_OK);
    if (kn_library_finish(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    kn_grid_def grid = kn_grid_def_default();
    grid.world = f->world;
    assert_int_equal(kn_grid_create(&grid, &f->grid), KN_OK);
    kn_world_set_space(f->world, kn_grid_space(f->grid));
    kn_entity_id *const all[] = {&f->player, &f->rival, &f->unit, &f->foe, &f->friend, &f->stone};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        assert_int_equal(kn_entity_create(f->world, all[i]), KN_OK);
        place(f, *all[i], (float)i, 0);
    }
    own(f, f->unit, f->player);
    own(f, f->friend, f->player);
    own(f, f->foe, f->rival);
}

static inline void step(fixture *f)
{
    assert_int_equal(kn_world_step(f->world, KN_MS(10)), KN_OK);
}

static inline void say(fixture *f, const char *word, const char *name)
{
    size_t length = strlen(f->log);
    (void)snprintf(f->log + length, sizeof(f->log) - length, "%s%s%s%s%s", length > 0 ? " " : "",
        word, name != NULL ? "(" : "", name != NULL ? name : "", name != NULL ? ")" : "");
}

static inline const char *name_of(const fixture *f, kn_order_type_id type)
{
    const kn_order_type_def *def = kn_order_type_get_def(f->library, type);
    return def != NULL ? def->name : "none";
}

// Writes what happened to an entity since the last step.
static inline void happened_to(fixture *f, kn_entity_id entity)
{
    const kn_library *library = f->library;
    step(f);
    kn_events events = kn_world_events(f->world);
    f->log[0] = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM || !kn_entity_id_equal(event->entity, entity)) {
            continue;
        }
        const char *name = kn_custom_event_name(library, event->data.custom.kind);
        const void *payload = kn_event_payload(f->world, event, &size);
        if (strncmp(name, "Knack.Tree", 10) == 0) {
            continue;
        }
        if (strcmp(name, "Knack.OrderRetargeted") == 0) {
            say(f, "RT", NULL);
        } else if (strcmp(name, "Test.Ran") == 0) {
            const ran_event *ran_it = payload;
            say(f, ran_it->is_cancel != 0 ? "XC" : "EX", f->scripts[ran_it->script].name);
        } else if (strcmp(name, "Knack.OrderQueue") == 0) {
            const kn_order_queue_event *queue = payload;
            if (queue->is_cleared != 0) {
                say(f, "CL", NULL);
            }
        } else if (strcmp(name, "Knack.OrderEnded") == 0) {
            const kn_order_ended *ended = payload;
            static const char *const words[] = {"OK", "FAIL", "CANCEL"};
            say(f, words[ended->result], name_of(f, ended->order.type));
        } else {
            const kn_order_event *order = payload;
            const char *word = strcmp(name, "Knack.OrderChanged") == 0    ? "CH"
                               : strcmp(name, "Knack.OrderEnqueued") == 0 ? "EN"
                                                                          : "RF";
            say(f, word, name_of(f, order->order.type));
        }
    }
}

#define EXPECT(f, text)                                                                            \
    do {                                                                                           \
        happened_to((f), (f)->unit);                                                               \
        assert_string_equal((f)->log, text);                                                       \
    } while (0)

// The current order and the queue, such as "A | B C".
static inline const char *orders_of(fixture *f, kn_entity_id unit)
{
    static char text[512];
    kn_unit_info info;
    kn_order queue[32];
    assert_true(kn_unit_get_info(f->world, unit, &info));
    uint32_t count = kn_unit_queue(f->world, unit, queue, 32);
    assert_int_equal(count, info.queue_count);
    int length = snprintf(text, sizeof(text), "%s |", name_of(f, info.current.type));
    for (uint32_t i = 0; i < count; i++) {
        length += snprintf(
            text + length, sizeof(text) - (size_t)length, " %s", name_of(f, queue[i].type));
    }
    return text;
}

#define STATE(f, text) assert_string_equal(orders_of((f), (f)->unit), text)

static inline kn_result give(fixture *f, const script *s,
    kn_result (*how)(kn_world *, kn_entity_id, const kn_order *, kn_order_answer *))
{
    kn_order order = kn_order_of(s->id);
    return how(f->world, f->unit, &order, NULL);
}

static inline kn_result issue(fixture *f, const script *s)
{
    return give(f, s, kn_order_issue);
}

static inline kn_result enqueue(fixture *f, const script *s)
{
    return give(f, s, kn_order_enqueue);
}

static inline void end(fixture *f, const script *s, kn_order_result result)
{
    assert_int_equal(kn_order_end(f->world, f->unit, s->ticket, result), KN_OK);
}

// Situations ------------------------------------------------------------------------

// A stop order, three that can be cancelled, one that cannot, one that is instant, and one that is
// always refused.
typedef struct squad {
    script *s, *a, *b, *c, *u, *i, *x;
} squad;

static inline squad squad_begin(fixture *f)
{
    squad q = {type_add(f, "S"), type_add(f, "A"), type_add(f, "B"), type_add(f, "C"),
        type_add(f, "U"), type_add(f, "I"), type_add(f, "X")};
    q.u->def.policy = KN_ORDER_UNCANCELABLE;
    q.i->def.policy = KN_ORDER_INSTANT;
    q.x->is_refused = true;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    EXPECT(f, "CH(S) EX(S)"); // once, and it runs: ORD-080, ORD-082
    STATE(f, "S |");
    return q;
}

// Gives a unit a current order and a queue, and forgets what happened.
static inline void arrange(
    fixture *f, const script *current, const script *const *queue, uint32_t count)
{
    assert_int_equal(issue(f, current), KN_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(enqueue(f, queue[i]), KN_OK);
    }
    step(f);
}

// Move and attack as the specification describes them.
typedef struct army {
    script *s, *move, *attack, *b;
    kn_tag alive_tag, friendly, visible;
} army;

static inline army army_begin(fixture *f)
{
    army y = {.s = type_add(f, "S"),
        .move = type_add(f, "M"),
        .attack = type_add(f, "K"),
        .b = type_add(f, "B")};
    static kn_tag blocked_move[2], blocked_attack[2], required[2], blocked_target[2], dead[1];
    blocked_move[0] = f->immobile;
    blocked_move[1] = f->constructing;
    y.move->def.target_kind = KN_ORDER_TARGET_LOCATION;
    y.move->def.needs_life = true;
    y.move->def.tags.source_blocked = (kn_tags){blocked_move, 2};
    blocked_attack[0] = f->unarmed;
    blocked_attack[1] = f->constructing;
    required[0] = f->alive;
    required[1] = kn_tag_find(f->library, "Knack.Relation.Visible");
    blocked_target[0] = f->invulnerable;
    blocked_target[1] = kn_tag_find(f->library, "Knack.Relation.Friendly");
    dead[0] = f->alive;
    y.attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    y.attack->def.needs_life = true;
    y.attack->def.tags.source_blocked = (kn_tags){blocked_attack, 2};
    y.attack->def.tags.target_required = (kn_tags){required, 2};
    y.attack->def.tags.target_blocked = (kn_tags){blocked_target, 2};
    y.attack->def.success.target_blocked = (kn_tags){dead, 1};
    y.attack->def.fallback.index1 = 2; // the move order
    y.friendly = blocked_target[1];
    y.visible = required[1];
    begin_with(f, kn_world_def_default());
    assert_int_equal(y.move->id.index1, 2);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    const kn_entity_id living[] = {f->unit, f->foe, f->friend, f->stone};
    for (int i = 0; i < 4; i++) {
        gain(f, living[i], f->alive);
    }
    step(f);
    return y;
}

static inline void order_attack(fixture *f, const army *y, kn_entity_id target)
{
    kn_order order = kn_order_on(y->attack->id, target);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
}

static inline int setup_fixture(void **state)
{
    *state = fixture_create();
    return 0;
}

static inline int teardown_fixture(void **state)
{
    fixture *f = *state;
    if (f->world != NULL) {
        assert_true(kn_world_validate(f->world));
    }
    kn_grid_destroy(f->grid);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_fixture, teardown_fixture)

#endif
