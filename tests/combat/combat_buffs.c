// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What combat knows of effects: pools, shares, reflections, breaking and diminishing returns.

#include "combat_copies.h"

// Fixtures --------------------------------------------------------------------------

static kn_effect_def lasting(const char *name, float seconds)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = seconds > 0.0f ? KN_DURATION_TIMED : KN_DURATION_INFINITE;
    def.duration = kn_magnitude_constant(seconds);
    return def;
}

// Registers a buff, and an effect of the same name that lasts `seconds`.
static kn_effect_type_id buff_of(arena *a, kn_buff_def *def, const char *name, float seconds)
{
    kn_effect_def effect = lasting(name, seconds);
    kn_effect_type_id type = arena_effect(a, &effect);
    kn_error error = {0};
    def->name = name;
    kn_result result = kn_buff_register(a->library, def, NULL, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    return type;
}

static kn_effect_type_id shield_of(arena *a, const char *name, float amount, int32_t priority)
{
    kn_buff_def def = kn_buff_def_default();
    def.absorb.amount = kn_magnitude_constant(amount);
    def.absorb.priority = priority;
    return buff_of(a, &def, name, 0.0f);
}

static kn_hit hit(arena *a, kn_entity_id source, kn_entity_id target, float amount, kn_tag *tag)
{
    kn_hit_def def = kn_hit_def_default();
    kn_hit result;
    def.source = source;
    def.target = target;
    def.amount = amount;
    def.flags = KN_HIT_NO_OUTCOME;
    def.tags = (kn_tags){tag, tag != NULL ? 1 : 0};
    expect_ok(kn_hit_run(a->world, &def, &result));
    return result;
}

static float pool_left(const arena *a, kn_effect_id effect)
{
    kn_buff_info info;
    return kn_buff_get(a->world, effect, &info) ? info.absorb_left : -1.0f;
}

// Absorbing -------------------------------------------------------------------------

// BEY-074
static void pools_absorb_by_priority_then_age_and_end_when_they_are_used_up(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id low = shield_of(&a, "Low", 100.0f, 0);
    kn_effect_type_id high = shield_of(&a, "High", 50.0f, 5);
    arena_start(&a);
    kn_effect_id first = arena_apply(&a, low, a.ally, a.foe);
    kn_effect_id second = arena_apply(&a, low, a.lord, a.foe);
    kn_effect_id third = arena_apply(&a, high, a.ally, a.foe);
    expect_near(kn_absorb_left(a.world, a.foe), 250.0f);
    kn_hit took = hit(&a, a.hero, a.foe, 60.0f, NULL);
    expect_near(took.absorbed, 60.0f);
    assert_true(took.dealt == 0.0f && health_of(&a, a.foe) == 1000.0f);
    assert_false(kn_effect_is_alive(a.world, third)); // 50 of 50
    expect_near(pool_left(&a, first), 90.0f);
    expect_near(pool_left(&a, second), 100.0f);
    expect_ok(kn_world_step(a.world, 0));
    uint32_t count;
    const kn_absorbed *last = arena_event(&a, "Knack.Absorbed", &count);
    assert_int_equal(count, 2);
    assert_true(kn_entity_id_equal(last->source, a.hero) && kn_entity_id_equal(last->by, a.ally));
    assert_true(kn_effect_id_equal(last->effect, first) && last->type.index1 == low.index1);
    assert_true(last->amount == 10.0f && last->left == 90.0f && last->paid == 0.0f);
    kn_events events = kn_world_events(a.world);
    bool is_used_up = false;
    for (uint32_t i = 0; i < events.count; i++) {
        is_used_up |= events.data[i].type == KN_EVENT_EFFECT_REMOVED &&
                      events.data[i].data.effect.reason == KN_REMOVED_CHARGES_USED;
    }
    assert_true(is_used_up);
    took = hit(&a, a.hero, a.foe, 200.0f, NULL);
    expect_near(took.absorbed, 190.0f);
    expect_near(took.dealt, 10.0f);
    assert_int_equal(kn_effects_count(a.world, a.foe), 0);
    assert_true(kn_absorb_left(a.world, a.foe) == 0.0f);
    arena_end(&a);
}

// BEY-074
static void a_pool_takes_only_its_share_of_hits_with_its_tags(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.absorb.amount = kn_magnitude_constant(100.0f);
    def.absorb.share = 0.5f;
    def.absorb.hits.required = (kn_tags){&a.fire, 1};
    def.absorb.bypassed_by = (kn_tags){&a.direct, 1};
    def.absorb.bypass = 0.5f;
    kn_effect_type_id ward = buff_of(&a, &def, "FireWard", 0.0f);
    arena_start(&a);
    kn_effect_id effect = arena_apply(&a, ward, a.ally, a.foe);
    expect_near(hit(&a, a.hero, a.foe, 40.0f, &a.frost).absorbed, 0.0f);
    expect_near(hit(&a, a.hero, a.foe, 40.0f, &a.fire).absorbed, 20.0f);
    kn_hit_def both = kn_hit_def_default();
    kn_tag tags[] = {a.fire, a.direct};
    kn_hit took;
    both.source = a.hero;
    both.target = a.foe;
    both.amount = 40.0f;
    both.tags = (kn_tags){tags, 2};
    both.flags = KN_HIT_NO_OUTCOME;
    expect_ok(kn_hit_run(a.world, &both, &took));
    expect_near(took.absorbed, 10.0f); // half of the half passes
    both.flags |= KN_HIT_NO_ABSORB;
    expect_ok(kn_hit_run(a.world, &both, &took));
    expect_near(took.absorbed, 0.0f);
    expect_near(pool_left(&a, effect), 70.0f);
    arena_end(&a);
}

// BEY-074
static void mana_pays_for_what_a_mana_shield_absorbs(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.absorb.pays = a.mana;
    def.absorb.points = 2.0f;
    kn_effect_type_id shield = buff_of(&a, &def, "ManaShield", 0.0f);
    arena_start(&a);
    kn_effect_id effect = arena_apply(&a, shield, a.foe, a.foe);
    kn_hit took = hit(&a, a.hero, a.foe, 50.0f, NULL);
    expect_near(took.absorbed, 50.0f);
    expect_near(mana_of(&a, a.foe), 75.0f);
    expect_ok(kn_world_step(a.world, 0));
    const kn_absorbed *event = arena_event(&a, "Knack.Absorbed", NULL);
    expect_near(event->paid, 25.0f);
    took = hit(&a, a.hero, a.foe, 400.0f, NULL);
    expect_near(took.absorbed, 150.0f); // what 75 mana pay for
    expect_near(took.dealt, 250.0f);
    expect_near(mana_of(&a, a.foe), 0.0f);
    assert_true(kn_effect_is_alive(a.world, effect)); // without mana it just does nothing
    assert_true(hit(&a, a.hero, a.foe, 10.0f, NULL).absorbed == 0.0f);
    assert_int_equal(kn_absorb_set(a.world, effect, 5.0f), KN_REFUSED_NOT_FOUND);
    arena_end(&a);
}

// BEY-074
static void a_pool_reads_level_parameters_and_attributes_of_its_effect(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.absorb.amount = kn_magnitude_attribute(a.power, KN_CAPTURE_FROM_SOURCE, false, 40.0f);
    kn_effect_type_id by_power = buff_of(&a, &def, "ByPower", 0.0f);
    kn_tag tag = arena_tag(&a, "Data.Amount");
    def = kn_buff_def_default();
    def.absorb.amount = kn_magnitude_set_by_caller(tag);
    kn_effect_type_id by_caller = buff_of(&a, &def, "ByCaller", 0.0f);
    arena_start(&a);
    expect_ok(kn_attribute_set_base(a.world, a.ally, a.power, 0, 3.0f));
    expect_near(pool_left(&a, arena_apply(&a, by_power, a.ally, a.foe)), 120.0f);
    kn_caller_value value = {tag, 77.0f};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_effect_id effect;
    apply.type = by_caller;
    apply.source = a.ally;
    apply.target = a.foe;
    apply.caller_values = &value;
    apply.caller_value_count = 1;
    expect_ok(kn_effect_apply(a.world, &apply, &effect));
    expect_near(pool_left(&a, effect), 77.0f);
    arena_end(&a);
}

// A save holds finite numbers, so a pool does too.
static void a_pool_does_not_overflow(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_def effect = lasting("Wall", 0.0f);
    effect.stacking.kind = KN_STACK_BY_TARGET;
    effect.stacking.limit = kn_constant(9.0f);
    kn_effect_type_id wall = arena_effect(&a, &effect);
    kn_buff_def def = kn_buff_def_default();
    def.name = "Wall";
    def.absorb.amount = kn_magnitude_constant(3e38f);
    def.absorb.again = KN_ABSORB_SUM;
    expect_ok(kn_buff_register(a.library, &def, NULL, NULL));
    arena_start(&a);
    kn_effect_id first = arena_apply(&a, wall, a.ally, a.foe);
    kn_effect_id second = arena_apply(&a, wall, a.ally, a.foe);
    assert_true(kn_effect_id_equal(first, second));
    assert_true(isfinite(pool_left(&a, first)) && pool_left(&a, first) >= 3e38f);
    kn_world_destroy(arena_loaded(&a));
    arena_end(&a);
}

// BEY-074
static void a_further_application_changes_the_pool_as_its_policy_says(void **state)
{
    static const float wanted[KN_ABSORB_AGAIN_COUNT] = {100.0f, 130.0f, 100.0f, 30.0f};
    static const char *const names[] = {"Larger", "Sum", "Replace", "Keep"};
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id types[KN_ABSORB_AGAIN_COUNT];
    for (uint32_t i = 0; i < KN_ABSORB_AGAIN_COUNT; i++) {
        kn_effect_def effect = lasting(names[i], 10.0f);
        effect.stacking.kind = KN_STACK_BY_SOURCE;
        types[i] = arena_effect(&a, &effect);
        kn_buff_def def = kn_buff_def_default();
        def.name = names[i];
        def.absorb.amount = kn_magnitude_constant(100.0f);
        def.absorb.again = (kn_absorb_again)i;
        expect_ok(kn_buff_register(a.library, &def, NULL, NULL));
    }
    arena_start(&a);
    for (uint32_t i = 0; i < KN_ABSORB_AGAIN_COUNT; i++) {
        kn_effect_id effect = arena_apply(&a, types[i], a.ally, a.foe);
        (void)hit(&a, a.hero, a.foe, 70.0f, NULL);
        expect_near(pool_left(&a, effect), 30.0f);
        assert_true(kn_effect_id_equal(arena_apply(&a, types[i], a.ally, a.foe), effect));
        expect_near(pool_left(&a, effect), wanted[i]);
        expect_ok(kn_effect_remove(a.world, effect, 0, KN_REMOVED_BY_CALL));
    }
    // The larger one: less than what is left changes nothing.
    kn_effect_id effect = arena_apply(&a, types[0], a.ally, a.foe);
    expect_ok(kn_absorb_set(a.world, effect, 500.0f));
    (void)arena_apply(&a, types[0], a.ally, a.foe);
    expect_near(pool_left(&a, effect), 500.0f);
    arena_end(&a);
}

static void an_inhibited_pool_and_pools_for_healing_leave_damage_alone(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_tag cold = arena_tag(&a, "State.Cold");
    kn_effect_def effect = lasting("Warmth", 0.0f);
    effect.ongoing.target.ignored = (kn_tags){&cold, 1};
    kn_effect_type_id warmth = arena_effect(&a, &effect);
    kn_buff_def def = kn_buff_def_default();
    def.name = "Warmth";
    def.absorb.amount = kn_magnitude_constant(100.0f);
    expect_ok(kn_buff_register(a.library, &def, NULL, NULL));
    def = kn_buff_def_default();
    def.absorb.amount = kn_magnitude_constant(30.0f);
    def.absorb.kind = KN_HIT_HEALING;
    kn_effect_type_id rot = buff_of(&a, &def, "Rot", 0.0f);
    arena_start(&a);
    (void)arena_apply(&a, warmth, a.ally, a.foe);
    (void)arena_apply(&a, rot, a.hero, a.foe);
    expect_ok(kn_entity_add_tag(a.world, a.foe, cold, KN_TAG_ORIGIN_LOOSE, 1));
    assert_true(hit(&a, a.hero, a.foe, 40.0f, NULL).absorbed == 0.0f);
    expect_ok(kn_entity_remove_tag(a.world, a.foe, cold, KN_TAG_ORIGIN_LOOSE, 1));
    assert_true(hit(&a, a.hero, a.foe, 40.0f, NULL).absorbed == 40.0f);
    kn_hit_def heal = kn_hit_def_default();
    kn_hit healed;
    heal.kind = KN_HIT_HEALING;
    heal.source = a.ally;
    heal.target = a.foe;
    heal.amount = 40.0f;
    heal.flags = KN_HIT_NO_OUTCOME;
    expect_ok(kn_hit_run(a.world, &heal, &healed));
    expect_near(healed.absorbed, 30.0f);
    expect_near(healed.dealt, 10.0f);
    arena_end(&a);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// Random pools of every kind and random hits: what was asked for is always accounted for, and what
// the pools lost is what the hits say they absorbed.
static void nothing_of_a_hit_is_lost_or_invented(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id types[6];
    static const char *const names[] = {"P0", "P1", "P2", "P3", "P4", "P5"};
    for (uint32_t i = 0; i < 6; i++) {
        kn_buff_def def = kn_buff_def_default();
        def.absorb.amount = kn_magnitude_constant(20.0f * (float)(i + 1));
        def.absorb.share = i == 4 ? 0.3f : 1.0f;
        def.absorb.priority = (int32_t)(i % 3);
        def.absorb.hits.required = (kn_tags){&a.fire, i == 2 ? 1 : 0};
        def.shares.part = kn_magnitude_constant(i == 5 ? 0.25f : 0.0f);
        types[i] = buff_of(&a, &def, names[i], 0.0f);
    }
    arena_start(&a);
    uint32_t seed = 7;
    for (uint32_t turn = 0; turn < 400; turn++) {
        if (next_random(&seed) % 2 == 0) {
            (void)arena_apply(&a, types[next_random(&seed) % 6], a.ally, a.foe);
        }
        float before = kn_absorb_left(a.world, a.foe);
        float health = health_of(&a, a.foe);
        float amount = (float)(next_random(&seed) % 90);
        kn_hit took = hit(&a, a.hero, a.foe, amount, next_random(&seed) % 2 == 0 ? &a.fire : NULL);
        float sum = took.mitigated + took.shared + took.absorbed + took.over + took.dealt;
        assert_true(fabsf(sum - amount) < 0.001f);
        assert_true(fabsf(before - kn_absorb_left(a.world, a.foe) - took.absorbed) < 0.01f);
        assert_true(fabsf(health - health_of(&a, a.foe) - took.dealt) < 0.01f);
        assert_true(took.absorbed >= 0.0f && took.shared >= 0.0f && took.dealt >= 0.0f);
        expect_ok(kn_attribute_set_base(a.world, a.foe, a.health, 0, 1000.0f));
        expect_ok(kn_attribute_set_base(a.world, a.ally, a.health, 0, 1000.0f));
        if (turn % 64 == 0) {
            expect_ok(kn_world_step(a.world, KN_MS(10)));
        }
    }
    arena_end(&a);
}

// Sharing and reflecting ------------------------------------------------------------

// BEY-074
static void the_source_of_a_link_takes_its_part_once(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.shares.part = kn_magnitude_constant(0.4f);
    kn_effect_type_id link = buff_of(&a, &def, "Link", 0.0f);
    def.shares.to = KN_RECIPIENT_INSTIGATOR;
    kn_effect_type_id other = buff_of(&a, &def, "Other", 0.0f);
    arena_start(&a);
    // A loop: each takes for the other. Without a guard this would never end.
    kn_effect_id effect = arena_apply(&a, link, a.ally, a.foe);
    (void)arena_apply(&a, link, a.foe, a.ally);
    kn_hit took = hit(&a, a.hero, a.foe, 100.0f, NULL);
    expect_near(took.shared, 40.0f);
    expect_near(took.dealt, 60.0f);
    expect_near(health_of(&a, a.foe), 940.0f);
    expect_near(health_of(&a, a.ally), 960.0f);
    expect_ok(kn_world_step(a.world, 0));
    uint32_t hits;
    (void)arena_event(&a, "Knack.Hit", &hits);
    assert_int_equal(hits, 2);
    expect_ok(kn_effect_remove(a.world, effect, 0, KN_REMOVED_BY_CALL));
    assert_true(hit(&a, a.hero, a.foe, 100.0f, NULL).shared == 0.0f);
    // The instigator of the context, not the source.
    kn_effect_context context = {.instigator = a.lord};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = other;
    apply.source = a.hero;
    apply.target = a.foe;
    apply.context = &context;
    expect_ok(kn_effect_apply(a.world, &apply, NULL));
    took = hit(&a, a.hero, a.foe, 100.0f, NULL);
    expect_near(took.shared, 40.0f);
    expect_near(health_of(&a, a.lord), 960.0f);
    kn_hit_def alone = kn_hit_def_default();
    alone.source = a.hero;
    alone.target = a.foe;
    alone.amount = 10.0f;
    alone.flags = KN_HIT_NO_SHARE | KN_HIT_NO_OUTCOME;
    expect_ok(kn_hit_run(a.world, &alone, &took));
    assert_true(took.shared == 0.0f && took.dealt == 10.0f);
    // The one who shares is gone: nothing is shared, nothing is lost.
    assert_true(kn_entity_destroy(a.world, a.lord));
    took = hit(&a, a.hero, a.foe, 100.0f, NULL);
    assert_true(took.shared == 0.0f && took.dealt == 100.0f);
    arena_end(&a);
}

// BEY-074: the explanation says what a hit then does, and changes nothing.
static void an_explanation_names_who_shares_and_what_absorbs(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.shares.part = kn_magnitude_constant(0.4f);
    kn_effect_type_id link = buff_of(&a, &def, "Link", 0.0f);
    kn_effect_type_id shield = shield_of(&a, "Shield", 25.0f, 0);
    arena_start(&a);
    kn_effect_id linked = arena_apply(&a, link, a.ally, a.foe);
    kn_effect_id first = arena_apply(&a, shield, a.lord, a.foe);
    kn_effect_id second = arena_apply(&a, shield, a.hero, a.foe);
    kn_hit_def asked = kn_hit_def_default();
    asked.source = a.hero;
    asked.target = a.foe;
    asked.amount = 100.0f;
    kn_hit_line lines[8];
    uint64_t before = kn_world_hash(a.world);
    assert_int_equal(kn_hit_explain(a.world, &asked, lines, 8), 5);
    assert_true(kn_world_hash(a.world) == before);
    assert_int_equal(lines[1].stage, KN_HIT_STAGE_SHARE);
    assert_true(kn_effect_id_equal(lines[1].effect, linked));
    assert_int_equal(lines[1].type.index1, link.index1);
    assert_true(kn_entity_id_equal(lines[1].source, a.ally));
    expect_near(lines[1].delta, -40.0f);
    expect_near(lines[1].result, 60.0f);
    assert_int_equal(lines[2].stage, KN_HIT_STAGE_ABSORB);
    assert_true(kn_effect_id_equal(lines[2].effect, first));
    assert_true(kn_entity_id_equal(lines[2].source, a.lord));
    expect_near(lines[2].delta, -25.0f);
    expect_near(lines[2].result, 35.0f);
    assert_true(kn_effect_id_equal(lines[3].effect, second));
    expect_near(lines[3].result, 10.0f);
    expect_near(lines[4].result, 10.0f);
    kn_hit took = hit(&a, a.hero, a.foe, 100.0f, NULL);
    expect_near(took.shared, 40.0f);
    expect_near(took.absorbed, 50.0f);
    expect_near(took.dealt, 10.0f);
    arena_end(&a);
}

// BEY-065
static void reflected_damage_is_not_reflected_again(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.reflects.part = kn_magnitude_constant(0.5f);
    def.reflects.hits.ignored = (kn_tags){&a.frost, 1};
    def.reflects.tags = (kn_tags){&a.direct, 1};
    kn_effect_type_id thorns = buff_of(&a, &def, "Thorns", 0.0f);
    arena_start(&a);
    (void)arena_apply(&a, thorns, a.foe, a.foe);
    (void)arena_apply(&a, thorns, a.hero, a.hero);
    (void)hit(&a, a.hero, a.foe, 100.0f, &a.fire);
    expect_near(health_of(&a, a.foe), 900.0f);
    expect_near(health_of(&a, a.hero), 950.0f);
    expect_ok(kn_world_step(a.world, 0));
    uint32_t hits, size;
    kn_events events = kn_world_events(a.world);
    (void)arena_event(&a, "Knack.Hit", &hits);
    assert_int_equal(hits, 2);
    bool is_marked = false;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_hit *one = events.data[i].type == KN_EVENT_CUSTOM
                                ? kn_event_payload(a.world, &events.data[i], &size)
                                : NULL;
        if (one != NULL && size == sizeof(*one) && kn_entity_id_equal(one->target, a.hero)) {
            uint32_t marks = KN_HIT_REFLECTED | KN_HIT_TRIGGERED;
            is_marked = (one->flags & marks) == marks && one->effect.index1 == thorns.index1 &&
                        kn_entity_id_equal(one->source, a.foe);
        }
    }
    assert_true(is_marked);
    (void)hit(&a, a.hero, a.foe, 100.0f, &a.frost);
    expect_near(health_of(&a, a.hero), 950.0f); // its tags are left out
    (void)hit(&a, a.foe, a.foe, 100.0f, &a.fire);
    expect_near(health_of(&a, a.foe), 700.0f); // nobody reflects on itself
    arena_end(&a);
}

static void a_mirror_that_reflects_reflections_ends_by_itself(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.reflects.part = kn_magnitude_constant(1.0f);
    def.reflects.reflected = true;
    kn_effect_type_id mirror = buff_of(&a, &def, "Mirror", 0.0f);
    arena_start(&a);
    (void)arena_apply(&a, mirror, a.foe, a.foe);
    (void)arena_apply(&a, mirror, a.hero, a.hero);
    (void)hit(&a, a.hero, a.foe, 1.0f, NULL);
    // The longest chain of causes cuts it.
    assert_true(health_of(&a, a.foe) < 999.0f && health_of(&a, a.foe) > 900.0f);
    expect_ok(kn_world_step(a.world, 0));
    arena_end(&a);
}

// The target of a hit may be dead before the hit is over.
static void nobody_is_in_combat_with_one_who_died_of_a_reflection(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.reflects.part = kn_magnitude_constant(1.0f);
    def.reflects.reflected = true;
    kn_effect_type_id mirror = buff_of(&a, &def, "Mirror", 0.0f);
    arena_start(&a);
    expect_ok(kn_threat_begin(a.world, a.foe));
    (void)arena_apply(&a, mirror, a.foe, a.foe);
    (void)arena_apply(&a, mirror, a.hero, a.hero);
    expect_ok(kn_attribute_set_base(a.world, a.foe, a.health, 0, 15.0f));
    (void)hit(&a, a.hero, a.foe, 10.0f, NULL);
    assert_true(kn_combat_is_dead(a.world, a.foe));
    assert_false(kn_combat_is_fighting(a.world, a.hero, a.foe));
    assert_false(kn_combat_in_combat(a.world, a.hero));
    assert_false(kn_threat_has(a.world, a.foe, a.hero));
    arena_end(&a);
}

static kn_result strike_back(void *user, const kn_hook_call *call)
{
    const arena *a = user;
    kn_hit_def def = kn_hit_def_default();
    def.source = a->ally;
    def.target = a->foe;
    def.amount = 5000.0f;
    def.flags = KN_HIT_NO_SHARE;
    return kn_hit_run(call->writable, &def, NULL);
}

// What takes a part of a hit may kill the one that is hit: it dies of that, and not once more.
static void one_who_dies_while_its_hit_is_shared_dies_once(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.shares.part = kn_magnitude_constant(0.5f);
    kn_effect_type_id link = buff_of(&a, &def, "Link", 0.0f);
    kn_effect_def effect = lasting("Grudge", 0.0f);
    kn_effect_type_id grudge = arena_effect(&a, &effect);
    kn_proc_def proc = kn_proc_def_default();
    proc.name = "Grudge";
    proc.on = KN_PROC_HIT_TAKEN;
    proc.triggered = true;
    proc.acts = (kn_hook){strike_back, &a};
    expect_ok(kn_proc_register(a.library, &proc, NULL, NULL));
    arena_start(&a);
    (void)arena_apply(&a, grudge, a.ally, a.ally);
    (void)arena_apply(&a, link, a.ally, a.foe);
    kn_hit took = hit(&a, a.hero, a.foe, 100.0f, NULL);
    assert_true(kn_combat_is_dead(a.world, a.foe));
    assert_true((took.flags & KN_HIT_KILLED) == 0 && took.dealt == 0.0f && took.over == 50.0f);
    expect_near(health_of(&a, a.ally), 950.0f);
    assert_false(kn_combat_in_combat(a.world, a.foe));
    expect_ok(kn_world_step(a.world, 0));
    uint32_t count;
    const kn_life_change *death = arena_event(&a, "Knack.Died", &count);
    assert_int_equal(count, 1);
    assert_true(kn_entity_id_equal(death->by, a.ally));
    arena_end(&a);
}

// Breaking --------------------------------------------------------------------------

// BEY-073
static void damage_breaks_an_effect_after_a_given_amount(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.polarity = KN_POLARITY_DEBUFF;
    def.breaks_after = kn_magnitude_constant(100.0f);
    def.breaks_on.ignored = (kn_tags){&a.frost, 1};
    kn_effect_type_id root = buff_of(&a, &def, "Root", 0.0f);
    def = kn_buff_def_default();
    def.breaks_after = kn_magnitude_constant(0.0f);
    kn_effect_type_id sleep = buff_of(&a, &def, "Sleep", 0.0f);
    arena_start(&a);
    kn_effect_id effect = arena_apply(&a, root, a.ally, a.foe);
    (void)hit(&a, a.hero, a.foe, 60.0f, &a.fire);
    (void)hit(&a, a.hero, a.foe, 500.0f, &a.frost); // does not count
    kn_buff_info info;
    assert_true(kn_buff_get(a.world, effect, &info));
    assert_true(info.taken == 60.0f && info.breaks_at == 100.0f);
    assert_true(info.polarity == KN_POLARITY_DEBUFF);
    kn_effect_id asleep = arena_apply(&a, sleep, a.ally, a.foe);
    (void)hit(&a, a.hero, a.foe, 40.0f, &a.fire);
    assert_false(kn_effect_is_alive(a.world, effect));
    assert_false(kn_effect_is_alive(a.world, asleep)); // any damage
    expect_ok(kn_world_step(a.world, 0));
    uint32_t count;
    const kn_broken *broken = arena_event(&a, "Knack.Broken", &count);
    assert_int_equal(count, 2);
    assert_true(kn_entity_id_equal(broken->source, a.hero));
    assert_true(broken->type.index1 == sleep.index1 && broken->taken == 40.0f);
    arena_end(&a);
}

// BEY-073
static void ticks_break_only_what_says_so(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.breaks_after = kn_magnitude_constant(0.0f);
    kn_effect_type_id sleep = buff_of(&a, &def, "Sleep", 0.0f);
    def.breaks_by_periodic = true;
    kn_effect_type_id doze = buff_of(&a, &def, "Doze", 0.0f);
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(a.library, "Hit.Damage"), KN_OP_ADD, 5.0f);
    kn_effect_def burn = lasting("Burn", 3.0f);
    burn.is_periodic = true;
    burn.period = kn_magnitude_constant(1.0f);
    burn.skip_first_tick = true;
    burn.modifiers = &modifier;
    burn.modifier_count = 1;
    kn_effect_type_id burning = arena_effect(&a, &burn);
    arena_start(&a);
    kn_effect_id first = arena_apply(&a, sleep, a.ally, a.foe);
    kn_effect_id second = arena_apply(&a, doze, a.ally, a.foe);
    (void)arena_apply(&a, burning, a.hero, a.foe);
    arena_until(&a, 1500);
    assert_true(health_of(&a, a.foe) == 995.0f);
    assert_true(kn_effect_is_alive(a.world, first));
    assert_false(kn_effect_is_alive(a.world, second));
    arena_end(&a);
}

