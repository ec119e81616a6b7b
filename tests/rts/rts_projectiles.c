// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Projectiles: how long they fly, how they find their target, what becomes of them when it moves,
// dies or is gone, what blocks them, and who is spared because they are on their way.

#include "rts/attack_test.h"

static const char content[] = ATTACK_BASE
    "effects: {Marked: {duration: 5}}\n"
    "rts_attack_rules:\n"
    "  Rules: {health: Body.Health, evasion: target.Body.Evasion, prevents_overkill: true}\n"
    "rts_damage_tables:\n"
    "  Table: {rows: [{type: Damage.Pierce, armour: Armour.Light, factor: 2}]}\n"
    "rts_attack_modifiers:\n"
    "  Frost: {tag: Buff.Frost, effects: [Marked], add: 5}\n"
    "rts_weapons:\n"
    "  Bow: {kind: ranged, windup: 0.2, speed: 10, damage_type: Damage.Pierce, tag: Unit.Archer}\n"
    "  Dart: {kind: ranged, speed: 10, guide: timed}\n"
    "  Bolt: {kind: ranged}\n"
    "  Stone:\n"
    "    {kind: ranged, speed: 10, guide: location,\n"
    "     splash: {shape: circle, radius: 3, share: 0.5}}\n"
    "  Lance: {kind: ranged, speed: 10, guide: location}\n"
    "  Bomb:\n"
    "    {kind: ranged, speed: 10, target_lost: lands, splash: {shape: circle, radius: 3}}\n"
    "  Seeker: {kind: ranged, speed: 10, target_lost: turns, turn_radius: 6}\n"
    "  Ghost: {kind: ranged, speed: 10, ends_with_source: true}\n"
    "  Slow: {kind: ranged, speed: 1, lifetime: 6}\n"
    "  Glaive: {kind: ranged, speed: 10, bounce: {count: 2, radius: 6, share: 0.5}}\n"
    "  Boomerang:\n"
    "    {kind: ranged, speed: 10, bounce: {count: 3, radius: 6, may_return: true}}\n"
    "  Beam: {kind: ranged, speed: 10, is_blockable: false}\n"
    "  Leech: {kind: ranged, speed: 10, life_steal: 0.5}\n";

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

static kn_entity_id archer(field *f, float x, float y)
{
    kn_entity_id entity = unit_at(f, "Soldier", f->us, x, y);
    base_set(f, entity, "Knack.Rts.Attack.Range", 100);
    return entity;
}

static kn_entity_id dummy(field *f, float x, float y)
{
    return unit_at(f, "Dummy", f->them, x, y);
}

static kn_entity_id launch(field *f, const char *weapon, kn_entity_id source, kn_entity_id target)
{
    kn_rts_projectile_def def = kn_rts_projectile_def_default();
    kn_entity_id projectile;
    def.weapon = weapon_named(f, weapon);
    def.source = source;
    def.target = target;
    assert_int_equal(kn_rts_projectile_launch(f->world, &def, &projectile), KN_OK);
    return projectile;
}

// How the only projectile that ended in the last step did so.
static kn_rts_projectile_end end_of(const field *f)
{
    kn_rts_projectile_ended event;
    assert_int_equal(events_of(f, "Knack.RtsProjectileEnded", &event, sizeof(event), 1), 1);
    return (kn_rts_projectile_end)event.end;
}

static void expect_at(const field *f, kn_entity_id projectile, float x, float y)
{
    kn_vec3 at;
    assert_true(kn_rts_projectile_position(f->world, projectile, &at));
    near(at.x, x, 1e-4f);
    near(at.y, y, 1e-4f);
}

