// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Around casts: interrupts, lock-outs, the global cooldown, and the order in which a use happens.

#include "cast_test.h"

// Interrupts ------------------------------------------------------------------------

typedef struct duel {
    stage s;
    kn_ability_id fireball, frostbolt, slash; // of the hero
    kn_activation_id activation;              // of the fireball that runs
    uint32_t interrupted, cancelled, ticks;   // hooks
    kn_entity_id by;
} duel;

static kn_result on_interrupted(void *user, const kn_hook_call *call)
{
    duel *d = user;
    const kn_cast_call *args = call->arguments;
    d->interrupted++;
    d->by = args->instigator;
    assert_int_equal(args->outcome, KN_CAST_INTERRUPTED);
    return KN_OK;
}

static kn_result on_cancelled(void *user, const kn_hook_call *call)
{
    (void)call;
    ((duel *)user)->cancelled++;
    return KN_OK;
}

static kn_effect_type_id ward_register(stage *s, kn_tag tag)
{
    kn_gate_def gate = kn_gate_def_default();
    gate.kind = kn_event_kind_find(s->a.library, "Knack.Interrupt");
    gate.record.required = (kn_tags){&tag, 1};
    kn_effect_def ward = kn_effect_def_default();
    ward.name = "Ward";
    ward.duration_kind = KN_DURATION_INFINITE;
    ward.gates = &gate;
    ward.gate_count = 1;
    return arena_effect(&s->a, &ward);
}

static kn_ability_type_id spell(duel *d, const char *name, kn_tag *tags, uint32_t count)
{
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = d->s.a.mana;
    cost.amount = kn_constant(10.0f);
    kn_cooldown_def global = kn_global_cooldown_def(d->s.a.library, 1.0f);
    kn_ability_def ability = plain_ability(name);
    ability.tags = (kn_tags){tags, count};
    ability.costs = &cost;
    ability.cost_count = 1;
    ability.cooldowns = &global;
    ability.cooldown_count = 1;
    kn_cast_def cast = stage_cast(&d->s, name, 3.0f);
    cast.kind = KN_CAST_CHANNEL;
    cast.ticks = 3;
    cast.interrupted = (kn_hook){on_interrupted, d};
    cast.cancelled = (kn_hook){on_cancelled, d};
    return stage_add(&d->s, &ability, &cast);
}

static void duel_start(duel *d, kn_ability_type_id types[3])
{
    arena_start(&d->s.a);
    d->fireball = arena_grant(&d->s.a, d->s.a.hero, types[0]);
    d->frostbolt = arena_grant(&d->s.a, d->s.a.hero, types[1]);
    d->slash = arena_grant(&d->s.a, d->s.a.hero, types[2]);
}

static void duel_begin(duel *d, kn_ability_type_id types[3])
{
    memset(d, 0, sizeof(*d));
    stage_begin(&d->s);
    kn_tag fire[] = {d->s.a.fire, kn_tag_find(d->s.a.library, "Knack.Use.WhileCasting")};
    kn_tag frost = d->s.a.frost;
    types[0] = spell(d, "Fireball", fire, 2);
    types[1] = spell(d, "Frostbolt", &frost, 1);
    kn_ability_def slash = plain_ability("Slash");
    slash.body = KN_BODY_USE;
    types[2] = arena_ability(&d->s.a, &slash);
}

static void fireball_begin(duel *d)
{
    kn_event_record event = at_target(&d->s.a, d->s.a.foe);
    expect_ok(kn_ability_activate(d->s.a.world, d->fireball, &event, &d->activation));
}

static kn_interrupt_def interrupt_of(const duel *d, float seconds)
{
    kn_interrupt_def def = kn_interrupt_def_default();
    def.target = d->s.a.hero;
    def.instigator = d->s.a.ally;
    def.lockout = seconds;
    return def;
}

