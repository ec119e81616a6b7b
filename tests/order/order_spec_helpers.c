// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Questions about order types and units, and calls that give orders: who is asked what, in which
// order, and what comes back for bad input.

#include "order_test.h"

// A type that counts how often its hooks are asked, and says what it was asked.
typedef struct clerk {
    uint32_t can_obey, is_valid, policy, kind, range, score, location;
    kn_entity_id unit; // of the last question
    int32_t index;
    bool refuses_target;
    float answers;
} clerk;

static void clerk_note(clerk *c, const kn_hook_call *call)
{
    c->unit = call->entity;
    c->index = ((const kn_order_call *)call->arguments)->order.index;
    assert_null(call->writable);
}

static kn_result clerk_can_obey(void *user, const kn_hook_call *call)
{
    clerk *c = user;
    clerk_note(c, call);
    c->can_obey++;
    return KN_OK;
}

static kn_result clerk_is_valid(void *user, const kn_hook_call *call)
{
    clerk *c = user;
    clerk_note(c, call);
    c->is_valid++;
    return c->refuses_target ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result clerk_policy(void *user, const kn_hook_call *call)
{
    clerk *c = user;
    clerk_note(c, call);
    c->policy++;
    ((kn_order_call *)call->arguments)->answer = KN_ORDER_UNCANCELABLE;
    return KN_OK;
}

static kn_result clerk_kind(void *user, const kn_hook_call *call)
{
    clerk *c = user;
    clerk_note(c, call);
    c->kind++;
    ((kn_order_call *)call->arguments)->answer = KN_ORDER_TARGET_DIRECTION;
    return KN_OK;
}

static kn_result clerk_range(void *user, const kn_hook_call *call)
{
    clerk *c = user;
    clerk_note(c, call);
    c->range++;
    ((kn_order_call *)call->arguments)->number += 2.0f;
    return KN_OK;
}

static kn_result clerk_score(void *user, const kn_hook_call *call)
{
    clerk *c = user;
    clerk_note(c, call);
    c->score++;
    ((kn_order_call *)call->arguments)->number *= c->answers;
    return KN_OK;
}

static script *clerk_add(fixture *f, clerk *c, const char *name)
{
    script *s = type_add(f, name);
    s->def.can_obey = (kn_hook){clerk_can_obey, c};
    s->def.is_valid_target = (kn_hook){clerk_is_valid, c};
    s->def.find_policy = (kn_hook){clerk_policy, c};
    s->def.find_target_kind = (kn_hook){clerk_kind, c};
    s->def.find_range = (kn_hook){clerk_range, c};
    s->def.score = (kn_hook){clerk_score, c};
    s->def.range = 5;
    c->answers = 0.5f;
    return s;
}

// Questions -----------------------------------------------------------------------------------

// OD-114, OD-115, OD-117, OD-159, OD-168, OD-170
static void questions_go_to_the_hooks_of_the_type(void **state)
{
    fixture *f = *state;
    clerk c = {0};
    script *a = clerk_add(f, &c, "A");
    begin_with(f, kn_world_def_default());
    assert_int_equal(
        kn_order_get_target_kind(f->world, a->id, f->unit, 4), KN_ORDER_TARGET_DIRECTION);
    assert_int_equal(c.kind, 1);
    assert_true(kn_entity_id_equal(c.unit, f->unit));
    assert_int_equal(c.index, 4);
    assert_int_equal(kn_order_get_policy(f->world, a->id, f->foe, 9), KN_ORDER_UNCANCELABLE);
    assert_true(kn_entity_id_equal(c.unit, f->foe));
    assert_int_equal(c.index, 9);
    assert_true(
        kn_order_get_range(f->world, a->id, f->unit, -1) == 7.0f); // on top of the plain one
    assert_int_equal(c.index, -1);
    // Nobody in particular is a unit, too.
    assert_int_equal(kn_order_get_target_kind(f->world, a->id, (kn_entity_id){0}, -1),
        KN_ORDER_TARGET_DIRECTION);
    assert_int_equal(c.unit.index1, 0);
    // Nothing is remembered: the same again.
    assert_int_equal(c.kind, 2);
    assert_int_equal(
        kn_order_get_target_kind(f->world, a->id, f->unit, 4), KN_ORDER_TARGET_DIRECTION);
    assert_int_equal(c.kind, 3);
}

static kn_result answer_nonsense(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    (void)user;
    c->answer = 77;
    c->number = 1e38f * 1e10f;
    return KN_OK;
}

// Answers that make no sense count as none.
static void answers_that_make_no_sense_are_ignored(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    const kn_hook nonsense = {answer_nonsense, NULL};
    a->def.find_policy = a->def.find_target_kind = a->def.find_range = a->def.score = nonsense;
    a->def.range = 3;
    a->def.policy = KN_ORDER_UNCANCELABLE;
    a->def.target_kind = KN_ORDER_TARGET_LOCATION;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_order_get_policy(f->world, a->id, f->unit, -1), KN_ORDER_UNCANCELABLE);
    assert_int_equal(
        kn_order_get_target_kind(f->world, a->id, f->unit, -1), KN_ORDER_TARGET_LOCATION);
    assert_true(kn_order_get_range(f->world, a->id, f->unit, -1) == 3.0f);
    kn_order_target at = {.location = {2, 0, 0}}; // where the unit is
    assert_true(kn_order_score(f->world, a->id, f->unit, &at, -1, 10) == 1.0f);
}

