// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders that use abilities: who may obey, what can be cancelled, commands of units, and orders
// that find another target.

#include "order/order_test.h"

#include "knack/task.h"
#include "knack/tree.h"

typedef struct spells {
    fixture *f;
    kn_ability_type_id bolt, heal, strike, charge, aura;
    kn_tag spell, attack;
    kn_tree_id use;
    kn_entity_id hit;    // what the bolt was aimed at last
    kn_vec3 hit_at;      // and where
    uint32_t used;       // how often an ability was used
    kn_time task_time;   // of the ability that runs a task; 0: it ends at once
    bool is_not_willing; // can_activate of the bolt says no
} spells;

static spells all;

static kn_result use_it(const kn_ability_call *call)
{
    all.used++;
    kn_result result = kn_activation_commit(call->world, call->activation);
    if (result != KN_OK || all.task_time == 0) {
        return kn_activation_end(call->world, call->activation);
    }
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    kn_task_id task;
    def.delay = all.task_time;
    return kn_task_run(call->world, call->activation, &def, &task);
}

static kn_result use_at(const kn_ability_call *call, const kn_event_record *event)
{
    const kn_target_view view = {event->data, event->data_size};
    all.hit = event->target;
    all.hit_at = (kn_vec3){0};
    (void)kn_target_position(view, &all.hit_at);
    return use_it(call);
}

static void task_done(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    (void)kn_activation_end(call->world, call->activation);
}

static bool is_willing(const kn_ability_call *call, const kn_event_record *event)
{
    (void)call;
    (void)event;
    return !all.is_not_willing;
}

static kn_ability_type_id ability_add(const char *name, kn_tag tag, kn_instancing instancing)
{
    const kn_cooldown_def cooldown = kn_cooldown_seconds(2.0f);
    kn_ability_def def = kn_ability_def_default();
    kn_ability_type_id type;
    def.name = name;
    def.tags = (kn_tags){&tag, 1};
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    def.instancing = instancing;
    def.activate = use_it;
    def.activate_by_event = use_at;
    def.task_done = task_done;
    def.can_activate = is_willing;
    assert_int_equal(kn_ability_register(all.f->library, &def, &type, NULL), KN_OK);
    return type;
}

static script *order_of(const char *name, kn_ability_type_id ability)
{
    script *s = type_add(all.f, name);
    s->def.execute = (kn_hook){0};
    s->def.cancelled = (kn_hook){0};
    s->def.ability = ability;
    s->def.tree = all.use;
    return s;
}

// Abilities, and a tree that uses that of the order.
static int setup_spells(void **state)
{
    fixture *f = fixture_create();
    *state = f;
    all = (spells){.f = f};
    all.spell = tag_named(f, "Ability.Spell");
    all.attack = kn_tag_find(f->library, "Knack.Ability.Attack");
    assert_int_equal(kn_ability_fail_tags_register(f->library, NULL), KN_OK);
    all.bolt = ability_add("Bolt", all.spell, KN_INSTANCING_PER_ACTOR);
    all.heal = ability_add("Heal", all.spell, KN_INSTANCING_PER_EXECUTION);
    all.strike = ability_add("Strike", all.attack, KN_INSTANCING_PER_ACTOR);
    all.charge = ability_add("Charge", all.spell, KN_INSTANCING_PER_ACTOR);
    all.aura = ability_add("Aura", all.spell, KN_INSTANCING_PER_ACTOR);

    kn_blackboard_def board = kn_blackboard_def_default();
    kn_blackboard_id layout;
    board.name = "Orders";
    board.order_keys = true;
    assert_int_equal(kn_blackboard_register(f->library, &board, &layout, NULL), KN_OK);
    kn_tree_def tree = kn_tree_def_default();
    tree.name = "Use";
    tree.blackboard = layout;
    tree.root.kind = KN_TREE_USE_ABILITY;
    tree.root.target = "Order_Target";
    tree.root.location = "Order_Location";
    assert_int_equal(kn_tree_register(f->library, &tree, &all.use, NULL), KN_OK);
    (void)type_add(f, "S");
    return 0;
}

#define SPELL_TEST(name) cmocka_unit_test_setup_teardown(name, setup_spells, teardown_fixture)

static kn_ability_id grant(kn_ability_type_id type, float level)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    kn_ability_id ability;
    def.type = type;
    def.level = level;
    assert_int_equal(kn_ability_grant(all.f->world, all.f->unit, &def, &ability), KN_OK);
    return ability;
}

static void begin_spells(void)
{
    begin_with(all.f, kn_world_def_default());
    assert_int_equal(kn_unit_add(all.f->world, all.f->unit, all.f->unit_type), KN_OK);
}

