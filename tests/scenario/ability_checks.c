// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Checks of abilities from different owners, and refusals that say why: reason, tag, numbers, text.

#include "scenario/ability_fixture.h"

static kn_fail fail_of(fixture *f, const char *name, const char *text)
{
    kn_fail_def def = kn_fail_def_default();
    def.name = name;
    def.text = text;
    kn_fail fail;
    assert_int_equal(kn_fail_register(f->library, &def, &fail, NULL), KN_OK);
    return fail;
}

static void check_register(fixture *f, const kn_check_def *def)
{
    kn_check_id check;
    kn_error error = {0};
    if (kn_check_register(f->library, def, &check, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(kn_check_find(f->library, def->name).index1, check.index1);
    assert_string_equal(kn_check_name(f->library, check), def->name);
    assert_int_equal(kn_check_get_def(f->library, check)->priority, def->priority);
}

typedef struct voice {
    fixture *f;
    const char *name;
    bool agrees;
} voice;

static bool speak(const kn_ability_call *call, const kn_event_record *event)
{
    const voice *v = call->user;
    assert_non_null(call->answer);
    assert_int_equal(call->has_event, event != NULL);
    note(v->f, "%s of %s. ", v->name, ability_name(call));
    return v->agrees;
}

static kn_check_def voice_def(voice *v, fixture *f, const char *name, int32_t priority)
{
    *v = (voice){f, name, true};
    kn_check_def def = kn_check_def_default();
    def.name = name;
    def.priority = priority;
    def.check = speak;
    def.user = v;
    return def;
}

// Whom they are for, and their order ----------------------------------------

static void checks_are_for_a_type_for_tags_or_for_all(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Spell");
    kn_ability_type_id spell = ability_register(f, &def);
    def = ability_def(f, "Fireball");
    def.parent = "Spell";
    def.tags = tags_of(f, "School.Fire");
    kn_ability_type_id fireball = ability_register(f, &def);
    def = ability_def(f, "Jump");
    kn_ability_type_id jump = ability_register(f, &def);
    voice voices[4];
    kn_check_def late = voice_def(&voices[0], f, "late", -1);
    check_register(f, &late);
    kn_check_def of_type = voice_def(&voices[1], f, "type", 0);
    of_type.ability = spell;
    check_register(f, &of_type);
    kn_check_def of_tags = voice_def(&voices[2], f, "tags", 0);
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ANY_TAGS);
    kn_tag_query_tag(&query, tag_of(f, "School"));
    kn_tag_query_end(&query);
    of_tags.tags = &query;
    check_register(f, &of_tags);
    kn_check_def first = voice_def(&voices[3], f, "first", 5);
    check_register(f, &first);
    begin(f);
    kn_ability_id ids[3] = {grant(f, spell), grant(f, fireball), grant(f, jump)};
    assert_int_equal(kn_ability_check(f->world, ids[0], NULL), 0);
    EXPECT_LOG(f, "first of Spell. type of Spell. late of Spell. ");
    assert_int_equal(kn_ability_check(f->world, ids[1], NULL), 0);
    EXPECT_LOG(f, "first of Fireball. type of Fireball. tags of Fireball. late of Fireball. ");
    assert_int_equal(kn_ability_check(f->world, ids[2], NULL), 0);
    EXPECT_LOG(f, "first of Jump. late of Jump. ");
    assert_int_equal(kn_ability_add_tag(f->world, ids[2], tag_of(f, "School.Fire")), KN_OK);
    voices[2].agrees = false;
    assert_int_equal(kn_ability_check(f->world, ids[2], NULL), KN_FAIL_CUSTOM);
    EXPECT_LOG(f, "first of Jump. tags of Jump. late of Jump. ");
    kn_refusal_line line;
    assert_int_equal(kn_ability_explain(f->world, ids[2], NULL, &line, 1), 1);
    assert_string_equal(kn_check_name(f->library, line.check), "tags");
    char text[64];
    (void)kn_ability_explain_print(f->world, ids[2], NULL, text, sizeof(text));
    assert_string_equal(text, "Jump: check tags refuses it");
    f->log[0] = 0;
    assert_int_equal(kn_ability_status(f->world, ids[2]), 0); // without hooks
    EXPECT_LOG(f, "");
}

// Saying why ----------------------------------------------------------------

static kn_fail rage, silenced;

static bool needs_rage(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    fixture *f = call->user;
    kn_refusal_line line = {.reason = rage, .need = 40.0f, .have = 12.5f};
    line.tag = tag_of(f, "Resource.Rage");
    line.attribute = f->mana;
    line.remaining = KN_MS(500);
    line.total = KN_MS(700);
    line.check.index1 = 77; // filled in
    kn_check_refuse(call->answer, &line);
    return true; // what was said counts
}

static bool is_silenced(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    kn_refusal_line line = {.reason = silenced};
    (void)snprintf(line.text, sizeof(line.text), "silenced by {tag} for {need} s");
    line.need = 3.0f;
    line.tag = tag_of(call->user, "Spell.Silence");
    kn_check_refuse(call->answer, &line);
    return false;
}

static void refusals_carry_reason_tag_numbers_and_text(void **state)
{
    fixture *f = *state;
    rage = fail_of(f, "rage", "needs {need} rage, has {have}");
    silenced = fail_of(f, "silenced", NULL);
    (void)tag_of(f, "Resource.Rage");
    (void)tag_of(f, "Spell.Silence");
    kn_ability_def def = ability_def(f, "Slam");
    def.can_activate = needs_rage;
    kn_ability_type_id slam = ability_register(f, &def);
    kn_check_def check = kn_check_def_default();
    check.name = "Silence";
    check.check = is_silenced;
    check.user = f;
    check_register(f, &check);
    begin(f);
    kn_ability_id ability = grant(f, slam);
    assert_int_equal(kn_ability_check(f->world, ability, NULL), rage | silenced);
    kn_refusal_line lines[3];
    assert_int_equal(kn_ability_explain(f->world, ability, NULL, lines, 3), 2);
    assert_int_equal(lines[0].reason, rage);
    assert_near(lines[0].need, 40.0f);
    assert_near(lines[0].have, 12.5f);
    assert_int_equal(lines[0].tag.index1, tag_of(f, "Resource.Rage").index1);
    assert_int_equal(lines[0].attribute.index1, f->mana.index1);
    assert_int_equal(lines[0].remaining, KN_MS(500));
    assert_int_equal(lines[0].total, KN_MS(700));
    assert_int_equal(lines[0].check.index1, 0);
    assert_string_equal(lines[0].text, "");
    assert_int_equal(lines[1].reason, silenced);
    assert_string_equal(lines[1].text, "silenced by {tag} for {need} s");
    assert_string_equal(kn_check_name(f->library, lines[1].check), "Silence");
    char text[128];
    (void)kn_ability_explain_print(f->world, ability, NULL, text, sizeof(text));
    assert_string_equal(text, "Slam: needs 40 rage, has 12.5; silenced by Spell.Silence for 3 s");
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_CUSTOM);
    kn_event event = published_event(f, KN_EVENT_ABILITY_FAILED);
    assert_int_equal(event.data.ability.reasons, rage | silenced);
    kn_tags tags = kn_ability_event_tags(f->world, &event);
    assert_int_equal(tags.count, 2);
    assert_true(kn_tags_has(f->library, tags, tag_of(f, "Resource.Rage")));
    assert_true(kn_tags_has(f->library, tags, tag_of(f, "Spell.Silence")));
    (void)kn_event_print(f->world, &event, text, sizeof(text));
    assert_non_null(strstr(text, "Slam refused: rage, silenced"));
    kn_refusal_line told[2];
    assert_int_equal(kn_ability_event_lines(f->world, &event, told, 1), 2);
    assert_int_equal(kn_ability_event_lines(f->world, &event, told, 2), 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(told[i].reason, lines[i].reason);
        assert_int_equal(told[i].tag.index1, lines[i].tag.index1);
        assert_int_equal(told[i].attribute.index1, lines[i].attribute.index1);
        assert_true(told[i].need == lines[i].need && told[i].have == lines[i].have);
        assert_int_equal(told[i].remaining, lines[i].remaining);
        assert_int_equal(told[i].total, lines[i].total);
        assert_int_equal(told[i].check.index1, lines[i].check.index1);
        assert_string_equal(told[i].text, lines[i].text);
    }
    event.type = KN_EVENT_ABILITY_ENDED;
    assert_int_equal(kn_ability_event_lines(f->world, &event, told, 2), 0);
}