// ORD-262, ORD-263, ORD-280, ORD-281, ORD-282, OD-163, OD-164, TVD-47
static void user_interfaces_learn_what_to_show(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A"), *b = type_add(f, "B");
    b->def.title = "Build";
    b->def.description = "Puts up a house";
    b->def.icon = "hammer";
    b->def.icon_hovered = "hammer_light";
    b->def.icon_pressed = "hammer_down";
    b->def.icon_disabled = "hammer_grey";
    b->def.button = 11;
    begin_with(f, kn_world_def_default());
    kn_order_display plain = kn_order_get_display(f->library, a->id);
    assert_string_equal(plain.title, "A");
    assert_string_equal(plain.description, "");
    assert_null(plain.icon);
    assert_null(plain.icon_hovered);
    assert_null(plain.icon_pressed);
    assert_null(plain.icon_disabled);
    assert_int_equal(plain.button, -1);
    assert_false(plain.has_button);
    kn_order_display full = kn_order_get_display(f->library, b->id);
    assert_string_equal(full.title, "Build");
    assert_string_equal(full.description, "Puts up a house");
    assert_string_equal(full.icon, "hammer");
    assert_string_equal(full.icon_hovered, "hammer_light");
    assert_string_equal(full.icon_pressed, "hammer_down");
    assert_string_equal(full.icon_disabled, "hammer_grey");
    assert_int_equal(full.button, 11);
    assert_true(full.has_button);
    kn_order_display unknown = kn_order_get_display(f->library, (kn_order_type_id){0});
    assert_string_equal(unknown.title, ""); // OD-116
    assert_int_equal(unknown.button, -1);
}

// ORD-253, ORD-267, ORD-271, ORD-272, ORD-291, OD-160, OD-161, OD-162, OD-169, OD-171, OD-173,
// OD-187, OD-188, OD-189, OD-190: what a definition says of itself
static void definitions_can_be_read(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A"), *b = type_add(f, "B");
    b->def.fallback.index1 = 1;
    b->def.acquisition_radius = 0; // an override of 0 is one, too
    b->def.individual_locations = true;
    b->def.allows_auto = true;
    b->def.auto_for_players = b->def.auto_begins = b->def.auto_for_ai = true;
    begin_with(f, kn_world_def_default());
    const kn_order_type_def *plain = kn_order_type_get_def(f->library, a->id);
    assert_int_equal(plain->fallback.index1, 0);
    assert_true(plain->acquisition_radius < 0); // none of its own
    assert_false(plain->individual_locations || plain->allows_auto);
    assert_false(plain->auto_for_players || plain->auto_begins || plain->auto_for_ai);
    assert_int_equal(plain->tree.index1, 0); // it has no behaviour
    const kn_order_type_def *full = kn_order_type_get_def(f->library, b->id);
    assert_int_equal(full->fallback.index1, a->id.index1);
    assert_true(full->acquisition_radius == 0);
    assert_true(full->individual_locations && full->allows_auto);
    assert_true(full->auto_for_players && full->auto_begins && full->auto_for_ai);
    assert_null(kn_order_type_get_def(f->library, (kn_order_type_id){0}));
    assert_null(kn_order_type_get_def(f->library, (kn_order_type_id){99}));
}

