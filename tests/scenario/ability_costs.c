// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What abilities cost: lists and effects, simulated on base values before anything is paid, and
// the commit that pays.

#include "scenario/ability_prices.h"

static kn_cost_def cost_of(kn_attribute_id attribute, float amount)
{
    kn_cost_def cost = {.attribute = attribute, .amount = kn_constant(amount)};
    return cost;
}

static kn_cost_quote quote_of(const fixture *f, kn_ability_id ability, kn_attribute_id attribute)
{
    kn_cost_quote quotes[40];
    uint32_t count = kn_ability_quote(f->world, ability, quotes, 40);
    for (uint32_t i = 0; i < count; i++) {
        if (quotes[i].attribute.index1 == attribute.index1) {
            return quotes[i];
        }
    }
    fail_msg("no price of that attribute among %u", count);
    return (kn_cost_quote){0};
}

static void expect_quote(const fixture *f, kn_ability_id ability, kn_attribute_id attribute,
    float amount, float have, bool is_affordable)
{
    kn_cost_quote quote = quote_of(f, ability, attribute);
    assert_true(quote.amount == amount);
    assert_true(quote.have == have);
    assert_int_equal(quote.is_affordable, is_affordable);
}

// An ability whose price is one instant effect.
static kn_ability_type_id spell_with_effect(
    fixture *f, const char *name, const kn_modifier_def *modifiers, uint32_t count)
{
    char effect[64];
    (void)snprintf(effect, sizeof(effect), "Cost.%s", name);
    kn_ability_def def = spell_def(f, name);
    def.cost_effect = effect_of(f, effect, KN_DURATION_INSTANT, modifiers, count);
    return ability_register(f, &def);
}

// One more attribute, in a set of its own.
static kn_attribute_id resource(fixture *f, kn_attribute_def def, kn_attribute_set_id *set)
{
    kn_attribute_set_def set_def = kn_attribute_set_def_default();
    set_def.name = "Extra";
    set_def.attributes = &def;
    set_def.attribute_count = 1;
    def.name = "Resource";
    assert_int_equal(kn_attribute_set_register(f->library, &set_def, set, NULL), KN_OK);
    return kn_attribute_find(f->library, "Extra.Resource");
}

static void give_set(fixture *f, kn_attribute_set_id set)
{
    add_set(f, f->hero, set);
}

// Effects -------------------------------------------------------------------

// CST-001, CST-002, CST-007, ABI-110, ABI-111, MAP-046
static void a_cost_effect_of_several_modifiers_is_paid_whole_or_not(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[2] = {add_to(f->mana, -30.0f), add_to(f->stamina, -60.0f)};
    kn_ability_type_id type = spell_with_effect(f, "Leap", modifiers, 2);
    begin(f);
    kn_ability_id leap = grant(f, type);
    assert_int_equal(check(f, leap), 0);
    assert_true(value_of(f, f->mana) == 100.0f); // asking costs nothing
    assert_int_equal(use(f, leap), KN_OK);
    assert_true(value_of(f, f->mana) == 70.0f && value_of(f, f->stamina) == 40.0f);
    expect_quote(f, leap, f->mana, 30.0f, 70.0f, true);
    expect_quote(f, leap, f->stamina, 60.0f, 40.0f, false);
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(use(f, leap), KN_REFUSED_COST);
    assert_int_equal(kn_world_hash(f->world), before);
    expect_text(f, leap, "Leap: needs 60 Vitals.Stamina, has 40");
}

// CST-004: one effect for all, with the price handed in by each grant.
static void one_cost_effect_serves_many_by_values_of_the_grant(void **state)
{
    fixture *f = *state;
    kn_tag price = tag_of(f, "Data.Price");
    kn_modifier_def modifier = add_to(f->mana, 0.0f);
    modifier.magnitude = kn_magnitude_set_by_caller(price);
    kn_ability_type_id type = spell_with_effect(f, "Item", &modifier, 1);
    begin(f);
    kn_caller_value values[2] = {{price, -20.0f}, {price, -150.0f}};
    kn_ability_id items[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_ability_grant_def def = kn_ability_grant_def_default();
        def.type = type;
        def.caller_values = &values[i < 2 ? i : 0];
        def.caller_value_count = i < 2;
        assert_int_equal(kn_ability_grant(f->world, f->hero, &def, &items[i]), KN_OK);
    }
    assert_int_equal(use(f, items[0]), KN_OK);
    assert_true(value_of(f, f->mana) == 80.0f);
    assert_int_equal(kn_ability_status(f->world, items[1]), KN_FAIL_COST);
    assert_int_equal(check(f, items[2]), KN_FAIL_COST); // no price: not to be had
    assert_int_equal(kn_ability_set_caller_value(f->world, items[1], price, -80.0f), KN_OK);
    assert_int_equal(kn_ability_status(f->world, items[1]), 0);
    assert_int_equal(use(f, items[1]), KN_OK);
    assert_true(value_of(f, f->mana) == 0.0f);
    expect_replays(f);
}

// The price of an ability is its level times a number of its own; nothing without an ability.
static float price_of_ability(void *user, const kn_calculation *calculation)
{
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    kn_ability_id ability = kn_spec_view_ability(spec);
    fixture *f = user;
    return -kn_ability_level(kn_spec_view_world(spec), ability) *
           kn_ability_caller_value(
               kn_spec_view_world(spec), ability, kn_tag_find(f->library, "Data.Price"), 10.0f);
}

