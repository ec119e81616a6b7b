// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Previews: what to show for orders. They only read; what is shown is remembered outside of the
// world, as the orders that it was shown for.

#include "parts.h"

#include "knack/order_preview.h"

#include <math.h>
#include <string.h>

#define PREVIEWS_COOKIE 0x7672706fu

// Shapes ------------------------------------------------------------------------------

// Where shapes go; those without room are counted.
typedef struct canvas {
    kn_preview_shape *out;
    uint32_t capacity, count;
} canvas;

static void canvas_add(canvas *c, const kn_preview_shape *shape)
{
    if (c->out != NULL && c->count < c->capacity) {
        c->out[c->count] = *shape;
    }
    c->count++;
}

// The direction from one point to another; zero if there is none.
static kn_vec3 direction(kn_vec3 from, kn_vec3 to)
{
    float x = to.x - from.x, y = to.y - from.y;
    float length = sqrtf(x * x + y * y);
    return length > 0.0f && isfinite(length) ? (kn_vec3){x / length, y / length, 0.0f}
                                             : (kn_vec3){0};
}

void kn_order_snap_place(
    kn_order_snap snap, kn_vec3 owner, kn_vec3 cursor, kn_vec3 *position, kn_vec3 *facing)
{
    bool is_at_owner = snap == KN_ORDER_SNAP_OWNER;
    *position = is_at_owner ? owner : cursor;
    *facing = is_at_owner ? direction(owner, cursor) : (kn_vec3){0};
}

// Where an order leads; false if it leads nowhere.
static bool order_leads(const kn_world *world, const kn_order *order, kn_vec3 *at)
{
    if (kn_entity_is_alive(world, order->target)) {
        *at = knc_order_position(world, order->target);
        return true;
    }
    *at = order->location;
    return order->uses_location != 0;
}

static const kn_unit_type_def *unit_def_of(const kn_world *world, kn_entity_id unit)
{
    return kn_def_get(kn_world_library(world), knc_order_kit_of_world(world)->unit_kind,
        kn_unit_get_type(world, unit).index1);
}

static const char *model_of(const kn_world *world, kn_entity_id unit, const kn_order *order)
{
    const kn_order_display look = kn_order_get_unit_display(world, order->type, unit, order->index);
    const kn_unit_type_def *own = unit_def_of(world, unit);
    if (look.preview != NULL) {
        return look.preview;
    }
    return own != NULL ? own->preview : NULL;
}

// The shapes of one order of a unit, from where the one before leads.
static void order_draw(const kn_world *world, canvas *c, kn_entity_id unit, const kn_order *order,
    uint32_t slot, kn_vec3 *from)
{
    kn_vec3 at;
    if (!order_leads(world, order, &at)) {
        return;
    }
    kn_preview_shape shape = {.kind = KN_PREVIEW_LINE,
        .use = slot == 0 ? KN_PREVIEW_CURRENT : KN_PREVIEW_QUEUED,
        .slot = slot,
        .unit = unit,
        .order = *order,
        .from = *from,
        .at = at,
        .facing = direction(*from, at),
        .is_valid = slot == 0 || kn_order_check(world, unit, order, NULL)};
    if (kn_entity_is_alive(world, order->target)) {
        shape.target = order->target;
    }
    canvas_add(c, &shape);
    shape.kind = KN_PREVIEW_MARK;
    shape.from = (kn_vec3){0};
    shape.model = model_of(world, unit, order);
    canvas_add(c, &shape);
    *from = at;
}

// The current order comes first; `only` is a type, or null for all.
static void orders_draw(const kn_world *world, canvas *c, kn_entity_id unit, const kn_order *orders,
    uint32_t count, kn_order_type_id only)
{
    kn_vec3 from = knc_order_position(world, unit);
    for (uint32_t i = 0; i < count; i++) {
        if (only.index1 == 0 || orders[i].type.index1 == only.index1) {
            order_draw(world, c, unit, &orders[i], i, &from);
        }
    }
}

// The orders of a unit, the current one first; at most `capacity`.
static uint32_t orders_read(
    const kn_world *world, kn_entity_id unit, kn_order *out, uint32_t capacity)
{
    kn_unit_info info;
    if (knc_order_kit_of_world(world) == NULL || !kn_unit_get_info(world, unit, &info)) {
        return 0;
    }
    if (capacity > 0) {
        out[0] = info.current;
        (void)kn_unit_queue(world, unit, out + 1, capacity - 1);
    }
    return 1 + info.queue_count;
}

