// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Specs: made now and applied later, with values handed in by the caller and a context.

#include "scenario/effect_fixture.h"

static kn_effect_id spec_apply(fixture *f, kn_spec_id spec, kn_entity_id target)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_spec_apply(f->world, spec, target, &effect), KN_OK);
    return effect;
}

// Making and applying -------------------------------------------------------------------

// SPC-001, SPC-002: made by somebody, applied later to whatever is hit.
static void spec_is_made_now_and_applied_later(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Arrow", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, -50);
    begin(f);

    kn_spec_id spec = spec_of(f, type);
    step(f, KN_S(3));
    assert_near(current(f, f->speed), 600);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    kn_effect_id effect = spec_apply(f, spec, f->foe);

    assert_near(current(f, f->speed), 550);
    assert_int_equal(info_of(f, effect).start, KN_S(3));
    assert_true(kn_entity_id_equal(info_of(f, effect).source, f->hero));
    assert_true(kn_spec_is_alive(f->world, spec));
}

// SPC-001, SPC-003, ETG-004: everything about it can be changed before it is applied.
static void spec_can_be_altered_before_it_is_applied(void **state)
{
    fixture *f = *state;
    kn_tag asset = tag_of(f, "Effect.Fire"), granted = tag_of(f, "State.Burning");
    kn_tag own_asset = tag_of(f, "Effect.Any"), own_granted = tag_of(f, "State.Any");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1);
    kn_effect_def def = effect_def("Burn", KN_DURATION_TIMED, &modifier, 1);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    def.asset_tags = one(&own_asset);
    def.granted_tags = one(&own_granted);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(5);
    kn_effect_type_id type = effect_register(f, &def);
    kn_tag key = tag_of(f, "Data.Amount");
    begin(f);
    kn_spec_id spec = spec_of(f, type);
    kn_entity_id lord, sword;
    assert_int_equal(kn_entity_create(f->world, &lord), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &sword), KN_OK);
    kn_effect_context context = {.instigator = lord, .causer = sword, .source_object = 42};

    assert_int_equal(kn_spec_set_level(f->world, spec, 7), KN_OK);
    assert_int_equal(kn_spec_set_duration(f->world, spec, KN_S(4)), KN_OK);
    assert_int_equal(kn_spec_set_period(f->world, spec, KN_MS(500)), KN_OK);
    assert_int_equal(kn_spec_set_stacks(f->world, spec, 3), KN_OK);
    assert_int_equal(kn_spec_add_asset_tag(f->world, spec, asset), KN_OK);
    assert_int_equal(kn_spec_add_granted_tag(f->world, spec, granted), KN_OK);
    assert_int_equal(kn_spec_set_context(f->world, spec, &context, true), KN_OK);
    assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 2.5f), KN_OK);
    kn_effect_id effect = spec_apply(f, spec, f->foe);
    kn_effect_info info = info_of(f, effect);

    assert_int_equal(info.type.index1, type.index1);
    assert_near(info.level, 7);
    assert_int_equal(info.duration, KN_S(4));
    assert_int_equal(info.period, KN_MS(500));
    assert_int_equal(info.stacks, 3);
    assert_true(info.source_object == 42);
    assert_true(kn_entity_id_equal(info.source, f->hero));
    assert_true(kn_entity_id_equal(info.target, f->foe));
    assert_true(kn_entity_id_equal(info.instigator, lord));
    assert_true(kn_entity_id_equal(info.causer, sword));
    assert_near(kn_effect_caller_value(f->world, effect, key, -1), 2.5f);
    assert_true(kn_entity_has_tag(f->world, f->foe, granted));
    assert_true(kn_entity_has_tag(f->world, f->foe, own_granted));
    kn_tag both[] = {asset, own_asset};
    kn_effect_query query = kn_effect_query_default();
    query.all_tags = (kn_tags){both, 2};
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, NULL, 0), 1);
    step(f, KN_S(4));
    assert_false(kn_entity_has_tag(f->world, f->foe, granted));
}