static kn_order_policy policy_of(const script *s)
{
    return kn_order_get_policy(all.f->world, s->id, all.f->unit, -1);
}

// TVO-90, ORD-352, ORD-353, ORD-358: an instant order without a target activates the ability at
// once, which pays for itself, and its result is that of the call.
static void instant_orders_activate_at_once(void **state)
{
    fixture *f = *state;
    script *bolt = order_of("B", all.bolt);
    bolt->def.policy = KN_ORDER_INSTANT;
    bolt->def.tree = (kn_tree_id){0};
    begin_spells();
    kn_ability_id ability = grant(all.bolt, 1);
    assert_int_equal(policy_of(bolt), KN_ORDER_INSTANT);
    kn_order order = kn_order_of(bolt->id);
    kn_order_answer answer;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_OBEYED);
    assert_int_equal(all.used, 1);
    STATE(f, "S |");
    kn_time remaining, total;
    assert_true(kn_ability_cooldown(f->world, ability, &remaining, &total));
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(all.used, 1);
}

// TVO-91: a passive one is instant, too; it is never given.
static void passive_orders_are_instant(void **state)
{
    script *aura = order_of("P", all.aura);
    aura->def.policy = KN_ORDER_INSTANT;
    aura->def.target_kind = KN_ORDER_TARGET_PASSIVE;
    aura->def.tree = (kn_tree_id){0};
    begin_spells();
    (void)state;
    (void)grant(all.aura, 1);
    assert_int_equal(policy_of(aura), KN_ORDER_INSTANT);
    assert_int_equal(issue(all.f, aura), KN_REFUSED_NOT_FOUND);
    assert_int_equal(all.used, 0);
}

// TVO-92, ORD-350, ORD-346: an instant ability with a target is carried out by the tree, which
// tells it the target; other policies stay as they are.
static void orders_with_a_target_run_by_a_tree(void **state)
{
    fixture *f = *state;
    script *bolt = order_of("B", all.bolt), *charge = order_of("C", all.charge);
    bolt->def.policy = KN_ORDER_INSTANT;
    bolt->def.target_kind = KN_ORDER_TARGET_ENTITY;
    charge->def.policy = KN_ORDER_UNCANCELABLE;
    begin_spells();
    (void)grant(all.bolt, 1);
    all.task_time = KN_MS(100);
    assert_int_equal(policy_of(bolt), KN_ORDER_CANCELABLE);
    assert_int_equal(policy_of(charge), KN_ORDER_UNCANCELABLE);
    kn_order order = kn_order_on(bolt->id, f->foe);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    STATE(f, "B |");
    assert_int_equal(all.hit.index1, f->foe.index1);
    assert_int_equal(all.used, 1);
    for (int i = 0; i < 12; i++) {
        step(f);
    }
    STATE(f, "S |");
}

// ORD-357: a point that it is aimed at comes with the target data.
static void orders_at_a_point_tell_the_ability_where(void **state)
{
    fixture *f = *state;
    script *bolt = order_of("B", all.bolt);
    bolt->def.target_kind = KN_ORDER_TARGET_LOCATION;
    begin_spells();
    (void)grant(all.bolt, 1);
    kn_order order = kn_order_at(bolt->id, (kn_vec3){7, 8, 1});
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    assert_int_equal(all.used, 1);
    assert_int_equal(all.hit.index1, 0);
    assert_true(all.hit_at.x == 7 && all.hit_at.y == 8 && all.hit_at.z == 1);
}

// TVO-93, TVO-94, ORD-024, ORD-351: whether it can be cancelled is found out at the moment.
static void tasks_of_an_ability_hold_its_order(void **state)
{
    fixture *f = *state;
    script *bolt = order_of("B", all.bolt), *heal = order_of("H", all.heal);
    script *other = type_add(f, "O");
    bolt->def.policy = KN_ORDER_UNCANCELABLE_IN_TASKS;
    heal->def.policy = KN_ORDER_UNCANCELABLE_IN_TASKS;
    begin_spells();
    (void)grant(all.bolt, 1);
    (void)grant(all.heal, 1);
    all.task_time = KN_MS(50);
    assert_int_equal(policy_of(bolt), KN_ORDER_CANCELABLE);
    assert_int_equal(issue(f, bolt), KN_OK);
    assert_int_equal(policy_of(bolt), KN_ORDER_UNCANCELABLE);
    assert_int_equal(issue(f, other), KN_OK);
    STATE(f, "B | O");
    for (int i = 0; i < 7; i++) {
        step(f);
    }
    STATE(f, "O |");
    assert_int_equal(policy_of(bolt), KN_ORDER_CANCELABLE);
    assert_int_equal(issue(f, heal), KN_OK);
    STATE(f, "H |");
    assert_int_equal(all.used, 2);
    assert_int_equal(policy_of(heal), KN_ORDER_CANCELABLE); // any number of them runs at once
}

