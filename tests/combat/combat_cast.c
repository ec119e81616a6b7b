// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Casts, channels and held casts in a world that is alone: schedules, payment, what ends them, and
// what everybody sees of them.

#include "cast_test.h"

// Hooks that write down what they are called with.
static void note(stage *s, const char *format, ...)
{
    size_t used = strlen(s->log);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(s->log + used, sizeof(s->log) - used, format, arguments);
    va_end(arguments);
}

static kn_result note_call(stage *s, const char *what, const kn_hook_call *call)
{
    const kn_cast_call *args = call->arguments;
    note(s, "%s %u/%u@%d ", what, args->tick, args->ticks,
        (int)(kn_world_now(call->world) / KN_MS(1)));
    assert_true(kn_entity_id_equal(call->entity, s->a.hero));
    assert_true(kn_entity_id_equal(args->target, s->a.foe));
    assert_int_equal(args->role, KN_ROLE_AUTHORITY);
    return KN_OK;
}

#define NOTE_HOOK(name)                                                                            \
    static kn_result note_##name(void *user, const kn_hook_call *call)                             \
    {                                                                                              \
        return note_call(user, #name, call);                                                       \
    }
NOTE_HOOK(began)
NOTE_HOOK(tick)
NOTE_HOOK(completed)
NOTE_HOOK(cancelled)
NOTE_HOOK(interrupted)
NOTE_HOOK(rejected)

static void hooks_set(stage *s, kn_cast_def *def)
{
    def->began = (kn_hook){note_began, s};
    def->tick = (kn_hook){note_tick, s};
    def->completed = (kn_hook){note_completed, s};
    def->cancelled = (kn_hook){note_cancelled, s};
    def->interrupted = (kn_hook){note_interrupted, s};
    def->rejected = (kn_hook){note_rejected, s};
}

#define EXPECT_LOG(s, expected)                                                                    \
    do {                                                                                           \
        assert_string_equal((s)->log, expected);                                                   \
        (s)->log[0] = 0;                                                                           \
    } while (0)

// A channel of the hero with hooks.
static kn_ability_id channel_start(stage *s, float seconds, uint32_t ticks, bool initial_tick)
{
    kn_ability_def ability = plain_ability("Channel");
    kn_cast_def cast = stage_cast(s, "Channel", seconds);
    cast.kind = KN_CAST_CHANNEL;
    cast.ticks = ticks;
    cast.initial_tick = initial_tick;
    hooks_set(s, &cast);
    kn_ability_type_id type = stage_add(s, &ability, &cast);
    arena_start(&s->a);
    return arena_grant(&s->a, s->a.hero, type);
}

// Schedules ---------------------------------------------------------------------

// CAST-001, CAST-004, CAST-006, CAST-007, CAST-008
static void a_cast_takes_its_time_and_applies_at_its_end(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_type_id type = stage_plain(&s, "Fireball", 2.5f);
    arena_start(&s.a);
    kn_ability_id ability = arena_grant(&s.a, s.a.hero, type);
    arena_until(&s.a, 100);
    expect_ok(use(&s, ability));
    kn_cast_info info = info_of(&s.a, s.a.hero);
    assert_int_equal(info.ability.index1, type.index1);
    assert_int_equal(info.cast.index1, kn_cast_find(s.a.library, "Fireball").index1);
    assert_int_equal(info.kind, KN_CAST_PLAIN);
    assert_int_equal(info.start, KN_MS(100));
    assert_int_equal(info.end, KN_MS(2600));
    assert_int_equal(info.total, KN_MS(2500));
    assert_int_equal(info.next, KN_MS(2600));
    assert_int_equal(info.tick, 0);
    assert_int_equal(info.ticks, 1);
    assert_int_equal(info.stages, 0);
    assert_true(info.is_interruptible && info.pushed == 0 && info.progress == 0.0f);
    kn_cast_info same;
    assert_true(kn_cast_get_activation(s.a.world, info.activation, &same));
    assert_memory_equal(&same, &info, sizeof(info));
    assert_false(is_casting(&s.a, s.a.foe));
    arena_until(&s.a, 1350);
    const kn_cast_started *started = last_event(&s.a, "Knack.CastStarted", s.a.hero);
    assert_true(kn_activation_id_equal(started->activation, info.activation));
    assert_int_equal(started->length, KN_MS(2500));
    assert_int_equal(started->ability.index1, type.index1);
    assert_int_equal(started->cast.index1, info.cast.index1);
    assert_int_equal(started->kind, KN_CAST_PLAIN);
    assert_int_equal(started->ticks, 1);
    expect_near(info_of(&s.a, s.a.hero).progress, 0.5f);
    arena_until(&s.a, 2599);
    assert_true(health_of(&s.a, s.a.foe) == 1000.0f);
    arena_until(&s.a, 2600);
    assert_true(health_of(&s.a, s.a.foe) == 990.0f);
    assert_true(health_of(&s.a, s.a.ally) == 1000.0f);
    assert_false(is_casting(&s.a, s.a.hero));
    assert_false(kn_cast_get_activation(s.a.world, info.activation, &same));
    assert_false(kn_ability_is_active(s.a.world, ability));
    const kn_cast_ticked *ticked = last_event(&s.a, "Knack.CastTick", s.a.hero);
    assert_true(ticked->tick == 1 && ticked->ticks == 1 && ticked->late == 0);
    assert_true(ticked->stage == 0 && ticked->cast.index1 == info.cast.index1);
    assert_int_equal(ticked->ability.index1, type.index1);
    const kn_cast_ended *ended = last_event(&s.a, "Knack.CastEnded", s.a.hero);
    assert_true(kn_activation_id_equal(ended->activation, info.activation));
    assert_int_equal(ended->outcome, KN_CAST_DONE);
    assert_true(ended->tick == 1 && ended->left == 0 && ended->start == KN_MS(100));
    assert_true(ended->instigator.index1 == 0 && ended->tag.index1 == 0 && ended->reasons == 0);
    assert_true(ended->ability.index1 == type.index1 && ended->cast.index1 == info.cast.index1);
    arena_end(&s.a);
}

// CAST-002, CAST-003, CAST-004, SAIV-075: the times of the server, which are those of the
// simulation; a client runs the same ticks at the same simulated times.
static void a_channel_ticks_evenly_with_or_without_an_initial_tick(void **state)
{
    (void)state;
    for (int initial = 0; initial < 2; initial++) {
        stage s;
        stage_begin(&s);
        kn_ability_id ability = channel_start(&s, 3.0f, 3, initial == 1);
        arena_until(&s.a, 100);
        expect_ok(use(&s, ability));
        EXPECT_LOG(&s, initial == 1 ? "began 0/3@100 tick 0/3@100 " : "began 0/3@100 ");
        assert_int_equal(info_of(&s.a, s.a.hero).next, KN_MS(1100));
        arena_until(&s.a, 2500);
        assert_int_equal(info_of(&s.a, s.a.hero).tick, 2);
        assert_int_equal(info_of(&s.a, s.a.hero).next, KN_MS(3100));
        arena_until(&s.a, 4000); // one step over the last tick
        EXPECT_LOG(&s, "tick 1/3@1100 tick 2/3@2100 tick 3/3@3100 completed 3/3@3100 ");
        assert_true(health_of(&s.a, s.a.foe) == (initial == 1 ? 960.0f : 970.0f));
        arena_end(&s.a);
    }
}

// CAST-004, CAST-025: 1 s in 7 parts; no step length and no rounding moves a tick.
static void ticks_have_exact_times_whatever_the_steps(void **state)
{
    (void)state;
    static const kn_time steps[] = {KN_MS(2000), KN_MS(16), 333};
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        stage s;
        stage_begin(&s);
        kn_ability_id ability = channel_start(&s, 1.0f, 7, false);
        expect_ok(use(&s, ability));
        kn_time last = 0;
        uint32_t ticks = 0;
        while (kn_world_now(s.a.world) < KN_MS(2000)) {
            kn_time left = KN_MS(2000) - kn_world_now(s.a.world);
            expect_ok(kn_world_step(s.a.world, steps[i] < left ? steps[i] : left));
            kn_events events = kn_world_events(s.a.world);
            kn_custom_event_id kind = event_kind(&s.a, "Knack.CastTick");
            for (uint32_t k = 0; k < events.count; k++) {
                if (events.data[k].type == KN_EVENT_CUSTOM &&
                    events.data[k].data.custom.kind.index1 == kind.index1) {
                    ticks++;
                    last = events.data[k].time;
                    assert_int_equal(last, (kn_time)(1000000 * (int64_t)ticks / 7));
                }
            }
        }
        assert_int_equal(ticks, 7);
        assert_int_equal(last, KN_MS(1000));
        hashes[i] = kn_world_hash(s.a.world);
        arena_end(&s.a);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

// CAST-001, CAST-003: tick 0 alone.
static void an_instant_one_has_tick_0_alone(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_def ability = plain_ability("Strike");
    kn_cast_def cast = stage_cast(&s, "Strike", 5.0f); // the length does not count
    cast.kind = KN_CAST_INSTANT;
    cast.completes = &s.completes;
    cast.complete_count = 1;
    hooks_set(&s, &cast);
    kn_ability_type_id type = stage_add(&s, &ability, &cast);
    arena_start(&s.a);
    kn_ability_id strike = arena_grant(&s.a, s.a.hero, type);
    expect_ok(use(&s, strike));
    EXPECT_LOG(&s, "began 0/0@0 tick 0/0@0 completed 0/0@0 ");
    assert_true(health_of(&s.a, s.a.foe) == 890.0f);
    assert_false(kn_ability_is_active(s.a.world, strike));
    arena_end(&s.a);
}

// Effects that change the length of casts.
static kn_effect_type_id haste_register(stage *s, const char *name, const char *value, float factor)
{
    kn_modifier_def modifier = kn_modifier_constant((kn_attribute_id){0}, KN_OP_MULTIPLY, factor);
    modifier.value = kn_value_find(s->a.library, value);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return arena_effect(&s->a, &def);
}

// CAST-005, CAST-009, USE-003: modifiable unless static, never below 0, fixed at the start.
static void modifiers_change_the_length_of_casts_that_begin(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_type_id type = stage_plain(&s, "Fireball", 2.0f);
    kn_ability_def fixed_ability = plain_ability("Rite");
    kn_cast_def fixed_cast = stage_cast(&s, "Rite", 2.0f);
    fixed_cast.is_static = true;
    kn_ability_type_id fixed = stage_add(&s, &fixed_ability, &fixed_cast);
    kn_effect_type_id haste = haste_register(&s, "Haste", "Knack.CastLength", 0.5f);
    kn_effect_type_id frenzy = haste_register(&s, "Frenzy", "Knack.CastLength", -1.0f);
    arena_start(&s.a);
    kn_ability_id ability = arena_grant(&s.a, s.a.hero, type);
    kn_ability_id rite = arena_grant(&s.a, s.a.hero, fixed);
    expect_ok(use(&s, ability));
    (void)arena_apply(&s.a, haste, s.a.ally, s.a.hero);
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(2000)); // it runs already
    arena_until(&s.a, 2000);
    expect_ok(use(&s, ability));
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(3000));
    arena_until(&s.a, 3000);
    expect_ok(use(&s, rite));
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(5000));
    arena_until(&s.a, 5000);
    (void)arena_apply(&s.a, frenzy, s.a.ally, s.a.hero);
    expect_ok(use(&s, ability)); // a factor below 0 counts as 0
    assert_false(is_casting(&s.a, s.a.hero));
    assert_true(health_of(&s.a, s.a.foe) == 960.0f);
    arena_end(&s.a);
}

