// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attacks by hand: the attribute set, damage and its rules, weapons with wind-up and backswing,
// luck, splash, bounces, modifiers, and orders that attack.

#include "rts/attack_test.h"

static const char content[] = ATTACK_BASE
    "curves: {Fade: {points: [[0, 1], [2, 1], [6, 0]]}}\n"
    "effects:\n"
    "  Sleep:\n"
    "    {duration: 10, asset_tags: [Knack.Rts.Ability.Sleep],\n"
    "     granted_tags: [Knack.Rts.Changing.Sleeped]}\n"
    "  Strength: {duration: infinite, modifiers: {Knack.Rts.Attack.Damage: 15}}\n"
    "  Fury:\n"
    "    duration: infinite\n"
    "    modifiers: [{attribute: Knack.Rts.Attack.OutgoingDamageMultiplier, magnitude: 0.25}]\n"
    "  Haste: {duration: infinite, modifiers: {Knack.Rts.Attack.Speed: 1}}\n"
    "  Sluggish: {duration: infinite, modifiers: {Knack.Rts.Attack.Cooldown: 2}}\n"
    "  Slowed: {duration: 5}\n"
    "  Poisoned: {duration: 5}\n"
    "  Warded:\n"
    "    {duration: infinite, gates: [{record: {required: [Damage.Crush]}}]}\n"
    "  Blast: {executions: [{execution: Knack.Rts.Damage}], asset_tags: [Damage.Crush]}\n"
    "  Spell:\n"
    "    {executions: [{execution: Knack.Rts.Damage}], asset_tags: [Damage.Pierce],\n"
    "     parameters: [{name: Damage, value: 30}]}\n"
    "abilities:\n"
    "  Poison:\n"
    "    {body: use, tags: [Knack.Rts.Ability.OnHitEffect], applies: {Poisoned: target},\n"
    "     triggers: [{tag: Knack.Rts.Event.OnHitEffect}]}\n"
    "rts_attack_rules:\n"
    "  Rules:\n"
    "    health: Body.Health\n"
    "    armour: Body.Armour\n"
    "    evasion: target.Body.Evasion\n"
    "rts_damage_tables:\n"
    "  Table:\n"
    "    rows:\n"
    "      - {type: Damage.Pierce.Fire, armour: Armour.Heavy, factor: 3}\n"
    "      - {type: Damage.Pierce, armour: Armour.Light, factor: 2}\n"
    "      - {type: Damage.Pierce, armour: Armour.Heavy, factor: 0.5}\n"
    "      - {type: Damage.Crush, factor: 0.75}\n"
    "rts_weapons:\n"
    "  Fist: {}\n"
    "  Sword: {windup: 0.3, backswing: 0.2}\n"
    "  Spear: {damage_type: Damage.Pierce, damage_attribute: Body.Second}\n"
    "  Charm: {costs: [{attribute: Body.Mana, amount: 4}], windup: 0.3}\n"
    "  Axe: {critical_chance: source.Body.Luck, critical_factor: 3}\n"
    "  Fang: {life_steal: 0.5}\n"
    "  Hammer: {splash: {shape: circle, radius: 6, share: 0.5, falloff: Fade}}\n"
    "  Breath: {splash: {shape: cone, radius: 10, cos_half_angle: 0.7}}\n"
    "  Pike: {splash: {shape: line, radius: 10, width: 2, limit: 1}}\n"
    "  Chain: {bounce: {count: 3, radius: 5, share: 0.5}}\n"
    "  Frost: {effects: [Slowed]}\n"
    "  Given: {tag: Unit.Spare}\n"
    "  Mercy: {relations: [friendly, self], needs_sight: false}\n"
    "rts_attack_modifiers:\n"
    "  Frost: {tag: Buff.Frost, group: Orb, effects: [Slowed], add: 5}\n"
    "  Flame:\n"
    "    {tag: Buff.Flame, group: Orb, priority: 2, factor: 2, damage_type: Damage.Pierce.Fire,\n"
    "     life_steal: 0.1}\n";

static int setup(void **state)
{
    static field f;
    field_begin(&f, attack_library(content));
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    field_end(*state);
    return 0;
}

static kn_entity_id soldier(field *f, float x, float y)
{
    return unit_at(f, "Soldier", f->us, x, y);
}

static kn_entity_id dummy(field *f, float x, float y)
{
    return unit_at(f, "Dummy", f->them, x, y);
}

static void apply(field *f, const char *effect, kn_entity_id source, kn_entity_id target)
{
    assert_int_equal(kn_effect_apply_simple(f->world, kn_effect_type_find(f->library, effect),
                         source, target, 1, NULL),
        KN_OK);
}

static kn_rts_damage deal(
    field *f, kn_entity_id source, kn_entity_id target, float amount, const char *type)
{
    kn_rts_damage_def def = kn_rts_damage_def_default();
    kn_rts_damage damage;
    def.source = source;
    def.target = target;
    def.amount = amount;
    def.type = type != NULL ? tag_of(f, type) : (kn_tag){0};
    const kn_result result = kn_rts_damage_deal(f->world, &def, &damage);
    assert_true(result == KN_OK || result == KN_REFUSED_BLOCKED);
    near(damage.mitigated + damage.absorbed + damage.overkill + damage.dealt, damage.asked, 1e-3f);
    return damage;
}

// The attribute set -----------------------------------------------------------------------

// RTS-125, RTS-131, RTS-132, GAP 6: five attributes, found by number and by name.
static void the_attack_set_has_its_attributes(void **state)
{
    field *f = *state;
    static const char *const names[] = {
        "Damage", "Cooldown", "Range", "OutgoingDamageMultiplier", "Speed"};
    kn_entity_id entity = soldier(f, 0, 0);
    for (uint32_t i = 0; i < KN_RTS_ATTACK_ATTRIBUTE_COUNT; i++) {
        char name[64];
        const kn_rts_attack_attribute which = (kn_rts_attack_attribute)i;
        (void)snprintf(name, sizeof(name), "Knack.Rts.Attack.%s", names[i]);
        const kn_attribute_id attribute = kn_rts_attack_get_attribute(f->library, which);
        assert_int_equal(attribute.index1, attribute_of(f, name).index1);
        assert_int_equal(kn_attribute_get_def(f->library, attribute)->sync, KN_SYNC_ALL);
        assert_true(kn_attribute_exists(f->world, entity, attribute, 0));
    }
    assert_int_equal(kn_rts_attack_set(f->library).index1,
        kn_attribute_set_find(f->library, KN_RTS_ATTACK_SET_NAME).index1);
    assert_true(value_of(f, entity, "Knack.Rts.Attack.OutgoingDamageMultiplier") == 1.0f);
    assert_true(value_of(f, entity, "Knack.Rts.Attack.Speed") == 1.0f);
    assert_int_equal(
        kn_rts_attack_get_attribute(f->library, KN_RTS_ATTACK_ATTRIBUTE_COUNT).index1, 0);
    assert_int_equal(kn_rts_attack_get_attribute(NULL, KN_RTS_ATTACK_DAMAGE).index1, 0);
    assert_int_equal(kn_rts_attack_set(NULL).index1, 0);
}

