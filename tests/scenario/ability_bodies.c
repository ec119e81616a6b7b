// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Abilities without functions: what their bodies apply, to which entities, and how long they stay
// active.

#include "scenario/ability_replay.h"

// Effects and a container for all tests.
typedef struct kit {
    kn_effect_type_id hurt;  // 10 Health at once
    kn_effect_type_id ward;  // infinite, grants State.Ward
    kn_effect_type_id brief; // 2 seconds, grants State.Brief
    kn_effect_type_id taken; // as much Health as the caller value Damage says
    kn_container_id both;    // hurt and ward, for those handed in
} kit;

static kn_effect_type_id hurt_register(fixture *f, const char *name, kn_magnitude magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = magnitude;
    kn_effect_def def = instant(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

static kn_effect_type_id lasting_register(
    fixture *f, const char *name, const char *tag, float seconds)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.granted_tags = tags_of(f, tag);
    def.duration_kind = seconds > 0.0f ? KN_DURATION_TIMED : KN_DURATION_INFINITE;
    def.duration = kn_magnitude_constant(seconds);
    return effect_register(f, &def);
}

static kit kit_register(fixture *f)
{
    kn_magnitude by_caller = {.kind = KN_MAGNITUDE_SET_BY_CALLER, .scale = kn_constant(-0.5f)};
    by_caller.caller_tag = tag_of(f, "Damage");
    kit k = {
        .hurt = hurt_register(f, "Hurt", kn_magnitude_constant(-10.0f)),
        .ward = lasting_register(f, "Ward", "State.Ward", 0.0f),
        .brief = lasting_register(f, "Brief", "State.Brief", 2.0f),
        .taken = hurt_register(f, "Taken", by_caller),
    };
    kn_effect_type_id effects[2] = {k.hurt, k.ward};
    kn_container_def both = kn_container_def_default();
    both.name = "Both";
    both.effects = effects;
    both.effect_count = 2;
    assert_int_equal(kn_container_register(f->library, &both, &k.both, NULL), KN_OK);
    return k;
}

static kn_ability_def body_def(
    fixture *f, kn_ability_body body, const kn_ability_apply_def *applies, uint32_t count)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = "Body";
    def.body = body;
    def.applies = applies;
    def.apply_count = count;
    def.ended = note_ended;
    def.user = f;
    return def;
}

static kn_event_record event_of(fixture *f, const char *tag)
{
    kn_event_record event = kn_event_record_default();
    event.tag = kn_tag_find(f->library, tag);
    event.instigator = f->foe;
    event.target = f->foe;
    event.magnitude = 40.0f;
    return event;
}

static kn_effect_id only_effect(const fixture *f, kn_entity_id entity)
{
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id effect;
    assert_int_equal(kn_effects_find(f->world, entity, &query, &effect, 1), 1);
    return effect;
}

static float foe_health(const fixture *f)
{
    return kn_attribute_value(f->world, f->foe, f->health);
}

static bool has(const fixture *f, kn_entity_id entity, const char *tag)
{
    return kn_entity_has_tag(f->world, entity, kn_tag_find(f->library, tag));
}

// EFF-001: on itself.
static void a_use_pays_applies_and_is_over(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def applies[2] = {{.effect = k.hurt}, {.effect = k.brief}};
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(30.0f)};
    kn_cooldown_def cooldown = kn_cooldown_seconds(4.0f);
    kn_ability_def def = body_def(f, KN_BODY_USE, applies, 2);
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_activation_id activation = activate(f, ability);
    assert_false(kn_activation_is_alive(f->world, activation));
    EXPECT_LOG(f, "Body: ended. ");
    assert_float_equal(value_of(f, f->mana), 70.0f, 0.0f);
    assert_float_equal(value_of(f, f->health), 90.0f, 0.0f);
    assert_true(has(f, f->hero, "State.Brief")); // it outlives the ability
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_COOLDOWN);
    step(f, KN_MS(4000));
    assert_false(has(f, f->hero, "State.Brief"));
    for (uint32_t i = 0; i < 2; i++) {
        (void)activate(f, ability);
        step(f, KN_MS(4000));
    }
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_COST);
    assert_float_equal(value_of(f, f->health), 70.0f, 0.0f);
}

static void what_is_paid_is_paid_once_whatever_the_policy(void **state)
{
    fixture *f = *state;
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(30.0f)};
    kn_ability_def def = body_def(f, KN_BODY_USE, NULL, 0);
    def.costs = &cost;
    def.cost_count = 1;
    def.commit = KN_COMMIT_AT_USE;
    def.instancing = KN_INSTANCING_NONE;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    (void)activate(f, grant(f, type));
    EXPECT_LOG(f, "Body: ended. ");
    assert_float_equal(value_of(f, f->mana), 70.0f, 0.0f);
}