// CAST-039, SAIV-087
static void without_length_all_ticks_run_at_once_and_there_is_no_bar(void **state)
{
    static const float lengths[] = {0.0f, -3.0f};
    (void)state;
    for (int i = 0; i < 2; i++) {
        stage s;
        stage_begin(&s);
        kn_ability_id ability = channel_start(&s, lengths[i], 3, false);
        expect_ok(use(&s, ability));
        EXPECT_LOG(&s, "began 0/3@0 tick 1/3@0 tick 2/3@0 tick 3/3@0 completed 3/3@0 ");
        assert_false(is_casting(&s.a, s.a.hero));
        assert_false(kn_ability_is_active(s.a.world, ability));
        arena_until(&s.a, 0);
        assert_int_equal(events_of(&s.a, "Knack.CastTick"), 3);
        assert_int_equal(events_of(&s.a, "Knack.CastEnded"), 1);
        arena_end(&s.a);
    }
}

// Held casts ---------------------------------------------------------------------

static kn_ability_id held_start(stage *s, float hold)
{
    kn_ability_def ability = plain_ability("Charge");
    kn_cast_def cast = stage_cast(s, "Charge", 3.0f);
    cast.kind = KN_CAST_HELD;
    cast.stages = 3;
    cast.hold = hold;
    hooks_set(s, &cast);
    kn_ability_type_id type = stage_add(s, &ability, &cast);
    arena_start(&s->a);
    return arena_grant(&s->a, s->a.hero, type);
}