// SPC-003: the same in one call.
static void application_brings_its_own_level_duration_and_tags(void **state)
{
    fixture *f = *state;
    kn_tag granted = tag_of(f, "State.Burning");
    kn_effect_def def = effect_def("Burn", KN_DURATION_TIMED, NULL, 0);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_apply_def apply_def = from_hero(f, type);
    apply_def.level = 2.5f;
    apply_def.duration = KN_S(2);
    apply_def.dynamic_granted_tags = one(&granted);
    kn_effect_id effect;

    assert_int_equal(kn_effect_apply(f->world, &apply_def, &effect), KN_OK);

    assert_near(info_of(f, effect).level, 2.5f);
    assert_int_equal(info_of(f, effect).remaining, KN_S(2));
    assert_true(kn_entity_has_tag(f->world, f->foe, granted));
    remove_effect(f, effect);
    assert_false(kn_entity_has_tag(f->world, f->foe, granted));
}

// SPC-005: one spec on several targets is captured for each of them.
static void spec_is_captured_per_target(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = adding(
        f, "Reader", f->speed, kn_magnitude_attribute(f->armor, KN_CAPTURE_FROM_TARGET, true, 1));
    begin(f);
    set_base(f, f->hero, f->armor, 70);
    kn_spec_id spec = spec_of(f, type);

    kn_effect_id on_foe = spec_apply(f, spec, f->foe);
    kn_effect_id on_hero = spec_apply(f, spec, f->hero);

    assert_near(kn_effect_magnitude(f->world, on_foe, 0), 5);
    assert_near(kn_effect_magnitude(f->world, on_hero, 0), 70);
}

// SPC-005: changing or destroying a spec does not touch what was made from it.
static void spec_changed_after_application_leaves_active_effects_alone(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount"), granted = tag_of(f, "State.Late");
    kn_effect_type_id type = adding(f, "Charged", f->speed, kn_magnitude_set_by_caller(key));
    begin(f);
    kn_spec_id spec = spec_of(f, type);
    assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 10), KN_OK);
    kn_effect_id effect = spec_apply(f, spec, f->foe);

    assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 500), KN_OK);
    assert_int_equal(kn_spec_set_level(f->world, spec, 9), KN_OK);
    assert_int_equal(kn_spec_add_granted_tag(f->world, spec, granted), KN_OK);
    kn_spec_destroy(f->world, spec);
    assert_int_equal(kn_effect_refresh(f->world, effect), KN_OK);

    assert_near(current(f, f->speed), 610);
    assert_near(info_of(f, effect).level, 1);
    assert_false(kn_entity_has_tag(f->world, f->foe, granted));
    assert_false(kn_spec_is_alive(f->world, spec));
}

// SPC-005: specs can be copied; copies go their own way.
static void copy_of_a_spec_has_its_content_and_goes_its_own_way(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount");
    kn_modifier_def modifiers[] = {kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[0].attribute = f->speed;
    modifiers[0].magnitude = kn_magnitude_set_by_caller(key);
    modifiers[1].attribute = f->armor;
    modifiers[1].magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, true, 1);
    kn_effect_def def = effect_def("Charged", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_spec_id spec = spec_of(f, type), copy = {0};
    assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 10), KN_OK);
    set_base(f, f->hero, f->attack, 70); // after the capture

    assert_int_equal(kn_spec_copy(f->world, spec, &copy), KN_OK);
    assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 500), KN_OK);
    kn_spec_destroy(f->world, spec);

    assert_near(kn_spec_caller_value(f->world, copy, key, -1), 10);
    spec_apply(f, copy, f->foe);
    assert_near(current(f, f->speed), 610);
    assert_near(current(f, f->armor), 15);
}

// SPC-006: the order in which a spec is filled does not matter.
static void order_of_filling_a_spec_does_not_matter(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount");
    kn_magnitude magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_CAUSER, false, 1);
    magnitude.post_add = kn_constant(1);
    kn_modifier_def modifiers[] = {kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[0].attribute = f->speed;
    modifiers[0].magnitude = magnitude;
    modifiers[1].attribute = f->armor;
    modifiers[1].magnitude = kn_magnitude_set_by_caller(key);
    kn_effect_def def = effect_def("Both", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_entity_id sword = entity_create(f);
    add_set(f, sword, f->set);
    kn_effect_context context = {.causer = sword};

    float results[2][2];
    for (uint32_t i = 0; i < 2; i++) {
        kn_spec_id spec = spec_of(f, type);
        if (i == 0) {
            assert_int_equal(kn_spec_set_context(f->world, spec, &context, true), KN_OK);
        }
        assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 4), KN_OK);
        assert_int_equal(kn_spec_set_level(f->world, spec, 2), KN_OK);
        if (i == 1) {
            assert_int_equal(kn_spec_set_context(f->world, spec, &context, true), KN_OK);
        }
        kn_effect_id effect = spec_apply(f, spec, f->foe);
        results[i][0] = kn_effect_magnitude(f->world, effect, 0);
        results[i][1] = kn_effect_magnitude(f->world, effect, 1);
    }

    assert_near(results[0][0], 11);
    assert_near(results[0][1], 4);
    assert_memory_equal(results[0], results[1], sizeof(results[0]));
}

