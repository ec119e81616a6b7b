// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Keeping the past of bodies, in two passes over those that may have changed, both by slot: first
// bodies that differ from their latest sample, then those that are gone or rest. What is written
// depends on the state of the world alone, whether the list of changes was there or not.

#include "extra/history.h"

#include "knack/def.h"

#include <string.h>

#define HISTORY_KEEP_MAX KN_MS(10000)
#define BODY_ABSENT (-1.0f) // the radius of a body that is not there

// Rings ---------------------------------------------------------------------

bool kni_ring_read(const kn_history *history, kn_entity_id id, kni_history_ring *ring)
{
    uint32_t length = 0;
    const void *items = NULL;
    ring->head = id.index1 != 0 ? kn_component_read_whole(
                                      history->world, history->past_type, id, &items, &length)
                                : NULL;
    if (ring->head == NULL) { // the null id would name the world's own component
        return false;
    }
    ring->items = items;
    ring->mask = length - 1;
    // A save may hold anything that its field table allows.
    return length > 0 && (length & ring->mask) == 0 && ring->head->count >= 1 &&
           ring->head->count <= length && ring->head->first < length;
}

static float value_between(float from, float to, float part)
{
    return from + (to - from) * part;
}

static kn_vec3 vector_between(kn_vec3 from, kn_vec3 to, float part)
{
    kn_vec3 out = {value_between(from.x, to.x, part), value_between(from.y, to.y, part),
        value_between(from.z, to.z, part)};
    return out;
}

static void body_move(kn_body *body, const kn_body *to, kn_time passed, kn_time whole)
{
    float part = (float)((double)passed / (double)whole);
    body->position = vector_between(body->position, to->position, part);
    body->facing = vector_between(body->facing, to->facing, part);
}

// The body at a time. False if there was none.
static bool ring_body(const kni_history_ring *ring, kn_time time, kn_body *body)
{
    uint32_t count = ring->head->count, known = count;
    while (known > 0 && kni_ring_at(ring, known - 1)->at > time) {
        known--;
    }
    if (known == 0 && ring->head->is_cut == 0) {
        return false;
    }
    const kni_history_sample *sample = kni_ring_at(ring, known > 0 ? known - 1 : 0);
    *body = sample->body;
    if (known > 0 && known < count) {
        const kni_history_sample *next = kni_ring_at(ring, known);
        if (next->from < time && !kni_sample_is_absent(next) && !kni_sample_is_absent(sample)) {
            body_move(body, &next->body, time - next->from, next->at - next->from);
        }
    }
    return !kni_sample_is_absent(sample);
}

// Keeping -------------------------------------------------------------------

// One step.
typedef struct keep_run {
    kn_history *history;
    kn_world *world;
    kn_time now, last, edge;
    bool failed;
} keep_run;

// Twice the room: what is before the first sample stays, the rest goes to the end.
static kni_history_sample *ring_grow(
    keep_run *run, kn_entity_id id, kni_history_past *past, uint32_t length)
{
    kn_component_type_id type = run->history->past_type;
    kni_history_sample *items = kn_component_resize(run->world, type, id, length * 2);
    if (items == NULL) {
        run->failed = true;
        return NULL;
    }
    if (past->first > 0) {
        memmove(items + length + past->first, items + past->first,
            (length - past->first) * sizeof(*items));
        memset(items + past->first, 0, (length - past->first) * sizeof(*items));
        past->first += length;
    }
    return items;
}

static void ring_push(keep_run *run, kn_entity_id id, const kn_body *body)
{
    kn_component_type_id type = run->history->past_type;
    kni_history_past *past = kn_component_get(run->world, type, id);
    uint32_t length = 0;
    kni_history_sample *items = kn_component_items(run->world, type, id, &length);
    while (past->count > 1 && items[(past->first + 1) & (length - 1)].at <= run->edge) {
        past->first = (past->first + 1) & (length - 1);
        past->count--;
        past->is_cut = 0;
    }
    if (past->count == length && length < KN_HISTORY_SAMPLES_MAX) {
        items = ring_grow(run, id, past, length);
        length *= 2;
        if (items == NULL) {
            return;
        }
    } else if (past->count == length) {
        past->first = (past->first + 1) & (length - 1);
        past->count--;
        past->is_cut = 1;
    }
    items[(past->first + past->count) & (length - 1)] =
        (kni_history_sample){run->last, run->now, *body};
    past->count++;
}

