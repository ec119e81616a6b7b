// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Every invariant of a world's structures. First the containers, then who holds which block of the
// heap, and only then what the blocks say: a later check may follow what an earlier one has seen.
// Memory for notes is borrowed from the host for the time of the call.

#include "step/step.h"
#include "store/store.h"

#include <math.h>

static bool validate_fail(const char *condition, const char *file, int line)
{
#if KN_ASSERTS
    kn_assert_report(condition, file, line);
#else
    (void)condition;
    (void)file;
    (void)line;
#endif
    return false;
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return validate_fail(#condition, __FILE__, __LINE__);                                  \
        }                                                                                          \
    } while (0)

static bool validate_record(kni_problem problem)
{
    return problem.what == NULL || validate_fail(problem.condition, problem.file, problem.line);
}

enum {
    SEEN_LISTED = 1 << 0, // in the list of its component
    SEEN_TICK = 1 << 1,   // its tick is in the wheel
    SEEN_EXPIRY = 1 << 2, // its expiry is in the wheel
    SEEN_RULE = 1 << 3,   // its entry is in the wheel
};

#define NOTE_BLOCKS 10

typedef struct validation {
    const kn_world *world;
    bool is_settled;   // nothing is running: reactions are done, timers are in the wheel
    bool calls_host;   // functions of the host may be called
    kni_memory memory; // a copy, so that the world's counters stay as they are
    struct {
        void *ptr;
        size_t size;
    } blocks[NOTE_BLOCKS];
    uint32_t block_count;

    uint64_t *heap_units;                     // bit per 8 bytes of the heap that somebody holds
    size_t heap_live;                         // bytes of all blocks held
    uint8_t *effect_seen;                     // by slot
    uint8_t *timer_seen;                      // by slot
    uint8_t *charge_seen;                     // by slot
    uint8_t *task_seen;                       // by slot
    uint8_t *rare_seen;                       // by slot
    uint32_t rare_count;                      // that are held
    uint32_t effect_count;                    // that are in a list
    uint32_t owned_count, owned_listed;       // components with a living owner
    uint32_t children_count, children_listed; // and with a parent
    uint32_t *tag_counts;                     // by tag: of the tag itself, as it should be
    uint32_t *tag_totals;                     // by tag: with everything below it
} validation;

// Notes ---------------------------------------------------------------------

static void *notes_block(validation *v, size_t size)
{
    void *block = v->block_count < NOTE_BLOCKS ? kni_realloc(&v->memory, NULL, 0, size) : NULL;
    if (block != NULL) {
        memset(block, 0, size);
        v->blocks[v->block_count].ptr = block;
        v->blocks[v->block_count].size = size;
        v->block_count++;
    }
    return block;
}

static bool notes_begin(validation *v)
{
    const kn_world *world = v->world;
    size_t tags = (size_t)kn_tag_count(world->library) + 1;
    v->heap_units = notes_block(v, (world->heap.used / 512 + 1) * sizeof(uint64_t));
    v->effect_seen = notes_block(v, (size_t)world->effects.used + 1);
    v->timer_seen = notes_block(v, (size_t)world->timers.used + 1);
    v->rare_seen = notes_block(v, (size_t)world->rares.used + 1);
    v->charge_seen = notes_block(v, (size_t)world->charges.used + 1);
    v->task_seen = notes_block(v, (size_t)world->tasks.used + 1);
    v->tag_counts = notes_block(v, tags * sizeof(uint32_t));
    v->tag_totals = notes_block(v, tags * sizeof(uint32_t));
    return v->block_count == 8;
}

static void notes_end(validation *v)
{
    while (v->block_count > 0) {
        v->block_count--;
        kni_free(&v->memory, v->blocks[v->block_count].ptr, v->blocks[v->block_count].size);
    }
}

// Blocks of the heap --------------------------------------------------------

// Notes that a block is held; false when it lies outside, or somebody else holds a part of it.
static bool block_claim(validation *v, kni_ref ref, size_t size)
{
    CHECK(size <= v->world->heap.used);
    size_t block = kni_heap_block_size(size);
    size_t end = (size_t)ref * 8 + block;
    CHECK(ref != 0 && end <= v->world->heap.used);
    for (size_t unit = ref; unit < end / 8; unit++) {
        bool is_free = (v->heap_units[unit / 64] >> (unit % 64) & 1) == 0;
        CHECK(is_free);
        v->heap_units[unit / 64] |= UINT64_C(1) << (unit % 64);
    }
    v->heap_live += block;
    return true;
}

static bool optional_block_claim(validation *v, kni_ref ref, size_t size)
{
    return ref == 0 || block_claim(v, ref, size);
}

static bool span_claim(validation *v, const kni_span *span, size_t size)
{
    if (span->ref == 0) {
        CHECK(span->count == 0 && span->capacity == 0);
        return true;
    }
    CHECK(span->count <= span->capacity && size > 0);
    return block_claim(v, span->ref, (size_t)span->capacity * size);
}

// Blocks that nobody holds must not be held either. kni_heap_validate() has seen the lists.
static bool free_blocks_claim(validation *v)
{
    size_t live = v->heap_live;
    size_t size = 8;
    for (uint32_t i = 0; i < KNI_HEAP_CLASSES; i++) {
        for (kni_ref ref = v->world->heap.free_first[i]; ref != 0;) {
            if (!block_claim(v, ref, size)) {
                return false;
            }
            memcpy(&ref, kni_heap_at(&v->world->heap, ref), sizeof(ref));
        }
        size = kni_heap_block_size(size + 1);
    }
    v->heap_live = live;
    return true;
}

// Spans that tables list, and those derived from them.
static bool actors_claim(validation *v)
{
    const kn_world *world = v->world;
    for (uint32_t p = KNI_POOL_FIRST_PLAIN; p < KNI_POOL_COUNT; p++) {
        const kni_pool *pool = kni_world_pool(world, p);
        const kn_def_table *table = kni_pools[p].table;
        KNI_POOL_EACH(i, pool) {
            for (uint32_t f = 0; f < table->field_count; f++) {
                kni_span span;
                if (table->fields[f].kind != KN_STATE_FIELD_LIST) {
                    continue;
                }
                memcpy(&span, (const uint8_t *)kni_pool_at(pool, i) + table->fields[f].offset,
                    sizeof(span));
                if (!span_claim(v, &span, table->fields[f].table->size)) {
                    return false;
                }
            }
        }
    }
    KNI_POOL_EACH(i, &world->actors) {
        const kni_actor *actor = kni_actor_at(world, i);
        if (!span_claim(v, &actor->abilities, sizeof(uint32_t)) ||
            !span_claim(v, &actor->activations, sizeof(uint32_t)) ||
            !span_claim(v, &actor->charges, sizeof(uint32_t)) ||
            !span_claim(v, &actor->watchers, sizeof(kni_watcher)) ||
            !span_claim(v, &actor->cues, sizeof(uint32_t))) {
            return false;
        }
    }
    KNI_POOL_EACH(i, &world->activations) {
        const kni_activation *activation = kni_activation_at(world, i);
        if (!span_claim(v, &activation->tasks, sizeof(uint32_t)) ||
            !span_claim(v, &activation->cues, sizeof(uint32_t))) {
            return false;
        }
    }
    return true;
}

