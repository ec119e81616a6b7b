// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tag registry of a library: registration by sources, redirects, common tags, and queries about
// the tree. Names are found through a hash table that holds tags and redirects alike. Every change
// that can fail halfway is rolled back to a mark. kni_tag_table_finish() resolves redirects and
// numbers the tree in pre-order, which makes "is it below" two comparisons.

#include "library/tag_table.h"

#include "base/hash.h"
#include "library/types.h"

#include <string.h>

#define TAG_DEF_COOKIE 0x6b6e6163u
#define TAG_REDIRECT_MAX 65535u
#define TAG_SLOT_REDIRECT (KNI_TAG_MAX + 1)

// A piece of text, not zero-terminated.
typedef struct tag_text {
    const char *data;
    size_t length;
} tag_text;

static tag_text tag_text_of(const char *text)
{
    return (tag_text){text, strlen(text)};
}

// Messages --------------------------------------------------------------------

static kn_result tag_no_memory(kn_error *error)
{
    return kni_tag_fail(error, KN_ERROR_OUT_OF_MEMORY, 0, 0, "out of memory");
}

static kni_tag_quote tag_quoted(const char *name)
{
    return kni_tag_quoted(name, strlen(name));
}

static kn_result tag_check_name(const char *name, kn_error *error)
{
    return kni_tag_name_check(
        name != NULL ? name : "", name != NULL ? strlen(name) : 0, 0, 1, error);
}

// Lookup ----------------------------------------------------------------------

// The slot value of the tag, or of the redirect, with exactly this name; 0 when there is none. A
// name may be both: a redirect can hide a tag.
static uint32_t tag_lookup(const kni_tag_table *table, tag_text name, bool redirect)
{
    if (table->slot_count == 0 || name.length == 0 || name.length > KN_TAG_NAME_MAX) {
        return 0;
    }
    uint32_t hash = kni_tag_name_hash(name.data, name.length);
    uint32_t mask = table->slot_count - 1;
    for (uint32_t i = hash & mask; table->slots[i].value != 0; i = (i + 1) & mask) {
        uint32_t value = table->slots[i].value;
        if (table->slots[i].hash != hash || (value >= TAG_SLOT_REDIRECT) != redirect) {
            continue;
        }
        const char *other = redirect ? table->aliases[value - TAG_SLOT_REDIRECT].old_name
                                     : table->nodes[value - 1].name;
        if (kni_tag_name_equal(name.data, name.length, other)) {
            return value;
        }
    }
    return 0;
}

static kni_tag_alias *tag_alias_find(const kni_tag_table *table, tag_text name)
{
    uint32_t value = table->alias_count == 0 ? 0 : tag_lookup(table, name, true);
    return value == 0 ? NULL : &table->aliases[value - TAG_SLOT_REDIRECT];
}

// Replaces a name by the one its redirects end at. False when they form a circle.
static bool tag_follow(const kni_tag_table *table, tag_text *name)
{
    for (uint32_t steps = 0; steps <= table->alias_count; steps++) {
        const kni_tag_alias *alias = tag_alias_find(table, *name);
        if (alias == NULL) {
            return true;
        }
        *name = tag_text_of(alias->new_name);
    }
    return false;
}

uint32_t kni_tag_table_find(const kni_tag_table *table, const char *name, size_t length)
{
    tag_text text = {name, length};
    if (table->finished) {
        const kni_tag_alias *alias = tag_alias_find(table, text);
        return alias != NULL ? alias->target : tag_lookup(table, text, false);
    }
    return tag_follow(table, &text) ? tag_lookup(table, text, false) : 0;
}

static void tag_slot_insert(kni_tag_table *table, uint32_t hash, uint32_t value)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t i = hash & mask;
    while (table->slots[i].value != 0) {
        i = (i + 1) & mask;
    }
    table->slots[i] = (kni_tag_slot){hash, value};
    table->slots_used++;
}

static void tag_slots_rebuild(kni_tag_table *table)
{
    table->slots_used = 0;
    if (table->slot_count == 0) {
        return;
    }
    memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->nodes[i].name != NULL) {
            tag_slot_insert(table, table->nodes[i].name_hash, i + 1);
        }
    }
    for (uint32_t i = 0; i < table->alias_count; i++) {
        tag_slot_insert(table, table->aliases[i].old_hash, TAG_SLOT_REDIRECT + i);
    }
}

