// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Prints docs/data-fields.md: every section of a data file with an example, and every field with
// its kind, default and meaning, from the field tables that the loader goes by. usage:
// page_data_fields FOLDER_OF_EXAMPLES

#include "knack/data.h"

#include "data/field_docs.h"
#include "data/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLES_MAX 128

static struct {
    const char *folder;
    struct {
        const kn_def_table *table; // every struct inside defs, once
        const void *defaults;
    } parts[TABLES_MAX];
    uint32_t part_count;
    void *defs[2 * TABLES_MAX]; // kept, since parts have their defaults in them
    uint32_t def_count;
    bool failed;
} page;

static void fail(const char *what, const char *name)
{
    (void)fprintf(stderr, "%s: %s\n", what, name);
    page.failed = true;
}

// Text ----------------------------------------------------------------------

// Where a clause such as "; default 0" ends, which has a column of its own; NULL if none is here.
// One that explains the default, "; default 0: none", stays.
static const char *after_default(const char *at)
{
    if (strncmp(at, "; default ", 10) != 0) {
        return NULL;
    }
    const char *end = at + 2 + strcspn(at + 2, ";:\n");
    end -= end[-1] == '.' ? 1 : 0;
    return *end != ':' ? end : NULL;
}

// The first line of a help text, or its line for each word; a bar would end the cell.
static void put_lines(const char *text, size_t length)
{
    for (const char *at = text; at < text + length;) {
        const char *end = after_default(at);
        if (end != NULL) {
            at = end;
            continue;
        }
        (void)printf(*at == '|' ? "\\|" : *at == '\n' ? "<br>" : "%c", *at);
        at++;
    }
}

// `like`: an earlier field of the table that takes the same words; NULL if there is none.
static void put_meaning(const char *text, const char *like)
{
    put_lines(text, like != NULL ? strcspn(text, "\n") : strlen(text));
    if (like != NULL) {
        (void)printf("<br>The words are those of `%s`.", like);
    }
}

static const char *section_of(kn_def_kind kind)
{
    for (uint32_t i = 0; i < kni_section_count; i++) {
        if (kni_sections[i].kind == kind) {
            return kni_sections[i].key;
        }
    }
    return NULL;
}

// A link to a heading: words joined by dashes.
static void put_link(const char *title, const char *heading)
{
    (void)printf("[%s](#", title);
    for (const char *at = heading; *at != 0; at++) {
        (void)printf("%c", *at == ' ' ? '-' : *at);
    }
    (void)printf(")");
}

// A def or a part as its table begins it.
static const void *defaults_of(const kn_def_table *table)
{
    void *def = page.def_count < 2 * TABLES_MAX ? calloc(1, table->size) : NULL;
    if (def == NULL) {
        fail("no memory", table->name);
        exit(1);
    }
    page.defs[page.def_count++] = def;
    kn_def_init(table, def);
    return def;
}

// `inside`: the part as the defaults of a def have it; NULL for items of a list.
static void put_part(const kn_def_table *table, const void *inside)
{
    char title[64];
    kni_table_title(table, title, sizeof title);
    bool is_section = false;
    for (uint32_t i = 0; i < kni_section_count; i++) {
        is_section |= strcmp(kni_sections[i].key, title) == 0;
    }
    char heading[72];
    (void)snprintf(heading, sizeof heading, "%s%s", title, is_section ? "-1" : "");
    put_link(title, heading);
    for (uint32_t i = 0; i < page.part_count; i++) {
        if (page.parts[i].table == table) {
            return;
        }
    }
    if (page.part_count == TABLES_MAX) {
        fail("too many tables", table->name);
        return;
    }
    page.parts[page.part_count].table = table;
    page.parts[page.part_count++].defaults =
        table->init == NULL && inside != NULL ? inside : defaults_of(table);
}

