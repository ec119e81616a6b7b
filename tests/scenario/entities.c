// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Entities and their ability component: when it comes into being, whose body it has, who owns it.

#define FIXTURE_OWN                                                                                \
    kn_tag dead, alarm;                                                                            \
    kn_effect_type_id hit, blessing;                                                               \
    kn_component_type_id inventory;                                                                \
    kn_result result_while_dying;

#include "scenario/fixture.h"

typedef struct inventory {
    uint32_t slots;
    float weight;
} inventory;

// Reaction to the tag Alarm: the entity is destroyed and then hit once more.
static void destroy_and_hit(void *user, kn_world *world, const kn_reaction *reaction)
{
    fixture *f = user;
    assert_true(kn_entity_destroy(world, reaction->entity));
    f->result_while_dying =
        kn_effect_apply_simple(world, f->blessing, (kn_entity_id){0}, reaction->entity, 1.0f, NULL);
}

static int setup(void **state)
{
    fixture *f = fixture_create(0);
    f->dead = tag_of(f, "State.Dead");
    f->alarm = tag_of(f, "Alarm");

    kn_attribute_def health = attribute_def("Health", 100.0f);
    fixture_set(f, "Vitals", &health, 1);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -10.0f);
    f->hit = effect_of(f, "Hit", KN_DURATION_INSTANT, &modifier, 1);
    modifier = kn_modifier_constant(f->health, KN_OP_ADD, 25.0f);
    f->blessing = effect_of(f, "Blessing", KN_DURATION_INFINITE, &modifier, 1);

    const kn_field fields[] = {
        KN_FIELD_INIT("slots", KN_FIELD_U32, offsetof(inventory, slots), 1),
        KN_FIELD_INIT("weight", KN_FIELD_F32, offsetof(inventory, weight), 1),
    };
    kn_component_def component = kn_component_def_default();
    component.name = "Inventory";
    component.size = sizeof(inventory);
    component.fields = fields;
    component.field_count = 2;
    assert_int_equal(kn_component_register(f->library, &component, &f->inventory, NULL), KN_OK);

    kn_rule_def rule = kn_rule_def_default();
    rule.name = "DestroyAndHit";
    rule.trigger = KN_TRIGGER_TAG_ADDED;
    rule.tag = f->alarm;
    rule.function = destroy_and_hit;
    rule.user = f;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    begin(f);
    *state = f;
    return 0;
}

static kn_entity_id living_create(fixture *f)
{
    kn_entity_id entity = entity_create(f);
    add_set(f, entity, f->set);
    return entity;
}

static kn_effect_id apply(fixture *f, kn_effect_type_id type, kn_entity_id target)
{
    return apply_from_to(f, type, (kn_entity_id){0}, target, 1.0f);
}

static void assert_same_entity(kn_entity_id a, kn_entity_id b)
{
    assert_true(kn_entity_id_equal(a, b));
}

// The component ---------------------------------------------------------------------

// ASC-060, ASC-002, SET-005, OPT-005, GAPA-054
static void a_prop_gets_its_component_at_the_first_hit(void **state)
{
    fixture *f = *state;
    kn_entity_id barrel = entity_create(f);
    assert_false(kn_entity_is_actor(f->world, barrel));
    assert_int_equal(kn_world_get_stats(f->world).actors, 0);
    step(f, KN_S(1));

    add_set(f, barrel, f->set);
    apply(f, f->hit, barrel);
    assert_true(kn_entity_is_actor(f->world, barrel));
    assert_int_equal(kn_world_get_stats(f->world).actors, 1);
    assert_true(kn_attribute_value(f->world, barrel, f->health) == 90.0f);
}