// RTS-126, RTS-127, RTSV-B4: limits hold at both ends, for base and current values.
static void attack_attributes_have_limits_at_both_ends(void **state)
{
    field *f = *state;
    kn_entity_id entity = soldier(f, 0, 0);
    static const struct {
        const char *name;
        float low;
    } rows[] = {{"Knack.Rts.Attack.Damage", 0}, {"Knack.Rts.Attack.Cooldown", 0.1f},
        {"Knack.Rts.Attack.Range", 0}, {"Knack.Rts.Attack.OutgoingDamageMultiplier", 0},
        {"Knack.Rts.Attack.Speed", 0.01f}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        base_set(f, entity, rows[i].name, 15000);
        near(value_of(f, entity, rows[i].name), 10000, 0);
        near(kn_attribute_base(f->world, entity, attribute_of(f, rows[i].name)), 10000, 0);
        base_set(f, entity, rows[i].name, -1);
        near(value_of(f, entity, rows[i].name), rows[i].low, 0);
        near(kn_attribute_base(f->world, entity, attribute_of(f, rows[i].name)), rows[i].low, 0);
    }
    base_set(f, entity, "Knack.Rts.Attack.Damage", 10000);
    apply(f, "Strength", entity, entity); // the current value, too
    near(value_of(f, entity, "Knack.Rts.Attack.Damage"), 10000, 0);
    base_set(f, entity, "Knack.Rts.Attack.Damage", 5);
    near(value_of(f, entity, "Knack.Rts.Attack.Damage"), 20, 0);
}

// RTS-127, RTSV-B4, RTSV-B5, GAP 6: read literally, there are upper limits of base values alone.
static void literal_limits_are_upper_ones(void **state)
{
    field f;
    (void)state;
    field_begin(&f, attack_library(ATTACK_BASE "rts_attack_rules:\n"
                                               "  Rules: {literal_limits: true,\n"
                                               "    range: {min: 1, max: 50}}\n"
                                               "rts_weapons: {Fist: {}}\n"));
    kn_entity_id entity = soldier(&f, 0, 0);
    base_set(&f, entity, "Knack.Rts.Attack.Damage", 15000);
    near(value_of(&f, entity, "Knack.Rts.Attack.Damage"), 10000, 0);
    base_set(&f, entity, "Knack.Rts.Attack.Cooldown", -1);
    near(value_of(&f, entity, "Knack.Rts.Attack.Cooldown"), -1, 0);
    base_set(&f, entity, "Knack.Rts.Attack.Range", 60);
    near(value_of(&f, entity, "Knack.Rts.Attack.Range"), 50, 0);
    base_set(&f, entity, "Knack.Rts.Attack.Range", 0);
    near(value_of(&f, entity, "Knack.Rts.Attack.Range"), 0, 0);
    // An attack without a cooldown is ready again at once.
    base_set(&f, entity, "Knack.Rts.Attack.Range", 5);
    kn_entity_id foe = dummy(&f, 1, 0);
    arm(&f, entity, "Fist");
    assert_int_equal(kn_rts_attack(f.world, entity, foe), KN_OK);
    assert_int_equal(kn_rts_attack(f.world, entity, foe), KN_OK);
    field_end(&f);
}

// RTS-130, RTSV-B14: those with the set can attack, as long as they have it.
static void the_attack_set_gives_its_tag(void **state)
{
    field *f = *state;
    kn_entity_id entity = dummy(f, 0, 0);
    const kn_tag can = kn_rts_tag(f->library, KN_RTS_CAN_ATTACK);
    assert_true(kn_entity_has_tag(f->world, soldier(f, 1, 0), can));
    assert_false(kn_entity_has_tag(f->world, entity, can));
    assert_int_equal(
        kn_attribute_set_add(f->world, entity, kn_rts_attack_set(f->library), 0), KN_OK);
    assert_true(kn_entity_has_tag(f->world, entity, can));
    assert_int_equal(
        kn_attribute_set_remove(f->world, entity, kn_rts_attack_set(f->library), 0), KN_OK);
    assert_false(kn_entity_has_tag(f->world, entity, can));
}

// Damage ----------------------------------------------------------------------------------

// RTS-134, RTSV-B10, GAP 7: Damage x multiplier, by call and by an effect.
static void damage_is_multiplied_by_its_source(void **state)
{
    field *f = *state;
    kn_entity_id source = soldier(f, 0, 0), target = dummy(f, 1, 0);
    base_set(f, source, "Knack.Rts.Attack.Damage", 40);
    apply(f, "Fury", source, source);
    kn_rts_damage damage = deal(f, source, target, 40, NULL);
    near(damage.asked, 50, 0);
    near(damage.dealt, 50, 0);
    near(health(f, target), 50, 0);
    base_set(f, target, "Body.Health", 100);
    apply(f, "Blast", source, target); // crushes: 50 x 0.75
    near(health(f, target), 62.5f, 0);
    step_ms(f, 0);
    assert_int_equal(
        events_of(f, "Knack.RtsDamage", &damage, sizeof(damage), 1), 2); // both are published
    apply(f, "Spell", source, target); // its own amount: 30 x 1.25
    near(health(f, target), 25, 0);
    // Without a source there is nothing to multiply with.
    near(deal(f, (kn_entity_id){0}, target, 5, NULL).dealt, 5, 0);
}

// RTS-135, RTSV-B11, RTSV-B12, RTSV-B13: tags of the target.
static void damage_respects_tags(void **state)
{
    field *f = *state;
    kn_entity_id source = soldier(f, 0, 0), target = dummy(f, 1, 0);
    base_set(f, target, "Body.Health", 10);
    tag_add(f, target, "Knack.Rts.Changing.LastStand");
    kn_rts_damage damage = deal(f, source, target, 50, NULL);
    near(health(f, target), 1, 0);
    near(damage.dealt, 9, 0);
    near(damage.overkill, 41, 0);
    assert_int_equal(damage.flags & KN_RTS_DAMAGE_LETHAL, 0);
    tag_remove(f, target, "Knack.Rts.Changing.LastStand");
    base_set(f, target, "Body.Health", 100);

    tag_add(f, target, "Knack.Rts.Changing.DamageAbsorbing");
    damage = deal(f, source, target, 50, NULL);
    near(health(f, target), 100, 0);
    near(damage.absorbed, 50, 0);
    arm(f, source, "Fist");
    assert_int_equal(kn_rts_attack(f->world, source, target), KN_OK); // still a valid target
    tag_remove(f, target, "Knack.Rts.Changing.DamageAbsorbing");

    tag_add(f, target, "Knack.Status.Invulnerable");
    damage = deal(f, source, target, 50, NULL);
    near(health(f, target), 100, 0);
    near(damage.mitigated, 50, 0);
    assert_true((damage.flags & KN_RTS_DAMAGE_IMMUNE) != 0);
    tag_remove(f, target, "Knack.Status.Invulnerable");

    const kn_tag asleep = kn_rts_tag(f->library, KN_RTS_ASLEEP);
    for (int i = 0; i < 2; i++) { // by call, and by an effect
        apply(f, "Sleep", source, target);
        assert_int_equal(
            kn_entity_add_tag(f->world, target, asleep, KN_TAG_ORIGIN_LOOSE_SYNCED, 2), KN_OK);
        assert_true(kn_entity_has_tag(f->world, target, asleep));
        if (i == 0) {
            damage = deal(f, source, target, 1, NULL);
            assert_true((damage.flags & KN_RTS_DAMAGE_WOKE) != 0);
        } else {
            apply(f, "Spell", source, target);
        }
        assert_false(kn_entity_has_tag(f->world, target, asleep));
        assert_int_equal(kn_effects_count(f->world, target), 0);
    }
    // What takes no health wakes nobody.
    apply(f, "Sleep", source, target);
    tag_add(f, target, "Knack.Rts.Changing.DamageAbsorbing");
    (void)deal(f, source, target, 20, NULL);
    assert_true(kn_entity_has_tag(f->world, target, asleep));
}

