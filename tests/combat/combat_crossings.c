// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Everything at once: casts, hits that are absorbed, shared and reflected, procs, auras, threat,
// diminishing returns, resources and presses cross each other at random. Whatever happens, a copy
// goes on as the world does, steps of any size lead to the same state, and a library with other
// numbers can take over.

#include "combat_copies.h"

#include <knack/data.h>

#define PEOPLE 6

static const char content[] =
    "settings: {dead_tag: State.Dead}\n"
    "tags: [State.Dead, School.Fire, School.Frost, Kind.Monster, Dispel.Magic, Knack.Dispel.Wash,\n"
    "  State.Stunned]\n"
    "attribute_sets:\n"
    "  Vitals:\n"
    "    attributes:\n"
    "      MaxHealth: 1000\n"
    "      Health: {default_value: 1000, base_min: 0, base_max: MaxHealth, min: 0, max: "
    "MaxHealth,\n"
    "        link: proportion, no_modifiers: true}\n"
    "      MaxMana: 100\n"
    "      Mana: {default_value: 100, base_min: 0, base_max: MaxMana, min: 0, max: MaxMana,\n"
    "        link: proportion, no_modifiers: true}\n"
    "      Rage: {base_min: 0, base_max: 100, min: 0, max: 100, no_modifiers: true}\n"
    "combat: {Rules: {health: Vitals.Health, dead: State.Dead, threat_tag: Kind.Monster}}\n"
    "resources:\n"
    "  Mana: {attribute: Vitals.Mana, regeneration: {amount: 7, interval: 0.7, delay: 0.5,\n"
    "    in_combat: 0.5, while_casting: 0}}\n"
    "  Rage: {attribute: Vitals.Rage, regeneration: {amount: 3}, decay: {amount: 2, delay: 1,\n"
    "    in_combat: 0}, rest: 10}\n"
    "diminishing: {Stuns: {reset: 5}}\n"
    "outcomes: {Critical: {chance: 0.3, factor: 2}, Missed: {chance: 0.1, factor: 0, ends: true}}\n"
    "effects:\n"
    "  Burn: {asset_tags: [School.Fire], modifiers: {Hit.Damage: 60}}\n"
    "  Chill: {asset_tags: [School.Frost], modifiers: {Hit.Damage: 25, Vitals.Rage: 9}}\n"
    "  Tapped: {modifiers: {Hit.Damage: 30}}\n"
    "  Mended: {modifiers: {Hit.Healing: 80}}\n"
    "  Rot: {duration: 4, period: 0.5, modifiers: {Hit.Damage: 12},\n"
    "    stacking: {kind: by_target, limit: 3}}\n"
    "  Ward: {duration: 9, stacking: {kind: by_target, limit: 2}}\n"
    "  Mirror: {duration: 7}\n"
    "  Bond: {duration: 8}\n"
    "  Sleep: {duration: 5, duration_value: Knack.Duration, granted_tags: [State.Stunned]}\n"
    "  Stun: {duration: 2, duration_value: Knack.Duration, granted_tags: [State.Stunned],\n"
    "    stacking: {kind: by_target, limit: 2}}\n"
    "  Hasty: {duration: 3, modifiers: [{value: Knack.CastLength, op: multiply, magnitude: 0.4}]}\n"
    "  Vigour: {duration: 4, modifiers: {Vitals.MaxHealth: 300, Vitals.MaxMana: 50}}\n"
    "  Fury: {duration: 12, stacking: {kind: by_target, limit: 4}}\n"
    "  Thorns: {duration: 12}\n"
    "  Banner: {duration: 6}\n"
    "  Inspired: {duration: infinite,\n"
    "    modifiers: [{value: Knack.DamageDone, op: multiply, magnitude: 1.2}]}\n"
    "  Kicked: {raises: {Knack.Interrupt: 2}}\n"
    "  Taunted: {raises: {Knack.Taunt: 2}}\n"
    "  Washed: {raises: {Knack.Dispel.Wash: 2}}\n"
    "  Raised: {raises: {Knack.Resurrect: 0.5}}\n"
    "buffs:\n"
    "  Rot: {polarity: debuff, dispel_type: Dispel.Magic}\n"
    "  Ward: {absorb: {amount: 90, again: sum}, dispel_type: Dispel.Magic}\n"
    "  Mirror: {reflects: {part: 0.4, reflected: true}}\n"
    "  Bond: {shares: {part: 0.5}}\n"
    "  Sleep: {polarity: debuff, diminishing: Stuns, breaks_after: 40}\n"
    "  Stun: {polarity: debuff, diminishing: Stuns, dispel_type: Dispel.Magic}\n"
    "  Fury: {dispel_type: Dispel.Magic}\n"
    "  Thorns: {dispel_type: Dispel.Magic}\n"
    "  Banner: {dispel_type: Dispel.Magic}\n"
    "dispels: {Wash: {on: Knack.Dispel.Wash, count: 1, polarity: [buff, debuff],\n"
    "  types: [Dispel.Magic]}}\n"
    "procs:\n"
    "  Fury: {on: [hit_done], uses_stacks: true, chance: 0.5, actions: [{effect: Rot, to: "
    "other}]}\n"
    "  Fury Ends: {effect: Fury, on: [hit_taken], uses_stacks: true, triggered: true,\n"
    "    actions: [{effect: Mended}]}\n"
    "  Thorns: {on: [hit_taken], triggered: true, charges: 5, cooldown: 0.3,\n"
    "    actions: [{effect: Chill, to: source}, {effect: Washed, to: bearer}]}\n"
    "  Spite: {effect: Thorns, on: [death], actions: [{effect: Burn, to: source}]}\n"
    "auras: {Banner: {effect: Inspired, linger: 1, includes_self: true, interval: 0.4}}\n"
    "abilities:\n"
    "  Fireball: {tags: [School.Fire], costs: {Vitals.Mana: 9}, cooldowns: [{key:\n"
    "    Knack.Cooldown.Global, duration: 1, starts: at_activation, value: Knack.GlobalLength}]}\n"
    "  Blizzard: {tags: [School.Frost], costs: {Vitals.Mana: 5}}\n"
    "  Tap: {}\n"
    "  Kick: {body: use, cooldowns: [{duration: 2}], applies: {Kicked: target}}\n"
    "casts:\n"
    "  Fireball: {length: 1.5, breaks_on: [State.Stunned], frees_global: true,\n"
    "    applies: [{effect: Burn, to: target}]}\n"
    "  Blizzard: {kind: channel, length: 2, ticks: 4, initial_tick: true,\n"
    "    applies: [{effect: Chill, to: target}]}\n"
    "  Tap: {length: 0.6, applies: [{effect: Tapped, to: owner}],\n"
    "    completes: [{effect: Fury, to: owner}]}\n"
    "inputs: {Kick: {automatic: true}, Blizzard: {cancel_on_release: true}}\n";

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_combat_register(library, error);
}

