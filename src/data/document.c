// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tree is one array of nodes in the order of the file: a mapping is followed by its entries,
// each a key and the value's own nodes; a sequence by its items. A node knows how many nodes it
// takes up, so the next sibling is that far away, and what an alias names is copied as a block.
// Mappings with many keys also have a hash table of offsets from the mapping itself, which a copy
// shares. An entry `<<` stays where it is, hidden, and what it brings in follows the mapping's own
// entries.

#include "document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <yaml.h>

#define DOCUMENT_SIZE_MAX ((size_t)256 << 20)
#define DOCUMENT_TABLE_FROM 12 // entries from which a mapping gets a hash table
#define DOCUMENT_NONE UINT32_MAX
#define PAIR_LENGTH 12 // of \ud83d\ude00

#define NODE_QUOTED 1u // a scalar that was written in quotes or as a block
#define NODE_KEYED 2u  // a value of a mapping; its key is the node before
#define NODE_HIDDEN 4u // a key `<<`

typedef struct document_node {
    uint32_t line;
    uint32_t column;
    uint32_t text;  // offset, of a scalar
    uint32_t count; // bytes of a scalar, visible children of others
    uint32_t size;  // nodes with all below it; 0 while it is being read
    uint32_t link;  // hash of a key; 1 + start of the table of a mapping, or 0
    uint16_t height;
    uint8_t kind;
    uint8_t flags;
} document_node;

_Static_assert(sizeof(document_node) == 28, "a node is small");

struct kni_document {
    kn_hooks hooks;
    document_node *nodes;
    uint32_t node_count;
    uint32_t node_capacity;
    uint32_t *tables; // each begins with its mask
    uint32_t table_size;
    uint32_t table_capacity;
    uint32_t file; // offset in the texts, or DOCUMENT_NONE
    kni_buffer texts;
};

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
    kni_alloc_free(&hooks, document->nodes, document->node_capacity * sizeof *document->nodes);
    kni_alloc_free(&hooks, document->tables, document->table_capacity * sizeof *document->tables);
    kni_buffer_free(&document->texts);
    kni_alloc_free(&hooks, document, sizeof *document);
}

// Keys

static uint32_t key_hash(const char *key, size_t length)
{
    uint32_t hash = 2166136261u; // FNV-1a
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)key[i]) * 16777619u;
    }
    return hash ^ hash >> 15;
}

typedef struct key_text {
    const char *text;
    uint32_t length;
    uint32_t hash;
} key_text;

static key_text key_of(const kni_document *document, uint32_t node)
{
    const document_node *key = &document->nodes[node];
    return (key_text){document->texts.data + key->text, key->count, key->link};
}

static bool key_matches(const kni_document *document, uint32_t node, const key_text *key)
{
    const document_node *other = &document->nodes[node];
    return other->link == key->hash && other->count == key->length &&
           memcmp(document->texts.data + other->text, key->text, key->length) == 0 &&
           (other->flags & NODE_HIDDEN) == 0;
}

// The node behind a mapping's entry.
static uint32_t key_next(const kni_document *document, uint32_t node)
{
    return node + 1 + document->nodes[node + 1].size;
}

// The key's node among the entries of `mapping` that lie before `end`, or DOCUMENT_NONE.
static uint32_t key_find_in_row(
    const kni_document *document, uint32_t mapping, uint32_t end, const key_text *key)
{
    for (uint32_t at = mapping + 1; at < end; at = key_next(document, at)) {
        if (key_matches(document, at, key)) {
            return at;
        }
    }
    return DOCUMENT_NONE;
}

// The table's place that holds the key, or where it belongs.
static uint32_t *key_place_in_table(
    const kni_document *document, uint32_t mapping, const key_text *key)
{
    uint32_t *table = document->tables + document->nodes[mapping].link - 1;
    uint32_t mask = table[0];
    uint32_t at = key->hash & mask;
    while (table[1 + at] != 0 && !key_matches(document, mapping + table[1 + at], key)) {
        at = (at + 1) & mask;
    }
    return &table[1 + at];
}

static uint32_t key_find(
    const kni_document *document, uint32_t mapping, uint32_t end, const key_text *key)
{
    if (document->nodes[mapping].link == 0) {
        return key_find_in_row(document, mapping, end, key);
    }
    uint32_t offset = *key_place_in_table(document, mapping, key);
    return offset != 0 ? mapping + offset : DOCUMENT_NONE;
}

// Reading a tree from the parser's events

typedef struct build_frame {
    uint32_t node;   // a mapping or sequence that is open
    uint32_t merges; // those pending before it began
    uint32_t count;  // of its entries or items
    uint16_t height; // of the highest child
    bool has_key;    // in a mapping: a value comes next
    bool merging;    // in a mapping: that value is of `<<`; in a sequence: it is that value
    bool merged;     // there was a `<<`
} build_frame;

typedef struct build_anchor {
    uint32_t name; // offset among the texts
    uint32_t length;
    uint32_t hash;
    uint32_t node;
} build_anchor;

