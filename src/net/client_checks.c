// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Checksums of entities: whether this client, which computes most things itself, has what the
// server has. What differs is asked for again.

#include "client.h"

#define MISMATCHES_MAX 6 // of one entity, up to which the wait for the next gets longer

void kni_check_read(
    kn_client *client, kn_reader *in, uint64_t tick, uint32_t index, uint64_t since_base)
{
    uint32_t sum = kn_read_u32(in);
    in->failed = in->failed || since_base > tick;
    if (in->failed || client->world == NULL || tick <= client->confirmed) {
        return; // the world has gone on
    }
    if (client->check_count == CLIENT_CHECKS) { // the oldest goes
        client->check_count--;
        memmove(
            client->checks, client->checks + 1, client->check_count * sizeof(client->checks[0]));
    }
    client->checks[client->check_count++] = (client_check){tick, tick - since_base, index, sum};
}

uint64_t kni_checks_next(const kn_client *client, uint64_t tick)
{
    for (uint32_t i = 0; i < client->check_count; i++) {
        uint64_t at = client->checks[i].tick;
        tick = at > client->confirmed && at < tick ? at : tick;
    }
    return tick;
}

// The checksum of an entity in the world, seen as in what the server sent. False when out of
// memory.
static bool check_sum(kn_client *client, const client_blob *blob, kn_entity_id id, uint32_t *sum)
{
    kn_projection_filter filter;
    size_t size = 0;
    if (!kn_projection_filter_of(blob->bytes, blob->size, &filter)) {
        return false;
    }
    filter.empty_parts = 0; // the server sends that only once
    kn_result result = kn_projection_take(
        client->world, &id, 1, &filter, client->take, client->take_capacity, &size);
    if (size > client->take_capacity) {
        if (!kn_memory_grow(
                &client->def.hooks, &client->take, &client->take_capacity, (uint32_t)size, 1)) {
            return false;
        }
        result = kn_projection_take(
            client->world, &id, 1, &filter, client->take, client->take_capacity, &size);
    }
    *sum = result == KN_OK ? kni_checksum(client->take, size) : 0;
    return result == KN_OK;
}

// Asks for the difference from what came last; if that did not help, for the whole.
static void check_failed(kn_client *client, client_entity *entity, uint32_t index, kn_entity_id id)
{
    client->stats.mismatches++;
    client->stats.mismatched = id;
    kni_client_resync(client, index, client->confirmed, entity->mismatches > 0);
    entity->asked_at = client->confirmed;
    entity->mismatches += entity->mismatches < MISMATCHES_MAX;
}

static void check_run(kn_client *client, const client_check *check)
{
    const client_blob *blob = kni_client_blob(client, check->index, check->base);
    if (blob == NULL || client->entities[check->index].applied != check->base) {
        return; // it has not got what the server means, or not in time
    }
    client_entity *entity = &client->entities[check->index];
    bool has_come = check->base > entity->asked_at;
    uint64_t wait = has_come && entity->mismatches < 2 ? 0 : client->rate << entity->mismatches;
    if (entity->mismatches > 0 && check->tick < entity->asked_at + wait) {
        return; // it is asked for, or that does not help
    }
    kn_entity_id id = kni_client_entity_id(client, check->index);
    uint32_t sum = 0;
    if (!check_sum(client, blob, id, &sum)) {
        return; // another time
    }
    client->stats.checks++;
    if (sum == check->sum) {
        entity->mismatches = 0;
    } else {
        check_failed(client, entity, check->index, id);
    }
}

void kni_checks_run(kn_client *client)
{
    for (uint32_t i = 0; i < client->check_count; i++) {
        if (client->checks[i].tick == client->confirmed) {
            check_run(client, &client->checks[i]);
        }
    }
}
