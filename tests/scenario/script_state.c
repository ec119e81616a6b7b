// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The state of scripts is saved by name: a script with other fields, in a library with other
// numbers, continues where the save or the reloaded world was.

#include "scenario/script_fixture.h"

// A library with a script of its own.
typedef struct side {
    fixture *f;
    kn_script *script;
    kn_ability_type_id march, drum;
    kn_effect_type_id grow;
} side;

// What every library has; the numbers differ.
static void side_names(fixture *f, bool is_shifted)
{
    if (is_shifted) {
        (void)tag_of(f, "A.First");
        (void)tag_of(f, "B.Second");
        kn_attribute_def attribute = attribute_def("One", 0.0f);
        (void)set_register(f, "AFirst", &attribute, 1);
        kn_effect_def first = infinite("AFirst");
        (void)effect_register(f, &first);
    }
    (void)tag_of(f, "Deep.Mark");
}

static void side_make(side *s, const char *text, bool is_shifted)
{
    void *own;
    (void)setup(&own);
    *s = (side){.f = own};
    side_names(s->f, is_shifted);
    s->script = script_begin(s->f, NULL);
    load(text);
    s->march = bound(s->f, "March");
    kn_ability_def drum = kn_ability_def_default();
    drum.instancing = KN_INSTANCING_PER_ACTOR;
    assert_int_equal(kn_script_bind_ability(s->script, "Drum", &drum, NULL), KN_OK);
    s->drum = ability_register(s->f, &drum);
    kn_task_type_def beat = kn_task_type_def_default();
    assert_int_equal(kn_script_bind_task(s->script, "Beat", &beat, NULL), KN_OK);
    kn_task_type_id task;
    assert_int_equal(kn_task_type_register(s->f->library, &beat, &task, NULL), KN_OK);
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    assert_int_equal(kn_script_bind_logic(s->script, "Grow", &logic, NULL), KN_OK);
    kn_effect_def grow = infinite("Grow");
    grow.is_periodic = true;
    grow.period = kn_magnitude_constant(0.4f);
    grow.skip_first_tick = true;
    assert_int_equal(kn_effect_logic_register(s->f->library, &logic, &grow.logic, NULL), KN_OK);
    s->grow = effect_register(s->f, &grow);
    begin(s->f);
}

static void side_end(side *s)
{
    void *own = s->f;
    kn_script_destroy(s->script);
    (void)teardown(&own);
    the_script = NULL;
}

static const char first_text[] =
    "ability 'March' {\n"
    "  state = { hits = kn.u32(3), tag = kn.tag, attribute = kn.attribute, target = kn.entity,\n"
    "    seen = kn.array(kn.entity, 4), place = kn.vec3, since = kn.time, gone = kn.u16(9),\n"
    "    me = kn.ability, run = kn.activation, wait = kn.task, zero = kn.i32(5), idle = kn.u8(7),\n"
    "    plain = kn.u16, words = kn.array(kn.tag, 2), gear = kn.ref('effect'),\n"
    "    mode = kn.enum('idle moving attacking')('moving'), rest = kn.enum('idle "
    "moving')('moving'),\n"
    "    modes = kn.array(kn.enum('low high'), 2) },\n"
    "  activate = function(self)\n"
    "    local s = self.state\n"
    "    s.hits = 40\n"
    "    s.tag = 'Deep.Mark'\n"
    "    s.attribute = 'Vitals.Mana'\n"
    "    s.target = self.owner\n"
    "    s.seen[2] = self.owner\n"
    "    s.place = {x = 1, y = 2, z = 3}\n"
    "    s.since = 0.25\n"
    "    s.me = self.ability\n"
    "    s.run = self.activation\n"
    "    s.zero = 0\n"
    "    s.plain = 12\n"
    "    s.words[2] = 'Deep.Mark'\n"
    "    s.gear = 'Grow'\n"
    "    assert(s.mode == 'moving' and s.rest == 'moving' and s.modes[1] == 'low')\n"
    "    s.mode = 'attacking'\n"
    "    s.rest = 'idle'\n"
    "    s.modes[2] = 'high'\n"
    "    self:task('custom', nil, {type = 'Beat', state = {count = 2}})\n"
    "    s.wait = self:wait(1, 'land')\n"
    "  end,\n"
    "  land = function(self) print('never') end,\n"
    "}\n"
    "ability 'Drum' {\n"
    "  state = { beats = kn.u32(10), tag = kn.tag },\n"
    "  activate = function(self)\n"
    "    self.state.beats = self.state.beats + 1\n"
    "    self.state.tag = 'Deep.Mark'\n"
    "    self:finish()\n"
    "  end }\n"
    "task 'Beat' {\n"
    "  state = { count = kn.u32, mark = kn.tag, old = kn.f32(1.5) },\n"
    "  start = function(self) self.state.mark = 'Deep.Mark' self:wake_after(0.5) end,\n"
    "  timer = function(self) print('never') end }\n"
    "logic 'Grow' {\n"
    "  state = { ticks = kn.u16(10), mark = kn.tag },\n"
    "  applied = function(self) self.state.mark = 'Deep.Mark' end,\n"
    "  ticked = function(self) self.state.ticks = self.state.ticks + 1 end }\n";

