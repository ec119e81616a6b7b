// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Entities and their ability component: when it comes into being, whose body it has, who owns it.

#include "knack/knack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_tag dead, alarm;
    kn_attribute_set_id vitals;
    kn_attribute_id health;
    kn_effect_type_id hit, blessing;
    kn_component_type_id inventory;
    kn_result result_while_dying;
} scene;

typedef struct inventory {
    uint32_t slots;
    float weight;
} inventory;

// Reaction to the tag Alarm: the entity is destroyed and then hit once more.
static void destroy_and_hit(void *user, kn_world *world, const kn_reaction *reaction)
{
    scene *s = user;
    assert_true(kn_entity_destroy(world, reaction->entity));
    s->result_while_dying =
        kn_effect_apply_simple(world, s->blessing, (kn_entity_id){0}, reaction->entity, 1.0f, NULL);
}

static kn_tag tag_add(kn_library *library, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(library, &def, &tag, NULL), KN_OK);
    return tag;
}

static kn_effect_type_id effect_add(scene *s, const char *name, kn_duration_kind kind, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_ADD, amount);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type = {0};
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

static scene the_scene;

static int setup(void **state)
{
    scene *s = &the_scene;
    memset(s, 0, sizeof *s);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &s->library), KN_OK);
    s->dead = tag_add(s->library, "State.Dead");
    s->alarm = tag_add(s->library, "Alarm");

    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    health.default_value = 100.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = &health;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(s->library, &set, &s->vitals, NULL), KN_OK);
    s->health = kn_attribute_find(s->library, "Vitals.Health");
    s->hit = effect_add(s, "Hit", KN_DURATION_INSTANT, -10.0f);
    s->blessing = effect_add(s, "Blessing", KN_DURATION_INFINITE, 25.0f);

    const kn_field fields[] = {
        {"slots", KN_FIELD_U32, offsetof(inventory, slots), 1},
        {"weight", KN_FIELD_F32, offsetof(inventory, weight), 1},
    };
    kn_component_def component = kn_component_def_default();
    component.name = "Inventory";
    component.size = sizeof(inventory);
    component.fields = fields;
    component.field_count = 2;
    assert_int_equal(kn_component_register(s->library, &component, &s->inventory, NULL), KN_OK);

    kn_rule_def rule = kn_rule_def_default();
    rule.name = "DestroyAndHit";
    rule.trigger = KN_TRIGGER_TAG_ADDED;
    rule.tag = s->alarm;
    rule.function = destroy_and_hit;
    rule.user = s;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(s->library, &rule, &id, NULL), KN_OK);
    assert_int_equal(kn_library_finish(s->library, NULL), KN_OK);

    kn_world_def world = kn_world_def_default();
    world.library = s->library;
    assert_int_equal(kn_world_create(&world, &s->world), KN_OK);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;
    assert_true(kn_world_validate(s->world));
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    return 0;
}

static kn_entity_id entity_create(scene *s)
{
    kn_entity_id entity = {0};
    assert_int_equal(kn_entity_create(s->world, &entity), KN_OK);
    return entity;
}

static kn_entity_id living_create(scene *s)
{
    kn_entity_id entity = entity_create(s);
    assert_int_equal(kn_attribute_set_add(s->world, entity, s->vitals, 0), KN_OK);
    return entity;
}

static kn_effect_id apply(scene *s, kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(s->world, type, (kn_entity_id){0}, target, 1.0f, &effect), KN_OK);
    return effect;
}

static uint32_t count_events(scene *s, kn_event_type type, kn_event *last)
{
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    kn_events events = kn_world_events(s->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == type) {
            *last = events.data[i];
            count++;
        }
    }
    return count;
}

static void assert_same_entity(kn_entity_id a, kn_entity_id b)
{
    assert_true(kn_entity_id_equal(a, b));
}

// The component ---------------------------------------------------------------------

// ASC-060, ASC-002, SET-005, OPT-005, GAPA-054
static void a_prop_gets_its_component_at_the_first_hit(void **state)
{
    scene *s = *state;
    kn_entity_id barrel = entity_create(s);
    assert_false(kn_entity_is_actor(s->world, barrel));
    assert_int_equal(kn_world_get_stats(s->world).actors, 0);
    assert_int_equal(kn_world_step(s->world, KN_S(1)), KN_OK);

    assert_int_equal(kn_attribute_set_add(s->world, barrel, s->vitals, 0), KN_OK);
    apply(s, s->hit, barrel);
    assert_true(kn_entity_is_actor(s->world, barrel));
    assert_int_equal(kn_world_get_stats(s->world).actors, 1);
    assert_true(kn_attribute_value(s->world, barrel, s->health) == 90.0f);
}

