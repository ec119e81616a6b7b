// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events that games and kits publish: payloads, listeners, printed forms, and nothing else.

#include "scenario/fixture.h"

typedef struct given {
    kn_entity_id target;
    float range;
    uint32_t order;
    kn_tag tag;
    uint8_t spots[4];
} given;

static const kn_field given_fields[] = {
    KN_FIELD(given, target, KN_FIELD_ENTITY),
    KN_FIELD(given, range, KN_FIELD_F32),
    KN_FIELD(given, order, KN_FIELD_U32),
    KN_FIELD(given, tag, KN_FIELD_TAG),
    KN_FIELD_INIT("spots", KN_FIELD_U8, offsetof(given, spots), 4),
};

static kn_custom_event_id given_id, plain_id, said_id;
static kn_tag busy;

static kn_custom_event_def given_def(const char *name)
{
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = name;
    def.size = sizeof(given);
    def.fields = given_fields;
    def.field_count = COUNT(given_fields);
    return def;
}

static kn_custom_event_id event_register(fixture *f, const kn_custom_event_def *def)
{
    kn_custom_event_id id;
    kn_error error = {0};
    if (kn_custom_event_register(f->library, def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

// Publishes what the record says, and that it was heard.
static void publish_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    given payload = {reaction->instigator, reaction->magnitude, 7, busy, {1, 2, 3, 4}};
    assert_int_equal(kn_world_publish(world, reaction->entity, given_id, &payload), KN_OK);
    memset(&payload, 0xff, sizeof(payload)); // copied
    assert_int_equal(kn_world_publish(world, reaction->entity, plain_id, NULL), KN_OK);
}

static int setup(void **state)
{
    fixture *f = fixture_create(3);
    *state = f;
    busy = tag_of(f, "Unit.Busy");
    kn_custom_event_def def = given_def("OrderGiven");
    given_id = event_register(f, &def);
    def = given_def("OrderSaid");
    def.text = "is told {order} by {target} ({spots})";
    said_id = event_register(f, &def);
    kn_custom_event_def plain = kn_custom_event_def_default();
    plain.name = "Alarm";
    plain_id = event_register(f, &plain);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Publish";
    rule.tag = busy;
    rule.function = publish_rule;
    kn_rule_id rule_id;
    assert_int_equal(kn_rule_register(f->library, &rule, &rule_id, NULL), KN_OK);
    return 0;
}

static void send_order(fixture *f, float range)
{
    kn_event_record record = kn_event_record_default();
    record.instigator = f->foe;
    record.magnitude = range;
    assert_int_equal(kn_event_send(f->world, f->hero, busy, &record), KN_OK);
}

static const kn_event *custom_at(const fixture *f, uint32_t index)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CUSTOM && index-- == 0) {
            return &events.data[i];
        }
    }
    return NULL;
}

static void a_rule_publishes_an_event_with_a_payload(void **state)
{
    fixture *f = *state;
    begin(f);
    send_order(f, 12.0f);
    assert_int_equal(kn_world_step(f->world, KN_MS(10)), KN_OK);

    const kn_event *event = custom_at(f, 0);
    assert_non_null(event);
    assert_int_equal(event->data.custom.kind.index1, given_id.index1);
    assert_true(kn_entity_id_equal(event->entity, f->hero));
    uint32_t size;
    const given *payload = kn_event_payload(f->world, event, &size);
    assert_int_equal(size, sizeof(given));
    assert_true(kn_entity_id_equal(payload->target, f->foe));
    assert_near(payload->range, 12.0f);
    assert_int_equal(payload->order, 7);
    assert_true(kn_tag_equal(payload->tag, busy));
    assert_int_equal(payload->spots[3], 4);
    const kn_event *plain = custom_at(f, 1);
    assert_null(kn_event_payload(f->world, plain, &size));
    assert_int_equal(size, 0);
    assert_null(custom_at(f, 2));
    assert_int_equal(kn_world_step(f->world, KN_MS(10)), KN_OK);
    assert_null(custom_at(f, 0)); // as all events
}

