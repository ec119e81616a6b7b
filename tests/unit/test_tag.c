// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "test_tag_library.h"

#include <stdio.h>

static kn_result try_register(
    kn_library *library, const char *name, const char *source, bool restricted, kn_error *error)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    def.source = source;
    def.restricted = restricted;
    kn_tag tag = {77};
    kn_result result = kn_tag_register(library, &def, &tag, error);
    assert_true((result == KN_OK) == (tag.index1 != 0));
    return result;
}

// Names -----------------------------------------------------------------------

// BEY-049
static void bad_name_is_refused_with_a_corrected_proposal(void **state)
{
    kn_library *library = tag_library(state);
    static const struct {
        const char *name;
        const char *proposal;
        uint32_t column;
    } bad[] = {
        {"State Stunned", "`State_Stunned`", 6},
        {"State..Stunned", "`State.Stunned`", 7},
        {".State", "`State`", 1},
        {"State.", "`State`", 6},
        {" State . Stunned ", "`State.Stunned`", 1},
        {"State/Stunned", "`State.Stunned`", 6},
        {"State::Stunned!", "`State.Stunned`", 6},
        {"St\xc3\xa4te", "`St_te`", 3},
        {"A,B", "`A_B`", 2},
    };
    uint32_t before = kn_tag_count(library);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kn_error error;
        assert_int_equal(
            try_register(library, bad[i].name, NULL, false, &error), KN_ERROR_BAD_DATA);
        assert_int_equal(error.code, KN_ERROR_BAD_DATA);
        assert_int_equal(error.column, bad[i].column);
        assert_mentions(&error, bad[i].proposal);
    }
    assert_int_equal(kn_tag_count(library), before);
}

static void name_without_anything_usable_is_refused(void **state)
{
    kn_library *library = tag_library(state);
    static const char *const bad[] = {"", ".", "...", " ", "\xff\xfe", "!?", NULL};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kn_error error;
        assert_int_equal(try_register(library, bad[i], NULL, false, &error), KN_ERROR_BAD_DATA);
        assert_int_not_equal(error.message[0], 0);
        for (const char *c = error.message; *c != '\0'; c++) {
            assert_true(*c >= ' ' && *c <= '~');
        }
    }
    assert_int_equal(try_register(library, "!", NULL, false, NULL), KN_ERROR_BAD_DATA);
}

