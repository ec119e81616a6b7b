// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Calls that wait. A hook that runs inside an operation may call anything; calls that would remove
// or rearrange what the operation is working on are queued and carried out from the reaction queue,
// by the same public function, when the operation is complete.

#include "step/step.h"

#include "ability/actor.h"
#include "ability/task.h"

static kn_result call_run(kn_world *world, const kni_call *call)
{
    kn_attribute_set_id set = {call->set1};
    kn_effect_id effect = {call->index1, call->generation};
    kn_ability_id ability = {call->index1, call->generation};
    kn_activation_id activation = {call->index1, call->generation};
    kn_task_id task = {call->index1, call->generation};
    switch (call->kind) {
    case KNI_CALL_SET_ADD:
        return kn_attribute_set_add(world, call->entity, set, call->number);
    case KNI_CALL_SET_REMOVE:
        return kn_attribute_set_remove(world, call->entity, set, call->number);
    case KNI_CALL_OWNER:
        return kn_entity_set_owner(world, call->entity, call->other);
    case KNI_CALL_PARENT:
        return kn_entity_set_parent(world, call->entity, call->other);
    case KNI_CALL_AVATAR:
        return kn_entity_set_avatar(world, call->entity, call->other);
    case KNI_CALL_EFFECT_STACKS:
        return kn_effect_set_stacks(world, effect, call->number);
    case KNI_CALL_EFFECT_REMOVE:
        return kn_effect_remove(world, effect, call->number, (kn_removal_reason)call->reason);
    case KNI_CALL_ABILITY_REVOKE:
        return kn_ability_revoke(world, ability, (kn_grant_removal)call->reason);
    case KNI_CALL_ABILITY_REMOVE:
        return kn_ability_remove(world, ability, (kn_grant_removal)call->reason);
    case KNI_CALL_ABILITY_CANCEL:
        return kni_ability_cancel(world, ability, &call->cancel);
    case KNI_CALL_ACTIVATION_STOP:
        return kni_activation_stop(world, activation, &call->cancel);
    case KNI_CALL_TASK_END:
        return kn_task_end(world, task);
    }
    return KN_OK;
}

void kni_postponed_run(kn_world *world, const kni_call *call)
{
    kn_result result = call_run(world, call);
    // Something else may have removed it first, which has the same result.
    if (result != KN_OK && result != KN_REFUSED_STALE_ID && result != KN_ERROR_WORLD_BROKEN) {
        kni_emit_error(world, result, call->entity, 0, 0, 0);
    }
}
