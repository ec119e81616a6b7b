// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Items such as weapons: plain numbers, keyed sets, or a component of their own.

#include "knack/knack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_entity_id entity;
    kn_attribute_set_id weapon_set, ammo_set;
    kn_attribute_id clip, clip_size, reserve;
    kn_component_type_id item;
    kn_tag firing, burning;
    kn_effect_type_id shot, keyed_shot[2], burn;
    uint64_t seen_object;
    kn_entity_id seen_causer;
} scene;

static scene the_scene;

static int setup(void **state)
{
    memset(&the_scene, 0, sizeof the_scene);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &the_scene.library), KN_OK);
    *state = &the_scene;
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;
    if (s->world != NULL) {
        assert_true(kn_world_validate(s->world));
        kn_world_destroy(s->world);
    }
    kn_library_destroy(s->library);
    return 0;
}

static kn_entity_id entity_create(scene *s)
{
    kn_entity_id entity = {0};
    assert_int_equal(kn_entity_create(s->world, &entity), KN_OK);
    return entity;
}

// Finishes the library, and makes a world with one entity.
static void begin(scene *s)
{
    kn_error error = {0};
    kn_result result = kn_library_finish(s->library, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    assert_int_equal(kn_world_create(&def, &s->world), KN_OK);
    s->entity = entity_create(s);
}

// A weapon with plain numbers, without any attribute.
typedef struct item {
    float clip;
    float clip_size;
    kn_entity_id owner;
} item;

static const kn_field item_fields[] = {
    {"clip", KN_FIELD_F32, offsetof(item, clip), 1},
    {"clip_size", KN_FIELD_F32, offsetof(item, clip_size), 1},
    {"owner", KN_FIELD_ENTITY, offsetof(item, owner), 1},
};

static kn_attribute_def declare(const char *name, float value)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    def.sync = KN_SYNC_OWNER;
    return def;
}

static kn_attribute_set_id set_register(
    scene *s, const char *name, const kn_attribute_def *attributes, uint32_t count)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.attributes = attributes;
    def.attribute_count = count;
    kn_attribute_set_id set = {0};
    assert_int_equal(kn_attribute_set_register(s->library, &def, &set, NULL), KN_OK);
    return set;
}

static kn_effect_type_id effect_register(
    scene *s, const char *name, kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t n)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.modifiers = modifiers;
    def.modifier_count = n;
    kn_effect_type_id type = {0};
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

static void note_source(void *user, kn_execution *execution)
{
    scene *s = user;
    s->seen_object = kn_spec_view_source_object(kn_execution_spec(execution));
    s->seen_causer = kn_spec_view_causer(kn_execution_spec(execution));
    // The weapon that granted the attack pays the shot.
    item *weapon = kn_component_get(kn_execution_world(execution), s->item, s->seen_causer);
    if (weapon != NULL && weapon->clip >= 1.0f) {
        weapon->clip -= 1.0f;
    }
}

static void armoury(scene *s)
{
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "IsFiring";
    assert_int_equal(kn_tag_register(s->library, &tag, &s->firing, NULL), KN_OK);
    tag.name = "Weapon.Burning";
    assert_int_equal(kn_tag_register(s->library, &tag, &s->burning, NULL), KN_OK);
    kn_attribute_def weapon[] = {declare("Clip", 30.0f), declare("ClipSize", 30.0f)};
    weapon[0].base_max = kn_limit_attribute("ClipSize");
    weapon[0].base_min = kn_limit_constant(0.0f);
    s->weapon_set = set_register(s, "Weapon", weapon, 2);
    kn_attribute_def ammo = declare("Reserve", 90.0f);
    s->ammo_set = set_register(s, "Ammo", &ammo, 1);
    s->clip = kn_attribute_find(s->library, "Weapon.Clip");
    s->clip_size = kn_attribute_find(s->library, "Weapon.ClipSize");
    s->reserve = kn_attribute_find(s->library, "Ammo.Reserve");
    kn_modifier_def cost = kn_modifier_constant(s->clip, KN_OP_ADD, -1.0f);
    s->shot = effect_register(s, "Shot", KN_DURATION_INSTANT, &cost, 1);
    cost.key = 1;
    s->keyed_shot[0] = effect_register(s, "ShotLeft", KN_DURATION_INSTANT, &cost, 1);
    cost.key = 2;
    s->keyed_shot[1] = effect_register(s, "ShotRight", KN_DURATION_INSTANT, &cost, 1);
    kn_effect_def burn = kn_effect_def_default();
    burn.name = "Burn";
    burn.duration_kind = KN_DURATION_INFINITE;
    burn.granted_tags = (kn_tags){&s->burning, 1};
    assert_int_equal(kn_effect_register(s->library, &burn, &s->burn, NULL), KN_OK);
    kn_component_def component = kn_component_def_default();
    component.name = "Item";
    component.size = sizeof(item);
    component.fields = item_fields;
    component.field_count = 3;
    assert_int_equal(kn_component_register(s->library, &component, &s->item, NULL), KN_OK);
}

