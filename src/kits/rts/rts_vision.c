// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Vision: what players see. All that have vision take turns, each once in an interval. In its turn
// a unit is lost to players without a unit that has marked it since its last turn, and then marks
// what it finds in its own sight. Everything looks once between two turns of a unit, so that its
// marks are complete when they are used, in whatever order the turns come.
//
// Nothing is changed while the space is searched: what is found is marked afterwards.

#include "knack/rts_item.h"
#include "team_parts.h"

#include <float.h>
#include <math.h>

#define ROW 16         // units that have their turns one after the other
#define RUNS_PER_S 60  // of the system
#define FOUND_MAX 256  // that are marked together
#define PASSES_MAX 256 // of one look
#define SIGHT_MAX 1e18 // its square is finite

static const kn_entity_id of_world = {0};

static const looker_item *lookers(const kn_world *world, const team_kit *kit, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(world, kit->lookers, of_world, count);
}

// Who sees it -----------------------------------------------------------------------

// Of the player that it belongs to.
static uint64_t own_bit(const unit_marks *marks)
{
    return marks->player1 - 1 < KN_RTS_PLAYERS_MAX ? BIT(marks->player1) : 0;
}

static uint64_t visible_of(const kn_world *world, const team_kit *kit, const unit_marks *marks)
{
    uint32_t count;
    const team_item *items = knc_rts_sides(world, kit, &count);
    const uint64_t own = own_bit(marks);
    uint64_t by = (marks->flags & MARKS_INVISIBLE) != 0 ? own : own | marks->seen;
    uint64_t visible = 0;
    while (by != 0) {
        const uint32_t number1 = knc_rts_lowest(by);
        visible |= number1 <= count ? items[number1 - 1].gives : 0;
        by &= by - 1;
    }
    return visible;
}

static bool is_remembered(const kn_world *world, const team_kit *kit, kn_entity_id unit)
{
    return kn_entity_has_any_tag(world, unit, kit->remembered) && !kn_entity_is_dying(world, unit);
}

// Publishes what is different for players, by numbers.
static void changes_publish(
    kn_world *world, const team_kit *kit, kn_entity_id unit, uint64_t before, uint64_t after)
{
    kn_rts_ghost ghost = {.unit = unit, .time = kn_world_now(world)};
    const bool is_noted = is_remembered(world, kit, unit);
    ghost.type = kn_rts_unit_get_type(world, unit);
    (void)kn_space_position(kn_world_space(world), world, unit, &ghost.position);
    for (uint64_t left = before ^ after; left != 0; left &= left - 1) {
        uint32_t count;
        const uint32_t number1 = knc_rts_lowest(left);
        const team_item *items = knc_rts_sides(world, kit, &count);
        if (number1 > count || items[number1 - 1].player.index1 == 0) {
            continue; // it is gone
        }
        const kn_rts_sight_event event = {
            .player = items[number1 - 1].player, .position = ghost.position};
        if ((after & BIT(number1)) != 0) {
            knc_rts_ghost_remove(world, kit, event.player, unit);
            (void)kn_world_publish(world, unit, kit->sighted, &event);
        } else {
            if (is_noted) {
                knc_rts_ghost_add(world, kit, event.player, &ghost);
            }
            (void)kn_world_publish(world, unit, kit->lost, &event);
        }
    }
}

// Settles who sees a unit after its marks, its owner or the sharing of players have changed.
static void unit_settle(kn_world *world, const team_kit *kit, kn_entity_id unit)
{
    const unit_marks *marks = kn_component_read(world, kit->marks, unit);
    const uint64_t before = marks->visible, after = visible_of(world, kit, marks);
    if (before == after) {
        return;
    }
    ((unit_marks *)kn_component_get(world, kit->marks, unit))->visible = after;
    unit_vision *vision = kn_component_get(world, kit->vision, unit);
    if (vision != NULL) {
        vision->visible = after;
    }
    changes_publish(world, kit, unit, before, after);
    (void)kn_order_relations_changed(world, unit);
}

void knc_rts_vision_refresh(kn_world *world, const team_kit *kit)
{
    kn_entity_id unit = {0};
    while ((unit = kn_component_next(world, kit->marks, unit)).index1 != 0) {
        unit_settle(world, kit, unit);
    }
}

