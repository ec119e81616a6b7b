// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Abilities that events and tags activate, what an event carries, and circles of them.

#include "scenario/ability_replay.h"

static kn_result note_magnitude(const kn_ability_call *call, const kn_event_record *event)
{
    note(call->user, "%s hears %s %g. ", ability_name(call),
        kn_tag_name(kn_world_library(call->world), event->tag), (double)event->magnitude);
    return kn_activation_end(call->world, call->activation);
}

// An ability that hears an event, notes it and ends. `trigger` is copied at registration.
static kn_ability_def hearing_def(
    fixture *f, const char *name, const char *tag, int32_t priority, kn_trigger_def *trigger)
{
    *trigger = (kn_trigger_def){tag_of(f, tag), KN_TRIGGER_SOURCE_EVENT, priority};
    kn_ability_def def = ability_def(f, name);
    def.activate_by_event = note_magnitude;
    def.ended = NULL;
    def.triggers = trigger;
    def.trigger_count = 1;
    return def;
}

static kn_ability_type_id hearing(fixture *f, const char *name, const char *tag, int32_t priority)
{
    kn_trigger_def trigger;
    kn_ability_def def = hearing_def(f, name, tag, priority, &trigger);
    return ability_register(f, &def);
}

static void send(fixture *f, const char *tag, float magnitude)
{
    kn_event_record event = kn_event_record_default();
    event.magnitude = magnitude;
    assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, tag), &event), KN_OK);
}

// What an event carries -----------------------------------------------------

static void expect_event(fixture *f, const kn_event_record *event)
{
    assert_true(event->tag.index1 == tag_of(f, "Hit.Heavy").index1);
    assert_true(event->magnitude == 12.5f && event->object == 21 && event->object2 == 22);
    assert_true(kn_entity_id_equal(event->instigator, f->foe));
    assert_true(kn_entity_id_equal(event->target, f->hero));
    assert_int_equal(event->tags.count, 2);
    assert_true(event->tags.data[1].index1 == tag_of(f, "Element.Ice").index1);
    assert_true(event->has_instigator_tags && event->instigator_tags.count == 1);
    assert_int_equal(event->instigator_tags.data[0].index1, event->tags.data[0].index1);
    assert_true(event->has_target_tags && event->target_tags.count == 1);
    assert_int_equal(event->target_tags.data[0].index1, event->tags.data[1].index1);
    assert_int_equal(event->data_size, 5);
    assert_memory_equal(event->data, "bytes", 5);
}

static kn_result keep_the_event(const kn_ability_call *call, const kn_event_record *event)
{
    expect_event(call->user, event);
    note(call->user, "by event. ");
    return KN_OK;
}

static void look_before(const kn_ability_call *call)
{
    kn_event_record event;
    assert_int_equal(kn_activation_event(call->world, call->activation, &event), call->has_event);
    if (call->has_event) {
        expect_event(call->user, &event);
        note(call->user, "before. ");
    }
}