static bool component_claim(validation *v, const kni_component *component)
{
    CHECK(component->layout < v->world->layout_count);
    uint32_t values = v->world->layouts[component->layout].value_count;
    CHECK((values == 0) == (component->values == 0));
    return optional_block_claim(v, component->values, values * sizeof(kni_value)) &&
           span_claim(v, &component->effects, sizeof(uint32_t)) &&
           span_claim(v, &component->tags, sizeof(kni_tag_row)) &&
           span_claim(v, &component->origins, sizeof(kni_origin_row)) &&
           span_claim(v, &component->blocked, sizeof(kni_tag_row)) &&
           span_claim(v, &component->dependents, sizeof(uint32_t)) &&
           span_claim(v, &component->transients, sizeof(kni_value_link)) &&
           span_claim(v, &component->owned, sizeof(uint32_t));
}

// An extension record and the blocks it holds; its holder knows the type.
static bool rare_claim(validation *v, uint32_t rare1, const kni_effect_type *type)
{
    if (rare1 == 0) {
        return true;
    }
    const kn_world *world = v->world;
    CHECK(kni_pool_is_live(&world->rares, rare1 - 1));
    CHECK(v->rare_seen[rare1 - 1] == 0);
    v->rare_seen[rare1 - 1] = 1;
    v->rare_count++;
    const kni_rare *rare = kni_rare_at(world, rare1);
    CHECK(rare->payload_type <= kni_ref_count(world->library, KN_DEF_CONTEXT));
    kni_block_sizes blocks = kni_rare_blocks(world, type, rare->payload_type);
    return span_claim(v, &rare->caller, sizeof(kni_pair)) &&
           span_claim(v, &rare->named, sizeof(kni_pair)) &&
           span_claim(v, &rare->granted, sizeof(uint32_t)) &&
           span_claim(v, &rare->asset, sizeof(uint32_t)) &&
           span_claim(v, &rare->magnitudes, sizeof(float)) &&
           span_claim(v, &rare->captures, sizeof(float)) &&
           span_claim(v, &rare->source_tags, sizeof(uint32_t)) &&
           span_claim(v, &rare->stacks, sizeof(kni_stack)) &&
           span_claim(v, &rare->children, sizeof(kni_child_link)) &&
           span_claim(v, &rare->targets, 1) &&
           optional_block_claim(v, rare->state, blocks.size[KNI_BLOCK_STATE]) &&
           optional_block_claim(v, rare->payload, blocks.size[KNI_BLOCK_PAYLOAD]) &&
           validate_record(kni_rare_problem(world, rare, type, v->is_settled));
}

static bool extensions_claim(validation *v)
{
    const kn_world *world = v->world;
    for (uint32_t i = 0; i < kni_ref_count(world->library, KN_DEF_COMPONENT); i++) {
        const kni_pool *pool = &world->extensions[i].pool;
        size_t size =
            KNI_ITEM(world->library, KN_DEF_COMPONENT, const kni_component_type, i)->def.item_size;
        KNI_POOL_EACH(slot, pool) {
            const kni_extension_head *head = kni_pool_at(pool, slot);
            if (!span_claim(v, &head->items, size)) {
                return false;
            }
        }
    }
    return true;
}

static bool heap_check(validation *v)
{
    const kn_world *world = v->world;
    KNI_POOL_EACH(i, &world->components) {
        if (!component_claim(v, kni_component_at(world, i))) {
            return false;
        }
    }
    KNI_POOL_EACH(i, &world->aggregators) {
        const kni_aggregator *aggregator = kni_aggregator_at(world, i);
        if (!span_claim(v, &aggregator->mods, sizeof(kni_mod)) ||
            !span_claim(v, &aggregator->dependents, sizeof(kni_dependent)) ||
            !span_claim(v, &aggregator->sums, sizeof(kni_sums))) {
            return false;
        }
    }
    KNI_POOL_EACH(i, &world->effects) {
        const kni_effect *effect = kni_effect_at(world, i);
        CHECK(effect->type < world->type_count);
        if (!rare_claim(v, effect->rare1, kni_type_at(world, effect->type))) {
            return false;
        }
    }
    KNI_POOL_EACH(i, &world->specs) {
        const kni_spec *spec = kni_pool_at(&world->specs, i);
        CHECK(spec->type < world->type_count);
        if (!rare_claim(v, spec->rare1, kni_type_at(world, spec->type)) ||
            !validate_record(kni_spec_problem(world, i, v->is_settled))) {
            return false;
        }
    }
    if (!span_claim(v, &world->targeting_tasks, sizeof(uint32_t)) ||
        !span_claim(v, &world->priced, sizeof(uint32_t)) || !extensions_claim(v) ||
        !actors_claim(v) || !free_blocks_claim(v)) {
        return false;
    }
    if (v->is_settled) { // an application or a hook at work may hold more
        CHECK(v->rare_count == world->rares.count);
        CHECK(v->heap_live == world->heap.live_bytes);
    }
    return true;
}

// Containers and types ------------------------------------------------------

static bool containers_check(const kn_world *world)
{
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        if (!kni_pool_validate(kni_world_pool(world, i))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < kni_ref_count(world->library, KN_DEF_COMPONENT); i++) {
        if (!kni_pool_validate(&world->extensions[i].pool)) {
            return false;
        }
    }
    CHECK(world->tag_bits_capacity >= world->components.used);
    CHECK(world->tag_words == kn_tag_count(world->library) / 64 + 1);
    CHECK(world->type_count >= kni_ref_count(world->library, KN_DEF_EFFECT));
    for (uint32_t i = 0; i < world->type_count; i++) {
        CHECK(world->types[i] != NULL && world->types[i]->index1 == i + 1);
    }
    return kni_heap_validate(&world->heap) && kni_wheel_validate(&world->wheel);
}

// Entities and components ---------------------------------------------------

static bool entities_check(const kn_world *world)
{
    KNI_POOL_EACH(slot, &world->entities) {
        const kni_entity *entity = kni_entity_at(world, slot);
        if (!validate_record(kni_entity_problem(world, slot))) {
            return false;
        }
        if (entity->component1 == 0) {
            continue;
        }
        CHECK(kni_pool_is_live(&world->components, entity->component1 - 1));
        const kni_component *component = kni_component_at(world, entity->component1 - 1);
        CHECK(component->entity == slot ||
              kn_entity_id_equal(component->avatar, kni_entity_id_of(world, slot)));
    }
    return true;
}

// The list of those it owns: by slot, of components that name it as their owner. Each of them is in
// it when it has as many as there are.
static bool owned_check(validation *v, uint32_t slot)
{
    const kn_world *world = v->world;
    const kni_component *component = kni_component_at(world, slot);
    for (uint32_t i = 0; i < component->owned.count; i++) {
        uint32_t other = *KNI_SPAN_AT(world, component->owned, uint32_t, i);
        CHECK(kni_pool_is_live(&world->components, other));
        CHECK(i == 0 || *KNI_SPAN_AT(world, component->owned, uint32_t, i - 1) < other);
        CHECK(kn_entity_id_equal(
            kni_component_at(world, other)->owner, kni_component_entity(world, slot)));
    }
    v->owned_listed += component->owned.count;
    v->owned_count += kni_component_find(world, component->owner) != KNI_NONE;
    return true;
}

// The list of those attached to it: both ways, of components that name it as their parent.
static bool children_check(validation *v, uint32_t slot)
{
    const kn_world *world = v->world;
    uint32_t back1 = 0;
    for (uint32_t child1 = kni_component_at(world, slot)->child1; child1 != 0;) {
        CHECK(kni_pool_is_live(&world->components, child1 - 1));
        const kni_component *child = kni_component_at(world, child1 - 1);
        CHECK(child->sibling_back1 == back1);
        CHECK(kn_entity_id_equal(child->parent, kni_component_entity(world, slot)));
        v->children_listed++;
        back1 = child1;
        child1 = child->sibling1;
    }
    v->children_count += kni_component_at(world, slot)->parent.index1 != 0;
    return true;
}

