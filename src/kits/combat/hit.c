// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hits. The stages of a hit are evaluated one after the other inside one call of the world, so that
// what a hit sets off waits until the hit is complete.

#include "parts.h"

#include <math.h>
#include <stdlib.h>

#define HIT_COOKIE 0x7469686bu
#define LOGGED_LINES 128 // of a hit

kn_hit_def kn_hit_def_default(void)
{
    kn_hit_def def = {.level = 1.0f, .cookie = HIT_COOKIE};
    return def;
}

kn_tags kn_hit_tags(const kn_hit *hit)
{
    kn_tags tags = {hit->tags, 0};
    while (tags.count < KN_HIT_TAGS_MAX && hit->tags[tags.count].index1 != 0) {
        tags.count++;
    }
    return tags;
}

bool kn_hit_has_outcome(const kn_library *library, const kn_hit *hit, kn_tag outcome)
{
    if (outcome.index1 == 0) {
        return hit->outcome.index1 == 0;
    }
    bool has = kn_tag_matches(library, hit->outcome, outcome);
    for (uint32_t i = 0; i < KN_HIT_OUTCOMES_MAX - 1; i++) {
        has = has || kn_tag_matches(library, hit->outcomes[i], outcome);
    }
    return has;
}

// Stages --------------------------------------------------------------------------

kn_event_record knc_hit_record(const hit_call *call, float magnitude)
{
    const kn_hit_def *def = &call->def;
    kn_event_record record = kn_event_record_default();
    record.kind = call->kit->hit.kinds[def->kind];
    record.instigator = def->source;
    record.target = def->target;
    record.tags = def->tags;
    record.magnitude = magnitude;
    record.effect = call->spec;
    record.ignore_modifiers = (def->flags & KN_HIT_NO_MODIFIERS) != 0;
    record.ignore_gates = (def->flags & KN_HIT_NO_GATES) != 0;
    return record;
}

void knc_hit_add_outcome(hit_call *call, kn_tag outcome)
{
    kn_hit *hit = &call->hit;
    if (call->def.tags.count < KN_TAG_SET_MAX) {
        call->tags[call->def.tags.count++] = outcome;
    }
    if (hit->outcome.index1 == 0) {
        hit->outcome = outcome;
        return;
    }
    for (uint32_t i = 0; i < KN_HIT_OUTCOMES_MAX - 1; i++) {
        if (hit->outcomes[i].index1 == 0) {
            hit->outcomes[i] = outcome;
            return;
        }
    }
}

// Health that a hit can take or give, and the least that there can be: what the dead have.
static float hit_room(const kn_world *world, const hit_call *call, float old, float *minimum)
{
    float maximum;
    kn_attribute_bounds(world, call->def.target, call->rules->health, 0, minimum, &maximum);
    *minimum = isfinite(*minimum) ? *minimum : 0.0f;
    float room = call->def.kind == KN_HIT_DAMAGE ? old - *minimum : maximum - old;
    return room > 0.0f ? room : 0.0f;
}

float knc_hit_limit(const kn_world *world, const hit_call *call, float amount)
{
    float minimum;
    float old = kn_attribute_base(world, call->def.target, call->rules->health);
    float room = hit_room(world, call, old, &minimum);
    return amount < room ? amount : room;
}

// Changes health, and finds out whether it is used up. What the limits leave is dealt as it was
// asked for: the rounding of a sum is not "over".
static void hit_change_health(kn_world *world, hit_call *call, float amount)
{
    const kn_hit_def *def = &call->def;
    kn_attribute_id health = call->rules->health;
    float minimum;
    float old = kn_attribute_base(world, def->target, health);
    float room = hit_room(world, call, old, &minimum);
    float part = amount < room ? amount : room;
    float wanted = def->kind == KN_HIT_DAMAGE ? old - part : old + part;
    if (room < amount && def->kind == KN_HIT_DAMAGE) {
        wanted = minimum;
    }
    call->hit.over = amount;
    if (kn_attribute_set_base(world, def->target, health, 0, wanted) != KN_OK) {
        return;
    }
    float now = kn_attribute_base(world, def->target, health);
    call->hit.dealt = now == wanted ? part : fabsf(now - old);
    call->hit.over = amount > call->hit.dealt ? amount - call->hit.dealt : 0.0f;
    // Without a dead tag the moment counts when health is used up.
    call->is_used_up = def->kind == KN_HIT_DAMAGE && now <= minimum &&
                       (call->hit.dealt > 0.0f || call->rules->dead.index1 != 0);
}

