// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an entity can do and does, as text: abilities with their state, tasks, cooldowns, cues.

#include "dump_actor.h"

#include "task.h"

static void dump_task(kni_text *text, const kn_world *world, uint32_t slot)
{
    static const char *const kinds[KN_TASK_KIND_COUNT] = {
        [KN_TASK_DELAY] = "delay",
        [KN_TASK_REPEAT] = "repeat",
        [KN_TASK_EVENT] = "wait for event",
        [KN_TASK_TAG_ADDED] = "wait for tag",
        [KN_TASK_TAG_REMOVED] = "wait for loss of tag",
        [KN_TASK_TAG_QUERY] = "wait for tags",
        [KN_TASK_ATTRIBUTE] = "wait for change of",
        [KN_TASK_THRESHOLD] = "wait for threshold of",
        [KN_TASK_EFFECT_APPLIED] = "wait for effect",
        [KN_TASK_EFFECT_REMOVED] = "wait for end of effect",
        [KN_TASK_EFFECT_STACKS] = "wait for stacks of effect",
        [KN_TASK_ABILITY_ACTIVATED] = "wait for ability",
        [KN_TASK_ABILITY_COMMITTED] = "wait for commit",
        [KN_TASK_ABILITY_ENDED] = "wait for end of ability",
        [KN_TASK_INPUT_PRESSED] = "wait for press",
        [KN_TASK_INPUT_RELEASED] = "wait for release",
        [KN_TASK_CONFIRM] = "wait for confirmation",
        [KN_TASK_OVERLAP] = "wait for overlap",
        [KN_TASK_MOVEMENT] = "wait for movement mode",
        [KN_TASK_ANIMATION] = "animation",
        [KN_TASK_SPAWN] = "spawn",
        [KN_TASK_MOTION] = "motion",
        [KN_TASK_STATE] = "state",
        [KN_TASK_NET_SYNC] = "wait for client",
        [KN_TASK_TARGET] = "targeting",
        [KN_TASK_CUE] = "cue",
        [KN_TASK_CUSTOM] = "task",
    };
    const kni_task *task = kni_task_at(world, slot);
    kni_text_str(text, "      ");
    kni_text_str(text, kinds[task->kind]);
    const struct {
        kni_ref_kind kind;
        uint32_t index1;
    } names[] = {{KNI_REF_TAG, task->tag}, {KNI_REF_ATTRIBUTE, task->attribute},
        {KNI_REF_TASK, task->type1}, {KNI_REF_ANIMATION, task->animation},
        {KNI_REF_TARGETING, task->targeting}, {KNI_REF_NAME, task->name}};
    for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (names[i].index1 != 0) {
            kni_text_char(text, ' ');
            kni_text_str(text, kni_ref_name(world->library, names[i].kind, names[i].index1));
        }
    }
    if ((task->flags & KNI_TASK_STARTED) == 0) {
        kni_text_str(text, ", not started");
    } else if (kni_task_due(task) != KN_TIME_INFINITE) {
        kni_text_str(text, ", due in ");
        kni_text_seconds(text, kni_task_due(task) - world->now);
    }
    kni_text_char(text, '\n');
}

static void dump_activation(kni_text *text, const kn_world *world, uint32_t slot)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    kni_text_str(text, "    active for ");
    kni_text_seconds(text, world->now - activation->start);
    if ((activation->flags & KNI_ACTIVATION_FIXED) != 0) {
        kni_text_str(text, ", cannot be cancelled");
    }
    if (activation->tasks.count == 0) {
        kni_text_str(text, ", waits for nothing");
    }
    kni_text_char(text, '\n');
    for (uint32_t i = 0; i < activation->tasks.count; i++) {
        dump_task(text, world, *KNI_SPAN_AT(world, activation->tasks, uint32_t, i));
    }
}

static void dump_ability(
    kni_text *text, const kn_world *world, const kni_actor *actor, uint32_t slot)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    char reasons[512];
    (void)kn_ability_explain_print(
        world, kni_ability_id_of(world, slot), NULL, reasons, sizeof(reasons));
    kni_text_str(text, "  ");
    kni_text_str(text, reasons); // "Meteor: on cooldown for 3.2 s of 8.0 s"
    if (ability->level != 1.0f) {
        kni_text_str(text, ", level ");
        kni_text_float(text, ability->level);
    }
    if (ability->input != 0) {
        kni_text_str(text, ", input ");
        kni_text_u64(text, ability->input);
        kni_text_str(text, (ability->flags & KNI_ABILITY_PRESSED) != 0 ? " (pressed)" : "");
    }
    if ((ability->flags & KNI_ABILITY_REMOVING) != 0) {
        kni_text_str(text, ", to be removed");
    }
    kni_text_char(text, '\n');
    for (uint32_t i = 0; i < actor->activations.count; i++) {
        uint32_t activation = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        if (kni_activation_at(world, activation)->ability == slot) {
            dump_activation(text, world, activation);
        }
    }
}

static void dump_charge(kni_text *text, const kn_world *world, uint32_t slot)
{
    const kni_charge *charge = kni_charge_at(world, slot);
    kni_text_str(text, "  ");
    kni_text_str(text, charge->key != 0 ? kn_tag_name(world->library, (kn_tag){charge->key})
                                        : kni_type_of_ability(world, charge->ability1 - 1)->name);
    kni_text_char(text, ' ');
    kni_text_u64(text, charge->charges);
    kni_text_str(text, " of ");
    kni_text_u64(text, charge->max);
    if (charge->end != KN_TIME_INFINITE) {
        kni_text_str(text, ", next in ");
        kni_text_seconds(text, charge->end - world->now);
    }
    kni_text_char(text, '\n');
}

void kni_dump_actor(kni_text *text, const kn_world *world, uint32_t component)
{
    const kni_actor *actor = kni_actor_of(world, component);
    if (actor == NULL) {
        return;
    }
    kni_text_str(text, actor->abilities.count > 0 ? "abilities\n" : "");
    for (uint32_t i = 0; i < actor->abilities.count; i++) {
        dump_ability(text, world, actor, *KNI_SPAN_AT(world, actor->abilities, uint32_t, i));
    }
    kni_text_str(text, actor->charges.count > 0 ? "cooldowns\n" : "");
    for (uint32_t i = 0; i < actor->charges.count; i++) {
        dump_charge(text, world, *KNI_SPAN_AT(world, actor->charges, uint32_t, i));
    }
    kni_text_str(text, actor->cues.count > 0 ? "cues\n" : "");
    for (uint32_t i = 0; i < actor->cues.count; i++) {
        const kni_cue *cue = kni_cue_at(world, *KNI_SPAN_AT(world, actor->cues, uint32_t, i));
        kni_text_str(text, "  ");
        kni_text_str(text, kn_tag_name(world->library, (kn_tag){cue->tag}));
        kni_text_str(text, cue->count > 1 ? " x" : "");
        if (cue->count > 1) {
            kni_text_u64(text, cue->count);
        }
        kni_text_char(text, '\n');
    }
}