// Others came, some went; `plain` and `idle` got other defaults.
static const char second_text[] =
    "ability 'March' {\n"
    "  state = { tag = kn.tag, attribute = kn.attribute, hits = kn.u32(4), target = kn.entity,\n"
    "    place = kn.vec3, since = kn.time, run = kn.activation, wait = kn.task, me = kn.ability,\n"
    "    seen = kn.array(kn.entity, 2), zero = kn.i32(6), idle = kn.u8(8), fresh = kn.f32(2.5),\n"
    "    none = kn.entity, plain = kn.u16(1), more = kn.u64, words = kn.array(kn.tag, 3),\n"
    "    modes = kn.array(kn.enum('high middle low'), 3), mode = kn.enum('attacking idle "
    "moving'),\n"
    "    rest = kn.enum('idle moving')('moving'), gear = kn.ref('effect'), kit = kn.ref('curve') "
    "},\n"
    "  activate = function(self) print('never') end,\n"
    "  land = function(self)\n"
    "    local s = self.state\n"
    "    print(s.hits, s.tag, s.attribute, s.target == self.owner, s.seen[1], s.seen[2] == \n"
    "      self.owner, s.place.x, s.place.y, s.place.z, s.since)\n"
    "    print(s.me == self.ability, s.run == self.activation, s.zero, s.idle, s.fresh, s.none,\n"
    "      s.plain, s.more, s.words[1], s.words[2], s.words[3])\n"
    "    print(s.gear, s.kit, s.mode, s.rest, s.modes[1], s.modes[2], s.modes[3])\n"
    "    s.fresh = 0\n"
    "    s.idle = 1\n"
    "    print(s.fresh, s.idle, self.owner:value(s.attribute))\n"
    "    self:finish()\n"
    "  end,\n"
    "}\n"
    "ability 'Drum' {\n"
    "  state = { loud = kn.bool(true), tag = kn.tag, beats = kn.u32(20) },\n"
    "  activate = function(self)\n"
    "    self.state.beats = self.state.beats + 1\n"
    "    print(self.state.beats, self.state.tag, self.state.loud)\n"
    "    self:finish()\n"
    "  end }\n"
    "task 'Beat' {\n"
    "  state = { mark = kn.tag, old = kn.f32(0.5), extra = kn.u8(6), count = kn.u32 },\n"
    "  start = function(self) end,\n"
    "  timer = function(self)\n"
    "    local s = self.state\n"
    "    print('beat', s.count, s.mark, s.old, s.extra)\n"
    "    return 0\n"
    "  end }\n"
    "logic 'Grow' {\n"
    "  state = { mark = kn.tag, size = kn.f32(3), ticks = kn.u16(10) },\n"
    "  ticked = function(self)\n"
    "    self.state.ticks = self.state.ticks + 1\n"
    "    print('grow', self.state.ticks, self.state.mark, self.state.size)\n"
    "  end }\n";

