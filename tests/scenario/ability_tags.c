// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The ten tag containers of abilities, blocks that count, tags of one grant.

#include "scenario/ability_replay.h"

// Owner ---------------------------------------------------------------------

static kn_ability_def tagged(fixture *f, const char *name, const char *tag)
{
    kn_ability_def def = ability_def(f, name);
    def.tags = tags_of(f, tag);
    return def;
}

// TVA-009, ABI-099
static void required_and_blocked_tags_of_the_owner_decide(void **state)
{
    fixture *f = *state;
    kn_ability_def armed_def = ability_def(f, "Armed"), calm_def = ability_def(f, "Calm");
    const kn_tag needs[2] = {tag_of(f, "Weapon"), tag_of(f, "Ready")};
    const kn_tag bars[2] = {tag_of(f, "State.Sad"), tag_of(f, "State.Angry")};
    armed_def.activation.required = (kn_tags){needs, 2};
    calm_def.activation.ignored = (kn_tags){bars, 2};
    kn_ability_type_id armed = ability_register(f, &armed_def);
    kn_ability_type_id calm = ability_register(f, &calm_def);
    tag_of(f, "Weapon.Sword");
    begin(f);
    kn_ability_id a = grant(f, armed), c = grant(f, calm);
    assert_int_equal(kn_ability_activate(f->world, a, NULL, NULL), KN_REFUSED_REQUIREMENT);
    add_tag(f, f->hero, tag_of(f, "Weapon.Sword")); // a tag below counts
    assert_int_equal(kn_ability_activate(f->world, a, NULL, NULL), KN_REFUSED_REQUIREMENT);
    add_tag(f, f->hero, tag_of(f, "Ready")); // all of them
    activate(f, a);
    add_tag(f, f->hero, tag_of(f, "State.Angry"));
    assert_int_equal(kn_ability_activate(f->world, c, NULL, NULL), KN_REFUSED_BLOCKED);
    remove_tag(f, f->hero, tag_of(f, "State.Angry"));
    activate(f, c);
    remove_tag(f, f->hero, tag_of(f, "Weapon.Sword"));
    assert_true(kn_ability_is_active(f->world, a)); // only asked at the start
    check_replay(f, KN_S(1));
}

// TVA-009, ABI-099, TAG-067
static void owned_tags_are_there_while_any_activation_runs(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Mine");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.owned_tags = tags_of(f, "State.Mining");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id mine = grant(f, type);
    kn_tag state_tag = tag_of(f, "State"), mining = tag_of(f, "State.Mining");
    kn_activation_id first = activate(f, mine), second = activate(f, mine);
    assert_int_equal(
        kn_entity_tag_count_origin(f->world, f->hero, mining, KN_TAG_ORIGIN_ABILITY), 2);
    // Not among those that are sent to clients.
    assert_int_equal(
        kn_entity_tag_count_origin(f->world, f->hero, mining, KN_TAG_ORIGIN_LOOSE_SYNCED), 0);
    assert_int_equal(kn_entity_tag_sync(f->world, f->hero, mining), KN_TAG_SYNC_NONE);
    check_replay(f, KN_S(1));
    assert_int_equal(kn_activation_end(f->world, first), KN_OK);
    assert_true(kn_entity_has_tag(f->world, f->hero, state_tag));
    assert_int_equal(kn_ability_remove(f->world, mine, KN_GRANT_CANCEL), KN_OK);
    assert_false(kn_activation_is_alive(f->world, second));
    assert_false(kn_entity_has_tag(f->world, f->hero, state_tag));
}

