// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders and targets as values, and what may be ordered: checks, errors, scores and searches.

#include "order_test.h"

#include <math.h>

static void name_entity(
    void *user, const kn_world *world, kn_entity_id entity, char *text, uint32_t size)
{
    (void)world;
    (void)entity;
    (void)snprintf(text, size, "%s", (const char *)user);
}

// OD-022, OD-023, OD-024, OD-025, TVD-01, TVD-02, TVD-03, TVD-04, TVD-05
static void orders_begin_with_defaults(void **state)
{
    (void)state;
    const kn_order_type_id type = {3};
    const kn_entity_id target = {7, 2};
    kn_order order = kn_order_default();
    assert_int_equal(order.type.index1, 0);
    assert_int_equal(order.index, -1);
    assert_int_equal(order.target.index1, 0);
    assert_int_equal(order.uses_location, 0);
    assert_true(order.location.x == 0 && order.location.y == 0);
    order = kn_order_at(type, (kn_vec3){1000, 500, 0});
    assert_int_equal(order.type.index1, 3);
    assert_int_equal(order.uses_location, 1);
    assert_true(order.location.x == 1000 && order.location.y == 500);
    assert_int_equal(order.target.index1, 0);
    assert_int_equal(order.index, -1);
    order = kn_order_on(type, target);
    assert_true(kn_entity_id_equal(order.target, target));
    assert_int_equal(order.uses_location, 0);
    assert_int_equal(order.index, -1);
    order.index = 0;
    kn_order_set_location(&order, (kn_vec3){1, 2, 3});
    assert_int_equal(order.uses_location, 1);
    assert_true(kn_entity_id_equal(order.target, target)); // both: OD-019
    order = kn_order_of(type);
    assert_int_equal(order.type.index1, 3);
    assert_int_equal(order.uses_location, 0);
}

// OD-026, OD-027, OD-029, TVD-06, TVD-07, TVD-08, TVD-09
static void orders_are_compared(void **state)
{
    (void)state;
    kn_order a = kn_order_on((kn_order_type_id){3}, (kn_entity_id){7, 2}), b = a;
    a.location = (kn_vec3){1, 1, 0};
    b.location = (kn_vec3){2, 2, 0};
    assert_true(kn_order_equal(&a, &b));
    a.uses_location = b.uses_location = 1;
    assert_false(kn_order_equal(&a, &b));
    b.location = a.location;
    assert_true(kn_order_equal(&a, &b));
    b.uses_location = 0;
    assert_false(kn_order_equal(&a, &b));
    b = a;
    b.index = 0;
    assert_false(kn_order_equal(&a, &b));
    b = a;
    b.target.generation = 3;
    assert_false(kn_order_equal(&a, &b));
    b = a;
    b.type.index1 = 4;
    assert_false(kn_order_equal(&a, &b));
}

