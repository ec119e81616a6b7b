// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Lists that spare a look at the whole world: who is in them after things came and went, after a
// restored snapshot and a loaded save, and that validation notices when they are wrong.

#include "world/state.h"

#define OTHERS 6

#define FIXTURE_OWN                                                                                \
    kn_effect_type_id banner, boost, twin, followers[2];                                           \
    kn_ability_type_id watch, dear;                                                                \
    kn_ability_type_id strange; /* its cost is the answer of a function */                         \
    kn_targeting_id aim;                                                                           \
    kn_timer_type_id bell;                                                                         \
    kn_entity_id others[OTHERS];                                                                   \
    float price;

#include "scenario/ability_fixture.h"

static bool ignore(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static kn_time bell_rings(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)data;
    return 0;
}

static float price_of(void *user, const kn_calculation *calculation)
{
    (void)calculation;
    return -((const fixture *)user)->price;
}

static bool find_nobody(const kn_targeting_call *call, kn_target_data *out)
{
    (void)out;
    note(call->user, "looks. ");
    return false;
}

static void register_effects(fixture *f)
{
    kn_modifier_def more = kn_modifier_constant(f->haste, KN_OP_ADD, 1.0f);
    kn_effect_def banner = kn_effect_def_default();
    banner.name = "Banner";
    banner.duration_kind = KN_DURATION_INFINITE;
    banner.modifiers = &more;
    banner.modifier_count = 1;
    banner.acts_on_owned = true;
    f->banner = effect_register(f, &banner);
    kn_modifier_def tenth = kn_modifier_constant(f->stamina, KN_OP_ADD, 0.1f);
    kn_effect_def boost = kn_effect_def_default();
    boost.name = "Boost";
    boost.duration_kind = KN_DURATION_INFINITE;
    boost.modifiers = &tenth;
    boost.modifier_count = 1;
    f->boost = effect_register(f, &boost);
    kn_effect_def twin = kn_effect_def_default();
    twin.name = "Twin";
    twin.duration_kind = KN_DURATION_INFINITE;
    twin.stacking.kind = KN_STACK_BY_TARGET;
    twin.stacking.limit = kn_constant(1.0f);
    twin.stacking.deny_overflow = true;
    f->twin = effect_register(f, &twin);
    const kn_attribute_id followers[2] = {f->stamina, f->mana};
    for (uint32_t i = 0; i < 2; i++) {
        kn_modifier_def follow = kn_modifier_def_default();
        follow.attribute = followers[i];
        follow.op = KN_OP_ADD;
        follow.magnitude =
            kn_magnitude_attribute(f->haste, KN_CAPTURE_FROM_TARGET, false, (float)(i + 2));
        kn_effect_def def = kn_effect_def_default();
        def.name = i == 0 ? "Stride" : "Focus";
        def.duration_kind = KN_DURATION_INFINITE;
        def.modifiers = &follow;
        def.modifier_count = 1;
        f->followers[i] = effect_register(f, &def);
    }
}

static void register_abilities(fixture *f)
{
    kn_ability_def watch = ability_def(f, "Watch");
    f->watch = ability_register(f, &watch);
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(50.0f)};
    kn_ability_def dear = ability_def(f, "Dear");
    dear.costs = &cost;
    dear.cost_count = 1;
    f->dear = ability_register(f, &dear);
    kn_calculation_def price = kn_calculation_def_default();
    price.name = "Price";
    price.function = price_of;
    price.user = f;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &price, &calculation, NULL), KN_OK);
    kn_modifier_def pay = kn_modifier_def_default();
    pay.attribute = f->mana;
    pay.op = KN_OP_ADD;
    pay.magnitude = kn_magnitude_calculation(calculation);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Payment";
    effect.duration_kind = KN_DURATION_INSTANT;
    effect.modifiers = &pay;
    effect.modifier_count = 1;
    kn_ability_def strange = ability_def(f, "Strange");
    strange.cost_effect = effect_register(f, &effect);
    f->strange = ability_register(f, &strange);
    kn_targeting_def aim = kn_targeting_def_default();
    aim.name = "Aim";
    aim.shape = KN_SHAPE_CUSTOM;
    aim.find = find_nobody;
    aim.user = f;
    assert_int_equal(kn_targeting_register(f->library, &aim, &f->aim, NULL), KN_OK);
}