// EFF-001: on others.
static void a_trigger_reaches_the_target_and_the_instigator_of_its_event(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def applies[3] = {
        {.container = k.both, .to = KN_APPLY_TO_TARGET},
        {.effect = k.taken, .to = KN_APPLY_TO_INSTIGATOR, .magnitude_tag = tag_of(f, "Damage")},
        {.effect = k.taken, .to = KN_APPLY_TO_INSTIGATOR}, // without its value: refused, no error
    };
    kn_trigger_def trigger = {.tag = tag_of(f, "Event.Hit"), .source = KN_TRIGGER_SOURCE_EVENT};
    kn_ability_def def = body_def(f, KN_BODY_USE, applies, 3);
    def.triggers = &trigger;
    def.trigger_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_event_record event = event_of(f, "Event.Hit");
    assert_int_equal(kn_event_send(f->world, f->hero, event.tag, &event), KN_OK);
    assert_float_equal(foe_health(f), 100.0f - 10.0f - 20.0f, 0.0f);
    assert_true(has(f, f->foe, "State.Ward"));
    assert_false(has(f, f->hero, "State.Ward"));
    assert_float_equal(value_of(f, f->health), 100.0f, 0.0f);
    // Without an event there is nobody, so it does not even start.
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_ability_check(f->world, ability, NULL), KN_FAIL_NO_TARGET);
    assert_int_equal(kn_ability_status(f->world, ability), 0);
    assert_float_equal(foe_health(f), 70.0f, 0.0f);
    EXPECT_LOG(f, "Body: ended. ");
}

static void target_data_goes_before_the_target(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_container_def container = kn_container_def_default();
    container.name = "Data";
    container.target = KN_CONTAINER_DATA;
    container.effects = &k.hurt;
    container.effect_count = 1;
    kn_container_id by_data;
    assert_int_equal(kn_container_register(f->library, &container, &by_data, NULL), KN_OK);
    kn_ability_apply_def applies[2] = {
        {.effect = k.hurt, .to = KN_APPLY_TO_TARGET}, {.container = by_data}};
    kn_ability_def def = body_def(f, KN_BODY_USE, applies, 2);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_target_data data = {0};
    kn_target_entity both[2] = {{f->hero}, {f->foe}};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(
            kn_target_add(f->library, &data, kn_target_type_entity(), &both[i]), KN_OK);
    }
    kn_event_record event = kn_event_record_default();
    event.target = f->foe;
    event.data = data.bytes;
    event.data_size = data.size;
    assert_int_equal(kn_ability_activate(f->world, ability, &event, NULL), KN_OK);
    assert_float_equal(value_of(f, f->health), 80.0f, 0.0f);
    assert_float_equal(foe_health(f), 80.0f, 0.0f);
    // Bytes that are not target data count as none.
    event.data_size = 5;
    assert_int_equal(kn_ability_activate(f->world, ability, &event, NULL), KN_OK);
    assert_float_equal(value_of(f, f->health), 80.0f, 0.0f);
    assert_float_equal(foe_health(f), 70.0f, 0.0f);
}

static void those_that_targeting_finds(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_targeting_def self = kn_targeting_def_default();
    self.name = "Self";
    self.shape = KN_SHAPE_SELF;
    kn_targeting_id targeting;
    assert_int_equal(kn_targeting_register(f->library, &self, &targeting, NULL), KN_OK);
    kn_ability_apply_def apply = {
        .effect = k.hurt, .to = KN_APPLY_TO_TARGETING, .targeting = targeting};
    kn_ability_def def = body_def(f, KN_BODY_USE, &apply, 1);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    (void)activate(f, grant(f, type));
    assert_float_equal(value_of(f, f->health), 90.0f, 0.0f);
}

// SYS-003
static void a_timed_one_lasts_by_level_and_takes_its_effects_along(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_curve_point points[2] = {{1.0f, 1.0f}, {2.0f, 3.0f}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Growth";
    curve.points = points;
    curve.point_count = 2;
    kn_curve_id growth;
    assert_int_equal(kn_curve_register(f->library, &curve, &growth, NULL), KN_OK);
    kn_ability_apply_def apply = {.effect = k.ward, .while_active = true};
    kn_ability_def def = body_def(f, KN_BODY_TIMED, &apply, 1);
    def.lasts = (kn_scalable){.value = 2.0f, .curve = growth};
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = type;
    given.level = 2.0f;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &given, &ability), KN_OK);
    kn_activation_id activation = activate(f, ability);
    assert_true(has(f, f->hero, "State.Ward"));
    check_replay(f, KN_MS(7000)); // the end is in snapshots and saves
    step(f, KN_MS(5999));
    assert_true(kn_activation_is_alive(f->world, activation));
    EXPECT_LOG(f, "");
    step(f, KN_MS(1));
    EXPECT_LOG(f, "Body: ended. ");
    assert_false(has(f, f->hero, "State.Ward"));
    assert_int_equal(kn_task_count(f->world), 0);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
}

// MOD-011: tables are read at the level of the ability.
static void what_a_body_applies_has_the_level_of_the_ability(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[3] = {{1.0f, 1.0f}, {2.0f, 3.0f}, {3.0f, 5.0f}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Growth";
    curve.kind = KN_CURVE_STEP;
    curve.points = points;
    curve.point_count = 3;
    kn_curve_id growth;
    assert_int_equal(kn_curve_register(f->library, &curve, &growth, NULL), KN_OK);
    kn_ability_apply_def apply = {
        .effect = hurt_register(f, "ByLevel", kn_magnitude_by_level(-4.0f, growth))};
    kn_ability_def def = body_def(f, KN_BODY_USE, &apply, 1);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = type;
    given.level = 2.0f;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &given, &ability), KN_OK);
    (void)activate(f, ability);
    assert_float_equal(value_of(f, f->health), 88.0f, 0.0f);
    assert_int_equal(kn_ability_set_level(f->world, &ability, 3.0f), KN_OK);
    (void)activate(f, ability);
    assert_float_equal(value_of(f, f->health), 68.0f, 0.0f);
}

