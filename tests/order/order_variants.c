// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders that are something else for each unit and variant: the ability that they use, who gets
// them, when they are given automatically, and how they look.

#include "order/order_test.h"

#include "knack/order_preview.h"
#include "knack/tree.h"

#include <math.h>

// Variant 0 is the bolt, 1 the aura, 2 an attack; there is no other. Only `unit` and `friend` have
// them. For the friend the bolt looks like another order.
typedef struct spells {
    fixture *f;
    kn_ability_type_id bolt, aura, strike, plain;
    kn_tag spell, charm, needed;
    script *use, *other, *own, *never;
    uint32_t used[4]; // by number of the ability type - 1
    kn_entity_id target;
    bool is_broken; // the hook answers nonsense
} spells;

static spells all;

static kn_result use_it(const kn_ability_call *call)
{
    const kn_ability_type_id type = kn_ability_get_type(call->world, call->ability);
    all.used[type.index1 - 1]++;
    return kn_activation_end(call->world, call->activation);
}

static kn_result use_at(const kn_ability_call *call, const kn_event_record *event)
{
    all.target = event->target;
    return use_it(call);
}

static kn_ability_type_id ability_add(const char *name, kn_tag tag, const kn_tag *needs)
{
    kn_ability_def def = kn_ability_def_default();
    kn_ability_type_id type;
    def.name = name;
    def.tags = (kn_tags){&tag, 1};
    def.source.required = (kn_tags){needs, needs != NULL};
    def.activate = use_it;
    def.activate_by_event = use_at;
    assert_int_equal(kn_ability_register(all.f->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_result find_variant(void *user, const kn_hook_call *call)
{
    kn_order_variant *v = call->arguments;
    (void)user;
    assert_null(call->writable);
    assert_int_equal(v->type.index1, all.use->id.index1);
    if (all.is_broken) {
        v->group = 99;
        v->acquisition_radius = -INFINITY;
        v->type.index1 = 7;
        v->count = UINT32_MAX;
        return KN_OK;
    }
    const bool has_it = kn_entity_id_equal(call->entity, all.f->unit) ||
                        kn_entity_id_equal(call->entity, all.f->friend);
    if (v->index < 0) {
        v->count = has_it ? 3 : 0;
        return KN_OK;
    }
    v->count = 5; // only counts for the type as a whole
    const kn_ability_type_id abilities[] = {all.bolt, all.aura, all.strike};
    if (!has_it || v->index > 2) {
        return KN_REFUSED_CUSTOM;
    }
    v->ability = abilities[v->index];
    v->group = v->index == 0 ? KN_ORDER_GROUP_FIRST : KN_ORDER_GROUP_ALL;
    v->acquisition_radius = v->index == 0 ? 6.0f : -1.0f;
    v->auto_for_players = v->index == 1;
    v->auto_begins = v->index == 1;
    v->auto_for_ai = v->index == 0;
    v->is_never_auto = v->index == 2;
    if (v->index == 0 && kn_entity_id_equal(call->entity, all.f->friend)) {
        v->looks_like = all.other->id;
    }
    return KN_OK;
}

static kn_result find_nothing(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_REFUSED_CUSTOM;
}

static kn_result find_kind(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    (void)user;
    c->answer = c->order.index == 0 ? KN_ORDER_TARGET_ENTITY : KN_ORDER_TARGET_NONE;
    return KN_OK;
}

static bool look(
    void *user, const kn_library *library, kn_ability_type_id ability, kn_order_display *display)
{
    assert_ptr_equal(user, &all);
    assert_ptr_equal(library, all.f->library);
    if (ability.index1 == all.bolt.index1) {
        display->title = "Bolt of fire";
        display->icon = "bolt.png";
        display->preview = "Beam";
        display->preview_snap = KN_ORDER_SNAP_OWNER;
        display->button = 4;
    } else if (ability.index1 == all.plain.index1) {
        display->title = "Plain ability";
        display->description = "As the ability says.";
        display->preview = "Circle";
        display->preview_snap = KN_ORDER_SNAP_CURSOR;
    } else {
        return false;
    }
    return true;
}

static kn_tree_id tree_add(fixture *f)
{
    kn_blackboard_def board = kn_blackboard_def_default();
    kn_blackboard_id layout;
    kn_tree_id tree;
    board.name = "Orders";
    board.order_keys = true;
    assert_int_equal(kn_blackboard_register(f->library, &board, &layout, NULL), KN_OK);
    kn_tree_def def = kn_tree_def_default();
    def.name = "Use";
    def.blackboard = layout;
    def.root.kind = KN_TREE_USE_ABILITY;
    def.root.target = "Order_Target";
    assert_int_equal(kn_tree_register(f->library, &def, &tree, NULL), KN_OK);
    return tree;
}

static script *order_of(fixture *f, const char *name, kn_tree_id tree)
{
    script *s = type_add(f, name);
    s->def.execute = (kn_hook){0};
    s->def.cancelled = (kn_hook){0};
    s->def.tree = tree;
    return s;
}

static int setup_spells(void **state)
{
    fixture *f = fixture_create();
    *state = f;
    all = (spells){.f = f};
    all.spell = tag_named(f, "Ability.Spell");
    all.charm = tag_named(f, "Ability.Charm");
    all.needed = tag_named(f, "Status.Focused");
    all.bolt = ability_add("Bolt", all.spell, &all.needed);
    all.aura = ability_add("Aura", all.charm, NULL);
    all.strike = ability_add("Strike", all.spell, NULL);
    all.plain = ability_add("Plain", all.charm, NULL);
    const kn_tree_id tree = tree_add(f);
    type_add(f, "S")->def.allows_auto = true;
    all.use = order_of(f, "U", tree);
    all.use->def.title = "Use something";
    all.use->def.description = "As the type says.";
    static kn_tag friendly;
    friendly = kn_tag_find(f->library, "Knack.Relation.Friendly");
    all.use->def.tags.target_blocked = (kn_tags){&friendly, 1};
    all.use->def.find_variant = (kn_hook){find_variant, NULL};
    all.use->def.find_target_kind = (kn_hook){find_kind, NULL};
    all.other = type_add(f, "O");
    all.other->def.title = "Other";
    all.other->def.preview = "Arrow";
    all.own = order_of(f, "P", tree);
    all.own->def.ability = all.plain;
    all.own->def.title = "Own title";
    all.never = order_of(f, "N", tree); // has an ability, but its hook says that it is none
    all.never->def.ability = all.plain;
    all.never->def.find_variant = (kn_hook){find_nothing, NULL};
    static kn_order_type_id commands[2] = {{2}, {4}}; // as they are registered behind S
    f->unit_def.commands = commands;
    f->unit_def.command_count = 2;
    f->unit_def.acquisition_radius = 20;
    f->unit_def.auto_interval = 0;
    assert_int_equal(kn_order_set_looks(f->library, look, &all), KN_OK);
    begin_with(f, kn_world_def_default());
    const kn_entity_id units[] = {f->unit, f->friend, f->stone};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kn_unit_add(f->world, units[i], f->unit_type), KN_OK);
    }
    return 0;
}

#define SPELL_TEST(name) cmocka_unit_test_setup_teardown(name, setup_spells, teardown_fixture)

static void grant(kn_entity_id unit, kn_ability_type_id type)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    kn_ability_id ability;
    def.type = type;
    assert_int_equal(kn_ability_grant(all.f->world, unit, &def, &ability), KN_OK);
}

