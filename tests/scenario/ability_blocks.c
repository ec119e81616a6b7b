// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Blocks on ability tags by others than abilities and effects: each has a source and a key, and
// none is lifted for another.

#include "scenario/ability_replay.h"

typedef struct court {
    kn_tag spell, bolt, melee;
    kn_ability_id cast, slash, channel; // Spell.Bolt; Melee; one that blocks Spell while it runs
    kn_effect_type_id silence;          // blocks Spell
    kn_entity_id monk;
} court;

static court court_begin(fixture *f)
{
    court c = {.bolt = tag_of(f, "Ability.Spell.Bolt"), .melee = tag_of(f, "Ability.Melee")};
    c.spell = tag_of(f, "Ability.Spell");
    kn_ability_def cast = ability_def(f, "Cast"), slash = ability_def(f, "Slash");
    kn_ability_def channel = ability_def(f, "Channel");
    cast.tags = one(&c.bolt);
    slash.tags = one(&c.melee);
    channel.block_with = one(&c.spell);
    kn_effect_def silence = infinite("Silence");
    silence.blocked_ability_tags = one(&c.spell);
    kn_ability_type_id types[3] = {
        ability_register(f, &cast), ability_register(f, &slash), ability_register(f, &channel)};
    c.silence = effect_register(f, &silence);
    begin(f);
    c.cast = grant(f, types[0]);
    c.slash = grant(f, types[1]);
    c.channel = grant(f, types[2]);
    c.monk = entity_create(f);
    return c;
}

static void block(fixture *f, kn_tag tag, kn_entity_id source, uint64_t key)
{
    assert_int_equal(kn_abilities_block(f->world, f->hero, one(&tag), source, key), KN_OK);
    assert_true(kn_world_validate(f->world));
}

static void unblock(fixture *f, kn_tag tag, kn_entity_id source, uint64_t key)
{
    assert_int_equal(kn_abilities_unblock(f->world, f->hero, one(&tag), source, key), KN_OK);
    assert_true(kn_world_validate(f->world));
}

static bool is_blocked(fixture *f, kn_ability_id ability)
{
    uint32_t reasons = kn_ability_check(f->world, ability, NULL);
    assert_int_equal(kn_ability_status(f->world, ability), reasons);
    return (reasons & KN_FAIL_BLOCKED) != 0;
}

static void a_block_is_lifted_by_its_source_and_key_alone(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    const kn_entity_id nobody = {0};
    block(f, c.spell, f->foe, 0);
    block(f, c.spell, f->foe, 7);
    block(f, c.spell, c.monk, 7);
    block(f, c.spell, nobody, 7);
    assert_true(is_blocked(f, c.cast)); // its tag is below the blocked one
    assert_false(is_blocked(f, c.slash));
    assert_true(kn_entity_ability_tag_blocked(f->world, f->hero, c.bolt));
    assert_int_equal(kn_ability_activate(f->world, c.cast, NULL, NULL), KN_REFUSED_BLOCKED);
    check_replay(f, KN_S(1));

    unblock(f, c.spell, c.monk, 7);
    assert_int_equal(
        kn_abilities_unblock(f->world, f->hero, one(&c.spell), c.monk, 7), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_abilities_unblock(f->world, f->hero, one(&c.bolt), f->foe, 7),
        KN_REFUSED_NOT_FOUND); // exactly the tag that is blocked
    assert_true(is_blocked(f, c.cast));
    unblock(f, c.spell, nobody, 7);
    unblock(f, c.spell, f->foe, 0);
    assert_true(is_blocked(f, c.cast));
    unblock(f, c.spell, f->foe, 7);
    assert_false(is_blocked(f, c.cast));
    activate(f, c.cast);
    check_replay(f, KN_S(1));
}

