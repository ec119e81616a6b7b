// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reasons of a game's own for refusals and ends, and cancels that say why and by whom.

#include "scenario/ability_fixture.h"

static kn_fail fail_of(fixture *f, const char *name, const char *tag, const char *text)
{
    kn_fail_def def = kn_fail_def_default();
    def.name = name;
    def.tag = tag != NULL ? tag_of(f, tag) : (kn_tag){0};
    def.text = text;
    kn_fail fail;
    assert_int_equal(kn_fail_register(f->library, &def, &fail, NULL), KN_OK);
    return fail;
}

static kn_end_reason end_of(fixture *f, const char *name, const char *tag, const char *text)
{
    kn_end_reason_def def = kn_end_reason_def_default();
    def.name = name;
    def.tag = tag != NULL ? tag_of(f, tag) : (kn_tag){0};
    def.text = text;
    kn_end_reason reason;
    assert_int_equal(kn_end_reason_register(f->library, &def, &reason, NULL), KN_OK);
    return reason;
}

// Registration --------------------------------------------------------------

static void reasons_of_a_library_have_names_tags_and_texts(void **state)
{
    fixture *f = *state;
    kn_fail silenced = fail_of(f, "silenced", "Fail.Silenced", "silenced");
    kn_fail rage = fail_of(f, "rage", NULL, NULL);
    kn_end_reason interrupted = end_of(f, "interrupted", "End.Interrupted", "knocked out of it");
    kn_end_reason moved = end_of(f, "moved", NULL, NULL);
    begin(f);
    assert_int_equal(silenced, KN_FAIL_OWN_FIRST);
    assert_int_equal(rage, KN_FAIL_OWN_FIRST << 1);
    assert_int_equal(interrupted, KN_END_REASON_COUNT);
    assert_int_equal(moved, KN_END_REASON_COUNT + 1);
    assert_string_equal(kn_library_fail_name(f->library, silenced), "silenced");
    assert_string_equal(kn_library_fail_name(f->library, KN_FAIL_COST), "cost");
    assert_string_equal(kn_library_fail_name(f->library, (kn_fail)(silenced | rage)), "");
    assert_string_equal(kn_fail_name(silenced), "");
    assert_int_equal(kn_fail_find(f->library, "rage"), rage);
    assert_int_equal(kn_fail_find(f->library, "missing_tags"), KN_FAIL_MISSING_TAGS);
    assert_int_equal(kn_fail_find(f->library, "none"), 0);
    assert_int_equal(
        kn_ability_fail_tag(f->library, silenced).index1, tag_of(f, "Fail.Silenced").index1);
    assert_int_equal(kn_ability_fail_tag(f->library, rage).index1, 0);
    kn_tag tags[3];
    assert_int_equal(
        kn_ability_fail_tags(f->world, (uint32_t)(silenced | rage | KN_FAIL_COST), tags, 3), 2);
    assert_int_equal(tags[1].index1, tag_of(f, "Fail.Silenced").index1);
    assert_string_equal(kn_fail_get_def(f->library, silenced)->text, "silenced");
    assert_null(kn_fail_get_def(f->library, KN_FAIL_COST));
    assert_int_equal(kn_fail_result((uint32_t)rage), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_fail_result((uint32_t)(rage | KN_FAIL_COST)), KN_REFUSED_COST);
    assert_string_equal(kn_library_end_reason_name(f->library, interrupted), "interrupted");
    assert_string_equal(kn_library_end_reason_name(f->library, KN_ENDED_BY_TAGS), "by tags");
    assert_string_equal(kn_library_end_reason_name(f->library, (kn_end_reason)(moved + 1)), "");
    assert_int_equal(kn_end_reason_find(f->library, "moved"), moved);
    assert_int_equal(kn_end_reason_find(f->library, "owner_gone"), KN_ENDED_OWNER_GONE);
    assert_int_equal(kn_end_reason_find(f->library, ""), 0);
    assert_string_equal(kn_end_reason_get_def(f->library, interrupted)->text, "knocked out of it");
    assert_null(kn_end_reason_get_def(f->library, KN_ENDED_DONE));
    assert_true(kn_end_is_cancelled(interrupted));
}

