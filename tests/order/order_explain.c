// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a unit obeys or does not: explanations as text.

#include "order_test.h"

static char text[4096];

static void name_entity(
    void *user, const kn_world *world, kn_entity_id entity, char *out, uint32_t size)
{
    const fixture *f = user;
    const struct {
        kn_entity_id id;
        const char *name;
    } names[] = {{f->player, "player"}, {f->rival, "rival"}, {f->unit, "unit"}, {f->foe, "foe"},
        {f->friend, "friend"}, {f->stone, "stone"}};
    assert_ptr_equal(world, f->world);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (kn_entity_id_equal(names[i].id, entity)) {
            (void)snprintf(out, size, "%s", names[i].name);
        }
    }
}

static void expect_explained(fixture *f, kn_entity_id unit, const kn_order *order, const char *want)
{
    uint64_t hash = kn_world_hash(f->world);
    uint32_t length = kn_order_explain(f->world, unit, order, name_entity, f, text, sizeof(text));
    assert_string_equal(text, want);
    assert_int_equal(length, strlen(text));
    assert_true(kn_world_hash(f->world) == hash);
    char small[16];
    assert_int_equal(
        kn_order_explain(f->world, unit, order, name_entity, f, small, sizeof(small)), length);
    assert_int_equal(strlen(small), length < 15 ? length : 15);
}

static script *attack_add(fixture *f)
{
    static kn_tag required, blocked, relation;
    script *s = type_add(f, "Attack");
    required = f->alive;
    blocked = f->unarmed;
    relation = kn_tag_find(f->library, "Knack.Relation.Friendly");
    s->def.target_kind = KN_ORDER_TARGET_ENTITY;
    s->def.needs_life = true;
    s->def.tags.source_blocked = (kn_tags){&blocked, 1};
    s->def.tags.target_required = (kn_tags){&required, 1};
    s->def.tags.target_blocked = (kn_tags){&relation, 1};
    s->def.range = 2.0f;
    s->def.auto_for_players = true;
    s->def.auto_begins = true;
    return s;
}

static void begin(fixture *f)
{
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_entity_set_connection(f->world, f->player, 1), KN_OK);
    place(f, f->unit, 0, 0);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    place(f, f->foe, 8, 0);
    place(f, f->friend, 3, 4);
    place(f, f->player, 1000, 0);
    place(f, f->rival, 1000, 0);
    place(f, f->stone, 1000, 0);
}

// ORD-093, OD-076: all reasons of both parties at once, those of hooks too.
static void everything_that_is_against_an_order_is_explained(void **state)
{
    fixture *f = *state;
    script *stop = type_add(f, "S");
    script *attack = attack_add(f);
    script *move = type_add(f, "Move");
    move->def.target_kind = KN_ORDER_TARGET_LOCATION;
    (void)stop;
    begin(f);
    gain(f, f->unit, f->unarmed);
    attack->is_refused = true;
    attack->refused_with = f->upgrade;
    kn_order order = kn_order_on(attack->id, f->friend);
    expect_explained(f, f->unit, &order,
        "unit does not obey Attack (Target: friend)\n"
        "  unit lacks Knack.Status.Alive\n"
        "  unit has Status.Unarmed, which blocks it\n"
        "  its function `can_obey` refuses: Order.Error.MissingUpgrade\n"
        "  friend lacks Knack.Status.Alive\n"
        "  friend has Knack.Relation.Friendly, which blocks it\n"
        "  the target is 5 away, and the range is 2: the unit has to come nearer\n");
    attack->refused_with = (kn_tag){0};
    lose(f, f->unit, f->unarmed);
    gain(f, f->unit, f->alive);
    gain(f, f->foe, f->alive);
    order.target = f->foe;
    expect_explained(f, f->unit, &order,
        "unit does not obey Attack (Target: foe)\n"
        "  its function `can_obey` refuses without a reason\n"
        "  the target is 8 away, and the range is 2: the unit has to come nearer\n");
    attack->is_refused = false;
    expect_explained(f, f->unit, &order,
        "unit can obey Attack (Target: foe)\n"
        "  the target is 8 away, and the range is 2: the unit has to come nearer\n"
        "  it would replace S\n");
    place(f, f->foe, 2, 0);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    expect_explained(f, f->unit, &order,
        "unit can obey Attack (Target: foe)\n"
        "  the target is 2 away, and the range is 2\n"
        "  the unit does this already\n");
    assert_true(kn_entity_destroy(f->world, f->foe));
    expect_explained(f, f->unit, &order,
        "unit does not obey Attack (Target: foe)\n"
        "  it has no target: that is gone\n");
    // Who is not asked: entities that are no units, and types that are not there.
    kn_order far = kn_order_at(move->id, (kn_vec3){3, 4, 0});
    expect_explained(f, f->stone, &far, "stone does not obey orders: it is not a unit\n");
    assert_true(kn_entity_destroy(f->world, f->stone));
    expect_explained(f, f->stone, &far, "stone does not obey orders: it is not a unit any more\n");
    far.type.index1 = 99;
    assert_int_equal(kn_order_explain(f->world, f->unit, &far, NULL, NULL, text, sizeof(text)), 0);
}

