// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/debugging.md: a page about whomever one looks at, a console, and lists for both.

#include "json_reader.h"
#include "scenario/recipe.h"

// A stage -------------------------------------------------------------------

typedef struct court {
    kn_ability_id cast, bolt, leak;
    kn_effect_type_id silence;
} court;

static kn_result wait_long(const kn_ability_call *call)
{
    return kn_wait_delay(call->world, call->activation, 7, KN_S(3));
}

static kn_effect_type_id curse_register(fixture *f)
{
    kn_modifier_def weak = kn_modifier_constant(f->stamina, KN_OP_ADD, -70.0f);
    kn_effect_def def = timed("Curse", 10.0f);
    def.modifiers = &weak;
    def.modifier_count = 1;
    def.granted_tags = tags_of(f, "State.Cursed");
    def.ongoing.target.ignored = tags_of(f, "State.Blessed");
    return effect_register(f, &def);
}

static kn_effect_type_id mask_register(fixture *f)
{
    const kn_tag_edit edits[2] = {
        {KN_TAG_EDIT_REPLACE, tag_of(f, "Form.Human"), tag_of(f, "Form.Wolf")},
        {KN_TAG_EDIT_REMOVE, tag_of(f, "State.Loud"), {0}}};
    kn_effect_def def = infinite("Mask");
    def.tag_edits = edits;
    def.tag_edit_count = 2;
    return effect_register(f, &def);
}

static void court_begin(fixture *f, court *c)
{
    kn_effect_type_id curse = curse_register(f), mask = mask_register(f);
    kn_effect_def silence = infinite("Silence");
    silence.blocked_ability_tags = tags_of(f, "Ability.Spell");
    c->silence = effect_register(f, &silence);
    kn_ability_def cast = ability_def(f, "Cast");
    cast.activate = wait_long;
    cast.tags = tags_of(f, "Ability.Channel");
    cast.block_with = tags_of(f, "Ability.Spell");
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(40.0f)};
    kn_ability_def bolt = ability_def(f, "Bolt");
    bolt.tags = tags_of(f, "Ability.Spell.Bolt");
    bolt.costs = &cost;
    bolt.cost_count = 1;
    bolt.input = 3;
    kn_ability_def leak = ability_def(f, "Leak");
    kn_ability_type_id types[3] = {
        ability_register(f, &cast), ability_register(f, &bolt), ability_register(f, &leak)};
    (void)tag_of(f, "Element.Fire");
    recipe_begin(f, (kn_attribute_set_id){0});
    c->cast = grant(f, types[0]);
    c->bolt = grant(f, types[1]);
    c->leak = grant(f, types[2]);
    assert_int_equal(kn_ability_add_tag(f->world, c->bolt, tag_of(f, "Element.Fire")), KN_OK);
    set_base(f, f->hero, f->mana, 30.0f);
    const char *const tags[] = {"Form.Human", "State.Loud", "State.Blessed"};
    for (uint32_t i = 0; i < 3; i++) {
        add_tag(f, f->hero, tag_of(f, tags[i]));
    }
    (void)apply_to(f, curse, f->hero);
    (void)apply_to(f, mask, f->hero);
    (void)apply_to(f, c->silence, f->hero);
    activate(f, c->cast);
    activate(f, c->leak);
    step(f, KN_MS(1250));
}

// Dumps ---------------------------------------------------------------------

