// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Everything that reads or writes all records of a world: saves, what makes a record good, and what
// is derived from the rest.
#ifndef KNI_STORE_H
#define KNI_STORE_H

#include "ability/actor.h"
#include "ability/task.h"
#include "base/sort.h"
#include "store/places.h"
#include "world/state_tables.h"

// The format ----------------------------------------------------------------

// Saves. A header: "KNSV", version, length of all, checksum of what follows. Then the hash of the
// library that wrote it, and sections, each with a mark and its length:
//
//   NAME  every registered thing the rest refers to, by kind and name; references are places here.
//         So are the words of enums, with SAVE_WORD for a kind. Of an own kind there is
//         KN_DEF_KIND_OWN, and then its name
//   FIEL  the fields of components and states, by name: how they are laid out further down.
//         Behind a field that refers to definitions, the words for their kind
//   TYPE  effect types made at run time, as whole defs
//   WRLD  time, the next creation number, random streams, the seed of activations
//   ENTI  entities; slots are kept, so that ids stay good
//   COMP  ability components: plain fields, attribute sets with the values of each attribute
//   EFFE  active effects with their extension records
//   TAGS  counts of tags that do not come from effects
//   SPEC  stored specs
//   TIME  timers of rules
//   ACTO  actors; then ABIL, ACTI, CHAR, PAYL, TASK, CUES: what they can do and do; slots are kept
//   WTCH  watches outside of activations
//   BLCK  blocks on ability tags by others than abilities and effects
//   SWIT  systems that were switched on or off
//   EXTE  extension components
//
// Records are written through the tables of state_tables.c, numbers in little-endian order. Only
// what cannot be derived is there: tag counts, modifier lists and timers follow from the rest.

#define SAVE_HEADER_SIZE 24
#define SAVE_DYNAMIC 0x80000000u // a reference to a type made at run time
#define SAVE_WORD 0xffu          // in the list of names, the kind of a word of an enum

#define SAVE_MAGIC KNI_MARK('K', 'N', 'S', 'V')
#define SAVE_NAMES KNI_MARK('N', 'A', 'M', 'E')
#define SAVE_FIELDS KNI_MARK('F', 'I', 'E', 'L')
#define SAVE_TYPES KNI_MARK('T', 'Y', 'P', 'E')
#define SAVE_WORLD KNI_MARK('W', 'R', 'L', 'D')
#define SAVE_ENTITIES KNI_MARK('E', 'N', 'T', 'I')
#define SAVE_COMPONENTS KNI_MARK('C', 'O', 'M', 'P')
#define SAVE_EFFECTS KNI_MARK('E', 'F', 'F', 'E')
#define SAVE_TAGS KNI_MARK('T', 'A', 'G', 'S')
#define SAVE_SPECS KNI_MARK('S', 'P', 'E', 'C')
#define SAVE_TIMERS KNI_MARK('T', 'I', 'M', 'E')
#define SAVE_EXTENSIONS KNI_MARK('E', 'X', 'T', 'E')

// Over everything behind the header.
uint64_t kni_save_checksum(const uint8_t *data, size_t size);

// What effects and children count is derived.
static inline bool kni_save_has_origin(uint32_t origin)
{
    return origin != KN_TAG_ORIGIN_CHILD && origin != KN_TAG_ORIGIN_EFFECT;
}

// Fields of a table that are copied together, since they lie in a save as they do in memory, or one
// that is not.
typedef struct kni_copy {
    uint32_t first, last; // which fields
    uint32_t offset;      // of the first, in the record
    uint32_t size;        // of all of them; 0 for a field that is written by its kind
    bool is_checked;      // one of them has to be looked at when it is read
} kni_copy;

#define KNI_COPIES_MAX 24

// How records of a table are copied: that of the table last used, since records come in rows.
typedef struct kni_copy_plan {
    const kn_def_field *fields; // of the table; NULL for none
    uint32_t field_count;       // likewise
    uint32_t count;             // of copies; 0: field by field
    kni_copy copies[KNI_COPIES_MAX];
} kni_copy_plan;

// Makes the plan for the first `count` fields of a table, unless it has lists or blocks, whose
// records have tables of their own, or too many parts.
void kni_copy_plan_make(kni_copy_plan *plan, const kn_def_table *table, uint32_t count);

