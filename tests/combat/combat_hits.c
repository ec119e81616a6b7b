// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hits: what is asked for, what is dealt, and where the rest goes.

#include "combat_hit_test.h"

// Health --------------------------------------------------------------------------

static void damage_takes_health_and_reports_what_is_too_much(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    kn_hit hit = strike(&a, 300.0f);
    assert_true(health_of(&a, a.foe) == 700.0f);
    assert_true(hit.dealt == 300.0f && hit.over == 0.0f);
    hit = strike(&a, 800.0f);
    assert_true(health_of(&a, a.foe) == 0.0f);
    assert_true(hit.dealt == 700.0f && hit.over == 100.0f);
    arena_end(&a);
}

static void healing_gives_health_up_to_the_maximum(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    (void)strike(&a, 300.0f);
    kn_hit_def def = hit_of(&a, 200.0f);
    def.kind = KN_HIT_HEALING;
    kn_hit hit;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(health_of(&a, a.foe) == 900.0f);
    assert_true(hit.dealt == 200.0f && hit.over == 0.0f);
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(health_of(&a, a.foe) == 1000.0f);
    assert_true(hit.dealt == 100.0f && hit.over == 100.0f);
    arena_end(&a);
}

// A small hit on much health is rounded by the sum of floats; nothing of it is "over".
static void rounding_of_health_is_not_reported_as_too_much(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    expect_ok(kn_attribute_set_base(a.world, a.foe, a.max_health, 0, 3e7f));
    expect_ok(kn_attribute_set_base(a.world, a.foe, a.health, 0, 3e7f));
    kn_hit hit = strike(&a, 0.3f);
    assert_true(hit.over == 0.0f && hit.dealt == 0.3f);
    arena_end(&a);
}

// Health has an attribute like everything else; it takes no temporary modifiers, and its maximum
// is a base that effects multiply.
// MAP-025
static void health_takes_no_temporary_modifiers_and_its_maximum_does(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_modifier_def modifier = kn_modifier_constant(a.health, KN_OP_ADD, 50.0f);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Tough";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    kn_effect_type_id type;
    kn_error error = {0};
    expect_result(kn_effect_register(a.library, &effect, &type, &error), KN_ERROR_BAD_DATA);
    modifier = kn_modifier_constant(a.max_health, KN_OP_MULTIPLY, 1.5f);
    type = arena_effect(&a, &effect);
    arena_start(&a);
    (void)arena_apply(&a, type, a.hero, a.foe);
    kn_hit_def def = hit_of(&a, 900.0f);
    def.kind = KN_HIT_HEALING;
    kn_hit hit;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(health_of(&a, a.foe) == 1500.0f);
    assert_true(hit.dealt + hit.over == 900.0f && hit.dealt == 500.0f);
    arena_end(&a);
}

// Every field of the event is what was given, and what became of it.
// CMOD-009, BEY-075
static void the_event_of_a_hit_carries_everything_about_it(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_def plain = kn_effect_def_default();
    plain.name = "Plain";
    kn_effect_type_id effect = arena_effect(&a, &plain);
    kn_ability_def simple = kn_ability_def_default();
    simple.name = "Simple";
    kn_ability_type_id ability = arena_ability(&a, &simple);
    kn_effect_type_id weak =
        value_effect(&a, "Weak", "Knack.DamageTaken", KN_OP_MULTIPLY, 0.5f, (kn_tags){0});
    kn_outcome_def outcome = kn_outcome_def_default();
    outcome.name = "Critical";
    outcome.factor = kn_magnitude_constant(3.0f);
    kn_error error = {0};
    expect_ok(kn_outcome_register(a.library, &outcome, NULL, &error));
    arena_start(&a);
    (void)arena_apply(&a, weak, a.ally, a.foe);
    kn_tag tags[] = {a.fire, a.direct};
    kn_hit_def def = hit_of(&a, 1000.0f);
    def.tags = (kn_tags){tags, 2};
    def.effect = effect;
    def.ability = ability;
    def.flags = KN_HIT_NO_PROCS | KN_HIT_TRIGGERED;
    def.outcome = kn_tag_find(a.library, "Knack.Outcome.Critical");
    kn_hit given;
    expect_ok(kn_hit_run(a.world, &def, &given));
    settle(&a);
    kn_entity_id entity = {0};
    const kn_hit *hit = published(&a, "Knack.Hit", 0, &entity);
    assert_non_null(hit);
    assert_memory_equal(hit, &given, sizeof(given));
    expect_entity(entity, a.foe);
    expect_entity(hit->source, a.hero);
    expect_entity(hit->target, a.foe);
    assert_int_equal(hit->kind, KN_HIT_DAMAGE);
    assert_int_equal(hit->flags, KN_HIT_NO_PROCS | KN_HIT_TRIGGERED | KN_HIT_KILLED);
    assert_true(hit->amount == 1000.0f && hit->mitigated == -500.0f && hit->shared == 0.0f);
    assert_true(hit->absorbed == 0.0f && hit->over == 500.0f && hit->dealt == 1000.0f);
    assert_int_equal(hit->outcome.index1, def.outcome.index1);
    assert_int_equal(hit->outcomes[0].index1, 0);
    assert_int_equal(kn_hit_tags(hit).count, 2);
    assert_int_equal(hit->tags[0].index1, a.fire.index1);
    assert_int_equal(hit->tags[1].index1, a.direct.index1);
    assert_int_equal(hit->effect.index1, effect.index1);
    assert_int_equal(hit->ability.index1, ability.index1);
    assert_int_equal(hit->refused, 0);
    assert_int_equal(hit->stopped.index1, 0);
    char text[256];
    (void)kn_hit_print(a.world, hit, text, sizeof(text));
    char wanted[256];
    (void)snprintf(wanted, sizeof(wanted),
        "entity %u takes 1000 of 1000 damage from entity %u (Simple, Critical): -500 mitigated, "
        "500 overkill, and dies",
        a.foe.index1, a.hero.index1);
    assert_string_equal(text, wanted);
    assert_int_equal(kn_hit_print(a.world, hit, NULL, 0), strlen(wanted));
    arena_end(&a);
}

// Modifiers -----------------------------------------------------------------------