// Checks --------------------------------------------------------------------------------------

// OD-119, OD-125, OD-128, OD-129, OD-130, OD-136, OD-147, OD-149
static void a_check_asks_the_unit_and_then_about_the_target(void **state)
{
    fixture *f = *state;
    clerk c = {0};
    static kn_tag blocked[1];
    script *a = clerk_add(f, &c, "A");
    blocked[0] = f->unarmed;
    a->def.tags.source_blocked = (kn_tags){blocked, 1};
    a->def.tags.target_blocked = (kn_tags){blocked, 1};
    begin_with(f, kn_world_def_default());
    kn_order order = kn_order_on(a->id, f->foe);
    kn_order_errors errors = {0};
    order.index = 3;
    assert_true(kn_order_check(f->world, f->unit, &order, &errors));
    assert_true(kn_order_check(f->world, f->unit, &order, NULL)); // both forms are one
    assert_int_equal(c.can_obey, 2);
    assert_int_equal(c.is_valid, 2);
    assert_int_equal(c.index, 3);
    gain(f, f->unit, f->unarmed); // stops before the hook, and before the target
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_int_equal(c.can_obey, 2);
    assert_int_equal(c.is_valid, 2);
    kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    assert_true(kn_order_is_valid_target(f->world, a->id, f->unit, &seen, 3, NULL)); // the target
    assert_int_equal(c.is_valid, 3);
    assert_true( // nobody in particular may ask about a target
        kn_order_is_valid_target(f->world, a->id, (kn_entity_id){0}, &seen, 3, NULL));
    assert_false(
        kn_order_is_valid_target(f->world, (kn_order_type_id){0}, f->unit, &seen, 3, NULL));
    lose(f, f->unit, f->unarmed);
    gain(f, f->foe, f->unarmed); // stops before the hook
    seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    assert_false(kn_order_is_valid_target(f->world, a->id, f->unit, &seen, 3, NULL));
    assert_int_equal(c.is_valid, 4);
    lose(f, f->foe, f->unarmed);
    c.refuses_target = true; // the hook has the last word
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
}

// OD-145, OD-146, OD-150, OD-151, TVD-38
static void a_check_without_a_type_is_refused_without_a_reason(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    begin_with(f, kn_world_def_default());
    kn_order order = kn_order_default();
    kn_order_errors errors = {0};
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_true(kn_order_errors_is_empty(&errors));
    order = kn_order_of(a->id);
    assert_false(kn_order_check(f->world, (kn_entity_id){0}, &order, &errors));
    assert_true(kn_order_errors_is_empty(&errors));
    assert_int_equal(kn_unit_get_type(f->world, f->stone).index1, 0);
    assert_true(kn_order_check(f->world, f->stone, &order, &errors)); // no unit, and no matter
}

// OD-071, OD-135, RTS-221, RTS-222: tags of a target are asked for even if there is none
static void a_type_without_a_target_must_not_require_tags_of_one(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A"), *b = type_add(f, "B"), *c = type_add(f, "C");
    static kn_tag tags[1];
    tags[0] = f->worker;
    a->def.tags.target_required = (kn_tags){tags, 1};
    b->def.tags.target_blocked = (kn_tags){tags, 1};
    c->def.target_kind = KN_ORDER_TARGET_ENTITY;
    begin_with(f, kn_world_def_default());
    kn_order order = kn_order_of(a->id);
    assert_false(kn_order_check(f->world, f->unit, &order, NULL));
    order = kn_order_of(b->id);
    assert_true(kn_order_check(f->world, f->unit, &order, NULL));
    kn_order_errors errors = {0};
    order = kn_order_of(c->id);
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_int_equal(errors.other_count, 1);
    assert_string_equal(kn_tag_name(f->library, errors.others[0]), "Knack.Order.NoTarget");
    kn_order_target nothing = kn_order_look(f->world, f->unit, (kn_entity_id){0}, (kn_vec3){0});
    assert_int_equal(nothing.tag_count, 0); // not even neutral
}

