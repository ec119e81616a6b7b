// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Blocks: who blocks what, when it takes effect, and when it ends.

#include "capability/capability_test.h"

static void b_blocks(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    const kn_capability_block block = {.tag = f->x,
        .source = {.kind = KN_CAPABILITY_SOURCE_MEMBER, .number = number, .entity = entity}};
    assert_int_equal(kn_capability_block_add(world, entity, &block), KN_OK);
}

static void b_unblocks(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    const kn_capability_source source = {
        .kind = KN_CAPABILITY_SOURCE_MEMBER, .number = number, .entity = entity};
    assert_int_equal(kn_capability_block_remove(world, entity, f->x, &source), KN_OK);
}

// CAPV-025, CAPV-026, CAP-100, CAP-101, CAP-102, CAP-103, CAP-104, CAP-106
static void a_block_reaches_those_behind_it_in_the_same_run(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    s[0].def.tags = s[2].def.tags = (kn_tags){&f->x, 1};
    kn_capability_set_id set = begin_set(f, "ABC");
    add(f, set);
    frame(f, 10);
    hush(f);
    s[1].tick = b_blocks;
    frame(f, 10);
    EXPECT(f, "TK_A TK_B OFF_C");
    s[1].tick = NULL;
    f->shows_predicates = true;
    frame(f, 10);
    EXPECT(f, "OFF_A SD_B(f) TK_B(10)");
    frame(f, 10);
    EXPECT(f, "SD_B(f) TK_B(10)");
    s[1].tick = b_unblocks;
    frame(f, 10);
    EXPECT(f, "SD_B(f) TK_B(10) SA_C(t) ON_C TK_C(10)");
    s[1].tick = NULL;
    frame(f, 10);
    EXPECT(f, "SA_A(t) ON_A TK_A(10) SD_B(f) TK_B(10) SD_C(f) TK_C(10)");
}

// CAPV-027, CAPV-028, CAP-107, CAP-114
static void each_source_blocks_for_itself_and_once(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    s[0].def.tags = (kn_tags){&f->x, 1};
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    block_by(f, f->x, 1);
    block_by(f, f->x, 2);
    block_by(f, f->x, 1);
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 2);
    unblock_by(f, f->x, 1);
    frame(f, 10);
    assert_false(is_active(f, s));
    assert_true(kn_capability_tag_is_blocked(f->world, f->hero, f->x));
    const kn_capability_source unknown = key_source(1);
    assert_int_equal(
        kn_capability_block_remove(f->world, f->hero, f->x, &unknown), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_capability_block_remove(f->world, f->hero, f->move, &unknown), KN_REFUSED_NOT_FOUND);
    kn_capability_block left;
    assert_int_equal(kn_capability_blocks(f->world, f->hero, &left, 1), 1);
    assert_int_equal(left.tag.index1, f->x.index1);
    assert_int_equal(left.source.key, 2);
    assert_int_equal(left.source.kind, KN_CAPABILITY_SOURCE_KEY);
    unblock_by(f, f->x, 2);
    assert_false(kn_capability_tag_is_blocked(f->world, f->hero, f->x));
    frame(f, 10);
    assert_true(is_active(f, s));
}

// CAPV-029, CAP-085
static void a_block_does_not_wait_for_an_interval(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    s[0].def.tags = (kn_tags){&f->x, 1};
    s[0].def.interval = KN_MS(500);
    (void)begin_added(f, "A");
    for (int i = 0; i < 5; i++) {
        frame(f, 100);
    }
    EXPECT(f, "TK_A");
    block_by(f, f->x, 1);
    frame(f, 100);
    EXPECT(f, "OFF_A");
}