static bool has_error(const kn_order_errors *errors, kn_tag tag)
{
    for (uint32_t i = 0; i < errors->other_count; i++) {
        if (errors->others[i].index1 == tag.index1) {
            return true;
        }
    }
    return false;
}

// TVO-95, TVD-23, ORD-344, ORD-345, ORD-355, OD-070: each reason why a unit cannot obey is in the
// errors.
static void units_that_cannot_use_it_cannot_obey(void **state)
{
    fixture *f = *state;
    script *bolt = order_of("B", all.bolt);
    bolt->def.tags.source_blocked = (kn_tags){&f->constructing, 1};
    begin_spells();
    const kn_tag no_ability = kn_tag_find(f->library, "Knack.Order.NoAbility");
    const kn_tag cooldown = kn_ability_fail_tag(f->library, KN_FAIL_COOLDOWN);
    kn_order_errors errors = {0};
    assert_int_not_equal(cooldown.index1, 0);
    assert_false(kn_order_can_obey(f->world, bolt->id, f->unit, -1, &errors));
    assert_true(has_error(&errors, no_ability));
    kn_ability_id ability = grant(all.bolt, 0);
    errors = (kn_order_errors){0};
    assert_false(kn_order_can_obey(f->world, bolt->id, f->unit, -1, &errors));
    assert_true(has_error(&errors, no_ability));
    assert_int_equal(kn_ability_set_level(f->world, &ability, 1), KN_OK);
    assert_true(kn_order_can_obey(f->world, bolt->id, f->unit, -1, NULL));
    all.is_not_willing = true;
    assert_false(kn_order_can_obey(f->world, bolt->id, f->unit, -1, NULL));
    all.is_not_willing = false;
    gain(f, f->unit, f->constructing);
    errors = (kn_order_errors){0};
    assert_false(kn_order_can_obey(f->world, bolt->id, f->unit, -1, &errors));
    assert_int_equal(errors.blocking[0].index1, f->constructing.index1);
    lose(f, f->unit, f->constructing);
    assert_int_equal(issue(f, bolt), KN_OK);
    assert_int_equal(all.used, 1);
    step(f);
    step(f);
    errors = (kn_order_errors){0};
    assert_false(kn_order_can_obey(f->world, bolt->id, f->unit, -1, &errors));
    assert_true(has_error(&errors, cooldown));
    assert_false(has_error(&errors, no_ability));
    kn_order none = kn_order_of(kn_unit_command(f->world, f->unit, 99));
    assert_int_equal(kn_order_issue(f->world, f->unit, &none, NULL), KN_REFUSED_NOT_FOUND);
}

// ORD-343, ORD-356, OD-088, TVO-113: commands have places, and are found by the tag of their
// ability.
static void commands_are_found_by_place_and_tag(void **state)
{
    fixture *f = *state;
    script *move = type_add(f, "M"), *strike = order_of("A", all.strike);
    script *bolt = order_of("B", all.bolt);
    kn_order_type_id commands[3] = {{2}, {3}, {4}}; // as they are registered after S
    f->unit_def.commands = commands;
    f->unit_def.command_count = 3;
    begin_spells();
    assert_int_equal(kn_unit_command(f->world, f->unit, 0).index1, move->id.index1);
    assert_int_equal(kn_unit_command(f->world, f->unit, 2).index1, bolt->id.index1);
    assert_int_equal(kn_unit_command(f->world, f->unit, 3).index1, 0);
    assert_int_equal(kn_unit_command(f->world, f->foe, 0).index1, 0);
    assert_int_equal(kn_unit_find_command(f->world, f->unit, all.spell), 2);
    assert_int_equal(kn_unit_find_command(f->world, f->unit, all.attack), 1);
    assert_int_equal(kn_unit_find_command(f->world, f->unit, f->alive), -1);
    assert_int_equal(kn_unit_find_command(f->world, f->foe, all.spell), -1);
    assert_int_not_equal(strike->id.index1, 0);
}

