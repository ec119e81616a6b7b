// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Crowds and large numbers: whatever there is many of, nothing is left out without a word.

#include "combat_content.h"

static const char content[] =
    "tags: [School.Fire, State.Dead, Team.Monster, Dispel.Magic]\n"
    "attribute_sets:\n"
    "  Vitals: {attributes: {Health: {default_value: 100, base_min: 0, base_max: 100}}}\n"
    "combat: {Rules: {health: Vitals.Health, dead: State.Dead, threat_tag: Team.Monster}}\n"
    "effects:\n"
    "  Stun: {duration: 8, duration_value: Knack.Duration}\n"
    "  Root: {duration: 8, duration_value: Knack.Duration}\n"
    "  Hold: {duration: 8, duration_value: Knack.Duration}\n"
    "  Mark: {duration: 600}\n"
    "  Seal: {duration: 600}\n"
    "  Banner: {duration_kind: infinite}\n"
    "  Inspired: {duration_kind: infinite}\n"
    "  Thorns: {duration_kind: infinite}\n"
    "  Pricked: {duration: 600}\n"
    "diminishing: {Stuns: {}, Beasts: {targets: {required: Team.Monster}}}\n"
    "buffs:\n"
    "  Stun: {polarity: debuff, diminishing: Stuns}\n"
    "  Root: {polarity: debuff, diminishing: Stuns}\n"
    "  Hold: {polarity: debuff, diminishing: Beasts}\n"
    "  Mark: {polarity: debuff, dispel_type: Dispel.Magic}\n"
    "  Seal: {polarity: hidden, resistance: 0.9999999}\n"
    "dispels:\n"
    "  Cleanse: {types: Dispel.Magic, count: 400}\n"
    "  Pick: {polarity: hidden, count: 1000000000}\n"
    "auras: {Banner: {effect: Inspired, radius: 10}}\n"
    "targetings: {All: {script: All, shape: custom, includes_self: true}}\n"
    "procs: {Thorns: {on: hit_taken, actions: [{effect: Pricked, to: targeting, targeting: "
    "All}]}}\n"
    "abilities: {Fireball: {tags: [School.Fire]}}\n"
    "casts: {Fireball: {length: 2, script: fireball}}\n"
    "archetypes:\n"
    "  Unit: {sets: [Vitals, Hit], abilities: [Fireball]}\n"
    "  Monster: {parent: Unit, tags: [Team.Monster]}\n";

static const char script[] = "cast 'fireball' {\n"
                             "    interrupted = function(self, args) self.entity:destroy() end,\n"
                             "}\n"
                             "targeting 'All' {\n"
                             "    find = function(self)\n"
                             "        local found = {}\n"
                             "        for i, e in ipairs(world.entities()) do\n"
                             "            found[i] = { type = 'entity', entity = e }\n"
                             "        end\n"
                             "        return found\n"
                             "    end,\n"
                             "}\n";

typedef struct crowd {
    kn_script_loader *loader;
    kn_data *data;
    kn_library *library;
    kn_world *world;
    kn_entity_id hero, foe;
} crowd;

static kn_entity_id spawn(const crowd *c, const char *archetype)
{
    kn_entity_id entity;
    expect_ok(
        kn_archetype_spawn(c->world, kn_archetype_find(c->library, archetype), 1.0f, &entity));
    return entity;
}

static crowd crowd_begin(const kn_space *space)
{
    crowd c = {.loader = loader_create()};
    c.data = data_of(c.loader, script, content);
    c.library = library_of(c.data);
    kn_world_def def = kn_world_def_default();
    def.library = c.library;
    def.space = space;
    expect_ok(kn_world_create(&def, &c.world));
    c.hero = spawn(&c, "Unit");
    c.foe = spawn(&c, "Monster");
    printed[0] = 0;
    return c;
}

static void crowd_end(crowd *c)
{
    assert_true(kn_world_validate(c->world));
    kn_world_destroy(c->world);
    kn_library_destroy(c->library);
    kn_data_destroy(c->data);
    kn_script_loader_destroy(c->loader);
}

static kn_result apply_to(kn_world *world, kn_effect_type_id type, kn_entity_id source,
    kn_entity_id target, kn_effect_id *effect)
{
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = type;
    apply.source = source;
    apply.target = target;
    return kn_effect_apply(world, &apply, effect);
}

