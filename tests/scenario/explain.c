// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why is this number so? Explanations add up to the value, bit for bit.

#define FIXTURE_OWN                                                                                \
    kn_attribute_id attributes[8];                                                                 \
    kn_tag asleep, groups[2];

#include "scenario/attribute_fixture.h"

static float halve_above_500(void *user, const kn_attribute_change *change)
{
    (void)user;
    return change->new_value > 500.0f ? 500.0f + (change->new_value - 500.0f) * 0.5f
                                      : change->new_value;
}

static void set_of_one(fixture *f, kn_attribute_def attribute, bool has_hook)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "Set";
    def.attributes = &attribute;
    def.attribute_count = 1;
    def.hooks.pre_change = has_hook ? halve_above_500 : NULL;
    assert_int_equal(kn_attribute_set_register(f->library, &def, &f->set, NULL), KN_OK);
    f->attributes[0] = kn_attribute_find(f->library, "Set.A");
}

static kn_effect_type_id stacking_of(fixture *f, const char *name, const kn_modifier_def *modifier)
{
    kn_effect_def def = infinite(name);
    def.modifiers = modifier;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    return effect_register(f, &def);
}

static kn_effect_type_id simple_effect(fixture *f, const char *name, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_constant(f->attributes[0], op, magnitude);
    return stacking_of(f, name, &modifier);
}

static kn_effect_id apply_stacks(fixture *f, kn_effect_type_id type, uint32_t stacks)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = f->hero;
    def.source = f->hero;
    def.stacks = stacks;
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
    return effect;
}

static uint32_t bits(float value)
{
    uint32_t result;
    memcpy(&result, &value, sizeof result);
    return result;
}

enum { LINES = 128 };

// The promises every explanation keeps.
static uint32_t explain(fixture *f, kn_attribute_id attribute, kn_explain_line *lines)
{
    uint32_t count = kn_attribute_explain(f->world, f->hero, attribute, 0, lines, LINES);
    assert_in_range(count, 1, LINES);
    assert_int_equal(lines[0].kind, KN_EXPLAIN_BASE);
    assert_int_equal(bits(lines[0].result), bits(kn_attribute_base(f->world, f->hero, attribute)));
    float last = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(bits(lines[i].delta), bits(lines[i].result - last));
        last = lines[i].result;
        if (lines[i].kind == KN_EXPLAIN_MODIFIER && lines[i].qualification != KN_QUALIFICATION_OK) {
            assert_true(lines[i].delta == 0.0f);
        }
    }
    assert_int_equal(bits(last), bits(kn_attribute_value(f->world, f->hero, attribute)));
    assert_int_equal(kn_attribute_explain(f->world, f->hero, attribute, 0, NULL, 0), count);
    return count;
}

static void an_untouched_value_is_its_base(void **state)
{
    fixture *f = *state;
    set_of_one(f, attribute_def("A", 7.0f), false);
    begin(f);
    kn_explain_line lines[LINES];
    assert_int_equal(explain(f, f->attributes[0], lines), 1);
    assert_true(lines[0].result == 7.0f && lines[0].delta == 7.0f);
}

// ATS-091
static void each_modifier_has_a_line_with_its_effect_and_what_it_adds(void **state)
{
    fixture *f = *state;
    set_of_one(f, attribute_def("A", 100.0f), false);
    kn_effect_type_id plus = simple_effect(f, "Plus", KN_OP_ADD, 10.0f);
    kn_effect_type_id times = simple_effect(f, "Times", KN_OP_MULTIPLY, 1.5f);
    begin(f);
    kn_effect_id first = apply_stacks(f, plus, 3), second = apply_stacks(f, times, 1);
    kn_explain_line lines[LINES];
    assert_int_equal(explain(f, f->attributes[0], lines), 3);
    assert_int_equal(lines[1].kind, KN_EXPLAIN_MODIFIER);
    assert_true(kn_effect_id_equal(lines[1].effect, first));
    assert_int_equal(lines[1].type.index1, plus.index1);
    assert_true(kn_entity_id_equal(lines[1].source, f->hero));
    assert_int_equal(lines[1].op, KN_OP_ADD);
    assert_int_equal(lines[1].stacks, 3);
    assert_true(lines[1].magnitude == 30.0f && lines[1].delta == 30.0f);
    assert_true(kn_effect_id_equal(lines[2].effect, second));
    assert_true(lines[2].magnitude == 1.5f && lines[2].delta == 65.0f);
    assert_int_equal(lines[2].qualification, KN_QUALIFICATION_OK);
    assert_true(lines[2].result == 195.0f);
}