// A march and a drum in the middle, and an effect that has ticked once.
static kn_ability_id side_run(side *s)
{
    fixture *f = s->f;
    activate(f, grant(f, s->march));
    kn_ability_id drum = grant(f, s->drum);
    activate(f, drum);
    assert_int_equal(
        kn_effect_apply_simple(f->world, s->grow, f->hero, f->hero, 1.0f, NULL), KN_OK);
    step(f, KN_MS(450));
    EXPECT_LOG(f, "");
    if (kn_script_error_count(s->script) != 0) {
        fail_msg("%s", last_error);
    }
    return drum;
}

#define GOES_ON                                                                                    \
    "beat\t2\tDeep.Mark\t0.5\t6. grow\t12\tDeep.Mark\t3.0. "                                       \
    "40\tDeep.Mark\tVitals.Mana\ttrue\tnil\ttrue\t1.0\t2.0\t3.0\t0.25. "                           \
    "true\ttrue\t0\t8\t2.5\tnil\t12\t0\tnil\tDeep.Mark\tnil. "                                     \
    "Grow\tnil\tattacking\tidle\tlow\thigh\thigh. 0.0\t1\t100.0. "

// What the second script does with what the first left behind.
static void expect_goes_on(side *s, kn_ability_id drum)
{
    fixture *f = s->f;
    assert_true(kn_world_validate(f->world));
    f->log[0] = 0;
    step(f, KN_MS(700));
    EXPECT_LOG(f, GOES_ON);
    activate(f, drum);
    EXPECT_LOG(f, "12\tDeep.Mark\ttrue. ");
    assert_int_equal(kn_script_error_count(s->script), 0);
}

static void another_script_goes_on_with_a_save(void **state)
{
    (void)state;
    side first, second;
    side_make(&first, first_text, false);
    kn_ability_id drum = side_run(&first);
    size_t size;
    void *bytes = save_of(first.f->world, &size);
    side_make(&second, second_text, true);
    save_load(second.f->world, bytes, size);
    second.f->hero = first.f->hero;
    expect_goes_on(&second, drum);
    free(bytes);
    side_end(&second);
    side_end(&first);
}

