// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A tree as an SVG picture: a row for each node, indented by its depth, with a line to the node
// that it is inside of, and rows for its conditions and services.

#include "tree_parts.h"

#define MARGIN 16
#define TOP 44
#define ROW 26        // height of a node
#define NOTE 17       // height of a condition or service
#define INDENT 28     // for each depth
#define LETTER 7      // width of a letter, about
#define KIND_LETTER 7 // of the kind, which is drawn in a box

typedef struct picture {
    const kn_library *library;
    const plan *p;
    const node_state *states; // NULL: without a state
    kn_text *out;             // NULL: only to measure
    int width, height;
} picture;

static void xml_say(kn_text *out, const char *words)
{
    for (; *words != 0; words++) {
        switch (*words) {
        case '<':
            kn_text_add(out, "&lt;");
            break;
        case '>':
            kn_text_add(out, "&gt;");
            break;
        case '&':
            kn_text_add(out, "&amp;");
            break;
        default:
            kn_text_add(out, "%c", *words);
            break;
        }
    }
}

static void number_say(kn_text *out, const char *before, float number, const char *after)
{
    char text[48];
    (void)kn_float_print(number, text, sizeof(text));
    kn_text_add(out, "%s%s%s", before, text, after);
}

static void key_say(kn_text *out, const char *before, const char *key)
{
    if (key != NULL && key[0] != 0) {
        kn_text_add(out, "%s%s", before, key);
    }
}

static void name_say(kn_text *out, const char *before, const char *name)
{
    if (name != NULL && name[0] != 0) {
        kn_text_add(out, "%s%s", before, name);
    }
}

// What a node does, besides its kind and name.
static void detail_say(
    kn_text *out, const kn_library *library, const plan *p, const plan_node *node)
{
    static const char *const quorums[] = {"all", "one"};
    static const char *const results[] = {"succeeded", "failed"};
    const kn_tree_node *def = node->def;
    const tree_kit *kit = p->kit;
    float seconds = (float)kn_time_to_seconds(def->duration);
    switch (def->kind) {
    case KN_TREE_PARALLEL:
        kn_text_add(out, "succeeds: %s, fails: %s", quorums[def->succeeds], quorums[def->fails]);
        break;
    case KN_TREE_REPEAT:
    case KN_TREE_LOOP_UNTIL:
        if (def->kind == KN_TREE_LOOP_UNTIL) {
            kn_text_add(out, "until it has %s, ", results[def->until == KN_TREE_FAILED]);
        }
        if (def->count > 0) {
            kn_text_add(out, "%u times", def->count);
        } else {
            kn_text_add(out, "any number of times");
        }
        break;
    case KN_TREE_WAIT:
    case KN_TREE_TIME_LIMIT:
    case KN_TREE_COOLDOWN:
        if (def->duration == KN_TIME_INFINITE) {
            kn_text_add(out, "forever");
        } else {
            number_say(out, "", seconds, " s");
        }
        break;
    case KN_TREE_SUB_TREE:
        name_say(out, "", kn_def_name(library, kit->tree_kind, def->tree.index1));
        break;
    case KN_TREE_TASK:
        name_say(out, "", kn_def_name(library, kit->action_kind, def->action.index1));
        break;
    case KN_TREE_USE_ABILITY:
    case KN_TREE_WAIT_ABILITY:
        name_say(out, "", kn_def_name(library, KN_DEF_ABILITY, def->ability.index1));
        break;
    case KN_TREE_APPLY_EFFECT:
        name_say(out, "", kn_def_name(library, KN_DEF_EFFECT, def->effect.index1));
        break;
    case KN_TREE_WAIT_ATTRIBUTE:
        name_say(out, "", kn_def_name(library, KN_DEF_ATTRIBUTE, def->attribute.index1));
        break;
    case KN_TREE_ISSUE_ORDER:
        key_say(out, "", def->order);
        break;
    case KN_TREE_FINISH_ORDER:
        kn_text_add(out, "%s", results[def->result == KN_TREE_FAILED]);
        break;
    default:
        break;
    }
    if (def->tag.index1 != 0) {
        kn_text_add(out, "%s%s", out->length > 0 ? " " : "", kn_tag_name(library, def->tag));
    }
    key_say(out, " at ", def->target);
    key_say(out, " at ", def->location);
    for (uint32_t i = 0; i < def->value_count; i++) {
        key_say(out, out->length > 0 ? ", " : "", def->values[i].key);
        key_say(out, " = ", def->values[i].from);
    }
}

static const char *state_class(const picture *v, uint32_t n)
{
    static const char *const classes[KN_TREE_STATE_COUNT] = {
        "none", "running", "succeeded", "failed", "aborted", "blocked"};
    uint32_t state = v->states != NULL ? v->states[n].state : 0;
    return state < KN_TREE_STATE_COUNT ? classes[state] : classes[0];
}

static void wide(picture *v, int right)
{
    v->width = right + MARGIN > v->width ? right + MARGIN : v->width;
}

// One line of text; what is measured is not drawn.
static void note_draw(picture *v, int x, const char *class, const char *words)
{
    wide(v, x + (int)strlen(words) * LETTER);
    if (v->out != NULL) {
        kn_text_add(v->out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, v->height + 12, class);
        xml_say(v->out, words);
        kn_text_add(v->out, "</text>\n");
    }
    v->height += NOTE;
}

