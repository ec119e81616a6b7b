// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reading saves fills a world of its own and exchanges it with the target when everything was good.
// The input is hostile: whatever the running simulation relies on is checked here.

#include "ability/actor.h"
#include "ability/task.h"
#include "store/save_format.h"

#include "base/text.h"

#include <math.h>

#define SAVE_SETS_MAX 64 // of one component
#define SAVE_PARENTS_MAX 256
// A slot may be this high whatever the number of records, and higher if there are many.
#define SAVE_SLOTS_FREE (1u << 20)
#define SAVE_SLOTS_PER_RECORD 64
// Structs may have grown since: to this many bytes, and more if the save is large.
#define SAVE_GROWTH_FREE (1u << 24)
#define SAVE_GROWTH_PER_BYTE 64

// Reading: the basics -------------------------------------------------------

typedef struct save_place {
    uint32_t kind;
    uint32_t index1; // in the library that reads
} save_place;

// A field as the save has it; the name is in the buffer.
typedef struct save_field {
    const char *name;
    uint32_t length;
    uint32_t kind;
    uint32_t count;
} save_field;

typedef struct save_layout {
    uint32_t first; // among the fields
    uint32_t count;
    uint64_t size; // in the save, of one struct
} save_layout;

typedef struct save_reader {
    kni_reader all;
    kni_reader in;   // the section being read
    kn_world *world; // being filled
    uint32_t version;
    save_place *places;
    uint32_t place_count;
    save_layout *layouts;
    uint32_t layout_count, layout_capacity;
    save_field *fields; // of all layouts
    uint32_t field_count, field_capacity;
    bool is_reload; // of a world that goes on with another library: nobody sees the save
    kn_error *error;
    kn_result result; // of the first failure
} save_reader;

static const char *save_whose(const save_reader *r)
{
    return r->is_reload ? "the world" : "the save";
}

// Each returns false, so that a check can end with it.
static bool save_fail(save_reader *r, const char *what)
{
    if (r->result == KN_OK) {
        r->result = kni_error(r->error, KN_ERROR_BAD_DATA,
            r->is_reload ? "the world does not fit the library: %s" : "the save is damaged: %s",
            what);
    }
    return false;
}

// The format has a place for the name, and may have one for where it comes from.
static bool save_changed(save_reader *r, const char *format, const char *name)
{
    if (r->result == KN_OK) {
        r->result = kni_error(r->error, KN_ERROR_BAD_DATA, format, name, save_whose(r));
    }
    return false;
}

static bool save_no_memory(save_reader *r)
{
    if (r->result == KN_OK) {
        r->result = kni_error(r->error, KN_ERROR_OUT_OF_MEMORY, "out of memory: cannot %s %s",
            r->is_reload ? "reload" : "load", save_whose(r));
    }
    return false;
}

static bool load_ok(save_reader *r)
{
    if (r->in.failed) {
        return r->in.no_memory ? save_no_memory(r) : save_fail(r, "a section ends too early");
    }
    return r->result == KN_OK;
}

static bool section_open(save_reader *r, uint32_t mark)
{
    uint32_t found = kni_read_u32(&r->all);
    uint64_t length = kni_read_u64(&r->all);
    if (r->all.failed || found != mark || length > r->all.size - r->all.at) {
        return save_fail(r, "a section is missing");
    }
    r->in = (kni_reader){.data = r->all.data + r->all.at, .size = (size_t)length};
    r->all.at += (size_t)length;
    return true;
}

static bool section_close(save_reader *r)
{
    if (!load_ok(r)) {
        return false;
    }
    return r->in.at == r->in.size || save_fail(r, "a section is too long");
}

// Fields that came with version 4 stand last in their tables.
static uint32_t load_field_count(const save_reader *r, const kn_def_table *table)
{
    uint32_t later = table == kni_pools[KNI_POOL_ABILITIES].table     ? 3
                     : table == kni_pools[KNI_POOL_ACTIVATIONS].table ? 1
                     : table == &kni_child_link_table                 ? 3
                     : table == &kni_rare_table                       ? 2
                                                                      : 0;
    return table->field_count - (r->version < 4 ? later : 0);
}

// The fewest bytes a record takes in a file.
static size_t load_size_min(const save_reader *r, const kn_def_table *table)
{
    size_t size = 0;
    for (uint32_t i = 0; i < load_field_count(r, table); i++) {
        const kn_def_field *field = &table->fields[i];
        switch (field->kind) {
        case KNI_FIELD_SPAN:
        case KNI_FIELD_REF16:
        case KNI_FIELD_INDEX16:
            size += 4 * (size_t)field->count;
            break;
        default:
            size += kni_field_size(field) * field->count;
            break;
        }
    }
    return size > 0 ? size : 1;
}

static uint32_t load_count(save_reader *r, uint64_t record_size)
{
    uint32_t count = kni_read_u32(&r->in);
    if (r->in.failed || count > (r->in.size - r->in.at) / record_size) {
        r->in.failed = true;
        return 0;
    }
    return count;
}

// Index + 1 of the registered thing at a place in the list of names; 0 for null.
static uint32_t load_place(save_reader *r, kn_def_kind kind, uint32_t place)
{
    if (place == 0) {
        return 0;
    }
    if (kind == KN_DEF_EFFECT && (place & SAVE_DYNAMIC) != 0) {
        uint32_t index1 = kni_library_type_count(r->world) + (place & ~SAVE_DYNAMIC) + 1;
        if (index1 > r->world->type_count) {
            save_fail(r, "a reference points to nothing");
            return 0;
        }
        return index1;
    }
    if (place > r->place_count || r->places[place - 1].kind != (uint32_t)kind) {
        save_fail(r, "a reference points to nothing");
        return 0;
    }
    return r->places[place - 1].index1;
}

static uint32_t load_ref(save_reader *r, kn_def_kind kind)
{
    uint32_t place = kni_read_u32(&r->in);
    return r->in.failed ? 0 : load_place(r, kind, place);
}

static uint32_t load_ref_needed(save_reader *r, kn_def_kind kind)
{
    uint32_t index1 = load_ref(r, kind);
    if (index1 == 0) {
        save_fail(r, "a reference is empty");
        return 1; // any that exists, until somebody looks at the failure
    }
    return index1;
}

// Records -------------------------------------------------------------------

static void load_field(save_reader *r, const kn_def_field *field, uint8_t *at, const void *record,
    const kni_effect_type *type, bool is_foreign);
static bool load_record(save_reader *r, const kn_def_table *table, void *record,
    const kni_effect_type *type, bool is_foreign);

static bool load_visit(void *user, kn_def_kind kind, uint32_t *number)
{
    save_reader *r = user;
    *number = load_place(r, kind, *number);
    return r->result == KN_OK;
}

// Numbers of a state in the order of this machine. Only such that begin with the lowest byte wrote
// plain bytes for states with fields.
static void state_order(const kni_fields *fields, uint8_t *state)
{
    for (uint32_t i = 0; kni_is_big_endian() && i < fields->table.field_count; i++) {
        const kn_def_field *field = &fields->table.fields[i];
        bool is_several = field->kind == KN_FIELD_ENTITY || field->kind == KN_FIELD_EFFECT ||
                          field->kind == KN_FIELD_VEC3;
        uint32_t size = (uint32_t)kni_field_size(field), word = is_several ? 4 : size;
        for (uint32_t at = 0; at < size * field->count; at += word) {
            kni_order(state + field->offset + at, word);
        }
    }
}

// A state of plain bytes that has fields now: what its numbers cannot mean here is null.
static void state_settle(const save_reader *r, const kni_fields *fields, uint8_t *state)
{
    if (r->version < 3) {
        state_order(fields, state);
    }
    for (uint32_t i = 0; i < fields->table.field_count; i++) {
        const kn_def_field *field = &fields->table.fields[i];
        kn_def_kind kind = kni_field_refers_to(field->kind);
        for (uint32_t j = 0; kind != KN_DEF_KIND_COUNT && j < field->count; j++) {
            uint8_t *at = state + field->offset + kni_field_size(field) * j;
            if (kni_field_load(at, 4) > kni_ref_count(r->world->library, kind)) {
                kni_field_store(at, 4, 0);
            }
        }
    }
}

