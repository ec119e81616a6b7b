// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Abilities of units, and the order type that uses any of them: what an order is follows from the
// ability, and orders, searches, groups and command cards act on it.

#include "rts/rts_test.h"

#include "knack/mover.h"
#include "knack/order_preview.h"
#include "knack/rts_card.h"
#include "knack/task.h"

enum { BLINK, THORNS, AURA, SWING, FIREBALL, CHANNEL, QUICK, WARD, MEND, ABILITIES };

typedef struct scene {
    fixture f;
    kn_ability_type_id abilities[ABILITIES];
    kn_attribute_set_id set;
    kn_attribute_id mana, health;
    kn_tag focused, shielded, burning;
    kn_order_type_id use, halt;
    kn_rts_unit_type_id mage, late;
    kn_mover_id walk;
    kn_entity_id caster, enemy;
} scene;

// What the abilities did; tests begin with nothing.
static struct {
    uint32_t used[ABILITIES];
    kn_entity_id target;
    kn_time task_time;
    bool refuses; // the score of Mend
} did;

static scene *now;

static uint32_t number_of(const kn_ability_call *call)
{
    const kn_ability_type_id type = kn_ability_get_type(call->world, call->ability);
    for (uint32_t i = 0; i < ABILITIES; i++) {
        if (now->abilities[i].index1 == type.index1) {
            return i;
        }
    }
    return 0;
}

static kn_result use_it(const kn_ability_call *call)
{
    did.used[number_of(call)]++;
    const kn_result result = kn_activation_commit(call->world, call->activation);
    if (result != KN_OK || did.task_time == 0) {
        return kn_activation_end(call->world, call->activation);
    }
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    kn_task_id task;
    def.delay = did.task_time;
    return kn_task_run(call->world, call->activation, &def, &task);
}

static kn_result use_at(const kn_ability_call *call, const kn_event_record *event)
{
    did.target = event->target;
    return use_it(call);
}

static void task_done(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    (void)kn_activation_end(call->world, call->activation);
}

// The most injured is the best target; those in full health are passed over.
static kn_result most_injured(void *user, const kn_hook_call *call)
{
    kn_rts_ability_call *c = call->arguments;
    assert_ptr_equal(user, &did);
    assert_null(call->writable);
    assert_true(kn_entity_id_equal(call->entity, now->caster));
    assert_true(c->number == 1.0f);
    assert_int_equal(c->ability.index1, now->abilities[MEND].index1);
    const float health = kn_attribute_value(call->world, c->target, now->health);
    c->number = 100 - health;
    return health < 100 && !did.refuses ? KN_OK : KN_REFUSED_CUSTOM;
}

// As far as the caster has mana, beside what its level gives.
static kn_result by_mana(void *user, const kn_hook_call *call)
{
    kn_rts_ability_call *c = call->arguments;
    (void)user;
    c->number += kn_attribute_value(call->world, call->entity, now->mana);
    return KN_OK;
}

static kn_ability_def plain_ability(const char *name)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.activate = use_it;
    def.activate_by_event = use_at;
    def.task_done = task_done;
    return def;
}