// GAP 22: damage types against armour types; the first row that fits counts.
static void tables_say_what_damage_does_to_armour(void **state)
{
    field *f = *state;
    kn_entity_id source = soldier(f, 0, 0), light = dummy(f, 1, 0), heavy = dummy(f, 2, 0);
    tag_add(f, light, "Armour.Light");
    tag_add(f, heavy, "Armour.Heavy");
    near(kn_rts_damage_factor(f->world, tag_of(f, "Damage.Pierce"), light), 2, 0);
    near(kn_rts_damage_factor(f->world, tag_of(f, "Damage.Pierce"), heavy), 0.5f, 0);
    near(kn_rts_damage_factor(f->world, tag_of(f, "Damage.Pierce.Fire"), heavy), 3, 0);
    near(kn_rts_damage_factor(f->world, tag_of(f, "Damage.Pierce.Fire"), light), 2, 0);
    near(kn_rts_damage_factor(f->world, tag_of(f, "Damage.Pierce"), source), 1, 0);
    near(kn_rts_damage_factor(f->world, tag_of(f, "Damage.Crush"), heavy), 0.75f, 0);
    near(kn_rts_damage_factor(f->world, (kn_tag){0}, heavy), 1, 0);
    kn_rts_damage damage = deal(f, source, light, 10, "Damage.Pierce");
    near(damage.dealt, 20, 0);
    near(damage.mitigated, -10, 0);
    near(deal(f, source, heavy, 10, "Damage.Pierce").mitigated, 5, 0);
}

// RTS-134: armour lets a part through; a negative one lets more through.
static void armour_mitigates(void **state)
{
    field *f = *state;
    kn_entity_id source = soldier(f, 0, 0), target = dummy(f, 1, 0);
    base_set(f, target, "Body.Armour", 10);
    near(deal(f, source, target, 16, NULL).dealt, 10, 1e-4f);
    base_set(f, target, "Body.Armour", -10);
    near(deal(f, source, target, 16, NULL).dealt, 22, 1e-4f);
}

// Gates of effects refuse damage by its type.
static void gates_refuse_damage(void **state)
{
    field *f = *state;
    kn_entity_id source = soldier(f, 0, 0), target = dummy(f, 1, 0);
    apply(f, "Warded", target, target);
    kn_rts_damage damage = deal(f, source, target, 40, "Damage.Crush");
    near(damage.mitigated, 40, 0);
    near(damage.dealt, 0, 0);
    assert_true((damage.flags & KN_RTS_DAMAGE_REFUSED) != 0);
    near(health(f, target), 100, 0);
    near(deal(f, source, target, 40, "Damage.Pierce").dealt, 40, 0);
}