// OD-030, OD-031, OD-046, OD-074, TVD-10, TVD-11, TVD-13, TVD-34, TVD-35
static void orders_targets_and_errors_have_a_text(void **state)
{
    fixture *f = *state;
    script *move = type_add(f, "Move");
    begin_with(f, kn_world_def_default());
    char text[256];
    kn_order order = kn_order_at(move->id, (kn_vec3){100, 200, 0});
    uint32_t length = kn_order_print(f->world, &order, NULL, NULL, text, sizeof(text));
    assert_string_equal(text, "Move (Location: X=100.0 Y=200.0)");
    assert_int_equal(length, strlen(text));
    assert_int_equal(kn_order_print(f->world, &order, NULL, NULL, text, 5), length);
    assert_string_equal(text, "Move");
    char foe[] = "EnemyUnit_0";
    order = kn_order_on(move->id, f->foe);
    (void)kn_order_print(f->world, &order, name_entity, foe, text, sizeof(text));
    assert_string_equal(text, "Move (Target: EnemyUnit_0)");
    order.index = 4;
    kn_order_set_location(&order, (kn_vec3){-0.25f, 2.06f, 0});
    (void)kn_order_print(f->world, &order, name_entity, foe, text, sizeof(text));
    assert_string_equal(text, "Move (Target: EnemyUnit_0, Location: X=-0.3 Y=2.1, Index: 4)");
    order = kn_order_default();
    (void)kn_order_print(f->world, &order, NULL, NULL, text, sizeof(text));
    assert_string_equal(text, "None");

    kn_order_target target = {.entity = f->foe, .location = {120.5f, 300, 0}, .tag_count = 2};
    target.tags[0] = kn_tag_find(f->library, "Knack.Relation.Hostile");
    target.tags[1] = f->alive;
    (void)kn_order_target_print(f->world, &target, name_entity, foe, text, sizeof(text));
    assert_string_equal(text, "(Actor: EnemyUnit_0, Location: X=120.5 Y=300.0, "
                              "Tags:(Knack.Relation.Hostile, Knack.Status.Alive))");
    target = (kn_order_target){0};
    (void)kn_order_target_print(f->world, &target, NULL, NULL, text, sizeof(text));
    assert_string_equal(text, "(Actor: None, Location: X=0.0 Y=0.0, Tags:())");

    kn_order_errors errors = {0};
    assert_true(kn_order_errors_is_empty(&errors));
    kn_order_errors_add(&errors, f->upgrade);
    kn_order_errors_add(&errors, f->upgrade); // a set: OD-075
    kn_order_errors_add(NULL, f->upgrade);
    assert_false(kn_order_errors_is_empty(&errors));
    errors.missing[errors.missing_count++] = f->alive;
    errors.blocking[errors.blocking_count++] = f->unarmed;
    (void)kn_order_errors_print(f->library, &errors, text, sizeof(text));
    assert_string_equal(text,
        "Missing Tags: (Knack.Status.Alive), Blocking Tags: (Status.Unarmed), "
        "Error Tags: (Order.Error.MissingUpgrade)");
    errors.other_count = errors.blocking_count = 0;
    assert_false(kn_order_errors_is_empty(&errors));
}

static bool has(const kn_order_target *target, kn_tag tag)
{
    for (uint32_t i = 0; i < target->tag_count; i++) {
        if (target->tags[i].index1 == tag.index1) {
            return true;
        }
    }
    return false;
}

// OD-036, OD-041, OD-042, OD-219, OD-220, OD-221, OD-223, OD-240, TVD-12, TVD-14, TVD-15, TVD-16,
// TVD-17, TVD-18, RTSV-R1, RTSV-R2
static void a_target_is_seen_as_it_is_now(void **state)
{
    fixture *f = *state;
    begin_with(f, kn_world_def_default());
    const kn_tag hostile = kn_tag_find(f->library, "Knack.Relation.Hostile");
    const kn_tag friendly = kn_tag_find(f->library, "Knack.Relation.Friendly");
    const kn_tag self = kn_tag_find(f->library, "Knack.Relation.Self");
    const kn_tag visible = kn_tag_find(f->library, "Knack.Relation.Visible");
    gain(f, f->foe, f->alive);
    kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){40, 7, 0});
    assert_true(kn_entity_id_equal(seen.entity, f->foe));
    assert_true(seen.location.x == 40 && seen.location.y == 7);
    assert_int_equal(seen.tag_count, 3);
    assert_true(has(&seen, f->alive) && has(&seen, hostile) && has(&seen, visible));
    gain(f, f->foe, f->unarmed);
    assert_false(has(&seen, f->unarmed));
    seen = kn_order_look(f->world, f->unit, (kn_entity_id){0}, (kn_vec3){55, 66, 0});
    assert_int_equal(seen.entity.index1, 0);
    assert_int_equal(seen.tag_count, 0);
    assert_true(seen.location.x == 55 && seen.location.y == 66);
    seen = kn_order_look(f->world, (kn_entity_id){0}, f->foe, (kn_vec3){0});
    assert_int_equal(seen.tag_count, 2);
    assert_true(has(&seen, f->alive) && has(&seen, f->unarmed));
    seen = kn_order_look(f->world, f->unit, f->unit, (kn_vec3){0});
    assert_int_equal(seen.tag_count, 3);
    assert_true(has(&seen, friendly) && has(&seen, self) && has(&seen, visible));
    assert_int_equal(
        kn_order_get_relation(f->world, f->unit, f->stone), KN_ORDER_NEUTRAL | KN_ORDER_VISIBLE);
    assert_int_equal(
        kn_order_get_relation(f->world, f->unit, f->player), KN_ORDER_FRIENDLY | KN_ORDER_VISIBLE);
    assert_int_equal(kn_order_get_relation(f->world, f->unit, (kn_entity_id){0}), KN_ORDER_NEUTRAL);
    assert_int_equal(kn_order_get_relation(f->world, (kn_entity_id){0}, f->unit), KN_ORDER_NEUTRAL);
}

