// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of teams and vision share: a library with team rules, scouts that see as far as an
// attribute says, and what players see in words.
#ifndef KNACK_RTS_TEAM_TEST_H
#define KNACK_RTS_TEAM_TEST_H

#include "rts/rts_test.h"

#include "knack/rts_team.h"

#define ROUND 250 // ms in which everything looks once

typedef struct team_fixture {
    fixture f;
    kn_rts_team_rules_def rules; // change before teams_begin()
    kn_attribute_id sight, detection;
    kn_rts_unit_type_id scout, blind; // the second has no attributes
    kn_tag stealthed, invisible, detector, building;
    kn_entity_id third; // a player besides `us` and `them`
} team_fixture;

static inline void teams_open(team_fixture *t)
{
    *t = (team_fixture){0};
    fixture_open(&t->f);
    const kn_attribute_set_id set = set_add(&t->f, "Unit", "Sight Detection");
    t->sight = attribute_named(&t->f, "Unit.Sight");
    t->detection = attribute_named(&t->f, "Unit.Detection");
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Scout";
    def.sets = &set;
    def.set_count = 1;
    t->scout = unit_type_add(&t->f, &def);
    def = kn_rts_unit_def_default();
    def.name = "Blind";
    t->blind = unit_type_add(&t->f, &def);
    t->rules = kn_rts_team_rules_def_default();
    t->rules.name = "Teams";
    t->rules.sight = t->sight;
}

static inline void teams_begin(team_fixture *t)
{
    kn_error error = {0};
    if (kn_rts_team_rules_register(t->f.library, &t->rules, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    world_begin(&t->f);
    t->stealthed = kn_rts_tag(t->f.library, KN_RTS_STEALTHED);
    t->invisible = kn_rts_tag(t->f.library, KN_RTS_INVISIBLE);
    t->detector = kn_rts_tag(t->f.library, KN_RTS_DETECTOR);
    t->building = kn_rts_tag(t->f.library, KN_RTS_BUILDING);
    assert_int_equal(kn_entity_create(t->f.world, &t->third), KN_OK);
    assert_int_equal(kn_rts_player_add(t->f.world, t->f.us), KN_OK);
    assert_int_equal(kn_rts_player_add(t->f.world, t->f.them), KN_OK);
    assert_int_equal(kn_rts_player_add(t->f.world, t->third), KN_OK);
}

static inline int teams_setup(void **state)
{
    team_fixture *t = malloc(sizeof(*t));
    assert_non_null(t);
    teams_open(t);
    *state = t;
    return 0;
}

static inline int teams_teardown(void **state)
{
    team_fixture *t = *state;
    fixture_close(&t->f);
    free(t);
    return 0;
}

#define TEAM_TEST(name) cmocka_unit_test_setup_teardown(name, teams_setup, teams_teardown)

static inline void sight_set(team_fixture *t, kn_entity_id unit, float sight)
{
    assert_int_equal(kn_attribute_set_base(t->f.world, unit, t->sight, 0, sight), KN_OK);
}

// A unit that sees so far; 0: it sees nothing.
static inline kn_entity_id scout_at(
    team_fixture *t, kn_entity_id owner, float x, float y, float sight)
{
    const kn_entity_id unit = unit_create(&t->f, t->scout, owner);
    place(&t->f, unit, x, y);
    sight_set(t, unit, sight);
    return unit;
}

// Long enough for everything to be seen, or to be lost.
static inline void rounds(team_fixture *t, uint32_t count)
{
    for (uint32_t i = 0; i < count * 25; i++) {
        step_ms(&t->f, ROUND / 25);
    }
}

// Who sees a unit: "us them third".
static inline const char *viewers_of(const team_fixture *t, kn_entity_id unit)
{
    static char text[64];
    const kn_entity_id players[] = {t->f.us, t->f.them, t->third};
    static const char *const names[] = {"us", "them", "third"};
    kn_entity_id found[KN_RTS_PLAYERS_MAX];
    const uint32_t count = kn_rts_viewers(t->f.world, unit, found, KN_RTS_PLAYERS_MAX);
    uint32_t listed = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const bool is_seen = kn_rts_is_visible(t->f.world, players[i], unit);
        bool is_listed = false;
        for (uint32_t j = 0; j < count; j++) {
            is_listed = is_listed || kn_entity_id_equal(found[j], players[i]);
        }
        assert_int_equal(is_seen, is_listed);
        if (is_seen) {
            (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
                text[0] != 0 ? " " : "", names[i]);
            listed++;
        }
    }
    assert_int_equal(listed, count);
    return text;
}

// The custom events of teams and vision in the last step, such as "sighted 5 by 2".
static inline const char *team_events(const team_fixture *t)
{
    static char text[1024];
    static const char *const words[] = {"enemy", "indifferent", "ally"};
    size_t length = 0;
    const kn_events events = kn_world_events(t->f.world);
    text[0] = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM) {
            continue;
        }
        const char *name = kn_custom_event_name(t->f.library, event->data.custom.kind);
        const void *payload = kn_event_payload(t->f.world, event, &size);
        char word[96] = "";
        if (strcmp(name, "Knack.RtsStance") == 0) {
            const kn_rts_stance_event *e = payload;
            (void)snprintf(word, sizeof(word), "%u to %u: %s, was %s",
                (unsigned)event->entity.index1, (unsigned)e->other.index1, words[e->after],
                words[e->before]);
        } else if (strcmp(name, "Knack.RtsSharing") == 0) {
            const kn_rts_sharing_event *e = payload;
            (void)snprintf(word, sizeof(word), "%u %s %u", (unsigned)event->entity.index1,
                e->shares != 0 ? "shares with" : "hides from", (unsigned)e->other.index1);
        } else if (strcmp(name, "Knack.RtsSighted") == 0 || strcmp(name, "Knack.RtsLost") == 0) {
            const kn_rts_sight_event *e = payload;
            (void)snprintf(word, sizeof(word), "%u %s %u at %g,%g", (unsigned)event->entity.index1,
                strcmp(name, "Knack.RtsSighted") == 0 ? "seen by" : "lost by",
                (unsigned)e->player.index1, (double)e->position.x, (double)e->position.y);
        } else if (strcmp(name, "Knack.RtsForgotten") == 0) {
            const kn_rts_forgotten_event *e = payload;
            (void)snprintf(word, sizeof(word), "%u forgets %u at %g,%g",
                (unsigned)event->entity.index1, (unsigned)e->unit.index1, (double)e->position.x,
                (double)e->position.y);
        }
        if (word[0] != 0) {
            length += (size_t)snprintf(
                text + length, sizeof(text) - length, "%s%s", length > 0 ? "; " : "", word);
        }
    }
    return text;
}

#endif
