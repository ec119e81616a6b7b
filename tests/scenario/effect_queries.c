// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Finding and removing active effects by what they are.

#include "scenario/effect_fixture.h"

// Fire burns (granted by the hero), ice slows, and a bare effect without tags.
typedef struct cast {
    kn_tag effect, fire, ice, burning, slowed, angry;
    kn_effect_type_id burn, frost, bare;
    kn_effect_id burn_effect, frost_effect, bare_effect;
} cast;

static cast play(fixture *f)
{
    cast c = {0};
    c.effect = tag_of(f, "Effect");
    c.fire = tag_of(f, "Effect.Fire");
    c.ice = tag_of(f, "Effect.Ice");
    c.burning = tag_of(f, "State.Burning");
    c.slowed = tag_of(f, "State.Slowed");
    c.angry = tag_of(f, "State.Angry");
    kn_modifier_def health = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    kn_effect_def def = effect_def("Burn", KN_DURATION_TIMED, &health, 1);
    def.asset_tags = one(&c.fire);
    def.granted_tags = one(&c.burning);
    def.duration = kn_magnitude_constant(5);
    c.burn = effect_register(f, &def);
    kn_modifier_def speed = kn_modifier_constant(f->speed, KN_OP_ADD, -100);
    def = effect_def("Frost", KN_DURATION_TIMED, &speed, 1);
    def.asset_tags = one(&c.ice);
    def.granted_tags = one(&c.slowed);
    def.duration = kn_magnitude_constant(8);
    def.stacking.kind = KN_STACK_BY_TARGET;
    c.frost = effect_register(f, &def);
    def = effect_def("Bare", KN_DURATION_INFINITE, NULL, 0);
    c.bare = effect_register(f, &def);
    begin(f);
    add_tag(f, f->hero, c.angry);
    kn_effect_apply_def apply_def = from_hero(f, c.burn);
    kn_effect_context context = {.source_object = 11};
    apply_def.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &apply_def, &c.burn_effect), KN_OK);
    assert_int_equal(
        kn_effect_apply_simple(f->world, c.frost, f->foe, f->foe, 1, &c.frost_effect), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f->world, c.frost, f->foe, f->foe, 1, NULL), KN_OK);
    assert_int_equal(
        kn_effect_apply_simple(f->world, c.bare, (kn_entity_id){0}, f->foe, 1, &c.bare_effect),
        KN_OK);
    step(f, 0);
    return c;
}

// Exactly these, in order.
static void assert_finds(
    const fixture *f, const kn_effect_query *query, const kn_effect_id *expected, uint32_t count)
{
    kn_effect_id found[8];
    assert_int_equal(kn_effects_find(f->world, f->foe, query, found, COUNT(found)), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(kn_effect_id_equal(found[i], expected[i]));
    }
}

// EFF-039
static void empty_query_finds_all_effects_in_order_of_creation(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    kn_effect_query query = kn_effect_query_default();
    const kn_effect_id all[] = {c.burn_effect, c.frost_effect, c.bare_effect};

    assert_finds(f, &query, all, 3);
    assert_int_equal(kn_effects_count(f->world, f->foe), 3);
    kn_effect_id first[1];
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, first, 1), 3);
    assert_true(kn_effect_id_equal(first[0], c.burn_effect));
    assert_int_equal(kn_effects_find(f->world, f->hero, &query, NULL, 0), 0);
}

// EFF-039: all of these tags, asset or granted.
static void query_by_all_tags(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    const kn_tag both[] = {c.fire, c.burning}, mixed[] = {c.fire, c.slowed};
    kn_effect_query query = kn_effect_query_default();

    query.all_tags = (kn_tags){both, 2};
    assert_finds(f, &query, &c.burn_effect, 1);
    query.all_tags = (kn_tags){mixed, 2};
    assert_finds(f, &query, NULL, 0);
}

// EFF-039: any of these tags; parents count.
static void query_by_any_tags(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    const kn_tag mixed[] = {c.fire, c.slowed};
    const kn_effect_id two[] = {c.burn_effect, c.frost_effect};
    kn_effect_query query = kn_effect_query_default();

    query.any_tags = (kn_tags){mixed, 2};
    assert_finds(f, &query, two, 2);
    query.any_tags = one(&c.effect);
    assert_finds(f, &query, two, 2);
}

// EFF-039: asset tags and granted tags are distinguished.
static void query_tells_asset_and_granted_tags_apart(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    kn_effect_query query = kn_effect_query_default();

    query.asset_tags = one(&c.fire);
    assert_finds(f, &query, &c.burn_effect, 1);
    query.asset_tags = one(&c.burning);
    assert_finds(f, &query, NULL, 0);
    query = kn_effect_query_default();
    query.granted_tags = one(&c.slowed);
    assert_finds(f, &query, &c.frost_effect, 1);
    query.granted_tags = one(&c.ice);
    assert_finds(f, &query, NULL, 0);
}

