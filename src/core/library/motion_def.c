// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Motion sources as data: defaults, checks, field tables, and the calls to the host's movement
// system. extra/motion.c evaluates them.

#include "knack/motion.h"

#include "library/types.h"

#include <math.h>

_Static_assert(sizeof(kn_motion_def) == 168, "no padding: a source is stored as bytes");
_Static_assert(sizeof(kn_motion_start) == 48, "no padding: a source is stored as bytes");

static const char *const kind_words[KN_MOTION_KIND_COUNT] = {
    "force", "radial", "move_to", "follow", "jump"};
static const char *const blend_words[KN_MOTION_BLEND_COUNT] = {"add", "override"};
static const char *const end_words[KN_MOTION_END_COUNT] = {"keep", "set", "clamp", "restore"};
static const char *const axis_words[KN_MOTION_AXIS_COUNT] = {"progress", "seconds"};
static const char *const falloff_words[KN_MOTION_FALLOFF_COUNT] = {"none", "linear", "curve"};

#define DEF(member, kind) KNI_F(kn_motion_def, member, kind)
#define DEF_ENUM(member, words) KNI_F_ENUM(kn_motion_def, member, words)
#define DEF_CURVE(member) KNI_F_REF(kn_motion_def, member, KN_DEF_CURVE)

