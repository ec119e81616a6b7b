// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/debug-page.md

#include "scenario/recipe.h"

// All there is to know about an entity, anybody's, in a buffer that fits.
static char *page_make(const kn_world *world, kn_entity_id entity)
{
    uint32_t size = kn_entity_dump(world, entity, NULL, 0) + 1;
    char *page = malloc(size);
    kn_entity_dump(world, entity, page, size);
    return page;
}

// "Next target": everybody in turn.
static kn_entity_id page_next(const kn_world *world, kn_entity_id shown)
{
    kn_entity_id next = kn_entity_next(world, shown);
    return next.index1 != 0 ? next : kn_entity_next(world, (kn_entity_id){0});
}

static kn_result wait_long(const kn_ability_call *call)
{
    return kn_wait_delay(call->world, call->activation, 0, KN_S(3));
}

typedef struct court {
    kn_ability_id cast, bolt;
} court;

static void court_begin(fixture *f, court *c)
{
    kn_modifier_def weak = kn_modifier_constant(f->stamina, KN_OP_ADD, -70.0f);
    kn_effect_def curse_def = timed("Curse", 10.0f);
    curse_def.modifiers = &weak;
    curse_def.modifier_count = 1;
    curse_def.granted_tags = tags_of(f, "State.Cursed");
    kn_effect_type_id curse = effect_register(f, &curse_def);
    kn_ability_def cast_def = ability_def(f, "Cast");
    cast_def.activate = wait_long;
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(40.0f)};
    kn_ability_def bolt_def = ability_def(f, "Bolt");
    bolt_def.costs = &cost;
    bolt_def.cost_count = 1;
    bolt_def.activation.ignored = tags_of(f, "State.Cursed");
    kn_ability_type_id types[2] = {ability_register(f, &cast_def), ability_register(f, &bolt_def)};
    recipe_begin(f, (kn_attribute_set_id){0});
    c->cast = grant(f, types[0]);
    c->bolt = grant(f, types[1]);
    set_base(f, f->hero, f->mana, 30.0f);
    (void)apply_to(f, curse, f->hero);
    activate(f, c->cast);
    step(f, KN_S(1));
}

// DBG-001, DBG-002, DBG-004
static void a_page_answers_what_somebody_asks_at_run_time(void **state)
{
    fixture *f = *state;
    court c;
    court_begin(f, &c);
    char *page = page_make(f->world, f->hero);
    assert_string_equal(page,
        "entity 1 at 1.000 s\n"
        "tags\n"
        "  State.Cursed  1  (effects 1)\n"
        "attributes\n"
        "  Vitals.Health     100  base 100\n"
        "  Vitals.MaxHealth  100  base 100\n"
        "  Vitals.Mana       30   base 30\n"
        "  Vitals.Stamina    30   base 100\n"
        "  Vitals.Haste      1    base 1\n"
        "effects\n"
        "  Curse #5  level 1, 1 stack, 9 s left of 10 s, by entity 2\n"
        "    Vitals.Stamina  Add -70\n"
        "    grants State.Cursed\n"
        "abilities\n"
        "  Cast: already active\n"
        "    active for 1 s\n"
        "      delay, due in 2 s\n"
        "  Bolt: needs 40 Vitals.Mana, has 30; blocked by State.Cursed (effect Curse)\n");
    free(page);
}

// GAPA-051, DBG-005: of anybody, attributes included.
static void a_page_shows_anybody(void **state)
{
    fixture *f = *state;
    court c;
    court_begin(f, &c);
    assert_true(kn_entity_id_equal(page_next(f->world, f->hero), f->foe));
    assert_true(kn_entity_id_equal(page_next(f->world, f->foe), f->hero));
    char *page = page_make(f->world, f->foe);
    assert_non_null(strstr(page, "entity 2 at 1.000 s\n"));
    assert_non_null(strstr(page, "  Vitals.Health     100  base 100\n"));
    assert_null(strstr(page, "Bolt"));
    free(page);
}

// DBG-001: what keeps an ability from starting, in one line.
static void an_ability_says_what_keeps_it_from_starting(void **state)
{
    fixture *f = *state;
    court c;
    court_begin(f, &c);
    char text[256];
    uint32_t length = kn_ability_explain_print(f->world, c.bolt, NULL, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_string_equal(
        text, "Bolt: needs 40 Vitals.Mana, has 30; blocked by State.Cursed (effect Curse)");
}

static const struct CMUnitTest tests[] = {
    TEST(a_page_answers_what_somebody_asks_at_run_time),
    TEST(a_page_shows_anybody),
    TEST(an_ability_says_what_keeps_it_from_starting),
};

TEST_GROUP(recipe_debug, tests, NULL, NULL);