// ASC-001, ASC-005
static void tags_effects_and_attributes_live_in_one_component(void **state)
{
    scene *s = *state;
    kn_entity_id entity = living_create(s);
    kn_effect_id first = apply(s, s->blessing, entity), second = apply(s, s->blessing, entity);
    assert_int_equal(kn_entity_add_tag(s->world, entity, s->dead, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_world_get_stats(s->world).actors, 1);
    assert_int_equal(kn_effects_count(s->world, entity), 2);
    kn_effect_query all = kn_effect_query_default();
    kn_effect_id found[3];
    assert_int_equal(kn_effects_find(s->world, entity, &all, found, 3), 2);
    assert_true(kn_effect_id_equal(found[0], first));
    assert_true(kn_effect_id_equal(found[1], second));
    assert_true(kn_attribute_value(s->world, entity, s->health) == 150.0f);
}

// ASC-045, TVE-135
static void adding_the_component_twice_is_harmless(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s);
    assert_int_equal(kn_entity_make_actor(s->world, entity), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, entity, s->vitals, 0), KN_OK);
    apply(s, s->blessing, entity);
    assert_int_equal(kn_entity_make_actor(s->world, entity), KN_OK);
    assert_int_equal(kn_world_get_stats(s->world).actors, 1);
    assert_true(kn_attribute_value(s->world, entity, s->health) == 125.0f);
}

// ASC-004
static void a_game_extends_entities_with_its_own_data(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s), other = entity_create(s);
    inventory *bag = kn_component_add(s->world, s->inventory, entity);
    assert_non_null(bag);
    assert_int_equal(bag->slots, 0);
    bag->slots = 12;
    assert_non_null(kn_component_read(s->world, s->inventory, entity));
    assert_null(kn_component_read(s->world, s->inventory, other));
    assert_true(kn_entity_destroy(s->world, entity));
    assert_null(kn_component_read(s->world, s->inventory, entity));
}

// Owner and avatar ------------------------------------------------------------------

// ASC-020, ASC-021, ASC-043
static void an_entity_is_its_own_body_unless_told_otherwise(void **state)
{
    scene *s = *state;
    kn_entity_id minion = entity_create(s);
    assert_same_entity(kn_entity_avatar(s->world, minion), minion);
    assert_int_equal(kn_entity_make_actor(s->world, minion), KN_OK);
    assert_same_entity(kn_entity_avatar(s->world, minion), minion);
    assert_same_entity(kn_entity_actor(s->world, minion), minion);
}

// ASC-021, ASC-025, ASC-026
static void owner_and_avatar_answer_with_the_same_component(void **state)
{
    scene *s = *state;
    kn_entity_id player = living_create(s), body = entity_create(s);
    assert_int_equal(kn_entity_set_avatar(s->world, player, body), KN_OK);
    assert_same_entity(kn_entity_avatar(s->world, player), body);
    assert_same_entity(kn_entity_actor(s->world, body), player);
    assert_same_entity(kn_entity_actor(s->world, player), player);

    apply(s, s->hit, body);
    assert_true(kn_attribute_value(s->world, player, s->health) == 90.0f);
    assert_true(kn_attribute_value(s->world, body, s->health) == 90.0f);
    assert_int_equal(kn_entity_add_tag(s->world, body, s->dead, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_true(kn_entity_has_tag(s->world, player, s->dead));
    apply(s, s->blessing, player);
    assert_int_equal(kn_effects_count(s->world, body), 1);
    assert_int_equal(kn_world_get_stats(s->world).actors, 1);
}

// ASC-022, ASC-023, ASC-027
static void what_a_player_has_survives_the_change_of_bodies(void **state)
{
    scene *s = *state;
    kn_entity_id player = living_create(s), first = entity_create(s), second = entity_create(s);
    // What never comes back is its own body.
    assert_same_entity(kn_entity_avatar(s->world, player), player);
    assert_int_equal(kn_entity_set_avatar(s->world, player, first), KN_OK);
    kn_effect_id blessing = apply(s, s->blessing, first);
    apply(s, s->hit, first);
    assert_int_equal(kn_entity_add_tag(s->world, first, s->dead, KN_TAG_ORIGIN_LOOSE, 2), KN_OK);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_AVATAR_CHANGED, &event), 1);

    assert_true(kn_entity_destroy(s->world, first));
    assert_same_entity(kn_entity_avatar(s->world, player), player);
    assert_int_equal(kn_entity_set_avatar(s->world, player, second), KN_OK);

    assert_true(kn_effect_is_alive(s->world, blessing));
    assert_true(kn_attribute_base(s->world, second, s->health) == 90.0f);
    assert_true(kn_attribute_value(s->world, second, s->health) == 115.0f);
    assert_int_equal(kn_entity_tag_count(s->world, second, s->dead), 2);
    assert_int_equal(count_events(s, KN_EVENT_AVATAR_CHANGED, &event), 2);
    assert_same_entity(event.entity, player);
    assert_same_entity(event.data.avatar.avatar, second);
    assert_same_entity(event.data.avatar.old_avatar, player);
}

