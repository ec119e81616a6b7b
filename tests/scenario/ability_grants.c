// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How abilities come and go: grants, shared grants, grants of effects, sets, levels, passives.

#include "scenario/ability_replay.h"

static void note_granted(const kn_ability_call *call)
{
    note(call->user, "%s granted. ", ability_name(call));
}

static void note_removed(const kn_ability_call *call)
{
    note(call->user, "%s removed. ", ability_name(call));
}

static kn_ability_def noting_def(fixture *f, const char *name)
{
    kn_ability_def def = ability_def(f, name);
    def.granted = note_granted;
    def.removed = note_removed;
    return def;
}

static kn_ability_id grant_def(fixture *f, const kn_ability_grant_def *def)
{
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, def, &ability), KN_OK);
    return ability;
}

static kn_ability_info info_of(const fixture *f, kn_ability_id ability)
{
    kn_ability_info info;
    assert_true(kn_ability_get(f->world, ability, &info));
    assert_int_equal(kn_ability_get_type(f->world, ability).index1, info.type.index1);
    return info;
}

// What a grant says ---------------------------------------------------------

static bool needs_a_source(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    kn_ability_info info;
    return kn_ability_get(call->world, call->ability, &info) && info.source.index1 != 0;
}

// ABI-004, ABI-035, ABI-037, ABI-038, ABI-103, ABI-106
static void a_grant_keeps_what_it_was_given_and_its_source_only_weakly(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "Element.Fire"), power = tag_of(f, "Power");
    kn_ability_def def = ability_def(f, "Wand");
    def.can_activate = needs_a_source;
    kn_ability_type_id type = ability_register(f, &def);
    const kn_curve_point points[2] = {{1.0f, 1.0f}, {5.0f, 5.0f}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "ByLevel";
    curve_def.points = points;
    curve_def.point_count = 2;
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(f->library, &curve_def, &curve, NULL), KN_OK);
    kn_modifier_def hurt = kn_modifier_constant(f->health, KN_OP_ADD, 0.0f);
    hurt.magnitude = kn_magnitude_by_level(-10.0f, curve);
    kn_effect_def hit_def = instant("Hit");
    hit_def.modifiers = &hurt;
    hit_def.modifier_count = 1;
    kn_effect_type_id hit = effect_register(f, &hit_def);
    begin(f);
    assert_true(kn_ability_grant_def_default().level == 1.0f);
    kn_caller_value value = {power, 7.0f};
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = type;
    given.level = 3.0f;
    given.input = 5;
    given.source = f->foe;
    given.source_object = 77;
    given.user = 88;
    given.dynamic_tags = (kn_tags){&fire, 1};
    given.caller_values = &value;
    given.caller_value_count = 1;
    kn_ability_id wand = grant_def(f, &given);
    kn_ability_info info = info_of(f, wand);
    assert_true(info.type.index1 == type.index1 && kn_entity_id_equal(info.owner, f->hero));
    assert_true(info.level == 3.0f && info.input == 5 && !info.is_pressed && !info.is_removing);
    assert_true(info.grants == 1 && info.active_count == 0 && info.latest.index1 == 0);
    assert_true(kn_entity_id_equal(info.source, f->foe));
    assert_true(info.source_object == 77 && info.user == 88 && info.effect.index1 == 0);
    assert_true(kn_ability_has_tag(f->world, wand, tag_of(f, "Element")));
    assert_true(kn_ability_caller_value(f->world, wand, power, 0.0f) == 7.0f);
    assert_int_equal(kn_ability_check(f->world, wand, NULL), 0);
    kn_activation_id activation = activate(f, wand);
    info = info_of(f, wand);
    assert_true(info.active_count == 1);
    assert_true(kn_activation_id_equal(info.latest, activation));
    // Its level is that of what it does.
    assert_int_equal(kn_activation_apply(f->world, activation, hit, f->foe, NULL), KN_OK);
    assert_true(kn_attribute_value(f->world, f->foe, f->health) == 70.0f);
    assert_int_equal(kn_ability_set_level(f->world, &wand, 5.0f), KN_OK);
    assert_int_equal(kn_activation_apply(f->world, activation, hit, f->foe, NULL), KN_OK);
    assert_true(kn_attribute_value(f->world, f->foe, f->health) == 20.0f);
    assert_int_equal(kn_input_press(f->world, f->hero, 5), KN_OK);
    assert_true(info_of(f, wand).is_pressed);
    given.input = 0; // none
    given.source_object = 0;
    assert_int_equal(info_of(f, grant_def(f, &given)).input, 0);
    check_replay(f, KN_S(1));
    assert_true(kn_entity_destroy(f->world, f->foe)); // the grant does not keep it
    assert_false(kn_entity_is_alive(f->world, f->foe));
    assert_true(kn_ability_is_active(f->world, wand));
    assert_int_equal(info_of(f, wand).source.index1, 0);
    assert_int_equal(kn_ability_check(f->world, wand, NULL), KN_FAIL_ACTIVE | KN_FAIL_CUSTOM);
    check_replay(f, KN_S(1));
    assert_int_equal(kn_ability_remove(f->world, wand, KN_GRANT_AFTER_END), KN_OK);
    assert_true(info_of(f, wand).is_removing);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_false(kn_ability_is_alive(f->world, wand));
}

// ABI-036, ABI-039
static void a_client_grants_nothing(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Jump");
    kn_ability_type_id type = ability_register(f, &def);
    kn_ability_set_entry entry = {.type = type, .level = 1.0f, .input = KN_INPUT_FROM_DEF};
    kn_ability_set_def set_def = kn_ability_set_def_default();
    set_def.name = "Start";
    set_def.entries = &entry;
    set_def.entry_count = 1;
    kn_ability_set_id set;
    assert_int_equal(kn_ability_set_register(f->library, &set_def, &set, NULL), KN_OK);
    kn_world_def world = kn_world_def_default();
    world.is_client = true;
    begin_with(f, world);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = type;
    kn_ability_id ability = {1, 1};
    assert_int_equal(kn_ability_grant(f->world, f->hero, &given, &ability), KN_REFUSED_BLOCKED);
    assert_int_equal(ability.index1, 0);
    assert_int_equal(
        kn_ability_grant_once(f->world, f->hero, &given, NULL, &ability), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_ability_set_grant(f->world, f->hero, set, NULL, 0), KN_REFUSED_BLOCKED);
    assert_int_equal(ability_count(f), 0);
}

