// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Each direction between two peers has a random stream of its own, and each datagram draws the same
// number of random numbers, whatever happens to it: another probability of loss does not change
// which datagrams are doubled. What is on its way waits in a heap for each receiver, by time of
// arrival and then by number.

#include "knack/net_sim.h"

#include "knack/tools.h"

#include <string.h>

#define SIM_SPAN_MAX KN_S(3600)
#define SIM_HEAP_FIRST 16
#define SIM_OVERHEAD 64 // of a datagram against the limit of bytes

// PCG32, as worlds have it.
typedef struct sim_random {
    uint64_t state;
    uint64_t increment; // odd
} sim_random;

typedef struct sim_way {
    kn_net_conditions conditions;
    kn_net_sim_counts counts;
    sim_random random;
    kn_time free_at;      // when the last byte that waits has been carried
    kn_time last_arrival; // of those that keep their order
    bool is_burst;
} sim_way;

typedef struct sim_datagram {
    kn_time arrival;
    uint64_t number; // ties arrive in the order they were sent
    uint32_t from, size;
    uint8_t *bytes;
} sim_datagram;

typedef struct sim_peer {
    sim_datagram *heap;
    uint32_t count, capacity;
} sim_peer;

struct kn_net_sim {
    kn_hooks hooks;
    uint32_t peer_count;
    size_t byte_limit, bytes;
    uint64_t number;
    kn_time now;
    sim_peer *peers;
    sim_way *ways; // from * peer_count + to
};

// Chance ----------------------------------------------------------------------