// GAPA-026, ABI-048, ABI-051, ABI-053, ABI-056, ABI-094, ABI-098
static void an_event_starts_an_ability_and_stays_with_its_activation(void **state)
{
    fixture *f = *state;
    kn_trigger_def trigger = {tag_of(f, "Hit"), KN_TRIGGER_SOURCE_EVENT, 0};
    kn_tag tags[2] = {tag_of(f, "Element.Fire"), tag_of(f, "Element.Ice")};
    kn_ability_def def = ability_def(f, "React");
    def.activate_by_event = keep_the_event;
    def.pre_activate = look_before;
    def.triggers = &trigger;
    def.trigger_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    tag_of(f, "Hit.Heavy");
    // Without an entry, or with one of another source, events are not for it.
    kn_ability_def deaf = ability_def(f, "Deaf"), other = ability_def(f, "Other");
    kn_trigger_def by_tag = {tag_of(f, "Hit"), KN_TRIGGER_SOURCE_TAG_ADDED, 0};
    other.triggers = &by_tag;
    other.trigger_count = 1;
    kn_ability_type_id deaf_type = ability_register(f, &deaf);
    kn_ability_type_id other_type = ability_register(f, &other);
    begin(f);
    (void)grant(f, deaf_type);
    (void)grant(f, other_type);
    kn_ability_id react = grant(f, type);
    kn_activation_id plain = activate(f, react); // both entry points in one ability
    kn_event_record kept;
    assert_false(kn_activation_event(f->world, plain, &kept));
    assert_int_equal(kn_activation_end(f->world, plain), KN_OK);
    EXPECT_LOG(f, "React activates. React: ended. ");
    kn_event_record event = kn_event_record_default();
    event.magnitude = 12.5f;
    event.object = 21;
    event.object2 = 22;
    event.instigator = f->foe;
    event.target = f->hero;
    event.tags = (kn_tags){tags, 2};
    event.has_instigator_tags = event.has_target_tags = true;
    event.instigator_tags = (kn_tags){tags, 1};
    event.target_tags = (kn_tags){tags + 1, 1};
    event.data = "bytes";
    event.data_size = 5;
    // To another entity, even if it names the hero.
    assert_int_equal(kn_event_send(f->world, f->foe, tag_of(f, "Hit.Heavy"), &event), KN_OK);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, "Hit.Heavy"), &event), KN_OK);
    EXPECT_LOG(f, "before. by event. ");
    kn_ability_info info;
    assert_true(kn_ability_get(f->world, react, &info));
    step(f, KN_S(1));
    assert_true(kn_activation_event(f->world, info.latest, &kept));
    expect_event(f, &kept);
    check_replay(f, KN_S(1));
    assert_int_equal(kn_ability_cancel(f->world, react), KN_OK);
    check_replay(f, KN_S(1));
}

// ABI-053
static void without_an_entry_for_events_the_plain_one_serves_both(void **state)
{
    fixture *f = *state;
    kn_trigger_def trigger = {tag_of(f, "Hit"), KN_TRIGGER_SOURCE_EVENT, 0};
    kn_ability_def def = ability_def(f, "React");
    def.triggers = &trigger;
    def.trigger_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    kn_ability_def nothing = kn_ability_def_default();
    nothing.name = "Nothing";
    nothing.triggers = &trigger;
    nothing.trigger_count = 1;
    kn_ability_type_id bad;
    assert_int_equal(kn_ability_register(f->library, &nothing, &bad, NULL), KN_ERROR_BAD_DATA);
    begin(f);
    grant(f, type);
    assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, "Hit"), NULL), KN_OK);
    EXPECT_LOG(f, "React activates. ");
}

static void an_event_that_makes_no_sense_is_refused(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = hearing(f, "React", "Hit", 0);
    begin(f);
    kn_ability_id react = grant(f, type);
    kn_tag unknown = {9999}, hit = tag_of(f, "Hit");
    kn_event_record events[6];
    for (uint32_t i = 0; i < 6; i++) {
        events[i] = kn_event_record_default();
    }
    events[0].magnitude = NAN;
    events[1].magnitude = INFINITY;
    events[2].tags = (kn_tags){&unknown, 1};
    events[3].instigator_tags = (kn_tags){NULL, 3};
    events[4].data_size = 9;
    events[5].kind.index1 = 999;
    uint64_t hash = kn_world_hash(f->world);
    for (uint32_t i = 0; i < 6; i++) {
        kn_result expected = i < 2 ? KN_REFUSED_BAD_NUMBER : KN_ERROR_INVALID_ARGUMENT;
        assert_int_equal(kn_event_send(f->world, f->hero, hit, &events[i]), expected);
        assert_int_equal(kn_ability_activate(f->world, react, &events[i], NULL), expected);
        assert_int_equal(kn_input_press_with(f->world, f->hero, 3, &events[i]), expected);
        kn_ability_grant_def given = kn_ability_grant_def_default();
        given.type = type;
        assert_int_equal(
            kn_ability_grant_once(f->world, f->hero, &given, &events[i], NULL), expected);
    }
    assert_int_equal(kn_world_hash(f->world), hash);
    kn_entity_id stale = f->foe;
    assert_true(kn_entity_destroy(f->world, f->foe));
    assert_int_equal(kn_event_send(f->world, stale, hit, NULL), KN_REFUSED_STALE_ID);
    events[0].magnitude = 1.0f;
    events[0].instigator = events[0].target = stale; // gone, but once there
    assert_int_equal(kn_event_send(f->world, f->hero, hit, &events[0]), KN_OK);
    EXPECT_LOG(f, "React hears Hit 1. ");
    check_replay(f, KN_S(1));
}