static void log_keep(void *user, const kn_log_entry *entry)
{
    note(user, "%s", entry->message);
}

static void the_log_says_why_without_asking_again(void **state)
{
    fixture *f = *state;
    voice v;
    (void)fail_of(f, "tired", NULL);
    kn_check_def def = voice_def(&v, f, "Rest", 0);
    def.reason = "tired";
    check_register(f, &def);
    kn_ability_def ability = ability_def(f, "Run");
    kn_ability_type_id run = ability_register(f, &ability);
    kn_world_def world = kn_world_def_default();
    world.hooks.log_fn = log_keep;
    world.hooks.log_user = f;
    begin_with(f, world);
    assert_int_equal(kn_log_set_level(f->world, KN_LOG_ABILITIES, KN_LOG_INFO), KN_OK);
    kn_ability_id id = grant(f, run);
    v.agrees = false;
    f->log[0] = 0;
    assert_int_equal(kn_ability_activate(f->world, id, NULL, NULL), KN_REFUSED_CUSTOM);
    assert_non_null(strstr(f->log, "Rest of Run. "));
    assert_null(strstr(strstr(f->log, "Rest of Run. ") + 1, "Rest of Run. "));
    assert_non_null(strstr(f->log, "tired"));
}

// Odd answers ---------------------------------------------------------------

