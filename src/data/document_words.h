// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The errors of libyaml, in plain words.
#ifndef KNI_DOCUMENT_WORDS_H
#define KNI_DOCUMENT_WORDS_H

#include "source.h"

#include <yaml.h>

// Reports why the parser stopped; KN_ERROR_BAD_DATA or KN_ERROR_OUT_OF_MEMORY.
KN_MUST_USE kn_result kni_words_explain(kni_source *source, const yaml_parser_t *parser);

// The place of a mark.
kni_place kni_words_place(yaml_mark_t mark);

#endif