static void double_it(void *user, kn_world *world, const kn_event_record *record, float magnitude)
{
    (void)world;
    (void)record;
    note(user, "applied %g. ", (double)magnitude);
}

// ABI-048
static void a_record_that_passed_the_pipeline_is_an_event_too(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = hearing(f, "React", "Damage", 0);
    kn_event_kind_def kind_def = kn_event_kind_def_default();
    kind_def.name = "Damage";
    kind_def.tag = tag_of(f, "Damage");
    kind_def.apply = double_it;
    kind_def.user = f;
    kn_event_kind_id kind;
    assert_int_equal(kn_event_kind_register(f->library, &kind_def, &kind, NULL), KN_OK);
    begin(f);
    grant(f, type);
    kn_event_record record = kn_event_record_default();
    record.kind = kind;
    record.target = f->hero;
    record.magnitude = 4.0f;
    assert_int_equal(kn_event_run(f->world, &record, NULL), KN_OK);
    EXPECT_LOG(f, "applied 4. React hears Damage 4. ");
}

// Who hears -----------------------------------------------------------------

// BEY-048
static void parents_hear_children_by_priority_then_by_grant(void **state)
{
    fixture *f = *state;
    kn_ability_type_id low = hearing(f, "Low", "Hit", -1);
    kn_ability_type_id exact = hearing(f, "Exact", "Hit.Heavy", 0);
    kn_ability_type_id parent = hearing(f, "Parent", "Hit", 0);
    kn_ability_type_id high = hearing(f, "High", "Hit", 5);
    kn_ability_type_id other = hearing(f, "Other", "Hit.Light", 9);
    begin(f);
    const kn_ability_type_id order[5] = {low, parent, exact, other, high};
    for (uint32_t i = 0; i < 5; i++) {
        grant(f, order[i]);
    }
    send(f, "Hit.Heavy", 1.0f);
    EXPECT_LOG(f, "High hears Hit.Heavy 1. Parent hears Hit.Heavy 1. Exact hears Hit.Heavy 1. "
                  "Low hears Hit.Heavy 1. ");
    send(f, "Hit", 2.0f); // children do not hear their parents
    EXPECT_LOG(f, "High hears Hit 2. Parent hears Hit 2. Low hears Hit 2. ");
    check_replay(f, KN_S(1));
}

// BEY-048
static void an_ability_that_hears_twice_is_started_once(void **state)
{
    fixture *f = *state;
    kn_trigger_def triggers[2] = {{tag_of(f, "Hit"), KN_TRIGGER_SOURCE_EVENT, 0},
        {tag_of(f, "Hit.Heavy"), KN_TRIGGER_SOURCE_EVENT, 3}};
    kn_trigger_def unused;
    kn_ability_def def = hearing_def(f, "Both", "Hit", 0, &unused);
    def.triggers = triggers;
    def.trigger_count = 2;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id both = ability_register(f, &def), between = hearing(f, "Between", "Hit", 1);
    begin(f);
    grant(f, both);
    grant(f, between);
    send(f, "Hit.Heavy", 1.0f); // at the higher of its priorities
    EXPECT_LOG(f, "Both hears Hit.Heavy 1. Between hears Hit.Heavy 1. ");
    send(f, "Hit", 2.0f);
    EXPECT_LOG(f, "Between hears Hit 2. Both hears Hit 2. ");
}

