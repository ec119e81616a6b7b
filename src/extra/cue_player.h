// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The inside of a cue player. Three kinds of records:
//
// - A **hold** says that a cue is active on an entity, because of an effect, of kn_cue_add() or of
//   a local call. It leads to one **instance** per handler that is called (a chain of holds, its
//   first one found by entity).
// - An **instance** is what a handler shows on an entity. Several holds may share it.
// - A **log entry** remembers one event of the simulation, in case it is published again.
//
// Holds and instances stand in pages and never move, so that a handler may play local cues while
// it is being called. Parameters that must outlive their step are copied into blocks that are
// recycled by size.
#ifndef KNI_CUE_PLAYER_H
#define KNI_CUE_PLAYER_H

#include "knack/knack.h"

#define KNI_CUE_NONE UINT32_MAX

// Tables --------------------------------------------------------------------

// Begins every record. A record is found through the chain of its hash, if it is linked.
typedef struct kni_cue_link {
    uint32_t index1; // its place + 1; 0: not in use
    uint32_t next1;  // in its chain, or among the released
    uint32_t hash;
    bool is_linked;
} kni_cue_link;

typedef struct kni_cue_map {
    uint32_t record_size;
    uint8_t **pages;
    uint32_t page_count, page_capacity;
    uint32_t used; // places that have been in use
    uint32_t free1;
    uint32_t live;
    uint32_t *heads;
    uint32_t head_count; // a power of two
} kni_cue_map;

bool kni_cue_map_init(kni_cue_map *map, const kn_hooks *hooks, uint32_t record_size);
void kni_cue_map_free(kni_cue_map *map, const kn_hooks *hooks);
// The record at a place, in use or not.
void *kni_cue_map_at(const kni_cue_map *map, uint32_t index);
// A zeroed record, in no chain yet; NULL when out of memory.
void *kni_cue_map_new(kni_cue_map *map, const kn_hooks *hooks);
void kni_cue_map_release(kni_cue_map *map, kni_cue_link *record);
void kni_cue_map_link(kni_cue_map *map, const kn_hooks *hooks, kni_cue_link *record, uint64_t hash);
void kni_cue_map_unlink(kni_cue_map *map, kni_cue_link *record);
// Walks the chain of a hash: start with NULL; NULL at the end.
void *kni_cue_map_next(const kni_cue_map *map, uint64_t hash, const kni_cue_link *record);

// Parameters that are kept --------------------------------------------------

typedef struct kni_cue_block {
    kn_cue_params params; // its views point into the block
    struct kni_cue_block *next;
    uint32_t size_class;
} kni_cue_block;

enum { KNI_CUE_CLASSES = 16 };

typedef struct kni_cue_blocks {
    kni_cue_block *free[KNI_CUE_CLASSES];
} kni_cue_blocks;

// NULL when out of memory.
kni_cue_block *kni_cue_block_new(kni_cue_blocks *blocks, const kn_hooks *hooks,
    const kn_library *library, const kn_cue_params *params);
// NULL is fine.
void kni_cue_block_release(kni_cue_blocks *blocks, kni_cue_block *block);
void kni_cue_blocks_free(kni_cue_blocks *blocks, const kn_hooks *hooks);

// The player ----------------------------------------------------------------

typedef enum kni_cue_asset {
    KNI_CUE_UNASKED,
    KNI_CUE_READY,
    KNI_CUE_LOADS,
    KNI_CUE_ABSENT,
} kni_cue_asset;

typedef struct kni_cue_handler {
    kn_cue_handler_def def; // null tag: the place is free
    kni_cue_asset asset;
    uint32_t active; // instances that some hold leads to
    uint32_t kept1;  // instances that wait to be used again
} kni_cue_handler;

typedef struct kni_cue_instance {
    kni_cue_link link;
    uint32_t handler; // index
    uint32_t count;   // additions
    uint32_t stamp;   // another one each time it is shown
    bool is_shown;
    bool is_kept;
    uint32_t kept_next1;
    uint32_t tag; // as it was first published
    kn_entity_id entity;
    kn_entity_id instigator; // of handlers that keep them apart
    uint64_t slot;
    kni_cue_block *params;
} kni_cue_instance;

