// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The mover. A way is a list of points, and the unit is on the straight leg to one of them. Where
// it is follows from the times at which the leg begins and ends; the runs of the mover only write
// that down, and begin a new leg if something has changed. The end of the way has a timer, once it
// is near, so that a unit arrives at the exact time.

#include "path_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool knc_mover_position(const kn_world *world, kn_entity_id entity, kn_vec3 *position)
{
    const kn_component_type_id bodies = knc_mover_kit_of_world(world)->bodies;
    const kn_body *body = bodies.index1 != 0 ? kn_component_read(world, bodies, entity) : NULL;
    if (body != NULL) {
        *position = body->position;
        return true;
    }
    return kn_space_position(kn_world_space(world), world, entity, position);
}

// The distance in x and y, more exactly than floats have it: microseconds depend on it.
static double distance(kn_vec3 a, kn_vec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
    double square = x * x + y * y;
    double root = (double)sqrtf((float)square);
    return root > 0.0 ? 0.5 * (root + square / root) : 0.0;
}

static bool is_same(kn_vec3 a, kn_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static kn_vec3 between(kn_vec3 a, kn_vec3 b, float share)
{
    return (kn_vec3){
        a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share, a.z + (b.z - a.z) * share};
}

// A unit that a mover moves.
typedef struct unit {
    kn_world *world;
    const mover_kit *kit;
    kn_entity_id entity;
    const kn_mover_def *def;
} unit;

// False if it is at rest, or the host moves it.
static bool unit_find(kn_world *world, const mover_kit *kit, kn_entity_id entity, unit *u)
{
    const kn_move_info *move = kn_component_read(world, kit->moves, entity);
    const bool is_moving = move != NULL && move->kind == KN_MOVE_TO;
    *u = (unit){world, kit, entity, is_moving ? knc_mover_of(world, move->mover) : NULL};
    return u->def != NULL;
}

static const kn_move_info *unit_move(const unit *u)
{
    return kn_component_read(u->world, u->kit->moves, u->entity);
}

static moving_state *unit_get(const unit *u)
{
    return kn_component_get(u->world, u->kit->movings, u->entity);
}

static const moving_state *unit_read(const unit *u)
{
    return kn_component_read(u->world, u->kit->movings, u->entity);
}

static float speed_of(const kn_world *world, kn_entity_id entity, const kn_mover_def *def)
{
    float speed = def->speed;
    if (def->speed_attribute.index1 != 0 &&
        kn_attribute_exists(world, entity, def->speed_attribute, 0)) {
        speed = kn_attribute_value(world, entity, def->speed_attribute);
    }
    return isfinite(speed) && speed > 0.0f ? speed : 0.0f;
}

// Where it is going; false for a target that is nowhere.
static bool goal_find(const unit *u, kn_vec3 *goal)
{
    const kn_move_info *move = unit_move(u);
    *goal = move->location;
    return move->target.index1 == 0 || knc_mover_position(u->world, move->target, goal);
}

// Legs ----------------------------------------------------------------------------------

static kn_time leg_time(kn_vec3 from, kn_vec3 to, float speed)
{
    return speed > 0.0f ? kn_time_from_seconds(distance(from, to) / (double)speed)
                        : KN_TIME_INFINITE;
}

static kn_time time_add(kn_time time, kn_time more)
{
    return more >= KN_TIME_MAX || time >= KN_TIME_MAX ? KN_TIME_INFINITE : time + more;
}

static void leg_begin(moving_state *m, kn_vec3 from, kn_vec3 to, kn_time began)
{
    m->from = from;
    m->to = to;
    m->began = began;
    m->ends = time_add(began, leg_time(from, to, m->speed));
}

// It stays where the mover put it last.
static void leg_rest(moving_state *m, kn_time now)
{
    m->from = m->to = m->next = m->at;
    m->began = m->ends = now;
    m->first = UINT32_MAX - 1;
}

static kn_vec3 leg_position(const moving_state *m, kn_time now)
{
    if (now >= m->ends) {
        return m->to;
    }
    if (m->ends == KN_TIME_INFINITE || now <= m->began) {
        return m->from;
    }
    return between(
        m->from, m->to, (float)((double)(now - m->began) / (double)(m->ends - m->began)));
}

// Goes on to the leg that it is on now. False once it is at the end of its way.
static bool legs_follow(moving_state *m, const kn_vec3 *points, uint32_t count, kn_time now)
{
    while (now >= m->ends) {
        if (m->first + 1 >= count) {
            return false;
        }
        m->first++;
        leg_begin(m, m->to, points[m->first], m->ends);
    }
    return true;
}

// The bodies of those that look somewhere.
static void body_write(const unit *u, kn_vec3 at, kn_vec3 towards)
{
    kn_body *body = kn_component_get(u->world, u->kit->bodies, u->entity);
    if (body == NULL) {
        return;
    }
    body->position = at;
    float x = towards.x - at.x, y = towards.y - at.y;
    float length = sqrtf(x * x + y * y);
    if (length > 0.0f) {
        body->facing = (kn_vec3){x / length, y / length, 0.0f};
    }
}

// Ways ------------------------------------------------------------------------------------

// Where to stop on the way from a point to the goal. Rounding must not leave it outside of the
// range.
static kn_vec3 stop_at(kn_vec3 from, kn_vec3 goal, float range)
{
    const float length = (float)distance(from, goal);
    for (uint32_t i = 0; i < 8 && range > 0.0f; i++) {
        const kn_vec3 stop = between(goal, from, range / length);
        if (knc_order_distance(stop, goal) <= range) {
            return stop;
        }
        range *= 0.9999f;
    }
    return goal;
}

// A way on the map of a mover; false if there is none. Writes at most PATH_POINTS points.
static bool path_make(
    const unit *u, kn_vec3 from, kn_vec3 goal, kn_vec3 *points, uint32_t *count, uint32_t *flags)
{
    kn_path_query query = kn_path_query_default();
    query.map = u->def->map;
    query.from = from;
    query.to = goal;
    query.range = unit_move(u)->range;
    query.slack = u->def->slack;
    query.limit = u->def->search_limit;
    const kn_path path = kn_path_find(u->world, &query, points, PATH_POINTS);
    *count = path.count;
    *flags |= path.result == KN_PATH_PARTIAL ? (uint32_t)MOVING_PARTIAL : 0u;
    return path.result != KN_PATH_NONE;
}

// Works out the way from a point, and begins its first leg. KN_MOVE_ARRIVED if it is there already.
static kn_move_result way_make(const unit *u, kn_vec3 from)
{
    const float range = unit_move(u)->range;
    kn_vec3 goal, points[PATH_POINTS];
    uint32_t count = 1, flags = 0;
    if (!goal_find(u, &goal)) {
        return KN_MOVE_LOST;
    }
    if (knc_order_distance(from, goal) <= range) {
        return KN_MOVE_ARRIVED;
    }
    points[0] = stop_at(from, goal, range);
    if (u->def->map.index1 != 0) {
        knc_path_refresh(u->world);
        if (!kn_map_line_is_free(u->world, u->def->map, from, goal) &&
            !path_make(u, from, goal, points, &count, &flags)) {
            return KN_MOVE_UNREACHABLE;
        }
    }
    kn_vec3 *items = kn_component_resize(u->world, u->kit->movings, u->entity, count);
    if (items == NULL) {
        return KN_MOVE_STUCK; // the world is broken
    }
    memcpy(items, points, count * sizeof(*items));
    moving_state *m = unit_get(u);
    m->aim = goal;
    m->first = 0;
    m->flags = flags;
    m->version = knc_path_version(u->world);
    leg_begin(m, from, points[0], kn_world_now(u->world));
    return KN_MOVE_RUNNING;
}

// Whether what is left of the way is free, from where the unit is.
static bool way_is_free(const kn_world *world, kn_map_id map, const moving_state *m,
    const kn_vec3 *points, uint32_t count)
{
    const map_view view = knc_path_view(world, map);
    kn_vec3 from = m->at;
    for (uint32_t i = m->first; view.map != NULL && i < count; i++) {
        if (!knc_path_sees(&view, from, points[i])) {
            return false;
        }
        from = points[i];
    }
    return view.map != NULL;
}

// Timers ----------------------------------------------------------------------------------

static void timer_end(const unit *u)
{
    moving_state *m = unit_get(u);
    if (m->timer.index1 != 0) {
        (void)kn_timer_cancel(u->world, m->timer);
        m->timer = (kn_timer_id){0};
    }
}

// When it will be at the end of its way, if that is not after `limit`; otherwise infinite.
static kn_time way_end(const moving_state *m, const kn_vec3 *points, uint32_t count, kn_time limit)
{
    kn_time time = m->ends;
    for (uint32_t i = m->first + 1; i < count && time <= limit; i++) {
        time = time_add(time, leg_time(points[i - 1], points[i], m->speed));
    }
    return time <= limit ? time : KN_TIME_INFINITE;
}

// Sets the timer if the way ends before the next run, for which this is late enough.
static void timer_set(const unit *u)
{
    const void *points;
    uint32_t count = 0;
    const moving_state *m =
        kn_component_read_whole(u->world, u->kit->movings, u->entity, &points, &count);
    const kn_time now = kn_world_now(u->world);
    const kn_time end = way_end(m, points, count, now + KN_S(1) / u->def->rate + 1);
    kn_timer_id timer = {0};
    uint8_t data[KN_TIMER_DATA_SIZE] = {0};
    kn_writer writer = {data, sizeof(data), 0};
    if (end == KN_TIME_INFINITE && m->timer.index1 == 0) {
        return;
    }
    kn_write_u32(&writer, m->ticket);
    timer_end(u);
    if (end != KN_TIME_INFINITE &&
        kn_timer_start(u->world, u->kit->timer, u->entity, end - now, data, &timer) == KN_OK) {
        unit_get(u)->timer = timer;
    }
}

// Beginning and ending ----------------------------------------------------------------------

static bool list_add(kn_world *world, kn_entity_id entity, const kn_move_info *move)
{
    const mover_kit *kit = knc_mover_kit_of_world(world);
    const kn_entity_id nobody = {0};
    uint32_t count = 0;
    if (kn_component_add(world, kit->list, nobody) == NULL) {
        return false;
    }
    (void)kn_component_read_items(world, kit->list, nobody, &count);
    list_item *items = kn_component_resize(world, kit->list, nobody, count + 1);
    if (items == NULL) {
        return false;
    }
    items[count] = (list_item){entity, move->ticket, move->mover};
    return true;
}

kn_move_result knc_mover_begin(kn_world *world, kn_entity_id entity)
{
    const mover_kit *kit = knc_mover_kit_of_world(world);
    const kn_time now = kn_world_now(world);
    kn_vec3 at;
    unit u;
    moving_state *m = kn_component_add(world, kit->movings, entity);
    if (m == NULL || !unit_find(world, kit, entity, &u) ||
        !knc_mover_position(world, entity, &at)) {
        return KN_MOVE_STUCK;
    }
    const kn_move_info move = *unit_move(&u);
    *m = (moving_state){.ticket = move.ticket, .at = at, .mark = at, .marked = now};
    m->speed = speed_of(world, entity, u.def);
    leg_rest(m, now);
    const kn_move_result result = way_make(&u, at);
    if (result != KN_MOVE_RUNNING) {
        return result;
    }
    if (u.def->stays) {
        return KN_MOVE_UNREACHABLE;
    }
    body_write(&u, at, unit_read(&u)->to);
    if (!list_add(world, entity, &move)) {
        return KN_MOVE_STUCK;
    }
    timer_set(&u);
    return KN_MOVE_RUNNING;
}

// Whether the body is where the mover put it; somebody else may have moved it.
static bool body_is_own(const unit *u, const moving_state *m)
{
    const kn_body *body = kn_component_read(u->world, u->kit->bodies, u->entity);
    return body != NULL && is_same(body->position, m->at);
}

void knc_mover_end(kn_world *world, kn_entity_id entity)
{
    const unit u = {world, knc_mover_kit_of_world(world), entity, NULL};
    const void *points;
    uint32_t count = 0;
    const moving_state *read =
        kn_component_read_whole(world, u.kit->movings, entity, &points, &count);
    if (read == NULL) {
        return;
    }
    moving_state m = *read;
    if (count > 0 && body_is_own(&u, &m)) {
        (void)legs_follow(&m, points, count, kn_world_now(world));
        const kn_vec3 at = leg_position(&m, kn_world_now(world));
        if (!is_same(at, m.at)) {
            body_write(&u, at, m.to);
        }
    }
    timer_end(&u);
    (void)kn_component_remove(world, u.kit->movings, entity);
}

void knc_mover_face(kn_world *world, kn_entity_id entity)
{
    const unit u = {world, knc_mover_kit_of_world(world), entity, NULL};
    kn_vec3 at, goal;
    if (knc_mover_position(world, entity, &at) && goal_find(&u, &goal)) {
        body_write(&u, at, goal);
    }
}

// Runs --------------------------------------------------------------------------------------

// The unit is at the end of its way: it has arrived, unless its goal is elsewhere by now.
static kn_move_result way_ended(const unit *u)
{
    const moving_state *m = unit_read(u);
    kn_vec3 goal;
    if (!goal_find(u, &goal)) {
        return KN_MOVE_LOST;
    }
    if (is_same(goal, m->aim) && (m->flags & MOVING_PARTIAL) == 0) {
        return KN_MOVE_ARRIVED;
    }
    return way_make(u, m->to);
}

static bool is_stuck(const moving_state *m, const kn_mover_def *def, kn_time now)
{
    return def->stuck_after > 0 && now - m->marked >= def->stuck_after;
}

// A unit gets on if it gets a quarter as far from its mark as its speed allows. Those that wait
// because their speed is 0 are not stuck.
static void mark_move(moving_state *m, const kn_mover_def *def, kn_time now)
{
    double reach = (double)m->speed * kn_time_to_seconds(def->stuck_after) * 0.25;
    if (distance(m->at, m->mark) >= reach) { // always without speed
        m->mark = m->at;
        m->marked = now;
    }
}

// Whether the way still leads to the goal. On a map, around corners, its cell is good enough until
// the end: a search for each small step of a target would cost too much.
static bool way_leads_to(const unit *u, const moving_state *m, uint32_t count, kn_vec3 goal)
{
    const map_plan *map = NULL;
    if (u->def->map.index1 != 0 && m->first + 1 < count) {
        map = knc_path_view(u->world, u->def->map).map;
    }
    if (map == NULL || is_same(goal, m->aim)) {
        return is_same(goal, m->aim);
    }
    const cell a = knc_path_cell(map, goal), b = knc_path_cell(map, m->aim);
    return a.x == b.x && a.y == b.y;
}

// Whether the way is still good: nothing was built upon it, and nobody pushed the unit around a
// corner.
static bool way_is_good(
    const unit *u, moving_state *m, const kn_vec3 *points, uint32_t count, bool is_pushed)
{
    if (u->def->map.index1 == 0) {
        return true;
    }
    const uint32_t version = knc_path_version(u->world);
    const bool has_changed = is_pushed || version != m->version;
    m->version = version;
    return !has_changed || way_is_free(u->world, u->def->map, m, points, count);
}

// After the unit was put where it is: goes on with its way, or makes another one.
static kn_move_result unit_go_on(const unit *u, bool is_moved)
{
    const kn_time now = kn_world_now(u->world);
    moving_state *m = unit_get(u);
    uint32_t count = 0;
    const kn_vec3 *points = kn_component_read_items(u->world, u->kit->movings, u->entity, &count);
    kn_vec3 goal;
    if (!goal_find(u, &goal)) {
        return KN_MOVE_LOST;
    }
    const float speed = speed_of(u->world, u->entity, u->def);
    const bool has_speed = speed == m->speed;
    m->speed = speed;
    mark_move(m, u->def, now);
    if (is_stuck(m, u->def, now)) {
        return KN_MOVE_STUCK;
    }
    if (is_moved || m->first >= count || !way_leads_to(u, m, count, goal)) {
        return way_make(u, m->at);
    }
    if (!legs_follow(m, points, count, now)) {
        return way_ended(u);
    }
    const bool is_pushed = (m->flags & MOVING_PUSHED) != 0;
    if (!way_is_good(u, m, points, count, is_pushed)) {
        return way_make(u, m->at);
    }
    if (!has_speed || is_pushed) {
        leg_begin(m, m->at, points[m->first], now);
    }
    return KN_MOVE_RUNNING;
}

static void unit_end(const unit *u, kn_move_result result)
{
    leg_rest(unit_get(u), kn_world_now(u->world));
    knc_move_end(u->world, u->entity, result);
}

// Writes where a unit is, and sees how it goes on.
static void unit_run(const unit *u)
{
    moving_state *m = unit_get(u);
    const kn_body *body = kn_component_read(u->world, u->kit->bodies, u->entity);
    if (body == NULL) {
        unit_end(u, KN_MOVE_STUCK);
        return;
    }
    const bool is_moved = !is_same(body->position, m->at);
    m->at = is_moved ? body->position : m->next;
    const kn_move_result result = unit_go_on(u, is_moved);
    m = unit_get(u);
    if (!is_moved) {
        body_write(u, m->at, m->to);
    }
    if (result != KN_MOVE_RUNNING) {
        unit_end(u, result);
        return;
    }
    timer_set(u);
}

// Others push a unit, but not into what is blocked.
static void unit_push(const unit *u, moving_state *m)
{
    if (u->def->separation <= 0.0f) {
        return;
    }
    const kn_vec3 push = knc_mover_push(u->world, u->kit, u->entity, u->def, m);
    const kn_vec3 to = {m->next.x + push.x, m->next.y + push.y, m->next.z};
    if ((push.x == 0.0f && push.y == 0.0f) ||
        (u->def->map.index1 != 0 && !kn_map_line_is_free(u->world, u->def->map, m->next, to))) {
        return;
    }
    m->next = to;
    m->flags |= MOVING_PUSHED;
}

// Looks where a unit will be after this run.
static void unit_look(const unit *u, moving_state *m)
{
    const kn_time now = kn_world_now(u->world);
    uint32_t count = 0;
    const kn_vec3 *points = kn_component_read_items(u->world, u->kit->movings, u->entity, &count);
    moving_state copy = *m;
    (void)legs_follow(&copy, points, count, now);
    m->next = leg_position(&copy, now);
    m->flags &= ~(uint32_t)MOVING_PUSHED;
    unit_push(u, m);
}

// Of neighbours in the list, most have the same mover.
static const kn_mover_def *def_of(
    const kn_world *world, const list_item *item, kn_mover_id *last, const kn_mover_def *def)
{
    if (item->mover.index1 != last->index1) {
        *last = item->mover;
        def = knc_mover_of(world, item->mover);
    }
    return def;
}

// Looks where all of them will be, before any of them moves. Drops those that move no more.
static void list_look(kn_world *world, const mover_kit *kit, uint32_t rate)
{
    const kn_entity_id nobody = {0};
    uint32_t count = 0, kept = 0;
    kn_mover_id last = {0};
    const kn_mover_def *def = NULL;
    list_item *items = kn_component_items(world, kit->list, nobody, &count);
    for (uint32_t i = 0; i < count; i++) {
        const list_item item = items[i];
        moving_state *m = kn_component_get(world, kit->movings, item.entity);
        def = def_of(world, &item, &last, def);
        if (m == NULL || m->ticket != item.ticket || def == NULL) {
            continue;
        }
        items[kept++] = item;
        if (def->rate == rate) {
            const unit u = {world, kit, item.entity, def};
            unit_look(&u, m);
        }
    }
    (void)kn_component_resize(world, kit->list, nobody, kept);
}

static void system_run(void *user, kn_world *world, const kn_system_run *run)
{
    const mover_kit *kit = user;
    const kn_entity_id nobody = {0};
    uint32_t count = 0;
    (void)kn_component_read_items(world, kit->list, nobody, &count);
    if (count == 0 || kn_world_is_client(world)) {
        return;
    }
    const uint32_t rate = kn_system_get_def(kn_world_library(world), run->system)->rate;
    kn_mover_id last = {0};
    const kn_mover_def *def = NULL;
    list_look(world, kit, rate);
    (void)kn_component_read_items(world, kit->list, nobody, &count);
    for (uint32_t i = 0; i < count; i++) { // those that begin meanwhile come after them
        const list_item *items = kn_component_read_items(world, kit->list, nobody, NULL);
        const list_item item = items[i];
        const moving_state *m = kn_component_read(world, kit->movings, item.entity);
        unit u;
        def = def_of(world, &item, &last, def);
        if (m != NULL && m->ticket == item.ticket && def != NULL && def->rate == rate &&
            unit_find(world, kit, item.entity, &u)) {
            unit_run(&u);
        }
    }
}

static kn_time timer_fired(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const mover_kit *kit = user;
    kn_reader reader = {data, KN_TIMER_DATA_SIZE, 0, false, false};
    const uint32_t ticket = kn_read_u32(&reader);
    const kn_time now = kn_world_now(world);
    unit u;
    moving_state *m = kn_component_get(world, kit->movings, entity);
    if (m == NULL || m->ticket != ticket || !unit_find(world, kit, entity, &u) ||
        kn_world_is_client(world)) {
        return 0;
    }
    m->timer = (kn_timer_id){0};
    if (!body_is_own(&u, m)) {
        return 0; // the next run sees to it
    }
    uint32_t count = 0;
    const kn_vec3 *points = kn_component_read_items(world, kit->movings, entity, &count);
    if (legs_follow(m, points, count, now)) {
        return 0; // it became slower meanwhile
    }
    m->at = leg_position(m, now);
    const kn_vec3 at = m->at, ahead = {at.x * 2 - m->from.x, at.y * 2 - m->from.y, 0.0f};
    const kn_move_result result = way_ended(&u);
    body_write(&u, at, result == KN_MOVE_RUNNING ? unit_read(&u)->to : ahead);
    if (result != KN_MOVE_RUNNING) {
        unit_end(&u, result);
        return 0;
    }
    timer_set(&u);
    return 0;
}

// Registering ---------------------------------------------------------------------------------

// One system for each rate that some mover has.
kn_result knc_mover_systems_register(kn_library *library, mover_kit *kit, kn_error *error)
{
    const uint32_t count = kn_def_count(library, kit->mover_kind);
    kn_result result = count > 0 ? kn_grid_register(library, &kit->bodies, error) : KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= count; i++) {
        const kn_mover_def *mover = kn_def_get(library, kit->mover_kind, i);
        kit->radius_max = mover->radius > kit->radius_max ? mover->radius : kit->radius_max;
        char name[64];
        kn_system_id system;
        kn_system_def def = kn_system_def_default();
        (void)snprintf(name, sizeof(name), "Knack.Mover.%u", mover->rate);
        def.name = name;
        def.rate = mover->rate;
        def.group = KN_SYSTEM_GROUP_MOVEMENT;
        def.function = system_run;
        def.user = kit;
        if (kn_def_find(library, KN_DEF_SYSTEM, name) == 0) {
            result = kn_system_register(library, &def, &system, error);
        }
    }
    return result;
}