// Diminishing returns -----------------------------------------------------------------

static kn_effect_type_id stun_of(
    arena *a, const char *name, float seconds, kn_diminishing_id group, kn_tag *tag)
{
    kn_effect_def effect = lasting(name, seconds);
    effect.duration_value = kn_value_find(a->library, "Knack.Duration");
    effect.asset_tags = (kn_tags){tag, tag != NULL ? 1 : 0};
    kn_effect_type_id type = arena_effect(a, &effect);
    kn_buff_def def = kn_buff_def_default();
    def.name = name;
    def.polarity = KN_POLARITY_DEBUFF;
    def.diminishing = group;
    expect_ok(kn_buff_register(a->library, &def, NULL, NULL));
    return type;
}

static kn_time duration_of(const arena *a, kn_effect_id effect)
{
    kn_effect_info info;
    assert_true(kn_effect_get(a->world, effect, &info));
    return info.duration;
}

// BEY-070
static void repeated_stuns_last_shorter_until_the_target_is_immune(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_diminishing_def def = kn_diminishing_def_default();
    kn_diminishing_id stuns;
    def.name = "Stuns";
    def.cap = 6.0f;
    expect_ok(kn_diminishing_register(a.library, &def, &stuns, NULL));
    kn_effect_type_id stun = stun_of(&a, "Stun", 4.0f, stuns, NULL);
    kn_effect_type_id bash = stun_of(&a, "Bash", 10.0f, stuns, NULL);
    arena_start(&a);
    assert_true(kn_diminishing_factor(a.world, a.foe, stuns) == 1.0f);
    kn_effect_id first = arena_apply(&a, stun, a.hero, a.foe);
    assert_true(duration_of(&a, first) == KN_S(4));
    assert_int_equal(kn_diminishing_level(a.world, a.foe, stuns), 1);
    assert_int_equal(kn_diminishing_level(a.world, a.ally, stuns), 0); // per target
    kn_effect_id second = arena_apply(&a, bash, a.ally, a.foe);
    assert_true(duration_of(&a, second) == KN_S(3)); // the cap of 6, then half of it
    arena_until(&a, 5000);                           // both are over
    kn_effect_id third = arena_apply(&a, stun, a.hero, a.foe);
    assert_true(duration_of(&a, third) == KN_S(1));
    assert_true(kn_diminishing_factor(a.world, a.foe, stuns) == 0.0f);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_effect_refusal refusal;
    apply.type = stun;
    apply.source = a.hero;
    apply.target = a.foe;
    apply.refusal = &refusal;
    assert_int_equal(kn_effect_apply(a.world, &apply, NULL), KN_REFUSED_BLOCKED);
    assert_true(refusal.value.index1 == kn_value_find(a.library, "Knack.Duration").index1);
    assert_true(refusal.fail == kn_fail_find(a.library, "diminished"));
    char text[256];
    (void)kn_effect_explain_print(a.world, &apply, text, sizeof(text));
    assert_non_null(strstr(text, "immune by diminishing returns"));
    expect_ok(kn_world_step(a.world, 0));
    const kn_diminished *event = arena_event(&a, "Knack.Diminished", NULL);
    assert_true(event->group.index1 == stuns.index1 && event->level == 3);
    // 15 seconds after the last one ended, at 6 s: not yet at 21 s, but just after it.
    arena_until(&a, 21000);
    assert_int_equal(kn_diminishing_level(a.world, a.foe, stuns), 3);
    assert_int_equal(kn_effect_apply(a.world, &apply, NULL), KN_REFUSED_BLOCKED);
    expect_ok(kn_world_step(a.world, 1));
    assert_int_equal(kn_diminishing_level(a.world, a.foe, stuns), 0);
    assert_true(duration_of(&a, arena_apply(&a, stun, a.hero, a.foe)) == KN_S(4));
    assert_int_equal(kn_diminishing_level(a.world, a.foe, stuns), 1);
    expect_ok(kn_diminishing_reset(a.world, a.foe, stuns));
    assert_int_equal(kn_diminishing_level(a.world, a.foe, stuns), 0);
    arena_end(&a);
}