static kn_result all_hostile(void *user, const kn_hook_call *call)
{
    kn_order_relation_call *c = call->arguments;
    const fixture *f = user;
    c->relation = kn_entity_id_equal(c->other, f->stone) ? KN_ORDER_HOSTILE : c->relation;
    return KN_OK;
}

// OD-227, DESIGN: games rename the tags of the kit
static void games_decide_about_relations_and_tags(void **state)
{
    fixture *f = *state;
    kn_order_rules_def rules = kn_order_rules_def_default();
    rules.name = "Rules";
    rules.hostile = tag_named(f, "Is.Enemy");
    rules.relation = (kn_hook){all_hostile, f};
    assert_int_equal(kn_order_rules_register(f->library, &rules, NULL), KN_OK);
    begin_with(f, kn_world_def_default());
    kn_order_target seen = kn_order_look(f->world, f->unit, f->stone, (kn_vec3){0});
    assert_int_equal(seen.tag_count, 1); // not visible either
    assert_int_equal(seen.tags[0].index1, rules.hostile.index1);
    assert_int_equal(
        kn_order_get_relation(f->world, f->unit, f->foe), KN_ORDER_HOSTILE | KN_ORDER_VISIBLE);
}

static uint32_t all_neutral(void *user, const kn_world *world, kn_entity_id from, kn_entity_id to)
{
    const fixture *f = user;
    assert_ptr_equal(world, f->world);
    assert_false(kn_entity_id_equal(from, to));
    return KN_ORDER_NEUTRAL | KN_ORDER_SELF; // of oneself is never another
}

// OD-227: a kit that knows teams answers in place of owners, and the hook of the game after it
static void kits_decide_about_relations(void **state)
{
    fixture *f = *state;
    kn_order_rules_def rules = kn_order_rules_def_default();
    rules.name = "Rules";
    rules.relation = (kn_hook){all_hostile, f};
    assert_int_equal(kn_order_rules_register(f->library, &rules, NULL), KN_OK);
    assert_int_equal(kn_order_set_relations(NULL, all_neutral, f), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_order_set_relations(f->library, all_neutral, f), KN_OK);
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_order_set_relations(f->library, NULL, NULL), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_order_get_relation(f->world, f->unit, f->foe), KN_ORDER_NEUTRAL);
    assert_int_equal(kn_order_get_relation(f->world, f->unit, f->stone), KN_ORDER_HOSTILE);
    assert_int_equal(kn_order_get_relation(f->world, f->unit, f->unit),
        KN_ORDER_FRIENDLY | KN_ORDER_SELF | KN_ORDER_VISIBLE);
}

