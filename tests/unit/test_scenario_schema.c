// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The JSON Schema says of scenarios what the loader says: every scenario of the repository
// validates, what the loader refuses for its shape is refused, and documents made at random from
// the schema load, or fail for what they say only. The manual names every key.

#define _POSIX_C_SOURCE 200809L

#include "data/scenario_tables.h"
#include "schema_validator.h"

#ifdef KNACK_COMBAT
#include "knack/combat.h"
#endif

#ifdef KNACK_ORDER
#include "knack/order_produce.h"
#endif
#ifdef KNACK_RTS
#include "knack/rts.h"
#endif

#include <glob.h>

// Everything is called A or B.
#define KIT                                                                                        \
    "library:\n"                                                                                   \
    "  tags: [A, B, Set.A, Set.B, Some.A, Some.B, GameplayCue]\n"                                  \
    "  names: [A, B]\n"                                                                            \
    "  attribute_sets: {A: {attributes: {A: 1, B: 2}}, Set: {attributes: {A: 5, B: 6}}}\n"         \
    "  effects: {A: {duration: 5, modifiers: {Set.A: 1}}, B: {modifiers: {Set.B: 1}}}\n"           \
    "  abilities: {A: , B: }\n"                                                                    \
    "  values: {A: }\n"                                                                            \
    "  event_kinds: {A: }\n"                                                                       \
    "  containers: {A: {effects: [B]}}\n"                                                          \
    "  ability_sets: {A: {entries: [A, B]}}\n"                                                     \
    "  archetypes: {A: {sets: [Set], abilities: [A]}, B: {sets: [Set]}}\n"
#define CAST "entities: {A: {archetype: A}, B: {archetype: B}}\n"

static const char *const words[] = {
    "A", "B", "A", "B", "A", "B", "Set.A", "Some.A", "250ms", "0x12", "1/30 s", "forever", "5%"};
#define WORDS (sizeof(words) / sizeof(*words))

static kn_time fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)data;
    return 0;
}

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    kn_timer_type_id timer;
    return kn_timer_type_register(library, "A", fire, NULL, &timer, error);
}

static kn_result load(const char *text, kn_scenario **scenario)
{
    kn_scenario_def def = kn_scenario_def_default();
    def.prepare = prepare;
    return kn_scenario_load_text(&def, "t.yaml", text, strlen(text), scenario);
}

// Documents that are there ------------------------------------------------------

#if defined(KNACK_COMBAT) || defined(KNACK_ORDER)
// The schema of scenarios whose library has a kit.
static kn_result write_kit_schema(kn_kit_fn *kit, char *text, size_t size, size_t *written)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    kn_result result = kn_library_create(&def, &library);
    result = result == KN_OK ? kit(library, NULL) : result;
    result =
        result == KN_OK ? kn_scenario_write_library_schema(library, text, size, written) : result;
    kn_library_destroy(library);
    return result;
}
#endif

#ifdef KNACK_COMBAT
static kn_result write_combat_schema(char *text, size_t size, size_t *written)
{
    return write_kit_schema(kn_combat_register, text, size, written);
}
#endif

#ifdef KNACK_ORDER
static kn_result write_order_schema(char *text, size_t size, size_t *written)
{
    return write_kit_schema(kn_order_register, text, size, written);
}

// All that content on the order kit may have.
static kn_result register_content(kn_library *library, kn_error *error)
{
    kn_result result = kn_order_register(library, error);
    result = result == KN_OK ? kn_order_produce_register(library, error) : result;
#ifdef KNACK_RTS
    result = result == KN_OK ? kn_rts_register(library, error) : result;
#endif
    return result;
}

static kn_result write_content_schema(char *text, size_t size, size_t *written)
{
    return write_kit_schema(register_content, text, size, written);
}
#endif

static const struct {
    const char *word; // that files have
    schema_write_fn *write;
} kits[] = {
#ifdef KNACK_COMBAT
    {"kits: [combat]", write_combat_schema},
#endif
#ifdef KNACK_ORDER
    {"kits: [order]", write_order_schema},
    {"libraries: ..", write_content_schema},
#endif
    {NULL, NULL},
};

#define KIT_COUNT (sizeof(kits) / sizeof(*kits))