// TVO-87, ORD-432, ORD-433, OD-085: abilities among the commands are automatic orders, but for
// passive ones and the attack.
static void commands_with_abilities_are_automatic_orders(void **state)
{
    fixture *f = *state;
    script *bolt = order_of("B", all.bolt), *aura = order_of("P", all.aura);
    script *strike = order_of("A", all.strike), *plain = type_add(f, "M");
    script *heal = order_of("H", all.heal);
    aura->def.target_kind = KN_ORDER_TARGET_PASSIVE;
    kn_order_type_id commands[5] = {{2}, {3}, {4}, {5}, {6}};
    f->unit_def.commands = commands;
    f->unit_def.command_count = 5;
    begin_spells();
    kn_order_auto_info autos[8];
    assert_int_equal(kn_order_autos(f->world, f->unit, autos, 8), 2);
    assert_int_equal(autos[0].order.type.index1, bolt->id.index1);
    assert_int_equal(autos[1].order.type.index1, heal->id.index1);
    assert_int_equal(autos[1].order.index, -1);
    assert_true(strike->id.index1 != 0 && plain->id.index1 != 0);
    assert_int_equal(kn_order_refresh_autos(f->world, f->unit), KN_OK);
    assert_int_equal(kn_order_autos(f->world, f->unit, autos, 8), 2);
}

static void commands_are_no_automatic_orders_if_the_unit_says_so(void **state)
{
    fixture *f = *state;
    (void)order_of("B", all.bolt);
    kn_order_type_id commands[1] = {{2}};
    f->unit_def.commands = commands;
    f->unit_def.command_count = 1;
    f->unit_def.commands_are_autos = false;
    begin_spells();
    kn_order_auto_info autos[8];
    assert_int_equal(kn_order_autos(f->world, f->unit, autos, 8), 0);
}

// ORD-337, ORD-348, RTS-220: the target that is found is one that the ability accepts.
static void targets_are_those_that_the_ability_accepts(void **state)
{
    fixture *f = *state;
    kn_ability_def def = *kn_ability_type_get_def(f->library, all.bolt);
    def.name = "Zap";
    def.target.ignored = (kn_tags){&f->invulnerable, 1};
    kn_ability_type_id zap;
    assert_int_equal(kn_ability_register(f->library, &def, &zap, NULL), KN_OK);
    script *bolt = order_of("B", zap);
    bolt->def.target_kind = KN_ORDER_TARGET_ENTITY;
    bolt->def.needs_life = true;
    begin_spells();
    (void)grant(zap, 1);
    assert_false(kn_order_can_obey(f->world, bolt->id, f->unit, -1, NULL)); // as every order
    gain(f, f->unit, f->alive);
    assert_true(kn_order_can_obey(f->world, bolt->id, f->unit, -1, NULL));
    gain(f, f->foe, f->invulnerable); // the nearest one
    place(f, f->foe, 2.5f, 0);
    place(f, f->friend, 5, 0);
    kn_entity_id found =
        kn_order_find_target(f->world, bolt->id, f->unit, -1, 100, 100, (kn_vec3){2, 0, 0}, NULL);
    assert_int_not_equal(found.index1, f->foe.index1);
    assert_int_not_equal(found.index1, 0);
    kn_order order = kn_order_on(bolt->id, f->foe);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(all.used, 0);
}

// ORD-338: an order may go on with another target when its own is gone.
static void orders_find_another_target(void **state)
{
    fixture *f = *state;
    script *a = order_of("A", all.bolt);
    kn_tree_def tree = kn_tree_def_default();
    tree.name = "Wait";
    tree.blackboard = kn_blackboard_find(f->library, "Orders");
    tree.root.kind = KN_TREE_WAIT;
    tree.root.duration = KN_TIME_INFINITE;
    kn_tree_id wait;
    assert_int_equal(kn_tree_register(f->library, &tree, &wait, NULL), KN_OK);
    a->def.ability = (kn_ability_type_id){0};
    a->def.tree = wait;
    a->def.reacquires = true;
    a->def.target_kind = KN_ORDER_TARGET_ENTITY;
    a->def.tags.target_required = (kn_tags){&f->alive, 1};
    a->def.tags.source_blocked = (kn_tags){&f->unarmed, 1};
    a->def.acquisition_radius = 10;
    begin_spells();
    place(f, f->unit, 0, 0);
    place(f, f->foe, 4, 0);
    place(f, f->friend, 6, 0);
    place(f, f->stone, 9, 0);
    gain(f, f->foe, f->alive);
    gain(f, f->friend, f->alive);
    gain(f, f->stone, f->alive);
    kn_order order = kn_order_on(a->id, f->foe);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    EXPECT(f, "CH(S) EX(S) CL CH(A)");
    kn_unit_info info, before;
    assert_true(kn_unit_get_info(f->world, f->unit, &before));
    lose(f, f->foe, f->alive);
    EXPECT(f, "RT CH(A)");
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_int_equal(info.current.target.index1, f->friend.index1);
    assert_int_equal(info.ticket, before.ticket);
    kn_entity_id target;
    assert_int_equal(kn_blackboard_get_entity(f->world, f->unit, "Order_Target", &target), KN_OK);
    assert_int_equal(target.index1, f->friend.index1);
    kn_entity_destroy(f->world, f->friend);
    EXPECT(f, "RT CH(A)");
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_int_equal(info.current.target.index1, f->stone.index1);
    lose(f, f->stone, f->alive);
    EXPECT(f, "CANCEL(A) CH(S) EX(S)");
    gain(f, f->stone, f->alive);
    order = kn_order_on(a->id, f->stone);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    gain(f, f->foe, f->alive);
    step(f);
    gain(f, f->unit, f->unarmed); // it is the unit that cannot go on
    EXPECT(f, "CANCEL(A) CH(S) EX(S)");
}

