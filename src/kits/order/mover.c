// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What entities are to do with their bodies, whoever moves them. A movement that replaces another
// one is written down before anybody hears that the other has ended, so that those who react to it
// by asking for the next movement cannot go on forever.

#include "path_parts.h"
#include "tree_parts.h"

#include <math.h>
#include <stdlib.h>

static const char key; // only its address counts

mover_kit *knc_mover_kit_of(const kn_library *library)
{
    return kn_library_data(library, &key);
}

const mover_kit *knc_mover_kit_of_world(const kn_world *world)
{
    return world != NULL ? knc_mover_kit_of(kn_world_library(world)) : NULL;
}

const kn_move_info *knc_move_read(const kn_world *world, kn_entity_id entity)
{
    return kn_component_read(world, knc_mover_kit_of_world(world)->moves, entity);
}

const kn_mover_def *knc_mover_of(const kn_world *world, kn_mover_id mover)
{
    return kn_def_get(
        kn_world_library(world), knc_mover_kit_of_world(world)->mover_kind, mover.index1);
}

kn_move kn_move_default(void)
{
    kn_move move = {0};
    return move;
}

kn_move kn_move_to_point(kn_vec3 location, float range)
{
    kn_move move = {.location = location, .range = range};
    return move;
}

kn_move kn_move_to_entity(kn_entity_id target, float range)
{
    kn_move move = {.target = target, .range = range};
    return move;
}

// Ends ----------------------------------------------------------------------------------

static void end_tell(
    kn_world *world, kn_entity_id entity, const kn_move_info *old, kn_move_result result)
{
    kn_move_info ended = *old;
    ended.result = result;
    (void)kn_world_publish(world, entity, knc_mover_kit_of_world(world)->ended, &ended);
    knc_tree_move_ended(world, entity, old->ticket, result == KN_MOVE_ARRIVED);
}

void knc_move_end(kn_world *world, kn_entity_id entity, kn_move_result result)
{
    const kn_move_info *read = knc_move_read(world, entity);
    if (read == NULL || read->kind == KN_MOVE_REST) {
        return;
    }
    const kn_move_info old = *read;
    knc_mover_end(world, entity);
    kn_move_info *state = kn_component_get(world, knc_mover_kit_of_world(world)->moves, entity);
    state->kind = KN_MOVE_REST;
    state->result = result;
    state->target = (kn_entity_id){0};
    end_tell(world, entity, &old, result);
}

// Calls ---------------------------------------------------------------------------------