// EFF-039: a boolean expression over them.
static void query_by_a_tag_expression(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    kn_tag_query expression;
    assert_int_equal(kn_tag_query_parse(f->library, "all(any_tags(Effect), no_tags(State.Burning))",
                         &expression, NULL),
        KN_OK);
    kn_effect_query query = kn_effect_query_default();
    query.tag_query = &expression;

    assert_finds(f, &query, &c.frost_effect, 1);
}

// EFF-039: tags of the source, parents too: as a spec has captured them, otherwise as they are.
static void query_by_tags_of_the_source(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    kn_tag parent = kn_tag_find(f->library, "State");
    kn_effect_query query = kn_effect_query_default();
    query.source_tags.required = one(&c.angry);
    kn_effect_query by_parent = kn_effect_query_default();
    by_parent.source_tags.required = one(&parent);
    by_parent.source = f->hero;
    kn_effect_query calm = kn_effect_query_default();
    calm.source_tags.ignored = one(&c.angry);
    calm.source = f->hero;

    assert_finds(f, &query, &c.burn_effect, 1);
    assert_finds(f, &by_parent, &c.burn_effect, 1);
    assert_finds(f, &calm, NULL, 0);
    kn_effect_apply_def def = from_hero(f, c.bare);
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);
    remove_tag(f, f->hero, c.angry);
    kn_effect_id late = {0};
    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, &late), KN_OK);
    assert_finds(f, &query, &late, 1);
    assert_finds(f, &by_parent, &late, 1);
    assert_finds(f, &calm, &c.burn_effect, 1);
}

// EFF-039: definition, source, source object, modified attribute.
static void query_by_type_source_object_and_attribute(void **state)
{
    fixture *f = *state;
    cast c = play(f);

    kn_effect_query query = kn_effect_query_default();
    query.type = c.frost;
    assert_finds(f, &query, &c.frost_effect, 1);
    query = kn_effect_query_default();
    query.source = f->hero;
    assert_finds(f, &query, &c.burn_effect, 1);
    query = kn_effect_query_default();
    query.has_source_object = true;
    query.source_object = 11;
    assert_finds(f, &query, &c.burn_effect, 1);
    query.source_object = 12;
    assert_finds(f, &query, NULL, 0);
    query = kn_effect_query_default();
    query.modifies = f->speed;
    assert_finds(f, &query, &c.frost_effect, 1);
    query.modifies = f->mana;
    assert_finds(f, &query, NULL, 0);
}

static bool has_two_stacks(void *user, const kn_world *world, kn_effect_id effect)
{
    ++*(uint32_t *)user;
    return kn_effect_stacks(world, effect) == 2;
}

// EFF-039: handles to ignore, and a predicate.
static void query_ignores_handles_and_asks_a_predicate(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    const kn_effect_id others[] = {c.frost_effect, c.bare_effect};
    kn_effect_query query = kn_effect_query_default();

    query.ignore = &c.burn_effect;
    query.ignore_count = 1;
    assert_finds(f, &query, others, 2);
    uint32_t asked = 0;
    query.predicate = has_two_stacks;
    query.user = &asked;
    assert_finds(f, &query, &c.frost_effect, 1);
    assert_int_equal(asked, 2);
}

// EFF-039: every condition set must match.
static void all_tests_of_a_query_must_hold(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    kn_effect_query query = kn_effect_query_default();
    query.asset_tags = one(&c.fire);
    query.source = f->hero;
    query.modifies = f->health;
    assert_finds(f, &query, &c.burn_effect, 1);

    query.source = f->foe;
    assert_finds(f, &query, NULL, 0);
}

// EFF-002: a family of definitions, by its parent.
static void query_by_a_parent_type_finds_its_family(void **state)
{
    fixture *f = *state;
    kn_effect_def parent = effect_def("Poison", KN_DURATION_INFINITE, NULL, 0);
    kn_effect_type_id parent_type = effect_register(f, &parent);
    kn_effect_def child = parent;
    child.name = "StrongPoison";
    child.parent = "Poison";
    kn_effect_type_id child_type = effect_register(f, &child);
    begin(f);
    kn_effect_id effect = apply(f, child_type);
    kn_effect_query query = kn_effect_query_default();

    query.type = parent_type;
    assert_finds(f, &query, &effect, 1);
    query.type = child_type;
    assert_finds(f, &query, &effect, 1);
    apply(f, parent_type);
    assert_finds(f, &query, &effect, 1);
}

