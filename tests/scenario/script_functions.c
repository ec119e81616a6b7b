// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions that a game gives to scripts: every kind of argument and result, refusals and errors,
// names that are taken, and what the reference says of them.

#include "group.h"

#include <knack/script.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char printed[4096];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s;", entry->message);
}

// One of each kind.
typedef struct plenty {
    bool flag;
    uint32_t count;
    int32_t change;
    int64_t large;
    float number;
    kn_time time;
    kn_vec3 place;
} plenty;

static const kn_def_field plenty_fields[] = {
    KN_DEF_F(plenty, flag, KN_FIELD_BOOL, "A flag."),
    KN_DEF_F(plenty, count, KN_FIELD_U32, NULL),
    KN_DEF_F(plenty, change, KN_FIELD_I32, NULL),
    KN_DEF_F(plenty, large, KN_FIELD_I64, NULL),
    KN_DEF_F(plenty, number, KN_FIELD_F32, NULL),
    KN_DEF_F(plenty, time, KN_FIELD_TIME, NULL),
    KN_DEF_F(plenty, place, KN_FIELD_VEC3, NULL),
};
static const kn_def_table plenty_table = {"plenty", sizeof(plenty), plenty_fields, 7, NULL};

static kn_result echo_plenty(void *user, const kn_function_call *call)
{
    assert_string_equal(user, "mine");
    assert_null(call->writable);
    memcpy(call->results, call->arguments, sizeof(plenty));
    return KN_OK;
}

typedef struct names {
    kn_entity_id entity;
    kn_effect_id effect;
    const char *text;
    kn_tag tag;
    kn_attribute_id attribute;
    kn_effect_type_id type;
    struct {
        uint32_t index1;
    } own;
    uint32_t word;
} names;

static const char *const words[] = {"north", "south"};
static const kn_def_field names_fields[] = {
    KN_DEF_F(names, entity, KN_FIELD_ENTITY, NULL),
    KN_DEF_F(names, effect, KN_FIELD_EFFECT, NULL),
    KN_DEF_F(names, text, KN_DEF_FIELD_STRING, NULL),
    KN_DEF_F(names, tag, KN_FIELD_TAG, NULL),
    KN_DEF_F(names, attribute, KN_FIELD_ATTRIBUTE, NULL),
    KN_DEF_F_REF(names, type, KN_DEF_EFFECT, NULL),
    KN_DEF_F_KIND(names, own, "ship", NULL),
    KN_DEF_F_ENUM(names, word, words, NULL),
};
static const kn_def_table names_table = {"names", sizeof(names), names_fields, 8, NULL};

static kn_result echo_names(void *user, const kn_function_call *call)
{
    (void)user;
    memcpy(call->results, call->arguments, sizeof(names));
    return KN_OK;
}

typedef struct sail_options {
    float speed;
    kn_tags tags;
} sail_options;

typedef struct sail_arguments {
    kn_entity_id entity;
    uint32_t miles;
    sail_options options;
} sail_arguments;

static void sail_options_init(void *options)
{
    ((sail_options *)options)->speed = 5.0f;
}

static void sail_init(void *arguments)
{
    ((sail_arguments *)arguments)->miles = 100;
}

static const kn_def_field option_fields[] = {
    KN_DEF_F(sail_options, speed, KN_FIELD_F32, "in knots; default 5"),
    KN_DEF_F(sail_options, tags, KN_DEF_FIELD_TAGS, "describe it"),
};
static const kn_def_table option_table = {
    "sail_options", sizeof(sail_options), option_fields, 2, sail_options_init};
static const kn_def_field sail_fields[] = {
    KN_DEF_F(sail_arguments, entity, KN_FIELD_ENTITY, NULL),
    KN_DEF_F(sail_arguments, miles, KN_FIELD_U32, "How far; default 100."),
    KN_DEF_F_STRUCT(sail_arguments, options, &option_table, NULL),
};
static const kn_def_table sail_table = {
    "sail_arguments", sizeof(sail_arguments), sail_fields, 3, sail_init};

