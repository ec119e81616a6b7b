// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A fight in which nothing but data acts: abilities with bodies, triggers, costs and cooldowns.

#include "data_fixture.h"

static const char game[] =
    "tags: [Event.Hit, Damage.Thorns, State.Guarded, State.Burning, State.Angry]\n"
    "attribute_sets:\n"
    "  Vitals: {attributes: {Health: {default_value: 100, min: 0}, Mana: 12}}\n"
    "curves: {Longer: [[1, 1], [3, 3]]}\n"
    "targetings: {Me: {shape: self}}\n"
    "effects:\n"
    "  Burn: {duration: 3, period: 1, modifiers: {Vitals.Health: -4}, granted_tags: "
    "[State.Burning]}\n"
    "  Guarded: {duration: infinite, granted_tags: [State.Guarded]}\n"
    "  Thorns: {modifiers: {Vitals.Health: {magnitude: {caller_tag: Damage.Thorns, scale: "
    "-0.5}}}}\n"
    "  Heal: {modifiers: {Vitals.Health: 7}}\n"
    "containers: {Flames: {effects: [Burn, Heal]}}\n"
    "abilities:\n"
    "  Ignite:\n"
    "    body: use\n"
    "    costs: {Vitals.Mana: 5}\n"
    "    cooldowns: [{duration: 2}]\n"
    "    applies: {Burn: target}\n"
    "  Guard: {body: held, input: 3, applies: [{effect: Guarded, while_active: true}]}\n"
    "  Thorn Skin:\n"
    "    body: use\n"
    "    triggers: {Event.Hit: event}\n"
    "    applies: [{effect: Thorns, to: instigator, magnitude_tag: Damage.Thorns}]\n"
    "  Rage:\n"
    "    body: timed\n"
    "    lasts: {value: 2, curve: Longer}\n"
    "    owned_tags: [State.Angry]\n"
    "  Same Rage: {parent: Rage, input: 9}\n"
    "  Long Rage: {parent: Rage, body: timed, lasts: 8}\n"
    "  Last Rage: {parent: Rage, lasts: ~, body: stay}\n"
    "  Mend: {body: use, applies: [{container: Flames}, {effect: Heal, to: targeting, targeting: "
    "Me}]}\n"
    "archetypes:\n"
    "  Fighter: {sets: [Vitals], abilities: [Ignite, Guard, Thorn Skin, Rage, Same Rage, Long "
    "Rage, Last "
    "Rage, Mend]}\n";

typedef struct match {
    kn_library *library;
    kn_world *world;
    kn_entity_id hero, foe;
} match;

static match match_begin(void)
{
    match m = {.library = library_of(game)};
    kn_world_def def = kn_world_def_default();
    def.library = m.library;
    assert_int_equal(kn_world_create(&def, &m.world), KN_OK);
    kn_archetype_id fighter = kn_archetype_find(m.library, "Fighter");
    assert_int_equal(kn_archetype_spawn(m.world, fighter, 1.0f, &m.hero), KN_OK);
    assert_int_equal(kn_archetype_spawn(m.world, fighter, 1.0f, &m.foe), KN_OK);
    return m;
}

static void match_end(match *m)
{
    assert_true(kn_world_validate(m->world));
    kn_world_destroy(m->world);
    kn_library_destroy(m->library);
}

static kn_ability_id ability_of(const match *m, const char *name)
{
    kn_ability_query query = kn_ability_query_default();
    query.type = kn_ability_type_find(m->library, name);
    kn_ability_id abilities[4]; // with those that descend from it, which come later
    assert_true(kn_abilities_find(m->world, m->hero, &query, abilities, 4) >= 1);
    return abilities[0];
}

static float health(const match *m, kn_entity_id entity)
{
    return kn_attribute_value(m->world, entity, kn_attribute_find(m->library, "Vitals.Health"));
}

static bool has(const match *m, const char *tag)
{
    return kn_entity_has_tag(m->world, m->hero, kn_tag_find(m->library, tag));
}

static void step(const match *m, kn_time dt)
{
    assert_int_equal(kn_world_step(m->world, dt), KN_OK);
}

static void a_spell_is_paid_and_burns_the_target_of_its_event(void **state)
{
    (void)state;
    match m = match_begin();
    kn_ability_id ignite = ability_of(&m, "Ignite");
    kn_event_record event = kn_event_record_default();
    event.target = m.foe;
    assert_int_equal(kn_ability_activate(m.world, ignite, &event, NULL), KN_OK);
    assert_int_equal(kn_ability_activate(m.world, ignite, &event, NULL), KN_REFUSED_COOLDOWN);
    step(&m, KN_S(4));
    assert_float_equal(health(&m, m.foe), 84.0f, 0.0f);
    assert_int_equal(kn_ability_activate(m.world, ignite, &event, NULL), KN_OK);
    step(&m, KN_S(4));
    assert_int_equal(kn_ability_activate(m.world, ignite, &event, NULL), KN_REFUSED_COST);
    match_end(&m);
}

static void a_guard_is_up_while_the_key_is_down(void **state)
{
    (void)state;
    match m = match_begin();
    assert_int_equal(kn_input_press(m.world, m.hero, 3), KN_OK);
    step(&m, KN_S(5));
    assert_true(has(&m, "State.Guarded"));
    assert_int_equal(kn_input_release(m.world, m.hero, 3), KN_OK);
    assert_false(has(&m, "State.Guarded"));
    match_end(&m);
}

