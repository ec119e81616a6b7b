// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Observers change nothing: every scene runs with every combination of event mask, log, listeners
// and allocator, all side by side. After each step all worlds have the same hash, and the events
// that two of them have are the same events.
#ifndef KNACK_OBSERVERS_H
#define KNACK_OBSERVERS_H

#include "determinism.h"

#include <string.h>

#define HERTZ 4
#define SECONDS (10 / SHARE(2)) // of each scene
#define MAX_WORLDS 24

static const uint64_t all_events = UINT64_MAX;

// An allocator that moves every block whenever it can, and leaves junk behind and ahead.
static void *moving_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    uint8_t *moved = NULL;
    if (new_size > 0) {
        moved = malloc(new_size);
        if (moved == NULL) {
            return NULL;
        }
        memset(moved, 0xcd, new_size);
        if (block != NULL) {
            memcpy(moved, block, old_size < new_size ? old_size : new_size);
        }
    }
    if (block != NULL) {
        memset(block, 0xdd, old_size);
        free(block);
    }
    return moved;
}

static void log_count(void *user, const kn_log_entry *entry)
{
    (void)entry;
    *(uint64_t *)user += 1;
}

// One way to look at a scene.
typedef struct watcher {
    uint64_t mask;
    bool logs, listens, moves;
    kn_world *world;
    kn_grid *grid;
    uint64_t lines;
    uint64_t heard[KN_EVENT_TYPE_COUNT]; // by listeners, in the last step
} watcher;

static void hear(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    ((watcher *)user)->heard[event->type]++;
}

static void watcher_listen(const scene_info *scene, watcher *w)
{
    for (uint32_t copy = 0; copy < 2; copy++) {
        for (uint32_t i = 0; i < KN_EVENT_TYPE_COUNT; i++) {
            kn_listener_def def = kn_listener_def_default();
            kn_listener_id listener;
            def.type = (kn_event_type)i;
            def.function = hear;
            def.user = w;
            expect_ok(scene->name, "listener", kn_listener_add(w->world, &def, &listener));
        }
    }
}

static void watcher_open(
    const scene_info *scene, const kn_library *library, bool in_space, watcher *w)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.seed = 2026;
    def.event_mask = w->mask;
    def.hooks.log_fn = log_count;
    def.hooks.log_user = &w->lines;
    def.hooks.realloc_fn = w->moves ? moving_realloc : NULL;
    expect_ok(scene->name, "world", kn_world_create(&def, &w->world));
    for (uint32_t i = 0; i < KN_LOG_CATEGORY_COUNT; i++) {
        expect_ok(scene->name, "log",
            kn_log_set_level(w->world, (kn_log_category)i, w->logs ? KN_LOG_VERBOSE : KN_LOG_OFF));
    }
    if (w->listens) {
        watcher_listen(scene, w);
    }
    if (in_space) {
        kn_grid_def grid = kn_grid_def_default();
        grid.world = w->world;
        expect_ok(scene->name, "grid", kn_grid_create(&grid, &w->grid));
        kn_world_set_space(w->world, kn_grid_space(w->grid));
    }
    expect_ok(scene->name, "populate", scene_populate(scene, w->world));
}

#define SAME(member) (memcmp(&a->data.member, &b->data.member, sizeof(a->data.member)) == 0)

// What two events of one type say; what the type does not fill has any value.
static bool data_is_same(const kn_event *a, const kn_event *b)
{
    switch (a->type) {
    case KN_EVENT_ENTITY_CREATED:
    case KN_EVENT_ENTITY_DESTROYED:
        return true;
    case KN_EVENT_AVATAR_CHANGED:
    case KN_EVENT_OWNER_CHANGED:
        return SAME(avatar);
    case KN_EVENT_TAG_COUNT:
    case KN_EVENT_TAG_CHANGED:
        return SAME(tag);
    case KN_EVENT_ATTRIBUTE_CHANGED:
    case KN_EVENT_ATTRIBUTE_INITIALISED:
        return SAME(attribute);
    case KN_EVENT_SET_ADDED:
    case KN_EVENT_SET_REMOVED:
        return SAME(set);
    case KN_EVENT_RESTRICTED:
    case KN_EVENT_RECORD:
        return SAME(record);
    case KN_EVENT_CUE: // parameters stand beside the events
        return SAME(cue.tag) && SAME(cue.action) && SAME(cue.effect) && SAME(cue.type) &&
               SAME(cue.magnitude) && a->data.cue.interrupted == b->data.cue.interrupted;
    case KN_EVENT_ERROR:
        return SAME(error);
    case KN_EVENT_CHARGES:
        return SAME(charges.ability) && SAME(charges.key) && SAME(charges.charges) &&
               SAME(charges.old_charges) && SAME(charges.end);
    case KN_EVENT_ANIMATION:
        return SAME(animation.animation) && SAME(animation.task) && SAME(animation.rate) &&
               a->data.animation.plays == b->data.animation.plays;
    case KN_EVENT_MOTION:
        return SAME(motion.task) && a->data.motion.begins == b->data.motion.begins;
    case KN_EVENT_REQUEST:
        return SAME(request.ability) && SAME(request.activation) && SAME(request.parts);
    case KN_EVENT_RETICLE:
        return SAME(reticle.task) && SAME(reticle.target);
    default:
        if (a->type >= KN_EVENT_EFFECT_APPLIED && a->type <= KN_EVENT_EFFECT_PART_BLOCKED) {
            return SAME(effect);
        }
        return SAME(ability.ability) && SAME(ability.type) && SAME(ability.activation) &&
               SAME(ability.reasons) && SAME(ability.end_reason) && SAME(ability.instigator);
    }
}

