// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Capabilities that present, outside of the world. A presenter has a cast for each entity that has
// some, by slot, and in it a unit for each set: one block of memory with the players of the set and
// their states. The heads of entities, which say what sets live on this machine, are followed by
// their changes, so that a frame looks at nobody else.

#include "parts.h"

#include "knack/capability_presenter.h"

#include <string.h>

enum {
    PLAYER_SET_UP = 1 << 0,
    PLAYER_ACTIVE = 1 << 1,
    PLAYER_FRESH = 1 << 2,       // set up in this frame: it is evaluated from the next one on
    PLAYER_WAS_BLOCKED = 1 << 3, // a block has switched it off, or kept it off
};

// A capability of a set on an entity.
typedef struct player {
    kn_time elapsed; // since it was evaluated, without blocked time
    kn_time cadence; // of its interval
    kn_time changed; // when it was switched, in the world's time
    void *state;     // NULL: it has none
    kn_capability_id capability;
    uint32_t place; // in its set
    uint32_t flags; // PLAYER_*
    kn_tag blocked; // what stops it; null: nothing
} player;

typedef struct unit {
    size_t size; // of the whole block
    kn_capability_set_id set;
    uint32_t number;
    uint32_t order; // among the sets of the entity
    uint32_t count;
    bool is_started;
    player players[];
} unit;

typedef struct cast {
    kn_entity_id entity;
    unit **units;
    uint32_t count, capacity;
    uint32_t pass; // the last look at all entities that found it
} cast;

struct kn_capability_presenter {
    kn_capability_presenter_def def;
    const capability_kit *kit;
    const kn_world *world; // of the last frame; only compared
    uint64_t seen;         // changes of heads
    bool is_behind;        // there was no memory for something
    bool is_busy;          // hooks run
    cast *casts;           // by slot
    uint32_t count, capacity;
    uint32_t pass;
};

// A set of an entity.
typedef struct set_of_entity {
    kn_capability_set_id set;
    uint32_t number;
} set_of_entity;

// What hooks are called for.
typedef struct stage {
    const kn_capability_presenter *presenter;
    const kn_world *world;
    kn_entity_id entity;
    const unit *unit;
} stage;

static const capability_plan *plan_of(const stage *s, const player *p)
{
    return &s->presenter->kit->plans[p->capability.index1 - 1];
}

static bool has(const player *p, uint32_t flag)
{
    return (p->flags & flag) != 0;
}

// Hooks -------------------------------------------------------------------------

static kn_capability_call call_of(const stage *s, const player *p)
{
    return (kn_capability_call){.number = knc_capability_number_at(s->unit->number, p->place),
        .set_number = s->unit->number,
        .state = p->state,
        .user = s->presenter->def.user};
}

static void hook(const stage *s, const player *p, const kn_hook *called, kn_time dt)
{
    kn_capability_call call = call_of(s, p);
    call.dt = dt;
    call.writable_state = p->state;
    (void)kn_hook_read(s->world, s->presenter->kit->capability_kind, p->capability.index1, called,
        s->entity, &call);
}

// The answer of a question; without a hook, `otherwise`.
static bool ask(const stage *s, const player *p, const kn_hook *asked, bool otherwise)
{
    kn_capability_call call = call_of(s, p);
    return asked->function == NULL ? otherwise
                                   : kn_hook_read(s->world, s->presenter->kit->capability_kind,
                                         p->capability.index1, asked, s->entity, &call) == KN_OK;
}

static bool should_start(const stage *s, const player *p)
{
    const capability_plan *plan = plan_of(s, p);
    return (!plan->asks_data || knc_capability_data_agrees(s->world, s->entity, plan)) &&
           ask(s, p, &plan->should_activate, true);
}

static bool should_stop(const stage *s, const player *p)
{
    const capability_plan *plan = plan_of(s, p);
    return (plan->asks_data && knc_capability_data_objects(s->world, s->entity, plan)) ||
           ask(s, p, &plan->should_deactivate, false);
}

// One player ----------------------------------------------------------------------

static void player_switch(const stage *s, player *p, bool is_active)
{
    const capability_plan *plan = plan_of(s, p);
    if (has(p, PLAYER_ACTIVE) == is_active) {
        return;
    }
    p->flags ^= PLAYER_ACTIVE;
    p->changed = kn_world_now(s->world);
    if (is_active && plan->def->resets_state && p->state != NULL) {
        memset(p->state, 0, plan->state_size);
    }
    hook(s, p, is_active ? &plan->def->activated : &plan->def->deactivated, 0);
}

