// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sections that say what the rest of a save refers to: names of registered things, layouts of
// structs, effect types made at run time.

#include "store/store.h"

#include "base/text.h"

#define LOAD_NAMES_TOLD 6

static void unknown_name(
    kni_load *r, kni_text *text, uint32_t count, const char *kind, const char *name)
{
    if (r->error == NULL || count >= LOAD_NAMES_TOLD) {
        return;
    }
    if (count == 0) {
        memset(r->error, 0, sizeof(*r->error));
        kni_text_init(text, r->error->message, sizeof(r->error->message));
        kni_text_str(text, "the library lacks what ");
        kni_text_str(text, kni_load_whose(r));
        kni_text_str(text, r->is_reload ? " has: " : " names: ");
    } else {
        kni_text_str(text, ", ");
    }
    kni_text_str(text, kind);
    kni_text_str(text, " `");
    kni_text_str(text, name);
    kni_text_char(text, '`');
}

bool kni_load_names(kni_load *r)
{
    if (!kni_load_section(r, SAVE_NAMES)) {
        return false;
    }
    uint32_t count = kni_load_count(r, 5);
    if (!kni_load_ok(r)) {
        return false;
    }
    if (count > 0) {
        r->places = kni_realloc(&r->world->memory, NULL, 0, count * sizeof(*r->places));
        if (r->places == NULL) {
            return kni_load_no_memory(r);
        }
    }
    r->place_count = count;
    kni_text text = {0};
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < count; i++) {
        char name[2 * KN_TAG_NAME_MAX + 2]; // an attribute has the name of its set in front
        char kind_name[KN_TAG_NAME_MAX + 1] = "";
        uint32_t kind = kn_read_u8(&r->in);
        if (kind == KN_DEF_KIND_OWN) { // KN_DEF_KIND_COUNT below if it is gone
            kn_read_str(&r->in, kind_name, sizeof(kind_name));
            kind = (uint32_t)kn_kind_find(r->world->library, kind_name);
        }
        kn_read_str(&r->in, name, sizeof(name));
        if (!kni_load_ok(r)) {
            return false;
        }
        r->places[i] = (kni_saved_place){.kind = kind};
        if (kind == SAVE_WORD) {
            r->places[i].index1 = (uint32_t)strlen(name);
            r->places[i].word = (const char *)r->in.data + r->in.at - strlen(name);
            continue;
        }
        if (kind_name[0] == 0 && kind >= KN_DEF_KIND_COUNT) {
            return kni_load_fail(r, "a kind of name is unknown");
        }
        r->places[i].index1 = kn_def_find(r->world->library, (kn_def_kind)kind, name);
        if (r->places[i].index1 == 0) {
            unknown_name(r, &text, unknown++,
                kind_name[0] != 0 ? kind_name : kn_def_kind_name((kn_def_kind)kind), name);
        }
    }
    if (unknown > 0) {
        r->result = KN_ERROR_BAD_DATA;
        if (r->error != NULL) {
            r->error->code = KN_ERROR_BAD_DATA;
            if (unknown > LOAD_NAMES_TOLD) {
                kni_text_str(&text, " and ");
                kni_text_u64(&text, unknown - LOAD_NAMES_TOLD);
                kni_text_str(&text, " more");
            }
        }
        return false;
    }
    return kni_load_section_end(r);
}

// Adds one layout to those of the save.
bool kni_load_layout_add(kni_load *r)
{
    kni_memory *memory = &r->world->memory;
    uint32_t count = kni_load_count(r, 9);
    if (!kni_load_ok(r)) {
        return false;
    }
    if (!kni_grow(
            memory, &r->layouts, &r->layout_capacity, r->layout_count + 1, sizeof(*r->layouts)) ||
        !kni_grow(
            memory, &r->fields, &r->field_capacity, r->field_count + count, sizeof(*r->fields))) {
        return kni_load_no_memory(r);
    }
    kni_saved_layout layout = {.first = r->field_count, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        kni_saved_field field = {.length = kn_read_u32(&r->in)};
        field.name = (const char *)kn_read_bytes(&r->in, field.length);
        field.kind = kn_read_u8(&r->in);
        field.count = kn_read_u32(&r->in);
        if (field.kind == KN_FIELD_REF) {
            char words[KN_TAG_NAME_MAX + 1];
            kn_read_str(&r->in, words, sizeof(words));
            field.refers_to =
                r->in.failed ? KN_DEF_KIND_COUNT : kn_kind_find(r->world->library, words);
        }
        if (!kni_load_ok(r)) {
            return false;
        }
        if (field.kind < KN_FIELD_U8 || field.kind >= KN_FIELD_KIND_END || field.count == 0 ||
            field.count > KNI_FIELD_ELEMENTS_MAX || memchr(field.name, 0, field.length) != NULL) {
            return kni_load_fail(r, "a field is invalid");
        }
        kn_def_field one = {.name = "", .kind = (uint8_t)field.kind, .count = 1};
        layout.size += kni_field_size(&one) * field.count;
        r->fields[r->field_count++] = field;
    }
    r->layouts[r->layout_count++] = layout;
    return true;
}