// CAST-030, CAST-035, CAST-036, BEY-073, USE-002, USE-004, SAIV-085
static void an_interrupt_ends_a_cast_and_locks_out_its_school(void **state)
{
    duel d;
    kn_ability_type_id types[3];
    (void)state;
    duel_begin(&d, types);
    duel_start(&d, types);
    arena *a = &d.s.a;
    kn_interrupt_def def = interrupt_of(&d, 4.0f);
    kn_interrupt_result result;
    expect_result(kn_cast_interrupt(a->world, &def, &result), KN_REFUSED_NOT_FOUND);
    assert_int_equal(result.activation.index1, 0);
    fireball_begin(&d);
    arena_until(a, 1990);
    kn_tag frost = a->frost, fire = a->fire;
    def.any_tags = (kn_tags){&frost, 1};
    expect_result(kn_cast_interrupt(a->world, &def, &result), KN_REFUSED_NOT_FOUND);
    def.any_tags = (kn_tags){&fire, 1};
    expect_ok(kn_cast_interrupt(a->world, &def, &result));
    assert_true(kn_activation_id_equal(result.activation, d.activation));
    assert_int_equal(result.ability.index1, types[0].index1);
    assert_int_equal(result.cast.index1, kn_cast_find(a->library, "Fireball").index1);
    assert_true(result.lockout == 4.0f && result.blocked_by.index1 == 0);
    assert_true(d.interrupted == 1 && d.cancelled == 0);
    assert_true(kn_entity_id_equal(d.by, a->ally));
    assert_false(is_casting(a, a->hero));
    assert_true(mana_of(a, a->hero) == 90.0f); // no refund
    // Its school is locked out, and only that: not tags of the kit.
    kn_lockout lockouts[2];
    assert_int_equal(kn_lockouts(a->world, a->hero, lockouts, 2), 1);
    assert_int_equal(lockouts[0].tag.index1, fire.index1);
    assert_true(kn_entity_id_equal(lockouts[0].instigator, a->ally));
    assert_true(lockouts[0].start == KN_MS(1990) && lockouts[0].end == KN_MS(5990));
    expect_result(use(&d.s, d.fireball), KN_REFUSED_BLOCKED);
    char text[256];
    (void)kn_ability_explain_print(a->world, d.fireball, NULL, text, sizeof(text));
    assert_string_equal(text, "Fireball: School.Fire is locked out for another 4 s");
    uint32_t status = kn_ability_status(a->world, d.fireball);
    assert_int_equal(status & KN_FAIL_BLOCKED, KN_FAIL_BLOCKED);
    expect_ok(use(&d.s, d.frostbolt));
    expect_ok(kn_cast_cancel(a->world, a->hero, 0));
    arena_until(a, 3000);
    const kn_lockout_event *locked = last_event(a, "Knack.LockedOut", a->hero);
    assert_true(locked->tag.index1 == fire.index1 && locked->end == KN_MS(5990));
    assert_true(kn_entity_id_equal(locked->instigator, a->ally));
    assert_true(health_of(a, a->foe) == 990.0f); // ticks 2 and 3 never came
    // Its time is exact.
    arena_until(a, 5989);
    assert_int_equal(kn_lockouts(a->world, a->hero, NULL, 0), 1);
    arena_until(a, 5990);
    assert_int_equal(kn_lockouts(a->world, a->hero, NULL, 0), 0);
    assert_int_equal(events_of(a, "Knack.LockoutEnded"), 1);
    expect_ok(use(&d.s, d.fireball));
    arena_end(a);
}

// CAST-036, USE-004: gates may refuse an interrupt, and some casts cannot be interrupted.
static void interrupts_can_be_refused(void **state)
{
    duel d;
    kn_ability_type_id types[3];
    (void)state;
    duel_begin(&d, types);
    kn_effect_type_id ward = ward_register(&d.s, d.s.a.fire);
    duel_start(&d, types);
    arena *a = &d.s.a;
    kn_interrupt_def def = interrupt_of(&d, 4.0f);
    kn_interrupt_result result;
    fireball_begin(&d);
    kn_effect_id effect = arena_apply(a, ward, a->lord, a->hero);
    expect_result(kn_cast_interrupt(a->world, &def, &result), KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(result.blocked_by, effect));
    assert_true(result.lockout == 0.0f && is_casting(a, a->hero));
    arena_until(a, 10);
    kn_events events = kn_world_events(a->world);
    uint32_t restricted = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        restricted += events.data[i].type == KN_EVENT_RESTRICTED;
    }
    assert_int_equal(restricted, 1);
    expect_ok(kn_effect_remove(a->world, effect, 0, KN_REMOVED_BY_CALL));
    expect_ok(kn_cast_set_interruptible(a->world, a->hero, false));
    assert_false(info_of(a, a->hero).is_interruptible);
    expect_result(kn_cast_interrupt(a->world, &def, &result), KN_REFUSED_BLOCKED);
    expect_ok(kn_cast_set_interruptible(a->world, a->hero, true));
    // One that cannot be cancelled can still be interrupted.
    expect_ok(kn_activation_set_cancelable(a->world, d.activation, false));
    expect_result(kn_cast_cancel(a->world, a->hero, 0), KN_REFUSED_BLOCKED);
    expect_ok(kn_cast_interrupt(a->world, &def, &result));
    assert_int_equal(d.interrupted, 1);
    // Bad input.
    def.lockout = -1.0f;
    expect_result(kn_cast_interrupt(a->world, &def, &result), KN_REFUSED_BAD_NUMBER);
    def.lockout = NAN;
    expect_result(kn_cast_interrupt(a->world, &def, &result), KN_REFUSED_BAD_NUMBER);
    def = interrupt_of(&d, 1.0f);
    def.target = (kn_entity_id){0};
    expect_result(kn_cast_interrupt(a->world, &def, &result), KN_REFUSED_STALE_ID);
    def.cookie = 0;
    expect_result(kn_cast_interrupt(a->world, &def, &result), KN_ERROR_INVALID_ARGUMENT);
    def = interrupt_of(&d, 1.0f);
    kn_tag unknown = {9999};
    def.any_tags = (kn_tags){&unknown, 1};
    expect_result(kn_cast_interrupt(a->world, &def, NULL), KN_ERROR_INVALID_ARGUMENT);
    arena_end(a);
}

