// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The JSON Schema of scenarios, from the tables they are read by. It is for editors: it knows every
// key and every word, and refuses nothing that the loader takes.

#include "emit.h"
#include "scenario_types.h"

#include <stdio.h>
#include <string.h>

// Words ---------------------------------------------------------------------

static void put(kni_emitter *out, const char *key, const char *text)
{
    kni_emitter_key(out, key);
    kni_emitter_text(out, text);
}

static void begin(kni_emitter *out, const char *key)
{
    if (key != NULL) {
        kni_emitter_key(out, key);
    }
    kni_emitter_begin_mapping(out);
}

static void end(kni_emitter *out)
{
    kni_emitter_end_mapping(out);
}

static void type_only(kni_emitter *out, const char *key, const char *type)
{
    begin(out, key);
    put(out, "type", type);
    end(out);
}

static void reference(kni_emitter *out, const char *key, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "#/$defs/%s", name);
    begin(out, key);
    put(out, "$ref", path);
    end(out);
}

static void begin_choice(kni_emitter *out, const char *key)
{
    begin(out, key);
    kni_emitter_key(out, "anyOf");
    kni_emitter_begin_sequence(out);
}

static void end_choice(kni_emitter *out)
{
    kni_emitter_end_sequence(out);
    end(out);
}

static void closed(kni_emitter *out)
{
    kni_emitter_key(out, "additionalProperties");
    kni_emitter_bool(out, false);
}

static void list_of(kni_emitter *out, const char *key, const char *name)
{
    begin(out, key);
    put(out, "type", "array");
    reference(out, "items", name);
    end(out);
}

// A mapping with keys of one's own.
static void mapping_to(kni_emitter *out, const char *key, const char *name)
{
    begin(out, key);
    put(out, "type", "object");
    reference(out, "additionalProperties", name);
    end(out);
}

// One thing, or a list of them.
static void one_or_list(kni_emitter *out, const char *key, const char *name)
{
    begin_choice(out, key);
    reference(out, NULL, name);
    list_of(out, NULL, name);
    end_choice(out);
}

// Keys ----------------------------------------------------------------------

// Proposed by editors; the loader also takes other spellings of them.
static void words_schema(kni_emitter *out, const char *key, const kni_form_key *from)
{
    begin_choice(out, key);
    begin(out, NULL);
    kni_emitter_key(out, "enum");
    kni_emitter_begin_sequence(out);
    for (uint32_t i = 0; i < from->word_count; i++) {
        if (from->words[i] != NULL && from->words[i][0] != 0) {
            kni_emitter_text(out, from->words[i]);
        }
    }
    kni_emitter_end_sequence(out);
    end(out);
    type_only(out, NULL, "string");
    end_choice(out);
}

static void key_schema(kni_emitter *out, const kni_form_key *key)
{
    static const char *const defs[KNI_TAKES_KIND_COUNT] = {
        [KNI_TAKES_TEXT] = "text",
        [KNI_TAKES_TEXTS] = "texts",
        [KNI_TAKES_NUMBER] = "number",
        [KNI_TAKES_WHOLE] = "whole",
        [KNI_TAKES_BOOL] = "truth",
        [KNI_TAKES_TIME] = "time",
        [KNI_TAKES_VECTOR] = "vector",
        [KNI_TAKES_COUNTS] = "counts",
        [KNI_TAKES_LEVELS] = "levels",
        [KNI_TAKES_NUMBERS] = "numbers",
        [KNI_TAKES_BOUNDS] = "bounds",
        [KNI_TAKES_RECORD] = "record",
    };
    if (key->takes == KNI_TAKES_WORD) {
        words_schema(out, key->name, key);
    } else if (key->takes == KNI_TAKES_WORDS) {
        begin_choice(out, key->name);
        words_schema(out, NULL, key);
        begin(out, NULL);
        put(out, "type", "array");
        words_schema(out, "items", key);
        end(out);
        end_choice(out);
    } else {
        reference(out, key->name, defs[key->takes]);
    }
}

typedef bool key_at_fn(uint32_t which, uint32_t index, kni_form_key *out);

static bool form_key_at(uint32_t which, uint32_t index, kni_form_key *out)
{
    return kni_form_key_at((kni_form)which, index, out);
}

