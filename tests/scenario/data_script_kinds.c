// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of an own kind in YAML whose hooks are written in Lua.

#include "scenario/data_fixture.h"
#include "scenario/order_kind.h"

#include "knack/script.h"

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    return order_kind_register(library, user, error);
}

static void log_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static const order_def *order_of(const kn_library *library, kn_def_kind kind, const char *name)
{
    const order_def *def = kn_def_get(library, kind, kn_def_find(library, kind, name));
    assert_non_null(def);
    return def;
}

static const char hooks_chunk[] =
    "order 'attack' {\n"
    "    begin = function(self, args)\n"
    "        if args.strength < 0 then return false end\n"
    "        if args.strength == 0 then error('no strength') end\n"
    "        self.entity:set_base('Vitals.Power', args.strength + "
    "args.target:value('Vitals.Power'))\n"
    "        args.target:add_tag(world.def(self.kind, self.name).tag)\n"
    "    end,\n"
    "    score = function(self, args)\n"
    "        return {points = {args.points[1] + 1, args.target:value('Vitals.Power')},\n"
    "            stance = 'chase', next = 'Stop'}\n"
    "    end,\n"
    "}\n"
    "order 'writes' { score = function(self) self.entity:add_tag('Unit.Busy') end }\n"
    "order 'wrong' { score = function(self) return {point = 1} end }\n";

static kn_result bind_refused(const char *chunk, const char *orders, char *line, uint32_t size)
{
    kn_script_loader *loader;
    kn_def_kind kind;
    assert_int_equal(kn_script_loader_create(NULL, &loader), KN_OK);
    kn_data_def def = kn_data_def_default();
    def.prepare = prepare;
    def.user = &kind;
    def.scripts = kn_script_loader_scripts(loader);
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    data_add(data, "t.lua", chunk);
    data_add(data, "t.yaml", orders);
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    (void)kn_data_message_print(data, 0, line, size);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
    return result;
}

static void hooks_of_own_kinds_are_written_in_lua(void **state)
{
    (void)state;
    kn_script_loader *loader;
    kn_def_kind kind;
    kn_script_def script_def = kn_script_def_default();
    script_def.hooks.log_fn = log_nothing;
    assert_int_equal(kn_script_loader_create(&script_def, &loader), KN_OK);
    kn_data_def def = kn_data_def_default();
    def.prepare = prepare;
    def.user = &kind;
    def.scripts = kn_script_loader_scripts(loader);
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    data_add(data, "t.lua", hooks_chunk);
    data_add(data, "t.yaml",
        "tags: [Unit.Busy]\n"
        "attribute_sets: {Vitals: {attributes: {Power: 10}}}\n"
        "archetypes: {Unit: {sets: [Vitals]}}\n"
        "orders:\n"
        "  Stop:\n"
        "  Attack: {script: attack, tag: Unit.Busy}\n"
        "  Rush: {parent: Attack}\n"
        "  Calm: {parent: Attack, script: null}\n"
        "  Writes: {script: writes}\n"
        "  Wrong: {script: wrong}\n");
    kn_library *library = data_build(data);
    assert_int_equal(kn_data_message_count(data), 0); // the lints know the word `order`
    kn_data_destroy(data);
    kn_world_def world_def = kn_world_def_default();
    world_def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
    kn_archetype_id unit = kn_archetype_find(library, "Unit");
    kn_entity_id hero, foe;
    assert_int_equal(kn_archetype_spawn(world, unit, 1.0f, &hero), KN_OK);
    assert_int_equal(kn_archetype_spawn(world, unit, 1.0f, &foe), KN_OK);

    const order_def *attack = order_of(library, kind, "Attack");
    uint32_t index1 = kn_def_find(library, kind, "Attack");
    order_begin begin = {foe, 5.0f};
    assert_int_equal(kn_hook_run(world, kind, index1, &attack->begin, hero, &begin), KN_OK);
    kn_attribute_id power = kn_attribute_find(library, "Vitals.Power");
    assert_true(kn_attribute_value(world, hero, power) == 15.0f);
    assert_true(kn_attribute_value(world, foe, power) == 10.0f);
    assert_true(kn_entity_has_tag(world, foe, kn_tag_find(library, "Unit.Busy")));
    assert_false(kn_entity_has_tag(world, hero, kn_tag_find(library, "Unit.Busy")));
    begin.strength = -1.0f;
    assert_int_equal(
        kn_hook_run(world, kind, index1, &attack->begin, hero, &begin), KN_REFUSED_CUSTOM);
    begin.strength = 0.0f;
    assert_int_equal(
        kn_hook_run(world, kind, index1, &attack->begin, hero, &begin), KN_ERROR_BAD_DATA);
    kn_script_error error;
    assert_true(kn_script_get_error(kn_script_loader_script(loader), 0, &error));
    assert_string_equal(error.definition, "order attack.begin");
    assert_int_equal(error.line, 4);

    order_score score = {hero, {1.0f, 2.0f}, STANCE_HOLD, {0}};
    const order_def *rush = order_of(library, kind, "Rush");
    assert_int_equal(kn_hook_read(world, kind, index1, &rush->score, foe, &score), KN_OK);
    assert_int_equal(score.target.index1, hero.index1);
    assert_true(score.points[0] == 2.0f && score.points[1] == 15.0f);
    assert_int_equal(score.stance, STANCE_CHASE);
    assert_int_equal(score.next.index1, kn_def_find(library, kind, "Stop"));
    assert_null(order_of(library, kind, "Calm")->score.function);

    uint64_t hash = kn_world_hash(world);
    order_score before = score;
    const char *const bad[] = {"Writes", "Wrong"}; // a hook that only reads; an unknown answer
    for (uint32_t i = 0; i < 2; i++) {
        const order_def *order = order_of(library, kind, bad[i]);
        assert_int_equal(
            kn_hook_read(world, kind, 1, &order->score, foe, &score), KN_ERROR_BAD_DATA);
        assert_memory_equal(&score, &before, sizeof(score));
    }
    assert_true(kn_world_hash(world) == hash);
    kn_script_loader_destroy(loader);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void bodies_that_do_not_fit_the_kind_are_refused(void **state)
{
    (void)state;
    char line[512];
    const char *orders = "orders: {Attack: {script: attack}}\n";
    assert_int_equal(bind_refused("", orders, line, sizeof(line)), KN_ERROR_BAD_DATA);
    assert_string_equal(line, "t.yaml:1:27: error: no chunk defines order `attack`");
    assert_int_equal(
        bind_refused("order 'attack' { begun = function() end }", orders, line, sizeof(line)),
        KN_ERROR_BAD_DATA);
    assert_string_equal(line, "t.yaml:1:27: error: order `attack` has an unknown field `begun`");
    assert_int_equal(
        bind_refused("order 'attack' {}", orders, line, sizeof(line)), KN_ERROR_BAD_DATA);
    assert_string_equal(line, "t.yaml:1:27: error: order `attack` has no function");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(hooks_of_own_kinds_are_written_in_lua),
    cmocka_unit_test(bodies_that_do_not_fit_the_kind_are_refused),
};

TEST_GROUP(data_script_kinds, tests, NULL, NULL);
