// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Items such as weapons: plain numbers, keyed sets, or a component of their own.

#define FIXTURE_OWN                                                                                \
    kn_attribute_set_id weapon_set, ammo_set;                                                      \
    kn_attribute_id clip, clip_size, reserve;                                                      \
    kn_component_type_id item;                                                                     \
    kn_tag firing, burning;                                                                        \
    kn_effect_type_id shot, keyed_shot[2], burn;                                                   \
    uint64_t seen_object;                                                                          \
    kn_entity_id seen_causer;

#include "scenario/attribute_fixture.h"

// A weapon with plain numbers, without any attribute.
typedef struct item {
    float clip;
    float clip_size;
    kn_entity_id owner;
} item;

static const kn_field item_fields[] = {
    KN_FIELD_INIT("clip", KN_FIELD_F32, offsetof(item, clip), 1),
    KN_FIELD_INIT("clip_size", KN_FIELD_F32, offsetof(item, clip_size), 1),
    KN_FIELD_INIT("owner", KN_FIELD_ENTITY, offsetof(item, owner), 1),
};

// What is in a weapon is its owner's business.
static void item_register(fixture *f)
{
    kn_field fields[3];
    memcpy(fields, item_fields, sizeof(fields));
    fields[0].sync = fields[1].sync = KN_SYNC_OWNER;
    kn_component_def component = kn_component_def_default();
    component.name = "Item";
    component.size = sizeof(item);
    component.fields = fields;
    component.field_count = 3;
    assert_int_equal(kn_component_register(f->library, &component, &f->item, NULL), KN_OK);
}

static kn_attribute_def synced(const char *name, float value)
{
    kn_attribute_def def = attribute_def(name, value);
    def.sync = KN_SYNC_OWNER;
    return def;
}

static void note_source(void *user, kn_execution *execution)
{
    fixture *f = user;
    f->seen_object = kn_spec_view_source_object(kn_execution_spec(execution));
    f->seen_causer = kn_spec_view_causer(kn_execution_spec(execution));
    // The weapon that granted the attack pays the shot.
    item *weapon = kn_component_get(kn_execution_world(execution), f->item, f->seen_causer);
    if (weapon != NULL && weapon->clip >= 1.0f) {
        weapon->clip -= 1.0f;
    }
}

static void armoury(fixture *f)
{
    f->firing = tag_of(f, "IsFiring");
    f->burning = tag_of(f, "Weapon.Burning");
    kn_attribute_def weapon[] = {synced("Clip", 30.0f), synced("ClipSize", 30.0f)};
    weapon[0].base_max = kn_limit_attribute("ClipSize");
    weapon[0].base_min = kn_limit_constant(0.0f);
    f->weapon_set = set_register(f, "Weapon", weapon, 2);
    kn_attribute_def ammo = synced("Reserve", 90.0f);
    f->ammo_set = set_register(f, "Ammo", &ammo, 1);
    f->clip = kn_attribute_find(f->library, "Weapon.Clip");
    f->clip_size = kn_attribute_find(f->library, "Weapon.ClipSize");
    f->reserve = kn_attribute_find(f->library, "Ammo.Reserve");
    kn_modifier_def cost = kn_modifier_constant(f->clip, KN_OP_ADD, -1.0f);
    f->shot = effect_of(f, "Shot", KN_DURATION_INSTANT, &cost, 1);
    cost.key = 1;
    f->keyed_shot[0] = effect_of(f, "ShotLeft", KN_DURATION_INSTANT, &cost, 1);
    cost.key = 2;
    f->keyed_shot[1] = effect_of(f, "ShotRight", KN_DURATION_INSTANT, &cost, 1);
    kn_effect_def burn = infinite("Burn");
    burn.granted_tags = (kn_tags){&f->burning, 1};
    f->burn = effect_register(f, &burn);
    item_register(f);
}

static float clip_of(fixture *f, kn_entity_id entity, uint32_t key)
{
    return kn_attribute_value_keyed(f->world, entity, f->clip, key);
}

static kn_result shoot(fixture *f, kn_effect_type_id type, kn_entity_id target)
{
    return kn_effect_apply_simple(f->world, type, f->hero, target, 1.0f, NULL);
}

// Approach 1 -----------------------------------------------------------------------------------

