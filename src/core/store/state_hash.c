// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hash and difference of worlds: both walk what decides the future, in an order that depends on
// slots and creation numbers only. What is derived (modifier lists, timers, layouts) and what is
// for observers stays out.
//
// Most of the time goes into effects and attributes, so these enter as words, packed by hand; the
// unit test of the tables proves that no field is forgotten.

#include "world/state_tables.h"

#include "ability/task.h"
#include "base/text.h"

#include <math.h>

static inline uint64_t hash_two(uint32_t low, uint64_t high)
{
    return low | high << 32;
}

_Static_assert(offsetof(kn_entity_id, generation) == 4, "an id is read in one load");
_Static_assert(offsetof(kni_effect, level) == offsetof(kni_effect, stacks) + 4, "neighbours");
_Static_assert(offsetof(kni_value, current) == offsetof(kni_value, base) + 4, "neighbours");

// Effects -------------------------------------------------------------------

static inline void effect_hash(kni_hash *hash, uint32_t slot, const kni_effect *effect)
{
    // Neighbours, which compilers read in one load before the flags that are not saved leave.
    const uint64_t unsaved = (uint64_t)(UINT16_MAX & ~KNI_ACTIVE_STATE) << 16;
    uint64_t kind =
        effect->type | (uint64_t)effect->flags << 16 | (uint64_t)effect->component << 32;
    kind = (kind & ~unsaved) | (uint64_t)(effect->rare1 != 0) << 31;
    uint64_t source = kni_load_two(&effect->source);
    uint64_t count = kni_load_two(&effect->stacks);
    uint64_t a = hash->a, b = hash->b;
    hash->a = kni_hash_fold(a ^ effect->number, source ^ KNI_HASH_K0) +
              kni_hash_fold(a ^ (uint64_t)effect->next_tick, kind ^ KNI_HASH_K2);
    hash->b = kni_hash_fold(b ^ (uint64_t)effect->start, (uint64_t)effect->duration ^ KNI_HASH_K1) +
              kni_hash_fold(b ^ count, hash_two(effect->executions, slot) ^ KNI_HASH_K3);
}

static void ext_hash(
    const kn_world *world, uint32_t rare1, const kni_effect_type *type, kni_hash *hash)
{
    const kni_rare *rare = kni_rare_at(world, rare1);
    kni_block_sizes blocks = kni_rare_blocks(world, type, rare->payload_type);
    kni_state_hash(world, &kni_rare_table, rare, &blocks, hash);
}

// Two streams, so that one effect need not wait for the other. Copies, so that they stay in
// registers.
static void effects_hash(const kn_world *world, kni_hash *hash)
{
    const kni_pool *pool = &world->effects;
    kni_hash even = *hash, odd = kni_hash_begin(pool->count);
    for (uint32_t word = 0; word * 64 < pool->used; word++) {
        uint64_t bits = pool->live[word];
        if (bits == UINT64_MAX) { // all of them, without looking for the next one
            const kni_effect *effect = kni_effect_at(world, word * 64);
            for (uint32_t slot = word * 64; slot < word * 64 + 64; slot += 2, effect += 2) {
                effect_hash(&even, slot, effect);
                effect_hash(&odd, slot + 1, effect + 1);
            }
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            uint32_t slot = word * 64 + kni_bit_lowest(bits);
            effect_hash(&even, slot, kni_effect_at(world, slot));
            bits &= bits - 1;
            if (bits == 0) {
                break;
            }
            slot = word * 64 + kni_bit_lowest(bits);
            effect_hash(&odd, slot, kni_effect_at(world, slot));
        }
    }
    *hash = even;
    kni_hash_pair(hash, odd.a, odd.b);
    if (world->rares.count == world->specs.count) {
        return; // every spec has one
    }
    KNI_POOL_EACH(i, pool) {
        const kni_effect *effect = kni_effect_at(world, i);
        if (effect->rare1 != 0) {
            ext_hash(world, effect->rare1, kni_type_at(world, effect->type), hash);
        }
    }
}

// Components ----------------------------------------------------------------

// The counts follow from the totals.
static void rows_hash(const kn_world *world, const kni_span *rows, kni_hash *hash)
{
    kni_hash_u64(hash, rows->count);
    for (uint32_t i = 0; i < rows->count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, *rows, kni_tag_row, i);
        kni_hash_u64(hash, row->tag | (uint64_t)row->count << 16 | (uint64_t)row->total << 32);
    }
}

static void values_hash(const kn_world *world, const kni_component *component, kni_hash *out)
{
    kni_hash copy = *out; // stays in registers
    kni_hash *hash = &copy;
    const kni_layout *layout = &world->layouts[component->layout];
    kni_hash_u64(hash, layout->set_count);
    for (uint32_t i = 0; i < layout->set_count; i++) {
        kni_hash_u64(hash, hash_two(layout->sets[i].set, layout->sets[i].key));
    }
    const kni_value *values = kni_values_of(world, component);
    uint32_t i = 0;
    for (; i + 1 < layout->value_count; i += 2) {
        kni_hash_pair(hash, kni_load_two(&values[i].base), kni_load_two(&values[i + 1].base));
    }
    if (i < layout->value_count) {
        kni_hash_u64(hash, kni_load_two(&values[i].base));
    }
    *out = copy;
}

