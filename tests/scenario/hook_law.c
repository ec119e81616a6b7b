// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The law of hooks (docs/step-order.md, "A hook"): what a hook inside an operation asks for happens
// at once if it adds or changes a value, and waits if it removes or rearranges.

#include "group.h"

#include "knack/knack.h"

#include <string.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_attribute_id speed, power;
    kn_attribute_set_id set, other_set;
    kn_entity_id me, a, b, owner;
    kn_effect_id effect, effect2;
    kn_effect_type_id types[4];
    kn_ability_type_id ability_type;
    kn_ability_set_id kit;
    kn_ability_id ability, ability2;
    kn_activation_id activation;
    kn_task_id task;
    kn_tag tag;
    kn_context_type_id payload_type;
    bool armed;
    uint32_t calls;
    uint32_t way;
    char log[256];
    void (*hook)(struct scene *s); // what the armed hook does
} scene;

static scene the;

static int setup(void **state)
{
    memset(&the, 0, sizeof the);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &the.library), KN_OK);
    *state = &the;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (the.world != NULL) {
        assert_true(kn_world_validate(the.world));
        kn_world_destroy(the.world);
    }
    kn_library_destroy(the.library);
    return 0;
}

static void fire(scene *s)
{
    if (s->armed) {
        s->armed = false;
        s->calls++;
        s->hook(s);
    }
}

static void log_add(const char *text)
{
    strncat(the.log, text, sizeof the.log - strlen(the.log) - 1);
}

// Hooks that do what the test says ------------------------------------------

static void post_change(void *user, const kn_attribute_change *change)
{
    (void)user;
    // Only of `a`, if the test names one.
    if (the.a.index1 == 0 || kn_entity_id_equal(change->entity, the.a)) {
        fire(&the);
    }
}

static void execution(void *user, kn_execution *x)
{
    (void)user;
    (void)x;
    fire(&the);
}