static void damage_that_makes_no_sense_is_refused(void **state)
{
    field *f = *state;
    kn_entity_id target = dummy(f, 1, 0), bare, gone = dummy(f, 2, 0);
    kn_rts_damage_def def = kn_rts_damage_def_default();
    kn_rts_damage damage;
    assert_int_equal(kn_entity_create(f->world, &bare), KN_OK);
    assert_true(kn_entity_destroy(f->world, gone));
    def.target = gone;
    assert_int_equal(kn_rts_damage_deal(f->world, &def, &damage), KN_REFUSED_STALE_ID);
    def.target = bare;
    assert_int_equal(kn_rts_damage_deal(f->world, &def, NULL), KN_REFUSED_MISSING_ATTRIBUTE);
    def.target = target;
    def.amount = -1;
    assert_int_equal(kn_rts_damage_deal(f->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    def.amount = NAN;
    assert_int_equal(kn_rts_damage_quote(f->world, &def, &damage), KN_REFUSED_BAD_NUMBER);
    def.amount = 1;
    def.flags = KN_RTS_DAMAGE_EVADED;
    assert_int_equal(kn_rts_damage_deal(f->world, &def, NULL), KN_ERROR_INVALID_ARGUMENT);
    def.flags = 0;
    def.source = gone; // counts as nobody
    assert_int_equal(kn_rts_damage_quote(f->world, &def, &damage), KN_OK);
    near(damage.dealt, 1, 0);
    near(health(f, target), 100, 0);
    assert_int_equal(damage.source.index1, 0);
    def.cookie = 0;
    assert_int_equal(kn_rts_damage_deal(f->world, &def, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_damage_deal(f->world, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
}

// Damage is conserved whatever the target is: asked = mitigated + absorbed + overkill + dealt, and
// health loses what was dealt.
static void damage_is_conserved(void **state)
{
    field *f = *state;
    static const char *const tags[] = {"Knack.Rts.Changing.LastStand",
        "Knack.Rts.Changing.DamageAbsorbing", "Knack.Status.Invulnerable", "Armour.Light",
        "Armour.Heavy"};
    static const char *const types[] = {
        NULL, "Damage.Pierce", "Damage.Pierce.Fire", "Damage.Crush"};
    kn_entity_id source = soldier(f, 0, 0);
    for (uint32_t i = 0; i < 400; i++) {
        kn_entity_id target = dummy(f, 1, 0);
        for (uint32_t j = 0; j < 5; j++) {
            if (kn_random_below(f->world, 0, 4) == 0) {
                tag_add(f, target, tags[j]);
            }
        }
        if (kn_random_below(f->world, 0, 4) == 0) {
            apply(f, "Warded", target, target);
        }
        base_set(f, target, "Body.Armour", (float)kn_random_below(f->world, 0, 40) - 20);
        base_set(f, target, "Body.Health", (float)kn_random_below(f->world, 0, 100));
        base_set(f, source, "Knack.Rts.Attack.OutgoingDamageMultiplier",
            (float)kn_random_below(f->world, 0, 8) * 0.25f);
        const float before = health(f, target);
        const kn_rts_damage damage = deal(f, source, target,
            (float)kn_random_below(f->world, 0, 90), types[kn_random_below(f->world, 0, 4)]);
        near(before - health(f, target), damage.dealt, 1e-4f);
        assert_true(damage.dealt >= 0 && damage.overkill >= 0 && damage.absorbed >= 0);
        assert_true(kn_entity_destroy(f->world, target));
    }
}

// Weapons ---------------------------------------------------------------------------------

static void weapons_come_by_call_and_by_tag(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), gone = soldier(f, 1, 0);
    kn_rts_weapon_info infos[4];
    const kn_rts_weapon_id fist = weapon_named(f, "Fist"), given = weapon_named(f, "Given");
    assert_int_equal(kn_rts_weapons(f->world, unit, infos, 4), 0);
    arm(f, unit, "Fist");
    assert_int_equal(kn_rts_weapon_add(f->world, unit, fist), KN_REFUSED_DUPLICATE);
    tag_add(f, unit, "Unit.Spare");
    assert_int_equal(kn_rts_weapons(f->world, unit, infos, 4), 2);
    assert_int_equal(infos[0].weapon.index1, fist.index1);
    assert_int_equal(infos[1].weapon.index1, given.index1);
    assert_true(kn_ability_has_tag(
        f->world, infos[1].ability, kn_rts_tag(f->library, KN_RTS_ABILITY_ATTACK)));
    const kn_tag melee = kn_rts_tag(f->library, KN_RTS_MELEE);
    assert_true(kn_entity_has_tag(f->world, unit, melee));
    tag_remove(f, unit, "Unit.Spare");
    assert_int_equal(kn_rts_weapons(f->world, unit, infos, 4), 1);
    assert_true(kn_entity_has_tag(f->world, unit, melee));
    assert_int_equal(kn_rts_weapon_remove(f->world, unit, given), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_weapon_remove(f->world, unit, fist), KN_OK);
    assert_int_equal(kn_rts_weapons(f->world, unit, infos, 4), 0);
    assert_false(kn_entity_has_tag(f->world, unit, melee));
    assert_int_equal(
        kn_rts_weapon_add(f->world, unit, (kn_rts_weapon_id){99}), KN_ERROR_INVALID_ARGUMENT);
    assert_true(kn_entity_destroy(f->world, gone));
    assert_int_equal(kn_rts_weapon_add(f->world, gone, fist), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_weapon_remove(f->world, gone, fist), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_attack(f->world, unit, gone), KN_REFUSED_NOT_FOUND);
    assert_string_equal(kn_ability_type_name(f->library, kn_rts_weapon_ability(f->library, fist)),
        "Knack.Rts.Attack.Fist");
    assert_int_equal(kn_rts_weapon_find(f->library, "Nothing").index1, 0);
}

// RTS-133: Damage is dealt at the end of the wind-up, and Cooldown says when the next one may
// begin.
static void attacks_have_windup_backswing_and_cooldown(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    kn_rts_attack_event events[4];
    arm(f, unit, "Sword");
    base_set(f, unit, "Knack.Rts.Attack.Cooldown", 1);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    kn_rts_weapon_info info = weapon_info(f, unit);
    assert_int_equal(info.phase, KN_RTS_ATTACK_WINDUP);
    assert_int_equal(info.until, KN_MS(300));
    assert_int_equal(info.remaining, KN_MS(1000));
    assert_true(kn_entity_id_equal(info.target, foe));
    step_us(f, KN_MS(300) - 1);
    near(health(f, foe), 100, 0);
    step_us(f, 1);
    near(health(f, foe), 80, 0);
    assert_int_equal(events_of(f, "Knack.RtsAttack", events, sizeof(*events), 4), 1); // the strike
    assert_int_equal(events[0].phase, KN_RTS_ATTACK_BACKSWING);
    assert_int_equal(weapon_info(f, unit).phase, KN_RTS_ATTACK_BACKSWING);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_REFUSED_COOLDOWN);
    step_ms(f, 200);
    assert_int_equal(weapon_info(f, unit).phase, KN_RTS_ATTACK_IDLE);
    step_us(f, KN_MS(500) - 1);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_REFUSED_COOLDOWN);
    step_us(f, 1);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
}

// RTS-151, RTS-152, RTSV-E10: a wind-up that is cancelled costs neither cooldown nor price; later
// the attack has happened.
static void cancelled_windups_cost_nothing(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    kn_effect_query query = kn_effect_query_default();
    const kn_tag tag = kn_rts_tag(f->library, KN_RTS_ABILITY_ATTACK);
    query.asset_tags = (kn_tags){&tag, 1};
    arm(f, unit, "Charm");
    const kn_ability_id ability = weapon_info(f, unit).ability;
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    assert_int_equal(kn_effects_find(f->world, unit, &query, NULL, 0), 1);
    near(value_of(f, unit, "Body.Mana"), 6, 0);
    step_ms(f, 200);
    assert_int_equal(kn_ability_cancel(f->world, ability), KN_OK);
    assert_int_equal(kn_effects_find(f->world, unit, &query, NULL, 0), 0);
    near(value_of(f, unit, "Body.Mana"), 10, 0);
    step_ms(f, 200);
    near(health(f, foe), 100, 0);
    kn_rts_attack_event event;
    assert_int_equal(events_of(f, "Knack.RtsAttack", &event, sizeof(event), 1), 1);
    assert_int_equal(event.phase, KN_RTS_ATTACK_IDLE);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK); // usable at once
    step_ms(f, 300);
    near(health(f, foe), 80, 0);
    near(value_of(f, unit, "Body.Mana"), 6, 0);
    assert_int_equal(kn_rts_weapon_remove(f->world, unit, weapon_named(f, "Charm")), KN_OK);

    arm(f, unit, "Sword");
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    step_ms(f, 350);
    near(health(f, foe), 60, 0);
    assert_int_equal(kn_ability_cancel(f->world, weapon_info(f, unit).ability), KN_OK);
    assert_int_equal(weapon_info(f, unit).phase, KN_RTS_ATTACK_IDLE);
    assert_int_equal(weapon_info(f, unit).remaining, KN_MS(650)); // the backswing is not refunded
}

// RTS-133, RTS-137: a running cooldown follows Cooldown and Speed.
static void cooldowns_follow_attack_speed(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    kn_effect_id haste;
    arm(f, unit, "Fist");
    base_set(f, unit, "Knack.Rts.Attack.Cooldown", 4);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    step_ms(f, 1000);
    assert_int_equal(weapon_info(f, unit).remaining, KN_S(3));
    assert_int_equal(kn_effect_apply_simple(
                         f->world, kn_effect_type_find(f->library, "Haste"), unit, unit, 1, &haste),
        KN_OK);
    assert_int_equal(weapon_info(f, unit).remaining, KN_S(1)); // 2 s in all
    assert_int_equal(weapon_info(f, unit).cooldown, KN_S(2));
    assert_int_equal(kn_effect_remove(f->world, haste, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(weapon_info(f, unit).remaining, KN_S(3));
    apply(f, "Sluggish", unit, unit);
    assert_int_equal(weapon_info(f, unit).remaining, KN_S(5));
    base_set(f, unit, "Knack.Rts.Attack.Cooldown", 0.1f);
    step_ms(f, 1100);
    assert_int_equal(weapon_info(f, unit).remaining, 0);
}

// Wind-ups and backswings are shorter for the fast.
static void windups_follow_attack_speed(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    arm(f, unit, "Sword");
    apply(f, "Haste", unit, unit);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    assert_int_equal(weapon_info(f, unit).until, KN_MS(150));
    step_ms(f, 150);
    near(health(f, foe), 80, 0);
    assert_int_equal(weapon_info(f, unit).until, KN_MS(250));
    assert_int_equal(weapon_info(f, unit).remaining, KN_MS(350));
}

// RTS-136: a second weapon has a cooldown and attributes of its own.
static void several_weapons_are_apart(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    kn_rts_weapon_info infos[2];
    arm(f, unit, "Fist");
    arm(f, unit, "Spear");
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    near(health(f, foe), 80, 0);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    near(health(f, foe), 73, 0);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_rts_weapons(f->world, unit, infos, 2), 2);
    assert_true(infos[0].remaining > 0 && infos[1].remaining > 0);
}

// RTS-151: the event that triggers basic attacks.
static void an_event_triggers_attacks(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    kn_event_record record = kn_event_record_default();
    arm(f, unit, "Fist");
    record.instigator = unit;
    record.target = foe;
    assert_int_equal(
        kn_event_send(f->world, unit, kn_rts_tag(f->library, KN_RTS_EVENT_ATTACK), &record), KN_OK);
    near(health(f, foe), 80, 0);
}

static void expect_refused(field *f, kn_entity_id unit, kn_entity_id target)
{
    const kn_result result = kn_rts_attack(f->world, unit, target);
    assert_true(kn_result_is_refused(result));
    near(weapon_info(f, unit).remaining > 0 ? 1 : 0, 0, 0);
}

static void attacks_need_a_target_that_is_fine(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0), friend = soldier(f, 1, 1);
    kn_entity_id far = dummy(f, 3.1f, 0), neutral = unit_at(f, "Dummy", (kn_entity_id){0}, 1, 0);
    arm(f, unit, "Fist");
    expect_refused(f, unit, friend);
    expect_refused(f, unit, unit);
    expect_refused(f, unit, far); // range 2, slack 1
    expect_refused(f, unit, (kn_entity_id){0});
    tag_add(f, foe, "Knack.Status.Invulnerable");
    expect_refused(f, unit, foe);
    tag_remove(f, foe, "Knack.Status.Invulnerable");
    tag_add(f, unit, "Knack.Status.Unarmed");
    expect_refused(f, unit, foe);
    tag_remove(f, unit, "Knack.Status.Unarmed");
    die(f, foe);
    expect_refused(f, unit, foe);
    assert_int_equal(kn_rts_attack(f->world, unit, neutral), KN_OK);
    near(health(f, neutral), 80, 0);
    // Weapons for friends.
    arm(f, friend, "Mercy");
    assert_int_equal(kn_rts_attack(f->world, friend, unit), KN_OK);
    near(health(f, unit), 80, 0);
    step_ms(f, 1000);
    assert_int_equal(kn_rts_attack(f->world, friend, friend), KN_OK);
    near(health(f, friend), 80, 0);
    step_ms(f, 1000);
    expect_refused(f, friend, neutral);
}

typedef void spoil_fn(field *f, kn_entity_id unit, kn_entity_id foe);

static void spoil_walk(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)unit;
    body_place(f, foe, 30, 0);
}

