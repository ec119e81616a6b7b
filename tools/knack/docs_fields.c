// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Walks defs by the tables of their fields: finds what they name, and prints what they say.

#include "docs.h"

#include <stdlib.h>
#include <string.h>

// Uses ----------------------------------------------------------------------

void docs_use_add(docs *page, const docs_use *by, kn_def_kind kind, uint32_t index1)
{
    if (index1 == 0) {
        return;
    }
    if (page->use_count == page->use_capacity) {
        page->use_capacity = page->use_capacity * 2 + 64;
        page->uses = cli_resize(page->uses, page->use_capacity * sizeof(*page->uses));
    }
    docs_use use = *by;
    use.kind = kind;
    use.index1 = index1;
    use.number = page->use_count;
    page->uses[page->use_count++] = use;
}

static void struct_uses(docs *page, const docs_use *by, const kn_def_table *table, const void *def);

static void tags_uses(docs *page, const docs_use *by, const kn_tag *tags, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        docs_use_add(page, by, KN_DEF_TAG, tags[i].index1);
    }
}

// Tags of a query are found in its text: the words in it that are tags.
static void query_uses(docs *page, const docs_use *by, const kn_tag_query *query)
{
    char words[4096];
    (void)kn_tag_query_print(page->library, query, words, sizeof(words));
    for (char *at = words; *at != 0;) {
        size_t length = strcspn(at, " (),");
        char end = at[length];
        at[length] = 0;
        if (length > 0) {
            docs_use_add(page, by, KN_DEF_TAG, kn_def_find(page->library, KN_DEF_TAG, at));
        }
        at += length + (end != 0 ? 1 : 0);
    }
}

// One element of a field.
static void element_uses(docs *page, const docs_use *by, const kn_def_table *table,
    const kn_def_field *field, const uint8_t *at)
{
    uint32_t index1 = 0;
    if (kn_def_field_size(field) == sizeof(index1)) {
        memcpy(&index1, at, sizeof(index1));
    }
    if (field->kind == KN_DEF_FIELD_REF) {
        kn_def_kind kind = (kn_def_kind)field->limit;
        docs_use_add(page, by, kind, index1);
        // Effects grant abilities by name.
        if (kind == KN_DEF_NAME && strcmp(table->name, "kn_grant_def") == 0) {
            const char *name = kn_def_name(page->library, KN_DEF_NAME, index1);
            docs_use_add(
                page, by, KN_DEF_ABILITY, kn_def_find(page->library, KN_DEF_ABILITY, name));
        }
    } else if (field->kind == KN_FIELD_TAG) {
        docs_use_add(page, by, KN_DEF_TAG, index1);
    } else if (field->kind == KN_FIELD_ATTRIBUTE) {
        docs_use_add(page, by, KN_DEF_ATTRIBUTE, index1);
    } else if (field->kind == KN_DEF_FIELD_TAGS) {
        kn_tags tags;
        memcpy(&tags, at, sizeof(tags));
        tags_uses(page, by, tags.data, tags.count);
    } else if (field->kind == KN_DEF_FIELD_QUERY) {
        const kn_tag_query *query;
        memcpy(&query, at, sizeof(query));
        if (query != NULL) {
            query_uses(page, by, query);
        }
    } else if (field->kind == KN_DEF_FIELD_STRUCT) {
        struct_uses(page, by, field->table, at);
    }
}

static void list_uses(docs *page, const docs_use *by, const kn_def_field *field, const void *def)
{
    const uint8_t *items, *base = def;
    uint32_t count;
    memcpy(&items, base + field->offset, sizeof(items));
    memcpy(&count, base + field->count_offset, sizeof(count));
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (field->kind == KN_DEF_FIELD_ARRAY) {
            struct_uses(page, by, field->table, items + i * field->table->size);
        } else {
            uint32_t index1;
            memcpy(&index1, items + i * sizeof(index1), sizeof(index1));
            docs_use_add(page, by, (kn_def_kind)field->limit, index1);
        }
    }
}

static bool is_list(const kn_def_field *field)
{
    return field->kind == KN_DEF_FIELD_ARRAY || field->kind == KN_DEF_FIELD_REFS;
}

static void struct_uses(docs *page, const docs_use *by, const kn_def_table *table, const void *def)
{
    const uint8_t *base = def;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        docs_use inner = *by;
        // The outermost name says most, but to read something is not to change it.
        bool reads = strcmp(table->name, "kn_capture") == 0;
        inner.field = reads ? "reads" : by->field != NULL ? by->field : field->name;
        if (is_list(field)) {
            list_uses(page, &inner, field, def);
            continue;
        }
        size_t size = kn_def_field_size(field);
        for (uint32_t k = 0; k < field->count; k++) {
            element_uses(page, &inner, table, field, base + field->offset + k * size);
        }
    }
}

