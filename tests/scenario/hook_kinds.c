// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The law of hooks (docs/step-order.md, "A hook"), crossed: every kind of hook makes every call
// that removes or rearranges. Inside an operation the call waits, in turn it happens at once.

#include "group.h"

#include "knack/knack.h"

#include <stdio.h>
#include <string.h>

typedef enum hook_kind {
    HOOK_NONE,
    // Inside an operation.
    PRE_CHANGE,
    POST_CHANGE,
    PRE_BASE_CHANGE,
    POST_BASE_CHANGE,
    PRE_EXECUTE,
    POST_EXECUTE,
    EXECUTION,
    REQUIREMENT,
    LOGIC_APPLIED,
    LOGIC_TICKED,
    LOGIC_STACKS,
    LOGIC_INHIBITED,
    LOGIC_REMOVED,
    GRANT_BEGINS,
    GRANT_ENDS,
    EVENT_APPLY,
    CAN_ACTIVATE,
    RESPONDS,
    GRANTED,
    REMOVED,
    AVATAR_SET,
    ENDED,
    TASK_ENDED,
    // In turn.
    RULE,
    TIMER,
    PRE_ACTIVATE,
    ACTIVATE,
    ACTIVATE_BY_EVENT,
    INPUT_PRESSED,
    INPUT_RELEASED,
    LEVEL_CHANGED,
    TASK_DONE,
    TASK_START,
    TASK_WOKEN,
    TASK_TIMER,
    HOOK_COUNT,
} hook_kind;

static bool is_inside(hook_kind kind)
{
    return kind <= TASK_ENDED;
}

static const char *const kind_names[HOOK_COUNT] = {"none", "pre_change", "post_change",
    "pre_base_change", "post_base_change", "pre_execute", "post_execute", "execution",
    "requirement", "logic applied", "logic ticked", "logic stacks", "logic inhibited",
    "logic removed", "grant begins", "grant ends", "event apply", "can_activate", "responds",
    "granted", "removed", "avatar_set", "ended", "task ended", "rule", "timer", "pre_activate",
    "activate", "activate_by_event", "input_pressed", "input_released", "level_changed",
    "task_done", "task start", "task woken", "task timer"};

static struct {
    kn_library *library;
    kn_world *world;
    hook_kind kind; // which hook acts
    uint32_t call;  // what it does
    uint32_t fired;
    kn_tag off, sent, key, asset, group;
    kn_attribute_id speed;
    kn_attribute_set_id set, other_set;
    kn_effect_type_id hit, run, asking, logic, granter;          // that set off hooks
    kn_effect_type_id pile, member, newcomer, cleanse, overflow; // that calls are about
    kn_event_kind_id event_kind;
    kn_ability_type_id hooked, tasker, stayer;
    kn_ability_set_id kit;
    kn_task_type_id task_type;
    kn_timer_type_id timer_type;
    // The entities whose hooks are triggered, and those that calls are about.
    kn_entity_id me, body, victim, owner, spare;
    kn_effect_id victim_pile, victim_member, victim_overflow;
    kn_ability_id ability, victim_ability, kit_ability;
    kn_activation_id victim_activation;
    kn_task_id victim_task;
} the;

// Calls -----------------------------------------------------------------------

static bool ask_remove(void)
{
    return kn_effect_remove(the.world, the.victim_pile, 0, KN_REMOVED_BY_CALL) == KN_OK;
}

static bool pile_is_gone(void)
{
    return !kn_effect_is_alive(the.world, the.victim_pile);
}

static bool ask_remove_stack(void)
{
    return kn_effect_remove(the.world, the.victim_pile, 1, KN_REMOVED_BY_CALL) == KN_OK;
}

static bool pile_is_2(void)
{
    return kn_effect_stacks(the.world, the.victim_pile) == 2;
}

static bool ask_remove_all(void)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = the.pile;
    uint32_t removed = 0;
    return kn_effects_remove(the.world, the.victim, &query, 0, KN_REMOVED_BY_CALL, &removed) ==
               KN_OK &&
           removed == 1;
}

static bool ask_set_stacks(void)
{
    return kn_effect_set_stacks(the.world, the.victim_pile, 2) == KN_OK;
}

