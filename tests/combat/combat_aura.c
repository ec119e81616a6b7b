// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Auras: who is a member, for how long, and whose effect it is.

#include "combat_copies.h"

// A world with a grid, on which `hero` stands at 0, `foe` at 5, `ally` at 20 and `lord` at 100.
typedef struct field {
    arena a;
    kn_grid *grid;
    kn_effect_type_id light, lit;
    kn_aura_id aura;
} field;

static void field_begin(field *f)
{
    arena_begin(&f->a);
    expect_ok(kn_grid_register(f->a.library, NULL, NULL));
}

// Registers the aura `Light`, which gives `Lit` to those who are near.
static void aura_register(field *f, kn_aura_def *def, kn_stacking_kind stacking)
{
    kn_effect_def effect = kn_effect_def_default();
    kn_error error = {0};
    effect.name = "Light";
    effect.duration_kind = KN_DURATION_INFINITE;
    f->light = arena_effect(&f->a, &effect);
    effect.name = "Lit";
    effect.stacking.kind = stacking;
    f->lit = arena_effect(&f->a, &effect);
    def->name = "Light";
    def->effect = f->lit;
    kn_result result = kn_aura_register(f->a.library, def, &f->aura, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
}

static void move(field *f, kn_entity_id entity, float x)
{
    kn_body body = kn_body_default();
    body.position.x = x;
    expect_ok(kn_grid_set_body(f->grid, entity, &body));
}

static void field_start(field *f)
{
    arena_start(&f->a);
    kn_grid_def def = kn_grid_def_default();
    def.world = f->a.world;
    expect_ok(kn_grid_create(&def, &f->grid));
    kn_world_set_space(f->a.world, kn_grid_space(f->grid));
    move(f, f->a.hero, 0.0f);
    move(f, f->a.foe, 5.0f);
    move(f, f->a.ally, 20.0f);
    move(f, f->a.lord, 100.0f);
}

static void field_end(field *f)
{
    kn_grid_destroy(f->grid);
    arena_end(&f->a);
}

static uint32_t lit_by(const field *f, kn_entity_id entity, kn_entity_id source)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = f->lit;
    query.source = source;
    return kn_effects_find(f->a.world, entity, &query, NULL, 0);
}

static kn_aura_def near_def(float radius)
{
    kn_aura_def def = kn_aura_def_default();
    def.radius = kn_magnitude_constant(radius);
    return def;
}

// BEY-076
static void those_who_are_near_have_the_effect_and_others_do_not(void **state)
{
    field f;
    (void)state;
    field_begin(&f);
    kn_aura_def def = near_def(10.0f);
    aura_register(&f, &def, KN_STACK_NONE);
    field_start(&f);
    kn_effect_id light;
    expect_ok(kn_effect_apply_simple(f.a.world, f.light, f.a.lord, f.a.hero, 3.0f, &light));
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1); // at once; its source is the bearer
    assert_int_equal(lit_by(&f, f.a.hero, (kn_entity_id){0}), 0);
    assert_int_equal(lit_by(&f, f.a.ally, (kn_entity_id){0}), 0);
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id own;
    kn_effect_info info;
    query.type = f.lit;
    assert_int_equal(kn_effects_find(f.a.world, f.a.foe, &query, &own, 1), 1);
    assert_true(kn_effect_get(f.a.world, own, &info) && info.level == 3.0f);
    kn_entity_id members[4];
    assert_int_equal(kn_aura_members(f.a.world, f.a.hero, f.aura, members, 4), 1);
    assert_true(kn_entity_id_equal(members[0], f.a.foe));
    move(&f, f.a.foe, 50.0f);
    move(&f, f.a.ally, 9.0f);
    arena_until(&f.a, 499);
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1); // looks twice a second
    arena_until(&f.a, 500);
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 0);
    assert_int_equal(lit_by(&f, f.a.ally, f.a.hero), 1);
    move(&f, f.a.lord, 1.0f);
    expect_ok(kn_aura_update(f.a.world, f.a.hero, f.aura)); // now
    assert_int_equal(lit_by(&f, f.a.lord, f.a.hero), 1);
    // Somebody dispels it: it comes back with the next look.
    assert_int_equal(kn_effects_find(f.a.world, f.a.ally, &query, &own, 1), 1);
    expect_ok(kn_effect_remove(f.a.world, own, 0, KN_REMOVED_DISPELLED));
    arena_until(&f.a, 1000);
    assert_int_equal(lit_by(&f, f.a.ally, f.a.hero), 1);
    expect_ok(kn_effect_remove(f.a.world, light, 0, KN_REMOVED_BY_CALL));
    assert_int_equal(lit_by(&f, f.a.ally, f.a.hero), 0);
    assert_int_equal(lit_by(&f, f.a.lord, f.a.hero), 0);
    assert_int_equal(kn_aura_members(f.a.world, f.a.hero, f.aura, NULL, 0), 0);
    arena_until(&f.a, 2000);
    field_end(&f);
}

