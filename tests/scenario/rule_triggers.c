// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What rules react to: entities that come and go, owners and parents, executions, inhibition,
// refused abilities; and everything that an event carries.

#include "scenario/ability_fixture.h"

static int setup_three(void **state)
{
    int result = setup(state);
    ((fixture *)*state)->entity_count = 3;
    return result;
}

#define TEST_THREE(test) cmocka_unit_test_setup_teardown(test, setup_three, teardown)

static kn_rule_def rule_def(const char *name, kn_trigger trigger, kn_rule_fn *function, void *user)
{
    kn_rule_def def = kn_rule_def_default();
    def.name = name;
    def.trigger = trigger;
    def.function = function;
    def.user = user;
    return def;
}

static void rule_register(fixture *f, const kn_rule_def *def)
{
    kn_rule_id id;
    kn_error error = {0};
    if (kn_rule_register(f->library, def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static void rule(fixture *f, const char *name, kn_trigger trigger, kn_rule_fn *function)
{
    kn_rule_def def = rule_def(name, trigger, function, f);
    rule_register(f, &def);
}

// Entities --------------------------------------------------------------------

static void note_created(void *user, kn_world *world, const kn_reaction *reaction)
{
    note(user, "created %u %d, ", reaction->entity.index1,
        kn_entity_is_alive(world, reaction->entity));
    assert_null(reaction->record);
}

static void note_destroyed(void *user, kn_world *world, const kn_reaction *reaction)
{
    fixture *f = user;
    note(f, "destroyed %u health %g effects %u again %d, ", reaction->entity.index1,
        (double)kn_attribute_value(world, reaction->entity, f->health),
        kn_effects_count(world, reaction->entity), kn_entity_destroy(world, reaction->entity));
    assert_true(kn_entity_is_dying(world, reaction->entity));
    assert_false(kn_entity_is_dying(world, f->foe));
}

static void rules_hear_of_entities_that_come_and_go(void **state)
{
    fixture *f = *state;
    rule(f, "Created", KN_TRIGGER_ENTITY_CREATED, note_created);
    rule(f, "Destroyed", KN_TRIGGER_ENTITY_DESTROYED, note_destroyed);
    kn_effect_def mark = infinite("Mark");
    kn_effect_type_id type = effect_register(f, &mark);
    begin(f);
    f->log[0] = 0;
    kn_entity_id bare = entity_create(f);
    EXPECT_LOG(f, "created 4 1, ");
    assert_false(kn_entity_is_dying(f->world, bare));
    assert_false(kn_entity_is_dying(f->world, f->hero));
    (void)apply_from_to(f, type, f->foe, f->hero, 1.0f);
    assert_true(kn_entity_destroy(f->world, f->hero));
    EXPECT_LOG(f, "destroyed 1 health 100 effects 1 again 0, ");
    assert_false(kn_entity_is_alive(f->world, f->hero)); // the call returns when all is done
    assert_false(kn_entity_is_dying(f->world, f->hero));
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_ENTITY_DESTROYED), 1);
    // One without attributes and tags as well, once.
    assert_true(kn_entity_destroy(f->world, bare));
    assert_non_null(strstr(f->log, "destroyed 4 "));
    assert_false(kn_entity_is_alive(f->world, bare));
}

// Owners and parents ----------------------------------------------------------

static void note_other(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    note(user, "%s of %u: %u to %u, ",
        reaction->trigger == KN_TRIGGER_OWNER_CHANGED ? "owner" : "parent", reaction->entity.index1,
        reaction->old_other.index1, reaction->other.index1);
}

static void rules_hear_of_owners_and_parents(void **state)
{
    fixture *f = *state;
    rule(f, "Owner", KN_TRIGGER_OWNER_CHANGED, note_other);
    rule(f, "Parent", KN_TRIGGER_PARENT_CHANGED, note_other);
    begin(f);
    kn_entity_id nobody = {0};
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, f->ally), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, f->ally), KN_OK); // no change
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, f->foe), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, nobody), KN_OK);
    EXPECT_LOG(f, "owner of 1: 0 to 3, owner of 1: 3 to 2, owner of 1: 2 to 0, ");
    assert_int_equal(kn_entity_set_parent(f->world, f->hero, f->foe), KN_OK);
    assert_int_equal(kn_entity_set_parent(f->world, f->hero, f->ally), KN_OK);
    assert_int_equal(kn_entity_set_parent(f->world, f->foe, f->ally), KN_OK);
    EXPECT_LOG(f, "parent of 1: 0 to 2, parent of 1: 2 to 3, parent of 2: 0 to 3, ");
    assert_true(kn_entity_destroy(f->world, f->ally)); // its parts are detached
    EXPECT_LOG(f, "parent of 2: 3 to 0, parent of 1: 3 to 0, ");
    assert_int_equal(kn_entity_parent(f->world, f->hero).index1, 0);
}