// RTS-125, GAP 22: a projectile takes exactly distance / speed, and is an entity meanwhile.
static void projectiles_arrive_exactly_in_time(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 12, 5);
    kn_rts_projectile_event events[2];
    kn_rts_projectile_info info;
    arm(f, unit, "Bow");
    assert_true(kn_entity_has_tag(f->world, unit, kn_rts_tag(f->library, KN_RTS_RANGED)));
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    step_ms(f, 200);
    near(health(f, foe), 100, 0);
    assert_int_equal(events_of(f, "Knack.RtsProjectile", events, sizeof(*events), 2), 1);
    assert_int_equal(events[0].until, KN_MS(1500));
    kn_entity_id shot = {0};
    for (kn_entity_id e = kn_entity_next(f->world, (kn_entity_id){0}); e.index1 != 0;
         e = kn_entity_next(f->world, e)) {
        shot = kn_rts_projectile_get(f->world, e, &info) ? e : shot;
    }
    assert_int_not_equal(shot.index1, 0);
    assert_true(kn_rts_projectile_get(f->world, shot, &info));
    assert_true(kn_entity_id_equal(info.source, unit) && kn_entity_id_equal(info.target, foe));
    assert_true(kn_entity_id_equal(info.owner, f->us));
    near(info.expected, 20, 0);
    step_ms(f, 650);
    expect_at(f, shot, 6, 2.5f);
    step_us(f, KN_MS(650) - 1);
    near(health(f, foe), 100, 0);
    step_us(f, 1);
    near(health(f, foe), 80, 0);
    assert_int_equal(end_of(f), KN_RTS_PROJECTILE_HIT);
    assert_false(kn_entity_is_alive(f->world, shot));
    assert_false(kn_rts_projectile_get(f->world, shot, &info));
    kn_rts_damage damage;
    assert_int_equal(events_of(f, "Knack.RtsDamage", &damage, sizeof(damage), 1), 1);
    assert_true((damage.flags & KN_RTS_DAMAGE_PROJECTILE) != 0);
    assert_true(kn_entity_id_equal(damage.causer, shot));
    assert_true(kn_entity_id_equal(damage.source, unit));
}

// A homing one flies at its speed all the way, also if its target moves.
static void homing_projectiles_follow_at_their_speed(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0);
    kn_entity_id shot = launch(f, "Bow", unit, foe);
    step_ms(f, 500);
    body_place(f, foe, 10, 6);
    step_ms(f, 500); // where the target was
    expect_at(f, shot, 10, 0);
    near(health(f, foe), 100, 0);
    step_ms(f, 300);
    expect_at(f, shot, 10, 3);
    step_us(f, KN_MS(300) - 1);
    near(health(f, foe), 100, 0);
    step_us(f, 1);
    near(health(f, foe), 80, 0);
}

static void timed_projectiles_arrive_when_they_were_due(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0);
    (void)launch(f, "Dart", unit, foe);
    step_ms(f, 500);
    body_place(f, foe, 10, 60);
    step_us(f, KN_MS(500) - 1);
    near(health(f, foe), 100, 0);
    step_us(f, 1);
    near(health(f, foe), 80, 0);
}

static void projectiles_without_a_speed_arrive_at_once(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0);
    kn_entity_id shot = launch(f, "Bolt", unit, foe);
    assert_int_equal(shot.index1, 0);
    near(health(f, foe), 80, 0);
    arm(f, unit, "Bolt");
    assert_int_equal(kn_rts_attack(f->world, unit, foe), KN_OK);
    near(health(f, foe), 60, 0);
}

