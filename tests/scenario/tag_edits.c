// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Effects that edit the tags their target shows.

#define FIXTURE_OWN                                                                                \
    kn_tag form, human, wolf, dire, flying, hidden;                                                \
    kn_effect_type_id shape, hide, howl, watch;

#include "scenario/fixture.h"

static kn_effect_type_id editing(
    fixture *f, const char *name, const kn_tag_edit *edits, uint32_t count, kn_duration_kind kind)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(2.0f);
    def.tag_edits = edits;
    def.tag_edit_count = count;
    return effect_register(f, &def);
}

static kn_effect_id apply(fixture *f, kn_effect_type_id type)
{
    return apply_from_to(f, type, f->hero, f->hero, 1.0f);
}

static bool has(const fixture *f, kn_tag wanted)
{
    return kn_entity_has_tag(f->world, f->hero, wanted);
}

static int setup(void **state)
{
    fixture *f = fixture_create(1);
    f->form = tag_of(f, "Form");
    f->human = tag_of(f, "Form.Human");
    f->wolf = tag_of(f, "Form.Wolf");
    f->dire = tag_of(f, "Form.Wolf.Dire");
    f->flying = tag_of(f, "State.Flying");
    f->hidden = tag_of(f, "State.Hidden");
    kn_attribute_def speed = attribute_def("Speed", 10.0f);
    fixture_set(f, "Body", &speed, 1);

    const kn_tag_edit shape = {KN_TAG_EDIT_REPLACE, f->human, f->wolf};
    f->shape = editing(f, "Shape", &shape, 1, KN_DURATION_TIMED);
    const kn_tag_edit hide = {KN_TAG_EDIT_REMOVE, f->form, {0}};
    f->hide = editing(f, "Hide", &hide, 1, KN_DURATION_INFINITE);
    const kn_tag_edit howl[2] = {
        {KN_TAG_EDIT_ADD, f->dire, {0}}, {KN_TAG_EDIT_REPLACE, f->wolf, f->flying}};
    f->howl = editing(f, "Howl", howl, 2, KN_DURATION_INFINITE);
    kn_modifier_def fast = kn_modifier_constant(f->speed, KN_OP_ADD, 5.0f);
    kn_effect_def watch = infinite("Watch");
    watch.modifiers = &fast;
    watch.modifier_count = 1;
    watch.ongoing.target.required = (kn_tags){&f->wolf, 1};
    f->watch = effect_register(f, &watch);

    begin(f);
    add_tag(f, f->hero, f->human);
    *state = f;
    return 0;
}

// BEY-030
static void a_replaced_tag_shows_as_the_other_while_the_effect_acts(void **state)
{
    fixture *f = *state;
    apply(f, f->shape);
    assert_false(has(f, f->human));
    assert_true(has(f, f->wolf));
    assert_true(has(f, f->form));
    assert_true(kn_entity_has_tag_exact(f->world, f->hero, f->wolf));
    assert_false(kn_entity_has_tag_exact(f->world, f->hero, f->human));
    assert_int_equal(kn_entity_tag_count(f->world, f->hero, f->human), 1);
    kn_tag shown[4];
    assert_int_equal(kn_entity_tags(f->world, f->hero, shown, 4), 1);
    assert_int_equal(shown[0].index1, f->wolf.index1);
    step(f, KN_S(3));
    assert_true(has(f, f->human));
    assert_false(has(f, f->wolf));
}

// BEY-030
static void a_removed_tag_is_hidden_with_all_below_it_whoever_granted_it(void **state)
{
    fixture *f = *state;
    kn_effect_id effect = apply(f, f->hide);
    assert_false(has(f, f->form));
    assert_false(has(f, f->human));
    add_tag(f, f->hero, f->dire);
    assert_false(has(f, f->dire));
    remove_effect(f, effect);
    assert_true(has(f, f->human));
    assert_true(has(f, f->dire));
}

// BEY-030
static void edits_act_in_order_of_their_effects(void **state)
{
    fixture *f = *state;
    apply(f, f->howl); // shows Dire, then Flying in its place
    assert_true(has(f, f->flying));
    assert_false(has(f, f->wolf));
    apply(f, f->shape); // Human becomes Wolf, after Howl has had its turn
    assert_true(has(f, f->wolf));
    assert_true(has(f, f->flying));
    apply(f, f->hide);
    assert_false(has(f, f->wolf));
    assert_true(has(f, f->flying));
}

// BEY-030, ETG-005
static void what_an_edit_shows_and_hides_is_told_and_wakes_requirements(void **state)
{
    fixture *f = *state;
    apply(f, f->watch);
    assert_true(kn_attribute_value(f->world, f->hero, f->speed) == 10.0f);
    step(f, 0);
    apply(f, f->shape);
    assert_true(kn_attribute_value(f->world, f->hero, f->speed) == 15.0f);
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t gone = 0, came = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_TAG_CHANGED) {
            gone += event->data.tag.tag.index1 == f->human.index1 && event->data.tag.count == 0;
            came += event->data.tag.tag.index1 == f->wolf.index1 && event->data.tag.count == 1;
        }
    }
    assert_int_equal(gone, 1);
    assert_int_equal(came, 1);
    step(f, KN_S(3));
    assert_true(kn_attribute_value(f->world, f->hero, f->speed) == 10.0f);
}

// BEY-030
static void edited_tags_survive_a_save(void **state)
{
    fixture *f = *state;
    apply(f, f->howl);
    apply(f, f->shape);
    static uint8_t bytes[65536];
    size_t size;
    assert_int_equal(kn_save_write(f->world, bytes, sizeof(bytes), &size), KN_OK);
    kn_world *copy = world_of(f, kn_world_def_default());
    assert_int_equal(kn_save_read(copy, bytes, size, NULL), KN_OK);
    assert_true(kn_world_validate(copy));
    assert_true(kn_world_hash(copy) == kn_world_hash(f->world));
    assert_true(kn_entity_has_tag(copy, f->hero, f->wolf));
    assert_true(kn_entity_has_tag(copy, f->hero, f->flying));
    assert_false(kn_entity_has_tag(copy, f->hero, f->human));
    kn_world_destroy(copy);
}

// BEY-030
static void an_edit_without_a_tag_is_refused(void **state)
{
    (void)state;
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    kn_tag_edit edit = {KN_TAG_EDIT_REMOVE, {0}, {0}};
    kn_effect_def def = infinite("Bad");
    def.tag_edits = &edit;
    def.tag_edit_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(library, &def, &type, NULL), KN_ERROR_BAD_DATA);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    TEST(a_replaced_tag_shows_as_the_other_while_the_effect_acts),
    TEST(a_removed_tag_is_hidden_with_all_below_it_whoever_granted_it),
    TEST(edits_act_in_order_of_their_effects),
    TEST(what_an_edit_shows_and_hides_is_told_and_wakes_requirements),
    TEST(edited_tags_survive_a_save),
    cmocka_unit_test(an_edit_without_a_tag_is_refused),
};

TEST_GROUP(tag_edits, tests, NULL, NULL);
