// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reading one record of a save by its table: plain fields, spans, blocks, and states, whose fields
// are found by name.

#include "store/store.h"

static void load_field(kni_load *r, const kn_def_field *field, uint8_t *at, const void *record,
    const kni_effect_type *type, bool is_foreign);

static bool load_visit(void *user, kn_def_kind kind, uint32_t *number)
{
    kni_load *r = user;
    *number = kni_load_place(r, kind, *number);
    return r->result == KN_OK;
}

// The number that the word at a place stands for now. 0: the save had a number without a word.
static bool load_word(kni_load *r, const kn_def_field *field, uint32_t place, uint32_t *number)
{
    *number = 0;
    if (place == 0) {
        return true;
    }
    if (r->is_direct) {
        *number = place - 1;
        return place <= field->limit || kni_load_fail(r, "a reference points to nothing");
    }
    if (place > r->place_count || r->places[place - 1].kind != SAVE_WORD) {
        return kni_load_fail(r, "a reference points to nothing");
    }
    const kni_saved_place *word = &r->places[place - 1];
    for (uint32_t i = 0; i < field->limit; i++) {
        if (strncmp(field->names[i], word->word, word->index1) == 0 &&
            field->names[i][word->index1] == 0) {
            *number = i;
            return true;
        }
    }
    if (r->result == KN_OK) {
        r->result = kni_error(r->error, KN_ERROR_BAD_DATA,
            "%s has the word `%s` in a field `%s`, which does not have this word any more",
            kni_load_whose(r), kni_tag_quoted(word->word, word->index1).text, field->name);
    }
    return false;
}

static bool load_visit_word(void *user, const kn_def_field *field, uint32_t *number)
{
    return load_word(user, field, *number, number);
}

// Numbers of a state in the order of this machine. Only machines that begin with the lowest byte
// wrote plain bytes for states with fields.
static void state_order(const kni_fields *fields, uint8_t *state)
{
    for (uint32_t i = 0; kni_is_big_endian() && i < fields->table.field_count; i++) {
        const kn_def_field *field = &fields->table.fields[i];
        const kni_kind *kind = kni_kind_of(field->kind);
        uint32_t size = kind->size * field->count, word = kni_kind_word_size(kind);
        for (uint32_t at = 0; at < size; at += word) {
            kni_order(state + field->offset + at, word);
        }
    }
}

// A state of plain bytes that has fields now: what its numbers cannot mean here is null.
static void state_settle(const kni_load *r, const kni_fields *fields, uint8_t *state)
{
    if (r->version < 3) {
        state_order(fields, state);
    }
    for (uint32_t i = 0; i < fields->table.field_count; i++) {
        const kn_def_field *field = &fields->table.fields[i];
        kn_def_kind kind = kni_field_ref_kind(field);
        bool is_enum = field->kind == KN_FIELD_ENUM;
        uint32_t most = is_enum                     ? field->limit - 1
                        : kind != KN_DEF_KIND_COUNT ? kni_ref_count(r->world->library, kind)
                                                    : UINT32_MAX;
        for (uint32_t j = 0; most != UINT32_MAX && j < field->count; j++) {
            uint8_t *at = state + field->offset + kni_field_size(field) * j;
            if (kni_field_load(at, 4) > most) {
                kni_field_store(at, 4, 0);
            }
        }
    }
}

// Bytes with places of names where references are; what says how to read them is there already.
static void load_bytes(
    kni_load *r, kni_bytes which, const void *record, uint8_t *bytes, uint32_t size)
{
    uint32_t shape = kn_read_u32(&r->in);
    const uint8_t *from = kn_read_bytes(&r->in, size);
    if (from == NULL) {
        return;
    }
    memcpy(bytes, from, size);
    // Before version 3 the state of a custom task stood in front, and the shape was its size.
    uint32_t state = r->version < 3 ? kni_bytes_state(r->world, which, record)->size : 0;
    if (which == KNI_BYTES_TASK ? shape != state || shape > size : shape > 1) {
        kni_load_fail(r, "a task or an event has changed the layout of its data");
        return;
    }
    const kni_ref_walk walk = {load_visit, load_visit_word, r, false};
    if (!kni_bytes_refs(r->world, which, record, shape, bytes + state, size - state, &walk)) {
        kni_load_fail(r, "the data of a task or an event is invalid");
    }
}