kn_result knc_mover_run_register(kn_library *library, mover_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(moving_state, began, KN_FIELD_TIME),
        KN_FIELD(moving_state, ends, KN_FIELD_TIME),
        KN_FIELD(moving_state, marked, KN_FIELD_TIME),
        KN_FIELD(moving_state, timer, KN_FIELD_TIMER),
        KN_FIELD(moving_state, from, KN_FIELD_VEC3),
        KN_FIELD(moving_state, to, KN_FIELD_VEC3),
        KN_FIELD(moving_state, at, KN_FIELD_VEC3),
        KN_FIELD(moving_state, next, KN_FIELD_VEC3),
        KN_FIELD(moving_state, mark, KN_FIELD_VEC3),
        KN_FIELD(moving_state, aim, KN_FIELD_VEC3),
        KN_FIELD(moving_state, speed, KN_FIELD_F32),
        KN_FIELD(moving_state, ticket, KN_FIELD_U32),
        KN_FIELD(moving_state, first, KN_FIELD_U32),
        KN_FIELD(moving_state, flags, KN_FIELD_U32),
        KN_FIELD(moving_state, version, KN_FIELD_U32),
        KN_FIELD(moving_state, unused, KN_FIELD_U32),
    };
    static const kn_field point_fields[] = {KN_FIELD_INIT("point", KN_FIELD_VEC3, 0, 1)};
    static const kn_field list_fields[] = {KN_FIELD_INIT("unused", KN_FIELD_U32, 0, 1)};
    static const kn_field item_fields[] = {
        KN_FIELD(list_item, entity, KN_FIELD_ENTITY),
        KN_FIELD(list_item, ticket, KN_FIELD_U32),
        KN_FIELD_TO(list_item, mover, "mover"),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Moving";
    def.size = sizeof(moving_state);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(kn_vec3);
    def.item_fields = point_fields;
    def.item_field_count = COUNT(point_fields);
    def.sync = KN_SYNC_NONE;
    kn_result result = kn_component_register(library, &def, &kit->movings, error);
    def.name = "Knack.Movings";
    def.size = sizeof(uint32_t);
    def.fields = list_fields;
    def.field_count = COUNT(list_fields);
    def.item_size = sizeof(list_item);
    def.item_fields = item_fields;
    def.item_field_count = COUNT(item_fields);
    if (result == KN_OK) {
        result = kn_component_register(library, &def, &kit->list, error);
    }
    return result != KN_OK ? result
                           : kn_timer_type_register(
                                 library, "Knack.Mover", timer_fired, kit, &kit->timer, error);
}