static bool begins_active(const stage *s, const player *p)
{
    kn_capability_initial initial = plan_of(s, p)->def->initial;
    return (initial == KN_INITIAL_START || !should_stop(s, p)) &&
           (initial == KN_INITIAL_STOP || should_start(s, p));
}

static bool block_test(const stage *s, player *p)
{
    p->blocked = knc_capability_stopped_by(s->world, s->entity, plan_of(s, p));
    return p->blocked.index1 != 0;
}

static void player_setup(const stage *s, player *p)
{
    p->flags |= PLAYER_SET_UP | PLAYER_FRESH;
    p->elapsed = 0;
    p->cadence = 0;
    hook(s, p, &plan_of(s, p)->def->setup, 0);
    if (block_test(s, p) && !s->presenter->kit->rules->literal_start) {
        p->flags |= PLAYER_WAS_BLOCKED;
    } else if (begins_active(s, p)) {
        player_switch(s, p, true);
    }
}

static void player_end(const stage *s, player *p)
{
    player_switch(s, p, false);
    if (has(p, PLAYER_SET_UP)) {
        p->flags = 0;
        p->blocked = (kn_tag){0};
        hook(s, p, &plan_of(s, p)->def->end_capability, 0);
    }
}

// Blocks reach one that is not evaluated again and again, and it is asked once when they end.
static void unlisted_run(const stage *s, player *p, bool is_blocked)
{
    if (s->presenter->kit->rules->literal_blocks) {
        return;
    }
    bool was_blocked = has(p, PLAYER_WAS_BLOCKED);
    p->flags &= ~(uint32_t)PLAYER_WAS_BLOCKED;
    if (is_blocked) {
        p->flags |= PLAYER_WAS_BLOCKED;
        player_switch(s, p, false);
    } else if (was_blocked && !has(p, PLAYER_ACTIVE) && should_start(s, p)) {
        player_switch(s, p, true);
    }
}

// Whether a player is evaluated now. Blocked time counts neither for intervals nor for ticks.
static bool is_time(player *p, kn_time interval, kn_time dt)
{
    p->elapsed += dt;
    if (interval == 0) {
        return true;
    }
    p->cadence += dt;
    bool is_over = p->cadence >= interval;
    p->cadence %= interval;
    return is_over;
}

static void player_run(const stage *s, player *p, kn_time dt)
{
    const capability_plan *plan = plan_of(s, p);
    bool is_blocked = block_test(s, p);
    if (!plan->def->can_tick) {
        unlisted_run(s, p, is_blocked);
        return;
    }
    if (is_blocked) {
        player_switch(s, p, false);
        return;
    }
    if (!is_time(p, plan->def->interval, dt)) {
        return;
    }
    kn_time elapsed = p->elapsed;
    p->elapsed = 0;
    if (has(p, PLAYER_ACTIVE) ? should_stop(s, p) : should_start(s, p)) {
        player_switch(s, p, !has(p, PLAYER_ACTIVE));
    }
    if (has(p, PLAYER_ACTIVE)) {
        hook(s, p, &plan->tick, elapsed);
    }
}

// Units ---------------------------------------------------------------------------

