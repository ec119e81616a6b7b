// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Stats and what they change: attributes with the combat profile, costs, charges and lengths that
// modifiers reach, and that no charge is ever lost or invented.

#include "combat_test.h"

#include "scenario/world_copies.h"

typedef struct desk {
    arena a;
    kn_attribute_set_id stats;
    kn_attribute_id haste, bounded, fixed, secret, most;
    kn_value_id cost_value, length_value, charge_cost, charge_returned;
    kn_error error;
} desk;

static kn_value_id value_register(desk *d, const char *name, kn_rounding rounding)
{
    kn_value_def def = kn_value_def_default();
    kn_value_id value;
    def.name = name;
    def.rounding = rounding;
    def.context_free = true;
    expect_ok(kn_value_register(d->a.library, &def, &value, &d->error));
    return value;
}

// Stats: a table with default, limits, who gets it, and whether it can be changed.
static void desk_begin(desk *d)
{
    memset(d, 0, sizeof(*d));
    arena_begin(&d->a);
    kn_attribute_def stats[] = {
        arena_attribute("Haste", 1.0f),
        arena_attribute("Bounded", 1.0f),
        arena_attribute("Fixed", 3.0f),
        arena_attribute("Secret", 2.0f),
        arena_attribute("Most", 2.0f),
    };
    stats[1].min = kn_limit_constant(0.5f);
    stats[1].max = kn_limit_constant(1.5f);
    stats[2].is_static = true;
    stats[3].sync = KN_SYNC_NONE;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Stat";
    set.attributes = stats;
    set.attribute_count = 5;
    expect_ok(kn_attribute_set_register(d->a.library, &set, &d->stats, &d->error));
    d->haste = kn_attribute_find(d->a.library, "Stat.Haste");
    d->bounded = kn_attribute_find(d->a.library, "Stat.Bounded");
    d->fixed = kn_attribute_find(d->a.library, "Stat.Fixed");
    d->secret = kn_attribute_find(d->a.library, "Stat.Secret");
    d->most = kn_attribute_find(d->a.library, "Stat.Most");
    d->cost_value = value_register(d, "Cost", KN_ROUND_NONE);
    d->charge_cost = value_register(d, "ChargeCost", KN_ROUND_HALF_AWAY);
    d->charge_returned = value_register(d, "Returned", KN_ROUND_HALF_AWAY);
    kn_value_def length = kn_value_def_default();
    length.name = "Length";
    length.factor = d->haste;
    expect_ok(kn_value_register(d->a.library, &length, &d->length_value, &d->error));
}

static void desk_start(desk *d)
{
    arena_start(&d->a);
    expect_ok(kn_attribute_set_add(d->a.world, d->a.hero, d->stats, 0));
}

static kn_effect_type_id modifier_effect(desk *d, const char *name, kn_modifier_def modifier)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    return arena_effect(&d->a, &def);
}

static kn_modifier_def on_value(kn_value_id value, kn_op op, float magnitude, bool stacks)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = value;
    modifier.op = op;
    modifier.magnitude = kn_magnitude_constant(magnitude);
    modifier.scaling = stacks ? KN_STACK_SCALING_YES : KN_STACK_SCALING_NO;
    return modifier;
}

static kn_modifier_def on_stat(kn_attribute_id stat, kn_op op, float magnitude, bool stacks)
{
    kn_modifier_def modifier = kn_modifier_constant(stat, op, magnitude);
    modifier.scaling = stacks ? KN_STACK_SCALING_YES : KN_STACK_SCALING_NO;
    return modifier;
}

static float stat_of(const desk *d, kn_attribute_id stat)
{
    return kn_attribute_value(d->a.world, d->a.hero, stat);
}

// Stats ---------------------------------------------------------------------------

