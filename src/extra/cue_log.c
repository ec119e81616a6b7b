// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The cues a player has received, and what happens when a rolled-back world publishes them again.
// What lasts is settled by looking at the world: the log only says where to look.

#include "extra/cue_player.h"

#include <string.h>

#define LOG_SPAN KN_S(4) // how long it remembers at most; see kn_cue_player_rewind()
#define LOG_TRIM_MIN 256
#define LOG_FIRST_HEADS 64

bool kni_cue_log_init(kn_cue_player *player)
{
    player->log_heads =
        kn_memory_resize(&player->def.hooks, NULL, 0, LOG_FIRST_HEADS * sizeof(uint32_t));
    player->log_head_count = player->log_heads != NULL ? LOG_FIRST_HEADS : 0;
    player->log_trim = LOG_TRIM_MIN;
    player->confirmed = INT64_MIN;
    return player->log_heads != NULL;
}

void kni_cue_log_free(kn_cue_player *player)
{
    kni_cue_log_clear(player);
    kn_memory_free(&player->def.hooks, player->log, player->log_capacity * sizeof(kni_cue_entry));
    kn_memory_free(
        &player->def.hooks, player->log_heads, player->log_head_count * sizeof(uint32_t));
    kn_memory_free(
        &player->def.hooks, player->touched, player->touched_capacity * sizeof(kn_entity_id));
}

void kni_cue_log_clear(kn_cue_player *player)
{
    for (uint32_t i = 0; i < player->log_count; i++) {
        kni_cue_block_release(&player->blocks, player->log[i].params);
    }
    player->log_count = 0;
    player->touched_count = 0;
    player->all_touched = false;
    player->is_resimulating = false;
    player->confirmed = INT64_MIN;
}

// Chains of what waits ------------------------------------------------------

static uint32_t log_head(const kn_cue_player *player, kn_time time, kn_entity_id entity,
    uint32_t tag, uint32_t type, uint32_t action)
{
    uint64_t key = kni_cue_mix((uint64_t)time, kn_entity_id_pack(entity));
    key = kni_cue_mix(key, (uint64_t)tag << 32 | (uint64_t)type << 2 | action);
    return (uint32_t)(key * 0xbf58476d1ce4e5b9u >> 32) & (player->log_head_count - 1);
}

static uint32_t entry_head(const kn_cue_player *player, const kni_cue_entry *entry)
{
    return log_head(player, entry->time, entry->entity, entry->tag, entry->type, entry->action);
}

// The earliest of equals comes first. If memory is short there are few heads, and chains are long.
static void log_chain(kn_cue_player *player)
{
    uint32_t count = player->log_head_count;
    while (count < player->log_count && count <= UINT32_MAX / 4) {
        count *= 2;
    }
    uint32_t *heads = kn_memory_resize(&player->def.hooks, player->log_heads,
        player->log_head_count * sizeof(uint32_t), count * sizeof(uint32_t));
    if (heads != NULL) {
        player->log_heads = heads;
        player->log_head_count = count;
    }
    memset(player->log_heads, 0, player->log_head_count * sizeof(uint32_t));
    for (uint32_t i = player->log_count; i-- > 0;) {
        kni_cue_entry *entry = &player->log[i];
        if (entry->state != KNI_CUE_TOLD) {
            uint32_t *head = &player->log_heads[entry_head(player, entry)];
            entry->next1 = *head;
            *head = i + 1;
        }
    }
}

static bool entry_equals(const kni_cue_entry *entry, const kn_event *event)
{
    return entry->time == event->time && kn_entity_id_equal(entry->entity, event->entity) &&
           entry->tag == event->data.cue.tag.index1 && entry->action == event->data.cue.action &&
           entry->type == event->data.cue.type.index1;
}

kni_cue_entry *kni_cue_log_match(kn_cue_player *player, const kn_event *event, kn_time now)
{
    if (!player->is_resimulating) {
        return NULL;
    }
    uint32_t *place = &player->log_heads[log_head(player, event->time, event->entity,
        event->data.cue.tag.index1, event->data.cue.type.index1, event->data.cue.action)];
    while (*place != 0 && !entry_equals(&player->log[*place - 1], event)) {
        place = &player->log[*place - 1].next1;
    }
    if (*place == 0) {
        return NULL;
    }
    kni_cue_entry *entry = &player->log[*place - 1];
    *place = entry->next1;
    entry->state = KNI_CUE_TOLD;
    entry->told = now;
    return entry;
}

// The log -------------------------------------------------------------------

uint32_t kni_cue_log_add(kn_cue_player *player, const kn_event *event, kn_time now)
{
    if (!kn_memory_grow(&player->def.hooks, &player->log, &player->log_capacity,
            player->log_count + 1, sizeof(kni_cue_entry))) {
        return 0;
    }
    player->log[player->log_count] = (kni_cue_entry){
        .time = event->time,
        .told = now,
        .serial = ++player->last_serial,
        .entity = event->entity,
        .effect = event->data.cue.effect,
        .tag = event->data.cue.tag.index1,
        .type = event->data.cue.type.index1,
        .action = (uint8_t)event->data.cue.action,
    };
    return ++player->log_count;
}