static bool component_links_check(const validation *v, uint32_t slot)
{
    const kn_world *world = v->world;
    const kni_component *component = kni_component_at(world, slot);
    CHECK(kni_pool_is_live(&world->entities, component->entity));
    CHECK(kni_entity_at(world, component->entity)->component1 == slot + 1);
    CHECK(kni_entity_at(world, component->entity)->generation == component->generation);
    uint32_t avatar = kni_entity_find(world, component->avatar);
    CHECK(avatar != KNI_NONE && kni_entity_at(world, avatar)->component1 == slot + 1);
    CHECK(!v->is_settled || (component->flags & KNI_COMPONENT_DYING) == 0);
    return validate_record(kni_parents_problem(world, slot));
}

// Effects -------------------------------------------------------------------

static bool effect_check(validation *v, uint32_t slot)
{
    // What the running call marked is done.
    uint32_t flags = kni_effect_at(v->world, slot)->flags;
    CHECK(!v->is_settled || (flags & (KNI_ACTIVE_QUEUED | KNI_ACTIVE_REMOVING)) == 0);
    return validate_record(kni_effect_problem(v->world, slot, v->is_settled));
}

// The list of a component: by creation, of effects on it. Counts follow from it.
static bool component_effects_check(validation *v, uint32_t slot)
{
    const kn_world *world = v->world;
    const kni_component *component = kni_component_at(world, slot);
    uint32_t gates = 0, watches = 0, owned = 0, edits = 0;
    uint64_t last = 0;
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t effect_slot = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        CHECK(kni_pool_is_live(&world->effects, effect_slot));
        const kni_effect *effect = kni_effect_at(world, effect_slot);
        CHECK(effect->component == slot);
        CHECK(effect->number > last);
        CHECK((v->effect_seen[effect_slot] & SEEN_LISTED) == 0);
        last = effect->number;
        v->effect_seen[effect_slot] |= SEEN_LISTED;
        v->effect_count++;
        if (!effect_check(v, effect_slot)) {
            return false;
        }
        uint32_t flags = kni_type_at(world, effect->type)->flags;
        bool is_attached = (effect->flags & KNI_ACTIVE_ATTACHED) != 0;
        watches += (flags & (KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL | KNI_EFFECT_CONTINUOUS)) != 0;
        gates += is_attached && (flags & KNI_EFFECT_GATES) != 0;
        owned += is_attached && (flags & KNI_EFFECT_OWNED) != 0;
        edits += is_attached && (flags & KNI_EFFECT_EDITS) != 0;
    }
    CHECK(component->watch_count == watches);
    CHECK(component->gate_count == gates);
    CHECK(component->owned_count == owned);
    CHECK(component->edit_count == edits);
    return true;
}

static bool component_dependents_check(const kn_world *world, uint32_t slot)
{
    const kni_component *component = kni_component_at(world, slot);
    uint64_t last = 0;
    for (uint32_t i = 0; i < component->dependents.count; i++) {
        uint32_t effect = *KNI_SPAN_AT(world, component->dependents, uint32_t, i);
        CHECK(kni_pool_is_live(&world->effects, effect));
        CHECK(kni_effect_at(world, effect)->component != slot);
        CHECK(kni_effect_at(world, effect)->number > last);
        last = kni_effect_at(world, effect)->number;
    }
    return true;
}

// Tags ----------------------------------------------------------------------

static bool tag_count_add(validation *v, uint32_t tag, uint32_t count)
{
    CHECK(tag != 0 && tag <= kn_tag_count(v->world->library));
    v->tag_counts[tag] += count;
    return true;
}

// What the counts should be: granted by effects in force, and by the other origins.
static bool tags_expect(validation *v, const kni_component *component)
{
    const kn_world *world = v->world;
    size_t size = ((size_t)kn_tag_count(world->library) + 1) * sizeof(uint32_t);
    memset(v->tag_counts, 0, size);
    memset(v->tag_totals, 0, size);
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        const kni_effect_type *type = kni_type_at(world, effect->type);
        if ((effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
            continue;
        }
        for (uint32_t t = 0; t < type->granted_count; t++) {
            if (!tag_count_add(v, type->granted[t].index1, 1)) {
                return false;
            }
        }
        const kni_rare *rare = effect->rare1 != 0 ? kni_rare_at(world, effect->rare1) : NULL;
        for (uint32_t t = 0; rare != NULL && t < rare->granted.count; t++) {
            if (!tag_count_add(v, *KNI_SPAN_AT(world, rare->granted, uint32_t, t), 1)) {
                return false;
            }
        }
    }
    uint32_t last = 0;
    for (uint32_t i = 0; i < component->origins.count; i++) {
        const kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        uint32_t key = (uint32_t)row->tag << 8 | row->origin;
        CHECK(key > last && row->count > 0);
        CHECK(row->origin < KN_TAG_ORIGIN_COUNT && row->origin != KN_TAG_ORIGIN_EFFECT);
        CHECK(row->sync <= KN_TAG_SYNC_COUNT_ALL);
        last = key;
        if (!tag_count_add(v, row->tag, row->count)) {
            return false;
        }
    }
    return true;
}

static bool tags_check(validation *v, uint32_t slot)
{
    const kn_world *world = v->world;
    const kni_component *component = kni_component_at(world, slot);
    if (!tags_expect(v, component)) {
        return false;
    }
    uint32_t tag_count = kn_tag_count(world->library);
    uint32_t expected_rows = 0;
    for (uint32_t tag = 1; tag <= tag_count; tag++) {
        uint32_t depth;
        const uint16_t *chain = kni_tag_chain(&world->library->tags, tag, &depth);
        for (uint32_t i = 0; i < depth && v->tag_counts[tag] > 0; i++) {
            expected_rows += v->tag_totals[chain[i]] == 0;
            v->tag_totals[chain[i]] += v->tag_counts[tag];
        }
    }
    CHECK(component->tags.count == expected_rows);
    uint32_t last = 0;
    for (uint32_t i = 0; i < component->tags.count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->tags, kni_tag_row, i);
        CHECK(row->tag > last && row->tag <= tag_count);
        CHECK(kni_row_count(world, slot, row) == v->tag_counts[row->tag]);
        CHECK(row->total == v->tag_totals[row->tag] && row->total > 0);
        last = row->tag;
    }
    if (component->edit_count > 0) {
        kni_tags_shown(world, slot, world->tag_scratch, world->tag_scratch + world->tag_words);
    }
    for (uint32_t tag = 0; tag < world->tag_words * 64; tag++) {
        bool has = tag <= tag_count && v->tag_totals[tag] > 0;
        if (component->edit_count > 0) {
            const uint64_t *shown = world->tag_scratch + world->tag_words;
            has = (shown[tag >> 6] >> (tag & 63) & 1) != 0;
        }
        CHECK(kni_has_tag(world, slot, tag) == has);
    }
    return true;
}

