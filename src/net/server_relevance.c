// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Who sees what by distance, team and ownership, and how urgent it is. The space answers which
// entities are near to what a player controls, so that a look costs as much as there is to see.
// What it cannot answer, teams and entities that everybody sees, is kept in one word per entity.

#include "server.h"

#include <float.h>
#include <math.h>

#define MARK_ALL 1u // everybody sees it

bool kni_relevance_is_on(const kn_server *server)
{
    return server->def.relevance.enter_radius > 0.0f;
}

static const kn_space *relevance_space(const kn_server *server)
{
    const kn_space *space = server->def.relevance.space;
    return space != NULL ? space : kn_world_space(server->def.world);
}

// Marks ----------------------------------------------------------------------

bool kni_relevance_reserve(kn_server *server)
{
    uint32_t before = server->mark_capacity;
    if (!kni_relevance_is_on(server) || server->entity_capacity <= before) {
        return true;
    }
    if (!kn_memory_grow(&server->def.hooks, &server->marks, &server->mark_capacity,
            server->entity_capacity, sizeof(uint32_t))) {
        return false;
    }
    memset(server->marks + before, 0, (server->mark_capacity - before) * sizeof(uint32_t));
    return true;
}

static bool is_unplaced(const kn_server *server, kn_entity_id id)
{
    kn_vec3 position;
    return !server->def.relevance.hides_unplaced &&
           !kn_space_position(relevance_space(server), server->def.world, id, &position);
}

void kni_relevance_note(kn_server *server, const server_entity *entity)
{
    uint32_t index = entity->id.index1;
    if (!kni_relevance_is_on(server) || index >= server->mark_capacity) {
        return;
    }
    const kn_relevance_rules *def = &server->def.relevance;
    uint32_t team = 0, is_for_all = 0;
    if (entity->is_alive) {
        team = def->team != NULL ? def->team(server->def.user, server->def.world, entity->id) : 0;
        is_for_all = entity->is_always || is_unplaced(server, entity->id);
    }
    server->marks[index] = team << 1 | is_for_all;
}

// What a player sees from ------------------------------------------------------

// The entities that a connection controls. False when out of memory.
static bool own_update(kn_server *server, connection *c, uint32_t number)
{
    if (c->own_version == server->controllers_version) {
        return true;
    }
    c->own_count = 0;
    for (uint32_t i = 1; i < server->entity_capacity; i++) {
        if (server->entities[i].controller != number || !server->entities[i].is_alive) {
            continue;
        }
        if (!kn_memory_grow(&server->def.hooks, &c->own, &c->own_capacity, c->own_count + 1,
                sizeof(uint32_t))) {
            return false;
        }
        c->own[c->own_count++] = i;
    }
    c->own_version = server->controllers_version;
    return true;
}

static void points_update(const kn_server *server, connection *c)
{
    const kn_space *space = relevance_space(server);
    c->point_count = 0;
    if (c->has_eye) {
        c->points[c->point_count++] = c->eye;
    }
    for (uint32_t i = 0; i < c->own_count && c->point_count < RELEVANCE_POINTS; i++) {
        kn_vec3 position;
        if (kn_space_position(
                space, server->def.world, server->entities[c->own[i]].id, &position)) {
            c->points[c->point_count++] = position;
        }
    }
}

// The square of the distance to the nearest point that a connection sees from.
static float nearest_square(const connection *c, kn_vec3 position)
{
    float best = FLT_MAX;
    for (uint32_t i = 0; i < c->point_count; i++) {
        float x = position.x - c->points[i].x, y = position.y - c->points[i].y;
        float z = position.z - c->points[i].z;
        float square = x * x + y * y + z * z;
        best = square < best ? square : best;
    }
    return best;
}

static bool has_team(const kn_server *server, const connection *c, uint32_t team)
{
    for (uint32_t i = 0; i < c->own_count && team != 0; i++) {
        if (server->marks[c->own[i]] >> 1 == team) {
            return true;
        }
    }
    return false;
}

static bool host_agrees(const kn_server *server, uint32_t number, kn_entity_id id)
{
    return server->def.is_relevant == NULL ||
           server->def.is_relevant(server->def.user, server->def.world, number, id);
}

// Somebody who watches and is nowhere sees everything.
static bool sees_all(const connection *c)
{
    return c->is_spectator && c->point_count == 0;
}

bool kni_relevance_sees(const kn_server *server, const connection *c, kn_entity_id id)
{
    uint32_t mark = id.index1 < server->mark_capacity ? server->marks[id.index1] : MARK_ALL;
    float radius = server->def.relevance.enter_radius;
    kn_vec3 position;
    return sees_all(c) || (mark & MARK_ALL) != 0 || has_team(server, c, mark >> 1) ||
           (kn_space_position(relevance_space(server), server->def.world, id, &position) &&
               nearest_square(c, position) <= radius * radius);
}

// Looking ---------------------------------------------------------------------

