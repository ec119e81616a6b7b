// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders, targets, requirements, errors and automatic orders as values, chapter by chapter of the
// specification: what they hold, what they begin with, and who reads them.

#include "order_test.h"

static kn_unit_info info_of(fixture *f, kn_entity_id unit)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, unit, &info));
    return info;
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

// Order types ---------------------------------------------------------------------------------

// ORD-002, ORD-006, OD-001: one definition serves any number of units at once
static void one_definition_serves_all_units(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    a->def.target_kind = KN_ORDER_TARGET_ENTITY;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(kn_unit_add(f->world, f->friend, f->unit_type), KN_OK);
    const kn_order_type_def before = *kn_order_type_get_def(f->library, a->id);
    kn_order order = kn_order_on(a->id, f->foe);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    uint32_t first = a->ticket;
    order = kn_order_on(a->id, f->stone);
    assert_int_equal(kn_order_issue(f->world, f->friend, &order, NULL), KN_OK);
    assert_true(kn_entity_id_equal(info_of(f, f->unit).current.target, f->foe));
    assert_true(kn_entity_id_equal(info_of(f, f->friend).current.target, f->stone));
    assert_int_equal(kn_order_end(f->world, f->unit, first, KN_ORDER_SUCCEEDED), KN_OK);
    assert_int_equal(info_of(f, f->unit).current.type.index1, 0);
    assert_int_equal(info_of(f, f->friend).current.type.index1, a->id.index1); // on its own
    assert_memory_equal(&before, kn_order_type_get_def(f->library, a->id), sizeof(before));
}

// Loads the order type "Late", and nothing else.
typedef struct shelf {
    fixture *f;
    uint32_t asked;
} shelf;

static kn_result shelf_load(void *user, kn_library *library, const char *name, kn_error *error)
{
    shelf *s = user;
    s->asked++;
    if (strcmp(name, "Late") != 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_order_type_def def = s->f->scripts[0].def;
    def.name = "Late";
    return kn_order_type_register(library, &def, NULL, error);
}

// ORD-007, ORD-008, ORD-104, OD-003, OD-004, OD-121, OD-131, OD-236
static void order_types_are_loaded_when_they_are_needed(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    shelf s = {f, 0};
    assert_int_equal(kn_order_type_resolve(f->library, "Late", NULL).index1, 0); // nobody loads
    assert_int_equal(kn_order_set_loader(f->library, shelf_load, &s), KN_OK);
    assert_int_equal(kn_order_type_find(f->library, "Late").index1, 0); // only looks
    assert_int_equal(s.asked, 0);
    kn_order_type_id late = kn_order_type_resolve(f->library, "Late", NULL);
    assert_int_not_equal(late.index1, 0);
    assert_int_equal(kn_order_type_resolve(f->library, "Late", NULL).index1, late.index1);
    assert_int_equal(s.asked, 1); // once
    kn_order_type_id never = kn_order_type_resolve(f->library, "Never", NULL);
    assert_int_equal(never.index1, 0);
    assert_int_equal(kn_order_type_resolve(f->library, "Never", NULL).index1, 0);
    assert_int_equal(s.asked, 2); // once, too
    assert_int_equal(kn_order_type_resolve(f->library, NULL, NULL).index1, 0);
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_order_type_resolve(f->library, "A", NULL).index1, a->id.index1);
    assert_int_equal(kn_order_type_resolve(f->library, "Other", NULL).index1, 0);
    assert_int_equal(s.asked, 2); // the library is finished
    assert_int_equal(kn_order_set_loader(f->library, NULL, NULL), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_order_set_loader(NULL, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    // What cannot be found is refused like no type at all, and a reference to it does no harm.
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    kn_order order = kn_order_of(never), copy = order;
    assert_true(kn_order_equal(&order, &copy));
    assert_false(kn_order_check(f->world, f->unit, &order, NULL));
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_REFUSED_NOT_FOUND);
    order = kn_order_of(late);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
}

// ORD-020, ORD-022, OD-159, OD-170, OD-172: what words there are
static void the_words_of_the_kit_are_those_of_the_specification(void **state)
{
    (void)state;
    assert_int_equal(KN_ORDER_TARGET_COUNT, 5);
    assert_int_equal(KN_ORDER_TARGET_NONE, 0);  // what nothing is said about is aimed at nothing
    assert_int_equal(KN_ORDER_POLICY_COUNT, 4); // one more, for orders that use abilities
    assert_int_equal(KN_ORDER_CANCELABLE, 0);
    assert_int_equal(KN_ORDER_RESULT_COUNT, 3);
    assert_int_equal(KN_ORDER_GROUP_COUNT, 4);
    assert_int_equal(KN_ORDER_GROUP_ALL, 0);
}

// Order data ----------------------------------------------------------------------------------

// OD-002, OD-013, OD-014, OD-015, OD-016, OD-018, OD-033, OD-035
static void an_order_is_a_small_value_that_is_copied(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A"), *b = type_add(f, "B");
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(sizeof(kn_order), sizeof(kn_order_type_id) + sizeof(int32_t) +
                                           sizeof(kn_entity_id) + sizeof(kn_vec3) +
                                           sizeof(uint32_t)); // five fields, and no more
    kn_order order = kn_order_at(a->id, (kn_vec3){1, 2, 0});
    order.target = f->foe;
    order.index = 6;
    const kn_order given = order;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    order.type = b->id;
    const kn_order waiting = order;
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, NULL), KN_OK);
    order = kn_order_default(); // the unit has copies
    kn_order queue[2], current = info_of(f, f->unit).current;
    assert_true(kn_order_equal(&current, &given));
    assert_int_equal(kn_unit_queue(f->world, f->unit, queue, 2), 1);
    assert_true(kn_order_equal(&queue[0], &waiting));
}

