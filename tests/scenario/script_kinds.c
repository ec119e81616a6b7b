// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions, ours and those of kits, as scripts see them.

#include "scenario/order_kind.h"
#include "scenario/script_fixture.h"

static void orders_fill(fixture *f)
{
    kn_def_kind kind;
    order_id stop, attack;
    register_tag(f, "Unit.Busy");
    register_tag(f, "Unit.Rooted");
    assert_int_equal(order_kind_register(f->library, &kind, NULL), KN_OK);
    order_def def = order_def_default();
    def.name = "Stop";
    assert_int_equal(kn_def_register(f->library, kind, &def, &stop.index1, NULL), KN_OK);
    kn_effect_def aura_def = infinite("Aura");
    kn_effect_type_id aura;
    assert_int_equal(kn_effect_register(f->library, &aura_def, &aura, NULL), KN_OK);
    order_step steps[2] = {{2.0f, aura}, {0.5f, {0}}};
    kn_tag rooted = tag_of(f, "Unit.Rooted");
    def.name = "Attack";
    def.stance = STANCE_CHASE;
    def.range = 12.0f;
    def.timeout = KN_MS(1500);
    def.tag = tag_of(f, "Unit.Busy");
    def.blocked_by = one(&rooted);
    def.needs.required = one(&rooted);
    def.threat = kn_magnitude_constant(7.0f);
    def.next = stop;
    def.cancels = &stop;
    def.cancel_count = 1;
    def.steps = steps;
    def.step_count = 2;
    def.effect = aura;
    def.flags = 3;
    def.label = "Attack!";
    assert_int_equal(kn_def_register(f->library, kind, &def, &attack.index1, NULL), KN_OK);
}

static void a_script_reads_definitions_of_own_kinds(void **state)
{
    fixture *f = *state;
    orders_fill(f);
    run(f, "print(table.concat(world.defs('order'), ' '))\n"
           "local o = world.def('order', 'Attack')\n"
           "print(o.name, o.stance, o.range, o.timeout, o.tag)\n"
           "print(o.blocked_by[1], o.needs.required[1], o.threat.scale.value, o.next)\n"
           "print(#o.cancels, o.cancels[1], #o.steps, o.steps[1].wait, o.steps[1].effect)\n"
           "print(o.steps[2].effect, o.effect, o.flags[1], o.flags[2], o.label)\n"
           "print(o.run, o.cookie, o.needs.query)\n"
           "print(world.def('order', 'Stop').label, world.def('effect', 'Aura').duration_kind)\n");
    EXPECT_LOG(f, "Stop Attack. Attack\tchase\t12.0\t1.5\tUnit.Busy. "
                  "Unit.Rooted\tUnit.Rooted\t7.0\tStop. 1\tStop\t2\t2.0\tAura. "
                  "nil\tAura\tqueued\tsilent\tAttack!. nil\tnil\tnil. nil\tinfinite. ");
}

static void what_is_not_there_is_an_error_that_names_it(void **state)
{
    fixture *f = *state;
    orders_fill(f);
    run_fails(f, "", "world.def('order', 'Flee')", "there is no order `Flee`");
}

static void a_kind_that_is_not_there_is_an_error(void **state)
{
    run_fails(*state, "", "world.defs('order')", "there is no kind of definitions `order`");
}

static void a_kind_without_fields_is_an_error(void **state)
{
    register_tag(*state, "Unit.Busy");
    run_fails(*state, "", "world.def('tag', 'Unit.Busy')", "a tag has no fields");
}

static void a_script_evaluates_magnitudes_and_conditions(void **state)
{
    fixture *f = *state;
    orders_fill(f);
    kn_condition_id condition;
    assert_int_equal(kn_condition_register_expression(
                         f->library, "Hard", "event.magnitude > 5", &condition, NULL),
        KN_OK);
    run(f, "print(world.magnitude('order', 'Attack', 'threat', self.owner, nil, 2))\n"
           "print(world.holds('Hard', { target = self.owner, magnitude = 6 }),\n"
           "  world.holds('Hard', { magnitude = 5 }))\n");
    EXPECT_LOG(f, "7.0. true\tfalse. ");
}

static void a_field_that_is_not_a_magnitude_is_an_error(void **state)
{
    fixture *f = *state;
    orders_fill(f);
    run_fails(f, "", "world.magnitude('order', 'Attack', 'range')",
        "there is no magnitude `range` in order `Attack`");
}

static void a_condition_that_is_not_there_is_an_error(void **state)
{
    run_fails(*state, "", "world.holds('Hard', {})", "there is no condition `Hard`");
}

static const struct CMUnitTest tests[] = {
    SCRIPTED(a_script_reads_definitions_of_own_kinds),
    SCRIPTED(what_is_not_there_is_an_error_that_names_it),
    SCRIPTED(a_kind_that_is_not_there_is_an_error),
    SCRIPTED(a_kind_without_fields_is_an_error),
    SCRIPTED(a_script_evaluates_magnitudes_and_conditions),
    SCRIPTED(a_field_that_is_not_a_magnitude_is_an_error),
    SCRIPTED(a_condition_that_is_not_there_is_an_error),
};

TEST_GROUP(script_kinds, tests, NULL, NULL);