// BEY-073: an effect that raises the tag; modifiers of the target change the seconds.
static void an_effect_can_interrupt(void **state)
{
    duel d;
    kn_ability_type_id types[3];
    (void)state;
    duel_begin(&d, types);
    kn_raise_def raise = {0};
    raise.tag = kn_tag_find(d.s.a.library, "Knack.Interrupt");
    raise.magnitude = kn_magnitude_constant(4.0f);
    kn_effect_def kick = kn_effect_def_default();
    kick.name = "Kick";
    kick.raises = &raise;
    kick.raise_count = 1;
    kn_effect_type_id kick_type = arena_effect(&d.s.a, &kick);
    kn_modifier_def modifier = kn_modifier_constant((kn_attribute_id){0}, KN_OP_MULTIPLY, 0.5f);
    modifier.value = kn_value_find(d.s.a.library, "Knack.Lockout");
    kn_effect_def calm = kn_effect_def_default();
    calm.name = "Calm";
    calm.duration_kind = KN_DURATION_INFINITE;
    calm.modifiers = &modifier;
    calm.modifier_count = 1;
    kn_effect_type_id calm_type = arena_effect(&d.s.a, &calm);
    duel_start(&d, types);
    arena *a = &d.s.a;
    (void)arena_apply(a, calm_type, a->lord, a->hero);
    (void)arena_apply(a, kick_type, a->ally, a->hero); // nothing is cast: nothing happens
    assert_int_equal(kn_lockouts(a->world, a->hero, NULL, 0), 0);
    fireball_begin(&d);
    (void)arena_apply(a, kick_type, a->ally, a->hero);
    assert_false(is_casting(a, a->hero));
    assert_true(d.interrupted == 1 && kn_entity_id_equal(d.by, a->ally));
    kn_lockout lockout;
    assert_int_equal(kn_lockouts(a->world, a->hero, &lockout, 1), 1);
    assert_int_equal(lockout.end, KN_MS(2000));
    arena_until(a, 0);
    const kn_cast_ended *ended = last_event(a, "Knack.CastEnded", a->hero);
    assert_int_equal(ended->outcome, KN_CAST_INTERRUPTED);
    assert_true(kn_entity_id_equal(ended->instigator, a->ally));
    arena_end(a);
}

static void lockouts_prolong_each_other_and_can_be_lifted(void **state)
{
    duel d;
    kn_ability_type_id types[3];
    (void)state;
    duel_begin(&d, types);
    duel_start(&d, types);
    arena *a = &d.s.a;
    kn_tag tags[] = {a->fire, a->frost};
    expect_ok(kn_lockout_add(a->world, a->hero, (kn_tags){tags, 2}, a->ally, 2.0f));
    expect_ok(kn_lockout_add(a->world, a->hero, (kn_tags){tags, 1}, a->lord, 5.0f));
    expect_ok(kn_lockout_add(a->world, a->hero, (kn_tags){tags, 1}, a->foe, 1.0f)); // shorter
    kn_lockout all[4];
    assert_int_equal(kn_lockouts(a->world, a->hero, all, 4), 2);
    assert_true(all[0].end == KN_MS(5000) && kn_entity_id_equal(all[0].instigator, a->lord));
    assert_true(all[1].end == KN_MS(2000) && all[1].tag.index1 == a->frost.index1);
    assert_true(kn_entity_destroy(a->world, a->lord)); // it stays without the one who caused it
    arena_until(a, 2000);
    assert_int_equal(kn_lockouts(a->world, a->hero, all, 4), 1);
    expect_result(use(&d.s, d.fireball), KN_REFUSED_BLOCKED);
    expect_result(kn_lockout_remove(a->world, a->hero, a->frost), KN_REFUSED_NOT_FOUND);
    expect_ok(kn_lockout_remove(a->world, a->hero, a->fire));
    expect_ok(use(&d.s, d.fireball));
    expect_ok(kn_lockout_add(a->world, a->hero, (kn_tags){tags, 2}, a->ally, 2.0f));
    expect_ok(kn_lockout_remove(a->world, a->hero, (kn_tag){0}));
    assert_int_equal(kn_lockouts(a->world, a->hero, all, 4), 0);
    arena_until(a, 9000); // no timer is left that would find nothing
    // Bad input.
    kn_tag unknown = {9999};
    kn_entity_id none = {0};
    expect_result(kn_lockout_add(a->world, a->hero, (kn_tags){NULL, 0}, none, 1.0f),
        KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_lockout_add(a->world, a->hero, (kn_tags){&unknown, 1}, none, 1.0f),
        KN_ERROR_INVALID_ARGUMENT);
    expect_result(
        kn_lockout_add(a->world, none, (kn_tags){tags, 1}, none, 1.0f), KN_REFUSED_STALE_ID);
    expect_result(
        kn_lockout_add(a->world, a->hero, (kn_tags){tags, 1}, none, 0.0f), KN_REFUSED_BAD_NUMBER);
    expect_result(
        kn_lockout_add(a->world, a->hero, (kn_tags){tags, 1}, none, NAN), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_lockout_remove(a->world, none, a->fire), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_lockouts(a->world, none, all, 4), 0);
    arena_end(a);
}

