// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cues as the simulation publishes them: from effects, abilities and game code.

#include "scenario/ability_fixture.h"

static kn_effect_def cue_effect(fixture *f, const char *name, kn_duration_kind kind)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    char cue[64];
    (void)snprintf(cue, sizeof(cue), "GameplayCue.%s", name);
    def.cue_tags = tags_of(f, cue);
    return def;
}

static kn_effect_def lasting_cues(const char *name, const kn_tag *tags, uint32_t count)
{
    kn_effect_def def = infinite(name);
    def.cue_tags = (kn_tags){tags, count};
    return def;
}

static const char *leaf(const fixture *f, kn_tag tag)
{
    const char *name = kn_tag_name(f->library, tag);
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

// Publishes what happened and notes its cues: "Burn added. Burn removed!. "; the mark says that it
// was interrupted.
static void tell(fixture *f, kn_time dt)
{
    static const char *const actions[] = {"added", "executed", "updated", "removed"};
    step(f, dt);
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_CUE) {
            note(f, "%s %s%s. ", leaf(f, event->data.cue.tag), actions[event->data.cue.action],
                event->data.cue.interrupted ? "!" : "");
        }
    }
}

// Parameters of the first cue of the last step with this action.
static kn_cue_params params_of(const fixture *f, kn_cue_action action)
{
    kn_events events = kn_world_events(f->world);
    kn_cue_params params = kn_cue_params_default();
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CUE && events.data[i].data.cue.action == action) {
            assert_true(kn_cue_event_params(f->world, &events.data[i], &params));
            return params;
        }
    }
    fail_msg("no such cue");
    return params;
}

static kn_effect_id apply(fixture *f, kn_effect_type_id type)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->foe, f->hero, 1.0f, &effect), KN_OK);
    return effect;
}

// Steps twice from the same snapshot: both ways end the same.
static void expect_rollback_safe(fixture *f, kn_time dt)
{
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    uint64_t before = kn_world_hash(f->world);
    step(f, dt);
    uint64_t after = kn_world_hash(f->world);
    snapshot_restore(f->world, snapshot, size);
    assert_true(kn_world_hash(f->world) == before);
    step(f, dt);
    assert_true(kn_world_hash(f->world) == after);
    snapshot_restore(f->world, snapshot, size);
    free(snapshot);
}

// A second world with the state of a save of the first, the same now and a step later.
static kn_world *expect_save_safe(fixture *f, kn_time dt)
{
    size_t size = 0;
    void *save = save_of(f->world, &size);
    kn_world *other = world_of(f, kn_world_def_default());
    save_load(other, save, size);
    free(save);
    assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    step(f, dt);
    assert_int_equal(kn_world_step(other, dt), KN_OK);
    assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    assert_true(kn_world_validate(other));
    return other;
}

// CUE-001, CUE-003, CUE-010, CUE-044, EFF-015: instant effects execute, lasting ones add
// and remove; expiry is not an interruption, a removal is. BEY-047
static void effects_tell_their_cues(void **state)
{
    fixture *f = *state;
    kn_effect_def hit_def = cue_effect(f, "Hit", KN_DURATION_INSTANT);
    kn_effect_def burn_def = cue_effect(f, "Burn", KN_DURATION_TIMED);
    burn_def.duration = kn_magnitude_constant(2.0f);
    kn_effect_type_id hit = effect_register(f, &hit_def), burn = effect_register(f, &burn_def);
    begin(f);
    apply(f, hit);
    apply(f, burn);
    tell(f, 0);
    EXPECT_LOG(f, "Hit executed. Burn added. ");
    expect_rollback_safe(f, KN_S(2));
    tell(f, KN_S(2));
    EXPECT_LOG(f, "Burn removed. ");
    kn_effect_id second = apply(f, burn);
    remove_effect(f, second);
    tell(f, 0);
    EXPECT_LOG(f, "Burn added. Burn removed!. ");
}

// BEY-047: a periodic effect is added before it first executes.
static void a_cue_is_added_before_its_first_tick(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5.0f);
    kn_effect_def def = cue_effect(f, "Burn", KN_DURATION_TIMED);
    def.duration = kn_magnitude_constant(2.0f);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id burn = effect_register(f, &def);
    begin(f);
    apply(f, burn);
    tell(f, 0);
    EXPECT_LOG(f, "Burn added. Burn executed. ");
    tell(f, KN_S(2));
    EXPECT_LOG(f, "Burn executed. Burn executed. Burn removed. ");
}

// BEY-047: changes of stacks and levels are published.
static void a_change_of_stacks_or_level_updates_a_cue(void **state)
{
    fixture *f = *state;
    kn_effect_def def = cue_effect(f, "Poison", KN_DURATION_INFINITE);
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, poison);
    apply(f, poison);
    tell(f, 0);
    EXPECT_LOG(f, "Poison added. Poison updated. ");
    assert_int_equal(params_of(f, KN_CUE_ADDED).stacks, 1);
    assert_int_equal(params_of(f, KN_CUE_UPDATED).stacks, 2);
    assert_int_equal(kn_effect_set_level(f->world, effect, 3.0f), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Poison updated. ");
    assert_true(params_of(f, KN_CUE_UPDATED).effect_level == 3.0f);
    assert_int_equal(kn_cue_count(f->world, f->hero, def.cue_tags.data[0]), 1);
}

// An effect whose modifier follows the source's mana while it is active.
static kn_effect_def following(fixture *f, kn_modifier_def *modifier)
{
    *modifier = kn_modifier_constant(f->health, KN_OP_ADD, 0.0f);
    modifier->magnitude = kn_magnitude_attribute(f->mana, KN_CAPTURE_FROM_SOURCE, false, 0.5f);
    kn_effect_def def = cue_effect(f, "Aura", KN_DURATION_INFINITE);
    def.modifiers = modifier;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    return def;
}

static float updated_to(const fixture *f)
{
    return params_of(f, KN_CUE_UPDATED).magnitude;
}