uint32_t kn_preview_orders(
    const kn_world *world, kn_entity_id unit, kn_preview_shape *out, uint32_t capacity)
{
    canvas c = {out, capacity, 0};
    kn_order few[16], *orders = few;
    uint32_t count = orders_read(world, unit, few, COUNT(few));
    if (count > COUNT(few)) {
        orders = kn_memory_resize(NULL, NULL, 0, count * sizeof(*orders));
        uint32_t room = orders != NULL ? count : COUNT(few);
        orders = orders != NULL ? orders : few; // without memory, the first ones
        count = room;
        (void)orders_read(world, unit, orders, room);
    }
    if (count > 0) {
        orders_draw(world, &c, unit, orders, count, (kn_order_type_id){0});
    }
    if (orders != few) {
        kn_memory_free(NULL, orders, count * sizeof(*orders));
    }
    return c.count;
}

static void aim_draw(const kn_world *world, canvas *c, kn_entity_id unit, const kn_order *order)
{
    const kn_order_display look = kn_order_get_unit_display(world, order->type, unit, order->index);
    const kn_vec3 here = knc_order_position(world, unit);
    kn_vec3 there;
    bool leads = order_leads(world, order, &there);
    kn_preview_shape shape = {.kind = KN_PREVIEW_RING,
        .use = KN_PREVIEW_AIMED,
        .unit = unit,
        .order = *order,
        .target = unit,
        .at = here,
        .radius = kn_order_get_range(world, order->type, unit, order->index),
        .is_valid = kn_order_check(world, unit, order, NULL)};
    if (shape.radius > 0.0f) {
        canvas_add(c, &shape);
    }
    if (!leads) {
        return;
    }
    shape.kind = KN_PREVIEW_LINE;
    shape.radius = 0.0f;
    shape.from = here;
    shape.at = there;
    shape.facing = direction(here, there);
    shape.target = kn_entity_is_alive(world, order->target) ? order->target : (kn_entity_id){0};
    canvas_add(c, &shape);
    if (look.preview == NULL) {
        return;
    }
    shape.kind = KN_PREVIEW_GHOST;
    shape.model = look.preview;
    shape.from = (kn_vec3){0};
    kn_order_snap_place(look.preview_snap, here, there, &shape.at, &shape.facing);
    if (look.preview_snap == KN_ORDER_SNAP_OWNER) {
        shape.target = unit;
    }
    canvas_add(c, &shape);
}

uint32_t kn_preview_aim(const kn_world *world, kn_entity_id unit, const kn_order *order,
    kn_preview_shape *out, uint32_t capacity)
{
    canvas c = {out, capacity, 0};
    if (knc_order_type_of(world, order->type) != NULL && kn_entity_is_alive(world, unit)) {
        aim_draw(world, &c, unit, order);
    }
    return c.count;
}