// Bytes with places of names where references are; what says how to read them is there already.
static void load_bytes(
    save_reader *r, kni_bytes which, const void *record, uint8_t *bytes, uint32_t size)
{
    uint32_t shape = kni_read_u32(&r->in);
    const uint8_t *from = kni_read_bytes(&r->in, size);
    if (from == NULL) {
        return;
    }
    memcpy(bytes, from, size);
    // Before version 3 the state of a custom task stood in front, and the shape was its size.
    uint32_t state = r->version < 3 ? kni_bytes_state(r->world, which, record)->size : 0;
    if (which == KNI_BYTES_TASK ? shape != state || shape > size : shape > 1) {
        save_fail(r, "a task or an event has changed the layout of its data");
        return;
    }
    const kni_ref_walk walk = {load_visit, r, false};
    if (!kni_bytes_refs(r->world, which, record, shape, bytes + state, size - state, &walk)) {
        save_fail(r, "the data of a task or an event is invalid");
    }
}

static void load_span(save_reader *r, const kn_def_field *field, uint8_t *at,
    const kni_effect_type *type, bool is_foreign)
{
    kni_span span = {0};
    size_t size = field->table->size;
    uint32_t count = load_count(r, load_size_min(r, field->table));
    if (r->in.failed || count == 0) {
        return;
    }
    if (!kni_span_reserve(&r->world->heap, &r->world->memory, &span, count, size)) {
        save_no_memory(r);
        return;
    }
    span.count = count;
    memset(kni_heap_at(&r->world->heap, span.ref), 0, count * size);
    memcpy(at, &span, sizeof(span));
    if (field->limit == KNI_BYTES_TASK || field->limit == KNI_BYTES_TARGETS) {
        load_bytes(r, (kni_bytes)field->limit, at - field->offset,
            kni_heap_at(&r->world->heap, span.ref), count);
    } else {
        for (uint32_t i = 0; i < count && load_ok(r); i++) {
            void *item = kni_span_at(&r->world->heap, &span, i, size);
            (void)load_record(r, field->table, item, type, is_foreign);
        }
    }
    if (load_ok(r) && kni_bytes_have_state(field->limit)) { // before version 3
        const kni_fields *state =
            kni_bytes_state(r->world, (kni_bytes)field->limit, at - field->offset);
        if (count >= state->size) {
            state_settle(r, state, kni_heap_at(&r->world->heap, span.ref));
        }
    }
}

// What the library has for a field of the save; NULL if it is gone. `guess` is where it was.
static const kn_def_field *field_now(
    const kn_def_table *table, const save_field *field, uint32_t guess)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *now = &table->fields[(guess + i) % table->field_count];
        if (strncmp(now->name, field->name, field->length) == 0 && now->name[field->length] == 0) {
            return now;
        }
    }
    return NULL;
}

// A struct by its fields, as a layout of the save says. The record must be clear: what the save
// does not have stays zero.
static bool load_fields(
    save_reader *r, const save_layout *layout, const kn_def_table *table, uint8_t *record)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        const save_field *field = &r->fields[layout->first + i];
        const kn_def_field *now = field_now(table, field, i);
        if (now != NULL && now->kind != field->kind) {
            if (r->result == KN_OK) {
                r->result = kni_error(r->error, KN_ERROR_BAD_DATA,
                    "%s has `%s` with a field `%s` of another kind; give it a new name",
                    save_whose(r), table->name, now->name);
            }
            return false;
        }
        if (field->kind > KN_FIELD_CURVE) {
            save_fail(r, "a field has an unknown kind");
            return false;
        }
        kn_def_field one = {.name = "", .kind = (uint8_t)field->kind, .count = 1};
        size_t size = kni_field_size(&one);
        for (uint32_t j = 0; j < field->count && load_ok(r); j++) {
            uint8_t element[16] = {0};
            load_field(r, &one, element, NULL, NULL, true);
            if (now != NULL && j < now->count) {
                memcpy(record + now->offset + size * j, element, size);
            }
        }
        if (!load_ok(r)) {
            return false;
        }
    }
    return true;
}

// The layout at a place in the list; NULL for 0, and on a failure.
static const save_layout *load_layout_ref(save_reader *r)
{
    uint32_t place = kni_read_u32(&r->in);
    if (r->in.failed || place == 0) {
        return NULL;
    }
    if (place > r->layout_count) {
        save_fail(r, "a reference points to nothing");
        return NULL;
    }
    return &r->layouts[place - 1];
}

static bool state_changed(save_reader *r, const kni_fields *fields)
{
    return save_changed(r, "`%s` has a different state layout than in %s", fields->table.name);
}

