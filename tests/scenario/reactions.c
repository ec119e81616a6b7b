// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rules and hooks that change the world from inside, run to completion, causes, and loops cut
// short.

#include "scenario/effect_fixture.h"

static kn_effect_type_id strike(fixture *f, const char *name, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, amount);
    kn_effect_def def = instant(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

static void add_rule(fixture *f, const char *name, kn_trigger trigger, kn_tag what,
    int32_t priority, kn_rule_fn *function, void *user)
{
    kn_rule_def rule = kn_rule_def_default();
    rule.name = name;
    rule.trigger = trigger;
    rule.tag = what;
    rule.attribute = trigger == KN_TRIGGER_ATTRIBUTE_CHANGED ? f->health : (kn_attribute_id){0};
    rule.priority = priority;
    rule.function = function;
    rule.user = user;
    kn_rule_id id;
    kn_error error;
    if (kn_rule_register(f->library, &rule, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static kn_effect_logic_id add_logic(fixture *f, const kn_effect_logic_def *logic)
{
    kn_effect_logic_id id;
    assert_int_equal(kn_effect_logic_register(f->library, logic, &id, NULL), KN_OK);
    return id;
}

// What rules and hooks leave behind for the tests.
typedef struct notes {
    fixture *f;
    kn_effect_type_id type;
    kn_effect_id effect;
    char text[64];
    uint32_t calls;
    uint32_t depth, deepest;
    float seen;
    kn_result result;
} notes;

static void note_letter(notes *n, char letter)
{
    size_t length = strlen(n->text);
    assert_in_range(length, 0, sizeof n->text - 2);
    n->text[length] = letter;
    n->text[length + 1] = 0;
}

static void rule_a(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    (void)reaction;
    note_letter(user, 'a');
}

static void rule_b(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    (void)reaction;
    note_letter(user, 'b');
}

static void rule_c(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    (void)reaction;
    note_letter(user, 'c');
}

static void rules_run_by_priority_then_by_order_of_registration(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_tag event = tag_of(f, "Event.Ping");
    add_rule(f, "A", KN_TRIGGER_EVENT, event, 0, rule_a, &n);
    add_rule(f, "B", KN_TRIGGER_EVENT, event, 5, rule_b, &n);
    add_rule(f, "C", KN_TRIGGER_EVENT, event, 0, rule_c, &n);
    begin(f);
    assert_int_equal(kn_event_send(f->world, f->foe, event, NULL), KN_OK);
    assert_string_equal(n.text, "bac");
}

static void rules_of_a_parent_tag_hear_its_children_once(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_tag parent = tag_of(f, "Event"), child = tag_of(f, "Event.Hit.Fire"),
           other = tag_of(f, "Other");
    add_rule(f, "A", KN_TRIGGER_EVENT, parent, 0, rule_a, &n);
    add_rule(f, "B", KN_TRIGGER_EVENT, child, 0, rule_b, &n);
    begin(f);
    assert_int_equal(kn_event_send(f->world, f->foe, child, NULL), KN_OK);
    assert_int_equal(strlen(n.text), 2);
    n.text[0] = 0;
    assert_int_equal(kn_event_send(f->world, f->foe, parent, NULL), KN_OK);
    assert_string_equal(n.text, "a");
    assert_int_equal(kn_event_send(f->world, f->foe, other, NULL), KN_OK);
    assert_string_equal(n.text, "a");
}

static void hit_again(void *user, kn_world *world, const kn_reaction *reaction)
{
    notes *n = user;
    n->depth++;
    n->deepest = n->depth > n->deepest ? n->depth : n->deepest;
    n->seen = reaction->new_value;
    n->calls++;
    if (n->calls < 4) {
        n->result =
            kn_effect_apply_simple(world, n->type, reaction->entity, reaction->entity, 1.0f, NULL);
        // Immediate for the caller, even inside a rule.
        assert_near(kn_attribute_value(world, reaction->entity, n->f->health),
            100.0f - 10.0f * (float)(n->calls + 1));
    }
    n->depth--;
}

static void a_reaction_runs_before_the_outermost_call_returns_and_never_inside_another(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    n.type = strike(f, "Strike", -10.0f);
    add_rule(f, "Again", KN_TRIGGER_ATTRIBUTE_CHANGED, (kn_tag){0}, 0, hit_again, &n);
    begin(f);
    apply(f, n.type);
    assert_int_equal(n.calls, 4);
    assert_int_equal(n.deepest, 1); // queued, not nested
    assert_int_equal(n.result, KN_OK);
    assert_near(current(f, f->health), 60.0f);
}

static void for_ever(void *user, kn_world *world, const kn_reaction *reaction)
{
    notes *n = user;
    n->calls++;
    kn_entity_id next = kn_entity_id_equal(reaction->entity, n->f->foe) ? n->f->ally : n->f->foe;
    kn_result result = kn_effect_apply_simple(world, n->type, reaction->entity, next, 1.0f, NULL);
    n->result = result != KN_OK ? result : n->result;
}

static void a_proc_loop_is_cut_at_the_chain_limit_with_an_error_event(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, -1.0f);
    kn_effect_def def = infinite("Thorns");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    n.type = effect_register(f, &def);
    add_rule(f, "Reflect", KN_TRIGGER_EFFECT_APPLIED, (kn_tag){0}, 0, for_ever, &n);
    kn_world_def world = kn_world_def_default();
    world.chain_limit = 16;
    begin_with(f, world);
    apply(f, n.type);
    assert_in_range(n.calls, 4, 17);
    step_seconds(f, 0);
    const kn_event *event = last_event(f, KN_EVENT_ERROR);
    assert_non_null(event);
    assert_int_equal(event->data.error.code, KN_REFUSED_LIMIT);
    kn_cause_info info;
    assert_true(kn_cause_get(f->world, event->cause, &info));
    assert_true(info.depth >= 8);
    char text[2048];
    assert_true(kn_cause_print(f->world, event->cause, text, sizeof text) > 0);
    assert_non_null(strstr(text, "Thorns"));
    // The world continues.
    n.calls = 1000;
    kn_effect_query query = kn_effect_query_default();
    query.type = n.type;
    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &query, 0, KN_REMOVED_BY_CALL, NULL), KN_OK);
    assert_near(current(f, f->speed), 600.0f);
}

static void the_error_of_a_cut_chain_comes_once(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    n.type = strike(f, "Strike", -0.1f);
    add_rule(f, "Reflect", KN_TRIGGER_ATTRIBUTE_CHANGED, (kn_tag){0}, 0, for_ever, &n);
    kn_world_def world = kn_world_def_default();
    world.chain_limit = 8;
    begin_with(f, world);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    apply(f, n.type);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_ERROR, (kn_effect_type_id){0}), 1);
    // Taken back and done again, it is another chain, though its cause has the same number.
    snapshot_restore(f->world, snapshot, size);
    apply(f, n.type);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_ERROR, (kn_effect_type_id){0}), 1);
    free(snapshot);
}