static void note_connection(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    note(user, "connection of %u: %u to %u, ", reaction->entity.index1, reaction->old_count,
        reaction->new_count);
}

static void rules_hear_who_controls_an_entity(void **state)
{
    fixture *f = *state;
    rule(f, "Connection", KN_TRIGGER_CONNECTION_CHANGED, note_connection);
    begin(f);
    assert_int_equal(kn_entity_set_connection(f->world, f->foe, 7), KN_OK);
    assert_int_equal(kn_entity_set_connection(f->world, f->foe, 7), KN_OK); // no change
    assert_int_equal(kn_entity_set_connection(f->world, f->ally, 7), KN_OK);
    assert_int_equal(kn_entity_set_connection(f->world, f->foe, 0), KN_OK);
    EXPECT_LOG(f, "connection of 2: 0 to 7, connection of 3: 0 to 7, connection of 2: 7 to 0, ");
}

// Effects ---------------------------------------------------------------------

static void note_effect(void *user, kn_world *world, const kn_reaction *reaction)
{
    fixture *f = user;
    note(f, "%s %s %u->%u by %u on %u, ",
        reaction->trigger == KN_TRIGGER_EFFECT_EXECUTED ? "executed" : "inhibited",
        kn_effect_type_name(world, reaction->effect_type), reaction->old_count, reaction->new_count,
        reaction->instigator.index1, reaction->entity.index1);
}

static void rules_hear_of_executions_and_inhibition(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = kn_magnitude_constant(-1.0f);
    kn_effect_def hit = instant("Hit");
    hit.modifiers = &modifier;
    hit.modifier_count = 1;
    kn_effect_type_id hit_type = effect_register(f, &hit);
    kn_effect_def burn = timed("Burn", 10.0f);
    burn.modifiers = &modifier;
    burn.modifier_count = 1;
    burn.period = kn_magnitude_constant(1.0f);
    burn.is_periodic = true;
    kn_tag wet = tag_of(f, "State.Wet");
    burn.ongoing.target.ignored = one(&wet);
    kn_effect_type_id burn_type = effect_register(f, &burn);
    kn_effect_def other = instant("Other");
    (void)effect_register(f, &other);
    kn_rule_def def = rule_def("Any", KN_TRIGGER_EFFECT_EXECUTED, note_effect, f);
    rule_register(f, &def);
    def = rule_def("Hits", KN_TRIGGER_EFFECT_EXECUTED, note_effect, f);
    def.effect_type = hit_type;
    rule_register(f, &def);
    rule(f, "Inhibited", KN_TRIGGER_EFFECT_INHIBITED, note_effect);
    begin(f);
    (void)apply_from_to(f, hit_type, f->ally, f->hero, 1.0f);
    EXPECT_LOG(f, "executed Hit 0->1 by 3 on 1, executed Hit 0->1 by 3 on 1, ");
    (void)apply_from_to(f, burn_type, f->ally, f->foe, 1.0f);
    step(f, KN_S(1));
    EXPECT_LOG(f, "executed Burn 0->1 by 3 on 2, executed Burn 1->1 by 3 on 2, ");
    add_tag(f, f->foe, wet);
    step(f, KN_S(2));
    remove_tag(f, f->foe, wet);
    assert_non_null(strstr(f->log, "inhibited Burn 1->0 by 3 on 2, "));
    assert_non_null(strstr(f->log, "inhibited Burn 0->1 by 3 on 2, "));
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_EFFECT_EXECUTED), 0); // nobody asked to publish it
}

// Abilities -------------------------------------------------------------------