static size_t aligned(size_t size)
{
    return (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

// The plan of a capability of a set if it presents, otherwise NULL.
static const capability_plan *presented_at(
    const kn_capability_presenter *presenter, const set_plan *plan, uint32_t place)
{
    uint32_t index1 = plan->def->capabilities[place].index1;
    const capability_plan *found = index1 != 0 ? &presenter->kit->plans[index1 - 1] : NULL;
    return found != NULL && found->presents ? found : NULL;
}

// All that a set needs on an entity, in one block; NULL without memory.
static unit *unit_create(
    const kn_capability_presenter *presenter, kn_capability_set_id set, uint32_t number)
{
    const set_plan *plan = &presenter->kit->set_plans[set.index1 - 1];
    size_t at = aligned(sizeof(unit) + plan->presented * sizeof(player)), size = at;
    for (uint32_t i = 0; i < plan->def->capability_count; i++) {
        const capability_plan *capability = presented_at(presenter, plan, i);
        size += capability != NULL ? aligned(capability->state_size) : 0;
    }
    unit *made = kn_memory_resize(&presenter->def.hooks, NULL, 0, size);
    if (made == NULL) {
        return NULL;
    }
    memset(made, 0, size);
    made->size = size;
    made->set = set;
    made->number = number;
    for (uint32_t i = 0; i < plan->def->capability_count; i++) {
        const capability_plan *capability = presented_at(presenter, plan, i);
        if (capability != NULL) {
            player *p = &made->players[made->count++];
            p->capability = plan->def->capabilities[i];
            p->place = i;
            p->state = capability->state_size > 0 ? (uint8_t *)made + at : NULL;
            at += aligned(capability->state_size);
        }
    }
    return made;
}

static void unit_begin(const stage *s, unit *u)
{
    u->is_started = true;
    for (uint32_t i = 0; i < u->count; i++) {
        hook(s, &u->players[i], &plan_of(s, &u->players[i])->def->start_life, 0);
    }
    for (uint32_t i = 0; i < u->count; i++) {
        player *p = &u->players[i];
        if (knc_capability_side_allows(s->world, s->entity, plan_of(s, p)->def->side)) {
            player_setup(s, p);
        }
    }
}

static void unit_end(const stage *s, unit *u)
{
    for (uint32_t i = u->count; i-- > 0;) {
        player_end(s, &u->players[i]);
        hook(s, &u->players[i], &plan_of(s, &u->players[i])->def->end_life, 0);
    }
}

// Casts -----------------------------------------------------------------------------

// Where the cast of a slot is, or belongs.
static uint32_t cast_place(const kn_capability_presenter *presenter, uint32_t index1)
{
    uint32_t first = 0, end = presenter->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (presenter->casts[middle].entity.index1 < index1) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

static cast *cast_find(const kn_capability_presenter *presenter, uint32_t index1)
{
    uint32_t place = cast_place(presenter, index1);
    return place < presenter->count && presenter->casts[place].entity.index1 == index1
               ? &presenter->casts[place]
               : NULL;
}

// A cast without units, for an entity whose slot has none; NULL without memory.
static cast *cast_add(kn_capability_presenter *presenter, kn_entity_id entity)
{
    if (!kn_memory_grow(&presenter->def.hooks, &presenter->casts, &presenter->capacity,
            presenter->count + 1, sizeof(cast))) {
        return NULL;
    }
    uint32_t place = cast_place(presenter, entity.index1);
    cast *made = &presenter->casts[place];
    memmove(made + 1, made, (presenter->count - place) * sizeof(*made));
    *made = (cast){.entity = entity, .pass = presenter->pass};
    presenter->count++;
    return made;
}

static void cast_free(const kn_capability_presenter *presenter, cast *c)
{
    const kn_hooks *hooks = &presenter->def.hooks;
    for (uint32_t i = 0; i < c->count; i++) {
        kn_memory_free(hooks, c->units[i], c->units[i]->size);
    }
    kn_memory_free(hooks, c->units, c->capacity * sizeof(*c->units));
}

static void cast_remove(kn_capability_presenter *presenter, cast *c)
{
    cast_free(presenter, c);
    uint32_t place = (uint32_t)(c - presenter->casts);
    presenter->count--;
    memmove(c, c + 1, (presenter->count - place) * sizeof(*c));
}

// Ends a unit, and takes it out of its cast.
static void cast_unit_end(
    const kn_capability_presenter *presenter, const kn_world *world, cast *c, uint32_t index)
{
    unit *u = c->units[index];
    const stage s = {presenter, world, c->entity, u};
    unit_end(&s, u);
    c->count--;
    memmove(&c->units[index], &c->units[index + 1], (c->count - index) * sizeof(*c->units));
    kn_memory_free(&presenter->def.hooks, u, u->size);
}

static void cast_end(kn_capability_presenter *presenter, const kn_world *world, cast *c)
{
    while (c->count > 0) {
        cast_unit_end(presenter, world, c, c->count - 1);
    }
    cast_remove(presenter, c);
}

// Sides change between frames: what goes does so before what comes.
static void cast_follow_sides(
    const kn_capability_presenter *presenter, const kn_world *world, cast *c)
{
    for (uint32_t i = c->count; i-- > 0;) {
        const stage s = {presenter, world, c->entity, c->units[i]};
        for (uint32_t j = c->units[i]->count; j-- > 0;) {
            player *p = &c->units[i]->players[j];
            if (has(p, PLAYER_SET_UP) &&
                !knc_capability_side_allows(world, c->entity, plan_of(&s, p)->def->side)) {
                player_end(&s, p);
            }
        }
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const stage s = {presenter, world, c->entity, c->units[i]};
        for (uint32_t j = 0; j < c->units[i]->count; j++) {
            player *p = &c->units[i]->players[j];
            if (!has(p, PLAYER_SET_UP) &&
                knc_capability_side_allows(world, c->entity, plan_of(&s, p)->def->side)) {
                player_setup(&s, p);
            }
        }
    }
}

static void cast_run(
    const kn_capability_presenter *presenter, const kn_world *world, cast *c, kn_time dt)
{
    cast_follow_sides(presenter, world, c);
    for (uint32_t i = 0; i < c->count; i++) {
        const stage s = {presenter, world, c->entity, c->units[i]};
        for (uint32_t j = 0; j < c->units[i]->count; j++) {
            player *p = &c->units[i]->players[j];
            if (has(p, PLAYER_SET_UP) && !has(p, PLAYER_FRESH)) {
                player_run(&s, p, dt);
            }
            p->flags &= ~(uint32_t)PLAYER_FRESH;
        }
    }
}

// Following the world -----------------------------------------------------------------

// The sets of an entity that live here and have something to present, in their order.
static uint32_t wanted_read(const kn_capability_presenter *presenter, const kn_world *world,
    kn_entity_id entity, set_of_entity *out)
{
    uint32_t count = 0, wanted = 0;
    const head *heads = kn_component_read_items(world, presenter->kit->heads, entity, &count);
    for (uint32_t i = 0; i < count && wanted < SETS_MAX; i++) {
        if (heads[i].is_there != 0 &&
            presenter->kit->set_plans[heads[i].set.index1 - 1].presented > 0) {
            out[wanted++] = (set_of_entity){heads[i].set, heads[i].number};
        }
    }
    return wanted;
}

static uint32_t unit_find(const cast *c, const set_of_entity *wanted)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->units[i]->number == wanted->number &&
            c->units[i]->set.index1 == wanted->set.index1) {
            return i;
        }
    }
    return UINT32_MAX;
}