static float hit_part(float part, float whole)
{
    return part > 0.0f ? (part < whole ? part : whole) : 0.0f;
}

// What others take for the target, and what effects absorb; returns the rest.
static float hit_take_parts(kn_world *world, hit_call *call, float amount)
{
    kn_hit *hit = &call->hit;
    if ((call->def.flags & (KN_HIT_NO_SHARE | KN_HIT_SHARED)) == 0) {
        (void)knc_hit_note_stage(world, call, KN_HIT_STAGE_SHARE, amount);
        hit->shared = hit_part(knc_buff_share(world, &call->def, amount), amount);
        amount -= hit->shared;
    }
    if ((call->def.flags & KN_HIT_NO_ABSORB) == 0) {
        (void)knc_hit_note_stage(world, call, KN_HIT_STAGE_ABSORB, amount);
        hit->absorbed = hit_part(knc_buff_absorb(world, &call->def, amount), amount);
        if (hit->absorbed > 0.0f && hit->absorbed >= amount) {
            knc_hit_add_outcome(call, call->kit->hit.outcome_tags[HIT_OUTCOME_ABSORBED]);
        }
        amount -= hit->absorbed;
    }
    return amount;
}

static void hit_refuse(const kn_world *world, hit_call *call, const kn_event_outcome *outcome)
{
    kn_effect_info info;
    call->hit.refused = 1;
    knc_hit_add_outcome(call, call->kit->hit.outcome_tags[HIT_OUTCOME_IMMUNE]);
    if (kn_effect_get(world, outcome->blocked_by, &info)) {
        call->hit.stopped = info.type;
    }
}

static kn_result hit_deal(kn_world *world, hit_call *call)
{
    const hit_ids *ids = &call->kit->hit;
    const kn_hit_def *def = &call->def;
    float amount = def->amount;
    kn_event_record record = knc_hit_record(call, amount);
    (void)knc_hit_note_stage(world, call, KN_HIT_STAGE_AMOUNT, amount);
    (void)knc_hit_note_stage(world, call, KN_HIT_STAGE_SOURCE, amount);
    if (!record.ignore_modifiers) {
        amount =
            kn_value_evaluate(world, def->source, ids->done[def->kind], amount, &record, false);
    }
    if ((def->flags & KN_HIT_NO_OUTCOME) == 0) {
        amount = knc_outcomes_draw(world, call, amount);
    }
    record = knc_hit_record(call, amount);
    (void)knc_hit_note_stage(world, call, KN_HIT_STAGE_GATE,
        knc_hit_note_stage(world, call, KN_HIT_STAGE_TARGET, amount));
    kn_event_outcome outcome;
    kn_result result = kn_event_run(world, &record, &outcome);
    if (result != KN_OK) {
        call->hit.mitigated = def->amount;
        if (result == KN_REFUSED_BLOCKED) {
            hit_refuse(world, call, &outcome);
        }
        return result;
    }
    amount = outcome.magnitude > 0.0f ? outcome.magnitude : 0.0f;
    call->hit.mitigated = def->amount - amount;
    amount = hit_take_parts(world, call, amount);
    if (knc_life_is_over(world, call->rules, def->target)) {
        call->hit.over = amount; // it died of what taking a part has set off
    } else {
        hit_change_health(world, call, amount);
    }
    knc_hit_note_health(call, amount);
    return KN_OK;
}

