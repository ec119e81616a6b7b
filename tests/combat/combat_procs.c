// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Procs: what they react to, how often, and what keeps them from it.

#include "combat_copies.h"

// Fixtures --------------------------------------------------------------------------

// An arena whose entities have an attribute `Vitals.Power` that procs raise: `gain` adds 1 to it,
// `spark` deals 10 damage.
typedef struct stage {
    arena a;
    kn_effect_type_id gain, spark;
    kn_tag spark_tag;
} stage;

static void stage_begin(stage *s)
{
    arena_begin(&s->a);
    kn_modifier_def modifier = kn_modifier_constant(s->a.power, KN_OP_ADD, 1.0f);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Gain";
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    s->gain = arena_effect(&s->a, &effect);
    s->spark_tag = arena_tag(&s->a, "School.Spark");
    modifier =
        kn_modifier_constant(kn_attribute_find(s->a.library, "Hit.Damage"), KN_OP_ADD, 10.0f);
    effect = kn_effect_def_default();
    effect.name = "Spark";
    effect.asset_tags = (kn_tags){&s->spark_tag, 1};
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    s->spark = arena_effect(&s->a, &effect);
}

static kn_effect_type_id lasting(stage *s, const char *name, uint32_t limit)
{
    kn_effect_def effect = kn_effect_def_default();
    effect.name = name;
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.stacking.kind = limit > 0 ? KN_STACK_BY_SOURCE : KN_STACK_NONE;
    effect.stacking.limit = kn_constant((float)limit);
    return arena_effect(&s->a, &effect);
}

