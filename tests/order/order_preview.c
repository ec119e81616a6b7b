// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Previews: the shapes of orders, objects that follow the cursor, and what is shown of selected
// units.

#include "order_test.h"

#include "knack/order_preview.h"

// A builder: it moves, attacks, builds and stands. Only the attack has a preview of its own.
typedef struct crew {
    script *s, *move, *attack, *build;
} crew;

static crew crew_begin(fixture *f)
{
    static kn_tag immobile[1], hostile[1];
    crew c = {type_add(f, "S"), type_add(f, "M"), type_add(f, "K"), type_add(f, "B")};
    immobile[0] = f->immobile;
    hostile[0] = kn_tag_find(f->library, "Knack.Relation.Hostile");
    c.move->def.target_kind = KN_ORDER_TARGET_LOCATION;
    c.move->def.tags.source_blocked = (kn_tags){immobile, 1};
    c.move->def.individual_locations = true;
    c.move->def.spacing = 10;
    c.attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    c.attack->def.tags.target_required = (kn_tags){hostile, 1};
    c.attack->def.preview = "Sword";
    c.attack->def.preview_snap = KN_ORDER_SNAP_OWNER;
    c.attack->def.range = 6;
    c.build->def.target_kind = KN_ORDER_TARGET_LOCATION;
    c.build->def.preview = "Barracks";
    c.build->def.preview_snap = KN_ORDER_SNAP_CURSOR;
    f->unit_def.preview = "Flag";
    f->unit_def.construction.index1 = 4; // types are numbered as they were added
    begin_with(f, kn_world_def_default());
    assert_int_equal(c.build->id.index1, 4);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    place(f, f->unit, 10, 0);
    place(f, f->foe, 50, 0);
    step(f);
    return c;
}

static void order_to(fixture *f, const script *s, float x, float y,
    kn_result (*how)(kn_world *, kn_entity_id, const kn_order *, kn_order_answer *))
{
    kn_order order = kn_order_at(s->id, (kn_vec3){x, y, 0});
    assert_int_equal(how(f->world, f->unit, &order, NULL), KN_OK);
}

static void attack_foe(fixture *f, const crew *c,
    kn_result (*how)(kn_world *, kn_entity_id, const kn_order *, kn_order_answer *))
{
    kn_order order = kn_order_on(c->attack->id, f->foe);
    assert_int_equal(how(f->world, f->unit, &order, NULL), KN_OK);
}

static void expect_line(const kn_preview_shape *shape, float from, float to)
{
    assert_int_equal(shape->kind, KN_PREVIEW_LINE);
    assert_true(shape->from.x == from && shape->at.x == to);
}

static void expect_mark(const kn_preview_shape *shape, float x, const char *model)
{
    assert_int_equal(shape->kind, KN_PREVIEW_MARK);
    assert_true(shape->at.x == x);
    assert_string_equal(shape->model, model);
}

// ORD-054, ORD-240, ORD-244, OD-089, OD-103
static void orders_are_shown_as_a_chain_of_lines_and_markers(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    kn_preview_shape shapes[8];
    assert_int_equal(kn_preview_orders(f->world, f->unit, shapes, 8), 0); // it stands
    order_to(f, c.move, 30, 0, kn_order_issue);
    attack_foe(f, &c, kn_order_enqueue);
    order_to(f, c.build, 90, 0, kn_order_enqueue);
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_preview_orders(f->world, f->unit, shapes, 8), 6);
    assert_true(kn_world_hash(f->world) == hash);
    expect_line(&shapes[0], 10, 30);
    expect_mark(&shapes[1], 30, "Flag"); // that of the unit
    assert_int_equal(shapes[1].use, KN_PREVIEW_CURRENT);
    assert_int_equal(shapes[1].slot, 0);
    assert_true(kn_entity_id_equal(shapes[1].unit, f->unit));
    assert_true(shapes[1].facing.x == 1 && shapes[1].facing.y == 0);
    expect_line(&shapes[2], 30, 50);
    expect_mark(&shapes[3], 50, "Sword"); // its own
    assert_int_equal(shapes[3].use, KN_PREVIEW_QUEUED);
    assert_int_equal(shapes[3].slot, 1);
    assert_true(kn_entity_id_equal(shapes[3].target, f->foe));
    expect_line(&shapes[4], 50, 90);
    expect_mark(&shapes[5], 90, "Barracks");
    assert_int_equal(shapes[5].slot, 2);
    assert_int_equal(shapes[5].target.index1, 0);
    assert_int_equal(kn_preview_orders(f->world, f->unit, shapes, 1), 6); // as many as there are
    assert_int_equal(kn_preview_orders(f->world, f->stone, shapes, 8), 0);
    assert_int_equal(kn_preview_orders(f->world, (kn_entity_id){0}, shapes, 8), 0);
}