static void a_running_ability_keeps_the_count_it_owns(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Mine");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.owned_tags = tags_of(f, "State.Mining");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id mine = grant(f, type);
    kn_tag mining = tag_of(f, "State.Mining");
    kn_activation_id first = activate(f, mine), second = activate(f, mine);
    assert_int_equal(kn_entity_remove_tag(f->world, f->hero, mining, KN_TAG_ORIGIN_ABILITY, 1),
        KN_REFUSED_LIMIT);
    // What code adds of its own may be taken again, and no more.
    assert_int_equal(kn_entity_add_tag(f->world, f->hero, mining, KN_TAG_ORIGIN_ABILITY, 1), KN_OK);
    assert_int_equal(kn_entity_remove_tag(f->world, f->hero, mining, KN_TAG_ORIGIN_ABILITY, 2),
        KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_entity_remove_tag(f->world, f->hero, mining, KN_TAG_ORIGIN_ABILITY, 1), KN_OK);
    assert_int_equal(kn_activation_end(f->world, first), KN_OK);
    assert_int_equal(kn_entity_tag_count(f->world, f->hero, mining), 1);
    assert_int_equal(kn_activation_end(f->world, second), KN_OK);
    assert_int_equal(kn_entity_tag_count(f->world, f->hero, mining), 0);
    check_replay(f, KN_S(1));
}

// The hero has as many as a call can add, and something of its own on top.
static void owned_tags_are_counted_beyond_what_calls_may_add(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Mine");
    def.owned_tags = tags_of(f, "State.Mining");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id mine = grant(f, type);
    kn_tag mining = tag_of(f, "State.Mining");
    assert_int_equal(kn_entity_set_parent(f->world, f->hero, f->foe), KN_OK);
    const kn_entity_id full[2] = {f->hero, f->foe};
    for (uint32_t i = 0; i < 2; i++) { // the child, then only the parent
        assert_int_equal(
            kn_entity_add_tag(f->world, full[i], mining, KN_TAG_ORIGIN_LOOSE, 65535), KN_OK);
        kn_activation_id running = activate(f, mine);
        assert_int_equal(kn_entity_tag_count(f->world, f->hero, mining), i == 0 ? 65536 : 1);
        assert_int_equal(kn_entity_tag_count(f->world, f->foe, mining), 65536);
        assert_int_equal(
            kn_entity_tag_count_origin(f->world, f->hero, mining, KN_TAG_ORIGIN_ABILITY), 1);
        assert_int_equal(
            kn_entity_add_tag(f->world, full[i], mining, KN_TAG_ORIGIN_LOOSE, 1), KN_REFUSED_LIMIT);
        check_replay(f, KN_MS(1));
        assert_true(kn_world_validate(f->world));
        // Taken while there are more than calls may add.
        assert_int_equal(
            kn_entity_remove_tag(f->world, full[i], mining, KN_TAG_ORIGIN_LOOSE, 65535), KN_OK);
        assert_int_equal(kn_entity_tag_count(f->world, f->foe, mining), 1);
        assert_int_equal(kn_activation_end(f->world, running), KN_OK);
        assert_int_equal(kn_entity_tag_count(f->world, f->hero, mining), 0);
        assert_int_equal(kn_entity_tag_count(f->world, f->foe, mining), 0);
        assert_true(kn_world_validate(f->world));
    }
}

static kn_result note_alone(const kn_ability_call *call)
{
    note(call->user, "%s runs with %u. ", ability_name(call),
        kn_activations(call->world, call->owner, NULL, 0));
    return KN_OK;
}

static void note_pre(const kn_ability_call *call)
{
    fixture *f = call->user;
    note(f, "before %s%s. ", ability_name(call),
        kn_entity_has_tag(call->world, call->owner, tag_of(f, "B.Active")) ? " with its tag" : "");
}

