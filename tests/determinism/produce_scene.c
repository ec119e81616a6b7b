// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Two towns as a scene: halls make workers, workers gather, build and help, and a mayor of each
// side gives orders at random, cancels, and lets things burn down or change hands.

#include "determinism.h"
#include "scenes/scene_tools.h"

#include "knack/mover.h"
#include "knack/order_produce.h"
#include "knack/tree.h"

#define STREAM 0
#define SIDES 2
#define MINES 3

typedef enum act { MAKE, CANCEL, RALLY, BUILD, HELP, RAZE, GATHER, BRING, ACT_COUNT } act;
static const char *const act_names[ACT_COUNT] = {"Knack.Produce", "Knack.CancelProduct",
    "Knack.Rally", "Knack.Build", "Knack.Construct", "Knack.CancelSite", "Knack.Gather",
    "Knack.Return"};

static uint32_t dice(kn_world *world, uint32_t sides)
{
    return kn_random_below(world, STREAM, sides);
}

// A place, by chance. One draw after the other: arguments of a call come in any order.
static kn_vec3 somewhere(kn_world *world)
{
    kn_vec3 at = {0};
    at.x = (float)dice(world, 30);
    at.y = (float)dice(world, 30);
    return at;
}

// An entity with a body and a tag, by chance; null if there is none.
static kn_entity_id one_of(kn_world *world, const char *name)
{
    const kn_library *library = kn_world_library(world);
    const kn_component_type_id bodies = kn_component_find(library, KN_GRID_BODY_NAME);
    const kn_tag tag = kn_tag_find(library, name);
    kn_entity_id at = {0}, found = {0};
    uint32_t skip = dice(world, 8);
    for (uint32_t i = 0; i < 200; i++) {
        at = kn_component_next(world, bodies, at);
        if (kn_entity_has_tag(world, at, tag)) {
            found = at;
            if (skip-- == 0) {
                break;
            }
        }
    }
    return found;
}

static void body_set(kn_world *world, kn_entity_id entity, kn_vec3 at)
{
    kn_body *body = kn_component_add(
        world, kn_component_find(kn_world_library(world), KN_GRID_BODY_NAME), entity);
    if (body != NULL) {
        *body = kn_body_default();
        body->position = at;
    }
}

static kn_entity_id town_spawn(
    kn_world *world, const char *archetype, kn_entity_id owner, kn_vec3 at)
{
    kn_entity_id entity = {0};
    const kn_archetype_id id = kn_archetype_find(kn_world_library(world), archetype);
    if (kn_archetype_spawn(world, id, 1, &entity) == KN_OK) {
        (void)kn_entity_set_owner(world, entity, owner);
        body_set(world, entity, at);
    }
    return entity;
}

// Acts ----------------------------------------------------------------------------------

static void order_at_random(kn_world *world)
{
    static const struct {
        act act;
        const char *unit, *target;
    } rows[] = {
        {MAKE, "Town.Hall", NULL},
        {MAKE, "Town.Hall", NULL},
        {CANCEL, "Town.Hall", NULL},
        {RALLY, "Town.Hall", "Knack.Kind.Resource"},
        {RALLY, "Town.Hall", NULL},
        {BUILD, "Town.Worker", NULL},
        {BUILD, "Town.Worker", NULL},
        {HELP, "Town.Worker", "Knack.Status.Constructing"},
        {HELP, "Town.Worker", "Knack.Status.Constructing"},
        {RAZE, "Knack.Status.Constructing", NULL},
        {GATHER, "Town.Worker", "Knack.Kind.Resource"},
        {GATHER, "Town.Worker", "Knack.Kind.Resource"},
        {GATHER, "Town.Worker", "Knack.Kind.Resource"},
        {BRING, "Knack.Status.Carrying", "Town.Hall"},
        {BRING, "Knack.Status.Carrying", "Town.Hall"},
    };
    const uint32_t row = dice(world, COUNT_OF(rows));
    const act which = rows[row].act;
    const kn_entity_id unit = one_of(world, rows[row].unit);
    kn_order order = kn_order_of(kn_order_type_find(kn_world_library(world), act_names[which]));
    order.index = (int32_t)dice(world, 3) - (which == CANCEL);
    if (rows[row].target != NULL) {
        order.target = one_of(world, rows[row].target);
    } else if (which == RALLY || which == BUILD) {
        kn_order_set_location(&order, somewhere(world));
    }
    (void)(dice(world, 3) == 0 ? kn_order_enqueue(world, unit, &order, NULL)
                               : kn_order_issue(world, unit, &order, NULL));
}