// BEY-070
static void a_group_counts_only_for_its_targets_and_has_factors_of_its_own(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_tag player = arena_tag(&a, "Kind.Player");
    const kn_scalable factors[] = {kn_constant(1.0f), kn_constant(0.8f)};
    kn_diminishing_def def = kn_diminishing_def_default();
    kn_diminishing_id roots;
    def.name = "Roots";
    def.factors = factors;
    def.factor_count = 2;
    def.targets.required = (kn_tags){&player, 1};
    expect_ok(kn_diminishing_register(a.library, &def, &roots, NULL));
    kn_effect_type_id root = stun_of(&a, "Root", 10.0f, roots, NULL);
    arena_start(&a);
    expect_ok(kn_entity_add_tag(a.world, a.foe, player, KN_TAG_ORIGIN_LOOSE, 1));
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_id on_player = arena_apply(&a, root, a.hero, a.foe);
        kn_effect_id on_beast = arena_apply(&a, root, a.hero, a.ally);
        assert_true(duration_of(&a, on_player) == (i == 0 ? KN_S(10) : KN_S(8)));
        assert_true(duration_of(&a, on_beast) == KN_S(10));
    }
    assert_int_equal(kn_diminishing_level(a.world, a.ally, roots), 0);
    arena_end(&a);
}