static kn_magnitude calculated(fixture *f, const char *name, kn_calculation_fn *function)
{
    kn_calculation_def def = kn_calculation_def_default();
    def.name = name;
    def.function = function;
    def.user = f;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    return kn_magnitude_calculation(calculation);
}

// CST-003, CST-004, CST-005, CTX-004, ABI-090, ABI-114, ABI-117
static void a_calculation_reads_the_price_from_the_ability(void **state)
{
    fixture *f = *state;
    kn_tag price = tag_of(f, "Data.Price");
    kn_modifier_def modifier = add_to(f->mana, 0.0f);
    modifier.magnitude = calculated(f, "Price", price_of_ability);
    kn_effect_type_id cost = effect_of(f, "Cost", KN_DURATION_INSTANT, &modifier, 1);
    kn_ability_def one_def = spell_def(f, "One"), other_def = spell_def(f, "Other");
    one_def.cost_effect = other_def.cost_effect = cost;
    kn_ability_type_id one_type = ability_register(f, &one_def);
    kn_ability_type_id other_type = ability_register(f, &other_def);
    begin(f);
    kn_ability_id one = grant_level(f, one_type, 3.0f), other = grant_level(f, other_type, 1.0f);
    assert_int_equal(kn_ability_set_caller_value(f->world, other, price, 45.0f), KN_OK);
    expect_quote(f, one, f->mana, 30.0f, 100.0f, true);
    assert_int_equal(use(f, one), KN_OK);
    assert_true(value_of(f, f->mana) == 70.0f);
    assert_int_equal(use(f, other), KN_OK);
    assert_true(value_of(f, f->mana) == 25.0f);
    assert_int_equal(kn_ability_status(f->world, one), KN_FAIL_COST);
    assert_int_equal(kn_ability_set_level(f->world, &one, 2.0f), KN_OK);
    assert_int_equal(kn_ability_status(f->world, one), 0);
    afflict(f, cost); // by nobody's ability: free
    assert_true(value_of(f, f->mana) == 25.0f);
}

static kn_result pay_by_made_effect(const kn_ability_call *call)
{
    fixture *f = call->user;
    kn_modifier_def modifier =
        add_to(f->mana, -12.0f * kn_ability_level(call->world, call->ability));
    kn_effect_def def = kn_effect_def_default();
    char name[32];
    (void)snprintf(name, sizeof(name), "Made%d", (int)kn_ability_level(call->world, call->ability));
    def.name = name;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type;
    kn_result result = kn_world_effect_register(call->world, &def, &type, NULL);
    return result != KN_OK
               ? result
               : kn_activation_apply(call->world, call->activation, type, call->owner, NULL);
}

static bool can_pay_made_effect(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    const fixture *f = call->user;
    return kn_attribute_base(call->world, call->owner, f->mana) >=
           12.0f * kn_ability_level(call->world, call->ability);
}

// CST-005, ABI-117: the second way, an effect made when it is needed.
static void a_cost_effect_may_be_made_at_run_time(void **state)
{
    fixture *f = *state;
    kn_ability_def def = spell_def(f, "Made");
    def.activate = pay_by_made_effect;
    def.can_activate = can_pay_made_effect;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id three = grant_level(f, type, 3.0f), four = grant_level(f, type, 4.0f);
    assert_int_equal(use(f, three), KN_OK);
    assert_int_equal(use(f, four), KN_OK);
    assert_true(value_of(f, f->mana) == 16.0f);
    assert_int_equal(use(f, three), KN_REFUSED_CUSTOM);
    expect_replays(f);
}

// A modifier whose requirement is not met takes nothing, so it costs nothing either.
static void a_modifier_that_does_not_act_costs_nothing(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = add_to(f->mana, -500.0f);
    modifier.target.required = tags_of(f, "Cursed");
    kn_ability_type_id type = spell_with_effect(f, "Pray", &modifier, 1);
    begin(f);
    kn_ability_id pray = grant(f, type);
    assert_int_equal(kn_ability_status(f->world, pray), 0);
    add_tag(f, f->hero, tag_of(f, "Cursed"));
    assert_int_equal(kn_ability_status(f->world, pray), KN_FAIL_COST);
}

// What is affordable --------------------------------------------------------

// BEY-040: a buff is nothing to pay with, a debuff takes nothing away.
static void prices_look_at_base_values(void **state)
{
    fixture *f = *state;
    kn_modifier_def more = add_to(f->mana, 50.0f), set = add_to(f->mana, 5.0f);
    set.op = KN_OP_OVERRIDE;
    kn_effect_type_id buff = effect_of(f, "Buff", KN_DURATION_INFINITE, &more, 1);
    kn_effect_type_id fix = effect_of(f, "Fix", KN_DURATION_INFINITE, &set, 1);
    kn_cost_def cost = cost_of(f->mana, 20.0f);
    kn_ability_type_id type = spell_with_costs(f, "Bolt", &cost, 1);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    set_base(f, f->hero, f->mana, 10.0f);
    kn_effect_id buffed = afflict(f, buff);
    assert_true(value_of(f, f->mana) == 60.0f);
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_COST);
    expect_quote(f, bolt, f->mana, 20.0f, 10.0f, false);
    remove_effect(f, buffed);
    afflict(f, fix);
    set_base(f, f->hero, f->mana, 100.0f); // shows 5 as before: the status must follow all the same
    assert_true(value_of(f, f->mana) == 5.0f);
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    assert_int_equal(use(f, bolt), KN_OK);
    assert_true(kn_attribute_base(f->world, f->hero, f->mana) == 80.0f);
}

