// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bodies without functions when memory runs out, wherever it does, and how far rollback reaches.

#include "scenario/ability_replay.h"
#include "test_memory.h"

// An ability that holds an effect on its owner and waits for one on the target.
static kn_ability_id body_begin(fixture *f, kn_world_def def, uint32_t own_kind)
{
    kn_effect_def ward = infinite("Ward");
    kn_effect_def brief = infinite("Brief");
    brief.duration_kind = KN_DURATION_TIMED;
    brief.duration = kn_magnitude_constant(1.0f);
    kn_ability_apply_def applies[2] = {{.effect = effect_register(f, &ward), .while_active = true},
        {.effect = effect_register(f, &brief), .to = KN_APPLY_TO_TARGET}};
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Body";
    ability.body = own_kind == 0 ? KN_BODY_TIMED : KN_BODY_STAY;
    ability.lasts = kn_constant(own_kind == 0 ? 0.5f : 0.0f);
    ability.applies = applies;
    ability.apply_count = 2;
    kn_ability_type_id type = ability_register(f, &ability);
    begin_with(f, def);
    return grant(f, type);
}

// Activates and runs until the effects are over; false if memory was short.
static bool body_play(fixture *f, kn_ability_id ability)
{
    kn_event_record event = kn_event_record_default();
    event.target = f->foe;
    kn_activation_id activation;
    kn_result result = kn_ability_activate(f->world, ability, &event, &activation);
    for (uint32_t i = 0; i < 15 && result == KN_OK; i++) {
        result = kn_world_step(f->world, KN_MS(100));
    }
    assert_true(
        result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN);
    assert_true(result != KN_OK || !kn_world_is_broken(f->world));
    return result == KN_OK;
}

static void without_memory_the_world_can_go_back(void **state)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        test_memory memory = {0};
        void *inner;
        (void)setup(&inner);
        fixture *f = inner;
        kn_world_def def = kn_world_def_default();
        def.hooks.realloc_fn = test_memory_realloc;
        def.hooks.realloc_user = &memory;
        kn_ability_id ability = body_begin(f, def, kind);
        size_t size;
        void *snapshot = snapshot_of(f->world, &size);
        uint64_t hash = kn_world_hash(f->world);
        bool done = false;
        uint32_t failures = 0;
        for (uint32_t fail = 1; !done; fail++) {
            assert_true(fail < 500);
            memory.fail_at = memory.calls + fail;
            done = body_play(f, ability);
            memory.fail_at = 0;
            failures += !done;
            if (!done) {
                snapshot_restore(f->world, snapshot, size);
                assert_int_equal(kn_world_hash(f->world), hash);
            }
        }
        assert_true(failures > 0);
        assert_int_equal(kn_task_count(f->world), kind); // one that stays still holds its effect
        assert_int_equal(kn_effects_count(f->world, f->hero), kind);
        assert_int_equal(kn_effects_count(f->world, f->foe), 0);
        free(snapshot);
        (void)teardown(&inner);
        assert_int_equal(memory.bytes, 0);
    }
    (void)state;
}

// From every moment the same future, by snapshot and by save.
static void every_moment_has_one_future(void **state)
{
    fixture *f = *state;
    kn_ability_id ability = body_begin(f, kn_world_def_default(), 0);
    kn_event_record event = kn_event_record_default();
    event.target = f->foe;
    assert_int_equal(kn_ability_activate(f->world, ability, &event, NULL), KN_OK);
    for (uint32_t i = 0; i < 12; i++) {
        check_replay(f, KN_MS(1200));
        step(f, KN_MS(100));
    }
    assert_int_equal(kn_task_count(f->world), 0);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(without_memory_the_world_can_go_back),
    TEST(every_moment_has_one_future),
};

TEST_GROUP(test_ability_body, tests, NULL, NULL);