// Adds a unit behind the others. False without memory.
static bool unit_add(kn_capability_presenter *presenter, cast *c, const set_of_entity *wanted)
{
    if (!kn_memory_grow(
            &presenter->def.hooks, &c->units, &c->capacity, c->count + 1, sizeof(*c->units))) {
        return false;
    }
    unit *made = unit_create(presenter, wanted->set, wanted->number);
    if (made == NULL) {
        return false;
    }
    c->units[c->count++] = made;
    return true;
}

// In the order of the entity's sets, which a rollback may have changed.
static void units_sort(cast *c, const set_of_entity *wanted, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = unit_find(c, &wanted[i]);
        if (at != UINT32_MAX) {
            c->units[at]->order = i;
        }
    }
    for (uint32_t i = 1; i < c->count; i++) {
        unit *moved = c->units[i];
        uint32_t at = i;
        for (; at > 0 && c->units[at - 1]->order > moved->order; at--) {
            c->units[at] = c->units[at - 1];
        }
        c->units[at] = moved;
    }
}

// Ends the units whose sets are gone, from the last to the first.
static void units_end(kn_capability_presenter *presenter, const kn_world *world, cast *c,
    const set_of_entity *wanted, uint32_t count)
{
    for (uint32_t i = c->count; i-- > 0;) {
        bool is_wanted = false;
        for (uint32_t j = 0; j < count; j++) {
            is_wanted = is_wanted || (wanted[j].number == c->units[i]->number &&
                                         wanted[j].set.index1 == c->units[i]->set.index1);
        }
        if (!is_wanted) {
            cast_unit_end(presenter, world, c, i);
        }
    }
}

// Makes units follow the sets of whoever has a slot now. Memory comes before the first hook.
static void slot_follow(
    kn_capability_presenter *presenter, const kn_world *world, kn_entity_id entity)
{
    set_of_entity wanted[SETS_MAX];
    uint32_t count = wanted_read(presenter, world, entity, wanted);
    cast *c = cast_find(presenter, entity.index1);
    if (c != NULL && !kn_entity_id_equal(c->entity, entity)) {
        cast_end(presenter, world, c); // another entity had the slot
        c = NULL;
    }
    if (c != NULL) {
        c->pass = presenter->pass;
        units_end(presenter, world, c, wanted, count);
    } else if (count > 0) {
        c = cast_add(presenter, entity);
        presenter->is_behind = presenter->is_behind || c == NULL;
    }
    if (c == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (unit_find(c, &wanted[i]) == UINT32_MAX && !unit_add(presenter, c, &wanted[i])) {
            presenter->is_behind = true;
        }
    }
    units_sort(c, wanted, count);
    for (uint32_t i = 0; i < c->count; i++) {
        const stage s = {presenter, world, entity, c->units[i]};
        if (!c->units[i]->is_started) {
            unit_begin(&s, c->units[i]);
        }
    }
    if (c->count == 0) {
        cast_remove(presenter, c);
    }
}

