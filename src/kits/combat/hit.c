// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hits. The stages of a hit are evaluated one after the other inside one call of the world, so that
// what a hit sets off waits until the hit is complete.

#include "parts.h"

#include <math.h>

#define HIT_COOKIE 0x7469686bu

kn_hit_def kn_hit_def_default(void)
{
    kn_hit_def def = {.cookie = HIT_COOKIE};
    return def;
}

// Running -------------------------------------------------------------------------

typedef struct hit_call {
    const kn_hit_def *def;
    const kn_combat_def *rules;
    kn_hit hit;
} hit_call;

static kn_event_record hit_record(const kn_hit_def *def, const hit_ids *ids, float magnitude)
{
    kn_event_record record = kn_event_record_default();
    record.kind = ids->kinds[def->kind];
    record.instigator = def->source;
    record.target = def->target;
    record.tags = def->tags;
    record.magnitude = magnitude;
    record.ignore_modifiers = (def->flags & KN_HIT_NO_MODIFIERS) != 0;
    record.ignore_gates = (def->flags & KN_HIT_NO_GATES) != 0;
    return record;
}

// Changes health and returns by how much it really changed.
static float hit_change_health(
    kn_world *world, const kn_hit_def *def, kn_attribute_id health, float amount)
{
    float old = kn_attribute_base(world, def->target, health);
    float wanted = def->kind == KN_HIT_DAMAGE ? old - amount : old + amount;
    if (kn_attribute_set_base(world, def->target, health, 0, wanted) != KN_OK) {
        return 0.0f;
    }
    return fabsf(kn_attribute_base(world, def->target, health) - old);
}

static kn_result hit_deal(kn_world *world, hit_call *call)
{
    const hit_ids *ids = &combat_of_world(world)->hit;
    const kn_hit_def *def = call->def;
    kn_hit *hit = &call->hit;
    float amount = def->amount;
    kn_event_record record = hit_record(def, ids, amount);
    if (!record.ignore_modifiers) {
        amount =
            kn_value_evaluate(world, def->source, ids->done[def->kind], amount, &record, false);
    }
    record = hit_record(def, ids, amount);
    kn_event_outcome outcome;
    kn_result result = kn_event_run(world, &record, &outcome);
    if (result != KN_OK) {
        hit->refused = result == KN_REFUSED_BLOCKED;
        hit->mitigated = def->amount;
        return result;
    }
    amount = outcome.magnitude;
    hit->mitigated = def->amount - amount;
    if ((def->flags & KN_HIT_NO_SHARE) == 0) {
        hit->shared = buff_share(world, def, amount);
    }
    if ((def->flags & KN_HIT_NO_ABSORB) == 0) {
        hit->absorbed = buff_absorb(world, def, amount - hit->shared);
    }
    amount -= hit->shared + hit->absorbed;
    hit->dealt = hit_change_health(world, def, call->rules->health, amount);
    hit->over = amount - hit->dealt;
    return KN_OK;
}

static kn_result hit_run(void *user, kn_world *world)
{
    hit_call *call = user;
    const hit_ids *ids = &combat_of_world(world)->hit;
    kn_result result = hit_deal(world, call);
    if (result == KN_OK || result == KN_REFUSED_BLOCKED) {
        (void)kn_world_publish(world, call->def->target, ids->event, &call->hit);
    }
    if (result == KN_OK) {
        cast_hit(world, &call->hit);
        buff_hit(world, &call->hit);
        threat_hit(world, &call->hit);
        proc_hit(world, &call->hit);
    }
    return result;
}