static void load_span(kni_load *r, const kn_def_field *field, uint8_t *at,
    const kni_effect_type *type, bool is_foreign)
{
    kni_span span = {0};
    size_t size = field->table->size;
    uint32_t count = kni_load_count(r, kni_load_size_min(r, field->table));
    if (r->in.failed || count == 0) {
        return;
    }
    if (!kni_span_reserve(&r->world->heap, &r->world->memory, &span, count, size)) {
        kni_load_no_memory(r);
        return;
    }
    span.count = count;
    memset(kni_heap_at(&r->world->heap, span.ref), 0, count * size);
    memcpy(at, &span, sizeof(span));
    if (field->limit == KNI_BYTES_TASK || field->limit == KNI_BYTES_TARGETS) {
        load_bytes(r, (kni_bytes)field->limit, at - field->offset,
            kni_heap_at(&r->world->heap, span.ref), count);
    } else {
        for (uint32_t i = 0; i < count && kni_load_ok(r); i++) {
            void *item = kni_span_at(&r->world->heap, &span, i, size);
            (void)kni_load_record(r, field->table, item, type, is_foreign);
        }
    }
    if (kni_load_ok(r) && kni_bytes_have_state(field->limit)) { // before version 3
        const kni_fields *state =
            kni_bytes_state(r->world, (kni_bytes)field->limit, at - field->offset);
        if (count >= state->size) {
            state_settle(r, state, kni_heap_at(&r->world->heap, span.ref));
        }
    }
}

// States, by name -----------------------------------------------------------

// What the library has for a field of the save; NULL if it is gone. `guess` is where it was.
static const kn_def_field *field_now(
    const kn_def_table *table, const kni_saved_field *field, uint32_t guess)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *now = &table->fields[(guess + i) % table->field_count];
        if (strncmp(now->name, field->name, field->length) == 0 && now->name[field->length] == 0) {
            return now;
        }
    }
    return NULL;
}

// Ids that had no kind of their own were saved as two numbers.
static bool id_was_split(const kn_def_field *now, const kni_saved_field *field)
{
    return field->kind == KN_FIELD_U32 && kni_kind_of(now->kind)->number == KNI_NUMBER_ID &&
           field->count == 2 * now->count;
}

// A struct by its fields, as a layout of the save says. The record must be clear: what the save
// does not have stays zero.
bool kni_load_fields(
    kni_load *r, const kni_saved_layout *layout, const kn_def_table *table, uint8_t *record)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        const kni_saved_field *field = &r->fields[layout->first + i];
        const kn_def_field *now = field_now(table, field, i);
        bool is_split = now != NULL && id_was_split(now, field);
        bool refers_elsewhere =
            now != NULL && now->kind == KN_FIELD_REF && (uint32_t)field->refers_to != now->limit;
        if (now != NULL && (now->kind != field->kind || refers_elsewhere) && !is_split) {
            if (r->result == KN_OK) {
                r->result = kni_error(r->error, KN_ERROR_BAD_DATA,
                    "%s has `%s` with a field `%s` of another kind; give it a new name",
                    kni_load_whose(r), table->name, now->name);
            }
            return false;
        }
        if (field->kind >= KN_FIELD_KIND_END) {
            kni_load_fail(r, "a field has an unknown kind");
            return false;
        }
        kn_def_field one = {.name = "", .kind = (uint8_t)field->kind, .count = 1};
        if (now != NULL && now->kind == field->kind) { // its words, or what it refers to
            one = *now;
        }
        bool is_skipped =
            now == NULL && (field->kind == KN_FIELD_REF || field->kind == KN_FIELD_ENUM);
        one.kind = is_skipped ? KN_FIELD_U32 : one.kind;
        size_t size = kni_field_size(&one);
        for (uint32_t j = 0; j < field->count && kni_load_ok(r); j++) {
            uint8_t element[16] = {0};
            load_field(r, &one, element, NULL, NULL, true);
            if (now != NULL && j < now->count * (is_split ? 2 : 1)) {
                memcpy(record + now->offset + size * j, element, size);
            }
        }
        if (!kni_load_ok(r)) {
            return false;
        }
    }
    return true;
}

// The layout at a place in the list; NULL for 0, and on a failure.
const kni_saved_layout *kni_load_layout_ref(kni_load *r)
{
    uint32_t place = kn_read_u32(&r->in);
    if (r->in.failed || place == 0) {
        return NULL;
    }
    if (place > r->layout_count) {
        kni_load_fail(r, "a reference points to nothing");
        return NULL;
    }
    return &r->layouts[place - 1];
}

