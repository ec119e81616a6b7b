// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Writes a document by calls, as YAML or JSON, always in the same form: two blanks to indent,
// quotes only where they are needed, numbers in their shortest form. What is written reads back as
// the same tree.
#ifndef KNI_EMIT_H
#define KNI_EMIT_H

#include "document.h"

typedef struct kni_emitter kni_emitter;

typedef enum kni_emit_format {
    KNI_EMIT_YAML,
    KNI_EMIT_JSON,
    KNI_EMIT_JSON_COMPACT, // without blanks and line breaks
} kni_emit_format;

// `hooks` may be NULL. KN_OK or KN_ERROR_OUT_OF_MEMORY.
KN_MUST_USE kn_result kni_emitter_create(
    const kn_hooks *hooks, kni_emit_format format, kni_emitter **emitter);
void kni_emitter_destroy(kni_emitter *emitter); // NULL is fine

// None of these fails by itself: after the first failure they do nothing, and
// kni_emitter_finish() reports it. A document is one value. A value in a mapping has a key before
// it.

void kni_emitter_begin_mapping(kni_emitter *emitter);
void kni_emitter_end_mapping(kni_emitter *emitter);
void kni_emitter_begin_sequence(kni_emitter *emitter);
void kni_emitter_end_sequence(kni_emitter *emitter);

// At most KNI_DOCUMENT_KEY_MAX bytes without control characters.
void kni_emitter_key(kni_emitter *emitter, const char *key);

void kni_emitter_null(kni_emitter *emitter);
void kni_emitter_bool(kni_emitter *emitter, bool value);
void kni_emitter_i64(kni_emitter *emitter, int64_t value);
void kni_emitter_u64(kni_emitter *emitter, uint64_t value);
void kni_emitter_f32(kni_emitter *emitter, float value);    // finite
void kni_emitter_time(kni_emitter *emitter, kn_time value); // in seconds; KN_TIME_INFINITE: forever
void kni_emitter_text(kni_emitter *emitter, const char *text); // stays text, whatever it looks like

// A node of a document with all below it.
void kni_emitter_node(kni_emitter *emitter, kni_node node);

// Ends the document. *text, zero-terminated, is valid until the emitter is destroyed, and NULL on
// failure. KN_OK; KN_ERROR_OUT_OF_MEMORY; KN_ERROR_BAD_DATA for text that is not UTF-8;
// KN_ERROR_INVALID_ARGUMENT for calls that make no document, bad keys and infinite numbers.
KN_MUST_USE kn_result kni_emitter_finish(kni_emitter *emitter, const char **text, uint32_t *size);

#endif