static void note_failed(void *user, kn_world *world, const kn_reaction *reaction)
{
    fixture *f = user;
    note(f, "failed on %u, %d, activation %u, ", reaction->entity.index1,
        reaction->fail_reasons == KN_FAIL_COST, reaction->activation.index1);
    if (reaction->record != NULL) {
        note(f, "event at %u of %g under %u, ", reaction->record->target.index1,
            (double)reaction->record->magnitude, reaction->record->tag.index1);
    }
    assert_true(kn_ability_is_alive(world, reaction->ability));
}

static void rules_hear_of_refused_abilities(void **state)
{
    fixture *f = *state;
    rule(f, "Failed", KN_TRIGGER_ABILITY_FAILED, note_failed);
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(1000.0f)};
    kn_ability_def def = kn_ability_def_default();
    def.name = "Dear";
    def.body = KN_BODY_STAY;
    def.costs = &cost;
    def.cost_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    kn_tag wet = tag_of(f, "State.Wet");
    begin(f);
    kn_ability_id ability = grant(f, type);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_COST);
    EXPECT_LOG(f, "failed on 1, 1, activation 0, ");
    kn_event_record event = kn_event_record_default();
    event.target = f->foe;
    event.magnitude = 7.0f;
    event.tag = wet;
    assert_int_equal(kn_ability_activate(f->world, ability, &event, NULL), KN_REFUSED_COST);
    char expected[128];
    (void)snprintf(expected, sizeof(expected),
        "failed on 1, 1, activation 0, event at 2 of 7 under %u, ", event.tag.index1);
    EXPECT_LOG(f, expected);
}

// Events ----------------------------------------------------------------------

static void note_event(void *user, kn_world *world, const kn_reaction *reaction)
{
    fixture *f = user;
    const kn_event_record *record = reaction->record;
    assert_non_null(record);
    // More events, entities and effects must not move what the rule was given.
    if (record->magnitude > 0.0f) {
        kn_event_record next = *record;
        next.magnitude -= 1.0f;
        assert_int_equal(kn_event_send(world, reaction->entity, reaction->tag, &next), KN_OK);
        for (uint32_t i = 0; i < 40; i++) {
            kn_entity_id entity;
            assert_int_equal(kn_entity_create(world, &entity), KN_OK);
        }
    }
    assert_int_equal(record->tag.index1, reaction->tag.index1);
    assert_true(kn_entity_id_equal(record->instigator, f->foe));
    assert_true(kn_entity_id_equal(record->target, f->ally));
    assert_int_equal(record->object, 0x1234567890abcdef);
    assert_int_equal(record->object2, 77);
    assert_int_equal(record->tags.count, 2);
    assert_int_equal(record->tags.data[1].index1, tag_of(f, "School.Fire").index1);
    assert_true(record->has_target_tags);
    assert_int_equal(record->target_tags.count, 1);
    assert_false(record->has_instigator_tags);
    assert_null(record->effect);
    kn_target_view view = {record->data, record->data_size};
    assert_int_equal(kn_target_count(view), 1);
    note(f, "%g ", (double)record->magnitude);
}

static void a_rule_gets_everything_that_an_event_carries(void **state)
{
    fixture *f = *state;
    kn_tag tag = tag_of(f, "Event.Hit");
    kn_tag tags[2] = {tag_of(f, "School.Ice"), tag_of(f, "School.Fire")};
    kn_rule_def def = rule_def("First", KN_TRIGGER_EVENT, note_event, f);
    def.tag = tag;
    rule_register(f, &def);
    def.name = "Second";
    rule_register(f, &def);
    begin(f);
    kn_event_record record = kn_event_record_default();
    record.instigator = f->foe;
    record.target = f->ally;
    record.magnitude = 3.0f;
    record.object = 0x1234567890abcdef;
    record.object2 = 77;
    record.tags = (kn_tags){tags, 2};
    record.has_target_tags = true;
    record.target_tags = (kn_tags){tags, 1};
    kn_target_data data = {0};
    kn_target_hit hit = {.entity = f->ally};
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_hit(), &hit), KN_OK);
    record.data = data.bytes;
    record.data_size = data.size;
    assert_int_equal(kn_event_send(f->world, f->hero, tag, &record), KN_OK);
    EXPECT_LOG(f, "3 3 2 2 2 2 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ");
    // Once warm, nothing is allocated, and an event without a record has a plain one.
    record.magnitude = 0.0f;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_event_send(f->world, f->hero, tag, &record), KN_OK);
        step(f, 0);
    }
    uint64_t before = kn_world_get_stats(f->world).allocations;
    assert_int_equal(kn_event_send(f->world, f->hero, tag, &record), KN_OK);
    step(f, 0);
    assert_int_equal(kn_world_get_stats(f->world).allocations, before);
}

