// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The command card: buttons of one unit, of several, and of producers; what they say is what the
// orders and abilities do.

#include "rts/rts_test.h"

#include "knack/rts_card.h"

enum { BLINK, HEAL, RAGE, THORNS, SWING, NOVA, ABILITIES };

typedef struct scene {
    fixture f;
    kn_attribute_set_id set;
    kn_attribute_id mana, rage, slots;
    kn_tag silenced, ready;
    kn_ability_type_id abilities[ABILITIES];
    kn_order_type_id orders[ABILITIES], halt;
    kn_rts_unit_type_id hero, grunt;
    kn_rts_button buttons[16];
    uint32_t count;
} scene;

static kn_result done(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static void ability_register(scene *s, uint32_t which, kn_ability_def def, kn_order_type_def order)
{
    kn_error error = {0};
    def.body = KN_BODY_USE;
    if (kn_ability_register(s->f.library, &def, &s->abilities[which], &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    order.name = def.name;
    order.policy = KN_ORDER_INSTANT;
    order.ability = s->abilities[which];
    if (kn_order_type_register(s->f.library, &order, &s->orders[which], &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static void rise_add(scene *s, const char *name, uint32_t max_level)
{
    kn_rts_ability_def rise = kn_rts_ability_def_default();
    rise.name = name;
    rise.max_level = max_level;
    assert_int_equal(kn_rts_ability_register(s->f.library, &rise, NULL), KN_OK);
}

static void abilities_add(scene *s)
{
    static const float costs[] = {10, 20, 40};
    const kn_curve_id curve = curve_add(&s->f, "Costs", costs, 3);
    const kn_cost_def cost = {.attribute = s->mana, .amount = kn_by_level(1, curve)};
    const kn_cost_def dear = {.attribute = s->rage, .amount = kn_constant(5)};
    kn_cooldown_def cooldown = kn_cooldown_seconds(10);
    kn_order_type_def order = kn_order_type_def_default();
    kn_ability_def def = kn_ability_def_default();
    def.name = "Blink";
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    ability_register(s, BLINK, def, order);
    cooldown.charges_from = s->slots;
    def.name = "Heal";
    order.auto_for_players = true;
    order.auto_begins = true;
    order.tags.source_blocked = (kn_tags){&s->silenced, 1};
    order.tags.source_required = (kn_tags){&s->ready, 1};
    ability_register(s, HEAL, def, order);
    order = kn_order_type_def_default();
    order.auto_for_players = true;
    def = kn_ability_def_default();
    def.name = "Rage";
    def.costs = &dear;
    def.cost_count = 1;
    ability_register(s, RAGE, def, order);
    order = kn_order_type_def_default();
    order.target_kind = KN_ORDER_TARGET_PASSIVE;
    def = kn_ability_def_default();
    def.name = "Thorns";
    ability_register(s, THORNS, def, order);
    const kn_tag attack = kn_rts_tag(s->f.library, KN_RTS_ABILITY_ATTACK);
    def.name = "Swing";
    def.tags = (kn_tags){&attack, 1};
    ability_register(s, SWING, def, kn_order_type_def_default());
    def = kn_ability_def_default();
    def.name = "Nova";
    def.costs = &cost;
    def.cost_count = 1;
    ability_register(s, NOVA, def, kn_order_type_def_default());
    rise_add(s, "Blink", 3);
    rise_add(s, "Nova", 2);
}

static kn_rts_unit_type_id unit_add(scene *s, const char *name, const kn_order_type_id *commands,
    uint32_t count, const kn_ability_type_id *abilities, uint32_t ability_count)
{
    kn_unit_type_def obeys = kn_unit_type_def_default();
    kn_rts_unit_def def = kn_rts_unit_def_default();
    kn_error error = {0};
    obeys.name = def.name = name;
    obeys.commands = commands;
    obeys.command_count = count;
    obeys.auto_interval = 0;
    obeys.stop = s->halt;
    if (kn_unit_type_register(s->f.library, &obeys, &def.order_unit, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    def.sets = &s->set;
    def.set_count = 1;
    def.abilities = abilities;
    def.ability_count = ability_count;
    def.unlockable_abilities = &s->abilities[NOVA];
    def.unlockable_ability_count = 1;
    def.can_level = true;
    def.max_level = 10;
    def.experience_per_level = kn_constant(100);
    return unit_type_add(&s->f, &def);
}

static void scene_open(scene *s)
{
    kn_order_type_def halt = kn_order_type_def_default();
    kn_rts_display_def display = kn_rts_display_def_default();
    kn_error error = {0};
    *s = (scene){0};
    fixture_open(&s->f);
    s->set = set_add(&s->f, "Vitals", "Mana Rage Slots");
    s->mana = attribute_named(&s->f, "Vitals.Mana");
    s->rage = attribute_named(&s->f, "Vitals.Rage");
    s->slots = attribute_named(&s->f, "Vitals.Slots");
    s->silenced = kn_rts_tag(s->f.library, KN_RTS_SILENCED);
    s->ready = tag_named(&s->f, "State.Ready");
    abilities_add(s);
    halt.name = "Halt";
    halt.execute.function = done;
    halt.button = 7;
    assert_int_equal(kn_order_type_register(s->f.library, &halt, &s->halt, &error), KN_OK);
    display.name = "Blink";
    display.title = "Blink away";
    display.icon = "blink.png";
    display.button = 2;
    display.description = "Costs {cost.Mana} at level {level}";
    assert_int_equal(kn_rts_display_register(s->f.library, &display, &error), KN_OK);
    const kn_order_type_id commands[] = {s->halt, s->orders[BLINK], s->orders[HEAL],
        s->orders[RAGE], s->orders[THORNS], s->orders[SWING], s->orders[NOVA]};
    s->hero = unit_add(s, "Hero", commands, 7, s->abilities, NOVA);
    const kn_order_type_id few[] = {s->orders[SWING], s->orders[BLINK]};
    s->grunt = unit_add(s, "Grunt", few, 2, s->abilities, NOVA);
    world_begin(&s->f);
}

static void card_read(scene *s, const kn_entity_id *units, uint32_t count)
{
    s->count = kn_rts_card(s->f.world, units, count, s->buttons, 16);
    assert_true(s->count <= 16);
}

static const kn_rts_button *button_of(const scene *s, kn_order_type_id order)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->buttons[i].order.index1 == order.index1) {
            return &s->buttons[i];
        }
    }
    fail_msg("no button for order %u", (unsigned)order.index1);
    return NULL;
}

static const char *why(const scene *s, const kn_rts_button *button)
{
    static char text[256];
    (void)kn_rts_button_print(s->f.world, button, text, sizeof(text));
    return text;
}

static kn_entity_id hero_create(scene *s, kn_rts_unit_type_id type, float mana)
{
    const kn_entity_id unit = unit_create(&s->f, type, s->f.us);
    assert_int_equal(kn_attribute_set_base(s->f.world, unit, s->mana, 0, mana), KN_OK);
    assert_int_equal(kn_attribute_set_base(s->f.world, unit, s->slots, 0, 3), KN_OK);
    kn_ability_id heal[1];
    kn_ability_query query = kn_ability_query_default();
    query.type = s->abilities[HEAL];
    assert_int_equal(kn_abilities_find(s->f.world, unit, &query, heal, 1), 1);
    assert_int_equal(kn_ability_reset_cooldown(s->f.world, heal[0], (kn_tag){0}), KN_OK);
    return unit;
}

static void use(scene *s, kn_entity_id unit, uint32_t which)
{
    assert_int_equal(kn_ability_activate_type(s->f.world, unit, s->abilities[which], NULL), KN_OK);
}

// RTS-073, RTS-087, RTS-089, RTS-090, RTS-091, RTS-093, RTS-094, RTS-173, RTS-174
static void buttons_of_a_unit(void **state)
{
    scene s;
    char text[64];
    (void)state;
    scene_open(&s);
    const kn_entity_id hero = hero_create(&s, s.hero, 100);
    gain(&s.f, hero, s.ready);
    card_read(&s, &hero, 1);
    assert_int_equal(s.count, 7);
    assert_int_equal(s.buttons[0].order.index1, s.halt.index1); // in the order of commands
    assert_int_equal(s.buttons[6].order.index1, s.orders[NOVA].index1);
    const kn_rts_button *b = &s.buttons[0];
    assert_string_equal(b->look.title, "Halt");
    assert_int_equal(b->look.button, 7);
    assert_true(b->look.shows_as_order);
    assert_true(b->is_ready);
    assert_true(b->is_current); // what it does without an order
    assert_int_equal(b->ability.index1, 0);
    assert_int_equal(b->max_level, 0);
    assert_int_equal(b->auto_state, KN_RTS_AUTO_NONE);
    b = &s.buttons[1];
    assert_string_equal(b->look.title, "Blink away");
    assert_string_equal(b->look.icon, "blink.png");
    assert_int_equal(b->look.button, 2);
    assert_false(b->look.shows_as_order);
    assert_true(b->is_ready);
    assert_false(b->is_current);
    assert_string_equal(why(&s, b), "");
    assert_int_equal(b->ability.index1, s.abilities[BLINK].index1);
    assert_true(kn_entity_id_equal(b->unit, hero));
    assert_int_equal(b->unit_count, 1);
    assert_int_equal(b->level, 1);
    assert_int_equal(b->max_level, 3);
    assert_int_equal(b->cost_count, 1);
    assert_int_equal(b->costs[0].attribute.index1, s.mana.index1);
    assert_true(b->costs[0].amount == 10);
    assert_true(b->costs[0].have == 100);
    assert_true(b->costs[0].is_affordable);
    assert_int_equal(b->cooldown, 0);
    assert_int_equal(b->charges, 1);
    assert_int_equal(b->max_charges, 1);
    (void)kn_rts_describe_button(s.f.world, b, text, sizeof(text));
    assert_string_equal(text, "Costs 10 at level 1");
    assert_int_equal(s.buttons[2].auto_state, KN_RTS_AUTO_ON);
    assert_int_equal(s.buttons[2].charges, 3);
    assert_int_equal(s.buttons[3].auto_state, KN_RTS_AUTO_OFF);
    assert_int_equal(kn_order_set_auto(s.f.world, hero, s.orders[HEAL], -1, false), KN_OK);
    b = &s.buttons[3];
    assert_false(b->is_ready);
    assert_false(b->costs[0].is_affordable);
    b = &s.buttons[4]; // passive
    assert_int_equal(b->target_kind, KN_ORDER_TARGET_PASSIVE);
    assert_false(b->is_ready);
    assert_int_equal(b->level, 1);
    card_read(&s, &hero, 1);
    assert_int_equal(s.buttons[2].auto_state, KN_RTS_AUTO_OFF);
    fixture_close(&s.f);
}

// RTS-175, RTSV-I4
static void levels_and_learning(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    const kn_entity_id hero = hero_create(&s, s.hero, 100);
    card_read(&s, &hero, 1);
    const kn_rts_button *b = button_of(&s, s.orders[NOVA]);
    assert_int_equal(b->level, 0);
    assert_int_equal(b->max_level, 2);
    assert_false(b->can_learn);
    assert_int_equal(b->learn_why_not, KN_RTS_NO_POINTS);
    assert_false(b->is_ready);
    assert_string_equal(
        why(&s, b), "Missing Tags: (), Blocking Tags: (), Error Tags: (Knack.Order.NoAbility)");
    assert_int_equal(b->cost_count, 1); // what it would cost
    assert_true(b->costs[0].amount == 10);
    assert_int_equal(kn_rts_set_level(s.f.world, hero, 3), KN_OK);
    card_read(&s, &hero, 1);
    assert_true(button_of(&s, s.orders[NOVA])->can_learn);
    assert_true(button_of(&s, s.orders[BLINK])->can_learn);
    assert_int_equal(button_of(&s, s.orders[SWING])->learn_why_not, KN_RTS_AT_MAXIMUM);
    assert_int_equal(kn_rts_learn(s.f.world, hero, s.abilities[NOVA]), KN_OK);
    assert_int_equal(kn_rts_learn(s.f.world, hero, s.abilities[BLINK]), KN_OK);
    card_read(&s, &hero, 1);
    b = button_of(&s, s.orders[NOVA]);
    assert_true(b->is_ready);
    assert_int_equal(b->level, 1);
    b = button_of(&s, s.orders[BLINK]);
    assert_int_equal(b->level, 2);
    assert_true(b->costs[0].amount == 20);
    for (uint32_t points = 0; points < 2; points++) { // as the call for one ability says
        for (uint32_t i = 0; i < ABILITIES; i++) {
            kn_rts_learn_info info;
            assert_int_equal(kn_rts_set_points(s.f.world, hero, points), KN_OK);
            card_read(&s, &hero, 1);
            b = button_of(&s, s.orders[i]);
            assert_int_equal(
                b->can_learn, kn_rts_can_learn(s.f.world, hero, s.abilities[i], &info));
            assert_int_equal(b->learn_why_not, info.why_not);
            assert_int_equal(b->level, info.level);
            assert_int_equal(b->max_level, info.max_level);
        }
    }
    fixture_close(&s.f);
}

static void cooldowns_and_charges(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    const kn_entity_id hero = hero_create(&s, s.hero, 1000);
    gain(&s.f, hero, s.ready);
    use(&s, hero, BLINK);
    use(&s, hero, HEAL);
    step_ms(&s.f, 2500);
    card_read(&s, &hero, 1);
    const kn_rts_button *b = button_of(&s, s.orders[BLINK]);
    assert_false(b->is_ready);
    assert_int_equal(b->cooldown, KN_MS(7500));
    assert_int_equal(b->cooldown_total, KN_MS(10000));
    assert_true(b->cooldown_fraction == 0.75f);
    assert_int_equal(b->charges, 0);
    assert_string_equal(why(&s, b),
        "Missing Tags: (), Blocking Tags: (), Error Tags: (Activation.Fail.OnCooldown)");
    b = button_of(&s, s.orders[HEAL]);
    assert_true(b->is_ready);
    assert_int_equal(b->charges, 2);
    assert_int_equal(b->max_charges, 3);
    assert_int_equal(b->cooldown, KN_MS(7500)); // until the next charge
    assert_true(b->cooldown_fraction == 0.75f);
    step_ms(&s.f, 7500);
    card_read(&s, &hero, 1);
    b = button_of(&s, s.orders[BLINK]);
    assert_true(b->is_ready);
    assert_int_equal(b->cooldown, 0);
    assert_true(b->cooldown_fraction == 0);
    assert_int_equal(b->charges, 1);
    fixture_close(&s.f);
}

// Tags of the order and reasons of the ability come together.
static void all_reasons_at_once(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    const kn_entity_id hero = hero_create(&s, s.hero, 5);
    gain(&s.f, hero, s.silenced);
    // It cannot pay; apart from that it could.
    kn_order_errors errors = {0};
    assert_false(kn_order_can_obey(s.f.world, s.orders[BLINK], hero, -1, NULL));
    assert_true(kn_order_can_obey_otherwise(s.f.world, s.orders[BLINK], hero, -1, &errors));
    assert_true(kn_order_errors_is_empty(&errors));
    assert_false(kn_order_can_obey_otherwise(s.f.world, s.orders[HEAL], hero, -1, &errors));
    assert_int_equal(errors.missing_count + errors.blocking_count, 2);
    assert_int_equal(errors.other_count, 0);
    card_read(&s, &hero, 1);
    const kn_rts_button *b = button_of(&s, s.orders[HEAL]);
    assert_false(b->is_ready);
    assert_string_equal(why(&s, b), "Missing Tags: (State.Ready), Blocking Tags: "
                                    "(Knack.Rts.Changing.Silenced), Error Tags: "
                                    "(Activation.Fail.CantAffordCost)");
    lose(&s.f, hero, s.silenced);
    gain(&s.f, hero, s.ready);
    assert_int_equal(kn_attribute_set_base(s.f.world, hero, s.mana, 0, 10), KN_OK);
    card_read(&s, &hero, 1);
    assert_true(button_of(&s, s.orders[HEAL])->is_ready);
    assert_int_equal(kn_rts_kill(s.f.world, hero, s.f.them), KN_OK);
    card_read(&s, &hero, 1);
    assert_false(button_of(&s, s.halt)->is_ready);
    assert_string_equal(why(&s, button_of(&s, s.halt)),
        "Missing Tags: (Knack.Status.Alive), Blocking Tags: (), Error Tags: ()");
    fixture_close(&s.f);
}

// A button speaks of the unit that could obey, or whose cooldown ends first.
static void buttons_of_several_units(void **state)
{
    scene s;
    (void)state;
    scene_open(&s);
    const kn_entity_id units[] = {hero_create(&s, s.hero, 100), hero_create(&s, s.grunt, 100),
        hero_create(&s, s.hero, 5), hero_create(&s, s.grunt, 100), s.f.us};
    card_read(&s, units, 5); // a player has no commands
    assert_int_equal(s.count, 7);
    const kn_rts_button *b = button_of(&s, s.orders[BLINK]);
    assert_int_equal(b->unit_count, 4);
    assert_true(kn_entity_id_equal(b->unit, units[0]));
    assert_int_equal(button_of(&s, s.halt)->unit_count, 2);
    card_read(&s, units + 1, 2); // those of the grunt first
    assert_int_equal(s.count, 7);
    assert_int_equal(s.buttons[0].order.index1, s.orders[SWING].index1);
    assert_int_equal(s.buttons[1].order.index1, s.orders[BLINK].index1);
    assert_int_equal(s.buttons[2].order.index1, s.halt.index1);
    use(&s, units[0], BLINK);
    card_read(&s, units, 4);
    b = button_of(&s, s.orders[BLINK]);
    assert_true(b->is_ready);
    assert_true(kn_entity_id_equal(b->unit, units[1]));
    assert_int_equal(b->unit_count, 4);
    step_ms(&s.f, 1000);
    use(&s, units[3], BLINK);
    step_ms(&s.f, 1000);
    use(&s, units[1], BLINK);
    const kn_entity_id waiting[] = {units[1], units[0], units[3]};
    card_read(&s, waiting, 3);
    b = button_of(&s, s.orders[BLINK]);
    assert_false(b->is_ready);
    assert_true(kn_entity_id_equal(b->unit, units[0]));
    assert_int_equal(b->cooldown, KN_MS(8000));
    assert_int_equal(b->unit_count, 3);
    // A unit that has learned it says more than one that has not.
    assert_int_equal(kn_rts_raise_ability(s.f.world, units[2], s.abilities[NOVA], false), KN_OK);
    const kn_entity_id heroes[] = {units[0], units[2]};
    card_read(&s, heroes, 2);
    b = button_of(&s, s.orders[NOVA]);
    assert_true(kn_entity_id_equal(b->unit, units[2]));
    assert_int_equal(b->level, 1);
    assert_string_equal(why(&s, b),
        "Missing Tags: (), Blocking Tags: (), Error Tags: (Activation.Fail.CantAffordCost)");
    fixture_close(&s.f);
}

static void limits(void **state)
{
    scene s;
    kn_rts_button one;
    char text[8] = "x";
    (void)state;
    scene_open(&s);
    static kn_entity_id units[KN_RTS_SELECTION_MAX + 50];
    for (uint32_t i = 0; i < KN_RTS_SELECTION_MAX + 50; i++) {
        units[i] = hero_create(&s, s.hero, 100);
        if (i % 32 == 0) {
            step_ms(&s.f, 1);
        }
    }
    card_read(&s, units, KN_RTS_SELECTION_MAX + 50);
    assert_int_equal(s.count, 7);
    assert_int_equal(s.buttons[1].unit_count, KN_RTS_SELECTION_MAX);
    assert_int_equal(kn_rts_card(s.f.world, units, 1, &one, 1), 7);
    assert_int_equal(one.order.index1, s.halt.index1);
    assert_int_equal(kn_rts_card(s.f.world, units, 1, NULL, 0), 7);
    assert_int_equal(kn_rts_card(s.f.world, NULL, 3, &one, 1), 0);
    assert_int_equal(kn_rts_card(NULL, units, 1, &one, 1), 0);
    const kn_entity_id null = {0};
    assert_int_equal(kn_rts_card(s.f.world, &null, 1, &one, 1), 0);
    assert_true(kn_entity_destroy(s.f.world, units[0]));
    step_ms(&s.f, 1);
    assert_int_equal(kn_rts_card(s.f.world, units, 1, &one, 1), 0); // it is gone
    assert_int_equal(kn_rts_describe_button(s.f.world, NULL, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    assert_int_equal(kn_rts_button_print(s.f.world, NULL, text, sizeof(text)), 0);
    fixture_close(&s.f);
}

// Whatever happened before, a card says what giving the order would say, and changes nothing.
static void a_card_agrees_with_orders(void **state)
{
    scene s;
    uint32_t seed = 7, ready = 0, refused = 0;
    (void)state;
    scene_open(&s);
    kn_entity_id units[4];
    for (uint32_t i = 0; i < 4; i++) {
        units[i] = hero_create(&s, i % 2 == 0 ? s.hero : s.grunt, 30);
    }
    for (uint32_t turn = 0; turn < 400; turn++) {
        seed = seed * 1664525u + 1013904223u;
        const kn_entity_id unit = units[seed >> 30];
        const uint32_t what = (seed >> 20) % 8, which = (seed >> 10) % ABILITIES;
        if (what < 3) {
            (void)kn_ability_activate_type(s.f.world, unit, s.abilities[which], NULL);
        } else if (what == 3) {
            step_ms(&s.f, 700);
        } else if (what == 4) {
            (void)kn_rts_change_tag(s.f.world, unit, s.ready, which % 2 == 0);
        } else if (what == 5) {
            (void)kn_rts_change_tag(s.f.world, unit, s.silenced, which % 3 == 0);
        } else if (what == 6) {
            (void)kn_rts_raise_ability(s.f.world, unit, s.abilities[which], false);
        } else {
            (void)kn_attribute_set_base(s.f.world, unit, s.mana, 0, (float)(which * 8));
        }
        const uint64_t before = kn_world_hash(s.f.world);
        card_read(&s, units, 4);
        assert_true(kn_world_hash(s.f.world) == before);
        for (uint32_t i = 0; i < s.count; i++) {
            const kn_rts_button *b = &s.buttons[i];
            bool any = false;
            for (uint32_t k = 0; k < 4; k++) {
                const bool has = k % 2 == 0 || b->order.index1 == s.orders[SWING].index1 ||
                                 b->order.index1 == s.orders[BLINK].index1;
                any |= has && b->target_kind != KN_ORDER_TARGET_PASSIVE &&
                       kn_order_can_obey(s.f.world, b->order, units[k], -1, NULL);
            }
            assert_int_equal(b->is_ready, any);
            assert_int_equal(b->is_ready || b->target_kind == KN_ORDER_TARGET_PASSIVE,
                kn_order_errors_is_empty(&b->why_not));
            ready += b->is_ready;
            refused += !b->is_ready;
        }
    }
    assert_true(ready > 200 && refused > 200);
    fixture_close(&s.f);
}

// An ability that descends from that of the order serves, too; so does a second grant.
static void other_grants_serve(void **state)
{
    scene s;
    kn_ability_def def = kn_ability_def_default();
    kn_order_type_def order = kn_order_type_def_default();
    const kn_cooldown_def cooldown = kn_cooldown_seconds(10);
    kn_error error = {0};
    kn_ability_type_id base, heir;
    (void)state;
    fixture_open(&s.f);
    def.name = "Base";
    def.body = KN_BODY_USE;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    assert_int_equal(kn_ability_register(s.f.library, &def, &base, &error), KN_OK);
    def.name = "Heir";
    def.parent = "Base";
    assert_int_equal(kn_ability_register(s.f.library, &def, &heir, &error), KN_OK);
    kn_order_type_id orders[2];
    order.policy = KN_ORDER_INSTANT;
    order.name = "UseBase";
    order.ability = base;
    assert_int_equal(kn_order_type_register(s.f.library, &order, &orders[0], &error), KN_OK);
    order.name = "UseHeir";
    order.ability = heir;
    assert_int_equal(kn_order_type_register(s.f.library, &order, &orders[1], &error), KN_OK);
    kn_unit_type_def obeys = kn_unit_type_def_default();
    kn_rts_unit_def unit = kn_rts_unit_def_default();
    obeys.name = unit.name = "Unit";
    obeys.commands = orders;
    obeys.command_count = 2;
    assert_int_equal(kn_unit_type_register(s.f.library, &obeys, &unit.order_unit, &error), KN_OK);
    const kn_rts_unit_type_id type = unit_type_add(&s.f, &unit);
    world_begin(&s.f);
    const kn_entity_id one = unit_create(&s.f, type, s.f.us);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = heir;
    kn_ability_id first, second;
    assert_int_equal(kn_ability_grant(s.f.world, one, &grant, &first), KN_OK);
    card_read(&s, &one, 1);
    assert_true(s.buttons[0].is_ready);
    assert_true(s.buttons[1].is_ready);
    assert_int_equal(s.buttons[0].level, 0); // it has not learned this one
    assert_int_equal(s.buttons[1].level, 1);
    assert_int_equal(kn_ability_activate(s.f.world, first, NULL, NULL), KN_OK);
    card_read(&s, &one, 1);
    assert_false(s.buttons[0].is_ready);
    assert_false(s.buttons[1].is_ready);
    assert_int_equal(kn_ability_grant(s.f.world, one, &grant, &second), KN_OK);
    card_read(&s, &one, 1);
    assert_true(s.buttons[0].is_ready);
    assert_true(s.buttons[1].is_ready);
    assert_int_equal(s.buttons[1].charges, 1); // of the one that is ready
    fixture_close(&s.f);
}

// Orders that make something have a button for each product.
static void buttons_of_producers(void **state)
{
    fixture f = {0};
    kn_error error = {0};
    kn_rts_button b[8];
    char text[128];
    (void)state;
    kn_library_def library = kn_library_def_default();
    assert_int_equal(kn_library_create(&library, &f.library), KN_OK);
    assert_int_equal(kn_order_produce_register(f.library, &error), KN_OK);
    assert_int_equal(kn_rts_register(f.library, &error), KN_OK);
    assert_int_equal(kn_grid_register(f.library, NULL, &error), KN_OK);
    const kn_attribute_set_id stock = set_add(&f, "Stock", "Gold");
    const kn_attribute_id gold = attribute_named(&f, "Stock.Gold");
    const kn_product_cost cost = {gold, 60};
    const kn_tag tech = tag_named(&f, "Tech.Steel");
    kn_product_def product = kn_product_def_default();
    kn_product_id products[2];
    product.name = "Soldier";
    product.event = tag_named(&f, "Event.Made");
    product.time = KN_MS(5000);
    product.costs = &cost;
    product.cost_count = 1;
    product.title = "Foot soldier";
    product.description = "Fights";
    assert_int_equal(kn_product_register(f.library, &product, &products[0], &error), KN_OK);
    product.name = "Knight";
    product.title = NULL;
    product.payer_required = (kn_tags){&tech, 1};
    assert_int_equal(kn_product_register(f.library, &product, &products[1], &error), KN_OK);
    const kn_product_id turned[] = {products[1], products[0]};
    kn_producer_def producer = kn_producer_def_default();
    kn_producer_id barracks, stable;
    producer.name = "Barracks";
    producer.products = products;
    producer.product_count = 2;
    assert_int_equal(kn_producer_register(f.library, &producer, &barracks, &error), KN_OK);
    producer.name = "Stable";
    producer.products = turned;
    assert_int_equal(kn_producer_register(f.library, &producer, &stable, &error), KN_OK);
    const kn_order_type_id commands[] = {kn_order_type_find(f.library, "Knack.Produce"),
        kn_order_type_find(f.library, "Knack.CancelProduct")};
    kn_unit_type_def obeys = kn_unit_type_def_default();
    kn_rts_unit_def unit = kn_rts_unit_def_default();
    obeys.name = unit.name = "Building";
    obeys.commands = commands;
    obeys.command_count = 2;
    assert_int_equal(kn_unit_type_register(f.library, &obeys, &unit.order_unit, &error), KN_OK);
    const kn_rts_unit_type_id type = unit_type_add(&f, &unit);
    world_begin(&f);
    assert_int_equal(kn_attribute_set_add(f.world, f.us, stock, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(f.world, f.us, gold, 0, 100), KN_OK);
    const kn_entity_id units[] = {unit_create(&f, type, f.us), unit_create(&f, type, f.us)};
    assert_int_equal(kn_rts_card(f.world, units, 1, b, 8), 2); // it makes nothing yet
    assert_int_equal(kn_producer_add(f.world, units[0], barracks), KN_OK);
    assert_int_equal(kn_producer_add(f.world, units[1], stable), KN_OK);
    assert_int_equal(kn_rts_card(f.world, units, 2, b, 8), 3);
    assert_int_equal(b[0].product.index1, products[0].index1);
    assert_int_equal(b[0].index, 0);
    assert_string_equal(b[0].look.title, "Foot soldier");
    assert_true(b[0].is_ready);
    assert_int_equal(b[0].unit_count, 2); // by the product, not by its place
    assert_int_equal(b[0].cost_count, 1);
    assert_true(b[0].costs[0].amount == 60 && b[0].costs[0].have == 100);
    assert_true(b[0].costs[0].is_affordable);
    (void)kn_rts_describe_button(f.world, &b[0], text, sizeof(text));
    assert_string_equal(text, "Fights");
    assert_string_equal(b[1].look.title, "Knight");
    assert_false(b[1].is_ready);
    assert_string_equal(kn_tag_name(f.library, b[1].why_not.missing[0]), "Tech.Steel");
    assert_int_equal(b[2].order.index1, commands[1].index1);
    assert_int_equal(b[2].product.index1, 0);
    assert_int_equal(kn_product_enqueue(f.world, units[0], products[0], NULL), KN_OK);
    assert_int_equal(kn_rts_card(f.world, units, 2, b, 8), 3);
    assert_false(b[0].is_ready); // 40 are left
    assert_false(b[0].costs[0].is_affordable);
    fixture_close(&f);
}

// RTS-079, RTS-080, RTS-081, RTS-214, RTSV-I3
static void commands_are_automatic_orders(void **state)
{
    scene s;
    kn_order_auto_info autos[8];
    (void)state;
    scene_open(&s);
    const kn_entity_id hero = hero_create(&s, s.hero, 100);
    // Passive ones and attacks are left out, those that are not learned are not.
    assert_int_equal(kn_order_autos(s.f.world, hero, autos, 8), 4);
    assert_int_equal(autos[0].order.type.index1, s.orders[BLINK].index1);
    assert_int_equal(autos[1].order.type.index1, s.orders[HEAL].index1);
    assert_int_equal(autos[2].order.type.index1, s.orders[RAGE].index1);
    assert_int_equal(autos[3].order.type.index1, s.orders[NOVA].index1);
    assert_int_equal(kn_unit_command(s.f.world, hero, 6).index1, s.orders[NOVA].index1);
    const kn_order_type_id none = kn_unit_command(s.f.world, hero, 7);
    assert_int_equal(none.index1, 0);
    assert_false(kn_order_can_obey(s.f.world, none, hero, -1, NULL));
    assert_int_equal(kn_order_get_target_kind(s.f.world, none, hero, -1), KN_ORDER_TARGET_NONE);
    fixture_close(&s.f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(buttons_of_a_unit),
    cmocka_unit_test(levels_and_learning),
    cmocka_unit_test(cooldowns_and_charges),
    cmocka_unit_test(all_reasons_at_once),
    cmocka_unit_test(buttons_of_several_units),
    cmocka_unit_test(limits),
    cmocka_unit_test(a_card_agrees_with_orders),
    cmocka_unit_test(other_grants_serve),
    cmocka_unit_test(buttons_of_producers),
    cmocka_unit_test(commands_are_automatic_orders),
};

TEST_GROUP(rts_card, tests, NULL, NULL);
