// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The world as text for people: explanations, events, causes. Whole entities are in dump_entity.c.

#include "report/dump.h"

#include <math.h>

// Parts ---------------------------------------------------------------------

// "Add -20", "Multiply Additive x0.9", "Divide Compound /2", "Override =5".
static void text_operation(kni_text *text, kn_op op, float magnitude)
{
    kni_text_str(text, kn_op_name(op));
    kni_text_char(text, ' ');
    switch (op) {
    case KN_OP_ADD:
    case KN_OP_ADD_FINAL:
        kni_text_str(text, magnitude >= 0.0f ? "+" : "");
        break;
    case KN_OP_OVERRIDE:
        kni_text_char(text, '=');
        break;
    case KN_OP_DIVIDE:
    case KN_OP_DIVIDE_ADDITIVE:
    case KN_OP_DIVIDE_COMPOUND:
        kni_text_char(text, '/');
        break;
    default:
        kni_text_char(text, 'x');
        break;
    }
    kni_text_float(text, magnitude);
}

// What a modifier does; in brackets, with the reason, when it does not take part.
void kni_text_modifier(kni_text *text, kn_op op, float magnitude, uint32_t stacks, uint32_t channel,
    kn_qualification qualification)
{
    if (qualification != KN_QUALIFICATION_OK) {
        kni_text_char(text, '(');
    }
    text_operation(text, op, magnitude);
    if (stacks > 1) {
        kni_text_str(text, " (");
        kni_text_u64(text, stacks);
        kni_text_str(text, " stacks)");
    }
    if (channel > 0) {
        kni_text_str(text, " in channel ");
        kni_text_u64(text, channel);
    }
    if (qualification != KN_QUALIFICATION_OK) {
        kni_text_str(text, ": ");
        kni_text_str(text, kn_qualification_name(qualification));
        kni_text_char(text, ')');
    }
}

// Explanations --------------------------------------------------------------

// What an explanation is about.
typedef struct explained {
    const kn_world *world;
    const kn_explain_line *lines;
    const kn_value_def *value; // NULL for an attribute
} explained;

// Multipliers of one stage are added before they act: prints the sum of those up to a line.
static void explain_together(kni_text *text, const explained *about, const kn_explain_line *line)
{
    float sum = 1.0f;
    uint32_t count = 0;
    for (const kn_explain_line *other = about->lines; other <= line; other++) {
        if (other->kind == KN_EXPLAIN_MODIFIER && other->qualification == KN_QUALIFICATION_OK &&
            other->op == line->op && other->channel == line->channel) {
            sum += other->magnitude - 1.0f;
            count++;
        }
    }
    if (count > 1) {
        kni_text_str(text, ", together ");
        kni_text_float(text, sum);
    }
}

static void explain_what(kni_text *text, const explained *about, const kn_explain_line *line)
{
    switch (line->kind) {
    case KN_EXPLAIN_BASE:
        kni_text_str(text, "base");
        break;
    case KN_EXPLAIN_MODIFIER:
        kni_text_modifier(
            text, line->op, line->magnitude, line->stacks, line->channel, line->qualification);
        if (line->qualification == KN_QUALIFICATION_OK &&
            (line->op == KN_OP_MULTIPLY_ADDITIVE || line->op == KN_OP_DIVIDE_ADDITIVE)) {
            explain_together(text, about, line);
        }
        break;
    case KN_EXPLAIN_LIMIT:
        kni_text_str(text, "limit of the group");
        break;
    case KN_EXPLAIN_HOOK:
        kni_text_str(text, "hook of the set");
        break;
    case KN_EXPLAIN_KEPT:
        kni_text_str(
            text, about->value != NULL ? "not finite: the base" : "kept until its next change");
        break;
    case KN_EXPLAIN_CLAMP:
        kni_text_str(text, line->delta > 0.0f ? "minimum" : "maximum");
        break;
    case KN_EXPLAIN_ADJUST:
        kni_text_str(text, "function of the value");
        break;
    case KN_EXPLAIN_FACTOR:
        kni_text_str(text, "factor x");
        kni_text_float(text, line->magnitude);
        break;
    default:
        kni_text_str(text, "rounding");
        break;
    }
}

