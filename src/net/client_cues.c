// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cues of a client. Those that last are state: what a correction adds or removes is reported. Those
// that happen once are compared with what the server says of an entity, tick by tick: what was
// computed here is not shown again, what could not be is shown, and what was shown by mistake is
// revoked.

#include "client.h"

// What lasts ----------------------------------------------------------------

void kni_shown_cues_clear(shown *s)
{
    for (uint32_t i = 0; i < s->cue_count; i++) {
        kni_params_drop(s->cues[i].params);
    }
    s->cue_count = 0;
}

static kn_result shown_cue_add(kn_client *client, shown *s, const kn_cue_active *active)
{
    kn_cue_params params;
    kn_effect_info info = {0};
    if (!kn_cue_active_params(client->world, s->entity, active, &params)) {
        return KN_OK;
    }
    (void)kn_effect_get(client->world, active->effect, &info);
    kept_params *kept = kni_params_keep(&client->def.hooks, client->def.library, &params);
    if (kept == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    s->cues[s->cue_count++] = (shown_cue){*active, info.type, kept, NULL};
    return KN_OK;
}

kn_result kni_shown_cues(kn_client *client, shown *s)
{
    uint32_t count = kn_cues(client->world, s->entity, NULL, 0);
    if (count == 0 || (client->def.event_mask >> KN_EVENT_CUE & 1) == 0) {
        return KN_OK;
    }
    size_t size = count * sizeof(kn_cue_active);
    kn_cue_active *active = kn_memory_resize(&client->def.hooks, NULL, 0, size);
    if (active == NULL ||
        !kn_memory_grow(&client->def.hooks, &s->cues, &s->cue_capacity, count, sizeof(shown_cue))) {
        kn_memory_free(&client->def.hooks, active, size);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    count = kn_cues(client->world, s->entity, active, count);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < count && result == KN_OK; i++) {
        result = shown_cue_add(client, s, &active[i]);
    }
    kn_memory_free(&client->def.hooks, active, size);
    return result;
}

static bool shown_cues_are_alike(const shown_cue *a, const shown_cue *b, bool is_exact)
{
    return a->active.tag.index1 == b->active.tag.index1 && a->type.index1 == b->type.index1 &&
           (is_exact ? kn_effect_id_equal(a->active.effect, b->active.effect)
                     : kn_entity_id_equal(
                           a->params->params.instigator, b->params->params.instigator));
}

// Finds for each cue the one that it was before: that of the same effect, or of one like it, since
// effects that are written anew may get other ids.
static void shown_cues_pair(const shown *before, const shown *after, bool is_exact)
{
    for (uint32_t i = 0; i < after->cue_count; i++) {
        shown_cue *now = &after->cues[i];
        for (uint32_t j = 0; j < before->cue_count && now->other == NULL; j++) {
            shown_cue *old = &before->cues[j];
            if (old->other == NULL && shown_cues_are_alike(old, now, is_exact)) {
                old->other = now;
                now->other = old;
            }
        }
    }
}

static kn_result shown_cue_report(kn_client *client, kn_entity_id entity, const shown_cue *cue,
    kn_cue_action action, bool is_found)
{
    kn_event event = {.type = KN_EVENT_CUE, .time = kn_world_now(client->world), .entity = entity};
    event.data.cue.tag = cue->active.tag;
    event.data.cue.action = action;
    event.data.cue.effect = cue->active.effect;
    event.data.cue.type = cue->type;
    event.data.cue.magnitude = cue->params->params.magnitude;
    event.data.cue.interrupted = action == KN_CUE_REMOVED;
    kn_event opposite = event;
    opposite.data.cue.action = action == KN_CUE_ADDED ? KN_CUE_REMOVED : KN_CUE_ADDED;
    if (action != KN_CUE_UPDATED && kni_computed_forget(client, &opposite)) {
        return KN_OK;
    }
    kn_result result = kni_reported_add_cue(
        &client->def.hooks, &client->fresh, 0, &event, kni_params_share(cue->params));
    if (result == KN_OK) {
        client->fresh.data[client->fresh.count - 1].is_found = is_found;
    }
    return result;
}

static bool shown_cues_differ(const shown_cue *a, const shown_cue *b)
{
    const kn_cue_params *p = &a->params->params, *q = &b->params->params;
    return p->magnitude < q->magnitude || p->magnitude > q->magnitude || p->stacks != q->stacks ||
           p->effect_level < q->effect_level || p->effect_level > q->effect_level;
}

kn_result kni_shown_cues_compare(kn_client *client, const shown *before, const shown *after)
{
    kn_result result = KN_OK;
    shown_cues_pair(before, after, true);
    shown_cues_pair(before, after, false);
    for (uint32_t i = 0; i < before->cue_count && result == KN_OK; i++) {
        if (before->cues[i].other == NULL) {
            result =
                shown_cue_report(client, before->entity, &before->cues[i], KN_CUE_REMOVED, false);
        }
    }
    for (uint32_t i = 0; i < after->cue_count && result == KN_OK; i++) {
        const shown_cue *now = &after->cues[i], *old = now->other;
        if (old == NULL) {
            result = shown_cue_report(client, after->entity, now, KN_CUE_ADDED, !before->is_alive);
        } else if (shown_cues_differ(old, now)) {
            result = shown_cue_report(client, after->entity, now, KN_CUE_UPDATED, false);
        }
    }
    return result;
}

// What happens once ---------------------------------------------------------

kn_result kni_arrival_cues(kn_client *client, kn_reader *in, arrival *a)
{
    uint64_t size = kni_read_number(in), end = in->at + size;
    uint64_t span = kni_read_number(in), count = kni_read_number(in);
    if (in->failed || span > CUE_SPAN || span > a->tick || count > CUES_MAX) {
        in->failed = true;
        return KN_OK;
    }
    a->has_cues = true;
    a->cues_from = a->tick - span;
    if (count == 0) {
        in->failed = in->at != end;
        return KN_OK;
    }
    a->cues = kn_memory_resize(&client->def.hooks, NULL, 0, (size_t)count * sizeof(wire_cue));
    if (a->cues == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    a->cue_count = (uint32_t)count;
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < a->cue_count; i++) {
        kn_result read =
            kni_cue_read(&client->def.hooks, in, client->def.library, a->tick, &a->cues[i]);
        result = result == KN_OK ? read : result;
    }
    in->failed = in->failed || in->at != end;
    if (in->failed || result != KN_OK) {
        kni_arrival_free(client, a);
    }
    return result;
}

void kni_arrival_free(const kn_client *client, arrival *a)
{
    kni_cues_drop(a->cues, a->cue_count);
    kn_memory_free(&client->def.hooks, a->cues, a->cue_count * sizeof(wire_cue));
    a->cues = NULL;
    a->cue_count = 0;
}

// Whether a report is a cue that happened once on an entity, in ticks that an arrival speaks of.
static bool report_is_meant(const report *r, const arrival *a)
{
    return r->event.type == KN_EVENT_CUE && r->event.data.cue.action == KN_CUE_EXECUTED &&
           r->tick >= a->cues_from && r->tick <= a->tick &&
           kn_entity_id_equal(r->event.entity, a->entity);
}

static report *cue_find(report_list *list, const arrival *a, const wire_cue *cue)
{
    for (uint32_t i = 0; i < list->count; i++) {
        report *r = &list->data[i];
        if (!r->is_known && r->tick == cue->tick &&
            r->event.data.cue.tag.index1 == cue->tag.index1 &&
            r->event.data.cue.type.index1 == cue->type.index1 && report_is_meant(r, a)) {
            return r;
        }
    }
    return NULL;
}

// Entities as they are known here, since only their index was sent.
static void entity_complete(const kn_client *client, kn_entity_id *entity)
{
    *entity = entity->index1 != 0 ? kni_client_entity_id(client, entity->index1) : *entity;
}

// A cue that could not be computed here.
static kn_result cue_report(kn_client *client, const arrival *a, const wire_cue *cue)
{
    kn_cue_params params = cue->params;
    if (cue->more != NULL) {
        params.payload_type = cue->more->params.payload_type;
        params.payload = cue->more->params.payload;
        params.targets = cue->more->params.targets;
    }
    entity_complete(client, &params.instigator);
    entity_complete(client, &params.causer);
    kept_params *kept = kni_params_keep(&client->def.hooks, client->def.library, &params);
    if (kept == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_event event = {.type = KN_EVENT_CUE,
        .time = client->base + kni_tick_time(cue->tick, client->rate),
        .entity = a->entity};
    event.data.cue.tag = cue->tag;
    event.data.cue.action = KN_CUE_EXECUTED;
    event.data.cue.type = cue->type;
    event.data.cue.magnitude = params.magnitude;
    kn_result result =
        kni_reported_add_cue(&client->def.hooks, &client->fresh, cue->tick, &event, kept);
    if (result == KN_OK) {
        client->fresh.data[client->fresh.count - 1].is_known = true; // by this arrival
    }
    return result;
}

// Cues of confirmed ticks that did not happen are revoked now, others when lists are compared.
static kn_result cues_revoke(kn_client *client, const arrival *a, bool *differs)
{
    kn_result result = KN_OK;
    for (uint32_t i = client->past.count; i-- > 0 && result == KN_OK;) {
        const report *r = &client->past.data[i];
        if (!r->is_known && report_is_meant(r, a)) {
            result = kni_reports_event(client, r, KN_CLIENT_REVOKED, false);
            client->stats.revoked++;
            kni_reported_remove(&client->past, i);
        }
    }
    for (uint32_t i = client->fresh.count; i-- > 0;) {
        const report *r = &client->fresh.data[i];
        if (!r->is_known && report_is_meant(r, a)) {
            kni_reported_remove(&client->fresh, i);
            *differs = true;
        }
    }
    return result;
}

kn_result kni_cues_settle(kn_client *client, const arrival *a, bool *differs)
{
    if (!a->has_cues || (client->def.event_mask >> KN_EVENT_CUE & 1) == 0) {
        return KN_OK;
    }
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < a->cue_count && result == KN_OK; i++) {
        const wire_cue *cue = &a->cues[i];
        report *known = cue_find(&client->past, a, cue);
        known = known != NULL ? known : cue_find(&client->fresh, a, cue);
        if (known != NULL) {
            known->is_known = true;
        } else {
            result = cue_report(client, a, cue);
            *differs = true;
        }
    }
    result = result == KN_OK ? cues_revoke(client, a, differs) : result;
    for (uint32_t i = 0; i < client->past.count; i++) {
        client->past.data[i].is_known = false;
    }
    for (uint32_t i = 0; i < client->fresh.count; i++) {
        client->fresh.data[i].is_known = false;
    }
    return result;
}