static bool apply(kn_effect_type_id type, kn_entity_id target)
{
    return kn_effect_apply_simple(the.world, type, the.spare, target, 1.0f, NULL) == KN_OK;
}

// A newcomer of an exclusive group replaces the member that is there.
static bool ask_replace(void)
{
    return apply(the.newcomer, the.victim);
}

static bool ask_cleanse(void)
{
    return apply(the.cleanse, the.victim);
}

static bool member_is_gone(void)
{
    return !kn_effect_is_alive(the.world, the.victim_member);
}

// At its limit, a further application is refused and clears the stack.
static bool ask_overflow(void)
{
    return kn_effect_apply_simple(the.world, the.overflow, the.spare, the.victim, 1.0f, NULL) ==
           KN_REFUSED_STACK_DENIED;
}

static bool overflow_is_gone(void)
{
    return !kn_effect_is_alive(the.world, the.victim_overflow);
}

static bool ask_set_add(void)
{
    return kn_attribute_set_add(the.world, the.victim, the.other_set, 0) == KN_OK;
}

static bool set_is_added(void)
{
    return kn_attribute_set_has(the.world, the.victim, the.other_set, 0);
}

static bool ask_set_remove(void)
{
    return kn_attribute_set_remove(the.world, the.victim, the.set, 0) == KN_OK;
}

static bool set_is_removed(void)
{
    return !kn_attribute_set_has(the.world, the.victim, the.set, 0);
}

static bool ask_owner(void)
{
    return kn_entity_set_owner(the.world, the.victim, the.owner) == KN_OK;
}

static bool owner_is_set(void)
{
    return kn_entity_id_equal(kn_entity_owner(the.world, the.victim), the.owner);
}

static bool ask_parent(void)
{
    return kn_entity_set_parent(the.world, the.victim, the.owner) == KN_OK;
}

static bool parent_is_set(void)
{
    return kn_entity_id_equal(kn_entity_parent(the.world, the.victim), the.owner);
}

static bool ask_avatar(void)
{
    return kn_entity_set_avatar(the.world, the.victim, the.spare) == KN_OK;
}

static bool avatar_is_set(void)
{
    return kn_entity_id_equal(kn_entity_avatar(the.world, the.victim), the.spare);
}

static bool ask_revoke(void)
{
    return kn_ability_revoke(the.world, the.victim_ability, KN_GRANT_CANCEL) == KN_OK;
}

static bool ask_ability_remove(void)
{
    return kn_ability_remove(the.world, the.victim_ability, KN_GRANT_CANCEL) == KN_OK;
}

static bool ask_abilities_remove(void)
{
    kn_ability_query query = kn_ability_query_default();
    query.type = the.stayer;
    return kn_abilities_remove(the.world, the.victim, &query, KN_GRANT_CANCEL) == 1;
}

static bool ability_is_gone(void)
{
    return !kn_ability_is_alive(the.world, the.victim_ability);
}

static bool ask_ability_set_remove(void)
{
    return kn_ability_set_remove(the.world, the.victim, the.kit, KN_GRANT_CANCEL) == KN_OK;
}

static bool kit_is_gone(void)
{
    return !kn_ability_is_alive(the.world, the.kit_ability);
}

static bool ask_end(void)
{
    return kn_activation_end(the.world, the.victim_activation) == KN_OK;
}

static bool ask_cancel(void)
{
    return kn_activation_cancel(the.world, the.victim_activation) == KN_OK;
}

static bool ask_ability_cancel(void)
{
    return kn_ability_cancel(the.world, the.victim_ability) == KN_OK;
}

static bool ask_abilities_cancel(void)
{
    return kn_abilities_cancel(the.world, the.victim, NULL) == 1;
}

static bool activation_is_over(void)
{
    return !kn_activation_is_alive(the.world, the.victim_activation);
}

static bool ask_task_end(void)
{
    return kn_task_end(the.world, the.victim_task) == KN_OK;
}

static bool task_is_over(void)
{
    return !kn_task_is_alive(the.world, the.victim_task);
}