typedef struct builder {
    const kni_document_def *def;
    kni_report *report;
    kni_document *document;
    const char *text; // without a byte order mark
    size_t size;
    yaml_parser_t parser;
    kn_result result; // the first failure
    bool is_bad;      // there was an error after which reading went on

    build_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    uint32_t *merges; // mappings to be merged into the open ones
    uint32_t merge_count;
    uint32_t merge_capacity;
    uint32_t merge_visits;
    build_anchor *anchors;
    uint32_t anchor_count;
    uint32_t anchor_capacity;
    uint32_t *anchor_table; // 1 + index, by hash; a power of two
    uint32_t anchor_table_size;
    // Escapes for the two halves of one character, `\ud83d\ude00`, which the parser does not know.
    // In a copy of the text they are `\0\U0001f600`, as long as before, so that all places stay
    // right. These are where they begin, in characters, as the parser counts.
    size_t *pairs;
    uint32_t pair_count;
    uint32_t pair_capacity;
    uint32_t pair_next; // the first behind the scalars read so far
    char *copy;         // of the text, with the pairs replaced; NULL without any
} builder;

static bool build_fail_memory(builder *b)
{
    b->result = KN_ERROR_OUT_OF_MEMORY;
    return false;
}

static void build_complain(builder *b, kni_place place, const char *format, va_list arguments)
{
    place.file = b->def->file;
    kni_report_add_list(b->report, KNI_SEVERITY_ERROR, &place, format, arguments);
}

// Reports an error after which nothing more can be read.
static bool build_fail(builder *b, kni_place place, const char *format, ...) KN_PRINTF(3, 4);

static bool build_fail(builder *b, kni_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    build_complain(b, place, format, arguments);
    va_end(arguments);
    b->result = KN_ERROR_BAD_DATA;
    return false;
}

// Reports an error and goes on, to find more of them.
static void build_note(builder *b, kni_place place, const char *format, ...) KN_PRINTF(3, 4);

static void build_note(builder *b, kni_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    build_complain(b, place, format, arguments);
    va_end(arguments);
    b->is_bad = true;
}

static kni_place build_place(yaml_mark_t mark)
{
    return (kni_place){.line = (uint32_t)mark.line + 1, .column = (uint32_t)mark.column + 1};
}

static kni_place build_node_place(const builder *b, uint32_t node)
{
    const document_node *at = &b->document->nodes[node];
    return (kni_place){.line = at->line, .column = at->column};
}

static bool build_reserve(builder *b, kni_place place, uint32_t count)
{
    kni_document *document = b->document;
    if (count > b->def->node_limit || document->node_count > b->def->node_limit - count) {
        return build_fail(b, place,
            "the document has more than %u values, those of aliases included",
            (unsigned)b->def->node_limit);
    }
    if (!kni_alloc_grow(&document->hooks, &document->nodes, &document->node_capacity,
            document->node_count + count, sizeof *document->nodes)) {
        return build_fail_memory(b);
    }
    return true;
}

static build_frame *build_top(builder *b)
{
    return b->frame_count > 0 ? &b->frames[b->frame_count - 1] : NULL;
}

static bool build_in_mapping(const builder *b)
{
    return b->frame_count > 0 &&
           b->document->nodes[b->frames[b->frame_count - 1].node].kind == KNI_NODE_MAPPING;
}

static bool build_expects_key(const builder *b)
{
    return build_in_mapping(b) && !b->frames[b->frame_count - 1].has_key;
}

// Whether the next value is to be merged into a mapping.
static bool build_is_merging(builder *b)
{
    const build_frame *top = build_top(b);
    return top != NULL && top->merging;
}

static uint32_t build_push(builder *b, const document_node *node)
{
    kni_place place = {.line = node->line, .column = node->column};
    if (!build_reserve(b, place, 1)) {
        return DOCUMENT_NONE;
    }
    b->document->nodes[b->document->node_count] = *node;
    return b->document->node_count++;
}

// The open mapping or sequence has one more value; hidden ones do not count.
static void build_count_value(builder *b, uint32_t height)
{
    build_frame *top = build_top(b);
    if (top == NULL) {
        return;
    }
    if (top->height < height) {
        top->height = (uint16_t)height;
    }
    if (!build_in_mapping(b)) {
        top->count++;
        return;
    }
    top->count += !top->merging;
    top->has_key = false;
    top->merging = false;
}

static bool build_remember_merge(builder *b, uint32_t node)
{
    if (!kni_alloc_grow(&b->document->hooks, &b->merges, &b->merge_capacity, b->merge_count + 1,
            sizeof *b->merges)) {
        return build_fail_memory(b);
    }
    b->merges[b->merge_count++] = node;
    return true;
}

// Anchors

static uint32_t *anchor_place(const builder *b, const key_text *name)
{
    uint32_t mask = b->anchor_table_size - 1;
    for (uint32_t at = name->hash & mask;; at = (at + 1) & mask) {
        uint32_t *place = &b->anchor_table[at];
        if (*place == 0) {
            return place;
        }
        const build_anchor *anchor = &b->anchors[*place - 1];
        if (anchor->hash == name->hash && anchor->length == name->length &&
            memcmp(b->document->texts.data + anchor->name, name->text, name->length) == 0) {
            return place;
        }
    }
}

