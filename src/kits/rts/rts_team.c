// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Teams: the rules, players with their numbers, and how they stand to each other. What was said
// about a player is in its component; what follows for all of them is in one of the world, so that
// a relation costs a look at two units and one row. It is computed anew whenever something changes.

#include "team_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RULES_COOKIE 0x72746d72u
#define CHAIN_MAX 8 // owners of owners

static const char key; // only its address counts

team_kit *knc_rts_team_kit_of(const kn_library *library)
{
    return library != NULL ? kn_library_data(library, &key) : NULL;
}

const team_kit *knc_rts_teams_of(const kn_world *world)
{
    const team_kit *kit = world != NULL ? knc_rts_team_kit_of(kn_world_library(world)) : NULL;
    return kit != NULL && kit->rules != NULL ? kit : NULL;
}

bool kn_rts_has_teams(const kn_library *library)
{
    const team_kit *kit = knc_rts_team_kit_of(library);
    return kit != NULL && kit->rules != NULL && kn_library_is_finished(library);
}

kn_result knc_rts_team_may_change(const kn_world *world, kn_entity_id entity)
{
    if (knc_rts_teams_of(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = knc_rts_may_change(world, entity);
    return result == KN_OK && kn_entity_is_dying(world, entity) ? KN_REFUSED_DYING : result;
}

// Players ---------------------------------------------------------------------------

const team_item *knc_rts_sides(const kn_world *world, const team_kit *kit, uint32_t *count)
{
    *count = 0;
    const team_item *items = kn_component_read_items(world, kit->sides, (kn_entity_id){0}, count);
    *count = *count < KN_RTS_PLAYERS_MAX ? *count : KN_RTS_PLAYERS_MAX;
    return items;
}

uint32_t knc_rts_player1(const kn_world *world, const team_kit *kit, kn_entity_id player)
{
    const team_player *own =
        player.index1 != 0 ? kn_component_read(world, kit->players, player) : NULL;
    uint32_t count;
    (void)knc_rts_sides(world, kit, &count);
    return own != NULL && own->number1 <= count ? own->number1 : 0;
}

// The player that an entity belongs to; without one the last of its owners; null without an owner.
static kn_entity_id side_of(
    const kn_world *world, const team_kit *kit, kn_entity_id entity, uint32_t *number1)
{
    kn_entity_id at = entity;
    for (uint32_t i = 0; i <= CHAIN_MAX; i++) {
        *number1 = knc_rts_player1(world, kit, at);
        if (*number1 != 0) {
            return at;
        }
        const kn_entity_id owner = kn_entity_owner(world, at);
        if (owner.index1 == 0 || !kn_entity_is_alive(world, owner)) {
            break;
        }
        at = owner;
    }
    return kn_entity_id_equal(at, entity) ? (kn_entity_id){0} : at;
}

uint32_t knc_rts_player1_of(const kn_world *world, const team_kit *kit, kn_entity_id entity)
{
    uint32_t number1;
    (void)side_of(world, kit, entity, &number1);
    return number1;
}

uint32_t knc_rts_player1_claim(kn_world *world, const team_kit *kit, kn_entity_id entity)
{
    uint32_t number1;
    const kn_entity_id side = side_of(world, kit, entity, &number1);
    if (number1 == 0 && side.index1 != 0 && kn_rts_player_add(world, side) == KN_OK) {
        number1 = knc_rts_player1(world, kit, side);
    }
    return number1;
}

kn_entity_id kn_rts_player_of(const kn_world *world, kn_entity_id entity)
{
    const team_kit *kit = knc_rts_teams_of(world);
    uint32_t number1 = 0;
    const kn_entity_id side = kit != NULL && kn_entity_is_alive(world, entity)
                                  ? side_of(world, kit, entity, &number1)
                                  : (kn_entity_id){0};
    return number1 != 0 ? side : (kn_entity_id){0};
}

uint32_t kn_rts_player_number(const kn_world *world, kn_entity_id player)
{
    const team_kit *kit = knc_rts_teams_of(world);
    return kit != NULL && kn_entity_is_alive(world, player) ? knc_rts_player1(world, kit, player)
                                                            : 0;
}

uint32_t kn_rts_players(const kn_world *world, kn_entity_id *out, uint32_t capacity)
{
    const team_kit *kit = knc_rts_teams_of(world);
    uint32_t count = 0, found = 0;
    const team_item *items = kit != NULL ? knc_rts_sides(world, kit, &count) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].player.index1 != 0) {
            if (found < capacity) {
                out[found] = items[i].player;
            }
            found++;
        }
    }
    return found;
}