// OD-021: a target that is gone is nowhere
static void orders_that_make_no_sense_any_more_are_shown_as_such(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    kn_preview_shape shapes[8];
    order_to(f, c.move, 30, 0, kn_order_issue);
    attack_foe(f, &c, kn_order_enqueue);
    order_to(f, c.build, 90, 0, kn_order_enqueue);
    assert_int_equal(kn_preview_orders(f->world, f->unit, shapes, 8), 6);
    assert_true(shapes[3].is_valid);
    own(f, f->foe, f->player); // they are friends now
    assert_int_equal(kn_preview_orders(f->world, f->unit, shapes, 8), 6);
    assert_true(shapes[1].is_valid && shapes[5].is_valid);
    assert_false(shapes[3].is_valid);
    assert_true(kn_entity_destroy(f->world, f->foe));
    step(f);
    assert_int_equal(kn_preview_orders(f->world, f->unit, shapes, 8), 4);
    expect_line(&shapes[2], 30, 90);
    assert_int_equal(shapes[2].slot, 2);
}

static void long_queues_are_shown_whole(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    static kn_preview_shape shapes[200];
    order_to(f, c.move, 0, 0, kn_order_issue);
    for (int i = 1; i < 100; i++) {
        order_to(f, c.move, (float)i, 0, kn_order_enqueue);
    }
    assert_int_equal(kn_preview_orders(f->world, f->unit, shapes, 200), 200);
    expect_line(&shapes[198], 98, 99);
    assert_int_equal(shapes[199].slot, 99);
}

// ORD-243, ORD-264, OD-100, OD-166
static void an_order_that_is_aimed_shows_range_line_and_ghost(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    kn_preview_shape shapes[8];
    kn_order order = kn_order_on(c.attack->id, f->foe);
    assert_int_equal(kn_preview_aim(f->world, f->unit, &order, shapes, 8), 3);
    assert_int_equal(shapes[0].kind, KN_PREVIEW_RING);
    assert_int_equal(shapes[0].use, KN_PREVIEW_AIMED);
    assert_true(shapes[0].radius == 6 && shapes[0].at.x == 10);
    assert_true(kn_entity_id_equal(shapes[0].target, f->unit)); // it goes where the unit goes
    expect_line(&shapes[1], 10, 50);
    assert_true(shapes[1].is_valid);
    assert_int_equal(shapes[2].kind, KN_PREVIEW_GHOST);
    assert_string_equal(shapes[2].model, "Sword");
    assert_true(shapes[2].at.x == 10 && shapes[2].facing.x == 1); // at the unit, looking there
    order.target = f->friend;
    assert_int_equal(kn_preview_aim(f->world, f->unit, &order, shapes, 8), 3);
    assert_false(shapes[2].is_valid); // it would be refused
    order = kn_order_at(c.build->id, (kn_vec3){10, 20, 5});
    assert_int_equal(kn_preview_aim(f->world, f->unit, &order, shapes, 8), 2); // it has no range
    assert_int_equal(shapes[1].kind, KN_PREVIEW_GHOST);
    assert_true(shapes[1].at.y == 20 && shapes[1].at.z == 5);
    assert_true(shapes[1].facing.x == 0 && shapes[1].facing.y == 0);
    order = kn_order_at(c.move->id, (kn_vec3){10, 20, 5});
    assert_int_equal(kn_preview_aim(f->world, f->unit, &order, shapes, 8), 1); // OD-102: no model
    order = kn_order_of(c.s->id);
    assert_int_equal(kn_preview_aim(f->world, f->unit, &order, shapes, 8), 0);
    order = kn_order_default();
    assert_int_equal(kn_preview_aim(f->world, f->unit, &order, shapes, 8), 0);
}