static kn_result apply_last(const kn_ability_call *call)
{
    kn_effect_type_id type = kn_effect_type_find(kn_world_library(call->world), "Last");
    kn_result result = kn_activation_apply(call->world, call->activation, type, call->owner, NULL);
    note(call->user, "%s. ", kn_result_name(result));
    return KN_OK;
}

static void end_the_ability(void *user, kn_world *world, const kn_spec_view *spec, void *block)
{
    (void)block;
    kn_result result = kn_activation_end(world, kn_spec_view_activation(spec));
    note(user, "%s. ", kn_result_name(result));
}

// EFF-042: an ability that ends while its effect is being applied leaves neither of them stuck.
static void an_ability_may_end_while_its_effect_is_being_applied(void **state)
{
    fixture *f = *state;
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Last";
    logic.applied = end_the_ability;
    logic.user = f;
    kn_effect_def effect = timed("Last", 2.0f);
    effect.granted_tags = tags_of(f, "State.Last");
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &effect.logic, NULL), KN_OK);
    effect_register(f, &effect);
    kn_ability_def def = ability_def(f, "Swan");
    def.activate = apply_last;
    def.owned_tags = tags_of(f, "State.Singing");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id swan = grant(f, type);
    for (uint32_t i = 0; i < 2; i++) {
        kn_activation_id activation = activate(f, swan);
        EXPECT_LOG(f, "KN_OK. KN_OK. Swan: ended. ");
        assert_false(kn_activation_is_alive(f->world, activation));
        assert_false(kn_ability_is_active(f->world, swan));
        assert_false(has(f, f->hero, "State.Singing"));
        assert_true(has(f, f->hero, "State.Last"));
        step(f, KN_S(2));
        assert_false(has(f, f->hero, "State.Last"));
        assert_int_equal(kn_effects_count(f->world, f->hero), 0);
    }
}

static void a_held_one_lasts_until_the_input_is_released(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def apply = {.effect = k.ward, .while_active = true};
    kn_ability_def def = body_def(f, KN_BODY_HELD, &apply, 1);
    def.input = 3;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    assert_int_equal(kn_input_press(f->world, f->hero, 3), KN_OK);
    step(f, KN_MS(9000));
    assert_true(has(f, f->hero, "State.Ward"));
    check_replay(f, KN_MS(1000));
    assert_int_equal(kn_input_release(f->world, f->hero, 3), KN_OK);
    assert_false(has(f, f->hero, "State.Ward"));
    EXPECT_LOG(f, "Body: ended. ");
    // Nobody holds it: it does not stay for ever.
    kn_activation_id activation = activate(f, ability);
    assert_false(kn_activation_is_alive(f->world, activation));
    assert_false(has(f, f->hero, "State.Ward"));
}

static void one_of_effects_ends_with_the_last_of_them(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def applies[2] = {
        {.effect = k.brief}, {.effect = k.ward, .to = KN_APPLY_TO_TARGET}};
    kn_ability_def def = body_def(f, KN_BODY_EFFECTS, applies, 2);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_event_record event = event_of(f, "Damage");
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->world, ability, &event, &activation), KN_OK);
    check_replay(f, KN_MS(3000));
    step(f, KN_MS(3000));
    assert_false(has(f, f->hero, "State.Brief"));
    assert_true(kn_activation_is_alive(f->world, activation));
    assert_true(kn_entity_destroy(f->world, f->foe)); // and its ward with it
    step(f, 0);
    assert_false(kn_activation_is_alive(f->world, activation));
    EXPECT_LOG(f, "Body: ended. ");
    // Cancelled, it leaves what it does not hold.
    activation = activate(f, ability);
    assert_int_equal(kn_activation_cancel(f->world, activation), KN_OK);
    assert_true(has(f, f->hero, "State.Brief"));
    EXPECT_LOG(f, "Body: cancelled. ");
}

static void with_no_effect_that_lasts_it_is_over_at_once(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def apply = {.effect = k.hurt};
    kn_ability_def def = body_def(f, KN_BODY_EFFECTS, &apply, 1);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    assert_false(kn_activation_is_alive(f->world, activate(f, grant(f, type))));
    EXPECT_LOG(f, "Body: ended. ");
}