static float clip_of(scene *s, kn_entity_id entity, uint32_t key)
{
    return kn_attribute_value_keyed(s->world, entity, s->clip, key);
}

static kn_result shoot(scene *s, kn_effect_type_id type, kn_entity_id target)
{
    return kn_effect_apply_simple(s->world, type, s->entity, target, 1.0f, NULL);
}

// Approach 1 -----------------------------------------------------------------------------------

// ITM-001, ITM-002, ATS-022
static void plain_numbers_live_on_the_item_and_change_hands_with_it(void **state)
{
    scene *s = *state;
    armoury(s);
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "NoteSource";
    execution.function = note_source;
    execution.user = s;
    kn_execution_use use = {0};
    assert_int_equal(kn_execution_register(s->library, &execution, &use.execution, NULL), KN_OK);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Bullet";
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id bullet;
    assert_int_equal(kn_effect_register(s->library, &def, &bullet, NULL), KN_OK);
    begin(s);
    kn_entity_id rifle = entity_create(s), other = entity_create(s);
    item *numbers = kn_component_add(s->world, s->item, rifle);
    *numbers = (item){.clip = 30.0f, .clip_size = 30.0f, .owner = s->entity};

    // The weapon travels as causer and source object of what it does.
    kn_effect_context context = {.causer = rifle, .source_object = 1234};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = bullet;
    apply.source = s->entity;
    apply.target = other;
    apply.context = &context;
    assert_int_equal(kn_effect_apply(s->world, &apply, NULL), KN_OK);
    assert_int_equal(s->seen_object, 1234);
    assert_true(kn_entity_id_equal(s->seen_causer, rifle));
    numbers = kn_component_get(s->world, s->item, rifle);
    assert_true(numbers->clip == 29.0f);
    numbers->owner = other; // picked up by somebody else
    assert_true(kn_entity_destroy(s->world, s->entity));
    const item *kept = kn_component_read(s->world, s->item, rifle);
    assert_true(kept->clip == 29.0f);
}

// Pays from the reserve, and fills the clip of the weapon that granted it.
static kn_result reload(const kn_ability_call *call)
{
    const scene *s = call->user;
    kn_result result = kn_activation_commit(call->world, call->activation);
    kn_ability_info info;
    if (result == KN_OK && kn_ability_get(call->world, call->ability, &info)) {
        item *weapon = kn_component_get(call->world, s->item, info.source);
        weapon->clip += 10.0f;
    }
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

static kn_ability_id grant_reload(scene *s, kn_ability_type_id type, kn_entity_id weapon)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    def.source = weapon;
    kn_ability_id ability = {0};
    assert_int_equal(kn_ability_grant(s->world, s->entity, &def, &ability), KN_OK);
    return ability;
}

// ITM-003, ITM-004
static void reloading_moves_from_a_shared_reserve_into_the_clip(void **state)
{
    scene *s = *state;
    armoury(s);
    kn_modifier_def cost = kn_modifier_constant(s->reserve, KN_OP_ADD, -10.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Reload";
    def.activate = reload;
    def.user = s;
    def.cost_effect = effect_register(s, "ReloadCost", KN_DURATION_INSTANT, &cost, 1);
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(s->library, &def, &type, NULL), KN_OK);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->ammo_set, 0), KN_OK);
    assert_int_equal(kn_attribute_init(s->world, s->entity, s->reserve, 0, 25.0f), KN_OK);
    kn_entity_id rifles[2] = {entity_create(s), entity_create(s)};
    kn_ability_id reloads[2];
    for (uint32_t i = 0; i < 2; i++) {
        item *numbers = kn_component_add(s->world, s->item, rifles[i]);
        *numbers = (item){.clip = 20.0f, .clip_size = 30.0f, .owner = s->entity};
        reloads[i] = grant_reload(s, type, rifles[i]);
    }
    assert_int_equal(kn_ability_activate(s->world, reloads[1], NULL, NULL), KN_OK);
    const item *first = kn_component_read(s->world, s->item, rifles[0]);
    const item *second = kn_component_read(s->world, s->item, rifles[1]);
    assert_true(first->clip == 20.0f && second->clip == 30.0f);
    assert_true(kn_attribute_value(s->world, s->entity, s->reserve) == 15.0f);
    assert_int_equal(kn_ability_activate(s->world, reloads[0], NULL, NULL), KN_OK);
    first = kn_component_read(s->world, s->item, rifles[0]);
    assert_true(first->clip == 30.0f);
    assert_true(kn_attribute_value(s->world, s->entity, s->reserve) == 5.0f);
    // Both draw on what is left.
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_ability_activate(s->world, reloads[i], NULL, NULL), KN_REFUSED_COST);
    }
    assert_int_equal(kn_attribute_get_def(s->library, s->reserve)->sync, KN_SYNC_OWNER);
}