static void note_plain(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    note(user, "%u %u %u ", reaction->record->target.index1, reaction->record->tags.count,
        reaction->record->tag.index1 == reaction->tag.index1);
}

static void an_event_without_a_record_has_a_plain_one(void **state)
{
    fixture *f = *state;
    kn_rule_def def = rule_def("Plain", KN_TRIGGER_EVENT, note_plain, f);
    def.tag = tag_of(f, "Event");
    rule_register(f, &def);
    kn_tag tag = tag_of(f, "Event.Hit");
    begin(f);
    assert_int_equal(kn_event_send(f->world, f->foe, tag, NULL), KN_OK);
    EXPECT_LOG(f, "2 0 1 ");
}

// Rules that do not want everything --------------------------------------------

typedef struct picky {
    fixture *f;
    kn_effect_type_id type; // the only effect it wants; null: events above a magnitude of 1
    uint32_t asked;
} picky;

static bool picky_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    picky *p = user;
    p->asked++;
    assert_ptr_equal(library, p->f->library);
    assert_int_equal(reaction->cause, 0);
    if (reaction->trigger == KN_TRIGGER_EVENT) {
        assert_int_equal(reaction->record->tag.index1, reaction->tag.index1);
        assert_null(reaction->record->effect);
        return reaction->magnitude > 1.0f && reaction->record->magnitude > 1.0f;
    }
    return kn_effect_type_id_equal(reaction->effect_type, p->type);
}

static void note_picky(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    picky *p = user;
    note(p->f, "picky %u %g, ", reaction->effect_type.index1, (double)reaction->magnitude);
}

static void note_any(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    note(user, "any %u, ", reaction->effect_type.index1);
}

static void note_index(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    (void)reaction;
    const picky *p = user;
    note(p->f, "%u ", p->asked);
}

typedef struct sent {
    const fixture *f;
    kn_tag tag;
    const kn_event_record *record;
} sent;

static kn_result send_many(void *user, kn_world *world)
{
    const sent *s = user;
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(kn_event_send(world, s->f->hero, s->tag, s->record), KN_OK);
    }
    return KN_OK;
}

static void a_rule_that_does_not_want_a_reaction_is_not_queued(void **state)
{
    fixture *f = *state;
    kn_effect_def mark = infinite("Mark");
    kn_effect_def other = infinite("Other");
    kn_effect_type_id wanted = effect_register(f, &mark);
    kn_effect_type_id unwanted = effect_register(f, &other);
    picky p = {.f = f, .type = wanted};
    kn_rule_def def = rule_def("Picky", KN_TRIGGER_EFFECT_APPLIED, note_picky, &p);
    def.wants = picky_wants;
    def.priority = 1;
    rule(f, "Any", KN_TRIGGER_EFFECT_APPLIED, note_any);
    rule_register(f, &def);
    picky loud = {.f = f};
    kn_rule_def event = rule_def("Loud", KN_TRIGGER_EVENT, note_picky, &loud);
    event.tag = tag_of(f, "Event");
    event.wants = picky_wants;
    rule_register(f, &event);
    kn_tag tag = tag_of(f, "Event.Hit");
    kn_world_def world = kn_world_def_default();
    world.reaction_limit = 4;
    begin_with(f, world);
    (void)apply_from_to(f, unwanted, f->foe, f->hero, 1.0f);
    EXPECT_LOG(f, "any 2, ");
    (void)apply_from_to(f, wanted, f->foe, f->hero, 1.0f);
    EXPECT_LOG(f, "picky 1 0, any 1, ");
    assert_int_equal(p.asked, 2);

    kn_event_record record = kn_event_record_default();
    record.magnitude = 1.0f;
    sent plain = {f, tag, &record};
    assert_int_equal(kn_world_call(f->world, send_many, &plain), KN_OK); // no limit is reached
    assert_int_equal(loud.asked, 10);
    assert_int_equal(kn_event_send(f->world, f->hero, tag, NULL), KN_OK);
    EXPECT_LOG(f, "");
    record.magnitude = 2.0f;
    assert_int_equal(kn_event_send(f->world, f->hero, tag, &record), KN_OK);
    EXPECT_LOG(f, "picky 0 2, ");
    assert_int_equal(loud.asked, 12);
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_ERROR), 0);
}