// At a point: its target if it is there, else the nearest that is, else nobody but those around.
static void projectiles_at_a_place_hit_who_is_there(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0), other = dummy(f, 20, 0);
    (void)launch(f, "Lance", unit, foe);
    step_ms(f, 1000);
    near(health(f, foe), 80, 0);
    (void)launch(f, "Lance", unit, foe);
    step_ms(f, 500);
    body_place(f, foe, 30, 0);
    body_place(f, other, 10.3f, 0);
    step_ms(f, 500);
    near(health(f, foe), 80, 0);
    near(health(f, other), 80, 0);
    body_place(f, foe, 10, 0);
    body_place(f, other, 12, 0);
    (void)launch(f, "Stone", unit, foe);
    step_ms(f, 500);
    body_place(f, foe, 30, 0);
    step_ms(f, 500);
    assert_int_equal(end_of(f), KN_RTS_PROJECTILE_LANDED);
    near(health(f, foe), 80, 0);
    near(health(f, other), 70, 0); // splash
    // Without a target from the start.
    kn_rts_projectile_def def = kn_rts_projectile_def_default();
    def.weapon = weapon_named(f, "Stone");
    def.source = unit;
    def.to = (kn_vec3){12, 0, 0};
    def.has_from = true;
    def.from = (kn_vec3){12, 10, 0};
    def.amount = 8;
    assert_int_equal(kn_rts_projectile_launch(f->world, &def, NULL), KN_OK);
    step_ms(f, 1000);
    near(health(f, other), 62, 0);
}

// The target dies on the way: the rules of the weapon say what becomes of the projectile.
static void projectiles_may_lose_their_target(void **state)
{
    field *f = *state;
    for (int is_destroyed = 0; is_destroyed < 2; is_destroyed++) {
        static const char *const weapons[] = {"Bow", "Bomb", "Seeker"};
        for (int i = 0; i < 3; i++) {
            kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0);
            kn_entity_id other = dummy(f, 10, 2), far = dummy(f, 10, 9);
            (void)launch(f, weapons[i], unit, foe);
            step_ms(f, 500);
            if (is_destroyed) {
                assert_true(kn_entity_destroy(f->world, foe));
            } else {
                die(f, foe);
            }
            step_ms(f, 500);
            if (i == 2) {
                near(health(f, other), 100, 0);
                step_ms(f, 200); // 2 further
                assert_int_equal(end_of(f), KN_RTS_PROJECTILE_HIT);
            } else {
                assert_int_equal(end_of(f), KN_RTS_PROJECTILE_LOST_TARGET);
            }
            near(health(f, other), i == 0 ? 100 : 80, 0);
            near(health(f, far), 100, 0);
            if (!is_destroyed) {
                near(health(f, foe), 100, 0);
                assert_true(kn_entity_destroy(f->world, foe));
            }
            assert_true(kn_entity_destroy(f->world, other));
            assert_true(kn_entity_destroy(f->world, far));
        }
    }
    // One that would turn, and finds nobody.
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0), far = dummy(f, 10, 9);
    (void)launch(f, "Seeker", unit, foe);
    die(f, foe);
    step_ms(f, 1000);
    assert_int_equal(end_of(f), KN_RTS_PROJECTILE_LOST_TARGET);
    near(health(f, far), 100, 0);
}

// The attacker dies or is gone: the projectile flies on in the name of its owner, unless it ends
// with the attacker.
static void projectiles_outlive_their_source(void **state)
{
    field *f = *state;
    for (int is_destroyed = 0; is_destroyed < 2; is_destroyed++) {
        kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0), second = dummy(f, 10, 1);
        kn_entity_id friend = archer(f, 10, 2);
        base_set(f, unit, "Knack.Rts.Attack.OutgoingDamageMultiplier", 2);
        (void)launch(f, "Bomb", unit, foe);
        (void)launch(f, "Ghost", unit, foe);
        (void)launch(f, "Leech", unit, foe);
        (void)launch(f, "Glaive", unit, foe);
        step_ms(f, 500);
        if (is_destroyed) {
            assert_true(kn_entity_destroy(f->world, unit));
        } else {
            die(f, unit);
        }
        step_ms(f, 500);
        near(health(f, foe), 0, 0);      // 40 + 40 + 40 of 100, as it was at the launch
        near(health(f, second), 60, 0);  // splash
        near(health(f, friend), 100, 0); // still a friend
        step_ms(f, 100);
        near(health(f, second), 40, 0); // the glaive flies on
        near(health(f, friend), 100, 0);
        kn_rts_damage damage;
        assert_int_equal(events_of(f, "Knack.RtsDamage", &damage, sizeof(damage), 1), 1);
        assert_int_equal(damage.source.index1 != 0, !is_destroyed);
        assert_true(kn_entity_destroy(f->world, foe));
        assert_true(kn_entity_destroy(f->world, second));
        if (!is_destroyed) {
            assert_true(kn_entity_destroy(f->world, unit));
        }
        step_ms(f, 1000);
        near(health(f, friend), 100, 0); // nor does it go on to a friend
        assert_true(kn_entity_destroy(f->world, friend));
    }
}