// BEY-076
static void removing_one_aura_never_touches_another(void **state)
{
    (void)state;
    for (kn_stacking_kind kind = KN_STACK_NONE; kind <= KN_STACK_BY_SOURCE; kind++) {
        field f;
        field_begin(&f);
        kn_aura_def def = near_def(10.0f);
        def.includes_self = true;
        aura_register(&f, &def, kind);
        field_start(&f);
        move(&f, f.a.ally, 8.0f);
        kn_effect_id first = arena_apply(&f.a, f.light, f.a.lord, f.a.hero);
        (void)arena_apply(&f.a, f.light, f.a.lord, f.a.ally);
        assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1);
        assert_int_equal(lit_by(&f, f.a.foe, f.a.ally), 1);
        assert_int_equal(lit_by(&f, f.a.hero, f.a.hero), 1);
        expect_ok(kn_effect_remove(f.a.world, first, 0, KN_REMOVED_BY_CALL));
        assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 0);
        assert_int_equal(lit_by(&f, f.a.foe, f.a.ally), 1);
        assert_int_equal(lit_by(&f, f.a.hero, f.a.ally), 1);
        // A bearer that is gone takes its aura along.
        assert_true(kn_entity_destroy(f.a.world, f.a.ally));
        assert_int_equal(lit_by(&f, f.a.foe, (kn_entity_id){0}), 0);
        field_end(&f);
    }
}

// BEY-076
static void those_who_leave_keep_the_effect_for_a_while(void **state)
{
    field f;
    (void)state;
    field_begin(&f);
    kn_aura_def def = near_def(10.0f);
    def.linger = 2.0f;
    aura_register(&f, &def, KN_STACK_NONE);
    field_start(&f);
    kn_effect_id light = arena_apply(&f.a, f.light, f.a.lord, f.a.hero);
    move(&f, f.a.foe, 50.0f);
    arena_until(&f.a, 600); // noticed at 0.5 s
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1);
    assert_int_equal(kn_aura_members(f.a.world, f.a.hero, f.aura, NULL, 0), 0);
    move(&f, f.a.foe, 5.0f); // back in time
    arena_until(&f.a, 5000);
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1);
    assert_int_equal(kn_aura_members(f.a.world, f.a.hero, f.aura, NULL, 0), 1);
    move(&f, f.a.foe, 50.0f);
    arena_until(&f.a, 7499);
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1);
    arena_until(&f.a, 7500); // 5.5 s and 2 s
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 0);
    // The end of the aura leaves it for a while too.
    move(&f, f.a.ally, 1.0f);
    arena_until(&f.a, 8000);
    expect_ok(kn_effect_remove(f.a.world, light, 0, KN_REMOVED_BY_CALL));
    arena_until(&f.a, 9999);
    assert_int_equal(lit_by(&f, f.a.ally, f.a.hero), 1);
    arena_until(&f.a, 10000);
    assert_int_equal(lit_by(&f, f.a.ally, f.a.hero), 0);
    field_end(&f);
}

static bool same_owner(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)answer;
    return kn_entity_id_equal(
        kn_entity_owner(world, record->instigator), kn_entity_owner(world, record->target));
}