// Tags from attached components, once every table is known to be sound: each count is the sum of
// theirs, and each of theirs is counted.
static bool child_tags_check(const kn_world *world, uint32_t slot)
{
    const kni_component *component = kni_component_at(world, slot);
    kn_entity_id entity = kni_component_entity(world, slot);
    for (uint32_t i = 0; i < component->origins.count; i++) {
        const kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        if (row->origin != KN_TAG_ORIGIN_CHILD) {
            continue;
        }
        uint32_t count = 0;
        KNI_POOL_EACH(c, &world->components) {
            if (kn_entity_id_equal(kni_component_at(world, c)->parent, entity)) {
                count += kni_tag_count_exact(world, c, row->tag);
            }
        }
        CHECK(row->count == count);
    }
    for (uint32_t i = 0; component->parent.index1 != 0 && i < component->tags.count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->tags, kni_tag_row, i);
        kn_tag tag = {row->tag};
        CHECK(kn_entity_tag_count_origin(world, component->parent, tag, KN_TAG_ORIGIN_CHILD) >=
              kni_row_count(world, slot, row));
    }
    return true;
}

static bool blocked_check(validation *v, uint32_t component_slot)
{
    const kn_world *world = v->world;
    const kni_component *component = kni_component_at(world, component_slot);
    memset(v->tag_counts, 0, ((size_t)kn_tag_count(world->library) + 1) * sizeof(uint32_t));
    uint32_t expected = 0;
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        kn_tags tags = kni_type_at(world, effect->type)->def.blocked_ability_tags;
        bool is_attached = (effect->flags & KNI_ACTIVE_ATTACHED) != 0;
        for (uint32_t t = 0; is_attached && t < tags.count; t++) {
            if (!tag_count_add(v, tags.data[t].index1, 1)) {
                return false;
            }
            expected += v->tag_counts[tags.data[t].index1] == 1;
        }
    }
    const kni_actor *actor =
        component->actor1 != 0 ? kni_actor_at(world, component->actor1 - 1) : NULL;
    for (uint32_t i = 0; actor != NULL && i < actor->activations.count; i++) {
        const kni_activation *activation =
            kni_activation_at(world, *KNI_SPAN_AT(world, actor->activations, uint32_t, i));
        kn_tags tags = kni_type_of_ability(world, activation->ability)->def.block_with;
        bool blocks = (activation->flags & KNI_ACTIVATION_BLOCKS) != 0;
        for (uint32_t t = 0; blocks && t < tags.count; t++) {
            if (!tag_count_add(v, tags.data[t].index1, 1)) {
                return false;
            }
            expected += v->tag_counts[tags.data[t].index1] == 1;
        }
    }
    for (uint32_t at1 = kni_tag_block_first1(world, component_slot); at1 != 0;
         at1 = kni_tag_block_at(world, at1 - 1)->next1) {
        CHECK(kni_pool_is_live(&world->tag_blocks, at1 - 1));
        uint32_t tag = kni_tag_block_at(world, at1 - 1)->tag;
        if (!tag_count_add(v, tag, 1)) {
            return false;
        }
        expected += v->tag_counts[tag] == 1;
    }
    CHECK(component->blocked.count == expected);
    uint32_t last = 0;
    for (uint32_t i = 0; i < component->blocked.count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->blocked, kni_tag_row, i);
        CHECK(row->tag > last && row->tag <= kn_tag_count(world->library));
        CHECK(row->total == v->tag_counts[row->tag]);
        last = row->tag;
    }
    return true;
}

// Values and what acts on them ----------------------------------------------

static bool mod_check(const kn_world *world, const kni_aggregator *aggregator, const kni_mod *mod)
{
    CHECK(kni_pool_is_live(&world->effects, mod->effect));
    const kni_effect *effect = kni_effect_at(world, mod->effect);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    CHECK(effect->number == mod->number);
    CHECK((effect->flags & KNI_ACTIVE_ATTACHED) != 0);
    CHECK((type->flags & KNI_EFFECT_PERIODIC) == 0 && mod->modifier < type->modifier_count);
    const kni_modifier *modifier = &type->modifiers[mod->modifier];
    CHECK(mod->op == modifier->op && mod->channel == modifier->channel);
    CHECK(mod->group == modifier->group && mod->group_rule == modifier->group_rule);
    CHECK(mod->magnitude ==
          kn_effect_magnitude(world, kni_effect_id_of(world, mod->effect), mod->modifier));
    const kni_component *component = kni_component_at(world, aggregator->component);
    if ((type->flags & KNI_EFFECT_OWNED) == 0) {
        CHECK(effect->component == aggregator->component);
    } else {
        CHECK(kni_component_find(world, component->owner) == effect->component);
    }
    if (aggregator->is_transient) {
        CHECK(modifier->attribute == KNI_NONE && modifier->value == aggregator->position);
    } else {
        CHECK(modifier->attribute != KNI_NONE);
        CHECK(kni_position_keyed(world, component, modifier->attribute, modifier->key) ==
              aggregator->position);
    }
    return true;
}

static bool aggregator_lists_check(const kn_world *world, const kni_aggregator *aggregator)
{
    CHECK(aggregator->mods.count > 0 || aggregator->dependents.count > 0);
    for (uint32_t i = 0; i < aggregator->mods.count; i++) {
        const kni_mod *mod = KNI_SPAN_AT(world, aggregator->mods, kni_mod, i);
        const kni_mod *before = i > 0 ? mod - 1 : NULL;
        CHECK(before == NULL || before->number < mod->number ||
              (before->number == mod->number && before->modifier < mod->modifier));
        if (!mod_check(world, aggregator, mod)) {
            return false;
        }
    }
    uint64_t last = 0;
    for (uint32_t i = 0; i < aggregator->dependents.count; i++) {
        const kni_dependent *dependent =
            KNI_SPAN_AT(world, aggregator->dependents, kni_dependent, i);
        CHECK(dependent->number > last);
        CHECK(kni_pool_is_live(&world->effects, dependent->effect));
        CHECK(kni_effect_at(world, dependent->effect)->number == dependent->number);
        CHECK(dependent->kinds != 0 &&
              (dependent->kinds & ~(uint32_t)(KNI_DEPENDS_CAPTURE | KNI_DEPENDS_CONDITION)) == 0);
        last = dependent->number;
    }
    return true;
}

// The value or link that an aggregator belongs to points back at it.
static bool aggregator_place_check(const kn_world *world, uint32_t slot)
{
    const kni_aggregator *aggregator = kni_aggregator_at(world, slot);
    CHECK(kni_pool_is_live(&world->components, aggregator->component));
    const kni_component *component = kni_component_at(world, aggregator->component);
    if (aggregator->is_transient) {
        CHECK(aggregator->position < kni_ref_count(world->library, KN_DEF_VALUE));
        CHECK(kni_transient_find(world, component, aggregator->position) == slot);
    } else {
        CHECK(aggregator->position < world->layouts[component->layout].value_count);
        CHECK(kni_values_of(world, component)[aggregator->position].aggregator1 == slot + 1);
    }
    return true;
}

static bool aggregators_check(const kn_world *world)
{
    KNI_POOL_EACH(i, &world->aggregators) {
        if (!aggregator_place_check(world, i) ||
            !aggregator_lists_check(world, kni_aggregator_at(world, i))) {
            return false;
        }
    }
    uint32_t links = 0;
    KNI_POOL_EACH(i, &world->components) {
        const kni_component *component = kni_component_at(world, i);
        for (uint32_t p = 0; p < world->layouts[component->layout].value_count; p++) {
            uint32_t aggregator1 = kni_values_of(world, component)[p].aggregator1;
            CHECK(aggregator1 == 0 || kni_pool_is_live(&world->aggregators, aggregator1 - 1));
            links += aggregator1 != 0;
        }
        for (uint32_t t = 0; t < component->transients.count; t++) {
            const kni_value_link *link =
                KNI_SPAN_AT(world, component->transients, kni_value_link, t);
            CHECK(kni_pool_is_live(&world->aggregators, link->aggregator));
            CHECK(kni_aggregator_at(world, link->aggregator)->component == i);
        }
        links += component->transients.count;
    }
    CHECK(links == world->aggregators.count);
    return true;
}