// ABI-109
static void setting_what_is_there_changes_nothing(void **state)
{
    fixture *f = *state;
    tag_of(f, "Element.Fire");
    kn_ability_def def = ability_def(f, "Jump");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id jump = grant(f, type);
    kn_tag fire = tag_of(f, "Element.Fire");
    assert_int_equal(kn_ability_set_input(f->world, jump, 4), KN_OK);
    assert_int_equal(kn_ability_set_level(f->world, &jump, 2.0f), KN_OK);
    assert_int_equal(kn_ability_add_tag(f->world, jump, fire), KN_OK);
    assert_int_equal(published(f, KN_EVENT_ABILITY_CHANGED, NULL), 3);
    assert_int_equal(kn_ability_set_user(f->world, jump, 9), KN_OK);
    assert_int_equal(kn_ability_set_caller_value(f->world, jump, fire, 3.0f), KN_OK);
    step(f, 0);
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_ability_set_user(f->world, jump, 9), KN_OK);
    assert_int_equal(kn_ability_set_caller_value(f->world, jump, fire, 3.0f), KN_OK);
    assert_int_equal(kn_ability_set_input(f->world, jump, 4), KN_OK);
    assert_int_equal(kn_ability_set_level(f->world, &jump, 2.0f), KN_OK);
    assert_int_equal(kn_ability_add_tag(f->world, jump, fire), KN_OK);
    assert_int_equal(kn_world_hash(f->world), hash);
    assert_int_equal(published(f, KN_EVENT_ABILITY_CHANGED, NULL), 0);
    assert_int_equal(kn_ability_remove_tag(f->world, jump, fire), KN_OK);
    assert_int_equal(kn_ability_remove_tag(f->world, jump, fire), KN_REFUSED_NOT_FOUND);
    assert_false(kn_ability_has_tag(f->world, jump, fire));
}

// Grants that are counted ---------------------------------------------------

// ABI-009, BEY-044, ABI-042
static void shared_grants_are_counted_and_each_takes_back_its_own(void **state)
{
    fixture *f = *state;
    kn_ability_def def = noting_def(f, "Jump");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id own = grant(f, type); // one ability for each grant
    kn_ability_grant_def shared = kn_ability_grant_def_default();
    shared.type = type;
    shared.share = true;
    kn_ability_id other = grant(f, type);
    kn_ability_id first = grant_def(f, &shared), second = grant_def(f, &shared);
    assert_false(kn_ability_id_equal(own, other));
    assert_true(kn_ability_id_equal(own, first) && kn_ability_id_equal(own, second));
    assert_int_equal(info_of(f, own).grants, 3);
    EXPECT_LOG(f, "Jump granted. Jump granted. ");
    check_replay(f, KN_S(1));
    assert_int_equal(kn_ability_revoke(f->world, own, KN_GRANT_KEEP), KN_OK);
    assert_int_equal(kn_ability_revoke(f->world, own, KN_GRANT_CANCEL), KN_OK);
    assert_int_equal(kn_ability_revoke(f->world, own, KN_GRANT_AFTER_END), KN_OK);
    assert_int_equal(info_of(f, own).grants, 1);
    activate(f, own);
    assert_int_equal(kn_ability_revoke(f->world, own, KN_GRANT_AFTER_END), KN_OK);
    assert_true(info_of(f, own).is_removing);
    assert_int_equal(ability_count(f), 2);
    kn_ability_id third = grant_def(f, &shared); // what goes is not shared any more
    assert_true(kn_ability_id_equal(third, other));
    assert_int_equal(kn_ability_cancel(f->world, own), KN_OK);
    EXPECT_LOG(f, "Jump activates. Jump: cancelled. Jump removed. ");
    assert_int_equal(kn_ability_remove(f->world, other, KN_GRANT_CANCEL), KN_OK); // all of them
    EXPECT_LOG(f, "Jump removed. ");
    assert_int_equal(ability_count(f), 0);
    assert_int_equal(kn_ability_remove(f->world, other, KN_GRANT_CANCEL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_ability_revoke(f->world, other, KN_GRANT_KEEP), KN_REFUSED_STALE_ID);
}

// Knows the granted ability, but no activation of it.
static void note_grant_only(const kn_ability_call *call)
{
    assert_int_equal(call->activation.index1, 0);
    note_removed(call);
}

// ABI-042: once for each grant, however many instances there are or were.
static void hooks_about_the_grant_are_called_once_for_any_number_of_instances(void **state)
{
    fixture *f = *state;
    kn_ability_type_id types[2];
    const char *const names[2] = {"Many", "None"};
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_def def = noting_def(f, names[i]);
        def.instancing = i == 0 ? KN_INSTANCING_PER_EXECUTION : KN_INSTANCING_NONE;
        def.removed = note_grant_only;
        types[i] = ability_register(f, &def);
    }
    begin(f);
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_id ability = grant(f, types[i]);
        activate(f, ability);
        activate(f, ability);
        assert_int_equal(kn_ability_remove(f->world, ability, KN_GRANT_CANCEL), KN_OK);
    }
    EXPECT_LOG(f, "Many granted. Many activates. Many activates. "
                  "Many: removed. Many: removed. Many removed. "
                  "None granted. None activates. None: ended. None activates. None: ended. "
                  "None removed. ");
}

// Grants of effects ---------------------------------------------------------

static kn_effect_type_id granting(
    fixture *f, const char *name, const char *ability, kn_grant_removal removal)
{
    kn_grant_def one = {.level = kn_constant(4.0f), .input = 6, .removal = removal};
    assert_int_equal(kn_name_register(f->library, ability, &one.ability, NULL), KN_OK);
    kn_effect_def def = infinite(name);
    def.grants = &one;
    def.grant_count = 1;
    return effect_register(f, &def);
}

// ABI-040, GRA-001, GRA-003, GRA-004
static void an_effect_grants_an_ability_and_says_what_becomes_of_it(void **state)
{
    fixture *f = *state;
    kn_ability_def def = noting_def(f, "Howl");
    (void)ability_register(f, &def);
    const char *const names[] = {"Cancel", "AfterEnd", "Keep"};
    kn_effect_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        types[i] = granting(f, names[i], "Howl", (kn_grant_removal)i);
    }
    begin(f);
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_id effect = afflict(f, types[i]);
        kn_ability_id howl;
        assert_int_equal(kn_abilities_find(f->world, f->hero, NULL, &howl, 1), 1);
        kn_ability_info info = info_of(f, howl);
        assert_true(info.level == 4.0f && info.input == 6);
        assert_true(kn_entity_id_equal(info.source, f->foe));
        assert_true(kn_effect_id_equal(info.effect, effect));
        kn_activation_id activation = activate(f, howl);
        check_replay(f, KN_S(1));
        remove_effect(f, effect);
        assert_int_equal(kn_activation_is_alive(f->world, activation), i != KN_GRANT_CANCEL);
        if (i != KN_GRANT_CANCEL) {
            assert_int_equal(info_of(f, howl).is_removing, i == KN_GRANT_AFTER_END);
            check_replay(f, KN_S(1));
            assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
        }
        assert_int_equal(kn_ability_is_alive(f->world, howl), i == KN_GRANT_KEEP);
    }
    EXPECT_LOG(f, "Howl granted. Howl activates. Howl: removed. Howl removed. "
                  "Howl granted. Howl activates. Howl: ended. Howl removed. "
                  "Howl granted. Howl activates. Howl: ended. ");
}