// OD-017: the kit passes the height on as it is, and makes none up
static void the_height_of_a_point_is_left_to_the_game(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    a->def.target_kind = KN_ORDER_TARGET_LOCATION;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    place(f, f->unit, 0, 0);
    kn_order order = kn_order_at(a->id, (kn_vec3){3, 4, 120});
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    assert_true(a->last.order.location.z == 120 && a->last.target.location.z == 120);
    assert_true(kn_order_score(f->world, a->id, f->unit, &a->last.target, -1, 10) == 0.5f);
}

// ORD-273, OD-005, OD-020, OD-117
static void the_index_means_what_the_order_type_says(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    const int32_t indices[] = {0, 12345, -7, INT32_MIN, INT32_MAX};
    for (uint32_t i = 0; i < 5; i++) {
        kn_order order = kn_order_of(a->id);
        order.index = indices[i];
        assert_true(kn_order_check(f->world, f->unit, &order, NULL));
        assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
        assert_int_equal(a->last.order.index, indices[i]);
    }
    assert_int_equal(kn_order_of(a->id).index, -1);
}

// OD-021: a target may go while an order waits
static void a_waiting_order_survives_its_target(void **state)
{
    fixture *f = *state;
    script *s = type_add(f, "S"), *a = type_add(f, "A"), *b = type_add(f, "B");
    (void)s;
    b->def.target_kind = KN_ORDER_TARGET_ENTITY;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(issue(f, a), KN_OK);
    kn_order order = kn_order_on(b->id, f->foe);
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, NULL), KN_OK);
    assert_true(kn_entity_destroy(f->world, f->foe));
    step(f);
    STATE(f, "A | B");
    assert_false(kn_order_check(f->world, f->unit, &order, NULL));
    kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    assert_int_equal(seen.entity.index1, 0); // reads as no entity
    end(f, a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) RF(B) CH(S) EX(S)");
}

// Targets -------------------------------------------------------------------------------------

typedef struct watcher {
    fixture *f;
    kn_order_target validity, score;
    uint32_t validities, scores;
} watcher;

static kn_result watch_validity(void *user, const kn_hook_call *call)
{
    watcher *w = user;
    w->validity = ((const kn_order_call *)call->arguments)->target;
    w->validities++;
    return KN_OK;
}

static kn_result watch_score(void *user, const kn_hook_call *call)
{
    watcher *w = user;
    w->score = ((const kn_order_call *)call->arguments)->target;
    w->scores++;
    return KN_OK;
}

static kn_order_target cancelled_with;

static kn_result watch_cancel(void *user, const kn_hook_call *call)
{
    (void)user;
    cancelled_with = ((const kn_order_call *)call->arguments)->target;
    return KN_OK;
}