static void ring_begin(keep_run *run, kn_entity_id id, const kn_body *body)
{
    kn_component_type_id type = run->history->past_type;
    kni_history_past *past = kn_component_add(run->world, type, id);
    kni_history_sample *items = past != NULL ? kn_component_resize(run->world, type, id, 1) : NULL;
    run->failed = run->failed || items == NULL;
    if (items != NULL) {
        *items = (kni_history_sample){run->now, run->now, *body};
        past = kn_component_get(run->world, type, id);
        *past = (kni_history_past){.count = 1};
    }
}

// Bit by bit: whether something is kept must not depend on how often it is compared, and a
// component that was written directly may have any numbers.
static bool body_is_same(const kn_body *a, const kn_body *b)
{
    uint32_t bits[2][sizeof(kn_body) / 4];
    _Static_assert(sizeof(bits[0]) == sizeof(kn_body), "a body is all fields");
    memcpy(bits[0], a, sizeof(bits[0]));
    memcpy(bits[1], b, sizeof(bits[1]));
    return memcmp(bits[0], bits[1], sizeof(bits[0])) == 0;
}

// A body that is there, or not any more, as a sample.
static void body_keep(keep_run *run, kn_entity_id id, const kn_body *body)
{
    kni_history_ring ring;
    bool has_ring = kni_ring_read(run->history, id, &ring);
    kn_body now = {.radius = BODY_ABSENT};
    if (body != NULL && kni_body_is_good(body)) {
        now = *body;
    }
    if (!has_ring) {
        if (now.radius < 0.0f) {
            return;
        }
        ring_begin(run, id, &now);
    } else {
        const kni_history_sample *latest = kni_ring_at(&ring, ring.head->count - 1);
        if (body_is_same(&latest->body, &now)) {
            return;
        }
        if (latest->at == run->now) { // a step without length
            uint32_t place = (ring.head->first + ring.head->count - 1) & ring.mask;
            kni_history_sample *items =
                kn_component_items(run->world, run->history->past_type, id, NULL);
            items[place].body = now;
            run->history->is_indexed = false; // the way there is another now
        } else {
            ring_push(run, id, &now);
        }
    }
    if (kni_ring_read(run->history, id, &ring)) {
        kni_history_note(run->history, id, &ring);
    }
}

// A body that has not changed for long needs one sample, and one that is gone for long none.
static void body_rest(keep_run *run, kn_entity_id id)
{
    kn_component_type_id type = run->history->past_type;
    kni_history_ring ring;
    if (!kni_ring_read(run->history, id, &ring)) {
        kni_history_rests(run->history, id);
        return;
    }
    const kni_history_sample *latest = kni_ring_at(&ring, ring.head->count - 1);
    if (latest->at > run->edge) {
        return;
    }
    if (kni_sample_is_absent(latest)) {
        (void)kn_component_remove(run->world, type, id);
    } else if (ring.head->count > 1 || ring.mask > 0) {
        kni_history_sample sample = *latest;
        kni_history_sample *items = kn_component_resize(run->world, type, id, 1);
        kni_history_past *past = kn_component_get(run->world, type, id);
        *items = sample;
        *past = (kni_history_past){.count = 1};
    }
    kni_history_rests(run->history, id);
}

static void body_end(keep_run *run, kn_entity_id id)
{
    if (kn_component_read(run->world, run->history->grid->type, id) == NULL) {
        body_keep(run, id, NULL);
    }
    body_rest(run, id);
}

// Looks at the bodies that are listed.
static void keep_listed(keep_run *run)
{
    kn_history *history = run->history;
    for (uint32_t word = 0; word < history->words; word++) {
        for (uint64_t bits = history->changed[word]; bits != 0; bits &= bits - 1) {
            kn_entity_id id = history->slots[word * 64 + kni_lanes_lowest(bits)].id;
            const kn_body *body = kn_component_read(run->world, history->grid->type, id);
            if (body != NULL) {
                body_keep(run, id, body);
            }
        }
    }
    for (uint32_t word = 0; word < history->words; word++) {
        uint64_t bits = history->changed[word] | history->moving[word];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t slot = word * 64 + kni_lanes_lowest(bits);
            bool is_changed = (history->changed[word] >> (slot & 63) & 1) != 0;
            if (is_changed || history->slots[slot].at <= run->edge) {
                body_end(run, history->slots[slot].id);
            }
        }
        history->changed[word] = 0;
    }
}

static void keep_all(keep_run *run)
{
    kn_component_type_id type = run->history->grid->type;
    kn_entity_id id = {0};
    while ((id = kn_component_next(run->world, type, id)).index1 != 0) {
        const kn_body *body = kn_component_read(run->world, type, id);
        if (body != NULL) {
            body_keep(run, id, body);
        }
    }
    while ((id = kni_history_next(run->history, id)).index1 != 0) {
        body_end(run, id);
    }
    kn_component_follow(run->world, type);
}

