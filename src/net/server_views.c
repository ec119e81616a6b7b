// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What connections see of a server's world: which entities, what of them, what they have of it, and
// what has to be sent. An entity is encoded once for all who see it alike.

#include "server.h"

#include <stdio.h>
#include <stdlib.h>

#define MISSES_MAX 4         // entities that did not fit, until a datagram counts as full
#define OWNERS_MAX 32        // of owners, until an entity counts as nobody's
#define ENTITY_HEADER_MAX 48 // bytes of a message with an entity, besides the difference

// Bytes of entities ---------------------------------------------------------

void kni_blob_drop(kn_server *server, blob *b)
{
    if (b != NULL && --b->references == 0) {
        kni_blob_deltas_free(server, b);
        kn_memory_free(&server->def.hooks, b, sizeof(*b) + b->size);
    }
}

static blob *blob_keep(blob *b)
{
    b->references++;
    return b;
}

static void blob_set(kn_server *server, blob **place, blob *b)
{
    blob *old = *place;
    *place = b != NULL ? blob_keep(b) : NULL;
    kni_blob_drop(server, old);
}

static kn_sync_mode entity_mode(const kn_server *server, uint32_t index)
{
    uint8_t mode1 = server->entities[index].mode;
    return mode1 != 0 ? (kn_sync_mode)(mode1 - 1) : server->def.mode;
}

// The parts of an entity that a viewer gets.
static uint32_t viewer_parts(kn_sync_mode mode, kn_viewer viewer)
{
    uint32_t parts = KN_PARTS_ALL;
    if (viewer != KN_VIEWER_OWNER) {
        parts &= ~(1u << KN_PART_ABILITIES | 1u << KN_PART_TIMERS | 1u << KN_PART_WATCHES);
    }
    bool has_effects =
        mode == KN_SYNC_MODE_FULL || (mode == KN_SYNC_MODE_MIXED && viewer == KN_VIEWER_OWNER);
    return has_effects ? parts : parts & ~(1u << KN_PART_EFFECTS);
}

static blob *blob_create(kn_server *server, uint32_t size)
{
    blob *b = kn_memory_resize(&server->def.hooks, NULL, 0, sizeof(*b) + size);
    if (b != NULL) {
        *b = (blob){.size = size, .tick = server->tick, .version = server->version};
    }
    return b;
}

// NULL when out of memory. Nobody refers to it yet.
static blob *blob_take(kn_server *server, kn_entity_id id, const kn_projection_filter *filter)
{
    size_t size = 0;
    kn_result result = kn_projection_take(
        server->def.world, &id, 1, filter, server->take, server->take_capacity, &size);
    if (size > server->take_capacity) {
        if (!kn_memory_grow(
                &server->def.hooks, &server->take, &server->take_capacity, (uint32_t)size, 1)) {
            return NULL;
        }
        result = kn_projection_take(
            server->def.world, &id, 1, filter, server->take, server->take_capacity, &size);
    }
    blob *b = result == KN_OK ? blob_create(server, (uint32_t)size) : NULL;
    if (b != NULL) {
        memcpy(b->bytes, server->take, size);
        b->parts = filter->parts;
        b->empty = filter->empty_parts;
    }
    return b;
}

static kn_projection_filter entity_filter(const kn_server *server, uint32_t index, kn_viewer viewer)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.viewer = viewer;
    filter.identity = KN_IDENTITY_PLACES;
    filter.hidden_streams =
        server->def.hidden_streams | kn_library_hidden_streams(kn_world_library(server->def.world));
    filter.parts = index != 0 ? viewer_parts(entity_mode(server, index), viewer)
                              : KN_PARTS_ALL & ~(1u << KN_PART_TIMERS | 1u << KN_PART_WATCHES);
    return filter;
}

// The bytes of an entity now, for a viewer. NULL when out of memory.
static blob *blob_now(kn_server *server, uint32_t index, kn_viewer viewer)
{
    server_entity *entity = &server->entities[index];
    if (entity->now[viewer] == NULL || entity->now[viewer]->tick != server->tick) {
        kn_projection_filter filter = entity_filter(server, index, viewer);
        blob *b = blob_take(server, entity->id, &filter);
        if (b == NULL) {
            return NULL;
        }
        blob_set(server, &entity->now[viewer], b);
    }
    return entity->now[viewer];
}

