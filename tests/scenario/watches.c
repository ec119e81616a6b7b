// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Watches outside of activations: what wakes them, how they end, and that they are state.

#include "scenario/ability_fixture.h"

static int setup_three(void **state)
{
    int result = setup(state);
    ((fixture *)*state)->entity_count = 3;
    return result;
}

#define TEST_THREE(test) cmocka_unit_test_setup_teardown(test, setup_three, teardown)

typedef struct watch_data {
    uint32_t label;
    uint32_t calls;
    uint64_t rest;
} watch_data;

_Static_assert(sizeof(watch_data) == KN_WATCH_DATA_SIZE, "all of the data");

static void note_call(void *user, kn_world *world, const kn_watch_call *call)
{
    fixture *f = user;
    watch_data *data = call->data;
    data->calls++;
    assert_int_not_equal(call->reaction->cause, 0);
    assert_true(kn_entity_id_equal(call->entity, call->reaction->entity));
    note(f, "%s%u on %u%s, ", kn_watch_type_name(f->library, call->type), data->calls,
        call->entity.index1, call->is_true ? " true" : "");
    (void)world;
}

static kn_watch_def watch_def(fixture *f, const char *name, kn_trigger trigger)
{
    kn_watch_def def = kn_watch_def_default();
    def.name = name;
    def.trigger = trigger;
    def.function = note_call;
    def.user = f;
    return def;
}

