// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A cue as bytes: ticks ago, tag, effect type, which parameters there are, and those; last the type
// and bytes of a payload, and the size and bytes of target data. Tags of source and target are not
// sent.

#include "cue_wire.h"

#include <math.h>

enum {
    CUE_INSTIGATOR = 1 << 0,
    CUE_MAGNITUDE = 1 << 1,
    CUE_CHANGE = 1 << 2,
    CUE_NORMALISED = 1 << 3,
    CUE_EFFECT_LEVEL = 1 << 4,
    CUE_ABILITY_LEVEL = 1 << 5,
    CUE_STACKS = 1 << 6, // other than 1
    CUE_CAUSER = 1 << 7,
    CUE_OBJECT = 1 << 8,
    CUE_LOCATION = 1 << 9,
    CUE_NORMAL = 1 << 10,
    CUE_PAYLOAD = 1 << 11,
    CUE_TARGETS = 1 << 12,
    CUE_FLAGS = 1 << 13,
};

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void float_write(kn_writer *out, float value)
{
    kn_write_u32(out, float_bits(value));
}

static float float_read(kn_reader *in)
{
    uint32_t bits = kn_read_u32(in);
    float value;
    memcpy(&value, &bits, sizeof(value));
    in->failed = in->failed || !isfinite(value);
    return in->failed ? 0.0f : value;
}

static void vector_write(kn_writer *out, kn_vec3 vector)
{
    float_write(out, vector.x);
    float_write(out, vector.y);
    float_write(out, vector.z);
}

static kn_vec3 vector_read(kn_reader *in)
{
    kn_vec3 vector = {0};
    vector.x = float_read(in);
    vector.y = float_read(in);
    vector.z = float_read(in);
    return vector;
}

// Numbers that most cues do not have.
static const struct {
    uint32_t flag;
    size_t offset;
} cue_floats[] = {
    {CUE_MAGNITUDE, offsetof(kn_cue_params, magnitude)},
    {CUE_CHANGE, offsetof(kn_cue_params, change)},
    {CUE_NORMALISED, offsetof(kn_cue_params, normalised)},
    {CUE_EFFECT_LEVEL, offsetof(kn_cue_params, effect_level)},
    {CUE_ABILITY_LEVEL, offsetof(kn_cue_params, ability_level)},
};
#define CUE_FLOATS (sizeof(cue_floats) / sizeof(cue_floats[0]))

static float cue_float(const kn_cue_params *params, size_t index)
{
    float value;
    memcpy(&value, (const uint8_t *)params + cue_floats[index].offset, sizeof(value));
    return value;
}

void kni_cues_drop(wire_cue *cues, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kni_params_drop(cues[i].more);
        cues[i].more = NULL;
    }
}

#define TARGETS_SENT 32 // entities that target data may name

// Target data that names an entity that the viewer does not see is left out.
static bool targets_are_seen(const wire_cue *cue, const cue_viewer *viewer)
{
    kn_entity_id entities[TARGETS_SENT];
    if (cue->more == NULL || cue->more->params.targets.size == 0) {
        return false;
    }
    kn_target_view targets = cue->more->params.targets;
    uint32_t count = kn_target_entities(targets, entities, TARGETS_SENT);
    uint32_t size = kn_target_write(viewer->library, targets, NULL, 0);
    bool is_seen = size > 0 && size <= KN_TARGET_BYTES_MAX && count <= TARGETS_SENT;
    for (uint32_t i = 0; i < count && is_seen; i++) {
        is_seen = viewer->sees(viewer->user, entities[i]);
    }
    return is_seen;
}

static void more_write(
    kn_writer *out, const wire_cue *cue, const kn_library *library, uint32_t flags)
{
    if ((flags & CUE_PAYLOAD) != 0) {
        const kn_cue_params *p = &cue->more->params;
        kni_write_number(out, p->payload_type.index1);
        kn_write_bytes(out, p->payload, kn_context_type_size(library, p->payload_type));
    }
    if ((flags & CUE_TARGETS) != 0) {
        uint8_t bytes[KN_TARGET_BYTES_MAX];
        uint32_t size = kn_target_write(library, cue->more->params.targets, bytes, sizeof(bytes));
        kni_write_number(out, size);
        kn_write_bytes(out, bytes, size);
    }
}

