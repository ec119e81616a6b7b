// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/ui.md

#include "scenario/recipe.h"

// A widget: it shows the health, the armour stacks and a cooldown of one entity.
typedef struct widget {
    fixture *f;
    kn_entity_id shown;
    kn_tag cooldown;
    kn_tag_query in_trouble;
    bool was_in_trouble;
    kn_listener_id listeners[4];
} widget;

static void on_health(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    note(((widget *)user)->f, "health %g to %g. ", (double)event->data.attribute.old_value,
        (double)event->data.attribute.new_value);
}

static void on_stacks(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    note(((widget *)user)->f, "armour %u. ", event->data.effect.count);
}

// A cooldown is a tag that is there: when it comes, the times are asked for.
static void on_cooldown(void *user, kn_world *world, const kn_event *event)
{
    widget *w = user;
    kn_time remaining, total;
    if (event->data.tag.count == 0) {
        note(w->f, "ready. ");
    } else if (kn_cooldown_remaining(
                   world, event->entity, (kn_tags){&w->cooldown, 1}, &remaining, &total)) {
        note(w->f, "cooldown %d of %d ms. ", (int)(remaining / 1000), (int)(total / 1000));
    }
}

// Any tag may change what a query says; only news are passed on.
static void on_tags(void *user, kn_world *world, const kn_event *event)
{
    widget *w = user;
    bool is_now = kn_entity_matches_query(world, event->entity, &w->in_trouble);
    if (is_now != w->was_in_trouble) {
        note(w->f, is_now ? "trouble. " : "fine. ");
        w->was_in_trouble = is_now;
    }
}

static kn_listener_def widget_listener(widget *w, kn_event_type type, kn_listener_fn *function)
{
    kn_listener_def def = kn_listener_def_default();
    def.type = type;
    def.entity = w->shown;
    def.owner = w->shown; // ends with the entity it shows
    def.function = function;
    def.user = w;
    return def;
}

static void widget_open(widget *w, kn_world *world, kn_effect_type_id armour)
{
    kn_listener_def defs[4] = {
        widget_listener(w, KN_EVENT_ATTRIBUTE_CHANGED, on_health),
        widget_listener(w, KN_EVENT_EFFECT_STACKS, on_stacks),
        widget_listener(w, KN_EVENT_TAG_CHANGED, on_cooldown),
        widget_listener(w, KN_EVENT_TAG_CHANGED, on_tags),
    };
    defs[0].attribute = w->f->health;
    defs[1].effect_type = armour;
    defs[2].tag = w->cooldown;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(kn_listener_add(world, &defs[i], &w->listeners[i]), KN_OK);
    }
}

static void widget_close(widget *w, kn_world *world)
{
    for (uint32_t i = 0; i < 4; i++) {
        (void)kn_listener_remove(world, w->listeners[i]);
    }
}

typedef struct screen {
    widget w;
    kn_effect_type_id armour, poison;
    kn_ability_type_id meteor;
} screen;

static void screen_begin(fixture *f, screen *s)
{
    kn_effect_def armour = infinite("Armour");
    armour.stacking.kind = KN_STACK_BY_TARGET;
    armour.stacking.limit = kn_constant(4.0f);
    s->armour = effect_register(f, &armour);
    kn_effect_def poison = timed("Poison", 1.0f);
    poison.granted_tags = tags_of(f, "State.Poisoned");
    s->poison = effect_register(f, &poison);
    kn_cooldown_def cooldown = kn_cooldown_seconds(2.0f);
    cooldown.key = tag_of(f, "Cooldown.Meteor");
    kn_ability_def meteor = kn_ability_def_default();
    meteor.name = "Meteor";
    meteor.commit = KN_COMMIT_AT_USE;
    meteor.instancing = KN_INSTANCING_NONE;
    meteor.cooldowns = &cooldown;
    meteor.cooldown_count = 1;
    s->meteor = ability_register(f, &meteor);
    s->w = (widget){.f = f, .cooldown = cooldown.key};
    (void)tag_of(f, "State.Stunned");
    recipe_begin(f, (kn_attribute_set_id){0});
    assert_int_equal(kn_tag_query_parse(f->library, "any_tags(State.Poisoned, State.Stunned)",
                         &s->w.in_trouble, NULL),
        KN_OK);
    s->w.shown = f->hero;
    widget_open(&s->w, f->world, s->armour);
}