static void clamps_rounding_and_hooks_have_lines_of_their_own(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("A", 100.0f);
    def.max = kn_limit_constant(120.4f);
    def.rounding = KN_ROUND_DOWN;
    set_of_one(f, def, false);
    kn_effect_type_id plus = simple_effect(f, "Plus", KN_OP_ADD, 50.0f);
    begin(f);
    apply_stacks(f, plus, 1);
    kn_explain_line lines[LINES];
    assert_int_equal(explain(f, f->attributes[0], lines), 4);
    assert_int_equal(lines[2].kind, KN_EXPLAIN_CLAMP);
    assert_true(lines[2].result == 120.4f);
    assert_int_equal(lines[3].kind, KN_EXPLAIN_ROUNDING);
    assert_true(lines[3].result == 120.0f);
}

static void the_hook_is_named_when_it_changed_the_value(void **state)
{
    fixture *f = *state;
    set_of_one(f, attribute_def("A", 100.0f), true);
    kn_effect_type_id plus = simple_effect(f, "Plus", KN_OP_ADD, 600.0f);
    begin(f);
    apply_stacks(f, plus, 1);
    kn_explain_line lines[LINES];
    assert_int_equal(explain(f, f->attributes[0], lines), 3);
    assert_int_equal(lines[2].kind, KN_EXPLAIN_HOOK);
    assert_true(lines[2].result == 600.0f && lines[2].delta == -100.0f);
}

// ATS-093
static void a_modifier_that_does_not_act_says_why(void **state)
{
    fixture *f = *state;
    f->asleep = tag_of(f, "Asleep");
    kn_attribute_def def = attribute_def("A", 100.0f);
    def.qualify = KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE;
    set_of_one(f, def, false);
    kn_effect_type_id weak = simple_effect(f, "Weak", KN_OP_ADD, -10.0f);
    kn_effect_type_id strong = simple_effect(f, "Strong", KN_OP_ADD, -20.0f);
    kn_modifier_def modifier = kn_modifier_constant(f->attributes[0], KN_OP_ADD, 5.0f);
    modifier.target.required = (kn_tags){&f->asleep, 1};
    modifier.when = KN_REQUIREMENT_TIME_CONTINUOUS;
    kn_effect_type_id picky = stacking_of(f, "Picky", &modifier);
    kn_modifier_def plain = kn_modifier_constant(f->attributes[0], KN_OP_ADD, 1.0f);
    kn_effect_def off = infinite("Off");
    off.modifiers = &plain;
    off.modifier_count = 1;
    off.ongoing.target.required = (kn_tags){&f->asleep, 1};
    kn_effect_type_id off_type = effect_register(f, &off);
    kn_effect_type_id first = simple_effect(f, "First", KN_OP_OVERRIDE, 300.0f);
    kn_effect_type_id second = simple_effect(f, "Second", KN_OP_OVERRIDE, 200.0f);
    begin(f);
    apply_stacks(f, weak, 1);
    apply_stacks(f, strong, 1);
    apply_stacks(f, picky, 1);
    apply_stacks(f, off_type, 0);
    kn_explain_line lines[LINES];
    assert_int_equal(explain(f, f->attributes[0], lines), 5);
    assert_int_equal(lines[1].qualification, KN_QUALIFICATION_POLICY);
    assert_int_equal(lines[2].qualification, KN_QUALIFICATION_OK);
    assert_int_equal(lines[3].qualification, KN_QUALIFICATION_REQUIREMENT);
    assert_int_equal(lines[4].qualification, KN_QUALIFICATION_INHIBITED);
    apply_stacks(f, first, 1);
    apply_stacks(f, second, 1);
    explain(f, f->attributes[0], lines);
    assert_int_equal(lines[4].op, KN_OP_OVERRIDE);
    assert_int_equal(lines[4].qualification, KN_QUALIFICATION_OVERRIDDEN);
    assert_int_equal(lines[5].qualification, KN_QUALIFICATION_OK);
    assert_true(kn_attribute_value(f->world, f->hero, f->attributes[0]) == 200.0f);

    add_tag(f, f->hero, f->asleep);
    explain(f, f->attributes[0], lines);
    assert_int_equal(lines[3].qualification, KN_QUALIFICATION_OK);
}

static void text_names_effects_and_reasons_and_fits_any_buffer(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("A", 100.0f);
    def.qualify = KN_QUALIFY_GREATEST_ABSOLUTE;
    set_of_one(f, def, false);
    kn_effect_type_id weak = simple_effect(f, "Weakling", KN_OP_ADD, -10.0f);
    kn_effect_type_id strong = simple_effect(f, "Strongman", KN_OP_ADD, -20.0f);
    begin(f);
    apply_stacks(f, weak, 1);
    apply_stacks(f, strong, 1);
    char text[1024];
    uint32_t length =
        kn_attribute_explain_text(f->world, f->hero, f->attributes[0], 0, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "Weakling"));
    assert_non_null(strstr(text, "Strongman"));
    assert_non_null(strstr(text, kn_qualification_name(KN_QUALIFICATION_POLICY)));
    for (uint32_t size = 0; size <= length + 1; size++) {
        char small[1024];
        memset(small, 'x', sizeof small);
        assert_int_equal(
            kn_attribute_explain_text(f->world, f->hero, f->attributes[0], 0, small, size), length);
        if (size > 0) {
            assert_int_equal(strlen(small), size - 1);
            assert_memory_equal(small, text, size - 1);
        }
        assert_int_equal(small[size], 'x');
    }
    for (int i = 0; i <= KN_OP_COUNT; i++) {
        assert_non_null(kn_op_name((kn_op)i));
    }
    assert_non_null(kn_qualification_name((kn_qualification)99));
}