static void untagged_units(fixture *f, bool are_spared)
{
    static kn_tag tags[1];
    script *a = type_add(f, "A");
    tags[0] = f->worker;
    a->def.needs_life = true;
    a->def.tags.source_required = (kn_tags){tags, 1};
    a->def.success.source_required = (kn_tags){tags, 1};
    kn_order_rules_def rules = kn_order_rules_def_default();
    rules.name = "Rules";
    rules.spares_untagged = are_spared;
    assert_int_equal(kn_order_rules_register(f->library, &rules, NULL), KN_OK);
    begin_with(f, kn_world_def_default());
    kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){0});
    assert_int_equal(kn_order_can_obey(f->world, a->id, f->unit, -1, NULL), are_spared);
    assert_int_equal(kn_order_would_succeed(f->world, a->id, f->unit, &seen), are_spared);
    assert_int_equal(a->asked, are_spared); // then it is up to the hook
    gain(f, f->unit, f->unarmed);           // it takes part in the rules
    assert_false(kn_order_can_obey(f->world, a->id, f->unit, -1, NULL));
    assert_false(kn_order_would_succeed(f->world, a->id, f->unit, &seen));
    lose(f, f->unit, f->unarmed);
    a->is_refused = true;
    assert_false(kn_order_can_obey(f->world, a->id, f->unit, -1, NULL));
}

// ORD-047, OD-122, OD-179, TVD-24
static void units_outside_of_the_rules_are_spared_questions_about_tags(void **state)
{
    untagged_units(*state, true);
}

// All entities have tags here, so that a unit without any lacks them, unless the rules say so.
static void units_without_tags_lack_what_is_required(void **state)
{
    untagged_units(*state, false);
}

static void *counting_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    ++*(uint32_t *)user;
    return realloc(ptr, new_size);
}

// ORD-094, OD-007, OD-127, OD-230, OD-232: questions change nothing and cost no memory
static void questions_change_nothing(void **state)
{
    fixture *f = *state;
    clerk c = {0};
    static uint32_t allocations; // the world outlives this function
    script *a = clerk_add(f, &c, "A"), *b = type_add(f, "B");
    kn_world_def def = kn_world_def_default();
    def.hooks.realloc_fn = counting_realloc;
    def.hooks.realloc_user = &allocations;
    begin_with(f, def);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(issue(f, b), KN_OK);
    kn_order order = kn_order_on(a->id, f->foe), resolved;
    uint64_t hash = kn_world_hash(f->world);
    uint32_t before = allocations;
    for (int i = 0; i < 100; i++) {
        kn_order_errors errors = {0};
        kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){1, 1, 0});
        kn_unit_info info;
        float score;
        (void)kn_order_check(f->world, f->unit, &order, &errors);
        (void)kn_order_resolve(f->world, f->unit, &order, &resolved);
        (void)kn_order_would_succeed(f->world, a->id, f->unit, &seen);
        (void)kn_order_score(f->world, a->id, f->unit, &seen, -1, 50);
        (void)kn_order_find_target(f->world, a->id, f->unit, -1, 100, 100, (kn_vec3){0}, &score);
        (void)kn_order_enemy_is_near(f->world, f->unit, 100);
        (void)kn_order_most_suitable(f->world, a->id, &f->unit, 1, &seen, -1, 50);
        (void)kn_unit_get_info(f->world, f->unit, &info);
    }
    assert_true(c.can_obey >= 100);
    assert_int_equal(allocations, before);
    assert_true(kn_world_hash(f->world) == hash);
}

static kn_result hidden_foes(void *user, const kn_hook_call *call)
{
    kn_order_relation_call *c = call->arguments;
    (void)user;
    (void)call;
    c->relation &= ~(uint32_t)KN_ORDER_VISIBLE;
    return KN_OK;
}