static void a_group_shows_where_each_unit_would_go(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    kn_entity_id units[] = {f->unit, f->friend, f->stone};
    assert_int_equal(kn_unit_add(f->world, f->friend, f->unit_type), KN_OK);
    place(f, f->friend, 10, 10);
    kn_order_group_def def = kn_order_group_def_default();
    def.units = units; // one of them obeys nobody
    def.unit_count = 3;
    kn_order order = kn_order_at(c.move->id, (kn_vec3){100, 5, 0});
    kn_preview_shape shapes[8];
    uint32_t count = 0;
    assert_int_equal(kn_preview_group(f->world, &def, &order, shapes, 8, &count), KN_OK);
    assert_int_equal(count, 2);
    assert_true(shapes[0].at.x == 100 && shapes[0].at.y == 0);
    assert_true(shapes[1].at.x == 100 && shapes[1].at.y == 10);
    assert_true(kn_entity_id_equal(shapes[1].unit, f->friend));
    gain(f, f->friend, f->immobile);
    assert_int_equal(kn_preview_group(f->world, &def, &order, NULL, 0, &count), KN_OK);
    assert_int_equal(count, 1);
    order.type.index1 = 99;
    assert_int_equal(
        kn_preview_group(f->world, &def, &order, shapes, 8, &count), KN_REFUSED_NOT_FOUND);
    assert_int_equal(count, 0);
}

// OD-094, OD-095, OD-096, OD-097, OD-098, TVD-73
static void previews_snap_to_the_unit_or_the_cursor(void **state)
{
    const kn_vec3 owner = {0, 0, 0}, cursor = {10, 0, 3};
    kn_vec3 at, facing;
    (void)state;
    assert_int_equal(KN_ORDER_SNAP_NONE, 0);
    assert_int_equal(kn_order_type_def_default().preview_snap, KN_ORDER_SNAP_NONE);
    kn_order_snap_place(KN_ORDER_SNAP_NONE, owner, cursor, &at, &facing);
    assert_true(at.x == 10 && at.y == 0 && at.z == 3 && facing.x == 0);
    kn_order_snap_place(KN_ORDER_SNAP_OWNER, owner, cursor, &at, &facing);
    assert_true(at.x == 0 && at.y == 0 && at.z == 0);
    assert_true(facing.x == 1 && facing.y == 0 && facing.z == 0);
    kn_order_snap_place(KN_ORDER_SNAP_CURSOR, owner, cursor, &at, &facing);
    assert_true(at.x == 10 && at.y == 0 && facing.x == 0);
    kn_order_snap_place(KN_ORDER_SNAP_OWNER, owner, (kn_vec3){0, -4, 0}, &at, &facing);
    assert_true(facing.x == 0 && facing.y == -1);
    kn_order_snap_place(KN_ORDER_SNAP_OWNER, cursor, cursor, &at, &facing);
    assert_true(facing.x == 0 && facing.y == 0); // there is no direction
}

// The object that follows the cursor ----------------------------------------------------------

// A host with two kinds of objects. It reads the reach of an ability when it is told about it.
typedef struct stage {
    uint32_t spawned, placed, destroyed, told;
    uint64_t next;
    kn_ability_type_id seen; // in the handler
    float radius;
} stage;

static uint64_t stage_spawn(void *user, const kn_preview *preview)
{
    stage *s = user;
    assert_non_null(preview->model);
    assert_int_equal(preview->instance, 0);
    s->spawned++;
    return ++s->next;
}

static void stage_place(void *user, const kn_preview *preview)
{
    ((stage *)user)->placed++;
    assert_int_not_equal(preview->instance, 0);
}

