// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The run itself: what is due, exact steps, checks by rolling back and by saving, recordings.
//
// Time goes in steps of the scenario's length, cut where something is written: an action at 0.25 s
// happens at 0.25 s. Actions since the last step are remembered by number, so that they can be done
// again after a rollback and kept as commands of a recording.

#include "scenario_sessions.h"

#include <stdio.h>
#include <string.h>

#define RUN_COOKIE 0x73726e64u

kn_scenario_run_def kn_scenario_run_def_default(void)
{
    kn_scenario_run_def def = {
        .variant = KN_SCENARIO_BASE, .failure_limit = 20, .cookie = RUN_COOKIE};
    return def;
}

// The world -----------------------------------------------------------------

uint64_t kni_run_seed(const kn_scenario_run *run)
{
    const kn_scenario *scenario = run->scenario;
    bool has_variant = run->def.variant < scenario->variant_count;
    return run->def.has_seed ? run->def.seed
           : has_variant && scenario->variants[run->def.variant].has_seed
               ? scenario->variants[run->def.variant].seed
               : scenario->seed;
}

static kn_result world_create(const kn_scenario_run *run, kn_world **world, kn_grid **grid)
{
    kn_world_def def = kn_world_def_default();
    def.library = run->scenario->library;
    def.hooks = run->hooks;
    def.seed = kni_run_seed(run);
    def.start = run->scenario->start;
    def.task_limit = (uint32_t)run->scenario->task_limit;
    def.event_mask |= UINT64_C(1) << KN_EVENT_EFFECT_EXECUTED | UINT64_C(1) << KN_EVENT_TAG_COUNT;
    *grid = NULL;
    kn_result result = kn_world_create(&def, world);
    if (result == KN_OK && run->scenario->has_grid) {
        kn_grid_def grid_def = kn_grid_def_default();
        grid_def.world = *world;
        grid_def.hooks = run->hooks;
        grid_def.cell_size = run->scenario->cell_size;
        result = kn_grid_create(&grid_def, grid);
        if (result == KN_OK) {
            kn_world_set_space(*world, kn_grid_space(*grid));
        } else {
            kn_world_destroy(*world);
            *world = NULL;
        }
    }
    return result;
}

static void world_destroy(kn_world *world, kn_grid *grid)
{
    kn_grid_destroy(grid);
    if (world != NULL) {
        kn_world_destroy(world);
    }
}

// Motion ------------------------------------------------------------------------

#define SOURCES_MAX 16 // of one entity; more do not act

static kn_vec3 vector_add(kn_vec3 a, kn_vec3 b, float factor)
{
    return (kn_vec3){a.x + b.x * factor, a.y + b.y * factor, a.z + b.z * factor};
}

// Moves one body from `from` to `to` by its sources. One that began after the bodies were moved
// last acts from its beginning.
static kn_result move_body(kn_scenario_run *run, kn_entity_id entity, kn_body *body, kn_time to)
{
    kn_motion_source sources[SOURCES_MAX];
    kn_motion_sample samples[SOURCES_MAX];
    kn_time now = kn_world_now(run->world);
    float seconds = (float)kn_time_to_seconds(to - now);
    uint32_t count = kn_motions(run->world, entity, sources, SOURCES_MAX);
    count = count < SOURCES_MAX ? count : SOURCES_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const kn_motion_source *source = &sources[i];
        kn_body target = {.position = body->position};
        (void)kn_grid_get_body(run->grid, source->start.target, &target);
        kn_time from = source->start.time > run->moved_from ? source->start.time : now;
        kn_motion_input before = {from, body->position, target.position};
        kn_motion_input after = {to, body->position, target.position};
        kn_result result = kn_motion_step(
            run->scenario->library, &source->def, &source->start, &before, &after, &samples[i]);
        if (result != KN_OK) {
            return result;
        }
        float share = (float)kn_time_to_seconds(to - from) / seconds;
        samples[i].velocity = vector_add((kn_vec3){0}, samples[i].velocity, share);
    }
    if (count == 0) {
        return KN_OK;
    }
    kn_motion_total total = kn_motion_combine(samples, sources, count, (kn_vec3){0});
    kn_vec3 place = vector_add(body->position, total.velocity, seconds);
    if ((total.flags & KN_MOTION_HAS_POSITION) != 0) {
        // Where the path is, and what the others add to it in this step.
        kn_vec3 rest = vector_add(total.velocity, samples[total.winner].velocity, -1.0f);
        place = vector_add(total.position, rest, seconds);
    }
    return kn_grid_move(run->grid, entity, place);
}