// TVA-009, TVA-010, ABI-009, ABI-099
static void an_ability_cancels_others_by_tag_before_its_body_runs(void **state)
{
    fixture *f = *state;
    kn_ability_def a_def = tagged(f, "A", "X.Y"), b_def = tagged(f, "B", "X"),
                   c_def = tagged(f, "C", "Z");
    const kn_tag cancels[2] = {tag_of(f, "W"), tag_of(f, "X")}; // any of them
    b_def.cancel_with = (kn_tags){cancels, 2};
    b_def.activate = note_alone;
    b_def.pre_activate = note_pre;
    b_def.owned_tags = tags_of(f, "B.Active");
    kn_ability_type_id a = ability_register(f, &a_def), b = ability_register(f, &b_def),
                       c = ability_register(f, &c_def);
    begin(f);
    kn_ability_id first = grant(f, a), second = grant(f, b), third = grant(f, c);
    kn_activation_id others = activate(f, grant_to(f, f->foe, a));
    activate(f, first);
    activate(f, third);
    f->log[0] = 0;
    activate(f, second); // not itself, though it has the tag
    EXPECT_LOG(f, "A: by tags. before B with its tag. B runs with 2. ");
    assert_true(kn_end_is_cancelled(KN_ENDED_BY_TAGS));
    assert_true(kn_ability_is_active(f->world, third));
    assert_true(kn_activation_is_alive(f->world, others)); // those of the owner only
    assert_false(kn_entity_has_tag(f->world, f->foe, tag_of(f, "B.Active")));
    check_replay(f, KN_S(1));
}

// ABI-104
static void an_ability_neither_cancels_nor_blocks_itself_while_it_starts(void **state)
{
    fixture *f = *state;
    kn_ability_def def = tagged(f, "Self", "X");
    def.cancel_with = def.block_with = tags_of(f, "X");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id self = grant(f, type), other = grant(f, type);
    activate(f, self);
    EXPECT_LOG(f, "Self activates. ");
    assert_int_equal(kn_ability_activate(f->world, other, NULL, NULL), KN_REFUSED_BLOCKED);
    EXPECT_LOG(f, "");
}

// ABI-104
static void an_ability_does_not_stand_in_its_own_way_when_it_starts_again(void **state)
{
    fixture *f = *state;
    kn_ability_def bolt_def = tagged(f, "Bolt", "X.Y"), dash_def = tagged(f, "Dash", "X");
    kn_effect_def silence_def = infinite("Silence");
    silence_def.blocked_ability_tags = tags_of(f, "X");
    bolt_def.instancing = KN_INSTANCING_PER_EXECUTION;
    bolt_def.block_with = dash_def.block_with = tags_of(f, "X");
    dash_def.retriggers = true;
    kn_ability_type_id bolt_type = ability_register(f, &bolt_def),
                       dash_type = ability_register(f, &dash_def);
    kn_effect_type_id silence = effect_register(f, &silence_def);
    begin(f);
    kn_ability_id bolt = grant(f, bolt_type), second = grant(f, bolt_type),
                  dash = grant(f, dash_type);
    kn_activation_id first = activate(f, bolt);
    activate(f, bolt);
    EXPECT_LOG(f, "Bolt activates. Bolt activates. ");
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    assert_int_equal(kn_ability_explain(f->world, bolt, NULL, NULL, 0), 0);
    assert_int_equal(kn_ability_check(f->world, second, NULL), KN_FAIL_BLOCKED); // another grant
    assert_int_equal(kn_ability_check(f->world, dash, NULL), KN_FAIL_BLOCKED);
    check_replay(f, KN_MS(10));
    // What others block counts, whatever it blocks itself.
    kn_effect_id silenced = afflict(f, silence);
    assert_int_equal(kn_ability_check(f->world, bolt, NULL), KN_FAIL_BLOCKED);
    char text[128];
    kn_ability_explain_print(f->world, bolt, NULL, text, sizeof(text));
    assert_string_equal(text, "Bolt: blocked by X.Y (effect Silence)");
    remove_effect(f, silenced);
    assert_int_equal(kn_activation_set_blocking(f->world, first, false), KN_OK);
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    assert_int_equal(kn_ability_cancel(f->world, bolt), KN_OK);
    EXPECT_LOG(f, "Bolt: cancelled. Bolt: cancelled. ");
    activate(f, dash);
    activate(f, dash); // retriggered: its own block is not in the way
    EXPECT_LOG(f, "Dash activates. Dash: retriggered. Dash activates. ");
    assert_int_equal(kn_ability_check(f->world, bolt, NULL), KN_FAIL_BLOCKED);
}