// Removing ----------------------------------------------------------------------

// EFF-033, EFF-034, EFF-038: by query, from anywhere, with a reason and a count.
static void matching_effects_are_removed(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    kn_effect_query query = kn_effect_query_default();
    query.any_tags = one(&c.effect);
    uint32_t removed = 0;
    kn_effect_id elsewhere = apply_from_to(f, c.burn, f->foe, f->hero, 1.0f);

    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &query, 0, KN_REMOVED_DISPELLED, &removed), KN_OK);

    assert_int_equal(removed, 2);
    assert_true(kn_effect_is_alive(f->world, elsewhere));
    assert_near(current(f, f->speed), 600);
    assert_near(current(f, f->health), 100);
    assert_false(kn_entity_has_tag(f->world, f->foe, c.burning));
    assert_true(kn_effect_is_alive(f->world, c.bare_effect));
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_EFFECT_REMOVED), 2);
    assert_int_equal(
        first_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_DISPELLED);
}

// EFF-038: by definition, source, asset tags, granted tags.
static void effects_are_removed_by_each_kind_of_test(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    kn_effect_query by_type = kn_effect_query_default();
    by_type.type = c.bare;
    kn_effect_query by_source = kn_effect_query_default();
    by_source.source = f->hero;
    kn_effect_query by_asset = kn_effect_query_default();
    by_asset.asset_tags = one(&c.ice);
    kn_effect_query by_granted = kn_effect_query_default();
    by_granted.granted_tags = one(&c.burning);

    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &by_type, 0, KN_REMOVED_BY_CALL, NULL), KN_OK);
    assert_false(kn_effect_is_alive(f->world, c.bare_effect));
    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &by_source, 0, KN_REMOVED_BY_CALL, NULL), KN_OK);
    assert_false(kn_effect_is_alive(f->world, c.burn_effect));
    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &by_asset, 0, KN_REMOVED_BY_CALL, NULL), KN_OK);
    assert_false(kn_effect_is_alive(f->world, c.frost_effect));
    kn_effect_id again = apply(f, c.burn);
    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &by_granted, 0, KN_REMOVED_BY_CALL, NULL), KN_OK);
    assert_false(kn_effect_is_alive(f->world, again));
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

// EFF-038: a number of stacks, or all of them.
static void number_of_stacks_can_be_removed(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    assert_int_equal(kn_effect_set_stacks(f->world, c.frost_effect, 5), KN_OK);
    assert_near(current(f, f->speed), 100);
    kn_time remaining = kn_effect_remaining(f->world, c.frost_effect);

    assert_int_equal(kn_effect_remove(f->world, c.frost_effect, 2, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, c.frost_effect), 3);
    assert_near(current(f, f->speed), 300);
    assert_int_equal(kn_effect_remaining(f->world, c.frost_effect), remaining);
    assert_int_equal(kn_effect_remove(f->world, c.frost_effect, 99, KN_REMOVED_BY_CALL), KN_OK);

    assert_false(kn_effect_is_alive(f->world, c.frost_effect));
    assert_near(current(f, f->speed), 600);
}

// EFF-033, EFF-038: whatever ends an effect, it ends the same way, and says why.
static void every_end_reports_its_reason(void **state)
{
    fixture *f = *state;
    cast c = play(f);

    assert_int_equal(kn_effect_set_remaining(f->world, c.burn_effect, 0), KN_OK);
    step(f, 0);
    assert_int_equal(
        first_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_SHORTENED);
    step(f, KN_S(8));
    assert_int_equal(
        first_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_EXPIRED);
    assert_true(kn_entity_destroy(f->world, f->foe));
    step(f, 0);

    assert_int_equal(
        first_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_TARGET_DIED);
    assert_false(kn_effect_is_alive(f->world, c.bare_effect));
}

// Times -------------------------------------------------------------------------

