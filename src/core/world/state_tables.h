// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One field table per state struct. They drive save, load, hash and difference: a field that is in
// no table is not state, so it must be derived from others or belong to the running call. The unit
// test of this file lists those.
#ifndef KNI_STATE_TABLES_H
#define KNI_STATE_TABLES_H

#include "library/fields.h"
#include "world/world.h"

extern const kn_def_table kni_entity_table;
extern const kn_def_table kni_component_table; // plain fields; others are handled apart
extern const kn_def_table kni_value_table;
extern const kn_def_table kni_tag_row_table;
extern const kn_def_table kni_origin_row_table;
extern const kn_def_table kni_effect_table;
extern const kn_def_table kni_rare_table;
extern const kn_def_table kni_caller_pair_table;
extern const kn_def_table kni_named_pair_table;
extern const kn_def_table kni_tag_item_table; // one uint32_t
extern const kn_def_table kni_magnitude_item_table;
extern const kn_def_table kni_capture_item_table;
extern const kn_def_table kni_stack_table;
extern const kn_def_table kni_child_link_table;
extern const kn_def_table kni_spec_table;
extern const kn_def_table kni_rule_timer_table;
extern const kn_def_table kni_random_table;
extern const kn_def_table kni_extension_head_table;     // its items have the component type's table
extern const kn_def_table kni_extension_instance_table; // the same, of a type with `several`

extern const kn_def_table kni_actor_table;
extern const kn_def_table kni_ability_table;
extern const kn_def_table kni_activation_table;
extern const kn_def_table kni_charge_table;
extern const kn_def_table kni_payload_table;
extern const kn_def_table kni_task_table;
extern const kn_def_table kni_cue_table;
extern const kn_def_table kni_command_table;
extern const kn_def_table kni_switch_table;
extern const kn_def_table kni_watch_table;
extern const kn_def_table kni_tag_block_table;
extern const kn_def_table kni_byte_item_table; // one uint8_t
extern const kn_def_table kni_slot_item_table; // one uint32_t

// The pools of a world.
enum {
    KNI_POOL_ENTITIES,
    KNI_POOL_COMPONENTS,
    KNI_POOL_EFFECTS,
    KNI_POOL_RARES,
    KNI_POOL_SPECS,
    KNI_POOL_AGGREGATORS,
    KNI_POOL_TIMERS,
    // These are hashed, saved and compared by their tables alone.
    KNI_POOL_ACTORS,
    KNI_POOL_ABILITIES,
    KNI_POOL_ACTIVATIONS,
    KNI_POOL_CHARGES,
    KNI_POOL_PAYLOADS,
    KNI_POOL_TASKS,
    KNI_POOL_CUES,
    KNI_POOL_COMMANDS,
    KNI_POOL_SWITCHES,
    KNI_POOL_WATCHES,
    KNI_POOL_TAG_BLOCKS,
    KNI_POOL_COUNT,
    // Since version 5 of saves; a world without records of theirs has the hash it had before.
    KNI_POOL_FIRST_LATER = KNI_POOL_COMMANDS,
    KNI_POOL_FIRST_PLAIN = KNI_POOL_ACTORS,
};

typedef struct kni_pool_info {
    size_t offset; // in kn_world
    uint32_t record_size;
    const kn_def_table *table;
    uint32_t mark;    // of its section in a save
    const char *what; // name for messages
    uint32_t since;   // version of saves that has it first; not hashed while empty if above 4
} kni_pool_info;

extern const kni_pool_info kni_pools[KNI_POOL_COUNT];

static inline kni_pool *kni_world_pool(const kn_world *world, uint32_t index)
{
    KN_ASSERT(index < KNI_POOL_COUNT);
    return (kni_pool *)(void *)((char *)(uintptr_t)world + kni_pools[index].offset);
}

// The state at the front of a record's bytes (kni_bytes): its size and fields, both 0 where there
// is none. The record's type may be out of range: it may come from a file.
const kni_fields *kni_bytes_state(const kn_world *world, kni_bytes which, const void *record);

// The name of what a reference names, types made at run time too; "" for null.
const char *kni_referred_name(const kn_world *world, const kn_def_field *field, const void *at);

// The shape of a record's bytes (kni_bytes) after its state: a number that a reader needs to find
// references in them, namely whether an event's bytes are target data.
uint32_t kni_bytes_shape(const kn_world *world, kni_bytes which, const void *bytes, uint32_t size);
// Visits every reference and turns numbers to the byte order of saves, or back; false for bytes
// that make no sense, or when a visit fails.
bool kni_bytes_refs(const kn_world *world, kni_bytes which, const void *record, uint32_t shape,
    uint8_t *bytes, uint32_t size, const kni_ref_walk *walk);

// Sizes of the blocks of a kni_rare, by kni_block, and the fields of its state.
typedef struct kni_block_sizes {
    uint32_t size[KNI_BLOCK_COUNT];
    const kni_fields *state;
} kni_block_sizes;

kni_block_sizes kni_rare_blocks(
    const kn_world *world, const kni_effect_type *type, uint32_t payload_type);

// `blocks` is NULL for records without blocks.
static inline uint32_t kni_block_size(const kni_block_sizes *blocks, uint32_t block)
{
    KN_ASSERT(block < KNI_BLOCK_COUNT);
    return blocks != NULL ? blocks->size[block] : 0;
}

// Number of effect types that belong to the library; the others were registered at run time.
static inline uint32_t kni_library_type_count(const kn_world *world)
{
    return world->library->registries[KN_DEF_EFFECT].count;
}

static inline const kni_component_type *kni_component_type_at(
    const kn_library *library, uint32_t index)
{
    return KNI_ITEM(library, KN_DEF_COMPONENT, const kni_component_type, index);
}

// How many fields at the end of a table came late: while all of them are zero, they are not hashed.
uint32_t kni_late_fields(const kn_def_table *table);
// Hashes everything a record's table lists, including the contents of its spans and blocks.
// `blocks` may be NULL where the table has no block.
void kni_state_hash(const kn_world *world, const kn_def_table *table, const void *record,
    const kni_block_sizes *blocks, kni_hash *hash);

// Hashes the types registered at run time, by name and def, up to `type_count` types in total.
uint64_t kni_dynamic_types_hash(const kn_world *world, uint32_t type_count);
// Number of types up to the last run-time type that an effect or spec uses. Types registered after
// it, or forgotten by a restored snapshot, decide nothing.
uint32_t kni_types_used(const kn_world *world);

#endif