// Death ---------------------------------------------------------------------------

static kn_life_change hit_death(const kn_hit *hit)
{
    return (kn_life_change){.entity = hit->target,
        .by = hit->source,
        .effect = hit->effect,
        .ability = hit->ability,
        .amount = hit->over,
        .flags = hit->flags};
}

// A target whose health is used up dies.
static void hit_test_death(kn_world *world, hit_call *call)
{
    if (!call->is_used_up || knc_life_is_over(world, call->rules, call->def.target)) {
        return; // or a hook of its attributes was faster
    }
    kn_life_change change = hit_death(&call->hit);
    if (knc_life_may_end(world, &change, call->def.tags) == KN_OK) {
        call->hit.flags |= KN_HIT_KILLED;
    }
}

// Running -------------------------------------------------------------------------

static kn_result hit_run_call(kn_world *world, hit_call *call)
{
    kn_hit *hit = &call->hit;
    kn_result result = hit_deal(world, call);
    if (result == KN_OK) {
        hit_test_death(world, call);
    }
    if (result == KN_OK || result == KN_REFUSED_BLOCKED) {
        knc_hit_log(world, call);
        (void)kn_world_publish(world, hit->target, call->kit->hit.event, hit);
    }
    if ((hit->flags & KN_HIT_KILLED) != 0) {
        kn_life_change change = hit_death(hit);
        knc_life_end(world, &change);
    }
    if (result == KN_OK) {
        knc_cast_hit(world, hit);
        knc_buff_hit(world, hit);
        knc_threat_hit(world, hit);
        knc_proc_hit(world, hit);
    }
    return result;
}

static kn_result hit_run_logged(kn_world *world, hit_call *call)
{
    kn_hit_line lines[LOGGED_LINES];
    hit_lines list = {.lines = lines, .capacity = LOGGED_LINES};
    call->lines = &list;
    kn_result result = hit_run_call(world, call);
    call->lines = NULL;
    return result;
}

static kn_result hit_run(void *user, kn_world *world)
{
    return kn_log_wants(world, KN_LOG_GAME, KN_LOG_VERBOSE) ? hit_run_logged(world, user)
                                                            : hit_run_call(world, user);
}

static bool hit_def_is_valid(const kn_world *world, const kn_hit_def *def)
{
    if (def->cookie != HIT_COOKIE || (uint32_t)def->kind >= KN_HIT_KIND_COUNT ||
        def->tags.count > KN_TAG_SET_MAX || knc_combat_rules_of(world) == NULL) {
        return false;
    }
    uint32_t known = kn_tag_count(kn_world_library(world));
    for (uint32_t i = 0; i < def->tags.count; i++) {
        if (def->tags.data[i].index1 - 1u >= known) {
            return false;
        }
    }
    return true;
}

// The parts of a call that later stages read: bodies are those that they belong to. Tags beyond
// those that a hit keeps are left out of it, but not out of the stages.
static void hit_call_fill(const kn_world *world, hit_call *call, const kn_hit_def *def)
{
    call->def = *def;
    call->def.source =
        kn_entity_is_alive(world, def->source) ? kn_entity_actor(world, def->source) : def->source;
    call->def.target = kn_entity_actor(world, def->target);
    call->def.tags.data = call->tags;
    call->spec = NULL;
    call->is_used_up = false;
    call->lines = NULL;
    call->hit = (kn_hit){.source = call->def.source,
        .target = call->def.target,
        .kind = def->kind,
        .flags = def->flags & (KN_HIT_FLAGS & ~(uint32_t)KN_HIT_KILLED),
        .amount = def->amount,
        .effect = def->effect,
        .ability = def->ability};
    for (uint32_t i = 0; i < def->tags.count; i++) {
        call->tags[i] = def->tags.data[i];
        if (i < KN_HIT_TAGS_MAX) {
            call->hit.tags[i] = def->tags.data[i];
        }
    }
}