// EFF-040, TVE-120, CDN-009: remaining and duration of all that match; the longest is found.
static void times_of_matching_effects_can_be_asked_for(void **state)
{
    fixture *f = *state;
    kn_tag cooldown = tag_of(f, "Cooldown.Slot1"), other = tag_of(f, "Cooldown.Slot2");
    kn_effect_def def = effect_def("Cooldown", KN_DURATION_TIMED, NULL, 0);
    def.granted_tags = one(&cooldown);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    // (1, 10), (2.5, 5), (4, 4) at 9 s.
    static const struct {
        kn_time start, duration, remaining;
    } times[] = {
        {0, KN_S(10), KN_S(1)}, {KN_MS(6500), KN_S(5), KN_MS(2500)}, {KN_S(9), KN_S(4), KN_S(4)}};
    for (uint32_t i = 0; i < COUNT(times); i++) {
        step(f, times[i].start - kn_world_now(f->world));
        kn_effect_apply_def apply_def = from_hero(f, type);
        apply_def.duration = times[i].duration;
        assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_OK);
    }

    kn_effect_query query = kn_effect_query_default();
    query.granted_tags = one(&cooldown);
    kn_effect_id found[COUNT(times)];
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, found, COUNT(found)), COUNT(times));
    for (uint32_t i = 0; i < COUNT(times); i++) {
        kn_effect_info info;
        assert_true(kn_effect_get(f->world, found[i], &info));
        assert_int_equal(info.remaining, times[i].remaining);
        assert_int_equal(info.duration, times[i].duration);
    }
    kn_time remaining = -1, duration = -1;
    assert_true(kn_effects_remaining(f->world, f->foe, &query, &remaining, &duration));
    assert_int_equal(remaining, KN_S(4));
    assert_int_equal(duration, KN_S(4));

    query.granted_tags = one(&other);
    assert_false(kn_effects_remaining(f->world, f->foe, &query, &remaining, &duration));
    assert_int_equal(remaining, 0);
    assert_int_equal(duration, 0);
    query.granted_tags = (kn_tags){0};
    remaining = duration = -1;
    assert_false(kn_effects_remaining(f->world, f->foe, &query, &remaining, &duration));
    assert_int_equal(remaining, 0);
    assert_int_equal(duration, 0);
}

// Prediction: what the data offers ----------------------------------------------------

// EFF-063: the inverse of an effect undoes its influence at once; both go together later.
static void inverse_effect_hides_another_until_both_are_removed(void **state)
{
    fixture *f = *state;
    kn_tag slow_tag = tag_of(f, "Effect.Slow");
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 0.6f);
    kn_effect_def def = effect_def("Slow", KN_DURATION_INFINITE, &modifier, 1);
    def.asset_tags = one(&slow_tag);
    kn_effect_type_id slow = effect_register(f, &def);
    modifier = kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 1.4f);
    def.name = "Unslow";
    kn_effect_type_id inverse = effect_register(f, &def);
    begin(f);
    apply(f, slow);

    apply(f, inverse);
    assert_near(current(f, f->speed), 600);
    kn_effect_query query = kn_effect_query_default();
    query.asset_tags = one(&slow_tag);
    uint32_t removed = 0;
    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &query, 0, KN_REMOVED_BY_CALL, &removed), KN_OK);

    assert_int_equal(removed, 2);
    assert_near(current(f, f->speed), 600);
}

// An instant change guessed as a lasting one can be undone without a trace, and observers learn
// that it was a guess.
static void guessed_change_is_taken_back_with_its_reason(void **state)
{
    fixture *f = *state;
    kn_effect_type_id guess = simple(f, "Guess", KN_DURATION_INFINITE, f->health, KN_OP_ADD, -10);
    kn_effect_type_id hit = simple(f, "Hit", KN_DURATION_INSTANT, f->health, KN_OP_ADD, -10);
    begin(f);

    kn_effect_id wrong = apply(f, guess);
    assert_near(current(f, f->health), 90);
    assert_near(base(f, f->health), 100);
    assert_int_equal(kn_effect_remove(f->world, wrong, 0, KN_REMOVED_MISPREDICTED), KN_OK);
    assert_near(current(f, f->health), 100);
    step(f, 0);
    assert_int_equal(
        first_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_MISPREDICTED);

    kn_effect_id right = apply(f, guess);
    apply(f, hit);
    assert_near(current(f, f->health), 80); // both, until the guess goes
    assert_near(base(f, f->health), 90);
    remove_effect(f, right);
    assert_near(current(f, f->health), 90);
    assert_near(base(f, f->health), 90);
}

// A stack taken over is replaced in place: same id, no gap in its tags, nothing twice.
static void take_over_replaces_an_effect_in_place(void **state)
{
    fixture *f = *state;
    kn_tag granted = tag_of(f, "State.Boosted");
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 50);
    modifier.scaling = KN_STACK_SCALING_NO;
    kn_effect_def def = effect_def("Boost", KN_DURATION_TIMED, &modifier, 1);
    def.granted_tags = one(&granted);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(1);
    def.stacking.on_other_source = KN_STACK_TAKE_OVER;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id guessed = apply(f, type);
    step(f, KN_S(1));

    kn_effect_id confirmed = {0};
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->foe, f->foe, 1, &confirmed), KN_OK);
    step(f, 0);

    assert_true(kn_effect_id_equal(guessed, confirmed));
    kn_effect_info info;
    assert_true(kn_effect_get(f->world, confirmed, &info));
    assert_true(kn_entity_id_equal(info.source, f->foe));
    assert_near(current(f, f->speed), 650);
    assert_int_equal(kn_entity_tag_count(f->world, f->foe, granted), 1);
    assert_int_equal(event_count(f, KN_EVENT_TAG_CHANGED), 0);
    assert_int_equal(event_count(f, KN_EVENT_ATTRIBUTE_CHANGED), 0);
}