static kn_refusal_line odd;

static bool say_odd(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    kn_check_refuse(call->answer, &odd);
    kn_check_refuse(NULL, &odd);
    kn_check_refuse(call->answer, NULL);
    return false;
}

static void odd_answers_become_sound_lines(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Odd");
    def.can_activate = say_odd;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    memset(&odd, 0xff, sizeof(odd));
    odd.reason = (kn_fail)(1 << 20);
    odd.effect = (kn_effect_id){5, 5};
    odd.ability = (kn_ability_id){9, 9};
    memset(odd.text, 'x', sizeof(odd.text));
    kn_refusal_line line;
    assert_int_equal(kn_ability_explain(f->world, ability, NULL, &line, 1), 1);
    assert_int_equal(line.reason, KN_FAIL_CUSTOM);
    assert_int_equal(line.tag.index1, 0);
    assert_int_equal(line.attribute.index1, 0);
    assert_int_equal(line.effect.index1, 0);
    assert_int_equal(line.ability.index1, 0);
    assert_near(line.need, 0.0f);
    assert_int_equal(strlen(line.text), KN_REFUSAL_TEXT_MAX - 1);
    odd = (kn_refusal_line){.reason = KN_FAIL_COST}; // an ability that costs nothing
    assert_int_equal(kn_ability_explain(f->world, ability, NULL, &line, 1), 1);
    assert_int_equal(line.reason, KN_FAIL_COST);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_COST);
}

static bool say_much(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    for (uint32_t i = 0; i < 40; i++) {
        kn_check_refuse(call->answer, &(kn_refusal_line){.reason = KN_FAIL_CUSTOM});
    }
    return true;
}

static void more_lines_than_there_is_room_for_are_counted(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Much");
    def.can_activate = say_much;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_refusal_line lines[64];
    assert_int_equal(kn_ability_explain(f->world, grant(f, type), NULL, lines, 64), 40);
}

// Registration --------------------------------------------------------------

