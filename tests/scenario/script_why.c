// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scripts that know why: causes, refusals and ends with reasons.

#include "scenario/order_kind.h"
#include "scenario/script_fixture.h"

static void scripts_walk_the_chain(void **state)
{
    fixture *f = *state;
    kn_effect_def def = infinite("Mark");
    (void)effect_register(f, &def);
    load("rule 'Marked' { react = function(reaction)\n"
         "  local text = ''\n"
         "  for _, cause in ipairs(world.causes()) do\n"
         "    text = text .. ' ' .. cause.kind .. ':' .. (cause.ability or cause.type or '?')\n"
         "  end\n"
         "  print(world.cause().kind .. ' of' .. text)\n"
         "end }\n"
         "ability 'MarkFoe' { can_activate = function(self)\n"
         "  return world.cause() == nil and #world.causes() == 0\n"
         "end, activate = function(self)\n"
         "  self:apply('Mark', self.owner)\n"
         "  print(world.cause().ability, #world.causes())\n"
         "end }");
    kn_rule_def rule = kn_rule_def_default();
    rule.trigger = KN_TRIGGER_EFFECT_APPLIED;
    assert_int_equal(kn_script_bind_rule(the_script, "Marked", &rule, NULL), KN_OK);
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "MarkFoe");
    begin(f);
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), NULL, NULL), KN_OK);
    expect_no_error();
    EXPECT_LOG(f, "MarkFoe\t1. rule of rule:Mark apply:Mark ability:MarkFoe. ");
}

static void expect_chain(const fixture *f, kn_event_type type, const char *expected)
{
    char text[512];
    (void)kn_cause_print(f->world, last_event(f, type)->cause, text, sizeof(text));
    assert_string_equal(text, expected);
}

static void causes_begin(fixture *f)
{
    kn_cause_type_id type;
    kn_def_kind orders;
    uint32_t index1;
    kn_effect_def def = infinite("Mark");
    (void)effect_register(f, &def);
    register_tag(f, "Unit.Hit");
    register_tag(f, "Unit.Busy");
    assert_int_equal(kn_cause_type_register(f->library, "order", NULL, &type, NULL), KN_OK);
    assert_int_equal(kn_cause_type_register(f->library, "plan", NULL, &type, NULL), KN_OK);
    assert_int_equal(order_kind_register(f->library, &orders, NULL), KN_OK);
    order_def order = order_def_default();
    order.name = "Attack";
    assert_int_equal(kn_def_register(f->library, orders, &order, &index1, NULL), KN_OK);
}

static void scripts_open_and_close_causes(void **state)
{
    fixture *f = *state;
    causes_begin(f);
    run(f, "local o = self.owner\n"
           "print(world.close_cause())\n" // the ability is not its own to close
           "print(world.open_cause('plan'))\n"
           "world.open_cause('order', {entity = o, tag = 'Unit.Hit', kind = 'order', "
           "def = 'Attack'})\n"
           "local c = world.cause()\n"
           "print(c.kind, c.custom, c.entity == o, c.tag, c.def_kind, c.def, #world.causes())\n"
           "self:apply('Mark', o)\n"
           "print(world.close_cause(), world.close_cause(), world.close_cause())\n"
           "o:add_tag('Unit.Hit')\n");
    EXPECT_LOG(
        f, "false. true. custom\torder\ttrue\tUnit.Hit\torder\tAttack\t3. true\ttrue\tfalse. ");
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    expect_chain(f, KN_EVENT_EFFECT_APPLIED,
        "Mark applied by entity 1 on entity 1 <- order Attack Unit.Hit of entity 1 <- plan <- T on "
        "entity 1 <- host");
    expect_chain(f, KN_EVENT_TAG_CHANGED, "T on entity 1 <- host");
}

static void a_cause_that_is_left_open_ends_with_the_function(void **state)
{
    fixture *f = *state;
    causes_begin(f);
    load("ability 'Outer' { activate = function(self)\n"
         "  world.open_cause('plan')\n"
         "  self.owner:activate('Inner')\n"
         "  print(world.cause().custom, #world.causes(), world.close_cause())\n"
         "end }\n"
         "ability 'Inner' { activate = function(self)\n"
         "  print(world.close_cause())\n" // not its own
         "  world.open_cause('order')\n"
         "  world.open_cause('order')\n"
         "  error('stop')\n"
         "end }");
    kn_ability_type_id outer = bound(f, "Outer"), inner = bound(f, "Inner");
    begin(f);
    (void)grant(f, inner);
    assert_int_equal(kn_ability_activate(f->world, grant(f, outer), NULL, NULL), KN_OK);
    EXPECT_LOG(f, "false. plan\t2\ttrue. ");
    EXPECT_ERROR("stop");
}

