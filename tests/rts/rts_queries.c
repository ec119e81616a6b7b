// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Short queries about attributes, abilities, effects, tags and events, and the calls of the core
// that answer the others.

#include "rts/rts_test.h"

#include "knack/rts_card.h"
#include "knack/tree.h"

static kn_rts_unit_type_id plain_unit(fixture *f, const kn_attribute_set_id *set)
{
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Plain";
    def.sets = set;
    def.set_count = set != NULL ? 1 : 0;
    def.can_level = true;
    def.max_level = 10;
    def.experience_per_level = kn_constant(100);
    return unit_type_add(f, &def);
}

// What a list of tags is called, sorted as given: "A B".
static const char *tag_names(const fixture *f, const kn_tag *tags, uint32_t count)
{
    static char text[512];
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s", i > 0 ? " " : "",
            kn_tag_name(f->library, tags[i]));
    }
    return text;
}

// RTS-160, RTS-161, RTS-163, RTSV-B3, RTSV-B9
static void attributes_have_fallbacks(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_attribute_set_id set = set_add(&f, "Combat", "Damage Armor");
    const kn_attribute_id damage = attribute_named(&f, "Combat.Damage");
    const kn_rts_unit_type_id type = plain_unit(&f, &set);
    static const float rise[] = {1, 2, 4};
    const kn_curve_id curve = curve_add(&f, "Rise", rise, 3);
    world_begin(&f);
    const kn_entity_id unit = unit_create(&f, type, f.us);
    assert_int_equal(kn_attribute_set_base(f.world, unit, damage, 0, 12), KN_OK);
    assert_true(kn_rts_attribute(f.world, unit, damage, 7) == 12);
    assert_true(kn_rts_attribute(f.world, f.them, damage, 7) == 7); // without the set
    assert_true(kn_rts_attribute(f.world, (kn_entity_id){0}, damage, 7) == 7);
    assert_true(kn_rts_attribute(NULL, unit, damage, 7) == 7);
    assert_true(kn_rts_attribute(f.world, unit, (kn_attribute_id){0}, 7) == 7);
    uint32_t own = 0; // every attribute of every set, each once
    for (uint32_t i = 1; i <= kn_attribute_count(f.library); i++) {
        own += kn_attribute_set_of(f.library, (kn_attribute_id){i}).index1 == set.index1;
    }
    assert_int_equal(own, 2);
    kn_scalable scalable = kn_constant(10);
    assert_true(kn_rts_scalable_at(f.library, &scalable, 3) == 10);
    scalable.curve = curve;
    assert_true(kn_rts_scalable_at(f.library, &scalable, 3) == 40);
    scalable.curve.index1 = 1000; // there is no such curve
    assert_true(kn_rts_scalable_at(f.library, &scalable, 3) == 0);
    scalable.curve = curve;
    scalable.parameter.index1 = 1;
    assert_true(kn_rts_scalable_at(f.library, &scalable, 3) == 0);
    assert_true(kn_rts_scalable_at(f.library, NULL, 3) == 0);
    fixture_close(&f);
}