// BEY-047: the magnitude, also by an attribute that is followed; the latest of a step.
static void a_change_of_magnitude_updates_a_cue_once_in_a_step(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier;
    kn_effect_def def = following(f, &modifier);
    kn_effect_type_id aura = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, aura);
    tell(f, 0);
    EXPECT_LOG(f, "Aura added. ");
    assert_true(params_of(f, KN_CUE_ADDED).magnitude == 50.0f);
    for (uint32_t i = 0; i < 3; i++) {
        float mana = 80.0f - 20.0f * (float)i;
        set_base(f, f->foe, f->mana, mana);
    }
    expect_rollback_safe(f, KN_MS(10)); // with a change that was not published yet
    tell(f, KN_MS(10));
    EXPECT_LOG(f, "Aura updated. ");
    assert_true(updated_to(f) == 20.0f);
    tell(f, KN_MS(10));
    EXPECT_LOG(f, ""); // once
    // Stacks, level and magnitude at once are one change.
    assert_int_equal(kn_effect_set_stacks(f->world, effect, 3), KN_OK);
    assert_int_equal(kn_effect_set_level(f->world, effect, 2.0f), KN_OK);
    set_base(f, f->foe, f->mana, 10.0f);
    tell(f, 0);
    EXPECT_LOG(f, "Aura updated. ");
    assert_int_equal(params_of(f, KN_CUE_UPDATED).stacks, 3);
    assert_true(updated_to(f) == 15.0f);
    // What does not change it is not published; nor is a change of a cue that is gone at the end of
    // the step.
    set_base(f, f->foe, f->stamina, 10.0f);
    tell(f, 0);
    EXPECT_LOG(f, "");
    set_base(f, f->foe, f->mana, 30.0f);
    remove_effect(f, effect);
    tell(f, 0);
    EXPECT_LOG(f, "Aura removed!. ");
}

// BEY-047: values of the caller, and a newcomer that takes over a stack.
static void a_change_of_values_updates_a_cue(void **state)
{
    fixture *f = *state;
    kn_tag power = tag_of(f, "Power");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_set_by_caller(power);
    modifier.magnitude.has_default = true;
    modifier.scaling = KN_STACK_SCALING_NO;
    kn_effect_def def = cue_effect(f, "Aura", KN_DURATION_INFINITE);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(1.0f);
    kn_effect_type_id aura = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, aura);
    tell(f, 0);
    EXPECT_LOG(f, "Aura added. ");
    assert_int_equal(kn_effect_set_caller_value(f->world, effect, power, 4.0f), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Aura updated. ");
    assert_true(updated_to(f) == 4.0f);
    assert_int_equal(kn_effect_set_caller_value(f->world, effect, power, 4.0f), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "");
    kn_caller_value value = {power, 7.0f};
    kn_effect_apply_def again = kn_effect_apply_def_default();
    again.type = aura;
    again.target = f->hero;
    again.caller_values = &value;
    again.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &again, NULL), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Aura updated. ");
    assert_true(updated_to(f) == 7.0f);
}

// A change in a snapshot is published after each restore, and an effect does not stay marked.
static void a_change_survives_a_snapshot(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier;
    kn_effect_def def = following(f, &modifier);
    kn_effect_type_id aura = effect_register(f, &def);
    begin(f);
    apply(f, aura);
    tell(f, 0);
    set_base(f, f->foe, f->mana, 80.0f);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    for (uint32_t i = 0; i < 2; i++) {
        f->log[0] = 0;
        tell(f, 0);
        EXPECT_LOG(f, "Aura updated. ");
        assert_true(updated_to(f) == 40.0f);
        set_base(f, f->foe, f->mana, 60.0f);
        tell(f, 0);
        EXPECT_LOG(f, "Aura updated. ");
        snapshot_restore(f->world, snapshot, size);
    }
    free(snapshot);
    // A save has no unpublished changes: the world that loads it publishes the next one.
    kn_world_destroy(expect_save_safe(f, 0));
}

// BEY-047: success per phase.
static void a_cue_that_needs_a_modifier_in_force_waits_for_one(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier;
    kn_effect_def def = following(f, &modifier);
    modifier.target.required = tags_of(f, "Wet");
    modifier.when = KN_REQUIREMENT_TIME_CONTINUOUS;
    def.cue_needs_success = KN_CUE_PHASE_ADDED;
    def.ongoing.target.ignored = tags_of(f, "Dry");
    kn_effect_type_id aura = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, aura);
    tell(f, 0);
    EXPECT_LOG(f, ""); // nobody is wet
    assert_int_equal(kn_cue_count(f->world, f->hero, def.cue_tags.data[0]), 0);
    assert_int_equal(kn_cues(f->world, f->hero, NULL, 0), 0);
    kn_tag wet = tag_of(f, "Wet"), dry = tag_of(f, "Dry");
    add_tag(f, f->hero, wet);
    assert_int_equal(kn_effect_set_stacks(f->world, effect, 2), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Aura added. "); // with what changed
    assert_int_equal(kn_cue_count(f->world, f->hero, def.cue_tags.data[0]), 1);
    expect_rollback_safe(f, KN_MS(10));
    kn_world_destroy(expect_save_safe(f, KN_MS(10)));
    // What was added is removed, whatever its modifiers do meanwhile.
    remove_tag(f, f->hero, wet);
    add_tag(f, f->hero, dry);
    tell(f, 0);
    EXPECT_LOG(f, "Aura removed!. ");
    remove_tag(f, f->hero, dry);
    tell(f, 0);
    EXPECT_LOG(f, ""); // on again, but not in force
    remove_effect(f, effect);
    tell(f, 0);
    EXPECT_LOG(f, "");
    add_tag(f, f->hero, wet);
    apply(f, aura);
    tell(f, 0);
    EXPECT_LOG(f, "Aura added. ");
}

// BEY-047: success per phase.
static void an_update_may_need_another_magnitude(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier;
    kn_effect_def def = following(f, &modifier);
    modifier.scaling = KN_STACK_SCALING_NO;
    def.cue_needs_success = KN_CUE_PHASE_UPDATED;
    kn_effect_type_id aura = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, aura);
    tell(f, 0);
    EXPECT_LOG(f, "Aura added. ");
    assert_int_equal(kn_effect_set_stacks(f->world, effect, 3), KN_OK);
    assert_int_equal(kn_effect_set_level(f->world, effect, 2.0f), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "");
    set_base(f, f->foe, f->mana, 10.0f);
    tell(f, 0);
    EXPECT_LOG(f, "Aura updated. ");
}