static void a_small_buffer_gets_the_first_lines(void **state)
{
    fixture *f = *state;
    set_of_one(f, attribute_def("A", 100.0f), false);
    kn_effect_type_id plus = simple_effect(f, "Plus", KN_OP_ADD, 1.0f);
    kn_effect_type_id more = simple_effect(f, "More", KN_OP_ADD, 2.0f);
    begin(f);
    apply_stacks(f, plus, 1);
    apply_stacks(f, more, 1);
    kn_explain_line lines[3];
    memset(lines, 0x5a, sizeof lines);
    kn_explain_line untouched = lines[2];
    assert_int_equal(kn_attribute_explain(f->world, f->hero, f->attributes[0], 0, lines, 2), 3);
    assert_true(lines[1].result == 101.0f);
    assert_memory_equal(&lines[2], &untouched, sizeof untouched);
}

static void a_zero_keeps_its_sign_in_the_last_line(void **state)
{
    fixture *f = *state;
    set_of_one(f, attribute_def("A", 0.0f), false);
    kn_effect_type_id minus = simple_effect(f, "Minus", KN_OP_MULTIPLY, -1.0f);
    kn_effect_type_id plus = simple_effect(f, "Plus", KN_OP_ADD, 5.0f);
    begin(f);
    kn_explain_line lines[LINES];
    kn_effect_id first = apply_stacks(f, minus, 1);
    explain(f, f->attributes[0], lines);
    kn_effect_id second = apply_stacks(f, plus, 1);
    explain(f, f->attributes[0], lines);
    remove_effect(f, second);
    explain(f, f->attributes[0], lines);
    remove_effect(f, first);
    explain(f, f->attributes[0], lines);
}

static void rounding_beyond_a_limit_is_not_blamed_on_a_hook(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("A", 1.0f);
    def.max = kn_limit_constant(2.6f);
    def.rounding = KN_ROUND_HALF_AWAY;
    set_of_one(f, def, false);
    kn_effect_type_id plus = simple_effect(f, "Plus", KN_OP_ADD, 5.0f);
    begin(f);
    apply_stacks(f, plus, 1);
    kn_explain_line lines[LINES];
    uint32_t count = explain(f, f->attributes[0], lines);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_not_equal(lines[i].kind, KN_EXPLAIN_HOOK);
    }
}

// Base 10, +4 and then x1.5 make 21, whichever came first; and the numbers follow line by line.
static void modifiers_are_listed_in_the_order_of_evaluation(void **state)
{
    fixture *f = *state;
    set_of_one(f, attribute_def("A", 10.0f), false);
    kn_modifier_def late = kn_modifier_constant(f->attributes[0], KN_OP_ADD, 100.0f);
    late.channel = 1;
    kn_effect_type_id channel = stacking_of(f, "Channel", &late);
    kn_effect_type_id final = simple_effect(f, "Final", KN_OP_ADD_FINAL, 3.0f);
    kn_effect_type_id compound = simple_effect(f, "Compound", KN_OP_MULTIPLY_COMPOUND, 2.0f);
    kn_effect_type_id half = simple_effect(f, "Half", KN_OP_MULTIPLY, 1.5f);
    kn_effect_type_id fifth = simple_effect(f, "Fifth", KN_OP_MULTIPLY, 1.25f);
    kn_effect_type_id plus = simple_effect(f, "Plus", KN_OP_ADD, 4.0f);
    kn_effect_type_id more = simple_effect(f, "More", KN_OP_ADD, 2.0f);
    begin(f);
    apply_stacks(f, channel, 1);
    apply_stacks(f, final, 1);
    apply_stacks(f, compound, 1);
    apply_stacks(f, half, 1);
    apply_stacks(f, fifth, 1);
    apply_stacks(f, plus, 1);
    apply_stacks(f, more, 1);
    static const float results[] = {10, 14, 16, 24, 28, 56, 59, 159};
    kn_explain_line lines[LINES];
    assert_int_equal(explain(f, f->attributes[0], lines), 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_true(lines[i].result == results[i]);
    }
    assert_int_equal(lines[1].type.index1, plus.index1);
    assert_int_equal(lines[2].type.index1, more.index1);
    assert_int_equal(lines[3].type.index1, half.index1);
    assert_int_equal(lines[4].type.index1, fifth.index1);
    assert_int_equal(lines[7].type.index1, channel.index1);
    char text[1024];
    (void)kn_attribute_explain_text(f->world, f->hero, f->attributes[0], 0, text, sizeof text);
    assert_non_null(strstr(text, "x1.25, together 1.75"));
}