static kn_library *library_of(const char *yaml)
{
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    def.prepare = prepare;
    expect_ok(kn_data_create(&def, &data));
    expect_ok(kn_data_add_text(data, "crossings.yaml", yaml, strlen(yaml)));
    if (kn_data_build(data, &library) != KN_OK) {
        char line[512];
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            (void)kn_data_message_print(data, i, line, sizeof(line));
            print_error("%s\n", line);
        }
        fail();
    }
    kn_data_destroy(data);
    return library;
}

// The fight: places for people, of whom some are gone. The first half are monsters.
typedef struct brawl {
    arena a;
    uint32_t hits, deaths, procs, casts; // events so far
    kn_entity_id people[PEOPLE];
    kn_ability_id abilities[PEOPLE][4];
} brawl;

static uint32_t below(uint64_t *random, uint32_t bound)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33) % bound;
}

static void spawn(brawl *b, uint32_t at)
{
    static const char *const names[] = {"Fireball", "Blizzard", "Tap", "Kick"};
    arena *a = &b->a;
    b->people[at] = arena_spawn(a);
    if (at < PEOPLE / 2) {
        expect_ok(kn_entity_add_loose_tag(
            a->world, b->people[at], kn_tag_find(a->library, "Kind.Monster"), KN_TAG_SYNC_TAG));
    }
    for (uint32_t i = 0; i < 4; i++) {
        b->abilities[at][i] =
            arena_grant(a, b->people[at], kn_ability_type_find(a->library, names[i]));
    }
}