kn_result kn_hit_run(kn_world *world, const kn_hit_def *def, kn_hit *hit)
{
    if (hit != NULL) {
        *hit = (kn_hit){0};
    }
    if (world == NULL || def == NULL || def->cookie != HIT_COOKIE ||
        def->kind >= KN_HIT_KIND_COUNT || kn_combat_rules(kn_world_library(world)) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    hit_call call = {.def = def, .rules = kn_combat_rules(kn_world_library(world))};
    if (!(def->amount >= 0.0f) || !isfinite(def->amount)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (!kn_entity_is_alive(world, def->target)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_is_dying(world, def->target) ||
        (call.rules->dead.index1 != 0 && kn_entity_has_tag(world, def->target, call.rules->dead))) {
        return KN_REFUSED_DYING;
    }
    if (!kn_attribute_exists(world, def->target, call.rules->health, 0)) {
        return KN_REFUSED_MISSING_ATTRIBUTE;
    }
    call.hit = (kn_hit){.source = def->source,
        .target = def->target,
        .kind = def->kind,
        .flags = def->flags & KN_HIT_FLAGS,
        .amount = def->amount,
        .effect = def->effect,
        .ability = def->ability};
    kn_result result = kn_world_call(world, hit_run, &call);
    if (hit != NULL) {
        *hit = call.hit;
    }
    return result;
}

// Effects ---------------------------------------------------------------------------

// Somebody has changed Hit.Damage or Hit.Healing.
static void hit_executed(void *user, const kn_execute_data *data)
{
    const combat *kit = user;
    kn_hit_def def = kn_hit_def_default();
    kn_tag tags[KN_TAG_SET_MAX];
    def.kind = data->attribute.index1 == kit->hit.meta[KN_HIT_HEALING].index1 ? KN_HIT_HEALING
                                                                              : KN_HIT_DAMAGE;
    def.target = data->entity;
    def.amount = data->magnitude > 0.0f ? data->magnitude : 0.0f;
    if (data->spec != NULL) {
        kn_ability_info info;
        def.source = kn_spec_view_instigator(data->spec);
        def.effect = kn_spec_view_type(data->spec);
        def.tags.data = tags;
        def.tags.count = 0; // kn_spec_view_asset_tags()
        if (kn_ability_get(data->world, kn_spec_view_ability(data->spec), &info)) {
            def.ability = info.type;
        }
        if (kn_spec_view_effect(data->spec).index1 != 0) {
            def.flags |= KN_HIT_PERIODIC;
        }
    }
    (void)kn_hit_run(data->world, &def, NULL);
}

// Registration ------------------------------------------------------------------------

static const char *const hit_kind_words[] = {"damage", "healing"};

static const kn_field hit_fields[] = {
    KN_FIELD(kn_hit, source, KN_FIELD_ENTITY),
    KN_FIELD(kn_hit, target, KN_FIELD_ENTITY),
    {.name = "kind",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(kn_hit, kind),
        .refers_to = "kn_hit_kind"},
    KN_FIELD(kn_hit, flags, KN_FIELD_U32),
    KN_FIELD(kn_hit, amount, KN_FIELD_F32),
    KN_FIELD(kn_hit, mitigated, KN_FIELD_F32),
    KN_FIELD(kn_hit, shared, KN_FIELD_F32),
    KN_FIELD(kn_hit, absorbed, KN_FIELD_F32),
    KN_FIELD(kn_hit, over, KN_FIELD_F32),
    KN_FIELD(kn_hit, dealt, KN_FIELD_F32),
    KN_FIELD(kn_hit, outcome, KN_FIELD_TAG),
    KN_FIELD_TO(kn_hit, effect, "effect"),
    KN_FIELD_TO(kn_hit, ability, "ability"),
    KN_FIELD(kn_hit, refused, KN_FIELD_U32),
};

static kn_result hit_values_register(kn_library *library, hit_ids *ids, kn_error *error)
{
    static const char *const names[] = {
        "Knack.DamageDone", "Knack.HealingDone", "Knack.DamageTaken", "Knack.HealingTaken"};
    static const char *const kinds[] = {"Knack.Damage", "Knack.Healing"};
    kn_result result = combat_tags_register(library, kinds, 2, ids->tags, error);
    for (uint32_t i = 0; result == KN_OK && i < 4; i++) {
        kn_value_def value = kn_value_def_default();
        value.name = names[i];
        result =
            kn_value_register(library, &value, i < 2 ? &ids->done[i] : &ids->taken[i - 2], error);
    }
    for (uint32_t i = 0; result == KN_OK && i < KN_HIT_KIND_COUNT; i++) {
        kn_event_kind_def kind = kn_event_kind_def_default();
        kind.name = kinds[i];
        kind.tag = ids->tags[i];
        kind.incoming = ids->taken[i];
        result = kn_event_kind_register(library, &kind, &ids->kinds[i], error);
    }
    return result;
}

static kn_result hit_set_register(kn_library *library, combat *kit, kn_error *error)
{
    kn_attribute_def attributes[KN_HIT_KIND_COUNT];
    for (uint32_t i = 0; i < KN_HIT_KIND_COUNT; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = i == KN_HIT_DAMAGE ? "Damage" : "Healing";
        attributes[i].is_meta = true;
    }
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Hit";
    set.attributes = attributes;
    set.attribute_count = KN_HIT_KIND_COUNT;
    set.hooks.post_execute = hit_executed;
    set.hooks.user = kit;
    kn_result result = kn_attribute_set_register(library, &set, &kit->hit.set, error);
    if (result == KN_OK) {
        kit->hit.meta[KN_HIT_DAMAGE] = kn_attribute_find(library, "Hit.Damage");
        kit->hit.meta[KN_HIT_HEALING] = kn_attribute_find(library, "Hit.Healing");
    }
    return result;
}

kn_result hit_part_register(kn_library *library, combat *kit, kn_error *error)
{
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = "Knack.Hit";
    event.size = sizeof(kn_hit);
    event.fields = hit_fields;
    event.field_count = sizeof(hit_fields) / sizeof(*hit_fields);
    event.text = "takes {dealt} of {amount} {kind} from {source}";
    kn_result result = kn_enum_register(library, "kn_hit_kind", hit_kind_words, 2, error);
    result = result != KN_OK ? result
                             : kn_custom_event_register(library, &event, &kit->hit.event, error);
    result = result != KN_OK ? result : hit_values_register(library, &kit->hit, error);
    return result != KN_OK ? result : hit_set_register(library, kit, error);
}
