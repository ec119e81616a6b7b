// SPDX-License-Identifier: MIT

// The smallest game: a world with one entity, stepped once.

#include "knack/knack.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    kn_version version = kn_version_linked();
    if (version.major != KN_VERSION_MAJOR || version.minor != KN_VERSION_MINOR ||
        version.patch != KN_VERSION_PATCH) {
        fprintf(stderr, "the header and the library are of different versions\n");
        return 1;
    }
    if (strcmp(kn_result_name(KN_OK), "KN_OK") != 0) {
        fprintf(stderr, "KN_OK is called %s\n", kn_result_name(KN_OK));
        return 1;
    }
    kn_library_def library_def = kn_library_def_default();
    kn_world_def def = kn_world_def_default();
    kn_library *library;
    kn_world *world = NULL;
    kn_entity_id entity;
    bool good = kn_library_create(&library_def, &library) == KN_OK;
    if (good) {
        def.library = library;
        good = kn_library_finish(library, NULL) == KN_OK &&
               kn_world_create(&def, &world) == KN_OK &&
               kn_entity_create(world, &entity) == KN_OK && kn_world_step(world, KN_S(1)) == KN_OK;
        kn_world_destroy(world);
        kn_library_destroy(library);
    }
    return good ? 0 : 1;
}