// Blocks --------------------------------------------------------------------

// TVA-009, TVA-010, ABI-099, ABI-101
static void blocks_of_two_abilities_must_both_end(void **state)
{
    fixture *f = *state;
    kn_ability_def c_def = ability_def(f, "C"), e_def = ability_def(f, "E"),
                   d_def = tagged(f, "D", "Y.Z");
    const kn_tag blocks[2] = {tag_of(f, "W"), tag_of(f, "Y")}; // any of them
    c_def.block_with = (kn_tags){blocks, 2};
    e_def.block_with = tags_of(f, "Y");
    kn_ability_type_id c = ability_register(f, &c_def), d = ability_register(f, &d_def),
                       e = ability_register(f, &e_def);
    begin(f);
    kn_ability_id blocker = grant(f, c), blocked = grant(f, d), other = grant(f, e);
    kn_activation_id first = activate(f, blocker), second = activate(f, other);
    assert_int_equal(kn_ability_check(f->world, blocked, NULL), KN_FAIL_BLOCKED);
    assert_int_equal(kn_ability_check(f->world, grant_to(f, f->foe, d), NULL), 0); // another's
    kn_refusal_line line;
    assert_int_equal(kn_ability_explain(f->world, blocked, NULL, &line, 1), 1);
    assert_true(kn_ability_id_equal(line.ability, blocker));
    char text[64];
    kn_ability_explain_print(f->world, blocked, NULL, text, sizeof(text));
    assert_string_equal(text, "D: blocked by Y.Z (ability C)");
    check_replay(f, KN_S(1));
    assert_int_equal(kn_activation_end(f->world, first), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, blocked, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_activation_end(f->world, second), KN_OK);
    activate(f, blocked);
    activate(f, blocker); // what runs is not stopped by a block
    assert_true(kn_ability_is_active(f->world, blocked));
}

// ABI-101
static void a_block_is_lifted_and_restored_while_its_ability_runs(void **state)
{
    fixture *f = *state;
    kn_ability_def c_def = ability_def(f, "C"), d_def = tagged(f, "D", "Y");
    c_def.block_with = tags_of(f, "Y");
    kn_ability_type_id c = ability_register(f, &c_def), d = ability_register(f, &d_def);
    begin(f);
    kn_ability_id blocker = grant(f, c), blocked = grant(f, d);
    kn_activation_id activation = activate(f, blocker);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_activation_set_blocking(f->world, activation, false), KN_OK);
    }
    assert_int_equal(kn_ability_status(f->world, blocked), 0);
    check_replay(f, KN_S(1));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_activation_set_blocking(f->world, activation, true), KN_OK);
    }
    assert_int_equal(kn_ability_status(f->world, blocked), KN_FAIL_BLOCKED);
    assert_int_equal(kn_activation_set_blocking(f->world, activation, false), KN_OK);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_int_equal(kn_ability_status(f->world, blocked), 0);
    assert_true(kn_world_validate(f->world));
}

// ABI-102
static void blocks_of_effects_and_abilities_are_one_count(void **state)
{
    fixture *f = *state;
    kn_ability_def c_def = ability_def(f, "C"), d_def = tagged(f, "D", "Y");
    c_def.block_with = tags_of(f, "Y");
    kn_ability_type_id c = ability_register(f, &c_def), d = ability_register(f, &d_def);
    kn_effect_def silence_def = infinite("Silence");
    silence_def.blocked_ability_tags = tags_of(f, "Y");
    kn_effect_type_id silence = effect_register(f, &silence_def);
    begin(f);
    kn_ability_id blocker = grant(f, c), blocked = grant(f, d);
    kn_effect_id effect = afflict(f, silence);
    assert_int_equal(kn_ability_check(f->world, blocked, NULL), KN_FAIL_BLOCKED);
    char text[64];
    kn_ability_explain_print(f->world, blocked, NULL, text, sizeof(text));
    assert_string_equal(text, "D: blocked by Y (effect Silence)");
    kn_activation_id activation = activate(f, blocker);
    check_replay(f, KN_S(1));
    remove_effect(f, effect);
    assert_int_equal(kn_ability_check(f->world, blocked, NULL), KN_FAIL_BLOCKED);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_int_equal(kn_ability_check(f->world, blocked, NULL), 0);
    // The other way round: the ability ends first, and the effect still blocks.
    activation = activate(f, blocker);
    effect = afflict(f, silence);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_int_equal(kn_ability_check(f->world, blocked, NULL), KN_FAIL_BLOCKED);
    remove_effect(f, effect);
    activate(f, blocked);
}