// BEY-047
static void the_end_of_a_cue_needs_no_success(void **state)
{
    fixture *f = *state;
    kn_effect_def def = cue_effect(f, "Burn", KN_DURATION_INFINITE);
    def.cue_needs_success = 1u << KN_CUE_REMOVED;
    kn_effect_type_id type;
    kn_error error = {0};
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "success"));
}

// CUE-010: what is switched off shows nothing.
static void an_inhibited_effect_has_no_cue(void **state)
{
    fixture *f = *state;
    kn_effect_def def = cue_effect(f, "Glow", KN_DURATION_INFINITE);
    def.ongoing.target.ignored = tags_of(f, "State.Dark");
    kn_effect_type_id glow = effect_register(f, &def);
    begin(f);
    kn_tag dark = tag_of(f, "State.Dark");
    apply(f, glow);
    tell(f, 0);
    EXPECT_LOG(f, "Glow added. ");
    add_tag(f, f->hero, dark);
    tell(f, 0);
    EXPECT_LOG(f, "Glow removed!. ");
    assert_int_equal(kn_cues(f->world, f->hero, NULL, 0), 0);
    remove_tag(f, f->hero, dark);
    tell(f, 0);
    EXPECT_LOG(f, "Glow added. ");
    assert_int_equal(kn_cues(f->world, f->hero, NULL, 0), 1);
}

// TVA-058, CUE-010
static void immunity_keeps_cues_away(void **state)
{
    fixture *f = *state;
    kn_effect_def burn_def = cue_effect(f, "Burn", KN_DURATION_INFINITE);
    burn_def.asset_tags = tags_of(f, "Effect.Fire");
    kn_gate_def gate = {.record = {.required = burn_def.asset_tags}};
    kn_effect_def shield_def = infinite("Shield");
    shield_def.gates = &gate;
    shield_def.gate_count = 1;
    kn_effect_type_id burn = effect_register(f, &burn_def);
    kn_effect_type_id shield = effect_register(f, &shield_def);
    kn_effect_def hit_def = cue_effect(f, "Hit", KN_DURATION_INSTANT);
    hit_def.application.target.ignored = tags_of(f, "State.Ghost");
    kn_effect_type_id hit = effect_register(f, &hit_def);
    begin(f);
    kn_effect_id shielded = apply(f, shield), effect;
    assert_int_equal(
        kn_effect_apply_simple(f->world, burn, f->foe, f->hero, 1.0f, &effect), KN_REFUSED_BLOCKED);
    kn_tag ghost = tag_of(f, "State.Ghost"); // and so do tags
    add_tag(f, f->hero, ghost);
    assert_int_equal(kn_effect_apply_simple(f->world, hit, f->foe, f->hero, 1.0f, &effect),
        KN_REFUSED_REQUIREMENT);
    tell(f, 0);
    EXPECT_LOG(f, "");
    remove_effect(f, shielded);
    remove_tag(f, f->hero, ghost);
    apply(f, burn);
    apply(f, hit);
    tell(f, 0);
    EXPECT_LOG(f, "Burn added. Hit executed. ");
}

// Whoever has mana left parries: the target is told so, and so is the source.
static void block(void *user, kn_execution *execution)
{
    fixture *f = user;
    kn_world *world = kn_execution_world(execution);
    kn_entity_id target = kn_execution_target(execution);
    if (kn_attribute_value(world, target, f->mana) == 0.0f) {
        return;
    }
    kn_execution_handle_cues(execution);
    assert_int_equal(
        kn_cue_execute(world, target, kn_tag_find(f->library, "GameplayCue.Blocked"), NULL), KN_OK);
    assert_int_equal(kn_cue_execute(world, kn_execution_source(execution),
                         kn_tag_find(f->library, "GameplayCue.Stagger"), NULL),
        KN_OK);
}

// TVA-054, CUE-031
static void an_execution_can_play_other_cues(void **state)
{
    fixture *f = *state;
    tag_of(f, "GameplayCue.Blocked");
    tag_of(f, "GameplayCue.Stagger");
    kn_execution_def execution_def = kn_execution_def_default();
    execution_def.name = "Block";
    execution_def.function = block;
    execution_def.user = f;
    kn_execution_use use = {0};
    assert_int_equal(
        kn_execution_register(f->library, &execution_def, &use.execution, NULL), KN_OK);
    kn_effect_def def = cue_effect(f, "Hit", KN_DURATION_INSTANT);
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id hit = effect_register(f, &def);
    begin(f);
    apply(f, hit);
    tell(f, 0);
    EXPECT_LOG(f, "Blocked executed. Stagger executed. ");
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CUE) {
            bool is_blocked = strcmp(leaf(f, events.data[i].data.cue.tag), "Blocked") == 0;
            assert_true(kn_entity_id_equal(events.data[i].entity, is_blocked ? f->hero : f->foe));
        }
    }
    // It counts for the one application.
    set_base(f, f->hero, f->mana, 0.0f);
    apply(f, hit);
    tell(f, 0);
    EXPECT_LOG(f, "Hit executed. ");
}