static void stage_told(void *user, const kn_preview *preview)
{
    stage *s = user;
    s->told++;
    s->seen = kn_preview_get_ability(preview);
    s->radius = s->seen.index1 == 7 ? 450.0f : 0.0f; // the game knows its abilities
}

static void stage_destroy(void *user, const kn_preview *preview)
{
    ((stage *)user)->destroyed++;
    assert_int_not_equal(preview->instance, 0);
}

// OD-090, OD-091, OD-092, OD-093, OD-099, OD-101, OD-104, OD-113, OD-235
static void an_object_follows_the_cursor_while_an_order_is_aimed(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    stage s = {0};
    const kn_preview_host host = {stage_spawn, stage_place, stage_told, stage_destroy, &s};
    kn_preview preview = kn_preview_of(f->world, c.attack->id, f->unit, 3);
    assert_string_equal(preview.model, "Sword");
    assert_int_equal(preview.snap, KN_ORDER_SNAP_OWNER);
    assert_true(kn_entity_id_equal(preview.owner, f->unit));
    assert_int_equal(preview.order.index, 3);
    assert_int_equal(preview.instance, 0); // nothing is configured about it
    preview = kn_preview_default();
    assert_null(preview.model);
    kn_order order = kn_order_of(c.attack->id);
    assert_true(kn_preview_begin(&preview, &host, f->world, f->unit, &order));
    assert_int_equal(preview.instance, 1);
    assert_true(kn_entity_id_equal(preview.owner, f->unit));
    kn_preview_move(&preview, f->world, (kn_vec3){50, 0, 0}, f->foe);
    assert_true(preview.position.x == 10 && preview.facing.x == 1);
    assert_true(preview.is_valid);
    kn_preview_move(&preview, f->world, (kn_vec3){50, 9, 0}, (kn_entity_id){0});
    assert_false(preview.is_valid);
    assert_int_equal(s.placed, 2);
    assert_true(kn_preview_begin(&preview, &host, f->world, f->unit, &order)); // it is used again
    assert_int_equal(s.spawned, 1);
    assert_int_equal(preview.instance, 1);
    order = kn_order_of(c.build->id);
    assert_true(kn_preview_begin(&preview, &host, f->world, f->unit, &order)); // another model
    assert_int_equal(s.spawned, 2);
    assert_int_equal(s.destroyed, 1);
    kn_preview_move(&preview, f->world, (kn_vec3){70, 8, 0}, (kn_entity_id){0});
    assert_true(preview.position.x == 70 && preview.position.y == 8);
    kn_order issued = preview.order; // what the player has aimed
    assert_int_equal(kn_order_issue(f->world, f->unit, &issued, NULL), KN_OK);
    assert_true(issued.location.x == 70);
    kn_preview_end(&preview);
    assert_int_equal(s.destroyed, 2);
    assert_int_equal(preview.instance, 0);
    kn_preview_end(&preview); // nothing more
    assert_int_equal(s.destroyed, 2);
}

// OD-102
static void an_order_without_a_preview_shows_nothing(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    stage s = {0};
    const kn_preview_host host = {stage_spawn, stage_place, stage_told, stage_destroy, &s};
    kn_preview preview = kn_preview_default();
    kn_order order = kn_order_of(c.move->id);
    assert_false(kn_preview_begin(&preview, &host, f->world, f->unit, &order));
    kn_preview_move(&preview, f->world, (kn_vec3){30, 0, 0}, (kn_entity_id){0});
    assert_true(preview.is_valid); // the order can be given all the same
    kn_preview_set_ability(&preview, (kn_ability_type_id){7});
    kn_preview_end(&preview);
    assert_int_equal(s.spawned + s.placed + s.told + s.destroyed, 0);
    order = kn_order_default();
    assert_false(kn_preview_begin(&preview, &host, f->world, f->unit, &order));
    kn_preview_move(&preview, f->world, (kn_vec3){30, 0, 0}, (kn_entity_id){0});
    assert_false(preview.is_valid);
}