// Which of equals acts is a matter of age, not of the order of the lines.
static void the_order_of_lines_changes_nobodys_turn(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("A", 10.0f);
    def.qualify = KN_QUALIFY_GREATEST_ABSOLUTE;
    set_of_one(f, def, false);
    kn_effect_type_id times = simple_effect(f, "Times", KN_OP_MULTIPLY, 1.5f);
    kn_effect_type_id plus = simple_effect(f, "Plus", KN_OP_ADD, 5.0f);
    begin(f);
    apply_stacks(f, times, 1);
    apply_stacks(f, plus, 1);
    kn_explain_line lines[LINES];
    assert_int_equal(explain(f, f->attributes[0], lines), 3);
    assert_int_equal(lines[1].type.index1, plus.index1);
    assert_int_equal(lines[1].qualification, KN_QUALIFICATION_POLICY);
    assert_int_equal(lines[2].type.index1, times.index1);
    assert_int_equal(lines[2].qualification, KN_QUALIFICATION_OK);
}

// With KN_LINK_KEEP a value stays when its range changes: that is not blamed on a hook.
static void a_kept_value_says_so(void **state)
{
    fixture *f = *state;
    for (uint32_t has_hook = 0; has_hook < 2; has_hook++) {
        kn_attribute_def defs[2] = {attribute_def("A", 100.0f), attribute_def("Max", 100.0f)};
        defs[0].max = kn_limit_attribute("Max");
        defs[0].link = KN_LINK_KEEP;
        kn_attribute_set_def def = kn_attribute_set_def_default();
        def.name = has_hook != 0 ? "Hooked" : "Set";
        def.attributes = defs;
        def.attribute_count = 2;
        def.hooks.pre_change = has_hook != 0 ? halve_above_500 : NULL;
        kn_attribute_set_id set;
        assert_int_equal(kn_attribute_set_register(f->library, &def, &set, NULL), KN_OK);
    }
    begin(f);
    static const char *const names[2][2] = {{"Set.A", "Set.Max"}, {"Hooked.A", "Hooked.Max"}};
    for (uint32_t i = 0; i < 2; i++) {
        kn_attribute_set_id set = kn_attribute_set_find(f->library, i != 0 ? "Hooked" : "Set");
        kn_attribute_id a = kn_attribute_find(f->library, names[i][0]);
        add_set(f, f->hero, set);
        set_base(f, f->hero, kn_attribute_find(f->library, names[i][1]), 50.0f);
        kn_explain_line lines[LINES];
        assert_int_equal(explain(f, a, lines), 2);
        assert_int_equal(lines[1].kind, KN_EXPLAIN_KEPT);
        assert_true(lines[1].result == 100.0f);
    }
}

// Transient values ------------------------------------------------------------------------------

typedef struct value_world {
    kn_value_id value;
    kn_tag fire, frost;
    kn_condition_id heavy;
} value_world;

// Above 100 the modifier becomes a factor of one half.
static bool heavy(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    if (record->magnitude <= 100.0f) {
        return false;
    }
    answer->op = KN_OP_MULTIPLY;
    answer->magnitude = 0.5f;
    return true;
}

static value_world value_declare(fixture *f, kn_value_def def)
{
    value_world v = {.fire = tag_of(f, "Fire"), .frost = tag_of(f, "Frost")};
    f->asleep = tag_of(f, "Asleep");
    v.heavy = condition_of(f, "Heavy", heavy);
    def.name = "Cast";
    assert_int_equal(kn_value_register(f->library, &def, &v.value, NULL), KN_OK);
    return v;
}

static kn_effect_type_id value_effect(
    fixture *f, const char *name, kn_value_id value, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_constant((kn_attribute_id){0}, op, magnitude);
    modifier.value = value;
    modifier.scaling = KN_STACK_SCALING_YES;
    return stacking_of(f, name, &modifier);
}

// The same promises for a transient value.
static uint32_t value_lines(fixture *f, kn_value_id value, float base,
    const kn_event_record *record, kn_explain_line *lines)
{
    uint32_t count = kn_value_explain(f->world, f->hero, value, base, record, lines, LINES);
    assert_in_range(count, 1, LINES);
    assert_int_equal(lines[0].kind, KN_EXPLAIN_BASE);
    float last = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        if (isfinite(lines[i].delta)) {
            assert_int_equal(bits(lines[i].delta), bits(lines[i].result - last));
        }
        last = lines[i].result;
        if (lines[i].kind == KN_EXPLAIN_MODIFIER && lines[i].qualification != KN_QUALIFICATION_OK) {
            assert_true(lines[i].delta == 0.0f);
        }
    }
    assert_int_equal(
        bits(last), bits(kn_value_evaluate(f->world, f->hero, value, base, record, false)));
    assert_int_equal(kn_value_explain(f->world, f->hero, value, base, record, NULL, LINES), count);
    return count;
}