typedef struct sail_result {
    uint32_t miles, given, tags;
    float speed;
} sail_result;

static const kn_def_field sail_result_fields[] = {
    KN_DEF_F(sail_result, miles, KN_FIELD_U32, NULL),
    KN_DEF_F(sail_result, speed, KN_FIELD_F32, NULL),
    KN_DEF_F(sail_result, tags, KN_FIELD_U32, NULL),
    KN_DEF_F(sail_result, given, KN_FIELD_U32, NULL),
};
static const kn_def_table sail_result_table = {
    "sail_result", sizeof(sail_result), sail_result_fields, 4, NULL};

static kn_result ship_sail(void *user, const kn_function_call *call)
{
    (void)user;
    const sail_arguments *a = call->arguments;
    assert_non_null(call->writable);
    if (a->miles == 0) {
        return KN_REFUSED_COST;
    }
    if (a->miles > 1000) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *(sail_result *)call->results =
        (sail_result){a->miles, call->given, a->options.tags.count, a->options.speed};
    return KN_OK;
}

typedef struct rigging {
    uint32_t sails; // bits
} rigging;

static const char *const sail_words[] = {"main", "fore", "top"};
static const kn_def_field count_only_fields[] = {KN_DEF_F(rigging, sails, KN_FIELD_U32, NULL)};
static const kn_def_table count_only_table = {
    "count_only", sizeof(rigging), count_only_fields, 1, NULL};
static const kn_def_field rigging_fields[] = {
    KN_DEF_F_FLAGS(rigging, sails, sail_words, "Those that are set."),
};
static const kn_def_table rigging_table = {"rigging", sizeof(rigging), rigging_fields, 1, NULL};

static kn_result ship_rig(void *user, const kn_function_call *call)
{
    (void)user;
    memcpy(call->results, call->arguments, sizeof(rigging));
    return KN_OK;
}

// A list of numbers from 1; `sea.logs` the same as tables.
static kn_result ship_count(void *user, const kn_function_call *call)
{
    (void)user;
    assert_null(call->results);
    const plenty *a = call->arguments;
    for (uint32_t i = 1; i <= a->count; i++) {
        plenty element = {.count = i, .number = (float)i / 2.0f};
        kn_function_add(call, &element);
    }
    return a->flag ? KN_REFUSED_LIMIT : KN_OK;
}

static const kn_def_field count_fields[] = {
    KN_DEF_F(plenty, count, KN_FIELD_U32, NULL),
    KN_DEF_F(plenty, flag, KN_FIELD_BOOL, NULL),
};
static const kn_def_table count_table = {"count_arguments", sizeof(plenty), count_fields, 2, NULL};
static const kn_def_field log_fields[] = {
    KN_DEF_F(plenty, count, KN_FIELD_U32, "Its number."),
    KN_DEF_F(plenty, number, KN_FIELD_F32, "Half of it."),
};
static const kn_def_table log_table = {"ship_log", sizeof(plenty), log_fields, 2, NULL};

// Lets a condition of the script run inside: it calls functions with lists of its own.
static kn_result ship_ring(void *user, const kn_function_call *call)
{
    (void)user;
    const names *a = call->arguments;
    plenty element = {.count = 7};
    kn_function_add(call, &element);
    kn_event_record record = kn_event_record_default();
    record.target = a->entity;
    bool holds = kn_condition_holds(
        call->world, kn_condition_find(kn_world_library(call->world), "Bell"), &record);
    element.count = holds ? 8 : 0;
    kn_function_add(call, &element);
    return KN_OK;
}

static const kn_def_field ring_fields[] = {
    KN_DEF_F(names, entity, KN_FIELD_ENTITY, NULL),
};
static const kn_def_table ring_table = {"ring_arguments", sizeof(names), ring_fields, 1, NULL};

typedef struct ship_def {
    const char *name;
} ship_def;

static const kn_def_field ship_fields[] = {
    KN_DEF_F(ship_def, name, KN_DEF_FIELD_STRING, "Unique name."),
};
static const kn_def_table ship_table = {"ship_def", sizeof(ship_def), ship_fields, 1, NULL};