static void reasons_are_refused_twice_too_many_or_late(void **state)
{
    fixture *f = *state;
    kn_fail_def fail = kn_fail_def_default();
    kn_end_reason_def end = kn_end_reason_def_default();
    kn_fail bit;
    kn_end_reason reason;
    kn_error error;
    fail.name = "cooldown";
    assert_int_equal(kn_fail_register(f->library, &fail, &bit, &error), KN_REFUSED_DUPLICATE);
    assert_string_equal(error.message, "fail reason `cooldown` is there already: it is built in");
    end.name = "by_tags";
    assert_int_equal(kn_end_reason_register(f->library, &end, &reason, NULL), KN_REFUSED_DUPLICATE);
    char names[KN_FAIL_OWN_MAX + 1][16];
    for (uint32_t i = 0; i <= KN_FAIL_OWN_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "own%u", i);
        fail.name = names[i];
        bool fits = i < KN_FAIL_OWN_MAX;
        assert_int_equal(
            kn_fail_register(f->library, &fail, &bit, &error), fits ? KN_OK : KN_REFUSED_LIMIT);
        assert_int_equal(bit, fits ? 1 << (11 + i) : 0);
    }
    assert_string_equal(error.message, "fail reason `own20` is one too many: there can be 20");
    fail.name = "own3";
    assert_int_equal(kn_fail_register(f->library, &fail, &bit, NULL), KN_REFUSED_DUPLICATE);
    fail.name = "";
    assert_int_equal(kn_fail_register(f->library, &fail, &bit, NULL), KN_ERROR_BAD_DATA);
    for (uint32_t i = KN_END_REASON_COUNT; i <= KN_END_REASON_LAST + 1; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "own%u", i);
        end.name = name;
        bool fits = i <= KN_END_REASON_LAST;
        assert_int_equal(kn_end_reason_register(f->library, &end, &reason, NULL),
            fits ? KN_OK : KN_REFUSED_LIMIT);
        assert_int_equal(reason, fits ? i : 0);
    }
    library_finish(f);
    assert_int_equal(kn_fail_register(f->library, &fail, &bit, NULL), KN_ERROR_WORLD_LOCKED);
}

static uint64_t hash_with(const char *name, const char *text)
{
    fixture *f = fixture_create(0);
    if (name != NULL) {
        (void)fail_of(f, name, NULL, text);
    }
    library_finish(f);
    uint64_t hash = kn_library_hash(f->library);
    (void)fixture_destroy(f);
    return hash;
}

static void reasons_are_part_of_the_library(void **state)
{
    (void)state;
    assert_int_not_equal(hash_with(NULL, NULL), hash_with("a", NULL));
    assert_int_not_equal(hash_with("a", NULL), hash_with("b", NULL));
    assert_int_not_equal(hash_with("a", NULL), hash_with("a", "text"));
    assert_int_equal(hash_with("a", "text"), hash_with("a", "text"));
}

// Cancelling ----------------------------------------------------------------

static void note_cancel(fixture *f, const char *who, const kn_cancel *cancel)
{
    note(f, "%s: %s by %u, %s, %g. ", who, kn_library_end_reason_name(f->library, cancel->reason),
        cancel->instigator.index1, kn_tag_name(f->library, cancel->tag), (double)cancel->number);
}

static void look_ended(const kn_ability_call *call, kn_end_reason reason)
{
    kn_cancel cancel;
    assert_true(kn_activation_get_cancel(call->world, call->activation, &cancel));
    assert_int_equal(cancel.reason, reason);
    note_cancel(call->user, "ended", &cancel);
}

static void look_task_ended(const kn_task_call *call)
{
    kn_cancel cancel;
    assert_true(kn_activation_get_cancel(call->world, call->activation, &cancel));
    note_cancel(call->user, "task", &cancel);
}

static void look_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    kn_cancel cancel = {.reason = (kn_end_reason)reaction->end_reason,
        .instigator = reaction->instigator,
        .tag = reaction->tag,
        .number = reaction->magnitude};
    note_cancel(user, "rule", &cancel);
    assert_false(kn_activation_get_cancel(world, reaction->activation, &cancel));
    assert_int_equal(cancel.reason, 0);
}