// A block of state, clear and of the size the library says. *is_there: the save had one.
static bool load_state(save_reader *r, const kni_fields *fields, uint8_t *state, bool *is_there)
{
    const save_layout *layout = load_layout_ref(r);
    *is_there = layout != NULL;
    if (layout != NULL) {
        return fields->number1 == 0 && fields->size > 0
                   ? state_changed(r, fields)
                   : load_fields(r, layout, &fields->table, state);
    }
    uint32_t size = kni_read_u32(&r->in);
    const uint8_t *bytes = kni_read_bytes(&r->in, size);
    if (!load_ok(r) || size == 0) {
        return load_ok(r);
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
static void load_state_bytes(save_reader *r, kni_bytes which, const void *record, uint8_t *at)
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
    uint32_t rest = which == KNI_BYTES_TASK ? load_count(r, 1) : 0;
    if (r->in.failed || size + rest == 0) {
        return;
    }
    kni_span span = {0};
    if (!kni_span_reserve(&r->world->heap, &r->world->memory, &span, size + rest, 1)) {
        save_no_memory(r);
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
static void block_store(save_reader *r, uint8_t *at, const uint8_t *bytes, uint32_t size)
{
    kni_ref ref = kni_heap_acquire(&r->world->heap, &r->world->memory, size);
    if (ref == 0) {
        save_no_memory(r);
        return;
    }
    memcpy(kni_heap_at(&r->world->heap, ref), bytes, size);
    memcpy(at, &ref, sizeof(ref));
}

static void load_state_block(save_reader *r, uint8_t *at, const kni_fields *fields)
{
    uint8_t state[KNI_STATE_MAX] = {0};
    bool is_there;
    if (load_state(r, fields, state, &is_there) && is_there && fields->size > 0) {
        block_store(r, at, state, fields->size);
    }
}

static void load_block(save_reader *r, uint8_t *at, uint32_t expected)
{
    uint32_t size = kni_read_u32(&r->in);
    const uint8_t *bytes = kni_read_bytes(&r->in, size);
    if (bytes == NULL || size == 0) {
        return;
    }
    if (size != expected) {
        save_fail(r, "a block of state or payload has the wrong size");
        return;
    }
    block_store(r, at, bytes, size);
}

static void load_float(save_reader *r, uint8_t *at, bool may_be_absent)
{
    float value = kni_read_f32(&r->in);
    if (!isfinite(value) && !(may_be_absent && isnan(value))) {
        save_fail(r, "a number is not finite");
    }
    memcpy(at, &value, sizeof(value));
}

static void load_field(save_reader *r, const kn_def_field *field, uint8_t *at, const void *record,
    const kni_effect_type *type, bool is_foreign)
{
    size_t size = kni_field_size(field);
    switch (field->kind) {
    case KNI_FIELD_SPAN:
        if (kni_bytes_have_state(field->limit) && r->version >= 3) {
            load_state_bytes(r, (kni_bytes)field->limit, record, at);
        } else {
            load_span(r, field, at, type, is_foreign);
        }
        break;
    case KNI_FIELD_BLOCK: {
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
    case KNI_FIELD_ABSENT_F32:
        load_float(r, at, true);
        break;
    case KN_FIELD_F32:
        if (is_foreign) { // a game's own data
            kni_field_store(at, 4, kni_read_u32(&r->in));
        } else {
            load_float(r, at, false);
        }
        break;
    case KNI_FIELD_FLAGS16: {
        uint64_t flags = kni_read_uint(&r->in, 2);
        if ((flags & ~(uint64_t)field->limit) != 0) {
            save_fail(r, "a flag is unknown");
        }
        kni_field_store(at, 2, flags);
        break;
    }
    case KNI_FIELD_ENUM8:
    case KN_FIELD_BOOL: {
        uint8_t value = kni_read_u8(&r->in);
        if (value >= (field->kind == KN_FIELD_BOOL ? 2 : field->limit)) {
            save_fail(r, "a choice is unknown");
        }
        *at = value;
        break;
    }
    case KN_FIELD_TAG:
    case KN_FIELD_ATTRIBUTE:
    case KN_FIELD_CURVE:
        kni_field_store(at, size, load_ref(r, kni_field_refers_to(field->kind)));
        break;
    case KN_DEF_FIELD_REF:
        kni_field_store(at, size, load_ref(r, (kn_def_kind)field->limit));
        break;
    case KNI_FIELD_REF16:
        kni_field_store(at, size, load_ref_needed(r, (kn_def_kind)field->limit));
        break;
    case KNI_FIELD_INDEX16:
    case KNI_FIELD_INDEX32:
        kni_field_store(at, size, load_ref_needed(r, (kn_def_kind)field->limit) - 1);
        break;
    case KN_FIELD_ENTITY:
    case KN_FIELD_EFFECT:
    case KN_FIELD_VEC3:
        for (size_t i = 0; i < size; i += 4) {
            kni_field_store(at + i, 4, kni_read_u32(&r->in));
        }
        break;
    default:
        kni_field_store(at, size, kni_read_uint(&r->in, (uint32_t)size));
        break;
    }
}

// The record must be clear. `type` is the effect type of an extension record. `is_foreign`: data of
// a game, which may hold anything.
static bool load_record(save_reader *r, const kn_def_table *table, void *record,
    const kni_effect_type *type, bool is_foreign)
{
    for (uint32_t i = 0; i < load_field_count(r, table); i++) {
        const kn_def_field *field = &table->fields[i];
        uint8_t *at = (uint8_t *)record + field->offset;
        size_t size = kni_field_size(field);
        for (uint32_t j = 0; j < field->count; j++) {
            load_field(r, field, at + size * j, record, type, is_foreign);
        }
        if (r->in.failed || r->result != KN_OK) {
            return load_ok(r);
        }
    }
    return true;
}

// The slot of the next record, in ascending order, taken in the pool. False on failure.
static bool load_slot(
    save_reader *r, kni_pool *pool, uint32_t count, uint32_t *previous1, uint32_t *slot)
{
    *slot = kni_read_u32(&r->in);
    if (!load_ok(r)) {
        return false;
    }
    if (*slot < *previous1 || *slot >= KNI_POOL_MAX ||
        (*slot >= SAVE_SLOTS_FREE && *slot / SAVE_SLOTS_PER_RECORD >= count)) {
        return save_fail(r, "a slot is out of order");
    }
    *previous1 = *slot + 1;
    return kni_pool_acquire_at(pool, &r->world->memory, *slot) || save_no_memory(r);
}

// Names and types -----------------------------------------------------------

#define SAVE_NAMES_TOLD 6

static void unknown_name(
    save_reader *r, kni_text *text, uint32_t count, uint32_t kind, const char *name)
{
    if (r->error == NULL || count >= SAVE_NAMES_TOLD) {
        return;
    }
    if (count == 0) {
        memset(r->error, 0, sizeof(*r->error));
        kni_text_init(text, r->error->message, sizeof(r->error->message));
        kni_text_str(text, "the library lacks what ");
        kni_text_str(text, save_whose(r));
        kni_text_str(text, r->is_reload ? " has: " : " names: ");
    } else {
        kni_text_str(text, ", ");
    }
    kni_text_str(text, kni_save_kind_name(kind));
    kni_text_str(text, " `");
    kni_text_str(text, name);
    kni_text_char(text, '`');
}

static bool load_names(save_reader *r)
{
    if (!section_open(r, SAVE_NAMES)) {
        return false;
    }
    uint32_t count = load_count(r, 5);
    if (!load_ok(r)) {
        return false;
    }
    if (count > 0) {
        r->places = kni_realloc(&r->world->memory, NULL, 0, count * sizeof(*r->places));
        if (r->places == NULL) {
            return save_no_memory(r);
        }
    }
    r->place_count = count;
    kni_text text = {0};
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < count; i++) {
        char name[2 * KN_TAG_NAME_MAX + 2]; // an attribute has the name of its set in front
        uint32_t kind = kni_read_u8(&r->in);
        kni_read_str(&r->in, name, sizeof(name));
        if (!load_ok(r)) {
            return false;
        }
        if (kni_save_kind_name(kind) == NULL) {
            return save_fail(r, "a kind of name is unknown");
        }
        r->places[i].kind = kind;
        r->places[i].index1 = kni_ref_find(r->world->library, (kn_def_kind)kind, name);
        if (r->places[i].index1 == 0) {
            unknown_name(r, &text, unknown++, kind, name);
        }
    }
    if (unknown > 0) {
        r->result = KN_ERROR_BAD_DATA;
        if (r->error != NULL) {
            r->error->code = KN_ERROR_BAD_DATA;
            if (unknown > SAVE_NAMES_TOLD) {
                kni_text_str(&text, " and ");
                kni_text_u64(&text, unknown - SAVE_NAMES_TOLD);
                kni_text_str(&text, " more");
            }
        }
        return false;
    }
    return section_close(r);
}

// Adds one layout to those of the save.
static bool load_layout_add(save_reader *r)
{
    kni_memory *memory = &r->world->memory;
    uint32_t count = load_count(r, 9);
    if (!load_ok(r)) {
        return false;
    }
    if (!kni_grow(
            memory, &r->layouts, &r->layout_capacity, r->layout_count + 1, sizeof(*r->layouts)) ||
        !kni_grow(
            memory, &r->fields, &r->field_capacity, r->field_count + count, sizeof(*r->fields))) {
        return save_no_memory(r);
    }
    save_layout layout = {.first = r->field_count, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        save_field field = {.length = kni_read_u32(&r->in)};
        field.name = (const char *)kni_read_bytes(&r->in, field.length);
        field.kind = kni_read_u8(&r->in);
        field.count = kni_read_u32(&r->in);
        if (!load_ok(r)) {
            return false;
        }
        if (field.kind < KN_FIELD_U8 || field.kind > KN_FIELD_CURVE || field.count == 0 ||
            field.count > KNI_FIELD_ELEMENTS_MAX || memchr(field.name, 0, field.length) != NULL) {
            return save_fail(r, "a field is invalid");
        }
        kn_def_field one = {.name = "", .kind = (uint8_t)field.kind, .count = 1};
        layout.size += kni_field_size(&one) * field.count;
        r->fields[r->field_count++] = field;
    }
    r->layouts[r->layout_count++] = layout;
    return true;
}

static bool load_layouts(save_reader *r)
{
    if (r->version < 3) { // each stood before the components that had it
        return true;
    }
    if (!section_open(r, SAVE_FIELDS)) {
        return false;
    }
    uint32_t count = load_count(r, 4);
    for (uint32_t i = 0; i < count; i++) {
        if (!load_layout_add(r)) {
            return false;
        }
    }
    return section_close(r);
}

static bool load_type(save_reader *r, const kn_effect_def *def)
{
    kn_world *world = r->world;
    if (def->name == NULL || def->name[0] == 0 || strlen(def->name) > KN_TAG_NAME_MAX) {
        return save_fail(r, "an effect made at run time has no name");
    }
    if (kni_ref_find(world->library, KN_DEF_EFFECT, def->name) != 0) {
        return save_changed(
            r, "the library has an effect `%s`, which %s made at run time", def->name);
    }
    for (uint32_t i = kni_library_type_count(world); i < world->type_count; i++) {
        if (strcmp(world->types[i]->name, def->name) == 0) {
            return save_fail(r, "an effect made at run time appears twice");
        }
    }
    for (uint32_t i = 0; i < def->child_count; i++) {
        if (def->children[i].type.index1 == 0) {
            return save_fail(r, "an effect made at run time starts nothing");
        }
    }
    kn_error error;
    kn_result result = kni_effect_type_check(world->library, def, &error);
    uint32_t index;
    if (result == KN_OK) {
        result = kni_dynamic_type_add(world, def, &index, &error);
    }
    if (result == KN_ERROR_OUT_OF_MEMORY) {
        return save_no_memory(r);
    }
    return result == KN_OK ||
           save_changed(r, "an effect made at run time is invalid: %s", error.message);
}

static bool load_types(save_reader *r)
{
    if (!section_open(r, SAVE_TYPES)) {
        return false;
    }
    uint32_t count = load_count(r, 1);
    for (uint32_t i = 0; i < count; i++) {
        kn_effect_def def;
        if (!kni_def_read(
                r->world->library, &r->world->memory, &kni_effect_def_table, &def, &r->in)) {
            if (r->in.no_memory) {
                return save_no_memory(r);
            }
            return save_fail(r, "an effect made at run time names something unknown");
        }
        bool ok = load_type(r, &def);
        kni_def_free(&r->world->memory, &kni_effect_def_table, &def);
        if (!ok) {
            return false;
        }
    }
    return section_close(r);
}

// World, entities, components -----------------------------------------------

static bool load_world(save_reader *r)
{
    if (!section_open(r, SAVE_WORLD)) {
        return false;
    }
    kn_world *world = r->world;
    world->now = (kn_time)kni_read_u64(&r->in);
    world->next_number = kni_read_u64(&r->in);
    world->targeting_now = r->version >= 2 ? (kn_time)kni_read_u64(&r->in) : 0;
    uint32_t streams = kni_read_u32(&r->in);
    if (world->now < 0 || world->now > KN_TIME_MAX || world->next_number == 0 ||
        world->targeting_now < 0 || world->targeting_now > KN_TIME_MAX ||
        streams != KNI_STREAM_COUNT) {
        return save_fail(r, "its time or its numbers are out of range");
    }
    for (uint32_t i = 0; i < KNI_STREAM_COUNT; i++) {
        if (!load_record(r, &kni_random_table, &world->streams[i], NULL, false)) {
            return false;
        }
        if ((world->streams[i].increment & 1) == 0) {
            return save_fail(r, "a random stream is invalid");
        }
    }
    if (r->version >= 4) {
        world->seed = kni_read_u64(&r->in);
    }
    return section_close(r);
}

// Numbers of living things are below the next one.
static bool number_is_good(const save_reader *r, uint64_t number)
{
    return (uint32_t)number != 0 && number < r->world->next_number;
}

static bool load_entities(save_reader *r)
{
    if (!section_open(r, SAVE_ENTITIES)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = load_count(r, 4 + load_size_min(r, &kni_entity_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!load_slot(r, &world->entities, count, &previous1, &slot) ||
            !load_record(r, &kni_entity_table, kni_entity_at(world, slot), NULL, false)) {
            return false;
        }
        uint32_t generation = kni_entity_at(world, slot)->generation;
        if (generation == 0 ||
            (world->next_number <= UINT32_MAX && generation >= world->next_number)) {
            return save_fail(r, "an entity has an invalid number");
        }
    }
    return section_close(r);
}

static bool sets_overlap(const kn_library *library, uint32_t a, uint32_t b)
{
    for (uint32_t x = a; x != KNI_NONE; x = kni_set_at(library, x)->parent) {
        for (uint32_t y = b; y != KNI_NONE; y = kni_set_at(library, y)->parent) {
            if (x == y) {
                return true;
            }
        }
    }
    return false;
}

static bool load_layout(save_reader *r, kni_component *component)
{
    kn_world *world = r->world;
    kni_set_instance sets[SAVE_SETS_MAX] = {{0}};
    uint32_t count = load_count(r, 8);
    if (!load_ok(r)) {
        return false;
    }
    if (count > SAVE_SETS_MAX) {
        return save_fail(r, "an entity has too many attribute sets");
    }
    uint32_t values = 0;
    for (uint32_t i = 0; i < count; i++) {
        sets[i].set = load_ref_needed(r, KN_DEF_ATTRIBUTE_SET) - 1;
        sets[i].key = kni_read_u32(&r->in);
        if (!load_ok(r)) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (sets[j].key == sets[i].key &&
                sets_overlap(world->library, sets[j].set, sets[i].set)) {
                return save_fail(r, "an entity has an attribute set twice");
            }
        }
        values += kni_set_at(world->library, sets[i].set)->count;
        if (values >= KNI_NO_POSITION) {
            return save_fail(r, "an entity has too many attributes");
        }
    }
    uint32_t layout = kni_layout_find(world, sets, count);
    if (layout == KNI_NONE) {
        return save_no_memory(r);
    }
    component->layout = layout;
    if (values > 0) {
        component->values =
            kni_heap_acquire(&world->heap, &world->memory, values * sizeof(kni_value));
        if (component->values == 0) {
            return save_no_memory(r);
        }
    }
    // NaN stands for "the save does not have it".
    for (uint32_t i = 0; i < values; i++) {
        kni_values_of(world, component)[i] = (kni_value){NAN, NAN, 0};
    }
    return true;
}

// Where an attribute stands in a set, or KNI_NONE.
static uint32_t set_place(const kni_set *set, uint32_t attribute, uint32_t guess)
{
    if (guess < set->count && set->attributes[guess] == attribute) {
        return guess;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->attributes[i] == attribute) {
            return i;
        }
    }
    return KNI_NONE;
}

static bool load_values(save_reader *r, const kni_component *component)
{
    kn_world *world = r->world;
    const kni_layout *layout = &world->layouts[component->layout];
    for (uint32_t i = 0; i < layout->set_count; i++) {
        const kni_set *set = kni_set_at(world->library, layout->sets[i].set);
        uint32_t count = load_count(r, 12);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t attribute = load_ref_needed(r, KN_DEF_ATTRIBUTE) - 1;
            kni_value value = {0};
            if (!load_record(r, &kni_value_table, &value, NULL, false)) {
                return false;
            }
            uint32_t place = set_place(set, attribute, j);
            if (place == KNI_NONE) {
                return save_changed(r, "%s is no longer in the set that has it in %s",
                    kni_attribute_at(world->library, attribute)->name);
            }
            kni_value *target = &kni_values_of(world, component)[layout->sets[i].first + place];
            if (!isnan(target->base)) {
                return save_fail(r, "an attribute appears twice");
            }
            *target = value;
        }
    }
    return load_ok(r);
}

static bool load_components(save_reader *r)
{
    if (!section_open(r, SAVE_COMPONENTS)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = load_count(r, 8 + load_size_min(r, &kni_component_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!load_slot(r, &world->components, count, &previous1, &slot)) {
            return false;
        }
        kni_component *component = kni_component_at(world, slot);
        if (!load_record(r, &kni_component_table, component, NULL, false) ||
            !load_layout(r, component) || !load_values(r, component)) {
            return false;
        }
    }
    if (!kni_tag_bits_reserve(world)) {
        return save_no_memory(r);
    }
    memset(
        world->tag_bits, 0, (size_t)world->components.used * world->tag_words * sizeof(uint64_t));
    return section_close(r);
}

// Binds an entity to the component that answers for it.
static bool component_bind(save_reader *r, uint32_t entity, uint32_t component)
{
    if (!kni_pool_is_live(&r->world->entities, entity) ||
        kni_entity_at(r->world, entity)->component1 != 0) {
        return save_fail(r, "a component has the wrong owner");
    }
    kni_entity_at(r->world, entity)->component1 = component + 1;
    return true;
}

static bool parents_are_good(save_reader *r, uint32_t slot)
{
    const kn_world *world = r->world;
    uint32_t at = slot;
    for (uint32_t steps = 0; steps < SAVE_PARENTS_MAX; steps++) {
        kn_entity_id parent = kni_component_at(world, at)->parent;
        if (parent.index1 == 0) {
            return parent.generation == 0 || save_fail(r, "a component has the wrong parent");
        }
        at = kni_component_find(world, parent);
        if (at == KNI_NONE || !kn_entity_id_equal(kni_component_entity(world, at), parent)) {
            return save_fail(r, "a component has the wrong parent");
        }
    }
    return save_fail(r, "parents of components form a cycle, or a chain that is too long");
}

// Owners and bodies first, then what leads from component to component.
static bool components_link(save_reader *r)
{
    kn_world *world = r->world;
    for (uint32_t i = kni_pool_next(&world->components, 0); i != KNI_NONE;
         i = kni_pool_next(&world->components, i + 1)) {
        kni_component *component = kni_component_at(world, i);
        if (!component_bind(r, component->entity, i)) {
            return false;
        }
        component->generation = kni_entity_at(world, component->entity)->generation;
    }
    for (uint32_t i = kni_pool_next(&world->components, 0); i != KNI_NONE;
         i = kni_pool_next(&world->components, i + 1)) {
        uint32_t body = kni_entity_find(world, kni_component_at(world, i)->avatar);
        if (body == KNI_NONE) {
            return save_fail(r, "a component has no body");
        }
        if (body != kni_component_at(world, i)->entity && !component_bind(r, body, i)) {
            return false;
        }
    }
    for (uint32_t i = kni_pool_next(&world->components, 0); i != KNI_NONE;
         i = kni_pool_next(&world->components, i + 1)) {
        if (!parents_are_good(r, i)) {
            return false;
        }
    }
    return true;
}

// Effects and specs ---------------------------------------------------------

static bool time_between(kn_time time, kn_time first, kn_time last)
{
    return time >= first && time <= last;
}

// Numbers of things, each there once and in order; the library that reads may number them
// otherwise.
static bool load_sort(save_reader *r, const kni_span *span, size_t size)
{
    kni_sort_by_key(kni_span_at(&r->world->heap, span, 0, size), size, span->count);
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t key = kni_field_load(kni_span_at(&r->world->heap, span, i, size), 4);
        uint64_t before =
            i > 0 ? kni_field_load(kni_span_at(&r->world->heap, span, i - 1, size), 4) : 0;
        if (key <= before) {
            return save_fail(r, "a tag or name is missing from a list, or appears in it twice");
        }
    }
    return true;
}

static bool rare_lists_are_good(save_reader *r, const kni_rare *rare)
{
    return load_sort(r, &rare->caller, sizeof(kni_pair)) &&
           load_sort(r, &rare->named, sizeof(kni_pair)) &&
           load_sort(r, &rare->granted, sizeof(uint32_t)) &&
           load_sort(r, &rare->asset, sizeof(uint32_t)) &&
           load_sort(r, &rare->source_tags, sizeof(uint32_t));
}

// What an extension record of any owner must fulfil.
static bool rare_is_good(save_reader *r, const kni_rare *rare, const kni_effect_type *type)
{
    const kn_world *world = r->world;
    if (rare->captures.count != type->capture_count ||
        (rare->magnitudes.count != 0 && rare->magnitudes.count != type->modifier_count)) {
        return save_changed(
            r, "effect `%s` has different captures or modifiers than in %s", type->name);
    }
    if ((rare->payload_type != 0) != (rare->payload != 0)) {
        return save_fail(r, "a context has lost its payload");
    }
    if (rare->has_source_tags > 1 || rare->given > (KNI_GIVEN_DURATION | KNI_GIVEN_PERIOD) ||
        rare->has_origin > 1 || !time_between(rare->period, 0, KN_TIME_MAX) ||
        (rare->base_duration != KN_TIME_INFINITE &&
            !time_between(rare->base_duration, 0, KN_TIME_MAX)) ||
        !time_between(rare->paused, -1, KN_TIME_MAX - world->now) ||
        !time_between(rare->last_tick, 0, world->now)) {
        return save_fail(r, "an effect has invalid times");
    }
    if (!kn_target_is_valid(world->library, kni_targets_view(world, &rare->targets))) {
        return save_fail(r, "a context has malformed target data");
    }
    return rare_lists_are_good(r, rare);
}

static uint32_t load_rare(save_reader *r, const kni_effect_type *type)
{
    uint8_t has = kni_read_u8(&r->in);
    if (!load_ok(r) || has == 0) {
        return 0;
    }
    uint32_t slot = kni_pool_acquire(&r->world->rares, &r->world->memory);
    if (slot == KNI_NONE) {
        save_no_memory(r);
        return 0;
    }
    kni_rare *rare = kni_pool_at(&r->world->rares, slot); // only the heap grows while it is read
    if (has > 1) {
        save_fail(r, "a choice is unknown");
    } else if (load_record(r, &kni_rare_table, rare, type, false)) {
        rare_is_good(r, rare, type);
    }
    return slot + 1;
}

static bool effect_times_are_good(save_reader *r, const kni_effect *effect)
{
    const kn_world *world = r->world;
    const kni_effect_type *type = kni_type_at(world, effect->type);
    bool is_endless = effect->duration == KN_TIME_INFINITE;
    if (!time_between(effect->start, 0, world->now) ||
        (is_endless != (type->def.duration_kind == KN_DURATION_INFINITE) &&
            !(is_endless && (type->flags & KNI_EFFECT_OWN_TIMERS) != 0))) {
        return save_fail(r, "an effect has invalid times");
    }
    if (!is_endless && (!time_between(effect->duration, 0, KN_TIME_MAX - effect->start) ||
                           kni_effect_end_time(effect) < world->now)) {
        return save_fail(r, "an effect has invalid times");
    }
    if (effect->next_tick != KN_TIME_INFINITE) {
        if ((type->flags & KNI_EFFECT_PERIODIC) == 0 || kni_effect_period(world, effect) <= 0 ||
            !time_between(effect->next_tick, world->now, KN_TIME_MAX)) {
            return save_fail(r, "an effect has an invalid next tick");
        }
    }
    return true;
}

// Stacks with timers of their own: as many as the effect says, and the first to end ends it.
static bool effect_stacks_are_good(save_reader *r, const kni_effect *effect)
{
    const kn_world *world = r->world;
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_rare *rare = effect->rare1 != 0 ? kni_rare_at(world, effect->rare1) : NULL;
    uint32_t timers = rare != NULL ? rare->stacks.count : 0;
    if ((type->flags & KNI_EFFECT_OWN_TIMERS) == 0) {
        return timers == 0 || save_fail(r, "an effect has timers it cannot have");
    }
    for (uint32_t i = 0; i < timers; i++) {
        const kni_stack *stack = KNI_SPAN_AT(world, rare->stacks, kni_stack, i);
        if (!time_between(stack->start, 0, world->now) ||
            (stack->end != KN_TIME_INFINITE &&
                !time_between(stack->end, world->now, KN_TIME_MAX))) {
            return save_fail(r, "a stack has invalid times");
        }
    }
    return (timers == effect->stacks &&
               kni_stacks_next_end(world, effect) == kni_effect_end_time(effect)) ||
           save_fail(r, "the stacks of an effect do not add up");
}

static bool effect_is_good(save_reader *r, const kni_effect *effect)
{
    const kn_world *world = r->world;
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & KNI_EFFECT_ACTIVE) == 0) {
        return save_changed(r, "effect `%s` is active in %s but instant here", type->name);
    }
    if ((type->flags & KNI_EFFECT_NEEDS_RARE) != 0 && effect->rare1 == 0) {
        return save_changed(r,
            "effect `%s` has other needs than in %s: it now keeps captures, timers or state",
            type->name);
    }
    bool is_off = (effect->flags & KNI_ACTIVE_INHIBITED) != 0;
    bool is_attached = (effect->flags & KNI_ACTIVE_ATTACHED) != 0;
    bool may_have_cues = (type->def.cue_needs_success & KN_CUE_PHASE_ADDED) != 0 && !is_off;
    if ((effect->flags & ~(KNI_ACTIVE_INHIBITED | KNI_ACTIVE_ATTACHED |
                             (may_have_cues ? KNI_ACTIVE_CUES : 0))) != 0 ||
        is_off == is_attached || (is_off && (type->flags & KNI_EFFECT_ONGOING) == 0)) {
        return save_fail(r, "an effect is neither on nor off");
    }
    if (!number_is_good(r, effect->number) || effect->stacks == 0 ||
        !kni_pool_is_live(&world->components, effect->component)) {
        return save_fail(r, "an effect has an invalid number or target");
    }
    if (effect->rare1 != 0) {
        const kni_rare *rare = kni_rare_at(world, effect->rare1);
        if ((rare->state == 0) != (kni_rare_blocks(world, type, 0).size[KNI_BLOCK_STATE] == 0)) {
            return save_changed(r, "effect `%s` has different logic than in %s", type->name);
        }
        for (uint32_t i = 0; i < rare->children.count; i++) {
            if (KNI_SPAN_AT(world, rare->children, kni_child_link, i)->child >=
                type->def.child_count) {
                return save_fail(r, "an effect has a child it cannot have");
            }
        }
    }
    uint32_t slot = (uint32_t)(effect - kni_effect_at(world, 0));
    if (!kni_grants_parked_are_good(world, slot)) {
        return save_fail(r, "an effect has removed a grant it cannot remove");
    }
    return effect_times_are_good(r, effect) && effect_stacks_are_good(r, effect);
}