kn_result kn_preview_group(const kn_world *world, const kn_order_group_def *def,
    const kn_order *order, kn_preview_shape *out, uint32_t capacity, uint32_t *count)
{
    canvas c = {out, capacity, 0};
    uint32_t units = 0;
    *count = 0;
    kn_result result = kn_order_plan_group(world, def, order, NULL, 0, &units);
    if (result != KN_OK || units == 0) {
        return result;
    }
    kn_order_share *shares = kn_memory_resize(NULL, NULL, 0, units * sizeof(*shares));
    if (shares == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    result = kn_order_plan_group(world, def, order, shares, units, count);
    for (uint32_t i = 0; result == KN_OK && i < units; i++) {
        aim_draw(world, &c, shares[i].unit, &shares[i].order);
    }
    kn_memory_free(NULL, shares, units * sizeof(*shares));
    *count = c.count;
    return result;
}

// One object that follows the cursor ------------------------------------------------------

kn_preview kn_preview_default(void)
{
    kn_preview preview = {.order = kn_order_default()};
    return preview;
}

kn_preview kn_preview_of(
    const kn_world *world, kn_order_type_id type, kn_entity_id owner, int32_t index)
{
    const kn_order_type_def *def = knc_order_type_of(world, type);
    kn_preview preview = kn_preview_default();
    if (def != NULL) {
        preview.owner = owner;
        preview.order = kn_order_of(type);
        preview.order.index = index;
        const kn_order_display look = kn_order_get_unit_display(world, type, owner, index);
        preview.model = look.preview;
        preview.snap = look.preview_snap;
        preview.ability = knc_order_ability(world, def, type, owner, index);
    }
    return preview;
}

static void host_call(const kn_preview *preview, kn_preview_fn *function)
{
    if (preview->instance != 0 && function != NULL) {
        function(preview->host->user, preview);
    }
}

bool kn_preview_begin(kn_preview *preview, const kn_preview_host *host, const kn_world *world,
    kn_entity_id owner, const kn_order *order)
{
    kn_preview next = kn_preview_of(world, order->type, owner, order->index);
    next.host = host;
    if (preview->instance != 0 && preview->host == host && next.model != NULL &&
        strcmp(next.model, preview->model) == 0) {
        next.instance = preview->instance;
    } else {
        kn_preview_end(preview);
    }
    *preview = next;
    if (preview->instance == 0 && preview->model != NULL) {
        preview->instance = host->spawn(host->user, preview);
    }
    return preview->instance != 0;
}

void kn_preview_move(kn_preview *preview, const kn_world *world, kn_vec3 cursor, kn_entity_id under)
{
    if (preview->order.type.index1 == 0) {
        return;
    }
    kn_order_set_location(&preview->order, cursor);
    preview->order.target = under;
    preview->is_valid = kn_order_check(world, preview->owner, &preview->order, NULL);
    kn_order_snap_place(preview->snap, knc_order_position(world, preview->owner), cursor,
        &preview->position, &preview->facing);
    if (preview->host != NULL) {
        host_call(preview, preview->host->place);
    }
}

void kn_preview_set_ability(kn_preview *preview, kn_ability_type_id ability)
{
    preview->ability = ability;
    if (preview->host != NULL) {
        host_call(preview, preview->host->ability_set);
    }
}

kn_ability_type_id kn_preview_get_ability(const kn_preview *preview)
{
    return preview->ability;
}

void kn_preview_end(kn_preview *preview)
{
    if (preview->host != NULL) {
        host_call(preview, preview->host->destroy);
    }
    *preview = kn_preview_default();
}

// Orders of what is selected --------------------------------------------------------------

// A unit, and the orders that are shown.
typedef struct shown {
    kn_entity_id unit;
    kn_order *orders; // the current one first
    uint32_t count, capacity;
    bool is_selected; // otherwise only what it constructs is shown
} shown;

struct kn_previews {
    kn_previews_def def;
    shown *units;
    uint32_t count, capacity;
    kn_order *orders; // those of one unit now
    uint32_t order_capacity;
    kn_preview_shape *shapes;
    uint32_t shape_capacity;
};

kn_previews_def kn_previews_def_default(void)
{
    kn_previews_def def = {.cookie = PREVIEWS_COOKIE};
    return def;
}

kn_result kn_previews_create(const kn_previews_def *def, kn_previews **previews)
{
    *previews = NULL;
    if (def == NULL || def->cookie != PREVIEWS_COOKIE || def->show == NULL || def->clear == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_previews *made = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*made));
    if (made == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *made = (kn_previews){.def = *def};
    *previews = made;
    return KN_OK;
}

static shown *shown_find(const kn_previews *p, kn_entity_id unit)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (kn_entity_id_equal(p->units[i].unit, unit)) {
            return &p->units[i];
        }
    }
    return NULL;
}

static void shown_remove(kn_previews *p, shown *s)
{
    p->def.clear(p->def.user, s->unit);
    kn_memory_free(&p->def.hooks, s->orders, s->capacity * sizeof(*s->orders));
    p->count--;
    memmove(s, s + 1, (size_t)(p->units + p->count - s) * sizeof(*s));
}

void kn_previews_destroy(kn_previews *previews)
{
    if (previews == NULL) {
        return;
    }
    while (previews->count > 0) {
        shown_remove(previews, &previews->units[previews->count - 1]);
    }
    const kn_hooks hooks = previews->def.hooks;
    kn_memory_free(&hooks, previews->units, previews->capacity * sizeof(*previews->units));
    kn_memory_free(&hooks, previews->orders, previews->order_capacity * sizeof(*previews->orders));
    kn_memory_free(&hooks, previews->shapes, previews->shape_capacity * sizeof(*previews->shapes));
    kn_memory_free(&hooks, previews, sizeof(*previews));
}

// Reads the orders of a unit to `orders`.
static bool now_read(kn_previews *p, const kn_world *world, kn_entity_id unit, uint32_t *count)
{
    *count = orders_read(world, unit, NULL, 0);
    if (!kn_memory_grow(
            &p->def.hooks, &p->orders, &p->order_capacity, *count, sizeof(*p->orders))) {
        return false;
    }
    (void)orders_read(world, unit, p->orders, *count);
    return true;
}

