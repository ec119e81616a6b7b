// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rules in Lua other than abilities: calculations, executions, requirements, conditions, logic,
// attribute hooks, event kinds, rules, timers, tasks, targeting and policies of one's own.

#include "scenario/ability_replay.h"
#include "scenario/script_fixture.h"

static kn_effect_type_id effect_with(fixture *f, kn_effect_def *def)
{
    return effect_register(f, def);
}

static kn_modifier_def add_to(kn_attribute_id attribute, kn_magnitude magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = attribute;
    modifier.op = KN_OP_ADD;
    modifier.magnitude = magnitude;
    return modifier;
}

static float health_of(const fixture *f, kn_entity_id entity)
{
    return kn_attribute_value(f->world, entity, f->health);
}

// Calculations --------------------------------------------------------------

static kn_effect_type_id calculated(fixture *f, const char *name)
{
    kn_capture capture = {.attribute = f->mana, .from = KN_CAPTURE_FROM_SOURCE};
    kn_calculation_def def = kn_calculation_def_default();
    def.captures = &capture;
    def.capture_count = 1;
    kn_error error = {0};
    if (kn_script_bind_calculation(the_script, name, &def, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    kn_modifier_def modifier = add_to(f->health, kn_magnitude_calculation(calculation));
    kn_effect_def effect = instant(name);
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    return effect_with(f, &effect);
}

static void a_calculation_reads_captures_and_the_spec(void **state)
{
    fixture *f = *state;
    register_tag(f, "Data.Bonus");
    register_tag(f, "State.Wet");
    load("calculation 'Hit' { calculate = function(self)\n"
         "  local wet = self:target_has_tag('State.Wet') and 2 or 1\n"
         "  return -(self:capture(1) * 0.1 + self.level + self:caller_value('Data.Bonus', 0.5)) * "
         "wet\n"
         "end }");
    kn_effect_type_id hit = calculated(f, "Hit");
    begin(f);
    assert_int_equal(kn_effect_apply_simple(f->world, hit, f->foe, f->hero, 2.0f, NULL), KN_OK);
    assert_float_equal(health_of(f, f->hero), 87.5f, 0.0f);
    add_tag(f, f->hero, tag_of(f, "State.Wet"));
    kn_caller_value value = {tag_of(f, "Data.Bonus"), 3.0f};
    kn_effect_apply_def apply_def = kn_effect_apply_def_default();
    apply_def.type = hit;
    apply_def.source = f->foe;
    apply_def.target = f->hero;
    apply_def.caller_values = &value;
    apply_def.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_OK);
    assert_float_equal(health_of(f, f->hero), 59.5f, 0.0f);
    expect_no_error();
}

static void a_calculation_that_fails_refuses_the_effect(void **state)
{
    fixture *f = *state;
    load("calculation 'Bad' { calculate = function(self) return self.nothing end }\n"
         "calculation 'Empty' { calculate = function(self) end }\n"
         "calculation 'Text' { calculate = function(self) return 'a' end }\n"
         "calculation 'Nan' { calculate = function(self) return 0/0 end }\n"
         "calculation 'Writes' { calculate = function(self)\n"
         "  self.target:set_base('Vitals.Mana', 1) return 1 end }\n"
         "calculation 'Draws' { calculate = function(self) return world.random() end }");
    static const char *const names[6] = {"Bad", "Empty", "Text", "Nan", "Writes", "Draws"};
    kn_effect_type_id types[6];
    for (uint32_t i = 0; i < 6; i++) {
        types[i] = calculated(f, names[i]);
    }
    begin(f);
    uint64_t hash = kn_world_hash(f->world);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(kn_effect_apply_simple(f->world, types[i], f->foe, f->hero, 1.0f, NULL),
            KN_REFUSED_BAD_NUMBER);
    }
    EXPECT_ERROR("`random` changes the world, but this call may only read");
    assert_int_equal(kn_script_error_count(the_script), 4); // no number is no error
    assert_true(hash == kn_world_hash(f->world));
}

static void a_script_finds_random_streams_by_name(void **state)
{
    fixture *f = *state;
    load("calculation 'Finds' { calculate = function(self)\n"
         "  return world.stream('Loot') == nil and world.stream('Crit') or 0 end }");
    uint32_t crit;
    assert_int_equal(kn_stream_register(f->library, "Crit", false, &crit, NULL), KN_OK);
    kn_effect_type_id type = calculated(f, "Finds");
    begin(f);
    float before = kn_attribute_value(f->world, f->hero, f->health);
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->foe, f->hero, 1.0f, NULL), KN_OK);
    expect_no_error();
    assert_float_equal(
        kn_attribute_value(f->world, f->hero, f->health), before + (float)crit, 0.0f);
}

// Executions ----------------------------------------------------------------

static void an_execution_changes_attributes_and_more(void **state)
{
    fixture *f = *state;
    register_tag(f, "State.Marked");
    load("execution 'Drain' { execute = function(self)\n"
         "  local taken = self:capture(1) * 0.25\n"
         "  self:output('Vitals.Mana', 'add', -taken)\n"
         "  self:output('Vitals.Health', 'multiply', 0.5)\n"
         "  self.target:add_tag('State.Marked')\n"
         "  print(self.type, self.source ~= self.target, self.stacks)\n"
         "end }");
    kn_capture capture = {.attribute = f->mana, .from = KN_CAPTURE_FROM_TARGET};
    kn_execution_def def = kn_execution_def_default();
    def.captures = &capture;
    def.capture_count = 1;
    assert_int_equal(kn_script_bind_execution(the_script, "Drain", &def, NULL), KN_OK);
    kn_execution_id execution;
    assert_int_equal(kn_execution_register(f->library, &def, &execution, NULL), KN_OK);
    kn_execution_use use = {.execution = execution};
    kn_effect_def effect = instant("Drain");
    effect.executions = &use;
    effect.execution_count = 1;
    kn_effect_type_id type = effect_with(f, &effect);
    begin(f);
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->foe, f->hero, 1.0f, NULL), KN_OK);
    EXPECT_LOG(f, "Drain\ttrue\t1. ");
    assert_float_equal(value_of(f, f->mana), 75.0f, 0.0f);
    assert_float_equal(value_of(f, f->health), 50.0f, 0.0f);
    assert_true(kn_entity_has_tag(f->world, f->hero, tag_of(f, "State.Marked")));
    expect_no_error();
}

// Requirements and conditions -----------------------------------------------

