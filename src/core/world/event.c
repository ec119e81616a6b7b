// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Causes, events for observers, rules, and the pipeline of event records: modify, gate, apply,
// notify.

#include "ability/actor.h"

#include <math.h>

// Causes --------------------------------------------------------------------

static bool cause_find(const kn_world *world, kn_cause cause, const kni_cause_record **record)
{
    const kni_event_buffer *buffers[2] = {&world->pending, &world->published};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t index = cause - 1 - buffers[i]->cause_base;
        if (cause != 0 && index < buffers[i]->cause_count) {
            *record = &buffers[i]->causes[index];
            return true;
        }
    }
    return false;
}

// Chains are cut by length, and where they branch by number: what sets itself off twice would
// double with every link. Only links beyond a quarter of the length count, which wide but short
// reactions do not reach.
#define CHAIN_DEEP_LINKS 64 // for each link that a chain may have

// One report for all chains that begin with one cause. Always false.
static bool chain_cut(kn_world *world, kn_entity_id entity, kn_effect_type_id type, uint32_t detail)
{
    if (!world->is_chain_reported) {
        world->is_chain_reported = true;
        kni_emit_error(world, KN_REFUSED_LIMIT, entity, type.index1, 0, detail);
    }
    return false;
}

static bool chain_goes_on(
    kn_world *world, uint32_t depth, kn_entity_id entity, kn_effect_type_id type)
{
    if (depth == 1 && world->chain_root != world->cause) {
        world->chain_root = world->cause;
        world->chain_deep = 0;
        world->is_chain_reported = false;
    }
    uint32_t limit = world->def.chain_limit;
    if (depth > limit) {
        return chain_cut(world, entity, type, depth);
    }
    if (depth <= limit / 4) {
        return true;
    }
    return ++world->chain_deep <= CHAIN_DEEP_LINKS * limit ||
           chain_cut(world, entity, type, world->chain_deep);
}

bool kni_cause_begin_slow(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    kn_effect_id effect, kn_effect_type_id type, uint32_t tag, kn_cause *previous)
{
    kni_event_buffer *buffer = &world->pending;
    *previous = world->cause;
    uint32_t depth = 0;
    if (world->cause != 0) {
        const kni_cause_record *parent;
        depth = cause_find(world, world->cause, &parent) ? parent->depth + 1u : 0;
        if (!chain_goes_on(world, depth, entity, type)) {
            return false;
        }
    }
    if (buffer->cause_count >= buffer->cause_capacity &&
        !kni_grow(&world->memory, &buffer->causes, &buffer->cause_capacity, buffer->cause_count + 1,
            sizeof(kni_cause_record))) {
        kni_break(world);
        return false;
    }
    buffer->causes[buffer->cause_count] = (kni_cause_record){
        .parent = world->cause,
        .tag = tag,
        .kind = (uint8_t)kind,
        .depth = (uint16_t)depth,
        .type1 = (uint16_t)type.index1,
        .entity = entity,
        .effect = effect,
    };
    buffer->cause_count++;
    world->cause = buffer->cause_base + buffer->cause_count;
    return true;
}

bool kni_cause_begin_timed_slow(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    uint32_t slot, uint32_t ability1, kn_cause *previous)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_effect_type_id type = {effect->type + 1u};
    if (!kni_cause_begin_slow(
            world, kind, entity, kni_effect_id_of(world, slot), type, 0, previous)) {
        return false;
    }
    if (*previous == 0) {
        kni_cause_record *record = &world->pending.causes[world->pending.cause_count - 1];
        record->source = effect->source;
        record->has_source = 1;
        record->ability1 = (uint16_t)ability1;
    }
    return true;
}

// What was behind a root when its effect was applied; `bit` says which link.
static void cause_behind(
    const kni_cause_record *root, kn_cause cause, uint32_t bit, kn_cause_info *info)
{
    bool is_apply = bit == KNI_CAUSE_APPLIED;
    *info = (kn_cause_info){
        .parent = is_apply && root->ability1 != 0 ? cause | KNI_CAUSE_BY_ABILITY : 0,
        .kind = is_apply ? KN_CAUSE_APPLY : KN_CAUSE_ABILITY,
        .entity = is_apply ? root->entity : root->source,
        .effect = is_apply ? root->effect : (kn_effect_id){0},
        .type = {is_apply ? root->type1 : 0u},
        .source = is_apply ? root->source : (kn_entity_id){0},
        .ability = {is_apply ? 0u : root->ability1},
    };
}

