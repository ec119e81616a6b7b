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

// A state of its own, the component that a watch belongs to, queries of effects ----------------

typedef struct soak {
    uint64_t times;
    kn_entity_id last;
    kn_tag tag;
    float level;
} soak;

static const kn_field soak_fields[] = {
    KN_FIELD(soak, times, KN_FIELD_U64),
    KN_FIELD(soak, last, KN_FIELD_ENTITY),
    KN_FIELD(soak, tag, KN_FIELD_TAG),
    KN_FIELD(soak, level, KN_FIELD_F32),
};

static void soak_call(void *user, kn_world *world, const kn_watch_call *call)
{
    fixture *f = user;
    soak *own = call->state;
    (void)world;
    own->times++;
    own->last = call->entity;
    own->tag = call->reaction->tag;
    own->level *= 2.0f;
    note(f, "%u:%g, ", (unsigned)own->times, (double)own->level);
}

static kn_watch_def soak_def(fixture *f)
{
    kn_watch_def def = watch_def(f, "Soak", KN_TRIGGER_TAG_ADDED);
    def.tag = tag_of(f, "State.Wet");
    def.function = soak_call;
    def.state_size = sizeof(soak);
    def.state_fields = soak_fields;
    def.state_field_count = COUNT(soak_fields);
    return def;
}

static kn_watch_id soak_start(fixture *f, kn_watch_type_id type, float level, bool once)
{
    soak first = {.level = level};
    kn_watch_start_def def = kn_watch_start_def_default();
    def.type = type;
    def.entity = f->hero;
    def.owner = f->ally;
    def.once = once;
    def.state = &first;
    kn_watch_id watch;
    assert_int_equal(kn_watch_start(f->world, &def, &watch), KN_OK);
    return watch;
}

static void a_watch_has_a_state_of_its_own(void **state)
{
    fixture *f = *state;
    kn_watch_def def = soak_def(f);
    kn_watch_type_id type = watch_register(f, &def);
    begin(f);
    kn_watch_id watch = soak_start(f, type, 3.0f, false);
    kn_watch_id zero = start(f, type, f->hero, false);
    (void)soak_start(f, type, 5.0f, true); // its state is still there for the only call
    add_tag(f, f->hero, def.tag);
    EXPECT_LOG(f, "1:6, 1:0, 1:10, ");
    const soak *own = kn_watch_read_state(f->world, watch);
    assert_int_equal(own->times, 1);
    assert_true(kn_entity_id_equal(own->last, f->hero));
    assert_true(kn_tag_equal(own->tag, def.tag));
    assert_near(own->level, 6.0f);
    assert_near(((const soak *)kn_watch_read_state(f->world, zero))->level, 0.0f);
    remove_tag(f, f->hero, def.tag);
    // Another world goes on with it, by name, and so does one that is rolled back.
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    assert_same_worlds(f->world, loaded);
    play(f, f->world, def.tag);
    uint64_t hash = kn_world_hash(f->world);
    assert_near(((const soak *)kn_watch_read_state(f->world, watch))->level, 24.0f);
    play(f, loaded, def.tag);
    assert_same_worlds(f->world, loaded);
    snapshot_restore(f->world, snapshot, size);
    assert_near(((const soak *)kn_watch_read_state(f->world, watch))->level, 6.0f);
    play(f, f->world, def.tag);
    assert_true(kn_world_hash(f->world) == hash);
    assert_true(kn_watch_stop(f->world, watch));
    assert_null(kn_watch_read_state(f->world, watch));
    assert_true(kn_world_validate(f->world));
    kn_world_destroy(loaded);
    free(snapshot);
}

static void a_state_that_changed_its_fields_is_loaded_by_name(void **state)
{
    fixture *f = *state;
    void *made;
    (void)setup_three(&made);
    fixture *later = made;
    kn_watch_def def = soak_def(f);
    kn_watch_type_id type = watch_register(f, &def);
    begin(f);
    kn_watch_id watch = soak_start(f, type, 7.0f, false);
    size_t size;
    void *save = save_of(f->world, &size);
    typedef struct soak2 {
        float level, added;
        kn_tag tag;
    } soak2;
    const kn_field fields[] = {KN_FIELD(soak2, level, KN_FIELD_F32),
        KN_FIELD(soak2, added, KN_FIELD_F32), KN_FIELD(soak2, tag, KN_FIELD_TAG)};
    kn_watch_def other = soak_def(later);
    other.state_size = sizeof(soak2);
    other.state_fields = fields;
    other.state_field_count = COUNT(fields);
    (void)watch_register(later, &other);
    begin(later);
    save_load(later->world, save, size);
    assert_int_equal(kn_watch_count(later->world), 1);
    const soak2 *own = kn_watch_read_state(later->world, watch);
    assert_near(own->level, 7.0f);
    assert_near(own->added, 0.0f);
    assert_true(kn_world_validate(later->world));
    free(save);
    fixture_destroy(later);
}

