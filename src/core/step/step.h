// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The step, and the functions that rooms below reach through the reaction queue or kni_above.
#ifndef KNI_STEP_H
#define KNI_STEP_H

#include "ability/actor.h"

// Notifies those that want to know before an entity is destroyed, and queues its destruction behind
// them. False if there are none.
bool kni_entity_destroy_announce(kn_world *world, kn_entity_id entity);
// Destroys an entity at once.
void kni_entity_destroy_now(kn_world *world, kn_entity_id entity);
// Runs the reaction queue until it is empty. Rooms below call it as world->above->drain.
KNI_SLOW void kni_drain(kn_world *world);
// Carries out the commands that wait.
void kni_commands_run(kn_world *world);
// Publishes the events of a step.
void kni_publish(kn_world *world);
// Carries out a call that waited.
void kni_postponed_run(kn_world *world, const kni_call *call);
// Whether the owner of a timer still agrees with its entry in the wheel; `user` is the world.
bool kni_timer_alive(void *user, kni_timer timer);

#endif