static const struct call {
    const char *name;
    bool (*ask)(void);
    bool (*is_done)(void);
} calls[] = {
    {"kn_effect_remove", ask_remove, pile_is_gone},
    {"kn_effect_remove one stack", ask_remove_stack, pile_is_2},
    {"kn_effects_remove", ask_remove_all, pile_is_gone},
    {"kn_effect_set_stacks", ask_set_stacks, pile_is_2},
    {"an application that replaces", ask_replace, member_is_gone},
    {"an application that removes", ask_cleanse, member_is_gone},
    {"an application that clears its stack", ask_overflow, overflow_is_gone},
    {"kn_attribute_set_add", ask_set_add, set_is_added},
    {"kn_attribute_set_remove", ask_set_remove, set_is_removed},
    {"kn_entity_set_owner", ask_owner, owner_is_set},
    {"kn_entity_set_parent", ask_parent, parent_is_set},
    {"kn_entity_set_avatar", ask_avatar, avatar_is_set},
    {"kn_ability_revoke", ask_revoke, ability_is_gone},
    {"kn_ability_remove", ask_ability_remove, ability_is_gone},
    {"kn_abilities_remove", ask_abilities_remove, ability_is_gone},
    {"kn_ability_set_remove", ask_ability_set_remove, kit_is_gone},
    {"kn_activation_end", ask_end, activation_is_over},
    {"kn_activation_cancel", ask_cancel, activation_is_over},
    {"kn_ability_cancel", ask_ability_cancel, activation_is_over},
    {"kn_abilities_cancel", ask_abilities_cancel, activation_is_over},
    {"kn_task_end", ask_task_end, task_is_over},
};

#define CALL_COUNT (sizeof(calls) / sizeof(calls[0]))

static void expect(bool condition, const char *what)
{
    if (!condition) {
        fail_msg("%s from %s: %s", calls[the.call].name, kind_names[the.kind], what);
    }
}

// Hooks -----------------------------------------------------------------------

static void fire(hook_kind kind)
{
    if (kind != the.kind || the.fired > 0) {
        return;
    }
    the.fired++;
    const struct call *call = &calls[the.call];
    expect(!call->is_done(), "done before it was asked for");
    expect(call->ask(), "refused");
    expect(call->is_done() == !is_inside(kind), is_inside(kind) ? "did not wait" : "waited");
}

static float pre_change(void *user, const kn_attribute_change *change)
{
    (void)user;
    fire(PRE_CHANGE);
    return change->new_value;
}

static void post_change(void *user, const kn_attribute_change *change)
{
    (void)user;
    (void)change;
    fire(POST_CHANGE);
}

static float pre_base_change(void *user, const kn_attribute_change *change)
{
    (void)user;
    fire(PRE_BASE_CHANGE);
    return change->new_value;
}

static void post_base_change(void *user, const kn_attribute_change *change)
{
    (void)user;
    (void)change;
    fire(POST_BASE_CHANGE);
}

static bool pre_execute(void *user, kn_execute_data *data)
{
    (void)user;
    (void)data;
    fire(PRE_EXECUTE);
    return true;
}

static void post_execute(void *user, const kn_execute_data *data)
{
    (void)user;
    (void)data;
    fire(POST_EXECUTE);
}

static void execution(void *user, kn_execution *x)
{
    (void)user;
    (void)x;
    fire(EXECUTION);
}

static kn_requirement_answer requirement(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    (void)user;
    (void)world;
    (void)spec;
    (void)existing;
    fire(REQUIREMENT);
    return KN_REQUIREMENT_ALLOW;
}

static void logic_applied(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)world;
    (void)spec;
    (void)state;
    fire(LOGIC_APPLIED);
}

static void logic_ticked(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)world;
    (void)spec;
    (void)state;
    fire(LOGIC_TICKED);
}

static void logic_stacks(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    uint32_t old_count, uint32_t new_count)
{
    (void)user;
    (void)world;
    (void)spec;
    (void)state;
    (void)old_count;
    (void)new_count;
    fire(LOGIC_STACKS);
}

static void logic_inhibited(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, bool is_inhibited)
{
    (void)user;
    (void)world;
    (void)spec;
    (void)state;
    (void)is_inhibited;
    fire(LOGIC_INHIBITED);
}

