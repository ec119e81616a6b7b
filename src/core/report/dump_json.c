// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The world as JSON, for tools: what dump_entity.c and dump_actor.c print for people, and the
// numbers they omit. The layout is documented in docs/debugging.md, key by key.

#include "base/json.h"
#include "report/dump.h"

#include <math.h>

// Parts ---------------------------------------------------------------------

static void json_tag(kni_json *json, const char *key, const kn_world *world, kn_tag tag)
{
    kni_json_str(json, key, tag.index1 != 0 ? kn_tag_name(world->library, tag) : NULL);
}

static void json_attribute(
    kni_json *json, const char *key, const kn_world *world, kn_attribute_id attribute)
{
    kni_json_str(
        json, key, attribute.index1 != 0 ? kn_attribute_name(world->library, attribute) : NULL);
}

static void json_entity(kni_json *json, const char *key, kn_entity_id id)
{
    kni_json_id(json, key, id.index1, id.generation);
}

static void json_effect_id(kni_json *json, const char *key, kn_effect_id id)
{
    kni_json_id(json, key, id.index1, id.generation);
}

// Null for no effect; a removed one still has its name if the type is known.
static void json_effect_type(
    kni_json *json, const char *key, const kn_world *world, kn_effect_type_id type)
{
    kni_json_str(json, key, type.index1 != 0 ? kn_effect_type_name(world, type) : NULL);
}

static void json_bound(kni_json *json, const char *key, float bound)
{
    if (isinf(bound)) {
        kni_json_null(json, key);
    } else {
        kni_json_float(json, key, bound);
    }
}

// A time from now; null for never.
static void json_time_left(kni_json *json, const char *key, const kn_world *world, kn_time at)
{
    kni_json_time(json, key, at == KN_TIME_INFINITE ? at : at - world->now);
}

// An active effect, by id and name.
static void json_effect_ref(
    kni_json *json, const char *key, const kn_world *world, kn_effect_id effect)
{
    uint32_t slot = kni_effect_find(world, effect);
    if (slot == KNI_NONE) {
        kni_json_null(json, key);
        return;
    }
    kni_json_object(json, key);
    json_effect_id(json, "id", effect);
    kni_json_str(json, "type", kni_type_at(world, kni_effect_at(world, slot)->type)->name);
    kni_json_object_end(json);
}

static void json_ability_ref(
    kni_json *json, const char *key, const kn_world *world, kn_ability_id ability)
{
    uint32_t slot = kni_ability_find(world, ability);
    if (slot == KNI_NONE) {
        kni_json_null(json, key);
        return;
    }
    kni_json_object(json, key);
    kni_json_id(json, "id", ability.index1, ability.generation);
    kni_json_str(json, "type", kni_type_of_ability(world, slot)->name);
    kni_json_object_end(json);
}

// Tags ----------------------------------------------------------------------

static void json_tags(kni_json *json, const kn_world *world, uint32_t component)
{
    kn_entity_id entity = kni_component_entity(world, component);
    for (uint32_t i = 0; (i = kni_tag_next(world, component, i)) != 0;) {
        kn_tag tag = {i};
        kni_tag_look look = kni_tag_look_of(world, component, i);
        kni_json_object(json, NULL);
        json_tag(json, "tag", world, tag);
        kni_json_u32(json, "count", kni_tag_count_exact(world, component, i));
        kni_json_object(json, "origins");
        for (uint32_t o = 0; o < KN_TAG_ORIGIN_COUNT; o++) {
            kni_json_u32(json, kni_origin_word((kn_tag_origin)o),
                kn_entity_tag_count_origin(world, entity, tag, (kn_tag_origin)o));
        }
        kni_json_object_end(json);
        kni_json_bool(json, "shown", look.is_shown);
        json_effect_ref(json, "edited_by", world, look.by);
        json_tag(json, "shows_as", world, look.with);
        kni_json_object_end(json);
    }
}

static void json_blocked(kni_json *json, const kn_world *world, uint32_t slot)
{
    kn_blocked_tag blocked;
    for (uint32_t i = 0; kni_blocked_tags(world, slot, i, &blocked, 1) > i; i++) {
        kni_json_object(json, NULL);
        json_tag(json, "tag", world, blocked.tag);
        json_ability_ref(json, "ability", world, blocked.ability);
        json_effect_ref(json, "effect", world, blocked.effect);
        if (blocked.ability.index1 == 0 && blocked.effect.index1 == 0) {
            json_entity(json, "source", blocked.source);
            kni_json_u64(json, "key", blocked.key);
        }
        kni_json_object_end(json);
    }
}