// With a grid the run is the host: before a step, bodies go where their motions take them until its
// end. It has no movement system: what a motion leaves behind is forgotten.
static kn_result move_bodies(kn_scenario_run *run, kn_time dt)
{
    kn_time now = kn_world_now(run->world);
    kn_component_type_id type = {
        kn_def_find(run->scenario->library, KN_DEF_COMPONENT, KN_GRID_BODY_NAME)};
    kn_result result = KN_OK;
    if (run->grid == NULL || !run->scenario->has_motion || dt == 0) {
        return KN_OK;
    }
    kn_entity_id entity = kn_component_next(run->world, type, (kn_entity_id){0});
    while (result == KN_OK && !kn_entity_id_is_null(entity)) {
        kn_body body;
        if (kn_grid_get_body(run->grid, entity, &body)) {
            result = move_body(run, entity, &body, now + dt);
        }
        entity = kn_component_next(run->world, type, entity);
    }
    run->moved_from = now;
    return result;
}

static kn_result world_step(kn_scenario_run *run, kn_time dt)
{
    kn_result result = move_bodies(run, dt);
    return result == KN_OK ? kn_world_step(run->world, dt) : result;
}

// Rolling back ----------------------------------------------------------------

static kn_result take_snapshot(const kn_scenario_run *run, kni_buffer *buffer)
{
    size_t size = kn_snapshot_size(run->world);
    size_t written = 0;
    if (size > KNI_BUFFER_MAX ||
        !kn_memory_grow(&run->hooks, &buffer->data, &buffer->capacity, (uint32_t)size, 1)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = kn_snapshot_take(run->world, buffer->data, buffer->capacity, &written);
    buffer->size = (uint32_t)written;
    return result;
}

// From here on a rollback goes back to now.
static kn_result segment_begin(kn_scenario_run *run)
{
    run->pending_count = 0;
    memcpy(run->names_before, run->names, run->scenario->name_count * sizeof(*run->names));
    if ((run->checks & KN_SCENARIO_CHECK_SYNC) == 0) {
        return KN_OK;
    }
    return take_snapshot(run, &run->snapshot);
}

static void fail_check(kn_scenario_run *run, const char *expected, const kn_world *other)
{
    char found[KNI_LINE_SIZE] = "";
    kni_place place = {.file = kni_document_file(run->scenario->document), .line = 1, .column = 1};
    if (other == NULL || !kn_world_difference(run->world, other, found, sizeof(found))) {
        (void)snprintf(found, sizeof(found), "the hashes differ");
    }
    kni_run_fail_text(run, &place, expected, found, "");
}

// Two worlds that should be one: the state in `other` is that of the first time.
static kn_result tell_rollback(kn_scenario_run *run)
{
    kn_world *world;
    kn_grid *grid;
    kn_result result = world_create(run, &world, &grid);
    if (result != KN_OK) {
        return result;
    }
    result = kn_snapshot_restore(world, run->other.data, run->other.size);
    fail_check(run, "a step that is rolled back ends the same when it is repeated",
        result == KN_OK ? world : NULL);
    world_destroy(world, grid);
    return KN_OK;
}

static kn_result step_again(kn_scenario_run *run, kn_time dt, kn_time moved_from)
{
    uint64_t hash = kn_world_hash(run->world);
    kn_result result = take_snapshot(run, &run->other);
    if (result == KN_OK) {
        result = kn_snapshot_restore(run->world, run->snapshot.data, run->snapshot.size);
    }
    if (result != KN_OK) {
        return result;
    }
    memcpy(run->names, run->names_before, run->scenario->name_count * sizeof(*run->names));
    run->quiet = true;
    for (uint32_t i = 0; i < run->pending_count && run->broken == KN_OK; i++) {
        kni_run_act(run, &run->scenario->actions.data[run->pending[i]]);
    }
    run->quiet = false;
    run->moved_from = moved_from;
    result = run->broken == KN_OK ? world_step(run, dt) : run->broken;
    if (result == KN_OK && kn_world_hash(run->world) != hash) {
        result = tell_rollback(run);
        run->checks &= ~(uint32_t)KN_SCENARIO_CHECK_SYNC; // once is enough
    }
    return result;
}

// Saving ----------------------------------------------------------------------

static kn_result write_save(const kn_scenario_run *run, kni_buffer *buffer)
{
    size_t size = 0;
    kn_result result = kn_save_write(run->world, NULL, 0, &size);
    if (result != KN_OK && result != KN_ERROR_BUFFER_TOO_SMALL) {
        return result;
    }
    if (size > KNI_BUFFER_MAX ||
        !kn_memory_grow(&run->hooks, &buffer->data, &buffer->capacity, (uint32_t)size, 1)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    result = kn_save_write(run->world, buffer->data, buffer->capacity, &size);
    buffer->size = (uint32_t)size;
    return result;
}

// The run goes on in a world that was loaded from a save of this one.
static kn_result run_reload(kn_scenario_run *run)
{
    kn_world *world;
    kn_grid *grid;
    kn_result result = write_save(run, &run->other);
    if (result == KN_OK) {
        result = world_create(run, &world, &grid);
    }
    if (result != KN_OK) {
        return result;
    }
    kn_error error = {0};
    result = kn_save_read(world, run->other.data, run->other.size, &error);
    bool is_same = result == KN_OK && kn_world_hash(world) == kn_world_hash(run->world);
    if (result == KN_ERROR_OUT_OF_MEMORY) {
        world_destroy(world, grid);
        return result;
    }
    if (!is_same) {
        fail_check(
            run, "a world that is saved and loaded is the same", result == KN_OK ? world : NULL);
        run->checks &= ~(uint32_t)KN_SCENARIO_CHECK_HEAVY;
        world_destroy(world, grid);
        return KN_OK;
    }
    world_destroy(run->world, run->grid);
    run->world = world;
    run->grid = grid;
    return KN_OK;
}

// Steps -----------------------------------------------------------------------

// What must not hold, and does.
static void fail_never(kn_scenario_run *run, const kni_part *part)
{
    kni_difference *difference = &run->differences[0].items[0];
    kni_difference_begin(difference);
    if (part->watch > 0) {
        kni_pattern_print(run, part, &difference->expected);
        kni_line_add(&difference->expected, " never happens");
        kni_line_add(&difference->found, "it did");
    } else {
        kni_line_add(&difference->expected, "this never holds");
        kni_line_add(&difference->found, "it does");
    }
    for (uint32_t k = 1; k <= 3 && k <= run->history_count; k++) {
        kni_line_add(&difference->why, "%sbefore: %s", k > 1 ? "\n" : "",
            run->history[(run->history_count - k) % KNI_HISTORY].line);
    }
    kni_run_fail(run, &part->place, difference);
}

static bool part_holds(kn_scenario_run *run, const kni_part *part, kni_differences *out)
{
    return part->machine > 0 ? kni_sessions_holds(run, part, out) : kni_run_holds(run, part, out);
}

static void test_always(kn_scenario_run *run)
{
    const kn_scenario *scenario = run->scenario;
    for (uint32_t i = 0; i < scenario->always.count + scenario->never.count; i++) {
        bool is_never = i >= scenario->always.count;
        const kni_part *part = is_never ? &scenario->never.data[i - scenario->always.count]
                                        : &scenario->always.data[i];
        bool is_there =
            part->machine == 0 || part->watch > 0 || kni_sessions_has_world(run, part->machine);
        if (run->told[i] || !is_there || part_holds(run, part, &run->differences[0]) != is_never) {
            continue;
        }
        run->told[i] = true;
        if (is_never) {
            fail_never(run, part);
        } else {
            kni_run_fail_all(run, &part->place, &run->differences[0]);
        }
    }
    run->counts.expectations += scenario->always.count + scenario->never.count;
}

static void trace_step(kn_scenario_run *run)
{
    if (run->def.trace != NULL) {
        kn_scenario_trace trace = {.kind = KN_SCENARIO_TRACE_STEP,
            .time = run->now,
            .world = run->world,
            .file = "",
            .text = ""};
        run->def.trace(run->def.user, run, &trace);
    }
}

static bool has_motions(const kn_scenario_run *run)
{
    kn_component_type_id type = {
        kn_def_find(run->scenario->library, KN_DEF_COMPONENT, KN_GRID_BODY_NAME)};
    kn_entity_id entity = kn_component_next(run->world, type, (kn_entity_id){0});
    while (!kn_entity_id_is_null(entity) && kn_motions(run->world, entity, NULL, 0) == 0) {
        entity = kn_component_next(run->world, type, entity);
    }
    return !kn_entity_id_is_null(entity);
}

// What a run does besides stepping is noted in a recording, so that a replay can do it again: the
// index of an action, or the length of a step that moved bodies, and since when.
#define ACTION_NOTE_SIZE 4
#define MOVE_NOTE_SIZE 16

static void note_number(uint8_t *bytes, uint64_t number, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(number >> 8 * i);
    }
}

static uint64_t noted_number(const uint8_t *bytes, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < size; i++) {
        number |= (uint64_t)bytes[i] << 8 * i;
    }
    return number;
}