static void rules_of_each_trigger_react_by_priority_then_registration(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *name;
        kn_trigger trigger;
        int32_t priority;
    } rows[] = {
        {"a", KN_TRIGGER_TAG_ADDED, 0},
        {"b", KN_TRIGGER_TAG_REMOVED, 5},
        {"c", KN_TRIGGER_TAG_ADDED, 3},
        {"d", KN_TRIGGER_TAG_REMOVED, 5},
        {"e", KN_TRIGGER_TAG_ADDED, 3},
        {"f", KN_TRIGGER_TAG_ADDED, -1},
        {"g", KN_TRIGGER_TAG_REMOVED, 9},
    };
    picky named[COUNT(rows)];
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        named[i] = (picky){.f = f, .asked = i};
        kn_rule_def def = rule_def(rows[i].name, rows[i].trigger, note_index, &named[i]);
        def.tag = tag_of(f, "State.Wet");
        def.priority = rows[i].priority;
        rule_register(f, &def);
    }
    begin(f);
    kn_tag wet = tag_of(f, "State.Wet");
    add_tag(f, f->hero, wet);
    EXPECT_LOG(f, "2 4 0 5 ");
    remove_tag(f, f->hero, wet);
    EXPECT_LOG(f, "6 1 3 ");
}

// Sets and cooldowns ------------------------------------------------------------

static void note_set(void *user, kn_world *world, const kn_reaction *reaction)
{
    note(user, "%s %s %u of %u, ", kn_attribute_set_name(kn_world_library(world), reaction->set),
        reaction->trigger == KN_TRIGGER_SET_ADDED ? "added" : "removed", reaction->key,
        reaction->entity.index1);
}

static void rules_hear_of_attribute_sets_that_come_and_go(void **state)
{
    fixture *f = *state;
    rule(f, "Added", KN_TRIGGER_SET_ADDED, note_set);
    rule(f, "Removed", KN_TRIGGER_SET_REMOVED, note_set);
    begin(f);
    f->log[0] = 0;
    kn_attribute_set_id vitals = kn_attribute_set_of(f->library, f->health);
    assert_int_equal(kn_attribute_set_add(f->world, f->foe, vitals, 7), KN_OK);
    EXPECT_LOG(f, "Vitals added 7 of 2, ");
    assert_int_equal(kn_attribute_set_add(f->world, f->foe, vitals, 7), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_attribute_set_remove(f->world, f->foe, vitals, 7), KN_OK);
    assert_int_equal(kn_attribute_set_remove(f->world, f->foe, vitals, 7), KN_REFUSED_NOT_FOUND);
    EXPECT_LOG(f, "Vitals removed 7 of 2, ");
}

static void note_charges(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    note(user, "%u %s %u to %u, ", reaction->entity.index1,
        reaction->ability.index1 != 0 ? "own"
        : reaction->tag.index1 != 0   ? "shared"
                                      : "?",
        reaction->old_count, reaction->new_count);
}

static void rules_hear_of_charges(void **state)
{
    fixture *f = *state;
    rule(f, "Charges", KN_TRIGGER_CHARGES, note_charges);
    kn_cooldown_def cooldowns[2] = {kn_cooldown_seconds(2.0f), kn_cooldown_seconds(3.0f)};
    cooldowns[0].charges = kn_constant(2.0f);
    cooldowns[1].key = tag_of(f, "State.Wet");
    kn_ability_def def = kn_ability_def_default();
    def.name = "Blink";
    def.body = KN_BODY_USE;
    def.cooldowns = cooldowns;
    def.cooldown_count = 2;
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(f->library, &def, &type, NULL), KN_OK);
    begin(f);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id blink;
    grant.type = type;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant, &blink), KN_OK);
    f->log[0] = 0;
    assert_int_equal(kn_ability_activate(f->world, blink, NULL, NULL), KN_OK);
    EXPECT_LOG(f, "1 own 2 to 1, 1 shared 1 to 0, ");
    assert_int_equal(kn_ability_change_cooldown(f->world, blink, (kn_tag){0}, KN_S(1), 0), KN_OK);
    EXPECT_LOG(f, "1 own 1 to 1, "); // only the cycle
    step(f, KN_S(3));
    EXPECT_LOG(f, "1 own 1 to 2, 1 shared 0 to 1, ");
}