// The times of the history. A world that was loaded may have none.
static kni_history_clock *clock_get(kn_world *world, kn_component_type_id type, kn_time keep)
{
    kn_entity_id whole = {0};
    kn_time now = kn_world_now(world);
    bool is_new = kn_component_read(world, type, whole) == NULL;
    kni_history_clock *clock = kn_component_add(world, type, whole);
    if (clock != NULL && is_new) {
        *clock = (kni_history_clock){now, keep, now};
    }
    if (clock != NULL && clock->keep != keep) {
        kn_time known = now - clock->keep;
        clock->since = clock->since > known ? clock->since : known;
        clock->keep = keep;
    }
    return clock;
}

// Keeps what changed since the last time. False if the world ran out of memory.
static bool bodies_keep(kn_history *history)
{
    kn_world *world = history->world;
    kni_history_clock *clock = clock_get(world, history->clock_type, history->keep);
    if (clock == NULL) {
        return false;
    }
    keep_run run = {history, world, kn_world_now(world), clock->last, 0, false};
    run.edge = run.now - history->keep;
    clock->last = run.now;
    kni_history_index(history);
    kni_history_expire(history, run.edge);
    if (kni_history_collect(history)) {
        keep_listed(&run);
    } else {
        keep_all(&run);
    }
    history->seen = kni_grid_changes(history->grid);
    history->past_seen = kn_component_change_count(world, history->past_type);
    return !run.failed;
}

static void history_keep(void *user, kn_world *world)
{
    kn_history *history = ((kn_grid *)user)->history;
    KN_ASSERT(world == history->world && "a grid serves one world");
    if (world == history->world) {
        (void)bodies_keep(history); // in a step, running out of memory breaks the world
    }
}

// Showing -------------------------------------------------------------------

kn_entity_id kni_history_next(const kn_history *history, kn_entity_id id)
{
    return kn_component_next(history->world, history->past_type, id);
}

kn_time kn_history_begin(const kn_history *history)
{
    if (history == NULL) {
        KN_ASSERT(history != NULL);
        return 0;
    }
    if (history->source != NULL) {
        return 0;
    }
    const kni_history_clock *clock =
        kn_component_read(history->world, history->clock_type, (kn_entity_id){0});
    kn_time now = kn_world_now(history->world), edge = now - history->keep;
    kn_time since = clock != NULL ? clock->since : now;
    return since > edge ? since : edge;
}

// When samples were taken last.
static kn_time clock_last(const kn_history *history)
{
    const kni_history_clock *clock =
        kn_component_read(history->world, history->clock_type, (kn_entity_id){0});
    return clock != NULL ? clock->last : kn_world_now(history->world);
}

static bool time_is_past(const kn_history *history, kn_time *time)
{
    kn_time begin = kn_history_begin(history);
    *time = *time > begin ? *time : begin;
    return *time < kn_world_now(history->world);
}

// Where a body was. After a history was missing for a while, the present follows the last sample.
static bool body_at(
    const kn_history *history, kn_entity_id id, kn_time time, kn_time last, kn_body *body)
{
    kni_history_ring ring;
    if (history->source != NULL) {
        return kn_entity_is_alive(history->world, id) &&
               history->source(history->user, history->world, id, time, body) &&
               kni_body_is_good(body);
    }
    if (!kni_ring_read(history, id, &ring) || !ring_body(&ring, time, body)) {
        return false;
    }
    kn_body present;
    if (time > last && kn_grid_get_body(history->grid, id, &present) &&
        kni_body_is_good(&present)) {
        body_move(body, &present, time - last, kn_world_now(history->world) - last);
    }
    return true;
}

bool kn_history_body(const kn_history *history, kn_entity_id entity, kn_time time, kn_body *body)
{
    if (history == NULL || body == NULL) {
        KN_ASSERT(history != NULL && body != NULL);
        return false;
    }
    bool is_there = time_is_past(history, &time)
                        ? body_at(history, entity, time, clock_last(history), body)
                        : kn_grid_get_body(history->grid, entity, body);
    if (!is_there) {
        *body = (kn_body){0};
    }
    return is_there;
}

// Whether the player who is to see the past controls an entity, or whose body it is.
static bool is_own(const kn_history *history, kn_entity_id id)
{
    const kn_world *world = history->world;
    return history->connection != 0 &&
           (kn_entity_connection(world, id) == history->connection ||
               kn_entity_connection(world, kn_entity_actor(world, id)) == history->connection);
}