static uint32_t modifier_list(
    const kn_world *world, const kni_modifier *modifier, const kni_component *component)
{
    if (modifier->attribute == KNI_NONE) {
        return kni_transient_find(world, component, modifier->value);
    }
    uint32_t position = kni_position_keyed(world, component, modifier->attribute, modifier->key);
    return position == KNI_NONE ? KNI_NONE
                                : kni_values_of(world, component)[position].aggregator1 - 1;
}

// The list is in order: aggregators_check() has seen it.
static bool mod_is_listed(
    const kn_world *world, uint32_t aggregator, uint64_t number, uint32_t modifier)
{
    uint32_t first = 0;
    uint32_t end = aggregator == KNI_NONE ? 0 : kni_aggregator_at(world, aggregator)->mods.count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        const kni_mod *mod =
            KNI_SPAN_AT(world, kni_aggregator_at(world, aggregator)->mods, kni_mod, middle);
        if (mod->number == number && mod->modifier == modifier) {
            return true;
        }
        bool is_before =
            mod->number < number || (mod->number == number && mod->modifier < modifier);
        first = is_before ? middle + 1 : first;
        end = is_before ? end : middle;
    }
    return false;
}

// Whether a component's lists hold all modifiers of an effect that should act there, or none.
static bool modifiers_check(const kn_world *world, const kni_effect *effect,
    const kni_component *component, bool should_act)
{
    const kni_effect_type *type = kni_type_at(world, effect->type);
    for (uint32_t m = 0; m < type->modifier_count; m++) {
        const kni_modifier *modifier = &type->modifiers[m];
        bool is_parked =
            modifier->attribute != KNI_NONE &&
            kni_position_keyed(world, component, modifier->attribute, modifier->key) == KNI_NONE;
        uint32_t list = modifier_list(world, modifier, component);
        CHECK(mod_is_listed(world, list, effect->number, m) == (should_act && !is_parked));
    }
    return true;
}

static bool effect_modifiers_check(const kn_world *world, const kni_effect *effect)
{
    const kni_effect_type *type = kni_type_at(world, effect->type);
    bool acts =
        (effect->flags & KNI_ACTIVE_ATTACHED) != 0 && (type->flags & KNI_EFFECT_PERIODIC) == 0;
    if ((type->flags & KNI_EFFECT_OWNED) == 0) {
        return modifiers_check(world, effect, kni_component_at(world, effect->component), acts);
    }
    kn_entity_id owner = kni_component_entity(world, effect->component);
    KNI_POOL_EACH(i, &world->components) {
        const kni_component *component = kni_component_at(world, i);
        bool is_owned = kn_entity_id_equal(component->owner, owner);
        if (!modifiers_check(world, effect, component,
                acts && is_owned && kni_component_meets(world, i, &type->def.owned))) {
            return false;
        }
    }
    return true;
}

// Whether the list says that the effect captures the value. It is in order, as above.
static bool dependent_is_listed(const kn_world *world, uint32_t aggregator, uint64_t number)
{
    const kni_span *dependents = &kni_aggregator_at(world, aggregator)->dependents;
    uint32_t first = 0, end = dependents->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        const kni_dependent *dependent = KNI_SPAN_AT(world, *dependents, kni_dependent, middle);
        if (dependent->number == number) {
            return (dependent->kinds & KNI_DEPENDS_CAPTURE) != 0;
        }
        first = dependent->number < number ? middle + 1 : first;
        end = dependent->number < number ? end : middle;
    }
    return false;
}

// What follows an attribute of its own target is noted there.
static bool effect_dependents_check(const kn_world *world, const kni_effect *effect)
{
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_component *component = kni_component_at(world, effect->component);
    for (uint32_t i = 0; i < type->capture_count; i++) {
        const kn_capture *capture = type->captures[i].capture;
        if (!type->captures[i].is_live || capture->from != KN_CAPTURE_FROM_TARGET) {
            continue;
        }
        uint32_t position =
            kni_position_keyed(world, component, capture->attribute.index1 - 1, capture->key);
        if (position == KNI_NONE) {
            continue;
        }
        uint32_t aggregator1 = kni_values_of(world, component)[position].aggregator1;
        CHECK(aggregator1 != 0);
        bool is_noted = dependent_is_listed(world, aggregator1 - 1, effect->number);
        CHECK(is_noted);
    }
    return true;
}

// Current values are what evaluation gives, apart from what was refused because it was not a
// number.
static bool values_check(const validation *v, uint32_t slot)
{
    const kn_world *world = v->world;
    const kni_component *component = kni_component_at(world, slot);
    const kni_layout *layout = &world->layouts[component->layout];
    for (uint32_t s = 0; s < layout->set_count; s++) {
        uint32_t count = kni_set_at(world->library, layout->sets[s].set)->count;
        for (uint32_t i = 0; i < count; i++) {
            kni_value_place place = kni_value_place_of(world, slot, &layout->sets[s], i);
            kni_value value = kni_values_of(world, component)[place.position];
            CHECK(isfinite(value.base) && isfinite(value.current));
            if (!kni_value_is_derivable(&place) ||
                (place.attribute->def.qualify == KN_QUALIFY_CUSTOM && !v->calls_host)) {
                continue;
            }
            float expected = kni_value_expected(world, &place);
            if (value.aggregator1 != 0) {
                // Sums that are kept equal those computed from all modifiers.
                kni_aggregator *aggregator = kni_aggregator_at(world, value.aggregator1 - 1);
                uint32_t known = aggregator->sums.count;
                CHECK(known * KNI_SUMS_STEP <= aggregator->mods.count);
                aggregator->sums.count = 0;
                float anew = kni_value_expected(world, &place);
                aggregator->sums.count = known;
                uint32_t bits[2];
                memcpy(&bits[0], &anew, sizeof(anew));
                memcpy(&bits[1], &expected, sizeof(expected));
                CHECK(bits[0] == bits[1]);
            }
            CHECK(!isfinite(expected) || value.current == expected);
        }
    }
    return true;
}

// Timers --------------------------------------------------------------------

// The lists of entities, which go both ways: as many timers as there are of entities.
static bool timer_lists_check(const kn_world *world, uint32_t count)
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < world->timer_firsts_capacity; i++) {
        uint32_t back1 = 0;
        for (uint32_t at1 = world->timer_firsts[i]; at1 != 0; listed++) {
            CHECK(kni_pool_is_live(&world->timers, at1 - 1));
            const kni_rule_timer *timer = kni_pool_at(&world->timers, at1 - 1);
            CHECK(timer->entity.index1 == i + 1 && timer->back1 == back1);
            back1 = at1;
            at1 = timer->next1;
        }
    }
    CHECK(listed == count);
    return true;
}

static bool rule_timers_check(const validation *v)
{
    const kn_world *world = v->world;
    uint32_t of_entities = 0;
    KNI_POOL_EACH(i, &world->timers) {
        if (!validate_record(kni_rule_timer_problem(world, i, v->is_settled))) {
            return false;
        }
        const kni_rule_timer *timer = kni_pool_at(&world->timers, i);
        of_entities += timer->entity.index1 != 0;
    }
    return timer_lists_check(world, of_entities);
}

