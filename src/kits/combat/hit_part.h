// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about hits have registered, and what they share.
#ifndef KNACK_HIT_PART_H
#define KNACK_HIT_PART_H

#include "knack/combat.h"

// Places of outcomes that the kit knows among those that every library has.
enum {
    HIT_OUTCOME_CRITICAL = 4,
    HIT_OUTCOME_ABSORBED = 5,
    HIT_OUTCOME_IMMUNE = 6,
    HIT_OUTCOME_TAGS = 7,
};

typedef struct hit_ids {
    kn_attribute_set_id set;                 // Hit, with the two meta attributes
    kn_attribute_id meta[KN_HIT_KIND_COUNT]; // by kn_hit_kind
    kn_value_id done[KN_HIT_KIND_COUNT];     // modifiers of the source
    kn_value_id taken[KN_HIT_KIND_COUNT];    // modifiers of the target
    kn_event_kind_id kinds[KN_HIT_KIND_COUNT];
    kn_tag tags[KN_HIT_KIND_COUNT]; // of the kinds of events
    kn_custom_event_id event;
    kn_def_kind outcome_kind;
    kn_tag outcome_tags[HIT_OUTCOME_TAGS]; // those that every library has
    kn_tag *own_tags;                      // of the definitions, by number less 1
    uint32_t own_tag_count;
    uint32_t stream; // random numbers of outcomes
    kn_event_kind_id death, resurrection;
    kn_tag died, resurrected, killed, kill, resurrect;
    kn_custom_event_id died_event, resurrected_event;
} hit_ids;

// Lines of an explanation; `count` counts those that do not fit too.
typedef struct hit_lines {
    kn_hit_line *lines;
    uint32_t capacity;
    uint32_t count;
    float last; // result of the line before
} hit_lines;

// A hit while it runs, or is explained.
typedef struct hit_call {
    kn_hit_def def;           // its tags lie in `tags`, those of outcomes included
    const kn_spec_view *spec; // the effect that deals it; NULL for none
    const struct combat *kit;
    const kn_combat_def *rules;
    bool is_used_up;  // the target has no health left
    hit_lines *lines; // where its stages are written down; NULL: nowhere
    kn_hit hit;
    kn_tag tags[KN_TAG_SET_MAX];
} hit_call;

// Finds effects that look as if they dealt hits, and never do.
kn_result knc_hit_check_effects(const kn_library *library, const hit_ids *ids, kn_error *error);
// Checks a hit and prepares a call for it; the call is not copied afterwards.
kn_result knc_hit_call_begin(const kn_world *world, const kn_hit_def *def, hit_call *call);
// The event that modifiers, conditions and gates see, with the tags of the outcomes so far.
kn_event_record knc_hit_record(const hit_call *call, float magnitude);
// Adds an outcome to a hit, and to the tags that follow-ups see.
void knc_hit_add_outcome(hit_call *call, kn_tag outcome);
// Health that a hit of this size would really change, of what it has now.
float knc_hit_limit(const kn_world *world, const hit_call *call, float amount);

// Writes down a stage of a hit just before it happens, for what changes `amount` in it: modifiers,
// gates, shares and absorbs. Returns what is left of it then. Without lines nothing happens.
float knc_hit_note_stage(
    const kn_world *world, const hit_call *call, kn_hit_stage stage, float amount);
// Writes down an outcome that has happened, and what has become of the health.
void knc_hit_note_outcome(const hit_call *call, kn_tag outcome, float factor, float amount);
void knc_hit_note_health(const hit_call *call, float amount);
// Logs a hit with its lines, if it has any.
void knc_hit_log(const kn_world *world, const hit_call *call);

// One outcome of a hit: how likely it is.
typedef struct outcome_odds {
    const kn_outcome_def *def;
    kn_tag tag;
    float chance; // 0 to 1
} outcome_odds;

// The odds of outcome `index1` for a hit; false if it is not for this hit.
bool knc_outcome_odds_of(
    const kn_world *world, const hit_call *call, uint32_t index1, float amount, outcome_odds *odds);
// What the amount is multiplied by.
float knc_outcome_factor(
    const kn_world *world, const hit_call *call, const outcome_odds *odds, float amount);
// Tries all outcomes and returns the amount after them.
float knc_outcomes_draw(kn_world *world, hit_call *call, float amount);
// True if a definition has this tag.
bool knc_outcome_exists(const kn_library *library, kn_tag tag);

// Tests whether the entity may die, which rules and abilities are notified of if so.
kn_result knc_life_may_end(kn_world *world, const kn_life_change *change, kn_tags tags);
// Makes it dead.
void knc_life_end(kn_world *world, const kn_life_change *change);
bool knc_life_is_over(const kn_world *world, const kn_combat_def *rules, kn_entity_id entity);

#endif
