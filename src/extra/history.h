// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The past of a grid. It is state: each entity that has a body has a component with a ring of
// samples, oldest first, and a new one is added when the body differs from the latest. The index
// over them is not state: it finds who may have been in a place, and is built again when the world
// was restored. It knows how far bodies have moved at most in each step, so that a query of the
// past looks that much further around the places of the present; bodies that moved further than
// that are in a list, and looked at each time.
#ifndef KNI_HISTORY_H
#define KNI_HISTORY_H

#include "extra/grid.h"

#include "knack/history.h"

// Times of a history, on the world itself.
typedef struct kni_history_clock {
    kn_time since; // nothing is known of earlier times
    kn_time keep;
    kn_time last; // of the latest samples
} kni_history_clock;

// The ring of a body. Its length is a power of two.
typedef struct kni_history_past {
    uint32_t first;
    uint32_t count;
    uint32_t is_cut; // 1: it was at the first sample before, as far as is known
    uint32_t unused;
} kni_history_past;

// From `from` to `at` the body moves here; before, it was as the sample before says.
typedef struct kni_history_sample {
    kn_time from, at;
    kn_body body; // a radius below 0: there is none
} kni_history_sample;

typedef struct kni_history_ring {
    const kni_history_past *head;
    const kni_history_sample *items;
    uint32_t mask;
} kni_history_ring;

typedef struct kni_history_slot {
    kn_entity_id id;
    kn_time at; // of its latest sample
} kni_history_slot;

// How far bodies moved at most, of those in no list.
typedef struct kni_history_step {
    kn_time at;
    float size;
} kni_history_step;

typedef struct kni_history_jump {
    kn_time at;
    uint32_t slot;
} kni_history_jump;

struct kn_history {
    kn_hooks hooks;
    kn_grid *grid;
    kn_world *world;
    kn_component_type_id clock_type, past_type;
    kn_time keep;
    uint32_t layers;
    kn_history_source_fn *source; // that says where bodies were, instead of samples, or NULL
    void *user;
    uint64_t seen; // changes of bodies, as far as samples were taken

    bool is_indexed;         // the index has all samples
    uint64_t past_seen;      // changes of samples, as far as the index knows them
    kni_history_slot *slots; // by slot of the entity
    uint32_t slot_capacity;
    uint64_t *moving;  // a bit per slot: its ring has more than one sample, or ends with no body
    uint64_t *changed; // a bit per slot; clear between steps
    uint32_t words;
    kni_history_step *steps; // by time
    uint32_t step_count, step_capacity;
    kni_history_jump *jumps;
    uint32_t jump_count, jump_capacity;

    kn_time time; // that is shown
    kn_time last; // of the latest samples, then
    uint32_t connection;
    float reach; // how far bodies may have moved since then
    bool is_quick;
};

static inline bool kni_sample_is_absent(const kni_history_sample *sample)
{
    return sample->body.radius < 0.0f;
}

static inline const kni_history_sample *kni_ring_at(const kni_history_ring *ring, uint32_t index)
{
    return &ring->items[(ring->head->first + index) & ring->mask];
}

// The ring of an entity. False if it has none, or is gone.
bool kni_ring_read(const kn_history *history, kn_entity_id id, kni_history_ring *ring);

// The index (history_index.c). Without memory it gives up until it is built again.

// Builds it from all samples unless it has them already.
void kni_history_index(kn_history *history);
// A body has a new sample, the last one of its ring.
void kni_history_note(kn_history *history, kn_entity_id id, const kni_history_ring *ring);
// The ring of a body has one sample again, or it has no ring any more.
void kni_history_rests(kn_history *history, kn_entity_id id);
// Nothing up to this time will be asked for any more.
void kni_history_expire(kn_history *history, kn_time edge);
// Sets the bits of bodies that changed since samples were taken, in `changed`. False if that is not
// known.
bool kni_history_collect(kn_history *history);
void kni_history_index_free(kn_history *history);

// The grid is being destroyed.
static inline void kni_history_lose(kn_history *history)
{
    history->grid = NULL;
}

// For queries (grid_query.c).

// The body of an entity at the time that is shown. False if there was none.
bool kni_history_shows(const kn_history *history, kn_entity_id id, kn_body *body);
// Slots that have to be looked at wherever they are now: at most `capacity` are written. Returns
// how many there are, some of them several times, or UINT32_MAX if that is not known.
uint32_t kni_history_extra(const kn_history *history, uint32_t *out, uint32_t capacity);
// The entity that was last known in a slot; null if there was none.
static inline kn_entity_id kni_history_id(const kn_history *history, uint32_t slot)
{
    return slot < history->slot_capacity ? history->slots[slot].id : (kn_entity_id){0};
}
// The next entity with a past, by slot. Null at the end.
kn_entity_id kni_history_next(const kn_history *history, kn_entity_id id);

#endif
