// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Death and resurrection. Both run as event records first, so that gates can refuse them and rules
// react to them; what they change is in place before any of those rules runs.

#include "parts.h"

#include <math.h>

bool knc_life_is_over(const kn_world *world, const kn_combat_def *rules, kn_entity_id entity)
{
    return rules->dead.index1 != 0 && kn_entity_has_tag(world, entity, rules->dead);
}

bool kn_combat_is_dead(const kn_world *world, kn_entity_id entity)
{
    const kn_combat_def *rules = knc_combat_rules_of(world);
    return rules != NULL && knc_life_is_over(world, rules, entity);
}

static kn_event_record life_record(const kn_life_change *change, kn_event_kind_id kind)
{
    kn_event_record record = kn_event_record_default();
    record.kind = kind;
    record.instigator = change->by;
    record.target = change->entity;
    record.magnitude = change->amount;
    return record;
}

kn_result knc_life_may_end(kn_world *world, const kn_life_change *change, kn_tags tags)
{
    kn_event_record record = life_record(change, knc_combat_of_world(world)->hit.death);
    record.tags = tags;
    return kn_event_run(world, &record, NULL);
}

void knc_life_end(kn_world *world, const kn_life_change *change)
{
    const hit_ids *ids = &knc_combat_of_world(world)->hit;
    const kn_combat_def *rules = knc_combat_rules_of(world);
    if (rules->dead.index1 != 0) {
        (void)kn_entity_add_loose_tag(world, change->entity, rules->dead, KN_TAG_SYNC_TAG);
    }
    (void)kn_world_publish(world, change->entity, ids->died_event, change);
    knc_threat_died(world, change->entity);
    if (kn_entity_is_alive(world, change->by)) {
        kn_event_record record = life_record(change, (kn_event_kind_id){0});
        (void)kn_event_send(world, change->by, ids->killed, &record);
    }
}

// What both calls refuse.
static kn_result life_check(const kn_world *world, kn_entity_id entity)
{
    const kn_combat_def *rules = knc_combat_rules_of(world);
    if (rules == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_is_dying(world, entity)) {
        return KN_REFUSED_DYING;
    }
    return kn_attribute_exists(world, entity, rules->health, 0) ? KN_OK
                                                                : KN_REFUSED_MISSING_ATTRIBUTE;
}

static kn_result life_kill(void *user, kn_world *world)
{
    kn_life_change *change = user;
    const kn_combat_def *rules = knc_combat_rules_of(world);
    kn_result result = knc_life_may_end(world, change, (kn_tags){0});
    if (result != KN_OK) {
        return result;
    }
    float minimum, maximum;
    kn_attribute_bounds(world, change->entity, rules->health, 0, &minimum, &maximum);
    minimum = isfinite(minimum) ? minimum : 0.0f;
    result = kn_attribute_set_base(world, change->entity, rules->health, 0, minimum);
    if (result == KN_OK) {
        knc_life_end(world, change);
    }
    return result;
}

kn_result kn_combat_kill(kn_world *world, kn_entity_id entity, kn_entity_id by)
{
    kn_life_change change = {.entity = entity, .by = by};
    kn_result result = life_check(world, entity);
    if (result == KN_OK && kn_combat_is_dead(world, entity)) {
        result = KN_REFUSED_DYING;
    }
    return result != KN_OK ? result : kn_world_call(world, life_kill, &change);
}

static kn_result life_begin(void *user, kn_world *world)
{
    kn_life_change *change = user;
    const hit_ids *ids = &knc_combat_of_world(world)->hit;
    const kn_combat_def *rules = knc_combat_rules_of(world);
    kn_event_record record = life_record(change, ids->resurrection);
    kn_result result = kn_event_run(world, &record, NULL);
    if (result != KN_OK) {
        return result;
    }
    // Whoever gave the tag, a call or the kit: the entity lives.
    (void)kn_entity_set_tag_count(
        world, change->entity, rules->dead, KN_TAG_ORIGIN_LOOSE_SYNCED, 0);
    (void)kn_entity_set_tag_count(world, change->entity, rules->dead, KN_TAG_ORIGIN_LOOSE, 0);
    result = kn_attribute_set_base(world, change->entity, rules->health, 0, change->amount);
    change->amount = kn_attribute_base(world, change->entity, rules->health);
    if (result == KN_OK) {
        (void)kn_world_publish(world, change->entity, ids->resurrected_event, change);
    }
    return result;
}