typedef struct fixture {
    kn_library *library;
    kn_script *script;
    kn_world *world;
    kn_entity_id entity;
    kn_system_id system;
} fixture;

static kn_result function_add(kn_library *library, const char *name, kn_function_fn *function,
    const kn_def_table *arguments, uint32_t required, const kn_def_table *results,
    kn_function_form form, uint32_t flags, kn_error *error)
{
    kn_function_def def = kn_function_def_default();
    def.name = name;
    def.text = "Does what it says.";
    def.arguments = arguments;
    def.required = required;
    def.results = results;
    def.form = form;
    def.flags = flags;
    def.function = function;
    def.user = (void *)(uintptr_t) "mine";
    return kn_function_register(library, &def, error);
}

#define BOTH (KN_FUNCTION_CHANGES | KN_FUNCTION_REFUSES)

static kn_result functions_register(kn_library *library, kn_error *error)
{
    kn_result results[] = {
        function_add(library, "sea.echo", echo_plenty, &plenty_table, 7, &plenty_table,
            KN_FUNCTION_TABLE, 0, error),
        function_add(library, "entity:echo_names", echo_names, &names_table, 1, &names_table,
            KN_FUNCTION_VALUES, 0, error),
        function_add(library, "entity:sail", ship_sail, &sail_table, 1, &sail_result_table,
            KN_FUNCTION_VALUES, BOTH, error),
        function_add(library, "sea.count", ship_count, &count_table, 1, &log_table,
            KN_FUNCTION_VALUE_LIST, KN_FUNCTION_REFUSES, error),
        function_add(library, "sea.logs", ship_count, &count_table, 1, &log_table, KN_FUNCTION_LIST,
            0, error),
        function_add(library, "sea.rig", ship_rig, &count_only_table, 1, &rigging_table,
            KN_FUNCTION_TABLE, 0, error),
        function_add(library, "sea.ring", ship_ring, &ring_table, 1, &log_table,
            KN_FUNCTION_VALUE_LIST, BOTH, error),
    };
    for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++) {
        if (results[i] != KN_OK) {
            return results[i];
        }
    }
    return KN_OK;
}

static kn_library *library_create(void)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    static const char *const tags[] = {"Sea.North", "Sea.Bell"};
    kn_tag ids[2];
    assert_int_equal(kn_tag_register_module(library, "Test", tags, 2, ids, &error), KN_OK);
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "ship";
    kind.section = "ships";
    kind.table = &ship_table;
    kn_def_kind ship;
    assert_int_equal(kn_kind_register(library, &kind, &ship, &error), KN_OK);
    ship_def pinta = {"Pinta"};
    uint32_t index1;
    assert_int_equal(kn_def_register(library, ship, &pinta, &index1, &error), KN_OK);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Wet";
    effect.duration_kind = KN_DURATION_INFINITE;
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(library, &effect, &type, &error), KN_OK);
    return library;
}

// Runs the body of a function of a system, which has `e`, an entity with the effect `f`.
static void run(const char *body)
{
    fixture f = {.library = library_create()};
    kn_error error = {0};
    kn_result result = functions_register(f.library, &error);
    if (result != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_script_def def = kn_script_def_default();
    def.hooks.log_fn = log_line;
    result = kn_script_create(f.library, &def, &f.script, &error);
    if (result != KN_OK) {
        fail_msg("%s", error.message);
    }
    static char text[4096];
    (void)snprintf(text, sizeof(text),
        "system 'Run' { run = function(self, dt)\n"
        "local e = world.entities()[1]\n"
        "local f = e:effects({})[1]\n%s\nend }\n"
        "condition 'Bell' { test = function(record, magnitude)\n"
        "    print(#sea.count(3), sea.logs(2)[2].count)\n"
        "    return true\n"
        "end }\n",
        body);
    result = kn_script_load(f.script, "t.lua", text, strlen(text), &error);
    if (result != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_system_def system = kn_system_def_default();
    system.name = "Run";
    system.rate = 100;
    assert_int_equal(kn_script_bind_system(f.script, "Run", &system, &error), KN_OK);
    assert_int_equal(kn_system_register(f.library, &system, &f.system, &error), KN_OK);
    kn_script_condition bell;
    assert_int_equal(kn_script_bind_condition(f.script, "Bell", &bell, &error), KN_OK);
    kn_condition_id condition;
    assert_int_equal(
        kn_condition_register(f.library, "Bell", bell.function, bell.user, &condition, &error),
        KN_OK);
    assert_int_equal(kn_library_finish(f.library, &error), KN_OK);
    kn_world_def world = kn_world_def_default();
    world.library = f.library;
    assert_int_equal(kn_world_create(&world, &f.world), KN_OK);
    assert_int_equal(kn_entity_create(f.world, &f.entity), KN_OK);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = kn_effect_type_find(f.library, "Wet");
    apply.target = f.entity;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f.world, &apply, &effect), KN_OK);
    printed[0] = 0;
    assert_int_equal(kn_world_step(f.world, KN_MS(10)), KN_OK);
    kn_world_destroy(f.world);
    kn_script_destroy(f.script);
    kn_library_destroy(f.library);
}