// Whether somebody is a target of the group is asked when an effect begins, not when it ends.
static void an_effect_that_does_not_count_ends_nothing_that_does(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_tag player = arena_tag(&a, "Kind.Player");
    kn_diminishing_def def = kn_diminishing_def_default();
    kn_diminishing_id stuns;
    def.name = "Stuns";
    def.reset = 3.0f;
    def.targets.required = (kn_tags){&player, 1};
    expect_ok(kn_diminishing_register(a.library, &def, &stuns, NULL));
    kn_effect_type_id stun = stun_of(&a, "Stun", 20.0f, stuns, NULL);
    kn_effect_type_id bash = stun_of(&a, "Bash", 1.0f, stuns, NULL);
    arena_start(&a);
    expect_ok(kn_entity_add_tag(a.world, a.foe, player, KN_TAG_ORIGIN_LOOSE, 1));
    (void)arena_apply(&a, stun, a.hero, a.foe); // counts, until 20 s
    expect_ok(kn_entity_set_tag_count(a.world, a.foe, player, KN_TAG_ORIGIN_LOOSE, 0));
    (void)arena_apply(&a, bash, a.hero, a.foe); // does not count, until 1 s
    expect_ok(kn_entity_add_tag(a.world, a.foe, player, KN_TAG_ORIGIN_LOOSE, 1));
    assert_int_equal(kn_diminishing_level(a.world, a.foe, stuns), 1);
    arena_until(&a, 10000); // the stun lasts
    assert_int_equal(kn_diminishing_level(a.world, a.foe, stuns), 1);
    arena_until(&a, 22000); // over for 2 s
    assert_int_equal(kn_diminishing_level(a.world, a.foe, stuns), 1);
    arena_until(&a, 24000);
    assert_int_equal(kn_diminishing_level(a.world, a.foe, stuns), 0);
    arena_end(&a);
}