bool kni_load_layouts(kni_load *r)
{
    if (r->version < 3) { // each stood before the components that had it
        return true;
    }
    if (!kni_load_section(r, SAVE_FIELDS)) {
        return false;
    }
    uint32_t count = kni_load_count(r, 4);
    for (uint32_t i = 0; i < count; i++) {
        if (!kni_load_layout_add(r)) {
            return false;
        }
    }
    return kni_load_section_end(r);
}

static bool load_type(kni_load *r, const kn_effect_def *def)
{
    kn_world *world = r->world;
    if (def->name == NULL || def->name[0] == 0 || strlen(def->name) > KN_TAG_NAME_MAX) {
        return kni_load_fail(r, "an effect made at run time has no name");
    }
    if (kni_ref_find(world->library, KN_DEF_EFFECT, def->name) != 0) {
        return kni_load_changed(
            r, "the library has an effect `%s`, which %s made at run time", def->name);
    }
    for (uint32_t i = kni_library_type_count(world); i < world->type_count; i++) {
        if (strcmp(world->types[i]->name, def->name) == 0) {
            return kni_load_fail(r, "an effect made at run time appears twice");
        }
    }
    for (uint32_t i = 0; i < def->child_count; i++) {
        if (def->children[i].type.index1 == 0) {
            return kni_load_fail(r, "an effect made at run time starts nothing");
        }
    }
    kn_error error;
    kn_result result = kni_effect_type_check(world->library, def, &error);
    uint32_t index;
    if (result == KN_OK) {
        result = kni_dynamic_type_add(world, def, &index, &error);
    }
    if (result == KN_ERROR_OUT_OF_MEMORY) {
        return kni_load_no_memory(r);
    }
    return result == KN_OK ||
           kni_load_changed(r, "an effect made at run time is invalid: %s", error.message);
}

// The fields of an effect as saves had them before version 5: a chance was a number by level,
// grants, whose parameters stand last, had none, everything was predicted, and no value of the
// target changed a duration.
typedef struct table_before_5 {
    kn_def_field fields[128];
    kn_def_table table, grant;
} table_before_5;

static void table_before_5_make(table_before_5 *old)
{
    old->table = kni_effect_def_table;
    KN_ASSERT(old->table.field_count <= sizeof(old->fields) / sizeof(old->fields[0]));
    uint32_t count = 0;
    for (uint32_t i = 0; i < old->table.field_count; i++) {
        const char *name = kni_effect_def_table.fields[i].name;
        if (strcmp(name, "predict") == 0 || strcmp(name, "duration_value") == 0) {
            continue;
        }
        kn_def_field *field = &old->fields[count++];
        *field = kni_effect_def_table.fields[i];
        if (strcmp(field->name, "chance") == 0) {
            uint32_t offset = field->offset;
            *field = *kn_def_field_find(field->table, "scale");
            field->offset += offset;
        } else if (strcmp(field->name, "grants") == 0) {
            old->grant = *field->table;
            old->grant.field_count--;
            field->table = &old->grant;
        }
    }
    old->table.fields = old->fields;
    old->table.field_count = count;
}

bool kni_load_types(kni_load *r)
{
    if (!kni_load_section(r, SAVE_TYPES)) {
        return false;
    }
    table_before_5 old;
    table_before_5_make(&old);
    const kn_def_table *table = r->version < 5 ? &old.table : &kni_effect_def_table;
    uint32_t count = kni_load_count(r, 1);
    for (uint32_t i = 0; i < count; i++) {
        kn_effect_def def;
        if (!kni_def_read(r->world->library, &r->world->memory, table, &def, &r->in)) {
            if (r->in.no_memory) {
                return kni_load_no_memory(r);
            }
            return kni_load_fail(r, "an effect made at run time names something unknown");
        }
        def.predict = def.predict || r->version < 5;
        bool ok = load_type(r, &def);
        kni_def_free(&r->world->memory, &kni_effect_def_table, &def);
        if (!ok) {
            return false;
        }
    }
    return kni_load_section_end(r);
}