uint32_t kn_rts_team_of(const kn_world *world, kn_entity_id entity)
{
    const kn_entity_id player = kn_rts_player_of(world, entity);
    const team_player *own =
        player.index1 != 0 ? kn_component_read(world, knc_rts_teams_of(world)->players, player)
                           : NULL;
    return own != NULL ? own->team : 0;
}

// What follows ----------------------------------------------------------------------

static kn_rts_stance stance_between(
    const team_kit *kit, const team_player *from, const team_player *to)
{
    const uint64_t bit = BIT(to->number1);
    if (from->number1 == to->number1 || (from->allies & bit) != 0) {
        return KN_RTS_ALLY;
    }
    if (((from->strangers | from->enemies) & bit) != 0) {
        return (from->enemies & bit) != 0 ? KN_RTS_ENEMY : KN_RTS_INDIFFERENT;
    }
    return from->team != 0 && from->team == to->team ? KN_RTS_ALLY : kit->rules->stance;
}

static bool shares_between(const team_kit *kit, const team_player *from, const team_player *to)
{
    const uint64_t bit = BIT(to->number1);
    if (from->number1 == to->number1 || ((from->shares | from->hides) & bit) != 0) {
        return from->number1 == to->number1 || (from->shares & bit) != 0;
    }
    return kit->rules->allies_share_vision && stance_between(kit, from, to) == KN_RTS_ALLY;
}

// The players of a world by number; those that are not there have none.
static uint32_t players_copy(const kn_world *world, const team_kit *kit, team_player *players)
{
    uint32_t count;
    const team_item *items = knc_rts_sides(world, kit, &count);
    for (uint32_t i = 0; i < count; i++) {
        const team_player *own = items[i].player.index1 != 0
                                     ? kn_component_read(world, kit->players, items[i].player)
                                     : NULL;
        players[i] = own != NULL && own->number1 == i + 1 ? *own : (team_player){0};
    }
    return count;
}

static void sides_compute(kn_world *world, const team_kit *kit)
{
    team_player players[KN_RTS_PLAYERS_MAX];
    const uint32_t count = players_copy(world, kit, players);
    team_item *items = kn_component_items(world, kit->sides, (kn_entity_id){0}, NULL);
    for (uint32_t i = 0; i < count; i++) {
        items[i].allies = items[i].enemies = items[i].gives = items[i].gets = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; players[i].number1 != 0 && j < count; j++) {
            if (players[j].number1 == 0) {
                continue;
            }
            const kn_rts_stance stance = stance_between(kit, &players[i], &players[j]);
            items[i].allies |= stance == KN_RTS_ALLY ? BIT(j + 1) : 0;
            items[i].enemies |= stance == KN_RTS_ENEMY ? BIT(j + 1) : 0;
            if (shares_between(kit, &players[i], &players[j])) {
                items[i].gives |= BIT(j + 1);
                items[j].gets |= BIT(i + 1);
            }
        }
    }
}

static kn_rts_stance stance_in(const team_item *item, uint32_t to1)
{
    return (item->allies & BIT(to1)) != 0    ? KN_RTS_ALLY
           : (item->enemies & BIT(to1)) != 0 ? KN_RTS_ENEMY
                                             : KN_RTS_INDIFFERENT;
}

// Publishes what is different between two players now.
static void pair_publish(kn_world *world, const team_kit *kit, const team_item *before,
    const team_item *after, uint32_t to1, kn_entity_id to)
{
    const kn_rts_stance_event stance = {to, stance_in(before, to1), stance_in(after, to1)};
    if (stance.before != stance.after) {
        (void)kn_world_publish(world, after->player, kit->stance, &stance);
    }
    if (((before->gives ^ after->gives) & BIT(to1)) != 0) {
        const kn_rts_sharing_event sharing = {
            .other = to, .shares = (after->gives & BIT(to1)) != 0};
        (void)kn_world_publish(world, after->player, kit->sharing, &sharing);
    }
}

