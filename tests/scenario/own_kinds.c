// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Kinds of definitions, enums and data that a kit brings along, in C.

#include "scenario/fixture.h"
#include "scenario/order_kind.h"

static int setup(void **state)
{
    *state = fixture_create(2);
    return 0;
}

static kn_def_kind orders_register(fixture *f)
{
    kn_def_kind kind;
    kn_error error = {0};
    if (order_kind_register(f->library, &kind, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return kind;
}

static order_id order_register(fixture *f, kn_def_kind kind, const order_def *def)
{
    kn_error error = {0};
    order_id id;
    if (kn_def_register(f->library, kind, def, &id.index1, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

static order_def order_named(const char *name)
{
    order_def def = order_def_default();
    def.name = name;
    return def;
}

static void a_definition_of_an_own_kind_is_found_and_read_like_ours(void **state)
{
    fixture *f = *state;
    kn_def_kind kind = orders_register(f);
    kn_tag busy = tag_of(f, "Unit.Busy"), rooted = tag_of(f, "Unit.Rooted");
    kn_effect_def aura_def = infinite("Aura");
    kn_effect_type_id aura;
    assert_int_equal(kn_effect_register(f->library, &aura_def, &aura, NULL), KN_OK);
    order_def stop = order_named("Stop");
    order_id stopped = order_register(f, kind, &stop);
    order_step steps[2] = {{2.0f, aura}, {0.5f, {0}}};
    char label[] = "Attack!";
    order_def attack = order_named("Attack");
    attack.stance = STANCE_CHASE;
    attack.range = 12.0f;
    attack.timeout = KN_MS(3000);
    attack.tag = busy;
    attack.blocked_by = one(&rooted);
    attack.needs.ignored = one(&rooted);
    attack.threat = kn_magnitude_constant(7.0f);
    attack.next = stopped;
    attack.cancels = &stopped;
    attack.cancel_count = 1;
    attack.steps = steps;
    attack.step_count = 2;
    attack.effect = aura;
    attack.flags = 2;
    attack.label = label;

    order_id id = order_register(f, kind, &attack);
    memset(steps, 0, sizeof(steps)); // copied
    label[0] = 'X';
    library_finish(f);

    assert_int_equal(kind, KN_DEF_KIND_OWN);
    assert_int_equal(kn_kind_count(f->library), 1);
    assert_int_equal(kn_kind_find(f->library, "order"), kind);
    assert_int_equal(kn_kind_find(f->library, "effect"), KN_DEF_EFFECT);
    assert_int_equal(kn_kind_find(f->library, "nothing"), KN_DEF_KIND_COUNT);
    assert_string_equal(kn_kind_name(f->library, kind), "order");
    assert_string_equal(kn_kind_name(f->library, KN_DEF_EFFECT), "effect");
    assert_string_equal(kn_kind_get_def(f->library, kind)->section, "orders");
    assert_ptr_equal(kn_kind_table(f->library, KN_DEF_EFFECT), kn_def_table_of(KN_DEF_EFFECT));
    assert_int_equal(kn_def_count(f->library, kind), 2);
    assert_int_equal(kn_def_find(f->library, kind, "Attack"), id.index1);
    assert_string_equal(kn_def_name(f->library, kind, id.index1), "Attack");
    assert_null(kn_def_expression(f->library, kind, id.index1));
    const order_def *found = kn_def_get(f->library, kind, id.index1);
    assert_string_equal(found->name, "Attack");
    assert_int_equal(found->stance, STANCE_CHASE);
    assert_near(found->range, 12.0f);
    assert_true(found->timeout == KN_MS(3000));
    assert_true(kn_tag_equal(found->tag, busy));
    assert_int_equal(found->blocked_by.count, 1);
    assert_true(kn_tag_equal(found->blocked_by.data[0], rooted));
    assert_true(kn_tag_equal(found->needs.ignored.data[0], rooted));
    assert_near(found->threat.scale.value, 7.0f);
    assert_int_equal(found->next.index1, stopped.index1);
    assert_int_equal(found->cancels[0].index1, stopped.index1);
    assert_int_equal(found->step_count, 2);
    assert_near(found->steps[0].wait, 2.0f);
    assert_int_equal(found->steps[0].effect.index1, aura.index1);
    assert_int_equal(found->effect.index1, aura.index1);
    assert_int_equal(found->flags, 2);
    assert_string_equal(found->label, "Attack!");
    const kn_def_field *stance = kn_def_field_find(kn_kind_table(f->library, kind), "stance");
    assert_int_equal(stance->limit, 3);
    assert_string_equal(stance->names[STANCE_CHASE], "chase");
}

static void definitions_are_checked_by_table_and_by_the_kind(void **state)
{
    fixture *f = *state;
    kn_def_kind kind = orders_register(f);
    kn_error error = {0};
    uint32_t index1;
    order_def def = order_named("Attack");
    def.range = -1.0f;
    assert_int_equal(kn_def_register(f->library, kind, &def, &index1, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "order `Attack`: its range must be at least 0");
    assert_int_equal(error.code, KN_ERROR_BAD_DATA);
    def.range = NAN;
    assert_int_equal(kn_def_register(f->library, kind, &def, &index1, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "order_def.range is not a finite number");
    def.range = 1.0f;
    def.stance = (order_stance)3;
    assert_int_equal(kn_def_register(f->library, kind, &def, &index1, &error), KN_ERROR_BAD_DATA);
    def.stance = STANCE_HOLD;
    def.next.index1 = 1;
    assert_int_equal(kn_def_register(f->library, kind, &def, &index1, &error), KN_ERROR_BAD_DATA);
    def.next.index1 = 0;
    def.cookie = 0;
    assert_int_equal(
        kn_def_register(f->library, kind, &def, &index1, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(index1, 0);
    def.cookie = ORDER_COOKIE;
    assert_int_equal(kn_def_count(f->library, kind), 0); // nothing of all that stayed
    (void)order_register(f, kind, &def);
    assert_int_equal(
        kn_def_register(f->library, kind, &def, &index1, &error), KN_REFUSED_DUPLICATE);
    assert_string_equal(error.message, "order `Attack` is registered twice");
    library_finish(f);
    assert_int_equal(
        kn_def_register(f->library, kind, &def, &index1, &error), KN_ERROR_WORLD_LOCKED);
    assert_null(kn_def_get(f->library, (kn_def_kind)(kind + 1), 1));
    assert_int_equal(kn_def_find(f->library, (kn_def_kind)(kind + 1), "Attack"), 0);
}

// Kinds that refer to each other --------------------------------------------

typedef struct squad_def {
    const char *name;
    order_id first;
} squad_def;

static const kn_def_field squad_fields[] = {
    KN_DEF_F(squad_def, name, KN_DEF_FIELD_STRING, NULL),
    KN_DEF_F_KIND(squad_def, first, "order", NULL),
};
static const kn_def_table squad_table = {"squad_def", sizeof(squad_def), squad_fields, 2, NULL};

static kn_kind_def squad_kind_def(void)
{
    kn_kind_def def = kn_kind_def_default();
    def.name = "squad";
    def.section = "squads";
    def.table = &squad_table;
    return def;
}

static void a_kind_may_refer_to_one_that_is_registered_later(void **state)
{
    fixture *f = *state;
    kn_kind_def def = squad_kind_def();
    kn_def_kind squads;
    kn_error error = {0};
    assert_int_equal(kn_kind_register(f->library, &def, &squads, &error), KN_OK);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message,
        "kind `squad`: its field first refers to the kind `order`, which is not registered");
    kn_def_kind orders = orders_register(f);
    order_def stop = order_named("Stop");
    squad_def squad = {"Guards", order_register(f, orders, &stop)};
    uint32_t index1;
    assert_int_equal(kn_def_register(f->library, squads, &squad, &index1, &error), KN_OK);
    library_finish(f);
    const squad_def *found = kn_def_get(f->library, squads, index1);
    assert_string_equal(kn_def_name(f->library, orders, found->first.index1), "Stop");
}

static kn_result refuse_all(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    bool *is_refused = user;
    (void)snprintf(
        error->message, sizeof(error->message), "there are %u orders", kn_def_count(library, kind));
    return *is_refused ? KN_ERROR_BAD_DATA : KN_OK;
}

static void a_kind_can_refuse_to_be_finished(void **state)
{
    fixture *f = *state;
    bool is_refused = true;
    kn_kind_def def = squad_kind_def();
    def.finish = refuse_all;
    def.user = &is_refused;
    kn_def_kind kind;
    kn_error error = {0};
    assert_int_equal(kn_enum_register(f->library, "stance", order_stance_words, 3, NULL), KN_OK);
    kn_kind_def order = order_kind_def();
    assert_int_equal(kn_kind_register(f->library, &order, &kind, &error), KN_OK);
    assert_int_equal(kn_kind_register(f->library, &def, &kind, &error), KN_OK);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "there are 0 orders");
    assert_false(kn_library_is_finished(f->library));
    is_refused = false;
    library_finish(f);
}

// Bad kinds -----------------------------------------------------------------

static void expect_refused(
    fixture *f, const kn_kind_def *def, kn_result expected, const char *sentence)
{
    kn_def_kind kind;
    kn_error error = {0};
    uint32_t before = kn_kind_count(f->library);
    kn_result result = kn_kind_register(f->library, def, &kind, &error);
    if (result != expected || strstr(error.message, sentence) == NULL) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    assert_int_equal(kind, KN_DEF_KIND_COUNT);
    assert_int_equal(kn_kind_count(f->library), before);
}

static void expect_bad_hooks_refused(fixture *f)
{
    kn_kind_def bad = order_kind_def();
    bad.name = "other order";
    bad.section = "other_orders";
    bad.hook_count = 1;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "its hook `score` is missing in kn_kind_def.hooks");
    kn_kind_hook hooks[2] = {order_hooks[0], order_hooks[0]};
    bad.hooks = hooks;
    bad.hook_count = 2;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "hook `begin` must be a field KN_DEF_F_HOOK");
    hooks[1].field = "label";
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "hook `label` must be a field KN_DEF_F_HOOK");
    hooks[1] = order_hooks[1];
    hooks[1].size = KN_HOOK_SIZE_MAX + 1;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "at most 1024 bytes");
    hooks[1] = order_hooks[1];
    hooks[1].field_count = 3;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "hook `score`: ");
    hooks[1].field_count = 4;
    hooks[1].text = NULL;
    kn_def_field inner[] = {KN_DEF_F_HOOK(order_def, begin, NULL)};
    kn_def_table inside = {"order_inner", sizeof(order_def), inner, 1, NULL};
    kn_def_field fields[] = {squad_fields[0], KN_DEF_F_STRUCT(squad_def, first, &inside, NULL)};
    kn_def_table table = {"squad_def", sizeof(order_def) * 2, fields, 2, NULL};
    bad.table = &table;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "must be a field of the definition itself");
}

static void a_kind_that_makes_no_sense_is_refused(void **state)
{
    fixture *f = *state;
    kn_kind_def good = squad_kind_def(), bad = good;
    bad.name = "Squad!";
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "its name has");
    bad = good;
    bad.section = NULL;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "its section has");
    bad = good;
    bad.name = "effect";
    expect_refused(f, &bad, KN_REFUSED_DUPLICATE, "registered twice");
    bad = good;
    static const char *const taken[] = {"effects", "watches", "custom_events", "tags"};
    for (uint32_t i = 0; i < COUNT(taken); i++) {
        bad.section = taken[i];
        expect_refused(f, &bad, KN_REFUSED_DUPLICATE, "belongs to another kind");
    }
    bad = good;
    bad.table = NULL;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "has no table");
    bad = order_kind_def(); // its enum is not there
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "register it before");

    kn_def_field fields[2] = {squad_fields[0], squad_fields[1]};
    kn_def_table table = {"squad_def", sizeof(squad_def), fields, 2, NULL};
    bad = good;
    bad.table = &table;
    fields[1].kind = KN_FIELD_ENTITY;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "squad_def.first names something of a world");
    fields[1].kind = 200;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "unknown kind");
    fields[1].kind = KN_DEF_FIELD_REF;
    fields[1].of = NULL;
    fields[1].limit = KN_DEF_KIND_OWN;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "name an own kind in `of`");
    fields[1].limit = KN_DEF_EFFECT;
    fields[1].offset = sizeof(squad_def);
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "not inside its struct");
    fields[1].offset = UINT32_MAX;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "not inside its struct");
    fields[1] = squad_fields[1];
    fields[1].name = "name";
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "appears twice");
    fields[1].name = "first";
    fields[1].kind = KN_DEF_FIELD_STRUCT;
    fields[1].of = NULL;
    fields[1].table = &table; // itself
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "too deep");
    fields[1].table = NULL;
    fields[1].of = "kn_nothing";
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "has no table");
    fields[1] = squad_fields[1];
    fields[0].kind = KN_FIELD_U32;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "must be the string `name`");
    table.size = KN_KIND_SIZE_MAX + 1;
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "1 to 4096 bytes");
    table.size = sizeof(squad_def);
    table.name = "kn_effect_def";
    expect_refused(f, &bad, KN_ERROR_BAD_DATA, "belongs to the library");

    kn_def_kind kind;
    assert_int_equal(orders_register(f), KN_DEF_KIND_OWN);
    expect_bad_hooks_refused(f);
    for (uint32_t i = 1; i < KN_KIND_MAX; i++) {
        char name[16], section[16];
        (void)snprintf(name, sizeof(name), "kind %u", i);
        (void)snprintf(section, sizeof(section), "kinds_%u", i);
        bad = good;
        bad.name = name;
        bad.section = section;
        assert_int_equal(kn_kind_register(f->library, &bad, &kind, NULL), KN_OK);
    }
    assert_int_equal(kind, KN_DEF_KIND_END - 1);
    expect_refused(f, &good, KN_REFUSED_LIMIT, "at most 64 own kinds");
    library_finish(f);
    expect_refused(f, &good, KN_ERROR_WORLD_LOCKED, "is finished");
}