// Attributes ----------------------------------------------------------------

static void json_explain_line(kni_json *json, const kn_world *world, const kn_explain_line *line)
{
    static const char *const kinds[] = {
        [KN_EXPLAIN_BASE] = "base",
        [KN_EXPLAIN_MODIFIER] = "modifier",
        [KN_EXPLAIN_LIMIT] = "group limit",
        [KN_EXPLAIN_HOOK] = "hook",
        [KN_EXPLAIN_CLAMP] = "bound",
        [KN_EXPLAIN_ROUNDING] = "rounding",
        [KN_EXPLAIN_KEPT] = "kept",
        [KN_EXPLAIN_FACTOR] = "factor",
        [KN_EXPLAIN_ADJUST] = "adjust",
    };
    kni_json_object(json, NULL);
    kni_json_str(json, "kind", kinds[line->kind]);
    if (line->kind == KN_EXPLAIN_MODIFIER) {
        bool acts = line->qualification == KN_QUALIFICATION_OK;
        json_effect_id(json, "effect", line->effect);
        json_effect_type(json, "type", world, line->type);
        json_entity(json, "source", line->source);
        kni_json_u32(json, "modifier", line->modifier);
        kni_json_str(json, "operation", kn_op_name(line->op));
        kni_json_u32(json, "channel", line->channel);
        kni_json_float(json, "magnitude", line->magnitude);
        kni_json_u32(json, "stacks", line->stacks);
        kni_json_bool(json, "acts", acts);
        kni_json_str(json, "why_not", acts ? NULL : kn_qualification_name(line->qualification));
    }
    kni_json_float(json, "result", line->result);
    kni_json_object_end(json);
}

static void json_attributes(kni_json *json, const kn_world *world, uint32_t slot)
{
    const kni_component *component = kni_component_at(world, slot);
    kn_entity_id entity = kni_component_entity(world, slot);
    for (uint32_t i = 0; i < world->layouts[component->layout].value_count; i++) {
        uint32_t key;
        uint32_t index = kni_attribute_at_position(world, component, i, &key);
        kn_attribute_id attribute = {index + 1};
        kni_value value = kni_values_of(world, component)[i];
        float minimum, maximum;
        kn_attribute_bounds(world, entity, attribute, key, &minimum, &maximum);
        kni_json_object(json, NULL);
        json_attribute(json, "attribute", world, attribute);
        kni_json_u32(json, "key", key);
        kni_json_float(json, "current", value.current);
        kni_json_float(json, "base", value.base);
        json_bound(json, "min", minimum);
        json_bound(json, "max", maximum);
        kni_json_bool(json, "meta",
            (kni_attribute_at(world->library, index)->flags & KNI_ATTRIBUTE_META) != 0);
        kni_explanation explanation;
        kni_explain_of of = {.entity = entity, .attribute = attribute, .key = key};
        kni_explanation_take(world, &of, &explanation);
        kni_json_array(json, "lines");
        for (uint32_t l = 0; l < explanation.count; l++) {
            json_explain_line(json, world, &explanation.lines[l]);
        }
        kni_json_array_end(json);
        kni_explanation_drop(world, &explanation);
        kni_json_object_end(json);
    }
}

// Fields --------------------------------------------------------------------

static void json_element(kni_json *json, const char *key, const kn_world *world,
    const kn_def_field *field, const uint8_t *at)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    uint64_t number = kni_element_word(field, at, 0);
    switch (kind->number) {
    case KNI_NUMBER_BOOL:
        kni_json_bool(json, key, number != 0);
        break;
    case KNI_NUMBER_SIGNED:
        if (kind->size == 4) {
            kni_json_i32(json, key, (int32_t)kni_element_signed(field, at));
        } else {
            kni_json_i64(json, key, kni_element_signed(field, at));
        }
        break;
    case KNI_NUMBER_FLOAT:
        if (kind->words == 1) {
            kni_json_float(json, key, kni_element_float(at, 0));
            break;
        }
        kni_json_array(json, key);
        for (uint32_t i = 0; i < kind->words; i++) {
            kni_json_float(json, NULL, kni_element_float(at, i));
        }
        kni_json_array_end(json);
        break;
    case KNI_NUMBER_TIME:
        kni_json_time(json, key, (kn_time)number);
        break;
    case KNI_NUMBER_ID:
        kni_json_id(json, key, (uint32_t)number, (uint32_t)kni_element_word(field, at, 1));
        break;
    case KNI_NUMBER_REF:
        if (field->kind == KN_FIELD_TAG) {
            json_tag(json, key, world, (kn_tag){(uint32_t)number});
        } else if (field->kind == KN_FIELD_ATTRIBUTE) {
            json_attribute(json, key, world, (kn_attribute_id){(uint32_t)number});
        } else {
            kni_json_str(json, key, kni_referred_name(world, field, at));
        }
        break;
    default:
        if (field->kind == KN_FIELD_ENUM && kni_element_name(field, at) != NULL) {
            kni_json_str(json, key, kni_element_name(field, at));
        } else if (kind->size <= 4) {
            kni_json_u32(json, key, (uint32_t)number);
        } else {
            kni_json_u64(json, key, number);
        }
        break;
    }
}