// A state with fields that the logic did not have when the save was written.
static bool effect_state_begin(save_reader *r, const kni_effect *effect)
{
    kni_rare *rare = effect->rare1 != 0 ? kni_rare_at(r->world, effect->rare1) : NULL;
    const kni_fields *fields =
        kni_rare_blocks(r->world, kni_type_at(r->world, effect->type), 0).state;
    if (rare != NULL && rare->state == 0 && fields->number1 != 0) {
        static const uint8_t zero[KNI_STATE_MAX];
        block_store(r, (uint8_t *)&rare->state, zero, fields->size);
    }
    return load_ok(r);
}

static bool load_effects(save_reader *r)
{
    if (!section_open(r, SAVE_EFFECTS)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = load_count(r, 5 + load_size_min(r, &kni_effect_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!load_slot(r, &world->effects, count, &previous1, &slot)) {
            return false;
        }
        kni_effect *effect = kni_effect_at(world, slot);
        if (!load_record(r, &kni_effect_table, effect, NULL, false)) {
            return false;
        }
        effect->rare1 = load_rare(r, kni_type_at(world, effect->type));
        if (!load_ok(r) || !effect_state_begin(r, effect) || !effect_is_good(r, effect)) {
            return false;
        }
    }
    return section_close(r);
}

static bool spec_is_good(save_reader *r, const kni_spec *spec)
{
    if (!number_is_good(r, spec->number) || spec->flags > 1 || spec->duration > KN_TIME_MAX ||
        spec->period > KN_TIME_MAX || spec->period == 0 || spec->rare1 == 0) {
        return save_fail(r, "a spec has invalid numbers");
    }
    const kni_rare *rare = kni_rare_at(r->world, spec->rare1);
    return (rare->stacks.count == 0 && rare->children.count == 0 && rare->state == 0 &&
               rare->magnitudes.count == 0 && rare->parked == 0) ||
           save_fail(r, "a spec has data that only active effects have");
}

static bool load_specs(save_reader *r)
{
    if (!section_open(r, SAVE_SPECS)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = load_count(r, 5 + load_size_min(r, &kni_spec_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!load_slot(r, &world->specs, count, &previous1, &slot)) {
            return false;
        }
        kni_spec *spec = kni_pool_at(&world->specs, slot);
        if (!load_record(r, &kni_spec_table, spec, NULL, false)) {
            return false;
        }
        spec->rare1 = load_rare(r, kni_type_at(world, spec->type));
        if (!load_ok(r) || !spec_is_good(r, spec)) {
            return false;
        }
    }
    return section_close(r);
}

// Tags, timers, extension components ----------------------------------------

static void origin_set_sync(
    const kn_world *world, const kni_component *component, const kni_origin_row *from)
{
    for (uint32_t i = 0; i < component->origins.count; i++) {
        kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        if (row->tag == from->tag && row->origin == from->origin) {
            row->sync = from->sync;
        }
    }
}

static bool load_tags(save_reader *r)
{
    if (!section_open(r, SAVE_TAGS)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = load_count(r, 4 + load_size_min(r, &kni_origin_row_table));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t component = kni_read_u32(&r->in);
        kni_origin_row row = {0};
        if (!load_record(r, &kni_origin_row_table, &row, NULL, false)) {
            return false;
        }
        if (!kni_pool_is_live(&world->components, component) || !kni_save_has_origin(row.origin) ||
            row.count == 0 ||
            !kni_rebuild_tag(world, component, row.tag, (kn_tag_origin)row.origin, row.count)) {
            return save_fail(r, "a tag has an invalid count");
        }
        if (world->is_broken) {
            return save_no_memory(r);
        }
        origin_set_sync(world, kni_component_at(world, component), &row);
    }
    return section_close(r);
}

static bool load_timers(save_reader *r)
{
    if (!section_open(r, SAVE_TIMERS)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = load_count(r, 4 + load_size_min(r, &kni_rule_timer_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!load_slot(r, &world->timers, count, &previous1, &slot)) {
            return false;
        }
        kni_rule_timer *timer = kni_pool_at(&world->timers, slot);
        if (!load_record(r, &kni_rule_timer_table, timer, NULL, false)) {
            return false;
        }
        bool has_owner = timer->entity.index1 != 0;
        if (!number_is_good(r, timer->number) ||
            !time_between(timer->time, world->now, KN_TIME_MAX) ||
            (has_owner && kni_entity_find(world, timer->entity) == KNI_NONE)) {
            return save_fail(r, "a timer has an invalid time or owner");
        }
    }
    return section_close(r);
}

// What saves did not have before version 4: seeds of what runs, and what makes those to come.
static void seeds_make(kn_world *world)
{
    const kni_pool *abilities = &world->abilities, *activations = &world->activations;
    for (uint32_t i = kni_pool_next(abilities, 0); i != KNI_NONE;
         i = kni_pool_next(abilities, i + 1)) {
        kni_ability_at(world, i)->salt = i; // unlike any other of its owner
    }
    for (uint32_t i = kni_pool_next(activations, 0); i != KNI_NONE;
         i = kni_pool_next(activations, i + 1)) {
        kni_activation *activation = kni_activation_at(world, i);
        activation->seed = kni_activation_seed_take(world, activation->ability, activation->start);
    }
}

// What acts. The first version of the format did not have it.
static bool load_actors(save_reader *r)
{
    kn_world *world = r->world;
    for (uint32_t p = KNI_POOL_FIRST_PLAIN; p < KNI_POOL_COUNT && r->version >= 2; p++) {
        const kn_def_table *table = kni_pools[p].table;
        if (!section_open(r, kni_pools[p].mark)) {
            return false;
        }
        uint32_t count = load_count(r, 4 + load_size_min(r, table));
        uint32_t previous1 = 0, slot;
        for (uint32_t i = 0; i < count; i++) {
            kni_pool *pool = kni_world_pool(world, p);
            if (!load_slot(r, pool, count, &previous1, &slot) ||
                !load_record(r, table, kni_pool_at(pool, slot), NULL, false)) {
                return false;
            }
        }
        if (!section_close(r)) {
            return false;
        }
    }
    const char *problem = kni_actors_check(world);
    if (problem != NULL) {
        return save_fail(r, problem);
    }
    if (r->version < 4) {
        seeds_make(world);
    }
    return true;
}

// Structs that have grown since the save take more memory than the save has bytes, within reason.
static bool growth_is_good(save_reader *r, uint64_t count, uint64_t size)
{
    uint64_t bytes = count * size;
    return bytes <= SAVE_GROWTH_FREE || bytes / SAVE_GROWTH_PER_BYTE <= r->in.size ||
           save_fail(r, "it is too short for the counts it declares");
}

// The layout of a component: a place in the list, or as it was before version 3, on the spot.
static bool load_component_layout(save_reader *r, save_layout *layout)
{
    if (r->version < 3) {
        if (!load_layout_add(r)) {
            return false;
        }
        *layout = r->layouts[r->layout_count - 1];
        return true;
    }
    const save_layout *found = load_layout_ref(r);
    *layout = found != NULL ? *found : (save_layout){0};
    return load_ok(r);
}

static bool load_items(
    save_reader *r, const save_layout *layout, const kn_def_table *table, kni_span *items)
{
    uint32_t count = load_count(r, layout->size > 0 ? layout->size : 1);
    if (!load_ok(r) || count == 0) {
        return load_ok(r);
    }
    if (layout->count == 0 || table->size == 0) {
        return save_fail(r, "a component has items that it cannot have");
    }
    if (!growth_is_good(r, count, table->size)) {
        return false;
    }
    kni_span span = {0};
    if (!kni_span_reserve(&r->world->heap, &r->world->memory, &span, count, table->size)) {
        return save_no_memory(r);
    }
    span.count = count;
    memset(kni_heap_at(&r->world->heap, span.ref), 0, (size_t)count * table->size);
    *items = span;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *item = kni_span_at(&r->world->heap, &span, i, table->size);
        if (!load_fields(r, layout, table, item)) {
            return false;
        }
    }
    return true;
}

static bool load_extension_entity(
    save_reader *r, kni_extension *extension, kn_entity_id entity, uint32_t slot)
{
    kn_world *world = r->world;
    if (entity.index1 == 0) {
        if (extension->world_slot1 != 0 || entity.generation != 0) {
            return save_fail(r, "a component appears twice");
        }
        extension->world_slot1 = slot + 1;
        return true;
    }
    uint32_t owner = kni_entity_find(world, entity);
    if (owner == KNI_NONE) {
        return save_fail(r, "a component has no owner");
    }
    uint32_t old = extension->by_entity_capacity;
    if (!kni_grow(&world->memory, &extension->by_entity, &extension->by_entity_capacity, owner + 1,
            sizeof(uint32_t))) {
        return save_no_memory(r);
    }
    for (uint32_t i = old; i < extension->by_entity_capacity; i++) {
        extension->by_entity[i] = 0;
    }
    if (extension->by_entity[owner] != 0) {
        return save_fail(r, "a component appears twice");
    }
    extension->by_entity[owner] = slot + 1;
    return true;
}

static bool load_extension(save_reader *r)
{
    kn_world *world = r->world;
    uint32_t index = load_ref_needed(r, KN_DEF_COMPONENT) - 1;
    if (!load_ok(r)) {
        return false;
    }
    const kni_component_type *type = kni_component_type_at(world->library, index);
    kni_extension *extension = &world->extensions[index];
    save_layout record, items;
    if (!load_component_layout(r, &record) || !load_component_layout(r, &items)) {
        return false;
    }
    uint32_t count = load_count(r, 12 + record.size);
    if (!load_ok(r) || !growth_is_good(r, count, type->record.table.size)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = kni_pool_acquire(&extension->pool, &world->memory);
        if (slot == KNI_NONE) {
            return save_no_memory(r);
        }
        kni_extension_head *head = kni_pool_at(&extension->pool, slot);
        if (!load_record(r, &kni_extension_head_table, head, NULL, true) ||
            !load_fields(r, &record, &type->record.table, (uint8_t *)(head + 1)) ||
            !load_items(r, &items, &type->items.table, &head->items) ||
            !load_extension_entity(r, extension, head->entity, slot)) {
            return false;
        }
    }
    return load_ok(r);
}

static bool load_extensions(save_reader *r)
{
    if (!section_open(r, SAVE_EXTENSIONS)) {
        return false;
    }
    uint32_t count = load_count(r, 4);
    for (uint32_t i = 0; i < count; i++) {
        if (!load_extension(r)) {
            return false;
        }
    }
    return section_close(r);
}

// Values --------------------------------------------------------------------

// The current value that base and modifiers give, hooks apart.
static float value_evaluate(const kn_world *world, uint32_t slot, uint32_t position,
    const kni_attribute *attribute, uint32_t key)
{
    const kni_component *component = kni_component_at(world, slot);
    const kni_value *value = &kni_values_of(world, component)[position];
    float current = value->aggregator1 == 0
                        ? value->base
                        : kni_attribute_raw(world, slot, position, attribute, value->base, NULL);
    float minimum, maximum;
    kni_bounds(world, component, attribute, key, false, &minimum, &maximum);
    current = kni_bounded(current, minimum, maximum);
    current = kni_round(attribute->def.rounding, attribute->def.minimum_one, current, value->base);
    return kni_bounded(current, minimum, maximum);
}

// One value: true if it was not what it should be. An attribute that its set did not have when the
// save was written begins at its default. A current value can be told from base and modifiers
// unless a hook, or a limit that moved, had a say in it; then it is what the save says.
static bool value_settle(
    kn_world *world, uint32_t slot, const kni_set_instance *instance, uint32_t index)
{
    const kni_component *component = kni_component_at(world, slot);
    const kni_set *set = kni_set_at(world->library, instance->set);
    const kni_attribute *attribute = kni_attribute_at(world->library, set->attributes[index]);
    uint32_t position = instance->first + index;
    kni_value *value = &kni_values_of(world, component)[position];
    bool is_new = isnan(value->base);
    if (is_new) {
        float minimum, maximum;
        kni_bounds(world, component, attribute, instance->key, true, &minimum, &maximum);
        value->base = kni_bounded(attribute->def.default_value, minimum, maximum);
        value->current = value->base;
    } else if (set->hooks.pre_change != NULL || attribute->def.link == KN_LINK_KEEP ||
               (attribute->flags & KNI_ATTRIBUTE_META) != 0) {
        return false;
    }
    float current = value_evaluate(world, slot, position, attribute, instance->key);
    if (!isfinite(current) || current == value->current) {
        return is_new;
    }
    value->current = current;
    return true;
}

#define SAVE_PASSES_MAX 16

// In a save of this library there is nothing to do. In one of an older library a value may move,
// and with it those it limits.
static bool values_settle(save_reader *r)
{
    kn_world *world = r->world;
    for (uint32_t pass = 0; pass < SAVE_PASSES_MAX; pass++) {
        bool changed = false;
        for (uint32_t i = kni_pool_next(&world->components, 0); i != KNI_NONE;
             i = kni_pool_next(&world->components, i + 1)) {
            const kni_layout *layout = &world->layouts[kni_component_at(world, i)->layout];
            for (uint32_t s = 0; s < layout->set_count; s++) {
                uint32_t count = kni_set_at(world->library, layout->sets[s].set)->count;
                for (uint32_t j = 0; j < count; j++) {
                    changed |= value_settle(world, i, &layout->sets[s], j);
                }
            }
        }
        if (!changed) {
            return true;
        }
    }
    return save_fail(r, "its attributes do not settle");
}

static bool load_derived(save_reader *r)
{
    kn_result result = kni_rebuild(r->world);
    if (result == KN_ERROR_OUT_OF_MEMORY) {
        return save_no_memory(r);
    }
    if (result != KN_OK) {
        return save_fail(r, "two effects share a number, or a tag count is too high");
    }
    return values_settle(r);
}

// Reading -------------------------------------------------------------------

static kn_result load_header(kni_reader *reader, uint32_t *out, kn_error *error)
{
    uint32_t magic = kni_read_u32(reader);
    uint32_t version = kni_read_u32(reader);
    *out = version;
    uint64_t length = kni_read_u64(reader);
    uint64_t checksum = kni_read_u64(reader);
    if (reader->failed || magic != SAVE_MAGIC) {
        return kni_error(error, KN_ERROR_BAD_DATA, "this is not a save");
    }
    if (version == 0 || version > KN_SAVE_VERSION) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "the save has version %u, this library reads up to version %u", version,
            (uint32_t)KN_SAVE_VERSION);
    }
    if (length != reader->size) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "the save is truncated, or has extra bytes at its end");
    }
    if (checksum != kni_save_checksum(reader->data, reader->size)) {
        return kni_error(error, KN_ERROR_BAD_DATA, "the save is damaged: wrong checksum");
    }
    return KN_OK;
}