static kn_result recording_step(kn_scenario_run *run, kn_time dt)
{
    kn_result result = KN_OK;
    bool may_move = run->grid != NULL && run->scenario->has_motion && dt > 0;
    if (may_move && has_motions(run)) {
        uint8_t bytes[MOVE_NOTE_SIZE];
        note_number(bytes, (uint64_t)dt, 8);
        note_number(bytes + 8, (uint64_t)run->moved_from, 8);
        result = kn_recording_note(run->recording, bytes, sizeof(bytes));
        result = result == KN_OK ? move_bodies(run, dt) : result;
    } else if (dt > 0) {
        run->moved_from = run->now;
    }
    return result == KN_OK ? kn_recording_step(run->recording, dt) : result;
}

// Between machines a step is a turn of each of them. The first step takes no time, and comes before
// they begin.
static kn_result machines_step(kn_scenario_run *run, kn_time dt)
{
    kn_result result = KN_OK;
    uint32_t steps = run->counts.steps;
    run->now += dt;
    if (!run->is_begun) {
        result = kn_world_step(run->world, 0);
        run->pending_count = 0;
        if (result == KN_OK) {
            kni_run_harvest(run);
            result = kni_sessions_begin(run);
        }
    }
    result = result == KN_OK ? kni_sessions_turn(run) : result;
    if (result == KN_OK && (run->counts.steps != steps || !run->is_begun)) {
        trace_step(run);
    }
    if (result == KN_OK) {
        test_always(run);
    }
    return result == KN_OK ? run->broken : result;
}

