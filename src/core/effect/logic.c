// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks of effects with logic. The state is copied out of the heap for a hook and back after it,
// and nested hooks of one effect share the copy.

#include "effect/effect.h"

#include <string.h>

static void logic_call(const kn_effect_logic_def *logic, kn_world *world, const kn_spec_view *spec,
    void *state, const kni_logic_call *call)
{
    switch (call->kind) {
    case KNI_LOGIC_APPLIED:
        logic->applied(logic->user, world, spec, state);
        break;
    case KNI_LOGIC_TICKED:
        logic->ticked(logic->user, world, spec, state);
        break;
    case KNI_LOGIC_STACKS:
        logic->stacks_changed(logic->user, world, spec, state, call->old_count, call->new_count);
        break;
    case KNI_LOGIC_INHIBITED:
        logic->inhibited(logic->user, world, spec, state, call->is_inhibited);
        break;
    case KNI_LOGIC_EXECUTED:
        logic->executed(logic->user, world, spec, state);
        break;
    case KNI_LOGIC_REAPPLIED:
        logic->reapplied(logic->user, world, spec, state, call->again);
        break;
    default:
        logic->removed(logic->user, world, spec, state, call->reason);
        break;
    }
}

static bool logic_has(const kn_effect_logic_def *logic, kni_logic_kind kind)
{
    switch (kind) {
    case KNI_LOGIC_APPLIED:
        return logic->applied != NULL;
    case KNI_LOGIC_TICKED:
        return logic->ticked != NULL;
    case KNI_LOGIC_STACKS:
        return logic->stacks_changed != NULL;
    case KNI_LOGIC_INHIBITED:
        return logic->inhibited != NULL;
    case KNI_LOGIC_EXECUTED:
        return logic->executed != NULL;
    case KNI_LOGIC_REAPPLIED:
        return logic->reapplied != NULL;
    default:
        return logic->removed != NULL;
    }
}

const kni_logic_frame *kni_logic_running(const kn_world *world, kn_effect_id effect)
{
    const kni_logic_frame *frame = world->logic;
    while (frame != NULL && !kn_effect_id_equal(frame->effect, effect)) {
        frame = frame->outer;
    }
    return frame;
}

void kni_logic_notify(kn_world *world, const kn_spec_view *spec, const kni_logic_call *call)
{
    const kn_effect_logic_def *logic =
        &KNI_ITEM(world->library, KN_DEF_EFFECT_LOGIC, kni_logic, spec->type->def.logic.index1 - 1)
             ->def;
    if (!logic_has(logic, call->kind)) {
        return;
    }
    uint64_t state[4096 / sizeof(uint64_t)];
    kni_ref ref = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->state : 0;
    kni_logic_frame frame = {world->logic, kn_spec_view_effect(spec), state};
    bool is_active = spec->effect != KNI_NONE;
    const kni_logic_frame *outer = is_active ? kni_logic_running(world, frame.effect) : NULL;
    if (outer != NULL) {
        frame.state = outer->state;
    } else if (ref != 0) {
        memcpy(state, kni_heap_at(&world->heap, ref), logic->state_size);
    } else {
        memset(state, 0, logic->state_size); // of an instant effect
    }
    world->logic = &frame;
    kni_hold(world);
    logic_call(logic, world, spec, frame.state, call);
    kni_release(world);
    world->logic = frame.outer;
    if (outer == NULL && ref != 0) {
        memcpy(kni_heap_at(&world->heap, ref), state, logic->state_size);
        if (is_active) {
            kni_mark_effect(world, spec->effect);
        }
    }
}
