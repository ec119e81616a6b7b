// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Saves. A header: "KNSV", version, length of all, checksum of what follows. Then the hash of the
// library that wrote it, and sections, each with a mark and its length:
//
//   NAME  every registered thing the rest refers to, by kind and name; references are places here
//   FIEL  the fields of components and states, by name: how they are laid out further down
//   TYPE  effect types made at run time, as whole defs
//   WRLD  time, the next creation number, random streams, the seed of activations
//   ENTI  entities; slots are kept, so that ids stay good
//   COMP  ability components: plain fields, attribute sets with the values of each attribute
//   EFFE  active effects with their extension records
//   TAGS  counts of tags that do not come from effects
//   SPEC  stored specs
//   TIME  timers of rules
//   ACTO  actors; then ABIL, ACTI, CHAR, PAYL, TASK, CUES: what they can do and do; slots are kept
//   EXTE  extension components
//
// Records are written through the tables of state_tables.c, numbers in little-endian order. Only
// what cannot be derived is there: tag counts, modifier lists and timers follow from the rest.
#ifndef KNI_SAVE_FORMAT_H
#define KNI_SAVE_FORMAT_H

#include "base/sort.h"
#include "world/state_tables.h"

#define SAVE_HEADER_SIZE 24
#define SAVE_DYNAMIC 0x80000000u // a reference to a type made at run time

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

// What an error calls things of a kind that saves may name; NULL for the other kinds.
const char *kni_save_kind_name(uint32_t kind);
// Over everything behind the header.
uint64_t kni_save_checksum(const uint8_t *data, size_t size);

// What effects and children count is derived.
static inline bool kni_save_has_origin(uint32_t origin)
{
    return origin != KN_TAG_ORIGIN_CHILD && origin != KN_TAG_ORIGIN_EFFECT;
}

// Everything that is derived, for a world with nothing derived in it yet. KN_ERROR_BAD_DATA when
// creation numbers or counts of tags make no sense.
kn_result kni_rebuild(kn_world *world);
// Counts a tag as the API would, before anything is rebuilt. False when the count is too high.
bool kni_rebuild_tag(
    kn_world *world, uint32_t component, uint32_t tag, kn_tag_origin origin, uint32_t count);

#endif
