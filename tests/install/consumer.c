// SPDX-License-Identifier: MIT

// The smallest program that uses an installed knack.

#include "knack/base.h"

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
    return 0;
}
