// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What containers are good for: a shell carries the number of one through the air, and whoever
// fired it, on impact everything it says happens at once.

#include "scenario/ability_replay.h"

// What flies: an entity with this, and a timer.
typedef struct shell {
    kn_entity_id shooter;
    uint32_t container;
    float damage;
    float level;
} shell;

static const kn_field shell_fields[] = {
    KN_FIELD_INIT("shooter", KN_FIELD_ENTITY, offsetof(shell, shooter), 1),
    KN_FIELD_INIT("container", KN_FIELD_U32, offsetof(shell, container), 1),
    KN_FIELD_INIT("damage", KN_FIELD_F32, offsetof(shell, damage), 1),
    KN_FIELD_INIT("level", KN_FIELD_F32, offsetof(shell, level), 1),
};

static kn_component_type_id shell_type(const kn_world *world)
{
    return kn_component_find(kn_world_library(world), "Shell");
}

// Places are numbers on a line: the low bits of an entity's user data.
static float place_of(const kn_world *world, kn_entity_id entity)
{
    return (float)(kn_entity_user(world, entity) & 0xff);
}

// Simple targeting: everybody within 5 of the origin who is not a shell.
static uint32_t find_near(void *user, const kn_world *world, kn_entity_id source,
    const kn_vec3 *origin, kn_entity_id *out, uint32_t capacity)
{
    (void)user;
    (void)source;
    uint32_t count = 0;
    kn_entity_id entity = {0};
    while (origin != NULL && count < capacity &&
           (entity = kn_entity_next(world, entity)).index1 != 0) {
        float way = place_of(world, entity) - origin->x;
        if (way * way <= 25.0f && kn_component_read(world, shell_type(world), entity) == NULL) {
            out[count++] = entity;
        }
    }
    return count;
}

// Impact: what the shell met as target data, where it was as the origin of the context.
static kn_time impact(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)data;
    fixture *f = user;
    const shell carried = *(const shell *)kn_component_get(world, shell_type(world), entity);
    kn_container_value damage = {{0}, {tag_of(f, "Data.Damage"), -carried.damage}};
    kn_effect_context context = {
        .causer = entity, .origin = {place_of(world, entity), 0, 0}, .has_origin = true};
    kn_target_data met = {0};
    kn_target_hit hit = {.entity = f->foe};
    assert_int_equal(kn_target_add(f->library, &met, kn_target_type_hit(), &hit), KN_OK);
    kn_container_apply_def def = kn_container_apply_def_default();
    def.container = (kn_container_id){carried.container};
    def.source = carried.shooter;
    def.level = carried.level;
    def.values = &damage;
    def.value_count = 1;
    def.context = &context;
    def.data = met.bytes;
    def.data_size = met.size;
    uint32_t applied;
    assert_int_equal(kn_container_apply(world, &def, &applied), KN_OK);
    note(f, "%u. ", applied);
    assert_true(kn_entity_destroy(world, entity));
    return 0;
}

static kn_result launch(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_SPAWN);
    def.user = 50; // where it will come down
    return kn_task_run(call->world, call->activation, &def, NULL);
}

