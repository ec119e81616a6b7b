// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Command cards, descriptions, abilities and production in Lua: every function is called, and hooks
// of abilities and variants of orders are scripts.

#include "rts/rts_test.h"

#include "knack/data.h"
#include "knack/rts_card.h"
#include "knack/script.h"

static const char content[] =
    "kits: [order, production, rts]\n"
    "tags: [Unit.Smith, Unit.Soldier, Unit.Mine, Resource.Gold, Event.Ping, State.Open]\n"
    "attribute_sets:\n"
    "  Stock: {attributes: {Gold: 200}}\n"
    "  Vitals: {attributes: {Health: 100, Mana: 30}}\n"
    "  Node: {attributes: {Left: 40}}\n"
    "archetypes:\n"
    "  Soldier: {tags: [Unit.Soldier, Knack.Status.Alive]}\n"
    "  Tower: {tags: [Knack.Status.Alive]}\n"
    "effects:\n"
    "  Burn: {duration: 4, modifiers: {Vitals.Health: -1}}\n"
    "abilities:\n"
    "  Bolt: {body: use, costs: {Vitals.Mana: 20}, cooldowns: [{duration: 5}],\n"
    "    triggers: [{tag: Event.Ping}], activation: {required: [State.Open]}}\n"
    "  Dart: {body: use, triggers: [{tag: Event.Ping}]}\n"
    "rts_abilities:\n"
    "  Bolt: {max_level: 2, range: 9, target_kind: entity, script: Bolt, scores_targets: true}\n"
    "order_types:\n"
    "  Many: {policy: instant, script: Many}\n"
    "  Plain: {ability: Dart, policy: instant, title: Plain dart, description: As the type says.}\n"
    "order_units:\n"
    "  Smith: {commands: [Knack.UseUnitAbility, Knack.Produce, Many]}\n"
    "products:\n"
    "  Soldier: {archetype: Soldier, time: 4, costs: [{attribute: Stock.Gold, amount: 60}],\n"
    "    title: A soldier, description: Fights.}\n"
    "  Tower: {archetype: Tower, time: 4, site: true, costs: [{attribute: Stock.Gold, amount: "
    "10}]}\n"
    "producers:\n"
    "  Smith: {products: [Soldier, Tower], queue_limit: 2}\n"
    "gatherers:\n"
    "  Smith: {tag: Unit.Smith, kinds: [{tag: Resource.Gold, to: Stock.Gold,\n"
    "    from: Node.Left, amount: 5, capacity: 10, time: 1}]}\n"
    "rts_units:\n"
    "  Smith: {sets: [Vitals], abilities: [Bolt, Dart], order_unit: Smith}\n"
    "rts_displays:\n"
    "  Bolt: {title: Bolt of fire, icon: bolt, button: 3, preview: Beam, preview_snap: owner,\n"
    "    description: \"Costs {cost.Mana}, reaches {range}.\"}\n"
    "  Burn: {description: \"Lasts {duration} s.\"}\n"
    "timers: {Play: {script: Play}, Make: {script: Make}}\n";