static int subject_setup(void **state)
{
    (void)setup(state);
    fixture *f = *state;
    register_effects(f);
    register_abilities(f);
    (void)tag_of(f, "GameplayCue.Glow");
    (void)tag_of(f, "GameplayCue.Hum");
    (void)tag_of(f, "State.Marked");
    assert_int_equal(
        kn_timer_type_register(f->library, "Bell", bell_rings, NULL, &f->bell, NULL), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.event_mask = ~UINT64_C(0);
    begin_with(f, def);
    for (uint32_t i = 0; i < OTHERS; i++) {
        assert_int_equal(kn_entity_create(f->world, &f->others[i]), KN_OK);
        assert_int_equal(kn_attribute_set_add(f->world, f->others[i], f->set, 0), KN_OK);
    }
    step(f, 0);
    return 0;
}

static int subject_teardown(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(NULL);
    assert_true(kn_world_validate(f->world));
    return teardown(state);
}

// Whether validation notices another number in a list. It is as before afterwards.
static void expect_noticed(const fixture *f, uint32_t *number, uint32_t wrong)
{
    assert_true(kn_world_validate(f->world));
    uint32_t kept = *number;
    assert_int_not_equal(kept, wrong);
    *number = wrong;
    kn_assert_set_handler(ignore);
    assert_false(kn_world_validate(f->world));
    kn_assert_set_handler(NULL);
    *number = kept;
    assert_true(kn_world_validate(f->world));
}

// Snapshots and saves -------------------------------------------------------

typedef struct kept {
    void *data;
    size_t size;
} kept;

static kept keep(const fixture *f)
{
    kept k;
    k.data = snapshot_of(f->world, &k.size);
    return k;
}

static void restore(fixture *f, kept *k)
{
    snapshot_restore(f->world, k->data, k->size);
    free(k->data);
    k->data = NULL;
}

static void load_own_save(fixture *f)
{
    kept k;
    k.data = save_of(f->world, &k.size);
    save_load(f->world, k.data, k.size);
    free(k.data);
}

// Owners --------------------------------------------------------------------

static kni_component *component_of(const fixture *f, kn_entity_id entity)
{
    uint32_t slot = kni_component_find(f->world, entity);
    assert_int_not_equal(slot, KNI_NONE);
    return kni_component_at(f->world, slot);
}

// "0 2 5": which of the others an entity owns, by its list.
static const char *owned_by(const fixture *f, kn_entity_id owner)
{
    static char text[64];
    text[0] = 0;
    const kni_span *owned = &component_of(f, owner)->owned;
    for (uint32_t i = 0; i < owned->count; i++) {
        uint32_t slot = *KNI_SPAN_AT(f->world, *owned, uint32_t, i);
        for (uint32_t o = 0; o < OTHERS; o++) {
            if (kni_component_find(f->world, f->others[o]) == slot) {
                size_t length = strlen(text);
                (void)snprintf(
                    text + length, sizeof(text) - length, "%s%u", length > 0 ? " " : "", o);
            }
        }
    }
    return text;
}

static void own(fixture *f, uint32_t other, kn_entity_id owner)
{
    assert_int_equal(kn_entity_set_owner(f->world, f->others[other], owner), KN_OK);
    assert_true(kn_world_validate(f->world));
}

static void owned_entities_are_listed_by_slot_with_their_owner(void **state)
{
    fixture *f = *state;
    assert_int_equal(
        kn_effect_apply_simple(f->world, f->banner, f->hero, f->hero, 1.0f, NULL), KN_OK);
    static const uint32_t order[] = {4, 1, 5, 0, 3};
    for (uint32_t i = 0; i < 5; i++) {
        own(f, order[i], f->hero);
    }
    assert_string_equal(owned_by(f, f->hero), "0 1 3 4 5");
    own(f, 3, f->foe);
    own(f, 4, (kn_entity_id){0});
    own(f, 2, f->others[2]); // itself
    assert_string_equal(owned_by(f, f->hero), "0 1 5");
    assert_string_equal(owned_by(f, f->foe), "3");
    assert_string_equal(owned_by(f, f->others[2]), "2");
    for (uint32_t i = 0; i < OTHERS; i++) {
        float haste = kn_attribute_value(f->world, f->others[i], f->haste);
        assert_float_equal(haste, i == 0 || i == 1 || i == 5 ? 2.0f : 1.0f, 0.0f);
    }
    kept k = keep(f);
    assert_true(kn_entity_destroy(f->world, f->others[1]));
    assert_true(kn_entity_destroy(f->world, f->others[2]));
    step(f, KN_MS(1));
    assert_string_equal(owned_by(f, f->hero), "0 5");
    restore(f, &k);
    assert_string_equal(owned_by(f, f->hero), "0 1 5");
    load_own_save(f);
    assert_string_equal(owned_by(f, f->hero), "0 1 5");
    assert_string_equal(owned_by(f, f->foe), "3");
}

static void the_owned_outlive_their_owner(void **state)
{
    fixture *f = *state;
    assert_int_equal(
        kn_effect_apply_simple(f->world, f->banner, f->hero, f->hero, 1.0f, NULL), KN_OK);
    own(f, 0, f->hero);
    own(f, 1, f->hero);
    kn_entity_id gone = f->hero;
    assert_true(kn_entity_destroy(f->world, f->hero));
    step(f, 0);
    assert_true(kn_entity_id_equal(kn_entity_owner(f->world, f->others[0]), gone));
    assert_float_equal(kn_attribute_value(f->world, f->others[0], f->haste), 1.0f, 0.0f);
    // Another one in the same place owns nobody, and those left find a new owner.
    assert_int_equal(kn_entity_create(f->world, &f->hero), KN_OK);
    assert_int_equal(kn_entity_make_actor(f->world, f->hero), KN_OK);
    assert_int_equal(f->hero.index1, gone.index1);
    assert_string_equal(owned_by(f, f->hero), "");
    own(f, 0, f->hero);
    assert_string_equal(owned_by(f, f->hero), "0");
    load_own_save(f);
    assert_string_equal(owned_by(f, f->hero), "0");
    assert_true(kn_entity_destroy(f->world, f->others[1]));
    step(f, 0);
}

static void a_wrong_list_of_the_owned_is_noticed(void **state)
{
    fixture *f = *state;
    own(f, 1, f->hero);
    own(f, 3, f->hero);
    kni_span *owned = &component_of(f, f->hero)->owned;
    uint32_t *list = KNI_SPAN_AT(f->world, *owned, uint32_t, 0);
    expect_noticed(f, &owned->count, 1);
    expect_noticed(f, &list[0], list[1]);
    expect_noticed(f, &list[1], kni_component_find(f->world, f->others[4]));
}

// Parents, timers -----------------------------------------------------------

static void children_leave_their_parent_from_any_place(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < OTHERS; i++) {
        assert_int_equal(kn_entity_set_parent(f->world, f->others[i], f->hero), KN_OK);
    }
    assert_true(kn_world_validate(f->world));
    kept k = keep(f);
    static const uint32_t order[] = {2, 5, 0}; // the middle, the first, the last of the list
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            kn_entity_set_parent(f->world, f->others[order[i]], (kn_entity_id){0}), KN_OK);
        assert_true(kn_world_validate(f->world));
    }
    assert_true(kn_entity_destroy(f->world, f->others[3]));
    assert_true(kn_world_validate(f->world));
    expect_noticed(f, &component_of(f, f->others[1])->sibling_back1, 0);
    expect_noticed(f, &component_of(f, f->hero)->child1, 0);
    assert_true(kn_entity_destroy(f->world, f->hero));
    assert_true(kn_world_validate(f->world));
    assert_int_equal(component_of(f, f->others[1])->sibling_back1, 0);
    restore(f, &k);
    load_own_save(f);
    for (uint32_t i = 0; i < OTHERS; i++) {
        assert_true(kn_entity_id_equal(kn_entity_parent(f->world, f->others[i]), f->hero));
    }
}

