// SPDX-License-Identifier: MIT

// A unit that obeys an order, and stops when it is done.

#include "knack/order.h"
#include "knack/tree.h"

#include <stdio.h>
#include <stdlib.h>

static void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

static kn_result walk(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static kn_library *make_library(kn_order_type_id *move, kn_unit_type_id *soldier)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    must(kn_library_create(&def, &library), "library");
    must(kn_order_register(library, NULL), "order kit");
    kn_order_type_def order = kn_order_type_def_default();
    order.name = "Move";
    order.needs_life = false;
    order.target_kind = KN_ORDER_TARGET_LOCATION;
    order.execute.function = walk;
    must(kn_order_type_register(library, &order, move, NULL), "order type");
    kn_unit_type_def unit = kn_unit_type_def_default();
    unit.name = "Soldier";
    must(kn_unit_type_register(library, &unit, soldier, NULL), "unit type");
    must(kn_library_finish(library, NULL), "finish");
    return library;
}

int main(void)
{
    kn_order_type_id move;
    kn_unit_type_id soldier;
    kn_library *library = make_library(&move, &soldier);
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    kn_entity_id unit;
    kn_unit_info info;
    def.library = library;
    must(kn_world_create(&def, &world), "world");
    must(kn_entity_create(world, &unit), "entity");
    must(kn_unit_add(world, unit, soldier), "unit");
    kn_order order = kn_order_at(move, (kn_vec3){3, 4, 0});
    must(kn_order_issue(world, unit, &order, NULL), "issue");
    if (!kn_unit_get_info(world, unit, &info) || info.is_idle) {
        return 1;
    }
    must(kn_order_end(world, unit, info.ticket, KN_ORDER_SUCCEEDED), "end");
    if (!kn_unit_get_info(world, unit, &info) || !info.is_idle) {
        return 1;
    }
    kn_world_destroy(world);
    kn_library_destroy(library);
    return 0;
}