// TVA-057, BEY-047: magnitude as asked for, what really changed, and normalised.
static void magnitudes_come_from_the_cue_attribute(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[2] = {kn_modifier_constant(f->mana, KN_OP_ADD, -7.0f),
        kn_modifier_constant(f->health, KN_OP_ADD, -25.0f)};
    kn_effect_def hit_def = cue_effect(f, "Hit", KN_DURATION_INSTANT);
    hit_def.cue_attribute = f->health;
    hit_def.cue_min = 0.0f;
    hit_def.cue_max = -100.0f;
    hit_def.modifiers = modifiers;
    hit_def.modifier_count = 2;
    kn_effect_def drain_def = cue_effect(f, "Drain", KN_DURATION_INSTANT);
    drain_def.cue_attribute = f->health;
    drain_def.modifiers = modifiers;
    drain_def.modifier_count = 1;
    kn_effect_type_id hit = effect_register(f, &hit_def), drain = effect_register(f, &drain_def);
    kn_modifier_def asked = kn_modifier_constant(f->health, KN_OP_ADD, 0.0f);
    asked.magnitude = kn_magnitude_set_by_caller(tag_of(f, "Data.Amount"));
    kn_effect_def ranged_def = hit_def;
    ranged_def.name = "Ranged";
    ranged_def.modifiers = &asked;
    ranged_def.modifier_count = 1;
    kn_effect_type_id ranged = effect_register(f, &ranged_def);
    kn_effect_def unnamed_def = hit_def;
    unnamed_def.name = "Unnamed";
    unnamed_def.cue_attribute = (kn_attribute_id){0};
    kn_effect_type_id unnamed = effect_register(f, &unnamed_def);
    begin(f);
    set_base(f, f->hero, f->health, 10.0f);
    apply(f, hit);
    tell(f, 0);
    kn_cue_params params = params_of(f, KN_CUE_EXECUTED);
    assert_true(params.magnitude == -25.0f);
    assert_true(params.change == -10.0f); // there was no more
    assert_true(params.normalised == 0.25f);
    // At the ends of the range, and beyond them.
    static const float changes[5] = {-100.0f, -101.0f, -1000.0f, 0.0f, 40.0f};
    static const float shares[5] = {1.0f, 1.0f, 1.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < 5; i++) {
        kn_caller_value amount = {tag_of(f, "Data.Amount"), changes[i]};
        kn_effect_apply_def def = kn_effect_apply_def_default();
        def.type = ranged;
        def.source = f->foe;
        def.target = f->hero;
        def.caller_values = &amount;
        def.caller_value_count = 1;
        assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
        tell(f, 0);
        assert_true(params_of(f, KN_CUE_EXECUTED).normalised == shares[i]);
    }
    apply(f, drain);
    tell(f, 0);
    params = params_of(f, KN_CUE_EXECUTED);
    assert_true(params.magnitude == 0.0f);
    assert_true(params.change == 0.0f);
    apply(f, unnamed); // it names no attribute: the first modifier
    tell(f, 0);
    params = params_of(f, KN_CUE_EXECUTED);
    assert_true(params.magnitude == -7.0f);
}

// CUE-021, CUE-023, CUE-024, CUE-036, GAPA-042, OPT-006: an effect fills in tags, levels and
// context; a payload of the game's own rides along. CUE-013: its removal has them too.
static void parameters_come_from_the_effect(void **state)
{
    fixture *f = *state;
    uint32_t crit = 77;
    kn_effect_context context = {.source_object = 5, .origin = {1, 2, 3}, .has_origin = true};
    assert_int_equal(
        kn_context_type_register(f->library, "Hit", sizeof(crit), &context.payload_type, NULL),
        KN_OK);
    context.payload = &crit;
    kn_ability_def ability = ability_def(f, "Cast");
    kn_ability_type_id cast = ability_register(f, &ability);
    kn_modifier_def slow = kn_modifier_constant(f->haste, KN_OP_ADD, -0.25f);
    kn_effect_def def = cue_effect(f, "Burn", KN_DURATION_INFINITE);
    def.modifiers = &slow;
    def.modifier_count = 1;
    kn_effect_type_id burn = effect_register(f, &def);
    kn_tag wet = tag_of(f, "State.Wet"), angry = tag_of(f, "State.Angry");
    begin(f);
    kn_entity_id captain, arrow; // four different ones: source, target, instigator, causer
    assert_int_equal(kn_entity_create(f->world, &captain), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &arrow), KN_OK);
    kn_ability_grant_def grant_def = kn_ability_grant_def_default();
    grant_def.type = cast;
    grant_def.level = 4;
    assert_int_equal(kn_ability_grant(f->world, f->foe, &grant_def, &context.ability), KN_OK);
    add_tag(f, f->hero, wet);
    add_tag(f, f->foe, angry);
    context.instigator = captain;
    context.causer = arrow;
    kn_effect_apply_def apply_def = kn_effect_apply_def_default();
    apply_def.type = burn;
    apply_def.source = f->foe;
    apply_def.target = f->hero;
    apply_def.level = 2.0f;
    apply_def.context = &context;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &apply_def, &effect), KN_OK);
    tell(f, 0);
    kn_cue_active active;
    assert_int_equal(kn_cues(f->world, f->hero, &active, 1), 1);
    kn_cue_params met;
    assert_true(kn_cue_active_params(f->world, f->hero, &active, &met));
    kn_cue_params added = params_of(f, KN_CUE_ADDED);
    for (uint32_t i = 0; i < 3; i++) {
        kn_cue_params params = i == 0 ? added : met;
        if (i == 2) {
            remove_effect(f, effect);
            tell(f, 0);
            params = params_of(f, KN_CUE_REMOVED);
        }
        assert_true(kn_entity_id_equal(params.instigator, captain));
        assert_true(kn_entity_id_equal(params.causer, arrow));
        assert_int_equal(params.source_object, 5);
        assert_true(params.has_location && params.location.x == 1.0f);
        assert_true(params.location.y == 2.0f && params.location.z == 3.0f);
        assert_true(params.magnitude == -0.25f);
        assert_true(params.effect_level == 2.0f && params.ability_level == 4.0f);
        if (i != 1) { // tags belong to a moment: who joins late has missed it
            assert_true(params.source_tags.count == 1 && params.target_tags.count == 1);
            assert_true(kn_tags_has_exact(params.source_tags, angry));
            assert_true(kn_tags_has_exact(params.target_tags, wet));
        }
        assert_int_equal(params.payload_type.index1, context.payload_type.index1);
        assert_int_equal(*(const uint32_t *)params.payload, 77);
    }
}

// What a game makes of a record: the strength the caller asked for as a place, and a rank of its
// own that no field has room for.
static void rank_cues(void *user, const kn_spec_view *spec, kn_cue_params *params)
{
    static const uint32_t ranks[2] = {10, 20};
    fixture *f = user;
    float strength = kn_spec_view_caller_value(spec, tag_of(f, "Data.Strength"), 0.0f, false);
    params->location.x = strength;
    params->has_location = true;
    params->payload_type = kn_context_type_find(f->library, "Rank");
    params->payload = &ranks[kn_spec_view_level(spec) >= 5.0f];
    if (strength < 0.0f) {
        params->magnitude = NAN; // not a usable number
    }
}