// CAR-001, CAR-004
static void a_requirement_lets_in_refuses_or_handles(void **state)
{
    fixture *f = *state;
    load("requirement 'Once' { allow = function(self)\n"
         "  local there = self.target:effects {type = 'Mark'}\n"
         "  if #there >= 2 then return there[1] end\n"
         "  if self.level > 5 then return false end\n"
         "  if self.level < 0 then error('negative') end\n"
         "  return true\n"
         "end }");
    kn_script_requirement requirement;
    assert_int_equal(kn_script_bind_requirement(the_script, "Once", &requirement, NULL), KN_OK);
    kn_requirement_id id;
    assert_int_equal(kn_requirement_register(
                         f->library, "Once", requirement.function, requirement.user, &id, NULL),
        KN_OK);
    kn_effect_def def = infinite("Mark");
    def.requirement = id;
    kn_effect_type_id type = effect_with(f, &def);
    begin(f);
    kn_effect_id effects[3];
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, f->foe, f->hero, 1.0f, &effects[0]), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->foe, f->hero, 6.0f, &effects[1]),
        KN_REFUSED_CUSTOM);
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->foe, f->hero, -1.0f, &effects[1]),
        KN_REFUSED_CUSTOM);
    EXPECT_ERROR("test.lua:5: negative");
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, f->foe, f->hero, 1.0f, &effects[1]), KN_OK);
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, f->foe, f->hero, 1.0f, &effects[2]), KN_OK);
    assert_true(kn_effect_id_equal(effects[2], effects[0]));
    assert_int_equal(kn_effects_count(f->world, f->hero), 2);
}

static void a_condition_changes_a_modifier_of_a_transient_value(void **state)
{
    fixture *f = *state;
    register_tag(f, "Hit.Fire");
    register_tag(f, "Hit.Ice");
    load("condition 'OnFire' { test = function(record, magnitude)\n"
         "  if not record:has_tag('Hit.Fire') then return false end\n"
         "  if record.magnitude > 100 then return true, magnitude * 2 end\n"
         "  if record.magnitude < 0 then return true, 1, 'add' end\n"
         "  return true\n"
         "end }");
    kn_script_condition condition;
    assert_int_equal(kn_script_bind_condition(the_script, "OnFire", &condition, NULL), KN_OK);
    kn_condition_id id;
    assert_int_equal(
        kn_condition_register(f->library, "OnFire", condition.function, condition.user, &id, NULL),
        KN_OK);
    kn_value_def value_def = kn_value_def_default();
    value_def.name = "Damage";
    value_def.profile = kn_value_profile_gas();
    kn_value_id value;
    assert_int_equal(kn_value_register(f->library, &value_def, &value, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = value;
    modifier.op = KN_OP_MULTIPLY;
    modifier.magnitude = kn_magnitude_constant(3.0f);
    modifier.condition = id;
    kn_effect_def effect = infinite("Burning");
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    kn_effect_type_id type = effect_with(f, &effect);
    begin(f);
    (void)afflict(f, type);
    kn_event_record record = kn_event_record_default();
    kn_tag fire = tag_of(f, "Hit.Fire"), ice = tag_of(f, "Hit.Ice");
    record.tags = (kn_tags){&ice, 1};
    assert_float_equal(
        kn_value_evaluate(f->world, f->hero, value, 10.0f, &record, false), 10.0f, 0.0f);
    record.tags = (kn_tags){&fire, 1};
    assert_float_equal(
        kn_value_evaluate(f->world, f->hero, value, 10.0f, &record, false), 30.0f, 0.0f);
    record.magnitude = 200.0f;
    assert_float_equal(
        kn_value_evaluate(f->world, f->hero, value, 10.0f, &record, false), 60.0f, 0.0f);
    record.magnitude = -1.0f;
    assert_float_equal(
        kn_value_evaluate(f->world, f->hero, value, 10.0f, &record, false), 11.0f, 0.0f);
    expect_no_error();
}

// Logic ---------------------------------------------------------------------

static void logic_keeps_its_state_with_the_effect(void **state)
{
    fixture *f = *state;
    load(
        "logic 'Growing' {\n"
        "  state = { ticks = kn.u16(10), last = kn.time, seen = kn.array(kn.entity, 2) },\n"
        "  applied = function(self) print('applied', self.state.ticks, self.effect ~= nil) end,\n"
        "  ticked = function(self)\n"
        "    local s = self.state\n"
        "    s.ticks = s.ticks + 1\n"
        "    s.last = world.now()\n"
        "    s.seen[2] = self.source\n"
        "    assert(s.seen[1] == nil and s.seen[2] == self.source and #s.seen == 2)\n"
        "    print('tick', s.ticks, s.last)\n"
        "  end,\n"
        "  removed = function(self, reason) print(reason, self.state.ticks, self.state.last) end,\n"
        "  stacks_changed = function(self, old, new) print('stacks', old, new) end,\n"
        "  inhibited = function(self, off) print('off', off) end,\n"
        "}");
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    assert_int_equal(kn_script_bind_logic(the_script, "Growing", &logic, NULL), KN_OK);
    assert_int_equal(logic.state_size, 8 + 16 + 2 + 1);
    kn_effect_logic_id id;
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &id, NULL), KN_OK);
    kn_effect_def def = timed("Growing", 1.0f);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(0.4f);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.refresh = KN_REFRESH_NEVER;
    def.logic = id;
    kn_effect_type_id type = effect_with(f, &def);
    begin(f);
    kn_effect_id effect = afflict(f, type);
    (void)afflict(f, type);
    step(f, KN_MS(500));
    check_replay(f, KN_S(1));
    assert_int_equal(kn_effect_remove(f->world, effect, 1, KN_REMOVED_DISPELLED), KN_OK);
    step(f, KN_S(1));
    EXPECT_LOG(f, "applied\t10\ttrue. tick\t11\t0.0. stacks\t1\t2. tick\t12\t0.4. stacks\t2\t1. "
                  "tick\t13\t0.8. expired\t13\t0.8. ");
    expect_no_error();
}