static kn_event_record record_of(const kn_tag *tag, float magnitude)
{
    kn_event_record record = kn_event_record_default();
    record.tags = one(tag);
    record.magnitude = magnitude;
    return record;
}

// A modifier on hits by fire, one that its condition changes, one for hits by frost: each event has
// its own lines.
static void a_transient_value_says_which_modifiers_take_part_for_an_event(void **state)
{
    fixture *f = *state;
    value_world v = value_declare(f, kn_value_def_default());
    kn_modifier_def fiery = kn_modifier_constant((kn_attribute_id){0}, KN_OP_ADD, 3.0f);
    fiery.value = v.value;
    fiery.event.required = one(&v.fire);
    kn_modifier_def big = fiery;
    big.event = (kn_tag_requirement){0};
    big.condition = v.heavy;
    kn_effect_type_id always = value_effect(f, "Always", v.value, KN_OP_ADD, 1.0f);
    kn_effect_type_id by_fire = stacking_of(f, "ByFire", &fiery);
    kn_effect_type_id if_heavy = stacking_of(f, "IfHeavy", &big);
    begin(f);
    kn_entity_id source = entity_create(f);
    kn_effect_id effect = apply_from_to(f, by_fire, source, f->hero, 1.0f);
    apply_stacks(f, if_heavy, 1);
    apply_stacks(f, always, 2);
    kn_explain_line lines[LINES];

    // Without a record modifiers that need one wait.
    assert_int_equal(value_lines(f, v.value, 10.0f, NULL, lines), 4);
    assert_int_equal(lines[1].qualification, KN_QUALIFICATION_CONDITION);
    assert_int_equal(lines[2].qualification, KN_QUALIFICATION_CONDITION);
    assert_int_equal(lines[3].qualification, KN_QUALIFICATION_OK);
    assert_int_equal(lines[3].stacks, 2);
    assert_true(lines[3].magnitude == 2.0f && lines[3].result == 12.0f);

    kn_event_record record = record_of(&v.fire, 50.0f);
    assert_int_equal(value_lines(f, v.value, 10.0f, &record, lines), 4);
    assert_int_equal(lines[1].qualification, KN_QUALIFICATION_OK);
    assert_true(kn_effect_id_equal(lines[1].effect, effect));
    assert_int_equal(lines[1].type.index1, by_fire.index1);
    assert_true(kn_entity_id_equal(lines[1].source, source));
    assert_true(lines[1].delta == 3.0f);
    assert_int_equal(lines[2].qualification, KN_QUALIFICATION_CONDITION);

    record = record_of(&v.frost, 101.0f);
    assert_int_equal(value_lines(f, v.value, 10.0f, &record, lines), 4);
    assert_int_equal(lines[1].qualification, KN_QUALIFICATION_CONDITION);
    assert_int_equal(lines[2].type.index1, if_heavy.index1);
    assert_int_equal(lines[2].qualification, KN_QUALIFICATION_OK);
    assert_int_equal(lines[2].op, KN_OP_MULTIPLY_COMPOUND); // as its condition changed it
    assert_true(lines[2].magnitude == 0.5f && lines[2].result == 5.0f);
    assert_true(lines[3].result == 6.0f);
}

