// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The sections of a file. Those that define things make entries; the others are read here.

#include "lint.h"
#include "loader.h"
#include "shapes.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static bool is_mapping(kni_loader *loader, kni_node node)
{
    if (kni_node_kind_of(node) == KNI_NODE_MAPPING) {
        return true;
    }
    if (!kni_node_is_null(node)) {
        kni_loader_node_error(
            loader, node, "expected a mapping, but this is %s", kni_node_kind_name(node));
    }
    return false;
}

// For calls that give no sentence of their own.
static void role_told(kni_loader *loader, kn_result result, kni_node node, const char *sentence)
{
    kn_error error = {.code = result};
    (void)snprintf(error.message, sizeof(error.message), "%s", sentence);
    (void)kni_loader_node_reported(loader, result, node, &error);
}

static void unknown_key(
    kni_loader *loader, kni_node node, const char *const *known, uint32_t count, const char *what)
{
    kni_place place = kni_node_key_place(node);
    kni_hint hint = kni_report_hint(known, count, kni_node_key(node));
    kni_loader_error(loader, &place, "there is no %s `%s`%s", what, kni_node_key(node), hint.text);
}

// Tags ----------------------------------------------------------------------

static void tag_register(kni_loader *loader, const kn_tag_def *def, const kni_place *place)
{
    kn_tag tag;
    kn_error error;
    kn_result result = kn_tag_register(loader->library, def, &tag, &error);
    if (result != KN_REFUSED_LIMIT || !loader->tags_are_full) { // once is enough
        (void)kni_loader_reported(loader, result, place, &error);
    }
    loader->tags_are_full |= result == KN_REFUSED_LIMIT;
}

// A comment, or a mapping of what there is to say about a tag.
static void read_tag(kni_loader *loader, kni_node node, const char *name, const char *source)
{
    static const char *const keys[] = {"comment", "source", "restricted"};
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    def.source = source;
    kn_error error;
    bool ok = true;
    if (kni_node_kind_of(node) == KNI_NODE_MAPPING) {
        kni_children children = kni_node_children(node);
        for (kni_node child; kni_children_next(&children, &child);) {
            const char *key = kni_node_key(child);
            if (strcmp(key, "comment") == 0) {
                ok &= kni_read_text(loader, child, &def.comment);
            } else if (strcmp(key, "source") == 0) {
                ok &= kni_read_text(loader, child, &def.source);
            } else if (strcmp(key, "restricted") == 0) {
                ok &= kni_loader_node_reported(
                    loader, kni_node_bool(child, &def.restricted, &error), child, &error);
            } else {
                unknown_key(loader, child, keys, 3, "field");
                ok = false;
            }
        }
    } else if (kni_node_exists(node) && !kni_node_is_null(node)) {
        ok = kni_read_text(loader, node, &def.comment);
    }
    if (ok) {
        kni_place place = kni_node_key_place(node);
        tag_register(loader, &def, &place);
    }
}

static void read_tag_mapping(kni_loader *loader, kni_node node, const char *source)
{
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        read_tag(loader, child, kni_node_key(child), source);
    }
}

static void read_tag_name(kni_loader *loader, kni_node node, const char *source)
{
    kn_tag_def def = kn_tag_def_default();
    def.source = source;
    if (kni_read_text(loader, node, &def.name)) {
        kni_place place = kni_node_place(node);
        tag_register(loader, &def, &place);
    }
}

// A list of names, or a mapping from names to comments; lists may hold such mappings.
static void read_tags(kni_loader *loader, kni_node node)
{
    kni_node module = kni_node_get(kni_document_root(node.document), "module");
    const char *source = kni_node_exists(module) && !kni_node_is_null(module)
                             ? kni_node_scalar(module).text
                             : kni_document_file(node.document);
    if (kni_node_kind_of(node) == KNI_NODE_SEQUENCE) {
        kni_children children = kni_node_children(node);
        for (kni_node child; kni_children_next(&children, &child);) {
            if (kni_node_kind_of(child) == KNI_NODE_MAPPING) {
                read_tag_mapping(loader, child, source);
            } else {
                read_tag_name(loader, child, source);
            }
        }
    } else if (is_mapping(loader, node)) {
        read_tag_mapping(loader, node, source);
    }
}