static void put_reference(kn_def_kind kind)
{
    const char *section = section_of(kind);
    const char *name = kn_def_kind_name(kind);
    if (kind == KN_DEF_TAG || kind == KN_DEF_NAME) {
        (void)printf("%s", name);
        return;
    }
    if (kind == KN_DEF_ATTRIBUTE) {
        section = section_of(KN_DEF_ATTRIBUTE_SET);
    }
    (void)printf("name of %s ", strchr("aeiou", name[0]) != NULL ? "an" : "a");
    if (section != NULL) {
        put_link(name, section);
    } else {
        (void)printf("%s", name);
    }
}

static void put_example(const char *section)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.yaml", page.folder, section);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail("no example", path);
        return;
    }
    (void)printf("```yaml\n");
    char line[512];
    for (int number = 0; fgets(line, sizeof line, file) != NULL; number++) {
        if (number >= 2) { // after the licence
            (void)printf("%s", line);
        }
    }
    (void)printf("```\n");
    (void)fclose(file);
}

// Kinds ---------------------------------------------------------------------

static void put_list(const kn_def_table *table)
{
    kni_shape shape = kni_shape_of(table);
    (void)printf("list of ");
    put_part(table, NULL);
    if (shape.key != NULL) {
        (void)printf(", or a mapping by `%s`", shape.key);
    }
}

static void put_kind(const kn_def_field *field, const void *at)
{
    static const char *const plain[] = {
        [KN_FIELD_U8] = "whole number",
        [KN_FIELD_BOOL] = "true or false",
        [KN_FIELD_U16] = "whole number",
        [KN_FIELD_U32] = "whole number",
        [KN_FIELD_I32] = "whole number",
        [KN_FIELD_F32] = "number",
        [KN_FIELD_U64] = "whole number",
        [KN_FIELD_I64] = "whole number",
        [KN_FIELD_TIME] = "time",
        [KN_FIELD_VEC3] = "[x, y, z]",
        [KN_DEF_FIELD_TAGS] = "tags",
        [KN_DEF_FIELD_QUERY] = "tag query",
    };
    switch (field->kind) {
    case KN_DEF_FIELD_STRING:
        (void)printf(
            "%s", strcmp(field->name, "parent") == 0 ? "name of another definition" : "text");
        break;
    case KN_DEF_FIELD_ENUM:
        (void)printf("a word");
        break;
    case KN_DEF_FIELD_REF:
        put_reference((kn_def_kind)field->limit);
        break;
    case KN_FIELD_TAG:
        put_reference(KN_DEF_TAG);
        break;
    case KN_FIELD_ATTRIBUTE:
        put_reference(KN_DEF_ATTRIBUTE);
        break;
    case KN_FIELD_CURVE:
        put_reference(KN_DEF_CURVE);
        break;
    case KN_DEF_FIELD_REFS:
        (void)printf("list; each a ");
        put_reference((kn_def_kind)field->limit);
        break;
    case KN_DEF_FIELD_STRUCT:
        put_part(field->table, at);
        break;
    case KN_DEF_FIELD_ARRAY:
        put_list(field->table);
        break;
    default:
        if (field->kind == KN_FIELD_U32 && field->names != NULL) {
            (void)printf("one or several words");
        } else if (field->kind < sizeof plain / sizeof *plain && plain[field->kind] != NULL) {
            (void)printf("%s", plain[field->kind]);
        } else {
            fail("a field of an unknown kind", field->name);
        }
        break;
    }
    if (field->count > 1) {
        (void)printf(", %u of them", field->count);
    }
}

// Defaults ------------------------------------------------------------------

static void put_number(double value)
{
    (void)printf("%g", value);
}

static void put_time(kn_time time)
{
    if (time == KN_TIME_INFINITE) {
        (void)printf("infinite");
    } else {
        (void)printf("%g s", (double)time / 1e6);
    }
}

static void put_flags(const kn_def_field *field, uint32_t flags)
{
    uint32_t printed = 0;
    for (uint32_t i = 0; i < field->limit; i++) {
        if ((flags & (1u << i)) != 0) {
            (void)printf("%s%s", printed++ == 0 ? "" : ", ", field->names[i]);
        }
    }
    (void)printf("%s", printed == 0 ? "none" : "");
}