bool kn_cause_get(const kn_world *world, kn_cause cause, kn_cause_info *info)
{
    if (world == NULL || info == NULL) {
        return false;
    }
    memset(info, 0, sizeof(*info));
    const kni_cause_record *record;
    uint32_t bit = cause & (KNI_CAUSE_APPLIED | KNI_CAUSE_BY_ABILITY);
    if (!cause_find(world, cause & ~bit, &record) || (bit != 0 && !record->has_source)) {
        return false;
    }
    if (bit != 0) {
        cause_behind(record, cause & ~bit, bit, info);
        return true;
    }
    *info = (kn_cause_info){
        .kind = (kn_cause_kind)record->kind,
        .depth = record->depth,
        .entity = record->entity,
        .type = {record->type1},
    };
    if (record->kind == KN_CAUSE_APPLY) {
        uint32_t component = kni_component_find(world, record->applier); // of a body: whose it is
        info->source =
            component != KNI_NONE ? kni_component_entity(world, component) : record->applier;
    } else {
        info->effect = record->effect;
    }
    if (record->has_source) {
        bool is_known = record->source.index1 != 0 || record->ability1 != 0;
        info->parent = is_known ? cause | KNI_CAUSE_APPLIED : 0;
        info->source = record->source;
        return true;
    }
    info->parent = record->parent;
    bool is_ability = record->kind >= KN_CAUSE_ABILITY && record->kind <= KN_CAUSE_TASK;
    info->ability.index1 = is_ability ? record->tag : 0;
    info->tag.index1 = is_ability ? 0 : record->tag;
    return true;
}

// Events --------------------------------------------------------------------

kn_event *kni_emit_slow(kn_world *world)
{
    kni_event_buffer *buffer = &world->pending;
    if (!kni_grow(&world->memory, &buffer->events, &buffer->capacity, buffer->count + 1,
            sizeof(kn_event))) {
        kni_break(world);
        return &world->lost_event;
    }
    return &buffer->events[buffer->count++];
}

static void error_emit(kn_world *world, kn_entity_id entity, const kn_event_error *error)
{
    if (!kni_wants(world, KN_EVENT_ERROR)) {
        return;
    }
    kn_event *event = kni_emit(world, KN_EVENT_ERROR, entity);
    memset(&event->data, 0, sizeof(event->data));
    event->data.error = *error;
}

void kni_emit_error(kn_world *world, kn_result code, kn_entity_id entity, uint32_t type1,
    uint32_t attribute1, uint32_t detail)
{
    if (code == KN_REFUSED_LIMIT) {
        // Once per limit is worth a line: somebody must break a loop.
        char text[512];
        kn_cause_print(world, world->cause, text, sizeof(text));
        kni_log_line(world, KN_LOG_WORLD, KN_LOG_ERROR, code, text);
    }
    kn_event_error error = {
        .code = code, .detail = detail, .type = {type1}, .attribute = {attribute1}};
    error_emit(world, entity, &error);
}

void kni_emit_ability_error(kn_world *world, kn_result code, kn_entity_id entity, uint32_t ability1)
{
    const kni_reported *last = &world->reported;
    if (last->cause == world->cause && last->code == code && last->ability1 == ability1 &&
        kn_entity_id_equal(last->entity, entity)) {
        return; // the rule has said more about it with kn_world_report()
    }
    kn_event_error error = {.code = code, .ability = {ability1}};
    error_emit(world, entity, &error);
}