// GRA-001, GRA-004, ABI-040
static void what_a_timed_effect_grants_goes_when_it_expires(void **state)
{
    fixture *f = *state;
    kn_ability_def def = noting_def(f, "Howl");
    (void)ability_register(f, &def);
    kn_grant_def one = {.level = kn_constant(1.0f), .input = -1, .removal = KN_GRANT_CANCEL};
    assert_int_equal(kn_name_register(f->library, "Howl", &one.ability, NULL), KN_OK);
    kn_effect_def moon_def = infinite("Moon");
    moon_def.duration_kind = KN_DURATION_TIMED;
    moon_def.duration = kn_magnitude_constant(2.0f);
    moon_def.grants = &one;
    moon_def.grant_count = 1;
    kn_effect_type_id moon = effect_register(f, &moon_def);
    begin(f);
    (void)afflict(f, moon);
    kn_ability_id howl;
    assert_int_equal(kn_abilities_find(f->world, f->hero, NULL, &howl, 1), 1);
    assert_int_equal(kn_abilities_find(f->world, f->foe, NULL, NULL, 0), 0); // the target's alone
    activate(f, howl);
    step(f, KN_S(2) - 1);
    EXPECT_LOG(f, "Howl granted. Howl activates. ");
    step(f, 1);
    EXPECT_LOG(f, "Howl: removed. Howl removed. ");
    assert_int_equal(ability_count(f), 0);
}

// GRA-001
static void an_instant_effect_that_grants_is_not_registered(void **state)
{
    fixture *f = *state;
    kn_grant_def one = {.level = kn_constant(1.0f), .input = -1};
    assert_int_equal(kn_name_register(f->library, "Howl", &one.ability, NULL), KN_OK);
    kn_effect_def def = instant("Hit");
    def.grants = &one;
    def.grant_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(f->library, &def, &type, NULL), KN_ERROR_BAD_DATA);
}

// GRA-005, BEY-044
static void effects_take_back_only_what_they_granted_themselves(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Howl");
    kn_ability_type_id howl = ability_register(f, &def);
    kn_effect_type_id moon = granting(f, "Moon", "Howl", KN_GRANT_CANCEL);
    begin(f);
    kn_effect_id first = afflict(f, moon), second = afflict(f, moon);
    assert_int_equal(ability_count(f), 2);
    kn_ability_query query = kn_ability_query_default();
    query.effect = second;
    kn_ability_id of_second;
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, &of_second, 1), 1);
    kn_activation_id activation = activate(f, of_second);
    remove_effect(f, first);
    assert_int_equal(ability_count(f), 1);
    assert_true(kn_activation_is_alive(f->world, activation));
    kn_ability_grant_def shared = kn_ability_grant_def_default();
    shared.type = howl;
    shared.share = true;
    assert_true(kn_ability_id_equal(grant_def(f, &shared), of_second));
    remove_effect(f, second); // the other grant holds it
    assert_true(kn_activation_is_alive(f->world, activation));
    assert_int_equal(info_of(f, of_second).grants, 1);
    assert_int_equal(info_of(f, of_second).effect.index1, 0);
    check_replay(f, KN_S(1));
    assert_int_equal(kn_ability_revoke(f->world, of_second, KN_GRANT_CANCEL), KN_OK);
    assert_int_equal(ability_count(f), 0);
}

// GRA-004
static void an_effect_that_grants_an_ability_twice_takes_back_both(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Howl");
    (void)ability_register(f, &def);
    kn_grant_def grants[2] = {
        {.level = kn_constant(1.0f), .input = -1, .removal = KN_GRANT_AFTER_END},
        {.level = kn_constant(2.0f), .input = -1, .removal = KN_GRANT_AFTER_END},
    };
    assert_int_equal(kn_name_register(f->library, "Howl", &grants[0].ability, NULL), KN_OK);
    grants[1].ability = grants[0].ability;
    kn_effect_def effect_def = infinite("Moon");
    effect_def.grants = grants;
    effect_def.grant_count = 2;
    kn_effect_type_id moon = effect_register(f, &effect_def);
    begin(f);
    kn_effect_id effect = afflict(f, moon);
    kn_ability_id ids[2];
    assert_int_equal(kn_abilities_find(f->world, f->hero, NULL, ids, 2), 2);
    activate(f, ids[0]);
    activate(f, ids[1]);
    remove_effect(f, effect);
    assert_true(info_of(f, ids[0]).is_removing && info_of(f, ids[1]).is_removing);
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 2);
    assert_int_equal(ability_count(f), 0);
}

static kn_result push_back(const kn_ability_call *call)
{
    note(call->user, "pushed. ");
    return kn_wait_delay(call->world, call->activation, 0, KN_MS(500));
}

static void push_done(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

// GRA-002, ABI-074
static void an_effect_forces_an_ability_upon_its_target(void **state)
{
    fixture *f = *state;
    kn_ability_def def = noting_def(f, "KnockBack");
    def.activates_on_grant = true;
    def.activate = push_back;
    def.task_done = push_done;
    (void)ability_register(f, &def);
    kn_effect_type_id blow = granting(f, "Blow", "KnockBack", KN_GRANT_AFTER_END);
    begin(f);
    kn_effect_id effect = afflict(f, blow);
    EXPECT_LOG(f, "KnockBack granted. pushed. ");
    remove_effect(f, effect);
    check_replay(f, KN_MS(250));
    check_replay(f, KN_S(1));
    step(f, KN_MS(499));
    EXPECT_LOG(f, "");
    step(f, KN_MS(1));
    EXPECT_LOG(f, "KnockBack: ended. KnockBack removed. ");
}

static kn_result end_what_granted_it(const kn_ability_call *call)
{
    kn_ability_info info;
    assert_true(kn_ability_get(call->world, call->ability, &info));
    note(call->user, "ends its effect. ");
    return kn_effect_remove(call->world, info.effect, 0, KN_REMOVED_RULE);
}

// CHG-037, ABI-083, GRA-004
static void a_forced_ability_may_end_the_effect_that_forces_it(void **state)
{
    fixture *f = *state;
    kn_ability_def def = noting_def(f, "KnockBack");
    def.activates_on_grant = true;
    def.activate = end_what_granted_it;
    (void)ability_register(f, &def);
    kn_effect_type_id blow = granting(f, "Blow", "KnockBack", KN_GRANT_CANCEL);
    begin(f);
    kn_effect_id effect;
    (void)kn_effect_apply_simple(f->world, blow, f->foe, f->hero, 1.0f, &effect);
    step(f, KN_S(1));
    assert_int_equal(ability_count(f), 0);
    assert_int_equal(kn_world_get_stats(f->world).effects, 0);
    EXPECT_LOG(f, "KnockBack granted. ends its effect. KnockBack: removed. KnockBack removed. ");
}

static kn_activation_id ended_by_effect;

static void end_the_victim(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)spec;
    (void)state;
    note(user, "ends it. ");
    assert_int_equal(kn_activation_end(world, ended_by_effect), KN_OK);
}