static void read_redirect_list(kni_loader *loader, kni_node node, bool of_tags)
{
    if (!is_mapping(loader, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *to;
        kn_error error;
        if (kni_read_text(loader, child, &to)) {
            const char *from = kni_node_key(child);
            (void)kni_loader_node_reported(loader,
                of_tags ? kn_tag_redirect(loader->library, from, to, &error)
                        : kn_attribute_redirect(loader->library, from, to, &error),
                child, &error);
        }
    }
}

static void read_redirects(kni_loader *loader, kni_node node)
{
    static const char *const keys[] = {"tags", "attributes"};
    kni_children children = kni_node_children(node);
    if (!is_mapping(loader, node)) {
        return;
    }
    for (kni_node child; kni_children_next(&children, &child);) {
        bool of_tags = strcmp(kni_node_key(child), "tags") == 0;
        if (!of_tags && strcmp(kni_node_key(child), "attributes") != 0) {
            unknown_key(loader, child, keys, 2, "kind of redirects");
            continue;
        }
        read_redirect_list(loader, child, of_tags);
    }
}

static void read_common_tags(kni_loader *loader, kni_node node)
{
    kni_arena_mark mark = kni_arena_here(&loader->arena);
    kn_tags tags = {0};
    if (kni_node_kind_of(node) == KNI_NODE_MAPPING) { // there is nothing to add to
        kni_loader_node_error(loader, node, "expected a list of tags, but this is a mapping");
    } else if (kni_read_tags(loader, node, &tags)) {
        role_told(loader, kn_tag_set_common(loader->library, tags.data, tags.count), node,
            "these tags cannot be the common tags");
    }
    kni_arena_release(&loader->arena, mark);
}

static void read_names(kni_loader *loader, kni_node node)
{
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE && !kni_node_is_null(node)) {
        kni_loader_node_error(
            loader, node, "expected a list of names, but this is %s", kni_node_kind_name(node));
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *text;
        uint32_t index1;
        if (kni_read_text(loader, child, &text)) {
            (void)kni_loader_resolve(loader, KN_DEF_NAME, child, text, false, &index1);
        }
    }
}

// Settings ------------------------------------------------------------------

static bool read_tag_ref(kni_loader *loader, kni_node node, kn_tag *tag)
{
    const char *name;
    return kni_read_text(loader, node, &name) &&
           kni_loader_resolve(loader, KN_DEF_TAG, node, name, false, &tag->index1);
}

static void read_fail_tags(kni_loader *loader, kni_node node)
{
    kn_error error;
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR) {
        const char *word = kni_node_scalar(node).text;
        if (strcmp(word, "standard") != 0) {
            kni_loader_node_error(
                loader, node, "expected `standard`, or a mapping from reasons to tags");
            return;
        }
        (void)kni_loader_node_reported(
            loader, kn_ability_fail_tags_register(loader->library, &error), node, &error);
        return;
    }
    if (!is_mapping(loader, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *words[KN_FAIL_COUNT];
        uint32_t reason = KN_FAIL_COUNT;
        for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
            words[i] = kn_fail_name((kn_fail)(1 << i));
            reason = strcmp(words[i], kni_node_key(child)) == 0 ? i : reason;
        }
        kn_tag tag = {0};
        if (reason == KN_FAIL_COUNT) {
            unknown_key(loader, child, words, KN_FAIL_COUNT, "reason");
        } else if (read_tag_ref(loader, child, &tag)) {
            role_told(loader, kn_ability_fail_tag_set(loader->library, (kn_fail)(1 << reason), tag),
                child, "this tag cannot be used for a reason");
        }
    }
}

static void read_settings(kni_loader *loader, kni_node node)
{
    static const char *const keys[] = {"fail_tags", "dead_tag", "cue_root"};
    if (!is_mapping(loader, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *key = kni_node_key(child);
        bool is_dead_tag = strcmp(key, "dead_tag") == 0;
        kn_tag tag = {0};
        if (strcmp(key, "fail_tags") == 0) {
            read_fail_tags(loader, child);
        } else if (!is_dead_tag && strcmp(key, "cue_root") != 0) {
            unknown_key(loader, child, keys, 3, "setting");
        } else if (read_tag_ref(loader, child, &tag)) {
            kn_result result = is_dead_tag ? kn_ability_dead_tag_set(loader->library, tag)
                                           : kn_cue_root_set(loader->library, tag);
            role_told(loader, result, child, "this tag cannot have this role");
        }
    }
}

// Starting values -----------------------------------------------------------

static void read_start_value(
    kni_loader *loader, const char *group, const char *attribute, uint32_t level, kni_node node)
{
    kn_attribute_row row = {group, attribute, level, 0.0f};
    kn_error error;
    if (kni_loader_node_reported(
            loader, kni_node_f32(node, -FLT_MAX, FLT_MAX, &row.value, &error), node, &error)) {
        (void)kni_loader_node_reported(
            loader, kn_attribute_table_register(loader->library, &row, 1, &error), node, &error);
    }
}

// Hero: {Vitals.Health: 100, Vitals.Mana: [50, 60, 70]}; a list holds the levels from 1 on.
static void read_start_group(kni_loader *loader, kni_node node)
{
    const char *group = kni_node_key(node);
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *attribute = kni_node_key(child);
        uint32_t index1;
        kni_place place = kni_node_key_place(child);
        if (!kni_loader_resolve_at(loader, KN_DEF_ATTRIBUTE, &place, attribute, false, &index1)) {
            continue;
        }
        if (kni_node_kind_of(child) != KNI_NODE_SEQUENCE) {
            read_start_value(loader, group, attribute, 1, child);
            continue;
        }
        kni_children levels = kni_node_children(child);
        uint32_t level = 1;
        for (kni_node value; kni_children_next(&levels, &value); level++) {
            read_start_value(loader, group, attribute, level, value);
        }
    }
}