kn_result kn_world_report(kn_world *world, kn_entity_id entity, const kn_event_error *error)
{
    if (error == NULL) {
        KN_ASSERT(error != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result == KN_OK) {
        world->reported = (kni_reported){world->cause, error->code, error->ability.index1, entity};
        error_emit(world, entity, error);
        result = kni_leave(world, result);
    }
    return result;
}

kn_events kn_world_events(const kn_world *world)
{
    if (world == NULL) {
        return (kn_events){0};
    }
    kn_events events = {world->published.events, world->published.count};
    return events;
}

// Room for bytes beside the pending events; the offset, rounded so that anything may stand there.
bool kni_bytes_room(kn_world *world, uint32_t size, uint32_t *offset)
{
    kni_event_buffer *buffer = &world->pending;
    *offset = (buffer->byte_count + 7) & ~7u;
    if (!kni_grow(&world->memory, &buffer->bytes, &buffer->byte_capacity, *offset + size, 1)) {
        kni_break(world);
        return false;
    }
    buffer->byte_count = *offset + size;
    return true;
}

// Rules ---------------------------------------------------------------------

static bool rule_matches(
    const kn_world *world, const kn_rule_def *rule, const kn_reaction *reaction)
{
    if (rule->trigger != reaction->trigger) {
        return false;
    }
    switch (rule->trigger) {
    case KN_TRIGGER_EVENT:
        return kn_tag_matches(world->library, reaction->tag, rule->tag);
    case KN_TRIGGER_TAG_ADDED:
    case KN_TRIGGER_TAG_REMOVED:
        return reaction->tag.index1 == rule->tag.index1;
    case KN_TRIGGER_ATTRIBUTE_CHANGED:
        return reaction->attribute.index1 == rule->attribute.index1;
    default:
        return rule->effect_type.index1 == 0 ||
               rule->effect_type.index1 == reaction->effect_type.index1;
    }
}

void kni_react_rules(kn_world *world, const kn_reaction *reaction)
{
    const kn_library *library = world->library;
    for (uint32_t i = 0; i < library->registries[KN_DEF_RULE].count; i++) {
        uint32_t index = library->rules_by_priority[i];
        if (rule_matches(world, &KNI_ITEM(library, KN_DEF_RULE, kni_rule, index)->def, reaction)) {
            kni_queued *queued = kni_react(world, KNI_REACT_RULE);
            queued->index = index;
            queued->entity = reaction->entity;
            queued->reaction = *reaction;
        }
    }
}

static bool record_tags_are_good(const kn_world *world, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (tags.data == NULL || tags.data[i].index1 - 1 >= kn_tag_count(world->library)) {
            return false;
        }
    }
    return true;
}