static kn_effect_id apply_strong(fixture *f, kn_effect_type_id type, float strength, float level)
{
    kn_caller_value value = {tag_of(f, "Data.Strength"), strength};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = f->foe;
    def.target = f->hero;
    def.level = level;
    def.caller_values = &value;
    def.caller_value_count = 1;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
    return effect;
}

// CUE-025, CUE-038: a record has what cues usually need; one that needs more of the spec takes it.
static void a_game_has_the_last_say_in_the_parameters_of_effects(void **state)
{
    fixture *f = *state;
    kn_context_type_id rank;
    assert_int_equal(
        kn_context_type_register(f->library, "Rank", sizeof(uint32_t), &rank, NULL), KN_OK);
    tag_of(f, "Data.Strength");
    kn_effect_def def = cue_effect(f, "Burn", KN_DURATION_INFINITE);
    kn_effect_type_id burn = effect_register(f, &def);
    assert_int_equal(kn_cue_init_set(f->library, rank_cues, f), KN_OK);
    begin(f);
    assert_int_equal(kn_cue_init_set(f->library, NULL, NULL), KN_ERROR_WORLD_LOCKED);
    apply_strong(f, burn, 12.0f, 5.0f);
    expect_rollback_safe(f, 0);
    tell(f, 0);
    kn_cue_params told = params_of(f, KN_CUE_ADDED), met;
    kn_cue_active active;
    assert_int_equal(kn_cues(f->world, f->hero, &active, 1), 1);
    assert_true(kn_cue_active_params(f->world, f->hero, &active, &met)); // who comes later
    const kn_cue_params *both[2] = {&told, &met};
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(both[i]->has_location && both[i]->location.x == 12.0f);
        assert_int_equal(both[i]->payload_type.index1, rank.index1);
        assert_int_equal(*(const uint32_t *)both[i]->payload, 20);
        assert_true(both[i]->effect_level == 5.0f); // the rest is as it was
        assert_true(kn_entity_id_equal(both[i]->instigator, f->foe));
    }
    // Nonsense is not taken: the record stays what the library made of it.
    apply_strong(f, burn, -1.0f, 1.0f);
    tell(f, 0);
    told = params_of(f, KN_CUE_ADDED);
    assert_true(told.magnitude == 0.0f && !told.has_location && told.payload == NULL);
    // Cues of game code have the parameters that it gave.
    assert_int_equal(kn_cue_execute(f->world, f->hero, tag_of(f, "GameplayCue.Burn"), NULL), KN_OK);
    tell(f, 0);
    assert_false(params_of(f, KN_CUE_EXECUTED).has_location);
}

// CUE-037: one record for all cues of an effect.
static void cues_of_one_effect_share_their_parameters(void **state)
{
    fixture *f = *state;
    kn_tag tags[3] = {tag_of(f, "GameplayCue.Smoke"), tag_of(f, "GameplayCue.Flame"),
        tag_of(f, "GameplayCue.Crackle")};
    kn_effect_def def = lasting_cues("Fire", tags, 3);
    kn_effect_type_id fire = effect_register(f, &def);
    begin(f);
    apply(f, fire);
    apply(f, fire);
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t records[6] = {0}, count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CUE) {
            assert_in_range(count, 0, 5);
            assert_true(kn_tag_equal(events.data[i].data.cue.tag, tags[count % 3]));
            records[count++] = events.data[i].data.cue.params1;
        }
    }
    assert_int_equal(count, 6);
    assert_true(records[0] == records[1] && records[1] == records[2]);
    assert_true(records[3] == records[4] && records[4] == records[5]);
    assert_true(records[0] != 0 && records[3] != 0 && records[0] != records[3]);
}

// TVA-053, CUE-002
static void only_tags_below_the_root_are_cues(void **state)
{
    fixture *f = *state;
    kn_tag hit = tag_of(f, "GameplayCue.Hit"), sound = tag_of(f, "Sound.Hit");
    kn_effect_def def = cue_effect(f, "Good", KN_DURATION_INSTANT);
    effect_register(f, &def);
    def.name = "Bad";
    def.cue_tags = tags_of(f, "Sound.Hit");
    kn_effect_type_id type;
    kn_error error = {0};
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Sound.Hit"));
    begin(f);
    assert_int_equal(kn_cue_root_set(f->library, sound), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_cue_execute(f->world, f->hero, sound, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(
        kn_cue_execute(f->world, f->hero, kn_tag_find(f->library, "GameplayCue"), NULL),
        KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_cue_add(f->world, f->hero, (kn_tag){0}, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_cue_add(f->world, f->hero, (kn_tag){9999}, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_cue_execute(f->world, f->hero, hit, NULL), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Hit executed. ");
}

// CUE-002: another root.
static void the_root_of_cues_can_be_another_tag(void **state)
{
    fixture *f = *state;
    kn_tag hit = tag_of(f, "GameplayCue.Hit"), ping = tag_of(f, "Fx.Ping");
    assert_int_equal(kn_cue_root_set(f->library, tag_of(f, "Fx")), KN_OK);
    begin(f);
    assert_int_equal(kn_cue_execute(f->world, f->hero, hit, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_cue_execute(f->world, f->hero, ping, NULL), KN_OK);
}

// CUE-012, CUE-013, CUE-021, CUE-023: added as often as removed; the first and the last are
// published, the last with what it was added with.
static void a_cue_lasts_until_it_is_removed_as_often_as_it_was_added(void **state)
{
    fixture *f = *state;
    kn_tag aura = tag_of(f, "GameplayCue.Aura");
    kn_tag wet = tag_of(f, "State.Wet"), angry = tag_of(f, "State.Angry");
    begin(f);
    add_tag(f, f->hero, wet);
    add_tag(f, f->foe, angry);
    kn_cue_params given = kn_cue_params_default();
    given.instigator = f->foe;
    given.source_object = 9;
    given.normal = (kn_vec3){0, 0, 1};
    given.has_normal = true;
    given.magnitude = 3.0f;
    given.normalised = 0.5f;
    given.change = 2.0f;
    given.effect_level = 6.0f;
    given.stacks = 7;
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, &given), KN_OK);
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, NULL), KN_OK);
    assert_int_equal(kn_cue_count(f->world, f->hero, aura), 2);
    tell(f, 0);
    EXPECT_LOG(f, "Aura added. ");
    assert_int_equal(kn_cue_remove(f->world, f->hero, aura), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_cue_remove(f->world, f->hero, aura), KN_OK);
    assert_int_equal(kn_cue_remove(f->world, f->hero, aura), KN_REFUSED_NOT_FOUND);
    tell(f, 0);
    EXPECT_LOG(f, "Aura removed. ");
    kn_cue_params params = params_of(f, KN_CUE_REMOVED);
    assert_true(kn_entity_id_equal(params.instigator, f->foe));
    assert_int_equal(params.source_object, 9);
    assert_true(params.has_normal && params.normal.z == 1.0f && !params.has_location);
    assert_true(params.magnitude == 3.0f && params.normalised == 0.5f && params.change == 2.0f);
    assert_true(params.effect_level == 6.0f);
    assert_int_equal(params.stacks, 7);
    // What happens once has its parameters too: a hit is where it happens, and target data.
    kn_target_hit hit = {.entity = f->foe, .point = {4, 5, 6}, .normal = {0, 1, 0}, .distance = 2};
    kn_target_data data = {0};
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_hit(), &hit), KN_OK);
    given.location = hit.point;
    given.has_location = true;
    given.targets = kn_target_data_view(&data);
    assert_int_equal(kn_cue_execute(f->world, f->hero, aura, &given), KN_OK);
    data.size = 0; // they are copied
    tell(f, 0);
    EXPECT_LOG(f, "Aura executed. ");
    params = params_of(f, KN_CUE_EXECUTED);
    assert_true(kn_entity_id_equal(params.instigator, f->foe));
    assert_true(params.has_location && params.location.x == 4.0f && params.location.z == 6.0f);
    assert_true(params.magnitude == 3.0f && params.source_object == 9 && params.stacks == 7);
    assert_true(params.source_tags.count == 1 && params.target_tags.count == 1);
    assert_true(kn_tags_has_exact(params.source_tags, angry));
    assert_true(kn_tags_has_exact(params.target_tags, wet));
    const kn_target_hit *read = kn_target_get(params.targets, 0, kn_target_type_hit());
    assert_non_null(read);
    assert_memory_equal(read, &hit, sizeof(hit));
}

