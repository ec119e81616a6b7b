// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What sessions report of the ticks that they simulate. A tick may be simulated several times; what
// happens in it is reported once. What was reported and does not happen when the tick is simulated
// again is revoked.
#ifndef KNI_REPORTS_H
#define KNI_REPORTS_H

#include "knack/knack.h"

// Something that was reported to the host.
typedef struct report {
    uint64_t key; // what it is, apart from numbers of this machine
    uint64_t tick;
    kn_event event;
    kn_prediction_key use; // the command behind it
} report;

typedef struct report_list {
    report *data;
    uint32_t count, capacity;
} report_list;

// Adds an event of a tick.
kn_result kni_reported_add(
    const kn_hooks *hooks, report_list *list, uint64_t tick, const kn_event *event);
// Adds what the last step of a world published.
kn_result kni_reported_step(
    const kn_hooks *hooks, report_list *list, const kn_world *world, uint64_t tick);
// Lets reports of one entity be of another.
void kni_reported_rename(report_list *list, kn_entity_id from, kn_entity_id to);
// Drops the reports up to a tick.
void kni_reports_drop(report_list *list, uint64_t tick);

// Receives a difference: something new that happened late, or something that is revoked.
typedef kn_result kni_reported_fn(void *user, const report *what, bool is_revoked);

// Gives the difference between what was reported and what is fresh, which takes its place. A
// failure of `publish` ends it; the fresh list takes the place of the other in any case.
kn_result kni_reported_difference(
    report_list *reported, report_list *fresh, kni_reported_fn *publish, void *user);
void kni_reports_free(const kn_hooks *hooks, report_list *list);

#endif