// Systems that are on wait for their next run, the first of them at the front. In a step some may
// be due now.
static bool systems_check(const validation *v)
{
    const kn_world *world = v->world;
    const kni_systems *systems = &world->systems;
    KNI_POOL_EACH(i, &world->switches) {
        const kni_switch *changed = kni_pool_at(&world->switches, i);
        if (!validate_record(kni_switch_problem(world, i))) {
            return false;
        }
        CHECK(systems->switch1s[changed->system] == i + 1);
    }
    uint32_t expected = 0;
    for (uint32_t i = 0; i < kni_ref_count(world->library, KN_DEF_SYSTEM); i++) {
        const kn_system_def *def = &kni_system_type_at(world->library, i)->def;
        bool is_on = kn_system_is_enabled(world, (kn_system_id){i + 1});
        kn_time next = kn_system_next(world, (kn_system_id){i + 1});
        kn_time after = kni_system_time(def, kni_system_index_after(def, world->now));
        CHECK(!v->is_settled || next == (is_on ? after : KN_TIME_INFINITE));
        CHECK(next >= world->now && next >= systems->next);
        expected += next != KN_TIME_INFINITE;
    }
    CHECK(systems->due_count == expected);
    CHECK(systems->next == (expected > 0 ? systems->due[0].time : KN_TIME_INFINITE));
    return true;
}

// The lists of entities and owners, which go both ways, in order of creation.
static bool watches_check(const kn_world *world)
{
    uint32_t listed = 0, owned = 0, have_owner = 0;
    for (uint32_t i = 0; i < world->watch_list_capacity; i++) {
        const kni_watch_list *list = &world->watch_lists[i];
        uint32_t back1 = 0;
        uint64_t number = 0;
        for (uint32_t at1 = list->first1; at1 != 0; listed++) {
            CHECK(kni_pool_is_live(&world->watches, at1 - 1));
            const kni_watch *watch = kni_pool_at(&world->watches, at1 - 1);
            CHECK(watch->entity.index1 == i && watch->back1 == back1 && watch->number > number);
            number = watch->number;
            back1 = at1;
            at1 = watch->next1;
        }
        CHECK(list->last1 == back1);
        back1 = 0;
        for (uint32_t at1 = list->own_first1; at1 != 0; owned++) {
            CHECK(kni_pool_is_live(&world->watches, at1 - 1));
            const kni_watch *watch = kni_pool_at(&world->watches, at1 - 1);
            CHECK(watch->owner.index1 == i && watch->own_back1 == back1);
            back1 = at1;
            at1 = watch->own_next1;
        }
        CHECK(list->own_last1 == back1);
    }
    KNI_POOL_EACH(i, &world->watches) {
        if (!validate_record(kni_watch_problem(world, i))) {
            return false;
        }
        const kni_watch *watch = kni_pool_at(&world->watches, i);
        have_owner += watch->owner.index1 != 0 || watch->component_type.index1 != 0;
        CHECK(kni_watch_component_is_there(world, watch));
    }
    CHECK(listed == world->watches.count && owned == have_owner);
    return true;
}

// The same for the lists of blocks.
static bool tag_blocks_check(const kn_world *world)
{
    uint32_t listed = 0, by = 0, have_source = 0;
    for (uint32_t i = 0; i < world->tag_block_list_capacity; i++) {
        const kni_tag_block_list *list = &world->tag_block_lists[i];
        uint32_t back1 = 0;
        uint64_t number = 0;
        for (uint32_t at1 = list->first1; at1 != 0; listed++) {
            CHECK(kni_pool_is_live(&world->tag_blocks, at1 - 1));
            const kni_tag_block *block = kni_tag_block_at(world, at1 - 1);
            CHECK(block->entity.index1 == i && block->back1 == back1 && block->number > number);
            number = block->number;
            back1 = at1;
            at1 = block->next1;
        }
        CHECK(list->last1 == back1);
        back1 = 0;
        for (uint32_t at1 = list->by_first1; at1 != 0; by++) {
            CHECK(kni_pool_is_live(&world->tag_blocks, at1 - 1));
            const kni_tag_block *block = kni_tag_block_at(world, at1 - 1);
            CHECK(block->source.index1 == i && block->by_back1 == back1);
            back1 = at1;
            at1 = block->by_next1;
        }
        CHECK(list->by_last1 == back1);
    }
    KNI_POOL_EACH(i, &world->tag_blocks) {
        if (!validate_record(kni_tag_block_problem(world, i))) {
            return false;
        }
        have_source += kni_tag_block_at(world, i)->source.index1 != 0;
    }
    CHECK(listed == world->tag_blocks.count && by == have_source);
    return true;
}