// CUE-012: refusals change nothing.
static void bad_cues_are_refused(void **state)
{
    fixture *f = *state;
    kn_tag aura = tag_of(f, "GameplayCue.Aura");
    begin(f);
    kn_entity_id gone = entity_create(f);
    assert_true(kn_entity_destroy(f->world, gone));
    uint64_t hash = kn_world_hash(f->world);
    kn_cue_params params = kn_cue_params_default();
    assert_int_equal(kn_cue_execute(f->world, gone, aura, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_cue_add(f->world, gone, aura, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_cue_remove(f->world, gone, aura), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_entity_suppress_cues(f->world, gone, true), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_cue_remove(f->world, f->hero, aura), KN_REFUSED_NOT_FOUND);
    params.activation = (kn_activation_id){5, 5};
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, &params), KN_REFUSED_STALE_ID);
    params = kn_cue_params_default();
    params.magnitude = NAN;
    assert_int_equal(kn_cue_execute(f->world, f->hero, aura, &params), KN_REFUSED_BAD_NUMBER);
    params.magnitude = 0.0f;
    params.location.x = INFINITY;
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, &params), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_cues_remove_all(f->world, gone), 0);
    assert_int_equal(kn_cues(f->world, gone, NULL, 0), 0);
    assert_int_equal(kn_cue_count(f->world, gone, aura), 0);
    assert_true(kn_world_hash(f->world) == hash);
}

// TVA-052, CUE-012
static void removing_all_cues_spares_those_of_effects(void **state)
{
    fixture *f = *state;
    kn_tag aura = tag_of(f, "GameplayCue.Aura");
    kn_effect_def def = cue_effect(f, "Burn", KN_DURATION_INFINITE);
    kn_effect_type_id burn = effect_register(f, &def);
    begin(f);
    apply(f, burn);
    kn_cue_params given = kn_cue_params_default();
    given.magnitude = 4.0f;
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, &given), KN_OK);
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, NULL), KN_OK);
    assert_int_equal(kn_cue_add(f->world, f->foe, aura, NULL), KN_OK); // another's stay
    assert_int_equal(kn_cues(f->world, f->hero, NULL, 0), 2);
    tell(f, 0);
    EXPECT_LOG(f, "Burn added. Aura added. Aura added. ");
    assert_int_equal(kn_cues_remove_all(f->world, f->hero), 1);
    tell(f, 0);
    EXPECT_LOG(f, "Aura removed. ");
    assert_true(params_of(f, KN_CUE_REMOVED).magnitude == 4.0f); // CUE-013
    assert_int_equal(kn_cue_count(f->world, f->foe, aura), 1);
    kn_cue_active active;
    assert_int_equal(kn_cues(f->world, f->hero, &active, 1), 1);
    assert_int_equal(active.tag.index1, def.cue_tags.data[0].index1);
    assert_int_equal(kn_cue_remove(f->world, f->hero, active.tag), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_cues_remove_all(f->world, f->hero), 0);
}

// Adds a cue and takes it back; without the activation, so that nothing else would.
static kn_result flicker(const kn_ability_call *call)
{
    kn_tag flash = kn_tag_find(kn_world_library(call->world), "GameplayCue.Flash");
    assert_int_equal(kn_cue_add(call->world, call->owner, flash, NULL), KN_OK);
    assert_int_equal(kn_cue_remove(call->world, call->owner, flash), KN_OK);
    return kn_cue_remove(call->world, call->owner, flash) == KN_REFUSED_NOT_FOUND
               ? KN_OK
               : KN_REFUSED_CUSTOM;
}

static kn_result shine(const kn_ability_call *call)
{
    const kn_library *library = kn_world_library(call->world);
    kn_cue_params params = kn_cue_params_default();
    params.activation = call->activation;
    assert_int_equal(kn_cue_execute(call->world, call->owner,
                         kn_tag_find(library, "GameplayCue.Flash"), &params),
        KN_OK);
    fixture *f = call->user;
    assert_int_equal(
        kn_cue_add(call->world, call->owner, kn_tag_find(library, "GameplayCue.Beam"), &params),
        KN_OK);
    return kn_cue_add(call->world, f->foe, kn_tag_find(library, "GameplayCue.Mark"), &params);
}