// RTSV-R4, RTSV-R6: a foe that nobody sees is not attacked
static void what_is_hidden_is_not_attacked(void **state)
{
    fixture *f = *state;
    kn_order_rules_def rules = kn_order_rules_def_default();
    rules.name = "Rules";
    rules.relation = (kn_hook){hidden_foes, NULL};
    assert_int_equal(kn_order_rules_register(f->library, &rules, NULL), KN_OK);
    army y = army_begin(f);
    assert_int_equal(kn_order_get_relation(f->world, f->unit, f->foe), KN_ORDER_HOSTILE);
    kn_order order = kn_order_on(y.attack->id, f->foe);
    kn_order_errors errors = {0};
    assert_false(kn_order_check(f->world, f->unit, &order, &errors));
    assert_int_equal(errors.missing_count, 1);
    assert_int_equal(errors.missing[0].index1, y.visible.index1);
    assert_int_equal(errors.blocking_count + errors.other_count, 0);
}

// Success ---------------------------------------------------------------------------------------

// OD-174, OD-176: only requirements decide about success
static void no_hook_decides_about_success(void **state)
{
    fixture *f = *state;
    clerk c = {0};
    script *a = clerk_add(f, &c, "A");
    static kn_tag tags[2];
    tags[0] = f->worker;
    tags[1] = f->unarmed;
    a->def.success.source_required = (kn_tags){&tags[0], 1};
    a->def.success.source_blocked = (kn_tags){&tags[1], 1};
    begin_with(f, kn_world_def_default());
    kn_order_target nothing = {0};
    assert_false(kn_order_would_succeed(f->world, a->id, f->unit, &nothing));
    gain(f, f->unit, f->worker);
    assert_true(kn_order_would_succeed(f->world, a->id, f->unit, &nothing));
    gain(f, f->unit, f->unarmed);
    assert_false(kn_order_would_succeed(f->world, a->id, f->unit, &nothing));
    assert_int_equal(c.can_obey + c.is_valid + c.score, 0);
}

// Scores and searches ---------------------------------------------------------------------------

// OD-181, OD-184, OD-185: a score says nothing about validity
static void a_target_that_is_refused_has_a_score(void **state)
{
    fixture *f = *state;
    clerk c = {0};
    script *a = clerk_add(f, &c, "A");
    begin_with(f, kn_world_def_default());
    c.refuses_target = true;
    place(f, f->unit, 0, 0);
    kn_order_target seen = kn_order_look(f->world, f->unit, f->foe, (kn_vec3){50, 0, 0});
    assert_true(kn_order_score(f->world, a->id, f->unit, &seen, 2, 100) == 0.25f); // 0.5 * 0.5
    assert_int_equal(c.index, 2);
    assert_int_equal(c.is_valid, 0);
    assert_false(kn_order_is_valid_target(f->world, a->id, f->unit, &seen, 2, NULL));
}

static kn_result score_by_tag(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    const fixture *f = user;
    c->number = 0.2f;
    for (uint32_t i = 0; i < c->target.tag_count; i++) {
        c->number = c->target.tags[i].index1 == f->worker.index1 ? 0.9f : c->number;
    }
    return KN_OK;
}

// OD-186, OD-212, OD-213, TVD-53: the first one of the best
static void the_first_of_the_best_is_chosen(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    a->def.target_kind = KN_ORDER_TARGET_ENTITY;
    a->def.score = (kn_hook){score_by_tag, f};
    begin_with(f, kn_world_def_default());
    place(f, f->player, 900, 0);
    place(f, f->rival, 900, 0);
    const kn_entity_id candidates[] = {f->foe, f->friend, f->stone};
    gain(f, f->friend, f->worker);
    gain(f, f->stone, f->worker);
    gain(f, f->unit, f->unarmed);
    // As games do it themselves.
    float best = -1.0f;
    uint32_t chosen = 9;
    for (uint32_t i = 0; i < 3; i++) {
        kn_order_target seen = kn_order_look(f->world, f->unit, candidates[i], (kn_vec3){0});
        float score = kn_order_score(f->world, a->id, f->unit, &seen, -1, 100);
        if (score > best) {
            best = score;
            chosen = i;
        }
    }
    assert_int_equal(chosen, 1);
    float score = 0;
    kn_entity_id found =
        kn_order_find_target(f->world, a->id, f->unit, -1, 100, 100, (kn_vec3){0}, &score);
    assert_true(kn_entity_id_equal(found, f->friend));
    assert_true(score == 0.9f);
}