// OD-048, OD-066, OD-067, OD-120, OD-123, OD-124, OD-239, TVD-19, TVD-20, TVD-21, TVD-22, TVD-25,
// TVD-26, TVD-36, TVD-74
static void a_unit_is_asked_whether_it_may_obey(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A"), *b = type_add(f, "B");
    static kn_tag required[1], blocked[1], parent[1];
    required[0] = f->worker;
    blocked[0] = f->unarmed;
    parent[0] = kn_tag_find(f->library, "Status");
    a->def.tags.source_required = (kn_tags){required, 1};
    a->def.tags.source_blocked = (kn_tags){blocked, 1};
    b->def.tags.source_blocked = (kn_tags){parent, 1};
    begin_with(f, kn_world_def_default());
    gain(f, f->unit, f->unarmed);
    kn_order_errors errors = {0};
    assert_false(kn_order_can_obey(f->world, a->id, f->unit, -1, &errors));
    assert_int_equal(errors.missing_count, 1); // all reasons at once
    assert_int_equal(errors.missing[0].index1, f->worker.index1);
    assert_int_equal(errors.blocking_count, 1);
    assert_int_equal(errors.blocking[0].index1, f->unarmed.index1);
    assert_int_equal(a->asked, 0); // the hook is not asked then
    errors = (kn_order_errors){0};
    assert_false(kn_order_can_obey(f->world, b->id, f->unit, -1, &errors));
    assert_int_equal(errors.blocking[0].index1, parent[0].index1);
    gain(f, f->unit, f->worker);
    lose(f, f->unit, f->unarmed);
    assert_true(kn_order_can_obey(f->world, a->id, f->unit, -1, NULL));
    assert_int_equal(a->asked, 1);
    a->is_refused = true; // without a reason
    errors = (kn_order_errors){0};
    kn_order order = kn_order_of(a->id);
    assert_false(kn_order_can_obey(f->world, a->id, f->unit, -1, &errors));
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_true(kn_order_errors_is_empty(&errors));
    assert_false(kn_order_can_obey(f->world, (kn_order_type_id){0}, f->unit, -1, &errors));
    assert_false(kn_order_can_obey(f->world, b->id, (kn_entity_id){0}, -1, &errors));
    assert_true(kn_order_errors_is_empty(&errors));
}

static bool closed_gate(void *user, const kn_world *world, kn_entity_id unit, kn_order_type_id type,
    int32_t index, kn_order_errors *errors)
{
    const fixture *f = user;
    (void)world;
    (void)unit;
    if (index != 7) {
        return true;
    }
    kn_order_errors_add(errors, f->unarmed);
    return type.index1 == 0;
}

static void other_parts_have_a_say_in_orders(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    static kn_tag blocked[1];
    static char users[KN_ORDER_GATES_MAX];
    blocked[0] = f->worker;
    a->def.tags.source_blocked = (kn_tags){blocked, 1};
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_order_gate_register(f->library, closed_gate, f), KN_OK);
    assert_int_equal(kn_order_gate_register(f->library, closed_gate, f), KN_OK); // counts once
    gain(f, f->unit, f->worker);
    kn_order_errors errors = {0};
    assert_false(kn_order_can_obey(f->world, a->id, f->unit, 7, &errors));
    assert_int_equal(errors.blocking_count, 1); // all reasons at once
    assert_int_equal(errors.other_count, 1);
    lose(f, f->unit, f->worker);
    kn_order order = kn_order_of(a->id);
    order.index = 7;
    assert_false(kn_order_check(f->world, f->unit, &order, NULL));
    assert_int_equal(a->asked, 0);
    order.index = 6;
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
    assert_int_equal(kn_order_gate_register(f->library, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_order_gate_register(NULL, closed_gate, f), KN_ERROR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < KN_ORDER_GATES_MAX; i++) {
        assert_int_equal(kn_order_gate_register(f->library, closed_gate, &users[i]),
            i + 1 < KN_ORDER_GATES_MAX ? KN_OK : KN_REFUSED_LIMIT);
    }
}