// The bytes that take an entity away from somebody who does not see it any more.
static blob *blob_left(kn_server *server, kn_entity_id id)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = KN_IDENTITY_PLACES;
    filter.is_gone = true;
    blob *b = blob_take(server, id, &filter);
    if (b != NULL) {
        b->is_left = true;
        b->parts = 0;
    }
    return b;
}

// Entities ------------------------------------------------------------------

bool kni_server_reserve(kn_server *server, uint32_t index)
{
    uint32_t before = server->entity_capacity;
    if (index < before) {
        return kni_relevance_reserve(server);
    }
    if (!kn_memory_grow(&server->def.hooks, &server->entities, &server->entity_capacity, index + 1,
            sizeof(server_entity))) {
        return false;
    }
    memset(
        server->entities + before, 0, (server->entity_capacity - before) * sizeof(server_entity));
    return kni_relevance_reserve(server);
}

static uint32_t entity_key(const kn_server *server, kn_entity_id id)
{
    const server_entity *entity =
        id.index1 < server->entity_capacity ? &server->entities[id.index1] : NULL;
    return entity != NULL && entity->key_generation == id.generation ? entity->key : 0;
}

static uint64_t entity_token(const void *user, kn_entity_id id)
{
    uint32_t key = entity_key(user, id);
    return key != 0 ? key : kn_entity_id_pack(id);
}

void kni_server_created(kn_server *server, const kn_event *event)
{
    uint32_t key =
        kni_creation_key(&server->creations, server->def.world, event, entity_token, server);
    if (key != 0 && kni_server_reserve(server, event->entity.index1)) {
        server->entities[event->entity.index1].key = key;
        server->entities[event->entity.index1].key_generation = event->entity.generation;
    }
}

// The connection that controls an entity: its own, or else that of its owner or of what it is
// attached to, and so on; 0 for none.
static uint32_t controller_find(const kn_world *world, kn_entity_id id)
{
    uint32_t controller = 0;
    for (uint32_t i = 0; i < OWNERS_MAX && id.index1 != 0 && controller == 0; i++) {
        controller = kn_entity_connection(world, id);
        kn_entity_id owner = kn_entity_owner(world, id);
        id = kn_entity_is_alive(world, owner) ? owner : kn_entity_parent(world, id);
    }
    return controller;
}

static void mixed_check(kn_server *server, const server_entity *entity)
{
    kn_sync_mode mode = entity->mode != 0 ? (kn_sync_mode)(entity->mode - 1) : server->def.mode;
    if (server->has_warned_mixed || mode != KN_SYNC_MODE_MIXED || !entity->is_alive ||
        entity->controller != 0) {
        return;
    }
    kn_log_entry entry = {.level = KN_LOG_WARNING,
        .category = KN_LOG_WORLD,
        .message = "an entity in mode Mixed has no connection: nobody receives its effects, as in "
                   "mode Minimal (logged once)",
        .file = __FILE__,
        .line = __LINE__};
    server->has_warned_mixed = true;
    if (server->def.hooks.log_fn != NULL) {
        server->def.hooks.log_fn(server->def.hooks.log_user, &entry);
    } else {
        (void)fprintf(stderr, "knack: %s\n", entry.message);
    }
}

static bool entity_note(kn_server *server, kn_entity_id id)
{
    server_entity *entity = &server->entities[id.index1];
    bool is_alive = kn_entity_is_alive(server->def.world, id);
    if (entity->id.generation != id.generation) {
        if (!is_alive && entity->is_alive) {
            return true; // news of one that has a successor already
        }
        entity->mode = 0;
        entity->is_always = false;
        entity->id = id;
        entity->controller = 0;
        if (is_alive) {
            if (!kn_memory_grow(&server->def.hooks, &server->fresh, &server->fresh_capacity,
                    server->fresh_count + 1, sizeof(uint32_t))) {
                return false;
            }
            server->fresh[server->fresh_count++] = id.index1;
        }
    }
    entity->is_alive = is_alive;
    uint32_t controller = is_alive ? controller_find(server->def.world, id) : 0;
    server->has_new_controllers = server->has_new_controllers || controller != entity->controller;
    server->controllers_version += controller != entity->controller;
    entity->controller = controller;
    mixed_check(server, entity);
    kni_relevance_note(server, entity);
    return true;
}

