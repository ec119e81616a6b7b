// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Prints docs/net-policies.md from kn_net_decide(): a page that cannot say anything else.

#include "knack/knack.h"

#include <stdio.h>

static const char *const verdicts[KN_NET_VERDICT_COUNT] = {
    [KN_NET_VERDICT_REFUSE] = "-",
    [KN_NET_VERDICT_RUN] = "run",
    [KN_NET_VERDICT_RUN_AND_SEND] = "run, notify",
    [KN_NET_VERDICT_REQUEST] = "ask",
};

static void print_rows(kn_net_request request, kn_net_origin origin, kn_net_role role)
{
    static const char *const executions[KN_NET_EXECUTION_COUNT] = {
        [KN_NET_EXECUTION_LOCAL_PREDICTED] = "local predicted",
        [KN_NET_EXECUTION_LOCAL_ONLY] = "local only",
        [KN_NET_EXECUTION_SERVER_ONLY] = "server only",
        [KN_NET_EXECUTION_SERVER_INITIATED] = "server initiated",
    };
    static const char *const roles[KN_ROLE_COUNT] = {
        [KN_ROLE_AUTHORITY] = "authority",
        [KN_ROLE_SERVER] = "server",
        [KN_ROLE_OWNER] = "owner",
        [KN_ROLE_OBSERVER] = "observer",
    };
    for (uint32_t execution = 0; execution < KN_NET_EXECUTION_COUNT; execution++) {
        printf("| %s | %s | %s |", roles[role], origin == KN_NET_ORIGIN_HERE ? "here" : "peer",
            executions[execution]);
        for (uint32_t security = 0; security < KN_NET_SECURITY_COUNT; security++) {
            kn_net_verdict verdict = kn_net_decide(
                request, origin, role, (kn_net_execution)execution, (kn_net_security)security);
            printf(" %s |", verdicts[verdict]);
        }
        printf("\n");
    }
}

static void print_request(const char *title, kn_net_request request)
{
    printf("\n## %s\n\n", title);
    printf(
        "| Role | Asked by | Execution | client or server | server starts | server ends | server "
        "only |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (uint32_t role = 0; role < KN_ROLE_COUNT; role++) {
        for (uint32_t origin = 0; origin < KN_NET_ORIGIN_COUNT; origin++) {
            print_rows(request, (kn_net_origin)origin, (kn_net_role)role);
        }
    }
}

int main(void)
{
    printf("# Who may start, cancel and end an ability\n\n"
           "Printed from `kn_net_decide()`. Roles: the authority controls the entity itself (one "
           "player, AI); a server\nhas a client that controls it; the owner is that client; an "
           "observer is any other. \"Here\" is code on that machine,\n\"peer\" a message from the "
           "other side. The last four columns are the security policies. `-` is refused, `run` "
           "happens\nhere, `run, notify` happens here and the other side is notified, `ask` is "
           "left to "
           "the other side.\n");
    print_request("Activate", KN_REQUEST_ACTIVATE);
    print_request("Cancel", KN_REQUEST_CANCEL);
    print_request("End", KN_REQUEST_END);
    return 0;
}
