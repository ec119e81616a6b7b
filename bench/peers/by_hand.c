// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The plainest loop: arrays, a free list, every effect counted down in every frame.

#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct unit {
    float health, speed;
} unit;

typedef struct dot {
    uint32_t actor; // index + 1; 0 = free
    float left;     // seconds until the next tick
    uint32_t next;  // free ones: index + 1 of the next
} dot;

struct peer {
    unit *actors;
    dot *dots;
    uint32_t count, capacity, free1;
};

const char *const peer_name = "by hand";

static void *grown(void *old, size_t size)
{
    void *data = realloc(old, size);
    if (data == NULL) {
        perror("realloc");
        exit(1);
    }
    return data;
}

peer *peer_create(uint32_t actors)
{
    peer *p = grown(NULL, sizeof *p);
    *p = (peer){.actors = grown(NULL, actors * sizeof(unit))};
    for (uint32_t i = 0; i < actors; i++) {
        p->actors[i] = (unit){1e6f, 100.0f};
    }
    return p;
}

void peer_destroy(peer *p)
{
    free(p->actors);
    free(p->dots);
    free(p);
}

static uint64_t record_add(peer *p, uint32_t actor, float left)
{
    uint32_t index = p->free1 - 1;
    if (p->free1 != 0) {
        p->free1 = p->dots[index].next;
    } else {
        if (p->count == p->capacity) {
            p->capacity = p->capacity == 0 ? 1024 : p->capacity * 2;
            p->dots = grown(p->dots, p->capacity * sizeof(dot));
        }
        index = p->count++;
    }
    p->dots[index] = (dot){actor + 1, left, 0};
    return index;
}

static void record_remove(peer *p, uint64_t effect)
{
    p->dots[effect] = (dot){0, 0.0f, p->free1};
    p->free1 = (uint32_t)effect + 1;
}

uint64_t peer_dot_apply(peer *p, uint32_t actor, float phase)
{
    return record_add(p, actor, phase);
}

void peer_dot_remove(peer *p, uint64_t effect)
{
    record_remove(p, effect);
}

uint64_t peer_buff_apply(peer *p, uint32_t actor)
{
    p->actors[actor].speed += 10.0f;
    return record_add(p, actor, 1e9f);
}

void peer_buff_remove(peer *p, uint64_t effect)
{
    p->actors[p->dots[effect].actor - 1].speed -= 10.0f;
    record_remove(p, effect);
}

void peer_hit(peer *p, uint32_t actor)
{
    p->actors[actor].health -= 1.0f;
}

void peer_step(peer *p, float dt)
{
    for (uint32_t i = 0; i < p->count; i++) {
        dot *d = &p->dots[i];
        d->left -= dt;
        if (d->left <= 0.0f && d->actor != 0) {
            d->left += 1.0f;
            p->actors[d->actor - 1].health -= 1.0f;
        }
    }
}

float peer_health(peer *p, uint32_t actor)
{
    return p->actors[actor].health;
}