static void spoil_relation(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)unit;
    assert_int_equal(kn_entity_set_owner(f->world, foe, f->us), KN_OK);
}

static void spoil_death(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)unit;
    die(f, foe);
}

static void spoil_own_death(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)foe;
    die(f, unit);
}

static void spoil_destroy(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)unit;
    assert_true(kn_entity_destroy(f->world, foe));
}

static void spoil_unarm(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)foe;
    tag_add(f, unit, "Knack.Status.Unarmed");
}

static void spoil_immunity(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)unit;
    tag_add(f, foe, "Knack.Status.Invulnerable");
}

// RTS-152: what makes an attack impossible during its wind-up cancels it, and it costs nothing.
static void windups_end_when_the_attack_is_impossible(void **state)
{
    field *f = *state;
    static spoil_fn *const all[] = {spoil_walk, spoil_relation, spoil_death, spoil_own_death,
        spoil_destroy, spoil_unarm, spoil_immunity};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
        arm(f, unit, "Sword");
        assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
        step_ms(f, 100);
        all[i](f, unit, foe);
        step_ms(f, 300);
        if (kn_entity_is_alive(f->world, foe)) {
            near(health(f, foe), 100, 0);
        }
        assert_int_equal(weapon_info(f, unit).phase, KN_RTS_ATTACK_IDLE);
        assert_int_equal(weapon_info(f, unit).remaining, 0);
    }
}

// The attacker is destroyed in its wind-up: nothing happens any more.
static void destroyed_attackers_do_nothing(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    arm(f, unit, "Sword");
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    step_ms(f, 100);
    assert_true(kn_entity_destroy(f->world, unit));
    step_ms(f, 1000);
    near(health(f, foe), 100, 0);
}

// Hits ------------------------------------------------------------------------------------

// RTSV-V7, RTS-151: a hit sends an event to the attacker, which activates its passive ability.
static void hits_activate_passive_abilities(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_effect_id effects[2];
    kn_effect_info info;
    const kn_effect_query any = kn_effect_query_default();
    arm(f, unit, "Fist");
    grant.type = kn_ability_type_find(f->library, "Poison");
    assert_int_equal(kn_ability_grant(f->world, unit, &grant, NULL), KN_OK);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    assert_int_equal(kn_effects_find(f->world, foe, &any, effects, 2), 1);
    assert_true(kn_effect_get(f->world, effects[0], &info));
    assert_true(kn_entity_id_equal(info.source, unit));
    assert_int_equal(info.type.index1, kn_effect_type_find(f->library, "Poisoned").index1);
    step_ms(f, 0);
    const kn_events events = kn_world_events(f->world);
    uint32_t activations = 0, hits = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *e = &events.data[i];
        activations += e->type == KN_EVENT_ABILITY_ACTIVATED &&
                       e->data.ability.type.index1 == grant.type.index1;
        if (e->type == KN_EVENT_RECORD &&
            e->data.record.tag.index1 == kn_rts_tag(f->library, KN_RTS_EVENT_HIT).index1) {
            hits++;
            assert_true(kn_entity_id_equal(e->entity, unit));
            assert_true(kn_entity_id_equal(e->data.record.instigator, unit));
            near(e->data.record.magnitude, 20, 0);
        }
    }
    assert_int_equal(activations, 1);
    assert_int_equal(hits, 1);
}

static void weapons_and_modifiers_apply_effects(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    arm(f, unit, "Frost");
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    assert_int_equal(kn_effects_count(f->world, foe), 1);
    // A modifier of the attacker adds damage and another effect.
    kn_entity_id other = soldier(f, 0, 1), second = dummy(f, 2, 1);
    arm(f, other, "Fist");
    tag_add(f, other, "Buff.Frost");
    assert_int_equal(kn_rts_attack(f->world, other, second), KN_OK);
    near(health(f, second), 75, 0);
    assert_int_equal(kn_effects_count(f->world, second), 1);
    // Of one group the one with the higher priority counts alone, here with another type.
    step_ms(f, 1000);
    kn_entity_id third = dummy(f, 2, 2);
    tag_add(f, third, "Armour.Heavy");
    base_set(f, third, "Body.Health", 200);
    base_set(f, other, "Body.Health", 50);
    tag_add(f, other, "Buff.Flame");
    assert_int_equal(kn_rts_attack(f->world, other, third), KN_OK);
    near(health(f, third), 200 - 20 * 2 * 3, 0);
    assert_int_equal(kn_effects_count(f->world, third), 0);
    near(health(f, other), 50 + 12, 1e-4f);
}

static void life_is_stolen_from_what_was_dealt(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    arm(f, unit, "Fang");
    base_set(f, unit, "Body.Health", 50);
    base_set(f, foe, "Body.Health", 12);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    near(health(f, unit), 56, 0); // half of 12, not of 20
}

static void splash_reaches_those_around(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    kn_entity_id near_one = dummy(f, 2, 2), far_one = dummy(f, 2, 4), out = dummy(f, 2, 9);
    kn_entity_id friend = soldier(f, 2, 1), dead = dummy(f, 2, -1);
    arm(f, unit, "Hammer");
    die(f, dead);
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    near(health(f, foe), 80, 0);
    near(health(f, near_one), 90, 0);
    near(health(f, far_one), 95, 1e-4f); // half of half, by the curve
    near(health(f, out), 100, 0);
    near(health(f, friend), 100, 0);
    near(health(f, dead), 100, 0);
}