// The global cooldown ---------------------------------------------------------------------

typedef struct gcd {
    stage s;
    kn_ability_id jab, hook, dodge; // two on the global cooldown, one off it
} gcd;

static kn_ability_type_id instant(gcd *g, const char *name, const kn_cooldown_def *cooldown)
{
    kn_ability_def def = plain_ability(name);
    def.body = KN_BODY_USE;
    def.cooldowns = cooldown;
    def.cooldown_count = cooldown != NULL ? 1 : 0;
    return arena_ability(&g->s.a, &def);
}

// With the value that changes the length; null: that of the kit.
static void gcd_begin(gcd *g, float seconds, kn_value_id value, kn_ability_type_id types[3])
{
    kn_cooldown_def global = kn_global_cooldown_def(g->s.a.library, seconds);
    global.value = value.index1 != 0 ? value : global.value;
    types[0] = instant(g, "Jab", &global);
    types[1] = instant(g, "Hook", &global);
    types[2] = instant(g, "Dodge", NULL);
}

static void gcd_start(gcd *g, const kn_ability_type_id types[3])
{
    arena_start(&g->s.a);
    g->jab = arena_grant(&g->s.a, g->s.a.hero, types[0]);
    g->hook = arena_grant(&g->s.a, g->s.a.hero, types[1]);
    g->dodge = arena_grant(&g->s.a, g->s.a.hero, types[2]);
}

static void gcd_plain(gcd *g, float seconds)
{
    kn_ability_type_id types[3];
    stage_begin(&g->s);
    gcd_begin(g, seconds, (kn_value_id){0}, types);
    gcd_start(g, types);
}

// GCD-001, GCD-002, GCD-003, GCD-019, SAIV-031, SAIV-045: ping 0
static void abilities_on_the_global_cooldown_keep_each_other_waiting(void **state)
{
    gcd g;
    kn_time left, total;
    (void)state;
    gcd_plain(&g, 1.5f);
    arena *a = &g.s.a;
    arena_until(a, 100);
    assert_false(kn_global_cooldown(a->world, a->hero, &left, &total));
    expect_ok(use(&g.s, g.jab));
    assert_true(kn_global_cooldown(a->world, a->hero, &left, &total));
    assert_true(left == KN_MS(1500) && total == KN_MS(1500));
    // Only the global cooldown refuses it: nothing of its own.
    expect_result(use(&g.s, g.hook), KN_REFUSED_COOLDOWN);
    kn_refusal_line lines[4];
    assert_int_equal(kn_ability_explain(a->world, g.hook, NULL, lines, 4), 1);
    assert_int_equal(lines[0].tag.index1, kn_global_cooldown_key(a->library).index1);
    assert_int_equal(lines[0].remaining, KN_MS(1500));
    expect_ok(use(&g.s, g.dodge)); // neither waits for it nor starts it
    assert_true(kn_global_cooldown(a->world, a->hero, &left, &total) && left == KN_MS(1500));
    arena_until(a, 1599);
    expect_result(use(&g.s, g.hook), KN_REFUSED_COOLDOWN);
    kn_events events = kn_world_events(a->world);
    uint32_t changes = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        changes += events.data[i].type == KN_EVENT_CHARGES &&
                   events.data[i].data.charges.key.index1 == lines[0].tag.index1;
    }
    assert_int_equal(changes, 1); // its start
    arena_until(a, 1600);
    events = kn_world_events(a->world);
    assert_int_equal(events.data[events.count - 1].type, KN_EVENT_CHARGES); // its end
    expect_ok(use(&g.s, g.hook));
    // GCD-019: it can be ended.
    expect_ok(kn_global_cooldown_end(a->world, a->hero));
    assert_false(kn_global_cooldown(a->world, a->hero, NULL, NULL));
    expect_ok(use(&g.s, g.jab));
    assert_false(kn_global_cooldown(a->world, a->foe, NULL, NULL)); // one for each entity
    arena_end(a);
}

// GCD-005, USE-010: with the beginning of a channel.
static void the_global_cooldown_runs_while_casting(void **state)
{
    duel d;
    kn_ability_type_id types[3];
    kn_time left, total;
    (void)state;
    duel_begin(&d, types);
    duel_start(&d, types);
    fireball_begin(&d);
    assert_true(kn_global_cooldown(d.s.a.world, d.s.a.hero, &left, &total));
    assert_true(left == KN_MS(1000) && total == KN_MS(1000));
    arena_until(&d.s.a, 400);
    expect_ok(kn_cast_cancel(d.s.a.world, d.s.a.hero, 0)); // CAST-035: it runs on
    assert_true(kn_global_cooldown(d.s.a.world, d.s.a.hero, &left, &total));
    assert_int_equal(left, KN_MS(600));
    arena_end(&d.s.a);
}

