// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cues that happened once, for clients who could not compute them. They are not state, so each
// entity has a short list of the latest. Whenever an entity is sent, it comes with the cues of the
// ticks that the client may not know, all of them: so the client sees which ones it showed by
// mistake, too.

#include "server.h"

void kni_server_cue(void *user, kn_world *world, const kn_event *event)
{
    kn_server *server = user;
    uint32_t index = event->entity.index1;
    if (event->data.cue.action != KN_CUE_EXECUTED || !kni_server_reserve(server, index)) {
        return;
    }
    server_entity *entity = &server->entities[index];
    wire_cue cue = {.tick = server->tick,
        .generation = event->entity.generation,
        .tag = event->data.cue.tag,
        .type = event->data.cue.type};
    (void)kn_cue_event_params(world, event, &cue.params);
    cue.params.source_tags = cue.params.target_tags = (kn_tags){0};
    if (cue.params.payload != NULL || cue.params.targets.size > 0) { // without memory it has none
        cue.more = kni_params_keep(&server->def.hooks, kn_world_library(world), &cue.params);
    }
    cue.params.payload = NULL;
    cue.params.payload_type = (kn_context_type_id){0};
    cue.params.targets = (kn_target_view){0};
    uint32_t old = 0;
    while (old < entity->cue_count && (entity->cues[old].tick + CUE_SPAN < server->tick ||
                                          entity->cue_count - old >= CUES_MAX)) {
        entity->cue_lost = entity->cues[old++].tick;
    }
    entity->cue_count -= old;
    kni_cues_drop(entity->cues, old);
    if (old > 0) {
        memmove(entity->cues, entity->cues + old, entity->cue_count * sizeof(wire_cue));
    }
    if (kn_memory_grow(&server->def.hooks, &entity->cues, &entity->cue_capacity,
            entity->cue_count + 1, sizeof(wire_cue))) {
        entity->cues[entity->cue_count++] = cue;
    } else {
        kni_params_drop(cue.more);
    }
}

// The first tick that may be spoken of.
static uint64_t cues_first(const kn_server *server, uint32_t index, uint64_t from)
{
    uint64_t first = server->tick > CUE_SPAN ? server->tick - CUE_SPAN : 0;
    uint64_t lost = server->entities[index].cue_lost;
    first = lost >= first ? lost + 1 : first;
    return from > first ? from : first;
}

static uint32_t cues_count(
    const kn_server *server, const view *v, uint32_t index, uint64_t from, bool is_all)
{
    const server_entity *entity = &server->entities[index];
    uint32_t count = 0;
    for (uint32_t i = 0; i < entity->cue_count; i++) {
        const wire_cue *cue = &entity->cues[i];
        bool is_in = cue->tick >= from && cue->generation == v->id.generation;
        count += is_in;
        if (is_in && !is_all) {
            break;
        }
    }
    return count;
}

bool kni_view_has_cues(const kn_server *server, const view *v, uint32_t index)
{
    if (index == 0) {
        return false;
    }
    uint64_t from = v->acked != NULL ? v->acked->tick + 1 : v->since;
    return from <= server->entities[index].cue_lost ||
           cues_count(server, v, index, cues_first(server, index, from), false) > 0;
}

static bool viewer_sees(const void *user, kn_entity_id entity)
{
    const connection *c = user;
    return entity.index1 < c->view_capacity && c->views[entity.index1].is_visible;
}

void kni_view_cues_write(
    const kn_server *server, const connection *c, const view *v, uint32_t index, kn_writer *out)
{
    const server_entity *entity = &server->entities[index];
    const cue_viewer viewer = {kn_world_library(server->def.world), viewer_sees, c};
    uint64_t from = cues_first(server, index, v->since != 0 ? v->since : server->tick);
    from = from < server->tick ? from : server->tick;
    kni_write_number(out, server->tick - from);
    kni_write_number(out, cues_count(server, v, index, from, true));
    for (uint32_t i = 0; i < entity->cue_count; i++) {
        const wire_cue *cue = &entity->cues[i];
        if (cue->tick >= from && cue->generation == v->id.generation) {
            kni_cue_write(out, cue, server->tick, &viewer);
        }
    }
}
