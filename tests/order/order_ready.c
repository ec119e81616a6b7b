// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The ready order types, played as content: soldiers of two players on an open field.

#include "order/order_content.h"

#include "knack/mover.h"
#include "knack/order_ready.h"
#include "knack/save.h"
#include "knack/tree.h"

#include <math.h>

static const char content[] =
    "kits: [order, ready_orders]\n"
    "tags: [Unit.Soldier, Unit.Archer, Unit.Wolf, Unit.Tower]\n"
    "settings: {fail_tags: standard}\n"
    "attribute_sets:\n"
    "  Body: {attributes: {Health: {default_value: 30}, Reach: {default_value: 2}}}\n"
    "movers:\n"
    "  Walk: {speed: 4, rate: 20, tag: Unit.Soldier}\n"
    "  Trot: {speed: 5, rate: 20, tag: Unit.Wolf}\n"
    "effects:\n"
    "  Cut: {modifiers: {Body.Health: -10}}\n"
    "  Burn: {modifiers: {Body.Health: -25}}\n"
    "  Mend: {modifiers: {Body.Health: 5}}\n"
    "abilities:\n"
    "  Strike:\n"
    "    {body: use, tags: [Knack.Ability.Attack], cooldowns: [{duration: 1}],\n"
    "     applies: {Cut: target}}\n"
    "  Fire: {body: use, cooldowns: [{duration: 10}], applies: {Burn: target}}\n"
    "  Bandage: {body: use, cooldowns: [{duration: 10}], applies: {Mend: owner}}\n"
    "order_types:\n"
    "  Attack: {parent: Knack.Attack, range_attribute: Body.Reach}\n"
    "  Fire: {parent: Knack.UseAbility, ability: Fire, target_kind: entity, range: 6}\n"
    "  Bandage: {parent: Knack.UseAbility, ability: Bandage}\n"
    "order_units:\n"
    "  Soldier:\n"
    "    {tag: Unit.Soldier, stop: Knack.Stop, autos: [{type: Attack}], acquisition_radius: 8,\n"
    "     leash: 12, commands: [Attack, Fire, Bandage]}\n"
    "  Wolf: {tag: Unit.Wolf, stop: Knack.Stop}\n"
    "archetypes:\n"
    "  Soldier:\n"
    "    {sets: [Body], abilities: [Strike, Fire, Bandage],\n"
    "     tags: [Knack.Status.Alive, Knack.Status.CanAttack, Unit.Soldier]}\n"
    "  Wolf: {sets: [Body], tags: [Knack.Status.Alive, Unit.Wolf]}\n"
    "  Hut: {sets: [Body], tags: [Knack.Status.Alive, Knack.Kind.Building]}\n";

static kn_library *library_make(void)
{
    static const kn_kit kits[] = {
        {"order", kn_order_register}, {"ready_orders", kn_order_ready_register}};
    return library_load(kits, 2, content);
}

// One whose health is gone is dead.
static void bury(field *f, kn_entity_id entity)
{
    if (value_of(f, entity, "Body.Health") <= 0 &&
        kn_entity_has_tag(f->world, entity, kn_tag_find(f->library, "Knack.Status.Alive"))) {
        kn_tag alive = kn_tag_find(f->library, "Knack.Status.Alive");
        assert_int_equal(
            kn_entity_remove_tag(f->world, entity, alive, KN_TAG_ORIGIN_LOOSE_SYNCED, 1), KN_OK);
    }
}

static void play(field *f, uint32_t ms, kn_entity_id mortal)
{
    for (uint32_t done = 0; done < ms; done += 50) {
        run_ms(f, 50);
        bury(f, mortal);
    }
}

static int setup_field(void **state)
{
    static field f;
    field_begin(&f, library_make());
    *state = &f;
    return 0;
}

static int teardown_field(void **state)
{
    field_end(*state);
    return 0;
}