static void expect_run(const char *body, const char *expected)
{
    run(body);
    assert_string_equal(printed, expected);
}

static void expect_error(const char *body, const char *expected)
{
    run(body);
    if (strstr(printed, expected) == NULL) {
        fail_msg("%s", printed);
    }
}

static void arguments_arrive_and_results_come_back(void **state)
{
    (void)state;
    expect_run("local r = sea.echo(true, 4000000000, -7, -9000000000, 1.5, 0.25,\n"
               "    { x = 1, y = 2, z = 3 })\n"
               "print(r.flag, r.count, r.change, r.large, r.number, r.time, r.place.z)",
        "true\t4000000000\t-7\t-9000000000\t1.5\t0.25\t3.0;");
    expect_run("local a, b, c, d, g, h, i, j = e:echo_names(f, 'hello', 'Sea.North', nil, 'Wet',\n"
               "    'Pinta', 'south')\n"
               "print(a == e, b == f, c, d, g, h, i, j)",
        "true\ttrue\thello\tSea.North\tnil\tWet\tPinta\tsouth;");
    expect_run("print(select('#', e:echo_names()), select(2, e:echo_names()))",
        "8\tnil\tnil\tnil\tnil\tnil\tnil\tnorth;");
}

// All of them: one bit in many would be lost otherwise.
static void bits_come_back_as_a_list_of_their_words(void **state)
{
    (void)state;
    expect_run("print(table.concat(sea.rig(5).sails, ' '), #sea.rig(0).sails)", "main top\t0;");
    expect_run("print(table.concat(sea.rig(2).sails, ' '))", "fore;");
}

static void what_is_left_out_has_its_default(void **state)
{
    (void)state;
    expect_run("print(e:sail())", "100\t5.0\t0\t1;");
    expect_run("print(e:sail(nil, { tags = { 'Sea.North', 'Sea.Bell' } }))", "100\t5.0\t2\t5;");
    expect_run("print(e:sail(3, { speed = 0 }))", "3\t0.0\t0\t7;");
}

static void refusals_and_errors_are_passed_on(void **state)
{
    (void)state;
    expect_run("print(e:sail(0))", "nil\tcost;");
    expect_run("print(sea.count(2, true))", "nil\tlimit;");
    expect_error("e:sail(1001)", "the call failed: KN_ERROR_INVALID_ARGUMENT");
    expect_error("sea.echo(true)", "`count` takes a value, got nil");
    expect_error("sea.echo(true, 1, 3000000000, 1, 1, 1, { x = 1, y = 2, z = 3 })",
        "`change` takes an integer from -2147483648 to 2147483647");
    expect_error("e:echo_names(f, 5)", "`text` takes text, got number");
    expect_error("e:echo_names(e)", "`effect` takes an id of kind effect, got number");
    expect_error("e:echo_names(f, 'x', nil, nil, nil, 'Mary')", "there is no ship `Mary`");
    expect_error("e:sail(1, { sped = 1 })", "there is no option `sped`");
    expect_error("sea.sale()", "attempt to call a nil value");
    expect_error("sea.count = nil", "read-only");
}