static kn_order variant_order(int32_t index)
{
    kn_order order = kn_order_of(all.use->id);
    order.index = index;
    return order;
}

static void variants_answer_what_an_order_is_for_a_unit(void **state)
{
    fixture *f = *state;
    kn_order_variant v;
    assert_true(kn_order_get_variant(f->world, all.use->id, f->unit, -1, &v));
    assert_int_equal(v.count, 3);
    assert_int_equal(v.ability.index1, 0);
    assert_true(kn_order_get_variant(f->world, all.use->id, f->unit, 0, &v));
    assert_int_equal(v.count, 0);
    assert_int_equal(v.ability.index1, all.bolt.index1);
    assert_int_equal(v.group, KN_ORDER_GROUP_FIRST);
    assert_true(v.acquisition_radius == 6.0f);
    assert_true(v.auto_for_ai == 1 && v.auto_for_players == 0);
    assert_false(kn_order_get_variant(f->world, all.use->id, f->unit, 3, &v));
    assert_int_equal(v.ability.index1, 0);
    assert_false(kn_order_get_variant(f->world, all.use->id, f->stone, 0, NULL));
    assert_true(kn_order_get_variant(f->world, all.own->id, f->stone, 8, &v));
    assert_int_equal(v.ability.index1, all.plain.index1);
    grant(f->unit, all.plain);
    assert_false(kn_order_get_variant(f->world, all.never->id, f->unit, -1, &v));
    assert_int_equal(v.ability.index1, 0);
    assert_false(kn_order_can_obey(f->world, all.never->id, f->unit, -1, NULL));
    assert_true(kn_order_can_obey(f->world, all.own->id, f->unit, -1, NULL));
    assert_false(kn_order_get_variant(f->world, (kn_order_type_id){99}, f->unit, 0, &v));
    assert_true(v.acquisition_radius == -1.0f);

    assert_int_equal(kn_order_find_variant(f->world, all.use->id, f->unit, all.charm), 1);
    assert_int_equal(kn_order_find_variant(f->world, all.use->id, f->unit, f->alive), -1);
    assert_int_equal(kn_order_find_variant(f->world, all.use->id, f->stone, all.charm), -1);
    assert_int_equal(kn_unit_find_command(f->world, f->unit, all.charm), 0);
    assert_int_equal(kn_unit_find_command(f->world, f->stone, all.charm), 1);
    all.is_broken = true; // what makes no sense counts as the definition has it
    assert_true(kn_order_get_variant(f->world, all.use->id, f->unit, 0, &v));
    assert_int_equal(v.type.index1, all.use->id.index1);
    assert_int_equal(v.group, KN_ORDER_GROUP_ALL);
    assert_true(v.acquisition_radius == -1.0f);
    assert_int_equal(v.count, 0);
    assert_true(kn_order_get_variant(f->world, all.use->id, f->unit, -1, &v));
    assert_int_equal(v.count, KN_ORDER_VARIANTS_MAX);
}

