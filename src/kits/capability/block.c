// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Blocks of tags. Every member counts the blocks that hit it, so that a run only looks at a number.

#include "parts.h"

#include "knack/tools.h"

// Matching ----------------------------------------------------------------------

static bool tags_match(const kn_library *library, kn_tags tags, kn_tag blocked)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (kn_tag_matches(library, tags.data[i], blocked)) {
            return true;
        }
    }
    return false;
}

static bool block_hits(
    const kn_world *world, kn_entity_id entity, const block_record *block, const member *m)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    bool is_own = block->kind == KN_CAPABILITY_SOURCE_MEMBER && block->number == m->number &&
                  kn_entity_id_equal(block->entity, entity);
    return (!is_own || (block->flags & BLOCK_HITS_SOURCE) != 0) &&
           tags_match(
               kn_world_library(world), kit->plans[m->capability.index1 - 1].def->tags, block->tag);
}

// Blocks of all scopes, one after the other: begin with scope 0 and the null id.
static const block_record *block_next(
    const kn_world *world, kn_entity_id entity, uint32_t *scope, kn_component_id *id)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    for (; *scope < KN_CAPABILITY_SCOPE_COUNT; (*scope)++) {
        *id = kn_component_instance_next(world, kit->blocks[*scope], entity, *id);
        if (id->index1 != 0) {
            return kn_component_instance_read(world, kit->blocks[*scope], *id);
        }
    }
    return NULL;
}

// Whether a block is the one that is just going.
static bool is_going(
    const kn_world *world, uint32_t scope, kn_component_id id, const kn_component_call *going)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    return going != NULL && going->type.index1 == kit->blocks[scope].index1 &&
           kn_component_id_equal(going->component, id);
}

static uint32_t blocks_count(
    const kn_world *world, kn_entity_id entity, const member *m, const kn_component_call *without)
{
    uint32_t scope = 0, count = 0;
    kn_component_id id = {0};
    const block_record *block;
    while ((block = block_next(world, entity, &scope, &id)) != NULL) {
        count += !is_going(world, scope, id, without) && block_hits(world, entity, block, m);
    }
    return count;
}

uint32_t knc_capability_count_effect_blocks(
    const kn_world *world, kn_entity_id entity, const kn_component_call *without)
{
    uint32_t scope = 0, count = 0;
    kn_component_id id = {0};
    const block_record *block;
    while ((block = block_next(world, entity, &scope, &id)) != NULL) {
        count += !is_going(world, scope, id, without) && block->kind == KN_CAPABILITY_SOURCE_EFFECT;
    }
    return count;
}

// A member that nobody looks at is looked at once when blocks begin or cease to hit it.
static void blocks_set(kn_world *world, kn_entity_id entity, uint32_t number, uint32_t blocks)
{
    member *m = knc_capability_member(world, entity, number);
    bool was_hit = m->blocks > 0;
    m->blocks = blocks;
    if (was_hit != (blocks > 0)) {
        knc_capability_due(world, entity, m);
    }
}

void knc_capability_count_blocks(kn_world *world, kn_entity_id entity, member *m)
{
    m->blocks = blocks_count(world, entity, m, NULL);
}

void knc_capability_count_all_blocks(
    kn_world *world, kn_entity_id entity, const kn_component_call *without)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t count = 0;
    host *h = kn_component_get(world, kit->hosts, entity);
    if (h != NULL) {
        h->effect_blocks = knc_capability_count_effect_blocks(world, entity, without);
    }
    const member *members = kn_component_read_items(world, kit->hosts, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t blocks = blocks_count(world, entity, &members[i], without);
        if (blocks != members[i].blocks) {
            blocks_set(world, entity, members[i].number, blocks);
            members = kn_component_read_items(world, kit->hosts, entity, &count);
        }
    }
}

// The first of the tags that the entity has; null for none.
static kn_tag owned_of(const kn_world *world, kn_entity_id entity, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (kn_entity_has_tag(world, entity, tags.data[i])) {
            return tags.data[i];
        }
    }
    return (kn_tag){0};
}

static kn_tag ability_blocked_of(const kn_world *world, kn_entity_id entity, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (kn_entity_ability_tag_blocked(world, entity, tags.data[i])) {
            return tags.data[i];
        }
    }
    return (kn_tag){0};
}