static bool load_all(save_reader *r)
{
    (void)kni_read_u64(&r->all); // the hash of the library that wrote it: for people
    return load_names(r) && load_layouts(r) && load_types(r) && load_world(r) && load_entities(r) &&
           load_components(r) && components_link(r) && load_effects(r) && load_tags(r) &&
           load_specs(r) && load_timers(r) && load_actors(r) && load_extensions(r) &&
           (r->all.at == r->all.size || save_fail(r, "it has extra bytes at its end")) &&
           load_derived(r);
}

// Exchanges everything but what belongs to observers and host.
static void world_exchange(kn_world *world, kn_world *fresh)
{
    kn_world old = *world;
    size_t listeners = old.listener_capacity * sizeof(kni_listener);
    *world = *fresh;
    world->reports = &world->reports_told;
    world->work = &world->work_done;
    kni_extensions_replaced(world, &old);
    world->def = old.def;
    world->def.library = world->library;
    world->event_mask = old.event_mask;
    world->listener_mask = old.listener_mask;
    world->wanted = old.wanted;
    world->listeners = old.listeners;
    world->listener_count = old.listener_count;
    world->listener_capacity = old.listener_capacity;
    world->listener_live = old.listener_live;
    world->listener_generation = old.listener_generation;
    world->memory.bytes += listeners;
    world->memory.allocations += old.memory.allocations;
    kni_log_move(world, &old);
    world->pending.cause_base = old.pending.cause_base + old.pending.cause_count;
    old.listeners = NULL;
    old.listener_capacity = 0;
    old.memory.bytes -= listeners;
    *fresh = old;
    fresh->reports = &fresh->reports_told;
    fresh->work = &fresh->work_done;
}