// DBG-001, DBG-002, DBG-004, DBG-009, VER-008
static void a_page_marks_what_is_hidden_off_blocked_and_forgotten(void **state)
{
    fixture *f = *state;
    court c;
    court_begin(f, &c);
    char page[4096];
    kn_entity_dump(f->world, f->hero, page, sizeof(page));
    assert_string_equal(page,
        "entity 1 at 1.250 s\n"
        "tags\n"
        "  State.Blessed  1  (loose 1)\n"
        "  Form.Human     1  (loose 1)  shows as Form.Wolf by Mask #7\n"
        "  Form.Wolf      0  shown by Mask #7\n"
        "  State.Loud     1  (loose 1)  hidden by Mask #7\n"
        "blocked ability tags: 1\n"
        "  Ability.Spell  2  (ability Cast, effect Silence #8)\n"
        "attributes\n"
        "  Vitals.Health     100  base 100\n"
        "  Vitals.MaxHealth  100  base 100\n"
        "  Vitals.Mana       30   base 30\n"
        "  Vitals.Stamina    100  base 100\n"
        "  Vitals.Haste      1    base 1\n"
        "effects\n"
        "  Curse #6  level 1, 1 stack, 8.75 s left of 10 s, by entity 2, inhibited: has "
        "State.Blessed\n"
        "    Vitals.Stamina  (Add -70: inhibited)\n"
        "    grants State.Cursed\n"
        "  Mask #7  level 1, 1 stack, forever, by entity 2\n"
        "  Silence #8  level 1, 1 stack, forever, by entity 2\n"
        "abilities\n"
        "  Cast: already active\n"
        "    active for 1.25 s\n"
        "      delay, due in 1.75 s\n"
        "  Bolt: needs 40 Vitals.Mana, has 30; blocked by Ability.Spell.Bolt (ability Cast), "
        "input 3\n"
        "  Leak: already active\n"
        "    active for 1.25 s, waits for nothing\n");
}

static void assert_at(const char *text, const char *path, const char *expected)
{
    assert_string_equal(json_at(text, path), expected);
}

// ABI-077, DBG-001, DBG-002, DBG-004, DBG-005, DBG-009: the same as data.
static void a_tool_reads_the_same_page_as_json(void **state)
{
    fixture *f = *state;
    court c;
    court_begin(f, &c);
    static char page[32768];
    uint32_t length = kn_entity_dump_json(f->world, f->hero, page, sizeof(page));
    assert_true(length < sizeof(page));
    assert_true(json_is_valid(page));
    assert_at(page, "id", "\"1:1\"");
    assert_at(page, "time", "1.25");
    assert_at(page, "tags[1].tag", "\"Form.Human\"");
    assert_at(page, "tags[1].count", "1");
    assert_at(page, "tags[1].origins.loose", "1");
    assert_at(page, "tags[1].shown", "false");
    assert_at(page, "tags[1].shows_as", "\"Form.Wolf\"");
    assert_at(page, "tags[1].edited_by", "{\"id\":\"2:7\",\"type\":\"Mask\"}");
    assert_at(page, "tags[2].count", "0");
    assert_at(page, "tags[2].shown", "true");
    assert_at(page, "tags[3].shows_as", "null");
    assert_at(page, "blocked_ability_tags[0]",
        "{\"tag\":\"Ability.Spell\",\"ability\":{\"id\":\"1:3\",\"type\":\"Cast\"},\"effect\":"
        "null}");
    assert_at(page, "blocked_ability_tags[1].effect", "{\"id\":\"3:8\",\"type\":\"Silence\"}");
    assert_at(page, "attributes[3].attribute", "\"Vitals.Stamina\"");
    assert_at(page, "attributes[3].min", "null");
    assert_at(page, "attributes[3].lines[1].operation", "\"Add\"");
    assert_at(page, "attributes[3].lines[1].magnitude", "-70");
    assert_at(page, "attributes[3].lines[1].acts", "false");
    assert_at(page, "attributes[3].lines[1].why_not", "\"inhibited\"");
    assert_at(page, "effects[0].number", "6");
    assert_at(page, "effects[0].remaining", "8.75");
    assert_at(page, "effects[0].duration", "10");
    assert_at(page, "effects[0].period", "null");
    assert_at(page, "effects[0].source", "\"2:2\"");
    assert_at(page, "effects[0].inhibited_by[0].has", "\"State.Blessed\"");
    assert_at(page, "effects[0].modifiers[0].why_not", "\"inhibited\"");
    assert_at(page, "effects[0].grants_tags", "[\"State.Cursed\"]");
    assert_at(page, "effects[1].remaining", "null");
    assert_at(page, "abilities[0].activations[0].tasks[0].kind", "\"delay\"");
    assert_at(page, "abilities[0].activations[0].tasks[0].due_in", "1.75");
    assert_at(page, "abilities[0].activations[0].tasks[0].label", "7");
    assert_at(page, "abilities[0].activations[0].idle", "false");
    assert_at(page, "abilities[1].input", "3");
    assert_at(page, "abilities[1].grants", "1");
    assert_at(page, "abilities[1].tags", "[\"Ability.Spell.Bolt\",\"Element.Fire\"]");
    assert_at(page, "abilities[1].refusals[0].reason", "\"cannot pay\"");
    assert_at(page, "abilities[1].refusals[0].fail_tag", "\"Activation.Fail.CantAffordCost\"");
    assert_at(page, "abilities[1].refusals[0].need", "40");
    assert_at(page, "abilities[1].refusals[0].have", "30");
    assert_at(page, "abilities[1].refusals[1].ability.type", "\"Cast\"");
    assert_at(page, "abilities[2].activations[0].idle", "true");
}