// SAIV-130, SAIV-131, STAT-001, STAT-002, STAT-003, STAT-005, STAT-020, STAT-023
static void stats_combine_as_the_combat_profile_says(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    kn_effect_type_id third =
        modifier_effect(&d, "Third", on_stat(d.bounded, KN_OP_MULTIPLY, 1.1f, true));
    kn_effect_type_id more =
        modifier_effect(&d, "More", on_stat(d.bounded, KN_OP_ADD, 0.4f, false));
    kn_effect_type_id larger =
        modifier_effect(&d, "Larger", on_stat(d.bounded, KN_OP_MULTIPLY, 1.2f, false));
    kn_effect_type_id small =
        modifier_effect(&d, "Small", on_stat(d.bounded, KN_OP_MULTIPLY, 0.2f, false));
    kn_effect_type_id minus =
        modifier_effect(&d, "Minus", on_stat(d.haste, KN_OP_ADD, -2.0f, false));
    desk_start(&d);
    kn_effect_id effect = arena_apply(&d.a, third, d.a.foe, d.a.hero);
    expect_ok(kn_effect_set_stacks(d.a.world, effect, 3));
    expect_near(stat_of(&d, d.bounded), 1.3f);
    expect_ok(kn_effect_remove(d.a.world, effect, 0, KN_REMOVED_BY_CALL));
    kn_effect_id one = arena_apply(&d.a, more, d.a.foe, d.a.hero);
    kn_effect_id two = arena_apply(&d.a, larger, d.a.foe, d.a.hero);
    expect_near(stat_of(&d, d.bounded), 1.5f); // 1.68 without the limit
    expect_ok(kn_effect_remove(d.a.world, one, 0, KN_REMOVED_BY_CALL));
    expect_ok(kn_effect_remove(d.a.world, two, 0, KN_REMOVED_BY_CALL));
    (void)arena_apply(&d.a, small, d.a.foe, d.a.hero);
    expect_near(stat_of(&d, d.bounded), 0.5f);
    (void)arena_apply(&d.a, minus, d.a.foe, d.a.hero);
    assert_true(stat_of(&d, d.haste) == 0.0f); // never below, also without a limit
    arena_end(&d.a);
}