static void component_hash(const kn_world *world, uint32_t slot, kni_hash *hash)
{
    const kni_component *component = kni_component_at(world, slot);
    kni_hash_pair(hash, kn_entity_id_pack(component->avatar), kn_entity_id_pack(component->parent));
    kni_hash_pair(hash, kn_entity_id_pack(component->owner),
        hash_two(component->entity, component->connection));
    values_hash(world, component, hash);
    rows_hash(world, &component->tags, hash);
    kni_hash_u64(hash, component->origins.count);
    for (uint32_t i = 0; i < component->origins.count; i++) {
        const kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        kni_hash_u64(hash, row->tag | (uint64_t)row->origin << 16 | (uint64_t)row->sync << 24 |
                               (uint64_t)row->count << 32);
    }
    rows_hash(world, &component->blocked, hash);
}

static void components_hash(const kn_world *world, kni_hash *hash)
{
    const kni_pool *pool = &world->components;
    kni_hash_u64(hash, pool->count);
    for (uint32_t word = 0; word * 64 < pool->used; word++) {
        for (uint64_t bits = pool->live[word]; bits != 0; bits &= bits - 1) {
            uint32_t slot = word * 64 + kni_bit_lowest(bits);
            kni_hash_u64(hash, slot);
            component_hash(world, slot, hash);
        }
    }
}

// Everything else -----------------------------------------------------------

static void entities_hash(const kn_world *world, kni_hash *hash)
{
    const kni_pool *pool = &world->entities;
    kni_hash_u64(hash, pool->count);
    for (uint32_t word = 0; word * 64 < pool->used; word++) {
        for (uint64_t bits = pool->live[word]; bits != 0; bits &= bits - 1) {
            uint32_t slot = word * 64 + kni_bit_lowest(bits);
            const kni_entity *entity = kni_entity_at(world, slot);
            kni_hash_pair(hash, hash_two(slot, entity->generation), entity->user);
        }
    }
}

static void specs_hash(const kn_world *world, kni_hash *hash)
{
    kni_hash_u64(hash, world->specs.count);
    KNI_POOL_EACH(i, &world->specs) {
        const kni_spec *spec = kni_pool_at(&world->specs, i);
        kni_hash_u64(hash, i);
        kni_state_hash(world, &kni_spec_table, spec, NULL, hash);
        ext_hash(world, spec->rare1, kni_type_at(world, spec->type), hash);
    }
}

static void timers_hash(const kn_world *world, kni_hash *hash)
{
    kni_hash_u64(hash, world->timers.count);
    KNI_POOL_EACH(i, &world->timers) {
        kni_hash_u64(hash, i);
        kni_state_hash(world, &kni_rule_timer_table, kni_pool_at(&world->timers, i), NULL, hash);
    }
}

// Pools that their tables say everything about.
static void plain_pools_hash(const kn_world *world, uint32_t first, uint32_t end, kni_hash *hash)
{
    for (uint32_t p = first; p < end; p++) {
        const kni_pool *pool = kni_world_pool(world, p);
        kni_hash_u64(hash, pool->count);
        KNI_POOL_EACH(i, pool) {
            kni_hash_u64(hash, i);
            kni_state_hash(world, kni_pools[p].table, kni_pool_at(pool, i), NULL, hash);
        }
    }
}

// One extension component: its struct and its items.
static void extension_hash(const kn_world *world, uint32_t type, uint32_t slot1, kni_hash *hash)
{
    const kni_component_type *info = kni_component_type_at(world->library, type);
    const kni_extension *extension = &world->extensions[type];
    const kni_extension_head *head = kni_extension_at(extension, slot1 - 1);
    kni_hash_u64(hash, 1 + (uint64_t)head->items.count);
    if (extension->is_several) {
        kni_hash_u64(hash, slot1);
    }
    kni_state_hash(world,
        extension->is_several ? &kni_extension_instance_table : &kni_extension_head_table, head,
        NULL, hash);
    kni_state_hash(world, &info->record.table, head + 1, NULL, hash);
    for (uint32_t i = 0; i < head->items.count; i++) {
        const void *item = kni_span_at(&world->heap, &head->items, i, info->items.table.size);
        kni_state_hash(world, &info->items.table, item, NULL, hash);
    }
}

// All components of a type that an entity has, in the order of its list. Returns how many.
static uint32_t extension_list_hash(
    const kn_world *world, uint32_t type, uint32_t slot1, kni_hash *hash)
{
    uint32_t count = 0;
    for (uint32_t at = slot1; at != 0;
         at = kni_extension_at(&world->extensions[type], at - 1)->next1) {
        extension_hash(world, type, at, hash);
        count++;
    }
    if (count == 0 || world->extensions[type].is_several) {
        kni_hash_u64(hash, 0);
    }
    return count;
}

// By entity: which record an entity has does not show in anything, unless it is in an id.
static void extensions_hash(const kn_world *world, kni_hash *hash)
{
    uint32_t count = world->library->registries[KN_DEF_COMPONENT].count;
    for (uint32_t type = 0; type < count; type++) {
        const kni_extension *extension = &world->extensions[type];
        kni_hash_u64(hash, extension->pool.count);
        uint32_t left = extension->pool.count;
        left -= extension_list_hash(world, type, extension->world_slot1, hash);
        for (uint32_t i = 0; left > 0 && i < extension->by_entity_capacity; i++) {
            if (extension->by_entity[i] != 0) {
                left -= extension_list_hash(world, type, extension->by_entity[i], hash);
            }
        }
    }
}