void knc_rts_vision_forget(kn_world *world, const team_kit *kit, uint32_t number1)
{
    const uint64_t others = ~BIT(number1);
    kn_entity_id unit = {0};
    while ((unit = kn_component_next(world, kit->marks, unit)).index1 != 0) {
        unit_marks *marks = kn_component_get(world, kit->marks, unit);
        unit_vision *vision = kn_component_get(world, kit->vision, unit);
        marks->marked &= others;
        marks->seen &= others;
        marks->visible &= others;
        if (marks->player1 == number1) {
            marks->player1 = 0;
            marks->flags |= MARKS_DESERTED;
        }
        if (vision != NULL) {
            vision->visible &= others;
        }
    }
}

// The old owner sees it on, until its units have looked.
static void unit_reown(kn_world *world, const team_kit *kit, kn_entity_id unit, uint32_t player1)
{
    unit_marks *marks = kn_component_get(world, kit->marks, unit);
    marks->marked |= own_bit(marks);
    marks->seen |= own_bit(marks);
    marks->player1 = player1;
    unit_settle(world, kit, unit);
}

void knc_rts_vision_reown(kn_world *world, const team_kit *kit, kn_entity_id unit)
{
    if (kn_component_read(world, kit->marks, unit) == NULL) {
        return;
    }
    const uint32_t player1 = knc_rts_player1_claim(world, kit, unit);
    if (kn_component_read(world, kit->marks, unit) != NULL) { // hooks of orders have run
        unit_reown(world, kit, unit, player1);
    }
}

// Hidden units ----------------------------------------------------------------------

static uint32_t hidden_of(const kn_world *world, const team_kit *kit, kn_entity_id unit)
{
    const kn_tag *tags = kit->rts->tags;
    return (kn_entity_has_tag(world, unit, tags[KN_RTS_STEALTHED]) ? (uint32_t)MARKS_STEALTHED
                                                                   : 0u) |
           (kn_entity_has_tag(world, unit, tags[KN_RTS_INVISIBLE]) ? (uint32_t)MARKS_INVISIBLE
                                                                   : 0u);
}

// A stealthed unit is lost once all had the time to detect it, an invisible one at once.
static void hidden_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const team_kit *kit = user;
    unit_marks *marks =
        kn_world_is_client(world) ? NULL : kn_component_get(world, kit->marks, reaction->entity);
    if (marks == NULL) {
        return;
    }
    const uint32_t hidden = hidden_of(world, kit, reaction->entity);
    const uint32_t gained = hidden & ~marks->flags;
    marks->flags = (marks->flags & ~(uint32_t)MARKS_HIDDEN) | hidden;
    if ((gained & MARKS_STEALTHED) != 0) {
        marks->marked = 0;
        marks->flags |= MARKS_EARLY;
    }
    if ((gained & MARKS_INVISIBLE) != 0) {
        marks->marked = marks->seen = 0;
    }
    unit_settle(world, kit, reaction->entity);
}

// Looking ---------------------------------------------------------------------------

static float radius_of(
    const kn_world *world, kn_entity_id unit, kn_attribute_id attribute, float plain)
{
    const float radius = attribute.index1 != 0 && kn_attribute_exists(world, unit, attribute, 0)
                             ? kn_attribute_value(world, unit, attribute)
                             : plain;
    return radius > 0.0f ? fminf(radius, (float)SIGHT_MAX) : 0.0f;
}

static bool is_awake(const kn_world *world, kn_entity_id unit)
{
    return !kn_rts_is_dead(world, unit) && !kn_entity_is_dying(world, unit);
}

static float sight_of(const kn_world *world, const team_kit *kit, kn_entity_id unit)
{
    return is_awake(world, unit)
               ? radius_of(world, unit, kit->rules->sight, kit->rules->default_sight)
               : 0.0f;
}

typedef struct look {
    const team_kit *kit;
    kn_entity_id viewer, player;
    uint32_t player1;
    uint32_t hidden, plain; // whether it sees those who hide, and the others
    uint32_t count;         // of `found`; may be more than there is room for
    kn_entity_id found[FOUND_MAX];
} look;

static bool look_sees(const look *l, const kn_world *world, kn_entity_id entity)
{
    const kn_hook *hook = &l->kit->rules->sees;
    kn_rts_sees_call call = {.other = entity, .answer = 1};
    return hook->function == NULL ||
           (kn_hook_read(world, l->kit->rules_kind, 1, hook, l->viewer, &call) == KN_OK &&
               call.answer != 0);
}