static kn_ability_type_id ability_of(fixture *f, const kn_ability_def *def)
{
    kn_ability_type_id type;
    kn_error error = {0};
    if (kn_ability_register(f->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static kn_ability_id grant(fixture *f, kn_entity_id entity, kn_ability_type_id type)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    kn_ability_id ability;
    def.type = type;
    assert_int_equal(kn_ability_grant(f->world, entity, &def, &ability), KN_OK);
    return ability;
}

// RTS-101, RTS-102, RTS-166, RTS-167, RTS-168, RTS-169, RTSV-D5, RTSV-D6, RTSV-D7, RTSV-I2
static void abilities_by_trigger_and_tag(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_tag t1 = tag_named(&f, "State.T1"), e1 = tag_named(&f, "Event.E1"),
                 e2 = tag_named(&f, "Event.E2"), fire = tag_named(&f, "Ability.Type.Fire"),
                 area = tag_named(&f, "Ability.Type.Area");
    const kn_tag both[] = {fire, area};
    const kn_trigger_def triggers[] = {
        {t1, KN_TRIGGER_SOURCE_TAG_ADDED, 0},
        {e1, KN_TRIGGER_SOURCE_EVENT, 0},
        {e2, KN_TRIGGER_SOURCE_EVENT, 0},
    };
    const kn_trigger_def attack = {
        kn_rts_tag(f.library, KN_RTS_EVENT_ATTACK), KN_TRIGGER_SOURCE_EVENT, 0};
    kn_ability_def def = kn_ability_def_default();
    def.body = KN_BODY_USE;
    def.name = "Burst";
    def.triggers = triggers;
    def.trigger_count = 3;
    def.tags = (kn_tags){both, 2};
    const kn_ability_type_id burst = ability_of(&f, &def);
    def.name = "Swing";
    def.triggers = &attack;
    def.trigger_count = 1;
    def.tags = (kn_tags){both, 1};
    const kn_ability_type_id swing = ability_of(&f, &def);
    def.name = "Plain";
    def.trigger_count = 1;
    def.triggers = triggers; // by a tag alone
    def.tags = (kn_tags){0};
    const kn_ability_type_id plain = ability_of(&f, &def);
    world_begin(&f);
    assert_int_equal(kn_rts_event_trigger(f.library, burst).index1, e1.index1);
    assert_int_equal(kn_rts_event_trigger(f.library, plain).index1, 0);
    assert_int_equal(kn_rts_event_trigger(f.library, (kn_ability_type_id){0}).index1, 0);
    assert_int_equal(kn_rts_event_trigger(NULL, burst).index1, 0);
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(f.world, &unit), KN_OK);
    const kn_ability_id has_burst = grant(&f, unit, burst), has_swing = grant(&f, unit, swing),
                        has_plain = grant(&f, unit, plain);
    kn_ability_id found[4];
    assert_int_equal(kn_rts_basic_attacks(f.world, unit, found, 4), 1);
    assert_int_equal(found[0].index1, has_swing.index1);
    assert_int_equal(kn_rts_basic_attacks(f.world, f.us, found, 4), 0);
    assert_int_equal(kn_rts_basic_attacks(f.world, unit, NULL, 0), 1);
    assert_int_equal(kn_abilities_find(f.world, unit, NULL, found, 4), 3); // in order of grant
    assert_int_equal(found[0].index1, has_burst.index1);
    assert_int_equal(found[2].index1, has_plain.index1);
    kn_ability_query query = kn_ability_query_default();
    query.all_tags = (kn_tags){both, 1};
    assert_int_equal(kn_abilities_find(f.world, unit, &query, found, 4), 2);
    query.all_tags = (kn_tags){both, 2};
    assert_int_equal(kn_abilities_find(f.world, unit, &query, found, 4), 1);
    assert_int_equal(found[0].index1, has_burst.index1);
    fixture_close(&f);
}

// RTS-170, RTS-171, RTS-177, RTS-178, RTSV-E4, RTSV-E5, RTSV-E6
static void cooldowns(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    kn_effect_def effect = kn_effect_def_default();
    const kn_tag cooling = tag_named(&f, "Cooldown.Blink"), length = tag_named(&f, "Value.Length");
    effect.name = "BlinkCooldown";
    effect.duration_kind = KN_DURATION_TIMED;
    effect.duration = kn_magnitude_constant(8);
    effect.granted_tags = (kn_tags){&cooling, 1};
    kn_effect_type_id by_effect, by_caller;
    assert_int_equal(kn_effect_register(f.library, &effect, &by_effect, NULL), KN_OK);
    effect.name = "CallerCooldown";
    effect.duration = kn_magnitude_set_by_caller(length);
    assert_int_equal(kn_effect_register(f.library, &effect, &by_caller, NULL), KN_OK);
    static const float rise[] = {6, 5};
    const kn_curve_id curve = curve_add(&f, "Rise", rise, 2);
    kn_ability_def def = kn_ability_def_default();
    def.body = KN_BODY_USE;
    def.name = "Blink";
    def.cooldown_effect = by_effect;
    const kn_ability_type_id blink = ability_of(&f, &def);
    assert_int_equal(
        kn_ability_type_get_def(f.library, blink)->cooldown_effect.index1, by_effect.index1);
    def.name = "Haste";
    def.cooldown_effect = by_caller;
    def.cooldown_caller_tag = length;
    def.cooldown_duration = kn_by_level(1, curve);
    const kn_ability_type_id haste = ability_of(&f, &def);
    const kn_cooldown_def charges = {.duration = {12, {0}, {0}},
        .charges = {1, {0}, {0}},
        .cost = {1, {0}, {0}},
        .returned = {1, {0}, {0}}};
    def = kn_ability_def_default();
    def.body = KN_BODY_STAY;
    def.name = "Shout";
    def.cooldowns = &charges;
    def.cooldown_count = 1;
    const kn_ability_type_id shout = ability_of(&f, &def);
    def.name = "Free";
    def.cooldown_count = 0;
    const kn_ability_type_id free_one = ability_of(&f, &def);
    world_begin(&f);
    kn_entity_id unit;
    kn_time remaining, duration;
    assert_int_equal(kn_entity_create(f.world, &unit), KN_OK);
    kn_rts_cooldown(f.world, unit, blink, &remaining, &duration); // not granted
    assert_int_equal(remaining, 0);
    assert_int_equal(duration, KN_MS(8000));
    (void)grant(&f, unit, blink);
    kn_ability_grant_def caller = kn_ability_grant_def_default();
    const kn_caller_value other = {length, 99}; // its own length counts all the same
    kn_ability_id has_haste;
    caller.type = haste;
    caller.caller_values = &other;
    caller.caller_value_count = 1;
    assert_int_equal(kn_ability_grant(f.world, unit, &caller, &has_haste), KN_OK);
    const kn_ability_id has_shout = grant(&f, unit, shout);
    (void)grant(&f, unit, free_one);
    kn_rts_cooldown(f.world, unit, blink, &remaining, &duration);
    assert_int_equal(remaining, 0);
    assert_int_equal(duration, KN_MS(8000));
    assert_int_equal(kn_ability_activate_type(f.world, unit, blink, NULL), KN_OK);
    step_ms(&f, 2000);
    kn_rts_cooldown(f.world, unit, blink, &remaining, &duration);
    assert_int_equal(remaining, KN_MS(6000));
    assert_int_equal(duration, KN_MS(8000));
    step_ms(&f, 6000);
    kn_rts_cooldown(f.world, unit, blink, &remaining, NULL);
    assert_int_equal(remaining, 0);
    kn_rts_cooldown(f.world, unit, haste, NULL, &duration);
    assert_int_equal(duration, KN_MS(6000));
    assert_int_equal(kn_ability_set_level(f.world, &has_haste, 2), KN_OK);
    kn_rts_cooldown(f.world, unit, haste, NULL, &duration);
    assert_int_equal(duration, KN_MS(5000));
    assert_int_equal(kn_ability_activate_type(f.world, unit, haste, NULL), KN_OK);
    kn_rts_cooldown(f.world, unit, haste, &remaining, &duration); // as it was said
    assert_int_equal(remaining, KN_MS(5000));
    assert_int_equal(duration, KN_MS(5000));
    kn_rts_cooldown(f.world, unit, shout, &remaining, &duration);
    assert_int_equal(duration, KN_MS(12000));
    assert_int_equal(kn_ability_activate_type(f.world, unit, shout, NULL), KN_OK);
    assert_true(kn_ability_is_active(f.world, has_shout));
    assert_int_equal(kn_ability_cancel(f.world, has_shout), KN_OK);
    assert_false(kn_ability_is_active(f.world, has_shout));
    kn_rts_cooldown(f.world, unit, free_one, &remaining, &duration);
    assert_int_equal(remaining, 0);
    assert_int_equal(duration, 0);
    kn_rts_cooldown(f.world, unit, (kn_ability_type_id){0}, &remaining, &duration);
    assert_int_equal(duration, 0);
    kn_rts_cooldown(NULL, unit, blink, &remaining, &duration);
    assert_int_equal(duration, 0);
    fixture_close(&f);
}

// RTS-179, RTSV-D8
static void passives_unlock_by_tags(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_tag tags[] = {tag_named(&f, "Has.A"), tag_named(&f, "Has.B")};
    kn_ability_def def = kn_ability_def_default();
    def.name = "Thorns";
    def.activation.required = (kn_tags){tags, 2};
    const kn_ability_type_id thorns = ability_of(&f, &def);
    def.name = "Always";
    def.activation.required.count = 0;
    const kn_ability_type_id always = ability_of(&f, &def);
    world_begin(&f);
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(f.world, &unit), KN_OK);
    assert_true(kn_rts_is_unlocked(f.world, unit, always));
    gain(&f, unit, tags[0]);
    assert_false(kn_rts_is_unlocked(f.world, unit, thorns));
    gain(&f, unit, tags[1]);
    assert_true(kn_rts_is_unlocked(f.world, unit, thorns));
    assert_false(kn_rts_is_unlocked(f.world, (kn_entity_id){0}, always));
    assert_false(kn_rts_is_unlocked(f.world, unit, (kn_ability_type_id){0}));
    fixture_close(&f);
}