static int by_use(const void *a, const void *b)
{
    const docs_use *x = a, *y = b;
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->index1 != y->index1) {
        return x->index1 < y->index1 ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number ? 1 : 0;
}

void docs_find_uses(docs *page)
{
    for (uint32_t kind = 0; kind < KN_DEF_KIND_END; kind++) {
        const kn_def_table *table = kn_kind_table(page->library, (kn_def_kind)kind);
        uint32_t count = kn_def_count(page->library, (kn_def_kind)kind);
        for (uint32_t i = 1; table != NULL && i <= count; i++) {
            const void *def = kn_def_get(page->library, (kn_def_kind)kind, i);
            docs_use by = {.by_kind = (kn_def_kind)kind, .by_index1 = i};
            if (def != NULL && kind != KN_DEF_TAG) {
                struct_uses(page, &by, table, def);
            }
        }
    }
    docs_sort_uses(page);
}

void docs_sort_uses(docs *page)
{
    if (page->use_count > 0) {
        qsort(page->uses, page->use_count, sizeof(*page->uses), by_use);
    }
}

const docs_use *docs_uses_of(const docs *page, kn_def_kind kind, uint32_t index1, uint32_t *count)
{
    uint32_t low = 0, high = page->use_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const docs_use *use = &page->uses[middle];
        bool is_before = use->kind < kind || (use->kind == kind && use->index1 < index1);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    *count = 0;
    while (low + *count < page->use_count && page->uses[low + *count].kind == kind &&
           page->uses[low + *count].index1 == index1) {
        ++*count;
    }
    return *count > 0 ? &page->uses[low] : NULL;
}

bool docs_is_inline(const docs *page, kn_def_kind kind, uint32_t index1)
{
    const char *file;
    uint32_t line, column;
    const char *name = kn_def_name(page->library, kind, index1);
    return kn_def_expression(page->library, kind, index1) != NULL &&
           !kn_data_where(page->data, kind, name, &file, &line, &column);
}

bool docs_is_hidden(const docs *page, kn_def_kind kind, uint32_t index1)
{
    const char *file, *name = kn_def_name(page->library, kind, index1);
    uint32_t line, column, uses;
    if (kind == KN_DEF_TAG || kind == KN_DEF_ATTRIBUTE) {
        return name[0] == 0;
    }
    bool is_from_file = kn_data_where(page->data, kind, name, &file, &line, &column);
    return docs_is_inline(page, kind, index1) ||
           (!is_from_file && docs_uses_of(page, kind, index1, &uses) == NULL);
}

docs_use docs_use_outer(const docs *page, const docs_use *use)
{
    docs_use by = *use;
    for (uint32_t depth = 0;
         depth < 4 && by.by_index1 != 0 && docs_is_inline(page, by.by_kind, by.by_index1);
         depth++) {
        uint32_t count;
        const docs_use *outer = docs_uses_of(page, by.by_kind, by.by_index1, &count);
        if (outer == NULL) {
            break;
        }
        const char *field = by.field;
        by = *outer;
        by.field = field;
    }
    return by;
}

// Printing ------------------------------------------------------------------

void docs_escape(text *out, const char *value)
{
    for (; *value != 0; value++) {
        if (strchr("<>&\"'", *value) != NULL) {
            text_format(out, "&#%d;", *value);
        } else {
            text_bytes(out, value, 1);
        }
    }
}

void docs_anchor(text *out, const docs *page, kn_def_kind kind, uint32_t index1)
{
    for (const char *at = kn_kind_name(page->library, kind); *at != 0; at++) {
        text_bytes(out, *at == ' ' ? "_" : at, 1);
    }
    text_add(out, "-");
    for (const char *at = kn_def_name(page->library, kind, index1); *at != 0; at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                        (*at >= '0' && *at <= '9') || *at == '_' || *at == '.' || *at == '-';
        if (is_plain) {
            text_bytes(out, at, 1);
        } else {
            text_format(out, "~%02x", (unsigned char)*at);
        }
    }
}

// Kinds that have a place on the page.
static bool has_anchor(const docs *page, kn_def_kind kind, uint32_t index1)
{
    return kind != KN_DEF_NAME && !docs_is_inline(page, kind, index1);
}