// Values of the caller ------------------------------------------------------------------

// SBC-001, SBC-005: floats by tag and by name, readable from outside.
static void caller_values_can_be_read_back(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount"), absent = tag_of(f, "Data.Absent");
    kn_effect_type_id type = adding(f, "Charged", f->speed, kn_magnitude_set_by_caller(key));
    begin(f);
    kn_spec_id spec = spec_of(f, type);

    assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 10), KN_OK);
    assert_near(kn_spec_caller_value(f->world, spec, key, -1), 10);
    assert_near(kn_spec_caller_value(f->world, spec, absent, -1), -1);
    kn_effect_id effect = spec_apply(f, spec, f->foe);

    assert_near(kn_effect_caller_value(f->world, effect, key, -1), 10);
    assert_near(kn_effect_caller_value(f->world, effect, absent, -2), -2);
}

typedef struct name_reader {
    kn_name name, absent;
} name_reader;

static float read_name(void *user, const kn_calculation *calculation)
{
    const name_reader *reader = user;
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    return kn_spec_view_named_value(spec, reader->name, -1, false) +
           kn_spec_view_named_value(spec, reader->absent, 1000, false);
}

// SBC-001, SBC-003: by name, for calculations, without a declaration.
static void named_values_reach_calculations(void **state)
{
    fixture *f = *state;
    name_reader reader;
    assert_int_equal(kn_name_register(f->library, "amount", &reader.name, NULL), KN_OK);
    assert_int_equal(kn_name_register(f->library, "absent", &reader.absent, NULL), KN_OK);
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "Named";
    def.function = read_name;
    def.user = &reader;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    kn_effect_type_id type = adding(f, "Named", f->speed, kn_magnitude_calculation(calculation));
    begin(f);
    kn_spec_id spec = spec_of(f, type);

    assert_int_equal(kn_spec_set_named_value(f->world, spec, reader.name, 7), KN_OK);
    spec_apply(f, spec, f->foe);

    assert_near(current(f, f->speed), 1607);
}

// SBC-004: a tag must be registered; a misspelt one is null and refused.
static void misspelt_key_is_refused(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount");
    kn_effect_type_id type = adding(f, "Charged", f->speed, kn_magnitude_set_by_caller(key));
    begin(f);
    kn_spec_id spec = spec_of(f, type);
    kn_assert_set_handler(ignore_assert);

    kn_tag misspelt = kn_tag_find(f->library, "Data.Amonut");
    assert_int_equal(misspelt.index1, 0);
    assert_int_equal(
        kn_spec_set_caller_value(f->world, spec, misspelt, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_spec_set_caller_value(f->world, spec, (kn_tag){9999}, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 1), KN_OK);
    kn_effect_id effect = spec_apply(f, spec, f->foe);
    const kn_tag unknown[] = {misspelt, {9999}};
    for (uint32_t i = 0; i < COUNT(unknown); i++) {
        assert_int_equal(
            kn_effect_set_caller_value(f->world, effect, unknown[i], 1), KN_ERROR_INVALID_ARGUMENT);
    }
    kn_assert_set_handler(NULL);
}

// SBC-006: a value of an active effect can be changed; its magnitudes follow.
static void caller_value_of_an_active_effect_can_be_changed(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount");
    kn_effect_type_id type = adding(f, "Charged", f->speed, kn_magnitude_set_by_caller(key));
    begin(f);
    kn_spec_id spec = spec_of(f, type);
    assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 10), KN_OK);
    kn_effect_id effect = spec_apply(f, spec, f->foe);

    assert_int_equal(kn_effect_set_caller_value(f->world, effect, key, 25), KN_OK);

    assert_near(current(f, f->speed), 625);
    assert_near(kn_effect_caller_value(f->world, effect, key, -1), 25);
    assert_int_equal(kn_effect_set_caller_value(f->world, effect, key, NAN), KN_REFUSED_BAD_NUMBER);
    assert_near(current(f, f->speed), 625);
    remove_effect(f, effect);
    assert_int_equal(kn_effect_set_caller_value(f->world, effect, key, 1), KN_REFUSED_STALE_ID);
}