static void timers_leave_their_entity_from_any_place(void **state)
{
    fixture *f = *state;
    kn_timer_id timers[5];
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(
            kn_timer_start(f->world, f->bell, f->hero, KN_S(i + 1), NULL, &timers[i]), KN_OK);
    }
    kept k = keep(f);
    static const uint32_t order[] = {2, 4, 0};
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(kn_timer_cancel(f->world, timers[order[i]]));
        assert_true(kn_world_validate(f->world));
    }
    kni_rule_timer *second = kni_pool_at(&f->world->timers, timers[1].index1 - 1);
    expect_noticed(f, &second->back1, 0);
    expect_noticed(f, &f->world->timer_firsts[f->hero.index1 - 1], 0);
    assert_true(kn_entity_destroy(f->world, f->hero));
    step(f, 0);
    assert_false(kn_timer_is_alive(f->world, timers[1]));
    restore(f, &k);
    load_own_save(f);
    step(f, KN_S(2));
    assert_false(kn_timer_is_alive(f->world, timers[1]));
    assert_true(kn_timer_is_alive(f->world, timers[2]));
}

// Cues, tasks ---------------------------------------------------------------

static void glow(fixture *f, kn_entity_id entity, const char *tag, kn_activation_id activation)
{
    kn_cue_params params = kn_cue_params_default();
    params.activation = activation;
    assert_int_equal(kn_cue_add(f->world, entity, tag_of(f, tag), &params), KN_OK);
}

