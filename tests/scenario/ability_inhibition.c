// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What becomes of an ability that an effect granted while the effect is switched off.

#include "scenario/ability_replay.h"

typedef struct moon {
    fixture *f;
    kn_ability_type_id howl;
    kn_effect_type_id type;
    kn_effect_id effect;
} moon;

static void note_granted(const kn_ability_call *call)
{
    note(call->user, "granted. ");
}

static void note_removed(const kn_ability_call *call)
{
    note(call->user, "removed. ");
}

static kn_ability_def howl_def(fixture *f)
{
    kn_ability_def def = ability_def(f, "Howl");
    def.granted = note_granted;
    def.removed = note_removed;
    return def;
}

// An effect that grants Howl and is off while there are clouds.
static void moon_register(moon *m, fixture *f, const kn_ability_def *def, kn_grant_follow follow)
{
    m->f = f;
    m->howl = ability_register(f, def);
    kn_grant_def grants[2] = {{.level = kn_constant(2.0f), .input = -1}};
    assert_int_equal(kn_name_register(f->library, "Howl", &grants[0].ability, NULL), KN_OK);
    grants[0].follow_inhibition = follow;
    kn_effect_def effect = infinite("Moon");
    effect.ongoing.target.ignored = tags_of(f, "Clouds");
    effect.grants = grants;
    effect.grant_count = 1;
    m->type = effect_register(f, &effect);
}

static void moon_begin(moon *m)
{
    begin(m->f);
    m->effect = afflict(m->f, m->type);
}

static void clouds(moon *m, bool come)
{
    if (come) {
        add_tag(m->f, m->f->hero, tag_of(m->f, "Clouds"));
    } else {
        remove_tag(m->f, m->f->hero, tag_of(m->f, "Clouds"));
    }
    assert_true(kn_world_validate(m->f->world));
    check_replay(m->f, KN_MS(10));
}

// The hero's only ability; null if there is none.
static kn_ability_id the_ability(const moon *m)
{
    kn_ability_id id = {0};
    assert_in_range(kn_abilities_find(m->f->world, m->f->hero, NULL, &id, 1), 0, 1);
    return id;
}

// BEY-044
static void by_default_an_ability_does_not_mind(void **state)
{
    moon m;
    kn_ability_def def = howl_def(*state);
    moon_register(&m, *state, &def, KN_GRANT_FOLLOW_IGNORE);
    moon_begin(&m);
    kn_activation_id run = activate(m.f, the_ability(&m));
    clouds(&m, true);
    assert_true(kn_activation_is_alive(m.f->world, run));
    assert_int_equal(kn_activation_end(m.f->world, run), KN_OK);
    activate(m.f, the_ability(&m));
    EXPECT_LOG(m.f, "granted. Howl activates. Howl: ended. Howl activates. ");
}

// BEY-044
static void an_ability_is_cancelled_and_cannot_start_while_its_effect_is_off(void **state)
{
    moon m;
    kn_ability_def def = howl_def(*state);
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    moon_register(&m, *state, &def, KN_GRANT_FOLLOW_CANCEL);
    moon_begin(&m);
    kn_ability_id howl = the_ability(&m);
    activate(m.f, howl);
    kn_activation_id stubborn = activate(m.f, howl);
    assert_int_equal(kn_activation_set_cancelable(m.f->world, stubborn, false), KN_OK);
    assert_int_equal(kn_ability_status(m.f->world, howl), 0);
    clouds(&m, true);
    EXPECT_LOG(m.f, "granted. Howl activates. Howl activates. Howl: cancelled. ");
    assert_true(kn_activation_is_alive(m.f->world, stubborn)); // cannot be cancelled
    assert_int_equal(kn_ability_status(m.f->world, howl), KN_FAIL_BLOCKED);
    assert_int_equal(kn_ability_activate(m.f->world, howl, NULL, NULL), KN_REFUSED_BLOCKED);
    kn_refusal_line line;
    assert_int_equal(kn_ability_explain(m.f->world, howl, NULL, &line, 1), 1);
    assert_true(kn_effect_id_equal(line.effect, m.effect));
    char text[128];
    kn_ability_explain_print(m.f->world, howl, NULL, text, sizeof(text));
    assert_string_equal(text, "Howl: blocked by effect Moon, which is inhibited");
    clouds(&m, false);
    assert_true(kn_ability_id_equal(the_ability(&m), howl)); // the same one
    activate(m.f, howl);
    EXPECT_LOG(m.f, "Howl activates. ");
    clouds(&m, true);
    remove_effect(m.f, m.effect);
    EXPECT_LOG(m.f, "Howl: cancelled. Howl: removed. removed. ");
    assert_int_equal(ability_count(m.f), 0);
}