// RTS-074, RTS-181, RTS-182, RTSV-I5, RTSV-I6
static void item_abilities_follow_their_effects(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_ability_type_id haste = ability_add(&f, "Haste", 1), own = ability_add(&f, "Own", 1),
                             ward = ability_add(&f, "Ward", 1);
    kn_grant_def grants[3] = {
        kn_grant_def_default(), kn_grant_def_default(), kn_grant_def_default()};
    kn_name names[3];
    static const char *const words[] = {"Haste", "Elsewhere", "Ward"};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_name_register(f.library, words[i], &names[i], NULL), KN_OK);
        grants[i].ability = names[i];
    }
    kn_effect_def def = kn_effect_def_default();
    def.name = "Boots";
    def.duration_kind = KN_DURATION_INFINITE;
    def.grants = grants;
    def.grant_count = 3;
    kn_effect_type_id boots;
    assert_int_equal(kn_effect_register(f.library, &def, &boots, NULL), KN_OK);
    kn_rts_unit_def unit_def = kn_rts_unit_def_default();
    unit_def.name = "Hero";
    unit_def.abilities = &own;
    unit_def.ability_count = 1;
    const kn_rts_unit_type_id type = unit_type_add(&f, &unit_def);
    world_begin(&f);
    const kn_entity_id unit = unit_create(&f, type, f.us);
    kn_ability_type_id types[3];
    assert_int_equal(kn_rts_granted_abilities(f.world, boots, types, 3), 2);
    assert_int_equal(types[0].index1, haste.index1);
    assert_int_equal(types[1].index1, ward.index1); // what is not an ability is passed over
    assert_int_equal(kn_rts_granted_abilities(f.world, (kn_effect_type_id){0}, types, 3), 0);
    assert_int_equal(kn_rts_item_ability_index(f.world, unit, haste), -1);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(f.world, boots, f.them, unit, 1, &effect), KN_OK);
    kn_ability_id items[4];
    assert_int_equal(kn_rts_item_abilities(f.world, unit, items, 4), 2);
    assert_int_equal(kn_rts_item_ability_index(f.world, unit, haste), 0);
    assert_int_equal(kn_rts_item_ability_index(f.world, unit, ward), 1);
    assert_int_equal(kn_rts_item_ability_index(f.world, unit, own), -1);
    assert_int_equal(kn_rts_unit_ability(f.library, type, 0).index1, own.index1);
    assert_int_equal(kn_rts_unit_ability(f.library, type, 1).index1, 0);
    assert_int_equal(kn_effect_remove(f.world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(kn_rts_item_abilities(f.world, unit, items, 4), 0);
    fixture_close(&f);
}

// RTS-142, RTS-183, RTS-184, RTS-185, RTS-186, RTSV-E1, RTSV-E2, RTSV-E3, RTSV-E9
static void times_of_effects(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_tag length = tag_named(&f, "Value.Length");
    kn_effect_def def = kn_effect_def_default();
    def.name = "Buff";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_set_by_caller(length);
    kn_effect_type_id buff, child, aura, stacked;
    assert_int_equal(kn_effect_register(f.library, &def, &buff, NULL), KN_OK);
    def.name = "Child";
    def.parent = "Buff";
    def.duration = kn_magnitude_constant(100);
    assert_int_equal(kn_effect_register(f.library, &def, &child, NULL), KN_OK);
    def.name = "Stacked";
    def.parent = NULL;
    def.stacking.kind = KN_STACK_BY_TARGET;
    assert_int_equal(kn_effect_register(f.library, &def, &stacked, NULL), KN_OK);
    def.name = "Aura";
    def.stacking.kind = KN_STACK_NONE;
    def.duration_kind = KN_DURATION_INFINITE;
    assert_int_equal(kn_effect_register(f.library, &def, &aura, NULL), KN_OK);
    world_begin(&f);
    kn_rts_effect_time time = kn_rts_get_effect_time(f.world, f.us, buff);
    assert_int_equal(time.count, 0);
    assert_int_equal(time.remaining, 0);
    assert_int_equal(time.duration, 0);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_caller_value seconds = {length, 10};
    apply.type = buff;
    apply.source = f.them;
    apply.target = f.us;
    apply.caller_values = &seconds;
    apply.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f.world, &apply, NULL), KN_OK);
    step_ms(&f, 6000);
    seconds.value = 6;
    assert_int_equal(kn_effect_apply(f.world, &apply, NULL), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f.world, child, f.them, f.us, 1, NULL), KN_OK);
    step_ms(&f, 1000);
    time = kn_rts_get_effect_time(f.world, f.us, buff); // of exactly this type
    assert_int_equal(time.count, 2);
    assert_false(time.is_infinite);
    assert_int_equal(time.remaining, KN_MS(5000));
    assert_int_equal(time.duration, KN_MS(10000));
    assert_int_equal(kn_effect_apply_simple(f.world, aura, f.them, f.us, 1, NULL), KN_OK);
    time = kn_rts_get_effect_time(f.world, f.us, aura);
    assert_true(time.is_infinite);
    assert_int_equal(time.remaining, -1);
    assert_int_equal(time.duration, -1);
    assert_int_equal(kn_rts_get_effect_time(f.world, f.us, (kn_effect_type_id){0}).count, 0);
    assert_int_equal(kn_rts_get_effect_time(NULL, f.us, aura).count, 0);
    kn_effect_id effect;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_effect_apply_simple(f.world, stacked, f.them, f.us, 1, &effect), KN_OK);
    }
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id found[8];
    query.type = stacked;
    assert_int_equal(kn_effects_find(f.world, f.us, &query, found, 8), 1);
    assert_int_equal(kn_effect_stacks(f.world, found[0]), 3);
    kn_effect_info info; // as it was applied
    assert_true(kn_effect_get(f.world, found[0], &info));
    assert_int_equal(info.type.index1, stacked.index1);
    assert_int_equal(info.stacks, 3);
    assert_true(info.level == 1);
    assert_true(kn_entity_id_equal(info.source, f.them));
    assert_true(kn_entity_id_equal(info.target, f.us));
    query.type.index1 = 0;
    assert_int_equal(kn_effects_find(f.world, f.us, &query, found, 8), 5); // duplicates included
    fixture_close(&f);
}