static kn_result entity_check(const kn_world *world, kn_entity_id entity)
{
    if (knc_mover_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kn_world_is_client(world) ? KN_REFUSED_BLOCKED : KN_OK;
}

static kn_result move_check(const kn_world *world, kn_entity_id entity, const kn_move *move)
{
    kn_result result = move != NULL ? entity_check(world, entity) : KN_ERROR_INVALID_ARGUMENT;
    if (result != KN_OK || kn_entity_is_dying(world, entity)) {
        return result != KN_OK ? result : KN_REFUSED_DYING;
    }
    if (!isfinite(move->location.x) || !isfinite(move->location.y) || !isfinite(move->location.z) ||
        !isfinite(move->range) || move->range < 0.0f) {
        return KN_REFUSED_BAD_NUMBER;
    }
    bool has_target = move->target.index1 != 0;
    if (has_target &&
        (!kn_entity_is_alive(world, move->target) || kn_entity_is_dying(world, move->target))) {
        return KN_REFUSED_STALE_ID;
    }
    kn_vec3 at;
    if (kn_mover_get(world, entity).index1 != 0 &&
        (kn_component_read(world, knc_mover_kit_of_world(world)->bodies, entity) == NULL ||
            (has_target && !knc_mover_position(world, move->target, &at)))) {
        return KN_REFUSED_NOT_FOUND;
    }
    return KN_OK;
}

typedef struct start_call {
    kn_entity_id entity;
    kn_move_kind kind;
    kn_move move;
    uint32_t ticket;
} start_call;

// A mover does it at once, or begins with it.
static kn_move_result mover_start(
    kn_world *world, kn_entity_id entity, kn_mover_id mover, kn_move_kind kind)
{
    if (mover.index1 == 0) {
        return KN_MOVE_RUNNING;
    }
    if (kind == KN_MOVE_TO) {
        return knc_mover_begin(world, entity);
    }
    knc_mover_face(world, entity);
    return KN_MOVE_ARRIVED;
}

static kn_result start_run(void *user, kn_world *world)
{
    start_call *c = user;
    const mover_kit *kit = knc_mover_kit_of_world(world);
    kn_move_info *state = kn_component_add(world, kit->moves, c->entity);
    if (state == NULL) {
        return kn_world_is_broken(world) ? KN_ERROR_WORLD_BROKEN : KN_REFUSED_DYING;
    }
    const kn_move_info old = *state;
    if (old.kind != KN_MOVE_REST) {
        knc_mover_end(world, c->entity);
        state = kn_component_get(world, kit->moves, c->entity);
    }
    *state = (kn_move_info){
        .target = c->move.target,
        .location = c->move.location,
        .range = c->move.range,
        .mover = old.mover,
        .kind = c->kind,
        .ticket = old.ticket + 1,
    };
    kn_vec3 at;
    if (c->move.target.index1 != 0 && knc_mover_position(world, c->move.target, &at)) {
        state->location = at;
    }
    c->ticket = state->ticket;
    const kn_move_info asked = *state;
    (void)kn_world_publish(world, c->entity, kit->asked, &asked);
    const kn_move_result result = mover_start(world, c->entity, asked.mover, c->kind);
    if (old.kind != KN_MOVE_REST) {
        end_tell(world, c->entity, &old, KN_MOVE_STOPPED);
    }
    const kn_move_info *now = knc_move_read(world, c->entity);
    if (result != KN_MOVE_RUNNING && now != NULL && now->ticket == c->ticket) {
        knc_move_end(world, c->entity, result);
    }
    return KN_OK;
}

static kn_result move_start(
    kn_world *world, kn_entity_id entity, kn_move_kind kind, const kn_move *move, uint32_t *ticket)
{
    kn_result result = move_check(world, entity, move);
    start_call c = {entity, kind, kn_move_default(), 0};
    if (result == KN_OK) {
        c.move = *move;
        result = kn_world_call(world, start_run, &c);
    }
    if (ticket != NULL) {
        *ticket = result == KN_OK ? c.ticket : 0;
    }
    return result;
}

kn_result kn_move_start(kn_world *world, kn_entity_id entity, const kn_move *move, uint32_t *ticket)
{
    return move_start(world, entity, KN_MOVE_TO, move, ticket);
}

kn_result kn_move_face(kn_world *world, kn_entity_id entity, const kn_move *move, uint32_t *ticket)
{
    return move_start(world, entity, KN_MOVE_FACE, move, ticket);
}

typedef struct end_call {
    kn_entity_id entity;
    kn_move_result result;
} end_call;

static kn_result end_run(void *user, kn_world *world)
{
    const end_call *c = user;
    knc_move_end(world, c->entity, c->result);
    return KN_OK;
}

static kn_result move_end(kn_world *world, kn_entity_id entity, kn_move_result result)
{
    end_call c = {entity, result};
    const kn_move_info *state = knc_move_read(world, entity);
    return state != NULL && state->kind != KN_MOVE_REST ? kn_world_call(world, end_run, &c)
                                                        : KN_REFUSED_NOT_FOUND;
}

kn_result kn_move_stop(kn_world *world, kn_entity_id entity)
{
    kn_result result = entity_check(world, entity);
    return result == KN_OK ? move_end(world, entity, KN_MOVE_STOPPED) : result;
}

kn_result kn_move_finish(
    kn_world *world, kn_entity_id entity, uint32_t ticket, kn_move_result result)
{
    bool is_end = (uint32_t)result > KN_MOVE_RUNNING && (uint32_t)result < KN_MOVE_RESULT_COUNT;
    kn_result check = is_end ? entity_check(world, entity) : KN_ERROR_INVALID_ARGUMENT;
    if (check != KN_OK) {
        return check;
    }
    const kn_move_info *state = knc_move_read(world, entity);
    return state != NULL && state->ticket == ticket ? move_end(world, entity, result)
                                                    : KN_REFUSED_NOT_FOUND;
}

bool kn_move_get_info(const kn_world *world, kn_entity_id entity, kn_move_info *info)
{
    const kn_move_info *state =
        knc_mover_kit_of_world(world) != NULL ? knc_move_read(world, entity) : NULL;
    *info = (kn_move_info){0};
    if (state != NULL) {
        *info = *state;
    }
    return state != NULL;
}

// Movers ---------------------------------------------------------------------------------

typedef struct mover_call {
    kn_entity_id entity;
    kn_mover_id mover;
} mover_call;

static kn_result mover_run(void *user, kn_world *world)
{
    const mover_call *c = user;
    kn_move_info *state = kn_component_add(world, knc_mover_kit_of_world(world)->moves, c->entity);
    if (state == NULL) {
        return kn_world_is_broken(world) ? KN_ERROR_WORLD_BROKEN : KN_REFUSED_DYING;
    }
    state->mover = c->mover;
    knc_move_end(world, c->entity, KN_MOVE_STOPPED);
    return KN_OK;
}

kn_result kn_mover_set(kn_world *world, kn_entity_id entity, kn_mover_id mover)
{
    mover_call c = {entity, mover};
    kn_result result = entity_check(world, entity);
    if (result == KN_OK && mover.index1 != 0 && knc_mover_of(world, mover) == NULL) {
        result = KN_ERROR_INVALID_ARGUMENT;
    }
    return result == KN_OK ? kn_world_call(world, mover_run, &c) : result;
}

kn_mover_id kn_mover_get(const kn_world *world, kn_entity_id entity)
{
    const kn_move_info *state =
        knc_mover_kit_of_world(world) != NULL ? knc_move_read(world, entity) : NULL;
    return state != NULL ? state->mover : (kn_mover_id){0};
}

// Entities that end -----------------------------------------------------------------------

// Those that went to it cannot ask for it again, so that this comes to an end.
static void destroyed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const mover_kit *kit = user;
    kn_component_referrer found;
    if (kn_world_is_client(world)) {
        return;
    }
    knc_move_end(world, reaction->entity, KN_MOVE_STOPPED);
    while (kn_component_referrers(world, kit->moves, 0, reaction->entity, &found, 1) > 0) {
        knc_move_end(world, found.entity, KN_MOVE_LOST);
    }
}