// BEY-071
static void receivers_change_durations_by_modifiers_with_tags(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_diminishing_def def = kn_diminishing_def_default();
    kn_diminishing_id stuns;
    def.name = "Stuns";
    expect_ok(kn_diminishing_register(a.library, &def, &stuns, NULL));
    kn_tag cc = arena_tag(&a, "Control.Stun"), group = arena_tag(&a, "Group.Trinket");
    kn_effect_type_id stun = stun_of(&a, "Stun", 10.0f, stuns, &cc);
    kn_effect_type_id slow = stun_of(&a, "Slow", 10.0f, (kn_diminishing_id){0}, NULL);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = kn_value_find(a.library, "Knack.Duration");
    modifier.op = KN_OP_MULTIPLY;
    modifier.event.required = (kn_tags){&cc, 1};
    modifier.group = group; // of several, only the strongest counts
    modifier.group_rule = KN_GROUP_MIN;
    kn_effect_type_id trinkets[2];
    for (uint32_t i = 0; i < 2; i++) {
        kn_effect_def trinket = lasting(i == 0 ? "Trinket" : "BetterTrinket", 0.0f);
        modifier.magnitude = kn_magnitude_constant(i == 0 ? 0.8f : 0.6f);
        trinket.modifiers = &modifier;
        trinket.modifier_count = 1;
        trinkets[i] = arena_effect(&a, &trinket);
    }
    arena_start(&a);
    (void)arena_apply(&a, trinkets[0], a.foe, a.foe);
    (void)arena_apply(&a, trinkets[1], a.foe, a.foe);
    assert_true(duration_of(&a, arena_apply(&a, stun, a.hero, a.foe)) == KN_S(6));
    assert_true(duration_of(&a, arena_apply(&a, stun, a.hero, a.foe)) == KN_S(3));
    assert_true(duration_of(&a, arena_apply(&a, slow, a.hero, a.foe)) == KN_S(10));
    arena_end(&a);
}

