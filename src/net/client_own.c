// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Entities that the client creates itself, by prediction. They have ids of a range of their own
// until the server sends the entity that it created for the same reason, at the same time: then
// that one takes their place. One that the server does not send goes after a while.

#include "client.h"

#define OWN_FIRST 1024 // where ids of own entities begin, if the server has fewer than half of them

// Lists ---------------------------------------------------------------------

static bool own_add(const kn_client *client, own_list *list, own_entity own)
{
    if (!kn_memory_grow(&client->def.hooks, &list->data, &list->capacity, list->count + 1,
            sizeof(own_entity))) {
        return false;
    }
    list->data[list->count++] = own;
    return true;
}

static bool own_copy(const kn_client *client, own_list *to, const own_list *from)
{
    to->count = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        if (!own_add(client, to, from->data[i])) {
            return false;
        }
    }
    return true;
}

static own_entity *own_by_key(const own_list *list, uint32_t key)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->data[i].key == key) {
            return &list->data[i];
        }
    }
    return NULL;
}

// Keeps those that are in the world and still wait for the server's.
static void own_prune(const kn_client *client, own_list *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        own_entity own = list->data[i];
        if (!own.is_matched && kn_entity_is_alive(client->world, own.id)) {
            list->data[kept++] = own;
        }
    }
    list->count = kept;
}

void kni_own_free(kn_client *client)
{
    own_list *const lists[] = {&client->own, &client->own_kept, &client->own_before};
    for (uint32_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        kn_memory_free(&client->def.hooks, lists[i]->data, lists[i]->capacity * sizeof(own_entity));
        *lists[i] = (own_list){0};
    }
}

// Creation ------------------------------------------------------------------

static uint64_t own_token(const void *user, kn_entity_id entity)
{
    const kn_client *client = user;
    for (uint32_t i = 0; i < client->own.count; i++) {
        if (kn_entity_id_equal(client->own.data[i].id, entity)) {
            return client->own.data[i].key;
        }
    }
    const client_entity *known =
        entity.index1 < client->entity_capacity ? &client->entities[entity.index1] : NULL;
    bool has_key = known != NULL && known->key != 0 && known->generation == entity.generation;
    return has_key ? known->key : kn_entity_id_pack(entity);
}

kn_result kni_own_note(kn_client *client, uint64_t tick)
{
    kn_events events = kn_world_events(client->world);
    creation_counter counter = {0}; // a tick that is simulated again counts anew
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type != KN_EVENT_ENTITY_CREATED ||
            !kn_entity_is_own(client->world, event->entity)) {
            continue;
        }
        own_entity own = {.id = event->entity, .tick = tick};
        own.key = kni_creation_key(&counter, client->world, event, own_token, client);
        if (own.key != 0 && !own_add(client, &client->own, own)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    return KN_OK;
}

uint32_t kni_own_first(uint32_t server_index)
{
    uint32_t first = OWN_FIRST;
    while (first <= 2 * server_index && first < KN_OWN_ENTITIES_MAX) {
        first *= 2;
    }
    return first;
}

void kni_own_make_room(kn_client *client, uint32_t server_index)
{
    uint32_t first = kni_own_first(server_index);
    if (first > client->own_first) {
        client->own_first = first;
        (void)kn_world_set_own_entities(client->world, first);
    }
}

// Matches -------------------------------------------------------------------

own_entity *kni_own_match(kn_client *client, kn_entity_id entity)
{
    const client_entity *known = &client->entities[entity.index1];
    own_entity *own = known->key != 0 && known->generation == entity.generation
                          ? own_by_key(&client->own, known->key)
                          : NULL;
    bool fits = own != NULL && !own->is_matched && !kn_entity_is_alive(client->world, entity) &&
                kn_entity_is_alive(client->world, own->id);
    return fits ? own : NULL;
}

kn_result kni_own_gone(const kn_client *client, kn_entity_id entity, gone_bytes *gone)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = KN_IDENTITY_PLACES;
    filter.is_gone = true;
    return kn_projection_take(
        client->world, &entity, 1, &filter, gone->bytes, sizeof(gone->bytes), &gone->size);
}

uint32_t kni_own_overdue(const kn_client *client, kn_entity_id *out, uint32_t capacity)
{
    uint64_t patience = (uint64_t)client->def.predicted_time * client->rate / 1000000;
    uint32_t count = 0;
    for (uint32_t i = 0; i < client->own.count && count < capacity; i++) {
        const own_entity *own = &client->own.data[i];
        if (!own->is_matched && own->tick + patience < client->confirmed &&
            kn_entity_is_alive(client->world, own->id)) {
            out[count++] = own->id;
        }
    }
    return count;
}

// Going back and forth ------------------------------------------------------

kn_result kni_own_go_back(kn_client *client)
{
    // What is there now is compared at the end, also if it takes more than one attempt to get
    // there.
    if (!client->is_torn && !own_copy(client, &client->own_before, &client->own)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    return own_copy(client, &client->own, &client->own_kept) ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

kn_result kni_own_keep(kn_client *client)
{
    if (!own_copy(client, &client->own_kept, &client->own)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    own_prune(client, &client->own_kept);
    return KN_OK;
}

void kni_own_restore(kn_client *client)
{
    own_list swap = client->own;
    client->own = client->own_before;
    client->own_before = swap;
    own_prune(client, &client->own);
}

kn_result kni_own_rename(kn_client *client)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < client->own_before.count && result == KN_OK; i++) {
        const own_entity *before = &client->own_before.data[i];
        const own_entity *now = own_by_key(&client->own, before->key);
        if (now == NULL || kn_entity_id_equal(now->id, before->id)) {
            continue;
        }
        kni_reported_rename(&client->reports, before->id, now->id);
        kni_reported_rename(&client->past, before->id, now->id);
        result = kni_client_event(client,
            (kn_client_event){.kind = KN_CLIENT_RENAMED,
                .tick = client->tick,
                .entity = now->id,
                .old_entity = before->id},
            NULL, 0);
    }
    own_prune(client, &client->own);
    return result;
}
