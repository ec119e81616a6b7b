// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events by which effects act on threat. The entity that receives one is the target of the effect,
// its instigator the source.

#include "parts.h"

// What an event is about that acts on one table, or on all that its receiver is in.
typedef struct threat_event {
    kn_entity_id entity; // receives it
    kn_entity_id by;
    float magnitude;
    uint32_t event;
} threat_event;

static kn_result event_change(
    kn_world *world, kn_entity_id owner, kn_entity_id entity, const threat_event *event)
{
    if (event->event == THREAT_EVENT_SCALE) {
        return kn_threat_scale(world, owner, entity, event->magnitude);
    }
    if (event->event == THREAT_EVENT_DROP) {
        return kn_threat_remove(world, owner, entity);
    }
    return kn_threat_suppress(world, owner, entity, kn_time_from_seconds((double)event->magnitude));
}

// In the tables of everybody.
static kn_result event_change_all(kn_world *world, const threat_event *event)
{
    kn_result result = KN_OK;
    knc_owner_walk walk = {.entity = event->entity};
    kn_entity_id owner;
    while (knc_owner_next(world, &walk, &owner)) {
        kn_result own = event_change(world, owner, event->entity, event);
        result = result != KN_OK ? result : own;
    }
    return result;
}

static kn_result event_run(kn_world *world, const threat_event *event)
{
    kn_time span = kn_time_from_seconds((double)event->magnitude);
    switch (event->event) {
    case THREAT_EVENT_ADD:
        return kn_threat_add(world, event->entity, event->by, event->magnitude);
    case THREAT_EVENT_TAUNT:
        return kn_threat_taunt(world, event->entity, event->by, span);
    case THREAT_EVENT_FIXATE:
        return kn_threat_fixate(world, event->entity, event->by, span);
    case THREAT_EVENT_REDIRECT:
        return kn_threat_redirect(world, event->by, event->entity, 1.0f, span);
    case THREAT_EVENT_LEAVE:
        return kn_combat_leave(world, event->entity);
    case THREAT_EVENT_SUPPRESS:
        return event_change_all(world, event);
    default:
        return kn_threat_has_table(world, event->entity)
                   ? event_change(world, event->entity, event->by, event)
                   : event_change_all(world, event);
    }
}

static void threat_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const combat *kit = user;
    const kn_library *library = kn_world_library(world);
    threat_event event = {reaction->entity, reaction->instigator, reaction->magnitude, 0};
    while (event.event + 1 < THREAT_EVENTS &&
           !kn_tag_matches(library, reaction->tag, kit->threat.events[event.event])) {
        event.event++;
    }
    if (knc_combat_rules_of(world) != NULL && event_run(world, &event) == KN_REFUSED_BAD_NUMBER) {
        kn_event_error error = {.code = KN_REFUSED_BAD_NUMBER, .type = reaction->effect_type};
        (void)kn_world_report(world, reaction->entity, &error);
    }
}

kn_result knc_threat_rules_register(kn_library *library, combat *kit, kn_error *error)
{
    static const char *const names[THREAT_EVENTS] = {"Knack.AddThreat", "Knack.ScaleThreat",
        "Knack.DropThreat", "Knack.Taunt", "Knack.Fixate", "Knack.SuppressThreat",
        "Knack.RedirectThreat", "Knack.LeaveCombat"};
    kn_result result =
        knc_combat_tags_register(library, names, THREAT_EVENTS, kit->threat.events, error);
    for (uint32_t i = 0; result == KN_OK && i < THREAT_EVENTS; i++) {
        kn_rule_def rule = kn_rule_def_default();
        kn_rule_id id;
        rule.name = names[i];
        rule.tag = kit->threat.events[i];
        rule.function = threat_rule;
        rule.user = kit;
        result = kn_rule_register(library, &rule, &id, error);
    }
    return result;
}
