// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bad input of every kind: an error with a place each, never a library, nothing leaked.

#define _POSIX_C_SOURCE 200809L

#include "data_generator.h"
#include "rich_world.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// Wrong shapes --------------------------------------------------------------

static void sections_of_the_wrong_shape_are_refused(void **state)
{
    (void)state;
    EXPECT_MESSAGES("[effects, abilities]\n", "1:1: error: a data file must be a mapping of "
                                              "sections such as `effects`, but this is a list\n");
    EXPECT_MESSAGES("effects\n", "1:1: error: a data file must be a mapping of sections such as "
                                 "`effects`, but this is a text\n");
    EXPECT_MESSAGES("effects: [Burn]\n"
                    "names: {A: B}\n"
                    "tags: 5\n"
                    "module: [a]\n"
                    "redirects: [a]\n"
                    "common_tags: {x: y}\n"
                    "contexts: {Blow: big, Hit: 0}\n"
                    "starting_values: 7\n",
        "1:10: error: expected a mapping, but this is a list\n"
        "2:8: error: expected a list of names, but this is a mapping\n"
        "3:7: error: expected a mapping, but this is a text\n"
        "4:9: error: expected a text, but this is a list\n"
        "5:12: error: expected a mapping, but this is a list\n"
        "6:14: error: expected a list of tags, but this is a mapping\n"
        "7:12: error: expected a whole number from 1 to 65536, not `big`\n"
        "7:23: error: expected a whole number from 1 to 65536, not `0`\n"
        "8:18: error: expected a mapping, but this is a text\n");
    EXPECT_MESSAGES(
        "settings: {dead_tag: [A], cue_root: {a: b}, fail_tags: {cost: [A]}, other: 1}\n"
        "abilities:\n"
        "  A: {native: [x]}\n"
        "  B: {script: {x: y}}\n"
        "  C: text\n"
        "conditions: {C: {expression: [a]}, D: 5, E: {expression: a, more: b}}\n",
        "1:22: error: expected a text, but this is a list\n"
        "1:37: error: expected a text, but this is a mapping\n"
        "1:63: error: expected a text, but this is a list\n"
        "1:69: error: there is no setting `other`; expected one of: fail_tags, dead_tag, cue_root\n"
        "3:15: error: expected a text, but this is a list\n"
        "4:15: error: expected a text, but this is a mapping\n"
        "5:6: error: expected the fields of a definition, but this is a text\n"
        "6:30: error: expected a text, but this is a list\n"
        "6:39: error: a condition is written as `{script: name}` or `{expression: text}`\n"
        "6:45: error: a condition is written as `{script: name}` or `{expression: text}`\n");
}

// Replaces the value of a case by something of another type.
static void check_wrong_types(const field_case *c, void *user)
{
    static const char *const wrong[] = {
        "{nothing: {of: this}}", "[[[1]]]", "\"?\"", "[{}, 3, ~]", "-1e30", "~"};
    uint32_t *refused = user;
    if (case_pair_of(c) != NULL) {
        return;
    }
    static uint32_t cases;
    for (size_t i = cases++ % SHARE(3); i < sizeof(wrong) / sizeof(*wrong); i += SHARE(3)) {
        char text[CASE_TEXT_MAX];
        case_text out = {text, sizeof(text), 0};
        case_put(&out, "%s:\n  Subject: ", c->section);
        case_put_struct_with(&out, c, 0, 0, wrong[i]);
        case_put(&out, "\n");
        kn_data *data = case_data();
        data_add(data, "case.yaml", text);
        kn_library *library;
        kn_result result = kn_data_build(data, &library);
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_BAD_DATA);
            assert_null(library);
            assert_true(kn_data_message_count(data) > 0);
            kn_data_message message = kn_data_message_at(data, 0);
            if (strcmp(message.file, "case.yaml") != 0 || message.line != 2 || message.column < 3 ||
                message.text[0] == 0) {
                fail_msg("%s: %s:%u:%u: %s", text, message.file, message.line, message.column,
                    message.text);
            }
            ++*refused;
        }
        kn_library_destroy(library);
        kn_data_destroy(data);
    }
}

static void wrong_types_are_refused_at_every_field(void **state)
{
    (void)state;
    uint32_t refused = 0;
    each_field_case(check_wrong_types, &refused);
    assert_true(refused > 2000 / SHARE(3));
}

