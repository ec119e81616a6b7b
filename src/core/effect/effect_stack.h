// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#ifndef KNI_EFFECT_STACK_H
#define KNI_EFFECT_STACK_H

#include "effect/effect.h"

// Most stacks of an effect, and most with a timer each.
#define KNI_STACKS_MAX (UINT32_MAX / 2)
#define KNI_STACK_TIMERS_MAX 4096

// What becomes of an application on a target that may already have the effect.
typedef struct kni_stack_plan {
    uint32_t existing; // the effect it merges into, or KNI_NONE for a new one
    uint32_t count;    // of a new effect
    kn_result result;  // KN_OK, or why it is refused
} kni_stack_plan;

// Finds the stack an application belongs to and the count of a new one. Changes nothing.
kni_stack_plan kni_stack_plan_make(kn_world *world, const kni_application *application);
// Whether a stack that an application belongs to is full and takes no more.
bool kni_stack_denies(const kn_world *world, const kn_spec_view *spec, uint32_t effect);
// Merges an application into an existing effect; consumes the spec's extension record.
kn_result kni_stack_merge(
    kn_world *world, kni_application *application, uint32_t effect, kn_time duration);
// The first stacks of a new effect with a timer each.
bool kni_stack_begin_timers(
    kn_world *world, const kn_spec_view *spec, uint32_t effect, uint32_t count, kn_time duration);
void kni_stack_deny(kn_world *world, const kni_application *application, uint32_t effect);
// Puts newly pooled amounts into the extension record.
void kni_pool_fill(kn_world *world, const kn_spec_view *spec);

#endif
