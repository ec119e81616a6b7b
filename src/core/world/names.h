// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How lines for people name things: entities by slot ("entity 3"), effects by name and creation
// number ("Burn #12"), which is never reused.
#ifndef KNI_NAMES_H
#define KNI_NAMES_H

#include "base/text.h"
#include "world/world.h"

// Appends spaces up to `width` characters after `start`.
void kni_text_pad(kni_text *text, uint32_t start, uint32_t width);
void kni_text_entity(kni_text *text, kn_entity_id entity);
void kni_text_type_and_number(
    kni_text *text, const kn_world *world, kn_effect_type_id type, kn_effect_id effect);
void kni_text_effect(kni_text *text, const kn_world *world, kn_effect_id effect);
void kni_text_tag(kni_text *text, const kn_world *world, kn_tag tag);
void kni_text_tags(kni_text *text, const kn_world *world, kn_tags tags);
void kni_text_attribute(
    kni_text *text, const kn_world *world, kn_attribute_id attribute, uint32_t key);
// What is behind a refusal, for texts.
typedef struct kni_reason_facts {
    uint32_t fail;    // a kn_fail bit, or 0
    const char *text; // of the one who refuses; "" for none
    kn_tag tag;
    kn_ability_type_id ability;
    float have, need;
} kni_reason_facts;
// The text of the one who refuses or else of the reason, if the library registers it, with numbers
// and tag filled in. False, and nothing, if there is neither.
bool kni_text_reason(kni_text *text, const kn_world *world, const kni_reason_facts *facts);
// Who blocks ability tags: "entity 3", "entity 3 key 7", "key 7".
void kni_text_block_source(kni_text *text, kn_entity_id source, uint64_t key);
void kni_text_time(kni_text *text, kn_time time);
// Prints one link of a chain of causes; `brief` omits the kind where the rest says enough.
void kni_text_cause(kni_text *text, const kn_world *world, const kn_cause_info *info, bool brief);

#endif