static uint64_t hash_with(kn_result (*fill)(kn_library *library))
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    assert_int_equal(fill(library), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    uint64_t hash = kn_library_hash(library);
    kn_library_destroy(library);
    return hash;
}

static kn_result fill_with(kn_library *library, float range)
{
    kn_def_kind kind;
    kn_result result = order_kind_register(library, &kind, NULL);
    order_def def = order_named("Attack");
    def.range = range;
    uint32_t index1;
    return result != KN_OK ? result : kn_def_register(library, kind, &def, &index1, NULL);
}

static kn_result fill_near(kn_library *library)
{
    return fill_with(library, 1.0f);
}

static kn_result fill_far(kn_library *library)
{
    return fill_with(library, 9.0f);
}

static kn_result fill_enum(kn_library *library)
{
    return kn_enum_register(library, "stance", order_stance_words, 3, NULL);
}

static kn_result fill_short_enum(kn_library *library)
{
    return kn_enum_register(library, "stance", order_stance_words, 2, NULL);
}

typedef struct branch_def {
    const char *name;
    const struct branch_def *branches;
    uint32_t branch_count;
    kn_tag tag;
} branch_def;

typedef struct plant_def {
    const char *name;
    branch_def trunk;
} plant_def;

static const kn_def_table branch_table;
static const kn_def_field branch_fields[] = {
    KN_DEF_F(branch_def, name, KN_DEF_FIELD_STRING, NULL),
    KN_DEF_F_ARRAY(branch_def, branches, branch_count, &branch_table, NULL), // of its own kind
    KN_DEF_F_REF(branch_def, tag, KN_DEF_TAG, NULL),
};
static const kn_def_table branch_table = {
    "branch_def", sizeof(branch_def), branch_fields, COUNT(branch_fields), NULL};