static kn_result wait_for_hits(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_EVENT);
    def.tag = tag_of(call->user, "Hit");
    def.repeats = true;
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void hit_heard(const kn_ability_call *call, const kn_task_result *result)
{
    note(call->user, "%s waited for %g. ", ability_name(call),
        (double)result->data.event->magnitude);
}

static void listener_a(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    note(user, "a %g. ", (double)event->data.record.magnitude);
}

static void listener_b(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    note(user, "b %g. ", (double)event->data.record.magnitude);
}

// BEY-048
static void waits_and_listeners_hear_children_in_order_and_once(void **state)
{
    fixture *f = *state;
    kn_ability_def wait_def = ability_def(f, "Wait");
    wait_def.activate = wait_for_hits;
    wait_def.task_done = hit_heard;
    kn_ability_type_id wait = ability_register(f, &wait_def);
    kn_ability_type_id early = hearing(f, "Early", "Hit", 0);
    kn_ability_type_id late = hearing(f, "Late", "Hit.Heavy", 0);
    begin(f);
    kn_listener_fn *const functions[2] = {listener_b, listener_a};
    for (uint32_t i = 0; i < 2; i++) {
        kn_listener_def listener = kn_listener_def_default();
        listener.type = KN_EVENT_RECORD;
        listener.tag = tag_of(f, "Hit");
        listener.function = functions[i];
        listener.user = f;
        kn_listener_id id;
        assert_int_equal(kn_listener_add(f->world, &listener, &id), KN_OK);
    }
    grant(f, early);
    activate(f, grant(f, wait));
    grant(f, late);
    send(f, "Hit.Heavy", 5.0f);
    EXPECT_LOG(f, "Early hears Hit.Heavy 5. Wait waited for 5. Late hears Hit.Heavy 5. ");
    step(f, 0);
    EXPECT_LOG(f, "b 5. a 5. ");
    check_replay(f, KN_S(1));
}

static kn_result remove_the_next(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    fixture *f = call->user;
    note(f, "remover. ");
    kn_ability_query query = kn_ability_query_default();
    query.type = kn_ability_type_find(f->library, "Gone");
    assert_int_equal(kn_abilities_remove(call->world, call->owner, &query, KN_GRANT_CANCEL), 1);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = query.type; // takes the slot of the one that went
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(call->world, call->owner, &given, &ability), KN_OK);
    return kn_activation_end(call->world, call->activation);
}

// CHG-036, CHG-058, TVA-023, ABI-054, ABI-055
static void all_that_hear_an_event_are_tried_though_some_are_gone_or_may_not(void **state)
{
    fixture *f = *state;
    kn_trigger_def trigger;
    kn_ability_def remover_def = hearing_def(f, "Remover", "Hit", 9, &trigger);
    remover_def.activate_by_event = remove_the_next;
    remover_def.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    kn_ability_type_id remover = ability_register(f, &remover_def);
    kn_ability_type_id gone = hearing(f, "Gone", "Hit", 0);
    kn_ability_type_id client = hearing(f, "Client", "Hit", 0);
    kn_ability_def third_def = hearing_def(f, "Third", "Hit", 0, &trigger);
    third_def.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    kn_ability_type_id third = ability_register(f, &third_def);
    begin(f);
    grant(f, remover);
    grant(f, gone);
    grant(f, client);
    grant(f, third);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 7), KN_OK); // a client plays it
    send(f, "Hit", 1.0f);
    EXPECT_LOG(f, "remover. Third hears Hit 1. ");
    kn_event failed = published_event(f, KN_EVENT_ABILITY_FAILED);
    assert_true(failed.data.ability.type.index1 == client.index1);
    assert_int_equal(failed.data.ability.reasons, KN_FAIL_NETWORKING);
    assert_int_equal(ability_count(f), 4);
}