static kn_result wait_end(const kn_ability_call *call)
{
    kn_task_def task = kn_task_def_default(KN_TASK_ABILITY_ENDED);
    return kn_task_run(call->world, call->activation, &task, NULL);
}

static void look_result(const kn_ability_call *call, const kn_task_result *result)
{
    kn_cancel cancel = {.reason = result->data.ability.reason,
        .instigator = result->data.ability.instigator,
        .tag = result->data.ability.tag,
        .number = result->data.ability.number};
    note_cancel(call->user, "waiting", &cancel);
}

static kn_result start_watch(const kn_ability_call *call)
{
    kn_task_def task = kn_task_def_default(KN_TASK_CUSTOM);
    task.type = kn_task_type_find(kn_world_library(call->world), "Watch");
    return kn_task_run(call->world, call->activation, &task, NULL);
}

typedef struct stage {
    kn_ability_id cast, wait;
    kn_activation_id casting;
    kn_cancel cancel;
} stage;

// The hero casts, something of the hero waits for the end of casts, and the ally will cancel.
static stage stage_begin(fixture *f)
{
    f->entity_count = 3;
    stage s = {.cancel = kn_cancel_default()};
    s.cancel.reason = end_of(f, "interrupted", NULL, "knocked out of it");
    s.cancel.tag = tag_of(f, "Interrupt.Kick");
    s.cancel.number = 2.5f;
    kn_task_type_def watch = kn_task_type_def_default();
    watch.name = "Watch";
    watch.ended = look_task_ended;
    watch.user = f;
    kn_task_type_id watch_type;
    assert_int_equal(kn_task_type_register(f->library, &watch, &watch_type, NULL), KN_OK);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Ended";
    rule.trigger = KN_TRIGGER_ABILITY_ENDED;
    rule.function = look_rule;
    rule.user = f;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    kn_ability_def def = ability_def(f, "Cast");
    def.tags = tags_of(f, "Ability.Cast");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.activate = start_watch;
    def.ended = look_ended;
    kn_ability_type_id cast = ability_register(f, &def);
    def = ability_def(f, "Wait");
    def.activate = wait_end;
    def.task_done = look_result;
    kn_ability_type_id wait = ability_register(f, &def);
    begin(f);
    s.cancel.instigator = f->ally;
    s.cast = grant(f, cast);
    s.wait = grant(f, wait);
    (void)activate(f, s.wait);
    s.casting = activate(f, s.cast);
    f->log[0] = 0;
    return s;
}

#define HEARD(name) name ": interrupted by 3, Interrupt.Kick, 2.5. "

static void everybody_who_hears_of_the_end_knows_by_whom(void **state)
{
    fixture *f = *state;
    stage s = stage_begin(f);
    kn_cancel none;
    assert_false(kn_activation_get_cancel(f->world, s.casting, &none));
    assert_int_equal(kn_activation_cancel_with(f->world, s.casting, &s.cancel), KN_OK);
    EXPECT_LOG(f, HEARD("task") HEARD("ended") HEARD("rule") HEARD("waiting"));
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    for (uint32_t i = 0; i < 2; i++) { // once more after going back
        kn_event event = published_event(f, KN_EVENT_ABILITY_ENDED);
        assert_int_equal(event.data.ability.end_reason, s.cancel.reason);
        assert_true(kn_entity_id_equal(event.entity, f->hero));
        assert_true(kn_entity_id_equal(event.data.ability.instigator, f->ally));
        assert_int_equal(event.data.ability.tag.index1, s.cancel.tag.index1);
        assert_near(event.data.ability.number, 2.5f);
        assert_int_equal(kn_ability_event_tags(f->world, &event).count, 0);
        char text[128];
        (void)kn_event_print(f->world, &event, text, sizeof(text));
        assert_non_null(strstr(text, "Cast ended: knocked out of it by entity 3"));
        snapshot_restore(f->world, snapshot, size);
    }
    free(snapshot);
}

static void plain_ends_have_a_reason_alone(void **state)
{
    fixture *f = *state;
    stage s = stage_begin(f);
    assert_int_equal(kn_activation_end(f->world, s.casting), KN_OK);
    EXPECT_LOG(f, "task: ended by 0, , 0. ended: ended by 0, , 0. rule: ended by 0, , 0. "
                  "waiting: ended by 0, , 0. ");
    assert_int_equal(published_event(f, KN_EVENT_ABILITY_ENDED).data.ability.instigator.index1, 0);
}