// DBG-001: every kind of condition that keeps an effect switched off, and only those that do.
static void an_effect_says_what_switches_it_off(void **state)
{
    fixture *f = *state;
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ANY_TAGS);
    kn_tag_query_tag(&query, tag_of(f, "State.Calm"));
    kn_tag_query_end(&query);
    const kn_attribute_condition conditions[2] = {
        {.from = KN_CAPTURE_FROM_TARGET, .attribute = f->mana, .has_min = true, .min = 150.0f},
        {.from = KN_CAPTURE_FROM_SOURCE,
            .attribute = f->health,
            .has_max = true,
            .max = 0.5f,
            .relative_to = f->max_health}};
    kn_effect_def def = infinite("Aura");
    def.ongoing.target.required = tags_of(f, "State.Lit");
    def.ongoing.target.query = &query;
    def.ongoing.source.ignored = tags_of(f, "State.Wet");
    def.ongoing.attributes = conditions;
    def.ongoing.attribute_count = 2;
    kn_effect_type_id aura = effect_register(f, &def);
    begin(f);
    kn_tag lit = tag_of(f, "State.Lit"), wet = tag_of(f, "State.Wet");
    add_tag(f, f->foe, wet);
    (void)apply_to(f, aura, f->hero);
    char page[2048];
    (void)kn_entity_dump(f->world, f->hero, page, sizeof(page));
    assert_non_null(strstr(page,
        "inhibited: needs State.Lit; needs other tags; source has State.Wet; needs Vitals.Mana "
        "from 150; source needs Vitals.Health up to 0.5 of Vitals.MaxHealth\n"));
    static char json[32768];
    (void)kn_entity_dump_json(f->world, f->hero, json, sizeof(json));
    assert_int_equal(json_count(json_find(json, "effects[0].inhibited_by")), 5);
    assert_at(json, "effects[0].inhibited_by[0].needs", "\"State.Lit\"");
    assert_at(json, "effects[0].inhibited_by[1].query", "true");
    assert_at(json, "effects[0].inhibited_by[2].of", "\"source\"");
    assert_at(json, "effects[0].inhibited_by[3].min", "150");
    assert_at(json, "effects[0].inhibited_by[4].share_of", "\"Vitals.MaxHealth\"");
    // A part is fixed: it is no longer listed.
    add_tag(f, f->hero, lit);
    remove_tag(f, f->foe, wet);
    (void)kn_entity_dump(f->world, f->hero, page, sizeof(page));
    assert_non_null(strstr(page, "inhibited: needs other tags; needs Vitals.Mana"));
    (void)kn_entity_dump_json(f->world, f->hero, json, sizeof(json));
    assert_int_equal(json_count(json_find(json, "effects[0].inhibited_by")), 3);
}

