// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Every kind of motion gives the same bits on every compiler, optimisation level and processor.
// When a number changes on purpose, the commit that changes it says why.

#include "knack/motion.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t goldens[KN_MOTION_KIND_COUNT] = {
    [KN_MOTION_FORCE] = UINT64_C(0x2cb5b34210c5227c),
    [KN_MOTION_RADIAL] = UINT64_C(0x071874e48d9d0654),
    [KN_MOTION_MOVE_TO] = UINT64_C(0xf650d51815fac695),
    [KN_MOTION_FOLLOW] = UINT64_C(0x1e887f8a82079901),
    [KN_MOTION_JUMP] = UINT64_C(0x3dbae91ff926f6d5),
};

static void expect_ok(const char *what, kn_result result)
{
    if (result != KN_OK) {
        fprintf(stderr, "motion: %s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

static kn_curve_id make_curve(kn_library *library)
{
    static const kn_curve_point points[] = {
        {0.0f, 0.0f}, {0.3f, 0.15f}, {0.7f, 1.1f}, {1.0f, 1.0f}};
    kn_curve_def def = kn_curve_def_default();
    def.name = "Ease";
    def.points = points;
    def.point_count = 4;
    kn_curve_id curve;
    expect_ok("curve", kn_curve_register(library, &def, &curve, NULL));
    return curve;
}

static kn_motion_def make_def(kn_motion_kind kind, kn_curve_id curve)
{
    kn_motion_def def = kn_motion_def_default(kind);
    def.duration = KN_US(1234567);
    def.up = (kn_vec3){0.1f, -0.2f, 0.9f};
    def.strength = 7.3f;
    def.strength_curve = curve;
    def.centre = (kn_vec3){1.5f, 0.3f, -0.7f};
    def.radius = 31.0f;
    def.falloff = KN_MOTION_FALLOFF_LINEAR;
    def.is_flat = true;
    def.direction = (kn_vec3){0.3f, 0.7f, 0.1f};
    def.destination = (kn_vec3){17.1f, -3.3f, 2.9f};
    def.offset = (kn_vec3){-0.9f, 0.4f, 0.0f};
    def.easing = curve;
    def.across_curve = curve;
    def.across = 0.7f;
    def.rise_curve = curve;
    def.rise = 1.3f;
    def.distance = 6.1f;
    def.height = 2.7f;
    return def;
}

static kn_motion_input make_input(int frame)
{
    float s = (float)frame / 144.0f;
    return (kn_motion_input){
        .now = KN_S(1000) + (kn_time)frame * 1000000 / 144,
        .position = {3.1f + s, 2.2f - 0.5f * s, 0.25f},
        .target = {15.7f - 2.1f * s, 22.3f + s, 5.9f},
    };
}

// FNV-1a over the bits of a vector.
static uint64_t hash_vec3(uint64_t hash, kn_vec3 v)
{
    const float numbers[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (int shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (bits >> shift & 0xff)) * UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

static uint64_t hash_motion(const kn_library *library, const kn_motion_def *def)
{
    expect_ok("check", kn_motion_check(library, def, NULL));
    kn_motion_start start = {.time = KN_S(1000) + KN_US(777), .position = {0.1f, 9.7f, -4.3f}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int frame = 0; frame < 288; frame++) {
        kn_motion_input from = make_input(frame), to = make_input(frame + 1);
        kn_motion_sample sample;
        expect_ok("evaluate", kn_motion_evaluate(library, def, &start, &from, &sample));
        hash = hash_vec3(hash_vec3(hash, sample.position), sample.velocity);
        expect_ok("step", kn_motion_step(library, def, &start, &from, &to, &sample));
        hash = hash_vec3(hash_vec3(hash, sample.position), sample.velocity);
    }
    return hash;
}

int main(void)
{
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    expect_ok("library", kn_library_create(&library_def, &library));
    kn_curve_id curve = make_curve(library);
    expect_ok("finish", kn_library_finish(library, NULL));
    int failures = 0;
    for (int kind = 0; kind < KN_MOTION_KIND_COUNT; kind++) {
        kn_motion_def def = make_def((kn_motion_kind)kind, curve);
        uint64_t hash = hash_motion(library, &def);
        if (hash != goldens[kind]) {
            fprintf(stderr, "motion kind %d: other bits, 0x%016" PRIx64 "\n", kind, hash);
            failures++;
        }
    }
    kn_library_destroy(library);
    return failures == 0 ? 0 : 1;
}