// Most of what is around is marked already, by the viewer's neighbours.
static bool look_find(void *user, const kn_world *world, kn_entity_id entity)
{
    look *l = user;
    const unit_marks *marks = kn_component_read(world, l->kit->marks, entity);
    if (marks == NULL || marks->player1 == l->player1 || (marks->marked & BIT(l->player1)) != 0 ||
        (marks->flags & MARKS_INVISIBLE) != 0 ||
        ((marks->flags & MARKS_STEALTHED) != 0 ? l->hidden : l->plain) == 0 ||
        !look_sees(l, world, entity)) {
        return false;
    }
    if (l->count < FOUND_MAX) {
        l->found[l->count] = entity;
    }
    l->count++;
    return false;
}

// Settling one may have changed anything: units, owners, players. False if the player is gone.
static bool look_mark(kn_world *world, const look *l, kn_entity_id entity)
{
    unit_marks *marks = kn_component_get(world, l->kit->marks, entity);
    uint32_t count;
    const team_item *items = knc_rts_sides(world, l->kit, &count);
    if (l->player1 > count || !kn_entity_id_equal(items[l->player1 - 1].player, l->player)) {
        return false;
    }
    if (marks != NULL) {
        const bool is_new = (marks->seen & BIT(l->player1)) == 0;
        marks->marked |= BIT(l->player1);
        marks->seen |= BIT(l->player1);
        if (is_new) {
            unit_settle(world, l->kit, entity);
        }
    }
    return true;
}

static void look_around(kn_world *world, look *l, kn_vec3 at, float radius)
{
    const kn_sphere around = {at, radius};
    kn_space_filter filter = kn_space_filter_default();
    filter.accept = look_find;
    filter.user = l;
    filter.ignore = l->viewer;
    bool goes_on = true;
    for (uint32_t pass = 0; goes_on && pass < PASSES_MAX; pass++) {
        l->count = 0;
        (void)kn_space_sphere(kn_world_space(world), world, &around, &filter, NULL, 0);
        goes_on = l->count > FOUND_MAX; // those that are marked are not found again
        for (uint32_t i = 0; i < l->count && i < FOUND_MAX; i++) {
            goes_on = look_mark(world, l, l->found[i]) && goes_on;
        }
    }
}

static void reach_note(kn_world *world, const team_kit *kit, float sight)
{
    const looker_list *list = kn_component_read(world, kit->lookers, of_world);
    if (list != NULL && sight > list->reach) {
        ((looker_list *)kn_component_get(world, kit->lookers, of_world))->reach = sight;
    }
    const team_world *sides = kn_component_read(world, kit->sides, of_world);
    if (sides != NULL && sight > sides->reach) {
        ((team_world *)kn_component_get(world, kit->sides, of_world))->reach = sight;
    }
}

static void unit_look(kn_world *world, const team_kit *kit, kn_entity_id unit)
{
    const unit_marks *marks = kn_component_read(world, kit->marks, unit);
    uint32_t count;
    kn_vec3 at;
    const team_item *items = knc_rts_sides(world, kit, &count);
    if (marks == NULL || marks->player1 == 0 || marks->player1 > count || !is_awake(world, unit) ||
        !kn_space_position(kn_world_space(world), world, unit, &at)) {
        return;
    }
    const bool detects = kn_entity_has_tag(world, unit, kit->rts->tags[KN_RTS_DETECTOR]);
    const float sight = sight_of(world, kit, unit);
    const float detection = detects ? radius_of(world, unit, kit->rules->detection, sight) : 0.0f;
    look l;
    l.kit = kit;
    l.viewer = unit;
    l.player = items[marks->player1 - 1].player;
    l.player1 = marks->player1;
    l.plain = 1;
    l.hidden = detects && detection >= sight;
    if (sight > 0.0f) {
        reach_note(world, kit, sight);
        look_around(world, &l, at, sight);
    }
    if (detection > 0.0f && detection != sight) {
        l.plain = 0;
        l.hidden = 1;
        look_around(world, &l, at, detection);
    }
}

