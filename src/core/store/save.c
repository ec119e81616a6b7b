// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "store/store.h"

// Writing -------------------------------------------------------------------

static uint32_t place_at(kni_saver *w, uint32_t index)
{
    uint32_t *place = &w->refs[index];
    if (w->is_collecting) {
        *place = 1;
    }
    return *place;
}

static uint32_t save_place(kni_saver *w, kn_def_kind kind, uint32_t index1)
{
    KN_ASSERT((uint32_t)kind < KN_DEF_KIND_END);
    uint32_t count = w->first[kind + 1] - w->first[kind];
    if (w->is_direct) {
        return index1 <= (kind == KN_DEF_EFFECT ? w->world->type_count : count) ? index1 : 0;
    }
    if (kind == KN_DEF_EFFECT && index1 > count && index1 <= w->world->type_count) {
        return SAVE_DYNAMIC | (index1 - count - 1);
    }
    if (index1 == 0 || index1 > count) { // an extension component may hold any number
        return 0;
    }
    return place_at(w, w->first[kind] + index1 - 1);
}

// The place of the word that an enum holds; 0 for a number without one.
static uint32_t save_word(kni_saver *w, const kn_def_field *field, uint64_t value)
{
    return value >= field->limit ? 0
           : w->is_direct
               ? (uint32_t)value + 1
               : place_at(w, w->first[KN_DEF_KIND_END] + field->count_offset + (uint32_t)value);
}

void kni_save_ref(kni_saver *w, kn_def_kind kind, uint32_t index1)
{
    kn_write_u32(&w->out, save_place(w, kind, index1));
}

static bool save_visit(void *user, kn_def_kind kind, uint32_t *number)
{
    *number = save_place(user, kind, *number);
    return true;
}

static bool save_visit_word(void *user, const kn_def_field *field, uint32_t *number)
{
    *number = save_word(user, field, *number);
    return true;
}

// Bytes with places of names where references and words are.
static void save_bytes(
    kni_saver *w, kni_bytes which, const void *record, const uint8_t *bytes, uint32_t size)
{
    uint32_t shape = kni_bytes_shape(w->world, which, bytes, size);
    kn_write_u32(&w->out, shape);
    if (!kni_grow(&w->memory, &w->scratch, &w->scratch_capacity, size, 1)) {
        w->has_no_memory = true;
        return;
    }
    memcpy(w->scratch, bytes, size);
    const kni_ref_walk walk = {save_visit, save_visit_word, w, true};
    (void)kni_bytes_refs(w->world, which, record, shape, w->scratch, size, &walk);
    kn_write_bytes(&w->out, w->scratch, size);
}

// How a struct is laid out, for those that read it by name; 0 for one without fields.
static void save_layout_of(kni_saver *w, const kni_fields *fields)
{
    uint32_t place = w->is_direct ? fields->number1 : 0;
    if (fields->number1 != 0 && !w->is_direct) {
        kni_save_layout *layout = &w->layouts[fields->number1 - 1];
        layout->fields = fields;
        place = layout->place;
    }
    kn_write_u32(&w->out, place);
}

// A block of state: by its fields, or as it lies. NULL for one that is not there.
static void save_state(kni_saver *w, const kni_fields *fields, const uint8_t *bytes)
{
    if (bytes != NULL && fields->number1 != 0) {
        save_layout_of(w, fields);
        kni_save_record(w, &fields->table, bytes, NULL);
        return;
    }
    uint32_t size = bytes != NULL ? fields->size : 0;
    kn_write_u32(&w->out, 0);
    kn_write_u32(&w->out, size);
    kn_write_bytes(&w->out, bytes, size);
}

// Bytes that begin with a state.
static void save_state_bytes(
    kni_saver *w, kni_bytes which, const void *record, const kni_span *span)
{
    const kni_fields *state = kni_bytes_state(w->world, which, record);
    const uint8_t *bytes = kni_heap_at(&w->world->heap, span->ref);
    KN_ASSERT(span->count >= state->size);
    save_state(w, state, state->size > 0 ? bytes : NULL);
    if (which == KNI_BYTES_TASK) {
        uint32_t rest = span->count - state->size;
        kn_write_u32(&w->out, rest);
        if (rest > 0) {
            save_bytes(w, which, record, bytes + state->size, rest);
        }
    }
}