// DBG-007, VER-002: the debug string of an attribute, and why it is so.
static void one_attribute_is_told_in_a_line(void **state)
{
    fixture *f = *state;
    kn_attribute_def attributes[3] = {
        attribute_def("Rage", 5.5f), attribute_def("Wind", 1.0f), attribute_def("Calm", 2.0f)};
    attributes[0].min = kn_limit_constant(0.0f);
    attributes[0].max = kn_limit_constant(10.0f);
    attributes[1].min = kn_limit_constant(-1.0f);
    attributes[2].max = kn_limit_constant(3.0f);
    kn_attribute_set_id set = set_register(f, "Mood", attributes, 3);
    recipe_begin(f, set);
    const char *const names[] = {"Mood.Rage", "Mood.Wind", "Mood.Calm", "Vitals.Mana"};
    const char *const expected[] = {"Mood.Rage 5.5 (base 5.5, 0 to 10)",
        "Mood.Wind 1 (base 1, at least -1)", "Mood.Calm 2 (base 2, at most 3)",
        "Vitals.Mana 100 (base 100)"};
    char text[128];
    for (uint32_t i = 0; i < 4; i++) {
        kn_attribute_id attribute = kn_attribute_find(f->library, names[i]);
        uint32_t length = kn_attribute_print(f->world, f->hero, attribute, 0, text, sizeof(text));
        assert_string_equal(text, expected[i]);
        assert_int_equal(length, strlen(text));
        assert_int_equal(kn_attribute_print(f->world, f->hero, attribute, 9, text, 8), 0);
    }
    assert_int_equal(kn_attribute_print(f->world, (kn_entity_id){0}, f->mana, 0, text, 8), 0);
    assert_int_equal(kn_attribute_print(f->world, f->hero, (kn_attribute_id){999}, 0, NULL, 0), 0);
    assert_int_equal(kn_attribute_print(f->world, f->hero, (kn_attribute_id){0}, 0, NULL, 0), 0);
}

// Whom to look at -----------------------------------------------------------

// What the two keys of a debug display do.
static kn_entity_id page_turn(const kn_world *world, kn_entity_id shown, bool forward)
{
    return forward ? kn_entity_cycle_next(world, shown) : kn_entity_cycle_previous(world, shown);
}

static bool is_same(kn_entity_id a, kn_entity_id b)
{
    return kn_entity_id_equal(a, b);
}

// DBG-003: round and round, from anywhere, and everything shown is of the one that is picked.
static void targets_are_walked_in_both_directions(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_entity_id bare, body, third;
    assert_int_equal(kn_entity_create(f->world, &bare), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &body), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, f->foe, body), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &third), KN_OK);
    assert_int_equal(kn_entity_make_actor(f->world, third), KN_OK);
    kn_entity_id order[3] = {f->hero, f->foe, third}, at = {0};
    for (uint32_t i = 0; i < 7; i++) {
        at = page_turn(f->world, at, true);
        assert_true(is_same(at, order[i % 3]));
        char page[512];
        char heading[32];
        (void)kn_entity_dump(f->world, at, page, sizeof(page));
        (void)snprintf(heading, sizeof(heading), "entity %u at", at.index1);
        assert_memory_equal(page, heading, strlen(heading));
    }
    at = (kn_entity_id){0};
    for (uint32_t i = 0; i < 7; i++) {
        at = page_turn(f->world, at, false);
        assert_true(is_same(at, order[(8 - i) % 3]));
    }
    assert_true(is_same(page_turn(f->world, bare, true), third));
    assert_true(is_same(page_turn(f->world, body, false), f->foe));
    // The one that is shown dies: the page continues from there.
    assert_true(kn_entity_destroy(f->world, f->foe));
    assert_true(is_same(page_turn(f->world, f->foe, true), third));
    assert_true(is_same(page_turn(f->world, f->foe, false), f->hero));
    // An id that never was.
    assert_true(is_same(page_turn(f->world, (kn_entity_id){9999, 1}, true), f->hero));
    assert_true(is_same(page_turn(f->world, (kn_entity_id){9999, 1}, false), third));
    assert_true(kn_entity_destroy(f->world, third));
    assert_true(is_same(page_turn(f->world, f->hero, true), f->hero));
    assert_true(is_same(page_turn(f->world, f->hero, false), f->hero));
    assert_true(kn_entity_destroy(f->world, f->hero));
    assert_int_equal(page_turn(f->world, f->hero, true).index1, 0);
    assert_int_equal(kn_entity_cycle_next(NULL, f->hero).index1, 0);
}

// Commands ------------------------------------------------------------------