// A table may be made for one call; its fields are not.
static inline bool kni_copy_plan_is_for(const kni_copy_plan *plan, const kn_def_table *table)
{
    return plan->fields == table->fields && plan->field_count == table->field_count;
}

// Writing (save.c) ----------------------------------------------------------

// The fields of a struct, and their place in the list of such, once they are used.
typedef struct kni_save_layout {
    const kni_fields *fields;
    uint32_t place;
} kni_save_layout;

// A save runs twice: first dry, to learn the size and which names are used, then for real. A
// projection is direct: it has numbers of definitions instead of names.
typedef struct kni_saver {
    kn_writer out;
    const kn_world *world;
    uint32_t *refs; // place in the list of names, by kind and index; while collecting, 1 for used
    uint32_t first[KN_DEF_KIND_END + 2]; // where a kind begins in `refs`, and words behind them
    bool is_collecting;
    bool is_direct;
    bool has_no_memory;
    kni_memory memory; // the world is only read: its account of memory stays as it is
    uint8_t *scratch;  // bytes whose references are being replaced
    uint32_t scratch_capacity;
    kni_save_layout *layouts;   // by their numbers
    const kni_places *by_place; // of the entity: ids are written as places; NULL: as they are
    kni_copy_plan plan;
} kni_saver;

void kni_saver_init(kni_saver *w, const kn_world *world);
void kni_save_ref(kni_saver *w, kn_def_kind kind, uint32_t index1);
// One element of a field, or a list or block.
void kni_save_field(
    kni_saver *w, const kn_def_field *field, const uint8_t *at, const kni_block_sizes *blocks);
// All fields of a record. `blocks` may be NULL where the table has no block.
void kni_save_record(
    kni_saver *w, const kn_def_table *table, const void *record, const kni_block_sizes *blocks);
// The extension record of an effect or spec, which may have none.
void kni_save_rare(kni_saver *w, uint32_t rare1, const kni_effect_type *type);

// What makes a record good (record_check.c) ---------------------------------

// Loading and validating ask the same functions. While a call runs, records are on their way from
// one state to another: then only what always holds is asked (`is_settled` is false).
typedef struct kni_problem {
    const char *what;      // a sentence for whoever reads the save; NULL if there is none
    const char *condition; // that does not hold, and where it stands
    const char *file;
    int line;
} kni_problem;

kni_problem kni_entity_problem(const kn_world *world, uint32_t slot);
// The chain of parents above a component.
kni_problem kni_extension_problem(
    const kn_world *world, const kni_extension *extension, const kni_extension_head *head);
kni_problem kni_parents_problem(const kn_world *world, uint32_t slot);
// The extension record of an effect or spec of the type.
kni_problem kni_rare_problem(
    const kn_world *world, const kni_rare *rare, const kni_effect_type *type, bool is_settled);
kni_problem kni_effect_problem(const kn_world *world, uint32_t slot, bool is_settled);
kni_problem kni_spec_problem(const kn_world *world, uint32_t slot, bool is_settled);
kni_problem kni_rule_timer_problem(const kn_world *world, uint32_t slot, bool is_settled);
// Of a world that is settled, once components know their actors.
kni_problem kni_ability_problem(const kn_world *world, uint32_t slot);
kni_problem kni_activation_problem(const kn_world *world, uint32_t slot);
kni_problem kni_charge_problem(const kn_world *world, uint32_t slot);
kni_problem kni_payload_problem(const kn_world *world, uint32_t slot);
kni_problem kni_task_problem(const kn_world *world, uint32_t slot);
kni_problem kni_cue_problem(const kn_world *world, uint32_t slot);
kni_problem kni_command_problem(const kn_world *world, uint32_t slot);
kni_problem kni_switch_problem(const kn_world *world, uint32_t slot);
kni_problem kni_watch_problem(const kn_world *world, uint32_t slot);
kni_problem kni_tag_block_problem(const kn_world *world, uint32_t slot);

// One attribute of a component.
typedef struct kni_value_place {
    uint32_t component;
    uint32_t position;
    uint32_t key;
    const kni_set *set;
    const kni_attribute *attribute;
} kni_value_place;

kni_value_place kni_value_place_of(
    const kn_world *world, uint32_t component, const kni_set_instance *instance, uint32_t index);
// Whether its current value can be computed from base and modifiers: no hook, and no limit that
// moved, had a say in it.
bool kni_value_is_derivable(const kni_value_place *place);
// The current value that base and modifiers give.
float kni_value_expected(const kn_world *world, const kni_value_place *place);

