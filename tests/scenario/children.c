// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Effects that start other effects, events raised by data, and things granted while active.

#include "scenario/effect_fixture.h"

typedef struct heard {
    uint32_t count;
    kn_entity_id entity[16];
    float magnitude[16];
    kn_tag tag[16];
} heard;

static void hear(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    heard *h = user;
    assert_in_range(h->count, 0, 15);
    h->entity[h->count] = reaction->entity;
    h->magnitude[h->count] = reaction->magnitude;
    h->tag[h->count] = reaction->tag;
    h->count++;
}

static void listen(fixture *f, heard *h, const char *name)
{
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Ear";
    rule.trigger = KN_TRIGGER_EVENT;
    rule.tag = tag_of(f, name);
    rule.function = hear;
    rule.user = h;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
}

// An instant effect that takes 1 health.
static kn_effect_type_id pinch(fixture *f, const char *name)
{
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def def = instant(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

static kn_effect_type_id parent_of(fixture *f, kn_effect_def def, kn_child_def child)
{
    def.children = &child;
    def.child_count = 1;
    return effect_register(f, &def);
}

static uint32_t count_of(fixture *f, kn_entity_id entity, kn_effect_type_id type, kn_effect_id *out)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = type;
    return kn_effects_find(f->world, entity, &query, out, 1);
}

static float health_of(fixture *f, kn_entity_id entity)
{
    return kn_attribute_value(f->world, entity, f->health);
}

// BEY-022
static void a_child_comes_with_every_successful_application(void **state)
{
    fixture *f = *state;
    kn_child_def child = kn_child_def_default();
    child.type = pinch(f, "Pinch");
    child.when = KN_CHILD_APPLIED;
    kn_effect_def def = infinite("Parent");
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id parent = parent_of(f, def, child);
    def = instant("Instant");
    kn_effect_type_id at_once = parent_of(f, def, child);
    begin(f);
    apply(f, parent);
    assert_near(current(f, f->health), 99.0f);
    apply(f, parent);
    assert_near(current(f, f->health), 98.0f);
    apply(f, at_once);
    assert_near(current(f, f->health), 97.0f);
}

// BEY-022
static void children_tell_normal_end_early_end_and_any_end_apart(void **state)
{
    fixture *f = *state;
    kn_effect_type_id expired = pinch(f, "OnExpired");
    kn_modifier_def slow = kn_modifier_constant(f->speed, KN_OP_ADD, -1.0f);
    kn_effect_def def = instant("OnEarly");
    def.modifiers = &slow;
    def.modifier_count = 1;
    kn_effect_type_id early = effect_register(f, &def);
    kn_modifier_def gain = kn_modifier_constant(f->power, KN_OP_ADD, 1.0f);
    def = instant("OnAny");
    def.modifiers = &gain;
    def.modifier_count = 1;
    kn_effect_type_id any = effect_register(f, &def);
    kn_child_def children[3] = {
        kn_child_def_default(), kn_child_def_default(), kn_child_def_default()};
    children[0].type = expired;
    children[0].when = KN_CHILD_EXPIRED;
    children[1].type = early;
    children[1].when = KN_CHILD_REMOVED_EARLY;
    children[2].type = any;
    children[2].when = KN_CHILD_ENDED;
    def = timed("Bomb", 3);
    def.children = children;
    def.child_count = 3;
    kn_effect_type_id bomb = effect_register(f, &def);
    begin(f);
    apply(f, bomb);
    step_seconds(f, 3);
    assert_near(current(f, f->health), 99.0f);
    assert_near(current(f, f->speed), 600.0f);
    assert_near(current(f, f->power), 11.0f);
    kn_effect_id effect = apply(f, bomb);
    step_seconds(f, 1);
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_DISPELLED);
    assert_near(current(f, f->health), 99.0f);
    assert_near(current(f, f->speed), 599.0f);
    assert_near(current(f, f->power), 12.0f);
}