// CHG-037, ABI-083, ABI-084: also one that has nothing to do with the effect that is being applied.
static void an_effect_that_is_being_applied_may_end_an_ability(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Aim");
    def.owned_tags = tags_of(f, "State.Aiming");
    def.block_with = tags_of(f, "Move");
    kn_ability_type_id type = ability_register(f, &def);
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Jolt";
    logic.applied = end_the_victim;
    logic.user = f;
    kn_effect_def jolt_def = infinite("Jolt");
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &jolt_def.logic, NULL), KN_OK);
    kn_effect_type_id jolt = effect_register(f, &jolt_def);
    begin(f);
    kn_ability_id aim = grant(f, type);
    for (uint32_t i = 0; i < 2; i++) { // a second time: nothing is left of the first
        ended_by_effect = activate(f, aim);
        f->log[0] = 0;
        kn_effect_id effect = afflict(f, jolt);
        EXPECT_LOG(f, "ends it. Aim: ended. ");
        assert_false(kn_activation_is_alive(f->world, ended_by_effect));
        assert_false(kn_ability_is_active(f->world, aim));
        assert_false(kn_entity_has_tag(f->world, f->hero, tag_of(f, "State.Aiming")));
        assert_false(kn_entity_ability_tag_blocked(f->world, f->hero, tag_of(f, "Move")));
        assert_int_equal(published(f, KN_EVENT_ABILITY_ENDED, NULL), 1);
        assert_true(kn_effect_is_alive(f->world, effect));
    }
}

// Once ----------------------------------------------------------------------

static kn_result note_event(const kn_ability_call *call, const kn_event_record *event)
{
    uint32_t bytes[4] = {0};
    assert_true(event->data_size <= sizeof(bytes));
    memcpy(bytes, event->data, event->data_size);
    note(call->user, "%s: %g, objects %u %u, %u tags, bytes %u. ", ability_name(call),
        (double)event->magnitude, (uint32_t)event->object, (uint32_t)event->object2,
        event->tags.count, bytes[0]);
    return KN_OK;
}

static kn_event_record full_event(fixture *f, const uint32_t *bytes, uint32_t size)
{
    kn_event_record event = kn_event_record_default();
    event.magnitude = 2.5f;
    event.instigator = f->foe;
    event.target = f->hero;
    event.object = 11;
    event.object2 = 12;
    event.tags = tags_of(f, "Element.Fire");
    event.data = bytes;
    event.data_size = size;
    return event;
}

// ABI-041, ABI-049
static void an_ability_granted_once_goes_with_its_activation(void **state)
{
    fixture *f = *state;
    tag_of(f, "Element.Fire");
    kn_ability_def def = noting_def(f, "Potion");
    def.activate_by_event = note_event;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = type;
    given.share = true; // it does not join, nor is it joined by, another
    kn_ability_id other = grant(f, type), once;
    f->log[0] = 0;
    uint32_t bytes[2] = {42, 43};
    kn_event_record event = full_event(f, bytes, sizeof(bytes));
    assert_int_equal(kn_ability_grant_once(f->world, f->hero, &given, &event, &once), KN_OK);
    assert_false(kn_ability_id_equal(other, once));
    EXPECT_LOG(f, "Potion granted. Potion: 2.5, objects 11 12, 1 tags, bytes 42. ");
    check_replay(f, KN_S(1));
    assert_int_equal(kn_ability_cancel(f->world, once), KN_OK);
    EXPECT_LOG(f, "Potion: cancelled. Potion removed. ");
    assert_false(kn_ability_is_alive(f->world, once));
    assert_int_equal(kn_ability_grant_once(f->world, f->hero, &given, NULL, NULL), KN_OK);
    EXPECT_LOG(f, "Potion granted. Potion activates. ");
    assert_int_equal(ability_count(f), 2);
}

static bool says_no(const kn_ability_call *call, const kn_event_record *event)
{
    (void)call;
    (void)event;
    return false;
}

static kn_result fails(const kn_ability_call *call)
{
    note(call->user, "fails. ");
    return KN_ERROR_IO;
}

// ABI-041
static void an_ability_granted_once_that_does_not_start_is_gone_at_once(void **state)
{
    fixture *f = *state;
    kn_ability_def no_def = ability_def(f, "No"), failing_def = ability_def(f, "Failing");
    no_def.can_activate = says_no;
    failing_def.activate = fails;
    kn_ability_type_id types[2] = {ability_register(f, &no_def), ability_register(f, &failing_def)};
    begin(f);
    const kn_result expected[2] = {KN_REFUSED_CUSTOM, KN_ERROR_IO};
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_grant_def given = kn_ability_grant_def_default();
        given.type = types[i];
        kn_ability_id ability = {1, 1};
        assert_int_equal(
            kn_ability_grant_once(f->world, f->hero, &given, NULL, &ability), expected[i]);
        assert_int_equal(ability.index1, 0);
        assert_int_equal(ability_count(f), 0);
    }
    EXPECT_LOG(f, "fails. Failing: failed. ");
    check_replay(f, KN_S(1));
}

// Hands on the event it was given, by a view of the world's memory, while hooks make that grow.
static kn_result hand_on(const kn_ability_call *call)
{
    fixture *f = call->user;
    kn_event_record event;
    assert_true(kn_activation_event(call->world, call->activation, &event));
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = kn_ability_type_find(f->library, "Echo");
    given.dynamic_tags = event.tags;
    kn_ability_id echo;
    assert_int_equal(kn_ability_grant_once(call->world, call->owner, &given, &event, &echo), KN_OK);
    assert_true(kn_ability_has_tag(call->world, echo, tag_of(f, "Element.Fire")));
    return KN_OK;
}

static void fill_memory(const kn_ability_call *call)
{
    fixture *f = call->user;
    for (uint32_t i = 0; i < 40; i++) {
        kn_ability_grant_def given = kn_ability_grant_def_default();
        given.type = kn_ability_type_find(f->library, "Ballast");
        kn_ability_id ability;
        assert_int_equal(kn_ability_grant(call->world, call->owner, &given, &ability), KN_OK);
    }
}

// CHG-010, TVA-021, ABI-041
static void the_event_of_a_grant_is_kept_while_its_hooks_move_memory(void **state)
{
    fixture *f = *state;
    tag_of(f, "Element.Fire");
    kn_ability_def first_def = ability_def(f, "First"), echo_def = ability_def(f, "Echo");
    kn_ability_def ballast = kn_ability_def_default();
    ballast.name = "Ballast";
    ballast.state_size = 4000;
    (void)ability_register(f, &ballast);
    first_def.activate = hand_on;
    kn_ability_type_id first = ability_register(f, &first_def);
    echo_def.activate_by_event = note_event;
    echo_def.granted = fill_memory;
    (void)ability_register(f, &echo_def);
    begin(f);
    uint32_t bytes[4] = {42, 43, 44, 45};
    kn_event_record event = full_event(f, bytes, sizeof(bytes));
    for (uint32_t i = 0; i < 3; i++) {
        kn_ability_id ability = grant(f, first);
        assert_int_equal(kn_ability_activate(f->world, ability, &event, NULL), KN_OK);
        EXPECT_LOG(f, "Echo: 2.5, objects 11 12, 1 tags, bytes 42. ");
    }
    check_replay(f, KN_S(1));
}