// CAPV-030, CAP-077
static void a_blocked_one_begins_inactive(void **state)
{
    for (int literal = 0; literal < 2; literal++) {
        fixture *f = fixture_create();
        script *s = capabilities(f, "ABC");
        f->shows_names = false;
        s[0].def.tags = (kn_tags){&f->x, 1};
        kn_capability_rules_def rules = kn_capability_rules_def_default();
        rules.name = "Rules";
        rules.literal_start = literal != 0;
        assert_int_equal(kn_capability_rules_register(f->library, &rules, NULL), KN_OK);
        assert_int_equal(
            kn_capability_rules_register(f->library, &rules, NULL), KN_REFUSED_DUPLICATE);
        kn_capability_set_id set = begin_set(f, "A");
        assert_int_equal(kn_capability_attach(
                             f->world, f->hero, KN_CAPABILITY_MODE_AUTHORITY, KN_CONTROL_AUTOMATIC),
            KN_OK);
        block_by(f, f->x, 1);
        f->shows_predicates = true;
        add(f, set);
        frame(f, 10);
        EXPECT(f, literal != 0 ? "SL SU SD(f) ON OFF" : "SL SU");
        unblock_by(f, f->x, 1);
        frame(f, 10);
        EXPECT(f, "SA(t) ON TK(10)");
        fixture_destroy(f);
    }
    (void)state;
}

// CAPV-031, CAP-110
static void blocks_reach_those_that_nobody_looks_at(void **state)
{
    for (int literal = 0; literal < 2; literal++) {
        fixture *f = fixture_create();
        script *s = capabilities(f, "ABC");
        f->shows_names = false;
        s[0].def.tags = (kn_tags){&f->x, 1};
        s[0].def.can_tick = false;
        kn_capability_rules_def rules = kn_capability_rules_def_default();
        rules.name = "Rules";
        rules.literal_blocks = literal != 0;
        assert_int_equal(kn_capability_rules_register(f->library, &rules, NULL), KN_OK);
        kn_capability_set_id set = begin_set(f, "A");
        add(f, set);
        frame(f, 10);
        hush(f);
        f->shows_predicates = true;
        block_by(f, f->x, 1);
        EXPECT(f, "");
        frame(f, 10);
        EXPECT(f, literal != 0 ? "" : "OFF");
        frame(f, 10);
        unblock_by(f, f->x, 1);
        frame(f, 10);
        frame(f, 10);
        EXPECT(f, literal != 0 ? "" : "SA(t) ON");
        fixture_destroy(f);
    }
    (void)state;
}

// CAPV-032, CAP-024, CAP-109
static void a_block_hits_what_is_below_it(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    s[0].def.tags = (kn_tags){&f->fly, 1};
    s[1].def.tags = (kn_tags){&f->move, 1};
    s[2].def.tags = (kn_tags){&f->look, 1};
    kn_capability_set_id set = begin_set(f, "ABC");
    add(f, set);
    block_by(f, f->move, 1);
    frame(f, 10);
    assert_false(is_active(f, &s[0]));
    assert_false(is_active(f, &s[1]));
    assert_true(is_active(f, &s[2]));
    unblock_by(f, f->move, 1);
    frame(f, 10);
    assert_true(is_active(f, &s[1]));
    block_by(f, f->fly, 1);
    frame(f, 10);
    assert_false(is_active(f, &s[0]));
    assert_true(is_active(f, &s[1]));
    kn_capability_info info;
    assert_true(kn_capability_get_info(f->world, f->hero, number_of(f, &s[0]), &info));
    assert_true(info.is_blocked);
    assert_int_equal(info.blocked_tag.index1, f->fly.index1);
}

// CAPV-033, CAP-113
static void a_capability_may_block_its_own_tag(void **state)
{
    for (int itself = 0; itself < 2; itself++) {
        fixture *f = fixture_create();
        script *s = capabilities(f, "ABC");
        f->shows_names = false;
        s[0].def.tags = s[0].def.blocks = (kn_tags){&f->x, 1};
        s[0].def.blocks_itself = itself != 0;
        s[0].stops = true;
        kn_capability_set_id set = begin_set(f, "A");
        add(f, set);
        s[0].stops = false;
        hush(f);
        frame(f, 10);
        EXPECT(f, "ON TK");
        frame(f, 10);
        EXPECT(f, itself != 0 ? "OFF" : "TK");
        frame(f, 10);
        EXPECT(f, itself != 0 ? "ON TK" : "TK");
        fixture_destroy(f);
    }
    (void)state;
}