static void json_record(
    kni_json *json, const kn_world *world, const kn_def_table *table, const uint8_t *record)
{
    for (uint32_t f = 0; f < table->field_count; f++) {
        const kn_def_field *field = &table->fields[f];
        if (field->count == 1) {
            json_element(json, field->name, world, field, record + field->offset);
            continue;
        }
        kni_json_array(json, field->name);
        for (uint32_t i = 0; i < field->count; i++) {
            size_t offset = field->offset + kni_field_size(field) * i;
            json_element(json, NULL, world, field, record + offset);
        }
        kni_json_array_end(json);
    }
}

// An object, empty if there is no state or it has no fields.
static void json_state(kni_json *json, const kn_world *world, kni_state_look look)
{
    kni_json_object(json, "state");
    if (look.bytes != NULL) {
        json_record(json, world, look.table, look.bytes);
    }
    kni_json_object_end(json);
}

// Effects -------------------------------------------------------------------

static void json_modifiers(kni_json *json, const kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        kn_qualification qualification = kni_modifier_qualification(world, effect, i);
        bool is_value = modifier->attribute == KNI_NONE;
        bool acts = qualification == KN_QUALIFICATION_OK;
        kni_json_object(json, NULL);
        json_attribute(
            json, "attribute", world, (kn_attribute_id){is_value ? 0 : modifier->attribute + 1});
        kni_json_str(json, "value",
            is_value ? kn_value_name(world->library, (kn_value_id){modifier->value + 1}) : NULL);
        kni_json_u32(json, "key", modifier->key);
        kni_json_str(json, "operation", kn_op_name((kn_op)modifier->op));
        kni_json_u32(json, "channel", modifier->channel);
        kni_json_float(
            json, "magnitude", kn_effect_magnitude(world, kni_effect_id_of(world, slot), i));
        kni_json_bool(json, "acts", acts);
        kni_json_str(json, "why_not", acts ? NULL : kn_qualification_name(qualification));
        kni_json_object_end(json);
    }
}

static void json_granted(kni_json *json, const kn_world *world, const kni_effect *effect)
{
    const kni_effect_type *type = kni_type_at(world, effect->type);
    for (uint32_t i = 0; i < type->granted_count; i++) {
        json_tag(json, NULL, world, type->granted[i]);
    }
    const kni_rare *rare = effect->rare1 != 0 ? kni_rare_at(world, effect->rare1) : NULL;
    for (uint32_t i = 0; rare != NULL && i < rare->granted.count; i++) {
        json_tag(json, NULL, world, (kn_tag){*KNI_SPAN_AT(world, rare->granted, uint32_t, i)});
    }
}

#define UNMET_MAX 256

// What keeps an effect inhibited.
static void json_unmet(kni_json *json, const kn_world *world, uint32_t slot)
{
    kni_unmet unmet[UNMET_MAX];
    kn_spec_view view = kni_effect_look(world, slot);
    uint32_t count = kni_conditions_unmet(&view, &view.type->def.ongoing, unmet, UNMET_MAX);
    for (uint32_t i = 0; i < count && i < UNMET_MAX; i++) {
        const kn_attribute_condition *condition = unmet[i].attribute;
        kni_json_object(json, NULL);
        kni_json_str(json, "of", unmet[i].of_source ? "source" : "target");
        json_tag(json, "needs", world, unmet[i].missing);
        json_tag(json, "has", world, unmet[i].unwanted);
        kni_json_bool(json, "query", unmet[i].query);
        json_attribute(json, "attribute", world,
            condition != NULL ? condition->attribute : (kn_attribute_id){0});
        json_attribute(json, "share_of", world,
            condition != NULL ? condition->relative_to : (kn_attribute_id){0});
        bool has_min = condition != NULL && condition->has_min;
        bool has_max = condition != NULL && condition->has_max;
        json_bound(json, "min", has_min ? condition->min : -INFINITY);
        json_bound(json, "max", has_max ? condition->max : INFINITY);
        bool has_above = condition != NULL && condition->has_above;
        bool has_below = condition != NULL && condition->has_below;
        json_bound(json, "above", has_above ? condition->above : -INFINITY);
        json_bound(json, "below", has_below ? condition->below : INFINITY);
        kni_json_object_end(json);
    }
}

