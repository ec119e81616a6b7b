// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// From the parser's events to the tree.

#include "document_tree.h"
#include "document_words.h"

#include <string.h>

#define BUILD_TABLE_FROM 12 // entries from which a mapping gets a hash table

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
    kni_document *document;
    kni_source source;
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
} builder;

static bool build_stop(builder *b, kn_result result)
{
    b->result = result;
    return false;
}

static bool build_fail_memory(builder *b)
{
    return build_stop(b, KN_ERROR_OUT_OF_MEMORY);
}

// Reports an error after which nothing more can be read.
static bool build_fail(builder *b, kni_place place, const char *format, ...) KN_PRINTF(3, 4);

static bool build_fail(builder *b, kni_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    kn_result result = kni_source_refuse_list(&b->source, place, format, arguments);
    va_end(arguments);
    return build_stop(b, result);
}

static kni_place build_node_place(const builder *b, uint32_t node)
{
    const kni_tree_node *at = &b->document->nodes[node];
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
    if (!kn_memory_grow(&document->hooks, &document->nodes, &document->node_capacity,
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

static uint32_t build_push(builder *b, const kni_tree_node *node)
{
    kni_place place = {.line = node->line, .column = node->column};
    if (!build_reserve(b, place, 1)) {
        return KNI_TREE_NONE;
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
    if (!kn_memory_grow(&b->document->hooks, &b->merges, &b->merge_capacity, b->merge_count + 1,
            sizeof *b->merges)) {
        return build_fail_memory(b);
    }
    b->merges[b->merge_count++] = node;
    return true;
}

// Anchors

static uint32_t *anchor_place(const builder *b, const kni_key *name)
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
    uint32_t *table = kn_memory_resize(hooks, NULL, 0, size * sizeof *table);
    if (table == NULL) {
        return build_fail_memory(b);
    }
    memset(table, 0, size * sizeof *table);
    kn_memory_free(hooks, b->anchor_table, b->anchor_table_size * sizeof *table);
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

static kni_key anchor_name(const yaml_char_t *name)
{
    return kni_key_make((const char *)name, strlen((const char *)name));
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
    kni_key name = anchor_name(anchor);
    uint32_t *place = anchor_place(b, &name);
    if (*place != 0) {
        b->anchors[*place - 1].node = node;
        return true;
    }
    uint32_t text = kni_buffer_add_text(&b->document->texts, name.text, name.length);
    if (text == KNI_TREE_NONE ||
        !kn_memory_grow(&b->document->hooks, &b->anchors, &b->anchor_capacity, b->anchor_count + 1,
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
        return KNI_TREE_NONE;
    }
    kni_key name = anchor_name(anchor);
    uint32_t place = *anchor_place(b, &name);
    return place != 0 ? b->anchors[place - 1].node : KNI_TREE_NONE;
}

// Scalars

static bool build_is_quoted(const yaml_event_t *event)
{
    return event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
}

// Checks a scalar's text and takes the zeros of its pairs out of it.
static bool build_clean_text(builder *b, yaml_event_t *event)
{
    char *text = (char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    size_t pairs = kni_source_pairs(&b->source, event->start_mark.index, event->end_mark.index);
    if (pairs > 0 && event->data.scalar.style != YAML_DOUBLE_QUOTED_SCALAR_STYLE) {
        return build_fail(b, kni_words_place(event->start_mark),
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
            b, kni_words_place(event->start_mark), "a text cannot contain the character \\0");
    }
    event->data.scalar.length = kept;
    return true;
}

static bool build_check_key(builder *b, const yaml_event_t *event)
{
    const yaml_char_t *text = event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (length > KNI_DOCUMENT_KEY_MAX) {
        return build_fail(b, kni_words_place(event->start_mark),
            "this key has %zu bytes; a key has at most %u", length, KNI_DOCUMENT_KEY_MAX);
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] < ' ' || text[i] == 0x7f) {
            return build_fail(b, kni_words_place(event->start_mark),
                "a key cannot contain line breaks or control characters");
        }
    }
    return true;
}

// The key of an entry is a node of its own. `<<` is hidden, and so are the entries it brings in.
static bool build_key(builder *b, const yaml_event_t *event, kni_tree_node *node)
{
    build_frame *top = build_top(b);
    if (event->data.scalar.anchor != NULL) {
        return build_fail(b, kni_words_place(event->start_mark), "a key cannot have an anchor");
    }
    if (!build_check_key(b, event)) {
        return false;
    }
    const char *text = (const char *)event->data.scalar.value;
    node->link = kni_key_make(text, event->data.scalar.length).hash;
    node->flags = 0;
    top->has_key = true;
    if (!build_is_quoted(event) && strcmp(text, "<<") == 0) {
        if (top->merged) {
            return build_fail(b, kni_words_place(event->start_mark),
                "`<<` appears twice in this mapping: write it once, with a list");
        }
        node->flags = KNI_TREE_HIDDEN;
        top->merged = true;
        top->merging = true;
    }
    return build_push(b, node) != KNI_TREE_NONE;
}

static bool build_scalar(builder *b, yaml_event_t *event)
{
    kni_place place = kni_words_place(event->start_mark);
    if (!build_clean_text(b, event)) {
        return false;
    }
    bool is_key = build_expects_key(b);
    if (!is_key && build_is_merging(b)) {
        return build_fail(
            b, place, "`<<` takes a mapping, an alias such as *base, or a list of those");
    }
    kni_tree_node node = {.line = place.line,
        .column = place.column,
        .count = (uint32_t)event->data.scalar.length,
        .size = 1,
        .kind = KNI_NODE_SCALAR,
        .flags = build_is_quoted(event) ? KNI_TREE_QUOTED : 0};
    node.text = kni_buffer_add_text(
        &b->document->texts, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (node.text == KNI_TREE_NONE) {
        return build_fail_memory(b);
    }
    if (is_key) {
        return build_key(b, event, &node);
    }
    node.flags |= build_in_mapping(b) ? KNI_TREE_KEYED : 0;
    uint32_t index = build_push(b, &node);
    if (index == KNI_TREE_NONE) {
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
    kni_tree_node *nodes = b->document->nodes;
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
            b, place, "mappings and lists are nested more than %u levels deep", (unsigned)limit);
    }
    return true;
}

// A null in the place of an alias below `<<`, which is only remembered.
static bool build_merge_alias(builder *b, kni_place place, uint32_t target)
{
    if (b->document->nodes[target].kind != KNI_NODE_MAPPING) {
        return build_fail(b, place, "`<<` takes aliases of mappings, and this is not one");
    }
    kni_tree_node node = {
        .line = place.line, .column = place.column, .size = 1, .kind = KNI_NODE_SCALAR};
    node.text = b->document->texts.size - 1; // the end of the last text
    if (build_push(b, &node) == KNI_TREE_NONE) {
        return false;
    }
    build_count_value(b, 0);
    return build_remember_merge(b, target);
}

static bool build_alias(builder *b, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    kni_place place = kni_words_place(event->start_mark);
    if (build_expects_key(b)) {
        return build_fail(b, place, "an alias cannot be a key");
    }
    uint32_t target = anchor_find(b, event->data.alias.anchor);
    if (target == KNI_TREE_NONE) {
        return build_fail(b, place, "this alias has no anchor `&%.60s` before it", name);
    }
    uint32_t size = b->document->nodes[target].size;
    if (size == 0) {
        return build_fail(b, place, "`*%.60s` refers to `&%.60s`, which contains it", name, name);
    }
    if (build_is_merging(b)) {
        return build_merge_alias(b, place, target);
    }
    uint32_t height = b->document->nodes[target].height;
    uint32_t copy = b->document->node_count;
    if (!build_check_depth(b, place, height) || !build_copy(b, place, target, size)) {
        return false;
    }
    b->document->nodes[copy].flags &= (uint8_t)~KNI_TREE_KEYED;
    b->document->nodes[copy].flags |= build_in_mapping(b) ? KNI_TREE_KEYED : 0;
    build_count_value(b, height);
    return true;
}

// Mappings and sequences

static bool build_open(builder *b, const yaml_event_t *event, kni_node_kind kind)
{
    kni_place place = kni_words_place(event->start_mark);
    bool is_mapping = kind == KNI_NODE_MAPPING;
    if (build_expects_key(b)) {
        return build_fail(
            b, place, "a key must be a text, but this is %s", is_mapping ? "a mapping" : "a list");
    }
    bool merging = build_is_merging(b);
    if (merging && !is_mapping && !build_in_mapping(b)) {
        return build_fail(b, place, "the list of a `<<` holds mappings, not lists");
    }
    kni_tree_node node = {.line = place.line,
        .column = place.column,
        .kind = (uint8_t)kind,
        .flags = build_in_mapping(b) ? KNI_TREE_KEYED : 0};
    uint32_t index = b->document->node_count;
    if (!build_check_depth(b, place, 1) || build_push(b, &node) == KNI_TREE_NONE ||
        (merging && is_mapping && !build_remember_merge(b, index)) ||
        !anchor_set(b,
            is_mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
            index)) {
        return false;
    }
    if (!kn_memory_grow(&b->document->hooks, &b->frames, &b->frame_capacity, b->frame_count + 1,
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
    if (count < BUILD_TABLE_FROM) {
        return true;
    }
    uint32_t size = 16;
    while (size < count * 2) {
        size *= 2;
    }
    if (!kn_memory_grow(&document->hooks, &document->tables, &document->table_capacity,
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

// The entry that already has the key of the entry at `at`, or KNI_TREE_NONE, and then it is added
// to the table, if there is one.
static uint32_t build_enter_key(builder *b, uint32_t mapping, uint32_t at)
{
    kni_key key = kni_key_of(b->document, at);
    uint32_t found = kni_key_find(b->document, mapping, at, &key);
    if (found == KNI_TREE_NONE && b->document->nodes[mapping].link != 0) {
        *kni_key_slot(b->document, mapping, &key) = at - mapping;
    }
    return found;
}

static void build_enter_own_keys(builder *b, uint32_t mapping)
{
    uint32_t end = b->document->node_count;
    for (uint32_t at = mapping + 1; at < end; at = kni_key_next(b->document, at)) {
        if ((b->document->nodes[at].flags & KNI_TREE_HIDDEN) != 0) {
            continue;
        }
        uint32_t found = build_enter_key(b, mapping, at);
        if (found != KNI_TREE_NONE) {
            b->is_bad = true; // but there may be more to find
            kni_source_refuse(&b->source, build_node_place(b, at),
                "the key `%s` appears twice in this mapping, first on line %u",
                kni_key_of(b->document, at).text, (unsigned)b->document->nodes[found].line);
        }
    }
}

// Adds the entries of another mapping whose keys are not there yet.
static bool build_merge(builder *b, build_frame *frame, uint32_t source)
{
    kni_place place = build_node_place(b, frame->node);
    uint32_t end = source + b->document->nodes[source].size;
    for (uint32_t at = source + 1; at < end; at = kni_key_next(b->document, at)) {
        kni_key key = kni_key_of(b->document, at);
        if ((b->document->nodes[at].flags & KNI_TREE_HIDDEN) != 0 ||
            kni_key_find(b->document, frame->node, b->document->node_count, &key) !=
                KNI_TREE_NONE) {
            continue;
        }
        uint32_t height = b->document->nodes[at + 1].height;
        uint32_t copy = b->document->node_count;
        if (!build_check_depth(b, place, height) ||
            !build_copy(b, place, at, kni_key_next(b->document, at) - at)) {
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
    kni_tree_node *node = &b->document->nodes[frame->node];
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
        return build_fail(b, kni_words_place(event->start_mark),
            "tags such as `%.60s` are not used here: remove it", (const char *)tag);
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->document->node_count > 0) {
            return build_fail(b, kni_words_place(event->start_mark),
                "a second document begins here: a file can hold only one");
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

static bool build_run(builder *b)
{
    bool goes_on = true;
    while (goes_on) {
        yaml_event_t event;
        if (yaml_parser_parse(&b->parser, &event) == 0) {
            return build_stop(b, kni_words_explain(&b->source, &b->parser));
        }
        bool is_end = event.type == YAML_STREAM_END_EVENT;
        goes_on = build_event(b, &event) && !is_end;
        yaml_event_delete(&event);
    }
    return b->result == KN_OK;
}

// The whole of it

static bool build_start(builder *b)
{
    kni_source *source = &b->source;
    kn_result result = kni_source_open(source, b->def->text, b->def->size, b->def->size_limit);
    if (result == KN_OK) {
        result = kni_source_replace_pairs(source);
    }
    if (result != KN_OK) {
        return build_stop(b, result);
    }
    if (yaml_parser_initialize(&b->parser) == 0) {
        return build_fail_memory(b);
    }
    const char *text = source->copy != NULL ? source->copy : source->text;
    text = text != NULL ? text : ""; // the parser wants one, even of no size
    yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b->parser, (const yaml_char_t *)text, source->size);
    return true;
}

// A file with nothing but comments.
static bool build_empty(builder *b)
{
    kni_tree_node null = {.line = 1, .column = 1, .size = 1, .kind = KNI_NODE_SCALAR};
    null.text = kni_buffer_add_text(&b->document->texts, "", 0);
    if (null.text == KNI_TREE_NONE) {
        return build_fail_memory(b);
    }
    return build_push(b, &null) != KNI_TREE_NONE;
}

static bool build_document(builder *b)
{
    kni_document *document = b->document;
    if (b->def->file != NULL) {
        document->file = kni_buffer_add_text(&document->texts, b->def->file, strlen(b->def->file));
        if (document->file == KNI_TREE_NONE) {
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
    kn_memory_free(hooks, b->frames, b->frame_capacity * sizeof *b->frames);
    kn_memory_free(hooks, b->merges, b->merge_capacity * sizeof *b->merges);
    kn_memory_free(hooks, b->anchors, b->anchor_capacity * sizeof *b->anchors);
    kn_memory_free(hooks, b->anchor_table, b->anchor_table_size * sizeof *b->anchor_table);
    kni_source_close(&b->source);
    yaml_parser_delete(&b->parser);
}

kn_result kni_document_parse(
    const kni_document_def *def, kni_report *report, kni_document **document)
{
    *document = NULL;
    kn_hooks hooks = def->hooks;
    builder b = {.def = def, .source = {.hooks = hooks, .report = report, .file = def->file}};
    b.document = kn_memory_resize(&hooks, NULL, 0, sizeof *b.document);
    if (b.document == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *b.document = (kni_document){.hooks = hooks, .file = KNI_TREE_NONE, .texts.hooks = hooks};
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