// BEY-081: cancelling may free the global cooldown, but only the one that it started.
static void a_cancelled_cast_may_free_the_global_cooldown(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_cooldown_def global = kn_global_cooldown_def(s.a.library, 1.5f);
    kn_tag use_tag = kn_tag_find(s.a.library, "Knack.Use.WhileCasting");
    kn_ability_def ability = plain_ability("Bolt");
    ability.cooldowns = &global;
    ability.cooldown_count = 1;
    kn_cast_def cast = stage_cast(&s, "Bolt", 4.0f);
    cast.frees_global = true;
    kn_ability_type_id type = stage_add(&s, &ability, &cast);
    ability.name = "Shout";
    ability.body = KN_BODY_USE;
    ability.tags = (kn_tags){&use_tag, 1};
    kn_ability_type_id shout_type = arena_ability(&s.a, &ability);
    arena_start(&s.a);
    kn_ability_id bolt = arena_grant(&s.a, s.a.hero, type);
    kn_ability_id shout = arena_grant(&s.a, s.a.hero, shout_type);
    expect_ok(use(&s, bolt));
    arena_until(&s.a, 500);
    expect_ok(kn_cast_cancel(s.a.world, s.a.hero, 0));
    assert_false(kn_global_cooldown(s.a.world, s.a.hero, NULL, NULL));
    expect_ok(use(&s, bolt));
    arena_until(&s.a, 2200);
    expect_ok(use(&s, shout)); // another global cooldown, of another use
    expect_ok(kn_cast_cancel(s.a.world, s.a.hero, 0));
    kn_time left, total;
    assert_true(kn_global_cooldown(s.a.world, s.a.hero, &left, &total));
    assert_int_equal(left, KN_MS(1500));
    // An interrupt frees nothing.
    arena_until(&s.a, 4000);
    expect_ok(use(&s, bolt));
    kn_interrupt_def interrupt = kn_interrupt_def_default();
    interrupt.target = s.a.hero;
    expect_ok(kn_cast_interrupt(s.a.world, &interrupt, NULL));
    assert_true(kn_global_cooldown(s.a.world, s.a.hero, NULL, NULL));
    arena_end(&s.a);
}

static kn_effect_type_id pace(gcd *g, const char *name, const char *value, float factor)
{
    kn_modifier_def modifier = kn_modifier_constant((kn_attribute_id){0}, KN_OP_MULTIPLY, factor);
    modifier.value = kn_value_find(g->s.a.library, value);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return arena_effect(&g->s.a, &def);
}

static kn_time length_used(gcd *g, kn_ability_id ability)
{
    kn_time left = 0, total = 0;
    (void)kn_global_cooldown_end(g->s.a.world, g->s.a.hero);
    expect_ok(use(&g->s, ability));
    (void)kn_global_cooldown(g->s.a.world, g->s.a.hero, &left, &total);
    return total;
}

// GCD-020, BEY-083, USE-003: modifiers, floor and ceiling; a length of 0 starts none.
static void the_global_cooldown_has_a_modifiable_length_within_limits(void **state)
{
    gcd g;
    kn_ability_type_id types[3];
    (void)state;
    stage_begin(&g.s);
    gcd_begin(&g, 1.5f, (kn_value_id){0}, types);
    kn_effect_type_id haste = pace(&g, "Haste", "Knack.GlobalLength", 0.8f);
    kn_effect_type_id rush = pace(&g, "Rush", "Knack.GlobalLength", -1.0f);
    gcd_start(&g, types);
    arena *a = &g.s.a;
    (void)arena_apply(a, haste, a->ally, a->hero);
    assert_int_equal(length_used(&g, g.jab), KN_MS(1200));
    (void)arena_apply(a, rush, a->ally, a->hero); // haste of minus 200 %
    assert_int_equal(length_used(&g, g.jab), 0);
    assert_false(kn_global_cooldown(a->world, a->hero, NULL, NULL));
    expect_ok(use(&g.s, g.hook));
    arena_end(a);
    static const struct {
        float factor;
        int64_t milliseconds;
    } rows[] = {{0.1f, 750}, {0.6f, 900}, {9.0f, 3000}};
    for (int i = 0; i < 3; i++) {
        stage_begin(&g.s);
        kn_value_def value = kn_value_def_default();
        kn_value_id id;
        value.name = "Game.GlobalLength";
        value.has_min = value.has_max = true;
        value.min = 0.75f;
        value.max = 3.0f;
        expect_ok(kn_value_register(g.s.a.library, &value, &id, NULL));
        gcd_begin(&g, 1.5f, id, types);
        haste = pace(&g, "Haste", "Game.GlobalLength", rows[i].factor);
        gcd_start(&g, types);
        (void)arena_apply(&g.s.a, haste, g.s.a.ally, g.s.a.hero);
        assert_int_equal(length_used(&g, g.jab), KN_MS(rows[i].milliseconds));
        arena_end(&g.s.a);
    }
}

// The order of a use -----------------------------------------------------------------------