// "7 Glow. 3 Hum. ": entities and cues that ended in the last step.
static const char *cues_ended(const fixture *f)
{
    static char text[256];
    text[0] = 0;
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_CUE && event->data.cue.action == KN_CUE_REMOVED) {
            size_t length = strlen(text);
            (void)snprintf(text + length, sizeof(text) - length, "%u %s. ", event->entity.index1,
                kn_tag_name(f->library, event->data.cue.tag) + strlen("GameplayCue."));
        }
    }
    return text;
}

static void cues_of_an_activation_end_with_it_the_youngest_first(void **state)
{
    fixture *f = *state;
    kn_activation_id first = activate(f, grant(f, f->watch)), second;
    second = activate(f, grant(f, f->dear));
    glow(f, f->foe, "GameplayCue.Glow", first);
    glow(f, f->hero, "GameplayCue.Hum", second);
    glow(f, f->others[0], "GameplayCue.Hum", first);
    glow(f, f->others[1], "GameplayCue.Glow", first);
    glow(f, f->others[2], "GameplayCue.Glow", (kn_activation_id){0});
    assert_int_equal(kn_cue_remove(f->world, f->others[0], tag_of(f, "GameplayCue.Hum")), KN_OK);
    step(f, 0);
    kni_span *cues = &kni_activation_at(f->world, first.index1 - 1)->cues;
    assert_int_equal(cues->count, 2);
    expect_noticed(f, &cues->count, 1);
    char expected[64];
    (void)snprintf(
        expected, sizeof(expected), "%u Glow. %u Glow. ", f->others[1].index1, f->foe.index1);
    kept k = keep(f);
    for (uint32_t round = 0; round < 2; round++) {
        assert_int_equal(kn_activation_end(f->world, first), KN_OK);
        step(f, 0);
        assert_string_equal(cues_ended(f), expected);
        if (round == 0) {
            restore(f, &k);
            load_own_save(f);
        }
    }
    assert_int_equal(f->world->cues.count, 2);
    assert_true(kn_entity_destroy(f->world, f->hero));
    step(f, 0);
    assert_int_equal(f->world->cues.count, 1);
}

static kn_task_id aim_run(fixture *f, kn_activation_id activation)
{
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = f->aim;
    def.confirm = KN_CONFIRM_USER;
    kn_task_id task;
    assert_int_equal(kn_task_run(f->world, activation, &def, &task), KN_OK);
    return task;
}

static void only_targeting_tasks_look(void **state)
{
    fixture *f = *state;
    kn_activation_id activation = activate(f, grant(f, f->watch));
    kn_task_id aims[3];
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_wait_delay(f->world, activation, 0, KN_S(100)), KN_OK);
        aims[i] = aim_run(f, activation);
    }
    f->log[0] = 0;
    assert_int_equal(kn_targeting_step(f->world, KN_MS(1)), KN_OK);
    EXPECT_LOG(f, "looks. looks. looks. ");
    kni_span *tasks = &f->world->targeting_tasks;
    expect_noticed(f, &tasks->count, 2);
    uint32_t *list = KNI_SPAN_AT(f->world, *tasks, uint32_t, 0);
    expect_noticed(f, &list[0], list[1]);
    kept k = keep(f);
    assert_int_equal(kn_task_end(f->world, aims[1]), KN_OK);
    assert_int_equal(kn_targeting_step(f->world, KN_MS(1)), KN_OK);
    EXPECT_LOG(f, "looks. looks. ");
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    f->log[0] = 0;
    assert_int_equal(kn_targeting_step(f->world, KN_MS(1)), KN_OK);
    EXPECT_LOG(f, "");
    restore(f, &k);
    load_own_save(f);
    assert_int_equal(kn_targeting_step(f->world, KN_MS(1)), KN_OK);
    EXPECT_LOG(f, "looks. looks. looks. ");
}