static bool only_heavy(const kn_ability_call *call, const kn_event_record *event)
{
    note(call->user, "asked. ");
    return event->magnitude > 10.0f;
}

static bool never_asked(const kn_ability_call *call, const kn_event_record *event)
{
    note(call->user, event != NULL ? "with event. " : "without. ");
    return true;
}

// ABI-009, ABI-056
static void an_ability_says_first_whether_an_event_is_for_it(void **state)
{
    fixture *f = *state;
    kn_trigger_def trigger;
    kn_ability_def def = hearing_def(f, "React", "Hit", 0, &trigger);
    def.responds = only_heavy;
    def.can_activate = never_asked;
    def.activation.required = tags_of(f, "Armed");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id react = grant(f, type);
    send(f, "Hit", 1.0f);
    EXPECT_LOG(f, "asked. ");
    assert_int_equal(
        published_event(f, KN_EVENT_ABILITY_FAILED).data.ability.reasons, KN_FAIL_NOT_READY);
    add_tag(f, f->hero, tag_of(f, "Armed"));
    send(f, "Hit", 20.0f);
    EXPECT_LOG(f, "asked. with event. React hears Hit 20. ");
    assert_int_equal(kn_ability_check(f->world, react, NULL), 0);
    EXPECT_LOG(f, "without. "); // no event, nothing to respond to
}

// Tags ----------------------------------------------------------------------

static kn_ability_type_id on_tag(
    fixture *f, const char *name, const char *tag, kn_trigger_source source)
{
    kn_trigger_def trigger = {tag_of(f, tag), source, 0};
    kn_ability_def def = ability_def(f, name);
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.instancing =
        source == KN_TRIGGER_SOURCE_TAG_PRESENT ? KN_INSTANCING_PER_ACTOR : KN_INSTANCING_NONE;
    def.ended = source == KN_TRIGGER_SOURCE_TAG_PRESENT ? note_ended : NULL;
    return ability_register(f, &def);
}

// AMBA-009, ABI-052
static void tags_that_come_and_go_start_abilities(void **state)
{
    fixture *f = *state;
    kn_ability_type_id types[3] = {
        on_tag(f, "Added", "State", KN_TRIGGER_SOURCE_TAG_ADDED),
        on_tag(f, "Removed", "State.Wet", KN_TRIGGER_SOURCE_TAG_REMOVED),
        on_tag(f, "Present", "State", KN_TRIGGER_SOURCE_TAG_PRESENT),
    };
    tag_of(f, "State.Cold");
    begin(f);
    for (uint32_t i = 0; i < 3; i++) {
        grant(f, types[i]);
    }
    add_tag(f, f->foe, tag_of(f, "State.Wet")); // somebody else's
    remove_tag(f, f->foe, tag_of(f, "State.Wet"));
    EXPECT_LOG(f, "");
    add_tag(f, f->hero, tag_of(f, "State.Wet")); // below "State": the owner gains both
    EXPECT_LOG(f, "Added activates. Present activates. ");
    add_tag(f, f->hero, tag_of(f, "State.Cold"));
    add_tag(f, f->hero, tag_of(f, "State.Wet")); // a second time does not count as gaining it
    EXPECT_LOG(f, "");
    check_replay(f, KN_S(1));
    remove_tag(f, f->hero, tag_of(f, "State.Wet"));
    EXPECT_LOG(f, "");
    remove_tag(f, f->hero, tag_of(f, "State.Wet"));
    EXPECT_LOG(f, "Removed activates. ");
    remove_tag(f, f->hero, tag_of(f, "State.Cold"));
    EXPECT_LOG(f, "Present: tag lost. ");
}