// ASC-001, ASC-005
static void tags_effects_and_attributes_live_in_one_component(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = living_create(f);
    kn_effect_id first = apply(f, f->blessing, entity), second = apply(f, f->blessing, entity);
    add_tag(f, entity, f->dead);
    assert_int_equal(kn_world_get_stats(f->world).actors, 1);
    assert_int_equal(kn_effects_count(f->world, entity), 2);
    kn_effect_query all = kn_effect_query_default();
    kn_effect_id found[3];
    assert_int_equal(kn_effects_find(f->world, entity, &all, found, 3), 2);
    assert_true(kn_effect_id_equal(found[0], first));
    assert_true(kn_effect_id_equal(found[1], second));
    assert_true(kn_attribute_value(f->world, entity, f->health) == 150.0f);
}

// ASC-045, TVE-135
static void adding_the_component_twice_is_harmless(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_create(f);
    assert_int_equal(kn_entity_make_actor(f->world, entity), KN_OK);
    add_set(f, entity, f->set);
    apply(f, f->blessing, entity);
    assert_int_equal(kn_entity_make_actor(f->world, entity), KN_OK);
    assert_int_equal(kn_world_get_stats(f->world).actors, 1);
    assert_true(kn_attribute_value(f->world, entity, f->health) == 125.0f);
}

// ASC-004
static void a_game_extends_entities_with_its_own_data(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_create(f), other = entity_create(f);
    inventory *bag = kn_component_add(f->world, f->inventory, entity);
    assert_non_null(bag);
    assert_int_equal(bag->slots, 0);
    bag->slots = 12;
    assert_non_null(kn_component_read(f->world, f->inventory, entity));
    assert_null(kn_component_read(f->world, f->inventory, other));
    assert_true(kn_entity_destroy(f->world, entity));
    assert_null(kn_component_read(f->world, f->inventory, entity));
}

// Owner and avatar ------------------------------------------------------------------

// ASC-020, ASC-021, ASC-043
static void an_entity_is_its_own_body_unless_told_otherwise(void **state)
{
    fixture *f = *state;
    kn_entity_id minion = entity_create(f);
    assert_same_entity(kn_entity_avatar(f->world, minion), minion);
    assert_int_equal(kn_entity_make_actor(f->world, minion), KN_OK);
    assert_same_entity(kn_entity_avatar(f->world, minion), minion);
    assert_same_entity(kn_entity_actor(f->world, minion), minion);
}

// ASC-021, ASC-025, ASC-026
static void owner_and_avatar_answer_with_the_same_component(void **state)
{
    fixture *f = *state;
    kn_entity_id player = living_create(f), body = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, player, body), KN_OK);
    assert_same_entity(kn_entity_avatar(f->world, player), body);
    assert_same_entity(kn_entity_actor(f->world, body), player);
    assert_same_entity(kn_entity_actor(f->world, player), player);

    apply(f, f->hit, body);
    assert_true(kn_attribute_value(f->world, player, f->health) == 90.0f);
    assert_true(kn_attribute_value(f->world, body, f->health) == 90.0f);
    add_tag(f, body, f->dead);
    assert_true(kn_entity_has_tag(f->world, player, f->dead));
    apply(f, f->blessing, player);
    assert_int_equal(kn_effects_count(f->world, body), 1);
    assert_int_equal(kn_world_get_stats(f->world).actors, 1);
}