static float distance(kn_vec3 a, float x, float y)
{
    return sqrtf((a.x - x) * (a.x - x) + (a.y - y) * (a.y - y));
}

static void expect_at(const field *f, kn_entity_id unit, float x, float y, float slack)
{
    const kn_vec3 at = place_of(f, unit);
    if (distance(at, x, y) > slack) {
        fail_msg("it is at %.3f %.3f, not at %.3f %.3f", (double)at.x, (double)at.y, (double)x,
            (double)y);
    }
}

static kn_result order_at(field *f, kn_entity_id unit, const char *type, float x, float y)
{
    const kn_order order = kn_order_at(type_named(f, type), (kn_vec3){x, y, 0});
    return kn_order_issue(f->world, unit, &order, NULL);
}

static kn_result order_on(field *f, kn_entity_id unit, const char *type, kn_entity_id target)
{
    const kn_order order = kn_order_on(type_named(f, type), target);
    return kn_order_issue(f->world, unit, &order, NULL);
}

static bool tags_are(const field *f, kn_tags tags, const char *names)
{
    char text[256] = "";
    for (uint32_t i = 0; i < tags.count; i++) {
        const char *name = kn_tag_name(f->library, tags.data[i]);
        size_t length = strlen(text);
        (void)snprintf(
            text + length, sizeof(text) - length, "%s%s", i > 0 ? " " : "", strrchr(name, '.') + 1);
    }
    if (strcmp(text, names) != 0) {
        print_message("'%s' is not '%s'\n", text, names);
    }
    return strcmp(text, names) == 0;
}

typedef struct defaults {
    const char *name;
    kn_order_target_kind kind;
    bool individual, allows_auto;
    const char *required, *blocked, *target_required, *target_blocked, *success;
} defaults;

// TVO-100..106, ORD-310, ORD-311, ORD-330..332, ORD-335, ORD-336, ORD-340, ORD-342, ORD-354,
// ORD-360, OD-059: the fields of ready order types.
static void ready_order_types_have_their_defaults(void **state)
{
    const field *f = *state;
    static const defaults all[] = {
        {"Knack.Move", KN_ORDER_TARGET_LOCATION, true, false, "", "Immobilized Constructing", "",
            "", ""},
        {"Knack.AttackMove", KN_ORDER_TARGET_LOCATION, true, true, "", "Immobilized Constructing",
            "", "", ""},
        {"Knack.Attack", KN_ORDER_TARGET_ENTITY, true, true, "CanAttack", "Unarmed Constructing",
            "Alive Visible", "Invulnerable Friendly", "Alive"},
        {"Knack.Stop", KN_ORDER_TARGET_NONE, false, true, "", "Constructing", "", "", ""},
        {"Knack.Hold", KN_ORDER_TARGET_NONE, false, false, "", "Constructing", "", "", ""},
        {"Knack.UseAbility", KN_ORDER_TARGET_NONE, false, false, "", "Constructing", "", "", ""},
        {"Fire", KN_ORDER_TARGET_ENTITY, false, false, "", "Constructing", "", "", ""},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        const kn_order_type_def *def =
            kn_order_type_get_def(f->library, type_named(f, all[i].name));
        print_message("%s\n", all[i].name);
        assert_int_equal(def->target_kind, all[i].kind);
        assert_int_equal(def->policy, KN_ORDER_CANCELABLE);
        assert_int_equal(def->group, KN_ORDER_GROUP_ALL);
        assert_int_equal(def->individual_locations, all[i].individual);
        assert_int_equal(def->formation, KN_FORMATION_BLOCK);
        assert_int_equal(def->allows_auto, all[i].allows_auto);
        assert_true(def->needs_life && def->restarts_tree);
        assert_true(tags_are(f, def->tags.source_required, all[i].required));
        assert_true(tags_are(f, def->tags.source_blocked, all[i].blocked));
        assert_true(tags_are(f, def->tags.target_required, all[i].target_required));
        assert_true(tags_are(f, def->tags.target_blocked, all[i].target_blocked));
        assert_true(tags_are(f, def->success.target_blocked, all[i].success));
        assert_int_equal(def->success.target_required.count, 0);
    }
    assert_true(kn_order_type_get_def(f->library, type_named(f, "Knack.Attack"))->auto_begins);
}