static kn_result on_tick(void *user, const kn_hook_call *call)
{
    stage *s = user;
    kn_time left, total;
    // Everything is paid when the first tick runs.
    assert_true(kn_global_cooldown(call->world, s->a.hero, &left, &total));
    assert_true(mana_of(&s->a, s->a.hero) == 70.0f);
    (void)strncat(s->log, "tick ", sizeof(s->log) - strlen(s->log) - 1);
    return KN_OK;
}

// What the events of the last step say, in their order.
static void order_of(const stage *s, char *text, size_t size)
{
    kn_events events = kn_world_events(s->a.world);
    text[0] = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        const char *word = NULL;
        if (event->type == KN_EVENT_CHARGES) {
            word = event->data.charges.key.index1 != 0 ? "global " : "charges ";
        } else if (event->type == KN_EVENT_ATTRIBUTE_CHANGED) {
            uint32_t attribute = event->data.attribute.attribute.index1;
            word = attribute == s->a.mana.index1     ? "mana "
                   : attribute == s->a.health.index1 ? "hit "
                                                     : NULL;
        } else if (event->type == KN_EVENT_CUSTOM) {
            const char *name = kn_custom_event_name(s->a.library, event->data.custom.kind);
            word = strcmp(name, "Knack.CastStarted") == 0 ? "cast "
                   : strcmp(name, "Knack.CastTick") == 0  ? "tick "
                                                          : NULL;
        } else if (event->type == KN_EVENT_ABILITY_ACTIVATED) {
            word = "activated ";
        }
        if (word != NULL) {
            (void)strncat(text, word, size - strlen(text) - 1);
        }
    }
}

// USE-010, USE-011, USE-001, SAIV-035, MAP-047: check, global cooldown, charges, resources, cast,
// tick. The predicted and the server tick are one function here, with the role as an argument.
static void a_use_happens_in_order(void **state)
{
    (void)state;
    for (int initial = 0; initial < 2; initial++) {
        stage s;
        stage_begin(&s);
        kn_cost_def cost = kn_cost_def_default();
        cost.attribute = s.a.mana;
        cost.amount = kn_constant(30.0f);
        kn_cooldown_def cooldowns[] = {
            kn_global_cooldown_def(s.a.library, 1.5f), kn_cooldown_seconds(8.0f)};
        kn_ability_def ability = plain_ability("Storm");
        ability.costs = &cost;
        ability.cost_count = 1;
        ability.cooldowns = cooldowns;
        ability.cooldown_count = 2;
        kn_cast_def cast = stage_cast(&s, "Storm", 2.0f);
        cast.kind = KN_CAST_CHANNEL;
        cast.ticks = 2;
        cast.initial_tick = initial == 1;
        cast.tick = (kn_hook){on_tick, &s};
        kn_ability_type_id type = stage_add(&s, &ability, &cast);
        arena_start(&s.a);
        kn_ability_id storm = arena_grant(&s.a, s.a.hero, type);
        arena_until(&s.a, 0);
        kn_activation_id activation;
        kn_event_record event = at_target(&s.a, s.a.foe);
        expect_ok(kn_ability_activate(s.a.world, storm, &event, &activation));
        assert_true(kn_prediction_key_is_null(kn_activation_key(s.a.world, activation)));
        assert_int_equal(
            kn_activation_get_mode(s.a.world, activation), KN_ACTIVATION_MODE_AUTHORITY);
        arena_until(&s.a, 0);
        char text[256];
        order_of(&s, text, sizeof(text));
        assert_string_equal(text, initial == 1 ? "activated global charges mana cast tick hit "
                                               : "activated global charges mana cast ");
        assert_string_equal(s.log, initial == 1 ? "tick " : "");
        arena_end(&s.a);
    }
}

// USE-026: what is refused has changed nothing.
static void a_refused_use_changes_nothing(void **state)
{
    duel d;
    kn_ability_type_id types[3];
    (void)state;
    duel_begin(&d, types);
    duel_start(&d, types);
    arena *a = &d.s.a;
    expect_ok(kn_attribute_set_base(a->world, a->hero, a->mana, 0, 9.0f));
    arena_until(a, 10);
    uint64_t hash = kn_world_hash(a->world);
    expect_result(use(&d.s, d.fireball), KN_REFUSED_COST);
    assert_true(kn_world_hash(a->world) == hash);
    assert_false(kn_global_cooldown(a->world, a->hero, NULL, NULL));
    arena_end(a);
}

// USE-031: a use that begins in a tick of another is processed after that tick.
static kn_result use_other(void *user, const kn_hook_call *call)
{
    gcd *g = user;
    const kn_cast_call *args = call->arguments;
    kn_result result = kn_ability_activate(call->writable, g->dodge, NULL, NULL);
    (void)snprintf(g->s.log + strlen(g->s.log), 64, "%u:%s ", args->tick, kn_result_name(result));
    return KN_OK;
}