kn_result knc_hit_call_begin(const kn_world *world, const kn_hit_def *def, hit_call *call)
{
    if (world == NULL || def == NULL || !hit_def_is_valid(world, def)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    const kn_library *library = kn_world_library(world);
    call->kit = knc_combat_of(library);
    call->rules = call->kit->rules;
    if (!(def->amount >= 0.0f) || !isfinite(def->amount)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (!kn_entity_is_alive(world, def->target)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_is_dying(world, def->target) ||
        knc_life_is_over(world, call->rules, def->target)) {
        return KN_REFUSED_DYING;
    }
    if (!kn_attribute_exists(world, def->target, call->rules->health, 0)) {
        return KN_REFUSED_MISSING_ATTRIBUTE;
    }
    if (def->outcome.index1 != 0 && !knc_outcome_exists(library, def->outcome)) {
        return KN_REFUSED_NOT_FOUND;
    }
    hit_call_fill(world, call, def);
    return KN_OK;
}

static kn_result hit_run_by(
    kn_world *world, const kn_hit_def *def, const kn_spec_view *spec, kn_hit *hit)
{
    hit_call call;
    if (hit != NULL) {
        *hit = (kn_hit){0};
    }
    kn_result result = knc_hit_call_begin(world, def, &call);
    if (result != KN_OK) {
        return result;
    }
    call.spec = spec;
    result = kn_world_call(world, hit_run, &call);
    if (hit != NULL) {
        *hit = call.hit;
    }
    return result;
}

kn_result kn_hit_run(kn_world *world, const kn_hit_def *def, kn_hit *hit)
{
    return hit_run_by(world, def, NULL, hit);
}

kn_result kn_hit_reflect(kn_world *world, const kn_hit *hit, float amount, kn_hit *result)
{
    if (result != NULL) {
        *result = (kn_hit){0};
    }
    if (world == NULL || hit == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if ((hit->flags & KN_HIT_REFLECTED) != 0) {
        return KN_REFUSED_CYCLE;
    }
    kn_hit_def def = kn_hit_def_default();
    def.source = hit->target;
    def.target = hit->source;
    def.amount = amount;
    def.tags = kn_hit_tags(hit);
    def.flags = KN_HIT_REFLECTED | KN_HIT_TRIGGERED;
    def.effect = hit->effect;
    def.ability = hit->ability;
    return hit_run_by(world, &def, NULL, result);
}

// Effects ---------------------------------------------------------------------------

static void hit_report(const kn_execute_data *data, kn_effect_type_id type)
{
    kn_event_error error = {
        .code = KN_REFUSED_BAD_NUMBER, .type = type, .attribute = data->attribute};
    (void)kn_world_report(data->world, data->entity, &error);
}

static void hit_def_of_spec(
    kn_hit_def *def, kn_tag *tags, const kn_world *world, const kn_spec_view *spec)
{
    kn_ability_info info;
    kn_effect_info effect;
    def->source = kn_spec_view_instigator(spec);
    def->effect = kn_spec_view_type(spec);
    def->level = kn_spec_view_level(spec);
    def->tags.data = tags;
    def->tags.count = kn_spec_view_asset_tags(spec, tags, KN_TAG_SET_MAX);
    def->tags.count = def->tags.count < KN_TAG_SET_MAX ? def->tags.count : KN_TAG_SET_MAX;
    if (kn_ability_get(world, kn_spec_view_ability(spec), &info)) {
        def->ability = info.type;
    }
    if (kn_effect_get(world, kn_spec_view_effect(spec), &effect) && effect.period > 0) {
        def->flags |= KN_HIT_PERIODIC;
    }
}

// Somebody has changed Hit.Damage or Hit.Healing.
static void hit_executed(void *user, const kn_execute_data *data)
{
    const combat *kit = user;
    kn_hit_def def = kn_hit_def_default();
    kn_tag tags[KN_TAG_SET_MAX];
    if (knc_combat_rules_of(data->world) == NULL) {
        return;
    }
    def.kind = data->attribute.index1 == kit->hit.meta[KN_HIT_HEALING].index1 ? KN_HIT_HEALING
                                                                              : KN_HIT_DAMAGE;
    def.target = data->entity;
    def.amount = data->new_base;
    if (data->spec != NULL) {
        hit_def_of_spec(&def, tags, data->world, data->spec);
    }
    if (!(def.amount >= 0.0f)) {
        hit_report(data, def.effect);
        return;
    }
    (void)hit_run_by(data->world, &def, data->spec, NULL);
}

// A lasting effect that does not tick executes nothing: its modifier of a meta attribute would sit
// there and never deal a hit.
static bool effect_never_hits(const hit_ids *ids, const kn_effect_def *def)
{
    if (def->duration_kind == KN_DURATION_INSTANT || def->is_periodic) {
        return false;
    }
    for (uint32_t i = 0; i < def->modifier_count; i++) {
        uint32_t attribute = def->modifiers[i].attribute.index1;
        if (attribute == ids->meta[KN_HIT_DAMAGE].index1 ||
            attribute == ids->meta[KN_HIT_HEALING].index1) {
            return true;
        }
    }
    return false;
}

kn_result knc_hit_check_effects(const kn_library *library, const hit_ids *ids, kn_error *error)
{
    for (uint32_t i = 1; i <= kn_def_count(library, KN_DEF_EFFECT); i++) {
        const kn_effect_def *def = kn_def_get(library, KN_DEF_EFFECT, i);
        if (def != NULL && effect_never_hits(ids, def)) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "effect `%s` lasts without ticking, so that its modifier of Hit.Damage or "
                "Hit.Healing never deals a hit: give it a period, or make it instant",
                def->name);
        }
    }
    return KN_OK;
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
    KN_FIELD_INIT("outcomes", KN_FIELD_TAG, offsetof(kn_hit, outcomes), KN_HIT_OUTCOMES_MAX - 1),
    KN_FIELD_INIT("tags", KN_FIELD_TAG, offsetof(kn_hit, tags), KN_HIT_TAGS_MAX),
    KN_FIELD_TO(kn_hit, effect, "effect"),
    KN_FIELD_TO(kn_hit, ability, "ability"),
    KN_FIELD(kn_hit, refused, KN_FIELD_U32),
    KN_FIELD_TO(kn_hit, stopped, "effect"),
};

static kn_result hit_values_register(kn_library *library, hit_ids *ids, kn_error *error)
{
    static const char *const names[] = {
        "Knack.DamageDone", "Knack.HealingDone", "Knack.DamageTaken", "Knack.HealingTaken"};
    static const char *const kinds[] = {"Knack.Damage", "Knack.Healing"};
    kn_result result = knc_combat_tags_register(library, kinds, 2, ids->tags, error);
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

kn_result knc_hit_part_register(kn_library *library, combat *kit, kn_error *error)
{
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = "Knack.Hit";
    event.size = sizeof(kn_hit);
    event.fields = hit_fields;
    event.field_count = sizeof(hit_fields) / sizeof(*hit_fields);
    event.text = "takes {dealt} {kind} from {source}, asked for {amount}";
    kn_result result = kn_enum_register(library, "kn_hit_kind", hit_kind_words, 2, error);
    result = result != KN_OK ? result
                             : kn_custom_event_register(library, &event, &kit->hit.event, error);
    result = result != KN_OK ? result : hit_values_register(library, &kit->hit, error);
    result = result != KN_OK ? result : knc_outcome_kind_register(library, kit, error);
    result = result != KN_OK ? result : knc_life_register(library, kit, error);
    return result != KN_OK ? result : hit_set_register(library, kit, error);
}

void knc_hit_part_release(combat *kit)
{
    free(kit->hit.own_tags);
}