// TVO-110, ORD-441: a unit that is told to move goes there, and stops.
static void moving_ends_at_the_point(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    assert_int_equal(order_at(f, unit, "Knack.Move", 8, 6), KN_OK);
    run_ms(f, 1000);
    assert_string_equal(current_of(f, unit), "Knack.Move");
    expect_at(f, unit, 3.2f, 2.4f, 0.3f);
    run_ms(f, 1600);
    assert_string_equal(current_of(f, unit), "Knack.Stop");
    expect_at(f, unit, 8, 6, 0.001f);
    tag_add(f, unit, "Knack.Status.Immobilized");
    assert_int_equal(order_at(f, unit, "Knack.Move", 0, 0), KN_REFUSED_REQUIREMENT);
}

// TVO-111, ORD-337, RTS-256, RTS-133: a unit gets into range, attacks until the target is dead, and
// goes on with its queue.
static void attacks_go_on_until_the_target_is_dead(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 9, 0);
    assert_int_equal(order_on(f, unit, "Attack", foe), KN_OK);
    const kn_order next = kn_order_at(type_named(f, "Knack.Move"), (kn_vec3){7, 5, 0});
    assert_int_equal(kn_order_enqueue(f->world, unit, &next, NULL), KN_OK);
    play(f, 1700, foe);
    assert_true(value_of(f, foe, "Body.Health") == 30);
    play(f, 100, foe);
    expect_at(f, unit, 7, 0, 0.1f);
    assert_true(value_of(f, foe, "Body.Health") == 20);
    play(f, 1000, foe);
    assert_true(value_of(f, foe, "Body.Health") == 10);
    assert_string_equal(current_of(f, unit), "Attack");
    play(f, 1000, foe);
    assert_true(value_of(f, foe, "Body.Health") == 0);
    assert_string_equal(current_of(f, unit), "Knack.Move");
    play(f, 2000, foe);
    expect_at(f, unit, 7, 5, 0.001f);
    assert_true(value_of(f, foe, "Body.Health") == 0);
}

// A target that runs away is followed.
static void attacks_follow_their_target(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 3, 0);
    assert_int_equal(order_on(f, unit, "Attack", foe), KN_OK);
    assert_int_equal(order_at(f, foe, "Knack.Move", 23, 0), KN_OK);
    run_ms(f, 4200);
    expect_at(f, foe, 23, 0, 0.01f);
    assert_string_equal(current_of(f, unit), "Attack");
    run_ms(f, 1500);
    expect_at(f, unit, 21, 0, 0.2f);
    assert_true(value_of(f, foe, "Body.Health") < 30);
}

// TVO-80, TVO-112, RTS-259: a unit at rest attacks by itself, and comes back to where it stood.
static void idle_units_fight_and_come_back(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 20, 0); // it is a unit before it has a body
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 27, 0);
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, unit, &info));
    assert_true(info.home.x == 20);
    play(f, 500, foe);
    assert_string_equal(current_of(f, unit), "Attack");
    play(f, 4500, foe);
    assert_string_equal(current_of(f, unit), "Knack.Stop");
    play(f, 2000, foe);
    expect_at(f, unit, 20, 0, 1.01f);
    assert_true(value_of(f, foe, "Body.Health") <= 0);
}