void docs_link(text *out, const docs *page, kn_def_kind kind, uint32_t index1)
{
    const char *expression = kn_def_expression(page->library, kind, index1);
    if (!has_anchor(page, kind, index1)) {
        text_add(out, expression != NULL ? "<code>" : "");
        docs_escape(
            out, expression != NULL ? expression : kn_def_name(page->library, kind, index1));
        text_add(out, expression != NULL ? "</code>" : "");
        return;
    }
    text_add(out, "<a href=\"#");
    docs_anchor(out, page, kind, index1);
    text_format(out, "\" class=\"k%d\">", (int)kind);
    docs_escape(out, kn_def_name(page->library, kind, index1));
    text_add(out, "</a>");
}

static void scalable_print(text *out, const docs *page, const kn_scalable *value)
{
    if (!kn_name_is_null(value->parameter)) {
        text_add(out, "$");
        docs_escape(out, kn_name_text(page->library, value->parameter));
    } else {
        text_float(out, value->value);
    }
    if (!kn_curve_id_is_null(value->curve)) {
        text_add(out, " × ");
        docs_link(out, page, KN_DEF_CURVE, value->curve.index1);
    }
}

static void struct_print(
    text *out, const docs *page, const kn_def_table *table, const void *def, const void *defaults);

// The kinds of magnitudes that are one number or one formula.
static bool magnitude_print(text *out, const docs *page, const kn_magnitude *value)
{
    bool is_plain = kn_curve_id_is_null(value->final_curve) && value->pre_add.value == 0 &&
                    value->post_add.value == 0;
    bool is_scaled = value->scale.value != 1.0f || !kn_curve_id_is_null(value->scale.curve) ||
                     !kn_name_is_null(value->scale.parameter);
    if (is_plain && value->kind == KN_MAGNITUDE_SCALABLE) {
        scalable_print(out, page, &value->scale);
        return true;
    }
    const kn_capture *capture = &value->capture;
    bool is_attribute = value->kind == KN_MAGNITUDE_ATTRIBUTE &&
                        capture->value == KN_CAPTURE_FINAL && capture->key == 0 &&
                        !capture->has_default;
    if (!is_plain || (!is_attribute && value->kind != KN_MAGNITUDE_CALCULATION &&
                         value->kind != KN_MAGNITUDE_SET_BY_CALLER)) {
        return false;
    }
    if (is_scaled) {
        scalable_print(out, page, &value->scale);
        text_add(out, " × ");
    }
    if (value->kind == KN_MAGNITUDE_CALCULATION) {
        docs_link(out, page, KN_DEF_CALCULATION, value->calculation.index1);
    } else if (is_attribute) {
        static const char *const whose[] = {"source", "target", "causer"};
        text_format(out, "<i>%s</i> ", whose[capture->from]);
        docs_link(out, page, KN_DEF_ATTRIBUTE, capture->attribute.index1);
        text_add(out, capture->snapshot ? " <i>as it was at the start</i>" : "");
    } else {
        text_add(out, "<i>the caller's</i> ");
        docs_link(out, page, KN_DEF_TAG, value->caller_tag.index1);
        if (value->has_default) {
            text_add(out, " <i>or</i> ");
            text_float(out, value->default_value);
        }
    }
    return true;
}

static void flags_print(text *out, const kn_def_field *field, uint32_t flags)
{
    const char *separator = "";
    for (uint32_t i = 0; i < field->limit; i++) {
        if ((flags >> i & 1) != 0) {
            text_add(out, separator);
            docs_escape(out, field->names[i]);
            separator = ", ";
        }
    }
    text_add(out, flags == 0 ? "none" : "");
}

static void plain_print(text *out, const kn_def_field *field, const uint8_t *at)
{
    union {
        uint8_t u8;
        bool flag;
        uint16_t u16;
        uint32_t u32;
        int32_t i32;
        float f32;
        uint64_t u64;
        int64_t i64;
        kn_vec3 vec3;
    } value;
    memset(&value, 0, sizeof(value));
    size_t size = kn_def_field_size(field);
    memcpy(&value, at, size < sizeof(value) ? size : sizeof(value));
    switch (field->kind) {
    case KN_FIELD_U8:
        text_format(out, "%u", value.u8);
        break;
    case KN_FIELD_BOOL:
        text_add(out, value.flag ? "yes" : "no");
        break;
    case KN_FIELD_U16:
        text_format(out, "%u", value.u16);
        break;
    case KN_FIELD_U32:
        if (field->names != NULL) {
            flags_print(out, field, value.u32);
        } else {
            text_format(out, "%u", value.u32);
        }
        break;
    case KN_FIELD_I32:
        text_format(out, "%d", value.i32);
        break;
    case KN_FIELD_F32:
        text_float(out, value.f32);
        break;
    case KN_FIELD_U64:
        text_format(out, "%llu", (unsigned long long)value.u64);
        break;
    case KN_FIELD_I64:
        text_format(out, "%lld", (long long)value.i64);
        break;
    case KN_FIELD_TIME:
        text_time(out, value.i64);
        break;
    case KN_FIELD_VEC3:
        text_float(out, value.vec3.x);
        text_add(out, ", ");
        text_float(out, value.vec3.y);
        text_add(out, ", ");
        text_float(out, value.vec3.z);
        break;
    case KN_DEF_FIELD_ENUM:
        docs_escape(out, value.u32 < field->limit ? field->names[value.u32] : "?");
        break;
    default:
        break;
    }
}

