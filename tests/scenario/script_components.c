// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What scripts read and write of components and of target data: fields of every kind, and nothing
// beside them.

#include "scenario/script_fixture.h"

// One field of each kind with a byte between them, so that a write that is too long shows.
typedef struct kind_row {
    kn_field_kind kind;
    uint32_t size;
    const char *value; // in Lua
    const char *empty; // what it is at first
} kind_row;

static const kind_row kind_rows[] = {
    {KN_FIELD_U8, 1, "200", "0"},
    {KN_FIELD_BOOL, 1, "true", "false"},
    {KN_FIELD_U16, 2, "60000", "0"},
    {KN_FIELD_U32, 4, "4000000000", "0"},
    {KN_FIELD_I32, 4, "-5", "0"},
    {KN_FIELD_F32, 4, "1.5", "0.0"},
    {KN_FIELD_U64, 8, "1 << 40", "0"},
    {KN_FIELD_I64, 8, "-1 << 40", "0"},
    {KN_FIELD_TIME, 8, "2.5", "0.0"},
    {KN_FIELD_ENTITY, 8, "self.owner", "nil"},
    {KN_FIELD_EFFECT, 8, "self.owner:apply('Mark')", "nil"},
    {KN_FIELD_TAG, 4, "'Deep.Mark'", "nil"},
    {KN_FIELD_ATTRIBUTE, 4, "'Vitals.Mana'", "nil"},
    {KN_FIELD_VEC3, 12, "{x = 1, y = 2, z = 3}", "{x = 0, y = 0, z = 0}"},
    {KN_FIELD_CURVE, 4, "'Slope'", "nil"},
    {KN_FIELD_ABILITY, 8, "self.ability", "nil"},
    {KN_FIELD_ACTIVATION, 8, "self.activation", "nil"},
    {KN_FIELD_TASK, 8, "self:wait(9)", "nil"},
    {KN_FIELD_TIMER, 8, "self.owner:start_timer('Bell', 9)", "nil"},
    {KN_FIELD_SPEC, 8, "self.owner:spec('Mark')", "nil"},
    {KN_FIELD_REF, 4, "'Mark'", "nil"},
    {KN_FIELD_ENUM, 4, "'attacking'", "'idle'"},
};

#define KIND_COUNT (sizeof(kind_rows) / sizeof(kind_rows[0]))
_Static_assert(KIND_COUNT == KN_FIELD_KIND_END - 1, "a kind of fields is missing");

static char names[2 * KIND_COUNT + 1][8];

// Fields f1, g1, f2, g2 ...: each kind, then bytes that are never written. Returns the size.
static uint32_t fields_make(kn_field *fields)
{
    uint32_t offset = 0;
    for (uint32_t i = 0; i < KIND_COUNT; i++) {
        (void)snprintf(names[2 * i], sizeof(names[0]), "f%u", i + 1);
        (void)snprintf(names[2 * i + 1], sizeof(names[0]), "g%u", i + 1);
        fields[2 * i] = (kn_field)KN_FIELD_INIT(names[2 * i], kind_rows[i].kind, offset, 1);
        fields[2 * i].refers_to = kind_rows[i].kind == KN_FIELD_REF ? "effect" : NULL;
        fields[2 * i].words = kind_rows[i].kind == KN_FIELD_ENUM ? "idle moving attacking" : NULL;
        offset += kind_rows[i].size;
        uint32_t gap = 16 - kind_rows[i].size; // the next one is aligned
        fields[2 * i + 1] = (kn_field)KN_FIELD_INIT(names[2 * i + 1], KN_FIELD_U8, offset, gap);
        offset += gap;
    }
    return offset;
}

static kn_time bell_rings(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)data;
    return 0;
}

static void kinds_register(fixture *f)
{
    register_tag(f, "Deep.Mark");
    register_tag(f, "Ev");
    kn_field fields[2 * KIND_COUNT];
    uint32_t size = fields_make(fields);
    kn_component_def component = kn_component_def_default();
    component.name = "All";
    component.size = component.item_size = size;
    component.fields = component.item_fields = fields;
    component.field_count = component.item_field_count = 2 * KIND_COUNT;
    kn_component_type_id type;
    assert_int_equal(kn_component_register(f->library, &component, &type, NULL), KN_OK);
    kn_target_type_def target = kn_target_type_def_default();
    target.name = "Mine";
    target.size = size;
    target.fields = fields;
    target.field_count = 2 * KIND_COUNT;
    kn_target_type_id target_type;
    assert_int_equal(kn_target_type_register(f->library, &target, &target_type, NULL), KN_OK);
    kn_curve_point point = {0.0f, 1.0f};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Slope";
    curve.points = &point;
    curve.point_count = 1;
    kn_curve_id curve_id;
    assert_int_equal(kn_curve_register(f->library, &curve, &curve_id, NULL), KN_OK);
    kn_effect_def mark = infinite("Mark");
    (void)effect_register(f, &mark);
    kn_timer_type_id bell;
    assert_int_equal(
        kn_timer_type_register(f->library, "Bell", bell_rings, NULL, &bell, NULL), KN_OK);
}