static void explain_who(kni_text *text, const explained *about, const kn_explain_line *line)
{
    if (line->kind == KN_EXPLAIN_BASE || line->kind == KN_EXPLAIN_CLAMP) {
        kni_text_float(text, line->result); // the base, or the limit itself
    } else if (line->kind == KN_EXPLAIN_FACTOR && about->value != NULL) {
        kni_text_attribute(text, about->world, about->value->factor, 0);
    } else if (line->kind == KN_EXPLAIN_MODIFIER) {
        kni_text_type_and_number(text, about->world, line->type, line->effect);
        if (line->source.index1 != 0) {
            kni_text_str(text, " by ");
            kni_text_entity(text, line->source);
        }
    }
}

typedef void explain_part(kni_text *text, const explained *about, const kn_explain_line *line);

static uint32_t explain_width(
    explain_part *part, const explained *about, const kn_explain_line *lines, uint32_t count)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < count; i++) {
        kni_text probe;
        kni_text_init(&probe, NULL, 0);
        part(&probe, about, &lines[i]);
        width = kni_larger(width, probe.length);
    }
    return width;
}

static void explain_lines(
    kni_text *text, const explained *about, const kn_explain_line *lines, uint32_t count)
{
    uint32_t what_width = explain_width(explain_what, about, lines, count) + 2;
    uint32_t who_width = explain_width(explain_who, about, lines, count) + 2;
    for (uint32_t i = 0; i < count; i++) {
        const kn_explain_line *line = &lines[i];
        bool has_result = line->kind != KN_EXPLAIN_BASE &&
                          (line->kind != KN_EXPLAIN_MODIFIER ||
                              line->qualification == KN_QUALIFICATION_OK || line->delta != 0.0f);
        bool has_who = explain_width(explain_who, about, line, 1) > 0;
        kni_text_str(text, "  ");
        uint32_t start = text->length;
        explain_what(text, about, line);
        if (has_who || has_result) {
            kni_text_pad(text, start, what_width);
            explain_who(text, about, line);
        }
        if (has_result) {
            kni_text_pad(text, start, what_width + who_width);
            kni_text_str(text, "-> ");
            kni_text_float(text, line->result);
        }
        kni_text_char(text, '\n');
    }
}

// "Health.Armour 50 (base 26)" and the lines. Returns the full length.
static uint32_t explain_print(
    const kn_world *world, const kni_explain_of *of, float value, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    kni_explanation explanation;
    kni_explanation_take(world, of, &explanation);
    if (explanation.total == 0) {
        return 0;
    }
    explained about = {.world = world, .lines = explanation.lines};
    if (of->value.index1 != 0) {
        about.value = kn_value_get_def(world->library, of->value);
        kni_text_str(&text, about.value->name);
    } else {
        kni_text_attribute(&text, world, of->attribute, of->key);
    }
    kni_text_char(&text, ' ');
    kni_text_float(&text, value);
    kni_text_str(&text, " (base ");
    kni_text_float(&text, of->base);
    kni_text_str(&text, ")\n");
    explain_lines(&text, &about, explanation.lines, explanation.count);
    kni_text_str(&text, explanation.count < explanation.total ? "  ...\n" : "");
    kni_explanation_drop(world, &explanation);
    return text.length;
}

uint32_t kn_attribute_explain_text(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, char *buffer, uint32_t size)
{
    kni_explain_of of = {
        .entity = entity,
        .attribute = attribute,
        .key = key,
        .base = kn_attribute_base_keyed(world, entity, attribute, key),
    };
    return explain_print(
        world, &of, kn_attribute_value_keyed(world, entity, attribute, key), buffer, size);
}

uint32_t kn_value_explain_text(const kn_world *world, kn_entity_id entity, kn_value_id value,
    float base, const kn_event_record *record, char *buffer, uint32_t size)
{
    kni_explain_of of = {.entity = entity, .value = value, .base = base, .record = record};
    return explain_print(
        world, &of, kn_value_evaluate(world, entity, value, base, record, false), buffer, size);
}
