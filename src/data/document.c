// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#define _POSIX_C_SOURCE 200809L

#include "document.h"

#include "document_tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

kni_document_def kni_document_def_default(void)
{
    return (kni_document_def){
        .depth_limit = 64, .node_limit = 1000000, .size_limit = (size_t)16 << 20};
}

void kni_document_destroy(kni_document *document)
{
    if (document == NULL) {
        return;
    }
    kn_hooks hooks = document->hooks;
    kn_memory_free(&hooks, document->nodes, document->node_capacity * sizeof *document->nodes);
    kn_memory_free(&hooks, document->tables, document->table_capacity * sizeof *document->tables);
    kni_buffer_free(&document->texts);
    kn_memory_free(&hooks, document, sizeof *document);
}

// FNV-1a. Of its 64 bits 32 are kept: with a state of 32 bits, keys that all collide are easy to
// make.
static uint32_t key_hash(const char *key, size_t length)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)key[i]) * 1099511628211u;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

kni_key kni_key_make(const char *text, size_t length)
{
    return (kni_key){text, (uint32_t)length, key_hash(text, length)};
}

kni_key kni_key_of(const kni_document *document, uint32_t node)
{
    const kni_tree_node *key = &document->nodes[node];
    return (kni_key){document->texts.data + key->text, key->count, key->link};
}

static bool key_matches(const kni_document *document, uint32_t node, const kni_key *key)
{
    const kni_tree_node *other = &document->nodes[node];
    return other->link == key->hash && other->count == key->length &&
           memcmp(document->texts.data + other->text, key->text, key->length) == 0 &&
           (other->flags & KNI_TREE_HIDDEN) == 0;
}

uint32_t kni_key_next(const kni_document *document, uint32_t node)
{
    return node + 1 + document->nodes[node + 1].size;
}

static uint32_t key_find_in_row(
    const kni_document *document, uint32_t mapping, uint32_t end, const kni_key *key)
{
    for (uint32_t at = mapping + 1; at < end; at = kni_key_next(document, at)) {
        if (key_matches(document, at, key)) {
            return at;
        }
    }
    return KNI_TREE_NONE;
}

uint32_t *kni_key_slot(const kni_document *document, uint32_t mapping, const kni_key *key)
{
    uint32_t *table = document->tables + document->nodes[mapping].link - 1;
    uint32_t mask = table[0];
    uint32_t at = key->hash & mask;
    while (table[1 + at] != 0 && !key_matches(document, mapping + table[1 + at], key)) {
        at = (at + 1) & mask;
    }
    return &table[1 + at];
}

uint32_t kni_key_find(
    const kni_document *document, uint32_t mapping, uint32_t end, const kni_key *key)
{
    if (document->nodes[mapping].link == 0) {
        return key_find_in_row(document, mapping, end, key);
    }
    uint32_t offset = *kni_key_slot(document, mapping, key);
    return offset != 0 ? mapping + offset : KNI_TREE_NONE;
}

// Access

static const kni_tree_node *node_of(kni_node node)
{
    return node.index1 != 0 ? &node.document->nodes[node.index1 - 1] : NULL;
}

const char *kni_document_file(const kni_document *document)
{
    return document->file != KNI_TREE_NONE ? document->texts.data + document->file : NULL;
}

kni_node kni_document_root(const kni_document *document)
{
    return (kni_node){document, 1};
}

kni_node_kind kni_node_kind_of(kni_node node)
{
    const kni_tree_node *found = node_of(node);
    return found != NULL ? (kni_node_kind)found->kind : KNI_NODE_NONE;
}

const char *kni_node_kind_name(kni_node node)
{
    switch (kni_node_kind_of(node)) {
    case KNI_NODE_MAPPING:
        return "a mapping";
    case KNI_NODE_SEQUENCE:
        return "a list";
    case KNI_NODE_SCALAR:
        return kni_node_is_null(node) ? "nothing" : "a text";
    default:
        return "nothing";
    }
}