static kn_watch_type_id watch_register(fixture *f, const kn_watch_def *def)
{
    kn_watch_type_id type;
    kn_error error = {0};
    if (kn_watch_type_register(f->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static kn_watch_id start(fixture *f, kn_watch_type_id type, kn_entity_id entity, bool once)
{
    kn_watch_start_def def = kn_watch_start_def_default();
    def.type = type;
    def.entity = entity;
    def.once = once;
    kn_watch_id watch;
    assert_int_equal(kn_watch_start(f->world, &def, &watch), KN_OK);
    assert_true(kn_watch_is_alive(f->world, watch));
    return watch;
}

static const kn_entity_id anybody;

// What wakes them -------------------------------------------------------------

static void a_watch_waits_for_one_entity_or_any(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet"), dry = tag_of(f, "State.Dry");
    kn_watch_def def = watch_def(f, "Wet", KN_TRIGGER_TAG_ADDED);
    def.tag = wet;
    kn_watch_type_id type = watch_register(f, &def);
    begin(f);
    start(f, type, anybody, false);
    kn_watch_id hero = start(f, type, f->hero, false);
    start(f, type, f->hero, true);
    add_tag(f, f->hero, dry);
    EXPECT_LOG(f, "");
    add_tag(f, f->hero, wet); // those of the entity first, in order of their start
    EXPECT_LOG(f, "Wet1 on 1, Wet1 on 1, Wet1 on 1, ");
    add_tag(f, f->foe, wet);
    EXPECT_LOG(f, "Wet2 on 2, ");
    remove_tag(f, f->hero, wet);
    add_tag(f, f->hero, wet);
    EXPECT_LOG(f, "Wet2 on 1, Wet3 on 1, "); // one waited once
    assert_int_equal(kn_watch_count(f->world), 2);
    assert_true(kn_watch_stop(f->world, hero));
    assert_false(kn_watch_stop(f->world, hero));
    assert_false(kn_watch_is_alive(f->world, hero));
    assert_int_equal(kn_watches_stop(f->world, type, f->hero), 0);
    assert_int_equal(kn_watches_stop(f->world, type, anybody), 1);
    remove_tag(f, f->hero, wet);
    add_tag(f, f->hero, wet);
    EXPECT_LOG(f, "");
}

static void a_query_is_watched_when_it_begins_and_ceases_to_match(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet"), cold = tag_of(f, "State.Cold");
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ALL_TAGS);
    kn_tag_query_tag(&query, wet);
    kn_tag_query_tag(&query, cold);
    kn_tag_query_end(&query);
    kn_watch_def def = watch_def(f, "Freezes", KN_TRIGGER_EVENT);
    def.kind = KN_WATCH_QUERY;
    def.query = &query;
    kn_watch_type_id freezes = watch_register(f, &def);
    def.name = "Thaws";
    def.edge = KN_WATCH_BECOMES_FALSE;
    kn_watch_type_id thaws = watch_register(f, &def);
    def.name = "Changes";
    def.edge = KN_WATCH_CHANGES;
    kn_watch_type_id changes = watch_register(f, &def);
    begin(f);
    add_tag(f, f->foe, wet);
    add_tag(f, f->foe, cold);
    start(f, freezes, f->foe, false); // holds already: nothing happens
    start(f, freezes, f->hero, false);
    start(f, thaws, f->hero, false);
    start(f, changes, f->hero, false);
    EXPECT_LOG(f, "");
    add_tag(f, f->hero, wet);
    EXPECT_LOG(f, "");
    add_tag(f, f->hero, cold);
    EXPECT_LOG(f, "Freezes1 on 1 true, Changes1 on 1 true, ");
    remove_tag(f, f->hero, wet);
    EXPECT_LOG(f, "Thaws1 on 1, Changes2 on 1, ");
    remove_tag(f, f->foe, wet);
    add_tag(f, f->foe, wet);
    EXPECT_LOG(f, "Freezes1 on 2 true, ");
}

static void a_threshold_is_watched_each_time_it_is_crossed(void **state)
{
    fixture *f = *state;
    kn_watch_def def = watch_def(f, "Low", KN_TRIGGER_EVENT);
    def.kind = KN_WATCH_THRESHOLD;
    def.attribute = f->health;
    def.compare = KN_COMPARE_LESS;
    def.value = 30.0f;
    kn_watch_type_id low = watch_register(f, &def);
    def = watch_def(f, "Health", KN_TRIGGER_ATTRIBUTE_CHANGED);
    def.attribute = f->health;
    kn_watch_type_id health = watch_register(f, &def);
    begin(f);
    start(f, low, f->hero, false);
    kn_watch_start_def other = kn_watch_start_def_default();
    other.type = low;
    other.entity = f->foe;
    other.has_value = true;
    other.value = 60.0f;
    assert_int_equal(kn_watch_start(f->world, &other, NULL), KN_OK);
    set_base(f, f->hero, f->health, 50.0f);
    set_base(f, f->foe, f->health, 50.0f);
    EXPECT_LOG(f, "Low1 on 2 true, ");
    set_base(f, f->hero, f->health, 29.0f);
    set_base(f, f->hero, f->health, 10.0f);
    EXPECT_LOG(f, "Low1 on 1 true, ");
    set_base(f, f->hero, f->health, 40.0f);
    set_base(f, f->hero, f->health, 20.0f);
    EXPECT_LOG(f, "Low2 on 1 true, ");
    kn_watch_id changed = start(f, health, f->hero, false);
    set_base(f, f->hero, f->health, 21.0f);
    set_base(f, f->hero, f->mana, 21.0f);
    EXPECT_LOG(f, "Health1 on 1, ");
    assert_true(kn_watch_stop(f->world, changed));
    set_base(f, f->hero, f->health, 22.0f);
    EXPECT_LOG(f, "");
}

static void effects_abilities_and_entities_are_watched(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire"), spell = tag_of(f, "Ability.Spell");
    kn_effect_def burn = infinite("Burn");
    burn.asset_tags = one(&fire);
    kn_effect_type_id burn_type = effect_register(f, &burn);
    kn_effect_def mark = infinite("Mark");
    kn_effect_type_id mark_type = effect_register(f, &mark);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Bolt";
    ability.body = KN_BODY_STAY;
    ability.tags = one(&spell);
    kn_ability_type_id bolt = ability_register(f, &ability);
    ability.name = "Jump";
    ability.tags = (kn_tags){NULL, 0};
    kn_ability_type_id jump = ability_register(f, &ability);
    kn_watch_def def = watch_def(f, "Fire", KN_TRIGGER_EFFECT_APPLIED);
    def.tag = fire;
    kn_watch_type_id by_tag = watch_register(f, &def);
    def = watch_def(f, "Unmarked", KN_TRIGGER_EFFECT_REMOVED);
    def.effect_type = mark_type;
    kn_watch_type_id by_type = watch_register(f, &def);
    def = watch_def(f, "Cast", KN_TRIGGER_ABILITY_ACTIVATED);
    def.tag = spell;
    kn_watch_type_id cast = watch_register(f, &def);
    def = watch_def(f, "Jumped", KN_TRIGGER_ABILITY_ENDED);
    def.ability_type = jump;
    kn_watch_type_id jumped = watch_register(f, &def);
    def = watch_def(f, "Created", KN_TRIGGER_ENTITY_CREATED);
    kn_watch_type_id created = watch_register(f, &def);
    def = watch_def(f, "Destroyed", KN_TRIGGER_ENTITY_DESTROYED);
    kn_watch_type_id destroyed = watch_register(f, &def);
    def = watch_def(f, "Owner", KN_TRIGGER_OWNER_CHANGED);
    kn_watch_type_id owner = watch_register(f, &def);
    begin(f);
    start(f, by_tag, f->foe, false);
    start(f, by_type, anybody, false);
    (void)apply_from_to(f, burn_type, f->hero, f->ally, 1.0f);
    EXPECT_LOG(f, "");
    (void)apply_from_to(f, burn_type, f->hero, f->foe, 1.0f);
    kn_effect_id active = apply_from_to(f, mark_type, f->hero, f->foe, 1.0f);
    EXPECT_LOG(f, "Fire1 on 2, ");
    remove_effect(f, active);
    EXPECT_LOG(f, "Unmarked1 on 2, ");
    start(f, cast, f->hero, false);
    start(f, jumped, f->hero, true);
    kn_ability_id first = grant(f, bolt), second = grant(f, jump);
    activate(f, first);
    activate(f, second);
    EXPECT_LOG(f, "Cast1 on 1, ");
    assert_int_equal(kn_ability_cancel(f->world, first), KN_OK);
    assert_int_equal(kn_ability_cancel(f->world, second), KN_OK);
    EXPECT_LOG(f, "Jumped1 on 1, ");
    start(f, created, anybody, false);
    start(f, owner, f->ally, false);
    assert_int_equal(kn_entity_set_owner(f->world, f->ally, f->hero), KN_OK);
    kn_entity_id entity = entity_create(f);
    EXPECT_LOG(f, "Owner1 on 3, Created1 on 4, ");
    kn_watch_id last = start(f, destroyed, entity, false);
    assert_true(kn_entity_destroy(f->world, entity));
    EXPECT_LOG(f, "Destroyed1 on 4, ");
    assert_false(kn_watch_is_alive(f->world, last));
}

// An event brings everything that it carries.
static void note_event(void *user, kn_world *world, const kn_watch_call *call)
{
    fixture *f = user;
    const kn_event_record *record = call->reaction->record;
    assert_non_null(record);
    assert_true(kn_entity_id_equal(call->owner, f->ally));
    assert_true(kn_entity_id_equal(record->instigator, f->foe));
    assert_int_equal(record->object, 42);
    assert_int_equal(record->tags.count, 1);
    kn_cause_info info;
    assert_true(kn_cause_get(world, call->reaction->cause, &info));
    assert_int_equal(info.kind, KN_CAUSE_RULE);
    note(f, "%g ", (double)record->magnitude);
}

static void a_watch_for_events_gets_the_record(void **state)
{
    fixture *f = *state;
    kn_tag event = tag_of(f, "Event"), hit = tag_of(f, "Event.Hit");
    kn_watch_def def = watch_def(f, "Hit", KN_TRIGGER_EVENT);
    def.tag = event;
    def.function = note_event;
    kn_watch_type_id type = watch_register(f, &def);
    begin(f);
    kn_watch_start_def of_ally = kn_watch_start_def_default();
    of_ally.type = type;
    of_ally.entity = f->hero;
    of_ally.owner = f->ally;
    kn_watch_id watch;
    assert_int_equal(kn_watch_start(f->world, &of_ally, &watch), KN_OK);
    kn_event_record record = kn_event_record_default();
    record.instigator = f->foe;
    record.object = 42;
    record.magnitude = 2.5f;
    record.tags = one(&hit);
    assert_int_equal(kn_event_send(f->world, f->hero, hit, &record), KN_OK);
    EXPECT_LOG(f, "2.5 ");
    assert_true(kn_entity_destroy(f->world, f->ally)); // its owner
    assert_false(kn_watch_is_alive(f->world, watch));
    assert_int_equal(kn_event_send(f->world, f->hero, hit, &record), KN_OK);
    EXPECT_LOG(f, "");
}

// Ends ------------------------------------------------------------------------

static kn_watch_id the_other;

static void stop_all(void *user, kn_world *world, const kn_watch_call *call)
{
    fixture *f = user;
    note(f, "stops %d %d, ", kn_watch_stop(world, call->watch), kn_watch_stop(world, the_other));
    memset(call->data, 0xff, KN_WATCH_DATA_SIZE); // of a watch that is gone
}

static void a_watch_may_stop_itself_and_others_while_it_runs(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_watch_def def = watch_def(f, "Stops", KN_TRIGGER_TAG_ADDED);
    def.tag = wet;
    def.function = stop_all;
    kn_watch_type_id stops = watch_register(f, &def);
    def.name = "Waits";
    def.function = note_call;
    kn_watch_type_id waits = watch_register(f, &def);
    begin(f);
    start(f, stops, f->hero, false);
    the_other = start(f, waits, f->hero, false);
    start(f, waits, f->hero, false);
    add_tag(f, f->hero, wet); // the other is in the queue already
    EXPECT_LOG(f, "stops 1 1, Waits1 on 1, ");
    assert_int_equal(kn_watch_count(f->world), 1);
    assert_true(kn_entity_destroy(f->world, f->hero));
    assert_int_equal(kn_watch_count(f->world), 0);
}

static void bad_watches_are_refused(void **state)
{
    fixture *f = *state;
    kn_watch_def def = watch_def(f, "Bad", KN_TRIGGER_TAG_ADDED);
    kn_watch_type_id type;
    kn_error error;
    assert_int_equal(kn_watch_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    assert_int_equal(kn_watch_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def.kind = KN_WATCH_QUERY;
    assert_int_equal(kn_watch_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "query"));
    def = watch_def(f, "Bad", KN_TRIGGER_EVENT);
    def.function = NULL;
    assert_int_equal(
        kn_watch_type_register(f->library, &def, &type, &error), KN_ERROR_INVALID_ARGUMENT);
    def = watch_def(f, "Low", KN_TRIGGER_EVENT);
    def.kind = KN_WATCH_THRESHOLD;
    def.attribute = f->health;
    type = watch_register(f, &def);
    begin(f);
    kn_watch_start_def start_def = kn_watch_start_def_default();
    uint64_t hash = kn_world_hash(f->world);
    kn_watch_id watch = {3, 3};
    assert_int_equal(kn_watch_start(f->world, &start_def, &watch), KN_ERROR_INVALID_ARGUMENT);
    assert_true(kn_watch_id_is_null(watch));
    start_def.type = type; // a threshold needs an entity
    assert_int_equal(kn_watch_start(f->world, &start_def, NULL), KN_ERROR_INVALID_ARGUMENT);
    start_def.entity = (kn_entity_id){1, 999};
    assert_int_equal(kn_watch_start(f->world, &start_def, NULL), KN_REFUSED_STALE_ID);
    start_def.entity = f->hero;
    start_def.owner = (kn_entity_id){1, 999};
    assert_int_equal(kn_watch_start(f->world, &start_def, NULL), KN_REFUSED_STALE_ID);
    start_def.owner = f->hero;
    start_def.has_value = true;
    start_def.value = NAN;
    assert_int_equal(kn_watch_start(f->world, &start_def, NULL), KN_REFUSED_BAD_NUMBER);
    assert_true(kn_world_hash(f->world) == hash);
    assert_false(kn_watch_is_alive(f->world, (kn_watch_id){1, 1}));
}

// State -----------------------------------------------------------------------

static void play(fixture *f, kn_world *world, kn_tag wet)
{
    for (uint32_t i = 0; i < 4; i++) {
        kn_entity_id entity = i % 2 == 0 ? f->hero : f->foe;
        assert_int_equal(
            kn_attribute_set_base(world, entity, f->health, 0, i < 2 ? 10.0f : 90.0f), KN_OK);
        assert_int_equal(kn_entity_add_tag(world, entity, wet, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
        assert_int_equal(kn_entity_remove_tag(world, entity, wet, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
        assert_int_equal(kn_world_step(world, KN_MS(10)), KN_OK);
    }
}

static void watches_survive_snapshots_and_saves(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_watch_def def = watch_def(f, "Low", KN_TRIGGER_EVENT);
    def.kind = KN_WATCH_THRESHOLD;
    def.attribute = f->health;
    def.value = 30.0f;
    def.edge = KN_WATCH_CHANGES;
    kn_watch_type_id low = watch_register(f, &def);
    def = watch_def(f, "Wet", KN_TRIGGER_TAG_ADDED);
    def.tag = wet;
    kn_watch_type_id type = watch_register(f, &def);
    begin(f);
    for (uint32_t i = 0; i < 5; i++) { // slots are not in order of creation
        kn_watch_id gone = start(f, type, f->hero, false);
        start(f, i % 2 == 0 ? low : type, f->hero, i == 3);
        assert_true(kn_watch_stop(f->world, gone));
    }
    start(f, type, anybody, false);
    kn_watch_start_def owned = kn_watch_start_def_default();
    owned.type = low;
    owned.entity = f->foe;
    owned.owner = f->ally;
    watch_data data = {7, 20, 1};
    owned.data = &data;
    assert_int_equal(kn_watch_start(f->world, &owned, NULL), KN_OK);
    set_base(f, f->hero, f->health, 20.0f);
    f->log[0] = 0;
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    play(f, f->world, wet);
    char expected[LOG_SIZE];
    memcpy(expected, f->log, sizeof(expected));
    assert_non_null(strstr(expected, "Low21 on 2 true"));
    f->log[0] = 0;
    play(f, loaded, wet);
    EXPECT_LOG(f, expected);
    assert_same_worlds(f->world, loaded);
    uint64_t hash = kn_world_hash(f->world);
    snapshot_restore(f->world, snapshot, size);
    play(f, f->world, wet);
    EXPECT_LOG(f, expected);
    assert_true(kn_world_hash(f->world) == hash);
    // A world that never had watches takes them from a snapshot.
    kn_world *other = world_of(f, kn_world_def_default());
    snapshot_restore(other, snapshot, size);
    play(f, other, wet);
    EXPECT_LOG(f, expected);
    assert_true(kn_world_hash(other) == hash);
    // What one does is still the same after its owner is gone.
    assert_true(kn_entity_destroy(loaded, f->ally));
    assert_int_equal(kn_watch_count(loaded), kn_watch_count(f->world) - 1);
    assert_true(kn_world_validate(loaded));
    kn_world_destroy(other);
    kn_world_destroy(loaded);
    free(snapshot);
}

static void a_warm_step_with_watches_does_not_allocate(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_watch_def def = watch_def(f, "Wet", KN_TRIGGER_TAG_ADDED);
    def.tag = wet;
    kn_watch_type_id type = watch_register(f, &def);
    begin(f);
    start(f, type, f->hero, false);
    for (uint32_t i = 0; i < 4; i++) {
        play(f, f->world, wet);
    }
    uint64_t before = kn_world_get_stats(f->world).allocations;
    play(f, f->world, wet);
    assert_int_equal(kn_world_get_stats(f->world).allocations, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_THREE(a_watch_waits_for_one_entity_or_any),
        TEST_THREE(a_query_is_watched_when_it_begins_and_ceases_to_match),
        TEST_THREE(a_threshold_is_watched_each_time_it_is_crossed),
        TEST_THREE(effects_abilities_and_entities_are_watched),
        TEST_THREE(a_watch_for_events_gets_the_record),
        TEST_THREE(a_watch_may_stop_itself_and_others_while_it_runs),
        TEST_THREE(bad_watches_are_refused),
        TEST_THREE(watches_survive_snapshots_and_saves),
        TEST_THREE(a_warm_step_with_watches_does_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