static kn_result run_step(kn_scenario_run *run, kn_time dt)
{
    if (run->sessions != NULL) {
        return machines_step(run, dt);
    }
    kn_time moved_from = run->moved_from;
    kn_result result = run->recording != NULL ? recording_step(run, dt) : world_step(run, dt);
    if (result == KN_OK && (run->checks & KN_SCENARIO_CHECK_SYNC) != 0) {
        result = step_again(run, dt, moved_from);
    }
    if (result != KN_OK) {
        return result;
    }
    run->now += dt;
    run->counts.steps++;
    kni_run_harvest(run);
    trace_step(run);
    test_always(run);
    if ((run->checks & KN_SCENARIO_CHECK_HEAVY) != 0) {
        result = run_reload(run);
    }
    return result == KN_OK ? segment_begin(run) : result;
}

// Items -----------------------------------------------------------------------

static kn_result run_action(kn_scenario_run *run, uint32_t index)
{
    bool is_command = run->scenario->actions.data[index].verb == KNI_VERB_ISSUE;
    if (run->recording != NULL && !is_command) {
        uint8_t bytes[ACTION_NOTE_SIZE];
        note_number(bytes, index, sizeof(bytes));
        kn_result result = kn_recording_note(run->recording, bytes, sizeof(bytes));
        if (result != KN_OK) {
            return result;
        }
    }
    if (!kn_memory_grow(&run->hooks, &run->pending, &run->pending_capacity, run->pending_count + 1,
            sizeof(*run->pending))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    run->pending[run->pending_count++] = index;
    kni_run_act(run, &run->scenario->actions.data[index]);
    return run->broken;
}

// The exact end of a step of the scenario's length: a third of a second three times is a second.
static kn_time step_boundary(const kn_scenario_run *run, int64_t index)
{
    int64_t whole = index / run->step_divisor * run->step_parts;
    int64_t rest = index % run->step_divisor * run->step_parts / run->step_divisor;
    return run->scenario->start + whole + rest;
}

// The end of the next step, at `limit` at the latest.
static kn_time step_end(kn_scenario_run *run, kn_time limit)
{
    while (step_boundary(run, run->step_index) <= run->now) {
        run->step_index++;
    }
    kn_time until = step_boundary(run, run->step_index);
    kn_time tick = run->sessions != NULL ? kni_sessions_next_tick(run) : KN_TIME_INFINITE;
    until = tick > run->now && tick < until ? tick : until;
    return limit < until ? limit : until;
}

#define WAIT_MAX KN_MS(200) // for a tick

// Between machines: what was done takes effect with the next tick of the machine it was done on.
static kn_result run_expectation_on(kn_scenario_run *run, const kni_part *part)
{
    kn_result result = KN_OK;
    kn_time latest = run->now < KN_TIME_MAX - WAIT_MAX ? run->now + WAIT_MAX : KN_TIME_MAX;
    while (result == KN_OK && run->now < latest && kni_sessions_wait(run, part)) {
        result = run_step(run, step_end(run, KN_TIME_MAX) - run->now);
    }
    if (result != KN_OK) {
        return result;
    }
    run->counts.expectations++;
    if (!part_holds(run, part, &run->differences[1])) {
        kni_run_fail_all(run, &part->place, &run->differences[1]);
    }
    return run->broken;
}

static kn_result run_expectation(kn_scenario_run *run, const kni_part *part)
{
    if (run->sessions != NULL) {
        return run_expectation_on(run, part);
    }
    // Events need a step to be published; a hash is compared between steps.
    bool needs_step =
        part->watch > 0 || kni_part_has(part, KNI_KEY_HASH) || kni_part_has(part, KNI_KEY_MEASURE);
    if (run->pending_count > 0 && needs_step) {
        kn_result result = run_step(run, 0);
        if (result != KN_OK) {
            return result;
        }
    }
    run->counts.expectations++;
    if (kni_run_holds(run, part, &run->differences[1])) {
        return KN_OK;
    }
    kn_result result = KN_OK;
    if (run->pending_count > 0) {
        // Published events have causes, which the explanation can show.
        result = run_step(run, 0);
        if (result == KN_OK && !kni_run_holds(run, part, &run->differences[0])) {
            kni_run_fail_all(run, &part->place, &run->differences[0]);
            return KN_OK;
        }
    }
    kni_run_fail_all(run, &part->place, &run->differences[1]);
    return result;
}

static kn_result run_item(kn_scenario_run *run, uint32_t index)
{
    const kni_item *item = &run->scenario->items[index];
    kn_time *next = &run->next[index];
    bool again = item->every > 0 && *next <= item->until - item->every;
    *next = again ? *next + item->every : KN_TIME_INFINITE;
    return item->is_action ? run_action(run, item->part)
                           : run_expectation(run, &run->scenario->expectations.data[item->part]);
}

static bool is_before(const kn_scenario_run *run, uint32_t a, uint32_t b)
{
    return run->next[a] != run->next[b] ? run->next[a] < run->next[b] : a < b;
}

// The item in front comes again later, or never: it goes where it belongs.
static void due_sink(kn_scenario_run *run)
{
    uint32_t count = run->scenario->item_count;
    uint32_t item = run->due[0];
    uint32_t at = 0;
    for (uint32_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_before(run, run->due[child + 1], run->due[child])) {
            child++;
        }
        if (!is_before(run, run->due[child], item)) {
            break;
        }
        run->due[at] = run->due[child];
        at = child;
    }
    run->due[at] = item;
}