// OD-038, OD-043, OD-044, OD-045, OD-226: all hooks get the target as it was seen
static void hooks_get_the_target_as_it_was_seen(void **state)
{
    fixture *f = *state;
    watcher w = {.f = f};
    const kn_tag hostile = kn_tag_find(f->library, "Knack.Relation.Hostile");
    script *a = type_add(f, "A"), *b = type_add(f, "B");
    a->def.target_kind = KN_ORDER_TARGET_ENTITY;
    a->def.is_valid_target = (kn_hook){watch_validity, &w};
    a->def.score = (kn_hook){watch_score, &w};
    a->def.cancelled = (kn_hook){watch_cancel, NULL};
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    gain(f, f->foe, f->worker);
    place(f, f->foe, 40, 7);
    kn_order order = kn_order_on(a->id, f->foe);
    assert_true(kn_order_check(f->world, f->unit, &order, NULL)); // a check looks
    assert_int_equal(w.validities, 1);
    assert_true(has(&w.validity, f->worker) && has(&w.validity, hostile));
    assert_true(kn_entity_id_equal(w.validity.entity, f->foe));
    const kn_order_target old = w.validity;
    gain(f, f->foe, f->building);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK); // and so does obeying
    assert_true(has(&a->last.target, f->building) && has(&a->last.target, hostile));
    assert_true(a->last.target.location.x == 40 && a->last.target.location.y == 7);
    (void)kn_order_score(f->world, a->id, f->unit, &old, -1, 100);
    assert_int_equal(w.scores, 1);
    assert_true(has(&w.score, f->worker) && !has(&w.score, f->building)); // what it was given
    assert_int_equal(issue(f, b), KN_OK);
    assert_true(kn_entity_id_equal(cancelled_with.entity, f->foe));
    assert_true(has(&cancelled_with, f->building));
    assert_int_equal(b->last.target.entity.index1, 0); // it has none
    assert_int_equal(b->last.target.tag_count, 0);
}

// OD-037, OD-039, OD-040, OD-148, OD-222: a point is taken as it is given; without one, an entity
// is where it is
static void the_place_of_a_target(void **state)
{
    fixture *f = *state;
    watcher w = {.f = f};
    script *a = type_add(f, "A");
    a->def.is_valid_target = (kn_hook){watch_validity, &w};
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    place(f, f->unit, 0, 0);
    place(f, f->foe, 40, 0);
    kn_order_target by_hand = {.entity = f->foe, .location = {5, 6, 7}, .tag_count = 1};
    by_hand.tags[0] = f->worker; // as tests and inner code make one
    assert_true(kn_order_score(f->world, a->id, f->unit, &by_hand, -1, 100) > 0.9f);
    kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){5, 6, 7});
    assert_true(seen.location.x == 5 && seen.location.y == 6 && seen.location.z == 7);
    kn_order order = kn_order_on(a->id, f->foe);
    order.location = (kn_vec3){5, 6, 7}; // does not count
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
    assert_true(w.validity.location.x == 40);
    kn_order_set_location(&order, (kn_vec3){5, 6, 7}); // counts
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
    assert_true(w.validity.location.x == 5);
    order = kn_order_of(a->id); // neither: the point is passed on all the same
    order.location = (kn_vec3){8, 0, 0};
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
    assert_true(w.validity.location.x == 8);
}

// OD-224: a target without tags still has a relation
static void a_target_without_tags_has_a_relation(void **state)
{
    fixture *f = *state;
    begin_with(f, kn_world_def_default());
    kn_order_target seen = kn_order_look(f->world, f->unit, f->stone, (kn_vec3){0});
    assert_int_equal(seen.tag_count, 2);
    assert_true(has(&seen, kn_tag_find(f->library, "Knack.Relation.Neutral")));
    assert_true(has(&seen, kn_tag_find(f->library, "Knack.Relation.Visible")));
}

// Requirements --------------------------------------------------------------------------------