// OD-106, OD-107, OD-108, OD-109, OD-110, OD-111, OD-112, TVD-71, TVD-72
static void an_object_is_told_its_ability(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    stage s = {0};
    const kn_preview_host host = {stage_spawn, stage_place, stage_told, stage_destroy, &s};
    kn_preview preview = kn_preview_default();
    kn_order order = kn_order_of(c.attack->id);
    assert_int_equal(kn_preview_get_ability(&preview).index1, 0);
    assert_true(kn_preview_begin(&preview, &host, f->world, f->unit, &order));
    assert_int_equal(s.told, 0); // an order without an ability says nothing
    kn_preview_set_ability(&preview, (kn_ability_type_id){7});
    assert_int_equal(s.told, 1);
    assert_int_equal(s.seen.index1, 7); // the preview has it already
    assert_true(s.radius == 450.0f);
    kn_preview_set_ability(&preview, (kn_ability_type_id){7}); // each time
    assert_int_equal(s.told, 2);
    kn_preview_set_ability(&preview, (kn_ability_type_id){0});
    assert_int_equal(s.told, 3);
    assert_int_equal(s.seen.index1, 0);
    assert_true(s.radius == 0.0f);
    kn_preview_set_ability(&preview, (kn_ability_type_id){8}); // the same object for another one
    assert_int_equal(s.seen.index1, 8);
    assert_int_equal(s.spawned, 1);
    kn_preview_end(&preview);
}

// Selection -----------------------------------------------------------------------------------

// What is on the screen: the slots of markers, by unit.
typedef struct screen {
    char text[256];
    uint32_t clears, shows;
    uint32_t memory; // allocations that succeed; UINT32_MAX: all
} screen;

static void screen_show(void *user, const kn_preview_shape *shape)
{
    screen *s = user;
    s->shows++;
    if (shape->kind == KN_PREVIEW_MARK) {
        size_t length = strlen(s->text);
        (void)snprintf(s->text + length, sizeof(s->text) - length, "%s%u:%u", length > 0 ? " " : "",
            shape->unit.index1, shape->slot);
    }
}

static void screen_clear(void *user, kn_entity_id unit)
{
    screen *s = user;
    char left[256] = "", number[16];
    s->clears++;
    (void)snprintf(number, sizeof(number), "%u:", unit.index1);
    for (char *word = strtok(s->text, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strncmp(word, number, strlen(number)) != 0) {
            size_t length = strlen(left);
            (void)snprintf(
                left + length, sizeof(left) - length, "%s%s", length > 0 ? " " : "", word);
        }
    }
    memcpy(s->text, left, sizeof(left));
}

static void *screen_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    screen *s = user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (s->memory == 0) {
        return NULL;
    }
    s->memory -= s->memory != UINT32_MAX;
    return realloc(ptr, new_size);
}

static kn_previews *screen_follow(screen *s)
{
    kn_previews_def def = kn_previews_def_default();
    kn_previews *previews;
    *s = (screen){.memory = UINT32_MAX};
    def.show = screen_show;
    def.clear = screen_clear;
    def.user = s;
    def.hooks.realloc_fn = screen_realloc;
    def.hooks.realloc_user = s;
    assert_int_equal(kn_previews_create(&def, &previews), KN_OK);
    return previews;
}

#define SCREEN(text_) assert_string_equal(s.text, text_)