// There is room in the list for every view.
static void view_dirty(const kn_server *server, connection *c, uint32_t index)
{
    view *v = &c->views[index];
    v->since = v->since != 0 ? v->since : server->looked + 1;
    if (!v->is_dirty) {
        c->dirty[c->dirty_count++] = index;
        v->is_dirty = true;
        v->dirty_at = server->tick;
        v->rank = 0;
    }
}

static kn_viewer view_viewer(const kn_server *server, uint32_t number, uint32_t index)
{
    bool is_owner = index != 0 && server->entities[index].controller == number;
    return is_owner ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS;
}

// Whether a viewer has to hear of changes: what it has all causes of it computes itself.
static bool changes_matter(kn_changes changes, uint32_t parts)
{
    uint32_t mask = changes.changed & parts;
    if ((parts >> KN_PART_ABILITIES & 1) == 0) { // tags that are not of effects come from abilities
        mask |= changes.computed & parts & (1u << KN_PART_TAGS | 1u << KN_PART_CUES);
    }
    if ((parts >> KN_PART_EFFECTS & 1) == 0) { // their cues come one by one
        mask |= changes.computed & parts;
        mask |= (changes.changed | changes.computed) & 1u << KN_PART_EFFECTS;
    }
    return mask != 0;
}

// One entity changed: marks it for all who have to hear of it.
static void entity_changed(kn_server *server, kn_entity_id id)
{
    kn_changes changes = kn_changes_since(server->def.world, id, server->version);
    uint32_t index = id.index1;
    for (uint32_t i = 0; i < server->connection_top; i++) {
        connection *c = &server->connections[i];
        if (c->state != CONNECTION_JOINED || index >= c->view_capacity ||
            c->views[index].id.index1 == 0) {
            continue;
        }
        const server_entity *entity = &server->entities[index];
        bool is_other = entity->id.generation != c->views[index].id.generation;
        uint32_t parts =
            viewer_parts(entity_mode(server, index), view_viewer(server, i + 1, index));
        if (is_other || !entity->is_alive || changes_matter(changes, parts)) {
            view_dirty(server, c, index);
        }
    }
}

static void entity_dirty(kn_server *server, uint32_t index)
{
    for (uint32_t i = 0; i < server->connection_top; i++) {
        connection *c = &server->connections[i];
        if (c->state == CONNECTION_JOINED && index < c->view_capacity &&
            c->views[index].id.index1 != 0) {
            view_dirty(server, c, index);
        }
    }
}

// Who controls an entity decides about what it owns, too.
static void controllers_update(kn_server *server)
{
    for (uint32_t i = 1; i < server->entity_capacity && server->has_new_controllers; i++) {
        server_entity *entity = &server->entities[i];
        uint32_t controller = entity->is_alive ? controller_find(server->def.world, entity->id) : 0;
        if (controller != entity->controller) {
            server->controllers_version++;
            entity->controller = controller;
            entity_dirty(server, i);
        }
    }
    server->has_new_controllers = false;
}

// The world itself has no marks: its bytes are compared.
static bool world_look(kn_server *server)
{
    const blob *b = blob_now(server, 0, KN_VIEWER_OTHERS);
    if (b == NULL) {
        return false;
    }
    uint64_t hash = kn_hash_bytes(1, b->bytes, b->size);
    for (uint32_t i = 0; i < server->connection_top && hash != server->world_hash; i++) {
        connection *c = &server->connections[i];
        if (c->state == CONNECTION_JOINED && c->view_capacity > 0 && c->views[0].is_visible) {
            view_dirty(server, c, 0);
        }
    }
    server->world_hash = hash;
    return true;
}

kn_result kni_server_look(kn_server *server)
{
    kn_world *world = server->def.world;
    const kn_entity_id none = {0};
    uint64_t version = kn_changes_version(world);
    bool ok = kni_server_reserve(server, 0) && world_look(server);
    for (kn_entity_id id = kn_changes_next(world, server->version, none); id.index1 != 0 && ok;
         id = kn_changes_next(world, server->version, id)) {
        ok = kni_server_reserve(server, id.index1) && entity_note(server, id);
        if (ok) {
            entity_changed(server, id);
        }
    }
    if (!ok) { // the same changes again, next time
        return KN_ERROR_OUT_OF_MEMORY;
    }
    controllers_update(server);
    server->version = version;
    return KN_OK;
}