// Without names entities have their numbers; locations, fallbacks and what runs already.
static void what_would_become_of_an_order_is_explained(void **state)
{
    fixture *f = *state;
    script *stop = type_add(f, "S");
    script *move = type_add(f, "Move");
    script *dig = type_add(f, "Dig");
    script *wave = type_add(f, "Wave");
    (void)stop;
    move->def.target_kind = KN_ORDER_TARGET_LOCATION;
    dig->def.policy = KN_ORDER_UNCANCELABLE;
    wave->def.policy = KN_ORDER_INSTANT;
    f->unit_def.queue_limit = 1;
    begin(f);
    kn_order far = kn_order_at(move->id, (kn_vec3){3, 4, 0});
    kn_order now = kn_order_of(wave->id);
    assert_int_equal(issue(f, dig), KN_OK);
    expect_explained(f, f->unit, &far,
        "unit can obey Move (Location: X=3.0 Y=4.0)\n"
        "  the target is 5 away, and the range is 0: the unit has to come nearer\n"
        "  it would wait behind Dig, which cannot be cancelled\n");
    assert_int_equal(enqueue(f, move), KN_OK);
    expect_explained(f, f->unit, &now,
        "unit can obey Wave\n"
        "  it is carried out at once, beside the current order\n"
        "  the queue is full: 1 orders wait\n");
    uint32_t length = kn_order_explain(f->world, f->unit, &now, NULL, NULL, text, sizeof(text));
    assert_true(length > 0);
    char wanted[32];
    (void)snprintf(wanted, sizeof(wanted), "entity %u can obey", f->unit.index1);
    assert_int_equal(strncmp(text, wanted, strlen(wanted)), 0);
}

static void a_fallback_is_proposed(void **state)
{
    fixture *f = *state;
    script *move = type_add(f, "Move");
    kn_error error;
    move->def.target_kind = KN_ORDER_TARGET_LOCATION;
    assert_int_equal(kn_order_type_register(f->library, &move->def, &move->id, &error), KN_OK);
    kn_order_type_id id = move->id;
    f->script_count = 0; // it is registered already, for the other names it
    script *attack = attack_add(f);
    attack->def.execute = (kn_hook){script_execute, attack};
    attack->def.fallback = id;
    begin(f);
    gain(f, f->unit, f->alive);
    kn_order order = kn_order_on(attack->id, f->friend);
    expect_explained(f, f->unit, &order,
        "unit does not obey Attack (Target: friend)\n"
        "  friend lacks Knack.Status.Alive\n"
        "  friend has Knack.Relation.Friendly, which blocks it\n"
        "  the target is 5 away, and the range is 2: the unit has to come nearer\n"
        "  instead of it, this could be given: Move (Location: X=3.0 Y=4.0)\n");
}

