// SPDX-License-Identifier: MIT

// A capability that is active while its entity has a tag.

#include "knack/capability.h"

#include <stdio.h>
#include <stdlib.h>

static void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

static kn_library *make_library(kn_tag *wet, kn_capability_id *swim, kn_capability_set_id *set)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    must(kn_library_create(&def, &library), "library");
    must(kn_capability_register(library, NULL), "capability kit");
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "State.Wet";
    must(kn_tag_register(library, &tag, wet, NULL), "tag");
    kn_capability_def capability = kn_capability_def_default();
    capability.name = "Swim";
    capability.when.required.data = wet;
    capability.when.required.count = 1;
    capability.sleeps = true;
    must(kn_capability_def_register(library, &capability, swim, NULL), "capability");
    kn_capability_set_def movement = kn_capability_set_def_default();
    movement.name = "Movement";
    movement.capabilities = swim;
    movement.capability_count = 1;
    must(kn_capability_set_register(library, &movement, set, NULL), "set");
    must(kn_library_finish(library, NULL), "finish");
    return library;
}

int main(void)
{
    kn_tag wet;
    kn_capability_id swim;
    kn_capability_set_id set;
    kn_library *library = make_library(&wet, &swim, &set);
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    kn_entity_id hero;
    def.library = library;
    must(kn_world_create(&def, &world), "world");
    must(kn_entity_create(world, &hero), "entity");
    must(kn_capability_set_add(world, hero, set, NULL), "add");
    if (kn_capability_is_active(world, hero, swim)) {
        return 1;
    }
    must(kn_entity_add_tag(world, hero, wet, KN_TAG_ORIGIN_LOOSE, 1), "tag");
    must(kn_world_step(world, KN_MS(100)), "step");
    if (!kn_capability_is_active(world, hero, swim)) {
        return 1;
    }
    kn_world_destroy(world);
    kn_library_destroy(library);
    return 0;
}
