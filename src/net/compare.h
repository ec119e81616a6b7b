// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How a server and a client with different libraries find the first definition that differs. The
// server asks, and the client says the more, so that a stranger never gets more than it sent:
//
//   server: COMPARE_KINDS                client: for each kind that it has: kind, count, hash
//   server: COMPARE_DEFS, kind           client: kind, hash of each definition of the kind
//   server: COMPARE_NAME, kind, index1   client: kind, index1, its name
//
// Then the server closes the connection with a sentence. Hashes are cut to 32 bits.
#ifndef KNI_COMPARE_H
#define KNI_COMPARE_H

#include "delta.h"

#include "knack/knack.h"

#define COMPARE_DEFS_MAX 16384 // definitions of a kind that are compared
#define COMPARE_NAME_MAX 64    // bytes of a name that are sent

typedef enum compare_step {
    COMPARE_NONE,
    COMPARE_KINDS,
    COMPARE_DEFS,
    COMPARE_NAME,
    COMPARE_DONE, // the sentence is there
    COMPARE_BAD,  // what the client said makes no sense
} compare_step;

// Where the comparison of a connection stands.
typedef struct comparison {
    uint8_t step; // what was asked last
    uint32_t kind, index1;
} comparison;

// The server: writes the question that `step` asks.
void kni_compare_ask(const comparison *at, kn_writer *out);
// The client: writes the answer to a question, or only counts its bytes. False for a question that
// makes no sense.
bool kni_compare_answer(const kn_library *library, kn_reader question, kn_writer *out);
// Fills in the hash of each kind. They are the same for every client.
void kni_compare_hashes(const kn_library *library, uint32_t *kind_hashes);
// The server: takes an answer. `at` is then what to do next; with COMPARE_DONE, `text` receives
// the sentence.
void kni_compare_take(const kn_library *library, const uint32_t *kind_hashes, comparison *at,
    kn_reader *in, char *text, size_t size);

#endif