static void length_and_depth_of_a_name_are_limited(void **state)
{
    kn_library *library = tag_library(state);
    char name[KN_TAG_NAME_MAX + 2];
    memset(name, 'x', sizeof name);
    name[KN_TAG_NAME_MAX + 1] = '\0';
    kn_error error;
    assert_int_equal(try_register(library, name, NULL, false, &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "255");
    assert_no_tag(kn_tag_find(library, name));
    name[KN_TAG_NAME_MAX] = '\0';
    kn_tag longest = tag_add(library, name);
    assert_tag(kn_tag_find(library, name), longest);
    assert_string_equal(kn_tag_name(library, longest), name);

    const char *deep = "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p";
    assert_int_equal(kn_tag_depth(library, tag_add(library, deep)), KN_TAG_DEPTH_MAX);
    const char *deeper = "z.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q";
    assert_int_equal(try_register(library, deeper, NULL, false, &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "17 parts");
    assert_no_tag(kn_tag_find(library, "z"));
}

// BEY-049, TAG-005
static void lookup_ignores_case_and_the_first_spelling_is_kept(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag stun = tag_add(library, "State.Debuff.Stun");
    assert_tag(kn_tag_find(library, "STATE.debuff.stUN"), stun);
    assert_tag(tag_add(library, "state.debuff.stun"), stun);
    assert_string_equal(kn_tag_name(library, stun), "State.Debuff.Stun");

    kn_tag root = tag_add(library, "STATE.debuff.Root"); // known parts keep theirs as well
    assert_string_equal(kn_tag_name(library, root), "State.Debuff.Root");
    assert_tag(kn_tag_parent(library, root), kn_tag_parent(library, stun));

    assert_no_tag(kn_tag_find(library, "State.Debuff.Stu"));
    assert_no_tag(kn_tag_find(library, "State.Debuff.Stunn"));
    assert_no_tag(kn_tag_find(library, ""));
    assert_no_tag(kn_tag_find(library, NULL));
}

// The tree --------------------------------------------------------------------

// TAG-001, TAG-004
static void parents_come_into_being_with_their_children(void **state)
{
    kn_library *library = tag_library(state);
    uint32_t before = kn_tag_count(library);
    kn_tag stun = tag_add(library, "State.Debuff.Stun");
    assert_int_equal(kn_tag_count(library), before + 3);
    kn_tag debuff = kn_tag_find(library, "State.Debuff");
    kn_tag root = kn_tag_find(library, "State");
    assert_true(root.index1 < debuff.index1 && debuff.index1 < stun.index1);

    assert_tag(kn_tag_parent(library, stun), debuff);
    assert_tag(kn_tag_parent(library, debuff), root);
    assert_no_tag(kn_tag_parent(library, root));
    assert_int_equal(kn_tag_depth(library, root), 1);
    assert_int_equal(kn_tag_depth(library, debuff), 2);
    assert_int_equal(kn_tag_depth(library, stun), 3);
    assert_int_equal(kn_tag_depth(library, (kn_tag){0}), 0);
    assert_tag(tag_add(library, "State.Debuff"), debuff); // declaring it later adds none
    assert_int_equal(kn_tag_count(library), before + 3);
}

// TAG-004
static void children_are_listed_in_order_of_registration(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag b = tag_add(library, "Root.B");
    kn_tag other = tag_add(library, "Other");
    kn_tag a = tag_add(library, "Root.A");
    kn_tag c = tag_add(library, "Root.C.Deep");
    kn_tag root = kn_tag_find(library, "Root");
    assert_tag(kn_tag_first_child(library, root), b);
    assert_tag(kn_tag_next_sibling(library, b), a);
    assert_tag(kn_tag_next_sibling(library, a), kn_tag_parent(library, c));
    assert_no_tag(kn_tag_next_sibling(library, kn_tag_parent(library, c)));
    assert_tag(kn_tag_next_sibling(library, root), other);
    assert_no_tag(kn_tag_first_child(library, b));
    assert_no_tag(kn_tag_first_child(library, (kn_tag){0}));
    assert_no_tag(kn_tag_next_sibling(library, (kn_tag){9999}));
}

static void comment_and_source_belong_to_the_first_who_gave_them(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag tag = tag_add_from(library, "Cue.Fire", "fire.tags");
    assert_string_equal(kn_tag_comment(library, tag), "");
    assert_string_equal(kn_tag_source(library, tag), "fire.tags");
    kn_tag_def def = kn_tag_def_default();
    def.name = "Cue.Fire";
    def.source = "fire.tags";
    char comment[] = "flames and smoke";
    def.comment = comment;
    assert_int_equal(kn_tag_register(library, &def, NULL, NULL), KN_OK);
    comment[0] = 'X'; // it was copied
    def.source = "other.tags";
    def.comment = "later";
    assert_int_equal(kn_tag_register(library, &def, NULL, NULL), KN_OK);
    assert_string_equal(kn_tag_comment(library, tag), "flames and smoke");
    assert_string_equal(kn_tag_source(library, tag), "fire.tags");
    assert_string_equal(kn_tag_source(library, kn_tag_parent(library, tag)), "");
    assert_string_equal(kn_tag_source(library, (kn_tag){0}), "");
    assert_string_equal(kn_tag_comment(library, (kn_tag){0}), "");
    assert_string_equal(kn_tag_name(library, (kn_tag){0}), "");
    assert_string_equal(kn_tag_name(library, (kn_tag){UINT32_MAX}), "");
}

static void expect_matches(const kn_library *library)
{
    kn_tag none = {0};
    kn_tag root = kn_tag_find(library, "State");
    kn_tag debuff = kn_tag_find(library, "State.Debuff");
    kn_tag stun = kn_tag_find(library, "State.Debuff.Stun");
    kn_tag buff = kn_tag_find(library, "State.Buff");
    kn_tag other = kn_tag_find(library, "Other");
    assert_true(kn_tag_matches(library, stun, stun));
    assert_true(kn_tag_matches(library, stun, debuff));
    assert_true(kn_tag_matches(library, stun, root));
    assert_true(kn_tag_matches(library, buff, root));
    assert_false(kn_tag_matches(library, root, stun));
    assert_false(kn_tag_matches(library, debuff, stun));
    assert_false(kn_tag_matches(library, buff, debuff));
    assert_false(kn_tag_matches(library, stun, buff));
    assert_false(kn_tag_matches(library, other, root));
    assert_false(kn_tag_matches(library, root, other));
    assert_false(kn_tag_matches(library, none, none));
    assert_false(kn_tag_matches(library, none, root));
    assert_false(kn_tag_matches(library, root, none));
    assert_false(kn_tag_matches(library, (kn_tag){100000}, root));
    assert_false(kn_tag_matches(library, root, (kn_tag){UINT32_MAX}));
}

// TAG-015
static void null_matches_nothing_and_tags_match_their_ancestors(void **state)
{
    kn_library *library = tag_library(state);
    tag_add(library, "State.Debuff.Stun");
    tag_add(library, "Other");
    tag_add(library, "State.Buff");
    expect_matches(library);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    expect_matches(library);
}

// TAG-015
static void ranges_and_chains_give_the_same_answers(void **state)
{
    kn_library *library = tag_library(state);
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 200; i++) {
        char name[64] = "T";
        for (uint32_t part = test_below(&seed, 4); part > 0; part--) {
            char step[8];
            snprintf(step, sizeof step, ".%u", test_below(&seed, 4));
            strcat(name, step);
        }
        tag_add(library, name);
    }
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    const kni_tag_table *table = kni_library_tags_const(library);
    for (uint32_t a = 0; a <= table->count + 1; a++) {
        for (uint32_t b = 0; b <= table->count + 1; b++) {
            bool expected = false; // by the names
            if (a - 1 < table->count && b - 1 < table->count) {
                const char *name = table->nodes[a - 1].name;
                size_t length = strlen(table->nodes[b - 1].name);
                expected = strncmp(name, table->nodes[b - 1].name, length) == 0 &&
                           (name[length] == '\0' || name[length] == '.');
            }
            assert_int_equal(kni_tag_matches(table, a, b), expected);
            assert_int_equal(kni_tag_matches_chain(table, a, b), expected);
        }
    }
}

static void chain_is_the_tag_and_its_ancestors_at_any_time(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag stun = tag_add(library, "State.Debuff.Stun");
    const kni_tag_table *table = kni_library_tags_const(library);
    for (int round = 0; round < 3; round++) {
        uint32_t count;
        const uint16_t *chain = kni_tag_chain(table, stun.index1, &count);
        assert_int_equal(count, 3);
        assert_int_equal(chain[0], stun.index1);
        assert_int_equal(chain[1], kn_tag_find(library, "State.Debuff").index1);
        assert_int_equal(chain[2], kn_tag_find(library, "State").index1);
        chain = kni_tag_chain(table, chain[2], &count);
        assert_int_equal(count, 1);
        if (round == 0) {
            tag_add(library, "A.B.C.D.E.F.G.H");
        } else if (round == 1) {
            assert_int_equal(kn_library_finish(library, NULL), KN_OK);
        }
    }
}

static void there_can_be_65535_tags(void **state)
{
    kn_library *library = tag_library(state);
    char name[32];
    for (uint32_t i = kn_tag_count(library); i < KNI_TAG_MAX - 1; i++) {
        snprintf(name, sizeof name, "T%u", i);
        tag_add(library, name);
    }
    kn_error error;
    assert_int_equal(try_register(library, "One.Two", NULL, false, &error), KN_REFUSED_LIMIT);
    assert_mentions(&error, "65535");
    assert_no_tag(kn_tag_find(library, "One"));
    kn_tag last = tag_add(library, "One");
    assert_int_equal(last.index1, KNI_TAG_MAX);
    assert_int_equal(try_register(library, "Two", NULL, false, &error), KN_REFUSED_LIMIT);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_true(kn_tag_matches(library, last, last));
    assert_false(kn_tag_matches(library, last, kn_tag_find(library, "T65533")));
    assert_tag(kn_tag_find(library, "t65533"), (kn_tag){KNI_TAG_MAX - 1});
}

// Restricted tags -------------------------------------------------------------

// TAG-013
static void only_the_owner_declares_below_a_restricted_tag(void **state)
{
    kn_library *library = tag_library(state);
    kn_error error;
    assert_int_equal(try_register(library, "Ability", "core", true, &error), KN_OK);
    kn_tag ability = kn_tag_find(library, "Ability");
    assert_true(kn_tag_is_restricted(library, ability));
    tag_add_from(library, "Ability.Fire", "core");
    assert_false(kn_tag_is_restricted(library, kn_tag_find(library, "Ability.Fire")));

    uint32_t before = kn_tag_count(library);
    assert_int_equal(
        try_register(library, "ability.Ice.Bolt", "mod", false, &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "`Ability` is restricted to `core`");
    assert_int_equal(try_register(library, "Ability", "mod", false, NULL), KN_ERROR_BAD_DATA);
    assert_int_equal(try_register(library, "Ability.Ice", NULL, false, NULL), KN_ERROR_BAD_DATA);
    assert_int_equal(try_register(library, "Ability.Ice", "", false, NULL), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_tag_count(library), before);
    tag_add_from(library, "Abilities", "mod"); // not below it
}

// TAG-013
static void tag_others_declare_cannot_be_restricted(void **state)
{
    kn_library *library = tag_library(state);
    kn_error error;
    tag_add_from(library, "Cue.Fire", "mod");
    assert_int_equal(try_register(library, "Cue", "core", true, &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "`Cue.Fire` is also declared by `mod`");
    assert_false(kn_tag_is_restricted(library, kn_tag_find(library, "Cue")));
    assert_int_equal(try_register(library, "Cue", "mod", true, &error), KN_OK);
    assert_true(kn_tag_is_restricted(library, kn_tag_find(library, "Cue")));

    tag_add(library, "Plain.Tag"); // without a source
    assert_int_equal(try_register(library, "Plain", "new", true, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(try_register(library, "Own", NULL, true, &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "no source");
    assert_no_tag(kn_tag_find(library, "Own"));
}

// Modules ---------------------------------------------------------------------

// TAG-011
static void module_registers_its_native_tags_in_one_go(void **state)
{
    kn_library *library = tag_library(state);
    static const char *const names[] = {"Native.One", "Native.Two", "native.one"};
    kn_tag tags[3];
    kn_error error;
    assert_int_equal(kn_tag_register_module(library, "fire", names, 3, tags, &error), KN_OK);
    assert_tag(tags[0], kn_tag_find(library, "Native.One"));
    assert_tag(tags[1], kn_tag_find(library, "Native.Two"));
    assert_tag(tags[2], tags[0]);
    assert_string_equal(kn_tag_source(library, tags[1]), "fire");
    assert_int_equal(kn_tag_register_module(library, "ice", names, 1, NULL, NULL), KN_OK);
    assert_int_equal(kn_tag_register_module(library, "none", NULL, 0, NULL, NULL), KN_OK);
}

// TAG-011
static void module_with_one_bad_tag_registers_nothing(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag old = tag_add_from(library, "Old.Child", "other");
    tag_add(library, "Old");
    static const char *const names[] = {"New.One", "Old.Child", "Old.Child.Below", "Old.Bad Name"};
    uint64_t hash = kn_tag_table_hash(library);
    kn_tag tags[4] = {{9}, {9}, {9}, {9}};
    kn_error error;
    assert_int_equal(
        kn_tag_register_module(library, "fire", names, 4, tags, &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "`Old.Bad_Name`");
    for (int i = 0; i < 4; i++) {
        assert_no_tag(tags[i]);
    }
    assert_true(kn_tag_table_hash(library) == hash);
    assert_no_tag(kn_tag_find(library, "New"));
    assert_no_tag(kn_tag_find(library, "New.One"));
    assert_tag(kn_tag_find(library, "Old.Child"), old);
    assert_no_tag(kn_tag_first_child(library, old));
    assert_no_tag(kn_tag_next_sibling(library, kn_tag_find(library, "Old")));
    assert_int_equal(kn_tag_unregister_module(library, "fire"), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_tag_unregister_module(library, "other"), KN_OK);
    assert_no_tag(kn_tag_find(library, "Old.Child"));
}

// TAG-011
static void unloading_a_module_takes_only_what_nobody_else_needs(void **state)
{
    kn_library *library = tag_library(state);
    static const char *const fire[] = {"Shared", "Fire.Deep.Own", "Parent", "Plain"};
    static const char *const ice[] = {"Shared", "Parent.Child"};
    kn_tag tags[4];
    assert_int_equal(kn_tag_register_module(library, "fire", fire, 4, tags, NULL), KN_OK);
    assert_int_equal(kn_tag_register_module(library, "ice", ice, 2, NULL, NULL), KN_OK);
    tag_add(library, "Plain");
    uint32_t count = kn_tag_count(library);

    assert_int_equal(kn_tag_unregister_module(library, "fire"), KN_OK);
    assert_tag(kn_tag_find(library, "Shared"), tags[0]);
    assert_string_equal(kn_tag_source(library, tags[0]), "ice");
    assert_tag(kn_tag_find(library, "Parent"), tags[2]); // a child lives
    assert_tag(kn_tag_find(library, "Plain"), tags[3]);  // declared without a module, too
    assert_no_tag(kn_tag_find(library, "Fire.Deep.Own"));
    assert_no_tag(kn_tag_find(library, "Fire.Deep")); // came into being with it
    assert_no_tag(kn_tag_find(library, "Fire"));
    assert_string_equal(kn_tag_name(library, tags[1]), "");
    assert_int_equal(kn_tag_depth(library, tags[1]), 0);
    assert_false(kn_tag_matches(library, tags[1], tags[1]));
    assert_int_equal(kn_tag_unregister_module(library, "fire"), KN_REFUSED_NOT_FOUND);

    kn_tag again = tag_add(library, "Fire.Deep.Own"); // numbers are not used again
    assert_int_equal(again.index1, count + 3);
    assert_int_equal(kn_tag_unregister_module(library, "ice"), KN_OK);
    assert_no_tag(kn_tag_find(library, "Parent"));
    assert_no_tag(kn_tag_find(library, "Shared"));

    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_false(kn_tag_matches(library, tags[1], tags[1]));
    assert_false(kn_tag_matches(library, again, tags[1]));
    assert_true(kn_tag_matches(library, again, kn_tag_find(library, "Fire")));
    assert_int_equal(kn_tag_unregister_module(library, "x"), KN_ERROR_WORLD_LOCKED);
}

// TAG-013, TAG-011
static void restriction_goes_with_its_owner(void **state)
{
    kn_library *library = tag_library(state);
    assert_int_equal(try_register(library, "Ability", "core", true, NULL), KN_OK);
    kn_tag_set set; // data may name tags that were never declared, even here
    assert_int_equal(
        kn_tag_set_parse(library, "Ability.Lost", KN_UNKNOWN_TAGS_KEEP, &set, NULL), KN_OK);
    assert_int_equal(kn_tag_unregister_module(library, "core"), KN_OK);
    kn_tag ability = kn_tag_find(library, "Ability");
    assert_int_not_equal(ability.index1, 0);
    assert_false(kn_tag_is_restricted(library, ability));
    tag_add_from(library, "Ability.Ice", "mod");
}

// TAG-012
static void tag_that_defs_mention_outlives_its_module_as_undeclared(void **state)
{
    kn_library *library = tag_library(state);
    static const char *const names[] = {"Used", "Unused"};
    kn_tag tags[2];
    assert_int_equal(kn_tag_register_module(library, "fire", names, 2, tags, NULL), KN_OK);
    kni_tag_table *table = kni_library_tags(library);
    kni_tag_count_use(table, tags[0].index1);
    assert_false(tag_is_undeclared(table, tags[0].index1));
    assert_int_equal(kn_tag_unregister_module(library, "fire"), KN_OK);
    assert_tag(kn_tag_find(library, "Used"), tags[0]);
    assert_true(tag_is_undeclared(table, tags[0].index1));
    assert_no_tag(kn_tag_find(library, "Unused"));
    tag_add(library, "Used");
    assert_false(tag_is_undeclared(table, tags[0].index1));
}

static void mentions_of_a_tag_are_counted(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag tag = tag_add(library, "A.B");
    kni_tag_table *table = kni_library_tags(library);
    assert_int_equal(kn_tag_uses(library, tag), 0);
    kni_tag_count_use(table, tag.index1);
    kni_tag_count_use(table, tag.index1);
    kni_tag_count_use(table, 0);
    kni_tag_count_use(table, 5000);
    assert_int_equal(kn_tag_uses(library, tag), 2);
    assert_int_equal(kn_tag_uses(library, kn_tag_parent(library, tag)), 0);
    assert_int_equal(kn_tag_uses(library, (kn_tag){0}), 0);
}

// Redirects -------------------------------------------------------------------

// TAG-008, TAG-009, TVE-105
static void redirects_are_followed_to_the_end_of_their_chain(void **state)
{
    kn_library *library = tag_library(state);
    kn_error error;
    // In any order, and before the tag is there.
    assert_int_equal(kn_tag_redirect(library, "A.X", "A.Old", &error), KN_OK);
    assert_int_equal(kn_tag_redirect(library, "A.Old", "A.New", &error), KN_OK);
    assert_no_tag(kn_tag_find(library, "A.Old"));
    kn_tag fresh = tag_add(library, "A.New");
    for (int round = 0; round < 2; round++) {
        assert_tag(kn_tag_find(library, "A.New"), fresh);
        assert_tag(kn_tag_find(library, "a.old"), fresh);
        assert_tag(kn_tag_find(library, "A.X"), fresh);
        assert_no_tag(kn_tag_find(library, "A.Old.Child"));
        kn_tag_set set;
        assert_int_equal(
            kn_tag_set_parse(library, "A.X, A.Old", KN_UNKNOWN_TAGS_REFUSE, &set, NULL), KN_OK);
        assert_int_equal(set.count, 1);
        assert_tag(set.data[0], fresh);
        assert_int_equal(kn_library_finish(library, &error), KN_OK);
    }
    assert_int_equal(kn_tag_redirect(library, "A.Y", "A.New", &error), KN_ERROR_WORLD_LOCKED);
}

// TAG-008
static void declaring_an_old_name_declares_the_new_one(void **state)
{
    kn_library *library = tag_library(state);
    assert_int_equal(kn_tag_redirect(library, "A.Old", "B.New", NULL), KN_OK);
    kn_tag tag = tag_add(library, "A.Old");
    assert_string_equal(kn_tag_name(library, tag), "B.New");
    assert_no_tag(kn_tag_find(library, "A"));
}

// TAG-008
static void redirect_hides_a_tag_that_is_still_there(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag old = tag_add(library, "A.Old");
    kn_tag fresh = tag_add(library, "A.New");
    assert_int_equal(kn_tag_redirect(library, "A.Old", "A.New", NULL), KN_OK);
    assert_tag(kn_tag_find(library, "A.Old"), fresh);
    assert_string_equal(kn_tag_name(library, old), "A.Old");
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_tag(kn_tag_find(library, "A.Old"), fresh);
}

// TAG-009, TVE-105
static void cycle_of_redirects_is_an_error_that_can_be_mended(void **state)
{
    kn_library *library = tag_library(state);
    kn_error error;
    assert_int_equal(kn_tag_redirect(library, "Start", "A.One", &error), KN_OK);
    assert_int_equal(kn_tag_redirect(library, "A.One", "A.Two", &error), KN_OK);
    assert_int_equal(kn_tag_redirect(library, "A.Two", "A.One", &error), KN_OK);
    tag_add(library, "Good");
    assert_no_tag(kn_tag_find(library, "Start"));
    assert_int_equal(try_register(library, "A.One", NULL, false, &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "cycle");
    for (int round = 0; round < 2; round++) {
        assert_int_equal(kn_library_finish(library, &error), KN_ERROR_BAD_DATA);
        assert_int_equal(error.code, KN_ERROR_BAD_DATA);
        assert_mentions(&error, "`A.One`");
        assert_mentions(&error, "`A.Two`");
        assert_false(kn_library_is_finished(library));
    }
    assert_int_equal(kn_tag_redirect(library, "A.TWO", "Good", &error), KN_OK);
    assert_int_equal(kn_library_finish(library, &error), KN_OK);
    assert_tag(kn_tag_find(library, "Start"), kn_tag_find(library, "Good"));
}

// TAG-009
static void redirect_to_nowhere_is_an_error_with_a_suggestion(void **state)
{
    kn_library *library = tag_library(state);
    kn_error error;
    tag_add(library, "State.Stunned");
    assert_int_equal(kn_tag_redirect(library, "Dazed", "State.Stuned", &error), KN_OK);
    assert_int_equal(kn_tag_redirect(library, "Dizzy", "Dazed", &error), KN_OK);
    assert_int_equal(kn_library_finish(library, &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "`Dazed`");
    assert_mentions(&error, "`State.Stuned`");
    assert_mentions(&error, "did you mean `State.Stunned`?");
    tag_add(library, "State.Stuned");
    assert_int_equal(kn_library_finish(library, &error), KN_OK);
    assert_tag(kn_tag_find(library, "Dizzy"), kn_tag_find(library, "State.Stuned"));
}

static void redirect_checks_its_names(void **state)
{
    kn_library *library = tag_library(state);
    kn_error error;
    assert_int_equal(kn_tag_redirect(library, "A B", "C", &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "`A_B`");
    assert_int_equal(kn_tag_redirect(library, "C", "A B", &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_tag_redirect(library, "C", NULL, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_tag_redirect(library, NULL, "C", NULL), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_tag_redirect(library, "Same", "SAME", &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "itself");
    assert_int_equal(kni_library_tags(library)->alias_count, 0);
}

// TAG-009
static void long_chains_of_redirects_resolve_quickly_in_any_order(void **state)
{
    kn_library *library = tag_library(state);
    enum { COUNT = 4000 };
    char old_name[16], new_name[16];
    for (uint32_t i = 0; i < COUNT; i++) {
        // Odd ones forwards, then even ones backwards.
        uint32_t link = i < COUNT / 2 ? 2 * i + 1 : 2 * (COUNT - 1 - i);
        snprintf(old_name, sizeof old_name, "R%u", link);
        snprintf(new_name, sizeof new_name, "R%u", link + 1);
        assert_int_equal(kn_tag_redirect(library, old_name, new_name, NULL), KN_OK);
    }
    kn_tag end = tag_add(library, "R4000");
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(old_name, sizeof old_name, "R%u", i);
        assert_tag(kn_tag_find(library, old_name), end);
    }
}

// Common tags, hash, suggestions ----------------------------------------------

// TAG-022
static void common_tags_have_a_place_of_their_own(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A"), b = tag_add_from(library, "B", "mod"),
           c = tag_add(library, "C");
    assert_int_equal(kn_tag_common_index(library, a), UINT32_MAX);
    kn_tag list[] = {c, b, a};
    assert_int_equal(kn_tag_set_common(library, list, 3), KN_OK);
    assert_int_equal(kn_tag_common_index(library, c), 0);
    assert_int_equal(kn_tag_common_index(library, b), 1);
    assert_int_equal(kn_tag_common_index(library, a), 2);
    assert_int_equal(kn_tag_common_index(library, (kn_tag){0}), UINT32_MAX);

    kn_tag twice[] = {a, b, a};
    assert_int_equal(kn_tag_set_common(library, twice, 3), KN_REFUSED_DUPLICATE);
    kn_tag null[] = {a, {0}};
    assert_int_equal(kn_tag_set_common(library, null, 2), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_tag_common_index(library, c), 0); // as it was

    assert_int_equal(kn_tag_unregister_module(library, "mod"), KN_OK);
    assert_int_equal(kn_tag_common_index(library, c), 0);
    assert_int_equal(kn_tag_common_index(library, b), UINT32_MAX);
    assert_int_equal(kn_tag_common_index(library, a), 1);
    assert_int_equal(kn_tag_set_common(library, &a, 1), KN_OK);
    assert_int_equal(kn_tag_common_index(library, a), 0);
    assert_int_equal(kn_tag_common_index(library, c), UINT32_MAX);
    assert_int_equal(kn_tag_set_common(library, NULL, 0), KN_OK);
    assert_int_equal(kn_tag_common_index(library, a), UINT32_MAX);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_int_equal(kn_tag_set_common(library, &a, 1), KN_ERROR_WORLD_LOCKED);
}

static uint64_t hash_of_tags(const char *const *names, uint32_t count, uint32_t common)
{
    tag_fixture *fixture = tag_fixture_create();
    for (uint32_t i = 0; i < count; i++) {
        tag_add(fixture->library, names[i]);
    }
    if (common != 0) {
        kn_tag tag = {common};
        assert_int_equal(kn_tag_set_common(fixture->library, &tag, 1), KN_OK);
    }
    uint64_t hash = kn_tag_table_hash(fixture->library);
    assert_int_equal(kn_library_finish(fixture->library, NULL), KN_OK);
    assert_true(kn_tag_table_hash(fixture->library) == hash);
    tag_fixture_destroy(fixture);
    return hash;
}

static void hash_of_the_table_depends_on_every_name_and_number(void **state)
{
    (void)state;
    static const char *const ab[] = {"A", "B"};
    static const char *const ba[] = {"B", "A"};
    static const char *const ac[] = {"A", "C"};
    static const char *const abc[] = {"A", "B", "C"};
    static const char *const joined[] = {"AB"};
    uint64_t hashes[] = {
        hash_of_tags(ab, 2, 0),
        hash_of_tags(ba, 2, 0),
        hash_of_tags(ac, 2, 0),
        hash_of_tags(abc, 3, 0),
        hash_of_tags(joined, 1, 0),
        hash_of_tags(ab, 1, 0),
        hash_of_tags(ab, 0, 0),
        hash_of_tags(ab, 2, 1), // common tags travel by their place in the list
        hash_of_tags(ab, 2, 2),
    };
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_true(hashes[i] != hashes[j]);
        }
    }
    assert_true(hash_of_tags(ab, 2, 0) == hashes[0]);
}

// BEY-049
static void misspelt_name_finds_the_closest_one(void **state)
{
    kn_library *library = tag_library(state);
    tag_add(library, "State.Debuff.Stun");
    tag_add(library, "State.Debuff.Stunned");
    tag_add(library, "Damage.Fire");
    static const struct {
        const char *wrong;
        const char *near;
    } cases[] = {
        {"State.Debuff.Stunnd", "State.Debuff.Stunned"},
        {"State.Debuf.Stun", "State.Debuff.Stun"},
        {"state.debuff.stnu", "State.Debuff.Stun"},
        {"Damage.Fier", "Damage.Fire"},
        {"Damge.Fire", "Damage.Fire"},
        {"Damage-Fire", "Damage.Fire"},
        {"Stun", "State.Debuff.Stun"},
        {"Debuff.Stunned", "State.Debuff.Stunned"},
        {"DAMAGE.FIRE", "Damage.Fire"},
        {"Sate", "State"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = kn_tag_suggest(library, cases[i].wrong);
        assert_non_null(near);
        assert_string_equal(near, cases[i].near);
    }
    tag_add(library, "Tie.One");
    tag_add(library, "Tie.Ona");
    assert_string_equal(kn_tag_suggest(library, "Tie.Onx"), "Tie.One"); // the older one
    assert_null(kn_tag_suggest(library, "Inventory.Slot"));
    assert_null(kn_tag_suggest(library, "X"));
    assert_null(kn_tag_suggest(library, ""));
    assert_null(kn_tag_suggest(library, NULL));
    char endless[400];
    memset(endless, 'x', sizeof endless);
    endless[399] = '\0';
    assert_null(kn_tag_suggest(library, endless));
}

// Contracts -------------------------------------------------------------------

static void finished_library_takes_no_more_tags(void **state)
{
    kn_library *library = tag_library(state);
    tag_add(library, "A");
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    kn_error error;
    assert_int_equal(try_register(library, "A", NULL, false, &error), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(error.code, KN_ERROR_WORLD_LOCKED);
    static const char *const names[] = {"B"};
    kn_tag tag = {5};
    assert_int_equal(
        kn_tag_register_module(library, "m", names, 1, &tag, &error), KN_ERROR_WORLD_LOCKED);
    assert_no_tag(tag);
}

static void broken_contract_is_reported_and_survived(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag tag = {5};
    tag_asserts_begin();
    kn_tag_def def = {.name = "A"}; // not from the default
    kn_result forgotten = kn_tag_register(library, &def, &tag, NULL);
    kn_result no_def = kn_tag_register(library, NULL, &tag, NULL);
    kn_result no_module = kn_tag_register_module(library, "", NULL, 0, NULL, NULL);
    kn_result no_names = kn_tag_register_module(library, "m", NULL, 1, &tag, NULL);
    kn_result nothing = kn_tag_unregister_module(library, NULL);
    kn_result common = kn_tag_set_common(library, NULL, 1);
    kn_tag found = kn_tag_find(NULL, "A");
    const char *name = kn_tag_name(NULL, (kn_tag){1});
    bool matches = kn_tag_matches(NULL, (kn_tag){1}, (kn_tag){1});
    int asserts = tag_asserts_end();
    assert_int_equal(forgotten, KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(no_def, KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(no_module, KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(no_names, KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nothing, KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(common, KN_ERROR_INVALID_ARGUMENT);
    assert_no_tag(tag);
    assert_no_tag(found);
    assert_string_equal(name, "");
    assert_false(matches);
    assert_int_equal(asserts, KN_ASSERTS ? 9 : 0);
}

// Memory ----------------------------------------------------------------------

enum { MEMORY_CASES = 6 };

static kn_result memory_case(kn_library *library, int which, kn_error *error)
{
    kn_tag_def def = kn_tag_def_default();
    def.source = "new source";
    def.comment = "a comment";
    switch (which) {
    case 0: // all new
        def.name = "New.Tag.With.Five.Parts";
        return kn_tag_register(library, &def, NULL, error);
    case 1: // a new declaration of an old tag
        def.name = "Old.Tag";
        return kn_tag_register(library, &def, NULL, error);
    case 2: // only a comment
        def.name = "Old.Tag";
        def.source = "old source";
        return kn_tag_register(library, &def, NULL, error);
    case 3: {
        static const char *const names[] = {
            "M.A", "Old.Tag", "M.B", "Old.Tag.Below", "M.C", "M.D", "M.E", "M.F", "M.G", "M.H.I.J"};
        return kn_tag_register_module(library, "module", names, 10, NULL, error);
    }
    case 4:
        return kn_tag_redirect(library, "Former", "Old.Tag", error);
    default: {
        kn_tag_set set;
        kn_result result = kn_tag_set_parse(
            library, "Old.Tag, Kept.One, Kept.Two", KN_UNKNOWN_TAGS_KEEP, &set, error);
        assert_int_equal(set.count, result == KN_OK ? 3 : 0);
        return result;
    }
    }
}

// Nothing of a call that ran out of memory is left, and it works once there is memory.
static void running_out_of_memory_registers_nothing(void **state)
{
    (void)state;
    for (int which = 0; which < MEMORY_CASES; which++) {
        kn_result result = KN_ERROR_OUT_OF_MEMORY;
        for (uint64_t allocation = 1; result != KN_OK; allocation++) {
            tag_fixture *fixture = tag_fixture_create();
            kn_library *library = fixture->library;
            kn_tag old = tag_add_from(library, "Old.Tag", "old source");
            uint64_t hash = kn_tag_table_hash(library);
            uint32_t count = kn_tag_count(library);
            kn_error error;
            tag_fixture_fail_at(fixture, allocation);
            result = memory_case(library, which, &error);
            tag_fixture_fail_at(fixture, 0);
            assert_int_equal(error.code, result);
            if (result != KN_OK) {
                assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
                assert_int_equal(kn_tag_count(library), count);
                assert_true(kn_tag_table_hash(library) == hash);
                assert_string_equal(kn_tag_comment(library, old), "");
                assert_string_equal(kn_tag_source(library, old), "old source");
                assert_no_tag(kn_tag_first_child(library, old));
                assert_no_tag(kn_tag_next_sibling(library, kn_tag_parent(library, old)));
                assert_no_tag(kn_tag_find(library, "Former"));
                assert_int_equal(kn_tag_unregister_module(library, "module"), KN_REFUSED_NOT_FOUND);
                assert_int_equal(
                    kn_tag_unregister_module(library, "new source"), KN_REFUSED_NOT_FOUND);
                assert_int_equal(memory_case(library, which, &error), KN_OK);
            } else {
                assert_true(allocation > 1);
            }
            tag_fixture_destroy(fixture);
        }
    }
}

static void running_out_of_memory_leaves_common_tags_and_tables_open(void **state)
{
    (void)state;
    tag_fixture *fixture = tag_fixture_create();
    kn_library *library = fixture->library;
    kn_tag tag = tag_add(library, "A.B");
    tag_fixture_fail_at(fixture, 1);
    assert_int_equal(kn_tag_set_common(library, &tag, 1), KN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(kn_tag_common_index(library, tag), UINT32_MAX);
    kni_tag_table *table = kni_library_tags(library);
    kn_error error;
    assert_int_equal(
        kni_tag_table_finish(table, kni_library_memory(library), &error), KN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(error.code, KN_ERROR_OUT_OF_MEMORY);
    assert_false(table->finished);
    assert_true(kn_tag_matches(library, tag, kn_tag_parent(library, tag)));
    tag_fixture_fail_at(fixture, 0);
    assert_int_equal(kn_tag_set_common(library, &tag, 1), KN_OK);
    assert_int_equal(kni_tag_table_finish(table, kni_library_memory(library), &error), KN_OK);
    assert_true(table->finished);
    tag_fixture_destroy(fixture);
}

// A library whose other parts could not be finished opens its tags again.
static void reopened_table_takes_tags_and_can_be_finished_again(void **state)
{
    kn_library *library = tag_library(state);
    kni_tag_table *table = kni_library_tags(library);
    kn_tag a = tag_add(library, "A");
    assert_int_equal(kni_tag_table_finish(table, kni_library_memory(library), NULL), KN_OK);
    table->finished = false;
    kn_tag child = {0};
    for (uint32_t i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "A.T%u", i);
        child = tag_add(library, name);
        assert_true(kn_tag_matches(library, child, a));
    }
    assert_int_equal(kni_tag_table_finish(table, kni_library_memory(library), NULL), KN_OK);
    assert_true(kn_tag_matches(library, child, a));
}

// A model ---------------------------------------------------------------------

enum { MODEL_NAMES = 40, MODEL_MODULES = 3 };

// All paths over a few parts; parents come before children.
typedef struct tag_model {
    char names[MODEL_NAMES][24];
    int parents[MODEL_NAMES];
    bool declared[MODEL_NAMES][MODEL_MODULES + 1]; // the last: without a module
    uint32_t tags[MODEL_NAMES];                    // 0 = not there
    uint32_t count;
} tag_model;

static void model_init(tag_model *model)
{
    memset(model, 0, sizeof *model);
    int made = 0;
    for (int i = 0; i < 4; i++) {
        snprintf(model->names[made], sizeof model->names[made], "N%d", i);
        model->parents[made++] = -1;
    }
    for (int parent = 0; made < MODEL_NAMES; parent++) {
        for (int i = 0; i < 3 && made < MODEL_NAMES; i++) {
            char name[sizeof model->names[made]];
            snprintf(name, sizeof name, "%.16s.%d", model->names[parent], i);
            memcpy(model->names[made], name, sizeof name);
            model->parents[made++] = parent;
        }
    }
}

static void model_add(tag_model *model, int name, int module)
{
    int path[16], depth = 0;
    for (int at = name; at >= 0; at = model->parents[at]) {
        path[depth++] = at;
    }
    while (depth-- > 0) {
        if (model->tags[path[depth]] == 0) {
            model->tags[path[depth]] = ++model->count;
        }
    }
    model->declared[name][module] = true;
}

static bool model_unregister(tag_model *model, int module)
{
    bool any = false;
    for (int i = 0; i < MODEL_NAMES; i++) {
        any = any || model->declared[i][module];
        model->declared[i][module] = false;
    }
    for (int i = MODEL_NAMES - 1; any && i >= 0; i--) {
        bool needed = false;
        for (int m = 0; m <= MODEL_MODULES; m++) {
            needed = needed || model->declared[i][m];
        }
        for (int child = i + 1; child < MODEL_NAMES; child++) {
            needed = needed || (model->parents[child] == i && model->tags[child] != 0);
        }
        if (!needed) {
            model->tags[i] = 0;
        }
    }
    return any;
}

static void model_compare(const tag_model *model, const kn_library *library, uint32_t base)
{
    assert_int_equal(kn_tag_count(library), base + model->count);
    for (int i = 0; i < MODEL_NAMES; i++) {
        uint32_t expected = model->tags[i] == 0 ? 0 : base + model->tags[i];
        kn_tag tag = kn_tag_find(library, model->names[i]);
        assert_int_equal(tag.index1, expected);
        if (expected == 0) {
            continue;
        }
        assert_string_equal(kn_tag_name(library, tag), model->names[i]);
        uint32_t previous = 0; // children in order of their numbers, and all of them
        uint32_t children = 0;
        for (kn_tag child = kn_tag_first_child(library, tag); child.index1 != 0;
             child = kn_tag_next_sibling(library, child)) {
            assert_true(child.index1 > previous);
            assert_tag(kn_tag_parent(library, child), tag);
            previous = child.index1;
            children++;
        }
        for (int j = 0; j < MODEL_NAMES; j++) {
            children -= model->parents[j] == i && model->tags[j] != 0;
            bool below = false;
            for (int at = j; at >= 0; at = model->parents[at]) {
                below = below || at == i;
            }
            kn_tag other = {model->tags[j] == 0 ? 0 : base + model->tags[j]};
            assert_int_equal(kn_tag_matches(library, other, tag), below && other.index1 != 0);
        }
        assert_int_equal(children, 0);
    }
}

// TAG-004, TAG-011, TAG-015
static void random_registrations_agree_with_a_model(void **state)
{
    (void)state;
    static const char *const modules[] = {"red", "green", "blue"};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t random = seed;
        tag_fixture *fixture = tag_fixture_create();
        kn_library *library = fixture->library;
        uint32_t base = kn_tag_count(library);
        tag_model model;
        model_init(&model);
        for (int step = 0; step < 60; step++) {
            uint32_t module = test_below(&random, MODEL_MODULES);
            switch (test_below(&random, 5)) {
            case 0:
                assert_int_equal(kn_tag_unregister_module(library, modules[module]),
                    model_unregister(&model, (int)module) ? KN_OK : KN_REFUSED_NOT_FOUND);
                break;
            case 1: {
                int name = (int)test_below(&random, MODEL_NAMES);
                if (step > 40) {
                    tag_add(library, model.names[name]);
                    model_add(&model, name, MODEL_MODULES);
                }
                break;
            }
            case 2: { // a module that is bad in the end, or runs out of memory
                const char *names[3];
                for (int i = 0; i < 3; i++) {
                    names[i] = model.names[test_below(&random, MODEL_NAMES)];
                }
                bool starve = test_below(&random, 2) == 0;
                names[2] = starve ? names[2] : "no name";
                tag_fixture_fail_at(fixture, starve ? 1 + test_below(&random, 4) : 0);
                kn_result result =
                    kn_tag_register_module(library, modules[module], names, 3, NULL, NULL);
                tag_fixture_fail_at(fixture, 0);
                for (int i = 0; i < 3 && result == KN_OK; i++) {
                    for (int j = 0; j < MODEL_NAMES; j++) {
                        if (strcmp(names[i], model.names[j]) == 0) {
                            model_add(&model, j, (int)module);
                        }
                    }
                }
                break;
            }
            default: {
                int name = (int)test_below(&random, MODEL_NAMES);
                const char *names[] = {model.names[name]};
                assert_int_equal(
                    kn_tag_register_module(library, modules[module], names, 1, NULL, NULL), KN_OK);
                model_add(&model, name, (int)module);
                break;
            }
            }
            model_compare(&model, library, base);
        }
        assert_int_equal(kn_library_finish(library, NULL), KN_OK);
        model_compare(&model, library, base);
        tag_fixture_destroy(fixture);
    }
}

static const struct CMUnitTest tests[] = {
    TAG_TEST(bad_name_is_refused_with_a_corrected_proposal),
    TAG_TEST(name_without_anything_usable_is_refused),
    TAG_TEST(length_and_depth_of_a_name_are_limited),
    TAG_TEST(lookup_ignores_case_and_the_first_spelling_is_kept),
    TAG_TEST(parents_come_into_being_with_their_children),
    TAG_TEST(children_are_listed_in_order_of_registration),
    TAG_TEST(comment_and_source_belong_to_the_first_who_gave_them),
    TAG_TEST(null_matches_nothing_and_tags_match_their_ancestors),
    TAG_TEST(ranges_and_chains_give_the_same_answers),
    TAG_TEST(chain_is_the_tag_and_its_ancestors_at_any_time),
    TAG_TEST(there_can_be_65535_tags),
    TAG_TEST(only_the_owner_declares_below_a_restricted_tag),
    TAG_TEST(tag_others_declare_cannot_be_restricted),
    TAG_TEST(module_registers_its_native_tags_in_one_go),
    TAG_TEST(module_with_one_bad_tag_registers_nothing),
    TAG_TEST(unloading_a_module_takes_only_what_nobody_else_needs),
    TAG_TEST(restriction_goes_with_its_owner),
    TAG_TEST(tag_that_defs_mention_outlives_its_module_as_undeclared),
    TAG_TEST(mentions_of_a_tag_are_counted),
    TAG_TEST(redirects_are_followed_to_the_end_of_their_chain),
    TAG_TEST(declaring_an_old_name_declares_the_new_one),
    TAG_TEST(redirect_hides_a_tag_that_is_still_there),
    TAG_TEST(cycle_of_redirects_is_an_error_that_can_be_mended),
    TAG_TEST(redirect_to_nowhere_is_an_error_with_a_suggestion),
    TAG_TEST(redirect_checks_its_names),
    TAG_TEST(long_chains_of_redirects_resolve_quickly_in_any_order),
    TAG_TEST(common_tags_have_a_place_of_their_own),
    cmocka_unit_test(hash_of_the_table_depends_on_every_name_and_number),
    TAG_TEST(misspelt_name_finds_the_closest_one),
    TAG_TEST(finished_library_takes_no_more_tags),
    TAG_TEST(broken_contract_is_reported_and_survived),
    cmocka_unit_test(running_out_of_memory_registers_nothing),
    cmocka_unit_test(running_out_of_memory_leaves_common_tags_and_tables_open),
    TAG_TEST(reopened_table_takes_tags_and_can_be_finished_again),
    cmocka_unit_test(random_registrations_agree_with_a_model),
};

TEST_GROUP(test_tag, tests, NULL, NULL);