// SAIV-132, STAT-021: what modifies a static stat is refused when it is registered, and so is a
// change later.
static void static_stats_cannot_be_changed(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    kn_modifier_def modifier = on_stat(d.fixed, KN_OP_ADD, 1.0f, false);
    kn_effect_def def = kn_effect_def_default();
    kn_effect_type_id type;
    def.name = "Bad";
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    expect_result(kn_effect_register(d.a.library, &def, &type, &d.error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(d.error.message, "Stat.Fixed"));
    arena_end(&d.a);
    desk_begin(&d);
    desk_start(&d);
    expect_result(kn_attribute_set_base(d.a.world, d.a.hero, d.fixed, 0, 5.0f), KN_REFUSED_BLOCKED);
    assert_true(stat_of(&d, d.fixed) == 3.0f);
    arena_end(&d.a);
}

// STAT-022: what something else caches takes no conditional modifiers.
static void cached_values_take_no_conditional_modifiers(void **state)
{
    desk d;
    kn_condition_id condition;
    (void)state;
    desk_begin(&d);
    expect_ok(kn_condition_register_expression(
        d.a.library, "Large", "event.magnitude > 5", &condition, &d.error));
    kn_modifier_def modifier = on_value(d.cost_value, KN_OP_MULTIPLY, 0.5f, false);
    modifier.condition = condition;
    kn_effect_def def = kn_effect_def_default();
    kn_effect_type_id type;
    def.name = "Bad";
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_result result = kn_effect_register(d.a.library, &def, &type, &d.error);
    result = result == KN_OK ? kn_library_finish(d.a.library, &d.error) : result;
    expect_result(result, KN_ERROR_BAD_DATA);
    arena_end(&d.a);
}

typedef struct heard {
    uint32_t count;
    float old_value, new_value;
} heard;

static void hear(void *user, kn_world *world, const kn_event *event)
{
    heard *h = user;
    (void)world;
    h->count++;
    h->old_value = event->data.attribute.old_value;
    h->new_value = event->data.attribute.new_value;
}

static void listen(kn_world *world, kn_entity_id entity, kn_attribute_id stat, heard *h)
{
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ATTRIBUTE_CHANGED;
    def.entity = entity;
    def.attribute = stat;
    def.function = hear;
    def.user = h;
    expect_ok(kn_listener_add(world, &def, NULL));
}

// STAT-002, STAT-008, STAT-024: once per change, with old and new value, and not for an equal one.
static void a_changed_stat_is_published_once(void **state)
{
    desk d;
    heard h = {0};
    (void)state;
    desk_begin(&d);
    desk_start(&d);
    expect_ok(kn_world_step(d.a.world, 0));
    listen(d.a.world, d.a.hero, d.haste, &h);
    expect_ok(kn_attribute_set_base(d.a.world, d.a.hero, d.haste, 0, 1.25f));
    expect_ok(kn_attribute_set_base(d.a.world, d.a.hero, d.haste, 0, 1.25f));
    expect_ok(kn_attribute_set_base(d.a.world, d.a.hero, d.bounded, 0, 1.1f));
    expect_ok(kn_world_step(d.a.world, KN_MS(10)));
    assert_int_equal(h.count, 1);
    assert_true(h.old_value == 1.0f && h.new_value == 1.25f);
    arena_end(&d.a);
}

// SAIV-134, STAT-006, STAT-007: what is not sent keeps the default of the table on a client, also
// static stats, which never travel.
static void a_client_keeps_the_defaults_of_what_is_not_sent(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    desk_start(&d);
    expect_ok(kn_attribute_set_base(d.a.world, d.a.hero, d.secret, 0, 9.0f));
    expect_ok(kn_attribute_set_base(d.a.world, d.a.hero, d.haste, 0, 1.5f));
    kn_world_def def = kn_world_def_default();
    kn_world *client;
    def.library = d.a.library;
    def.is_client = true;
    expect_ok(kn_world_create(&def, &client));
    const kn_entity_id all[] = {{0}, d.a.lord, d.a.hero};
    project(d.a.world, client, all, 3, KN_VIEWER_OWNER);
    assert_true(kn_attribute_value(client, d.a.hero, d.secret) == 2.0f);
    assert_true(kn_attribute_value(client, d.a.hero, d.fixed) == 3.0f);
    assert_true(kn_attribute_value(client, d.a.hero, d.haste) == 1.5f);
    kn_world_destroy(client);
    arena_end(&d.a);
}

// STAT-030, STAT-031, STAT-032: a stat is one factor of a calculation; who lacks it has 1.
static void a_stat_is_one_factor_of_a_value(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    kn_effect_type_id half =
        modifier_effect(&d, "Half", on_value(d.length_value, KN_OP_ADD, 0.5f, false));
    desk_start(&d);
    (void)arena_apply(&d.a, half, d.a.foe, d.a.hero);
    (void)arena_apply(&d.a, half, d.a.foe, d.a.foe);
    expect_ok(kn_attribute_set_base(d.a.world, d.a.hero, d.haste, 0, 0.8f));
    expect_near(kn_value_evaluate(d.a.world, d.a.hero, d.length_value, 2.0f, NULL, false), 2.0f);
    expect_near(kn_value_evaluate(d.a.world, d.a.foe, d.length_value, 2.0f, NULL, false), 2.5f);
    arena_end(&d.a);
}

// STAT-004, STAT-034, STAT-035: names are unique below their set; an unknown one is never a silent
// 0; libraries with other tables have other hashes, which are compared on connection.
static void unknown_stats_are_known_to_be_unknown(void **state)
{
    desk d, other;
    (void)state;
    desk_begin(&d);
    desk_start(&d);
    kn_attribute_id unknown = {kn_def_find(d.a.library, KN_DEF_ATTRIBUTE, "Stat.Luck")};
    assert_int_equal(unknown.index1, 0);
    assert_false(kn_attribute_exists(d.a.world, d.a.hero, unknown, 0));
    assert_false(kn_attribute_exists(d.a.world, d.a.foe, d.haste, 0));
    assert_true(kn_attribute_exists(d.a.world, d.a.hero, d.haste, 0));
    desk_begin(&other);
    kn_attribute_def twice[] = {arena_attribute("Haste", 1.0f), arena_attribute("Haste", 2.0f)};
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id id;
    set.name = "Twice";
    set.attributes = twice;
    set.attribute_count = 2;
    assert_int_not_equal(
        kn_attribute_set_register(other.a.library, &set, &id, &other.error), KN_OK);
    twice[1].name = "Luck";
    expect_ok(kn_attribute_set_register(other.a.library, &set, &id, &other.error));
    desk_start(&other);
    assert_true(kn_library_hash(d.a.library) != kn_library_hash(other.a.library));
    arena_end(&d.a);
    arena_end(&other.a);
}

// Costs and charges that modifiers reach -------------------------------------------------

static kn_ability_id ability_with(
    desk *d, const char *name, const kn_cost_def *cost, const kn_cooldown_def *cooldown)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.body = KN_BODY_USE;
    def.costs = cost;
    def.cost_count = cost != NULL;
    def.cooldowns = cooldown;
    def.cooldown_count = cooldown != NULL;
    kn_ability_type_id type = arena_ability(&d->a, &def);
    desk_start(d);
    return arena_grant(&d->a, d->a.hero, type);
}