static void tags_print(text *out, const docs *page, const kn_tags *tags)
{
    for (uint32_t i = 0; i < tags->count; i++) {
        text_add(out, i > 0 ? ", " : "");
        docs_link(out, page, KN_DEF_TAG, tags->data[i].index1);
    }
}

static void reference_print(text *out, const docs *page, kn_def_kind kind, const uint8_t *at)
{
    uint32_t index1;
    memcpy(&index1, at, sizeof(index1));
    if (index1 != 0) {
        docs_link(out, page, kind, index1);
    }
}

static void limit_print(text *out, const kn_limit *limit)
{
    if (limit->attribute != NULL) {
        docs_escape(out, limit->attribute);
    }
    if (limit->is_set && (limit->value != 0 || limit->attribute == NULL)) {
        text_add(out, limit->attribute != NULL ? " + " : "");
        text_float(out, limit->value);
    }
}

static void inner_print(
    text *out, const docs *page, const kn_def_table *table, const uint8_t *at, const uint8_t *usual)
{
    if (strcmp(table->name, "kn_scalable") == 0) {
        kn_scalable value;
        memcpy(&value, at, sizeof(value));
        scalable_print(out, page, &value);
        return;
    }
    if (strcmp(table->name, "kn_magnitude") == 0) {
        kn_magnitude value;
        memcpy(&value, at, sizeof(value));
        if (magnitude_print(out, page, &value)) {
            return;
        }
    }
    if (strcmp(table->name, "kn_limit") == 0) {
        kn_limit value;
        memcpy(&value, at, sizeof(value));
        limit_print(out, &value);
        return;
    }
    struct_print(out, page, table, at, usual);
}

static void element_print(
    text *out, const docs *page, const kn_def_field *field, const uint8_t *at, const uint8_t *usual)
{
    const char *string;
    const kn_tag_query *query;
    kn_tags tags;
    switch (field->kind) {
    case KN_DEF_FIELD_STRING:
        memcpy(&string, at, sizeof(string));
        docs_escape(out, string != NULL ? string : "");
        break;
    case KN_DEF_FIELD_REF:
        reference_print(out, page, (kn_def_kind)field->limit, at);
        break;
    case KN_FIELD_TAG:
        reference_print(out, page, KN_DEF_TAG, at);
        break;
    case KN_FIELD_ATTRIBUTE:
        reference_print(out, page, KN_DEF_ATTRIBUTE, at);
        break;
    case KN_DEF_FIELD_TAGS:
        memcpy(&tags, at, sizeof(tags));
        tags_print(out, page, &tags);
        break;
    case KN_DEF_FIELD_QUERY:
        memcpy(&query, at, sizeof(query));
        if (query != NULL) {
            char words[4096];
            (void)kn_tag_query_print(page->library, query, words, sizeof(words));
            docs_escape(out, words);
        }
        break;
    case KN_DEF_FIELD_STRUCT:
        inner_print(out, page, field->table, at, usual);
        break;
    default:
        plain_print(out, field, at);
        break;
    }
}

static void list_print(text *out, const docs *page, const kn_def_field *field, const void *def)
{
    const uint8_t *items, *base = def;
    uint32_t count;
    memcpy(&items, base + field->offset, sizeof(items));
    memcpy(&count, base + field->count_offset, sizeof(count));
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (field->kind == KN_DEF_FIELD_ARRAY) {
            text_add(out, "<div>");
            struct_print(out, page, field->table, items + i * field->table->size, NULL);
            text_add(out, "</div>");
        } else {
            text_add(out, i > 0 ? ", " : "");
            reference_print(out, page, (kn_def_kind)field->limit, items + i * sizeof(uint32_t));
        }
    }
}