static kn_time mayor_acts(void *user, kn_world *world, kn_entity_id mayor, void *data)
{
    const kn_attribute_id gold = kn_attribute_find(kn_world_library(world), "Stock.Gold");
    const bool is_hall = dice(world, 3) == 0;
    const kn_entity_id unit = one_of(world, is_hall ? "Town.Hall" : "Town.Worker");
    const kn_vec3 at = somewhere(world);
    (void)user;
    (void)data;
    switch (dice(world, 60)) {
    case 0:
        (void)kn_entity_set_owner(world, unit, mayor);
        break;
    case 1:
        if (kn_entity_count(world) > 40) {
            (void)kn_entity_destroy(world, unit);
        }
        (void)town_spawn(world, is_hall ? "Hall" : "Worker", mayor, at);
        break;
    case 4:
        (void)kn_entity_destroy(world, unit);
        (void)town_spawn(world, "Mine", mayor, at);
        break;
    case 2:
        (void)kn_attribute_set_base(
            world, mayor, gold, 0, kn_attribute_base(world, mayor, gold) + 50);
        break;
    case 3: {
        const kn_tag busy = kn_tag_find(kn_world_library(world), "Town.Busy");
        const bool has = kn_entity_has_tag(world, unit, busy);
        (void)kn_entity_set_tag_count(world, unit, busy, KN_TAG_ORIGIN_LOOSE_SYNCED, !has);
        break;
    }
    default:
        order_at_random(world);
        break;
    }
    return KN_MS(60 + dice(world, 90));
}

// Definitions ---------------------------------------------------------------------------

static kn_archetype_id town_archetype(scene_builder *b, const char *name, kn_attribute_set_id set,
    const kn_tag *tags, uint32_t tag_count)
{
    kn_archetype_id id = {0};
    kn_archetype_def def = kn_archetype_def_default();
    def.name = name;
    def.sets = &set;
    def.set_count = set.index1 != 0;
    def.tags = (kn_tags){tags, tag_count};
    (void)scene_note(b, kn_archetype_register(b->library, &def, &id, &b->error));
    return id;
}

static kn_product_id town_product(scene_builder *b, const char *name, kn_archetype_id archetype,
    kn_time time, float price, bool is_site)
{
    kn_product_id id = {0};
    kn_product_def def = kn_product_def_default();
    const kn_product_cost cost = {scene_find_attribute(b, "Stock.Gold"), price};
    def.name = name;
    def.archetype = archetype;
    def.time = time;
    def.costs = &cost;
    def.cost_count = 1;
    def.refund = 0.75f;
    def.loss_refund = 0.3f;
    def.site = is_site;
    def.builder_speed = 0.4f;
    (void)scene_note(b, kn_product_register(b->library, &def, &id, &b->error));
    return id;
}

static void producers_declare(
    scene_builder *b, kn_tag worker, kn_tag hall, kn_archetype_id worker1, kn_archetype_id hall1)
{
    const kn_tag busy = scene_tag(b, "Town.Busy");
    const kn_product_id makes[] = {town_product(b, "Worker", worker1, KN_MS(700), 13, false),
        town_product(b, "Idol", worker1, 0, 3, false)};
    const kn_product_id builds[] = {town_product(b, "Hall", hall1, KN_MS(1300), 40, true),
        town_product(b, "Shack", hall1, KN_MS(333), 7, true)};
    kn_producer_def def = kn_producer_def_default();
    def.name = "Hall";
    def.tag = hall;
    def.products = makes;
    def.product_count = 2;
    def.paused_by = ONE_TAG(busy);
    def.rally_entity_order = kn_order_type_find(b->library, "Knack.Gather");
    (void)scene_note(b, kn_producer_register(b->library, &def, NULL, &b->error));
    def.name = "Worker";
    def.tag = worker;
    def.products = builds;
    (void)scene_note(b, kn_producer_register(b->library, &def, NULL, &b->error));
    kn_gather_kind kind = kn_gather_kind_default();
    kn_gatherer_def gatherer = kn_gatherer_def_default();
    kind.tag = kn_tag_find(b->library, "Knack.Kind.Resource");
    kind.from = scene_find_attribute(b, "Node.Amount");
    kind.to = scene_find_attribute(b, "Stock.Gold");
    kind.amount = 2.5f;
    kind.time = KN_MS(90);
    kind.limit = 2;
    kind.waits = true;
    kind.ends_node = true;
    gatherer.name = "Worker";
    gatherer.tag = worker;
    gatherer.kinds = &kind;
    gatherer.kind_count = 1;
    (void)scene_note(b, kn_gatherer_register(b->library, &gatherer, NULL, &b->error));
}