static void flood(void *user, kn_world *world, const kn_reaction *reaction)
{
    notes *n = user;
    n->calls++;
    for (int i = 0; i < 2; i++) {
        (void)kn_event_send(world, reaction->entity, reaction->tag, NULL);
    }
}

// ETG-005
static void a_flood_is_cut_at_the_reaction_limit_and_later_calls_work_again(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_tag event = tag_of(f, "Event.Flood"), silenced = tag_of(f, "State.Silenced");
    add_rule(f, "Flood", KN_TRIGGER_EVENT, event, 0, flood, &n);
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 5.0f);
    kn_effect_def def = infinite("Watcher");
    def.ongoing.target.ignored = (kn_tags){&silenced, 1};
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id watcher = effect_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.reaction_limit = 100;
    begin_with(f, world);
    apply(f, watcher);
    (void)kn_event_send(f->world, f->foe, event, NULL);
    assert_in_range(n.calls, 10, 101);
    step_seconds(f, 0);
    const kn_event *error = last_event(f, KN_EVENT_ERROR);
    assert_non_null(error);
    assert_int_equal(error->data.error.code, KN_REFUSED_LIMIT);
    add_tag(f, f->foe, silenced);
    assert_near(current(f, f->power), 10.0f);
    remove_tag(f, f->foe, silenced);
    assert_near(current(f, f->power), 15.0f);
}