static const kn_def_field plant_fields[] = {
    KN_DEF_F(plant_def, name, KN_DEF_FIELD_STRING, NULL),
    KN_DEF_F_STRUCT(plant_def, trunk, &branch_table, NULL),
};
static const kn_def_table plant_table = {
    "plant_def", sizeof(plant_def), plant_fields, COUNT(plant_fields), NULL};

static void structs_may_hold_lists_of_their_own_kind(void **state)
{
    fixture *f = *state;
    kn_kind_def kind = kn_kind_def_default();
    kn_def_kind plant;
    kind.name = "plant";
    kind.section = "plants";
    kind.table = &plant_table;
    assert_int_equal(kn_kind_register(f->library, &kind, &plant, NULL), KN_OK);
    const kn_def_table *copy = kn_kind_table(f->library, plant)->fields[1].table;
    assert_ptr_not_equal(copy, &branch_table);
    assert_ptr_equal(copy->fields[1].table, copy); // it nests as deep as the definitions do
    branch_def leaves[] = {{.name = "Left"}, {.name = "Right"}};
    branch_def inner = {.name = "Inner", .branches = leaves, .branch_count = 2};
    plant_def oak = {"Oak", {.name = "Trunk", .branches = &inner, .branch_count = 1}};
    uint32_t first, second;
    assert_int_equal(kn_def_register(f->library, plant, &oak, &first, NULL), KN_OK);
    oak.name = "Elm";
    leaves[1].name = "Wrong";
    assert_int_equal(kn_def_register(f->library, plant, &oak, &second, NULL), KN_OK);
    const plant_def *found = kn_def_get(f->library, plant, first);
    assert_string_equal(found->trunk.branches[0].branches[1].name, "Right"); // copied
    uint64_t elm = kn_def_hash(f->library, plant, second);
    oak.name = "Ash";
    leaves[1].name = "Right";
    assert_int_equal(kn_def_register(f->library, plant, &oak, &second, NULL), KN_OK);
    assert_true(elm != kn_def_hash(f->library, plant, second));
    leaves[0].tag.index1 = 9999; // what is deep inside is checked as well
    oak.name = "Yew";
    assert_int_equal(kn_def_register(f->library, plant, &oak, &second, NULL), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
}

static void own_definitions_are_part_of_the_hash(void **state)
{
    (void)state;
    assert_true(hash_with(fill_near) == hash_with(fill_near));
    assert_true(hash_with(fill_near) != hash_with(fill_far));
    assert_true(hash_with(fill_enum) != hash_with(fill_short_enum));
}

// Fields that refer to definitions of an own kind ------------------------------

typedef enum soldier_stance { SOLDIER_RESTS, SOLDIER_MARCHES } soldier_stance;

typedef struct soldier {
    order_id orders[2];
    soldier_stance stance;
} soldier;

static kn_component_type_id soldier_register(fixture *f)
{
    kn_field fields[] = {
        KN_FIELD_TO(soldier, orders, "order"), KN_FIELD_WORDS(soldier, stance, "rests marches")};
    fields[0].count = 2;
    kn_component_def def = kn_component_def_default();
    def.name = "Soldier";
    def.size = sizeof(soldier);
    def.fields = fields;
    def.field_count = 2;
    kn_component_type_id type;
    kn_error error = {0};
    if (kn_component_register(f->library, &def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

typedef struct platoon_def {
    const char *name;
} platoon_def;

static void platoon_kind_register(fixture *f)
{
    static const kn_def_field fields[] = {KN_DEF_F(platoon_def, name, KN_DEF_FIELD_STRING, NULL)};
    static const kn_def_table table = {"platoon_def", sizeof(platoon_def), fields, 1, NULL};
    kn_kind_def def = kn_kind_def_default();
    def.name = "platoon";
    def.section = "platoons";
    def.table = &table;
    kn_def_kind kind;
    assert_int_equal(kn_kind_register(f->library, &def, &kind, NULL), KN_OK);
}

static void soldiers_begin(fixture *f, kn_def_kind *kind, bool has_others)
{
    if (has_others) {
        platoon_kind_register(f);
    }
    *kind = orders_register(f);
    order_def def = order_named("Wait");
    if (has_others) {
        (void)order_register(f, *kind, &def);
    }
    def = order_named("Attack");
    (void)order_register(f, *kind, &def);
    (void)soldier_register(f);
    begin(f);
}

// The kind and the order have other numbers in the library that reads.
static void a_field_that_refers_to_an_own_kind_is_saved_by_name(void **state)
{
    fixture *f = *state, *other = fixture_create(2), *without = fixture_create(2);
    kn_def_kind kind, other_kind;
    soldiers_begin(f, &kind, false);
    soldiers_begin(other, &other_kind, true);
    assert_int_not_equal(kind, other_kind);
    begin(without);
    kn_component_type_id type = kn_component_find(f->library, "Soldier");
    soldier *first = kn_component_add(f->world, type, f->hero);
    first->orders[1].index1 = kn_def_find(f->library, kind, "Attack");
    first->stance = SOLDIER_MARCHES;
    char text[4096];
    (void)kn_entity_dump(f->world, f->hero, text, sizeof(text));
    assert_non_null(strstr(text, "orders  none, Attack\n"));
    assert_non_null(strstr(text, "stance  marches\n"));

    size_t size;
    void *bytes = save_of(f->world, &size);
    save_load(other->world, bytes, size);
    const soldier *second =
        kn_component_read(other->world, kn_component_find(other->library, "Soldier"), f->hero);
    assert_int_equal(second->orders[0].index1, 0);
    assert_int_equal(second->orders[1].index1, 2);
    assert_string_equal(
        kn_def_name(other->library, other_kind, second->orders[1].index1), "Attack");
    assert_int_equal(second->stance, SOLDIER_MARCHES);
    kn_error error = {0};
    assert_int_equal(kn_save_read(without->world, bytes, size, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message,
        "the library lacks what the save names: component `Soldier`, order `Attack`");
    free(bytes);
    fixture_destroy(other);
    fixture_destroy(without);
}

static void a_field_refers_to_kinds_that_are_there(void **state)
{
    fixture *f = *state;
    kn_field field = KN_FIELD_TO(soldier, stance, "ordr");
    field.offset = 0;
    kn_component_def def = kn_component_def_default();
    def.name = "Soldier";
    def.size = 4;
    def.fields = &field;
    def.field_count = 1;
    kn_component_type_id type;
    kn_error error = {0};
    assert_int_equal(kn_component_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message,
        "component `Soldier`: field stance refers to `ordr`, which is not a kind of definition");
    (void)orders_register(f);
    assert_int_equal(kn_component_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "component `Soldier`: field stance refers to `ordr`, which "
                                       "is not a kind of definition; did you mean `order`?");
}

// Enums and data ------------------------------------------------------------

static void an_enum_has_words(void **state)
{
    fixture *f = *state;
    static const char *const bad[] = {"good", "Not Good"}, *const twice[] = {"one", "one"};
    kn_error error = {0};
    uint32_t count;
    assert_int_equal(kn_enum_register(f->library, "stance", order_stance_words, 3, &error), KN_OK);
    assert_string_equal(kn_enum_words(f->library, "stance", &count)[2], "chase");
    assert_int_equal(count, 3);
    assert_null(kn_enum_words(f->library, "nothing", &count));
    assert_int_equal(count, 0);
    assert_int_equal(kn_enum_register(f->library, "stance", order_stance_words, 3, &error),
        KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_enum_register(f->library, "bad", bad, 2, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_enum_register(f->library, "twice", twice, 2, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "enum `twice`: `one` appears twice");
    assert_int_equal(kn_enum_register(f->library, "none", bad, 0, &error), KN_ERROR_BAD_DATA);
    library_finish(f);
    assert_int_equal(
        kn_enum_register(f->library, "late", order_stance_words, 3, &error), KN_ERROR_WORLD_LOCKED);
}

typedef struct unit_state {
    order_stance stance;
    order_id order;
} unit_state;

// A component that holds an own enum and a definition of an own kind.
static kn_component_type_id unit_register(kn_library *library, const char *const *words)
{
    kn_def_kind kind;
    kn_kind_def kind_def = order_kind_def();
    assert_int_equal(kn_enum_register(library, "stance", words, 3, NULL), KN_OK);
    assert_int_equal(kn_kind_register(library, &kind_def, &kind, NULL), KN_OK);
    // The later library has them in another order.
    static const char *const names[] = {"Stop", "Attack"};
    bool is_first = words == order_stance_words;
    for (uint32_t i = 0; i < 2; i++) {
        order_def order = order_named(names[is_first ? i : 1 - i]);
        uint32_t index1;
        assert_int_equal(kn_def_register(library, kind, &order, &index1, NULL), KN_OK);
    }
    kn_field fields[] = {
        KN_FIELD(unit_state, stance, KN_FIELD_ENUM), KN_FIELD_TO(unit_state, order, "order")};
    fields[0].refers_to = "stance";
    kn_component_def def = kn_component_def_default();
    def.name = "Unit";
    def.size = sizeof(unit_state);
    def.fields = fields;
    def.field_count = COUNT(fields);
    kn_component_type_id type = {0};
    kn_error error = {0};
    if (kn_component_register(library, &def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(kn_component_get_def(library, type)->fields[0].words,
        is_first ? "hold follow chase" : "chase hold follow");
    return type;
}

static void components_hold_own_enums_and_definitions_that_are_saved_by_name(void **state)
{
    fixture *f = *state;
    kn_component_type_id type = unit_register(f->library, order_stance_words);
    begin(f);
    unit_state *unit = kn_component_add(f->world, type, f->hero);
    assert_non_null(unit);
    *unit = (unit_state){STANCE_CHASE, {2}};
    char dump[4096];
    (void)kn_entity_dump(f->world, f->hero, dump, sizeof(dump));
    assert_non_null(strstr(dump, "stance  chase"));
    assert_non_null(strstr(dump, "order   Attack"));
    size_t size;
    void *save = save_of(f->world, &size);

    static const char *const other_words[] = {"chase", "hold", "follow"};
    fixture *later = fixture_create(0);
    kn_component_type_id later_type = unit_register(later->library, other_words);
    begin(later);
    save_load(later->world, save, size);
    const unit_state *loaded = kn_component_get(later->world, later_type, f->hero);
    assert_non_null(loaded);
    assert_int_equal(loaded->stance, 0); // still "chase"
    assert_int_equal(loaded->order.index1, 1);
    assert_string_equal(
        kn_def_name(later->library, kn_kind_find(later->library, "order"), 1), "Attack");
    assert_true(fixture_destroy(later));
    free(save);
}

// Each soldier takes the order that follows its own, with the stance of that order.
static void soldiers_march(void *user, kn_world *world, const kn_system_run *run)
{
    const kn_library *library = kn_world_library(world);
    kn_def_kind kind = kn_kind_find(library, "order");
    kn_component_type_id type = kn_component_find(library, "Unit");
    kn_entity_id entity = {0};
    (void)user;
    (void)run;
    while ((entity = kn_component_next(world, type, entity)).index1 != 0) {
        unit_state *unit = kn_component_get(world, type, entity);
        const order_def *order = kn_def_get(library, kind, unit->order.index1);
        unit->order = order->next;
        unit->stance = ((const order_def *)kn_def_get(library, kind, unit->order.index1))->stance;
    }
}

static void march_register(kn_library *library)
{
    kn_def_kind kind;
    assert_int_equal(order_kind_register(library, &kind, NULL), KN_OK);
    order_def hold = order_named("Hold"), chase = order_named("Chase");
    chase.stance = STANCE_CHASE;
    chase.next.index1 = 1;
    hold.stance = STANCE_FOLLOW;
    uint32_t index1;
    assert_int_equal(kn_def_register(library, kind, &hold, &index1, NULL), KN_OK);
    assert_int_equal(kn_def_register(library, kind, &chase, &index1, NULL), KN_OK);
    order_def flee = order_named("Flee");
    flee.next.index1 = 2;
    assert_int_equal(kn_def_register(library, kind, &flee, &index1, NULL), KN_OK);
    kn_field fields[] = {
        KN_FIELD(unit_state, stance, KN_FIELD_ENUM), KN_FIELD_TO(unit_state, order, "order")};
    fields[0].refers_to = "stance";
    kn_component_def def = kn_component_def_default();
    def.name = "Unit";
    def.size = sizeof(unit_state);
    def.fields = fields;
    def.field_count = COUNT(fields);
    kn_component_type_id type;
    assert_int_equal(kn_component_register(library, &def, &type, NULL), KN_OK);
    kn_system_def system = kn_system_def_default();
    system.name = "March";
    system.rate = 10;
    system.function = soldiers_march;
    kn_system_id system_id;
    assert_int_equal(kn_system_register(library, &system, &system_id, NULL), KN_OK);
}

static void worlds_with_own_kinds_survive_a_save_or_snapshot_at_every_step(void **state)
{
    fixture *f = *state;
    march_register(f->library);
    begin(f);
    kn_component_type_id type = kn_component_find(f->library, "Unit");
    unit_state *unit = kn_component_add(f->world, type, f->hero);
    *unit = (unit_state){STANCE_HOLD, {3}};
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    size_t size;
    void *bytes = save_of(f->world, &size);
    kn_world *worlds[3] = {f->world}; // plain, heavy, sync
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(kn_world_create(&def, &worlds[i]), KN_OK);
        save_load(worlds[i], bytes, size);
    }
    free(bytes);
    static const char *const orders[] = {"Chase", "Hold"};
    static const order_stance stances[] = {STANCE_CHASE, STANCE_FOLLOW};
    for (uint32_t i = 0; i < 2; i++) {
        bytes = save_of(worlds[1], &size);
        save_load(worlds[1], bytes, size);
        free(bytes);
        bytes = snapshot_of(worlds[2], &size);
        assert_int_equal(kn_world_step(worlds[2], KN_MS(100)), KN_OK); // and back
        snapshot_restore(worlds[2], bytes, size);
        free(bytes);
        for (uint32_t j = 0; j < 3; j++) {
            assert_int_equal(kn_world_step(worlds[j], KN_MS(100)), KN_OK);
            assert_same_worlds(worlds[0], worlds[j]);
            const unit_state *now = kn_component_read(worlds[j], type, f->hero);
            assert_int_equal(now->stance, stances[i]);
            assert_string_equal(
                kn_def_name(f->library, kn_kind_find(f->library, "order"), now->order.index1),
                orders[i]);
        }
    }
    kn_world_destroy(worlds[1]);
    kn_world_destroy(worlds[2]);
}

static void a_field_of_an_enum_that_is_not_there_is_refused(void **state)
{
    fixture *f = *state;
    kn_field field = KN_FIELD_INIT("stance", KN_FIELD_ENUM, 0, 1);
    field.refers_to = "stance";
    kn_component_def def = kn_component_def_default();
    def.name = "Unit";
    def.size = 4;
    def.fields = &field;
    def.field_count = 1;
    kn_component_type_id type;
    kn_error error = {0};
    assert_int_equal(kn_component_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message,
        "component `Unit`: field stance refers to the enum `stance`, which is not registered");
    assert_int_equal(kn_enum_register(f->library, "stance", order_stance_words, 3, NULL), KN_OK);
    field.words = "hold";
    assert_int_equal(kn_component_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    field.words = NULL;
    assert_int_equal(kn_component_register(f->library, &def, &type, &error), KN_OK);
}

static uint32_t released;

static void release(void *data)
{
    released += *(const uint32_t *)data;
}

static void a_library_keeps_data_by_key(void **state)
{
    (void)state;
    static const char key, other;
    static uint32_t one = 1, ten = 10, hundred = 100;
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    released = 0;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    assert_null(kn_library_data(library, &key));
    assert_int_equal(kn_library_set_data(library, &key, &one, release), KN_OK);
    assert_int_equal(kn_library_set_data(library, &other, &hundred, NULL), KN_OK);
    assert_int_equal(kn_library_set_data(library, &key, &ten, release), KN_OK);
    assert_int_equal(released, 1);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_int_equal(kn_library_set_data(library, &key, &one, release), KN_ERROR_WORLD_LOCKED);
    assert_ptr_equal(kn_library_data(library, &key), &ten);
    assert_ptr_equal(kn_library_data(library, &other), &hundred);
    kn_library_destroy(library);
    assert_int_equal(released, 11);
}

static const struct CMUnitTest tests[] = {
    TEST(a_definition_of_an_own_kind_is_found_and_read_like_ours),
    TEST(definitions_are_checked_by_table_and_by_the_kind),
    TEST(a_kind_may_refer_to_one_that_is_registered_later),
    TEST(a_kind_can_refuse_to_be_finished),
    TEST(a_kind_that_makes_no_sense_is_refused),
    TEST(structs_may_hold_lists_of_their_own_kind),
    TEST(own_definitions_are_part_of_the_hash),
    TEST(a_field_that_refers_to_an_own_kind_is_saved_by_name),
    TEST(a_field_refers_to_kinds_that_are_there),
    TEST(an_enum_has_words),
    TEST(components_hold_own_enums_and_definitions_that_are_saved_by_name),
    TEST(worlds_with_own_kinds_survive_a_save_or_snapshot_at_every_step),
    TEST(a_field_of_an_enum_that_is_not_there_is_refused),
    TEST(a_library_keeps_data_by_key),
};

TEST_GROUP(own_kinds, tests, NULL, NULL);