// CAPV-034, CAP-108
static void a_block_ends_with_its_source(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    s[0].def.tags = (kn_tags){&f->x, 1};
    kn_effect_def hold = kn_effect_def_default();
    kn_effect_type_id type;
    hold.name = "Hold";
    hold.duration_kind = KN_DURATION_TIMED;
    hold.duration = kn_magnitude_constant(1.0f);
    assert_int_equal(kn_effect_register(f->library, &hold, &type, NULL), KN_OK);
    for (size_t i = 0; i < f->script_count; i++) {
        capability_done(&f->scripts[i]);
    }
    kn_capability_set_id set = set_of(f, "S", "A"), other = set_of(f, "T", "BC");
    begin(f);
    add(f, set);
    assert_int_equal(kn_capability_set_add(f->world, f->foe, other, NULL), KN_OK);
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, f->ally, f->gadget, 1.0f, &effect), KN_OK);
    uint32_t c = kn_capability_number(f->world, f->foe, s[2].id, 0);
    const kn_capability_block blocks[] = {
        {.tag = f->x, .source = {.kind = KN_CAPABILITY_SOURCE_ENTITY, .entity = f->ally}},
        {.tag = f->x,
            .source = {.kind = KN_CAPABILITY_SOURCE_MEMBER, .entity = f->foe, .number = c},
            .while_active = true},
        {.tag = f->x,
            .source = {.kind = KN_CAPABILITY_SOURCE_SET,
                .entity = f->foe,
                .number = kn_capability_set_number(f->world, f->foe, other)}},
        {.tag = f->x, .source = {.kind = KN_CAPABILITY_SOURCE_EFFECT, .effect = effect}},
    };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(kn_capability_block_add(f->world, f->hero, &blocks[i]), KN_OK);
    }
    frame(f, 10);
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 4);
    assert_true(kn_entity_destroy(f->world, f->ally));
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 3);
    assert_int_equal(kn_capability_deactivate(f->world, f->foe, c), KN_OK);
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 2);
    frame(f, 10);
    assert_false(is_active(f, &s[0]));
    assert_int_equal(kn_capability_set_remove(f->world, f->foe, other), KN_OK);
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 1);
    frame(f, 10);
    assert_false(is_active(f, &s[0]));
    frame(f, 1000);
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 0);
    frame(f, 10);
    assert_true(is_active(f, &s[0]));
}

static void sees_block(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)number;
    trace(f, "%s", kn_capability_tag_is_blocked(world, entity, f->x) ? "[blocked]" : "[free]");
}

// CAP-108, CAP-129
static void a_block_while_active_is_lifted_after_the_hook(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    s[0].def.blocks = (kn_tags){&f->x, 1};
    s[0].off = sees_block;
    s[1].def.tags = (kn_tags){&f->x, 1};
    kn_capability_set_id set = begin_added(f, "AB");
    assert_int_equal(kn_capability_deactivate(f->world, f->hero, number_of(f, &s[0])), KN_OK);
    EXPECT(f, "OFF_A[blocked]");
    assert_false(kn_capability_tag_is_blocked(f->world, f->hero, f->x));
    // One that is not bound to being active lasts until the capability ends.
    b_blocks(f, f->world, f->hero, number_of(f, &s[0]));
    frame(f, 10);
    assert_true(kn_capability_tag_is_blocked(f->world, f->hero, f->x));
    take(f, set);
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 0);
}

// CAP-006, CAP-105: owned tags block, and capabilities give tags while they are active.
static void owned_tags_block_and_are_given(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    s[0].def.blocked_by = (kn_tags){&f->stunned, 1};
    s[1].def.grants_tags = (kn_tags){&f->stunned, 1};
    s[1].stops = true;
    s[1].starts = false;
    kn_capability_set_id set = begin_set(f, "AB");
    add(f, set);
    assert_true(is_active(f, &s[0]));
    s[1].stops = false;
    s[1].starts = true;
    frame(f, 10);
    assert_true(kn_entity_has_tag(f->world, f->hero, f->stunned));
    assert_true(is_active(f, &s[0]));
    frame(f, 10);
    assert_false(is_active(f, &s[0]));
    s[1].stops = true;
    frame(f, 10);
    assert_false(kn_entity_has_tag(f->world, f->hero, f->stunned));
    frame(f, 10);
    assert_true(is_active(f, &s[0]));
}