// RTS-192, RTSV-T15, RTSV-T16
static void types_have_tags(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_attribute_set_id set = set_add(&f, "Attack", "Damage");
    const kn_tag rifleman = tag_named(&f, "Unit.Infantry.Rifleman"), hero = tag_named(&f, "Hero"),
                 building = tag_named(&f, "Building");
    const kn_tag can_attack = kn_rts_tag(f.library, KN_RTS_CAN_ATTACK);
    kn_rts_part_def part = kn_rts_part_def_default();
    part.name = "Attack";
    part.set = set;
    part.status_tags = (kn_tags){&can_attack, 1};
    assert_int_equal(kn_rts_part_register(f.library, &part, NULL), KN_OK);
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Rifleman";
    def.name_tag = rifleman;
    def.initial_tags = (kn_tags){&hero, 1};
    def.sets = &set;
    def.set_count = 1;
    const kn_rts_unit_type_id type = unit_type_add(&f, &def);
    world_begin(&f);
    assert_true(kn_rts_unit_type_has_tag(f.library, type, kn_tag_find(f.library, "Unit")));
    assert_true(kn_rts_unit_type_has_tag(f.library, type, hero));
    assert_false(kn_rts_unit_type_has_tag(f.library, type, building));
    assert_false(kn_rts_unit_type_has_tag(f.library, type, can_attack));
    const kn_entity_id unit = unit_create(&f, type, f.us);
    assert_true(kn_entity_has_tag(f.world, unit, can_attack));
    assert_false(kn_rts_unit_type_has_tag(f.library, (kn_rts_unit_type_id){0}, hero));
    assert_false(kn_rts_unit_type_has_tag(f.library, type, (kn_tag){0}));
    fixture_close(&f);
}

// RTS-193, RTS-194, RTS-195, RTS-196, RTSV-R1, RTSV-R2, RTSV-R3, RTSV-R5
static void tags_of_relations(void **state)
{
    fixture f;
    kn_tag tags[8];
    (void)state;
    fixture_open(&f);
    const kn_tag a = tag_named(&f, "Only.A"), b = tag_named(&f, "Only.B");
    world_begin(&f);
    kn_entity_id mine, other, enemy, nobody;
    assert_int_equal(kn_entity_create(f.world, &mine), KN_OK);
    assert_int_equal(kn_entity_create(f.world, &other), KN_OK);
    assert_int_equal(kn_entity_create(f.world, &enemy), KN_OK);
    assert_int_equal(kn_entity_create(f.world, &nobody), KN_OK);
    own(&f, mine, f.us);
    own(&f, other, f.us);
    own(&f, enemy, f.them);
    uint32_t count = kn_rts_relation_tags(f.world, nobody, nobody, tags, 8);
    assert_string_equal(tag_names(&f, tags, count),
        "Knack.Relation.Friendly Knack.Relation.Self Knack.Relation.Visible");
    count = kn_rts_relation_tags(f.world, mine, mine, tags, 8);
    assert_string_equal(tag_names(&f, tags, count),
        "Knack.Relation.Friendly Knack.Relation.Self Knack.Relation.Visible "
        "Knack.Relation.SamePlayer");
    count = kn_rts_relation_tags(f.world, mine, (kn_entity_id){0}, tags, 8);
    assert_string_equal(tag_names(&f, tags, count), "Knack.Relation.Neutral");
    count = kn_rts_relation_tags(f.world, (kn_entity_id){0}, mine, tags, 8);
    assert_string_equal(tag_names(&f, tags, count), "Knack.Relation.Neutral");
    count = kn_rts_relation_tags(f.world, mine, other, tags, 8);
    assert_string_equal(tag_names(&f, tags, count),
        "Knack.Relation.Friendly Knack.Relation.Visible Knack.Relation.SamePlayer");
    count = kn_rts_relation_tags(f.world, mine, nobody, tags, 8);
    assert_string_equal(
        tag_names(&f, tags, count), "Knack.Relation.Neutral Knack.Relation.Visible");
    assert_int_equal(kn_rts_relation_tags(f.world, mine, enemy, tags, 1), 2);
    assert_string_equal(tag_names(&f, tags, 1), "Knack.Relation.Hostile");
    gain(&f, mine, a);
    gain(&f, enemy, b);
    kn_tag_set source, target;
    kn_rts_source_and_target_tags(f.world, mine, enemy, &source, &target);
    const kn_tag hostile = kn_rts_tag(f.library, KN_RTS_HOSTILE),
                 visible = kn_rts_tag(f.library, KN_RTS_VISIBLE);
    const kn_tag of_source[] = {a, hostile, visible}, of_target[] = {b, hostile, visible};
    assert_int_equal(source.count, 3);
    assert_int_equal(target.count, 3);
    assert_true(kn_tags_has_all_exact(kn_tag_set_view(&source), (kn_tags){of_source, 3}));
    assert_true(kn_tags_has_all_exact(kn_tag_set_view(&target), (kn_tags){of_target, 3}));
    gain(&f, f.us, b); // tags of the player
    assert_int_equal(kn_entity_tags(f.world, kn_entity_owner(f.world, mine), tags, 8), 1);
    assert_int_equal(tags[0].index1, b.index1);
    assert_int_equal(kn_entity_tags(f.world, kn_entity_owner(f.world, nobody), tags, 8), 0);
    fixture_close(&f);
}

