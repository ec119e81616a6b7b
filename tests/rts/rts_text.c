// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Displays and descriptions: numbers come from the definitions, and what a text says is what the
// effect does.

#include "rts/rts_test.h"

#include "knack/rts_card.h"

#include <math.h>

static const char *number(float value, uint32_t decimals)
{
    static char text[64];
    const uint32_t length = kn_rts_number_print(value, decimals, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    return text;
}

static void display_add(fixture *f, const kn_rts_display_def *def)
{
    kn_error error = {0};
    if (kn_rts_display_register(f->library, def, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static kn_effect_type_id effect_add(fixture *f, const kn_effect_def *def)
{
    kn_effect_type_id effect;
    kn_error error = {0};
    if (kn_effect_register(f->library, def, &effect, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return effect;
}

static void numbers_have_no_locale(void **state)
{
    (void)state;
    assert_string_equal(number(0, 2), "0");
    assert_string_equal(number(3, 2), "3");
    assert_string_equal(number(-3, 2), "-3");
    assert_string_equal(number(2.5f, 2), "2.5");
    assert_string_equal(number(2.5f, 0), "3");
    assert_string_equal(number(-2.5f, 0), "-3");
    assert_string_equal(number(0.333333f, 2), "0.33");
    assert_string_equal(number(0.666666f, 1), "0.7");
    assert_string_equal(number(0.05f, 2), "0.05");
    assert_string_equal(number(1.005f, 1), "1");
    assert_string_equal(number(-0.001f, 2), "0"); // no "-0"
    assert_string_equal(number(99.999f, 2), "100");
    assert_string_equal(number(1000000, 2), "1000000");
    assert_string_equal(number(0.123456f, 6), "0.123456");
    assert_string_equal(number(0.5f, 99), "0.5");             // as with 6
    assert_string_equal(number(1e15f, 0), "999999986991000"); // digits that a float does not have
    assert_string_equal(number(INFINITY, 2), "?");
    assert_string_equal(number(NAN, 2), "?");
    char text[4] = "xyz";
    assert_int_equal(kn_rts_number_print(12345, 0, text, sizeof(text)), 5);
    assert_string_equal(text, "123");
    assert_int_equal(kn_rts_number_print(12, 0, NULL, 0), 2);
}

// RTS-104, RTSV-D2, RTSV-D3
static void plain_text_takes_named_numbers(void **state)
{
    static const char format[] = "Hits for {DamageValue}, uses {ManaCost} mana";
    const kn_rts_text_argument arguments[] = {{"DamageValue", 120}, {"ManaCost", 30}};
    char text[128];
    (void)state;
    assert_int_equal(kn_rts_text_format(format, arguments, 2, text, sizeof(text)), 26);
    assert_string_equal(text, "Hits for 120, uses 30 mana");
    (void)kn_rts_text_format(format, NULL, 0, text, sizeof(text));
    assert_string_equal(text, format);
    (void)kn_rts_text_format("{ManaCost} {Mana} {{x}} { }", arguments, 2, text, sizeof(text));
    assert_string_equal(text, "30 {Mana} {x} { }");
    const kn_rts_text_argument share = {"Share", 0.257f};
    (void)kn_rts_text_format("{Share} {Share:1} {Share:9} {Share", &share, 1, text, sizeof(text));
    assert_string_equal(text, "0.26 0.3 {Share:9} {Share");
    assert_int_equal(kn_rts_text_format(format, arguments, 2, text, 9), 26);
    assert_string_equal(text, "Hits for");
    assert_int_equal(kn_rts_text_format(NULL, NULL, 0, text, sizeof(text)), 0);
    assert_string_equal(text, "");
}

// A slow: x0.7 on Speed and a tick of damage each second, longer with each level.
typedef struct slow_scene {
    fixture f;
    kn_attribute_id speed, health, power;
    kn_effect_type_id slow;
    kn_entity_id source, target;
} slow_scene;

static void slow_open(slow_scene *s, const char *description)
{
    static const float lengths[] = {3, 5, 8};
    kn_effect_def def = kn_effect_def_default();
    kn_rts_display_def display = kn_rts_display_def_default();
    fixture_open(&s->f);
    (void)set_add(&s->f, "Move", "Speed Power");
    s->speed = attribute_named(&s->f, "Move.Speed");
    s->power = attribute_named(&s->f, "Move.Power");
    const kn_curve_id curve = curve_add(&s->f, "Length", lengths, 3);
    const kn_modifier_def modifiers[] = {
        kn_modifier_constant(s->speed, KN_OP_MULTIPLY, 0.7f),
    };
    def.name = "Slow";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_by_level(1, curve);
    def.modifiers = modifiers;
    def.modifier_count = 1;
    s->slow = effect_add(&s->f, &def);
    display.name = "Slow";
    display.title = "Slowed";
    display.icon = "slow.png";
    display.description = description;
    display_add(&s->f, &display);
}

static void slow_begin(slow_scene *s)
{
    world_begin(&s->f);
    const kn_attribute_set_id set = {kn_def_find(s->f.library, KN_DEF_ATTRIBUTE_SET, "Move")};
    assert_int_equal(kn_entity_create(s->f.world, &s->source), KN_OK);
    assert_int_equal(kn_entity_create(s->f.world, &s->target), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->f.world, s->source, set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->f.world, s->target, set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(s->f.world, s->target, s->speed, 0, 10), KN_OK);
}

// RTS-138, RTS-139, RTS-187
static void what_a_text_says_is_what_the_effect_does(void **state)
{
    slow_scene s;
    char text[128];
    (void)state;
    slow_open(&s, "slows by {modifiers.Speed.percent} for {duration} s");
    slow_begin(&s);
    for (uint32_t level = 1; level <= 3; level++) {
        kn_effect_id effect;
        kn_effect_info info;
        assert_int_equal(
            kn_effect_apply_simple(s.f.world, s.slow, s.source, s.target, (float)level, &effect),
            KN_OK);
        assert_true(kn_effect_get(s.f.world, effect, &info));
        const float speed = kn_attribute_value(s.f.world, s.target, s.speed);
        char expected[128];
        (void)snprintf(expected, sizeof(expected), "slows by %d%% for %d s",
            (int)((10 - speed) * 10 + 0.5f), (int)(info.duration / 1000000));
        (void)kn_rts_describe_effect(s.f.world, s.source, s.slow, (float)level, text, sizeof(text));
        assert_string_equal(text, expected);
        assert_int_equal(
            kn_rts_describe_active_effect(s.f.world, effect, text, sizeof(text)), strlen(expected));
        assert_string_equal(text, expected);
        assert_int_equal(kn_effect_remove(s.f.world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    }
    (void)kn_rts_describe_effect(s.f.world, s.source, s.slow, 0, text, sizeof(text));
    assert_string_equal(text, "slows by 30% for 3 s"); // level 0 counts as 1
    const kn_rts_look look = kn_rts_effect_look(s.f.library, s.slow);
    assert_string_equal(look.title, "Slowed");
    assert_string_equal(look.icon, "slow.png");
    assert_int_equal(look.button, -1);
    fixture_close(&s.f);
}

static void forms_of_numbers(void **state)
{
    slow_scene s;
    char text[160];
    (void)state;
    slow_open(&s,
        "{modifiers.Move.Speed} {modifiers.Speed.amount} {modifiers.Speed.signed_percent} "
        "{chance.percent} {duration:0} {level} {attributes.Move.Speed} {{ok}}");
    slow_begin(&s);
    (void)kn_rts_describe_effect(s.f.world, s.target, s.slow, 2, text, sizeof(text));
    assert_string_equal(text, "0.7 0.7 -30% 100% 5 2 10 {ok}");
    (void)kn_rts_describe_effect(s.f.world, (kn_entity_id){0}, s.slow, 2, text, sizeof(text));
    assert_string_equal(text, "0.7 0.7 -30% 100% 5 2 ? {ok}"); // nobody has an attribute
    assert_int_equal(
        kn_rts_describe_active_effect(s.f.world, (kn_effect_id){0}, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    fixture_close(&s.f);
}

// Periodic damage: the number of ticks and the sum are those of the effect.
static void totals_are_what_ticks_take(void **state)
{
    for (uint32_t skips = 0; skips < 2; skips++) {
        fixture f;
        kn_effect_def def = kn_effect_def_default();
        kn_rts_display_def display = kn_rts_display_def_default();
        char text[64], expected[64];
        (void)state;
        fixture_open(&f);
        const kn_attribute_set_id set = set_add(&f, "Vitals", "Health");
        const kn_attribute_id health = attribute_named(&f, "Vitals.Health");
        const kn_modifier_def modifier = kn_modifier_constant(health, KN_OP_ADD, -7);
        def.name = "Burn";
        def.duration_kind = KN_DURATION_TIMED;
        def.duration = kn_magnitude_constant(4);
        def.is_periodic = true;
        def.period = kn_magnitude_constant(0.5f);
        def.skip_first_tick = skips != 0;
        def.modifiers = &modifier;
        def.modifier_count = 1;
        const kn_effect_type_id burn = effect_add(&f, &def);
        display.name = "Burn";
        display.description = "{modifiers.Health.total} in {ticks} ticks, each {period} s "
                              "{modifiers.Health}";
        display_add(&f, &display);
        world_begin(&f);
        kn_entity_id victim;
        assert_int_equal(kn_entity_create(f.world, &victim), KN_OK);
        assert_int_equal(kn_attribute_set_add(f.world, victim, set, 0), KN_OK);
        assert_int_equal(kn_effect_apply_simple(f.world, burn, f.us, victim, 1, NULL), KN_OK);
        step_ms(&f, 6000);
        const float lost = -kn_attribute_base(f.world, victim, health);
        (void)snprintf(expected, sizeof(expected), "%d in %d ticks, each 0.5 s -7", (int)lost,
            (int)(lost / 7));
        (void)kn_rts_describe_effect(f.world, f.us, burn, 1, text, sizeof(text));
        assert_string_equal(text, expected);
        fixture_close(&f);
    }
}

// Parameters, caller values and attributes of the source count as when the ability applies it.
static void numbers_of_the_ability_count(void **state)
{
    fixture f;
    kn_effect_def def = kn_effect_def_default();
    kn_ability_def ability = kn_ability_def_default();
    kn_rts_display_def display = kn_rts_display_def_default();
    char text[128];
    (void)state;
    fixture_open(&f);
    const kn_attribute_set_id set = set_add(&f, "Vitals", "Health Mana Power");
    const kn_attribute_id health = attribute_named(&f, "Vitals.Health");
    const kn_attribute_id mana = attribute_named(&f, "Vitals.Mana");
    const kn_attribute_id power = attribute_named(&f, "Vitals.Power");
    const kn_tag length = tag_named(&f, "Value.Length");
    static const float costs[] = {10, 15, 25};
    const kn_curve_id curve = curve_add(&f, "Costs", costs, 3);
    const kn_modifier_def modifiers[] = {
        {.attribute = health,
            .magnitude = kn_magnitude_attribute(power, KN_CAPTURE_FROM_SOURCE, false, -2)},
    };
    def.name = "Hex";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_set_by_caller(length);
    def.modifiers = modifiers;
    def.modifier_count = 1;
    const kn_effect_type_id hex = effect_add(&f, &def);
    const kn_ability_apply_def apply = {.effect = hex, .to = KN_APPLY_TO_TARGET};
    const kn_cost_def cost = {.attribute = mana, .amount = kn_by_level(1, curve)};
    const kn_cooldown_def cooldown = kn_cooldown_seconds(8);
    ability.name = "CastHex";
    ability.body = KN_BODY_USE;
    ability.applies = &apply;
    ability.apply_count = 1;
    ability.costs = &cost;
    ability.cost_count = 1;
    ability.cooldowns = &cooldown;
    ability.cooldown_count = 1;
    kn_ability_type_id cast;
    assert_int_equal(kn_ability_register(f.library, &ability, &cast, NULL), KN_OK);
    const kn_rts_text_value value = {
        "Reach", kn_magnitude_attribute(power, KN_CAPTURE_FROM_SOURCE, false, 10)};
    display.name = "CastHex";
    display.values = &value;
    display.value_count = 1;
    display.description = "{modifiers.Health.amount} for {duration} s, {effects.Hex.duration} s, "
                          "costs {cost.Mana}, every {cooldown} s, {charges}, {Reach}, {level} of "
                          "{max_level}";
    display_add(&f, &display);
    world_begin(&f);
    kn_entity_id caster;
    assert_int_equal(kn_entity_create(f.world, &caster), KN_OK);
    assert_int_equal(kn_attribute_set_add(f.world, caster, set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(f.world, caster, power, 0, 6), KN_OK);
    (void)kn_rts_describe_ability(f.world, caster, cast, 0, text, sizeof(text));
    assert_string_equal(text, "12 for ? s, ? s, costs 10, every 8 s, 1, 60, 1 of 1");
    const kn_caller_value caller = {length, 4.5f};
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = cast;
    grant.level = 2;
    grant.caller_values = &caller;
    grant.caller_value_count = 1;
    assert_int_equal(kn_ability_grant(f.world, caster, &grant, NULL), KN_OK);
    (void)kn_rts_describe_ability(f.world, caster, cast, 0, text, sizeof(text));
    assert_string_equal(text, "12 for 4.5 s, 4.5 s, costs 15, every 8 s, 1, 60, 2 of 1");
    (void)kn_rts_describe_ability(f.world, caster, cast, 3, text, sizeof(text)); // the next level
    assert_string_equal(text, "12 for 4.5 s, 4.5 s, costs 25, every 8 s, 1, 60, 3 of 1");
    fixture_close(&f);
}

// Stacks, caller values, parameters and haste: an active effect says what it is, and before that
// the text says what it will be.
static void active_effects_have_their_own_numbers(void **state)
{
    fixture f;
    char text[64], before[64];
    (void)state;
    fixture_open(&f);
    const kn_attribute_set_id set = set_add(&f, "Vitals", "Armor Haste");
    const kn_attribute_id armor = attribute_named(&f, "Vitals.Armor");
    const kn_attribute_id haste = attribute_named(&f, "Vitals.Haste");
    const kn_tag length = tag_named(&f, "Value.Length");
    kn_parameter_def parameter = kn_parameter_def_default();
    assert_int_equal(kn_name_register(f.library, "Bonus", &parameter.name, NULL), KN_OK);
    parameter.value = 5;
    const kn_modifier_def modifier = {
        .attribute = armor, .magnitude = kn_magnitude_parameter(parameter.name)};
    kn_effect_def def = kn_effect_def_default();
    def.name = "Ward";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_set_by_caller(length);
    def.duration.has_default = true;
    def.duration.default_value = 6;
    def.has_haste = true;
    def.haste = kn_magnitude_attribute(haste, KN_CAPTURE_FROM_SOURCE, true, 1);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.parameters = &parameter;
    def.parameter_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(4);
    const kn_effect_type_id ward = effect_add(&f, &def);
    kn_rts_display_def display = kn_rts_display_def_default();
    display.name = "Ward";
    display.description = "{modifiers.Armor} for {duration} s, up to {stacks}";
    display_add(&f, &display);
    world_begin(&f);
    kn_entity_id source;
    assert_int_equal(kn_entity_create(f.world, &source), KN_OK);
    assert_int_equal(kn_attribute_set_add(f.world, source, set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(f.world, f.them, set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(f.world, source, haste, 0, 2), KN_OK);
    (void)kn_rts_describe_effect(f.world, source, ward, 1, before, sizeof(before));
    assert_string_equal(before, "5 for 3 s, up to 4");
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(f.world, ward, source, f.them, 1, &effect), KN_OK);
    (void)kn_rts_describe_active_effect(f.world, effect, text, sizeof(text));
    assert_string_equal(text, before);
    const kn_caller_value caller = {length, 9};
    const kn_named_value bonus = {parameter.name, 7};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = ward;
    apply.source = source;
    apply.target = f.them;
    apply.caller_values = &caller;
    apply.caller_value_count = 1;
    apply.named_values = &bonus;
    apply.named_value_count = 1;
    assert_int_equal(kn_effect_apply(f.world, &apply, &effect), KN_OK);
    (void)kn_rts_describe_active_effect(f.world, effect, text, sizeof(text));
    assert_string_equal(text, "14 for 4.5 s, up to 4");
    assert_true(kn_attribute_value(f.world, f.them, armor) == 14);
    fixture_close(&f);
}

static kn_result display_of(fixture *f, const kn_rts_display_def *def, kn_error *error)
{
    kn_result result = kn_rts_display_register(f->library, def, error);
    return result != KN_OK ? result : kn_library_finish(f->library, error);
}

// A library with the effect `Slow`, and the result of a display with this description.
static kn_error description_refused(const char *description)
{
    slow_scene s;
    kn_error error = {0};
    slow_open(&s, description);
    assert_int_equal(kn_library_finish(s.f.library, &error), KN_ERROR_BAD_DATA);
    fixture_close(&s.f);
    return error;
}

static void unknown_placeholders_are_errors(void **state)
{
    static const char *const bad[] = {"{foo}", "{}", "{modifiers.Sped}", "{modifiers}",
        "{duration.total}", "{modifiers.Speed.total}", "{period}", "{ticks}", "{stacks}",
        "{cost.Mana}", "{cooldown}", "{time}", "{range}", "{max_level}", "{attributes.Nobody}",
        "{effects.Nobody.duration}", "{effects.Slow.period}", "{duration:7}", "{duration:12}",
        "{duration:}", "{duration.half}"};
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const kn_error error = description_refused(bad[i]);
        assert_non_null(strstr(error.message, "rts display `Slow`"));
        if (strstr(error.message, bad[i]) == NULL) {
            fail_msg("%s: %s", bad[i], error.message);
        }
    }
    assert_non_null(strstr(description_refused("a { brace").message, "has no other one"));
    assert_non_null(strstr(description_refused("a } brace").message, "has no other one"));
}

static void displays_that_make_no_sense(void **state)
{
    fixture f;
    kn_error error = {0};
    (void)state;
    fixture_open(&f);
    (void)set_add(&f, "Vitals", "Health");
    const kn_effect_type_id effect =
        instant_add(&f, "Hit", attribute_named(&f, "Vitals.Health"), KN_OP_ADD, -5);
    const kn_ability_type_id ability = ability_add(&f, "Strike", 1);
    kn_rts_display_def def = kn_rts_display_def_default();
    assert_int_equal(kn_rts_display_register(f.library, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_display_register(NULL, &def, &error), KN_ERROR_INVALID_ARGUMENT);
    def.name = "Both";
    def.effect = effect;
    def.ability = ability;
    assert_int_equal(kn_rts_display_register(f.library, &def, &error), KN_ERROR_BAD_DATA);
    def.ability.index1 = 0;
    def.button = -2;
    assert_int_equal(kn_rts_display_register(f.library, &def, &error), KN_ERROR_BAD_DATA);
    def.button = 3;
    const kn_rts_text_value value = {"a.b", kn_magnitude_constant(1)};
    def.values = &value;
    def.value_count = 1;
    assert_int_equal(kn_rts_display_register(f.library, &def, &error), KN_ERROR_BAD_DATA);
    def.values = NULL;
    def.value_count = 0;
    assert_int_equal(kn_rts_display_register(f.library, &def, &error), KN_OK);
    assert_int_equal(kn_rts_display_register(f.library, &def, &error), KN_REFUSED_DUPLICATE);
    def.name = "Second"; // of the same effect
    assert_int_equal(display_of(&f, &def, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "same as `Both`"));
    fixture_close(&f);
    fixture_open(&f);
    def = kn_rts_display_def_default();
    def.name = "Nothing";
    assert_int_equal(display_of(&f, &def, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "nothing has this name"));
    fixture_close(&f);
    fixture_open(&f);
    def.product = "Soldier"; // without production
    assert_int_equal(display_of(&f, &def, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "no product `Soldier`"));
    fixture_close(&f);
}

// RTS-089, RTS-091, RTS-139, RTS-140, RTS-166, RTS-172, RTSV-E7, RTSV-E8
static void names_and_icons(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    (void)set_add(&f, "Vitals", "Health");
    const kn_attribute_id health = attribute_named(&f, "Vitals.Health");
    const kn_effect_type_id stun = instant_add(&f, "GE_Stun", health, KN_OP_ADD, -5);
    const kn_effect_type_id plain = instant_add(&f, "GE_Plain", health, KN_OP_ADD, -5);
    const kn_ability_type_id blink = ability_add(&f, "Blink", 1);
    const kn_ability_type_id bash = ability_add(&f, "Bash", 1);
    kn_rts_display_def def = kn_rts_display_def_default();
    def.name = "GE_Stun";
    display_add(&f, &def);
    def.name = "BlinkDisplay";
    def.ability = blink;
    def.title = "Blink away";
    def.icon = "blink.png";
    def.icon_disabled = "blink-grey.png";
    def.description = "It has {{no}} numbers.";
    def.button = 4;
    def.shows_as_order = true;
    display_add(&f, &def);
    assert_null(kn_rts_ability_display(f.library, blink)); // not finished
    world_begin(&f);
    assert_string_equal(kn_rts_effect_look(f.library, stun).title, "GE_Stun");
    assert_string_equal(kn_rts_effect_look(f.library, plain).title, "");
    assert_null(kn_rts_effect_look(f.library, plain).icon);
    assert_null(kn_rts_effect_display(f.library, plain));
    char text[64];
    assert_int_equal(kn_rts_describe_effect(f.world, f.us, plain, 1, text, sizeof(text)), 0);
    assert_int_equal(kn_rts_describe_effect(f.world, f.us, stun, 1, text, sizeof(text)), 0);
    const kn_rts_look look = kn_rts_ability_look(f.library, blink);
    assert_string_equal(look.title, "Blink away");
    assert_string_equal(look.icon, "blink.png");
    assert_string_equal(look.icon_disabled, "blink-grey.png");
    assert_int_equal(look.button, 4);
    assert_true(look.shows_as_order);
    assert_ptr_equal(kn_rts_ability_display(f.library, blink)->title, look.title); // the library's
    (void)kn_rts_describe_ability(f.world, f.us, blink, 0, text, sizeof(text));
    assert_string_equal(text, "It has {no} numbers.");
    assert_string_equal(kn_rts_ability_look(f.library, bash).title, "Bash");
    assert_false(kn_rts_ability_look(f.library, bash).shows_as_order);
    const kn_ability_type_id none = {0};
    assert_string_equal(kn_rts_ability_look(f.library, none).title, "");
    assert_int_equal(kn_rts_describe_ability(f.world, f.us, none, 0, text, sizeof(text)), 0);
    assert_string_equal(kn_rts_order_look(f.library, (kn_order_type_id){0}).title, "");
    assert_string_equal(kn_rts_product_look(f.library, (kn_product_id){1}).title, "");
    assert_int_equal(
        kn_rts_describe_order(f.world, f.us, (kn_order_type_id){0}, -1, text, sizeof(text)), 0);
    assert_int_equal(
        kn_rts_describe_product(f.world, f.us, (kn_product_id){1}, text, sizeof(text)), 0);
    fixture_close(&f);
}

static kn_result order_done(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static kn_order_type_id order_add(
    fixture *f, const char *name, kn_ability_type_id ability, const char *title)
{
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id type;
    kn_error error = {0};
    def.name = name;
    def.title = title;
    def.policy = KN_ORDER_INSTANT;
    def.range = 12.5f;
    def.ability = ability;
    def.execute.function = ability.index1 == 0 ? order_done : NULL;
    if (kn_order_type_register(f->library, &def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static void orders_and_products(void **state)
{
    fixture f;
    char text[128];
    kn_error error = {0};
    (void)state;
    kn_library_def library = kn_library_def_default();
    f = (fixture){0};
    assert_int_equal(kn_library_create(&library, &f.library), KN_OK);
    assert_int_equal(kn_order_produce_register(f.library, &error), KN_OK);
    assert_int_equal(kn_rts_register(f.library, &error), KN_OK);
    assert_int_equal(kn_grid_register(f.library, NULL, &error), KN_OK);
    (void)set_add(&f, "Stock", "Gold Wood");
    const kn_ability_type_id blink = ability_add(&f, "Blink", 1);
    const kn_order_type_id stop = order_add(&f, "Halt", (kn_ability_type_id){0}, "Stop here");
    const kn_order_type_id use = order_add(&f, "UseBlink", blink, NULL);
    const kn_order_type_id bare = order_add(&f, "Bare", (kn_ability_type_id){0}, NULL);
    kn_rts_display_def def = kn_rts_display_def_default();
    def.name = "Blink"; // an ability, though it could be more
    def.title = "Blink away";
    def.description = "Level {level}";
    display_add(&f, &def);
    def = kn_rts_display_def_default();
    def.name = "Halt";
    def.icon = "halt.png";
    def.description = "Within {range} m";
    display_add(&f, &def);
    const kn_product_cost costs[] = {
        {attribute_named(&f, "Stock.Gold"), 60}, {attribute_named(&f, "Stock.Wood"), 5}};
    kn_product_def product = kn_product_def_default();
    product.name = "Soldier";
    product.event = tag_named(&f, "Event.Made");
    product.title = "Foot soldier";
    product.description = "Plain {words}";
    product.time = KN_MS(12500);
    product.costs = costs;
    product.cost_count = 2;
    kn_product_id soldier, archer;
    assert_int_equal(kn_product_register(f.library, &product, &soldier, &error), KN_OK);
    product.name = "Archer";
    assert_int_equal(kn_product_register(f.library, &product, &archer, &error), KN_OK);
    def = kn_rts_display_def_default();
    def.name = "ForArchers";
    def.product = "Archer";
    def.icon = "archer.png";
    def.description = "{time} s, {cost.Gold} gold and {cost.Wood} wood";
    display_add(&f, &def);
    world_begin(&f);
    kn_rts_look look = kn_rts_order_look(f.library, stop);
    assert_string_equal(look.title, "Stop here");
    assert_string_equal(look.icon, "halt.png");
    assert_true(look.shows_as_order);
    look = kn_rts_order_look(f.library, use); // as its ability
    assert_string_equal(look.title, "Blink away");
    assert_false(look.shows_as_order);
    assert_string_equal(kn_rts_order_look(f.library, bare).title, "Bare");
    (void)kn_rts_describe_order(f.world, f.us, stop, -1, text, sizeof(text));
    assert_string_equal(text, "Within 12.5 m");
    (void)kn_rts_describe_order(f.world, f.us, use, -1, text, sizeof(text));
    assert_string_equal(text, "Level 1");
    assert_int_equal(kn_rts_describe_order(f.world, f.us, bare, -1, text, sizeof(text)), 0);
    look = kn_rts_product_look(f.library, soldier);
    assert_string_equal(look.title, "Foot soldier");
    assert_null(look.icon);
    (void)kn_rts_describe_product(f.world, f.us, soldier, text, sizeof(text));
    assert_string_equal(text, "Plain {words}"); // only displays have placeholders
    look = kn_rts_product_look(f.library, archer);
    assert_string_equal(look.title, "Foot soldier");
    assert_string_equal(look.icon, "archer.png");
    (void)kn_rts_describe_product(f.world, f.us, archer, text, sizeof(text));
    assert_string_equal(text, "12.5 s, 60 gold and 5 wood");
    assert_non_null(kn_rts_product_display(f.library, archer));
    assert_non_null(kn_rts_order_display(f.library, stop));
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_have_no_locale),
    cmocka_unit_test(plain_text_takes_named_numbers),
    cmocka_unit_test(what_a_text_says_is_what_the_effect_does),
    cmocka_unit_test(forms_of_numbers),
    cmocka_unit_test(totals_are_what_ticks_take),
    cmocka_unit_test(numbers_of_the_ability_count),
    cmocka_unit_test(active_effects_have_their_own_numbers),
    cmocka_unit_test(unknown_placeholders_are_errors),
    cmocka_unit_test(displays_that_make_no_sense),
    cmocka_unit_test(names_and_icons),
    cmocka_unit_test(orders_and_products),
};

TEST_GROUP(rts_text, tests, NULL, NULL);
