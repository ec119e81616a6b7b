// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The example of docs/rts-teams.md is loaded and played: orders and attacks among players who
// change sides, hide and come out of the fog.

#include "rts/attack_test.h"

#include "knack/rts_team.h"

// The first block of YAML of the guide.
static const char *guide(void)
{
    static char text[16 * 1024];
    FILE *file = fopen(RTS_DOCS "/rts-teams.md", "r");
    char line[512];
    size_t length = 0;
    bool is_open = false;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            if (is_open) {
                break;
            }
            is_open = true;
        } else if (is_open) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s", line);
        }
    }
    assert_int_equal(fclose(file), 0);
    return text;
}

static int setup(void **state)
{
    field *f = malloc(sizeof(*f));
    assert_non_null(f);
    field_begin(f, attack_library(guide()));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    field_end(*state);
    free(*state);
    return 0;
}

static kn_entity_id unit_of(field *f, const char *name, kn_entity_id owner, float x, float y)
{
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(f->world, &unit), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, unit, owner), KN_OK);
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, y, 0};
    assert_int_equal(kn_grid_set_body(f->grid, unit, &body), KN_OK);
    const kn_rts_unit_type_id type = kn_rts_unit_find(f->library, name);
    assert_int_equal(kn_rts_unit_add(f->world, unit, type), KN_OK);
    return unit;
}

static kn_order_type_id attack_type(const field *f)
{
    const kn_order_type_id type = kn_order_type_find(f->library, "Knack.Rts.Attack");
    assert_int_not_equal(type.index1, 0);
    return type;
}

static kn_result attack(field *f, kn_entity_id unit, kn_entity_id target)
{
    const kn_order order = kn_order_on(attack_type(f), target);
    return kn_order_issue(f->world, unit, &order, NULL);
}

static bool attacks(const field *f, kn_entity_id unit, kn_entity_id target)
{
    kn_unit_info info;
    return kn_unit_get_info(f->world, unit, &info) &&
           info.current.type.index1 == attack_type(f).index1 &&
           kn_entity_id_equal(info.current.target, target);
}

// RTSV-R6, RTS-150: what is not seen cannot be attacked; TVO-44: nor can friends
static void only_visible_enemies_are_attacked(void **state)
{
    field *f = *state;
    const kn_entity_id soldier = unit_of(f, "Soldier", f->us, 0, 0);
    const kn_entity_id far = unit_of(f, "Soldier", f->them, 14, 0);
    const kn_entity_id ghost = unit_of(f, "Ghost", f->them, 4, 0);
    const kn_tag visible = kn_rts_tag(f->library, KN_RTS_VISIBLE);
    kn_order_errors errors = {0};
    step_ms(f, 500);
    const kn_order order = kn_order_on(attack_type(f), far);
    assert_false(kn_order_check(f->world, soldier, &order, &errors));
    assert_int_equal(errors.missing_count, 1);
    assert_int_equal(errors.missing[0].index1, visible.index1);
    assert_int_equal(attack(f, soldier, far), KN_REFUSED_REQUIREMENT);
    assert_int_equal(attack(f, soldier, ghost), KN_REFUSED_REQUIREMENT);
    // The tower detects the ghost, and binoculars show what is far.
    (void)unit_of(f, "Tower", f->us, 0, 5);
    assert_int_equal(kn_effect_apply_simple(f->world, kn_effect_type_find(f->library, "Binoculars"),
                         soldier, soldier, 1, NULL),
        KN_OK);
    assert_true(kn_rts_sight(f->world, soldier) == 20);
    step_ms(f, 500);
    assert_int_equal(attack(f, soldier, far), KN_OK);
    assert_int_equal(attack(f, soldier, ghost), KN_REFUSED_REQUIREMENT); // 4 away and 5 aside
    assert_int_equal(kn_grid_move(f->grid, ghost, (kn_vec3){3, 2, 0}), KN_OK);
    step_ms(f, 300);
    assert_int_equal(attack(f, soldier, ghost), KN_OK);
    assert_true(attacks(f, soldier, ghost));
    assert_int_equal(kn_rts_set_stance(f->world, f->us, f->them, KN_RTS_ALLY), KN_OK);
    errors = (kn_order_errors){0};
    assert_false(kn_order_check(f->world, soldier, &order, &errors));
    assert_int_equal(errors.blocking_count, 1);
    assert_int_equal(errors.blocking[0].index1, kn_rts_tag(f->library, KN_RTS_FRIENDLY).index1);
}

