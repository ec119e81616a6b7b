// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an entity can do and does, as text: abilities with their state, tasks, cooldowns, cues.

#include "report/dump.h"

static void dump_activation(kni_text *text, const kn_world *world, uint32_t slot)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    kni_text_str(text, "    active for ");
    kni_text_seconds(text, world->now - activation->start);
    if ((activation->flags & KNI_ACTIVATION_FIXED) != 0) {
        kni_text_str(text, ", cannot be cancelled");
    }
    kni_text_str(text, kni_activation_is_idle(world, slot) ? ", waits for nothing\n" : "\n");
    kni_dump_state(text, world, 6, kni_activation_state_look(world, slot));
    for (uint32_t i = 0; i < activation->tasks.count; i++) {
        kni_text_str(text, "      ");
        uint32_t task = *KNI_SPAN_AT(world, activation->tasks, uint32_t, i);
        kni_text_task(text, world, task);
        kni_text_char(text, '\n');
        kni_dump_state(text, world, 8, kni_task_state_look(world, task));
    }
}

// A caller value or parameter: ", power = 7".
static void dump_pair(kni_text *text, const char *name, float value)
{
    kni_text_str(text, ", ");
    kni_text_str(text, name);
    kni_text_str(text, " = ");
    kni_text_float(text, value);
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
    if (ability->grants > 1) {
        kni_text_str(text, ", granted ");
        kni_text_u64(text, ability->grants);
        kni_text_str(text, " times");
    }
    if ((ability->flags & KNI_ABILITY_REMOVING) != 0) {
        kni_text_str(text, ", to be removed");
    }
    for (uint32_t i = 0; i < ability->caller.count; i++) {
        const kni_pair *pair = KNI_SPAN_AT(world, ability->caller, kni_pair, i);
        dump_pair(text, kn_tag_name(world->library, (kn_tag){pair->key}), pair->value);
    }
    for (uint32_t i = 0; i < ability->named.count; i++) {
        const kni_pair *pair = KNI_SPAN_AT(world, ability->named, kni_pair, i);
        dump_pair(text, kn_name_text(world->library, (kn_name){pair->key}), pair->value);
    }
    kni_text_char(text, '\n');
    kni_dump_state(text, world, 4, kni_ability_state_look(world, slot));
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