static kn_result run_to(kn_scenario_run *run, kn_time limit)
{
    if (!run->is_begun && run->broken == KN_OK) {
        // What made the entities is published by itself, and not measured.
        run->broken = run_step(run, 0);
        run->is_begun = true;
    }
    while (run->broken == KN_OK) {
        bool has_items = run->scenario->item_count > 0;
        uint32_t item = run->due[0];
        kn_time due = has_items ? run->next[item] : KN_TIME_INFINITE;
        kn_result result;
        if (due <= run->now) {
            result = run_item(run, item);
            due_sink(run);
        } else if (run->now >= limit) {
            return KN_OK;
        } else {
            result = run_step(run, step_end(run, due < limit ? due : limit) - run->now);
        }
        run->broken = run->broken != KN_OK ? run->broken : result;
    }
    return run->broken;
}

kn_result kn_scenario_run_until(kn_scenario_run *run, kn_time time)
{
    kn_time end = run->scenario->end;
    if (run->is_finished || (time < run->now && run->broken == KN_OK)) {
        return KN_OK;
    }
    return run_to(run, time < end ? time : end);
}

static void test_parts(kn_scenario_run *run, const kni_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        run->counts.expectations++;
        if (!part_holds(run, &parts->data[i], &run->differences[0])) {
            kni_run_fail_all(run, &parts->data[i].place, &run->differences[0]);
        }
    }
}

#define LATE_MAX KN_S(5) // that answers and comparisons may take after the end

// What was asked at the end needs the server to come to where the clients are.
static kn_result machines_finish(kn_scenario_run *run)
{
    kn_time end = run->now;
    kn_result result = run->broken;
    while (result == KN_OK && kni_sessions_are_open(run) && run->now - end < LATE_MAX) {
        result = run_step(run, step_end(run, KN_TIME_MAX) - run->now);
    }
    run->broken = result;
    if (result == KN_OK) {
        kni_sessions_end(run);
    }
    run->now = end;
    return result;
}

kn_result kn_scenario_run_finish(kn_scenario_run *run)
{
    if (run->is_finished) {
        return run->broken;
    }
    kn_result result = run_to(run, run->scenario->end);
    if (result == KN_OK) {
        result = run_step(run, 0); // what was done last is published
        run->broken = result;
    }
    run->is_finished = true;
    if (result != KN_OK) {
        return result;
    }
    test_parts(run, &run->scenario->final);
    if (run->def.variant < run->scenario->variant_count) {
        test_parts(run, &run->scenario->variants[run->def.variant].expectations);
    }
    kni_run_sequences_end(run);
    return run->sessions != NULL ? machines_finish(run) : KN_OK;
}

// Creation --------------------------------------------------------------------

static void *run_take(kn_scenario_run *run, size_t count, size_t size)
{
    void *block = kn_memory_resize(&run->hooks, NULL, 0, (count + 1) * size);
    if (block != NULL) {
        memset(block, 0, (count + 1) * size);
    }
    return block;
}

static void run_free(kn_scenario_run *run, void *block, size_t count, size_t size)
{
    kn_memory_free(&run->hooks, block, (count + 1) * size);
}

