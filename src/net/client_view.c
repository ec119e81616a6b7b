// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a client shows, and when. The clock of its ticks runs faster or slower and jumps; what is
// shown follows it by small changes of speed and never goes back. Where others were at each state
// from the server is kept until it was shown.

#include "client.h"

#define SLEW 8              // at most an eighth faster or slower
#define JUMP_TIME 250000    // further behind than this is not a matter of speed
#define FRAMES_TIME 1000000 // how long frames stay after they were shown

typedef struct view_entry {
    kn_entity_id id;
    kn_body body;
} view_entry;

static kn_component_type_id body_type(const kn_client *client)
{
    return (kn_component_type_id){
        kn_def_find(client->def.library, KN_DEF_COMPONENT, KN_GRID_BODY_NAME)};
}

static view_frame *frame_at(client_views *views, uint32_t index)
{
    return &views->frames[(views->first + index) % VIEW_FRAMES];
}

// Keeping -------------------------------------------------------------------

// The frame for a tick: the last one, if it is of this tick, or else a new one.
static view_frame *frame_for(client_views *views, uint64_t tick)
{
    if (views->count > 0 && frame_at(views, views->count - 1)->tick >= tick) {
        while (views->count > 1 && frame_at(views, views->count - 2)->tick >= tick) {
            views->count--; // it goes back
        }
    } else if (views->count == VIEW_FRAMES) {
        views->first = (views->first + 1) % VIEW_FRAMES;
    } else {
        views->count++;
    }
    view_frame *frame = frame_at(views, views->count - 1);
    frame->tick = tick;
    frame->count = 0;
    return frame;
}

void kni_views_keep(kn_client *client)
{
    client_views *views = &client->views;
    kn_component_type_id type = body_type(client);
    if (client->def.view != KN_CLIENT_VIEW_DELAYED || type.index1 == 0) {
        return;
    }
    uint32_t count = kn_component_get_changes(client->world, type).components;
    view_frame *frame = frame_for(views, client->confirmed);
    if (!kn_memory_grow(
            &client->def.hooks, &frame->entries, &frame->capacity, count, sizeof(view_entry))) {
        views->count--;
        return;
    }
    kn_entity_id id = {0};
    while ((id = kn_component_next(client->world, type, id)).index1 != 0) {
        const kn_body *body = kn_component_read(client->world, type, id);
        if (body != NULL && frame->count < frame->capacity) {
            frame->entries[frame->count++] = (view_entry){id, *body};
        }
    }
}

void kni_views_free(kn_client *client)
{
    for (uint32_t i = 0; i < VIEW_FRAMES; i++) {
        view_frame *frame = &client->views.frames[i];
        kn_memory_free(&client->def.hooks, frame->entries, frame->capacity * sizeof(view_entry));
    }
}

// Times ---------------------------------------------------------------------

// Goes on by the time that has passed, a little more or less towards where it should be.
static kn_time time_follow(kn_time time, kn_time passed, kn_time wanted, kn_time latest)
{
    kn_time next = time + passed, most = passed / SLEW;
    kn_time error = wanted - next;
    if (error > JUMP_TIME) {
        next = wanted;
    } else if (error < -JUMP_TIME) {
        next = time; // wait for it
    } else {
        next += error > most ? most : error < -most ? -most : error;
    }
    next = next < latest ? next : latest;
    return next > time ? next : time;
}

// Frames that will not be shown any more, not even when ticks are simulated again.
static void frames_drop(const kn_client *client, client_views *views)
{
    while (views->count > 1 &&
           kni_tick_time(frame_at(views, 1)->tick, client->rate) <= views->others - FRAMES_TIME) {
        views->first = (views->first + 1) % VIEW_FRAMES;
        views->count--;
    }
}

void kni_views_advance(kn_client *client)
{
    client_views *views = &client->views;
    kn_time passed = views->passed;
    views->passed = 0;
    if (client->confirmed > views->heard || !views->has_begun) {
        views->heard = client->confirmed;
        views->heard_at = client->now;
    }
    kn_time latest = kni_tick_time(client->tick, client->rate);
    kn_time before = client->tick > 0 ? kni_tick_time(client->tick - 1, client->rate) : 0;
    kn_time render = client->clock - (latest - before);
    kn_time confirmed = kni_tick_time(client->confirmed, client->rate);
    kn_time others = confirmed + (client->now - views->heard_at) - views->delay;
    if (!views->has_begun) {
        views->has_begun = true;
        views->render = render > 0 ? render : 0;
        views->others = others > 0 ? others : 0;
    }
    views->render = time_follow(views->render, passed, render, latest);
    views->others = time_follow(views->others, passed, others, confirmed);
    frames_drop(client, views);
}