static void lists_may_be_long_and_inside_each_other(void **state)
{
    (void)state;
    expect_run("local l = sea.count(500) print(#l, l[1], l[500])", "500\t1\t500;");
    expect_run("local l = sea.logs(3) print(#l, l[3].count, l[3].number)", "3\t3\t1.5;");
    expect_run("print(#sea.count(0))", "0;");
    // A script that runs inside a function makes lists of its own.
    expect_run("local l = sea.ring(e) print(#l, l[1], l[2])", "3\t2;2\t7\t8;");
}

static void functions_that_make_no_sense_are_not_registered(void **state)
{
    (void)state;
    kn_library *library = library_create();
    static const char *const bad_names[] = {"sail", "entity:", ":sail", "entity:Sail", "unit:sail",
        "entity:sail:x", "sea.", "1sea.x", "entity:sail x"};
    kn_error error;
    for (size_t i = 0; i < sizeof(bad_names) / sizeof(*bad_names); i++) {
        assert_int_equal(
            function_add(library, bad_names[i], ship_sail, &sail_table, 1, NULL, 0, 0, &error),
            KN_ERROR_BAD_DATA);
        assert_non_null(strstr(error.message, bad_names[i]));
    }
    assert_int_equal(
        function_add(library, "effect:sail", ship_sail, &sail_table, 1, NULL, 0, 0, &error),
        KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "needs what it is called on"));
    assert_int_equal(
        function_add(library, "entity:sail", ship_sail, &sail_table, 4, NULL, 0, 0, &error),
        KN_ERROR_BAD_DATA);
    assert_int_equal(
        function_add(library, "entity:sail", ship_sail, &sail_table, 0, NULL, 0, 0, &error),
        KN_ERROR_BAD_DATA);
    assert_int_equal(
        function_add(library, "entity:sail", ship_sail, &sail_table, 1, &sail_table, 0, 0, &error),
        KN_ERROR_BAD_DATA); // results have no structs
    assert_int_equal(function_add(library, "entity:sail", ship_sail, &sail_table, 1, NULL,
                         KN_FUNCTION_LIST, 0, &error),
        KN_ERROR_BAD_DATA);
    assert_int_equal(
        function_add(library, "entity:sail", ship_sail, &sail_table, 1, NULL, 0, 8, &error),
        KN_ERROR_BAD_DATA);

    kn_def_field field = {"other", KN_DEF_FIELD_REF, 0, 0, 1, 0, NULL, NULL, "boat", NULL};
    kn_def_table table = {"boats", 8, &field, 1, NULL};
    assert_int_equal(function_add(library, "sea.a", ship_sail, &table, 1, NULL, 0, 0, &error),
        KN_ERROR_BAD_DATA);
    assert_string_equal(
        error.message, "function `sea.a`: boats.other names a kind that is not registered");
    field = (kn_def_field){"other", KN_FIELD_U8, 0, 0, 1, 0, NULL, NULL, NULL, NULL};
    assert_int_equal(function_add(library, "sea.a", ship_sail, &table, 1, NULL, 0, 0, &error),
        KN_ERROR_BAD_DATA);
    field = (kn_def_field){"other", KN_FIELD_F32, 0, 6, 1, 0, NULL, NULL, NULL, NULL};
    assert_int_equal(function_add(library, "sea.a", ship_sail, &table, 1, NULL, 0, 0, &error),
        KN_ERROR_BAD_DATA);
    field = (kn_def_field){"Other", KN_FIELD_F32, 0, 0, 1, 0, NULL, NULL, NULL, NULL};
    assert_int_equal(function_add(library, "sea.a", ship_sail, &table, 1, NULL, 0, 0, &error),
        KN_ERROR_BAD_DATA);
    field = (kn_def_field){"other", KN_DEF_FIELD_ENUM, 0, 0, 1, 0, NULL, NULL, "coast", NULL};
    assert_int_equal(function_add(library, "sea.a", ship_sail, &table, 1, NULL, 0, 0, &error),
        KN_ERROR_BAD_DATA);
    assert_int_equal(kn_function_count(library), 0);

    assert_int_equal(functions_register(library, &error), KN_OK);
    uint32_t count = kn_function_count(library);
    assert_int_equal(function_add(library, "sea.count", ship_count, NULL, 0, NULL, 0, 0, &error),
        KN_REFUSED_DUPLICATE);
    kn_def_table other = plenty_table;
    other.name = "ship_log"; // which is another one already
    assert_int_equal(function_add(library, "sea.other", ship_count, NULL, 0, &other,
                         KN_FUNCTION_TABLE, 0, &error),
        KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_function_count(library), count);
    assert_string_equal(kn_function_get_def(library, 0)->name, "sea.echo");
    assert_null(kn_function_get_def(library, count));
    assert_int_equal(kn_library_finish(library, &error), KN_OK);
    assert_int_equal(function_add(library, "sea.late", ship_count, NULL, 0, NULL, 0, 0, &error),
        KN_ERROR_WORLD_LOCKED);
    kn_library_destroy(library);
}