// A projectile that is on its way hits, whatever became of the relation; one that turns or bounces
// then looks at it as it is.
static void relations_may_change_in_flight(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0), other = dummy(f, 10, 3);
    (void)launch(f, "Glaive", unit, foe);
    step_ms(f, 500);
    assert_int_equal(kn_entity_set_owner(f->world, foe, f->us), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, other, f->us), KN_OK);
    step_ms(f, 2000);
    near(health(f, foe), 80, 0);
    near(health(f, other), 100, 0);
    tag_add(f, foe, "Knack.Status.Invulnerable");
    assert_int_equal(kn_entity_set_owner(f->world, foe, f->them), KN_OK);
    (void)launch(f, "Bow", unit, foe);
    step_ms(f, 1000);
    near(health(f, foe), 80, 0);
    kn_rts_damage damage;
    assert_int_equal(events_of(f, "Knack.RtsDamage", &damage, sizeof(damage), 1), 1);
    assert_true((damage.flags & KN_RTS_DAMAGE_IMMUNE) != 0);
}

static void chases_end_in_time(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 5, 0);
    (void)launch(f, "Slow", unit, foe);
    for (int i = 0; i < 4; i++) {
        step_ms(f, 1000);
    }
    body_place(f, foe, 7, 0);
    step_ms(f, 1000);
    body_place(f, foe, 12, 0);
    step_ms(f, 2000); // 7 s: later than 6
    assert_int_equal(end_of(f), KN_RTS_PROJECTILE_TIMED_OUT);
    near(health(f, foe), 100, 0);
}

static void bounces_fly_on(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0);
    kn_entity_id second = dummy(f, 13, 0), third = dummy(f, 13, 4), away = dummy(f, 40, 0);
    tag_add(f, unit, "Buff.Frost"); // goes along
    (void)launch(f, "Glaive", unit, foe);
    step_ms(f, 1000);
    near(health(f, foe), 75, 0);
    near(health(f, second), 100, 0);
    tag_remove(f, unit, "Buff.Frost");
    step_ms(f, 300);
    near(health(f, second), 87.5f, 0);
    assert_int_equal(kn_effects_count(f->world, second), 1);
    step_us(f, KN_MS(400) - 1);
    near(health(f, third), 100, 0);
    step_us(f, 1);
    near(health(f, third), 93.75f, 0);
    step_ms(f, 2000);
    near(health(f, foe), 75, 0);
    near(health(f, away), 100, 0);
    kn_entity_id two = dummy(f, -10, 0), three = dummy(f, -13, 0);
    (void)launch(f, "Boomerang", unit, two);
    step_ms(f, 3000);
    near(health(f, two), 60, 0);
    near(health(f, three), 60, 0);
}

static void projectiles_steal_life(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0);
    base_set(f, unit, "Body.Health", 50);
    (void)launch(f, "Leech", unit, foe);
    near(health(f, unit), 50, 0);
    step_ms(f, 1000);
    near(health(f, unit), 60, 0);
}

// Evasion is drawn at the arrival.
static void projectiles_are_evaded(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0);
    (void)launch(f, "Bow", unit, foe);
    step_ms(f, 500);
    base_set(f, foe, "Body.Evasion", 1);
    step_ms(f, 500);
    near(health(f, foe), 100, 0);
    assert_int_equal(end_of(f), KN_RTS_PROJECTILE_EVADED);
}