static void flood_and_silence(void *user, kn_world *world, const kn_reaction *reaction)
{
    notes *n = user;
    if (n->calls++ == 0) {
        for (int i = 0; i < 200; i++) {
            (void)kn_event_send(world, reaction->entity, reaction->tag, NULL);
        }
        (void)kn_entity_add_tag(
            world, n->f->foe, tag_of(n->f, "State.Silenced"), KN_TAG_ORIGIN_LOOSE, 1);
    }
}

// ETG-005
static void a_recheck_beyond_the_reaction_limit_is_not_lost(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_tag event = tag_of(f, "Event.Flood"), silenced = tag_of(f, "State.Silenced");
    add_rule(f, "Flood", KN_TRIGGER_EVENT, event, 0, flood_and_silence, &n);
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 5.0f);
    kn_effect_def def = infinite("Watcher");
    def.ongoing.target.ignored = (kn_tags){&silenced, 1};
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id watcher = effect_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.reaction_limit = 100;
    begin_with(f, world);
    apply(f, watcher);
    (void)kn_event_send(f->world, f->foe, event, NULL);
    assert_true(kn_entity_has_tag(f->world, f->foe, silenced));
    assert_near(current(f, f->power), 10.0f);
    remove_tag(f, f->foe, silenced);
    assert_near(current(f, f->power), 15.0f);
}

static void remove_own(void *user, kn_world *world, const kn_spec_view *spec, void *block)
{
    (void)block;
    notes *n = user;
    n->calls++;
    n->result = kn_effect_remove(world, kn_spec_view_effect(spec), 0, KN_REMOVED_RULE);
}

static void on_removed(
    void *user, kn_world *world, const kn_spec_view *spec, void *block, kn_removal_reason reason)
{
    (void)world;
    (void)spec;
    (void)block;
    notes *n = user;
    note_letter(n, reason == KN_REMOVED_RULE ? 'r' : reason == KN_REMOVED_TARGET_DIED ? 'd' : 'x');
}

// BEY-029
static void an_effect_may_remove_itself_from_its_own_hooks(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "AtOnce";
    logic.applied = remove_own;
    logic.removed = on_removed;
    logic.state_size = 8;
    logic.user = &n;
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 5.0f);
    kn_effect_def def = infinite("Flash");
    def.logic = add_logic(f, &logic);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id flash = effect_register(f, &def);
    logic.name = "OnTick";
    logic.applied = NULL;
    logic.ticked = remove_own;
    def = infinite("Pulse");
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    def.skip_first_tick = true;
    def.logic = add_logic(f, &logic);
    kn_effect_type_id pulse = effect_register(f, &def);
    begin(f);
    (void)kn_effect_apply_simple(f->world, flash, f->hero, f->foe, 1.0f, NULL);
    assert_int_equal(n.result, KN_OK);
    assert_near(current(f, f->power), 10.0f);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    assert_string_equal(n.text, "r");
    apply(f, pulse);
    step_seconds(f, 3);
    assert_int_equal(n.calls, 2);
    assert_string_equal(n.text, "rr");
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