// CAP-110: also those that are not looked at any more, and by tags of the entity.
static void owned_tags_reach_those_that_cannot_tick_any_more(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "A");
    s->def.blocked_by = (kn_tags){&f->stunned, 1};
    (void)begin_added(f, "A");
    assert_int_equal(kn_capability_set_can_tick(f->world, f->hero, number_of(f, s), false), KN_OK);
    frame(f, 10);
    EXPECT(f, "");
    give_tag(f, f->stunned);
    frame(f, 10);
    EXPECT(f, "OFF_A");
    lose_tag(f, f->stunned);
    frame(f, 10);
    EXPECT(f, "ON_A");
}

// CAP-115
static void blocks_of_abilities_count_if_the_rules_say_so(void **state)
{
    for (int shares = 0; shares < 2; shares++) {
        fixture *f = fixture_create();
        script *s = capabilities(f, "ABC");
        s[0].def.tags = (kn_tags){&f->fly, 1};
        kn_capability_rules_def rules = kn_capability_rules_def_default();
        rules.name = "Rules";
        rules.shares_ability_blocks = shares != 0;
        assert_int_equal(kn_capability_rules_register(f->library, &rules, NULL), KN_OK);
        kn_capability_set_id set = begin_set(f, "A");
        add(f, set);
        assert_int_equal(
            kn_abilities_block(f->world, f->hero, (kn_tags){&f->move, 1}, f->foe, 0), KN_OK);
        frame(f, 10);
        assert_int_equal(is_active(f, &s[0]), shares == 0);
        fixture_destroy(f);
    }
    (void)state;
}

static void blocks_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "ABC");
    kn_capability_set_id set = begin_set(f, "A");
    kn_capability_block block = {.tag = f->x};
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_REFUSED_NOT_FOUND);
    add(f, set);
    block.tag.index1 = 9999;
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_ERROR_INVALID_ARGUMENT);
    block.tag.index1 = 0;
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_ERROR_INVALID_ARGUMENT);
    block.tag = f->x;
    block.source.kind = KN_CAPABILITY_SOURCE_ENTITY;
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_REFUSED_STALE_ID);
    block.source.kind = KN_CAPABILITY_SOURCE_MEMBER;
    block.source.entity = f->hero;
    block.source.number = 77;
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_REFUSED_STALE_ID);
    block.source.kind = KN_CAPABILITY_SOURCE_SET;
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_REFUSED_STALE_ID);
    block.source.kind = KN_CAPABILITY_SOURCE_COUNT;
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_ERROR_INVALID_ARGUMENT);
    block.source.kind = KN_CAPABILITY_SOURCE_KEY;
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_ERROR_INVALID_ARGUMENT);
    block.source = key_source(1);
    block.scope = KN_CAPABILITY_SCOPE_COUNT;
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 0);
}

static const struct CMUnitTest tests[] = {
    TEST(a_block_reaches_those_behind_it_in_the_same_run),
    TEST(each_source_blocks_for_itself_and_once),
    TEST(a_block_does_not_wait_for_an_interval),
    TEST(a_blocked_one_begins_inactive),
    TEST(blocks_reach_those_that_nobody_looks_at),
    TEST(a_block_hits_what_is_below_it),
    TEST(a_capability_may_block_its_own_tag),
    TEST(a_block_ends_with_its_source),
    TEST(a_block_while_active_is_lifted_after_the_hook),
    TEST(owned_tags_block_and_are_given),
    TEST(owned_tags_reach_those_that_cannot_tick_any_more),
    TEST(blocks_of_abilities_count_if_the_rules_say_so),
    TEST(blocks_that_make_no_sense_are_refused),
};

TEST_GROUP(capability_blocks, tests, NULL, NULL);