// What a host may ask for between steps only.
static kn_result load_allowed(const kn_world *world, kn_error *error)
{
    if (world->depth > 0 || world->is_stepping || world->is_publishing) {
        return kni_error(
            error, KN_ERROR_WORLD_LOCKED, "a world cannot be loaded from inside the simulation");
    }
    return KN_OK;
}

// A new world with the state of a save.
static kn_result load_fresh(const kn_world_def *def, const void *buffer, size_t size,
    bool is_reload, kn_world **fresh, kn_error *error)
{
    *fresh = NULL;
    save_reader r = {.all = {.data = buffer, .size = size}, .is_reload = is_reload, .error = error};
    kn_result result = load_header(&r.all, &r.version, error);
    if (result != KN_OK) {
        return result;
    }
    result = kn_world_create(def, &r.world);
    if (result != KN_OK) {
        (void)save_no_memory(&r);
        return result;
    }
    r.world->wanted = 0;
    bool ok = load_all(&r);
    kni_free(&r.world->memory, r.places, r.place_count * sizeof(*r.places));
    kni_free(&r.world->memory, r.layouts, r.layout_capacity * sizeof(*r.layouts));
    kni_free(&r.world->memory, r.fields, r.field_capacity * sizeof(*r.fields));
    if (ok) {
        *fresh = r.world;
    } else {
        kn_world_destroy(r.world);
    }
    return r.result;
}