static void remove_all(void *user, kn_world *world, const kn_reaction *reaction)
{
    notes *n = user;
    kn_effect_query query = kn_effect_query_default();
    query.type = n->type;
    uint32_t removed;
    n->result = kn_effects_remove(world, reaction->entity, &query, 0, KN_REMOVED_RULE, &removed);
    n->calls += removed;
}

static void a_rule_may_remove_effects_while_others_are_applied_and_removed(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_tag cleansed = tag_of(f, "State.Cleansed");
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, -1.0f);
    kn_effect_def def = timed("Curse", 5);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    n.type = effect_register(f, &def);
    def = infinite("Cleanse");
    def.granted_tags = (kn_tags){&cleansed, 1};
    kn_effect_type_id cleanse = effect_register(f, &def);
    add_rule(f, "Purge", KN_TRIGGER_TAG_ADDED, cleansed, 0, remove_all, &n);
    add_rule(f, "PurgeOnRemoval", KN_TRIGGER_EFFECT_REMOVED, (kn_tag){0}, 0, remove_all, &n);
    begin(f);
    for (int i = 0; i < 5; i++) {
        apply(f, n.type);
    }
    apply(f, cleanse);
    assert_int_equal(n.calls, 5);
    assert_near(current(f, f->power), 10.0f);
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
    for (int i = 0; i < 5; i++) {
        apply(f, n.type);
    }
    step_seconds(f, 5); // five expiries at one moment, each rule removing the rest
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
    assert_near(current(f, f->power), 10.0f);
}

static void die(void *user, kn_world *world, const kn_reaction *reaction)
{
    notes *n = user;
    if (reaction->new_value > 0.0f) {
        return;
    }
    n->calls++;
    assert_true(kn_entity_destroy(world, reaction->entity));
    // Dying, not gone: it takes no new effects.
    n->result =
        kn_effect_apply_simple(world, n->type, reaction->entity, reaction->entity, 1.0f, NULL);
}

static void an_entity_destroyed_by_a_rule_accepts_nothing_more_and_is_gone_afterwards(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_effect_type_id kill = strike(f, "Kill", -500.0f);
    kn_effect_def def = infinite("Buff");
    n.type = effect_register(f, &def);
    add_rule(f, "Death", KN_TRIGGER_ATTRIBUTE_CHANGED, (kn_tag){0}, 0, die, &n);
    begin(f);
    kn_effect_id buff = apply(f, n.type);
    apply(f, kill);
    assert_int_equal(n.calls, 1);
    assert_true(n.result == KN_REFUSED_DYING || n.result == KN_REFUSED_STALE_ID);
    assert_false(kn_entity_is_alive(f->world, f->foe));
    assert_false(kn_effect_is_alive(f->world, buff));
    assert_int_equal(
        kn_effect_apply_simple(f->world, kill, f->hero, f->foe, 1.0f, NULL), KN_REFUSED_STALE_ID);
    step_seconds(f, 0);
    assert_non_null(last_event(f, KN_EVENT_ENTITY_DESTROYED));
    assert_int_equal(
        last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_TARGET_DIED);
}

static void destroy_target(void *user, kn_world *world, const kn_spec_view *spec, void *block)
{
    (void)block;
    notes *n = user;
    n->calls++;
    assert_true(kn_entity_destroy(world, kn_spec_view_target(spec)));
}