static uint32_t errors_published(const fixture *f)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_ERROR;
    }
    return count;
}

static void a_forgotten_task_is_reported_once_and_may_still_start(void **state)
{
    fixture *f = *state;
    kn_activation_id activation = activate(f, grant(f, f->watch));
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.delay = KN_S(1);
    kn_task_id tasks[2];
    assert_int_equal(kn_task_create(f->world, activation, &def, &tasks[0]), KN_OK);
    step(f, 0);
    assert_int_equal(errors_published(f), 1);
    assert_int_equal(kn_task_create(f->world, activation, &def, &tasks[1]), KN_OK);
    step(f, 0);
    assert_int_equal(errors_published(f), 1);
    step(f, 0);
    assert_int_equal(errors_published(f), 0);
    assert_int_equal(f->world->unstarted_tasks, 0);
    assert_int_equal(kn_task_start(f->world, tasks[0]), KN_OK);
    assert_int_equal(kn_task_end(f->world, tasks[1]), KN_OK);
    step(f, 0);
    assert_int_equal(f->world->unstarted_tasks, 0);
}

static void watchers_of_one_entity_come_and_go_in_any_order(void **state)
{
    fixture *f = *state;
    kn_activation_id activation = activate(f, grant(f, f->watch));
    kn_task_id tasks[12];
    for (uint32_t i = 0; i < 12; i++) {
        kn_task_def def = kn_task_def_default(i % 2 == 0 ? KN_TASK_TAG_ADDED : KN_TASK_ATTRIBUTE);
        def.entity = f->foe;
        def.tag = tag_of(f, "State.Marked");
        def.attribute = f->mana;
        assert_int_equal(kn_task_run(f->world, activation, &def, &tasks[i]), KN_OK);
    }
    const kni_actor *actor = kni_actor_of(f->world, kni_component_find(f->world, f->foe));
    assert_int_equal(actor->watchers.count, 12);
    const uint32_t attributes = 1u << KN_TRIGGER_ATTRIBUTE_CHANGED;
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t index = i * 5 % 12;
        bool is_last = actor->watchers.count == 1;
        assert_true((actor->watch_mask & attributes) != 0 || i > 6);
        assert_int_equal(kn_task_end(f->world, tasks[index]), KN_OK);
        assert_true(kn_world_validate(f->world)); // the mask is right
        assert_int_equal(actor->watch_mask == 0, is_last);
    }
    assert_int_equal(component_of(f, f->foe)->flags & KNI_COMPONENT_WATCHED, 0);
}

// Status --------------------------------------------------------------------

// "Dear 64. ": what was published about abilities in the last step.
static const char *statuses(const fixture *f)
{
    static char text[256];
    text[0] = 0;
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_ABILITY_STATUS) {
            size_t length = strlen(text);
            (void)snprintf(text + length, sizeof(text) - length, "%s %u. ",
                kn_ability_type_name(f->library, event->data.ability.type),
                event->data.ability.reasons);
        }
    }
    return text;
}

static void set_mana(fixture *f, kn_entity_id entity, float value)
{
    assert_int_equal(kn_attribute_set_base(f->world, entity, f->mana, 0, value), KN_OK);
}

static void only_abilities_of_changed_components_are_looked_at(void **state)
{
    fixture *f = *state;
    kn_ability_id dear = grant(f, f->dear);
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = f->watch;
    assert_int_equal(kn_ability_grant(f->world, f->foe, &def, NULL), KN_OK);
    step(f, 0);
    assert_int_not_equal(f->world->touch_stamp, 0);
    assert_int_equal(f->world->touched_count, 0);
    set_mana(f, f->others[0], 1.0f); // has no abilities
    assert_int_equal(f->world->touched_count, 0);
    set_mana(f, f->hero, 1.0f);
    set_mana(f, f->hero, 2.0f);
    assert_int_equal(f->world->touched_count, 1);
    // An ability that is not listed keeps what was last found of it.
    kni_ability *ability = kni_ability_at(f->world, dear.index1 - 1);
    step(f, 0);
    assert_string_equal(statuses(f), "Dear 64. ");
    uint32_t told = ability->told_status;
    ability->told_status = 0;
    step(f, 0);
    assert_string_equal(statuses(f), "");
    ability->told_status = told;
}

