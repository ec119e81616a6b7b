// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "compare.h"

#include <stdio.h>

static uint32_t def_hash(const kn_library *library, uint32_t kind, uint32_t index1)
{
    return (uint32_t)kn_def_hash(library, (kn_def_kind)kind, index1);
}

static uint32_t kind_count(const kn_library *library, uint32_t kind)
{
    return kn_def_count(library, (kn_def_kind)kind);
}

static uint32_t kind_hash(const kn_library *library, uint32_t kind)
{
    uint64_t hash = kind;
    uint32_t count = kind_count(library, kind);
    for (uint32_t i = 1; i <= count; i++) {
        uint64_t one = kn_def_hash(library, (kn_def_kind)kind, i);
        hash = (hash ^ one) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

void kni_compare_ask(const comparison *at, kn_writer *out)
{
    kn_write_u8(out, at->step);
    kni_write_number(out, at->kind);
    kni_write_number(out, at->index1);
}

// The client -----------------------------------------------------------------

static void kinds_write(const kn_library *library, kn_writer *out)
{
    for (uint32_t kind = 0; kind < KN_DEF_KIND_END; kind++) {
        uint32_t count = kind_count(library, kind);
        if (count > 0) {
            kn_write_u8(out, (uint8_t)kind);
            kni_write_number(out, count);
            kn_write_u32(out, kind_hash(library, kind));
        }
    }
}

static void defs_write(const kn_library *library, uint32_t kind, kn_writer *out)
{
    uint32_t count = kind_count(library, kind);
    count = count < COMPARE_DEFS_MAX ? count : COMPARE_DEFS_MAX;
    for (uint32_t i = 1; i <= count; i++) {
        kn_write_u32(out, def_hash(library, kind, i));
    }
}

bool kni_compare_answer(const kn_library *library, kn_reader in, kn_writer *out)
{
    uint8_t step = kn_read_u8(&in);
    uint64_t kind = kni_read_number(&in), index1 = kni_read_number(&in);
    if (in.failed || step < COMPARE_KINDS || step > COMPARE_NAME || kind >= KN_DEF_KIND_END ||
        index1 > COMPARE_DEFS_MAX) {
        return false;
    }
    kn_write_u8(out, step);
    if (step == COMPARE_KINDS) {
        kinds_write(library, out);
    } else if (step == COMPARE_DEFS) {
        defs_write(library, (uint32_t)kind, out);
    } else {
        const char *name = kn_def_name(library, (kn_def_kind)kind, (uint32_t)index1);
        size_t length = strlen(name);
        kn_write_bytes(out, name, length < COMPARE_NAME_MAX ? length : COMPARE_NAME_MAX);
    }
    return true;
}

// The server -----------------------------------------------------------------

void kni_compare_hashes(const kn_library *library, uint32_t *kind_hashes)
{
    for (uint32_t kind = 0; kind < KN_DEF_KIND_END; kind++) {
        kind_hashes[kind] = kind_hash(library, kind);
    }
}

static void kind_differs(comparison *at, uint32_t kind)
{
    if (at->step != COMPARE_DEFS) { // the first counts
        *at = (comparison){.step = COMPARE_DEFS, .kind = kind};
    }
}

// Kinds come in order; those that the client does not name it does not have.
static void kinds_take(const kn_library *library, const uint32_t *kind_hashes, comparison *at,
    kn_reader *in, char *text, size_t size)
{
    uint32_t next = 0;
    while (in->at < in->size && !in->failed) {
        uint32_t kind = kn_read_u8(in);
        uint64_t count = kni_read_number(in);
        uint32_t hash = kn_read_u32(in);
        in->failed = in->failed || kind < next || kind >= KN_DEF_KIND_END || count == 0;
        for (; next < kind && !in->failed; next++) {
            if (kind_count(library, next) > 0) {
                kind_differs(at, next);
            }
        }
        if (!in->failed && at->step == COMPARE_KINDS &&
            (count != kind_count(library, kind) || hash != kind_hashes[kind])) {
            kind_differs(at, kind);
        }
        next = kind + 1;
    }
    for (; next < KN_DEF_KIND_END && !in->failed; next++) {
        if (kind_count(library, next) > 0) {
            kind_differs(at, next);
        }
    }
    if (!in->failed && at->step == COMPARE_KINDS) {
        at->step = COMPARE_DONE;
        (void)snprintf(text, size,
            "all definitions are equal: starting values, tags of reasons, redirects or scripts "
            "differ");
    }
}

static void defs_take(const kn_library *library, comparison *at, kn_reader *in)
{
    uint32_t here = kind_count(library, at->kind);
    uint32_t there = (uint32_t)((in->size - in->at) / 4);
    in->failed = in->failed || (in->size - in->at) % 4 != 0 || there > COMPARE_DEFS_MAX;
    uint32_t i = 1;
    while (!in->failed && i <= here && i <= there &&
           kn_read_u32(in) == def_hash(library, at->kind, i)) {
        i++;
    }
    at->step = COMPARE_NAME;
    at->index1 = i;
}

static void name_take(
    const kn_library *library, comparison *at, kn_reader *in, char *text, size_t size)
{
    size_t length = in->size - in->at;
    if (in->failed || length > COMPARE_NAME_MAX) {
        in->failed = true;
        return;
    }
    char there[COMPARE_NAME_MAX + 1] = {0};
    for (size_t i = 0; i < length; i++) { // it ends up in logs
        uint8_t c = kn_read_u8(in);
        there[i] = (char)(c >= ' ' && c < 127 ? c : '?');
    }
    const char *kind = kn_kind_name(library, (kn_def_kind)at->kind);
    const char *here = kn_def_name(library, (kn_def_kind)at->kind, at->index1);
    at->step = COMPARE_DONE;
    if (here[0] == 0 && there[0] == 0) {
        (void)snprintf(text, size, "the libraries differ");
    } else if (there[0] == 0) {
        (void)snprintf(text, size, "%s `%.64s` is only on the server", kind, here);
    } else if (here[0] == 0) {
        (void)snprintf(text, size, "%s `%s` is only on the client", kind, there);
    } else if (strncmp(here, there, COMPARE_NAME_MAX) == 0) {
        (void)snprintf(text, size, "%s `%.64s` differs", kind, here);
    } else {
        (void)snprintf(text, size, "%s %u is `%.64s` on the server and `%s` on the client", kind,
            at->index1, here, there);
    }
}

void kni_compare_take(const kn_library *library, const uint32_t *kind_hashes, comparison *at,
    kn_reader *in, char *text, size_t size)
{
    uint8_t step = kn_read_u8(in);
    if (in->failed || step != at->step) {
        at->step = COMPARE_BAD;
        return;
    }
    if (step == COMPARE_KINDS) {
        kinds_take(library, kind_hashes, at, in, text, size);
    } else if (step == COMPARE_DEFS) {
        defs_take(library, at, in);
    } else if (step == COMPARE_NAME) {
        name_take(library, at, in, text, size);
    } else {
        in->failed = true;
    }
    at->step = in->failed ? COMPARE_BAD : at->step;
}