static void logic_and_rules_hear_every_application(void **state)
{
    fixture *f = *state;
    load("logic 'Marked' {\n"
         "  state = { n = kn.u16 },\n"
         "  applied = function(self) print('applied', self.level, self.effect ~= nil) end,\n"
         "  executed = function(self) print('executed', self.level, self.effect) end,\n"
         "  reapplied = function(self, again)\n"
         "    self.state.n = self.state.n + 1\n"
         "    print('again', self.state.n, again.source == self.source, again.took_over)\n"
         "    print(again.old_stacks, again.new_stacks, again.stacks, again.level)\n"
         "    print(again.old_remaining, again.new_remaining, again.object)\n"
         "    print(again.instigator == again.source, again.causer, again.origin.y)\n"
         "  end,\n"
         "}\n"
         "rule 'Again' { react = function(r)\n"
         "  print(r.trigger, r.effect_type, r.old_count, r.new_count, r.new_remaining, r.level)\n"
         "end }\n"
         "rule 'Executed' { react = function(r) print(r.trigger, r.effect_type, r.effect) end }");
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    assert_int_equal(kn_script_bind_logic(the_script, "Marked", &logic, NULL), KN_OK);
    kn_effect_logic_id id;
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &id, NULL), KN_OK);
    const char *names[] = {"Again", "Executed"};
    for (uint32_t i = 0; i < 2; i++) {
        kn_rule_def rule = kn_rule_def_default();
        rule.trigger = i == 0 ? KN_TRIGGER_EFFECT_REAPPLIED : KN_TRIGGER_EFFECT_EXECUTED;
        assert_int_equal(kn_script_bind_rule(the_script, names[i], &rule, NULL), KN_OK);
        kn_rule_id registered;
        assert_int_equal(kn_rule_register(f->library, &rule, &registered, NULL), KN_OK);
    }
    kn_effect_def def = timed("Mark", 4.0f);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(1.0f);
    def.logic = id;
    kn_effect_type_id mark = effect_with(f, &def);
    def = instant("Tap");
    def.logic = id;
    kn_effect_type_id tap = effect_with(f, &def);
    begin(f);
    (void)afflict(f, mark);
    step(f, KN_S(1));
    EXPECT_LOG(f, "applied\t1.0\ttrue. ");
    kn_effect_context context = {
        .instigator = f->foe, .source_object = 9, .origin = {1, 2, 3}, .has_origin = true};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = mark;
    apply.source = f->foe;
    apply.target = f->hero;
    apply.level = 2.0f;
    apply.context = &context;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &apply, &effect), KN_OK);
    EXPECT_LOG(f, "again\t1\ttrue\ttrue. 1\t1\t1\t2.0. 3.0\t4.0\t9. true\tnil\t2.0. "
                  "effect_reapplied\tMark\t1\t1\t4.0\t2.0. ");
    (void)afflict(f, tap);
    EXPECT_LOG(f, "executed\t1.0\tnil. effect_executed\tTap\tnil. ");
    expect_no_error();
}

static void effects_say_where_they_come_from(void **state)
{
    fixture *f = *state;
    load("execution 'Where' { execute = function(self)\n"
         "  print(self.instigator == self.target, self.origin and self.origin.x, #self.targets,\n"
         "    self.object)\n"
         "end }\n"
         "ability 'Throw' { activate = function(self)\n"
         "  local me = self.owner\n"
         "  local spec = me:spec('Look', { source = me })\n"
         "  spec:apply(me)\n"
         "  print(spec:set_context({ instigator = me, object = 5, origin = { x = 4, y = 0, z = 0 "
         "},\n"
         "    targets = { { type = 'entity', entity = me } } }))\n"
         "  spec:apply(me)\n"
         "end }");
    kn_execution_def execution = kn_execution_def_default();
    assert_int_equal(kn_script_bind_execution(the_script, "Where", &execution, NULL), KN_OK);
    kn_execution_use use = {0};
    assert_int_equal(kn_execution_register(f->library, &execution, &use.execution, NULL), KN_OK);
    kn_effect_def def = instant("Look");
    def.executions = &use;
    def.execution_count = 1;
    (void)effect_with(f, &def);
    kn_ability_type_id type = bound(f, "Throw");
    begin(f);
    activate(f, grant(f, type));
    expect_no_error();
    EXPECT_LOG(f, "true\tnil\t0\t0. true. true\t4.0\t1\t5. ");
}

// Attribute hooks -----------------------------------------------------------

static void attribute_hooks_clamp_discard_and_spend(void **state)
{
    fixture *f = *state;
    load("attributes 'Shielded' {\n"
         "  pre_change = function(change)\n"
         "    if change.attribute == 'Body.Shield' then return math.min(change.new_value, 50) end\n"
         "  end,\n"
         "  pre_execute = function(data)\n"
         "    if data.magnitude == 666 then return false end\n"
         "    if data.attribute == 'Body.Damage' and data:has_asset_tag('Hit.Weak') then\n"
         "      assert(#data:asset_tags() == 1 and data:asset_tags()[1] == 'Hit.Weak')\n"
         "      return data.magnitude * 0.5\n"
         "    end\n"
         "  end,\n"
         "  post_execute = function(data)\n"
         "    if data.attribute ~= 'Body.Damage' then return end\n"
         "    local shield = data.entity:base('Body.Shield')\n"
         "    local taken = math.min(shield, data.new_base)\n"
         "    data.entity:set_base('Body.Shield', shield - taken)\n"
         "    data.entity:set_base('Vitals.Health',\n"
         "      data.entity:base('Vitals.Health') - (data.new_base - taken))\n"
         "    print(data.type, data.op, data.source ~= nil, data.new_base)\n"
         "  end,\n"
         "}");
    register_tag(f, "Hit.Weak");
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "Shield";
    attributes[0].default_value = 30.0f;
    attributes[1].name = "Damage";
    attributes[1].is_meta = true;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Body";
    set.attributes = attributes;
    set.attribute_count = 2;
    assert_int_equal(
        kn_script_bind_attribute_hooks(the_script, "Shielded", &set.hooks, NULL), KN_OK);
    assert_null(set.hooks.post_change);
    kn_attribute_set_id body;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &body, NULL), KN_OK);
    kn_attribute_id damage = kn_attribute_find(f->library, "Body.Damage");
    kn_attribute_id shield = kn_attribute_find(f->library, "Body.Shield");
    kn_tag amount = tag_of(f, "Data.Amount"), weak = tag_of(f, "Hit.Weak");
    kn_modifier_def modifier = add_to(damage, kn_magnitude_set_by_caller(amount));
    kn_effect_def hit = instant("Hit");
    hit.modifiers = &modifier;
    hit.modifier_count = 1;
    kn_effect_type_id strong = effect_with(f, &hit);
    hit.name = "WeakHit";
    hit.asset_tags = (kn_tags){&weak, 1};
    kn_effect_type_id weaker = effect_with(f, &hit);
    begin(f);
    add_set(f, f->hero, body);
    set_base(f, f->hero, shield, 80.0f);
    assert_float_equal(value_of(f, shield), 50.0f, 0.0f);
    set_base(f, f->hero, shield, 30.0f);
    const struct {
        kn_effect_type_id type;
        float amount, shield, health;
    } hits[3] = {
        {strong, 40.0f, 0.0f, 90.0f}, {weaker, 20.0f, 0.0f, 80.0f}, {strong, 666.0f, 0.0f, 80.0f}};
    for (uint32_t i = 0; i < 3; i++) {
        kn_caller_value value = {amount, hits[i].amount};
        kn_effect_apply_def def = kn_effect_apply_def_default();
        def.type = hits[i].type;
        def.source = f->foe;
        def.target = f->hero;
        def.caller_values = &value;
        def.caller_value_count = 1;
        assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
        assert_float_equal(value_of(f, shield), hits[i].shield, 0.0f);
        assert_float_equal(value_of(f, f->health), hits[i].health, 0.0f);
    }
    EXPECT_LOG(f, "Hit\tadd\ttrue\t40.0. WeakHit\tadd\ttrue\t10.0. ");
    expect_no_error();
}