// BEY-029
static void an_entity_may_be_destroyed_from_the_hooks_of_its_effects(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Doom";
    logic.applied = destroy_target;
    logic.removed = on_removed;
    logic.state_size = 16;
    logic.user = &n;
    kn_tag doomed = tag_of(f, "State.Doomed");
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 5.0f);
    kn_child_def child = kn_child_def_default();
    child.type = strike(f, "Echo", -1.0f);
    kn_effect_def def = infinite("Doom");
    def.logic = add_logic(f, &logic);
    def.granted_tags = (kn_tags){&doomed, 1};
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.children = &child;
    def.child_count = 1;
    kn_effect_type_id doom = effect_register(f, &def);
    logic.name = "DoomTick";
    logic.applied = NULL;
    logic.ticked = destroy_target;
    def.name = "DoomTick";
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    def.skip_first_tick = true;
    def.logic = add_logic(f, &logic);
    kn_effect_type_id later = effect_register(f, &def);
    begin(f);
    (void)kn_effect_apply_simple(f->world, doom, f->hero, f->foe, 1.0f, NULL);
    assert_int_equal(n.calls, 1);
    assert_false(kn_entity_is_alive(f->world, f->foe));
    assert_string_equal(n.text, "d");
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(f->world, later, f->hero, f->ally, 1.0f, &effect), KN_OK);
    step_seconds(f, 5);
    assert_int_equal(n.calls, 2);
    assert_false(kn_entity_is_alive(f->world, f->ally));
    assert_string_equal(n.text, "dd");
    assert_int_equal(kn_entity_count(f->world), 1);
}

static float destroying_hook(void *user, const kn_attribute_change *change)
{
    notes *n = user;
    if (change->new_value < 0.0f && n->calls++ == 0) {
        (void)kn_entity_destroy(change->world, change->entity);
    }
    return change->new_value;
}

static void an_entity_may_be_destroyed_from_an_attribute_hook(void **state)
{
    fixture *f = *state;
    static notes n;
    n = (notes){.f = f};
    kn_attribute_def life = attribute_def("Life", 10.0f);
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Body";
    set.attributes = &life;
    set.attribute_count = 1;
    set.hooks.user = &n;
    set.hooks.pre_change = destroying_hook;
    kn_attribute_set_id body;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &body, NULL), KN_OK);
    kn_attribute_id attribute = kn_attribute_find(f->library, "Body.Life");
    kn_modifier_def modifiers[2] = {kn_modifier_constant(attribute, KN_OP_ADD, -20.0f),
        kn_modifier_constant(f->health, KN_OP_ADD, -1.0f)};
    kn_effect_def def = instant("Hit");
    def.modifiers = modifiers;
    def.modifier_count = 2;
    kn_effect_type_id hit = effect_register(f, &def);
    begin(f);
    add_set(f, f->foe, body);
    (void)kn_effect_apply_simple(f->world, hit, f->hero, f->foe, 1.0f, NULL);
    assert_int_equal(n.calls, 1);
    assert_false(kn_entity_is_alive(f->world, f->foe));
}

static void step_inside(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)reaction;
    notes *n = user;
    n->result = kn_world_step(world, KN_S(1));
}

static void a_rule_cannot_step_the_world(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_tag event = tag_of(f, "Event.Ping");
    add_rule(f, "Step", KN_TRIGGER_EVENT, event, 0, step_inside, &n);
    begin(f);
    kn_assert_set_handler(ignore_assert);
    assert_int_equal(kn_event_send(f->world, f->foe, event, NULL), KN_OK);
    kn_assert_set_handler(NULL);
    assert_int_equal(n.result, KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_world_now(f->world), 0);
}

static void events_carry_the_chain_of_their_causes(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def def = infinite("Burn");
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    def.skip_first_tick = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id burn = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, burn);
    step_seconds(f, 1);
    const kn_event *event = last_event(f, KN_EVENT_ATTRIBUTE_CHANGED);
    assert_non_null(event);
    kn_cause_info info;
    assert_true(kn_cause_get(f->world, event->cause, &info));
    assert_int_equal(info.kind, KN_CAUSE_TICK);
    assert_true(kn_effect_id_equal(info.effect, effect));
    assert_true(kn_effect_type_id_equal(info.type, burn));
    assert_true(kn_entity_id_equal(info.entity, f->foe));
    char text[256];
    kn_cause_print(f->world, event->cause, text, sizeof text);
    assert_non_null(strstr(text, "Burn"));
    assert_true(kn_event_print(f->world, event, text, sizeof text) > 0);
    assert_false(kn_cause_get(f->world, 0xfffffffu, &info));
}

