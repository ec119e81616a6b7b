// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack docs --json: what a library has and who uses it, for other programs.

#include "docs.h"

static void use_json(const docs *page, json *out, const docs_use *by)
{
    json_begin(out, NULL, '{');
    json_text(out, "kind", by->by_index1 != 0 ? kn_kind_name(page->library, by->by_kind) : NULL);
    json_text(out, "name",
        by->by_index1 != 0 ? kn_def_name(page->library, by->by_kind, by->by_index1) : NULL);
    if (by->source1 != 0) {
        json_text(out, "function", by->function);
        json_text(out, "file", text_of(&page->sources[by->source1 - 1].name));
        json_count(out, "line", by->line);
    } else {
        json_text(out, "field", by->field);
    }
    json_end(out, '}');
}

static void uses_json(const docs *page, json *out, kn_def_kind kind, uint32_t index1)
{
    uint32_t count;
    const docs_use *uses = docs_uses_of(page, kind, index1, &count);
    json_begin(out, "used_by", '[');
    for (uint32_t i = 0; i < count; i++) {
        docs_use by = docs_use_outer(page, &uses[i]);
        use_json(page, out, &by);
    }
    json_end(out, ']');
}

static void entry_json(docs *page, json *out, kn_def_kind kind, uint32_t index1)
{
    const char *file, *name = kn_def_name(page->library, kind, index1);
    uint32_t line, column;
    text words = {0};
    json_begin(out, NULL, '{');
    json_text(out, "kind", kn_kind_name(page->library, kind));
    json_text(out, "name", name);
    if (kn_data_where(page->data, kind, name, &file, &line, &column)) {
        json_text(out, "file", file);
        json_count(out, "line", line);
    }
    if (kind == KN_DEF_TAG) {
        kn_tag tag = {index1};
        text_add(&words, kn_tag_comment(page->library, tag));
        json_text(out, "declared_in", kn_tag_source(page->library, tag));
    } else {
        docs_comment(page, kind, index1, &words);
    }
    json_text(out, "comment", text_of(&words));
    uses_json(page, out, kind, index1);
    json_end(out, '}');
    text_free(&words);
}

static void kind_json(docs *page, json *out, kn_def_kind kind)
{
    for (uint32_t i = 1; i <= kn_def_count(page->library, kind); i++) {
        if (!docs_is_hidden(page, kind, i)) {
            entry_json(page, out, kind, i);
        }
    }
}

void docs_json(docs *page)
{
    json out = {0};
    json_begin(&out, NULL, '{');
    json_text(&out, "title", page->title);
    json_begin(&out, "entries", '[');
    for (uint32_t i = 0; i < docs_section_count(page); i++) {
        kn_def_kind kind = docs_section_at(page, i).kind;
        kind_json(page, &out, kind);
        if (kind == KN_DEF_ATTRIBUTE_SET) {
            kind_json(page, &out, KN_DEF_ATTRIBUTE);
        }
    }
    kind_json(page, &out, KN_DEF_TAG);
    json_end(&out, ']');
    json_begin(&out, "tags_only_in_code", '[');
    for (uint32_t i = 0; i < page->stray_count; i++) {
        json_begin(&out, NULL, '{');
        json_text(&out, "name", text_of(&page->strays[i].name));
        json_text(&out, "file", text_of(&page->sources[page->strays[i].source1 - 1].name));
        json_count(&out, "line", page->strays[i].line);
        json_end(&out, '}');
    }
    json_end(&out, ']');
    json_end(&out, '}');
    text_add(&out.out, "\n");
    page->out = out.out;
}