// ORD-428, OD-197: what was considered, and why it was not chosen
static void one_can_see_what_was_considered(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    place(f, f->unit, 0, 0);
    place(f, f->foe, 30, 0);
    place(f, f->friend, 40, 0);
    place(f, f->stone, 70, 0);
    place(f, f->player, 900, 0);
    place(f, f->rival, 900, 0);
    kn_order_candidate all[8];
    uint32_t count =
        kn_order_candidates(f->world, y.attack->id, f->unit, -1, 60, 1000, (kn_vec3){0}, all, 8);
    assert_int_equal(count, 3);                              // itself, the foe and the friend
    assert_true(kn_entity_id_equal(all[0].entity, f->unit)); // OD-198
    assert_false(all[0].is_accepted);
    assert_true(kn_entity_id_equal(all[1].entity, f->foe));
    assert_true(all[1].is_accepted && all[1].distance == 30 && all[1].score == 0.5f);
    assert_true(kn_order_errors_is_empty(&all[1].errors));
    assert_true(kn_entity_id_equal(all[2].entity, f->friend));
    assert_false(all[2].is_accepted);
    assert_true(all[2].score == 0.0f);
    assert_int_equal(all[2].errors.blocking[0].index1, y.friendly.index1);
    assert_int_equal(
        kn_order_candidates(f->world, y.attack->id, f->unit, -1, 60, 35, (kn_vec3){0}, all, 8), 2);
    assert_int_equal(
        kn_order_candidates(f->world, y.attack->id, f->unit, -1, 60, 1000, (kn_vec3){0}, all, 1),
        3);
    assert_int_equal(
        kn_order_candidates(f->world, y.b->id, f->unit, -1, 60, 1000, (kn_vec3){0}, all, 8), 0);
}

static kn_result score_by_slot(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    const fixture *f = user;
    c->number = kn_entity_id_equal(call->entity, f->unit)  ? 9.0f
                : kn_entity_id_equal(call->entity, f->foe) ? 3.0f
                                                           : 4.0f;
    return KN_OK;
}

// OD-215, OD-216, OD-217, OD-218, TVD-63, TVD-64
static void the_most_suitable_unit_is_found(void **state)
{
    fixture *f = *state;
    clerk c = {0};
    static kn_tag blocked[1];
    script *a = type_add(f, "A");
    blocked[0] = f->immobile;
    a->def.score = (kn_hook){score_by_slot, f};
    a->def.is_valid_target = (kn_hook){clerk_is_valid, &c};
    a->def.tags.source_blocked = (kn_tags){blocked, 1};
    begin_with(f, kn_world_def_default());
    const kn_entity_id units[] = {f->unit, f->foe, f->friend};
    kn_order_target seen = kn_order_look(f->world, f->unit, f->stone, (kn_vec3){0});
    gain(f, f->unit, f->immobile); // the best one cannot
    kn_entity_id best = kn_order_most_suitable(f->world, a->id, units, 3, &seen, -1, 100);
    assert_true(kn_entity_id_equal(best, f->friend));
    assert_int_equal(c.is_valid, 0); // whether the target is accepted is another question
    const kn_entity_id equals[] = {f->friend, f->stone, f->foe};
    best = kn_order_most_suitable(f->world, a->id, equals, 3, &seen, -1, 100);
    assert_true(kn_entity_id_equal(best, f->friend)); // the first of equals
    gain(f, f->foe, f->immobile);
    gain(f, f->friend, f->immobile);
    best = kn_order_most_suitable(f->world, a->id, units, 3, &seen, -1, 100);
    assert_int_equal(best.index1, 0);
    best = kn_order_most_suitable(f->world, a->id, units, 0, &seen, -1, 100);
    assert_int_equal(best.index1, 0);
}

// Giving orders ---------------------------------------------------------------------------------

