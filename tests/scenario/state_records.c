// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The state of a world as records: walking them, reading them by their tables, writing single
// fields.

#define FIXTURE_OWN                                                                                \
    kn_component_type_id pack;                                                                     \
    kn_effect_type_id might;                                                                       \
    kn_ability_type_id cast;                                                                       \
    kn_timer_type_id alarm;                                                                        \
    kn_tag sworn, cold, shine;

#include "scenario/ability_fixture.h"

typedef struct pack_data {
    kn_entity_id carrier;
    float weight[2];
    uint32_t mood; // enum
    uint32_t pad;
} pack_data;

static const kn_field pack_fields[] = {
    KN_FIELD(pack_data, carrier, KN_FIELD_ENTITY),
    KN_FIELD_INIT("weight", KN_FIELD_F32, offsetof(pack_data, weight), 2),
    KN_FIELD_WORDS(pack_data, mood, "calm angry"),
    KN_FIELD(pack_data, pad, KN_FIELD_U32),
};
static const kn_field item_fields[] = {KN_FIELD_INIT("word", KN_FIELD_U32, 0, 1)};

static kn_time alarm_ring(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user, (void)world, (void)entity, (void)data;
    return 0;
}

static kn_result cast_activate(const kn_ability_call *call)
{
    kn_task_id task;
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.delay = KN_MS(5000);
    return kn_task_run(call->world, call->activation, &def, &task);
}

static int setup_records(void **state)
{
    (void)setup(state);
    fixture *f = *state;
    f->entity_count = 3;
    f->sworn = tag_of(f, "State.Sworn");
    f->cold = tag_of(f, "Cooldown.Cast");
    f->shine = tag_of(f, "Cue.Shine");
    kn_component_def def = kn_component_def_default();
    def.name = "Pack";
    def.size = sizeof(pack_data);
    def.fields = pack_fields;
    def.field_count = COUNT(pack_fields);
    def.item_size = 4;
    def.item_fields = item_fields;
    def.item_field_count = 1;
    assert_int_equal(kn_component_register(f->library, &def, &f->pack, NULL), KN_OK);
    kn_modifier_def raise = kn_modifier_def_default();
    raise.attribute = f->max_health;
    raise.magnitude = kn_magnitude_constant(30.0f);
    kn_effect_def might = effect_def("Might", KN_DURATION_TIMED, &raise, 1);
    might.stacking.kind = KN_STACK_BY_TARGET;
    might.stacking.limit = kn_constant(9.0f);
    f->might = effect_register(f, &might);
    kn_cooldown_def cooldown = kn_cooldown_def_default();
    cooldown.key = f->cold;
    cooldown.duration = kn_constant(8.0f);
    kn_ability_def cast = ability_def(f, "Cast");
    cast.cooldowns = &cooldown;
    cast.cooldown_count = 1;
    cast.activate = cast_activate;
    f->cast = ability_register(f, &cast);
    assert_int_equal(
        kn_timer_type_register(f->library, "Alarm", alarm_ring, NULL, &f->alarm, NULL), KN_OK);
    begin(f);
    return 0;
}

// An entity with a record of nearly every kind.
static void hero_prepare(fixture *f)
{
    pack_data *pack = kn_component_add(f->world, f->pack, f->hero);
    *pack = (pack_data){f->ally, {1.5f, 2.5f}, 1, 0};
    *(uint32_t *)kn_component_resize(f->world, f->pack, f->hero, 2) = 77;
    add_tag(f, f->hero, f->sworn);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_effect_context context = {.instigator = f->ally};
    apply.context = &context;
    apply.source = f->foe;
    apply.target = f->hero;
    apply.type = f->might;
    assert_int_equal(kn_effect_apply(f->world, &apply, NULL), KN_OK);
    kn_event_record event = kn_event_record_default();
    event.magnitude = 4.0f;
    event.instigator = f->foe;
    kn_activation_id activation;
    kn_ability_id ability = grant(f, f->cast);
    assert_int_equal(kn_ability_activate(f->world, ability, &event, &activation), KN_OK);
    assert_int_equal(kn_activation_commit(f->world, activation), KN_OK);
    kn_cue_params params = kn_cue_params_default();
    assert_int_equal(kn_cue_add(f->world, f->hero, f->shine, &params), KN_OK);
    kn_timer_id timer;
    assert_int_equal(kn_timer_start(f->world, f->alarm, f->hero, KN_MS(3000), NULL, &timer), KN_OK);
    step_seconds(f, 0.5);
}