static void thorns_answer_an_event_with_a_part_of_it(void **state)
{
    (void)state;
    match m = match_begin();
    kn_event_record event = kn_event_record_default();
    event.instigator = m.foe;
    event.target = m.hero;
    event.magnitude = 30.0f;
    kn_tag hit = kn_tag_find(m.library, "Event.Hit");
    assert_int_equal(kn_event_send(m.world, m.hero, hit, &event), KN_OK);
    assert_float_equal(health(&m, m.foe), 85.0f, 0.0f);
    assert_float_equal(health(&m, m.hero), 100.0f, 0.0f);
    match_end(&m);
}

static void a_child_changes_the_body_it_inherits(void **state)
{
    (void)state;
    match m = match_begin();
    assert_int_equal(kn_ability_activate(m.world, ability_of(&m, "Same Rage"), NULL, NULL), KN_OK);
    step(&m, KN_S(1));
    assert_true(has(&m, "State.Angry"));
    step(&m, KN_S(1));
    assert_false(has(&m, "State.Angry"));
    assert_int_equal(kn_ability_activate(m.world, ability_of(&m, "Long Rage"), NULL, NULL), KN_OK);
    step(&m, KN_S(7));
    assert_true(has(&m, "State.Angry"));
    step(&m, KN_S(1));
    assert_false(has(&m, "State.Angry"));
    assert_int_equal(kn_ability_activate(m.world, ability_of(&m, "Last Rage"), NULL, NULL), KN_OK);
    step(&m, KN_S(100));
    assert_true(has(&m, "State.Angry"));
    match_end(&m);
}

static void a_container_is_given_the_owner_and_targeting_finds_it(void **state)
{
    (void)state;
    match m = match_begin();
    assert_int_equal(kn_ability_activate(m.world, ability_of(&m, "Mend"), NULL, NULL), KN_OK);
    assert_true(has(&m, "State.Burning"));
    assert_float_equal(health(&m, m.hero), 110.0f, 0.0f);
    match_end(&m);
}

// Puts a text in the place of another of its length.
static void overwrite(char *at, const char *text)
{
    assert_non_null(at);
    for (size_t i = 0; text[i] != 0; i++) {
        at[i] = text[i];
    }
}

// A reload takes what runs along: the end of the old body comes though the new one has none.
static void a_reload_keeps_what_a_body_holds_and_waits_for(void **state)
{
    (void)state;
    match m = match_begin();
    assert_int_equal(kn_input_press(m.world, m.hero, 3), KN_OK);
    assert_int_equal(kn_ability_activate(m.world, ability_of(&m, "Rage"), NULL, NULL), KN_OK);
    static char changed[sizeof(game)];
    memcpy(changed, game, sizeof(game));
    overwrite(strstr(changed, "body: timed"), "body: stay ");
    overwrite(
        strstr(changed, "lasts: {value: 2, curve: Longer}"), "net_security: server_only_all   ");
    kn_library *fresh = library_of(changed);
    kn_error error;
    if (kn_world_reload(m.world, fresh, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_library_destroy(m.library);
    m.library = fresh;
    assert_true(has(&m, "State.Guarded"));
    step(&m, KN_S(2));
    assert_false(has(&m, "State.Angry"));
    assert_int_equal(kn_input_release(m.world, m.hero, 3), KN_OK);
    assert_false(has(&m, "State.Guarded"));
    match_end(&m);
}

static void mistakes_tell_where_and_what_to_do(void **state)
{
    (void)state;
    EXPECT_MESSAGES("tags: [A]\nlints_off: [unused-ability]\nabilities:\n"
                    "  T:\n    triggers: {A: event}\n"
                    "  U:\n    body: used\n"
                    "  V:\n    body: use\n    applies: {Nothing: owner}\n"
                    "  W:\n    body: use\n    lasts: 3\n"
                    "  X:\n    body: use\n    costs: {Y: $Z}\n",
        "4:3: error: ability `T`: it has triggers but nothing to do; give it a body, such as "
        "`use`, or functions\n"
        "7:11: error: `used` is not a value of `body`; did you mean `use`?\n"
        "10:15: error: there is no effect `Nothing`\n"
        "11:3: error: ability `W`: the body `timed` needs `lasts`, and `lasts` needs the body "
        "`timed`\n"
        "16:13: error: there is no attribute `Y`\n");
    EXPECT_MESSAGES("attribute_sets: {S: {attributes: {Y: 1}}}\nlints_off: [unused-ability]\n"
                    "abilities:\n  X:\n    body: use\n    costs: {S.Y: $Z}\n",
        "4:3: error: ability `X`: one of its numbers is a parameter; only effects have "
        "parameters\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_spell_is_paid_and_burns_the_target_of_its_event),
    cmocka_unit_test(a_guard_is_up_while_the_key_is_down),
    cmocka_unit_test(thorns_answer_an_event_with_a_part_of_it),
    cmocka_unit_test(a_child_changes_the_body_it_inherits),
    cmocka_unit_test(a_container_is_given_the_owner_and_targeting_finds_it),
    cmocka_unit_test(a_reload_keeps_what_a_body_holds_and_waits_for),
    cmocka_unit_test(mistakes_tell_where_and_what_to_do),
};

TEST_GROUP(data_bodies, tests, NULL, NULL);