// Looking ---------------------------------------------------------------------------

// VER-002, VER-008: a page about an entity names its effects, tags and attributes.
static void dump_of_an_entity_names_its_effects(void **state)
{
    fixture *f = *state;
    play(f);
    char text[4096];

    uint32_t length = kn_entity_dump(f->world, f->foe, text, sizeof(text));

    assert_in_range(length, 1, sizeof(text) - 1);
    assert_non_null(strstr(text, "Burn"));
    assert_non_null(strstr(text, "Frost"));
    assert_non_null(strstr(text, "State.Burning"));
    assert_non_null(strstr(text, "Unit.Speed"));
}

// Bad input -------------------------------------------------------------------

// EFF-038, EFF-039
static void bad_queries_and_removals_are_refused(void **state)
{
    fixture *f = *state;
    cast c = play(f);
    kn_effect_query empty = kn_effect_query_default();
    kn_effect_query query = kn_effect_query_default();
    query.any_tags = one(&c.effect);
    kn_assert_set_handler(ignore_assert);
    uint32_t removed = 77;
    assert_int_equal(kn_effects_remove(f->world, f->foe, &empty, 0, KN_REMOVED_BY_CALL, &removed),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_effects_remove(f->world, f->foe, &query, 0, KN_REMOVAL_REASON_COUNT, &removed),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_effect_remove(f->world, c.burn_effect, 0, (kn_removal_reason)0),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_effect_remove(f->world, c.burn_effect, 0, KN_REMOVAL_REASON_COUNT),
        KN_ERROR_INVALID_ARGUMENT);
    kn_effect_query zero = {0};
    assert_int_equal(kn_effects_find(f->world, f->foe, &zero, NULL, 0), 0);
    assert_int_equal(kn_effects_find(f->world, f->foe, NULL, NULL, 0), 0);
    kn_assert_set_handler(NULL);
    const kn_entity_id stale[] = {{0, 0}, {999, 1}};
    for (uint32_t i = 0; i < COUNT(stale); i++) {
        assert_int_equal(
            kn_effects_remove(f->world, stale[i], &query, 0, KN_REMOVED_BY_CALL, &removed),
            KN_REFUSED_STALE_ID);
        assert_int_equal(removed, 0);
        assert_int_equal(kn_effects_find(f->world, stale[i], &query, NULL, 0), 0);
        assert_int_equal(kn_effects_count(f->world, stale[i]), 0);
        kn_time remaining, duration;
        assert_false(kn_effects_remaining(f->world, stale[i], &query, &remaining, &duration));
        assert_int_equal(
            kn_effect_remove(f->world, (kn_effect_id){stale[i].index1, 1}, 0, KN_REMOVED_BY_CALL),
            KN_REFUSED_STALE_ID);
    }
    assert_int_equal(kn_effects_count(f->world, f->foe), 3);
}

static const struct CMUnitTest tests[] = {
    TEST(empty_query_finds_all_effects_in_order_of_creation),
    TEST(query_by_all_tags),
    TEST(query_by_any_tags),
    TEST(query_tells_asset_and_granted_tags_apart),
    TEST(query_by_a_tag_expression),
    TEST(query_by_tags_of_the_source),
    TEST(query_by_type_source_object_and_attribute),
    TEST(query_ignores_handles_and_asks_a_predicate),
    TEST(all_tests_of_a_query_must_hold),
    TEST(query_by_a_parent_type_finds_its_family),
    TEST(matching_effects_are_removed),
    TEST(effects_are_removed_by_each_kind_of_test),
    TEST(number_of_stacks_can_be_removed),
    TEST(every_end_reports_its_reason),
    TEST(times_of_matching_effects_can_be_asked_for),
    TEST(inverse_effect_hides_another_until_both_are_removed),
    TEST(guessed_change_is_taken_back_with_its_reason),
    TEST(take_over_replaces_an_effect_in_place),
    TEST(dump_of_an_entity_names_its_effects),
    TEST(bad_queries_and_removals_are_refused),
};

TEST_GROUP(effect_queries, tests, NULL, NULL);