static kn_tag hit_by(const kn_world *world, kn_entity_id entity, const member *m)
{
    uint32_t scope = 0;
    kn_component_id id = {0};
    const block_record *block;
    while ((block = block_next(world, entity, &scope, &id)) != NULL) {
        if (block_hits(world, entity, block, m)) {
            return block->tag;
        }
    }
    return (kn_tag){0};
}

bool knc_capability_is_stopped(const kn_world *world, kn_entity_id entity, const member *m,
    const capability_plan *plan, kn_tag *by)
{
    kn_tag tag = {0};
    if (m->blocks > 0) {
        tag = by != NULL ? hit_by(world, entity, m) : tag;
    } else if (plan->has_tags_against) {
        tag = owned_of(world, entity, plan->def->blocked_by);
        if (tag.index1 == 0 && knc_capability_kit_of_world(world)->rules->shares_ability_blocks) {
            tag = ability_blocked_of(world, entity, plan->def->tags);
        }
    }
    if (by != NULL) {
        *by = tag;
    }
    return m->blocks > 0 || tag.index1 != 0;
}

// Blocks that end with an effect are lifted in runs; until then they stop nobody here.
kn_tag knc_capability_stopped_by(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan)
{
    uint32_t scope = 0;
    kn_component_id id = {0};
    const block_record *block;
    kn_tag tag = {0};
    while (plan->def->tags.count > 0 && (block = block_next(world, entity, &scope, &id)) != NULL) {
        bool is_over =
            block->kind == KN_CAPABILITY_SOURCE_EFFECT && !kn_effect_is_alive(world, block->effect);
        if (!is_over && tags_match(kn_world_library(world), plan->def->tags, block->tag)) {
            return block->tag;
        }
    }
    if (plan->has_tags_against) {
        tag = owned_of(world, entity, plan->def->blocked_by);
        if (tag.index1 == 0 && knc_capability_kit_of_world(world)->rules->shares_ability_blocks) {
            tag = ability_blocked_of(world, entity, plan->def->tags);
        }
    }
    return tag;
}

// Adding and lifting ----------------------------------------------------------------

static bool is_source(const block_record *block, const kn_capability_source *source)
{
    return block->kind == source->kind && block->number == source->number &&
           block->key == source->key && kn_entity_id_equal(block->entity, source->entity) &&
           kn_effect_id_equal(block->effect, source->effect);
}

static kn_capability_source source_of(const block_record *block)
{
    kn_capability_source source = {
        block->kind, block->number, block->entity, block->effect, block->key};
    return source;
}

static void block_publish(
    kn_world *world, kn_entity_id entity, const block_record *block, bool is_blocked)
{
    const kn_capability_blocked event = {
        .tag = block->tag, .is_blocked = is_blocked, .source = source_of(block)};
    (void)kn_world_publish(world, entity, knc_capability_kit_of_world(world)->blocked, &event);
}

static bool block_remove(kn_world *world, kn_entity_id entity, uint32_t scope, kn_component_id id)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->blocks[scope];
    const block_record *found = kn_component_instance_read(world, type, id);
    if (found == NULL) {
        return false;
    }
    const block_record block = *found;
    if (!kn_component_instance_remove(world, type, id)) {
        return false;
    }
    block_publish(world, entity, &block, false);
    return true;
}

typedef struct block_call {
    kn_entity_id entity;
    const kn_capability_block *block;
    const kn_capability_source *source;
    kn_tag tag;
    bool is_predicted; // by a rule
} block_call;

static bool block_exists(const kn_world *world, const block_call *c)
{
    uint32_t scope = 0;
    kn_component_id id = {0};
    const block_record *block;
    while ((block = block_next(world, c->entity, &scope, &id)) != NULL) {
        if (block->tag.index1 == c->block->tag.index1 && is_source(block, &c->block->source)) {
            return true;
        }
    }
    return false;
}

static kn_result block_add_call(void *user, kn_world *world)
{
    const block_call *c = user;
    const kn_capability_block *wanted = c->block;
    kn_component_type_id type = knc_capability_kit_of_world(world)->blocks[wanted->scope];
    kn_component_id id;
    if (block_exists(world, c)) {
        return KN_OK;
    }
    kn_result result = kn_component_instance_add(world, type, c->entity, &id);
    if (result != KN_OK) {
        return result;
    }
    const block_record record = {
        .tag = wanted->tag,
        .kind = wanted->source.kind,
        .entity = wanted->source.entity,
        .effect = wanted->source.effect,
        .key = wanted->source.key,
        .number = wanted->source.number,
        .flags = (wanted->while_active ? BLOCK_WHILE_ACTIVE : 0u) |
                 (wanted->hits_source ? BLOCK_HITS_SOURCE : 0u),
    };
    *(block_record *)kn_component_instance_get(world, type, id) = record;
    knc_capability_count_all_blocks(world, c->entity, NULL);
    block_publish(world, c->entity, &record, true);
    return KN_OK;
}

