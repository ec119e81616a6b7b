// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Views of the world's own memory (payloads, target data, events, tags) handed back to the world
// through every call that takes bytes, while its memory grows and moves each time.

#include "group.h"

#include "knack/knack.h"

#include <stdlib.h>
#include <string.h>

#define PAYLOAD_SIZE 2000
#define TARGETS 100
#define ROUNDS 400

// Every block moves when it grows, and what is left behind is overwritten.
static void *moving_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    void *block = new_size > 0 ? malloc(new_size) : NULL;
    if (ptr != NULL && (block != NULL || new_size == 0)) {
        if (block != NULL) {
            memcpy(block, ptr, old_size < new_size ? old_size : new_size);
        }
        memset(ptr, 0xdd, old_size);
        free(ptr);
    }
    return block;
}

typedef struct stage {
    kn_library *library;
    kn_world *world;
    kn_tag event, cue;
    kn_tag many[40];
    kn_context_type_id context;
    kn_effect_type_id effect;
    kn_ability_type_id plain, triggered, by_input, aims;
    kn_task_type_id task_type;
    kn_timer_type_id timer_type;
    kn_targeting_id targeting;
    kn_container_id container;
    kn_entity_id entity;
    kn_ability_id ability, aiming;
    kn_effect_id first;
    uint8_t payload[PAYLOAD_SIZE];
    kn_target_data targets;
    uint32_t answers;
} stage;

static stage *playing; // of hooks without a user pointer

static kn_result body(const kn_ability_call *call)
{
    (void)call;
    return KN_OK;
}

static kn_result aim(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = playing->targeting;
    def.confirm = KN_CONFIRM_CUSTOM_MULTI;
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void aimed(const kn_ability_call *call, const kn_task_result *result)
{
    (void)call;
    assert_int_equal(result->data.targets.size, playing->targets.size);
    assert_memory_equal(result->data.targets.data, playing->targets.bytes, playing->targets.size);
    playing->answers++;
}

static bool accept_all(const kn_targeting_call *call, kn_target_view data)
{
    (void)call;
    (void)data;
    return true;
}

static kn_time rings(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    assert_memory_equal(data, playing->payload, KN_TIMER_DATA_SIZE);
    playing->answers++;
    return 0;
}

static kn_ability_type_id ability_register(stage *s, const char *name,
    kn_result (*activate)(const kn_ability_call *), kn_instancing instancing, uint32_t input,
    bool is_triggered)
{
    kn_trigger_def trigger = {.source = KN_TRIGGER_SOURCE_EVENT, .tag = s->event};
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.activate = activate;
    def.instancing = instancing;
    def.input = input;
    if (is_triggered) {
        def.triggers = &trigger;
        def.trigger_count = 1;
    }
    def.task_done = activate == aim ? aimed : NULL;
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

static void library_build(stage *s)
{
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &s->library), KN_OK);
    kn_library *library = s->library;
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Event";
    assert_int_equal(kn_tag_register(library, &tag, &s->event, NULL), KN_OK);
    tag.name = "GameplayCue.Bang";
    assert_int_equal(kn_tag_register(library, &tag, &s->cue, NULL), KN_OK);
    for (uint32_t i = 0; i < 40; i++) {
        char name[] = {'T', (char)('A' + i / 10), (char)('0' + i % 10), 0};
        tag.name = name;
        assert_int_equal(kn_tag_register(library, &tag, &s->many[i], NULL), KN_OK);
    }
    assert_int_equal(kn_cue_root_set(library, kn_tag_find(library, "GameplayCue")), KN_OK);
    assert_int_equal(
        kn_context_type_register(library, "Big", PAYLOAD_SIZE, &s->context, NULL), KN_OK);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Mark";
    effect.duration_kind = KN_DURATION_INFINITE;
    assert_int_equal(kn_effect_register(library, &effect, &s->effect, NULL), KN_OK);
    kn_task_type_def task = kn_task_type_def_default();
    task.name = "Note";
    task.state_size = PAYLOAD_SIZE;
    assert_int_equal(kn_task_type_register(library, &task, &s->task_type, NULL), KN_OK);
    assert_int_equal(
        kn_timer_type_register(library, "Ring", rings, NULL, &s->timer_type, NULL), KN_OK);
    kn_targeting_def targeting = kn_targeting_def_default();
    targeting.name = "Aim";
    targeting.shape = KN_SHAPE_SELF;
    targeting.validate = accept_all;
    assert_int_equal(kn_targeting_register(library, &targeting, &s->targeting, NULL), KN_OK);
    kn_container_def container = kn_container_def_default();
    container.name = "Spread";
    container.target = KN_CONTAINER_DATA;
    container.effects = &s->effect;
    container.effect_count = 1;
    assert_int_equal(kn_container_register(library, &container, &s->container, NULL), KN_OK);
    s->plain = ability_register(s, "Plain", body, KN_INSTANCING_PER_EXECUTION, 0, false);
    s->triggered = ability_register(s, "Triggered", body, KN_INSTANCING_PER_EXECUTION, 0, true);
    s->by_input = ability_register(s, "Pressed", body, KN_INSTANCING_PER_EXECUTION, 7, false);
    s->aims = ability_register(s, "Aims", aim, KN_INSTANCING_PER_ACTOR, 0, false);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
}