// Every gap is as it was: 255 in all its bytes.
static void expect_gaps(const uint8_t *bytes)
{
    for (uint32_t i = 0; i < KIND_COUNT; i++) {
        for (uint32_t at = i * 16 + kind_rows[i].size; at < (i + 1) * 16; at++) {
            if (bytes[at] != 255) {
                fail_msg("a field of kind %d was written too far", (int)kind_rows[i].kind);
            }
        }
    }
}

static const char helpers[] =
    "function same(a, b)\n"
    "  if type(a) == 'table' then return a.x == b.x and a.y == b.y and a.z == b.z end\n"
    "  return a == b\n"
    "end\n";

static void fields_of_every_kind_are_read_and_written(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    char text[16384];
    size_t length = (size_t)snprintf(text, sizeof(text),
        "%sability 'T' { activate = function(self)\n"
        "  local o = self.owner\n"
        "  o:add_component('All') o:resize('All', 2)\n"
        "  for i = 1, %d do for e = 1, 15 do\n"
        "    local last = e > #GAPS[i]\n"
        "    if not last then o:set('All', 'g' .. i, 255, e) end\n"
        "  end end\n",
        helpers, (int)KIND_COUNT);
    for (uint32_t i = 0; i < KIND_COUNT; i++) {
        const kind_row *row = &kind_rows[i];
        length += (size_t)snprintf(text + length, sizeof(text) - length,
            "  do local v = %s\n"
            "    assert(same(o:get('All', 'f%u'), %s), 'empty %u')\n"
            "    assert(o:set('All', 'f%u', v), 'set %u')\n"
            "    assert(same(o:get('All', 'f%u'), v), 'get %u')\n"
            "    assert(o:set_item('All', 'f%u', 2, v), 'set item %u')\n"
            "    assert(same(o:get_item('All', 'f%u', 2), v), 'get item %u')\n"
            "    assert(same(o:get_item('All', 'f%u', 1), %s), 'other item %u') end\n",
            row->value, i + 1, row->empty, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1,
            i + 1, i + 1, row->empty, i + 1);
    }
    length += (size_t)snprintf(text + length, sizeof(text) - length, "end }\nGAPS = {");
    for (uint32_t i = 0; i < KIND_COUNT; i++) {
        length += (size_t)snprintf(
            text + length, sizeof(text) - length, "('x'):rep(%u), ", 16 - kind_rows[i].size);
    }
    (void)snprintf(text + length, sizeof(text) - length, "}");
    load(text);
    kn_ability_type_id type = bound(f, "T");
    begin(f);
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), NULL, NULL), KN_OK);
    expect_no_error();
    expect_gaps(kn_component_read(f->world, kn_component_find(f->library, "All"), f->hero));
}

static void target_data_has_fields_of_every_kind(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    char text[8192];
    size_t length = (size_t)snprintf(text, sizeof(text),
        "%sability 'T' { activate = function(self)\n  local o, t = self.owner, {type = 'Mine'}\n",
        helpers);
    for (uint32_t i = 0; i < KIND_COUNT; i++) {
        length += (size_t)snprintf(text + length, sizeof(text) - length, "  t.f%u = %s t.g%u = {",
            i + 1, kind_rows[i].value, i + 1);
        for (uint32_t e = kind_rows[i].size; e < 16; e++) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "255, ");
        }
        length += (size_t)snprintf(text + length, sizeof(text) - length, "}\n");
    }
    length += (size_t)snprintf(text + length, sizeof(text) - length,
        "  local back = self:apply('Mark', o, {targets = {t}}):targets()[1]\n"
        "  for i = 1, %d do assert(same(t['f' .. i], back['f' .. i]), i) end\n"
        "  for i = 1, %d do for e, v in ipairs(t['g' .. i]) do assert(back['g' .. i][e] == v, i) "
        "end end\nend }\n",
        (int)KIND_COUNT, (int)KIND_COUNT);
    load(text);
    kn_ability_type_id type = bound(f, "T");
    begin(f);
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), NULL, NULL), KN_OK);
    expect_no_error();
}