// Makes room for one more entry, with at least half of the slots free.
static bool tag_slots_reserve(kni_tag_table *table, kni_memory *memory)
{
    if (table->slots_used < table->slot_count / 2) {
        return true;
    }
    uint32_t count = table->slot_count == 0 ? 16 : table->slot_count * 2;
    kni_tag_slot *slots =
        kni_realloc(memory, table->slots, table->slot_count * sizeof *slots, count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    table->slots = slots;
    table->slot_count = count;
    tag_slots_rebuild(table);
    return true;
}

// Suggestions -----------------------------------------------------------------

// True for "Stun" and "Debuff.Stun" against "State.Debuff.Stun".
static bool tag_is_tail(tag_text name, tag_text tail)
{
    if (name.length <= tail.length || name.data[name.length - tail.length - 1] != '.') {
        return false;
    }
    return kni_tag_name_equal(tail.data, tail.length, &name.data[name.length - tail.length]);
}

const char *kni_tag_table_suggest(const kni_tag_table *table, const char *name, size_t length)
{
    if (length == 0 || length > KN_TAG_NAME_MAX) {
        return NULL;
    }
    tag_text wanted = {name, length};
    uint32_t same = tag_lookup(table, wanted, false);
    if (same != 0) {
        return table->nodes[same - 1].name;
    }
    uint32_t limit = 1 + (uint32_t)length / 5;
    limit = limit > 6 ? 6 : limit;
    const char *closest = NULL;
    const char *longer = NULL;
    for (uint32_t i = 0; i < table->count && limit > 0; i++) {
        if (table->nodes[i].name == NULL) {
            continue;
        }
        tag_text known = tag_text_of(table->nodes[i].name);
        uint32_t edits = kni_tag_edits(wanted.data, wanted.length, known.data, known.length, limit);
        if (edits <= limit && edits < known.length) {
            closest = known.data;
            limit = edits - 1; // a tie is won by the tag registered first
        }
        if (longer == NULL && tag_is_tail(known, wanted)) {
            longer = known.data;
        }
    }
    return closest != NULL ? closest : longer;
}

kn_result kni_tag_unknown(const kni_tag_table *table, const char *name, size_t length,
    uint32_t line, uint32_t column, kn_error *error)
{
    const char *near = error != NULL ? kni_tag_table_suggest(table, name, length) : NULL;
    if (near == NULL) {
        return kni_tag_fail(error, KN_ERROR_BAD_DATA, line, column,
            "tag `%s` is not registered; register it first", kni_tag_quoted(name, length).text);
    }
    return kni_tag_fail(error, KN_ERROR_BAD_DATA, line, column,
        "tag `%s` is not registered; did you mean `%s`?", kni_tag_quoted(name, length).text,
        tag_quoted(near).text);
}

// Growth ----------------------------------------------------------------------

static void tag_link(kni_tag_table *table, uint16_t tag)
{
    kni_tag_node *node = &table->nodes[tag - 1];
    kni_tag_node *parent = node->parent != 0 ? &table->nodes[node->parent - 1] : NULL;
    uint16_t *first = parent != NULL ? &parent->first_child : &table->first_root;
    uint16_t *last = parent != NULL ? &parent->last_child : &table->last_root;
    node->previous_sibling = *last;
    if (*last != 0) {
        table->nodes[*last - 1].next_sibling = tag;
    } else {
        *first = tag;
    }
    *last = tag;
}

static void tag_unlink(kni_tag_table *table, uint16_t tag)
{
    const kni_tag_node *node = &table->nodes[tag - 1];
    kni_tag_node *parent = node->parent != 0 ? &table->nodes[node->parent - 1] : NULL;
    uint16_t *first = parent != NULL ? &parent->first_child : &table->first_root;
    uint16_t *last = parent != NULL ? &parent->last_child : &table->last_root;
    uint16_t previous = node->previous_sibling, next = node->next_sibling;
    *(previous != 0 ? &table->nodes[previous - 1].next_sibling : first) = next;
    *(next != 0 ? &table->nodes[next - 1].previous_sibling : last) = previous;
}

// Adds one node. `name` is the full name; the parent exists already and its spelling is used.
static kn_result tag_node_add(
    kni_tag_table *table, kni_memory *memory, uint32_t parent, tag_text name, uint32_t *tag)
{
    if (table->count == KNI_TAG_MAX) {
        return KN_REFUSED_LIMIT;
    }
    uint32_t depth = parent != 0 ? table->nodes[parent - 1].depth + 1u : 1u;
    uint32_t chain = table->count != 0 ? table->chain_first[table->count] : 0;
    if (!kni_grow(
            memory, &table->nodes, &table->node_capacity, table->count + 1, sizeof *table->nodes) ||
        !kni_grow(memory, &table->chain_first, &table->chain_first_capacity, table->count + 2,
            sizeof *table->chain_first) ||
        !kni_grow(memory, &table->chains, &table->chains_capacity, chain + depth,
            sizeof *table->chains) ||
        !tag_slots_reserve(table, memory)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    char *copy = kni_realloc(memory, NULL, 0, name.length + 1);
    if (copy == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, name.data, name.length);
    copy[name.length] = '\0';
    uint32_t number = table->count + 1;
    table->chains[chain] = (uint16_t)number;
    if (parent != 0) {
        const char *parent_name = table->nodes[parent - 1].name;
        memcpy(copy, parent_name, strlen(parent_name));
        uint32_t count;
        const uint16_t *ancestors = kni_tag_chain(table, parent, &count);
        memcpy(&table->chains[chain + 1], ancestors, count * sizeof *ancestors);
    }
    table->chain_first[number - 1] = chain;
    table->chain_first[number] = chain + depth;
    table->nodes[number - 1] = (kni_tag_node){
        .name = copy,
        .name_hash = kni_tag_name_hash(name.data, name.length),
        .first_declaration = KNI_NONE,
        .last_declaration = KNI_NONE,
        .owner = KNI_NONE,
        .parent = (uint16_t)parent,
        .depth = (uint8_t)depth,
    };
    table->count = number;
    tag_link(table, (uint16_t)number);
    tag_slot_insert(table, table->nodes[number - 1].name_hash, number);
    *tag = number;
    return KN_OK;
}

// Adds a well-formed name with all missing parents, or finds it. The caller rolls back on failure.
static kn_result tag_path_add(
    kni_tag_table *table, kni_memory *memory, tag_text name, uint32_t *tag)
{
    *tag = tag_lookup(table, name, false);
    if (*tag != 0) {
        return KN_OK;
    }
    uint32_t parent = 0;
    for (size_t i = 1; i <= name.length; i++) {
        if (i < name.length && name.data[i] != '.') {
            continue;
        }
        tag_text path = {name.data, i};
        uint32_t node = tag_lookup(table, path, false);
        if (node == 0) {
            kn_result result = tag_node_add(table, memory, parent, path, &node);
            if (result != KN_OK) {
                return result;
            }
        }
        parent = node;
    }
    *tag = parent;
    return KN_OK;
}

// Index of a source; KNI_NONE for NULL, an empty name or an unknown source.
static uint32_t tag_source_find(const kni_tag_table *table, const char *source)
{
    // Backwards: tags of one source are usually registered together.
    for (uint32_t i = table->source_count; source != NULL && i-- > 0;) {
        if (strcmp(table->sources[i], source) == 0) {
            return i;
        }
    }
    return KNI_NONE;
}

static bool tag_source_add(
    kni_tag_table *table, kni_memory *memory, const char *source, uint32_t *index)
{
    *index = tag_source_find(table, source);
    if (*index != KNI_NONE || source == NULL || source[0] == '\0') {
        return true;
    }
    if (!kni_grow(memory, &table->sources, &table->source_capacity, table->source_count + 1,
            sizeof *table->sources)) {
        return false;
    }
    char *copy = kni_strdup(memory, source);
    if (copy == NULL) {
        return false;
    }
    *index = table->source_count;
    table->sources[table->source_count++] = copy;
    return true;
}

static const char *tag_source_name(const kni_tag_table *table, uint32_t source)
{
    return source == KNI_NONE ? "" : table->sources[source];
}

static void tag_declaration_link(kni_tag_table *table, uint32_t index)
{
    kni_tag_declaration *declaration = &table->declarations[index];
    kni_tag_node *node = &table->nodes[declaration->tag - 1];
    declaration->previous = node->last_declaration;
    declaration->next = KNI_NONE;
    if (node->last_declaration == KNI_NONE) {
        node->first_declaration = index;
    } else {
        table->declarations[node->last_declaration].next = index;
    }
    node->last_declaration = index;
}

// Records that a source declares a tag. Changes nothing when out of memory.
static bool tag_declare(
    kni_tag_table *table, kni_memory *memory, uint32_t tag, uint32_t source, const char *comment)
{
    if (comment != NULL && comment[0] == '\0') {
        comment = NULL;
    }
    uint32_t index = table->nodes[tag - 1].first_declaration;
    while (index != KNI_NONE && table->declarations[index].source != source) {
        index = table->declarations[index].next;
    }
    bool is_new = index == KNI_NONE;
    if (!is_new && (comment == NULL || table->declarations[index].comment != NULL)) {
        return true; // the first comment is kept
    }
    if (is_new && !kni_grow(memory, &table->declarations, &table->declaration_capacity,
                      table->declaration_count + 1, sizeof *table->declarations)) {
        return false;
    }
    char *copy = comment != NULL ? kni_strdup(memory, comment) : NULL;
    if (comment != NULL && copy == NULL) {
        return false;
    }
    if (is_new) {
        index = table->declaration_count++;
        table->declarations[index] = (kni_tag_declaration){.tag = tag, .source = source};
        tag_declaration_link(table, index);
    }
    table->declarations[index].comment = copy;
    return true;
}

kni_tag_mark kni_tag_table_mark(const kni_tag_table *table)
{
    return (kni_tag_mark){table->count, table->declaration_count, table->source_count};
}

void kni_tag_table_rollback(kni_tag_table *table, kni_memory *memory, kni_tag_mark mark)
{
    // Newest first, so that each is the last of its lists.
    while (table->declaration_count > mark.declaration_count) {
        kni_tag_declaration *last = &table->declarations[--table->declaration_count];
        kni_tag_node *node = &table->nodes[last->tag - 1];
        node->last_declaration = last->previous;
        if (last->previous == KNI_NONE) {
            node->first_declaration = KNI_NONE;
        } else {
            table->declarations[last->previous].next = KNI_NONE;
        }
        kni_strfree(memory, last->comment);
    }
    bool shrinks = table->count > mark.count;
    while (table->count > mark.count) {
        tag_unlink(table, (uint16_t)table->count);
        table->count--;
        kni_strfree(memory, table->nodes[table->count].name);
    }
    if (shrinks) {
        tag_slots_rebuild(table);
    }
    while (table->source_count > mark.source_count) {
        kni_strfree(memory, table->sources[--table->source_count]);
    }
}

// Registration ----------------------------------------------------------------

static kn_result tag_cycle(tag_text name, const char *next, kn_error *error)
{
    return kni_tag_fail(error, KN_ERROR_BAD_DATA, 0, 0,
        "redirects of `%s` and `%s` form a cycle; let one of them end at a registered tag",
        kni_tag_quoted(name.data, name.length).text, tag_quoted(next).text);
}

// The name that a well-formed one leads to by redirects, before the library is finished.
static kn_result tag_resolve(const kni_tag_table *table, tag_text *name, kn_error *error)
{
    tag_text end = *name;
    if (!tag_follow(table, &end)) {
        // After this many steps the name is one of the circle itself.
        return tag_cycle(end, tag_alias_find(table, end)->new_name, error);
    }
    *name = end;
    return KN_OK;
}

// A restricted tag, or one below it, may be declared only by its owner.
static kn_result tag_check_owner(
    const kni_tag_table *table, tag_text name, const char *source, kn_error *error)
{
    uint32_t index = tag_source_find(table, source);
    for (size_t i = 1; i <= name.length; i++) {
        if (i < name.length && name.data[i] != '.') {
            continue;
        }
        uint32_t tag = tag_lookup(table, (tag_text){name.data, i}, false);
        if (tag == 0) {
            break;
        }
        const kni_tag_node *node = &table->nodes[tag - 1];
        if ((node->flags & KNI_TAG_RESTRICTED) != 0 && node->owner != index) {
            return kni_tag_fail(error, KN_ERROR_BAD_DATA, 0, 0,
                "tag `%s` cannot be declared here: `%s` is restricted to `%s`",
                kni_tag_quoted(name.data, name.length).text, tag_quoted(node->name).text,
                tag_quoted(tag_source_name(table, node->owner)).text);
        }
    }
    return KN_OK;
}

// A tag can be restricted to a source only if no other source declares it or a tag below it.
static kn_result tag_check_restriction(
    const kni_tag_table *table, tag_text name, const char *source, kn_error *error)
{
    if (source == NULL || source[0] == '\0') {
        return kni_tag_fail(error, KN_ERROR_BAD_DATA, 0, 0,
            "tag `%s` is restricted, but has no source to be restricted to",
            kni_tag_quoted(name.data, name.length).text);
    }
    uint32_t tag = tag_lookup(table, name, false);
    uint32_t index = tag_source_find(table, source);
    for (uint32_t i = 0; tag != 0 && i < table->declaration_count; i++) {
        const kni_tag_declaration *declaration = &table->declarations[i];
        bool is_own = index != KNI_NONE && declaration->source == index;
        if (is_own || !kni_tag_matches_chain(table, declaration->tag, tag)) {
            continue;
        }
        return kni_tag_fail(error, KN_ERROR_BAD_DATA, 0, 0,
            "tag `%s` cannot be restricted to `%s`: `%s` is also declared by `%s`",
            kni_tag_quoted(name.data, name.length).text, tag_quoted(source).text,
            tag_quoted(table->nodes[declaration->tag - 1].name).text,
            tag_quoted(tag_source_name(table, declaration->source)).text);
    }
    return KN_OK;
}

// Declares one tag. The caller rolls back on failure.
static kn_result tag_register(
    kni_tag_table *table, kni_memory *memory, const kn_tag_def *def, uint32_t *tag, kn_error *error)
{
    kn_result result = tag_check_name(def->name, error);
    if (result != KN_OK) {
        return result;
    }
    tag_text name = tag_text_of(def->name);
    result = tag_resolve(table, &name, error);
    if (result == KN_OK) {
        result = tag_check_owner(table, name, def->source, error);
    }
    if (result == KN_OK && def->restricted) {
        result = tag_check_restriction(table, name, def->source, error);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t source;
    if (!tag_source_add(table, memory, def->source, &source)) {
        return tag_no_memory(error);
    }
    result = tag_path_add(table, memory, name, tag);
    if (result == KN_REFUSED_LIMIT) {
        return kni_tag_fail(error, result, 0, 0, "tag `%s` is one too many: the limit is %u",
            kni_tag_quoted(name.data, name.length).text, KNI_TAG_MAX);
    }
    if (result != KN_OK || !tag_declare(table, memory, *tag, source, def->comment)) {
        return tag_no_memory(error);
    }
    if (def->restricted) {
        table->nodes[*tag - 1].flags |= KNI_TAG_RESTRICTED;
        table->nodes[*tag - 1].owner = source;
    }
    return KN_OK;
}

static kn_result tag_locked(kn_error *error)
{
    return kni_tag_fail(error, KN_ERROR_WORLD_LOCKED, 0, 0,
        "the library is finished; tags can no longer be registered");
}

kn_tag_def kn_tag_def_default(void)
{
    return (kn_tag_def){.cookie = TAG_DEF_COOKIE};
}

kn_result kn_tag_register(kn_library *library, const kn_tag_def *def, kn_tag *tag, kn_error *error)
{
    if (tag != NULL) {
        *tag = (kn_tag){0};
    }
    kni_tag_error_clear(error);
    KN_ASSERT(library != NULL && def != NULL && def->cookie == TAG_DEF_COOKIE);
    if (library == NULL || def == NULL || def->cookie != TAG_DEF_COOKIE) {
        return kni_tag_fail(
            error, KN_ERROR_INVALID_ARGUMENT, 0, 0, "start a tag def from kn_tag_def_default()");
    }
    kni_tag_table *table = kni_library_tags(library);
    if (table->finished) {
        return tag_locked(error);
    }
    kni_tag_mark mark = kni_tag_table_mark(table);
    uint32_t number = 0;
    kn_result result = tag_register(table, kni_library_memory(library), def, &number, error);
    if (result != KN_OK) {
        kni_tag_table_rollback(table, kni_library_memory(library), mark);
        return result;
    }
    if (tag != NULL) {
        tag->index1 = number;
    }
    return KN_OK;
}

kn_result kn_tag_register_module(kn_library *library, const char *module, const char *const *names,
    uint32_t count, kn_tag *tags, kn_error *error)
{
    if (tags != NULL && count > 0) {
        memset(tags, 0, count * sizeof *tags);
    }
    kni_tag_error_clear(error);
    bool is_good =
        library != NULL && module != NULL && module[0] != '\0' && (names != NULL || count == 0);
    KN_ASSERT(is_good);
    if (!is_good) {
        return kni_tag_fail(error, KN_ERROR_INVALID_ARGUMENT, 0, 0,
            "a library, the name of the module and the names of its tags are needed");
    }
    kni_tag_table *table = kni_library_tags(library);
    kni_memory *memory = kni_library_memory(library);
    if (table->finished) {
        return tag_locked(error);
    }
    kni_tag_mark mark = kni_tag_table_mark(table);
    for (uint32_t i = 0; i < count; i++) {
        kn_tag_def def = kn_tag_def_default();
        def.name = names[i];
        def.source = module;
        uint32_t tag = 0;
        kn_result result = tag_register(table, memory, &def, &tag, error);
        if (result != KN_OK) {
            if (tags != NULL) {
                memset(tags, 0, count * sizeof *tags);
            }
            kni_tag_table_rollback(table, memory, mark);
            return result;
        }
        if (tags != NULL) {
            tags[i].index1 = tag;
        }
    }
    return KN_OK;
}

kn_result kni_tag_table_keep(kni_tag_table *table, kni_memory *memory, const char *name,
    size_t length, uint32_t line, uint32_t column, uint32_t *tag, kn_error *error)
{
    *tag = 0;
    tag_text text = {name, length};
    kn_result result = tag_resolve(table, &text, error);
    if (result != KN_OK) {
        return result;
    }
    if (table->finished) {
        return kni_tag_fail(error, KN_ERROR_WORLD_LOCKED, line, column,
            "tag `%s` is not registered and cannot be kept: the library is finished",
            kni_tag_quoted(name, length).text);
    }
    kni_tag_mark mark = kni_tag_table_mark(table);
    result = tag_path_add(table, memory, text, tag);
    if (result != KN_OK) {
        *tag = 0;
        kni_tag_table_rollback(table, memory, mark);
        return result == KN_REFUSED_LIMIT ? kni_tag_fail(error, result, line, column,
                                                "too many tags: the limit is %u", KNI_TAG_MAX)
                                          : tag_no_memory(error);
    }
    table->nodes[*tag - 1].flags |= KNI_TAG_KEPT;
    return KN_OK;
}

// Removes the declarations of one source and rebuilds the lists.
static void tag_forget_source(kni_tag_table *table, kni_memory *memory, uint32_t source)
{
    for (uint32_t i = 0; i < table->count; i++) {
        kni_tag_node *node = &table->nodes[i];
        node->first_declaration = node->last_declaration = KNI_NONE;
        if (node->owner == source) {
            node->owner = KNI_NONE;
            node->flags &= (uint8_t)~KNI_TAG_RESTRICTED;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->declaration_count; i++) {
        if (table->declarations[i].source == source) {
            kni_strfree(memory, table->declarations[i].comment);
            continue;
        }
        table->declarations[kept] = table->declarations[i];
        tag_declaration_link(table, kept++);
    }
    table->declaration_count = kept;
}

static void tag_bury(kni_tag_table *table, kni_memory *memory, uint32_t tag)
{
    kni_tag_node *node = &table->nodes[tag - 1];
    tag_unlink(table, (uint16_t)tag);
    kni_strfree(memory, node->name);
    node->name = NULL;
    node->flags = KNI_TAG_UNREGISTERED;
    node->parent = node->previous_sibling = node->next_sibling = 0;
}

static void tag_common_compact(kni_tag_table *table)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->common_count; i++) {
        uint16_t tag = table->common[i];
        table->nodes[tag - 1].common1 = 0;
        if (table->nodes[tag - 1].name != NULL) {
            table->common[kept++] = tag;
            table->nodes[tag - 1].common1 = (uint16_t)kept;
        }
    }
    table->common_count = kept;
}

kn_result kn_tag_unregister_module(kn_library *library, const char *module)
{
    bool is_good = library != NULL && module != NULL && module[0] != '\0';
    KN_ASSERT(is_good);
    if (!is_good) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kni_tag_table *table = kni_library_tags(library);
    kni_memory *memory = kni_library_memory(library);
    if (table->finished) {
        return KN_ERROR_WORLD_LOCKED;
    }
    uint32_t source = tag_source_find(table, module);
    if (source == KNI_NONE) {
        return KN_REFUSED_NOT_FOUND;
    }
    uint32_t before = table->declaration_count;
    tag_forget_source(table, memory, source);
    if (table->declaration_count == before) {
        return KN_REFUSED_NOT_FOUND;
    }
    kni_library_count_uses(library); // temporary: the library counts again when it is finished
    // Children have higher numbers, so a parent is visited after it lost its last child.
    for (uint32_t tag = table->count; tag > 0; tag--) {
        kni_tag_node *node = &table->nodes[tag - 1];
        if (node->name == NULL || node->first_declaration != KNI_NONE || node->first_child != 0 ||
            (node->flags & KNI_TAG_KEPT) != 0) {
            continue;
        }
        if (node->uses > 0) {
            node->flags |= KNI_TAG_KEPT; // defs use it: undeclared, but not removed
        } else {
            tag_bury(table, memory, tag);
        }
    }
    for (uint32_t i = 0; i < table->count; i++) {
        table->nodes[i].uses = 0;
    }
    tag_slots_rebuild(table);
    tag_common_compact(table);
    return KN_OK;
}

kn_result kn_tag_redirect(
    kn_library *library, const char *old_name, const char *new_name, kn_error *error)
{
    kni_tag_error_clear(error);
    KN_ASSERT(library != NULL);
    if (library == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kni_tag_table *table = kni_library_tags(library);
    kni_memory *memory = kni_library_memory(library);
    if (table->finished) {
        return tag_locked(error);
    }
    kn_result result = tag_check_name(old_name, error);
    if (result == KN_OK) {
        result = tag_check_name(new_name, error);
    }
    if (result != KN_OK) {
        return result;
    }
    tag_text old_text = tag_text_of(old_name);
    if (kni_tag_name_equal(old_text.data, old_text.length, new_name)) {
        return kni_tag_fail(error, KN_ERROR_BAD_DATA, 0, 0,
            "tag `%s` cannot be redirected to itself, `%s`; upper and lower case are the same",
            tag_quoted(old_name).text, tag_quoted(new_name).text);
    }
    kni_tag_alias *alias = tag_alias_find(table, old_text);
    if (alias == NULL && table->alias_count == TAG_REDIRECT_MAX) {
        return kni_tag_fail(error, KN_REFUSED_LIMIT, 0, 0,
            "too many tag redirects: the limit is %u", TAG_REDIRECT_MAX);
    }
    char *new_copy = kni_strdup(memory, new_name);
    if (new_copy == NULL) {
        return tag_no_memory(error);
    }
    if (alias != NULL) { // the latest redirect replaces an earlier one; this can also break a cycle
        kni_strfree(memory, alias->new_name);
        alias->new_name = new_copy;
        return KN_OK;
    }
    char *old_copy = kni_strdup(memory, old_name);
    if (old_copy == NULL ||
        !kni_grow(memory, &table->aliases, &table->alias_capacity, table->alias_count + 1,
            sizeof *table->aliases) ||
        table->aliases == NULL || !tag_slots_reserve(table, memory)) {
        kni_strfree(memory, old_copy);
        kni_strfree(memory, new_copy);
        return tag_no_memory(error);
    }
    uint32_t index = table->alias_count++;
    table->aliases[index] = (kni_tag_alias){.old_name = old_copy,
        .new_name = new_copy,
        .old_hash = kni_tag_name_hash(old_text.data, old_text.length)};
    tag_slot_insert(table, table->aliases[index].old_hash, TAG_SLOT_REDIRECT + index);
    return KN_OK;
}

bool kn_tag_redirect_at(
    const kn_library *library, uint32_t index, const char **old_name, const char **new_name)
{
    const kni_tag_table *table = kni_library_tags_const(library);
    bool is_there = index < table->alias_count;
    *old_name = is_there ? table->aliases[index].old_name : "";
    *new_name = is_there ? table->aliases[index].new_name : "";
    return is_there;
}

// The table as a whole --------------------------------------------------------

void kni_tag_table_init(kni_tag_table *table)
{
    *table = (kni_tag_table){0};
}

void kni_tag_table_free(kni_tag_table *table, kni_memory *memory)
{
    for (uint32_t i = 0; i < table->count; i++) {
        kni_strfree(memory, table->nodes[i].name);
    }
    for (uint32_t i = 0; i < table->declaration_count; i++) {
        kni_strfree(memory, table->declarations[i].comment);
    }
    for (uint32_t i = 0; i < table->source_count; i++) {
        kni_strfree(memory, table->sources[i]);
    }
    for (uint32_t i = 0; i < table->alias_count; i++) {
        kni_strfree(memory, table->aliases[i].old_name);
        kni_strfree(memory, table->aliases[i].new_name);
    }
    kni_free(memory, table->nodes, table->node_capacity * sizeof *table->nodes);
    kni_free(memory, table->chains, table->chains_capacity * sizeof *table->chains);
    kni_free(memory, table->chain_first, table->chain_first_capacity * sizeof *table->chain_first);
    kni_free(
        memory, table->declarations, table->declaration_capacity * sizeof *table->declarations);
    kni_free(memory, table->sources, table->source_capacity * sizeof *table->sources);
    kni_free(memory, table->aliases, table->alias_capacity * sizeof *table->aliases);
    kni_free(memory, table->common, table->common_capacity * sizeof *table->common);
    kni_free(memory, table->slots, table->slot_count * sizeof *table->slots);
    kni_free(memory, table->ranges, table->range_capacity * sizeof *table->ranges);
    *table = (kni_tag_table){0};
}

// Resolves redirect number `start` and every redirect on its path. `visit` is start + 1 for those
// on the path.
static kn_result tag_alias_resolve(kni_tag_table *table, uint32_t start, kn_error *error)
{
    kni_tag_alias *alias = &table->aliases[start];
    const kni_tag_alias *last = NULL;
    while (alias != NULL && alias->visit == 0) {
        alias->visit = start + 1;
        last = alias;
        alias = tag_alias_find(table, tag_text_of(alias->new_name));
    }
    uint32_t target;
    if (alias == NULL) {
        tag_text end = tag_text_of(last->new_name);
        target = tag_lookup(table, end, false);
        if (target == 0) {
            const char *near = kni_tag_table_suggest(table, end.data, end.length);
            return kni_tag_fail(error, KN_ERROR_BAD_DATA, 0, 0,
                "tag `%s` is redirected to `%s`, which is not registered%s%s%s",
                tag_quoted(last->old_name).text, tag_quoted(end.data).text,
                near != NULL ? "; did you mean `" : "", near != NULL ? tag_quoted(near).text : "",
                near != NULL ? "`?" : "");
        }
    } else if (alias->visit == start + 1) {
        return tag_cycle(tag_text_of(alias->old_name), alias->new_name, error);
    } else {
        target = alias->target;
    }
    for (alias = &table->aliases[start]; alias != NULL && alias->visit == start + 1;) {
        alias->target = target;
        alias->visit = KNI_NONE;
        alias = tag_alias_find(table, tag_text_of(alias->new_name));
    }
    return KN_OK;
}

static void tag_number_tree(const kni_tag_table *table, kni_tag_range *ranges)
{
    memset(ranges, 0, (table->count + 1) * sizeof *ranges);
    uint32_t number = 1;
    uint32_t tag = table->first_root;
    while (tag != 0) {
        const kni_tag_node *node = &table->nodes[tag - 1];
        ranges[tag].enter = number++;
        if (node->first_child != 0) {
            tag = node->first_child;
            continue;
        }
        // Go up until there is a sibling; after the last root, the walk is over.
        while (tag != 0) {
            ranges[tag].exit = number;
            node = &table->nodes[tag - 1];
            if (node->next_sibling != 0) {
                tag = node->next_sibling;
                break;
            }
            tag = node->parent;
        }
    }
}

kn_result kni_tag_table_finish(kni_tag_table *table, kni_memory *memory, kn_error *error)
{
    if (table->finished) {
        return KN_OK;
    }
    for (uint32_t i = 0; i < table->alias_count; i++) {
        table->aliases[i].visit = 0;
    }
    for (uint32_t i = 0; i < table->alias_count; i++) {
        if (table->aliases[i].visit != 0) {
            continue;
        }
        kn_result result = tag_alias_resolve(table, i, error);
        if (result != KN_OK) {
            return result;
        }
    }
    if (!kni_grow(memory, &table->ranges, &table->range_capacity, table->count + 1,
            sizeof *table->ranges)) {
        return tag_no_memory(error);
    }
    tag_number_tree(table, table->ranges);
    table->finished = true;
    return KN_OK;
}

uint64_t kni_tag_table_hash(const kni_tag_table *table)
{
    kni_hash hash = kni_hash_begin(0);
    kni_hash_u32(&hash, table->count);
    for (uint32_t i = 0; i < table->count; i++) {
        kni_hash_str(&hash, table->nodes[i].name != NULL ? table->nodes[i].name : "");
    }
    // Common tags are sent by their index in this list, so both sides must agree on it.
    kni_hash_u32(&hash, table->common_count);
    for (uint32_t i = 0; i < table->common_count; i++) {
        kni_hash_u32(&hash, table->common[i]);
    }
    return kni_hash_end(&hash);
}

void kni_tag_count_use(kni_tag_table *table, uint32_t tag)
{
    if (kni_tag_is_live(table, tag) && table->nodes[tag - 1].uses < UINT32_MAX) {
        table->nodes[tag - 1].uses++;
    }
}

// Queries of the registry -----------------------------------------------------

static const kni_tag_node *tag_node(const kn_library *library, kn_tag tag)
{
    KN_ASSERT(library != NULL);
    if (library == NULL) {
        return NULL;
    }
    const kni_tag_table *table = kni_library_tags_const(library);
    return kni_tag_is_live(table, tag.index1) ? &table->nodes[tag.index1 - 1] : NULL;
}

kn_tag kn_tag_find(const kn_library *library, const char *name)
{
    KN_ASSERT(library != NULL);
    if (library == NULL || name == NULL) {
        return (kn_tag){0};
    }
    return (kn_tag){kni_find_expected(library, KN_DEF_TAG, name)};
}

const char *kn_tag_suggest(const kn_library *library, const char *name)
{
    KN_ASSERT(library != NULL);
    if (library == NULL || name == NULL) {
        return NULL;
    }
    return kni_tag_table_suggest(kni_library_tags_const(library), name, strlen(name));
}

uint32_t kn_tag_count(const kn_library *library)
{
    KN_ASSERT(library != NULL);
    return library != NULL ? kni_library_tags_const(library)->count : 0;
}

const char *kn_tag_name(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    return node != NULL ? node->name : "";
}

const char *kn_tag_comment(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    if (node == NULL) {
        return "";
    }
    const kni_tag_table *table = kni_library_tags_const(library);
    for (uint32_t i = node->first_declaration; i != KNI_NONE; i = table->declarations[i].next) {
        if (table->declarations[i].comment != NULL) {
            return table->declarations[i].comment;
        }
    }
    return "";
}

const char *kn_tag_source(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    if (node == NULL) {
        return "";
    }
    const kni_tag_table *table = kni_library_tags_const(library);
    for (uint32_t i = node->first_declaration; i != KNI_NONE; i = table->declarations[i].next) {
        if (table->declarations[i].source != KNI_NONE) {
            return table->sources[table->declarations[i].source];
        }
    }
    return "";
}

bool kn_tag_is_restricted(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    return node != NULL && (node->flags & KNI_TAG_RESTRICTED) != 0;
}

kn_tag kn_tag_parent(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    return (kn_tag){node != NULL ? node->parent : 0};
}

kn_tag kn_tag_first_child(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    return (kn_tag){node != NULL ? node->first_child : 0};
}

kn_tag kn_tag_next_sibling(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    return (kn_tag){node != NULL ? node->next_sibling : 0};
}

uint32_t kn_tag_depth(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    return node != NULL ? node->depth : 0;
}

bool kn_tag_matches(const kn_library *library, kn_tag tag, kn_tag ancestor)
{
    KN_ASSERT(library != NULL);
    return library != NULL &&
           kni_tag_matches(kni_library_tags_const(library), tag.index1, ancestor.index1);
}

uint32_t kn_tag_uses(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    return node != NULL ? node->uses : 0;
}

static void tag_common_clear(kni_tag_table *table)
{
    for (uint32_t i = 0; i < table->common_count; i++) {
        table->nodes[table->common[i] - 1].common1 = 0;
    }
    table->common_count = 0;
}

static bool tag_has_twins(const kn_tag *tags, uint32_t count)
{
    uint64_t seen[(KNI_TAG_MAX + 1) / 64] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bit = UINT64_C(1) << tags[i].index1 % 64;
        if ((seen[tags[i].index1 / 64] & bit) != 0) {
            return true;
        }
        seen[tags[i].index1 / 64] |= bit;
    }
    return false;
}

kn_result kn_tag_set_common(kn_library *library, const kn_tag *tags, uint32_t count)
{
    bool is_good = library != NULL && (tags != NULL || count == 0);
    KN_ASSERT(is_good);
    if (!is_good) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kni_tag_table *table = kni_library_tags(library);
    if (table->finished) {
        return KN_ERROR_WORLD_LOCKED;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!kni_tag_is_live(table, tags[i].index1)) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
    }
    if (tag_has_twins(tags, count)) {
        return KN_REFUSED_DUPLICATE;
    }
    if (!kni_grow(kni_library_memory(library), &table->common, &table->common_capacity, count,
            sizeof *table->common)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    tag_common_clear(table);
    for (uint32_t i = 0; i < count; i++) {
        table->common[i] = (uint16_t)tags[i].index1;
        table->nodes[tags[i].index1 - 1].common1 = (uint16_t)(i + 1);
    }
    table->common_count = count;
    return KN_OK;
}

uint32_t kn_tag_common_index(const kn_library *library, kn_tag tag)
{
    const kni_tag_node *node = tag_node(library, tag);
    return node != NULL && node->common1 != 0 ? node->common1 - 1u : UINT32_MAX;
}

uint64_t kn_tag_table_hash(const kn_library *library)
{
    KN_ASSERT(library != NULL);
    return library != NULL ? kni_tag_table_hash(kni_library_tags_const(library)) : 0;
}