// CMOD-004, SAIV-018
static void a_conditional_modifier_acts_on_direct_fire_damage_only(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_tag both[] = {a.fire, a.direct};
    kn_effect_type_id ward =
        value_effect(&a, "Ward", "Knack.DamageTaken", KN_OP_MULTIPLY, 0.8f, (kn_tags){both, 2});
    arena_start(&a);
    (void)arena_apply(&a, ward, a.foe, a.foe);
    kn_tag frost[] = {a.frost, a.direct};
    kn_hit_def def = hit_of(&a, 50.0f);
    kn_hit hit;
    def.tags = (kn_tags){both, 2};
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 40.0f && hit.mitigated == 10.0f);
    def.tags.count = 1; // indirect
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 50.0f);
    def.tags = (kn_tags){frost, 2};
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 50.0f);
    def.tags = (kn_tags){both, 2};
    def.kind = KN_HIT_HEALING;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 50.0f);
    arena_end(&a);
}

// CMOD-012, SAIV-019
static void modifiers_of_source_and_target_are_two_passes(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id effects[] = {
        value_effect(&a, "Sharp", "Knack.DamageDone", KN_OP_ADD, 20.0f, (kn_tags){0}),
        value_effect(&a, "Rage", "Knack.DamageDone", KN_OP_MULTIPLY, 1.5f, (kn_tags){0}),
        value_effect(&a, "Frail", "Knack.DamageTaken", KN_OP_ADD, 10.0f, (kn_tags){0}),
        value_effect(&a, "Armour", "Knack.DamageTaken", KN_OP_MULTIPLY, 0.5f, (kn_tags){0}),
    };
    arena_start(&a);
    kn_effect_id active[4];
    for (uint32_t i = 0; i < 4; i++) {
        active[i] = arena_apply(&a, effects[i], a.lord, i < 2 ? a.hero : a.foe);
    }
    assert_true(strike(&a, 100.0f).dealt == 95.0f);
    expect_ok(kn_effect_remove(a.world, active[0], 0, KN_REMOVED_BY_CALL));
    expect_ok(kn_effect_remove(a.world, active[2], 0, KN_REMOVED_BY_CALL));
    assert_true(strike(&a, 100.0f).dealt == 75.0f);
    kn_hit_def def = hit_of(&a, 100.0f);
    kn_hit hit;
    def.flags = KN_HIT_NO_MODIFIERS;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 100.0f && hit.mitigated == 0.0f);
    arena_end(&a);
}

// Gates ---------------------------------------------------------------------------

// MAP-034, RSTR-006, RSTR-007, RSTR-010
static void gates_see_the_amount_after_modifiers_and_refuse_all_of_it(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_condition_id large = arena_condition(&a, "Large", "event.magnitude > 50");
    kn_effect_type_id shell = gate_effect(&a, "Shell", "Knack.Damage", large);
    kn_effect_type_id rage =
        value_effect(&a, "Rage", "Knack.DamageDone", KN_OP_MULTIPLY, 2.0f, (kn_tags){0});
    kn_effect_type_id armour =
        value_effect(&a, "Armour", "Knack.DamageTaken", KN_OP_MULTIPLY, 0.25f, (kn_tags){0});
    arena_start(&a);
    (void)arena_apply(&a, shell, a.ally, a.foe);
    (void)arena_apply(&a, rage, a.hero, a.hero);
    kn_hit_def def = hit_of(&a, 40.0f);
    kn_hit hit;
    expect_result(kn_hit_run(a.world, &def, &hit), KN_REFUSED_BLOCKED);
    assert_true(hit.refused == 1 && hit.dealt == 0.0f && hit.mitigated == 40.0f);
    assert_int_equal(hit.stopped.index1, shell.index1);
    assert_true(
        kn_hit_has_outcome(a.library, &hit, kn_tag_find(a.library, "Knack.Outcome.Immune")));
    assert_true(health_of(&a, a.foe) == 1000.0f);
    settle(&a);
    assert_non_null(published(&a, "Knack.Hit", 0, NULL));
    def.flags = KN_HIT_NO_GATES;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    def.flags = 0;
    (void)arena_apply(&a, armour, a.foe, a.foe);
    def.amount = 90.0f; // 45 when the gate sees it
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 45.0f);
    arena_end(&a);
}

// Effects -------------------------------------------------------------------------

static kn_effect_type_id damage_effect(
    arena *a, const char *name, const char *attribute, float amount, float period)
{
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(a->library, attribute), KN_OP_ADD, amount);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = name;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    effect.asset_tags = (kn_tags){&a->fire, 1};
    if (period > 0.0f) {
        effect.duration_kind = KN_DURATION_INFINITE;
        effect.is_periodic = true;
        effect.period = kn_magnitude_constant(period);
    }
    return arena_effect(a, &effect);
}

static void rule_record(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    if (reaction->record != NULL) {
        *(float *)user = reaction->magnitude;
    }
}

// Writing to the meta attribute is a hit with an event of its own, which rules react to.
// MAP-024
static void an_effect_that_changes_the_meta_attribute_deals_a_hit(void **state)
{
    arena a;
    float seen = 0.0f;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id burn = damage_effect(&a, "Burn", "Hit.Damage", 30.0f, 0.0f);
    kn_effect_type_id mend = damage_effect(&a, "Mend", "Hit.Healing", 20.0f, 0.0f);
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id id;
    kn_error error = {0};
    rule.name = "Look";
    rule.tag = kn_tag_find(a.library, "Knack.Damage");
    rule.function = rule_record;
    rule.user = &seen;
    expect_ok(kn_rule_register(a.library, &rule, &id, &error));
    arena_start(&a);
    (void)arena_apply(&a, burn, a.hero, a.foe);
    assert_true(health_of(&a, a.foe) == 970.0f);
    assert_true(seen == 30.0f);
    assert_true(
        kn_attribute_value(a.world, a.foe, kn_attribute_find(a.library, "Hit.Damage")) == 0.0f);
    (void)arena_apply(&a, mend, a.hero, a.foe);
    assert_true(health_of(&a, a.foe) == 990.0f);
    arena_end(&a);
}