// ITM-001, ITM-002, ATS-022
static void plain_numbers_live_on_the_item_and_change_hands_with_it(void **state)
{
    fixture *f = *state;
    armoury(f);
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "NoteSource";
    execution.function = note_source;
    execution.user = f;
    kn_execution_use use = {0};
    assert_int_equal(kn_execution_register(f->library, &execution, &use.execution, NULL), KN_OK);
    kn_effect_def def = instant("Bullet");
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id bullet = effect_register(f, &def);
    begin(f);
    kn_entity_id rifle = entity_create(f), other = entity_create(f);
    item *numbers = kn_component_add(f->world, f->item, rifle);
    *numbers = (item){.clip = 30.0f, .clip_size = 30.0f, .owner = f->hero};

    // The weapon travels as causer and source object of what it does.
    kn_effect_context context = {.causer = rifle, .source_object = 1234};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = bullet;
    apply.source = f->hero;
    apply.target = other;
    apply.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &apply, NULL), KN_OK);
    assert_int_equal(f->seen_object, 1234);
    assert_true(kn_entity_id_equal(f->seen_causer, rifle));
    numbers = kn_component_get(f->world, f->item, rifle);
    assert_true(numbers->clip == 29.0f);
    numbers->owner = other; // picked up by somebody else
    assert_true(kn_entity_destroy(f->world, f->hero));
    const item *kept = kn_component_read(f->world, f->item, rifle);
    assert_true(kept->clip == 29.0f);
}

// Pays from the reserve, and fills the clip of the weapon that granted it.
static kn_result reload(const kn_ability_call *call)
{
    const fixture *f = call->user;
    kn_result result = kn_activation_commit(call->world, call->activation);
    kn_ability_info info;
    if (result == KN_OK && kn_ability_get(call->world, call->ability, &info)) {
        item *weapon = kn_component_get(call->world, f->item, info.source);
        weapon->clip += 10.0f;
    }
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

static kn_ability_id grant_reload(fixture *f, kn_ability_type_id type, kn_entity_id weapon)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    def.source = weapon;
    kn_ability_id ability = {0};
    assert_int_equal(kn_ability_grant(f->world, f->hero, &def, &ability), KN_OK);
    return ability;
}

// ITM-003, ITM-004
static void reloading_moves_from_a_shared_reserve_into_the_clip(void **state)
{
    fixture *f = *state;
    armoury(f);
    kn_modifier_def cost = kn_modifier_constant(f->reserve, KN_OP_ADD, -10.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Reload";
    def.activate = reload;
    def.user = f;
    def.cost_effect = effect_of(f, "ReloadCost", KN_DURATION_INSTANT, &cost, 1);
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(f->library, &def, &type, NULL), KN_OK);
    begin(f);
    add_set(f, f->hero, f->ammo_set);
    assert_int_equal(kn_attribute_init(f->world, f->hero, f->reserve, 0, 25.0f), KN_OK);
    kn_entity_id rifles[2] = {entity_create(f), entity_create(f)};
    kn_ability_id reloads[2];
    for (uint32_t i = 0; i < 2; i++) {
        item *numbers = kn_component_add(f->world, f->item, rifles[i]);
        *numbers = (item){.clip = 20.0f, .clip_size = 30.0f, .owner = f->hero};
        reloads[i] = grant_reload(f, type, rifles[i]);
    }
    assert_int_equal(kn_ability_activate(f->world, reloads[1], NULL, NULL), KN_OK);
    const item *first = kn_component_read(f->world, f->item, rifles[0]);
    const item *second = kn_component_read(f->world, f->item, rifles[1]);
    assert_true(first->clip == 20.0f && second->clip == 30.0f);
    assert_true(kn_attribute_value(f->world, f->hero, f->reserve) == 15.0f);
    assert_int_equal(kn_ability_activate(f->world, reloads[0], NULL, NULL), KN_OK);
    first = kn_component_read(f->world, f->item, rifles[0]);
    assert_true(first->clip == 30.0f);
    assert_true(kn_attribute_value(f->world, f->hero, f->reserve) == 5.0f);
    // Both draw on what is left.
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_ability_activate(f->world, reloads[i], NULL, NULL), KN_REFUSED_COST);
    }
    // All of it is sent to the owner and to nobody else.
    kn_world *copy = world_of(f, kn_world_def_default());
    const kn_entity_id both[] = {f->hero, rifles[0]};
    static const kn_viewer viewers[] = {KN_VIEWER_OTHERS, KN_VIEWER_OWNER};
    for (uint32_t i = 0; i < 2; i++) {
        project(f->world, copy, both, 2, viewers[i]);
        const item *seen = kn_component_read(copy, f->item, rifles[0]);
        assert_true(seen->clip == (i == 1 ? 30.0f : 0.0f));
        assert_true(seen->clip_size == (i == 1 ? 30.0f : 0.0f));
        assert_true(kn_entity_id_equal(seen->owner, f->hero));
        assert_true(kn_attribute_value(copy, f->hero, f->reserve) == (i == 1 ? 5.0f : 90.0f));
    }
    kn_world_destroy(copy);
}