// ASC-027
static void the_old_body_lets_go_of_the_component(void **state)
{
    scene *s = *state;
    kn_entity_id player = living_create(s), first = entity_create(s), second = entity_create(s);
    assert_int_equal(kn_entity_set_avatar(s->world, player, first), KN_OK);
    assert_int_equal(kn_entity_set_avatar(s->world, player, second), KN_OK);
    assert_false(kn_entity_is_actor(s->world, first));
    assert_true(kn_attribute_value(s->world, first, s->health) == 0.0f);
    assert_true(kn_attribute_value(s->world, second, s->health) == 100.0f);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_AVATAR_CHANGED, &event), 2);
    assert_same_entity(event.entity, player);
    assert_same_entity(event.data.avatar.old_avatar, first);
    assert_same_entity(event.data.avatar.avatar, second);

    // A null avatar, or the owner itself, ends the binding.
    assert_int_equal(kn_entity_set_avatar(s->world, player, (kn_entity_id){0}), KN_OK);
    assert_false(kn_entity_is_actor(s->world, second));
    assert_same_entity(kn_entity_avatar(s->world, player), player);
}

// TVE-135, ASC-045
static void binding_the_same_body_twice_changes_nothing(void **state)
{
    scene *s = *state;
    kn_entity_id player = living_create(s), body = entity_create(s);
    assert_int_equal(kn_entity_set_avatar(s->world, player, body), KN_OK);
    apply(s, s->hit, body);
    kn_event event;
    count_events(s, KN_EVENT_AVATAR_CHANGED, &event);
    assert_int_equal(kn_entity_set_avatar(s->world, player, body), KN_OK);
    assert_int_equal(count_events(s, KN_EVENT_AVATAR_CHANGED, &event), 0);
    assert_true(kn_attribute_value(s->world, player, s->health) == 90.0f);
    assert_int_equal(kn_entity_set_avatar(s->world, player, player), KN_OK);
    assert_int_equal(kn_entity_set_avatar(s->world, player, player), KN_OK);
    assert_int_equal(count_events(s, KN_EVENT_AVATAR_CHANGED, &event), 1);
}

static void a_body_with_a_component_or_a_master_of_its_own_is_refused(void **state)
{
    scene *s = *state;
    kn_entity_id player = living_create(s), rival = living_create(s);
    kn_entity_id monster = living_create(s), body = entity_create(s);
    assert_int_equal(kn_entity_set_avatar(s->world, player, monster), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_entity_set_avatar(s->world, rival, body), KN_OK);
    assert_int_equal(kn_entity_set_avatar(s->world, player, body), KN_REFUSED_DUPLICATE);
    assert_same_entity(kn_entity_avatar(s->world, player), player);
    assert_same_entity(kn_entity_actor(s->world, body), rival);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_AVATAR_CHANGED, &event), 1);
}

static void when_the_owner_goes_its_body_stays_as_a_plain_entity(void **state)
{
    scene *s = *state;
    kn_entity_id player = living_create(s), body = entity_create(s);
    assert_int_equal(kn_entity_set_avatar(s->world, player, body), KN_OK);
    kn_effect_id blessing = apply(s, s->blessing, body);
    assert_true(kn_entity_destroy(s->world, player));
    assert_true(kn_entity_is_alive(s->world, body));
    assert_false(kn_entity_is_actor(s->world, body));
    assert_false(kn_effect_is_alive(s->world, blessing));
    assert_int_equal(kn_attribute_set_add(s->world, body, s->vitals, 0), KN_OK);
    assert_true(kn_attribute_value(s->world, body, s->health) == 100.0f);
}