// BEY-044
static void a_passive_ability_comes_back_with_its_effect(void **state)
{
    moon m;
    kn_ability_def def = howl_def(*state);
    def.activates_on_grant = true;
    moon_register(&m, *state, &def, KN_GRANT_FOLLOW_CANCEL);
    begin(m.f);
    add_tag(m.f, m.f->hero, tag_of(m.f, "Clouds"));
    m.effect = afflict(m.f, m.type);
    EXPECT_LOG(m.f, "granted. "); // off from the beginning
    clouds(&m, false);
    EXPECT_LOG(m.f, "Howl activates. ");
    clouds(&m, true);
    EXPECT_LOG(m.f, "Howl: cancelled. ");
    clouds(&m, false);
    EXPECT_LOG(m.f, "Howl activates. ");
}

// BEY-044
static void an_ability_is_taken_away_when_what_runs_has_ended(void **state)
{
    moon m;
    kn_ability_def def = howl_def(*state);
    moon_register(&m, *state, &def, KN_GRANT_FOLLOW_AFTER_END);
    moon_begin(&m);
    kn_ability_id howl = the_ability(&m);
    clouds(&m, true); // nothing runs
    EXPECT_LOG(m.f, "granted. removed. ");
    assert_int_equal(ability_count(m.f), 0);
    clouds(&m, false);
    assert_false(kn_ability_is_alive(m.f->world, howl));
    howl = the_ability(&m);
    assert_true(kn_ability_level(m.f->world, howl) == 2.0f);
    kn_activation_id run = activate(m.f, howl);
    clouds(&m, true);
    EXPECT_LOG(m.f, "granted. Howl activates. ");
    kn_ability_info info;
    assert_true(kn_ability_get(m.f->world, howl, &info) && info.is_removing);
    clouds(&m, false); // in time: it stays
    assert_true(kn_ability_get(m.f->world, howl, &info) && !info.is_removing);
    clouds(&m, true);
    assert_int_equal(kn_activation_end(m.f->world, run), KN_OK);
    EXPECT_LOG(m.f, "Howl: ended. removed. ");
    check_replay(m.f, KN_MS(10));
    clouds(&m, false);
    EXPECT_LOG(m.f, "granted. ");
    clouds(&m, true);
    remove_effect(m.f, m.effect); // it is away already
    EXPECT_LOG(m.f, "removed. ");
    remove_tag(m.f, m.f->hero, tag_of(m.f, "Clouds"));
    EXPECT_LOG(m.f, "");
}

// BEY-044
static void an_ability_is_not_there_before_its_effect_is_on(void **state)
{
    moon m;
    kn_ability_def def = howl_def(*state);
    def.activates_on_grant = true;
    moon_register(&m, *state, &def, KN_GRANT_FOLLOW_AFTER_END);
    begin(m.f);
    add_tag(m.f, m.f->hero, tag_of(m.f, "Clouds"));
    m.effect = afflict(m.f, m.type);
    check_replay(m.f, KN_MS(10));
    EXPECT_LOG(m.f, "");
    clouds(&m, false);
    EXPECT_LOG(m.f, "granted. Howl activates. ");
}

// BEY-044
static void what_game_code_took_away_does_not_come_back(void **state)
{
    moon m;
    kn_ability_def def = howl_def(*state);
    moon_register(&m, *state, &def, KN_GRANT_FOLLOW_AFTER_END);
    moon_begin(&m);
    assert_int_equal(kn_ability_remove(m.f->world, the_ability(&m), KN_GRANT_CANCEL), KN_OK);
    clouds(&m, true);
    clouds(&m, false);
    EXPECT_LOG(m.f, "granted. removed. ");
    remove_effect(m.f, m.effect);
    m.effect = afflict(m.f, m.type);
    kn_ability_id howl = the_ability(&m);
    kn_activation_id run = activate(m.f, howl);
    clouds(&m, true);
    assert_int_equal(kn_ability_remove(m.f->world, howl, KN_GRANT_AFTER_END), KN_OK);
    clouds(&m, false); // still running, but not the effect's to give any more
    assert_int_equal(kn_activation_end(m.f->world, run), KN_OK);
    assert_int_equal(ability_count(m.f), 0);
    clouds(&m, true);
    clouds(&m, false);
    EXPECT_LOG(m.f, "granted. Howl activates. Howl: ended. removed. ");
}

