// SPDX-License-Identifier: MIT

// A library of a strategy game knows the tags of the kit.

#include "knack/rts.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    if (kn_library_create(&def, &library) != KN_OK || kn_order_register(library, &error) != KN_OK ||
        kn_rts_register(library, &error) != KN_OK || kn_library_finish(library, &error) != KN_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const char *name = kn_tag_name(library, kn_rts_tag(library, KN_RTS_MOVABLE));
    const int code = strcmp(name, "Knack.Rts.Permanent.Movable") == 0 ? 0 : 1;
    kn_library_destroy(library);
    return code;
}