static void one_that_stays_holds_its_effects_on_others_however_it_ends(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def apply = {.effect = k.ward, .to = KN_APPLY_TO_TARGET, .while_active = true};
    kn_ability_def def = body_def(f, KN_BODY_STAY, &apply, 1);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_event_record event = event_of(f, "Damage");
    for (uint32_t way = 0; way < 4; way++) {
        kn_ability_id ability = grant(f, type);
        kn_activation_id activation;
        assert_int_equal(kn_ability_activate(f->world, ability, &event, &activation), KN_OK);
        step(f, KN_MS(1000));
        assert_true(has(f, f->foe, "State.Ward"));
        if (way == 0) {
            assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
            assert_int_equal(kn_ability_remove(f->world, ability, KN_GRANT_CANCEL), KN_OK);
        } else if (way == 1) {
            assert_int_equal(kn_ability_remove(f->world, ability, KN_GRANT_CANCEL), KN_OK);
        } else if (way == 2) { // the effect goes first: the ability stays
            kn_effect_id effect = only_effect(f, f->foe);
            assert_int_equal(kn_effect_remove(f->world, effect, 0, KN_REMOVED_DISPELLED), KN_OK);
            step(f, 0);
            assert_true(kn_activation_is_alive(f->world, activation));
            assert_int_equal(kn_ability_remove(f->world, ability, KN_GRANT_CANCEL), KN_OK);
        } else {
            assert_true(kn_entity_destroy(f->world, f->hero));
        }
        step(f, 0);
        assert_false(has(f, f->foe, "State.Ward"));
        assert_int_equal(kn_effects_count(f->world, f->foe), 0);
        assert_int_equal(kn_task_count(f->world), 0);
    }
    EXPECT_LOG(f, "Body: ended. Body: removed. Body: removed. Body: owner gone. ");
}

static void of_a_stack_only_its_own_part_goes(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    (void)k;
    kn_effect_def rage = infinite("Rage");
    rage.stacking.kind = KN_STACK_BY_TARGET;
    rage.stacking.limit = kn_constant(5.0f);
    kn_effect_type_id stacks = effect_register(f, &rage);
    kn_ability_apply_def apply = {.effect = stacks, .while_active = true};
    kn_ability_def def = body_def(f, KN_BODY_STAY, &apply, 1);
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_activation_id first = activate(f, ability);
    (void)activate(f, ability);
    kn_effect_id effect = only_effect(f, f->hero);
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    assert_int_equal(kn_activation_end(f->world, first), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    assert_int_equal(kn_ability_cancel(f->world, ability), KN_OK);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
}

// At its limit one stack is held by two: it goes with the last of them.
static void what_several_hold_goes_with_the_last(void **state)
{
    fixture *f = *state;
    kn_effect_def shared = infinite("Shared");
    shared.stacking.kind = KN_STACK_BY_TARGET;
    shared.stacking.limit = kn_constant(1.0f);
    kn_effect_type_id effect = effect_register(f, &shared);
    kn_ability_apply_def applies[2] = {
        {.effect = effect, .while_active = true}, {.effect = effect, .while_active = true}};
    kn_ability_def def = body_def(f, KN_BODY_STAY, applies, 1);
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id type = ability_register(f, &def);
    def = body_def(f, KN_BODY_STAY, applies, 2); // needs two tasks
    def.name = "Greedy";
    kn_ability_type_id greedy = ability_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.task_limit = 3;
    begin_with(f, world);
    kn_ability_id ability = grant(f, type);
    kn_activation_id first = activate(f, ability), second = activate(f, ability);
    // One that fails has nothing to remove.
    assert_int_equal(kn_ability_activate(f->world, grant(f, greedy), NULL, NULL), KN_REFUSED_LIMIT);
    assert_int_equal(kn_effects_count(f->world, f->hero), 1);
    assert_int_equal(kn_activation_end(f->world, first), KN_OK);
    assert_int_equal(kn_effects_count(f->world, f->hero), 1);
    check_replay_with(f, world, KN_MS(100));
    assert_int_equal(kn_activation_end(f->world, second), KN_OK);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
    assert_int_equal(kn_task_count(f->world), 0);
}

// The effect's own tag takes the ability away in the middle of its body.
static void what_it_applies_may_end_it(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_effect_def silence = infinite("Silence");
    kn_cancel_def cancel = {.with = tags_of(f, "Ability.Body")};
    silence.cancels = &cancel;
    silence.cancel_count = 1;
    kn_effect_type_id ends = effect_register(f, &silence);
    kn_ability_apply_def applies[2] = {{.effect = ends, .while_active = true}, {.effect = k.hurt}};
    kn_ability_def def = body_def(f, KN_BODY_STAY, applies, 2);
    def.tags = tags_of(f, "Ability.Body");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), NULL, &activation), KN_OK);
    assert_false(kn_activation_is_alive(f->world, activation));
    EXPECT_LOG(f, "Body: cancelled. ");
    assert_int_equal(kn_effects_count(f->world, f->hero), 0); // held by nobody
    assert_float_equal(value_of(f, f->health), 100.0f, 0.0f); // came too late
    assert_true(kn_world_validate(f->world));
}

static void a_task_limit_fails_it_and_leaves_nothing(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def applies[2] = {
        {.effect = k.ward, .while_active = true}, {.effect = k.brief, .while_active = true}};
    kn_ability_def def = body_def(f, KN_BODY_STAY, applies, 2);
    kn_ability_type_id type = ability_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.task_limit = 1;
    begin_with(f, world);
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), NULL, NULL), KN_REFUSED_LIMIT);
    EXPECT_LOG(f, "Body: failed. ");
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
    assert_int_equal(kn_task_count(f->world), 0);
}