// ASC-047
static void the_owning_client_is_an_explicit_number(void **state)
{
    scene *s = *state;
    kn_entity_id player = entity_create(s), body = entity_create(s), vehicle = entity_create(s);
    assert_int_equal(kn_entity_connection(s->world, player), 0);
    assert_int_equal(kn_entity_set_connection(s->world, player, 7), KN_OK);
    assert_int_equal(kn_entity_set_avatar(s->world, player, body), KN_OK);
    assert_int_equal(kn_entity_connection(s->world, body), 7);
    assert_int_equal(kn_entity_make_actor(s->world, vehicle), KN_OK);
    assert_int_equal(kn_entity_connection(s->world, vehicle), 0); // the server's own
    assert_int_equal(kn_entity_role(s->world, vehicle), KN_ROLE_AUTHORITY);
    assert_true(kn_entity_is_local(s->world, vehicle));
    assert_int_equal(kn_entity_role(s->world, body), KN_ROLE_SERVER);
    assert_false(kn_entity_is_local(s->world, body));
    // Nor by a chain of owners, or of parts.
    assert_int_equal(kn_entity_set_owner(s->world, vehicle, player), KN_OK);
    assert_int_equal(kn_entity_set_parent(s->world, vehicle, player), KN_OK);
    assert_int_equal(kn_entity_connection(s->world, vehicle), 0);
    assert_int_equal(kn_entity_role(s->world, vehicle), KN_ROLE_AUTHORITY);
    assert_int_equal(kn_entity_set_connection(s->world, player, 0), KN_OK);
    assert_int_equal(kn_entity_connection(s->world, body), 0);
}

// Parents and owners ----------------------------------------------------------------

static void an_entity_cannot_become_its_own_ancestor(void **state)
{
    scene *s = *state;
    kn_entity_id a = entity_create(s), b = entity_create(s), c = entity_create(s);
    assert_int_equal(kn_entity_set_parent(s->world, a, a), KN_REFUSED_CYCLE);
    assert_int_equal(kn_entity_set_parent(s->world, b, a), KN_OK);
    assert_int_equal(kn_entity_set_parent(s->world, c, b), KN_OK);
    assert_int_equal(kn_entity_set_parent(s->world, a, c), KN_REFUSED_CYCLE);
    assert_true(kn_entity_id_is_null(kn_entity_parent(s->world, a)));
    assert_same_entity(kn_entity_parent(s->world, c), b);

    // The body of a child is the child.
    kn_entity_id body = entity_create(s);
    assert_int_equal(kn_entity_set_avatar(s->world, c, body), KN_OK);
    assert_int_equal(kn_entity_set_parent(s->world, a, body), KN_REFUSED_CYCLE);

    assert_true(kn_entity_destroy(s->world, b));
    assert_true(kn_entity_id_is_null(kn_entity_parent(s->world, c)));
    assert_int_equal(kn_entity_set_parent(s->world, a, c), KN_OK);
}

#define CHAIN_MAX 256

// A longer chain could be saved, but not loaded.
static void a_chain_of_parents_has_a_limit(void **state)
{
    scene *s = *state;
    kn_entity_id chain[CHAIN_MAX], pair[2] = {entity_create(s), entity_create(s)};
    chain[0] = entity_create(s);
    for (uint32_t i = 1; i < CHAIN_MAX; i++) {
        chain[i] = entity_create(s);
        assert_int_equal(kn_entity_set_parent(s->world, chain[i], chain[i - 1]), KN_OK);
    }
    assert_int_equal(kn_entity_set_parent(s->world, pair[1], pair[0]), KN_OK);

    // What hangs on an entity counts.
    assert_int_equal(
        kn_entity_set_parent(s->world, pair[0], chain[CHAIN_MAX - 1]), KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_entity_set_parent(s->world, pair[0], chain[CHAIN_MAX - 2]), KN_REFUSED_LIMIT);
    assert_int_equal(kn_entity_set_parent(s->world, chain[0], pair[0]), KN_REFUSED_LIMIT);
    assert_true(kn_entity_id_is_null(kn_entity_parent(s->world, pair[0])));
    assert_int_equal(kn_entity_set_parent(s->world, pair[0], chain[CHAIN_MAX - 3]), KN_OK);
    assert_true(kn_world_validate(s->world));

    size_t size;
    assert_int_equal(kn_save_write(s->world, NULL, 0, &size), KN_OK);
    void *save = malloc(size);
    assert_non_null(save);
    assert_int_equal(kn_save_write(s->world, save, size, &size), KN_OK);
    kn_error error = {0};
    assert_int_equal(kn_save_read(s->world, save, size, &error), KN_OK);
    free(save);
}