static uint32_t effects_of(const crowd *c, kn_entity_id entity, const char *type)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = kn_effect_type_find(c->library, type);
    return kn_effects_find(c->world, entity, &query, NULL, 0);
}

static uint32_t number_of(const crowd *c, const char *kind, const char *name)
{
    return kn_def_find(c->library, kn_kind_find(c->library, kind), name);
}

static bool error_was_reported(const crowd *c)
{
    kn_events events = kn_world_events(c->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ERROR) {
            assert_int_equal(events.data[i].data.error.code, KN_REFUSED_LIMIT);
            assert_int_equal(events.data[i].data.error.detail, KN_AURA_NEAR_MAX + 302);
            assert_true(kn_entity_id_equal(events.data[i].entity, c->hero));
            return true;
        }
    }
    return false;
}

static void an_interrupt_that_stopped_a_cast_is_done_without_its_lockout(void **state)
{
    (void)state;
    crowd c = crowd_begin(NULL);
    kn_ability_id fireball;
    kn_ability_query query = kn_ability_query_default();
    assert_int_equal(kn_abilities_find(c.world, c.hero, &query, &fireball, 1), 1);
    expect_ok(kn_ability_activate(c.world, fireball, NULL, NULL));
    kn_interrupt_def def = kn_interrupt_def_default();
    def.target = c.hero;
    def.instigator = c.foe;
    def.lockout = 4.0f;
    kn_interrupt_result result;
    // The hook of the cast destroys the caster: there is nobody to lock out.
    expect_ok(kn_cast_interrupt(c.world, &def, &result));
    assert_string_equal(kn_ability_type_name(c.library, result.ability), "Fireball");
    assert_true(result.lockout == 0.0f);
    expect_ok(kn_world_step(c.world, 0));
    assert_false(kn_entity_is_alive(c.world, c.hero));
    crowd_end(&c);
}

typedef struct stun_call {
    const crowd *crowd;
    kn_effect_id effects[4];
    kn_result results[4];
} stun_call;

static kn_result stuns_apply(void *user, kn_world *world)
{
    stun_call *call = user;
    const crowd *c = call->crowd;
    for (uint32_t i = 0; i < 4; i++) {
        call->results[i] =
            apply_to(world, kn_effect_type_find(c->library, i % 2 == 0 ? "Stun" : "Root"), c->foe,
                c->hero, &call->effects[i]);
    }
    return KN_OK;
}

static void effects_of_a_group_in_one_operation_diminish(void **state)
{
    (void)state;
    crowd c = crowd_begin(NULL);
    stun_call call = {.crowd = &c};
    kn_diminishing_id group = {number_of(&c, "diminishing", "Stuns")};
    expect_ok(kn_world_call(c.world, stuns_apply, &call));
    assert_int_equal(kn_effect_remaining(c.world, call.effects[0]), KN_S(8));
    assert_int_equal(kn_effect_remaining(c.world, call.effects[1]), KN_S(4));
    assert_int_equal(kn_effect_remaining(c.world, call.effects[2]), KN_S(2));
    expect_result(call.results[3], KN_REFUSED_BLOCKED);
    assert_int_equal(kn_diminishing_level(c.world, c.hero, group), 3);
    assert_true(kn_diminishing_factor(c.world, c.hero, group) == 0.0f);
    assert_true(kn_diminishing_factor(c.world, c.foe, group) == 1.0f);
    expect_ok(kn_world_step(c.world, KN_S(10)));
    assert_int_equal(kn_diminishing_level(c.world, c.hero, group), 3);
    expect_ok(kn_world_step(c.world, KN_S(14))); // 15 s after the last one
    assert_int_equal(kn_diminishing_level(c.world, c.hero, group), 0);
    crowd_end(&c);
}

static void what_did_not_count_does_not_count_later(void **state)
{
    (void)state;
    crowd c = crowd_begin(NULL);
    kn_diminishing_id group = {number_of(&c, "diminishing", "Beasts")};
    expect_ok(apply_to(
        c.world, kn_effect_type_find(c.library, "Hold"), c.foe, c.hero, &(kn_effect_id){0}));
    expect_ok(kn_world_step(c.world, 0));
    assert_int_equal(kn_diminishing_level(c.world, c.hero, group), 0);
    expect_ok(kn_entity_add_tag(
        c.world, c.hero, kn_tag_find(c.library, "Team.Monster"), KN_TAG_ORIGIN_LOOSE, 1));
    assert_int_equal(kn_diminishing_level(c.world, c.hero, group), 0);
    assert_true(kn_diminishing_factor(c.world, c.hero, group) == 1.0f);
    crowd_end(&c);
}