// A list of entities: one of them, of the right elements, whose count is in the struct.
typedef struct crew_arguments {
    const kn_entity_id *crew, *others;
    uint32_t crew_count, other_count;
} crew_arguments;

static kn_result crew_call(void *user, const kn_function_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static kn_result crew_register(const kn_def_field *fields, uint32_t count, bool is_result)
{
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    const kn_def_table table = {"crew", sizeof(crew_arguments), fields, count, NULL};
    kn_function_def def = kn_function_def_default();
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    def.name = "crew.hire";
    def.arguments = is_result ? NULL : &table;
    def.results = is_result ? &table : NULL;
    def.function = crew_call;
    kn_result result = kn_function_register(library, &def, &error);
    kn_library_destroy(library);
    return result;
}

static void one_list_of_entities_may_be_an_argument(void **state)
{
    static const kn_def_field ids[] = {{"id", KN_FIELD_ENTITY, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
    static const kn_def_field numbers[] = {
        {"id", KN_FIELD_I64, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
    static const kn_def_table elements = {"ids", sizeof(kn_entity_id), ids, 1, NULL};
    static const kn_def_table others = {"ids", sizeof(int64_t), numbers, 1, NULL};
    const kn_def_field good[] = {
        KN_DEF_F_ARRAY(crew_arguments, crew, crew_count, &elements, NULL),
        KN_DEF_F_ARRAY(crew_arguments, others, other_count, &elements, NULL),
    };
    kn_def_field bad = good[0];
    (void)state;
    assert_int_equal(crew_register(good, 1, false), KN_OK);
    assert_int_equal(crew_register(good, 2, false), KN_ERROR_BAD_DATA);
    assert_int_equal(crew_register(good, 1, true), KN_ERROR_BAD_DATA);
    bad.table = &others;
    assert_int_equal(crew_register(&bad, 1, false), KN_ERROR_BAD_DATA);
    bad.table = NULL;
    assert_int_equal(crew_register(&bad, 1, false), KN_ERROR_BAD_DATA);
    bad = good[0];
    bad.count_offset = sizeof(crew_arguments) - 2;
    assert_int_equal(crew_register(&bad, 1, false), KN_ERROR_BAD_DATA);
}

static void names_that_scripts_have_already_are_refused(void **state)
{
    (void)state;
    static const char *const taken[] = {"entity:tags", "math.sail", "world.sail", "print.x",
        "ability.x", "ship.x"}; // the last: an own kind
    kn_error error;
    for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
        kn_library *library = library_create();
        bool is_method = strchr(taken[i], ':') != NULL;
        assert_int_equal(function_add(library, taken[i], ship_sail, is_method ? &sail_table : NULL,
                             is_method ? 1 : 0, NULL, 0, 0, &error),
            KN_OK);
        kn_script *script;
        assert_int_equal(kn_script_create(library, NULL, &script, &error), KN_ERROR_BAD_DATA);
        assert_null(script);
        assert_non_null(strstr(error.message, taken[i]));
        kn_library_destroy(library);
    }
}

static char page[1 << 18];

static void page_add(void *user, const char *text)
{
    size_t *length = user;
    size_t more = strlen(text);
    assert_true(*length + more < sizeof(page));
    memcpy(page + *length, text, more + 1);
    *length += more;
}

static void the_reference_lists_them(void **state)
{
    (void)state;
    kn_library *library = library_create();
    kn_error error;
    assert_int_equal(functions_register(library, &error), KN_OK);
    size_t length = 0;
    assert_int_equal(
        kn_script_print_library_page(KN_SCRIPT_PAGE_MARKDOWN, library, page_add, &length, &error),
        KN_OK);
    assert_non_null(strstr(page,
        "- `entity:sail(miles?: integer, options?: table)` returns `integer|nil, number|refusal, "
        "integer, integer`. Changes the world.\n  Does what it says.\n  - `miles`: How far; "
        "default 100.\n  - `options`: A table with:\n    - `speed` (number): in knots; default "
        "5\n"));
    assert_non_null(strstr(page, "- `sea.count(count: integer, flag?: boolean)` returns "
                                 "`integer[]|nil, refusal?`.\n"));
    assert_non_null(strstr(page, "- `sea.echo(flag: boolean, count: integer, change: integer, "
                                 "large: integer, number: number, time: seconds, place: kn.vec3)` "
                                 "returns `kn.plenty`.\n"));
    assert_non_null(strstr(page, "### kn.ship_log\n"));
    length = 0;
    assert_int_equal(
        kn_script_print_library_page(KN_SCRIPT_PAGE_LUALS, library, page_add, &length, &error),
        KN_OK);
    assert_non_null(strstr(page, "---@param options? { speed?: number, tags?: string|string[] }"));
    assert_non_null(strstr(page, "function entity:sail(miles, options) end\n"));
    assert_non_null(strstr(page, "---@class kn.sea\nsea = {}\n"));
    assert_non_null(strstr(page, "---@return kn.ship_log[]\nfunction sea.logs(count, flag) end\n"));
    kn_library_destroy(library);
}

typedef struct meagre {
    uint32_t left; // allocations that succeed
} meagre;

static void *meagre_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    meagre *m = user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (new_size > old_size && m->left-- == 0) {
        m->left = 0;
        return NULL;
    }
    return realloc(ptr, new_size);
}

static void without_memory_nothing_is_registered(void **state)
{
    (void)state;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; result == KN_ERROR_OUT_OF_MEMORY; i++) {
        assert_in_range(i, 0, 1000);
        meagre m = {UINT32_MAX};
        kn_library_def def = kn_library_def_default();
        def.hooks.realloc_fn = meagre_realloc;
        def.hooks.realloc_user = &m;
        kn_library *library;
        assert_int_equal(kn_library_create(&def, &library), KN_OK);
        m.left = i;
        kn_error error;
        result = function_add(
            library, "entity:sail", ship_sail, &sail_table, 1, &sail_result_table, 0, BOTH, &error);
        assert_int_equal(kn_function_count(library), result == KN_OK ? 1 : 0);
        m.left = UINT32_MAX;
        kn_library_destroy(library);
    }
    assert_int_equal(result, KN_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(arguments_arrive_and_results_come_back),
    cmocka_unit_test(bits_come_back_as_a_list_of_their_words),
    cmocka_unit_test(what_is_left_out_has_its_default),
    cmocka_unit_test(refusals_and_errors_are_passed_on),
    cmocka_unit_test(lists_may_be_long_and_inside_each_other),
    cmocka_unit_test(functions_that_make_no_sense_are_not_registered),
    cmocka_unit_test(one_list_of_entities_may_be_an_argument),
    cmocka_unit_test(names_that_scripts_have_already_are_refused),
    cmocka_unit_test(the_reference_lists_them),
    cmocka_unit_test(without_memory_nothing_is_registered),
};

TEST_GROUP(script_functions, tests, NULL, NULL);