// OD-118, OD-142, OD-143, OD-144, OD-192, TVD-39: results instead of log lines
static void calls_for_nobody_are_refused(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    kn_result (*const calls[])(kn_world *, kn_entity_id, const kn_order *, kn_order_answer *) = {
        kn_order_issue, kn_order_enqueue, kn_order_insert_after, kn_order_insert_before};
    kn_order order = kn_order_of(q.a->id);
    uint64_t hash = kn_world_hash(f->world);
    uint32_t asked = q.a->asked;
    for (uint32_t i = 0; i < 4; i++) {
        kn_order_answer answer = {.outcome = KN_ORDER_OBEYED};
        assert_int_equal(
            calls[i](f->world, (kn_entity_id){0}, &order, &answer), KN_REFUSED_STALE_ID);
        assert_int_equal(answer.outcome, KN_ORDER_NOT_TAKEN);
        assert_int_equal(calls[i](f->world, f->stone, &order, NULL), KN_REFUSED_NOT_FOUND);
        assert_int_equal(calls[i](f->world, f->unit, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(kn_order_clear_queue(f->world, (kn_entity_id){0}), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_order_clear_queue(f->world, f->stone), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_order_set_auto(f->world, (kn_entity_id){0}, q.a->id, -1, true), KN_REFUSED_STALE_ID);
    assert_int_equal(q.a->asked, asked); // nobody was asked
    assert_true(kn_world_hash(f->world) == hash);
}

// ORD-005, OD-138, OD-139, OD-140, OD-141, TVD-40, TVD-41, TVD-43, TVD-44
static void orders_replace_wait_or_go_first(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.c, (const script *const[]){q.a}, 1);
    assert_int_equal(enqueue(f, q.b), KN_OK);
    STATE(f, "C | A B");
    assert_int_equal(give(f, q.u, kn_order_insert_after), KN_OK);
    STATE(f, "C | U A B");
    assert_int_equal(kn_order_clear_queue(f->world, f->unit), KN_OK);
    STATE(f, "C |");
    assert_int_equal(enqueue(f, q.a), KN_OK);
    assert_int_equal(issue(f, q.b), KN_OK);
    STATE(f, "B |");
}

// OD-028, TVD-42
static void an_order_is_not_enqueued_twice(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.c, (const script *const[]){q.a}, 1);
    kn_order order = kn_order_of(q.a->id);
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, NULL), KN_OK);
    STATE(f, "C | A");
    order.index = 1; // another variant is another order
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, NULL), KN_OK);
    STATE(f, "C | A A");
    assert_int_equal(issue(f, q.c), KN_OK); // the same as the current one: the queue is gone
    EXPECT(f, "EN(A) CL");
    STATE(f, "C |");
}

// OD-193: only the authority switches automatic orders
static void clients_switch_nothing(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    begin_with(f, def);
    assert_int_equal(kn_order_set_auto(f->world, f->unit, a->id, -1, true), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_order_refresh_autos(f->world, f->unit), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_order_check_autos(f->world, f->unit, NULL), KN_REFUSED_BLOCKED);
    kn_order order = kn_order_of(a->id);
    assert_true(kn_order_check(f->world, f->unit, &order, NULL)); // but may ask
}

static const struct CMUnitTest tests[] = {
    TEST(questions_go_to_the_hooks_of_the_type),
    TEST(answers_that_make_no_sense_are_ignored),
    TEST(user_interfaces_learn_what_to_show),
    TEST(definitions_can_be_read),
    TEST(a_check_asks_the_unit_and_then_about_the_target),
    TEST(a_check_without_a_type_is_refused_without_a_reason),
    TEST(a_type_without_a_target_must_not_require_tags_of_one),
    TEST(units_outside_of_the_rules_are_spared_questions_about_tags),
    TEST(units_without_tags_lack_what_is_required),
    TEST(questions_change_nothing),
    TEST(what_is_hidden_is_not_attacked),
    TEST(no_hook_decides_about_success),
    TEST(a_target_that_is_refused_has_a_score),
    TEST(the_first_of_the_best_is_chosen),
    TEST(one_can_see_what_was_considered),
    TEST(the_most_suitable_unit_is_found),
    TEST(calls_for_nobody_are_refused),
    TEST(orders_replace_wait_or_go_first),
    TEST(an_order_is_not_enqueued_twice),
    TEST(clients_switch_nothing),
};

TEST_GROUP(order_spec_helpers, tests, NULL, NULL);