static const char chunk[] =
    "local function same(have, want, what)\n"
    "    if have ~= want then\n"
    "        error((what or 'value') .. ': ' .. tostring(have) .. ', not ' .. tostring(want), 2)\n"
    "    end\n"
    "end\n"
    "rts_ability 'Bolt' {\n"
    "    find_range = function(self, call) return {number = call.number + call.level} end,\n"
    "    score = function(self, call)\n"
    "        same(call.ability, 'Bolt')\n"
    "        return {number = call.target:value('Vitals.Health')}\n"
    "    end,\n"
    "}\n"
    "order_type 'Many' {\n"
    "    find_variant = function(self, call)\n"
    "        if call.index == -1 then return {count = 2} end\n"
    "        if call.index > 1 then return false end\n"
    "        local abilities = {'Bolt', 'Dart'}\n"
    "        return {ability = abilities[call.index + 1], group = 'first', acquisition_radius = "
    "7,\n"
    "            looks_like = call.index == 1 and 'Plain' or nil}\n"
    "    end,\n"
    "}\n"
    "local function cards(smith, foe)\n"
    "    local card = smith:rts_card()\n"
    "    same(#card, 5)\n"
    "    same(card[1].order, 'Knack.UseUnitAbility') same(card[1].ability, 'Bolt')\n"
    "    same(card[1].index, 0) same(card[1].title, 'Bolt of fire') same(card[1].icon, 'bolt')\n"
    "    same(card[1].place, 3) same(card[1].target_kind, 'entity') same(card[1].level, 1)\n"
    "    same(card[1].max_level, 2) same(card[1].is_ready, false) same(card[1].auto_state, "
    "'none')\n"
    "    same(card[2].ability, 'Dart') same(card[2].is_ready, true) same(card[2].is_current, "
    "false)\n"
    "    same(card[3].product, 'Soldier') same(card[3].title, 'A soldier')\n"
    "    same(card[3].ability, nil)\n"
    "    same(card[4].order, 'Many') same(card[4].title, 'Bolt of fire')\n"
    "    same(card[5].title, 'Plain dart') same(card[5].can_learn, false)\n"
    "    same(#foe:rts_card(), 0)\n"
    "    local why = smith:rts_why_not('Knack.UseUnitAbility', 0)\n"
    "    same(#why > 20, true, why)\n"
    "    local ready, nothing = smith:rts_why_not('Knack.UseUnitAbility', 1)\n"
    "    same(ready, nil) same(nothing, nil)\n"
    "    local none, reason = smith:rts_why_not('Plain')\n"
    "    same(none, nil) same(reason, 'not_found')\n"
    "    local look = smith:rts_look('Knack.UseUnitAbility', 0)\n"
    "    same(look.title, 'Bolt of fire') same(look.preview, 'Beam')\n"
    "    same(look.preview_snap, 'owner')\n"
    "    same(look.shows_as_order, false) same(look.icon_disabled, nil)\n"
    "end\n"
    "local function texts(smith)\n"
    "    same(smith:rts_describe_ability('Bolt'), 'Costs 20, reaches 10.')\n"
    "    same(smith:rts_describe_ability('Bolt', 2), 'Costs 20, reaches 11.')\n"
    "    same(smith:rts_describe_effect('Burn'), 'Lasts 4 s.')\n"
    "    same(smith:rts_describe_order('Plain'), 'As the type says.')\n"
    "    same(smith:rts_describe_order('Many', 0), 'Costs 20, reaches 10.')\n"
    "    same(smith:rts_describe_order('Many', 1), 'As the type says.')\n"
    "    same(smith:rts_describe_product('Soldier'), 'Fights.')\n"
    "    local none, reason = smith:rts_describe_product('Nothing')\n"
    "    same(none, nil) same(reason, 'not_found')\n"
    "end\n"
    "local function abilities(smith, foe)\n"
    "    same(smith:rts_ability_range('Bolt'), 10)\n"
    "    same(smith:order_score('Knack.UseUnitAbility', foe, 50, 0), 100)\n"
    "    same(smith:rts_is_unlocked('Bolt'), false)\n"
    "    same(smith:rts_send_event('Event.Ping', foe), 1)\n"
    "    same(smith:rts_change_tag('State.Open'), true)\n"
    "    same(smith:rts_is_unlocked('Bolt'), true)\n"
    "    local left, whole = smith:rts_cooldown('Bolt')\n"
    "    same(left, 0) same(whole, 5)\n"
    "    same(smith:rts_send_event('Event.Ping'), 2)\n"
    "    left, whole = smith:rts_cooldown('Bolt')\n"
    "    same(left, 5) same(whole, 5)\n"
    "    same(smith:rts_send_event('Event.Ping'), 1)\n"
    "    same(smith:rts_change_tag('State.Open', false), true)\n"
    "    same(smith:rts_is_unlocked('Bolt'), false)\n"
    "end\n"
    "timer 'Play' { fired = function(self)\n"
    "    local found = world.entities()\n"
    "    local player, smith, foe = found[1], found[3], found[4]\n"
    "    cards(smith, player) texts(smith) abilities(smith, foe)\n"
    "    print('done')\n"
    "end }\n";