static void cones_and_lines_reach_beyond(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    kn_entity_id behind = dummy(f, 6, 0), second = dummy(f, 8, 0), beside = dummy(f, 5, 3);
    kn_entity_id back = dummy(f, -2, 0);
    arm(f, unit, "Breath");
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    near(health(f, foe), 80, 0);
    near(health(f, behind), 80, 0);
    near(health(f, beside), 80, 0);
    near(health(f, back), 100, 0);
    assert_int_equal(kn_rts_weapon_remove(f->world, unit, weapon_named(f, "Breath")), KN_OK);
    arm(f, unit, "Pike");
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    near(health(f, foe), 60, 0);
    near(health(f, behind), 60, 0);
    near(health(f, second), 80, 0); // at most one
    near(health(f, beside), 80, 0);
    near(health(f, back), 100, 0);
}

static void bounces_lose_damage_and_do_not_return(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    kn_entity_id second = dummy(f, 5, 0), third = dummy(f, 9, 0), away = dummy(f, 20, 0);
    arm(f, unit, "Chain");
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    near(health(f, foe), 80, 0);
    near(health(f, second), 90, 0);
    near(health(f, third), 95, 0);
    near(health(f, away), 100, 0);
}

// Luck ------------------------------------------------------------------------------------

typedef struct streak {
    uint32_t hits, longest; // longest row of failures
} streak;

static streak criticals(field *f, uint32_t attacks)
{
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 2, 0);
    streak s = {0};
    uint32_t row = 0;
    arm(f, unit, "Axe");
    base_set(f, unit, "Body.Luck", 0.2f);
    base_set(f, unit, "Knack.Rts.Attack.Cooldown", 0.1f);
    for (uint32_t i = 0; i < attacks; i++) {
        base_set(f, foe, "Body.Health", 100);
        assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
        const bool is_critical = health(f, foe) < 79;
        near(health(f, foe), is_critical ? 40 : 80, 0);
        s.hits += is_critical;
        row = is_critical ? 0 : row + 1;
        s.longest = row > s.longest ? row : s.longest;
        step_ms(f, 100);
    }
    return s;
}

// GAP 7: critical hits come as often as their chance says, and streaks without one are short.
static void critical_hits_are_distributed_evenly(void **state)
{
    field *f = *state;
    streak s = criticals(f, 4000);
    assert_true(s.hits > 720 && s.hits < 880);
    assert_true(s.longest < 18); // 1 / 0.0557: then it is certain
}

// The same without memory: streaks are longer than any that accumulating chances allow.
static void plain_luck_has_longer_streaks(void **state)
{
    field f;
    (void)state;
    field_begin(&f, attack_library(ATTACK_BASE
                        "rts_attack_rules: {Rules: {health: Body.Health, luck: plain}}\n"
                        "rts_weapons:\n"
                        "  Axe: {critical_chance: source.Body.Luck, critical_factor: 3}\n"));
    streak s = criticals(&f, 4000);
    assert_true(s.hits > 680 && s.hits < 920);
    assert_true(s.longest >= 18);
    field_end(&f);
}

// Evasion is the luck of the target, whoever attacks it.
static void evasion_is_distributed_evenly(void **state)
{
    field *f = *state;
    kn_entity_id units[3], foe = dummy(f, 0, 0);
    uint32_t evaded = 0, row = 0, longest = 0;
    base_set(f, foe, "Body.Evasion", 0.2f);
    for (uint32_t i = 0; i < 3; i++) {
        units[i] = soldier(f, 1, (float)i);
        arm(f, units[i], "Frost");
        base_set(f, units[i], "Knack.Rts.Attack.Cooldown", 0.1f);
    }
    for (uint32_t i = 0; i < 3000; i++) {
        kn_rts_damage damage;
        base_set(f, foe, "Body.Health", 100);
        assert_int_equal(kn_rts_attack(f->world, units[i % 3], foe), KN_OK);
        const bool is_evaded = health(f, foe) == 100;
        step_ms(f, 100);
        assert_int_equal(events_of(f, "Knack.RtsDamage", &damage, sizeof(damage), 1), 1);
        assert_int_equal((damage.flags & KN_RTS_DAMAGE_EVADED) != 0, is_evaded);
        near(damage.mitigated, is_evaded ? 20 : 0, 0);
        evaded += is_evaded;
        row = is_evaded ? 0 : row + 1;
        longest = row > longest ? row : longest;
    }
    assert_true(evaded > 540 && evaded < 660);
    assert_true(longest < 18);
}

// Orders ----------------------------------------------------------------------------------

static kn_result attack_order(field *f, kn_entity_id unit, kn_entity_id target)
{
    const kn_order order = kn_order_on(type_named(f, "Knack.Rts.Attack"), target);
    return kn_order_issue(f->world, unit, &order, NULL);
}

// RTS-133: the order for attacks gets within Range, and uses the weapon again and again.
static void orders_attack_with_weapons(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 10, 0);
    arm(f, unit, "Sword");
    assert_int_equal(attack_order(f, unit, foe), KN_OK);
    run_ms(f, 2250);
    near(health(f, foe), 100, 0);
    near(place_of(f, unit).x, 8, 0.01f);
    run_ms(f, 100);
    near(health(f, foe), 80, 0);
    run_ms(f, 2000);
    near(health(f, foe), 40, 0);
    die(f, foe);
    run_ms(f, 50);
    assert_string_equal(current_of(f, unit), "Knack.Stop");
}

// RTS-152: an order that replaces the attack during its wind-up costs no cooldown; one during the
// backswing comes at once, and the cooldown goes on.
static void orders_cancel_windup_and_backswing(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 1, 0);
    const kn_order away = kn_order_at(type_named(f, "Knack.Move"), (kn_vec3){-4, 0, 0});
    arm(f, unit, "Sword");
    assert_int_equal(attack_order(f, unit, foe), KN_OK);
    run_ms(f, 200);
    assert_int_equal(weapon_info(f, unit).phase, KN_RTS_ATTACK_WINDUP);
    assert_int_equal(kn_order_issue(f->world, unit, &away, NULL), KN_OK);
    assert_int_equal(weapon_info(f, unit).phase, KN_RTS_ATTACK_IDLE);
    assert_int_equal(weapon_info(f, unit).remaining, 0);
    run_ms(f, 1500);
    near(health(f, foe), 100, 0);
    near(place_of(f, unit).x, -4, 0.01f);

    body_place(f, unit, 0, 0);
    assert_int_equal(attack_order(f, unit, foe), KN_OK);
    run_ms(f, 400);
    near(health(f, foe), 80, 0);
    assert_int_equal(weapon_info(f, unit).phase, KN_RTS_ATTACK_BACKSWING);
    assert_int_equal(kn_order_issue(f->world, unit, &away, NULL), KN_OK);
    assert_int_equal(weapon_info(f, unit).phase, KN_RTS_ATTACK_IDLE);
    assert_true(weapon_info(f, unit).remaining > KN_MS(500));
}