// TVO-82, ORD-342: one that holds its position does not.
static void units_that_hold_their_position_do_not_attack(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 7, 0);
    const kn_order hold = kn_order_of(type_named(f, "Knack.Hold"));
    assert_int_equal(kn_order_issue(f->world, unit, &hold, NULL), KN_OK);
    run_ms(f, 2000);
    assert_string_equal(current_of(f, unit), "Knack.Hold");
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, unit, &info));
    assert_false(info.is_idle);
    assert_true(value_of(f, foe, "Body.Health") == 30);
    expect_at(f, unit, 0, 0, 0.001f);
}

// TVO-81, ORD-360: attack-moving units fight on the way and then go on; moving ones do not.
static void attack_moves_fight_on_the_way(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id other = unit_at(f, "Soldier", f->us, 0, 30);
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 30, 3); // far beyond a leash from the start
    (void)unit_at(f, "Wolf", f->them, 30, 33);
    assert_int_equal(order_at(f, unit, "Knack.AttackMove", 40, 0), KN_OK);
    assert_int_equal(order_at(f, other, "Knack.Move", 40, 30), KN_OK);
    play(f, 7000, foe);
    assert_string_equal(current_of(f, unit), "Attack");
    assert_string_equal(current_of(f, other), "Knack.Move");
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, unit, &info));
    assert_true(info.interrupts && info.returns_to.x > 20 && info.returns_to.x < 26);
    play(f, 9000, foe);
    assert_true(value_of(f, foe, "Body.Health") <= 0);
    expect_at(f, unit, 40, 0, 0.001f);
}

// A unit does not run after a target for ever: it returns when its leash is taut.
static void leashes_end_a_chase(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 6, 0);
    run_ms(f, 300);
    assert_string_equal(current_of(f, unit), "Attack");
    assert_int_equal(order_at(f, foe, "Knack.Move", 40, 0), KN_OK);
    float furthest = 0;
    for (int i = 0; i < 160; i++) {
        run_ms(f, 50);
        furthest = fmaxf(furthest, place_of(f, unit).x);
    }
    if (furthest < 11 || furthest > 12 + 4) {
        fail_msg("it went as far as %.2f", (double)furthest);
    }
    assert_string_equal(current_of(f, unit), "Knack.Stop");
    expect_at(f, unit, 0, 0, 1.01f);
}

// An attack that a player orders knows no leash.
static void ordered_attacks_have_no_leash(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 30, 0);
    assert_int_equal(order_on(f, unit, "Attack", foe), KN_OK);
    play(f, 7300, foe);
    assert_true(value_of(f, foe, "Body.Health") < 30);
}

static void patrols_go_to_and_fro(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 2, 0);
    assert_int_equal(order_at(f, unit, "Knack.Patrol", 10, 0), KN_OK);
    run_ms(f, 2000);
    expect_at(f, unit, 10, 0, 0.3f);
    run_ms(f, 2000);
    expect_at(f, unit, 2, 0, 0.3f);
    run_ms(f, 2000);
    expect_at(f, unit, 10, 0, 0.3f);
    assert_string_equal(current_of(f, unit), "Knack.Patrol");
}

static void followers_stay_near(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id friend = unit_at(f, "Soldier", f->us, 5, 0);
    assert_int_equal(order_on(f, unit, "Knack.Follow", friend), KN_OK);
    run_ms(f, 1000);
    expect_at(f, unit, 2, 0, 0.3f);
    assert_int_equal(order_at(f, friend, "Knack.Move", 15, 0), KN_OK);
    run_ms(f, 4000);
    expect_at(f, unit, 12, 0, 0.4f);
    assert_string_equal(current_of(f, unit), "Knack.Follow");
    kn_entity_destroy(f->world, friend);
    run_ms(f, 100);
    assert_string_equal(current_of(f, unit), "Knack.Stop");
}

