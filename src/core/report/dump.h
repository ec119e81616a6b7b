// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the dumps share. Facts that have to be found first (why a modifier does not act, what hides
// a tag, what an activation waits for) are found in dump_facts.c, once for both forms: the text for
// people (dump.c, dump_entity.c, dump_actor.c) and the JSON (dump_json.c).
#ifndef KNI_DUMP_H
#define KNI_DUMP_H

#include "knack/debug.h"

#include "ability/task.h"
#include "effect/unmet.h"
#include "world/names.h"
#include "world/state_tables.h"

// A state by its fields; `bytes` is NULL where there is none, or it has no fields.
typedef struct kni_state_look {
    const kn_def_table *table;
    const uint8_t *bytes;
} kni_state_look;

static inline uint32_t kni_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void kni_text_modifier(kni_text *text, kn_op op, float magnitude, uint32_t stacks, uint32_t channel,
    kn_qualification qualification);
// Abilities, cooldowns and cues of a component (dump_actor.c).
void kni_dump_actor(kni_text *text, const kn_world *world, uint32_t component);
void kni_dump_blocked(kni_text *text, const kn_world *world, uint32_t component);
// Commands of an entity that wait (command_text.c).
void kni_dump_commands(kni_text *text, const kn_world *world, kn_entity_id entity);
// Tickers on an entity, null: on the world, and watches that watch it or belong to it
// (dump_waiting.c).
void kni_dump_tickers(kni_text *text, const kn_world *world, kn_entity_id entity);
void kni_dump_watches(kni_text *text, const kn_world *world, kn_entity_id entity);
// Slot + 1 of the first watch on an entity, or of those that belong to it, and of the next; 0 at
// the end.
uint32_t kni_watch_list_first1(const kn_world *world, kn_entity_id entity, bool is_owned);
uint32_t kni_watch_list_next1(const kni_watch *watch, bool is_owned);
// What a watch has as its state.
kni_state_look kni_watch_state_look(const kn_world *world, uint32_t slot);
// Components of an entity, KNI_NONE: of the world.
void kni_dump_components(kni_text *text, const kn_world *world, uint32_t entity_slot);
// One field of a struct: "entity 3", "1, 2, 3"
void kni_text_field(
    kni_text *text, const kn_world *world, const kn_def_field *field, const uint8_t *record);
// A struct on one line: "target entity 3; hits 7"
void kni_text_record(
    kni_text *text, const kn_world *world, const kn_def_table *table, const uint8_t *record);
// "state target entity 3; hits 7" after `spaces` spaces; nothing for a state without fields.
void kni_dump_state(kni_text *text, const kn_world *world, uint32_t spaces, kni_state_look look);

// Facts (dump_facts.c) --------------------------------------------------------

// All lines of an explanation. Many of them need a block until kni_explanation_drop(); if there is
// no memory for it, `count` is what fits without.
typedef struct kni_explanation {
    kn_explain_line few[64];
    kn_explain_line *lines;
    uint32_t count;
    uint32_t total;
} kni_explanation;

// What is explained: an attribute, or a transient value of a base and a record.
typedef struct kni_explain_of {
    kn_entity_id entity;
    kn_attribute_id attribute;
    uint32_t key;
    kn_value_id value; // null for an attribute
    float base;
    const kn_event_record *record;
} kni_explain_of;

void kni_explanation_take(
    const kn_world *world, const kni_explain_of *of, kni_explanation *explanation);
void kni_explanation_drop(const kn_world *world, kni_explanation *explanation);

// Whether a modifier of an active effect acts, or why it does not.
kn_qualification kni_modifier_qualification(
    const kn_world *world, const kni_effect *effect, uint32_t index);

// A view for reading; nothing is changed through it.
kn_spec_view kni_effect_look(const kn_world *world, uint32_t slot);

// How a tag of a component is shown or hidden by the edits of effects.
typedef struct kni_tag_look {
    bool is_shown;
    kn_effect_id by; // the effect that hides or shows it; null if none does
    kn_tag with;     // if hidden: the tag shown in its place
} kni_tag_look;

kni_tag_look kni_tag_look_of(const kn_world *world, uint32_t component, uint32_t tag);
// The next tag, above `tag`, that the component has or shows; 0 at the end.
uint32_t kni_tag_next(const kn_world *world, uint32_t component, uint32_t tag);
const char *kni_origin_word(kn_tag_origin origin);
// kn_entity_blocked_tags() without the first `skip`. Returns how many there are in total.
uint32_t kni_blocked_tags(const kn_world *world, uint32_t component, uint32_t skip,
    kn_blocked_tag *out, uint32_t capacity);

// Tags of an ability, those of its type first.
uint32_t kni_ability_tag_count(const kn_world *world, uint32_t slot);
kn_tag kni_ability_tag_at(const kn_world *world, uint32_t slot, uint32_t index);
const char *kni_fail_word(const kn_library *library, uint32_t index);
// What printed events say about the end of an activation: the text of a reason, or its words.
const char *kni_end_word(const kn_library *library, uint32_t reason);
kni_state_look kni_effect_state_look(const kn_world *world, uint32_t slot);
kni_state_look kni_ability_state_look(const kn_world *world, uint32_t slot);
kni_state_look kni_activation_state_look(const kn_world *world, uint32_t slot);
kni_state_look kni_task_state_look(const kn_world *world, uint32_t slot);

#endif
