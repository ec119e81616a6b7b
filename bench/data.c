// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Loading data files: ten thousand effects of about fifteen lines each, from text to a finished
// library.

#include "bench.h"

#include "knack/data.h"

#include <stdio.h>
#include <stdlib.h>

#define EFFECTS 10000
#define EFFECT_BYTES 600

static const char begin[] =
    "tags: [State.Burning, State.Wet, Damage.Fire, GameplayCue.Burn]\n"
    "curves: {Growth: [[1, 1], [10, 4]]}\n"
    "attribute_sets:\n"
    "  Vitals: {attributes: {Health: {default_value: 100, min: 0, max: MaxHealth},\n"
    "    MaxHealth: 100, Mana: 50, Power: 10}}\n"
    "effects:\n";

// The text of all files, and its length.
static char *write_text(size_t *length)
{
    size_t size = sizeof(begin) + (size_t)EFFECTS * EFFECT_BYTES;
    char *text = malloc(size);
    bench_check(text != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY, "text");
    size_t at = (size_t)snprintf(text, size, "%s", begin);
    for (int i = 0; i < EFFECTS; i++) {
        at += (size_t)snprintf(text + at, size - at,
            "  Effect%d:\n"
            "    duration: {value: %d, curve: Growth}\n"
            "    period: 1\n"
            "    modifiers:\n"
            "      - {attribute: Vitals.Health, op: add, magnitude: -%d}\n"
            "      - attribute: Vitals.Mana\n"
            "        op: multiply\n"
            "        magnitude: {capture: source.Vitals.Power, scale: 0.5}\n"
            "    granted_tags: [State.Burning, Damage.Fire]\n"
            "    cue_tags: [GameplayCue.Burn]\n"
            "    application:\n"
            "      target: {ignored: [State.Wet]}\n"
            "    stacking:\n"
            "      kind: by_source\n"
            "      limit: %d\n",
            i, 3 + i % 7, 1 + i % 9, 2 + i % 5);
    }
    at += (size_t)snprintf(text + at, size - at, "containers: {All: {effects: [Effect0");
    for (int i = 1; i < EFFECTS; i++) {
        at += (size_t)snprintf(text + at, size - at, ", Effect%d", i);
    }
    at += (size_t)snprintf(text + at, size - at, "]}}\n");
    *length = at;
    return text;
}

void bench_data_load_10k(bench_report *bench)
{
    size_t length;
    char *text = write_text(&length);
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    bench_check(kn_data_create(&def, &data), "data");
    bench_check(kn_data_add_text(data, "effects.yaml", text, length), "text");
    double start = bench_now_ns();
    bench_check(kn_data_build(data, &library), "build");
    double end = bench_now_ns();
    bench_note(bench, "op_ns", (end - start) / EFFECTS, "ns");
    bench_use(kn_library_hash(library));
    kn_library_destroy(library);
    kn_data_destroy(data);
    free(text);
}