// OD-053, OD-132, OD-133, OD-134, OD-137, TVD-27, TVD-28, TVD-29, TVD-31, TVD-32, TVD-33, TVD-37
static void a_target_is_accepted_or_not(void **state)
{
    fixture *f = *state;
    script *attack = type_add(f, "K"), *place_it = type_add(f, "P"), *go = type_add(f, "G");
    static kn_tag required[2], blocked[1];
    required[0] = kn_tag_find(f->library, "Knack.Relation.Hostile");
    required[1] = f->alive;
    blocked[0] = f->invulnerable;
    attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    attack->def.tags.target_required = (kn_tags){required, 2};
    attack->def.tags.target_blocked = (kn_tags){blocked, 1};
    place_it->def.target_kind = go->def.target_kind = KN_ORDER_TARGET_LOCATION;
    place_it->def.tags.target_required = (kn_tags){&required[1], 1};
    begin_with(f, kn_world_def_default());
    gain(f, f->foe, f->alive);
    gain(f, f->friend, f->alive);
    kn_order_target nothing = {0};
    kn_order_errors errors = {0};
    assert_false(kn_order_is_valid_target(f->world, attack->id, f->unit, &nothing, -1, &errors));
    assert_int_equal(errors.other_count, 1);
    assert_int_equal(errors.missing_count, 0);
    kn_order_target seen = kn_order_look(f->world, f->unit, f->friend, (kn_vec3){0});
    errors = (kn_order_errors){0};
    assert_false(kn_order_is_valid_target(f->world, attack->id, f->unit, &seen, -1, &errors));
    assert_int_equal(errors.missing_count, 1);
    assert_int_equal(errors.missing[0].index1, required[0].index1);
    gain(f, f->foe, f->invulnerable);
    seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    errors = (kn_order_errors){0};
    assert_false(kn_order_is_valid_target(f->world, attack->id, f->unit, &seen, -1, &errors));
    assert_int_equal(errors.blocking_count, 1);
    assert_int_equal(errors.blocking[0].index1, f->invulnerable.index1);
    kn_order_target by_hand = {.entity = f->foe}; // what was not looked at has no tags
    assert_false(kn_order_is_valid_target(f->world, attack->id, f->unit, &by_hand, -1, NULL));
    lose(f, f->foe, f->invulnerable);
    kn_order order = kn_order_on(attack->id, f->foe);
    uint64_t hash = kn_world_hash(f->world);
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
    assert_true(kn_world_hash(f->world) == hash);
    order = kn_order_at(place_it->id, (kn_vec3){1, 1, 0});
    errors = (kn_order_errors){0};
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_int_equal(errors.missing[0].index1, f->alive.index1);
    order = kn_order_of(go->id); // nobody looks at the flag
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
}

// ORD-045, ORD-046, OD-175, OD-177, OD-178, OD-180, TVD-48, TVD-49, TVD-50, TVD-51
static void a_cancelled_order_may_count_as_a_success(void **state)
{
    fixture *f = *state;
    script *attack = type_add(f, "K"), *capture = type_add(f, "C"), *plain = type_add(f, "P");
    static kn_tag alive[1], captured[1];
    alive[0] = f->alive;
    captured[0] = f->building;
    attack->def.success.target_blocked = (kn_tags){alive, 1};
    capture->def.success.target_required = (kn_tags){captured, 1};
    begin_with(f, kn_world_def_default());
    gain(f, f->foe, f->alive);
    kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0}), gone = {0};
    assert_false(kn_order_would_succeed(f->world, attack->id, f->unit, &seen));
    assert_true(kn_order_would_succeed(f->world, attack->id, f->unit, &gone));
    assert_true(kn_order_would_succeed(f->world, plain->id, f->unit, &seen));
    assert_false(kn_order_would_succeed(f->world, capture->id, f->unit, &gone));
    assert_false(kn_order_would_succeed(f->world, plain->id, (kn_entity_id){0}, &seen));
    assert_false(kn_order_would_succeed(f->world, (kn_order_type_id){0}, f->unit, &seen));
}

// Scores ------------------------------------------------------------------------------------