static kn_result source_check(const kn_world *world, const kn_capability_source *source)
{
    switch (source->kind) {
    case KN_CAPABILITY_SOURCE_KEY:
        return source->number == 0 && source->entity.index1 == 0 && source->effect.index1 == 0
                   ? KN_OK
                   : KN_ERROR_INVALID_ARGUMENT;
    case KN_CAPABILITY_SOURCE_ENTITY:
        return kn_entity_is_alive(world, source->entity) ? KN_OK : KN_REFUSED_STALE_ID;
    case KN_CAPABILITY_SOURCE_MEMBER:
        return knc_capability_member_read(world, source->entity, source->number, NULL) != NULL
                   ? KN_OK
                   : KN_REFUSED_STALE_ID;
    case KN_CAPABILITY_SOURCE_SET: {
        const set_item *items;
        uint32_t count;
        (void)knc_capability_sets_read(world, source->entity, &items, &count);
        for (uint32_t i = 0; i < count; i++) {
            if (items[i].number == source->number) {
                return KN_OK;
            }
        }
        return KN_REFUSED_STALE_ID;
    }
    case KN_CAPABILITY_SOURCE_EFFECT:
        return kn_effect_is_alive(world, source->effect) ? KN_OK : KN_REFUSED_STALE_ID;
    default:
        return KN_ERROR_INVALID_ARGUMENT;
    }
}

static kn_result entity_check(const kn_world *world, kn_entity_id entity)
{
    if (knc_capability_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return knc_capability_sets_type(world, entity).index1 != 0 ? KN_OK : KN_REFUSED_NOT_FOUND;
}

kn_result kn_capability_block_add(
    kn_world *world, kn_entity_id entity, const kn_capability_block *block)
{
    if (block == NULL || (uint32_t)block->scope >= KN_CAPABILITY_SCOPE_COUNT) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = entity_check(world, entity);
    if (result == KN_OK &&
        (block->tag.index1 == 0 || kn_tag_name(kn_world_library(world), block->tag)[0] == 0)) {
        result = KN_ERROR_INVALID_ARGUMENT;
    }
    result = result != KN_OK ? result : source_check(world, &block->source);
    if (result == KN_OK && block->scope != KN_CAPABILITY_SCOPE_LOCAL && kn_world_is_client(world)) {
        result = KN_REFUSED_BLOCKED;
    }
    if (result != KN_OK) {
        return result;
    }
    block_call c = {.entity = entity, .block = block};
    return kn_world_call(world, block_add_call, &c);
}

static kn_result block_remove_call(void *user, kn_world *world)
{
    const block_call *c = user;
    uint32_t scope = 0;
    kn_component_id id = {0};
    const block_record *block;
    bool is_theirs = kn_world_is_client(world) && !c->is_predicted;
    while ((block = block_next(world, c->entity, &scope, &id)) != NULL) {
        if (block->tag.index1 == c->tag.index1 && is_source(block, c->source)) {
            if (is_theirs && scope != KN_CAPABILITY_SCOPE_LOCAL) {
                return KN_REFUSED_BLOCKED;
            }
            return block_remove(world, c->entity, scope, id) ? KN_OK : KN_REFUSED_NOT_FOUND;
        }
    }
    return KN_REFUSED_NOT_FOUND;
}

kn_result kn_capability_block_remove(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_capability_source *source)
{
    kn_result result = source != NULL ? entity_check(world, entity) : KN_ERROR_INVALID_ARGUMENT;
    if (result != KN_OK) {
        return result;
    }
    block_call c = {
        .entity = entity, .tag = tag, .source = source, .is_predicted = kn_world_is_locked(world)};
    return kn_world_call(world, block_remove_call, &c);
}

// The blocks of an entity by one of its members or sets.
static void own_lift(kn_world *world, kn_entity_id entity, kn_entity_id source,
    kn_capability_source_kind kind, uint32_t number, bool is_while_active)
{
    for (;;) {
        uint32_t scope = 0;
        kn_component_id id = {0};
        const block_record *block;
        while ((block = block_next(world, entity, &scope, &id)) != NULL) {
            if (block->kind == kind && block->number == number &&
                kn_entity_id_equal(block->entity, source) &&
                (!is_while_active || (block->flags & BLOCK_WHILE_ACTIVE) != 0)) {
                break;
            }
        }
        if (block == NULL || !block_remove(world, entity, scope, id)) {
            return;
        }
    }
}

// Of all entities that a member or set blocks something on.
void knc_capability_lift_blocks(kn_world *world, kn_entity_id entity,
    kn_capability_source_kind kind, uint32_t number, bool is_while_active)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    for (uint32_t scope = 0; scope < KN_CAPABILITY_SCOPE_COUNT; scope++) {
        for (;;) {
            kn_component_referrer found[16];
            uint32_t count =
                kn_component_referrers(world, kit->blocks[scope], 0, entity, found, 16);
            uint32_t at = 0;
            for (; at < count && at < 16; at++) {
                const block_record *block =
                    kn_component_instance_read(world, kit->blocks[scope], found[at].component);
                if (block->kind == kind && block->number == number &&
                    (!is_while_active || (block->flags & BLOCK_WHILE_ACTIVE) != 0)) {
                    break;
                }
            }
            if (at == count || at == 16) {
                break;
            }
            own_lift(world, found[at].entity, entity, kind, number, is_while_active);
        }
    }
}