void kn_scenario_run_destroy(kn_scenario_run *run)
{
    if (run == NULL) {
        return;
    }
    const kn_scenario *scenario = run->scenario;
    kn_recording_destroy(run->recording);
    kni_sessions_destroy(run);
    world_destroy(run->world, run->grid);
    run_free(run, run->next, scenario->item_count, sizeof(*run->next));
    run_free(run, run->due, scenario->item_count, sizeof(*run->due));
    run_free(run, run->names, scenario->name_count, sizeof(*run->names));
    run_free(run, run->names_before, scenario->name_count, sizeof(*run->names));
    run_free(run, run->watches, scenario->watch_count, sizeof(*run->watches));
    run_free(run, (void *)run->watched, scenario->watch_count, sizeof(*run->watched));
    run_free(run, run->told, scenario->always.count + scenario->never.count, sizeof(*run->told));
    run_free(run, run->history, KNI_HISTORY, sizeof(*run->history));
    for (uint32_t i = 0; i < 2; i++) {
        run_free(run, run->differences[i].items, KNI_DIFFERENCES, sizeof(kni_difference));
    }
    kn_memory_free(
        &run->hooks, run->error_lines, run->error_line_capacity * sizeof(*run->error_lines));
    kn_memory_free(&run->hooks, run->pending, run->pending_capacity * sizeof(*run->pending));
    kn_memory_free(&run->hooks, run->failures, run->failure_capacity * sizeof(*run->failures));
    kni_buffer_free(&run->snapshot);
    kni_buffer_free(&run->other);
    kni_buffer_free(&run->texts);
    kn_hooks hooks = run->hooks;
    kn_memory_free(&hooks, run, sizeof(*run));
}

static kn_result run_populate(kn_scenario_run *run)
{
    const kn_scenario *scenario = run->scenario;
    uint32_t count = scenario->entities.count;
    const kni_part **entities = run_take(run, count, sizeof(*entities));
    if (entities == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        entities[i] = &scenario->entities.data[i];
    }
    if (run->def.variant < scenario->variant_count) {
        const kni_parts *changed = &scenario->variants[run->def.variant].changed;
        for (uint32_t i = 0; i < changed->count; i++) {
            entities[changed->data[i].as - 1] = &changed->data[i];
        }
    }
    kn_result result = kni_run_populate(run, entities, count);
    run_free(run, (void *)entities, count, sizeof(*entities));
    return result;
}