// VER-004
static void a_tag_starts_the_last_though_those_before_are_gone_or_may_not(void **state)
{
    fixture *f = *state;
    kn_trigger_def trigger = {tag_of(f, "State.Wet"), KN_TRIGGER_SOURCE_TAG_ADDED, 0};
    kn_ability_def armed = ability_def(f, "Armed");
    armed.triggers = &trigger;
    armed.trigger_count = 1;
    armed.activation.required = tags_of(f, "Weapon");
    kn_ability_type_id types[3] = {on_tag(f, "Gone", "State.Wet", KN_TRIGGER_SOURCE_TAG_ADDED),
        ability_register(f, &armed), on_tag(f, "Last", "State.Wet", KN_TRIGGER_SOURCE_TAG_ADDED)};
    begin(f);
    kn_ability_id gone = grant(f, types[0]);
    grant(f, types[1]);
    grant(f, types[2]);
    assert_int_equal(kn_ability_remove(f->world, gone, KN_GRANT_CANCEL), KN_OK);
    add_tag(f, f->hero, tag_of(f, "State.Wet"));
    EXPECT_LOG(f, "Last activates. ");
    kn_event failed = published_event(f, KN_EVENT_ABILITY_FAILED);
    assert_true(failed.data.ability.type.index1 == types[1].index1);
}

// ABI-052
static void only_what_a_tag_started_ends_with_it(void **state)
{
    fixture *f = *state;
    kn_ability_type_id present = on_tag(f, "Present", "State", KN_TRIGGER_SOURCE_TAG_PRESENT);
    kn_trigger_def trigger = {tag_of(f, "State"), KN_TRIGGER_SOURCE_TAG_PRESENT, 0};
    kn_ability_def passive_def = ability_def(f, "Passive");
    passive_def.triggers = &trigger;
    passive_def.trigger_count = 1;
    passive_def.activates_on_grant = true;
    kn_ability_type_id passive = ability_register(f, &passive_def);
    begin(f);
    kn_ability_id by_hand = grant(f, present), by_grant = grant(f, passive), once;
    activate(f, by_hand);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = present;
    assert_int_equal(kn_ability_grant_once(f->world, f->hero, &given, NULL, &once), KN_OK);
    f->log[0] = 0;
    add_tag(f, f->hero, tag_of(f, "State"));
    remove_tag(f, f->hero, tag_of(f, "State"));
    EXPECT_LOG(f, "");
    assert_true(kn_ability_is_active(f->world, by_hand) && kn_ability_is_active(f->world, once));
    assert_true(kn_ability_is_active(f->world, by_grant));
}

// RTS-031: abilities that are granted later than their tag came.
static void a_tag_that_is_there_can_start_an_ability_later(void **state)
{
    fixture *f = *state;
    const kn_ability_type_id added = on_tag(f, "Added", "State", KN_TRIGGER_SOURCE_TAG_ADDED);
    const kn_ability_type_id present = on_tag(f, "Present", "State", KN_TRIGGER_SOURCE_TAG_PRESENT);
    const kn_ability_type_id removed = on_tag(f, "Removed", "State", KN_TRIGGER_SOURCE_TAG_REMOVED);
    kn_activation_id activation;
    tag_of(f, "State.Wet");
    begin(f);
    const kn_ability_id early = grant(f, added);
    assert_int_equal(
        kn_ability_activate_by_tag(f->world, early, &activation), KN_REFUSED_NOT_FOUND);
    assert_int_equal(activation.index1, 0);
    assert_int_equal(kn_ability_remove(f->world, early, KN_GRANT_CANCEL), KN_OK);
    add_tag(f, f->hero, tag_of(f, "State.Wet"));
    const kn_ability_id plain = grant(f, added), lasting = grant(f, present);
    const kn_ability_id other = grant(f, removed);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_ability_activate_by_tag(f->world, other, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_ability_activate_by_tag(f->world, plain, NULL), KN_OK);
    assert_int_equal(kn_ability_activate_by_tag(f->world, lasting, &activation), KN_OK);
    EXPECT_LOG(f, "Added activates. Present activates. ");
    assert_true(kn_activation_is_alive(f->world, activation));
    check_replay(f, KN_S(1));
    remove_tag(f, f->hero, tag_of(f, "State.Wet"));
    EXPECT_LOG(f, "Present: tag lost. Removed activates. ");
    assert_int_equal(kn_ability_activate_by_tag(f->world, early, NULL), KN_REFUSED_STALE_ID);
}