static kn_result score_kind(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    const fixture *f = user;
    c->number *= has(&c->target, f->worker) ? 0.7f : 1.0f;
    c->number *= has(&c->target, f->building) ? 0.5f : 1.0f;
    return KN_OK;
}

static kn_result score_negative(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    (void)user;
    c->number = -5.0f;
    return KN_OK;
}

// Passes over those that are invulnerable.
static kn_result score_refuses(void *user, const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    const fixture *f = user;
    return has(&c->target, f->invulnerable) ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result range_of_hand(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    (void)user;
    c->number = c->order.index == 2 ? 600.0f : c->number;
    return KN_OK;
}

// ORD-276, ORD-334, OD-181, OD-182, OD-183, TVO-60, TVO-61, TVO-62, TVD-52, RTSV-S1, RTSV-S2,
// RTSV-S3
static void targets_have_a_score(void **state)
{
    fixture *f = *state;
    script *attack = type_add(f, "K"), *plain = type_add(f, "P");
    attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    attack->def.score = (kn_hook){score_kind, f};
    attack->def.range = 20;
    attack->def.find_range = (kn_hook){range_of_hand, NULL};
    begin_with(f, kn_world_def_default());
    place(f, f->unit, 0, 0);
    place(f, f->foe, 250, 0);
    kn_order_target here = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    kn_order_target there = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){250, 0, 90});
    assert_true(kn_order_score(f->world, plain->id, f->unit, &there, -1, 1000) == 0.75f);
    assert_true(kn_order_score(f->world, plain->id, f->unit, &there, -1, 100) == 0.0f);
    assert_true(kn_order_score(f->world, plain->id, f->unit, &there, -1, 0) == 0.0f);
    assert_true(kn_order_score(f->world, plain->id, f->unit, &here, -1, 0) == 1.0f);
    gain(f, f->foe, f->worker);
    here = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    assert_true(kn_order_score(f->world, attack->id, f->unit, &here, -1, 1000) == 0.7f);
    gain(f, f->foe, f->building);
    here = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    assert_true(kn_order_score(f->world, attack->id, f->unit, &here, -1, 1000) == 0.7f * 0.5f);
    lose(f, f->foe, f->worker);
    there = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){250, 0, 0});
    assert_true(kn_order_score(f->world, attack->id, f->unit, &there, -1, 1000) == 0.375f);
    here = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    assert_true(kn_order_score(f->world, attack->id, f->unit, &here, -1, 1000) == 0.5f);
    assert_true(kn_order_score(f->world, attack->id, (kn_entity_id){0}, &there, -1, 1000) == 0.0f);
    assert_true(kn_order_score(f->world, (kn_order_type_id){0}, f->unit, &there, -1, 1000) == 0.0f);
    assert_true(kn_order_get_range(f->world, attack->id, f->unit, 2) == 600.0f);
    assert_true(kn_order_get_range(f->world, attack->id, f->unit, -1) == 20.0f);
    assert_true(kn_order_get_range(f->world, plain->id, f->unit, -1) == 0.0f);
}

// OD-116, TVO-100
static void unknown_types_have_plain_answers(void **state)
{
    fixture *f = *state;
    script *plain = type_add(f, "P");
    begin_with(f, kn_world_def_default());
    const kn_order_type_id types[] = {{0}, {99}, plain->id};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            kn_order_get_target_kind(f->world, types[i], f->unit, -1), KN_ORDER_TARGET_NONE);
        assert_int_equal(kn_order_get_policy(f->world, types[i], f->unit, -1), KN_ORDER_CANCELABLE);
        assert_true(kn_order_get_range(f->world, types[i], f->unit, -1) == 0.0f);
    }
    const kn_order_type_def *def = kn_order_type_get_def(f->library, plain->id);
    assert_int_equal(def->group, KN_ORDER_GROUP_ALL);
    assert_false(def->individual_locations);
    assert_false(def->allows_auto);
    assert_int_equal(def->button, -1);
    assert_null(def->icon);
    kn_order_type_def fresh = kn_order_type_def_default();
    assert_true(fresh.needs_life); // ORD-042
}