// Approach 2 -----------------------------------------------------------------------------------

// ITM-002, ITM-006, ITM-008, ATS-006
static void two_equal_weapons_in_one_inventory_have_clips_of_their_own(void **state)
{
    scene *s = *state;
    armoury(s);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->weapon_set, 1), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->weapon_set, 2), KN_OK);
    assert_int_equal(shoot(s, s->keyed_shot[0], s->entity), KN_OK);
    assert_int_equal(shoot(s, s->keyed_shot[1], s->entity), KN_OK);
    assert_int_equal(shoot(s, s->keyed_shot[1], s->entity), KN_OK);
    assert_true(clip_of(s, s->entity, 1) == 29.0f);
    assert_true(clip_of(s, s->entity, 2) == 28.0f);
    assert_false(kn_attribute_exists(s->world, s->entity, s->clip, 0));

    // Limits stay within an instance.
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->clip_size, 2, 5.0f), KN_OK);
    assert_true(clip_of(s, s->entity, 1) == 29.0f);
    assert_true(clip_of(s, s->entity, 2) == 5.0f);
    float low, high;
    kn_attribute_bounds(s->world, s->entity, s->clip_size, 2, &low, &high);
    assert_true(high == INFINITY);
}

// ITM-008
static void the_price_of_an_ability_is_paid_by_one_weapon_of_two(void **state)
{
    scene *s = *state;
    armoury(s);
    kn_ability_def def = kn_ability_def_default();
    def.name = "FireRight";
    def.body = KN_BODY_USE;
    def.commit = KN_COMMIT_AT_USE;
    def.cost_effect = s->keyed_shot[1];
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(s->library, &def, &type, NULL), KN_OK);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->weapon_set, 1), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->weapon_set, 2), KN_OK);
    assert_int_equal(kn_attribute_init(s->world, s->entity, s->clip, 2, 1.0f), KN_OK);
    kn_ability_id fire = grant_reload(s, type, s->entity);
    assert_int_equal(kn_ability_activate(s->world, fire, NULL, NULL), KN_OK);
    assert_true(clip_of(s, s->entity, 1) == 30.0f);
    assert_true(clip_of(s, s->entity, 2) == 0.0f);
    // The full clip of the other does not help, and neither does one that is gone.
    assert_int_equal(kn_ability_check(s->world, fire, NULL), KN_FAIL_COST);
    assert_int_equal(kn_attribute_set_remove(s->world, s->entity, s->weapon_set, 2), KN_OK);
    assert_int_equal(kn_ability_activate(s->world, fire, NULL, NULL), KN_REFUSED_COST);
    assert_true(clip_of(s, s->entity, 1) == 30.0f);
}

// ITM-002, ITM-006, ITM-008
static void a_weapon_that_leaves_too_early_takes_no_value_with_it_and_nothing_breaks(void **state)
{
    scene *s = *state;
    armoury(s);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->weapon_set, 1), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->weapon_set, 2), KN_OK);
    assert_int_equal(kn_attribute_set_remove(s->world, s->entity, s->weapon_set, 1), KN_OK);
    // The shot of the rocket that killed its owner, and the value that comes late.
    assert_int_equal(shoot(s, s->keyed_shot[0], s->entity), KN_OK);
    assert_int_equal(
        kn_attribute_set_base(s->world, s->entity, s->clip, 1, 3.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_true(clip_of(s, s->entity, 2) == 30.0f);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->weapon_set, 1), KN_OK);
    assert_true(clip_of(s, s->entity, 1) == 30.0f);
}