// The values belong to the active effect, so that whoever has it computes the same again.
static void active_effect_keeps_its_caller_values(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount");
    kn_effect_type_id type = adding(f, "Charged", f->speed, kn_magnitude_set_by_caller(key));
    begin(f);
    kn_caller_value value = {key, 10};
    kn_effect_apply_def def = from_hero(f, type);
    def.caller_values = &value;
    def.caller_value_count = 1;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
    value.value = 999;
    step(f, KN_S(5));

    assert_int_equal(kn_effect_refresh(f->world, effect), KN_OK);

    assert_near(kn_effect_caller_value(f->world, effect, key, -1), 10);
    assert_near(current(f, f->speed), 610);
}

// SBC-001: the last value under a key counts.
static void later_value_replaces_an_earlier_one(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount");
    kn_effect_type_id type = adding(f, "Charged", f->speed, kn_magnitude_set_by_caller(key));
    begin(f);
    const kn_caller_value values[] = {{key, 1}, {key, 2}};
    kn_effect_apply_def def = from_hero(f, type);
    def.caller_values = values;
    def.caller_value_count = COUNT(values);

    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);

    assert_near(current(f, f->speed), 602);
}

// Context -------------------------------------------------------------------------------

typedef struct hit_info {
    uint32_t bone;
    float force;
} hit_info;

typedef struct swing_info {
    uint8_t combo;
} swing_info;

typedef struct context_seen {
    kn_context_type_id hit, swing;
    uint32_t hits, swings;
    hit_info last_hit;
    swing_info last_swing;
    kn_entity_id source, causer;
    uint64_t object;
    kn_ability_id ability;
    kn_activation_id activation;
    kn_entity_id hit_entity;
} context_seen;

static context_seen seen;

static float see_context(void *user, const kn_calculation *calculation)
{
    (void)user;
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    const hit_info *hit = kn_spec_view_payload(spec, seen.hit);
    const swing_info *swing = kn_spec_view_payload(spec, seen.swing);
    if (hit != NULL) {
        seen.hits++;
        seen.last_hit = *hit;
    }
    if (swing != NULL) {
        seen.swings++;
        seen.last_swing = *swing;
    }
    seen.source = kn_spec_view_source(spec);
    seen.causer = kn_spec_view_causer(spec);
    seen.object = kn_spec_view_source_object(spec);
    seen.ability = kn_spec_view_ability(spec);
    seen.activation = kn_spec_view_activation(spec);
    const kn_target_hit *target =
        kn_target_get(kn_spec_view_targets(spec), 0, kn_target_type_hit());
    seen.hit_entity = target != NULL ? target->entity : (kn_entity_id){0};
    return 1.0f;
}

static kn_effect_type_id seeing(fixture *f)
{
    seen = (context_seen){0};
    assert_int_equal(
        kn_context_type_register(f->library, "Hit", sizeof(hit_info), &seen.hit, NULL), KN_OK);
    assert_int_equal(
        kn_context_type_register(f->library, "Swing", sizeof(swing_info), &seen.swing, NULL),
        KN_OK);
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "See";
    def.function = see_context;
    kn_calculation_id calculation = {0};
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    return adding(f, "Seen", f->speed, kn_magnitude_calculation(calculation));
}