kn_result kn_combat_resurrect(kn_world *world, kn_entity_id entity, kn_entity_id by, float share)
{
    kn_result result = life_check(world, entity);
    if (result != KN_OK) {
        return result;
    }
    if (!kn_combat_is_dead(world, entity)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (!(share > 0.0f && share <= 1.0f)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    const kn_library *library = kn_world_library(world);
    kn_attribute_id health = knc_combat_rules_of(world)->health;
    float minimum, maximum;
    kn_attribute_bounds(world, entity, health, 0, &minimum, &maximum);
    if (!isfinite(maximum)) {
        maximum = kn_attribute_get_def(library, health)->default_value;
    }
    kn_life_change change = {.entity = entity, .by = by, .amount = share * maximum};
    return kn_world_call(world, life_begin, &change);
}

// By effects ------------------------------------------------------------------------

static void life_kill_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)kn_combat_kill(world, reaction->entity, reaction->instigator);
}

static void life_resurrect_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (kn_combat_resurrect(world, reaction->entity, reaction->instigator, reaction->magnitude) ==
        KN_REFUSED_BAD_NUMBER) {
        kn_event_error error = {.code = KN_REFUSED_BAD_NUMBER, .type = reaction->effect_type};
        (void)kn_world_report(world, reaction->entity, &error);
    }
}

// Registration ------------------------------------------------------------------------

static const kn_field life_fields[] = {
    KN_FIELD(kn_life_change, entity, KN_FIELD_ENTITY),
    KN_FIELD(kn_life_change, by, KN_FIELD_ENTITY),
    KN_FIELD_TO(kn_life_change, effect, "effect"),
    KN_FIELD_TO(kn_life_change, ability, "ability"),
    KN_FIELD(kn_life_change, amount, KN_FIELD_F32),
    KN_FIELD(kn_life_change, flags, KN_FIELD_U32),
};

static kn_result life_event_register(kn_library *library, const char *name, const char *text,
    kn_custom_event_id *id, kn_error *error)
{
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = name;
    event.size = sizeof(kn_life_change);
    event.fields = life_fields;
    event.field_count = sizeof(life_fields) / sizeof(*life_fields);
    event.text = text;
    return kn_custom_event_register(library, &event, id, error);
}

static kn_result life_kind_register(
    kn_library *library, const char *name, kn_tag tag, kn_event_kind_id *id, kn_error *error)
{
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = name;
    kind.tag = tag;
    return kn_event_kind_register(library, &kind, id, error);
}

static kn_result life_rule_register(
    kn_library *library, const char *name, kn_tag tag, kn_rule_fn *function, kn_error *error)
{
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id id;
    rule.name = name;
    rule.tag = tag;
    rule.function = function;
    return kn_rule_register(library, &rule, &id, error);
}

kn_result knc_life_register(kn_library *library, combat *kit, kn_error *error)
{
    static const char *const names[] = {
        "Knack.Died", "Knack.Resurrected", "Knack.Killed", "Knack.Kill", "Knack.Resurrect"};
    hit_ids *ids = &kit->hit;
    kn_tag tags[5];
    kn_result result = knc_combat_tags_register(library, names, 5, tags, error);
    if (result != KN_OK) {
        return result;
    }
    ids->died = tags[0];
    ids->resurrected = tags[1];
    ids->killed = tags[2];
    ids->kill = tags[3];
    ids->resurrect = tags[4];
    result = life_kind_register(library, "Knack.Death", ids->died, &ids->death, error);
    result = result != KN_OK ? result
                             : life_kind_register(library, "Knack.Resurrection", ids->resurrected,
                                   &ids->resurrection, error);
    result = result != KN_OK ? result
                             : life_event_register(
                                   library, "Knack.Died", "dies of {by}", &ids->died_event, error);
    result = result != KN_OK
                 ? result
                 : life_event_register(library, "Knack.Resurrected",
                       "lives again with {amount} health, by {by}", &ids->resurrected_event, error);
    result = result != KN_OK
                 ? result
                 : life_rule_register(library, "Knack.Kill", ids->kill, life_kill_rule, error);
    return result != KN_OK ? result
                           : life_rule_register(library, "Knack.Resurrect", ids->resurrect,
                                 life_resurrect_rule, error);
}