kni_place kni_node_place(kni_node node)
{
    const kni_tree_node *found = node_of(node);
    if (found == NULL) {
        return (kni_place){0};
    }
    return (kni_place){kni_document_file(node.document), found->line, found->column};
}

static bool node_is_keyed(kni_node node)
{
    const kni_tree_node *found = node_of(node);
    return found != NULL && (found->flags & KNI_TREE_KEYED) != 0;
}

const char *kni_node_key(kni_node node)
{
    return node_is_keyed(node) ? kni_key_of(node.document, node.index1 - 2).text : NULL;
}

kni_place kni_node_key_place(kni_node node)
{
    if (node_is_keyed(node)) {
        node.index1--;
    }
    return kni_node_place(node);
}

uint32_t kni_node_count(kni_node node)
{
    const kni_tree_node *found = node_of(node);
    return found != NULL && found->kind != KNI_NODE_SCALAR ? found->count : 0;
}

kni_children kni_node_children(kni_node node)
{
    const kni_tree_node *found = node_of(node);
    if (found == NULL || found->kind == KNI_NODE_SCALAR) {
        return (kni_children){0};
    }
    return (kni_children){.document = node.document,
        .at = node.index1,
        .end = node.index1 - 1 + found->size,
        .keyed = found->kind == KNI_NODE_MAPPING};
}

bool kni_children_next(kni_children *children, kni_node *child)
{
    *child = (kni_node){0};
    while (children->at < children->end) {
        const kni_tree_node *nodes = children->document->nodes;
        bool is_hidden = children->keyed && (nodes[children->at].flags & KNI_TREE_HIDDEN) != 0;
        uint32_t value = children->at + children->keyed;
        children->at = value + nodes[value].size;
        if (!is_hidden) {
            *child = (kni_node){children->document, value + 1};
            return true;
        }
    }
    return false;
}

kni_node kni_node_get(kni_node mapping, const char *key)
{
    const kni_tree_node *found = node_of(mapping);
    if (found == NULL || found->kind != KNI_NODE_MAPPING) {
        return (kni_node){0};
    }
    size_t length = strlen(key);
    if (length > KNI_DOCUMENT_KEY_MAX) {
        return (kni_node){0};
    }
    uint32_t index = mapping.index1 - 1;
    kni_key wanted = kni_key_make(key, length);
    uint32_t at = kni_key_find(mapping.document, index, index + found->size, &wanted);
    return at != KNI_TREE_NONE ? (kni_node){mapping.document, at + 2} : (kni_node){0};
}

kni_scalar kni_node_scalar(kni_node node)
{
    const kni_tree_node *found = node_of(node);
    kni_scalar scalar = {.text = "", .place = kni_node_place(node)};
    if (found != NULL && found->kind == KNI_NODE_SCALAR) {
        scalar.text = node.document->texts.data + found->text;
        scalar.length = found->count;
        scalar.quoted = (found->flags & KNI_TREE_QUOTED) != 0;
    }
    return scalar;
}

bool kni_node_is_null(kni_node node)
{
    kni_scalar scalar = kni_node_scalar(node);
    return kni_node_kind_of(node) == KNI_NODE_SCALAR && kni_scalar_is_null(&scalar);
}

kn_result kni_node_refuse(kni_node node, const char *what, kn_error *error)
{
    kni_scalar scalar = kni_node_scalar(node);
    kni_node_kind kind = kni_node_kind_of(node);
    kn_result result = kni_scalar_refuse(&scalar, what, error);
    if (error != NULL && (kind == KNI_NODE_MAPPING || kind == KNI_NODE_SEQUENCE)) {
        (void)snprintf(error->message, sizeof error->message, "expected %s, but this is %s", what,
            kni_node_kind_name(node));
    }
    return result;
}

// False, with the error filled, for anything but a scalar.
static bool node_take_scalar(kni_node node, const char *what, kni_scalar *scalar, kn_error *error)
{
    *scalar = kni_node_scalar(node);
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR) {
        return true;
    }
    kni_node_refuse(node, what, error);
    return false;
}