// Approach 3 -----------------------------------------------------------------------------------

// ITM-002, ITM-007, ITM-008
static void a_weapon_with_its_own_component_gives_its_tags_but_not_its_attributes(void **state)
{
    scene *s = *state;
    armoury(s);
    begin(s);
    kn_entity_id rifles[2] = {entity_create(s), entity_create(s)};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_attribute_set_add(s->world, rifles[i], s->weapon_set, 0), KN_OK);
        assert_int_equal(kn_entity_set_parent(s->world, rifles[i], s->entity), KN_OK);
        assert_true(kn_entity_id_equal(kn_entity_parent(s->world, rifles[i]), s->entity));
    }
    assert_int_equal(shoot(s, s->shot, rifles[0]), KN_OK);
    assert_true(clip_of(s, rifles[0], 0) == 29.0f);
    assert_true(clip_of(s, rifles[1], 0) == 30.0f);
    assert_false(kn_attribute_exists(s->world, s->entity, s->clip, 0));

    kn_effect_id burn;
    assert_int_equal(
        kn_effect_apply_simple(s->world, s->burn, s->entity, rifles[1], 1.0f, &burn), KN_OK);
    assert_true(kn_entity_has_tag(s->world, s->entity, s->burning));
    assert_false(kn_entity_has_tag(s->world, rifles[0], s->burning));
    assert_int_equal(kn_effects_count(s->world, s->entity), 0);
    // All-of over several components: one tag is the hero's, the other the weapon's.
    assert_int_equal(
        kn_entity_add_tag(s->world, s->entity, s->firing, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    const kn_tag both[] = {s->firing, s->burning};
    assert_true(kn_entity_has_all_tags(s->world, s->entity, (kn_tags){both, 2}));
    assert_false(kn_entity_has_all_tags(s->world, rifles[1], (kn_tags){both, 2}));

    // Detached and given to somebody else, with everything it has.
    kn_entity_id thief = entity_create(s);
    assert_int_equal(kn_entity_set_parent(s->world, rifles[1], thief), KN_OK);
    assert_false(kn_entity_has_tag(s->world, s->entity, s->burning));
    assert_true(kn_entity_has_tag(s->world, thief, s->burning));
    assert_true(kn_effect_is_alive(s->world, burn));
    assert_true(clip_of(s, rifles[1], 0) == 30.0f);
}

static void a_costly_effect_may_ask_for_the_ammunition_first(void **state)
{
    scene *s = *state;
    armoury(s);
    kn_modifier_def cost = kn_modifier_constant(s->clip, KN_OP_ADD, -1.0f);
    kn_attribute_condition loaded = {
        .from = KN_CAPTURE_FROM_TARGET, .attribute = s->clip, .has_min = true, .min = 1.0f};
    kn_effect_def def = kn_effect_def_default();
    def.name = "CarefulShot";
    def.modifiers = &cost;
    def.modifier_count = 1;
    def.application.attributes = &loaded;
    def.application.attribute_count = 1;
    kn_effect_type_id careful;
    assert_int_equal(kn_effect_register(s->library, &def, &careful, NULL), KN_OK);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->weapon_set, 0), KN_OK);
    assert_int_equal(kn_attribute_init(s->world, s->entity, s->clip, 0, 1.0f), KN_OK);
    assert_int_equal(shoot(s, careful, s->entity), KN_OK);
    assert_int_equal(shoot(s, careful, s->entity), KN_REFUSED_REQUIREMENT);
    assert_true(clip_of(s, s->entity, 0) == 0.0f);
    // Nobody has it, nobody pays.
    assert_int_equal(shoot(s, careful, entity_create(s)), KN_REFUSED_REQUIREMENT);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_numbers_live_on_the_item_and_change_hands_with_it),
        TEST(reloading_moves_from_a_shared_reserve_into_the_clip),
        TEST(two_equal_weapons_in_one_inventory_have_clips_of_their_own),
        TEST(the_price_of_an_ability_is_paid_by_one_weapon_of_two),
        TEST(a_weapon_that_leaves_too_early_takes_no_value_with_it_and_nothing_breaks),
        TEST(a_weapon_with_its_own_component_gives_its_tags_but_not_its_attributes),
        TEST(a_costly_effect_may_ask_for_the_ammunition_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