// ABI-103
static void tags_of_one_grant_count_like_those_of_the_ability(void **state)
{
    fixture *f = *state;
    kn_ability_def plain_def = ability_def(f, "Plain"), block_def = ability_def(f, "Block"),
                   stop_def = ability_def(f, "Stop");
    block_def.block_with = tags_of(f, "Extra");
    stop_def.cancel_with = tags_of(f, "Extra");
    kn_ability_type_id plain = ability_register(f, &plain_def),
                       block = ability_register(f, &block_def),
                       stop = ability_register(f, &stop_def);
    tag_of(f, "Extra.More");
    begin(f);
    kn_ability_id ability = grant(f, plain), without = grant(f, plain);
    assert_int_equal(kn_ability_add_tag(f->world, ability, tag_of(f, "Extra.More")), KN_OK);
    uint32_t count;
    assert_int_equal(
        kn_ability_activate_tags(f->world, f->hero, tags_of(f, "Extra"), &count), KN_OK);
    assert_int_equal(count, 1);
    activate(f, without);
    f->log[0] = 0;
    activate(f, grant(f, stop));
    EXPECT_LOG(f, "Plain: by tags. Stop activates. ");
    activate(f, grant(f, block));
    assert_int_equal(kn_ability_check(f->world, ability, NULL), KN_FAIL_BLOCKED);
    check_replay(f, KN_S(1));
    assert_int_equal(kn_ability_remove_tag(f->world, ability, tag_of(f, "Extra.More")), KN_OK);
    assert_int_equal(kn_ability_status(f->world, ability), 0);
}

// Source and target ---------------------------------------------------------

typedef struct container_case {
    bool is_target;
    bool is_blocked; // else required
} container_case;

// An ability that tests one of the four containers of an event's entities.
static kn_ability_type_id container_register(fixture *f, const container_case *c, const char *name)
{
    kn_ability_def def = ability_def(f, name);
    kn_tag_requirement *requirement = c->is_target ? &def.target : &def.source;
    if (c->is_blocked) {
        requirement->ignored = tags_of(f, "Mark");
    } else {
        requirement->required = tags_of(f, "Mark");
    }
    return ability_register(f, &def);
}

// TVA-009, ABI-099, ABI-100
static void source_and_target_tags_count_for_events_only(void **state)
{
    fixture *f = *state;
    const container_case cases[4] = {{false, false}, {false, true}, {true, false}, {true, true}};
    const char *const names[4] = {"SourceHas", "SourceHasNot", "TargetHas", "TargetHasNot"};
    kn_ability_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        types[i] = container_register(f, &cases[i], names[i]);
    }
    begin(f);
    kn_entity_id witness; // neither the owner nor who did it
    assert_int_equal(kn_entity_create(f->world, &witness), KN_OK);
    kn_event_record event = kn_event_record_default();
    event.instigator = f->foe;
    event.target = witness;
    for (uint32_t i = 0; i < 4; i++) {
        bool is_blocked = cases[i].is_blocked;
        kn_entity_id asked = cases[i].is_target ? witness : f->foe;
        kn_entity_id other = cases[i].is_target ? f->foe : witness;
        kn_ability_id ability = grant(f, types[i]);
        // What would refuse it, and the opposite on the one who is not asked.
        add_tag(f, is_blocked ? asked : other, tag_of(f, "Mark"));
        assert_int_equal(kn_ability_check(f->world, ability, NULL), 0); // not asked
        assert_int_equal(kn_activation_end(f->world, activate(f, ability)), KN_OK);
        assert_int_equal(kn_ability_check(f->world, ability, &event),
            is_blocked ? KN_FAIL_BLOCKED : KN_FAIL_MISSING_TAGS);
        assert_int_equal(kn_ability_activate(f->world, ability, &event, NULL),
            is_blocked ? KN_REFUSED_BLOCKED : KN_REFUSED_REQUIREMENT);
        remove_tag(f, is_blocked ? asked : other, tag_of(f, "Mark"));
        add_tag(f, is_blocked ? other : asked, tag_of(f, "Mark"));
        assert_int_equal(kn_ability_activate(f->world, ability, &event, NULL), KN_OK);
        remove_tag(f, is_blocked ? other : asked, tag_of(f, "Mark"));
    }
}