static void an_event_is_printed_by_its_text_or_its_fields(void **state)
{
    fixture *f = *state;
    begin(f);
    given payload = {f->foe, 2.5f, 9, busy, {5, 6, 7, 8}};
    assert_int_equal(kn_world_publish(f->world, f->hero, said_id, &payload), KN_OK);
    assert_int_equal(kn_world_publish(f->world, f->hero, given_id, &payload), KN_OK);
    assert_int_equal(kn_world_publish(f->world, f->hero, given_id, NULL), KN_OK);
    assert_int_equal(kn_world_publish(f->world, (kn_entity_id){0}, plain_id, NULL), KN_OK);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    static const char *const expected[] = {
        "is told 9 by entity 2 (5, 6, 7, 8)",
        "OrderGiven: target entity 2; range 2.5; order 9; tag Unit.Busy; spots 5, 6, 7, 8",
        "OrderGiven: target none; range 0; order 0; tag none; spots 0, 0, 0, 0",
        "Alarm",
    };
    for (uint32_t i = 0; i < COUNT(expected); i++) {
        char line[256];
        (void)kn_event_print(f->world, custom_at(f, i), line, sizeof(line));
        if (strstr(line, expected[i]) == NULL) {
            fail_msg("%s", line);
        }
    }
    assert_string_equal(kn_event_type_name(KN_EVENT_CUSTOM), "custom");
}

static void heard(void *user, kn_world *world, const kn_event *event)
{
    uint32_t size;
    const given *payload = kn_event_payload(world, event, &size);
    note(user, "%s %u. ", kn_custom_event_name(((fixture *)user)->library, event->data.custom.kind),
        payload != NULL ? payload->order : 0);
}

static void listeners_hear_one_kind_or_all(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_CUSTOM;
    def.function = heard;
    def.user = f;
    def.custom = given_id;
    assert_int_equal(kn_listener_add(f->world, &def, NULL), KN_OK);
    send_order(f, 1.0f);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    EXPECT_LOG(f, "OrderGiven 7. ");
    def.custom = (kn_custom_event_id){0};
    assert_int_equal(kn_listener_add(f->world, &def, NULL), KN_OK);
    send_order(f, 1.0f);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    EXPECT_LOG(f, "OrderGiven 7. OrderGiven 7. Alarm 0. ");
}

static void a_world_knows_which_kinds_listeners_name(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_listener_def def = kn_listener_def_default();
    kn_listener_id first, second, third, fourth;
    def.type = KN_EVENT_CUSTOM;
    def.function = heard;
    def.user = f;
    assert_int_equal(kn_listener_add(f->world, &def, &first), KN_OK); // of all kinds: names none
    assert_false(kn_custom_event_is_wanted(f->world, said_id));
    def.custom = said_id;
    assert_int_equal(kn_listener_add(f->world, &def, &second), KN_OK);
    def.entity = f->hero; // of one entity
    assert_int_equal(kn_listener_add(f->world, &def, &third), KN_OK);
    def.type = KN_EVENT_CUE; // the kind does not matter to it
    def.custom = plain_id;
    assert_int_equal(kn_listener_add(f->world, &def, &fourth), KN_OK);
    assert_true(kn_custom_event_is_wanted(f->world, said_id));
    assert_false(kn_custom_event_is_wanted(f->world, given_id));
    assert_false(kn_custom_event_is_wanted(f->world, plain_id));
    // Kinds that share a bit are told apart.
    assert_false(kn_custom_event_is_wanted(f->world, (kn_custom_event_id){said_id.index1 + 64}));
    assert_false(kn_custom_event_is_wanted(f->world, (kn_custom_event_id){0}));
    assert_false(kn_custom_event_is_wanted(NULL, said_id));
    assert_true(kn_listener_remove(f->world, second));
    assert_true(kn_custom_event_is_wanted(f->world, said_id));
    assert_true(kn_listener_remove(f->world, third));
    assert_false(kn_custom_event_is_wanted(f->world, said_id));
}