// BEY-040, CST-007: step by step, each with the limits; a gain may be cut.
static void steps_of_a_price_run_in_order_with_limits(void **state)
{
    fixture *f = *state;
    kn_attribute_def rage = kn_attribute_def_default();
    rage.default_value = 100.0f;
    rage.base_min = kn_limit_constant(0.0f);
    rage.base_max = kn_limit_constant(100.0f);
    kn_attribute_set_id set;
    kn_attribute_id id = resource(f, rage, &set);
    kn_modifier_def first_gain[2] = {add_to(id, 10.0f), add_to(id, -105.0f)};
    kn_modifier_def first_loss[2] = {add_to(id, -95.0f), add_to(id, 10.0f)};
    kn_modifier_def too_much[2] = {add_to(id, -105.0f), add_to(id, 10.0f)};
    kn_modifier_def only_gain = add_to(id, 40.0f);
    kn_modifier_def half = add_to(id, 0.5f);
    half.op = KN_OP_MULTIPLY;
    kn_ability_type_id types[5] = {spell_with_effect(f, "FirstGain", first_gain, 2),
        spell_with_effect(f, "FirstLoss", first_loss, 2),
        spell_with_effect(f, "TooMuch", too_much, 2), spell_with_effect(f, "Gain", &only_gain, 1),
        spell_with_effect(f, "Half", &half, 1)};
    begin(f);
    give_set(f, set);
    kn_ability_id ids[5];
    for (uint32_t i = 0; i < 5; i++) {
        ids[i] = grant(f, types[i]);
    }
    assert_int_equal(check(f, ids[0]), KN_FAIL_COST); // the gain is cut, then 5 are missing
    assert_int_equal(check(f, ids[2]), KN_FAIL_COST); // 5 are missing when it is due
    assert_int_equal(use(f, ids[1]), KN_OK);
    assert_true(value_of(f, id) == 15.0f);
    set_base(f, f->hero, id, 80.0f);
    expect_quote(f, ids[3], id, -20.0f, 80.0f, true);
    assert_int_equal(use(f, ids[3]), KN_OK);
    assert_true(value_of(f, id) == 100.0f);
    expect_quote(f, ids[4], id, 50.0f, 100.0f, true);
    assert_int_equal(use(f, ids[4]), KN_OK);
    assert_true(value_of(f, id) == 50.0f);
}

static uint32_t hook_calls;

static bool count_execute(void *user, kn_execute_data *data)
{
    (void)user;
    (void)data;
    hook_calls++;
    return true;
}

static float count_change(void *user, const kn_attribute_change *change)
{
    (void)user;
    hook_calls++;
    return change->new_value;
}

// CST-007
static void asking_for_a_price_runs_no_hooks(void **state)
{
    fixture *f = *state;
    kn_attribute_def rage = attribute_def("Rage", 50.0f);
    kn_attribute_set_def set_def = kn_attribute_set_def_default();
    set_def.name = "Hooked";
    set_def.attributes = &rage;
    set_def.attribute_count = 1;
    set_def.hooks = (kn_attribute_hooks){
        .pre_execute = count_execute, .pre_base_change = count_change, .pre_change = count_change};
    kn_attribute_set_id set;
    assert_int_equal(kn_attribute_set_register(f->library, &set_def, &set, NULL), KN_OK);
    kn_attribute_id id = kn_attribute_find(f->library, "Hooked.Rage");
    kn_modifier_def price = add_to(id, -30.0f);
    kn_ability_type_id type = spell_with_effect(f, "Roar", &price, 1);
    begin(f);
    give_set(f, set);
    kn_ability_id roar = grant(f, type);
    hook_calls = 0;
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(check(f, roar), 0);
    expect_quote(f, roar, id, 30.0f, 50.0f, true);
    assert_int_equal(hook_calls, 0);
    assert_int_equal(kn_world_hash(f->world), before);
    assert_int_equal(use(f, roar), KN_OK);
    assert_int_equal(hook_calls, 3); // paid: once each
    assert_int_equal(check(f, roar), KN_FAIL_COST);
    assert_int_equal(hook_calls, 3);
}

// BEY-040, MAP-046: a minimum other than 0, and none at all.
static void a_price_stops_at_the_minimum_of_its_attribute(void **state)
{
    fixture *f = *state;
    kn_attribute_def blood = kn_attribute_def_default();
    blood.default_value = 30.0f;
    blood.base_min = kn_limit_constant(10.0f);
    kn_attribute_set_id set;
    kn_attribute_id id = resource(f, blood, &set);
    kn_cost_def costs[2] = {cost_of(id, 20.0f), cost_of(id, 500.0f)};
    costs[1].up_to = true;
    kn_ability_type_id plain = spell_with_costs(f, "Cut", &costs[0], 1);
    kn_ability_type_id all = spell_with_costs(f, "Drain", &costs[1], 1);
    begin(f);
    give_set(f, set);
    kn_ability_id cut = grant(f, plain), drain = grant(f, all);
    assert_int_equal(check(f, cut), 0);
    set_base(f, f->hero, id, 29.0f);
    assert_int_equal(check(f, cut), KN_FAIL_COST);
    expect_quote(f, drain, id, 19.0f, 29.0f, true); // what is there above the minimum
    assert_int_equal(use(f, drain), KN_OK);
    assert_true(value_of(f, id) == 10.0f);
}