// Commands of a console: abilities and effects by name, on the one that is looked at.
static kn_result console_use(kn_world *world, kn_entity_id shown, const char *ability)
{
    kn_ability_type_id type = kn_ability_type_find(kn_world_library(world), ability);
    return kn_ability_activate_type(world, shown, type, NULL);
}

static uint32_t console_cancel(kn_world *world, kn_entity_id shown, const char *ability)
{
    kn_ability_query query = kn_ability_query_default();
    query.type = kn_ability_type_find(kn_world_library(world), ability);
    return query.type.index1 != 0 ? kn_abilities_cancel(world, shown, &query) : 0;
}

static kn_result console_apply(kn_world *world, kn_entity_id shown, const char *effect)
{
    kn_effect_type_id type = kn_effect_type_find(kn_world_library(world), effect);
    return type.index1 != 0 ? kn_effect_apply_simple(world, type, shown, shown, 1.0f, NULL)
                            : KN_REFUSED_NOT_FOUND;
}

static kn_result console_dispel(kn_world *world, kn_entity_id shown, const char *effect)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = kn_effect_type_find(kn_world_library(world), effect);
    uint32_t removed = 0;
    kn_result result = KN_REFUSED_NOT_FOUND;
    if (query.type.index1 != 0) {
        result = kn_effects_remove(world, shown, &query, 0, KN_REMOVED_DISPELLED, &removed);
    }
    return result == KN_OK && removed == 0 ? KN_REFUSED_NOT_FOUND : result;
}

static kn_result console_log(kn_world *world, const char *category, const char *level)
{
    return kn_log_set_level(world, kn_log_category_find(category), kn_log_level_find(level));
}

// DBG-007, VER-001: executing and cancelling by command; DBG-006: verbosity by command.
static void a_console_starts_and_stops_things_by_name(void **state)
{
    fixture *f = *state;
    court c;
    court_begin(f, &c);
    assert_int_equal(console_cancel(f->world, f->hero, "Cast"), 1);
    assert_int_equal(console_cancel(f->world, f->hero, "Cast"), 0);
    assert_false(kn_ability_is_active(f->world, c.cast));
    assert_int_equal(console_use(f->world, f->hero, "Cast"), KN_OK);
    assert_true(kn_ability_is_active(f->world, c.cast));
    assert_int_equal(console_use(f->world, f->hero, "Bolt"), KN_REFUSED_BLOCKED);
    assert_int_equal(console_dispel(f->world, f->hero, "Silence"), KN_OK);
    assert_int_equal(console_apply(f->world, f->hero, "Silence"), KN_OK);
    assert_int_equal(console_dispel(f->world, f->hero, "Silence"), KN_OK);
    assert_int_equal(console_use(f->world, f->hero, "Nonsense"), KN_REFUSED_NOT_FOUND);
    assert_int_equal(console_apply(f->world, f->hero, "Nonsense"), KN_REFUSED_NOT_FOUND);
    assert_int_equal(console_dispel(f->world, f->hero, "Nonsense"), KN_REFUSED_NOT_FOUND);
    assert_int_equal(console_cancel(f->world, f->hero, "Nonsense"), 0);
    assert_int_equal(console_log(f->world, "tags", "error"), KN_OK);
    assert_int_equal(kn_log_level_of(f->world, KN_LOG_TAGS), KN_LOG_ERROR);
    assert_int_equal(console_log(f->world, "tags", "loud"), KN_ERROR_INVALID_ARGUMENT);
}

// Abilities -----------------------------------------------------------------