uint64_t kn_world_hash(const kn_world *world)
{
    kni_hash hash = kni_hash_begin(world->next_number);
    kni_hash_pair(&hash, (uint64_t)world->now, world->seed);
    for (uint32_t i = 0; i < kni_stream_count(world); i++) {
        kni_hash_pair(&hash, world->streams[i].state, world->streams[i].increment);
    }
    uint32_t used = kni_types_used(world);
    if (used > kni_library_type_count(world)) {
        kni_hash_u64(&hash, kni_dynamic_types_hash(world, used));
    }
    entities_hash(world, &hash);
    components_hash(world, &hash);
    effects_hash(world, &hash);
    specs_hash(world, &hash);
    timers_hash(world, &hash);
    if (world->actors.count > 0) {
        kni_hash_u64(&hash, (uint64_t)world->targeting_now);
        plain_pools_hash(world, KNI_POOL_FIRST_PLAIN, KNI_POOL_FIRST_LATER, &hash);
    }
    extensions_hash(world, &hash);
    for (uint32_t p = KNI_POOL_FIRST_LATER; p < KNI_POOL_COUNT; p++) {
        if (kni_world_pool(world, p)->count > 0) {
            kni_hash_u64(&hash, kni_pools[p].mark);
            plain_pools_hash(world, p, p + 1, &hash);
        }
    }
    return kni_hash_end(&hash);
}

uint64_t kn_entity_hash(const kn_world *world, kn_entity_id entity)
{
    uint32_t entity_slot = kni_entity_find(world, entity);
    if (entity_slot == KNI_NONE) {
        return 0;
    }
    kni_hash hash = kni_hash_begin(kn_entity_id_pack(entity));
    kni_hash_u64(&hash, kni_entity_at(world, entity_slot)->user);
    uint32_t slot = kni_entity_at(world, entity_slot)->component1 - 1;
    if (slot != KNI_NONE) {
        component_hash(world, slot, &hash);
        const kni_component *component = kni_component_at(world, slot);
        for (uint32_t i = 0; i < component->effects.count; i++) {
            uint32_t index = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
            const kni_effect *effect = kni_effect_at(world, index);
            effect_hash(&hash, index, effect);
            if (effect->rare1 != 0) {
                ext_hash(world, effect->rare1, kni_type_at(world, effect->type), &hash);
            }
        }
    }
    uint32_t count = world->library->registries[KN_DEF_COMPONENT].count;
    for (uint32_t type = 0; type < count; type++) {
        uint32_t slot1 = kni_extension_first1(&world->extensions[type], entity_slot);
        (void)extension_list_hash(world, type, slot1, &hash);
    }
    return kni_hash_end(&hash);
}

// Difference ----------------------------------------------------------------

// Every function below returns true once it has written a sentence.
typedef struct difference {
    const kn_world *a;
    const kn_world *b;
    kni_text text;
    uint32_t entity1; // the entity concerned, 0 for the world
    const char *kind; // "effect", "tag", ...; NULL for the entity itself
    const char *name;
} difference;

static void difference_begin(difference *d)
{
    if (d->entity1 != 0) {
        kni_text_str(&d->text, "entity ");
        kni_text_u64(&d->text, d->entity1);
        kni_text_str(&d->text, ", ");
    }
    if (d->kind != NULL) {
        kni_text_str(&d->text, d->kind);
        kni_text_char(&d->text, ' ');
    }
    if (d->name != NULL) {
        kni_text_str(&d->text, d->name);
        kni_text_str(&d->text, ", ");
    }
}

// Field names as words.
static void difference_label(difference *d, const char *label)
{
    for (; *label != 0; label++) {
        kni_text_char(&d->text, *label == '_' ? ' ' : *label);
    }
    kni_text_char(&d->text, ' ');
}

static bool difference_u64(difference *d, const char *label, uint64_t a, uint64_t b)
{
    if (a == b) {
        return false;
    }
    difference_begin(d);
    difference_label(d, label);
    kni_text_u64(&d->text, a);
    kni_text_str(&d->text, " against ");
    kni_text_u64(&d->text, b);
    return true;
}

static bool difference_time(difference *d, const char *label, kn_time a, kn_time b)
{
    if (a == b) {
        return false;
    }
    difference_begin(d);
    difference_label(d, label);
    kni_text_seconds(&d->text, a);
    kni_text_str(&d->text, " against ");
    kni_text_seconds(&d->text, b);
    return true;
}

// Something that only one of the worlds has.
static bool difference_presence(difference *d, bool in_a, bool in_b)
{
    if (in_a == in_b) {
        return false;
    }
    difference_begin(d);
    if (kni_text_fits(&d->text) && d->text.length >= 2) {
        d->text.length -= 2; // the ", " of the beginning
        d->text.data[d->text.length] = 0;
    }
    kni_text_str(&d->text, in_a ? " is only in the first world" : " is only in the second world");
    return true;
}

static void print_id(kni_text *text, const uint8_t *at)
{
    uint64_t index1 = kni_field_load(at, 4);
    if (index1 == 0) {
        kni_text_str(text, "none");
        return;
    }
    kni_text_u64(text, index1);
    kni_text_char(text, ':');
    kni_text_u64(text, kni_field_load(at + 4, 4));
}