static void changing_the_owner_is_told_once(void **state)
{
    scene *s = *state;
    kn_entity_id unit = entity_create(s), red = entity_create(s), blue = entity_create(s);
    kn_event event;
    assert_int_equal(kn_entity_set_owner(s->world, unit, red), KN_OK);
    assert_int_equal(kn_entity_set_owner(s->world, unit, red), KN_OK);
    assert_int_equal(count_events(s, KN_EVENT_OWNER_CHANGED, &event), 1);
    assert_int_equal(kn_entity_set_owner(s->world, unit, blue), KN_OK);
    assert_int_equal(count_events(s, KN_EVENT_OWNER_CHANGED, &event), 1);
    assert_same_entity(event.data.avatar.avatar, blue);
    assert_same_entity(event.data.avatar.old_avatar, red);
    assert_int_equal(kn_entity_set_owner(s->world, unit, (kn_entity_id){0}), KN_OK);
    assert_true(kn_entity_id_is_null(kn_entity_owner(s->world, unit)));
}

// Life and death --------------------------------------------------------------------

static void walking_visits_every_live_entity_once(void **state)
{
    scene *s = *state;
    kn_entity_id all[20];
    for (uint32_t i = 0; i < 20; i++) {
        all[i] = entity_create(s);
        assert_int_equal(kn_entity_set_user(s->world, all[i], UINT64_MAX - i), KN_OK);
    }
    for (uint32_t i = 0; i < 20; i += 3) {
        assert_true(kn_entity_destroy(s->world, all[i]));
    }
    uint64_t seen = 0;
    uint32_t count = 0;
    for (kn_entity_id at = kn_entity_next(s->world, (kn_entity_id){0}); !kn_entity_id_is_null(at);
         at = kn_entity_next(s->world, at)) {
        seen |= UINT64_C(1) << (UINT64_MAX - kn_entity_user(s->world, at));
        count++;
    }
    assert_int_equal(count, 13);
    assert_int_equal(kn_entity_count(s->world), 13);
    assert_int_equal(seen, 0xfffff & ~UINT64_C(0x49249));
}

static void a_destroyed_entity_leaves_stale_ids_everywhere(void **state)
{
    scene *s = *state;
    kn_entity_id first = living_create(s);
    kn_effect_id blessing = apply(s, s->blessing, first);
    assert_true(kn_entity_destroy(s->world, first));
    assert_false(kn_entity_destroy(s->world, first));
    kn_entity_id second = entity_create(s);
    assert_int_equal(first.index1, second.index1); // the slot was reused
    assert_false(kn_entity_is_alive(s->world, first));
    assert_true(kn_entity_is_alive(s->world, second));
    assert_false(kn_effect_is_alive(s->world, blessing));
    assert_int_equal(kn_entity_user(s->world, second), 0);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_EFFECT_REMOVED, &event), 1);
    assert_int_equal(event.data.effect.reason, KN_REMOVED_TARGET_DIED);
}

static void a_dying_entity_accepts_no_new_effects(void **state)
{
    scene *s = *state;
    kn_entity_id entity = living_create(s);
    assert_int_equal(kn_entity_add_tag(s->world, entity, s->alarm, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(s->result_while_dying, KN_REFUSED_DYING);
    assert_false(kn_entity_is_alive(s->world, entity));
    assert_int_equal(kn_entity_count(s->world), 0);
}

static void every_call_refuses_null_and_stale_entities(void **state)
{
    scene *s = *state;
    kn_world *world = s->world;
    kn_entity_id good = living_create(s), gone = living_create(s);
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
            kn_effect_apply_simple(world, s->hit, good, id, 1.0f, NULL), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effects_count(world, id), 0);
        assert_null(kn_component_read(world, s->inventory, id.index1 == 0 ? gone : id));
        char text[32];
        kn_entity_dump(world, id, text, sizeof text); // says so, and does not crash
        if (id.index1 == 0) {
            continue; // null means "none" below
        }
        assert_int_equal(kn_entity_set_avatar(world, good, id), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_entity_set_parent(world, good, id), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_entity_set_owner(world, good, id), KN_REFUSED_STALE_ID);
        assert_null(kn_component_add(world, s->inventory, id));
    }
    assert_int_equal(kn_entity_count(world), 1);
    assert_same_entity(kn_entity_avatar(world, good), good);
    assert_true(kn_entity_id_is_null(kn_entity_parent(world, good)));
    assert_true(kn_attribute_value(world, good, s->health) == 100.0f);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    return cmocka_run_group_tests(tests, NULL, NULL);
}
