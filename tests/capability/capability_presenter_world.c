// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Presenters beside a world, which does not know them: the same hash with and without, entities
// that come and go, rollback, and running out of memory.

#include "capability/capability_presenter_test.h"

// The world beside it ------------------------------------------------------------------

// Members W and V with a capability between them that presents, in a set of 60 runs a second.
static kn_capability_set_id mixed_set(fixture *f, script **shown)
{
    script *w = capability(f, "W"), *p = presenting(f, "P"), *v = capability(f, "V");
    w->def.grants_tags = (kn_tags){&f->look, 1};
    v->def.tags = p->def.tags = (kn_tags){&f->x, 1};
    v->def.interval = KN_MS(30);
    p->def.state = show_fields;
    p->def.state_count = 2;
    p->def.tick = (kn_hook){show_tick, NULL};
    capability_done(w);
    capability_done(p);
    capability_done(v);
    *shown = p;
    return set_at(f, "S", "WPV", 60);
}

static kn_world *world_of(const fixture *f)
{
    kn_world *world;
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_entity_id entity;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    }
    return world;
}

// Some play on a world, the same for all that compare hashes: tick is a sixtieth of a second.
static void play(fixture *f, kn_world *world, kn_capability_set_id set, int tick)
{
    const kn_capability_block block = {.tag = f->x, .source = key_source(1)};
    if (tick == 3 || tick == 40) {
        assert_int_equal(kn_capability_set_add(world, f->hero, set, NULL), KN_OK);
    }
    if (tick == 10) {
        assert_int_equal(kn_capability_set_add(world, f->foe, set, NULL), KN_OK);
    }
    if (tick == 15) {
        assert_int_equal(kn_capability_block_add(world, f->hero, &block), KN_OK);
    }
    if (tick == 20) {
        assert_int_equal(kn_capability_block_remove(world, f->hero, f->x, &block.source), KN_OK);
    }
    if (tick == 30) {
        assert_int_equal(kn_capability_set_remove(world, f->hero, set), KN_OK);
    }
    if (tick == 50) {
        assert_true(kn_entity_destroy(world, f->foe));
    }
    assert_int_equal(kn_world_step(world, KN_S(1) / 60), KN_OK);
}