// ORD-040, ORD-041, OD-048, OD-049, OD-050, OD-054, OD-055, OD-056, OD-060, OD-061, OD-063, OD-126,
// OD-237, OD-241
static void requirements_have_four_sets_for_two_questions(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    static kn_tag tags[8];
    const char *const names[] = {"T.A", "T.B", "T.C", "T.D", "T.E", "T.F", "T.G", "T.H"};
    for (uint32_t i = 0; i < 8; i++) {
        tags[i] = tag_named(f, names[i]);
    }
    const kn_order_tags nothing = {0}; // asks for nothing: the default of both
    assert_memory_equal(&a->def.tags, &nothing, sizeof(nothing));
    assert_memory_equal(&a->def.success, &nothing, sizeof(nothing));
    a->def.target_kind = KN_ORDER_TARGET_ENTITY;
    a->def.tags = (kn_order_tags){{&tags[0], 1}, {&tags[1], 1}, {&tags[2], 1}, {&tags[3], 1}};
    a->def.success = (kn_order_tags){{&tags[4], 1}, {&tags[5], 1}, {&tags[6], 1}, {&tags[7], 1}};
    begin_with(f, kn_world_def_default());
    // Of the unit, the target and nobody else.
    kn_order order = kn_order_on(a->id, f->foe);
    for (uint32_t i = 0; i < 8; i++) {
        gain(f, f->stone, tags[i]);
    }
    // All sixteen cases of each question.
    for (uint32_t has_bits = 0; has_bits < 16; has_bits++) {
        const kn_entity_id who[] = {f->unit, f->unit, f->foe, f->foe};
        for (uint32_t i = 0; i < 4; i++) {
            if ((has_bits >> i & 1) != 0) {
                gain(f, who[i], tags[i]);
                gain(f, who[i], tags[i + 4]);
            }
        }
        kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
        bool source = (has_bits & 3) == 1, target = (has_bits & 12) == 4;
        assert_int_equal(kn_order_can_obey(f->world, a->id, f->unit, -1, NULL), source);
        assert_int_equal(
            kn_order_is_valid_target(f->world, a->id, f->unit, &seen, -1, NULL), target);
        assert_int_equal(kn_order_check(f->world, f->unit, &order, NULL), source && target);
        assert_int_equal(kn_order_would_succeed(f->world, a->id, f->unit, &seen), source && target);
        for (uint32_t i = 0; i < 4; i++) {
            if ((has_bits >> i & 1) != 0) {
                lose(f, who[i], tags[i]);
                lose(f, who[i], tags[i + 4]);
            }
        }
    }
}

// ORD-031, OD-051, OD-052, OD-069, TVD-30: a heal needs an injured friend
static void a_heal_needs_an_injured_friend(void **state)
{
    fixture *f = *state;
    script *heal = type_add(f, "T");
    static kn_tag required[2];
    required[0] = kn_tag_find(f->library, "Knack.Relation.Friendly");
    required[1] = tag_named(f, "Status.Injured");
    heal->def.target_kind = KN_ORDER_TARGET_ENTITY;
    heal->def.tags.target_required = (kn_tags){required, 2};
    heal->def.tags.source_required = (kn_tags){&required[1], 1}; // the same of both
    begin_with(f, kn_world_def_default());
    kn_order_errors errors = {0};
    kn_order_target seen = kn_order_look(f->world, f->unit, f->friend, (kn_vec3){0});
    assert_false(kn_order_is_valid_target(f->world, heal->id, f->unit, &seen, -1, &errors));
    assert_int_equal(errors.missing_count, 1);
    assert_int_equal(errors.missing[0].index1, required[1].index1);
    assert_int_equal(errors.blocking_count + errors.other_count, 0);
    assert_false(kn_order_can_obey(f->world, heal->id, f->unit, -1, &errors));
    assert_int_equal(errors.missing_count, 1); // whose it is, nobody can tell
    gain(f, f->friend, required[1]);
    seen = kn_order_look(f->world, f->unit, f->friend, (kn_vec3){0});
    assert_true(kn_order_is_valid_target(f->world, heal->id, f->unit, &seen, -1, NULL));
}

// ORD-010: tags are hierarchical, for both parties and while the order runs
static void requirements_know_parents_of_tags(void **state)
{
    fixture *f = *state;
    script *s = type_add(f, "S"), *a = type_add(f, "A");
    static kn_tag parent[1];
    (void)s;
    const kn_tag stunned = tag_named(f, "Status.Changing.Stunned");
    parent[0] = kn_tag_find(f->library, "Status.Changing");
    a->def.target_kind = KN_ORDER_TARGET_ENTITY;
    a->def.tags.target_blocked = (kn_tags){parent, 1};
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    kn_order order = kn_order_on(a->id, f->foe);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    step(f);
    gain(f, f->foe, stunned);
    EXPECT(f, "XC(A) CANCEL(A) CH(S) EX(S)");
    kn_order_errors errors = {0};
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_int_equal(errors.blocking[0].index1, parent[0].index1); // that of the requirement
}

// What a variant needs, at the moment.
static kn_tag needed, unwanted;
static uint32_t tags_asked;