kn_time kn_client_render_time(const kn_client *client)
{
    return client != NULL && client->views.has_begun ? client->base + client->views.render : 0;
}

float kn_client_render_fraction(const kn_client *client)
{
    if (client == NULL || !client->views.has_begun || client->tick == 0) {
        return 0.0f;
    }
    kn_time from = kni_tick_time(client->tick - 1, client->rate);
    kn_time to = kni_tick_time(client->tick, client->rate);
    kn_time at = client->views.render;
    return at <= from ? 0.0f : at >= to ? 1.0f : (float)((double)(at - from) / (double)(to - from));
}

kn_time kni_views_stamp(const kn_client *client)
{
    return client->def.view == KN_CLIENT_VIEW_PREDICTED ? 0 : kn_client_view_time(client);
}

kn_time kn_client_view_time(const kn_client *client)
{
    if (client == NULL || client->world == NULL) {
        return 0;
    }
    switch (client->def.view) {
    case KN_CLIENT_VIEW_CONFIRMED:
        return client->base + kni_tick_time(client->confirmed, client->rate);
    case KN_CLIENT_VIEW_DELAYED:
        return client->base + client->views.others;
    default:
        return client->base + kni_tick_time(client->tick, client->rate);
    }
}

// Showing -------------------------------------------------------------------

static const kn_body *frame_find(const view_frame *frame, kn_entity_id id)
{
    uint32_t low = 0, high = frame->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (frame->entries[middle].id.index1 < id.index1) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < frame->count && kn_entity_id_equal(frame->entries[low].id, id)
               ? &frame->entries[low].body
               : NULL;
}

static kn_vec3 vector_between(kn_vec3 from, kn_vec3 to, float part)
{
    kn_vec3 out = {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part,
        from.z + (to.z - from.z) * part};
    return out;
}

static const view_frame *frame_read(const client_views *views, uint32_t index)
{
    return &views->frames[(views->first + index) % VIEW_FRAMES];
}

// Where a body was, as far as the server said. Time is from tick 0 on.
static bool frames_body(const kn_client *client, kn_entity_id id, kn_time time, kn_body *body)
{
    const client_views *views = &client->views;
    uint32_t next = views->count;
    while (next > 1 && kni_tick_time(frame_read(views, next - 1)->tick, client->rate) > time) {
        next--;
    }
    const view_frame *frame = frame_read(views, next > 0 ? next - 1 : 0);
    const kn_body *from = next > 0 ? frame_find(frame, id) : NULL;
    if (from == NULL) {
        return false;
    }
    *body = *from;
    kn_time begin = kni_tick_time(frame->tick, client->rate);
    const kn_body *to = next < views->count ? frame_find(frame_read(views, next), id) : NULL;
    if (to != NULL && time > begin) {
        kn_time whole = kni_tick_time(frame_read(views, next)->tick, client->rate) - begin;
        float part = (float)((double)(time - begin) / (double)whole);
        body->position = vector_between(from->position, to->position, part);
        body->facing = vector_between(from->facing, to->facing, part);
    }
    return true;
}

static bool is_own(const kn_client *client, kn_entity_id id)
{
    kn_entity_id actor = kn_entity_actor(client->world, id);
    return kn_entity_connection(client->world, id) == client->connection ||
           kn_entity_connection(client->world, actor) == client->connection;
}

bool kn_client_view_body(const kn_client *client, kn_entity_id entity, kn_body *body)
{
    if (client == NULL || body == NULL) {
        KN_ASSERT(client != NULL && body != NULL);
        return false;
    }
    *body = (kn_body){0};
    kn_component_type_id type =
        client->world != NULL ? body_type(client) : (kn_component_type_id){0};
    if (type.index1 == 0 || !kn_entity_is_alive(client->world, entity)) {
        return false;
    }
    if (client->def.view == KN_CLIENT_VIEW_DELAYED && !is_own(client, entity)) {
        return frames_body(client, entity, client->views.others, body);
    }
    const kn_body *own = kn_component_read(client->world, type, entity);
    *body = own != NULL ? *own : *body;
    return own != NULL;
}

bool kn_client_body_at(const kn_client *client, kn_entity_id entity, kn_time time, kn_body *body)
{
    if (client == NULL || body == NULL) {
        KN_ASSERT(client != NULL && body != NULL);
        return false;
    }
    *body = (kn_body){0};
    return frames_body(client, entity, time - client->base, body);
}