kn_result kni_server_mode(kn_server *server, kn_entity_id entity, kn_sync_mode mode)
{
    if (!kni_server_reserve(server, entity.index1) || !entity_note(server, entity)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    server->entities[entity.index1].mode = (uint8_t)(mode + 1);
    for (uint32_t v = 0; v < KN_VIEWER_COUNT; v++) {
        blob_set(server, &server->entities[entity.index1].now[v], NULL);
    }
    entity_dirty(server, entity.index1);
    return KN_OK;
}

kn_result kni_server_always(kn_server *server, kn_entity_id entity, bool is_always)
{
    if (!kni_server_reserve(server, entity.index1) || !entity_note(server, entity)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    server->entities[entity.index1].is_always = is_always;
    kni_relevance_note(server, &server->entities[entity.index1]);
    return KN_OK;
}

void kni_server_entities_free(kn_server *server)
{
    for (uint32_t i = 0; i < server->entity_capacity; i++) {
        for (uint32_t v = 0; v < KN_VIEWER_COUNT; v++) {
            blob_set(server, &server->entities[i].now[v], NULL);
        }
        kni_cues_drop(server->entities[i].cues, server->entities[i].cue_count);
        kn_memory_free(&server->def.hooks, server->entities[i].cues,
            server->entities[i].cue_capacity * sizeof(wire_cue));
    }
    kn_memory_free(
        &server->def.hooks, server->entities, server->entity_capacity * sizeof(server_entity));
    kn_memory_free(&server->def.hooks, server->fresh, server->fresh_capacity * sizeof(uint32_t));
    kni_relevance_free(server);
}

// Who sees what -------------------------------------------------------------

static bool views_reserve(kn_server *server, connection *c, uint32_t index)
{
    const kn_hooks *hooks = &server->def.hooks;
    uint32_t before = c->view_capacity;
    if (!kn_memory_grow(hooks, &c->views, &c->view_capacity, index + 1, sizeof(view))) {
        return false;
    }
    if (c->view_capacity > before) {
        memset(c->views + before, 0, (c->view_capacity - before) * sizeof(view));
    }
    return kn_memory_grow(hooks, &c->dirty, &c->dirty_capacity, c->view_capacity, sizeof(uint32_t));
}

static bool is_seen(const kn_server *server, const connection *c, uint32_t number, kn_entity_id id)
{
    if (server->entities[id.index1].controller == number) {
        return true;
    }
    return (!kni_relevance_is_on(server) || kni_relevance_sees(server, c, id)) &&
           (server->def.is_relevant == NULL ||
               server->def.is_relevant(server->def.user, server->def.world, number, id));
}

// The client has nothing yet of another entity.
static void view_name(view *v, kn_entity_id id)
{
    if (v->id.generation != id.generation) {
        v->had = v->emptied = 0;
    }
    v->id = id;
}

static bool view_show(kn_server *server, connection *c, uint32_t index)
{
    if (!views_reserve(server, c, index)) {
        return false;
    }
    view *v = &c->views[index];
    kn_entity_id id = server->entities[index].id;
    v->seen_at = server->tick;
    if (kni_relevance_is_on(server) && !v->is_listed && index != 0) {
        if (!kn_memory_grow(&server->def.hooks, &c->shown, &c->shown_capacity, c->shown_count + 1,
                sizeof(uint32_t))) {
            return false;
        }
        c->shown[c->shown_count++] = index;
        v->is_listed = true;
    }
    if (!v->is_visible || v->id.generation != id.generation) {
        v->is_visible = true;
        view_name(v, id);
        v->since = server->looked + 1;
        view_dirty(server, c, index);
    }
    return true;
}

bool kni_view_show(kn_server *server, connection *c, kn_entity_id id)
{
    const kn_world *world = server->def.world;
    bool ok = view_show(server, c, id.index1);
    kn_entity_id avatar = kn_entity_avatar(world, id);
    if (ok && avatar.index1 != 0 && avatar.index1 != id.index1) {
        ok = view_show(server, c, avatar.index1);
    }
    for (kn_entity_id at = kn_entity_parent(world, id); ok && at.index1 != 0;
         at = kn_entity_parent(world, at)) {
        ok = view_show(server, c, at.index1);
    }
    return ok;
}

// Hides an entity unless it was found to be seen in this tick, by itself or by others.
static void view_hide(const kn_server *server, connection *c, uint32_t index)
{
    view *v = index < c->view_capacity ? &c->views[index] : NULL;
    if (v != NULL && v->is_visible && v->seen_at != server->tick &&
        server->entities[index].is_alive) {
        v->is_visible = false;
        view_dirty(server, c, index);
    }
}

static bool view_look(kn_server *server, connection *c, uint32_t number, uint32_t index)
{
    const server_entity *entity = &server->entities[index];
    return !entity->is_alive || !is_seen(server, c, number, entity->id) ||
           kni_view_show(server, c, entity->id);
}

void kni_views_hide(kn_server *server, connection *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->shown_count; i++) {
        uint32_t index = c->shown[i];
        view_hide(server, c, index);
        if (c->views[index].is_visible && server->entities[index].is_alive) {
            c->shown[kept++] = index;
        } else {
            c->views[index].is_listed = false;
        }
    }
    c->shown_count = kept;
}

// All entities, or those that are new.
static bool views_look(kn_server *server, connection *c, uint32_t number, bool is_all)
{
    uint32_t count = is_all ? server->entity_capacity : server->fresh_count;
    bool ok = true;
    for (uint32_t i = is_all ? 1 : 0; i < count && ok; i++) {
        ok = view_look(server, c, number, is_all ? i : server->fresh[i]);
    }
    for (uint32_t i = is_all ? 1 : 0; i < count && ok; i++) {
        view_hide(server, c, is_all ? i : server->fresh[i]);
    }
    return ok;
}

kn_result kni_server_see(kn_server *server, connection *c, uint32_t number)
{
    bool has_rule = server->def.is_relevant != NULL || kni_relevance_is_on(server);
    bool is_due =
        !c->has_seen || (has_rule && (server->tick + number) % server->def.relevance_every == 0);
    bool ok = c->has_seen || view_show(server, c, 0);
    if (ok && is_due && kni_relevance_is_on(server)) {
        ok = kni_relevance_look(server, c, number);
    } else if (ok) {
        ok = views_look(server, c, number, is_due);
    }
    c->has_seen = ok;
    return ok ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

uint32_t kni_connection_visible(const kn_server *server, const connection *c)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < c->view_capacity; i++) {
        count += c->views[i].is_visible && server->entities[i].is_alive;
    }
    return count;
}