static kn_result shy(void *user, const kn_hook_call *call)
{
    const fixture *f = user;
    kn_order_call *c = call->arguments;
    bool is_foe = kn_entity_id_equal(c->target.entity, f->foe);
    if (is_foe) {
        c->errors[c->error_count++] = f->upgrade;
    }
    return is_foe ? KN_REFUSED_CUSTOM : KN_OK;
}

// ORD-428: the radius, and the targets that were looked at with what is against each.
static void targets_that_were_looked_at_are_explained(void **state)
{
    fixture *f = *state;
    script *stop = type_add(f, "S");
    script *attack = attack_add(f);
    stop->def.allows_auto = true;
    attack->def.is_valid_target = (kn_hook){shy, f};
    kn_order_auto autos[] = {{.index = -1}};
    f->unit_def.acquisition_radius = 12.0f;
    f->unit_def.autos = autos;
    f->unit_def.auto_count = 1;
    f->unit_def.auto_interval = 0;
    f->unit_def.leash = 6.0f;
    // Its number is known before it is registered: it is the second one.
    autos[0].type = (kn_order_type_id){2};
    begin(f);
    assert_int_equal(attack->id.index1, 2);
    gain(f, f->unit, f->alive);
    kn_order order = kn_order_of(attack->id);
    expect_explained(f, f->unit, &order,
        "unit finds no target for Attack\n"
        "  nobody within 12 is accepted\n"
        "    friend, 5 away:\n"
        "      friend lacks Knack.Status.Alive\n"
        "      friend has Knack.Relation.Friendly, which blocks it\n"
        "    foe, 8 away:\n"
        "      foe lacks Knack.Status.Alive\n"
        "      its function `is_valid_target` refuses: Order.Error.MissingUpgrade\n"
        "      it is 8 from the home of the unit, whose leash is 6\n"
        "  the unit looks for something to do only when the host asks\n"
        "  automatic order Attack: switched on, but it would not be given\n");
    place(f, f->rival, 0, 6);
    own(f, f->rival, f->stone);
    gain(f, f->rival, f->alive);
    (void)kn_order_explain(f->world, f->unit, &order, name_entity, f, text, sizeof(text));
    assert_non_null(strstr(text, "  the best target within 12 is rival, with a score of 0.5\n"));
    assert_non_null(strstr(text, "  automatic order Attack: it would be given, at rival\n"));
    // Only the nearest ones are looked at one by one.
    lose(f, f->rival, f->alive);
    for (uint32_t i = 0; i < 8; i++) {
        kn_entity_id other;
        assert_int_equal(kn_entity_create(f->world, &other), KN_OK);
        place(f, other, 0, -1 - (float)i);
    }
    (void)kn_order_explain(f->world, f->unit, &order, name_entity, f, text, sizeof(text));
    assert_null(strstr(text, "foe, 8 away"));
    assert_non_null(strstr(text, ", 5 away:"));
    assert_null(strstr(text, ", 6 away:"));
    assert_non_null(strstr(text, "    and others further away\n"));
}

static void expect_autos(fixture *f, const char *want)
{
    uint32_t length = kn_order_explain_autos(f->world, f->unit, name_entity, f, text, sizeof(text));
    assert_string_equal(text, want);
    assert_int_equal(length, strlen(text));
}