static void requirements_of_source_and_target_and_inhibition_show_in_a_transient_value(void **state)
{
    fixture *f = *state;
    value_world v = value_declare(f, kn_value_def_default());
    kn_value_def other_def = kn_value_def_default();
    other_def.name = "Other";
    kn_value_id other;
    assert_int_equal(kn_value_register(f->library, &other_def, &other, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant((kn_attribute_id){0}, KN_OP_ADD, 2.0f);
    modifier.value = v.value;
    modifier.when = KN_REQUIREMENT_TIME_CONTINUOUS;
    modifier.source.required = one(&v.fire);
    kn_effect_type_id by_source = stacking_of(f, "BySource", &modifier);
    modifier.source = (kn_tag_requirement){0};
    modifier.target.required = one(&v.frost);
    kn_effect_type_id by_target = stacking_of(f, "ByTarget", &modifier);
    modifier.target = (kn_tag_requirement){0};
    kn_modifier_def pair[2] = {modifier, modifier};
    pair[0].value = other; // of another value: not listed
    kn_effect_def off = infinite("Off");
    off.modifiers = pair;
    off.modifier_count = 2;
    off.ongoing.target.required = one(&f->asleep);
    kn_effect_type_id inhibited = effect_register(f, &off);
    begin(f);
    kn_entity_id source = entity_create(f);
    apply_from_to(f, by_source, source, f->hero, 1.0f);
    apply_from_to(f, by_target, source, f->hero, 1.0f);
    kn_effect_id last = apply_from_to(f, inhibited, source, f->hero, 1.0f);
    kn_explain_line lines[LINES];
    assert_int_equal(value_lines(f, v.value, 10.0f, NULL, lines), 4);
    assert_int_equal(lines[1].qualification, KN_QUALIFICATION_REQUIREMENT);
    assert_int_equal(lines[2].qualification, KN_QUALIFICATION_REQUIREMENT);
    assert_int_equal(lines[3].qualification, KN_QUALIFICATION_INHIBITED);
    assert_true(kn_effect_id_equal(lines[3].effect, last));
    assert_int_equal(lines[3].modifier, 1);

    add_tag(f, source, v.fire); // of the hero it would be another matter
    add_tag(f, f->hero, v.frost);
    add_tag(f, f->hero, f->asleep);
    assert_int_equal(value_lines(f, v.value, 10.0f, NULL, lines), 4);
    for (uint32_t i = 1; i < 4; i++) {
        assert_int_equal(lines[i].qualification, KN_QUALIFICATION_OK);
    }
    assert_true(lines[3].result == 16.0f);
}

// (2 + 2) x 0.5 of the stat, + 4 in channel 1, held at 5.5 and rounded down.
static void channels_factor_limits_and_rounding_follow_the_modifiers_of_a_transient_value(
    void **state)
{
    fixture *f = *state;
    set_of_one(f, attribute_def("A", 0.5f), false);
    kn_value_def def = kn_value_def_default();
    def.profile = kn_value_profile_gas();
    def.factor = f->attributes[0];
    def.has_max = def.has_min = true;
    def.max = 5.5f;
    def.min = 5.25f;
    def.rounding = KN_ROUND_DOWN;
    value_world v = value_declare(f, def);
    kn_modifier_def late = kn_modifier_constant((kn_attribute_id){0}, KN_OP_ADD, 4.0f);
    late.value = v.value;
    late.channel = 1;
    kn_effect_type_id second = stacking_of(f, "Late", &late);
    kn_effect_type_id first = value_effect(f, "First", v.value, KN_OP_ADD, 2.0f);
    begin(f);
    apply_stacks(f, second, 1);
    apply_stacks(f, first, 1);
    kn_explain_line lines[LINES];
    assert_int_equal(value_lines(f, v.value, 2.0f, NULL, lines), 7);
    static const kn_explain_kind kinds[] = {KN_EXPLAIN_BASE, KN_EXPLAIN_MODIFIER,
        KN_EXPLAIN_MODIFIER, KN_EXPLAIN_FACTOR, KN_EXPLAIN_CLAMP, KN_EXPLAIN_ROUNDING,
        KN_EXPLAIN_CLAMP};
    static const float results[] = {2.0f, 4.0f, 8.0f, 6.0f, 5.5f, 5.0f, 5.25f};
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(lines[i].kind, kinds[i]);
        assert_true(lines[i].result == results[i]);
    }
    assert_int_equal(lines[1].type.index1, first.index1);
    assert_int_equal(lines[2].channel, 1);
    assert_true(lines[3].magnitude == 0.5f);
    char text[1024];
    uint32_t length =
        kn_value_explain_text(f->world, f->hero, v.value, 2.0f, NULL, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "Cast 5.25 (base 2)\n"));
    assert_non_null(strstr(text, "factor x0.5"));
    assert_non_null(strstr(text, "Set.A"));
    assert_non_null(strstr(text, "maximum"));
    assert_non_null(strstr(text, "rounding"));
    assert_non_null(strstr(text, "minimum"));
    char small[9];
    assert_int_equal(
        kn_value_explain_text(f->world, f->hero, v.value, 2.0f, NULL, small, sizeof small), length);
    assert_string_equal(small, "Cast 5.2");
}

// Zeros with a sign, a base below what the profile allows, more than a float can hold.
static void the_last_line_of_a_transient_value_is_the_value_at_every_edge(void **state)
{
    fixture *f = *state;
    kn_value_def def = kn_value_def_default();
    def.rounding = KN_ROUND_UP;
    value_world v = value_declare(f, def);
    kn_value_def wide_def = kn_value_def_default();
    wide_def.name = "Wide";
    wide_def.profile = kn_value_profile_gas();
    kn_value_id wide;
    assert_int_equal(kn_value_register(f->library, &wide_def, &wide, NULL), KN_OK);
    kn_effect_type_id much = value_effect(f, "Much", wide, KN_OP_MULTIPLY, 3e38f);
    begin(f);
    kn_explain_line lines[LINES];
    static const float bases[] = {0.0f, -0.0f, -3.0f, 0.25f, 3e38f};
    for (uint32_t i = 0; i < COUNT(bases); i++) {
        value_lines(f, v.value, bases[i], NULL, lines);
        value_lines(f, wide, bases[i], NULL, lines);
    }
    apply_stacks(f, much, 1);
    assert_int_equal(value_lines(f, wide, 5.0f, NULL, lines), 3);
    assert_int_equal(lines[2].kind, KN_EXPLAIN_KEPT);
    assert_true(lines[2].result == 5.0f);
    char text[512];
    (void)kn_value_explain_text(f->world, f->hero, wide, 5.0f, NULL, text, sizeof text);
    assert_non_null(strstr(text, "not finite: the base"));

    // Nothing to explain.
    assert_int_equal(kn_value_explain(f->world, f->hero, wide, INFINITY, NULL, lines, LINES), 0);
    assert_int_equal(
        kn_value_explain(f->world, f->hero, (kn_value_id){99}, 1.0f, NULL, lines, LINES), 0);
    kn_entity_id gone = entity_create(f);
    (void)kn_entity_destroy(f->world, gone);
    assert_int_equal(kn_value_explain(f->world, gone, wide, 1.0f, NULL, lines, LINES), 0);
    assert_int_equal(kn_value_explain_text(f->world, gone, wide, 1.0f, NULL, text, 512), 0);
}