static void the_tag_of_its_trigger_ends_one_that_stays(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def apply = {.effect = k.ward, .while_active = true};
    kn_trigger_def trigger = {
        .tag = tag_of(f, "State.Brief"), .source = KN_TRIGGER_SOURCE_TAG_PRESENT};
    kn_ability_def def = body_def(f, KN_BODY_STAY, &apply, 1);
    def.triggers = &trigger;
    def.trigger_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    (void)grant(f, type);
    assert_int_equal(
        kn_effect_apply_simple(f->world, k.brief, f->hero, f->hero, 1.0f, NULL), KN_OK);
    assert_true(has(f, f->hero, "State.Ward"));
    step(f, KN_MS(2000));
    assert_false(has(f, f->hero, "State.Ward"));
    EXPECT_LOG(f, "Body: tag lost. ");
}

static void task_count_of_hook(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    note(call->user, "Hook. ");
}

static void its_own_tasks_are_not_told_to_the_hook(void **state)
{
    fixture *f = *state;
    kn_ability_def def = body_def(f, KN_BODY_TIMED, NULL, 0);
    def.lasts = kn_constant(1.0f);
    def.task_done = task_count_of_hook;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_activation_id activation = activate(f, grant(f, type));
    assert_int_equal(kn_wait_delay(f->world, activation, 7, KN_MS(500)), KN_OK);
    step(f, KN_MS(1000));
    EXPECT_LOG(f, "Hook. Body: ended. ");
}

// The files changed while it ran: it ends as it would have.
static void what_waits_for_effects_does_so_with_another_body(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def applies[2] = {
        {.effect = k.brief}, {.effect = k.brief, .to = KN_APPLY_TO_TARGET}};
    kn_ability_def def = body_def(f, KN_BODY_EFFECTS, applies, 2);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    for (kn_ability_body body = KN_BODY_NONE; body < KN_BODY_COUNT; body++) {
        void *inner;
        (void)setup(&inner);
        fixture *other = inner;
        kit now = kit_register(other);
        kn_ability_apply_def apply = {.effect = now.brief};
        kn_ability_def changed = body_def(f, body, &apply, body != KN_BODY_NONE);
        changed.lasts = kn_constant(body == KN_BODY_TIMED ? 1.0f : 0.0f);
        (void)ability_register(other, &changed);
        assert_int_equal(kn_library_finish(other->library, NULL), KN_OK);
        kn_event_record event = event_of(f, "Damage");
        kn_activation_id activation;
        assert_int_equal(kn_ability_activate(f->world, ability, &event, &activation), KN_OK);
        step(f, KN_MS(500));
        assert_int_equal(kn_world_reload(f->world, other->library, NULL), KN_OK);
        step(f, KN_MS(1499));
        assert_true(kn_activation_is_alive(f->world, activation));
        step(f, KN_MS(1));
        assert_false(kn_activation_is_alive(f->world, activation));
        EXPECT_LOG(f, "Body: ended. ");
        assert_int_equal(kn_task_count(f->world), 0);
        assert_int_equal(kn_world_reload(f->world, f->library, NULL), KN_OK);
        (void)teardown(&inner);
    }
}

static void destroy_when_applied(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)spec;
    (void)state;
    (void)kn_entity_destroy(world, *(kn_entity_id *)user);
}

// Who dies while a body applies is gone afterwards, and nothing of it is left.
static void the_owner_or_the_target_dies_in_the_middle(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_entity_id victim = {0};
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Kill";
    logic.applied = destroy_when_applied;
    logic.user = &victim;
    kn_effect_def kill = infinite("Kill");
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &kill.logic, NULL), KN_OK);
    kn_effect_type_id deadly = effect_register(f, &kill);
    kn_ability_apply_def applies[3] = {{.effect = k.ward, .while_active = true},
        {.effect = deadly, .to = KN_APPLY_TO_TARGET, .while_active = true},
        {.effect = k.brief, .to = KN_APPLY_TO_TARGET, .while_active = true}};
    kn_ability_def def = body_def(f, KN_BODY_EFFECTS, applies, 3);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_event_record event = event_of(f, "Damage");
    kn_activation_id activation;
    victim = f->foe;
    assert_int_equal(kn_ability_activate(f->world, ability, &event, &activation), KN_OK);
    step(f, 0);
    assert_false(kn_entity_is_alive(f->world, f->foe));
    assert_true(kn_activation_is_alive(f->world, activation)); // the ward is there
    assert_int_equal(kn_task_count(f->world), 1);
    assert_int_equal(kn_activation_cancel(f->world, activation), KN_OK);
    EXPECT_LOG(f, "Body: cancelled. ");
    victim = f->hero;
    event.target = f->hero;
    assert_int_equal(kn_ability_activate(f->world, ability, &event, NULL), KN_OK);
    step(f, 0);
    assert_false(kn_entity_is_alive(f->world, f->hero));
    assert_int_equal(kn_task_count(f->world), 0);
    EXPECT_LOG(f, "Body: owner gone. ");
}

