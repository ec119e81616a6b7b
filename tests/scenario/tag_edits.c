// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Effects that edit the tags their target shows.

#include "knack/knack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_entity_id entity;
    kn_tag form, human, wolf, dire, flying, hidden;
    kn_effect_type_id shape, hide, howl, watch;
    kn_attribute_set_id set;
    kn_attribute_id speed;
} scene;

static kn_tag tag(scene *s, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag made;
    assert_int_equal(kn_tag_register(s->library, &def, &made, NULL), KN_OK);
    return made;
}

static kn_effect_type_id editing(
    scene *s, const char *name, const kn_tag_edit *edits, uint32_t count, kn_duration_kind kind)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(2.0f);
    def.tag_edits = edits;
    def.tag_edit_count = count;
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_effect_id apply(scene *s, kn_effect_type_id type)
{
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(s->world, type, s->entity, s->entity, 1.0f, &effect), KN_OK);
    return effect;
}

static bool has(const scene *s, kn_tag wanted)
{
    return kn_entity_has_tag(s->world, s->entity, wanted);
}

static int set_up(void **state)
{
    scene *s = calloc(1, sizeof(*s));
    kn_library_def library = kn_library_def_default();
    assert_int_equal(kn_library_create(&library, &s->library), KN_OK);
    s->form = tag(s, "Form");
    s->human = tag(s, "Form.Human");
    s->wolf = tag(s, "Form.Wolf");
    s->dire = tag(s, "Form.Wolf.Dire");
    s->flying = tag(s, "State.Flying");
    s->hidden = tag(s, "State.Hidden");
    kn_attribute_def speed = kn_attribute_def_default();
    speed.name = "Speed";
    speed.default_value = 10.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Body";
    set.attributes = &speed;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(s->library, &set, &s->set, NULL), KN_OK);
    s->speed = kn_attribute_find(s->library, "Body.Speed");

    const kn_tag_edit shape = {KN_TAG_EDIT_REPLACE, s->human, s->wolf};
    s->shape = editing(s, "Shape", &shape, 1, KN_DURATION_TIMED);
    const kn_tag_edit hide = {KN_TAG_EDIT_REMOVE, s->form, {0}};
    s->hide = editing(s, "Hide", &hide, 1, KN_DURATION_INFINITE);
    const kn_tag_edit howl[2] = {
        {KN_TAG_EDIT_ADD, s->dire, {0}}, {KN_TAG_EDIT_REPLACE, s->wolf, s->flying}};
    s->howl = editing(s, "Howl", howl, 2, KN_DURATION_INFINITE);
    kn_modifier_def fast = kn_modifier_constant(s->speed, KN_OP_ADD, 5.0f);
    kn_effect_def watch = kn_effect_def_default();
    watch.name = "Watch";
    watch.duration_kind = KN_DURATION_INFINITE;
    watch.modifiers = &fast;
    watch.modifier_count = 1;
    watch.ongoing.target.required = (kn_tags){&s->wolf, 1};
    assert_int_equal(kn_effect_register(s->library, &watch, &s->watch, NULL), KN_OK);

    assert_int_equal(kn_library_finish(s->library, NULL), KN_OK);
    kn_world_def world = kn_world_def_default();
    world.library = s->library;
    assert_int_equal(kn_world_create(&world, &s->world), KN_OK);
    assert_int_equal(kn_entity_create(s->world, &s->entity), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    assert_int_equal(
        kn_entity_add_tag(s->world, s->entity, s->human, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    scene *s = *state;
    assert_true(kn_world_validate(s->world));
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    free(s);
    return 0;
}

// BEY-030
static void a_replaced_tag_shows_as_the_other_while_the_effect_acts(void **state)
{
    scene *s = *state;
    apply(s, s->shape);
    assert_false(has(s, s->human));
    assert_true(has(s, s->wolf));
    assert_true(has(s, s->form));
    assert_true(kn_entity_has_tag_exact(s->world, s->entity, s->wolf));
    assert_false(kn_entity_has_tag_exact(s->world, s->entity, s->human));
    assert_int_equal(kn_entity_tag_count(s->world, s->entity, s->human), 1);
    kn_tag shown[4];
    assert_int_equal(kn_entity_tags(s->world, s->entity, shown, 4), 1);
    assert_int_equal(shown[0].index1, s->wolf.index1);
    assert_int_equal(kn_world_step(s->world, KN_S(3)), KN_OK);
    assert_true(has(s, s->human));
    assert_false(has(s, s->wolf));
}

// BEY-030
static void a_removed_tag_is_hidden_with_all_below_it_whoever_granted_it(void **state)
{
    scene *s = *state;
    kn_effect_id effect = apply(s, s->hide);
    assert_false(has(s, s->form));
    assert_false(has(s, s->human));
    assert_int_equal(
        kn_entity_add_tag(s->world, s->entity, s->dire, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_false(has(s, s->dire));
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_true(has(s, s->human));
    assert_true(has(s, s->dire));
}

// BEY-030
static void edits_act_in_order_of_their_effects(void **state)
{
    scene *s = *state;
    apply(s, s->howl); // shows Dire, then Flying in its place
    assert_true(has(s, s->flying));
    assert_false(has(s, s->wolf));
    apply(s, s->shape); // Human becomes Wolf, after Howl has had its turn
    assert_true(has(s, s->wolf));
    assert_true(has(s, s->flying));
    apply(s, s->hide);
    assert_false(has(s, s->wolf));
    assert_true(has(s, s->flying));
}

// BEY-030, ETG-005
static void what_an_edit_shows_and_hides_is_told_and_wakes_requirements(void **state)
{
    scene *s = *state;
    apply(s, s->watch);
    assert_true(kn_attribute_value(s->world, s->entity, s->speed) == 10.0f);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    apply(s, s->shape);
    assert_true(kn_attribute_value(s->world, s->entity, s->speed) == 15.0f);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    kn_events events = kn_world_events(s->world);
    uint32_t gone = 0, came = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_TAG_CHANGED) {
            gone += event->data.tag.tag.index1 == s->human.index1 && event->data.tag.count == 0;
            came += event->data.tag.tag.index1 == s->wolf.index1 && event->data.tag.count == 1;
        }
    }
    assert_int_equal(gone, 1);
    assert_int_equal(came, 1);
    assert_int_equal(kn_world_step(s->world, KN_S(3)), KN_OK);
    assert_true(kn_attribute_value(s->world, s->entity, s->speed) == 10.0f);
}

// BEY-030
static void edited_tags_survive_a_save(void **state)
{
    scene *s = *state;
    apply(s, s->howl);
    apply(s, s->shape);
    static uint8_t bytes[65536];
    size_t size;
    assert_int_equal(kn_save_write(s->world, bytes, sizeof(bytes), &size), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    kn_world *copy;
    assert_int_equal(kn_world_create(&def, &copy), KN_OK);
    assert_int_equal(kn_save_read(copy, bytes, size, NULL), KN_OK);
    assert_true(kn_world_validate(copy));
    assert_true(kn_world_hash(copy) == kn_world_hash(s->world));
    assert_true(kn_entity_has_tag(copy, s->entity, s->wolf));
    assert_true(kn_entity_has_tag(copy, s->entity, s->flying));
    assert_false(kn_entity_has_tag(copy, s->entity, s->human));
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
    kn_effect_def def = kn_effect_def_default();
    def.name = "Bad";
    def.duration_kind = KN_DURATION_INFINITE;
    def.tag_edits = &edit;
    def.tag_edit_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(library, &def, &type, NULL), KN_ERROR_BAD_DATA);
    kn_library_destroy(library);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_replaced_tag_shows_as_the_other_while_the_effect_acts),
        TEST(a_removed_tag_is_hidden_with_all_below_it_whoever_granted_it),
        TEST(edits_act_in_order_of_their_effects),
        TEST(what_an_edit_shows_and_hides_is_told_and_wakes_requirements),
        TEST(edited_tags_survive_a_save),
        cmocka_unit_test(an_edit_without_a_tag_is_refused),
    };
    return cmocka_run_group_tests_name("tag_edits", tests, NULL, NULL);
}