void kni_connection_views_free(kn_server *server, connection *c)
{
    const kn_hooks *hooks = &server->def.hooks;
    for (uint32_t i = 0; i < c->sent_count; i++) {
        kni_blob_drop(server, c->sent[c->sent_first + i].blob);
    }
    for (uint32_t i = 0; i < c->view_capacity; i++) {
        blob_set(server, &c->views[i].acked, NULL);
        blob_set(server, &c->views[i].sent, NULL);
    }
    kn_memory_free(hooks, c->views, c->view_capacity * sizeof(view));
    kn_memory_free(hooks, c->dirty, c->dirty_capacity * sizeof(uint32_t));
    kn_memory_free(hooks, c->shown, c->shown_capacity * sizeof(uint32_t));
    kn_memory_free(hooks, c->own, c->own_capacity * sizeof(uint32_t));
    kn_memory_free(hooks, c->sent, c->sent_capacity * sizeof(sent_entity));
}

// What arrived ---------------------------------------------------------------

// A connection that knows that an entity is gone has nothing of it any more.
static void view_settle(kn_server *server, view *v)
{
    if (v->acked != NULL && v->acked->is_left && !v->is_dirty && !v->is_visible) {
        blob_set(server, &v->acked, NULL);
        blob_set(server, &v->sent, NULL);
        view_name(v, (kn_entity_id){0});
    }
}