static void print_field(
    const kn_world *world, kni_text *text, const kn_def_field *field, const uint8_t *at)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    uint64_t number = kni_field_load(at, kni_kind_word_size(kind));
    switch (kind->number) {
    case KNI_NUMBER_ABSENT_FLOAT:
    case KNI_NUMBER_FLOAT:
        if (kind->number == KNI_NUMBER_ABSENT_FLOAT && isnan(kni_element_float(at, 0))) {
            kni_text_str(text, "absent");
            break;
        }
        for (uint32_t i = 0; i < kind->words; i++) {
            kni_text_str(text, i > 0 ? " " : kind->words > 1 ? "(" : "");
            kni_text_float(text, kni_element_float(at, i));
        }
        kni_text_str(text, kind->words > 1 ? ")" : "");
        break;
    case KNI_NUMBER_TIME:
        kni_text_seconds(text, (kn_time)number);
        break;
    case KNI_NUMBER_SIGNED:
        kni_text_i64(text, kni_element_signed(field, at));
        break;
    case KNI_NUMBER_BOOL:
        kni_text_str(text, number != 0 ? "true" : "false");
        break;
    case KNI_NUMBER_ID:
        print_id(text, at);
        break;
    case KNI_NUMBER_REF:
    case KNI_NUMBER_INDEX:
        kni_text_str(text, kni_referred_name(world, field, at));
        break;
    default:
        if (field->kind == KN_FIELD_ENUM && kni_element_name(field, at) != NULL) {
            kni_text_str(text, kni_element_name(field, at));
            break;
        }
        kni_text_u64(text, number);
        break;
    }
}

static bool difference_records(difference *d, const kn_def_table *table, const void *a,
    const void *b, const kni_block_sizes *blocks);

// States with fields, field by field.
static bool difference_state(difference *d, const kn_def_field *field, const kn_def_table *state,
    const uint8_t *a, const uint8_t *b)
{
    kni_hash hash_a = kni_hash_begin(0), hash_b = kni_hash_begin(0);
    kni_state_hash(d->a, state, a, NULL, &hash_a);
    kni_state_hash(d->b, state, b, NULL, &hash_b);
    if (kni_hash_end(&hash_a) == kni_hash_end(&hash_b)) {
        return false;
    }
    difference_begin(d);
    difference_label(d, field->name);
    difference inner = {.a = d->a, .b = d->b, .text = d->text};
    bool found = difference_records(&inner, state, a, b, NULL);
    d->text = inner.text;
    return found;
}

// Elements of a span; those that begin with a name are called by it.
static bool difference_spans(difference *d, const kn_def_field *field, const uint8_t *a,
    const uint8_t *b, const kni_block_sizes *blocks)
{
    kni_span span_a, span_b;
    memcpy(&span_a, a, sizeof(span_a));
    memcpy(&span_b, b, sizeof(span_b));
    if (span_a.count != span_b.count) {
        difference_begin(d);
        difference_label(d, field->name);
        kni_text_str(&d->text, "has ");
        kni_text_u64(&d->text, span_a.count);
        kni_text_str(&d->text, " entries against ");
        kni_text_u64(&d->text, span_b.count);
        return true;
    }
    uint32_t begin = 0;
    if (kni_bytes_have_state(field->limit) && span_a.count > 0) {
        const kni_fields *state = kni_bytes_state(d->a, (kni_bytes)field->limit, a - field->offset);
        begin = state->number1 != 0 ? state->size : 0;
        if (begin > 0 &&
            difference_state(d, field, &state->table, kni_heap_at(&d->a->heap, span_a.ref),
                kni_heap_at(&d->b->heap, span_b.ref))) {
            return true;
        }
    }
    for (uint32_t i = begin; i < span_a.count; i++) {
        const void *item_a = kni_span_at(&d->a->heap, &span_a, i, field->table->size);
        const void *item_b = kni_span_at(&d->b->heap, &span_b, i, field->table->size);
        kni_hash hash_a = kni_hash_begin(0), hash_b = kni_hash_begin(0);
        kni_state_hash(d->a, field->table, item_a, blocks, &hash_a);
        kni_state_hash(d->b, field->table, item_b, blocks, &hash_b);
        if (kni_hash_end(&hash_a) == kni_hash_end(&hash_b)) {
            continue;
        }
        difference_begin(d);
        difference_label(d, field->name);
        difference inner = {.a = d->a, .b = d->b, .text = d->text};
        const kn_def_field *first = &field->table->fields[0];
        uint64_t key = kni_field_load(item_a, kni_field_size(first));
        bool has_key = first->kind == KN_DEF_FIELD_REF && field->table->field_count > 1 &&
                       key == kni_field_load(item_b, kni_field_size(first));
        if (has_key) {
            kni_text_str(&inner.text, kni_referred_name(d->a, first, item_a));
        } else {
            kni_text_u64(&inner.text, i);
        }
        kni_text_str(&inner.text, ", ");
        bool found = difference_records(&inner, field->table, item_a, item_b, blocks);
        d->text = inner.text;
        return found;
    }
    return false;
}