// OD-195, OD-196, OD-198..212, OD-214, TVD-54..62
static void the_best_target_is_found(void **state)
{
    fixture *f = *state;
    script *attack = type_add(f, "K"), *spot = type_add(f, "L"), *none = type_add(f, "N"),
           *passive = type_add(f, "Q"), *sad = type_add(f, "Z");
    static kn_tag hostile[1], blocked[1];
    hostile[0] = kn_tag_find(f->library, "Knack.Relation.Hostile");
    blocked[0] = f->invulnerable;
    attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    attack->def.tags.target_required = (kn_tags){hostile, 1};
    attack->def.tags.target_blocked = (kn_tags){blocked, 1};
    spot->def = attack->def;
    spot->def.name = spot->name;
    spot->def.target_kind = KN_ORDER_TARGET_LOCATION;
    passive->def.target_kind = KN_ORDER_TARGET_PASSIVE;
    sad->def.target_kind = KN_ORDER_TARGET_ENTITY;
    sad->def.tags = attack->def.tags;
    sad->def.score = (kn_hook){score_negative, NULL};
    begin_with(f, kn_world_def_default());
    kn_entity_id p, q, r;
    kn_entity_id *const made[] = {&p, &q, &r};
    const float at[] = {700, 550, 900};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kn_entity_create(f->world, made[i]), KN_OK);
        place(f, *made[i], at[i], 0);
        own(f, *made[i], f->rival);
    }
    place(f, f->unit, 300, 0);
    place(f, f->foe, 5000, 0);
    float score = 99;
    kn_vec3 home = {0};
    kn_entity_id found =
        kn_order_find_target(f->world, attack->id, f->unit, -1, 500, 600, home, &score);
    assert_true(kn_entity_id_equal(found, q));
    assert_true(score == 0.5f);
    gain(f, q, f->invulnerable);
    found = kn_order_find_target(
        f->world, attack->id, f->unit, -1, 500, 500, (kn_vec3){300, 0, 0}, &score);
    assert_true(kn_entity_id_equal(found, p)); // 400 away, and q does not count
    assert_true(score == 1.0f - 400.0f / 500.0f);
    found = kn_order_find_target(f->world, spot->id, f->unit, -1, 500, 700, home, NULL);
    assert_true(kn_entity_id_equal(found, p));
    found = kn_order_find_target(f->world, sad->id, f->unit, -1, 500, 700, home, &score);
    assert_true(kn_entity_id_equal(found, p));
    assert_true(score == -5.0f);
    found = kn_order_find_target(f->world, none->id, f->unit, -1, 500, 600, home, &score);
    assert_int_equal(found.index1, 0);
    assert_true(score == 0.0f);
    found = kn_order_find_target(f->world, passive->id, f->unit, -1, 500, 600, home, NULL);
    assert_int_equal(found.index1, 0);
    // Equal scores: the first one, whatever order the space has.
    place(f, r, 700, 0);
    found = kn_order_find_target(f->world, attack->id, f->unit, -1, 500, 700, home, NULL);
    assert_true(kn_entity_id_equal(found, p));

    assert_true(kn_order_enemy_is_near(f->world, f->unit, 400)); // touching counts
    assert_false(kn_order_enemy_is_near(f->world, f->unit, 200));
    for (int i = 0; i < 3; i++) {
        own(f, *made[i], f->player);
    }
    assert_false(kn_order_enemy_is_near(f->world, f->unit, 400)); // only friends, and itself
}