static void a_tick_can_begin_another_use(void **state)
{
    gcd g;
    (void)state;
    stage_begin(&g.s);
    kn_tag exempt = kn_tag_find(g.s.a.library, "Knack.Use.WhileCasting");
    kn_ability_def echo = plain_ability("Echo");
    echo.tags = (kn_tags){&exempt, 1};
    kn_cast_def echo_cast = stage_cast(&g.s, "Echo", 0.0f);
    echo_cast.kind = KN_CAST_INSTANT;
    kn_ability_type_id echo_type = stage_add(&g.s, &echo, &echo_cast);
    kn_ability_def ability = plain_ability("Storm");
    kn_cast_def cast = stage_cast(&g.s, "Storm", 2.0f);
    cast.kind = KN_CAST_CHANNEL;
    cast.ticks = 2;
    cast.tick = (kn_hook){use_other, &g};
    kn_ability_type_id type = stage_add(&g.s, &ability, &cast);
    arena_start(&g.s.a);
    g.dodge = arena_grant(&g.s.a, g.s.a.hero, echo_type);
    kn_ability_id storm = arena_grant(&g.s.a, g.s.a.hero, type);
    expect_ok(use(&g.s, storm));
    arena_until(&g.s.a, 1000);
    char text[256];
    order_of(&g.s, text, sizeof(text));
    assert_string_equal(text, "activated cast tick activated hit cast tick ");
    assert_string_equal(g.s.log, "1:KN_OK ");
    arena_end(&g.s.a);
}

// USE-005: what an ability keeps between ticks and between casts.
typedef struct memory {
    uint32_t ticks, casts;
} memory;

static kn_result remember(void *user, const kn_hook_call *call)
{
    const kn_cast_call *args = call->arguments;
    memory *own = kn_activation_state(call->writable, args->activation);
    (void)user;
    own->ticks++;
    own->casts += args->tick == args->ticks;
    return KN_OK;
}

static void an_ability_keeps_state_between_ticks_and_casts(void **state)
{
    static const kn_field fields[] = {
        KN_FIELD(memory, ticks, KN_FIELD_U32), KN_FIELD(memory, casts, KN_FIELD_U32)};
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_def ability = plain_ability("Storm");
    ability.state_size = sizeof(memory);
    ability.state_fields = fields;
    ability.state_field_count = 2;
    kn_cast_def cast = stage_cast(&s, "Storm", 1.0f);
    cast.kind = KN_CAST_CHANNEL;
    cast.ticks = 2;
    cast.tick = (kn_hook){remember, NULL};
    kn_ability_type_id type = stage_add(&s, &ability, &cast);
    arena_start(&s.a);
    kn_ability_id storm = arena_grant(&s.a, s.a.hero, type);
    for (int i = 0; i < 3; i++) {
        expect_ok(use(&s, storm));
        arena_until(&s.a, (i + 1) * 1000 - 250);
        const memory *own = kn_activation_read_state(s.a.world, info_of(&s.a, s.a.hero).activation);
        assert_true(own->ticks == (uint32_t)i * 2 + 1 && own->casts == (uint32_t)i);
        arena_until(&s.a, (i + 1) * 1000);
    }
    arena_end(&s.a);
}

// A property: whatever happens, each use has as many ticks as its schedule says, pays once, spends
// one charge, and ends once; nothing is lost or invented.

typedef struct tally {
    uint32_t started, ended, ticks, done_ticks, cut_ticks;
} tally;

static void tally_note(const arena *a, tally *t)
{
    kn_events events = kn_world_events(a->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        const void *payload = kn_event_payload(a->world, event, &size);
        if (event->type != KN_EVENT_CUSTOM) {
            continue;
        }
        const char *name = kn_custom_event_name(a->library, event->data.custom.kind);
        if (strcmp(name, "Knack.CastStarted") == 0) {
            t->started++;
        } else if (strcmp(name, "Knack.CastTick") == 0) {
            t->ticks++;
        } else if (strcmp(name, "Knack.CastEnded") == 0) {
            const kn_cast_ended *ended = payload;
            t->ended++;
            if (ended->outcome == KN_CAST_DONE) {
                t->done_ticks += ended->tick;
            } else {
                t->cut_ticks += ended->tick;
            }
        }
    }
}

static uint32_t any_below(uint64_t *state, uint32_t bound)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % bound;
}

// One thing that may happen to the hero.
static void happen(duel *d, uint64_t *random, kn_effect_type_id haste, uint32_t *uses)
{
    arena *a = &d->s.a;
    kn_interrupt_def interrupt = interrupt_of(d, (float)any_below(random, 3) * 0.5f);
    switch (any_below(random, 9)) {
    case 0:
    case 1:
    case 2:
        *uses += use(&d->s, any_below(random, 2) == 0 ? d->fireball : d->frostbolt) == KN_OK;
        break;
    case 3:
        (void)kn_cast_cancel(a->world, a->hero, any_below(random, 4));
        break;
    case 4:
        (void)kn_cast_interrupt(a->world, &interrupt, NULL);
        break;
    case 5:
        (void)kn_cast_push_back(a->world, a->hero);
        break;
    case 6:
        (void)kn_effect_apply_simple(a->world, haste, a->ally, a->hero, 1.0f, NULL);
        break;
    case 7:
        (void)kn_effects_remove(a->world, a->hero, NULL, 0, KN_REMOVED_BY_CALL, NULL);
        break;
    default:
        (void)kn_ability_add_charges(a->world, d->fireball, kn_global_cooldown_key(a->library),
            (int32_t)any_below(random, 3) - 1);
        break;
    }
}

