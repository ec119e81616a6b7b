// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The order type for attacks: the ready one with the range of the attack set, which leaves those
// alone that will be dead anyway.

#include "attack_parts.h"

#include "knack/order_ready.h"

static kn_result attack_score(void *user, const kn_hook_call *call)
{
    const attack_kit *kit = user;
    const kn_order_call *c = call->arguments;
    if (kit->rules->prevents_overkill && kn_rts_is_doomed(call->world, c->target.entity)) {
        return KN_REFUSED_CUSTOM;
    }
    return kit->plain_score.function != NULL
               ? kit->plain_score.function(kit->plain_score.user, call)
               : KN_OK;
}

// Without the ready order types there is none to begin with.
kn_result knc_rts_attack_orders_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    const kn_order_type_id ready = kn_order_type_find(library, "Knack.Attack");
    kn_order_type_id type;
    if (ready.index1 == 0) {
        return KN_OK;
    }
    kn_order_type_def def = *kn_order_type_get_def(library, ready);
    kit->plain_score = def.score;
    def.name = KN_RTS_ATTACK_SET_NAME;
    def.range_attribute = kit->attributes[KN_RTS_ATTACK_RANGE];
    def.score = (kn_hook){attack_score, kit};
    return kn_order_type_register(library, &def, &type, error);
}