void kni_cue_write(kn_writer *out, const wire_cue *cue, uint64_t now, const cue_viewer *viewer)
{
    const kn_cue_params *p = &cue->params;
    bool has_instigator = p->instigator.index1 != 0 && viewer->sees(viewer->user, p->instigator);
    bool has_causer = p->causer.index1 != 0 && viewer->sees(viewer->user, p->causer);
    bool has_payload = cue->more != NULL && cue->more->params.payload != NULL;
    uint32_t flags =
        (has_instigator ? CUE_INSTIGATOR : 0u) | (has_causer ? CUE_CAUSER : 0u) |
        (p->stacks != 1 ? CUE_STACKS : 0u) | (p->source_object != 0 ? CUE_OBJECT : 0u) |
        (p->has_location ? CUE_LOCATION : 0u) | (p->has_normal ? CUE_NORMAL : 0u) |
        (has_payload ? CUE_PAYLOAD : 0u) | (targets_are_seen(cue, viewer) ? CUE_TARGETS : 0u);
    for (size_t i = 0; i < CUE_FLOATS; i++) {
        flags |= float_bits(cue_float(p, i)) != 0 ? cue_floats[i].flag : 0;
    }
    kni_write_number(out, now - cue->tick);
    kni_write_number(out, cue->tag.index1);
    kni_write_number(out, cue->type.index1);
    kni_write_number(out, flags);
    if (has_instigator) {
        kni_write_number(out, p->instigator.index1);
    }
    for (size_t i = 0; i < CUE_FLOATS; i++) {
        if ((flags & cue_floats[i].flag) != 0) {
            float_write(out, cue_float(p, i));
        }
    }
    if (p->stacks != 1) {
        kni_write_number(out, p->stacks);
    }
    if (has_causer) {
        kni_write_number(out, p->causer.index1);
    }
    if (p->source_object != 0) {
        kni_write_number(out, p->source_object);
    }
    if (p->has_location) {
        vector_write(out, p->location);
    }
    if (p->has_normal) {
        vector_write(out, p->normal);
    }
    more_write(out, cue, viewer->library, flags);
}

static uint32_t index_read(kn_reader *in, uint64_t most)
{
    uint64_t number = kni_read_number(in);
    in->failed = in->failed || number > most;
    return in->failed ? 0 : (uint32_t)number;
}

static void params_read(kn_reader *in, uint64_t flags, kn_cue_params *p)
{
    if ((flags & CUE_INSTIGATOR) != 0) {
        p->instigator.index1 = index_read(in, UINT32_MAX);
    }
    for (size_t i = 0; i < CUE_FLOATS; i++) {
        if ((flags & cue_floats[i].flag) != 0) {
            float value = float_read(in);
            memcpy((uint8_t *)p + cue_floats[i].offset, &value, sizeof(value));
        }
    }
    if ((flags & CUE_STACKS) != 0) {
        p->stacks = index_read(in, UINT32_MAX);
    }
    if ((flags & CUE_CAUSER) != 0) {
        p->causer.index1 = index_read(in, UINT32_MAX);
    }
    if ((flags & CUE_OBJECT) != 0) {
        p->source_object = kni_read_number(in);
    }
    p->has_location = (flags & CUE_LOCATION) != 0;
    if (p->has_location) {
        p->location = vector_read(in);
    }
    p->has_normal = (flags & CUE_NORMAL) != 0;
    if (p->has_normal) {
        p->normal = vector_read(in);
    }
}

// Payload and target data, which are copied.
static kn_result more_read(const kn_hooks *hooks, kn_reader *in, const kn_library *library,
    uint64_t flags, kept_params **more)
{
    kn_cue_params params = kn_cue_params_default();
    kn_target_data targets = {0};
    if ((flags & CUE_PAYLOAD) != 0) {
        params.payload_type.index1 = index_read(in, UINT32_MAX);
        uint32_t size = kn_context_type_size(library, params.payload_type);
        in->failed = in->failed || size == 0;
        params.payload = in->failed ? NULL : kn_read_bytes(in, size);
    }
    if ((flags & CUE_TARGETS) != 0) {
        uint32_t size = index_read(in, KN_TARGET_BYTES_MAX);
        const void *bytes = in->failed ? NULL : kn_read_bytes(in, size);
        in->failed = in->failed || kn_target_read(library, bytes, size, &targets) != KN_OK;
        params.targets = kn_target_data_view(&targets);
    }
    if (in->failed || (params.payload == NULL && params.targets.size == 0)) {
        return KN_OK;
    }
    *more = kni_params_keep(hooks, library, &params);
    return *more != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

kn_result kni_cue_read(
    const kn_hooks *hooks, kn_reader *in, const kn_library *library, uint64_t now, wire_cue *cue)
{
    *cue = (wire_cue){.params = kn_cue_params_default()};
    uint64_t ago = kni_read_number(in);
    cue->tag.index1 = index_read(in, kn_tag_count(library));
    cue->type.index1 = index_read(in, UINT32_MAX); // types may be made at run time
    uint64_t flags = kni_read_number(in);
    if (in->failed || cue->tag.index1 == 0 || flags >= CUE_FLAGS || ago > now || ago > CUE_SPAN) {
        in->failed = true;
        return KN_OK;
    }
    cue->tick = now - ago;
    params_read(in, flags, &cue->params);
    return (flags & (CUE_PAYLOAD | CUE_TARGETS)) != 0 && !in->failed
               ? more_read(hooks, in, library, flags, &cue->more)
               : KN_OK;
}