// CAST-009, CAST-035, USE-026
static void nothing_is_lost_or_invented(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        duel d;
        kn_ability_type_id types[3];
        duel_begin(&d, types);
        kn_modifier_def modifier = kn_modifier_constant((kn_attribute_id){0}, KN_OP_MULTIPLY, 0.7f);
        modifier.value = kn_value_find(d.s.a.library, "Knack.CastLength");
        kn_effect_def def = kn_effect_def_default();
        def.name = "Haste";
        def.duration_kind = KN_DURATION_INFINITE;
        def.modifiers = &modifier;
        def.modifier_count = 1;
        kn_effect_type_id haste = arena_effect(&d.s.a, &def);
        duel_start(&d, types);
        arena *a = &d.s.a;
        expect_ok(kn_attribute_set_base(a->world, a->hero, a->max_mana, 0, 1e6f));
        expect_ok(kn_attribute_set_base(a->world, a->hero, a->mana, 0, 1e5f));
        expect_ok(kn_attribute_set_base(a->world, a->foe, a->max_health, 0, 1e6f));
        expect_ok(kn_attribute_set_base(a->world, a->foe, a->health, 0, 1e5f));
        uint64_t random = seed;
        uint32_t uses = 0;
        tally t = {0};
        for (uint32_t i = 0; i < 400; i++) {
            happen(&d, &random, haste, &uses);
            expect_ok(kn_world_step(a->world, KN_MS(any_below(&random, 400))));
            tally_note(a, &t);
            assert_int_equal(t.started - t.ended, is_casting(a, a->hero) ? 1 : 0);
        }
        expect_ok(kn_world_step(a->world, KN_S(10)));
        tally_note(a, &t);
        assert_true(uses > 20 && t.started == uses && t.ended == uses);
        assert_true(t.ticks >= t.done_ticks + t.cut_ticks); // a cancel may let some ticks come
        assert_true(mana_of(a, a->hero) == 1e5f - 10.0f * (float)uses);
        assert_true(health_of(a, a->foe) == 1e5f - 10.0f * (float)t.ticks);
        assert_true(kn_world_validate(a->world));
        arena_end(a);
    }
}

// A cast whose last tick has run has nothing left that a hit could delay.
static void a_cast_that_hurts_its_caster_is_not_pushed_back_by_itself(void **state)
{
    static const kn_cast_kind kinds[] = {KN_CAST_PLAIN, KN_CAST_CHANNEL, KN_CAST_HELD};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        stage s;
        stage_begin(&s);
        s.applies.to = KN_APPLY_TO_OWNER;
        kn_ability_def ability = plain_ability("Tap");
        kn_cast_def cast = stage_cast(&s, "Tap", 1.0f);
        cast.kind = kinds[i];
        kn_ability_type_id type = stage_add(&s, &ability, &cast);
        arena_start(&s.a);
        kn_ability_id tap = arena_grant(&s.a, s.a.hero, type);
        expect_ok(use(&s, tap));
        arena_until(&s.a, 1000);
        assert_true(health_of(&s.a, s.a.hero) == 990.0f);
        assert_false(is_casting(&s.a, s.a.hero));
        assert_false(kn_ability_is_active(s.a.world, tap));
        assert_int_equal(events_of(&s.a, "Knack.CastPushed"), 0);
        assert_int_equal(events_of(&s.a, "Knack.CastEnded"), 1);
        arena_end(&s.a);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_interrupt_ends_a_cast_and_locks_out_its_school),
    cmocka_unit_test(interrupts_can_be_refused),
    cmocka_unit_test(an_effect_can_interrupt),
    cmocka_unit_test(lockouts_prolong_each_other_and_can_be_lifted),
    cmocka_unit_test(abilities_on_the_global_cooldown_keep_each_other_waiting),
    cmocka_unit_test(the_global_cooldown_runs_while_casting),
    cmocka_unit_test(a_cancelled_cast_may_free_the_global_cooldown),
    cmocka_unit_test(the_global_cooldown_has_a_modifiable_length_within_limits),
    cmocka_unit_test(a_use_happens_in_order),
    cmocka_unit_test(a_refused_use_changes_nothing),
    cmocka_unit_test(a_tick_can_begin_another_use),
    cmocka_unit_test(an_ability_keeps_state_between_ticks_and_casts),
    cmocka_unit_test(nothing_is_lost_or_invented),
    cmocka_unit_test(a_cast_that_hurts_its_caster_is_not_pushed_back_by_itself),
};

TEST_GROUP(combat_cast_rules, tests, NULL, NULL);