static void logic_removed(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, kn_removal_reason reason)
{
    (void)user;
    (void)world;
    (void)spec;
    (void)state;
    (void)reason;
    fire(LOGIC_REMOVED);
}

static void grant(void *user, kn_world *world, kn_entity_id entity, kn_effect_id effect,
    const kn_grant_def *def, bool is_granted)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)effect;
    (void)def;
    fire(is_granted ? GRANT_BEGINS : GRANT_ENDS);
}

static void event_apply(void *user, kn_world *world, const kn_event_record *record, float magnitude)
{
    (void)user;
    (void)world;
    (void)record;
    (void)magnitude;
    fire(EVENT_APPLY);
}

static bool can_activate(const kn_ability_call *call, const kn_event_record *event)
{
    (void)call;
    (void)event;
    fire(CAN_ACTIVATE);
    return true;
}

static bool responds(const kn_ability_call *call, const kn_event_record *event)
{
    (void)call;
    (void)event;
    fire(RESPONDS);
    return true;
}

static void granted(const kn_ability_call *call)
{
    (void)call;
    fire(GRANTED);
}

static void removed(const kn_ability_call *call)
{
    (void)call;
    fire(REMOVED);
}

static void avatar_set(const kn_ability_call *call)
{
    (void)call;
    fire(AVATAR_SET);
}

static void ended(const kn_ability_call *call, kn_end_reason reason)
{
    (void)call;
    (void)reason;
    fire(ENDED);
}

static void pre_activate(const kn_ability_call *call)
{
    (void)call;
    fire(PRE_ACTIVATE);
}

static kn_result activate(const kn_ability_call *call)
{
    (void)call;
    fire(ACTIVATE);
    return KN_OK;
}

static kn_result activate_by_event(const kn_ability_call *call, const kn_event_record *event)
{
    (void)call;
    (void)event;
    fire(ACTIVATE_BY_EVENT);
    return KN_OK;
}

static void input_pressed(const kn_ability_call *call)
{
    (void)call;
    fire(INPUT_PRESSED);
}

static void input_released(const kn_ability_call *call)
{
    (void)call;
    fire(INPUT_RELEASED);
}

static void level_changed(const kn_ability_call *call, float old_level)
{
    (void)call;
    (void)old_level;
    fire(LEVEL_CHANGED);
}

static void task_done(const kn_ability_call *call, const kn_task_result *result)
{
    (void)call;
    (void)result;
    fire(TASK_DONE);
}

static kn_result run_task(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_CUSTOM);
    def.type = the.task_type;
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void task_start(const kn_task_call *call)
{
    assert_int_equal(
        kn_task_watch(call->world, call->task, call->owner, KN_TRIGGER_EVENT, the.sent.index1),
        KN_OK);
    assert_int_equal(kn_task_wait(call->world, call->task, KN_S(1)), KN_OK);
    fire(TASK_START);
}

static void task_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    (void)call;
    (void)reaction;
    fire(TASK_WOKEN);
}

static kn_time task_timer(const kn_task_call *call)
{
    fire(TASK_TIMER);
    assert_int_equal(kn_task_report(call->world, call->task, 1, NULL, 0, true), KN_OK);
    return 0;
}

static void task_ended(const kn_task_call *call)
{
    (void)call;
    fire(TASK_ENDED);
}

static kn_result stay(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.delay = KN_S(1000);
    return kn_task_run(call->world, call->activation, &def, &the.victim_task);
}

static void rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)world;
    (void)reaction;
    fire(RULE);
}

static kn_time timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)data;
    fire(TIMER);
    return 0;
}

// The library -----------------------------------------------------------------

static kn_tag tag(const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag id = {0};
    assert_int_equal(kn_tag_register(the.library, &def, &id, NULL), KN_OK);
    return id;
}