// RTS-189, RTS-191, RTS-198, RTS-199, RTSV-T11, RTSV-T12, RTSV-T13, RTSV-T14
static void tags_change_once(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_tag alive = tag_named(&f, "Status.Changing.IsAlive"),
                 changing = kn_tag_find(f.library, "Status.Changing");
    const kn_rts_unit_type_id type = plain_unit(&f, NULL);
    world_begin(&f);
    const kn_entity_id unit = unit_create(&f, type, f.us);
    assert_int_equal(kn_rts_change_tag(f.world, unit, alive, true), KN_OK);
    assert_int_equal(kn_entity_tag_count_exact(f.world, unit, alive), 1);
    assert_int_equal(kn_rts_change_tag(f.world, unit, alive, true), KN_OK);
    assert_int_equal(kn_entity_tag_count_exact(f.world, unit, alive), 1);
    assert_true(kn_entity_has_tag(f.world, unit, changing)); // the parent of what it has
    assert_int_equal(kn_rts_change_tag(f.world, unit, changing, false), KN_OK);
    assert_true(kn_entity_has_tag(f.world, unit, alive));
    assert_int_equal(kn_rts_change_tag(f.world, unit, changing, true), KN_OK); // exactly this one
    assert_int_equal(kn_entity_tag_count_exact(f.world, unit, changing), 1);
    assert_int_equal(kn_rts_change_tag(f.world, unit, alive, false), KN_OK);
    assert_int_equal(kn_entity_tag_count_exact(f.world, unit, alive), 0);
    assert_false(kn_entity_has_tag(f.world, unit, alive)); // a parent is not its child
    assert_false(kn_entity_has_tag(f.world, (kn_entity_id){0}, changing));
    kn_tag all[4];
    const kn_tag both[] = {changing, alive}, living = kn_rts_tag(f.library, KN_RTS_ALIVE);
    assert_int_equal(kn_entity_tags(f.world, unit, all, 4), 2);
    assert_true(kn_tags_has_exact((kn_tags){all, 2}, living));
    assert_true(kn_tags_has_exact((kn_tags){all, 2}, changing));
    assert_int_equal(kn_entity_tag_count(f.world, unit, changing), 1);
    assert_int_equal(kn_entity_tag_count(f.world, unit, alive), 0);
    assert_true(kn_entity_has_any_tag(f.world, unit, (kn_tags){both, 2}));
    assert_false(kn_entity_has_all_tags(f.world, unit, (kn_tags){both, 2}));
    assert_true(kn_entity_has_all_tags(f.world, unit, (kn_tags){both, 1}));
    assert_true(kn_entity_has_all_tags(f.world, unit, (kn_tags){0}));
    assert_false(kn_entity_has_any_tag(f.world, unit, (kn_tags){0}));
    const kn_entity_id null = {0}; // nobody, and somebody without tags
    assert_int_equal(kn_entity_tags(f.world, null, all, 4), 0);
    assert_false(kn_entity_has_any_tag(f.world, null, (kn_tags){both, 2}));
    assert_false(kn_entity_has_all_tags(f.world, null, (kn_tags){both, 1}));
    assert_false(kn_entity_has_all_tags(f.world, f.us, (kn_tags){both, 1}));
    assert_int_equal(kn_entity_tags(f.world, f.us, all, 4), 0);
    assert_int_equal(kn_rts_change_tag(f.world, f.us, alive, true), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_change_tag(f.world, f.us, alive, false), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_rts_change_tag(f.world, (kn_entity_id){0}, alive, true), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_change_tag(NULL, unit, alive, true), KN_ERROR_INVALID_ARGUMENT);
    fixture_close(&f);
}

// RTS-190, RTS-197, RTS-200, RTS-201, RTS-202, RTSV-T5 to RTSV-T10, RTSV-T17
static void lists_of_tags(void **state)
{
    fixture f;
    kn_tag out[4];
    (void)state;
    fixture_open(&f);
    const kn_tag debuffs[] = {tag_named(&f, "Status.Debuff.Slow"),
        tag_named(&f, "Status.Debuff.Poison"), tag_named(&f, "Unit")};
    const kn_tag debuff = kn_tag_find(f.library, "Status.Debuff");
    const kn_tag near_ones[] = {debuff, tag_named(&f, "Status.DebuffX")};
    const kn_tag alive = tag_named(&f, "IsAlive"), attack = tag_named(&f, "CanAttack"),
                 building = tag_named(&f, "Constructing");
    // RTSV-T5
    assert_int_equal(kn_rts_filter_tags(f.library, (kn_tags){debuffs, 3}, debuff, out, 4), 2);
    assert_string_equal(tag_names(&f, out, 2), "Status.Debuff.Slow Status.Debuff.Poison");
    assert_int_equal(kn_rts_filter_tags(f.library, (kn_tags){debuffs, 3}, debuff, NULL, 0), 2);
    // RTSV-T6
    assert_int_equal(kn_rts_filter_tags(f.library, (kn_tags){near_ones, 2}, debuff, out, 4), 1);
    assert_int_equal(out[0].index1, debuff.index1);
    const kn_tag has[] = {alive, building}, needs[] = {alive, attack};
    const kn_tags none = {NULL, 0}, blocked = {&building, 1};
    kn_order_errors errors = {0};
    // RTSV-T7
    assert_true(
        kn_rts_check_tags(f.library, (kn_tags){has, 1}, (kn_tags){needs, 1}, blocked, &errors));
    assert_true(kn_order_errors_is_empty(&errors));
    // RTSV-T8
    assert_false(
        kn_rts_check_tags(f.library, (kn_tags){has, 2}, (kn_tags){needs, 1}, blocked, &errors));
    assert_int_equal(errors.missing_count, 0);
    assert_string_equal(tag_names(&f, errors.blocking, errors.blocking_count), "Constructing");
    // RTSV-T9, and what was there stays
    assert_false(
        kn_rts_check_tags(f.library, (kn_tags){has + 1, 1}, (kn_tags){needs, 2}, blocked, &errors));
    assert_string_equal(tag_names(&f, errors.missing, errors.missing_count), "IsAlive CanAttack");
    assert_string_equal(tag_names(&f, errors.blocking, errors.blocking_count), "Constructing");
    assert_true(kn_rts_check_tags(f.library, (kn_tags){has, 1}, none, blocked, &errors));
    assert_int_equal(errors.blocking_count, 1); // nothing was added
    assert_false(kn_rts_check_tags(f.library, none, (kn_tags){needs, 1}, none, NULL));
    // RTSV-T10
    assert_true(kn_rts_check_tags(f.library, none, none, none, NULL));
    assert_true(kn_tags_has_all(f.library, none, none));
    assert_false(kn_tags_has_any(f.library, (kn_tags){has, 1}, none));
    // RTSV-T17
    kn_tag_set set = {0};
    assert_int_equal(kn_tag_set_append(&set, (kn_tags){has, 2}), KN_OK);
    assert_int_equal(kn_tag_set_append(&set, (kn_tags){needs, 2}), KN_OK);
    assert_int_equal(set.count, 3);
    fixture_close(&f);
}

