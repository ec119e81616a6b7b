// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack docs: a library as one HTML file that needs nothing else.

#include "docs.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{--bg:#fbfaf7;--fg:#23252b;--dim:#6b7079;--line:#e4e1d8;--card:#fff;--link:#1d5fa8;"
    "--tag:#8a4b08;--attribute:#1a7242;--ability:#7a2f8f;--accent:#b8551f}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#15171b;--fg:#e3e4e8;--dim:#9aa0aa;"
    "--line:#2b2f37;--card:#1c1f25;--link:#7db4f0;--tag:#e0a566;--attribute:#7fcf9f;"
    "--ability:#d09be0;--accent:#f0935a}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}\n"
    "a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}\n"
    "nav{position:fixed;top:0;bottom:0;left:0;width:250px;overflow:auto;padding:20px;"
    "border-right:1px solid var(--line);font-size:13px}\n"
    "nav h1{font-size:17px;margin:0 0 12px;color:var(--accent)}\n"
    "nav details{margin:4px 0}nav summary{cursor:pointer;font-weight:600}\n"
    "nav summary small{color:var(--dim);font-weight:400}\n"
    "nav ul{list-style:none;margin:2px 0 6px;padding-left:14px}\n"
    "nav li{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}\n"
    "main{margin-left:250px;padding:28px 40px 80px;max-width:980px}\n"
    "h2{margin:40px 0 12px;font-size:22px}main>h2:first-child{margin-top:0}\n"
    "article{background:var(--card);border:1px solid var(--line);border-radius:8px;"
    "padding:14px 18px;margin:12px 0}article:target,li:target,tr:target{outline:2px solid "
    "var(--accent)}\n"
    "h3{margin:0 0 6px;font-size:16px}h3 small{color:var(--dim);font-weight:400;"
    "font-size:12px;margin-left:8px}\n"
    ".badge{display:inline-block;font-size:11px;border:1px solid var(--line);border-radius:10px;"
    "padding:0 8px;margin-left:6px;color:var(--dim);font-weight:400}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th{text-align:left;font-weight:500;color:var(--dim);padding:2px 16px 2px 0;"
    "vertical-align:top;white-space:nowrap;width:1%}td{padding:2px 12px 2px 0;"
    "vertical-align:top}\n"
    "article table.list th{border-bottom:1px solid var(--line)}\n"
    "i{color:var(--dim);font-style:normal}\n"
    "code{font:13px ui-monospace,monospace;background:var(--bg);padding:1px 5px;"
    "border-radius:4px}\n"
    ".uses{margin:8px 0 0;padding-top:8px;border-top:1px dashed var(--line);font-size:13px}\n"
    "ul.tags{list-style:none;padding-left:22px;margin:0}article>ul.tags{padding-left:0}\n"
    "ul.tags small{color:var(--dim)}\n"
    "svg.curve{width:220px;height:90px;display:block;margin-top:6px}svg.curve polyline{fill:none;"
    "stroke:var(--accent);stroke-width:2}svg.curve rect{fill:none;stroke:var(--line)}\n"
    "@media(max-width:760px){nav{position:static;width:auto;border-right:0;"
    "border-bottom:1px solid var(--line)}main{margin:0;padding:20px}}\n"
    "@media print{nav{display:none}main{margin:0;max-width:none}}\n";

// Sections of the page, in this order; tags come last.
static const struct {
    kn_def_kind kind;
    const char *title;
} sections[] = {
    {KN_DEF_ARCHETYPE, "Archetypes"},
    {KN_DEF_ABILITY, "Abilities"},
    {KN_DEF_ABILITY_SET, "Ability sets"},
    {KN_DEF_EFFECT, "Effects"},
    {KN_DEF_CONTAINER, "Containers"},
    {KN_DEF_ATTRIBUTE_SET, "Attributes"},
    {KN_DEF_VALUE, "Values"},
    {KN_DEF_EVENT_KIND, "Event kinds"},
    {KN_DEF_RULE, "Rules"},
    {KN_DEF_TARGETING, "Targeting"},
    {KN_DEF_TARGET, "Target data"},
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
    {KN_DEF_COMPONENT, "Components"},
    {KN_DEF_CONTEXT, "Context payloads"},
};
#define SECTION_COUNT (sizeof(sections) / sizeof(*sections))

// Parts of an entry ---------------------------------------------------------

// A formula within another def is told as that def.
static void use_by(const docs *page, const docs_use *use, docs_use *by)
{
    *by = *use;
    for (uint32_t depth = 0; depth < 4 && docs_is_inline(page, by->by_kind, by->by_index1);
         depth++) {
        uint32_t count;
        const docs_use *outer = docs_uses_of(page, by->by_kind, by->by_index1, &count);
        if (outer == NULL) {
            return;
        }
        const char *field = by->field;
        *by = *outer;
        by->field = field;
    }
}