static void json_effect(kni_json *json, const kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_effect_info info;
    if (!kn_effect_get(world, id, &info)) {
        return;
    }
    bool is_late = info.duration != KN_TIME_INFINITE && info.next_tick != KN_TIME_INFINITE &&
                   info.next_tick - world->now > info.remaining; // it ends before
    kni_json_object(json, NULL);
    json_effect_id(json, "id", id);
    json_effect_type(json, "type", world, info.type);
    kni_json_u32(json, "number", id.generation);
    kni_json_float(json, "level", info.level);
    kni_json_u32(json, "stacks", info.stacks);
    json_entity(json, "source", info.source);
    kni_json_bool(json, "source_alive", kn_entity_is_alive(world, info.source));
    json_entity(json, "instigator", info.instigator);
    json_entity(json, "causer", info.causer);
    kni_json_time(json, "start", info.start);
    kni_json_time(json, "duration", info.duration);
    kni_json_time(json, "remaining", info.remaining);
    kni_json_time(json, "period", info.period > 0 ? info.period : KN_TIME_INFINITE);
    json_time_left(
        json, "next_tick_in", world, is_late ? (kn_time)KN_TIME_INFINITE : info.next_tick);
    kni_json_u32(json, "executions", info.executions);
    kni_json_float(json, "gained", info.tally_gain);
    kni_json_float(json, "lost", info.tally_loss);
    kni_json_bool(json, "inhibited", info.is_inhibited);
    kni_json_array(json, "inhibited_by");
    if (info.is_inhibited) {
        json_unmet(json, world, slot);
    }
    kni_json_array_end(json);
    kni_json_array(json, "modifiers");
    json_modifiers(json, world, slot);
    kni_json_array_end(json);
    kni_json_array(json, "grants_tags");
    json_granted(json, world, effect);
    kni_json_array_end(json);
    json_state(json, world, kni_effect_state_look(world, slot));
    kni_json_object_end(json);
}

// Abilities -----------------------------------------------------------------

#define REFUSALS_MAX 256

static void json_refusals(kni_json *json, const kn_world *world, kn_ability_id ability)
{
    kn_refusal_line lines[REFUSALS_MAX];
    uint32_t count = kn_ability_explain(world, ability, NULL, lines, REFUSALS_MAX);
    for (uint32_t i = 0; i < count && i < REFUSALS_MAX; i++) {
        const kn_refusal_line *line = &lines[i];
        uint32_t index = 0;
        while ((uint32_t)line->reason >> (index + 1) != 0) {
            index++;
        }
        kni_json_object(json, NULL);
        kni_json_str(json, "reason", kni_fail_word(world->library, index));
        json_tag(json, "fail_tag", world, kn_ability_fail_tag(world->library, line->reason));
        json_tag(json, "tag", world, line->tag);
        json_attribute(json, "attribute", world, line->attribute);
        kni_json_float(json, "have", line->have);
        kni_json_float(json, "need", line->need);
        kni_json_time(json, "remaining", line->remaining);
        kni_json_time(json, "total", line->total);
        json_effect_ref(json, "effect", world, line->effect);
        json_ability_ref(json, "ability", world, line->ability);
        if (line->check.index1 != 0) {
            kni_json_str(json, "check", kn_check_name(world->library, line->check));
        }
        if (line->source.index1 != 0 || line->key != 0) {
            json_entity(json, "source", line->source);
            kni_json_u64(json, "key", line->key);
        }
        if (line->text[0] != 0) {
            kni_json_str(json, "text", line->text);
        }
        kni_json_object_end(json);
    }
}

