// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The step, and what rooms below leave to it.
#ifndef KNI_STEP_H
#define KNI_STEP_H

#include "ability/actor.h"

// The end of an entity.
void kni_entity_destroy_now(kn_world *world, kn_entity_id entity);
// Runs what waits in the reaction queue until nothing does. Rooms below reach it as
// world->above->drain.
KNI_SLOW void kni_drain(kn_world *world);
// Makes what happened in a step visible.
void kni_publish(kn_world *world);
// Carries out a call that waited.
void kni_postponed_run(kn_world *world, const kni_call *call);
// Whether the owner of an entry of the timer wheel still agrees with it; `user` is the world.
bool kni_timer_alive(void *user, kni_timer timer);

#endif