// Stacking and modifiers --------------------------------------------------------------

// SAIV-140, BUFF-002, BUFF-004, BUFF-023, BUFF-024
static void one_stack_for_each_source_and_target_that_restarts(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_def effect = lasting("Bleed", 5.0f);
    effect.stacking.kind = KN_STACK_BY_SOURCE;
    effect.stacking.limit = kn_constant(3.0f);
    kn_effect_type_id bleed = arena_effect(&a, &effect);
    kn_buff_def def = kn_buff_def_default();
    def.name = "Bleed";
    def.polarity = KN_POLARITY_DEBUFF;
    expect_ok(kn_buff_register(a.library, &def, NULL, NULL));
    arena_start(&a);
    static const uint32_t stacks[] = {1, 2, 3, 3};
    kn_effect_id own = {0};
    for (int64_t i = 0; i < 4; i++) {
        arena_until(&a, i * 2000);
        own = arena_apply(&a, bleed, a.hero, a.foe);
        assert_int_equal(kn_effect_stacks(a.world, own), stacks[i]);
    }
    kn_effect_id other = arena_apply(&a, bleed, a.ally, a.foe);
    assert_false(kn_effect_id_equal(own, other));
    assert_int_equal(kn_effect_stacks(a.world, other), 1);
    assert_int_equal(kn_effect_stacks(a.world, own), 3);
    arena_until(&a, 10999);
    assert_true(kn_effect_is_alive(a.world, own));
    arena_until(&a, 11000);
    assert_false(kn_effect_is_alive(a.world, own));
    arena_end(&a);
}

// SAIV-141, BUFF-003, BUFF-004
static void each_modifier_says_whether_it_scales_with_stacks(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_value_def value = kn_value_def_default();
    kn_value_id length;
    value.name = "Length";
    expect_ok(kn_value_register(a.library, &value, &length, NULL));
    kn_modifier_def modifiers[2] = {kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[0].value = length;
    modifiers[0].magnitude = kn_magnitude_constant(0.5f);
    modifiers[0].scaling = KN_STACK_SCALING_YES;
    modifiers[1].value = length;
    modifiers[1].op = KN_OP_MULTIPLY;
    modifiers[1].magnitude = kn_magnitude_constant(0.9f);
    kn_effect_def effect = lasting("Fumble", 0.0f);
    effect.stacking.kind = KN_STACK_BY_SOURCE;
    effect.modifiers = modifiers;
    effect.modifier_count = 2;
    kn_effect_type_id fumble = arena_effect(&a, &effect);
    arena_start(&a);
    kn_effect_id own = arena_apply(&a, fumble, a.hero, a.foe);
    expect_near(kn_value_evaluate(a.world, a.foe, length, 5.0f, NULL, false), 4.95f);
    expect_ok(kn_effect_set_stacks(a.world, own, 3));
    expect_near(kn_value_evaluate(a.world, a.foe, length, 5.0f, NULL, false), 5.85f);
    arena_end(&a);
}

// BUFF-005, BUFF-006, BUFF-007, BUFF-010, BUFF-012, BUFF-022, RSTR-003
static void what_a_buff_brings_lives_as_long_as_the_buff(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_tag control = arena_tag(&a, "Control.Stun"), spell = arena_tag(&a, "Ability.Spell");
    kn_gate_def gate = kn_gate_def_default();
    gate.record.required = (kn_tags){&control, 1};
    kn_modifier_def modifiers[2] = {
        kn_modifier_constant(a.max_health, KN_OP_ADD, 500.0f), kn_modifier_def_default()};
    modifiers[1].value = kn_value_find(a.library, "Knack.DamageTaken");
    modifiers[1].op = KN_OP_MULTIPLY;
    modifiers[1].magnitude = kn_magnitude_constant(0.8f);
    modifiers[1].event.required = (kn_tags){&a.fire, 1};
    kn_effect_def effect = lasting("Bulwark", 0.0f);
    effect.gates = &gate;
    effect.gate_count = 1;
    effect.modifiers = modifiers;
    effect.modifier_count = 2;
    effect.blocked_ability_tags = (kn_tags){&spell, 1};
    kn_effect_type_id bulwark = arena_effect(&a, &effect);
    kn_buff_def def = kn_buff_def_default();
    def.name = "Bulwark";
    expect_ok(kn_buff_register(a.library, &def, NULL, NULL));
    kn_effect_def stun = lasting("Stun", 5.0f);
    stun.asset_tags = (kn_tags){&control, 1};
    kn_effect_type_id stunned = arena_effect(&a, &stun);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Bolt";
    ability.body = KN_BODY_USE;
    ability.tags = (kn_tags){&spell, 1};
    kn_ability_type_id bolt = arena_ability(&a, &ability);
    arena_start(&a);
    kn_ability_id own = arena_grant(&a, a.foe, bolt);
    kn_effect_id effect_id = arena_apply(&a, bulwark, a.ally, a.foe);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_effect_refusal refusal;
    apply.type = stunned;
    apply.source = a.hero;
    apply.target = a.foe;
    apply.refusal = &refusal;
    assert_int_equal(kn_effect_apply(a.world, &apply, NULL), KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(refusal.effect, effect_id)); // by whom
    expect_near(hit(&a, a.hero, a.foe, 100.0f, &a.fire).dealt, 80.0f);
    expect_near(hit(&a, a.hero, a.foe, 100.0f, &a.frost).dealt, 100.0f);
    assert_true(kn_attribute_value(a.world, a.foe, a.max_health) == 1500.0f);
    assert_int_equal(kn_ability_check(a.world, own, NULL), KN_FAIL_BLOCKED);
    expect_ok(kn_effect_remove(a.world, effect_id, 0, KN_REMOVED_BY_CALL));
    expect_near(hit(&a, a.hero, a.foe, 100.0f, &a.fire).dealt, 100.0f);
    assert_true(kn_attribute_value(a.world, a.foe, a.max_health) == 1000.0f);
    assert_int_equal(kn_ability_check(a.world, own, NULL), 0);
    expect_ok(kn_effect_apply(a.world, &apply, NULL));
    arena_end(&a);
}

static void count_steps(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, uint32_t old, uint32_t now)
{
    uint32_t *counts = state;
    const kn_attribute_id *power = user;
    assert_true(kn_spec_view_stacks(spec) == now && now == old + 1);
    // What depends on the count follows before the hook is called.
    assert_true(kn_attribute_value(world, kn_spec_view_target(spec), *power) == (float)now + 1.0f);
    counts[0]++;
}

// BUFF-011, BUFF-013, BUFF-021, BUFF-025, BUFF-030
static void a_buff_has_state_and_hooks_and_outlives_its_source(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    static const kn_field fields[] = {KN_FIELD_INIT("counts", KN_FIELD_U32, 0, 1)};
    logic.name = "Counter";
    logic.state_size = sizeof(uint32_t);
    logic.state_fields = fields;
    logic.state_field_count = 1;
    logic.stacks_changed = count_steps;
    logic.user = &a.power;
    kn_modifier_def modifier = kn_modifier_constant(a.power, KN_OP_ADD, 1.0f);
    modifier.scaling = KN_STACK_SCALING_YES;
    kn_effect_def effect = lasting("Fury", 20.0f);
    effect.stacking.kind = KN_STACK_BY_SOURCE;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    expect_ok(kn_effect_logic_register(a.library, &logic, &effect.logic, NULL));
    kn_effect_type_id fury = arena_effect(&a, &effect);
    kn_buff_def def = kn_buff_def_default();
    def.name = "Fury";
    expect_ok(kn_buff_register(a.library, &def, NULL, NULL));
    arena_start(&a);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_effect_id own;
    apply.type = fury;
    apply.source = a.ally;
    apply.target = a.foe;
    apply.stacks = 1;
    apply.duration = KN_S(8); // instead of 20 s
    expect_ok(kn_effect_apply(a.world, &apply, &own));
    for (uint32_t i = 0; i < 3; i++) {
        expect_ok(kn_effect_apply(a.world, &apply, NULL));
    }
    assert_int_equal(*(const uint32_t *)kn_effect_state(a.world, own), 3);
    kn_effect_query query = kn_effect_query_default();
    query.type = fury;
    query.source = a.ally;
    assert_int_equal(kn_effects_find(a.world, a.foe, &query, NULL, 0), 1);
    query.source = a.hero;
    assert_int_equal(kn_effects_find(a.world, a.foe, &query, NULL, 0), 0);
    assert_true(kn_entity_destroy(a.world, a.ally));
    arena_until(&a, 3000);
    kn_effect_info info;
    assert_true(kn_effect_get(a.world, own, &info));
    assert_true(kn_entity_id_equal(info.source, a.ally)); // stale, but comparable
    assert_true(info.remaining == KN_S(5) && info.stacks == 4);
    arena_until(&a, 8000);
    assert_false(kn_effect_is_alive(a.world, own));
    arena_end(&a);
}

static void count_status(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    (void)event;
    ++*(uint32_t *)user;
}

// SAIV-143
static void a_stack_that_lowers_a_cost_changes_the_status_once(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_attribute_def cost_attribute = arena_attribute("Cost", 120.0f);
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id costs;
    set.name = "Costs";
    set.attributes = &cost_attribute;
    set.attribute_count = 1;
    expect_ok(kn_attribute_set_register(a.library, &set, &costs, NULL));
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = a.mana;
    cost.amount = kn_constant(1.0f);
    cost.share_of = kn_attribute_find(a.library, "Costs.Cost");
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Nova";
    ability.body = KN_BODY_USE;
    ability.costs = &cost;
    ability.cost_count = 1;
    kn_ability_type_id nova = arena_ability(&a, &ability);
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(a.library, "Costs.Cost"), KN_OP_ADD, -15.0f);
    modifier.scaling = KN_STACK_SCALING_YES;
    kn_effect_def effect = lasting("Clarity", 0.0f);
    effect.stacking.kind = KN_STACK_BY_SOURCE;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    kn_effect_type_id clarity = arena_effect(&a, &effect);
    kn_buff_def def = kn_buff_def_default();
    def.name = "Clarity";
    expect_ok(kn_buff_register(a.library, &def, NULL, NULL));
    arena_start(&a);
    expect_ok(kn_attribute_set_add(a.world, a.foe, costs, 0));
    kn_ability_id own = arena_grant(&a, a.foe, nova);
    kn_listener_def listener = kn_listener_def_default();
    uint32_t changes = 0;
    listener.type = KN_EVENT_ABILITY_STATUS;
    listener.function = count_status;
    listener.user = &changes;
    expect_ok(kn_listener_add(a.world, &listener, NULL));
    assert_int_equal(kn_ability_status(a.world, own), KN_FAIL_COST); // 120 of 100
    expect_ok(kn_world_step(a.world, 0));
    changes = 0;
    (void)arena_apply(&a, clarity, a.ally, a.foe);
    assert_int_equal(kn_ability_status(a.world, own), KN_FAIL_COST); // 105
    (void)arena_apply(&a, clarity, a.ally, a.foe);
    assert_int_equal(kn_ability_status(a.world, own), 0); // 90
    expect_ok(kn_world_step(a.world, 0));
    assert_int_equal(changes, 1); // the one change that two stacks make
    expect_ok(kn_ability_activate(a.world, own, NULL, NULL));
    expect_near(mana_of(&a, a.foe), 10.0f);
    arena_end(&a);
}