static void refused(kn_order_type_def def, const char *words)
{
    kn_error error = {0};
    kn_order_type_id type;
    assert_int_equal(
        kn_order_type_register(all.f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, words);
    }
}

static void definitions_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    kn_order_type_def def = kn_order_type_def_default();
    def.name = "Bad";
    def.policy = KN_ORDER_UNCANCELABLE_IN_TASKS;
    def.tree = all.use;
    refused(def, "`uncancelable_in_tasks` needs an `ability`");
    def.policy = KN_ORDER_CANCELABLE;
    def.ability = all.bolt;
    def.execute = f->scripts[0].def.execute;
    refused(def, "it has no `execute`");
    def.execute = (kn_hook){0};
    def.tree = (kn_tree_id){0};
    refused(def, "nothing carries it out");
    def.policy = KN_ORDER_INSTANT;
    def.target_kind = KN_ORDER_TARGET_ENTITY;
    refused(def, "nothing carries it out");
    def.target_kind = KN_ORDER_TARGET_NONE;
    def.reacquires = true;
    refused(def, "`reacquires` needs a `tree`");
    def.reacquires = false;
    kn_order_type_id type;
    assert_int_equal(kn_order_type_register(f->library, &def, &type, NULL), KN_OK);
    kn_order_type_id commands[KN_ORDER_COMMANDS_MAX + 1];
    for (uint32_t i = 0; i <= KN_ORDER_COMMANDS_MAX; i++) {
        commands[i] = type;
    }
    kn_unit_type_def unit = kn_unit_type_def_default();
    kn_unit_type_id unit_type;
    unit.name = "Many";
    unit.commands = commands;
    unit.command_count = KN_ORDER_COMMANDS_MAX + 1;
    kn_error error = {0};
    assert_int_equal(
        kn_unit_type_register(f->library, &unit, &unit_type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "at most 64 `commands`"));
}

// ORD-333, TVO-62: the range is an attribute of the unit.
static void the_range_may_be_an_attribute(void **state)
{
    fixture *f = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Range";
    attribute.default_value = 600;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id weapon;
    set.name = "Weapon";
    set.attributes = &attribute;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &weapon, NULL), KN_OK);
    script *a = type_add(f, "A"), *m = type_add(f, "M");
    a->def.range_attribute = kn_attribute_find(f->library, "Weapon.Range");
    a->def.range = 5;
    begin_spells();
    assert_true(kn_order_get_range(f->world, a->id, f->unit, -1) == 5);
    assert_int_equal(kn_attribute_set_add(f->world, f->unit, weapon, 0), KN_OK);
    assert_true(kn_order_get_range(f->world, a->id, f->unit, -1) == 600);
    assert_true(kn_order_get_range(f->world, m->id, f->unit, -1) == 0);
}

static const struct CMUnitTest tests[] = {
    SPELL_TEST(instant_orders_activate_at_once),
    SPELL_TEST(passive_orders_are_instant),
    SPELL_TEST(orders_with_a_target_run_by_a_tree),
    SPELL_TEST(orders_at_a_point_tell_the_ability_where),
    SPELL_TEST(tasks_of_an_ability_hold_its_order),
    SPELL_TEST(units_that_cannot_use_it_cannot_obey),
    SPELL_TEST(commands_are_found_by_place_and_tag),
    SPELL_TEST(commands_with_abilities_are_automatic_orders),
    SPELL_TEST(commands_are_no_automatic_orders_if_the_unit_says_so),
    SPELL_TEST(targets_are_those_that_the_ability_accepts),
    SPELL_TEST(orders_find_another_target),
    SPELL_TEST(definitions_that_make_no_sense_are_refused),
    SPELL_TEST(the_range_may_be_an_attribute),
};

TEST_GROUP(order_abilities, tests, NULL, NULL);