static void json_task(kni_json *json, const kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    bool is_started = (task->flags & KNI_TASK_STARTED) != 0;
    kn_task_id id = kni_task_id_of(world, slot);
    kni_json_object(json, NULL);
    kni_json_id(json, "id", id.index1, id.generation);
    kni_json_str(json, "kind", kni_task_kind_word(task->kind));
    kni_json_array(json, "about");
    const char *name;
    for (uint32_t i = 0; kni_task_subject(world, task, i, &name); i++) {
        kni_json_str(json, NULL, name);
    }
    kni_json_array_end(json);
    json_entity(json, "entity", task->entity);
    kni_json_u32(json, "label", task->label);
    kni_json_bool(json, "started", is_started);
    json_time_left(
        json, "due_in", world, is_started ? kni_task_due(task) : (kn_time)KN_TIME_INFINITE);
    json_state(json, world, kni_task_state_look(world, slot));
    kni_json_object_end(json);
}

static void json_activation(kni_json *json, const kn_world *world, uint32_t slot)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    kn_activation_id id = kni_activation_id_of(world, slot);
    kni_json_object(json, NULL);
    kni_json_id(json, "id", id.index1, id.generation);
    kni_json_time(json, "start", activation->start);
    kni_json_bool(json, "cancelable", (activation->flags & KNI_ACTIVATION_FIXED) == 0);
    kni_json_bool(json, "blocking", (activation->flags & KNI_ACTIVATION_BLOCKS) != 0);
    kni_json_bool(json, "idle", kni_activation_is_idle(world, slot));
    kni_json_array(json, "paid");
    for (uint32_t i = 0; i < activation->paid.count; i++) {
        const kni_pair *pair = KNI_SPAN_AT(world, activation->paid, kni_pair, i);
        kni_json_object(json, NULL);
        json_attribute(json, "attribute", world, (kn_attribute_id){pair->key});
        kni_json_float(json, "amount", pair->value);
        kni_json_object_end(json);
    }
    kni_json_array_end(json);
    json_state(json, world, kni_activation_state_look(world, slot));
    kni_json_array(json, "tasks");
    for (uint32_t i = 0; i < activation->tasks.count; i++) {
        json_task(json, world, *KNI_SPAN_AT(world, activation->tasks, uint32_t, i));
    }
    kni_json_array_end(json);
    kni_json_object_end(json);
}

static void json_ability(
    kni_json *json, const kn_world *world, const kni_actor *actor, uint32_t slot)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    kn_ability_id id = kni_ability_id_of(world, slot);
    kni_json_object(json, NULL);
    kni_json_id(json, "id", id.index1, id.generation);
    kni_json_str(json, "type", kni_type_of_ability(world, slot)->name);
    kni_json_float(json, "level", ability->level);
    kni_json_u32(json, "input", ability->input);
    kni_json_bool(json, "pressed", (ability->flags & KNI_ABILITY_PRESSED) != 0);
    kni_json_bool(json, "removing", (ability->flags & KNI_ABILITY_REMOVING) != 0);
    kni_json_u32(json, "grants", ability->grants);
    json_entity(json, "source", ability->source);
    json_effect_ref(json, "granted_by", world, ability->effect);
    kni_json_u64(json, "user", ability->user);
    kni_json_array(json, "tags");
    for (uint32_t i = 0; i < kni_ability_tag_count(world, slot); i++) {
        json_tag(json, NULL, world, kni_ability_tag_at(world, slot, i));
    }
    kni_json_array_end(json);
    if (ability->caller.count > 0) {
        kni_json_object(json, "caller_values");
        for (uint32_t i = 0; i < ability->caller.count; i++) {
            const kni_pair *pair = KNI_SPAN_AT(world, ability->caller, kni_pair, i);
            kni_json_float(json, kn_tag_name(world->library, (kn_tag){pair->key}), pair->value);
        }
        kni_json_object_end(json);
    }
    if (ability->named.count > 0) {
        kni_json_object(json, "parameters");
        for (uint32_t i = 0; i < ability->named.count; i++) {
            const kni_pair *pair = KNI_SPAN_AT(world, ability->named, kni_pair, i);
            kni_json_float(json, kn_name_text(world->library, (kn_name){pair->key}), pair->value);
        }
        kni_json_object_end(json);
    }
    json_state(json, world, kni_ability_state_look(world, slot));
    kni_json_array(json, "refusals");
    json_refusals(json, world, id);
    kni_json_array_end(json);
    kni_json_array(json, "activations");
    for (uint32_t i = 0; i < actor->activations.count; i++) {
        uint32_t activation = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        if (kni_activation_at(world, activation)->ability == slot) {
            json_activation(json, world, activation);
        }
    }
    kni_json_array_end(json);
    kni_json_object_end(json);
}