static bool is_as_shown(const kn_previews *p, const shown *s, uint32_t count)
{
    for (uint32_t i = 0; s->count == count && i < count; i++) {
        if (!kn_order_equal(&s->orders[i], &p->orders[i])) {
            return false;
        }
    }
    return s->count == count;
}

// Shows the orders that were read: all memory first, so that nothing is half shown.
static bool shown_draw(kn_previews *p, const kn_world *world, shown *s, uint32_t count)
{
    const kn_unit_type_def *def = unit_def_of(world, s->unit);
    const kn_order_type_id only =
        s->is_selected || def == NULL ? (kn_order_type_id){0} : def->construction;
    if (!kn_memory_grow(&p->def.hooks, &s->orders, &s->capacity, count, sizeof(*s->orders)) ||
        !kn_memory_grow(
            &p->def.hooks, &p->shapes, &p->shape_capacity, count * 2, sizeof(*p->shapes))) {
        return false;
    }
    memcpy(s->orders, p->orders, count * sizeof(*s->orders));
    s->count = count;
    canvas c = {p->shapes, p->shape_capacity, 0};
    orders_draw(world, &c, s->unit, p->orders, count, only);
    p->def.clear(p->def.user, s->unit);
    for (uint32_t i = 0; i < c.count; i++) {
        p->def.show(p->def.user, &p->shapes[i]);
    }
    return true;
}

kn_result kn_previews_select(kn_previews *previews, const kn_world *world, kn_entity_id unit)
{
    kn_previews *p = previews;
    uint32_t count;
    if (kn_unit_get_type(world, unit).index1 == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (!now_read(p, world, unit, &count)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    shown *s = shown_find(p, unit);
    if (s != NULL) {
        bool was_selected = s->is_selected;
        s->is_selected = true;
        if (!shown_draw(p, world, s, count)) {
            s->is_selected = was_selected;
            return KN_ERROR_OUT_OF_MEMORY;
        }
        return KN_OK;
    }
    if (!kn_memory_grow(&p->def.hooks, &p->units, &p->capacity, p->count + 1, sizeof(*p->units))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    shown fresh = {.unit = unit, .is_selected = true};
    if (!shown_draw(p, world, &fresh, count)) {
        kn_memory_free(&p->def.hooks, fresh.orders, fresh.capacity * sizeof(*fresh.orders));
        return KN_ERROR_OUT_OF_MEMORY;
    }
    p->units[p->count++] = fresh;
    return KN_OK;
}

// Whether something that a unit constructs is among its orders as shown.
static bool constructs(
    const kn_world *world, const kn_order *orders, uint32_t count, kn_entity_id unit)
{
    const kn_unit_type_def *def = unit_def_of(world, unit);
    for (uint32_t i = 0; def != NULL && def->construction.index1 != 0 && i < count; i++) {
        if (orders[i].type.index1 == def->construction.index1) {
            return true;
        }
    }
    return false;
}

// Shows a unit anew if its orders have changed, or `is_other` has; drops one that nothing is shown
// of any more.
static bool shown_update(kn_previews *p, const kn_world *world, shown *s, bool is_other)
{
    uint32_t count;
    if (!now_read(p, world, s->unit, &count)) {
        return false;
    }
    if (count == 0 || (!s->is_selected && !constructs(world, p->orders, count, s->unit))) {
        shown_remove(p, s);
        return true;
    }
    return (!is_other && is_as_shown(p, s, count)) || shown_draw(p, world, s, count);
}

kn_result kn_previews_deselect(kn_previews *previews, const kn_world *world, kn_entity_id unit)
{
    shown *s = shown_find(previews, unit);
    if (s == NULL || !s->is_selected) {
        return KN_OK;
    }
    s->is_selected = false;
    if (!shown_update(previews, world, s, true)) {
        shown_remove(previews, s);
    }
    return KN_OK;
}

kn_result kn_previews_update(kn_previews *previews, const kn_world *world)
{
    kn_result result = KN_OK;
    for (uint32_t i = previews->count; i-- > 0;) { // from the end, as some may go
        if (!shown_update(previews, world, &previews->units[i], false)) {
            result = KN_ERROR_OUT_OF_MEMORY;
        }
    }
    return result;
}

bool kn_previews_is_selected(const kn_previews *previews, kn_entity_id unit)
{
    const shown *s = shown_find(previews, unit);
    return s != NULL && s->is_selected;
}