// ORD-123, ORD-132, ORD-240, ORD-241, ORD-242
static void orders_of_selected_units_are_on_the_screen(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    screen s;
    kn_previews *previews = screen_follow(&s);
    order_to(f, c.move, 30, 0, kn_order_issue);
    SCREEN(""); // it is not selected
    assert_int_equal(kn_previews_select(previews, f->world, f->unit), KN_OK);
    assert_true(kn_previews_is_selected(previews, f->unit));
    assert_int_equal(f->unit.index1, 3);
    SCREEN("3:0");
    assert_int_equal(s.shows, 2);                 // a line and a marker
    order_to(f, c.move, 60, 0, kn_order_enqueue); // enqueued
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    SCREEN("3:0 3:1");
    attack_foe(f, &c, kn_order_insert_after); // inserted
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    SCREEN("3:0 3:1 3:2");
    uint32_t clears = s.clears;
    step(f);
    place(f, f->unit, 11, 0);
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    assert_int_equal(s.clears, clears); // nothing has changed
    end(f, c.move, KN_ORDER_SUCCEEDED); // another one is current
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    SCREEN("3:0 3:1");
    assert_int_equal(kn_order_clear_queue(f->world, f->unit), KN_OK);
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    SCREEN("3:0");
    assert_int_equal(kn_previews_deselect(previews, f->world, f->unit), KN_OK);
    SCREEN("");
    assert_false(kn_previews_is_selected(previews, f->unit));
    assert_int_equal(kn_previews_deselect(previews, f->world, f->unit), KN_OK);
    clears = s.clears;
    order_to(f, c.move, 99, 0, kn_order_issue);
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    SCREEN("");
    assert_int_equal(s.clears, clears);
    kn_previews_destroy(previews);
}

typedef struct reaction {
    kn_previews *previews;
    uint32_t changes;
} reaction;

static void on_change(void *user, kn_world *world, const kn_event *event)
{
    reaction *r = user;
    (void)event;
    assert_int_equal(kn_previews_update(r->previews, world), KN_OK); // first, as always
    r->changes++;                                                    // then what is our own
}

// ORD-071: a game may refresh previews, and do more, when an order has changed
static void a_listener_may_refresh_previews(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    screen s;
    reaction r = {.previews = screen_follow(&s)};
    kn_listener_def def = kn_listener_def_default();
    kn_listener_id listener;
    def.type = KN_EVENT_CUSTOM;
    def.custom = kn_custom_event_find(f->library, "Knack.OrderChanged");
    def.function = on_change;
    def.user = &r;
    assert_int_equal(kn_listener_add(f->world, &def, &listener), KN_OK);
    assert_int_equal(kn_previews_select(r.previews, f->world, f->unit), KN_OK);
    SCREEN("");
    order_to(f, c.move, 30, 0, kn_order_issue);
    SCREEN(""); // listeners are called after the step
    step(f);
    SCREEN("3:0");
    assert_int_equal(r.changes, 1);
    kn_previews_destroy(r.previews);
}

// ORD-055, ORD-241
static void what_is_being_built_stays_on_the_screen(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    screen s;
    kn_previews *previews = screen_follow(&s);
    order_to(f, c.move, 30, 0, kn_order_issue);
    order_to(f, c.build, 60, 0, kn_order_enqueue);
    assert_int_equal(kn_previews_select(previews, f->world, f->unit), KN_OK);
    SCREEN("3:0 3:1");
    assert_int_equal(kn_previews_deselect(previews, f->world, f->unit), KN_OK);
    SCREEN("3:1");
    end(f, c.move, KN_ORDER_SUCCEEDED); // the unit builds
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    SCREEN("3:0");
    assert_int_equal(kn_previews_select(previews, f->world, f->unit), KN_OK); // and again
    SCREEN("3:0");
    assert_int_equal(kn_previews_deselect(previews, f->world, f->unit), KN_OK);
    SCREEN("3:0");
    end(f, c.build, KN_ORDER_SUCCEEDED);
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    SCREEN("");
    kn_previews_destroy(previews);
}

static void units_that_are_gone_leave_the_screen(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    screen s;
    kn_previews *previews = screen_follow(&s);
    assert_int_equal(kn_unit_add(f->world, f->friend, f->unit_type), KN_OK);
    order_to(f, c.move, 30, 0, kn_order_issue);
    kn_order order = kn_order_at(c.move->id, (kn_vec3){5, 5, 0});
    assert_int_equal(kn_order_issue(f->world, f->friend, &order, NULL), KN_OK);
    assert_int_equal(kn_previews_select(previews, f->world, f->unit), KN_OK);
    assert_int_equal(kn_previews_select(previews, f->world, f->friend), KN_OK);
    assert_int_equal(kn_previews_select(previews, f->world, f->stone), KN_REFUSED_NOT_FOUND);
    SCREEN("3:0 5:0");
    assert_true(kn_entity_destroy(f->world, f->unit));
    step(f);
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    SCREEN("5:0");
    assert_false(kn_previews_is_selected(previews, f->unit));
    assert_int_equal(kn_previews_select(previews, f->world, f->unit), KN_REFUSED_NOT_FOUND);
    kn_previews_destroy(previews);
    SCREEN("");
    kn_previews_destroy(NULL);
}