static void a_held_cast_reaches_stages_and_ends_when_it_is_released(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_id ability = held_start(&s, 1.0f);
    expect_ok(use(&s, ability));
    assert_int_equal(info_of(&s.a, s.a.hero).stages, 3);
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(4000));
    arena_until(&s.a, 2200);
    assert_int_equal(info_of(&s.a, s.a.hero).stage, 2);
    assert_int_equal(info_of(&s.a, s.a.hero).next, KN_MS(3000));
    expect_ok(kn_cast_release(s.a.world, s.a.hero));
    EXPECT_LOG(&s, "began 0/1@0 tick 1/1@2200 completed 1/1@2200 ");
    arena_until(&s.a, 2300);
    const kn_cast_ticked *ticked = last_event(&s.a, "Knack.CastTick", s.a.hero);
    assert_int_equal(ticked->stage, 2);
    const kn_cast_ended *ended = last_event(&s.a, "Knack.CastEnded", s.a.hero);
    assert_true(ended->stage == 2 && ended->outcome == KN_CAST_DONE);
    // Before the first stage there is nothing to release.
    expect_ok(use(&s, ability));
    arena_until(&s.a, 2400);
    expect_ok(kn_cast_release(s.a.world, s.a.hero));
    EXPECT_LOG(&s, "began 0/1@2300 cancelled 0/1@2400 ");
    // Held for too long it is released by itself.
    expect_ok(use(&s, ability));
    arena_until(&s.a, 10000);
    EXPECT_LOG(&s, "began 0/1@2400 tick 1/1@6400 completed 1/1@6400 ");
    expect_result(kn_cast_release(s.a.world, s.a.hero), KN_REFUSED_NOT_FOUND);
    arena_end(&s.a);
}

// Payment --------------------------------------------------------------------------

static kn_ability_def dear_ability(const stage *s, const char *name, kn_cost_def *cost)
{
    kn_ability_def def = plain_ability(name);
    *cost = kn_cost_def_default();
    cost->attribute = s->a.mana;
    cost->amount = kn_constant(30.0f);
    def.costs = cost;
    def.cost_count = 1;
    return def;
}

static void mana_set(stage *s, float mana)
{
    expect_ok(kn_attribute_set_base(s->a.world, s->a.hero, s->a.mana, 0, mana));
}

// BEY-081, USE-026, CAST-035
static void a_cast_pays_at_its_start_or_at_its_completion(void **state)
{
    stage s;
    kn_cost_def cost;
    (void)state;
    stage_begin(&s);
    kn_ability_def early = dear_ability(&s, "Early", &cost);
    kn_cast_def early_cast = stage_cast(&s, "Early", 1.0f);
    kn_ability_type_id early_type = stage_add(&s, &early, &early_cast);
    kn_ability_def late = dear_ability(&s, "Late", &cost);
    kn_cast_def late_cast = stage_cast(&s, "Late", 1.0f);
    late_cast.commit = KN_CAST_COMMIT_COMPLETION;
    hooks_set(&s, &late_cast);
    kn_ability_type_id late_type = stage_add(&s, &late, &late_cast);
    arena_start(&s.a);
    kn_ability_id ability = arena_grant(&s.a, s.a.hero, early_type);
    kn_ability_id other = arena_grant(&s.a, s.a.hero, late_type);
    expect_ok(use(&s, ability));
    assert_true(mana_of(&s.a, s.a.hero) == 70.0f);
    expect_ok(kn_cast_cancel(s.a.world, s.a.hero, 0));
    assert_true(mana_of(&s.a, s.a.hero) == 70.0f); // no refund
    expect_ok(use(&s, other));
    assert_true(mana_of(&s.a, s.a.hero) == 70.0f);
    arena_until(&s.a, 1000);
    assert_true(mana_of(&s.a, s.a.hero) == 40.0f);
    assert_true(health_of(&s.a, s.a.foe) == 990.0f);
    // Spent in between: refused at the end, and its tick does not run.
    expect_ok(use(&s, other));
    s.log[0] = 0;
    mana_set(&s, 29.0f);
    arena_until(&s.a, 2000);
    EXPECT_LOG(&s, "cancelled 0/1@2000 ");
    const kn_cast_ended *ended = last_event(&s.a, "Knack.CastEnded", s.a.hero);
    assert_int_equal(ended->outcome, KN_CAST_REFUSED);
    assert_int_equal(ended->reasons, KN_FAIL_COST);
    assert_int_equal(events_of(&s.a, "Knack.CastTick"), 0);
    assert_true(mana_of(&s.a, s.a.hero) == 29.0f);
    // A use that cannot be paid at the start changes nothing.
    expect_result(use(&s, ability), KN_REFUSED_COST);
    assert_false(is_casting(&s.a, s.a.hero));
    arena_end(&s.a);
}

// BEY-081: range and requirements are checked again at the end.
static void a_cast_may_be_checked_again_at_its_end(void **state)
{
    stage s;
    kn_cost_def cost;
    (void)state;
    stage_begin(&s);
    kn_tag far = arena_tag(&s.a, "State.Far"), busy = arena_tag(&s.a, "State.Busy");
    kn_ability_def ability = dear_ability(&s, "Aimed", &cost);
    kn_cooldown_def cooldowns[] = {
        kn_global_cooldown_def(s.a.library, 1.5f), kn_cooldown_seconds(20.0f)};
    ability.cooldowns = cooldowns;
    ability.cooldown_count = 2;
    ability.target.ignored = (kn_tags){&far, 1};
    ability.activation.ignored = (kn_tags){&busy, 1};
    ability.owned_tags = (kn_tags){&busy, 1}; // what it brings along does not refuse it
    kn_cast_def cast = stage_cast(&s, "Aimed", 1.0f);
    cast.revalidate = true;
    kn_ability_type_id type = stage_add(&s, &ability, &cast);
    arena_start(&s.a);
    kn_ability_id aimed = arena_grant(&s.a, s.a.hero, type);
    expect_ok(use(&s, aimed));
    mana_set(&s, 0.0f); // it has paid
    arena_until(&s.a, 1000);
    assert_true(health_of(&s.a, s.a.foe) == 990.0f);
    mana_set(&s, 100.0f);
    arena_until(&s.a, 30000);
    expect_ok(use(&s, aimed));
    expect_ok(kn_entity_add_tag(s.a.world, s.a.foe, far, KN_TAG_ORIGIN_LOOSE, 1));
    arena_until(&s.a, 31000);
    const kn_cast_ended *ended = last_event(&s.a, "Knack.CastEnded", s.a.hero);
    assert_int_equal(ended->outcome, KN_CAST_REFUSED);
    assert_int_not_equal(ended->reasons, 0);
    assert_true(health_of(&s.a, s.a.foe) == 990.0f);
    arena_end(&s.a);
}