// An ability with a grant of its own beside the effect's; then only the effect's is left.
static void share_and_revoke(fixture *f, kn_grant_follow follow)
{
    moon m;
    kn_ability_def def = howl_def(f);
    moon_register(&m, f, &def, follow);
    moon_begin(&m);
    kn_ability_grant_def shared = kn_ability_grant_def_default();
    shared.type = m.howl;
    shared.share = true;
    kn_ability_id howl, same = the_ability(&m);
    assert_int_equal(kn_ability_grant(f->world, f->hero, &shared, &howl), KN_OK);
    assert_true(kn_ability_id_equal(howl, same));
    clouds(&m, true);
    kn_activation_id run = activate(f, howl);
    EXPECT_LOG(f, "granted. Howl activates. ");
    assert_int_equal(kn_ability_revoke(f->world, howl, KN_GRANT_AFTER_END), KN_OK);
    check_replay(f, KN_MS(10));
    if (follow == KN_GRANT_FOLLOW_CANCEL) {
        EXPECT_LOG(f, "Howl: cancelled. ");
        assert_int_equal(kn_ability_check(f->world, howl, NULL), KN_FAIL_BLOCKED);
    } else {
        assert_int_equal(kn_activation_end(f->world, run), KN_OK);
        EXPECT_LOG(f, "Howl: ended. removed. ");
    }
    clouds(&m, false);
    activate(f, the_ability(&m));
}

// BEY-044
static void what_others_grant_too_is_not_cancelled_before_they_take_it_back(void **state)
{
    share_and_revoke(*state, KN_GRANT_FOLLOW_CANCEL);
}

// BEY-044
static void what_others_grant_too_is_not_taken_away_before_they_take_it_back(void **state)
{
    share_and_revoke(*state, KN_GRANT_FOLLOW_AFTER_END);
}

// The end hook of a cancelled ability ends the effect.
static void end_the_moon(const kn_ability_call *call, kn_end_reason reason)
{
    kn_ability_info info;
    note(call->user, "%s. ", kn_end_reason_name(reason));
    if (reason == KN_ENDED_CANCELLED && kn_ability_get(call->world, call->ability, &info)) {
        (void)kn_effect_remove(call->world, info.effect, 0, KN_REMOVED_BY_CALL);
    }
}

static void an_ability_may_end_its_effect_when_it_is_switched_off(void **state)
{
    moon m;
    kn_ability_def def = howl_def(*state);
    def.ended = end_the_moon;
    moon_register(&m, *state, &def, KN_GRANT_FOLLOW_CANCEL);
    moon_begin(&m);
    activate(m.f, the_ability(&m));
    clouds(&m, true);
    EXPECT_LOG(m.f, "granted. Howl activates. cancelled. removed. ");
    assert_false(kn_effect_is_alive(m.f->world, m.effect));
    assert_int_equal(ability_count(m.f), 0);
}

static void a_way_to_follow_that_does_not_exist_is_refused(void **state)
{
    fixture *f = *state;
    kn_grant_def grants[65];
    kn_name name;
    assert_int_equal(kn_name_register(f->library, "Howl", &name, NULL), KN_OK);
    for (uint32_t i = 0; i < 65; i++) {
        grants[i] = (kn_grant_def){.ability = name, .level = kn_constant(1.0f), .input = -1};
    }
    kn_effect_def def = infinite("Moon");
    def.grants = grants;
    def.grant_count = 65;
    kn_effect_type_id type;
    kn_error error = {0};
    grants[0].follow_inhibition = KN_GRANT_FOLLOW_COUNT;
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    grants[0].follow_inhibition = KN_GRANT_FOLLOW_AFTER_END;
    grants[64].follow_inhibition = KN_GRANT_FOLLOW_AFTER_END; // one too many to remember
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    grants[64].follow_inhibition = KN_GRANT_FOLLOW_CANCEL;
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_OK);
}

static const struct CMUnitTest tests[] = {
    TEST(by_default_an_ability_does_not_mind),
    TEST(an_ability_is_cancelled_and_cannot_start_while_its_effect_is_off),
    TEST(a_passive_ability_comes_back_with_its_effect),
    TEST(an_ability_is_taken_away_when_what_runs_has_ended),
    TEST(an_ability_is_not_there_before_its_effect_is_on),
    TEST(what_game_code_took_away_does_not_come_back),
    TEST(what_others_grant_too_is_not_cancelled_before_they_take_it_back),
    TEST(what_others_grant_too_is_not_taken_away_before_they_take_it_back),
    TEST(an_ability_may_end_its_effect_when_it_is_switched_off),
    TEST(a_way_to_follow_that_does_not_exist_is_refused),
};

TEST_GROUP(ability_inhibition, tests, NULL, NULL);