// `of_kits` has the schema of each of them.
static void check_file(const kni_document *schema, kni_document *const *of_kits, const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    static char text[256 * 1024];
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    assert_int_equal(fclose(file), 0);
    assert_true(size > 0 && size < sizeof(text) - 1);
    text[size] = 0;
    bool is_known = strstr(text, "kits: [") == NULL;
    for (size_t i = 0; i < KIT_COUNT; i++) {
        if (kits[i].word != NULL && strstr(text, kits[i].word) != NULL) {
            schema = of_kits[i];
            is_known = true;
        }
    }
    // Nothing here knows the sections of others.
    if (is_known && !text_validates(schema, text)) {
        fail_msg("%s", path);
    }
}

static void every_scenario_of_the_repository_validates(void **state)
{
    static const char *const patterns[] = {KNACK_ROOT "/tests/scenario_files/*.yaml",
        KNACK_ROOT "/content/*/scenarios/*.yaml", KNACK_ROOT "/content/*/*/scenarios/*.yaml",
        KNACK_ROOT "/tools/knack/starter/scenarios/*.yaml"};
    check_keywords(kni_document_root(*state));
    kni_document *of_kits[KIT_COUNT] = {NULL};
    for (size_t i = 0; i < KIT_COUNT; i++) {
        of_kits[i] = kits[i].write != NULL ? schema_document(kits[i].write) : NULL;
    }
    size_t count = 0;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
        glob_t found;
        assert_int_equal(glob(patterns[i], 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++) {
            check_file(*state, of_kits, found.gl_pathv[k]);
        }
        count += found.gl_pathc;
        globfree(&found);
    }
    assert_true(count > 20);
    for (size_t i = 0; i < KIT_COUNT; i++) {
        kni_document_destroy(of_kits[i]);
    }
}

// Some of them are about orders.
static void the_examples_of_the_manual_validate(void **state)
{
    (void)state;
#ifdef KNACK_ORDER
    kni_document *schema = schema_document(write_order_schema);
    examples_validate(schema, KNACK_ROOT "/docs/scenarios.md", "timeline:\n", 5);
    kni_document_destroy(schema);
#endif
}

// The manual --------------------------------------------------------------------

// Whether a word stands in the manual as code: `word`, or `word: ...`.
static void expect_in_manual(const char *manual, const char *word)
{
    char code[64];
    for (const char *end = "`: ,"; *end != 0; end++) {
        (void)snprintf(code, sizeof(code), "`%s%c", word, *end);
        if (strstr(manual, code) != NULL) {
            return;
        }
    }
    fail_msg("docs/scenarios.md does not name `%s`", word);
}

static void the_manual_names_every_key(void **state)
{
    (void)state;
    static char manual[128 * 1024];
    FILE *file = fopen(KNACK_ROOT "/docs/scenarios.md", "r");
    assert_non_null(file);
    manual[fread(manual, 1, sizeof(manual) - 1, file)] = 0;
    assert_int_equal(fclose(file), 0);
    for (uint32_t i = 0; i < KNI_KEY_COUNT_OF_KEYS; i++) {
        assert_non_null(kni_keys[i].name);
        assert_non_null(kni_keys[i].doc);
        expect_in_manual(manual, kni_keys[i].name);
    }
    for (uint32_t i = 0; i < KNI_VERB_COUNT; i++) {
        assert_true(strlen(kni_verbs[i].doc) > 0);
        expect_in_manual(manual, kni_verbs[i].name);
    }
    for (uint32_t i = 0; i < (uint32_t)KNI_VERB_COUNT + (uint32_t)KNI_FORM_COUNT; i++) {
        const kni_form_info *form =
            i < KNI_VERB_COUNT ? &kni_verbs[i] : &kni_forms[i - KNI_VERB_COUNT];
        for (uint32_t k = 0; form->keys[k] != KNI_KEYS_END; k++) {
            // A key by name is the first of that name.
            assert_int_equal(kni_form_key(form, kni_keys[form->keys[k]].name), form->keys[k]);
        }
    }
    for (uint32_t i = 0; i < KNI_FIELD_COUNT; i++) {
        assert_true(strlen(kni_fields[i].doc) > 0);
        expect_in_manual(manual, kni_fields[i].name);
    }
}

// Reasons -------------------------------------------------------------------------