static void log_forget(kn_cue_player *player, kn_time before)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < player->log_count; i++) {
        if (player->log[i].told < before) {
            kni_cue_block_release(&player->blocks, player->log[i].params);
        } else {
            player->log[kept++] = player->log[i];
        }
    }
    player->log_count = kept;
    player->log_trim = kept > LOG_TRIM_MIN / 2 ? kept * 2 : LOG_TRIM_MIN;
    if (player->is_resimulating) {
        log_chain(player);
    }
}

void kni_cue_log_trim(kn_cue_player *player, kn_time now)
{
    if (player->log_count >= player->log_trim) {
        log_forget(player, now - LOG_SPAN);
    }
}

void kn_cue_player_confirm(kn_cue_player *player, kn_time time)
{
    if (player == NULL || !kni_cue_player_is_free(player)) {
        return;
    }
    player->confirmed = time > player->confirmed ? time : player->confirmed;
    if (!player->is_resimulating) {
        log_forget(player, player->confirmed);
    }
}

// Rolling back --------------------------------------------------------------

void kni_cue_touch(kn_cue_player *player, kn_entity_id entity)
{
    uint32_t count = player->touched_count;
    if (count > 0 && kn_entity_id_equal(player->touched[count - 1], entity)) {
        return;
    }
    if (!kn_memory_grow(&player->def.hooks, &player->touched, &player->touched_capacity, count + 1,
            sizeof(kn_entity_id))) {
        player->all_touched = true;
        return;
    }
    player->touched[player->touched_count++] = entity;
}

void kn_cue_player_rewind(kn_cue_player *player, kn_time time)
{
    if (player == NULL || !kni_cue_player_is_free(player)) {
        return;
    }
    for (uint32_t i = 0; i < player->log_count; i++) {
        kni_cue_entry *entry = &player->log[i];
        if (entry->told > time) {
            entry->state = KNI_CUE_WAITS;
        } else if (entry->state != KNI_CUE_WAITS) {
            // A step of length 0 may have published it after the snapshot.
            entry->state = entry->told == time ? KNI_CUE_MAY_REPEAT : KNI_CUE_TOLD;
        }
    }
    player->is_resimulating = true;
    log_chain(player);
}

// Undoes a change of an active cue that was not published again: the world decides.
static void update_undo(kn_cue_player *player, const kn_world *world, const kni_cue_entry *entry)
{
    kn_tag tag = {entry->tag};
    kni_cue_hold *hold = kni_cue_hold_find(player, entry->entity, tag, entry->effect, false);
    kn_cue_active active = {tag, 1, entry->effect};
    kn_cue_params params;
    if (hold != NULL && kn_cue_active_params(world, entry->entity, &active, &params)) {
        kni_cue_message telling = {.world = world, .entity = entry->entity, .tag = tag};
        telling.params = &params;
        kni_cue_hold_update(player, hold, &telling);
    }
}

static void touched_settle(kn_cue_player *player, const kn_world *world)
{
    if (player->all_touched) {
        kni_cue_compare_all(player, world);
    }
    for (uint32_t i = 0; i < player->touched_count; i++) {
        kni_cue_compare(player, world, player->touched[i]);
    }
    player->touched_count = 0;
    player->all_touched = false;
}

// Forgets what was not published again.
static void log_settle(kn_cue_player *player)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < player->log_count; i++) {
        if (player->log[i].state == KNI_CUE_WAITS) {
            kni_cue_block_release(&player->blocks, player->log[i].params);
            continue;
        }
        player->log[kept] = player->log[i];
        player->log[kept++].state = KNI_CUE_TOLD;
    }
    player->log_count = kept;
    log_forget(player, player->confirmed);
}

void kn_cue_player_settle(kn_cue_player *player, const kn_world *world)
{
    if (player == NULL || !kni_cue_player_is_free(player) || !player->is_resimulating) {
        return;
    }
    player->is_resimulating = false;
    for (uint32_t i = 0; i < player->log_count; i++) {
        kni_cue_entry *entry = &player->log[i];
        if (entry->state == KNI_CUE_WAITS && entry->action == KN_CUE_EXECUTED) {
            kni_cue_cancel(player, world, entry);
        } else if (entry->state == KNI_CUE_WAITS) {
            kni_cue_touch(player, entry->entity);
        }
    }
    touched_settle(player, world);
    for (uint32_t i = 0; i < player->log_count; i++) {
        const kni_cue_entry *entry = &player->log[i];
        if (entry->state == KNI_CUE_WAITS && entry->action == KN_CUE_UPDATED) {
            update_undo(player, world, entry);
        }
    }
    log_settle(player);
}