// A library with events of these names, in this order.
static kn_library *events_library(const char *const *names, uint32_t count)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    for (uint32_t i = 0; i < count; i++) {
        kn_custom_event_def event = kn_custom_event_def_default();
        kn_custom_event_id id;
        event.name = names[i];
        assert_int_equal(kn_custom_event_register(library, &event, &id, NULL), KN_OK);
    }
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    return library;
}

static void count_event(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    (void)event;
    (*(uint32_t *)user)++;
}

static void a_listener_follows_its_kind_to_another_library(void **state)
{
    static const char *const names[] = {"Alarm", "Horn", "Bell"};
    kn_library *old = events_library(&names[0], 2), *other = events_library(&names[1], 2);
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    uint32_t count = 0;
    (void)state;
    def.library = old;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_listener_def listener = kn_listener_def_default();
    kn_listener_id id;
    listener.type = KN_EVENT_CUSTOM;
    listener.custom = kn_custom_event_find(old, "Horn");
    listener.function = count_event;
    listener.user = &count;
    assert_int_equal(kn_listener_add(world, &listener, &id), KN_OK);
    assert_int_equal(kn_world_reload(world, other, NULL), KN_OK);
    kn_custom_event_id horn = kn_custom_event_find(other, "Horn");
    kn_custom_event_id bell = kn_custom_event_find(other, "Bell");
    assert_true(kn_custom_event_is_wanted(world, horn));
    assert_false(kn_custom_event_is_wanted(world, bell));
    assert_int_equal(kn_world_publish(world, (kn_entity_id){0}, bell, NULL), KN_OK);
    assert_int_equal(kn_world_step(world, 0), KN_OK);
    assert_int_equal(count, 0);
    assert_int_equal(kn_world_publish(world, (kn_entity_id){0}, horn, NULL), KN_OK);
    assert_int_equal(kn_world_step(world, 0), KN_OK);
    assert_int_equal(count, 1);
    // A library without it is refused, and nothing changes.
    kn_library *without = events_library(&names[2], 1);
    kn_error error = {0};
    assert_int_equal(kn_world_reload(world, without, &error), KN_REFUSED_NOT_FOUND);
    assert_non_null(strstr(error.message, "Horn"));
    assert_ptr_equal(kn_world_library(world), other);
    kn_world_destroy(world);
    kn_library_destroy(old);
    kn_library_destroy(other);
    kn_library_destroy(without);
}

static void log_keep(void *user, const kn_log_entry *entry)
{
    note(user, "%s. ", entry->message);
}

static void the_log_prints_payloads_before_they_are_published(void **state)
{
    fixture *f = *state;
    kn_world_def def = kn_world_def_default();
    def.hooks.log_fn = log_keep;
    def.hooks.log_user = f;
    begin_with(f, def);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    assert_int_equal(kn_log_set_level(f->world, KN_LOG_WORLD, KN_LOG_VERBOSE), KN_OK);
    given payload = {f->foe, 2.5f, 9, busy, {5, 6, 7, 8}};
    assert_int_equal(kn_world_publish(f->world, f->hero, said_id, &payload), KN_OK);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    if (strstr(f->log, "is told 9 by entity 2 (5, 6, 7, 8)") == NULL) {
        fail_msg("%s", f->log);
    }
}