// A timer is an id of two numbers, a curve a name of one.
static void a_curve_is_no_timer(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    run_fails(f, "", "self.owner:add_component('All') self.owner:set('All', 'f15', self.owner)",
        "`f15` takes the name of a curve, got number");
}

static void a_definition_of_another_name_is_refused(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    run_fails(f, "", "self.owner:add_component('All') self.owner:set('All', 'f21', 'Murk')",
        "there is no effect `Murk`");
}

static void a_definition_has_a_name(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    run_fails(f, "", "self.owner:add_component('All') self.owner:set('All', 'f21', 1)",
        "`f21` takes the name of a definition of the kind effect, got number");
}

static void a_word_is_one_of_those_of_its_field(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    run_fails(f, "", "self.owner:add_component('All') self.owner:set('All', 'f22', 'fleeing')",
        "`f22` takes one of the words idle moving attacking, got fleeing");
}

static void nil_is_no_word(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    run_fails(f, "", "self.owner:add_component('All') self.owner:set('All', 'f22', nil)",
        "`f22` takes one of the words idle moving attacking, got nil");
}

static void nil_clears_a_field(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    run(f,
        "local o = self.owner\n"
        "o:add_component('All') o:resize('All', 1) world.add_component('All')\n"
        "for i, v in ipairs {{10, o}, {11, o:apply('Mark')}, {12, 'Deep.Mark'}, {13, "
        "'Vitals.Mana'}, {15, 'Slope'}, {21, 'Mark'}} do\n"
        "  local name = 'f' .. v[1]\n"
        "  o:set('All', name, v[2]) o:set_item('All', name, 1, v[2]) world.set('All', name, v[2])\n"
        "  assert(o:get('All', name) and o:get_item('All', name, 1) and world.get('All', name))\n"
        "  assert(o:set('All', name, nil) and o:set_item('All', name, 1, nil))\n"
        "  assert(world.set('All', name, nil))\n"
        "  assert(o:get('All', name) == nil and o:get_item('All', name, 1) == nil)\n"
        "  assert(world.get('All', name) == nil)\n"
        "end");
}

static void nil_is_no_number(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    run_fails(f, "", "self.owner:add_component('All') self.owner:set('All', 'f4', nil)",
        "`f4` takes an integer from 0 to 4294967295, got nil");
}

static void who_only_reads_may_read_items(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    load("ability 'Ask' {\n"
         "  can_activate = function(self)\n"
         "    local o = self.owner\n"
         "    return o:item_count('All') == 2 and o:get_item('All', 'f4', 2) == 7\n"
         "  end,\n"
         "  activate = function(self) print('asked') self:finish() end }");
    kn_ability_type_id ask = bound(f, "Ask");
    begin(f);
    kn_ability_id ability = grant(f, ask);
    assert_int_not_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_OK);
    kn_component_type_id all = kn_component_find(f->library, "All");
    uint32_t count = 9;
    assert_null(kn_component_read_items(f->world, all, f->hero, &count));
    assert_int_equal(count, 0);
    assert_non_null(kn_component_add(f->world, all, f->hero));
    uint8_t *items = kn_component_resize(f->world, all, f->hero, 2);
    uint32_t seven = 7;
    memcpy(items + KIND_COUNT * 16 + 3 * 16, &seven, sizeof(seven));
    assert_ptr_equal(kn_component_read_items(f->world, all, f->hero, &count), items);
    assert_int_equal(count, 2);
    activate(f, ability);
    EXPECT_LOG(f, "asked. ");
    expect_no_error();
}

static void instances_register(fixture *f)
{
    static const kn_field fields[] = {
        KN_FIELD_INIT("from", KN_FIELD_ENTITY, 0, 1), KN_FIELD_INIT("count", KN_FIELD_U32, 8, 2)};
    static const kn_field items[] = {KN_FIELD_INIT("pair", KN_FIELD_U32, 0, 2)};
    kn_component_def def = kn_component_def_default();
    def.name = "Note";
    def.size = 16;
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = 8;
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.several = true;
    kn_component_type_id type;
    assert_int_equal(kn_component_register(f->library, &def, &type, NULL), KN_OK);
}