// Random states ---------------------------------------------------------------------------------

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static float random_magnitude(uint64_t *seed, kn_op op)
{
    float share = (float)(next_random(seed) % 2000) / 1000.0f; // 0 to 2
    switch (op) {
    case KN_OP_ADD:
    case KN_OP_ADD_FINAL:
        return (share - 1.0f) * 100.0f;
    case KN_OP_OVERRIDE:
        return share * 300.0f - 100.0f;
    case KN_OP_DIVIDE:
    case KN_OP_DIVIDE_ADDITIVE:
    case KN_OP_DIVIDE_COMPOUND:
        return 0.25f + share;
    default:
        return share * 1.3f - 0.3f;
    }
}

static void random_library(
    fixture *f, uint64_t *seed, kn_effect_type_id *types, uint32_t type_count)
{
    f->asleep = tag_of(f, "Asleep");
    f->groups[0] = tag_of(f, "Group.A");
    f->groups[1] = tag_of(f, "Group.B");
    kn_attribute_def defs[8];
    static const char *const names[] = {"A", "B", "C", "D", "E", "F", "G", "H"};
    static const kn_qualify policies[] = {KN_QUALIFY_ALL, KN_QUALIFY_ALL, KN_QUALIFY_ALL,
        KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE, KN_QUALIFY_MOST_POSITIVE,
        KN_QUALIFY_GREATEST_ABSOLUTE, KN_QUALIFY_ONE_PER_GROUP, KN_QUALIFY_ALL};
    for (uint32_t i = 0; i < 8; i++) {
        defs[i] = attribute_def(names[i], (float)(next_random(seed) % 400) - 100.0f);
        defs[i].qualify = policies[i];
        if (i == 2 || i == 7) {
            defs[i].profile = kn_value_profile_combat();
        }
        if (i % 3 == 1) {
            defs[i].min = kn_limit_constant(-50.5f);
            defs[i].max = kn_limit_constant(180.25f);
        }
        if (i % 4 == 3) {
            defs[i].rounding = (kn_rounding)(1 + next_random(seed) % 5);
        }
    }
    defs[0].max = kn_limit_attribute("H");
    f->set = set_register(f, "Set", defs, 8);
    for (uint32_t i = 0; i < 8; i++) {
        char name[8];
        snprintf(name, sizeof name, "Set.%s", names[i]);
        f->attributes[i] = kn_attribute_find(f->library, name);
    }
    for (uint32_t i = 0; i < type_count; i++) {
        kn_modifier_def modifiers[3];
        for (uint32_t j = 0; j < 3; j++) {
            uint32_t target = next_random(seed) % 8;
            bool combat = target == 2 || target == 7;
            kn_op op = combat ? (next_random(seed) % 2 == 0 ? KN_OP_ADD : KN_OP_MULTIPLY)
                              : (kn_op)(next_random(seed) % KN_OP_COUNT);
            modifiers[j] =
                kn_modifier_constant(f->attributes[target], op, random_magnitude(seed, op));
            modifiers[j].channel = (uint8_t)(next_random(seed) % 3);
            modifiers[j].priority = (int32_t)(next_random(seed) % 3);
            if (next_random(seed) % 3 == 0) {
                modifiers[j].group = f->groups[next_random(seed) % 2];
                modifiers[j].group_rule = (kn_group_rule)(next_random(seed) % 4);
                modifiers[j].has_limit_max = next_random(seed) % 2 == 0;
                modifiers[j].limit_max = 40.0f;
                modifiers[j].has_limit_min = next_random(seed) % 4 == 0;
                modifiers[j].limit_min = -0.75f;
            }
            if (next_random(seed) % 5 == 0) {
                modifiers[j].target.ignored = (kn_tags){&f->asleep, 1};
                modifiers[j].when = KN_REQUIREMENT_TIME_CONTINUOUS;
            }
            // Live readings of lower attributes only, so that no cycle can close.
            if (target > 0 && target != 7 && op == KN_OP_ADD && next_random(seed) % 3 == 0) {
                modifiers[j].magnitude =
                    kn_magnitude_attribute(f->attributes[next_random(seed) % target],
                        KN_CAPTURE_FROM_TARGET, false, 0.25f);
            }
        }
        char name[32];
        snprintf(name, sizeof name, "Effect%u", i);
        kn_effect_def def = infinite(name);
        def.modifiers = modifiers;
        def.modifier_count = 1 + next_random(seed) % 3;
        def.stacking.kind = next_random(seed) % 2 == 0 ? KN_STACK_NONE : KN_STACK_BY_TARGET;
        if (next_random(seed) % 6 == 0) {
            def.ongoing.target.ignored = (kn_tags){&f->asleep, 1};
        }
        types[i] = effect_register(f, &def);
    }
}