kn_result kn_save_read(kn_world *world, const void *buffer, size_t size, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (world == NULL || (buffer == NULL && size > 0)) {
        KN_ASSERT(world != NULL && (buffer != NULL || size == 0));
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "the world or the buffer is missing");
    }
    kn_world *fresh = NULL;
    kn_result result = load_allowed(world, error);
    if (result == KN_OK) {
        result = load_fresh(&world->def, buffer, size, false, &fresh, error);
    }
    if (result == KN_OK && fresh != NULL) {
        world_exchange(world, fresh);
    }
    kn_world_destroy(fresh);
    return result;
}

// Reloading -----------------------------------------------------------------

// The number that a name of the old library has in the new one; false when it is gone.
static bool reload_number(const kn_library *from, const kn_library *to, kn_def_kind kind,
    uint32_t *index1, kn_error *error)
{
    if (*index1 == 0) {
        return true;
    }
    const char *name = kn_def_name(from, kind, *index1);
    *index1 = kn_def_find(to, kind, name);
    if (*index1 == 0) {
        (void)kni_error(error, KN_REFUSED_NOT_FOUND,
            "a listener waits for the %s `%s`, which is not in the new library",
            kn_def_kind_name(kind), name);
    }
    return *index1 != 0;
}

static bool reload_listener(
    const kn_library *from, const kn_library *to, kn_listener_def *def, kn_error *error)
{
    return reload_number(from, to, KN_DEF_TAG, &def->tag.index1, error) &&
           reload_number(from, to, KN_DEF_ATTRIBUTE, &def->attribute.index1, error) &&
           reload_number(from, to, KN_DEF_EFFECT, &def->effect_type.index1, error) &&
           reload_number(from, to, KN_DEF_ABILITY, &def->ability_type.index1, error);
}