// [Hero, Vitals.Health, 1, 100]: group, attribute, level, value.
static void read_start_row(kni_loader *loader, kni_node node)
{
    kni_node parts[4] = {0};
    uint32_t count = 0;
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child); count++) {
        if (count < 4) {
            parts[count] = child;
        }
    }
    const char *group, *attribute;
    uint64_t level;
    uint32_t index1;
    kn_error error;
    if (count != 4) {
        kni_loader_node_error(
            loader, node, "a row must be a list of group, attribute, level and value");
    } else if (kni_read_text(loader, parts[0], &group) &&
               kni_read_text(loader, parts[1], &attribute) &&
               kni_loader_resolve(loader, KN_DEF_ATTRIBUTE, parts[1], attribute, false, &index1) &&
               kni_loader_node_reported(loader,
                   kni_node_u64(parts[2], 0, UINT32_MAX, &level, &error), parts[2], &error)) {
        read_start_value(loader, group, attribute, (uint32_t)level, parts[3]);
    }
}

// By group, or as a list of rows.
static void read_starting_values(kni_loader *loader, kni_node node)
{
    if (kni_node_kind_of(node) == KNI_NODE_SEQUENCE) {
        kni_children rows = kni_node_children(node);
        for (kni_node row; kni_children_next(&rows, &row);) {
            read_start_row(loader, row);
        }
        return;
    }
    if (!is_mapping(loader, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        if (is_mapping(loader, child)) {
            read_start_group(loader, child);
        }
    }
}

// All sections --------------------------------------------------------------

static void read_module(kni_loader *loader, kni_node node)
{
    const char *name;
    (void)kni_read_text(loader, node, &name);
}

// Lints by name; they are off for the whole library.
static void read_lints_off(kni_loader *loader, kni_node node)
{
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE) {
        kni_loader_node_error(
            loader, node, "expected a list of lints, but this is %s", kni_node_kind_name(node));
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *name;
        uint32_t i = 0;
        if (!kni_read_text(loader, child, &name)) {
            continue;
        }
        while (i < kni_lint_count && strcmp(kni_lint_names[i], name) != 0) {
            i++;
        }
        if (i < kni_lint_count) {
            loader->lints_off |= 1u << i;
        } else {
            kni_hint hint = kni_report_hint(kni_lint_names, kni_lint_count, name);
            kni_loader_node_error(loader, child, "there is no lint `%s`%s", name,
                hint.text[0] != 0 ? hint.text : "; `knack check --list-lints` lists them");
        }
    }
}

uint32_t kni_kit_find(const kn_data_def *def, const char *name)
{
    uint32_t i = 0;
    while (i < def->kit_count && strcmp(def->kits[i].name, name) != 0) {
        i++;
    }
    return i;
}

static void unknown_kit(kni_loader *loader, kni_node node, const char *name)
{
    const kn_data_def *def = loader->def;
    const char *names[32] = {0};
    uint32_t count = def->kit_count < 32 ? def->kit_count : 32;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = def->kits[i].name;
    }
    kni_hint hint = kni_report_hint(names, count, name);
    kni_loader_node_error(loader, node, "there is no kit `%s`%s", name,
        count > 0 ? hint.text : "; this program offers none");
}

// Those that the program offers have been registered, see data.c.
static void read_kits(kni_loader *loader, kni_node node)
{
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE) {
        kni_loader_node_error(
            loader, node, "expected a list of kits, but this is %s", kni_node_kind_name(node));
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *name;
        if (kni_read_text(loader, child, &name) &&
            kni_kit_find(loader->def, name) == loader->def->kit_count) {
            unknown_kit(loader, child, name);
        }
    }
}