static const char made[] =
    "local function same(have, want, what)\n"
    "    if have ~= want then\n"
    "        error((what or 'value') .. ': ' .. tostring(have) .. ', not ' .. tostring(want), 2)\n"
    "    end\n"
    "end\n"
    "local function production(player, smith, helper)\n"
    "    same(smith:producer_info().state, 'idle')\n"
    "    same(smith:check_product('Soldier'), true)\n"
    "    same(smith:enqueue_product('Soldier'), true)\n"
    "    same(player:base('Stock.Gold'), 140)\n"
    "    same(smith:enqueue_product('Soldier'), true)\n"
    "    local full, why = smith:enqueue_product('Soldier')\n"
    "    same(full, nil) same(why, 'limit')\n"
    "    local info = smith:producer_info()\n"
    "    same(info.type, 'Smith') same(info.state, 'works') same(info.queue_count, 2)\n"
    "    same(info.progress, 0) same(info.remaining, 4)\n"
    "    local queue = smith:product_queue()\n"
    "    same(#queue, 2) same(queue[2].product, 'Soldier') same(queue[1].payer, player)\n"
    "    same(queue[2].done_at, 8)\n"
    "    same(smith:cancel_product(), true)\n"
    "    same(#smith:product_queue(), 1) same(player:base('Stock.Gold'), 140)\n"
    "    same(smith:cancel_product(0), true)\n"
    "    same(player:base('Stock.Gold'), 200)\n"
    "    same(smith:set_rally({x = 7, y = 8, z = 0}), true)\n"
    "    same(smith:add_rally(nil, helper), true)\n"
    "    local points = smith:rally_points()\n"
    "    same(#points, 2) same(points[1].location.x, 7) same(points[1].target, nil)\n"
    "    same(points[2].target, helper)\n"
    "    same(smith:set_rally(), true) same(#smith:rally_points(), 0)\n"
    "    same(smith:check_site('Tower', {x = 30, y = 0, z = 0}), true)\n"
    "    local not_one, reason = smith:check_site('Soldier')\n"
    "    same(not_one, nil) same(reason, 'not_found')\n"
    "    local site = smith:begin_site('Tower', {x = 30, y = 0, z = 0})\n"
    "    same(player:base('Stock.Gold'), 190)\n"
    "    same(site:site_info().product, 'Tower') same(site:site_info().builder_count, 0)\n"
    "    same(smith:join_site(site), true) same(helper:join_site(site), true)\n"
    "    same(site:site_builders()[2], helper) same(site:site_info().payer, player)\n"
    "    same(helper:leave_site(site), true) same(#site:site_builders(), 1)\n"
    "    same(site:cancel_site(), true)\n"
    "    same(player:base('Stock.Gold'), 200)\n"
    "    local none, what = player:producer_info()\n"
    "    same(none, nil) same(what, 'not_found')\n"
    "    same(smith:site_info(), nil) same(smith:ordered_site(), nil)\n"
    "    same(smith:remove_producer(), true) same(smith:producer_info(), nil)\n"
    "    same(smith:add_producer('Smith'), true)\n"
    "end\n"
    "local function gathering(player, smith, mine)\n"
    "    same(smith:left_in_node(mine), 40)\n"
    "    same(smith:start_gathering(mine), true)\n"
    "    same(smith:gatherer_info().node, mine) same(smith:gatherer_info().amount, 0)\n"
    "    same(smith:stop_gathering(), true) same(smith:gatherer_info().node, nil)\n"
    "    local none, why = smith:deliver_load()\n"
    "    same(none, nil) same(why, 'not_found')\n"
    "    same(mine:gatherer_info(), nil)\n"
    "end\n"
    "timer 'Make' { fired = function(self)\n"
    "    local found = world.entities()\n"
    "    production(found[1], found[3], found[4]) gathering(found[1], found[3], found[5])\n"
    "    print('made')\n"
    "end }\n";