// Structs that are written as one number or word.
static void put_struct_default(const kn_def_field *field, const void *at)
{
    if (strcmp(field->table->name, "kn_scalable") == 0) {
        put_number((double)((const kn_scalable *)at)->value);
    } else if (strcmp(field->table->name, "kn_magnitude") == 0) {
        put_number((double)((const kn_magnitude *)at)->scale.value);
    } else if (strcmp(field->table->name, "kn_value_profile") == 0) {
        bool is_combat = ((const kn_value_profile *)at)->multiply_compound;
        (void)printf("%s", is_combat ? "combat" : "gas");
    }
}

static uint64_t whole(const kn_def_field *field, const void *at)
{
    uint64_t value = 0;
    memcpy(&value, at, kn_def_field_size(field)); // little-endian, where the page is printed
    return value;
}

static void put_plain_default(const kn_def_field *field, const void *at)
{
    const char *text;
    switch (field->kind) {
    case KN_FIELD_U8:
    case KN_FIELD_U16:
    case KN_FIELD_U32:
    case KN_FIELD_U64:
        if (whole(field, at) != UINT32_MAX) { // "as the def says"
            (void)printf("%llu", (unsigned long long)whole(field, at));
        }
        break;
    case KN_FIELD_I32:
        (void)printf("%d", *(const int32_t *)at);
        break;
    case KN_FIELD_I64:
        (void)printf("%lld", (long long)*(const int64_t *)at);
        break;
    case KN_FIELD_F32:
        put_number((double)*(const float *)at);
        break;
    case KN_FIELD_TIME:
        put_time(*(const kn_time *)at);
        break;
    case KN_FIELD_BOOL:
        (void)printf("%s", *(const bool *)at ? "true" : "false");
        break;
    case KN_FIELD_VEC3: {
        const kn_vec3 *v = at;
        (void)printf("[%g, %g, %g]", (double)v->x, (double)v->y, (double)v->z);
        break;
    }
    case KN_DEF_FIELD_STRING:
        memcpy(&text, at, sizeof text);
        (void)printf("%s", text != NULL ? text : "");
        break;
    default:
        break; // nothing
    }
}

static void put_default(const kn_def_field *field, const void *at)
{
    if (field->count > 1) {
        return;
    }
    if (field->kind == KN_DEF_FIELD_ENUM) {
        (void)printf("%s", field->names[*(const uint32_t *)at]);
    } else if (field->kind == KN_FIELD_U32 && field->names != NULL) {
        put_flags(field, *(const uint32_t *)at);
    } else if (field->kind == KN_DEF_FIELD_STRUCT) {
        put_struct_default(field, at);
    } else {
        put_plain_default(field, at);
    }
}

// Tables --------------------------------------------------------------------

// A flag such as `has_min` that files do not write: the field it belongs to sets it.
static bool is_implied(const kn_def_table *table, const kn_def_field *field)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *other = &table->fields[i];
        if (other != field && kni_field_is_written(other) &&
            kni_field_is_implied(table, field, other->name)) {
            return true;
        }
    }
    return false;
}

// Whether a field has a flag such as `has_min` that is off: then it has no default.
static bool is_unset(const kn_def_table *table, const kn_def_field *field, const uint8_t *def)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *flag = &table->fields[i];
        if (flag != field && kni_field_is_implied(table, flag, field->name)) {
            return def[flag->offset] == 0;
        }
    }
    return false;
}

static bool is_listed(const kn_def_table *table, const kn_def_field *field, bool is_section)
{
    bool is_key = is_section && strcmp(field->name, "name") == 0;
    bool is_functions = field->kind == KN_DEF_FIELD_STRUCT && field->table->field_count > 0;
    for (uint32_t i = 0; is_functions && i < field->table->field_count; i++) {
        is_functions = !kni_field_is_written(&field->table->fields[i]);
    }
    return kni_field_is_written(field) && !is_implied(table, field) && !is_key && !is_functions;
}