// Something was said about players. Events first, by numbers, then vision, then orders.
static void sides_change(kn_world *world, const team_kit *kit)
{
    team_item before[KN_RTS_PLAYERS_MAX], after[KN_RTS_PLAYERS_MAX];
    bool is_other = false, is_shared = false;
    uint32_t count;
    const team_item *items = knc_rts_sides(world, kit, &count);
    if (count == 0) {
        return;
    }
    memcpy(before, items, count * sizeof(*before));
    sides_compute(world, kit);
    memcpy(after, knc_rts_sides(world, kit, &count), count * sizeof(*after));
    for (uint32_t i = 0; i < count; i++) {
        is_shared |= before[i].gives != after[i].gives;
        is_other |= before[i].allies != after[i].allies || before[i].enemies != after[i].enemies;
        // That one has come or gone changes nothing between the others.
        for (uint32_t j = 0; before[i].gives != 0 && after[i].gives != 0 && j < count; j++) {
            if (i != j && before[j].gives != 0 && after[j].gives != 0) {
                pair_publish(world, kit, &before[i], &after[i], j + 1, after[j].player);
            }
        }
    }
    if (is_shared) {
        knc_rts_vision_refresh(world, kit);
    }
    if (is_other) {
        (void)kn_order_relations_changed(world, (kn_entity_id){0});
    }
}

// Coming and going ------------------------------------------------------------------