static void a_failing_attribute_hook_leaves_the_value_as_it_is(void **state)
{
    fixture *f = *state;
    load("attributes 'Bad' { pre_change = function() error('no') end,\n"
         "  pre_execute = function() error('no') end, post_change = function() error('no') end }");
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Bad";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Odd";
    set.attributes = &attribute;
    set.attribute_count = 1;
    assert_int_equal(kn_script_bind_attribute_hooks(the_script, "Bad", &set.hooks, NULL), KN_OK);
    kn_attribute_set_id odd;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &odd, NULL), KN_OK);
    kn_attribute_id bad = kn_attribute_find(f->library, "Odd.Bad");
    begin(f);
    add_set(f, f->hero, odd);
    set_base(f, f->hero, bad, 7.0f);
    assert_float_equal(value_of(f, bad), 7.0f, 0.0f);
    assert_true(kn_script_error_count(the_script) >= 2);
}

// Event kinds, rules, timers ------------------------------------------------

static void an_event_kind_is_carried_out_by_a_script(void **state)
{
    fixture *f = *state;
    register_tag(f, "Event.Hurt");
    load("event 'Hurt' { apply = function(record, magnitude)\n"
         "  local target = record.target\n"
         "  target:set_base('Vitals.Health', target:base('Vitals.Health') - magnitude)\n"
         "  print(record.kind, record.instigator ~= nil, #record.tags, record.object)\n"
         "end }\n"
         "ability 'Strike' { activate = function(self)\n"
         "  print(world.run {kind = 'Hurt', instigator = self.owner, target = self.owner,\n"
         "    magnitude = 12, tags = {'Event.Hurt'}, object = 5})\n"
         "  print(#world.vetoes {kind = 'Hurt', target = self.owner})\n"
         "end }");
    kn_event_kind_def def = kn_event_kind_def_default();
    assert_int_equal(kn_script_bind_event_kind(the_script, "Hurt", &def, NULL), KN_OK);
    kn_event_kind_id kind;
    assert_int_equal(kn_event_kind_register(f->library, &def, &kind, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "Strike");
    begin(f);
    activate(f, grant(f, type));
    EXPECT_LOG(f, "Hurt\ttrue\t1\t5. 12.0. 0. ");
    assert_float_equal(value_of(f, f->health), 88.0f, 0.0f);
    expect_no_error();
}

static void a_rule_reacts_at_the_same_time(void **state)
{
    fixture *f = *state;
    load("rule 'Rally' { react = function(reaction)\n"
         "  print(reaction.trigger, reaction.attribute, reaction.old_value, reaction.new_value)\n"
         "  if reaction.new_value < 50 then\n"
         "    reaction.entity:set_base('Vitals.Mana', 7)\n"
         "  end\n"
         "end }");
    kn_rule_def def = kn_rule_def_default();
    def.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    def.attribute = f->health;
    assert_int_equal(kn_script_bind_rule(the_script, "Rally", &def, NULL), KN_OK);
    kn_rule_id rule;
    assert_int_equal(kn_rule_register(f->library, &def, &rule, NULL), KN_OK);
    begin(f);
    set_base(f, f->hero, f->health, 40.0f);
    EXPECT_LOG(f, "attribute_changed\tVitals.Health\t100.0\t40.0. ");
    assert_float_equal(value_of(f, f->mana), 7.0f, 0.0f);
    expect_no_error();
}

static void a_rule_gets_the_whole_event_and_owners(void **state)
{
    fixture *f = *state;
    register_tag(f, "Event.Hit");
    register_tag(f, "School.Fire");
    load("rule 'Hear' { react = function(r)\n"
         "  local e = r.event\n"
         "  print(e.tag, e.tags[1], e.object, e.object2, e.target == r.instigator, e.magnitude)\n"
         "end }\n"
         "rule 'Owned' { react = function(r)\n"
         "  print(r.trigger, r.other ~= nil, r.old_other, r.event) end }");
    kn_rule_def def = kn_rule_def_default();
    def.tag = kn_tag_find(f->library, "Event.Hit");
    assert_int_equal(kn_script_bind_rule(the_script, "Hear", &def, NULL), KN_OK);
    kn_rule_id rule;
    assert_int_equal(kn_rule_register(f->library, &def, &rule, NULL), KN_OK);
    def = kn_rule_def_default();
    def.trigger = KN_TRIGGER_OWNER_CHANGED;
    assert_int_equal(kn_script_bind_rule(the_script, "Owned", &def, NULL), KN_OK);
    assert_int_equal(kn_rule_register(f->library, &def, &rule, NULL), KN_OK);
    begin(f);
    kn_tag fire = kn_tag_find(f->library, "School.Fire");
    kn_event_record record = kn_event_record_default();
    record.tags = one(&fire);
    record.object = 12;
    record.object2 = 34;
    record.instigator = f->foe;
    record.target = f->foe;
    record.magnitude = 1.5f;
    assert_int_equal(
        kn_event_send(f->world, f->hero, kn_tag_find(f->library, "Event.Hit"), &record), KN_OK);
    EXPECT_LOG(f, "Event.Hit\tSchool.Fire\t12\t34\ttrue\t1.5. ");
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, f->foe), KN_OK);
    EXPECT_LOG(f, "owner_changed\ttrue\tnil\tnil. ");
    expect_no_error();
}

static void plain_watch(void *user, kn_world *world, const kn_watch_call *call)
{
    (void)world;
    note(user, "plain %u. ", *(const uint32_t *)call->state);
}

static void a_watch_is_started_and_stopped_by_scripts(void **state)
{
    fixture *f = *state;
    register_tag(f, "State.Wet");
    load("watch 'Low' { react = function(r)\n"
         "  print('low', r.new_value)\n"
         "  r.entity:start_watch('Wet', true)\n"
         "end }\n"
         "watch 'Wet' { react = function(r)\n"
         "  print(r.trigger, r.tag, r.entity:stop_watch('Low'), r.entity:stop_watch('Wet'))\n"
         "end }\n"
         "ability 'Start' { activate = function(self) self.owner:start_watch('Low') end }");
    kn_watch_def low = kn_watch_def_default(), wet = kn_watch_def_default();
    low.kind = KN_WATCH_THRESHOLD;
    low.attribute = f->health;
    low.value = 30.0f;
    wet.trigger = KN_TRIGGER_TAG_ADDED;
    wet.tag = kn_tag_find(f->library, "State.Wet");
    kn_watch_type_id type;
    assert_int_equal(kn_script_bind_watch(the_script, "Low", &low, NULL), KN_OK);
    assert_int_equal(kn_watch_type_register(f->library, &low, &type, NULL), KN_OK);
    assert_int_equal(kn_script_bind_watch(the_script, "Wet", &wet, NULL), KN_OK);
    assert_int_equal(kn_watch_type_register(f->library, &wet, &type, NULL), KN_OK);
    kn_ability_type_id ability = bound(f, "Start");
    begin(f);
    activate(f, grant(f, ability));
    set_base(f, f->hero, f->health, 20.0f);
    EXPECT_LOG(f, "low\t20.0. ");
    add_tag(f, f->hero, wet.tag);
    EXPECT_LOG(f, "tag_added\tState.Wet\t1\t0. ");
    assert_int_equal(kn_watch_count(f->world), 0);
    expect_no_error();
}