static bool anchor_reserve(builder *b)
{
    if (b->anchor_count * 2 < b->anchor_table_size) {
        return true;
    }
    const kn_hooks *hooks = &b->document->hooks;
    uint32_t size = b->anchor_table_size > 0 ? b->anchor_table_size * 2 : 16;
    uint32_t *table = kni_alloc_resize(hooks, NULL, 0, size * sizeof *table);
    if (table == NULL) {
        return build_fail_memory(b);
    }
    memset(table, 0, size * sizeof *table);
    kni_alloc_free(hooks, b->anchor_table, b->anchor_table_size * sizeof *table);
    b->anchor_table = table;
    b->anchor_table_size = size;
    for (uint32_t i = 0; i < b->anchor_count; i++) {
        const build_anchor *anchor = &b->anchors[i];
        uint32_t at = anchor->hash & (size - 1);
        while (table[at] != 0) {
            at = (at + 1) & (size - 1);
        }
        table[at] = i + 1;
    }
    return true;
}

static key_text anchor_name(const yaml_char_t *name)
{
    const char *text = (const char *)name;
    size_t length = strlen(text);
    return (key_text){text, (uint32_t)length, key_hash(text, length)};
}

// A name may be used again: from then on it means the later node.
static bool anchor_set(builder *b, const yaml_char_t *anchor, uint32_t node)
{
    if (anchor == NULL) {
        return true;
    }
    if (!anchor_reserve(b)) {
        return false;
    }
    key_text name = anchor_name(anchor);
    uint32_t *place = anchor_place(b, &name);
    if (*place != 0) {
        b->anchors[*place - 1].node = node;
        return true;
    }
    uint32_t text = kni_buffer_add_text(&b->document->texts, name.text, name.length);
    if (text == DOCUMENT_NONE ||
        !kni_alloc_grow(&b->document->hooks, &b->anchors, &b->anchor_capacity, b->anchor_count + 1,
            sizeof *b->anchors)) {
        return build_fail_memory(b);
    }
    b->anchors[b->anchor_count++] = (build_anchor){text, name.length, name.hash, node};
    *place = b->anchor_count;
    return true;
}

static uint32_t anchor_find(const builder *b, const yaml_char_t *anchor)
{
    if (b->anchor_table_size == 0) {
        return DOCUMENT_NONE;
    }
    key_text name = anchor_name(anchor);
    uint32_t place = *anchor_place(b, &name);
    return place != 0 ? b->anchors[place - 1].node : DOCUMENT_NONE;
}

// Scalars

static bool build_is_quoted(const yaml_event_t *event)
{
    return event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
}

// How many pairs lie in a scalar. Scalars come in the order of the text.
static size_t build_count_pairs(builder *b, const yaml_event_t *event)
{
    size_t count = 0;
    for (; b->pair_next < b->pair_count && b->pairs[b->pair_next] < event->end_mark.index;
         b->pair_next++) {
        count += b->pairs[b->pair_next] >= event->start_mark.index; // others are in comments
    }
    return count;
}

// Checks a scalar's text and takes the zeros of its pairs out of it.
static bool build_clean_text(builder *b, yaml_event_t *event)
{
    char *text = (char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    size_t pairs = build_count_pairs(b, event);
    if (pairs > 0 && event->data.scalar.style != YAML_DOUBLE_QUOTED_SCALAR_STYLE) {
        return build_fail(b, build_place(event->start_mark),
            "escapes such as \\ud83d\\ude00 have a meaning in double quotes only");
    }
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\0') {
            text[kept++] = text[i];
        }
    }
    if (length - kept != pairs) {
        return build_fail(
            b, build_place(event->start_mark), "a text cannot contain the character \\0");
    }
    event->data.scalar.length = kept;
    return true;
}

static bool build_check_key(builder *b, const yaml_event_t *event)
{
    const yaml_char_t *text = event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (length > KNI_DOCUMENT_KEY_MAX) {
        return build_fail(b, build_place(event->start_mark),
            "this key has %zu bytes; a key has at most %u", length, KNI_DOCUMENT_KEY_MAX);
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] < ' ' || text[i] == 0x7f) {
            return build_fail(b, build_place(event->start_mark),
                "a key cannot contain line breaks or control characters");
        }
    }
    return true;
}

// The key of an entry is a node of its own. `<<` is hidden, and so are the entries it brings in.
static bool build_key(builder *b, const yaml_event_t *event, document_node *node)
{
    build_frame *top = build_top(b);
    if (event->data.scalar.anchor != NULL) {
        return build_fail(b, build_place(event->start_mark), "a key cannot have an anchor");
    }
    if (!build_check_key(b, event)) {
        return false;
    }
    const char *text = (const char *)event->data.scalar.value;
    node->link = key_hash(text, event->data.scalar.length);
    node->flags = 0;
    top->has_key = true;
    if (!build_is_quoted(event) && strcmp(text, "<<") == 0) {
        if (top->merged) {
            return build_fail(b, build_place(event->start_mark),
                "`<<` appears twice in this mapping: write one, with a list");
        }
        node->flags = NODE_HIDDEN;
        top->merged = true;
        top->merging = true;
    }
    return build_push(b, node) != DOCUMENT_NONE;
}