static void a_retriggered_one_takes_its_effects_along(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def apply = {.effect = k.ward, .while_active = true};
    kn_ability_def def = body_def(f, KN_BODY_TIMED, &apply, 1);
    def.lasts = kn_constant(2.0f);
    def.retriggers = true;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_activation_id first = activate(f, ability);
    step(f, KN_MS(1500));
    kn_activation_id second = activate(f, ability);
    EXPECT_LOG(f, "Body: retriggered. ");
    assert_false(kn_activation_is_alive(f->world, first));
    assert_int_equal(kn_effects_count(f->world, f->hero), 1);
    check_replay(f, KN_MS(2000));
    step(f, KN_MS(1999));
    assert_true(kn_activation_is_alive(f->world, second));
    step(f, KN_MS(1));
    EXPECT_LOG(f, "Body: ended. ");
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
}

typedef struct refusal {
    const char *sentence;
    kn_ability_body body;
    kn_ability_apply_def apply; // unless all zero
    float lasts;
    bool is_triggered, has_function, has_no_instances;
} refusal;

static void bodies_that_make_no_sense_are_refused_with_the_remedy(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_targeting_id targeting;
    kn_targeting_def self = kn_targeting_def_default();
    self.name = "Self";
    assert_int_equal(kn_targeting_register(f->library, &self, &targeting, NULL), KN_OK);
    const kn_ability_apply_def none = {.to = KN_APPLY_TO_TARGET}; // names nothing
    const refusal refusals[] = {
        {.body = KN_BODY_NONE,
            .is_triggered = true,
            .sentence =
                "it has triggers but nothing to do; give it a body, such as `use`, or functions"},
        {.body = KN_BODY_NONE,
            .apply = {.effect = k.hurt},
            .sentence = "`applies` and `lasts` need a body, such as `use`"},
        {.body = KN_BODY_NONE,
            .lasts = 1.0f,
            .sentence = "`applies` and `lasts` need a body, such as `use`"},
        {.body = KN_BODY_USE,
            .has_function = true,
            .sentence = "it already has functions; `body` is for abilities without"},
        {.body = KN_BODY_STAY,
            .has_no_instances = true,
            .sentence = "without instances the body can only be `use`"},
        {.body = KN_BODY_USE,
            .lasts = 1.0f,
            .sentence = "the body `timed` needs `lasts`, and `lasts` needs the body `timed`"},
        {.body = KN_BODY_TIMED,
            .sentence = "the body `timed` needs `lasts`, and `lasts` needs the body `timed`"},
        {.body = KN_BODY_EFFECTS, .sentence = "the body `effects` needs effects in `applies`"},
        {.body = KN_BODY_USE,
            .apply = none,
            .sentence = "each entry of `applies` names either an effect or a container"},
        {.body = KN_BODY_USE,
            .apply = {.effect = k.hurt, .container = k.both},
            .sentence = "each entry of `applies` names either an effect or a container"},
        {.body = KN_BODY_USE,
            .apply = {.effect = k.hurt, .to = KN_APPLY_TO_TARGETING},
            .sentence =
                "`to: targeting` needs a `targeting` type, and `targeting` needs `to: targeting`"},
        {.body = KN_BODY_USE,
            .apply = {.effect = k.hurt, .targeting = targeting},
            .sentence =
                "`to: targeting` needs a `targeting` type, and `targeting` needs `to: targeting`"},
        {.body = KN_BODY_USE,
            .apply = {.container = k.both, .to = KN_APPLY_TO_TARGETING, .targeting = targeting},
            .sentence = "`targeting` is for effects; a container finds its own targets"},
        {.body = KN_BODY_USE,
            .apply = {.effect = k.ward, .while_active = true},
            .sentence = "`while_active` needs a body that lasts; this one ends at once"},
        {.body = KN_BODY_STAY,
            .apply = {.effect = k.hurt, .while_active = true},
            .sentence = "`while_active` needs an effect with a duration"},
    };
    kn_trigger_def trigger = {.tag = tag_of(f, "Event.Hit"), .source = KN_TRIGGER_SOURCE_EVENT};
    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
        const refusal *r = &refusals[i];
        bool has_apply =
            r->apply.effect.index1 + r->apply.container.index1 + (uint32_t)r->apply.to != 0;
        kn_ability_def def = body_def(f, r->body, &r->apply, has_apply);
        def.lasts = kn_constant(r->lasts);
        def.instancing = r->has_no_instances ? KN_INSTANCING_NONE : KN_INSTANCING_PER_ACTOR;
        def.triggers = &trigger;
        def.trigger_count = r->is_triggered;
        def.activate = r->has_function ? note_activate : NULL;
        kn_ability_type_id type;
        kn_error error = {0};
        assert_int_equal(kn_ability_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
        char expected[256];
        (void)snprintf(expected, sizeof(expected), "ability `Body`: %s", r->sentence);
        assert_string_equal(error.message, expected);
        assert_int_equal(type.index1, 0);
    }
    kn_ability_def bad = body_def(f, KN_BODY_COUNT, NULL, 0);
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(f->library, &bad, &type, NULL), KN_ERROR_BAD_DATA);
    bad = body_def(f, KN_BODY_USE, NULL, 1);
    assert_int_equal(kn_ability_register(f->library, &bad, &type, NULL), KN_ERROR_BAD_DATA);
    kn_name name;
    assert_int_equal(kn_name_register(f->library, "Bonus", &name, NULL), KN_OK);
    kn_ability_def timed = body_def(f, KN_BODY_TIMED, NULL, 0);
    timed.lasts = (kn_scalable){.value = 1.0f, .parameter = name};
    kn_error error = {0};
    assert_int_equal(kn_ability_register(f->library, &timed, &type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message,
        "ability `Body`: one of its numbers is a parameter; only effects have parameters");
}