// BEY-076
static void relation_tags_and_owners_decide_who_is_a_member(void **state)
{
    field f;
    (void)state;
    field_begin(&f);
    kn_tag hidden = arena_tag(&f.a, "State.Hidden");
    kn_aura_def def = near_def(30.0f);
    expect_ok(
        kn_condition_register(f.a.library, "Friendly", same_owner, NULL, &def.condition, NULL));
    def.members.ignored = (kn_tags){&hidden, 1};
    aura_register(&f, &def, KN_STACK_NONE);
    field_start(&f);
    expect_ok(kn_entity_set_owner(f.a.world, f.a.ally, (kn_entity_id){0}));
    kn_effect_id light = arena_apply(&f.a, f.light, f.a.hero, f.a.hero);
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1);
    assert_int_equal(lit_by(&f, f.a.ally, f.a.hero), 0);
    expect_ok(kn_entity_set_owner(f.a.world, f.a.foe, (kn_entity_id){0}));
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 0); // a member changes sides: at once
    expect_ok(kn_entity_set_owner(f.a.world, f.a.hero, (kn_entity_id){0}));
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1); // the bearer follows
    assert_int_equal(lit_by(&f, f.a.ally, f.a.hero), 1);
    expect_ok(kn_entity_add_tag(f.a.world, f.a.ally, hidden, KN_TAG_ORIGIN_LOOSE, 1));
    arena_until(&f.a, 500);
    assert_int_equal(lit_by(&f, f.a.ally, f.a.hero), 0);
    assert_true(kn_entity_destroy(f.a.world, f.a.foe)); // a member that is gone
    arena_until(&f.a, 1000);
    assert_int_equal(kn_aura_members(f.a.world, f.a.hero, f.aura, NULL, 0), 0);
    assert_true(kn_effect_is_alive(f.a.world, light));
    field_end(&f);
}

static void an_inhibited_aura_has_no_members(void **state)
{
    field f;
    (void)state;
    field_begin(&f);
    kn_tag dark = arena_tag(&f.a, "State.Dark");
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Torch";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.ongoing.target.ignored = (kn_tags){&dark, 1};
    kn_effect_type_id torch = arena_effect(&f.a, &effect);
    kn_aura_def def = near_def(10.0f);
    def.bearer = torch;
    aura_register(&f, &def, KN_STACK_NONE);
    field_start(&f);
    (void)arena_apply(&f.a, torch, f.a.hero, f.a.hero);
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1);
    expect_ok(kn_entity_add_tag(f.a.world, f.a.hero, dark, KN_TAG_ORIGIN_LOOSE, 1));
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 0);
    expect_ok(kn_entity_remove_tag(f.a.world, f.a.hero, dark, KN_TAG_ORIGIN_LOOSE, 1));
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1);
    field_end(&f);
}

// BEY-076
static void the_game_may_name_the_members_itself(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a); // no space at all
    field f = {.a = a};
    kn_aura_def def = kn_aura_def_default();
    kn_tag dead = a.dead;
    def.members.ignored = (kn_tags){&dead, 1};
    def.includes_self = true;
    aura_register(&f, &def, KN_STACK_BY_SOURCE);
    kn_aura_id other;
    kn_aura_def with_radius = near_def(5.0f);
    with_radius.name = "Other";
    with_radius.bearer = f.light;
    with_radius.effect = f.lit;
    expect_ok(kn_aura_register(f.a.library, &with_radius, &other, NULL));
    arena_start(&f.a);
    assert_int_equal(
        kn_aura_set_member(f.a.world, f.a.hero, f.aura, f.a.foe, true), KN_REFUSED_NOT_FOUND);
    kn_effect_id light = arena_apply(&f.a, f.light, f.a.hero, f.a.hero);
    assert_int_equal(
        kn_aura_set_member(f.a.world, f.a.hero, other, f.a.foe, true), KN_REFUSED_NOT_FOUND);
    assert_int_equal(lit_by(&f, f.a.hero, f.a.hero), 1);
    expect_ok(kn_aura_set_member(f.a.world, f.a.hero, f.aura, f.a.foe, true));
    expect_ok(kn_aura_set_member(f.a.world, f.a.hero, f.aura, f.a.lord, true));
    expect_ok(kn_aura_set_member(f.a.world, f.a.hero, f.aura, f.a.ally, false)); // is none
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1);
    arena_until(&f.a, 3000);
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 1);
    // The filters still count.
    expect_ok(kn_entity_add_tag(f.a.world, f.a.lord, dead, KN_TAG_ORIGIN_LOOSE, 1));
    arena_until(&f.a, 3500);
    assert_int_equal(lit_by(&f, f.a.lord, f.a.hero), 0);
    expect_ok(kn_entity_remove_tag(f.a.world, f.a.lord, dead, KN_TAG_ORIGIN_LOOSE, 1));
    arena_until(&f.a, 4000);
    assert_int_equal(lit_by(&f, f.a.lord, f.a.hero), 1);
    expect_ok(kn_aura_set_member(f.a.world, f.a.hero, f.aura, f.a.foe, false));
    assert_int_equal(lit_by(&f, f.a.foe, f.a.hero), 0);
    expect_ok(kn_effect_remove(f.a.world, light, 0, KN_REMOVED_BY_CALL));
    assert_int_equal(lit_by(&f, f.a.lord, f.a.hero), 0);
    assert_int_equal(kn_aura_update(f.a.world, f.a.hero, f.aura), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_aura_update(f.a.world, f.a.hero, (kn_aura_id){9}), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_aura_set_member(f.a.world, f.a.hero, (kn_aura_id){9}, f.a.foe, true),
        KN_ERROR_INVALID_ARGUMENT);
    kn_entity_id gone = f.a.foe;
    assert_true(kn_entity_destroy(f.a.world, gone));
    assert_int_equal(
        kn_aura_set_member(f.a.world, f.a.hero, f.aura, gone, true), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_aura_update(f.a.world, gone, f.aura), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_aura_members(f.a.world, f.a.hero, (kn_aura_id){9}, NULL, 0), 0);
    arena_end(&f.a);
}