void kni_save_field(
    kni_saver *w, const kn_def_field *field, const uint8_t *at, const kni_block_sizes *blocks)
{
    switch (field->kind) {
    case KN_STATE_FIELD_LIST: {
        kni_span span;
        memcpy(&span, at, sizeof(span));
        if (kni_bytes_have_state(field->limit)) {
            save_state_bytes(w, (kni_bytes)field->limit, at - field->offset, &span);
            break;
        }
        kn_write_u32(&w->out, span.count);
        if (field->limit != KNI_BYTES_PLAIN && span.count > 0) {
            save_bytes(w, (kni_bytes)field->limit, at - field->offset,
                kni_heap_at(&w->world->heap, span.ref), span.count);
            break;
        }
        for (uint32_t i = 0; i < span.count; i++) {
            const void *item = kni_span_at(&w->world->heap, &span, i, field->table->size);
            kni_save_record(w, field->table, item, blocks);
        }
        break;
    }
    case KN_STATE_FIELD_BLOCK: {
        kni_ref ref = (kni_ref)kni_field_load(at, sizeof(ref));
        if (field->limit == KNI_BLOCK_STATE && blocks != NULL) {
            save_state(w, blocks->state, ref != 0 ? kni_heap_at(&w->world->heap, ref) : NULL);
            break;
        }
        uint32_t bytes = ref != 0 ? kni_block_size(blocks, field->limit) : 0;
        kn_write_u32(&w->out, bytes);
        kn_write_bytes(&w->out, kni_heap_at(&w->world->heap, ref), bytes);
        break;
    }
    default: {
        kn_def_kind kind = kni_field_ref_kind(field);
        if (w->by_place != NULL && kni_place_is_for(field)) {
            kni_place_write(w->by_place, field, at, &w->out);
        } else if (kind != KN_DEF_KIND_COUNT) {
            kni_save_ref(w, kind, kni_element_index1(field, at));
        } else if (field->kind == KN_FIELD_ENUM) {
            kn_write_u32(&w->out, save_word(w, field, kni_field_load(at, sizeof(int))));
        } else {
            kni_element_write_to(field, at, &w->out);
        }
        break;
    }
    }
}

void kni_copy_plan_make(kni_copy_plan *plan, const kn_def_table *table, uint32_t count)
{
    plan->fields = table->fields;
    plan->field_count = table->field_count;
    plan->count = 0;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < count; i++) {
        const kn_def_field *field = &table->fields[i];
        bool is_raw = kni_field_is_raw(field) && !kni_is_big_endian();
        uint32_t size = is_raw ? (uint32_t)kni_field_size(field) * field->count : 0;
        bool is_checked = field->kind == KN_FIELD_F32 || field->kind == KN_STATE_FIELD_ENUM8;
        kni_copy *last = copies > 0 ? &plan->copies[copies - 1] : NULL;
        if (kni_kind_of(field->kind)->words == 0 || copies == KNI_COPIES_MAX) {
            return;
        }
        if (is_raw && last != NULL && last->size > 0 &&
            last->offset + last->size == field->offset) {
            last->last = i;
            last->size += size;
            last->is_checked |= is_checked;
        } else {
            plan->copies[copies++] = (kni_copy){i, i, (uint32_t)field->offset, size, is_checked};
        }
    }
    plan->count = copies;
}

static void save_elements(
    kni_saver *w, const kn_def_field *field, const uint8_t *record, const kni_block_sizes *blocks)
{
    size_t size = kni_field_size(field);
    for (uint32_t i = 0; i < field->count; i++) {
        kni_save_field(w, field, record + field->offset + size * i, blocks);
    }
}