static void bad_checks_are_refused(void **state)
{
    fixture *f = *state;
    kn_check_def def = kn_check_def_default();
    kn_check_id check;
    kn_error error;
    def.name = "Empty";
    assert_int_equal(kn_check_register(f->library, &def, &check, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "check `Empty` needs a condition or a function");
    def.check = speak;
    def.reason = "sillenced";
    assert_int_equal(kn_check_register(f->library, &def, &check, NULL), KN_OK);
    assert_int_equal(kn_check_register(f->library, &def, &check, NULL), KN_REFUSED_DUPLICATE);
    assert_int_equal(check.index1, 0);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(
        error.message, "check `Empty`: there is no fail reason `sillenced`; register it first");
    (void)fail_of(f, "sillenced", NULL); // the library can be corrected
    library_finish(f);
    def.name = "Late";
    assert_int_equal(kn_check_register(f->library, &def, &check, NULL), KN_ERROR_WORLD_LOCKED);
}

// Conditions ----------------------------------------------------------------

static void a_condition_of_the_owner_refuses_for_its_reason(void **state)
{
    fixture *f = *state;
    f->entity_count = 3;
    kn_fail weak = fail_of(f, "weak", "too weak");
    kn_check_def def = kn_check_def_default();
    def.name = "Strength";
    def.reason = "weak";
    assert_int_equal(
        kn_condition_register_expression(f->library, "Strong",
            "instigator.Vitals.Stamina > 50 and target.Vitals.Health < 80", &def.condition, NULL),
        KN_OK);
    check_register(f, &def);
    kn_ability_def ability = ability_def(f, "Hit");
    kn_ability_type_id hit = ability_register(f, &ability);
    begin(f);
    kn_ability_id id = grant(f, hit);
    kn_event_record event = kn_event_record_default();
    event.instigator = f->ally; // not who it is about
    event.target = f->foe;
    set_base(f, f->foe, f->health, 70.0f);
    set_base(f, f->ally, f->stamina, 0.0f);
    assert_int_equal(kn_ability_check(f->world, id, &event), 0);
    assert_int_equal(kn_ability_check(f->world, id, NULL), weak); // the hero has 100 health
    set_base(f, f->hero, f->stamina, 50.0f);
    assert_int_equal(kn_ability_check(f->world, id, &event), weak);
    char text[64];
    (void)kn_ability_explain_print(f->world, id, &event, text, sizeof(text));
    assert_string_equal(text, "Hit: too weak");
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    assert_int_equal(kn_ability_check(loaded, id, &event), weak);
    kn_world_destroy(loaded);
}

// Speaks for a block with the key 7 on School, and names the ability behind it.
static bool curfew(const kn_ability_call *call, const kn_event_record *event)
{
    const kn_refusal_line *line = call->user;
    (void)event;
    kn_check_refuse(call->answer, line);
    return true;
}

static void a_check_speaks_for_a_block(void **state)
{
    fixture *f = *state;
    kn_ability_def ability = ability_def(f, "Bell");
    kn_ability_type_id bell = ability_register(f, &ability);
    ability = ability_def(f, "Bolt");
    ability.tags = tags_of(f, "School.Fire");
    kn_ability_type_id bolt = ability_register(f, &ability);
    kn_tag school = tag_of(f, "School"), frost = tag_of(f, "School.Frost");
    kn_fail late = fail_of(f, "late", "{ability} has rung for {tag}, {have} h ago");
    kn_refusal_line line = {.reason = late, .tag = school, .have = 2.0f, .key = 7};
    kn_check_def def = kn_check_def_default();
    def.name = "curfew";
    def.ability = bolt;
    def.check = curfew;
    def.user = &line;
    check_register(f, &def);
    begin(f);
    kn_ability_id id = grant(f, bolt);
    char text[160];
    kn_tags tags = {&school, 1};
    line.ability = grant(f, bell);
    assert_int_equal(kn_abilities_block(f->world, f->hero, tags, f->foe, 7), KN_OK);
    (void)kn_ability_explain_print(f->world, id, NULL, text, sizeof(text));
    assert_string_equal(text, "Bolt: Bell has rung for School, 2 h ago");
    // Both are reasons, whatever the text says.
    kn_refusal_line lines[4];
    assert_int_equal(kn_ability_explain(f->world, id, NULL, lines, 4), 2);
    assert_int_equal(kn_ability_check(f->world, id, NULL), (uint32_t)KN_FAIL_BLOCKED | late);
    assert_true(lines[0].reason == KN_FAIL_BLOCKED && lines[0].key == 7);
    assert_true(lines[1].reason == late && lines[1].key == 7);
    // Another block, and one that the check does not mean.
    assert_int_equal(kn_abilities_block(f->world, f->hero, tags, f->foe, 8), KN_OK);
    (void)kn_ability_explain_print(f->world, id, NULL, text, sizeof(text));
    assert_string_equal(text, "Bolt: blocked by School.Fire (entity 2 key 8); Bell has rung for "
                              "School, 2 h ago");
    assert_int_equal(kn_abilities_unblock(f->world, f->hero, tags, f->foe, 8), KN_OK);
    line.tag = frost;
    line.ability = (kn_ability_id){0};
    (void)kn_ability_explain_print(f->world, id, NULL, text, sizeof(text));
    assert_string_equal(text, "Bolt: blocked by School.Fire (entity 2 key 7); an ability has rung "
                              "for School.Frost, 2 h ago");
}

static const struct CMUnitTest tests[] = {
    TEST(checks_are_for_a_type_for_tags_or_for_all),
    TEST(refusals_carry_reason_tag_numbers_and_text),
    TEST(the_log_says_why_without_asking_again),
    TEST(odd_answers_become_sound_lines),
    TEST(more_lines_than_there_is_room_for_are_counted),
    TEST(bad_checks_are_refused),
    TEST(a_condition_of_the_owner_refuses_for_its_reason),
    TEST(a_check_speaks_for_a_block),
};

TEST_GROUP(ability_checks, tests, NULL, NULL);