// The slot --------------------------------------------------------------------------

// USE-068, SAIV-032: every use, off-global ones included; the reason has a tag and a time.
static void nothing_else_can_be_used_while_casting(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_tag tag = kn_tag_find(s.a.library, "Knack.Use.WhileCasting");
    kn_ability_type_id type = stage_plain(&s, "Fireball", 2.0f);
    kn_ability_def dodge = plain_ability("Dodge");
    dodge.body = KN_BODY_USE;
    kn_ability_type_id dodge_type = arena_ability(&s.a, &dodge);
    dodge.name = "Shout";
    dodge.tags = (kn_tags){&tag, 1};
    kn_ability_type_id shout_type = arena_ability(&s.a, &dodge);
    arena_start(&s.a);
    kn_ability_id ability = arena_grant(&s.a, s.a.hero, type);
    kn_ability_id plain = arena_grant(&s.a, s.a.hero, dodge_type);
    kn_ability_id shout = arena_grant(&s.a, s.a.hero, shout_type);
    expect_ok(use(&s, plain));
    expect_ok(use(&s, ability));
    arena_until(&s.a, 500);
    kn_fail casting = kn_fail_find(s.a.library, "casting");
    expect_result(use(&s, plain), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_ability_check(s.a.world, plain, NULL), casting);
    assert_string_equal(kn_tag_name(s.a.library, kn_ability_fail_tag(s.a.library, casting)),
        "Activation.Fail.Casting");
    kn_refusal_line line;
    assert_int_equal(kn_ability_explain(s.a.world, plain, NULL, &line, 1), 1);
    assert_int_equal(line.remaining, KN_MS(1500));
    assert_int_equal(line.total, KN_MS(2000));
    assert_true(kn_ability_id_equal(line.ability, ability));
    char text[128];
    (void)kn_ability_explain_print(s.a.world, plain, NULL, text, sizeof(text));
    assert_string_equal(text, "Dodge: casting Fireball for another 1.5 s");
    expect_ok(use(&s, shout));
    assert_true(is_casting(&s.a, s.a.hero));
    arena_until(&s.a, 2000);
    expect_ok(use(&s, plain));
    arena_end(&s.a);
}

// MAP-066, 14.7 of the digest: `occupies_cast_slot` and `blocked_by_cast_slot` are apart.
static void a_cast_outside_of_the_slot_leaves_it_free(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_type_id type = stage_plain(&s, "Fireball", 2.0f);
    kn_ability_def totem = plain_ability("Totem");
    totem.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_cast_def cast = stage_cast(&s, "Totem", 1.0f);
    cast.in_slot = false;
    kn_ability_type_id totem_type = stage_add(&s, &totem, &cast);
    arena_start(&s.a);
    kn_ability_id fireball = arena_grant(&s.a, s.a.hero, type);
    kn_ability_id totem_id = arena_grant(&s.a, s.a.hero, totem_type);
    kn_activation_id first;
    kn_event_record event = at_target(&s.a, s.a.foe);
    expect_ok(kn_ability_activate(s.a.world, totem_id, &event, &first));
    expect_ok(use(&s, totem_id));
    assert_false(is_casting(&s.a, s.a.hero));
    kn_cast_info info;
    assert_true(kn_cast_get_activation(s.a.world, first, &info));
    assert_int_equal(info.end, KN_MS(1000));
    expect_ok(use(&s, fireball));
    expect_result(use(&s, totem_id), KN_REFUSED_CUSTOM); // the slot is taken now
    arena_until(&s.a, 2000);
    assert_true(health_of(&s.a, s.a.foe) == 970.0f);
    arena_end(&s.a);
}

// What ends casts -------------------------------------------------------------------

// CAST-030, CAST-035, SAIV-084, USE-009: no further ticks, no refund, its own hook.
static void cancelling_ends_a_channel(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_id ability = channel_start(&s, 3.0f, 3, true);
    expect_ok(use(&s, ability));
    arena_until(&s.a, 1500);
    s.log[0] = 0;
    expect_ok(kn_cast_cancel(s.a.world, s.a.hero, 1));
    EXPECT_LOG(&s, "cancelled 1/3@1500 ");
    assert_false(is_casting(&s.a, s.a.hero));
    assert_false(kn_ability_is_active(s.a.world, ability));
    arena_until(&s.a, 5000);
    EXPECT_LOG(&s, "");
    const kn_cast_ended *ended = last_event(&s.a, "Knack.CastEnded", s.a.hero);
    assert_int_equal(ended->outcome, KN_CAST_CANCELLED);
    assert_int_equal(ended->tick, 1);
    assert_int_equal(ended->left, KN_MS(1500));
    assert_true(kn_entity_id_equal(ended->instigator, s.a.hero));
    assert_true(health_of(&s.a, s.a.foe) == 980.0f);
    expect_result(kn_cast_cancel(s.a.world, s.a.hero, 0), KN_REFUSED_NOT_FOUND);
    arena_end(&s.a);
}

// BEY-081: breaking by tags; movement has a reason of its own.
static void tags_break_casts_and_keep_them_from_beginning(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_tag tags[] = {kn_tag_find(s.a.library, "Knack.Moving"), arena_tag(&s.a, "State.Stunned")};
    kn_ability_def ability = plain_ability("Fireball");
    kn_cast_def cast = stage_cast(&s, "Fireball", 2.0f);
    cast.breaks_on = (kn_tags){tags, 2};
    kn_ability_type_id type = stage_add(&s, &ability, &cast);
    arena_start(&s.a);
    kn_ability_id fireball = arena_grant(&s.a, s.a.hero, type);
    static const char *const reasons[] = {"moving", "cast_broken"};
    for (uint32_t i = 0; i < 2; i++) {
        expect_ok(use(&s, fireball));
        expect_ok(kn_entity_add_tag(s.a.world, s.a.hero, tags[i], KN_TAG_ORIGIN_LOOSE, 1));
        assert_false(is_casting(&s.a, s.a.hero));
        expect_result(use(&s, fireball), KN_REFUSED_CUSTOM);
        assert_int_equal(
            kn_ability_check(s.a.world, fireball, NULL), kn_fail_find(s.a.library, reasons[i]));
        arena_until(&s.a, (i + 1) * 10);
        const kn_cast_ended *ended = last_event(&s.a, "Knack.CastEnded", s.a.hero);
        assert_int_equal(ended->outcome, KN_CAST_CANCELLED);
        assert_int_equal(ended->tag.index1, tags[i].index1);
        kn_events events = kn_world_events(s.a.world);
        bool is_there = false;
        for (uint32_t k = 0; k < events.count; k++) {
            is_there = is_there || (events.data[k].type == KN_EVENT_ABILITY_ENDED &&
                                       events.data[k].data.ability.end_reason ==
                                           (uint32_t)kn_end_reason_find(s.a.library, reasons[i]));
        }
        assert_true(is_there);
        expect_ok(kn_entity_remove_tag(s.a.world, s.a.hero, tags[i], KN_TAG_ORIGIN_LOOSE, 1));
    }
    expect_ok(use(&s, fireball));
    arena_end(&s.a);
}