// Notes whose entry this is. Keeps them all: the walk is what is wanted.
static bool entry_note(void *user, kni_timer timer)
{
    validation *v = user;
    const kn_world *world = v->world;
    uint32_t slot = KNI_TIMER_SLOT(timer.owner);
    if (KNI_TIMER_KIND(timer.owner) >= KNI_TIMER_CHARGE) {
        bool is_charge = KNI_TIMER_KIND(timer.owner) == KNI_TIMER_CHARGE;
        if (kni_pool_is_live(is_charge ? &world->charges : &world->tasks, slot)) {
            bool agrees = kni_timer_alive((void *)(uintptr_t)world, timer);
            (is_charge ? v->charge_seen : v->task_seen)[slot] |= agrees ? SEEN_RULE : 0;
        }
        return true;
    }
    bool is_rule = KNI_TIMER_KIND(timer.owner) == KNI_TIMER_RULE;
    if (!kni_pool_is_live(is_rule ? &world->timers : &world->effects, slot)) {
        return true;
    }
    if (is_rule) {
        const kni_rule_timer *rule = kni_pool_at(&world->timers, slot);
        bool agrees = (uint32_t)rule->number == timer.number && rule->time == timer.time;
        v->timer_seen[slot] |= agrees ? SEEN_RULE : 0;
        return true;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    if ((uint32_t)effect->number != timer.number) {
        return true;
    }
    if (KNI_TIMER_KIND(timer.owner) == KNI_TIMER_TICK) {
        v->effect_seen[slot] |= effect->next_tick == timer.time ? SEEN_TICK : 0;
    } else {
        v->effect_seen[slot] |= kni_effect_end_time(effect) == timer.time ? SEEN_EXPIRY : 0;
    }
    return true;
}

static bool entries_check(const validation *v)
{
    const kn_world *world = v->world;
    KNI_POOL_EACH(i, &world->effects) {
        const kni_effect *effect = kni_effect_at(world, i);
        CHECK(effect->next_tick == KN_TIME_INFINITE || (v->effect_seen[i] & SEEN_TICK) != 0);
        CHECK(effect->duration == KN_TIME_INFINITE || (v->effect_seen[i] & SEEN_EXPIRY) != 0);
    }
    KNI_POOL_EACH(i, &world->timers) {
        CHECK((v->timer_seen[i] & SEEN_RULE) != 0);
    }
    KNI_POOL_EACH(i, &world->charges) {
        const kni_charge *charge = kni_charge_at(world, i);
        bool waits = charge->end != KN_TIME_INFINITE || charge->next_use != 0;
        CHECK(!waits || v->charge_seen[i] != 0);
    }
    KNI_POOL_EACH(i, &world->tasks) {
        const kni_task *task = kni_task_at(world, i);
        bool waits =
            (task->flags & KNI_TASK_STARTED) != 0 && kni_task_due(task) != KN_TIME_INFINITE;
        CHECK(!waits || v->task_seen[i] != 0);
    }
    return true;
}

// Actors ----------------------------------------------------------------------

static bool actor_lists_check(const kn_world *world, uint32_t slot, uint32_t counts[3])
{
    const kni_actor *actor = kni_actor_at(world, slot);
    CHECK(kni_pool_is_live(&world->components, actor->component));
    CHECK(kni_component_at(world, actor->component)->actor1 == slot + 1);
    uint64_t last = 0;
    for (uint32_t i = 0; i < actor->abilities.count; i++) {
        uint32_t ability = *KNI_SPAN_AT(world, actor->abilities, uint32_t, i);
        CHECK(kni_pool_is_live(&world->abilities, ability));
        CHECK(kni_ability_at(world, ability)->component == actor->component);
        CHECK(kni_ability_at(world, ability)->number > last);
        last = kni_ability_at(world, ability)->number;
    }
    last = 0;
    for (uint32_t i = 0; i < actor->activations.count; i++) {
        uint32_t activation = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        CHECK(kni_pool_is_live(&world->activations, activation));
        const kni_activation *a = kni_activation_at(world, activation);
        CHECK(kni_pool_is_live(&world->abilities, a->ability) && a->number > last);
        CHECK(kni_ability_at(world, a->ability)->component == actor->component);
        last = a->number;
    }
    uint32_t rates = 0;
    for (uint32_t i = 0; i < actor->charges.count; i++) {
        uint32_t charge = *KNI_SPAN_AT(world, actor->charges, uint32_t, i);
        CHECK(kni_pool_is_live(&world->charges, charge));
        CHECK(kni_charge_at(world, charge)->component == actor->component);
        rates += kni_charge_at(world, charge)->rate != 0;
    }
    CHECK(rates == actor->rate_count);
    uint32_t mask = 0;
    for (uint32_t i = 0; i < actor->watchers.count; i++) {
        const kni_watcher *watcher = KNI_SPAN_AT(world, actor->watchers, kni_watcher, i);
        CHECK(kni_pool_is_live(
            watcher->is_task != 0 ? &world->tasks : &world->abilities, watcher->slot));
        mask |= 1u << watcher->trigger;
    }
    CHECK(mask == actor->watch_mask);
    counts[0] += actor->abilities.count;
    counts[1] += actor->activations.count;
    counts[2] += actor->charges.count;
    return true;
}

// Each record by itself.
static bool actor_records_check(const kn_world *world)
{
    typedef kni_problem problem_fn(const kn_world *world, uint32_t slot);
    static problem_fn *const problems[KNI_POOL_COUNT] = {
        [KNI_POOL_ABILITIES] = kni_ability_problem,
        [KNI_POOL_ACTIVATIONS] = kni_activation_problem,
        [KNI_POOL_CHARGES] = kni_charge_problem,
        [KNI_POOL_PAYLOADS] = kni_payload_problem,
        [KNI_POOL_TASKS] = kni_task_problem,
        [KNI_POOL_CUES] = kni_cue_problem,
        [KNI_POOL_COMMANDS] = kni_command_problem,
    };
    for (uint32_t p = 0; p < KNI_POOL_COUNT; p++) {
        const kni_pool *pool = kni_world_pool(world, p);
        for (uint32_t i = kni_pool_next(pool, 0); problems[p] != NULL && i != KNI_NONE;
             i = kni_pool_next(pool, i + 1)) {
            if (!validate_record(problems[p](world, i))) {
                return false;
            }
        }
    }
    // Inside a step those that are being carried out have left the order.
    CHECK(world->is_stepping || kni_commands_problem(world) == NULL);
    return true;
}

// The status of an ability whose component changed without being listed would go unnoticed.
static bool abilities_check(const kn_world *world)
{
    uint32_t priced = 0;
    KNI_POOL_EACH(i, &world->abilities) {
        const kni_ability *ability = kni_ability_at(world, i);
        const kni_component *component = kni_component_at(world, ability->component);
        if ((kni_type_of_ability(world, i)->flags & KNI_ABILITY_PLAIN_COST) == 0) {
            CHECK(kni_slots_next(&world->heap, &world->priced, i) == i);
            priced++;
        } else if (world->touch_stamp != 0 && component->touched != world->touch_stamp) {
            CHECK(ability->status_version == component->version);
        }
    }
    CHECK(priced == world->priced.count);
    uint32_t touched = 0, listed = 0;
    KNI_POOL_EACH(i, &world->components) {
        touched +=
            world->touch_stamp != 0 && kni_component_at(world, i)->touched == world->touch_stamp;
    }
    for (uint32_t i = 0; i < world->touched_count; i++) {
        uint32_t slot = world->touched[i];
        listed += kni_pool_is_live(&world->components, slot) &&
                  kni_component_at(world, slot)->touched == world->touch_stamp;
    }
    CHECK(touched <= listed);
    return true;
}

static bool actors_check(const validation *v)
{
    const kn_world *world = v->world;
    uint32_t counts[3] = {0}, tasks = 0, unstarted = 0, targeting = 0, cues = 0;
    KNI_POOL_EACH(i, &world->actors) {
        if (!actor_lists_check(world, i, counts)) {
            return false;
        }
    }
    CHECK(counts[0] == world->abilities.count && counts[1] == world->activations.count);
    CHECK(counts[2] == world->charges.count);
    if (!abilities_check(world)) {
        return false;
    }
    KNI_POOL_EACH(i, &world->activations) {
        const kni_activation *activation = kni_activation_at(world, i);
        tasks += activation->tasks.count;
        for (uint32_t t = 0; t < activation->tasks.count; t++) {
            uint32_t task = *KNI_SPAN_AT(world, activation->tasks, uint32_t, t);
            CHECK(kni_pool_is_live(&world->tasks, task));
            CHECK(kni_task_at(world, task)->activation == i);
            unstarted +=
                (kni_task_at(world, task)->flags & (KNI_TASK_STARTED | KNI_TASK_REPORTED)) == 0;
            targeting += kni_task_at(world, task)->kind == KN_TASK_TARGET;
        }
        for (uint32_t c = 0; c < activation->cues.count; c++) {
            uint32_t cue = *KNI_SPAN_AT(world, activation->cues, uint32_t, c);
            CHECK(kni_pool_is_live(&world->cues, cue));
            CHECK(kn_activation_id_equal(
                kni_cue_at(world, cue)->activation, kni_activation_id_of(world, i)));
            CHECK(
                c == 0 ||
                kni_cue_at(world, *KNI_SPAN_AT(world, activation->cues, uint32_t, c - 1))->number <
                    kni_cue_at(world, cue)->number);
        }
        cues += activation->cues.count;
    }
    CHECK(tasks == world->tasks.count && unstarted == world->unstarted_tasks);
    CHECK(targeting == world->targeting_tasks.count);
    for (uint32_t i = 0; i < targeting; i++) {
        uint32_t task = *KNI_SPAN_AT(world, world->targeting_tasks, uint32_t, i);
        CHECK(kni_pool_is_live(&world->tasks, task));
        CHECK(kni_task_at(world, task)->kind == KN_TASK_TARGET);
        CHECK(i == 0 || *KNI_SPAN_AT(world, world->targeting_tasks, uint32_t, i - 1) < task);
    }
    for (uint32_t i = kni_pool_next(&world->cues, 0); i != KNI_NONE;
         i = kni_pool_next(&world->cues, i + 1)) {
        cues -= kni_activation_find(world, kni_cue_at(world, i)->activation) != KNI_NONE;
    }
    CHECK(cues == 0); // all that end with an activation are in its list
    CHECK(!v->is_settled || world->payloads.count <= world->activations.count);
    return actor_records_check(world);
}

// Everything that waits has its entry. A copy of the wheel is swept to see the entries.
static bool wheel_check(validation *v)
{
    CHECK(v->world->wheel.dead <= v->world->wheel.count);
    size_t size = kni_wheel_snapshot_size(&v->world->wheel);
    uint8_t *bytes = notes_block(v, size);
    kni_wheel *copy = notes_block(v, sizeof(*copy));
    if (bytes == NULL || copy == NULL) {
        return true;
    }
    kni_wheel_init(copy);
    kni_wheel_snapshot(&v->world->wheel, bytes);
    bool is_copied = kni_wheel_restore(copy, &v->memory, bytes) != NULL;
    if (is_copied) {
        kni_wheel_sweep(copy, entry_note, v);
    }
    kni_wheel_free(copy, &v->memory);
    return !is_copied || entries_check(v);
}

// Extension components ------------------------------------------------------

// The components of a type that an entity's slot has, or the world for KNI_NONE.
static bool extension_list_check(
    const kn_world *world, const kni_extension *extension, uint32_t entity_slot, uint32_t *linked)
{
    kn_entity_id entity = {0};
    if (entity_slot != KNI_NONE) {
        CHECK(kni_pool_is_live(&world->entities, entity_slot));
        entity = kni_entity_id_of(world, entity_slot);
    }
    uint32_t first1 = kni_extension_first1(extension, entity_slot), before1 = 0;
    for (uint32_t slot1 = first1; slot1 != 0;) {
        CHECK(kni_pool_is_live(&extension->pool, slot1 - 1));
        CHECK(++*linked <= extension->pool.count);
        const kni_extension_head *head = kni_extension_at(extension, slot1 - 1);
        CHECK(kn_entity_id_equal(head->entity, entity));
        CHECK(extension->is_several ? head->back1 == before1 || slot1 == first1
                                    : head->next1 == 0 && head->back1 == 0);
        if (!validate_record(kni_extension_problem(world, extension, head))) {
            return false;
        }
        before1 = slot1;
        slot1 = head->next1;
    }
    CHECK(!extension->is_several || first1 == 0 ||
          kni_extension_at(extension, first1 - 1)->back1 == before1);
    return true;
}

static bool extensions_check(const kn_world *world)
{
    for (uint32_t i = 0; i < kni_ref_count(world->library, KN_DEF_COMPONENT); i++) {
        const kni_extension *extension = &world->extensions[i];
        uint32_t linked = 0;
        if (!extension_list_check(world, extension, KNI_NONE, &linked)) {
            return false;
        }
        for (uint32_t e = 0; e < extension->by_entity_capacity; e++) {
            if (extension->by_entity[e] != 0 &&
                !extension_list_check(world, extension, e, &linked)) {
                return false;
            }
        }
        CHECK(linked == extension->pool.count);
        CHECK(kni_references_validate(world, i)); // if not: written through a pointer from before
        const kni_component_type *type =
            KNI_ITEM(world->library, KN_DEF_COMPONENT, const kni_component_type, i);
        KNI_POOL_EACH(slot, &extension->pool) {
            const kni_extension_head *head = kni_pool_at(&extension->pool, slot);
            CHECK(kni_words_are_good(&type->record, (const uint8_t *)(head + 1)));
            for (uint32_t item = 0; type->items.has_words && item < head->items.count; item++) {
                CHECK(kni_words_are_good(
                    &type->items, kni_span_at(&world->heap, &head->items, item, type->items.size)));
            }
        }
    }
    return true;
}

// All of it -----------------------------------------------------------------

static bool components_check(validation *v)
{
    const kn_world *world = v->world;
    KNI_POOL_EACH(i, &world->components) {
        if (!component_links_check(v, i) || !component_effects_check(v, i) ||
            !component_dependents_check(world, i) || !owned_check(v, i) || !children_check(v, i)) {
            return false;
        }
    }
    CHECK(v->owned_listed == v->owned_count && v->children_listed == v->children_count);
    CHECK(!v->is_settled || v->effect_count == world->effects.count);
    return true;
}

// What holds only between calls: inside one, tables are on their way from one state to another.
static bool settled_check(validation *v)
{
    const kn_world *world = v->world;
    CHECK(world->reaction_count == 0 && world->held == 0 && world->hook_depth == 0 &&
          world->removals == NULL && world->ending1 == 0 && world->node_count == 0);
    CHECK(world->cause == 0);
    KNI_POOL_EACH(i, &world->components) {
        if (!tags_check(v, i) || !blocked_check(v, i)) {
            return false;
        }
    }
    if (!aggregators_check(world)) {
        return false;
    }
    KNI_POOL_EACH(i, &world->effects) {
        const kni_effect *effect = kni_effect_at(world, i);
        if (!effect_modifiers_check(world, effect) || !effect_dependents_check(world, effect)) {
            return false;
        }
    }
    KNI_POOL_EACH(i, &world->components) {
        if (!child_tags_check(world, i) || !values_check(v, i)) {
            return false;
        }
    }
    return wheel_check(v);
}

static bool world_check(validation *v)
{
    const kn_world *world = v->world;
    return entities_check(world) && heap_check(v) && components_check(v) && rule_timers_check(v) &&
           systems_check(v) && watches_check(world) && tag_blocks_check(world) &&
           extensions_check(world) && (!v->is_settled || (actors_check(v) && settled_check(v)));
}

static bool world_validate(validation v)
{
    v.is_settled = v.world->depth == 0 && !v.world->is_stepping;
    // Without memory for notes only the containers can be checked.
    bool good = containers_check(v.world) && (!notes_begin(&v) || world_check(&v));
    notes_end(&v);
    return good;
}

bool kn_world_validate(const kn_world *world)
{
    if (world == NULL || world->is_broken) {
        return false; // a broken world waits for a snapshot: nothing is promised about it
    }
    return world_validate(
        (validation){.world = world, .memory = world->memory, .calls_host = true});
}

// After every call ------------------------------------------------------------

#ifdef KN_VALIDATE

// What a check may look at for each call, on average.
#define VALIDATE_PER_CALL 4096

// About how many things a check looks at. Only from the state, so that observers change nothing.
static uint64_t validate_cost(const kn_world *world)
{
    uint64_t cost = world->heap.used / 64 + world->wheel.chunk_used;
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        cost += kni_world_pool(world, i)->capacity / 4 + kni_world_pool(world, i)->count;
    }
    for (uint32_t i = 0; i < kni_ref_count(world->library, KN_DEF_COMPONENT); i++) {
        cost += world->extensions[i].pool.capacity / 4 + world->extensions[i].by_entity_capacity;
    }
    return cost + (uint64_t)world->components.count * world->tag_words * 16;
}

// The host cannot tell that it happened: memory for notes comes from elsewhere, no function of its
// own is called, and nothing is logged.
void kni_validate_call(kn_world *world)
{
    if (world->is_broken) {
        return;
    }
    if (world->unchecked_calls > 0) {
        world->unchecked_calls--;
        return;
    }
    world->unchecked_calls = (uint32_t)(validate_cost(world) / VALIDATE_PER_CALL);
    validation v = {.world = world};
    kni_memory_init(&v.memory, NULL);
    uint32_t *reports = world->reports, all_reported = UINT32_MAX;
    world->reports = &all_reported;
    (void)world_validate(v); // asserts with the name of what failed
    world->reports = reports;
}

#endif
