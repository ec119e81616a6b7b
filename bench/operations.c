// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes that measure one call, made on a thousand actors in turn.

#include "fixture.h"

#define ACTORS 1000
#define ROUNDS 100

// A thousand actors, each with a few effects already.
static void prepare(bench_fixture *fixture)
{
    fixture_init(fixture);
    kn_world_def def = fixture_world_def(fixture, ACTORS, ACTORS * 8);
    def.event_capacity = ACTORS * 16;
    fixture_populate(fixture, &def, ACTORS);
    fixture_spread(fixture, fixture->slow_dots, 3, KN_S(1));
}

static void note_per_op(bench_report *bench, const char *metric, double total_ns)
{
    bench_note(bench, metric, total_ns / (ACTORS * ROUNDS), "ns");
}

// Applies a prepared def to one actor, as a loop over many targets does.
static void apply_to(
    const bench_fixture *fixture, kn_effect_apply_def *def, uint32_t actor, kn_effect_id *effect)
{
    def->source = fixture->entities[actor];
    def->target = fixture->entities[actor];
    kn_result result = kn_effect_apply(fixture->world, def, effect);
    if (result != KN_OK) {
        bench_check(result, "kn_effect_apply");
    }
}

// Applies one effect to every actor and takes it away again; both sums of nanoseconds.
static void apply_and_remove(
    const bench_fixture *fixture, kn_effect_type_id type, double *apply_ns, double *remove_ns)
{
    static kn_effect_id effects[ACTORS];
    *apply_ns = 0.0;
    *remove_ns = 0.0;
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        double start = bench_now_ns();
        for (uint32_t i = 0; i < ACTORS; i++) {
            apply_to(fixture, &def, i, &effects[i]);
        }
        double applied = bench_now_ns(), middle = bench_now_ns();
        for (uint32_t i = 0; i < ACTORS; i++) {
            (void)kn_effect_remove(fixture->world, effects[i], 0, KN_REMOVED_BY_CALL);
        }
        double end = bench_now_ns();
        fixture_step(fixture, KN_US(1));
        if (round > 0) { // the first one makes room
            *apply_ns += applied - start;
            *remove_ns += end - middle;
        }
    }
}

// A periodic effect with a granted tag.
void bench_apply_remove(bench_report *bench)
{
    bench_fixture fixture;
    prepare(&fixture);
    double apply_ns, remove_ns;
    apply_and_remove(&fixture, fixture.dots[FIXTURE_DOTS - 1], &apply_ns, &remove_ns);
    note_per_op(bench, "apply_ns", apply_ns);
    note_per_op(bench, "remove_ns", remove_ns);
    fixture_free(&fixture);
}

// A temporary effect with one modifier.
void bench_buff_apply(bench_report *bench)
{
    bench_fixture fixture;
    prepare(&fixture);
    double apply_ns, remove_ns;
    apply_and_remove(&fixture, fixture.buff, &apply_ns, &remove_ns);
    note_per_op(bench, "op_ns", apply_ns);
    fixture_free(&fixture);
}

// An instant effect with one modifier.
void bench_instant(bench_report *bench)
{
    bench_fixture fixture;
    prepare(&fixture);
    double total = 0.0;
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = fixture.hit;
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        double start = bench_now_ns();
        for (uint32_t i = 0; i < ACTORS; i++) {
            apply_to(&fixture, &def, i, NULL);
        }
        double end = bench_now_ns();
        fixture_step(&fixture, KN_US(1));
        total += round > 0 ? end - start : 0.0;
    }
    note_per_op(bench, "op_ns", total);
    fixture_free(&fixture);
}

// Hierarchical tests: a parent of tags the actor has, one of those tags, and one it has not.
void bench_tag_test(bench_report *bench)
{
    bench_fixture fixture;
    prepare(&fixture);
    kn_tag tags[4] = {
        fixture.status, fixture.dot_tags[1], fixture.absent, fixture.dot_tags[FIXTURE_DOTS - 1]};
    uint64_t hits = 0;
    double start = bench_now_ns();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < ACTORS; i++) {
            for (uint32_t tag = 0; tag < 4; tag++) {
                hits += kn_entity_has_tag(fixture.world, fixture.entities[i], tags[tag]);
            }
        }
    }
    double end = bench_now_ns();
    bench_use(hits);
    note_per_op(bench, "op_ns", (end - start) / 4);
    fixture_free(&fixture);
}

