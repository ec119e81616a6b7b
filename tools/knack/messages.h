// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Messages of a call: printed on stderr at once, and kept for --json.
#ifndef MESSAGES_H
#define MESSAGES_H

#include "text.h"

#include "knack/data.h"

// One message, coloured, with a line end.
void message_print(const cli *call, const kn_data_message *message, FILE *out);
// On stderr, once for many scenarios of one library, and kept.
void message_tell(const cli *call, const kn_data_message *message);
void message_json(json *out, const kn_data_message *message);

// How many were printed so far, and those from number `first` on as a list.
uint32_t messages_count(void);
void messages_json(json *out, const char *key, uint32_t first);
void messages_free(void);

#endif
