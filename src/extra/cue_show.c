// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Handlers of a cue player, their instances, and what waits for assets. A handler may play local
// cues while it is called: whatever is changed here is changed before the call, and looked at
// again after it.

#include "extra/cue_player.h"

#include <string.h>

// Handlers ------------------------------------------------------------------

kn_cue_handler_def kn_cue_handler_def_default(void)
{
    kn_cue_handler_def def = {.handles_children = true, .cookie = KN_COOKIE};
    return def;
}

uint32_t kni_cue_handler_at(const kn_cue_player *player, uint32_t tag)
{
    return tag != 0 && tag <= player->tag_count ? player->by_tag[tag - 1] - 1 : KNI_CUE_NONE;
}

// The handler of the nearest tag above, of those that handle what is below them.
static uint32_t handler_above(const kn_cue_player *player, kn_tag tag)
{
    while ((tag = kn_tag_parent(player->def.library, tag)).index1 != 0) {
        uint32_t handler = kni_cue_handler_at(player, tag.index1);
        if (handler != KNI_CUE_NONE && player->handlers[handler].def.handles_children) {
            return handler;
        }
    }
    return KNI_CUE_NONE;
}

uint32_t kni_cue_handler_of(
    kn_cue_player *player, const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    if (player->def.translate != NULL) {
        player->depth++;
        kn_tag other = player->def.translate(player->def.user, world, entity, tag);
        player->depth--;
        tag = other.index1 != 0 && other.index1 <= player->tag_count ? other : tag;
    }
    uint32_t exact = kni_cue_handler_at(player, tag.index1);
    return exact != KNI_CUE_NONE ? exact : handler_above(player, tag);
}

uint32_t kni_cue_handler_next(const kn_cue_player *player, uint32_t handler)
{
    const kn_cue_handler_def *def = &player->handlers[handler].def;
    return def->also_parent ? handler_above(player, def->tag) : KNI_CUE_NONE;
}

static kni_cue_asset asset_of(kn_cue_load load)
{
    return load == KN_CUE_LOADED    ? KNI_CUE_READY
           : load == KN_CUE_LOADING ? KNI_CUE_LOADS
                                    : KNI_CUE_ABSENT;
}

// Load state of a handler's assets; requests them the first time.
static kni_cue_asset handler_asset(kn_cue_player *player, uint32_t handler)
{
    if (player->handlers[handler].asset == KNI_CUE_UNASKED) {
        kn_cue_load load = KN_CUE_LOADED;
        if (player->def.load != NULL) {
            player->depth++;
            load = player->def.load(player->def.user, player->handlers[handler].def.tag);
            player->depth--;
        }
        player->handlers[handler].asset = asset_of(load);
    }
    return player->handlers[handler].asset;
}

static uint32_t handler_place(kn_cue_player *player)
{
    for (uint32_t i = 0; i < player->handler_count; i++) {
        if (player->handlers[i].def.tag.index1 == 0) {
            return i;
        }
    }
    if (!kn_memory_grow(&player->def.hooks, &player->handlers, &player->handler_capacity,
            player->handler_count + 1, sizeof(kni_cue_handler))) {
        return KNI_CUE_NONE;
    }
    return player->handler_count++;
}

kn_result kn_cue_handler_add(kn_cue_player *player, const kn_cue_handler_def *def)
{
    if (player == NULL || def == NULL || def->cookie != KN_COOKIE || def->tag.index1 == 0 ||
        def->tag.index1 > player->tag_count ||
        (def->kind != KN_CUE_STATIC && def->kind != KN_CUE_INSTANCED)) {
        KN_ASSERT(player != NULL);
        KN_ASSERT_DEF(def, kn_cue_handler_def);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kni_cue_handler_at(player, def->tag.index1) != KNI_CUE_NONE) {
        return KN_REFUSED_DUPLICATE;
    }
    uint32_t handler = handler_place(player);
    if (handler == KNI_CUE_NONE) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    player->handlers[handler] = (kni_cue_handler){.def = *def};
    player->by_tag[def->tag.index1 - 1] = handler + 1;
    if (player->def.preload == KN_CUE_LOAD_ALL) {
        (void)handler_asset(player, handler);
    }
    return KN_OK;
}