static void unknown_keys_are_refused_at_every_level(void **state)
{
    (void)state;
    EXPECT_MESSAGES("effects: {E: {duration: {scal: 1}, stacking: {limits: 3}, application: "
                    "{target: {any: 1}},\n"
                    "  children: [{typ: X}]}}\n"
                    "tags: {A: {coment: x}}\n"
                    "redirects: {tag: {}}\n"
                    "settings: {fail_tags: {costs: A}}\n",
        "1:26: error: there is no field `scal` here; did you mean `scale`?\n"
        "1:47: error: there is no field `limits` here; did you mean `limit`?\n"
        "1:82: error: there is no field `any` here; expected one of: required, ignored, query\n"
        "2:15: error: there is no field `typ` here; did you mean `type`?\n"
        "3:12: error: there is no field `coment`; did you mean `comment`?\n"
        "4:13: error: there is no kind of redirects `tag`; did you mean `tags`?\n"
        "5:24: error: there is no reason `costs`; did you mean `cost`?\n");
}

static void a_scenario_among_data_files_is_one_mistake(void **state)
{
    (void)state;
    EXPECT_MESSAGES("scenario: A fight\nlibraries: [a.yaml]\nentities: {}\ntimeline: []\n",
        "1:1: error: this is a scenario, which defines nothing; keep it in a folder "
        "`scenarios`\n");
}

static void what_is_allowed_is_told(void **state)
{
    (void)state;
    EXPECT_MESSAGES("effects:\n"
                    "  E:\n"
                    "    nonsense: 1\n"
                    "    own_timers: true\n"
                    "    stacking: {kind: sideways}\n"
                    "    modifiers: {Vitals.Health: {caller_tag: X}}\n"
                    "lints_off: [xyz]\n",
        "3:5: error: there is no field `nonsense` here; docs/data-fields.md lists the fields under "
        "\"effect\"\n"
        "4:5: error: there is no field `own_timers` here; it belongs under `stacking`\n"
        "5:22: error: `sideways` is not a value of `kind`; expected one of: none, by_source, "
        "by_target\n"
        "6:17: error: there is no attribute `Vitals.Health`\n"
        "6:33: error: there is no field `caller_tag` here; it belongs under `magnitude`\n"
        "7:13: error: there is no lint `xyz`; expected one of: biased-factors, child-removal, "
        "default-limits, empty-query, endless, idle-setting, instant-effect, instant-logic, "
        "own-condition, "
        "script-api, script-global, script-hook, script-name, stack-limit, stack-rules, "
        "tag-never-granted, tick-options, unpayable-ability, unreachable-threshold, "
        "unused-ability, unused-effect\n");
}

// Parents -------------------------------------------------------------------

static void circles_of_parents_are_told(void **state)
{
    (void)state;
    EXPECT_MESSAGES("effects: {A: {parent: A}}\n", "1:23: error: these definitions need each other "
                                                   "in a cycle: A -> A; break it at one of them\n");
    EXPECT_MESSAGES("effects: {A: {parent: B}, B: {parent: C}, C: {parent: A}}\n"
                    "archetypes: {X: {parent: Y}, Y: {parent: X}}\n",
        "1:55: error: these definitions need each other in a cycle: A -> B -> C -> A; break it at "
        "one of them\n"
        "2:42: error: these definitions need each other in a cycle: X -> Y -> X; break it at one "
        "of them\n");
    EXPECT_MESSAGES("effects:\n"
                    "  A: {children: [{type: B, when: applied}]}\n"
                    "  B: {children: [{type: C, when: applied}]}\n"
                    "  C: {children: [{type: A, when: applied}]}\n",
        "4:3: error: effect `C` always starts itself again (C -> A -> B -> C): give one of them a "
        "condition\n");
}

static void what_was_meant_is_proposed(void **state)
{
    (void)state;
    EXPECT_MESSAGES("attribute_sets: {Hero: {attributes: {Health: 100}}}\n"
                    "effects:\n"
                    "  A: {modifiers: {Hero.Health: 120%}}\n"
                    "  B: {duration: 6 seconds}\n"
                    "  C: {modifiers: {Health: 5}}\n"
                    "  D: {modifiers: {Hero.Health: 2 * source.Health}}\n"
                    "  E: {chance: 50 %}\n"
                    "  F: {application: {attributes: [{attribute: Health, below: 30%}]}}\n",
        "3:32: error: expected a number or a formula, not `120%`: write 1.2\n"
        "4:17: error: expected a number or a formula, not `6 seconds`: write 6\n"
        "5:19: error: there is no attribute `Health`; did you mean `Hero.Health`?\n"
        "6:43: error: calculation `effect D 1`: unknown attribute `Health`; did you mean "
        "`Hero.Health`?\n"
        "7:15: error: expected a number or a formula, not `50 %`: write 0.5\n"
        "8:46: error: there is no attribute `Health`; did you mean `Hero.Health`?\n"
        "8:61: error: expected a number, not `30%`: write 0.3\n");
}