static kn_result find_tags(void *user, const kn_hook_call *call)
{
    kn_order_tags_call *c = call->arguments;
    const fixture *f = user;
    assert_null(call->writable);
    tags_asked++;
    if (c->index != 2) {
        return KN_REFUSED_CUSTOM; // nothing
    }
    if (c->is_success != 0) {
        c->target_blocked[c->target_blocked_count++] = f->alive;
        return KN_OK;
    }
    c->source_required[c->source_required_count++] = needed;
    c->target_blocked[c->target_blocked_count++] = unwanted;
    return KN_OK;
}

// An order type whose second variant needs a worker, and a target that can be hurt.
static script *choosy_begin(fixture *f)
{
    static kn_tag watched[3], blocked[1];
    script *s = type_add(f, "S"), *a = type_add(f, "A"), *b = type_add(f, "B");
    (void)s;
    (void)b;
    watched[0] = needed = f->worker;
    watched[1] = unwanted = f->invulnerable;
    watched[2] = f->upgrade;
    blocked[0] = f->unarmed;
    a->def.target_kind = KN_ORDER_TARGET_ENTITY;
    a->def.needs_life = false;
    a->def.tags.source_blocked = (kn_tags){blocked, 1};
    a->def.find_tags = (kn_hook){find_tags, f};
    a->def.watched_tags = (kn_tags){watched, 3};
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    step(f);
    return a;
}

// ORD-043, ORD-265, OD-058, OD-167
static void requirements_may_depend_on_the_variant(void **state)
{
    fixture *f = *state;
    script *a = choosy_begin(f);
    kn_tag tags[4];
    assert_int_equal(
        kn_order_get_tags(f->world, a->id, f->unit, 1, false, KN_ORDER_SOURCE_REQUIRED, tags, 4),
        0);
    assert_int_equal(
        kn_order_get_tags(f->world, a->id, f->unit, 2, false, KN_ORDER_SOURCE_REQUIRED, tags, 4),
        1);
    assert_int_equal(tags[0].index1, f->worker.index1);
    assert_int_equal(
        kn_order_get_tags(f->world, a->id, f->unit, 2, false, KN_ORDER_SOURCE_BLOCKED, tags, 4), 1);
    assert_int_equal(tags[0].index1, f->unarmed.index1); // the definition's stay
    assert_int_equal(
        kn_order_get_tags(f->world, a->id, f->unit, 2, true, KN_ORDER_TARGET_BLOCKED, tags, 4), 1);
    assert_int_equal(tags[0].index1, f->alive.index1);
    assert_int_equal(kn_order_get_tags(f->world, (kn_order_type_id){0}, f->unit, 2, false,
                         KN_ORDER_SOURCE_BLOCKED, tags, 4),
        0);
    kn_order order = kn_order_on(a->id, f->foe);
    order.index = 1;
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
    order.index = 2;
    kn_order_errors errors = {0};
    gain(f, f->unit, f->unarmed);
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_int_equal(errors.missing[0].index1, f->worker.index1);
    assert_int_equal(errors.blocking[0].index1, f->unarmed.index1); // both, at once
    lose(f, f->unit, f->unarmed);
    gain(f, f->unit, f->worker);
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
    gain(f, f->foe, f->invulnerable);
    errors = (kn_order_errors){0};
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_int_equal(errors.blocking[0].index1, f->invulnerable.index1);
    kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    gain(f, f->foe, f->alive);
    kn_order_target lives = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    assert_true(kn_order_variant_would_succeed(f->world, a->id, f->unit, &seen, 2));
    assert_false(kn_order_variant_would_succeed(f->world, a->id, f->unit, &lives, 2));
    assert_true(kn_order_would_succeed(f->world, a->id, f->unit, &lives)); // of no variant
    own(f, f->stone, f->rival);
    place(f, f->stone, 6, 0); // further away, but not invulnerable
    place(f, f->foe, 3, 0);
    kn_entity_id found =
        kn_order_find_target(f->world, a->id, f->unit, 2, 100, 1000, (kn_vec3){0}, NULL);
    assert_false(kn_entity_id_equal(found, f->foe));
}

