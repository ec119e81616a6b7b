// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The pipeline of event records: modify the magnitude by transient values, test gates, apply,
// notify.

#include "effect/effect.h"

#include <math.h>

static const kn_event_kind_def *record_kind(const kn_world *world, const kn_event_record *record)
{
    return &KNI_ITEM(world->library, KN_DEF_EVENT_KIND, kni_event_kind, record->kind.index1 - 1)
                ->def;
}

static kni_gate_subject record_gate_subject(
    const kn_world *world, const kn_event_record *record, const kn_gate_def **found)
{
    kni_gate_subject subject = {record, record->effect, record->kind.index1,
        kni_component_find(world, record->instigator), found};
    return subject;
}

static uint32_t record_gate(const kn_world *world, const kn_event_record *record, uint32_t *fail)
{
    const kn_gate_def *found = NULL;
    kni_gate_subject subject = record_gate_subject(world, record, &found);
    uint32_t gate = KNI_NONE;
    if (subject.source_component != KNI_NONE) {
        gate = kni_gate_find(world, subject.source_component, true, &subject);
    }
    uint32_t target = kni_component_find(world, record->target);
    if (gate == KNI_NONE && target != KNI_NONE) {
        gate = kni_gate_find(world, target, false, &subject);
    }
    *fail = kni_gate_fail(world, found);
    return gate;
}

static float record_modify(
    const kn_world *world, const kn_event_kind_def *kind, const kn_event_record *record)
{
    float magnitude = record->magnitude;
    if (record->ignore_modifiers) {
        return magnitude;
    }
    if (kind->outgoing.index1 != 0 && record->instigator.index1 != 0) {
        magnitude =
            kn_value_evaluate(world, record->instigator, kind->outgoing, magnitude, record, false);
    }
    if (kind->incoming.index1 != 0) {
        magnitude =
            kn_value_evaluate(world, record->target, kind->incoming, magnitude, record, false);
    }
    return magnitude;
}

kn_result kni_event_modify_and_gate(
    kn_world *world, const kn_event_record *original, kn_event_outcome *outcome)
{
    const kn_event_kind_def *kind = record_kind(world, original);
    kn_event_record record = *original;
    float modified = record_modify(world, kind, &record);
    if (kind->gate_sees_final) {
        record.magnitude = modified;
    }
    *outcome = (kn_event_outcome){.magnitude = modified};
    if (!isfinite(modified)) {
        outcome->result = KN_REFUSED_BAD_NUMBER;
        outcome->magnitude = 0.0f;
        return KN_REFUSED_BAD_NUMBER;
    }
    uint32_t gate = kind->restrictable && !record.ignore_gates
                        ? record_gate(world, &record, &outcome->fail)
                        : KNI_NONE;
    if (gate != KNI_NONE) {
        outcome->result = KN_REFUSED_BLOCKED;
        outcome->blocked_by = kni_effect_id_of(world, gate);
        if (kni_wants(world, KN_EVENT_RESTRICTED)) {
            kn_event *event = kni_emit(world, KN_EVENT_RESTRICTED, record.target);
            memset(&event->data, 0, sizeof(event->data));
            event->data.record.kind = record.kind;
            event->data.record.tag = kind->tag;
            event->data.record.instigator = record.instigator;
            event->data.record.magnitude = modified;
            event->data.record.by = outcome->blocked_by;
        }
    }
    return outcome->result;
}

static kn_result record_check(const kn_world *world, const kn_event_record *record)
{
    if (world == NULL || record == NULL || record->cookie != KN_COOKIE ||
        record->kind.index1 == 0 ||
        record->kind.index1 > world->library->registries[KN_DEF_EVENT_KIND].count) {
        KN_ASSERT_DEF(record, kn_event_record);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_record_check(world, record);
    bool is_readable = result == KN_OK || result == KN_REFUSED_BAD_NUMBER;
    return is_readable && !kn_entity_is_alive(world, record->target) ? KN_REFUSED_STALE_ID : result;
}

kn_result kn_event_run(kn_world *world, const kn_event_record *record, kn_event_outcome *outcome)
{
    kn_event_outcome local;
    outcome = outcome != NULL ? outcome : &local;
    *outcome = (kn_event_outcome){0};
    kn_result result = record_check(world, record);
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        outcome->result = result;
        return result;
    }
    const kn_event_kind_def *kind = record_kind(world, record);
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_EVENT, record->target, (kn_effect_id){0},
            (kn_effect_type_id){0}, kind->tag.index1, &previous)) {
        outcome->result = KN_REFUSED_LIMIT;
        return kni_leave(world, KN_REFUSED_LIMIT);
    }
    result = kni_event_modify_and_gate(world, record, outcome);
    if (result == KN_OK) {
        if (kind->apply != NULL) {
            kni_hold(world);
            kind->apply(kind->user, world, record, outcome->magnitude);
            kni_release(world);
        }
        kni_send(world, record->target, record->kind, kind->tag, record->instigator,
            outcome->magnitude, record);
    }
    kni_cause_end(world, previous);
    return kni_leave(world, result);
}

uint32_t kn_event_vetoes(
    const kn_world *world, const kn_event_record *record, kn_effect_id *out, uint32_t capacity)
{
    if (record_check(world, record) != KN_OK) {
        return 0;
    }
    const kn_event_kind_def *kind = record_kind(world, record);
    if (record->ignore_gates || !kind->restrictable) {
        return 0;
    }
    kn_event_record copy = *record;
    if (kind->gate_sees_final) {
        copy.magnitude = record_modify(world, kind, record);
    }
    const kn_gate_def *found;
    kni_gate_subject subject = record_gate_subject(world, &copy, &found);
    uint32_t components[2] = {subject.source_component, kni_component_find(world, record->target)};
    uint32_t count = 0;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t first = 0;
        while (components[side] != KNI_NONE) {
            uint32_t index =
                kni_gate_walk(world, components[side], side == 0, &subject, NULL, first);
            if (index == KNI_NONE) {
                break;
            }
            if (count < capacity) {
                out[count] =
                    kni_effect_id_of(world, kni_gate_effect(world, components[side], index));
            }
            count++;
            first = index + 1;
        }
    }
    return count;
}
