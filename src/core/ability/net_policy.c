// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Who may start, cancel and end an ability, and where: one pure function that all code calls.

#include "knack/ability.h"

// Whether an ability with this policy runs on the client that owns its entity, and on the server.
static bool runs_on_owner(kn_net_execution execution)
{
    return execution != KN_NET_EXECUTION_SERVER_ONLY;
}

static bool runs_on_server(kn_net_execution execution)
{
    return execution != KN_NET_EXECUTION_LOCAL_ONLY;
}

static bool client_may_start(kn_net_security security)
{
    return security == KN_NET_SECURITY_CLIENT_OR_SERVER ||
           security == KN_NET_SECURITY_SERVER_ONLY_TERMINATION;
}

static bool client_may_end(kn_net_security security)
{
    return security == KN_NET_SECURITY_CLIENT_OR_SERVER ||
           security == KN_NET_SECURITY_SERVER_ONLY_EXECUTION;
}

static kn_net_verdict decide_start(
    kn_net_origin origin, kn_net_role role, kn_net_execution execution, kn_net_security security)
{
    if (role == KN_ROLE_SERVER) {
        if (origin == KN_NET_ORIGIN_PEER) { // requested by the owning client
            if (!client_may_start(security) || !runs_on_server(execution)) {
                return KN_NET_VERDICT_REFUSE;
            }
            // It has not started on the client, which waits for the server.
            return execution == KN_NET_EXECUTION_SERVER_INITIATED ? KN_NET_VERDICT_RUN_AND_SEND
                                                                  : KN_NET_VERDICT_RUN;
        }
        switch (execution) {
        case KN_NET_EXECUTION_SERVER_ONLY:
            return KN_NET_VERDICT_RUN;
        case KN_NET_EXECUTION_SERVER_INITIATED:
            return KN_NET_VERDICT_RUN_AND_SEND;
        default:
            return KN_NET_VERDICT_REQUEST; // the client predicts it, or runs it alone
        }
    }
    if (origin == KN_NET_ORIGIN_PEER) { // decided by the server
        return runs_on_owner(execution) ? KN_NET_VERDICT_RUN : KN_NET_VERDICT_REFUSE;
    }
    switch (execution) {
    case KN_NET_EXECUTION_LOCAL_ONLY:
        return KN_NET_VERDICT_RUN;
    case KN_NET_EXECUTION_LOCAL_PREDICTED:
        return client_may_start(security) ? KN_NET_VERDICT_RUN_AND_SEND : KN_NET_VERDICT_REFUSE;
    default:
        return client_may_start(security) ? KN_NET_VERDICT_REQUEST : KN_NET_VERDICT_REFUSE;
    }
}

static kn_net_verdict decide_end(
    kn_net_origin origin, kn_net_role role, kn_net_execution execution, kn_net_security security)
{
    if (role == KN_ROLE_SERVER) {
        if (origin == KN_NET_ORIGIN_PEER) {
            return client_may_end(security) && runs_on_server(execution) ? KN_NET_VERDICT_RUN
                                                                         : KN_NET_VERDICT_REFUSE;
        }
        return runs_on_server(execution)
                   ? (runs_on_owner(execution) ? KN_NET_VERDICT_RUN_AND_SEND : KN_NET_VERDICT_RUN)
                   : KN_NET_VERDICT_REQUEST;
    }
    if (origin == KN_NET_ORIGIN_PEER) {
        return runs_on_owner(execution) ? KN_NET_VERDICT_RUN : KN_NET_VERDICT_REFUSE;
    }
    if (execution == KN_NET_EXECUTION_LOCAL_ONLY) {
        return KN_NET_VERDICT_RUN;
    }
    if (!client_may_end(security)) {
        return KN_NET_VERDICT_REFUSE;
    }
    return runs_on_owner(execution) ? KN_NET_VERDICT_RUN_AND_SEND : KN_NET_VERDICT_REQUEST;
}

kn_net_verdict kn_net_decide(kn_net_request request, kn_net_origin origin, kn_net_role role,
    kn_net_execution execution, kn_net_security security)
{
    if (role == KN_ROLE_OBSERVER || (uint32_t)role >= KN_ROLE_COUNT ||
        (uint32_t)request >= KN_REQUEST_COUNT || (uint32_t)origin >= KN_NET_ORIGIN_COUNT ||
        (uint32_t)execution >= KN_NET_EXECUTION_COUNT ||
        (uint32_t)security >= KN_NET_SECURITY_COUNT) {
        return KN_NET_VERDICT_REFUSE;
    }
    if (role == KN_ROLE_AUTHORITY) { // nothing else decides
        return origin == KN_NET_ORIGIN_HERE ? KN_NET_VERDICT_RUN : KN_NET_VERDICT_REFUSE;
    }
    return request == KN_REQUEST_ACTIVATE ? decide_start(origin, role, execution, security)
                                          : decide_end(origin, role, execution, security);
}