typedef void end_fn(field *f, kn_entity_id unit, kn_entity_id foe);

static void end_by_peace(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)unit;
    (void)foe;
    assert_int_equal(kn_rts_set_stance(f->world, f->us, f->them, KN_RTS_ALLY), KN_OK);
}

static void end_by_team(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)unit;
    (void)foe;
    assert_int_equal(kn_rts_player_set_team(f->world, f->us, 3), KN_OK);
    assert_int_equal(kn_rts_player_set_team(f->world, f->them, 3), KN_OK);
}

static void end_by_new_owner(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)unit;
    assert_int_equal(kn_entity_set_owner(f->world, foe, f->us), KN_OK);
}

static void end_by_treason(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)foe;
    assert_int_equal(kn_entity_set_owner(f->world, unit, f->them), KN_OK);
}

static void end_by_invisibility(field *f, kn_entity_id unit, kn_entity_id foe)
{
    (void)unit;
    assert_int_equal(kn_entity_add_tag(f->world, foe, kn_rts_tag(f->library, KN_RTS_INVISIBLE),
                         KN_TAG_ORIGIN_LOOSE, 1),
        KN_OK);
}

// A relation that changes in the middle of an attack ends the order at once, whoever caused it.
static void changes_end_attacks_at_once(void **state)
{
    static end_fn *const ends[] = {
        end_by_peace, end_by_team, end_by_new_owner, end_by_treason, end_by_invisibility};
    (void)state;
    for (uint32_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        field f;
        field_begin(&f, attack_library(guide()));
        const kn_entity_id unit = unit_of(&f, "Soldier", f.us, 0, 0);
        const kn_entity_id foe = unit_of(&f, "Soldier", f.them, 9, 0);
        step_ms(&f, 500);
        assert_int_equal(attack(&f, unit, foe), KN_OK);
        step_ms(&f, 100);
        assert_true(attacks(&f, unit, foe));
        ends[i](&f, unit, foe);
        assert_false(attacks(&f, unit, foe));
        field_end(&f);
    }
}

// What the other side thinks does not matter, and what is lost ends within two looks.
static void targets_are_lost_in_the_fog(void **state)
{
    field *f = *state;
    const kn_entity_id unit = unit_of(f, "Soldier", f->us, 0, 0);
    const kn_entity_id foe = unit_of(f, "Soldier", f->them, 9, 0);
    step_ms(f, 500);
    assert_int_equal(attack(f, unit, foe), KN_OK);
    assert_int_equal(kn_rts_set_stance(f->world, f->them, f->us, KN_RTS_ALLY), KN_OK);
    step_ms(f, 10);
    assert_true(attacks(f, unit, foe));
    // It sees now what its enemy sees.
    assert_true(kn_rts_sees_place(f->world, f->us, (kn_vec3){20, 0, 0}));
    assert_int_equal(kn_rts_clear_stance(f->world, f->them, f->us), KN_OK);
    assert_true(attacks(f, unit, foe));
    assert_int_equal(kn_grid_move(f->grid, foe, (kn_vec3){90, 0, 0}), KN_OK);
    for (uint32_t i = 0; i < 50; i++) {
        step_ms(f, 10);
    }
    assert_false(attacks(f, unit, foe));
    assert_false(kn_rts_is_visible(f->world, unit, foe));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(only_visible_enemies_are_attacked, setup, teardown),
    cmocka_unit_test(changes_end_attacks_at_once),
    cmocka_unit_test_setup_teardown(targets_are_lost_in_the_fog, setup, teardown),
};

TEST_GROUP(rts_team_docs, tests, NULL, NULL);