static void play_members(arena *a)
{
    kn_aura_id aura = {1};
    for (uint32_t i = 0; i < 12; i++) {
        kn_entity_id who = i % 3 == 0 ? a->foe : i % 3 == 1 ? a->ally : a->lord;
        expect_ok(kn_aura_set_member(a->world, a->hero, aura, who, i % 4 < 2));
        expect_ok(kn_world_step(a->world, KN_MS(350)));
    }
}

static void members_and_what_lingers_are_kept_by_saves_and_snapshots(void **state)
{
    field f;
    (void)state;
    arena_begin(&f.a);
    kn_aura_def def = kn_aura_def_default();
    def.linger = 0.8f;
    aura_register(&f, &def, KN_STACK_BY_SOURCE);
    arena_start(&f.a);
    (void)arena_apply(&f.a, f.light, f.a.hero, f.a.hero);
    (void)arena_apply(&f.a, f.light, f.a.ally, f.a.ally);
    play_members(&f.a);
    expect_ok(kn_aura_set_member(f.a.world, f.a.hero, f.aura, f.a.foe, true));
    expect_ok(kn_aura_set_member(f.a.world, f.a.hero, f.aura, f.a.foe, false)); // lingers
    expect_copies_go_on(&f.a, play_members);
    arena_end(&f.a);
}

static void expect_bad(kn_aura_def *def, kn_effect_def *effect, const char *words)
{
    arena a;
    kn_error error = {0};
    arena_begin(&a);
    if (effect != NULL) {
        def->effect = arena_effect(&a, effect);
    }
    def->name = "Bad";
    assert_int_equal(kn_aura_register(a.library, def, NULL, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("%s", error.message);
    }
    kn_library_destroy(a.library);
}

static void bad_auras_are_refused_with_a_remedy(void **state)
{
    arena a;
    kn_error error = {0};
    (void)state;
    kn_aura_def def = near_def(1.0f);
    expect_bad(&def, NULL, "effect: DevotionArmor");
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Lit";
    expect_bad(&def, &effect, "instant");
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.stacking.kind = KN_STACK_BY_TARGET;
    expect_bad(&def, &effect, "by_source");
    effect.stacking.kind = KN_STACK_NONE;
    def.interval = 0.0f;
    expect_bad(&def, &effect, "above 0");
    def.interval = 1e-7f; // rounds to no time
    expect_bad(&def, &effect, "above 0");
    def.interval = 1e30f; // longer than a timer
    expect_bad(&def, &effect, "at most");
    def.interval = 1.0f;
    def.linger = 1e30f;
    expect_bad(&def, &effect, "at most");
    def.linger = -1.0f;
    expect_bad(&def, &effect, "at least 0");
    def.linger = 0.0f;
    arena_begin(&a);
    assert_int_equal(kn_aura_register(a.library, NULL, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    def.name = "Nowhere";
    def.effect = arena_effect(&a, &effect);
    expect_ok(kn_aura_register(a.library, &def, NULL, &error));
    assert_int_equal(kn_library_finish(a.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "write bearer:"));
    kn_library_destroy(a.library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(those_who_are_near_have_the_effect_and_others_do_not),
    cmocka_unit_test(removing_one_aura_never_touches_another),
    cmocka_unit_test(those_who_leave_keep_the_effect_for_a_while),
    cmocka_unit_test(relation_tags_and_owners_decide_who_is_a_member),
    cmocka_unit_test(an_inhibited_aura_has_no_members),
    cmocka_unit_test(the_game_may_name_the_members_itself),
    cmocka_unit_test(members_and_what_lingers_are_kept_by_saves_and_snapshots),
    cmocka_unit_test(bad_auras_are_refused_with_a_remedy),
};

TEST_GROUP(combat_aura, tests, NULL, NULL);