static void blocking_twice_blocks_once(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    const kn_tag both[3] = {c.spell, c.melee, c.spell};
    assert_int_equal(kn_abilities_block(f->world, f->hero, (kn_tags){both, 3}, f->foe, 1), KN_OK);
    assert_int_equal(kn_abilities_block(f->world, f->hero, (kn_tags){both, 2}, f->foe, 1), KN_OK);
    assert_int_equal(kn_entity_blocked_tags(f->world, f->hero, NULL, 0), 2);
    block(f, c.melee, c.monk, 1);
    // Without tags all that this source blocks with this key, and nothing else.
    assert_int_equal(kn_abilities_unblock(f->world, f->hero, (kn_tags){NULL, 0}, f->foe, 1), KN_OK);
    assert_false(is_blocked(f, c.cast));
    assert_true(is_blocked(f, c.slash));
    assert_int_equal(kn_abilities_unblock(f->world, f->hero, (kn_tags){NULL, 0}, f->foe, 1),
        KN_REFUSED_NOT_FOUND);
}

static void blocks_of_abilities_effects_and_others_are_independent(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    block(f, c.spell, f->foe, 3);
    kn_activation_id running = activate(f, c.channel);
    kn_effect_id silence = afflict(f, c.silence);
    check_replay(f, KN_S(1));
    assert_int_equal(kn_entity_blocked_tags(f->world, f->hero, NULL, 0), 3);
    kn_blocked_tag listed[3];
    assert_int_equal(kn_entity_blocked_tags(f->world, f->hero, listed, 3), 3);
    assert_true(kn_ability_id_equal(listed[0].ability, c.channel));
    assert_true(kn_effect_id_equal(listed[1].effect, silence));
    assert_true(listed[0].source.index1 == 0 && listed[1].source.index1 == 0);
    assert_int_equal(listed[2].tag.index1, c.spell.index1);
    assert_true(kn_entity_id_equal(listed[2].source, f->foe));
    assert_int_equal(listed[2].key, 3);
    assert_true(listed[2].ability.index1 == 0 && listed[2].effect.index1 == 0);

    unblock(f, c.spell, f->foe, 3);
    assert_true(is_blocked(f, c.cast));
    assert_int_equal(kn_activation_end(f->world, running), KN_OK);
    assert_true(is_blocked(f, c.cast));
    block(f, c.spell, f->foe, 3);
    remove_effect(f, silence);
    assert_true(is_blocked(f, c.cast));
    unblock(f, c.spell, f->foe, 3);
    assert_false(is_blocked(f, c.cast));
}

static void a_block_ends_with_its_source(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    block(f, c.spell, c.monk, 1);
    block(f, c.spell, c.monk, 2);
    block(f, c.melee, c.monk, 1);
    block(f, c.melee, f->foe, 1);
    assert_int_equal(kn_abilities_block(f->world, f->foe, one(&c.spell), c.monk, 1), KN_OK);
    assert_int_equal(kn_abilities_block(f->world, c.monk, one(&c.spell), f->foe, 1), KN_OK);
    check_replay(f, KN_S(1));
    assert_true(kn_entity_destroy(f->world, c.monk));
    assert_true(kn_world_validate(f->world));
    assert_false(is_blocked(f, c.cast));
    assert_true(is_blocked(f, c.slash)); // by the foe
    assert_int_equal(kn_entity_blocked_tags(f->world, f->foe, NULL, 0), 0);
    assert_int_equal(
        kn_abilities_unblock(f->world, f->hero, one(&c.spell), c.monk, 1), KN_REFUSED_STALE_ID);

    // The slot of the source is used again: its blocks do not come back.
    kn_entity_id other = entity_create(f);
    assert_int_equal(other.index1, c.monk.index1);
    assert_false(is_blocked(f, c.cast));
    block(f, c.spell, other, 1);
    check_replay(f, KN_S(1));
    assert_true(kn_entity_destroy(f->world, f->hero)); // with all blocks on it
    assert_true(kn_world_validate(f->world));
    assert_true(kn_entity_destroy(f->world, other));
    assert_true(kn_world_validate(f->world));
}

static void an_avatar_stands_for_its_owner_but_a_block_ends_with_the_avatar(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    kn_entity_id body = entity_create(f), mask = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, body), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, f->foe, mask), KN_OK);
    assert_int_equal(kn_abilities_block(f->world, body, one(&c.spell), mask, 5), KN_OK);
    assert_true(is_blocked(f, c.cast));
    check_replay(f, KN_S(1));
    assert_true(kn_entity_destroy(f->world, body)); // it is on the hero
    assert_true(is_blocked(f, c.cast));
    assert_int_equal(kn_entity_set_avatar(f->world, f->foe, (kn_entity_id){0}), KN_OK);
    assert_true(is_blocked(f, c.cast));
    assert_true(kn_entity_destroy(f->world, mask));
    assert_false(is_blocked(f, c.cast));
    assert_true(kn_world_validate(f->world));
}