static kn_effect_type_id effect(const kn_effect_def *def)
{
    kn_effect_type_id type = {0};
    kn_error error = {0};
    if (kn_effect_register(the.library, def, &type, &error) != KN_OK) {
        fail_msg("%s: %s", def->name, error.message);
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

static void register_sets(void)
{
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Speed";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "S";
    set.attributes = &attribute;
    set.attribute_count = 1;
    set.hooks = (kn_attribute_hooks){.pre_execute = pre_execute,
        .pre_base_change = pre_base_change,
        .post_base_change = post_base_change,
        .pre_change = pre_change,
        .post_change = post_change,
        .post_execute = post_execute};
    assert_int_equal(kn_attribute_set_register(the.library, &set, &the.set, NULL), KN_OK);
    the.speed = kn_attribute_find(the.library, "S.Speed");
    attribute.name = "Mana";
    set = kn_attribute_set_def_default();
    set.name = "R";
    set.attributes = &attribute;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(the.library, &set, &the.other_set, NULL), KN_OK);
}

// Effects that set off hooks.
static void register_causes(void)
{
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT);
    kn_modifier_def modifier = kn_modifier_constant(the.speed, KN_OP_ADD, 5.0f);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    the.hit = effect(&def);

    kn_execution_def x = kn_execution_def_default();
    x.name = "X";
    x.function = execution;
    kn_execution_use use = {.execution = {0}};
    assert_int_equal(kn_execution_register(the.library, &x, &use.execution, NULL), KN_OK);
    def = effect_def("Run", KN_DURATION_INSTANT);
    def.executions = &use;
    def.execution_count = 1;
    the.run = effect(&def);

    def = effect_def("Asking", KN_DURATION_INFINITE);
    assert_int_equal(
        kn_requirement_register(the.library, "Q", requirement, NULL, &def.requirement, NULL),
        KN_OK);
    the.asking = effect(&def);

    def = effect_def("Logic", KN_DURATION_INFINITE);
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "L";
    logic.applied = logic_applied;
    logic.ticked = logic_ticked;
    logic.stacks_changed = logic_stacks;
    logic.inhibited = logic_inhibited;
    logic.removed = logic_removed;
    assert_int_equal(kn_effect_logic_register(the.library, &logic, &def.logic, NULL), KN_OK);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.skip_first_tick = true;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.ongoing.target.ignored = (kn_tags){&the.off, 1};
    the.logic = effect(&def);

    def = effect_def("Granter", KN_DURATION_INFINITE);
    kn_grant_def grants = kn_grant_def_default();
    assert_int_equal(kn_name_register(the.library, "Ghost", &grants.ability, NULL), KN_OK);
    def.grants = &grants;
    def.grant_count = 1;
    the.granter = effect(&def);
}

// Effects that calls are about.
static void register_objects(void)
{
    kn_effect_def def = effect_def("Pile", KN_DURATION_INFINITE);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.initial = kn_constant(3.0f);
    the.pile = effect(&def);

    def = effect_def("Member", KN_DURATION_INFINITE);
    def.asset_tags = (kn_tags){&the.asset, 1};
    def.exclusive_group = the.group;
    the.member = effect(&def);
    def = effect_def("Newcomer", KN_DURATION_INFINITE);
    def.exclusive_group = the.group;
    the.newcomer = effect(&def);
    def = effect_def("Cleanse", KN_DURATION_INSTANT);
    def.remove_effects_with = (kn_tags){&the.asset, 1};
    the.cleanse = effect(&def);

    def = effect_def("Overflow", KN_DURATION_INFINITE);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(1.0f);
    def.stacking.deny_overflow = true;
    def.stacking.clear_on_overflow = true;
    the.overflow = effect(&def);
}

static void register_abilities(void)
{
    kn_trigger_def trigger = kn_trigger_def_default();
    trigger.tag = the.key;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Hooked";
    def.input = 1;
    def.no_activation_by_input = true;
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.activate = activate;
    def.activate_by_event = activate_by_event;
    def.pre_activate = pre_activate;
    def.ended = ended;
    def.can_activate = can_activate;
    def.responds = responds;
    def.granted = granted;
    def.removed = removed;
    def.avatar_set = avatar_set;
    def.level_changed = level_changed;
    def.input_pressed = input_pressed;
    def.input_released = input_released;
    assert_int_equal(kn_ability_register(the.library, &def, &the.hooked, NULL), KN_OK);

    kn_task_type_def task = kn_task_type_def_default();
    task.name = "T";
    task.start = task_start;
    task.woken = task_woken;
    task.timer = task_timer;
    task.ended = task_ended;
    assert_int_equal(kn_task_type_register(the.library, &task, &the.task_type, NULL), KN_OK);
    def = kn_ability_def_default();
    def.name = "Tasker";
    def.activate = run_task;
    def.task_done = task_done;
    assert_int_equal(kn_ability_register(the.library, &def, &the.tasker, NULL), KN_OK);

    def = kn_ability_def_default();
    def.name = "Stayer";
    def.activate = stay;
    assert_int_equal(kn_ability_register(the.library, &def, &the.stayer, NULL), KN_OK);
    def.name = "OfKit";
    kn_ability_set_entry entry = {.level = 1.0f, .input = KN_INPUT_FROM_DEF};
    assert_int_equal(kn_ability_register(the.library, &def, &entry.type, NULL), KN_OK);
    kn_ability_set_def kit = kn_ability_set_def_default();
    kit.name = "Kit";
    kit.entries = &entry;
    kit.entry_count = 1;
    assert_int_equal(kn_ability_set_register(the.library, &kit, &the.kit, NULL), KN_OK);
}