static bool verb_key_at(uint32_t which, uint32_t index, kni_form_key *out)
{
    return kni_verb_key_at((kni_verb)which, index, out);
}

static void keys_schema(kni_emitter *out, const char *key, key_at_fn *key_at, uint32_t which)
{
    kni_form_key found;
    bool has_scalar = false, has_required = false;
    for (uint32_t i = 0; key_at(which, i, &found); i++) {
        has_scalar = has_scalar || found.is_scalar;
        has_required = has_required || found.is_required;
    }
    if (has_scalar) {
        begin_choice(out, key);
        reference(out, NULL, "text");
    }
    begin(out, has_scalar ? NULL : key);
    put(out, "type", "object");
    begin(out, "properties");
    for (uint32_t i = 0; key_at(which, i, &found); i++) {
        key_schema(out, &found);
    }
    end(out);
    if (has_required) {
        kni_emitter_key(out, "required");
        kni_emitter_begin_sequence(out);
        for (uint32_t i = 0; key_at(which, i, &found); i++) {
            if (found.is_required) {
                kni_emitter_text(out, found.name);
            }
        }
        kni_emitter_end_sequence(out);
    }
    closed(out);
    end(out);
    if (has_scalar) {
        end_choice(out);
    }
}

// Parts ---------------------------------------------------------------------

static void values_schema(kni_emitter *out)
{
    type_only(out, "truth", "boolean");
    type_only(out, "number", "number");
    type_only(out, "whole", "integer");
    begin(out, "text");
    kni_emitter_key(out, "type");
    kni_emitter_begin_sequence(out);
    kni_emitter_text(out, "string");
    kni_emitter_text(out, "number");
    kni_emitter_text(out, "boolean");
    kni_emitter_end_sequence(out);
    end(out);
    one_or_list(out, "texts", "text");
    begin_choice(out, "time");
    type_only(out, NULL, "number");
    type_only(out, NULL, "string");
    end_choice(out);
    begin(out, "vector");
    put(out, "type", "array");
    reference(out, "items", "number");
    kni_emitter_key(out, "minItems");
    kni_emitter_u64(out, 3);
    kni_emitter_key(out, "maxItems");
    kni_emitter_u64(out, 3);
    end(out);
    begin_choice(out, "counts");
    reference(out, NULL, "texts");
    mapping_to(out, NULL, "whole");
    end_choice(out);
    mapping_to(out, "numbers", "number");
}

static void level_schema(kni_emitter *out)
{
    begin_choice(out, "level");
    type_only(out, NULL, "null");
    reference(out, NULL, "number");
    begin(out, NULL);
    put(out, "type", "object");
    begin(out, "properties");
    reference(out, "level", "number");
    reference(out, "input", "whole");
    end(out);
    closed(out);
    end(out);
    end_choice(out);
    begin_choice(out, "levels");
    reference(out, NULL, "texts");
    mapping_to(out, NULL, "level");
    end_choice(out);
}

static void bound_schema(kni_emitter *out)
{
    const char *name;
    begin_choice(out, "bound");
    reference(out, NULL, "number");
    begin(out, NULL);
    put(out, "type", "object");
    begin(out, "properties");
    for (uint32_t i = 0; (name = kni_bound_key_name(i)) != NULL; i++) {
        reference(out, name, "number");
    }
    end(out);
    closed(out);
    end(out);
    end_choice(out);
    mapping_to(out, "bounds", "bound");
}

static void action_schema(kni_emitter *out)
{
    begin(out, "action");
    put(out, "type", "object");
    begin(out, "properties");
    for (uint32_t i = 0; i < KNI_VERB_COUNT; i++) {
        keys_schema(out, kni_verb_name(i), verb_key_at, i);
    }
    reference(out, "advance", "time");
    reference(out, "expect", "expectations");
    end(out);
    closed(out);
    end(out);
}

static void expectations_schema(kni_emitter *out)
{
    keys_schema(out, "state", form_key_at, KNI_FORM_EXPECTATION);
    keys_schema(out, "event", form_key_at, KNI_FORM_EVENT);
    keys_schema(out, "cue", form_key_at, KNI_FORM_CUE);
    keys_schema(out, "record", form_key_at, KNI_FORM_RECORD);
    begin_choice(out, "expectation");
    reference(out, NULL, "state");
    reference(out, NULL, "event");
    reference(out, NULL, "cue");
    end_choice(out);
    one_or_list(out, "expectations", "expectation");
}