// Blocked by the host -----------------------------------------------------------------------

static kn_entity_id blocked_source;

// A wall at x = 4.
static kn_result wall(void *user, const kn_hook_call *call)
{
    kn_rts_flight_call *c = call->arguments;
    (void)user;
    assert_null(call->writable);
    blocked_source = call->entity;
    if (c->from.x < 4 && c->to.x > 4) {
        c->share = (4 - c->from.x) / (c->to.x - c->from.x);
    }
    return KN_OK;
}

// Halves what is left of damage by projectiles.
static kn_result halve(void *user, const kn_hook_call *call)
{
    kn_rts_mitigate_call *c = call->arguments;
    (void)user;
    c->amount *= (c->flags & KN_RTS_DAMAGE_PROJECTILE) != 0 ? 0.5f : 1.0f;
    return KN_OK;
}

static kn_result told;
static kn_rts_damage told_damage;

static kn_result hit_told(void *user, const kn_hook_call *call)
{
    (void)user;
    told = call->writable != NULL ? KN_OK : KN_ERROR_INVALID_ARGUMENT;
    told_damage = *(const kn_rts_damage *)call->arguments;
    return KN_OK;
}

static kn_result rules_prepare(void *user, kn_library *library, kn_error *error)
{
    kn_rts_attack_rules_def rules = kn_rts_attack_rules_def_default();
    kn_attribute_def attribute = kn_attribute_def_default();
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id body;
    (void)user;
    attribute.name = "Health";
    attribute.default_value = 100;
    set.name = "Life";
    set.attributes = &attribute;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(library, &set, &body, error), KN_OK);
    rules.name = "Rules";
    rules.health = kn_attribute_find(library, "Life.Health");
    rules.find_obstacle = (kn_hook){wall, NULL};
    rules.mitigate = (kn_hook){halve, NULL};
    kn_rts_weapon_def weapon = kn_rts_weapon_def_default();
    weapon.name = "Gun";
    weapon.kind = KN_RTS_WEAPON_RANGED;
    weapon.speed = 10;
    weapon.splash.shape = KN_RTS_SPLASH_CIRCLE;
    weapon.splash.radius = 2;
    weapon.hit = (kn_hook){hit_told, NULL};
    assert_int_equal(kn_rts_weapon_register(library, &weapon, NULL, error), KN_OK);
    weapon.name = "Beam";
    weapon.is_blockable = false;
    assert_int_equal(kn_rts_weapon_register(library, &weapon, NULL, error), KN_OK);
    weapon.name = "Ray";
    weapon.is_blockable = true;
    weapon.speed = 0;
    assert_int_equal(kn_rts_weapon_register(library, &weapon, NULL, error), KN_OK);
    return kn_rts_attack_rules_register(library, &rules, error);
}

static kn_entity_id body_of(field *f, kn_entity_id owner, float x, float y)
{
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
    assert_int_equal(
        kn_attribute_set_add(f->world, entity, kn_attribute_set_find(f->library, "Life"), 0),
        KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, entity, owner), KN_OK);
    assert_int_equal(kn_entity_add_tag(f->world, entity, tag_of(f, "Knack.Status.Alive"),
                         KN_TAG_ORIGIN_LOOSE_SYNCED, 1),
        KN_OK);
    body_place(f, entity, x, y);
    return entity;
}

