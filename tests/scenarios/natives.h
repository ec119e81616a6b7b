// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the scenarios of the tests need from C: abilities that do something by themselves.
#ifndef NATIVES_H
#define NATIVES_H

#include "knack/scenario.h"

// `native: Stay`: goes on until it is ended.
static inline kn_result native_stay(const kn_ability_call *call)
{
    (void)call;
    return KN_OK;
}

// `native: Use`: pays, and is over.
static inline kn_result native_use(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

static inline kn_result natives_add(void *user, kn_data *data)
{
    (void)user;
    kn_ability_def stay = kn_ability_def_default();
    stay.name = "Stay";
    stay.activate = native_stay;
    kn_ability_def use = kn_ability_def_default();
    use.name = "Use";
    use.activate = native_use;
    kn_result result = kn_data_add_native(data, KN_DEF_ABILITY, "Stay", &stay);
    return result == KN_OK ? kn_data_add_native(data, KN_DEF_ABILITY, "Use", &use) : result;
}

#endif