// CAST-038, USE-053: death, not if it works when dead; removal of the ability.
static void death_and_removal_cancel_a_cast(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_type_id type = stage_plain(&s, "Fireball", 2.0f);
    kn_ability_def ghost = plain_ability("Haunt");
    ghost.works_when_dead = true;
    kn_cast_def cast = stage_cast(&s, "Haunt", 2.0f);
    kn_ability_type_id ghost_type = stage_add(&s, &ghost, &cast);
    arena_start(&s.a);
    kn_ability_id ability = arena_grant(&s.a, s.a.hero, type);
    kn_ability_id haunt = arena_grant(&s.a, s.a.hero, ghost_type);
    expect_ok(use(&s, ability));
    expect_ok(kn_entity_add_tag(s.a.world, s.a.hero, s.a.dead, KN_TAG_ORIGIN_LOOSE, 1));
    assert_false(is_casting(&s.a, s.a.hero));
    assert_false(kn_ability_is_active(s.a.world, ability));
    expect_ok(kn_entity_remove_tag(s.a.world, s.a.hero, s.a.dead, KN_TAG_ORIGIN_LOOSE, 1));
    expect_ok(use(&s, haunt));
    expect_ok(kn_entity_add_tag(s.a.world, s.a.hero, s.a.dead, KN_TAG_ORIGIN_LOOSE, 1));
    assert_true(is_casting(&s.a, s.a.hero));
    expect_ok(kn_entity_remove_tag(s.a.world, s.a.hero, s.a.dead, KN_TAG_ORIGIN_LOOSE, 1));
    arena_until(&s.a, 2000);
    expect_ok(use(&s, ability));
    expect_ok(kn_ability_remove(s.a.world, ability, KN_GRANT_CANCEL));
    assert_false(is_casting(&s.a, s.a.hero));
    arena_until(&s.a, 5000);
    const kn_cast_ended *ended = last_event(&s.a, "Knack.CastEnded", s.a.hero);
    assert_int_equal(ended->outcome, KN_CAST_CANCELLED);
    assert_true(health_of(&s.a, s.a.foe) == 990.0f); // of the ghost
    // The caster goes, and with it everything.
    expect_ok(use(&s, haunt));
    assert_true(kn_entity_destroy(s.a.world, s.a.hero));
    arena_until(&s.a, 9000);
    assert_true(kn_world_validate(s.a.world));
    arena_end(&s.a);
}

// CAST-038: whoever controls it now did not begin it.
static void a_cast_ends_when_somebody_else_takes_control(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_def def = plain_ability("Channel");
    kn_cast_def cast = stage_cast(&s, "Channel", 3.0f);
    cast.kind = KN_CAST_CHANNEL;
    cast.ticks = 3;
    kn_ability_type_id type = stage_add(&s, &def, &cast);
    arena_start(&s.a);
    kn_ability_id ability = arena_grant(&s.a, s.a.hero, type);
    expect_ok(use(&s, ability));
    arena_until(&s.a, 1200);
    expect_ok(kn_entity_set_connection(s.a.world, s.a.hero, 5));
    arena_until(&s.a, 2000); // the next tick
    assert_false(is_casting(&s.a, s.a.hero));
    assert_true(health_of(&s.a, s.a.foe) == 990.0f);
    arena_end(&s.a);
}

// Pushback ---------------------------------------------------------------------------

static void hit_hero(stage *s, uint32_t flags)
{
    kn_hit_def def = kn_hit_def_default();
    def.source = s->a.foe;
    def.target = s->a.hero;
    def.amount = 5.0f;
    def.flags = flags;
    expect_ok(kn_hit_run(s->a.world, &def, NULL));
}

// BEY-080: +0.5 s, never above the full length, at most twice; the amount is a value.
static void hits_push_a_cast_back(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_type_id type = stage_plain(&s, "Fireball", 2.0f);
    kn_effect_type_id focus = haste_register(&s, "Focus", "Knack.Pushback", 0.5f);
    arena_start(&s.a);
    kn_ability_id ability = arena_grant(&s.a, s.a.hero, type);
    expect_ok(use(&s, ability));
    arena_until(&s.a, 300);
    hit_hero(&s, KN_HIT_NO_PUSHBACK);
    hit_hero(&s, KN_HIT_PERIODIC);
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(2000));
    hit_hero(&s, 0); // only 0.3 s are gone
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(2300));
    assert_true(info_of(&s.a, s.a.hero).progress == 0.0f);
    arena_until(&s.a, 1300);
    const kn_cast_pushed *pushed = last_event(&s.a, "Knack.CastPushed", s.a.hero);
    assert_true(pushed->change == KN_MS(300) && pushed->end == KN_MS(2300));
    assert_true(pushed->count == 1 && pushed->cast.index1 != 0);
    (void)arena_apply(&s.a, focus, s.a.ally, s.a.hero);
    hit_hero(&s, 0);
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(2550));
    assert_int_equal(info_of(&s.a, s.a.hero).pushed, 2);
    assert_int_equal(info_of(&s.a, s.a.hero).total, KN_MS(2000));
    hit_hero(&s, 0);
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(2550));
    expect_result(kn_cast_push_back(s.a.world, s.a.hero), KN_REFUSED_LIMIT);
    arena_until(&s.a, 2549);
    assert_true(health_of(&s.a, s.a.foe) == 1000.0f);
    arena_until(&s.a, 2550);
    assert_true(health_of(&s.a, s.a.foe) == 990.0f);
    expect_result(kn_cast_push_back(s.a.world, s.a.hero), KN_REFUSED_NOT_FOUND);
    arena_end(&s.a);
}

// BEY-080: a quarter of the full length, from the end.
static void hits_shorten_a_channel(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_id ability = channel_start(&s, 4.0f, 4, false);
    expect_ok(use(&s, ability));
    arena_until(&s.a, 500);
    hit_hero(&s, 0);
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(3000));
    arena_until(&s.a, 2500);
    hit_hero(&s, 0); // not before the present
    assert_int_equal(info_of(&s.a, s.a.hero).end, KN_MS(2500));
    arena_until(&s.a, 2500);
    assert_false(is_casting(&s.a, s.a.hero));
    EXPECT_LOG(&s, "began 0/4@0 tick 1/4@1000 tick 2/4@2000 completed 2/4@2500 ");
    arena_end(&s.a);
}