static void abilities_are_cancelled_by_query_with_a_reason(void **state)
{
    fixture *f = *state;
    stage s = stage_begin(f);
    (void)activate(f, s.cast);
    kn_ability_query query = kn_ability_query_default();
    query.any_tags = tags_of(f, "Ability.Cast");
    s.cancel.number = NAN;
    assert_int_equal(kn_abilities_cancel_with(f->world, f->hero, &query, &s.cancel), 0);
    s.cancel.number = 0.0f;
    f->log[0] = 0;
    assert_int_equal(kn_abilities_cancel_with(f->world, f->hero, &query, &s.cancel), 2);
    kn_event event;
    assert_int_equal(published(f, KN_EVENT_ABILITY_ENDED, &event), 2);
    assert_true(kn_entity_id_equal(event.data.ability.instigator, f->ally));
    assert_true(kn_ability_is_active(f->world, s.wait));
    assert_int_equal(kn_ability_cancel_with(f->world, s.wait, &s.cancel), KN_OK);
    assert_false(kn_ability_is_active(f->world, s.wait));
}

static void bad_cancels_change_nothing(void **state)
{
    fixture *f = *state;
    stage s = stage_begin(f);
    kn_cancel bad = s.cancel;
    bad.reason = KN_ENDED_OWNER_GONE;
    assert_int_equal(
        kn_activation_cancel_with(f->world, s.casting, &bad), KN_ERROR_INVALID_ARGUMENT);
    bad.reason = (kn_end_reason)(KN_END_REASON_COUNT + 1);
    assert_int_equal(
        kn_activation_cancel_with(f->world, s.casting, &bad), KN_ERROR_INVALID_ARGUMENT);
    bad = s.cancel;
    bad.tag.index1 = 9999;
    assert_int_equal(
        kn_activation_cancel_with(f->world, s.casting, &bad), KN_ERROR_INVALID_ARGUMENT);
    bad = s.cancel;
    bad.number = INFINITY;
    assert_int_equal(kn_activation_cancel_with(f->world, s.casting, &bad), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_activation_set_cancelable(f->world, s.casting, false), KN_OK);
    assert_int_equal(kn_activation_cancel_with(f->world, s.casting, &s.cancel), KN_REFUSED_BLOCKED);
    kn_activation_id stale = {0};
    assert_int_equal(kn_activation_cancel_with(f->world, stale, &s.cancel), KN_REFUSED_STALE_ID);
    assert_true(kn_activation_is_alive(f->world, s.casting));
    EXPECT_LOG(f, "");
}

// In a hook inside an operation ---------------------------------------------

static stage *to_cancel;

static void cancel_when_applied(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)spec;
    (void)state;
    assert_int_equal(
        kn_activation_cancel_with(world, to_cancel->casting, &to_cancel->cancel), KN_OK);
    assert_true(kn_activation_is_alive(world, to_cancel->casting));
    note(user, "waits. ");
}

static void a_cancel_that_waits_keeps_everything(void **state)
{
    fixture *f = *state;
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Kick";
    logic.applied = cancel_when_applied;
    logic.user = f;
    kn_effect_def kick = infinite("Kick");
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &kick.logic, NULL), KN_OK);
    kn_effect_type_id type = effect_register(f, &kick);
    stage s = stage_begin(f);
    to_cancel = &s;
    (void)afflict(f, type);
    EXPECT_LOG(f, "waits. " HEARD("task") HEARD("ended") HEARD("rule") HEARD("waiting"));
}

static const struct CMUnitTest tests[] = {
    TEST(reasons_of_a_library_have_names_tags_and_texts),
    TEST(reasons_are_refused_twice_too_many_or_late),
    TEST(reasons_are_part_of_the_library),
    TEST(everybody_who_hears_of_the_end_knows_by_whom),
    TEST(plain_ends_have_a_reason_alone),
    TEST(abilities_are_cancelled_by_query_with_a_reason),
    TEST(bad_cancels_change_nothing),
    TEST(a_cancel_that_waits_keeps_everything),
};

TEST_GROUP(ability_ends, tests, NULL, NULL);
