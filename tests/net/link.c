// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Links over bad networks, and what each refuses.

#include "link_pair.h"

static kn_net_conditions conditions_of(const char *name)
{
    kn_net_conditions conditions;
    assert_int_equal(kn_net_conditions_find(name, &conditions), KN_OK);
    return conditions;
}

static void every_message_arrives_once_in_order_and_unharmed(void **state)
{
    (void)state;
    static const char *const networks[] = {"perfect", "lan", "wifi", "mobile", "awful"};
    for (uint32_t i = 0; i < 5; i++) {
        kn_net_conditions conditions = conditions_of(networks[i]);
        kn_link_def def = kn_link_def_default();
        link_pair *pair = pair_new(&def, &conditions, 11 + i);
        pair_run(pair, 3000);
        pair_finish(pair, 20000);
        kn_link_stats s = kn_link_get_stats(pair->ends[0].link);
        printf(
            "%s: %u messages, %u datagrams, rtt %u dev %u jit %u rto %u loss %u lost %u acked %u "
            "resent %u missing %u\n",
            networks[i], (unsigned)pair->ends[0].sent_messages, (unsigned)s.sent,
            (unsigned)s.round_trip, (unsigned)s.deviation, (unsigned)s.jitter,
            (unsigned)s.resend_time, (unsigned)s.loss_ppm, (unsigned)s.lost,
            (unsigned)s.acknowledged, (unsigned)s.resent_bytes, (unsigned)s.missing);
        pair_free(pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_arrives_once_in_order_and_unharmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