// The ability of the variant is checked and used, by the tree or at once.
static void orders_use_the_ability_of_their_variant(void **state)
{
    fixture *f = *state;
    const kn_tag no_ability = kn_tag_find(f->library, "Knack.Order.NoAbility");
    kn_order_errors errors = {0};
    assert_false(kn_order_can_obey(f->world, all.use->id, f->unit, 0, &errors));
    assert_int_equal(errors.others[0].index1, no_ability.index1);
    grant(f->unit, all.bolt);
    grant(f->unit, all.aura);
    gain(f, f->unit, all.needed);
    assert_true(kn_order_can_obey(f->world, all.use->id, f->unit, 0, NULL));
    errors = (kn_order_errors){0};
    assert_false(kn_order_can_obey(f->world, all.use->id, f->unit, 3, &errors));
    assert_int_equal(errors.others[0].index1, no_ability.index1);
    kn_order order = variant_order(0);
    order.target = f->foe;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    assert_int_equal(all.used[all.bolt.index1 - 1], 1);
    assert_int_equal(all.target.index1, f->foe.index1);
    order = variant_order(1);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    step(f);
    assert_int_equal(all.used[all.aura.index1 - 1], 1);
    assert_int_equal(all.used[all.bolt.index1 - 1], 1);
}

static void groups_follow_the_variant(void **state)
{
    fixture *f = *state;
    const kn_entity_id units[] = {f->friend, f->unit};
    kn_order_group_def def = kn_order_group_def_default();
    def.units = units;
    def.unit_count = 2;
    def.first = 1;
    for (int i = 0; i < 2; i++) {
        grant(units[i], all.bolt);
        grant(units[i], all.aura);
        gain(f, units[i], all.needed);
    }
    kn_order order = variant_order(0);
    kn_order_share shares[2];
    uint32_t count;
    order.target = f->foe;
    assert_int_equal(kn_order_plan_group(f->world, &def, &order, shares, 2, &count), KN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(shares[0].unit.index1, f->unit.index1);
    order = variant_order(1);
    assert_int_equal(kn_order_plan_group(f->world, &def, &order, shares, 2, &count), KN_OK);
    assert_int_equal(count, 2);
}

// Each variant is an automatic order by itself, but for attacks; its flags and its radius count.
static void variants_are_automatic_orders(void **state)
{
    fixture *f = *state;
    kn_order_auto_info autos[8];
    assert_int_equal(kn_order_autos(f->world, f->unit, autos, 8), 3);
    assert_int_equal(autos[0].order.type.index1, all.use->id.index1);
    assert_int_equal(autos[0].order.index, 0);
    assert_true(autos[0].is_for_ai && !autos[0].is_for_players && !autos[0].is_on);
    assert_int_equal(autos[1].order.index, 1);
    assert_true(!autos[1].is_for_ai && autos[1].is_for_players && autos[1].is_on);
    assert_int_equal(autos[2].order.type.index1, all.own->id.index1);
    assert_int_equal(kn_order_autos(f->world, f->stone, autos, 8), 1);

    grant(f->unit, all.bolt);
    gain(f, f->unit, all.needed);
    place(f, f->unit, 100, 0);
    place(f, f->foe, 107, 0); // the unit looks further than the bolt
    bool is_issued;
    assert_int_equal(kn_order_check_autos(f->world, f->unit, &is_issued), KN_OK);
    assert_false(is_issued);
    place(f, f->foe, 105.5f, 0);
    assert_int_equal(kn_order_check_autos(f->world, f->unit, &is_issued), KN_OK);
    assert_true(is_issued);
    assert_int_equal(all.target.index1, f->foe.index1);
}

// ORD-283, OD-105, OD-165: what is shown depends on the unit and the variant. What the hook answers
// comes first, then the look of an ability that it answers, then the type.
static void looks_follow_the_unit_and_the_variant(void **state)
{
    fixture *f = *state;
    kn_order_display d = kn_order_get_display(f->library, all.use->id);
    assert_string_equal(d.title, "Use something");
    assert_null(d.preview);
    d = kn_order_get_unit_display(f->world, all.use->id, f->unit, 0);
    assert_string_equal(d.title, "Bolt of fire");
    assert_string_equal(d.icon, "bolt.png");
    assert_string_equal(d.description, "As the type says.");
    assert_string_equal(d.preview, "Beam");
    assert_int_equal(d.preview_snap, KN_ORDER_SNAP_OWNER);
    assert_true(d.has_button && d.button == 4);
    d = kn_order_get_unit_display(f->world, all.use->id, f->friend, 0);
    assert_string_equal(d.title, "Other");
    assert_string_equal(d.icon, "bolt.png");
    assert_string_equal(d.preview, "Arrow");
    assert_int_equal(d.preview_snap, KN_ORDER_SNAP_NONE);
    d = kn_order_get_unit_display(f->world, all.use->id, f->unit, 1); // without a look
    assert_string_equal(d.title, "Use something");
    assert_null(d.icon);
    d = kn_order_get_unit_display(f->world, all.use->id, f->unit, 7); // no such variant
    assert_string_equal(d.title, "Use something");
    assert_null(d.preview);
    assert_false(d.has_button);
    d = kn_order_get_unit_display(f->world, all.own->id, f->unit, -1); // the type comes first
    assert_string_equal(d.title, "Own title");
    assert_string_equal(d.description, "As the ability says.");
    assert_string_equal(d.preview, "Circle");
    assert_int_equal(d.preview_snap, KN_ORDER_SNAP_CURSOR);
    d = kn_order_get_unit_display(f->world, (kn_order_type_id){99}, f->unit, 0);
    assert_string_equal(d.title, "");
    assert_string_equal(d.description, "");
    assert_int_equal(d.button, -1);
}

// OD-105, ORD-283: previews show what the ability has, placed as it says.
static void previews_are_those_of_the_variant(void **state)
{
    fixture *f = *state;
    kn_preview_shape shapes[4];
    kn_order order = variant_order(0);
    order.target = f->foe;
    place(f, f->unit, 0, 0);
    place(f, f->foe, 10, 0);
    uint32_t count = kn_preview_aim(f->world, f->unit, &order, shapes, 4);
    assert_int_equal(count, 2);
    assert_int_equal(shapes[1].kind, KN_PREVIEW_GHOST);
    assert_string_equal(shapes[1].model, "Beam");
    assert_true(shapes[1].at.x == 0 && shapes[1].facing.x == 1);
    count = kn_preview_aim(f->world, f->friend, &order, shapes, 4);
    assert_int_equal(count, 2);
    assert_string_equal(shapes[1].model, "Arrow");
    assert_true(shapes[1].at.x == 10);
    kn_preview preview = kn_preview_of(f->world, all.use->id, f->unit, 0);
    assert_string_equal(preview.model, "Beam");
    assert_int_equal(preview.snap, KN_ORDER_SNAP_OWNER);
    assert_int_equal(kn_preview_get_ability(&preview).index1, all.bolt.index1);
    preview = kn_preview_of(f->world, all.use->id, f->unit, 1);
    assert_null(preview.model);
    grant(f->unit, all.bolt);
    gain(f, f->unit, all.needed);
    assert_int_equal(issue(f, all.other), KN_OK); // goes on, and leads nowhere
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, NULL), KN_OK);
    count = kn_preview_orders(f->world, f->unit, shapes, 4);
    assert_int_equal(count, 2);
    assert_int_equal(shapes[1].kind, KN_PREVIEW_MARK);
    assert_string_equal(shapes[1].model, "Beam");
}

static void looks_are_set_before_the_library_is_finished(void **state)
{
    fixture *f = *state;
    assert_int_equal(kn_order_set_looks(f->library, NULL, NULL), KN_ERROR_WORLD_LOCKED);
    kn_library_def def = kn_library_def_default();
    kn_library *bare;
    assert_int_equal(kn_library_create(&def, &bare), KN_OK);
    assert_int_equal(kn_order_set_looks(bare, look, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_library_destroy(bare);
}

static const struct CMUnitTest tests[] = {
    SPELL_TEST(variants_answer_what_an_order_is_for_a_unit),
    SPELL_TEST(orders_use_the_ability_of_their_variant),
    SPELL_TEST(groups_follow_the_variant),
    SPELL_TEST(variants_are_automatic_orders),
    SPELL_TEST(looks_follow_the_unit_and_the_variant),
    SPELL_TEST(previews_are_those_of_the_variant),
    SPELL_TEST(looks_are_set_before_the_library_is_finished),
};

TEST_GROUP(order_variants, tests, NULL, NULL);
