// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What events say: who is behind a tick, whose effect ended, and changes that add up.

#include "scenario/ability_fixture.h"

static const kn_event *last_of(const fixture *f, kn_event_type type)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = events.count; i-- > 0;) {
        if (events.data[i].type == type) {
            return &events.data[i];
        }
    }
    return NULL;
}

static uint32_t count_of(const fixture *f, kn_event_type type)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == type;
    }
    return count;
}

static kn_effect_type_id burn_register(fixture *f, float duration, const char *asset)
{
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5.0f);
    kn_effect_def def = timed("Burn", duration);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.skip_first_tick = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    if (asset != NULL) {
        def.asset_tags = tags_of(f, asset);
    }
    return effect_register(f, &def);
}

// Causes --------------------------------------------------------------------

static kn_effect_type_id burn_type;

static kn_result throw_fire(const kn_ability_call *call)
{
    const fixture *f = call->user;
    kn_result result = kn_activation_apply(call->world, call->activation, burn_type, f->foe, NULL);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

static kn_cause_info cause_at(const fixture *f, kn_cause cause, kn_cause_kind kind)
{
    kn_cause_info info;
    assert_true(kn_cause_get(f->world, cause, &info));
    assert_int_equal(info.kind, kind);
    return info;
}

static void expect_fireball(const fixture *f, const kn_event *event, kn_cause_kind kind,
    kn_ability_type_id fireball, const char *text)
{
    assert_non_null(event);
    kn_cause_info timer = cause_at(f, event->cause, kind);
    assert_true(kn_entity_id_equal(timer.entity, f->foe));
    assert_true(kn_entity_id_equal(timer.source, f->hero));
    assert_int_equal(timer.depth, 0);
    kn_cause_info applied = cause_at(f, timer.parent, KN_CAUSE_APPLY);
    assert_true(kn_entity_id_equal(applied.entity, f->foe));
    assert_true(kn_entity_id_equal(applied.source, f->hero));
    assert_int_equal(applied.type.index1, burn_type.index1);
    kn_cause_info ability = cause_at(f, applied.parent, KN_CAUSE_ABILITY);
    assert_true(kn_entity_id_equal(ability.entity, f->hero));
    assert_int_equal(ability.ability.index1, fireball.index1);
    assert_int_equal(ability.parent, 0);
    char found[256];
    (void)kn_cause_print(f->world, event->cause, found, sizeof(found));
    assert_string_equal(found, text);
}

// Also at the last tick and at the end, when the effect is gone.
static void a_tick_leads_to_who_applied_it_by_which_ability(void **state)
{
    fixture *f = *state;
    burn_type = burn_register(f, 2.0f, NULL);
    kn_ability_def def = ability_def(f, "Fireball");
    def.activate = throw_fire;
    def.ended = NULL;
    kn_ability_type_id fireball = ability_register(f, &def);
    begin(f);
    (void)activate(f, grant(f, fireball));
    step(f, KN_MS(1500));
    const char *tick = "tick of Burn #5 on entity 2 <- Burn applied by entity 1 on entity 2 <- "
                       "Fireball on entity 1 <- host";
    const char *expiry = "expiry of Burn #5 on entity 2 <- Burn applied by entity 1 on entity 2 <- "
                         "Fireball on entity 1 <- host";
    expect_fireball(f, last_of(f, KN_EVENT_ATTRIBUTE_CHANGED), KN_CAUSE_TICK, fireball, tick);
    step(f, KN_S(1));
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    expect_fireball(f, last_of(f, KN_EVENT_ATTRIBUTE_CHANGED), KN_CAUSE_TICK, fireball, tick);
    expect_fireball(f, last_of(f, KN_EVENT_EFFECT_REMOVED), KN_CAUSE_EXPIRE, fireball, expiry);
}

// A plain effect without a context, whose source is gone by then, and one without a source.
static void a_plain_tick_leads_to_its_source(void **state)
{
    fixture *f = *state;
    kn_effect_type_id burn = burn_register(f, 3.0f, NULL);
    begin(f);
    assert_int_equal(kn_effect_apply_simple(f->world, burn, f->hero, f->foe, 1.0f, NULL), KN_OK);
    step(f, KN_MS(100));
    kn_entity_id hero = f->hero;
    assert_true(kn_entity_destroy(f->world, f->hero));
    step(f, KN_S(1));
    const kn_event *event = last_of(f, KN_EVENT_ATTRIBUTE_CHANGED);
    kn_cause_info tick = cause_at(f, event->cause, KN_CAUSE_TICK);
    kn_cause_info applied = cause_at(f, tick.parent, KN_CAUSE_APPLY);
    assert_true(kn_entity_id_equal(applied.source, hero));
    assert_int_equal(applied.parent, 0);
    assert_int_equal(
        kn_effect_apply_simple(f->world, burn, (kn_entity_id){0}, f->foe, 1.0f, NULL), KN_OK);
    step(f, KN_S(1));
    event = last_of(f, KN_EVENT_ATTRIBUTE_CHANGED);
    assert_int_equal(cause_at(f, event->cause, KN_CAUSE_TICK).parent, 0);
}

// Effects -------------------------------------------------------------------

static void a_removal_says_whose_effect_it_was_and_its_level(void **state)
{
    fixture *f = *state;
    kn_effect_type_id burn = burn_register(f, 2.0f, NULL);
    begin(f);
    assert_int_equal(kn_effect_apply_simple(f->world, burn, f->hero, f->foe, 7.0f, NULL), KN_OK);
    step(f, 0);
    const kn_event *applied = last_of(f, KN_EVENT_EFFECT_APPLIED);
    assert_true(kn_entity_id_equal(applied->data.effect.source, f->hero));
    assert_true(applied->data.effect.level == 7.0f);
    step(f, KN_S(2));
    const kn_event *removed = last_of(f, KN_EVENT_EFFECT_REMOVED);
    assert_true(kn_entity_id_equal(removed->entity, f->foe));
    assert_true(kn_entity_id_equal(removed->data.effect.source, f->hero));
    assert_true(removed->data.effect.level == 7.0f);
    assert_int_equal(removed->data.effect.reason, KN_REMOVED_EXPIRED);
}

// At its limit an effect that never ends has nothing to change, but it was applied.
static void an_application_at_the_limit_is_published(void **state)
{
    fixture *f = *state;
    kn_effect_def def = infinite("Mark");
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(2.0f);
    kn_effect_type_id mark = effect_register(f, &def);
    def.name = "Timed";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(5.0f);
    kn_effect_type_id timed = effect_register(f, &def);
    begin(f);
    for (uint32_t i = 0; i < 3; i++) {
        step(f, 0);
        assert_int_equal(
            kn_effect_apply_simple(f->world, mark, f->hero, f->foe, 1.0f, NULL), KN_OK);
    }
    step(f, 0);
    assert_int_equal(count_of(f, KN_EVENT_EFFECT_STACKS), 1);
    const kn_event *event = last_of(f, KN_EVENT_EFFECT_STACKS);
    assert_int_equal(event->data.effect.old_count, 2);
    assert_int_equal(event->data.effect.count, 2);
    char text[128];
    (void)kn_event_print(f->world, event, text, sizeof(text));
    assert_non_null(strstr(text, "Mark #3 applied again, 2 stacks"));
    // What refreshes has an event for that.
    for (uint32_t i = 0; i < 3; i++) {
        step(f, 0);
        assert_int_equal(
            kn_effect_apply_simple(f->world, timed, f->hero, f->foe, 1.0f, NULL), KN_OK);
    }
    step(f, 0);
    assert_int_equal(count_of(f, KN_EVENT_EFFECT_STACKS), 0);
    assert_int_equal(count_of(f, KN_EVENT_EFFECT_TIME), 1);
}

// Attributes ----------------------------------------------------------------

static float sum_of_changes(const fixture *f, kn_attribute_id attribute)
{
    float sum = 0.0f;
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_ATTRIBUTE_CHANGED &&
            event->data.attribute.attribute.index1 == attribute.index1) {
            sum += event->data.attribute.new_value - event->data.attribute.old_value;
        }
    }
    return sum;
}