static void json_charge(kni_json *json, const kn_world *world, uint32_t slot)
{
    const kni_charge *charge = kni_charge_at(world, slot);
    kn_ability_id ability = {0};
    if (charge->ability1 != 0) {
        ability = kni_ability_id_of(world, charge->ability1 - 1);
    }
    bool stands_still = charge->end == KN_TIME_MAX;
    kni_json_object(json, NULL);
    json_tag(json, "key", world, (kn_tag){charge->key});
    json_ability_ref(json, "ability", world, ability);
    kni_json_u32(json, "charges", charge->charges);
    kni_json_u32(json, "max", charge->max);
    json_time_left(json, "next_in", world, stands_still ? (kn_time)KN_TIME_INFINITE : charge->end);
    kni_json_time(
        json, "next_use_in", charge->next_use > world->now ? charge->next_use - world->now : 0);
    kni_json_object_end(json);
}

static void json_cue(kni_json *json, const kn_world *world, uint32_t slot)
{
    const kni_cue *cue = kni_cue_at(world, slot);
    kni_json_object(json, NULL);
    json_tag(json, "tag", world, (kn_tag){cue->tag});
    kni_json_u32(json, "count", cue->count);
    json_entity(json, "instigator", cue->instigator);
    kni_json_id(json, "activation", cue->activation.index1, cue->activation.generation);
    kni_json_float(json, "magnitude", cue->magnitude);
    kni_json_object_end(json);
}

// Extension components ------------------------------------------------------

static void json_extension(kni_json *json, const kn_world *world, const kni_component_type *type,
    const kni_extension_head *head, uint32_t slot1)
{
    kni_json_object(json, NULL);
    kni_json_str(json, "type", type->name);
    if (type->def.several) {
        kni_json_id(json, "id", slot1, head->generation);
    }
    kni_json_object(json, "fields");
    json_record(json, world, &type->record.table, (const uint8_t *)(head + 1));
    kni_json_object_end(json);
    kni_json_array(json, "items");
    for (uint32_t item = 0; item < head->items.count; item++) {
        kni_json_object(json, NULL);
        json_record(json, world, &type->items.table,
            kni_span_at(&world->heap, &head->items, item, type->items.table.size));
        kni_json_object_end(json);
    }
    kni_json_array_end(json);
    kni_json_object_end(json);
}

static void json_components(kni_json *json, const kn_world *world, uint32_t entity_slot)
{
    kni_json_array(json, "components");
    for (uint32_t i = 0; i < kni_ref_count(world->library, KN_DEF_COMPONENT); i++) {
        const kni_component_type *type =
            KNI_ITEM(world->library, KN_DEF_COMPONENT, const kni_component_type, i);
        const kni_extension *extension = &world->extensions[i];
        uint32_t slot1 = kni_extension_first1(extension, entity_slot);
        while (slot1 != 0) {
            const kni_extension_head *head = kni_extension_at(extension, slot1 - 1);
            json_extension(json, world, type, head, slot1);
            slot1 = head->next1;
        }
    }
    kni_json_array_end(json);
}

// Entities ------------------------------------------------------------------

typedef void slot_writer(kni_json *json, const kn_world *world, uint32_t slot);

// A list of records by slot; NULL is empty.
static void json_slots(kni_json *json, const char *key, const kn_world *world,
    const kni_span *slots, slot_writer *write)
{
    kni_json_array(json, key);
    for (uint32_t i = 0; slots != NULL && i < slots->count; i++) {
        write(json, world, *KNI_SPAN_AT(world, *slots, uint32_t, i));
    }
    kni_json_array_end(json);
}

// A list about a component; empty without one.
static void json_list(
    kni_json *json, const char *key, const kn_world *world, uint32_t component, slot_writer *write)
{
    kni_json_array(json, key);
    if (component != KNI_NONE) {
        write(json, world, component);
    }
    kni_json_array_end(json);
}

static void json_links(
    kni_json *json, const kn_world *world, kn_entity_id entity, uint32_t component)
{
    static const kni_component none;
    bool has = component != KNI_NONE;
    const kni_component *c = has ? kni_component_at(world, component) : &none;
    kn_entity_id holder = has ? kni_component_entity(world, component) : entity;
    bool is_body = !kn_entity_id_equal(holder, entity);
    bool has_body = has && !is_body && !kn_entity_id_equal(c->avatar, entity);
    json_entity(json, "body", has_body ? c->avatar : (kn_entity_id){0});
    json_entity(json, "body_of", is_body ? holder : (kn_entity_id){0});
    json_entity(json, "part_of", c->parent);
    json_entity(json, "owned_by", c->owner);
    kni_json_u32(json, "connection", c->connection);
    kni_json_bool(json, "dying", (c->flags & KNI_COMPONENT_DYING) != 0);
}