// What follows from definitions ----------------------------------------------------

typedef struct alarm_def {
    const char *name;
    kn_attribute_id attribute;
} alarm_def;

static const kn_def_field alarm_fields[] = {
    KN_DEF_F(alarm_def, name, KN_DEF_FIELD_STRING, NULL),
    KN_DEF_F(alarm_def, attribute, KN_FIELD_ATTRIBUTE, NULL),
};
static const kn_def_table alarm_table = {"alarm_def", sizeof(alarm_def), alarm_fields, 2, NULL};

static void note_alarm(void *user, kn_world *world, const kn_reaction *reaction)
{
    note(user, "%s %g, ", kn_attribute_name(kn_world_library(world), reaction->attribute),
        (double)reaction->new_value);
}

// A rule for the attribute of each definition.
static kn_result alarm_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    for (uint32_t i = 1; i <= kn_def_count(library, kind); i++) {
        const alarm_def *alarm = kn_def_get(library, kind, i);
        kn_rule_def def = rule_def(alarm->name, KN_TRIGGER_ATTRIBUTE_CHANGED, note_alarm, user);
        kn_rule_id id;
        def.attribute = alarm->attribute;
        kn_result result = kn_rule_register(library, &def, &id, error);
        if (result != KN_OK && result != KN_REFUSED_DUPLICATE) {
            return result;
        }
        kn_library_warn(library, "one alarm more");
    }
    return KN_OK;
}

static void definitions_of_an_own_kind_may_bring_rules(void **state)
{
    fixture *f = *state;
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "alarm";
    kind.section = "alarms";
    kind.table = &alarm_table;
    kind.expand = alarm_expand;
    kind.user = f;
    kn_def_kind alarms;
    uint32_t index1;
    kn_error error = {0};
    alarm_def wounded = {"Wounded", f->health};
    assert_int_equal(kn_kind_register(f->library, &kind, &alarms, &error), KN_OK);
    assert_int_equal(kn_def_register(f->library, alarms, &wounded, &index1, &error), KN_OK);
    // A library that could not be finished is finished later.
    kn_check_def check = kn_check_def_default();
    check.name = "Wet";
    check.reason = "soaked";
    check.condition.index1 = 0;
    kn_condition_id always;
    assert_int_equal(
        kn_condition_register_expression(f->library, "Always", "1", &always, &error), KN_OK);
    check.condition = always;
    kn_check_id check_id;
    assert_int_equal(kn_check_register(f->library, &check, &check_id, &error), KN_OK);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    kn_fail_def soaked = kn_fail_def_default();
    kn_fail bit;
    soaked.name = "soaked";
    assert_int_equal(kn_fail_register(f->library, &soaked, &bit, &error), KN_OK);
    begin(f);
    kn_library_warn(f->library, "too late");
    assert_int_equal(kn_library_warning_count(f->library), 1);
    assert_string_equal(kn_library_warning(f->library, 0), "one alarm more");
    assert_int_equal(kn_attribute_set_base(f->world, f->foe, f->health, 0, 40.0f), KN_OK);
    EXPECT_LOG(f, "Vitals.Health 40, ");
}

// The function has the last word.
static kn_result alarm_refuse(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)library;
    (void)kind;
    (void)snprintf(error->message, sizeof(error->message), "%s", *(const char **)user);
    return KN_ERROR_BAD_DATA;
}

static void a_kind_that_cannot_register_what_follows_is_reported(void **state)
{
    fixture *f = *state;
    const char *sentence = "no bells";
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "alarm";
    kind.section = "alarms";
    kind.table = &alarm_table;
    kind.expand = alarm_refuse;
    kind.user = &sentence;
    kn_def_kind alarms;
    kn_error error = {0};
    assert_int_equal(kn_kind_register(f->library, &kind, &alarms, &error), KN_OK);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "no bells");
    assert_int_equal(error.code, KN_ERROR_BAD_DATA);
    sentence = "";
    assert_int_equal(kn_library_finish(f->library, NULL), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "kind `alarm` is refused by its check");
}

static bool one_ability_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    (void)library;
    return reaction->ability_type.index1 == ((picky *)user)->asked;
}

static void note_ability(void *user, kn_world *world, const kn_reaction *reaction)
{
    picky *p = user;
    note(p->f, "%d of %d, ", (int)reaction->trigger, kn_ability_is_alive(world, reaction->ability));
}