static void a_dispel_of_any_count_ends(void **state)
{
    (void)state;
    crowd c = crowd_begin(NULL);
    expect_ok(apply_to(
        c.world, kn_effect_type_find(c.library, "Seal"), c.foe, c.hero, &(kn_effect_id){0}));
    kn_dispel_result result;
    expect_ok(kn_dispel(
        c.world, (kn_dispel_id){number_of(&c, "dispel", "Pick")}, c.foe, c.hero, &result));
    assert_int_equal(result.attempts, KN_DISPEL_ATTEMPTS_MAX);
    assert_int_equal(result.resisted + result.removed, KN_DISPEL_ATTEMPTS_MAX);
    crowd_end(&c);
}

static void a_dispel_reaches_every_effect(void **state)
{
    (void)state;
    crowd c = crowd_begin(NULL);
    kn_effect_id first = {0}, last = {0};
    for (uint32_t i = 0; i < 600; i++) {
        expect_ok(apply_to(c.world, kn_effect_type_find(c.library, "Mark"), c.foe, c.hero, &last));
        first = i == 0 ? last : first;
    }
    kn_dispel_id cleanse = {number_of(&c, "dispel", "Cleanse")};
    kn_effect_id candidates[600];
    assert_int_equal(kn_dispel_candidates(c.world, cleanse, c.foe, c.hero, candidates, 600), 600);
    assert_memory_equal(&candidates[0], &first, sizeof(first)); // the oldest first
    assert_memory_equal(&candidates[599], &last, sizeof(last));
    kn_effect_id one;
    assert_int_equal(kn_dispel_candidates(c.world, cleanse, c.foe, c.hero, &one, 1), 600);
    assert_memory_equal(&one, &first, sizeof(first));
    kn_dispel_result result;
    expect_ok(kn_dispel(c.world, cleanse, c.foe, c.hero, &result));
    assert_int_equal(result.attempts, 400);
    assert_int_equal(result.removed, 400);
    assert_int_equal(effects_of(&c, c.hero, "Mark"), 200);
    crowd_end(&c);
}

static void death_ends_every_effect(void **state)
{
    (void)state;
    crowd c = crowd_begin(NULL);
    for (uint32_t i = 0; i < 1200; i++) {
        expect_ok(apply_to(
            c.world, kn_effect_type_find(c.library, "Mark"), c.foe, c.hero, &(kn_effect_id){0}));
    }
    expect_ok(kn_combat_kill(c.world, c.hero, c.foe));
    expect_ok(kn_world_step(c.world, 0));
    assert_int_equal(effects_of(&c, c.hero, "Mark"), 0);
    crowd_end(&c);
}

// A space in which everybody is at one place.
static bool here(void *user, const kn_world *world, kn_entity_id entity, kn_vec3 *position)
{
    (void)user;
    (void)world;
    (void)entity;
    *position = (kn_vec3){0};
    return true;
}

static uint32_t everybody(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    (void)user;
    (void)sphere;
    (void)filter;
    uint32_t count = 0;
    for (kn_entity_id entity = kn_entity_next(world, (kn_entity_id){0}); entity.index1 != 0;
         entity = kn_entity_next(world, entity)) {
        if (count < capacity) {
            out[count] = entity;
        }
        count++;
    }
    return count;
}

static void an_aura_with_too_many_near_it_says_so(void **state)
{
    (void)state;
    const kn_space space = {.position = here, .sphere = everybody};
    crowd c = crowd_begin(&space);
    for (uint32_t i = 0; i < 300; i++) {
        (void)spawn(&c, "Unit");
    }
    kn_aura_id banner = {number_of(&c, "aura", "Banner")};
    expect_ok(apply_to(
        c.world, kn_effect_type_find(c.library, "Banner"), c.hero, c.hero, &(kn_effect_id){0}));
    expect_ok(kn_world_step(c.world, KN_MS(10)));
    assert_int_equal(kn_aura_members(c.world, c.hero, banner, NULL, 0), 301);
    assert_false(error_was_reported(&c));
    for (uint32_t i = 0; i < KN_AURA_NEAR_MAX; i++) {
        (void)spawn(&c, "Unit");
    }
    expect_ok(kn_world_step(c.world, KN_S(1)));
    assert_int_equal(kn_aura_members(c.world, c.hero, banner, NULL, 0), KN_AURA_NEAR_MAX - 1);
    assert_true(error_was_reported(&c));
    crowd_end(&c);
}