// Each effect has as its parent the one before, or the one after.
static char *chain_of(uint32_t count, bool is_forward)
{
    size_t size = 64 + (size_t)count * 32;
    char *text = malloc(size);
    assert_non_null(text);
    case_text out = {text, size, 0};
    case_put(&out, "effects:\n");
    for (uint32_t i = 1; i <= count; i++) {
        if (i == (is_forward ? count : 1)) {
            case_put(&out, "  E%u: {duration: 5}\n", i);
        } else {
            case_put(&out, "  E%u: {parent: E%u}\n", i, is_forward ? i + 1 : i - 1);
        }
    }
    return text;
}

static void chains_of_parents_are_long_but_not_endless(void **state)
{
    (void)state;
    char *text = chain_of(5000, false);
    kn_library *library = library_of(text);
    const kn_effect_def *last =
        kn_def_get(library, KN_DEF_EFFECT, kn_def_find(library, KN_DEF_EFFECT, "E5000"));
    assert_true(last->duration.scale.value == 5.0f);
    kn_library_destroy(library);
    free(text);

    // Named before they are written, each waits for the next.
    text = chain_of(1000, true);
    EXPECT_MESSAGES(text,
        "258:9: error: a chain of more than 256 definitions that need each other\n"
        "515:9: error: a chain of more than 256 definitions that need each other\n"
        "772:9: error: a chain of more than 256 definitions that need each other\n");
    free(text);
}

// Bytes ---------------------------------------------------------------------

static void truncated_files_never_build_something_else(void **state)
{
    (void)state;
    const char text[] = "{\"effects\": {\"Burn\": {\"duration\": 5, \"period\": {\"value\": 1}}}}";
    for (size_t size = 1; size < sizeof(text) - 1; size++) {
        kn_data *data = data_create();
        assert_int_equal(kn_data_add_text(data, "cut.json", text, size), KN_OK);
        kn_library *library;
        assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
        assert_null(library);
        assert_int_equal(kn_data_error_count(data), 1);
        assert_int_equal(kn_data_message_at(data, 0).line, 1);
        kn_data_destroy(data);
    }
}

static void line_ends_and_a_byte_order_mark_do_not_matter(void **state)
{
    (void)state;
    kn_library *unix_library = library_of("tags: [A]\neffects:\n  E: {duration: 5}\n");
    kn_library *windows = library_of("\xef\xbb\xbftags: [A]\r\neffects:\r\n  E: {duration: 5}\r\n");
    assert_true(kn_library_hash(unix_library) == kn_library_hash(windows));
    kn_library_destroy(unix_library);
    kn_library_destroy(windows);
}

static void an_empty_file_is_an_empty_library(void **state)
{
    (void)state;
    kn_library *library = library_of("");
    assert_int_equal(kn_def_count(library, KN_DEF_EFFECT), 0);
    kn_library_destroy(library);
    EXPECT_MESSAGES("# nothing\n", "");
    EXPECT_MESSAGES("effects:\ntags:\nsettings:\nnames:\nstarting_values:\n", "");
}

static void bad_bytes_bombs_and_circles_of_aliases_are_refused(void **state)
{
    (void)state;
    EXPECT_MESSAGES(
        "tags: [A\xff]\n", "1:9: error: the byte 0xFF is not UTF-8: save the file as UTF-8\n");
    kn_data *data = data_create();
    data_add(data, "bomb.yaml",
        "a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
        "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
        "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
        "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n"
        "f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
        "g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f, *f]\n");
    data_add(data, "circle.yaml", "effects: &e {A: *e}\n");
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_error_count(data), 2);
    assert_string_equal(kn_data_message_at(data, 0).file, "bomb.yaml");
    assert_string_equal(kn_data_message_at(data, 1).file, "circle.yaml");
    kn_data_destroy(data);
}