// BEY-022
static void a_child_goes_to_target_source_or_instigator(void **state)
{
    fixture *f = *state;
    kn_effect_type_id hit = pinch(f, "Pinch");
    const kn_recipient recipients[3] = {
        KN_RECIPIENT_TARGET, KN_RECIPIENT_SOURCE, KN_RECIPIENT_INSTIGATOR};
    kn_child_def children[3];
    for (int i = 0; i < 3; i++) {
        children[i] = kn_child_def_default();
        children[i].type = hit;
        children[i].to = recipients[i];
    }
    kn_effect_def def = infinite("Parent");
    def.children = children;
    def.child_count = 3;
    kn_effect_type_id parent = effect_register(f, &def);
    begin(f);
    kn_effect_context context = {.instigator = f->ally};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = parent;
    request.target = f->foe;
    request.source = f->hero;
    request.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);
    assert_near(health_of(f, f->foe), 99.0f);
    assert_near(health_of(f, f->hero), 99.0f);
    assert_near(health_of(f, f->ally), 99.0f);
    request.context = NULL; // no instigator: the source
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);
    assert_near(health_of(f, f->hero), 97.0f);
    request.source = (kn_entity_id){0}; // nobody: nothing
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);
    assert_near(health_of(f, f->foe), 97.0f);
    assert_near(health_of(f, f->hero), 97.0f);
}

// BEY-022
static void a_child_inherits_level_source_and_caller_values_unless_told_not_to(void **state)
{
    fixture *f = *state;
    kn_tag amount = tag_of(f, "Data.Amount");
    kn_effect_def kid = infinite("Kid");
    kid.stacking.kind = KN_STACK_BY_SOURCE;
    kn_effect_type_id heir = effect_register(f, &kid);
    kid.name = "Stranger";
    kn_effect_type_id stranger = effect_register(f, &kid);
    kn_child_def children[2] = {kn_child_def_default(), kn_child_def_default()};
    children[0].type = heir;
    children[0].stacks = 4;
    children[1].type = stranger;
    children[1].inherit_level = false;
    children[1].inherit_source = false;
    children[1].copy_caller_values = false;
    kn_effect_def def = infinite("Parent");
    def.children = children;
    def.child_count = 2;
    kn_effect_type_id parent = effect_register(f, &def);
    begin(f);
    kn_caller_value given = {amount, 7.0f};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = parent;
    request.target = f->foe;
    request.source = f->hero;
    request.level = 3.0f;
    request.caller_values = &given;
    request.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);

    kn_effect_id effect;
    kn_effect_info info;
    assert_int_equal(count_of(f, f->foe, heir, &effect), 1);
    assert_true(kn_effect_get(f->world, effect, &info));
    assert_near(info.level, 3.0f);
    assert_int_equal(info.stacks, 4);
    assert_true(kn_entity_id_equal(info.source, f->hero));
    assert_near(kn_effect_caller_value(f->world, effect, amount, -1.0f), 7.0f);
    assert_int_equal(count_of(f, f->foe, stranger, &effect), 1);
    assert_true(kn_effect_get(f->world, effect, &info));
    assert_near(info.level, 1.0f);
    assert_int_equal(info.stacks, 1);
    assert_true(kn_entity_id_equal(info.source, f->foe));
    assert_near(kn_effect_caller_value(f->world, effect, amount, -1.0f), -1.0f);
}

// Writes the world and reads it into another one.
static void reload(fixture *f)
{
    size_t size = 0;
    void *bytes = save_of(f->world, &size);
    kn_world *other = world_of(f, kn_world_def_default());
    assert_int_equal(kn_save_read(other, bytes, size, NULL), KN_OK);
    free(bytes);
    assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    kn_world_destroy(f->world);
    f->world = other;
}

typedef struct shared {
    kn_effect_type_id stack, parents[3];
    kn_effect_id held[3]; // the parents on the target
} shared;

