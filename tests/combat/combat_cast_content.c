// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Casts as designers write them: in data files, with hooks in Lua, and what is said about mistakes.

#include "cast_test.h"
#include "combat_content.h"

static const char content[] =
    "tags: [School.Fire, School.Frost, State.Dead, State.Rooted, GameplayCue.Cast]\n"
    "attribute_sets:\n"
    "  Vitals:\n"
    "    attributes: {Health: {default_value: 1000}, Mana: {default_value: 100}, Haste: 1}\n"
    "combat: {Rules: {health: Vitals.Health, dead: State.Dead}}\n"
    "effects:\n"
    "  Scorch: {modifiers: {Hit.Damage: 30}}\n"
    "  Chill: {modifiers: {Hit.Damage: 5}}\n"
    "  Kick: {raises: {Knack.Interrupt: 4}}\n"
    "  Swift: {duration_kind: infinite, modifiers: [{value: Knack.CastLength, op: multiply, "
    "magnitude: 0.5}]}\n"
    "values:\n"
    "  Game.Global: {min: 0.75, max: 1.5}\n"
    "abilities:\n"
    "  Fireball:\n"
    "    tags: [School.Fire]\n"
    "    costs: {Vitals.Mana: 20}\n"
    "    cooldowns: [{key: Knack.Cooldown.Global, duration: 1.5, starts: at_activation, value: "
    "Game.Global}]\n"
    "  Blizzard: {tags: [School.Frost]}\n"
    "  Charge:\n"
    "  Shout: {tags: [Knack.Use.WhileCasting], body: use}\n"
    "casts:\n"
    "  Fireball:\n"
    "    length: 2.5 / source.Vitals.Haste\n"
    "    applies: [{effect: Scorch, to: target}]\n"
    "    commit: completion\n"
    "    revalidate: true\n"
    "    breaks_on: [Knack.Moving, State.Rooted]\n"
    "    pushback: 0.4\n"
    "    frees_global: true\n"
    "    cue: GameplayCue.Cast\n"
    "    script: fireball\n"
    "  Storm:\n"
    "    ability: Blizzard\n"
    "    kind: channel\n"
    "    length: 4\n"
    "    ticks: 4\n"
    "    initial_tick: true\n"
    "    applies: [{effect: Chill, to: target}]\n"
    "    completes: [{effect: Scorch, to: target}]\n"
    "    interruptible: false\n"
    "    pushback_share: 0.1\n"
    "    pushbacks: 1\n"
    "    pushed_by_ticks: true\n"
    "  Charge: {kind: held, length: 2, stages: 2, hold: 1, school: [School.Frost], in_slot: "
    "false}\n";

static const char script[] =
    "cast 'fireball' {\n"
    "    began = function(self, args) print('began', self.name, args.role) end,\n"
    "    tick = function(self, args)\n"
    "        print('tick', args.tick, args.ticks, args.target == nil)\n"
    "        self.entity:set_base('Vitals.Haste', 2)\n"
    "    end,\n"
    "    completed = function(self, args) print('completed', args.outcome) end,\n"
    "    interrupted = function(self, args) print('interrupted', args.outcome) end,\n"
    "}\n";

static void world_fill(arena *a)
{
    kn_world_def def = kn_world_def_default();
    def.library = a->library;
    def.hooks.log_fn = log_line;
    expect_ok(kn_world_create(&def, &a->world));
    a->vitals = kn_attribute_set_find(a->library, "Vitals");
    a->health = kn_attribute_find(a->library, "Vitals.Health");
    a->mana = kn_attribute_find(a->library, "Vitals.Mana");
    a->hero = arena_spawn(a);
    a->foe = arena_spawn(a);
    a->ally = arena_spawn(a);
}

static kn_ability_id granted(arena *a, const char *name)
{
    return arena_grant(a, a->hero, kn_ability_type_find(a->library, name));
}

// USE-006: everything about a use is data; a cast belongs to the ability of its name.
static void casts_are_written_in_data_files(void **state)
{
    stage s = {0};
    (void)state;
    kn_script_loader *loader = loader_create();
    kn_data *data = data_of(loader, script, content);
    arena *a = &s.a;
    a->library = library_of(data);
    const kn_cast_def *storm = kn_cast_get_def(a->library, kn_cast_find(a->library, "Storm"));
    assert_true(storm->kind == KN_CAST_CHANNEL && storm->ticks == 4 && storm->initial_tick);
    assert_true(storm->apply_count == 1 && storm->complete_count == 1 && !storm->interruptible);
    assert_true(storm->pushback_share == 0.1f && storm->pushbacks == 1 && storm->pushed_by_ticks);
    const kn_cast_def *charge = kn_cast_get_def(a->library, kn_cast_find(a->library, "Charge"));
    assert_true(charge->kind == KN_CAST_HELD && charge->stages == 2 && charge->hold == 1.0f);
    assert_true(charge->school.count == 1 && !charge->in_slot);
    world_fill(a);
    kn_ability_id fireball = granted(a, "Fireball"), blizzard = granted(a, "Blizzard");
    printed[0] = 0;
    expect_ok(use(&s, fireball));
    assert_int_equal(info_of(a, a->hero).total, KN_MS(2500)); // a formula
    kn_time left, total;
    assert_true(kn_global_cooldown(a->world, a->hero, &left, &total) && total == KN_MS(1500));
    arena_until(a, 2500);
    assert_string_equal(printed, "began\tFireball\tauthority;tick\t1\t1\tfalse;completed\tdone;");
    assert_true(health_of(a, a->foe) == 970.0f && mana_of(a, a->hero) == 80.0f);
    expect_ok(use(&s, fireball));
    assert_int_equal(info_of(a, a->hero).total, KN_MS(1250)); // the script has made it faster
    printed[0] = 0;
    expect_ok(kn_effect_apply_simple(
        a->world, kn_effect_type_find(a->library, "Kick"), a->ally, a->hero, 1.0f, NULL));
    assert_string_equal(printed, "interrupted\tinterrupted;");
    assert_int_equal(kn_lockouts(a->world, a->hero, NULL, 0), 1);
    expect_ok(use(&s, blizzard));
    arena_until(a, 7000);
    assert_true(health_of(a, a->foe) == 970.0f - 25.0f - 30.0f);
    arena_end(a);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

// Mistakes are reported with their place and the remedy.
static void expect_message(const char *yaml, const char *expected)
{
    kn_script_loader *loader = loader_create();
    kn_data *data = data_of(loader, script, yaml);
    kn_library *library;
    char line[512];
    expect_result(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    (void)kn_data_message_print(data, 0, line, sizeof(line));
    if (strstr(line, expected) == NULL) {
        print_error("%s\n", line);
        fail();
    }
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static void mistakes_have_a_place_and_a_remedy(void **state)
{
    (void)state;
    expect_message("abilities:\n  Bolt:\ncasts:\n  Bolt: {ticks: 3}\n", "write kind: channel");
    expect_message("abilities:\n  Bolt:\ncasts:\n  Bolt: {ticks: 3}\n", "t.yaml:4:");
    expect_message(
        "abilities:\n  Bolt:\ncasts:\n  Bold: {length: 3}\n", "there is no ability of this name");
    expect_message(
        "abilities:\n  Bolt: {body: use}\ncasts:\n  Bolt: {length: 3}\n", "must not have a body");
    expect_message("casts:\n  Bolt: {kind: chanel}\n", "channel");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(casts_are_written_in_data_files),
    cmocka_unit_test(mistakes_have_a_place_and_a_remedy),
};

TEST_GROUP(combat_cast_content, tests, NULL, NULL);