// ABI-101, DBG-007, DBG-009, VER-002: ability tags, blocked tags, their number, and who blocks.
static void tags_of_abilities_and_blocks_are_listed(void **state)
{
    fixture *f = *state;
    court c;
    court_begin(f, &c);
    char text[512];
    uint32_t length = kn_entity_ability_tags_print(f->world, f->hero, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "ability tags\n"
                              "  Cast  Ability.Channel\n"
                              "  Bolt  Ability.Spell.Bolt, Element.Fire\n"
                              "  Leak\n"
                              "blocked ability tags: 1\n"
                              "  Ability.Spell  2  (ability Cast, effect Silence #8)\n");
    kn_blocked_tag blocked[4];
    assert_int_equal(kn_entity_blocked_tags(f->world, f->hero, blocked, 4), 2);
    assert_int_equal(blocked[0].tag.index1, tag_of(f, "Ability.Spell").index1);
    assert_true(kn_ability_id_equal(blocked[0].ability, c.cast));
    assert_true(kn_activation_is_alive(f->world, blocked[0].activation));
    assert_int_equal(blocked[0].effect.index1, 0);
    assert_true(kn_effect_is_alive(f->world, blocked[1].effect));
    assert_int_equal(blocked[1].ability.index1, 0);
    assert_int_equal(kn_ability_cancel(f->world, c.cast), KN_OK);
    assert_int_equal(kn_entity_blocked_tags(f->world, f->hero, NULL, 0), 1);
    assert_int_equal(console_dispel(f->world, f->hero, "Silence"), KN_OK);
    assert_int_equal(kn_entity_blocked_tags(f->world, f->hero, NULL, 0), 0);
    kn_tag tags[2];
    assert_int_equal(kn_ability_tags(f->world, c.bolt, tags, 1), 2);
    assert_int_equal(tags[0].index1, tag_of(f, "Ability.Spell.Bolt").index1);
    assert_int_equal(kn_ability_tags(f->world, c.bolt, tags, 2), 2);
    assert_int_equal(tags[1].index1, tag_of(f, "Element.Fire").index1);
    assert_int_equal(kn_ability_tags(f->world, (kn_ability_id){0}, NULL, 0), 0);
    assert_int_equal(kn_entity_blocked_tags(f->world, (kn_entity_id){0}, NULL, 0), 0);
    assert_int_equal(kn_entity_ability_tags_print(f->world, (kn_entity_id){0}, text, 4), 0);
    assert_string_equal(text, "");
}

static void hear(const kn_ability_call *call)
{
    (void)call;
}

static kn_time end_it(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    kn_activation_id activation;
    memcpy(&activation, data, sizeof(activation));
    (void)kn_activation_end(world, activation);
    return 0;
}

static kn_result make_only(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.delay = KN_S(1);
    return kn_task_create(call->world, call->activation, &def, NULL);
}

// ABI-013: what is listed, and each of the reasons why something is not.
static void activations_that_wait_for_nothing_are_found(void **state)
{
    fixture *f = *state;
    enum { LEAK, TASK, INPUT, TIMED, PASSIVE, PRESENT, UNSTARTED, COUNT };
    const char *const names[COUNT] = {
        "Leak", "Task", "Input", "Timed", "Passive", "Present", "Unstarted"};
    kn_trigger_def present = {tag_of(f, "State.Angry"), KN_TRIGGER_SOURCE_TAG_PRESENT, 0};
    kn_timer_type_id timer;
    assert_int_equal(
        kn_timer_type_register(f->library, "EndIt", end_it, NULL, &timer, NULL), KN_OK);
    kn_ability_type_id types[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.activate = i == TASK ? wait_long : i == UNSTARTED ? make_only : note_activate;
        def.input = i == INPUT || i == LEAK ? 4 : 0; // an input without a hook ends nothing
        def.input_released = i == INPUT ? hear : NULL;
        def.activates_on_grant = i == PASSIVE;
        def.triggers = &present;
        def.trigger_count = i == PRESENT ? 1 : 0;
        types[i] = ability_register(f, &def);
    }
    begin(f);
    assert_int_equal(
        console_log(f->world, "tasks", "off"), KN_OK); // it says that one was forgotten
    kn_ability_id ids[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        ids[i] = grant(f, types[i]);
    }
    add_tag(f, f->hero, tag_of(f, "State.Angry"));
    kn_activation_id leak = activate(f, ids[LEAK]);
    activate(f, ids[TASK]);
    activate(f, ids[INPUT]);
    kn_activation_id timed = activate(f, ids[TIMED]);
    kn_activation_id unstarted = activate(f, ids[UNSTARTED]);
    uint8_t data[KN_TIMER_DATA_SIZE] = {0};
    memcpy(data, &timed, sizeof(timed));
    kn_timer_id running;
    assert_int_equal(kn_timer_start(f->world, timer, f->hero, KN_S(60), data, &running), KN_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(kn_ability_is_active(f->world, ids[i]));
    }
    kn_activation_id idle[4];
    assert_int_equal(kn_activations_idle(f->world, idle, 4), 2);
    assert_true(kn_activation_id_equal(idle[0], leak));
    assert_true(kn_activation_id_equal(idle[1], unstarted));
    assert_int_equal(kn_activations_idle(f->world, NULL, 0), 2);
    assert_true(kn_timer_cancel(f->world, running));
    assert_int_equal(kn_activations_idle(f->world, idle, 4), 3);
    assert_true(kn_activation_id_equal(idle[1], timed));
    // The same after a rollback and in a world that was loaded.
    recipe_check_rollback(f);
    assert_int_equal(kn_activations_idle(f->world, NULL, 0), 3);
    assert_int_equal(kn_activation_end(f->world, leak), KN_OK);
    assert_int_equal(kn_activations_idle(f->world, NULL, 0), 2);
    assert_int_equal(kn_activations_idle(NULL, NULL, 0), 0);
}

