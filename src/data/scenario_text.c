// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a run reports, as text.

#include "scenario_call.h"
#include "scenario_run.h"
#include "shapes.h"

#include <stdio.h>
#include <string.h>

void kni_line_add(kni_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool fits = line->length < line->size;
    int added = vsnprintf(fits ? line->data + line->length : NULL,
        fits ? line->size - line->length : 0, format, arguments);
    va_end(arguments);
    line->length += added > 0 ? (uint32_t)added : 0;
}

void kni_line_float(kni_line *line, float value)
{
    char text[32];
    (void)kn_float_print(value, text, sizeof(text));
    kni_line_add(line, "%s", text);
}

void kni_line_time(kni_line *line, kn_time time)
{
    if (time == KN_TIME_INFINITE) {
        kni_line_add(line, "forever");
        return;
    }
    uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
    char digits[8];
    (void)snprintf(digits, sizeof(digits), "%06u", (unsigned)(size % 1000000));
    uint32_t count = 6;
    while (count > 0 && digits[count - 1] == '0') {
        count--;
    }
    digits[count] = 0;
    kni_line_add(line, "%s%llu%s%s s", time < 0 ? "-" : "", (unsigned long long)(size / 1000000),
        count > 0 ? "." : "", digits);
}

void kni_line_vector(kni_line *line, kn_vec3 vector)
{
    kni_line_add(line, "[");
    kni_line_float(line, vector.x);
    kni_line_add(line, ", ");
    kni_line_float(line, vector.y);
    kni_line_add(line, ", ");
    kni_line_float(line, vector.z);
    kni_line_add(line, "]");
}

void kni_fails_print(kni_line *line, const kn_library *library, uint32_t fails)
{
    const char *separator = "";
    for (uint32_t i = 0; i < 31; i++) {
        if ((fails >> i & 1) != 0) {
            kni_line_add(line, "%s%s", separator, kn_library_fail_name(library, (kn_fail)(1 << i)));
            separator = ", ";
        }
    }
    if (fails == 0) {
        kni_line_add(line, "none");
    }
}

void kni_difference_begin(kni_difference *difference)
{
    difference->expected = (kni_line){difference->expected_text, KNI_LINE_SIZE, 0};
    difference->found = (kni_line){difference->found_text, KNI_LINE_SIZE, 0};
    difference->why = (kni_line){difference->why_text, KNI_WHY_SIZE, 0};
    difference->expected_text[0] = 0;
    difference->found_text[0] = 0;
    difference->why_text[0] = 0;
}

// "apply Burn from hero to foe"
void kni_action_print(const kn_scenario_run *run, const kni_part *part, kni_line *line)
{
    const kn_library *library = run->scenario->library;
    static const struct {
        kni_key key;
        size_t offset;
        const char *before;
    } names[] = {
        {KNI_KEY_SPEC, offsetof(kni_part, spec), ""},
        {KNI_KEY_ACTIVATION, offsetof(kni_part, activation), ""},
        {KNI_KEY_TIMER, offsetof(kni_part, timer), ""},
        {KNI_KEY_ENTITY, offsetof(kni_part, entity), "of "},
        {KNI_KEY_FROM, offsetof(kni_part, from), "from "},
        {KNI_KEY_TO, offsetof(kni_part, to), "to "},
        {KNI_KEY_AS, offsetof(kni_part, as), "as "},
    };
    if (part->verb == KNI_VERB_CALL) {
        kni_call_print(run, part, &part->calls.data[0], line);
        return;
    }
    kni_line_add(line, "%s", kni_verb_name(part->verb));
    if (part->effect.name > 0 || part->ability.name > 0) {
        uint32_t name = part->effect.name > 0 ? part->effect.name : part->ability.name;
        kni_line_add(line, " %s", kni_run_name_text(run, name));
    } else if (part->effect.type > 0) {
        kni_line_add(line, " %s", kn_def_name(library, KN_DEF_EFFECT, part->effect.type));
    } else if (part->ability.type > 0) {
        kni_line_add(line, " %s", kn_def_name(library, KN_DEF_ABILITY, part->ability.type));
    } else if (part->timer_type > 0) {
        kni_line_add(line, " %s", kn_def_name(library, KN_DEF_TIMER, part->timer_type));
    }
    uint32_t tag = part->tag > 0 ? part->tag : part->cue;
    if (tag > 0) {
        kni_line_add(line, " %s", kn_tag_name(library, (kn_tag){tag}));
    }
    if (kni_part_has(part, KNI_KEY_INPUT)) {
        kni_line_add(line, " %u", part->input);
    }
    if (part->verb == KNI_VERB_AIM) {
        kni_line_add(line, " ");
        kni_line_time(line, part->duration);
    }
    for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        uint32_t name;
        memcpy(&name, (const uint8_t *)part + names[i].offset, sizeof(name));
        if (name > 0) {
            kni_line_add(line, " %s%s", names[i].before, kni_run_name_text(run, name));
        }
    }
    if (part->machine > 0) {
        kni_line_add(line, " on %s", run->scenario->machine_names[part->machine - 1]);
    }
}