static bool difference_block(difference *d, const kn_def_field *field, const uint8_t *a,
    const uint8_t *b, const kni_block_sizes *blocks)
{
    kni_ref ref_a = (kni_ref)kni_field_load(a, 4), ref_b = (kni_ref)kni_field_load(b, 4);
    uint32_t size = kni_block_size(blocks, field->limit);
    if ((ref_a == 0) != (ref_b == 0)) {
        return difference_u64(d, field->name, ref_a != 0, ref_b != 0);
    }
    if (ref_a == 0) {
        return false;
    }
    const uint8_t *bytes_a = kni_heap_at(&d->a->heap, ref_a);
    const uint8_t *bytes_b = kni_heap_at(&d->b->heap, ref_b);
    if (field->limit == KNI_BLOCK_STATE && blocks != NULL && blocks->state->number1 != 0) {
        return difference_state(d, field, &blocks->state->table, bytes_a, bytes_b);
    }
    for (uint32_t i = 0; i < size; i++) {
        if (bytes_a[i] != bytes_b[i]) {
            difference_begin(d);
            difference_label(d, field->name);
            kni_text_str(&d->text, "byte ");
            kni_text_u64(&d->text, i);
            kni_text_str(&d->text, ", ");
            kni_text_u64(&d->text, bytes_a[i]);
            kni_text_str(&d->text, " against ");
            kni_text_u64(&d->text, bytes_b[i]);
            return true;
        }
    }
    return false;
}

static bool difference_field(
    difference *d, const kn_def_field *field, const uint8_t *a, const uint8_t *b, uint32_t index)
{
    kn_def_field one = *field;
    one.count = 1;
    one.offset = 0;
    kn_def_table table = {"", 0, &one, 1, NULL};
    kni_hash hash_a = kni_hash_begin(0), hash_b = kni_hash_begin(0);
    kni_state_hash(d->a, &table, a, NULL, &hash_a);
    kni_state_hash(d->b, &table, b, NULL, &hash_b);
    if (kni_hash_end(&hash_a) == kni_hash_end(&hash_b)) {
        return false;
    }
    difference_begin(d);
    difference_label(d, field->name);
    if (field->count > 1) {
        kni_text_char(&d->text, '[');
        kni_text_u64(&d->text, index);
        kni_text_str(&d->text, "] ");
    }
    print_field(d->a, &d->text, field, a);
    kni_text_str(&d->text, " against ");
    print_field(d->b, &d->text, field, b);
    return true;
}

static bool difference_records(difference *d, const kn_def_table *table, const void *a,
    const void *b, const kni_block_sizes *blocks)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        const uint8_t *at_a = (const uint8_t *)a + field->offset;
        const uint8_t *at_b = (const uint8_t *)b + field->offset;
        if (field->kind == KN_STATE_FIELD_LIST) {
            if (difference_spans(d, field, at_a, at_b, blocks)) {
                return true;
            }
            continue;
        }
        if (field->kind == KN_STATE_FIELD_BLOCK) {
            if (difference_block(d, field, at_a, at_b, blocks)) {
                return true;
            }
            continue;
        }
        size_t size = kni_field_size(field);
        for (uint32_t j = 0; j < field->count; j++) {
            if (difference_field(d, field, at_a + size * j, at_b + size * j, j)) {
                return true;
            }
        }
    }
    return false;
}

static bool difference_exts(difference *d, uint32_t a1, uint32_t b1, const kni_effect_type *type)
{
    if (difference_u64(d, "extension record", a1 != 0, b1 != 0)) {
        return true;
    }
    if (a1 == 0) {
        return false;
    }
    const kni_rare *a = kni_rare_at(d->a, a1);
    const kni_rare *b = kni_rare_at(d->b, b1);
    kni_block_sizes blocks = kni_rare_blocks(d->a, type, a->payload_type);
    return difference_records(d, &kni_rare_table, a, b, &blocks);
}

static kn_time effect_left(const kn_world *world, const kni_effect *effect)
{
    return effect->duration == KN_TIME_INFINITE ? KN_TIME_INFINITE
                                                : kni_effect_end_time(effect) - world->now;
}

static bool difference_effects(difference *d, const kni_component *a, const kni_component *b)
{
    d->kind = "effect";
    uint32_t i = 0, j = 0;
    while (i < a->effects.count || j < b->effects.count) {
        bool more_a = i < a->effects.count, more_b = j < b->effects.count;
        uint32_t slot_a = more_a ? *KNI_SPAN_AT(d->a, a->effects, uint32_t, i) : 0;
        uint32_t slot_b = more_b ? *KNI_SPAN_AT(d->b, b->effects, uint32_t, j) : 0;
        const kni_effect *ea = more_a ? kni_effect_at(d->a, slot_a) : NULL;
        const kni_effect *eb = more_b ? kni_effect_at(d->b, slot_b) : NULL;
        bool in_a = more_a && (!more_b || ea->number <= eb->number);
        bool in_b = more_b && (!more_a || eb->number <= ea->number);
        const kni_effect_type *type =
            in_a ? kni_type_at(d->a, ea->type) : kni_type_at(d->b, eb->type);
        d->name = type->name;
        if (!in_a || !in_b) {
            return difference_presence(d, in_a, in_b);
        }
        if (difference_time(d, "remaining", effect_left(d->a, ea), effect_left(d->b, eb)) ||
            difference_records(d, &kni_effect_table, ea, eb, NULL) ||
            difference_u64(d, "slot", slot_a, slot_b) ||
            difference_exts(d, ea->rare1, eb->rare1, type)) {
            return true;
        }
        i++;
        j++;
    }
    d->kind = NULL;
    d->name = NULL;
    return false;
}