// Calling -------------------------------------------------------------------

typedef kn_cue_fn *cue_fn;

static void host_call(kn_cue_player *player, uint32_t handler, cue_fn function,
    const kni_cue_message *telling, kni_cue_instance *instance, bool interrupted)
{
    if (function == NULL) {
        return;
    }
    const kn_cue_handler_def *def = &player->handlers[handler].def;
    uint64_t fleeting = 0; // of instanced handlers without an instance
    kn_cue_call call = {
        .player = player,
        .world = telling->world,
        .user = def->user,
        .entity = telling->entity,
        .tag = telling->tag,
        .handled = def->tag,
        .params = telling->params,
        .count = telling->count,
        .interrupted = interrupted,
    };
    if (def->kind == KN_CUE_INSTANCED) {
        call.slot = instance != NULL ? &instance->slot : &fleeting;
    }
    player->depth++;
    function(&call);
    player->depth--;
}

// Waiting for assets --------------------------------------------------------

static void waiting_remove(kn_cue_player *player, uint32_t index)
{
    kni_cue_block_release(&player->blocks, player->waiting[index].params);
    player->waiting_count--;
    memmove(&player->waiting[index], &player->waiting[index + 1],
        (player->waiting_count - index) * sizeof(kni_cue_waiting));
}

static kni_cue_waiting *waiting_push(
    kn_cue_player *player, uint32_t handler, const kni_cue_message *telling)
{
    if (!kn_memory_grow(&player->def.hooks, &player->waiting, &player->waiting_capacity,
            player->waiting_count + 1, sizeof(kni_cue_waiting))) {
        player->stats.dropped++;
        return NULL;
    }
    kni_cue_waiting *waiting = &player->waiting[player->waiting_count++];
    *waiting = (kni_cue_waiting){
        .handler = handler,
        .tag = telling->tag.index1,
        .entity = telling->entity,
        .count = telling->count,
        .is_new = telling->is_new,
    };
    return waiting;
}

void kni_cue_waiting_clear(kn_cue_player *player)
{
    while (player->waiting_count > 0) {
        waiting_remove(player, player->waiting_count - 1);
    }
}

static void waiting_forget_instance(kn_cue_player *player, uint32_t instance1)
{
    for (uint32_t i = player->waiting_count; i-- > 0;) {
        if (player->waiting[i].instance1 == instance1) {
            waiting_remove(player, i);
        }
    }
}

static bool waiting_forget_serial(kn_cue_player *player, uint32_t handler, uint64_t serial)
{
    for (uint32_t i = 0; i < player->waiting_count; i++) {
        if (player->waiting[i].handler == handler && player->waiting[i].serial == serial) {
            waiting_remove(player, i);
            return true;
        }
    }
    return false;
}

// Instances -----------------------------------------------------------------

static uint64_t instance_hash(uint32_t handler, kn_entity_id entity, kn_entity_id instigator)
{
    uint64_t key = kni_cue_mix(kn_entity_id_pack(entity), handler);
    return kni_cue_mix(key, kn_entity_id_pack(instigator)) * 0xbf58476d1ce4e5b9u;
}

static kn_entity_id instigator_of(
    const kn_cue_player *player, uint32_t handler, const kn_cue_params *params)
{
    bool matters = player->handlers[handler].def.per_instigator && params != NULL;
    return matters ? params->instigator : (kn_entity_id){0};
}

static kni_cue_instance *instance_find(
    const kn_cue_player *player, uint32_t handler, kn_entity_id entity, kn_entity_id instigator)
{
    uint64_t hash = instance_hash(handler, entity, instigator);
    kni_cue_instance *instance = NULL;
    while ((instance = kni_cue_map_next(
                &player->instances, hash, instance != NULL ? &instance->link : NULL)) != NULL) {
        if (instance->handler == handler && kn_entity_id_equal(instance->entity, entity) &&
            kn_entity_id_equal(instance->instigator, instigator)) {
            break;
        }
    }
    return instance;
}