// MODF-014: stacks and removals of a modifier reach the price and the cached status.
static void a_price_and_its_status_follow_the_modifiers_behind_them(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = add_to(f->max_health, 100.0f);
    kn_effect_def def = infinite("Giant");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id giant = effect_register(f, &def);
    kn_cost_def cost = cost_of(f->mana, 0.4f);
    cost.share_of = f->max_health;
    kn_ability_type_id type = spell_with_costs(f, "Feast", &cost, 1);
    begin(f);
    kn_ability_id feast = grant(f, type);
    expect_quote(f, feast, f->mana, 40.0f, 100.0f, true);
    assert_int_equal(kn_ability_status(f->world, feast), 0);
    kn_effect_id effect = afflict(f, giant);
    expect_quote(f, feast, f->mana, 80.0f, 100.0f, true);
    assert_int_equal(kn_ability_status(f->world, feast), 0);
    assert_int_equal(kn_effect_set_stacks(f->world, effect, 2), KN_OK);
    expect_quote(f, feast, f->mana, 120.0f, 100.0f, false);
    assert_int_equal(kn_ability_status(f->world, feast), KN_FAIL_COST);
    remove_effect(f, effect);
    expect_quote(f, feast, f->mana, 40.0f, 100.0f, true);
    assert_int_equal(kn_ability_status(f->world, feast), 0);
}

// BEY-040, CST-007
static void what_has_no_minimum_is_not_spent_below_zero(void **state)
{
    fixture *f = *state;
    kn_attribute_def debt = kn_attribute_def_default();
    debt.default_value = 30.0f;
    kn_attribute_set_id set;
    kn_attribute_id id = resource(f, debt, &set);
    kn_cost_def cost = cost_of(id, 20.0f);
    kn_ability_type_id type = spell_with_costs(f, "Buy", &cost, 1);
    begin(f);
    give_set(f, set);
    kn_ability_id buy = grant(f, type);
    assert_int_equal(use(f, buy), KN_OK);
    assert_int_equal(use(f, buy), KN_REFUSED_COST);
    set_base(f, f->hero, id, -50.0f);
    assert_int_equal(use(f, buy), KN_REFUSED_COST);
}

// BEY-040: also for the attribute that the price is a share of.
static void an_attribute_that_is_missing_cannot_be_paid(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = kn_attribute_def_default();
    def.default_value = 30.0f;
    kn_attribute_set_id set;
    kn_attribute_id id = resource(f, def, &set);
    kn_cost_def direct = cost_of(id, 1.0f), share = cost_of(f->mana, 0.1f);
    kn_modifier_def modifier = add_to(id, -1.0f);
    share.share_of = id;
    kn_ability_type_id types[3] = {spell_with_costs(f, "Direct", &direct, 1),
        spell_with_costs(f, "Share", &share, 1), spell_with_effect(f, "Effect", &modifier, 1)};
    begin(f);
    kn_ability_id ids[3];
    for (uint32_t i = 0; i < 3; i++) {
        ids[i] = grant(f, types[i]);
        assert_int_equal(kn_ability_status(f->world, ids[i]), KN_FAIL_COST);
        assert_int_equal(use(f, ids[i]), KN_REFUSED_COST);
    }
    give_set(f, set);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_ability_status(f->world, ids[i]), 0);
        assert_int_equal(use(f, ids[i]), KN_OK);
    }
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, set, 0), KN_OK);
    assert_int_equal(kn_ability_status(f->world, ids[0]), KN_FAIL_COST);
}

// BEY-040
static void prices_and_cooldowns_pass_immunity(void **state)
{
    fixture *f = *state;
    kn_gate_def gate = {.modifies = f->mana};
    kn_gate_def gates[2] = {gate, {.source_any = tags_of(f, "Hero")}};
    kn_effect_def immune = infinite("Immune");
    immune.gates = gates;
    immune.gate_count = 2;
    kn_effect_type_id immune_type = effect_register(f, &immune);
    kn_modifier_def modifier = add_to(f->mana, -30.0f);
    kn_ability_def def = spell_def(f, "Bolt");
    def.cost_effect = effect_of(f, "Cost", KN_DURATION_INSTANT, &modifier, 1);
    def.cooldown_effect = tag_effect(f, "Cooldown", "Cooldown.Bolt", 2.0f);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    add_tag(f, f->hero, tag_of(f, "Hero"));
    afflict(f, immune_type);
    assert_int_equal(kn_effect_apply_simple(f->world, def.cost_effect, f->foe, f->hero, 1.0f, NULL),
        KN_REFUSED_BLOCKED);
    assert_int_equal(use(f, bolt), KN_OK);
    assert_true(value_of(f, f->mana) == 70.0f);
    assert_int_equal(check(f, bolt), KN_FAIL_COOLDOWN);
}