static uint32_t field_of(const kn_def_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        if (strcmp(table->fields[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no field %s", name);
    return 0;
}

// The first record of a kind.
static kn_state_ref find(const fixture *f, kn_entity_id entity, kn_state_kind kind)
{
    kn_state_ref ref = {KN_STATE_NONE, 0, 0};
    while (kn_state_next(f->world, entity, &ref)) {
        if (ref.kind == kind) {
            return ref;
        }
    }
    return ref;
}

static void a_walk_shows_every_record_of_an_entity(void **state)
{
    fixture *f = *state;
    hero_prepare(f);
    uint32_t counts[KN_STATE_KIND_COUNT] = {0}, attributes = 0;
    kn_state_ref ref = {KN_STATE_NONE, 0, 0};
    kn_state_kind last = KN_STATE_NONE;
    while (kn_state_next(f->world, f->hero, &ref)) {
        kn_state_view view;
        assert_true(ref.kind >= last);
        last = ref.kind;
        counts[ref.kind]++;
        assert_true(kn_state_get(f->world, ref, &view));
        assert_true(kn_entity_id_equal(view.entity, f->hero));
        assert_non_null(view.record);
        if (ref.kind == KN_STATE_ATTRIBUTE) {
            assert_int_equal(view.type_kind, KN_DEF_ATTRIBUTE);
            attributes += view.type == f->max_health.index1;
        }
    }
    assert_int_equal(ref.kind, KN_STATE_NONE);
    static const uint32_t expected[KN_STATE_KIND_COUNT] = {
        [KN_STATE_ENTITY] = 1,
        [KN_STATE_LINKS] = 1,
        [KN_STATE_ATTRIBUTE] = 5,
        [KN_STATE_TAG] = 2, // and that of the cooldown
        [KN_STATE_EFFECT] = 1,
        [KN_STATE_CONTEXT] = 1,
        [KN_STATE_INPUTS] = 1,
        [KN_STATE_ABILITY] = 1,
        [KN_STATE_COOLDOWN] = 1,
        [KN_STATE_ACTIVATION] = 1,
        [KN_STATE_EVENT] = 1,
        [KN_STATE_TASK] = 1,
        [KN_STATE_CUE] = 1,
        [KN_STATE_TIMER] = 1,
        [KN_STATE_COMPONENT] = 1,
    };
    for (uint32_t i = 0; i < KN_STATE_KIND_COUNT; i++) {
        if (counts[i] != expected[i]) {
            fail_msg(
                "%s: %u, not %u", kn_state_kind_name((kn_state_kind)i), counts[i], expected[i]);
        }
    }
    assert_int_equal(attributes, 1);
}

static void the_world_has_records_of_its_own(void **state)
{
    fixture *f = *state;
    kn_spec_id spec;
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = f->might;
    def.source = f->foe;
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);
    kn_timer_id timer;
    assert_int_equal(
        kn_timer_start(f->world, f->alarm, (kn_entity_id){0}, KN_MS(10), NULL, &timer), KN_OK);
    kn_state_ref ref = {KN_STATE_NONE, 0, 0};
    const kn_entity_id nobody = {0};
    assert_true(kn_state_next(f->world, nobody, &ref));
    assert_int_equal(ref.kind, KN_STATE_TIMER);
    assert_int_equal(ref.slot, timer.index1 - 1);
    assert_true(kn_state_next(f->world, nobody, &ref));
    assert_int_equal(ref.kind, KN_STATE_SPEC);
    assert_int_equal(ref.slot, spec.index1 - 1);
    assert_true(kn_state_next(f->world, nobody, &ref));
    assert_int_equal(ref.kind, KN_STATE_SPEC_CONTEXT);
    assert_false(kn_state_next(f->world, nobody, &ref));
}

static void fields_have_names_and_kinds(void **state)
{
    fixture *f = *state;
    hero_prepare(f);
    const kn_def_table *table = kn_state_table(KN_STATE_EFFECT);
    assert_int_equal(table->fields[field_of(table, "source")].kind, KN_FIELD_ENTITY);
    assert_int_equal(table->fields[field_of(table, "start")].kind, KN_FIELD_TIME);
    assert_int_equal(table->fields[field_of(table, "component")].kind, KN_STATE_FIELD_SLOT);
    assert_int_equal(table->fields[field_of(table, "component")].limit, KN_STATE_LINKS);
    assert_int_equal(table->fields[field_of(table, "type")].limit, KN_DEF_EFFECT);
    table = kn_state_table(KN_STATE_CONTEXT);
    assert_int_equal(table->fields[field_of(table, "ability")].kind, KN_FIELD_ABILITY);
    assert_null(kn_state_table(KN_STATE_COMPONENT));
    assert_null(kn_state_table(KN_STATE_KIND_COUNT));
    assert_string_equal(kn_state_kind_name(KN_STATE_COOLDOWN), "cooldown");
    assert_string_equal(kn_state_kind_name(KN_STATE_KIND_COUNT), "");
    // The record of the event, and the lists of the context.
    kn_state_view view;
    const void *items;
    kn_state_ref ref = find(f, f->hero, KN_STATE_EVENT);
    assert_true(kn_state_get(f->world, ref, &view));
    uint32_t field = field_of(view.table, "instigator");
    kn_entity_id instigator;
    memcpy(&instigator, (const uint8_t *)view.record + view.table->fields[field].offset, 8);
    assert_true(kn_entity_id_equal(instigator, f->foe));
    assert_int_equal(kn_state_list(f->world, ref, field, &items, &table), 0);
    ref = find(f, f->hero, KN_STATE_COMPONENT);
    assert_int_equal(kn_state_items(f->world, ref, &items, &table), 2);
    assert_string_equal(table->fields[0].name, "word");
    assert_int_equal(*(const uint32_t *)items, 77);
    char text[512];
    assert_true(kn_state_print(f->world, ref, text, sizeof(text)) > 0);
    assert_string_equal(
        text, "component Pack: carrier entity 3; weight 1.5, 2.5; mood angry; pad 0");
    ref = find(f, f->hero, KN_STATE_TAG);
    assert_true(kn_state_print(f->world, ref, text, sizeof(text)) > 0);
    assert_string_equal(text, "tag State.Sworn: tag State.Sworn; origin 0; sync 0; count 1");
}

static void what_is_derived_follows_a_field(void **state)
{
    fixture *f = *state;
    hero_prepare(f);
    kn_state_ref ref = find(f, f->hero, KN_STATE_EFFECT);
    const kn_def_table *table = kn_state_table(KN_STATE_EFFECT);
    uint32_t stacks = 3;
    assert_near(value_of(f, f->max_health), 130.0f);
    assert_int_equal(
        kn_state_set(f->world, ref, field_of(table, "stacks"), 0, &stacks, NULL), KN_OK);
    assert_near(value_of(f, f->max_health), 190.0f);
    // Its end moves.
    kn_time duration = KN_MS(1000);
    assert_int_equal(
        kn_state_set(f->world, ref, field_of(table, "duration"), 0, &duration, NULL), KN_OK);
    step_seconds(f, 0.6);
    assert_near(value_of(f, f->max_health), 100.0f);
    // A count of a tag.
    ref = find(f, f->hero, KN_STATE_TAG);
    uint32_t count = 5;
    assert_int_equal(kn_state_set(f->world, ref, field_of(kn_state_table(KN_STATE_TAG), "count"), 0,
                         &count, NULL),
        KN_OK);
    assert_int_equal(kn_entity_tag_count(f->world, f->hero, tag_of(f, "State")), 5);
    // One element of an array in a component.
    ref = find(f, f->hero, KN_STATE_COMPONENT);
    float weight = 9.0f;
    assert_int_equal(kn_state_set(f->world, ref, 1, 1, &weight, NULL), KN_OK);
    const pack_data *pack = kn_component_read(f->world, f->pack, f->hero);
    assert_near(pack->weight[0], 1.5f);
    assert_near(pack->weight[1], 9.0f);
    assert_true(kn_world_validate(f->world));
}

static void writing_what_is_there_changes_nothing(void **state)
{
    fixture *f = *state;
    hero_prepare(f);
    uint64_t before = kn_world_hash(f->world);
    uint32_t written = 0;
    kn_state_ref ref = {KN_STATE_NONE, 0, 0};
    while (kn_state_next(f->world, f->hero, &ref)) {
        kn_state_view view;
        assert_true(kn_state_get(f->world, ref, &view));
        for (uint32_t i = 0; i < view.table->field_count; i++) {
            uint8_t value[16];
            kn_error error = {0};
            const uint8_t *record = view.record;
            memcpy(value, record + view.table->fields[i].offset, sizeof(value));
            kn_result result = kn_state_set(f->world, ref, i, 0, value, &error);
            if (result != KN_OK && result != KN_ERROR_INVALID_ARGUMENT) {
                fail_msg("%s: %s", view.table->fields[i].name, error.message);
            }
            written += result == KN_OK;
            assert_true(kn_world_hash(f->world) == before);
            assert_true(kn_state_get(f->world, ref, &view));
        }
    }
    assert_true(written > 80);
    assert_true(kn_world_validate(f->world));
}

static void refused(fixture *f, kn_state_ref ref, uint32_t field, uint32_t element,
    const void *value, kn_result result, const char *why)
{
    kn_error error = {0};
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(kn_state_set(f->world, ref, field, element, value, &error), result);
    if (strstr(error.message, why) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", why, error.message);
    }
    assert_true(kn_world_hash(f->world) == before);
    assert_true(kn_world_validate(f->world));
}

static void values_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    hero_prepare(f);
    const kn_def_table *effect = kn_state_table(KN_STATE_EFFECT);
    kn_state_ref ref = find(f, f->hero, KN_STATE_EFFECT);
    uint64_t number = 1;
    uint32_t none = 0, slot = 2, mood = 2;
    uint16_t type = 999;
    kn_time past = 1;
    float nan = NAN;
    refused(f, ref, field_of(effect, "number"), 0, &number, KN_ERROR_INVALID_ARGUMENT, "number");
    refused(
        f, ref, field_of(effect, "component"), 0, &slot, KN_ERROR_INVALID_ARGUMENT, "component");
    refused(f, ref, 99, 0, &none, KN_ERROR_INVALID_ARGUMENT, "cannot");
    refused(f, ref, field_of(effect, "stacks"), 1, &none, KN_ERROR_INVALID_ARGUMENT, "stacks");
    refused(f, ref, field_of(effect, "stacks"), 0, &none, KN_ERROR_BAD_DATA, "invalid number");
    refused(f, ref, field_of(effect, "type"), 0, &type, KN_ERROR_BAD_DATA, "points to nothing");
    refused(f, ref, field_of(effect, "level"), 0, &nan, KN_ERROR_BAD_DATA, "level");
    refused(f, ref, field_of(effect, "duration"), 0, &past, KN_ERROR_BAD_DATA, "times");
    ref = find(f, f->hero, KN_STATE_COMPONENT);
    refused(f, ref, 2, 0, &mood, KN_ERROR_BAD_DATA, "no word");
    ref = find(f, f->hero, KN_STATE_CONTEXT);
    refused(f, ref, 0, 0, &none, KN_ERROR_INVALID_ARGUMENT, "cannot");
    ref.slot = 500;
    refused(f, ref, 0, 0, &none, KN_REFUSED_STALE_ID, "no such record");
    kn_state_view view;
    ref = (kn_state_ref){(kn_state_kind)77, 1, 1};
    assert_false(kn_state_get(f->world, ref, &view));
    assert_false(kn_state_next(f->world, f->hero, &ref));
    ref = (kn_state_ref){KN_STATE_ATTRIBUTE, 900, 0};
    assert_false(kn_state_get(f->world, ref, &view));
    ref = (kn_state_ref){KN_STATE_NONE, 0, 0};
    assert_false(kn_state_next(f->world, (kn_entity_id){9, 9}, &ref));
}

#define RECORDED(test) cmocka_unit_test_setup_teardown(test, setup_records, teardown)
static const struct CMUnitTest tests[] = {
    RECORDED(a_walk_shows_every_record_of_an_entity),
    RECORDED(the_world_has_records_of_its_own),
    RECORDED(fields_have_names_and_kinds),
    RECORDED(what_is_derived_follows_a_field),
    RECORDED(writing_what_is_there_changes_nothing),
    RECORDED(values_that_make_no_sense_are_refused),
};

TEST_GROUP(state_records, tests, NULL, NULL);