// Three effects that each put stacks of a fourth on the target and take them back at their end.
static shared share(fixture *f, const kn_effect_def *stack, uint32_t stacks, kn_child_when when)
{
    shared s = {.stack = effect_register(f, stack)};
    const char *names[] = {"One", "Two", "Three"};
    for (uint32_t i = 0; i < 3; i++) {
        kn_child_def child = kn_child_def_default();
        child.type = s.stack;
        child.when = when;
        child.count = when == KN_CHILD_COUNT_HELD ? 2 : 0;
        child.stacks = stacks;
        child.remove_with_parent = when != KN_CHILD_COUNT_HELD;
        kn_effect_def def = infinite(names[i]);
        def.stacking.kind = KN_STACK_BY_TARGET;
        def.children = &child;
        def.child_count = 1;
        s.parents[i] = effect_register(f, &def);
    }
    return s;
}

static void begin_parent(fixture *f, shared *s, uint32_t index)
{
    s->held[index] = apply_from(f, s->parents[index], index == 1 ? f->ally : f->hero);
}

static void end_parent(fixture *f, const shared *s, uint32_t index)
{
    remove_effect(f, s->held[index]);
}

static uint32_t stacks_of(fixture *f, const shared *s)
{
    kn_effect_id effect = {0};
    return count_of(f, f->foe, s->stack, &effect) == 0 ? 0 : kn_effect_stacks(f->world, effect);
}

static kn_effect_def shared_stack(float limit)
{
    kn_effect_def def = infinite("Stack");
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(limit);
    return def;
}

// BEY-022
static void a_parent_takes_back_the_stacks_it_put_there_and_no_others(void **state)
{
    fixture *f = *state;
    kn_effect_def def = shared_stack(0);
    shared s = share(f, &def, 2, KN_CHILD_APPLIED);
    begin(f);
    apply_from(f, s.stack, f->ally); // 1 of its own
    begin_parent(f, &s, 0);
    begin_parent(f, &s, 1);
    begin_parent(f, &s, 1); // once more
    assert_int_equal(stacks_of(f, &s), 7);
    reload(f);
    end_parent(f, &s, 1);
    assert_int_equal(stacks_of(f, &s), 3);
    const kn_event *event = NULL;
    step_seconds(f, 0);
    event = last_event(f, KN_EVENT_EFFECT_STACKS);
    assert_int_equal(event->data.effect.reason, KN_REMOVED_PARENT_ENDED);
    end_parent(f, &s, 0);
    assert_int_equal(stacks_of(f, &s), 1);
}

// BEY-022
static void a_stack_at_its_limit_stays_as_long_as_one_parent_holds_it(void **state)
{
    fixture *f = *state;
    kn_effect_def def = shared_stack(2);
    shared s = share(f, &def, 1, KN_CHILD_APPLIED);
    begin(f);
    for (uint32_t order = 0; order < 3; order++) {
        apply_from(f, s.stack, f->ally);
        for (uint32_t i = 0; i < 3; i++) {
            begin_parent(f, &s, i);
        }
        assert_int_equal(stacks_of(f, &s), 2); // and there was no room for two
        reload(f);
        end_parent(f, &s, order);
        assert_int_equal(stacks_of(f, &s), 2);
        end_parent(f, &s, (order + 1) % 3);
        assert_int_equal(stacks_of(f, &s), 2);
        end_parent(f, &s, (order + 2) % 3);
        assert_int_equal(stacks_of(f, &s), 1); // the stacks without a holder
        kn_effect_query query = kn_effect_query_default();
        query.type = s.stack;
        kn_effects_remove(f->world, f->foe, &query, 0, KN_REMOVED_BY_CALL, NULL);
    }
}

// BEY-022
static void what_others_hold_stays_when_stacks_were_lost_otherwise(void **state)
{
    fixture *f = *state;
    kn_effect_def def = shared_stack(0);
    shared s = share(f, &def, 1, KN_CHILD_APPLIED);
    begin(f);
    begin_parent(f, &s, 0);
    begin_parent(f, &s, 1);
    kn_effect_id stack;
    assert_int_equal(count_of(f, f->foe, s.stack, &stack), 1);
    assert_int_equal(kn_effect_remove(f->world, stack, 1, KN_REMOVED_BY_CALL), KN_OK);
    end_parent(f, &s, 0);
    assert_int_equal(stacks_of(f, &s), 1);
    end_parent(f, &s, 1);
    assert_int_equal(stacks_of(f, &s), 0);
}