// Numbers that are none, and more steps than anybody needs.
static void prices_out_of_all_bounds_are_not_affordable(void **state)
{
    fixture *f = *state;
    const kn_curve_point wild[] = {{1.0f, 3e38f}, {2.0f, 1.0f}, {3.0f, -3e38f}};
    kn_cost_def endless = cost_of(f->mana, 1e30f), gain = cost_of(f->mana, -10.0f);
    endless.amount.curve = curve_of(f, "Wild", KN_CURVE_LINEAR, wild, 3);
    kn_cost_def many[40];
    for (uint32_t i = 0; i < 40; i++) {
        many[i] = cost_of(f->mana, 1.0f);
    }
    kn_ability_type_id types[3] = {spell_with_costs(f, "Endless", &endless, 1),
        spell_with_costs(f, "Gain", &gain, 1), spell_with_costs(f, "Many", many, 40)};
    begin(f);
    kn_ability_id ids[3];
    for (uint32_t i = 0; i < 3; i++) {
        ids[i] = grant(f, types[i]);
    }
    assert_int_equal(use(f, ids[0]), KN_REFUSED_COST);
    assert_int_equal(kn_ability_set_level(f->world, &ids[0], 3.0f), KN_OK);
    assert_int_equal(use(f, ids[0]), KN_REFUSED_COST); // nor is an endless gain
    assert_int_equal(use(f, ids[1]), KN_OK);
    assert_true(value_of(f, f->mana) == 110.0f);
    assert_int_equal(use(f, ids[2]), KN_REFUSED_COST);
    assert_true(value_of(f, f->mana) == 110.0f);
    assert_int_equal(kn_ability_quote(f->world, (kn_ability_id){0}, NULL, 0), 0);
}

// Forms ---------------------------------------------------------------------

// BEY-041
static void a_price_may_be_a_share_of_a_maximum(void **state)
{
    fixture *f = *state;
    const kn_curve_point shares[] = {{1.0f, 0.25f}, {2.0f, 0.5f}};
    kn_cost_def cost = {.attribute = f->health, .share_of = f->max_health};
    cost.amount = by_level(curve_of(f, "Shares", KN_CURVE_LINEAR, shares, 2));
    kn_ability_type_id type = spell_with_costs(f, "Sacrifice", &cost, 1);
    begin(f);
    kn_ability_id sacrifice = grant(f, type);
    set_base(f, f->hero, f->max_health, 200.0f);
    expect_quote(f, sacrifice, f->health, 50.0f, 100.0f, true);
    assert_int_equal(kn_ability_set_level(f->world, &sacrifice, 2.0f), KN_OK);
    assert_int_equal(use(f, sacrifice), KN_OK);
    assert_true(value_of(f, f->health) == 0.0f);
}

static kn_result commit_now(const kn_ability_call *call)
{
    fixture *f = call->user;
    kn_result result = kn_activation_commit(call->world, call->activation);
    note(f, "paid %d. ", (int)kn_activation_paid(call->world, call->activation, f->mana));
    return result;
}

// What was paid of mana, as damage.
static float damage_by_price(void *user, const kn_calculation *calculation)
{
    const fixture *f = user;
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    return -kn_activation_paid(kn_spec_view_world(spec), kn_spec_view_activation(spec), f->mana);
}

// BEY-041: the amount is visible to magnitudes.
static void a_magnitude_reads_what_was_paid(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = add_to(f->health, 0.0f);
    modifier.magnitude = calculated(f, "ByPrice", damage_by_price);
    kn_effect_type_id hit = effect_of(f, "Hit", KN_DURATION_INSTANT, &modifier, 1);
    kn_cost_def cost = cost_of(f->mana, 60.0f);
    cost.up_to = true;
    kn_ability_def def = ability_def(f, "Unleash");
    def.commit = KN_COMMIT_AT_USE;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.costs = &cost;
    def.cost_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id unleash = grant(f, type);
    kn_activation_id strong = activate(f, unleash), weak = activate(f, unleash); // 60 and 40
    assert_int_equal(kn_activation_apply(f->world, weak, hit, f->foe, NULL), KN_OK);
    assert_true(kn_attribute_value(f->world, f->foe, f->health) == 60.0f);
    assert_int_equal(kn_activation_apply(f->world, strong, hit, f->foe, NULL), KN_OK);
    assert_true(kn_attribute_value(f->world, f->foe, f->health) == 0.0f);
}

// BEY-041: what was paid can be read, and a share of it given back.
static void a_price_may_take_what_is_there(void **state)
{
    fixture *f = *state;
    kn_cost_def cost = cost_of(f->mana, 60.0f);
    cost.up_to = true;
    cost.minimum = kn_constant(10.0f);
    kn_ability_def def = ability_def(f, "Unleash");
    def.activate = commit_now;
    def.ended = NULL;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.costs = &cost;
    def.cost_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id unleash = grant(f, type);
    kn_activation_id first = activate(f, unleash);
    kn_activation_id second = activate(f, unleash);
    EXPECT_LOG(f, "paid 60. paid 40. ");
    assert_int_equal(use(f, unleash), KN_REFUSED_COST);
    expect_replays(f);
    assert_int_equal(kn_activation_refund(f->world, first, 0.25f), KN_OK);
    assert_true(value_of(f, f->mana) == 15.0f);
    assert_true(kn_activation_paid(f->world, first, f->mana) == 45.0f);
    assert_int_equal(kn_activation_refund(f->world, first, 1.0f), KN_OK);
    assert_true(value_of(f, f->mana) == 60.0f);
    assert_int_equal(kn_activation_refund(f->world, first, 1.0f), KN_OK); // nothing is left
    assert_true(value_of(f, f->mana) == 60.0f);
    assert_int_equal(kn_activation_refund(f->world, second, -1.0f), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_activation_refund(f->world, second, 1.5f), KN_REFUSED_BAD_NUMBER);
    set_base(f, f->hero, f->mana, 9.0f);
    assert_int_equal(use(f, unleash), KN_REFUSED_COST); // below the minimum
    set_base(f, f->hero, f->mana, 10.0f);
    assert_int_equal(use(f, unleash), KN_OK);
    assert_int_equal(kn_activation_end(f->world, second), KN_OK);
    assert_int_equal(kn_activation_refund(f->world, second, 1.0f), KN_REFUSED_STALE_ID);
    assert_true(kn_activation_paid(f->world, second, f->mana) == 0.0f);
}