typedef struct aura {
    float radius;
} aura;

static kn_component_type_id aura_register(fixture *f, const char *name, bool several)
{
    const kn_field field = KN_FIELD(aura, radius, KN_FIELD_F32);
    kn_component_def def = kn_component_def_default();
    def.name = name;
    def.size = sizeof(aura);
    def.fields = &field;
    def.field_count = 1;
    def.several = several;
    kn_component_type_id type;
    assert_int_equal(kn_component_register(f->library, &def, &type, NULL), KN_OK);
    return type;
}

static void a_watch_ends_with_the_component_it_belongs_to(void **state)
{
    fixture *f = *state;
    kn_component_type_id one = aura_register(f, "Aura", false);
    kn_component_type_id several = aura_register(f, "Buff", true);
    kn_watch_def def = watch_def(f, "Wet", KN_TRIGGER_TAG_ADDED);
    def.tag = tag_of(f, "State.Wet");
    kn_watch_type_id type = watch_register(f, &def);
    begin(f);
    kn_component_id buffs[2], of_world;
    assert_non_null(kn_component_add(f->world, one, f->ally));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_component_instance_add(f->world, several, f->ally, &buffs[i]), KN_OK);
    }
    assert_int_equal(
        kn_component_instance_add(f->world, several, (kn_entity_id){0}, &of_world), KN_OK);
    kn_watch_start_def start_def = kn_watch_start_def_default();
    start_def.type = type;
    start_def.entity = f->hero;
    start_def.owner = f->ally;
    start_def.component_type = one;
    kn_watch_id watches[4];
    assert_int_equal(kn_watch_start(f->world, &start_def, &watches[0]), KN_OK);
    start_def.component_type = several;
    for (uint32_t i = 0; i < 2; i++) {
        start_def.component = buffs[i];
        assert_int_equal(kn_watch_start(f->world, &start_def, &watches[1 + i]), KN_OK);
    }
    // What the owner does not have.
    start_def.owner = f->foe;
    assert_int_equal(kn_watch_start(f->world, &start_def, NULL), KN_REFUSED_NOT_FOUND);
    start_def.component = (kn_component_id){0};
    assert_int_equal(kn_watch_start(f->world, &start_def, NULL), KN_REFUSED_NOT_FOUND);
    start_def.component_type = one;
    assert_int_equal(kn_watch_start(f->world, &start_def, NULL), KN_REFUSED_NOT_FOUND);
    start_def.component_type = (kn_component_type_id){77};
    assert_int_equal(kn_watch_start(f->world, &start_def, NULL), KN_REFUSED_NOT_FOUND);
    start_def.component_type = several;
    start_def.component = of_world;
    start_def.owner = (kn_entity_id){0};
    assert_int_equal(kn_watch_start(f->world, &start_def, &watches[3]), KN_OK);

    kn_world *worlds[2] = {f->world, world_loaded(f, kn_world_def_default())};
    assert_same_worlds(worlds[0], worlds[1]);
    for (uint32_t i = 0; i < 2; i++) {
        kn_world *world = worlds[i];
        assert_true(kn_component_instance_remove(world, several, buffs[0]));
        assert_int_equal(kn_watch_count(world), 3);
        assert_true(kn_component_remove(world, one, f->ally));
        assert_int_equal(kn_watch_count(world), 2);
        assert_true(kn_component_instance_remove(world, several, of_world));
        assert_int_equal(kn_watch_count(world), 1);
        assert_true(kn_world_validate(world));
    }
    assert_false(kn_watch_is_alive(f->world, watches[0]));
    assert_false(kn_watch_is_alive(f->world, watches[1]));
    assert_true(kn_watch_is_alive(f->world, watches[2]));
    assert_false(kn_watch_is_alive(f->world, watches[3]));
    add_tag(f, f->hero, def.tag);
    EXPECT_LOG(f, "Wet1 on 1, ");
    assert_true(kn_entity_destroy(f->world, f->ally)); // with its components
    assert_int_equal(kn_watch_count(f->world), 0);
    kn_world_destroy(worlds[1]);
}

static bool is_strong(void *user, const kn_world *world, kn_effect_id effect)
{
    kn_effect_info info;
    (void)user;
    return kn_effect_get(world, effect, &info) && info.level >= 2.0f;
}