static bool difference_values(difference *d, const kni_component *a, const kni_component *b)
{
    const kni_layout *layout_a = &d->a->layouts[a->layout];
    const kni_layout *layout_b = &d->b->layouts[b->layout];
    for (uint32_t i = 0; i < layout_a->set_count || i < layout_b->set_count; i++) {
        bool in_a = i < layout_a->set_count, in_b = i < layout_b->set_count;
        uint32_t set = (in_a ? layout_a : layout_b)->sets[i].set;
        d->kind = "set";
        d->name = kni_ref_name(d->a->library, KN_DEF_ATTRIBUTE_SET, set + 1);
        if (!in_a || !in_b) {
            return difference_presence(d, in_a, in_b);
        }
        const kni_set_instance *sa = &layout_a->sets[i], *sb = &layout_b->sets[i];
        if (sa->set != sb->set) {
            d->name = NULL;
            d->kind = NULL;
            return difference_u64(d, "attribute set", sa->set + 1, sb->set + 1);
        }
        if (difference_u64(d, "key", sa->key, sb->key)) {
            return true;
        }
    }
    d->kind = NULL;
    for (uint32_t i = 0; i < layout_a->value_count; i++) {
        uint32_t key;
        uint32_t attribute = kni_attribute_at_position(d->a, a, i, &key);
        d->name = kni_attribute_at(d->a->library, attribute)->name;
        if (difference_records(d, &kni_value_table, &kni_values_of(d->a, a)[i],
                &kni_values_of(d->b, b)[i], NULL)) {
            return true;
        }
    }
    d->name = NULL;
    return false;
}

static uint32_t row_count(const kn_world *world, const kni_span *rows, uint32_t tag, bool total)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, *rows, kni_tag_row, i);
        if (row->tag == tag) {
            return total ? row->total : row->count;
        }
    }
    return 0;
}

// Rows of both, by tag; a row that is not there counts as 0.
static bool difference_rows(
    difference *d, const char *kind, const kni_span *a, const kni_span *b, bool total)
{
    uint32_t tags = kn_tag_count(d->a->library);
    if (a->count == 0 && b->count == 0) {
        return false;
    }
    d->kind = kind;
    for (uint32_t tag = 1; tag <= tags; tag++) {
        kn_tag id = {tag};
        d->name = kn_tag_name(d->a->library, id);
        if (difference_u64(d, total ? "count with children" : "count",
                row_count(d->a, a, tag, total), row_count(d->b, b, tag, total))) {
            return true;
        }
    }
    d->kind = NULL;
    d->name = NULL;
    return false;
}

static bool difference_origins(difference *d, const kni_component *a, const kni_component *b)
{
    d->kind = "tag";
    for (uint32_t i = 0; i < a->origins.count || i < b->origins.count; i++) {
        bool in_a = i < a->origins.count, in_b = i < b->origins.count;
        const kni_origin_row *row = in_a ? KNI_SPAN_AT(d->a, a->origins, kni_origin_row, i)
                                         : KNI_SPAN_AT(d->b, b->origins, kni_origin_row, i);
        kn_tag tag = {row->tag};
        d->name = kn_tag_name(d->a->library, tag);
        if (!in_a || !in_b) {
            return difference_u64(d, "origins", a->origins.count, b->origins.count);
        }
        const kni_origin_row *ra = row, *rb = KNI_SPAN_AT(d->b, b->origins, kni_origin_row, i);
        if (difference_records(d, &kni_origin_row_table, ra, rb, NULL)) {
            return true;
        }
    }
    d->kind = NULL;
    d->name = NULL;
    return false;
}

static bool difference_components(difference *d, uint32_t slot_a, uint32_t slot_b)
{
    d->name = "component";
    if (difference_presence(d, slot_a != KNI_NONE, slot_b != KNI_NONE)) {
        return true;
    }
    if (slot_a == KNI_NONE) {
        d->name = NULL;
        return false;
    }
    const kni_component *a = kni_component_at(d->a, slot_a);
    const kni_component *b = kni_component_at(d->b, slot_b);
    if (difference_u64(d, "slot", slot_a, slot_b)) {
        return true;
    }
    d->name = NULL;
    return difference_values(d, a, b) || difference_rows(d, "tag", &a->tags, &b->tags, false) ||
           difference_rows(d, "tag", &a->tags, &b->tags, true) || difference_origins(d, a, b) ||
           difference_rows(d, "blocked tag", &a->blocked, &b->blocked, true) ||
           difference_effects(d, a, b) || difference_records(d, &kni_component_table, a, b, NULL);
}

static bool difference_extension(difference *d, uint32_t type, uint32_t slot1_a, uint32_t slot1_b)
{
    const kni_component_type *info = kni_component_type_at(d->a->library, type);
    const kni_extension_head *a = kni_extension_at(&d->a->extensions[type], slot1_a - 1);
    const kni_extension_head *b = kni_extension_at(&d->b->extensions[type], slot1_b - 1);
    kn_def_field items = {
        .name = "items", .kind = KN_STATE_FIELD_LIST, .count = 1, .table = &info->items.table};
    bool has_id = info->def.several;
    return (has_id && difference_u64(d, "slot", slot1_a, slot1_b)) ||
           difference_records(
               d, has_id ? &kni_extension_instance_table : &kni_extension_head_table, a, b, NULL) ||
           difference_records(d, &info->record.table, a + 1, b + 1, NULL) ||
           difference_spans(
               d, &items, (const uint8_t *)&a->items, (const uint8_t *)&b->items, NULL);
}