// A whole number loses a whole number: what is quoted, noted and taken agree.
static void a_price_in_whole_numbers_is_what_is_really_taken(void **state)
{
    fixture *f = *state;
    kn_attribute_def ammo = kn_attribute_def_default();
    ammo.default_value = 10.0f;
    ammo.rounding = KN_ROUND_DOWN;
    ammo.base_min = kn_limit_constant(0.0f);
    kn_attribute_set_id set;
    kn_attribute_id id = resource(f, ammo, &set);
    kn_cost_def cost = cost_of(id, 2.5f);
    kn_ability_def def = ability_def(f, "Shoot");
    def.activate = commit_now;
    def.costs = &cost;
    def.cost_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    give_set(f, set);
    kn_ability_id shoot = grant(f, type);
    float quoted = quote_of(f, shoot, id).amount;
    kn_activation_id shot = activate(f, shoot);
    assert_true(value_of(f, id) == 7.0f);
    assert_true(quoted == 3.0f);
    assert_true(kn_activation_paid(f->world, shot, id) == 3.0f);
}

// Committing ----------------------------------------------------------------

// An ability of 20 mana and 3 s, committed by the test.
static kn_ability_id begin_with_bolt(fixture *f, kn_ability_def def)
{
    kn_cost_def cost = cost_of(f->mana, 20.0f);
    kn_cooldown_def cooldown = kn_cooldown_seconds(3.0f);
    cooldown.key = tag_of(f, "Cooldown.Bolt");
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    return grant(f, type);
}

static bool has_cooldown_tag(fixture *f)
{
    return kn_entity_has_tag(f->world, f->hero, tag_of(f, "Cooldown.Bolt"));
}

// TVA-004, ABI-111, ABI-112, ABI-113, CST-006, MAP-047
static void a_commit_that_cannot_be_paid_any_more_changes_nothing(void **state)
{
    fixture *f = *state;
    kn_ability_id bolt = begin_with_bolt(f, ability_def(f, "Bolt"));
    set_base(f, f->hero, f->mana, 20.0f);
    kn_activation_id cast = activate(f, bolt);
    assert_true(value_of(f, f->mana) == 20.0f);
    set_base(f, f->hero, f->mana, 15.0f);
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(kn_activation_commit(f->world, cast), KN_REFUSED_COST);
    assert_int_equal(kn_world_hash(f->world), before);
    assert_true(value_of(f, f->mana) == 15.0f);
    assert_false(has_cooldown_tag(f));
    assert_true(kn_activation_is_alive(f->world, cast));
    set_base(f, f->hero, f->mana, 20.0f);
    add_tag(f, f->hero, tag_of(f, "Cooldown.Bolt"));
    assert_int_equal(kn_activation_commit(f->world, cast), KN_REFUSED_COOLDOWN);
    assert_true(value_of(f, f->mana) == 20.0f);
    // One by one: the price can be paid, the cooldown has its own say.
    assert_int_equal(kn_activation_commit_cooldown(f->world, cast), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_activation_commit_cost(f->world, cast), KN_OK);
    assert_true(value_of(f, f->mana) == 0.0f);
}

// TVA-005, ABI-112, MAP-040, MAP-047, CST-006
static void cost_and_cooldown_may_be_committed_apart(void **state)
{
    fixture *f = *state;
    kn_ability_id bolt = begin_with_bolt(f, ability_def(f, "Bolt"));
    kn_activation_id cast = activate(f, bolt);
    assert_int_equal(kn_activation_commit_cost(f->world, cast), KN_OK);
    assert_true(value_of(f, f->mana) == 80.0f);
    assert_false(has_cooldown_tag(f));
    expect_replays(f);
    step(f, KN_S(1));
    assert_int_equal(kn_activation_commit_cooldown(f->world, cast), KN_OK);
    assert_true(value_of(f, f->mana) == 80.0f);
    assert_true(has_cooldown_tag(f));
    assert_int_equal(kn_activation_end(f->world, cast), KN_OK);
    assert_true(has_cooldown_tag(f)); // lasts longer than the use
    step(f, KN_S(3));
    assert_int_equal(use(f, bolt), KN_OK); // never paid by itself
    assert_int_equal(kn_ability_cancel(f->world, bolt), KN_OK);
    assert_true(value_of(f, f->mana) == 80.0f);
}