// Reading (load.c) ----------------------------------------------------------

typedef struct kni_saved_place {
    uint32_t kind;
    uint32_t index1;  // in the library that reads; of a word, its length
    const char *word; // in the buffer
} kni_saved_place;

// A field as the save has it; the name is in the buffer.
typedef struct kni_saved_field {
    const char *name;
    uint32_t length;
    uint32_t kind;
    uint32_t count;
    kn_def_kind refers_to; // of KN_FIELD_REF; KN_DEF_KIND_COUNT for a kind that is gone
} kni_saved_field;

typedef struct kni_saved_layout {
    uint32_t first; // among the fields
    uint32_t count;
    uint64_t size; // in the save, of one struct
} kni_saved_layout;

typedef struct kni_load {
    kn_reader all;
    kn_reader in;    // the section being read
    kn_world *world; // being filled
    uint32_t version;
    kni_saved_place *places;
    uint32_t place_count;
    kni_saved_layout *layouts;
    uint32_t layout_count, layout_capacity;
    kni_saved_field *fields; // of all layouts
    uint32_t field_count, field_capacity;
    bool is_reload; // of a world that goes on with another library: nobody sees the save
    bool is_direct; // a projection: numbers of definitions instead of names
    const kni_places *by_place; // of the entity: ids are read as places; NULL: as they are
    kni_copy_plan plan;
    kn_error *error;
    kn_result result; // of the first failure
} kni_load;

// "the save" or "the world".
const char *kni_load_whose(const kni_load *r);
// Each returns false, so that a check can end with it.
bool kni_load_fail(kni_load *r, const char *what);
// The format has a place for the name, and may have one for where it comes from.
bool kni_load_changed(kni_load *r, const char *format, const char *name);
bool kni_load_no_memory(kni_load *r);
// True if there is no problem.
bool kni_load_accept(kni_load *r, kni_problem problem);
// Sorts a list by its keys again: the library that reads may number things otherwise.
void kni_load_sort(kni_load *r, const kni_span *span, size_t size);
// Whether nothing went wrong so far.
bool kni_load_ok(kni_load *r);

bool kni_load_section(kni_load *r, uint32_t mark);
bool kni_load_section_end(kni_load *r);
// How many fields of a table the save's version has.
uint32_t kni_load_field_count(const kni_load *r, const kn_def_table *table);
// The fewest bytes a record takes in a file.
size_t kni_load_size_min(const kni_load *r, const kn_def_table *table);
// How many records of at least that size follow; 0, and a failure, if there is no room for them.
uint32_t kni_load_count(kni_load *r, uint64_t record_size);
// Index + 1 of the registered thing at a place in the list of names; 0 for null.
uint32_t kni_load_place(kni_load *r, kn_def_kind kind, uint32_t place);
uint32_t kni_load_ref(kni_load *r, kn_def_kind kind);
uint32_t kni_load_ref_needed(kni_load *r, kn_def_kind kind);
// The slot of the next record, taken in the pool: in ascending order, or in any without
// `previous1`. False on failure.
bool kni_load_slot(
    kni_load *r, kni_pool *pool, uint32_t count, uint32_t *previous1, uint32_t *slot);

// One record by its table (load_record.c). It must be clear. `type` is the effect type of an
// extension record. `is_foreign`: data of a game, which may hold anything.
bool kni_load_record(kni_load *r, const kn_def_table *table, void *record,
    const kni_effect_type *type, bool is_foreign);
// A struct by its fields, as a layout of the save says. The record must be clear: what the save
// does not have stays zero.
bool kni_load_fields(
    kni_load *r, const kni_saved_layout *layout, const kn_def_table *table, uint8_t *record);
// The layout at a place in the list; NULL for 0, and on a failure.
const kni_saved_layout *kni_load_layout_ref(kni_load *r);
// A copy of the bytes in a block of its own in the heap, whose reference goes to `at`.
void kni_load_block(kni_load *r, uint8_t *at, const uint8_t *bytes, uint32_t size);

