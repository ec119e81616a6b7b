// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reading a save, the parts that every section needs: what went wrong, sections, counts, references
// by name, slots.

#include "store/store.h"

// A slot may be this high whatever the number of records, and higher if there are many.
#define LOAD_SLOTS_FREE (1u << 20)
#define LOAD_SLOTS_PER_RECORD 64

// What went wrong -----------------------------------------------------------

const char *kni_load_whose(const kni_load *r)
{
    return r->is_reload ? "the world" : r->is_direct ? "the projection" : "the save";
}

// Each returns false, so that a check can end with it.
bool kni_load_fail(kni_load *r, const char *what)
{
    if (r->result == KN_OK) {
        r->result = kni_error(r->error, KN_ERROR_BAD_DATA,
            r->is_reload   ? "the world does not fit the library: %s"
            : r->is_direct ? "the projection does not fit the world: %s"
                           : "the save is damaged: %s",
            what);
    }
    return false;
}

// The format has a place for the name, and may have one for where it comes from.
bool kni_load_changed(kni_load *r, const char *format, const char *name)
{
    if (r->result == KN_OK) {
        r->result = kni_error(r->error, KN_ERROR_BAD_DATA, format, name, kni_load_whose(r));
    }
    return false;
}

bool kni_load_accept(kni_load *r, kni_problem problem)
{
    return problem.what == NULL || kni_load_fail(r, problem.what);
}

bool kni_load_no_memory(kni_load *r)
{
    if (r->result == KN_OK) {
        r->result = kni_error(r->error, KN_ERROR_OUT_OF_MEMORY, "out of memory: cannot %s %s",
            r->is_reload   ? "reload"
            : r->is_direct ? "write"
                           : "load",
            kni_load_whose(r));
    }
    return false;
}

bool kni_load_ok(kni_load *r)
{
    if (r->in.failed) {
        return r->in.no_memory ? kni_load_no_memory(r)
                               : kni_load_fail(r, "a section ends too early");
    }
    return r->result == KN_OK;
}

// Sections and counts -------------------------------------------------------

bool kni_load_section(kni_load *r, uint32_t mark)
{
    uint32_t found = kn_read_u32(&r->all);
    uint64_t length = kn_read_u64(&r->all);
    if (r->all.failed || found != mark || length > r->all.size - r->all.at) {
        return kni_load_fail(r, "a section is missing");
    }
    r->in = (kn_reader){.data = r->all.data + r->all.at, .size = (size_t)length};
    r->all.at += (size_t)length;
    return true;
}

bool kni_load_section_end(kni_load *r)
{
    if (!kni_load_ok(r)) {
        return false;
    }
    return r->in.at == r->in.size || kni_load_fail(r, "a section is too long");
}

// Fields that came with version 4 stand last in their tables, but for those that came later.
uint32_t kni_load_field_count(const kni_load *r, const kn_def_table *table)
{
    uint32_t later = table == kni_pools[KNI_POOL_ABILITIES].table     ? 3
                     : table == kni_pools[KNI_POOL_ACTIVATIONS].table ? 1
                     : table == &kni_child_link_table                 ? 3
                     : table == &kni_rare_table                       ? 2
                                                                      : 0;
    bool is_latest = table == kni_pools[KNI_POOL_ABILITIES].table ||
                     table == kni_pools[KNI_POOL_ACTIVATIONS].table;
    uint32_t latest = (is_latest ? 1 : 0) + kni_late_fields(table); // with version 5
    return table->field_count - (r->version < 4 ? later : 0) - (r->version < 5 ? latest : 0);
}

// The fewest bytes a record takes in a file.
size_t kni_load_size_min(const kni_load *r, const kn_def_table *table)
{
    size_t size = 0;
    for (uint32_t i = 0; i < kni_load_field_count(r, table); i++) {
        const kn_def_field *field = &table->fields[i];
        // References, lists and blocks begin with a number of 4 bytes.
        bool is_plain =
            kni_kind_of(field->kind)->words > 0 && kni_field_ref_kind(field) == KN_DEF_KIND_COUNT;
        size += (is_plain ? kni_field_size(field) : 4) * field->count;
    }
    return size > 0 ? size : 1;
}

uint32_t kni_load_count(kni_load *r, uint64_t record_size)
{
    uint32_t count = kn_read_u32(&r->in);
    if (r->in.failed || count > (r->in.size - r->in.at) / record_size) {
        r->in.failed = true;
        return 0;
    }
    return count;
}

// References ----------------------------------------------------------------

// Index + 1 of the registered thing at a place in the list of names; 0 for null.
uint32_t kni_load_place(kni_load *r, kn_def_kind kind, uint32_t place)
{
    if (place == 0) {
        return 0;
    }
    if (r->is_direct) {
        uint32_t count =
            kind == KN_DEF_EFFECT ? r->world->type_count : kni_ref_count(r->world->library, kind);
        if (place > count) {
            kni_load_fail(r, "a reference points to nothing");
            return 0;
        }
        return place;
    }
    if (kind == KN_DEF_EFFECT && (place & SAVE_DYNAMIC) != 0) {
        uint32_t index1 = kni_library_type_count(r->world) + (place & ~SAVE_DYNAMIC) + 1;
        if (index1 > r->world->type_count) {
            kni_load_fail(r, "a reference points to nothing");
            return 0;
        }
        return index1;
    }
    if (place > r->place_count || r->places[place - 1].kind != (uint32_t)kind) {
        kni_load_fail(r, "a reference points to nothing");
        return 0;
    }
    return r->places[place - 1].index1;
}

uint32_t kni_load_ref(kni_load *r, kn_def_kind kind)
{
    uint32_t place = kn_read_u32(&r->in);
    return r->in.failed ? 0 : kni_load_place(r, kind, place);
}

uint32_t kni_load_ref_needed(kni_load *r, kn_def_kind kind)
{
    uint32_t index1 = kni_load_ref(r, kind);
    if (index1 == 0) {
        kni_load_fail(r, "a reference is empty");
        return 1; // any that exists, until somebody looks at the failure
    }
    return index1;
}

// Slots ---------------------------------------------------------------------

// The slot of the next record, taken in the pool: in ascending order, or in any without
// `previous1`. False on failure.
bool kni_load_slot(kni_load *r, kni_pool *pool, uint32_t count, uint32_t *previous1, uint32_t *slot)
{
    *slot = kn_read_u32(&r->in);
    if (!kni_load_ok(r)) {
        return false;
    }
    bool is_taken = previous1 != NULL ? *slot < *previous1 : kni_pool_is_live(pool, *slot);
    if (is_taken || *slot >= KNI_POOL_MAX ||
        (*slot >= LOAD_SLOTS_FREE && *slot / LOAD_SLOTS_PER_RECORD >= count)) {
        return kni_load_fail(r, "a slot is out of order");
    }
    if (previous1 != NULL) {
        *previous1 = *slot + 1;
    }
    return kni_pool_acquire_at(pool, &r->world->memory, *slot) || kni_load_no_memory(r);
}
