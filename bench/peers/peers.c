// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Measures a peer with the workload of knack's own scenes and prints the numbers; with the CSV of
// `bench --csv` also the ratio of knack to the peer.
// usage: peer_NAME [FILE]

#define _POSIX_C_SOURCE 200809L

#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPEAT 5
#define DOTS 10 // effects on each actor
#define ACTORS 1000
#define ROUNDS 100
#define FRAME (1.0f / 60.0f)

// The numbers of knack, as text.
static char *knack;

static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) % bound);
}

static void report(const char *scene, const char *metric, double value, const char *unit)
{
    char key[64];
    (void)snprintf(key, sizeof key, "\n%s,%s,", scene, metric);
    const char *row = knack != NULL ? strstr(knack, key) : NULL;
    printf("%-14s %-12s %12.4g %-4s", scene, metric, value, unit);
    if (row != NULL) {
        double own = strtod(row + strlen(key), NULL);
        printf(" %12.4g %8.2f", own, own / value);
    }
    printf("\n");
    (void)fflush(stdout);
}

// The mean of a frame over whole seconds, in milliseconds.
static double dots_ms(uint32_t actors, uint32_t frames)
{
    peer *p = peer_create(actors);
    uint64_t random = 1;
    uint32_t count = actors * DOTS;
    uint32_t *order = malloc(count * sizeof *order);
    if (order == NULL) {
        exit(1);
    }
    for (uint32_t i = 0; i < count; i++) { // neighbours in memory do not tick together
        uint32_t other = random_below(&random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        float phase = (float)(i + 1) / (float)count;
        (void)peer_dot_apply(p, order[i] / DOTS, phase);
    }
    free(order);
    for (uint32_t i = 0; i < 60; i++) {
        peer_step(p, FRAME);
    }
    double start = now_ns();
    for (uint32_t i = 0; i < frames; i++) {
        peer_step(p, FRAME);
    }
    double spent = now_ns() - start;
    // The frames of warming up count too; a tick on the edge of a second may be missing.
    float lost = 1e6f - peer_health(p, 0);
    float least = (float)(frames / 60) * DOTS;
    if (lost < least || lost > least + 2 * DOTS) {
        fprintf(stderr, "%s: an actor lost %g health, not about %g\n", peer_name, (double)lost,
            (double)least + DOTS);
        exit(1);
    }
    peer_destroy(p);
    return spent / frames * 1e-6;
}

typedef uint64_t apply_fn(peer *p, uint32_t actor);

static uint64_t dot_apply(peer *p, uint32_t actor)
{
    return peer_dot_apply(p, actor, 1.0f);
}

static void apply_remove_ns(apply_fn *apply, void (*remove_one)(peer *p, uint64_t effect),
    double *apply_ns, double *remove_ns)
{
    static uint64_t effects[ACTORS];
    peer *p = peer_create(ACTORS);
    double applied = 0.0, removed = 0.0;
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        double start = now_ns();
        for (uint32_t i = 0; i < ACTORS; i++) {
            effects[i] = apply(p, i);
        }
        double middle = now_ns();
        for (uint32_t i = 0; i < ACTORS; i++) {
            remove_one(p, effects[i]);
        }
        double end = now_ns();
        if (round > 0) { // the first one makes room
            applied += middle - start;
            removed += end - middle;
        }
    }
    *apply_ns = applied / ((double)ACTORS * ROUNDS);
    *remove_ns = removed / ((double)ACTORS * ROUNDS);
    peer_destroy(p);
}

static double hit_ns(void)
{
    peer *p = peer_create(ACTORS);
    double start = now_ns();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < ACTORS; i++) {
            peer_hit(p, i);
        }
    }
    double spent = now_ns() - start;
    if (peer_health(p, ACTORS - 1) != 1e6f - ROUNDS) {
        fprintf(stderr, "%s: hits are missing\n", peer_name);
        exit(1);
    }
    peer_destroy(p);
    return spent / ((double)ACTORS * ROUNDS);
}

static double best(double old, double value)
{
    return value < old ? value : old;
}

static char *file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    static char text[1 << 16];
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        fprintf(stderr, "usage: %s [CSV of bench]\n", argv[0]);
        return 2;
    }
    knack = argc == 2 ? file_read(argv[1]) : NULL;
    double small = 1e18, large = 1e18, hit = 1e18;
    double applied = 1e18, removed = 1e18, buff = 1e18;
    for (uint32_t i = 0; i < REPEAT; i++) {
        double apply_ns, remove_ns;
        small = best(small, dots_ms(10000, 300));
        large = best(large, dots_ms(100000, 120));
        apply_remove_ns(dot_apply, peer_dot_remove, &apply_ns, &remove_ns);
        applied = best(applied, apply_ns);
        removed = best(removed, remove_ns);
        hit = best(hit, hit_ns());
        apply_remove_ns(peer_buff_apply, peer_buff_remove, &apply_ns, &remove_ns);
        buff = best(buff, apply_ns);
    }
    printf("%-14s %-12s %12s %-4s %12s %8s\n", "scene", "metric", peer_name, "", "knack", "ratio");
    report("dot_10k", "frame_ms", small, "ms");
    report("dot_1m", "frame_ms", large, "ms");
    report("apply_remove", "apply_ns", applied, "ns");
    report("apply_remove", "remove_ns", removed, "ns");
    report("instant", "op_ns", hit, "ns");
    report("buff_apply", "op_ns", buff, "ns");
    return 0;
}
