// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A cue as bytes: ticks ago, tag, effect type, which parameters there are, and those. Payloads,
// target data and tags of source and target are not sent.

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
    CUE_FLAGS = 1 << 11,
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

void kni_cue_write(
    kn_writer *out, const wire_cue *cue, uint64_t now, cue_sees_fn *sees, const void *user)
{
    const kn_cue_params *p = &cue->params;
    bool has_instigator = p->instigator.index1 != 0 && sees(user, p->instigator);
    bool has_causer = p->causer.index1 != 0 && sees(user, p->causer);
    uint32_t flags = (has_instigator ? CUE_INSTIGATOR : 0u) | (has_causer ? CUE_CAUSER : 0u) |
                     (p->stacks != 1 ? CUE_STACKS : 0u) |
                     (p->source_object != 0 ? CUE_OBJECT : 0u) |
                     (p->has_location ? CUE_LOCATION : 0u) | (p->has_normal ? CUE_NORMAL : 0u);
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

wire_cue kni_cue_read(kn_reader *in, const kn_library *library, uint64_t now)
{
    wire_cue cue = {.params = kn_cue_params_default()};
    uint64_t ago = kni_read_number(in);
    cue.tag.index1 = index_read(in, kn_tag_count(library));
    cue.type.index1 = index_read(in, UINT32_MAX); // types may be made at run time
    uint64_t flags = kni_read_number(in);
    if (in->failed || cue.tag.index1 == 0 || flags >= CUE_FLAGS || ago > now || ago > CUE_SPAN) {
        in->failed = true;
        return cue;
    }
    cue.tick = now - ago;
    params_read(in, flags, &cue.params);
    return cue;
}