// ABI-098, ABI-100
static void tags_in_the_event_stand_for_those_of_its_entities(void **state)
{
    fixture *f = *state;
    const container_case source = {false, false}, target = {true, true};
    kn_ability_type_id has = container_register(f, &source, "SourceHas");
    kn_ability_type_id has_not = container_register(f, &target, "TargetHasNot");
    tag_of(f, "Mark.Red");
    begin(f);
    add_tag(f, f->foe, tag_of(f, "Mark"));
    kn_ability_id a = grant(f, has), b = grant(f, has_not);
    kn_event_record event = kn_event_record_default();
    event.instigator = event.target = f->foe;
    assert_int_equal(kn_ability_check(f->world, a, &event), 0);
    assert_int_equal(kn_ability_check(f->world, b, &event), KN_FAIL_BLOCKED);
    event.has_instigator_tags = event.has_target_tags = true; // empty
    assert_int_equal(kn_ability_check(f->world, a, &event), KN_FAIL_MISSING_TAGS);
    assert_int_equal(kn_ability_check(f->world, b, &event), 0);
    event.instigator_tags = event.target_tags = tags_of(f, "Mark.Red");
    assert_int_equal(kn_ability_check(f->world, a, &event), 0);
    assert_int_equal(kn_ability_check(f->world, b, &event), KN_FAIL_BLOCKED);
    event = kn_event_record_default(); // nobody has no tags
    assert_int_equal(kn_ability_check(f->world, a, &event), KN_FAIL_MISSING_TAGS);
    assert_int_equal(kn_ability_check(f->world, b, &event), 0);
}

// ABI-105
static void a_query_decides_and_an_empty_one_does_not(void **state)
{
    fixture *f = *state;
    kn_tag_query query = {0}, empty = {0};
    kn_tag_query_begin(&query, KN_QUERY_ANY_TAGS);
    kn_tag_query_tag(&query, tag_of(f, "Sword"));
    kn_tag_query_tag(&query, tag_of(f, "Axe"));
    kn_tag_query_end(&query);
    kn_ability_def either_def = ability_def(f, "Either"), empty_def = ability_def(f, "Empty"),
                   source_def = ability_def(f, "Source");
    either_def.activation.query = &query;
    either_def.activation.required = tags_of(f, "Ready"); // in addition
    either_def.activation.ignored = tags_of(f, "Tired");
    empty_def.activation.query = &empty;
    source_def.source.query = &query;
    kn_ability_type_id either = ability_register(f, &either_def),
                       none = ability_register(f, &empty_def),
                       source = ability_register(f, &source_def);
    assert_false(kn_tag_query_matches(f->library, &empty, (kn_tags){NULL, 0}));
    begin(f);
    kn_ability_id a = grant(f, either), b = grant(f, source);
    add_tag(f, f->hero, tag_of(f, "Sword"));
    assert_int_equal(kn_ability_check(f->world, a, NULL), KN_FAIL_MISSING_TAGS);
    add_tag(f, f->hero, tag_of(f, "Ready"));
    add_tag(f, f->hero, tag_of(f, "Tired"));
    assert_int_equal(kn_ability_check(f->world, a, NULL), KN_FAIL_BLOCKED);
    remove_tag(f, f->hero, tag_of(f, "Tired"));
    assert_int_equal(kn_ability_check(f->world, a, NULL), 0);
    remove_tag(f, f->hero, tag_of(f, "Sword"));
    assert_int_equal(kn_ability_check(f->world, a, NULL), KN_FAIL_MISSING_TAGS);
    char text[64];
    kn_ability_explain_print(f->world, a, NULL, text, sizeof(text));
    assert_string_equal(text, "Either: needs other tags");
    add_tag(f, f->hero, tag_of(f, "Axe"));
    assert_int_equal(kn_ability_status(f->world, a), 0);
    assert_int_equal(kn_ability_check(f->world, grant(f, none), NULL), 0);
    kn_event_record event = kn_event_record_default();
    event.instigator = f->foe;
    assert_int_equal(kn_ability_check(f->world, b, &event), KN_FAIL_MISSING_TAGS);
    event.instigator = f->hero;
    assert_int_equal(kn_ability_check(f->world, b, &event), 0);
}