static void units_declare(scene_builder *b, kn_tag worker, kn_tag hall)
{
    kn_unit_type_def unit = kn_unit_type_def_default();
    unit.name = "Worker";
    unit.tag = worker;
    unit.resumes_work = true;
    (void)scene_note(b, kn_unit_type_register(b->library, &unit, NULL, &b->error));
    unit.name = "Hall";
    unit.tag = hall;
    (void)scene_note(b, kn_unit_type_register(b->library, &unit, NULL, &b->error));
    kn_mover_def mover = kn_mover_def_default();
    mover.name = "Walk";
    mover.tag = worker;
    mover.speed = 17;
    (void)scene_note(b, kn_mover_register(b->library, &mover, NULL, &b->error));
}

static void town_declare(scene_builder *b)
{
    kn_timer_type_id timer;
    if (!scene_note(b, kn_order_produce_register(b->library, &b->error))) {
        return;
    }
    (void)scene_note(b, kn_grid_register(b->library, NULL, &b->error));
    const kn_attribute_def gold = scene_attribute("Gold", 300),
                           amount = scene_attribute("Amount", 40);
    const kn_attribute_set_id stock = scene_set(b, "Stock", &gold, 1, NULL);
    const kn_attribute_set_id node = scene_set(b, "Node", &amount, 1, NULL);
    const kn_tag alive = kn_tag_find(b->library, "Knack.Status.Alive");
    const kn_tag resource = kn_tag_find(b->library, "Knack.Kind.Resource");
    const kn_tag workers[] = {scene_tag(b, "Town.Worker"), alive};
    const kn_tag halls[] = {
        scene_tag(b, "Town.Hall"), alive, kn_tag_find(b->library, "Knack.Kind.DropOff")};
    const kn_attribute_set_id none = {0};
    (void)town_archetype(b, "Mayor", stock, NULL, 0);
    (void)town_archetype(b, "Mine", node, &resource, 1);
    const kn_archetype_id worker = town_archetype(b, "Worker", none, workers, 2);
    const kn_archetype_id hall = town_archetype(b, "Hall", none, halls, 3);
    units_declare(b, workers[0], halls[0]);
    producers_declare(b, workers[0], halls[0], worker, hall);
    (void)scene_note(
        b, kn_timer_type_register(b->library, "Mayor", mayor_acts, NULL, &timer, &b->error));
}

static void town_populate(scene_stage *stage)
{
    kn_world *world = stage->world;
    for (uint32_t i = 0; i < SIDES && stage->result == KN_OK; i++) {
        kn_entity_id mayor;
        (void)scene_act(stage,
            kn_archetype_spawn(world, kn_archetype_find(stage->library, "Mayor"), 1, &mayor));
        (void)scene_act(stage, kn_timer_start(world, kn_timer_type_find(stage->library, "Mayor"),
                                   mayor, KN_MS(31 + 17 * (int)i), NULL, NULL));
        (void)town_spawn(world, "Hall", mayor, (kn_vec3){2.0f + 20.0f * (float)i, 3, 0});
        (void)town_spawn(world, "Worker", mayor, (kn_vec3){4.0f + 20.0f * (float)i, 5, 0});
        (void)town_spawn(world, "Worker", mayor, (kn_vec3){6.0f + 20.0f * (float)i, 5, 0});
        for (uint32_t j = 0; j < MINES; j++) {
            (void)town_spawn(world, "Mine", mayor, (kn_vec3){9.0f * (float)j, 12.0f + (float)i, 0});
        }
    }
}

const scene_info scene_produce = {
    .name = "produce",
    .summary = "towns that make workers, build and gather by orders of chance",
    .declare = town_declare,
    .populate = town_populate,
    .seconds = 20,
};