// Registering -----------------------------------------------------------------------------

static const kn_field move_fields[] = {
    KN_FIELD(kn_move_info, target, KN_FIELD_ENTITY),
    KN_FIELD(kn_move_info, location, KN_FIELD_VEC3),
    KN_FIELD(kn_move_info, range, KN_FIELD_F32),
    KN_FIELD_TO(kn_move_info, mover, "mover"),
    KN_FIELD_WORDS(kn_move_info, kind, "rest to face"),
    KN_FIELD_WORDS(kn_move_info, result, "running arrived stuck unreachable lost stopped"),
    KN_FIELD(kn_move_info, ticket, KN_FIELD_U32),
};

static kn_result component_register(kn_library *library, mover_kit *kit, kn_error *error)
{
    static const kn_component_reference references[] = {{.field = "target"}};
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Move";
    def.size = sizeof(kn_move_info);
    def.fields = move_fields;
    def.field_count = COUNT(move_fields);
    def.references = references;
    def.reference_count = COUNT(references);
    return kn_component_register(library, &def, &kit->moves, error);
}

static kn_result events_register(kn_library *library, mover_kit *kit, kn_error *error)
{
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = "Knack.MoveAsked";
    def.size = sizeof(kn_move_info);
    def.fields = move_fields;
    def.field_count = COUNT(move_fields);
    def.text = "move: {kind} {target} {location}";
    kn_result result = kn_custom_event_register(library, &def, &kit->asked, error);
    def.name = "Knack.MoveEnded";
    def.text = "move: {result}";
    return result != KN_OK ? result : kn_custom_event_register(library, &def, &kit->ended, error);
}

static kn_result rule_register(kn_library *library, mover_kit *kit, kn_error *error)
{
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    def.name = "Knack.MoveEntityEnds";
    def.trigger = KN_TRIGGER_ENTITY_DESTROYED;
    def.function = destroyed_rule;
    def.user = kit;
    return kn_rule_register(library, &def, &rule, error);
}

static void kit_release(void *user)
{
    knc_path_maps_release(user);
    free(user);
}

kn_result knc_mover_part_register(kn_library *library, order_kit *orders, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, mover_kit *, kn_error *) = {
        knc_path_maps_register,
        knc_mover_kinds_register,
        component_register,
        knc_mover_run_register,
        events_register,
        rule_register,
    };
    mover_kit *kit = calloc(1, sizeof(*kit));
    (void)orders;
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = kn_library_set_data(library, &key, kit, kit_release);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    for (size_t i = 0; result == KN_OK && i < COUNT(parts); i++) {
        result = parts[i](library, kit, error);
    }
    return result;
}