static void a_cause_that_is_not_registered_is_an_error(void **state)
{
    causes_begin(*state);
    run_fails(*state, "", "world.open_cause('revenge')", "there is no kind of causes `revenge`");
}

static void a_cause_of_a_definition_that_is_not_there_is_an_error(void **state)
{
    causes_begin(*state);
    run_fails(*state, "", "world.open_cause('plan', {kind = 'order', def = 'Flee'})",
        "there is no order `Flee`");
}

static void scripts_cancel_with_a_reason(void **state)
{
    fixture *f = *state;
    kn_end_reason_def reason = kn_end_reason_def_default();
    reason.name = "interrupted";
    kn_end_reason number;
    assert_int_equal(kn_end_reason_register(f->library, &reason, &number, NULL), KN_OK);
    register_tag(f, "Interrupt.Kick");
    load("ability 'Cast' { activate = function(self) end, ended = function(self, reason, cancel)\n"
         "  print(reason, cancel.reason, cancel.instigator == self.owner, cancel.tag, "
         "cancel.number)\n"
         "end }\n"
         "ability 'Wait' { activate = function(self) \n"
         "  self:task('ability_ended', 'over', {repeats = true}) end,\n"
         "  over = function(self, result)\n"
         "    print('heard', result.reason, result.instigator == self.owner, result.number)\n"
         "  end }\n"
         "ability 'Kick' { activate = function(self)\n"
         "  self.owner:activate('Cast')\n"
         "  self.owner:activations()[3]:cancel({reason = 'interrupted', instigator = self.owner,\n"
         "    tag = 'Interrupt.Kick', number = 3})\n"
         "  self.owner:activate('Cast')\n"
         "  print(self.owner:cancel_abilities({type = 'Cast'}, {reason = 'interrupted'}))\n"
         "  self.owner:activate('Cast')\n"
         "  self.owner:activations()[3]:cancel({reason = 'tag_lost'})\n"
         "end }");
    kn_ability_type_id types[3] = {bound(f, "Wait"), bound(f, "Cast"), bound(f, "Kick")};
    begin(f);
    (void)grant(f, types[1]);
    (void)activate(f, grant(f, types[0]));
    assert_int_equal(
        kn_ability_activate(f->world, grant(f, types[2]), NULL, NULL), KN_ERROR_BAD_DATA);
    EXPECT_ERROR("`tag_lost` is not a reason that the library registers");
    EXPECT_LOG(f, "interrupted\tinterrupted\ttrue\tInterrupt.Kick\t3.0. "
                  "interrupted\tinterrupted\tfalse\tnil\t0.0. 1. "
                  "heard\tinterrupted\ttrue\t3.0. heard\tinterrupted\tfalse\t0.0. "
                  "heard\tfailed\tfalse\t0.0. ");
}

static void scripts_check_and_say_why(void **state)
{
    fixture *f = *state;
    kn_fail_def fail = kn_fail_def_default();
    fail.name = "rage";
    fail.text = "needs {need} rage, has {have}";
    kn_fail rage;
    assert_int_equal(kn_fail_register(f->library, &fail, &rage, NULL), KN_OK);
    register_tag(f, "Resource.Rage");
    load(
        "ability_check 'Calm' { check = function(self, event)\n"
        "  print(self.owner:is_alive(), event and event.magnitude)\n"
        "  if event then self:refuse('cost', {text = 'much too loud'}) end\n"
        "end }\n"
        "ability_check 'Never' { check = function(self) return false end }\n"
        "ability_check 'Wrong' { check = function(self) self:refuse('rages') end }\n"
        "ability 'Slam' { can_activate = function(self)\n"
        "  return self:refuse('rage', {need = 40, have = 12, tag = 'Resource.Rage'})\n"
        "end, activate = function(self) end }\n"
        "ability 'Look' { activate = function(self)\n"
        "  local slam = self.owner:abilities()[1]\n"
        "  print(table.concat(slam:check(), ' '), table.concat(slam:check({magnitude = 2}), ' '))\n"
        "  local line = slam:reasons()[1]\n"
        "  print(line.reason, line.need, line.have, line.tag, line.check, line.text)\n"
        "  line = slam:reasons()[2]\n"
        "  print(line.reason, line.check)\n"
        "  print(slam:explain())\n"
        "  self:refuse('rage')\n"
        "end }");
    kn_ability_type_id slam = bound(f, "Slam"), look = bound(f, "Look");
    const char *const names[] = {"Calm", "Never"};
    for (uint32_t i = 0; i < 2; i++) {
        kn_check_def def = kn_check_def_default();
        kn_check_id check;
        def.ability = slam;
        assert_int_equal(kn_script_bind_check(the_script, names[i], &def, NULL), KN_OK);
        assert_int_equal(kn_check_register(f->library, &def, &check, NULL), KN_OK);
    }
    begin(f);
    kn_ability_id ability = grant(f, slam);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_CUSTOM);
    EXPECT_LOG(f, "true\tnil. ");
    assert_int_equal(kn_ability_activate(f->world, grant(f, look), NULL, NULL), KN_ERROR_BAD_DATA);
    EXPECT_ERROR("`refuse` is for `can_activate` and checks");
    EXPECT_LOG(f, "true\tnil. true\t2.0. custom rage\tcost custom rage. "
                  "true\tnil. rage\t40.0\t12.0\tResource.Rage\tnil\tnil. "
                  "true\tnil. custom\tNever. "
                  "true\tnil. Slam: needs 40 rage, has 12; check Never refuses it. ");
}