// Sections (load_names.c, load_entities.c, load_effects.c, load_actors.c, load_extensions.c).
bool kni_load_names(kni_load *r);
bool kni_load_layouts(kni_load *r);
// Adds one layout to those of the save.
bool kni_load_layout_add(kni_load *r);
bool kni_load_types(kni_load *r);
bool kni_load_world(kni_load *r);
bool kni_load_entities(kni_load *r);
bool kni_load_components(kni_load *r);
// Owners and bodies, then what leads from component to component.
bool kni_load_links(kni_load *r);
bool kni_load_tags(kni_load *r);
bool kni_load_effects(kni_load *r);
bool kni_load_specs(kni_load *r);
bool kni_load_timers(kni_load *r);
bool kni_load_actors(kni_load *r);
bool kni_load_extensions(kni_load *r);
// Current values, once everything is there.
bool kni_load_values_settle(kni_load *r);
// The attribute sets of a component, and room for its values: NaN, which stands for "not read".
bool kni_load_layout(kni_load *r, kni_component *component);
// A count of a tag, as the save says.
bool kni_load_tag(kni_load *r, uint32_t component, const kni_origin_row *row);
// The extension record of an effect or spec; slot + 1, or 0 for none, and on a failure.
uint32_t kni_load_rare(kni_load *r, const kni_effect_type *type);
// Checks what acts, once all of it is there.
bool kni_load_actors_accept(kni_load *r);
// Rebuilds what is derived and settles values.
bool kni_load_derived(kni_load *r);

// Whole worlds (save_read.c). A new world with the state of a save.
kn_result kni_load_fresh(const kn_world_def *def, const void *buffer, size_t size, bool is_reload,
    kn_world **fresh, kn_error *error);
// What a host may ask for between steps only.
kn_result kni_load_allowed(const kn_world *world, kn_error *error);
// Exchanges everything but what belongs to observers and host.
void kni_world_exchange(kn_world *world, kn_world *fresh);

// Slot + 1 of the timer, watch or block after `slot1`, 0 for the first, among those of the entity
// with this slot + 1, or with 0 among those without an entity (projection_take.c).
uint32_t kni_timer_next1(const kn_world *world, uint32_t entity1, uint32_t slot1);
uint32_t kni_watch_next1(const kn_world *world, uint32_t entity1, uint32_t slot1);
uint32_t kni_tag_block_next1(const kn_world *world, uint32_t entity1, uint32_t slot1);

// Changing records (strip.c) ------------------------------------------------

// A change of records from outside of the simulation, whole or not at all.
typedef struct kni_edit {
    kn_world *world;
    uint8_t *undo; // a snapshot
    size_t size;
    uint64_t wanted;
    kni_event_buffer published; // how much of it there is
    uint32_t logged;
} kni_edit;

// Throws away everything that is derived. On KN_OK, kni_edit_end() must follow; in between the
// world is records only.
kn_result kni_edit_begin(kni_edit *edit, kn_world *world, kn_error *error);
// Checks every record and rebuilds what is derived; undoes everything if something is wrong, or
// went wrong before.
kn_result kni_edit_end(kni_edit *edit, kni_load *r);
// Removes a record of a pool (KNI_POOL_*) with what depends on it, between the two.
void kni_forget(kn_world *world, uint32_t pool, uint32_t slot);
// Counts the activations of each event, and forgets events that have none.
void kni_events_forget_unused(kn_world *world);
// Removes the records of a part of an entity, by the slots of its component and of itself: both are
// asked for, as the part needs.
void kni_part_forget(kn_world *world, kn_part part, uint32_t component, uint32_t entity);
// Removes parts of many entities at once, before any record is changed: a bit for each kn_part, by
// index of the entity; 0: the world itself.
void kni_parts_forget(kn_world *world, const uint32_t *parts, uint32_t count);
// Whether an entity has nothing of a part; not during an edit.
bool kni_part_is_empty(const kn_world *world, kn_part part, uint32_t component, uint32_t entity);

// What is derived (rebuild.c, rebuild_actors.c) -----------------------------

// Everything that is derived, for a world with nothing derived in it yet. KN_ERROR_BAD_DATA when
// creation numbers or counts of tags make no sense.
kn_result kni_rebuild(kn_world *world);
kn_result kni_rebuild_actors(kn_world *world);
// Counts a tag as the API would, before anything is rebuilt. False when the count is too high.
bool kni_rebuild_tag(
    kn_world *world, uint32_t component, uint32_t tag, kn_tag_origin origin, uint32_t count);
// The slots of a pool by creation; every record begins with its number. False when out of memory;
// the caller frees pool->count items.
bool kni_rebuild_order(kn_world *world, const kni_pool *pool, kni_sort_item **items);

#endif