static kn_result run_start(kn_scenario_run *run)
{
    const kn_scenario *scenario = run->scenario;
    run->next = run_take(run, scenario->item_count, sizeof(*run->next));
    run->due = run_take(run, scenario->item_count, sizeof(*run->due));
    run->names = run_take(run, scenario->name_count, sizeof(*run->names));
    run->names_before = run_take(run, scenario->name_count, sizeof(*run->names));
    run->watches = run_take(run, scenario->watch_count, sizeof(*run->watches));
    run->watched = run_take(run, scenario->watch_count, sizeof(*run->watched));
    run->told = run_take(run, scenario->always.count + scenario->never.count, sizeof(*run->told));
    run->history = run_take(run, KNI_HISTORY, sizeof(*run->history));
    run->differences[0].items = run_take(run, KNI_DIFFERENCES, sizeof(kni_difference));
    run->differences[1].items = run_take(run, KNI_DIFFERENCES, sizeof(kni_difference));
    if (run->differences[0].items == NULL || run->differences[1].items == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (run->next == NULL || run->due == NULL || run->names == NULL || run->names_before == NULL ||
        run->watches == NULL || run->watched == NULL || run->told == NULL || run->history == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < scenario->item_count; i++) {
        run->next[i] = scenario->items[i].time;
        run->due[i] = i; // they are sorted
    }
    run->next[scenario->item_count] = KN_TIME_INFINITE;
    kn_result result = world_create(run, &run->world, &run->grid);
    if (result == KN_OK) {
        result = kni_sessions_create(run);
    }
    if (result == KN_OK) {
        result = run_populate(run);
    }
    if (result == KN_OK) {
        kni_run_watch_begin(run);
        result = segment_begin(run);
    }
    return result;
}

kn_result kn_scenario_run_create(
    const kn_scenario *scenario, const kn_scenario_run_def *def, kn_scenario_run **out)
{
    bool is_good = out != NULL && scenario != NULL && def != NULL && def->cookie == RUN_COOKIE;
    if (!is_good) {
        KN_ASSERT(is_good);
        if (out != NULL) {
            *out = NULL;
        }
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (!scenario->is_good) {
        return KN_ERROR_BAD_DATA;
    }
    bool is_recorded = def->record && scenario->machine_count > 0;
    if ((def->variant != KN_SCENARIO_BASE && def->variant >= scenario->variant_count) ||
        is_recorded) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_scenario_run *run = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*run));
    if (run == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *run = (kn_scenario_run){.scenario = scenario, .def = *def, .hooks = def->hooks};
    run->texts.hooks = def->hooks;
    run->snapshot.hooks = def->hooks;
    run->other.hooks = def->hooks;
    bool can_check = !def->record && !def->no_checks && scenario->machine_count == 0;
    run->checks = can_check ? def->checks | scenario->checks : 0;
    run->now = scenario->start;
    run->moved_from = scenario->start;
    run->step_parts = scenario->step_parts;
    run->step_divisor = scenario->step_divisor;
    if (def->variant < scenario->variant_count &&
        scenario->variants[def->variant].step_divisor > 0) {
        run->step_parts = scenario->variants[def->variant].step_parts;
        run->step_divisor = scenario->variants[def->variant].step_divisor;
    }
    kn_result result = run_start(run);
    if (result == KN_OK && def->record) {
        result = kn_recording_begin(run->world, &run->recording);
    }
    if (result != KN_OK) {
        kn_scenario_run_destroy(run);
        run = NULL;
    }
    *out = run;
    return result;
}

// Looking at it ---------------------------------------------------------------

kn_world *kn_scenario_run_world(const kn_scenario_run *run)
{
    return run->world;
}

kn_world *kn_scenario_run_machine_world(const kn_scenario_run *run, uint32_t index)
{
    return index < run->scenario->machine_count ? kni_sessions_world(run, index + 1) : NULL;
}

kn_time kn_scenario_run_now(const kn_scenario_run *run)
{
    return run->now;
}

static uint64_t run_named(const kn_scenario_run *run, kni_name_kind kind, const char *name)
{
    uint32_t found = kni_name_find(run->scenario, kind, name);
    return found > 0 ? run->names[found - 1] : 0;
}

kn_entity_id kn_scenario_run_entity(const kn_scenario_run *run, const char *name)
{
    return kn_entity_id_unpack(run_named(run, KNI_NAME_ENTITY, name));
}

kn_effect_id kn_scenario_run_effect(const kn_scenario_run *run, const char *name)
{
    return kn_effect_id_unpack(run_named(run, KNI_NAME_EFFECT, name));
}

kn_ability_id kn_scenario_run_ability(const kn_scenario_run *run, const char *name)
{
    return kn_ability_id_unpack(run_named(run, KNI_NAME_ABILITY, name));
}

const char *kn_scenario_run_name(const kn_scenario_run *run, kn_entity_id entity)
{
    for (uint32_t i = 0; i < run->scenario->name_count; i++) {
        if (run->scenario->names[i].kind == KNI_NAME_ENTITY &&
            kn_entity_id_equal(kn_entity_id_unpack(run->names[i]), entity) &&
            !kn_entity_id_is_null(entity)) {
            return run->scenario->names[i].text;
        }
    }
    return NULL;
}

float kn_scenario_run_measure(const kn_scenario_run *run, uint32_t index)
{
    return index < run->scenario->measure_count
               ? kni_run_measured(run, &run->scenario->measures[index])
               : 0.0f;
}

kn_scenario_counts kn_scenario_run_counts(const kn_scenario_run *run)
{
    return run->counts;
}

bool kn_scenario_run_expected_error(const kn_scenario_run *run, uint32_t line)
{
    uint32_t i = 0;
    while (i < run->error_line_count && run->error_lines[i] != line) {
        i++;
    }
    return i < run->error_line_count;
}

bool kn_scenario_run_passed(const kn_scenario_run *run)
{
    return run->failed == 0 && run->broken == KN_OK;
}

uint32_t kn_scenario_run_failed(const kn_scenario_run *run)
{
    return run->failed;
}

uint32_t kn_scenario_failure_count(const kn_scenario_run *run)
{
    return run->failure_count;
}

kn_scenario_failure kn_scenario_failure_at(const kn_scenario_run *run, uint32_t index)
{
    kn_scenario_failure out = {.file = "", .expected = "", .found = "", .why = ""};
    if (index < run->failure_count) {
        const kni_failure *failure = &run->failures[index];
        out.file = failure->place.file != NULL ? failure->place.file : "";
        out.line = failure->place.line;
        out.column = failure->place.column;
        out.time = failure->time;
        out.expected = run->texts.data + failure->expected;
        out.found = run->texts.data + failure->found;
        out.why = run->texts.data + failure->why;
    }
    return out;
}

uint32_t kn_scenario_failure_print(
    const kn_scenario_run *run, uint32_t index, char *text, uint32_t size)
{
    kni_line line = {text, size, 0};
    if (size > 0) {
        text[0] = 0;
    }
    if (index >= run->failure_count) {
        return 0;
    }
    kn_scenario_failure failure = kn_scenario_failure_at(run, index);
    kni_line_add(&line, "%s:%u:%u: at ", failure.file, failure.line, failure.column);
    kni_line_time(&line, failure.time);
    kni_line_add(&line, ": expected: %s, but %s", failure.expected, failure.found);
    for (const char *at = failure.why; *at != 0;) {
        const char *end = strchr(at, '\n');
        int length = end != NULL ? (int)(end - at) : (int)strlen(at);
        kni_line_add(&line, "\n    %.*s", length, at);
        at += length + (end != NULL);
    }
    return line.length;
}

// Recordings --------------------------------------------------------------------

const void *kn_scenario_run_recording(const kn_scenario_run *run, size_t *size)
{
    *size = 0;
    return run->recording != NULL ? kn_recording_bytes(run->recording, size) : NULL;
}

kn_result kn_scenario_replay(const kn_scenario *scenario, uint32_t variant, const void *bytes,
    size_t size, kn_replay_report *report, kn_error *error)
{
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.hooks = scenario->def.hooks;
    def.variant = variant;
    kn_scenario_run *run;
    *report = (kn_replay_report){0};
    kn_result result = kn_scenario_run_create(scenario, &def, &run);
    if (result != KN_OK) {
        return result;
    }
    result = kn_scenario_run_replay(run, bytes, size, report, error);
    kn_scenario_run_destroy(run);
    return result;
}

// Does again what was noted.
static kn_result replay_note(kn_scenario_run *run, const uint8_t *note, uint32_t size)
{
    if (size == ACTION_NOTE_SIZE) {
        uint64_t index = noted_number(note, ACTION_NOTE_SIZE);
        if (index < run->scenario->actions.count) {
            kni_run_act(run, &run->scenario->actions.data[index]);
        }
    } else if (size == MOVE_NOTE_SIZE) {
        uint64_t dt = noted_number(note, 8), from = noted_number(note + 8, 8);
        if (dt <= (uint64_t)KN_TIME_MAX && from <= (uint64_t)KN_TIME_MAX) {
            run->moved_from = (kn_time)from;
            return move_bodies(run, (kn_time)dt);
        }
    }
    return run->broken;
}

// Actions and commands of a step in the order they came: both take creation numbers.
static kn_result replay_step(kn_scenario_run *run, const void *bytes, size_t size,
    const kn_recorded_step *step, kn_error *error)
{
    const kn_library *library = run->scenario->library;
    size_t note_at = 0, command_at = 0;
    uint32_t note_size;
    kn_command_data data;
    const void *note = kn_recording_next_note(bytes, size, step, &note_at, &note_size);
    bool has_command =
        kn_recording_next_command(bytes, size, step, &command_at, library, &data, error);
    kn_result result = KN_OK;
    while (result == KN_OK && (note != NULL || has_command)) {
        if (note != NULL && (!has_command || note_at < command_at)) {
            result = replay_note(run, note, note_size);
            note = kn_recording_next_note(bytes, size, step, &note_at, &note_size);
        } else {
            result = kn_world_command(run->world, &data.command, error);
            has_command =
                kn_recording_next_command(bytes, size, step, &command_at, library, &data, error);
        }
    }
    return result == KN_OK ? kn_world_step(run->world, step->dt) : result;
}

static kn_result replay_steps(
    kn_scenario_run *run, const void *bytes, size_t size, kn_replay_report *report, kn_error *error)
{
    size_t at = 0;
    kn_recorded_step step;
    while (!report->diverged && kn_recording_next(bytes, size, &at, &step, error)) {
        kn_result result = replay_step(run, bytes, size, &step, error);
        if (result != KN_OK) {
            return result;
        }
        uint64_t found = kn_world_hash(run->world);
        report->commands += step.commands;
        report->notes += step.notes;
        if (found != step.hash) {
            report->diverged = true;
            report->diverged_step = report->steps;
            report->expected = step.hash;
            report->found = found;
        }
        report->steps++;
    }
    return KN_OK;
}

kn_result kn_scenario_run_replay(
    kn_scenario_run *run, const void *bytes, size_t size, kn_replay_report *report, kn_error *error)
{
    bool quiet = run->quiet;
    *report = (kn_replay_report){0};
    if (run->sessions != NULL) {
        return kn_error_set(
            error, KN_ERROR_INVALID_ARGUMENT, "a scenario with machines has no recordings");
    }
    run->quiet = true;
    kn_result result = kn_recording_restore(run->world, bytes, size, error);
    if (result == KN_OK) {
        result = replay_steps(run, bytes, size, report, error);
    }
    run->quiet = quiet;
    run->now = kn_world_now(run->world);
    run->is_finished = true;
    return result;
}
