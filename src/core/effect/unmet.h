// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What keeps conditions from being met.
#ifndef KNI_UNMET_H
#define KNI_UNMET_H

#include "base/text.h"
#include "effect/effect.h"

// Something that keeps conditions from being met.
typedef struct kni_unmet {
    bool of_source; // else of the target
    kn_tag missing;
    kn_tag unwanted;
    bool query;                              // its query does not match
    const kn_attribute_condition *attribute; // NULL for a tag
} kni_unmet;

// Returns how many there are; at most `capacity` are written.
uint32_t kni_conditions_unmet(
    const kn_spec_view *spec, const kn_conditions *conditions, kni_unmet *out, uint32_t capacity);
// "needs State.Lit; source has State.Wet"
void kni_text_unmet(kni_text *text, const kn_spec_view *spec, const kn_conditions *conditions);

// "source needs State.Lit"
void kni_text_effect_refusal(
    kni_text *text, const kn_world *world, const kn_effect_refusal *refusal);

#endif