// Sets ----------------------------------------------------------------------

static kn_ability_set_id ability_set_register(
    fixture *f, const char *name, const kn_ability_set_entry *entries, uint32_t count)
{
    kn_ability_set_def def = kn_ability_set_def_default();
    def.name = name;
    def.entries = entries;
    def.entry_count = count;
    kn_ability_set_id set;
    assert_int_equal(kn_ability_set_register(f->library, &def, &set, NULL), KN_OK);
    return set;
}

// ABI-030, ABI-039, ABI-124
static void a_set_is_granted_once_and_taken_back_as_a_whole(void **state)
{
    fixture *f = *state;
    kn_ability_def jump_def = noting_def(f, "Jump"), aim_def = noting_def(f, "Aim");
    aim_def.input = 9;
    kn_ability_type_id jump = ability_register(f, &jump_def), aim = ability_register(f, &aim_def);
    kn_ability_set_entry entries[] = {{.type = jump, .level = 2.0f, .input = 3},
        {.type = aim, .level = 1.0f, .input = KN_INPUT_FROM_DEF}};
    kn_ability_set_id set = ability_set_register(f, "Start", entries, 2);
    begin(f);
    assert_true(kn_ability_set_find(f->library, "Start").index1 == set.index1);
    kn_ability_id kept = grant(f, jump), ids[2];
    f->log[0] = 0;
    assert_int_equal(
        kn_ability_set_remove(f->world, f->hero, set, KN_GRANT_CANCEL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_ability_set_grant(f->world, f->hero, set, ids, 2), KN_OK);
    assert_int_equal(kn_ability_set_grant(f->world, f->hero, set, NULL, 0), KN_REFUSED_DUPLICATE);
    EXPECT_LOG(f, "Jump granted. Aim granted. ");
    assert_int_equal(kn_ability_set_grant(f->world, f->foe, set, NULL, 0), KN_OK); // once for each
    EXPECT_LOG(f, "Jump granted. Aim granted. ");
    kn_entity_id body; // nor after a respawn
    assert_int_equal(kn_entity_create(f->world, &body), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, body), KN_OK);
    assert_int_equal(kn_ability_set_grant(f->world, f->hero, set, NULL, 0), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_ability_set_grant(f->world, body, set, NULL, 0), KN_REFUSED_DUPLICATE);
    EXPECT_LOG(f, "");
    assert_true(info_of(f, ids[0]).level == 2.0f && info_of(f, ids[0]).input == 3);
    assert_true(info_of(f, ids[1]).input == 9);
    check_replay(f, KN_S(1));
    activate(f, ids[1]);
    assert_int_equal(kn_ability_set_remove(f->world, f->hero, set, KN_GRANT_AFTER_END), KN_OK);
    EXPECT_LOG(f, "Aim activates. Jump removed. ");
    assert_int_equal(kn_ability_set_grant(f->world, f->hero, set, NULL, 0), KN_OK);
    assert_int_equal(kn_ability_set_remove(f->world, f->hero, set, KN_GRANT_CANCEL), KN_OK);
    assert_int_equal(kn_ability_cancel(f->world, ids[1]), KN_OK);
    assert_int_equal(ability_count(f), 1);
    assert_true(kn_ability_is_alive(f->world, kept));
    assert_int_equal(kn_abilities_find(f->world, f->foe, NULL, NULL, 0), 2);
}

static void grant_the_set_again(const kn_ability_call *call)
{
    fixture *f = call->user;
    note(f, "%s removed. ", ability_name(call));
    (void)!kn_ability_set_grant(
        call->world, call->owner, kn_ability_set_find(f->library, "Start"), NULL, 0);
}

// ABI-043, ABI-124
static void a_set_that_grants_itself_again_is_removed_once(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Phoenix");
    def.removed = grant_the_set_again;
    kn_ability_type_id type = ability_register(f, &def);
    kn_ability_set_entry entries[] = {{.type = type, .level = 1.0f}, {.type = type, .level = 2.0f}};
    kn_ability_set_id set = ability_set_register(f, "Start", entries, 2);
    begin(f);
    assert_int_equal(kn_ability_set_grant(f->world, f->hero, set, NULL, 0), KN_OK);
    assert_int_equal(kn_ability_set_remove(f->world, f->hero, set, KN_GRANT_CANCEL), KN_OK);
    EXPECT_LOG(f, "Phoenix removed. Phoenix removed. ");
    assert_int_equal(ability_count(f), 2);
    step(f, KN_S(1));
}

// Levels --------------------------------------------------------------------

static void note_level(const kn_ability_call *call, float old_level)
{
    note(call->user, "%s: %g to %g. ", ability_name(call), (double)old_level,
        (double)kn_ability_level(call->world, call->ability));
}

// ABI-123, ABI-023, TVA-015
static void a_raised_level_leaves_what_runs_alone(void **state)
{
    fixture *f = *state;
    kn_ability_def def = noting_def(f, "Aim");
    def.level_changed = note_level;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id aim = grant(f, type), same = aim;
    kn_activation_id activation = activate(f, aim);
    assert_int_equal(kn_ability_set_level(f->world, &aim, 2.0f), KN_OK);
    assert_true(kn_ability_id_equal(aim, same));
    assert_true(kn_activation_is_alive(f->world, activation));
    assert_true(kn_ability_level(f->world, aim) == 2.0f);
    EXPECT_LOG(f, "Aim granted. Aim activates. Aim: 1 to 2. ");
    check_replay(f, KN_S(1));
}

// ABI-121, ABI-123, ABI-023, TVA-015
static void a_regrant_ends_what_runs_and_keeps_what_was_given(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "Element.Fire"), power = tag_of(f, "Power");
    kn_ability_def def = noting_def(f, "Aim");
    def.level_up = KN_LEVEL_UP_REGRANT;
    def.level_changed = note_level;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id aim = grant(f, type), old = aim;
    kn_ability_grant_def shared = kn_ability_grant_def_default();
    shared.type = type;
    shared.share = true;
    assert_true(kn_ability_id_equal(grant_def(f, &shared), aim));
    assert_int_equal(kn_ability_add_tag(f->world, aim, fire), KN_OK);
    assert_int_equal(kn_ability_set_caller_value(f->world, aim, power, 3.0f), KN_OK);
    assert_int_equal(kn_ability_set_input(f->world, aim, 8), KN_OK);
    assert_int_equal(kn_ability_set_user(f->world, aim, 99), KN_OK);
    activate(f, aim);
    f->log[0] = 0;
    assert_int_equal(kn_ability_set_level(f->world, &aim, 2.0f), KN_OK);
    EXPECT_LOG(f, "Aim: removed. Aim removed. Aim granted. ");
    assert_true(kn_end_is_cancelled(KN_ENDED_REMOVED));
    assert_false(kn_ability_is_alive(f->world, old));
    kn_ability_info info = info_of(f, aim);
    assert_true(info.level == 2.0f && info.input == 8 && info.user == 99 && info.grants == 2);
    assert_true(info.active_count == 0 && kn_ability_has_tag(f->world, aim, fire));
    assert_true(kn_ability_caller_value(f->world, aim, power, 0.0f) == 3.0f);
    assert_int_equal(ability_count(f), 1);
    check_replay(f, KN_S(1));
    assert_int_equal(kn_ability_set_level(f->world, &old, 3.0f), KN_REFUSED_STALE_ID);
}