// CUE-011: an ability's cues end with its activation, also those on others; CUE-021: its level is
// filled in. BEY-047: a cancelled ability interrupts them.
static void cues_of_an_ability_end_with_its_activation(void **state)
{
    fixture *f = *state;
    tag_of(f, "GameplayCue.Flash");
    tag_of(f, "GameplayCue.Beam");
    tag_of(f, "GameplayCue.Mark");
    kn_ability_def def = ability_def(f, "Shine");
    def.activate = shine;
    def.ended = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    kn_ability_def flicker_def = ability_def(f, "Flicker");
    flicker_def.activate = flicker;
    flicker_def.ended = NULL;
    kn_ability_type_id flicker_type = ability_register(f, &flicker_def);
    begin(f);
    kn_activation_id flickering = activate(f, grant(f, flicker_type));
    tell(f, 0);
    EXPECT_LOG(f, "Flash added. Flash removed. ");
    assert_int_equal(kn_activation_end(f->world, flickering), KN_OK);
    kn_ability_grant_def grant_def = kn_ability_grant_def_default();
    grant_def.type = type;
    grant_def.level = 3;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant_def, &ability), KN_OK);
    kn_activation_id activation = activate(f, ability);
    tell(f, 0);
    EXPECT_LOG(f, "Flash executed. Beam added. Mark added. ");
    assert_true(params_of(f, KN_CUE_ADDED).ability_level == 3.0f);
    expect_rollback_safe(f, KN_S(1));
    kn_world *other = expect_save_safe(f, KN_S(1));
    assert_int_equal(kn_activation_end(other, activation), KN_OK);
    assert_int_equal(kn_cues(other, f->foe, NULL, 0), 0);
    kn_world_destroy(other);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Mark removed. Beam removed. ");
    activation = activate(f, ability);
    assert_int_equal(kn_activation_cancel(f->world, activation), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Flash executed. Beam added. Mark added. Mark removed!. Beam removed!. ");
}

// CUE-011: two activations that add the same cue do not end it for each other.
static void a_cue_of_two_activations_ends_with_the_last(void **state)
{
    fixture *f = *state;
    kn_tag aura = tag_of(f, "GameplayCue.Aura");
    kn_ability_def one_def = ability_def(f, "One"), two_def = ability_def(f, "Two");
    one_def.activate = two_def.activate = NULL;
    one_def.ended = two_def.ended = NULL;
    kn_ability_type_id one = ability_register(f, &one_def), two = ability_register(f, &two_def);
    begin(f);
    kn_activation_id first = activate(f, grant(f, one)), second = activate(f, grant(f, two));
    kn_cue_params params = kn_cue_params_default();
    params.activation = first;
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, &params), KN_OK);
    params.activation = second;
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, &params), KN_OK);
    assert_int_equal(kn_cue_count(f->world, f->hero, aura), 2);
    assert_int_equal(kn_cues(f->world, f->hero, NULL, 0), 1);
    assert_int_equal(kn_activation_end(f->world, first), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Aura added. ");
    assert_int_equal(kn_cue_count(f->world, f->hero, aura), 1);
    assert_int_equal(kn_activation_end(f->world, second), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Aura removed. ");
}

// CUE-009: nothing is stuck on what is gone.
static void cues_end_with_their_entity(void **state)
{
    fixture *f = *state;
    kn_tag aura = tag_of(f, "GameplayCue.Aura");
    kn_effect_def def = cue_effect(f, "Burn", KN_DURATION_INFINITE);
    kn_effect_type_id burn = effect_register(f, &def);
    begin(f);
    apply(f, burn);
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, NULL), KN_OK);
    tell(f, 0);
    f->log[0] = 0;
    assert_true(kn_entity_destroy(f->world, f->hero));
    tell(f, 0);
    assert_non_null(strstr(f->log, "Burn removed!. "));
    assert_non_null(strstr(f->log, "Aura removed!. "));
}

// TVA-055, CUE-032: nothing is published while suppressed, and nothing is stuck afterwards.
static void a_suppressed_entity_has_no_cues(void **state)
{
    fixture *f = *state;
    kn_tag aura = tag_of(f, "GameplayCue.Aura"), glow = tag_of(f, "GameplayCue.Glow");
    kn_effect_def burn_def = cue_effect(f, "Burn", KN_DURATION_INFINITE);
    kn_effect_def hit_def = cue_effect(f, "Hit", KN_DURATION_INSTANT);
    kn_effect_type_id burn = effect_register(f, &burn_def), hit = effect_register(f, &hit_def);
    begin(f);
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, NULL), KN_OK);
    kn_effect_id burning = apply(f, burn);
    tell(f, 0);
    EXPECT_LOG(f, "Aura added. Burn added. ");
    assert_int_equal(kn_entity_suppress_cues(f->world, f->hero, true), KN_OK);
    assert_int_equal(kn_entity_suppress_cues(f->world, f->hero, true), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Aura removed!. Burn removed!. ");
    assert_int_equal(kn_cue_execute(f->world, f->hero, glow, NULL), KN_OK);
    assert_int_equal(kn_cue_add(f->world, f->hero, glow, NULL), KN_OK);
    apply(f, hit);
    apply(f, burn);
    assert_int_equal(kn_cue_execute(f->world, f->foe, glow, NULL), KN_OK); // another entity's
    tell(f, 0);
    EXPECT_LOG(f, "Glow executed. ");
    remove_effect(f, burning);
    assert_int_equal(kn_cue_remove(f->world, f->hero, aura), KN_OK);
    expect_rollback_safe(f, KN_S(1));
    tell(f, 0);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_cues(f->world, f->hero, NULL, 0), 0);
    assert_int_equal(kn_cue_count(f->world, f->hero, glow), 1);
    kn_world_destroy(expect_save_safe(f, KN_S(1)));
    assert_int_equal(kn_entity_suppress_cues(f->world, f->hero, false), KN_OK);
    tell(f, 0);
    EXPECT_LOG(f, "Glow added. Burn added. ");
}