static void effects_are_watched_by_query(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "Kind.Fire"), ice = tag_of(f, "Kind.Ice");
    kn_tag burning = tag_of(f, "State.Burning"), angry = tag_of(f, "State.Angry");
    kn_modifier_def loss = kn_modifier_constant(f->health, KN_OP_ADD, -5.0f);
    kn_effect_def effect = infinite("Burn");
    effect.asset_tags = one(&fire);
    effect.granted_tags = one(&burning);
    effect.modifiers = &loss;
    effect.modifier_count = 1;
    kn_effect_type_id burn = effect_register(f, &effect);
    effect = infinite("Chill");
    effect.asset_tags = one(&ice);
    kn_effect_type_id chill = effect_register(f, &effect);
    static const char *const names[] = {"Granted", "Modifies", "Angry", "Strong", "Gone", "Type"};
    kn_watch_type_id types[COUNT(names)];
    for (uint32_t i = 0; i < COUNT(names); i++) {
        kn_watch_def def = watch_def(f, names[i], KN_TRIGGER_EFFECT_APPLIED);
        def.effects = kn_effect_query_default();
        def.effects.granted_tags = i == 0 ? one(&burning) : (kn_tags){0};
        def.effects.modifies = i == 1 ? f->health : (kn_attribute_id){0};
        def.effects.source_tags.required = i == 2 ? one(&angry) : (kn_tags){0};
        def.effects.predicate = i == 3 ? is_strong : NULL;
        def.effects.any_tags = i == 4 ? one(&ice) : (kn_tags){0};
        def.trigger = i == 4 ? KN_TRIGGER_EFFECT_REMOVED : def.trigger;
        def.effects.type = i == 5 ? chill : (kn_effect_type_id){0};
        types[i] = watch_register(f, &def);
    }
    begin(f);
    for (uint32_t i = 0; i < COUNT(types); i++) {
        start(f, types[i], f->hero, false);
    }
    kn_effect_apply_def apply_def = kn_effect_apply_def_default();
    apply_def.type = burn;
    apply_def.target = f->hero;
    apply_def.source = f->foe;
    assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_OK);
    EXPECT_LOG(f, "Granted1 on 1, Modifies1 on 1, ");
    add_tag(f, f->foe, angry);
    apply_def.type = chill;
    apply_def.level = 2.0f;
    kn_effect_id cold;
    assert_int_equal(kn_effect_apply(f->world, &apply_def, &cold), KN_OK);
    EXPECT_LOG(f, "Angry1 on 1, Strong1 on 1, Type1 on 1, ");
    kn_effect_query query = kn_effect_query_default();
    query.any_tags = one(&ice);
    assert_true(kn_effect_matches(f->world, cold, &query));
    query.source = f->ally;
    assert_false(kn_effect_matches(f->world, cold, &query));
    assert_int_equal(kn_effect_remove(f->world, cold, 0, KN_REMOVED_BY_CALL), KN_OK);
    EXPECT_LOG(f, "Gone1 on 1, ");
    assert_false(kn_effect_matches(f->world, cold, &query));
}