// ABI-121
static void what_is_about_to_go_is_not_granted_anew_by_a_level(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Aim");
    def.level_up = KN_LEVEL_UP_REGRANT;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = type;
    kn_ability_id leaving = grant(f, type), once;
    activate(f, leaving);
    assert_int_equal(kn_ability_remove(f->world, leaving, KN_GRANT_AFTER_END), KN_OK);
    assert_int_equal(kn_ability_grant_once(f->world, f->hero, &given, NULL, &once), KN_OK);
    assert_int_equal(kn_ability_set_level(f->world, &leaving, 2.0f), KN_OK);
    assert_int_equal(kn_ability_set_level(f->world, &once, 2.0f), KN_OK);
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 2);
    assert_int_equal(ability_count(f), 0);
}

// Passives ------------------------------------------------------------------

// Of the grant, and by way of it of the one instance that runs, with its state.
static void note_avatar(const kn_ability_call *call)
{
    kn_ability_info info;
    assert_true(kn_ability_get(call->world, call->ability, &info));
    assert_int_equal(call->activation.index1, 0);
    note(call->user, "%s has a body%s. ", ability_name(call),
        kn_entity_id_equal(call->avatar, call->owner) ? "" : " of its own");
    uint32_t *bodies = kn_activation_state(call->world, info.latest);
    if (bodies != NULL) {
        ++*bodies;
    }
}

// ABI-022, ABI-071, ABI-072, ASC-027, ABI-009, GAPA-028
static void a_passive_starts_with_its_grant_and_hears_of_new_bodies(void **state)
{
    fixture *f = *state;
    kn_ability_def def = noting_def(f, "Aura"), bound_def = ability_def(f, "Bound");
    def.activates_on_grant = true;
    def.avatar_set = note_avatar;
    def.state_size = sizeof(uint32_t);
    kn_ability_type_id aura_type = ability_register(f, &def);
    bound_def.activates_on_grant = true;
    bound_def.ends_with_avatar = true;
    kn_ability_type_id bound_type = ability_register(f, &bound_def);
    begin(f);
    kn_ability_id aura = grant(f, aura_type);
    EXPECT_LOG(f, "Aura granted. Aura has a body. Aura activates. ");
    kn_ability_id bound = grant(f, bound_type);
    f->log[0] = 0;
    kn_entity_id body = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, body), KN_OK);
    EXPECT_LOG(f, "Aura has a body of its own. Bound: cancelled. Bound activates. ");
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, body), KN_OK);
    EXPECT_LOG(f, "");
    check_replay(f, KN_S(1));
    assert_true(kn_entity_destroy(f->world, body)); // the hero is its own body again
    EXPECT_LOG(f, "Aura has a body. Bound: cancelled. Bound activates. ");
    assert_true(kn_ability_is_active(f->world, aura) && kn_ability_is_active(f->world, bound));
    const uint32_t *bodies = kn_activation_read_state(f->world, info_of(f, aura).latest);
    assert_int_equal(*bodies, 2); // the first was there before it ran
    assert_int_equal(kn_ability_cancel(f->world, aura), KN_OK);
    step(f, KN_S(1));
}

// ABI-041, ABI-071: once for each ability that is new, also if it is granted for one activation;
// another grant of an ability that is there brings no body.
static void every_new_ability_hears_of_its_body_once(void **state)
{
    fixture *f = *state;
    kn_ability_def def = noting_def(f, "Aura");
    def.activates_on_grant = true;
    def.avatar_set = note_avatar;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_grant_def shared = kn_ability_grant_def_default();
    shared.type = type;
    shared.share = true;
    kn_ability_id aura = grant_def(f, &shared), once;
    EXPECT_LOG(f, "Aura granted. Aura has a body. Aura activates. ");
    assert_true(kn_ability_id_equal(grant_def(f, &shared), aura));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_ability_cancel(f->world, aura), KN_OK);
    f->log[0] = 0;
    assert_true(kn_ability_id_equal(grant_def(f, &shared), aura));
    EXPECT_LOG(f, "Aura activates. "); // granted, and not active
    assert_int_equal(info_of(f, aura).grants, 3);
    assert_int_equal(kn_ability_grant_once(f->world, f->foe, &shared, NULL, &once), KN_OK);
    EXPECT_LOG(f, "Aura granted. Aura has a body. Aura activates. ");
    assert_int_equal(info_of(f, once).active_count, 1);
    check_replay(f, KN_S(1));
}

static void leave_with_the_body(const kn_ability_call *call)
{
    note(call->user, "%s leaves. ", ability_name(call));
    if (!kn_entity_id_equal(call->avatar, call->owner)) {
        assert_int_equal(kn_ability_remove(call->world, call->ability, KN_GRANT_CANCEL), KN_OK);
    }
}

// ABI-043, ABI-071, ASC-009
static void every_ability_hears_of_a_body_though_some_leave_meanwhile(void **state)
{
    fixture *f = *state;
    kn_ability_def a_def = ability_def(f, "A"), b_def = ability_def(f, "B");
    a_def.avatar_set = leave_with_the_body;
    b_def.avatar_set = note_avatar;
    kn_ability_type_id a = ability_register(f, &a_def), b = ability_register(f, &b_def);
    begin(f);
    grant(f, a);
    grant(f, b);
    grant(f, a);
    grant(f, b);
    (void)grant_to(f, f->foe, b); // whose body stays
    f->log[0] = 0;
    kn_entity_id body = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, body), KN_OK);
    EXPECT_LOG(f, "A leaves. B has a body of its own. A leaves. B has a body of its own. ");
    assert_int_equal(ability_count(f), 2);
    step(f, KN_S(1));
}

// Removing while walking ----------------------------------------------------

static void removed_grants_another(const kn_ability_call *call)
{
    fixture *f = call->user;
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = kn_ability_type_find(f->library, "Hydra");
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(call->world, call->owner, &given, &ability), KN_OK);
    note(f, "head. ");
}

static void removed_removes_all(const kn_ability_call *call)
{
    note(call->user, "all. ");
    kn_abilities_remove(call->world, call->owner, NULL, KN_GRANT_CANCEL);
}

