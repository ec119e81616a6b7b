// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The ten-minute hello: a hero is chilled, walks slower for two seconds, and the library says why.
// docs/hello.md walks through it.

#include "knack/knack.h"

#include <stdio.h>
#include <stdlib.h>

static void must(kn_result result, const kn_error *error)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", kn_result_name(result), error != NULL ? error->message : "");
        exit(1);
    }
}

int main(void)
{
    kn_error error = {0};

    // A library holds what exists in the game: here one tag, one set, one effect.
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    must(kn_library_create(&library_def, &library), NULL);

    kn_tag_def tag_def = kn_tag_def_default();
    tag_def.name = "State.Slowed.Chilled";
    kn_tag chilled;
    must(kn_tag_register(library, &tag_def, &chilled, &error), &error);

    kn_attribute_def speed_def = kn_attribute_def_default();
    speed_def.name = "Speed";
    speed_def.default_value = 6;
    speed_def.min = kn_limit_constant(1);
    kn_attribute_set_def set_def = kn_attribute_set_def_default();
    set_def.name = "Body";
    set_def.attributes = &speed_def;
    set_def.attribute_count = 1;
    kn_attribute_set_id body;
    must(kn_attribute_set_register(library, &set_def, &body, &error), &error);
    kn_attribute_id speed = kn_attribute_find(library, "Body.Speed");

    // Chill: half the speed for two seconds, and a tag for as long.
    kn_modifier_def half = kn_modifier_constant(speed, KN_OP_MULTIPLY, 0.5f);
    kn_effect_def chill_def = kn_effect_def_default();
    chill_def.name = "Chill";
    chill_def.duration_kind = KN_DURATION_TIMED;
    chill_def.duration = kn_magnitude_constant(2);
    chill_def.modifiers = &half;
    chill_def.modifier_count = 1;
    chill_def.granted_tags = (kn_tags){&chilled, 1};
    kn_effect_type_id chill;
    must(kn_effect_register(library, &chill_def, &chill, &error), &error);
    must(kn_library_finish(library, &error), &error);

    // A world holds what lives: here one hero.
    kn_world_def world_def = kn_world_def_default();
    world_def.library = library;
    kn_world *world;
    must(kn_world_create(&world_def, &world), NULL);
    kn_entity_id hero;
    must(kn_entity_create(world, &hero), NULL);
    must(kn_attribute_set_add(world, hero, body, 0), NULL);

    must(kn_effect_apply_simple(world, chill, (kn_entity_id){0}, hero, 1, NULL), NULL);
    kn_tag slowed = kn_tag_find(library, "State.Slowed");
    for (int second = 0; second <= 2; second++) {
        printf("%d s: speed %g, slowed: %s\n", second,
            (double)kn_attribute_value(world, hero, speed),
            kn_entity_has_tag(world, hero, slowed) ? "yes" : "no");
        if (second == 1) {
            char why[512];
            kn_attribute_explain_text(world, hero, speed, 0, why, sizeof(why));
            printf("\n%s\n", why);
        }
        must(kn_world_step(world, KN_S(1)), NULL);
    }

    kn_world_destroy(world);
    kn_library_destroy(library);
    return 0;
}