static bool handler_has_instances(const kn_cue_player *player, uint32_t handler)
{
    return player->handlers[handler].def.kind == KN_CUE_INSTANCED;
}

// Reuses a kept instance, or creates one.
static kni_cue_instance *instance_take(kn_cue_player *player, uint32_t handler)
{
    kni_cue_instance *instance = kni_cue_instance_at(player, player->handlers[handler].kept1);
    if (instance != NULL) {
        player->handlers[handler].kept1 = instance->kept_next1;
        instance->is_kept = false;
        return instance;
    }
    instance = kni_cue_map_new(&player->instances, &player->def.hooks);
    if (instance != NULL) {
        instance->handler = handler;
        player->instance_count += handler_has_instances(player, handler);
    }
    return instance;
}

// No longer needed.
static void instance_let_go(kn_cue_player *player, kni_cue_instance *instance)
{
    kni_cue_handler *handler = &player->handlers[instance->handler];
    kni_cue_block_release(&player->blocks, instance->params);
    instance->params = NULL;
    if (handler->def.keeps_instance && handler->def.kind == KN_CUE_INSTANCED) {
        kni_cue_map_unlink(&player->instances, &instance->link);
        instance->is_kept = true;
        instance->kept_next1 = handler->kept1;
        handler->kept1 = instance->link.index1;
        return;
    }
    player->instance_count -= handler_has_instances(player, instance->handler);
    kni_cue_map_release(&player->instances, &instance->link);
}

static bool params_keep(kn_cue_player *player, kni_cue_block **place, const kn_cue_params *params)
{
    kni_cue_block *block =
        kni_cue_block_new(&player->blocks, &player->def.hooks, player->def.library, params);
    if (block != NULL) {
        kni_cue_block_release(&player->blocks, *place);
        *place = block;
    }
    return block != NULL;
}

// The instance of a cue, with one more addition; NULL beyond the limit or without memory.
static kni_cue_instance *instance_hold(
    kn_cue_player *player, uint32_t handler, const kni_cue_message *telling)
{
    kn_entity_id instigator = instigator_of(player, handler, telling->params);
    kni_cue_instance *instance = instance_find(player, handler, telling->entity, instigator);
    kni_cue_handler *h = &player->handlers[handler];
    if (instance == NULL) {
        bool is_full =
            h->def.kind == KN_CUE_INSTANCED && h->def.limit != 0 && h->active >= h->def.limit;
        instance = is_full ? NULL : instance_take(player, handler);
        if (instance == NULL) {
            return NULL;
        }
        instance->entity = telling->entity;
        instance->instigator = instigator;
        kni_cue_map_link(&player->instances, &player->def.hooks, &instance->link,
            instance_hash(handler, telling->entity, instigator));
    }
    if (instance->count == 0) {
        if (!params_keep(player, &instance->params, telling->params)) {
            instance_let_go(player, instance);
            return NULL;
        }
        instance->tag = telling->tag.index1;
        h->active++;
    }
    instance->count++;
    return instance;
}

static bool instance_play(
    kn_cue_player *player, kni_cue_instance *instance, kni_cue_message telling)
{
    kn_cue_handler_def def = player->handlers[instance->handler].def;
    uint32_t stamp = ++player->last_stamp;
    instance->is_shown = true;
    instance->stamp = stamp;
    telling.count = instance->count;
    if (telling.is_new) {
        host_call(player, instance->handler, def.active, &telling, instance, false);
    }
    if (instance->link.index1 != 0 && instance->is_shown && instance->stamp == stamp) {
        host_call(player, instance->handler, def.while_active, &telling, instance, false);
    }
    return true;
}

// True if it is visible now.
static bool instance_show(
    kn_cue_player *player, kni_cue_instance *instance, const kni_cue_message *telling)
{
    if (instance->is_shown || instance->count != 1) {
        return false;
    }
    kni_cue_asset asset = handler_asset(player, instance->handler);
    if (asset == KNI_CUE_LOADS) {
        kni_cue_waiting *waiting = waiting_push(player, instance->handler, telling);
        if (waiting != NULL) {
            waiting->instance1 = instance->link.index1;
        }
    }
    return asset == KNI_CUE_READY && instance_play(player, instance, *telling);
}

