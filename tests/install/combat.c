// SPDX-License-Identifier: MIT

// A hit: 30 damage on somebody with 100 health.

#include "knack/combat.h"

#include <stdio.h>
#include <stdlib.h>

static void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

static kn_library *make_library(kn_attribute_set_id *vitals)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    must(kn_library_create(&def, &library), "library");
    must(kn_combat_register(library, NULL), "combat kit");
    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    health.default_value = 100.0f;
    health.min = kn_limit_constant(0.0f);
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = &health;
    set.attribute_count = 1;
    must(kn_attribute_set_register(library, &set, vitals, NULL), "vitals");
    kn_combat_def rules = kn_combat_def_default();
    rules.name = "Rules";
    rules.health = kn_attribute_find(library, "Vitals.Health");
    must(kn_combat_rules_register(library, &rules, NULL), "rules");
    must(kn_library_finish(library, NULL), "finish");
    return library;
}

int main(void)
{
    kn_attribute_set_id vitals;
    kn_library *library = make_library(&vitals);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    must(kn_world_create(&def, &world), "world");
    kn_hit_def hit = kn_hit_def_default();
    must(kn_entity_create(world, &hit.target), "entity");
    must(kn_attribute_set_add(world, hit.target, vitals, 0), "set");
    hit.amount = 30.0f;
    must(kn_hit_run(world, &hit, NULL), "hit");
    float left = kn_attribute_value(world, hit.target, kn_attribute_find(library, "Vitals.Health"));
    printf("health %g\n", (double)left);
    kn_world_destroy(world);
    kn_library_destroy(library);
    return left == 70.0f ? 0 : 1;
}