// Whether a body is on none of the layers that are shown in the past.
static bool is_fixed(const kn_history *history, kn_entity_id id)
{
    kn_body body;
    return history->layers != UINT32_MAX && kn_grid_get_body(history->grid, id, &body) &&
           (body.layers & history->layers) == 0;
}

// Whether a body is still where it was at the time that is shown: most bodies rest.
static bool is_resting(const kn_history *history, kn_entity_id id)
{
    uint32_t slot = id.index1 - 1;
    return history->is_quick && slot < history->slot_capacity &&
           kn_entity_id_equal(history->slots[slot].id, id) && history->slots[slot].at != 0 &&
           history->slots[slot].at <= history->time && history->time <= history->last &&
           history->seen == kni_grid_changes(history->grid);
}

bool kni_history_shows(const kn_history *history, kn_entity_id id, kn_body *body)
{
    if (is_resting(history, id)) {
        return kn_grid_get_body(history->grid, id, body) && kni_body_is_good(body);
    }
    if (is_own(history, id) || is_fixed(history, id)) {
        return kn_grid_get_body(history->grid, id, body) && kni_body_is_good(body);
    }
    return body_at(history, id, history->time, history->last, body);
}

static void history_rewind(void *user, const kn_world *world, kn_time view, uint32_t connection)
{
    kn_history *history = ((kn_grid *)user)->history;
    if (world != history->world || history->grid->past != NULL || !time_is_past(history, &view)) {
        return;
    }
    if (history->source == NULL) {
        kni_history_index(history);
    }
    history->time = view;
    history->last = clock_last(history);
    history->connection = connection;
    history->reach = 0.0f;
    for (uint32_t i = history->step_count; i > 0 && history->steps[i - 1].at > view; i--) {
        history->reach += history->steps[i - 1].size;
    }
    history->reach *= 1.0001f;
    history->is_quick = history->is_indexed;
    history->grid->past = history;
}

static void history_resume(void *user, const kn_world *world)
{
    kn_grid *grid = user;
    (void)world;
    grid->past = NULL;
}

bool kn_history_rewind(kn_history *history, kn_time time, uint32_t connection)
{
    if (history == NULL) {
        KN_ASSERT(history != NULL);
        return false;
    }
    if (history->grid->past != NULL) {
        return false;
    }
    history_rewind(history->grid, history->world, time, connection);
    return true;
}

void kn_history_resume(kn_history *history)
{
    if (history == NULL) {
        KN_ASSERT(history != NULL);
        return;
    }
    history_resume(history->grid, history->world);
}

kn_history_stats kn_history_get_stats(const kn_history *history)
{
    kn_history_stats stats = {0};
    kn_entity_id id = {0};
    kni_history_ring ring;
    while (history != NULL && (id = kni_history_next(history, id)).index1 != 0) {
        if (kni_ring_read(history, id, &ring)) {
            stats.bodies++;
            stats.moving += ring.head->count > 1;
            stats.samples += ring.head->count;
            stats.bytes += sizeof(*ring.head) + (ring.mask + 1) * sizeof(*ring.items);
        }
    }
    return stats;
}

// Types, creation -----------------------------------------------------------

#define HIDDEN(name_, kind_, offset_)                                                              \
    {                                                                                              \
        .name = (name_), .kind = (kind_), .offset = (uint32_t)(offset_), .count = 1,               \
        .sync = KN_SYNC_NONE                                                                       \
    }
#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(*(array)))

static kn_result clock_register(kn_library *library, kn_error *error)
{
    const kn_field fields[] = {
        HIDDEN("since", KN_FIELD_TIME, offsetof(kni_history_clock, since)),
        HIDDEN("keep", KN_FIELD_TIME, offsetof(kni_history_clock, keep)),
        HIDDEN("last", KN_FIELD_TIME, offsetof(kni_history_clock, last)),
    };
    kn_component_def def = kn_component_def_default();
    def.name = KN_HISTORY_NAME;
    def.size = sizeof(kni_history_clock);
    def.fields = fields;
    def.field_count = COUNT(fields);
    kn_component_type_id type;
    return kn_component_register(library, &def, &type, error);
}

