// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Validation finds what is spoilt on purpose, by the invariant that is broken.

#include "world/state.h"

#define EFFECTS 4

#define FIXTURE_OWN                                                                                \
    kni_component *component;                                                                      \
    kni_effect *effects[EFFECTS]; /* in the order of the component's list */                       \
    uint32_t *list;

#include "scenario/ability_fixture.h"

static char found[128]; // the invariant that was reported

static bool keep_condition(const char *condition, const char *file, int line)
{
    (void)file;
    (void)line;
    (void)snprintf(found, sizeof(found), "%s", condition);
    return false;
}

// One effect for each way a component counts its effects: with a gate, acting on owned entities,
// editing tags, with a condition that has to be watched.
static int subject_setup(void **state)
{
    (void)setup(state);
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire");
    kn_gate_def gate = {.record = {.required = {&fire, 1}}};
    kn_tag_edit edit = {.kind = KN_TAG_EDIT_REMOVE, .tag = fire};
    kn_effect_def defs[EFFECTS];
    static const char *const names[EFFECTS] = {"Ward", "Banner", "Hidden", "Watchful"};
    kn_effect_type_id types[EFFECTS];
    for (uint32_t i = 0; i < EFFECTS; i++) {
        defs[i] = infinite(names[i]);
    }
    defs[0].gates = &gate;
    defs[0].gate_count = 1;
    defs[1].acts_on_owned = true;
    defs[2].tag_edits = &edit;
    defs[2].tag_edit_count = 1;
    defs[3].ongoing.target.ignored = tags_of(f, "State.Dark");
    for (uint32_t i = 0; i < EFFECTS; i++) {
        types[i] = effect_register(f, &defs[i]);
    }
    begin(f);
    for (uint32_t i = 0; i < EFFECTS; i++) {
        assert_int_equal(
            kn_effect_apply_simple(f->world, types[i], f->foe, f->hero, 1.0f, NULL), KN_OK);
    }
    step(f, 0);
    uint32_t slot = kni_component_find(f->world, f->hero);
    f->component = kni_component_at(f->world, slot);
    assert_int_equal(f->component->effects.count, EFFECTS);
    f->list = KNI_SPAN_AT(f->world, f->component->effects, uint32_t, 0);
    for (uint32_t i = 0; i < EFFECTS; i++) {
        f->effects[i] = kni_effect_at(f->world, f->list[i]);
    }
    kn_assert_set_handler(keep_condition);
    return 0;
}

static int subject_teardown(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(NULL);
    assert_true(kn_world_validate(f->world)); // all is as it was
    return teardown(state);
}

static void expect_invalid(const fixture *f, const char *condition)
{
    found[0] = 0;
    assert_false(kn_world_validate(f->world));
#if KN_ASSERTS
    assert_string_equal(found, condition);
#else
    (void)condition;
#endif
}

static void effects_of_a_component_are_listed_by_creation(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i + 1 < EFFECTS; i++) {
        uint32_t kept[2] = {f->list[i], f->list[i + 1]};
        f->list[i] = kept[1];
        f->list[i + 1] = kept[0];
        expect_invalid(f, "effect->number > last");
        f->list[i] = kept[1]; // twice the same, once not at all
        f->list[i + 1] = kept[1];
        expect_invalid(f, "effect->number > last");
        f->list[i] = kept[0];
        assert_true(kn_world_validate(f->world));
    }
    uint64_t number = f->effects[1]->number;
    f->effects[1]->number = f->effects[0]->number;
    expect_invalid(f, "effect->number > last");
    f->effects[1]->number = number;
}

static void an_effect_is_listed_where_it_is(void **state)
{
    fixture *f = *state;
    uint32_t foe = kni_component_find(f->world, f->foe), own = f->effects[2]->component;
    assert_int_not_equal(foe, own);
    f->effects[2]->component = foe;
    expect_invalid(f, "effect->component == slot");
    f->effects[2]->component = own;
    uint32_t count = f->component->effects.count;
    f->component->effects.count = count - 1; // the last is nowhere
    assert_false(kn_world_validate(f->world));
    f->component->effects.count = count;
}

static void what_a_component_counts_follows_from_its_effects(void **state)
{
    fixture *f = *state;
    kni_component *c = f->component;
    uint32_t *counts[4] = {&c->watch_count, &c->gate_count, &c->owned_count, &c->edit_count};
    static const char *const conditions[4] = {"component->watch_count == watches",
        "component->gate_count == gates", "component->owned_count == owned",
        "component->edit_count == edits"};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(*counts[i], 1);
        *counts[i] = 2;
        expect_invalid(f, conditions[i]);
        *counts[i] = 0;
        expect_invalid(f, conditions[i]);
        *counts[i] = 1;
    }
}

#define SUBJECT(test) cmocka_unit_test_setup_teardown(test, subject_setup, subject_teardown)

static const struct CMUnitTest tests[] = {
    SUBJECT(effects_of_a_component_are_listed_by_creation),
    SUBJECT(an_effect_is_listed_where_it_is),
    SUBJECT(what_a_component_counts_follows_from_its_effects),
};

TEST_GROUP(test_validate_spoilt, tests, NULL, NULL);