// A relation that changes during an attack ends it.
static void orders_end_when_relations_change(void **state)
{
    field *f = *state;
    kn_entity_id unit = soldier(f, 0, 0), foe = dummy(f, 1, 0);
    arm(f, unit, "Sword");
    assert_int_equal(attack_order(f, unit, foe), KN_OK);
    run_ms(f, 200);
    assert_int_equal(kn_entity_set_owner(f->world, foe, f->us), KN_OK);
    assert_int_equal(kn_order_relation_changed(f->world, unit, foe), KN_OK);
    assert_string_equal(current_of(f, unit), "Knack.Stop");
    run_ms(f, 500);
    near(health(f, foe), 100, 0);
    assert_int_equal(weapon_info(f, unit).remaining, 0);
}

// Any length of steps, and saves in the middle of wind-ups, end in the same state.
static uint64_t brawl(uint32_t hertz, uint32_t save_at)
{
    static const char *const weapons[] = {"Sword", "Axe", "Hammer", "Chain", "Fang"};
    field f;
    kn_entity_id units[10];
    field_begin(&f, attack_library(content));
    for (uint32_t i = 0; i < 10; i++) {
        units[i] = unit_at(&f, "Soldier", i % 2 == 0 ? f.us : f.them, (float)(i / 2) * 1.5f,
            (float)(i % 2) * 1.5f);
        arm(&f, units[i], weapons[i / 2]);
        base_set(&f, units[i], "Body.Luck", 0.3f);
        base_set(&f, units[i], "Body.Evasion", 0.2f);
        base_set(&f, units[i], "Body.Health", 5000);
    }
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(attack_order(&f, units[i], units[i ^ 1]), KN_OK);
    }
    kn_time now = 0;
    for (uint32_t i = 1; now < KN_MS(5000); i++) {
        kn_time next = (kn_time)i * 1000000 / hertz;
        next = next < KN_MS(5000) ? next : KN_MS(5000);
        step_us(&f, next - now);
        now = next;
        if (i == save_at) {
            save_and_load(&f);
        }
    }
    assert_true(health(&f, units[0]) < 5000);
    const uint64_t hash = kn_world_hash(f.world);
    field_end(&f);
    return hash;
}

static void steps_of_any_length_end_alike(void **state)
{
    (void)state;
    const uint64_t hash = brawl(30, 0);
    assert_true(brawl(60, 0) == hash);
    assert_true(brawl(144, 0) == hash);
    assert_true(brawl(60, 13) == hash); // in the first wind-up
    assert_true(brawl(144, 333) == hash);
}

// Units -----------------------------------------------------------------------------------

// RTS-128, RTS-129, RTSV-B6, RTSV-B7: tables give Damage, Cooldown and Range, at the start and at a
// new level; the multiplier begins with 1 and is left alone.
static void units_read_attack_attributes_from_tables(void **state)
{
    field f;
    (void)state;
    field_begin(&f,
        attack_library(ATTACK_BASE "curves:\n"
                                   "  Hero.Knack.Rts.Attack.Damage: [[1, 10], [2, 12]]\n"
                                   "  Hero.Cooldown: [[1, 3]]\n"
                                   "  Hero.Range: [[1, 6]]\n"
                                   "  Hero.OutgoingDamageMultiplier: [[1, 3]]\n"
                                   "effects:\n"
                                   "  Fury:\n"
                                   "    duration: infinite\n"
                                   "    modifiers: [{attribute: "
                                   "Knack.Rts.Attack.OutgoingDamageMultiplier, magnitude: 0.5}]\n"
                                   "rts_rules: {Rules: {health: Body.Health}}\n"
                                   "rts_weapons: {Fist: {tag: Unit.Spare}}\n"
                                   "rts_units:\n"
                                   "  Hero:\n"
                                   "    sets: [Body, Knack.Rts.Attack]\n"
                                   "    initial_tags: [Unit.Spare]\n"
                                   "    can_level: true\n"
                                   "    max_level: 5\n"
                                   "    experience_per_level: 100\n"
                                   "    granted_experience: 40\n"));
    kn_entity_id hero, foe;
    const kn_rts_unit_type_id type = kn_rts_unit_find(f.library, "Hero");
    assert_int_equal(kn_entity_create(f.world, &hero), KN_OK);
    assert_int_equal(kn_entity_set_owner(f.world, hero, f.us), KN_OK);
    assert_int_equal(kn_rts_unit_add(f.world, hero, type), KN_OK);
    near(value_of(&f, hero, "Knack.Rts.Attack.Damage"), 10, 0);
    near(value_of(&f, hero, "Knack.Rts.Attack.Cooldown"), 3, 0);
    near(value_of(&f, hero, "Knack.Rts.Attack.Range"), 6, 0);
    near(value_of(&f, hero, "Knack.Rts.Attack.OutgoingDamageMultiplier"), 1, 0);
    assert_true(kn_entity_has_tag(f.world, hero, kn_rts_tag(f.library, KN_RTS_CAN_ATTACK)));
    apply(&f, "Fury", hero, hero);
    near(value_of(&f, hero, "Knack.Rts.Attack.OutgoingDamageMultiplier"), 1.5f, 0);
    assert_int_equal(kn_rts_set_level(f.world, hero, 2), KN_OK);
    near(value_of(&f, hero, "Knack.Rts.Attack.OutgoingDamageMultiplier"), 1.5f, 0);
    near(value_of(&f, hero, "Knack.Rts.Attack.Damage"), 12, 0);
    // One that begins with the set, and another value, begins with 1 as well.
    foe = unit_at(&f, "Soldier", f.them, 2, 0);
    base_set(&f, foe, "Knack.Rts.Attack.OutgoingDamageMultiplier", 4);
    assert_int_equal(kn_rts_unit_add(f.world, foe, type), KN_OK);
    near(value_of(&f, foe, "Knack.Rts.Attack.OutgoingDamageMultiplier"), 1, 0);

    // Health is that of the rules for units, and kills give experience to the attacker.
    body_place(&f, hero, 0, 0);
    base_set(&f, foe, "Body.Health", 15);
    assert_int_equal(kn_rts_attack(f.world, hero, foe), KN_OK);
    near(health(&f, foe), 0, 0); // 12 x 1.5
    assert_true(kn_rts_is_dead(f.world, foe));
    near(kn_rts_experience(f.world, hero), 140, 0);
    field_end(&f);
}

// A projectile whose source is gone still kills for the rules of units; nobody gets the credit.
static void kills_of_projectiles_count_for_their_source(void **state)
{
    field f;
    (void)state;
    field_begin(
        &f, attack_library(ATTACK_BASE
                "rts_rules: {Rules: {health: Body.Health}}\n"
                "rts_weapons: {Bow: {kind: ranged, speed: 10}}\n"
                "rts_units:\n"
                "  Hero: {sets: [Body], can_level: true, max_level: 5, experience_per_level: 100,\n"
                "    granted_experience: 40}\n"));
    const kn_rts_unit_type_id type = kn_rts_unit_find(f.library, "Hero");
    for (int is_gone = 0; is_gone < 2; is_gone++) {
        kn_entity_id unit = soldier(&f, 0, 0), foe = dummy(&f, 10, 0);
        kn_rts_projectile_def def = kn_rts_projectile_def_default();
        kn_rts_killed_event killed;
        assert_int_equal(kn_rts_unit_add(f.world, unit, type), KN_OK);
        assert_int_equal(kn_rts_unit_add(f.world, foe, type), KN_OK);
        def.weapon = weapon_named(&f, "Bow");
        def.source = unit;
        def.target = foe;
        def.amount = 200;
        assert_int_equal(kn_rts_projectile_launch(f.world, &def, NULL), KN_OK);
        if (is_gone) {
            assert_true(kn_entity_destroy(f.world, unit));
        }
        step_ms(&f, 1000);
        assert_true(kn_rts_is_dead(f.world, foe));
        assert_int_equal(events_of(&f, "Knack.RtsKilled", &killed, sizeof(killed), 1), 1);
        if (is_gone) {
            assert_false(kn_entity_is_alive(f.world, killed.killer));
        } else {
            assert_true(kn_entity_id_equal(killed.killer, unit));
            near(kn_rts_experience(f.world, unit), 40, 0);
        }
    }
    field_end(&f);
}