// CTX-001, CTX-004, CTX-006: who stands behind it, what was used, the ability, the host's own
// object, what was hit, and where.
static void context_names_instigator_causer_and_object(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = seeing(f);
    kn_ability_def ability_def = kn_ability_def_default();
    ability_def.name = "Swing";
    kn_ability_type_id swing;
    assert_int_equal(kn_ability_register(f->library, &ability_def, &swing, NULL), KN_OK);
    begin(f);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = swing;
    grant.level = 6;
    kn_ability_id ability;
    kn_activation_id activation;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant, &ability), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, &activation), KN_OK);
    kn_target_data targets = {0};
    kn_target_hit hit = {.entity = f->foe, .point = {4, 5, 6}};
    assert_int_equal(kn_target_add(f->library, &targets, kn_target_type_hit(), &hit), KN_OK);
    kn_entity_id player, sword;
    assert_int_equal(kn_entity_create(f->world, &player), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &sword), KN_OK);
    kn_effect_context context = {.instigator = player,
        .causer = sword,
        .source_object = 1234567890123u,
        .origin = {1, 2, 3},
        .has_origin = true,
        .targets = targets.bytes,
        .target_size = targets.size,
        .ability = ability,
        .activation = activation};
    kn_effect_apply_def def = from_hero(f, type);
    def.context = &context;
    kn_effect_id effect;

    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);

    kn_effect_info info = info_of(f, effect);
    assert_true(kn_entity_id_equal(info.source, f->hero));
    assert_true(kn_entity_id_equal(info.instigator, player));
    assert_true(kn_entity_id_equal(info.causer, sword));
    assert_true(info.source_object == 1234567890123u);
    assert_true(info.has_origin);
    assert_true(info.origin.x == 1.0f && info.origin.y == 2.0f && info.origin.z == 3.0f);
    assert_true(kn_entity_id_equal(seen.source, f->hero));
    assert_true(kn_entity_id_equal(seen.causer, sword));
    assert_true(seen.object == 1234567890123u);
    assert_true(kn_ability_id_equal(seen.ability, ability));
    assert_near(kn_ability_level(f->world, seen.ability), 6);
    assert_true(kn_activation_id_equal(seen.activation, activation));
    assert_true(kn_entity_id_equal(seen.hit_entity, f->foe));
}

// CTX-001: without a context the source is the instigator.
static void source_is_the_instigator_by_default(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Plain", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 1);
    begin(f);

    kn_effect_info info = info_of(f, apply(f, type));

    assert_true(kn_entity_id_equal(info.instigator, f->hero));
    assert_true(kn_entity_id_is_null(info.causer));
}

// CTX-001, CTX-002, CTX-007: a payload is a registered type, copied with the spec.
static void payload_is_copied_with_the_context(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = seeing(f);
    begin(f);
    hit_info hit = {.bone = 7, .force = 2.5f};
    kn_effect_context context = {.payload_type = seen.hit, .payload = &hit};
    kn_effect_apply_def def = from_hero(f, type);
    def.context = &context;
    kn_spec_id spec, copy;
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);
    hit = (hit_info){0};

    assert_int_equal(kn_spec_copy(f->world, spec, &copy), KN_OK);
    kn_spec_destroy(f->world, spec);
    kn_effect_id effect = spec_apply(f, copy, f->foe);
    kn_spec_destroy(f->world, copy);
    seen.last_hit = (hit_info){0};
    assert_int_equal(kn_effect_refresh(f->world, effect), KN_OK);

    assert_true(seen.hits >= 2);
    assert_int_equal(seen.last_hit.bone, 7);
    assert_near(seen.last_hit.force, 2.5f);
    assert_int_equal(seen.swings, 0);
}

// CTX-001: an observer of a cue reads the payload and the origin behind its effect.
static void observer_of_a_cue_reads_the_payload_of_its_effect(void **state)
{
    fixture *f = *state;
    (void)seeing(f);
    kn_tag shotgun = tag_of(f, "Cue.Shotgun");
    kn_effect_def def = infinite("Shot");
    def.cue_tags = (kn_tags){&shotgun, 1};
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    hit_info hit = {0};
    memset(&hit, 7, sizeof(hit));
    kn_effect_context context = {.payload_type = seen.hit,
        .payload = &hit,
        .origin = {1.0f, 2.0f, 3.0f},
        .has_origin = true};
    kn_effect_apply_def apply = from_hero(f, type);
    apply.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &apply, NULL), KN_OK);
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    const void *payload = NULL;
    kn_effect_info info = {0};
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CUE) {
            kn_effect_id effect = events.data[i].data.cue.effect;
            payload = kn_effect_payload(f->world, effect, seen.hit);
            assert_null(kn_effect_payload(f->world, effect, seen.swing));
            assert_true(kn_effect_get(f->world, effect, &info));
        }
    }
    assert_non_null(payload);
    assert_memory_equal(payload, &hit, sizeof(hit));
    assert_true(info.has_origin && info.origin.y == 2.0f);
}