static kn_entity_id create(stage *s)
{
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(s->world, &entity), KN_OK);
    return entity;
}

static kn_ability_id grant(stage *s, kn_entity_id entity, kn_ability_type_id type)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(s->world, entity, &def, &ability), KN_OK);
    return ability;
}

static kn_effect_apply_def application(
    const stage *s, kn_entity_id target, const kn_effect_context *context)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = s->effect;
    def.target = target;
    def.context = context;
    return def;
}

static int setup(void **state)
{
    stage *s = calloc(1, sizeof(*s));
    playing = s;
    library_build(s);
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    def.hooks.realloc_fn = moving_realloc;
    def.heap_capacity = 0;
    assert_int_equal(kn_world_create(&def, &s->world), KN_OK);
    s->entity = create(s);
    s->ability = grant(s, s->entity, s->plain);
    (void)grant(s, s->entity, s->by_input);
    s->aiming = grant(s, s->entity, s->aims);
    for (uint32_t i = 0; i < PAYLOAD_SIZE; i++) {
        s->payload[i] = (uint8_t)(i * 7 + 1);
    }
    for (uint32_t i = 0; i < TARGETS; i++) {
        kn_target_entity target = {s->entity};
        assert_int_equal(
            kn_target_add(s->library, &s->targets, kn_target_type_entity(), &target), KN_OK);
    }
    kn_effect_context context = {.payload_type = s->context,
        .payload = s->payload,
        .targets = s->targets.bytes,
        .target_size = s->targets.size};
    kn_effect_apply_def apply = application(s, s->entity, &context);
    assert_int_equal(kn_effect_apply(s->world, &apply, &s->first), KN_OK);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    stage *s = *state;
    assert_true(kn_world_validate(s->world));
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    free(s);
    return 0;
}

// The views -----------------------------------------------------------------

static kn_effect_context view_of_effect(const stage *s, kn_effect_id effect)
{
    kn_target_view targets = kn_effect_targets(s->world, effect);
    return (kn_effect_context){.payload_type = s->context,
        .payload = kn_effect_payload(s->world, effect, s->context),
        .targets = targets.data,
        .target_size = targets.size};
}

static kn_event_record view_as_event(const stage *s, kn_effect_id effect)
{
    kn_target_view targets = kn_effect_targets(s->world, effect);
    kn_event_record record = kn_event_record_default();
    record.data = targets.data;
    record.data_size = targets.size;
    return record;
}

static void effect_has_all(const stage *s, kn_effect_id effect)
{
    kn_target_view targets = kn_effect_targets(s->world, effect);
    assert_int_equal(targets.size, s->targets.size);
    assert_memory_equal(targets.data, s->targets.bytes, s->targets.size);
    assert_memory_equal(kn_effect_payload(s->world, effect, s->context), s->payload, PAYLOAD_SIZE);
}

static void activation_has_all(const stage *s, kn_activation_id activation)
{
    kn_event_record record;
    assert_true(kn_activation_event(s->world, activation, &record));
    assert_int_equal(record.data_size, s->targets.size);
    assert_memory_equal(record.data, s->targets.bytes, s->targets.size);
}

static kn_activation_id newest(const stage *s, kn_entity_id entity)
{
    kn_activation_id all[2 * ROUNDS + 8];
    uint32_t count = kn_activations(s->world, entity, all, 2 * ROUNDS + 8);
    assert_true(count > 0);
    return all[count - 1];
}

// The calls -----------------------------------------------------------------

static void effects_take_contexts_of_effects(void **state)
{
    stage *s = *state;
    kn_effect_id effect = s->first;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        kn_effect_context context = view_of_effect(s, effect);
        kn_effect_apply_def def = application(s, s->entity, &context);
        assert_int_equal(kn_effect_apply(s->world, &def, &effect), KN_OK);
        effect_has_all(s, effect);
    }
}

static void effects_of_abilities_take_contexts_of_effects(void **state)
{
    stage *s = *state;
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(s->world, s->ability, NULL, &activation), KN_OK);
    kn_effect_id effect = s->first;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        kn_effect_context context = view_of_effect(s, effect);
        kn_effect_apply_def def = application(s, s->entity, &context);
        assert_int_equal(kn_activation_apply_def(s->world, activation, &def, &effect), KN_OK);
        effect_has_all(s, effect);
    }
}