// QOL-002, QOL-003, SMP-010
static void a_widget_hears_of_health_stacks_and_cooldowns(void **state)
{
    fixture *f = *state;
    screen s;
    screen_begin(f, &s);
    kn_ability_id meteor = grant(f, s.meteor);
    set_base(f, f->hero, f->health, 70.0f);
    set_base(f, f->foe, f->health, 1.0f);
    EXPECT_LOG(f, ""); // after the step, not in the middle of something
    step(f, 0);
    EXPECT_LOG(f, "health 100 to 70. ");
    (void)apply_to(f, s.armour, f->hero);
    (void)apply_to(f, s.armour, f->hero);
    step(f, 0);
    EXPECT_LOG(f, "armour 2. ");
    activate(f, meteor);
    step(f, KN_MS(500));
    EXPECT_LOG(f, "cooldown 1500 of 2000 ms. ");
    step(f, KN_MS(1500));
    EXPECT_LOG(f, "ready. ");
}

// QOL-005
static void values_are_read_and_set_by_attribute(void **state)
{
    fixture *f = *state;
    kn_modifier_def more = kn_modifier_constant(f->health, KN_OP_MULTIPLY, 1.5f);
    kn_effect_def blessing = infinite("Blessing");
    blessing.modifiers = &more;
    blessing.modifier_count = 1;
    kn_effect_type_id type = effect_register(f, &blessing);
    recipe_begin(f, (kn_attribute_set_id){0});
    (void)apply_to(f, type, f->hero);
    assert_true(kn_attribute_value(f->world, f->hero, f->health) == 150.0f);
    set_base(f, f->hero, f->health, 60.0f);
    assert_true(kn_attribute_base(f->world, f->hero, f->health) == 60.0f);
    assert_true(kn_attribute_value(f->world, f->hero, f->health) == 90.0f);
}

// QOL-004, TASK-030: the form that stands by itself, at first without any tags.
static void a_widget_hears_when_a_tag_query_becomes_true_or_false(void **state)
{
    fixture *f = *state;
    screen s;
    screen_begin(f, &s);
    (void)apply_to(f, s.poison, f->hero);
    step(f, KN_MS(500));
    EXPECT_LOG(f, "trouble. ");
    kn_tag stunned = tag_of(f, "State.Stunned");
    add_tag(f, f->hero, stunned);
    step(f, KN_S(1)); // the poison is over, the stun is not
    EXPECT_LOG(f, "");
    remove_tag(f, f->hero, stunned);
    step(f, 0);
    EXPECT_LOG(f, "fine. ");
}

// GAPA-052, QOL-002, TVA-072, SMP-010
static void a_widget_ends_when_it_is_closed_or_with_whom_it_shows(void **state)
{
    fixture *f = *state;
    screen s;
    screen_begin(f, &s);
    assert_int_equal(kn_listener_count(f->world), 4);
    widget_close(&s.w, f->world);
    assert_int_equal(kn_listener_count(f->world), 0);
    set_base(f, f->hero, f->health, 70.0f);
    step(f, 0);
    EXPECT_LOG(f, "");
    widget_open(&s.w, f->world, s.armour);
    assert_true(kn_entity_destroy(f->world, f->hero));
    step(f, 0);
    f->log[0] = 0; // events from before the end may still arrive
    assert_int_equal(kn_listener_count(f->world), 0);
    assert_false(kn_listener_remove(f->world, s.w.listeners[0]));
    step(f, KN_S(1));
    EXPECT_LOG(f, "");
}

static const struct CMUnitTest tests[] = {
    TEST(a_widget_hears_of_health_stacks_and_cooldowns),
    TEST(values_are_read_and_set_by_attribute),
    TEST(a_widget_hears_when_a_tag_query_becomes_true_or_false),
    TEST(a_widget_ends_when_it_is_closed_or_with_whom_it_shows),
};

TEST_GROUP(recipe_ui, tests, NULL, NULL);