// Listeners of the new library: all, or none if one waits for what is gone.
static bool reload_listeners(
    kn_world *world, const kn_library *library, bool write, kn_error *error)
{
    for (uint32_t i = 0; i < world->listener_count; i++) {
        kn_listener_def def = world->listeners[i].def;
        if (world->listeners[i].generation == 0) {
            continue;
        }
        if (!reload_listener(world->library, library, &def, error)) {
            return false;
        }
        if (write) {
            world->listeners[i].def = def;
        }
    }
    return true;
}

kn_result kn_world_reload(kn_world *world, const kn_library *library, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (world == NULL || library == NULL || !library->finished) {
        KN_ASSERT(world != NULL && library != NULL && library->finished);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT,
            "the world is missing, or the library is missing or not finished");
    }
    kn_result result = load_allowed(world, error);
    if (result == KN_OK && !reload_listeners(world, library, false, error)) {
        result = KN_REFUSED_NOT_FOUND;
    }
    size_t size = 0;
    if (result == KN_OK) {
        result = kn_save_write(world, NULL, 0, &size);
        result = result == KN_ERROR_BUFFER_TOO_SMALL ? KN_OK : result;
    }
    if (result != KN_OK) {
        return result;
    }
    kni_memory memory = world->memory;
    void *buffer = kni_realloc(&memory, NULL, 0, size);
    kn_world *fresh = NULL;
    if (buffer == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory while reloading the world");
    }
    result = kn_save_write(world, buffer, size, &size);
    if (result == KN_OK) {
        kn_world_def def = world->def;
        def.library = library;
        result = load_fresh(&def, buffer, size, true, &fresh, error);
    }
    kni_free(&memory, buffer, size);
    if (result == KN_OK && fresh != NULL) {
        (void)reload_listeners(world, library, true, NULL);
        world_exchange(world, fresh);
        kni_bodies_follow(world, fresh);
    }
    kn_world_destroy(fresh);
    return result;
}