// ASC-022, ASC-023, ASC-027
static void what_a_player_has_survives_the_change_of_bodies(void **state)
{
    fixture *f = *state;
    kn_entity_id player = living_create(f), first = entity_create(f), second = entity_create(f);
    // What never comes back is its own body.
    assert_same_entity(kn_entity_avatar(f->world, player), player);
    assert_int_equal(kn_entity_set_avatar(f->world, player, first), KN_OK);
    kn_effect_id blessing = apply(f, f->blessing, first);
    apply(f, f->hit, first);
    assert_int_equal(kn_entity_add_tag(f->world, first, f->dead, KN_TAG_ORIGIN_LOOSE, 2), KN_OK);
    kn_event event;
    assert_int_equal(published(f, KN_EVENT_AVATAR_CHANGED, &event), 1);

    assert_true(kn_entity_destroy(f->world, first));
    assert_same_entity(kn_entity_avatar(f->world, player), player);
    assert_int_equal(kn_entity_set_avatar(f->world, player, second), KN_OK);

    assert_true(kn_effect_is_alive(f->world, blessing));
    assert_true(kn_attribute_base(f->world, second, f->health) == 90.0f);
    assert_true(kn_attribute_value(f->world, second, f->health) == 115.0f);
    assert_int_equal(kn_entity_tag_count(f->world, second, f->dead), 2);
    assert_int_equal(published(f, KN_EVENT_AVATAR_CHANGED, &event), 2);
    assert_same_entity(event.entity, player);
    assert_same_entity(event.data.avatar.avatar, second);
    assert_same_entity(event.data.avatar.old_avatar, player);
}

// ASC-027
static void the_old_body_lets_go_of_the_component(void **state)
{
    fixture *f = *state;
    kn_entity_id player = living_create(f), first = entity_create(f), second = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, player, first), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, player, second), KN_OK);
    assert_false(kn_entity_is_actor(f->world, first));
    assert_true(kn_attribute_value(f->world, first, f->health) == 0.0f);
    assert_true(kn_attribute_value(f->world, second, f->health) == 100.0f);
    kn_event event;
    assert_int_equal(published(f, KN_EVENT_AVATAR_CHANGED, &event), 2);
    assert_same_entity(event.entity, player);
    assert_same_entity(event.data.avatar.old_avatar, first);
    assert_same_entity(event.data.avatar.avatar, second);

    // A null avatar, or the owner itself, ends the binding.
    assert_int_equal(kn_entity_set_avatar(f->world, player, (kn_entity_id){0}), KN_OK);
    assert_false(kn_entity_is_actor(f->world, second));
    assert_same_entity(kn_entity_avatar(f->world, player), player);
}

// TVE-135, ASC-045
static void binding_the_same_body_twice_changes_nothing(void **state)
{
    fixture *f = *state;
    kn_entity_id player = living_create(f), body = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, player, body), KN_OK);
    apply(f, f->hit, body);
    kn_event event;
    published(f, KN_EVENT_AVATAR_CHANGED, &event);
    assert_int_equal(kn_entity_set_avatar(f->world, player, body), KN_OK);
    assert_int_equal(published(f, KN_EVENT_AVATAR_CHANGED, &event), 0);
    assert_true(kn_attribute_value(f->world, player, f->health) == 90.0f);
    assert_int_equal(kn_entity_set_avatar(f->world, player, player), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, player, player), KN_OK);
    assert_int_equal(published(f, KN_EVENT_AVATAR_CHANGED, &event), 1);
}

static void a_body_with_a_component_or_a_master_of_its_own_is_refused(void **state)
{
    fixture *f = *state;
    kn_entity_id player = living_create(f), rival = living_create(f);
    kn_entity_id monster = living_create(f), body = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, player, monster), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_entity_set_avatar(f->world, rival, body), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, player, body), KN_REFUSED_DUPLICATE);
    assert_same_entity(kn_entity_avatar(f->world, player), player);
    assert_same_entity(kn_entity_actor(f->world, body), rival);
    kn_event event;
    assert_int_equal(published(f, KN_EVENT_AVATAR_CHANGED, &event), 1);
}

static void when_the_owner_goes_its_body_stays_as_a_plain_entity(void **state)
{
    fixture *f = *state;
    kn_entity_id player = living_create(f), body = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, player, body), KN_OK);
    kn_effect_id blessing = apply(f, f->blessing, body);
    assert_true(kn_entity_destroy(f->world, player));
    assert_true(kn_entity_is_alive(f->world, body));
    assert_false(kn_entity_is_actor(f->world, body));
    assert_false(kn_effect_is_alive(f->world, blessing));
    add_set(f, body, f->set);
    assert_true(kn_attribute_value(f->world, body, f->health) == 100.0f);
}