void kni_save_record(
    kni_saver *w, const kn_def_table *table, const void *record, const kni_block_sizes *blocks)
{
    if (!kni_copy_plan_is_for(&w->plan, table)) {
        kni_copy_plan_make(&w->plan, table, table->field_count);
    }
    if (w->plan.count == 0 || w->by_place != NULL) {
        for (uint32_t i = 0; i < table->field_count; i++) {
            save_elements(w, &table->fields[i], record, blocks);
        }
        return;
    }
    for (uint32_t i = 0; i < w->plan.count; i++) {
        const kni_copy *copy = &w->plan.copies[i];
        if (copy->size > 0) {
            kn_write_bytes(&w->out, (const uint8_t *)record + copy->offset, copy->size);
        } else {
            save_elements(w, &table->fields[copy->first], record, blocks);
        }
    }
}

// Writes the mark and keeps room for the length.
static size_t section_begin(kni_saver *w, uint32_t mark)
{
    kn_write_u32(&w->out, mark);
    kn_write_u64(&w->out, 0);
    return w->out.length;
}

static void section_end(kni_saver *w, size_t begin)
{
    KN_ASSERT(begin >= 8 && begin <= w->out.length);
    if (w->out.length <= w->out.size) {
        kn_writer length = {w->out.data + begin - 8, 8, 0};
        kn_write_u64(&length, w->out.length - begin);
    }
}

static void save_names(kni_saver *w)
{
    size_t section = section_begin(w, SAVE_NAMES);
    uint32_t count = 0;
    const kn_library *library = w->world->library;
    for (uint32_t i = 0; i < w->first[KN_DEF_KIND_END + 1]; i++) {
        count += w->refs[i] != 0;
    }
    kn_write_u32(&w->out, count);
    uint32_t place = 0;
    for (uint32_t kind = 0; kind <= KN_DEF_KIND_END; kind++) {
        bool is_word = kind == KN_DEF_KIND_END;
        for (uint32_t i = w->first[kind]; i < w->first[kind + 1]; i++) {
            if (w->refs[i] != 0) {
                uint32_t index = i - w->first[kind];
                w->refs[i] = ++place;
                if (kind >= KN_DEF_KIND_OWN && !is_word) { // by name: its number is its turn
                    kn_write_u8(&w->out, KN_DEF_KIND_OWN);
                    kn_write_str(&w->out, kn_kind_name(library, (kn_def_kind)kind));
                } else {
                    kn_write_u8(&w->out, is_word ? SAVE_WORD : (uint8_t)kind);
                }
                kn_write_str(&w->out, is_word
                                          ? kni_word_name(library, index)
                                          : kni_ref_name(library, (kn_def_kind)kind, index + 1));
            }
        }
    }
    section_end(w, section);
}

// The fields of every struct that is there by name.
static void save_layouts(kni_saver *w)
{
    size_t section = section_begin(w, SAVE_FIELDS);
    uint32_t total = w->world->library->fields_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < total; i++) {
        count += w->layouts[i].fields != NULL;
    }
    kn_write_u32(&w->out, count);
    uint32_t place = 0;
    for (uint32_t i = 0; i < total; i++) {
        if (w->layouts[i].fields == NULL) {
            continue;
        }
        w->layouts[i].place = ++place;
        const kn_def_table *table = &w->layouts[i].fields->table;
        kn_write_u32(&w->out, table->field_count);
        for (uint32_t j = 0; j < table->field_count; j++) {
            kn_write_str(&w->out, table->fields[j].name);
            kn_write_u8(&w->out, table->fields[j].kind);
            kn_write_u32(&w->out, table->fields[j].count);
            if (table->fields[j].kind == KN_FIELD_REF) {
                kn_write_str(
                    &w->out, kn_kind_name(w->world->library, (kn_def_kind)table->fields[j].limit));
            }
        }
    }
    section_end(w, section);
}

static void save_types(kni_saver *w)
{
    size_t section = section_begin(w, SAVE_TYPES);
    uint32_t first = kni_library_type_count(w->world);
    kn_write_u32(&w->out, w->world->type_count - first);
    for (uint32_t i = first; i < w->world->type_count; i++) {
        kni_def_write(w->world->library, &kni_effect_def_table, &w->world->types[i]->def, &w->out);
    }
    section_end(w, section);
}