kn_result kni_node_bool(kni_node node, bool *value, kn_error *error)
{
    kni_scalar scalar;
    *value = false;
    if (!node_take_scalar(node, "true or false", &scalar, error)) {
        return KN_ERROR_BAD_DATA;
    }
    return kni_scalar_bool(&scalar, value, error);
}

kn_result kni_node_i64(kni_node node, int64_t min, int64_t max, int64_t *value, kn_error *error)
{
    kni_scalar scalar;
    *value = 0;
    if (!node_take_scalar(node, "a whole number", &scalar, error)) {
        return KN_ERROR_BAD_DATA;
    }
    return kni_scalar_i64(&scalar, min, max, value, error);
}

kn_result kni_node_u64(kni_node node, uint64_t min, uint64_t max, uint64_t *value, kn_error *error)
{
    kni_scalar scalar;
    *value = 0;
    if (!node_take_scalar(node, "a whole number", &scalar, error)) {
        return KN_ERROR_BAD_DATA;
    }
    return kni_scalar_u64(&scalar, min, max, value, error);
}

kn_result kni_node_f32(kni_node node, float min, float max, float *value, kn_error *error)
{
    kni_scalar scalar;
    *value = 0.0f;
    if (!node_take_scalar(node, "a number", &scalar, error)) {
        return KN_ERROR_BAD_DATA;
    }
    return kni_scalar_f32(&scalar, min, max, value, error);
}

kn_result kni_node_time(kni_node node, kn_time min, kn_time max, kn_time *value, kn_error *error)
{
    kni_scalar scalar;
    *value = 0;
    if (!node_take_scalar(node, "a time", &scalar, error)) {
        return KN_ERROR_BAD_DATA;
    }
    return kni_scalar_time(&scalar, min, max, value, error);
}

kn_result kni_node_text(kni_node node, const char **value, kn_error *error)
{
    kni_scalar scalar;
    *value = NULL;
    if (!node_take_scalar(node, "a text", &scalar, error)) {
        return KN_ERROR_BAD_DATA;
    }
    if (kni_scalar_is_null(&scalar)) {
        return kni_scalar_refuse(&scalar, "a text", error);
    }
    *value = scalar.text;
    return KN_OK;
}

// Files

static kn_result file_fail(kni_report *report, const char *path, const char *words)
{
    kni_place place = {.file = path};
    kni_report_add(report, KNI_SEVERITY_ERROR, &place, "%s", words);
    return KN_ERROR_IO;
}

static kn_result file_fail_errno(kni_report *report, const char *path, int code)
{
    if (code == ENOENT) {
        return file_fail(report, path, "there is no such file");
    }
    if (code == EISDIR) {
        return file_fail(report, path, "this is a directory, not a file");
    }
    if (code == EACCES) {
        return file_fail(report, path, "there is no permission to read this file");
    }
    return file_fail(report, path, "the file cannot be read");
}

static kn_result file_read(FILE *file, const char *path, const kni_document_def *def,
    kni_report *report, kni_buffer *buffer)
{
    char block[16384];
    for (;;) {
        errno = 0;
        size_t size = fread(block, 1, sizeof block, file);
        if (ferror(file) != 0) {
            return file_fail_errno(report, path, errno);
        }
        if (size > def->size_limit - buffer->size) {
            kni_place place = {.file = path};
            kni_report_add(report, KNI_SEVERITY_ERROR, &place,
                "the file is too large: %zu bytes are allowed", def->size_limit);
            return KN_ERROR_BAD_DATA;
        }
        if (!kni_buffer_add(buffer, block, size)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        if (size < sizeof block) {
            return KN_OK;
        }
    }
}

kn_result kni_document_read_file(
    const char *path, const kni_document_def *def, kni_report *report, kni_buffer *buffer)
{
    *buffer = (kni_buffer){.hooks = def->hooks};
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        return file_fail(report, path, "this is a pipe or a device, not a file"); // may never end
    }
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return file_fail_errno(report, path, errno);
    }
    kn_result result = file_read(file, path, def, report, buffer);
    (void)fclose(file);
    if (result != KN_OK) {
        kni_buffer_free(buffer);
    }
    return result;
}
