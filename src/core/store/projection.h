// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The format of projections, which their writer and their reader share.
#ifndef KNI_PROJECTION_H
#define KNI_PROJECTION_H

#include "store/store.h"

// A header: "KNPR", version, hash of the library, number of effect types made at run time and their
// hash, the filter, the ids of all entities. Then for each entity PROJECTION_*; of one that is
// there:
//
//   plain fields of the entity
//   of one with a component of its own: slot, links, sets and values, tags, effects, actor,
//   abilities, cooldowns, activations with their events and tasks, cues
//   timers, watches, blocks of ability tags, components by type
//
// The filter has its parts in the lower half of a word, and in the upper half those that are empty.
// The parts that the filter leaves out are not there at all. Records are written through the tables
// of state_tables.c, with the numbers of definitions, since both sides have the same library.
// Slots are kept where they are in ids, and otherwise if they are free.
//
// With KN_IDENTITY_PLACES there are no slots and creation numbers. Behind the plain fields of an
// entity stands a directory: how many effects, abilities, activations, tasks, timers and watches
// there are, and the type of each; references are places in it. Of the world itself only what
// clients may share with their server is there.

#define PROJECTION_MAGIC KNI_MARK('K', 'N', 'P', 'R')

enum {
    PROJECTION_GONE,      // the entity does not exist
    PROJECTION_BARE,      // without a component of its own
    PROJECTION_COMPONENT, // with one
};

// Whether something that was declared so is shown to the viewer.
static inline bool kni_is_shown(
    const kn_projection_filter *filter, kn_sync sync, const kn_wire *wire)
{
    bool may_see = filter->viewer == KN_VIEWER_ALL || sync == KN_SYNC_ALL ||
                   (filter->viewer == KN_VIEWER_OWNER && sync == KN_SYNC_OWNER);
    return may_see && (filter->groups >> wire->group & 1) != 0;
}

// Whether the viewer gets components of a type at all.
static inline bool kni_is_component_shown(
    const kn_projection_filter *filter, const kni_component_type *type)
{
    return filter->viewer == KN_VIEWER_ALL || type->def.sync == KN_SYNC_ALL ||
           (filter->viewer == KN_VIEWER_OWNER && type->def.sync == KN_SYNC_OWNER);
}

// How many of a count of tags the viewer may see. What a machine counted for itself alone is shown
// to nobody; what effects and children count is derived.
static inline uint32_t kni_count_shown(
    const kn_projection_filter *filter, const kni_origin_row *row)
{
    if (filter->viewer == KN_VIEWER_ALL || row->origin > KN_TAG_ORIGIN_LOOSE_SYNCED) {
        return kni_save_has_origin(row->origin) ? row->count : 0;
    }
    if (row->origin == KN_TAG_ORIGIN_LOOSE || row->count == 0) {
        return 0;
    }
    bool is_count = row->sync == KN_TAG_SYNC_COUNT_ALL ||
                    (row->sync == KN_TAG_SYNC_COUNT_OWNER && filter->viewer == KN_VIEWER_OWNER);
    return is_count ? row->count : 1;
}

static inline bool kni_stream_is_shown(
    const kn_projection_filter *filter, const kn_library *library, uint32_t stream)
{
    if (filter->identity == KN_IDENTITY_IDS) {
        return true;
    }
    if (stream >= KNI_STREAM_COUNT) {
        return !library->streams[stream - KNI_STREAM_COUNT].hidden;
    }
    return stream >= KNI_STREAM_MAX || (filter->hidden_streams >> stream & 1) == 0;
}

// Meta attributes are of the machine that computes: nobody who plays gets them.
static inline bool kni_is_attribute_shown(
    const kn_projection_filter *filter, const kn_attribute_def *def)
{
    return kni_is_shown(filter, def->is_meta ? KN_SYNC_NONE : def->sync, &def->wire);
}

#define PROJECTION_EMPTY_SHIFT 16 // where the empty parts begin in the word of all parts

static inline bool kni_parts_are_good(uint32_t parts, uint32_t empty_parts)
{
    return parts <= KN_PARTS_ALL && (empty_parts & ~KN_PARTS_EMPTIABLE) == 0 &&
           (empty_parts & parts) == 0;
}

static inline bool kni_has_part(const kn_projection_filter *filter, kn_part part)
{
    return (filter->parts >> part & 1) != 0;
}

#endif