// BEY-005, BEY-022
static void a_count_that_is_no_longer_held_takes_back_its_own_stacks(void **state)
{
    fixture *f = *state;
    kn_effect_def def = shared_stack(0);
    shared s = share(f, &def, 3, KN_CHILD_COUNT_HELD);
    begin(f);
    for (uint32_t i = 0; i < 2; i++) {
        begin_parent(f, &s, i);
        begin_parent(f, &s, i); // 2 of it
    }
    assert_int_equal(stacks_of(f, &s), 6);
    assert_int_equal(kn_effect_remove(f->world, s.held[0], 1, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(stacks_of(f, &s), 3);
    end_parent(f, &s, 0);
    assert_int_equal(stacks_of(f, &s), 3);
    end_parent(f, &s, 1);
    assert_int_equal(stacks_of(f, &s), 0);
}

// BEY-022
static void of_stacks_with_timers_a_parent_takes_those_it_put_there(void **state)
{
    fixture *f = *state;
    kn_effect_def def = timed("Stack", 4);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.own_timers = true;
    shared s = share(f, &def, 1, KN_CHILD_APPLIED);
    begin(f);
    begin_parent(f, &s, 0); // ends at 4
    begin_parent(f, &s, 1); // at the same time, of another source
    step_seconds(f, 3);
    begin_parent(f, &s, 2); // ends at 7
    assert_int_equal(stacks_of(f, &s), 3);
    reload(f);
    end_parent(f, &s, 1);
    assert_int_equal(stacks_of(f, &s), 2);
    step_seconds(f, 2); // 5: that of the first has run out
    assert_int_equal(stacks_of(f, &s), 1);
    end_parent(f, &s, 0);
    assert_int_equal(stacks_of(f, &s), 1);
    begin_parent(f, &s, 1); // ends at 9
    end_parent(f, &s, 2);
    step_seconds(f, 2.5); // 7.5
    assert_int_equal(stacks_of(f, &s), 1);
    end_parent(f, &s, 1);
    assert_int_equal(stacks_of(f, &s), 0);
}

// BEY-022, BEY-029
static void a_child_may_be_removed_with_its_parent(void **state)
{
    fixture *f = *state;
    kn_effect_def kid = infinite("Tied");
    kn_effect_type_id tied = effect_register(f, &kid);
    kid.name = "Free";
    kn_effect_type_id loose = effect_register(f, &kid);
    kn_child_def children[2] = {kn_child_def_default(), kn_child_def_default()};
    children[0].type = tied;
    children[0].remove_with_parent = true;
    children[0].to = KN_RECIPIENT_SOURCE;
    children[1].type = loose;
    kn_effect_def def = timed("Parent", 5);
    def.children = children;
    def.child_count = 2;
    kn_effect_type_id parent = effect_register(f, &def);
    begin(f);
    apply(f, parent);
    kn_effect_id effect;
    assert_int_equal(count_of(f, f->hero, tied, &effect), 1);
    step_seconds(f, 5);
    assert_false(kn_effect_is_alive(f->world, effect));
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_REMOVED);
    assert_int_equal(event->data.effect.reason, KN_REMOVED_PARENT_ENDED);
    assert_int_equal(count_of(f, f->foe, loose, &effect), 1);
}

// BEY-022
static void a_child_may_ask_for_tags_of_the_source(void **state)
{
    fixture *f = *state;
    kn_tag charged = tag_of(f, "State.Charged");
    kn_child_def child = kn_child_def_default();
    child.type = pinch(f, "Pinch");
    child.source.required = (kn_tags){&charged, 1};
    kn_effect_type_id parent = parent_of(f, instant("Parent"), child);
    begin(f);
    apply(f, parent);
    assert_near(current(f, f->health), 100.0f);
    add_tag(f, f->hero, charged);
    apply(f, parent);
    assert_near(current(f, f->health), 99.0f);
}

// BEY-022
static void a_child_may_be_named_before_it_is_registered_but_must_exist(void **state)
{
    fixture *f = *state;
    kn_child_def child = kn_child_def_default();
    child.type_name = "Later";
    parent_of(f, instant("Parent"), child);
    kn_error error;
    assert_int_not_equal(kn_library_finish(f->library, &error), KN_OK);
    assert_non_null(strstr(error.message, "Later"));
    pinch(f, "Later");
    begin(f);
    apply(f, kn_effect_type_find(f->library, "Parent"));
    assert_near(current(f, f->health), 99.0f);
}

// BEY-022
static void a_cycle_of_instant_children_is_found_when_the_library_is_finished(void **state)
{
    fixture *f = *state;
    kn_child_def child = kn_child_def_default();
    child.type_name = "B";
    parent_of(f, instant("A"), child);
    child.type_name = "A";
    parent_of(f, instant("B"), child);
    kn_error error;
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_false(kn_library_is_finished(f->library));
}

static void ask_for_children(void *user, kn_execution *execution)
{
    const bool *asks = user;
    if (*asks) {
        kn_execution_trigger_children(execution);
    }
}

// BEY-022
static void an_execution_decides_about_its_conditional_children(void **state)
{
    fixture *f = *state;
    static bool asks;
    asks = false;
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "Ask";
    execution.function = ask_for_children;
    execution.user = &asks;
    kn_execution_id id;
    assert_int_equal(kn_execution_register(f->library, &execution, &id, NULL), KN_OK);
    kn_execution_use use = {.execution = id};
    kn_child_def child = kn_child_def_default();
    child.type = pinch(f, "Pinch");
    child.when = KN_CHILD_EXECUTED;
    kn_effect_def def = instant("Parent");
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id parent = parent_of(f, def, child);
    begin(f);
    apply(f, parent);
    assert_near(current(f, f->health), 100.0f);
    asks = true;
    apply(f, parent);
    assert_near(current(f, f->health), 99.0f);
}

// BEY-023
static void data_raises_events_over_the_life_of_an_effect(void **state)
{
    fixture *f = *state;
    heard h = {0};
    listen(f, &h, "Event");
    const char *names[6] = {"Event.Applied", "Event.Executed", "Event.Expired", "Event.Early",
        "Event.Gained", "Event.Lost"};
    kn_raise_def raises[6];
    for (int i = 0; i < 6; i++) {
        raises[i] = kn_raise_def_default();
        raises[i].when = (kn_raise_when)i;
        raises[i].tag = tag_of(f, names[i]);
        raises[i].magnitude = kn_magnitude_of(KN_MAGNITUDE_STACKS);
    }
    kn_effect_def def = timed("Buff", 5);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.is_periodic = true;
    def.period = kn_magnitude_constant(2);
    def.skip_first_tick = true;
    def.raises = raises;
    def.raise_count = 6;
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, buff);
    assert_int_equal(h.count, 1);
    assert_true(kn_tag_equal(h.tag[0], raises[0].tag));
    assert_near(h.magnitude[0], 1.0f);
    assert_true(kn_entity_id_equal(h.entity[0], f->foe));
    h.count = 0;
    apply(f, buff); // gained, and applied again
    assert_int_equal(h.count, 2);
    assert_true(kn_tag_equal(h.tag[0], raises[4].tag));
    assert_near(h.magnitude[0], 2.0f);
    assert_true(kn_tag_equal(h.tag[1], raises[0].tag));
    h.count = 0;
    kn_effect_remove(f->world, effect, 1, KN_REMOVED_BY_CALL);
    assert_int_equal(h.count, 1);
    assert_true(kn_tag_equal(h.tag[0], raises[5].tag));
    h.count = 0;
    step_seconds(f, 4.5);
    assert_int_equal(h.count, 2); // ticks at 2 and 4
    assert_true(kn_tag_equal(h.tag[0], raises[1].tag));
    h.count = 0;
    step_seconds(f, 0.5);
    assert_int_equal(h.count, 1);
    assert_true(kn_tag_equal(h.tag[0], raises[2].tag));
    effect = apply(f, buff);
    h.count = 0;
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_int_equal(h.count, 1);
    assert_true(kn_tag_equal(h.tag[0], raises[3].tag));
}

