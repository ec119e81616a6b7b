// SPDX-License-Identifier: MIT

// Two links over a simulated network: a message and a payload from one to the other.

#include "knack/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

int main(void)
{
    kn_net_link_def def = kn_net_link_def_default();
    kn_net_sim_def sim_def = kn_net_sim_def_default();
    kn_net_link *links[2];
    kn_net_sim *sim;
    must(kn_net_link_create(&def, &links[0]), "link");
    must(kn_net_link_create(&def, &links[1]), "link");
    must(kn_net_conditions_find("lan", &sim_def.conditions), "lan");
    must(kn_net_sim_create(&sim_def, &sim), "network");

    uint8_t bytes[1200];
    size_t size;
    must(kn_net_link_send(links[0], "hello", 5), "message");
    must(kn_net_link_write(links[0], 0, "world", 5, bytes, sizeof(bytes), &size, NULL), "write");
    must(kn_net_sim_send(sim, 0, 0, 1, bytes, size), "send");
    kn_time arrival = kn_net_sim_next_arrival(sim, 1);
    must(kn_net_sim_receive(sim, arrival, 1, NULL, bytes, sizeof(bytes), &size), "receive");
    kn_net_link_view view;
    kn_net_link_message message;
    must(kn_net_link_read(links[1], arrival, bytes, size, &view), "read");
    bool is_there = kn_net_link_next_message(links[1], &message) && message.size == 5 &&
                    memcmp(message.bytes, "hello", 5) == 0 && view.size == 5 &&
                    memcmp(view.payload, "world", 5) == 0;
    kn_net_link_destroy(links[0]);
    kn_net_link_destroy(links[1]);
    kn_net_sim_destroy(sim);
    return is_there ? 0 : 1;
}
