// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of own kinds in data files: read, refused with a place, written, described by a
// schema, bound to functions in C, and found again in a library that replaces the first.

#include "scenario/data_fixture.h"
#include "scenario/order_kind.h"

static const char content[] = "tags: [Unit.Busy, Unit.Rooted]\n"
                              "attribute_sets: {Vitals: {attributes: {Power: 10}}}\n"
                              "effects: {Aura: {duration: infinite}}\n"
                              "orders:\n"
                              "  Attack:\n"
                              "    stance: chase\n"
                              "    range: 12\n"
                              "    timeout: 3 s\n"
                              "    tag: Unit.Busy\n"
                              "    blocked_by: Unit.Rooted\n"
                              "    needs: {ignored: Unit.Rooted}\n"
                              "    threat: 2 * source.Vitals.Power\n"
                              "    next: Stop\n"
                              "    cancels: [Stop, Guard]\n"
                              "    steps: [{wait: 2, effect: Aura}, {effect: Aura}]\n"
                              "    effect: Aura\n"
                              "    flags: [queued, silent]\n"
                              "    label: Attack!\n"
                              "  Rush: {parent: Attack, range: 30}\n"
                              "  Guard: {threat: {value: 4}}\n"
                              "  Stop:\n";

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    return order_kind_register(library, user, error);
}

static kn_data *orders_create(kn_def_kind *kind)
{
    kn_data_def def = kn_data_def_default();
    def.prepare = prepare;
    def.user = kind;
    def.lints_off = "unused-effect";
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    return data;
}

static const order_def *order_of(const kn_library *library, kn_def_kind kind, const char *name)
{
    const order_def *def = kn_def_get(library, kind, kn_def_find(library, kind, name));
    assert_non_null(def);
    return def;
}

static void a_section_of_an_own_kind_is_read_like_ours(void **state)
{
    (void)state;
    kn_def_kind kind;
    kn_data *data = orders_create(&kind);
    data_add(data, "orders.yaml", content);
    kn_library *library = data_build(data);
    assert_int_equal(kn_data_message_count(data), 0);
    const char *file;
    uint32_t line, column;
    assert_true(kn_data_where(data, kind, "Rush", &file, &line, &column));
    assert_string_equal(file, "orders.yaml");
    assert_int_equal(line, 19);
    kn_data_destroy(data);

    const order_def *attack = order_of(library, kind, "Attack");
    assert_int_equal(attack->stance, STANCE_CHASE);
    assert_true(attack->range == 12.0f);
    assert_true(attack->timeout == KN_MS(3000));
    assert_string_equal(kn_tag_name(library, attack->tag), "Unit.Busy");
    assert_string_equal(kn_tag_name(library, attack->blocked_by.data[0]), "Unit.Rooted");
    assert_int_equal(attack->needs.ignored.count, 1);
    assert_int_equal(attack->threat.kind, KN_MAGNITUDE_CALCULATION);
    assert_string_equal(kn_calculation_name(library, attack->threat.calculation), "order Attack 1");
    assert_string_equal(kn_def_name(library, kind, attack->next.index1), "Stop");
    assert_int_equal(attack->cancel_count, 2);
    assert_string_equal(kn_def_name(library, kind, attack->cancels[1].index1), "Guard");
    assert_int_equal(attack->step_count, 2);
    assert_true(attack->steps[0].wait == 2.0f);
    assert_true(attack->steps[1].wait == 1.0f); // the default of the table
    assert_string_equal(kn_def_name(library, KN_DEF_EFFECT, attack->effect.index1), "Aura");
    assert_int_equal(attack->flags, 3);
    assert_string_equal(attack->label, "Attack!");
    const order_def *rush = order_of(library, kind, "Rush");
    assert_true(rush->range == 30.0f);
    assert_int_equal(rush->stance, STANCE_CHASE);
    assert_int_equal(rush->step_count, 2);
    assert_true(order_of(library, kind, "Guard")->threat.scale.value == 4.0f);
    assert_true(order_of(library, kind, "Stop")->range == 5.0f);
    kn_library_destroy(library);
}

static void expect_message(const char *text, const char *expected)
{
    kn_def_kind kind;
    kn_data *data = orders_create(&kind);
    data_add(data, "t.yaml", text);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    char line[512];
    (void)kn_data_message_print(data, 0, line, sizeof(line));
    assert_string_equal(line, expected);
    kn_data_destroy(data);
}