static void a_hundred_thousand_mistakes_are_counted_and_some_told(void **state)
{
    (void)state;
    size_t size = 4 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    case_text out = {text, size, 0};
    case_put(&out, "effects:\n");
    for (uint32_t i = 0; i < 100000; i++) {
        case_put(&out, "  E%u: {perod: 1}\n", i);
    }
    kn_data *data = data_create();
    data_add(data, "many.yaml", text);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_error_count(data), 100000);
    assert_int_equal(kn_data_message_count(data), 100);
    assert_int_equal(kn_data_message_at(data, 0).line, 2);
    kn_data_destroy(data);
    free(text);
}

static void two_hundred_mistakes_of_all_kinds_are_all_told(void **state)
{
    (void)state;
    static char text[64 * 1024];
    case_text out = {text, sizeof(text), 0};
    case_put(&out, "tags: [Some]\neffects:\n");
    for (uint32_t i = 0; i < 50; i++) {
        case_put(&out,
            "  E%u: {perod: 1}\n  F%u: {duration: [1]}\n  G%u: {granted_tags: [Sone]}\n"
            "  H%u: {stacking: {kind: by_sorce}}\n",
            i, i, i, i);
    }
    kn_data_def def = kn_data_def_default();
    def.message_limit = 1000;
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    data_add(data, "t.yaml", text);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_null(library);
    assert_int_equal(kn_data_error_count(data), 200);
    assert_int_equal(kn_data_message_count(data), 200);
    for (uint32_t i = 0; i < 200; i++) { // each line has its own
        assert_int_equal(kn_data_message_at(data, i).line, i + 3);
    }
    kn_data_destroy(data);
}

static void more_tags_than_there_can_be_are_one_mistake(void **state)
{
    (void)state;
    size_t size = 2 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    case_text out = {text, size, 0};
    case_put(&out, "tags:\n");
    for (uint32_t i = 0; i < 70000; i++) {
        case_put(&out, "  - T%u\n", i);
    }
    case_put(&out, "  - {U: {comment: x}}\n");
    kn_data *data = data_create();
    data_add(data, "t.yaml", text);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_error_count(data), 1);
    assert_string_equal(
        kn_data_message_at(data, 0).text, "tag `T65535` is one too many: the limit is 65535");
    kn_data_destroy(data);
    free(text);
}

// The largest file there may be, full of definitions: refused, or read, but soon.
static void a_file_of_fifteen_megabytes_is_answered(void **state)
{
    (void)state;
    size_t size = 15 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    case_text out = {text, size, 0};
    case_put(&out, "effects:\n");
    for (uint32_t i = 0; out.length < size - 200; i++) {
        case_put(&out, "  Effect%u: {duration: 5, granted_tags: [A.B], modifiers: {S.X: 3}}\n", i);
    }
    kn_data *data = data_create();
    data_add(data, "t.yaml", text);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_error_count(data), 1);
    assert_string_equal(kn_data_message_at(data, 0).text,
        "the document has more than 1000000 values, those of aliases included");
    kn_data_destroy(data);
    free(text);
}

// Nobody searches for names that no message will propose.
static void a_file_of_unknown_names_does_not_take_forever(void **state)
{
    (void)state;
    size_t size = 4 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    case_text out = {text, size, 0};
    case_put(&out, "effects:\n");
    for (uint32_t i = 0; i < 20000; i++) {
        case_put(&out, "  Effect%u: {children: [Efect%u]}\n", i, i);
    }
    kn_data *data = data_create();
    data_add(data, "many.yaml", text);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_error_count(data), 20000);
    assert_string_equal(
        kn_data_message_at(data, 7).text, "there is no effect `Efect7`; did you mean `Effect7`?");
    kn_data_destroy(data);
    free(text);
}

// Files ---------------------------------------------------------------------

static void folder_make(char *path, size_t size)
{
    (void)snprintf(path, size, "data_mistakes_XXXXXX");
    assert_non_null(mkdtemp(path));
}

static void file_write(const char *folder, const char *name, const char *text)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void file_remove(const char *folder, const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(remove(path), 0);
}