static void save_world(kni_saver *w)
{
    size_t section = section_begin(w, SAVE_WORLD);
    kn_write_u64(&w->out, (uint64_t)w->world->now);
    kn_write_u64(&w->out, w->world->next_number);
    kn_write_u64(&w->out, (uint64_t)w->world->targeting_now);
    kn_write_u32(&w->out, KNI_STREAM_COUNT);
    for (uint32_t i = 0; i < KNI_STREAM_COUNT; i++) {
        kni_save_record(w, &kni_random_table, &w->world->streams[i], NULL);
    }
    kn_write_u64(&w->out, w->world->seed);
    const kn_library *library = w->world->library;
    if (library->stream_count > 0) {
        kn_write_u32(&w->out, library->stream_count);
    }
    for (uint32_t i = 0; i < library->stream_count; i++) {
        kn_write_str(&w->out, library->streams[i].name);
        kni_save_record(w, &kni_random_table, &w->world->streams[KNI_STREAM_COUNT + i], NULL);
    }
    section_end(w, section);
}

// Slot and plain fields of every record of a pool.
static void save_pool(kni_saver *w, uint32_t mark, const kni_pool *pool, const kn_def_table *table)
{
    size_t section = section_begin(w, mark);
    kn_write_u32(&w->out, pool->count);
    KNI_POOL_EACH(i, pool) {
        kn_write_u32(&w->out, i);
        kni_save_record(w, table, kni_pool_at(pool, i), NULL);
    }
    section_end(w, section);
}

static void save_values(kni_saver *w, const kni_component *component)
{
    const kn_world *world = w->world;
    const kni_layout *layout = &world->layouts[component->layout];
    kn_write_u32(&w->out, layout->set_count);
    for (uint32_t i = 0; i < layout->set_count; i++) {
        kni_save_ref(w, KN_DEF_ATTRIBUTE_SET, layout->sets[i].set + 1);
        kn_write_u32(&w->out, layout->sets[i].key);
    }
    for (uint32_t i = 0; i < layout->set_count; i++) {
        const kni_set *set = kni_set_at(world->library, layout->sets[i].set);
        const kni_value *values = kni_values_of(world, component) + layout->sets[i].first;
        kn_write_u32(&w->out, set->count);
        for (uint32_t j = 0; j < set->count; j++) {
            kni_save_ref(w, KN_DEF_ATTRIBUTE, set->attributes[j] + 1);
            kni_save_record(w, &kni_value_table, &values[j], NULL);
        }
    }
}

static void save_components(kni_saver *w)
{
    const kni_pool *pool = &w->world->components;
    size_t section = section_begin(w, SAVE_COMPONENTS);
    kn_write_u32(&w->out, pool->count);
    KNI_POOL_EACH(i, pool) {
        const kni_component *component = kni_component_at(w->world, i);
        kn_write_u32(&w->out, i);
        kni_save_record(w, &kni_component_table, component, NULL);
        save_values(w, component);
    }
    section_end(w, section);
}

void kni_save_rare(kni_saver *w, uint32_t rare1, const kni_effect_type *type)
{
    kn_write_u8(&w->out, rare1 != 0);
    if (rare1 != 0) {
        const kni_rare *rare = kni_rare_at(w->world, rare1);
        kni_block_sizes blocks = kni_rare_blocks(w->world, type, rare->payload_type);
        kni_save_record(w, &kni_rare_table, rare, &blocks);
    }
}

static void save_effects(kni_saver *w)
{
    const kni_pool *pool = &w->world->effects;
    size_t section = section_begin(w, SAVE_EFFECTS);
    kn_write_u32(&w->out, pool->count);
    KNI_POOL_EACH(i, pool) {
        const kni_effect *effect = kni_effect_at(w->world, i);
        kn_write_u32(&w->out, i);
        kni_save_record(w, &kni_effect_table, effect, NULL);
        kni_save_rare(w, effect->rare1, kni_type_at(w->world, effect->type));
    }
    section_end(w, section);
}