static void automatic_orders_are_explained(void **state)
{
    fixture *f = *state;
    script *stop = type_add(f, "S");
    script *attack = attack_add(f);
    script *dig = type_add(f, "Dig");
    script *yell = type_add(f, "Yell");
    kn_order_auto autos[] = {{{2}, -1, 0}, {{4}, 3, 0}};
    stop->def.allows_auto = true;
    yell->def.auto_for_ai = true;
    f->unit_def.autos = autos;
    f->unit_def.auto_count = 2;
    begin(f);
    assert_int_equal(yell->id.index1, 4);
    expect_autos(f, "unit is played by a player, and has 2 automatic orders\n"
                    "  automatic order Attack: switched on, but it would not be given\n"
                    "    unit lacks Knack.Status.Alive\n"
                    "  automatic order Yell (Index: 3): not for units of players\n");
    gain(f, f->unit, f->alive);
    expect_autos(f, "unit is played by a player, and has 2 automatic orders\n"
                    "  automatic order Attack: switched on, but it would not be given\n"
                    "    it looks for no target: the acquisition radius is 0\n"
                    "  automatic order Yell (Index: 3): not for units of players\n");
    assert_int_equal(kn_order_set_auto(f->world, f->unit, attack->id, -1, false), KN_OK);
    assert_int_equal(issue(f, dig), KN_OK);
    expect_autos(f, "unit is played by a player, and has 2 automatic orders\n"
                    "  the current order Dig does not allow automatic orders\n"
                    "  automatic order Attack: switched off\n"
                    "  automatic order Yell (Index: 3): not for units of players\n");
    assert_int_equal(kn_entity_set_connection(f->world, f->player, 0), KN_OK);
    expect_autos(f, "unit is played by the AI, and has 2 automatic orders\n"
                    "  the current order Dig does not allow automatic orders\n"
                    "  automatic order Attack: not for units of the AI\n"
                    "  automatic order Yell (Index: 3): switched on, but it would not be given\n"
                    "    no enemy is near\n");
    assert_int_equal(kn_order_explain_autos(f->world, f->stone, NULL, NULL, text, sizeof(text)), 0);
}

static void a_unit_is_printed_with_all_its_orders(void **state)
{
    fixture *f = *state;
    script *stop = type_add(f, "S");
    script *attack = attack_add(f);
    script *dig = type_add(f, "Dig");
    kn_order_auto autos[] = {{{2}, -1, 0}};
    (void)stop;
    attack->def.auto_for_ai = true;
    dig->def.is_work = true;
    f->unit_def.autos = autos;
    f->unit_def.auto_count = 1;
    begin(f);
    gain(f, f->unit, f->alive);
    gain(f, f->foe, f->alive);
    assert_int_equal(kn_unit_print(f->world, f->stone, NULL, NULL, text, sizeof(text)), 0);
    uint32_t length = kn_unit_print(f->world, f->unit, name_entity, f, text, sizeof(text));
    assert_string_equal(text, "Soldier, idle\n"
                              "  current: S\n"
                              "  automatic: Attack, on, for the AI\n");
    assert_int_equal(length, strlen(text));
    kn_order strike = kn_order_on(attack->id, f->foe);
    assert_int_equal(issue(f, dig), KN_OK);
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &strike, NULL), KN_OK);
    assert_int_equal(kn_order_insert_before(f->world, f->unit, &strike, NULL), KN_OK);
    assert_int_equal(kn_order_set_auto(f->world, f->unit, attack->id, -1, false), KN_OK);
    (void)kn_unit_print(f->world, f->unit, name_entity, f, text, sizeof(text));
    assert_string_equal(text, "Soldier\n"
                              "  current, in between: Attack (Target: foe)\n"
                              "  queued: Dig\n"
                              "  queued: Attack (Target: foe)\n"
                              "  automatic: Attack, off, for the AI\n");
    end(f, attack, KN_ORDER_SUCCEEDED);
    assert_int_equal(kn_order_issue(f->world, f->unit, &strike, NULL), KN_OK);
    (void)kn_unit_print(f->world, f->unit, name_entity, f, text, sizeof(text));
    assert_string_equal(text, "Soldier\n"
                              "  current: Attack (Target: foe)\n"
                              "  remembered: Dig\n"
                              "  remembered: Attack (Target: foe)\n"
                              "  automatic: Attack, off, for the AI\n");
}

static const struct CMUnitTest tests[] = {
    TEST(everything_that_is_against_an_order_is_explained),
    TEST(what_would_become_of_an_order_is_explained),
    TEST(a_fallback_is_proposed),
    TEST(targets_that_were_looked_at_are_explained),
    TEST(automatic_orders_are_explained),
    TEST(a_unit_is_printed_with_all_its_orders),
};

TEST_GROUP(order_explain, tests, NULL, NULL);