// Events ----------------------------------------------------------------------------------

typedef struct event_scene {
    fixture f;
    kn_tag fireball_event;
    kn_ability_type_id fireball;
    kn_order_type_id orders[KN_ORDER_TARGET_COUNT]; // by what they are aimed at
    kn_order_type_id plain;
    kn_entity_id caster, enemy;
} event_scene;

static kn_result done(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static void events_open(event_scene *s)
{
    static const char *const names[] = {"None", "Entity", "Location", "Direction", "Passive"};
    kn_ability_def def = kn_ability_def_default();
    kn_order_type_def order = kn_order_type_def_default();
    fixture_open(&s->f);
    s->fireball_event = tag_named(&s->f, "Event.Fireball");
    const kn_trigger_def trigger = {s->fireball_event, KN_TRIGGER_SOURCE_EVENT, 0};
    const kn_cooldown_def cooldown = kn_cooldown_seconds(5);
    def.name = "Fireball";
    def.body = KN_BODY_USE;
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    s->fireball = ability_of(&s->f, &def);
    kn_tree_def tree = kn_tree_def_default();
    kn_tree_id id;
    kn_error error = {0};
    kn_blackboard_def board = kn_blackboard_def_default();
    board.name = "Board";
    board.order_keys = true;
    assert_int_equal(kn_blackboard_register(s->f.library, &board, &tree.blackboard, &error), KN_OK);
    tree.name = "Use";
    tree.root.kind = KN_TREE_USE_ABILITY;
    tree.root.ability = s->fireball;
    if (kn_tree_register(s->f.library, &tree, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    for (uint32_t i = 0; i < KN_ORDER_TARGET_COUNT; i++) {
        order.name = names[i];
        order.target_kind = (kn_order_target_kind)i;
        order.ability = s->fireball;
        order.tree = id;
        assert_int_equal(
            kn_order_type_register(s->f.library, &order, &s->orders[i], &error), KN_OK);
    }
    order = kn_order_type_def_default();
    order.name = "Stand";
    order.execute.function = done;
    assert_int_equal(kn_order_type_register(s->f.library, &order, &s->plain, &error), KN_OK);
    const kn_rts_unit_type_id type = plain_unit(&s->f, NULL);
    world_begin(&s->f);
    s->caster = unit_create(&s->f, type, s->f.us);
    s->enemy = unit_create(&s->f, type, s->f.them);
    assert_int_equal(kn_rts_set_level(s->f.world, s->caster, 4), KN_OK);
    place(&s->f, s->caster, 3, 4);
    place(&s->f, s->enemy, 30, 40);
}

// RTS-203, RTS-204, RTS-206, RTS-211, RTS-212, RTSV-V1, RTSV-V2, RTSV-V3, RTSV-V10
static void events_for_orders(void **state)
{
    event_scene s;
    kn_rts_event event;
    (void)state;
    events_open(&s);
    assert_int_equal(KN_ORDER_TARGET_COUNT, 5); // a further kind needs target data, and a case here
    const kn_tag mark = kn_rts_tag(s.f.library, KN_RTS_HERO);
    gain(&s.f, s.enemy, mark);
    kn_order order = kn_order_on(s.orders[KN_ORDER_TARGET_ENTITY], s.enemy);
    assert_int_equal(kn_rts_event_for_order(s.f.world, s.caster, &order, &event), KN_OK);
    assert_int_equal(event.tag.index1, s.fireball_event.index1);
    assert_true(kn_entity_id_equal(event.record.instigator, s.caster));
    assert_true(kn_entity_id_equal(event.record.target, s.enemy));
    assert_true(event.record.magnitude == 4);
    const kn_tag of_target[] = {
        mark, kn_rts_tag(s.f.library, KN_RTS_HOSTILE), kn_rts_tag(s.f.library, KN_RTS_VISIBLE)};
    assert_true(event.record.has_target_tags && event.record.has_instigator_tags);
    assert_true(kn_tags_has_all_exact(event.record.target_tags, (kn_tags){of_target, 3}));
    assert_true(
        kn_tags_has_exact(event.record.instigator_tags, kn_rts_tag(s.f.library, KN_RTS_ALIVE)));
    assert_false(kn_tags_has_exact(event.record.instigator_tags, mark));
    kn_target_view view = {event.record.data, event.record.data_size};
    kn_entity_id entities[2];
    assert_int_equal(kn_target_count(view), 1);
    assert_int_equal(kn_target_entities(view, entities, 2), 1);
    assert_true(kn_entity_id_equal(entities[0], s.enemy));
    for (uint32_t i = KN_ORDER_TARGET_LOCATION; i <= KN_ORDER_TARGET_DIRECTION; i++) {
        order = kn_order_at(s.orders[i], (kn_vec3){120.5f, 300, 0});
        assert_int_equal(kn_rts_event_for_order(s.f.world, s.caster, &order, &event), KN_OK);
        view = (kn_target_view){event.record.data, event.record.data_size};
        const kn_target_line *line = kn_target_get(view, 0, kn_target_type_line());
        assert_non_null(line);
        assert_true(line->end.x == 120.5f && line->end.y == 300 && line->end.z == 0);
        assert_true(line->start.x == 3 && line->start.y == 4);
        assert_true(line->direction.x == 117.5f && line->direction.y == 296);
        assert_true(kn_entity_id_equal(line->source, s.caster));
        assert_int_equal(event.record.target.index1, 0);
    }
    order = kn_order_on(s.orders[KN_ORDER_TARGET_LOCATION], s.enemy); // a point by an entity
    assert_int_equal(kn_rts_event_for_order(s.f.world, s.caster, &order, &event), KN_OK);
    view = (kn_target_view){event.record.data, event.record.data_size};
    kn_vec3 at;
    assert_true(kn_target_position(view, &at));
    assert_true(at.x == 30 && at.y == 40);
    static const kn_order_target_kind without[] = {KN_ORDER_TARGET_NONE, KN_ORDER_TARGET_PASSIVE};
    for (uint32_t i = 0; i < 2; i++) {
        order = kn_order_of(s.orders[without[i]]);
        assert_int_equal(kn_rts_event_for_order(s.f.world, s.caster, &order, &event), KN_OK);
        assert_null(event.record.data);
        assert_int_equal(event.record.data_size, 0);
    }
    memset(&event, 7, sizeof(event));
    kn_rts_event before;
    memcpy(&before, &event, sizeof(event));
    const kn_entity_id null = {0};
    assert_int_equal(kn_rts_event_for_order(s.f.world, null, &order, &event), KN_REFUSED_STALE_ID);
    order.type = s.plain;
    assert_int_equal(
        kn_rts_event_for_order(s.f.world, s.caster, &order, &event), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_rts_event_for_order(s.f.world, s.caster, NULL, &event), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_event_for_order(NULL, s.caster, &order, &event), KN_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(&before, &event, sizeof(event));
    fixture_close(&s.f);
}

// A range that grows with the level of the ability.
static kn_result far_reach(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    c->number = 1000.0f + 50.0f * (float)kn_rts_ability_level_of(
                                      call->world, call->entity, *(const kn_ability_type_id *)user);
    return KN_OK;
}

// RTS-078, RTS-109, RTS-180, RTSV-D4
static void ranges_follow_the_ability(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    kn_ability_type_id bolt = ability_add(&f, "Bolt", 5);
    kn_order_type_def order = kn_order_type_def_default();
    kn_order_type_id far, near_one;
    order.name = "Bolt";
    order.policy = KN_ORDER_INSTANT;
    order.ability = bolt;
    assert_int_equal(kn_order_type_register(f.library, &order, &near_one, NULL), KN_OK);
    order.name = "FarBolt";
    order.find_range = (kn_hook){far_reach, &bolt};
    assert_int_equal(kn_order_type_register(f.library, &order, &far, NULL), KN_OK);
    world_begin(&f);
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(f.world, &unit), KN_OK);
    assert_true(kn_order_get_range(f.world, near_one, unit, -1) == 0);
    assert_true(kn_order_get_range(f.world, far, unit, -1) == 1000); // not learned
    kn_ability_id ability = grant(&f, unit, bolt);
    assert_int_equal(kn_ability_set_level(f.world, &ability, 3), KN_OK);
    assert_true(kn_order_get_range(f.world, far, unit, -1) == 1150);
    assert_true(kn_order_get_range(f.world, (kn_order_type_id){0}, unit, -1) == 0);
    fixture_close(&f);
}

// RTS-205, RTS-207, RTS-208, RTS-209, RTSV-V4, RTSV-V5, RTSV-V6
static void events_by_tag(void **state)
{
    event_scene s;
    kn_rts_event event;
    (void)state;
    events_open(&s);
    const kn_tag region = s.fireball_event, mark = kn_rts_tag(s.f.library, KN_RTS_HERO);
    gain(&s.f, s.enemy, mark);
    assert_int_equal(kn_rts_event_with_tag(s.f.world, s.caster, s.enemy, region, &event), KN_OK);
    assert_int_equal(event.tag.index1, region.index1);
    assert_true(event.record.magnitude == 4);
    assert_true(kn_tags_has_exact(event.record.target_tags, mark));
    assert_false(
        kn_tags_has_exact(event.record.target_tags, kn_rts_tag(s.f.library, KN_RTS_HOSTILE)));
    assert_null(event.record.data);
    // The receiver tries every ability with this trigger; one cools down.
    const kn_ability_id first = grant(&s.f, s.caster, s.fireball),
                        second = grant(&s.f, s.caster, s.fireball);
    uint32_t activated = 9;
    kn_cooldown_info info;
    assert_int_equal(kn_ability_activate(s.f.world, first, &event.record, NULL), KN_OK);
    assert_int_equal(kn_rts_send_event(s.f.world, s.caster, &event, &activated), KN_OK);
    assert_int_equal(activated, 1);
    assert_true(kn_ability_charges(s.f.world, second, (kn_tag){0}, &info));
    assert_int_equal(info.charges, 0); // it was used
    assert_int_equal(kn_rts_send_event(s.f.world, s.caster, &event, &activated), KN_OK);
    assert_int_equal(activated, 0); // both cool down
    step_ms(&s.f, 5000);
    assert_int_equal(kn_rts_send_event(s.f.world, s.caster, &event, NULL), KN_OK);
    assert_int_equal(kn_rts_send_event(s.f.world, s.caster, &event, &activated), KN_OK);
    assert_int_equal(activated, 0);
    step_ms(&s.f, 5000);
    assert_int_equal(kn_rts_send_event(s.f.world, s.caster, &event, &activated), KN_OK);
    assert_int_equal(activated, 2);
    assert_int_equal(kn_rts_send_event(s.f.world, s.enemy, &event, &activated), KN_OK);
    assert_int_equal(activated, 0); // it has none of them
    event.tag = mark;               // triggers nothing
    step_ms(&s.f, 5000);
    assert_int_equal(kn_rts_send_event(s.f.world, s.caster, &event, &activated), KN_OK);
    assert_int_equal(activated, 0);
    event.tag.index1 = 0;
    assert_int_equal(
        kn_rts_send_event(s.f.world, s.caster, &event, &activated), KN_ERROR_INVALID_ARGUMENT);
    event.tag = region;
    assert_int_equal(
        kn_rts_send_event(s.f.world, s.caster, NULL, &activated), KN_ERROR_INVALID_ARGUMENT);
    activated = 9;
    assert_int_equal(
        kn_rts_send_event(s.f.world, (kn_entity_id){0}, &event, &activated), KN_REFUSED_STALE_ID);
    assert_int_equal(activated, 0);
    assert_int_equal(kn_rts_send_event(s.f.world, s.f.us, &event, &activated), KN_OK);
    assert_int_equal(activated, 0); // nobody
    // Sent to all who hear of events, it activates them as well.
    assert_int_equal(kn_event_send(s.f.world, s.caster, region, &event.record), KN_OK);
    assert_true(kn_ability_charges(s.f.world, first, (kn_tag){0}, &info));
    assert_int_equal(info.charges, 0);
    assert_int_equal(
        kn_event_send(s.f.world, (kn_entity_id){0}, region, &event.record), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_event_send(s.f.world, s.f.us, region, &event.record), KN_OK); // nobody
    assert_int_equal(kn_rts_event_with_tag(s.f.world, s.caster, (kn_entity_id){0}, region, &event),
        KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_event_with_tag(s.f.world, (kn_entity_id){0}, s.enemy, region, &event),
        KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_event_with_tag(s.f.world, s.caster, s.enemy, (kn_tag){0}, &event),
        KN_ERROR_INVALID_ARGUMENT);
    fixture_close(&s.f);
}

// RTS-208, RTSV-V7
static void hits_trigger_passives_of_the_attacker(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_attribute_set_id set = set_add(&f, "Vitals", "Health");
    const kn_attribute_id health = attribute_named(&f, "Vitals.Health");
    const kn_tag hit = kn_rts_tag(f.library, KN_RTS_EVENT_HIT);
    const kn_trigger_def trigger = {hit, KN_TRIGGER_SOURCE_EVENT, 0};
    const kn_modifier_def modifier = kn_modifier_constant(health, KN_OP_ADD, -3);
    kn_effect_def poison = kn_effect_def_default();
    kn_effect_type_id effect;
    poison.name = "Poison";
    poison.duration_kind = KN_DURATION_INFINITE;
    poison.modifiers = &modifier;
    poison.modifier_count = 1;
    assert_int_equal(kn_effect_register(f.library, &poison, &effect, NULL), KN_OK);
    const kn_ability_apply_def apply = {.effect = effect, .to = KN_APPLY_TO_TARGET};
    kn_ability_def def = kn_ability_def_default();
    def.name = "PoisonBlade";
    def.body = KN_BODY_EFFECTS;
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.applies = &apply;
    def.apply_count = 1;
    const kn_ability_type_id blade = ability_of(&f, &def);
    const kn_rts_unit_type_id type = plain_unit(&f, &set);
    world_begin(&f);
    const kn_entity_id attacker = unit_create(&f, type, f.us),
                       victim = unit_create(&f, type, f.them);
    const kn_ability_id ability = grant(&f, attacker, blade);
    kn_rts_event event;
    assert_int_equal(kn_rts_event_with_tag(f.world, attacker, victim, hit, &event), KN_OK);
    assert_int_equal(kn_event_send(f.world, attacker, event.tag, &event.record), KN_OK);
    kn_ability_info info;
    kn_event_record record;
    assert_true(kn_ability_get(f.world, ability, &info));
    assert_int_equal(info.active_count, 1);
    assert_true(kn_activation_event(f.world, info.latest, &record));
    assert_true(kn_entity_id_equal(record.instigator, attacker));
    assert_true(kn_entity_id_equal(record.target, victim));
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id found[2];
    kn_effect_info poisoned;
    query.type = effect;
    assert_int_equal(kn_effects_find(f.world, victim, &query, found, 2), 1);
    assert_true(kn_effect_get(f.world, found[0], &poisoned));
    assert_true(kn_entity_id_equal(poisoned.source, attacker));
    fixture_close(&f);
}

// RTS-213, RTSV-V8, RTSV-V9
static void cues_are_played_once(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_tag cue = tag_named(&f, "Cue.MyGame.GenericExplosion");
    world_begin(&f);
    kn_cue_params params = kn_cue_params_default();
    params.location = (kn_vec3){3, 4, 5};
    params.normal = (kn_vec3){0, 0, 1};
    params.has_location = params.has_normal = true;
    assert_int_equal(kn_cue_execute(f.world, f.us, cue, &params), KN_OK);
    assert_int_equal(kn_cue_execute(f.world, (kn_entity_id){0}, cue, &params), KN_REFUSED_STALE_ID);
    assert_int_not_equal(kn_cue_execute(f.world, f.us, (kn_tag){0}, &params), KN_OK);
    step_ms(&f, 10);
    const kn_events events = kn_world_events(f.world);
    uint32_t played = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        kn_cue_params seen;
        if (events.data[i].type == KN_EVENT_CUE) {
            assert_true(kn_cue_event_params(f.world, &events.data[i], &seen));
            assert_true(seen.location.x == 3 && seen.location.z == 5 && seen.normal.z == 1);
            played++;
        }
    }
    assert_int_equal(played, 1);
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(attributes_have_fallbacks),
    cmocka_unit_test(abilities_by_trigger_and_tag),
    cmocka_unit_test(cooldowns),
    cmocka_unit_test(passives_unlock_by_tags),
    cmocka_unit_test(item_abilities_follow_their_effects),
    cmocka_unit_test(times_of_effects),
    cmocka_unit_test(types_have_tags),
    cmocka_unit_test(tags_of_relations),
    cmocka_unit_test(tags_change_once),
    cmocka_unit_test(lists_of_tags),
    cmocka_unit_test(events_for_orders),
    cmocka_unit_test(ranges_follow_the_ability),
    cmocka_unit_test(events_by_tag),
    cmocka_unit_test(hits_trigger_passives_of_the_attacker),
    cmocka_unit_test(cues_are_played_once),
};

TEST_GROUP(rts_queries, tests, NULL, NULL);
