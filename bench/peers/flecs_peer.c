// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The workload in flecs 4: an actor and an effect are entities, and a query counts the effects
// down.

#include "peer.h"

#include <flecs.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct Health {
    float value;
} Health;

typedef struct Speed {
    float value;
} Speed;

typedef struct Dot {
    ecs_entity_t target;
    float left; // seconds until the next tick
} Dot;

typedef struct Buff {
    ecs_entity_t target;
} Buff;

struct peer {
    ecs_world_t *world;
    ecs_query_t *dots;
    ecs_entity_t *actors;
    ecs_entity_t health, speed, dot, buff; // the components
};

const char *const peer_name = "flecs";

peer *peer_create(uint32_t actors)
{
    peer *p = calloc(1, sizeof *p);
    ecs_entity_t *list = malloc(actors * sizeof *list);
    if (p == NULL || list == NULL) {
        perror("malloc");
        exit(1);
    }
    ecs_world_t *world = ecs_mini();
    ECS_COMPONENT(world, Health);
    ECS_COMPONENT(world, Speed);
    ECS_COMPONENT(world, Dot);
    ECS_COMPONENT(world, Buff);
    p->world = world;
    p->actors = list;
    p->health = ecs_id(Health);
    p->speed = ecs_id(Speed);
    p->dot = ecs_id(Dot);
    p->buff = ecs_id(Buff);
    p->dots = ecs_query(world, {.terms = {{.id = p->dot}}});
    for (uint32_t i = 0; i < actors; i++) {
        const Health health = {1e6f};
        const Speed speed = {100.0f};
        list[i] = ecs_new(world);
        ecs_set_id(world, list[i], p->health, sizeof health, &health);
        ecs_set_id(world, list[i], p->speed, sizeof speed, &speed);
    }
    return p;
}

void peer_destroy(peer *p)
{
    ecs_query_fini(p->dots);
    ecs_fini(p->world);
    free(p->actors);
    free(p);
}

uint64_t peer_dot_apply(peer *p, uint32_t actor, float phase)
{
    const Dot dot = {p->actors[actor], phase};
    ecs_entity_t effect = ecs_new(p->world);
    ecs_set_id(p->world, effect, p->dot, sizeof dot, &dot);
    return effect;
}

void peer_dot_remove(peer *p, uint64_t effect)
{
    ecs_delete(p->world, effect);
}

uint64_t peer_buff_apply(peer *p, uint32_t actor)
{
    const Buff buff = {p->actors[actor]};
    ecs_entity_t effect = ecs_new(p->world);
    ecs_set_id(p->world, effect, p->buff, sizeof buff, &buff);
    Speed *speed = ecs_get_mut_id(p->world, buff.target, p->speed);
    speed->value += 10.0f;
    return effect;
}

void peer_buff_remove(peer *p, uint64_t effect)
{
    const Buff *buff = ecs_get_id(p->world, effect, p->buff);
    Speed *speed = ecs_get_mut_id(p->world, buff->target, p->speed);
    speed->value -= 10.0f;
    ecs_delete(p->world, effect);
}

void peer_hit(peer *p, uint32_t actor)
{
    Health *health = ecs_get_mut_id(p->world, p->actors[actor], p->health);
    health->value -= 1.0f;
}

void peer_step(peer *p, float dt)
{
    ecs_iter_t it = ecs_query_iter(p->world, p->dots);
    while (ecs_query_next(&it)) {
        Dot *dots = ecs_field_w_size(&it, sizeof(Dot), 0);
        for (int32_t i = 0; i < it.count; i++) {
            dots[i].left -= dt;
            if (dots[i].left <= 0.0f) {
                Health *health = ecs_get_mut_id(p->world, dots[i].target, p->health);
                dots[i].left += 1.0f;
                health->value -= 1.0f;
            }
        }
    }
}

float peer_health(peer *p, uint32_t actor)
{
    const Health *health = ecs_get_id(p->world, p->actors[actor], p->health);
    return health->value;
}