// No hold refers to it any more.
static void instance_hide(
    kn_cue_player *player, kni_cue_instance *instance, const kni_cue_message *given)
{
    waiting_forget_instance(player, instance->link.index1);
    kni_cue_block *block = instance->params;
    instance->params = NULL;
    if (instance->is_shown) {
        kni_cue_message telling = *given;
        telling.params = given->params != NULL ? given->params : &block->params;
        telling.count = 0;
        instance->is_shown = false;
        host_call(player, instance->handler, player->handlers[instance->handler].def.removed,
            &telling, instance, given->interrupted);
    }
    kni_cue_block_release(&player->blocks, block);
    if (instance->count == 0) {
        instance_let_go(player, instance);
    }
}

static void instance_drop(kn_cue_player *player, kni_cue_instance *instance, uint32_t count,
    const kni_cue_message *telling)
{
    KN_ASSERT(instance->count >= count);
    instance->count -= count;
    if (instance->count == 0) {
        player->handlers[instance->handler].active--;
        instance_hide(player, instance, telling);
    }
}

// What happens once ---------------------------------------------------------

static bool execute_one(
    kn_cue_player *player, uint32_t handler, const kni_cue_message *telling, uint64_t serial)
{
    kni_cue_asset asset = handler_asset(player, handler);
    if (asset == KNI_CUE_READY) {
        kni_cue_instance *instance = instance_find(
            player, handler, telling->entity, instigator_of(player, handler, telling->params));
        host_call(
            player, handler, player->handlers[handler].def.executed, telling, instance, false);
        return true;
    }
    kni_cue_waiting *waiting =
        asset == KNI_CUE_LOADS ? waiting_push(player, handler, telling) : NULL;
    if (waiting != NULL) {
        waiting->serial = serial;
        if (!params_keep(player, &waiting->params, telling->params)) {
            player->waiting_count--;
            player->stats.dropped++;
        }
    }
    return false;
}

void kni_cue_execute(kn_cue_player *player, const kni_cue_message *telling, uint32_t entry1)
{
    uint32_t handler = kni_cue_handler_of(player, telling->world, telling->entity, telling->tag);
    kni_cue_entry *entry = entry1 != 0 ? &player->log[entry1 - 1] : NULL;
    uint64_t serial = entry != NULL ? entry->serial : 0;
    if (entry != NULL && handler != KNI_CUE_NONE) {
        entry->handled = player->handlers[handler].def.tag.index1;
        entry->count = telling->count;
    }
    bool is_played = false;
    while (handler != KNI_CUE_NONE) {
        if (entry != NULL && entry->params == NULL &&
            player->handlers[handler].def.cancelled != NULL) {
            (void)params_keep(player, &entry->params, telling->params);
        }
        is_played |= execute_one(player, handler, telling, serial);
        handler = kni_cue_handler_next(player, handler);
    }
    player->stats.played += is_played;
}

void kni_cue_cancel(kn_cue_player *player, const kn_world *world, kni_cue_entry *entry)
{
    kn_cue_params none = kn_cue_params_default();
    kni_cue_message telling = {
        .world = world,
        .entity = entry->entity,
        .tag = {entry->tag},
        .count = entry->count,
        .params = entry->params != NULL ? &entry->params->params : &none,
    };
    uint32_t handler = kni_cue_handler_at(player, entry->handled);
    if (handler == KNI_CUE_NONE) {
        return;
    }
    player->stats.cancelled++;
    while (handler != KNI_CUE_NONE) {
        const kni_cue_handler *h = &player->handlers[handler];
        if (!waiting_forget_serial(player, handler, entry->serial) && h->asset == KNI_CUE_READY) {
            kni_cue_instance *instance = instance_find(
                player, handler, telling.entity, instigator_of(player, handler, telling.params));
            host_call(player, handler, h->def.cancelled, &telling, instance, true);
        }
        handler = kni_cue_handler_next(player, handler);
    }
}

// What lasts ----------------------------------------------------------------