static void a_script_has_several_components_of_a_type(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    instances_register(f);
    load(
        "ability 'T' { activate = function(self)\n"
        "  for _, o in ipairs { self.owner, world } do\n"
        "    local call = function(name, ...)\n"
        "      if o == world then return o[name](...) end\n"
        "      return o[name](o, ...)\n"
        "    end\n"
        "    local a, b = call('add_instance', 'Note'), call('add_instance', 'Note')\n"
        "    assert(a ~= b and #call('instances', 'Note') == 2)\n"
        "    assert(call('set', 'Note', 'count', 7, 2, b))\n"
        "    assert(call('set', 'Note', 'from', self.owner, 1, b))\n"
        "    assert(call('get', 'Note', 'count', 2, b) == 7)\n"
        "    assert(call('get', 'Note', 'from', 1, b) == self.owner)\n"
        "    assert(call('get', 'Note', 'count', 2) == 0)\n"
        "    assert(call('resize', 'Note', 2, b) and call('item_count', 'Note', b) == 2)\n"
        "    assert(call('item_count', 'Note') == 0)\n"
        "    assert(call('set_item', 'Note', 'pair', 2, 9, 2, b))\n"
        "    assert(call('get_item', 'Note', 'pair', 2, 2, b) == 9)\n"
        "    assert(call('get_item', 'Note', 'pair', 2, 1, b) == 0)\n"
        "    assert(call('get_item', 'Note', 'pair', 2) == nil)\n"
        "    assert(call('remove_component', 'Note', a) and not call('has_component', 'Note', a))\n"
        "    assert(not call('remove_component', 'Note', a))\n"
        "    assert(call('instances', 'Note')[1] == b)\n"
        "    assert(call('get', 'Note', 'count', 1, a) == nil)\n"
        "    local done, why = call('set', 'Note', 'count', 1, 1, a)\n"
        "    assert(done == nil and why == 'not_found')\n"
        "    done, why = call('add_instance', 'All')\n"
        "    assert(done == nil and why == 'duplicate')\n"
        "  end\n"
        "  local mine = self.owner:instances('Note')[1]\n"
        "  assert(world.get('Note', 'count', 1, mine) == nil, 'of another')\n"
        "  print('ok') self:finish() end }");
    kn_ability_type_id type = bound(f, "T");
    begin(f);
    activate(f, grant(f, type));
    expect_no_error();
    EXPECT_LOG(f, "ok. ");
    assert_int_equal(
        kn_component_instance_count(f->world, kn_component_find(f->library, "Note"), f->hero), 1);
}

