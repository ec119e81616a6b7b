# SPDX-License-Identifier: MIT

# The tests, one line each.
#
#   knack_unit_test(test_x)         unit/test_x.c, cmocka, may include internal headers
#   knack_scenario_test(x)          scenario/x.c, cmocka, public headers and scenes
#   knack_determinism_test(x)       determinism/x.c, a plain program: exit code 0 is a pass, no
#                                   cmocka, since it is also cross-built for ARM
#
# Each takes LABELS and LINK. A scenario with LABELS valgrind runs under valgrind in `make test`.

knack_unit_test(test_base)
knack_unit_test(test_hash)
knack_unit_test(test_heap)
knack_unit_test(test_pool)
knack_unit_test(test_random)
knack_unit_test(test_tag)
knack_unit_test(test_tag_query)
knack_unit_test(test_tag_set)
knack_unit_test(test_text)
knack_unit_test(test_wheel)