// Four entities: lord is the instigator, hero the source, ally the weapon, foe the target.
static void the_instigator_of_an_effect_is_the_source_of_its_hit(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id burn = damage_effect(&a, "Burn", "Hit.Damage", 30.0f, 0.0f);
    kn_effect_type_id rage =
        value_effect(&a, "Rage", "Knack.DamageDone", KN_OP_MULTIPLY, 2.0f, (kn_tags){0});
    kn_ability_def simple = kn_ability_def_default();
    simple.name = "Simple";
    kn_ability_type_id type = arena_ability(&a, &simple);
    arena_start(&a);
    kn_effect_context context = {.instigator = a.lord, .causer = a.ally};
    context.ability = arena_grant(&a, a.lord, type);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = burn;
    apply.source = a.hero;
    apply.target = a.foe;
    apply.context = &context;
    apply.dynamic_asset_tags = (kn_tags){&a.direct, 1};
    (void)arena_apply(&a, rage, a.lord, a.lord);
    expect_ok(kn_effect_apply(a.world, &apply, NULL));
    settle(&a);
    const kn_hit *hit = published(&a, "Knack.Hit", 0, NULL);
    assert_non_null(hit);
    expect_entity(hit->source, a.lord);
    expect_entity(hit->target, a.foe);
    assert_true(hit->dealt == 60.0f);
    assert_int_equal(hit->effect.index1, burn.index1);
    assert_int_equal(hit->ability.index1, type.index1);
    assert_int_equal(hit->flags, 0);
    assert_int_equal(kn_hit_tags(hit).count, 2);
    assert_true(kn_tags_has(a.library, kn_hit_tags(hit), a.fire));
    assert_true(kn_tags_has(a.library, kn_hit_tags(hit), a.direct));
    arena_end(&a);
}

static void only_ticks_of_periodic_effects_are_periodic_hits(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id burn = damage_effect(&a, "Burn", "Hit.Damage", 10.0f, 1.0f);
    kn_effect_type_id bite = damage_effect(&a, "Bite", "Hit.Damage", 5.0f, 0.0f);
    arena_start(&a);
    (void)arena_apply(&a, bite, a.hero, a.foe);
    settle(&a);
    assert_int_equal(((const kn_hit *)published(&a, "Knack.Hit", 0, NULL))->flags, 0);
    (void)arena_apply(&a, burn, a.hero, a.foe);
    arena_until(&a, 2000);
    assert_int_equal(published_count(&a, "Knack.Hit"), 3);
    for (uint32_t i = 0; i < 3; i++) {
        const kn_hit *hit = published(&a, "Knack.Hit", i, NULL);
        assert_int_equal(hit->flags, KN_HIT_PERIODIC);
        assert_int_equal(hit->effect.index1, burn.index1);
    }
    assert_true(health_of(&a, a.foe) == 965.0f);
    arena_end(&a);
}

static void a_negative_amount_is_reported_and_does_nothing(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id odd = damage_effect(&a, "Odd", "Hit.Damage", -30.0f, 0.0f);
    arena_start(&a);
    (void)strike(&a, 100.0f);
    settle(&a);
    (void)arena_apply(&a, odd, a.hero, a.foe);
    settle(&a);
    assert_true(health_of(&a, a.foe) == 900.0f);
    assert_int_equal(published_count(&a, "Knack.Hit"), 0);
    kn_events events = kn_world_events(a.world);
    uint32_t errors = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ERROR) {
            errors++;
            expect_entity(events.data[i].entity, a.foe);
            assert_int_equal(events.data[i].data.error.code, KN_REFUSED_BAD_NUMBER);
            assert_int_equal(events.data[i].data.error.type.index1, odd.index1);
        }
    }
    assert_int_equal(errors, 1);
    arena_end(&a);
}

static void a_lasting_effect_that_never_deals_its_hit_is_refused(void **state)
{
    arena a;
    kn_error error = {0};
    (void)state;
    arena_begin(&a);
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(a.library, "Hit.Healing"), KN_OP_ADD, 5.0f);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Idle";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    (void)arena_effect(&a, &effect);
    expect_result(kn_library_finish(a.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "effect `Idle` lasts without ticking"));
    kn_library_destroy(a.library);
}

// A body is hit for the one it belongs to, and hits for it.
static void hits_of_bodies_are_those_of_their_owners(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    kn_entity_id bodies[2];
    expect_ok(kn_entity_create(a.world, &bodies[0]));
    expect_ok(kn_entity_create(a.world, &bodies[1]));
    expect_ok(kn_entity_set_avatar(a.world, a.hero, bodies[0]));
    expect_ok(kn_entity_set_avatar(a.world, a.foe, bodies[1]));
    kn_hit_def def = hit_of(&a, 10.0f);
    def.source = bodies[0];
    def.target = bodies[1];
    kn_hit hit;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    expect_entity(hit.source, a.hero);
    expect_entity(hit.target, a.foe);
    assert_true(health_of(&a, a.foe) == 990.0f);
    assert_true(kn_combat_is_fighting(a.world, a.hero, a.foe));
    arena_end(&a);
}

// Outcomes ------------------------------------------------------------------------

static kn_outcome_def outcome_def(const char *name, float chance, float factor)
{
    kn_outcome_def def = kn_outcome_def_default();
    def.name = name;
    def.chance = kn_magnitude_constant(chance);
    def.factor = kn_magnitude_constant(factor);
    return def;
}

static void arena_outcome(arena *a, const kn_outcome_def *def)
{
    kn_error error = {0};
    kn_result result = kn_outcome_register(a->library, def, NULL, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
}

static kn_tag outcome_tag(const arena *a, const char *name)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "Knack.Outcome.%s", name);
    return kn_tag_find(a->library, text);
}

static void an_outcome_is_between_the_modifiers_of_source_and_target(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_outcome_def critical = outcome_def("Critical", 1.0f, 2.0f);
    arena_outcome(&a, &critical);
    kn_tag tag = outcome_tag(&a, "Critical");
    // "Critical damage taken": the modifier sees the outcome among the tags.
    kn_effect_type_id soft =
        value_effect(&a, "Soft", "Knack.DamageTaken", KN_OP_ADD, 7.0f, (kn_tags){&tag, 1});
    kn_effect_type_id sharp =
        value_effect(&a, "Sharp", "Knack.DamageDone", KN_OP_ADD, 10.0f, (kn_tags){0});
    // Modifiers of the source do not: nothing has happened yet.
    kn_effect_type_id keen =
        value_effect(&a, "Keen", "Knack.DamageDone", KN_OP_ADD, 500.0f, (kn_tags){&tag, 1});
    arena_start(&a);
    (void)arena_apply(&a, soft, a.foe, a.foe);
    (void)arena_apply(&a, sharp, a.hero, a.hero);
    (void)arena_apply(&a, keen, a.hero, a.hero);
    kn_hit hit = strike(&a, 100.0f);
    assert_true(hit.dealt == 227.0f);
    assert_int_equal(hit.outcome.index1, tag.index1);
    kn_hit_def def = hit_of(&a, 100.0f);
    def.flags = KN_HIT_NO_OUTCOME;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 110.0f && hit.outcome.index1 == 0);
    assert_true(kn_hit_has_outcome(a.library, &hit, (kn_tag){0}));
    arena_end(&a);
}