// What was taken from a client is gone there, unless it got it back meanwhile.
static void view_settle_parts(view *v, const blob *b)
{
    if (v->sent == b) {
        v->had &= ~b->empty;
    }
}

static void sent_result(
    kn_server *server, connection *c, const sent_entity *sent, bool was_received)
{
    view *v = &c->views[sent->index];
    if (was_received && (v->acked == NULL || v->acked->tick < sent->blob->tick)) {
        bool is_last = v->sent == sent->blob && !v->is_dirty;
        uint64_t next = sent->blob->tick + 1;
        v->since = is_last ? 0 : v->since > next ? v->since : next;
        blob_set(server, &v->acked, sent->blob);
        kni_server_donor(server, sent->index, sent->blob);
        view_settle_parts(v, sent->blob);
        view_settle(server, v);
    } else if (!was_received && v->sent == sent->blob) {
        blob_set(server, &v->sent, NULL); // nothing newer is on its way
        view_dirty(server, c, sent->index);
    }
}

void kni_connection_result(kn_server *server, connection *c, uint64_t sequence, bool was_received)
{
    while (c->sent_count > 0 && c->sent[c->sent_first].sequence <= sequence) {
        sent_entity sent = c->sent[c->sent_first];
        c->sent_first++;
        c->sent_count--;
        if (sent.blob != NULL) {
            sent_result(server, c, &sent, was_received);
            kni_blob_drop(server, sent.blob);
        }
    }
    if (c->sent_count == 0) {
        c->sent_first = 0;
    }
}

void kni_connection_unsend(kn_server *server, connection *c, uint64_t sequence)
{
    while (c->sent_count > 0 && c->sent[c->sent_first + c->sent_count - 1].sequence == sequence) {
        sent_entity sent = c->sent[c->sent_first + --c->sent_count];
        sent_result(server, c, &sent, false);
        kni_blob_drop(server, sent.blob);
    }
}

void kni_connection_resync(
    kn_server *server, connection *c, uint32_t index, uint64_t tick, bool is_whole)
{
    view *v = index < c->view_capacity ? &c->views[index] : NULL;
    if (v == NULL || (v->id.index1 == 0 && !v->is_visible)) {
        return; // it is not seen any more
    }
    bool is_asked = v->acked == NULL && v->sent == NULL;
    view_dirty(server, c, index);
    if (v->since > tick + 1) { // it could not go on from there, and does not know the cues since
        v->since = tick + 1;
    }
    if (is_whole && (v->whole_at > tick || is_asked)) {
        return; // it is on its way, or will be
    }
    c->stats.resyncs++;
    v->had |= v->emptied; // it may not have heard of that either
    if (!is_whole) {
        return;
    }
    // What is on its way may be of no use there either: nothing may be based on it.
    for (uint32_t i = c->sent_first; i < c->sent_first + c->sent_count; i++) {
        if (c->sent[i].index == index) {
            blob_set(server, &c->sent[i].blob, NULL);
        }
    }
    blob_set(server, &v->acked, NULL);
    blob_set(server, &v->sent, NULL);
}

static bool sent_add(kn_server *server, connection *c, uint64_t sequence, uint32_t index, blob *b)
{
    if (c->sent_first > 0 && c->sent_first + c->sent_count == c->sent_capacity) {
        memmove(c->sent, c->sent + c->sent_first, c->sent_count * sizeof(sent_entity));
        c->sent_first = 0;
    }
    if (!kn_memory_grow(&server->def.hooks, &c->sent, &c->sent_capacity,
            c->sent_first + c->sent_count + 1, sizeof(sent_entity))) {
        return false;
    }
    c->sent[c->sent_first + c->sent_count++] =
        (sent_entity){.sequence = sequence, .index = index, .blob = blob_keep(b)};
    return true;
}

// Sending -------------------------------------------------------------------

static int dirty_compare(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;
    return *first < *second ? -1 : *first > *second;
}