static bool state_changed(kni_load *r, const kni_fields *fields)
{
    return kni_load_changed(r, "`%s` has a different state layout than in %s", fields->table.name);
}

// A block of state, clear and of the size the library says. *is_there: the save had one.
static bool load_state(kni_load *r, const kni_fields *fields, uint8_t *state, bool *is_there)
{
    const kni_saved_layout *layout = NULL;
    if (r->is_direct) {
        uint32_t number1 = kn_read_u32(&r->in);
        *is_there = number1 != 0;
        if (number1 != 0) {
            return number1 == fields->number1
                       ? kni_load_record(r, &fields->table, state, NULL, true)
                       : state_changed(r, fields);
        }
    } else {
        layout = kni_load_layout_ref(r);
    }
    *is_there = layout != NULL;
    if (layout != NULL) {
        return fields->number1 == 0 && fields->size > 0
                   ? state_changed(r, fields)
                   : kni_load_fields(r, layout, &fields->table, state);
    }
    uint32_t size = kn_read_u32(&r->in);
    const uint8_t *bytes = kn_read_bytes(&r->in, size);
    if (!kni_load_ok(r) || size == 0) {
        return kni_load_ok(r);
    }
    if (size != fields->size) {
        return state_changed(r, fields);
    }
    *is_there = true;
    memcpy(state, bytes, size);
    state_settle(r, fields, state);
    return true;
}

// Bytes that begin with a state. One that the save does not have is zero if it has fields.
static void load_state_bytes(kni_load *r, kni_bytes which, const void *record, uint8_t *at)
{
    uint8_t state[KNI_STATE_MAX] = {0};
    const kni_fields *fields = kni_bytes_state(r->world, which, record);
    uint32_t size = fields->size;
    bool is_there;
    if (!load_state(r, fields, state, &is_there)) {
        return;
    }
    if (!is_there && size > 0 && fields->number1 == 0) {
        state_changed(r, fields);
        return;
    }
    uint32_t rest = which == KNI_BYTES_TASK ? kni_load_count(r, 1) : 0;
    if (r->in.failed || size + rest == 0) {
        return;
    }
    kni_span span = {0};
    if (!kni_span_reserve(&r->world->heap, &r->world->memory, &span, size + rest, 1)) {
        kni_load_no_memory(r);
        return;
    }
    span.count = size + rest;
    memcpy(at, &span, sizeof(span));
    uint8_t *bytes = kni_heap_at(&r->world->heap, span.ref);
    memcpy(bytes, state, size);
    if (rest > 0) {
        load_bytes(r, which, record, bytes + size, rest);
    }
}

// A block of its own in the heap.
void kni_load_block(kni_load *r, uint8_t *at, const uint8_t *bytes, uint32_t size)
{
    kni_ref ref = kni_heap_acquire(&r->world->heap, &r->world->memory, size);
    if (ref == 0) {
        kni_load_no_memory(r);
        return;
    }
    memcpy(kni_heap_at(&r->world->heap, ref), bytes, size);
    memcpy(at, &ref, sizeof(ref));
}

static void load_state_block(kni_load *r, uint8_t *at, const kni_fields *fields)
{
    uint8_t state[KNI_STATE_MAX] = {0};
    bool is_there;
    if (load_state(r, fields, state, &is_there) && is_there && fields->size > 0) {
        kni_load_block(r, at, state, fields->size);
    }
}

static void load_block(kni_load *r, uint8_t *at, uint32_t expected)
{
    uint32_t size = kn_read_u32(&r->in);
    const uint8_t *bytes = kn_read_bytes(&r->in, size);
    if (bytes == NULL || size == 0) {
        return;
    }
    if (size != expected) {
        kni_load_fail(r, "a block of state or payload has the wrong size");
        return;
    }
    kni_load_block(r, at, bytes, size);
}

// Fields --------------------------------------------------------------------