static void turn_take(kn_world *world, const team_kit *kit, kn_entity_id unit)
{
    const uint32_t player1 = knc_rts_player1_claim(world, kit, unit);
    const unit_marks *read = kn_component_read(world, kit->marks, unit);
    if (read == NULL) {
        return;
    }
    const uint32_t flags = read->flags;
    const bool is_reowned = player1 != read->player1; // an owner of its owner has another one
    if ((flags & (MARKS_EARLY | MARKS_DESERTED)) != 0 || read->seen != 0 || is_reowned) {
        unit_marks *marks = kn_component_get(world, kit->marks, unit);
        marks->flags &= ~(uint32_t)(MARKS_EARLY | MARKS_DESERTED);
        if ((flags & MARKS_EARLY) == 0) {
            marks->seen = marks->marked;
            marks->marked = 0;
        }
        if (is_reowned) {
            unit_reown(world, kit, unit, player1);
        } else {
            unit_settle(world, kit, unit);
        }
        if (is_reowned || (flags & MARKS_DESERTED) != 0) {
            (void)kn_order_relations_changed(world, unit);
        }
    }
    unit_look(world, kit, unit);
}

// Turns -----------------------------------------------------------------------------

static void reach_settle(kn_world *world, const team_kit *kit)
{
    const team_world *sides = kn_component_read(world, kit->sides, of_world);
    looker_list *list = kn_component_get(world, kit->lookers, of_world);
    if (sides != NULL && sides->reach != list->reach) {
        ((team_world *)kn_component_get(world, kit->sides, of_world))->reach = list->reach;
    }
    list->reach = 0.0f;
}

static void turns_system(void *user, kn_world *world, const kn_system_run *run)
{
    const team_kit *kit = user;
    const uint32_t bucket = (uint32_t)(run->index % kit->buckets);
    if (kn_world_is_client(world) || kn_component_read(world, kit->lookers, of_world) == NULL) {
        return;
    }
    if (bucket == 0) {
        reach_settle(world, kit);
    }
    for (uint32_t row = bucket;; row += kit->buckets) {
        uint32_t count, here = 0;
        kn_entity_id units[ROW];
        const looker_item *items = lookers(world, kit, &count);
        for (uint32_t i = row * ROW; here < ROW && i < count; i++) {
            units[here++] = items[i].unit;
        }
        for (uint32_t i = 0; i < here; i++) {
            if (units[i].index1 != 0) {
                turn_take(world, kit, units[i]);
            }
        }
        if (here < ROW) {
            break;
        }
    }
    for (uint32_t number1 = bucket + 1; number1 <= KN_RTS_PLAYERS_MAX; number1 += kit->buckets) {
        uint32_t count;
        const team_item *items = knc_rts_sides(world, kit, &count);
        if (number1 > count) {
            break;
        }
        knc_rts_ghosts_check(world, kit, items[number1 - 1].player);
    }
}

// From the beginning to the end -------------------------------------------------------

static bool place_take(kn_world *world, const team_kit *kit, kn_entity_id unit, uint32_t *place)
{
    looker_list *list = kn_component_add(world, kit->lookers, of_world);
    uint32_t count;
    if (list == NULL) {
        return false;
    }
    const looker_item *items = lookers(world, kit, &count);
    if (list->free1 != 0 && list->free1 <= count) {
        *place = list->free1 - 1;
        list->free1 = items[*place].next1;
    } else {
        *place = count;
        if (kn_component_resize(world, kit->lookers, of_world, count + 1) == NULL) {
            return false;
        }
    }
    ((looker_item *)kn_component_items(world, kit->lookers, of_world, NULL))[*place] =
        (looker_item){.unit = unit};
    return true;
}

static void marks_removed(void *user, const kn_component_call *call)
{
    const team_kit *kit = user;
    const unit_marks *marks = kn_component_read(call->world, kit->marks, call->entity);
    void *whole;
    uint32_t count;
    looker_list *list = kn_component_get_whole(call->world, kit->lookers, of_world, &whole, &count);
    looker_item *items = whole;
    if (list != NULL && marks->place < count &&
        kn_entity_id_equal(items[marks->place].unit, call->entity)) {
        items[marks->place] = (looker_item){.next1 = list->free1};
        list->free1 = marks->place + 1;
    }
}