static kn_proc_id proc_register(stage *s, kn_proc_def *def, const char *name)
{
    kn_proc_id proc;
    kn_error error = {0};
    def->name = name;
    kn_result result = kn_proc_register(s->a.library, def, &proc, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    return proc;
}

// A proc with one action, which comes with a new effect of its name.
static kn_effect_type_id proc_of(
    stage *s, kn_proc_def *def, const char *name, kn_effect_type_id effect, kn_proc_to to)
{
    kn_proc_action_def action = kn_proc_action_def_default();
    kn_effect_type_id type = lasting(s, name, 0);
    action.effect = effect;
    action.to = to;
    def->actions = &action;
    def->action_count = 1;
    (void)proc_register(s, def, name);
    return type;
}

static float power_of(const stage *s, kn_entity_id entity)
{
    return kn_attribute_value(s->a.world, entity, s->a.power);
}

static void set_power(stage *s, kn_entity_id entity, float power)
{
    expect_ok(kn_attribute_set_base(s->a.world, entity, s->a.power, 0, power));
}

static kn_hit hit(stage *s, float amount, kn_tag *tag)
{
    kn_hit_def def = kn_hit_def_default();
    kn_hit result;
    def.source = s->a.hero;
    def.target = s->a.foe;
    def.amount = amount;
    def.flags = KN_HIT_NO_OUTCOME;
    def.tags = (kn_tags){tag, tag != NULL ? 1 : 0};
    expect_ok(kn_hit_run(s->a.world, &def, &result));
    return result;
}

static kn_proc_event event_of(const stage *s, uint32_t on)
{
    kn_proc_event event = kn_proc_event_default();
    event.on = on;
    event.bearer = s->a.hero;
    event.other = s->a.foe;
    event.source = s->a.hero;
    event.target = s->a.foe;
    return event;
}

static uint32_t raise(stage *s, const kn_proc_event *event)
{
    uint32_t acted;
    expect_ok(kn_proc_run(s->a.world, event, (kn_tags){0}, &acted));
    return acted;
}

// What a proc of the hero says to an event.
static kn_proc_answer answer_of(const stage *s, const kn_proc_event *event, kn_tags tags)
{
    kn_proc_line line;
    assert_int_equal(kn_proc_explain(s->a.world, event, tags, &line, 1), 1);
    return line.answer;
}

// Reacting --------------------------------------------------------------------------

// BEY-060
static void a_proc_acts_while_its_bearer_has_the_effect(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.tags.required = (kn_tags){&s.a.fire, 1};
    kn_effect_type_id surge = proc_of(&s, &def, "Surge", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    (void)hit(&s, 5.0f, &s.a.fire);
    assert_true(power_of(&s, s.a.hero) == 1.0f); // not there yet
    kn_effect_id effect = arena_apply(&s.a, surge, s.a.ally, s.a.hero);
    (void)hit(&s, 5.0f, &s.a.frost);
    assert_true(power_of(&s, s.a.hero) == 1.0f);
    (void)hit(&s, 5.0f, &s.a.fire);
    assert_true(power_of(&s, s.a.hero) == 2.0f);
    assert_true(power_of(&s, s.a.foe) == 1.0f && power_of(&s, s.a.ally) == 1.0f);
    expect_ok(kn_world_step(s.a.world, 0));
    uint32_t count;
    const kn_proc_acted *acted = arena_event(&s.a, "Knack.Proc", &count);
    assert_int_equal(count, 1);
    assert_true(kn_entity_id_equal(acted->other, s.a.foe));
    assert_true(acted->effect.index1 == surge.index1 && acted->proc.index1 == 1);
    assert_true(acted->on == KN_PROC_HIT_DONE && acted->chance == 1.0f && acted->charges == 0);
    expect_ok(kn_effect_remove(s.a.world, effect, 0, KN_REMOVED_BY_CALL));
    (void)hit(&s, 5.0f, &s.a.fire);
    assert_true(power_of(&s, s.a.hero) == 2.0f);
    arena_end(&s.a);
}

// BEY-060
static void outcomes_count_differently_for_those_who_deal_and_take(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    kn_effect_type_id done = proc_of(&s, &def, "Done", s.gain, KN_PROC_TO_BEARER);
    def.on = KN_PROC_HIT_TAKEN;
    kn_effect_type_id taken = proc_of(&s, &def, "Taken", s.gain, KN_PROC_TO_BEARER);
    kn_tag absorbed = kn_tag_find(s.a.library, "Knack.Outcome.Absorbed");
    def.outcomes = (kn_tags){&absorbed, 1};
    kn_effect_type_id soaked = proc_of(&s, &def, "Soaked", s.gain, KN_PROC_TO_OTHER);
    kn_buff_def buff = kn_buff_def_default();
    buff.name = "Shield";
    buff.absorb.amount = kn_magnitude_constant(20.0f);
    kn_effect_type_id shield = lasting(&s, "Shield", 0);
    expect_ok(kn_buff_register(s.a.library, &buff, NULL, NULL));
    arena_start(&s.a);
    (void)arena_apply(&s.a, done, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, taken, s.a.foe, s.a.foe);
    (void)arena_apply(&s.a, shield, s.a.ally, s.a.foe);
    (void)hit(&s, 15.0f, NULL); // absorbed as a whole
    assert_true(power_of(&s, s.a.hero) == 2.0f && power_of(&s, s.a.foe) == 1.0f);
    (void)hit(&s, 15.0f, NULL); // in part
    assert_true(power_of(&s, s.a.hero) == 3.0f && power_of(&s, s.a.foe) == 2.0f);
    kn_proc_event avoided = event_of(&s, KN_PROC_HIT_DONE);
    avoided.flags = KN_PROC_FLAG_AVOIDED;
    assert_int_equal(answer_of(&s, &avoided, (kn_tags){0}), KN_PROC_OUTCOME);
    (void)arena_apply(&s.a, shield, s.a.ally, s.a.foe);
    (void)arena_apply(&s.a, soaked, s.a.foe, s.a.foe);
    (void)hit(&s, 10.0f, NULL); // the hero gains for the hit, and by the one who soaks
    assert_true(power_of(&s, s.a.hero) == 5.0f && power_of(&s, s.a.foe) == 2.0f);
    arena_end(&s.a);
}

// BEY-060
static void actions_are_for_those_that_they_name(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_action_def actions[3] = {
        kn_proc_action_def_default(), kn_proc_action_def_default(), kn_proc_action_def_default()};
    kn_tag sent = arena_tag(&s.a, "Event.Sent"), data = arena_tag(&s.a, "Data.Amount");
    kn_effect_def effect = kn_effect_def_default();
    kn_modifier_def modifier = kn_modifier_constant(s.a.power, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_set_by_caller(data);
    effect.name = "Echo";
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    actions[0].effect = arena_effect(&s.a, &effect);
    actions[0].magnitude_tag = data;
    actions[0].to = KN_PROC_TO_TARGET;
    actions[1].event = sent;
    actions[1].to = KN_PROC_TO_SOURCE;
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    apply.effect = s.gain;
    apply.to = KN_APPLY_TO_TARGET;
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Riposte";
    ability.body = KN_BODY_USE;
    ability.applies = &apply;
    ability.apply_count = 1;
    actions[2].ability = arena_ability(&s.a, &ability);
    actions[2].to = KN_PROC_TO_OTHER;
    kn_trigger_def trigger = kn_trigger_def_default();
    trigger.tag = sent;
    apply.to = KN_APPLY_TO_OWNER;
    ability.name = "Answer";
    ability.triggers = &trigger;
    ability.trigger_count = 1;
    kn_ability_type_id answer = arena_ability(&s.a, &ability);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_TAKEN;
    def.actions = actions;
    def.action_count = 3;
    kn_effect_type_id guard = lasting(&s, "Guard", 0);
    (void)proc_register(&s, &def, "Guard");
    arena_start(&s.a);
    (void)arena_grant(&s.a, s.a.foe, actions[2].ability);
    (void)arena_grant(&s.a, s.a.hero, answer);
    (void)arena_apply(&s.a, guard, s.a.lord, s.a.foe);
    (void)hit(&s, 25.0f, NULL);
    expect_near(power_of(&s, s.a.foe), 26.0f); // Echo reads the damage
    expect_near(power_of(&s, s.a.hero), 3.0f); // Riposte at it, and its own Answer
    arena_end(&s.a);
}

static void an_event_or_a_call_of_the_game_lets_procs_react(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_tag parry = arena_tag(&s.a, "Knack.Proc.Parry");
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_EVENT;
    def.tags.required = (kn_tags){&parry, 1};
    kn_effect_type_id stance = proc_of(&s, &def, "Stance", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    (void)arena_apply(&s.a, stance, s.a.hero, s.a.hero);
    kn_event_record record = kn_event_record_default();
    record.instigator = s.a.foe;
    expect_ok(kn_event_send(s.a.world, s.a.hero, parry, &record));
    assert_true(power_of(&s, s.a.hero) == 2.0f);
    expect_ok(kn_event_send(s.a.world, s.a.foe, parry, &record)); // has no such proc
    expect_ok(kn_event_send(s.a.world, s.a.hero, kn_tag_find(s.a.library, "Knack.Proc"), NULL));
    assert_true(power_of(&s, s.a.hero) == 2.0f);
    kn_proc_event event = event_of(&s, KN_PROC_EVENT);
    uint32_t acted;
    expect_ok(kn_proc_run(s.a.world, &event, (kn_tags){&parry, 1}, &acted));
    assert_int_equal(acted, 1);
    assert_true(power_of(&s, s.a.hero) == 3.0f);
    arena_end(&s.a);
}

static void an_ability_brings_a_proc_along_while_it_is_granted(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Talent";
    ability.body = KN_BODY_USE;
    kn_ability_type_id talent = arena_ability(&s.a, &ability);
    kn_proc_action_def action = kn_proc_action_def_default();
    kn_proc_def def = kn_proc_def_default();
    action.effect = s.gain;
    def.on = KN_PROC_HIT_DONE;
    def.charges = kn_magnitude_constant(2.0f);
    def.actions = &action;
    def.action_count = 1;
    (void)proc_register(&s, &def, "Talent"); // there is no effect of this name
    arena_start(&s.a);
    kn_ability_id own = arena_grant(&s.a, s.a.hero, talent);
    kn_proc_line line;
    assert_true(kn_proc_get(s.a.world, s.a.hero, (kn_proc_id){1}, &line));
    assert_true(kn_ability_id_equal(line.ability, own) && line.effect.index1 == 0);
    assert_int_equal(line.charges, 2);
    for (uint32_t i = 0; i < 4; i++) {
        (void)hit(&s, 1.0f, NULL);
    }
    assert_true(power_of(&s, s.a.hero) == 3.0f); // two charges
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    assert_int_equal(answer_of(&s, &event, (kn_tags){0}), KN_PROC_NO_CHARGES);
    expect_ok(kn_ability_remove(s.a.world, own, KN_GRANT_CANCEL));
    assert_false(kn_proc_get(s.a.world, s.a.hero, (kn_proc_id){1}, &line));
    (void)arena_grant(&s.a, s.a.hero, talent); // anew
    (void)hit(&s, 1.0f, NULL);
    assert_true(power_of(&s, s.a.hero) == 4.0f);
    arena_end(&s.a);
}

// Cooldowns -------------------------------------------------------------------------

// BEY-062
static void a_cooldown_ends_at_its_very_end(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.cooldown = kn_magnitude_constant(2.0f);
    kn_effect_type_id surge = proc_of(&s, &def, "Surge", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    (void)arena_apply(&s.a, surge, s.a.hero, s.a.hero);
    (void)hit(&s, 1.0f, NULL);
    arena_until(&s.a, 1999);
    (void)hit(&s, 1.0f, NULL);
    assert_true(power_of(&s, s.a.hero) == 2.0f);
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    kn_proc_line line;
    assert_int_equal(kn_proc_explain(s.a.world, &event, (kn_tags){0}, &line, 1), 1);
    assert_true(line.answer == KN_PROC_ON_COOLDOWN && line.cooldown == KN_MS(1));
    arena_until(&s.a, 2000);
    (void)hit(&s, 1.0f, NULL);
    assert_true(power_of(&s, s.a.hero) == 3.0f);
    arena_end(&s.a);
}

// BEY-062
static void a_cooldown_belongs_to_the_instance_or_to_the_bearer(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.cooldown = kn_magnitude_constant(2.0f);
    kn_effect_type_id each = proc_of(&s, &def, "Each", s.gain, KN_PROC_TO_BEARER);
    def.on = KN_PROC_HIT_TAKEN;
    def.cooldown_per_bearer = true;
    kn_effect_type_id all = proc_of(&s, &def, "All", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    kn_effect_id second = {0};
    for (uint32_t i = 0; i < 2; i++) {
        (void)arena_apply(&s.a, each, s.a.hero, s.a.hero);
        second = arena_apply(&s.a, all, s.a.foe, s.a.foe);
    }
    (void)hit(&s, 1.0f, NULL);
    (void)hit(&s, 1.0f, NULL);
    assert_true(power_of(&s, s.a.hero) == 3.0f); // both instances, once each
    assert_true(power_of(&s, s.a.foe) == 2.0f);  // one of both
    // A new instance does not bring a new cooldown.
    expect_ok(kn_effect_remove(s.a.world, second, 0, KN_REMOVED_BY_CALL));
    (void)arena_apply(&s.a, all, s.a.foe, s.a.foe);
    (void)hit(&s, 1.0f, NULL);
    assert_true(power_of(&s, s.a.foe) == 2.0f);
    arena_until(&s.a, 2000);
    (void)hit(&s, 1.0f, NULL);
    assert_true(power_of(&s, s.a.foe) == 3.0f);
    arena_end(&s.a);
}

// BEY-062: what fails before the roll draws nothing, so that the luck of others is the same.
static void only_the_roll_draws_a_number(void **state)
{
    float luck[2][40];
    (void)state;
    for (uint32_t with = 0; with < 2; with++) {
        stage s;
        stage_begin(&s);
        kn_proc_def def = kn_proc_def_default();
        def.on = KN_PROC_HIT_DONE;
        def.chance = kn_magnitude_constant(0.5f);
        kn_effect_type_id coin = proc_of(&s, &def, "Coin", s.gain, KN_PROC_TO_BEARER);
        def.tags.required = (kn_tags){&s.a.frost, 1};
        def.priority = 5;
        kn_effect_type_id cold = proc_of(&s, &def, "Cold", s.gain, KN_PROC_TO_BEARER);
        def.tags.required = (kn_tags){0};
        def.chance = kn_magnitude_constant(1.0f); // certain: nothing to draw
        kn_effect_type_id sure = proc_of(&s, &def, "Sure", s.spark, KN_PROC_TO_OTHER);
        arena_start(&s.a);
        (void)arena_apply(&s.a, coin, s.a.hero, s.a.hero);
        if (with == 1) {
            (void)arena_apply(&s.a, cold, s.a.hero, s.a.hero);
            (void)arena_apply(&s.a, sure, s.a.hero, s.a.hero);
        }
        for (uint32_t i = 0; i < 40; i++) {
            (void)hit(&s, 1.0f, &s.a.fire);
            luck[with][i] = power_of(&s, s.a.hero);
        }
        arena_end(&s.a);
    }
    assert_memory_equal(luck[0], luck[1], sizeof(luck[0]));
    assert_true(luck[0][39] > 10.0f && luck[0][39] < 32.0f);
}

// Charges ---------------------------------------------------------------------------

// BEY-063
static void the_last_charge_ends_the_effect_after_its_action(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.charges = kn_magnitude_constant(2.0f);
    kn_effect_type_id surge = proc_of(&s, &def, "Surge", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    kn_effect_id effect = arena_apply(&s.a, surge, s.a.hero, s.a.hero);
    (void)hit(&s, 1.0f, NULL);
    kn_proc_line line;
    assert_true(kn_proc_get(s.a.world, s.a.hero, (kn_proc_id){1}, &line));
    assert_true(line.charges == 1 && kn_effect_id_equal(line.effect, effect));
    (void)hit(&s, 1.0f, NULL);
    assert_true(power_of(&s, s.a.hero) == 3.0f);
    assert_false(kn_effect_is_alive(s.a.world, effect));
    expect_ok(kn_world_step(s.a.world, 0));
    kn_events events = kn_world_events(s.a.world);
    uint32_t changed = 0, removed = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_ATTRIBUTE_CHANGED && event->data.attribute.new_value == 3.0f) {
            changed = i;
        } else if (event->type == KN_EVENT_EFFECT_REMOVED) {
            removed = i;
            assert_int_equal(event->data.effect.reason, KN_REMOVED_CHARGES_USED);
        }
    }
    assert_true(changed > 0 && removed > changed);
    arena_end(&s.a);
}

// BEY-063
static void an_action_that_did_nothing_uses_up_nothing(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_tag needed = arena_tag(&s.a, "State.Open");
    kn_effect_def picky = kn_effect_def_default();
    picky.name = "Picky";
    picky.application.target.required = (kn_tags){&needed, 1};
    kn_effect_type_id type = arena_effect(&s.a, &picky);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.charges = kn_magnitude_constant(1.0f);
    def.cooldown = kn_magnitude_constant(5.0f);
    kn_effect_type_id surge = proc_of(&s, &def, "Surge", type, KN_PROC_TO_OTHER);
    arena_start(&s.a);
    kn_effect_id effect = arena_apply(&s.a, surge, s.a.hero, s.a.hero);
    (void)hit(&s, 1.0f, NULL);
    kn_proc_line line;
    assert_true(kn_proc_get(s.a.world, s.a.hero, (kn_proc_id){1}, &line));
    assert_true(line.charges == 1 && line.cooldown == 0);
    expect_ok(kn_entity_add_tag(s.a.world, s.a.foe, needed, KN_TAG_ORIGIN_LOOSE, 1));
    (void)hit(&s, 1.0f, NULL);
    assert_false(kn_effect_is_alive(s.a.world, effect));
    arena_end(&s.a);
}

// BEY-063: a buff for the next fire hits that only these use up, also if they are effects, inside
// which nothing can be removed at once.
static void stacks_are_used_up_one_by_one_even_inside_operations(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    kn_effect_type_id heat = lasting(&s, "Heat", 5);
    def.on = KN_PROC_HIT_DONE;
    def.tags.required = (kn_tags){&s.spark_tag, 1};
    def.uses_stacks = true;
    (void)proc_register(&s, &def, "Heat");
    kn_container_def volley = kn_container_def_default();
    kn_effect_type_id sparks[] = {s.spark, s.spark, s.spark};
    kn_container_id container;
    volley.name = "Volley";
    volley.effects = sparks;
    volley.effect_count = 3;
    expect_ok(kn_container_register(s.a.library, &volley, &container, NULL));
    arena_start(&s.a);
    kn_effect_id effect = {0};
    for (uint32_t i = 0; i < 5; i++) {
        effect = arena_apply(&s.a, heat, s.a.hero, s.a.hero);
    }
    (void)hit(&s, 1.0f, &s.a.fire);
    assert_int_equal(kn_effect_stacks(s.a.world, effect), 5); // another school
    (void)arena_apply(&s.a, s.spark, s.a.hero, s.a.foe);
    assert_int_equal(kn_effect_stacks(s.a.world, effect), 4);
    kn_container_apply_def apply = kn_container_apply_def_default();
    apply.container = container;
    apply.source = s.a.hero;
    apply.targets = &s.a.foe;
    apply.target_count = 1;
    expect_ok(kn_container_apply(s.a.world, &apply, NULL));
    assert_int_equal(kn_effect_stacks(s.a.world, effect), 1);
    expect_ok(kn_container_apply(s.a.world, &apply, NULL)); // one stack for three sparks
    assert_false(kn_effect_is_alive(s.a.world, effect));
    expect_ok(kn_world_step(s.a.world, 0));
    uint32_t count;
    (void)arena_event(&s.a, "Knack.Proc", &count);
    assert_int_equal(count, 5); // neither lost nor invented
    arena_end(&s.a);
}

// Two procs of one effect have its stacks in common.
static void procs_of_one_effect_share_its_stacks_inside_operations_too(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    kn_proc_action_def action = kn_proc_action_def_default();
    kn_effect_type_id heat = lasting(&s, "Heat", 5);
    action.effect = s.gain;
    def.on = KN_PROC_HIT_DONE;
    def.uses_stacks = true;
    def.effect = heat;
    def.actions = &action;
    def.action_count = 1;
    (void)proc_register(&s, &def, "First");
    (void)proc_register(&s, &def, "Second");
    arena_start(&s.a);
    kn_effect_id effect = arena_apply(&s.a, heat, s.a.hero, s.a.hero);
    (void)hit(&s, 1.0f, NULL); // a call of its own
    assert_true(power_of(&s, s.a.hero) == 2.0f);
    assert_false(kn_effect_is_alive(s.a.world, effect));
    effect = arena_apply(&s.a, heat, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, s.spark, s.a.hero, s.a.foe); // inside the application of an effect
    assert_true(power_of(&s, s.a.hero) == 3.0f);
    assert_false(kn_effect_is_alive(s.a.world, effect));
    effect = arena_apply(&s.a, heat, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, heat, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, heat, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, s.spark, s.a.hero, s.a.foe);
    assert_true(power_of(&s, s.a.hero) == 5.0f); // both, once each
    assert_int_equal(kn_effect_stacks(s.a.world, effect), 1);
    arena_end(&s.a);
}

static kn_result end_effect(void *user, const kn_hook_call *call)
{
    return kn_effect_remove(call->writable, *(const kn_effect_id *)user, 0, KN_REMOVED_BY_CALL);
}

static void a_proc_that_ends_its_own_effect_has_no_charges_left(void **state)
{
    stage s;
    kn_effect_id effect;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    kn_effect_type_id heat = lasting(&s, "Heat", 5);
    def.on = KN_PROC_HIT_DONE;
    def.uses_stacks = true;
    def.acts = (kn_hook){end_effect, &effect};
    (void)proc_register(&s, &def, "Heat");
    arena_start(&s.a);
    effect = arena_apply(&s.a, heat, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, heat, s.a.hero, s.a.hero);
    (void)hit(&s, 1.0f, NULL);
    assert_false(kn_effect_is_alive(s.a.world, effect));
    expect_ok(kn_world_step(s.a.world, 0));
    uint32_t count;
    const kn_proc_acted *acted = arena_event(&s.a, "Knack.Proc", &count);
    assert_int_equal(count, 1);
    assert_int_equal(acted->charges, 0);
    arena_end(&s.a);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// BEY-063: random gains, hits of both kinds and dispels; each charge that came is used up,
// dispelled or still there.
static void charges_are_never_lost_or_invented(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.charges = kn_magnitude_constant(3.0f);
    def.chance = kn_magnitude_constant(0.4f);
    kn_effect_type_id own = proc_of(&s, &def, "Own", s.gain, KN_PROC_TO_BEARER);
    kn_effect_type_id heat = lasting(&s, "Heat", 6);
    kn_proc_action_def action = kn_proc_action_def_default();
    action.effect = s.gain;
    def.actions = &action;
    def.charges = kn_magnitude_constant(0.0f);
    def.uses_stacks = true;
    (void)proc_register(&s, &def, "Heat");
    kn_buff_def buff = kn_buff_def_default();
    buff.name = "Own";
    expect_ok(kn_buff_register(s.a.library, &buff, NULL, NULL));
    buff.name = "Heat";
    expect_ok(kn_buff_register(s.a.library, &buff, NULL, NULL));
    kn_dispel_def dispel = kn_dispel_def_default();
    kn_dispel_id one;
    dispel.name = "One";
    dispel.polarity = KN_POLARITY_BIT_BUFF;
    expect_ok(kn_dispel_register(s.a.library, &dispel, &one, NULL));
    arena_start(&s.a);
    uint32_t seed = 11, came = 0, dispelled = 0;
    for (uint32_t turn = 0; turn < 600; turn++) {
        uint32_t what = next_random(&seed) % 8;
        kn_effect_id effect;
        if (what == 0) {
            (void)arena_apply(&s.a, own, s.a.hero, s.a.hero);
            came += 3;
        } else if (what == 1) {
            kn_effect_query query = kn_effect_query_default();
            query.type = heat;
            uint32_t before = kn_effects_find(s.a.world, s.a.hero, &query, &effect, 1) > 0
                                  ? kn_effect_stacks(s.a.world, effect)
                                  : 0;
            effect = arena_apply(&s.a, heat, s.a.hero, s.a.hero);
            came += kn_effect_stacks(s.a.world, effect) - before;
        } else if (what == 2) {
            kn_dispel_result result;
            expect_ok(kn_dispel(s.a.world, one, s.a.foe, s.a.hero, &result));
            dispelled += result.removed;
        } else if (what < 5) {
            (void)arena_apply(&s.a, s.spark, s.a.hero, s.a.foe);
        } else {
            (void)hit(&s, 1.0f, NULL);
        }
        expect_ok(kn_attribute_set_base(s.a.world, s.a.foe, s.a.health, 0, 1000.0f));
    }
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    kn_proc_line lines[256];
    uint32_t there = 0, count = kn_proc_explain(s.a.world, &event, (kn_tags){0}, lines, 256);
    for (uint32_t i = 0; i < count; i++) {
        there += lines[i].charges;
    }
    uint32_t used = (uint32_t)(power_of(&s, s.a.hero) - 1.0f);
    assert_true(used > 50 && dispelled > 20);
    assert_int_equal(came, used + dispelled + there);
    arena_end(&s.a);
}

// Chances ---------------------------------------------------------------------------

// How many of `attempts` succeed, and the longest row of failures.
static uint32_t successes(stage *s, uint32_t attempts, uint32_t *longest)
{
    kn_proc_event event = event_of(s, KN_PROC_HIT_DONE);
    uint32_t wins = 0, row = 0;
    *longest = 0;
    for (uint32_t i = 0; i < attempts; i++) {
        uint32_t won = raise(s, &event);
        wins += won;
        row = won != 0 ? 0 : row + 1;
        *longest = row > *longest ? row : *longest;
    }
    return wins;
}

// BEY-064
static void accumulating_chances_keep_the_average_and_avoid_long_rows(void **state)
{
    uint32_t rows[2], wins[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        stage s;
        stage_begin(&s);
        kn_proc_def def = kn_proc_def_default();
        def.on = KN_PROC_HIT_DONE;
        def.chance = kn_magnitude_constant(0.15f);
        def.random = i == 0 ? KN_PROC_PLAIN : KN_PROC_ACCUMULATING;
        kn_effect_type_id type = proc_of(&s, &def, "Luck", s.gain, KN_PROC_TO_BEARER);
        arena_start(&s.a);
        (void)arena_apply(&s.a, type, s.a.hero, s.a.hero);
        wins[i] = successes(&s, 4000, &rows[i]);
        arena_end(&s.a);
    }
    assert_true(wins[0] > 500 && wins[0] < 700);
    assert_true(wins[1] > 560 && wins[1] < 640);     // the average with less spread
    assert_true(rows[1] <= 31 && rows[0] > rows[1]); // 1 / 0.0322 attempts at most
}

// BEY-064
static void a_deck_is_exact_after_each_round(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.chance = kn_magnitude_constant(0.3f);
    def.random = KN_PROC_DECK;
    def.deck = 10;
    kn_effect_type_id type = proc_of(&s, &def, "Deck", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    (void)arena_apply(&s.a, type, s.a.hero, s.a.hero);
    uint32_t longest, patterns = 0, last = 0;
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t pattern = 0;
        for (uint32_t i = 0; i < 10; i++) {
            pattern = pattern * 2 + successes(&s, 1, &longest);
        }
        uint32_t wins = 0;
        for (uint32_t bits = pattern; bits != 0; bits &= bits - 1) {
            wins++;
        }
        assert_int_equal(wins, 3);
        patterns += pattern != last;
        last = pattern;
    }
    assert_true(patterns > 10); // shuffled anew
    arena_end(&s.a);
}

// BEY-061, BEY-064
static void a_rate_follows_the_time_of_the_action_and_bad_luck_is_limited(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_def ability = kn_ability_def_default();
    kn_cooldown_def cooldown = kn_cooldown_seconds(2.0f);
    cooldown.starts = KN_COOLDOWN_AT_ACTIVATION;
    cooldown.key = arena_tag(&s.a, "Cooldown.Global");
    ability.name = "Bolt";
    ability.body = KN_BODY_USE;
    ability.cooldowns = &cooldown;
    ability.cooldown_count = 1;
    kn_ability_type_id bolt = arena_ability(&s.a, &ability);
    ability.name = "Dart";
    ability.cooldown_count = 0;
    kn_ability_type_id dart = arena_ability(&s.a, &ability);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.per_minute = kn_magnitude_constant(3.0f);
    def.random = KN_PROC_BAD_LUCK;
    kn_effect_type_id type = proc_of(&s, &def, "Rate", s.gain, KN_PROC_TO_BEARER);
    kn_modifier_def modifiers[2] = {kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[0].value = kn_value_find(s.a.library, "Knack.ProcRate");
    modifiers[0].op = KN_OP_MULTIPLY;
    modifiers[0].magnitude = kn_magnitude_constant(2.0f);
    modifiers[1].value = kn_value_find(s.a.library, "Knack.ProcChance");
    modifiers[1].magnitude = kn_magnitude_constant(0.05f);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Haste";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.modifiers = modifiers;
    effect.modifier_count = 2;
    kn_effect_type_id haste = arena_effect(&s.a, &effect);
    arena_start(&s.a);
    (void)arena_apply(&s.a, type, s.a.hero, s.a.hero);
    kn_proc_line line;
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    event.interval = 2.5f; // a swing of a weapon
    assert_int_equal(kn_proc_explain(s.a.world, &event, (kn_tags){0}, &line, 1), 1);
    expect_near(line.chance, 3.0f * 2.5f / 60.0f);
    event.interval = 0.5f; // a fast swing is not a cast: no floor
    (void)kn_proc_explain(s.a.world, &event, (kn_tags){0}, &line, 1);
    expect_near(line.chance, 3.0f * 0.5f / 60.0f);
    event.interval = 0.0f;
    event.ability = bolt; // its cooldown at activation
    (void)kn_proc_explain(s.a.world, &event, (kn_tags){0}, &line, 1);
    expect_near(line.chance, 3.0f * 2.0f / 60.0f);
    event.ability = dart; // instant: the floor for uses
    (void)kn_proc_explain(s.a.world, &event, (kn_tags){0}, &line, 1);
    expect_near(line.chance, 3.0f * 1.5f / 60.0f);
    // The rate doubles first, then the chance is raised.
    kn_effect_id hasted = arena_apply(&s.a, haste, s.a.hero, s.a.hero);
    (void)kn_proc_explain(s.a.world, &event, (kn_tags){0}, &line, 1);
    expect_near(line.chance, 6.0f * 1.5f / 60.0f + 0.05f);
    expect_ok(kn_effect_remove(s.a.world, hasted, 0, KN_REMOVED_BY_CALL));
    // 3 a minute: one in 20 s is expected. After 40 s the factor is 1 + (2 - 1.5) x 3 = 2.5.
    arena_until(&s.a, 30000);
    (void)kn_proc_explain(s.a.world, &event, (kn_tags){0}, &line, 1);
    expect_near(line.chance, 0.075f);
    arena_until(&s.a, 40000);
    (void)kn_proc_explain(s.a.world, &event, (kn_tags){0}, &line, 1);
    expect_near(line.chance, 0.075f * 2.5f);
    arena_until(&s.a, 400000);
    assert_int_equal(raise(&s, &event), 1); // beyond 1 it is certain
    (void)kn_proc_explain(s.a.world, &event, (kn_tags){0}, &line, 1);
    expect_near(line.chance, 0.075f); // and begins again
    arena_end(&s.a);
}

// BEY-061
static void a_chance_scales_by_level_and_reads_attributes_of_both(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_curve_point points[] = {{1.0f, 1.0f}, {3.0f, 3.0f}};
    kn_curve_def curve = kn_curve_def_default();
    kn_curve_id by_level;
    curve.name = "ByLevel";
    curve.points = points;
    curve.point_count = 2;
    expect_ok(kn_curve_register(s.a.library, &curve, &by_level, NULL));
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.chance = kn_magnitude_by_level(0.1f, by_level);
    kn_effect_type_id type = proc_of(&s, &def, "Level", s.gain, KN_PROC_TO_BEARER);
    def.chance = kn_magnitude_attribute(s.a.power, KN_CAPTURE_FROM_TARGET, false, 0.25f);
    kn_effect_type_id other = proc_of(&s, &def, "Other", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    kn_effect_id effect;
    expect_ok(kn_effect_apply_simple(s.a.world, type, s.a.ally, s.a.hero, 3.0f, &effect));
    (void)arena_apply(&s.a, other, s.a.ally, s.a.hero);
    set_power(&s, s.a.foe, 2.0f);
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    kn_proc_line lines[2];
    assert_int_equal(kn_proc_explain(s.a.world, &event, (kn_tags){0}, lines, 2), 2);
    expect_near(lines[0].chance, 0.3f);
    expect_near(lines[1].chance, 0.5f);
    set_power(&s, s.a.foe, 0.0f);
    (void)kn_proc_explain(s.a.world, &event, (kn_tags){0}, lines, 2);
    assert_int_equal(lines[1].answer, KN_PROC_NO_CHANCE);
    arena_end(&s.a);
}

// Issue: random procs roll on streams that both sides know unless a proc says `server`.
static void procs_of_the_server_draw_from_a_stream_of_their_own(void **state)
{
    float known[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        stage s;
        stage_begin(&s);
        kn_proc_def def = kn_proc_def_default();
        def.on = KN_PROC_HIT_DONE;
        def.chance = kn_magnitude_constant(0.5f);
        kn_effect_type_id coin = proc_of(&s, &def, "Coin", s.gain, KN_PROC_TO_BEARER);
        def.server = true;
        kn_effect_type_id hidden = proc_of(&s, &def, "Hidden", s.gain, KN_PROC_TO_OTHER);
        arena_start(&s.a);
        (void)arena_apply(&s.a, coin, s.a.hero, s.a.hero);
        if (i == 1) {
            (void)arena_apply(&s.a, hidden, s.a.hero, s.a.hero);
        }
        for (uint32_t n = 0; n < 60; n++) {
            (void)hit(&s, 1.0f, NULL);
        }
        known[i] = power_of(&s, s.a.hero);
        assert_true(i == 0 || power_of(&s, s.a.foe) > 15.0f);
        arena_end(&s.a);
    }
    assert_true(known[0] == known[1]);
}

// Guards ----------------------------------------------------------------------------

// BEY-065
static void triggered_events_do_not_proc_unless_a_proc_says_so(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    kn_effect_type_id first = proc_of(&s, &def, "First", s.spark, KN_PROC_TO_OTHER);
    kn_effect_type_id plain = proc_of(&s, &def, "Plain", s.gain, KN_PROC_TO_BEARER);
    def.triggered = true;
    def.tags.required = (kn_tags){&s.spark_tag, 1};
    kn_effect_type_id chain = proc_of(&s, &def, "Chain", s.gain, KN_PROC_TO_OTHER);
    arena_start(&s.a);
    (void)arena_apply(&s.a, first, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, plain, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, chain, s.a.hero, s.a.hero);
    (void)hit(&s, 5.0f, NULL);
    expect_near(health_of(&s.a, s.a.foe), 985.0f); // First does not follow its own spark
    assert_true(power_of(&s, s.a.hero) == 2.0f);   // Plain reacts to the hit, not to the spark
    assert_true(power_of(&s, s.a.foe) == 2.0f);    // Chain to the spark
    // A spark that nobody triggered is as good as any hit.
    (void)arena_apply(&s.a, s.spark, s.a.hero, s.a.foe);
    expect_near(health_of(&s.a, s.a.foe), 965.0f);
    assert_true(power_of(&s, s.a.hero) == 3.0f);
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    kn_proc_line lines[3];
    event.flags = KN_PROC_FLAG_TRIGGERED;
    assert_int_equal(kn_proc_explain(s.a.world, &event, (kn_tags){0}, lines, 3), 3);
    assert_int_equal(lines[0].answer, KN_PROC_TRIGGERED);
    assert_int_equal(lines[2].answer, KN_PROC_TAGS);
    arena_end(&s.a);
}

// BEY-065
static void a_proc_never_follows_from_itself_and_chains_have_a_depth(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    static const char *const names[] = {"P1", "P2", "P3", "P4"};
    kn_effect_type_id types[4];
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.triggered = true;
    def.depth = 2;
    for (uint32_t i = 0; i < 4; i++) { // each reacts to what all others do
        types[i] = proc_of(&s, &def, names[i], s.spark, KN_PROC_TO_OTHER);
    }
    arena_start(&s.a);
    for (uint32_t i = 0; i < 2; i++) {
        (void)arena_apply(&s.a, types[i], s.a.hero, s.a.hero);
    }
    (void)hit(&s, 0.0f, NULL);
    // P1, below it P2; P2, below it P1.
    expect_near(health_of(&s.a, s.a.foe), 960.0f);
    expect_ok(kn_attribute_set_base(s.a.world, s.a.foe, s.a.health, 0, 1000.0f));
    for (uint32_t i = 2; i < 4; i++) {
        (void)arena_apply(&s.a, types[i], s.a.hero, s.a.hero);
    }
    (void)hit(&s, 0.0f, NULL);
    // 4 of the hit, 4 x 3 of these, 4 x 3 x 2 of those; a depth of two ends it there.
    expect_near(health_of(&s.a, s.a.foe), 1000.0f - 10.0f * (4 + 12 + 24));
    arena_end(&s.a);
}

// BEY-065
static void an_action_or_a_proc_may_raise_no_procs_at_all(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_action_def actions[2] = {kn_proc_action_def_default(), kn_proc_action_def_default()};
    actions[0].effect = s.spark;
    actions[0].to = KN_PROC_TO_OTHER;
    actions[1] = actions[0];
    actions[1].no_procs = true;
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.actions = actions;
    def.action_count = 2;
    kn_effect_type_id mixed = lasting(&s, "Mixed", 0);
    (void)proc_register(&s, &def, "Mixed");
    def.on = KN_PROC_USE_BEGINS;
    def.action_count = 1;
    def.no_procs = true;
    kn_effect_type_id quiet = lasting(&s, "Quiet", 0);
    (void)proc_register(&s, &def, "Quiet");
    def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.triggered = true;
    def.tags.required = (kn_tags){&s.spark_tag, 1};
    kn_effect_type_id eager = proc_of(&s, &def, "Eager", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    (void)arena_apply(&s.a, mixed, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, quiet, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, eager, s.a.hero, s.a.hero);
    (void)hit(&s, 1.0f, NULL);
    expect_near(health_of(&s.a, s.a.foe), 979.0f);
    assert_true(power_of(&s, s.a.hero) == 2.0f); // to the first spark only
    kn_proc_event event = event_of(&s, KN_PROC_USE_BEGINS);
    assert_int_equal(raise(&s, &event), 1);
    expect_near(health_of(&s.a, s.a.foe), 969.0f);
    assert_true(power_of(&s, s.a.hero) == 2.0f);
    // Nor do procs react to hits that say so.
    kn_hit_def silent = kn_hit_def_default();
    silent.source = s.a.hero;
    silent.target = s.a.foe;
    silent.amount = 1.0f;
    silent.flags = KN_HIT_NO_PROCS | KN_HIT_NO_OUTCOME;
    expect_ok(kn_hit_run(s.a.world, &silent, NULL));
    expect_near(health_of(&s.a, s.a.foe), 968.0f);
    arena_end(&s.a);
}

// BEY-065
static void life_and_death_are_exempt_from_the_filter_for_triggered_events(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_KILL;
    kn_effect_type_id type = proc_of(&s, &def, "Kill", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    (void)arena_apply(&s.a, type, s.a.hero, s.a.hero);
    kn_proc_event event = event_of(&s, KN_PROC_KILL);
    event.flags = KN_PROC_FLAG_TRIGGERED;
    assert_int_equal(raise(&s, &event), 1);
    event.flags = KN_PROC_FLAG_NO_PROCS;
    assert_int_equal(answer_of(&s, &event, (kn_tags){0}), KN_PROC_SUPPRESSED);
    arena_end(&s.a);
}

// BEY-060, BEY-065: of a hit, and without one.
static void kills_and_deaths_proc_before_what_ends_with_life(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_KILL;
    kn_effect_type_id killer = proc_of(&s, &def, "Killer", s.gain, KN_PROC_TO_BEARER);
    def.on = KN_PROC_DEATH;
    kn_effect_type_id last = proc_of(&s, &def, "LastWill", s.gain, KN_PROC_TO_OTHER);
    kn_buff_def buff = kn_buff_def_default(); // ends with life
    buff.name = "LastWill";
    expect_ok(kn_buff_register(s.a.library, &buff, NULL, NULL));
    buff.name = "Scar";
    buff.removed_on_death = false;
    kn_effect_type_id scar = lasting(&s, "Scar", 0);
    expect_ok(kn_buff_register(s.a.library, &buff, NULL, NULL));
    arena_start(&s.a);
    (void)arena_apply(&s.a, killer, s.a.hero, s.a.hero);
    kn_effect_id will = arena_apply(&s.a, last, s.a.foe, s.a.foe);
    kn_effect_id kept = arena_apply(&s.a, scar, s.a.foe, s.a.foe);
    (void)hit(&s, 5000.0f, NULL);
    assert_true(power_of(&s, s.a.hero) == 3.0f); // its kill, and the last will
    assert_false(kn_effect_is_alive(s.a.world, will));
    assert_true(kn_effect_is_alive(s.a.world, kept));
    expect_ok(kn_world_step(s.a.world, 0));
    kn_events events = kn_world_events(s.a.world);
    bool is_death = false; // BUFF-020, BUFF-026
    for (uint32_t i = 0; i < events.count; i++) {
        is_death |= events.data[i].type == KN_EVENT_EFFECT_REMOVED &&
                    events.data[i].data.effect.reason == KN_REMOVED_TARGET_DIED;
    }
    assert_true(is_death);
    will = arena_apply(&s.a, last, s.a.ally, s.a.ally);
    expect_ok(kn_combat_kill(s.a.world, s.a.ally, s.a.hero));
    assert_true(power_of(&s, s.a.hero) == 5.0f);
    assert_false(kn_effect_is_alive(s.a.world, will));
    arena_end(&s.a);
}

// BEY-060
static void uses_interrupts_and_dispels_proc_on_both_sides(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    static const struct {
        const char *name;
        uint32_t on;
    } rows[] = {
        {"Begins", KN_PROC_USE_BEGINS},
        {"Ends", KN_PROC_USE_ENDS},
        {"Kicks", KN_PROC_INTERRUPT_DONE},
        {"Kicked", KN_PROC_INTERRUPT_TAKEN},
        {"Cleanses", KN_PROC_DISPEL_DONE},
        {"Cleansed", KN_PROC_DISPEL_TAKEN},
    };
    kn_effect_type_id types[6];
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Bolt";
    ability.tags = (kn_tags){&s.a.fire, 1};
    kn_ability_type_id bolt = arena_ability(&s.a, &ability);
    kn_cast_def cast = kn_cast_def_default();
    kn_cast_id cast_id;
    kn_error error = {0};
    cast.name = "Bolt";
    cast.length = kn_magnitude_constant(2.0f);
    expect_ok(kn_cast_register(s.a.library, &cast, &cast_id, &error));
    for (uint32_t i = 0; i < 6; i++) {
        kn_proc_def def = kn_proc_def_default();
        def.on = rows[i].on;
        def.tags.required = (kn_tags){&s.a.fire, i < 4 ? 1 : 0}; // those of the ability
        types[i] = proc_of(&s, &def, rows[i].name, s.gain, KN_PROC_TO_BEARER);
    }
    kn_effect_type_id hex = lasting(&s, "Hex", 0);
    kn_buff_def buff = kn_buff_def_default();
    buff.name = "Hex";
    buff.polarity = KN_POLARITY_DEBUFF;
    expect_ok(kn_buff_register(s.a.library, &buff, NULL, NULL));
    kn_dispel_def dispel = kn_dispel_def_default();
    kn_dispel_id cleanse;
    dispel.name = "Cleanse";
    expect_ok(kn_dispel_register(s.a.library, &dispel, &cleanse, NULL));
    arena_start(&s.a);
    kn_ability_id own = arena_grant(&s.a, s.a.hero, bolt);
    kn_effect_id effects[6];
    effects[0] = arena_apply(&s.a, types[0], s.a.hero, s.a.hero);
    effects[1] = arena_apply(&s.a, types[1], s.a.hero, s.a.hero);
    expect_ok(kn_ability_activate(s.a.world, own, NULL, NULL));
    assert_true(power_of(&s, s.a.hero) == 2.0f); // begins
    arena_until(&s.a, 2000);
    assert_true(power_of(&s, s.a.hero) == 3.0f); // ends
    (void)kn_effect_remove(s.a.world, effects[0], 0, KN_REMOVED_BY_CALL);
    (void)arena_apply(&s.a, types[2], s.a.foe, s.a.foe);
    (void)arena_apply(&s.a, types[3], s.a.hero, s.a.hero);
    expect_ok(kn_ability_activate(s.a.world, own, NULL, NULL));
    kn_interrupt_def interrupt = kn_interrupt_def_default();
    kn_interrupt_result interrupted;
    interrupt.target = s.a.hero;
    interrupt.instigator = s.a.foe;
    expect_ok(kn_cast_interrupt(s.a.world, &interrupt, &interrupted));
    assert_true(power_of(&s, s.a.foe) == 2.0f);
    assert_true(power_of(&s, s.a.hero) == 4.0f); // kicked, and not used to its end
    (void)arena_apply(&s.a, types[4], s.a.ally, s.a.ally);
    (void)arena_apply(&s.a, types[5], s.a.lord, s.a.lord);
    expect_ok(kn_dispel(s.a.world, cleanse, s.a.ally, s.a.lord, NULL)); // nothing to remove
    assert_true(power_of(&s, s.a.ally) == 1.0f && power_of(&s, s.a.lord) == 1.0f);
    (void)arena_apply(&s.a, hex, s.a.foe, s.a.lord);
    expect_ok(kn_dispel(s.a.world, cleanse, s.a.ally, s.a.lord, NULL));
    assert_true(power_of(&s, s.a.ally) == 2.0f && power_of(&s, s.a.lord) == 2.0f);
    arena_end(&s.a);
}

// BEY-060
static void a_proc_may_want_critical_hits_only(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_tag critical = kn_tag_find(s.a.library, "Knack.Outcome.Critical");
    kn_outcome_def outcome = kn_outcome_def_default();
    outcome.name = "Critical";
    outcome.factor = kn_magnitude_constant(2.0f);
    expect_ok(kn_outcome_register(s.a.library, &outcome, NULL, NULL));
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.outcomes = (kn_tags){&critical, 1};
    kn_effect_type_id streak = proc_of(&s, &def, "Streak", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    (void)arena_apply(&s.a, streak, s.a.hero, s.a.hero);
    (void)hit(&s, 5.0f, NULL);
    assert_true(power_of(&s, s.a.hero) == 1.0f);
    kn_hit_def sure = kn_hit_def_default();
    sure.source = s.a.hero;
    sure.target = s.a.foe;
    sure.amount = 5.0f;
    sure.outcome = critical;
    expect_ok(kn_hit_run(s.a.world, &sure, NULL));
    assert_true(power_of(&s, s.a.hero) == 2.0f);
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    event.outcome = kn_tag_find(s.a.library, "Knack.Outcome.Blocked");
    event.outcomes[0] = critical; // among others
    assert_int_equal(raise(&s, &event), 1);
    arena_end(&s.a);
}

// Two abilities that activate each other by procs: the world cuts the chain with a message.
static void loops_that_no_guard_catches_end_in_a_message(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_tag ping = arena_tag(&s.a, "Knack.Proc.Ping");
    kn_raise_def raises = kn_raise_def_default();
    raises.tag = ping;
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Ping";
    effect.raises = &raises;
    effect.raise_count = 1;
    kn_effect_type_id pinged = arena_effect(&s.a, &effect);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_EVENT;
    def.triggered = true;
    kn_effect_type_id type = proc_of(&s, &def, "Pong", pinged, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    (void)arena_apply(&s.a, type, s.a.hero, s.a.hero);
    (void)arena_apply(&s.a, pinged, s.a.hero, s.a.hero); // returns
    expect_ok(kn_world_step(s.a.world, 0));
    uint32_t count;
    (void)arena_event(&s.a, "Knack.Proc", &count);
    assert_int_equal(count, 1); // the event it raises follows from itself
    arena_end(&s.a);
}

// Phases ----------------------------------------------------------------------------

// BEY-066
static void a_buff_that_a_use_brings_is_not_used_up_by_the_same_use(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_effect_type_id focus = lasting(&s, "Focus", 0);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE | KN_PROC_USE_ENDS;
    def.charges = kn_magnitude_constant(1.0f);
    (void)proc_register(&s, &def, "Focus");
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    apply.effect = focus;
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Channel";
    ability.body = KN_BODY_STAY;
    ability.applies = &apply;
    ability.apply_count = 1;
    ability.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id type = arena_ability(&s.a, &ability);
    arena_start(&s.a);
    kn_ability_id own = arena_grant(&s.a, s.a.hero, type);
    kn_activation_id first, second;
    expect_ok(kn_ability_activate(s.a.world, own, NULL, &first));
    kn_proc_line line;
    assert_true(kn_proc_get(s.a.world, s.a.hero, (kn_proc_id){1}, &line));
    kn_proc_event event = event_of(&s, KN_PROC_USE_ENDS);
    event.ability = type;
    event.activation = first;
    assert_int_equal(raise(&s, &event), 0);
    assert_int_equal(answer_of(&s, &event, (kn_tags){0}), KN_PROC_SAME_USE);
    event.on = KN_PROC_HIT_DONE; // a hit names its ability only
    event.activation = (kn_activation_id){0};
    assert_int_equal(raise(&s, &event), 0);
    event.ability = (kn_ability_type_id){0};
    assert_int_equal(answer_of(&s, &event, (kn_tags){0}), KN_PROC_MAY_ACT);
    // The next use of the same ability is another use.
    expect_ok(kn_activation_end(s.a.world, first));
    arena_until(&s.a, 1000);
    expect_ok(kn_ability_activate(s.a.world, own, NULL, &second));
    event.on = KN_PROC_USE_ENDS;
    event.ability = type;
    event.activation = second;
    assert_int_equal(raise(&s, &event), 1);
    assert_false(kn_effect_is_alive(s.a.world, line.effect));
    arena_end(&s.a);
}

// Explaining ------------------------------------------------------------------------

static void expect_text(
    const stage *s, uint32_t proc, const kn_proc_event *event, kn_tags tags, const char *text)
{
    char line[160];
    uint32_t length =
        kn_proc_explain_print(s->a.world, (kn_proc_id){proc}, event, tags, line, sizeof(line));
    assert_string_equal(line, text);
    assert_int_equal(length, strlen(text));
}

static void a_proc_says_why_it_does_not_act(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_condition_id strong;
    expect_ok(kn_condition_register_expression(
        s.a.library, "Strong", "event.magnitude > 50", &strong, NULL));
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Bolt";
    ability.body = KN_BODY_USE;
    kn_ability_type_id bolt = arena_ability(&s.a, &ability);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.tags.required = (kn_tags){&s.a.fire, 1};
    def.abilities = &bolt;
    def.ability_count = 1;
    def.no_periodic = true;
    def.condition = strong;
    def.chance = kn_magnitude_constant(0.2f);
    def.cooldown = kn_magnitude_constant(3.25f);
    kn_effect_type_id type = proc_of(&s, &def, "Picky", s.gain, KN_PROC_TO_BEARER);
    arena_start(&s.a);
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    kn_tags tags = {&s.a.fire, 1};
    expect_text(&s, 1, &event, tags, "Picky: is not there: nothing brings it along");
    expect_text(&s, 7, &event, tags, "not a proc");
    (void)arena_apply(&s.a, type, s.a.hero, s.a.hero);
    event.on = KN_PROC_HIT_TAKEN;
    expect_text(&s, 1, &event, tags, "Picky: does not react to this");
    event.on = KN_PROC_HIT_DONE;
    expect_text(
        &s, 1, &event, (kn_tags){0}, "Picky: the tags of the event do not meet its requirement");
    expect_text(&s, 1, &event, tags, "Picky: does not react to this ability");
    event.ability = bolt;
    event.flags = KN_PROC_FLAG_PERIODIC;
    expect_text(&s, 1, &event, tags, "Picky: does not react to ticks");
    event.flags = KN_PROC_FLAG_TRIGGERED;
    expect_text(&s, 1, &event, tags, "Picky: the event follows from another proc");
    event.flags = 0;
    expect_text(&s, 1, &event, tags, "Picky: its condition does not hold");
    event.magnitude = 51.0f;
    uint64_t hash = kn_world_hash(s.a.world);
    expect_text(&s, 1, &event, tags, "Picky: acts with a chance of 20 %");
    assert_true(kn_world_hash(s.a.world) == hash);
    uint32_t acted = 0;
    for (uint32_t i = 0; i < 200 && acted == 0; i++) {
        expect_ok(kn_proc_run(s.a.world, &event, tags, &acted));
    }
    expect_text(&s, 1, &event, tags, "Picky: on cooldown for 3.3 s");
    arena_end(&s.a);
}

static void an_inhibited_effect_brings_nothing_along(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_tag wet = arena_tag(&s.a, "State.Wet");
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Fuse";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.ongoing.target.ignored = (kn_tags){&wet, 1};
    kn_effect_type_id fuse = arena_effect(&s.a, &effect);
    kn_proc_action_def action = kn_proc_action_def_default();
    kn_proc_def def = kn_proc_def_default();
    action.effect = s.gain;
    def.on = KN_PROC_HIT_DONE;
    def.actions = &action;
    def.action_count = 1;
    (void)proc_register(&s, &def, "Fuse");
    arena_start(&s.a);
    (void)arena_apply(&s.a, fuse, s.a.hero, s.a.hero);
    expect_ok(kn_entity_add_tag(s.a.world, s.a.hero, wet, KN_TAG_ORIGIN_LOOSE, 1));
    (void)hit(&s, 1.0f, NULL);
    assert_true(power_of(&s, s.a.hero) == 1.0f);
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    assert_int_equal(answer_of(&s, &event, (kn_tags){0}), KN_PROC_INHIBITED);
    arena_end(&s.a);
}

// Hooks -----------------------------------------------------------------------------

static kn_result count_call(void *user, const kn_hook_call *call)
{
    const kn_proc_event *event = call->arguments;
    float *sum = user;
    assert_true(event->on == KN_PROC_HIT_DONE && call->writable != NULL);
    *sum += event->magnitude;
    return event->magnitude > 10.0f ? KN_OK : KN_REFUSED_CUSTOM;
}

static void a_function_may_act_and_say_that_it_did_nothing(void **state)
{
    stage s;
    float sum = 0.0f;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE;
    def.acts = (kn_hook){count_call, &sum};
    def.charges = kn_magnitude_constant(1.0f);
    kn_effect_type_id type = lasting(&s, "Hook", 0);
    (void)proc_register(&s, &def, "Hook");
    arena_start(&s.a);
    kn_effect_id effect = arena_apply(&s.a, type, s.a.hero, s.a.hero);
    (void)hit(&s, 5.0f, NULL);
    assert_true(sum == 5.0f && kn_effect_is_alive(s.a.world, effect));
    (void)hit(&s, 20.0f, NULL);
    assert_true(sum == 25.0f && !kn_effect_is_alive(s.a.world, effect));
    arena_end(&s.a);
}

// Copies ----------------------------------------------------------------------------

static void play_hits(arena *a)
{
    for (uint32_t i = 0; i < 15; i++) {
        kn_hit_def def = kn_hit_def_default();
        def.source = a->hero;
        def.target = a->foe;
        def.amount = 1.0f;
        expect_ok(kn_hit_run(a->world, &def, NULL));
        expect_ok(kn_world_step(a->world, KN_MS(400)));
    }
}

static void luck_cooldowns_and_charges_are_kept_by_saves_and_snapshots(void **state)
{
    static const char *const names[] = {"Plain", "Accumulating", "Deck", "BadLuck"};
    stage s;
    (void)state;
    stage_begin(&s);
    kn_effect_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        kn_proc_def def = kn_proc_def_default();
        def.on = KN_PROC_HIT_DONE;
        def.chance = kn_magnitude_constant(0.3f);
        def.per_minute = kn_magnitude_constant(i == 3 ? 8.0f : 0.0f);
        def.random = (kn_proc_random)i;
        def.cooldown = kn_magnitude_constant(1.0f);
        def.cooldown_per_bearer = i == 1;
        def.charges = kn_magnitude_constant(i == 2 ? 3.0f : 0.0f);
        def.server = i == 0;
        types[i] = proc_of(&s, &def, names[i], s.gain, KN_PROC_TO_BEARER);
    }
    arena_start(&s.a);
    for (uint32_t i = 0; i < 4; i++) {
        (void)arena_apply(&s.a, types[i], s.a.hero, s.a.hero);
    }
    play_hits(&s.a);
    expect_copies_go_on(&s.a, play_hits);
    arena_end(&s.a);
}

// Memory ----------------------------------------------------------------------------

// Memory that runs out: a block that grows is refused once `allowed` of them were not.
typedef struct limited {
    uint32_t allowed, asked;
    size_t held;
} limited;

static void *limited_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    limited *own = user;
    if (new_size > old_size && own->asked++ >= own->allowed) {
        return NULL;
    }
    own->held += new_size;
    own->held -= old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

static void ignore_log(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

// Pools, procs, dispels and auras at once; whatever is refused is passed over.
static void play_everything(kn_world *world, const kn_library *library)
{
    kn_entity_id who[3] = {{0}};
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < 3; i++) {
        result = kn_entity_create(world, &who[i]);
        result = kn_attribute_set_add(world, who[i], kn_attribute_set_find(library, "Vitals"), 0);
        result = kn_attribute_set_add(world, who[i], kn_attribute_set_find(library, "Hit"), 0);
    }
    static const char *const names[] = {"Shield", "Surge", "Light", "Surge", "Shield"};
    for (uint32_t i = 0; i < 5; i++) {
        (void)kn_effect_apply_simple(
            world, kn_effect_type_find(library, names[i]), who[0], who[1], 1.0f, NULL);
    }
    (void)kn_aura_set_member(world, who[1], (kn_aura_id){1}, who[2], true);
    for (uint32_t i = 0; i < 4; i++) {
        kn_hit_def def = kn_hit_def_default();
        def.source = who[1];
        def.target = who[1];
        def.amount = 15.0f;
        (void)kn_hit_run(world, &def, NULL);
        (void)kn_dispel(world, (kn_dispel_id){1}, who[0], who[1], NULL);
        result = kn_world_step(world, KN_MS(400));
    }
    (void)kn_aura_set_member(world, who[1], (kn_aura_id){1}, who[2], false);
    result = kn_world_step(world, KN_S(1));
    (void)result;
}

static void memory_that_runs_out_breaks_nothing_else(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_proc_def def = kn_proc_def_default();
    def.on = KN_PROC_HIT_DONE | KN_PROC_HIT_TAKEN;
    def.cooldown = kn_magnitude_constant(0.5f);
    def.cooldown_per_bearer = true;
    (void)proc_of(&s, &def, "Surge", s.gain, KN_PROC_TO_BEARER);
    kn_buff_def buff = kn_buff_def_default();
    buff.name = "Shield";
    buff.absorb.amount = kn_magnitude_constant(20.0f);
    (void)lasting(&s, "Shield", 0);
    expect_ok(kn_buff_register(s.a.library, &buff, NULL, NULL));
    kn_aura_def aura = kn_aura_def_default();
    aura.name = "Light";
    aura.linger = 0.5f;
    (void)lasting(&s, "Light", 0);
    aura.effect = lasting(&s, "Lit", 0);
    expect_ok(kn_aura_register(s.a.library, &aura, NULL, NULL));
    kn_dispel_def dispel = kn_dispel_def_default();
    dispel.name = "Any";
    dispel.polarity = KN_POLARITY_BITS;
    expect_ok(kn_dispel_register(s.a.library, &dispel, NULL, NULL));
    expect_ok(kn_library_finish(s.a.library, NULL));
    bool is_whole = false;
    for (uint32_t allowed = 0; !is_whole; allowed++) {
        limited own = {.allowed = allowed};
        kn_world_def world_def = kn_world_def_default();
        kn_world *world;
        world_def.library = s.a.library;
        world_def.hooks.realloc_fn = limited_realloc;
        world_def.hooks.realloc_user = &own;
        world_def.hooks.log_fn = ignore_log;
        if (kn_world_create(&world_def, &world) == KN_OK) {
            play_everything(world, s.a.library);
            is_whole = own.asked <= allowed;
            kn_world_destroy(world);
        }
        assert_int_equal(own.held, 0);
    }
    kn_library_destroy(s.a.library);
}

// Bad input -------------------------------------------------------------------------

static void expect_bad(stage *s, kn_proc_def *def, const char *words)
{
    kn_error error = {0};
    def->name = "Bad";
    assert_int_equal(kn_proc_register(s->a.library, def, NULL, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("%s", error.message);
    }
}

static kn_proc_def sound(const stage *s, kn_proc_action_def *action)
{
    kn_proc_def def = kn_proc_def_default();
    *action = kn_proc_action_def_default();
    action->effect = s->gain;
    def.on = KN_PROC_HIT_DONE;
    def.actions = action;
    def.action_count = 1;
    return def;
}

static void bad_procs_are_refused_with_a_remedy(void **state)
{
    stage s;
    kn_error error = {0};
    (void)state;
    stage_begin(&s);
    kn_proc_action_def action;
    kn_proc_def def = sound(&s, &action);
    def.on = 0;
    expect_bad(&s, &def, "on: hit_done");
    def.on = 1u << 20;
    expect_bad(&s, &def, "on: hit_done");
    def = sound(&s, &action);
    def.action_count = 0;
    expect_bad(&s, &def, "does nothing");
    def = sound(&s, &action);
    action.event = s.a.fire;
    expect_bad(&s, &def, "action 1 needs one of");
    def = sound(&s, &action);
    action.to = KN_PROC_TO_TARGETING;
    expect_bad(&s, &def, "targeting");
    def = sound(&s, &action);
    def.random = KN_PROC_BAD_LUCK;
    expect_bad(&s, &def, "per_minute:");
    def = sound(&s, &action);
    def.deck = 1;
    expect_bad(&s, &def, "2 to 1000");
    def = sound(&s, &action);
    def.interval_floor = -1.0f;
    expect_bad(&s, &def, "at least 0");
    def = sound(&s, &action);
    def.uses_stacks = true;
    def.charges = kn_magnitude_constant(2.0f);
    expect_bad(&s, &def, "leave out one");
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Talent";
    def = sound(&s, &action);
    def.ability = arena_ability(&s.a, &ability);
    def.uses_stacks = true;
    expect_bad(&s, &def, "abilities have none");
    def.uses_stacks = false;
    def.effect = s.gain;
    expect_bad(&s, &def, "both an effect and an ability");
    assert_int_equal(kn_proc_register(s.a.library, NULL, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    def = sound(&s, &action);
    def.effect = s.gain; // instant
    (void)proc_register(&s, &def, "Instant");
    assert_int_equal(kn_library_finish(s.a.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "give that a duration"));
    kn_library_destroy(s.a.library);
    stage_begin(&s);
    def = sound(&s, &action);
    (void)proc_register(&s, &def, "Nowhere");
    assert_int_equal(kn_library_finish(s.a.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "nothing brings proc `Nowhere` along"));
    kn_library_destroy(s.a.library);
}

static void bad_events_are_refused(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    arena_start(&s.a);
    kn_proc_event event = event_of(&s, KN_PROC_HIT_DONE);
    uint32_t acted = 9;
    event.magnitude = NAN;
    assert_int_equal(kn_proc_run(s.a.world, &event, (kn_tags){0}, &acted), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(acted, 0);
    event.magnitude = 0.0f;
    event.interval = INFINITY;
    assert_int_equal(kn_proc_run(s.a.world, &event, (kn_tags){0}, NULL), KN_REFUSED_BAD_NUMBER);
    event = event_of(&s, 0);
    assert_int_equal(kn_proc_run(s.a.world, &event, (kn_tags){0}, NULL), KN_ERROR_INVALID_ARGUMENT);
    event.on = KN_PROC_KILL | KN_PROC_DEATH;
    assert_int_equal(kn_proc_run(s.a.world, &event, (kn_tags){0}, NULL), KN_ERROR_INVALID_ARGUMENT);
    event = event_of(&s, KN_PROC_KILL);
    event.cookie = 0;
    assert_int_equal(kn_proc_run(s.a.world, &event, (kn_tags){0}, NULL), KN_ERROR_INVALID_ARGUMENT);
    event = event_of(&s, KN_PROC_KILL);
    expect_ok(kn_proc_run(s.a.world, &event, (kn_tags){0}, NULL)); // has no procs
    assert_true(kn_entity_destroy(s.a.world, s.a.hero));
    assert_int_equal(kn_proc_run(s.a.world, &event, (kn_tags){0}, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_proc_explain(s.a.world, &event, (kn_tags){0}, NULL, 0), 0);
    kn_proc_line line;
    assert_false(kn_proc_get(s.a.world, s.a.hero, (kn_proc_id){1}, &line));
    assert_null(kn_proc_get_def(s.a.library, (kn_proc_id){1}));
    arena_end(&s.a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_proc_acts_while_its_bearer_has_the_effect),
    cmocka_unit_test(outcomes_count_differently_for_those_who_deal_and_take),
    cmocka_unit_test(actions_are_for_those_that_they_name),
    cmocka_unit_test(an_event_or_a_call_of_the_game_lets_procs_react),
    cmocka_unit_test(an_ability_brings_a_proc_along_while_it_is_granted),
    cmocka_unit_test(a_cooldown_ends_at_its_very_end),
    cmocka_unit_test(a_cooldown_belongs_to_the_instance_or_to_the_bearer),
    cmocka_unit_test(only_the_roll_draws_a_number),
    cmocka_unit_test(the_last_charge_ends_the_effect_after_its_action),
    cmocka_unit_test(an_action_that_did_nothing_uses_up_nothing),
    cmocka_unit_test(stacks_are_used_up_one_by_one_even_inside_operations),
    cmocka_unit_test(procs_of_one_effect_share_its_stacks_inside_operations_too),
    cmocka_unit_test(a_proc_that_ends_its_own_effect_has_no_charges_left),
    cmocka_unit_test(charges_are_never_lost_or_invented),
    cmocka_unit_test(accumulating_chances_keep_the_average_and_avoid_long_rows),
    cmocka_unit_test(a_deck_is_exact_after_each_round),
    cmocka_unit_test(a_rate_follows_the_time_of_the_action_and_bad_luck_is_limited),
    cmocka_unit_test(a_chance_scales_by_level_and_reads_attributes_of_both),
    cmocka_unit_test(procs_of_the_server_draw_from_a_stream_of_their_own),
    cmocka_unit_test(triggered_events_do_not_proc_unless_a_proc_says_so),
    cmocka_unit_test(a_proc_never_follows_from_itself_and_chains_have_a_depth),
    cmocka_unit_test(an_action_or_a_proc_may_raise_no_procs_at_all),
    cmocka_unit_test(life_and_death_are_exempt_from_the_filter_for_triggered_events),
    cmocka_unit_test(kills_and_deaths_proc_before_what_ends_with_life),
    cmocka_unit_test(uses_interrupts_and_dispels_proc_on_both_sides),
    cmocka_unit_test(a_proc_may_want_critical_hits_only),
    cmocka_unit_test(loops_that_no_guard_catches_end_in_a_message),
    cmocka_unit_test(a_buff_that_a_use_brings_is_not_used_up_by_the_same_use),
    cmocka_unit_test(a_proc_says_why_it_does_not_act),
    cmocka_unit_test(an_inhibited_effect_brings_nothing_along),
    cmocka_unit_test(a_function_may_act_and_say_that_it_did_nothing),
    cmocka_unit_test(luck_cooldowns_and_charges_are_kept_by_saves_and_snapshots),
    cmocka_unit_test(memory_that_runs_out_breaks_nothing_else),
    cmocka_unit_test(bad_procs_are_refused_with_a_remedy),
    cmocka_unit_test(bad_events_are_refused),
};

TEST_GROUP(combat_procs, tests, NULL, NULL);