static void specs_take_contexts_of_effects(void **state)
{
    stage *s = *state;
    kn_effect_id effect = s->first;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        kn_effect_context context = view_of_effect(s, effect);
        kn_effect_apply_def def = application(s, (kn_entity_id){0}, i % 2 == 0 ? &context : NULL);
        kn_spec_id spec;
        assert_int_equal(kn_spec_create(s->world, &def, &spec), KN_OK);
        if (i % 2 != 0) {
            context = view_of_effect(s, effect);
            assert_int_equal(kn_spec_set_context(s->world, spec, &context, i % 4 == 1), KN_OK);
        }
        assert_int_equal(kn_spec_apply(s->world, spec, s->entity, &effect), KN_OK);
        effect_has_all(s, effect);
    }
}

static void containers_take_target_data_of_effects(void **state)
{
    stage *s = *state;
    for (uint32_t i = 0; i < 4; i++) {
        kn_effect_context context = view_of_effect(s, s->first);
        kn_target_view targets = kn_effect_targets(s->world, s->first);
        kn_container_apply_def def = kn_container_apply_def_default();
        def.container = s->container;
        def.source = s->entity;
        def.data = targets.data;
        def.data_size = targets.size;
        def.context = &context;
        uint32_t applied = 0;
        assert_int_equal(kn_container_apply(s->world, &def, &applied), KN_OK);
        assert_true(applied > 0);
    }
    kn_effect_id all[8 * TARGETS];
    kn_effect_query query = kn_effect_query_default();
    uint32_t count = kn_effects_find(s->world, s->entity, &query, all, 8 * TARGETS);
    for (uint32_t i = 0; i < count && i < 8 * TARGETS; i++) {
        effect_has_all(s, all[i]);
    }
}

static void activations_take_data_of_effects_and_activations(void **state)
{
    stage *s = *state;
    kn_activation_id activation = {0};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        kn_event_record record = view_as_event(s, s->first);
        if (i > 0) {
            assert_true(kn_activation_event(s->world, activation, &record));
        }
        assert_int_equal(kn_ability_activate(s->world, s->ability, &record, &activation), KN_OK);
        activation_has_all(s, activation);
    }
}

static void events_take_data_and_tags_of_activations(void **state)
{
    stage *s = *state;
    (void)grant(s, s->entity, s->triggered);
    kn_event_record record = view_as_event(s, s->first);
    record.tags = (kn_tags){s->many, 40};
    record.has_instigator_tags = record.has_target_tags = true;
    record.instigator_tags = record.target_tags = record.tags;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        assert_int_equal(kn_event_send(s->world, s->entity, s->event, &record), KN_OK);
        kn_activation_id activation = newest(s, s->entity);
        activation_has_all(s, activation);
        assert_true(kn_activation_event(s->world, activation, &record));
        assert_memory_equal(record.tags.data, s->many, sizeof(s->many));
        assert_memory_equal(record.instigator_tags.data, s->many, sizeof(s->many));
        assert_memory_equal(record.target_tags.data, s->many, sizeof(s->many));
    }
}

static void presses_take_data_of_effects(void **state)
{
    stage *s = *state;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        kn_event_record record = view_as_event(s, s->first);
        assert_int_equal(kn_input_press_with(s->world, s->entity, 7, &record), KN_OK);
        activation_has_all(s, newest(s, s->entity));
        kn_activation_id activation = newest(s, s->entity);
        assert_int_equal(kn_activation_end(s->world, activation), KN_OK);
        // Something else that stays, so that the heap grows.
        kn_effect_context context = view_of_effect(s, s->first);
        kn_effect_apply_def def = application(s, s->entity, &context);
        assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    }
}

static void grants_take_tags_and_data_of_activations(void **state)
{
    stage *s = *state;
    kn_event_record record = view_as_event(s, s->first);
    record.tags = (kn_tags){s->many, 40};
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(s->world, s->ability, &record, &activation), KN_OK);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        assert_true(kn_activation_event(s->world, activation, &record));
        kn_ability_grant_def def = kn_ability_grant_def_default();
        def.type = s->plain;
        def.dynamic_tags = record.tags;
        kn_ability_id ability;
        kn_entity_id entity = create(s);
        assert_true(kn_activation_event(s->world, activation, &record));
        def.dynamic_tags = record.tags;
        assert_int_equal(kn_ability_grant_once(s->world, entity, &def, &record, &ability), KN_OK);
        activation_has_all(s, newest(s, entity));
        for (uint32_t t = 0; t < 40; t++) {
            kn_ability_query query = kn_ability_query_default();
            query.all_tags = (kn_tags){&s->many[t], 1};
            assert_int_equal(kn_abilities_find(s->world, entity, &query, NULL, 0), 1);
        }
    }
}