static kn_effect_type_id effect_type(const kn_effect_def *def)
{
    kn_effect_type_id type = {0};
    kn_error error = {0};
    if (kn_effect_register(the.library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static kn_effect_def effect_def(const char *name, kn_duration_kind kind)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    return def;
}

// Speed 10 and Power 5, with hooks.
static void sets(const kn_attribute_hooks *hooks)
{
    kn_attribute_def defs[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    defs[0].name = "Speed";
    defs[0].default_value = 10.0f;
    defs[1].name = "Power";
    defs[1].default_value = 5.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "S";
    set.attributes = defs;
    set.attribute_count = 2;
    if (hooks != NULL) {
        set.hooks = *hooks;
    }
    assert_int_equal(kn_attribute_set_register(the.library, &set, &the.set, NULL), KN_OK);
    the.speed = kn_attribute_find(the.library, "S.Speed");
    the.power = kn_attribute_find(the.library, "S.Power");
    kn_attribute_def mana = kn_attribute_def_default();
    mana.name = "Mana";
    set = kn_attribute_set_def_default();
    set.name = "R";
    set.attributes = &mana;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(the.library, &set, &the.other_set, NULL), KN_OK);
}

static void sets_post_change(void)
{
    kn_attribute_hooks hooks = {.post_change = post_change};
    sets(&hooks);
}

static kn_entity_id entity(bool has_set)
{
    kn_entity_id id = {0};
    assert_int_equal(kn_entity_create(the.world, &id), KN_OK);
    if (has_set) {
        assert_int_equal(kn_attribute_set_add(the.world, id, the.set, 0), KN_OK);
    }
    return id;
}

static void begin(void)
{
    kn_error error = {0};
    if (kn_library_finish(the.library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_world_def def = kn_world_def_default();
    def.library = the.library;
    assert_int_equal(kn_world_create(&def, &the.world), KN_OK);
    kn_world_set_moving(the.world, true);
}

static kn_effect_id apply(kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(the.world, type, target, target, 1.0f, &effect), KN_OK);
    return effect;
}

static void step(kn_time dt)
{
    assert_int_equal(kn_world_step(the.world, dt), KN_OK);
    assert_true(kn_world_validate(the.world));
}

static float speed_of(kn_entity_id who)
{
    return kn_attribute_value(the.world, who, the.speed);
}

static void remove_effect(scene *s)
{
    assert_int_equal(kn_effect_remove(s->world, s->effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_true(kn_effect_is_alive(s->world, s->effect));
}

// Changes of the list or record that the operation works on -------------------

// An aura follows an attribute in magnitude and duration; a hook removes it while it is refreshed.
static void test_removed_while_captures_follow(void **state)
{
    (void)state;
    sets_post_change();
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = the.speed;
    modifier.magnitude = kn_magnitude_attribute(the.power, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    kn_effect_def def = effect_def("Aura", KN_DURATION_TIMED);
    def.duration = kn_magnitude_attribute(the.power, KN_CAPTURE_FROM_TARGET, false, 10.0f);
    def.live_duration = KN_LIVE_NEXT;
    def.acts_on_owned = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id aura = effect_type(&def);
    begin();
    kn_entity_id owner = entity(true), owned = entity(true);
    assert_int_equal(kn_entity_set_owner(the.world, owned, owner), KN_OK);
    the.effect = apply(aura, owner);
    assert_float_equal(speed_of(owned), 15.0f, 0.0f);
    the.a = owned;
    the.hook = remove_effect;
    the.armed = true;
    assert_int_equal(kn_attribute_set_base(the.world, owner, the.power, 0, 7.0f), KN_OK);
    assert_int_equal(the.calls, 1);
    assert_false(kn_effect_is_alive(the.world, the.effect));
    assert_float_equal(speed_of(owned), 10.0f, 0.0f);
    step(KN_S(1));
}

// Live durations that end several effects while their list is walked.
static void test_live_durations_end_together(void **state)
{
    (void)state;
    sets(NULL);
    for (uint32_t i = 0; i < 4; i++) {
        char name[4] = {'E', (char)('1' + i), 0};
        kn_effect_def def = effect_def(name, KN_DURATION_TIMED);
        def.duration =
            kn_magnitude_attribute(the.power, KN_CAPTURE_FROM_TARGET, false, i == 3 ? 6.0f : 2.0f);
        def.live_duration = KN_LIVE_NEXT;
        the.types[i] = effect_type(&def);
    }
    begin();
    kn_entity_id x = entity(true);
    kn_effect_id ids[4];
    for (uint32_t i = 0; i < 4; i++) {
        ids[i] = apply(the.types[i], x);
    }
    step(KN_S(5));
    assert_int_equal(kn_attribute_set_base(the.world, x, the.power, 0, 1.5f), KN_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_false(kn_effect_is_alive(the.world, ids[i])); // 3 s, and 5 have passed
    }
    assert_int_equal(kn_effect_remaining(the.world, ids[3]), KN_S(4));
}

static kn_result nothing(const kn_ability_call *call)
{
    (void)call;
    return KN_OK;
}

static kn_time destroy_and_apply(void *user, kn_world *world, kn_entity_id who, void *data)
{
    (void)user;
    (void)who;
    (void)data;
    kn_entity_id x;
    assert_int_equal(kn_entity_create(world, &x), KN_OK);
    assert_true(kn_entity_destroy(world, x));
    assert_int_equal(
        kn_effect_apply_simple(world, the.types[0], x, x, 1.0f, NULL), KN_REFUSED_DYING);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = the.ability_type;
    assert_int_equal(kn_ability_grant(world, x, &grant, &the.ability), KN_REFUSED_DYING);
    the.calls++;
    return 0;
}

// A dying entity refuses, also if it never had a component.
static void test_dying_without_component(void **state)
{
    (void)state;
    kn_effect_def def = effect_def("E", KN_DURATION_INFINITE);
    the.types[0] = effect_type(&def);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "A";
    ability.activate = nothing;
    assert_int_equal(kn_ability_register(the.library, &ability, &the.ability_type, NULL), KN_OK);
    kn_timer_type_id timer_type;
    assert_int_equal(
        kn_timer_type_register(the.library, "T", destroy_and_apply, NULL, &timer_type, NULL),
        KN_OK);
    begin();
    kn_timer_id timer;
    assert_int_equal(
        kn_timer_start(the.world, timer_type, (kn_entity_id){0}, 0, NULL, &timer), KN_OK);
    step(KN_MS(10));
    assert_int_equal(the.calls, 1);
    assert_int_equal(kn_entity_count(the.world), 0);
    assert_int_equal(kn_world_get_stats(the.world).effects, 0);
}

static void self_removing(void *user, kn_execution *x)
{
    (void)user;
    kn_world *world = kn_execution_world(x);
    float before = kn_execution_capture(x, 0);
    if (the.armed) {
        the.armed = false;
        the.calls++;
        kn_entity_id me = kn_execution_target(x);
        assert_int_equal(kn_effect_remove(world, kn_spec_view_effect(kn_execution_spec(x)), 0,
                             KN_REMOVED_BY_CALL),
            KN_OK);
        assert_float_equal(kn_execution_capture(x, 0), before, 0.0f);
        the.effect2 = apply(the.types[1], me);
        assert_float_equal(kn_execution_capture(x, 0), before, 0.0f);
    }
    kn_execution_output(x, the.speed, 0, KN_OP_ADD, -3.0f);
}

// Captures, outputs and tally of an execution that removes its effect are its own.
static void test_execution_removes_itself(void **state)
{
    (void)state;
    sets(NULL);
    kn_capture capture = {.attribute = the.power, .from = KN_CAPTURE_FROM_TARGET};
    kn_execution_def x = kn_execution_def_default();
    x.name = "X";
    x.captures = &capture;
    x.capture_count = 1;
    x.function = self_removing;
    kn_execution_id id;
    assert_int_equal(kn_execution_register(the.library, &x, &id, NULL), KN_OK);
    kn_execution_use use = {.execution = id};
    kn_effect_def def = effect_def("Burn", KN_DURATION_INFINITE);
    def.is_periodic = true;
    def.skip_first_tick = true;
    def.period = kn_magnitude_constant(1.0f);
    def.executions = &use;
    def.execution_count = 1;
    def.keeps_tally = true;
    kn_effect_type_id burn = effect_type(&def);
    def = effect_def("Other", KN_DURATION_INFINITE);
    def.keeps_tally = true;
    the.types[1] = effect_type(&def);
    begin();
    kn_entity_id me = entity(true);
    the.effect = apply(burn, me);
    the.armed = true;
    step(KN_S(1));
    assert_int_equal(the.calls, 1);
    assert_false(kn_effect_is_alive(the.world, the.effect));
    kn_effect_info info;
    assert_true(kn_effect_get(the.world, the.effect2, &info));
    assert_float_equal(info.tally_loss, 0.0f, 0.0f);
    assert_float_equal(speed_of(me), 7.0f, 0.0f);
}

typedef struct logic_state {
    uint32_t ticks, lost;
} logic_state;

static void logic_ticked(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    logic_state *s = state;
    s->ticks++;
    kn_effect_id id = kn_spec_view_effect(spec);
    assert_int_equal(kn_effect_remove(world, id, 1, KN_REMOVED_BY_CALL), KN_OK);
    // And at once: one more stack, whose hook writes to the same state.
    uint32_t lost = s->lost;
    assert_int_equal(
        kn_effect_apply_simple(world, the.types[0], the.me, the.me, 1.0f, NULL), KN_OK);
    assert_int_equal(s->lost, lost + 100);
    assert_ptr_equal(kn_effect_state(world, id), state);
}

static void logic_stacks(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    uint32_t old_count, uint32_t new_count)
{
    (void)user;
    (void)world;
    (void)spec;
    logic_state *s = state;
    s->lost += new_count < old_count ? old_count - new_count : 100;
}

// Hooks of one effect inside each other share one state.
static void test_logic_hooks_share_state(void **state)
{
    (void)state;
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "L";
    logic.state_size = sizeof(logic_state);
    logic.ticked = logic_ticked;
    logic.stacks_changed = logic_stacks;
    kn_effect_def def = effect_def("E", KN_DURATION_INFINITE);
    assert_int_equal(kn_effect_logic_register(the.library, &logic, &def.logic, NULL), KN_OK);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.skip_first_tick = true;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.initial = kn_constant(5.0f);
    def.stacking.period_reset = KN_PERIOD_KEEP;
    the.types[0] = effect_type(&def);
    begin();
    the.me = entity(false);
    the.effect = apply(the.types[0], the.me);
    step(KN_S(2));
    const logic_state *s = kn_effect_state(the.world, the.effect);
    assert_int_equal(kn_effect_stacks(the.world, the.effect), 5);
    assert_int_equal(s->ticks, 2);
    assert_int_equal(s->lost, 202);
}

static void replace_effect(scene *s)
{
    remove_effect(s);
    s->effect2 = apply(s->types[1], s->me);
}

// A merge whose hook removes the effect and applies another one.
static void test_removed_while_merging(void **state)
{
    (void)state;
    sets_post_change();
    kn_curve_point points[2] = {{1, 1}, {10, 10}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "C";
    curve.points = points;
    curve.point_count = 2;
    kn_curve_id curve_id;
    assert_int_equal(kn_curve_register(the.library, &curve, &curve_id, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = the.speed;
    modifier.magnitude = kn_magnitude_by_level(-1.0f, curve_id);
    kn_effect_def def = effect_def("Slow", KN_DURATION_TIMED);
    def.duration = kn_magnitude_constant(100.0f);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    the.types[0] = effect_type(&def);
    def = effect_def("Stun", KN_DURATION_TIMED);
    def.duration = kn_magnitude_constant(2.0f);
    the.types[1] = effect_type(&def);
    begin();
    the.me = entity(true);
    the.effect = apply(the.types[0], the.me);
    the.hook = replace_effect;
    the.armed = true;
    assert_int_equal(
        kn_effect_apply_simple(the.world, the.types[0], the.me, the.me, 5.0f, NULL), KN_OK);
    assert_int_equal(the.calls, 1);
    assert_false(kn_effect_is_alive(the.world, the.effect));
    assert_int_equal(kn_effect_remaining(the.world, the.effect2), KN_S(2));
    step(KN_S(3));
    assert_false(kn_effect_is_alive(the.world, the.effect2));
    assert_float_equal(speed_of(the.me), 10.0f, 0.0f);
}

static void logic_removed(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, kn_removal_reason reason)
{
    (void)user;
    (void)state;
    (void)reason;
    the.calls++;
    kn_result result = kn_effect_remove(world, kn_spec_view_effect(spec), 1, KN_REMOVED_BY_CALL);
    assert_true(result == KN_OK || result == KN_REFUSED_STALE_ID);
}

// `removed` of an effect whose stacks have their own timers removes a stack.
static void test_own_timers_removed(void **state)
{
    (void)state;
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "L";
    logic.removed = logic_removed;
    kn_effect_def def = effect_def("Poison", KN_DURATION_TIMED);
    assert_int_equal(kn_effect_logic_register(the.library, &logic, &def.logic, NULL), KN_OK);
    def.duration = kn_magnitude_constant(1.0f);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.own_timers = true;
    the.types[0] = effect_type(&def);
    begin();
    kn_entity_id x = entity(false);
    the.effect = apply(the.types[0], x);
    (void)apply(the.types[0], x);
    step(KN_S(2));
    assert_int_equal(the.calls, 1);
    assert_false(kn_effect_is_alive(the.world, the.effect));
}

static kn_effect_type_id aura_type(uint32_t modifier_count)
{
    kn_modifier_def modifiers[2] = {kn_modifier_constant(the.speed, KN_OP_ADD, 5.0f),
        kn_modifier_constant(the.power, KN_OP_ADD, 5.0f)};
    kn_effect_def def = effect_def("Aura", KN_DURATION_INFINITE);
    def.acts_on_owned = true;
    def.modifiers = modifiers;
    def.modifier_count = modifier_count;
    return effect_type(&def);
}

static void disown_b(scene *s)
{
    assert_int_equal(kn_entity_set_owner(s->world, s->b, (kn_entity_id){0}), KN_OK);
    assert_true(kn_entity_id_equal(kn_entity_owner(s->world, s->b), s->owner));
}

// An owned entity changes hands while an owner-wide effect ends.
static void test_owner_changes_while_aura_ends(void **state)
{
    (void)state;
    sets_post_change();
    kn_effect_type_id aura = aura_type(1);
    begin();
    the.owner = entity(false);
    the.b = entity(true);
    kn_entity_id first = entity(true);
    assert_int_equal(kn_entity_set_owner(the.world, first, the.owner), KN_OK);
    assert_int_equal(kn_entity_set_owner(the.world, the.b, the.owner), KN_OK);
    the.effect = apply(aura, the.owner);
    assert_float_equal(speed_of(the.b), 15.0f, 0.0f);
    the.a = first;
    the.hook = disown_b;
    the.armed = true;
    assert_int_equal(kn_effect_remove(the.world, the.effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(the.calls, 1);
    assert_float_equal(speed_of(first), 10.0f, 0.0f);
    assert_float_equal(speed_of(the.b), 10.0f, 0.0f);
    assert_true(kn_entity_id_is_null(kn_entity_owner(the.world, the.b)));
}

// Sets of owned entities that come late, go and come back; bodies that own.
static void test_owned_sets(void **state)
{
    (void)state;
    sets(NULL);
    kn_effect_type_id aura = aura_type(1);
    begin();
    kn_entity_id o = entity(false), a = entity(false), b = entity(true);
    (void)apply(aura, o);
    assert_int_equal(kn_entity_set_owner(the.world, a, o), KN_OK);
    assert_int_equal(kn_attribute_set_add(the.world, a, the.set, 0), KN_OK);
    assert_float_equal(speed_of(a), 15.0f, 0.0f);
    assert_int_equal(kn_attribute_set_remove(the.world, a, the.set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(the.world, a, the.set, 0), KN_OK);
    assert_float_equal(speed_of(a), 15.0f, 0.0f);
    assert_int_equal(kn_entity_set_owner(the.world, a, (kn_entity_id){0}), KN_OK);
    assert_float_equal(speed_of(a), 10.0f, 0.0f);
    assert_int_equal(kn_entity_set_owner(the.world, b, o), KN_OK);
    assert_float_equal(speed_of(b), 15.0f, 0.0f);
    kn_entity_id body = entity(false);
    assert_int_equal(kn_entity_set_avatar(the.world, o, body), KN_OK);
    assert_int_equal(kn_entity_set_owner(the.world, a, body), KN_OK);
    assert_float_equal(speed_of(a), 15.0f, 0.0f);
}

// A set arrives for three waiting effects, and a hook removes the first of them.
static void test_removed_while_set_arrives(void **state)
{
    (void)state;
    sets_post_change();
    static const float amounts[3] = {1.0f, 20.0f, 300.0f};
    for (uint32_t i = 0; i < 3; i++) {
        char name[4] = {'E', (char)('1' + i), 0};
        kn_modifier_def modifier = kn_modifier_constant(the.speed, KN_OP_ADD, amounts[i]);
        kn_effect_def def = effect_def(name, KN_DURATION_INFINITE);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        the.types[i] = effect_type(&def);
    }
    begin();
    the.me = entity(false);
    the.effect = apply(the.types[0], the.me);
    (void)apply(the.types[1], the.me);
    (void)apply(the.types[2], the.me);
    the.hook = remove_effect;
    the.armed = true;
    assert_int_equal(kn_attribute_set_add(the.world, the.me, the.set, 0), KN_OK);
    assert_int_equal(the.calls, 1);
    assert_float_equal(speed_of(the.me), 330.0f, 0.0f);
}

// The record of an effect that was removed so hears of its conditions as any other.
static void test_next_effect_hears_of_conditions(void **state)
{
    (void)state;
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Off";
    assert_int_equal(kn_tag_register(the.library, &tag, &the.tag, NULL), KN_OK);
    sets_post_change();
    kn_modifier_def modifier = kn_modifier_constant(the.speed, KN_OP_ADD, 5.0f);
    kn_effect_def def = effect_def("Haste", KN_DURATION_INFINITE);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.ongoing.target.ignored = (kn_tags){&the.tag, 1};
    the.types[0] = effect_type(&def);
    begin();
    the.me = entity(false);
    the.effect = apply(the.types[0], the.me);
    the.hook = remove_effect;
    the.armed = true;
    assert_int_equal(kn_attribute_set_add(the.world, the.me, the.set, 0), KN_OK);
    assert_int_equal(the.calls, 1);
    kn_effect_id next = apply(the.types[0], the.me);
    assert_int_equal(kn_entity_add_tag(the.world, the.me, the.tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    kn_effect_info info;
    assert_true(kn_effect_get(the.world, next, &info));
    assert_true(info.is_inhibited);
    assert_float_equal(speed_of(the.me), 10.0f, 0.0f);
}

// An effect elsewhere that reads the set hears of it too.
static void test_set_arrives_for_reader(void **state)
{
    (void)state;
    sets(NULL);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = the.speed;
    modifier.magnitude = kn_magnitude_attribute(the.power, KN_CAPTURE_FROM_SOURCE, false, 2.0f);
    modifier.magnitude.capture.has_default = true;
    kn_effect_def def = effect_def("Blessing", KN_DURATION_INFINITE);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type = effect_type(&def);
    begin();
    the.me = entity(true);
    the.a = entity(false);
    assert_int_equal(
        kn_effect_apply_simple(the.world, type, the.a, the.me, 1.0f, &the.effect), KN_OK);
    assert_float_equal(speed_of(the.me), 10.0f, 0.0f);
    assert_int_equal(kn_attribute_set_add(the.world, the.a, the.set, 0), KN_OK);
    assert_float_equal(kn_effect_magnitude(the.world, the.effect, 0), 10.0f, 0.0f);
    assert_float_equal(speed_of(the.me), 20.0f, 0.0f);
}

static void own_b(scene *s)
{
    assert_int_equal(kn_entity_set_owner(s->world, s->b, s->owner), KN_OK);
    assert_true(kn_entity_id_is_null(kn_entity_owner(s->world, s->b)));
}

// kn_entity_set_owner() inside kn_entity_set_owner().
static void test_owner_set_inside_each_other(void **state)
{
    (void)state;
    sets_post_change();
    kn_effect_type_id aura = aura_type(2);
    begin();
    the.owner = entity(false);
    the.b = entity(true);
    kn_entity_id first = entity(true);
    (void)apply(aura, the.owner);
    the.a = first;
    the.hook = own_b;
    the.armed = true;
    assert_int_equal(kn_entity_set_owner(the.world, first, the.owner), KN_OK);
    assert_int_equal(the.calls, 1);
    assert_float_equal(speed_of(first), 15.0f, 0.0f);
    assert_float_equal(kn_attribute_value(the.world, first, the.power), 10.0f, 0.0f);
    assert_float_equal(speed_of(the.b), 15.0f, 0.0f);
    assert_float_equal(kn_attribute_value(the.world, the.b, the.power), 10.0f, 0.0f);
}

static void view_is(const kn_spec_view *spec)
{
    const uint32_t *payload = kn_spec_view_payload(spec, the.payload_type);
    assert_non_null(payload);
    assert_int_equal(*payload, 42);
    assert_float_equal(kn_spec_view_caller_value(spec, the.tag, -1.0f, false), 7.0f, 0.0f);
    assert_true(kn_entity_id_equal(kn_spec_view_causer(spec), the.b));
    assert_true(kn_effect_id_equal(kn_spec_view_effect(spec), the.effect));
}

static kn_effect_id apply_with(uint32_t payload, float value, kn_entity_id causer)
{
    kn_caller_value caller = {the.tag, value};
    kn_effect_context context = {
        .payload_type = the.payload_type, .payload = &payload, .causer = causer};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = the.types[0];
    def.target = the.me;
    def.caller_values = &caller;
    def.caller_value_count = 1;
    def.context = &context;
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply(the.world, &def, &effect), KN_OK);
    return effect;
}

static void view_ticked(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)state;
    if (the.armed) {
        the.armed = false;
        the.calls++;
        view_is(spec);
        assert_int_equal(
            kn_effect_remove(world, kn_spec_view_effect(spec), 0, KN_REMOVED_RULE), KN_OK);
        view_is(spec);
        the.effect2 = apply_with(999, 55.0f, the.me);
        view_is(spec);
    }
}

// A spec view is good for the whole hook, whatever the hook does.
static void test_view_after_removal(void **state)
{
    (void)state;
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "V";
    assert_int_equal(kn_tag_register(the.library, &tag, &the.tag, NULL), KN_OK);
    assert_int_equal(kn_context_type_register(the.library, "P", 4, &the.payload_type, NULL), KN_OK);
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "L";
    logic.ticked = view_ticked;
    kn_effect_def def = effect_def("Burn", KN_DURATION_INFINITE);
    assert_int_equal(kn_effect_logic_register(the.library, &logic, &def.logic, NULL), KN_OK);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.skip_first_tick = true;
    the.types[0] = effect_type(&def);
    begin();
    the.me = entity(false);
    the.b = entity(false);
    the.effect = apply_with(42, 7.0f, the.b);
    the.armed = true;
    step(KN_S(1));
    assert_int_equal(the.calls, 1);
    assert_false(kn_effect_is_alive(the.world, the.effect));
    assert_true(kn_effect_is_alive(the.world, the.effect2));
}

static bool pre_execute(void *user, kn_execute_data *data)
{
    (void)user;
    (void)data;
    fire(&the);
    return true;
}

// The tally of an effect that pre_execute removes goes nowhere else.
static void test_tally_of_removed(void **state)
{
    (void)state;
    kn_attribute_hooks hooks = {.pre_execute = pre_execute};
    sets(&hooks);
    kn_modifier_def modifier = kn_modifier_constant(the.speed, KN_OP_ADD, -1.0f);
    kn_effect_def def = effect_def("Burn", KN_DURATION_INFINITE);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.skip_first_tick = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.keeps_tally = true;
    the.types[0] = effect_type(&def);
    begin();
    the.me = entity(true);
    the.effect = apply(the.types[0], the.me);
    the.hook = remove_effect;
    the.armed = true;
    step(KN_S(1));
    assert_int_equal(the.calls, 1);
    assert_false(kn_effect_is_alive(the.world, the.effect));
    kn_effect_info info;
    assert_true(kn_effect_get(the.world, apply(the.types[0], the.me), &info));
    assert_float_equal(info.tally_loss, 0.0f, 0.0f);
    assert_float_equal(info.tally_gain, 0.0f, 0.0f);
}

static void set_speed(scene *s)
{
    assert_int_equal(kn_attribute_set_base(s->world, s->me, s->speed, 0, 11.0f), KN_OK);
}

// An effect reads two attributes; a hook of one changes the other before the first is handed on.
static void test_reader_of_two(void **state)
{
    (void)state;
    sets_post_change();
    kn_attribute_def pair[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    pair[0].name = "X";
    pair[1].name = "Y";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "P";
    set.attributes = pair;
    set.attribute_count = 2;
    kn_attribute_set_id set_id;
    assert_int_equal(kn_attribute_set_register(the.library, &set, &set_id, NULL), KN_OK);
    kn_attribute_id x = kn_attribute_find(the.library, "P.X");
    kn_attribute_id y = kn_attribute_find(the.library, "P.Y");
    kn_modifier_def modifiers[2] = {kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[0].attribute = x;
    modifiers[0].magnitude = kn_magnitude_attribute(the.power, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    modifiers[1].attribute = y;
    modifiers[1].magnitude = kn_magnitude_attribute(the.speed, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    kn_effect_def def = effect_def("Both", KN_DURATION_INFINITE);
    def.modifiers = modifiers;
    def.modifier_count = 2;
    kn_effect_type_id type = effect_type(&def);
    begin();
    the.me = entity(true);
    assert_int_equal(kn_attribute_set_add(the.world, the.me, set_id, 0), KN_OK);
    (void)apply(type, the.me);
    the.hook = set_speed;
    the.armed = true;
    assert_int_equal(kn_attribute_set_base(the.world, the.me, the.power, 0, 6.0f), KN_OK);
    assert_int_equal(the.calls, 1);
    assert_float_equal(kn_attribute_value(the.world, the.me, x), 6.0f, 0.0f);
    assert_float_equal(kn_attribute_value(the.world, the.me, y), 11.0f, 0.0f);
}

static float pre_change(void *user, const kn_attribute_change *change)
{
    (void)user;
    fire(&the);
    return change->new_value;
}

static void hasten(scene *s)
{
    (void)apply(s->types[0], s->me);
}

// What a pre_change hook adds to the value it is asked about is not lost.
static void test_pre_change_changes_its_value(void **state)
{
    (void)state;
    kn_attribute_hooks hooks = {.pre_change = pre_change};
    sets(&hooks);
    kn_modifier_def modifier = kn_modifier_constant(the.speed, KN_OP_ADD, 5.0f);
    kn_effect_def def = effect_def("Haste", KN_DURATION_INFINITE);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    the.types[0] = effect_type(&def);
    begin();
    the.me = entity(true);
    the.hook = hasten;
    the.armed = true;
    assert_int_equal(kn_attribute_set_base(the.world, the.me, the.speed, 0, 20.0f), KN_OK);
    assert_int_equal(the.calls, 1);
    assert_float_equal(speed_of(the.me), 25.0f, 0.0f);
    the.armed = true;
    assert_int_equal(kn_attribute_init(the.world, the.me, the.speed, 0, 30.0f), KN_OK);
    assert_int_equal(the.calls, 2);
    assert_float_equal(speed_of(the.me), 40.0f, 0.0f);
}

// Abilities -------------------------------------------------------------------

static bool can_activate(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    if (!the.armed) {
        return true;
    }
    the.armed = false;
    the.calls++;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = the.ability_type;
    switch (the.way) {
    case 0:
        assert_int_equal(kn_ability_remove(call->world, call->ability, KN_GRANT_CANCEL), KN_OK);
        assert_true(kn_ability_is_alive(call->world, call->ability));
        break;
    case 1:
        for (uint32_t i = 0; i < 500; i++) {
            kn_ability_id granted;
            assert_int_equal(kn_ability_grant(call->world, call->owner, &grant, &granted), KN_OK);
        }
        break;
    case 2:
        assert_true(kn_entity_destroy(call->world, call->owner));
        break;
    default:
        assert_int_equal(kn_world_step(call->world, KN_S(1)), KN_ERROR_WORLD_LOCKED);
        break;
    }
    return true;
}

// Outside its contract, but the world holds.
static void test_can_activate_changes(void **state)
{
    (void)state;
    kn_ability_def def = kn_ability_def_default();
    def.name = "A";
    def.activate = nothing;
    def.can_activate = can_activate;
    assert_int_equal(kn_ability_register(the.library, &def, &the.ability_type, NULL), KN_OK);
    begin();
    for (the.way = 0; the.way < 4; the.way++) {
        kn_entity_id x = entity(false);
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = the.ability_type;
        assert_int_equal(kn_ability_grant(the.world, x, &grant, &the.ability), KN_OK);
        the.armed = true;
        kn_result result = kn_ability_activate(the.world, the.ability, NULL, NULL);
        assert_true(result == KN_OK || kn_result_is_refused(result));
        assert_int_equal(the.calls, the.way + 1);
        assert_int_equal(kn_ability_is_alive(the.world, the.ability), the.way % 2 == 1);
        assert_int_equal(kn_entity_is_alive(the.world, x), the.way != 2);
        assert_true(kn_world_validate(the.world));
    }
}

static kn_result wait_for_event(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_EVENT);
    def.tag = the.tag;
    def.repeats = true;
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void event_is(const kn_event_record *event)
{
    assert_non_null(event);
    assert_int_equal(kn_target_count((kn_target_view){event->data, event->data_size}), 100);
}

static void forward(kn_world *world, const kn_event_record *event)
{
    event_is(event);
    assert_int_equal(kn_ability_activate(world, the.ability2, event, NULL), KN_OK);
    event_is(event);
    the.calls++;
}

static void forward_done(const kn_ability_call *call, const kn_task_result *result)
{
    forward(call->world, result->data.event);
}

static kn_result forward_event(const kn_ability_call *call, const kn_event_record *event)
{
    forward(call->world, event);
    return KN_OK;
}

// An event that a hook was handed can be handed on.
static void test_event_is_forwarded(void **state)
{
    (void)state;
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Ev";
    assert_int_equal(kn_tag_register(the.library, &tag, &the.tag, NULL), KN_OK);
    kn_ability_type_id types[3];
    kn_ability_def def = kn_ability_def_default();
    def.name = "A";
    def.activate = wait_for_event;
    def.task_done = forward_done;
    assert_int_equal(kn_ability_register(the.library, &def, &types[0], NULL), KN_OK);
    def = kn_ability_def_default();
    def.name = "B";
    def.activate = nothing;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    assert_int_equal(kn_ability_register(the.library, &def, &types[1], NULL), KN_OK);
    def.name = "C";
    def.activate_by_event = forward_event;
    assert_int_equal(kn_ability_register(the.library, &def, &types[2], NULL), KN_OK);
    begin();
    kn_entity_id x = entity(false);
    kn_ability_id abilities[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = types[i];
        assert_int_equal(kn_ability_grant(the.world, x, &grant, &abilities[i]), KN_OK);
    }
    the.ability2 = abilities[1];
    assert_int_equal(kn_ability_activate(the.world, abilities[0], NULL, NULL), KN_OK);
    kn_target_data data = {0};
    kn_target_entity target = {x};
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(
            kn_target_add(the.library, &data, kn_target_type_entity(), &target), KN_OK);
    }
    kn_event_record record = kn_event_record_default();
    record.data = data.bytes;
    record.data_size = data.size;
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(kn_event_send(the.world, x, the.tag, &record), KN_OK);
        assert_int_equal(kn_ability_activate(the.world, abilities[2], &record, NULL), KN_OK);
    }
    assert_int_equal(the.calls, 40);
}

// The law ---------------------------------------------------------------------

static kn_result stay(const kn_ability_call *call)
{
    if (the.way == 1) {
        return KN_OK;
    }
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.delay = KN_S(1000);
    return kn_task_run(call->world, call->activation, &def, &the.task);
}

static void rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    (void)reaction;
    log_add(user);
}

// A world with an instant effect whose execution does what the test says, and with something of
// everything.
static void law_begin(void)
{
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Sent";
    assert_int_equal(kn_tag_register(the.library, &tag, &the.tag, NULL), KN_OK);
    sets(NULL);
    kn_execution_def x = kn_execution_def_default();
    x.name = "X";
    x.function = execution;
    kn_execution_id id;
    assert_int_equal(kn_execution_register(the.library, &x, &id, NULL), KN_OK);
    kn_execution_use use = {.execution = id};
    kn_effect_def def = effect_def("Go", KN_DURATION_INSTANT);
    def.executions = &use;
    def.execution_count = 1;
    the.types[0] = effect_type(&def);
    def = effect_def("Pile", KN_DURATION_INFINITE);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.initial = kn_constant(3.0f);
    the.types[1] = effect_type(&def);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "A";
    ability.activate = stay;
    assert_int_equal(kn_ability_register(the.library, &ability, &the.ability_type, NULL), KN_OK);
    kn_ability_set_entry entry = {
        .type = the.ability_type, .level = 1.0f, .input = KN_INPUT_FROM_DEF};
    kn_ability_set_def kit = kn_ability_set_def_default();
    kit.name = "Kit";
    kit.entries = &entry;
    kit.entry_count = 1;
    assert_int_equal(kn_ability_set_register(the.library, &kit, &the.kit, NULL), KN_OK);
    static const struct {
        const char *name;
        kn_trigger trigger;
    } rules[] = {{"removed ", KN_TRIGGER_EFFECT_REMOVED}, {"stacks ", KN_TRIGGER_EFFECT_STACKS},
        {"sent ", KN_TRIGGER_EVENT}};
    for (uint32_t i = 0; i < 3; i++) {
        static char names[3][16] = {"R0", "R1", "R2"};
        kn_rule_def r = kn_rule_def_default();
        r.name = names[i];
        r.trigger = rules[i].trigger;
        r.tag = i == 2 ? the.tag : (kn_tag){0};
        r.function = rule;
        memcpy(&r.user, &rules[i].name, sizeof r.user);
        kn_rule_id rule_id;
        assert_int_equal(kn_rule_register(the.library, &r, &rule_id, NULL), KN_OK);
    }
    begin();
    the.me = entity(true);
    the.a = entity(true);
    the.b = entity(false);
    the.owner = entity(false);
    assert_int_equal(kn_entity_make_actor(the.world, the.owner), KN_OK);
    the.effect = apply(the.types[1], the.me);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = the.ability_type;
    assert_int_equal(kn_ability_grant(the.world, the.me, &grant, &the.ability), KN_OK);
    assert_int_equal(kn_ability_grant(the.world, the.me, &grant, &the.ability2), KN_OK);
    assert_int_equal(kn_ability_activate(the.world, the.ability, NULL, &the.activation), KN_OK);
    the.log[0] = 0;
}

// Does `hook` inside an execution, from the host.
static void law_do(void (*hook)(scene *))
{
    uint32_t calls = the.calls;
    the.hook = hook;
    the.armed = true;
    (void)apply(the.types[0], the.me);
    assert_int_equal(the.calls, calls + 1);
    assert_true(kn_world_validate(the.world));
}

static void ask_effects(scene *s)
{
    assert_int_equal(kn_effect_remove(s->world, s->effect, 1, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(kn_effect_stacks(s->world, s->effect), 3);
    assert_int_equal(
        kn_effect_remove(s->world, s->effect, 1, (kn_removal_reason)0) == KN_OK, false);
}

static void ask_stacks(scene *s)
{
    assert_int_equal(kn_effect_set_stacks(s->world, s->effect, 7), KN_OK);
    assert_int_equal(kn_effect_stacks(s->world, s->effect), 2);
}

static void ask_query(scene *s)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = s->types[1];
    uint32_t removed = 0;
    assert_int_equal(
        kn_effects_remove(s->world, s->me, &query, 0, KN_REMOVED_BY_CALL, &removed), KN_OK);
    assert_int_equal(removed, 1);
    assert_true(kn_effect_is_alive(s->world, s->effect));
    // Nothing joins what is leaving.
    s->effect2 = apply(s->types[1], s->me);
    assert_false(kn_effect_id_equal(s->effect2, s->effect));
}

static bool assert_quietly(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static void test_effects_wait(void **state)
{
    (void)state;
    law_begin();
    kn_assert_set_handler(assert_quietly);
    law_do(ask_effects);
    kn_assert_set_handler(NULL);
    assert_int_equal(kn_effect_stacks(the.world, the.effect), 2);
    law_do(ask_stacks);
    assert_int_equal(kn_effect_stacks(the.world, the.effect), 7);
    law_do(ask_query);
    assert_false(kn_effect_is_alive(the.world, the.effect));
    assert_int_equal(kn_effect_stacks(the.world, the.effect2), 3);
    assert_string_equal(the.log, "stacks stacks removed ");
}

static void ask_entities(scene *s)
{
    kn_world *w = s->world;
    assert_int_equal(kn_attribute_set_add(w, s->a, s->other_set, 0), KN_OK);
    assert_false(kn_attribute_set_has(w, s->a, s->other_set, 0));
    assert_int_equal(kn_attribute_set_remove(w, s->a, s->set, 0), KN_OK);
    assert_true(kn_attribute_set_has(w, s->a, s->set, 0));
    assert_int_equal(kn_entity_set_owner(w, s->a, s->owner), KN_OK);
    assert_true(kn_entity_id_is_null(kn_entity_owner(w, s->a)));
    assert_int_equal(kn_entity_set_parent(w, s->a, s->owner), KN_OK);
    assert_true(kn_entity_id_is_null(kn_entity_parent(w, s->a)));
    assert_int_equal(kn_entity_set_avatar(w, s->owner, s->b), KN_OK);
    assert_true(kn_entity_id_equal(kn_entity_actor(w, s->b), s->b));
    // Bad arguments are refused at once.
    kn_entity_id stale = {1000, 1};
    assert_int_equal(kn_attribute_set_add(w, stale, s->set, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_attribute_set_remove(w, stale, s->set, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_entity_set_owner(w, s->a, stale), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_entity_set_parent(w, stale, s->a), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_entity_set_avatar(w, stale, s->a), KN_REFUSED_STALE_ID);
    assert_false(kn_entity_destroy(w, stale));
}

static void ask_destroy(scene *s)
{
    assert_true(kn_entity_destroy(s->world, s->a));
    assert_true(kn_entity_is_alive(s->world, s->a));
    assert_int_equal(
        kn_effect_apply_simple(s->world, s->types[1], s->me, s->a, 1.0f, NULL), KN_REFUSED_DYING);
    // Stale when its turn comes: nothing happens, and nothing is published.
    assert_int_equal(kn_entity_set_owner(s->world, s->a, s->owner), KN_OK);
}

static uint32_t errors_of(kn_result code)
{
    uint32_t count = 0;
    kn_events events = kn_world_events(the.world);
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_ERROR && events.data[i].data.error.code == code;
    }
    return count;
}

static void test_entities_wait(void **state)
{
    (void)state;
    law_begin();
    law_do(ask_entities);
    assert_true(kn_attribute_set_has(the.world, the.a, the.other_set, 0));
    assert_false(kn_attribute_set_has(the.world, the.a, the.set, 0));
    assert_true(kn_entity_id_equal(kn_entity_owner(the.world, the.a), the.owner));
    assert_true(kn_entity_id_equal(kn_entity_parent(the.world, the.a), the.owner));
    assert_true(kn_entity_id_equal(kn_entity_actor(the.world, the.b), the.owner));
    law_do(ask_destroy);
    assert_false(kn_entity_is_alive(the.world, the.a));
    step(0);
    assert_int_equal(errors_of(KN_REFUSED_STALE_ID), 0);
}

static void ask_twice(scene *s)
{
    assert_int_equal(kn_attribute_set_add(s->world, s->a, s->other_set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->a, s->other_set, 0), KN_OK);
}

// What is refused when its turn comes is published as an error.
static void test_refused_later_is_told(void **state)
{
    (void)state;
    law_begin();
    law_do(ask_twice);
    step(0);
    assert_int_equal(errors_of(KN_REFUSED_DUPLICATE), 1);
    assert_true(kn_attribute_set_has(the.world, the.a, the.other_set, 0));
}

static void ask_wrongly(scene *s)
{
    kn_world *w = s->world;
    // Not there, a set of another key, no set at all; there already.
    assert_int_equal(kn_attribute_set_remove(w, s->a, s->other_set, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_attribute_set_remove(w, s->a, s->set, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_attribute_set_remove(w, s->b, s->set, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_attribute_set_remove(w, s->a, (kn_attribute_set_id){0}, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_attribute_set_add(w, s->a, s->set, 0), KN_REFUSED_DUPLICATE);
    assert_int_equal(
        kn_attribute_set_add(w, s->a, (kn_attribute_set_id){99}, 0), KN_ERROR_INVALID_ARGUMENT);
    // Its own parent; a body with a component of its own.
    assert_int_equal(kn_entity_set_parent(w, s->a, s->a), KN_REFUSED_CYCLE);
    assert_int_equal(kn_entity_set_avatar(w, s->owner, s->a), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_effect_set_stacks(w, s->effect, 0), KN_REFUSED_LIMIT);
    kn_effect_id no_effect = {0};
    kn_ability_id no_ability = {0};
    kn_grant_removal bad = (kn_grant_removal)99;
    assert_int_equal(kn_effect_remove(w, no_effect, 0, KN_REMOVED_BY_CALL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_effect_set_stacks(w, no_effect, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_ability_revoke(w, s->ability, bad), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_ability_remove(w, s->ability, bad), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_abilities_remove(w, s->me, NULL, bad), 0);
    assert_int_equal(kn_ability_set_remove(w, s->me, s->kit, bad), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_ability_set_remove(w, s->a, s->kit, KN_GRANT_CANCEL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_ability_revoke(w, no_ability, KN_GRANT_CANCEL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_ability_remove(w, no_ability, KN_GRANT_CANCEL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_ability_cancel(w, no_ability), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_task_end(w, (kn_task_id){0}), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_cancel(w, (kn_activation_id){0}), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_set_cancelable(w, s->activation, false), KN_OK);
    assert_int_equal(kn_activation_cancel(w, s->activation), KN_REFUSED_BLOCKED);
}

// What is wrong with a call is reported at once: nothing waits, nothing is published later.
static void test_checked_at_once(void **state)
{
    (void)state;
    law_begin();
    assert_int_equal(kn_ability_set_grant(the.world, the.me, the.kit, NULL, 0), KN_OK);
    step(0);
    uint64_t hash = kn_world_hash(the.world);
    assert_int_equal(kn_activation_set_cancelable(the.world, the.activation, false), KN_OK);
    uint64_t fixed = kn_world_hash(the.world);
    assert_true(fixed != hash);
    kn_assert_set_handler(assert_quietly);
    law_do(ask_wrongly);
    kn_assert_set_handler(NULL);
    assert_true(kn_world_hash(the.world) == fixed);
    step(0);
    kn_events events = kn_world_events(the.world);
    for (uint32_t i = 0; i < events.count; i++) {
        assert_true(events.data[i].type != KN_EVENT_ERROR);
    }
}

static void ask_add_remove(scene *s)
{
    assert_int_equal(kn_attribute_set_add(s->world, s->a, s->other_set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_remove(s->world, s->a, s->other_set, 0), KN_OK);
}

static void ask_remove_add(scene *s)
{
    assert_int_equal(kn_attribute_set_remove(s->world, s->a, s->set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->a, s->set, 0), KN_OK);
}

// What waits counts: a set that is to come can go again, and one that is to go can come back.
static void test_checked_with_what_waits(void **state)
{
    (void)state;
    law_begin();
    assert_int_equal(kn_attribute_set_base(the.world, the.a, the.speed, 0, 77.0f), KN_OK);
    law_do(ask_add_remove);
    assert_false(kn_attribute_set_has(the.world, the.a, the.other_set, 0));
    law_do(ask_remove_add);
    assert_true(kn_attribute_set_has(the.world, the.a, the.set, 0));
    assert_float_equal(speed_of(the.a), 10.0f, 0.0f);
    step(0);
    assert_int_equal(errors_of(KN_REFUSED_NOT_FOUND), 0);
    assert_int_equal(errors_of(KN_REFUSED_DUPLICATE), 0);
}

static void ask_task(scene *s)
{
    assert_int_equal(kn_task_end(s->world, s->task), KN_OK);
    assert_true(kn_task_is_alive(s->world, s->task));
}

static void ask_end(scene *s)
{
    assert_int_equal(kn_activation_end(s->world, s->activation), KN_OK);
    assert_true(kn_activation_is_alive(s->world, s->activation));
    assert_int_equal(kn_activation_end(s->world, (kn_activation_id){0}), KN_REFUSED_STALE_ID);
}

static void ask_cancel(scene *s)
{
    assert_int_equal(s->way == 2   ? kn_activation_cancel(s->world, s->activation)
                     : s->way == 3 ? kn_ability_cancel(s->world, s->ability)
                     : kn_abilities_cancel(s->world, s->me, NULL) == 1 ? KN_OK
                                                                       : KN_REFUSED_NOT_FOUND,
        KN_OK);
    assert_true(kn_activation_is_alive(s->world, s->activation));
}

static void ask_revoke(scene *s)
{
    assert_int_equal(kn_ability_revoke(s->world, s->ability, KN_GRANT_CANCEL), KN_OK);
    assert_true(kn_ability_is_alive(s->world, s->ability));
    assert_int_equal(kn_abilities_remove(s->world, s->me, NULL, KN_GRANT_CANCEL), 2);
    assert_true(kn_ability_is_alive(s->world, s->ability2));
}

// ASC-009
static void test_abilities_wait(void **state)
{
    (void)state;
    law_begin();
    law_do(ask_task);
    assert_false(kn_task_is_alive(the.world, the.task));
    assert_true(kn_activation_is_alive(the.world, the.activation));
    law_do(ask_end);
    assert_false(kn_activation_is_alive(the.world, the.activation));
    for (the.way = 2; the.way < 5; the.way++) {
        assert_int_equal(kn_ability_activate(the.world, the.ability, NULL, &the.activation), KN_OK);
        law_do(ask_cancel);
        assert_false(kn_activation_is_alive(the.world, the.activation));
    }
    law_do(ask_revoke);
    assert_false(kn_ability_is_alive(the.world, the.ability));
    assert_false(kn_ability_is_alive(the.world, the.ability2));
}

static void ask_in_order(scene *s)
{
    assert_int_equal(kn_event_send(s->world, s->me, s->tag, NULL), KN_OK);
    assert_int_equal(kn_effect_set_stacks(s->world, s->effect, 5), KN_OK);
    assert_int_equal(kn_event_send(s->world, s->me, s->tag, NULL), KN_OK);
    assert_int_equal(kn_effect_remove(s->world, s->effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(kn_event_send(s->world, s->me, s->tag, NULL), KN_OK);
    assert_string_equal(s->log, "");
}

// Calls that wait and rules that are queued have their turns in one queue: the rules about what a
// call did come after all that was asked for before.
static void test_first_in_first_out(void **state)
{
    (void)state;
    law_begin();
    law_do(ask_in_order);
    assert_string_equal(the.log, "sent sent sent stacks removed ");
}

static void ask_inner(scene *s)
{
    remove_effect(s);
}

static void ask_nested(scene *s)
{
    s->hook = ask_inner;
    s->armed = true;
    (void)apply(s->types[0], s->me); // its execution is the inner hook
    assert_int_equal(s->calls, 2);
    assert_true(kn_effect_is_alive(s->world, s->effect)); // still inside the outer one
}

static void test_hooks_inside_hooks(void **state)
{
    (void)state;
    law_begin();
    the.hook = ask_nested;
    the.armed = true;
    (void)apply(the.types[0], the.me);
    assert_int_equal(the.calls, 2);
    assert_false(kn_effect_is_alive(the.world, the.effect));
}

static kn_time act_at_once(void *user, kn_world *world, kn_entity_id who, void *data)
{
    (void)user;
    (void)data;
    assert_int_equal(kn_effect_remove(world, the.effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_false(kn_effect_is_alive(world, the.effect));
    assert_int_equal(kn_attribute_set_remove(world, who, the.set, 0), KN_OK);
    assert_false(kn_attribute_set_has(world, who, the.set, 0));
    the.calls++;
    return 0;
}

// Hooks that have their turn act at once.
static void test_in_turn_acts_at_once(void **state)
{
    (void)state;
    kn_timer_type_id type;
    assert_int_equal(
        kn_timer_type_register(the.library, "T", act_at_once, NULL, &type, NULL), KN_OK);
    law_begin();
    kn_timer_id timer;
    assert_int_equal(kn_timer_start(the.world, type, the.me, 0, NULL, &timer), KN_OK);
    step(0);
    assert_int_equal(the.calls, 1);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    TEST(test_removed_while_captures_follow),
    TEST(test_live_durations_end_together),
    TEST(test_dying_without_component),
    TEST(test_execution_removes_itself),
    TEST(test_logic_hooks_share_state),
    TEST(test_removed_while_merging),
    TEST(test_own_timers_removed),
    TEST(test_owner_changes_while_aura_ends),
    TEST(test_owned_sets),
    TEST(test_removed_while_set_arrives),
    TEST(test_next_effect_hears_of_conditions),
    TEST(test_set_arrives_for_reader),
    TEST(test_owner_set_inside_each_other),
    TEST(test_view_after_removal),
    TEST(test_tally_of_removed),
    TEST(test_reader_of_two),
    TEST(test_pre_change_changes_its_value),
    TEST(test_can_activate_changes),
    TEST(test_event_is_forwarded),
    TEST(test_effects_wait),
    TEST(test_entities_wait),
    TEST(test_refused_later_is_told),
    TEST(test_checked_at_once),
    TEST(test_checked_with_what_waits),
    TEST(test_abilities_wait),
    TEST(test_first_in_first_out),
    TEST(test_hooks_inside_hooks),
    TEST(test_in_turn_acts_at_once),
};

TEST_GROUP(hook_law, tests, NULL, NULL);