// ASC-047
static void the_owning_client_is_an_explicit_number(void **state)
{
    fixture *f = *state;
    kn_entity_id player = entity_create(f), body = entity_create(f), vehicle = entity_create(f);
    assert_int_equal(kn_entity_connection(f->world, player), 0);
    assert_int_equal(kn_entity_set_connection(f->world, player, 7), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, player, body), KN_OK);
    assert_int_equal(kn_entity_connection(f->world, body), 7);
    assert_int_equal(kn_entity_make_actor(f->world, vehicle), KN_OK);
    assert_int_equal(kn_entity_connection(f->world, vehicle), 0); // the server's own
    assert_int_equal(kn_entity_role(f->world, vehicle), KN_ROLE_AUTHORITY);
    assert_true(kn_entity_is_local(f->world, vehicle));
    assert_int_equal(kn_entity_role(f->world, body), KN_ROLE_SERVER);
    assert_false(kn_entity_is_local(f->world, body));
    // Nor by a chain of owners, or of parts.
    assert_int_equal(kn_entity_set_owner(f->world, vehicle, player), KN_OK);
    assert_int_equal(kn_entity_set_parent(f->world, vehicle, player), KN_OK);
    assert_int_equal(kn_entity_connection(f->world, vehicle), 0);
    assert_int_equal(kn_entity_role(f->world, vehicle), KN_ROLE_AUTHORITY);
    assert_int_equal(kn_entity_set_connection(f->world, player, 0), KN_OK);
    assert_int_equal(kn_entity_connection(f->world, body), 0);
}

// Parents and owners ----------------------------------------------------------------

static void an_entity_cannot_become_its_own_ancestor(void **state)
{
    fixture *f = *state;
    kn_entity_id a = entity_create(f), b = entity_create(f), c = entity_create(f);
    assert_int_equal(kn_entity_set_parent(f->world, a, a), KN_REFUSED_CYCLE);
    assert_int_equal(kn_entity_set_parent(f->world, b, a), KN_OK);
    assert_int_equal(kn_entity_set_parent(f->world, c, b), KN_OK);
    assert_int_equal(kn_entity_set_parent(f->world, a, c), KN_REFUSED_CYCLE);
    assert_true(kn_entity_id_is_null(kn_entity_parent(f->world, a)));
    assert_same_entity(kn_entity_parent(f->world, c), b);

    // The body of a child is the child.
    kn_entity_id body = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, c, body), KN_OK);
    assert_int_equal(kn_entity_set_parent(f->world, a, body), KN_REFUSED_CYCLE);

    assert_true(kn_entity_destroy(f->world, b));
    assert_true(kn_entity_id_is_null(kn_entity_parent(f->world, c)));
    assert_int_equal(kn_entity_set_parent(f->world, a, c), KN_OK);
}

#define CHAIN_MAX 256

// A longer chain could be saved, but not loaded.
static void a_chain_of_parents_has_a_limit(void **state)
{
    fixture *f = *state;
    kn_entity_id chain[CHAIN_MAX], pair[2] = {entity_create(f), entity_create(f)};
    chain[0] = entity_create(f);
    for (uint32_t i = 1; i < CHAIN_MAX; i++) {
        chain[i] = entity_create(f);
        assert_int_equal(kn_entity_set_parent(f->world, chain[i], chain[i - 1]), KN_OK);
    }
    assert_int_equal(kn_entity_set_parent(f->world, pair[1], pair[0]), KN_OK);

    // What hangs on an entity counts.
    assert_int_equal(
        kn_entity_set_parent(f->world, pair[0], chain[CHAIN_MAX - 1]), KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_entity_set_parent(f->world, pair[0], chain[CHAIN_MAX - 2]), KN_REFUSED_LIMIT);
    assert_int_equal(kn_entity_set_parent(f->world, chain[0], pair[0]), KN_REFUSED_LIMIT);
    assert_true(kn_entity_id_is_null(kn_entity_parent(f->world, pair[0])));
    assert_int_equal(kn_entity_set_parent(f->world, pair[0], chain[CHAIN_MAX - 3]), KN_OK);
    assert_true(kn_world_validate(f->world));

    size_t size;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    void *save = malloc(size);
    assert_non_null(save);
    assert_int_equal(kn_save_write(f->world, save, size, &size), KN_OK);
    kn_error error = {0};
    assert_int_equal(kn_save_read(f->world, save, size, &error), KN_OK);
    free(save);
}