static kn_result begin_run(void *user, kn_world *world)
{
    const team_kit *kit = knc_rts_teams_of(world);
    const kn_entity_id unit = *(const kn_entity_id *)user;
    unit_marks marks = {.player1 = knc_rts_player1_claim(world, kit, unit)};
    if (kn_component_read(world, kit->marks, unit) != NULL) {
        return KN_OK; // a hook of an order has done it
    }
    unit_vision *vision = kn_component_add(world, kit->vision, unit);
    unit_marks *own = vision != NULL ? kn_component_add(world, kit->marks, unit) : NULL;
    if (own == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (!place_take(world, kit, unit, &marks.place)) {
        (void)kn_component_remove(world, kit->vision, unit);
        (void)kn_component_remove(world, kit->marks, unit);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    marks.flags = hidden_of(world, kit, unit);
    marks.visible = visible_of(world, kit, &marks);
    *(unit_marks *)kn_component_get(world, kit->marks, unit) = marks;
    ((unit_vision *)kn_component_get(world, kit->vision, unit))->visible = marks.visible;
    reach_note(world, kit, sight_of(world, kit, unit));
    return KN_OK;
}

void knc_rts_vision_begin(kn_world *world, kn_entity_id unit)
{
    const team_kit *kit = knc_rts_teams_of(world);
    if (kit != NULL && kit->rules->has_vision) {
        (void)kn_rts_vision_add(world, unit);
    }
}

void knc_rts_vision_end(kn_world *world, kn_entity_id unit)
{
    const team_kit *kit = knc_rts_teams_of(world);
    if (kit != NULL) {
        (void)kn_rts_vision_remove(world, unit);
    }
}

kn_result kn_rts_vision_add(kn_world *world, kn_entity_id entity)
{
    kn_result result = knc_rts_team_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    const team_kit *kit = knc_rts_teams_of(world);
    if (!kit->rules->has_vision) {
        return KN_REFUSED_NOT_FOUND;
    }
    return kn_component_read(world, kit->marks, entity) != NULL
               ? KN_OK
               : kn_world_call(world, begin_run, &entity);
}

static kn_result end_run(void *user, kn_world *world)
{
    const team_kit *kit = knc_rts_teams_of(world);
    const kn_entity_id entity = *(const kn_entity_id *)user;
    (void)kn_component_remove(world, kit->marks, entity);
    (void)kn_component_remove(world, kit->vision, entity);
    return kn_order_relations_changed(world, entity);
}

kn_result kn_rts_vision_remove(kn_world *world, kn_entity_id entity)
{
    const team_kit *kit = knc_rts_teams_of(world);
    if (kit == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = knc_rts_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    return kn_component_read(world, kit->marks, entity) == NULL
               ? KN_REFUSED_NOT_FOUND
               : kn_world_call(world, end_run, &entity);
}

// Asking ----------------------------------------------------------------------------

uint64_t knc_rts_local_players(const kn_world *world, const team_kit *kit, uint32_t connection)
{
    uint32_t count;
    uint64_t local = 0;
    const team_item *items = knc_rts_sides(world, kit, &count);
    for (uint32_t i = 0; connection != 0 && i < count; i++) {
        if (items[i].player.index1 != 0 &&
            kn_entity_connection(world, items[i].player) == connection) {
            local |= BIT(i + 1);
        }
    }
    return local;
}

bool knc_rts_vision_sees(const kn_world *world, const team_kit *kit, uint32_t viewer1,
    kn_entity_id viewer, kn_entity_id other)
{
    uint64_t players = viewer1 != 0 ? BIT(viewer1) : 0, visible;
    if (kn_world_is_client(world)) {
        const unit_vision *vision = kn_component_read(world, kit->vision, other);
        const uint64_t local = knc_rts_local_players(world, kit, kn_world_connection(world));
        if (vision == NULL) {
            return true;
        }
        visible = vision->visible;
        players = local != 0 ? local : players;
    } else {
        const unit_marks *marks = kn_component_read(world, kit->marks, other);
        if (marks == NULL) {
            return true;
        }
        visible = marks->visible;
    }
    if (players == 0) { // it belongs to nobody
        return kn_entity_id_equal(viewer, other) || hidden_of(world, kit, other) == 0;
    }
    return (visible & players) != 0;
}

bool kn_rts_is_visible(const kn_world *world, kn_entity_id viewer, kn_entity_id other)
{
    const team_kit *kit = knc_rts_teams_of(world);
    if (world == NULL || !kn_entity_is_alive(world, viewer) || !kn_entity_is_alive(world, other)) {
        return false;
    }
    return kit == NULL ||
           knc_rts_vision_sees(world, kit, knc_rts_player1_of(world, kit, viewer), viewer, other);
}

uint32_t kn_rts_viewers(
    const kn_world *world, kn_entity_id entity, kn_entity_id *out, uint32_t capacity)
{
    const team_kit *kit = knc_rts_teams_of(world);
    if (kit == NULL || !kn_entity_is_alive(world, entity)) {
        return 0;
    }
    const unit_vision *vision = kn_component_read(world, kit->vision, entity);
    uint32_t count, found = 0;
    const team_item *items = knc_rts_sides(world, kit, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].player.index1 != 0 &&
            (vision == NULL || (vision->visible & BIT(i + 1)) != 0)) {
            if (found < capacity) {
                out[found] = items[i].player;
            }
            found++;
        }
    }
    return found;
}

float kn_rts_sight(const kn_world *world, kn_entity_id unit)
{
    const team_kit *kit = knc_rts_teams_of(world);
    return kit != NULL && kn_entity_is_alive(world, unit) &&
                   kn_component_read(world, kit->vision, unit) != NULL
               ? sight_of(world, kit, unit)
               : 0.0f;
}

typedef struct place_look {
    const team_kit *kit;
    uint64_t players;
    kn_vec3 place;
    bool is_seen;
} place_look;

static bool place_find(void *user, const kn_world *world, kn_entity_id entity)
{
    place_look *l = user;
    kn_vec3 at;
    if (l->is_seen || kn_component_read(world, l->kit->vision, entity) == NULL) {
        return false;
    }
    const uint32_t player1 = knc_rts_player1_of(world, l->kit, entity);
    if (player1 == 0 || (l->players & BIT(player1)) == 0 ||
        !kn_space_position(kn_world_space(world), world, entity, &at)) {
        return false;
    }
    const float sight = sight_of(world, l->kit, entity);
    const float x = at.x - l->place.x, y = at.y - l->place.y, z = at.z - l->place.z;
    l->is_seen = sight > 0.0f && x * x + y * y + z * z <= sight * sight;
    return false;
}

bool kn_rts_sees_place(const kn_world *world, kn_entity_id viewer, kn_vec3 place)
{
    const team_kit *kit = knc_rts_teams_of(world);
    if (kit == NULL || !kn_entity_is_alive(world, viewer)) {
        return false;
    }
    uint32_t count;
    const uint32_t player1 = knc_rts_player1_of(world, kit, viewer);
    const team_item *items = knc_rts_sides(world, kit, &count);
    const team_world *sides = kn_component_read(world, kit->sides, of_world);
    if (player1 == 0 || !kit->rules->has_vision) {
        return player1 != 0;
    }
    place_look l = {.kit = kit, .players = items[player1 - 1].gets, .place = place};
    const kn_sphere around = {place, sides->reach};
    kn_space_filter filter = kn_space_filter_default();
    filter.accept = place_find;
    filter.user = &l;
    (void)kn_space_sphere(kn_world_space(world), world, &around, &filter, NULL, 0);
    return l.is_seen;
}

static bool is_seen_by(
    const kn_world *world, const team_kit *kit, uint32_t connection, kn_entity_id entity)
{
    const unit_vision *vision = kn_component_read(world, kit->vision, entity);
    return vision == NULL || (vision->visible & knc_rts_local_players(world, kit, connection)) != 0;
}

bool kn_rts_vision_relevance(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity)
{
    const team_kit *kit = knc_rts_teams_of(world);
    kn_rts_item_info item;
    if (!kn_rts_item_relevance(user, world, connection, entity)) {
        return false;
    }
    if (kit == NULL) {
        return true;
    }
    const bool is_held =
        kn_rts_item_get_info(world, entity, &item) && kn_entity_is_alive(world, item.holder);
    return is_seen_by(world, kit, connection, entity) &&
           (!is_held || is_seen_by(world, kit, connection, item.holder));
}

// Registering -----------------------------------------------------------------------

static kn_result lookers_register(kn_library *library, team_kit *kit, kn_error *error)
{
    static const kn_field list[] = {
        KN_FIELD(looker_list, reach, KN_FIELD_F32),
        KN_FIELD(looker_list, free1, KN_FIELD_U32),
    };
    static const kn_field items[] = {
        KN_FIELD(looker_item, unit, KN_FIELD_ENTITY),
        KN_FIELD(looker_item, next1, KN_FIELD_U32),
        KN_FIELD(looker_item, unused, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsLookers";
    def.size = sizeof(looker_list);
    def.fields = list;
    def.field_count = COUNT(list);
    def.item_size = sizeof(looker_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.sync = KN_SYNC_NONE;
    return kn_component_register(library, &def, &kit->lookers, error);
}

static kn_result units_register(kn_library *library, team_kit *kit, kn_error *error)
{
    static const kn_field vision[] = {KN_FIELD(unit_vision, visible, KN_FIELD_U64)};
    static const kn_field marks[] = {
        KN_FIELD(unit_marks, marked, KN_FIELD_U64),
        KN_FIELD(unit_marks, seen, KN_FIELD_U64),
        KN_FIELD(unit_marks, visible, KN_FIELD_U64),
        KN_FIELD(unit_marks, player1, KN_FIELD_U32),
        KN_FIELD(unit_marks, place, KN_FIELD_U32),
        KN_FIELD(unit_marks, flags, KN_FIELD_U32),
        KN_FIELD(unit_marks, unused, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsVision";
    def.size = sizeof(unit_vision);
    def.fields = vision;
    def.field_count = COUNT(vision);
    kn_result result = kn_component_register(library, &def, &kit->vision, error);
    def = kn_component_def_default();
    def.name = "Knack.RtsMarks";
    def.size = sizeof(unit_marks);
    def.fields = marks;
    def.field_count = COUNT(marks);
    def.sync = KN_SYNC_NONE;
    def.removed = marks_removed;
    def.user = kit;
    return result == KN_OK ? kn_component_register(library, &def, &kit->marks, error) : result;
}

kn_result knc_rts_vision_register(kn_library *library, team_kit *kit, kn_error *error)
{
    static const kn_field sight[] = {
        KN_FIELD(kn_rts_sight_event, player, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_sight_event, position, KN_FIELD_VEC3),
        KN_FIELD(kn_rts_sight_event, unused, KN_FIELD_U32),
    };
    kn_result result = lookers_register(library, kit, error);
    if (result == KN_OK) {
        result = units_register(library, kit, error);
    }
    if (result == KN_OK) {
        result = knc_rts_event_register(library, "Knack.RtsSighted", sizeof(kn_rts_sight_event),
            sight, COUNT(sight), "sighted by {player}", &kit->sighted, error);
    }
    return result == KN_OK
               ? knc_rts_event_register(library, "Knack.RtsLost", sizeof(kn_rts_sight_event), sight,
                     COUNT(sight), "out of sight of {player}", &kit->lost, error)
               : result;
}

kn_result knc_rts_vision_expand(kn_library *library, team_kit *kit, kn_error *error)
{
    static const struct {
        const char *name;
        kn_trigger trigger;
        kn_rts_tag_name tag;
    } rules[] = {
        {"Knack.RtsStealthGained", KN_TRIGGER_TAG_ADDED, KN_RTS_STEALTHED},
        {"Knack.RtsStealthLost", KN_TRIGGER_TAG_REMOVED, KN_RTS_STEALTHED},
        {"Knack.RtsInvisibleGained", KN_TRIGGER_TAG_ADDED, KN_RTS_INVISIBLE},
        {"Knack.RtsInvisibleLost", KN_TRIGGER_TAG_REMOVED, KN_RTS_INVISIBLE},
    };
    kn_system_def system = kn_system_def_default();
    kn_system_id id;
    const kn_time interval = kit->rules->look_interval;
    const kn_time runs = (interval * RUNS_PER_S + KN_S(1) / 2) / KN_S(1);
    kn_result result = KN_OK;
    kit->remembered = kit->rules->remembered.count > 0
                          ? kit->rules->remembered
                          : (kn_tags){&kit->rts->tags[KN_RTS_BUILDING], 1};
    if (!kit->rules->has_vision) {
        return KN_OK;
    }
    for (uint32_t i = 0; result == KN_OK && i < COUNT(rules); i++) {
        result = knc_rts_rule_register(library, rules[i].name, rules[i].trigger,
            kit->rts->tags[rules[i].tag], (kn_attribute_id){0}, hidden_rule, kit, error);
    }
    kit->buckets = runs > 1 ? (uint32_t)runs : 1;
    system.name = "Knack.RtsVision";
    system.period = interval / kit->buckets;
    system.function = turns_system;
    system.user = kit;
    if (result == KN_OK) {
        result = kn_system_register(library, &system, &id, error);
        result = result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
    }
    return result;
}