static void outcomes_are_tried_in_order_until_one_ends_it(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_outcome_def blocked = outcome_def("Blocked", 1.0f, 0.5f);
    kn_outcome_def critical = outcome_def("Critical", 1.0f, 3.0f);
    kn_outcome_def missed = outcome_def("Missed", 1.0f, 0.0f);
    kn_outcome_def dodged = outcome_def("Dodged", 1.0f, 0.0f);
    missed.tags.required = (kn_tags){&a.frost, 1};
    critical.tags.required = (kn_tags){&a.fire, 1};
    kn_tag after_block = outcome_tag(&a, "Blocked");
    dodged.tags.required = (kn_tags){&after_block, 1}; // sees what happened before it
    dodged.tags.ignored = (kn_tags){&a.direct, 1};
    missed.ends = true;
    arena_outcome(&a, &missed);
    arena_outcome(&a, &blocked);
    arena_outcome(&a, &critical);
    arena_outcome(&a, &dodged);
    arena_start(&a);
    kn_tag tags[] = {a.fire, a.direct};
    kn_hit_def def = hit_of(&a, 100.0f);
    kn_hit hit;
    def.tags = (kn_tags){tags, 2};
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 150.0f);
    assert_int_equal(hit.outcome.index1, outcome_tag(&a, "Blocked").index1);
    assert_int_equal(hit.outcomes[0].index1, outcome_tag(&a, "Critical").index1);
    assert_true(kn_hit_has_outcome(a.library, &hit, outcome_tag(&a, "Critical")));
    assert_true(kn_hit_has_outcome(a.library, &hit, kn_tag_find(a.library, "Knack.Outcome")));
    assert_false(kn_hit_has_outcome(a.library, &hit, outcome_tag(&a, "Missed")));
    def.tags.count = 1; // fire, not direct: dodged after it was blocked
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 0.0f && hit.mitigated == 100.0f);
    assert_int_equal(hit.outcomes[1].index1, outcome_tag(&a, "Dodged").index1);
    def.tags = (kn_tags){&a.frost, 1};
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 0.0f && hit.mitigated == 100.0f);
    assert_int_equal(hit.outcome.index1, outcome_tag(&a, "Missed").index1);
    assert_int_equal(hit.outcomes[0].index1, 0);
    arena_end(&a);
}

static void an_outcome_may_be_for_direct_hits_or_for_healing_only(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_outcome_def critical = outcome_def("Critical", 1.0f, 2.0f);
    critical.only_direct = true;
    critical.of = KN_OUTCOME_OF_DAMAGE;
    arena_outcome(&a, &critical);
    kn_outcome_def blocked = outcome_def("Blocked", 1.0f, 0.5f);
    blocked.of = KN_OUTCOME_OF_HEALING;
    arena_outcome(&a, &blocked);
    arena_start(&a);
    kn_hit_def def = hit_of(&a, 100.0f);
    kn_hit hit;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 200.0f);
    def.flags = KN_HIT_PERIODIC;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 100.0f);
    def.flags = 0;
    def.kind = KN_HIT_HEALING;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 50.0f);
    arena_end(&a);
}

static kn_calculation_id formula(arena *a, const char *name, const char *expression)
{
    kn_calculation_def def = kn_calculation_def_default();
    kn_calculation_id id;
    kn_error error = {0};
    def.name = name;
    def.expression = expression;
    kn_result result = kn_calculation_register(a->library, &def, &id, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    return id;
}

// Chance and factor read both sides; a value of the source changes them.
static void chance_and_factor_read_attributes_and_values(void **state)
{
    arena a;
    kn_error error = {0};
    (void)state;
    arena_begin(&a);
    kn_value_def values[2] = {kn_value_def_default(), kn_value_def_default()};
    kn_value_id ids[2];
    values[0].name = "CritChance";
    values[1].name = "CritFactor";
    expect_ok(kn_value_register(a.library, &values[0], &ids[0], &error));
    expect_ok(kn_value_register(a.library, &values[1], &ids[1], &error));
    kn_outcome_def critical = outcome_def("Critical", 0.0f, 1.0f);
    critical.chance = kn_magnitude_calculation(
        formula(&a, "Chance", "source.Vitals.Power - target.Vitals.Power"));
    critical.factor = kn_magnitude_attribute(a.power, KN_CAPTURE_FROM_SOURCE, false, 2.0f);
    critical.chance_value = ids[0];
    critical.factor_value = ids[1];
    arena_outcome(&a, &critical);
    kn_effect_type_id lucky =
        value_effect(&a, "Lucky", "CritChance", KN_OP_ADD, 1.0f, (kn_tags){&a.fire, 1});
    kn_effect_type_id cruel =
        value_effect(&a, "Cruel", "CritFactor", KN_OP_ADD, 1.0f, (kn_tags){0});
    arena_start(&a);
    kn_hit_def def = hit_of(&a, 10.0f);
    kn_hit hit;
    expect_ok(kn_hit_run(a.world, &def, &hit)); // 1 - 1: no chance
    assert_true(hit.dealt == 10.0f);
    expect_ok(kn_attribute_set_base(a.world, a.hero, a.power, 0, 3.0f));
    expect_ok(kn_hit_run(a.world, &def, &hit)); // 3 - 1: sure, twice the power
    assert_true(hit.dealt == 60.0f);
    expect_ok(kn_attribute_set_base(a.world, a.foe, a.power, 0, 3.0f));
    (void)arena_apply(&a, lucky, a.hero, a.hero);
    (void)arena_apply(&a, cruel, a.hero, a.hero);
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 10.0f);
    def.tags = (kn_tags){&a.fire, 1};
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 70.0f);
    def.source = (kn_entity_id){0}; // nobody has no power: the outcome cannot happen
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 10.0f);
    arena_end(&a);
}