// Copies ------------------------------------------------------------------------------

// A save, loaded into a new world, and a snapshot, restored, go on as the world does.
static void expect_same_future(stage *s, kn_time span)
{
    size_t size = 0;
    expect_ok(kn_save_write(s->a.world, NULL, 0, &size));
    void *save = malloc(size);
    expect_ok(kn_save_write(s->a.world, save, size, &size));
    kn_world_def def = kn_world_def_default();
    def.library = s->a.library;
    kn_world *copy;
    kn_error error = {0};
    expect_ok(kn_world_create(&def, &copy));
    expect_ok(kn_save_read(copy, save, size, &error));
    assert_true(kn_world_hash(copy) == kn_world_hash(s->a.world));
    size_t snapshot_size = kn_snapshot_size(s->a.world);
    void *snapshot = malloc(snapshot_size);
    expect_ok(kn_snapshot_take(s->a.world, snapshot, snapshot_size, NULL));
    expect_ok(kn_world_step(s->a.world, span));
    expect_ok(kn_world_step(copy, span));
    uint64_t hash = kn_world_hash(s->a.world);
    assert_true(kn_world_hash(copy) == hash);
    expect_ok(kn_snapshot_restore(s->a.world, snapshot, snapshot_size));
    expect_ok(kn_world_step(s->a.world, span));
    assert_true(kn_world_hash(s->a.world) == hash);
    expect_ok(kn_snapshot_restore(s->a.world, snapshot, snapshot_size));
    kn_world_destroy(copy);
    free(save);
    free(snapshot);
}

static void a_world_can_be_copied_in_the_middle_of_everything(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_type_id type = stage_plain(&s, "Fireball", 2.0f);
    kn_ability_id ability = held_start(&s, 1.0f);
    kn_ability_id fireball = arena_grant(&s.a, s.a.foe, type);
    s.log[0] = 0;
    expect_ok(use(&s, ability));
    expect_ok(kn_ability_activate(s.a.world, fireball, NULL, NULL));
    arena_until(&s.a, 1300);
    hit_hero(&s, 0);
    kn_tag fire = s.a.fire;
    expect_ok(kn_lockout_add(s.a.world, s.a.foe, (kn_tags){&fire, 1}, s.a.ally, 4.0f));
    for (int i = 0; i < 8; i++) {
        expect_same_future(&s, KN_MS(700));
        expect_ok(kn_world_step(s.a.world, KN_MS(500)));
        assert_true(kn_world_validate(s.a.world));
    }
    arena_end(&s.a);
}

// Memory that runs out ---------------------------------------------------------------------

typedef struct purse {
    uint32_t left; // allocations that succeed
    size_t bytes;
} purse;

static void *purse_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    purse *p = user;
    if (new_size == 0) {
        p->bytes -= old_size;
        free(ptr);
        return NULL;
    }
    if (new_size > old_size && p->left == 0) {
        return NULL;
    }
    void *moved = realloc(ptr, new_size);
    assert_non_null(moved);
    p->left -= new_size > old_size ? 1u : 0u;
    p->bytes += new_size - old_size;
    return moved;
}

static void log_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

// Casts, hits, interrupts; false if memory ran out.
static bool scene_plays(const stage *s, purse *p)
{
    kn_world_def def = kn_world_def_default();
    def.library = s->a.library;
    def.hooks.realloc_fn = purse_realloc;
    def.hooks.realloc_user = p;
    def.hooks.log_fn = log_nothing;
    kn_world *world;
    kn_entity_id hero = {0};
    kn_ability_id ability = {0};
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = kn_ability_type_find(s->a.library, "Fireball");
    if (kn_world_create(&def, &world) != KN_OK) {
        return false;
    }
    bool ok = kn_entity_create(world, &hero) == KN_OK &&
              kn_attribute_set_add(world, hero, s->a.vitals, 0) == KN_OK &&
              kn_ability_grant(world, hero, &grant, &ability) == KN_OK;
    kn_tag fire = s->a.fire;
    for (int i = 0; ok && i < 3; i++) {
        kn_interrupt_def interrupt = kn_interrupt_def_default();
        interrupt.target = hero;
        interrupt.lockout = 1.0f;
        kn_result result = kn_ability_activate(world, ability, NULL, NULL);
        ok = (result == KN_OK || kn_result_is_refused(result)) && !kn_world_is_broken(world);
        ok = ok && kn_world_step(world, KN_MS(400)) == KN_OK;
        result = ok ? kn_cast_push_back(world, hero) : KN_OK;
        ok = ok && (result == KN_OK || kn_result_is_refused(result));
        result = ok && i == 1 ? kn_cast_interrupt(world, &interrupt, NULL) : KN_OK;
        ok = ok && (result == KN_OK || kn_result_is_refused(result));
        result = ok ? kn_lockout_add(world, hero, (kn_tags){&fire, 1}, hero, 0.5f) : KN_OK;
        ok = ok && result == KN_OK && kn_world_step(world, KN_S(3)) == KN_OK;
    }
    assert_true(kn_world_is_broken(world) || kn_world_validate(world));
    kn_world_destroy(world);
    return ok;
}

static void memory_may_run_out_at_any_moment(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_tag fire = s.a.fire;
    kn_ability_def ability = plain_ability("Fireball");
    ability.tags = (kn_tags){&fire, 1};
    kn_cast_def cast = stage_cast(&s, "Fireball", 2.0f);
    (void)stage_add(&s, &ability, &cast);
    expect_ok(kn_library_finish(s.a.library, NULL));
    bool plays = false;
    for (uint32_t i = 0; !plays; i++) {
        assert_true(i < 10000);
        purse p = {i, 0};
        plays = scene_plays(&s, &p);
        assert_int_equal(p.bytes, 0);
    }
    kn_library_destroy(s.a.library);
}

// Bad input ------------------------------------------------------------------------------