// What modifiers added when the set was added is published as lost when it is removed: changes add
// up to 0.
static void changes_add_up_when_a_set_comes_and_goes(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[2] = {kn_modifier_constant(f->health, KN_OP_ADD, 30.0f),
        kn_modifier_constant(f->mana, KN_OP_MULTIPLY, 1.5f)};
    kn_effect_def def = infinite("Gift");
    def.modifiers = modifiers;
    def.modifier_count = 2;
    kn_effect_type_id gift = effect_register(f, &def);
    begin(f);
    assert_int_equal(kn_effect_apply_simple(f->world, gift, f->hero, f->foe, 1.0f, NULL), KN_OK);
    step(f, 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_attribute_set_remove(f->world, f->foe, f->set, 0), KN_OK);
        step(f, 0);
        assert_true(sum_of_changes(f, f->health) == -30.0f);
        assert_true(sum_of_changes(f, f->mana) == -50.0f);
        assert_true(last_of(f, KN_EVENT_SET_REMOVED) > last_of(f, KN_EVENT_ATTRIBUTE_CHANGED));
        add_set(f, f->foe, f->set);
        step(f, 0);
        assert_true(sum_of_changes(f, f->health) == 30.0f);
        assert_true(sum_of_changes(f, f->mana) == 50.0f);
    }
}

// Errors --------------------------------------------------------------------

static kn_result fail_badly(const kn_ability_call *call)
{
    (void)call;
    return KN_ERROR_BAD_DATA;
}

