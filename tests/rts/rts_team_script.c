// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Teams and vision in Lua: every function is called, and the hook of the rules is a script.

#include "rts/attack_test.h"

#include "knack/rts_team.h"
#include "knack/script.h"

static const char content[] = "kits: [order, rts]\n"
                              "tags: [Unit.Scout]\n"
                              "rts_team_rules: {Teams: {default_sight: 10, script: Teams}}\n"
                              "rts_units: {Scout: {name_tag: Unit.Scout}}\n"
                              "timers: {Play: {script: Play}, Later: {script: Later}}\n";

static const char chunk[] =
    "local function same(have, want, what)\n"
    "    if have ~= want then\n"
    "        error((what or 'value') .. ': ' .. tostring(have) .. ', not ' .. tostring(want), 2)\n"
    "    end\n"
    "end\n"
    "rts_team_rules 'Teams' {\n"
    "    sees = function(self, call)\n"
    "        if call.other:rts_team() == 9 then return {answer = 0} end\n"
    "    end,\n"
    "}\n"
    "timer 'Play' { fired = function(self)\n"
    "    local found = world.entities()\n"
    "    local us, them, mine, foe, thing = found[1], found[2], found[3], found[4], found[5]\n"
    "    same(mine:rts_player(), us) same(us:rts_add_player(), true)\n"
    "    same(thing:rts_player(), nil)\n"
    "    same(us:rts_set_team(4), true) same(mine:rts_team(), 4)\n"
    "    same(mine:rts_stance(foe), 'enemy')\n"
    "    same(us:rts_set_stance(them, 'indifferent'), true)\n"
    "    same(mine:rts_stance(foe), 'indifferent') same(foe:rts_stance(mine), 'enemy')\n"
    "    same(us:rts_clear_stance(them), true) same(mine:rts_stance(foe), 'enemy')\n"
    "    same(us:rts_set_mutual_stance(them, 'ally'), true)\n"
    "    same(foe:rts_stance(mine), 'ally') same(us:rts_shares_vision(them), true)\n"
    "    same(us:rts_set_shares_vision(them, false), true)\n"
    "    same(us:rts_shares_vision(them), false)\n"
    "    same(us:rts_set_shares_vision(them), true)\n"
    "    same(us:rts_shares_vision(them), true)\n"
    "    us:rts_set_mutual_stance(them, 'enemy') us:rts_set_shares_vision(them, false)\n"
    "    local again, why = us:rts_set_stance(mine, 'ally')\n"
    "    same(again, nil) same(why, 'not_found')\n"
    "    same(mine:rts_sight(), 10)\n"
    "    same(mine:rts_sees_place({x = 9, y = 0, z = 0}), true)\n"
    "    same(mine:rts_sees_place({x = 11, y = 0, z = 0}), false)\n"
    "    same(mine:rts_is_visible(foe), true) same(mine:rts_is_visible(mine), true)\n"
    "    same(us:rts_last_seen(foe).is_known, 1) same(us:rts_last_seen(foe).position.x, 5)\n"
    "    same(us:rts_ghosts(), 0)\n"
    "    same(them:rts_is_visible(thing), true) same(thing:rts_add_vision(), true)\n"
    "    same(them:rts_is_visible(thing), false) same(thing:rts_remove_vision(), true)\n"
    "    them:rts_set_team(9)\n"
    "    print('done')\n"
    "end }\n"
    "timer 'Later' { fired = function(self)\n"
    "    local found = world.entities()\n"
    "    same(found[3]:rts_is_visible(found[4]), false) -- as the hook says\n"
    "    same(found[1]:rts_last_seen(found[4]).is_known, 0)\n"
    "    print('later')\n"
    "end }\n";

static char printed[1024];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    const size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s;", entry->message);
}

static kn_entity_id scout(field *f, kn_entity_id owner, float x)
{
    kn_entity_id unit;
    kn_body body = kn_body_default();
    body.position.x = x;
    assert_int_equal(kn_entity_create(f->world, &unit), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, unit, owner), KN_OK);
    assert_int_equal(kn_grid_set_body(f->grid, unit, &body), KN_OK);
    assert_int_equal(
        kn_entity_add_tag(f->world, unit, tag_of(f, "Unit.Scout"), KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    return unit;
}

static void timer_play(field *f, const char *name)
{
    assert_int_equal(kn_timer_start(f->world, kn_timer_type_find(f->library, name),
                         (kn_entity_id){0}, 0, NULL, NULL),
        KN_OK);
    step_ms(f, 0);
}

static void teams_are_played_by_scripts(void **state)
{
    static const kn_kit kits[] = {{"order", kn_order_register}, {"rts", kn_rts_register}};
    kn_script_def script_def = kn_script_def_default();
    kn_script_loader *loader;
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    kn_entity_id thing;
    field f;
    (void)state;
    script_def.hooks.log_fn = log_line;
    assert_int_equal(kn_script_loader_create(&script_def, &loader), KN_OK);
    def.kits = kits;
    def.kit_count = 2;
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
    (void)scout(&f, f.us, 0);
    (void)scout(&f, f.them, 5);
    assert_int_equal(kn_entity_create(f.world, &thing), KN_OK);
    step_ms(&f, 500);
    timer_play(&f, "Play");
    assert_string_equal(printed, "done;");
    step_ms(&f, 600);
    timer_play(&f, "Later");
    assert_string_equal(printed, "done;later;");
    field_end(&f);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(teams_are_played_by_scripts),
};

TEST_GROUP(rts_team_script, tests, NULL, NULL);