kni_cue_hold *kni_cue_hold_next(
    const kn_cue_player *player, kn_entity_id entity, const kni_cue_hold *hold)
{
    kni_cue_hold *next = NULL;
    const kni_cue_link *link = hold != NULL ? &hold->link : NULL;
    while ((next = kni_cue_map_next(&player->holds, kni_cue_entity_hash(entity), link)) != NULL &&
           !kn_entity_id_equal(next->entity, entity)) {
        link = &next->link;
    }
    return next;
}

kni_cue_hold *kni_cue_hold_find(const kn_cue_player *player, kn_entity_id entity, kn_tag tag,
    kn_effect_id effect, bool is_local)
{
    kni_cue_hold *hold = NULL;
    while ((hold = kni_cue_hold_next(player, entity, hold)) != NULL) {
        if (hold->tag == tag.index1 && hold->is_local == is_local &&
            kn_effect_id_equal(hold->effect, effect)) {
            break;
        }
    }
    return hold;
}

static kni_cue_hold *hold_new(kn_cue_player *player, const kni_cue_message *telling)
{
    kni_cue_hold *hold = kni_cue_map_new(&player->holds, &player->def.hooks);
    if (hold == NULL) {
        player->stats.dropped++;
        return NULL;
    }
    hold->entity = telling->entity;
    hold->effect = telling->effect;
    hold->instigator = telling->params->instigator;
    hold->tag = telling->tag.index1;
    hold->count = 1;
    hold->stamp = ++player->last_stamp;
    hold->is_local = telling->is_local;
    return hold;
}

// Finds an instance for each handler that is called.
static void hold_bind(kn_cue_player *player, kni_cue_hold *first, const kni_cue_message *telling)
{
    uint32_t handler = kni_cue_handler_of(player, telling->world, telling->entity, telling->tag);
    kni_cue_hold *hold = first;
    while (handler != KNI_CUE_NONE) {
        if (hold == NULL) {
            return;
        }
        kni_cue_instance *instance = instance_hold(player, handler, telling);
        if (instance != NULL) {
            hold->instance1 = instance->link.index1;
        } else {
            player->stats.dropped++;
        }
        handler = kni_cue_handler_next(player, handler);
        if (handler != KNI_CUE_NONE) {
            kni_cue_hold *part = hold_new(player, telling);
            if (part != NULL) {
                part->is_part = true;
                hold->part1 = part->link.index1;
            }
            hold = part;
        }
    }
}

bool kni_cue_hold_add(kn_cue_player *player, const kni_cue_message *telling)
{
    kni_cue_hold *first = hold_new(player, telling);
    if (first == NULL) {
        return false;
    }
    uint32_t stamp = first->stamp;
    kni_cue_map_link(
        &player->holds, &player->def.hooks, &first->link, kni_cue_entity_hash(telling->entity));
    hold_bind(player, first, telling);
    bool is_played = false;
    for (kni_cue_hold *hold = first; hold != NULL; hold = kni_cue_hold_at(player, hold->part1)) {
        if (hold->instance1 != 0) {
            is_played |=
                instance_show(player, kni_cue_instance_at(player, hold->instance1), telling);
        }
        if (first->link.index1 == 0 || first->stamp != stamp) {
            break; // a handler removed it
        }
    }
    player->stats.played += is_played;
    return true;
}

void kni_cue_hold_remove(kn_cue_player *player, kni_cue_hold *hold, const kni_cue_message *telling)
{
    uint32_t count = hold->count;
    kni_cue_map_unlink(&player->holds, &hold->link);
    while (hold != NULL) {
        kni_cue_instance *instance = kni_cue_instance_at(player, hold->instance1);
        kni_cue_hold *next = kni_cue_hold_at(player, hold->part1);
        kni_cue_map_release(&player->holds, &hold->link);
        if (instance != NULL) {
            instance_drop(player, instance, count, telling);
        }
        hold = next;
    }
}