// TVA-020, ABI-043, ASC-009
static void a_walk_that_removes_visits_what_was_there_when_it_began(void **state)
{
    fixture *f = *state;
    kn_ability_def hydra_def = ability_def(f, "Hydra"), end_def = ability_def(f, "End");
    hydra_def.removed = removed_grants_another;
    end_def.removed = removed_removes_all;
    kn_ability_type_id hydra = ability_register(f, &hydra_def);
    kn_ability_type_id end = ability_register(f, &end_def);
    begin(f);
    kn_ability_id first = grant(f, hydra);
    activate(f, first);
    grant(f, hydra);
    f->log[0] = 0;
    assert_int_equal(kn_abilities_remove(f->world, f->hero, NULL, KN_GRANT_KEEP), 0);
    assert_int_equal(kn_abilities_remove(f->world, f->hero, NULL, KN_GRANT_CANCEL), 2);
    EXPECT_LOG(f, "Hydra: removed. head. head. ");
    assert_int_equal(ability_count(f), 2);
    step(f, KN_S(1));
    grant(f, end);
    grant(f, end);
    kn_ability_query query = kn_ability_query_default();
    query.type = end;
    assert_int_equal(kn_abilities_remove(f->world, f->hero, &query, KN_GRANT_CANCEL), 2);
    EXPECT_LOG(f, "all. all. head. head. ");
    assert_int_equal(ability_count(f), 2); // the new heads
    step(f, KN_S(1));
}

// Bad input -----------------------------------------------------------------

static void a_grant_that_makes_no_sense_changes_nothing(void **state)
{
    fixture *f = *state;
    tag_of(f, "Power");
    kn_ability_def def = ability_def(f, "Jump");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_caller_value bad_value = {tag_of(f, "Power"), NAN}, bad_tag = {{9999}, 1.0f};
    kn_tag unknown = {9999};
    kn_ability_grant_def good = kn_ability_grant_def_default();
    good.type = type;
    kn_ability_grant_def defs[8];
    for (uint32_t i = 0; i < 8; i++) {
        defs[i] = good;
        defs[i].caller_value_count = i == 3 || i == 4;
    }
    defs[0].level = NAN;
    defs[1].level = INFINITY;
    defs[2].type.index1 = 77;
    defs[3].caller_values = &bad_value;
    defs[4].caller_values = &bad_tag;
    defs[5].dynamic_tags = (kn_tags){&unknown, 1};
    defs[6].type.index1 = 0;
    defs[7].cookie = 0;
    const kn_result expected[8] = {KN_REFUSED_BAD_NUMBER, KN_REFUSED_BAD_NUMBER,
        KN_ERROR_INVALID_ARGUMENT, KN_REFUSED_BAD_NUMBER, KN_ERROR_INVALID_ARGUMENT,
        KN_ERROR_INVALID_ARGUMENT, KN_ERROR_INVALID_ARGUMENT, KN_ERROR_INVALID_ARGUMENT};
    uint64_t hash = kn_world_hash(f->world);
    kn_assert_set_handler(ignore_assert);
    for (uint32_t i = 0; i < 8; i++) {
        kn_ability_id ability = {1, 1};
        assert_int_equal(kn_ability_grant(f->world, f->hero, &defs[i], &ability), expected[i]);
        assert_int_equal(ability.index1, 0);
        assert_int_equal(
            kn_ability_grant_once(f->world, f->hero, &defs[i], NULL, &ability), expected[i]);
    }
    kn_assert_set_handler(NULL);
    kn_entity_id stale = f->foe;
    assert_true(kn_entity_destroy(f->world, f->foe));
    hash = kn_world_hash(f->world);
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, stale, &good, &ability), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_world_hash(f->world), hash);
}

static void absurd_levels_are_numbers_like_others(void **state)
{
    fixture *f = *state;
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(1.0f)};
    kn_ability_def def = ability_def(f, "Jump");
    def.costs = &cost;
    def.cost_count = 1;
    def.commit = KN_COMMIT_AT_USE;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    const float levels[] = {1e30f, -1e30f, -5.0f, 0.0f, 3.4e38f, 1e-40f};
    for (uint32_t i = 0; i < 6; i++) {
        kn_ability_grant_def given = kn_ability_grant_def_default();
        given.type = type;
        given.level = levels[i];
        kn_ability_id ability = grant_def(f, &given);
        assert_true(kn_ability_level(f->world, ability) == levels[i]);
        activate(f, ability);
        assert_int_equal(kn_ability_set_level(f->world, &ability, NAN), KN_REFUSED_BAD_NUMBER);
        assert_int_equal(
            kn_ability_set_level(f->world, &ability, -INFINITY), KN_REFUSED_BAD_NUMBER);
        assert_int_equal(kn_ability_set_level(f->world, &ability, -levels[i]), KN_OK);
        check_replay(f, KN_S(1));
    }
}

static void a_set_with_a_level_that_is_no_number_is_not_registered(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Jump");
    kn_ability_set_entry entry = {.type = ability_register(f, &def), .level = NAN};
    kn_ability_set_def set_def = kn_ability_set_def_default();
    set_def.name = "Start";
    set_def.entries = &entry;
    set_def.entry_count = 1;
    kn_ability_set_id set;
    assert_int_equal(kn_ability_set_register(f->library, &set_def, &set, NULL), KN_ERROR_BAD_DATA);
    entry.level = 1.0f;
    entry.type.index1 = 77;
    assert_int_not_equal(kn_ability_set_register(f->library, &set_def, &set, NULL), KN_OK);
}

// ABI-080, CHG-021, ABI-062
static void every_call_about_an_ability_that_is_gone_is_refused(void **state)
{
    fixture *f = *state;
    tag_of(f, "Power");
    kn_ability_def def = ability_def(f, "Jump");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id gone = grant(f, type);
    kn_activation_id over = activate(f, gone);
    assert_int_equal(kn_ability_remove(f->world, gone, KN_GRANT_CANCEL), KN_OK);
    kn_ability_id same_slot = grant(f, type), null = {0}, absurd = {UINT32_MAX, 1};
    assert_int_equal(same_slot.index1, gone.index1);
    kn_tag power = tag_of(f, "Power");
    const kn_ability_id stale[3] = {gone, null, absurd};
    uint64_t hash = kn_world_hash(f->world);
    for (uint32_t i = 0; i < 3; i++) {
        kn_ability_id id = stale[i];
        kn_ability_info info;
        assert_false(kn_ability_get(f->world, id, &info));
        assert_false(kn_ability_is_active(f->world, id));
        assert_true(kn_ability_level(f->world, id) == 0.0f);
        assert_int_equal(kn_ability_activate(f->world, id, NULL, NULL), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_ability_cancel(f->world, id), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_ability_set_level(f->world, &id, 2.0f), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_ability_set_input(f->world, id, 2), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_ability_set_user(f->world, id, 2), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_ability_add_tag(f->world, id, power), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_ability_remove_tag(f->world, id, power), KN_REFUSED_STALE_ID);
        assert_int_equal(
            kn_ability_set_caller_value(f->world, id, power, 1.0f), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_ability_check(f->world, id, NULL), KN_FAIL_STALE);
        assert_int_equal(kn_ability_status(f->world, id), KN_FAIL_STALE);
        assert_int_equal(kn_ability_explain(f->world, id, NULL, NULL, 0), 1);
        assert_int_equal(kn_ability_quote(f->world, id, NULL, 0), 0);
    }
    assert_false(kn_activation_is_alive(f->world, over));
    assert_int_equal(kn_activation_end(f->world, over), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_cancel(f->world, over), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_commit(f->world, over), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_set_cancelable(f->world, over, false), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_set_blocking(f->world, over, false), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_ability(f->world, over).index1, 0);
    assert_int_equal(kn_activation_owner(f->world, over).index1, 0);
    assert_null(kn_activation_state(f->world, over));
    assert_int_equal(kn_world_hash(f->world), hash);
}