// The words of C as the page of the scripts lists them: "by_call"|"dispelled" ...
static void expect_words(
    const char *page, const char *line, const char *(*name)(uint32_t), uint32_t count)
{
    char list[1024];
    case_text out = {list, sizeof(list), 0};
    case_put(&out, "- %s: `", line);
    for (uint32_t i = 0; i < count; i++) {
        const char *word = name(i);
        char plain[64];
        (void)snprintf(plain, sizeof(plain), "%s", word);
        for (char *at = plain; *at != 0; at++) {
            *at = *at == ' ' ? '_' : *at;
        }
        if (word[0] != 0) {
            case_put(&out, "%s\"%s\"", list[out.length - 1] == '`' ? "" : "|", plain);
        }
    }
    case_put(&out, "`\n");
    if (strstr(page, list) == NULL) {
        fail_msg("docs/lua-api.md has not %s", list);
    }
}

static const char *removal_name(uint32_t i)
{
    return kn_removal_reason_name((kn_removal_reason)i);
}

static const char *end_name(uint32_t i)
{
    return kn_end_reason_name((kn_end_reason)i);
}

static const char *fail_name(uint32_t i)
{
    return kn_fail_name((kn_fail)(1 << i));
}

static void reasons_have_one_word_in_c_scripts_and_scenarios(void **state)
{
    (void)state;
    static char page[256 * 1024];
    FILE *file = fopen(KNACK_ROOT "/docs/lua-api.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof(page) - 1, file)] = 0;
    assert_int_equal(fclose(file), 0);
    expect_words(page, "kn.removal_reason", removal_name, KN_REMOVAL_REASON_COUNT);
    expect_words(page, "kn.end_reason", end_name, KN_END_REASON_COUNT);
    expect_words(page, "kn.fail", fail_name, KN_FAIL_COUNT);
    kni_words fails;
    kni_words_of(KNI_WORDS_FAIL, &fails);
    assert_int_equal(fails.count, KN_FAIL_COUNT);
    for (uint32_t i = 0; i < fails.count; i++) {
        assert_string_equal(fails.items[i], fail_name(i));
    }
    assert_string_equal(kn_fail_name((kn_fail)(KN_FAIL_COST | KN_FAIL_DEAD)), "");
    assert_string_equal(kn_fail_name((kn_fail)0), "");
    assert_string_equal(kn_fail_name((kn_fail)(1 << KN_FAIL_COUNT)), "");
}

// Events --------------------------------------------------------------------------

static void every_event_has_one_row(void **state)
{
    (void)state;
    uint32_t next = 0;
    for (uint32_t i = 0; i < kni_event_row_count; i++) {
        assert_int_equal(kni_event_rows[i].first, next);
        assert_true(kni_event_rows[i].last >= kni_event_rows[i].first);
        next = (uint32_t)kni_event_rows[i].last + 1;
    }
    assert_int_equal(next, KN_EVENT_TYPE_COUNT);
    for (uint32_t type = 0; type < KN_EVENT_TYPE_COUNT; type++) {
        const kni_event_row *row = kni_event_row_of(type);
        assert_true(type >= (uint32_t)row->first && type <= (uint32_t)row->last);
    }
}

// Refused by both -----------------------------------------------------------------

static void the_loader_and_the_schema_refuse_alike(void **state)
{
    static const char *const bad[] = {
        "- 1\n",
        KIT "timelime: []\n",
        KIT "timeline: {}\n",
        KIT "timeline: [now]\n",
        KIT "timeline: [{when: 1}]\n",
        KIT "timeline: [{at: soon}]\n",
        KIT "timeline: [{at: -1}]\n",
        KIT "timeline: [{at: 1, every: 2}]\n",
        KIT "timeline: [{at: 1, after: 2}]\n",
        KIT "timeline: [{at: 1, until: 2}]\n",
        KIT "timeline: [{do: 5}]\n",
        KIT "expect: yes\n",
        KIT "events: {}\n",
        KIT "measure: []\n",
        KIT "variants: 1\n",
        KIT "world: fast\n",
        KIT "world: {sed: 1}\n",
        KIT "world: {seed: -1}\n",
        KIT "world: {step: 1/0 s}\n",
        KIT "world: {grid: maybe}\n",
        KIT "world: {grid: 0}\n",
        KIT "check: sync\n",
        KIT "check: [sink]\n",
        KIT "scenario: []\n",
        KIT "hash: 0xyz\n",
        KIT "hash: {hash: 0x1}\n",
        KIT "expect: [{hash: 1.5}]\n",
        KIT "end: -1\n",
        "library: [1]\n",
        "library: {efects: {}}\n",
        KIT "entities: {A: 5}\n",
        KIT "entities: {A: {archtype: A}}\n",
        KIT "entities: {A: {attributes: {Set.A: {above: 1}}}}\n",
        KIT "entities: {A: {attributes: {Set.A: much}}}\n",
        KIT "entities: {A: {effects: {A: {input: 1}}}}\n",
        KIT "entities: {A: {abilities: {A: {levl: 1}}}}\n",
        KIT "entities: {A: {tags: {A: -1}}}\n",
        KIT "world: {grid: true}\nentities: {A: {position: [1, 2]}}\n",
        KIT CAST "timeline: [{do: [{aply: {effect: A, to: A}}]}]\n",
        KIT CAST "timeline: [{do: [{apply: {effect: A, tp: A, to: A}}]}]\n",
        KIT CAST "timeline: [{do: [{apply: {effect: A}}]}]\n",
        KIT CAST "timeline: [{do: [{apply: {to: A}}]}]\n",
        KIT CAST "timeline: [{do: [{apply: A}]}]\n",
        KIT CAST "timeline: [{do: [{apply: {effect: A, to: A, expect: blokked}}]}]\n",
        KIT CAST "timeline: [{do: [{apply: {effect: A, to: A, times: 10001}}]}]\n",
        KIT CAST "timeline: [{do: [{apply: {effect: A, to: A, level: high}}]}]\n",
        KIT CAST "timeline: [{do: [{apply: {effect: A, to: A, duration: long}}]}]\n",
        KIT CAST "timeline: [{do: [{grant: {entity: A}}]}]\n",
        KIT CAST "timeline: [{do: [{cue: {entity: A, cue: GameplayCue, action: show}}]}]\n",
        KIT CAST "expect: [{attribute: Set.A, value: 1}]\n",
        KIT CAST "expect: [{entity: A, attribute: Set.A, value: many}]\n",
        KIT CAST "expect: [{entity: A, attribute: Set.A, value: 1, tolerance: -1}]\n",
        KIT CAST "expect: [{entity: A, attributes: {Set.A: {val: 1}}}]\n",
        KIT CAST "expect: [{entity: A, ability: A, active: perhaps}]\n",
        KIT CAST "expect: [{event: ability failled}]\n",
        KIT CAST "events: [{entity: A}]\n",
        KIT CAST "cues: [{entity: A}]\n",
        KIT CAST "measure: {x: {entity: A, attribute: Set.A}}\n",
        KIT CAST "measure: {x: {entity: A, attribute: Set.A, take: all}}\n",
        KIT CAST "variants: {fast: {entity: {}}}\n",
        KIT CAST "variants: {fast: {world: {start: 1}}}\n",
        KIT CAST "never: [{event: tag changed, attribute: Set.A}]\n",
        KIT CAST "events: [{event: tag changed, happened: 1}]\n",
        KIT CAST "expect: [{event: effect removed, reason: ended}]\n",
        KIT CAST "measure: {x: {event: tag changed, take: sum}}\n",
        KIT "tolerance: -1\n",
        KIT "tolerance: some\n",
        KIT CAST "timeline: [{do: [{apply: {effect: A, to: A, payload: {f32: 1}}}]}]\n",
        KIT CAST "timeline: [{do: [{relate: {entity: A, owner: [B]}}]}]\n",
        KIT CAST "variants: {fast: {entities: {A: }}}\n",
    };
    kn_scenario *good;
    assert_true(text_validates(*state, KIT CAST));
    assert_int_equal(load(KIT CAST, &good), KN_OK);
    kn_scenario_destroy(good);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        if (text_validates(*state, bad[i])) {
            fail_msg("the schema allows %s", bad[i]);
        }
        kn_scenario *scenario;
        if (load(bad[i], &scenario) != KN_ERROR_BAD_DATA) {
            fail_msg("the loader allows %s", bad[i]);
        }
        kn_scenario_destroy(scenario);
    }
}