static void missing_files_and_folders_are_messages(void **state)
{
    (void)state;
    kn_data *data = data_create();
    assert_int_equal(kn_data_add_file(data, "no/such.yaml"), KN_ERROR_IO);
    assert_int_equal(kn_data_add_folder(data, "no/such/folder"), KN_ERROR_IO);
    assert_int_equal(kn_data_add_file(data, "effects.txt"), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_add_text(data, "yaml", "", 0), KN_ERROR_BAD_DATA);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_error_count(data), 2);
    assert_string_equal(kn_data_message_at(data, 0).file, "no/such.yaml");
    assert_string_equal(kn_data_message_at(data, 1).file, "no/such/folder");
    kn_data_destroy(data);
}

// Good files and bad ones, more often than a program may have files open.
static void files_do_not_stay_open(void **state)
{
    (void)state;
    struct rlimit old, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    few = old;
    few.rlim_cur = 32;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    char folder[64];
    folder_make(folder, sizeof(folder));
    file_write(folder, "a.yaml", "effects: {A: {duration: 1}}\n");
    kn_data_def def = kn_data_def_default();
    for (uint32_t i = 0; i < 80; i++) {
        def.file_limit = i % 2 == 0 ? kn_data_def_default().file_limit : 5;
        kn_data *data;
        assert_int_equal(kn_data_create(&def, &data), KN_OK);
        assert_int_equal(kn_data_add_folder(data, folder), KN_OK);
        kn_library *library;
        assert_int_equal(kn_data_build(data, &library), i % 2 == 0 ? KN_OK : KN_ERROR_BAD_DATA);
        kn_library_destroy(library);
        kn_data_destroy(data);
    }
    file_remove(folder, "a.yaml");
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

// TAG-010
static void the_folder_of_a_plugin_brings_all_its_tags(void **state)
{
    (void)state;
    char game[64], plugin[64];
    folder_make(game, sizeof(game));
    file_write(game, "tags.yaml", "tags: [State.Dead]\n");
    folder_make(plugin, sizeof(plugin));
    file_write(plugin, "frost.ini", "+GameplayTagList=(Tag=\"State.Frozen\")\n");
    file_write(plugin, "storm.yaml", "tags: [State.Shocked]\n");
    for (uint32_t enabled = 0; enabled < 2; enabled++) {
        kn_data *data = data_create();
        assert_int_equal(kn_data_add_folder(data, game), KN_OK);
        if (enabled != 0) {
            assert_int_equal(kn_data_add_folder(data, plugin), KN_OK);
        }
        kn_library *library = data_build(data);
        kn_tag parent = kn_tag_find(library, "State");
        assert_true(kn_tag_matches(library, kn_tag_find(library, "State.Dead"), parent));
        assert_int_equal(
            kn_tag_matches(library, kn_tag_find(library, "State.Frozen"), parent), enabled);
        assert_int_equal(
            kn_tag_matches(library, kn_tag_find(library, "State.Shocked"), parent), enabled);
        kn_library_destroy(library);
        kn_data_destroy(data);
    }
    file_remove(game, "tags.yaml");
    assert_int_equal(rmdir(game), 0);
    file_remove(plugin, "frost.ini");
    file_remove(plugin, "storm.yaml");
    assert_int_equal(rmdir(plugin), 0);
}

static void a_folder_is_read_in_the_order_of_its_paths(void **state)
{
    (void)state;
    char folder[64], below[128], scenarios[128];
    folder_make(folder, sizeof(folder));
    (void)snprintf(below, sizeof(below), "%s/more", folder);
    assert_int_equal(mkdir(below, 0700), 0);
    (void)snprintf(scenarios, sizeof(scenarios), "%s/scenarios", folder);
    assert_int_equal(mkdir(scenarios, 0700), 0);
    file_write(scenarios, "d.yaml", "scenario: defines nothing\n");
    file_write(folder, "b.yaml", "effects: {B: {parent: A}}\n");
    file_write(folder, "a.yml", "effects: {A: {duration: 1}, B: {duration: 2}}\n");
    file_write(folder, "readme.txt", "not: [data\n");
    file_write(folder, ".hidden.yaml", "not: [data\n");
    file_write(below, "c.json", "{\"effects\": {\"C\": {\"parent\": \"B\"}, \"A\": {}}}");
    kn_data *data = data_create();
    assert_int_equal(kn_data_add_folder(data, folder), KN_OK);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    char line[512], expected[512];
    assert_int_equal(kn_data_message_count(data), 2);
    (void)kn_data_message_print(data, 0, line, sizeof(line));
    (void)snprintf(expected, sizeof(expected),
        "%s/b.yaml:1:11: error: effect `B` is defined twice; first in %s/a.yml, line 1", folder,
        folder);
    assert_string_equal(line, expected);
    (void)kn_data_message_print(data, 1, line, sizeof(line));
    (void)snprintf(expected, sizeof(expected),
        "%s/c.json:1:36: error: effect `A` is defined twice; first in %s/a.yml, line 1", below,
        folder);
    assert_string_equal(line, expected);

    // Mended, and built by the same kn_data.
    file_write(folder, "b.yaml", "effects: {B2: {parent: A}}\n");
    file_write(below, "c.json", "{}");
    library = data_build(data);
    assert_int_equal(kn_def_count(library, KN_DEF_EFFECT), 3);
    kn_library_destroy(library);
    kn_data_destroy(data);
    file_remove(scenarios, "d.yaml");
    file_remove(folder, "scenarios");
    file_remove(below, "c.json");
    file_remove(folder, "more");
    file_remove(folder, "a.yml");
    file_remove(folder, "b.yaml");
    file_remove(folder, "readme.txt");
    file_remove(folder, ".hidden.yaml");
    assert_int_equal(rmdir(folder), 0);
}

static void files_that_are_too_large_or_not_to_be_read_say_so(void **state)
{
    (void)state;
    char folder[64], path[128];
    folder_make(folder, sizeof(folder));
    file_write(folder, "large.yaml", "tags: [A]\n");
    (void)snprintf(path, sizeof(path), "%s/large.yaml", folder);
    assert_int_equal(truncate(path, 100 << 20), 0);
    file_write(folder, "secret.yaml", "tags: [A]\n");
    (void)snprintf(path, sizeof(path), "%s/secret.yaml", folder);
    assert_int_equal(chmod(path, 0), 0);
    bool is_secret = access(path, R_OK) != 0; // not for the superuser
    kn_data *data = data_create();
    assert_int_equal(kn_data_add_folder(data, folder), KN_OK);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_error_count(data), is_secret ? 2 : 1);
    assert_non_null(strstr(kn_data_message_at(data, 0).file, "large.yaml"));
    assert_non_null(strstr(kn_data_message_at(data, 0).text, "large"));
    kn_data_destroy(data);
    file_remove(folder, "large.yaml");
    file_remove(folder, "secret.yaml");
    assert_int_equal(rmdir(folder), 0);
}