// A score that refuses a target: searches pass it over, and orders may still be aimed at it.
static void scores_may_pass_targets_over(void **state)
{
    fixture *f = *state;
    script *attack = type_add(f, "K");
    attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    attack->def.score = (kn_hook){score_refuses, f};
    static kn_tag hostile[1];
    hostile[0] = kn_tag_find(f->library, "Knack.Relation.Hostile");
    attack->def.tags.target_required = (kn_tags){hostile, 1};
    begin_with(f, kn_world_def_default());
    place(f, f->unit, 0, 0);
    place(f, f->foe, 100, 0);
    const kn_vec3 home = {0};
    float score;
    kn_entity_id found =
        kn_order_find_target(f->world, attack->id, f->unit, -1, 200, 300, home, &score);
    assert_true(kn_entity_id_equal(found, f->foe));
    assert_true(score == 0.5f);
    gain(f, f->foe, f->invulnerable);
    found = kn_order_find_target(f->world, attack->id, f->unit, -1, 200, 300, home, &score);
    assert_int_equal(found.index1, 0);
    const kn_order order = kn_order_on(attack->id, f->foe);
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
    kn_order_candidate candidates[8];
    uint32_t count =
        kn_order_candidates(f->world, attack->id, f->unit, -1, 200, 300, home, candidates, 8);
    assert_int_equal(count, 6);
    for (uint32_t i = 0; i < count; i++) {
        assert_false(candidates[i].is_accepted);
        assert_true(candidates[i].score == 0.0f);
    }
}

// OD-057: what makes no sense is refused, in a plain sentence
static void definitions_are_checked(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    kn_error error = {0};
    kn_order_type_def def = a->def;
    f->script_count = 0;
    def.execute.function = NULL;
    assert_int_equal(kn_order_type_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message,
        "order type `A`: `execute` or `tree` is missing, so that nothing carries it out");
    def = a->def;
    def.range = -1;
    assert_int_equal(kn_order_type_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    def = a->def;
    def.auto_begins = true;
    assert_int_equal(kn_order_type_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    def = (kn_order_type_def){0};
    assert_int_not_equal(kn_order_type_register(f->library, &def, NULL, &error), KN_OK);
    assert_int_equal(
        kn_order_type_register(f->library, NULL, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_order_register(f->library, NULL), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_order_type_register(f->library, &a->def, &a->id, &error), KN_OK);
    assert_int_equal(
        kn_order_type_register(f->library, &a->def, NULL, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_order_type_find(f->library, "A").index1, a->id.index1);
    assert_int_equal(kn_order_type_find(f->library, "B").index1, 0);
    static kn_order_auto many[KN_ORDER_AUTOS_MAX + 1];
    kn_unit_type_def unit = kn_unit_type_def_default();
    unit.name = "Busy";
    unit.autos = many;
    unit.auto_count = KN_ORDER_AUTOS_MAX + 1;
    assert_int_equal(kn_unit_type_register(f->library, &unit, NULL, &error), KN_ERROR_BAD_DATA);
    unit.auto_count = KN_ORDER_AUTOS_MAX;
    assert_int_equal(kn_unit_type_register(f->library, &unit, NULL, &error), KN_OK);
    kn_order_rules_def rules = kn_order_rules_def_default();
    rules.name = "One";
    assert_int_equal(kn_order_rules_register(f->library, &rules, &error), KN_OK);
    rules.name = "Two";
    assert_int_equal(kn_order_rules_register(f->library, &rules, &error), KN_OK);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(orders_begin_with_defaults),
    cmocka_unit_test(orders_are_compared),
    TEST(orders_targets_and_errors_have_a_text),
    TEST(a_target_is_seen_as_it_is_now),
    TEST(games_decide_about_relations_and_tags),
    TEST(kits_decide_about_relations),
    TEST(a_unit_is_asked_whether_it_may_obey),
    TEST(other_parts_have_a_say_in_orders),
    TEST(a_target_is_accepted_or_not),
    TEST(a_cancelled_order_may_count_as_a_success),
    TEST(targets_have_a_score),
    TEST(unknown_types_have_plain_answers),
    TEST(the_best_target_is_found),
    TEST(scores_may_pass_targets_over),
    TEST(definitions_are_checked),
};

TEST_GROUP(order_checks, tests, NULL, NULL);