// Circles -------------------------------------------------------------------

static kn_result send_ping(const kn_ability_call *call)
{
    fixture *f = call->user;
    return kn_event_send(call->world, call->owner, tag_of(f, "Ping"), NULL);
}

static kn_result send_pong(const kn_ability_call *call)
{
    fixture *f = call->user;
    return kn_event_send(call->world, call->owner, tag_of(f, "Pong"), NULL);
}

// The tag goes if it is there, comes, and goes again.
static kn_result blink(const kn_ability_call *call, const char *name)
{
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_entity_set_tag_count(call->world, call->owner, tag_of(call->user, name),
                             KN_TAG_ORIGIN_LOOSE, i == 1),
            KN_OK);
    }
    return KN_OK;
}

static kn_result blink_x(const kn_ability_call *call)
{
    return blink(call, "X");
}

static kn_result blink_y(const kn_ability_call *call)
{
    return blink(call, "Y");
}

static kn_ability_type_id circling(fixture *f, const char *name, const char *tag,
    kn_trigger_source source, kn_result (*activate_hook)(const kn_ability_call *call))
{
    kn_trigger_def trigger = {tag_of(f, tag), source, 0};
    kn_ability_def def = ability_def(f, name);
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.activate = activate_hook;
    def.ended = NULL;
    def.instancing = KN_INSTANCING_NONE;
    return ability_register(f, &def);
}

static uint32_t limit_errors(fixture *f)
{
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_ERROR &&
                 events.data[i].data.error.code == KN_REFUSED_LIMIT;
    }
    return count;
}

// ABI-055
static void abilities_that_trigger_one_another_end_in_an_error(void **state)
{
    fixture *f = *state;
    kn_ability_type_id types[5] = {
        circling(f, "Ping", "Ping", KN_TRIGGER_SOURCE_EVENT, send_pong),
        circling(f, "Pong", "Pong", KN_TRIGGER_SOURCE_EVENT, send_ping),
        circling(f, "OnX", "X", KN_TRIGGER_SOURCE_TAG_ADDED, blink_y),
        circling(f, "OnY", "Y", KN_TRIGGER_SOURCE_TAG_ADDED, blink_x),
        circling(f, "OffX", "X", KN_TRIGGER_SOURCE_TAG_REMOVED, blink_x),
    };
    kn_world_def def = kn_world_def_default();
    def.event_mask |= 1ull << KN_EVENT_ERROR;
    begin_with(f, def);
    kn_ability_id ids[5];
    for (uint32_t i = 0; i < 4; i++) {
        ids[i] = grant(f, types[i]);
    }
    assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, "Ping"), NULL), KN_OK);
    assert_in_range(limit_errors(f), 1, 4);
    add_tag(f, f->hero, tag_of(f, "X"));
    assert_in_range(limit_errors(f), 1, 4);
    check_replay_with(f, def, KN_S(1));
    assert_int_equal(kn_ability_remove(f->world, ids[2], KN_GRANT_CANCEL), KN_OK);
    ids[4] = grant(f, types[4]);
    add_tag(f, f->hero, tag_of(f, "X"));
    remove_tag(f, f->hero, tag_of(f, "X")); // itself
    assert_in_range(limit_errors(f), 1, 4);
    assert_int_equal(kn_ability_remove(f->world, ids[4], KN_GRANT_CANCEL), KN_OK);
    assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, "Ping"), NULL), KN_OK);
    assert_in_range(limit_errors(f), 1, 4); // it works as before
}

// Interference --------------------------------------------------------------