static void a_watch_of_a_script_has_a_state(void **state)
{
    fixture *f = *state;
    register_tag(f, "State.Wet");
    load(
        "watch 'Wet' { state = {times = kn.u32, by = kn.f32(2.5)}, react = function(r)\n"
        "  r.state.times = r.state.times + 1\n"
        "  print(r.state.times, r.state.by, r.tag, r.is_true, r.watch_owner == r.entity)\n"
        "end }\n"
        "ability 'Start' { activate = function(self)\n"
        "  self.owner:start_watch('Wet')\n"
        "  self.owner:start_watch('Wet', true, {owner = self.owner, state = {times = 7, by = 1}})\n"
        "  self.owner:add_component('Plain')\n"
        "  print(self.owner:start_watch('Plain', false, {state = {value = 3}, owner = self.owner, "
        "component = 'Plain'}))\n"
        "end }\n"
        "ability 'Wrong' { activate = function(self)\n"
        "  self.owner:start_watch('Wet', false, {state = {size = 7}})\n"
        "end }");
    kn_watch_def wet = kn_watch_def_default();
    wet.trigger = KN_TRIGGER_TAG_ADDED;
    wet.tag = kn_tag_find(f->library, "State.Wet");
    kn_watch_def plain = wet;
    kn_watch_type_id type;
    assert_int_equal(kn_script_bind_watch(the_script, "Wet", &wet, NULL), KN_OK);
    assert_int_equal(kn_watch_type_register(f->library, &wet, &type, NULL), KN_OK);
    const kn_field value = KN_FIELD_INIT("value", KN_FIELD_U32, 0, 1); // one in C
    plain.name = "Plain";
    plain.function = plain_watch;
    plain.user = f;
    plain.state_size = sizeof(uint32_t);
    plain.state_fields = &value;
    plain.state_field_count = 1;
    assert_int_equal(kn_watch_type_register(f->library, &plain, &type, NULL), KN_OK);
    kn_component_def component = kn_component_def_default();
    component.name = "Plain";
    component.size = sizeof(uint32_t);
    component.fields = &value;
    component.field_count = 1;
    kn_component_type_id component_type;
    assert_int_equal(kn_component_register(f->library, &component, &component_type, NULL), KN_OK);
    kn_ability_type_id ability = bound(f, "Start"), wrong = bound(f, "Wrong");
    begin(f);
    activate(f, grant(f, ability));
    EXPECT_LOG(f, "true. ");
    add_tag(f, f->hero, wet.tag);
    EXPECT_LOG(f, "1\t2.5\tState.Wet\tfalse\tfalse. 8\t1.0\tState.Wet\tfalse\ttrue. plain 3. ");
    assert_true(kn_component_remove(f->world, component_type, f->hero));
    remove_tag(f, f->hero, wet.tag);
    add_tag(f, f->hero, wet.tag);
    EXPECT_LOG(f, "2\t2.5\tState.Wet\tfalse\tfalse. ");
    expect_no_error();
    assert_int_equal(kn_ability_activate(f->world, grant(f, wrong), NULL, NULL), KN_ERROR_BAD_DATA);
    EXPECT_ERROR("a field that the state does not declare");
}

static void a_reaction_has_the_reasons_of_a_refusal(void **state)
{
    fixture *f = *state;
    kn_fail_def fail = kn_fail_def_default();
    fail.name = "silenced";
    kn_fail silenced;
    assert_int_equal(kn_fail_register(f->library, &fail, &silenced, NULL), KN_OK);
    load("rule 'Failed' { react = function(r)\n"
         "  print(r.trigger, table.concat(r.fail_reasons, ' '))\n"
         "end }\n"
         "ability 'No' { can_activate = function(self)\n"
         "  self:refuse('cost')\n"
         "  return self:refuse('silenced')\n"
         "end, activate = function(self) end }");
    kn_rule_def rule = kn_rule_def_default();
    rule.trigger = KN_TRIGGER_ABILITY_FAILED;
    kn_rule_id id;
    assert_int_equal(kn_script_bind_rule(the_script, "Failed", &rule, NULL), KN_OK);
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    kn_ability_type_id no = bound(f, "No");
    begin(f);
    assert_int_equal(kn_ability_activate(f->world, grant(f, no), NULL, NULL), KN_REFUSED_COST);
    EXPECT_LOG(f, "ability_failed\tcost silenced. ");
    expect_no_error();
}

