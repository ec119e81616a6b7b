// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack docs: a library as one HTML file that needs nothing else.

#include "docs.h"

#include "embed.h"
#include "order.h"

#include <stdlib.h>
#include <string.h>

static const docs_section sections[] = {
    {KN_DEF_ARCHETYPE, "Archetypes"},
    {KN_DEF_ABILITY, "Abilities"},
    {KN_DEF_ABILITY_SET, "Ability sets"},
    {KN_DEF_EFFECT, "Effects"},
    {KN_DEF_CONTAINER, "Containers"},
    {KN_DEF_ATTRIBUTE_SET, "Attribute sets"},
    {KN_DEF_VALUE, "Values"},
    {KN_DEF_EVENT_KIND, "Event kinds"},
    {KN_DEF_RULE, "Rules"},
    {KN_DEF_SYSTEM, "Systems"},
    {KN_DEF_SYSTEM_GROUP, "System groups"},
    {KN_DEF_WATCH, "Watches"},
    {KN_DEF_CHECK, "Checks"},
    {KN_DEF_FAIL, "Fail reasons"},
    {KN_DEF_END_REASON, "End reasons"},
    {KN_DEF_TARGETING, "Targeting"},
    {KN_DEF_TARGET, "Target data"},
    {KN_DEF_COMMAND, "Commands"},
    {KN_DEF_TASK, "Tasks"},
    {KN_DEF_ANIMATION, "Animations"},
    {KN_DEF_CURVE, "Curves"},
    {KN_DEF_CALCULATION, "Calculations"},
    {KN_DEF_EXECUTION, "Executions"},
    {KN_DEF_REQUIREMENT, "Requirements"},
    {KN_DEF_CONDITION, "Conditions"},
    {KN_DEF_POLICY, "Policies"},
    {KN_DEF_EFFECT_LOGIC, "Effect logic"},
    {KN_DEF_TIMER, "Timers"},
    {KN_DEF_TICKER, "Tickers"},
    {KN_DEF_COMPONENT, "Components"},
    {KN_DEF_CONTEXT, "Context payloads"},
    {KN_DEF_CUSTOM_EVENT, "Custom events"},
};
#define SECTION_COUNT (uint32_t)(sizeof(sections) / sizeof(*sections))

uint32_t docs_section_count(const docs *page)
{
    return SECTION_COUNT + kn_kind_count(page->library);
}

// "Squad orders" for the section `squad_orders`.
static void section_title(const char *section, char *title, size_t size)
{
    (void)snprintf(title, size, "%s", section);
    for (char *at = title; *at != 0; at++) {
        *at = (char)(*at == '_' ? ' ' : *at);
    }
    bool is_small = title[0] >= 'a' && title[0] <= 'z';
    title[0] = (char)(is_small ? title[0] - 'a' + 'A' : title[0]);
}

docs_section docs_section_at(const docs *page, uint32_t index)
{
    docs_section section = {0};
    if (index < SECTION_COUNT) {
        return sections[index];
    }
    section.kind = (kn_def_kind)(KN_DEF_KIND_OWN + (index - SECTION_COUNT));
    const kn_kind_def *def = kn_kind_get_def(page->library, section.kind);
    section_title(def->section, section.title, sizeof(section.title));
    return section;
}

// Parts of an entry ---------------------------------------------------------

static void spaced(text *out, const char *name)
{
    for (; *name != 0; name++) {
        text_bytes(out, *name == '_' ? " " : name, 1);
    }
}

// The name of a file; if the library is one folder, from there on.
static void name_print(text *out, const docs *page, const char *file)
{
    const char *root = page->call->arguments[0];
    size_t length = strlen(root);
    length -= length > 0 && root[length - 1] == '/' ? 1 : 0;
    bool is_below =
        page->call->argument_count == 1 && strncmp(file, root, length) == 0 && file[length] == '/';
    docs_escape(out, is_below ? file + length + 1 : file);
}

static void file_print(text *out, const docs *page, const char *file, uint32_t line)
{
    name_print(out, page, file);
    text_format(out, ":%u", line);
}

static void source_print(text *out, const docs *page, uint32_t source1, uint32_t line)
{
    file_print(out, page, text_of(&page->sources[source1 - 1].name), line);
}

