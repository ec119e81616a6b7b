// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/interaction.md

#include "scenario/target_fixture.h"

enum { INPUT_INTERACT = 1 };
enum { FOUND, HELD, RELEASED };

typedef struct interact {
    kn_targeting_id nearest;
    kn_tag interactable, holds, event;
} interact;

// Who is at hand?
static kn_result interact_activate(const kn_ability_call *call)
{
    const interact *i = call->user;
    kn_task_def find = kn_task_def_default(KN_TASK_TARGET);
    find.targeting = i->nearest;
    find.confirm = KN_CONFIRM_INSTANT;
    find.label = FOUND;
    return kn_task_run(call->world, call->activation, &find, NULL);
}

// The thing itself knows what interacting with it means: it is sent an event.
static void interact_with(const kn_ability_call *call, kn_entity_id thing)
{
    const interact *i = call->user;
    kn_event_record record = kn_event_record_default();
    record.instigator = call->owner;
    record.target = thing;
    (void)kn_event_send(call->world, thing, i->event, &record);
    (void)kn_activation_end(call->world, call->activation);
}

// What was found: at once, or after holding the input for a second.
static void interact_found(const kn_ability_call *call, kn_target_view targets)
{
    const interact *i = call->user;
    kn_entity_id thing;
    if (kn_target_entities(targets, &thing, 1) == 0) {
        (void)kn_activation_cancel(call->world, call->activation);
    } else if (!kn_entity_has_tag(call->world, thing, i->holds)) {
        interact_with(call, thing);
    } else {
        *(kn_entity_id *)kn_activation_state(call->world, call->activation) = thing;
        (void)kn_wait_delay(call->world, call->activation, HELD, KN_S(1));
        (void)kn_wait_input_release(call->world, call->activation, RELEASED);
    }
}

static void interact_told(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->label == FOUND) {
        interact_found(call, result->data.targets);
    } else if (result->label == RELEASED) {
        (void)kn_activation_cancel(call->world, call->activation);
    } else {
        interact_with(call, *(kn_entity_id *)kn_activation_state(call->world, call->activation));
    }
}

static void things_note(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    note(user, "entity %u used by %u. ", reaction->entity.index1, reaction->instigator.index1);
}

static void interact_register(range *r, interact *i)
{
    i->interactable = tag_of(r->f, "Interactable");
    i->holds = tag_of(r->f, "Interactable.Hold");
    i->event = tag_of(r->f, "Event.Interact");
    kn_targeting_def nearest = kn_targeting_def_default();
    nearest.name = "AtHand";
    nearest.shape = KN_SHAPE_NEAREST;
    nearest.radius = 3.0f;
    nearest.limit = 1;
    nearest.tags.required = (kn_tags){&i->interactable, 1};
    i->nearest = targeting_register(r, &nearest);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Interact";
    def.input = INPUT_INTERACT;
    def.state_size = sizeof(kn_entity_id);
    def.activate = interact_activate;
    def.task_done = interact_told;
    def.user = i;
    r->aim = ability_register(r->f, &def);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Used";
    rule.trigger = KN_TRIGGER_EVENT;
    rule.tag = i->event;
    rule.function = things_note;
    rule.user = r->f;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(r->f->library, &rule, &id, NULL), KN_OK);
}

static kn_entity_id thing(range *r, kn_tag tag, float x)
{
    kn_entity_id entity = spawn(r, x, 0.0f);
    assert_int_equal(kn_entity_add_tag(r->f->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    return entity;
}

static void press(range *r)
{
    assert_int_equal(kn_input_press(r->f->world, r->f->hero, INPUT_INTERACT), KN_OK);
}

static void release(range *r)
{
    assert_int_equal(kn_input_release(r->f->world, r->f->hero, INPUT_INTERACT), KN_OK);
}

// COM-009
static void a_press_uses_the_nearest_thing(void **state)
{
    range *r = *state;
    interact i;
    interact_register(r, &i);
    range_begin(r);
    press(r);
    EXPECT_LOG(r->f, ""); // nothing is at hand
    release(r);
    kn_entity_id door = thing(r, i.interactable, 2.0f);
    (void)thing(r, i.interactable, -2.5f);
    (void)spawn(r, 1.0f, 0.0f); // nearer, but no use
    press(r);
    EXPECT_LOG(r->f, "entity 3 used by 1. ");
    assert_int_equal(door.index1, 3);
    assert_int_equal(kn_activations(r->f->world, r->f->hero, NULL, 0), 0);
}

// COM-009
static void a_hold_takes_its_time(void **state)
{
    range *r = *state;
    interact i;
    interact_register(r, &i);
    range_begin(r);
    kn_entity_id fallen = thing(r, i.holds, 1.0f);
    press(r);
    step(r->f, KN_MS(900));
    check_futures(r);
    release(r);
    step(r->f, KN_S(1));
    EXPECT_LOG(r->f, "");
    press(r);
    step(r->f, KN_S(1));
    EXPECT_LOG(r->f, "entity 3 used by 1. ");
    release(r);
    press(r);
    assert_true(kn_entity_destroy(r->f->world, fallen)); // in the middle of it
    step(r->f, KN_S(1));
    EXPECT_LOG(r->f, "");
    assert_int_equal(kn_activations(r->f->world, r->f->hero, NULL, 0), 0);
}

static const struct CMUnitTest tests[] = {
    RANGE(a_press_uses_the_nearest_thing),
    RANGE(a_hold_takes_its_time),
};

TEST_GROUP(recipe_interaction, tests, NULL, NULL);