// ORD-203: what was required when an order began stays required
static void requirements_of_a_running_order_stay(void **state)
{
    fixture *f = *state;
    script *a = choosy_begin(f);
    gain(f, f->unit, f->worker);
    kn_order order = kn_order_on(a->id, f->foe);
    order.index = 2;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    step(f);
    needed = f->upgrade; // from now on; the unit does not have it
    uint32_t asked = tags_asked;
    gain(f, f->unit, f->building); // nothing that matters
    gain(f, f->unit, f->upgrade);
    lose(f, f->unit, f->upgrade); // not what was required
    EXPECT(f, "");
    STATE(f, "A |");
    assert_int_equal(tags_asked, asked); // nobody is asked again
    size_t size;                         // and it is part of the state
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(f->world, bytes, size, &size), KN_OK);
    kn_world_def def = kn_world_def_default();
    kn_world *loaded = NULL;
    kn_error error = {0};
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &loaded), KN_OK);
    assert_int_equal(kn_save_read(loaded, bytes, size, &error), KN_OK);
    free(bytes);
    assert_int_equal(
        kn_entity_remove_tag(loaded, f->unit, f->worker, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    kn_unit_info info;
    assert_true(kn_unit_get_info(loaded, f->unit, &info));
    assert_int_not_equal(info.current.type.index1, a->id.index1);
    kn_world_destroy(loaded);
    lose(f, f->unit, f->worker);
    EXPECT(f, "XC(A) CANCEL(A) CH(S) EX(S)");
    gain(f, f->unit, f->worker);
    needed = f->worker;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    assert_int_equal(issue(f, &f->scripts[2]), KN_OK); // the next one needs none of it
    step(f);
    lose(f, f->unit, f->worker);
    EXPECT(f, "");
    STATE(f, "B |");
}

// Errors --------------------------------------------------------------------------------------

static kn_result no_room(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    const fixture *f = user;
    c->errors[c->error_count++] = f->building;
    return KN_REFUSED_CUSTOM;
}

// ORD-032, ORD-278, OD-065, OD-066, OD-067, OD-068, OD-072, OD-075, OD-078, OD-124, OD-238
static void errors_hold_all_reasons_of_a_question(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A"), *b = type_add(f, "B");
    static kn_tag required[2], blocked[2];
    required[0] = f->worker;
    required[1] = f->upgrade;
    blocked[0] = f->unarmed;
    blocked[1] = f->immobile;
    a->def.tags.source_required = (kn_tags){required, 2};
    a->def.tags.source_blocked = (kn_tags){blocked, 2};
    b->def.is_valid_target = (kn_hook){no_room, f};
    begin_with(f, kn_world_def_default());
    kn_order_errors errors = {0};
    assert_true(kn_order_errors_is_empty(&errors));
    assert_int_equal(errors.missing_count + errors.blocking_count + errors.other_count, 0);
    gain(f, f->unit, f->unarmed);
    gain(f, f->unit, f->immobile);
    assert_false(kn_order_can_obey(f->world, a->id, f->unit, -1, &errors));
    assert_int_equal(errors.missing_count, 2); // not only the first
    assert_int_equal(errors.blocking_count, 2);
    assert_int_equal(errors.blocking[0].index1, f->unarmed.index1);
    assert_int_equal(errors.missing[1].index1, f->upgrade.index1);
    kn_order order = kn_order_of(b->id);
    assert_false(kn_order_check(f->world, f->unit, &order, &errors)); // adds to it
    assert_int_equal(errors.other_count, 1);
    assert_int_equal(errors.others[0].index1, f->building.index1);
    assert_int_equal(errors.missing_count, 2);
    assert_false(kn_order_check(f->world, f->unit, &order, &errors)); // a set
    assert_int_equal(errors.other_count, 1);
    assert_false(kn_order_check(f->world, f->unit, &order, NULL)); // the answer alone
    for (uint32_t i = 0; i < 3; i++) {                             // each list counts
        kn_order_errors one = {
            .missing_count = i == 0, .blocking_count = i == 1, .other_count = i == 2};
        assert_false(kn_order_errors_is_empty(&one));
    }
}

// OD-073, OD-076, OD-077, OD-079, OD-152: what a user interface does
static void a_click_is_checked_shown_and_sent(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    kn_order order = kn_order_on(y.attack->id, f->friend);
    kn_order_errors errors = {0};
    char text[256];
    uint64_t hash = kn_world_hash(f->world);
    assert_false(kn_order_can_obey(f->world, order.type, f->unit, -1, &errors) &&
                 kn_order_check(f->world, f->unit, &order, &errors));
    (void)kn_order_errors_print(f->library, &errors, text, sizeof(text)); // tags, and no words
    assert_string_equal(
        text, "Missing Tags: (), Blocking Tags: (Knack.Relation.Friendly), Error Tags: ()");
    assert_true(kn_world_hash(f->world) == hash); // nothing was given
    order.target = f->foe;
    errors = (kn_order_errors){0};
    assert_true(kn_order_check(f->world, f->unit, &order, &errors));
    assert_true(kn_order_errors_is_empty(&errors));
    STATE(f, "S |");
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    STATE(f, "K |");
    y.attack->is_refused = true; // without a word
    errors = (kn_order_errors){0};
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_true(kn_order_errors_is_empty(&errors)); // which proves nothing
}

// ORD-090, ORD-091, OD-242: a refused order says why to its caller, and that it was refused to all
static void a_refused_order_is_published(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    kn_order order = kn_order_on(y.attack->id, f->friend);
    kn_order_answer answer = {0};
    gain(f, f->unit, f->unarmed);
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.blocking_count, 1); // the unit first, so not yet the target
    assert_int_equal(answer.errors.blocking[0].index1, f->unarmed.index1);
    EXPECT(f, "RF(K)");
    lose(f, f->unit, f->unarmed);
    assert_int_equal(kn_order_insert_after(f->world, f->unit, &order, &answer),
        KN_REFUSED_REQUIREMENT); // validated like all others
    assert_int_equal(answer.errors.blocking[0].index1, y.friendly.index1);
    EXPECT(f, "RF(K)");
}