static kn_result destroy_owner(const kn_ability_call *call, const kn_event_record *event)
{
    note(call->user, "%s destroys %g. ", ability_name(call), (double)event->magnitude);
    assert_true(kn_entity_destroy(call->world, call->owner));
    assert_int_equal(kn_event_send(call->world, call->owner, event->tag, event), KN_OK);
    return KN_OK;
}

static void a_handler_that_destroys_its_entity_is_the_last(void **state)
{
    fixture *f = *state;
    kn_trigger_def trigger;
    kn_ability_def def = hearing_def(f, "Bomb", "Hit", 9, &trigger);
    def.activate_by_event = destroy_owner;
    def.ended = note_ended;
    kn_ability_type_id bomb = ability_register(f, &def), other = hearing(f, "Other", "Hit", 0);
    begin(f);
    grant(f, bomb);
    grant(f, other);
    send(f, "Hit", 3.0f);
    EXPECT_LOG(f, "Bomb destroys 3. Bomb: owner gone. ");
    assert_false(kn_entity_is_alive(f->world, f->hero));
    step(f, KN_S(1));
}

static void grow_memory(const kn_ability_call *call, kn_end_reason reason)
{
    (void)reason;
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = kn_ability_type_find(kn_world_library(call->world), "Ballast");
    for (uint32_t i = 0; i < 20; i++) {
        kn_ability_id ability;
        assert_int_equal(kn_ability_grant(call->world, call->owner, &given, &ability), KN_OK);
    }
}

static kn_result note_tags(const kn_ability_call *call, const kn_event_record *event)
{
    note(call->user, "%s %u. ",
        event->tags.count == 1 ? kn_tag_name(kn_world_library(call->world), event->tags.data[0])
                               : "?",
        event->data_size);
    return KN_OK;
}

// BEY-043, ABI-056
static void an_event_that_retriggers_arrives_though_the_end_moves_memory(void **state)
{
    fixture *f = *state;
    kn_trigger_def trigger;
    kn_ability_def def = hearing_def(f, "React", "Hit", 0, &trigger);
    def.retriggers = true;
    def.activate_by_event = note_tags;
    def.ended = grow_memory;
    kn_ability_type_id type = ability_register(f, &def);
    kn_ability_def ballast = kn_ability_def_default();
    ballast.name = "Ballast";
    ballast.state_size = 4000;
    (void)ability_register(f, &ballast);
    tag_of(f, "Element.Fire");
    begin(f);
    grant(f, type);
    kn_event_record event = kn_event_record_default();
    event.tags = tags_of(f, "Element.Fire");
    event.data = "12345678";
    event.data_size = 8;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, "Hit"), &event), KN_OK);
        EXPECT_LOG(f, "Element.Fire 8. ");
    }
    check_replay(f, KN_S(1));
}

static const struct CMUnitTest tests[] = {
    TEST(an_event_starts_an_ability_and_stays_with_its_activation),
    TEST(without_an_entry_for_events_the_plain_one_serves_both),
    TEST(an_event_that_makes_no_sense_is_refused),
    TEST(a_record_that_passed_the_pipeline_is_an_event_too),
    TEST(parents_hear_children_by_priority_then_by_grant),
    TEST(an_ability_that_hears_twice_is_started_once),
    TEST(waits_and_listeners_hear_children_in_order_and_once),
    TEST(all_that_hear_an_event_are_tried_though_some_are_gone_or_may_not),
    TEST(an_ability_says_first_whether_an_event_is_for_it),
    TEST(tags_that_come_and_go_start_abilities),
    TEST(a_tag_starts_the_last_though_those_before_are_gone_or_may_not),
    TEST(only_what_a_tag_started_ends_with_it),
    TEST(a_tag_that_is_there_can_start_an_ability_later),
    TEST(abilities_that_trigger_one_another_end_in_an_error),
    TEST(a_handler_that_destroys_its_entity_is_the_last),
    TEST(an_event_that_retriggers_arrives_though_the_end_moves_memory),
};

TEST_GROUP(ability_triggers, tests, NULL, NULL);