static void uses_print(docs *page, text *out, kn_def_kind kind, uint32_t index1)
{
    uint32_t count;
    const docs_use *uses = docs_uses_of(page, kind, index1, &count);
    docs_use last = {0};
    for (uint32_t i = 0; i < count; i++) {
        docs_use by;
        use_by(page, &uses[i], &by);
        if (by.by_kind == last.by_kind && by.by_index1 == last.by_index1 &&
            by.field == last.field) {
            continue; // twice in one list
        }
        last = by;
        text_add(out, i > 0 ? ", " : "");
        docs_link(out, page, by.by_kind, by.by_index1);
        text_add(out, " <i>");
        for (const char *at = by.field; *at != 0; at++) {
            text_bytes(out, *at == '_' ? " " : at, 1);
        }
        text_add(out, "</i>");
    }
}

static void used_by(docs *page, kn_def_kind kind, uint32_t index1)
{
    text uses = {0};
    uses_print(page, &uses, kind, index1);
    if (uses.length > 0) {
        text_format(&page->out, "<p class=\"uses\"><i>used by</i> %s</p>\n", text_of(&uses));
    }
    text_free(&uses);
}

static void place_print(docs *page, kn_def_kind kind, const char *name)
{
    const char *file;
    uint32_t line, column;
    if (kn_data_where(page->data, kind, name, &file, &line, &column)) {
        text_add(&page->out, "<small>");
        docs_escape(&page->out, file);
        text_format(&page->out, ":%u</small>", line);
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

static void curve_draw(docs *page, const kn_curve_def *curve)
{
    const kn_curve_point *points = curve->points;
    uint32_t count = curve->point_count;
    float least = points[0].y, most = points[0].y;
    for (uint32_t i = 0; i < count; i++) {
        least = points[i].y < least ? points[i].y : least;
        most = points[i].y > most ? points[i].y : most;
    }
    double width = (double)points[count - 1].x - (double)points[0].x;
    double height = (double)most - (double)least;
    text_add(&page->out, "<svg class=\"curve\" viewBox=\"0 0 220 90\"><rect x=\"1\" y=\"1\" "
                         "width=\"218\" height=\"88\"/><polyline points=\"");
    double y_before = 0;
    for (uint32_t i = 0; i < count; i++) {
        double off = (double)points[i].x - (double)points[0].x;
        double up = (double)points[i].y - (double)least;
        double x = 8 + (width > 0 ? off / width : 0.5) * 204;
        double y = 82 - (height > 0 ? up / height : 0.5) * 74;
        if (curve->kind == KN_CURVE_STEP && i > 0) {
            text_format(&page->out, "%.1f,%.1f ", x, y_before);
        }
        text_format(&page->out, "%.1f,%.1f ", x, y);
        y_before = y;
    }
    text_add(&page->out, "\"/></svg>\n");
}

static void attributes_print(docs *page, uint32_t set)
{
    text *out = &page->out;
    text_add(out, "<table class=\"list\"><tr><th>attribute</th><th>default</th><th>limits and "
                  "rules</th><th>used by</th></tr>\n");
    uint32_t count = kn_attribute_count(page->library);
    for (uint32_t i = 1; i <= count; i++) {
        kn_attribute_id attribute = {i};
        const kn_attribute_def *def = kn_attribute_get_def(page->library, attribute);
        if (def == NULL || kn_attribute_set_of(page->library, attribute).index1 != set) {
            continue;
        }
        text_add(out, "<tr id=\"");
        docs_anchor(out, page, KN_DEF_ATTRIBUTE, i);
        text_add(out, "\"><td>");
        docs_escape(out, def->name);
        text_add(out, "</td><td>");
        text_float(out, def->default_value);
        text_add(out, "</td><td>");
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
    text_add(out, "</table>\n");
}

static void entry_print(docs *page, kn_def_kind kind, uint32_t index1)
{
    text *out = &page->out;
    const char *name = kn_def_name(page->library, kind, index1);
    const void *def = kn_def_get(page->library, kind, index1);
    const char *expression = kn_def_expression(page->library, kind, index1);
    text_add(out, "<article id=\"");
    docs_anchor(out, page, kind, index1);
    text_add(out, "\"><h3>");
    docs_escape(out, name);
    if (def != NULL) {
        badges(page, kind, def);
    }
    place_print(page, kind, name);
    text_add(out, "</h3>\n");
    if (expression != NULL) {
        text_add(out, "<code>");
        docs_escape(out, expression);
        text_add(out, "</code>\n");
    } else if (def != NULL && kn_def_table_of(kind) != NULL) {
        text_add(out, "<table>\n");
        docs_fields(page, kind, def);
        text_add(out, "</table>\n");
    }
    if (kind == KN_DEF_ATTRIBUTE_SET) {
        attributes_print(page, index1);
    } else if (kind == KN_DEF_CURVE && def != NULL) {
        curve_draw(page, def);
    }
    used_by(page, kind, index1);
    text_add(out, "</article>\n");
}

// Tags ----------------------------------------------------------------------

static void tag_print(docs *page, kn_tag tag)
{
    text *out = &page->out;
    const char *comment = kn_tag_comment(page->library, tag);
    const char *source = kn_tag_source(page->library, tag);
    text uses = {0};
    text_add(out, "<li id=\"");
    docs_anchor(out, page, KN_DEF_TAG, tag.index1);
    text_add(out, "\"><b>");
    docs_escape(out, kn_tag_name(page->library, tag));
    text_add(out, "</b> <small>");
    docs_escape(out, comment);
    text_add(out, comment[0] != 0 && source[0] != 0 ? ", " : "");
    if (source[0] != 0) {
        text_add(out, "declared in ");
        docs_escape(out, source);
    }
    text_add(out, "</small>");
    uses_print(page, &uses, KN_DEF_TAG, tag.index1);
    if (uses.length > 0) {
        text_format(out, " &mdash; %s", text_of(&uses));
    }
    text_free(&uses);
    kn_tag child = kn_tag_first_child(page->library, tag);
    if (!kn_tag_is_null(child)) {
        text_add(out, "<ul class=\"tags\">\n");
        for (; !kn_tag_is_null(child); child = kn_tag_next_sibling(page->library, child)) {
            tag_print(page, child);
        }
        text_add(out, "</ul>");
    }
    text_add(out, "</li>\n");
}

static void tags_print(docs *page)
{
    text_add(&page->out, "<h2 id=\"tags\">Tags</h2>\n<article><ul class=\"tags\">\n");
    for (uint32_t i = 1; i <= kn_tag_count(page->library); i++) {
        kn_tag tag = {i};
        if (kn_tag_name(page->library, tag)[0] != 0 &&
            kn_tag_is_null(kn_tag_parent(page->library, tag))) {
            tag_print(page, tag);
        }
    }
    text_add(&page->out, "</ul></article>\n");
}

// The page ------------------------------------------------------------------

static uint32_t shown_count(const docs *page, kn_def_kind kind)
{
    uint32_t shown = 0;
    for (uint32_t i = 1; i <= kn_def_count(page->library, kind); i++) {
        shown += docs_is_inline(page, kind, i) ? 0 : 1;
    }
    return shown;
}

static void nav_print(docs *page)
{
    text *out = &page->out;
    text_add(out, "<nav><h1>");
    docs_escape(out, page->title);
    text_add(out, "</h1>\n");
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        kn_def_kind kind = sections[i].kind;
        uint32_t shown = shown_count(page, kind);
        if (shown == 0) {
            continue;
        }
        text_format(out, "<details%s><summary>%s <small>%u</small></summary><ul>\n",
            shown <= 30 ? " open" : "", sections[i].title, shown);
        for (uint32_t k = 1; k <= kn_def_count(page->library, kind); k++) {
            if (!docs_is_inline(page, kind, k)) {
                text_add(out, "<li>");
                docs_link(out, page, kind, k);
                text_add(out, "</li>\n");
            }
        }
        text_add(out, "</ul></details>\n");
    }
    if (kn_tag_count(page->library) > 0) {
        text_format(out, "<p><a href=\"#tags\"><b>Tags</b></a> <small>%u</small></p>\n",
            kn_tag_count(page->library));
    }
    text_add(out, "</nav>\n");
}

void docs_write(docs *page)
{
    text *out = &page->out;
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    docs_escape(out, page->title);
    text_format(out,
        "</title>\n<style>\n%s.k%d{color:var(--tag)}.k%d{color:var(--attribute)}"
        ".k%d{color:var(--ability)}\n</style></head><body>\n",
        style, (int)KN_DEF_TAG, (int)KN_DEF_ATTRIBUTE, (int)KN_DEF_ABILITY);
    nav_print(page);
    text_add(out, "<main>\n");
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        kn_def_kind kind = sections[i].kind;
        if (shown_count(page, kind) > 0) {
            text_format(out, "<h2>%s</h2>\n", sections[i].title);
        }
        for (uint32_t k = 1; k <= kn_def_count(page->library, kind); k++) {
            if (!docs_is_inline(page, kind, k)) {
                entry_print(page, kind, k);
            }
        }
    }
    if (kn_tag_count(page->library) > 0) {
        tags_print(page);
    }
    text_add(out, "</main></body></html>\n");
}

cli_code docs_main(const cli *call)
{
    content shown;
    cli_code code = content_load(call, call->arguments, call->argument_count, &shown);
    if (code == CLI_GOOD) {
        docs page = {.library = shown.library,
            .data = shown.data,
            .title = cli_text_of(call, "title", "Reference")};
        docs_find_uses(&page);
        docs_write(&page);
        const char *path = cli_text_of(call, "output", "-");
        code = file_write(call, path, page.out.data, page.out.length) ? CLI_GOOD : CLI_UNREADABLE;
        text_free(&page.out);
        free(page.uses);
    }
    content_free(&shown);
    return code;
}