// Stun ----------------------------------------------------------------------

static kn_result stun_begins(const kn_ability_call *call)
{
    note(call->user, "stunned. ");
    return KN_OK;
}

// TVA-068, ABI-052
static void a_stun_cancels_blocks_and_leaves_everything_as_it_was(void **state)
{
    fixture *f = *state;
    kn_trigger_def on_stun = {.tag = tag_of(f, "Stunned"), .source = KN_TRIGGER_SOURCE_TAG_PRESENT};
    kn_ability_def stun_def = ability_def(f, "StunState"), run_def = tagged(f, "Run", "Action");
    stun_def.activate = stun_begins;
    stun_def.triggers = &on_stun;
    stun_def.trigger_count = 1;
    stun_def.cancel_with = tags_of(f, "Action");
    stun_def.block_with = tags_of(f, "Action");
    kn_ability_type_id stun = ability_register(f, &stun_def);
    run_def.activation.ignored = tags_of(f, "Stunned");
    kn_ability_type_id run = ability_register(f, &run_def);
    kn_modifier_def stop = kn_modifier_def_default();
    stop.attribute = f->haste;
    stop.op = KN_OP_OVERRIDE;
    kn_effect_def effect_def = kn_effect_def_default();
    effect_def.name = "Stun";
    effect_def.duration_kind = KN_DURATION_TIMED;
    effect_def.duration.scale = kn_constant(2.0f);
    effect_def.granted_tags = tags_of(f, "Stunned");
    effect_def.modifiers = &stop;
    effect_def.modifier_count = 1;
    kn_effect_type_id stunning = effect_register(f, &effect_def);
    begin(f);
    grant(f, stun);
    kn_ability_id running = grant(f, run);
    activate(f, running);
    afflict(f, stunning);
    EXPECT_LOG(f, "Run activates. Run: by tags. stunned. ");
    assert_true(value_of(f, f->haste) == 0.0f);
    assert_int_equal(kn_ability_activate(f->world, running, NULL, NULL), KN_REFUSED_BLOCKED);
    check_replay(f, KN_S(1));
    check_replay(f, KN_S(3));
    step(f, KN_S(2));
    EXPECT_LOG(f, "StunState: tag lost. ");
    assert_true(value_of(f, f->haste) == 1.0f);
    activate(f, running);
}