static void a_rule_can_want_one_type_of_abilities_alone(void **state)
{
    fixture *f = *state;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Other";
    kn_ability_type_id other = ability_register(f, &def);
    def.name = "Wanted";
    kn_ability_type_id type = ability_register(f, &def);
    picky wanted = {.f = f, .asked = type.index1};
    static const kn_trigger triggers[] = {KN_TRIGGER_ABILITY_ACTIVATED,
        KN_TRIGGER_ABILITY_COMMITTED, KN_TRIGGER_ABILITY_ENDED, KN_TRIGGER_ABILITY_FAILED};
    static const char *const names[] = {"Activated", "Committed", "Ended", "Failed"};
    for (uint32_t i = 0; i < COUNT(triggers); i++) {
        kn_rule_def row = rule_def(names[i], triggers[i], note_ability, &wanted);
        row.wants = one_ability_wants;
        rule_register(f, &row);
    }
    begin(f);
    kn_ability_type_id types[] = {other, type};
    for (uint32_t i = 0; i < 2; i++) {
        kn_activation_id activation;
        kn_ability_id ability = grant(f, types[i]);
        assert_int_equal(kn_ability_activate(f->world, ability, NULL, &activation), KN_OK);
        assert_int_equal(kn_activation_commit(f->world, activation), KN_OK);
        assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_DUPLICATE);
        // Its end is the last thing that happens to it: the type is known, the ability is gone.
        assert_int_equal(kn_ability_remove(f->world, ability, KN_GRANT_CANCEL), KN_OK);
    }
    EXPECT_LOG(f, "7 of 1, 8 of 1, 18 of 1, 9 of 0, ");
}

static void note_granted(void *user, kn_world *world, const kn_reaction *reaction)
{
    fixture *f = user;
    bool is_granted = reaction->trigger == KN_TRIGGER_ABILITY_GRANTED;
    assert_true(kn_ability_is_alive(world, reaction->ability) == is_granted);
    note(f, "%s %s on %u, ", is_granted ? "gains" : "loses",
        kn_ability_type_name(f->library, reaction->ability_type), reaction->entity.index1);
}

static void rules_hear_of_abilities_that_come_and_go(void **state)
{
    fixture *f = *state;
    rule(f, "Granted", KN_TRIGGER_ABILITY_GRANTED, note_granted);
    rule(f, "Removed", KN_TRIGGER_ABILITY_REMOVED, note_granted);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Jump";
    def.body = KN_BODY_USE;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_grant_def shared = kn_ability_grant_def_default();
    kn_ability_id ability;
    shared.type = type;
    shared.share = true;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &shared, &ability), KN_OK);
    EXPECT_LOG(f, "gains Jump on 1, ");
    assert_int_equal(kn_ability_grant(f->world, f->hero, &shared, &ability), KN_OK); // once more
    assert_int_equal(kn_ability_remove(f->world, ability, KN_GRANT_CANCEL), KN_OK);
    EXPECT_LOG(f, "loses Jump on 1, ");
}

static const struct CMUnitTest tests[] = {
    TEST_THREE(rules_hear_of_entities_that_come_and_go),
    TEST_THREE(rules_hear_of_owners_and_parents),
    TEST_THREE(rules_hear_who_controls_an_entity),
    TEST_THREE(rules_hear_of_executions_and_inhibition),
    TEST_THREE(rules_hear_of_refused_abilities),
    TEST_THREE(a_rule_gets_everything_that_an_event_carries),
    TEST_THREE(an_event_without_a_record_has_a_plain_one),
    TEST_THREE(a_rule_that_does_not_want_a_reaction_is_not_queued),
    TEST_THREE(a_rule_can_want_one_type_of_abilities_alone),
    TEST_THREE(rules_of_each_trigger_react_by_priority_then_registration),
    TEST_THREE(rules_hear_of_attribute_sets_that_come_and_go),
    TEST_THREE(rules_hear_of_charges),
    TEST_THREE(rules_hear_of_abilities_that_come_and_go),
    TEST_THREE(definitions_of_an_own_kind_may_bring_rules),
    TEST_THREE(a_kind_that_cannot_register_what_follows_is_reported),
};

TEST_GROUP(rule_triggers, tests, NULL, NULL);