// "Hero abilities", "Meteor apply meteor.lua:40".
static void use_print(text *out, const docs *page, const docs_use *by)
{
    if (by->by_index1 != 0) {
        docs_link(out, page, by->by_kind, by->by_index1);
        text_add(out, " ");
    }
    text_add(out, "<i>");
    spaced(out, by->source1 != 0 ? by->function : by->field);
    if (by->source1 != 0) {
        text_add(out, by->function[0] != 0 ? " in " : "");
        source_print(out, page, by->source1, by->line);
    }
    text_add(out, "</i>");
}

// Twice in one list, or in one script.
static bool same_use(const docs_use *a, const docs_use *b)
{
    return a->by_kind == b->by_kind && a->by_index1 == b->by_index1 && a->field == b->field &&
           a->source1 == b->source1 && strcmp(a->function, b->function) == 0;
}

static void uses_print(docs *page, text *out, kn_def_kind kind, uint32_t index1)
{
    uint32_t count;
    const docs_use *uses = docs_uses_of(page, kind, index1, &count);
    docs_use last = {0};
    for (uint32_t i = 0; i < count; i++) {
        docs_use by = docs_use_outer(page, &uses[i]);
        if (i == 0 || !same_use(&by, &last)) {
            text_add(out, i > 0 ? ", " : "");
            use_print(out, page, &by);
        }
        last = by;
    }
}

static void used_by(docs *page, kn_def_kind kind, uint32_t index1)
{
    text uses = {0};
    uses_print(page, &uses, kind, index1);
    if (uses.length > 0) {
        text_format(&page->out, "<p class=\"uses\"><i>%s</i> %s</p>\n",
            kind == KN_DEF_EFFECT ? "applied and named by" : "used by", text_of(&uses));
    }
    text_free(&uses);
}

// What the functions of a def name.
static void body_print(docs *page, kn_def_kind kind, uint32_t index1)
{
    const docs_body *body = docs_body_of(page, kind, index1);
    text *out = &page->out;
    if (body == NULL) {
        return;
    }
    text_add(out, "<tr><th scope=\"row\">script</th><td>");
    source_print(out, page, body->source1, body->line);
    const docs_use *last = NULL;
    for (uint32_t i = 0; i < page->use_count; i++) {
        const docs_use *use = &page->uses[i];
        bool is_own = use->source1 != 0 && use->by_kind == kind && use->by_index1 == index1;
        bool is_new = last == NULL || last->kind != use->kind || last->index1 != use->index1 ||
                      strcmp(last->function, use->function) != 0;
        if (is_own && is_new) {
            text_add(out, last == NULL ? "<br>" : ", ");
            text_format(out, "<i>%s</i> ", use->function);
            docs_link(out, page, use->kind, use->index1);
            last = use;
        }
    }
    text_add(out, "</td></tr>\n");
}

static void comment_print(
    docs *page, const char *begin, const char *end, kn_def_kind kind, uint32_t index1)
{
    text words = {0};
    docs_comment(page, kind, index1, &words);
    if (words.length > 0) {
        text_add(&page->out, begin);
        docs_escape(&page->out, text_of(&words));
        text_add(&page->out, end);
    }
    text_free(&words);
}

static void place_print(docs *page, kn_def_kind kind, const char *name)
{
    const char *file;
    uint32_t line, column;
    if (kn_data_where(page->data, kind, name, &file, &line, &column)) {
        text_add(&page->out, "<small>");
        file_print(&page->out, page, file, line);
        text_add(&page->out, "</small>");
    }
}

static void badge(docs *page, const char *word)
{
    text_format(&page->out, "<span class=\"badge\">%s</span>", word);
}

static void badges(docs *page, kn_def_kind kind, const void *def)
{
    static const char *const durations[] = {"instant", "lasts", "until removed"};
    if (kind == KN_DEF_EFFECT) {
        const kn_effect_def *effect = def;
        badge(page, durations[effect->duration_kind]);
        if (effect->is_periodic) {
            badge(page, "ticks");
        }
        if (effect->stacking.kind != KN_STACK_NONE) {
            badge(page, "stacks");
        }
    } else if (kind == KN_DEF_ABILITY) {
        const kn_ability_def *ability = def;
        bool costs = ability->cost_count > 0 || !kn_effect_type_id_is_null(ability->cost_effect);
        bool cools =
            ability->cooldown_count > 0 || !kn_effect_type_id_is_null(ability->cooldown_effect);
        if (costs) {
            badge(page, "costs");
        }
        if (cools) {
            badge(page, "cooldown");
        }
        if (ability->trigger_count > 0) {
            badge(page, "triggered");
        }
        if (ability->activates_on_grant) {
            badge(page, "passive");
        }
    }
}