// BEY-024
static void an_effect_cancels_abilities_by_tags_when_applied_or_at_each_tick(void **state)
{
    fixture *f = *state;
    kn_tag spell = tag_of(f, "Kind.Spell"), holy = tag_of(f, "Kind.Spell.Holy");
    kn_cancel_def cancel = {.with = {&spell, 1}, .without = {&holy, 1}};
    kn_effect_def silence = instant("Silence");
    silence.cancels = &cancel;
    silence.cancel_count = 1;
    kn_effect_type_id silence_type = effect_register(f, &silence);
    kn_effect_def curse = silence;
    curse.name = "Curse";
    curse.duration_kind = KN_DURATION_INFINITE;
    curse.is_periodic = true;
    curse.skip_first_tick = true;
    curse.period = kn_magnitude_constant(1.0f);
    cancel.on_tick = true;
    kn_effect_type_id curse_type = effect_register(f, &curse);
    kn_ability_def bolt_def = ability_def(f, "Bolt"), bless_def = ability_def(f, "Bless");
    bolt_def.tags = (kn_tags){&spell, 1};
    bless_def.tags = (kn_tags){&holy, 1};
    kn_ability_type_id bolt_type = ability_register(f, &bolt_def);
    kn_ability_type_id bless_type = ability_register(f, &bless_def);
    // Entries that name no tag, or ticks that never come, are refused.
    kn_error error;
    kn_effect_type_id none;
    kn_cancel_def bad = {.on_tick = false};
    silence.name = "Empty";
    silence.cancels = &bad;
    assert_int_equal(kn_effect_register(f->library, &silence, &none, &error), KN_ERROR_BAD_DATA);
    silence.name = "NoTicks";
    silence.cancels = &cancel;
    assert_int_equal(kn_effect_register(f->library, &silence, &none, &error), KN_ERROR_BAD_DATA);
    begin(f);
    kn_ability_id bolt = grant(f, bolt_type), bless = grant(f, bless_type);
    kn_ability_grant_def theirs = kn_ability_grant_def_default();
    theirs.type = bolt_type;
    kn_ability_id their_bolt;
    assert_int_equal(kn_ability_grant(f->world, f->foe, &theirs, &their_bolt), KN_OK);
    activate(f, their_bolt);
    activate(f, bolt);
    activate(f, bless);
    assert_int_equal(
        kn_effect_apply_simple(f->world, silence_type, f->foe, f->hero, 1.0f, NULL), KN_OK);
    assert_false(kn_ability_is_active(f->world, bolt));
    assert_true(kn_ability_is_active(f->world, bless));
    activate(f, bolt);
    assert_int_equal(
        kn_effect_apply_simple(f->world, curse_type, f->foe, f->hero, 1.0f, NULL), KN_OK);
    assert_true(kn_ability_is_active(f->world, bolt));
    step(f, KN_S(1));
    assert_false(kn_ability_is_active(f->world, bolt));
    activate(f, bolt);
    step(f, KN_S(1));
    assert_false(kn_ability_is_active(f->world, bolt));
    assert_true(kn_ability_is_active(f->world, bless));
    assert_true(kn_ability_is_active(f->world, their_bolt)); // the target's alone
}

static const struct CMUnitTest tests[] = {
    TEST(an_effect_cancels_abilities_by_tags_when_applied_or_at_each_tick),
    TEST(required_and_blocked_tags_of_the_owner_decide),
    TEST(owned_tags_are_there_while_any_activation_runs),
    TEST(a_running_ability_keeps_the_count_it_owns),
    TEST(owned_tags_are_counted_beyond_what_calls_may_add),
    TEST(an_ability_cancels_others_by_tag_before_its_body_runs),
    TEST(an_ability_neither_cancels_nor_blocks_itself_while_it_starts),
    TEST(an_ability_does_not_stand_in_its_own_way_when_it_starts_again),
    TEST(blocks_of_two_abilities_must_both_end),
    TEST(a_block_is_lifted_and_restored_while_its_ability_runs),
    TEST(blocks_of_effects_and_abilities_are_one_count),
    TEST(tags_of_one_grant_count_like_those_of_the_ability),
    TEST(source_and_target_tags_count_for_events_only),
    TEST(tags_in_the_event_stand_for_those_of_its_entities),
    TEST(a_query_decides_and_an_empty_one_does_not),
    TEST(a_stun_cancels_blocks_and_leaves_everything_as_it_was),
};

TEST_GROUP(ability_tags, tests, NULL, NULL);