// A change of a base value that ripples through eight attributes, each following the one before.
void bench_derived_chain(bench_report *bench)
{
    bench_fixture fixture;
    fixture_init(&fixture);
    kn_world_def def = fixture_world_def(&fixture, ACTORS, ACTORS * FIXTURE_CHAIN);
    def.event_capacity = ACTORS * 16;
    fixture_populate(&fixture, &def, ACTORS);
    for (uint32_t i = 0; i < ACTORS; i++) {
        bench_check(kn_attribute_set_add(fixture.world, fixture.entities[i], fixture.links, 0),
            "kn_attribute_set_add");
        for (uint32_t link = 0; link < FIXTURE_CHAIN; link++) {
            (void)fixture_apply(&fixture, fixture.follow[link], fixture.entities[i]);
        }
    }
    fixture_step(&fixture, 0);

    double total = 0.0;
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        float value = (float)(1000 + round * 512);
        double start = bench_now_ns();
        for (uint32_t i = 0; i < ACTORS; i++) {
            (void)kn_attribute_set_base(
                fixture.world, fixture.entities[i], fixture.link[0], 0, value);
        }
        double end = bench_now_ns();
        fixture_step(&fixture, KN_US(1));
        total += round > 0 ? end - start : 0.0;
    }
    note_per_op(bench, "op_ns", total);
    fixture_free(&fixture);
}

// Applies that many effects to one actor: nanoseconds for each.
static double apply_many(bench_fixture *fixture, kn_effect_type_id type, uint32_t count)
{
    kn_world_def def = fixture_world_def(fixture, 1, count);
    def.event_mask = 0;
    fixture_populate(fixture, &def, 1);
    kn_entity_id actor = fixture->entities[0];
    double start = bench_now_ns();
    for (uint32_t i = 0; i < count; i++) {
        (void)fixture_apply(fixture, type, actor);
    }
    return (bench_now_ns() - start) / count;
}

// Nanoseconds an effect, when the one actor that has all of them is destroyed, or loses them all.
static double end_many(bench_fixture *fixture, kn_effect_type_id type, uint32_t count, bool destroy)
{
    (void)apply_many(fixture, type, count);
    kn_entity_id actor = fixture->entities[0];
    kn_effect_query query = kn_effect_query_default();
    query.type = type;
    uint32_t removed = count;
    double start = bench_now_ns();
    if (destroy) {
        (void)kn_entity_destroy(fixture->world, actor);
    } else {
        bench_check(
            kn_effects_remove(fixture->world, actor, &query, 0, KN_REMOVED_BY_CALL, &removed),
            "kn_effects_remove");
    }
    double end = bench_now_ns();
    bench_use(removed);
    fixture_clear(fixture);
    return (end - start) / count;
}

// The end of very many effects of one actor: the time for each must not grow with their number.
void bench_end_many(bench_report *bench)
{
    bench_fixture fixture;
    fixture_init(&fixture);
    static const struct {
        const char *destroy, *remove;
        uint32_t count;
    } sizes[] = {{"destroy_10k_ns", "remove_10k_ns", 10000},
        {"destroy_40k_ns", "remove_40k_ns", 40000}, {"destroy_160k_ns", "remove_160k_ns", 160000}};
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_type_id type = fixture.mark;
        bench_note(bench, sizes[i].destroy, end_many(&fixture, type, sizes[i].count, true), "ns");
        bench_note(bench, sizes[i].remove, end_many(&fixture, type, sizes[i].count, false), "ns");
    }
    fixture_free(&fixture);
}

// The same where all of them modify one value.
void bench_end_many_of_one(bench_report *bench)
{
    bench_fixture fixture;
    fixture_init(&fixture);
    static const struct {
        const char *destroy, *remove;
        uint32_t count;
    } sizes[] = {{"destroy_2k_ns", "remove_2k_ns", 2000}, {"destroy_4k_ns", "remove_4k_ns", 4000},
        {"destroy_16k_ns", "remove_16k_ns", 16000}};
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_type_id type = fixture.buff;
        bench_note(bench, sizes[i].destroy, end_many(&fixture, type, sizes[i].count, true), "ns");
        bench_note(bench, sizes[i].remove, end_many(&fixture, type, sizes[i].count, false), "ns");
    }
    fixture_free(&fixture);
}

// One after the other on one value: the time for each must not grow with their number either.
void bench_apply_many_of_one(bench_report *bench)
{
    bench_fixture fixture;
    fixture_init(&fixture);
    static const struct {
        const char *metric;
        uint32_t count;
    } sizes[] = {{"apply_1k_ns", 1000}, {"apply_4k_ns", 4000}, {"apply_16k_ns", 16000}};
    for (uint32_t i = 0; i < 3; i++) {
        bench_note(
            bench, sizes[i].metric, apply_many(&fixture, fixture.buff, sizes[i].count), "ns");
        fixture_clear(&fixture);
    }
    fixture_free(&fixture);
}