static void a_timer_keeps_its_sixteen_bytes(void **state)
{
    fixture *f = *state;
    load("timer 'Pulse' { state = { left = kn.u8, by = kn.f32(2.5) }, fired = function(self)\n"
         "  self.state.left = self.state.left - 1\n"
         "  print(self.state.left, self.state.by, self.entity ~= nil, world.now())\n"
         "  return self.state.left > 0 and 0.5 or nil\n"
         "end }\n"
         "ability 'Start' { activate = function(self)\n"
         "  local timer = self.owner:start_timer('Pulse', 0.25, {left = 3})\n"
         "  print(timer:remaining())\n"
         "end }");
    kn_script_timer timer;
    assert_int_equal(kn_script_bind_timer(the_script, "Pulse", &timer, NULL), KN_OK);
    kn_timer_type_id id;
    assert_int_equal(
        kn_timer_type_register(f->library, "Pulse", timer.function, timer.user, &id, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "Start");
    begin(f);
    activate(f, grant(f, type));
    EXPECT_LOG(f, "0.25. ");
    check_replay(f, KN_S(2));
    step(f, KN_MS(800));
    check_replay(f, KN_S(2));
    step(f, KN_S(2));
    EXPECT_LOG(f, "2\t2.5\ttrue\t0.25. 1\t2.5\ttrue\t0.75. 0\t2.5\ttrue\t1.25. ");
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
    expect_no_error();
}

static void a_system_runs_at_its_rate_and_switches_others(void **state)
{
    fixture *f = *state;
    load("system 'Beat' { run = function(self, dt)\n"
         "  print(self.name, self.now, dt, self.index, world.system_is_on('Echo'))\n"
         "  world.set_system('Echo', self.index < 2)\n"
         "end }\n"
         "system 'Echo' { run = function(self) print(self.name) end }");
    kn_system_def beat = kn_system_def_default(), echo = kn_system_def_default();
    beat.rate = 4;
    echo.period = KN_MS(100);
    echo.enabled = false;
    kn_system_id id;
    assert_int_equal(kn_script_bind_system(the_script, "Beat", &beat, NULL), KN_OK);
    assert_int_equal(kn_system_register(f->library, &beat, &id, NULL), KN_OK);
    assert_int_equal(kn_script_bind_system(the_script, "Echo", &echo, NULL), KN_OK);
    assert_int_equal(kn_system_register(f->library, &echo, &id, NULL), KN_OK);
    begin(f);
    check_replay(f, KN_S(2));
    step(f, KN_MS(700));
    EXPECT_LOG(f, "Beat\t0.25\t0.25\t1\tfalse. Echo. Echo. Beat\t0.5\t0.25\t2\ttrue. ");
    expect_no_error();
}

// Tasks and targeting of one's own ------------------------------------------

static void a_task_of_ones_own_waits_watches_and_tells(void **state)
{
    fixture *f = *state;
    register_tag(f, "State.Wet");
    load("task 'Soak' { state = { drops = kn.u32, need = kn.u32(2) },\n"
         "  start = function(self)\n"
         "    self:watch('tag_added', 'State.Wet')\n"
         "    self:wake_after(10)\n"
         "  end,\n"
         "  woken = function(self, reaction)\n"
         "    self.state.drops = self.state.drops + 1\n"
         "    print('woken', reaction.trigger, reaction.tag, self.state.drops, self.state.need)\n"
         "    if self.state.drops == self.state.need then\n"
         "      self:tell(3, {self.state.drops, 0.5})\n"
         "    else\n"
         "      self:tell(1, nil, false)\n"
         "    end\n"
         "  end,\n"
         "  timer = function(self) print('timer') return 10 end,\n"
         "  ended = function(self) print('task ended') end,\n"
         "}\n"
         "ability 'Swim' {\n"
         "  activate = function(self)\n"
         "    self:task('custom', 'soaked', {type = 'Soak', state = {need = 3}})\n"
         "  end,\n"
         "  soaked = function(self, result)\n"
         "    print(result.kind, result.output, #result.data, result.data[2])\n"
         "    if result.output == 3 then self:finish() end\n"
         "  end,\n"
         "}");
    kn_task_type_def def = kn_task_type_def_default();
    assert_int_equal(kn_script_bind_task(the_script, "Soak", &def, NULL), KN_OK);
    kn_task_type_id id;
    assert_int_equal(kn_task_type_register(f->library, &def, &id, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "Swim");
    begin(f);
    activate(f, grant(f, type));
    for (uint32_t i = 0; i < 3; i++) {
        add_tag(f, f->hero, tag_of(f, "State.Wet"));
        remove_tag(f, f->hero, tag_of(f, "State.Wet"));
        check_replay(f, KN_S(11));
    }
    EXPECT_LOG(f, "woken\ttag_added\tState.Wet\t1\t3. custom\t1\t0\tnil. "
                  "woken\ttag_added\tState.Wet\t2\t3. custom\t1\t0\tnil. "
                  "woken\ttag_added\tState.Wet\t3\t3. task ended. custom\t3\t2\t0.5. ");
    expect_no_error();
}

static void a_failing_task_ends_without_a_result(void **state)
{
    fixture *f = *state;
    load(
        "task 'Bad' { start = function(self) error('no') end }\n"
        "ability 'Use' { activate = function(self) self:task('custom', nil, {type = 'Bad'}) end }");
    kn_task_type_def def = kn_task_type_def_default();
    assert_int_equal(kn_script_bind_task(the_script, "Bad", &def, NULL), KN_OK);
    kn_task_type_id id;
    assert_int_equal(kn_task_type_register(f->library, &def, &id, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "Use");
    begin(f);
    kn_activation_id activation = activate(f, grant(f, type));
    assert_int_equal(kn_script_error_count(the_script), 1);
    assert_int_equal(kn_task_count(f->world), 0);
    assert_true(kn_activation_is_alive(f->world, activation));
}

static void targeting_of_ones_own_finds_and_judges(void **state)
{
    fixture *f = *state;
    load("targeting 'Weakest' {\n"
         "  find = function(self)\n"
         "    local best\n"
         "    for _, e in ipairs(world.entities()) do\n"
         "      if e ~= self.owner and (not best or e:value('Vitals.Health') < "
         "best:value('Vitals.Health')) then best = e end\n"
         "    end\n"
         "    return best and {best, {type = 'location', position = {x = 1, y = 2, z = 3}}}\n"
         "  end,\n"
         "  validate = function(self, targets) return #targets == 1 end,\n"
         "}\n"
         "ability 'Aim' {\n"
         "  activate = function(self)\n"
         "    local found = self.owner:find_targets('Weakest')\n"
         "    print(#found, found[1].type, found[1].entity ~= nil, found[2].position.y)\n"
         "    self:aim('Weakest', 'aimed', {confirm = 'custom'})\n"
         "  end,\n"
         "  aimed = function(self, result)\n"
         "    print(result.kind, result.output, result.targets and #result.targets)\n"
         "  end,\n"
         "}");
    kn_targeting_def def = kn_targeting_def_default();
    def.shape = KN_SHAPE_CUSTOM;
    assert_int_equal(kn_script_bind_targeting(the_script, "Weakest", &def, NULL), KN_OK);
    kn_targeting_id id;
    assert_int_equal(kn_targeting_register(f->library, &def, &id, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "Aim");
    begin(f);
    kn_activation_id activation;
    kn_result result = kn_ability_activate(f->world, grant(f, type), NULL, &activation);
    if (result != KN_OK) {
        fail_msg("%s", last_error);
    }
    EXPECT_LOG(f, "2\tentity\ttrue\t2.0. ");
    kn_task_id task;
    assert_int_equal(kn_tasks(f->world, activation, &task, 1), 1);
    kn_target_data data = {0};
    kn_target_entity foe = {f->foe};
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_entity(), &foe), KN_OK);
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_entity(), &foe), KN_OK);
    assert_int_equal(
        kn_target_provide(f->world, task, kn_target_data_view(&data)), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_target_confirm(f->world, task), KN_OK);
    EXPECT_LOG(f, "target\tfired\t2. ");
    expect_no_error();
}

// The world ------------------------------------------------------------------

static void scripts_spawn_archetypes_and_compare_tags(void **state)
{
    fixture *f = *state;
    register_tag(f, "Damage.Fire.Big");
    kn_archetype_value value = {f->health, {.value = 30.0f}};
    kn_archetype_def imp = kn_archetype_def_default();
    imp.name = "Imp";
    imp.sets = &f->set;
    imp.set_count = 1;
    imp.values = &value;
    imp.value_count = 1;
    kn_archetype_id id;
    assert_int_equal(kn_archetype_register(f->library, &imp, &id, NULL), KN_OK);
    load("ability 'Summon' { activate = function(self)\n"
         "  local imp = world.spawn('Imp', 2)\n"
         "  print(imp:value('Vitals.Health'), world.entity_count())\n"
         "  print(world.tag_matches('Damage.Fire.Big', 'Damage.Fire'),\n"
         "        world.tag_matches('Damage.Fire', 'Damage.Fire.Big'))\n"
         "  world.spawn('Ghost')\n"
         "end }");
    kn_ability_type_id type = bound(f, "Summon");
    begin(f);
    kn_activation_id activation;
    assert_int_equal(
        kn_ability_activate(f->world, grant(f, type), NULL, &activation), KN_ERROR_BAD_DATA);
    EXPECT_LOG(f, "30.0\t3. true\tfalse. ");
    EXPECT_ERROR("there is no archetype `Ghost`");
}