static void scripts_say_why_effects_are_refused(void **state)
{
    fixture *f = *state;
    kn_fail_def fail = kn_fail_def_default();
    fail.name = "rage";
    fail.text = "needs {need} rage, has {have}";
    kn_fail rage;
    assert_int_equal(kn_fail_register(f->library, &fail, &rage, NULL), KN_OK);
    register_tag(f, "Resource.Rage");
    kn_tag fire = tag_of(f, "School.Fire");
    load("requirement 'Angry' { allow = function(self)\n"
         "  return self:refuse('rage', {need = 40, have = 12, tag = 'Resource.Rage'})\n"
         "end }\n"
         "condition 'Warded' { test = function(record)\n"
         "  return record:refuse('blocked', {text = 'the ward holds'})\n"
         "end }\n"
         "requirement 'Wrong' { allow = function(self) return self:refuse('rages') end }");
    kn_script_requirement bound_requirement;
    kn_script_condition bound_condition;
    kn_effect_def slam = infinite("Slam"), ward = infinite("Ward"), burn = infinite("Burn");
    kn_effect_def wrong = infinite("Wrong");
    kn_effect_def *const required[] = {&slam, &wrong};
    const char *const names[] = {"Angry", "Wrong"};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(
            kn_script_bind_requirement(the_script, names[i], &bound_requirement, NULL), KN_OK);
        assert_int_equal(kn_requirement_register(f->library, names[i], bound_requirement.function,
                             bound_requirement.user, &required[i]->requirement, NULL),
            KN_OK);
        (void)effect_register(f, required[i]);
    }
    kn_gate_def gate = kn_gate_def_default();
    gate.record.required = one(&fire);
    assert_int_equal(kn_script_bind_condition(the_script, "Warded", &bound_condition, NULL), KN_OK);
    assert_int_equal(kn_condition_register(f->library, "Warded", bound_condition.function,
                         bound_condition.user, &gate.condition, NULL),
        KN_OK);
    ward.gates = &gate;
    ward.gate_count = 1;
    burn.asset_tags = one(&fire);
    (void)effect_register(f, &ward);
    (void)effect_register(f, &burn);
    run(f, "self:apply('Ward', self.owner)\n"
           "local _, why, line = self:apply('Slam', self.owner)\n"
           "print(why, line.fail, line.need, line.have, line.tag, line.text)\n"
           "_, why, line = self:apply('Burn', self.owner)\n"
           "print(why, line.fail, line.text)\n"
           "local spec = self.owner:spec('Slam')\n"
           "_, why, line = spec:apply(self.owner)\n"
           "print(why, line and line.fail)");
    EXPECT_LOG(f, "custom\trage\t40.0\t12.0\tResource.Rage\tneeds 40 rage, has 12. "
                  "blocked\tblocked\tblocked by Ward #5 of the target (School.Fire): the ward "
                  "holds. custom\trage. ");
    assert_int_equal(kn_effect_apply_simple(f->world, kn_effect_type_find(f->library, "Wrong"),
                         f->foe, f->hero, 1.0f, NULL),
        KN_REFUSED_CUSTOM);
    EXPECT_ERROR("there is no fail reason `rages`");
}

