// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Technology in Lua: every function is called, and the hook of an upgrade is a script.

#include "rts/tech_test.h"

#include "knack/script.h"

static const char chunk[] =
    "local function same(have, want, what)\n"
    "    if have ~= want then\n"
    "        error((what or 'value') .. ': ' .. tostring(have) .. ', not ' .. tostring(want), 2)\n"
    "    end\n"
    "end\n"
    "rts_upgrade 'Cheat' {\n"
    "    changed = function(self, call)\n"
    "        print('cheat ' .. call.before .. ' ' .. call.after)\n"
    "    end,\n"
    "}\n"
    "timer 'Play' { fired = function(self)\n"
    "    local found = world.entities()\n"
    "    local us, them, smithy = found[1], found[2], found[3]\n"
    "    same(us:rts_upgrade_level('Cheat'), 0)\n"
    "    same(us:rts_set_upgrade('Cheat', 2), true)\n"
    "    same(us:rts_upgrade_level('Cheat'), 2)\n"
    "    local info = smithy:rts_research_info('Blades')\n"
    "    same(#info.why_not, 0) same(info.level, 0) same(info.max_level, 3) same(info.seconds, "
    "20)\n"
    "    same(smithy:rts_research('Blades'), true)\n"
    "    same(smithy:rts_research_info('Blades').why_not[1], 'runs')\n"
    "    local again, why = smithy:rts_research('Blades')\n"
    "    same(again, nil) same(why, 'exclusive')\n"
    "    same(us:rts_cancel_research('Blades'), true)\n"
    "    same(us:base('Stock.Gold'), 1000)\n"
    "    same(us:rts_meets('Noble'), false)\n"
    "    us:add_tag('Tech.Hall') us:add_tag('Tech.Steel')\n"
    "    same(us:rts_meets('Noble'), true)\n"
    "    local crowd = us:rts_population()\n"
    "    same(crowd.used, 0) same(crowd.cap, 0) same(crowd.room, 0)\n"
    "    same(us:rts_pay('Stock.Gold', 250), true)\n"
    "    local poor, cost = us:rts_pay('Stock.Gold', 751)\n"
    "    same(poor, nil) same(cost, 'cost')\n"
    "    same(us:rts_transfer(them, 'Stock.Gold', 50), true)\n"
    "    same(us:base('Stock.Gold'), 700) same(them:base('Stock.Gold'), 1050)\n"
    "    print('done')\n"
    "end }\n";

static char printed[1024];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    const size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s;", entry->message);
}

static void technology_is_played_by_scripts(void **state)
{
    static const kn_kit kits[] = {{"order", kn_order_register},
        {"production", kn_order_produce_register}, {"rts", kn_rts_register}};
    static const char more[] = "timers: {Play: {script: Play}}\n";
    const char *content =
        realm_text_with("Cheat: {max_level: 2}", "Cheat: {max_level: 2, script: Cheat}");
    kn_script_def script_def = kn_script_def_default();
    kn_script_loader *loader;
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    (void)state;
    script_def.hooks.log_fn = log_line;
    assert_int_equal(kn_script_loader_create(&script_def, &loader), KN_OK);
    def.kits = kits;
    def.kit_count = 3;
    def.warn = false;
    def.prepare = realm_prepare;
    def.scripts = kn_script_loader_scripts(loader);
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "a.yaml", content, strlen(content)), KN_OK);
    assert_int_equal(kn_data_add_text(data, "b.yaml", more, strlen(more)), KN_OK);
    assert_int_equal(kn_data_add_text(data, "a.lua", chunk, strlen(chunk)), KN_OK);
    if (kn_data_build(data, &library) != KN_OK) {
        char line[512];
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            (void)kn_data_message_print(data, i, line, sizeof(line));
            print_error("%s\n", line);
        }
        fail();
    }
    realm *r = realm_of(library);
    (void)spawn(r, "Smithy", r->us);
    assert_int_equal(kn_timer_start(r->world, kn_timer_type_find(r->library, "Play"),
                         (kn_entity_id){0}, 0, NULL, NULL),
        KN_OK);
    step_s(r, 0);
    assert_string_equal(printed, "cheat 0 2;done;");
    realm_free(r);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(technology_is_played_by_scripts),
};

TEST_GROUP(rts_tech_script, tests, NULL, NULL);