static kn_result add_run(void *user, kn_world *world)
{
    const team_kit *kit = knc_rts_teams_of(world);
    const kn_entity_id player = *(const kn_entity_id *)user, of_world = {0};
    uint32_t count, place = 0;
    if (kn_component_add(world, kit->sides, of_world) == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    const team_item *items = knc_rts_sides(world, kit, &count);
    while (place < count && items[place].player.index1 != 0) {
        place++;
    }
    if (place == KN_RTS_PLAYERS_MAX) {
        return KN_REFUSED_LIMIT;
    }
    if (place == count && kn_component_resize(world, kit->sides, of_world, place + 1) == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    team_player *own = kn_component_add(world, kit->players, player);
    if (own == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *own = (team_player){.number1 = place + 1};
    ((team_item *)kn_component_items(world, kit->sides, of_world, NULL))[place].player = player;
    sides_change(world, kit);
    return KN_OK;
}

kn_result kn_rts_player_add(kn_world *world, kn_entity_id entity)
{
    kn_result result = knc_rts_team_may_change(world, entity);
    if (result != KN_OK || knc_rts_player1(world, knc_rts_teams_of(world), entity) != 0) {
        return result;
    }
    return kn_world_call(world, add_run, &entity);
}

// A player leaves, mostly because it is destroyed. Its number is free at once, so nothing may
// remember it.
static void player_removed(void *user, const kn_component_call *call)
{
    const team_kit *kit = user;
    kn_world *world = call->world;
    const uint32_t number1 = knc_rts_player1(world, kit, call->entity);
    uint32_t count;
    (void)knc_rts_sides(world, kit, &count);
    if (kit->rules == NULL || kn_world_is_client(world) || number1 == 0) {
        return;
    }
    ((team_item *)kn_component_items(world, kit->sides, (kn_entity_id){0}, NULL))[number1 - 1]
        .player = (kn_entity_id){0};
    for (uint32_t i = 0; i < count; i++) {
        const team_item *items = knc_rts_sides(world, kit, &count);
        team_player *other = items[i].player.index1 != 0
                                 ? kn_component_get(world, kit->players, items[i].player)
                                 : NULL;
        if (other != NULL) {
            other->allies &= ~BIT(number1);
            other->strangers &= ~BIT(number1);
            other->enemies &= ~BIT(number1);
            other->shares &= ~BIT(number1);
            other->hides &= ~BIT(number1);
        }
    }
    sides_compute(world, kit);
    knc_rts_vision_forget(world, kit, number1);
}

// Changing --------------------------------------------------------------------------

static kn_result player_claim(kn_world *world, kn_entity_id player)
{
    kn_result result = knc_rts_team_may_change(world, player);
    if (result != KN_OK || knc_rts_player1(world, knc_rts_teams_of(world), player) != 0) {
        return result;
    }
    return kn_entity_owner(world, player).index1 != 0 ? KN_REFUSED_NOT_FOUND
                                                      : kn_rts_player_add(world, player);
}

typedef struct change_call {
    kn_entity_id from, to; // `to` may be null: the team of `from` changes
    uint32_t team;
    kn_rts_stance stance; // KN_RTS_STANCE_COUNT: none of its own
    bool is_mutual, is_sharing, shares;
} change_call;

static void stance_write(team_player *own, uint64_t bit, const change_call *c)
{
    if (c->is_sharing) {
        own->shares = c->shares ? own->shares | bit : own->shares & ~bit;
        own->hides = c->shares ? own->hides & ~bit : own->hides | bit;
        return;
    }
    own->allies &= ~bit;
    own->strangers &= ~bit;
    own->enemies &= ~bit;
    own->allies |= c->stance == KN_RTS_ALLY ? bit : 0;
    own->strangers |= c->stance == KN_RTS_INDIFFERENT ? bit : 0;
    own->enemies |= c->stance == KN_RTS_ENEMY ? bit : 0;
}

static kn_result change_run(void *user, kn_world *world)
{
    const team_kit *kit = knc_rts_teams_of(world);
    const change_call *c = user;
    const bool is_pair = c->to.index1 != 0;
    const uint32_t from1 = knc_rts_player1(world, kit, c->from);
    const uint32_t to1 = is_pair ? knc_rts_player1(world, kit, c->to) : 0;
    if (from1 == 0 || (is_pair && to1 == 0)) {
        return KN_REFUSED_STALE_ID; // orders that ended when one became a player made it leave
    }
    team_player *own = kn_component_get(world, kit->players, c->from);
    if (!is_pair) {
        own->team = c->team;
    } else {
        stance_write(own, BIT(to1), c);
    }
    if (c->is_mutual) {
        stance_write(kn_component_get(world, kit->players, c->to), BIT(from1), c);
    }
    sides_change(world, kit);
    return KN_OK;
}

kn_result kn_rts_player_set_team(kn_world *world, kn_entity_id player, uint32_t team)
{
    change_call c = {.from = player, .team = team};
    kn_result result = player_claim(world, player);
    return result == KN_OK ? kn_world_call(world, change_run, &c) : result;
}

static kn_result pair_change(kn_world *world, change_call *c)
{
    if (knc_rts_teams_of(world) == NULL || kn_entity_id_equal(c->from, c->to) ||
        (uint32_t)c->stance > KN_RTS_STANCE_COUNT) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    // Both are asked before one of them becomes a player.
    kn_result result = knc_rts_team_may_change(world, c->to);
    if (result == KN_OK && knc_rts_player1(world, knc_rts_teams_of(world), c->to) == 0 &&
        kn_entity_owner(world, c->to).index1 != 0) {
        result = KN_REFUSED_NOT_FOUND;
    }
    if (result == KN_OK) {
        result = player_claim(world, c->from);
    }
    if (result == KN_OK) {
        result = player_claim(world, c->to);
    }
    return result == KN_OK ? kn_world_call(world, change_run, c) : result;
}

kn_result kn_rts_set_stance(
    kn_world *world, kn_entity_id from, kn_entity_id to, kn_rts_stance stance)
{
    change_call c = {.from = from, .to = to, .stance = stance};
    return stance != KN_RTS_STANCE_COUNT ? pair_change(world, &c) : KN_ERROR_INVALID_ARGUMENT;
}

kn_result kn_rts_set_mutual_stance(
    kn_world *world, kn_entity_id a, kn_entity_id b, kn_rts_stance stance)
{
    change_call c = {.from = a, .to = b, .stance = stance, .is_mutual = true};
    return stance != KN_RTS_STANCE_COUNT ? pair_change(world, &c) : KN_ERROR_INVALID_ARGUMENT;
}

kn_result kn_rts_clear_stance(kn_world *world, kn_entity_id from, kn_entity_id to)
{
    change_call c = {.from = from, .to = to, .stance = KN_RTS_STANCE_COUNT};
    return pair_change(world, &c);
}

kn_result kn_rts_set_shares_vision(kn_world *world, kn_entity_id from, kn_entity_id to, bool shares)
{
    change_call c = {.from = from, .to = to, .is_sharing = true, .shares = shares};
    return pair_change(world, &c);
}

// Asking ----------------------------------------------------------------------------

typedef struct side {
    kn_entity_id player; // or the last owner
    uint32_t number1;    // 0: it is not a player
} side;

static kn_rts_stance stance_of_sides(const kn_world *world, const team_kit *kit, kn_entity_id from,
    const side *a, kn_entity_id to, const side *b)
{
    uint32_t count;
    if (a->number1 != 0 && b->number1 != 0) {
        return a->number1 == b->number1
                   ? KN_RTS_ALLY
                   : stance_in(&knc_rts_sides(world, kit, &count)[a->number1 - 1], b->number1);
    }
    // Owners that nothing has made players.
    if (a->player.index1 == 0 && b->player.index1 == 0) {
        return KN_RTS_INDIFFERENT;
    }
    if (kn_entity_id_equal(a->player, b->player) || kn_entity_id_equal(a->player, to) ||
        kn_entity_id_equal(b->player, from)) {
        return KN_RTS_ALLY;
    }
    return a->player.index1 != 0 && b->player.index1 != 0 ? kit->rules->stance : KN_RTS_INDIFFERENT;
}

// What has vision knows its player.
static side side_find(const kn_world *world, const team_kit *kit, kn_entity_id entity)
{
    const unit_marks *marks = kn_component_read(world, kit->marks, entity);
    side found = {.number1 = marks != NULL ? marks->player1 : 0};
    uint32_t count;
    const team_item *items = knc_rts_sides(world, kit, &count);
    if (found.number1 == 0 || found.number1 > count) {
        found.player = side_of(world, kit, entity, &found.number1);
    } else {
        found.player = items[found.number1 - 1].player;
    }
    return found;
}

kn_rts_stance kn_rts_get_stance(const kn_world *world, kn_entity_id from, kn_entity_id to)
{
    const team_kit *kit = knc_rts_teams_of(world);
    if (kit == NULL || !kn_entity_is_alive(world, from) || !kn_entity_is_alive(world, to)) {
        return KN_RTS_INDIFFERENT;
    }
    const side a = side_find(world, kit, from), b = side_find(world, kit, to);
    return kn_entity_id_equal(from, to) ? KN_RTS_ALLY
                                        : stance_of_sides(world, kit, from, &a, to, &b);
}

bool kn_rts_shares_vision(const kn_world *world, kn_entity_id from, kn_entity_id to)
{
    const team_kit *kit = knc_rts_teams_of(world);
    uint32_t count;
    const uint32_t from1 = kit != NULL ? knc_rts_player1(world, kit, from) : 0;
    const uint32_t to1 = kit != NULL ? knc_rts_player1(world, kit, to) : 0;
    return from1 != 0 && to1 != 0 &&
           (knc_rts_sides(world, kit, &count)[from1 - 1].gives & BIT(to1)) != 0;
}

// The answer of the model for orders.
static uint32_t relation(void *user, const kn_world *world, kn_entity_id from, kn_entity_id to)
{
    static const uint32_t flags[KN_RTS_STANCE_COUNT] = {
        [KN_RTS_ENEMY] = KN_ORDER_HOSTILE,
        [KN_RTS_INDIFFERENT] = KN_ORDER_NEUTRAL,
        [KN_RTS_ALLY] = KN_ORDER_FRIENDLY,
    };
    const team_kit *kit = user;
    const side a = side_find(world, kit, from), b = side_find(world, kit, to);
    return flags[stance_of_sides(world, kit, from, &a, to, &b)] |
           (knc_rts_vision_sees(world, kit, a.number1, from, to) ? (uint32_t)KN_ORDER_VISIBLE : 0);
}

// Another owner is another relation to everybody.
static void owner_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    if (!kn_world_is_client(world) && kn_entity_is_alive(world, reaction->entity)) {
        knc_rts_vision_reown(world, user, reaction->entity);
        (void)kn_order_relations_changed(world, reaction->entity);
    }
}

// Rules -----------------------------------------------------------------------------

kn_rts_team_rules_def kn_rts_team_rules_def_default(void)
{
    kn_rts_team_rules_def def = {.stance = KN_RTS_ENEMY,
        .allies_share_vision = true,
        .has_vision = true,
        .look_interval = KN_MS(250),
        .cookie = RULES_COOKIE};
    return def;
}

static void rules_init(void *def)
{
    *(kn_rts_team_rules_def *)def = kn_rts_team_rules_def_default();
}

static const kn_def_field rules_fields[] = {
    KN_DEF_F(kn_rts_team_rules_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_ENUM_OF(kn_rts_team_rules_def, stance, "rts_stance",
        "How players stand to each other who are not in one team and have no stance of their own: "
        "`enemy`, `indifferent` or `ally`; default enemy."),
    KN_DEF_F(kn_rts_team_rules_def, allies_share_vision, KN_FIELD_BOOL,
        "Players share what they see with other players that they are allies of; default true."),
    KN_DEF_F(kn_rts_team_rules_def, has_vision, KN_FIELD_BOOL,
        "Units are seen by players with something that looks at them; false: everybody sees "
        "everybody, but teams count; default true."),
    KN_DEF_F_REF(kn_rts_team_rules_def, sight, KN_DEF_ATTRIBUTE,
        "How far a unit sees, so that effects and upgrades change it; default: all as far as "
        "`default_sight`."),
    KN_DEF_F(kn_rts_team_rules_def, default_sight, KN_FIELD_F32,
        "How far units see that do not have the attribute `sight`, 0 or more; default 0: they are "
        "blind."),
    KN_DEF_F_REF(kn_rts_team_rules_def, detection, KN_DEF_ATTRIBUTE,
        "How far a unit with the tag `Knack.Rts.Changing.Detector` reveals stealthed ones; "
        "default: as far as it sees."),
    KN_DEF_F(kn_rts_team_rules_def, look_interval, KN_FIELD_TIME,
        "Time between two looks of a unit, 0.02 to 10 s; default 0.25 s."),
    KN_DEF_F(kn_rts_team_rules_def, remembered, KN_DEF_FIELD_TAGS,
        "Units with one of these tags are remembered where players saw them last; default: those "
        "with the tag of buildings."),
    KN_DEF_F_HOOK(kn_rts_team_rules_def, sees,
        "Whether a unit sees another one that is within its sight; it must only read."),
    KN_DEF_F(kn_rts_team_rules_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table rules_table = {"rts_team_rules_def", sizeof(kn_rts_team_rules_def),
    rules_fields, COUNT(rules_fields), rules_init};

static kn_result rules_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_team_rules_def *def = item;
    (void)user;
    (void)library;
    if (!(def->default_sight >= 0.0f) || isinf(def->default_sight)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts team rules `%s`: `default_sight` must be 0 or more", def->name);
    }
    if (def->look_interval < KN_MS(20) || def->look_interval > KN_S(10)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts team rules `%s`: `look_interval` must be 0.02 to 10 seconds", def->name);
    }
    return KN_OK;
}

static kn_result rules_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    team_kit *kit = user;
    kit->rules = kn_def_get(library, kind, 1);
    if (kn_def_count(library, kind) > 1) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "there must be only one of the rts team rules");
    }
    if (kit->rules == NULL) {
        return KN_OK;
    }
    kn_result result = kn_order_set_relations(library, relation, kit);
    if (result == KN_OK) {
        result = knc_rts_rule_register(library, "Knack.RtsTeamOwner", KN_TRIGGER_OWNER_CHANGED,
            (kn_tag){0}, (kn_attribute_id){0}, owner_rule, kit, error);
    }
    if (result == KN_OK) {
        result = knc_rts_vision_expand(library, kit, error);
    }
    return result == KN_OK ? knc_rts_team_client_expand(library, kit, error) : result;
}

static kn_result rules_register(kn_library *library, team_kit *kit, kn_error *error)
{
    static const char *const words[KN_RTS_STANCE_COUNT] = {
        [KN_RTS_ENEMY] = "enemy",
        [KN_RTS_INDIFFERENT] = "indifferent",
        [KN_RTS_ALLY] = "ally",
    };
    static const kn_field sees_fields[] = {
        KN_FIELD(kn_rts_sees_call, other, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_sees_call, answer, KN_FIELD_U32),
        KN_FIELD(kn_rts_sees_call, unused, KN_FIELD_U32),
    };
    const kn_kind_hook hooks[] = {
        {"sees", sizeof(kn_rts_sees_call), sees_fields, COUNT(sees_fields),
            "The entity is the unit that looks; `answer` is 1 if it sees the other."},
    };
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts team rules";
    kind.section = "rts_team_rules";
    kind.table = &rules_table;
    kind.text = "Teams and vision: how players stand to each other, and how far units see.";
    kind.check = rules_check;
    kind.expand = rules_expand;
    kind.user = kit;
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    kn_result result = kn_enum_register(library, "rts_stance", words, KN_RTS_STANCE_COUNT, error);
    return result == KN_OK ? kn_kind_register(library, &kind, &kit->rules_kind, error) : result;
}

kn_result kn_rts_team_rules_register(
    kn_library *library, const kn_rts_team_rules_def *def, kn_error *error)
{
    const team_kit *kit = knc_rts_team_kit_of(library);
    uint32_t ignored;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->rules_kind, def, &ignored, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

// Registering -----------------------------------------------------------------------

static kn_result components_register(kn_library *library, team_kit *kit, kn_error *error)
{
    static const kn_field player[] = {
        KN_FIELD(team_player, number1, KN_FIELD_U32),
        KN_FIELD(team_player, team, KN_FIELD_U32),
        KN_FIELD(team_player, allies, KN_FIELD_U64),
        KN_FIELD(team_player, strangers, KN_FIELD_U64),
        KN_FIELD(team_player, enemies, KN_FIELD_U64),
        KN_FIELD(team_player, shares, KN_FIELD_U64),
        KN_FIELD(team_player, hides, KN_FIELD_U64),
    };
    static const kn_field sides[] = {
        KN_FIELD(team_world, reach, KN_FIELD_F32),
        KN_FIELD(team_world, unused, KN_FIELD_U32),
    };
    static const kn_field items[] = {
        KN_FIELD(team_item, player, KN_FIELD_ENTITY),
        KN_FIELD(team_item, allies, KN_FIELD_U64),
        KN_FIELD(team_item, enemies, KN_FIELD_U64),
        KN_FIELD(team_item, gives, KN_FIELD_U64),
        KN_FIELD(team_item, gets, KN_FIELD_U64),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsPlayer";
    def.size = sizeof(team_player);
    def.fields = player;
    def.field_count = COUNT(player);
    def.removed = player_removed;
    def.user = kit;
    kn_result result = kn_component_register(library, &def, &kit->players, error);
    def = kn_component_def_default();
    def.name = "Knack.RtsSides";
    def.size = sizeof(team_world);
    def.fields = sides;
    def.field_count = COUNT(sides);
    def.item_size = sizeof(team_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    return result == KN_OK ? kn_component_register(library, &def, &kit->sides, error) : result;
}

static kn_result events_register(kn_library *library, team_kit *kit, kn_error *error)
{
    static const kn_field stance[] = {
        KN_FIELD(kn_rts_stance_event, other, KN_FIELD_ENTITY),
        KN_FIELD_WORDS(kn_rts_stance_event, before, "enemy indifferent ally"),
        KN_FIELD_WORDS(kn_rts_stance_event, after, "enemy indifferent ally"),
    };
    static const kn_field sharing[] = {
        KN_FIELD(kn_rts_sharing_event, other, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_sharing_event, shares, KN_FIELD_U32),
        KN_FIELD(kn_rts_sharing_event, unused, KN_FIELD_U32),
    };
    kn_result result =
        knc_rts_event_register(library, "Knack.RtsStance", sizeof(kn_rts_stance_event), stance,
            COUNT(stance), "stance to {other} {before} -> {after}", &kit->stance, error);
    return result == KN_OK ? knc_rts_event_register(library, "Knack.RtsSharing",
                                 sizeof(kn_rts_sharing_event), sharing, COUNT(sharing),
                                 "shares vision with {other}: {shares}", &kit->sharing, error)
                           : result;
}

kn_result knc_rts_teams_register(kn_library *library, rts_kit *rts, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, team_kit *, kn_error *) = {
        components_register,
        events_register,
        knc_rts_vision_register,
        knc_rts_ghosts_register,
        rules_register,
        knc_rts_team_client_register,
        knc_rts_team_functions_register,
    };
    team_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->rts = rts;
    kn_result result = kn_library_set_data(library, &key, kit, free);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    for (size_t i = 0; result == KN_OK && i < COUNT(parts); i++) {
        result = parts[i](library, kit, error);
    }
    return result;
}