// The home of a guard is where the one is that it guards.
static void guards_fight_for_those_they_guard(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id friend = unit_at(f, "Wolf", f->us, 3, 0);
    assert_int_equal(order_on(f, unit, "Knack.Guard", friend), KN_OK);
    assert_int_equal(order_at(f, friend, "Knack.Move", 33, 0), KN_OK);
    run_ms(f, 8500);
    expect_at(f, unit, 30, 0, 0.6f);
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, unit, &info));
    assert_true(info.home.x == 33);
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 36, 0); // 36 away from where it began
    play(f, 500, foe);
    assert_string_equal(current_of(f, unit), "Attack");
    assert_true(kn_unit_get_info(f->world, unit, &info));
    assert_true(info.interrupts && info.returns_to.x == 33);
    play(f, 5000, foe);
    assert_true(value_of(f, foe, "Body.Health") <= 0);
    assert_string_equal(current_of(f, unit), "Knack.Guard");
}

static void guards_of_a_place_return_to_it(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    assert_int_equal(order_at(f, unit, "Knack.GuardPlace", 10, 0), KN_OK);
    run_ms(f, 3000);
    expect_at(f, unit, 10, 0, 0.001f);
    assert_string_equal(current_of(f, unit), "Knack.GuardPlace");
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 16, 0);
    play(f, 4500, foe);
    assert_true(value_of(f, foe, "Body.Health") <= 0);
    play(f, 2000, foe);
    assert_string_equal(current_of(f, unit), "Knack.GuardPlace");
    expect_at(f, unit, 10, 0, 0.001f);
}