static bool build_scalar(builder *b, yaml_event_t *event)
{
    kni_place place = build_place(event->start_mark);
    if (!build_clean_text(b, event)) {
        return false;
    }
    bool is_key = build_expects_key(b);
    if (!is_key && build_is_merging(b)) {
        return build_fail(
            b, place, "`<<` takes a mapping, an alias such as *base, or a list of those");
    }
    document_node node = {.line = place.line,
        .column = place.column,
        .count = (uint32_t)event->data.scalar.length,
        .size = 1,
        .kind = KNI_NODE_SCALAR,
        .flags = build_is_quoted(event) ? NODE_QUOTED : 0};
    node.text = kni_buffer_add_text(
        &b->document->texts, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (node.text == DOCUMENT_NONE) {
        return build_fail_memory(b);
    }
    if (is_key) {
        return build_key(b, event, &node);
    }
    node.flags |= build_in_mapping(b) ? NODE_KEYED : 0;
    uint32_t index = build_push(b, &node);
    if (index == DOCUMENT_NONE) {
        return false;
    }
    build_count_value(b, 0);
    return anchor_set(b, event->data.scalar.anchor, index);
}

// Aliases

// Appends a copy of the nodes from `first` on, as an entry of the open mapping.
static bool build_copy(builder *b, kni_place place, uint32_t first, uint32_t count)
{
    if (!build_reserve(b, place, count)) {
        return false;
    }
    document_node *nodes = b->document->nodes;
    memcpy(nodes + b->document->node_count, nodes + first, count * sizeof *nodes);
    b->document->node_count += count;
    return true;
}

static bool build_check_depth(builder *b, kni_place place, uint32_t height)
{
    uint32_t limit = b->def->depth_limit;
    limit = limit < KNI_DOCUMENT_DEPTH_MAX ? limit : KNI_DOCUMENT_DEPTH_MAX;
    if (b->frame_count + height > limit) {
        return build_fail(
            b, place, "mappings and lists are nested more than %u deep", (unsigned)limit);
    }
    return true;
}

// A null in the place of an alias below `<<`, which is only remembered.
static bool build_merge_alias(builder *b, kni_place place, uint32_t target)
{
    if (b->document->nodes[target].kind != KNI_NODE_MAPPING) {
        return build_fail(b, place, "`<<` takes aliases of mappings, and this is not one");
    }
    document_node node = {
        .line = place.line, .column = place.column, .size = 1, .kind = KNI_NODE_SCALAR};
    node.text = b->document->texts.size - 1; // the end of the last text
    if (build_push(b, &node) == DOCUMENT_NONE) {
        return false;
    }
    build_count_value(b, 0);
    return build_remember_merge(b, target);
}

static bool build_alias(builder *b, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    kni_place place = build_place(event->start_mark);
    if (build_expects_key(b)) {
        return build_fail(b, place, "an alias cannot be a key");
    }
    uint32_t target = anchor_find(b, event->data.alias.anchor);
    if (target == DOCUMENT_NONE) {
        return build_fail(b, place, "no anchor `&%.60s` comes before this alias", name);
    }
    uint32_t size = b->document->nodes[target].size;
    if (size == 0) {
        return build_fail(
            b, place, "`*%.60s` lies inside of what `&%.60s` names, without end", name, name);
    }
    if (build_is_merging(b)) {
        return build_merge_alias(b, place, target);
    }
    uint32_t height = b->document->nodes[target].height;
    uint32_t copy = b->document->node_count;
    if (!build_check_depth(b, place, height) || !build_copy(b, place, target, size)) {
        return false;
    }
    b->document->nodes[copy].flags &= (uint8_t)~NODE_KEYED;
    b->document->nodes[copy].flags |= build_in_mapping(b) ? NODE_KEYED : 0;
    build_count_value(b, height);
    return true;
}

// Mappings and sequences

static bool build_open(builder *b, const yaml_event_t *event, kni_node_kind kind)
{
    kni_place place = build_place(event->start_mark);
    bool is_mapping = kind == KNI_NODE_MAPPING;
    if (build_expects_key(b)) {
        return build_fail(
            b, place, "a key is a text, but this is %s", is_mapping ? "a mapping" : "a list");
    }
    bool merging = build_is_merging(b);
    if (merging && !is_mapping && !build_in_mapping(b)) {
        return build_fail(b, place, "the list of a `<<` holds mappings, not lists");
    }
    document_node node = {.line = place.line,
        .column = place.column,
        .kind = (uint8_t)kind,
        .flags = build_in_mapping(b) ? NODE_KEYED : 0};
    uint32_t index = b->document->node_count;
    if (!build_check_depth(b, place, 1) || build_push(b, &node) == DOCUMENT_NONE ||
        (merging && is_mapping && !build_remember_merge(b, index)) ||
        !anchor_set(b,
            is_mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
            index)) {
        return false;
    }
    if (!kni_alloc_grow(&b->document->hooks, &b->frames, &b->frame_capacity, b->frame_count + 1,
            sizeof *b->frames)) {
        return build_fail_memory(b);
    }
    b->frames[b->frame_count++] =
        (build_frame){.node = index, .merges = b->merge_count, .merging = merging && !is_mapping};
    return true;
}

// Gives a mapping that will have `count` entries a table, if they are many.
static bool build_table(builder *b, uint32_t mapping, uint32_t count)
{
    kni_document *document = b->document;
    if (count < DOCUMENT_TABLE_FROM) {
        return true;
    }
    uint32_t size = 16;
    while (size < count * 2) {
        size *= 2;
    }
    if (!kni_alloc_grow(&document->hooks, &document->tables, &document->table_capacity,
            document->table_size + size + 1, sizeof *document->tables)) {
        return build_fail_memory(b);
    }
    uint32_t *table = document->tables + document->table_size;
    memset(table, 0, (size + 1) * sizeof *table);
    table[0] = size - 1;
    document->nodes[mapping].link = document->table_size + 1;
    document->table_size += size + 1;
    return true;
}

// The entry that already has the key of the entry at `at`, or DOCUMENT_NONE, and then it is added
// to the table, if there is one.
static uint32_t build_enter_key(builder *b, uint32_t mapping, uint32_t at)
{
    key_text key = key_of(b->document, at);
    uint32_t found = key_find(b->document, mapping, at, &key);
    if (found == DOCUMENT_NONE && b->document->nodes[mapping].link != 0) {
        *key_place_in_table(b->document, mapping, &key) = at - mapping;
    }
    return found;
}

static void build_enter_own_keys(builder *b, uint32_t mapping)
{
    uint32_t end = b->document->node_count;
    for (uint32_t at = mapping + 1; at < end; at = key_next(b->document, at)) {
        if ((b->document->nodes[at].flags & NODE_HIDDEN) != 0) {
            continue;
        }
        uint32_t found = build_enter_key(b, mapping, at);
        if (found != DOCUMENT_NONE) {
            build_note(b, build_node_place(b, at),
                "the key `%s` appears twice in this mapping, first on line %u",
                key_of(b->document, at).text, (unsigned)b->document->nodes[found].line);
        }
    }
}

// Adds the entries of another mapping whose keys are not there yet.
static bool build_merge(builder *b, build_frame *frame, uint32_t source)
{
    kni_place place = build_node_place(b, frame->node);
    uint32_t end = source + b->document->nodes[source].size;
    for (uint32_t at = source + 1; at < end; at = key_next(b->document, at)) {
        key_text key = key_of(b->document, at);
        if ((b->document->nodes[at].flags & NODE_HIDDEN) != 0 ||
            key_find(b->document, frame->node, b->document->node_count, &key) != DOCUMENT_NONE) {
            continue;
        }
        uint32_t height = b->document->nodes[at + 1].height;
        uint32_t copy = b->document->node_count;
        if (!build_check_depth(b, place, height) ||
            !build_copy(b, place, at, key_next(b->document, at) - at)) {
            return false;
        }
        build_enter_key(b, frame->node, copy);
        frame->height = frame->height < height ? (uint16_t)height : frame->height;
        frame->count++;
    }
    return true;
}

// How many entries the mapping will have at most. Without a limit, a list that merges a large
// mapping many times would take long although it adds nothing.
static bool build_count_merges(builder *b, const build_frame *frame, uint32_t *count)
{
    *count = frame->count;
    for (uint32_t i = frame->merges; i < b->merge_count; i++) {
        uint32_t more = b->document->nodes[b->merges[i]].count;
        if (more >= b->def->node_limit - b->merge_visits) {
            return build_fail(b, build_node_place(b, frame->node),
                "`<<` brings in more than %u values", (unsigned)b->def->node_limit);
        }
        b->merge_visits += more;
        *count += more;
    }
    return true;
}

static bool build_close_mapping(builder *b, build_frame *frame)
{
    uint32_t count;
    if (!build_count_merges(b, frame, &count) || !build_table(b, frame->node, count)) {
        return false;
    }
    build_enter_own_keys(b, frame->node);
    for (uint32_t i = frame->merges; i < b->merge_count; i++) {
        if (!build_merge(b, frame, b->merges[i])) {
            return false;
        }
    }
    b->merge_count = frame->merges;
    return true;
}

static bool build_close(builder *b)
{
    build_frame *frame = build_top(b);
    if (build_in_mapping(b) && !build_close_mapping(b, frame)) {
        return false;
    }
    document_node *node = &b->document->nodes[frame->node];
    uint32_t height = frame->height + 1u;
    node->size = b->document->node_count - frame->node;
    node->count = frame->count;
    node->height = (uint16_t)height;
    b->frame_count--;
    build_count_value(b, height);
    return true;
}

// Events

static const yaml_char_t *build_tag(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.tag;
    default:
        return NULL;
    }
}