static void changing_the_owner_is_told_once(void **state)
{
    fixture *f = *state;
    kn_entity_id unit = entity_create(f), red = entity_create(f), blue = entity_create(f);
    kn_event event;
    assert_int_equal(kn_entity_set_owner(f->world, unit, red), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, unit, red), KN_OK);
    assert_int_equal(published(f, KN_EVENT_OWNER_CHANGED, &event), 1);
    assert_int_equal(kn_entity_set_owner(f->world, unit, blue), KN_OK);
    assert_int_equal(published(f, KN_EVENT_OWNER_CHANGED, &event), 1);
    assert_same_entity(event.data.avatar.avatar, blue);
    assert_same_entity(event.data.avatar.old_avatar, red);
    assert_int_equal(kn_entity_set_owner(f->world, unit, (kn_entity_id){0}), KN_OK);
    assert_true(kn_entity_id_is_null(kn_entity_owner(f->world, unit)));
}

// Life and death --------------------------------------------------------------------

static void walking_visits_every_live_entity_once(void **state)
{
    fixture *f = *state;
    kn_entity_id all[20];
    for (uint32_t i = 0; i < 20; i++) {
        all[i] = entity_create(f);
        assert_int_equal(kn_entity_set_user(f->world, all[i], UINT64_MAX - i), KN_OK);
    }
    for (uint32_t i = 0; i < 20; i += 3) {
        assert_true(kn_entity_destroy(f->world, all[i]));
    }
    uint64_t seen = 0;
    uint32_t count = 0;
    for (kn_entity_id at = kn_entity_next(f->world, (kn_entity_id){0}); !kn_entity_id_is_null(at);
         at = kn_entity_next(f->world, at)) {
        seen |= UINT64_C(1) << (UINT64_MAX - kn_entity_user(f->world, at));
        count++;
    }
    assert_int_equal(count, 13);
    assert_int_equal(kn_entity_count(f->world), 13);
    assert_int_equal(seen, 0xfffff & ~UINT64_C(0x49249));
}

static void a_destroyed_entity_leaves_stale_ids_everywhere(void **state)
{
    fixture *f = *state;
    kn_entity_id first = living_create(f);
    kn_effect_id blessing = apply(f, f->blessing, first);
    assert_true(kn_entity_destroy(f->world, first));
    assert_false(kn_entity_destroy(f->world, first));
    kn_entity_id second = entity_create(f);
    assert_int_equal(first.index1, second.index1); // the slot was reused
    assert_false(kn_entity_is_alive(f->world, first));
    assert_true(kn_entity_is_alive(f->world, second));
    assert_false(kn_effect_is_alive(f->world, blessing));
    assert_int_equal(kn_entity_user(f->world, second), 0);
    kn_event event;
    assert_int_equal(published(f, KN_EVENT_EFFECT_REMOVED, &event), 1);
    assert_int_equal(event.data.effect.reason, KN_REMOVED_TARGET_DIED);
}

static void a_dying_entity_accepts_no_new_effects(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = living_create(f);
    add_tag(f, entity, f->alarm);
    assert_int_equal(f->result_while_dying, KN_REFUSED_DYING);
    assert_false(kn_entity_is_alive(f->world, entity));
    assert_int_equal(kn_entity_count(f->world), 0);
}