static void json_tickers(kni_json *json, const kn_world *world, kn_entity_id entity)
{
    kni_json_array(json, "tickers");
    for (uint32_t i = 1; i <= kni_ref_count(world->library, KN_DEF_TICKER); i++) {
        kn_ticker_id ticker = {i};
        if (kn_ticker_is_there(world, ticker, entity)) {
            kni_json_object(json, NULL);
            kni_json_str(json, "name", kn_ticker_name(world->library, ticker));
            kni_json_bool(json, "running", kn_ticker_is_running(world, ticker, entity));
            kni_json_time(json, "next", kn_ticker_remaining(world, ticker, entity));
            kni_json_object_end(json);
        }
    }
    kni_json_array_end(json);
}

static void json_watch(kni_json *json, const kn_world *world, uint32_t slot)
{
    const kni_watch *watch = kni_pool_at(&world->watches, slot);
    kn_watch_type_id type = {watch->type + 1};
    kni_json_object(json, NULL);
    kni_json_str(json, "type", kn_watch_type_name(world->library, type));
    json_entity(json, "entity", watch->entity);
    json_entity(json, "owner", watch->owner);
    if (watch->component_type.index1 != 0) {
        kni_json_str(json, "component", kn_component_name(world->library, watch->component_type));
    } else {
        kni_json_null(json, "component");
    }
    kni_json_bool(json, "once", (watch->flags & KNI_WATCH_ONCE) != 0);
    json_state(json, world, kni_watch_state_look(world, slot));
    kni_json_object_end(json);
}

// Those that watch an entity, then those that belong to it and watch another.
static void json_watches(kni_json *json, const kn_world *world, kn_entity_id entity)
{
    kni_json_array(json, "watches");
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t at1 = kni_watch_list_first1(world, entity, pass == 1);
        while (at1 != 0) {
            const kni_watch *watch = kni_pool_at(&world->watches, at1 - 1);
            if (pass == 0 || watch->entity.index1 != entity.index1) {
                json_watch(json, world, at1 - 1);
            }
            at1 = kni_watch_list_next1(watch, pass == 1);
        }
    }
    kni_json_array_end(json);
}

static void json_whole_entity(
    kni_json *json, const char *key, const kn_world *world, uint32_t slot, bool with_owner)
{
    kn_entity_id entity = kni_entity_id_of(world, slot);
    uint32_t component = kni_component_find(world, entity);
    kni_json_object(json, key);
    json_entity(json, "id", entity);
    kni_json_time(json, "time", world->now);
    kni_json_u64(json, "user", kni_entity_at(world, slot)->user);
    json_links(json, world, entity, component);
    if (!with_owner && component != KNI_NONE &&
        !kn_entity_id_equal(kni_component_entity(world, component), entity)) {
        component = KNI_NONE; // listed with its owner
    }
    const kni_component *c = component != KNI_NONE ? kni_component_at(world, component) : NULL;
    const kni_actor *actor = component != KNI_NONE ? kni_actor_of(world, component) : NULL;
    json_list(json, "tags", world, component, json_tags);
    json_list(json, "blocked_ability_tags", world, component, json_blocked);
    json_list(json, "attributes", world, component, json_attributes);
    json_slots(json, "effects", world, c != NULL ? &c->effects : NULL, json_effect);
    kni_json_array(json, "abilities");
    for (uint32_t i = 0; actor != NULL && i < actor->abilities.count; i++) {
        json_ability(json, world, actor, *KNI_SPAN_AT(world, actor->abilities, uint32_t, i));
    }
    kni_json_array_end(json);
    json_slots(json, "cooldowns", world, actor != NULL ? &actor->charges : NULL, json_charge);
    kni_json_bool(
        json, "cues_suppressed", actor != NULL && (actor->flags & KNI_ACTOR_NO_CUES) != 0);
    json_slots(json, "cues", world, actor != NULL ? &actor->cues : NULL, json_cue);
    json_components(json, world, slot);
    json_tickers(json, world, entity);
    json_watches(json, world, entity);
    kni_json_object_end(json);
}

uint32_t kn_entity_dump_json(
    const kn_world *world, kn_entity_id entity, char *buffer, uint32_t size)
{
    kni_json json;
    kni_json_init(&json, buffer, size);
    uint32_t slot = kni_entity_find(world, entity);
    if (slot != KNI_NONE) {
        json_whole_entity(&json, NULL, world, slot, true);
    }
    return json.text.length;
}