// Copies ------------------------------------------------------------------------------

static void play_more(arena *a)
{
    for (uint32_t i = 0; i < 12; i++) {
        (void)hit(a, a->hero, a->foe, 30.0f, i % 2 == 0 ? &a->fire : NULL);
        (void)kn_effect_apply_simple(
            a->world, kn_effect_type_find(a->library, "Stun"), a->hero, a->foe, 1.0f, NULL);
        expect_ok(kn_world_step(a->world, KN_MS(700)));
    }
}

static void pools_levels_and_breaking_are_kept_by_saves_and_snapshots(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_diminishing_def group = kn_diminishing_def_default();
    kn_diminishing_id stuns;
    group.name = "Stuns";
    group.reset = 3.0f;
    expect_ok(kn_diminishing_register(a.library, &group, &stuns, NULL));
    kn_effect_type_id stun = stun_of(&a, "Stun", 2.0f, stuns, NULL);
    kn_effect_type_id shield = shield_of(&a, "Shield", 200.0f, 1);
    kn_buff_def def = kn_buff_def_default();
    def.breaks_after = kn_magnitude_constant(100.0f);
    def.shares.part = kn_magnitude_constant(0.2f);
    def.reflects.part = kn_magnitude_constant(0.1f);
    kn_effect_type_id web = buff_of(&a, &def, "Web", 0.0f);
    arena_start(&a);
    (void)arena_apply(&a, stun, a.hero, a.foe);
    (void)arena_apply(&a, shield, a.lord, a.foe);
    (void)arena_apply(&a, web, a.ally, a.foe);
    (void)hit(&a, a.hero, a.foe, 90.0f, NULL);
    expect_copies_go_on(&a, play_more);
    arena_end(&a);
}

// Bad input ---------------------------------------------------------------------------

