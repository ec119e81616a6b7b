// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Where workers find something to take, and where they bring it.

#include "produce_parts.h"

#include <math.h>

float kn_gather_left(const kn_world *world, kn_entity_id entity, kn_entity_id node)
{
    const kn_gather_kind *kind = knc_gather_kind_of(world, entity, node);
    if (kind == NULL) {
        return 0.0f;
    }
    float left = kind->from.index1 != 0 ? kn_attribute_base(world, node, kind->from) : INFINITY;
    return left > 0.0f ? left : 0.0f;
}

bool knc_gather_has_room(const kn_world *world, kn_entity_id entity, kn_entity_id node)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const kn_gather_kind *kind = knc_gather_kind_of(world, entity, node);
    if (kind == NULL || kind->limit == 0) {
        return true;
    }
    const bool is_one = kn_entity_id_equal(knc_gatherer_read(world, entity)->node, node);
    return kn_component_referrers(world, kit->gatherers, 0, node, NULL, 0) < kind->limit + is_one;
}

// Nodes ---------------------------------------------------------------------------------

typedef struct node_search {
    kn_entity_id entity, except;
    kn_tag kind;
    bool needs_room;
} node_search;

static bool is_node(void *user, const kn_world *world, kn_entity_id node)
{
    const node_search *s = user;
    const kn_gather_kind *kind = knc_gather_kind_of(world, s->entity, node);
    return kind != NULL && kind->tag.index1 == s->kind.index1 &&
           !kn_entity_id_equal(node, s->except) && kn_gather_left(world, s->entity, node) > 0.0f &&
           (!s->needs_room || knc_gather_has_room(world, s->entity, node));
}

static kn_entity_id nearest(const kn_world *world, kn_vec3 around, float radius, kn_tag tag,
    kn_space_accept_fn *accept, void *user)
{
    const kn_sphere ball = {around, radius};
    const kn_tag_requirement tags = {.required = {&tag, 1}};
    kn_space_filter filter = kn_space_filter_default();
    kn_space_hit hit = {0};
    filter.tags = &tags;
    filter.accept = accept;
    filter.user = user;
    (void)kn_space_nearest(kn_world_space(world), world, &ball, &filter, &hit, 1);
    return hit.entity;
}

kn_entity_id kn_gather_find_node(
    const kn_world *world, kn_entity_id entity, kn_tag kind, kn_vec3 around, kn_entity_id except)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const kn_gatherer_def *type = kit != NULL ? knc_gatherer_type(world, entity) : NULL;
    if (type == NULL) {
        return (kn_entity_id){0};
    }
    node_search s = {.entity = entity, .except = except, .kind = kind, .needs_room = true};
    const kn_tag resource = kit->tags[TAG_RESOURCE];
    kn_entity_id node = nearest(world, around, type->search_radius, resource, is_node, &s);
    if (node.index1 == 0) {
        s.needs_room = false;
        node = nearest(world, around, type->search_radius, resource, is_node, &s);
    }
    return node;
}

// Drop-offs -----------------------------------------------------------------------------

bool knc_gather_is_drop(const kn_world *world, kn_entity_id entity, kn_entity_id drop)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const kn_entity_id owner = kn_entity_owner(world, entity);
    return kn_entity_has_tag(world, drop, kit->tags[TAG_DROP]) &&
           !kn_entity_has_tag(world, drop, kit->tags[TAG_CONSTRUCTING]) &&
           !kn_entity_is_dying(world, drop) &&
           (kn_entity_id_equal(kn_entity_owner(world, drop), owner) ||
               kn_entity_id_equal(drop, owner));
}

static bool is_drop(void *user, const kn_world *world, kn_entity_id drop)
{
    return knc_gather_is_drop(world, *(const kn_entity_id *)user, drop);
}

kn_entity_id kn_gather_find_drop(const kn_world *world, kn_entity_id entity)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const kn_gatherer_def *type = kit != NULL ? knc_gatherer_type(world, entity) : NULL;
    return type != NULL ? nearest(world, knc_order_position(world, entity), type->drop_radius,
                              kit->tags[TAG_DROP], is_drop, &entity)
                        : (kn_entity_id){0};
}