static void bad_cast(kn_cast_def def, const char *message)
{
    stage s;
    stage_begin(&s);
    kn_cast_id id = {77};
    kn_error error = {0};
    def.name = "Bad";
    expect_result(kn_cast_register(s.a.library, &def, &id, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(id.index1, 0);
    if (strstr(error.message, message) == NULL) {
        fail_msg("%s", error.message);
    }
    kn_library_destroy(s.a.library);
}

static void casts_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    kn_cast_def good = kn_cast_def_default(), def;
#define BAD(change, message)                                                                       \
    do {                                                                                           \
        def = good;                                                                                \
        change;                                                                                    \
        bad_cast(def, message);                                                                    \
    } while (0)
    BAD(def.ticks = 0, "`ticks` must be 1 to 10000");
    BAD(def.ticks = 10001, "`ticks` must be 1 to 10000");
    BAD(def.stages = 0, "`stages` must be 1 to 10000");
    BAD(def.pushback_share = -1.0f, "`pushback_share` must be at least 0");
    BAD(def.pushback_share = NAN, "pushback_share is not a finite number");
    BAD(def.hold = -1.0f, "`hold` must be at least 0");
    BAD(def.late_limit = -0.1f, "`late_limit` must be at least 0");
    BAD(def.ticks = 2, "write kind: channel");
    BAD(def.initial_tick = true, "write kind: channel");
    BAD(def.stages = 2, "write kind: held");
    BAD(def.hold = 2.0f, "write kind: held");
    BAD((def.kind = KN_CAST_INSTANT, def.needs_data = true), "leave out `needs_data`");
    BAD((def.aim.function = note_tick), "write missing: server");
    BAD(def.kind = KN_CAST_KIND_COUNT, "kind");
    BAD(def.commit = KN_CAST_COMMIT_COUNT, "commit");
    BAD(def.missing = KN_CAST_MISSING_COUNT, "missing");
}

static void bad_finish(void (*fill)(stage *s), const char *message)
{
    stage s;
    stage_begin(&s);
    fill(&s);
    kn_error error = {0};
    expect_result(kn_library_finish(s.a.library, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, message) == NULL) {
        fail_msg("%s", error.message);
    }
    kn_library_destroy(s.a.library);
}

static void fill_nameless(stage *s)
{
    kn_cast_def cast = stage_cast(s, "Nothing", 1.0f);
    (void)stage_register(s, &cast);
}

static void fill_twice(stage *s)
{
    kn_ability_type_id type = stage_plain(s, "Fireball", 1.0f);
    kn_cast_def cast = stage_cast(s, "Other", 1.0f);
    cast.ability = type;
    (void)stage_register(s, &cast);
}

static void fill_body(stage *s)
{
    kn_ability_def ability = plain_ability("Fireball");
    kn_cast_def cast = stage_cast(s, "Fireball", 1.0f);
    ability.body = KN_BODY_USE;
    (void)stage_add(s, &ability, &cast);
}

static kn_result activate_nothing(const kn_ability_call *call)
{
    (void)call;
    return KN_OK;
}

static void fill_function(stage *s)
{
    kn_ability_def ability = plain_ability("Fireball");
    kn_cast_def cast = stage_cast(s, "Fireball", 1.0f);
    ability.activate = activate_nothing;
    (void)stage_add(s, &ability, &cast);
}

static void fill_instance(stage *s)
{
    kn_ability_def ability = plain_ability("Fireball");
    kn_cast_def cast = stage_cast(s, "Fireball", 1.0f);
    ability.instancing = KN_INSTANCING_NONE;
    (void)stage_add(s, &ability, &cast);
}

static void fill_commit(stage *s)
{
    kn_ability_def ability = plain_ability("Fireball");
    kn_cast_def cast = stage_cast(s, "Fireball", 1.0f);
    ability.commit = KN_COMMIT_AT_USE;
    cast.commit = KN_CAST_COMMIT_COMPLETION;
    (void)stage_add(s, &ability, &cast);
}

static void fill_global(stage *s)
{
    kn_ability_def ability = plain_ability("Fireball");
    kn_cooldown_def global = kn_global_cooldown_def(s->a.library, 1.5f);
    global.starts = KN_COOLDOWN_AT_COMMIT;
    ability.cooldowns = &global;
    ability.cooldown_count = 1;
    (void)arena_ability(&s->a, &ability);
}

static void fill_charges(stage *s)
{
    kn_ability_def ability = plain_ability("Fireball");
    kn_cooldown_def global = kn_global_cooldown_def(s->a.library, 1.5f);
    global.charges = kn_constant(2.0f);
    ability.cooldowns = &global;
    ability.cooldown_count = 1;
    (void)arena_ability(&s->a, &ability);
}

static void a_library_with_casts_that_cannot_work_is_refused(void **state)
{
    (void)state;
    bad_finish(fill_nameless, "there is no ability of this name");
    bad_finish(fill_twice, "leave out one of them");
    bad_finish(fill_body, "must not have a body");
    bad_finish(fill_function, "must not have functions of its own");
    bad_finish(fill_instance, "needs instancing");
    bad_finish(fill_commit, "leave out the `commit` of the ability");
    bad_finish(fill_global, "starts: at_activation");
    bad_finish(fill_charges, "leave out `charges`");
}

static void calls_with_bad_arguments_are_refused(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_library *bare;
    kn_library_def library_def = kn_library_def_default();
    kn_cast_def cast = stage_cast(&s, "Fireball", 1.0f);
    kn_cast_id id;
    expect_ok(kn_library_create(&library_def, &bare));
    expect_result(kn_cast_register(bare, &cast, &id, NULL), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_cast_register(NULL, &cast, &id, NULL), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_cast_register(s.a.library, NULL, &id, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_cast_find(bare, "Fireball").index1, 0);
    assert_null(kn_cast_get_def(bare, (kn_cast_id){1}));
    assert_int_equal(kn_cast_of_ability(bare, (kn_ability_type_id){1}).index1, 0);
    assert_int_equal(kn_global_cooldown_key(bare).index1, 0);
    kn_library_destroy(bare);
    kn_ability_type_id type = stage_plain(&s, "Fireball", 1.0f);
    arena_start(&s.a);
    assert_int_equal(kn_cast_of_ability(s.a.library, type).index1, 1);
    assert_int_equal(kn_cast_of_ability(s.a.library, (kn_ability_type_id){99}).index1, 0);
    kn_world *world = s.a.world;
    kn_entity_id stale = arena_spawn(&s.a);
    assert_true(kn_entity_destroy(world, stale));
    kn_cast_info info;
    kn_time left, total;
    assert_false(kn_cast_get(world, stale, &info));
    assert_false(kn_cast_get(world, (kn_entity_id){0}, &info));
    assert_false(kn_cast_get_activation(world, (kn_activation_id){9, 9}, &info));
    assert_false(kn_global_cooldown(world, stale, &left, &total));
    expect_result(kn_cast_cancel(world, stale, 0), KN_REFUSED_STALE_ID);
    expect_result(kn_cast_release(world, stale), KN_REFUSED_STALE_ID);
    expect_result(kn_cast_push_back(world, stale), KN_REFUSED_STALE_ID);
    expect_result(kn_cast_set_interruptible(world, stale, true), KN_REFUSED_STALE_ID);
    expect_result(kn_cast_set_interruptible(world, s.a.hero, true), KN_REFUSED_NOT_FOUND);
    expect_result(kn_global_cooldown_end(world, stale), KN_REFUSED_STALE_ID);
    expect_result(kn_global_cooldown_end(world, s.a.hero), KN_REFUSED_NOT_FOUND);
    expect_result(
        kn_cast_start(world, (kn_activation_id){9, 9}, (kn_cast_id){1}), KN_REFUSED_STALE_ID);
    expect_result(
        kn_cast_start(world, (kn_activation_id){9, 9}, (kn_cast_id){9}), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_cast_provide(world, (kn_activation_id){9, 9}, 1, (kn_target_view){NULL, 0}),
        KN_REFUSED_STALE_ID);
    assert_int_equal(kn_cast_dropped(world, stale), 0);
    kn_ability_id ability = arena_grant(&s.a, s.a.hero, type);
    kn_activation_id activation;
    expect_ok(kn_ability_activate(world, ability, NULL, &activation));
    expect_result(kn_cast_start(world, activation, (kn_cast_id){1}), KN_REFUSED_DUPLICATE);
    expect_result(
        kn_cast_provide(world, activation, 1, (kn_target_view){NULL, 0}), KN_REFUSED_NOT_FOUND);
    expect_result(
        kn_cast_provide(world, activation, 1, (kn_target_view){"garbage", 7}), KN_ERROR_BAD_DATA);
    arena_end(&s.a);
}

// An ability with functions of its own begins its cast itself.
static kn_result activate_casting(const kn_ability_call *call)
{
    return kn_cast_start(
        call->world, call->activation, kn_cast_find(kn_world_library(call->world), "Fireball"));
}

static void an_ability_with_functions_can_begin_a_cast(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    (void)stage_plain(&s, "Fireball", 1.0f);
    kn_ability_def ability = plain_ability("Scroll");
    ability.activate = activate_casting;
    kn_ability_type_id type = arena_ability(&s.a, &ability);
    arena_start(&s.a);
    kn_ability_id scroll = arena_grant(&s.a, s.a.hero, type);
    expect_ok(use(&s, scroll));
    assert_int_equal(info_of(&s.a, s.a.hero).ability.index1, type.index1);
    arena_until(&s.a, 1000);
    assert_true(health_of(&s.a, s.a.foe) == 990.0f);
    assert_false(kn_ability_is_active(s.a.world, scroll));
    arena_end(&s.a);
}

// Cues and the list for the end ---------------------------------------------------------

// CAST-018, MAP-054, USE-044: what observers are shown rides on cues; it needs nothing of the
// ability on their machine.
static void cues_show_a_cast_to_everybody(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_tag bar = arena_tag(&s.a, "GameplayCue.Cast"), tick = arena_tag(&s.a, "GameplayCue.Tick");
    kn_tag broken = arena_tag(&s.a, "GameplayCue.Broken");
    kn_ability_def ability = plain_ability("Channel");
    kn_cast_def cast = stage_cast(&s, "Channel", 2.0f);
    cast.kind = KN_CAST_CHANNEL;
    cast.ticks = 2;
    cast.cue = bar;
    cast.tick_cue = tick;
    cast.interrupt_cue = broken;
    kn_ability_type_id type = stage_add(&s, &ability, &cast);
    arena_start(&s.a);
    kn_ability_id channel = arena_grant(&s.a, s.a.hero, type);
    expect_ok(use(&s, channel));
    assert_int_equal(kn_cue_count(s.a.world, s.a.hero, bar), 1);
    arena_until(&s.a, 1000);
    uint32_t ticks = 0, breaks = 0;
    kn_interrupt_def interrupt = kn_interrupt_def_default();
    interrupt.target = s.a.hero;
    expect_ok(kn_cast_interrupt(s.a.world, &interrupt, NULL));
    kn_events events = kn_world_events(s.a.world);
    for (uint32_t i = 0; i < events.count; i++) {
        ticks += events.data[i].type == KN_EVENT_CUE &&
                 events.data[i].data.cue.tag.index1 == tick.index1;
    }
    arena_until(&s.a, 1100);
    events = kn_world_events(s.a.world);
    for (uint32_t i = 0; i < events.count; i++) {
        breaks += events.data[i].type == KN_EVENT_CUE &&
                  events.data[i].data.cue.tag.index1 == broken.index1;
    }
    assert_true(ticks == 1 && breaks == 1);
    assert_int_equal(kn_cue_count(s.a.world, s.a.hero, bar), 0);
    arena_end(&s.a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_cast_takes_its_time_and_applies_at_its_end),
    cmocka_unit_test(a_channel_ticks_evenly_with_or_without_an_initial_tick),
    cmocka_unit_test(ticks_have_exact_times_whatever_the_steps),
    cmocka_unit_test(an_instant_one_has_tick_0_alone),
    cmocka_unit_test(modifiers_change_the_length_of_casts_that_begin),
    cmocka_unit_test(without_length_all_ticks_run_at_once_and_there_is_no_bar),
    cmocka_unit_test(a_held_cast_reaches_stages_and_ends_when_it_is_released),
    cmocka_unit_test(a_cast_pays_at_its_start_or_at_its_completion),
    cmocka_unit_test(a_cast_may_be_checked_again_at_its_end),
    cmocka_unit_test(nothing_else_can_be_used_while_casting),
    cmocka_unit_test(a_cast_outside_of_the_slot_leaves_it_free),
    cmocka_unit_test(cancelling_ends_a_channel),
    cmocka_unit_test(tags_break_casts_and_keep_them_from_beginning),
    cmocka_unit_test(death_and_removal_cancel_a_cast),
    cmocka_unit_test(a_cast_ends_when_somebody_else_takes_control),
    cmocka_unit_test(hits_push_a_cast_back),
    cmocka_unit_test(hits_shorten_a_channel),
    cmocka_unit_test(a_world_can_be_copied_in_the_middle_of_everything),
    cmocka_unit_test(memory_may_run_out_at_any_moment),
    cmocka_unit_test(casts_that_make_no_sense_are_refused),
    cmocka_unit_test(a_library_with_casts_that_cannot_work_is_refused),
    cmocka_unit_test(calls_with_bad_arguments_are_refused),
    cmocka_unit_test(an_ability_with_functions_can_begin_a_cast),
    cmocka_unit_test(cues_show_a_cast_to_everybody),
};

TEST_GROUP(combat_cast, tests, NULL, NULL);