// Hooks in C: something in the way stops projectiles, and damage is changed on its way.
static void the_host_blocks_and_mitigates(void **state)
{
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    field f;
    kn_rts_projectile_info info;
    (void)state;
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    assert_int_equal(kn_order_register(library, &error), KN_OK);
    assert_int_equal(kn_rts_register(library, &error), KN_OK);
    assert_int_equal(kn_grid_register(library, NULL, &error), KN_OK);
    assert_int_equal(rules_prepare(NULL, library, &error), KN_OK);
    if (kn_library_finish(library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    field_begin(&f, library);
    kn_entity_id unit = body_of(&f, f.us, 0, 0), foe = body_of(&f, f.them, 8, 0);
    kn_entity_id at_wall = body_of(&f, f.them, 4, 1);
    kn_rts_projectile_def def = kn_rts_projectile_def_default();
    def.weapon = weapon_named(&f, "Gun");
    def.source = unit;
    def.target = foe;
    def.amount = 20;
    kn_entity_id shot;
    assert_int_equal(kn_rts_projectile_launch(f.world, &def, &shot), KN_OK);
    assert_true(kn_entity_id_equal(blocked_source, unit));
    assert_true(kn_rts_projectile_get(f.world, shot, &info));
    near(info.to.x, 4, 0);
    assert_int_equal(info.until, KN_MS(400));
    step_ms(&f, 400);
    assert_int_equal(end_of(&f), KN_RTS_PROJECTILE_BLOCKED);
    near(value_of(&f, foe, "Life.Health"), 100, 0);
    near(value_of(&f, at_wall, "Life.Health"), 90, 0); // splash, halved
    assert_int_equal(told, KN_OK);
    near(told_damage.dealt, 10, 0);
    near(told_damage.mitigated, 10, 0);
    assert_true(kn_entity_id_equal(told_damage.target, at_wall));
    assert_true((told_damage.flags & KN_RTS_DAMAGE_SPLASH) != 0);
    def.weapon = weapon_named(&f, "Beam");
    assert_int_equal(kn_rts_projectile_launch(f.world, &def, &shot), KN_OK);
    step_ms(&f, 800);
    near(value_of(&f, foe, "Life.Health"), 90, 0);
    assert_true(kn_entity_id_equal(told_damage.target, foe));
    def.weapon = weapon_named(&f, "Ray"); // at once, and it did not come by a projectile
    assert_int_equal(kn_rts_projectile_launch(f.world, &def, &shot), KN_OK);
    near(value_of(&f, foe, "Life.Health"), 90, 0);
    near(value_of(&f, at_wall, "Life.Health"), 70, 0);
    field_end(&f);
}

// Overkill ----------------------------------------------------------------------------------

// What is on its way counts, with the armour of the target, until it arrives.
static void pending_damage_is_known(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), foe = dummy(f, 10, 0);
    near(kn_rts_pending_damage(f->world, foe), 0, 0);
    tag_add(f, foe, "Armour.Light");
    for (int i = 0; i < 2; i++) {
        (void)launch(f, "Bow", unit, foe);
    }
    near(kn_rts_pending_damage(f->world, foe), 80, 0);
    assert_false(kn_rts_is_doomed(f->world, foe));
    (void)launch(f, "Bow", unit, foe);
    near(kn_rts_pending_damage(f->world, foe), 120, 0);
    assert_true(kn_rts_is_doomed(f->world, foe));
    save_and_load(f);
    assert_true(kn_rts_is_doomed(f->world, foe));
    for (int i = 0; i < 200; i++) { // more than one page of them
        (void)launch(f, "Bow", unit, foe);
    }
    near(kn_rts_pending_damage(f->world, foe), 203 * 40, 0);
    step_ms(f, 1000);
    near(kn_rts_pending_damage(f->world, foe), 0, 0);
    assert_false(kn_rts_is_doomed(f->world, (kn_entity_id){0}));
    near(kn_rts_pending_damage(f->world, (kn_entity_id){0}), 0, 0);
}

static kn_entity_id target_of(field *f, kn_entity_id unit)
{
    kn_unit_info info;
    bool is_issued;
    assert_int_equal(kn_order_check_autos(f->world, unit, &is_issued), KN_OK);
    assert_true(kn_unit_get_info(f->world, unit, &info));
    return is_issued ? info.current.target : (kn_entity_id){0};
}

// Automatic orders leave the doomed alone; players may order to attack them.
static void automatic_orders_spare_the_doomed(void **state)
{
    field *f = *state;
    kn_entity_id unit = unit_at(f, "Archer", f->us, 0, 0), mate = archer(f, 0, 1);
    kn_entity_id foe = dummy(f, 5, 0), other = dummy(f, 9, 0);
    assert_true(kn_entity_id_equal(target_of(f, unit), foe)); // the nearest
    assert_int_equal(kn_order_stop(f->world, unit, NULL), KN_OK);
    for (int i = 0; i < 5; i++) {
        (void)launch(f, "Bow", mate, foe);
    }
    assert_true(kn_entity_id_equal(target_of(f, unit), other));
    assert_int_equal(kn_order_stop(f->world, unit, NULL), KN_OK);
    for (int i = 0; i < 5; i++) {
        (void)launch(f, "Bow", mate, other);
    }
    assert_int_equal(target_of(f, unit).index1, 0); // nobody is left
    const kn_order order = kn_order_on(type_named(f, "Knack.Rts.Attack"), foe);
    assert_int_equal(kn_order_issue(f->world, unit, &order, NULL), KN_OK);
}

static void launches_that_make_no_sense_are_refused(void **state)
{
    field *f = *state;
    kn_entity_id unit = archer(f, 0, 0), gone = dummy(f, 1, 0), out = {1, 1};
    kn_rts_projectile_def def = kn_rts_projectile_def_default();
    assert_true(kn_entity_destroy(f->world, gone));
    def.source = unit;
    assert_int_equal(kn_rts_projectile_launch(f->world, &def, &out), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(out.index1, 0);
    def.weapon = weapon_named(f, "Bow");
    def.target = gone;
    assert_int_equal(kn_rts_projectile_launch(f->world, &def, NULL), KN_REFUSED_STALE_ID);
    def.target = (kn_entity_id){0};
    def.source = gone;
    assert_int_equal(kn_rts_projectile_launch(f->world, &def, NULL), KN_REFUSED_STALE_ID);
    def.source = unit;
    def.to.x = NAN;
    assert_int_equal(kn_rts_projectile_launch(f->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    def.cookie = 0;
    assert_int_equal(kn_rts_projectile_launch(f->world, &def, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_projectile_launch(f->world, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_rts_projectile_info info;
    kn_vec3 at;
    assert_false(kn_rts_projectile_get(f->world, unit, &info));
    assert_false(kn_rts_projectile_position(f->world, gone, &at));
}

// A client decides nothing.
static void clients_are_refused(void **state)
{
    field f = {.library = attack_library(content)};
    kn_world_def def = kn_world_def_default();
    kn_entity_id entity;
    (void)state;
    def.library = f.library;
    def.is_client = true;
    assert_int_equal(kn_world_create(&def, &f.world), KN_OK);
    assert_int_equal(kn_entity_create(f.world, &entity), KN_OK);
    assert_int_equal(
        kn_attribute_set_add(f.world, entity, kn_attribute_set_find(f.library, "Body"), 0), KN_OK);
    kn_rts_damage_def damage = kn_rts_damage_def_default();
    kn_rts_projectile_def shot = kn_rts_projectile_def_default();
    damage.target = shot.source = entity;
    shot.weapon = weapon_named(&f, "Bow");
    assert_int_equal(kn_rts_damage_deal(f.world, &damage, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_damage_quote(f.world, &damage, NULL), KN_OK);
    assert_int_equal(kn_rts_weapon_add(f.world, entity, shot.weapon), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_attack(f.world, entity, entity), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_projectile_launch(f.world, &shot, NULL), KN_REFUSED_BLOCKED);
    kn_world_destroy(f.world);
    kn_library_destroy(f.library);
}

// Any length of steps, and saves in the middle of flights, end in the same state.
static uint64_t battle(uint32_t hertz, uint32_t save_at)
{
    static const char *const weapons[] = {
        "Bow", "Dart", "Stone", "Bomb", "Seeker", "Slow", "Glaive", "Boomerang", "Leech"};
    enum { WEAPONS = sizeof(weapons) / sizeof(*weapons) };
    field f;
    kn_entity_id units[2 * WEAPONS];
    field_begin(&f, attack_library(content));
    for (uint32_t i = 0; i < 2 * WEAPONS; i++) {
        units[i] = unit_at(&f, "Soldier", i % 2 == 0 ? f.us : f.them, i % 2 == 0 ? 0.0f : 15.0f,
            (float)(i / 2) * 1.5f);
        arm(&f, units[i], weapons[i / 2]);
        base_set(&f, units[i], "Body.Evasion", 0.2f);
        base_set(&f, units[i], "Body.Health", i % 5 == 0 ? 60 : 500);
        base_set(&f, units[i], "Knack.Rts.Attack.Range", 8);
    }
    const kn_order_type_id type = type_named(&f, "Knack.Rts.Attack");
    for (uint32_t i = 0; i < 2 * WEAPONS; i++) {
        const kn_order order = kn_order_on(type, units[i ^ 1]);
        assert_int_equal(kn_order_issue(f.world, units[i], &order, NULL), KN_OK);
    }
    // Some die on the way, at a time that steps of all lengths have.
    kn_time now = 0;
    for (uint32_t second = 0; second < 8; second++) {
        for (uint32_t i = 1; i <= hertz; i++) {
            const kn_time next = KN_S(second) + (kn_time)i * 1000000 / hertz;
            step_us(&f, next - now);
            now = next;
            if (second * hertz + i == save_at) {
                save_and_load(&f);
            }
        }
        for (uint32_t i = 0; i < 2 * WEAPONS; i++) {
            if (kn_entity_is_alive(f.world, units[i]) && health(&f, units[i]) <= 0) {
                if (i % 2 == 0) {
                    die(&f, units[i]);
                } else {
                    assert_true(kn_entity_destroy(f.world, units[i]));
                }
            }
        }
    }
    const uint64_t hash = kn_world_hash(f.world);
    field_end(&f);
    return hash;
}

static void steps_of_any_length_end_alike(void **state)
{
    (void)state;
    const uint64_t hash = battle(30, 0);
    assert_true(battle(60, 0) == hash);
    assert_true(battle(144, 0) == hash);
    assert_true(battle(60, 150) == hash);
    assert_true(battle(30, 95) == hash);
}

#define FIELD_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    FIELD_TEST(projectiles_arrive_exactly_in_time),
    FIELD_TEST(homing_projectiles_follow_at_their_speed),
    FIELD_TEST(timed_projectiles_arrive_when_they_were_due),
    FIELD_TEST(projectiles_without_a_speed_arrive_at_once),
    FIELD_TEST(projectiles_at_a_place_hit_who_is_there),
    FIELD_TEST(projectiles_may_lose_their_target),
    FIELD_TEST(projectiles_outlive_their_source),
    FIELD_TEST(relations_may_change_in_flight),
    FIELD_TEST(chases_end_in_time),
    FIELD_TEST(bounces_fly_on),
    FIELD_TEST(projectiles_steal_life),
    FIELD_TEST(projectiles_are_evaded),
    cmocka_unit_test(the_host_blocks_and_mitigates),
    FIELD_TEST(pending_damage_is_known),
    FIELD_TEST(automatic_orders_spare_the_doomed),
    FIELD_TEST(launches_that_make_no_sense_are_refused),
    cmocka_unit_test(clients_are_refused),
    cmocka_unit_test(steps_of_any_length_end_alike),
};

TEST_GROUP(rts_projectiles, tests, NULL, NULL);