static void field_print(
    text *out, const docs *page, const kn_def_field *field, const void *def, const void *defaults)
{
    const uint8_t *base = def, *usual = defaults;
    if (is_list(field)) {
        list_print(out, page, field, def);
        return;
    }
    size_t size = kn_def_field_size(field);
    for (uint32_t i = 0; i < field->count; i++) {
        size_t offset = field->offset + i * size;
        text_add(out, i > 0 ? ", " : "");
        element_print(out, page, field, base + offset, usual + offset);
    }
}

// The name of a field for people.
static void name_print(text *out, const char *name)
{
    for (; *name != 0; name++) {
        text_bytes(out, *name == '_' ? " " : name, 1);
    }
}

// Calls for every field that says something else than its default.
typedef void field_fn(
    text *out, const kn_def_table *table, const char *name, const char *value, uint32_t number);

static void changed_fields(text *out, const docs *page, const kn_def_table *table, const void *def,
    const void *defaults, field_fn *tell)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (field->kind == KN_DEF_FIELD_POINTER || field->kind == KN_DEF_FIELD_COOKIE ||
            field->kind >= KN_DEF_FIELD_PUBLIC_END) {
            continue;
        }
        text value = {0}, usual = {0};
        field_print(&value, page, field, def, defaults);
        field_print(&usual, page, field, defaults, defaults);
        if (strcmp(text_of(&value), text_of(&usual)) != 0) {
            tell(out, table, field->name, text_of(&value), number++);
        }
        text_free(&value);
        text_free(&usual);
    }
}

static uint8_t *defaults_new(const kn_def_table *table)
{
    uint8_t *defaults = cli_resize(NULL, table->size);
    memset(defaults, 0, table->size);
    kn_def_init(table, defaults);
    return defaults;
}

// The help of a field: its first line, and the line for the word that it has.
static void help_print(text *out, const char *help, const char *value)
{
    text first = {0}, word = {0};
    text_bytes(&first, help, strcspn(help, "\n"));
    docs_escape(out, text_of(&first));
    text_format(&word, "\n`%s`: ", value);
    const char *line = strstr(help, text_of(&word));
    if (line != NULL) {
        text_free(&first);
        text_bytes(&first, line + 1, strcspn(line + 1, "\n"));
        text_add(out, " ");
        docs_escape(out, text_of(&first));
    }
    text_free(&first);
    text_free(&word);
}

static void title_print(text *out, const char *help, const char *value)
{
    if (help != NULL) {
        text_add(out, " title=\"");
        help_print(out, help, value);
        text_add(out, "\"");
    }
}

static void tell_inline(
    text *out, const kn_def_table *table, const char *name, const char *value, uint32_t number)
{
    const char *doc = kn_data_field_text(table->name, name);
    // What an entry is about needs no label.
    bool is_subject = number == 0 && (strcmp(name, "type") == 0 || strcmp(name, "attribute") == 0);
    text_add(out, number > 0 ? ", " : "");
    if (!is_subject) {
        text_add(out, "<i");
        title_print(out, doc, value);
        text_add(out, ">");
        name_print(out, name);
        text_add(out, "</i> ");
    }
    text_add(out, value);
}

// `defaults` is NULL for an item of a list.
static void struct_print(
    text *out, const docs *page, const kn_def_table *table, const void *def, const void *defaults)
{
    uint8_t *own = defaults == NULL ? defaults_new(table) : NULL;
    changed_fields(out, page, table, def, own != NULL ? own : defaults, tell_inline);
    free(own);
}

static void tell_row(
    text *out, const kn_def_table *table, const char *name, const char *value, uint32_t number)
{
    // Shown in the headline, or in a table of their own.
    static const char *const hidden[] = {"name", "attributes", "duration_kind", "is_periodic"};
    (void)number;
    for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
        if (strcmp(name, hidden[i]) == 0) {
            return;
        }
    }
    const char *doc = kn_data_field_text(table->name, name);
    doc = doc != NULL ? doc : kn_def_field_find(table, name)->text;
    text_add(out, "<tr><th scope=\"row\"");
    title_print(out, doc, value);
    text_add(out, ">");
    name_print(out, name);
    text_format(out, "</th><td>%s", value);
    if (doc != NULL) {
        text_add(out, "<small class=\"doc\">");
        help_print(out, doc, value);
        text_add(out, "</small>");
    }
    text_add(out, "</td></tr>\n");
}

void docs_fields(docs *page, kn_def_kind kind, const void *def)
{
    const kn_def_table *table = kn_kind_table(page->library, kind);
    uint8_t *defaults = defaults_new(table);
    changed_fields(&page->out, page, table, def, defaults, tell_row);
    free(defaults);
}
