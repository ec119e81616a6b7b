// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cues that are handed to a player one by one, such as those that a client of a session reports:
// somebody else has sorted out already what is new and what never happened.

#include "extra/cue_player.h"

static bool feed_is_good(const kn_cue_player *player, const kn_world *world, const kn_event *event)
{
    KN_ASSERT(player != NULL && world != NULL && event != NULL);
    return player != NULL && world != NULL && event != NULL && event->type == KN_EVENT_CUE &&
           kni_cue_player_is_free(player);
}

// The hold of a cue. Effects may have got other ids meanwhile: then one of the same instigator, or
// any of the same tag.
static kni_cue_hold *feed_hold(
    const kn_cue_player *player, const kn_event *event, const kn_cue_params *params)
{
    kn_tag tag = event->data.cue.tag;
    kni_cue_hold *hold =
        kni_cue_hold_find(player, event->entity, tag, event->data.cue.effect, false);
    kni_cue_hold *same = NULL, *any = NULL, *at = NULL;
    while (hold == NULL && (at = kni_cue_hold_next(player, event->entity, at)) != NULL) {
        if (at->is_local || at->tag != tag.index1) {
            continue;
        }
        any = any != NULL ? any : at;
        if (same == NULL && kn_entity_id_equal(at->instigator, params->instigator)) {
            same = at;
        }
    }
    return hold != NULL ? hold : same != NULL ? same : any;
}

static kni_cue_message feed_message(
    const kn_world *world, const kn_event *event, const kn_cue_params *params)
{
    return (kni_cue_message){.world = world,
        .entity = event->entity,
        .effect = event->data.cue.effect,
        .tag = event->data.cue.tag,
        .is_new = true,
        .interrupted = event->data.cue.interrupted,
        .params = params,
        .count = 1};
}

void kn_cue_player_play(kn_cue_player *player, const kn_world *world, const kn_event *event,
    const kn_cue_params *params, bool is_found)
{
    if (!feed_is_good(player, world, event)) {
        return;
    }
    kn_cue_params none = kn_cue_params_default();
    none.magnitude = event->data.cue.magnitude;
    params = params != NULL ? params : &none;
    player->world = world;
    kni_cue_log_trim(player, kn_world_now(world));
    if (kni_cue_is_hidden(player, event->entity)) {
        return;
    }
    kni_cue_message message = feed_message(world, event, params);
    message.is_new = !is_found;
    kni_cue_hold *hold = feed_hold(player, event, params);
    switch (event->data.cue.action) {
    case KN_CUE_EXECUTED:
        kni_cue_execute(player, &message, kni_cue_log_add(player, event, event->time));
        break;
    case KN_CUE_ADDED: // another one with the same tag has a hold of its own
        hold = kni_cue_hold_find(player, event->entity, message.tag, event->data.cue.effect, false);
        if (hold == NULL) {
            (void)kni_cue_hold_add(player, &message);
        }
        break;
    case KN_CUE_UPDATED:
        if (hold != NULL) {
            kni_cue_hold_update(player, hold, &message);
        }
        break;
    case KN_CUE_REMOVED:
        if (hold != NULL) {
            kni_cue_hold_remove(player, hold, &message);
        } else {
            player->stats.mismatched++;
        }
        break;
    }
}

// The log entry of an executed cue, the nearest in time: it may have been played for another tick
// than the one it turned out to belong to.
static kni_cue_entry *feed_entry(const kn_cue_player *player, const kn_event *event)
{
    kni_cue_entry *best = NULL;
    uint64_t best_distance = 0;
    for (uint32_t i = player->log_count; i-- > 0;) {
        kni_cue_entry *entry = &player->log[i];
        if (entry->action != KN_CUE_EXECUTED || entry->tag != event->data.cue.tag.index1 ||
            entry->type != event->data.cue.type.index1 ||
            !kn_entity_id_equal(entry->entity, event->entity)) {
            continue;
        }
        uint64_t distance = entry->time > event->time ? (uint64_t)(entry->time - event->time)
                                                      : (uint64_t)(event->time - entry->time);
        if (best == NULL || distance < best_distance) {
            best = entry;
            best_distance = distance;
        }
    }
    return best;
}

// Cancels an executed cue that was played.
static void feed_cancel(kn_cue_player *player, const kn_world *world, const kn_event *event)
{
    kni_cue_entry *entry = feed_entry(player, event);
    if (entry != NULL) {
        kni_cue_entry copy = *entry;    // a handler may play local cues
        entry->action = KN_CUE_UPDATED; // means nothing without a rewind
        entry->params = NULL;
        kni_cue_cancel(player, world, &copy);
        kni_cue_block_release(&player->blocks, copy.params);
    }
}

void kn_cue_player_revoke(kn_cue_player *player, const kn_world *world, const kn_event *event,
    const kn_cue_params *params)
{
    if (!feed_is_good(player, world, event)) {
        return;
    }
    kn_cue_params none = kn_cue_params_default();
    params = params != NULL ? params : &none;
    player->world = world;
    kni_cue_message message = feed_message(world, event, params);
    switch (event->data.cue.action) {
    case KN_CUE_EXECUTED:
        feed_cancel(player, world, event);
        break;
    case KN_CUE_ADDED: {
        kni_cue_hold *hold = feed_hold(player, event, params);
        message.interrupted = true;
        if (hold != NULL) {
            kni_cue_hold_remove(player, hold, &message);
        }
        break;
    }
    case KN_CUE_REMOVED: // it is still there
        message.is_new = false;
        if (kn_entity_is_alive(world, event->entity) && !kni_cue_is_hidden(player, event->entity)) {
            (void)kni_cue_hold_add(player, &message);
        }
        break;
    case KN_CUE_UPDATED: // the next one says what is right
        break;
    }
}