static void scripts_push_a_cast_back(void **state)
{
    fixture *f = *state;
    load("ability 'Cast' { activate = function(self)\n"
         "  local task = self:wait(1, 'cast')\n"
         "  print(task:add_remaining(0.5), task:info().due, task:set_remaining(2), "
         "task:info().due)\n"
         "  print(self:wait_event('Event.Hit', 'cast'):add_remaining(1))\n"
         "end, cast = function(self) print('cast', world.now()) end }");
    register_tag(f, "Event.Hit");
    kn_ability_type_id type = bound(f, "Cast");
    begin(f);
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), NULL, NULL), KN_OK);
    step_seconds(f, 3.0);
    expect_no_error();
    EXPECT_LOG(f, "true\t1.5\ttrue\t2.0. nil\tnot_found. cast\t2.0. ");
}

static void scripts_explain_a_transient_value(void **state)
{
    fixture *f = *state;
    kn_value_def value = kn_value_def_default();
    value.name = "CastTime";
    kn_modifier_def modifier = kn_modifier_constant((kn_attribute_id){0}, KN_OP_MULTIPLY, 0.5f);
    assert_int_equal(kn_value_register(f->library, &value, &modifier.value, NULL), KN_OK);
    kn_tag fire = tag_of(f, "School.Fire");
    modifier.event.required = one(&fire);
    kn_effect_def def = effect_def("Focus", KN_DURATION_INFINITE, &modifier, 1);
    (void)effect_register(f, &def);
    run(f, "self:apply('Focus', self.owner)\n"
           "print(self.owner:explain_value('CastTime', 2, {tags = {'School.Fire'}}))\n"
           "print(self.owner:explain_value('CastTime', 2))");
    EXPECT_LOG(f, "CastTime 1 (base 2)\n"
                  "  base                    2\n"
                  "  Multiply Compound x0.5  Focus #5 by entity 1  -> 1\n. "
                  "CastTime 2 (base 2)\n"
                  "  base                                         2\n"
                  "  (Multiply Compound x0.5: condition not met)  Focus #5 by entity 1\n. ");
}

static void scripts_list_the_records_of_an_entity(void **state)
{
    fixture *f = *state;
    (void)effect_of(f, "Focus", KN_DURATION_INFINITE, NULL, 0);
    run(f, "self:apply('Focus', self.owner)\n"
           "local lines = self.owner:records('effect')\n"
           "print(#lines, lines[1]:sub(1, 20))\n"
           "print(#self.owner:records() > 5, #self.owner:records('watch'))");
    EXPECT_LOG(f, "1\teffect Focus: number. true\t0. ");
}

static void scripts_block_and_unblock_abilities(void **state)
{
    fixture *f = *state;
    register_tag(f, "Ability.Spell");
    register_tag(f, "Ability.Melee");
    kn_ability_def cast = ability_def(f, "Cast");
    cast.tags = tags_of(f, "Ability.Spell");
    kn_ability_type_id type = ability_register(f, &cast);
    load("ability 'T' { activate = function(self)\n"
         "  local me, cast = self.owner, self.owner:abilities({type = 'Cast'})[1]\n"
         "  print(me:block_abilities({'Ability.Spell', 'Ability.Melee'}, me, 7))\n"
         "  print(me:block_abilities('Ability.Spell'))\n"
         "  local lines = cast:reasons()\n"
         "  print(#lines, lines[1].source == me, lines[1].key, lines[2].source, lines[2].key)\n"
         "  print(me:unblock_abilities(nil, me, 7))\n"
         "  print(me:unblock_abilities(nil, me, 7))\n"
         "  print(table.concat(cast:check(), ' '))\n"
         "  print(me:unblock_abilities('Ability.Spell'), cast:check())\n"
         "end }");
    kn_ability_type_id look = bound(f, "T");
    begin(f);
    (void)grant(f, type);
    (void)kn_ability_activate(f->world, grant(f, look), NULL, NULL);
    expect_no_error();
    EXPECT_LOG(f, "true. true. 2\ttrue\t7\tnil\t0. true. nil\tnot_found. blocked. true\tnil. ");
}

static const struct CMUnitTest tests[] = {
    SCRIPTED(scripts_walk_the_chain),
    SCRIPTED(scripts_open_and_close_causes),
    SCRIPTED(a_cause_that_is_left_open_ends_with_the_function),
    SCRIPTED(a_cause_that_is_not_registered_is_an_error),
    SCRIPTED(a_cause_of_a_definition_that_is_not_there_is_an_error),
    SCRIPTED(scripts_cancel_with_a_reason),
    SCRIPTED(scripts_check_and_say_why),
    SCRIPTED(scripts_say_why_effects_are_refused),
    SCRIPTED(scripts_explain_a_transient_value),
    SCRIPTED(scripts_list_the_records_of_an_entity),
    SCRIPTED(scripts_block_and_unblock_abilities),
    SCRIPTED(scripts_push_a_cast_back),
};

TEST_GROUP(script_why, tests, NULL, NULL);