kn_result kni_record_check(const kn_world *world, const kn_event_record *record)
{
    if (record->cookie != KNI_COOKIE || record->tag.index1 > kn_tag_count(world->library) ||
        record->kind.index1 > world->library->registries[KN_DEF_EVENT_KIND].count ||
        !record_tags_are_good(world, record->tags) ||
        !record_tags_are_good(world, record->instigator_tags) ||
        !record_tags_are_good(world, record->target_tags) ||
        (record->data == NULL && record->data_size > 0)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return isfinite(record->magnitude) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

void kni_send(kn_world *world, kn_entity_id entity, kn_event_kind_id kind, kn_tag tag,
    kn_entity_id instigator, float magnitude, const kn_event_record *record)
{
    if (kni_wants(world, KN_EVENT_RECORD)) {
        kn_event *event = kni_emit(world, KN_EVENT_RECORD, entity);
        memset(&event->data, 0, sizeof(event->data));
        event->data.record.kind = kind;
        event->data.record.tag = tag;
        event->data.record.instigator = instigator;
        event->data.record.magnitude = magnitude;
    }
    if (tag.index1 == 0) {
        return;
    }
    kn_reaction reaction = {.trigger = KN_TRIGGER_EVENT,
        .entity = entity,
        .tag = tag,
        .instigator = instigator,
        .magnitude = magnitude};
    if ((world->library->trigger_mask >> KN_TRIGGER_EVENT & 1) != 0) {
        kni_react_rules(world, &reaction);
    }
    uint32_t component = kni_component_find(world, entity);
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    if (actor != NULL && (actor->watch_mask >> KN_TRIGGER_EVENT & 1) != 0) {
        kn_event_record plain = kn_event_record_default();
        plain.kind = kind;
        plain.instigator = instigator;
        plain.target = entity;
        plain.magnitude = magnitude;
        kn_event_record told = record != NULL ? *record : plain;
        told.magnitude = magnitude;
        kni_watch_event(world, component, &reaction, &told);
    }
}

kn_result kn_event_send(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_event_record *record)
{
    if (world == NULL || tag.index1 == 0 || tag.index1 > kn_tag_count(world->library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = record != NULL ? kni_record_check(world, record) : KN_OK;
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_EVENT, entity, (kn_effect_id){0}, (kn_effect_type_id){0},
            tag.index1, &previous)) {
        return kni_leave(world, KN_REFUSED_LIMIT);
    }
    kni_send(world, entity, (kn_event_kind_id){0}, tag,
        record != NULL ? record->instigator : (kn_entity_id){0},
        record != NULL ? record->magnitude : 0.0f, record);
    kni_cause_end(world, previous);
    return kni_leave(world, KN_OK);
}

// Gates ---------------------------------------------------------------------

kn_event_record kn_event_record_default(void)
{
    kn_event_record record = {.cookie = KNI_COOKIE};
    return record;
}

static bool record_has(const void *subject, uint32_t tag, bool exact)
{
    const kni_gate_subject *s = subject;
    if (s->spec != NULL && s->kind == 1) {
        return kni_spec_has_tag(s->spec, tag, exact, true, true);
    }
    kn_tag wanted = {tag};
    if (exact) {
        return kn_tags_has_exact(s->record->tags, wanted);
    }
    for (uint32_t i = 0; i < s->record->tags.count; i++) {
        kn_tag own = s->record->tags.data[i];
        if (own.index1 == tag) {
            return true;
        }
    }
    return false;
}

typedef struct record_subject {
    const kn_world *world;
    const kni_gate_subject *gate;
} record_subject;

static bool record_subject_has(const void *subject, uint32_t tag, bool exact)
{
    const record_subject *s = subject;
    if (record_has(s->gate, tag, exact)) {
        return true;
    }
    kn_tag wanted = {tag};
    return !exact && s->gate->kind != 1 &&
           kn_tags_has(s->world->library, s->gate->record->tags, wanted);
}

static bool source_subject_has(const void *subject, uint32_t tag, bool exact)
{
    const record_subject *s = subject;
    if (s->gate->spec != NULL) {
        return kni_source_has_tag(s->gate->spec, tag, exact);
    }
    uint32_t component = s->gate->source_component;
    if (component == KNI_NONE) {
        return false;
    }
    return exact ? kni_shows_tag_exact(s->world, component, tag)
                 : kni_has_tag(s->world, component, tag);
}

static bool modifies_attribute(const kni_effect_type *type, uint32_t attribute1)
{
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        if (type->modifiers[i].attribute + 1 == attribute1) {
            return true;
        }
    }
    return false;
}

// Whether the tests of a gate hold, parts aside.
bool kni_gate_holds(const kn_world *world, const kn_gate_def *gate, const kni_gate_subject *subject,
    bool with_condition)
{
    record_subject holder = {world, subject};
    if (gate->source_any.count > 0) {
        bool any = false;
        for (uint32_t i = 0; i < gate->source_any.count && !any; i++) {
            any = source_subject_has(&holder, gate->source_any.data[i].index1, false);
        }
        if (!any) {
            return false;
        }
    }
    if (!kn_tag_requirement_is_empty(&gate->source) &&
        !kni_requirement_eval(&gate->source, source_subject_has, &holder)) {
        return false;
    }
    if (!kn_tag_requirement_is_empty(&gate->record) &&
        !kni_requirement_eval(&gate->record, record_subject_has, &holder)) {
        return false;
    }
    if (gate->type_count > 0) {
        bool any = false;
        for (uint32_t i = 0; i < gate->type_count && subject->spec != NULL; i++) {
            any |= gate->types[i].index1 == subject->spec->type->index1;
        }
        if (!any) {
            return false;
        }
    }
    if (gate->modifies.index1 != 0 &&
        (subject->spec == NULL ||
            !modifies_attribute(subject->spec->type, gate->modifies.index1))) {
        return false;
    }
    if (with_condition && gate->condition.index1 != 0) {
        kn_condition_answer answer = {KN_OP_ADD, subject->record->magnitude};
        return kni_condition_holds(world, gate->condition, subject->record, &answer);
    }
    return true;
}

// Calls `match` for gates in order of creation; stops at the first match.
static uint32_t gate_walk(const kn_world *world, uint32_t component, bool as_instigator,
    const kni_gate_subject *subject, const kn_tags *part, uint32_t first)
{
    const kni_component *c = kni_component_at(world, component);
    if (c->gate_count == 0) {
        return KNI_NONE;
    }
    for (uint32_t i = first; i < c->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, c->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        const kni_effect_type *type = kni_type_at(world, effect->type);
        if ((type->flags & KNI_EFFECT_GATES) == 0 || (effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
            continue;
        }
        for (uint32_t g = 0; g < type->def.gate_count; g++) {
            const kn_gate_def *gate = &type->def.gates[g];
            uint32_t kind = gate->kind.index1 == 0 ? 1 : gate->kind.index1;
            if (kind != subject->kind || gate->as_instigator != as_instigator ||
                (gate->parts.count > 0) != (part != NULL)) {
                continue;
            }
            if (part != NULL && !kn_tags_has_any(world->library, *part, gate->parts)) {
                continue;
            }
            if (kni_gate_holds(world, gate, subject, true)) {
                return i;
            }
        }
    }
    return KNI_NONE;
}

static uint32_t gate_effect(const kn_world *world, uint32_t component, uint32_t index)
{
    return index == KNI_NONE
               ? KNI_NONE
               : *KNI_SPAN_AT(world, kni_component_at(world, component)->effects, uint32_t, index);
}

uint32_t kni_gate_find(
    const kn_world *world, uint32_t component, bool as_instigator, const kni_gate_subject *subject)
{
    return gate_effect(
        world, component, gate_walk(world, component, as_instigator, subject, NULL, 0));
}

bool kni_gate_blocks_part(const kn_world *world, uint32_t component,
    const kni_gate_subject *subject, kn_tags part_tags, uint32_t *by)
{
    *by = gate_effect(world, component, gate_walk(world, component, false, subject, &part_tags, 0));
    return *by != KNI_NONE;
}

// The pipeline --------------------------------------------------------------

static const kn_event_kind_def *record_kind(const kn_world *world, const kn_event_record *record)
{
    return &KNI_ITEM(world->library, KN_DEF_EVENT_KIND, kni_event_kind, record->kind.index1 - 1)
                ->def;
}

static kni_gate_subject record_gate_subject(
    const kn_world *world, const kn_event_record *record, const kn_spec_view *spec)
{
    kni_gate_subject subject = {
        record, spec, record->kind.index1, kni_component_find(world, record->instigator)};
    return subject;
}

static uint32_t record_gate(const kn_world *world, const kn_event_record *record)
{
    kni_gate_subject subject = record_gate_subject(world, record, record->effect);
    uint32_t gate = KNI_NONE;
    if (subject.source_component != KNI_NONE) {
        gate = kni_gate_find(world, subject.source_component, true, &subject);
    }
    uint32_t target = kni_component_find(world, record->target);
    if (gate == KNI_NONE && target != KNI_NONE) {
        gate = kni_gate_find(world, target, false, &subject);
    }
    return gate;
}

static float record_modify(
    const kn_world *world, const kn_event_kind_def *kind, const kn_event_record *record)
{
    float magnitude = record->magnitude;
    if (record->ignore_modifiers) {
        return magnitude;
    }
    if (kind->outgoing.index1 != 0 && record->instigator.index1 != 0) {
        magnitude =
            kn_value_evaluate(world, record->instigator, kind->outgoing, magnitude, record, false);
    }
    if (kind->incoming.index1 != 0) {
        magnitude =
            kn_value_evaluate(world, record->target, kind->incoming, magnitude, record, false);
    }
    return magnitude;
}

kn_result kni_event_modify_and_gate(
    kn_world *world, const kn_event_record *original, kn_event_outcome *outcome)
{
    const kn_event_kind_def *kind = record_kind(world, original);
    kn_event_record record = *original;
    float modified = record_modify(world, kind, &record);
    if (kind->gate_sees_final) {
        record.magnitude = modified;
    }
    *outcome = (kn_event_outcome){KN_OK, modified, {0}};
    if (!isfinite(modified)) {
        outcome->result = KN_REFUSED_BAD_NUMBER;
        outcome->magnitude = 0.0f;
        return KN_REFUSED_BAD_NUMBER;
    }
    uint32_t gate =
        kind->restrictable && !record.ignore_gates ? record_gate(world, &record) : KNI_NONE;
    if (gate != KNI_NONE) {
        outcome->result = KN_REFUSED_BLOCKED;
        outcome->blocked_by = kni_effect_id_of(world, gate);
        if (kni_wants(world, KN_EVENT_RESTRICTED)) {
            kn_event *event = kni_emit(world, KN_EVENT_RESTRICTED, record.target);
            memset(&event->data, 0, sizeof(event->data));
            event->data.record.kind = record.kind;
            event->data.record.tag = kind->tag;
            event->data.record.instigator = record.instigator;
            event->data.record.magnitude = modified;
            event->data.record.by = outcome->blocked_by;
        }
    }
    return outcome->result;
}

static kn_result record_check(const kn_world *world, const kn_event_record *record)
{
    if (world == NULL || record == NULL || record->cookie != KNI_COOKIE ||
        record->kind.index1 == 0 ||
        record->kind.index1 > world->library->registries[KN_DEF_EVENT_KIND].count) {
        KNI_ASSERT_DEF(record, kn_event_record);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < record->tags.count; i++) {
        if (record->tags.data[i].index1 == 0 ||
            record->tags.data[i].index1 > kn_tag_count(world->library)) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
    }
    if (!kn_entity_is_alive(world, record->target)) {
        return KN_REFUSED_STALE_ID;
    }
    return isfinite(record->magnitude) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_event_run(kn_world *world, const kn_event_record *record, kn_event_outcome *outcome)
{
    kn_event_outcome local;
    outcome = outcome != NULL ? outcome : &local;
    *outcome = (kn_event_outcome){KN_OK, 0.0f, {0}};
    kn_result result = record_check(world, record);
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        outcome->result = result;
        return result;
    }
    const kn_event_kind_def *kind = record_kind(world, record);
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_EVENT, record->target, (kn_effect_id){0},
            (kn_effect_type_id){0}, kind->tag.index1, &previous)) {
        outcome->result = KN_REFUSED_LIMIT;
        return kni_leave(world, KN_REFUSED_LIMIT);
    }
    result = kni_event_modify_and_gate(world, record, outcome);
    if (result == KN_OK) {
        if (kind->apply != NULL) {
            kni_hold(world);
            kind->apply(kind->user, world, record, outcome->magnitude);
            kni_release(world);
        }
        kni_send(world, record->target, record->kind, kind->tag, record->instigator,
            outcome->magnitude, record);
    }
    kni_cause_end(world, previous);
    return kni_leave(world, result);
}

uint32_t kn_event_vetoes(
    const kn_world *world, const kn_event_record *record, kn_effect_id *out, uint32_t capacity)
{
    if (record_check(world, record) != KN_OK) {
        return 0;
    }
    const kn_event_kind_def *kind = record_kind(world, record);
    if (record->ignore_gates || !kind->restrictable) {
        return 0;
    }
    kn_event_record copy = *record;
    if (kind->gate_sees_final) {
        copy.magnitude = record_modify(world, kind, record);
    }
    kni_gate_subject subject = record_gate_subject(world, &copy, copy.effect);
    uint32_t components[2] = {subject.source_component, kni_component_find(world, record->target)};
    uint32_t count = 0;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t first = 0;
        while (components[side] != KNI_NONE) {
            uint32_t index = gate_walk(world, components[side], side == 0, &subject, NULL, first);
            if (index == KNI_NONE) {
                break;
            }
            if (count < capacity) {
                out[count] = kni_effect_id_of(world, gate_effect(world, components[side], index));
            }
            count++;
            first = index + 1;
        }
    }
    return count;
}