// The guide -------------------------------------------------------------------------------

// The first block of YAML of docs/rts-attack.md is loaded and played.
static void the_guide_can_be_played(void **state)
{
    static char text[16 * 1024];
    FILE *file = fopen(RTS_DOCS "/rts-attack.md", "r");
    char line[512];
    size_t length = 0;
    bool is_open = false;
    field f;
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            if (is_open) {
                break;
            }
            is_open = true;
        } else if (is_open) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s", line);
            assert_true(length < sizeof(text));
        }
    }
    assert_int_equal(fclose(file), 0);
    field_begin(&f, attack_library(text));
    kn_entity_id archer = unit_at(&f, "Archer", f.us, 0, 0);
    kn_entity_id foe = unit_at(&f, "Archer", f.them, 8, 0);
    tag_add(&f, archer, "Buff.Frost");
    run_ms(&f, 1000); // both see each other
    assert_true(health(&f, foe) < 100 && health(&f, archer) < 100);
    assert_true(kn_effects_count(f.world, foe) >= 1); // chilled
    field_end(&f);
}

// Bad definitions -------------------------------------------------------------------------

static void weapon_refused(kn_rts_weapon_def def, const char *words)
{
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    assert_int_equal(kn_order_register(library, &error), KN_OK);
    assert_int_equal(kn_rts_register(library, &error), KN_OK);
    def.name = "Bad";
    assert_int_equal(kn_rts_weapon_register(library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("`%s` is not in `%s`", words, error.message);
    }
    kn_library_destroy(library);
}

static void definitions_that_make_no_sense_are_refused(void **state)
{
    const kn_rts_weapon_def plain = kn_rts_weapon_def_default();
    kn_rts_weapon_def def = plain;
    (void)state;
    def.windup = -1;
    weapon_refused(def, "`windup`");
    def = plain;
    def.speed = -1;
    weapon_refused(def, "`speed`");
    def = plain;
    def.spread = 1.5f;
    weapon_refused(def, "`spread`");
    def = plain;
    def.bounce.count = 17;
    weapon_refused(def, "`bounce`");
    def = plain;
    def.splash.cos_half_angle = 2;
    weapon_refused(def, "`cos_half_angle`");
    def = plain;
    def.splash.radius = -1;
    weapon_refused(def, "`radius`");
    def = plain;
    def.relations = 64;
    weapon_refused(def, "`relations`");

    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    assert_int_equal(kn_order_register(library, &error), KN_OK);
    assert_int_equal(kn_rts_register(library, &error), KN_OK);
    kn_rts_attack_rules_def rules = kn_rts_attack_rules_def_default();
    rules.name = "Rules";
    rules.damage.min = 20000;
    assert_int_equal(kn_rts_attack_rules_register(library, &rules, &error), KN_ERROR_BAD_DATA);
    rules = kn_rts_attack_rules_def_default();
    rules.name = "Rules";
    rules.speed.min = 0;
    assert_int_equal(kn_rts_attack_rules_register(library, &rules, &error), KN_ERROR_BAD_DATA);
    rules.speed.min = 0.5f;
    assert_int_equal(kn_rts_attack_rules_register(library, &rules, &error), KN_OK);
    rules.name = "Other";
    assert_int_equal(kn_rts_attack_rules_register(library, &rules, &error), KN_OK);
    kn_rts_damage_table_def table = kn_rts_damage_table_def_default();
    const kn_rts_damage_row row = {.factor = 1};
    table.name = "Table";
    table.rows = &row;
    table.row_count = 1;
    assert_int_equal(kn_rts_damage_table_register(library, &table, &error), KN_ERROR_BAD_DATA);
    kn_rts_attack_modifier_def modifier = kn_rts_attack_modifier_def_default();
    modifier.name = "Modifier";
    assert_int_equal(
        kn_rts_attack_modifier_register(library, &modifier, NULL, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_library_finish(library, &error), KN_ERROR_BAD_DATA); // two of the rules
    assert_non_null(strstr(error.message, "only one"));
    assert_int_equal(kn_rts_weapon_register(NULL, NULL, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_library_destroy(library);
}

#define FIELD_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    FIELD_TEST(the_attack_set_has_its_attributes),
    FIELD_TEST(attack_attributes_have_limits_at_both_ends),
    cmocka_unit_test(literal_limits_are_upper_ones),
    FIELD_TEST(the_attack_set_gives_its_tag),
    FIELD_TEST(damage_is_multiplied_by_its_source),
    FIELD_TEST(damage_respects_tags),
    FIELD_TEST(tables_say_what_damage_does_to_armour),
    FIELD_TEST(armour_mitigates),
    FIELD_TEST(gates_refuse_damage),
    FIELD_TEST(damage_that_makes_no_sense_is_refused),
    FIELD_TEST(damage_is_conserved),
    FIELD_TEST(weapons_come_by_call_and_by_tag),
    FIELD_TEST(attacks_have_windup_backswing_and_cooldown),
    FIELD_TEST(cancelled_windups_cost_nothing),
    FIELD_TEST(cooldowns_follow_attack_speed),
    FIELD_TEST(windups_follow_attack_speed),
    FIELD_TEST(several_weapons_are_apart),
    FIELD_TEST(an_event_triggers_attacks),
    FIELD_TEST(attacks_need_a_target_that_is_fine),
    FIELD_TEST(windups_end_when_the_attack_is_impossible),
    FIELD_TEST(destroyed_attackers_do_nothing),
    FIELD_TEST(hits_activate_passive_abilities),
    FIELD_TEST(weapons_and_modifiers_apply_effects),
    FIELD_TEST(life_is_stolen_from_what_was_dealt),
    FIELD_TEST(splash_reaches_those_around),
    FIELD_TEST(cones_and_lines_reach_beyond),
    FIELD_TEST(bounces_lose_damage_and_do_not_return),
    FIELD_TEST(critical_hits_are_distributed_evenly),
    cmocka_unit_test(plain_luck_has_longer_streaks),
    FIELD_TEST(evasion_is_distributed_evenly),
    FIELD_TEST(orders_attack_with_weapons),
    FIELD_TEST(orders_cancel_windup_and_backswing),
    FIELD_TEST(orders_end_when_relations_change),
    cmocka_unit_test(steps_of_any_length_end_alike),
    cmocka_unit_test(units_read_attack_attributes_from_tables),
    cmocka_unit_test(kills_of_projectiles_count_for_their_source),
    cmocka_unit_test(the_guide_can_be_played),
    cmocka_unit_test(definitions_that_make_no_sense_are_refused),
};

TEST_GROUP(rts_attack, tests, NULL, NULL);