// "Critical below a fifth of health", and a modifier for the same range.
static void an_execution_range_is_a_condition_on_the_health_of_the_target(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_condition_id low =
        arena_condition(&a, "Low", "target.Vitals.Health < 0.2 * target.Vitals.MaxHealth");
    kn_outcome_def critical = outcome_def("Critical", 1.0f, 2.0f);
    critical.when = low;
    arena_outcome(&a, &critical);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = kn_value_find(a.library, "Knack.DamageDone");
    modifier.op = KN_OP_ADD;
    modifier.magnitude = kn_magnitude_constant(5.0f);
    modifier.condition = low;
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Executioner";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    kn_effect_type_id type = arena_effect(&a, &effect);
    arena_start(&a);
    (void)arena_apply(&a, type, a.hero, a.hero);
    assert_true(strike(&a, 10.0f).dealt == 10.0f);
    expect_ok(kn_attribute_set_base(a.world, a.foe, a.health, 0, 200.0f));
    assert_true(strike(&a, 1.0f).dealt == 1.0f); // 200 is not below a fifth
    kn_hit hit = strike(&a, 10.0f);
    assert_true(hit.dealt == 30.0f);
    assert_int_equal(hit.outcome.index1, outcome_tag(&a, "Critical").index1);
    arena_end(&a);
}

// The sequence of critical hits is the same with and without hits in between whose outcomes are
// certain or impossible: they draw nothing.
static void only_an_uncertain_chance_draws_a_number(void **state)
{
    (void)state;
    bool sequence[2][64];
    uint32_t criticals = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        arena a;
        arena_begin(&a);
        kn_outcome_def sure = outcome_def("Blocked", 1.0f, 1.0f);
        kn_outcome_def never = outcome_def("Missed", 0.0f, 0.0f);
        kn_outcome_def critical = outcome_def("Critical", 0.5f, 1.0f);
        sure.tags.required = (kn_tags){&a.frost, 1};
        sure.ends = true;
        arena_outcome(&a, &never);
        arena_outcome(&a, &sure);
        arena_outcome(&a, &critical);
        arena_start(&a);
        for (uint32_t i = 0; i < 64; i++) {
            kn_hit_def def = hit_of(&a, 1.0f);
            kn_hit hit;
            if (pass == 1) {
                def.tags = (kn_tags){&a.frost, 1};
                expect_ok(kn_hit_run(a.world, &def, &hit));
                def.tags.count = 0;
                def.outcome = outcome_tag(&a, "Critical");
                expect_ok(kn_hit_run(a.world, &def, &hit)); // given: not drawn
                assert_int_equal(hit.outcome.index1, def.outcome.index1);
                def.outcome = (kn_tag){0};
            }
            expect_ok(kn_hit_run(a.world, &def, &hit));
            sequence[pass][i] = hit.outcome.index1 != 0;
            criticals += sequence[pass][i];
        }
        arena_end(&a);
    }
    assert_memory_equal(sequence[0], sequence[1], sizeof(sequence[0]));
    assert_in_range(criticals, 40, 88);
}

static void a_chance_of_a_fifth_happens_a_fifth_of_the_time(void **state)
{
    arena a;
    uint32_t criticals = 0;
    (void)state;
    arena_begin(&a);
    kn_outcome_def critical = outcome_def("Critical", 0.2f, 2.0f);
    arena_outcome(&a, &critical);
    arena_start(&a);
    for (uint32_t i = 0; i < 4000; i++) {
        kn_hit hit = strike(&a, 0.01f);
        criticals += hit.outcome.index1 != 0;
        assert_true(hit.dealt == (hit.outcome.index1 != 0 ? 0.01f * 2.0f : 0.01f));
    }
    assert_in_range(criticals, 700, 900);
    arena_end(&a);
}