static void play_random_states(fixture *f, uint64_t seed)
{
    enum { TYPES = 24, ACTIVE = 30 };
    kn_effect_type_id types[TYPES];
    random_library(f, &seed, types, TYPES);
    begin(f);
    kn_effect_id active[ACTIVE] = {{0}};
    static kn_explain_line lines[LINES];
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t slot = next_random(&seed) % ACTIVE;
        switch (next_random(&seed) % 6) {
        case 0:
        case 1:
        case 2: {
            if (kn_effect_is_alive(f->world, active[slot])) {
                break;
            }
            kn_effect_apply_def def = kn_effect_apply_def_default();
            def.type = types[next_random(&seed) % TYPES];
            def.target = f->hero;
            def.source = f->hero;
            def.stacks = 1 + next_random(&seed) % 3;
            kn_result result = kn_effect_apply(f->world, &def, &active[slot]);
            assert_true(result == KN_OK || kn_result_is_refused(result));
            break;
        }
        case 3:
            if (kn_effect_is_alive(f->world, active[slot])) {
                remove_effect(f, active[slot]);
            }
            break;
        case 4: {
            float base = (float)(next_random(&seed) % 40000) / 100.0f - 100.0f;
            set_base(f, f->hero, f->attributes[next_random(&seed) % 8], base);
            break;
        }
        default:
            assert_int_equal(kn_entity_set_tag_count(f->world, f->hero, f->asleep,
                                 KN_TAG_ORIGIN_LOOSE, next_random(&seed) % 2),
                KN_OK);
            break;
        }
        for (uint32_t i = 0; i < 8; i++) {
            explain(f, f->attributes[i], lines);
            float value = kn_attribute_value(f->world, f->hero, f->attributes[i]);
            assert_true(isfinite(value));
            float low, high;
            kn_attribute_bounds(f->world, f->hero, f->attributes[i], 0, &low, &high);
            assert_true(value >= low && value <= high);
        }
    }
}

static void random_states_explain_themselves_bit_for_bit_1(void **state)
{
    play_random_states(*state, 1);
}

static void random_states_explain_themselves_bit_for_bit_2(void **state)
{
    play_random_states(*state, 20261116);
}

static void random_states_explain_themselves_bit_for_bit_3(void **state)
{
    play_random_states(*state, 777);
}

static void random_states_explain_themselves_bit_for_bit_4(void **state)
{
    play_random_states(*state, 31337);
}

static const struct CMUnitTest tests[] = {
    TEST(an_untouched_value_is_its_base),
    TEST(each_modifier_has_a_line_with_its_effect_and_what_it_adds),
    TEST(clamps_rounding_and_hooks_have_lines_of_their_own),
    TEST(the_hook_is_named_when_it_changed_the_value),
    TEST(a_modifier_that_does_not_act_says_why),
    TEST(text_names_effects_and_reasons_and_fits_any_buffer),
    TEST(a_small_buffer_gets_the_first_lines),
    TEST(a_zero_keeps_its_sign_in_the_last_line),
    TEST(rounding_beyond_a_limit_is_not_blamed_on_a_hook),
    TEST(modifiers_are_listed_in_the_order_of_evaluation),
    TEST(the_order_of_lines_changes_nobodys_turn),
    TEST(a_kept_value_says_so),
    TEST(a_transient_value_says_which_modifiers_take_part_for_an_event),
    TEST(requirements_of_source_and_target_and_inhibition_show_in_a_transient_value),
    TEST(channels_factor_limits_and_rounding_follow_the_modifiers_of_a_transient_value),
    TEST(the_last_line_of_a_transient_value_is_the_value_at_every_edge),
    TEST(random_states_explain_themselves_bit_for_bit_1),
    TEST(random_states_explain_themselves_bit_for_bit_2),
    TEST(random_states_explain_themselves_bit_for_bit_3),
    TEST(random_states_explain_themselves_bit_for_bit_4),
};

TEST_GROUP(explain, tests, NULL, NULL);