// ABI-113: the second time is checked like the first.
static void committing_twice_is_refused_by_the_cooldown_or_paid_twice(void **state)
{
    fixture *f = *state;
    kn_ability_id bolt = begin_with_bolt(f, ability_def(f, "Bolt"));
    kn_activation_id cast = activate(f, bolt);
    assert_int_equal(kn_activation_commit(f->world, cast), KN_OK);
    assert_int_equal(kn_activation_commit(f->world, cast), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_activation_commit_cooldown(f->world, cast), KN_REFUSED_COOLDOWN);
    assert_true(value_of(f, f->mana) == 80.0f);
    assert_int_equal(kn_activation_commit_cost(f->world, cast), KN_OK); // as a channel does
    assert_true(kn_activation_paid(f->world, cast, f->mana) == 40.0f);
    assert_int_equal(kn_activation_end(f->world, cast), KN_OK);
    assert_int_equal(kn_activation_commit(f->world, cast), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_commit_cost(f->world, cast), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_commit(f->world, (kn_activation_id){0}), KN_REFUSED_STALE_ID);
}

// MAP-040, MAP-047: at use everything is paid before the body, the charge before the price, and a
// refusal leaves no trace.
static void at_use_the_price_is_paid_before_the_body(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Bolt");
    def.commit = KN_COMMIT_AT_USE;
    kn_ability_id bolt = begin_with_bolt(f, def);
    kn_activation_id cast = activate(f, bolt);
    EXPECT_LOG(f, "Bolt activates. ");
    assert_true(value_of(f, f->mana) == 80.0f);
    assert_true(kn_activation_paid(f->world, cast, f->mana) == 20.0f);
    assert_true(has_cooldown_tag(f));
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t charge = UINT32_MAX, price = UINT32_MAX;
    for (uint32_t i = events.count; i-- > 0;) {
        charge = events.data[i].type == KN_EVENT_CHARGES ? i : charge;
        price = events.data[i].type == KN_EVENT_ATTRIBUTE_CHANGED ? i : price;
    }
    assert_true(charge < price && price < events.count);
    assert_int_equal(kn_activation_end(f->world, cast), KN_OK);
    EXPECT_LOG(f, "Bolt: ended. ");
    step(f, KN_S(3));
    set_base(f, f->hero, f->mana, 19.0f);
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(use(f, bolt), KN_REFUSED_COST);
    assert_int_equal(kn_world_hash(f->world), before);
    EXPECT_LOG(f, "");
}

static void take_mana(const kn_ability_call *call)
{
    const fixture *f = call->user;
    assert_int_equal(kn_attribute_set_base(call->world, call->owner, f->mana, 0, 1.0f), KN_OK);
}

// MAP-047: what happens between check and commit is seen by the commit; the body does not run.
static void a_commit_at_use_that_fails_ends_the_activation(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Bolt");
    def.commit = KN_COMMIT_AT_USE;
    def.pre_activate = take_mana;
    kn_ability_id bolt = begin_with_bolt(f, def);
    assert_int_equal(use(f, bolt), KN_REFUSED_COST);
    EXPECT_LOG(f, "Bolt: failed. ");
    assert_false(has_cooldown_tag(f));
    assert_true(value_of(f, f->mana) == 1.0f);
    assert_false(kn_ability_is_active(f->world, bolt));
}

// Uses another ability, then pays for itself.
static kn_result spark_first(const kn_ability_call *call)
{
    kn_ability_type_id spark = kn_ability_type_find(kn_world_library(call->world), "Spark");
    assert_int_equal(kn_ability_activate_type(call->world, call->owner, spark, NULL), KN_OK);
    return kn_activation_commit(call->world, call->activation);
}

// MAP-047, ABI-113: the same for the body itself, also when another activation came between.
static void a_commit_sees_what_the_body_did_before_it(void **state)
{
    fixture *f = *state;
    kn_cost_def spark_cost = cost_of(f->mana, 30.0f);
    kn_cooldown_def shared = kn_cooldown_seconds(2.0f);
    shared.key = tag_of(f, "Cooldown.Shared");
    kn_ability_def spark = spell_def(f, "Spark");
    spark.costs = &spark_cost;
    spark.cost_count = 1;
    spark.cooldowns = &shared;
    spark.cooldown_count = 1;
    kn_ability_type_id spark_type = ability_register(f, &spark);
    kn_cost_def half = cost_of(f->mana, 0.5f);
    half.share_of = f->mana;
    kn_ability_def dear = ability_def(f, "Dear");
    dear.activate = spark_first;
    dear.costs = &half;
    dear.cost_count = 1;
    kn_ability_type_id dear_type = ability_register(f, &dear);
    kn_ability_def late = ability_def(f, "Late");
    late.activate = spark_first;
    late.cooldowns = &shared;
    late.cooldown_count = 1;
    kn_ability_type_id late_type = ability_register(f, &late);
    begin(f);
    (void)grant(f, spark_type);
    kn_activation_id cast = activate(f, grant(f, dear_type));
    assert_true(value_of(f, f->mana) == 35.0f); // half of what the spark left
    assert_true(kn_activation_paid(f->world, cast, f->mana) == 35.0f);
    step(f, KN_S(2));
    assert_int_equal(use(f, grant(f, late_type)), KN_REFUSED_COOLDOWN);
    assert_true(value_of(f, f->mana) == 5.0f);
}

static void commit_at_end(const kn_ability_call *call, kn_end_reason reason)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    note(call->user, "%s: %s. ", kn_end_reason_name(reason), kn_result_name(result));
    assert_int_equal(kn_ability_status(call->world, call->ability),
        kn_ability_check(call->world, call->ability, NULL));
}