static void without_memory_nothing_is_half_shown(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    screen s;
    kn_previews *previews = screen_follow(&s);
    order_to(f, c.move, 30, 0, kn_order_issue);
    uint32_t failures = 0;
    for (s.memory = 0;; s.memory = ++failures) {
        kn_result result = kn_previews_select(previews, f->world, f->unit);
        if (result == KN_OK) {
            break;
        }
        assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
        assert_int_equal(s.shows + s.clears, 0);
        assert_false(kn_previews_is_selected(previews, f->unit));
    }
    assert_true(failures > 0);
    SCREEN("3:0");
    for (int i = 0; i < 40; i++) {
        order_to(f, c.move, (float)(100 + i), 0, kn_order_enqueue);
    }
    s.memory = 0;
    assert_int_equal(kn_previews_update(previews, f->world), KN_ERROR_OUT_OF_MEMORY);
    SCREEN("3:0"); // as it was
    s.memory = UINT32_MAX;
    assert_int_equal(kn_previews_update(previews, f->world), KN_OK);
    assert_int_equal(s.shows, 2 + 2 * 41);
    kn_previews_def def = kn_previews_def_default();
    kn_previews *none;
    assert_int_equal(kn_previews_create(&def, &none), KN_ERROR_INVALID_ARGUMENT);
    assert_null(none);
    kn_previews_destroy(previews);
}

// OD-231: previews need no authority
static void clients_have_previews(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f);
    order_to(f, c.move, 30, 0, kn_order_issue);
    size_t size;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(f->world, bytes, size, &size), KN_OK);
    kn_world_def def = kn_world_def_default();
    kn_world *client = NULL;
    kn_error error = {0};
    def.library = f->library;
    def.is_client = true;
    assert_int_equal(kn_world_create(&def, &client), KN_OK);
    assert_int_equal(kn_save_read(client, bytes, size, &error), KN_OK);
    free(bytes);
    screen s;
    kn_previews *previews = screen_follow(&s);
    assert_int_equal(kn_previews_select(previews, client, f->unit), KN_OK);
    SCREEN("3:0");
    kn_preview_shape shapes[4];
    kn_order order = kn_order_at(c.build->id, (kn_vec3){1, 2, 0});
    assert_int_equal(kn_preview_aim(client, f->unit, &order, shapes, 4), 2);
    kn_previews_destroy(previews);
    kn_world_destroy(client);
}

static const struct CMUnitTest tests[] = {
    TEST(orders_are_shown_as_a_chain_of_lines_and_markers),
    TEST(orders_that_make_no_sense_any_more_are_shown_as_such),
    TEST(long_queues_are_shown_whole),
    TEST(an_order_that_is_aimed_shows_range_line_and_ghost),
    TEST(a_group_shows_where_each_unit_would_go),
    cmocka_unit_test(previews_snap_to_the_unit_or_the_cursor),
    TEST(an_object_follows_the_cursor_while_an_order_is_aimed),
    TEST(an_order_without_a_preview_shows_nothing),
    TEST(an_object_is_told_its_ability),
    TEST(orders_of_selected_units_are_on_the_screen),
    TEST(a_listener_may_refresh_previews),
    TEST(what_is_being_built_stays_on_the_screen),
    TEST(units_that_are_gone_leave_the_screen),
    TEST(without_memory_nothing_is_half_shown),
    TEST(clients_have_previews),
};

TEST_GROUP(order_preview, tests, NULL, NULL);