static void outcomes_that_make_no_sense_are_refused(void **state)
{
    arena a;
    kn_error error = {0};
    (void)state;
    arena_begin(&a);
    kn_outcome_def def = outcome_def("Critical", 1.5f, 2.0f);
    expect_result(kn_outcome_register(a.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "its chance must be 0 to 1"));
    def = outcome_def("Critical", NAN, 2.0f);
    expect_result(kn_outcome_register(a.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    def = outcome_def("Critical", 0.5f, -1.0f);
    expect_result(kn_outcome_register(a.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "its factor must be at least 0"));
    def = outcome_def("Critical", 0.5f, 1.0f);
    def.chance = kn_magnitude_of(KN_MAGNITUDE_STACKS);
    expect_result(kn_outcome_register(a.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "must be numbers"));
    def = outcome_def("Critical", 0.5f, 1.0f);
    def.factor = kn_magnitude_set_by_caller(a.fire);
    expect_result(kn_outcome_register(a.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    def = outcome_def("Critical", 0.5f, 1.0f);
    def.of = KN_OUTCOME_OF_COUNT;
    expect_result(kn_outcome_register(a.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    def = outcome_def("Critical", 0.5f, 1.0f);
    def.cookie = 0;
    expect_result(kn_outcome_register(a.library, &def, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_outcome_register(NULL, &def, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    def = outcome_def("Critical", 0.5f, 1.0f);
    kn_outcome_id id;
    expect_ok(kn_outcome_register(a.library, &def, &id, &error));
    assert_int_equal(kn_outcome_tag(a.library, id).index1, 0); // not finished
    kn_outcome_id other;
    expect_result(kn_outcome_register(a.library, &def, &other, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(other.index1, 0);
    assert_string_equal(kn_outcome_get_def(a.library, id)->name, "Critical");
    assert_null(kn_outcome_get_def(a.library, other));
    def.name = "Glancing"; // a tag that nobody has registered
    expect_ok(kn_outcome_register(a.library, &def, &other, &error));
    expect_result(kn_library_finish(a.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "register `Knack.Outcome.Glancing`"));
    (void)arena_tag(&a, "Knack.Outcome.Glancing");
    arena_start(&a);
    assert_int_equal(kn_outcome_tag(a.library, id).index1, outcome_tag(&a, "Critical").index1);
    assert_int_equal(kn_outcome_tag(a.library, other).index1, outcome_tag(&a, "Glancing").index1);
    assert_int_equal(kn_outcome_tag(a.library, (kn_outcome_id){9}).index1, 0);
    arena_end(&a);
}

// Reflection ----------------------------------------------------------------------

// BEY-065
static void a_reflected_hit_goes_back_once(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    kn_hit_def def = hit_of(&a, 100.0f);
    def.tags = (kn_tags){&a.fire, 1};
    kn_hit hit, back, again;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    expect_ok(kn_hit_reflect(a.world, &hit, 40.0f, &back));
    expect_entity(back.source, a.foe);
    expect_entity(back.target, a.hero);
    assert_true(back.dealt == 40.0f && health_of(&a, a.hero) == 960.0f);
    assert_int_equal(back.flags, KN_HIT_REFLECTED | KN_HIT_TRIGGERED);
    assert_int_equal(back.tags[0].index1, a.fire.index1);
    expect_result(kn_hit_reflect(a.world, &back, 40.0f, &again), KN_REFUSED_CYCLE);
    assert_true(again.amount == 0.0f && health_of(&a, a.foe) == 900.0f);
    expect_result(kn_hit_reflect(a.world, NULL, 40.0f, NULL), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_hit_reflect(a.world, &hit, -1.0f, NULL), KN_REFUSED_BAD_NUMBER);
    arena_end(&a);
}

// Explanations --------------------------------------------------------------------

static void an_explanation_has_a_line_for_each_stage_and_changes_nothing(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_outcome_def critical = outcome_def("Critical", 0.25f, 2.0f);
    arena_outcome(&a, &critical);
    kn_effect_type_id sharp =
        value_effect(&a, "Sharp", "Knack.DamageDone", KN_OP_ADD, 20.0f, (kn_tags){0});
    kn_effect_type_id frozen =
        value_effect(&a, "Frozen", "Knack.DamageTaken", KN_OP_ADD, 9.0f, (kn_tags){&a.frost, 1});
    kn_effect_type_id armour =
        value_effect(&a, "Armour", "Knack.DamageTaken", KN_OP_MULTIPLY, 0.5f, (kn_tags){0});
    arena_start(&a);
    (void)arena_apply(&a, sharp, a.lord, a.hero);
    (void)arena_apply(&a, frozen, a.ally, a.foe);
    (void)arena_apply(&a, armour, a.ally, a.foe);
    expect_ok(kn_attribute_set_base(a.world, a.foe, a.health, 0, 50.0f));
    settle(&a);
    uint64_t hash = kn_world_hash(a.world);
    kn_hit_def def = hit_of(&a, 100.0f);
    kn_hit_line lines[16];
    assert_int_equal(kn_hit_explain(a.world, &def, lines, 16), 7);
    assert_int_equal(lines[0].stage, KN_HIT_STAGE_AMOUNT);
    assert_true(lines[0].result == 100.0f);
    assert_int_equal(lines[1].stage, KN_HIT_STAGE_SOURCE);
    assert_int_equal(lines[1].type.index1, sharp.index1);
    expect_entity(lines[1].source, a.lord);
    assert_true(lines[1].result == 120.0f && lines[1].delta == 20.0f);
    assert_int_equal(lines[2].stage, KN_HIT_STAGE_OUTCOME);
    assert_true(lines[2].chance == 0.25f && lines[2].magnitude == 2.0f && !lines[2].is_certain);
    assert_true(lines[2].result == 120.0f);
    assert_int_equal(lines[3].stage, KN_HIT_STAGE_TARGET);
    assert_int_equal(lines[3].type.index1, frozen.index1);
    assert_int_equal(lines[3].qualification, KN_QUALIFICATION_CONDITION);
    assert_int_equal(lines[4].type.index1, armour.index1);
    assert_true(lines[4].result == 60.0f);
    assert_int_equal(lines[5].stage, KN_HIT_STAGE_LIMIT);
    assert_true(lines[5].result == 50.0f && lines[5].delta == -10.0f);
    assert_int_equal(lines[6].stage, KN_HIT_STAGE_HEALTH);
    char text[512];
    uint32_t length = kn_hit_explain_print(a.world, &def, text, sizeof(text));
    assert_string_equal(text, "100  asked for\n"
                              "120  Sharp of the source: Add 20\n"
                              "120  Critical: x 2, chance 25 %\n"
                              "120  Frozen of the target: Add 9, does not act: condition not met\n"
                              "60  Armour of the target: Multiply Compound 0.5\n"
                              "50  10 too much\n"
                              "50  dealt\n");
    assert_int_equal(length, strlen(text));
    assert_int_equal(kn_hit_explain_print(a.world, &def, NULL, 0), length);
    def.outcome = outcome_tag(&a, "Critical");
    assert_int_equal(kn_hit_explain(a.world, &def, lines, 3), 7);
    assert_true(lines[2].result == 240.0f && lines[2].is_certain);
    assert_true(kn_world_hash(a.world) == hash);
    arena_end(&a);
}

static void an_explanation_ends_at_a_gate(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id shell = gate_effect(&a, "Shell", "Knack.Damage", (kn_condition_id){0});
    arena_start(&a);
    (void)arena_apply(&a, shell, a.ally, a.foe);
    kn_hit_def def = hit_of(&a, 100.0f);
    kn_hit_line lines[4];
    assert_int_equal(kn_hit_explain(a.world, &def, lines, 4), 2);
    assert_int_equal(lines[1].stage, KN_HIT_STAGE_GATE);
    assert_int_equal(lines[1].type.index1, shell.index1);
    expect_entity(lines[1].source, a.ally);
    assert_true(lines[1].result == 0.0f);
    def.flags = KN_HIT_NO_GATES;
    assert_int_equal(kn_hit_explain(a.world, &def, lines, 4), 2);
    assert_int_equal(lines[1].stage, KN_HIT_STAGE_HEALTH);
    arena_end(&a);
}

// Nothing lost ----------------------------------------------------------------------

static uint32_t draw(uint64_t *seed, uint32_t bound)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % bound;
}

// Random hits with random modifiers and outcomes: what was asked for is dealt, mitigated, shared,
// absorbed or over, and health changes by what was dealt. An explanation with the outcome given
// ends in the same number.
static void what_was_asked_for_is_what_became_of_it(void **state)
{
    arena a;
    uint64_t seed = 14;
    (void)state;
    arena_begin(&a);
    kn_outcome_def missed = outcome_def("Missed", 0.1f, 0.0f);
    missed.ends = true;
    arena_outcome(&a, &missed);
    kn_outcome_def critical = outcome_def("Critical", 0.3f, 2.5f);
    arena_outcome(&a, &critical);
    kn_effect_type_id effects[] = {
        value_effect(&a, "E0", "Knack.DamageDone", KN_OP_ADD, 13.0f, (kn_tags){0}),
        value_effect(&a, "E1", "Knack.DamageDone", KN_OP_MULTIPLY, 1.3f, (kn_tags){&a.fire, 1}),
        value_effect(&a, "E2", "Knack.DamageTaken", KN_OP_MULTIPLY, 0.7f, (kn_tags){&a.frost, 1}),
        value_effect(&a, "E3", "Knack.DamageTaken", KN_OP_ADD, -5.0f, (kn_tags){0}),
        value_effect(&a, "E4", "Knack.HealingTaken", KN_OP_MULTIPLY, 0.4f, (kn_tags){0}),
        value_effect(&a, "E5", "Knack.HealingDone", KN_OP_ADD, 3.0f, (kn_tags){0}),
        gate_effect(&a, "E6", "Knack.Damage", arena_condition(&a, "Odd", "event.magnitude > 180")),
    };
    arena_start(&a);
    kn_entity_id all[] = {a.hero, a.foe, a.ally, a.lord};
    for (uint32_t i = 0; i < 3000; i++) {
        if (i % 16 == 0) {
            (void)arena_apply(
                &a, effects[draw(&seed, 7)], all[draw(&seed, 4)], all[draw(&seed, 4)]);
        }
        if (i % 64 == 0) {
            kn_effect_query query = kn_effect_query_default();
            (void)kn_effects_remove(
                a.world, all[draw(&seed, 4)], &query, 0, KN_REMOVED_BY_CALL, NULL);
        }
        kn_hit_def def = kn_hit_def_default();
        kn_tag tag = draw(&seed, 2) == 0 ? a.fire : a.frost;
        def.source = all[draw(&seed, 4)];
        def.target = all[draw(&seed, 4)];
        def.kind = (kn_hit_kind)draw(&seed, 2);
        def.amount = (float)draw(&seed, 20000) / 100.0f;
        def.tags = (kn_tags){&tag, 1};
        def.flags = draw(&seed, 8) == 0 ? draw(&seed, 1 << 10) : 0;
        float before = health_of(&a, def.target);
        kn_hit hit;
        kn_result result = kn_hit_run(a.world, &def, &hit);
        if (result == KN_REFUSED_DYING) {
            expect_ok(kn_combat_resurrect(a.world, def.target, def.source, 1.0f));
            continue;
        }
        assert_true(result == KN_OK || result == KN_REFUSED_BLOCKED);
        float sum = hit.mitigated + hit.shared + hit.absorbed + hit.over + hit.dealt;
        assert_true(fabsf(sum - hit.amount) <= 1e-3f);
        assert_true(hit.over >= 0.0f && hit.dealt >= 0.0f);
        float change = health_of(&a, def.target) - before;
        assert_true(fabsf(fabsf(change) - hit.dealt) <= 1e-3f);
        assert_true(hit.kind == KN_HIT_DAMAGE ? change <= 0.0f : change >= 0.0f);
        assert_true(
            ((hit.flags & KN_HIT_KILLED) != 0) ==
            (result == KN_OK && hit.kind == KN_HIT_DAMAGE && health_of(&a, def.target) == 0.0f));
    }
    assert_true(kn_world_validate(a.world));
    arena_end(&a);
}

static void the_last_line_of_an_explanation_is_what_is_dealt(void **state)
{
    arena a;
    uint64_t seed = 5;
    (void)state;
    arena_begin(&a);
    kn_outcome_def critical = outcome_def("Critical", 0.3f, 2.5f);
    arena_outcome(&a, &critical);
    kn_effect_type_id effects[] = {
        value_effect(&a, "E0", "Knack.DamageDone", KN_OP_ADD, 13.0f, (kn_tags){0}),
        value_effect(&a, "E1", "Knack.DamageDone", KN_OP_MULTIPLY, 1.3f, (kn_tags){0}),
        value_effect(&a, "E2", "Knack.DamageTaken", KN_OP_MULTIPLY, 0.7f, (kn_tags){0}),
        value_effect(&a, "E3", "Knack.DamageTaken", KN_OP_ADD, -5.0f, (kn_tags){0}),
    };
    arena_start(&a);
    for (uint32_t i = 0; i < 60; i++) {
        (void)arena_apply(&a, effects[draw(&seed, 4)], a.lord, i % 2 == 0 ? a.hero : a.foe);
        kn_hit_def def = hit_of(&a, (float)draw(&seed, 1000));
        kn_hit_line lines[128];
        kn_hit hit;
        def.flags = i % 3 == 0 ? KN_HIT_NO_OUTCOME : 0;
        def.outcome = i % 3 == 1 ? outcome_tag(&a, "Critical") : (kn_tag){0};
        def.flags |= i % 3 == 2 ? KN_HIT_NO_OUTCOME | KN_HIT_NO_MODIFIERS : 0;
        uint32_t count = kn_hit_explain(a.world, &def, lines, 128);
        assert_in_range(count, 2, 128);
        expect_ok(kn_hit_run(a.world, &def, &hit));
        assert_true(lines[count - 1].result == hit.dealt);
        if ((hit.flags & KN_HIT_KILLED) != 0) {
            expect_ok(kn_combat_resurrect(a.world, a.foe, a.hero, 1.0f));
        }
    }
    arena_end(&a);
}

// Copies --------------------------------------------------------------------------

static void play_hits(arena *a)
{
    for (uint32_t i = 0; i < 40; i++) {
        (void)strike(a, 5.0f);
        expect_ok(kn_world_step(a->world, KN_MS(100)));
    }
}

static void outcomes_and_ticks_go_on_alike_after_a_save_and_a_snapshot(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_outcome_def critical = outcome_def("Critical", 0.5f, 2.0f);
    arena_outcome(&a, &critical);
    kn_effect_type_id burn = damage_effect(&a, "Burn", "Hit.Damage", 3.0f, 0.25f);
    arena_start(&a);
    (void)arena_apply(&a, burn, a.hero, a.foe);
    play_hits(&a);
    expect_same_future(&a, play_hits);
    arena_end(&a);
}

// Bad input -----------------------------------------------------------------------

static void bad_hits_are_refused(void **state)
{
    arena a;
    kn_hit hit;
    (void)state;
    arena_begin(&a);
    kn_outcome_def critical = outcome_def("Critical", 0.5f, 2.0f);
    arena_outcome(&a, &critical);
    arena_start(&a);
    kn_hit_def def = hit_of(&a, 10.0f);
    kn_hit_def bad = def;
    bad.cookie = 0;
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_hit_run(a.world, NULL, &hit), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_hit_run(NULL, &def, &hit), KN_ERROR_INVALID_ARGUMENT);
    bad = def;
    bad.kind = KN_HIT_KIND_COUNT;
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_ERROR_INVALID_ARGUMENT);
    kn_tag unknown = {99999}, none = {0};
    bad = def;
    bad.tags = (kn_tags){&unknown, 1};
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_ERROR_INVALID_ARGUMENT);
    bad.tags = (kn_tags){&none, 1};
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_ERROR_INVALID_ARGUMENT);
    kn_tag many[KN_TAG_SET_MAX + 1];
    for (uint32_t i = 0; i <= KN_TAG_SET_MAX; i++) {
        many[i] = a.fire;
    }
    bad.tags = (kn_tags){many, KN_TAG_SET_MAX + 1};
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_ERROR_INVALID_ARGUMENT);
    bad = def;
    bad.amount = -1.0f;
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_REFUSED_BAD_NUMBER);
    bad.amount = NAN;
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_REFUSED_BAD_NUMBER);
    bad.amount = INFINITY;
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_REFUSED_BAD_NUMBER);
    bad = def;
    bad.outcome = a.fire;
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_REFUSED_NOT_FOUND);
    bad = def;
    bad.target = (kn_entity_id){0};
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_REFUSED_STALE_ID);
    kn_entity_id bare;
    expect_ok(kn_entity_create(a.world, &bare));
    bad.target = bare;
    expect_result(kn_hit_run(a.world, &bad, &hit), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(kn_hit_explain(a.world, &bad, NULL, 0), 0);
    assert_true(hit.amount == 0.0f && hit.target.index1 == 0);
    bad.target = a.ally;
    bad.source = a.foe;
    assert_true(kn_entity_destroy(a.world, a.foe));
    expect_ok(kn_hit_run(a.world, &bad, &hit)); // a source that is gone
    expect_result(kn_hit_run(a.world, &def, &hit), KN_REFUSED_STALE_ID);
    // As many tags as there can be: the outcome is still reported.
    def.target = a.ally;
    def.tags = (kn_tags){many, KN_TAG_SET_MAX};
    def.outcome = outcome_tag(&a, "Critical");
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(hit.dealt == 20.0f && kn_hit_tags(&hit).count == KN_HIT_TAGS_MAX);
    def.amount = 3e38f; // twice that is not a number
    expect_result(kn_hit_run(a.world, &def, &hit), KN_REFUSED_BAD_NUMBER);
    arena_end(&a);
}

static void a_library_without_rules_has_no_hits(void **state)
{
    (void)state;
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    expect_ok(kn_library_create(&def, &library));
    assert_false(kn_combat_is_there(library));
    assert_null(kn_outcome_get_def(library, (kn_outcome_id){1}));
    expect_ok(kn_combat_register(library, &error));
    expect_result(kn_combat_register(library, &error), KN_REFUSED_DUPLICATE);
    assert_null(kn_combat_rules(library));
    kn_combat_def rules = kn_combat_def_default();
    rules.name = "Rules";
    expect_result(kn_combat_rules_register(library, &rules, &error), KN_ERROR_BAD_DATA);
    rules.health = kn_attribute_find(library, "Hit.Damage");
    rules.combat_lasts = -1.0f;
    expect_result(kn_combat_rules_register(library, &rules, &error), KN_ERROR_BAD_DATA);
    rules.combat_lasts = 6.0f;
    rules.near_distance = NAN;
    expect_result(kn_combat_rules_register(library, &rules, &error), KN_ERROR_BAD_DATA);
    expect_ok(kn_library_finish(library, &error));
    kn_world_def world_def = kn_world_def_default();
    kn_world *world;
    world_def.library = library;
    expect_ok(kn_world_create(&world_def, &world));
    kn_entity_id entity;
    expect_ok(kn_entity_create(world, &entity));
    kn_hit_def hit = kn_hit_def_default();
    hit.target = entity;
    expect_result(kn_hit_run(world, &hit, NULL), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_combat_kill(world, entity, entity), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_threat_begin(world, entity), KN_ERROR_INVALID_ARGUMENT);
    assert_false(kn_combat_is_dead(world, entity));
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(damage_takes_health_and_reports_what_is_too_much),
    cmocka_unit_test(healing_gives_health_up_to_the_maximum),
    cmocka_unit_test(rounding_of_health_is_not_reported_as_too_much),
    cmocka_unit_test(health_takes_no_temporary_modifiers_and_its_maximum_does),
    cmocka_unit_test(the_event_of_a_hit_carries_everything_about_it),
    cmocka_unit_test(a_conditional_modifier_acts_on_direct_fire_damage_only),
    cmocka_unit_test(modifiers_of_source_and_target_are_two_passes),
    cmocka_unit_test(gates_see_the_amount_after_modifiers_and_refuse_all_of_it),
    cmocka_unit_test(an_effect_that_changes_the_meta_attribute_deals_a_hit),
    cmocka_unit_test(the_instigator_of_an_effect_is_the_source_of_its_hit),
    cmocka_unit_test(only_ticks_of_periodic_effects_are_periodic_hits),
    cmocka_unit_test(a_negative_amount_is_reported_and_does_nothing),
    cmocka_unit_test(a_lasting_effect_that_never_deals_its_hit_is_refused),
    cmocka_unit_test(hits_of_bodies_are_those_of_their_owners),
    cmocka_unit_test(an_outcome_is_between_the_modifiers_of_source_and_target),
    cmocka_unit_test(outcomes_are_tried_in_order_until_one_ends_it),
    cmocka_unit_test(an_outcome_may_be_for_direct_hits_or_for_healing_only),
    cmocka_unit_test(chance_and_factor_read_attributes_and_values),
    cmocka_unit_test(an_execution_range_is_a_condition_on_the_health_of_the_target),
    cmocka_unit_test(only_an_uncertain_chance_draws_a_number),
    cmocka_unit_test(a_chance_of_a_fifth_happens_a_fifth_of_the_time),
    cmocka_unit_test(outcomes_that_make_no_sense_are_refused),
    cmocka_unit_test(a_reflected_hit_goes_back_once),
    cmocka_unit_test(an_explanation_has_a_line_for_each_stage_and_changes_nothing),
    cmocka_unit_test(an_explanation_ends_at_a_gate),
    cmocka_unit_test(what_was_asked_for_is_what_became_of_it),
    cmocka_unit_test(the_last_line_of_an_explanation_is_what_is_dealt),
    cmocka_unit_test(outcomes_and_ticks_go_on_alike_after_a_save_and_a_snapshot),
    cmocka_unit_test(bad_hits_are_refused),
    cmocka_unit_test(a_library_without_rules_has_no_hits),
};

TEST_GROUP(combat_hits, tests, NULL, NULL);