// What waits longest comes first. What is important is up to a second ahead, so that nothing waits
// for more than what became dirty within that second; the world itself comes before everything.
// The list keeps that order: the next of many datagrams for somebody who joins has no work with it.
static void dirty_sort(const kn_server *server, connection *c, uint32_t number, uint64_t *order)
{
    bool is_sorted = true;
    for (uint32_t i = 0; i < c->dirty_count; i++) {
        uint32_t index = c->dirty[i];
        view *v = &c->views[index];
        if (v->rank == 0 && index != 0) {
            v->rank = 1 + v->dirty_at + kni_relevance_delay(server, c, number, index);
        }
        order[i] = v->rank << 32 | index;
        is_sorted = is_sorted && (i == 0 || order[i - 1] < order[i]);
    }
    if (is_sorted) {
        return;
    }
    qsort(order, c->dirty_count, sizeof(*order), dirty_compare);
    for (uint32_t i = 0; i < c->dirty_count; i++) {
        c->dirty[i] = (uint32_t)order[i];
    }
}

static void entity_encode(kn_writer *out, const kn_server *server, const connection *c,
    const view *v, uint32_t index, const blob *b)
{
    const blob *base = v->acked;
    uint32_t key = base == NULL && index != 0 ? entity_key(server, v->id) : 0;
    uint32_t donor_index = 0;
    const blob *donor = kni_view_donor(server, c, v, b, &donor_index);
    bool has_cues = !b->is_left && kni_view_has_cues(server, v, index);
    kni_write_number(out, index);
    kn_write_u8(
        out, (uint8_t)((base != NULL ? WIRE_HAS_BASE : 0) | (b->is_left ? WIRE_IS_LEFT : 0) |
                       (key != 0 ? WIRE_HAS_KEY : 0) | (has_cues ? WIRE_HAS_CUES : 0) |
                       (donor != NULL ? WIRE_HAS_DONOR : 0)));
    kni_write_number(out, base != NULL ? server->tick - base->tick : v->id.generation);
    if (key != 0) {
        kn_write_u32(out, key);
    }
    if (donor != NULL) {
        kni_write_number(out, donor_index);
        kni_write_number(out, server->tick - donor->tick);
    }
    if (has_cues) {
        kn_writer count = {0};
        kni_view_cues_write(server, c, v, index, &count);
        kni_write_number(out, count.length);
        kni_view_cues_write(server, c, v, index, out);
    }
}

// An entity with its bytes. False if there is no room for it, or no memory.
static bool entity_write(
    kn_writer *out, kn_server *server, const connection *c, const view *v, uint32_t index, blob *b)
{
    uint32_t donor_index = 0;
    const blob *donor = kni_view_donor(server, c, v, b, &donor_index);
    size_t before = out->length;
    entity_encode(out, server, c, v, index, b);
    bool fits = kni_delta_send(server, out, v->acked, donor, b) && out->length <= out->size;
    out->length = fits ? out->length : before;
    return fits;
}