static void a_calculation_reads_items_and_instances(void **state)
{
    fixture *f = *state;
    kinds_register(f);
    instances_register(f);
    load("calculation 'Sum' { calculate = function(self)\n"
         "  local sum = world.item_count('Note')\n"
         "  for _, id in ipairs(self.target:instances('Note')) do\n"
         "    for i = 1, self.target:item_count('Note', id) do\n"
         "      sum = sum + self.target:get_item('Note', 'pair', i, 2, id)\n"
         "    end\n"
         "  end\n"
         "  return sum end }");
    kn_calculation_def calculation = kn_calculation_def_default();
    assert_int_equal(kn_script_bind_calculation(the_script, "Sum", &calculation, NULL), KN_OK);
    kn_calculation_id sum;
    assert_int_equal(kn_calculation_register(f->library, &calculation, &sum, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->mana;
    modifier.op = KN_OP_OVERRIDE;
    modifier.magnitude = kn_magnitude_calculation(sum);
    kn_effect_def def = infinite("Summed");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id effect = effect_register(f, &def);
    begin(f);
    kn_component_type_id note = kn_component_find(f->library, "Note");
    for (uint32_t i = 1; i <= 2; i++) {
        kn_component_id id;
        assert_int_equal(kn_component_instance_add(f->world, note, f->hero, &id), KN_OK);
        uint32_t *pairs = kn_component_instance_resize(f->world, note, id, i);
        pairs[2 * i - 1] = 10 * i;
    }

    (void)apply_to(f, effect, f->hero);

    expect_no_error();
    assert_near(kn_attribute_value(f->world, f->hero, f->mana), 30.0f);
}

static void a_calculation_finds_what_refers_to_an_entity(void **state)
{
    fixture *f = *state;
    load("ability 'Ask' {\n"
         "  can_activate = function(self)\n"
         "    local all, ids = self.owner:referrers('Leash', 'from')\n"
         "    return #all == 2 and #ids == 2 and\n"
         "      all[1]:get('Leash', 'count', 1, ids[1]) == 4 and all[2] == all[1]\n"
         "  end,\n"
         "  activate = function(self) print('asked') self.owner:referrers('Leash', 'count') end }");
    static const kn_field fields[] = {
        KN_FIELD_INIT("from", KN_FIELD_ENTITY, 0, 1), KN_FIELD_INIT("count", KN_FIELD_U32, 8, 2)};
    static const kn_component_reference references[] = {{"from", false, KN_REFERENCE_LEAVE}};
    kn_component_def def = kn_component_def_default();
    def.name = "Leash";
    def.size = 16;
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.several = true;
    def.references = references;
    def.reference_count = 1;
    kn_component_type_id type;
    assert_int_equal(kn_component_register(f->library, &def, &type, NULL), KN_OK);
    kn_ability_type_id ask = bound(f, "Ask");
    begin(f);
    kn_ability_id ability = grant(f, ask);
    kn_component_id id;
    assert_int_equal(kn_component_instance_add(f->world, type, f->foe, &id), KN_OK);
    uint32_t *data = kn_component_instance_get(f->world, type, id);
    memcpy(data, &f->hero, sizeof(f->hero));
    data[2] = 4;
    assert_int_not_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_OK);
    assert_int_equal(kn_component_instance_add(f->world, type, f->foe, &id), KN_OK);
    data = kn_component_instance_get(f->world, type, id);
    memcpy(data, &f->hero, sizeof(f->hero));
    expect_no_error();

    (void)kn_ability_activate(f->world, ability, NULL, NULL);

    EXPECT_LOG(f, "asked. ");
    EXPECT_ERROR("component `Leash` has no reference `count`");
}

static void a_script_has_the_hooks_of_a_component(void **state)
{
    fixture *f = *state;
    load("component 'Life' {\n"
         "  added = function(self)\n"
         "    assert(self:get('count', 2) == 0 and self.component == 'Life')\n"
         "    self:set('count', 9, 2) self:set('from', self.entity)\n"
         "    print('added', self.entity ~= nil, self.instance ~= nil)\n"
         "  end,\n"
         "  removed = function(self)\n"
         "    print('removed', self:get('count', 2), self:get('from') == self.entity)\n"
         "    assert(self:set('nothing', 1))\n"
         "  end }");
    static const kn_field fields[] = {
        KN_FIELD_INIT("from", KN_FIELD_ENTITY, 0, 1), KN_FIELD_INIT("count", KN_FIELD_U32, 8, 2)};
    kn_component_def def = kn_component_def_default();
    def.size = 16;
    def.fields = fields;
    def.field_count = COUNT(fields);
    kn_error error = {0};
    if (kn_script_bind_component(the_script, "Life", &def, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_component_type_id type;
    assert_int_equal(kn_component_register(f->library, &def, &type, NULL), KN_OK);
    begin(f);

    const uint32_t *made = kn_component_add(f->world, type, f->hero);

    assert_int_equal(made[3], 9);
    EXPECT_LOG(f, "added\ttrue\tfalse. ");
    expect_no_error();
    assert_true(kn_entity_destroy(f->world, f->hero));
    EXPECT_LOG(f, "removed\t9\ttrue. ");
    EXPECT_ERROR("component `Life` has no field `nothing`");
}

static const struct CMUnitTest tests[] = {
    SCRIPTED(fields_of_every_kind_are_read_and_written),
    SCRIPTED(target_data_has_fields_of_every_kind),
    SCRIPTED(a_curve_is_no_timer),
    SCRIPTED(a_definition_of_another_name_is_refused),
    SCRIPTED(a_definition_has_a_name),
    SCRIPTED(a_word_is_one_of_those_of_its_field),
    SCRIPTED(nil_is_no_word),
    SCRIPTED(nil_clears_a_field),
    SCRIPTED(nil_is_no_number),
    SCRIPTED(who_only_reads_may_read_items),
    SCRIPTED(a_script_has_several_components_of_a_type),
    SCRIPTED(a_calculation_reads_items_and_instances),
    SCRIPTED(a_script_has_the_hooks_of_a_component),
    SCRIPTED(a_calculation_finds_what_refers_to_an_entity),
};

TEST_GROUP(script_components, tests, NULL, NULL);