// The components of a type that an entity's slot has, or the world for KNI_NONE.
static bool difference_extensions(difference *d, uint32_t type, uint32_t entity_slot)
{
    const kni_component_type *info = kni_component_type_at(d->a->library, type);
    const kni_extension *in_a = &d->a->extensions[type], *in_b = &d->b->extensions[type];
    uint32_t slot1_a = kni_extension_first1(in_a, entity_slot);
    uint32_t slot1_b = kni_extension_first1(in_b, entity_slot);
    char name[160];
    d->kind = "component";
    d->name = info->name;
    for (uint32_t i = 0; slot1_a != 0 || slot1_b != 0; i++) {
        if (info->def.several) {
            kni_text text;
            kni_text_init(&text, name, sizeof(name));
            kni_text_str(&text, info->name);
            kni_text_str(&text, " [");
            kni_text_u64(&text, i);
            kni_text_char(&text, ']');
            d->name = name;
        }
        if (difference_presence(d, slot1_a != 0, slot1_b != 0) ||
            difference_extension(d, type, slot1_a, slot1_b)) {
            return true;
        }
        slot1_a = kni_extension_at(in_a, slot1_a - 1)->next1;
        slot1_b = kni_extension_at(in_b, slot1_b - 1)->next1;
    }
    d->kind = NULL;
    d->name = NULL;
    return false;
}

static bool difference_entities(difference *d)
{
    uint32_t types = d->a->library->registries[KN_DEF_COMPONENT].count;
    for (uint32_t i = 0; i < d->a->entities.used || i < d->b->entities.used; i++) {
        bool in_a = kni_pool_is_live(&d->a->entities, i);
        bool in_b = kni_pool_is_live(&d->b->entities, i);
        if (!in_a && !in_b) {
            continue;
        }
        d->entity1 = i + 1;
        if (difference_presence(d, in_a, in_b)) {
            return true;
        }
        const kni_entity *a = kni_entity_at(d->a, i);
        const kni_entity *b = kni_entity_at(d->b, i);
        uint32_t slot_a = a->component1 - 1, slot_b = b->component1 - 1;
        bool is_avatar =
            slot_a != KNI_NONE && kni_component_at(d->a, slot_a)->entity != i && slot_b == slot_a;
        if (difference_records(d, &kni_entity_table, a, b, NULL) ||
            (!is_avatar && difference_components(d, slot_a, slot_b))) {
            return true;
        }
        for (uint32_t type = 0; type < types; type++) {
            if (difference_extensions(d, type, i)) {
                return true;
            }
        }
    }
    d->entity1 = 0;
    for (uint32_t type = 0; type < types; type++) {
        if (difference_extensions(d, type, KNI_NONE)) {
            return true;
        }
    }
    return false;
}

static bool difference_specs(difference *d)
{
    d->kind = "spec";
    for (uint32_t i = 0; i < d->a->specs.used || i < d->b->specs.used; i++) {
        bool in_a = kni_pool_is_live(&d->a->specs, i), in_b = kni_pool_is_live(&d->b->specs, i);
        if (!in_a && !in_b) {
            continue;
        }
        const kni_spec *a = in_a ? kni_pool_at(&d->a->specs, i) : NULL;
        const kni_spec *b = in_b ? kni_pool_at(&d->b->specs, i) : NULL;
        const kni_effect_type *type =
            in_a ? kni_type_at(d->a, a->type) : kni_type_at(d->b, b->type);
        d->name = type->name;
        if (difference_presence(d, in_a, in_b) ||
            difference_records(d, &kni_spec_table, a, b, NULL) ||
            difference_exts(d, a->rare1, b->rare1, type)) {
            return true;
        }
    }
    d->kind = NULL;
    d->name = NULL;
    return false;
}

static bool difference_timers(difference *d)
{
    d->kind = "timer";
    for (uint32_t i = 0; i < d->a->timers.used || i < d->b->timers.used; i++) {
        bool in_a = kni_pool_is_live(&d->a->timers, i), in_b = kni_pool_is_live(&d->b->timers, i);
        if (!in_a && !in_b) {
            continue;
        }
        const kn_world *world = in_a ? d->a : d->b;
        const kni_rule_timer *timer = kni_pool_at(&world->timers, i);
        d->name = kni_ref_name(world->library, KN_DEF_TIMER, timer->type + 1);
        if (difference_presence(d, in_a, in_b) || difference_records(d, &kni_rule_timer_table,
                                                      timer, kni_pool_at(&d->b->timers, i), NULL)) {
            return true;
        }
    }
    d->kind = NULL;
    d->name = NULL;
    return false;
}

// The ability a record is or belongs to, or KNI_NONE.
static uint32_t plain_ability(const kn_world *world, uint32_t pool, uint32_t slot)
{
    switch (pool) {
    case KNI_POOL_ABILITIES:
        return slot;
    case KNI_POOL_ACTIVATIONS:
        return kni_activation_at(world, slot)->ability;
    case KNI_POOL_TASKS:
        return kni_activation_at(world, kni_task_at(world, slot)->activation)->ability;
    case KNI_POOL_CHARGES:
        return kni_charge_at(world, slot)->ability1 - 1; // none for shared ones
    default:
        return KNI_NONE;
    }
}