static void a_proc_acts_on_everybody_it_finds(void **state)
{
    (void)state;
    crowd c = crowd_begin(NULL);
    kn_entity_id last = {0};
    for (uint32_t i = 0; i < 98; i++) {
        last = spawn(&c, "Unit");
    }
    expect_ok(apply_to(
        c.world, kn_effect_type_find(c.library, "Thorns"), c.hero, c.hero, &(kn_effect_id){0}));
    expect_ok(kn_world_step(c.world, 0));
    kn_proc_event event = kn_proc_event_default();
    event.bearer = c.hero;
    event.other = c.foe;
    event.on = KN_PROC_HIT_TAKEN;
    uint32_t acted;
    expect_ok(kn_proc_run(c.world, &event, (kn_tags){0}, &acted));
    assert_int_equal(acted, 1);
    assert_int_equal(effects_of(&c, c.hero, "Pricked"), 1);
    assert_int_equal(effects_of(&c, c.foe, "Pricked"), 1);
    assert_int_equal(effects_of(&c, last, "Pricked"), 1); // the hundredth
    crowd_end(&c);
}

#define OWNERS 1500

static void threat_reaches_every_table(void **state)
{
    (void)state;
    crowd c = crowd_begin(NULL);
    kn_entity_id healer = spawn(&c, "Unit");
    static kn_entity_id monsters[OWNERS], owners[OWNERS];
    for (uint32_t i = 0; i < OWNERS; i++) {
        monsters[i] = spawn(&c, "Monster");
        expect_ok(kn_threat_add(c.world, monsters[i], c.hero, 1.0f));
    }
    assert_int_equal(kn_threat_owners(c.world, c.hero, owners, OWNERS), OWNERS);
    assert_memory_equal(&owners[OWNERS - 1], &monsters[OWNERS - 1], sizeof(owners[0]));
    assert_int_equal(kn_combat_opponents(c.world, c.hero, owners, OWNERS), OWNERS);
    assert_true(kn_entity_is_alive(c.world, owners[OWNERS - 1]));
    // A heal is divided among all who fight the one who was healed.
    kn_hit_def def = kn_hit_def_default();
    def.target = c.hero;
    def.source = c.foe;
    def.amount = 90.0f;
    def.flags = KN_HIT_NO_THREAT | KN_HIT_NO_COMBAT;
    expect_ok(kn_hit_run(c.world, &def, NULL));
    def.kind = KN_HIT_HEALING;
    def.source = healer;
    def.flags = 0;
    kn_hit hit;
    expect_ok(kn_hit_run(c.world, &def, &hit));
    assert_true(hit.dealt == 90.0f);
    float share = 45.0f / (float)OWNERS;
    assert_true(fabsf(kn_threat_get(c.world, monsters[0], healer) - share) < 1e-6f);
    assert_true(fabsf(kn_threat_get(c.world, monsters[OWNERS - 1], healer) - share) < 1e-6f);
    expect_ok(kn_threat_leave(c.world, c.hero));
    assert_int_equal(kn_threat_owners(c.world, c.hero, NULL, 0), 0);
    assert_int_equal(kn_threat_owners(c.world, healer, NULL, 0), OWNERS);
    crowd_end(&c);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_interrupt_that_stopped_a_cast_is_done_without_its_lockout),
    cmocka_unit_test(effects_of_a_group_in_one_operation_diminish),
    cmocka_unit_test(what_did_not_count_does_not_count_later),
    cmocka_unit_test(a_dispel_of_any_count_ends),
    cmocka_unit_test(a_dispel_reaches_every_effect),
    cmocka_unit_test(death_ends_every_effect),
    cmocka_unit_test(an_aura_with_too_many_near_it_says_so),
    cmocka_unit_test(a_proc_acts_on_everybody_it_finds),
    cmocka_unit_test(threat_reaches_every_table),
};

TEST_GROUP(combat_limits, tests, NULL, NULL);