// DBG-007: how abilities are built.
static void a_library_lists_how_its_abilities_are_built(void **state)
{
    fixture *f = *state;
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(40.0f)};
    kn_cooldown_def cooldowns[2] = {kn_cooldown_seconds(8.0f), kn_cooldown_seconds(1.5f)};
    cooldowns[0].charges = kn_constant(2.0f);
    cooldowns[1].key = tag_of(f, "Cooldown.Global");
    kn_trigger_def trigger = {tag_of(f, "Event.Hurt"), KN_TRIGGER_SOURCE_EVENT, 0};
    kn_ability_def spell = kn_ability_def_default();
    spell.name = "Spell";
    (void)ability_register(f, &spell);
    kn_ability_def meteor = kn_ability_def_default();
    meteor.name = "Meteor";
    meteor.parent = "Spell";
    meteor.tags = tags_of(f, "Ability.Meteor");
    meteor.costs = &cost;
    meteor.cost_count = 1;
    meteor.cooldowns = cooldowns;
    meteor.cooldown_count = 2;
    meteor.commit = KN_COMMIT_AT_USE;
    meteor.input = 4;
    meteor.block_with = tags_of(f, "Ability");
    meteor.net_security = KN_NET_SECURITY_SERVER_ONLY_EXECUTION;
    (void)ability_register(f, &meteor);
    kn_ability_def thorns = kn_ability_def_default();
    thorns.name = "Thorns";
    thorns.activate = note_activate;
    thorns.triggers = &trigger;
    thorns.trigger_count = 1;
    thorns.instancing = KN_INSTANCING_NONE;
    thorns.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    thorns.works_when_dead = true;
    (void)ability_register(f, &thorns);
    begin(f);
    char text[2048];
    uint32_t length = kn_library_abilities_print(f->library, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_string_equal(text,
        "ability  tags            cost            cooldown                          commit    "
        "started by        instances  runs                            more\n"
        "Spell    -               -               -                                 by hooks  "
        "-                 per actor  local predicted                 -\n"
        "Meteor   Ability.Meteor  40 Vitals.Mana  8 s x2, 1.5 s as Cooldown.Global  at use    "
        "input 4           per actor  local predicted, server starts  a Spell, blocks Ability\n"
        "Thorns   -               -               -                                 by hooks  "
        "event Event.Hurt  none       server only                     works when dead\n");
    assert_int_equal(kn_library_abilities_print(f->library, text, 20), length);
    assert_int_equal(strlen(text), 19);
    assert_int_equal(kn_library_abilities_print(NULL, text, sizeof(text)), 0);
}

// Tasks ---------------------------------------------------------------------

static kn_result three_waits(const kn_ability_call *call)
{
    kn_task_def custom = kn_task_def_default(KN_TASK_CUSTOM);
    custom.type = kn_task_type_find(kn_world_library(call->world), "Charge");
    kn_result result = kn_wait_delay(call->world, call->activation, 0, KN_S(1));
    if (result == KN_OK) {
        result = kn_wait_delay(call->world, call->activation, 0, KN_S(5));
    }
    return result == KN_OK ? kn_task_run(call->world, call->activation, &custom, NULL) : result;
}