// Commands ------------------------------------------------------------------

static void json_targets(kni_json *json, const kn_world *world, kn_target_view view)
{
    kni_json_array(json, "targets");
    for (uint32_t i = 0; i < kn_target_count(view); i++) {
        kn_target_type_id id = kn_target_type_at(view, i);
        const kni_target_type *type =
            KNI_ITEM(world->library, KN_DEF_TARGET, const kni_target_type, id.index1 - 1);
        const uint8_t *record = kn_target_get(view, i, id);
        kni_json_object(json, NULL);
        kni_json_str(json, "type", type->name);
        json_record(json, world, &type->record.table, record);
        kni_json_object_end(json);
    }
    kni_json_array_end(json);
}

static void json_command(
    kni_json *json, const kn_world *world, const kn_command *command, bool is_part)
{
    uint32_t index1 = command->type.index1;
    kni_json_object(json, NULL);
    kni_json_str(json, "command", kn_command_name(world->library, command->type));
    if (!is_part) {
        kni_json_u32(json, "connection", command->connection);
        kni_json_u32(json, "sequence", command->sequence);
    }
    if (!is_part && command->view != 0) {
        kni_json_time(json, "view", command->view);
    }
    json_entity(json, "entity", command->entity);
    if (index1 != 0 && index1 <= kni_ref_count(world->library, KN_DEF_COMMAND)) {
        const kni_command_type *type =
            KNI_ITEM(world->library, KN_DEF_COMMAND, const kni_command_type, index1 - 1);
        kni_json_object(json, "payload");
        if (command->payload != NULL && command->size == type->def.size) {
            json_record(json, world, &type->payload.table, command->payload);
        }
        kni_json_object_end(json);
        if (command->targets.size > 0 && kn_target_is_valid(world->library, command->targets)) {
            json_targets(json, world, command->targets);
        }
    }
}

uint32_t kn_command_json(
    const kn_world *world, const kn_command *command, char *buffer, uint32_t size)
{
    kni_json json;
    kni_json_init(&json, buffer, size);
    if (world == NULL || command == NULL) {
        KN_ASSERT(world != NULL && command != NULL);
        return 0;
    }
    json_command(&json, world, command, false);
    if (command->parts != NULL) {
        kni_json_array(&json, "parts");
        for (uint32_t i = 0; i < command->part_count; i++) {
            json_command(&json, world, &command->parts[i], true);
            kni_json_object_end(&json);
        }
        kni_json_array_end(&json);
    }
    kni_json_object_end(&json);
    return json.text.length;
}

// Those that wait, each part of a batch by itself behind it.
static void json_commands(kni_json *json, const kn_world *world)
{
    kni_commands_settle(world);
    kni_json_array(json, "commands");
    for (uint32_t i = 0; i < world->command_count; i++) {
        kn_command command;
        kni_command_view(world, world->command_order[i], &command);
        json_command(json, world, &command, false);
        kni_json_object_end(json);
    }
    kni_json_array_end(json);
}

// In the order they run.
static void json_systems(kni_json *json, const kn_world *world)
{
    kni_json_array(json, "systems");
    for (uint32_t i = 0; i < world->library->registries[KN_DEF_SYSTEM].count; i++) {
        kn_system_id system = {world->library->systems_by_rank[i] + 1};
        kni_json_object(json, NULL);
        kni_json_str(json, "name", kn_system_name(world->library, system));
        kni_json_bool(json, "on", kn_system_is_enabled(world, system));
        kni_json_time(json, "next", kn_system_next(world, system));
        kni_json_object_end(json);
    }
    kni_json_array_end(json);
}

uint32_t kn_world_dump_json(const kn_world *world, char *buffer, uint32_t size)
{
    kni_json json;
    kni_json_init(&json, buffer, size);
    if (world == NULL) {
        return 0;
    }
    kni_json_object(&json, NULL);
    kni_json_time(&json, "time", world->now);
    kni_json_bool(&json, "broken", world->is_broken);
    kni_json_array(&json, "entities");
    KNI_POOL_EACH(i, &world->entities) {
        json_whole_entity(&json, NULL, world, i, false);
    }
    kni_json_array_end(&json);
    json_components(&json, world, KNI_NONE);
    if (world->command_count > 0) {
        json_commands(&json, world);
    }
    json_systems(&json, world);
    json_tickers(&json, world, (kn_entity_id){0});
    json_watches(&json, world, (kn_entity_id){0});
    kni_json_object_end(&json);
    return json.text.length;
}