static void expect_bad(arena *a, kn_buff_def *def, const char *words)
{
    kn_error error = {0};
    def->name = "Bad";
    assert_int_equal(kn_buff_register(a->library, def, NULL, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("%s", error.message);
    }
}

static void bad_definitions_are_refused_with_a_remedy(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_buff_def def = kn_buff_def_default();
    def.absorb.share = 1.5f;
    expect_bad(&a, &def, "between 0 and 1");
    def = kn_buff_def_default();
    def.absorb.bypass = -0.1f;
    expect_bad(&a, &def, "between 0 and 1");
    def = kn_buff_def_default();
    def.absorb.points = 0.0f;
    expect_bad(&a, &def, "above 0");
    def = kn_buff_def_default();
    def.strength = NAN;
    expect_bad(&a, &def, "strength");
    def = kn_buff_def_default();
    def.shares.to = KN_RECIPIENT_TARGET;
    expect_bad(&a, &def, "to: source");
    kn_diminishing_def group = kn_diminishing_def_default();
    kn_error error = {0};
    group.name = "Bad";
    group.reset = -1.0f;
    assert_int_equal(kn_diminishing_register(a.library, &group, NULL, &error), KN_ERROR_BAD_DATA);
    group.reset = 1.0f;
    group.cap = INFINITY;
    assert_int_equal(kn_diminishing_register(a.library, &group, NULL, &error), KN_ERROR_BAD_DATA);
    kn_scalable factors[17] = {kn_constant(-1.0f)};
    group.cap = 0.0f;
    group.factors = factors;
    group.factor_count = 1;
    assert_int_equal(kn_diminishing_register(a.library, &group, NULL, &error), KN_ERROR_BAD_DATA);
    group.factor_count = 17;
    assert_int_equal(kn_diminishing_register(a.library, &group, NULL, &error), KN_ERROR_BAD_DATA);
    kn_buff_def zero = {.name = "Zero"};
    assert_int_equal(kn_buff_register(a.library, &zero, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_buff_register(a.library, NULL, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_diminishing_register(a.library, NULL, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    kn_library_destroy(a.library);
}

// What only the whole library shows. `change` makes the mistake.
static void expect_unfinished(void (*change)(arena *a), const char *words)
{
    arena a;
    kn_error error = {0};
    arena_begin(&a);
    change(&a);
    assert_int_equal(kn_library_finish(a.library, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("%s", error.message);
    }
    kn_library_destroy(a.library);
}

static void without_effect(arena *a)
{
    kn_buff_def def = kn_buff_def_default();
    def.name = "Nowhere";
    expect_ok(kn_buff_register(a->library, &def, NULL, NULL));
}

static void of_instant_effect(arena *a)
{
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Quick";
    (void)arena_effect(a, &effect);
    kn_buff_def def = kn_buff_def_default();
    def.name = "Quick";
    expect_ok(kn_buff_register(a->library, &def, NULL, NULL));
}

static void of_one_effect_twice(arena *a)
{
    kn_buff_def def = kn_buff_def_default();
    kn_effect_type_id type = shield_of(a, "Shield", 5.0f, 0);
    def.name = "Second";
    def.effect = type;
    expect_ok(kn_buff_register(a->library, &def, NULL, NULL));
}

static void without_duration_value(arena *a)
{
    kn_diminishing_def group = kn_diminishing_def_default();
    kn_buff_def def = kn_buff_def_default();
    group.name = "Stuns";
    expect_ok(kn_diminishing_register(a->library, &group, &def.diminishing, NULL));
    (void)buff_of(a, &def, "Stun", 4.0f);
}

static void a_library_with_buffs_that_make_no_sense_is_not_finished(void **state)
{
    (void)state;
    expect_unfinished(without_effect, "write effect:");
    expect_unfinished(of_instant_effect, "give that a duration");
    expect_unfinished(of_one_effect_twice, "leave out one of them");
    expect_unfinished(without_duration_value, "duration_value: Knack.Duration");
}

static void queries_answer_for_what_is_not_there(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id shield = shield_of(&a, "Shield", 5.0f, 0);
    kn_effect_def plain = lasting("Plain", 0.0f);
    kn_effect_type_id other = arena_effect(&a, &plain);
    assert_int_equal(kn_buff_of(a.library, shield).index1, 0); // not finished
    arena_start(&a);
    kn_buff_info info;
    kn_effect_id stale = arena_apply(&a, shield, a.ally, a.foe);
    kn_effect_id unknown = arena_apply(&a, other, a.ally, a.foe);
    assert_int_equal(kn_buff_of(a.library, shield).index1, 1);
    assert_int_equal(kn_buff_of(a.library, other).index1, 0);
    assert_int_equal(kn_buff_of(a.library, (kn_effect_type_id){9999}).index1, 0);
    assert_string_equal(kn_buff_get_def(a.library, (kn_buff_id){1})->name, "Shield");
    assert_null(kn_buff_get_def(a.library, (kn_buff_id){2}));
    assert_false(kn_buff_get(a.world, unknown, &info));
    assert_int_equal(kn_absorb_set(a.world, stale, -1.0f), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_absorb_set(a.world, stale, NAN), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_absorb_set(a.world, unknown, 1.0f), KN_REFUSED_NOT_FOUND);
    expect_ok(kn_absorb_set(a.world, stale, 0.0f)); // ends it
    assert_false(kn_buff_get(a.world, stale, &info));
    assert_int_equal(info.buff.index1, 0);
    assert_int_equal(kn_absorb_set(a.world, stale, 1.0f), KN_REFUSED_STALE_ID);
    kn_diminishing_id none = {7};
    assert_int_equal(kn_diminishing_level(a.world, a.foe, none), 0);
    assert_true(kn_diminishing_factor(a.world, a.foe, none) == 1.0f);
    assert_int_equal(kn_diminishing_reset(a.world, a.foe, none), KN_ERROR_INVALID_ARGUMENT);
    assert_true(kn_entity_destroy(a.world, a.foe));
    assert_true(kn_absorb_left(a.world, a.foe) == 0.0f);
    arena_end(&a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pools_absorb_by_priority_then_age_and_end_when_they_are_used_up),
    cmocka_unit_test(a_pool_takes_only_its_share_of_hits_with_its_tags),
    cmocka_unit_test(mana_pays_for_what_a_mana_shield_absorbs),
    cmocka_unit_test(a_pool_reads_level_parameters_and_attributes_of_its_effect),
    cmocka_unit_test(a_pool_does_not_overflow),
    cmocka_unit_test(a_further_application_changes_the_pool_as_its_policy_says),
    cmocka_unit_test(an_inhibited_pool_and_pools_for_healing_leave_damage_alone),
    cmocka_unit_test(nothing_of_a_hit_is_lost_or_invented),
    cmocka_unit_test(the_source_of_a_link_takes_its_part_once),
    cmocka_unit_test(an_explanation_names_who_shares_and_what_absorbs),
    cmocka_unit_test(reflected_damage_is_not_reflected_again),
    cmocka_unit_test(a_mirror_that_reflects_reflections_ends_by_itself),
    cmocka_unit_test(nobody_is_in_combat_with_one_who_died_of_a_reflection),
    cmocka_unit_test(one_who_dies_while_its_hit_is_shared_dies_once),
    cmocka_unit_test(damage_breaks_an_effect_after_a_given_amount),
    cmocka_unit_test(ticks_break_only_what_says_so),
    cmocka_unit_test(repeated_stuns_last_shorter_until_the_target_is_immune),
    cmocka_unit_test(a_group_counts_only_for_its_targets_and_has_factors_of_its_own),
    cmocka_unit_test(an_effect_that_does_not_count_ends_nothing_that_does),
    cmocka_unit_test(receivers_change_durations_by_modifiers_with_tags),
    cmocka_unit_test(one_stack_for_each_source_and_target_that_restarts),
    cmocka_unit_test(each_modifier_says_whether_it_scales_with_stacks),
    cmocka_unit_test(what_a_buff_brings_lives_as_long_as_the_buff),
    cmocka_unit_test(a_buff_has_state_and_hooks_and_outlives_its_source),
    cmocka_unit_test(a_stack_that_lowers_a_cost_changes_the_status_once),
    cmocka_unit_test(pools_levels_and_breaking_are_kept_by_saves_and_snapshots),
    cmocka_unit_test(bad_definitions_are_refused_with_a_remedy),
    cmocka_unit_test(a_library_with_buffs_that_make_no_sense_is_not_finished),
    cmocka_unit_test(queries_answer_for_what_is_not_there),
};

TEST_GROUP(combat_buffs, tests, NULL, NULL);