static void custom_events_are_not_state(void **state)
{
    fixture *f = *state;
    kn_world_def silent_def = kn_world_def_default();
    silent_def.event_mask = 0;
    begin(f);
    kn_world *loud = f->world;
    uint64_t before = kn_world_hash(loud);
    given payload = {f->foe, 2.5f, 9, busy, {5, 6, 7, 8}};
    assert_int_equal(kn_world_publish(loud, f->hero, said_id, &payload), KN_OK);
    assert_true(kn_world_hash(loud) == before);

    // A world that nobody watches takes the same path.
    kn_world *silent = world_of(f, silent_def);
    f->world = silent;
    entities_create(f);
    send_order(f, 3.0f);
    assert_int_equal(kn_world_step(silent, KN_MS(10)), KN_OK);
    assert_null(custom_at(f, 0));
    f->world = loud;
    send_order(f, 3.0f);
    assert_int_equal(kn_world_step(loud, KN_MS(10)), KN_OK);
    assert_non_null(custom_at(f, 0));
    assert_true(kn_world_hash(loud) == kn_world_hash(silent));
    kn_world_destroy(silent);
}

static void a_restored_world_has_dropped_them(void **state)
{
    fixture *f = *state;
    begin(f);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    send_order(f, 3.0f);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    kn_event kept = *custom_at(f, 0);
    snapshot_restore(f->world, snapshot, size);
    uint32_t bytes;
    assert_null(custom_at(f, 0));
    assert_null(kn_event_payload(f->world, &kept, &bytes));
    free(snapshot);
}

static void expect_refused(fixture *f, const kn_custom_event_def *def, const char *sentence)
{
    kn_custom_event_id id;
    kn_error error = {0};
    kn_result result = kn_custom_event_register(f->library, def, &id, &error);
    if (result != KN_ERROR_BAD_DATA || strstr(error.message, sentence) == NULL) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    assert_int_equal(id.index1, 0);
}

static void bad_kinds_and_calls_are_refused(void **state)
{
    fixture *f = *state;
    kn_custom_event_def def = given_def("Bad");
    def.size += 4;
    expect_refused(f, &def, "cover");
    def = given_def("Bad");
    def.field_count = 0;
    expect_refused(f, &def, "has no fields");
    def = given_def("Bad");
    def.text = "goes to {place}";
    expect_refused(f, &def, "not one of its fields");
    def.text = "goes to {order";
    expect_refused(f, &def, "not one of its fields");
    def.text = NULL;
    def.command.index1 = 9999;
    expect_refused(f, &def, "is not registered");
    def.command = kn_command_type_release();
    expect_refused(f, &def, "another payload");
    def.command.index1 = 0;
    def.size = KN_CUSTOM_EVENT_SIZE_MAX + 1;
    expect_refused(f, &def, "must not exceed");
    kn_custom_event_id id;
    def = given_def("OrderGiven");
    assert_int_equal(kn_custom_event_register(f->library, &def, &id, NULL), KN_REFUSED_DUPLICATE);
    begin(f);
    assert_int_equal(kn_world_publish(f->world, f->hero, (kn_custom_event_id){0}, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_world_publish(f->world, f->hero, (kn_custom_event_id){99}, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_CUSTOM;
    listener.function = heard;
    listener.custom.index1 = 99;
    assert_int_equal(kn_listener_add(f->world, &listener, NULL), KN_ERROR_INVALID_ARGUMENT);
    uint32_t size;
    kn_event other = {.type = KN_EVENT_CUE};
    assert_null(kn_event_payload(f->world, &other, &size));
    assert_string_equal(kn_custom_event_get_def(f->library, plain_id)->name, "Alarm");
    assert_int_equal(kn_custom_event_find(f->library, "OrderSaid").index1, said_id.index1);
}

static const struct CMUnitTest tests[] = {
    TEST(a_rule_publishes_an_event_with_a_payload),
    TEST(an_event_is_printed_by_its_text_or_its_fields),
    TEST(listeners_hear_one_kind_or_all),
    TEST(a_world_knows_which_kinds_listeners_name),
    TEST(a_listener_follows_its_kind_to_another_library),
    TEST(the_log_prints_payloads_before_they_are_published),
    TEST(custom_events_are_not_state),
    TEST(a_restored_world_has_dropped_them),
    TEST(bad_kinds_and_calls_are_refused),
};

TEST_GROUP(custom_events, tests, NULL, NULL);