static bool build_event(builder *b, yaml_event_t *event)
{
    const yaml_char_t *tag = build_tag(event);
    if (tag != NULL) {
        return build_fail(b, build_place(event->start_mark),
            "tags such as `%.60s` are not used here: remove it", (const char *)tag);
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->document->node_count > 0) {
            return build_fail(b, build_place(event->start_mark),
                "a second document begins here: a file holds one");
        }
        return true;
    case YAML_ALIAS_EVENT:
        return build_alias(b, event);
    case YAML_SCALAR_EVENT:
        return build_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return build_open(b, event, KNI_NODE_SEQUENCE);
    case YAML_MAPPING_START_EVENT:
        return build_open(b, event, KNI_NODE_MAPPING);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return build_close(b);
    default:
        return true;
    }
}

// The parser's own errors, in plain words

// What the parser says, and what we say of the place it names. `start` is for the place where the
// thing began, when that is the one to look at: always without `words`, else at the file's end.
typedef struct parser_problem {
    const char *problem;
    const char *words;
    const char *start;
} parser_problem;

static const parser_problem *parser_find_problem(const yaml_parser_t *parser)
{
    static const parser_problem problems[] = {
        {"mapping values are not allowed in this context",
            "a `:` cannot stand here: check the indentation, or put the text in quotes", NULL},
        {"mapping keys are not allowed in this context",
            "a key cannot stand here: check the indentation", NULL},
        {"block sequence entries are not allowed in this context",
            "a list item `-` cannot stand here: check the indentation", NULL},
        {"could not find expected ':'", NULL,
            "a `:` is missing behind this key, which takes one line and at most 1024 characters"},
        {"found unexpected end of stream", NULL, "the quote that begins here is never closed"},
        {"found unexpected document indicator", NULL,
            "the quote that begins here is not closed before the end of the document"},
        {"found unknown escape character",
            "this escape is unknown: in double quotes write \\\\ for a backslash", NULL},
        {"did not find expected hexdecimal number", "this escape lacks hexadecimal digits", NULL},
        {"found invalid Unicode character escape code",
            "this escape is no character; one half of a pair needs the other behind it", NULL},
        {"did not find expected alphabetic or numeric character", NULL,
            "this is no name for an anchor or alias: put text that begins with & or * in quotes"},
        {"did not find expected comment or line break",
            "nothing but a comment can follow here: begin a new line", NULL},
        {"did not find expected key",
            "this line does not belong to the mapping above: check the indentation and the quotes",
            NULL},
        {"did not find expected '-' indicator",
            "this line does not belong to the list above: check the indentation", NULL},
        {"did not find expected ',' or ']'", "a `,` or `]` is missing here",
            "the list that begins here is never closed"},
        {"did not find expected ',' or '}'", "a `,` or `}` is missing here",
            "the mapping that begins here is never closed"},
        {"did not find expected node content", "a value is missing here", NULL},
        {"did not find expected <document start>", "nothing can follow the end of the document",
            NULL},
        {"found a tab character where an indentation space is expected",
            "a tab cannot indent: use spaces", NULL},
        {"found a tab character that violates indentation", "a tab cannot indent: use spaces",
            NULL},
        {"found undefined tag handle", "tags are not used here: remove it", NULL},
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (parser->problem != NULL && strcmp(parser->problem, problems[i].problem) == 0) {
            return &problems[i];
        }
    }
    return NULL;
}