// Random documents ----------------------------------------------------------------

// Sentences about the shape of a document, which a valid one never brings.
static bool is_about_shape(const char *message)
{
    static const char *const parts[] = {"there is no key", "there is no action",
        "there is no section", "there is no setting", "there is no type of event",
        "there is no result", "there is no reason to remove", "there is no origin",
        "there is no part", "there is no way", "there is no number", "there is no check",
        "a tolerance is", "only one of `at`", "belong to `every`"};
    bool found = strncmp(message, "expected ", 9) == 0 && strstr(message, "compare with") == NULL;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        found |= strstr(message, parts[i]) != NULL;
    }
    // A type or an attribute needs an entity, a name does not: a schema cannot express that.
    bool needs = strstr(message, " needs `") != NULL &&
                 strstr(message, " needs `entity`") == NULL &&
                 strstr(message, "`attribute` and `entity`") == NULL;
    return found || needs;
}

// A scenario with one section, or one action, at random.
static void write_scenario(const kni_document *schema, uint32_t number, writer *w)
{
    kni_node root = kni_document_root(schema);
    kni_node sections = kni_node_get(root, "properties");
    kni_node section = child_at(sections, number / 2 % kni_node_count(sections));
    const char *key = kni_node_key(section);
    bool is_world = number % 2 == 1 && strcmp(key, "world") == 0;
    case_put(&w->text, "%s%s", KIT, is_world ? "" : "world: {grid: true}\n");
    if (number % 2 == 0) {
        kni_node action = kni_node_get(kni_node_get(root, "$defs"), "action");
        kni_node verbs = kni_node_get(action, "properties");
        kni_node verb = child_at(verbs, number / 2 % kni_node_count(verbs));
        case_put(&w->text, CAST "timeline: [{do: [{%s: ", kni_node_key(verb));
        write_random(w, verb, kni_node_key(verb), 0);
        case_put(&w->text, "}]}]\n");
    } else if (strcmp(key, "library") != 0) {
        case_put(&w->text, "%s%s: ", strcmp(key, "entities") == 0 ? "" : CAST, key);
        write_random(w, section, key, 0);
        case_put(&w->text, "\n");
    }
}