static int setup(void **state)
{
    (void)state;
    memset(&the, 0, sizeof the);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &the.library), KN_OK);
    the.off = tag("Off");
    the.sent = tag("Sent");
    the.key = tag("Key");
    the.asset = tag("Asset");
    the.group = tag("Group");
    register_sets();
    register_causes();
    register_objects();
    register_abilities();
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "K";
    kind.apply = event_apply;
    assert_int_equal(kn_event_kind_register(the.library, &kind, &the.event_kind, NULL), KN_OK);
    kn_rule_def r = kn_rule_def_default();
    r.name = "R";
    r.trigger = KN_TRIGGER_EVENT;
    r.tag = the.sent;
    r.function = rule;
    kn_rule_id rule_id;
    assert_int_equal(kn_rule_register(the.library, &r, &rule_id, NULL), KN_OK);
    assert_int_equal(
        kn_timer_type_register(the.library, "Clock", timer, NULL, &the.timer_type, NULL), KN_OK);
    kn_error error = {0};
    if (kn_library_finish(the.library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kn_library_destroy(the.library);
    return 0;
}

// A world that has everything that can be removed --------------------------

static kn_entity_id entity(bool has_set)
{
    kn_entity_id id = {0};
    assert_int_equal(kn_entity_create(the.world, &id), KN_OK);
    if (has_set) {
        assert_int_equal(kn_attribute_set_add(the.world, id, the.set, 0), KN_OK);
    }
    return id;
}

static kn_effect_id put(kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id id = {0};
    assert_int_equal(kn_effect_apply_simple(the.world, type, the.owner, target, 1.0f, &id), KN_OK);
    return id;
}

static kn_ability_id learn(kn_ability_type_id type, kn_entity_id who)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    kn_ability_id id = {0};
    assert_int_equal(kn_ability_grant(the.world, who, &def, &id), KN_OK);
    return id;
}

static void world_begin(void)
{
    kn_world_def def = kn_world_def_default();
    def.library = the.library;
    def.grant_fn = grant;
    assert_int_equal(kn_world_create(&def, &the.world), KN_OK);
    kn_world_set_moving(the.world, true);
    the.me = entity(true);
    the.body = entity(false);
    the.victim = entity(true);
    the.owner = entity(false);
    the.spare = entity(false);
    the.victim_pile = put(the.pile, the.victim);
    the.victim_member = put(the.member, the.victim);
    the.victim_overflow = put(the.overflow, the.victim);
    the.victim_ability = learn(the.stayer, the.victim);
    assert_int_equal(
        kn_ability_activate(the.world, the.victim_ability, NULL, &the.victim_activation), KN_OK);
    assert_int_equal(
        kn_ability_set_grant(the.world, the.victim, the.kit, &the.kit_ability, 1), KN_OK);
}

static void world_end(void)
{
    assert_true(kn_world_validate(the.world));
    kn_world_destroy(the.world);
}

// Setting off -----------------------------------------------------------------

static void activate_it(void)
{
    assert_int_equal(kn_ability_activate(the.world, the.ability, NULL, NULL), KN_OK);
}

static void send(kn_tag what)
{
    kn_event_record record = kn_event_record_default();
    record.instigator = the.body;
    record.target = the.me;
    assert_int_equal(kn_event_send(the.world, the.me, what, &record), KN_OK);
}