// Two failures are two errors, also if the events between them are not requested.
static void errors_do_not_depend_on_other_events(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Broken");
    def.activate = fail_badly;
    def.ended = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.event_mask = UINT64_C(1) << KN_EVENT_ERROR;
    begin_with(f, world);
    kn_ability_id broken = grant(f, type);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_ability_activate(f->world, broken, NULL, NULL), KN_ERROR_BAD_DATA);
    }
    step(f, 0);
    assert_int_equal(count_of(f, KN_EVENT_ERROR), 2);
}

// Raised events -------------------------------------------------------------

static kn_result note_record(const kn_ability_call *call, const kn_event_record *event)
{
    note(call->user, "target %u, instigator %u, object %u, magnitude %g:", event->target.index1,
        event->instigator.index1, (uint32_t)event->object, (double)event->magnitude);
    for (uint32_t i = 0; i < event->tags.count; i++) {
        note(call->user, " %s", kn_tag_name(kn_world_library(call->world), event->tags.data[i]));
    }
    return kn_activation_end(call->world, call->activation);
}

// ABI-098: who receives it is told whom the effect is on, what it is and what its context says.
static void a_raised_event_names_victim_and_tags(void **state)
{
    fixture *f = *state;
    kn_raise_def raise = kn_raise_def_default();
    raise.when = KN_RAISE_APPLIED;
    raise.tag = tag_of(f, "Event.Attack");
    raise.to = KN_RECIPIENT_SOURCE;
    raise.magnitude = kn_magnitude_constant(3.0f);
    kn_effect_def attack = kn_effect_def_default();
    attack.name = "Attack";
    attack.duration_kind = KN_DURATION_INSTANT;
    attack.asset_tags = tags_of(f, "School.Fire");
    attack.raises = &raise;
    attack.raise_count = 1;
    kn_effect_type_id type = effect_register(f, &attack);
    kn_trigger_def trigger = {.tag = raise.tag, .source = KN_TRIGGER_SOURCE_EVENT};
    kn_ability_def rider = ability_def(f, "Rider");
    rider.activate = NULL;
    rider.ended = NULL;
    rider.activate_by_event = note_record;
    rider.triggers = &trigger;
    rider.trigger_count = 1;
    kn_ability_type_id rider_type = ability_register(f, &rider);
    tag_of(f, "Weapon.Bow");
    begin(f);
    (void)grant(f, rider_type);
    kn_effect_context context = {.source_object = 77};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = type;
    apply.source = f->hero;
    apply.target = f->foe;
    apply.context = &context;
    apply.dynamic_asset_tags = tags_of(f, "Weapon.Bow");
    assert_int_equal(kn_effect_apply(f->world, &apply, NULL), KN_OK);
    EXPECT_LOG(f, "target 2, instigator 1, object 77, magnitude 3: School.Fire Weapon.Bow");
}

// Rules ---------------------------------------------------------------------

static void note_reaction(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    static const char *const names[] = {[KN_TRIGGER_ABILITY_ACTIVATED] = "activated",
        [KN_TRIGGER_ABILITY_COMMITTED] = "committed",
        [KN_TRIGGER_ABILITY_ENDED] = "ended",
        [KN_TRIGGER_OVERLAP] = "overlap",
        [KN_TRIGGER_MOVEMENT] = "movement"};
    note(user, "%s of %u. ", names[reaction->trigger], reaction->entity.index1);
}

// Every trigger that the header has can be registered.
static void rules_react_to_abilities_and_to_the_host(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"A", "B", "C", "D", "E"};
    for (uint32_t i = 0; i < 5; i++) {
        kn_rule_def def = kn_rule_def_default();
        def.name = names[i];
        def.trigger = (kn_trigger)(KN_TRIGGER_ABILITY_ACTIVATED + i);
        def.function = note_reaction;
        def.user = f;
        kn_rule_id rule;
        assert_int_equal(kn_rule_register(f->library, &def, &rule, NULL), KN_OK);
    }
    kn_ability_def def = ability_def(f, "Go");
    def.activate = NULL;
    def.ended = NULL;
    def.body = KN_BODY_USE;
    kn_ability_type_id go = ability_register(f, &def);
    begin(f);
    (void)activate(f, grant(f, go));
    EXPECT_LOG(f, "activated of 1. committed of 1. ended of 1. ");
    assert_int_equal(kn_host_overlap(f->world, f->foe, f->hero), KN_OK);
    assert_int_equal(kn_host_movement_mode(f->world, f->foe, 3), KN_OK);
    EXPECT_LOG(f, "overlap of 2. movement of 2. ");
}

static const struct CMUnitTest tests[] = {
    TEST(a_tick_leads_to_who_applied_it_by_which_ability),
    TEST(a_plain_tick_leads_to_its_source),
    TEST(a_removal_says_whose_effect_it_was_and_its_level),
    TEST(an_application_at_the_limit_is_published),
    TEST(changes_add_up_when_a_set_comes_and_goes),
    TEST(errors_do_not_depend_on_other_events),
    TEST(a_raised_event_names_victim_and_tags),
    TEST(rules_react_to_abilities_and_to_the_host),
};

TEST_GROUP(event_facts, tests, NULL, NULL);