static void all_follow(kn_capability_presenter *presenter, const kn_world *world)
{
    kn_entity_id entity = {0};
    presenter->pass++;
    while ((entity = kn_component_next(world, presenter->kit->heads, entity)).index1 != 0) {
        slot_follow(presenter, world, entity);
    }
    for (uint32_t i = presenter->count; i-- > 0;) {
        if (presenter->casts[i].pass != presenter->pass) {
            cast_end(presenter, world, &presenter->casts[i]);
        }
    }
}

static void changes_follow(
    kn_capability_presenter *presenter, const kn_world *world, kn_component_type_id type)
{
    kn_component_change list[32];
    uint32_t count;
    while ((count = kn_component_list_changes(world, type, presenter->seen, list, 32)) > 0) {
        for (uint32_t i = 0; i < count; i++) {
            if (list[i].entity.index1 != 0) {
                slot_follow(presenter, world, list[i].entity);
            }
        }
        presenter->seen += count;
    }
}

static void world_follow(kn_capability_presenter *presenter, const kn_world *world)
{
    kn_component_type_id type = presenter->kit->heads;
    kn_component_changes changes = kn_component_get_changes(world, type);
    bool looks_at_all = presenter->is_behind || presenter->world != world ||
                        presenter->seen < changes.first || presenter->seen > changes.count;
    presenter->is_behind = false;
    presenter->world = world;
    if (looks_at_all) {
        all_follow(presenter, world);
        kn_component_follow(world, type);
        presenter->seen = changes.count;
    } else if (presenter->seen != changes.count) {
        changes_follow(presenter, world, type);
    }
}

// Frames ----------------------------------------------------------------------------

static kn_result presenter_check(const kn_capability_presenter *presenter, const kn_world *world)
{
    if (presenter == NULL || world == NULL || kn_world_library(world) != presenter->def.library) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    KN_ASSERT(!presenter->is_busy);
    return presenter->is_busy || kn_world_is_locked(world) ? KN_ERROR_WORLD_LOCKED : KN_OK;
}

kn_result kn_capability_present(
    kn_capability_presenter *presenter, const kn_world *world, kn_time dt)
{
    kn_result result = presenter_check(presenter, world);
    if (result != KN_OK) {
        return result;
    }
    if (dt < 0 || dt > KN_TIME_MAX) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (kn_world_is_broken(world)) {
        return KN_ERROR_WORLD_BROKEN;
    }
    if (!presenter->kit->presents) {
        return KN_OK;
    }
    presenter->is_busy = true;
    world_follow(presenter, world);
    for (uint32_t i = 0; i < presenter->count; i++) {
        cast_run(presenter, world, &presenter->casts[i], dt);
    }
    presenter->is_busy = false;
    return presenter->is_behind ? KN_ERROR_OUT_OF_MEMORY : KN_OK;
}

kn_result kn_capability_presenter_clear(kn_capability_presenter *presenter, const kn_world *world)
{
    kn_result result = presenter_check(presenter, world);
    if (result != KN_OK) {
        return result;
    }
    presenter->is_busy = true;
    while (presenter->count > 0) {
        cast_end(presenter, world, &presenter->casts[presenter->count - 1]);
    }
    presenter->is_busy = false;
    presenter->world = NULL;
    return KN_OK;
}

// Creation and destruction ------------------------------------------------------------