// SAIV-028, SAIV-143, RES-020, USE-003, USE-058, USE-059, MAP-076: the price follows stacks of a
// modifier without any change of mana.
static void a_modifier_of_the_cost_changes_what_can_be_paid(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    kn_effect_type_id cheap =
        modifier_effect(&d, "Cheap", on_value(d.cost_value, KN_OP_MULTIPLY, 0.9f, true));
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = d.a.mana;
    cost.amount = kn_constant(30.0f);
    cost.value = d.cost_value;
    kn_ability_id bolt = ability_with(&d, "Bolt", &cost, NULL);
    kn_world *world = d.a.world;
    expect_ok(kn_attribute_set_base(world, d.a.hero, d.a.mana, 0, 29.0f));
    assert_int_equal(kn_use_status(world, bolt), KN_USE_RESOURCE);
    expect_ok(kn_attribute_set_base(world, d.a.hero, d.a.mana, 0, 30.0f));
    assert_int_equal(kn_use_status(world, bolt), 0);
    expect_ok(kn_attribute_set_base(world, d.a.hero, d.a.mana, 0, 27.0f));
    assert_int_equal(kn_use_status(world, bolt), KN_USE_RESOURCE);
    kn_effect_id effect = arena_apply(&d.a, cheap, d.a.foe, d.a.hero);
    assert_int_equal(kn_use_status(world, bolt), 0);
    kn_cost_quote quote;
    assert_int_equal(kn_ability_quote(world, bolt, &quote, 1), 1);
    expect_near(quote.amount, 27.0f);
    expect_ok(kn_effect_set_stacks(world, effect, 2));
    assert_int_equal(kn_ability_quote(world, bolt, &quote, 1), 1);
    expect_near(quote.amount, 24.0f);
    expect_ok(kn_effect_remove(world, effect, 0, KN_REMOVED_BY_CALL));
    assert_int_equal(kn_use_status(world, bolt), KN_USE_RESOURCE); // no change of mana
    expect_result(kn_ability_activate(world, bolt, NULL, NULL), KN_REFUSED_COST);
    (void)arena_apply(&d.a, cheap, d.a.foe, d.a.hero);
    expect_ok(kn_ability_activate(world, bolt, NULL, NULL));
    expect_near(mana_of(&d.a, d.a.hero), 0.0f);
    arena_end(&d.a);
}

// A cost below 0 is a gain, which modifiers change as well.
static void a_negative_cost_keeps_its_sign(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    kn_effect_type_id twice =
        modifier_effect(&d, "Twice", on_value(d.cost_value, KN_OP_MULTIPLY, 2.0f, false));
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = d.a.mana;
    cost.amount = kn_constant(-10.0f);
    cost.value = d.cost_value;
    kn_ability_id strike = ability_with(&d, "Strike", &cost, NULL);
    expect_ok(kn_attribute_set_base(d.a.world, d.a.hero, d.a.mana, 0, 0.0f));
    (void)arena_apply(&d.a, twice, d.a.foe, d.a.hero);
    expect_ok(kn_ability_activate(d.a.world, strike, NULL, NULL));
    expect_near(mana_of(&d.a, d.a.hero), 20.0f);
    arena_end(&d.a);
}

static kn_cooldown_info charges_of(const desk *d, kn_ability_id ability)
{
    kn_cooldown_info info;
    assert_true(kn_ability_charges(d->a.world, ability, (kn_tag){0}, &info));
    return info;
}