static const kn_def_field motion_def_fields[] = {
    DEF(duration, KN_FIELD_TIME),
    DEF_ENUM(kind, kind_words),
    DEF(priority, KN_FIELD_I32),
    DEF_ENUM(blend, blend_words),
    DEF_ENUM(end, end_words),
    DEF(end_velocity, KN_FIELD_VEC3),
    DEF(end_speed_max, KN_FIELD_F32),
    DEF(restores_mode, KN_FIELD_BOOL),
    DEF(follows_target, KN_FIELD_BOOL),
    DEF(pulls, KN_FIELD_BOOL),
    DEF(is_flat, KN_FIELD_BOOL),
    DEF_ENUM(axis, axis_words),
    DEF(up, KN_FIELD_VEC3),
    KNI_F_REF(kn_motion_def, tag, KN_DEF_TAG),
    DEF(strength, KN_FIELD_F32),
    DEF_CURVE(strength_curve),
    DEF(centre, KN_FIELD_VEC3),
    DEF(radius, KN_FIELD_F32),
    DEF_ENUM(falloff, falloff_words),
    DEF_CURVE(falloff_curve),
    DEF(direction, KN_FIELD_VEC3),
    DEF(destination, KN_FIELD_VEC3),
    DEF(offset, KN_FIELD_VEC3),
    DEF_CURVE(easing),
    DEF_CURVE(across_curve),
    DEF(across, KN_FIELD_F32),
    DEF_CURVE(rise_curve),
    DEF(rise, KN_FIELD_F32),
    DEF(distance, KN_FIELD_F32),
    DEF(height, KN_FIELD_F32),
    DEF_CURVE(height_curve),
    DEF(cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE(kni_motion_def_table, kn_motion_def, motion_def_fields);

#define SOURCE(member, kind) KN_FIELD(kn_motion_source, member, kind)

// The same fields for components, which have plain kinds only.
static const kn_field motion_source_fields[] = {
    SOURCE(def.duration, KN_FIELD_TIME),
    SOURCE(def.kind, KN_FIELD_U32),
    SOURCE(def.priority, KN_FIELD_I32),
    SOURCE(def.blend, KN_FIELD_U32),
    SOURCE(def.end, KN_FIELD_U32),
    SOURCE(def.end_velocity, KN_FIELD_VEC3),
    SOURCE(def.end_speed_max, KN_FIELD_F32),
    SOURCE(def.restores_mode, KN_FIELD_BOOL),
    SOURCE(def.follows_target, KN_FIELD_BOOL),
    SOURCE(def.pulls, KN_FIELD_BOOL),
    SOURCE(def.is_flat, KN_FIELD_BOOL),
    SOURCE(def.axis, KN_FIELD_U32),
    SOURCE(def.up, KN_FIELD_VEC3),
    SOURCE(def.tag, KN_FIELD_TAG),
    SOURCE(def.strength, KN_FIELD_F32),
    SOURCE(def.strength_curve, KN_FIELD_CURVE),
    SOURCE(def.centre, KN_FIELD_VEC3),
    SOURCE(def.radius, KN_FIELD_F32),
    SOURCE(def.falloff, KN_FIELD_U32),
    SOURCE(def.falloff_curve, KN_FIELD_CURVE),
    SOURCE(def.direction, KN_FIELD_VEC3),
    SOURCE(def.destination, KN_FIELD_VEC3),
    SOURCE(def.offset, KN_FIELD_VEC3),
    SOURCE(def.easing, KN_FIELD_CURVE),
    SOURCE(def.across_curve, KN_FIELD_CURVE),
    SOURCE(def.across, KN_FIELD_F32),
    SOURCE(def.rise_curve, KN_FIELD_CURVE),
    SOURCE(def.rise, KN_FIELD_F32),
    SOURCE(def.distance, KN_FIELD_F32),
    SOURCE(def.height, KN_FIELD_F32),
    SOURCE(def.height_curve, KN_FIELD_CURVE),
    SOURCE(def.cookie, KN_FIELD_U32),
    SOURCE(start.time, KN_FIELD_TIME),
    SOURCE(start.position, KN_FIELD_VEC3),
    SOURCE(start.velocity, KN_FIELD_VEC3),
    SOURCE(start.mode, KN_FIELD_U32),
    SOURCE(start.number, KN_FIELD_U32),
    SOURCE(start.target, KN_FIELD_ENTITY),
};

const kn_field *kn_motion_source_fields(uint32_t *count)
{
    *count = sizeof(motion_source_fields) / sizeof(*motion_source_fields);
    return motion_source_fields;
}

kn_motion_def kn_motion_def_default(kn_motion_kind kind)
{
    bool is_force = kind == KN_MOTION_FORCE || kind == KN_MOTION_RADIAL;
    kn_motion_def def = {
        .duration = KN_S(1),
        .kind = kind,
        .blend = is_force ? KN_MOTION_ADD : KN_MOTION_OVERRIDE,
        .up = {0.0f, 0.0f, 1.0f},
        .radius = 1.0f,
        .direction = {1.0f, 0.0f, 0.0f},
        .across = 1.0f,
        .rise = 1.0f,
        .cookie = KN_COOKIE,
    };
    return def;
}

// Checks --------------------------------------------------------------------

static bool motion_is_zero(kn_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

static kn_result motion_check_vectors(const kn_motion_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < kni_motion_def_table.field_count; i++) {
        const kn_def_field *field = &motion_def_fields[i];
        if (field->kind != KN_FIELD_VEC3) {
            continue;
        }
        kn_vec3 v;
        memcpy(&v, (const uint8_t *)def + field->offset, sizeof(v));
        if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) {
            return kni_error(
                error, KN_ERROR_BAD_DATA, "kn_motion_def.%s is not finite", field->name);
        }
    }
    return KN_OK;
}

static kn_result motion_check_duration(const kn_motion_def *def, kn_error *error)
{
    bool is_force = def->kind == KN_MOTION_FORCE || def->kind == KN_MOTION_RADIAL;
    if (def->duration == KN_TIME_INFINITE && !is_force) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "kn_motion_def.duration: a path with an end cannot last forever");
    }
    if (def->duration <= 0 || (def->duration > KN_TIME_MAX && def->duration != KN_TIME_INFINITE)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "kn_motion_def.duration is not above 0 and below KN_TIME_MAX");
    }
    return KN_OK;
}