// CUE-042: saves, snapshots and hashes cover what was added; what is shown changes nothing.
static void active_cues_are_state(void **state)
{
    fixture *f = *state;
    kn_tag aura = tag_of(f, "GameplayCue.Aura");
    uint32_t bytes[3] = {1, 2, 3};
    kn_cue_params given = kn_cue_params_default();
    assert_int_equal(
        kn_context_type_register(f->library, "Three", sizeof(bytes), &given.payload_type, NULL),
        KN_OK);
    given.payload = bytes;
    begin(f);
    uint64_t empty = kn_world_hash(f->world);
    assert_int_equal(kn_cue_add(f->world, f->hero, aura, &given), KN_OK);
    step(f, 0);
    assert_false(kn_world_hash(f->world) == empty);
    expect_rollback_safe(f, KN_S(1));
    kn_world *other = expect_save_safe(f, KN_S(1));
    kn_cue_active active;
    assert_int_equal(kn_cues(other, f->hero, &active, 1), 1);
    kn_cue_params params;
    assert_true(kn_cue_active_params(other, f->hero, &active, &params));
    assert_memory_equal(params.payload, bytes, sizeof(bytes));
    assert_int_equal(kn_cue_add(other, f->hero, aura, NULL), KN_OK);
    assert_false(kn_world_hash(other) == kn_world_hash(f->world));
    kn_world_destroy(other);
}

// CUE-042: a world without observers ends the same as one with them.
static void a_world_without_observers_ends_the_same(void **state)
{
    fixture *f = *state;
    kn_tag aura = tag_of(f, "GameplayCue.Aura");
    kn_effect_def def = cue_effect(f, "Burn", KN_DURATION_TIMED);
    def.duration = kn_magnitude_constant(1.0f);
    kn_effect_type_id burn = effect_register(f, &def);
    begin(f);
    kn_world *loud = f->world;
    kn_world_def world_def = kn_world_def_default();
    world_def.event_mask = 0;
    begin_with(f, world_def);
    kn_world *silent = f->world;
    for (uint32_t i = 0; i < 2; i++) {
        f->world = i == 0 ? loud : silent;
        apply(f, burn);
        assert_int_equal(kn_cue_add(f->world, f->hero, aura, NULL), KN_OK);
        step(f, KN_S(2));
    }
    assert_true(kn_world_hash(loud) == kn_world_hash(silent));
    assert_int_equal(kn_world_events(silent).count, 0);
    kn_world_destroy(loud);
}

// The example of docs/cues.md ------------------------------------------------

typedef struct host {
    uint32_t sounds;
    uint32_t fires;
} host;

static void boom(const kn_cue_call *call)
{
    host *h = call->user;
    h->sounds += call->count;
}

static void fire_begin(const kn_cue_call *call)
{
    host *h = call->user;
    *call->slot = ++h->fires; // the number of a particle system
}

static void fire_end(const kn_cue_call *call)
{
    host *h = call->user;
    assert_true(*call->slot == 1);
    h->fires--;
    *call->slot = 0;
}

// CUE-003, CUE-044
static void the_example_of_the_manual_works(void **state)
{
    fixture *f = *state;
    kn_effect_def burn = timed("Burn", 3.0f);
    burn.cue_tags = tags_of(f, "GameplayCue.Fire");
    kn_effect_type_id burn_type = effect_register(f, &burn);
    kn_tag fire = burn.cue_tags.data[0], explosion = tag_of(f, "GameplayCue.Explosion");
    begin(f);
    host h = {0};

    kn_cue_player_def def = kn_cue_player_def_default();
    def.library = f->library;
    def.burst_limit = 2; // of the same cue on the same entity
    kn_cue_player *player;
    assert_int_equal(kn_cue_player_create(&def, &player), KN_OK);

    kn_cue_handler_def handler = kn_cue_handler_def_default();
    handler.tag = explosion;
    handler.executed = boom;
    handler.user = &h;
    assert_int_equal(kn_cue_handler_add(player, &handler), KN_OK);

    handler = kn_cue_handler_def_default();
    handler.tag = fire;
    handler.kind = KN_CUE_INSTANCED;
    handler.while_active = fire_begin;
    handler.removed = fire_end;
    handler.user = &h;
    assert_int_equal(kn_cue_handler_add(player, &handler), KN_OK);

    apply(f, burn_type);
    assert_int_equal(kn_cue_execute(f->world, f->hero, explosion, NULL), KN_OK);
    step(f, KN_S(1));
    kn_cue_player_update(player, f->world);
    assert_true(h.sounds == 1 && h.fires == 1);
    step(f, KN_S(2));
    kn_cue_player_update(player, f->world);
    assert_true(h.sounds == 1 && h.fires == 0);
    kn_cue_player_destroy(player);
}

static const struct CMUnitTest tests[] = {
    TEST(effects_tell_their_cues),
    TEST(a_cue_is_added_before_its_first_tick),
    TEST(a_change_of_stacks_or_level_updates_a_cue),
    TEST(a_change_of_magnitude_updates_a_cue_once_in_a_step),
    TEST(a_change_of_values_updates_a_cue),
    TEST(a_change_survives_a_snapshot),
    TEST(a_cue_that_needs_a_modifier_in_force_waits_for_one),
    TEST(an_update_may_need_another_magnitude),
    TEST(the_end_of_a_cue_needs_no_success),
    TEST(an_inhibited_effect_has_no_cue),
    TEST(immunity_keeps_cues_away),
    TEST(an_execution_can_play_other_cues),
    TEST(magnitudes_come_from_the_cue_attribute),
    TEST(parameters_come_from_the_effect),
    TEST(a_game_has_the_last_say_in_the_parameters_of_effects),
    TEST(cues_of_one_effect_share_their_parameters),
    TEST(only_tags_below_the_root_are_cues),
    TEST(the_root_of_cues_can_be_another_tag),
    TEST(a_cue_lasts_until_it_is_removed_as_often_as_it_was_added),
    TEST(bad_cues_are_refused),
    TEST(removing_all_cues_spares_those_of_effects),
    TEST(cues_of_an_ability_end_with_its_activation),
    TEST(a_cue_of_two_activations_ends_with_the_last),
    TEST(cues_end_with_their_entity),
    TEST(a_suppressed_entity_has_no_cues),
    TEST(active_cues_are_state),
    TEST(a_world_without_observers_ends_the_same),
    TEST(the_example_of_the_manual_works),
};

TEST_GROUP(cues, tests, NULL, NULL);
