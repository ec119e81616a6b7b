// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Separation: units that overlap push each other apart. All of it is about where they were after
// the last run, so that it does not matter who is looked at first.

#include "mover_parts.h"

#include <math.h>

#define NEIGHBOURS 16
#define TURN 0.5f // of the push, to the side, so that units that meet head-on pass each other

typedef struct push_filter {
    const mover_kit *kit;
    bool with_resting;
} push_filter;

static bool neighbour_counts(void *user, const kn_world *world, kn_entity_id entity)
{
    const push_filter *f = user;
    if (kn_component_read(world, f->kit->movings, entity) != NULL) {
        return true;
    }
    const kn_move_info *move =
        f->with_resting ? kn_component_read(world, f->kit->moves, entity) : NULL;
    return move != NULL && move->mover.index1 != 0;
}

// Units at the same place part in directions that their slots give.
static kn_vec3 away_from(const kn_vec3 *own, const kn_vec3 *other, kn_entity_id entity)
{
    static const float around[8][2] = {{1.0f, 0.0f}, {-1.0f, 0.0f}, {0.0f, 1.0f}, {0.0f, -1.0f},
        {0.7071068f, 0.7071068f}, {-0.7071068f, -0.7071068f}, {-0.7071068f, 0.7071068f},
        {0.7071068f, -0.7071068f}};
    const float x = own->x - other->x, y = own->y - other->y, length = sqrtf(x * x + y * y);
    if (length > 0.0f) {
        return (kn_vec3){x / length, y / length, 0.0f};
    }
    const float *direction = around[entity.index1 % 8];
    return (kn_vec3){direction[0], direction[1], 0.0f};
}

// What all of them add up to: away from them, and to the side of those that are in the way.
typedef struct pushes {
    kn_vec3 away, side;
} pushes;

static void push_add(const moving_state *m, kn_vec3 away, float overlap, pushes *sum)
{
    const float x = m->to.x - m->at.x, y = m->to.y - m->at.y;
    const float ahead = -(away.x * x + away.y * y);
    sum->away.x += away.x * overlap;
    sum->away.y += away.y * overlap;
    if (ahead > 0.0f && ahead * ahead > 0.5f * (x * x + y * y)) {
        sum->side.x += away.y * overlap * TURN;
        sum->side.y -= away.x * overlap * TURN;
    }
}

static kn_vec3 push_limit(kn_vec3 push, float share, float most)
{
    const float length = sqrtf(push.x * push.x + push.y * push.y) * share;
    share = length > most ? share * most / length : share;
    return (kn_vec3){push.x * share, push.y * share, 0.0f};
}

// What another one adds to it.
static void neighbour_push(const kn_world *world, const mover_kit *kit, kn_entity_id entity,
    const kn_mover_def *def, const moving_state *m, kn_entity_id other, pushes *sum)
{
    const kn_body *body = kn_component_read(world, kit->bodies, other);
    const kn_move_info *move = kn_component_read(world, kit->moves, other);
    if (body == NULL || move == NULL) {
        return;
    }
    const float limit = def->radius + kit->radius_max;
    const float gap = knc_order_distance(m->at, body->position);
    const kn_mover_def *own = gap < limit ? knc_mover_of(world, move->mover) : NULL;
    const float overlap = own != NULL ? def->radius + own->radius - gap : 0.0f;
    if (overlap > 0.0f) { // of two that move, each takes a half
        const bool is_moving = kn_component_read(world, kit->movings, other) != NULL;
        push_add(m, away_from(&m->at, &body->position, entity),
            is_moving ? overlap * 0.5f : overlap, sum);
    }
}

kn_vec3 knc_mover_push(const kn_world *world, const mover_kit *kit, kn_entity_id entity,
    const kn_mover_def *def, const moving_state *m)
{
    push_filter user = {kit, def->avoids_resting};
    kn_space_filter filter = kn_space_filter_default();
    kn_entity_id others[NEIGHBOURS];
    pushes sum = {0};
    filter.ignore = entity;
    filter.accept = neighbour_counts;
    filter.user = &user;
    const kn_sphere ball = {m->at, def->radius + kit->radius_max};
    uint32_t count =
        kn_space_sphere(kn_world_space(world), world, &ball, &filter, others, NEIGHBOURS);
    if (count == 0) {
        return (kn_vec3){0};
    }
    count = count < NEIGHBOURS ? count : NEIGHBOURS;
    for (uint32_t i = 0; i < count; i++) {
        neighbour_push(world, kit, entity, def, m, others[i], &sum);
    }
    const float period = 1.0f / (float)def->rate, most = m->speed * period;
    float share = def->separation * period;
    share = share < 1.0f ? share : 1.0f; // not beyond each other
    const kn_vec3 away = push_limit(sum.away, share, most);
    const kn_vec3 side = push_limit(sum.side, share, most);
    return (kn_vec3){away.x + side.x, away.y + side.y, 0.0f};
}
