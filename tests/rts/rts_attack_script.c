// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attacks in Lua: every function is called, and hooks of rules and weapons are scripts.

#include "rts/attack_test.h"

#include "knack/script.h"

static const char content[] =
    ATTACK_BASE "rts_attack_rules: {Rules: {health: Body.Health, script: Rules}}\n"
                "rts_weapons:\n"
                "  Fist: {script: Fist}\n"
                "  Bow: {kind: ranged, speed: 10}\n"
                "  Bolt: {kind: ranged}\n"
                "timers: {Play: {script: Play}}\n";

static const char chunk[] =
    "local function same(have, want, what)\n"
    "    if have ~= want then\n"
    "        error((what or 'value') .. ': ' .. tostring(have) .. ', not ' .. tostring(want), 2)\n"
    "    end\n"
    "end\n"
    "rts_attack_rules 'Rules' {\n"
    "    mitigate = function(self, call) return {amount = call.amount - 1} end,\n"
    "    find_obstacle = function(self, call)\n"
    "        if call.to.x > 50 then return {share = 0.5} end\n"
    "    end,\n"
    "}\n"
    "rts_weapon 'Fist' {\n"
    "    hit = function(self, call)\n"
    "        print('hit ' .. call.dealt .. ' ' .. tostring(call.source == self.entity))\n"
    "    end,\n"
    "}\n"
    "timer 'Play' { fired = function(self)\n"
    "    local found = world.entities()\n"
    "    local unit, foe = found[3], found[4]\n"
    "    same(#unit:rts_weapons(), 0)\n"
    "    same(unit:rts_add_weapon('Fist'), true)\n"
    "    local again, why = unit:rts_add_weapon('Fist')\n"
    "    same(again, nil) same(why, 'duplicate')\n"
    "    local weapon = unit:rts_weapons()[1]\n"
    "    same(weapon.weapon, 'Fist') same(weapon.phase, 'idle') same(weapon.remaining, 0)\n"
    "    same(unit:rts_attack(foe), true)\n"
    "    same(unit:rts_weapons()[1].remaining, 1)\n"
    "    same(foe:base('Body.Health'), 81)\n"
    "    local quote = unit:rts_quote_damage(foe, 31, 'Damage.Crush')\n"
    "    same(quote.asked, 31) same(quote.dealt, 30) same(quote.mitigated, 1)\n"
    "    local damage = unit:rts_deal_damage(foe, 101)\n"
    "    same(damage.dealt, 81) same(damage.overkill, 19)\n"
    "    foe:set_base('Body.Health', 100)\n"
    "    local shot = unit:rts_launch('Bow', foe)\n"
    "    same(shot:rts_projectile_position().x, 0)\n"
    "    same(foe:rts_pending_damage(), 19)\n"
    "    same(foe:rts_is_doomed(), false)\n"
    "    local other = unit:rts_launch('Bow', foe, 150)\n"
    "    same(foe:rts_is_doomed(), true)\n"
    "    same(unit:rts_launch('Bolt', foe, 11), nil)\n"
    "    same(foe:base('Body.Health'), 90)\n"
    "    same(unit:rts_remove_weapon('Fist'), true)\n"
    "    print('done')\n"
    "end }\n";

static char printed[1024];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    const size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s;", entry->message);
}

static void attacks_are_played_by_scripts(void **state)
{
    static const kn_kit kits[] = {{"order", kn_order_register},
        {"ready_orders", kn_order_ready_register}, {"rts", kn_rts_register}};
    kn_script_def script_def = kn_script_def_default();
    kn_script_loader *loader;
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    field f;
    (void)state;
    script_def.hooks.log_fn = log_line;
    assert_int_equal(kn_script_loader_create(&script_def, &loader), KN_OK);
    def.kits = kits;
    def.kit_count = 3;
    def.prepare = grid_prepare;
    def.scripts = kn_script_loader_scripts(loader);
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "a.yaml", content, strlen(content)), KN_OK);
    assert_int_equal(kn_data_add_text(data, "a.lua", chunk, strlen(chunk)), KN_OK);
    if (kn_data_build(data, &library) != KN_OK) {
        char line[512];
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            (void)kn_data_message_print(data, i, line, sizeof(line));
            print_error("%s\n", line);
        }
        fail();
    }
    field_begin(&f, library);
    (void)unit_at(&f, "Soldier", f.us, 0, 0);
    kn_entity_id foe = unit_at(&f, "Dummy", f.them, 2, 0);
    assert_int_equal(kn_timer_start(f.world, kn_timer_type_find(f.library, "Play"),
                         (kn_entity_id){0}, 0, NULL, NULL),
        KN_OK);
    step_ms(&f, 0);
    assert_string_equal(printed, "hit 19.0 true;done;");
    step_ms(&f, 1000);
    assert_true(health(&f, foe) == 0);
    // The way is blocked half-way.
    kn_rts_projectile_def shot = kn_rts_projectile_def_default();
    kn_rts_projectile_info info;
    kn_entity_id projectile;
    shot.weapon = weapon_named(&f, "Bow");
    shot.source = foe;
    shot.to = (kn_vec3){82, 0, 0};
    assert_int_equal(kn_rts_projectile_launch(f.world, &shot, &projectile), KN_OK);
    assert_true(kn_rts_projectile_get(f.world, projectile, &info));
    near(info.to.x, 42, 0);
    field_end(&f);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(attacks_are_played_by_scripts),
};

TEST_GROUP(rts_attack_script, tests, NULL, NULL);