void kni_cue_hold_update(kn_cue_player *player, kni_cue_hold *hold, const kni_cue_message *given)
{
    for (; hold != NULL; hold = kni_cue_hold_at(player, hold->part1)) {
        kni_cue_instance *instance = kni_cue_instance_at(player, hold->instance1);
        if (instance == NULL) {
            continue;
        }
        (void)params_keep(player, &instance->params, given->params);
        if (instance->is_shown) {
            kni_cue_message telling = *given;
            telling.count = instance->count;
            host_call(player, instance->handler, player->handlers[instance->handler].def.updated,
                &telling, instance, false);
        }
    }
}

void kni_cue_hold_count(kn_cue_player *player, kni_cue_hold *hold, bool more)
{
    hold->count += more ? 1u : UINT32_MAX;
    for (; hold != NULL; hold = kni_cue_hold_at(player, hold->part1)) {
        kni_cue_instance *instance = kni_cue_instance_at(player, hold->instance1);
        if (instance != NULL) {
            instance->count += more ? 1u : UINT32_MAX;
        }
    }
}

// Adding and removing handlers -------------------------------------------------

// Detaches holds from the instances of this handler.
static void holds_unbind(kn_cue_player *player, uint32_t handler)
{
    for (uint32_t i = 0; i < player->holds.used; i++) {
        kni_cue_hold *hold = kni_cue_map_at(&player->holds, i);
        if (hold->link.index1 != 0 && hold->instance1 != 0 &&
            kni_cue_instance_at(player, hold->instance1)->handler == handler) {
            hold->instance1 = 0;
        }
    }
}

bool kn_cue_handler_remove(kn_cue_player *player, kn_tag tag)
{
    uint32_t handler = player != NULL ? kni_cue_handler_at(player, tag.index1) : KNI_CUE_NONE;
    if (handler == KNI_CUE_NONE || !kni_cue_player_is_free(player)) {
        return false;
    }
    holds_unbind(player, handler);
    player->handlers[handler].def.keeps_instance = false;
    player->by_tag[tag.index1 - 1] = 0;
    for (uint32_t i = 0; i < player->instances.used; i++) {
        kni_cue_instance *instance = kni_cue_map_at(&player->instances, i);
        if (instance->link.index1 == 0 || instance->handler != handler) {
            continue;
        }
        kni_cue_message telling = {
            .entity = instance->entity, .tag = {instance->tag}, .interrupted = true};
        instance->count = 0;
        instance_hide(player, instance, &telling);
    }
    for (uint32_t i = player->waiting_count; i-- > 0;) {
        if (player->waiting[i].handler == handler) {
            waiting_remove(player, i);
        }
    }
    player->handlers[handler].def.tag.index1 = 0;
    return true;
}

// Plays a cue that was waiting; its parameters are still kept.
static void waiting_play(
    kn_cue_player *player, const kn_world *world, const kni_cue_waiting *waiting)
{
    kni_cue_message telling = {
        .world = world,
        .entity = waiting->entity,
        .tag = {waiting->tag},
        .is_new = waiting->is_new,
        .count = waiting->count,
    };
    kni_cue_instance *instance = kni_cue_instance_at(player, waiting->instance1);
    if (instance != NULL) {
        telling.params = &instance->params->params;
        player->stats.played += instance_play(player, instance, telling);
        return;
    }
    telling.params = &waiting->params->params;
    player->stats.played += execute_one(player, waiting->handler, &telling, waiting->serial);
}

void kn_cue_player_loaded(kn_cue_player *player, const kn_world *world, kn_tag tag, bool ok)
{
    uint32_t handler = player != NULL ? kni_cue_handler_at(player, tag.index1) : KNI_CUE_NONE;
    if (handler == KNI_CUE_NONE || !kni_cue_player_is_free(player)) {
        return;
    }
    player->handlers[handler].asset = ok ? KNI_CUE_READY : KNI_CUE_ABSENT;
    for (uint32_t i = 0; i < player->waiting_count;) {
        kni_cue_waiting waiting = player->waiting[i];
        if (waiting.handler != handler) {
            i++;
            continue;
        }
        player->waiting[i].params = NULL;
        waiting_remove(player, i);
        if (ok) {
            waiting_play(player, world, &waiting);
        }
        kni_cue_block_release(&player->blocks, waiting.params);
    }
}