static void cues_take_parameters_of_effects(void **state)
{
    stage *s = *state;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        kn_entity_id entity = create(s);
        kn_cue_params params = kn_cue_params_default();
        params.targets = kn_effect_targets(s->world, s->first);
        params.payload_type = s->context;
        params.payload = kn_effect_payload(s->world, s->first, s->context);
        assert_int_equal(i % 2 == 0 ? kn_cue_add(s->world, entity, s->cue, &params)
                                    : kn_cue_execute(s->world, entity, s->cue, &params),
            KN_OK);
        assert_int_equal(kn_world_step(s->world, 1), KN_OK);
        kn_events events = kn_world_events(s->world);
        bool is_found = false;
        for (uint32_t e = 0; e < events.count; e++) {
            if (kn_cue_event_params(s->world, &events.data[e], &params)) {
                is_found = true;
                assert_int_equal(params.targets.size, s->targets.size);
                assert_memory_equal(params.targets.data, s->targets.bytes, s->targets.size);
                assert_memory_equal(params.payload, s->payload, PAYLOAD_SIZE);
                // What an event brought may be handed on as well.
                assert_int_equal(kn_cue_add(s->world, s->entity, s->cue, &params), KN_OK);
            }
        }
        assert_true(is_found);
    }
}

static void tasks_take_bytes_of_effects(void **state)
{
    stage *s = *state;
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(s->world, s->ability, NULL, &activation), KN_OK);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        kn_task_def def = kn_task_def_default(KN_TASK_CUSTOM);
        def.type = s->task_type;
        def.params = kn_effect_payload(s->world, s->first, s->context);
        def.param_size = PAYLOAD_SIZE;
        kn_task_id task;
        assert_int_equal(kn_task_run(s->world, activation, &def, &task), KN_OK);
        assert_memory_equal(kn_task_state(s->world, task), s->payload, PAYLOAD_SIZE);
        const void *bytes = kn_effect_payload(s->world, s->first, s->context);
        assert_int_equal(kn_task_report(s->world, task, 1, bytes, PAYLOAD_SIZE, false), KN_OK);
    }
}

static void targeting_takes_data_of_effects(void **state)
{
    stage *s = *state;
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(s->world, s->aiming, NULL, &activation), KN_OK);
    kn_task_id task;
    assert_int_equal(kn_tasks(s->world, activation, &task, 1), 1);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        kn_target_view view = kn_effect_targets(s->world, s->first);
        assert_int_equal(kn_target_provide(s->world, task, view), KN_OK);
        kn_effect_context context = view_of_effect(s, s->first);
        kn_effect_apply_def def = application(s, s->entity, &context);
        assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    }
    assert_int_equal(s->answers, ROUNDS);
}

static void timers_take_bytes_of_effects(void **state)
{
    stage *s = *state;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const void *bytes = kn_effect_payload(s->world, s->first, s->context);
        assert_int_equal(kn_timer_start(s->world, s->timer_type, s->entity, 1, bytes, NULL), KN_OK);
    }
    assert_int_equal(kn_world_step(s->world, 1), KN_OK);
    assert_int_equal(s->answers, ROUNDS);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(effects_take_contexts_of_effects, setup, teardown),
    cmocka_unit_test_setup_teardown(effects_of_abilities_take_contexts_of_effects, setup, teardown),
    cmocka_unit_test_setup_teardown(specs_take_contexts_of_effects, setup, teardown),
    cmocka_unit_test_setup_teardown(containers_take_target_data_of_effects, setup, teardown),
    cmocka_unit_test_setup_teardown(
        activations_take_data_of_effects_and_activations, setup, teardown),
    cmocka_unit_test_setup_teardown(events_take_data_and_tags_of_activations, setup, teardown),
    cmocka_unit_test_setup_teardown(presses_take_data_of_effects, setup, teardown),
    cmocka_unit_test_setup_teardown(grants_take_tags_and_data_of_activations, setup, teardown),
    cmocka_unit_test_setup_teardown(cues_take_parameters_of_effects, setup, teardown),
    cmocka_unit_test_setup_teardown(tasks_take_bytes_of_effects, setup, teardown),
    cmocka_unit_test_setup_teardown(targeting_takes_data_of_effects, setup, teardown),
    cmocka_unit_test_setup_teardown(timers_take_bytes_of_effects, setup, teardown),
};

TEST_GROUP(heap_views, tests, NULL, NULL);