kn_capability_presenter_def kn_capability_presenter_def_default(void)
{
    kn_capability_presenter_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_result kn_capability_presenter_create(
    const kn_capability_presenter_def *def, kn_capability_presenter **presenter)
{
    if (presenter == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *presenter = NULL;
    if (def == NULL || def->cookie != KN_COOKIE || !kn_capability_is_there(def->library) ||
        !kn_library_is_finished(def->library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_capability_presenter *made = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*made));
    if (made == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *made = (kn_capability_presenter){.def = *def, .kit = knc_capability_kit_of(def->library)};
    *presenter = made;
    return KN_OK;
}

void kn_capability_presenter_destroy(kn_capability_presenter *presenter)
{
    if (presenter == NULL) {
        return;
    }
    KN_ASSERT(!presenter->is_busy);
    if (presenter->is_busy) {
        return;
    }
    const kn_hooks hooks = presenter->def.hooks;
    for (uint32_t i = 0; i < presenter->count; i++) {
        cast_free(presenter, &presenter->casts[i]);
    }
    kn_memory_free(&hooks, presenter->casts, presenter->capacity * sizeof(cast));
    kn_memory_free(&hooks, presenter, sizeof(*presenter));
}

// Looking at it -------------------------------------------------------------------------

static const cast *cast_of(const kn_capability_presenter *presenter, kn_entity_id entity)
{
    const cast *c = presenter != NULL ? cast_find(presenter, entity.index1) : NULL;
    return c != NULL && kn_entity_id_equal(c->entity, entity) ? c : NULL;
}

static const player *player_find(const kn_capability_presenter *presenter, kn_entity_id entity,
    kn_capability_set_id set, kn_capability_id capability)
{
    const cast *c = cast_of(presenter, entity);
    for (uint32_t i = 0; c != NULL && i < c->count; i++) {
        const unit *u = c->units[i];
        for (uint32_t j = 0; j < u->count; j++) {
            if (u->players[j].capability.index1 == capability.index1 &&
                (set.index1 == 0 || u->set.index1 == set.index1)) {
                return &u->players[j];
            }
        }
    }
    return NULL;
}

bool kn_capability_presenter_is_active(const kn_capability_presenter *presenter,
    kn_entity_id entity, kn_capability_set_id set, kn_capability_id capability)
{
    const player *p = player_find(presenter, entity, set, capability);
    return p != NULL && has(p, PLAYER_ACTIVE);
}

const void *kn_capability_presenter_state(const kn_capability_presenter *presenter,
    kn_entity_id entity, kn_capability_set_id set, kn_capability_id capability)
{
    const player *p = player_find(presenter, entity, set, capability);
    return p != NULL ? p->state : NULL;
}

static kn_capability_info info_of(
    const kn_capability_presenter *presenter, const unit *u, const player *p, uint32_t place)
{
    const kn_capability_def *def = presenter->kit->plans[p->capability.index1 - 1].def;
    return (kn_capability_info){
        .capability = p->capability,
        .set = u->set,
        .number = knc_capability_number_at(u->number, p->place),
        .set_number = u->number,
        .place = place,
        .side = def->side,
        .is_allowed = has(p, PLAYER_SET_UP),
        .is_set_up = has(p, PLAYER_SET_UP),
        .is_active = has(p, PLAYER_ACTIVE),
        .is_enabled = true,
        .can_tick = def->can_tick,
        .is_listed = has(p, PLAYER_SET_UP) && def->can_tick,
        .is_blocked = p->blocked.index1 != 0,
        .blocked_tag = p->blocked,
        .interval = def->interval,
        .changed = p->changed,
    };
}

uint32_t kn_capability_presented(const kn_capability_presenter *presenter, kn_entity_id entity,
    kn_capability_info *out, uint32_t capacity)
{
    const cast *c = cast_of(presenter, entity);
    uint32_t count = 0;
    for (uint32_t i = 0; c != NULL && i < c->count; i++) {
        for (uint32_t j = 0; j < c->units[i]->count; j++, count++) {
            if (count < capacity) {
                out[count] = info_of(presenter, c->units[i], &c->units[i]->players[j], count);
            }
        }
    }
    return count;
}

static void count_add(
    const kn_capability_presenter *presenter, const cast *c, kn_capability_counts *counts)
{
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t j = 0; j < c->units[i]->count; j++) {
            kn_capability_info info = info_of(presenter, c->units[i], &c->units[i]->players[j], 0);
            counts->total++;
            counts->listed += info.is_listed;
            counts->active += info.is_active;
            counts->blocked += info.is_blocked;
        }
    }
    counts->entities++;
}

kn_capability_counts kn_capability_presenter_count(
    const kn_capability_presenter *presenter, kn_entity_id entity)
{
    kn_capability_counts counts = {0};
    const cast *only = cast_of(presenter, entity);
    if (only != NULL) {
        count_add(presenter, only, &counts);
    }
    for (uint32_t i = 0; presenter != NULL && entity.index1 == 0 && i < presenter->count; i++) {
        count_add(presenter, &presenter->casts[i], &counts);
    }
    return counts;
}