static void curve_mark(text *out, const char *anchor, int x, int y, float value)
{
    text_format(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
    text_float(out, value);
    text_add(out, "</text>");
}

static void curve_draw(docs *page, const kn_curve_def *curve)
{
    const kn_curve_point *points = curve->points;
    uint32_t count = curve->point_count;
    text *out = &page->out;
    float least = points[0].y, most = points[0].y;
    for (uint32_t i = 0; i < count; i++) {
        least = points[i].y < least ? points[i].y : least;
        most = points[i].y > most ? points[i].y : most;
    }
    double width = (double)points[count - 1].x - (double)points[0].x;
    double height = (double)most - (double)least;
    text_add(out, "<svg class=\"curve\" viewBox=\"0 0 320 140\" role=\"img\" "
                  "aria-label=\"curve\"><rect x=\"50\" y=\"4\" width=\"262\" "
                  "height=\"114\"/>");
    curve_mark(out, "start", 50, 134, points[0].x);
    curve_mark(out, "end", 312, 134, points[count - 1].x);
    curve_mark(out, "end", 44, 14, most);
    if (height > 0) {
        curve_mark(out, "end", 44, 118, least);
    }
    text_add(out, "<polyline points=\"");
    double y_before = 0;
    for (uint32_t i = 0; i < count; i++) {
        double off = (double)points[i].x - (double)points[0].x;
        double up = (double)points[i].y - (double)least;
        double x = 56 + (width > 0 ? off / width : 0.5) * 250;
        double y = 112 - (height > 0 ? up / height : 0.5) * 102;
        if (curve->kind == KN_CURVE_STEP && i > 0) {
            text_format(out, "%.1f,%.1f ", x, y_before);
        }
        text_format(out, "%.1f,%.1f ", x, y);
        y_before = y;
    }
    text_add(out, "\"/></svg>\n");
}

static void attributes_print(docs *page, uint32_t set)
{
    text *out = &page->out;
    text_add(out, "<table class=\"list\"><thead><tr><th scope=\"col\">attribute</th>"
                  "<th scope=\"col\">default</th><th scope=\"col\">limits and rules</th>"
                  "<th scope=\"col\">used by</th></tr></thead><tbody>\n");
    uint32_t count = kn_attribute_count(page->library);
    for (uint32_t i = 1; i <= count; i++) {
        kn_attribute_id attribute = {i};
        const kn_attribute_def *def = kn_attribute_get_def(page->library, attribute);
        if (def == NULL || kn_attribute_set_of(page->library, attribute).index1 != set) {
            continue;
        }
        text_add(out, "<tr id=\"");
        docs_anchor(out, page, KN_DEF_ATTRIBUTE, i);
        text_add(out, "\"><th scope=\"row\">");
        docs_escape(out, def->name);
        text_add(out, "</th><td>");
        text_float(out, def->default_value);
        text_add(out, "</td><td>");
        comment_print(page, "<i>", "</i>", KN_DEF_ATTRIBUTE, i);
        kn_attribute_def rest = *def;
        rest.default_value = kn_attribute_def_default().default_value;
        text rows = {0}, kept = page->out;
        page->out = rows;
        docs_fields(page, KN_DEF_ATTRIBUTE, &rest);
        rows = page->out;
        page->out = kept;
        if (rows.length > 0) {
            text_format(out, "<table>%s</table>", text_of(&rows));
        }
        text_free(&rows);
        text_add(out, "</td><td>");
        uses_print(page, out, KN_DEF_ATTRIBUTE, i);
        text_add(out, "</td></tr>\n");
    }
    text_add(out, "</tbody></table>\n");
}

static void entry_print(docs *page, kn_def_kind kind, uint32_t index1)
{
    text *out = &page->out;
    const char *name = kn_def_name(page->library, kind, index1);
    const void *def = kn_def_get(page->library, kind, index1);
    const char *expression = kn_def_expression(page->library, kind, index1);
    text_add(out, "<article id=\"");
    docs_anchor(out, page, kind, index1);
    text_add(out, "\"><h3><a class=\"self\" href=\"#");
    docs_anchor(out, page, kind, index1);
    text_add(out, "\">");
    docs_escape(out, name);
    text_add(out, "</a>");
    if (def != NULL) {
        badges(page, kind, def);
    }
    place_print(page, kind, name);
    text_add(out, "</h3>\n");
    comment_print(page, "<p class=\"about\">", "</p>\n", kind, index1);
    if (expression != NULL) {
        text_add(out, "<code>");
        docs_escape(out, expression);
        text_add(out, "</code>\n");
    } else {
        text kept = page->out;
        page->out = (text){0};
        if (def != NULL && kn_kind_table(page->library, kind) != NULL) {
            docs_fields(page, kind, def);
        }
        body_print(page, kind, index1);
        text rows = page->out;
        page->out = kept;
        if (rows.length > 0) {
            text_format(out, "<table>\n%s</table>\n", text_of(&rows));
        }
        text_free(&rows);
    }
    if (kind == KN_DEF_ATTRIBUTE_SET) {
        attributes_print(page, index1);
    } else if (kind == KN_DEF_CURVE && def != NULL) {
        curve_draw(page, def);
    }
    order_picture(out, page->library, kind, index1);
    used_by(page, kind, index1);
    text_add(out, "</article>\n");
}

// Tags ----------------------------------------------------------------------

static void tag_print(docs *page, kn_tag tag)
{
    text *out = &page->out;
    const char *comment = kn_tag_comment(page->library, tag);
    const char *source = kn_tag_source(page->library, tag);
    kn_tag child = kn_tag_first_child(page->library, tag);
    text uses = {0};
    uses_print(page, &uses, KN_DEF_TAG, tag.index1);
    text_add(out, "<li id=\"");
    docs_anchor(out, page, KN_DEF_TAG, tag.index1);
    text_format(out, "\"%s><span class=\"name\"><b>",
        uses.length == 0 && kn_tag_is_null(child) ? " class=\"unused\"" : "");
    docs_escape(out, kn_tag_name(page->library, tag));
    text_add(out, "</b></span> ");
    docs_escape(out, comment);
    text_add(out, " <small>");
    if (source[0] != 0) {
        text_add(out, "declared in ");
        name_print(out, page, source);
    }
    if (uses.length == 0 && kn_tag_is_null(child)) {
        text_add(out, source[0] != 0 ? ", not used" : "not used");
    }
    text_add(out, "</small>");
    if (uses.length > 0) {
        text_format(out, "<span class=\"by\"><i>used by</i> %s</span>", text_of(&uses));
    }
    text_free(&uses);
    if (!kn_tag_is_null(child)) {
        text_add(out, "<ul class=\"tags\">\n");
        for (; !kn_tag_is_null(child); child = kn_tag_next_sibling(page->library, child)) {
            tag_print(page, child);
        }
        text_add(out, "</ul>");
    }
    text_add(out, "</li>\n");
}

static void strays_print(docs *page)
{
    text *out = &page->out;
    text_add(out, "<article><h3>Only in code</h3><p class=\"about\">Names in code that look like "
                  "tags but are not declared in any data file.</p><table>\n");
    for (uint32_t i = 0; i < page->stray_count; i++) {
        text_add(out, "<tr><th scope=\"row\">");
        docs_escape(out, text_of(&page->strays[i].name));
        text_add(out, "</th><td>");
        source_print(out, page, page->strays[i].source1, page->strays[i].line);
        text_add(out, "</td></tr>\n");
    }
    text_add(out, "</table></article>\n");
}

static void tags_print(docs *page)
{
    text_add(&page->out, "<section aria-labelledby=\"tags\"><h2 id=\"tags\">Tags</h2>\n");
    if (kn_tag_count(page->library) > 0) {
        text_add(&page->out, "<article><ul class=\"tags\">\n");
        for (uint32_t i = 1; i <= kn_tag_count(page->library); i++) {
            kn_tag tag = {i};
            if (kn_tag_name(page->library, tag)[0] != 0 &&
                kn_tag_is_null(kn_tag_parent(page->library, tag))) {
                tag_print(page, tag);
            }
        }
        text_add(&page->out, "</ul></article>\n");
    }
    if (page->stray_count > 0) {
        strays_print(page);
    }
    text_add(&page->out, "</section>\n");
}

// Who applies what ----------------------------------------------------------

static void glance_row(docs *page, uint32_t index1)
{
    text *out = &page->out;
    const kn_effect_def *effect = kn_def_get(page->library, KN_DEF_EFFECT, index1);
    text_add(out, "<tr><th scope=\"row\">");
    docs_link(out, page, KN_DEF_EFFECT, index1);
    text_add(out, "</th><td>");
    for (uint32_t i = 0; i < effect->modifier_count; i++) {
        text_add(out, i > 0 ? ", " : "");
        docs_link(out, page, KN_DEF_ATTRIBUTE, effect->modifiers[i].attribute.index1);
    }
    text_add(out, "</td><td>");
    for (uint32_t i = 0; i < effect->granted_tags.count; i++) {
        text_add(out, i > 0 ? ", " : "");
        docs_link(out, page, KN_DEF_TAG, effect->granted_tags.data[i].index1);
    }
    text_add(out, "</td><td>");
    uses_print(page, out, KN_DEF_EFFECT, index1);
    text_add(out, "</td></tr>\n");
}

static void glance_print(docs *page)
{
    uint32_t count = kn_def_count(page->library, KN_DEF_EFFECT);
    if (count == 0) {
        return;
    }
    text_add(&page->out, "<section aria-labelledby=\"who\"><h2 id=\"who\">Who applies what</h2>\n"
                         "<article><table class=\"list\"><thead><tr><th scope=\"col\">effect</th>"
                         "<th scope=\"col\">changes</th><th scope=\"col\">gives tags</th>"
                         "<th scope=\"col\">applied and named by</th></tr></thead><tbody>\n");
    for (uint32_t i = 1; i <= count; i++) {
        glance_row(page, i);
    }
    text_add(&page->out, "</tbody></table></article></section>\n");
}

// The page ------------------------------------------------------------------

uint32_t docs_shown(const docs *page, kn_def_kind kind)
{
    uint32_t shown = 0;
    for (uint32_t i = 1; i <= kn_def_count(page->library, kind); i++) {
        shown += docs_is_hidden(page, kind, i) ? 0 : 1;
    }
    return shown;
}

static void nav_list(docs *page, kn_def_kind kind, const char *title, bool is_open)
{
    text *out = &page->out;
    uint32_t shown = docs_shown(page, kind);
    if (shown == 0) {
        return;
    }
    text_format(out, "<details%s><summary>%s <small>%u</small></summary><ul>\n",
        is_open && shown <= 30 ? " open" : "", title, shown);
    for (uint32_t k = 1; k <= kn_def_count(page->library, kind); k++) {
        if (!docs_is_hidden(page, kind, k)) {
            text_add(out, "<li>");
            docs_link(out, page, kind, k);
            text_add(out, "</li>\n");
        }
    }
    text_add(out, "</ul></details>\n");
}

static void nav_print(docs *page)
{
    text *out = &page->out;
    text_add(out, "<a class=\"skip\" href=\"#main\">To the text</a>\n"
                  "<nav aria-label=\"Contents\"><a class=\"title\" href=\"#main\">");
    docs_escape(out, page->title);
    text_add(out, "</a>\n<div hidden><label class=\"search\"><input type=\"search\" "
                  "id=\"search\" placeholder=\"Search ( / )\" aria-label=\"Search\" "
                  "autocomplete=\"off\"></label>"
                  "<div class=\"hits\" id=\"hits\" role=\"status\"></div></div>\n"
                  "<label><input type=\"checkbox\" id=\"explain\"> Explain fields</label>\n");
    for (uint32_t i = 0; i < docs_section_count(page); i++) {
        docs_section section = docs_section_at(page, i);
        nav_list(page, section.kind, section.title, true);
        if (section.kind == KN_DEF_ATTRIBUTE_SET) {
            nav_list(page, KN_DEF_ATTRIBUTE, "Attributes", false);
        }
    }
    nav_list(page, KN_DEF_TAG, "Tags", false);
    text_add(out, "</nav>\n");
}

static void section_anchor(text *out, const docs *page, kn_def_kind kind)
{
    text_add(out, "kind-");
    for (const char *at = kn_kind_name(page->library, kind); *at != 0; at++) {
        text_bytes(out, *at == ' ' ? "_" : at, 1);
    }
}

static void lead_print(docs *page)
{
    text *out = &page->out;
    text_add(out, "<h1>");
    docs_escape(out, page->title);
    text_format(out, "</h1>\n<p class=\"lead\">Library %016llx</p>\n<ul class=\"counts\">",
        (unsigned long long)kn_library_hash(page->library));
    for (uint32_t i = 0; i < docs_section_count(page); i++) {
        docs_section section = docs_section_at(page, i);
        uint32_t shown = docs_shown(page, section.kind);
        if (shown > 0) {
            text_add(out, "<li><a href=\"#");
            section_anchor(out, page, section.kind);
            text_format(out, "\"><b>%u</b> %s</a></li>\n", shown, section.title);
        }
    }
    if (kn_tag_count(page->library) > 0) {
        text_format(
            out, "<li><a href=\"#tags\"><b>%u</b> Tags</a></li>\n", kn_tag_count(page->library));
    }
    text_add(out, "</ul>\n");
}

static void section_print(docs *page, const docs_section *section)
{
    text *out = &page->out;
    if (docs_shown(page, section->kind) == 0) {
        return;
    }
    text_add(out, "<section aria-labelledby=\"");
    section_anchor(out, page, section->kind);
    text_add(out, "\"><h2 id=\"");
    section_anchor(out, page, section->kind);
    text_format(out, "\">%s</h2>\n", section->title);
    const kn_kind_def *own = kn_kind_get_def(page->library, section->kind);
    if (own != NULL && own->text != NULL) {
        text_add(out, "<p class=\"about\">");
        docs_escape(out, own->text);
        text_add(out, "</p>\n");
    }
    for (uint32_t k = 1; k <= kn_def_count(page->library, section->kind); k++) {
        if (!docs_is_hidden(page, section->kind, k)) {
            entry_print(page, section->kind, k);
        }
    }
    text_add(out, "</section>\n");
}

static const char *page_file(const char *name)
{
    for (uint32_t i = 0; i < page_file_count; i++) {
        if (strcmp(page_files[i].path, name) == 0) {
            return (const char *)page_files[i].bytes;
        }
    }
    return "";
}

static void page_print(docs *page)
{
    text *out = &page->out;
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>");
    docs_escape(out, page->title);
    text_format(out,
        "</title>\n<style>\n%s.k%d{color:var(--tag)}.k%d{color:var(--attribute)}"
        ".k%d{color:var(--ability)}.k%d{color:var(--effect)}\n</style></head><body>\n",
        page_file("docs.css"), (int)KN_DEF_TAG, (int)KN_DEF_ATTRIBUTE, (int)KN_DEF_ABILITY,
        (int)KN_DEF_EFFECT);
    nav_print(page);
    text_add(out, "<main id=\"main\">\n");
    lead_print(page);
    glance_print(page);
    for (uint32_t i = 0; i < docs_section_count(page); i++) {
        docs_section section = docs_section_at(page, i);
        section_print(page, &section);
    }
    if (kn_tag_count(page->library) > 0 || page->stray_count > 0) {
        tags_print(page);
    }
    text_format(out,
        "<footer>Written by knack docs %d.%d.%d</footer></main>\n<script>\n%s</script></body>"
        "</html>\n",
        KN_VERSION_MAJOR, KN_VERSION_MINOR, KN_VERSION_PATCH, page_file("docs.js"));
}

// The command ---------------------------------------------------------------

static cli_code docs_write(docs *page)
{
    const cli *call = page->call;
    const char *path;
    for (uint32_t i = 0; (path = cli_nth_of(call, "code", i)) != NULL; i++) {
        cli_code code = docs_code_add(page, path);
        if (code != CLI_GOOD) {
            return code;
        }
    }
    docs_find_uses(page);
    docs_find_in_code(page);
    if (cli_has(call, "json")) {
        docs_json(page);
    } else {
        page_print(page);
    }
    path = cli_text_of(call, "output", "-");
    return file_write(call, path, text_of(&page->out), page->out.length) ? CLI_GOOD
                                                                         : CLI_UNREADABLE;
}

// Scripts are part of the library, and of its reference.
static void script_seen(void *user, const char *name, const char *bytes, size_t size)
{
    docs_source_add(user, name, bytes, size, true);
}

cli_code docs_main(const cli *call)
{
    content shown = {0};
    docs page = {.call = call, .title = cli_text_of(call, "title", "Reference")};
    shown.script_seen = script_seen;
    shown.user = &page;
    cli_code code = content_load(call, call->arguments, call->argument_count, &shown);
    if (code == CLI_GOOD) {
        page.library = shown.library;
        page.data = shown.data;
        code = docs_write(&page);
    }
    docs_free(&page);
    content_free(&shown);
    return code;
}