// CTX-002, CTX-005, CTX-007: several payload types side by side, each known by its type.
static void payload_types_coexist(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = seeing(f);
    begin(f);
    hit_info hit = {.bone = 7, .force = 2.5f};
    swing_info swing = {.combo = 3};
    kn_effect_context contexts[] = {
        {.payload_type = seen.hit, .payload = &hit},
        {.payload_type = seen.swing, .payload = &swing},
    };

    kn_effect_id effects[2];
    for (uint32_t i = 0; i < COUNT(contexts); i++) {
        kn_effect_apply_def def = from_hero(f, type);
        contexts[i].causer = f->hero; // which the viewer does not know
        def.context = &contexts[i];
        assert_int_equal(kn_effect_apply(f->world, &def, &effects[i]), KN_OK);
    }

    assert_int_equal(seen.hits, 1);
    assert_int_equal(seen.swings, 1);
    assert_int_equal(seen.last_swing.combo, 3);
    // They arrive elsewhere, each as what it is, also without the entities they speak of.
    kn_world *copies[] = {world_of(f, kn_world_def_default()), NULL};
    project(f->world, copies[0], &f->foe, 1, KN_VIEWER_OTHERS);
    assert_false(kn_entity_is_alive(copies[0], f->hero));
    copies[1] = world_loaded(f, kn_world_def_default());
    for (uint32_t i = 0; i < 2; i++) {
        const hit_info *arrived = kn_effect_payload(copies[i], effects[0], seen.hit);
        const swing_info *other = kn_effect_payload(copies[i], effects[1], seen.swing);
        assert_true(arrived->bone == 7 && arrived->force == 2.5f);
        assert_int_equal(other->combo, 3);
        assert_null(kn_effect_payload(copies[i], effects[0], seen.swing));
        assert_null(kn_effect_payload(copies[i], effects[1], seen.hit));
        kn_world_destroy(copies[i]);
    }
}

// CTX-005, VER-005: entities of the context may go; nothing dangles.
static void entities_of_a_context_may_go(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = seeing(f);
    begin(f);
    kn_entity_id sword = entity_create(f);
    kn_effect_context context = {.instigator = sword, .causer = sword, .source_object = 9};
    kn_effect_apply_def def = from_hero(f, type);
    def.context = &context;
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);

    assert_true(kn_entity_destroy(f->world, sword));
    assert_true(kn_entity_destroy(f->world, f->hero));
    kn_effect_id effect = spec_apply(f, spec, f->foe);

    assert_false(kn_entity_is_alive(f->world, info_of(f, effect).causer));
    assert_false(kn_entity_is_alive(f->world, info_of(f, effect).source));
    assert_true(info_of(f, effect).source_object == 9);
    assert_near(current(f, f->speed), 601);
}

// CTX-005, CTX-007: what is handed in is checked.
static void malformed_contexts_are_refused(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = seeing(f);
    kn_assert_set_handler(ignore_assert);
    kn_context_type_id id = {77};
    assert_int_not_equal(kn_context_type_register(f->library, NULL, 4, &id, NULL), KN_OK);
    assert_int_equal(
        kn_context_type_register(f->library, "Hit", 4, &id, NULL), KN_REFUSED_DUPLICATE);
    begin(f);
    hit_info hit = {0};
    kn_effect_context context = {.payload_type = {99}, .payload = &hit};
    kn_effect_apply_def def = from_hero(f, type);
    def.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    kn_assert_set_handler(NULL);

    context = (kn_effect_context){.payload_type = seen.hit}; // nothing there: no payload
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_int_equal(seen.hits, 0);
}

// Bad input -------------------------------------------------------------------