static kn_result hover(void *user, const kn_ticker_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static void nothing_runs(void *user, kn_world *world, const kn_system_run *run)
{
    (void)user;
    (void)world;
    (void)run;
}

static void dumps_list_what_waits(void **state)
{
    fixture *f = *state;
    kn_component_type_id aura_type = aura_register(f, "Aura", false);
    kn_watch_def def = soak_def(f);
    kn_watch_type_id soaks = watch_register(f, &def);
    def = watch_def(f, "Wet", KN_TRIGGER_TAG_ADDED);
    def.tag = tag_of(f, "State.Wet");
    kn_watch_type_id wet = watch_register(f, &def);
    kn_ticker_def ticker_def = kn_ticker_def_default();
    ticker_def.name = "Hover";
    ticker_def.interval = KN_MS(500);
    ticker_def.tick = hover;
    kn_ticker_id ticker;
    assert_int_equal(kn_ticker_register(f->library, &ticker_def, &ticker, NULL), KN_OK);
    kn_system_def system_def = kn_system_def_default();
    system_def.name = "March";
    system_def.rate = 4;
    system_def.function = nothing_runs;
    kn_system_id system;
    assert_int_equal(kn_system_register(f->library, &system_def, &system, NULL), KN_OK);
    system_def.name = "Sleep";
    system_def.enabled = false;
    assert_int_equal(kn_system_register(f->library, &system_def, &system, NULL), KN_OK);
    begin(f);
    (void)soak_start(f, soaks, 2.0f, true); // on the hero, of the ally
    start(f, wet, anybody, false);
    assert_non_null(kn_component_add(f->world, aura_type, f->foe));
    kn_watch_start_def start_def = kn_watch_start_def_default();
    start_def.type = wet;
    start_def.entity = f->hero;
    start_def.owner = f->foe;
    start_def.component_type = aura_type;
    assert_int_equal(kn_watch_start(f->world, &start_def, NULL), KN_OK);
    assert_int_equal(kn_ticker_start(f->world, ticker, f->hero), KN_OK);
    assert_int_equal(kn_ticker_start(f->world, ticker, (kn_entity_id){0}), KN_OK);
    step(f, KN_MS(100));
    uint64_t hash = kn_world_hash(f->world);
    static char text[8192];
    (void)kn_entity_dump(f->world, f->hero, text, sizeof(text));
    assert_non_null(strstr(text, "tickers\n  Hover runs, looks in 0.4 s\n"
                                 "watches\n  Soak of entity 3, once\n    state times 0; "));
    assert_non_null(strstr(text, "\n  Wet of entity 2, with Aura\n"));
    (void)kn_entity_dump(f->world, f->ally, text, sizeof(text));
    assert_non_null(strstr(text, "watches\n  Soak on entity 1, once\n"));
    (void)kn_world_dump(f->world, text, sizeof(text));
    assert_non_null(
        strstr(text, "world at 0.1 s\nsystems\n  March, next at 0.25 s\n  Sleep, off\n"));
    assert_non_null(strstr(text, "tickers\n  Hover runs, looks in 0.4 s\nwatches\n  Wet\n"));
    (void)kn_entity_dump_json(f->world, f->hero, text, sizeof(text));
    assert_non_null(
        strstr(text, "\"tickers\":[{\"name\":\"Hover\",\"running\":true,\"next\":0.4}]"));
    assert_non_null(strstr(text, "\"watches\":[{\"type\":\"Soak\",\"entity\":\"1:"));
    assert_non_null(
        strstr(text, "\"component\":null,\"once\":true,\"state\":{\"times\":\"0\",\"last\":null"));
    assert_non_null(strstr(text, "\"component\":\"Aura\",\"once\":false,\"state\":{}}"));
    (void)kn_world_dump_json(f->world, text, sizeof(text));
    assert_non_null(strstr(text, "\"watches\":[{\"type\":\"Wet\",\"entity\":null"));
    assert_int_equal(kn_world_dump(NULL, text, sizeof(text)), 0);
    assert_true(kn_world_hash(f->world) == hash);
}

static void bad_states_and_queries_are_refused(void **state)
{
    fixture *f = *state;
    kn_error error = {0};
    kn_watch_type_id type;
    kn_watch_def def = soak_def(f);
    def.state_field_count = 3;
    assert_int_equal(kn_watch_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def.state_field_count = 0;
    assert_int_equal(kn_watch_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "watch `Soak`: its state has no fields");
    def.state_size = KN_WATCH_STATE_MAX + 1;
    assert_int_equal(kn_watch_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def = soak_def(f);
    def.effects.source = (kn_entity_id){1, 1};
    assert_int_equal(kn_watch_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "something of a world"));
    memset(&def.effects, 0, sizeof(def.effects));
    assert_int_equal(
        kn_watch_type_register(f->library, &def, &type, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(type.index1, 0);
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

static const struct CMUnitTest tests[] = {
    TEST_THREE(a_watch_waits_for_one_entity_or_any),
    TEST_THREE(a_query_is_watched_when_it_begins_and_ceases_to_match),
    TEST_THREE(a_threshold_is_watched_each_time_it_is_crossed),
    TEST_THREE(effects_abilities_and_entities_are_watched),
    TEST_THREE(a_watch_for_events_gets_the_record),
    TEST_THREE(a_watch_may_stop_itself_and_others_while_it_runs),
    TEST_THREE(bad_watches_are_refused),
    TEST_THREE(watches_survive_snapshots_and_saves),
    TEST_THREE(a_watch_has_a_state_of_its_own),
    TEST_THREE(a_state_that_changed_its_fields_is_loaded_by_name),
    TEST_THREE(a_watch_ends_with_the_component_it_belongs_to),
    TEST_THREE(effects_are_watched_by_query),
    TEST_THREE(dumps_list_what_waits),
    TEST_THREE(bad_states_and_queries_are_refused),
    TEST_THREE(a_warm_step_with_watches_does_not_allocate),
};

TEST_GROUP(watches, tests, NULL, NULL);