static void brawl_begin(brawl *b)
{
    memset(b, 0, sizeof(*b));
    arena *a = &b->a;
    a->library = library_of(content);
    a->vitals = kn_attribute_set_find(a->library, "Vitals");
    kn_world_def def = kn_world_def_default();
    def.library = a->library;
    expect_ok(kn_world_create(&def, &a->world));
    kn_world_set_moving(a->world, true);
    for (uint32_t i = 0; i < PEOPLE; i++) {
        spawn(b, i);
    }
}

// Applies an effect at random.
static void apply_any(brawl *b, uint64_t *random, kn_entity_id source, kn_entity_id target)
{
    static const char *const names[] = {"Burn", "Chill", "Mended", "Rot", "Ward", "Mirror", "Bond",
        "Sleep", "Stun", "Hasty", "Vigour", "Fury", "Thorns", "Banner", "Kicked", "Taunted",
        "Washed", "Raised"};
    kn_effect_type_id type =
        kn_effect_type_find(b->a.library, names[below(random, sizeof(names) / sizeof(*names))]);
    (void)kn_effect_apply_simple(b->a.world, type, source, target, 1.0f, NULL);
}

static void press_any(brawl *b, uint64_t *random, uint32_t who, kn_entity_id target)
{
    kn_input_press_def press = kn_input_press_def_default();
    press.ability = b->abilities[who][below(random, 4)];
    press.event.instigator = b->people[who];
    press.event.target = target;
    if (below(random, 4) == 0) {
        (void)kn_input_queue_release(b->a.world, b->people[who], press.ability);
    } else {
        (void)kn_input_queue_press(b->a.world, b->people[who], &press, NULL);
    }
}

// Calls that a game makes now and then.
static void call_any(brawl *b, uint64_t *random, uint32_t who, kn_entity_id other)
{
    kn_world *world = b->a.world;
    kn_entity_id own = b->people[who];
    switch (below(random, 8)) {
    case 0:
        (void)kn_cast_cancel(world, own, below(random, 3));
        break;
    case 1:
        (void)kn_threat_clear(world, other);
        break;
    case 2:
        (void)kn_threat_redirect(world, own, other, 0.5f, KN_MS(900));
        break;
    case 3:
        (void)kn_combat_leave(world, own);
        break;
    case 4:
        (void)kn_combat_kill(world, own, other);
        break;
    case 5:
        (void)kn_ability_remove(world, b->abilities[who][below(random, 4)], KN_GRANT_CANCEL);
        break;
    case 6:
        (void)kn_aura_set_member(world, own, (kn_aura_id){1}, other, below(random, 3) > 0);
        break;
    default:
        assert_true(kn_entity_destroy(world, own));
        spawn(b, who);
        break;
    }
}

static void happen(brawl *b, uint64_t *random)
{
    uint32_t who = below(random, PEOPLE);
    kn_entity_id other = b->people[below(random, PEOPLE)];
    switch (below(random, 8)) {
    case 0:
    case 1:
    case 2:
        apply_any(b, random, b->people[who], other);
        break;
    case 3:
    case 4:
    case 5:
        press_any(b, random, who, other);
        break;
    case 6:
        (void)kn_aura_set_member(b->a.world, b->people[who], (kn_aura_id){1}, other, true);
        break;
    default:
        call_any(b, random, who, other);
        break;
    }
}

static void note(brawl *b)
{
    uint32_t count;
    (void)arena_event(&b->a, "Knack.Hit", &count);
    b->hits += count;
    (void)arena_event(&b->a, "Knack.Died", &count);
    b->deaths += count;
    (void)arena_event(&b->a, "Knack.Proc", &count);
    b->procs += count;
    (void)arena_event(&b->a, "Knack.CastEnded", &count);
    b->casts += count;
}

// Plays a number of turns; with `parts` each step is made in as many parts.
static void play(brawl *b, uint64_t *random, uint32_t turns, uint32_t parts)
{
    for (uint32_t i = 0; i < turns; i++) {
        uint32_t deeds = below(random, 4);
        for (uint32_t k = 0; k < deeds; k++) {
            happen(b, random);
        }
        kn_time time = KN_MS(below(random, 700));
        for (uint32_t k = 0; k < parts; k++) {
            expect_ok(kn_world_step(b->a.world, time * (k + 1) / parts - time * k / parts));
            note(b);
        }
    }
}