// BEY-023
static void a_raised_event_has_recipients_and_a_magnitude_of_any_source(void **state)
{
    fixture *f = *state;
    heard h = {0};
    listen(f, &h, "Event.Hit");
    kn_raise_def raises[2] = {kn_raise_def_default(), kn_raise_def_default()};
    raises[0].when = KN_RAISE_APPLIED;
    raises[0].tag = tag_of(f, "Event.Hit");
    raises[0].to = KN_RECIPIENT_SOURCE;
    raises[0].magnitude = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 2.0f);
    raises[1] = raises[0];
    raises[1].to = KN_RECIPIENT_INSTIGATOR;
    raises[1].magnitude = kn_magnitude_constant(3.0f);
    kn_effect_def def = instant("Hit");
    def.raises = raises;
    def.raise_count = 2;
    kn_effect_type_id hit = effect_register(f, &def);
    begin(f);
    kn_effect_context context = {.instigator = f->ally};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = hit;
    request.target = f->foe;
    request.source = f->hero;
    request.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);
    assert_int_equal(h.count, 2);
    assert_true(kn_entity_id_equal(h.entity[0], f->hero));
    assert_near(h.magnitude[0], 20.0f);
    assert_true(kn_entity_id_equal(h.entity[1], f->ally));
    assert_near(h.magnitude[1], 3.0f);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_RECORD, (kn_effect_type_id){0}), 2);
}