static void refusals_name_who_blocks(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    block(f, c.spell, f->foe, 0);
    block(f, c.bolt, c.monk, 9);
    block(f, c.melee, (kn_entity_id){0}, 4);
    kn_refusal_line lines[4];
    assert_int_equal(kn_ability_explain(f->world, c.cast, NULL, lines, 4), 2);
    assert_int_equal(lines[0].reason, KN_FAIL_BLOCKED);
    assert_int_equal(lines[0].tag.index1, c.bolt.index1);
    assert_true(kn_entity_id_equal(lines[0].source, f->foe));
    assert_int_equal(lines[0].key, 0);
    assert_true(lines[0].ability.index1 == 0 && lines[0].effect.index1 == 0);
    assert_true(kn_entity_id_equal(lines[1].source, c.monk));
    assert_int_equal(lines[1].key, 9);
    char text[512];
    (void)kn_ability_explain_print(f->world, c.cast, NULL, text, sizeof text);
    assert_string_equal(text, "Cast: blocked by Ability.Spell.Bolt (entity 2); blocked by "
                              "Ability.Spell.Bolt (entity 3 key 9)");
    (void)kn_ability_explain_print(f->world, c.slash, NULL, text, sizeof text);
    assert_string_equal(text, "Slash: blocked by Ability.Melee (key 4)");
    (void)kn_entity_ability_tags_print(f->world, f->hero, text, sizeof text);
    assert_non_null(strstr(text, "  Ability.Spell  1  (entity 2)\n"));
    assert_non_null(strstr(text, "  Ability.Spell.Bolt  1  (entity 3 key 9)\n"));
    assert_non_null(strstr(text, "  Ability.Melee  1  (key 4)\n"));
    static char json[65536];
    (void)kn_entity_dump_json(f->world, f->hero, json, sizeof json);
    assert_non_null(strstr(json, "\"key\":\"9\""));

    // With a running ability both are named.
    activate(f, c.channel);
    assert_int_equal(kn_ability_explain(f->world, c.cast, NULL, lines, 4), 3);
    assert_true(kn_ability_id_equal(lines[0].ability, c.channel));
    assert_true(kn_entity_id_equal(lines[1].source, f->foe));
}

typedef struct heard {
    uint32_t count, reasons;
    kn_ability_id ability;
} heard;

static void status_hear(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    heard *h = user;
    h->count++;
    h->reasons = event->data.ability.reasons;
    h->ability = event->data.ability.ability;
}

static void a_changed_block_is_published_as_a_changed_status(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    heard h = {0};
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_ABILITY_STATUS;
    listener.function = status_hear;
    listener.user = &h;
    kn_listener_id id;
    assert_int_equal(kn_listener_add(f->world, &listener, &id), KN_OK);
    (void)is_blocked(f, c.cast);
    (void)is_blocked(f, c.slash);
    step(f, KN_MS(1));
    h.count = 0;
    block(f, c.spell, f->foe, 1);
    step(f, KN_MS(1));
    assert_int_equal(h.count, 1);
    assert_true(kn_ability_id_equal(h.ability, c.cast));
    assert_int_equal(h.reasons, KN_FAIL_BLOCKED);
    unblock(f, c.spell, f->foe, 1);
    step(f, KN_MS(1));
    assert_int_equal(h.count, 2);
    assert_int_equal(h.reasons, 0);
}