static char printed[2048];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    const size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s;", entry->message);
}

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_grid_register(library, NULL, error);
}

static void cards_and_production_are_played_by_scripts(void **state)
{
    static const kn_kit kits[] = {{"order", kn_order_register},
        {"production", kn_order_produce_register}, {"rts", kn_rts_register}};
    kn_script_def script_def = kn_script_def_default();
    kn_script_loader *loader;
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    fixture f = {0};
    (void)state;
    script_def.hooks.log_fn = log_line;
    assert_int_equal(kn_script_loader_create(&script_def, &loader), KN_OK);
    def.kits = kits;
    def.kit_count = 3;
    def.prepare = prepare;
    def.scripts = kn_script_loader_scripts(loader);
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "a.yaml", content, strlen(content)), KN_OK);
    assert_int_equal(kn_data_add_text(data, "a.lua", chunk, strlen(chunk)), KN_OK);
    assert_int_equal(kn_data_add_text(data, "b.lua", made, strlen(made)), KN_OK);
    if (kn_data_build(data, &f.library) != KN_OK) {
        char line[512];
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            (void)kn_data_message_print(data, i, line, sizeof(line));
            print_error("%s\n", line);
        }
        fail();
    }
    world_begin_with(&f, kn_world_def_default());
    const kn_attribute_set_id stock = kn_attribute_set_find(f.library, "Stock");
    assert_int_equal(kn_attribute_set_add(f.world, f.us, stock, 0), KN_OK);
    const kn_rts_unit_type_id type = kn_rts_unit_find(f.library, "Smith");
    const kn_entity_id smith = unit_create(&f, type, f.us), foe = unit_create(&f, type, f.them);
    kn_entity_id mine;
    assert_int_equal(kn_entity_create(f.world, &mine), KN_OK);
    assert_int_equal(
        kn_attribute_set_add(f.world, mine, kn_attribute_set_find(f.library, "Node"), 0), KN_OK);
    gain(&f, mine, kn_tag_find(f.library, "Resource.Gold"));
    gain(&f, mine, kn_tag_find(f.library, "Knack.Kind.Resource"));
    gain(&f, smith, kn_tag_find(f.library, "Unit.Smith"));
    place(&f, smith, 0, 0);
    place(&f, foe, 2, 0);
    place(&f, mine, 1, 0);
    assert_int_equal(kn_producer_add(f.world, smith, kn_producer_find(f.library, "Smith")), KN_OK);
    kn_order_variant variant; // of the script
    const kn_order_type_id many = kn_order_type_find(f.library, "Many");
    assert_true(kn_order_get_variant(f.world, many, smith, 0, &variant));
    assert_int_equal(variant.group, KN_ORDER_GROUP_FIRST);
    assert_true(variant.acquisition_radius == 7);
    assert_false(kn_order_get_variant(f.world, many, smith, 2, &variant));
    static const char *const timers[] = {"Play", "Make"};
    for (uint32_t i = 0; i < 2; i++) {
        const kn_timer_type_id timer = kn_timer_type_find(f.library, timers[i]);
        assert_int_equal(kn_timer_start(f.world, timer, (kn_entity_id){0}, 0, NULL, NULL), KN_OK);
    }
    step_ms(&f, 0);
    assert_string_equal(printed, "done;made;");
    fixture_close(&f);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cards_and_production_are_played_by_scripts),
};

TEST_GROUP(rts_card_script, tests, NULL, NULL);