static const struct {
    const char *key;
    kni_phase phase;
    void (*read)(kni_loader *loader, kni_node node);
} special_sections[] = {
    {"kits", KNI_PHASE_TAGS, read_kits},
    {"module", KNI_PHASE_TAGS, read_module},
    {"tags", KNI_PHASE_TAGS, read_tags},
    {"redirects", KNI_PHASE_TAGS, read_redirects},
    {"common_tags", KNI_PHASE_ENTRIES, read_common_tags},
    {"names", KNI_PHASE_ENTRIES, read_names},
    {"lints_off", KNI_PHASE_ENTRIES, read_lints_off},
    {"settings", KNI_PHASE_ENTRIES, read_settings},
    {"starting_values", KNI_PHASE_LAST, read_starting_values},
};

#define SPECIAL_SECTIONS (sizeof(special_sections) / sizeof(*special_sections))

// Names of parameters are known before any formula is read, wherever they stand.
static void read_parameter_names(kni_loader *loader, kni_node effect)
{
    kni_node parameters = kni_node_get(effect, "parameters");
    kni_node added = kni_node_get(parameters, "add");
    if (kni_node_exists(added) && kni_node_count(parameters) == 1 &&
        kni_node_kind_of(added) != KNI_NODE_SCALAR) {
        parameters = added;
    }
    kni_children children = kni_node_children(parameters);
    for (kni_node child; kni_children_next(&children, &child);) {
        bool is_keyed = kni_node_kind_of(parameters) == KNI_NODE_MAPPING;
        kni_node name = is_keyed || kni_node_kind_of(child) == KNI_NODE_SCALAR
                            ? child
                            : kni_node_get(child, "name");
        const char *text = is_keyed ? kni_node_key(child) : kni_node_scalar(name).text;
        uint32_t index1;
        if (kni_node_exists(name) && text[0] != 0) {
            (void)kni_loader_resolve(loader, KN_DEF_NAME, name, text, false, &index1);
        }
    }
}

static void read_entries(kni_loader *loader, kn_def_kind kind, kni_node node)
{
    if (!is_mapping(loader, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        (void)kni_loader_add(loader, kind, child, kni_node_key(child));
        if (kind == KN_DEF_EFFECT) {
            read_parameter_names(loader, child);
        }
    }
}

static void unknown_section(kni_loader *loader, kni_node node)
{
    const char *names[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < SPECIAL_SECTIONS; i++) {
        names[count++] = special_sections[i].key;
    }
    for (uint32_t i = 0; i < kni_library_section_count(loader->library) && count < 64; i++) {
        names[count++] = kni_library_section(loader->library, i).key;
    }
    unknown_key(loader, node, names, count, "section");
}

static void read_section(kni_loader *loader, kni_node node, kni_phase phase)
{
    const char *key = kni_node_key(node);
    for (uint32_t i = 0; i < SPECIAL_SECTIONS; i++) {
        if (strcmp(special_sections[i].key, key) == 0) {
            if (special_sections[i].phase == phase && !kni_node_is_null(node)) {
                special_sections[i].read(loader, node);
            }
            return;
        }
    }
    for (uint32_t i = 0; i < kni_library_section_count(loader->library); i++) {
        kni_section section = kni_library_section(loader->library, i);
        if (strcmp(section.key, key) == 0) {
            if (phase == KNI_PHASE_ENTRIES) {
                read_entries(loader, section.kind, node);
            }
            return;
        }
    }
    if (phase == KNI_PHASE_TAGS) {
        unknown_section(loader, node);
    }
}

void kni_sections_read(kni_loader *loader, kni_node root, kni_phase phase)
{
    if (kni_node_is_null(root)) {
        return;
    }
    if (kni_node_kind_of(root) != KNI_NODE_MAPPING) {
        if (phase == KNI_PHASE_TAGS) {
            kni_loader_node_error(loader, root,
                "a data file must be a mapping of sections such as `effects`, but this is %s",
                kni_node_kind_name(root));
        }
        return;
    }
    kni_node title = kni_node_get(root, "scenario");
    if (kni_node_exists(title)) {
        kni_place place = kni_node_key_place(title);
        if (phase == KNI_PHASE_TAGS) {
            kni_loader_error(loader, &place,
                "this is a scenario, which defines nothing; keep it in a folder `scenarios`");
        }
        return;
    }
    kni_children children = kni_node_children(root);
    for (kni_node child; kni_children_next(&children, &child);) {
        read_section(loader, child, phase);
    }
}