// BEY-023
static void a_raise_without_a_tag_is_a_registration_error(void **state)
{
    fixture *f = *state;
    kn_raise_def raise = kn_raise_def_default();
    kn_effect_def def = instant("Hit");
    def.raises = &raise;
    def.raise_count = 1;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
}

typedef struct granted {
    uint32_t count;
    kn_effect_id effect[8];
    kn_grant_def grant[8];
    bool is_granted[8];
    kn_entity_id entity[8];
} granted;

static void note_grant(void *user, kn_world *world, kn_entity_id entity, kn_effect_id effect,
    const kn_grant_def *grant, bool is_granted)
{
    (void)world;
    granted *g = user;
    assert_in_range(g->count, 0, 7);
    g->effect[g->count] = effect;
    g->grant[g->count] = *grant;
    g->is_granted[g->count] = is_granted;
    g->entity[g->count] = entity;
    g->count++;
}

static kn_effect_type_id granting(fixture *f, const char *name)
{
    kn_name pull, shout;
    assert_int_equal(kn_name_register(f->library, "Pull", &pull, NULL), KN_OK);
    assert_int_equal(kn_name_register(f->library, "Shout", &shout, NULL), KN_OK);
    kn_grant_def grants[3] = {
        {.ability = pull, .level = kn_constant(3), .input = 2, .removal = KN_GRANT_CANCEL},
        {.ability = shout, .level = kn_constant(1), .input = -1, .removal = KN_GRANT_AFTER_END},
        {.ability = shout, .level = kn_constant(1), .input = -1, .removal = KN_GRANT_KEEP},
    };
    kn_effect_def def = timed(name, 5);
    def.grants = grants;
    def.grant_count = 3;
    return effect_register(f, &def);
}