// ABI-112: on end too, and on an owner that is being destroyed nothing is left behind.
static void a_commit_at_the_end_works_even_for_a_dying_owner(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Bolt");
    def.activate = NULL;
    def.ended = commit_at_end;
    kn_ability_id bolt = begin_with_bolt(f, def);
    kn_activation_id cast = activate(f, bolt);
    assert_int_equal(kn_activation_end(f->world, cast), KN_OK);
    assert_true(has_cooldown_tag(f));
    assert_true(value_of(f, f->mana) == 80.0f);
    step(f, KN_S(3));
    (void)activate(f, bolt);
    f->log[0] = 0;
    assert_true(kn_entity_destroy(f->world, f->hero));
    EXPECT_LOG(f, "owner gone: KN_OK. ");
    step(f, KN_S(5));
}

static void kill_owner(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)kn_entity_destroy(world, reaction->entity);
}

// The price itself kills: what was begun ends in order.
static void a_price_that_kills_its_owner_is_the_last(void **state)
{
    fixture *f = *state;
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Bleed out";
    rule.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    rule.attribute = f->health;
    rule.function = kill_owner;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    kn_cost_def costs[2] = {cost_of(f->health, 100.0f), cost_of(f->mana, 10.0f)};
    kn_ability_def def = ability_def(f, "Martyr");
    def.commit = KN_COMMIT_AT_USE;
    def.costs = costs;
    def.cost_count = 2;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id martyr = grant(f, type);
    assert_int_equal(use(f, martyr), KN_OK);
    EXPECT_LOG(f, "Martyr activates. Martyr: owner gone. ");
    assert_false(kn_entity_is_alive(f->world, f->hero));
    step(f, KN_S(1));
}

static void spend_all(void *user, kn_execution *execution)
{
    const fixture *f = user;
    kn_execution_output(execution, f->mana, 0, KN_OP_OVERRIDE, 0.0f);
}

// ABI-110, ABI-114, CST-002, CST-003
static void a_cost_must_be_instant_and_without_executions(void **state)
{
    fixture *f = *state;
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "SpendAll";
    execution.function = spend_all;
    execution.user = f;
    kn_execution_use part = {.execution = {0}};
    assert_int_equal(kn_execution_register(f->library, &execution, &part.execution, NULL), KN_OK);
    kn_effect_def executing = instant("Executing");
    executing.executions = &part;
    executing.execution_count = 1;
    kn_effect_type_id executing_type = effect_register(f, &executing);
    kn_modifier_def modifier = add_to(f->mana, -10.0f);
    kn_ability_def def = spell_def(f, "Wrong");
    def.cost_effect = effect_of(f, "Lasting", KN_DURATION_INFINITE, &modifier, 1);
    kn_ability_type_id type;
    kn_error error;
    assert_int_equal(kn_ability_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "instant"));
    def.cost_effect = executing_type;
    assert_int_equal(kn_ability_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "without executions"));
    def.cost_effect = (kn_effect_type_id){0};
    def.cooldown_effect = effect_of(f, "Instant", KN_DURATION_INSTANT, &modifier, 1);
    assert_int_equal(kn_ability_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def.cooldown_effect = effect_of(f, "Tagless", KN_DURATION_INFINITE, NULL, 0);
    assert_int_equal(kn_ability_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    kn_cost_def nothing = {.amount = kn_constant(1.0f)};
    def.cooldown_effect = (kn_effect_type_id){0};
    def.costs = &nothing;
    def.cost_count = 1;
    assert_int_equal(kn_ability_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
}

static const struct CMUnitTest tests[] = {
    TEST(a_cost_effect_of_several_modifiers_is_paid_whole_or_not),
    TEST(one_cost_effect_serves_many_by_values_of_the_grant),
    TEST(a_calculation_reads_the_price_from_the_ability),
    TEST(a_cost_effect_may_be_made_at_run_time),
    TEST(a_modifier_that_does_not_act_costs_nothing),
    TEST(prices_look_at_base_values),
    TEST(steps_of_a_price_run_in_order_with_limits),
    TEST(asking_for_a_price_runs_no_hooks),
    TEST(a_price_stops_at_the_minimum_of_its_attribute),
    TEST(a_price_and_its_status_follow_the_modifiers_behind_them),
    TEST(what_has_no_minimum_is_not_spent_below_zero),
    TEST(an_attribute_that_is_missing_cannot_be_paid),
    TEST(prices_and_cooldowns_pass_immunity),
    TEST(prices_out_of_all_bounds_are_not_affordable),
    TEST(a_price_may_be_a_share_of_a_maximum),
    TEST(a_magnitude_reads_what_was_paid),
    TEST(a_price_may_take_what_is_there),
    TEST(a_price_in_whole_numbers_is_what_is_really_taken),
    TEST(a_commit_that_cannot_be_paid_any_more_changes_nothing),
    TEST(cost_and_cooldown_may_be_committed_apart),
    TEST(committing_twice_is_refused_by_the_cooldown_or_paid_twice),
    TEST(at_use_the_price_is_paid_before_the_body),
    TEST(a_commit_at_use_that_fails_ends_the_activation),
    TEST(a_commit_sees_what_the_body_did_before_it),
    TEST(a_commit_at_the_end_works_even_for_a_dying_owner),
    TEST(a_price_that_kills_its_owner_is_the_last),
    TEST(a_cost_must_be_instant_and_without_executions),
};

TEST_GROUP(ability_costs, tests, NULL, NULL);