void knc_capability_lift_dead_blocks(kn_world *world, kn_entity_id entity)
{
    uint32_t scope = 0;
    kn_component_id id = {0};
    const block_record *block;
    while ((block = block_next(world, entity, &scope, &id)) != NULL) {
        if (block->kind == KN_CAPABILITY_SOURCE_EFFECT &&
            !kn_effect_is_alive(world, block->effect)) {
            (void)block_remove(world, entity, scope, id);
            scope = 0;
            id = (kn_component_id){0};
        }
    }
}

void knc_capability_block_declared(kn_world *world, kn_entity_id entity, const member *m)
{
    const kn_capability_def *def =
        knc_capability_kit_of_world(world)->plans[m->capability.index1 - 1].def;
    for (uint32_t i = 0; i < def->blocks.count; i++) {
        const kn_capability_block block = {
            .tag = def->blocks.data[i],
            .source = {.kind = KN_CAPABILITY_SOURCE_MEMBER, .number = m->number, .entity = entity},
            .while_active = true,
            .hits_source = def->blocks_itself,
        };
        (void)kn_capability_block_add(world, entity, &block);
    }
}

uint64_t knc_capability_blocks_mark(const kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint64_t mark = 0;
    for (uint32_t i = KN_CAPABILITY_SCOPE_LOCAL + 1; i < KN_CAPABILITY_SCOPE_COUNT; i++) {
        kn_component_id id = {0};
        while ((id = kn_component_instance_next(world, kit->blocks[i], entity, id)).index1 != 0) {
            mark = kn_hash_bytes(mark + 1, kn_component_instance_read(world, kit->blocks[i], id),
                sizeof(block_record));
        }
    }
    return mark;
}

// Looking ---------------------------------------------------------------------------

bool kn_capability_tag_is_blocked(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    uint32_t scope = 0;
    kn_component_id id = {0};
    const block_record *block;
    if (knc_capability_kit_of_world(world) == NULL) {
        return false;
    }
    while ((block = block_next(world, entity, &scope, &id)) != NULL) {
        if (kn_tag_matches(kn_world_library(world), tag, block->tag)) {
            return true;
        }
    }
    return false;
}

uint32_t kn_capability_blocks(
    const kn_world *world, kn_entity_id entity, kn_capability_block *out, uint32_t capacity)
{
    uint32_t scope = 0, count = 0;
    kn_component_id id = {0};
    const block_record *block;
    if (knc_capability_kit_of_world(world) == NULL) {
        return 0;
    }
    while ((block = block_next(world, entity, &scope, &id)) != NULL) {
        if (count < capacity) {
            out[count] = (kn_capability_block){
                .tag = block->tag,
                .scope = (kn_capability_scope)scope,
                .source = source_of(block),
                .while_active = (block->flags & BLOCK_WHILE_ACTIVE) != 0,
                .hits_source = (block->flags & BLOCK_HITS_SOURCE) != 0,
            };
        }
        count++;
    }
    return count;
}