static void a_child_is_caused_by_its_parent(void **state)
{
    fixture *f = *state;
    kn_child_def child = kn_child_def_default();
    child.type = strike(f, "Echo", -1.0f);
    child.when = KN_CHILD_EXPIRED;
    kn_effect_def def = timed("Bomb", 2);
    def.children = &child;
    def.child_count = 1;
    kn_effect_type_id bomb = effect_register(f, &def);
    begin(f);
    apply(f, bomb);
    step_seconds(f, 2);
    const kn_event *event = last_event(f, KN_EVENT_ATTRIBUTE_CHANGED);
    assert_non_null(event);
    bool expires = false;
    kn_cause cause = event->cause;
    kn_cause_info info;
    for (int i = 0; i < 8 && cause != 0 && kn_cause_get(f->world, cause, &info); i++) {
        expires |= info.kind == KN_CAUSE_EXPIRE && kn_effect_type_id_equal(info.type, bomb);
        cause = info.parent;
    }
    assert_true(expires);
}

static void remember_time(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)reaction;
    ((notes *)user)->seen = (float)kn_time_to_seconds(kn_world_now(world));
}

static void a_rule_sees_the_exact_time_of_what_it_reacts_to(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_effect_def def = timed("Short", 1.25f);
    kn_effect_type_id type = effect_register(f, &def);
    add_rule(f, "End", KN_TRIGGER_EFFECT_REMOVED, (kn_tag){0}, 0, remember_time, &n);
    begin(f);
    apply(f, type);
    step_seconds(f, 10);
    assert_near(n.seen, 1.25f);
    assert_int_equal(last_event(f, KN_EVENT_EFFECT_REMOVED)->time, KN_MS(1250));
}

static void at_most_three(void *user, kn_world *world, const kn_spec_view *spec, void *block,
    uint32_t old_count, uint32_t new_count)
{
    (void)block;
    (void)old_count;
    notes *n = user;
    n->calls++;
    if (new_count > 3) {
        n->result = kn_effect_set_stacks(world, kn_spec_view_effect(spec), 3);
    }
}

// BEY-005, STK-012
static void a_hook_may_change_the_stacks_it_is_told_about(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Cap";
    logic.stacks_changed = at_most_three;
    logic.user = &n;
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 1.0f);
    kn_effect_def def = infinite("Buff");
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.per_application = kn_constant(2);
    def.logic = add_logic(f, &logic);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, buff);
    apply(f, buff); // 3
    apply(f, buff); // 5, and back to 3
    assert_int_equal(n.result, KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    assert_near(current(f, f->power), 13.0f);
}

static void apply_again(
    void *user, kn_world *world, const kn_spec_view *spec, void *block, kn_removal_reason reason)
{
    (void)block;
    (void)reason;
    notes *n = user;
    if (n->calls++ < 3) {
        (void)kn_effect_apply_simple(world, kn_spec_view_type(spec), kn_spec_view_source(spec),
            kn_spec_view_target(spec), 1.0f, NULL);
    }
}

// BEY-006
static void an_effect_that_comes_back_when_it_is_replaced_settles(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Phoenix";
    logic.removed = apply_again;
    logic.state_size = 4;
    logic.user = &n;
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 1.0f);
    kn_effect_def def = infinite("Phoenix");
    def.exclusive_group = tag_of(f, "Group.Bird");
    def.logic = add_logic(f, &logic);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id phoenix = effect_register(f, &def);
    begin(f);
    apply(f, phoenix);
    (void)kn_effect_apply_simple(f->world, phoenix, f->hero, f->foe, 1.0f, NULL);
    uint32_t count = kn_effects_count(f->world, f->foe);
    assert_int_equal(count, 1); // only one member of a group is ever left
    assert_near(current(f, f->power), 11.0f);
}

