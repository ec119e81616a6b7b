// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The datagrams that were built and whose result is not reported yet: when each was sent, what it
// carried, and what became of it. Times are measured here, and here it is decided what is lost.
#ifndef KNI_LINK_FLIGHT_H
#define KNI_LINK_FLIGHT_H

#include "knack/link.h"

// The most pieces of messages in one datagram.
#define KNI_PIECES_MAX 4

typedef enum kni_flight_fate {
    KNI_FLIGHT_OPEN,
    KNI_FLIGHT_LOST, // an acknowledgement can still arrive
    KNI_FLIGHT_RECEIVED,
} kni_flight_fate;

typedef struct kni_flight_record {
    kn_time sent;
    uint64_t limit; // that it announced; 0 for none
    uint8_t fate;
    uint8_t piece_count;
    uint16_t piece_sizes[KNI_PIECES_MAX];
    uint32_t piece_begins[KNI_PIECES_MAX]; // the lowest 32 bits
} kni_flight_record;

typedef struct kni_flight {
    kni_flight_record *records; // a ring; the place of a sequence is its remainder
    uint32_t capacity;
    uint64_t first;         // sequence of the first datagram ever
    uint64_t oldest;        // the next to report
    uint64_t settled;       // all before it have a fate other than open
    uint64_t next;          // the next to build
    uint64_t beyond_acked;  // one more than the highest sequence that was acknowledged
    uint64_t beyond_backed; // datagrams before it do not double the time to wait again
    uint32_t doublings;
    uint32_t reorder_limit;
    kn_time resend_min, resend_max;
    kn_time answer, answer_deviation; // how long acknowledgements take, with the time they are held
    kn_time round_trip, round_trip_min, round_trip_latest, deviation, jitter;
    bool is_measured;
    uint32_t loss_ppm;
    uint64_t acknowledged, lost; // lost: as reported
} kni_flight;

// Called for what was carried by a datagram whose fate is decided.
typedef void kni_flight_fn(void *user, const kni_flight_record *record);

kn_result kni_flight_init(kni_flight *flight, const kn_net_link_def *def);
void kni_flight_free(kni_flight *flight, const kn_hooks *hooks);

static inline kni_flight_record *kni_flight_at(kni_flight *flight, uint64_t sequence)
{
    return &flight->records[sequence % flight->capacity];
}

// The first sequence whose record is still there. Records that were reported as lost stay until
// their place is needed: late acknowledgements show that the time to wait is too short, and that
// pieces need not be sent again.
static inline uint64_t kni_flight_known(const kni_flight *flight)
{
    bool has_wrapped = flight->next - flight->first > flight->capacity;
    return has_wrapped ? flight->next - flight->capacity : flight->first;
}

// Whether as many datagrams as allowed wait to be reported.
static inline bool kni_flight_is_full(const kni_flight *flight)
{
    return flight->next - flight->oldest == flight->capacity;
}

// The time after which a datagram without any answer counts as lost.
kn_time kni_flight_resend_time(const kni_flight *flight);

// Marks a datagram as received. False if it was already, or is no longer known.
bool kni_flight_acknowledge(kni_flight *flight, uint64_t sequence, kn_time now);
// Measures a round trip.
void kni_flight_measure(kni_flight *flight, kn_time round_trip);
// Decides which datagrams are lost by now, and gives each to `on_lost`.
void kni_flight_settle(kni_flight *flight, kn_time now, kni_flight_fn *on_lost, void *user);
// Takes the next datagram to report. False if its fate is open.
bool kni_flight_report(kni_flight *flight, uint64_t *sequence, bool *was_received);

#endif