static void bad_blocks_are_refused_and_change_nothing(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    kn_entity_id gone = entity_create(f);
    assert_true(kn_entity_destroy(f->world, gone));
    uint64_t before = kn_world_hash(f->world);
    const kn_tags spell = one(&c.spell), none = {NULL, 0};
    const kn_tag mixed[2] = {c.spell, {9999}};
    kn_world *world = f->world;
    assert_int_equal(kn_abilities_block(world, gone, spell, f->foe, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_abilities_block(world, f->hero, spell, gone, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(
        kn_abilities_block(world, f->hero, none, f->foe, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_abilities_block(world, f->hero, (kn_tags){mixed, 2}, f->foe, 1),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_abilities_unblock(world, gone, spell, f->foe, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_abilities_unblock(world, f->hero, spell, gone, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_abilities_unblock(world, f->hero, (kn_tags){mixed, 2}, f->foe, 1),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_abilities_unblock(world, c.monk, spell, f->foe, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_world_hash(f->world), before);
}

static void a_difference_between_worlds_names_the_block(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    block(f, c.spell, f->foe, 1);
    kn_world *copy = world_loaded(f, kn_world_def_default());
    assert_same_worlds(f->world, copy);
    // The same tag is blocked, but by another key.
    unblock(f, c.spell, f->foe, 1);
    block(f, c.spell, f->foe, 2);
    assert_int_not_equal(kn_world_hash(f->world), kn_world_hash(copy));
    char text[256];
    assert_true(kn_world_difference(f->world, copy, text, sizeof text));
    assert_non_null(strstr(text, "block"));
    kn_world_destroy(copy);
}

// A second world gets the hero by projection: with everyone, then without those who block.
static void blocks_are_records_and_part_of_projections(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    kn_world *other = world_loaded(f, kn_world_def_default());
    block(f, c.spell, f->foe, 5);
    block(f, c.melee, c.monk, 6);
    kn_state_ref ref = {0};
    uint32_t seen = 0;
    while (kn_state_next(f->world, f->hero, &ref)) {
        kn_state_view view;
        assert_true(kn_state_get(f->world, ref, &view));
        if (ref.kind == KN_STATE_BLOCK) {
            assert_true(kn_entity_id_equal(view.entity, f->hero));
            assert_int_equal(view.type_kind, KN_DEF_TAG);
            assert_int_equal(view.type, seen == 0 ? c.spell.index1 : c.melee.index1);
            char text[256];
            (void)kn_state_print(f->world, ref, text, sizeof text);
            assert_non_null(strstr(text, seen == 0 ? "key 5" : "key 6"));
            seen++;
        }
    }
    assert_int_equal(seen, 2);

    const kn_entity_id all[] = {f->hero, f->foe, c.monk};
    static uint8_t bytes[65536];
    size_t size;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t count = i == 0 ? 3 : 1;
        if (i == 1) {
            assert_true(kn_entity_destroy(other, c.monk));
            kn_blocked_tag left[2];
            assert_int_equal(kn_entity_blocked_tags(other, f->hero, left, 2), 1);
        }
        assert_int_equal(
            kn_projection_take(f->world, all, count, NULL, bytes, sizeof bytes, &size), KN_OK);
        kn_error error = {0};
        if (kn_projection_write(other, bytes, size, &error) != KN_OK) {
            fail_msg("%s", error.message);
        }
        assert_true(kn_world_validate(other));
        kn_blocked_tag found[3];
        assert_int_equal(kn_entity_blocked_tags(other, f->hero, found, 3), 2);
        kn_blocked_tag of_spell = found[found[0].tag.index1 == c.spell.index1 ? 0 : 1];
        kn_blocked_tag of_melee = found[found[0].tag.index1 == c.spell.index1 ? 1 : 0];
        assert_true(kn_entity_id_equal(of_spell.source, f->foe) && of_spell.key == 5);
        assert_int_equal(of_melee.key, 6);
        assert_int_equal(of_melee.source.index1, i == 0 ? c.monk.index1 : 0); // not there
        assert_int_equal(kn_ability_check(other, c.cast, NULL), KN_FAIL_BLOCKED);
    }
    // Lifted here, it is lifted there with the next one; without abilities it stays.
    unblock(f, c.spell, f->foe, 5);
    kn_projection_filter filter = kn_projection_filter_default();
    for (uint32_t i = 0; i < 2; i++) {
        filter.parts = i == 0 ? KN_PARTS_ALL & ~(1u << KN_PART_ABILITIES) : KN_PARTS_ALL;
        assert_int_equal(
            kn_projection_take(f->world, all, 1, &filter, bytes, sizeof bytes, &size), KN_OK);
        assert_int_equal(kn_projection_write(other, bytes, size, NULL), KN_OK);
        assert_int_equal(kn_entity_blocked_tags(other, f->hero, NULL, 0), i == 0 ? 2 : 1);
    }
    kn_world_destroy(other);
}

// Whoever follows an entity hears of blocks on it.
static void blocks_are_noted_as_changes_of_abilities(void **state)
{
    fixture *f = *state;
    court c = court_begin(f);
    assert_int_equal(kn_changes_follow(f->world, true), KN_OK);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t version = kn_changes_version(f->world);
        assert_int_equal(kn_changes_since(f->world, f->hero, version).changed, 0);
        switch (i) {
        case 0:
            block(f, c.spell, c.monk, 1);
            break;
        case 1:
            unblock(f, c.spell, c.monk, 1);
            break;
        case 2:
            block(f, c.melee, c.monk, 2);
            break;
        default:
            assert_true(kn_entity_destroy(f->world, c.monk));
            break;
        }
        assert_int_equal(
            kn_changes_since(f->world, f->hero, version).changed, 1u << KN_PART_ABILITIES);
        assert_int_equal(kn_changes_since(f->world, f->foe, version).changed, 0);
    }
}

// Random blocks, ends of entities, snapshots and saves; a table of what must be blocked.
static void random_blocks_agree_with_a_model(void **state)
{
    enum { SOURCES = 5, KEYS = 3, TAGS = 3, ROUNDS = 600 };
    fixture *f = *state;
    court c = court_begin(f);
    const kn_tag tags[TAGS] = {c.spell, c.bolt, c.melee};
    kn_entity_id sources[SOURCES] = {{0}, f->foe, c.monk, entity_create(f), entity_create(f)};
    bool model[SOURCES][KEYS][TAGS] = {{{false}}};
    uint64_t seed = 42;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t roll = (uint32_t)(seed >> 33);
        uint32_t s = roll % SOURCES, k = roll / 8 % KEYS, t = roll / 64 % TAGS;
        if (roll % 97 == 0 && s > 0) {
            assert_true(kn_entity_destroy(f->world, sources[s]));
            sources[s] = entity_create(f);
            memset(model[s], 0, sizeof model[s]);
        } else if (roll / 512 % 2 == 0) {
            block(f, tags[t], sources[s], k);
            model[s][k][t] = true;
        } else {
            kn_result expected = model[s][k][t] ? KN_OK : KN_REFUSED_NOT_FOUND;
            assert_int_equal(
                kn_abilities_unblock(f->world, f->hero, one(&tags[t]), sources[s], k), expected);
            model[s][k][t] = false;
        }
        bool blocked[TAGS] = {false};
        uint32_t count = 0;
        for (uint32_t i = 0; i < SOURCES * KEYS * TAGS; i++) {
            bool is_there = model[i / (KEYS * TAGS)][i / TAGS % KEYS][i % TAGS];
            blocked[i % TAGS] |= is_there;
            count += is_there;
        }
        assert_int_equal(kn_entity_blocked_tags(f->world, f->hero, NULL, 0), count);
        assert_int_equal(is_blocked(f, c.cast), blocked[0] || blocked[1]);
        assert_int_equal(is_blocked(f, c.slash), blocked[2]);
        if (round % 50 == 0) {
            check_replay(f, KN_MS(1));
        }
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_block_is_lifted_by_its_source_and_key_alone),
    TEST(blocking_twice_blocks_once),
    TEST(blocks_of_abilities_effects_and_others_are_independent),
    TEST(a_block_ends_with_its_source),
    TEST(an_avatar_stands_for_its_owner_but_a_block_ends_with_the_avatar),
    TEST(refusals_name_who_blocks),
    TEST(a_changed_block_is_published_as_a_changed_status),
    TEST(bad_blocks_are_refused_and_change_nothing),
    TEST(a_difference_between_worlds_names_the_block),
    TEST(blocks_are_records_and_part_of_projections),
    TEST(blocks_are_noted_as_changes_of_abilities),
    TEST(random_blocks_agree_with_a_model),
};

TEST_GROUP(ability_blocks, tests, NULL, NULL);