// The most frequent kinds of tasks, only while they are counted.
static void tasks_are_counted_while_somebody_asks(void **state)
{
    fixture *f = *state;
    kn_task_type_def charge = kn_task_type_def_default();
    charge.name = "Charge";
    kn_task_type_id charge_type;
    assert_int_equal(kn_task_type_register(f->library, &charge, &charge_type, NULL), KN_OK);
    kn_ability_def def = ability_def(f, "Wait");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.activate = three_waits;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id wait = grant(f, type);
    activate(f, wait);
    char text[256];
    (void)kn_task_tally_print(f->world, 0, text, sizeof(text));
    assert_string_equal(text, "alive     task\n"
                              "2         delay\n"
                              "1         task Charge\n");
    assert_false(kn_task_tally_is_recording(f->world));
    assert_int_equal(kn_task_tally_record(f->world, true), KN_OK);
    assert_int_equal(kn_task_tally_record(f->world, true), KN_OK);
    activate(f, wait);
    activate(f, wait);
    step(f, KN_S(2));
    uint32_t length = kn_task_tally_print(f->world, 0, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "made      alive     task\n"
                              "4         3         delay\n"
                              "2         3         task Charge\n");
    (void)kn_task_tally_print(f->world, 1, text, sizeof(text));
    assert_string_equal(text, "made      alive     task\n"
                              "4         3         delay\n");
    kn_task_tally tallies[2];
    assert_int_equal(kn_task_tallies(f->world, tallies, 1), 2);
    assert_int_equal(tallies[0].kind, KN_TASK_DELAY);
    assert_int_equal(kn_task_tallies(f->world, tallies, 2), 2);
    assert_int_equal(tallies[1].kind, KN_TASK_CUSTOM);
    assert_int_equal(tallies[1].type.index1, charge_type.index1);
    assert_true(tallies[1].made == 2);
    assert_int_equal(tallies[1].alive, 3);
    assert_int_equal(kn_task_tally_record(f->world, false), KN_OK);
    assert_int_equal(kn_task_tallies(f->world, tallies, 2), 2);
    assert_true(tallies[0].made == 0);
    assert_int_equal(kn_task_tally_record(NULL, true), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_task_tallies(NULL, NULL, 0), 0);
    assert_int_equal(kn_task_tally_print(NULL, 0, NULL, 0), 0);
}

// Builds --------------------------------------------------------------------

static uint32_t reports;

static bool count_report(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    reports++;
    return false;
}

// DBG-011: the debug flavour stops at a broken contract and is not optimised; every flavour goes on
// with a result.
static void the_debug_flavour_reports_broken_contracts(void **state)
{
    fixture *f = *state;
    begin(f);
    reports = 0;
    kn_assert_set_handler(count_report);
    kn_listener_def not_from_default = {.type = KN_EVENT_CUE};
    assert_int_equal(kn_listener_add(f->world, &not_from_default, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_int_equal(reports, KN_ASSERTS);
#if !defined(__OPTIMIZE__)
    assert_int_equal(KN_ASSERTS, 1);
#endif
}

static const struct CMUnitTest tests[] = {
    TEST(a_page_marks_what_is_hidden_off_blocked_and_forgotten),
    TEST(a_tool_reads_the_same_page_as_json),
    TEST(an_effect_says_what_switches_it_off),
    TEST(one_attribute_is_told_in_a_line),
    TEST(targets_are_walked_in_both_directions),
    TEST(a_console_starts_and_stops_things_by_name),
    TEST(tags_of_abilities_and_blocks_are_listed),
    TEST(activations_that_wait_for_nothing_are_found),
    TEST(a_library_lists_how_its_abilities_are_built),
    TEST(tasks_are_counted_while_somebody_asks),
    TEST(the_debug_flavour_reports_broken_contracts),
};

TEST_GROUP(debug_page, tests, NULL, NULL);
