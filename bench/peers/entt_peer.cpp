// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The workload in EnTT 3: an actor and an effect are entities, and a view counts the effects down.

#include "peer.h"

#include <entt/entt.hpp>

#include <cstdint>
#include <vector>

namespace
{

struct health {
    float value;
};

struct speed {
    float value;
};

struct dot {
    entt::entity target;
    float left; // seconds until the next tick
};

struct buff {
    entt::entity target;
};

} // namespace

struct peer {
    entt::registry registry;
    std::vector<entt::entity> actors;
};

extern "C" {

const char *const peer_name = "EnTT";

peer *peer_create(std::uint32_t actors)
{
    auto *p = new peer;
    p->actors.reserve(actors);
    for (std::uint32_t i = 0; i < actors; i++) {
        const auto actor = p->registry.create();
        p->registry.emplace<health>(actor, 1e6f);
        p->registry.emplace<speed>(actor, 100.0f);
        p->actors.push_back(actor);
    }
    return p;
}

void peer_destroy(peer *p)
{
    delete p;
}

std::uint64_t peer_dot_apply(peer *p, std::uint32_t actor, float phase)
{
    const auto effect = p->registry.create();
    p->registry.emplace<dot>(effect, p->actors[actor], phase);
    return static_cast<std::uint64_t>(entt::to_integral(effect));
}

static entt::entity entity_of(std::uint64_t effect)
{
    return static_cast<entt::entity>(static_cast<std::uint32_t>(effect));
}

void peer_dot_remove(peer *p, std::uint64_t effect)
{
    p->registry.destroy(entity_of(effect));
}

std::uint64_t peer_buff_apply(peer *p, std::uint32_t actor)
{
    const auto effect = p->registry.create();
    p->registry.emplace<buff>(effect, p->actors[actor]);
    p->registry.get<speed>(p->actors[actor]).value += 10.0f;
    return static_cast<std::uint64_t>(entt::to_integral(effect));
}

void peer_buff_remove(peer *p, std::uint64_t effect)
{
    const auto entity = entity_of(effect);
    p->registry.get<speed>(p->registry.get<buff>(entity).target).value -= 10.0f;
    p->registry.destroy(entity);
}

void peer_hit(peer *p, std::uint32_t actor)
{
    p->registry.get<health>(p->actors[actor]).value -= 1.0f;
}

void peer_step(peer *p, float dt)
{
    auto &healths = p->registry.storage<health>();
    for (auto &&[entity, effect] : p->registry.view<dot>().each()) {
        (void)entity;
        effect.left -= dt;
        if (effect.left <= 0.0f) {
            effect.left += 1.0f;
            healths.get(effect.target).value -= 1.0f;
        }
    }
}

float peer_health(peer *p, std::uint32_t actor)
{
    return p->registry.get<health>(p->actors[actor]).value;
}

} // extern "C"