// What each kind of motion requires; NULL when nothing is wrong.
static const char *motion_find_fault(const kn_motion_def *def)
{
    bool needs_direction =
        def->kind == KN_MOTION_FORCE || (def->kind == KN_MOTION_JUMP && def->distance != 0.0f);
    if (needs_direction && motion_is_zero(def->direction)) {
        return "direction must not be zero";
    }
    if (motion_is_zero(def->up)) {
        return "up must not be zero";
    }
    if (def->end_speed_max < 0.0f) {
        return "end_speed_max is negative";
    }
    if (def->kind == KN_MOTION_JUMP && def->distance < 0.0f) {
        return "distance is negative: reverse the direction instead";
    }
    if (def->kind == KN_MOTION_RADIAL && def->radius <= 0.0f) {
        return "radius must be above 0";
    }
    if (def->kind == KN_MOTION_RADIAL && def->falloff == KN_MOTION_FALLOFF_CURVE &&
        kn_curve_id_is_null(def->falloff_curve)) {
        return "falloff_curve is missing: this falloff needs one";
    }
    return NULL;
}

kn_result kn_motion_check(const kn_library *library, const kn_motion_def *def, kn_error *error)
{
    if (library == NULL || def == NULL || def->cookie != KN_COOKIE) {
        KN_ASSERT(library != NULL);
        KN_ASSERT_DEF(def, kn_motion_def);
        return kni_error(
            error, KN_ERROR_INVALID_ARGUMENT, "start a motion def from kn_motion_def_default()");
    }
    kn_result result = kni_def_check(library, &kni_motion_def_table, def, error);
    if (result == KN_OK) {
        result = motion_check_vectors(def, error);
    }
    if (result == KN_OK) {
        result = motion_check_duration(def, error);
    }
    if (result != KN_OK) {
        return result;
    }
    const char *fault = motion_find_fault(def);
    if (fault != NULL) {
        return kni_error(error, KN_ERROR_BAD_DATA, "kn_motion_def.%s", fault);
    }
    if (error != NULL) {
        *error = (kn_error){0};
    }
    return KN_OK;
}

// The host's movement system ------------------------------------------------

// Another running source that will restore the movement mode; NULL when there is none.
static const kn_motion_source *motion_find_restorer(
    const kn_motion_source *running, uint32_t running_count, uint32_t except_number)
{
    for (uint32_t i = 0; i < running_count; i++) {
        if (running[i].def.restores_mode && running[i].start.number != except_number) {
            return &running[i];
        }
    }
    return NULL;
}

kn_result kn_movement_begin(const kn_movement *movement, kn_entity_id entity,
    const kn_motion_source *running, uint32_t running_count, kn_motion_source *source)
{
    if (source == NULL || (running == NULL && running_count > 0)) {
        KN_ASSERT(source != NULL && (running != NULL || running_count == 0));
        return KN_ERROR_INVALID_ARGUMENT;
    }
    const kn_motion_source *other =
        motion_find_restorer(running, running_count, source->start.number);
    source->start.mode = 0;
    if (other != NULL) {
        source->start.mode = other->start.mode;
    } else if (movement != NULL && movement->query_mode != NULL) {
        source->start.mode = movement->query_mode(movement->user, entity);
    }
    if (movement == NULL || movement->add_source == NULL) {
        return KN_OK;
    }
    return movement->add_source(movement->user, entity, source);
}

void kn_movement_end(const kn_movement *movement, kn_entity_id entity,
    const kn_motion_source *running, uint32_t running_count, const kn_motion_source *source)
{
    if (source == NULL || (running == NULL && running_count > 0)) {
        KN_ASSERT(source != NULL && (running != NULL || running_count == 0));
        return;
    }
    if (movement == NULL) {
        return;
    }
    if (movement->remove_source != NULL) {
        movement->remove_source(movement->user, entity, source->start.number);
    }
    bool is_last = motion_find_restorer(running, running_count, source->start.number) == NULL;
    if (source->def.restores_mode && is_last && movement->restore_mode != NULL) {
        movement->restore_mode(movement->user, entity, source->start.mode);
    }
}