// TGT-004: target data goes from an event into the effect, and is read there.
static void target_data_goes_along_with_effects(void **state)
{
    fixture *f = *state;
    load("execution 'Look' { execute = function(self)\n"
         "  print(#self.targets, self.targets[1] and self.targets[1].position.z)\n"
         "end }\n"
         "ability 'Throw' { activate = function(self)\n"
         "  self:apply('Splash', self.owner, {targets = self.event.targets})\n"
         "  self:apply('Splash', self.owner)\n"
         "  local lasting = self:apply('Lasting', self.owner, {targets = {self.owner}})\n"
         "  print(#lasting:targets(), lasting:targets()[1].entity == self.owner)\n"
         "end }");
    kn_execution_def look = kn_execution_def_default();
    assert_int_equal(kn_script_bind_execution(the_script, "Look", &look, NULL), KN_OK);
    kn_execution_id execution;
    assert_int_equal(kn_execution_register(f->library, &look, &execution, NULL), KN_OK);
    kn_execution_use use = {.execution = execution};
    kn_effect_def splash = instant("Splash");
    splash.executions = &use;
    splash.execution_count = 1;
    (void)effect_with(f, &splash);
    kn_effect_def lasting = infinite("Lasting");
    (void)effect_with(f, &lasting);
    kn_ability_type_id type = bound(f, "Throw");
    begin(f);
    kn_target_data data = {0};
    kn_target_location place = {.position = {1.0f, 2.0f, 3.0f}};
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_location(), &place), KN_OK);
    kn_event_record event = kn_event_record_default();
    event.data = data.bytes;
    event.data_size = data.size;
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), &event, NULL), KN_OK);
    EXPECT_LOG(f, "1\t3.0. 0\tnil. 1\ttrue. ");
    expect_no_error();
}

// ABI-116: tags are published with the commit; inputs may carry an event.
static void commits_tell_tags_and_inputs_bring_events(void **state)
{
    fixture *f = *state;
    kn_tag tag = tag_of(f, "Commit.Heavy");
    load("ability 'Swing' { activate = function(self)\n"
         "  print(self:commit('Commit.Heavy'), self.event.magnitude)\n"
         "end }\n"
         "ability 'Press' { activate = function(self)\n"
         "  self.owner:press(3, {magnitude = 7.5})\n"
         "end }");
    kn_ability_type_id swing = bound(f, "Swing"), press = bound(f, "Press");
    begin(f);
    kn_ability_grant_def grant_def = kn_ability_grant_def_default();
    grant_def.type = swing;
    grant_def.input = 3;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant_def, NULL), KN_OK);
    activate(f, grant(f, press));
    EXPECT_LOG(f, "true\t7.5. ");
    expect_no_error();
    step(f, 0);
    uint32_t told = 0;
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ABILITY_COMMITTED) {
            kn_tags tags = kn_ability_event_tags(f->world, &events.data[i]);
            assert_int_equal(tags.count, 1);
            assert_int_equal(tags.data[0].index1, tag.index1);
            told++;
        }
    }
    assert_int_equal(told, 1);
}

// Policies ------------------------------------------------------------------

// All boosts and the strongest slow; of equal ones the first.
static void one_slow(
    void *user, float base, const kn_modifier_view *modifiers, uint32_t count, bool *qualifies)
{
    (void)user;
    (void)base;
    uint32_t slow = count;
    for (uint32_t i = 0; i < count; i++) {
        qualifies[i] = modifiers[i].influence >= 0.0f;
        if (!qualifies[i] &&
            (slow == count || modifiers[i].influence < modifiers[slow].influence)) {
            slow = i;
        }
    }
    if (slow < count) {
        qualifies[slow] = true;
    }
}

static const char one_slow_text[] =
    "policy 'OneSlow' { qualify = function(self, modifiers)\n"
    "  local chosen, slow = {}, nil\n"
    "  for i, m in ipairs(modifiers) do\n"
    "    assert(m.index == i and m.stacks == 1 and m.source and self.base == 600)\n"
    "    if m.influence >= 0 then\n"
    "      chosen[#chosen + 1] = m\n"
    "    elseif not slow or m.influence < slow.influence then\n"
    "      slow = m\n"
    "    end\n"
    "  end\n"
    "  chosen[#chosen + 1] = slow\n"
    "  return chosen\n"
    "end }";