static void notes_draw(picture *v, const plan_node *node, int x)
{
    static const char *const aborts[KN_TREE_ABORTS_COUNT] = {
        "", " (interrupts the node)", " (interrupts later branches)", " (interrupts both)"};
    char words[512];
    for (uint32_t i = 0; i < node->condition_count; i++) {
        const plan_condition *c = &v->p->conditions[node->first_condition + i];
        kn_text line = kn_text_begin(words, sizeof(words));
        kn_text_add(&line, "if ");
        knc_tree_condition_print(&line, v->library, c);
        kn_text_add(&line, "%s", aborts[c->def->aborts]);
        note_draw(v, x, "note", words);
    }
    for (uint32_t i = 0; i < node->service_count; i++) {
        const kn_tree_service *service = v->p->services[node->first_service + i].def;
        kn_text line = kn_text_begin(words, sizeof(words));
        kn_text_add(&line, "meanwhile %s",
            kn_def_name(v->library, v->p->kit->action_kind, service->action.index1));
        number_say(&line, " every ", (float)kn_time_to_seconds(service->interval), " s");
        note_draw(v, x, "note", words);
    }
}

// `ys` has the middle of the box of the last node at each depth.
static void node_draw(picture *v, uint32_t n, int *ys)
{
    const plan_node *node = &v->p->nodes[n];
    const char *kind = knc_tree_node_words[node->def->kind];
    const char *name = knc_tree_node_name(node->def);
    char detail[512];
    kn_text line = kn_text_begin(detail, sizeof(detail));
    int x = MARGIN + (int)node->depth * INDENT;
    int box = (int)strlen(kind) * KIND_LETTER + 12;
    int middle = v->height + ROW / 2 - 2;
    int at = x + box + 8;
    detail_say(&line, v->library, v->p, node);
    if (v->out != NULL && node->depth > 0) {
        int from = x - INDENT + 10;
        kn_text_add(v->out, "<path d=\"M%d %dV%dH%d\" class=\"line\"/>\n", from,
            ys[node->depth - 1] + 10, middle, x);
    }
    ys[node->depth] = middle;
    if (v->out != NULL) {
        kn_text_add(v->out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"20\" rx=\"4\" class=\"box %s\"/>"
            "<text x=\"%d\" y=\"%d\" class=\"kind\">%s</text>\n",
            x, middle - 10, box, state_class(v, n), x + 6, middle + 4, kind);
    }
    if (name != kind) {
        if (v->out != NULL) {
            kn_text_add(v->out, "<text x=\"%d\" y=\"%d\" class=\"name\">", at, middle + 4);
            xml_say(v->out, name);
            kn_text_add(v->out, "</text>\n");
        }
        at += (int)strlen(name) * (LETTER + 1) + 8;
    }
    if (v->out != NULL && line.length > 0) {
        kn_text_add(v->out, "<text x=\"%d\" y=\"%d\" class=\"detail\">", at, middle + 4);
        xml_say(v->out, detail);
        kn_text_add(v->out, "</text>\n");
    }
    wide(v, at + (int)strlen(detail) * LETTER);
    v->height += ROW;
    notes_draw(v, node, x + 14);
}

static void nodes_draw(picture *v)
{
    int ys[KN_TREE_DEPTH_MAX + 1] = {0};
    v->height = TOP;
    for (uint32_t n = 0; n < v->p->node_count; n++) {
        if (v->p->nodes[n].depth <= KN_TREE_DEPTH_MAX) {
            node_draw(v, n, ys);
        }
    }
}

static void style_draw(kn_text *out)
{
    kn_text_add(out, "<style>\n"
                     ".knack-tree { background: #fff; font: 13px system-ui, sans-serif; }\n"
                     ".knack-tree .title { font-size: 15px; font-weight: 600; }\n"
                     ".knack-tree .kind { font: 11px ui-monospace, monospace; }\n"
                     ".knack-tree .name { font-weight: 600; }\n"
                     ".knack-tree .detail { fill: #444; }\n"
                     ".knack-tree .note { fill: #666; font-style: italic; font-size: 12px; }\n"
                     ".knack-tree .line { fill: none; stroke: #aaa; }\n"
                     ".knack-tree .box { fill: #eef1f6; stroke: #8a94a6; }\n"
                     ".knack-tree .running { fill: #cfe5ff; stroke: #1f6fd0; }\n"
                     ".knack-tree .succeeded { fill: #d3f2d8; stroke: #2e8b45; }\n"
                     ".knack-tree .failed { fill: #ffd9d6; stroke: #c0392b; }\n"
                     ".knack-tree .aborted { fill: #ffe9c7; stroke: #b9770e; }\n"
                     ".knack-tree .blocked { fill: #eee; stroke: #999; stroke-dasharray: 3 2; }\n"
                     "</style>\n");
}

uint32_t kn_tree_svg(const kn_library *library, kn_tree_id tree, const kn_world *world,
    kn_entity_id entity, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    const tree_kit *kit = library != NULL ? knc_tree_kit_of(library) : NULL;
    picture v = {.library = library, .p = kit != NULL ? knc_tree_plan(kit, tree) : NULL};
    if (v.p == NULL) {
        return 0;
    }
    if (world != NULL && kn_world_library(world) == library &&
        knc_tree_plan_of(world, entity, &v.states) != v.p) {
        v.states = NULL;
    }
    wide(&v, MARGIN + (int)strlen(v.p->def->name) * (LETTER + 3));
    nodes_draw(&v);
    int height = v.height + MARGIN / 2;
    kn_text_add(&out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
        "height=\"%d\" role=\"img\" class=\"knack-tree\">\n<title>",
        v.width, height, v.width, height);
    xml_say(&out, v.p->def->name);
    kn_text_add(&out, "</title>\n");
    style_draw(&out);
    kn_text_add(&out, "<text x=\"%d\" y=\"26\" class=\"title\">", MARGIN);
    xml_say(&out, v.p->def->name);
    kn_text_add(&out, "</text>\n");
    v.out = &out;
    nodes_draw(&v);
    kn_text_add(&out, "</svg>\n");
    return out.length;
}