// An earlier field of the table that takes the same words, or NULL.
static const char *words_explained_by(const kn_def_table *table, const kn_def_field *field)
{
    for (const kn_def_field *at = table->fields; field->names != NULL && at < field; at++) {
        if (at->names == field->names) {
            return at->name;
        }
    }
    return NULL;
}

static void put_fields(const kn_def_table *table, const uint8_t *def, bool is_section)
{
    (void)printf("\n| Field | What to write | Default | Meaning |\n| --- | --- | --- | --- |\n");
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (!is_listed(table, field, is_section)) {
            continue;
        }
        const char *doc = kn_data_field_text(table->name, field->name);
        if (doc == NULL || strstr(doc, "kn_") != NULL || strstr(doc, "KN_") != NULL) {
            fail(doc == NULL ? "a field without a meaning" : "a name of C in a meaning",
                field->name);
            continue;
        }
        (void)printf("| `%s` | ", field->name);
        put_kind(field, def + field->offset);
        (void)printf(" | ");
        if (!is_unset(table, field, def)) {
            put_default(field, def + field->offset);
        }
        (void)printf(" | ");
        put_meaning(doc, words_explained_by(table, field));
        (void)printf(" |\n");
    }
}

// What policies do over time.
static void put_pictures(const kn_def_table *table)
{
    static const struct {
        const char *table;
        const char *picture;
        const char *text;
    } pictures[] = {
        {"kn_effect_def", "duration", "`duration`, `period` and what belongs to them"},
        {"kn_effect_def", "live-duration", "`live_duration`"},
        {"kn_effect_def", "live-period", "`live_period`"},
        {"kn_effect_def", "inhibit-period", "`inhibit_period`"},
        {"kn_effect_def", "exclusive-rule", "`exclusive_rule`"},
        {"kn_attribute_def", "attribute-link",
            "`link`, of an attribute with `base_max: MaxHealth`"},
        {"kn_stacking", "stacking-kind", "`kind`"},
        {"kn_stacking", "stacking-rule", "the rules for levels and sources"},
        {"kn_stacking", "stacking-merge", "`merge`"},
        {"kn_stacking", "stacking-refresh", "`refresh`"},
        {"kn_stacking", "stacking-period", "`period_reset` and `tick_on_stack`"},
        {"kn_stacking", "stacking-expiration", "`expiration`"},
        {"kn_stacking", "stacking-overflow", "`deny_overflow` and `clear_on_overflow`"},
        {"kn_stacking", "stacking-timers", "`own_timers` and `common_timer`"},
        {"kn_stacking", "stacking-at-cap", "`at_cap`"},
        {"kn_child_def", "child-when", "`when`"},
        {"kn_grant_def", "grant-removal", "`removal`"},
        {"kn_grant_def", "grant-follow", "`follow_inhibition`"},
        {"kn_cooldown_def", "cooldown", "charges over time"},
    };
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        if (strcmp(pictures[i].table, table->name) == 0) {
            (void)printf("\nPicture: %s\n\n![%s](pictures/%s.svg)\n", pictures[i].text,
                pictures[i].picture, pictures[i].picture);
        }
    }
}

