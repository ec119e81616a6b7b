// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Carries out the reactions in the queue, in order, until it is empty or the limit is reached.

#include "ability/task.h"
#include "step/step.h"

// Records a child that is held by its parent, or ends with it.
static void child_link(
    kn_world *world, const kni_queued *queued, kn_effect_id child, const kni_put *put)
{
    uint32_t parent = kni_effect_find(world, queued->spec.parent);
    kni_claim_begin(world, child, put);
    if (parent == KNI_NONE) {
        kni_claim_end(world, child, &put->claim, KN_REMOVED_PARENT_ENDED);
        return;
    }
    kni_rare *rare = kni_rare_at(world, kni_effect_at(world, parent)->rare1);
    kni_mark_effect(world, parent);
    kni_child_link *link =
        kni_span_push(&world->heap, &world->memory, &rare->children, sizeof(kni_child_link));
    if (link == NULL) {
        kni_break(world);
        return;
    }
    link->effect = child;
    link->child = queued->spec.child1 - 1;
    link->stacks = put->claim.stacks;
    link->start = put->claim.start;
    link->source = put->claim.source;
}

static void spec_run(kn_world *world, const kni_queued *queued)
{
    kn_effect_id child;
    kni_put put;
    kn_result result = kni_spec_apply(world, queued->spec.id, queued->entity, &child, &put, NULL);
    kn_spec_destroy(world, queued->spec.id);
    if (result == KN_OK && child.index1 != 0 && queued->spec.child1 != 0) {
        child_link(world, queued, child, &put);
    }
}

static void drain_one(kn_world *world, const kni_queued *queued)
{
    switch (queued->kind) {
    case KNI_REACT_RULE: {
        const kni_rule *rule = kni_rule_at(world->library, queued->rule.index);
        kn_reaction reaction = queued->rule.reaction;
        kn_cause previous;
        if (kni_cause_begin(world, KN_CAUSE_RULE, reaction.entity, reaction.effect,
                reaction.effect_type, reaction.tag.index1, &previous)) {
            reaction.cause = world->cause;
            rule->def.function(rule->def.user, world, &reaction);
            kni_cause_end(world, previous);
        }
        break;
    }
    case KNI_REACT_RECHECK: {
        uint32_t slot = kni_effect_find(world, queued->effect.id);
        if (slot != KNI_NONE) {
            kni_effect_recheck(world, slot);
        }
        break;
    }
    case KNI_REACT_SPEC:
        spec_run(world, queued);
        break;
    case KNI_REACT_DESTROY:
        if (queued->is_announced || !kni_entity_destroy_announce(world, queued->entity)) {
            kni_entity_destroy_now(world, queued->entity);
        }
        break;
    case KNI_REACT_NOTICE:
        kni_watch_notice(world, queued);
        break;
    case KNI_REACT_WATCH:
        kni_watch_run(world, queued);
        break;
    case KNI_REACT_ANSWER:
        kni_task_answer(world, queued);
        break;
    case KNI_REACT_CALL:
        kni_postponed_run(world, &queued->call);
        break;
    case KNI_REACT_LET_GO:
        kni_claim_end(world, queued->effect.id, &queued->effect.hold, queued->effect.reason);
        break;
    case KNI_REACT_REMOVE: {
        uint32_t slot = kni_effect_find(world, queued->effect.id);
        if (slot != KNI_NONE) {
            kni_effect_end(world, slot, queued->effect.reason);
        }
        break;
    }
    }
}

// What an entry that is not carried out holds.
static void queued_drop(kn_world *world, const kni_queued *queued)
{
    uint32_t payload1 = queued->kind == KNI_REACT_WATCH    ? queued->watch.payload1
                        : queued->kind == KNI_REACT_ANSWER ? queued->answer.payload1
                                                           : 0;
    if (payload1 != 0) {
        kni_payload_release(world, payload1);
    }
    if (queued->kind == KNI_REACT_SPEC) {
        kn_spec_destroy(world, queued->spec.id);
    }
}

void kni_drain(kn_world *world)
{
    KN_ASSERT(world->held == 0);
    kn_cause cause = world->cause;
    while (world->reaction_first < world->reaction_count && !world->is_broken) {
        kni_queued queued = world->reactions[world->reaction_first++];
        // Removals always come to an end, and rechecks are limited as chains.
        bool must_run = queued.kind == KNI_REACT_DESTROY || queued.kind == KNI_REACT_REMOVE ||
                        queued.kind == KNI_REACT_LET_GO || queued.kind == KNI_REACT_RECHECK ||
                        (queued.kind == KNI_REACT_CALL && kni_call_only_removes(&queued.call));
        if (++world->reaction_total > world->def.reaction_limit && !must_run) {
            queued_drop(world, &queued);
            if (world->reaction_total == world->def.reaction_limit + 1) {
                kni_emit_error(world, KN_REFUSED_LIMIT, queued.entity, 0, 0, world->reaction_total);
            }
            continue;
        }
        world->cause = queued.cause;
        drain_one(world, &queued);
    }
    world->cause = cause;
    world->reaction_first = 0;
    world->reaction_count = 0;
    kni_records_reset(world);
    if (!world->is_stepping) {
        world->reaction_total = 0;
    }
}