static bool cause_is_same(
    const kn_world *one, const kn_event *a, const kn_world *other, const kn_event *b)
{
    kn_cause_info x, y;
    return a->cause == b->cause &&
           kn_cause_get(one, a->cause, &x) == kn_cause_get(other, b->cause, &y) &&
           memcmp(&x, &y, sizeof(x)) == 0;
}

static uint32_t next_of(kn_events events, uint32_t i, uint64_t mask)
{
    while (i < events.count && (mask >> events.data[i].type & 1) == 0) {
        i++;
    }
    return i;
}

// The events of both that both were asked for.
static bool events_are_same(const scene_info *scene, uint32_t step, const watcher *reference,
    const watcher *found, uint32_t index)
{
    kn_events a = kn_world_events(reference->world), b = kn_world_events(found->world);
    uint64_t mask = reference->mask & found->mask;
    uint32_t i = next_of(a, 0, mask), j = next_of(b, 0, mask);
    while (i < a.count && j < b.count) {
        const kn_event *x = &a.data[i], *y = &b.data[j];
        if (x->type != y->type || x->time != y->time || !kn_entity_id_equal(x->entity, y->entity) ||
            !data_is_same(x, y) || !cause_is_same(reference->world, x, found->world, y)) {
            break;
        }
        i = next_of(a, i + 1, mask);
        j = next_of(b, j + 1, mask);
    }
    if (i >= a.count && j >= b.count) {
        return true;
    }
    char x[256] = "nothing", y[256] = "nothing";
    if (i < a.count) {
        (void)kn_event_print(reference->world, &a.data[i], x, sizeof(x));
    }
    if (j < b.count) {
        (void)kn_event_print(found->world, &b.data[j], y, sizeof(y));
    }
    fprintf(stderr, "%s: step %u: watcher %u has \"%s\" instead of \"%s\"\n", scene->name, step,
        index, y, x);
    return false;
}

static bool hearing_is_right(const scene_info *scene, uint32_t step, watcher *w)
{
    uint64_t happened[KN_EVENT_TYPE_COUNT] = {0};
    kn_events events = kn_world_events(w->world);
    for (uint32_t i = 0; i < events.count; i++) {
        happened[events.data[i].type] += 2; // two listeners of each type
    }
    bool is_right = memcmp(happened, w->heard, sizeof(happened)) == 0;
    memset(w->heard, 0, sizeof(w->heard));
    if (!is_right) {
        fprintf(stderr, "%s: step %u: listeners miss events\n", scene->name, step);
    }
    return is_right;
}

static uint32_t watchers_make(watcher *watchers)
{
    const uint64_t masks[3] = {all_events, kn_world_def_default().event_mask, 0};
    uint32_t count = 0;
    for (uint32_t mask = 0; mask < 3; mask++) {
        for (uint32_t i = 0; i < 8; i++) {
            watchers[count++] = (watcher){.mask = masks[mask],
                .logs = (i & 1) != 0,
                .listens = (i & 2) != 0,
                .moves = (i & 4) != 0};
        }
    }
    return count;
}

// `in_space`: the worlds have grids, for a library that has the components of grids.
static bool observers_check(const scene_info *scene, const kn_library *library, bool in_space)
{
    static watcher watchers[MAX_WORLDS];
    uint32_t count = watchers_make(watchers);
    for (uint32_t i = 0; i < count; i++) {
        watcher_open(scene, library, in_space, &watchers[i]);
    }
    bool passed = true;
    uint64_t events = 0;
    for (uint32_t step = 0; step < SECONDS * HERTZ && passed; step++) {
        uint64_t hash = 0;
        for (uint32_t i = 0; i < count && passed; i++) {
            expect_ok(scene->name, "step", scene_step(watchers[i].world, step, HERTZ));
            uint64_t found = kn_world_hash(watchers[i].world);
            hash = i == 0 ? found : hash;
            passed = found == hash || expect_same(scene, "another watcher,", step,
                                          watchers[0].world, watchers[i].world);
            passed = passed && events_are_same(scene, step, &watchers[0], &watchers[i], i);
            passed =
                passed && (!watchers[i].listens || hearing_is_right(scene, step, &watchers[i]));
        }
        events += kn_world_events(watchers[0].world).count;
    }
    if (events == 0) {
        fprintf(stderr, "%s: nothing happens\n", scene->name);
        passed = false;
    }
    for (uint32_t i = 0; i < count; i++) {
        passed = passed && watchers[i].logs == (watchers[i].lines > 0);
        kn_grid_destroy(watchers[i].grid);
        kn_world_destroy(watchers[i].world);
    }
    return passed;
}

#endif