// Automatic orders ----------------------------------------------------------------------------

// OD-080, OD-081, OD-082, OD-083, OD-084, OD-086, TVD-65, TVD-66, TVD-67, TVD-68
static void automatic_orders_are_values_too(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "Use"), *m = type_add(f, "Move");
    begin_with(f, kn_world_def_default());
    kn_order_auto none = kn_order_auto_default(), use = {a->id, 0, 0}, move = none;
    assert_int_equal(none.type.index1, 0);
    assert_int_equal(none.index, -1);
    move.type = m->id;
    char text[64];
    uint32_t length = kn_order_auto_print(f->library, &use, text, sizeof(text));
    assert_string_equal(text, "Use (Index: 0)");
    assert_int_equal(length, strlen(text));
    (void)kn_order_auto_print(f->library, &move, text, sizeof(text));
    assert_string_equal(text, "Move (Index: -1)");
    (void)kn_order_auto_print(f->library, &none, text, sizeof(text));
    assert_string_equal(text, "None (Index: -1)");
    kn_order_auto other = use;
    assert_true(kn_order_auto_equal(&use, &other));
    other.priority = 9; // how much it matters is not what it is
    assert_true(kn_order_auto_equal(&use, &other));
    other.index = 1;
    assert_false(kn_order_auto_equal(&use, &other));
    other = use;
    other.type = m->id;
    assert_false(kn_order_auto_equal(&use, &other));
    use.index = 2;
    kn_order order = kn_order_of_auto(&use);
    order.target = f->foe;
    assert_int_equal(order.type.index1, a->id.index1);
    assert_int_equal(order.index, 2);
    assert_true(kn_entity_id_equal(order.target, f->foe));
    assert_int_equal(order.uses_location, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(one_definition_serves_all_units),
    TEST(order_types_are_loaded_when_they_are_needed),
    cmocka_unit_test(the_words_of_the_kit_are_those_of_the_specification),
    TEST(an_order_is_a_small_value_that_is_copied),
    TEST(the_height_of_a_point_is_left_to_the_game),
    TEST(the_index_means_what_the_order_type_says),
    TEST(a_waiting_order_survives_its_target),
    TEST(hooks_get_the_target_as_it_was_seen),
    TEST(the_place_of_a_target),
    TEST(a_target_without_tags_has_a_relation),
    TEST(requirements_have_four_sets_for_two_questions),
    TEST(requirements_may_depend_on_the_variant),
    TEST(requirements_of_a_running_order_stay),
    TEST(a_heal_needs_an_injured_friend),
    TEST(requirements_know_parents_of_tags),
    TEST(errors_hold_all_reasons_of_a_question),
    TEST(a_click_is_checked_shown_and_sent),
    TEST(a_refused_order_is_published),
    TEST(automatic_orders_are_values_too),
};

TEST_GROUP(order_spec_data, tests, NULL, NULL);