typedef struct kni_cue_hold {
    kni_cue_link link;
    kn_entity_id entity;
    kn_effect_id effect; // null: not of an effect
    kn_entity_id instigator;
    uint32_t tag;
    uint32_t count; // of local additions; else 1
    uint32_t stamp; // different for each hold
    bool is_local;
    bool is_part;       // not the first of its chain
    bool is_seen;       // found in the world, while comparing
    uint32_t instance1; // 0: nothing is shown
    uint32_t part1;     // the hold for the next handler
} kni_cue_hold;

typedef struct kni_cue_hidden {
    kni_cue_link link;
    kn_entity_id entity;
} kni_cue_hidden;

// Something that waits for assets.
typedef struct kni_cue_waiting {
    uint32_t handler;
    uint32_t tag;
    kn_entity_id entity;
    uint32_t instance1; // of what lasts; 0: it happened once
    bool is_new;        // added, not met
    uint32_t count;
    uint64_t serial; // of the log entry; 0: none
    kni_cue_block *params;
} kni_cue_waiting;

typedef enum kni_cue_log_state {
    KNI_CUE_TOLD,
    KNI_CUE_WAITS,      // has to be published again
    KNI_CUE_MAY_REPEAT, // may be published again, but need not
} kni_cue_log_state;

typedef struct kni_cue_entry {
    kn_time time;
    kn_time told; // end of the step that published it
    uint64_t serial;
    kn_entity_id entity;
    kn_effect_id effect;
    uint32_t tag;
    uint32_t type;    // of the effect; 0: none
    uint32_t handled; // executed and played: the tag of its handler; else 0
    uint32_t count;   // and how many were merged into it
    uint32_t next1;
    uint8_t action; // kn_cue_action
    uint8_t state;  // kni_cue_log_state
    kni_cue_block *params;
} kni_cue_entry;

// One event of an update.
typedef struct kni_cue_plan {
    uint32_t event;
    uint32_t entry1; // in the log
    uint32_t count;  // how many are played with it; 0: it is not played
    uint32_t total;  // of the first of equals: how many there are
    uint32_t last;   // of the first of equals: the one that stands for further ones
    float magnitude;
    float change;
} kni_cue_plan;

typedef struct kni_cue_plan_slot {
    uint32_t stamp;
    uint32_t plan;
} kni_cue_plan_slot;

struct kn_cue_player {
    kn_cue_player_def def;
    const kn_world *world; // the last one seen; for comparing only
    uint32_t depth;        // of calls to the host

    kni_cue_handler *handlers;
    uint32_t handler_count, handler_capacity;
    uint32_t *by_tag; // handler + 1
    uint32_t tag_count;

    kni_cue_map holds;     // by entity
    kni_cue_map instances; // by handler, entity and instigator
    kni_cue_blocks blocks;
    uint32_t last_stamp;
    uint32_t instance_count; // of handlers with instances

    kni_cue_waiting *waiting;
    uint32_t waiting_count, waiting_capacity;
    kni_cue_map hidden; // entities out of sight

    kni_cue_entry *log;
    uint32_t log_count, log_capacity;
    uint32_t log_trim; // number of entries at which old ones are trimmed
    uint64_t last_serial;
    kn_time confirmed;
    uint32_t *log_heads; // chains of what waits
    uint32_t log_head_count;
    bool is_resimulating;
    kn_entity_id *touched; // by a resimulation with another outcome
    uint32_t touched_count, touched_capacity;
    bool all_touched;

    kni_cue_plan *plans;
    uint32_t plan_count, plan_capacity;
    kni_cue_plan_slot *plan_slots; // 2 per plan
    uint32_t plan_slot_count;
    uint32_t plan_stamp;
    kn_cue_active *actives;
    uint32_t active_capacity;

    kn_cue_stats stats;
};

static inline uint64_t kni_cue_mix(uint64_t a, uint64_t b)
{
    uint64_t z = (a ^ (b << 23 | b >> 41)) * 0x9e3779b97f4a7c15u;
    return z ^ z >> 29;
}

static inline uint64_t kni_cue_entity_hash(kn_entity_id entity)
{
    return kni_cue_mix(kn_entity_id_pack(entity), 0) * 0xbf58476d1ce4e5b9u;
}

