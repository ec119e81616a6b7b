// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "link_flight.h"

#include "knack/tools.h"

#define FLIGHT_DOUBLINGS_MAX 6

kn_result kni_flight_init(kni_flight *flight, const kn_net_link_def *def)
{
    *flight = (kni_flight){.capacity = def->flight_limit,
        .first = def->first_sequence,
        .oldest = def->first_sequence,
        .settled = def->first_sequence,
        .next = def->first_sequence,
        .beyond_acked = def->first_sequence,
        .beyond_backed = def->first_sequence,
        .reorder_limit = def->reorder_limit,
        .resend_min = def->resend_min,
        .resend_max = def->resend_max,
        .answer = def->first_round_trip,
        .answer_deviation = def->first_round_trip / 2,
        .round_trip = def->first_round_trip};
    flight->records =
        kn_memory_resize(&def->hooks, NULL, 0, flight->capacity * sizeof(*flight->records));
    return flight->records != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

void kni_flight_free(kni_flight *flight, const kn_hooks *hooks)
{
    kn_memory_free(hooks, flight->records, flight->capacity * sizeof(*flight->records));
}

static kn_time flight_distance(kn_time a, kn_time b)
{
    return a < b ? b - a : a - b;
}

// Moves a smoothed value by one part in `parts` towards a sample. Differences round away from zero,
// so that it arrives.
static kn_time flight_smooth(kn_time value, kn_time sample, kn_time parts)
{
    kn_time step = flight_distance(value, sample);
    step = step / parts + (step % parts != 0);
    return sample < value ? value - step : value + step;
}

kn_time kni_flight_resend_time(const kni_flight *flight)
{
    kn_time limit = flight->resend_max;
    if (flight->answer >= limit || flight->answer_deviation >= limit / 4) {
        return limit; // and no sum that is too large
    }
    // However steady the answers are, one of them may be lost and the next says the same.
    kn_time spare = 4 * flight->answer_deviation;
    spare = spare < flight->answer / 4 ? flight->answer / 4 : spare;
    kn_time wait = flight->answer + spare;
    wait = wait < flight->resend_min ? flight->resend_min : wait;
    for (uint32_t i = 0; i < flight->doublings && wait < limit; i++) {
        wait *= 2;
    }
    return wait < limit ? wait : limit;
}

bool kni_flight_acknowledge(kni_flight *flight, uint64_t sequence, kn_time now)
{
    if (sequence < kni_flight_known(flight) || sequence >= flight->next) {
        return false;
    }
    kni_flight_record *record = kni_flight_at(flight, sequence);
    if (record->fate == KNI_FLIGHT_RECEIVED) {
        return false;
    }
    record->fate = KNI_FLIGHT_RECEIVED;
    flight->acknowledged++;
    flight->doublings = 0;
    kn_time sample = now - record->sent;
    flight->answer_deviation =
        flight_smooth(flight->answer_deviation, flight_distance(sample, flight->answer), 4);
    flight->answer = flight_smooth(flight->answer, sample, 8);
    if (sequence >= flight->beyond_acked) {
        flight->beyond_acked = sequence + 1;
    }
    return true;
}

void kni_flight_measure(kni_flight *flight, kn_time round_trip)
{
    if (!flight->is_measured) {
        flight->is_measured = true;
        flight->round_trip = round_trip;
        flight->deviation = round_trip / 2;
        flight->round_trip_min = round_trip;
    } else {
        kn_time change = flight_distance(round_trip, flight->round_trip_latest);
        flight->jitter = flight_smooth(flight->jitter, change, 16);
        flight->deviation =
            flight_smooth(flight->deviation, flight_distance(round_trip, flight->round_trip), 4);
        flight->round_trip = flight_smooth(flight->round_trip, round_trip, 8);
    }
    flight->round_trip_latest = round_trip;
    if (round_trip < flight->round_trip_min) {
        flight->round_trip_min = round_trip;
    }
}

// Whether a datagram counts as lost; if it is for lack of any answer, the next wait is longer.
static bool flight_is_lost(kni_flight *flight, uint64_t sequence, kn_time now, kn_time wait)
{
    if (flight->beyond_acked > sequence + flight->reorder_limit) {
        return true;
    }
    if (now - kni_flight_at(flight, sequence)->sent < wait) {
        return false;
    }
    // Where a later one was answered, the peer is there.
    bool is_silent = sequence >= flight->beyond_backed && sequence >= flight->beyond_acked;
    if (is_silent && flight->doublings < FLIGHT_DOUBLINGS_MAX) {
        flight->doublings++;
        flight->beyond_backed = flight->next;
    }
    return true;
}

void kni_flight_settle(kni_flight *flight, kn_time now, kni_flight_fn *on_lost, void *user)
{
    kn_time wait = kni_flight_resend_time(flight);
    for (; flight->settled < flight->next; flight->settled++) {
        kni_flight_record *record = kni_flight_at(flight, flight->settled);
        if (record->fate != KNI_FLIGHT_OPEN) {
            continue;
        }
        if (!flight_is_lost(flight, flight->settled, now, wait)) {
            return; // all behind it were sent later
        }
        record->fate = KNI_FLIGHT_LOST;
        on_lost(user, record);
    }
}

bool kni_flight_report(kni_flight *flight, uint64_t *sequence, bool *was_received)
{
    *sequence = 0;
    *was_received = false;
    if (flight->oldest == flight->next ||
        kni_flight_at(flight, flight->oldest)->fate == KNI_FLIGHT_OPEN) {
        return false;
    }
    *sequence = flight->oldest;
    *was_received = kni_flight_at(flight, flight->oldest)->fate == KNI_FLIGHT_RECEIVED;
    flight->oldest++;
    flight->settled = flight->settled < flight->oldest ? flight->oldest : flight->settled;
    flight->lost += !*was_received;
    flight->loss_ppm =
        (uint32_t)flight_smooth((kn_time)flight->loss_ppm, *was_received ? 0 : 1000000, 64);
    return true;
}