static void entry_schema(kni_emitter *out)
{
    static const char *const times[] = {"at", "after", "every", "from", "until"};
    begin(out, "entry");
    put(out, "type", "object");
    begin(out, "properties");
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        reference(out, times[i], "time");
    }
    one_or_list(out, "do", "action");
    reference(out, "expect", "expectations");
    begin(out, "comment");
    end(out);
    end(out);
    closed(out);
    end(out);
}

static void world_schema(kni_emitter *out)
{
    begin(out, "world");
    put(out, "type", "object");
    begin(out, "properties");
    reference(out, "seed", "whole");
    reference(out, "step", "time");
    reference(out, "start", "time");
    begin_choice(out, "grid");
    type_only(out, NULL, "boolean");
    reference(out, NULL, "number");
    end_choice(out);
    end(out);
    closed(out);
    end(out);
}

static void variant_schema(kni_emitter *out)
{
    begin(out, "variant");
    put(out, "type", "object");
    begin(out, "properties");
    mapping_to(out, "entities", "entity");
    begin(out, "world");
    put(out, "type", "object");
    begin(out, "properties");
    reference(out, "seed", "whole");
    end(out);
    closed(out);
    end(out);
    reference(out, "expect", "expectations");
    end(out);
    closed(out);
    end(out);
}

static void entity_schema(kni_emitter *out)
{
    keys_schema(out, "entity_keys", form_key_at, KNI_FORM_ENTITY);
    begin_choice(out, "entity");
    type_only(out, NULL, "null");
    reference(out, NULL, "entity_keys");
    end_choice(out);
}

// The whole -----------------------------------------------------------------

static void sections_schema(kni_emitter *out)
{
    reference(out, "scenario", "text");
    begin(out, "comment");
    end(out);
    reference(out, "libraries", "texts");
    type_only(out, "library", "object"); // a data file, which has a schema of its own
    reference(out, "world", "world");
    begin(out, "check");
    put(out, "type", "array");
    begin(out, "items");
    kni_emitter_key(out, "enum");
    kni_emitter_begin_sequence(out);
    kni_emitter_text(out, "sync");
    kni_emitter_text(out, "heavy");
    kni_emitter_end_sequence(out);
    end(out);
    end(out);
    mapping_to(out, "entities", "entity");
    list_of(out, "timeline", "entry");
    reference(out, "end", "time");
    reference(out, "expect", "expectations");
    reference(out, "always", "expectations");
    reference(out, "never", "expectations");
    list_of(out, "events", "event");
    list_of(out, "cues", "cue");
    reference(out, "hash", "text");
    mapping_to(out, "measure", "measure");
    mapping_to(out, "variants", "variant");
}

static void file_schema(kni_emitter *out)
{
    begin(out, NULL);
    put(out, "$schema", "https://json-schema.org/draft/2020-12/schema");
    put(out, "title", "knack scenario");
    put(out, "type", "object");
    begin(out, "properties");
    sections_schema(out);
    end(out);
    closed(out);
    begin(out, "$defs");
    values_schema(out);
    level_schema(out);
    bound_schema(out);
    world_schema(out);
    entity_schema(out);
    expectations_schema(out);
    action_schema(out);
    entry_schema(out);
    keys_schema(out, "measure", form_key_at, KNI_FORM_MEASURE);
    variant_schema(out);
    end(out);
    end(out);
}

kn_result kn_scenario_write_schema(char *text, size_t size, size_t *written)
{
    kni_emitter *out;
    *written = 0;
    kn_result result = kni_emitter_create(NULL, KNI_EMIT_JSON, &out);
    if (result != KN_OK) {
        return result;
    }
    file_schema(out);
    const char *document;
    uint32_t length;
    result = kni_emitter_finish(out, &document, &length);
    if (result == KN_OK) {
        *written = length;
        if (size < length) {
            result = KN_ERROR_BUFFER_TOO_SMALL;
        } else {
            memcpy(text, document, length);
        }
    }
    kni_emitter_destroy(out);
    return result;
}
