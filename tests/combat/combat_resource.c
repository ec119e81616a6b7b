// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Resources: how they regenerate and decay, what modifiers and limits do to them, what follows when
// sets come and go, and that all of it is exact, saved and bounded.

#include "combat_test.h"

#include "scenario/world_copies.h"

// A library with sets for resources. `Fury` has limits that are attributes and keeps its
// proportion, `Rage` falls back to 0, `Focus` rests at 50, `Combo` has 0 to 5 points.
typedef struct pools {
    arena a;
    kn_attribute_set_id set, stats;
    kn_attribute_id min_fury, max_fury, fury, rage, focus, combo;
    kn_attribute_id fury_cap, spirit; // of the set Stat
    kn_attribute_id vitals_mana;      // without limits of the base value
    kn_tag in_combat, mana_tag;
    kn_resource_id mana_id, fury_id, rage_id, focus_id, combo_id;
    kn_resource_def mana_def, fury_def, rage_def, focus_def;
} pools;

static kn_attribute_id attribute_named(const arena *a, const char *name)
{
    kn_attribute_id attribute = kn_attribute_find(a->library, name);
    assert_int_not_equal(attribute.index1, 0);
    return attribute;
}

static kn_resource_id resource_register(arena *a, const kn_resource_def *def)
{
    kn_resource_id resource;
    kn_error error = {0};
    if (kn_resource_register(a->library, def, &resource, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return resource;
}

static kn_resource_def resource_def(const char *name, kn_attribute_id attribute)
{
    kn_resource_def def = kn_resource_def_default();
    def.name = name;
    def.attribute = attribute;
    return def;
}

// Everything but the resources themselves, whose defs a test may change.
static void pools_begin(pools *p)
{
    kn_error error = {0};
    *p = (pools){0};
    arena *a = &p->a;
    arena_begin(a);
    p->vitals_mana = a->mana;
    kn_attribute_def pool[] = {
        arena_attribute("MinFury", 0.0f),
        arena_attribute("MaxFury", 100.0f),
        arena_attribute("Fury", 40.0f),
        arena_attribute("Rage", 0.0f),
        arena_attribute("Focus", 50.0f),
        arena_attribute("Combo", 0.0f),
        arena_attribute("MaxMana", 100.0f),
        arena_attribute("Mana", 100.0f),
    };
    pool[2].base_min = kn_limit_attribute("MinFury");
    pool[2].base_max = kn_limit_attribute("MaxFury");
    pool[2].link = KN_LINK_PROPORTION;
    for (uint32_t i = 3; i < 6; i++) {
        pool[i].base_min = kn_limit_constant(0.0f);
        pool[i].base_max = kn_limit_constant(i == 5 ? 5.0f : 100.0f);
    }
    pool[7].base_min = kn_limit_constant(0.0f);
    pool[7].base_max = kn_limit_attribute("Pool.MaxMana");
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Pool";
    set.attributes = pool;
    set.attribute_count = 8;
    expect_ok(kn_attribute_set_register(a->library, &set, &p->set, &error));
    kn_attribute_def stats[] = {
        arena_attribute("FuryCap", 150.0f), arena_attribute("Spirit", 4.0f)};
    set.name = "Stat";
    set.attributes = stats;
    set.attribute_count = 2;
    expect_ok(kn_attribute_set_register(a->library, &set, &p->stats, &error));
    p->min_fury = attribute_named(a, "Pool.MinFury");
    p->max_fury = attribute_named(a, "Pool.MaxFury");
    p->fury = attribute_named(a, "Pool.Fury");
    p->rage = attribute_named(a, "Pool.Rage");
    p->focus = attribute_named(a, "Pool.Focus");
    p->combo = attribute_named(a, "Pool.Combo");
    a->mana = attribute_named(a, "Pool.Mana");
    a->max_mana = attribute_named(a, "Pool.MaxMana");
    p->fury_cap = attribute_named(a, "Stat.FuryCap");
    p->spirit = attribute_named(a, "Stat.Spirit");
    p->in_combat = kn_tag_find(a->library, "Knack.InCombat");
    p->mana_tag = arena_tag(a, "Resource.Mana");
    p->mana_def = resource_def("Mana", a->mana);
    p->mana_def.tag = p->mana_tag;
    p->fury_def = resource_def("Fury", p->fury);
    p->rage_def = resource_def("Rage", p->rage);
    p->focus_def = resource_def("Focus", p->focus);
}

static void pools_start(pools *p)
{
    arena *a = &p->a;
    kn_resource_def combo = resource_def("Combo", p->combo);
    p->mana_id = resource_register(a, &p->mana_def);
    p->fury_id = resource_register(a, &p->fury_def);
    p->rage_id = resource_register(a, &p->rage_def);
    p->focus_id = resource_register(a, &p->focus_def);
    p->combo_id = resource_register(a, &combo);
    arena_start(a);
    expect_ok(kn_attribute_set_add(a->world, a->hero, p->set, 0));
    expect_ok(kn_world_step(a->world, 0));
}

static float value_of(const arena *a, kn_attribute_id attribute)
{
    return kn_attribute_value(a->world, a->hero, attribute);
}

static void set_to(arena *a, kn_attribute_id attribute, float value)
{
    expect_ok(kn_attribute_set_base(a->world, a->hero, attribute, 0, value));
}

static kn_resource_info info_of(const arena *a, kn_resource_id resource)
{
    kn_resource_info info;
    assert_true(kn_resource_get(a->world, a->hero, resource, &info));
    return info;
}

static uint32_t timers_of(const arena *a)
{
    return kn_world_get_stats(a->world).timers;
}

static void tag_set(arena *a, kn_tag tag, bool on)
{
    expect_ok((on ? kn_entity_add_tag : kn_entity_remove_tag)(
        a->world, a->hero, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
}

// The change events of the last step as text: "Mana 100 -> 70 (other), ...".
static void expect_changes(const arena *a, const char *wanted)
{
    static const char *const words[] = {"other", "change", "regeneration", "decay", "limit"};
    kn_custom_event_id kind = kn_custom_event_find(a->library, "Knack.ResourceChanged");
    kn_events events = kn_world_events(a->world);
    char text[512] = "";
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type != KN_EVENT_CUSTOM || event->data.custom.kind.index1 != kind.index1) {
            continue;
        }
        uint32_t size;
        const kn_resource_changed *changed = kn_event_payload(a->world, event, &size);
        assert_int_equal(size, sizeof(*changed));
        size_t length = strlen(text);
        (void)snprintf(text + length, sizeof(text) - length, "%s %g -> %g of %g (%s %u), ",
            kn_resource_name(a->library, changed->resource), (double)changed->old_value,
            (double)changed->new_value, (double)changed->amount, words[changed->why],
            changed->source.index1);
    }
    assert_string_equal(text, wanted);
}

// By itself -----------------------------------------------------------------------

// RES-001, RES-039
static void regeneration_comes_at_exact_times_and_rests_when_full(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.mana_def.regeneration.amount = kn_magnitude_constant(4.0f);
    p.mana_def.regeneration.interval = 0.25f;
    pools_start(&p);
    arena *a = &p.a;
    uint32_t idle = timers_of(a);
    assert_int_equal(info_of(a, p.mana_id).next, KN_TIME_INFINITE);
    arena_until(a, 1000);
    set_to(a, a->mana, 90.0f);
    assert_int_equal(timers_of(a), idle + 1);
    kn_resource_info info = info_of(a, p.mana_id);
    assert_true(info.is_regenerating && !info.is_decaying);
    assert_int_equal(info.next, KN_MS(250));
    assert_true(info.next_amount == 4.0f && info.value == 90.0f);
    arena_until(a, 1249);
    assert_true(value_of(a, a->mana) == 90.0f);
    arena_until(a, 1250);
    assert_true(value_of(a, a->mana) == 94.0f);
    expect_changes(a, "Mana 90 -> 94 of 4 (regeneration 0), ");
    arena_until(a, 1500);
    arena_until(a, 1750);
    assert_true(value_of(a, a->mana) == 100.0f); // 98, and the rest
    expect_changes(a, "Mana 98 -> 100 of 4 (regeneration 0), ");
    assert_int_equal(timers_of(a), idle); // nothing to do, nothing runs
    assert_false(info_of(a, p.mana_id).is_regenerating);
    arena_end(a);
}

// RES-039: the delay begins anew with each loss, whoever causes it.
static void regeneration_waits_after_each_loss(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.mana_def.regeneration.amount = kn_magnitude_constant(1.0f);
    p.mana_def.regeneration.delay = 5.0f;
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = p.a.mana;
    cost.amount = kn_constant(30.0f);
    kn_ability_def bolt = kn_ability_def_default();
    bolt.name = "Bolt";
    bolt.body = KN_BODY_USE;
    bolt.costs = &cost;
    bolt.cost_count = 1;
    kn_ability_type_id type = arena_ability(&p.a, &bolt);
    pools_start(&p);
    arena *a = &p.a;
    kn_ability_id ability = arena_grant(a, a->hero, type);
    expect_ok(kn_ability_activate(a->world, ability, NULL, NULL));
    assert_true(value_of(a, a->mana) == 70.0f);
    assert_int_equal(info_of(a, p.mana_id).next, KN_S(6));
    arena_until(a, 4000);
    expect_ok(kn_ability_activate(a->world, ability, NULL, NULL));
    arena_until(a, 9999);
    assert_true(value_of(a, a->mana) == 40.0f);
    arena_until(a, 10000);
    assert_true(value_of(a, a->mana) == 41.0f);
    arena_until(a, 11000);
    assert_true(value_of(a, a->mana) == 42.0f);
    set_to(a, a->mana, 43.0f); // a gain holds nothing up
    arena_until(a, 12000);
    assert_true(value_of(a, a->mana) == 44.0f);
    arena_end(a);
}

// A length of a microsecond is the shortest; a flow that reads an attribute follows it.
static void amounts_are_evaluated_each_time(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.mana_def.regeneration.amount =
        kn_magnitude_attribute(p.spirit, KN_CAPTURE_FROM_SOURCE, false, 0.5f);
    pools_start(&p);
    arena *a = &p.a;
    set_to(a, a->mana, 10.0f);
    arena_until(a, 1000);
    assert_true(value_of(a, a->mana) == 10.0f); // without spirit there is nothing
    expect_ok(kn_attribute_set_add(a->world, a->hero, p.stats, 0));
    arena_until(a, 2000);
    assert_true(value_of(a, a->mana) == 12.0f);
    set_to(a, p.spirit, 20.0f);
    arena_until(a, 3000);
    assert_true(value_of(a, a->mana) == 22.0f);
    set_to(a, p.spirit, 0.0f);
    arena_until(a, 4000);
    assert_true(value_of(a, a->mana) == 22.0f);
    arena_end(a);
}

static void combat_slows_regeneration_or_stops_it(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.mana_def.regeneration.amount = kn_magnitude_constant(10.0f);
    p.mana_def.regeneration.in_combat = 0.2f;
    p.fury_def.regeneration.amount = kn_magnitude_constant(10.0f);
    p.fury_def.regeneration.in_combat = 0.0f;
    pools_start(&p);
    arena *a = &p.a;
    set_to(a, a->mana, 0.0f);
    set_to(a, p.fury, 0.0f);
    arena_until(a, 1000);
    assert_true(value_of(a, a->mana) == 10.0f && value_of(a, p.fury) == 10.0f);
    uint32_t running = timers_of(a);
    arena_until(a, 1500);
    tag_set(a, p.in_combat, true);
    assert_int_equal(timers_of(a), running - 1); // fury stands still
    assert_int_equal(info_of(a, p.fury_id).next, KN_TIME_INFINITE);
    arena_until(a, 2000);
    assert_true(value_of(a, a->mana) == 12.0f && value_of(a, p.fury) == 10.0f);
    arena_until(a, 4500);
    tag_set(a, p.in_combat, false);
    assert_int_equal(info_of(a, p.fury_id).next, KN_S(1)); // a whole interval
    arena_until(a, 5500);
    assert_true(value_of(a, p.fury) == 20.0f);
    arena_end(a);
}

// A fight, from the first hit to the end of combat some time after the last.
static void a_hit_begins_combat_and_its_end_lets_regeneration_go_on(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.fury_def.regeneration.amount = kn_magnitude_constant(10.0f);
    p.fury_def.regeneration.in_combat = 0.0f;
    pools_start(&p);
    arena *a = &p.a;
    set_to(a, p.fury, 0.0f);
    arena_until(a, 1000);
    assert_true(value_of(a, p.fury) == 10.0f);
    kn_hit_def hit = kn_hit_def_default();
    hit.source = a->foe;
    hit.target = a->hero;
    hit.amount = 5.0f;
    expect_ok(kn_hit_run(a->world, &hit, NULL));
    assert_true(kn_entity_has_tag(a->world, a->hero, p.in_combat));
    arena_until(a, 6900); // combat lasts 6 s
    assert_true(value_of(a, p.fury) == 10.0f);
    arena_until(a, 8000);
    assert_false(kn_entity_has_tag(a->world, a->hero, p.in_combat));
    assert_true(value_of(a, p.fury) == 20.0f);
    arena_end(a);
}

static void casting_slows_regeneration(void **state)
{
    pools p;
    kn_error error = {0};
    (void)state;
    pools_begin(&p);
    p.mana_def.regeneration.amount = kn_magnitude_constant(10.0f);
    p.mana_def.regeneration.while_casting = 0.3f;
    p.fury_def.regeneration.amount = kn_magnitude_constant(10.0f);
    p.fury_def.regeneration.while_casting = 0.0f;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Slow";
    kn_ability_type_id type = arena_ability(&p.a, &def);
    kn_cast_def cast = kn_cast_def_default();
    cast.name = "Slow";
    cast.length = kn_magnitude_constant(2.5f);
    expect_ok(kn_cast_register(p.a.library, &cast, NULL, &error));
    pools_start(&p);
    arena *a = &p.a;
    set_to(a, a->mana, 0.0f);
    set_to(a, p.fury, 0.0f);
    expect_ok(kn_ability_activate(a->world, arena_grant(a, a->hero, type), NULL, NULL));
    assert_true(info_of(a, p.mana_id).next_amount == 3.0f);
    arena_until(a, 2000);
    assert_true(value_of(a, a->mana) == 6.0f && value_of(a, p.fury) == 0.0f);
    arena_until(a, 3000); // the cast is over
    assert_true(value_of(a, a->mana) == 16.0f && value_of(a, p.fury) == 10.0f);
    arena_end(a);
}

// Rage: nothing regenerates; what hits have built up is lost some time after the last of them.
static void decay_falls_back_to_rest_after_a_delay(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.rage_def.decay.amount = kn_magnitude_constant(2.0f);
    p.rage_def.decay.interval = 0.5f;
    p.rage_def.decay.delay = 3.0f;
    p.rage_def.decay.in_combat = 0.0f;
    pools_start(&p);
    arena *a = &p.a;
    uint32_t idle = timers_of(a);
    tag_set(a, p.in_combat, true);
    set_to(a, p.rage, 7.0f);
    assert_int_equal(timers_of(a), idle);
    arena_until(a, 10000);
    assert_true(value_of(a, p.rage) == 7.0f);
    tag_set(a, p.in_combat, false);
    set_to(a, p.rage, 5.0f); // a loss does not begin the delay anew
    arena_until(a, 10500);
    assert_true(value_of(a, p.rage) == 3.0f);
    expect_changes(a, "Rage 7 -> 5 of -2 (other 0), Rage 5 -> 3 of -2 (decay 0), ");
    set_to(a, p.rage, 5.0f); // a gain does
    kn_resource_info info = info_of(a, p.rage_id);
    assert_true(info.is_decaying && !info.is_regenerating && info.next_amount == -2.0f);
    assert_int_equal(info.next, KN_MS(3500));
    arena_until(a, 14000);
    assert_true(value_of(a, p.rage) == 3.0f);
    arena_until(a, 15000);
    assert_true(value_of(a, p.rage) == 0.0f); // 1, then what is left
    assert_int_equal(timers_of(a), idle);
    arena_end(a);
}

static void a_resource_may_rest_in_the_middle(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.focus_def.regeneration.amount = kn_magnitude_constant(20.0f);
    p.focus_def.decay.amount = kn_magnitude_constant(30.0f);
    p.focus_def.rest = kn_magnitude_constant(50.0f);
    pools_start(&p);
    arena *a = &p.a;
    assert_int_equal(info_of(a, p.focus_id).next, KN_TIME_INFINITE); // at rest
    set_to(a, p.focus, 95.0f);
    arena_until(a, 1000);
    assert_true(value_of(a, p.focus) == 65.0f);
    arena_until(a, 2000);
    assert_true(value_of(a, p.focus) == 50.0f); // not below
    set_to(a, p.focus, 15.0f);
    arena_until(a, 3000);
    assert_true(value_of(a, p.focus) == 35.0f);
    arena_until(a, 4000);
    assert_true(value_of(a, p.focus) == 50.0f);
    set_to(a, p.focus, 80.0f); // from one to the other at once
    assert_true(info_of(a, p.focus_id).is_decaying);
    set_to(a, p.focus, 10.0f);
    assert_true(info_of(a, p.focus_id).is_regenerating);
    arena_end(a);
}

static void a_resource_follows_the_attribute_at_which_it_rests(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.focus_def.regeneration.amount = kn_magnitude_constant(20.0f);
    p.focus_def.decay.amount = kn_magnitude_constant(30.0f);
    p.focus_def.rest = kn_magnitude_attribute(p.a.power, KN_CAPTURE_FROM_SOURCE, false, 50.0f);
    pools_start(&p);
    arena *a = &p.a;
    assert_true(kn_attribute_value(a->world, a->hero, a->power) == 1.0f);
    assert_int_equal(info_of(a, p.focus_id).next, KN_TIME_INFINITE); // at rest
    set_to(a, a->power, 1.5f);
    arena_until(a, 1000);
    assert_true(value_of(a, p.focus) == 70.0f);
    arena_until(a, 2000);
    assert_true(value_of(a, p.focus) == 75.0f);
    assert_int_equal(info_of(a, p.focus_id).next, KN_TIME_INFINITE);
    set_to(a, a->power, 1.0f);
    arena_until(a, 3000);
    assert_true(value_of(a, p.focus) == 50.0f);
    arena_end(a);
}

// Changes -------------------------------------------------------------------------

static float change_by(pools *p, kn_resource_id resource, float amount, bool ignore)
{
    arena *a = &p->a;
    kn_resource_change_def def = kn_resource_change_def_default();
    float changed = 77.0f;
    def.resource = resource;
    def.entity = a->hero;
    def.source = a->ally;
    def.amount = amount;
    def.ignore_modifiers = ignore;
    expect_ok(kn_resource_change(a->world, &def, &changed));
    return changed;
}

static kn_effect_type_id value_effect(arena *a, const char *name, const char *value, float factor,
    kn_condition_id condition, const kn_tag *event_tag)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = kn_value_find(a->library, value);
    modifier.op = KN_OP_MULTIPLY;
    modifier.magnitude = kn_magnitude_constant(factor);
    modifier.condition = condition;
    if (event_tag != NULL) {
        modifier.event.required = (kn_tags){event_tag, 1};
    }
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return arena_effect(a, &def);
}

// SAIV-124, RES-002, RES-035, RES-036, MAP-075: modifiers act on the amount without its sign.
static void modifiers_of_gains_and_losses_keep_the_sign(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    kn_condition_id none = {0};
    kn_effect_type_id half = value_effect(&p.a, "Half", "Knack.ResourceLoss", 0.5f, none, NULL);
    kn_effect_type_id more = value_effect(&p.a, "More", "Knack.ResourceGain", 1.2f, none, NULL);
    pools_start(&p);
    arena *a = &p.a;
    (void)arena_apply(a, half, a->foe, a->hero);
    (void)arena_apply(a, more, a->foe, a->hero);
    expect_near(change_by(&p, p.mana_id, -20.0f, false), -10.0f);
    set_to(a, a->mana, 50.0f);
    expect_near(change_by(&p, p.mana_id, 15.0f, false), 18.0f);
    expect_near(change_by(&p, p.mana_id, -20.0f, true), -20.0f);
    expect_near(value_of(a, a->mana), 48.0f);
    arena_end(a);
}

typedef struct seen_context {
    kn_event_record record;
    kn_tag tags[8];
    uint32_t calls;
} seen_context;

static bool context_condition(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    seen_context *seen = user;
    (void)world;
    (void)answer;
    seen->calls++;
    seen->record = *record;
    for (uint32_t i = 0; i < record->tags.count && i < 8; i++) {
        seen->tags[i] = record->tags.data[i];
    }
    return record->magnitude < 0.0f;
}

// RES-035: conditions see the resource, the source and the signed amount.
static void conditions_see_resource_source_and_signed_amount(void **state)
{
    pools p;
    seen_context seen = {0};
    kn_condition_id condition;
    (void)state;
    pools_begin(&p);
    arena *a = &p.a;
    expect_ok(
        kn_condition_register(a->library, "Context", context_condition, &seen, &condition, NULL));
    kn_effect_type_id watched =
        value_effect(a, "Watched", "Knack.ResourceLoss", 0.5f, condition, &p.mana_tag);
    pools_start(&p);
    (void)arena_apply(a, watched, a->foe, a->hero);
    kn_resource_change_def def = kn_resource_change_def_default();
    float changed;
    def.resource = p.mana_id;
    def.entity = a->hero;
    def.source = a->ally;
    def.amount = -8.0f;
    def.tags = (kn_tags){&a->fire, 1};
    def.object = 4711;
    expect_ok(kn_resource_change(a->world, &def, &changed));
    assert_true(changed == -4.0f);
    assert_true(kn_entity_id_equal(seen.record.instigator, a->ally));
    assert_true(kn_entity_id_equal(seen.record.target, a->hero));
    assert_true(seen.record.magnitude == -8.0f && seen.record.object == 4711);
    assert_int_equal(seen.record.tags.count, 2);
    kn_tags tags = {seen.tags, 2};
    assert_true(
        kn_tags_has(a->library, tags, a->fire) && kn_tags_has(a->library, tags, p.mana_tag));
    uint32_t calls = seen.calls;
    set_to(a, p.rage, 50.0f);
    def.resource = p.rage_id; // another resource does not have the tag
    expect_ok(kn_resource_change(a->world, &def, &changed));
    assert_true(changed == -8.0f);
    assert_int_equal(seen.calls, calls);
    arena_end(a);
}

// Regeneration is a gain with a tag of its own.
static void modifiers_can_be_about_regeneration_alone(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    kn_tag regeneration = kn_tag_find(p.a.library, "Knack.Regeneration");
    kn_condition_id none = {0};
    kn_effect_type_id faster =
        value_effect(&p.a, "Faster", "Knack.ResourceGain", 3.0f, none, &regeneration);
    p.mana_def.regeneration.amount = kn_magnitude_constant(2.0f);
    pools_start(&p);
    arena *a = &p.a;
    (void)arena_apply(a, faster, a->foe, a->hero);
    set_to(a, a->mana, 10.0f);
    arena_until(a, 1000);
    assert_true(value_of(a, a->mana) == 16.0f);
    assert_true(change_by(&p, p.mana_id, 2.0f, false) == 2.0f);
    arena_end(a);
}

// SAIV-125, RES-005, RES-037
static void changes_return_what_really_happened(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    pools_start(&p);
    arena *a = &p.a;
    set_to(a, a->mana, 95.0f);
    assert_true(change_by(&p, p.mana_id, 15.0f, false) == 5.0f);
    assert_true(value_of(a, a->mana) == 100.0f);
    assert_true(change_by(&p, p.mana_id, 15.0f, false) == 0.0f);
    assert_true(change_by(&p, p.mana_id, -130.0f, false) == -100.0f);
    assert_true(value_of(a, a->mana) == 0.0f);
    assert_true(change_by(&p, p.mana_id, -1.0f, false) == 0.0f);
    assert_true(change_by(&p, p.combo_id, 9.0f, false) == 5.0f);
    expect_ok(kn_world_step(a->world, 0));
    expect_changes(a, "Mana 100 -> 95 of -5 (other 0), Mana 95 -> 100 of 15 (change 4), "
                      "Mana 100 -> 0 of -130 (change 4), Combo 0 -> 5 of 9 (change 4), ");
    arena_end(a);
}

// Limits --------------------------------------------------------------------------

// SAIV-115, SAIV-116, SAIV-117, SAIV-118, RES-008, RES-009
static void a_value_keeps_its_place_between_new_limits(void **state)
{
    static const struct {
        float value, minimum, maximum, new_minimum, new_maximum, wanted;
    } rows[] = {
        {40, 0, 100, 0, 150, 60}, {40, 0, 100, 0, 50, 20}, {70, 20, 120, 20, 220, 120},
        {50, 0, 100, 20, 100, 60}, {0, 0, 100, 10, 100, 10}, {100, 0, 100, 0, 80, 80},
        {30, 0, 100, 0, 0, 0}, {5, 5, 5, 5, 10, 5},
        {30, 20, 100, 20, 10, 20}, // a maximum below the minimum counts as equal to it
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        pools p;
        pools_begin(&p);
        p.fury_def.regeneration.amount = kn_magnitude_constant(1.0f);
        p.fury_def.regeneration.delay = 9.0f;
        p.fury_def.regeneration.in_combat = 0.0f;
        pools_start(&p);
        arena *a = &p.a;
        kn_resource_init_def init = kn_resource_init_def_default();
        init.resource = p.fury_id;
        init.has_minimum = init.has_maximum = init.has_value = true;
        init.minimum = rows[i].minimum;
        init.maximum = rows[i].maximum;
        init.value = rows[i].value;
        expect_ok(kn_resource_init(a->world, a->hero, &init));
        assert_true(value_of(a, p.fury) == rows[i].value);
        expect_ok(kn_world_step(a->world, 0));
        set_to(a, p.min_fury, rows[i].new_minimum);
        set_to(a, p.max_fury, rows[i].new_maximum);
        expect_near(value_of(a, p.fury), rows[i].wanted);
        expect_ok(kn_world_step(a->world, 0));
        // It is not a loss: nothing waits for it.
        kn_resource_info info = info_of(a, p.fury_id);
        assert_true(info.next == KN_TIME_INFINITE || info.next == KN_S(1));
        arena_end(a);
    }
}

// RES-003, RES-004, RES-006, RES-007, SAIV-126
static void an_attribute_of_another_set_takes_precedence_as_maximum(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.fury_def.maximum_from = p.fury_cap;
    pools_start(&p);
    arena *a = &p.a;
    kn_resource_init_def init = kn_resource_init_def_default();
    init.resource = p.fury_id;
    assert_true(info_of(a, p.fury_id).maximum == 100.0f); // the definition
    init.has_maximum = true;
    init.maximum = 120.0f;
    expect_ok(kn_resource_init(a->world, a->hero, &init));
    assert_true(info_of(a, p.fury_id).maximum == 120.0f);
    assert_true(value_of(a, p.fury) == 40.0f); // the start keeps no proportion
    // The foe has the stat before the resource, and a custom maximum does not count then.
    expect_ok(kn_attribute_set_add(a->world, a->foe, p.stats, 0));
    expect_ok(kn_attribute_set_add(a->world, a->foe, p.set, 0));
    kn_resource_info info;
    assert_true(kn_resource_get(a->world, a->foe, p.fury_id, &info));
    assert_true(info.maximum == 150.0f && info.value == 40.0f);
    expect_ok(kn_resource_init(a->world, a->foe, &init));
    assert_true(kn_resource_get(a->world, a->foe, p.fury_id, &info));
    assert_true(info.maximum == 150.0f && info.value == 40.0f);
    // It follows the stat, and the value keeps its place.
    expect_ok(kn_attribute_set_base(a->world, a->foe, p.fury_cap, 0, 300.0f));
    assert_true(kn_resource_get(a->world, a->foe, p.fury_id, &info));
    assert_true(info.maximum == 300.0f);
    expect_near(info.value, 80.0f);
    // A stat that comes later is a new limit.
    expect_ok(kn_attribute_set_add(a->world, a->hero, p.stats, 0));
    assert_true(info_of(a, p.fury_id).maximum == 150.0f);
    expect_near(value_of(a, p.fury), 50.0f);
    arena_end(a);
}

// A raised limit wakes regeneration although the value has not changed.
static void a_raised_limit_gives_regeneration_something_to_do(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    p.mana_def.regeneration.amount = kn_magnitude_constant(10.0f);
    pools_start(&p);
    arena *a = &p.a;
    assert_int_equal(info_of(a, p.mana_id).next, KN_TIME_INFINITE);
    set_to(a, a->max_mana, 115.0f);
    arena_until(a, 2000);
    assert_true(value_of(a, a->mana) == 115.0f);
    set_to(a, a->max_mana, 60.0f);
    assert_true(value_of(a, a->mana) == 60.0f);
    assert_true(change_by(&p, p.mana_id, -20.0f, false) == -20.0f); // not from what was cut
    assert_true(value_of(a, a->mana) == 40.0f);
    arena_end(a);
}

// Sets, hooks, events ---------------------------------------------------------------

typedef struct hook_log {
    char text[512];
} hook_log;

static kn_result added_hook(void *user, const kn_hook_call *call)
{
    hook_log *log = user;
    size_t length = strlen(log->text);
    (void)snprintf(
        log->text + length, sizeof(log->text) - length, "added to %u, ", call->entity.index1);
    return KN_OK;
}

static kn_result changed_hook(void *user, const kn_hook_call *call)
{
    hook_log *log = user;
    const kn_resource_changed *changed = call->arguments;
    size_t length = strlen(log->text);
    kn_resource_info info;
    assert_true(kn_resource_get(call->world, call->entity, changed->resource, &info));
    assert_true(info.value == changed->new_value); // the value is there
    (void)snprintf(log->text + length, sizeof(log->text) - length, "%u %g to %g, ",
        call->entity.index1, (double)changed->old_value, (double)changed->new_value);
    if (changed->new_value == 40.0f) { // own logic: a gift
        (void)kn_attribute_set_base(call->writable, call->entity,
            kn_resource_get_def(kn_world_library(call->world), changed->resource)->attribute, 0,
            45.0f);
    }
    return KN_OK;
}

static void note_event(void *user, kn_world *world, const kn_event *event)
{
    hook_log *log = user;
    char line[256];
    (void)kn_event_print(world, event, line, sizeof(line));
    char *end = strstr(line, "  (");
    if (end != NULL) {
        *end = 0;
    }
    size_t length = strlen(log->text);
    (void)snprintf(log->text + length, sizeof(log->text) - length, "%s; ", strstr(line, "entity"));
}

// RES-002, RES-010, RES-022, RES-029, RES-030, SAIV-127: value, event, hook; and what comes and
// goes.
static void hooks_and_events_follow_the_value(void **state)
{
    pools p;
    hook_log log = {""}, events = {""};
    (void)state;
    pools_begin(&p);
    p.rage_def.added = (kn_hook){added_hook, &log};
    p.rage_def.changed = (kn_hook){changed_hook, &log};
    p.rage_def.decay.amount = kn_magnitude_constant(1.0f);
    arena *a = &p.a;
    pools_start(&p);
    assert_string_equal(log.text, "added to 2, ");
    log.text[0] = 0;
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_CUSTOM;
    listener.function = note_event;
    listener.user = &events;
    expect_ok(kn_listener_add(a->world, &listener, NULL));
    assert_true(change_by(&p, p.rage_id, 30.0f, false) == 30.0f);
    assert_true(change_by(&p, p.rage_id, 10.0f, false) == 10.0f);
    expect_ok(kn_world_step(a->world, 0));
    assert_string_equal(log.text, "2 0 to 30, 2 30 to 40, 2 40 to 45, ");
    assert_string_equal(events.text,
        "entity 2  Rage 0 -> 30 (change); entity 2  Rage 30 -> 40 (change); "
        "entity 2  Rage 40 -> 45 (other); ");
    events.text[0] = 0;
    uint32_t running = timers_of(a);
    expect_ok(kn_attribute_set_remove(a->world, a->hero, p.set, 0));
    assert_int_equal(timers_of(a), running - 1); // decay
    kn_resource_info info;
    assert_false(kn_resource_get(a->world, a->hero, p.rage_id, &info));
    kn_resource_id all[8];
    assert_int_equal(kn_resources(a->world, a->hero, all, 8), 0);
    expect_ok(kn_world_step(a->world, KN_S(2)));
    assert_non_null(strstr(events.text, "entity 2  loses the resource Rage; "));
    assert_null(strstr(events.text, "->"));
    log.text[0] = events.text[0] = 0;
    expect_ok(kn_attribute_set_add(a->world, a->hero, p.set, 0));
    assert_string_equal(log.text, "added to 2, ");
    expect_ok(kn_world_step(a->world, 0));
    assert_non_null(strstr(events.text, "entity 2  gains the resource Rage; "));
    assert_int_equal(kn_resources(a->world, a->hero, all, 2), 5);
    assert_true(all[0].index1 == p.mana_id.index1 && all[1].index1 == p.fury_id.index1);
    arena_end(a);
}

// Costs ---------------------------------------------------------------------------

// RES-020, RES-021, RES-030, USE-059, BEY-040: several resources, all or nothing.
static void abilities_cost_several_resources_or_none(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    arena *a = &p.a;
    kn_cost_def costs[2] = {kn_cost_def_default(), kn_cost_def_default()};
    costs[0].attribute = a->mana;
    costs[0].amount = kn_constant(30.0f);
    costs[1].attribute = p.rage;
    costs[1].amount = kn_constant(10.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Both";
    def.body = KN_BODY_USE;
    def.costs = costs;
    def.cost_count = 2;
    kn_ability_type_id type = arena_ability(a, &def);
    pools_start(&p);
    kn_ability_id both = arena_grant(a, a->hero, type);
    set_to(a, p.rage, 9.0f);
    expect_result(kn_ability_activate(a->world, both, NULL, NULL), KN_REFUSED_COST);
    assert_true(value_of(a, a->mana) == 100.0f && value_of(a, p.rage) == 9.0f);
    assert_int_equal(kn_use_status(a->world, both), KN_USE_RESOURCE);
    set_to(a, p.rage, 10.0f);
    assert_int_equal(kn_use_status(a->world, both), 0);
    kn_cost_quote quotes[4];
    assert_int_equal(kn_ability_quote(a->world, both, quotes, 4), 2);
    assert_true(quotes[0].amount == 30.0f && quotes[1].amount == 10.0f && quotes[1].is_affordable);
    expect_ok(kn_ability_activate(a->world, both, NULL, NULL));
    assert_true(value_of(a, a->mana) == 70.0f && value_of(a, p.rage) == 0.0f);
    set_to(a, p.rage, 50.0f);
    expect_ok(kn_attribute_set_remove(a->world, a->hero, p.set, 0)); // one of them is gone
    assert_int_equal(kn_use_status(a->world, both), KN_USE_RESOURCE);
    expect_ok(kn_attribute_set_add(a->world, a->hero, p.set, 0));
    set_to(a, p.rage, 50.0f);
    assert_int_equal(kn_use_status(a->world, both), 0);
    arena_end(a);
}

// RES-021: what is below the minimum cannot be spent.
static void costs_stop_at_the_minimum(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    arena *a = &p.a;
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = p.fury;
    cost.amount = kn_constant(20.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Roar";
    def.body = KN_BODY_USE;
    def.costs = &cost;
    def.cost_count = 1;
    kn_ability_type_id type = arena_ability(a, &def);
    pools_start(&p);
    kn_ability_id roar = arena_grant(a, a->hero, type);
    kn_resource_init_def init = kn_resource_init_def_default();
    init.resource = p.fury_id;
    init.has_minimum = init.has_value = true;
    init.minimum = 20.0f;
    init.value = 39.0f;
    expect_ok(kn_resource_init(a->world, a->hero, &init));
    expect_result(kn_ability_activate(a->world, roar, NULL, NULL), KN_REFUSED_COST);
    assert_true(change_by(&p, p.fury_id, 1.0f, false) == 1.0f);
    expect_ok(kn_ability_activate(a->world, roar, NULL, NULL));
    assert_true(value_of(a, p.fury) == 20.0f);
    // What is gained beyond the maximum is lost, not hidden.
    set_to(a, p.fury, 500.0f);
    assert_true(value_of(a, p.fury) == 100.0f);
    expect_ok(kn_ability_activate(a->world, roar, NULL, NULL));
    assert_true(value_of(a, p.fury) == 80.0f);
    arena_end(a);
}

// BEY-041: combo points. A finisher spends what is there, at least one, and sees how much.
static void a_finisher_spends_all_combo_points(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    arena *a = &p.a;
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = p.combo;
    cost.amount = kn_constant(5.0f);
    cost.up_to = true;
    cost.minimum = kn_constant(1.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Finisher";
    def.body = KN_BODY_STAY;
    def.costs = &cost;
    def.cost_count = 1;
    kn_ability_type_id type = arena_ability(a, &def);
    pools_start(&p);
    kn_ability_id finisher = arena_grant(a, a->hero, type);
    kn_activation_id activation;
    expect_result(kn_ability_activate(a->world, finisher, NULL, NULL), KN_REFUSED_COST);
    assert_true(change_by(&p, p.combo_id, 1.0f, false) == 1.0f);
    assert_true(change_by(&p, p.combo_id, 2.0f, false) == 2.0f);
    expect_ok(kn_ability_activate(a->world, finisher, NULL, &activation));
    assert_true(kn_activation_paid(a->world, activation, p.combo) == 3.0f);
    assert_true(value_of(a, p.combo) == 0.0f);
    arena_end(a);
}

// Runes: six charges that return two at a time, under a key that all abilities of runes share.
static void runes_return_two_at_a_time(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    arena *a = &p.a;
    kn_cooldown_def runes = kn_cooldown_seconds(10.0f);
    runes.key = arena_tag(a, "Cooldown.Runes");
    runes.charges = kn_constant(6.0f);
    runes.returned = kn_constant(2.0f);
    kn_ability_type_id types[2];
    kn_ability_def def = kn_ability_def_default();
    def.body = KN_BODY_USE;
    def.cooldowns = &runes;
    def.cooldown_count = 1;
    def.name = "One";
    types[0] = arena_ability(a, &def);
    runes.cost = kn_constant(3.0f);
    def.name = "Three";
    types[1] = arena_ability(a, &def);
    pools_start(&p);
    kn_ability_id one = arena_grant(a, a->hero, types[0]);
    kn_ability_id three = arena_grant(a, a->hero, types[1]);
    kn_cooldown_info info;
    expect_ok(kn_ability_activate(a->world, three, NULL, NULL));
    expect_ok(kn_ability_activate(a->world, one, NULL, NULL));
    expect_result(kn_ability_activate(a->world, three, NULL, NULL), KN_REFUSED_COOLDOWN);
    assert_true(kn_ability_charges(a->world, one, runes.key, &info));
    assert_int_equal(info.charges, 2);
    assert_int_equal(info.max_charges, 6);
    arena_until(a, 10000);
    assert_true(kn_ability_charges(a->world, one, runes.key, &info));
    assert_int_equal(info.charges, 4);
    arena_until(a, 20000);
    assert_true(kn_ability_charges(a->world, one, runes.key, &info));
    assert_int_equal(info.charges, 6);
    arena_end(a);
}

// Everywhere the same ---------------------------------------------------------------

static void pools_busy(pools *p)
{
    p->mana_def.regeneration.amount = kn_magnitude_constant(3.0f);
    p->mana_def.regeneration.delay = 0.4f;
    p->fury_def.regeneration.amount = kn_magnitude_constant(7.0f);
    p->fury_def.regeneration.in_combat = 0.0f;
    p->rage_def.decay.amount = kn_magnitude_constant(2.0f);
    p->rage_def.decay.interval = 0.3f;
    p->focus_def.regeneration.amount = kn_magnitude_constant(5.0f);
    p->focus_def.decay.amount = kn_magnitude_constant(4.0f);
    p->focus_def.rest = kn_magnitude_constant(50.0f);
}

static void saves_and_snapshots_in_the_middle_go_on_alike(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    pools_busy(&p);
    pools_start(&p);
    arena *a = &p.a;
    set_to(a, a->mana, 10.0f);
    set_to(a, p.fury, 10.0f);
    set_to(a, p.rage, 90.0f);
    set_to(a, p.focus, 99.0f);
    arena_until(a, 450);
    size_t save_size, snapshot_size;
    void *save = save_of(a->world, &save_size);
    void *snapshot = snapshot_of(a->world, &snapshot_size);
    kn_world_def def = kn_world_def_default();
    kn_world *other;
    def.library = a->library;
    expect_ok(kn_world_create(&def, &other));
    save_load(other, save, save_size);
    assert_same_worlds(a->world, other);
    for (uint32_t i = 0; i < 40; i++) {
        expect_ok(kn_world_step(a->world, KN_MS(130)));
    }
    expect_ok(kn_world_step(other, KN_MS(5200)));
    assert_same_worlds(a->world, other);
    uint64_t hash = kn_world_hash(a->world);
    snapshot_restore(a->world, snapshot, snapshot_size);
    expect_ok(kn_world_step(a->world, KN_MS(5200)));
    assert_true(kn_world_hash(a->world) == hash);
    kn_world_destroy(other);
    free(save);
    free(snapshot);
    arena_end(a);
}

// RES-011, RES-012, RES-013: a viewer gets value and limits together, and goes on like the server.
static void a_projection_does_not_rescale_again(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    pools_busy(&p);
    pools_start(&p);
    arena *a = &p.a;
    kn_world_def def = kn_world_def_default();
    kn_world *viewer;
    def.library = a->library;
    def.is_client = true;
    expect_ok(kn_world_create(&def, &viewer));
    const kn_entity_id all[] = {{0}, a->lord, a->hero};
    project(a->world, viewer, all, 3, KN_VIEWER_OWNER);
    assert_true(kn_attribute_value(viewer, a->hero, p.fury) == 40.0f);
    set_to(a, p.max_fury, 150.0f);
    assert_true(value_of(a, p.fury) == 60.0f);
    project(a->world, viewer, all, 3, KN_VIEWER_OWNER);
    assert_true(kn_attribute_value(viewer, a->hero, p.fury) == 60.0f); // not 90
    expect_ok(kn_world_step(a->world, KN_S(1)));
    expect_ok(kn_world_step(viewer, KN_S(1)));
    assert_true(value_of(a, p.fury) == 67.0f);
    assert_true(kn_attribute_value(viewer, a->hero, p.fury) == 67.0f);
    kn_world_destroy(viewer);
    arena_end(a);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// What was there, and all that was gained and lost, make what is there: nothing is lost or
// invented.
static void no_point_is_lost_or_invented(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 12; round++) {
        pools p;
        uint32_t seed = 77 + round;
        pools_begin(&p);
        pools_busy(&p);
        p.mana_def.regeneration.delay = (float)(round % 3) * 0.3f;
        pools_start(&p);
        arena *a = &p.a;
        kn_custom_event_id kind = kn_custom_event_find(a->library, "Knack.ResourceChanged");
        double sums[6] = {0};
        const kn_attribute_id attributes[] = {{0}, a->mana, p.fury, p.rage, p.focus, p.combo};
        for (uint32_t i = 1; i < 6; i++) {
            sums[i] = (double)value_of(a, attributes[i]);
        }
        for (uint32_t i = 0; i < 150; i++) {
            kn_resource_id resource = {1 + next_random(&seed) % 5};
            switch (next_random(&seed) % 5) {
            case 0:
                (void)change_by(&p, resource, (float)(next_random(&seed) % 60) - 30.0f, false);
                break;
            case 1:
                set_to(a, p.max_fury, 50.0f + (float)(next_random(&seed) % 100));
                break;
            case 2:
                (void)kn_entity_set_tag_count(a->world, a->hero, p.in_combat,
                    KN_TAG_ORIGIN_LOOSE_SYNCED, next_random(&seed) % 2);
                break;
            default:
                break;
            }
            expect_ok(kn_world_step(a->world, KN_MS(next_random(&seed) % 400)));
            kn_events events = kn_world_events(a->world);
            for (uint32_t e = 0; e < events.count; e++) {
                if (events.data[e].type == KN_EVENT_CUSTOM &&
                    events.data[e].data.custom.kind.index1 == kind.index1) {
                    uint32_t size;
                    const kn_resource_changed *changed =
                        kn_event_payload(a->world, &events.data[e], &size);
                    sums[changed->resource.index1] +=
                        (double)changed->new_value - (double)changed->old_value;
                }
            }
            for (uint32_t r = 1; r < 6; r++) {
                float value = value_of(a, attributes[r]);
                kn_resource_info info = info_of(a, (kn_resource_id){r});
                assert_true(value >= info.minimum && value <= info.maximum);
                assert_true(fabs((double)value - sums[r]) < 1e-2);
            }
        }
        assert_true(kn_world_validate(a->world));
        arena_end(a);
    }
}

// Bad input -----------------------------------------------------------------------

static void expect_refused(pools *p, kn_resource_def def, const char *message)
{
    kn_error error = {0};
    kn_resource_id resource;
    def.name = "Bad";
    expect_result(kn_resource_register(p->a.library, &def, &resource, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(resource.index1, 0);
    assert_string_equal(error.message, message);
}

static void bad_definitions_are_refused_with_a_remedy(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    arena *a = &p.a;
    kn_resource_def bad = p.mana_def;
    bad.attribute.index1 = 0;
    expect_refused(&p, bad, "resource `Bad` must name its attribute: attribute: Vitals.Mana");
    bad.attribute = a->power;
    expect_refused(&p, bad,
        "resource `Bad`: the base value of its attribute Vitals.Power must have a minimum of at "
        "least 0: base_min: 0");
    bad.attribute = p.vitals_mana;
    expect_refused(&p, bad,
        "resource `Bad`: the base value of its attribute Vitals.Mana must have a minimum of at "
        "least 0: base_min: 0");
    bad = p.mana_def;
    bad.minimum_from = p.spirit;
    expect_refused(&p, bad,
        "resource `Bad`: minimum_from needs an attribute as the base_min of Pool.Mana, such as "
        "base_min: MinMana");
    bad = p.rage_def;
    bad.maximum_from = p.spirit;
    expect_refused(&p, bad,
        "resource `Bad`: maximum_from needs an attribute as the base_max of Pool.Rage, such as "
        "base_max: MaxMana");
    const float intervals[] = {0.0f, -1.0f, 1e-9f};
    for (uint32_t i = 0; i < 3; i++) {
        bad = p.mana_def;
        bad.regeneration.interval = intervals[i];
        expect_refused(&p, bad, "resource `Bad`: the interval of its regeneration must be above 0");
    }
    bad = p.mana_def;
    bad.decay.delay = NAN;
    expect_refused(&p, bad, "resource_flow.delay is not a finite number");
    for (uint32_t i = 0; i < 3; i++) {
        bad = p.mana_def;
        *(i == 0     ? &bad.decay.delay
            : i == 1 ? &bad.decay.in_combat
                     : &bad.decay.while_casting) = -0.5f;
        expect_refused(
            &p, bad, "resource `Bad`: delay and factors of its decay must be at least 0");
    }
    kn_error error = {0};
    bad = p.mana_def;
    bad.cookie = 0;
    expect_result(kn_resource_register(a->library, &bad, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_resource_register(NULL, &bad, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_resource_register(a->library, NULL, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    expect_ok(kn_resource_register(a->library, &p.mana_def, NULL, &error));
    expect_result(
        kn_resource_register(a->library, &p.mana_def, NULL, &error), KN_REFUSED_DUPLICATE);
    bad = p.mana_def;
    bad.name = "Again";
    expect_ok(kn_resource_register(a->library, &bad, NULL, &error));
    expect_result(kn_library_finish(a->library, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(
        error.message, "resource `Again` has the same attribute as `Mana`; leave out one of them");
    arena_end(a);
}

static void bad_calls_change_nothing(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    pools_start(&p);
    arena *a = &p.a;
    kn_resource_change_def change = kn_resource_change_def_default();
    kn_resource_init_def init = kn_resource_init_def_default();
    kn_resource_info info;
    float changed = 5.0f;
    const kn_resource_id unknown = {99};
    uint64_t hash = kn_world_hash(a->world);
    change.resource = p.mana_id;
    change.amount = 1.0f;
    expect_result(kn_resource_change(a->world, &change, &changed), KN_REFUSED_STALE_ID);
    assert_true(changed == 0.0f);
    change.entity = a->hero;
    change.resource = unknown;
    expect_result(kn_resource_change(a->world, &change, NULL), KN_REFUSED_NOT_FOUND);
    change.resource = p.rage_id;
    change.entity = a->foe;
    expect_result(kn_resource_change(a->world, &change, NULL), KN_REFUSED_MISSING_ATTRIBUTE);
    change.entity = a->hero;
    const float numbers[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3; i++) {
        change.amount = numbers[i];
        expect_result(kn_resource_change(a->world, &change, NULL), KN_REFUSED_BAD_NUMBER);
    }
    change.amount = 1.0f;
    const kn_tag strange = {60000};
    change.tags = (kn_tags){&strange, 1};
    expect_result(kn_resource_change(a->world, &change, NULL), KN_ERROR_INVALID_ARGUMENT);
    change.cookie = 0;
    expect_result(kn_resource_change(a->world, &change, NULL), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_resource_change(NULL, &change, NULL), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_resource_change(a->world, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);

    init.resource = unknown;
    expect_result(kn_resource_init(a->world, a->hero, &init), KN_REFUSED_NOT_FOUND);
    init.resource = p.rage_id;
    expect_result(kn_resource_init(a->world, a->foe, &init), KN_REFUSED_MISSING_ATTRIBUTE);
    expect_result(kn_resource_init(a->world, (kn_entity_id){0}, &init), KN_REFUSED_STALE_ID);
    init.has_maximum = true; // a plain number cannot differ from entity to entity
    expect_result(kn_resource_init(a->world, a->hero, &init), KN_REFUSED_REQUIREMENT);
    init.resource = p.fury_id;
    init.maximum = -1.0f;
    expect_result(kn_resource_init(a->world, a->hero, &init), KN_REFUSED_BAD_NUMBER);
    init.maximum = NAN;
    expect_result(kn_resource_init(a->world, a->hero, &init), KN_REFUSED_BAD_NUMBER);
    init.cookie = 0;
    expect_result(kn_resource_init(a->world, a->hero, &init), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_resource_init(a->world, a->hero, NULL), KN_ERROR_INVALID_ARGUMENT);

    assert_false(kn_resource_get(a->world, a->hero, unknown, &info));
    assert_false(kn_resource_get(a->world, (kn_entity_id){0}, p.mana_id, &info));
    assert_false(kn_resource_get(NULL, a->hero, p.mana_id, &info));
    assert_int_equal(kn_resources(a->world, (kn_entity_id){0}, NULL, 0), 0);
    assert_string_equal(kn_resource_name(a->library, unknown), "");
    assert_null(kn_resource_get_def(a->library, unknown));
    assert_int_equal(kn_resource_find(a->library, "Nothing").index1, 0);
    assert_int_equal(kn_resource_find(a->library, "Rage").index1, p.rage_id.index1);
    assert_true(kn_world_hash(a->world) == hash);
    arena_end(a);
}

// An entity that goes takes its timers with it.
static void a_destroyed_entity_leaves_nothing_behind(void **state)
{
    pools p;
    (void)state;
    pools_begin(&p);
    pools_busy(&p);
    pools_start(&p);
    arena *a = &p.a;
    uint32_t idle = timers_of(a);
    set_to(a, a->mana, 1.0f);
    set_to(a, p.rage, 1.0f);
    assert_true(timers_of(a) >= idle + 2);
    assert_true(kn_entity_destroy(a->world, a->hero));
    expect_ok(kn_world_step(a->world, KN_S(9)));
    assert_int_equal(timers_of(a), 0);
    assert_true(kn_world_validate(a->world));
    arena_end(a);
}

// STAT-033: what clients predict must not depend on what they do not get.
static void predictions_from_attributes_that_clients_lack_are_warned_of(void **state)
{
    arena a;
    kn_error error = {0};
    (void)state;
    arena_begin(&a);
    kn_attribute_def stats[] = {arena_attribute("Secret", 1.0f), arena_attribute("Known", 1.0f),
        arena_attribute("Mana", 1.0f)};
    stats[0].sync = KN_SYNC_NONE;
    stats[2].base_min = kn_limit_constant(0.0f);
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id id;
    set.name = "Stat";
    set.attributes = stats;
    set.attribute_count = 3;
    expect_ok(kn_attribute_set_register(a.library, &set, &id, &error));
    kn_attribute_id secret = attribute_named(&a, "Stat.Secret");
    kn_resource_def mana = resource_def("Mana", attribute_named(&a, "Stat.Mana"));
    mana.regeneration.amount = kn_magnitude_attribute(secret, KN_CAPTURE_FROM_SOURCE, false, 1.0f);
    (void)resource_register(&a, &mana);
    kn_value_def length = kn_value_def_default();
    kn_value_id value;
    length.name = "Length";
    length.factor = secret;
    expect_ok(kn_value_register(a.library, &length, &value, &error));
    kn_cooldown_def cooldowns[] = {kn_cooldown_seconds(1.5f), kn_cooldown_seconds(1.5f)};
    cooldowns[0].value = value;
    cooldowns[1].rate = attribute_named(&a, "Stat.Known");
    cooldowns[1].key = arena_tag(&a, "Cooldown.Shared");
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Bolt";
    ability.cooldowns = cooldowns;
    ability.cooldown_count = 2;
    (void)arena_ability(&a, &ability);
    arena_start(&a);
    assert_int_equal(kn_library_warning_count(a.library), 2);
    assert_string_equal(kn_library_warning(a.library, 0),
        "resource `Mana` is predicted by clients from the attribute Stat.Secret, which they do not "
        "get; write sync: all there");
    assert_string_equal(kn_library_warning(a.library, 1),
        "ability `Bolt`: clients predict a cooldown that depends on the attribute Stat.Secret, "
        "which they do not get; write sync: owner there");
    arena_end(&a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(regeneration_comes_at_exact_times_and_rests_when_full),
    cmocka_unit_test(regeneration_waits_after_each_loss),
    cmocka_unit_test(amounts_are_evaluated_each_time),
    cmocka_unit_test(combat_slows_regeneration_or_stops_it),
    cmocka_unit_test(a_hit_begins_combat_and_its_end_lets_regeneration_go_on),
    cmocka_unit_test(casting_slows_regeneration),
    cmocka_unit_test(decay_falls_back_to_rest_after_a_delay),
    cmocka_unit_test(a_resource_may_rest_in_the_middle),
    cmocka_unit_test(a_resource_follows_the_attribute_at_which_it_rests),
    cmocka_unit_test(modifiers_of_gains_and_losses_keep_the_sign),
    cmocka_unit_test(conditions_see_resource_source_and_signed_amount),
    cmocka_unit_test(modifiers_can_be_about_regeneration_alone),
    cmocka_unit_test(changes_return_what_really_happened),
    cmocka_unit_test(a_value_keeps_its_place_between_new_limits),
    cmocka_unit_test(an_attribute_of_another_set_takes_precedence_as_maximum),
    cmocka_unit_test(a_raised_limit_gives_regeneration_something_to_do),
    cmocka_unit_test(hooks_and_events_follow_the_value),
    cmocka_unit_test(abilities_cost_several_resources_or_none),
    cmocka_unit_test(costs_stop_at_the_minimum),
    cmocka_unit_test(a_finisher_spends_all_combo_points),
    cmocka_unit_test(runes_return_two_at_a_time),
    cmocka_unit_test(saves_and_snapshots_in_the_middle_go_on_alike),
    cmocka_unit_test(a_projection_does_not_rescale_again),
    cmocka_unit_test(no_point_is_lost_or_invented),
    cmocka_unit_test(bad_definitions_are_refused_with_a_remedy),
    cmocka_unit_test(bad_calls_change_nothing),
    cmocka_unit_test(a_destroyed_entity_leaves_nothing_behind),
    cmocka_unit_test(predictions_from_attributes_that_clients_lack_are_warned_of),
};

TEST_GROUP(combat_resource, tests, NULL, NULL);