// The entities that touch a ball, in `found`. False when out of memory.
static bool found_update(kn_server *server, kn_vec3 center, float radius, uint32_t *count)
{
    kn_sphere sphere = {center, radius};
    const kn_space *space = relevance_space(server);
    *count = kn_space_sphere(
        space, server->def.world, &sphere, NULL, server->found, server->found_capacity);
    if (*count > server->found_capacity) {
        if (!kn_memory_grow(&server->def.hooks, &server->found, &server->found_capacity, *count,
                sizeof(kn_entity_id))) {
            return false;
        }
        *count = kn_space_sphere(
            space, server->def.world, &sphere, NULL, server->found, server->found_capacity);
    }
    return true;
}

static bool is_shown(const connection *c, kn_entity_id id)
{
    return id.index1 < c->view_capacity && c->views[id.index1].is_visible &&
           c->views[id.index1].id.generation == id.generation;
}

// Shows what is near; beyond the first radius only what is in sight already.
static bool near_look(
    kn_server *server, connection *c, uint32_t number, kn_vec3 center, bool is_entering)
{
    const kn_relevance_rules *def = &server->def.relevance;
    uint32_t count;
    bool ok =
        found_update(server, center, is_entering ? def->enter_radius : def->leave_radius, &count);
    for (uint32_t i = 0; i < count && ok; i++) {
        kn_entity_id id = server->found[i];
        bool is_known = id.index1 < server->entity_capacity &&
                        kn_entity_id_equal(server->entities[id.index1].id, id);
        bool is_done = id.index1 < c->view_capacity &&
                       c->views[id.index1].seen_at == server->tick && is_shown(c, id);
        if (is_known && !is_done && (is_entering || is_shown(c, id)) &&
            host_agrees(server, number, id)) {
            ok = kni_view_show(server, c, id);
        }
    }
    return ok;
}

static bool marked_look(kn_server *server, connection *c, uint32_t number)
{
    bool ok = true;
    for (uint32_t i = 1; i < server->entity_capacity && ok; i++) {
        const server_entity *entity = &server->entities[i];
        uint32_t mark = i < server->mark_capacity ? server->marks[i] : 0;
        bool is_wanted =
            (mark != 0 && ((mark & MARK_ALL) != 0 || has_team(server, c, mark >> 1))) ||
            sees_all(c);
        if (is_wanted && entity->is_alive && host_agrees(server, number, entity->id)) {
            ok = kni_view_show(server, c, entity->id);
        }
    }
    return ok;
}

bool kni_relevance_look(kn_server *server, connection *c, uint32_t number)
{
    bool ok = own_update(server, c, number);
    if (ok) {
        points_update(server, c);
    }
    for (uint32_t i = 0; i < c->own_count && ok; i++) {
        ok = kni_view_show(server, c, server->entities[c->own[i]].id);
    }
    for (uint32_t i = 0; i < c->point_count && ok; i++) {
        ok = near_look(server, c, number, c->points[i], true) &&
             near_look(server, c, number, c->points[i], false);
    }
    ok = ok && marked_look(server, c, number);
    if (ok) {
        kni_views_hide(server, c);
    }
    return ok;
}

// Importance --------------------------------------------------------------------

// From 0 to 1, for what a connection does not control.
static float importance_of(
    const kn_server *server, const connection *c, uint32_t number, kn_entity_id id)
{
    kn_vec3 position;
    float importance = 0.0f;
    if (server->def.importance != NULL) {
        importance = server->def.importance(server->def.user, server->def.world, number, id);
    } else if (kni_relevance_is_on(server) &&
               kn_space_position(relevance_space(server), server->def.world, id, &position)) {
        float radius = server->def.relevance.leave_radius;
        importance = 1.0f - nearest_square(c, position) / (radius * radius);
    }
    return importance > 1.0f ? 1.0f : importance > 0.0f ? importance : 0.0f; // not a number: 0
}

uint32_t kni_relevance_delay(
    const kn_server *server, const connection *c, uint32_t number, uint32_t index)
{
    if (server->entities[index].controller == number) {
        return 0;
    }
    float importance = importance_of(server, c, number, server->entities[index].id);
    return (uint32_t)((1.0f - importance) * (float)server->def.rate);
}

void kni_relevance_free(kn_server *server)
{
    const kn_hooks *hooks = &server->def.hooks;
    kn_memory_free(hooks, server->marks, server->mark_capacity * sizeof(uint32_t));
    kn_memory_free(hooks, server->found, server->found_capacity * sizeof(kn_entity_id));
}

bool kni_relevance_rules_are_good(const kn_relevance_rules *def)
{
    return def->enter_radius >= 0.0f && def->enter_radius <= FLT_MAX / 4 &&
           (def->enter_radius == 0.0f ||
               (def->leave_radius >= def->enter_radius && def->leave_radius <= FLT_MAX / 4));
}

// The host ----------------------------------------------------------------------

bool kn_server_set_eye(kn_server *server, uint32_t number, const kn_vec3 *position)
{
    connection *c = kni_connection_find(server, number);
    bool is_finite = position == NULL ||
                     (isfinite(position->x) && isfinite(position->y) && isfinite(position->z));
    if (c == NULL || !is_finite) {
        return false;
    }
    c->has_eye = position != NULL;
    c->eye = position != NULL ? *position : (kn_vec3){0};
    return true;
}