static void step(kn_time time)
{
    assert_int_equal(kn_world_step(the.world, time), KN_OK);
}

static void set_off_effect(hook_kind kind)
{
    kn_effect_id id;
    switch (kind) {
    case EXECUTION:
        (void)put(the.run, the.me);
        break;
    case REQUIREMENT:
        (void)put(the.asking, the.me);
        break;
    case GRANT_BEGINS:
    case GRANT_ENDS:
        id = put(the.granter, the.me);
        assert_int_equal(kn_effect_remove(the.world, id, 0, KN_REMOVED_BY_CALL), KN_OK);
        break;
    case LOGIC_APPLIED:
    case LOGIC_TICKED:
    case LOGIC_STACKS:
    case LOGIC_INHIBITED:
    case LOGIC_REMOVED:
        id = put(the.logic, the.me);
        step(KN_S(1));
        (void)put(the.logic, the.me);
        assert_int_equal(
            kn_entity_add_tag(the.world, the.me, the.off, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
        assert_int_equal(kn_effect_remove(the.world, id, 0, KN_REMOVED_BY_CALL), KN_OK);
        break;
    default:
        (void)put(the.hit, the.me);
        break;
    }
}

static void set_off_ability(hook_kind kind)
{
    bool is_task = kind == TASK_ENDED || kind >= TASK_DONE;
    the.ability = learn(is_task ? the.tasker : the.hooked, the.me);
    switch (kind) {
    case RESPONDS:
    case ACTIVATE_BY_EVENT:
        send(the.key);
        break;
    case GRANTED:
        break;
    case REMOVED:
        assert_int_equal(kn_ability_remove(the.world, the.ability, KN_GRANT_CANCEL), KN_OK);
        break;
    case AVATAR_SET:
        assert_int_equal(kn_entity_set_avatar(the.world, the.me, the.body), KN_OK);
        break;
    case LEVEL_CHANGED:
        assert_int_equal(kn_ability_set_level(the.world, &the.ability, 2.0f), KN_OK);
        break;
    case INPUT_PRESSED:
    case INPUT_RELEASED:
        activate_it(); // inputs go to what runs
        assert_int_equal(kn_input_press(the.world, the.me, 1), KN_OK);
        assert_int_equal(kn_input_release(the.world, the.me, 1), KN_OK);
        break;
    case ENDED:
        activate_it();
        assert_int_equal(kn_ability_cancel(the.world, the.ability), KN_OK);
        break;
    case TASK_WOKEN:
        activate_it();
        send(the.sent);
        break;
    case TASK_ENDED:
    case TASK_DONE:
    case TASK_TIMER:
        activate_it();
        step(KN_S(1));
        break;
    default:
        activate_it();
        break;
    }
}

static void set_off(hook_kind kind)
{
    kn_event_record record = kn_event_record_default();
    kn_event_outcome outcome;
    kn_timer_id id;
    switch (kind) {
    case EVENT_APPLY:
        record.kind = the.event_kind;
        record.target = the.me;
        assert_int_equal(kn_event_run(the.world, &record, &outcome), KN_OK);
        break;
    case RULE:
        send(the.sent);
        break;
    case TIMER:
        assert_int_equal(kn_timer_start(the.world, the.timer_type, the.me, 0, NULL, &id), KN_OK);
        step(0);
        break;
    default:
        if (kind < EVENT_APPLY) {
            set_off_effect(kind);
        } else {
            set_off_ability(kind);
        }
        break;
    }
}

static void test_every_hook_makes_every_call(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < HOOK_COUNT; kind++) {
        for (uint32_t call = 0; call < CALL_COUNT; call++) {
            the.kind = HOOK_NONE;
            the.fired = 0;
            world_begin();
            the.kind = (hook_kind)kind;
            the.call = call;
            set_off((hook_kind)kind);
            expect(the.fired == 1, "the hook was not called");
            expect(calls[call].is_done(), "never done");
            the.kind = HOOK_NONE;
            world_end();
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_every_hook_makes_every_call, setup, teardown),
};

TEST_GROUP(hook_kinds, tests, NULL, NULL);