static void random_valid_scenarios_fail_for_what_they_say_only(void **state)
{
    static char text[256 * 1024];
    uint32_t loaded = 0, left_out = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        writer w = {{text, sizeof(text), 0}, i * 2654435761u, words, WORDS};
        write_scenario(*state, i, &w);
        if (!text_validates(*state, text)) {
            // Which keys exclude each other is not looked at when it is written.
            assert_non_null(strstr(text, "timeline: [{"));
            left_out++;
            continue;
        }
        kn_scenario *scenario;
        bool is_good = load(text, &scenario) == KN_OK;
        assert_non_null(scenario);
        for (uint32_t m = 0; m < kn_scenario_message_count(scenario); m++) {
            if (is_about_shape(kn_scenario_message_at(scenario, m).text)) {
                fail_msg("%u: %u: %s\n%s", i, kn_scenario_message_at(scenario, m).column,
                    kn_scenario_message_at(scenario, m).text, text);
            }
        }
        kn_scenario_run_def def = kn_scenario_run_def_default();
        kn_scenario_run *run = NULL;
        if (is_good) {
            assert_int_equal(kn_scenario_run_create(scenario, &def, &run), KN_OK);
            assert_int_equal(kn_scenario_run_until(run, KN_S(1)), KN_OK);
            loaded++;
        }
        kn_scenario_run_destroy(run);
        kn_scenario_destroy(scenario);
    }
    assert_true(loaded > 500);
    assert_true(left_out < 100);
}

static void every_key_has_help_without_names_of_c(void **state)
{
    check_help(kni_document_root(*state), false);
}

static int setup(void **state)
{
    *state = schema_document(kn_scenario_write_schema);
    return 0;
}

static int teardown(void **state)
{
    kni_document_destroy(*state);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_scenario_of_the_repository_validates),
    cmocka_unit_test(the_examples_of_the_manual_validate),
    cmocka_unit_test(the_manual_names_every_key),
    cmocka_unit_test(every_key_has_help_without_names_of_c),
    cmocka_unit_test(reasons_have_one_word_in_c_scripts_and_scenarios),
    cmocka_unit_test(every_event_has_one_row),
    cmocka_unit_test(the_loader_and_the_schema_refuse_alike),
    cmocka_unit_test(random_valid_scenarios_fail_for_what_they_say_only),
};

TEST_GROUP(test_scenario_schema, tests, setup, teardown);