// SAIV-069, CDC-030, USE-003: the most charges are an attribute, followed live, also before the
// first use.
static void the_maximum_of_charges_follows_an_attribute(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    kn_effect_type_id more = modifier_effect(&d, "More", on_stat(d.most, KN_OP_ADD, 1.0f, true));
    kn_cooldown_def cooldown = kn_cooldown_seconds(4.0f);
    cooldown.charges = kn_constant(1.0f); // of those without the attribute
    cooldown.charges_from = d.most;
    kn_ability_id dash = ability_with(&d, "Dash", NULL, &cooldown);
    kn_world *world = d.a.world;
    assert_int_equal(charges_of(&d, dash).max_charges, 2);
    kn_effect_id effect = arena_apply(&d.a, more, d.a.foe, d.a.hero);
    assert_int_equal(charges_of(&d, dash).charges, 2); // of 3, and a cycle has begun
    assert_int_equal(charges_of(&d, dash).max_charges, 3);
    assert_int_equal(charges_of(&d, dash).remaining, KN_S(4));
    arena_until(&d.a, 1000);
    expect_ok(kn_effect_remove(world, effect, 0, KN_REMOVED_BY_CALL));
    assert_int_equal(charges_of(&d, dash).max_charges, 2);
    assert_int_equal(charges_of(&d, dash).remaining, 0); // full, the cycle stops
    for (uint32_t i = 0; i < 2; i++) {
        expect_ok(kn_ability_activate(world, dash, NULL, NULL));
    }
    expect_ok(kn_attribute_set_base(world, d.a.hero, d.most, 0, 0.0f));
    assert_int_equal(charges_of(&d, dash).max_charges, 0);
    expect_result(kn_ability_activate(world, dash, NULL, NULL), KN_REFUSED_COOLDOWN);
    expect_ok(kn_attribute_set_remove(world, d.a.hero, d.stats, 0));
    assert_int_equal(charges_of(&d, dash).max_charges, 1);
    arena_until(&d.a, 5000);
    assert_int_equal(charges_of(&d, dash).charges, 1);
    expect_ok(kn_attribute_set_add(world, d.a.hero, d.stats, 0));
    assert_int_equal(charges_of(&d, dash).max_charges, 2);
    assert_int_equal(charges_of(&d, dash).charges, 1);
    assert_true(kn_world_validate(world));
    size_t size;
    void *save = save_of(world, &size);
    kn_world_def def = kn_world_def_default();
    kn_world *other;
    def.library = d.a.library;
    expect_ok(kn_world_create(&def, &other));
    save_load(other, save, size);
    expect_ok(kn_attribute_set_base(world, d.a.hero, d.most, 0, 5.0f));
    expect_ok(kn_attribute_set_base(other, d.a.hero, d.most, 0, 5.0f));
    expect_ok(kn_world_step(world, KN_S(9)));
    expect_ok(kn_world_step(other, KN_S(9)));
    assert_same_worlds(world, other);
    kn_world_destroy(other);
    free(save);
    arena_end(&d.a);
}

// SAIV-020, SAIV-021, CDC-003, USE-003, USE-058: what a use spends, and what returns, are values.
static void charges_spent_and_returned_can_be_modified(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    kn_effect_type_id freely =
        modifier_effect(&d, "Freely", on_value(d.charge_cost, KN_OP_ADD, -1.0f, false));
    kn_effect_type_id dear =
        modifier_effect(&d, "Dear", on_value(d.charge_cost, KN_OP_ADD, 2.0f, false));
    kn_effect_type_id rich =
        modifier_effect(&d, "Rich", on_value(d.charge_returned, KN_OP_ADD, 1.0f, false));
    kn_cooldown_def cooldown = kn_cooldown_seconds(5.0f);
    cooldown.charges = kn_constant(3.0f);
    cooldown.cost_value = d.charge_cost;
    cooldown.returned_value = d.charge_returned;
    kn_ability_id dash = ability_with(&d, "Dash", NULL, &cooldown);
    kn_world *world = d.a.world;
    kn_effect_id effect = arena_apply(&d.a, freely, d.a.foe, d.a.hero);
    expect_ok(kn_ability_activate(world, dash, NULL, NULL));
    assert_int_equal(charges_of(&d, dash).charges, 3); // a free use starts no cycle
    assert_int_equal(charges_of(&d, dash).remaining, 0);
    expect_ok(kn_effect_remove(world, effect, 0, KN_REMOVED_BY_CALL));
    expect_ok(kn_ability_activate(world, dash, NULL, NULL));
    assert_int_equal(charges_of(&d, dash).charges, 2);
    effect = arena_apply(&d.a, dear, d.a.foe, d.a.hero);
    assert_int_equal(kn_use_status(world, dash), KN_USE_CHARGES); // 2 of 3 that it takes
    expect_result(kn_ability_activate(world, dash, NULL, NULL), KN_REFUSED_COOLDOWN);
    expect_ok(kn_effect_remove(world, effect, 0, KN_REMOVED_BY_CALL));
    assert_int_equal(kn_use_status(world, dash), 0);
    expect_ok(kn_ability_activate(world, dash, NULL, NULL));
    expect_ok(kn_ability_activate(world, dash, NULL, NULL));
    (void)arena_apply(&d.a, rich, d.a.foe, d.a.hero);
    arena_until(&d.a, 5000); // the running cycle has its number
    assert_int_equal(charges_of(&d, dash).charges, 1);
    arena_until(&d.a, 10000); // the next one has the new one
    assert_int_equal(charges_of(&d, dash).charges, 3);
    arena_end(&d.a);
}