// GRA-001, GRA-003, GRA-004
static void grants_begin_and_end_with_the_effect_and_carry_their_choices(void **state)
{
    fixture *f = *state;
    granted g = {0};
    kn_effect_type_id type = granting(f, "Hook");
    kn_world_def def = kn_world_def_default();
    def.grant_fn = note_grant;
    def.grant_user = &g;
    begin_with(f, def);

    kn_effect_id effect = apply(f, type);
    assert_int_equal(g.count, 3);
    assert_string_equal(kn_name_text(f->library, g.grant[0].ability), "Pull");
    assert_near(g.grant[0].level.value, 3.0f);
    assert_int_equal(g.grant[0].input, 2);
    assert_int_equal(g.grant[0].removal, KN_GRANT_CANCEL);
    assert_int_equal(g.grant[1].removal, KN_GRANT_AFTER_END);
    assert_int_equal(g.grant[2].removal, KN_GRANT_KEEP);
    for (int i = 0; i < 3; i++) {
        assert_true(g.is_granted[i]);
        assert_true(kn_entity_id_equal(g.entity[i], f->foe));
        assert_true(kn_effect_id_equal(g.effect[i], effect));
    }
    g.count = 0;
    step_seconds(f, 5);
    assert_int_equal(g.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_false(g.is_granted[i]);
        assert_true(kn_effect_id_equal(g.effect[i], effect));
        assert_int_equal(g.grant[i].removal, i);
    }
}

// GRA-005
static void two_effects_granting_the_same_are_told_apart(void **state)
{
    fixture *f = *state;
    granted g = {0};
    kn_effect_type_id type = granting(f, "Hook");
    kn_world_def def = kn_world_def_default();
    def.grant_fn = note_grant;
    def.grant_user = &g;
    begin_with(f, def);
    kn_effect_id first = apply(f, type);
    kn_effect_id second = apply_from(f, type, f->ally);
    assert_int_equal(g.count, 6);
    g.count = 0;
    kn_effect_remove(f->world, first, 0, KN_REMOVED_BY_CALL);
    assert_int_equal(g.count, 3);
    assert_true(kn_effect_id_equal(g.effect[0], first));
    assert_true(kn_effect_is_alive(f->world, second));
}

// GRA-001
static void an_instant_effect_grants_nothing(void **state)
{
    fixture *f = *state;
    kn_grant_def grant = {.level = kn_constant(1), .input = -1};
    assert_int_equal(kn_name_register(f->library, "Pull", &grant.ability, NULL), KN_OK);
    kn_effect_def def = instant("Hit");
    def.grants = &grant;
    def.grant_count = 1;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
}

static const struct CMUnitTest tests[] = {
    TEST(a_child_comes_with_every_successful_application),
    TEST(children_tell_normal_end_early_end_and_any_end_apart),
    TEST(a_child_goes_to_target_source_or_instigator),
    TEST(a_child_inherits_level_source_and_caller_values_unless_told_not_to),
    TEST(a_child_may_be_removed_with_its_parent),
    TEST(a_parent_takes_back_the_stacks_it_put_there_and_no_others),
    TEST(a_stack_at_its_limit_stays_as_long_as_one_parent_holds_it),
    TEST(what_others_hold_stays_when_stacks_were_lost_otherwise),
    TEST(a_count_that_is_no_longer_held_takes_back_its_own_stacks),
    TEST(of_stacks_with_timers_a_parent_takes_those_it_put_there),
    TEST(a_child_may_ask_for_tags_of_the_source),
    TEST(a_child_may_be_named_before_it_is_registered_but_must_exist),
    TEST(a_cycle_of_instant_children_is_found_when_the_library_is_finished),
    TEST(an_execution_decides_about_its_conditional_children),
    TEST(data_raises_events_over_the_life_of_an_effect),
    TEST(a_raised_event_has_recipients_and_a_magnitude_of_any_source),
    TEST(a_raise_without_a_tag_is_a_registration_error),
    TEST(grants_begin_and_end_with_the_effect_and_carry_their_choices),
    TEST(two_effects_granting_the_same_are_told_apart),
    TEST(an_instant_effect_grants_nothing),
};

TEST_GROUP(children, tests, NULL, NULL);