static void links_that_lead_back_and_pipes_end(void **state)
{
    (void)state;
    char folder[64], below[128], path[192];
    folder_make(folder, sizeof(folder));
    (void)snprintf(below, sizeof(below), "%s/below", folder);
    assert_int_equal(mkdir(below, 0700), 0);
    file_write(folder, "a.yaml", "tags: [A]\n");
    for (uint32_t i = 0; i < 2; i++) { // two would be 2^32 ways
        (void)snprintf(path, sizeof(path), "%s/back%u", below, i);
        assert_int_equal(symlink("..", path), 0);
    }
    (void)snprintf(path, sizeof(path), "%s/pipe.yaml", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    kn_data *data = data_create();
    assert_int_equal(kn_data_add_folder(data, folder), KN_OK);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_error_count(data), 3);
    uint32_t links = 0, pipes = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const char *message = kn_data_message_at(data, i).text;
        links += strcmp(message, "this link leads back to a folder that contains it") == 0;
        pipes += strcmp(message, "this is a pipe or a device, not a file") == 0;
    }
    assert_int_equal(links, 2);
    assert_int_equal(pipes, 1);
    kn_data_destroy(data);
    file_remove(below, "back0");
    file_remove(below, "back1");
    file_remove(folder, "below");
    file_remove(folder, "a.yaml");
    file_remove(folder, "pipe.yaml");
    assert_int_equal(rmdir(folder), 0);
}

// Memory --------------------------------------------------------------------