// SAIV-160, MAP-041, MAP-070: an ability of charges is on cooldown when the last of them is gone.
static void the_tag_of_a_cooldown_is_there_while_nothing_can_be_used(void **state)
{
    (void)state;
    for (uint32_t most = 1; most <= 2; most++) {
        desk d;
        desk_begin(&d);
        kn_cooldown_def cooldown = kn_cooldown_seconds(4.0f);
        cooldown.key = arena_tag(&d.a, "Cooldown.Dash");
        cooldown.charges = kn_constant((float)most);
        kn_ability_id dash = ability_with(&d, "Dash", NULL, &cooldown);
        expect_ok(kn_ability_activate(d.a.world, dash, NULL, NULL));
        assert_true(kn_entity_has_tag(d.a.world, d.a.hero, cooldown.key) == (most == 1));
        assert_int_equal(kn_use_status(d.a.world, dash), most == 1 ? KN_USE_CHARGES : 0);
        if (most == 2) {
            expect_ok(kn_ability_activate(d.a.world, dash, NULL, NULL));
            assert_true(kn_entity_has_tag(d.a.world, d.a.hero, cooldown.key));
        }
        arena_until(&d.a, 4000);
        assert_false(kn_entity_has_tag(d.a.world, d.a.hero, cooldown.key));
        arena_end(&d.a);
    }
}

// CDC-031: lengths of 0, and haste of minus 100 %, which makes a length 0.
static void lengths_of_nothing_return_all_charges_at_once(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    kn_effect_type_id frozen =
        modifier_effect(&d, "Frozen", on_stat(d.haste, KN_OP_ADD, -1.0f, false));
    kn_cooldown_def cooldown = kn_cooldown_seconds(5.0f);
    cooldown.value = d.length_value;
    cooldown.charges = kn_constant(3.0f);
    kn_ability_id dash = ability_with(&d, "Dash", NULL, &cooldown);
    kn_effect_id effect = arena_apply(&d.a, frozen, d.a.foe, d.a.hero);
    expect_ok(kn_ability_activate(d.a.world, dash, NULL, NULL));
    assert_int_equal(charges_of(&d, dash).charges, 3);
    expect_ok(kn_effect_remove(d.a.world, effect, 0, KN_REMOVED_BY_CALL));
    expect_ok(kn_ability_activate(d.a.world, dash, NULL, NULL));
    assert_int_equal(charges_of(&d, dash).charges, 2);
    assert_int_equal(charges_of(&d, dash).remaining, KN_S(5));
    arena_end(&d.a);
}