static void a_status_that_changed_is_published_after_a_restore_and_a_load(void **state)
{
    fixture *f = *state;
    (void)grant(f, f->dear);
    step(f, 0);
    set_mana(f, f->hero, 1.0f);
    kept k = keep(f); // the change is not published yet
    step(f, 0);
    assert_string_equal(statuses(f), "Dear 64. ");
    restore(f, &k);
    assert_int_equal(f->world->touch_stamp, 0);
    step(f, 0);
    assert_string_equal(statuses(f), "Dear 64. ");
    set_mana(f, f->hero, 100.0f);
    step(f, 0);
    assert_string_equal(statuses(f), "Dear 0. ");
    load_own_save(f);
    set_mana(f, f->hero, 1.0f);
    step(f, 0);
    assert_string_equal(statuses(f), "Dear 64. ");
    set_mana(f, f->hero, 100.0f);
    step(f, 0);
    assert_string_equal(statuses(f), "Dear 0. ");
}

static void a_cost_that_a_function_answers_is_asked_in_every_step(void **state)
{
    fixture *f = *state;
    kn_ability_id strange = grant(f, f->strange);
    f->price = 10.0f;
    step(f, 0);
    assert_int_equal(f->world->priced.count, 1);
    expect_noticed(f, &f->world->priced.count, 0);
    f->price = 1000.0f; // nothing in the world changes
    step(f, 0);
    assert_string_equal(statuses(f), "Strange 64. ");
    kept k = keep(f);
    assert_int_equal(kn_ability_remove(f->world, strange, KN_GRANT_CANCEL), KN_OK);
    assert_int_equal(f->world->priced.count, 0);
    restore(f, &k);
    load_own_save(f);
    assert_int_equal(f->world->priced.count, 1);
    step(f, 0);
    f->price = 10.0f;
    step(f, 0);
    assert_string_equal(statuses(f), "Strange 0. ");
}

static void stamps_of_changed_components_begin_again(void **state)
{
    fixture *f = *state;
    (void)grant(f, f->dear);
    step(f, 0);
    set_mana(f, f->hero, 1.0f);
    f->world->touch_last = UINT32_MAX;
    step(f, 0);
    assert_int_equal(f->world->touch_stamp, 1);
    assert_string_equal(statuses(f), "Dear 64. ");
    set_mana(f, f->hero, 100.0f);
    step(f, 0);
    assert_string_equal(statuses(f), "Dear 0. ");
}

// Stacks, sums --------------------------------------------------------------

static uint32_t denials(const fixture *f)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_EFFECT_STACK_DENIED;
    }
    return count;
}

static void a_denial_is_published_once_in_each_step(void **state)
{
    fixture *f = *state;
    kn_effect_id effects[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(
            kn_effect_apply_simple(f->world, f->twin, f->hero, f->others[i], 1.0f, &effects[i]),
            KN_OK);
    }
    step(f, 0);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 6; i++) {
            assert_int_not_equal(
                kn_effect_apply_simple(f->world, f->twin, f->hero, f->others[i % 2], 1.0f, NULL),
                KN_OK);
        }
        assert_int_equal(f->world->denied_count, 2);
        if (round == 1) {
            kept k = keep(f); // restored in the middle of a step
            step(f, 0);
            restore(f, &k);
            assert_int_equal(f->world->denied_count, 2);
        }
        step(f, 0);
        assert_int_equal(denials(f), 2);
        assert_int_equal(f->world->denied_count, 0);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(
                kni_effect_at(f->world, effects[i].index1 - 1)->flags & KNI_ACTIVE_DENIED, 0);
        }
    }
}

static const kni_aggregator *aggregator_of(const fixture *f)
{
    const kni_component *component = component_of(f, f->hero);
    uint32_t index = f->stamina.index1 - 1;
    uint32_t position = f->world->layouts[component->layout].positions[index];
    uint32_t aggregator1 = kni_values_of(f->world, component)[position].aggregator1;
    assert_int_not_equal(aggregator1, 0);
    return kni_aggregator_at(f->world, aggregator1 - 1);
}