static void ability_register(
    scene *s, uint32_t which, const kn_ability_def *def, kn_rts_ability_def order)
{
    kn_error error = {0};
    if (kn_ability_register(s->f.library, def, &s->abilities[which], &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    order.name = def->name;
    if (kn_rts_ability_register(s->f.library, &order, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static void abilities_register(scene *s)
{
    static const float ranges[] = {1050, 1100, 1150};
    const kn_rts_ability_def plain = kn_rts_ability_def_default();
    const kn_cost_def cost = {.attribute = s->mana, .amount = kn_constant(10)};
    const kn_cooldown_def cooldown = kn_cooldown_seconds(2);
    const kn_trigger_def attack = {
        kn_rts_tag(s->f.library, KN_RTS_EVENT_ATTACK), KN_TRIGGER_SOURCE_EVENT, 0};
    kn_ability_def def = plain_ability("Blink");
    kn_rts_ability_def order = plain;
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    ability_register(s, BLINK, &def, plain);
    order.target_kind = KN_ORDER_TARGET_PASSIVE;
    def = plain_ability("Thorns");
    ability_register(s, THORNS, &def, order);
    def = plain_ability("Aura");
    ability_register(s, AURA, &def, order);
    def = plain_ability("Swing");
    def.triggers = &attack;
    def.trigger_count = 1;
    ability_register(s, SWING, &def, plain);
    order = plain;
    order.target_kind = KN_ORDER_TARGET_ENTITY;
    order.max_level = 3;
    order.range = kn_by_level(1, curve_add(&s->f, "Ranges", ranges, 3));
    order.overrides_radius = true;
    order.acquisition_radius = 8;
    def = plain_ability("Fireball");
    def.source.required = (kn_tags){&s->focused, 1};
    def.target.required = (kn_tags){&s->burning, 1};
    def.target.ignored = (kn_tags){&s->shielded, 1};
    ability_register(s, FIREBALL, &def, order);
    order = plain;
    order.target_kind = KN_ORDER_TARGET_LOCATION;
    order.policy = KN_ORDER_UNCANCELABLE;
    order.group = KN_ORDER_GROUP_ALL;
    order.auto_for_ai = false;
    order.auto_for_players = order.auto_begins = true;
    order.acquisition_radius = 800; // does not count
    def = plain_ability("Channel");
    def.target.required = (kn_tags){&s->burning, 1}; // a point has no tags
    ability_register(s, CHANNEL, &def, order);
    order = plain;
    order.policy = KN_ORDER_UNCANCELABLE_IN_TASKS;
    def = plain_ability("Quick");
    ability_register(s, QUICK, &def, order);
    order.policy = KN_ORDER_UNCANCELABLE_IN_TASKS;
    def = plain_ability("Ward");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    ability_register(s, WARD, &def, order);
    order = plain;
    order.target_kind = KN_ORDER_TARGET_ENTITY;
    order.policy = KN_ORDER_CANCELABLE;
    order.scores_targets = true;
    order.score = (kn_hook){most_injured, &did};
    order.find_range = (kn_hook){by_mana, NULL};
    order.range = kn_constant(100);
    def = plain_ability("Mend");
    ability_register(s, MEND, &def, order);
}

static kn_rts_unit_type_id type_add(scene *s, const char *name, const kn_ability_type_id *abilities,
    uint32_t count, const kn_ability_type_id *later, uint32_t later_count)
{
    const kn_order_type_id commands[] = {s->halt, s->use};
    kn_unit_type_def obeys = kn_unit_type_def_default();
    kn_rts_unit_def def = kn_rts_unit_def_default();
    kn_error error = {0};
    obeys.name = def.name = name;
    obeys.commands = commands;
    obeys.command_count = 2;
    obeys.auto_interval = 0;
    obeys.acquisition_radius = 50;
    obeys.stop = s->halt;
    if (kn_unit_type_register(s->f.library, &obeys, &def.order_unit, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    def.sets = &s->set;
    def.set_count = 1;
    def.abilities = abilities;
    def.ability_count = count;
    def.unlockable_abilities = later;
    def.unlockable_ability_count = later_count;
    def.can_level = true;
    def.max_level = 10;
    def.ability_points = 9;
    def.experience_per_level = kn_constant(100);
    return unit_type_add(&s->f, &def);
}

static kn_result done(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static void scene_open(scene *s)
{
    kn_order_type_def halt = kn_order_type_def_default();
    *s = (scene){0};
    memset(&did, 0, sizeof(did));
    now = s;
    fixture_open(&s->f);
    assert_int_equal(kn_ability_fail_tags_register(s->f.library, NULL), KN_OK);
    s->set = set_add(&s->f, "Vitals", "Mana Health");
    s->mana = attribute_named(&s->f, "Vitals.Mana");
    s->health = attribute_named(&s->f, "Vitals.Health");
    s->focused = tag_named(&s->f, "State.Focused");
    s->shielded = tag_named(&s->f, "State.Shielded");
    s->burning = tag_named(&s->f, "State.Burning");
    abilities_register(s);
    halt.name = "Halt";
    halt.execute.function = done;
    halt.allows_auto = true;
    assert_int_equal(kn_order_type_register(s->f.library, &halt, &s->halt, NULL), KN_OK);
    kn_mover_def mover = kn_mover_def_default();
    mover.name = "Walk";
    mover.speed = 4;
    assert_int_equal(kn_mover_register(s->f.library, &mover, &s->walk, NULL), KN_OK);
    s->use = kn_order_type_find(s->f.library, "Knack.UseUnitAbility");
    assert_int_not_equal(s->use.index1, 0);
    const kn_ability_type_id begins[] = {
        s->abilities[BLINK], s->abilities[THORNS], s->abilities[AURA], s->abilities[SWING]};
    s->mage = type_add(s, "Mage", begins, 4, &s->abilities[FIREBALL], 1);
    const kn_ability_type_id late[] = {s->abilities[CHANNEL], s->abilities[QUICK],
        s->abilities[WARD], s->abilities[MEND], s->abilities[FIREBALL]};
    s->late = type_add(s, "Late", late, 5, &s->abilities[SWING], 1);
}

// A unit that stands somewhere and can walk.
static kn_entity_id unit_at(
    scene *s, kn_rts_unit_type_id type, kn_entity_id owner, float x, float y)
{
    const kn_entity_id unit = unit_create(&s->f, type, owner);
    place(&s->f, unit, x, y);
    assert_int_equal(kn_mover_set(s->f.world, unit, s->walk), KN_OK);
    return unit;
}

static void scene_begin(scene *s, kn_rts_unit_type_id type)
{
    world_begin(&s->f);
    s->caster = unit_at(s, type, s->f.us, 0, 0);
    s->enemy = unit_at(s, s->mage, s->f.them, 5, 0);
    assert_int_equal(kn_attribute_set_base(s->f.world, s->caster, s->mana, 0, 100), KN_OK);
    assert_int_equal(kn_attribute_set_base(s->f.world, s->caster, s->health, 0, 100), KN_OK);
    assert_int_equal(kn_attribute_set_base(s->f.world, s->enemy, s->health, 0, 100), KN_OK);
}

static kn_order use_order(const scene *s, int32_t index)
{
    kn_order order = kn_order_of(s->use);
    order.index = index;
    return order;
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

// RTS-084, RTS-085, RTS-086, RTS-092, RTS-095, RTS-096, RTS-106, RTS-110, RTSV-D1: an ability that
// nothing is said about, or only its name, has the defaults.
static void abilities_have_defaults(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    kn_ability_def bare = plain_ability("Bare");
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(s.f.library, &bare, &type, NULL), KN_OK);
    scene_begin(&s, s.mage);
    const kn_ability_type_id types[] = {type, s.abilities[BLINK]};
    for (uint32_t i = 0; i < 2; i++) {
        const kn_rts_ability_def *def = kn_rts_ability_get_def(s.f.library, types[i]);
        assert_int_equal(def->policy, KN_ORDER_INSTANT);
        assert_int_equal(def->group, KN_ORDER_GROUP_MOST_SUITABLE);
        assert_int_equal(def->target_kind, KN_ORDER_TARGET_NONE);
        assert_false(def->auto_for_players || def->auto_begins);
        assert_true(def->auto_for_ai);
        assert_false(def->scores_targets || def->overrides_radius);
        assert_int_equal(def->max_level, 1);
        float radius = 7, score = 0;
        assert_false(kn_rts_ability_radius(s.f.library, types[i], &radius));
        assert_true(radius == 0);
        assert_true(kn_rts_ability_range(s.f.world, s.caster, types[i]) == 0);
        const kn_order_target target = {.entity = s.enemy};
        assert_true(kn_rts_ability_score(s.f.world, s.caster, types[i], &target, &score));
        assert_true(score == 1);
        const kn_rts_look look = kn_rts_ability_look(s.f.library, types[i]);
        assert_false(look.shows_as_order);
        assert_null(look.preview);
    }
    const kn_ability_type_id none = {0};
    assert_int_equal(kn_rts_ability_level_of(s.f.world, s.caster, type), 0); // RTS-173
    assert_int_equal(kn_rts_ability_level_of(s.f.world, (kn_entity_id){0}, types[1]), 0);
    assert_int_equal(kn_rts_ability_level_of(s.f.world, s.caster, types[1]), 1);
    assert_true(kn_rts_ability_range(s.f.world, s.caster, none) == 0);
    assert_false(kn_rts_ability_radius(s.f.library, none, NULL));
    assert_false(kn_rts_ability_radius(NULL, type, NULL));
    assert_int_equal(kn_rts_ability_policy(s.f.world, s.caster, none), KN_ORDER_CANCELABLE);
    assert_true(kn_rts_ability_score(s.f.world, s.caster, none, NULL, NULL));
    fixture_close(&s.f);
}

static void refused(const kn_rts_ability_def *def, const char *words)
{
    scene s;
    kn_error error = {0};
    scene_open(&s);
    assert_int_equal(kn_rts_ability_register(s.f.library, def, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, words));
    fixture_close(&s.f);
}

static void definitions_are_checked(void **state)
{
    kn_rts_ability_def def = kn_rts_ability_def_default();
    (void)state;
    def.name = "Odd";
    def.range = kn_constant(-1);
    refused(&def, "`range`");
    def.range = kn_constant(0);
    def.acquisition_radius = -2;
    refused(&def, "`acquisition_radius`");
    def.acquisition_radius = 0;
    def.auto_begins = true;
    refused(&def, "`auto_for_players`");
}

// RTS-110, RTSV-D10: the radius can be read even if it does not count.
static void radius_is_read_without_its_flag(void **state)
{
    scene s;
    float radius = 0;
    (void)state;
    scene_open(&s);
    scene_begin(&s, s.mage);
    assert_false(kn_rts_ability_radius(s.f.library, s.abilities[CHANNEL], &radius));
    assert_true(radius == 800);
    assert_true(kn_rts_ability_radius(s.f.library, s.abilities[FIREBALL], &radius));
    assert_true(radius == 8);
    fixture_close(&s.f);
}

// RTS-079, RTS-080, RTS-082, RTSV-I1, RTSV-I2: passive abilities and basic attacks are no automatic
// orders, also those that are not learned yet; all keep their places.
static void places_and_automatic_orders(void **state)
{
    scene s;
    kn_order_auto_info autos[8];
    kn_order_variant all;
    (void)state;
    scene_open(&s);
    scene_begin(&s, s.mage);
    static const int expected[] = {BLINK, THORNS, AURA, SWING, FIREBALL};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(
            kn_rts_unit_ability(s.f.library, s.mage, i).index1, s.abilities[expected[i]].index1);
    }
    assert_true(kn_order_get_variant(s.f.world, s.use, s.caster, -1, &all));
    assert_int_equal(all.count, 5);
    assert_int_equal(kn_order_autos(s.f.world, s.caster, autos, 8), 2);
    assert_int_equal(autos[0].order.type.index1, s.use.index1);
    assert_int_equal(autos[0].order.index, 0);
    assert_int_equal(autos[1].order.type.index1, s.use.index1);
    assert_int_equal(autos[1].order.index, 4);
    assert_true(autos[1].is_for_ai && !autos[1].is_for_players);
    kn_ability_id attacks[2];
    assert_int_equal(kn_rts_basic_attacks(s.f.world, s.caster, attacks, 2), 1);
    assert_int_equal(kn_ability_get_type(s.f.world, attacks[0]).index1, s.abilities[SWING].index1);
    const kn_entity_id late = unit_create(&s.f, s.late, s.f.us); // may learn to swing
    assert_int_equal(kn_rts_basic_attacks(s.f.world, late, attacks, 2), 0);
    const uint32_t count = kn_order_autos(s.f.world, late, autos, 8);
    assert_int_equal(count, 5);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(autos[i].order.index, i); // the swing would be 5
    }
    fixture_close(&s.f);
}

// RTSV-I1: a list with a missing entry is refused, so that places never mean nothing.
static void lists_have_no_gaps(void **state)
{
    scene s;
    kn_error error = {0};
    kn_rts_unit_type_id type;
    (void)state;
    scene_open(&s);
    const kn_ability_type_id gap[] = {s.abilities[BLINK], {0}, s.abilities[SWING]};
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Gap";
    def.abilities = gap;
    def.ability_count = 3;
    assert_int_equal(kn_rts_unit_register(s.f.library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "abilities, entry 1"));
    assert_int_equal(type.index1, 0);
    def.ability_count = 1;
    def.unlockable_abilities = gap;
    def.unlockable_ability_count = 3;
    assert_int_equal(kn_rts_unit_register(s.f.library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_rts_unit_find(s.f.library, "Gap").index1, 0);
    fixture_close(&s.f);
}

// RTS-071, RTS-214, RTSV-I3, RTSV-I4: without an ability at its place, or one that was not learned,
// nobody can obey, and there is nothing to show.
static void orders_without_an_ability_are_refused(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    scene_begin(&s, s.mage);
    const kn_tag no_ability = kn_tag_find(s.f.library, "Knack.Order.NoAbility");
    static const int32_t missing[] = {99, 5, -1, 4};
    for (uint32_t i = 0; i < 4; i++) {
        kn_order_errors errors = {0};
        assert_false(kn_order_can_obey(s.f.world, s.use, s.caster, missing[i], &errors));
        if (missing[i] != 4) { // that one is there, but not learned
            assert_true(has_error(&errors, no_ability));
            assert_int_equal(kn_order_get_target_kind(s.f.world, s.use, s.caster, missing[i]),
                KN_ORDER_TARGET_NONE);
            assert_null(kn_order_get_unit_display(s.f.world, s.use, s.caster, missing[i]).icon);
        }
        const kn_order order = use_order(&s, missing[i]);
        assert_int_not_equal(kn_order_issue(s.f.world, s.caster, &order, NULL), KN_OK);
    }
    for (int32_t i = 1; i <= 2; i++) {
        const kn_order passive = use_order(&s, i);
        assert_false(kn_order_can_obey(s.f.world, s.use, s.caster, i, NULL));
        assert_int_not_equal(kn_order_issue(s.f.world, s.caster, &passive, NULL), KN_OK);
    }
    assert_int_equal(kn_rts_raise_ability(s.f.world, s.caster, s.abilities[FIREBALL], true), KN_OK);
    gain(&s.f, s.caster, s.focused);
    assert_true(kn_order_can_obey(s.f.world, s.use, s.caster, 4, NULL));
    assert_false(kn_order_can_obey(s.f.world, s.use, s.f.them, 0, NULL)); // not a unit
    fixture_close(&s.f);
}

// RTS-153, RTS-215, RTS-217: every reason against the ability is one against the order; an instant
// one is used at once beside the current order.
static void orders_obey_what_the_ability_says(void **state)
{
    scene s;
    kn_order_answer answer;
    (void)state;
    scene_open(&s);
    scene_begin(&s, s.mage);
    const kn_tag cost = kn_ability_fail_tag(s.f.library, KN_FAIL_COST);
    const kn_tag cooldown = kn_ability_fail_tag(s.f.library, KN_FAIL_COOLDOWN);
    const kn_tag constructing = kn_rts_tag(s.f.library, KN_RTS_CONSTRUCTING);
    const kn_order order = use_order(&s, 0);
    kn_order_errors errors = {0};
    assert_int_equal(kn_attribute_set_base(s.f.world, s.caster, s.mana, 0, 5), KN_OK);
    assert_false(kn_order_can_obey(s.f.world, s.use, s.caster, 0, &errors));
    assert_true(has_error(&errors, cost));
    assert_int_equal(kn_order_issue(s.f.world, s.caster, &order, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(did.used[BLINK], 0);
    assert_int_equal(kn_attribute_set_base(s.f.world, s.caster, s.mana, 0, 100), KN_OK);
    gain(&s.f, s.caster, constructing);
    errors = (kn_order_errors){0};
    assert_false(kn_order_can_obey(s.f.world, s.use, s.caster, 0, &errors));
    assert_int_equal(errors.blocking[0].index1, constructing.index1);
    lose(&s.f, s.caster, constructing);
    assert_int_equal(kn_order_issue(s.f.world, s.caster, &order, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_OBEYED);
    assert_int_equal(did.used[BLINK], 1);
    assert_true(kn_attribute_value(s.f.world, s.caster, s.mana) == 90);
    kn_unit_info info;
    assert_true(kn_unit_get_info(s.f.world, s.caster, &info));
    assert_int_equal(info.current.type.index1, s.halt.index1);
    errors = (kn_order_errors){0};
    assert_false(kn_order_can_obey(s.f.world, s.use, s.caster, 0, &errors));
    assert_true(has_error(&errors, cooldown) && !has_error(&errors, cost));
    fixture_close(&s.f);
}

// RTS-085, RTS-103, RTS-216, RTSV-D9
static void policies_follow_the_ability(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    scene_begin(&s, s.late);
    const kn_world *world = s.f.world;
    const kn_ability_type_id quick = s.abilities[QUICK], ward = s.abilities[WARD];
    assert_int_equal(kn_rts_ability_policy(world, s.enemy, s.abilities[BLINK]), KN_ORDER_INSTANT);
    assert_int_equal(kn_order_get_policy(world, s.use, s.enemy, 0), KN_ORDER_INSTANT);
    assert_int_equal(kn_rts_ability_policy(world, s.enemy, s.abilities[THORNS]), KN_ORDER_INSTANT);
    assert_int_equal(
        kn_rts_ability_policy(world, s.caster, s.abilities[FIREBALL]), KN_ORDER_CANCELABLE);
    assert_int_equal(kn_order_get_policy(world, s.use, s.caster, 4), KN_ORDER_CANCELABLE);
    assert_int_equal(kn_order_get_policy(world, s.use, s.caster, 0), KN_ORDER_UNCANCELABLE);
    assert_int_equal(kn_order_get_policy(world, s.use, s.caster, 3), KN_ORDER_CANCELABLE);
    assert_int_equal(kn_order_get_policy(world, s.use, s.caster, 1), KN_ORDER_CANCELABLE);
    assert_false(kn_order_ability_runs_task(world, s.caster, quick));
    did.task_time = KN_MS(50);
    const kn_order order = use_order(&s, 1), other = kn_order_of(s.halt);
    assert_int_equal(kn_order_issue(s.f.world, s.caster, &order, NULL), KN_OK);
    step_ms(&s.f, 10);
    assert_int_equal(did.used[QUICK], 1);
    assert_true(kn_order_ability_runs_task(world, s.caster, quick));
    assert_false(kn_order_ability_runs_task(world, s.caster, ward));
    assert_false(kn_order_ability_runs_task(world, s.enemy, quick));
    assert_int_equal(kn_order_get_policy(world, s.use, s.caster, 1), KN_ORDER_UNCANCELABLE);
    assert_int_equal(kn_order_issue(s.f.world, s.caster, &other, NULL), KN_OK); // waits
    kn_unit_info info;
    assert_true(kn_unit_get_info(world, s.caster, &info));
    assert_int_equal(info.current.index, 1);
    step_ms(&s.f, 60);
    assert_false(kn_order_ability_runs_task(world, s.caster, quick));
    assert_int_equal(kn_order_get_policy(world, s.use, s.caster, 1), KN_ORDER_CANCELABLE);
    assert_true(kn_unit_get_info(world, s.caster, &info));
    assert_int_equal(info.current.type.index1, s.halt.index1);
    const kn_order warding = use_order(&s, 2);
    assert_int_equal(kn_order_issue(s.f.world, s.caster, &warding, NULL), KN_OK);
    step_ms(&s.f, 10);
    assert_true(kn_order_ability_runs_task(world, s.caster, ward));
    assert_int_equal(kn_order_get_policy(world, s.use, s.caster, 2), KN_ORDER_CANCELABLE);
    fixture_close(&s.f);
}

// RTS-107, RTS-108, RTS-220: the tags of the ability are added to those of the order, and hold as
// long as it is current.
static void tags_of_the_ability_are_those_of_the_order(void **state)
{
    scene s;
    kn_tag tags[8];
    (void)state;
    scene_open(&s);
    scene_begin(&s, s.late);
    const kn_ability_def *def = kn_ability_type_get_def(s.f.library, s.abilities[FIREBALL]);
    assert_int_equal(def->source.required.data[0].index1, s.focused.index1);
    assert_int_equal(def->target.ignored.data[0].index1, s.shielded.index1);
    kn_order_tags_call call = {.source_required = {s.burning}, .source_required_count = 1};
    kn_rts_ability_add_tags(s.f.library, s.abilities[FIREBALL], &call);
    assert_int_equal(call.source_required_count, 2);
    assert_int_equal(call.source_required[0].index1, s.burning.index1);
    assert_int_equal(call.source_required[1].index1, s.focused.index1);
    assert_int_equal(call.target_required_count, 1);
    assert_int_equal(call.target_required[0].index1, s.burning.index1);
    assert_int_equal(call.target_blocked[0].index1, s.shielded.index1);
    kn_rts_ability_add_tags(s.f.library, (kn_ability_type_id){0}, &call);
    kn_rts_ability_add_tags(s.f.library, s.abilities[FIREBALL], NULL);
    assert_int_equal(call.source_required_count, 2);
    assert_int_equal(
        kn_order_get_tags(s.f.world, s.use, s.caster, 4, false, KN_ORDER_SOURCE_REQUIRED, tags, 8),
        2);
    assert_int_equal(tags[0].index1, kn_rts_tag(s.f.library, KN_RTS_ALIVE).index1);
    assert_int_equal(tags[1].index1, s.focused.index1);
    kn_order_errors errors = {0};
    assert_false(kn_order_can_obey(s.f.world, s.use, s.caster, 4, &errors));
    assert_int_equal(errors.missing[0].index1, s.focused.index1);
    gain(&s.f, s.caster, s.focused);
    assert_true(kn_order_can_obey(s.f.world, s.use, s.caster, 4, NULL));
    kn_order order = use_order(&s, 4);
    order.target = s.enemy;
    errors = (kn_order_errors){0};
    assert_false(kn_order_check(s.f.world, s.caster, &order, &errors));
    assert_int_equal(errors.missing[0].index1, s.burning.index1);
    gain(&s.f, s.enemy, s.burning);
    gain(&s.f, s.enemy, s.shielded);
    errors = (kn_order_errors){0};
    assert_false(kn_order_check(s.f.world, s.caster, &order, &errors));
    assert_int_equal(errors.blocking[0].index1, s.shielded.index1);
    lose(&s.f, s.enemy, s.shielded);
    did.task_time = KN_MS(500);
    assert_int_equal(kn_order_issue(s.f.world, s.caster, &order, NULL), KN_OK);
    step_ms(&s.f, 10);
    assert_true(kn_entity_id_equal(did.target, s.enemy));
    kn_unit_info info;
    assert_true(kn_unit_get_info(s.f.world, s.caster, &info));
    assert_int_equal(info.current.index, 4);
    kn_order at = use_order(&s, 0); // at a point, tags of a target do not matter
    kn_order_set_location(&at, (kn_vec3){3, 0, 0});
    assert_true(kn_order_check(s.f.world, s.caster, &at, NULL));
    lose(&s.f, s.caster, s.focused); // the order does not hold any more
    step_ms(&s.f, 10);
    assert_true(kn_unit_get_info(s.f.world, s.caster, &info));
    assert_int_equal(info.current.type.index1, s.halt.index1);
    fixture_close(&s.f);
}

// RTS-096, RTS-106, RTS-219: with a score of its own the ability chooses its target; otherwise the
// nearest one is the best.
static void abilities_choose_their_targets(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    scene_begin(&s, s.late);
    const kn_entity_id near_one = unit_create(&s.f, s.mage, s.f.us),
                       far_one = unit_create(&s.f, s.mage, s.f.us);
    const kn_vec3 home = {0};
    place(&s.f, near_one, 2, 0);
    place(&s.f, far_one, 9, 0);
    assert_int_equal(kn_attribute_set_base(s.f.world, near_one, s.health, 0, 90), KN_OK);
    assert_int_equal(kn_attribute_set_base(s.f.world, far_one, s.health, 0, 20), KN_OK);
    kn_entity_id found = kn_order_find_target(s.f.world, s.use, s.caster, 3, 30, 100, home, NULL);
    assert_true(kn_entity_id_equal(found, far_one));
    float score = 0;
    kn_order_target target = kn_order_look(s.f.world, s.caster, far_one, home);
    assert_true(kn_rts_ability_score(s.f.world, s.caster, s.abilities[MEND], &target, &score));
    assert_true(score == 80);
    assert_true(kn_order_score(s.f.world, s.use, s.caster, &target, 3, 30) == 80);
    did.refuses = true;
    found = kn_order_find_target(s.f.world, s.use, s.caster, 3, 30, 100, home, NULL);
    assert_int_equal(found.index1, 0);
    assert_false(kn_rts_ability_score(s.f.world, s.caster, s.abilities[MEND], &target, NULL));
    // By distance, as Fireball has no score: of two that burn, the nearer one.
    gain(&s.f, s.caster, s.focused);
    gain(&s.f, near_one, s.burning);
    gain(&s.f, far_one, s.burning);
    found = kn_order_find_target(s.f.world, s.use, s.caster, 4, 30, 100, home, &score);
    assert_true(kn_entity_id_equal(found, near_one));
    assert_true(score > 0.9f && score < 0.94f); // 1 - 2 / 30
    fixture_close(&s.f);
}

// RTS-078, RTS-109, RTS-176, RTS-180, RTS-218, RTSV-D4, ORD-349: what an order is, its range among
// it, is read from the ability each time.
static void orders_follow_the_ability_at_each_question(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    kn_rts_display_def display = kn_rts_display_def_default();
    display.name = "Fireball";
    display.title = "Ball of fire";
    display.icon = "fireball.png";
    display.description = "Reaches {range} at level {level}";
    display.preview = "Circle";
    display.preview_snap = KN_ORDER_SNAP_CURSOR;
    assert_int_equal(kn_rts_display_register(s.f.library, &display, NULL), KN_OK);
    scene_begin(&s, s.mage);
    const kn_ability_type_id fireball = s.abilities[FIREBALL];
    char text[64];
    assert_true(kn_rts_ability_range(s.f.world, s.caster, fireball) == 1050); // not learned
    assert_true(kn_rts_ability_range(s.f.world, (kn_entity_id){0}, fireball) == 1050);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_rts_raise_ability(s.f.world, s.caster, fireball, true), KN_OK);
    }
    assert_true(kn_rts_ability_range(s.f.world, s.caster, fireball) == 1150);
    assert_true(kn_order_get_range(s.f.world, s.use, s.caster, 4) == 1150);
    assert_true(kn_order_get_range(s.f.world, s.use, s.enemy, 4) == 1050);
    assert_true(kn_order_get_range(s.f.world, s.use, s.caster, 0) == 0);
    (void)kn_rts_describe_order(s.f.world, s.caster, s.use, 4, text, sizeof(text));
    assert_string_equal(text, "Reaches 1150 at level 3");
    (void)kn_rts_describe_ability(s.f.world, s.caster, fireball, 2, text, sizeof(text));
    assert_string_equal(text, "Reaches 1100 at level 2");
    assert_int_equal(
        kn_order_get_target_kind(s.f.world, s.use, s.caster, 4), KN_ORDER_TARGET_ENTITY);
    kn_order_variant v;
    assert_true(kn_order_get_variant(s.f.world, s.use, s.caster, 4, &v));
    assert_int_equal(v.ability.index1, fireball.index1);
    assert_int_equal(v.group, KN_ORDER_GROUP_MOST_SUITABLE);
    assert_true(v.acquisition_radius == 8);
    kn_order_display shown = kn_order_get_unit_display(s.f.world, s.use, s.caster, 4);
    assert_string_equal(shown.title, "Ball of fire");
    assert_string_equal(shown.icon, "fireball.png");
    // RTS-088: what shows where it is aimed, and where that is.
    const kn_preview preview = kn_preview_of(s.f.world, s.use, s.caster, 4);
    assert_string_equal(preview.model, "Circle");
    assert_int_equal(preview.snap, KN_ORDER_SNAP_CURSOR);
    const kn_rts_look look = kn_rts_unit_order_look(s.f.world, s.caster, s.use, 4);
    assert_string_equal(look.title, "Ball of fire");
    assert_string_equal(look.preview, "Circle");
    assert_false(look.shows_as_order);
    const kn_entity_id late = unit_create(&s.f, s.late, s.f.us); // the same places, other abilities
    assert_int_equal(kn_order_get_target_kind(s.f.world, s.use, late, 0), KN_ORDER_TARGET_LOCATION);
    assert_int_equal(kn_order_get_variant(s.f.world, s.use, late, 0, &v), true);
    assert_int_equal(v.group, KN_ORDER_GROUP_ALL);
    assert_string_equal(kn_rts_unit_order_look(s.f.world, late, s.use, 0).title, "Channel");
    assert_string_equal(kn_rts_unit_order_look(s.f.world, late, s.use, 99).title, "Use an ability");
    assert_int_equal(kn_attribute_set_base(s.f.world, late, s.mana, 0, 30), KN_OK);
    assert_true(kn_order_get_range(s.f.world, s.use, late, 3) == 130); // by its hook
    fixture_close(&s.f);
}

// RTS-083, RTS-092, RTS-095, RTS-224, RTS-225: units of the AI use what is for the AI, within the
// radius of the ability; the first one that can be used wins.
static void abilities_are_used_automatically(void **state)
{
    scene s;
    bool is_issued;
    (void)state;
    scene_open(&s);
    scene_begin(&s, s.late);
    kn_order_auto_info autos[8];
    assert_int_equal(kn_order_autos(s.f.world, s.caster, autos, 8), 5);
    assert_true(!autos[0].is_for_ai && autos[0].is_for_players && autos[0].is_on); // Channel
    assert_true(autos[1].is_for_ai && !autos[1].is_for_players);                   // Quick
    place(&s.f, s.enemy, 60, 0); // beyond the radius of the unit
    assert_int_equal(kn_order_check_autos(s.f.world, s.caster, &is_issued), KN_OK);
    assert_false(is_issued);
    place(&s.f, s.enemy, 40, 0);
    assert_int_equal(kn_order_check_autos(s.f.world, s.caster, &is_issued), KN_OK);
    assert_true(is_issued);
    step_ms(&s.f, 10);
    assert_int_equal(did.used[QUICK], 1); // before the others
    assert_int_equal(did.used[CHANNEL] + did.used[WARD] + did.used[FIREBALL], 0);
    // A mage that can cast Fireball alone looks no further than Fireball does.
    const kn_entity_id mage = unit_at(&s, s.mage, s.f.us, 0, 20);
    assert_int_equal(kn_attribute_set_base(s.f.world, mage, s.mana, 0, 0), KN_OK);
    assert_int_equal(kn_rts_raise_ability(s.f.world, mage, s.abilities[FIREBALL], true), KN_OK);
    gain(&s.f, mage, s.focused);
    gain(&s.f, s.enemy, s.burning);
    place(&s.f, s.enemy, 9, 20);
    assert_int_equal(kn_order_check_autos(s.f.world, mage, &is_issued), KN_OK);
    assert_false(is_issued);
    place(&s.f, s.enemy, 7, 20);
    assert_int_equal(kn_order_check_autos(s.f.world, mage, &is_issued), KN_OK);
    assert_true(is_issued);
    step_ms(&s.f, 10);
    assert_int_equal(did.used[FIREBALL], 1);
    assert_true(kn_entity_id_equal(did.target, s.enemy));
    fixture_close(&s.f);
}

// RTS-086: one unit of a group uses it, the nearest one, or all of them.
static void groups_get_orders_as_the_ability_says(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    scene_begin(&s, s.late);
    const kn_entity_id other = unit_create(&s.f, s.late, s.f.us);
    const kn_entity_id units[] = {s.caster, other};
    kn_order_group_def def = kn_order_group_def_default();
    kn_order_share shares[2];
    uint32_t count;
    place(&s.f, other, 4, 0);
    gain(&s.f, s.caster, s.focused);
    gain(&s.f, other, s.focused);
    gain(&s.f, s.enemy, s.burning);
    def.units = units;
    def.unit_count = 2;
    kn_order order = use_order(&s, 4);
    order.target = s.enemy;
    assert_int_equal(kn_order_plan_group(s.f.world, &def, &order, shares, 2, &count), KN_OK);
    assert_int_equal(count, 1);
    assert_true(kn_entity_id_equal(shares[0].unit, other));
    order = use_order(&s, 0);
    kn_order_set_location(&order, (kn_vec3){3, 3, 0});
    assert_int_equal(kn_order_plan_group(s.f.world, &def, &order, shares, 2, &count), KN_OK);
    assert_int_equal(count, 2);
    fixture_close(&s.f);
}

// ORD-283, RTS-172, RTS-218: one command stands for a button for each ability.
static void cards_show_each_ability(void **state)
{
    scene s;
    kn_rts_button buttons[16];
    (void)state;
    scene_open(&s);
    kn_rts_display_def display = kn_rts_display_def_default();
    display.name = "Blink";
    display.title = "Blink away";
    display.icon = "blink.png";
    display.description = "Costs {cost.Mana}";
    assert_int_equal(kn_rts_display_register(s.f.library, &display, NULL), KN_OK);
    scene_begin(&s, s.mage);
    const kn_entity_id second = unit_create(&s.f, s.mage, s.f.us),
                       late = unit_create(&s.f, s.late, s.f.us);
    const kn_entity_id units[] = {s.caster, second, late};
    assert_int_equal(kn_rts_card(s.f.world, units, 2, buttons, 16), 6); // Halt, and five abilities
    assert_int_equal(buttons[0].order.index1, s.halt.index1);
    assert_int_equal(buttons[1].order.index1, s.use.index1);
    assert_int_equal(buttons[1].index, 0);
    assert_int_equal(buttons[1].ability.index1, s.abilities[BLINK].index1);
    assert_int_equal(buttons[1].unit_count, 2);
    assert_string_equal(buttons[1].look.title, "Blink away");
    assert_string_equal(buttons[1].look.icon, "blink.png");
    assert_int_equal(buttons[1].cost_count, 1);
    assert_true(buttons[1].costs[0].amount == 10);
    assert_true(buttons[1].is_ready);
    char text[32];
    (void)kn_rts_describe_button(s.f.world, &buttons[1], text, sizeof(text));
    assert_string_equal(text, "Costs 10");
    assert_int_equal(buttons[2].ability.index1, s.abilities[THORNS].index1);
    assert_false(buttons[2].is_ready);
    assert_int_equal(buttons[5].ability.index1, s.abilities[FIREBALL].index1);
    assert_int_equal(buttons[5].index, 4);
    assert_int_equal(buttons[5].max_level, 3);
    assert_true(buttons[5].can_learn && !buttons[5].is_ready);
    assert_int_equal(buttons[5].target_kind, KN_ORDER_TARGET_ENTITY);
    // Another type of unit has other abilities at the same places.
    // Fireball is at the same place of both, and all could learn it.
    assert_int_equal(kn_rts_card(s.f.world, units, 3, buttons, 16), 11);
    assert_int_equal(buttons[0].unit_count, 3);
    assert_int_equal(buttons[1].unit_count, 2);
    assert_int_equal(buttons[5].unit_count, 3);
    assert_int_equal(buttons[6].ability.index1, s.abilities[CHANNEL].index1);
    assert_int_equal(buttons[6].auto_state, KN_RTS_AUTO_ON);
    fixture_close(&s.f);
}

// RTS-280: two abilities with one trigger, and automatic use without an order, are warned about.
static void settings_that_hardly_mean_it_are_warned_about(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_tag go = tag_named(&f, "Event.Go");
    const kn_trigger_def trigger = {go, KN_TRIGGER_SOURCE_EVENT, 0};
    const kn_trigger_def attack = {
        kn_rts_tag(f.library, KN_RTS_EVENT_ATTACK), KN_TRIGGER_SOURCE_EVENT, 0};
    static const char *const names[] = {"First", "Second", "Swing", "Stab"};
    kn_ability_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        kn_ability_def def = plain_ability(names[i]);
        def.triggers = i < 2 ? &trigger : &attack; // attacks may share theirs
        def.trigger_count = 1;
        assert_int_equal(kn_ability_register(f.library, &def, &types[i], NULL), KN_OK);
    }
    kn_rts_ability_def order = kn_rts_ability_def_default();
    order.name = "First";
    order.auto_for_players = true;
    assert_int_equal(kn_rts_ability_register(f.library, &order, NULL), KN_OK);
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Both";
    def.abilities = types;
    def.ability_count = 1;
    def.unlockable_abilities = types + 1;
    def.unlockable_ability_count = 3;
    (void)unit_type_add(&f, &def);
    kn_unit_type_def obeys = kn_unit_type_def_default();
    const kn_order_type_id use = kn_order_type_find(f.library, "Knack.UseUnitAbility");
    obeys.name = "Obeys";
    obeys.commands = &use;
    obeys.command_count = 1;
    assert_int_equal(kn_unit_type_register(f.library, &obeys, &def.order_unit, NULL), KN_OK);
    def.name = "Good"; // with one of them, and an order that uses it
    def.unlockable_abilities = types;
    def.unlockable_ability_count = 1;
    (void)unit_type_add(&f, &def);
    library_finish(&f);
    assert_int_equal(kn_library_warning_count(f.library), 2);
    assert_string_equal(kn_library_warning(f.library, 0),
        "rts unit `Both`: an event with `Event.Go` activates both `First` and `Second`; give each "
        "a trigger of its own");
    assert_non_null(strstr(kn_library_warning(f.library, 1), "rts unit `Both`: `First` is"));
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(abilities_have_defaults),
    cmocka_unit_test(definitions_are_checked),
    cmocka_unit_test(radius_is_read_without_its_flag),
    cmocka_unit_test(places_and_automatic_orders),
    cmocka_unit_test(lists_have_no_gaps),
    cmocka_unit_test(orders_without_an_ability_are_refused),
    cmocka_unit_test(orders_obey_what_the_ability_says),
    cmocka_unit_test(policies_follow_the_ability),
    cmocka_unit_test(tags_of_the_ability_are_those_of_the_order),
    cmocka_unit_test(abilities_choose_their_targets),
    cmocka_unit_test(orders_follow_the_ability_at_each_question),
    cmocka_unit_test(abilities_are_used_automatically),
    cmocka_unit_test(groups_get_orders_as_the_ability_says),
    cmocka_unit_test(cards_show_each_ability),
    cmocka_unit_test(settings_that_hardly_mean_it_are_warned_about),
};

TEST_GROUP(rts_abilities, tests, NULL, NULL);