static void mistakes_have_a_place_and_a_remedy(void **state)
{
    (void)state;
    expect_message("orders:\n  Attack: {rang: 1}\n",
        "t.yaml:2:12: error: there is no field `rang` here; did you mean `range`?");
    expect_message("orders:\n  Attack: {stance: chas}\n",
        "t.yaml:2:20: error: `chas` is not a value of `stance`; did you mean `chase`?");
    expect_message("orders:\n  Attack: {next: Stopp}\n  Stop:\n",
        "t.yaml:2:18: error: there is no order `Stopp`; did you mean `Stop`?");
    expect_message("orders:\n  Attack: {range: -1}\n",
        "t.yaml:2:3: error: order `Attack`: its range must be at least 0");
    expect_message("order:\n  Attack: {}\n",
        "t.yaml:1:1: error: there is no section `order`; did you mean `orders`?");
    expect_message("orders:\n  A: {next: B}\n  B: {next: A}\n",
        "t.yaml:3:13: error: these definitions need each other in a cycle: A -> B -> A; break it "
        "at one of them");
    expect_message("orders:\n  A:\n  a:\n",
        "t.yaml:3:3: error: order `a` is defined twice; first in t.yaml, line 2");
    expect_message("orders:\n  A: {script: Run}\n",
        "t.yaml:2:15: error: `Run` is a script, but the program does not load scripts");
}

static char *written(const kn_library *library,
    kn_result (*write)(const kn_library *library, char *text, size_t size, size_t *written))
{
    size_t size;
    assert_int_equal(write(library, NULL, 0, &size), KN_ERROR_BUFFER_TOO_SMALL);
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    assert_int_equal(write(library, text, size, &size), KN_OK);
    return text;
}

static kn_library *orders_build(const char *text, kn_def_kind *kind)
{
    kn_data *data = orders_create(kind);
    data_add(data, "orders.yaml", text);
    kn_library *library = data_build(data);
    kn_data_destroy(data);
    return library;
}

static void what_is_written_builds_the_same_library(void **state)
{
    (void)state;
    kn_def_kind kind;
    kn_library *library = orders_build(content, &kind);
    char *text = written(library, kn_data_write);
    assert_non_null(strstr(text, "stance: chase"));
    kn_library *again = orders_build(text, &kind);
    assert_true(kn_library_hash(library) == kn_library_hash(again));
    char *second = written(again, kn_data_write);
    assert_string_equal(text, second);
    char *json = written(library, kn_data_write_json);
    assert_non_null(strstr(json, "\"orders\""));
    free(text);
    free(second);
    free(json);
    kn_library_destroy(library);
    kn_library_destroy(again);
}

static void the_schema_of_a_library_has_own_kinds(void **state)
{
    (void)state;
    kn_def_kind kind;
    kn_library *library = orders_build(content, &kind);
    char *schema = written(library, kn_data_write_library_schema);
    assert_non_null(strstr(schema, "\"orders\""));
    assert_non_null(strstr(schema, "What units can be told to do."));
    assert_non_null(strstr(schema, "Metres to the target; default 5."));
    assert_non_null(strstr(schema, "\"item_order_step\""));
    assert_non_null(strstr(schema, "\"chase\""));
    assert_null(strstr(schema, "\"cookie\""));
    // Ours are there once, whoever uses them.
    const char *magnitude = strstr(schema, "\"kn_magnitude\":");
    assert_non_null(magnitude);
    assert_null(strstr(magnitude + 1, "\"kn_magnitude\":"));
    free(schema);
    kn_library_destroy(library);
}

// Lists of our structs --------------------------------------------------------

typedef struct strike_def {
    const char *name;
    const kn_ability_apply_def *applies;
    uint32_t apply_count;
    const kn_attribute_condition *conditions;
    uint32_t condition_count;
    const kn_gate_def *gates;
    uint32_t gate_count;
} strike_def;

