// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Keys of created entities: a number that a client and its server compute alike from why and when
// an entity was created. By it a client recognises, in an entity that the server sends, the one
// that it has created by prediction.
#ifndef KNI_CREATION_H
#define KNI_CREATION_H

#include "knack/knack.h"

// Tells several creations of one cause apart. All-zero to begin with.
typedef struct creation_counter {
    uint64_t cause;
    uint32_t count;
} creation_counter;

// What stands for an entity on both sides: its key if it has one, otherwise its id.
typedef uint64_t kni_token_fn(const void *user, kn_entity_id entity);

// The key of a KN_EVENT_ENTITY_CREATED of the last step. 0 for what the host created: nobody
// predicts that.
uint32_t kni_creation_key(creation_counter *counter, const kn_world *world, const kn_event *event,
    kni_token_fn *token, const void *user);

#endif