static kn_result past_register(kn_library *library, kn_error *error)
{
    const kn_field fields[] = {
        HIDDEN("first", KN_FIELD_U32, offsetof(kni_history_past, first)),
        HIDDEN("count", KN_FIELD_U32, offsetof(kni_history_past, count)),
        HIDDEN("is_cut", KN_FIELD_U32, offsetof(kni_history_past, is_cut)),
        HIDDEN("unused", KN_FIELD_U32, offsetof(kni_history_past, unused)),
    };
    const kn_field items[] = {
        HIDDEN("from", KN_FIELD_TIME, offsetof(kni_history_sample, from)),
        HIDDEN("at", KN_FIELD_TIME, offsetof(kni_history_sample, at)),
        HIDDEN("position", KN_FIELD_VEC3, offsetof(kni_history_sample, body.position)),
        HIDDEN("radius", KN_FIELD_F32, offsetof(kni_history_sample, body.radius)),
        HIDDEN("facing", KN_FIELD_VEC3, offsetof(kni_history_sample, body.facing)),
        HIDDEN("layers", KN_FIELD_U32, offsetof(kni_history_sample, body.layers)),
    };
    kn_component_def def = kn_component_def_default();
    def.name = KN_HISTORY_PAST_NAME;
    def.size = sizeof(kni_history_past);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(kni_history_sample);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    kn_component_type_id type;
    return kn_component_register(library, &def, &type, error);
}

kn_result kn_history_register(kn_library *library, kn_error *error)
{
    if (library == NULL) {
        KN_ASSERT(library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kn_def_find(library, KN_DEF_COMPONENT, KN_HISTORY_NAME) == 0
                           ? clock_register(library, error)
                           : KN_OK;
    if (result == KN_OK && kn_def_find(library, KN_DEF_COMPONENT, KN_HISTORY_PAST_NAME) == 0) {
        result = past_register(library, error);
    }
    return result;
}

kn_history_def kn_history_def_default(void)
{
    kn_history_def def = {.keep = KN_MS(500), .layers = UINT32_MAX, .cookie = KN_COOKIE};
    return def;
}

static bool history_def_is_good(const kn_history_def *def)
{
    return def != NULL && def->cookie == KN_COOKIE && def->grid != NULL && def->keep > 0 &&
           def->keep <= HISTORY_KEEP_MAX && def->grid->history == NULL;
}

// The first samples. A world that has a past already keeps it as it is. False without memory.
static bool history_begin(kn_history *history)
{
    kn_world *world = history->world;
    bool is_new = kn_component_read(world, history->clock_type, (kn_entity_id){0}) == NULL;
    return clock_get(world, history->clock_type, history->keep) != NULL &&
           (!is_new || bodies_keep(history));
}

static kn_result history_make(const kn_history_def *def, kn_component_type_id clock_type,
    kn_component_type_id past_type, kn_history **out)
{
    kn_world *world = def->grid->world;
    kn_history *history = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*history));
    if (history == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *history = (kn_history){.hooks = def->hooks,
        .grid = def->grid,
        .world = world,
        .clock_type = clock_type,
        .past_type = past_type,
        .keep = def->keep,
        .layers = def->layers,
        .source = def->source,
        .user = def->user,
        .seen = UINT64_MAX};
    if (def->source == NULL && !history_begin(history)) {
        kni_history_index_free(history);
        kn_memory_free(&def->hooks, history, sizeof(*history));
        return kn_world_is_broken(world) ? KN_ERROR_WORLD_BROKEN : KN_ERROR_OUT_OF_MEMORY;
    }
    kn_space *space = &def->grid->space;
    space->keep = def->source == NULL ? history_keep : NULL;
    space->rewind = history_rewind;
    space->resume = history_resume;
    def->grid->history = history;
    *out = history;
    return KN_OK;
}

kn_result kn_history_create(const kn_history_def *def, kn_history **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    kn_component_type_id clock_type = {0}, past_type = {0};
    if (history_def_is_good(def)) {
        const kn_library *library = kn_world_library(def->grid->world);
        clock_type.index1 = kn_def_find(library, KN_DEF_COMPONENT, KN_HISTORY_NAME);
        past_type.index1 = kn_def_find(library, KN_DEF_COMPONENT, KN_HISTORY_PAST_NAME);
    }
    bool is_good = history_def_is_good(def) &&
                   (def->source != NULL || (clock_type.index1 != 0 && past_type.index1 != 0));
    if (out == NULL || !is_good) {
        KN_ASSERT(out != NULL && is_good);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return history_make(def, clock_type, past_type, out);
}

void kn_history_destroy(kn_history *history)
{
    if (history == NULL) {
        return;
    }
    kn_grid *grid = history->grid;
    if (grid != NULL) {
        grid->past = NULL;
        grid->history = NULL;
        grid->space.keep = NULL;
        grid->space.rewind = NULL;
        grid->space.resume = NULL;
    }
    kn_hooks hooks = history->hooks;
    kni_history_index_free(history);
    kn_memory_free(&hooks, history, sizeof(*history));
}