static void another_script_goes_on_in_a_reloaded_world(void **state)
{
    (void)state;
    side first, second;
    side_make(&first, first_text, false);
    kn_ability_id drum = side_run(&first);
    side_make(&second, second_text, true);
    kn_error error = {0};
    if (kn_world_reload(first.f->world, second.f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_world_destroy(second.f->world);
    second.f->world = first.f->world;
    second.f->hero = first.f->hero;
    first.f->world = NULL;
    expect_goes_on(&second, drum);
    side_end(&second);
    side_end(&first);
}

// The same script: a save is the same world, whatever is default and whatever is written.
static void a_save_is_the_same_world(void **state)
{
    (void)state;
    side first, second;
    side_make(&first, first_text, false);
    (void)side_run(&first);
    size_t size;
    void *bytes = save_of(first.f->world, &size);
    side_make(&second, first_text, false);
    assert_int_equal(kn_save_read(second.f->world, bytes, size, NULL), KN_OK);
    assert_int_equal(kn_world_hash(second.f->world), kn_world_hash(first.f->world));
    char text[8192];
    (void)kn_entity_dump(second.f->world, first.f->hero, text, sizeof(text));
    assert_non_null(strstr(text, "    state beats 11; tag Deep.Mark; beats.set true\n"));
    assert_non_null(strstr(text, "mark Deep.Mark; ticks 11; ticks.set true\n"));
    free(bytes);
    side_end(&second);
    side_end(&first);
}

static void a_field_of_another_type_refuses_the_save(void **state)
{
    (void)state;
    side first, second;
    side_make(&first, first_text, false);
    (void)side_run(&first);
    size_t size;
    void *bytes = save_of(first.f->world, &size);
    char other[sizeof(second_text)];
    memcpy(other, second_text, sizeof(other));
    char *type = strstr(other, "hits = kn.u32(4)");
    assert_non_null(type);
    type[10] = 'f';
    side_make(&second, other, true);
    uint64_t before = kn_world_hash(second.f->world);
    kn_error error = {0};
    assert_int_equal(kn_save_read(second.f->world, bytes, size, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message,
        "the save has `March` with a field `hits` of another kind; give it a new name");
    assert_int_equal(kn_world_hash(second.f->world), before);
    free(bytes);
    side_end(&second);
    side_end(&first);
}

// A definition that had no state gets one, and one loses all it had.
static void a_state_comes_and_goes(void **state)
{
    (void)state;
    static const char without[] =
        "ability 'March' { activate = function(self) self:wait(1, 'land') end,\n"
        "  land = function(self) print('landed') self:finish() end }\n"
        "ability 'Drum' { activate = function(self) self:finish() end }\n"
        "task 'Beat' { start = function(self) end }\n"
        "logic 'Grow' { ticked = function(self) print('tick') end }\n";
    side first, second, third;
    side_make(&first, without, false);
    activate(first.f, grant(first.f, first.march));
    kn_ability_id drum = grant(first.f, first.drum);
    assert_int_equal(kn_effect_apply_simple(
                         first.f->world, first.grow, first.f->hero, first.f->hero, 1.0f, NULL),
        KN_OK);
    size_t size;
    void *bytes = save_of(first.f->world, &size);
    side_make(&second, second_text, true);
    save_load(second.f->world, bytes, size);
    second.f->hero = first.f->hero;
    step(second.f, KN_MS(500));
    EXPECT_LOG(second.f, "grow\t11\tnil\t3.0. ");
    activate(second.f, drum);
    EXPECT_LOG(second.f, "21\tnil\ttrue. ");
    free(bytes);
    bytes = save_of(second.f->world, &size);
    side_make(&third, without, false);
    save_load(third.f->world, bytes, size);
    step(third.f, KN_S(1));
    EXPECT_LOG(third.f, "tick. landed. tick. ");
    free(bytes);
    side_end(&third);
    side_end(&second);
    side_end(&first);
}

// What a script declares is what the library knows.
static void the_library_knows_the_fields(void **state)
{
    fixture *f = *state;
    load("ability 'One' { state = { b = kn.u8(1), a = kn.array(kn.task, 2), c = kn.vec3 },\n"
         "  activate = function(self) end }\n"
         "ability 'Two' { state = { a = kn.u8(1), ['a.set'] = kn.bool },\n"
         "  activate = function(self) end }\n");
    kn_ability_def def = kn_ability_def_default();
    assert_int_equal(kn_script_bind_ability(the_script, "One", &def, NULL), KN_OK);
    assert_int_equal(def.state_size, 16 + 12 + 1 + 1);
    assert_int_equal(def.state_field_count, 4);
    const kn_field expected[] = {KN_FIELD_INIT("a", KN_FIELD_TASK, 0, 2),
        KN_FIELD_INIT("c", KN_FIELD_VEC3, 16, 1), KN_FIELD_INIT("b", KN_FIELD_U8, 28, 1),
        KN_FIELD_INIT("b.set", KN_FIELD_BOOL, 29, 1)};
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(def.state_fields[i].name, expected[i].name);
        assert_int_equal(def.state_fields[i].kind, expected[i].kind);
        assert_int_equal(def.state_fields[i].offset, expected[i].offset);
        assert_int_equal(def.state_fields[i].count, expected[i].count);
    }
    (void)ability_register(f, &def);
    kn_ability_def other = kn_ability_def_default();
    assert_int_equal(kn_script_bind_ability(the_script, "Two", &other, NULL), KN_OK);
    kn_error error = {0};
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(f->library, &other, &type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "ability `Two`: field a.set appears twice");
}

// Refused when it is loaded, or when it is bound.
static void expect_bad_state(const char *name, const char *state, const char *message)
{
    char text[256];
    kn_error error = {0};
    (void)snprintf(text, sizeof(text),
        "ability '%s' { state = { x = %s }, activate = function(self) end }", name, state);
    kn_result result = kn_script_load(the_script, "bad.lua", text, strlen(text), &error);
    if (result == KN_OK) {
        kn_ability_def def = kn_ability_def_default();
        result = kn_script_bind_ability(the_script, name, &def, &error);
    }
    assert_int_not_equal(result, KN_OK);
    if (strstr(error.message, message) == NULL) {
        fail_msg("no %s in %s", message, error.message);
    }
}

static void types_with_words_are_called_first(void **state)
{
    (void)state;
    expect_bad_state("B1", "kn.ref", "kn.ref and kn.enum are called first");
    expect_bad_state("B2", "kn.enum", "kn.ref and kn.enum are called first");
    expect_bad_state("B3", "kn.ref()", "kn.ref takes a kind of definition, such as \"effect\"");
    expect_bad_state("B4", "kn.enum(7)", "kn.enum takes words, such as \"idle moving\"");
    expect_bad_state("B5", "kn.array(kn.enum, 2)", "kn.array takes a type");
    expect_bad_state("B6", "kn.ref('effect')('Mark')", "a name has no default");
    expect_bad_state("B7", "kn.enum('idle moving')('fleeing')",
        "`default` takes one of the words idle moving, got fleeing");
}

static void the_library_knows_words_and_kinds(void **state)
{
    fixture *f = *state;
    load("ability 'One' { state = { a = kn.enum('low high'), b = kn.array(kn.ref('effect'), 2) },\n"
         "  activate = function(self) end }\n"
         "ability 'Two' { state = { a = kn.ref('efect') }, activate = function(self) end }\n");
    kn_ability_def def = kn_ability_def_default();
    assert_int_equal(kn_script_bind_ability(the_script, "One", &def, NULL), KN_OK);
    assert_int_equal(def.state_size, 12);
    assert_int_equal(def.state_fields[0].kind, KN_FIELD_ENUM);
    assert_string_equal(def.state_fields[0].words, "low high");
    assert_null(def.state_fields[0].refers_to);
    assert_int_equal(def.state_fields[1].kind, KN_FIELD_REF);
    assert_int_equal(def.state_fields[1].count, 2);
    assert_string_equal(def.state_fields[1].refers_to, "effect");
    assert_null(def.state_fields[1].words);
    (void)ability_register(f, &def);
    kn_ability_def other = kn_ability_def_default();
    assert_int_equal(kn_script_bind_ability(the_script, "Two", &other, NULL), KN_OK);
    kn_error error = {0};
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(f->library, &other, &type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "ability `Two`: field a refers to `efect`, which is not a "
                                       "kind of definition; did you mean `effect`?");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(another_script_goes_on_with_a_save),
    cmocka_unit_test(another_script_goes_on_in_a_reloaded_world),
    cmocka_unit_test(a_save_is_the_same_world),
    cmocka_unit_test(a_field_of_another_type_refuses_the_save),
    cmocka_unit_test(a_state_comes_and_goes),
    SCRIPTED(the_library_knows_the_fields),
    SCRIPTED(types_with_words_are_called_first),
    SCRIPTED(the_library_knows_words_and_kinds),
};

TEST_GROUP(script_state, tests, NULL, NULL);