// References by their place in the list of names, everything else as numbers.
static void load_element(kni_load *r, const kn_def_field *field, uint8_t *at, bool is_foreign)
{
    kn_def_kind kind = kni_field_ref_kind(field);
    if (field->kind == KN_FIELD_ENUM) {
        uint32_t number;
        (void)load_word(r, field, kn_read_u32(&r->in), &number);
        kni_field_store(at, sizeof(int), number);
        return;
    }
    if (r->by_place != NULL && kni_place_is_for(field)) {
        if (!kni_place_read(r->by_place, field, at, &r->in)) {
            kni_load_fail(r, "a reference points to nothing");
        }
        return;
    }
    if (kind == KN_DEF_KIND_COUNT) {
        kni_element_read_from(field, at, &r->in);
        bool may_be_any = is_foreign && field->kind == KN_FIELD_F32; // a game's own data
        const char *problem = may_be_any ? NULL : kni_element_problem(field, at);
        if (problem != NULL) {
            kni_load_fail(r, problem);
        }
        return;
    }
    bool is_index = kni_kind_of(field->kind)->number == KNI_NUMBER_INDEX;
    bool may_be_null = field->kind != KN_STATE_FIELD_REF16 && !is_index;
    uint32_t index1 = may_be_null ? kni_load_ref(r, kind) : kni_load_ref_needed(r, kind);
    kni_field_store(at, kni_field_size(field), index1 - is_index);
}

static void load_field(kni_load *r, const kn_def_field *field, uint8_t *at, const void *record,
    const kni_effect_type *type, bool is_foreign)
{
    switch (field->kind) {
    case KN_STATE_FIELD_LIST:
        if (kni_bytes_have_state(field->limit) && r->version >= 3) {
            load_state_bytes(r, (kni_bytes)field->limit, record, at);
        } else {
            load_span(r, field, at, type, is_foreign);
        }
        break;
    case KN_STATE_FIELD_BLOCK: {
        uint32_t payload_type = ((const kni_rare *)record)->payload_type;
        kni_block_sizes blocks = kni_rare_blocks(r->world, type, payload_type);
        if (field->limit == KNI_BLOCK_STATE && r->version >= 3) {
            load_state_block(r, at, blocks.state);
            break;
        }
        load_block(r, at, blocks.size[field->limit]);
        kni_ref ref = (kni_ref)kni_field_load(at, sizeof(ref));
        if (field->limit == KNI_BLOCK_STATE && ref != 0) {
            state_settle(r, blocks.state, kni_heap_at(&r->world->heap, ref));
        }
        break;
    }
    default:
        load_element(r, field, at, is_foreign);
        break;
    }
}

// Fields of a record that lie in the save as they do in memory.
static void load_copy(
    kni_load *r, const kn_def_table *table, const kni_copy *copy, uint8_t *record, bool is_foreign)
{
    const uint8_t *bytes = kn_read_bytes(&r->in, copy->size);
    if (bytes == NULL) {
        return;
    }
    memcpy(record + copy->offset, bytes, copy->size);
    for (uint32_t i = copy->first; copy->is_checked && i <= copy->last; i++) {
        const kn_def_field *field = &table->fields[i];
        bool may_be_any = is_foreign && field->kind == KN_FIELD_F32; // a game's own data
        for (uint32_t j = 0; j < field->count && !may_be_any; j++) {
            const char *problem =
                kni_element_problem(field, record + field->offset + kni_field_size(field) * j);
            if (problem != NULL) {
                kni_load_fail(r, problem);
                return;
            }
        }
    }
}

static void load_elements(kni_load *r, const kn_def_field *field, uint8_t *record,
    const kni_effect_type *type, bool is_foreign)
{
    size_t size = kni_field_size(field);
    for (uint32_t i = 0; i < field->count; i++) {
        load_field(r, field, record + field->offset + size * i, record, type, is_foreign);
    }
}

// The record must be clear. `type` is the effect type of an extension record. `is_foreign`: data of
// a game, which may hold anything.
bool kni_load_record(kni_load *r, const kn_def_table *table, void *record,
    const kni_effect_type *type, bool is_foreign)
{
    if (!kni_copy_plan_is_for(&r->plan, table)) {
        kni_copy_plan_make(&r->plan, table, kni_load_field_count(r, table));
    }
    bool is_planned = r->plan.count > 0 && r->by_place == NULL;
    uint32_t count = is_planned ? r->plan.count : kni_load_field_count(r, table);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_planned) {
            load_elements(r, &table->fields[i], record, type, is_foreign);
        } else if (r->plan.copies[i].size > 0) {
            load_copy(r, table, &r->plan.copies[i], record, is_foreign);
        } else {
            load_elements(r, &table->fields[r->plan.copies[i].first], record, type, is_foreign);
        }
        if (r->in.failed || r->result != KN_OK) {
            return kni_load_ok(r);
        }
    }
    return true;
}