// The shell is there: it gets what the ability has to say, and goes.
static void launched(const kn_ability_call *call, const kn_task_result *result)
{
    kn_entity_id entity = result->data.entity;
    const char *name = strcmp(ability_name(call), "Shoot") == 0 ? "Pellets" : "Blast";
    shell *carried = kn_component_add(call->world, shell_type(call->world), entity);
    *carried = (shell){call->owner, kn_container_find(kn_world_library(call->world), name).index1,
        20.0f, kn_ability_level(call->world, call->ability)};
    kn_timer_type_id type = kn_timer_type_find(kn_world_library(call->world), "Impact");
    kn_timer_id timer;
    assert_int_equal(kn_timer_start(call->world, type, entity, KN_MS(500), NULL, &timer), KN_OK);
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

static void container_register(fixture *f, const char *name, kn_container_target target,
    const kn_effect_type_id *effects, uint32_t count)
{
    kn_container_def def = kn_container_def_default();
    def.name = name;
    def.target = target;
    def.targeting = target == KN_CONTAINER_CUSTOM ? find_near : NULL;
    def.effects = effects;
    def.effect_count = count;
    kn_container_id container;
    assert_int_equal(kn_container_register(f->library, &def, &container, NULL), KN_OK);
}

// Damage by the caller's number, and a slow.
static void effects_register(fixture *f, kn_effect_type_id effects[2])
{
    kn_modifier_def wound = kn_modifier_def_default();
    wound.attribute = f->health;
    wound.magnitude = kn_magnitude_set_by_caller(tag_of(f, "Data.Damage"));
    kn_effect_def hit = instant("Hit");
    hit.modifiers = &wound;
    hit.modifier_count = 1;
    effects[0] = effect_register(f, &hit);
    kn_modifier_def drag = kn_modifier_constant(f->haste, KN_OP_ADD, -0.5f);
    kn_effect_def slow = timed("Slow", 3.0f);
    slow.modifiers = &drag;
    slow.modifier_count = 1;
    slow.granted_tags = tags_of(f, "State.Slow");
    effects[1] = effect_register(f, &slow);
}

static kn_ability_id arm(fixture *f, const char *name)
{
    kn_component_def component = kn_component_def_default();
    component.name = "Shell";
    component.size = sizeof(shell);
    component.fields = shell_fields;
    component.field_count = 4;
    kn_component_type_id shells;
    assert_int_equal(kn_component_register(f->library, &component, &shells, NULL), KN_OK);
    kn_timer_type_id timer;
    assert_int_equal(kn_timer_type_register(f->library, "Impact", impact, f, &timer, NULL), KN_OK);
    kn_effect_type_id effects[2];
    effects_register(f, effects);
    container_register(f, "Pellets", KN_CONTAINER_DATA, effects, 2);
    container_register(f, "Blast", KN_CONTAINER_CUSTOM, effects, 2);
    container_register(f, "Own", KN_CONTAINER_SOURCE, &effects[1], 1);
    kn_ability_def def = ability_def(f, name);
    def.activate = launch;
    def.task_done = launched;
    def.ended = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    assert_int_equal(kn_entity_set_user(f->world, f->hero, 10), KN_OK);
    assert_int_equal(kn_entity_set_user(f->world, f->foe, 52), KN_OK);
    return grant(f, type);
}

static float foe_value(const fixture *f, kn_attribute_id attribute)
{
    return kn_attribute_value(f->world, f->foe, attribute);
}

// QOL-001, TGT-036, CON-002, CON-004: effects, their numbers and their targets in one value that a
// projectile can carry.
static void a_projectile_carries_a_container_to_whom_it_meets(void **state)
{
    fixture *f = *state;
    kn_ability_id ability = arm(f, "Shoot");
    assert_int_equal(kn_ability_set_level(f->world, &ability, 4.0f), KN_OK);
    activate(f, ability);
    assert_int_equal(kn_entity_count(f->world), 3);
    step(f, KN_MS(300));
    check_replay(f, KN_MS(300)); // back, forth, and from a save, while it flies
    assert_true(foe_value(f, f->health) == 100.0f);
    step(f, KN_MS(200));
    EXPECT_LOG(f, "2. ");
    assert_true(foe_value(f, f->health) == 80.0f);
    assert_true(foe_value(f, f->haste) == 0.5f);
    assert_int_equal(kn_entity_count(f->world), 2);
    // The shooter stands behind it.
    kn_effect_query query = kn_effect_query_default();
    query.type = kn_effect_type_find(f->library, "Slow");
    kn_effect_id slow;
    kn_effect_info info;
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, &slow, 1), 1);
    assert_true(kn_effect_get(f->world, slow, &info));
    assert_true(kn_entity_id_equal(info.source, f->hero) && info.level == 4.0f);
}

// QOL-001, CON-004: its targets are found on impact, also when the source is gone.
static void a_rocket_reaches_who_is_near_even_after_its_shooter(void **state)
{
    fixture *f = *state;
    kn_ability_id ability = arm(f, "Bombard");
    kn_entity_id far_off = entity_create(f);
    add_set(f, far_off, f->set);
    assert_int_equal(kn_entity_set_user(f->world, far_off, 80), KN_OK);
    activate(f, ability);
    step(f, KN_MS(100));
    assert_true(kn_entity_destroy(f->world, f->hero));
    check_replay(f, KN_MS(400));
    step(f, KN_MS(400));
    EXPECT_LOG(f, "2. ");
    assert_true(foe_value(f, f->health) == 80.0f);
    assert_true(kn_entity_has_tag(f->world, f->foe, tag_of(f, "State.Slow")));
    assert_true(kn_attribute_value(f->world, far_off, f->health) == 100.0f);
    // A container for oneself needs that self.
    kn_container_apply_def own = kn_container_apply_def_default();
    own.container = kn_container_find(f->library, "Own");
    own.source = f->hero;
    assert_int_equal(kn_container_apply(f->world, &own, NULL), KN_REFUSED_STALE_ID);
}

static const struct CMUnitTest tests[] = {
    TEST(a_projectile_carries_a_container_to_whom_it_meets),
    TEST(a_rocket_reaches_who_is_near_even_after_its_shooter),
};

TEST_GROUP(effect_container_patterns, tests, NULL, NULL);