// Lists that a rule applies ----------------------------------------------------

static kn_result apply_all(
    const fixture *f, kn_activation_id activation, const kn_ability_apply_def *applies, uint32_t n)
{
    return kn_activation_apply_all(f->world, activation, applies, n);
}

static void a_rule_applies_a_list_as_a_body_would(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def applies[4] = {
        {.container = k.both, .to = KN_APPLY_TO_TARGET, .while_active = true},
        {.effect = k.taken, .to = KN_APPLY_TO_INSTIGATOR}, // without its value: refused, no error
        {.effect = k.taken, .to = KN_APPLY_TO_INSTIGATOR, .magnitude_tag = tag_of(f, "Damage")},
        {.effect = k.brief, .while_active = true},
    };
    kn_ability_def def = ability_def(f, "Cast");
    def.task_done = task_count_of_hook;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_event_record event = event_of(f, "Damage");
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->world, ability, &event, &activation), KN_OK);
    EXPECT_LOG(f, "Cast activates. ");
    assert_int_equal(apply_all(f, activation, applies, 4), KN_OK);
    assert_float_equal(foe_health(f), 100.0f - 10.0f - 20.0f, 0.0f);
    assert_true(has(f, f->foe, "State.Ward"));
    assert_true(has(f, f->hero, "State.Brief"));
    check_replay(f, KN_MS(1000));
    // What is held may end first: without a body that waits for it, the activation goes on, and its
    // own hook hears nothing of it.
    step(f, KN_MS(3000));
    assert_false(has(f, f->hero, "State.Brief"));
    assert_int_equal(
        kn_effect_remove(f->world, only_effect(f, f->foe), 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_true(kn_activation_is_alive(f->world, activation));
    EXPECT_LOG(f, "");
    // Once more, and now the activation ends first.
    assert_int_equal(apply_all(f, activation, applies, 1), KN_OK);
    assert_true(has(f, f->foe, "State.Ward"));
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_false(has(f, f->foe, "State.Ward"));
    EXPECT_LOG(f, "Cast: ended. ");
    assert_int_equal(apply_all(f, activation, applies, 4), KN_REFUSED_STALE_ID);
    assert_int_equal(apply_all(f, (kn_activation_id){0}, applies, 4), KN_REFUSED_STALE_ID);
    assert_float_equal(foe_health(f), 60.0f, 0.0f);
}

static void a_body_of_effects_waits_for_what_a_rule_adds(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def brief = {.effect = k.brief};
    kn_ability_apply_def ward = {.effect = k.ward};
    kn_ability_def def = body_def(f, KN_BODY_EFFECTS, &brief, 1);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_activation_id activation = activate(f, grant(f, type));
    assert_int_equal(apply_all(f, activation, &ward, 1), KN_OK);
    step(f, KN_MS(3000));
    assert_true(kn_activation_is_alive(f->world, activation));
    assert_int_equal(
        kn_effect_remove(f->world, only_effect(f, f->hero), 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_false(kn_activation_is_alive(f->world, activation));
}

static void the_rest_of_a_list_is_passed_over_when_the_activation_ends(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_effect_def silence = infinite("Silence");
    kn_cancel_def cancel = {.with = tags_of(f, "Ability.Short")};
    silence.cancels = &cancel;
    silence.cancel_count = 1;
    kn_ability_apply_def applies[2] = {
        {.effect = effect_register(f, &silence)}, {.effect = k.hurt}};
    kn_ability_def def = ability_def(f, "Short");
    def.tags = tags_of(f, "Ability.Short");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_activation_id activation = activate(f, grant(f, type));
    assert_int_equal(apply_all(f, activation, applies, 2), KN_OK);
    assert_false(kn_activation_is_alive(f->world, activation));
    assert_float_equal(value_of(f, f->health), 100.0f, 0.0f);
}

static void a_list_that_makes_no_sense_applies_nothing(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_def def = ability_def(f, "Cast");
    kn_ability_type_id type = ability_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.task_limit = 1;
    begin_with(f, world);
    kn_activation_id activation = activate(f, grant(f, type));
    const kn_ability_apply_def bad[] = {
        {.to = KN_APPLY_TO_OWNER},
        {.effect = k.ward, .container = k.both},
        {.effect = {999}},
        {.container = {999}},
        {.effect = k.ward, .to = KN_APPLY_TO_COUNT},
        {.effect = k.ward, .to = KN_APPLY_TO_TARGETING},
        {.effect = k.ward, .to = KN_APPLY_TO_TARGETING, .targeting = {999}},
        {.effect = k.ward, .targeting = {1}},
        {.effect = k.ward, .magnitude_tag = {9999}},
    };
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        kn_ability_apply_def applies[2] = {{.effect = k.hurt}, bad[i]};
        assert_int_equal(apply_all(f, activation, applies, 2), KN_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(apply_all(f, activation, NULL, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_activation_apply_all(NULL, activation, NULL, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(apply_all(f, activation, NULL, 0), KN_OK);
    assert_float_equal(value_of(f, f->health), 100.0f, 0.0f);
    // More tasks than the world allows: what cannot be held does not stay.
    kn_ability_apply_def held[3] = {{.effect = k.brief, .while_active = true},
        {.effect = k.ward, .while_active = true}, {.effect = k.hurt}};
    assert_int_equal(apply_all(f, activation, held, 3), KN_REFUSED_LIMIT);
    assert_true(has(f, f->hero, "State.Brief"));
    assert_false(has(f, f->hero, "State.Ward"));
    assert_float_equal(value_of(f, f->health), 100.0f, 0.0f);
}

static kn_target_view aim_at(const fixture *f, kn_target_data *data, kn_entity_id entity)
{
    kn_target_entity record = {entity};
    *data = (kn_target_data){0};
    assert_int_equal(kn_target_add(f->library, data, kn_target_type_entity(), &record), KN_OK);
    return kn_target_data_view(data);
}

static void an_activation_can_be_aimed_again(void **state)
{
    fixture *f = *state;
    kit k = kit_register(f);
    kn_ability_apply_def hit = {
        .effect = k.taken, .to = KN_APPLY_TO_TARGET, .magnitude_tag = tag_of(f, "Damage")};
    kn_ability_def def = ability_def(f, "Cast");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_event_record event = event_of(f, "Damage"); // at the foe, of 40
    kn_activation_id first, second, bare;
    assert_int_equal(kn_ability_activate(f->world, ability, &event, &first), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, ability, &event, &second), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, &bare), KN_OK);
    kn_target_data data;
    kn_target_view view = aim_at(f, &data, f->hero);
    assert_int_equal(kn_activation_set_targets(f->world, first, view), KN_OK);
    assert_int_equal(apply_all(f, first, &hit, 1), KN_OK);
    assert_float_equal(kn_attribute_value(f->world, f->hero, f->health), 80.0f, 0.0f);
    assert_float_equal(foe_health(f), 100.0f, 0.0f);
    // The rest of the event is as it was, and others keep theirs.
    kn_event_record told;
    assert_true(kn_activation_event(f->world, first, &told));
    assert_true(kn_entity_id_equal(told.target, f->foe) && told.magnitude == 40.0f);
    assert_int_equal(told.tag.index1, event.tag.index1);
    assert_int_equal(apply_all(f, second, &hit, 1), KN_OK);
    assert_float_equal(foe_health(f), 80.0f, 0.0f);
    check_replay(f, KN_MS(100));
    // One without an event gets one, and none is the target of the event again.
    assert_false(kn_activation_event(f->world, bare, &told));
    assert_int_equal(kn_activation_set_targets(f->world, bare, view), KN_OK);
    assert_true(kn_activation_event(f->world, bare, &told) && told.data_size == view.size);
    assert_int_equal(kn_activation_set_targets(f->world, first, (kn_target_view){NULL, 0}), KN_OK);
    assert_int_equal(apply_all(f, first, &hit, 1), KN_OK);
    assert_float_equal(foe_health(f), 60.0f, 0.0f);
    assert_int_equal(kn_activation_set_targets(f->world, first, (kn_target_view){"garbage", 7}),
        KN_ERROR_BAD_DATA);
    assert_int_equal(kn_activation_end(f->world, first), KN_OK);
    assert_int_equal(kn_activation_set_targets(f->world, first, view), KN_REFUSED_STALE_ID);
}

static const struct CMUnitTest tests[] = {
    TEST(a_use_pays_applies_and_is_over),
    TEST(what_is_paid_is_paid_once_whatever_the_policy),
    TEST(a_trigger_reaches_the_target_and_the_instigator_of_its_event),
    TEST(target_data_goes_before_the_target),
    TEST(those_that_targeting_finds),
    TEST(a_timed_one_lasts_by_level_and_takes_its_effects_along),
    TEST(what_a_body_applies_has_the_level_of_the_ability),
    TEST(an_ability_may_end_while_its_effect_is_being_applied),
    TEST(a_held_one_lasts_until_the_input_is_released),
    TEST(one_of_effects_ends_with_the_last_of_them),
    TEST(with_no_effect_that_lasts_it_is_over_at_once),
    TEST(one_that_stays_holds_its_effects_on_others_however_it_ends),
    TEST(of_a_stack_only_its_own_part_goes),
    TEST(what_several_hold_goes_with_the_last),
    TEST(what_it_applies_may_end_it),
    TEST(a_task_limit_fails_it_and_leaves_nothing),
    TEST(the_tag_of_its_trigger_ends_one_that_stays),
    TEST(its_own_tasks_are_not_told_to_the_hook),
    TEST(what_waits_for_effects_does_so_with_another_body),
    TEST(the_owner_or_the_target_dies_in_the_middle),
    TEST(a_retriggered_one_takes_its_effects_along),
    TEST(bodies_that_make_no_sense_are_refused_with_the_remedy),
    TEST(a_rule_applies_a_list_as_a_body_would),
    TEST(a_body_of_effects_waits_for_what_a_rule_adds),
    TEST(the_rest_of_a_list_is_passed_over_when_the_activation_ends),
    TEST(a_list_that_makes_no_sense_applies_nothing),
    TEST(an_activation_can_be_aimed_again),
};

TEST_GROUP(ability_bodies, tests, NULL, NULL);