// The character at a place the parser gives, or 0 at the end.
static char parser_char_at(const builder *b, yaml_mark_t mark)
{
    size_t index = 0;
    for (size_t i = 0; i < b->size; i++) {
        if (((unsigned char)b->text[i] & 0xc0) == 0x80) {
            continue;
        }
        if (index++ == mark.index) {
            return b->text[i];
        }
    }
    return '\0';
}

static bool parser_fail(builder *b)
{
    const yaml_parser_t *parser = &b->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        return build_fail_memory(b);
    }
    kni_place place = build_place(parser->problem_mark);
    const parser_problem *problem = parser_find_problem(parser);
    if (problem != NULL) {
        bool at_start = problem->words == NULL ||
                        (problem->start != NULL && parser_char_at(b, parser->problem_mark) == '\0');
        return at_start ? build_fail(b, build_place(parser->context_mark), "%s", problem->start)
                        : build_fail(b, place, "%s", problem->words);
    }
    if (parser->problem != NULL &&
        strcmp(parser->problem, "found character that cannot start any token") == 0) {
        char c = parser_char_at(b, parser->problem_mark);
        if (c == '\t') {
            return build_fail(b, place, "a tab cannot indent: use spaces");
        }
        return build_fail(b, place, "a value cannot begin with `%c`: put it in quotes", c);
    }
    return build_fail(b, place, "%s%s%s", parser->context != NULL ? parser->context : "",
        parser->context != NULL ? ", " : "",
        parser->problem != NULL ? parser->problem : "this is not YAML");
}

static bool build_run(builder *b)
{
    bool goes_on = true;
    while (goes_on) {
        yaml_event_t event;
        if (yaml_parser_parse(&b->parser, &event) == 0) {
            return parser_fail(b);
        }
        bool is_end = event.type == YAML_STREAM_END_EVENT;
        goes_on = build_event(b, &event) && !is_end;
        yaml_event_delete(&event);
    }
    return b->result == KN_OK;
}

// Checking the bytes, before the parser sees them

// The length of the character, or 0 when it is not UTF-8.
static uint32_t text_decode(const unsigned char *at, size_t left, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > left || at[0] > 0xf4) {
        return 0;
    }
    *code = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (uint32_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (at[i] & 0x3fu);
    }
    bool is_half = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[length] || is_half || *code > 0x10ffff ? 0 : length;
}