static void every_call_refuses_null_and_stale_entities(void **state)
{
    fixture *f = *state;
    kn_world *world = f->world;
    kn_entity_id good = living_create(f), gone = living_create(f);
    assert_true(kn_entity_destroy(world, gone));
    const kn_entity_id bad[] = {
        {0, 0}, gone, {0, 5}, {good.index1, good.generation + 1}, {UINT32_MAX, 0}, {1000000, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kn_entity_id id = bad[i];
        assert_false(kn_entity_is_alive(world, id));
        assert_false(kn_entity_destroy(world, id));
        assert_int_equal(kn_entity_set_user(world, id, 3), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_entity_user(world, id), 0);
        assert_int_equal(kn_entity_make_actor(world, id), KN_REFUSED_STALE_ID);
        assert_false(kn_entity_is_actor(world, id));
        assert_int_equal(kn_entity_set_avatar(world, id, good), KN_REFUSED_STALE_ID);
        assert_true(kn_entity_id_is_null(kn_entity_avatar(world, id)));
        assert_true(kn_entity_id_is_null(kn_entity_actor(world, id)));
        assert_int_equal(kn_entity_set_connection(world, id, 1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_entity_connection(world, id), 0);
        assert_int_equal(kn_entity_set_parent(world, id, good), KN_REFUSED_STALE_ID);
        assert_true(kn_entity_id_is_null(kn_entity_parent(world, id)));
        assert_int_equal(kn_entity_set_owner(world, id, good), KN_REFUSED_STALE_ID);
        assert_true(kn_entity_id_is_null(kn_entity_owner(world, id)));
        assert_int_equal(
            kn_effect_apply_simple(world, f->hit, good, id, 1.0f, NULL), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effects_count(world, id), 0);
        assert_null(kn_component_read(world, f->inventory, id.index1 == 0 ? gone : id));
        char text[32];
        kn_entity_dump(world, id, text, sizeof text); // says so, and does not crash
        if (id.index1 == 0) {
            continue; // null means "none" below
        }
        assert_int_equal(kn_entity_set_avatar(world, good, id), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_entity_set_parent(world, good, id), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_entity_set_owner(world, good, id), KN_REFUSED_STALE_ID);
        assert_null(kn_component_add(world, f->inventory, id));
    }
    assert_int_equal(kn_entity_count(world), 1);
    assert_same_entity(kn_entity_avatar(world, good), good);
    assert_true(kn_entity_id_is_null(kn_entity_parent(world, good)));
    assert_true(kn_attribute_value(world, good, f->health) == 100.0f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_prop_gets_its_component_at_the_first_hit),
    TEST(tags_effects_and_attributes_live_in_one_component),
    TEST(adding_the_component_twice_is_harmless),
    TEST(a_game_extends_entities_with_its_own_data),
    TEST(an_entity_is_its_own_body_unless_told_otherwise),
    TEST(owner_and_avatar_answer_with_the_same_component),
    TEST(what_a_player_has_survives_the_change_of_bodies),
    TEST(the_old_body_lets_go_of_the_component),
    TEST(binding_the_same_body_twice_changes_nothing),
    TEST(a_body_with_a_component_or_a_master_of_its_own_is_refused),
    TEST(when_the_owner_goes_its_body_stays_as_a_plain_entity),
    TEST(the_owning_client_is_an_explicit_number),
    TEST(an_entity_cannot_become_its_own_ancestor),
    TEST(a_chain_of_parents_has_a_limit),
    TEST(changing_the_owner_is_told_once),
    TEST(walking_visits_every_live_entity_once),
    TEST(a_destroyed_entity_leaves_stale_ids_everywhere),
    TEST(a_dying_entity_accepts_no_new_effects),
    TEST(every_call_refuses_null_and_stale_entities),
};

TEST_GROUP(entities, tests, NULL, NULL);