// The content with one part replaced; the caller frees it.
static char *changed(const char *yaml, const char *from, const char *to)
{
    const char *at = strstr(yaml, from);
    assert_non_null(at);
    size_t size = strlen(yaml) + strlen(to) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    (void)snprintf(text, size, "%.*s%s%s", (int)(at - yaml), yaml, to, at + strlen(from));
    return text;
}

static void expect_sound(const brawl *b)
{
    assert_true(kn_world_validate(b->a.world));
    for (uint32_t i = 0; i < PEOPLE; i++) {
        kn_entity_id own = b->people[i];
        float health =
            kn_attribute_value(b->a.world, own, kn_attribute_find(b->a.library, "Vitals.Health"));
        assert_true(isfinite(health) && health >= 0.0f);
        kn_entity_id target = kn_threat_target(b->a.world, own);
        assert_true(target.index1 == 0 || kn_entity_is_alive(b->a.world, target));
        if (kn_combat_is_dead(b->a.world, own)) {
            assert_false(kn_combat_in_combat(b->a.world, own));
            assert_int_equal(kn_threat_list(b->a.world, own, NULL, 0), 0);
        }
    }
}

static void copies_go_on_alike_whatever_crosses(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        brawl b;
        uint64_t random = seed * 7919;
        brawl_begin(&b);
        for (uint32_t round = 0; round < 12; round++) {
            play(&b, &random, 8, 1);
            expect_sound(&b);
            brawl copy = b;
            uint64_t same = random;
            copy.a.world = arena_loaded(&b.a);
            play(&b, &random, 8, 1);
            play(&copy, &same, 8, 5);
            expect_same_worlds(b.a.world, copy.a.world);
            kn_world_destroy(copy.a.world);
        }
        assert_true(b.hits > 50 && b.deaths > 0 && b.procs > 5 && b.casts > 10);
        arena_end(&b.a);
    }
}

// The counts of casts, charges, pools and stacks change while all of them are in use.
static void a_changed_library_takes_over_in_the_middle(void **state)
{
    static const char *const changes[][2] = {
        {"kind: channel, length: 2, ticks: 4", "kind: channel, length: 3, ticks: 2"},
        {"kind: channel, length: 2, ticks: 4, initial_tick: true", "length: 1"},
        {"charges: 5, cooldown: 0.3", "cooldown: 2"},
        {"absorb: {amount: 90, again: sum}, ", ""},
        {"polarity: debuff, diminishing: Stuns, breaks_after: 40", "polarity: debuff"},
        {"  Spite: {effect: Thorns", "  Grief: {effect: Thorns"},
        {"threat_tag: Kind.Monster", "combat_lasts: 1, dead_keep_threat: false"},
        {"linger: 1, includes_self: true, interval: 0.4", "interval: 0.9"},
        {"regeneration: {amount: 3}, ", ""},
        {"  Tap: {length: 0.6", "  Tap: {kind: instant"},
    };
    (void)state;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        brawl b;
        uint64_t random = 31 + i;
        brawl_begin(&b);
        play(&b, &random, 60, 1);
        char *text = changed(content, changes[i][0], changes[i][1]);
        kn_library *old = b.a.library, *fresh = library_of(text);
        kn_error error = {0};
        uint64_t hash = kn_world_hash(b.a.world);
        bool is_taken = kn_world_reload(b.a.world, fresh, &error) == KN_OK;
        taken += is_taken;
        if (is_taken) {
            b.a.library = fresh;
        } else {
            assert_true(error.message[0] != 0 && kn_world_hash(b.a.world) == hash);
        }
        for (uint32_t round = 0; round < 6; round++) {
            play(&b, &random, 10, 1);
            assert_true(kn_world_validate(b.a.world));
            kn_world_destroy(arena_loaded(&b.a));
        }
        kn_world_destroy(b.a.world);
        kn_library_destroy(old);
        kn_library_destroy(fresh);
        free(text);
    }
    assert_true(taken >= 8);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(copies_go_on_alike_whatever_crosses),
    cmocka_unit_test(a_changed_library_takes_over_in_the_middle),
};

TEST_GROUP(combat_crossings, tests, NULL, NULL);