static void remove_and_forget(void *user, kn_world *world, const kn_event *event)
{
    notes *n = user;
    n->calls++;
    n->result = kn_effect_remove(world, event->data.effect.effect, 0, KN_REMOVED_BY_CALL);
}

static void a_listener_may_call_the_api_after_the_step(void **state)
{
    fixture *f = *state;
    notes n = {.f = f};
    kn_effect_def def = infinite("Buff");
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_EFFECT_APPLIED;
    listener.function = remove_and_forget;
    listener.user = &n;
    kn_listener_id id;
    assert_int_equal(kn_listener_add(f->world, &listener, &id), KN_OK);
    kn_effect_id effect = apply(f, buff);
    assert_true(kn_effect_is_alive(f->world, effect));
    step_seconds(f, 0);
    assert_int_equal(n.calls, 1);
    assert_int_equal(n.result, KN_OK);
    assert_false(kn_effect_is_alive(f->world, effect));
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_REMOVED, buff), 1);
    assert_true(kn_listener_remove(f->world, id));
    assert_false(kn_listener_remove(f->world, id));
}

static void bad_ids_are_refused_by_events_and_rules(void **state)
{
    fixture *f = *state;
    kn_tag event = tag_of(f, "Event.Ping");
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id id;
    kn_error error;
    rule.name = "NoFunction";
    rule.trigger = KN_TRIGGER_EVENT;
    rule.tag = event;
    kn_assert_set_handler(ignore_assert);
    assert_int_not_equal(kn_rule_register(f->library, &rule, &id, &error), KN_OK);
    kn_assert_set_handler(NULL);
    begin(f);
    kn_entity_id null = {0}, gone;
    assert_int_equal(kn_entity_create(f->world, &gone), KN_OK);
    assert_true(kn_entity_destroy(f->world, gone));
    assert_int_equal(kn_event_send(f->world, null, event, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_event_send(f->world, gone, event, NULL), KN_REFUSED_STALE_ID);
    assert_false(kn_entity_destroy(f->world, gone));
    kn_tag bad[2] = {{99999}, {0}};
    for (uint32_t i = 0; i < 2; i++) {
        kn_result result = kn_event_send(f->world, f->foe, bad[i], NULL);
        assert_int_equal(result, KN_ERROR_INVALID_ARGUMENT);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(rules_run_by_priority_then_by_order_of_registration),
    TEST(rules_of_a_parent_tag_hear_its_children_once),
    TEST(a_reaction_runs_before_the_outermost_call_returns_and_never_inside_another),
    TEST(a_proc_loop_is_cut_at_the_chain_limit_with_an_error_event),
    TEST(the_error_of_a_cut_chain_comes_once),
    TEST(a_flood_is_cut_at_the_reaction_limit_and_later_calls_work_again),
    TEST(a_recheck_beyond_the_reaction_limit_is_not_lost),
    TEST(an_effect_may_remove_itself_from_its_own_hooks),
    TEST(a_rule_may_remove_effects_while_others_are_applied_and_removed),
    TEST(an_entity_destroyed_by_a_rule_accepts_nothing_more_and_is_gone_afterwards),
    TEST(an_entity_may_be_destroyed_from_the_hooks_of_its_effects),
    TEST(an_entity_may_be_destroyed_from_an_attribute_hook),
    TEST(a_rule_cannot_step_the_world),
    TEST(events_carry_the_chain_of_their_causes),
    TEST(a_child_is_caused_by_its_parent),
    TEST(a_rule_sees_the_exact_time_of_what_it_reacts_to),
    TEST(a_hook_may_change_the_stacks_it_is_told_about),
    TEST(an_effect_that_comes_back_when_it_is_replaced_settles),
    TEST(a_listener_may_call_the_api_after_the_step),
    TEST(bad_ids_are_refused_by_events_and_rules),
};

TEST_GROUP(reactions, tests, NULL, NULL);