static const kn_def_field strike_fields[] = {
    KN_DEF_F(strike_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_PARTS(strike_def, applies, apply_count, "kn_ability_apply_def", "What it applies."),
    KN_DEF_F_PARTS(
        strike_def, conditions, condition_count, "kn_attribute_condition", "When it may start."),
    KN_DEF_F_PARTS(strike_def, gates, gate_count, "kn_gate_def", "What stops it."),
};
static const kn_def_table strike_table = {"strike_def", sizeof(strike_def), strike_fields, 4, NULL};

static kn_data *strikes_create(kn_def_kind *kind)
{
    kn_kind_def def = kn_kind_def_default();
    def.name = "strike";
    def.section = "strikes";
    def.table = &strike_table;
    kn_data_def data_def = kn_data_def_default();
    data_def.lints_off = "unused-effect";
    kn_data *data;
    assert_int_equal(kn_data_create(&data_def, &data), KN_OK);
    assert_int_equal(kn_data_add_kind(data, &def, kind), KN_OK);
    return data;
}

static void own_kinds_have_lists_of_what_abilities_and_effects_have(void **state)
{
    (void)state;
    kn_def_kind kind;
    kn_data *data = strikes_create(&kind);
    data_add(data, "t.yaml",
        "tags: [Damage, Unit.Calm]\n"
        "attribute_sets: {Vitals: {attributes: {Power: 10}}}\n"
        "effects: {Hurt: {}, Aura: {duration: infinite}}\n"
        "strikes:\n"
        "  Slash:\n"
        "    applies:\n"
        "      - {effect: Hurt, to: target, magnitude_tag: Damage}\n"
        "      - {effect: Aura, while_active: true}\n"
        "    conditions: [{attribute: Vitals.Power, min: 3}]\n"
        "    gates: [{source: {required: Unit.Calm}, types: [Hurt], reason: calm}]\n");
    kn_library *library = data_build(data);
    const strike_def *slash = kn_def_get(library, kind, kn_def_find(library, kind, "Slash"));
    assert_int_equal(slash->apply_count, 2);
    assert_int_equal(slash->applies[0].to, KN_APPLY_TO_TARGET);
    assert_string_equal(kn_tag_name(library, slash->applies[0].magnitude_tag), "Damage");
    assert_true(slash->applies[1].while_active);
    assert_int_equal(slash->condition_count, 1);
    assert_true(slash->conditions[0].has_min && slash->conditions[0].min == 3.0f);
    assert_int_equal(slash->gate_count, 1);
    assert_int_equal(slash->gates[0].type_count, 1);
    assert_string_equal(slash->gates[0].reason, "calm");
    char *text = written(library, kn_data_write);
    char *schema = written(library, kn_data_write_library_schema);
    assert_non_null(strstr(schema, "\"strikes\""));
    kn_data *again = strikes_create(&kind);
    data_add(again, "again.yaml", text);
    kn_library *second = data_build(again);
    assert_true(kn_library_hash(library) == kn_library_hash(second));
    free(text);
    free(schema);
    kn_library_destroy(second);
    kn_data_destroy(again);
    kn_library_destroy(library);
    kn_data_destroy(data);

    data = strikes_create(&kind);
    data_add(data, "t.yaml", "strikes: {Slash: {applies: [{effect: Hurt}]}}\n");
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    kn_data_destroy(data);
}

// Functions in C ------------------------------------------------------------

static uint32_t runs;

static kn_result begin_hook(void *user, const kn_hook_call *call)
{
    (void)user;
    ((order_begin *)call->arguments)->strength += 1.0f;
    return KN_REFUSED_CUSTOM;
}

static void run(void)
{
    runs++;
}

static kn_result prepare_enum(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_enum_register(library, "posture", order_stance_words, 3, error);
}

static void own_kinds_take_functions_written_in_c(void **state)
{
    (void)state;
    kn_def_field fields[COUNT_ORDER_FIELDS];
    memcpy(fields, order_fields, sizeof(fields));
    fields[1].of = NULL; // the words stand in the table
    fields[1].names = order_stance_words;
    fields[1].limit = 3;
    kn_def_table table = order_table;
    table.fields = fields;
    kn_data_def def = kn_data_def_default();
    def.prepare = prepare_enum;
    kn_data *data;
    kn_def_kind kind, other;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    kn_kind_def kind_def = order_kind_def();
    kind_def.table = &table;
    kn_kind_hook hook_defs[] = {order_hooks[0], order_hooks[0]}; // without that enum, too
    hook_defs[1].field = "score";
    kind_def.hooks = hook_defs;
    order_def hooks = order_def_default();
    hooks.run = run;
    hooks.begin.function = begin_hook;
    assert_int_equal(kn_data_add_kind(data, &kind_def, &kind), KN_OK);
    assert_int_equal(kn_data_add_native(data, kind, "run", &hooks), KN_OK);
    assert_int_equal(kn_data_add_native(data, kind, "run", &hooks), KN_REFUSED_DUPLICATE);
    data_add(data, "t.yaml", "orders: {Attack: {native: run, stance: follow, range: 3}}\n");
    for (uint32_t i = 1; i <= 2; i++) { // as often as it is built
        kn_library *library = data_build(data);
        const order_def *attack = order_of(library, kind, "Attack");
        assert_true(attack->range == 3.0f);
        assert_int_equal(attack->stance, STANCE_FOLLOW);
        attack->run();
        order_begin arguments = {{0}, 2.0f};
        assert_int_equal(kn_hook_run(NULL, kind, 1, &attack->begin, (kn_entity_id){0}, &arguments),
            KN_REFUSED_CUSTOM);
        assert_true(arguments.strength == 3.0f);
        assert_int_equal( // without a function
            kn_hook_run(NULL, kind, 1, &attack->score, (kn_entity_id){0}, &arguments), KN_OK);
        assert_int_equal(runs, i);
        kn_library_destroy(library);
    }
    // Twice the same is a message of the build.
    assert_int_equal(kn_data_add_kind(data, &kind_def, &other), KN_OK);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_string_equal(kn_data_message_at(data, 0).text, "kind `order` is registered twice");
    kn_data_destroy(data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_section_of_an_own_kind_is_read_like_ours),
    cmocka_unit_test(mistakes_have_a_place_and_a_remedy),
    cmocka_unit_test(what_is_written_builds_the_same_library),
    cmocka_unit_test(the_schema_of_a_library_has_own_kinds),
    cmocka_unit_test(own_kinds_have_lists_of_what_abilities_and_effects_have),
    cmocka_unit_test(own_kinds_take_functions_written_in_c),
};

TEST_GROUP(data_kinds, tests, NULL, NULL);