// Approach 2 -----------------------------------------------------------------------------------

// ITM-002, ITM-006, ITM-008, ATS-006
static void two_equal_weapons_in_one_inventory_have_clips_of_their_own(void **state)
{
    fixture *f = *state;
    armoury(f);
    begin(f);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, f->weapon_set, 1), KN_OK);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, f->weapon_set, 2), KN_OK);
    assert_int_equal(shoot(f, f->keyed_shot[0], f->hero), KN_OK);
    assert_int_equal(shoot(f, f->keyed_shot[1], f->hero), KN_OK);
    assert_int_equal(shoot(f, f->keyed_shot[1], f->hero), KN_OK);
    assert_true(clip_of(f, f->hero, 1) == 29.0f);
    assert_true(clip_of(f, f->hero, 2) == 28.0f);
    assert_false(kn_attribute_exists(f->world, f->hero, f->clip, 0));
    // The owner's client has them when they come, and no longer when they go.
    kn_world *copy = world_of(f, kn_world_def_default());
    project(f->world, copy, &f->hero, 1, KN_VIEWER_OWNER);
    assert_true(kn_attribute_value_keyed(copy, f->hero, f->clip, 1) == 29.0f);
    assert_true(kn_attribute_value_keyed(copy, f->hero, f->clip, 2) == 28.0f);
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, f->weapon_set, 1), KN_OK);
    project(f->world, copy, &f->hero, 1, KN_VIEWER_OWNER);
    assert_false(kn_attribute_exists(copy, f->hero, f->clip, 1));
    assert_true(kn_attribute_value_keyed(copy, f->hero, f->clip, 2) == 28.0f);
    kn_world_destroy(copy);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, f->weapon_set, 1), KN_OK);
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, f->clip, 1, 29.0f), KN_OK);

    // Limits stay within an instance.
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, f->clip_size, 2, 5.0f), KN_OK);
    assert_true(clip_of(f, f->hero, 1) == 29.0f);
    assert_true(clip_of(f, f->hero, 2) == 5.0f);
    float low, high;
    kn_attribute_bounds(f->world, f->hero, f->clip_size, 2, &low, &high);
    assert_true(high == INFINITY);
}

// ITM-008
static void the_price_of_an_ability_is_paid_by_one_weapon_of_two(void **state)
{
    fixture *f = *state;
    armoury(f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "FireRight";
    def.body = KN_BODY_USE;
    def.commit = KN_COMMIT_AT_USE;
    def.cost_effect = f->keyed_shot[1];
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(f->library, &def, &type, NULL), KN_OK);
    begin(f);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, f->weapon_set, 1), KN_OK);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, f->weapon_set, 2), KN_OK);
    assert_int_equal(kn_attribute_init(f->world, f->hero, f->clip, 2, 1.0f), KN_OK);
    kn_ability_id fire = grant_reload(f, type, f->hero);
    assert_int_equal(kn_ability_activate(f->world, fire, NULL, NULL), KN_OK);
    assert_true(clip_of(f, f->hero, 1) == 30.0f);
    assert_true(clip_of(f, f->hero, 2) == 0.0f);
    // The full clip of the other does not help, and neither does one that is gone.
    assert_int_equal(kn_ability_check(f->world, fire, NULL), KN_FAIL_COST);
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, f->weapon_set, 2), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, fire, NULL, NULL), KN_REFUSED_COST);
    assert_true(clip_of(f, f->hero, 1) == 30.0f);
}

// ITM-002, ITM-006, ITM-008
static void a_weapon_that_leaves_too_early_takes_no_value_with_it_and_nothing_breaks(void **state)
{
    fixture *f = *state;
    armoury(f);
    begin(f);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, f->weapon_set, 1), KN_OK);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, f->weapon_set, 2), KN_OK);
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, f->weapon_set, 1), KN_OK);
    // The shot of the rocket that killed its owner, and the value that comes late.
    assert_int_equal(shoot(f, f->keyed_shot[0], f->hero), KN_OK);
    assert_int_equal(
        kn_attribute_set_base(f->world, f->hero, f->clip, 1, 3.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_true(clip_of(f, f->hero, 2) == 30.0f);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, f->weapon_set, 1), KN_OK);
    assert_true(clip_of(f, f->hero, 1) == 30.0f);
}