static const char memory_text[] =
    "tags: [State.A, {State.B: a comment}]\n"
    "redirects: {tags: {Old: State.A}, attributes: {Vitals.HP: Vitals.Health}}\n"
    "common_tags: [State.A]\n"
    "names: [X]\n"
    "settings: {fail_tags: standard, dead_tag: State.A}\n"
    "curves: {C: [[1, 1], [2, 2]]}\n"
    "contexts: {Blow: 8}\n"
    "attribute_sets: {Vitals: {attributes: {Health: {default_value: 5, max: Top}, Top: 10}}}\n"
    "conditions: {Big: {expression: event.magnitude > 1}}\n"
    "requirements: {Low: {expression: level > 1}}\n"
    "effects:\n"
    "  Child: {parent: Base, modifiers: {add: {Vitals.Health: 1}}, granted_tags: {add: State.B}}\n"
    "  Base: {duration: 2 * level, modifiers: {Vitals.Health: level}, granted_tags: [State.A],\n"
    "    application: {target: {query: any_tags(State.A)}}, children: [{type: Child, when: "
    "ended}]}\n"
    "abilities: {Act: {native: any, costs: {Vitals.Health: 1}}}\n"
    "ability_sets: {Kit: {entries: [Act]}}\n"
    "archetypes: {Hero: {sets: Vitals, abilities: [Act], values: {Vitals.Health: 3}}}\n"
    "starting_values: {Hero: {Vitals.Health: [1, 2]}}\n";

// Fails once only: what follows has memory again.
static void *realloc_once(void *user, void *ptr, size_t old_size, size_t new_size)
{
    rich_memory *memory = user;
    if (new_size > old_size && memory->calls + 1 == memory->fail_at) {
        memory->calls++;
        memory->fail_at = 0;
        return NULL;
    }
    return rich_realloc(user, ptr, old_size, new_size);
}

static kn_result build_with(rich_memory *memory, kn_realloc_fn *function, const char *text)
{
    kn_data_def def = kn_data_def_default();
    def.hooks.realloc_fn = function;
    def.hooks.realloc_user = memory;
    kn_data *data;
    kn_result result = kn_data_create(&def, &data);
    if (result != KN_OK) {
        assert_null(data);
        return result;
    }
    kn_ability_def hooks = kn_ability_def_default();
    case_fill_pointers(kn_def_table_of(KN_DEF_ABILITY), &hooks);
    kn_library *library = NULL;
    result = kn_data_add_native(data, KN_DEF_ABILITY, "any", &hooks);
    if (result == KN_OK) {
        result = kn_data_add_text(data, "memory.yaml", text, strlen(text));
    }
    if (result == KN_OK) {
        result = kn_data_add_text(data, "curves.csv", "curve,1,2\nSteep,1,5\n", 20);
    }
    if (result == KN_OK) {
        const char *tags = "+GameplayTagList=(Tag=\"State.C\",DevComment=\"x\")\n";
        result = kn_data_add_text(data, "tags.ini", tags, strlen(tags));
    }
    if (result == KN_OK) {
        result = kn_data_build(data, &library);
        assert_int_equal(result == KN_OK, library != NULL);
    }
    kn_data_destroy(data);
    kn_library_destroy(library);
    return result;
}

static void without_memory_nothing_is_built_and_nothing_leaked(void **state)
{
    (void)state;
    const char *bad = "effects: {A: {perod: 1, granted_tags: [Nix]}, B: {parent: A}, A: }\n";
    const char *texts[] = {memory_text, bad};
    const kn_result results[] = {KN_OK, KN_ERROR_BAD_DATA};
    kn_realloc_fn *const functions[] = {rich_realloc, realloc_once};
    for (size_t i = 0; i < 4; i++) {
        kn_result result = KN_ERROR_OUT_OF_MEMORY;
        for (uint64_t n = 1; result == KN_ERROR_OUT_OF_MEMORY; n++) {
            rich_memory memory = {.fail_at = n};
            result = build_with(&memory, functions[i / 2], texts[i % 2]);
            assert_int_equal(memory.blocks, 0);
            if (result != KN_ERROR_OUT_OF_MEMORY) {
                assert_true(memory.calls < n); // there was memory for everything
            }
        }
        assert_int_equal(result, results[i % 2]);
    }
}

// A comma ends the text of a formula inside brackets: what is left looks strange without a word.
static void a_formula_that_a_comma_cuts_is_told(void **state)
{
    (void)state;
    EXPECT_MESSAGES("attribute_sets: {V: {attributes: {H: 1}}}\n"
                    "effects: {A: {modifiers: {V.H: max(target.V.H, 0)}}}\n",
        "2:46: error: calculation `effect A 1`: expected `)`, not the end; inside `{}` and `[]` "
        "a "
        "formula with commas needs quotes\n"
        "2:48: error: there is no attribute `0)`\n");
    EXPECT_MESSAGES("attribute_sets: {V: {attributes: {H: 1}}}\n"
                    "effects: {A: {modifiers: {V.H: \"max(target.V.H, 0\"}}}\n",
        "2:50: error: calculation `effect A 1`: expected `)`, not the end\n");
}