// In floats, ten times a tenth is not one: the sum has to be made in the order of application.
static float stamina_of(uint32_t boosts)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < boosts; i++) {
        sum += 0.1f;
    }
    return 100.0f + sum;
}

static void sums_of_many_modifiers_are_those_of_a_fresh_look(void **state)
{
    fixture *f = *state;
    kn_effect_id effects[300];
    for (uint32_t i = 0; i < 300; i++) {
        assert_int_equal(
            kn_effect_apply_simple(f->world, f->boost, f->hero, f->hero, 1.0f, &effects[i]), KN_OK);
        assert_true(value_of(f, f->stamina) == stamina_of(i + 1));
        assert_int_equal(aggregator_of(f)->sums.count, (i + 1) / KNI_SUMS_STEP);
    }
    step(f, 0);
    kept k = keep(f);
    uint32_t left = 300;
    static const uint32_t order[] = {299, 150, 64, 63, 0, 200, 127, 128};
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(
            kn_effect_remove(f->world, effects[order[i]], 0, KN_REMOVED_BY_CALL), KN_OK);
        assert_true(value_of(f, f->stamina) == stamina_of(--left));
        step(f, KN_MS(1)); // which validates
    }
    restore(f, &k);
    assert_int_equal(aggregator_of(f)->sums.count, 4);
    load_own_save(f);
    assert_int_equal(aggregator_of(f)->sums.count, 0); // as far as they are known
    assert_int_equal(
        kn_effect_apply_simple(f->world, f->boost, f->hero, f->hero, 1.0f, NULL), KN_OK);
    assert_true(value_of(f, f->stamina) == stamina_of(301));
    assert_int_equal(aggregator_of(f)->sums.count, 4);
    kni_sums *last = KNI_SPAN_AT(f->world, aggregator_of(f)->sums, kni_sums, 3);
    uint32_t bits;
    memcpy(&bits, &last->add, sizeof(bits));
    expect_noticed(f, (uint32_t *)(void *)&last->add, bits ^ 0x10000u);
}

// After the last number of a propagation come those from 2 on: 0 and 1 mean none.
static void propagations_are_numbered_from_the_start_again(void **state)
{
    fixture *f = *state;
    set_base(f, f->hero, f->haste, 0.0f);
    float stamina = value_of(f, f->stamina), mana = value_of(f, f->mana);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(
            kn_effect_apply_simple(f->world, f->followers[i], f->hero, f->hero, 1.0f, NULL), KN_OK);
    }
    f->world->stamp = UINT32_MAX - 2;
    for (uint32_t i = 1; i <= 6; i++) {
        set_base(f, f->hero, f->haste, (float)i);
        assert_near(value_of(f, f->stamina), stamina + 2.0f * (float)i);
        assert_near(value_of(f, f->mana), mana + 3.0f * (float)i);
    }
    assert_in_range(f->world->stamp, 2, 6);
}

#define SUBJECT(test) cmocka_unit_test_setup_teardown(test, subject_setup, subject_teardown)

static const struct CMUnitTest tests[] = {
    SUBJECT(owned_entities_are_listed_by_slot_with_their_owner),
    SUBJECT(the_owned_outlive_their_owner),
    SUBJECT(a_wrong_list_of_the_owned_is_noticed),
    SUBJECT(children_leave_their_parent_from_any_place),
    SUBJECT(timers_leave_their_entity_from_any_place),
    SUBJECT(cues_of_an_activation_end_with_it_the_youngest_first),
    SUBJECT(only_targeting_tasks_look),
    SUBJECT(a_forgotten_task_is_reported_once_and_may_still_start),
    SUBJECT(watchers_of_one_entity_come_and_go_in_any_order),
    SUBJECT(only_abilities_of_changed_components_are_looked_at),
    SUBJECT(a_status_that_changed_is_published_after_a_restore_and_a_load),
    SUBJECT(a_cost_that_a_function_answers_is_asked_in_every_step),
    SUBJECT(stamps_of_changed_components_begin_again),
    SUBJECT(a_denial_is_published_once_in_each_step),
    SUBJECT(sums_of_many_modifiers_are_those_of_a_fresh_look),
    SUBJECT(propagations_are_numbered_from_the_start_again),
};

TEST_GROUP(test_lists, tests, NULL, NULL);