static void save_tags(kni_saver *w)
{
    const kni_pool *pool = &w->world->components;
    size_t section = section_begin(w, SAVE_TAGS);
    uint32_t count = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        KNI_POOL_EACH(i, pool) {
            const kni_component *component = kni_component_at(w->world, i);
            for (uint32_t j = 0; j < component->origins.count; j++) {
                const kni_origin_row *row =
                    KNI_SPAN_AT(w->world, component->origins, kni_origin_row, j);
                if (!kni_save_has_origin(row->origin)) {
                    continue;
                }
                if (pass == 0) {
                    count++;
                } else {
                    kn_write_u32(&w->out, i);
                    kni_save_record(w, &kni_origin_row_table, row, NULL);
                }
            }
        }
        if (pass == 0) {
            kn_write_u32(&w->out, count);
        }
    }
    section_end(w, section);
}

static void save_specs(kni_saver *w)
{
    const kni_pool *pool = &w->world->specs;
    size_t section = section_begin(w, SAVE_SPECS);
    kn_write_u32(&w->out, pool->count);
    KNI_POOL_EACH(i, pool) {
        const kni_spec *spec = kni_pool_at(pool, i);
        kn_write_u32(&w->out, i);
        kni_save_record(w, &kni_spec_table, spec, NULL);
        kni_save_rare(w, spec->rare1, kni_type_at(w->world, spec->type));
    }
    section_end(w, section);
}

static void save_extension_record(kni_saver *w, const kni_component_type *type,
    const kn_def_table *table, const kni_extension_head *head)
{
    kn_def_field items = {
        .name = "items", .kind = KN_STATE_FIELD_LIST, .count = 1, .table = &type->items.table};
    kni_save_record(w, table, head, NULL);
    kni_save_record(w, &type->record.table, head + 1, NULL);
    kni_save_field(w, &items, (const uint8_t *)&head->items, NULL);
}

static void save_instances(
    kni_saver *w, const kni_component_type *type, const kni_extension *extension, uint32_t slot1)
{
    while (slot1 != 0) {
        const kni_extension_head *head = kni_extension_at(extension, slot1 - 1);
        kn_write_u32(&w->out, slot1 - 1);
        save_extension_record(w, type, &kni_extension_instance_table, head);
        slot1 = head->next1;
    }
}

static void save_extension(kni_saver *w, const kni_component_type *type, uint32_t index)
{
    const kni_extension *extension = &w->world->extensions[index];
    kni_save_ref(w, KN_DEF_COMPONENT, index + 1);
    save_layout_of(w, &type->record);
    save_layout_of(w, &type->items);
    kn_write_u32(&w->out, extension->is_several);
    kn_write_u32(&w->out, extension->pool.count);
    if (!extension->is_several) {
        KNI_POOL_EACH(i, &extension->pool) {
            save_extension_record(
                w, type, &kni_extension_head_table, kni_extension_at(extension, i));
        }
        return;
    }
    // By entity and in the order of its list; the slots are in ids.
    save_instances(w, type, extension, extension->world_slot1);
    for (uint32_t i = 0; i < extension->by_entity_capacity; i++) {
        save_instances(w, type, extension, extension->by_entity[i]);
    }
}

static void save_extensions(kni_saver *w)
{
    size_t section = section_begin(w, SAVE_EXTENSIONS);
    uint32_t types = kni_ref_count(w->world->library, KN_DEF_COMPONENT);
    uint32_t used = 0;
    for (uint32_t i = 0; i < types; i++) {
        used += w->world->extensions[i].pool.count > 0;
    }
    kn_write_u32(&w->out, used);
    for (uint32_t i = 0; i < types; i++) {
        if (w->world->extensions[i].pool.count > 0) {
            save_extension(w, kni_component_type_at(w->world->library, i), i);
        }
    }
    section_end(w, section);
}