// Whose record it is, and the name of its ability.
static void plain_begin(difference *d, const kn_world *world, uint32_t pool, uint32_t slot)
{
    uint32_t ability = plain_ability(world, pool, slot), component = KNI_NONE;
    d->name = ability == KNI_NONE ? NULL : kni_type_of_ability(world, ability)->name;
    if (ability != KNI_NONE) {
        component = kni_ability_at(world, ability)->component;
    } else if (pool == KNI_POOL_ACTORS) {
        component = kni_actor_at(world, slot)->component;
    } else if (pool == KNI_POOL_CHARGES) {
        component = kni_charge_at(world, slot)->component;
    } else if (pool == KNI_POOL_CUES) {
        component = kni_cue_at(world, slot)->component;
        d->name = kn_tag_name(world->library, (kn_tag){kni_cue_at(world, slot)->tag});
    } else if (pool == KNI_POOL_COMMANDS) {
        const kni_command *command = kni_command_at(world, slot);
        d->name = kn_command_name(world->library, (kn_command_type_id){command->type1});
        d->entity1 = command->entity.index1;
        return;
    } else if (pool == KNI_POOL_WATCHES) {
        const kni_watch *watch = kni_pool_at(&world->watches, slot);
        d->name = kn_watch_type_name(world->library, (kn_watch_type_id){watch->type + 1});
        d->entity1 = watch->entity.index1;
        return;
    } else if (pool == KNI_POOL_TAG_BLOCKS) {
        const kni_tag_block *block = kni_tag_block_at(world, slot);
        d->name = kn_tag_name(world->library, (kn_tag){block->tag});
        d->entity1 = block->entity.index1;
        return;
    } else if (pool == KNI_POOL_SWITCHES) {
        const kni_switch *changed = kni_pool_at(&world->switches, slot);
        d->name = kn_system_name(world->library, (kn_system_id){changed->system + 1});
    }
    d->entity1 = component == KNI_NONE ? 0 : kni_component_at(world, component)->entity + 1;
}

static bool difference_plain_pools(difference *d)
{
    for (uint32_t p = KNI_POOL_FIRST_PLAIN; p < KNI_POOL_COUNT; p++) {
        const kni_pool *a = kni_world_pool(d->a, p), *b = kni_world_pool(d->b, p);
        d->kind = kni_pools[p].what;
        for (uint32_t i = 0; i < a->used || i < b->used; i++) {
            bool in_a = kni_pool_is_live(a, i), in_b = kni_pool_is_live(b, i);
            if (!in_a && !in_b) {
                continue;
            }
            plain_begin(d, in_a ? d->a : d->b, p, i);
            if (difference_presence(d, in_a, in_b) ||
                difference_records(
                    d, kni_pools[p].table, kni_pool_at(a, i), kni_pool_at(b, i), NULL)) {
                return true;
            }
        }
    }
    d->kind = NULL;
    d->name = NULL;
    d->entity1 = 0;
    return difference_time(d, "time of targeting", d->a->targeting_now, d->b->targeting_now);
}

static bool difference_worlds(difference *d)
{
    if (difference_time(d, "time", d->a->now, d->b->now) || difference_entities(d) ||
        difference_specs(d) || difference_timers(d) || difference_plain_pools(d)) {
        return true;
    }
    for (uint32_t i = 0; i < kni_stream_count(d->a) && i < kni_stream_count(d->b); i++) {
        const kni_random *a = &d->a->streams[i], *b = &d->b->streams[i];
        if (a->state != b->state || a->increment != b->increment) {
            kni_text_str(&d->text, "random stream ");
            if (i < KNI_STREAM_COUNT) {
                kni_text_u64(&d->text, i);
            } else {
                kni_text_str(&d->text, d->a->library->streams[i - KNI_STREAM_COUNT].name);
            }
            kni_text_str(&d->text, ", ");
            return difference_records(d, &kni_random_table, a, b, NULL);
        }
    }
    uint32_t first = kni_library_type_count(d->a);
    uint32_t used_a = kni_types_used(d->a), used_b = kni_types_used(d->b);
    for (uint32_t i = first; i < used_a || i < used_b; i++) {
        bool in_a = i < used_a, in_b = i < used_b;
        d->kind = "run-time effect";
        d->name = (in_a ? d->a : d->b)->types[i]->name;
        if (difference_presence(d, in_a, in_b)) {
            return true;
        }
        if (kni_dynamic_types_hash(d->a, i + 1) != kni_dynamic_types_hash(d->b, i + 1)) {
            difference_begin(d);
            kni_text_str(&d->text, "its def is different");
            return true;
        }
        d->kind = NULL;
        d->name = NULL;
    }
    if (difference_u64(d, "seed", d->a->seed, d->b->seed)) {
        return true;
    }
    return difference_u64(d, "next creation number", d->a->next_number, d->b->next_number);
}

bool kn_world_difference(const kn_world *world, const kn_world *other, char *text, uint32_t size)
{
    difference d = {.a = world, .b = other};
    kni_text_init(&d.text, text, size);
    if (world == NULL || other == NULL) {
        KN_ASSERT(world != NULL && other != NULL);
        return false;
    }
    if (world->library != other->library) {
        kni_text_str(&d.text, "the worlds have different libraries");
        return true;
    }
    return difference_worlds(&d);
}