// CAP-096: no hash, no save, no event of a world shows a presenter, whatever its rate is.
static void worlds_are_the_same_at_any_rate_of_frames(void **state)
{
    static const int rates[] = {30, 60, 144};
    fixture *f = *state;
    script *shown;
    kn_capability_set_id set = mixed_set(f, &shown);
    begin(f);
    kn_world *worlds[4];
    kn_capability_presenter *presenters[3];
    kn_time next[3] = {0};
    for (size_t i = 0; i < 4; i++) {
        worlds[i] = world_of(f);
    }
    for (size_t i = 0; i < 3; i++) {
        presenters[i] = presenter_of(f);
    }
    for (int tick = 0; tick < 60; tick++) {
        for (size_t i = 0; i < 4; i++) {
            play(f, worlds[i], set, tick);
        }
        for (size_t i = 0; i < 3; i++) {
            for (; next[i] <= kn_world_now(worlds[i]); next[i] += KN_S(1) / rates[i]) {
                assert_int_equal(
                    kn_capability_present(presenters[i], worlds[i], KN_S(1) / rates[i]), KN_OK);
            }
            assert_int_equal(kn_world_hash(worlds[i]), kn_world_hash(worlds[3]));
            assert_int_equal(kn_world_events(worlds[i]).count, kn_world_events(worlds[3]).count);
        }
    }
    const show_state *slow = kn_capability_presenter_state(presenters[0], f->hero, set, shown->id);
    const show_state *fast = kn_capability_presenter_state(presenters[2], f->hero, set, shown->id);
    assert_in_range(slow->ticks, 8, 10); // a third of a second since the set came again
    assert_in_range(fast->ticks, 45, 48);
    assert_int_equal(kn_capability_presenter_count(presenters[2], (kn_entity_id){0}).entities, 1);
    for (size_t i = 0; i < 4; i++) {
        size_t size, other;
        assert_int_equal(kn_save_write(worlds[i], NULL, 0, &size), KN_OK);
        assert_int_equal(kn_save_write(worlds[3], NULL, 0, &other), KN_OK);
        assert_int_equal(size, other);
        assert_true(kn_world_validate(worlds[i]));
        kn_world_destroy(worlds[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        kn_capability_presenter_destroy(presenters[i]);
    }
}

// The world does not know it, and others have the number of their place.
static void the_world_does_not_know_it(void **state)
{
    fixture *f = *state;
    script *shown;
    kn_capability_set_id set = mixed_set(f, &shown);
    begin(f);
    add(f, set);
    kn_capability_presenter *p = presenter_of(f);
    present(p, f, 10);
    kn_capability_info info[4];
    assert_int_equal(kn_capabilities(f->world, f->hero, info, 4), 2);
    assert_int_equal(info[0].number, 1);
    assert_int_equal(info[1].number, 3);
    assert_int_equal(kn_capability_number(f->world, f->hero, shown->id, 0), 0);
    assert_false(kn_capability_is_active(f->world, f->hero, shown->id));
    assert_int_equal(kn_capability_count(f->world, f->hero).total, 2);
    assert_null(kn_capability_read_state(f->world, f->hero, 2));
    assert_int_equal(kn_capability_activate(f->world, f->hero, 2), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_def_find(f->library, KN_DEF_COMPONENT, "Capability.P"), 0);
    assert_int_equal(kn_capability_presented(p, f->hero, info, 4), 1);
    assert_int_equal(info[0].number, 2);
    assert_int_equal(info[0].set_number, 1);
    assert_int_equal(info[0].set.index1, set.index1);
    assert_int_equal(info[0].capability.index1, shown->id.index1);
    assert_true(info[0].is_active && info[0].is_listed && info[0].can_tick && info[0].is_allowed);
    assert_true(kn_capability_presenter_is_active(p, f->hero, set, shown->id));
    assert_false(kn_capability_presenter_is_active(
        p, f->hero, (kn_capability_set_id){set.index1 + 1}, shown->id));
    assert_false(shows(p, f->foe, shown));
    assert_false(shows(p, (kn_entity_id){f->hero.index1, f->hero.generation + 1}, shown));
    kn_capability_presenter_destroy(p);
}

typedef struct told {
    uint32_t count, number, set_number;
    kn_entity_id entity;
} told;

static kn_result tell_user(void *user, const kn_hook_call *call)
{
    const kn_capability_call *c = call->arguments;
    told *t = c->user;
    (void)user;
    assert_null(c->state);
    t->count++;
    t->number = c->number;
    t->set_number = c->set_number;
    t->entity = call->entity;
    return KN_OK;
}

// Two presenters of one world, at different rates, each with what is its own.
static void a_world_may_have_several_presenters(void **state)
{
    fixture *f = *state;
    script *a = presenting(f, "A"), *b = presenting(f, "B");
    a->def.tick = (kn_hook){tell_user, NULL};
    capability_done(b);
    capability_done(a);
    kn_capability_set_id first = set_of(f, "S", "B"), second = set_of(f, "T", "BA");
    begin(f);
    add(f, first);
    add(f, second);
    told slow = {0}, fast = {0};
    kn_capability_presenter *p = presenter_with(f, (kn_hooks){0}, &slow);
    kn_capability_presenter *q = presenter_with(f, (kn_hooks){0}, &fast);
    for (int i = 0; i < 13; i++) {
        frame(f, 10);
        present(q, f, 10);
        if (i % 4 == 0) {
            present(p, f, 40);
        }
    }
    assert_int_equal(slow.count, 3);
    assert_int_equal(fast.count, 12);
    assert_int_equal(fast.number, KN_CAPABILITY_MEMBERS_MAX + 2);
    assert_int_equal(fast.set_number, 2);
    assert_true(kn_entity_id_equal(fast.entity, f->hero));
    take(f, second);
    f->log[0] = 0;
    present(q, f, 10);
    assert_true(shows(p, f->hero, a));
    assert_false(shows(q, f->hero, a));
    kn_capability_presenter_destroy(p);
    kn_capability_presenter_destroy(q);
}

// Entities come and go ------------------------------------------------------------------

// CAP-127
static void it_ends_with_its_entity(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    kn_capability_presenter *p = begin_one(f, a, &set);
    assert_int_equal(kn_capability_set_add(f->world, f->ally, set, NULL), KN_OK);
    present(p, f, 10);
    f->log[0] = 0;
    assert_int_equal(kn_capability_presenter_count(p, (kn_entity_id){0}).total, 2);
    assert_true(kn_entity_destroy(f->world, f->hero));
    present(p, f, 10);
    EXPECT(f, "OFF EC EL SD(f) TK(10)");
    assert_int_equal(kn_capability_presented(p, f->hero, NULL, 0), 0);
    assert_true(shows(p, f->ally, a));
    // The slot of one that dies is taken by another before the next frame.
    kn_entity_id next;
    assert_true(kn_entity_destroy(f->world, f->ally));
    do {
        assert_int_equal(kn_entity_create(f->world, &next), KN_OK);
    } while (next.index1 != f->ally.index1);
    assert_int_equal(kn_capability_set_add(f->world, next, set, NULL), KN_OK);
    present(p, f, 10);
    EXPECT(f, "OFF EC EL SL SU SD(f) ON");
    assert_false(shows(p, f->ally, a));
    assert_true(shows(p, next, a));
    kn_capability_presenter_destroy(p);
}

// Many entities, in any order, more than the world lists changes of.
static void many_come_and_go(void **state)
{
    enum { MANY = 500 };
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A"), *w = capability(f, "W");
    capability_done(w);
    kn_capability_presenter *p = begin_one(f, a, &set);
    static kn_entity_id many[MANY];
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(kn_entity_create(f->world, &many[i]), KN_OK);
    }
    present(p, f, 10);
    uint32_t expected = 1;
    for (int round = 0; round < 40; round++) {
        // From one change to all of them, with a step that is coprime to their number.
        for (int i = 0; i < 1 + round * round / 4; i++) {
            kn_entity_id entity = many[(round * 31 + i * 77) % MANY];
            if (kn_capability_set_number(f->world, entity, set) == 0) {
                assert_int_equal(kn_capability_set_add(f->world, entity, set, NULL), KN_OK);
                expected++;
            } else {
                assert_int_equal(kn_capability_set_remove(f->world, entity, set), KN_OK);
                expected--;
            }
        }
        f->log[0] = 0;
        present(p, f, 10);
        kn_capability_counts counts = kn_capability_presenter_count(p, (kn_entity_id){0});
        assert_int_equal(counts.total, expected);
        assert_int_equal(counts.active, expected);
        assert_int_equal(counts.entities, expected);
        for (int i = 0; i < MANY; i++) {
            assert_int_equal(
                shows(p, many[i], a), kn_capability_set_number(f->world, many[i], set) != 0);
        }
    }
    kn_capability_presenter_destroy(p);
}

// Rollback --------------------------------------------------------------------------------

static void *snapshot_of(const kn_world *world, size_t *size)
{
    *size = kn_snapshot_size(world);
    void *buffer = malloc(*size);
    assert_non_null(buffer);
    assert_int_equal(kn_snapshot_take(world, buffer, *size, size), KN_OK);
    return buffer;
}

static void what_is_there_again_after_a_rollback_goes_on(void **state)
{
    fixture *f = *state;
    f->shows_predicates = false;
    f->shows_names = true;
    script *a = presenting(f, "A"), *b = presenting(f, "B");
    a->def.state = show_fields;
    a->def.state_count = 2;
    capability_done(a);
    capability_done(b);
    kn_capability_set_id set = set_of(f, "S", "A"), other = set_of(f, "T", "B");
    begin(f);
    kn_capability_presenter *p = presenter_of(f);
    size_t early_size, size;
    void *early = snapshot_of(f->world, &early_size);
    add(f, set);
    present(p, f, 10);
    EXPECT(f, "SL_A SU_A ON_A");
    const void *own = kn_capability_presenter_state(p, f->hero, set, a->id);
    void *snapshot = snapshot_of(f->world, &size);
    // Gone and back within a rollback: nothing happens.
    frame(f, 10);
    take(f, set);
    assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
    frame(f, 10);
    present(p, f, 10);
    EXPECT(f, "TK_A");
    assert_ptr_equal(kn_capability_presenter_state(p, f->hero, set, a->id), own);
    // The same when the entity was destroyed, and after the whole past was played again.
    assert_true(kn_entity_destroy(f->world, f->hero));
    assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
    present(p, f, 10);
    EXPECT(f, "TK_A");
    assert_int_equal(kn_snapshot_restore(f->world, early, early_size), KN_OK);
    add(f, set);
    present(p, f, 10);
    EXPECT(f, "TK_A");
    // Another set with the same number is another.
    assert_int_equal(kn_snapshot_restore(f->world, early, early_size), KN_OK);
    add(f, other);
    present(p, f, 10);
    EXPECT(f, "OFF_A EC_A EL_A SL_B SU_B ON_B");
    // A frame in between sees that it is gone.
    assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
    present(p, f, 10);
    EXPECT(f, "OFF_B EC_B EL_B SL_A SU_A ON_A");
    assert_int_equal(kn_snapshot_restore(f->world, early, early_size), KN_OK);
    present(p, f, 10);
    EXPECT(f, "OFF_A EC_A EL_A");
    assert_int_equal(kn_capability_presenter_count(p, (kn_entity_id){0}).entities, 0);
    free(early);
    free(snapshot);
    kn_capability_presenter_destroy(p);
}

// Order after a rollback is that of the entity, whatever was there before.
static void a_rollback_may_change_the_order(void **state)
{
    fixture *f = *state;
    f->shows_predicates = false;
    f->shows_names = true;
    capability_done(presenting(f, "A"));
    capability_done(presenting(f, "B"));
    kn_capability_set_id set = set_of(f, "S", "A"), other = set_of(f, "T", "B");
    begin(f);
    kn_capability_presenter *p = presenter_of(f);
    add(f, set);
    add(f, other);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    take(f, set);
    present(p, f, 10);
    EXPECT(f, "SL_B SU_B ON_B");
    assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
    present(p, f, 10);
    EXPECT(f, "SL_A SU_A ON_A TK_B");
    present(p, f, 10);
    EXPECT(f, "TK_A TK_B");
    free(snapshot);
    kn_capability_presenter_destroy(p);
}

static void another_world_takes_the_place_of_the_former_one(void **state)
{
    fixture *f = *state;
    f->shows_predicates = false;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    kn_capability_presenter *p = begin_one(f, a, &set);
    kn_world *other = world_of(f);
    assert_int_equal(kn_capability_set_add(other, f->hero, set, NULL), KN_OK);
    assert_int_equal(kn_capability_set_add(f->world, f->foe, set, NULL), KN_OK);
    present(p, f, 10);
    f->log[0] = 0;
    assert_int_equal(kn_capability_present(p, other, KN_MS(10)), KN_OK);
    EXPECT(f, "OFF EC EL TK"); // the foe ends, the hero goes on
    assert_int_equal(kn_capability_presenter_clear(p, other), KN_OK);
    EXPECT(f, "OFF EC EL");
    assert_int_equal(kn_capability_presenter_count(p, (kn_entity_id){0}).total, 0);
    assert_int_equal(kn_capability_present(p, other, KN_MS(10)), KN_OK);
    EXPECT(f, "SL SU ON");
    assert_int_equal(kn_capability_presenter_clear(p, other), KN_OK);
    kn_world_destroy(other);
    kn_capability_presenter_destroy(p);
}

// Memory ----------------------------------------------------------------------------------

typedef struct failing_memory {
    uint64_t calls;   // that made or enlarged a block
    uint64_t fail_at; // the call, counted from 1, from which on there is no memory; 0: never
    int64_t bytes;    // in use
} failing_memory;

static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    failing_memory *memory = user;
    if (new_size > old_size && ++memory->calls >= memory->fail_at && memory->fail_at != 0) {
        return NULL;
    }
    memory->bytes += (int64_t)new_size - (int64_t)(ptr != NULL ? old_size : 0);
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

// Nothing is half made: a set begins with all its memory or not at all, and others go on.
static void without_memory_a_set_begins_later(void **state)
{
    fixture *f = *state;
    f->shows_predicates = false;
    f->shows_names = true;
    script *a = presenting(f, "A"), *b = presenting(f, "B"), *c = presenting(f, "C");
    a->def.state = show_fields;
    a->def.state_count = 2;
    capability_done(a);
    capability_done(b);
    capability_done(c);
    kn_capability_set_id set = set_of(f, "S", "AB"), other = set_of(f, "T", "C");
    begin(f);
    add(f, set);
    uint64_t failures = 0;
    for (uint64_t fail_at = 1;; fail_at++) {
        failing_memory memory = {.fail_at = fail_at};
        const kn_hooks hooks = {.realloc_fn = failing_realloc, .realloc_user = &memory};
        kn_capability_presenter_def def = kn_capability_presenter_def_default();
        kn_capability_presenter *p;
        def.hooks = hooks;
        def.library = f->library;
        kn_result result = kn_capability_presenter_create(&def, &p);
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(p);
            assert_int_equal(memory.bytes, 0);
            failures++;
            continue;
        }
        // The first set: all of it or nothing.
        result = kn_capability_present(p, f->world, KN_MS(10));
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            EXPECT(f, "");
            assert_int_equal(kn_capability_presenter_count(p, (kn_entity_id){0}).entities, 0);
            failures++;
            memory.fail_at = 0;
            present(p, f, 10);
        }
        EXPECT(f, "SL_A SL_B SU_A ON_A SU_B ON_B");
        // The second one, and another entity: what is there goes on meanwhile.
        add(f, other);
        assert_int_equal(kn_capability_set_add(f->world, f->foe, other, NULL), KN_OK);
        result = kn_capability_present(p, f->world, KN_MS(10));
        if (result != KN_OK) {
            uint32_t begun = kn_capability_presenter_count(p, (kn_entity_id){0}).total - 2;
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            EXPECT(f, begun == 0 ? "TK_A TK_B" : "SL_C SU_C ON_C TK_A TK_B");
            failures++;
            memory.fail_at = 0;
            present(p, f, 10);
            EXPECT(f, begun == 0 ? "SL_C SU_C ON_C SL_C SU_C ON_C TK_A TK_B"
                                 : "SL_C SU_C ON_C TK_A TK_B TK_C");
        } else {
            EXPECT(f, "SL_C SU_C ON_C SL_C SU_C ON_C TK_A TK_B");
        }
        assert_int_equal(kn_capability_presenter_count(p, (kn_entity_id){0}).active, 4);
        take(f, other);
        assert_int_equal(kn_capability_set_remove(f->world, f->foe, other), KN_OK);
        assert_int_equal(kn_capability_presenter_clear(p, f->world), KN_OK);
        f->log[0] = 0;
        kn_capability_presenter_destroy(p);
        assert_int_equal(memory.bytes, 0);
        if (memory.calls < fail_at) {
            break;
        }
    }
    assert_true(failures >= 6);
}

static const struct CMUnitTest tests[] = {
    TEST(worlds_are_the_same_at_any_rate_of_frames),
    TEST(the_world_does_not_know_it),
    TEST(a_world_may_have_several_presenters),
    TEST(it_ends_with_its_entity),
    TEST(many_come_and_go),
    TEST(what_is_there_again_after_a_rollback_goes_on),
    TEST(a_rollback_may_change_the_order),
    TEST(another_world_takes_the_place_of_the_former_one),
    TEST(without_memory_a_set_begins_later),
};

TEST_GROUP(capability_presenter_world, tests, NULL, NULL);