// BEY-042: cooldowns of an ability, own and shared: ready when none is left.
static void an_ability_is_ready_when_no_cooldown_is_left(void **state)
{
    desk d;
    (void)state;
    desk_begin(&d);
    kn_cooldown_def cooldowns[2] = {kn_cooldown_seconds(2.0f), kn_cooldown_seconds(5.0f)};
    cooldowns[1].key = arena_tag(&d.a, "Cooldown.Shared");
    kn_ability_def def = kn_ability_def_default();
    def.name = "Both";
    def.body = KN_BODY_USE;
    def.cooldowns = cooldowns;
    def.cooldown_count = 2;
    kn_ability_type_id type = arena_ability(&d.a, &def);
    desk_start(&d);
    kn_ability_id both = arena_grant(&d.a, d.a.hero, type);
    expect_ok(kn_ability_activate(d.a.world, both, NULL, NULL));
    kn_cooldown_info infos[4];
    assert_int_equal(kn_ability_cooldowns(d.a.world, both, infos, 4), 2);
    assert_int_equal(infos[0].remaining, KN_S(2));
    assert_int_equal(infos[1].total, KN_S(5));
    assert_true(kn_tag_equal(infos[1].key, cooldowns[1].key));
    arena_until(&d.a, 2000);
    expect_result(kn_ability_activate(d.a.world, both, NULL, NULL), KN_REFUSED_COOLDOWN);
    expect_ok(kn_ability_change_cooldown(
        d.a.world, both, cooldowns[1].key, -KN_S(10), KN_S(1))); // a floor stays
    arena_until(&d.a, 3000);
    expect_ok(kn_ability_activate(d.a.world, both, NULL, NULL));
    arena_end(&d.a);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// What was there, less what was used, plus what came back, is what is there.
static void no_charge_is_lost_or_invented(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 8; round++) {
        desk d;
        uint32_t seed = 900 + round;
        desk_begin(&d);
        kn_cooldown_def cooldown = kn_cooldown_seconds(0.7f);
        cooldown.charges_from = d.most;
        cooldown.rate = d.haste;
        cooldown.value = round % 2 == 0 ? d.length_value : (kn_value_id){0};
        cooldown.returned = kn_constant((float)(1 + round % 3));
        kn_ability_id dash = ability_with(&d, "Dash", NULL, &cooldown);
        kn_world *world = d.a.world;
        expect_ok(kn_world_step(world, 0));
        int64_t charges = charges_of(&d, dash).charges;
        for (uint32_t i = 0; i < 250; i++) {
            uint32_t number = next_random(&seed);
            bool is_used = false;
            switch (next_random(&seed) % 6) {
            case 0:
                expect_ok(kn_attribute_set_base(world, d.a.hero, d.most, 0, (float)(number % 5)));
                break;
            case 1: // minus 100 % to plus 100 %
                expect_ok(kn_attribute_set_base(
                    world, d.a.hero, d.haste, 0, (float)(number % 9) * 0.25f));
                break;
            case 2:
                (void)kn_ability_change_cooldown(
                    world, dash, (kn_tag){0}, KN_MS(number % 400) - KN_MS(200), 0);
                break;
            default: {
                uint32_t before = charges_of(&d, dash).charges;
                is_used = kn_ability_activate(world, dash, NULL, NULL) == KN_OK;
                assert_true(is_used == (before > 0)); // refused exactly if there is none
                break;
            }
            }
            expect_ok(kn_world_step(world, KN_MS(number % 300)));
            kn_events events = kn_world_events(world);
            for (uint32_t e = 0; e < events.count; e++) {
                if (events.data[e].type == KN_EVENT_CHARGES) { // each change is published
                    assert_int_equal(events.data[e].data.charges.old_charges, charges);
                    charges = events.data[e].data.charges.charges;
                }
            }
            kn_cooldown_info info = charges_of(&d, dash);
            assert_int_equal(info.charges, charges);
            assert_true(info.charges <= info.max_charges);
            assert_true((info.remaining != 0) == (info.charges < info.max_charges));
        }
        assert_true(kn_world_validate(world));
        arena_end(&d.a);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stats_combine_as_the_combat_profile_says),
    cmocka_unit_test(static_stats_cannot_be_changed),
    cmocka_unit_test(cached_values_take_no_conditional_modifiers),
    cmocka_unit_test(a_changed_stat_is_published_once),
    cmocka_unit_test(a_client_keeps_the_defaults_of_what_is_not_sent),
    cmocka_unit_test(a_stat_is_one_factor_of_a_value),
    cmocka_unit_test(unknown_stats_are_known_to_be_unknown),
    cmocka_unit_test(a_modifier_of_the_cost_changes_what_can_be_paid),
    cmocka_unit_test(a_negative_cost_keeps_its_sign),
    cmocka_unit_test(the_maximum_of_charges_follows_an_attribute),
    cmocka_unit_test(charges_spent_and_returned_can_be_modified),
    cmocka_unit_test(the_tag_of_a_cooldown_is_there_while_nothing_can_be_used),
    cmocka_unit_test(lengths_of_nothing_return_all_charges_at_once),
    cmocka_unit_test(an_ability_is_ready_when_no_cooldown_is_left),
    cmocka_unit_test(no_charge_is_lost_or_invented),
};

TEST_GROUP(combat_stats, tests, NULL, NULL);