static uint32_t random_u32(sim_random *random)
{
    uint64_t old = random->state;
    random->state = old * 6364136223846793005u + random->increment;
    uint32_t mixed = (uint32_t)((old >> 18 ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return mixed >> turn | mixed << (-turn & 31);
}

static void random_seed(sim_random *random, uint64_t seed, uint64_t stream)
{
    random->state = 0;
    random->increment = stream << 1 | 1;
    (void)random_u32(random);
    random->state += seed;
    (void)random_u32(random);
}

static bool random_happens(sim_random *random, float probability)
{
    return (float)(random_u32(random) >> 8) * 0x1p-24f < probability;
}

// 0 to `span`, both included. The span is at most an hour, so that the product fits.
static kn_time random_span(sim_random *random, kn_time span)
{
    return (kn_time)((uint64_t)random_u32(random) * ((uint64_t)span + 1) >> 32);
}

// Conditions ------------------------------------------------------------------

static const struct {
    const char *name;
    kn_net_conditions conditions;
} sim_presets[] = {
    {"perfect", {0}},
    {"lan", {.latency = KN_US(300), .jitter = KN_US(200), .loss = 0.0001f}},
    {"wifi", {.latency = KN_MS(15),
                 .jitter = KN_MS(8),
                 .loss = 0.005f,
                 .burst_enter = 0.002f,
                 .burst_leave = 0.3f,
                 .burst_loss = 0.8f,
                 .duplicate = 0.001f,
                 .reorder = 0.005f,
                 .reorder_delay = KN_MS(10),
                 .bytes_per_second = 2500000,
                 .queue_bytes = 250000}},
    {"mobile", {.latency = KN_MS(45),
                   .jitter = KN_MS(30),
                   .loss = 0.01f,
                   .burst_enter = 0.005f,
                   .burst_leave = 0.15f,
                   .burst_loss = 0.9f,
                   .duplicate = 0.002f,
                   .reorder = 0.02f,
                   .reorder_delay = KN_MS(30),
                   .bytes_per_second = 500000,
                   .queue_bytes = 100000}},
    {"awful", {.latency = KN_MS(120),
                  .jitter = KN_MS(80),
                  .loss = 0.1f,
                  .burst_enter = 0.02f,
                  .burst_leave = 0.1f,
                  .burst_loss = 0.9f,
                  .duplicate = 0.05f,
                  .reorder = 0.1f,
                  .reorder_delay = KN_MS(60),
                  .corrupt = 0.02f,
                  .bytes_per_second = 60000,
                  .queue_bytes = 20000}},
};

#define SIM_PRESETS (sizeof(sim_presets) / sizeof(sim_presets[0]))

kn_result kn_net_conditions_find(const char *name, kn_net_conditions *conditions)
{
    KN_ASSERT(name != NULL && conditions != NULL);
    if (conditions == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *conditions = (kn_net_conditions){0};
    if (name == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < SIM_PRESETS; i++) {
        if (strcmp(sim_presets[i].name, name) == 0) {
            *conditions = sim_presets[i].conditions;
            return KN_OK;
        }
    }
    return KN_REFUSED_NOT_FOUND;
}

const char *kn_net_conditions_name(uint32_t index)
{
    return index < SIM_PRESETS ? sim_presets[index].name : NULL;
}

static bool sim_is_share(float value)
{
    return value >= 0.0f && value <= 1.0f; // NaN is not
}

static bool sim_is_span(kn_time value)
{
    return value >= 0 && value <= SIM_SPAN_MAX;
}

static bool conditions_are_valid(const kn_net_conditions *c)
{
    return sim_is_span(c->latency) && sim_is_span(c->jitter) && sim_is_span(c->reorder_delay) &&
           sim_is_share(c->loss) && sim_is_share(c->burst_enter) && sim_is_share(c->burst_leave) &&
           sim_is_share(c->burst_loss) && sim_is_share(c->duplicate) && sim_is_share(c->reorder) &&
           sim_is_share(c->corrupt);
}

// The network -----------------------------------------------------------------

kn_net_sim_def kn_net_sim_def_default(void)
{
    return (kn_net_sim_def){
        .seed = 1, .peer_count = 2, .byte_limit = (size_t)16 << 20, .cookie = KN_COOKIE};
}

static size_t sim_ways_size(uint32_t peer_count)
{
    return (size_t)peer_count * peer_count * sizeof(sim_way);
}

kn_result kn_net_sim_create(const kn_net_sim_def *def, kn_net_sim **sim)
{
    KN_ASSERT_DEF(def, kn_net_sim_def);
    KN_ASSERT(sim != NULL);
    if (sim == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *sim = NULL;
    if (def == NULL || def->cookie != KN_COOKIE || def->peer_count == 0 ||
        def->peer_count > KN_NET_SIM_PEERS_MAX || !conditions_are_valid(&def->conditions)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_net_sim *made = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*made));
    if (made == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *made = (kn_net_sim){
        .hooks = def->hooks, .peer_count = def->peer_count, .byte_limit = def->byte_limit};
    size_t peers_size = def->peer_count * sizeof(*made->peers);
    made->peers = kn_memory_resize(&made->hooks, NULL, 0, peers_size);
    made->ways = kn_memory_resize(&made->hooks, NULL, 0, sim_ways_size(def->peer_count));
    if (made->peers == NULL || made->ways == NULL) {
        kn_memory_free(&made->hooks, made->peers, peers_size);
        kn_memory_free(&made->hooks, made->ways, sim_ways_size(def->peer_count));
        kn_memory_free(&def->hooks, made, sizeof(*made));
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(made->peers, 0, peers_size);
    for (uint32_t i = 0; i < def->peer_count * def->peer_count; i++) {
        made->ways[i] = (sim_way){.conditions = def->conditions};
        random_seed(&made->ways[i].random, def->seed, i);
    }
    *sim = made;
    return KN_OK;
}

void kn_net_sim_destroy(kn_net_sim *sim)
{
    if (sim == NULL) {
        return;
    }
    kn_hooks hooks = sim->hooks;
    for (uint32_t i = 0; i < sim->peer_count; i++) {
        sim_peer *peer = &sim->peers[i];
        for (uint32_t d = 0; d < peer->count; d++) {
            kn_memory_free(&hooks, peer->heap[d].bytes, peer->heap[d].size);
        }
        kn_memory_free(&hooks, peer->heap, peer->capacity * sizeof(*peer->heap));
    }
    kn_memory_free(&hooks, sim->peers, sim->peer_count * sizeof(*sim->peers));
    kn_memory_free(&hooks, sim->ways, sim_ways_size(sim->peer_count));
    kn_memory_free(&hooks, sim, sizeof(*sim));
}

static bool sim_has_way(const kn_net_sim *sim, uint32_t from, uint32_t to)
{
    return sim != NULL && from < sim->peer_count && to < sim->peer_count;
}

kn_result kn_net_sim_set(
    kn_net_sim *sim, uint32_t from, uint32_t to, const kn_net_conditions *conditions)
{
    bool is_valid =
        sim_has_way(sim, from, to) && conditions != NULL && conditions_are_valid(conditions);
    KN_ASSERT(is_valid);
    if (!is_valid) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    sim->ways[from * sim->peer_count + to].conditions = *conditions;
    return KN_OK;
}

kn_result kn_net_sim_set_all(kn_net_sim *sim, const kn_net_conditions *conditions)
{
    bool is_valid = sim != NULL && conditions != NULL && conditions_are_valid(conditions);
    KN_ASSERT(is_valid);
    if (!is_valid) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < sim->peer_count * sim->peer_count; i++) {
        sim->ways[i].conditions = *conditions;
    }
    return KN_OK;
}

kn_net_conditions kn_net_sim_conditions(const kn_net_sim *sim, uint32_t from, uint32_t to)
{
    return sim_has_way(sim, from, to) ? sim->ways[from * sim->peer_count + to].conditions
                                      : (kn_net_conditions){0};
}

kn_net_sim_counts kn_net_sim_count(const kn_net_sim *sim, uint32_t from, uint32_t to)
{
    return sim_has_way(sim, from, to) ? sim->ways[from * sim->peer_count + to].counts
                                      : (kn_net_sim_counts){0};
}

// The heap --------------------------------------------------------------------

static bool heap_is_before(const sim_datagram *a, const sim_datagram *b)
{
    return a->arrival != b->arrival ? a->arrival < b->arrival : a->number < b->number;
}

static void heap_push(sim_peer *peer, const sim_datagram *datagram)
{
    uint32_t at = peer->count++;
    while (at > 0 && heap_is_before(datagram, &peer->heap[(at - 1) / 2])) {
        peer->heap[at] = peer->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    peer->heap[at] = *datagram;
}

static void heap_pop(sim_peer *peer)
{
    const sim_datagram last = peer->heap[--peer->count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= peer->count) {
            break;
        }
        if (child + 1 < peer->count && heap_is_before(&peer->heap[child + 1], &peer->heap[child])) {
            child++;
        }
        if (!heap_is_before(&peer->heap[child], &last)) {
            break;
        }
        peer->heap[at] = peer->heap[child];
        at = child;
    }
    peer->heap[at] = last;
}

// Sending ---------------------------------------------------------------------

// What becomes of one datagram.
typedef struct sim_fate {
    bool is_lost, is_doubled, is_late, is_corrupted;
    kn_time jitter, copy_jitter;
    uint32_t corruption; // seeds which bits change
} sim_fate;

static sim_fate way_draw(sim_way *way)
{
    const kn_net_conditions *c = &way->conditions;
    bool enters = random_happens(&way->random, c->burst_enter);
    bool leaves = random_happens(&way->random, c->burst_leave);
    way->is_burst = way->is_burst ? !leaves : enters;
    sim_fate fate = {
        .is_lost = random_happens(&way->random, way->is_burst ? c->burst_loss : c->loss)};
    fate.is_doubled = random_happens(&way->random, c->duplicate);
    fate.is_late = random_happens(&way->random, c->reorder);
    fate.is_corrupted = random_happens(&way->random, c->corrupt);
    fate.jitter = random_span(&way->random, c->jitter);
    fate.copy_jitter = random_span(&way->random, c->jitter);
    fate.corruption = random_u32(&way->random);
    return fate;
}

// Lets a datagram wait for its turn. False if there is no room for it to wait.
static bool way_queue(sim_way *way, kn_time now, size_t size, kn_time *departure)
{
    const kn_net_conditions *c = &way->conditions;
    *departure = now;
    if (c->bytes_per_second == 0) {
        return true;
    }
    kn_time begin = way->free_at > now ? way->free_at : now;
    // A time that waits is a number of bytes that wait; a limit that was lowered may be exceeded.
    uint64_t waiting = (uint64_t)(begin - now) / 1000000 * c->bytes_per_second +
                       (uint64_t)(begin - now) % 1000000 * c->bytes_per_second / 1000000;
    if (c->queue_bytes != 0 && waiting + size > c->queue_bytes) {
        return false;
    }
    way->free_at = begin + (kn_time)((uint64_t)size * 1000000 / c->bytes_per_second);
    *departure = way->free_at;
    return true;
}

// Flips one to four bits.
static void sim_corrupt(sim_datagram *datagram, uint32_t seed)
{
    sim_random random;
    random_seed(&random, seed, 1);
    for (uint32_t left = 1 + random_u32(&random) % 4; left > 0; left--) {
        uint32_t bit = random_u32(&random) % (datagram->size * 8);
        datagram->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

// Makes room for `count` datagrams at a peer and copies the bytes for each.
static bool sim_reserve(
    kn_net_sim *sim, sim_peer *peer, uint32_t count, const void *bytes, size_t size, uint8_t **made)
{
    uint32_t wanted = peer->count + count;
    wanted = wanted < SIM_HEAP_FIRST ? SIM_HEAP_FIRST : wanted;
    if (!kn_memory_grow(&sim->hooks, &peer->heap, &peer->capacity, wanted, sizeof(*peer->heap))) {
        return false;
    }
    made[0] = made[1] = NULL;
    for (uint32_t i = 0; size > 0 && i < count; i++) {
        made[i] = kn_memory_resize(&sim->hooks, NULL, 0, size);
        if (made[i] == NULL) {
            kn_memory_free(&sim->hooks, made[0], size);
            return false;
        }
        memcpy(made[i], bytes, size);
    }
    return true;
}

// Takes what it needs of memory first, and then draws: without memory nothing has happened.
static kn_result sim_carry(kn_net_sim *sim, sim_way *way, kn_time now, uint32_t from, uint32_t to,
    const void *bytes, size_t size)
{
    sim_way before = *way;
    sim_fate fate = way_draw(way);
    kn_time departure;
    bool has_turn = !fate.is_lost && way_queue(way, now, size, &departure);
    uint32_t count = fate.is_doubled ? 2 : 1;
    bool has_room = sim->byte_limit - sim->bytes >= count * (size + SIM_OVERHEAD);
    way->counts.sent++;
    way->counts.sent_bytes += size;
    if (!has_turn || !has_room) {
        way->counts.lost += fate.is_lost;
        way->counts.overflowed += !fate.is_lost;
        return KN_OK;
    }
    uint8_t *copies[2];
    sim_peer *peer = &sim->peers[to];
    if (!sim_reserve(sim, peer, count, bytes, size, copies)) {
        *way = before;
        return KN_ERROR_OUT_OF_MEMORY;
    }
    way->counts.duplicated += fate.is_doubled;
    way->counts.reordered += fate.is_late;
    way->counts.corrupted += fate.is_corrupted && size > 0;
    for (uint32_t i = 0; i < count; i++) {
        kn_time arrival =
            departure + way->conditions.latency + (i == 0 ? fate.jitter : fate.copy_jitter);
        if (fate.is_late) {
            arrival += way->conditions.reorder_delay;
        } else {
            arrival = arrival < way->last_arrival ? way->last_arrival : arrival;
            way->last_arrival = i == 0 ? arrival : way->last_arrival;
        }
        sim_datagram datagram = {arrival, sim->number++, from, (uint32_t)size, copies[i]};
        if (fate.is_corrupted && size > 0) {
            sim_corrupt(&datagram, fate.corruption);
        }
        heap_push(peer, &datagram);
        sim->bytes += size + SIM_OVERHEAD;
    }
    return KN_OK;
}

// Moves the time forward. False if it would go back.
static bool sim_advance(kn_net_sim *sim, kn_time now)
{
    if (now < sim->now || now > KN_TIME_MAX) {
        return false;
    }
    sim->now = now;
    return true;
}

kn_result kn_net_sim_send(
    kn_net_sim *sim, kn_time now, uint32_t from, uint32_t to, const void *bytes, size_t size)
{
    bool is_valid = sim_has_way(sim, from, to) && size <= KN_NET_SIM_DATAGRAM_MAX &&
                    (bytes != NULL || size == 0) && sim_advance(sim, now);
    KN_ASSERT(is_valid);
    if (!is_valid) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return sim_carry(sim, &sim->ways[from * sim->peer_count + to], now, from, to, bytes, size);
}

kn_result kn_net_sim_receive(kn_net_sim *sim, kn_time now, uint32_t to, uint32_t *from,
    void *buffer, size_t capacity, size_t *size)
{
    bool is_valid = sim_has_way(sim, to, to) && size != NULL && (buffer != NULL || capacity == 0) &&
                    sim_advance(sim, now);
    KN_ASSERT(is_valid);
    if (from != NULL) {
        *from = 0;
    }
    if (size != NULL) {
        *size = 0;
    }
    if (!is_valid) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    sim_peer *peer = &sim->peers[to];
    if (peer->count == 0 || peer->heap[0].arrival > now) {
        return KN_REFUSED_NOT_FOUND;
    }
    sim_datagram first = peer->heap[0];
    *size = first.size;
    if (first.size > capacity) {
        return KN_ERROR_BUFFER_TOO_SMALL;
    }
    heap_pop(peer);
    if (first.size > 0) {
        memcpy(buffer, first.bytes, first.size);
    }
    if (from != NULL) {
        *from = first.from;
    }
    sim->bytes -= first.size + SIM_OVERHEAD;
    sim->ways[first.from * sim->peer_count + to].counts.received++;
    kn_memory_free(&sim->hooks, first.bytes, first.size);
    return KN_OK;
}

kn_time kn_net_sim_next_arrival(const kn_net_sim *sim, uint32_t to)
{
    return sim_has_way(sim, to, to) && sim->peers[to].count > 0 ? sim->peers[to].heap[0].arrival
                                                                : KN_TIME_INFINITE;
}