// SPC-001, SPC-005
static void stale_specs_are_refused_everywhere(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount");
    kn_name name;
    assert_int_equal(kn_name_register(f->library, "amount", &name, NULL), KN_OK);
    kn_effect_type_id type = simple(f, "Plain", KN_DURATION_TIMED, f->speed, KN_OP_ADD, 1);
    begin(f);
    kn_spec_id gone = spec_of(f, type);
    kn_spec_destroy(f->world, gone);
    const kn_spec_id stale[] = {gone, {0, 0}, {999, 1}};

    for (uint32_t i = 0; i < COUNT(stale); i++) {
        kn_spec_id spec = stale[i], copy = {77, 77};
        kn_effect_id effect = {77, 77};
        kn_spec_destroy(f->world, spec);
        assert_false(kn_spec_is_alive(f->world, spec));
        assert_int_equal(kn_spec_copy(f->world, spec, &copy), KN_REFUSED_STALE_ID);
        assert_true(kn_spec_id_is_null(copy));
        assert_int_equal(kn_spec_apply(f->world, spec, f->foe, &effect), KN_REFUSED_STALE_ID);
        assert_true(kn_effect_id_is_null(effect));
        assert_int_equal(kn_spec_set_caller_value(f->world, spec, key, 1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_spec_set_named_value(f->world, spec, name, 1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_spec_set_level(f->world, spec, 1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_spec_set_duration(f->world, spec, 1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_spec_set_period(f->world, spec, 1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_spec_set_stacks(f->world, spec, 1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_spec_add_granted_tag(f->world, spec, key), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_spec_add_asset_tag(f->world, spec, key), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_spec_set_context(f->world, spec, &(kn_effect_context){0}, true),
            KN_REFUSED_STALE_ID);
        assert_near(kn_spec_caller_value(f->world, spec, key, -5), -5);
    }
    assert_near(current(f, f->speed), 600);
}

// SPC-001
static void specs_refuse_bad_numbers_and_unknown_types(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount");
    kn_effect_type_id type = simple(f, "Plain", KN_DURATION_TIMED, f->speed, KN_OP_ADD, 1);
    begin(f);
    kn_spec_id spec = spec_of(f, type);
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(kn_spec_set_level(f->world, spec, bad[i]), KN_REFUSED_BAD_NUMBER);
        assert_int_equal(
            kn_spec_set_caller_value(f->world, spec, key, bad[i]), KN_REFUSED_BAD_NUMBER);
    }
    assert_near(kn_spec_caller_value(f->world, spec, key, -1), -1);
    kn_assert_set_handler(ignore_assert);
    const kn_effect_type_id unknown[] = {{0}, {999}, {UINT32_MAX}};
    for (uint32_t i = 0; i < COUNT(unknown); i++) {
        kn_effect_apply_def def = from_hero(f, unknown[i]);
        kn_spec_id other = {77, 77};
        assert_int_equal(kn_spec_create(f->world, &def, &other), KN_ERROR_INVALID_ARGUMENT);
        assert_true(kn_spec_id_is_null(other));
    }
    kn_assert_set_handler(NULL);
    assert_true(kn_entity_destroy(f->world, f->foe));
    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_spec_apply(f->world, spec, (kn_entity_id){0}, NULL), KN_REFUSED_STALE_ID);
}

static const struct CMUnitTest tests[] = {
    TEST(spec_is_made_now_and_applied_later),
    TEST(spec_can_be_altered_before_it_is_applied),
    TEST(application_brings_its_own_level_duration_and_tags),
    TEST(spec_is_captured_per_target),
    TEST(spec_changed_after_application_leaves_active_effects_alone),
    TEST(copy_of_a_spec_has_its_content_and_goes_its_own_way),
    TEST(order_of_filling_a_spec_does_not_matter),
    TEST(caller_values_can_be_read_back),
    TEST(named_values_reach_calculations),
    TEST(misspelt_key_is_refused),
    TEST(caller_value_of_an_active_effect_can_be_changed),
    TEST(active_effect_keeps_its_caller_values),
    TEST(later_value_replaces_an_earlier_one),
    TEST(context_names_instigator_causer_and_object),
    TEST(source_is_the_instigator_by_default),
    TEST(payload_is_copied_with_the_context),
    TEST(observer_of_a_cue_reads_the_payload_of_its_effect),
    TEST(payload_types_coexist),
    TEST(entities_of_a_context_may_go),
    TEST(malformed_contexts_are_refused),
    TEST(stale_specs_are_refused_everywhere),
    TEST(specs_refuse_bad_numbers_and_unknown_types),
};

TEST_GROUP(specs, tests, NULL, NULL);