static kn_policy_id policy_of(fixture *f, const char *name)
{
    kn_script_policy bound;
    kn_error error = {0};
    if (kn_script_bind_policy(the_script, name, &bound, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_policy_id policy;
    assert_int_equal(
        kn_policy_register(f->library, name, bound.function, bound.user, &policy, NULL), KN_OK);
    return policy;
}

// A set "Move" with one attribute for each policy, "Speed1" and so on, all 600.
static kn_attribute_set_id speeds(fixture *f, const kn_policy_id *policies, uint32_t count)
{
    static const char *const names[8] = {
        "Speed1", "Speed2", "Speed3", "Speed4", "Speed5", "Speed6", "Speed7", "Speed8"};
    kn_attribute_def attributes[8];
    for (uint32_t i = 0; i < count; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = names[i];
        attributes[i].default_value = 600.0f;
        attributes[i].qualify = KN_QUALIFY_CUSTOM;
        attributes[i].policy = policies[i];
    }
    return set_register(f, "Move", attributes, count);
}

// An effect that does the same to the first attributes of the set.
static kn_effect_type_id pushes(
    fixture *f, const char *name, uint32_t count, kn_op op, float magnitude, kn_tag group)
{
    kn_modifier_def modifiers[8];
    for (uint32_t i = 0; i < count; i++) {
        char attribute[16];
        (void)snprintf(attribute, sizeof(attribute), "Move.Speed%u", i + 1);
        modifiers[i] =
            add_to(kn_attribute_find(f->library, attribute), kn_magnitude_constant(magnitude));
        modifiers[i].op = op;
        modifiers[i].group = group;
    }
    kn_effect_def def = infinite(name);
    def.modifiers = modifiers;
    def.modifier_count = count;
    return effect_with(f, &def);
}

static void a_policy_agrees_with_one_in_c_to_the_last_bit(void **state)
{
    fixture *f = *state;
    load(one_slow_text);
    kn_policy_id policies[2] = {policy_of(f, "OneSlow"), {0}};
    assert_int_equal(
        kn_policy_register(f->library, "InC", one_slow, NULL, &policies[1], NULL), KN_OK);
    kn_attribute_set_id set = speeds(f, policies, 2);
    static const struct {
        const char *name;
        kn_op op;
        float magnitude;
    } kinds[6] = {{"A", KN_OP_ADD, -33.3f}, {"B", KN_OP_ADD, 17.7f}, {"C", KN_OP_MULTIPLY, 0.7f},
        {"D", KN_OP_MULTIPLY, 1.1f}, {"E", KN_OP_ADD, -33.3f}, {"F", KN_OP_OVERRIDE, 421.9f}};
    kn_effect_type_id types[6];
    for (uint32_t i = 0; i < 6; i++) {
        types[i] = pushes(f, kinds[i].name, 2, kinds[i].op, kinds[i].magnitude, (kn_tag){0});
    }
    begin(f);
    add_set(f, f->hero, set);
    kn_attribute_id lua = kn_attribute_find(f->library, "Move.Speed1");
    kn_attribute_id c = kn_attribute_find(f->library, "Move.Speed2");
    kn_effect_id active[8] = {{0}};
    uint32_t seed = 7;
    bool moved = false;
    for (uint32_t i = 0; i < 200; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t place = seed >> 29, kind = (seed >> 16) % 6;
        if (kn_effect_is_alive(f->world, active[place])) {
            remove_effect(f, active[place]);
        } else {
            active[place] = afflict(f, types[kind]);
        }
        float values[2] = {value_of(f, lua), value_of(f, c)};
        assert_memory_equal(&values[0], &values[1], sizeof(float));
        moved = moved || values[0] != 600.0f;
    }
    assert_true(moved);
    expect_no_error();
    check_replay(f, KN_S(1));
}

static void a_policy_sees_what_a_modifier_is(void **state)
{
    fixture *f = *state;
    register_tag(f, "Group.Cold");
    load("policy 'Show' { qualify = function(self, modifiers)\n"
         "  for _, m in ipairs(modifiers) do\n"
         "    print(m.op, m.channel, m.magnitude, m.stacks, m.group, m.type, m.influence)\n"
         "  end\n"
         "  return {}\n"
         "end }\n"
         "policy 'All' { qualify = function() end }");
    kn_policy_id policies[2] = {policy_of(f, "Show"), policy_of(f, "All")};
    kn_attribute_set_id set = speeds(f, policies, 2);
    kn_effect_type_id type = pushes(f, "Frost", 2, KN_OP_MULTIPLY, 0.5f, tag_of(f, "Group.Cold"));
    begin(f);
    add_set(f, f->hero, set);
    (void)afflict(f, type);
    EXPECT_LOG(f, "multiply_additive\t0\t0.5\t1\tGroup.Cold\tFrost\t-300.0. ");
    assert_float_equal(value_of(f, kn_attribute_find(f->library, "Move.Speed1")), 600.0f, 0.0f);
    assert_float_equal(value_of(f, kn_attribute_find(f->library, "Move.Speed2")), 300.0f, 0.0f);
    expect_no_error();
}

static void after_an_error_of_a_policy_all_modifiers_take_part(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *name, *body, *message;
    } bad[8] = {
        {"P1", "error('no')", "test.lua:1: no"},
        {"P2", "return 5", "expected an array of modifiers as the result, got number"},
        {"P3", "return {modifiers[1], 7}", "element 2 of the result is not one of the modifiers"},
        {"P4", "return {{index = 2}}", "element 1 of the result is not one of the modifiers"},
        {"P5", "return {world.now()}", "`now`: a policy cannot access the world"},
        {"P6", "modifiers[1].source:destroy()", "`destroy`: a policy cannot access the world"},
        {"P7", "self.base = 1", "self.base cannot be assigned"},
        {"P8", "while true do end", "more than 1000000 instructions in one call"},
    };
    kn_policy_id policies[8];
    for (uint32_t i = 0; i < 8; i++) {
        char text[256];
        (void)snprintf(text, sizeof(text),
            "policy '%s' { qualify = function(self, modifiers) %s end }", bad[i].name, bad[i].body);
        load(text);
        policies[i] = policy_of(f, bad[i].name);
    }
    kn_attribute_set_id set = speeds(f, policies, 8);
    kn_effect_type_id types[8];
    for (uint32_t i = 0; i < 8; i++) {
        char attribute[16];
        (void)snprintf(attribute, sizeof(attribute), "Move.Speed%u", i + 1);
        kn_modifier_def modifier =
            add_to(kn_attribute_find(f->library, attribute), kn_magnitude_constant(-100.0f));
        kn_effect_def def = infinite(bad[i].name);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        types[i] = effect_with(f, &def);
    }
    begin(f);
    add_set(f, f->hero, set);
    for (uint32_t i = 0; i < 8; i++) {
        (void)afflict(f, types[i]);
        EXPECT_ERROR(bad[i].message);
        char attribute[16];
        (void)snprintf(attribute, sizeof(attribute), "Move.Speed%u", i + 1);
        assert_float_equal(value_of(f, kn_attribute_find(f->library, attribute)), 500.0f, 0.0f);
    }
    step(f, KN_MS(10));
}

static const struct CMUnitTest tests[] = {
    SCRIPTED(a_calculation_reads_captures_and_the_spec),
    SCRIPTED(a_calculation_that_fails_refuses_the_effect),
    SCRIPTED(a_script_finds_random_streams_by_name),
    SCRIPTED(an_execution_changes_attributes_and_more),
    SCRIPTED(a_requirement_lets_in_refuses_or_handles),
    SCRIPTED(a_condition_changes_a_modifier_of_a_transient_value),
    SCRIPTED(logic_keeps_its_state_with_the_effect),
    SCRIPTED(logic_and_rules_hear_every_application),
    SCRIPTED(effects_say_where_they_come_from),
    SCRIPTED(attribute_hooks_clamp_discard_and_spend),
    SCRIPTED(a_failing_attribute_hook_leaves_the_value_as_it_is),
    SCRIPTED(an_event_kind_is_carried_out_by_a_script),
    SCRIPTED(a_rule_reacts_at_the_same_time),
    SCRIPTED(a_rule_gets_the_whole_event_and_owners),
    SCRIPTED(a_watch_is_started_and_stopped_by_scripts),
    SCRIPTED(a_watch_of_a_script_has_a_state),
    SCRIPTED(a_reaction_has_the_reasons_of_a_refusal),
    SCRIPTED(a_timer_keeps_its_sixteen_bytes),
    SCRIPTED(a_system_runs_at_its_rate_and_switches_others),
    SCRIPTED(a_task_of_ones_own_waits_watches_and_tells),
    SCRIPTED(a_failing_task_ends_without_a_result),
    SCRIPTED(targeting_of_ones_own_finds_and_judges),
    SCRIPTED(scripts_spawn_archetypes_and_compare_tags),
    SCRIPTED(target_data_goes_along_with_effects),
    SCRIPTED(commits_tell_tags_and_inputs_bring_events),
    SCRIPTED(a_policy_agrees_with_one_in_c_to_the_last_bit),
    SCRIPTED(a_policy_sees_what_a_modifier_is),
    SCRIPTED(after_an_error_of_a_policy_all_modifiers_take_part),
};

TEST_GROUP(script_rules, tests, NULL, NULL);