// What a part is for, and other ways to write it.
static void put_short_forms(const kn_def_table *table)
{
    static const struct {
        const char *table;
        const char *text;
    } forms[] = {
        {"kn_scalable", "A number, `$Name` for a parameter of the effect, or in full:"},
        {"kn_magnitude", "A number, `$Name` for a parameter, a formula (see "
                         "[Expressions](expressions.md)), or in full:"},
        {"kn_capture", "`source.Set.Name`, `target.Set.Name` or `causer.Set.Name`, or in full:"},
        {"kn_limit", "A number, the name of another attribute, or in full:"},
        {"kn_tag_requirement", "A list of required tags, or in full:"},
        {"kn_value_profile",
            "`gas`: factors add up, every operation is allowed, results may be negative, and all "
            "modifiers of a stack scale. `combat`: factors multiply, nothing divides or "
            "overrides, no result is negative, and a modifier scales with stacks only if its "
            "`scaling` says so. Or in full; the defaults are those of `combat`:"},
        {"kn_curve_point", "`[x, y]`, or in full:"},
        {"kn_stacking", "[Stacking](stacking.md) has pictures of what the words do over time."},
        {"kn_child_def", "Effects that this effect starts."},
        {"kn_gate_def", "What the target is immune to, or cannot do, while the effect is active."},
        {"kn_cost_def", "What a commit of the ability takes."},
        {"kn_cooldown_def", "Charges and their recharge time."},
        {"kn_trigger_def", "What activates the ability besides a call or an input."},
        {"kn_ability_apply_def", "What the body of an ability applies, and to which entity."},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].table, table->name) == 0) {
            (void)printf("\n%s\n", forms[i].text);
        }
    }
    kni_shape shape = kni_shape_of(table);
    if (shape.key != NULL && shape.value != NULL) {
        (void)printf("\nIn a mapping the key is `%s`, and a single value is `%s`.\n", shape.key,
            shape.value);
    } else if (shape.key != NULL) {
        (void)printf("\nIn a mapping the key is `%s`.\n", shape.key);
    }
}

// Sections ------------------------------------------------------------------

// Sections that are not definitions.
static const char *const plain_sections[] = {
    "tags",
    "redirects",
    "common_tags",
    "names",
    "settings",
    "starting_values",
    "lints_off",
};

static void put_settings(void)
{
    static const char *const keys[] = {"fail_tags", "dead_tag", "cue_root"};
    (void)printf("\n| Key | Meaning |\n| --- | --- |\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        (void)printf("| `%s` | %s |\n", keys[i], kni_key_text(keys[i]));
    }
}

static void put_section(const char *key, const kn_def_table *table)
{
    const char *help = kni_key_text(key);
    if (help == NULL) {
        fail("a section without help", key);
        return;
    }
    (void)printf("\n## %s\n\n%s\n\n", key, help);
    put_example(key);
    if (strcmp(key, "settings") == 0) {
        put_settings();
    }
    if (table != NULL) {
        char title[64];
        kni_table_title(table, title, sizeof title);
        (void)printf("\nFields of \"%s\":\n", title);
        put_fields(table, defaults_of(table), true);
        put_pictures(table);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: page_data_fields FOLDER_OF_EXAMPLES\n");
        return 2;
    }
    page.folder = argv[1];
    (void)printf(
        "# Fields of data files\n\n"
        "Every section of a [data file](data.md) with an example, and all fields with their "
        "defaults. The examples are the files of\n[docs/examples](examples), which form one "
        "library; `knack check` accepts it. This page is printed from the tables that the\n"
        "loader uses.\n\n"
        "Below a section there are names, and below each name its fields. A field that is "
        "left out has its default; an empty default\nmeans none. All definitions also "
        "accept `parent`, which starts from another definition of the same section, and\n"
        "those with functions `script` or `native`, which name them.\n\n"
        "[Parts](#parts), such as modifiers, are used by several sections and listed at "
        "the end.\n\n"
        "The pictures are drawn from runs of the effects and abilities they show: bars are stacks, "
        "dots are ticks, triangles are\napplications and uses, hollow ones were refused.\n");
    for (uint32_t i = 0; i < kni_section_count; i++) {
        put_section(kni_sections[i].key, kn_def_table_of(kni_sections[i].kind));
    }
    for (size_t i = 0; i < sizeof plain_sections / sizeof *plain_sections; i++) {
        put_section(plain_sections[i], NULL);
    }
    (void)printf("\n## Parts\n");
    for (uint32_t i = 0; i < page.part_count; i++) { // grows while parts are printed
        char title[64];
        kni_table_title(page.parts[i].table, title, sizeof title);
        (void)printf("\n### %s\n", title);
        put_short_forms(page.parts[i].table);
        put_fields(page.parts[i].table, page.parts[i].defaults, false);
        put_pictures(page.parts[i].table);
    }
    return page.failed ? 1 : 0;
}