// RTS-257, ORD-352: an order to use an ability gets into range, and uses it.
static void abilities_are_used_in_range(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id foe = unit_at(f, "Wolf", f->them, 14, 0);
    kn_body body;
    assert_true(kn_grid_get_body(f->grid, unit, &body));
    assert_int_equal(order_on(f, unit, "Fire", foe), KN_OK);
    run_ms(f, 1900);
    assert_true(value_of(f, foe, "Body.Health") == 30);
    run_ms(f, 200);
    expect_at(f, unit, 8.2f, 0, 0.5f); // it may be on its way to attack by now
    assert_true(value_of(f, foe, "Body.Health") == 5);
    assert_string_equal(current_of(f, unit), "Attack"); // what it does by itself
    kn_order_answer answer;
    const kn_order again = kn_order_on(type_named(f, "Fire"), foe);
    assert_int_equal(kn_order_enqueue(f->world, unit, &again, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(
        answer.errors.others[0].index1, kn_ability_fail_tag(f->library, KN_FAIL_COOLDOWN).index1);
}

static void abilities_without_a_target_are_used_at_once(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    const kn_order order = kn_order_of(kn_unit_command(f->world, unit, 2));
    assert_int_equal(kn_order_issue(f->world, unit, &order, NULL), KN_OK);
    run_ms(f, 50);
    assert_true(value_of(f, unit, "Body.Health") == 35);
    assert_string_equal(current_of(f, unit), "Knack.Stop");
}

// TVO-60, ORD-334, RTS-223, RTSV-S1..S3: workers and buildings are attacked later.
static void automatic_attacks_choose_fighters_first(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Soldier", f->us, 0, 0);
    kn_entity_id hut = unit_at(f, "Hut", f->them, 0, 0);
    kn_entity_id wolf = unit_at(f, "Wolf", f->them, 0, 0);
    const kn_order_type_id attack = type_named(f, "Attack");
    const kn_vec3 here = {0};
    kn_order_target target = kn_order_look(f->world, unit, wolf, here);
    assert_true(kn_order_score(f->world, attack, unit, &target, -1, 8) == 1.0f);
    target = kn_order_look(f->world, unit, hut, here);
    assert_true(kn_order_score(f->world, attack, unit, &target, -1, 8) == 0.5f);
    tag_add(f, wolf, "Knack.Status.CanGather");
    target = kn_order_look(f->world, unit, wolf, here);
    assert_true(kn_order_score(f->world, attack, unit, &target, -1, 8) == 0.7f);
    tag_add(f, hut, "Knack.Status.CanGather");
    target = kn_order_look(f->world, unit, hut, here);
    assert_true(fabsf(kn_order_score(f->world, attack, unit, &target, -1, 8) - 0.35f) < 1e-6f);
}

// An order type of a game, on top of a ready one: its score is that of the ready one, times what
// the game makes of the target.
static kn_result own_score(void *user, const kn_hook_call *call)
{
    const kn_order_type_def *ready = user;
    kn_order_call *c = call->arguments;
    const kn_library *library = kn_world_library(call->world);
    kn_result result = ready->score.function(ready->score.user, call);
    const kn_attribute_id threat = kn_attribute_find(library, "Body.Threat");
    c->number *= 1.0f + 0.1f * kn_attribute_value(call->world, c->target.entity, threat);
    return result;
}

// TVO-116, ORD-347, ORD-278: the inherited score of a building is 0.5, and a threat of 6 makes it
// 0.8. TVO-114: a listener prints the names of orders as they change.
static void games_extend_ready_order_types(void **state)
{
    kn_library_def library_def = kn_library_def_default();
    kn_attribute_def threat = kn_attribute_def_default();
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_unit_type_def unit_def = kn_unit_type_def_default();
    kn_attribute_set_id body;
    kn_order_type_id attack;
    kn_unit_type_id unit_type;
    kn_library *library;
    field f;
    (void)state;
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    assert_int_equal(kn_grid_register(library, NULL, NULL), KN_OK);
    assert_int_equal(kn_order_register(library, NULL), KN_OK);
    assert_int_equal(kn_order_ready_register(library, NULL), KN_OK);
    threat.name = "Threat";
    threat.default_value = 6;
    set.name = "Body";
    set.attributes = &threat;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(library, &set, &body, NULL), KN_OK);
    const kn_order_type_def ready =
        *kn_order_type_get_def(library, kn_order_type_find(library, "Knack.Attack"));
    kn_order_type_def own = ready;
    own.name = "Attack";
    own.score = (kn_hook){own_score, (void *)(uintptr_t)&ready};
    assert_int_equal(kn_order_type_register(library, &own, &attack, NULL), KN_OK);
    unit_def.name = "Soldier";
    assert_int_equal(kn_unit_type_register(library, &unit_def, &unit_type, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    field_begin(&f, library);

    kn_entity_id unit, hut;
    assert_int_equal(kn_entity_create(f.world, &unit), KN_OK);
    assert_int_equal(kn_entity_create(f.world, &hut), KN_OK);
    assert_int_equal(kn_entity_set_owner(f.world, unit, f.us), KN_OK);
    assert_int_equal(kn_entity_set_owner(f.world, hut, f.them), KN_OK);
    body_place(&f, unit, 0, 0);
    body_place(&f, hut, 0, 0);
    assert_int_equal(kn_attribute_set_add(f.world, hut, body, 0), KN_OK);
    tag_add(&f, hut, "Knack.Kind.Building");
    kn_order_target target = kn_order_look(f.world, unit, hut, (kn_vec3){0});
    assert_true(kn_order_score(f.world, attack, unit, &target, -1, 8) == 0.5f * 1.6f);

    tag_add(&f, unit, "Knack.Status.Alive");
    tag_add(&f, unit, "Knack.Status.CanAttack");
    tag_add(&f, hut, "Knack.Status.Alive");
    assert_int_equal(kn_unit_add(f.world, unit, unit_type), KN_OK);
    const kn_order order = kn_order_on(attack, hut);
    assert_int_equal(kn_order_issue(f.world, unit, &order, NULL), KN_OK);
    kn_entity_destroy(f.world, hut);
    run_ms(&f, 50);
    char text[64] = "";
    kn_events events = kn_world_events(f.world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type == KN_EVENT_CUSTOM &&
            strcmp(kn_custom_event_name(library, event->data.custom.kind), "Knack.OrderChanged") ==
                0) {
            const kn_order_event *changed = kn_event_payload(f.world, event, &size);
            const kn_order_type_def *def = kn_order_type_get_def(library, changed->order.type);
            size_t length = strlen(text);
            (void)snprintf(
                text + length, sizeof(text) - length, "%s ", def != NULL ? def->name : "none");
        }
    }
    assert_string_equal(text, "Attack none ");
    field_end(&f);
}

// The same fight in steps of other lengths, saved in the middle, ends in the same state.
static uint64_t fight_of(uint32_t hertz, bool is_saved)
{
    field f;
    field_begin(&f, library_make());
    kn_entity_id units[4];
    for (uint32_t i = 0; i < 4; i++) {
        units[i] = unit_at(&f, "Soldier", i % 2 == 0 ? f.us : f.them, 3.0f * (float)i, (float)i);
    }
    assert_int_equal(order_at(&f, units[0], "Knack.AttackMove", 20, 5), KN_OK);
    kn_time now = 0;
    for (uint32_t i = 1; now < KN_MS(6000); i++) {
        kn_time next = (kn_time)i * 1000000 / hertz;
        next = next < KN_MS(6000) ? next : KN_MS(6000);
        assert_int_equal(kn_world_step(f.world, next - now), KN_OK);
        now = next;
        if (is_saved && i == hertz * 2) {
            size_t size = 0;
            kn_result result = kn_save_write(f.world, NULL, 0, &size);
            assert_int_equal(result, KN_OK);
            void *bytes = malloc(size);
            assert_int_equal(kn_save_write(f.world, bytes, size, &size), KN_OK);
            assert_int_equal(kn_save_read(f.world, bytes, size, NULL), KN_OK);
            free(bytes);
        }
    }
    uint64_t hash = kn_world_hash(f.world);
    field_end(&f);
    return hash;
}

static void steps_of_any_length_end_alike(void **state)
{
    (void)state;
    uint64_t hash = fight_of(30, false);
    assert_int_equal(fight_of(60, false), hash);
    assert_int_equal(fight_of(144, false), hash);
    assert_int_equal(fight_of(60, true), hash);
}

static void registering_needs_the_kit_and_works_once(void **state)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    (void)state;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    assert_int_equal(kn_order_ready_register(NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_order_ready_register(library, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_order_register(library, NULL), KN_OK);
    assert_int_equal(kn_order_ready_register(library, NULL), KN_OK);
    assert_int_equal(kn_order_ready_register(library, NULL), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    kn_library_destroy(library);
}

#define FIELD_TEST(name) cmocka_unit_test_setup_teardown(name, setup_field, teardown_field)

static const struct CMUnitTest tests[] = {
    FIELD_TEST(ready_order_types_have_their_defaults),
    FIELD_TEST(moving_ends_at_the_point),
    FIELD_TEST(attacks_go_on_until_the_target_is_dead),
    FIELD_TEST(attacks_follow_their_target),
    FIELD_TEST(idle_units_fight_and_come_back),
    FIELD_TEST(units_that_hold_their_position_do_not_attack),
    FIELD_TEST(attack_moves_fight_on_the_way),
    FIELD_TEST(leashes_end_a_chase),
    FIELD_TEST(ordered_attacks_have_no_leash),
    FIELD_TEST(patrols_go_to_and_fro),
    FIELD_TEST(followers_stay_near),
    FIELD_TEST(guards_fight_for_those_they_guard),
    FIELD_TEST(guards_of_a_place_return_to_it),
    FIELD_TEST(abilities_are_used_in_range),
    FIELD_TEST(abilities_without_a_target_are_used_at_once),
    FIELD_TEST(automatic_attacks_choose_fighters_first),
    cmocka_unit_test(games_extend_ready_order_types),
    cmocka_unit_test(steps_of_any_length_end_alike),
    cmocka_unit_test(registering_needs_the_kit_and_works_once),
};

TEST_GROUP(order_ready, tests, NULL, NULL);