// Approach 3 -----------------------------------------------------------------------------------

// ITM-002, ITM-007, ITM-008
static void a_weapon_with_its_own_component_gives_its_tags_but_not_its_attributes(void **state)
{
    fixture *f = *state;
    armoury(f);
    begin(f);
    kn_entity_id rifles[2] = {entity_create(f), entity_create(f)};
    for (uint32_t i = 0; i < 2; i++) {
        add_set(f, rifles[i], f->weapon_set);
        assert_int_equal(kn_entity_set_parent(f->world, rifles[i], f->hero), KN_OK);
        assert_true(kn_entity_id_equal(kn_entity_parent(f->world, rifles[i]), f->hero));
    }
    assert_int_equal(shoot(f, f->shot, rifles[0]), KN_OK);
    assert_true(clip_of(f, rifles[0], 0) == 29.0f);
    assert_true(clip_of(f, rifles[1], 0) == 30.0f);
    assert_false(kn_attribute_exists(f->world, f->hero, f->clip, 0));

    kn_effect_id burn;
    assert_int_equal(
        kn_effect_apply_simple(f->world, f->burn, f->hero, rifles[1], 1.0f, &burn), KN_OK);
    assert_true(kn_entity_has_tag(f->world, f->hero, f->burning));
    assert_false(kn_entity_has_tag(f->world, rifles[0], f->burning));
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
    // All-of over several components: one tag is the hero's, the other the weapon's.
    add_tag(f, f->hero, f->firing);
    const kn_tag both[] = {f->firing, f->burning};
    assert_true(kn_entity_has_all_tags(f->world, f->hero, (kn_tags){both, 2}));
    assert_false(kn_entity_has_all_tags(f->world, rifles[1], (kn_tags){both, 2}));

    // Detached and given to somebody else, with everything it has.
    kn_entity_id thief = entity_create(f);
    assert_int_equal(kn_entity_set_parent(f->world, rifles[1], thief), KN_OK);
    assert_false(kn_entity_has_tag(f->world, f->hero, f->burning));
    assert_true(kn_entity_has_tag(f->world, thief, f->burning));
    assert_true(kn_effect_is_alive(f->world, burn));
    assert_true(clip_of(f, rifles[1], 0) == 30.0f);
}

static void a_costly_effect_may_ask_for_the_ammunition_first(void **state)
{
    fixture *f = *state;
    armoury(f);
    kn_modifier_def cost = kn_modifier_constant(f->clip, KN_OP_ADD, -1.0f);
    kn_attribute_condition loaded = {
        .from = KN_CAPTURE_FROM_TARGET, .attribute = f->clip, .has_min = true, .min = 1.0f};
    kn_effect_def def = instant("CarefulShot");
    def.modifiers = &cost;
    def.modifier_count = 1;
    def.application.attributes = &loaded;
    def.application.attribute_count = 1;
    kn_effect_type_id careful = effect_register(f, &def);
    begin(f);
    add_set(f, f->hero, f->weapon_set);
    assert_int_equal(kn_attribute_init(f->world, f->hero, f->clip, 0, 1.0f), KN_OK);
    assert_int_equal(shoot(f, careful, f->hero), KN_OK);
    assert_int_equal(shoot(f, careful, f->hero), KN_REFUSED_REQUIREMENT);
    assert_true(clip_of(f, f->hero, 0) == 0.0f);
    // Nobody has it, nobody pays.
    assert_int_equal(shoot(f, careful, entity_create(f)), KN_REFUSED_REQUIREMENT);
}

static const struct CMUnitTest tests[] = {
    TEST(plain_numbers_live_on_the_item_and_change_hands_with_it),
    TEST(reloading_moves_from_a_shared_reserve_into_the_clip),
    TEST(two_equal_weapons_in_one_inventory_have_clips_of_their_own),
    TEST(the_price_of_an_ability_is_paid_by_one_weapon_of_two),
    TEST(a_weapon_that_leaves_too_early_takes_no_value_with_it_and_nothing_breaks),
    TEST(a_weapon_with_its_own_component_gives_its_tags_but_not_its_attributes),
    TEST(a_costly_effect_may_ask_for_the_ammunition_first),
};

TEST_GROUP(item_attributes, tests, NULL, NULL);