static void save_sections(kni_saver *w)
{
    save_types(w);
    save_world(w);
    save_pool(w, SAVE_ENTITIES, &w->world->entities, &kni_entity_table);
    save_components(w);
    save_effects(w);
    save_tags(w);
    save_specs(w);
    save_pool(w, SAVE_TIMERS, &w->world->timers, &kni_rule_timer_table);
    for (uint32_t i = KNI_POOL_FIRST_PLAIN; i < KNI_POOL_COUNT; i++) {
        save_pool(w, kni_pools[i].mark, kni_world_pool(w->world, i), kni_pools[i].table);
    }
    save_extensions(w);
}

uint64_t kni_save_checksum(const uint8_t *data, size_t size)
{
    kni_hash hash = kni_hash_begin(0);
    kni_hash_bytes(&hash, data + SAVE_HEADER_SIZE, size - SAVE_HEADER_SIZE);
    return kni_hash_end(&hash);
}

static void save_write(kni_saver *w, uint8_t *buffer, size_t size, size_t *written)
{
    kn_writer dry = {NULL, 0, 0};
    w->out = dry;
    w->is_collecting = true;
    save_sections(w);
    w->is_collecting = false;
    save_names(w);
    save_layouts(w);
    size_t needed = SAVE_HEADER_SIZE + 8 + w->out.length;
    *written = needed;
    if (buffer == NULL || size < needed) {
        return;
    }
    kn_writer out = {buffer, needed, SAVE_HEADER_SIZE};
    w->out = out;
    kn_write_u64(&w->out, w->world->library->hash);
    save_names(w);
    save_layouts(w);
    save_sections(w);
    KN_ASSERT(w->out.length == needed); // the dry run told the truth
    kn_writer header = {buffer, SAVE_HEADER_SIZE, 0};
    kn_write_u32(&header, SAVE_MAGIC);
    kn_write_u32(&header, KN_SAVE_VERSION);
    kn_write_u64(&header, needed);
    kn_write_u64(&header, kni_save_checksum(buffer, needed));
}

void kni_saver_init(kni_saver *w, const kn_world *world)
{
    *w = (kni_saver){.world = world};
    for (uint32_t kind = 0; kind < KN_DEF_KIND_END; kind++) {
        w->first[kind + 1] = w->first[kind] + kni_ref_count(world->library, (kn_def_kind)kind);
    }
    w->first[KN_DEF_KIND_END + 1] = w->first[KN_DEF_KIND_END] + world->library->word_total;
    kni_memory_init(&w->memory, &world->hooks);
}

kn_result kn_save_write(const kn_world *world, void *buffer, size_t size, size_t *written)
{
    if (world == NULL || written == NULL) {
        KN_ASSERT(world != NULL && written != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *written = 0;
    if (world->depth > 0 || world->is_stepping) {
        return KN_ERROR_WORLD_LOCKED;
    }
    if (world->is_broken) {
        return KN_ERROR_WORLD_BROKEN;
    }
    kni_saver w;
    kni_saver_init(&w, world);
    size_t refs_size = (w.first[KN_DEF_KIND_END + 1] + 1) * sizeof(uint32_t);
    w.refs = kni_realloc(&w.memory, NULL, 0, refs_size);
    size_t layouts_size = (world->library->fields_count + 1) * sizeof(*w.layouts);
    w.layouts = kni_realloc(&w.memory, NULL, 0, layouts_size);
    if (w.refs != NULL && w.layouts != NULL) {
        memset(w.refs, 0, refs_size);
        memset(w.layouts, 0, layouts_size);
        save_write(&w, buffer, size, written);
    } else {
        w.has_no_memory = true;
    }
    kni_free(&w.memory, w.refs, refs_size);
    kni_free(&w.memory, w.layouts, layouts_size);
    kni_free(&w.memory, w.scratch, w.scratch_capacity);
    if (w.has_no_memory) {
        *written = 0;
        return KN_ERROR_OUT_OF_MEMORY;
    }
    return buffer != NULL && size < *written ? KN_ERROR_BUFFER_TOO_SMALL : KN_OK;
}