static void caller_values_beyond_the_limit_are_refused(void **state)
{
    fixture *f = *state;
    enum { MANY = KN_ABILITY_VALUES_MAX + 1 };
    kn_caller_value values[MANY];
    char name[32];
    for (uint32_t i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof(name), "Value.%u", i);
        values[i] = (kn_caller_value){tag_of(f, name), -1.0f - (float)i};
    }
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_set_by_caller(values[MANY - 1].tag);
    kn_effect_def hit_def = instant("Hit");
    hit_def.modifiers = &modifier;
    hit_def.modifier_count = 1;
    kn_effect_type_id hit = effect_register(f, &hit_def);
    kn_ability_def def = ability_def(f, "Wand");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = type;
    given.caller_values = values;
    given.caller_value_count = MANY;
    kn_ability_id wand;
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(kn_ability_grant(f->world, f->hero, &given, &wand), KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_ability_grant_once(f->world, f->hero, &given, NULL, &wand), KN_REFUSED_LIMIT);
    assert_int_equal(kn_world_hash(f->world), before);
    given.caller_values = values + 1; // the last ones
    given.caller_value_count = KN_ABILITY_VALUES_MAX;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &given, &wand), KN_OK);
    assert_int_equal(
        kn_ability_set_caller_value(f->world, wand, values[0].tag, 1.0f), KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_ability_set_caller_value(f->world, wand, values[1].tag, 1.0f), KN_OK); // it has this one
    kn_activation_id activation = activate(f, wand);
    assert_int_equal(kn_activation_apply(f->world, activation, hit, f->hero, NULL), KN_OK);
    assert_true(value_of(f, f->health) == 100.0f - (float)MANY);
    kn_effect_apply_def apply_def = kn_effect_apply_def_default();
    apply_def.type = hit;
    apply_def.target = f->hero;
    apply_def.caller_values = values;
    apply_def.caller_value_count = MANY;
    assert_int_equal(
        kn_activation_apply_def(f->world, activation, &apply_def, NULL), KN_REFUSED_LIMIT);
    values[1].tag = values[MANY - 1].tag; // what the call says wins
    apply_def.caller_value_count = 2;
    assert_int_equal(kn_activation_apply_def(f->world, activation, &apply_def, NULL), KN_OK);
    assert_true(value_of(f, f->health) == 98.0f - (float)MANY);
    check_replay(f, KN_MS(10));
}

static void what_sets_itself_off_twice_is_cut_by_number_with_one_report(void **state)
{
    fixture *f = *state;
    kn_name name;
    assert_int_equal(kn_name_register(f->library, "Berserk", &name, NULL), KN_OK);
    kn_grant_def grants = {.ability = name, .level = kn_constant(1.0f), .input = -1};
    kn_effect_def rage_def = infinite("Rage");
    rage_def.grants = &grants;
    rage_def.grant_count = 1;
    kn_effect_type_id rage = effect_register(f, &rage_def);
    kn_ability_apply_def twice[2] = {{.effect = rage}, {.effect = rage}};
    kn_ability_def def = kn_ability_def_default();
    def.name = "Berserk";
    def.activates_on_grant = true;
    def.body = KN_BODY_USE;
    def.applies = twice;
    def.apply_count = 2;
    (void)ability_register(f, &def);
    begin(f);
    for (uint32_t i = 0; i < 2; i++) {
        kn_effect_id effect;
        assert_int_equal(
            kn_effect_apply_simple(f->world, rage, f->foe, f->hero, 1.0f, &effect), KN_OK);
        assert_int_equal(published(f, KN_EVENT_ERROR, NULL), 1);
        assert_in_range(kn_effects_count(f->world, f->hero), 1, (i + 1) * 5000);
        assert_false(kn_world_is_broken(f->world));
        assert_true(kn_world_validate(f->world));
    }
    check_replay(f, KN_S(1));
}

static const struct CMUnitTest tests[] = {
    TEST(caller_values_beyond_the_limit_are_refused),
    TEST(a_grant_keeps_what_it_was_given_and_its_source_only_weakly),
    TEST(a_client_grants_nothing),
    TEST(setting_what_is_there_changes_nothing),
    TEST(shared_grants_are_counted_and_each_takes_back_its_own),
    TEST(hooks_about_the_grant_are_called_once_for_any_number_of_instances),
    TEST(an_effect_grants_an_ability_and_says_what_becomes_of_it),
    TEST(what_a_timed_effect_grants_goes_when_it_expires),
    TEST(an_instant_effect_that_grants_is_not_registered),
    TEST(effects_take_back_only_what_they_granted_themselves),
    TEST(an_effect_that_grants_an_ability_twice_takes_back_both),
    TEST(an_effect_forces_an_ability_upon_its_target),
    TEST(a_forced_ability_may_end_the_effect_that_forces_it),
    TEST(an_effect_that_is_being_applied_may_end_an_ability),
    TEST(an_ability_granted_once_goes_with_its_activation),
    TEST(an_ability_granted_once_that_does_not_start_is_gone_at_once),
    TEST(the_event_of_a_grant_is_kept_while_its_hooks_move_memory),
    TEST(a_set_is_granted_once_and_taken_back_as_a_whole),
    TEST(a_set_that_grants_itself_again_is_removed_once),
    TEST(a_raised_level_leaves_what_runs_alone),
    TEST(a_regrant_ends_what_runs_and_keeps_what_was_given),
    TEST(what_is_about_to_go_is_not_granted_anew_by_a_level),
    TEST(a_passive_starts_with_its_grant_and_hears_of_new_bodies),
    TEST(every_new_ability_hears_of_its_body_once),
    TEST(every_ability_hears_of_a_body_though_some_leave_meanwhile),
    TEST(a_walk_that_removes_visits_what_was_there_when_it_began),
    TEST(a_grant_that_makes_no_sense_changes_nothing),
    TEST(absurd_levels_are_numbers_like_others),
    TEST(a_set_with_a_level_that_is_no_number_is_not_registered),
    TEST(every_call_about_an_ability_that_is_gone_is_refused),
    TEST(what_sets_itself_off_twice_is_cut_by_number_with_one_report),
};

TEST_GROUP(ability_grants, tests, NULL, NULL);