// An entity that does not fit into a datagram goes as a message.
static kn_result entity_send(kn_server *server, connection *c, view *v, uint32_t index, blob *b)
{
    kn_writer count = {0};
    uint32_t donor_index = 0;
    const blob *donor = kni_view_donor(server, c, v, b, &donor_index);
    entity_encode(&count, server, c, v, index, b);
    if (!kni_delta_send(server, &count, v->acked, donor, b)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    size_t size = count.length + ENTITY_HEADER_MAX;
    uint8_t *bytes = kn_memory_resize(&server->def.hooks, NULL, 0, size);
    if (bytes == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_writer out = {bytes, size, 0};
    kn_write_u8(&out, WIRE_ENTITY);
    kni_write_number(&out, server->tick);
    (void)entity_write(&out, server, c, v, index, b);
    kn_result result = kni_connection_send(c, bytes, out.length);
    kn_memory_free(&server->def.hooks, bytes, size);
    if (result == KN_OK) {
        v->told_at = c->told_bytes;
        c->bytes_left -= (int64_t)out.length;
        c->stats.state_bytes += out.length;
    }
    return result;
}

// Whether an entity is on its way as a message: until it is there, nothing can be based on it.
static bool view_is_held(const connection *c, const view *v)
{
    return v->told_at > c->told_bytes - kn_net_link_get_state(c->link).waiting_bytes;
}

const blob *kni_view_settled(
    kn_server *server, const connection *c, uint32_t number, uint32_t index, uint64_t *base)
{
    const view *v = index < c->view_capacity ? &c->views[index] : NULL;
    if (v == NULL || !v->is_visible || v->is_dirty || v->acked == NULL || v->sent != v->acked ||
        v->acked->is_left || view_is_held(c, v)) {
        return NULL;
    }
    const server_entity *entity = &server->entities[index];
    if (index != 0) {
        kn_changes later = kn_changes_since(server->def.world, entity->id, server->version);
        if (!entity->is_alive || entity->id.generation != v->id.generation ||
            (later.changed | later.computed) != 0) { // the host changed it since the last look
            return NULL;
        }
    }
    const blob *b = blob_now(server, index, view_viewer(server, number, index));
    if (b != NULL && index == 0 && kn_hash_bytes(1, b->bytes, b->size) != server->world_hash) {
        return NULL;
    }
    *base = v->acked->tick;
    return b;
}

static blob *view_blob(kn_server *server, uint32_t number, view *v, uint32_t index)
{
    if (index != 0 && !v->is_visible) {
        return blob_left(server, v->id);
    }
    kn_viewer viewer = view_viewer(server, number, index);
    if (index != 0) {
        view_name(v, server->entities[index].id);
        kn_projection_filter filter = entity_filter(server, index, viewer);
        filter.empty_parts = v->had & ~filter.parts & KN_PARTS_EMPTIABLE;
        if (filter.empty_parts != 0) {
            return blob_take(server, v->id, &filter);
        }
    }
    blob *b = blob_now(server, index, viewer);
    return b != NULL ? blob_keep(b) : NULL;
}

// One entity. KN_REFUSED_LIMIT: it has to wait.
static kn_result view_write(kn_server *server, connection *c, uint32_t number, uint32_t index,
    kn_writer *out, uint64_t sequence, bool is_first)
{
    view *v = &c->views[index];
    blob *b = view_blob(server, number, v, index);
    if (b == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (b->references == 0) {
        b->references = 1;
    }
    if (v->sent != NULL && v->sent != b && v->sent->tick == b->tick) {
        kni_blob_drop(server, b);
        return KN_REFUSED_LIMIT; // it has another state of this tick already
    }
    kn_result result = KN_OK;
    bool is_in = entity_write(out, server, c, v, index, b), is_whole = v->acked == NULL;
    if (!is_in && is_first) {
        result = entity_send(server, c, v, index, b);
        if (result == KN_OK) { // it will arrive
            v->since = 0;
            blob_set(server, &v->acked, b);
        }
    } else if (!is_in) {
        result = KN_REFUSED_LIMIT;
    } else if (!sent_add(server, c, sequence, index, b)) {
        result = KN_ERROR_OUT_OF_MEMORY;
    }
    if (result == KN_OK) {
        v->had |= b->parts;
        v->emptied |= b->empty;
        blob_set(server, &v->sent, b);
        if (v->acked == b) { // as a message, which will arrive
            view_settle_parts(v, b);
        }
        v->is_dirty = false;
        v->whole_at = is_whole ? server->tick : v->whole_at;
        c->stats.entities_sent++;
    }
    kni_blob_drop(server, b);
    return result;
}

kn_result kni_server_state(
    kn_server *server, connection *c, uint32_t number, kn_writer *out, uint64_t sequence)
{
    uint32_t count = c->dirty_count;
    if (count == 0) {
        return KN_OK;
    }
    size_t size = count * sizeof(uint64_t);
    uint64_t *order = kn_memory_resize(&server->def.hooks, NULL, 0, size);
    if (order == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    dirty_sort(server, c, number, order);
    kn_result result = KN_OK;
    bool is_first = true;
    for (uint32_t i = 0, misses = 0; i < count && result == KN_OK && misses < MISSES_MAX; i++) {
        uint32_t index = (uint32_t)order[i];
        if (view_is_held(c, &c->views[index])) {
            continue;
        }
        result = view_write(server, c, number, index, out, sequence, is_first);
        is_first = false;
        if (result == KN_REFUSED_LIMIT) {
            misses++;
            result = KN_OK;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (c->views[c->dirty[i]].is_dirty) {
            c->dirty[kept++] = c->dirty[i];
        }
    }
    c->dirty_count = kept;
    kn_memory_free(&server->def.hooks, order, size);
    return result;
}