static inline kni_cue_instance *kni_cue_instance_at(const kn_cue_player *player, uint32_t index1)
{
    return index1 == 0 ? NULL : kni_cue_map_at(&player->instances, index1 - 1);
}

static inline kni_cue_hold *kni_cue_hold_at(const kn_cue_player *player, uint32_t index1)
{
    return index1 == 0 ? NULL : kni_cue_map_at(&player->holds, index1 - 1);
}

// What is shown (cue_show.c) ------------------------------------------------

// A cue on its way to the handlers.
typedef struct kni_cue_message {
    const kn_world *world; // NULL if none was given
    kn_entity_id entity;
    kn_effect_id effect;
    kn_tag tag;
    bool is_local;
    bool is_new; // otherwise it was already active
    bool interrupted;
    const kn_cue_params *params; // NULL: those it was added with
    uint32_t count;
} kni_cue_message;

// The handler of a cue, translated; KNI_CUE_NONE if there is none.
uint32_t kni_cue_handler_of(
    kn_cue_player *player, const kn_world *world, kn_entity_id entity, kn_tag tag);
// The next one that is called as well, or KNI_CUE_NONE.
uint32_t kni_cue_handler_next(const kn_cue_player *player, uint32_t handler);
// KNI_CUE_NONE if the tag has no handler of its own.
uint32_t kni_cue_handler_at(const kn_cue_player *player, uint32_t tag);

// Calls the handlers of a cue that happens once. `entry1` is its place in the log, or 0.
void kni_cue_execute(kn_cue_player *player, const kni_cue_message *telling, uint32_t entry1);
// Undoes an executed cue.
void kni_cue_cancel(kn_cue_player *player, const kn_world *world, kni_cue_entry *entry);

// Nothing waits for assets any more.
void kni_cue_waiting_clear(kn_cue_player *player);

kni_cue_hold *kni_cue_hold_find(const kn_cue_player *player, kn_entity_id entity, kn_tag tag,
    kn_effect_id effect, bool is_local);
// Walks the holds of an entity, first ones of their chains only: start with NULL.
kni_cue_hold *kni_cue_hold_next(
    const kn_cue_player *player, kn_entity_id entity, const kni_cue_hold *hold);
// A new hold, shown; false when out of memory.
bool kni_cue_hold_add(kn_cue_player *player, const kni_cue_message *telling);
// Ends one addition; for the last one of an instance the handler is called.
void kni_cue_hold_remove(kn_cue_player *player, kni_cue_hold *hold, const kni_cue_message *telling);
void kni_cue_hold_update(kn_cue_player *player, kni_cue_hold *hold, const kni_cue_message *telling);
// Adds or removes one local addition of a cue.
void kni_cue_hold_count(kn_cue_player *player, kni_cue_hold *hold, bool more);

// The log (cue_log.c) -------------------------------------------------------

bool kni_cue_log_init(kn_cue_player *player);
void kni_cue_log_free(kn_cue_player *player);
// Forgets, now and then, what is too old to be published again.
void kni_cue_log_trim(kn_cue_player *player, kn_time now);
void kni_cue_log_clear(kn_cue_player *player);
// The entry that waits for this event, as published now; NULL if there is none.
kni_cue_entry *kni_cue_log_match(kn_cue_player *player, const kn_event *event, kn_time now);
// A new entry, its place + 1; 0 when out of memory.
uint32_t kni_cue_log_add(kn_cue_player *player, const kn_event *event, kn_time now);
// The cues of an entity may have changed.
void kni_cue_touch(kn_cue_player *player, kn_entity_id entity);

// The player (cue_player.c) -------------------------------------------------

// Shows on an entity exactly what is active on it.
void kni_cue_compare(kn_cue_player *player, const kn_world *world, kn_entity_id entity);
void kni_cue_compare_all(kn_cue_player *player, const kn_world *world);
// Whether nothing of an entity is shown.
bool kni_cue_is_hidden(const kn_cue_player *player, kn_entity_id entity);
// False, after an assertion, from inside a handler.
bool kni_cue_player_is_free(const kn_cue_player *player);

#endif