// An effect that needs a set whose name has so many letters.
static void long_set(char *text, size_t size, size_t letters)
{
    char set[1024];
    memset(set, 'S', letters);
    set[letters] = 0;
    (void)snprintf(text, size,
        "effects: {A: {modifiers: [{attribute: %s.H, magnitude: -1}]}}\n"
        "attribute_sets: {%s: {attributes: {H: 1}}}\n",
        set, letters < 300 ? set : "T");
}

static uint32_t count_errors(const char *messages)
{
    uint32_t count = 0;
    while ((messages = strstr(messages, "error: ")) != NULL) {
        messages++;
        count++;
    }
    return count;
}

// A set that is refused is one mistake, not one more for each use of its attributes.
static void attributes_of_a_set_that_is_refused_are_not_told_too(void **state)
{
    (void)state;
    EXPECT_MESSAGES("effects: {A: {modifiers: {V.H: -1, V.M: 2}}}\n"
                    "attribute_sets: {V: {attributes: {H: {decimals: many}, M: 1}}}\n",
        "2:49: error: expected a whole number from 0 to 255, not `many`\n");
    char text[4096], messages[8192];
    for (size_t letters = 250; letters <= 260; letters++) {
        long_set(text, sizeof(text), letters);
        messages_of(text, messages, sizeof(messages));
        // With the name of the attribute it is too long from 254 on.
        assert_int_equal(count_errors(messages), letters < 254 ? 0 : 1);
    }
    long_set(text, sizeof(text), 1000);
    messages_of(text, messages, sizeof(messages));
    assert_int_equal(count_errors(messages), 1);
    assert_non_null(strstr(messages, "1:39: error: there is no attribute `SSSS"));
    // Without a set there is nothing to look for.
    EXPECT_MESSAGES("effects: {A: {modifiers: {H: -1}}}\n"
                    "attribute_sets: {H: {attributes: {H: 1}}}\n",
        "1:27: error: there is no attribute `H`; did you mean `H.H`?\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(attributes_of_a_set_that_is_refused_are_not_told_too),
    cmocka_unit_test(sections_of_the_wrong_shape_are_refused),
    cmocka_unit_test(wrong_types_are_refused_at_every_field),
    cmocka_unit_test(unknown_keys_are_refused_at_every_level),
    cmocka_unit_test(circles_of_parents_are_told),
    cmocka_unit_test(what_was_meant_is_proposed),
    cmocka_unit_test(chains_of_parents_are_long_but_not_endless),
    cmocka_unit_test(truncated_files_never_build_something_else),
    cmocka_unit_test(line_ends_and_a_byte_order_mark_do_not_matter),
    cmocka_unit_test(an_empty_file_is_an_empty_library),
    cmocka_unit_test(bad_bytes_bombs_and_circles_of_aliases_are_refused),
    cmocka_unit_test(a_hundred_thousand_mistakes_are_counted_and_some_told),
    cmocka_unit_test(two_hundred_mistakes_of_all_kinds_are_all_told),
    cmocka_unit_test(more_tags_than_there_can_be_are_one_mistake),
    cmocka_unit_test(a_file_of_fifteen_megabytes_is_answered),
    cmocka_unit_test(links_that_lead_back_and_pipes_end),
    cmocka_unit_test(a_scenario_among_data_files_is_one_mistake),
    cmocka_unit_test(what_is_allowed_is_told),
    cmocka_unit_test(a_file_of_unknown_names_does_not_take_forever),
    cmocka_unit_test(missing_files_and_folders_are_messages),
    cmocka_unit_test(files_do_not_stay_open),
    cmocka_unit_test(the_folder_of_a_plugin_brings_all_its_tags),
    cmocka_unit_test(a_folder_is_read_in_the_order_of_its_paths),
    cmocka_unit_test(files_that_are_too_large_or_not_to_be_read_say_so),
    cmocka_unit_test(without_memory_nothing_is_built_and_nothing_leaked),
    cmocka_unit_test(a_formula_that_a_comma_cuts_is_told),
};

TEST_GROUP(data_mistakes, tests, NULL, NULL);