// Characters that YAML refuses or takes for a line break although no editor does.
static bool text_is_allowed(uint32_t code)
{
    if (code < ' ') {
        return code == '\t' || code == '\n' || code == '\r';
    }
    return code < 0x7f || (code > 0x9f && code != 0x2028 && code != 0x2029 && code != 0xfeff &&
                              code != 0xfffe && code != 0xffff);
}

static kni_place text_place(const char *text, size_t offset)
{
    kni_place place = {.line = 1, .column = 1};
    for (size_t i = 0; i < offset; i++) {
        bool is_break = text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
        if (is_break) {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

static bool text_fail(builder *b, size_t offset, uint32_t code)
{
    kni_place place = text_place(b->text, offset);
    if (code == DOCUMENT_NONE) {
        return build_fail(b, place, "the byte 0x%02X is not UTF-8: save the file as UTF-8",
            (unsigned)(unsigned char)b->text[offset]);
    }
    if (code == 0) {
        return build_fail(b, place, "a zero byte: this is not a text, or not UTF-8");
    }
    return build_fail(b, place,
        "the character U+%04X cannot stand in a file: in double quotes write \\u%04X",
        (unsigned)code, (unsigned)code);
}

static bool text_check(builder *b)
{
    const unsigned char *bytes = (const unsigned char *)b->text;
    for (size_t i = 0; i < b->size;) {
        if (bytes[i] >= ' ' && bytes[i] < 0x7f) {
            i++;
            continue;
        }
        uint32_t code;
        uint32_t length = text_decode(bytes + i, b->size - i, &code);
        if (length == 0 || !text_is_allowed(code)) {
            return text_fail(b, i, length > 0 ? code : DOCUMENT_NONE);
        }
        i += length;
    }
    return true;
}

// The value of `\uXXXX` if it lies in [from, to], else 0.
static uint32_t text_escape(const char *at, uint32_t from, uint32_t to)
{
    if (at[0] != '\\' || at[1] != 'u') {
        return 0;
    }
    uint32_t value = 0;
    for (uint32_t i = 2; i < 6; i++) {
        char c = at[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit == 16) {
            return 0;
        }
        value = value << 4 | digit;
    }
    return value >= from && value <= to ? value : 0;
}

// Notes the pair that begins at `offset` and replaces it in a copy of the text.
static bool text_replace_pair(builder *b, size_t offset, size_t index, uint32_t code)
{
    const kn_hooks *hooks = &b->document->hooks;
    if (b->copy == NULL) {
        b->copy = kni_alloc_resize(hooks, NULL, 0, b->size);
        if (b->copy == NULL) {
            return build_fail_memory(b);
        }
        memcpy(b->copy, b->text, b->size);
    }
    if (!kni_alloc_grow(hooks, &b->pairs, &b->pair_capacity, b->pair_count + 1, sizeof *b->pairs)) {
        return build_fail_memory(b);
    }
    b->pairs[b->pair_count++] = index;
    char stand_in[16];
    (void)snprintf(stand_in, sizeof stand_in, "\\0\\U%08x", (unsigned)code);
    memcpy(b->copy + offset, stand_in, PAIR_LENGTH);
    return true;
}

static bool text_replace_pairs(builder *b)
{
    if (b->size < PAIR_LENGTH || memchr(b->text, '\\', b->size) == NULL) {
        return true;
    }
    size_t index = 0; // of the character
    for (size_t i = 0; i <= b->size - PAIR_LENGTH;) {
        uint32_t high = text_escape(b->text + i, 0xd800, 0xdbff);
        uint32_t low = high != 0 ? text_escape(b->text + i + PAIR_LENGTH / 2, 0xdc00, 0xdfff) : 0;
        size_t length = 1;
        if (low != 0) {
            uint32_t code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            if (!text_replace_pair(b, i, index, code)) {
                return false;
            }
            length = PAIR_LENGTH;
        } else if (b->text[i] == '\\' && b->text[i + 1] == '\\') {
            length = 2; // an escaped backslash does not begin an escape
        }
        for (; length > 0; length--) {
            index += ((unsigned char)b->text[i++] & 0xc0) != 0x80;
        }
    }
    return true;
}

// The whole of it

static bool build_start(builder *b)
{
    const kni_document_def *def = b->def;
    size_t size_limit = def->size_limit < DOCUMENT_SIZE_MAX ? def->size_limit : DOCUMENT_SIZE_MAX;
    if (def->size > size_limit) {
        return build_fail(
            b, (kni_place){0}, "the file has %zu bytes; %zu are allowed", def->size, size_limit);
    }
    b->text = def->text;
    b->size = def->size;
    if (b->size >= 2 &&
        (memcmp(b->text, "\xff\xfe", 2) == 0 || memcmp(b->text, "\xfe\xff", 2) == 0)) {
        return build_fail(
            b, (kni_place){.line = 1, .column = 1}, "the file is UTF-16: save it as UTF-8");
    }
    if (b->size >= 3 && memcmp(b->text, "\xef\xbb\xbf", 3) == 0) {
        b->text += 3;
        b->size -= 3;
    }
    if (!text_check(b) || !text_replace_pairs(b)) {
        return false;
    }
    if (yaml_parser_initialize(&b->parser) == 0) {
        return build_fail_memory(b);
    }
    yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &b->parser, (const yaml_char_t *)(b->copy != NULL ? b->copy : b->text), b->size);
    return true;
}

// A file with nothing but comments.
static bool build_empty(builder *b)
{
    document_node null = {.line = 1, .column = 1, .size = 1, .kind = KNI_NODE_SCALAR};
    null.text = kni_buffer_add_text(&b->document->texts, "", 0);
    if (null.text == DOCUMENT_NONE) {
        return build_fail_memory(b);
    }
    return build_push(b, &null) != DOCUMENT_NONE;
}

static bool build_document(builder *b)
{
    kni_document *document = b->document;
    if (b->def->file != NULL) {
        document->file = kni_buffer_add_text(&document->texts, b->def->file, strlen(b->def->file));
        if (document->file == DOCUMENT_NONE) {
            return build_fail_memory(b);
        }
    }
    if (!build_start(b)) {
        return false;
    }
    return build_run(b) && (document->node_count > 0 || build_empty(b));
}

static void build_free(builder *b)
{
    const kn_hooks *hooks = &b->document->hooks;
    kni_alloc_free(hooks, b->frames, b->frame_capacity * sizeof *b->frames);
    kni_alloc_free(hooks, b->merges, b->merge_capacity * sizeof *b->merges);
    kni_alloc_free(hooks, b->anchors, b->anchor_capacity * sizeof *b->anchors);
    kni_alloc_free(hooks, b->anchor_table, b->anchor_table_size * sizeof *b->anchor_table);
    kni_alloc_free(hooks, b->pairs, b->pair_capacity * sizeof *b->pairs);
    kni_alloc_free(hooks, b->copy, b->size);
    yaml_parser_delete(&b->parser);
}

kn_result kni_document_parse(
    const kni_document_def *def, kni_report *report, kni_document **document)
{
    *document = NULL;
    kn_hooks hooks = def->hooks;
    builder b = {.def = def, .report = report};
    b.document = kni_alloc_resize(&hooks, NULL, 0, sizeof *b.document);
    if (b.document == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *b.document = (kni_document){.hooks = hooks, .file = DOCUMENT_NONE, .texts.hooks = hooks};
    kn_result result = KN_OK;
    if (!build_document(&b)) {
        result = b.result;
    } else if (b.is_bad) {
        result = KN_ERROR_BAD_DATA;
    }
    build_free(&b);
    if (result != KN_OK) {
        kni_document_destroy(b.document);
        return result;
    }
    *document = b.document;
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

// Access

static const document_node *node_of(kni_node node)
{
    return node.index1 != 0 ? &node.document->nodes[node.index1 - 1] : NULL;
}

const char *kni_document_file(const kni_document *document)
{
    return document->file != DOCUMENT_NONE ? document->texts.data + document->file : NULL;
}

kni_node kni_document_root(const kni_document *document)
{
    return (kni_node){document, 1};
}

kni_node_kind kni_node_kind_of(kni_node node)
{
    const document_node *found = node_of(node);
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
    const document_node *found = node_of(node);
    if (found == NULL) {
        return (kni_place){0};
    }
    return (kni_place){kni_document_file(node.document), found->line, found->column};
}

static bool node_is_keyed(kni_node node)
{
    const document_node *found = node_of(node);
    return found != NULL && (found->flags & NODE_KEYED) != 0;
}

const char *kni_node_key(kni_node node)
{
    return node_is_keyed(node) ? key_of(node.document, node.index1 - 2).text : NULL;
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
    const document_node *found = node_of(node);
    return found != NULL && found->kind != KNI_NODE_SCALAR ? found->count : 0;
}

kni_children kni_node_children(kni_node node)
{
    const document_node *found = node_of(node);
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
        const document_node *nodes = children->document->nodes;
        bool is_hidden = children->keyed && (nodes[children->at].flags & NODE_HIDDEN) != 0;
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
    const document_node *found = node_of(mapping);
    if (found == NULL || found->kind != KNI_NODE_MAPPING) {
        return (kni_node){0};
    }
    size_t length = strlen(key);
    if (length > KNI_DOCUMENT_KEY_MAX) {
        return (kni_node){0};
    }
    uint32_t index = mapping.index1 - 1;
    key_text wanted = {key, (uint32_t)length, key_hash(key, length)};
    uint32_t at = key_find(mapping.document, index, index + found->size, &wanted);
    return at != DOCUMENT_NONE ? (kni_node){mapping.document, at + 2} : (kni_node){0};
}

kni_scalar kni_node_scalar(kni_node node)
{
    const document_node *found = node_of(node);
    kni_scalar scalar = {.text = "", .place = kni_node_place(node)};
    if (found != NULL && found->kind == KNI_NODE_SCALAR) {
        scalar.text = node.document->texts.data + found->text;
        scalar.length = found->count;
        scalar.quoted = (found->flags & NODE_QUOTED) != 0;
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

// False, with the error filled, for what is no scalar.
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

kn_result kni_node_f64(kni_node node, double min, double max, double *value, kn_error *error)
{
    kni_scalar scalar;
    *value = 0.0;
    if (!node_take_scalar(node, "a number", &scalar, error)) {
        return KN_ERROR_BAD_DATA;
    }
    return kni_scalar_f64(&scalar, min, max, value, error);
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
