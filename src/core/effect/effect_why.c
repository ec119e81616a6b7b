// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why an application is refused: each check of effect_apply.c again, in the same order, collecting
// reasons.

#include "effect/effect_stack.h"
#include "effect/unmet.h"
#include "library/expression.h"
#include "world/names.h"

#include <math.h>

typedef struct why {
    const kni_application *application;
    const kn_spec_view *spec;
    kn_effect_refusal *out;
    uint32_t capacity;
    uint32_t count;
    kn_result only; // the result of a refusal that has happened: only its reason, without hooks;
                    // else KN_OK
    kn_effect_refusal nowhere;
} why;

static bool why_asks(const why *w, kn_result reason)
{
    return w->only == KN_OK || w->only == reason;
}

static kn_effect_refusal *why_line(why *w, kn_result reason)
{
    kn_effect_refusal *line = &w->nowhere;
    if (why_asks(w, reason)) {
        line = w->count < w->capacity ? &w->out[w->count] : line;
        w->count++;
    }
    *line = (kn_effect_refusal){.reason = reason, .min = -INFINITY, .max = INFINITY};
    return line;
}

// What hooks say -------------------------------------------------------------

void kn_spec_view_refuse(const kn_spec_view *spec, const kn_effect_refusal *said)
{
    if (spec == NULL || said == NULL || spec->said == NULL) {
        return;
    }
    const kn_world *world = spec->world;
    kn_effect_refusal *out = spec->said;
    kn_fail fail = (kn_fail)said->fail;
    *out = (kn_effect_refusal){
        .reason = KN_REFUSED_CUSTOM, // marks that something was said
        .fail = kn_library_fail_name(world->library, fail)[0] != 0 ? said->fail : 0,
        .tag = {said->tag.index1 <= kn_tag_count(world->library) ? said->tag.index1 : 0},
        .have = isfinite(said->have) ? said->have : 0.0f,
        .need = isfinite(said->need) ? said->need : 0.0f,
    };
    if (said->attribute.index1 <= kn_attribute_count(world->library)) {
        out->attribute = said->attribute;
    }
    if (kn_effect_is_alive(world, said->effect)) {
        out->effect = said->effect;
    }
    memcpy(out->text, said->text, sizeof(out->text));
    out->text[KN_REFUSAL_TEXT_MAX - 1] = 0;
}

// Adds what a hook said to the reason that was found.
static void why_given(kn_effect_refusal *line, const kn_effect_refusal *given)
{
    if (given->tag.index1 != 0) {
        line->tag = given->tag;
        line->is_there = false;
    }
    line->attribute = given->attribute.index1 != 0 ? given->attribute : line->attribute;
    line->effect = line->reason == KN_REFUSED_BLOCKED ? line->effect : given->effect;
    line->fail = given->fail != 0 ? given->fail : line->fail;
    line->have = given->have;
    line->need = given->need;
    memcpy(line->text, given->text, sizeof(line->text));
}

// Gates ---------------------------------------------------------------------

// The tag by which a gate recognised the effect or its source.
static void gate_tag(const why *w, const kn_gate_def *gate, kn_effect_refusal *line)
{
    kn_tags record = gate->record.required, any = gate->source_any, source = gate->source.required;
    line->is_there = true;
    line->attribute = gate->modifies;
    for (uint32_t i = 0; i < any.count && line->tag.index1 == 0; i++) {
        line->tag =
            kni_source_has_tag(w->spec, any.data[i].index1, false) ? any.data[i] : line->tag;
    }
    line->tag = record.count > 0        ? record.data[0]
                : line->tag.index1 != 0 ? line->tag
                : source.count > 0      ? source.data[0]
                                        : line->tag;
}

static void why_gates_of(why *w, uint32_t component, bool as_instigator)
{
    const kn_world *world = w->spec->world;
    if (component == KNI_NONE || kni_component_at(world, component)->gate_count == 0) {
        return;
    }
    bool happened = w->only != KN_OK;
    kn_effect_refusal given;
    kn_spec_view asked = *w->spec;
    asked.said = &given;
    kn_event_record record = kni_application_record(&asked);
    const kn_gate_def *found;
    kni_gate_subject subject = {&record, &asked, 1, asked.source_component, &found};
    const kni_component *c = kni_component_at(world, component);
    for (uint32_t i = 0; i < c->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, c->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        const kni_effect_type *type = kni_type_at(world, effect->type);
        kn_effect_id id = kni_effect_id_of(world, slot);
        if ((type->flags & KNI_EFFECT_GATES) == 0 || (effect->flags & KNI_ACTIVE_ATTACHED) == 0 ||
            (happened && !kn_effect_id_equal(id, w->application->by))) {
            continue;
        }
        for (uint32_t g = 0; g < type->def.gate_count; g++) {
            const kn_gate_def *gate = &type->def.gates[g];
            if (gate->kind.index1 > 1 || gate->as_instigator != as_instigator ||
                gate->parts.count > 0) {
                continue;
            }
            given.reason = KN_OK;
            if (happened ? gate == w->application->gate : kni_gate_holds(world, gate, &subject)) {
                kn_effect_refusal *line = why_line(w, KN_REFUSED_BLOCKED);
                line->effect = id;
                line->from = as_instigator ? KN_CAPTURE_FROM_SOURCE : KN_CAPTURE_FROM_TARGET;
                gate_tag(w, gate, line);
                line->fail = kni_gate_fail(world, gate);
                if (given.reason != KN_OK) {
                    why_given(line, &given);
                }
                break;
            }
        }
    }
}

static void why_gates(why *w)
{
    if (!w->application->ignore_gates) {
        why_gates_of(w, w->spec->source_component, true);
        why_gates_of(w, w->spec->target_component, false);
    }
}

// Conditions ----------------------------------------------------------------

static void condition_numbers(
    const why *w, const kn_attribute_condition *condition, kn_effect_refusal *line)
{
    const kn_world *world = w->spec->world;
    uint32_t component = condition->from == KN_CAPTURE_FROM_SOURCE ? w->spec->source_component
                                                                   : w->spec->target_component;
    kn_entity_id entity =
        component == KNI_NONE ? (kn_entity_id){0} : kni_component_entity(world, component);
    float unit = condition->relative_to.index1 == 0 ? 1.0f
                                                    : kn_attribute_value_keyed(world, entity,
                                                          condition->relative_to, condition->key);
    line->attribute = condition->attribute;
    line->is_absent = !kn_attribute_exists(world, entity, condition->attribute, condition->key);
    line->have = kn_attribute_value_keyed(world, entity, condition->attribute, condition->key);
    line->min = condition->has_min ? condition->min * unit : -INFINITY;
    line->max = condition->has_max ? condition->max * unit : INFINITY;
    line->is_above = condition->has_above && !(condition->above * unit < line->min);
    line->is_below = condition->has_below && !(condition->below * unit > line->max);
    line->min = line->is_above ? condition->above * unit : line->min;
    line->max = line->is_below ? condition->below * unit : line->max;
}

static void why_unmet(why *w, const kni_unmet *unmet)
{
    kn_effect_refusal *line = why_line(w, KN_REFUSED_REQUIREMENT);
    line->from = unmet->of_source ? KN_CAPTURE_FROM_SOURCE : KN_CAPTURE_FROM_TARGET;
    if (unmet->attribute != NULL) {
        condition_numbers(w, unmet->attribute, line);
    } else if (!unmet->query) {
        line->is_there = unmet->missing.index1 == 0;
        line->tag = line->is_there ? unmet->unwanted : unmet->missing;
    }
}

// The removal conditions hold: each part that is met is a reason.
static void why_removal(why *w, const kn_conditions *removal)
{
    const kn_tag_requirement *sides[2] = {&removal->target, &removal->source};
    uint32_t before = w->count;
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s]->required.count + sides[s]->ignored.count; i++) {
            bool is_there = i < sides[s]->required.count;
            kn_effect_refusal *line = why_line(w, KN_REFUSED_REQUIREMENT);
            line->is_removal = true;
            line->from = s == 0 ? KN_CAPTURE_FROM_TARGET : KN_CAPTURE_FROM_SOURCE;
            line->is_there = is_there;
            line->tag = is_there ? sides[s]->required.data[i]
                                 : sides[s]->ignored.data[i - sides[s]->required.count];
        }
    }
    for (uint32_t i = 0; i < removal->attribute_count; i++) {
        kn_conditions one = {.attributes = &removal->attributes[i], .attribute_count = 1};
        if (kni_conditions_met(w->spec, &one)) {
            kn_effect_refusal *line = why_line(w, KN_REFUSED_REQUIREMENT);
            line->is_removal = true;
            line->from = removal->attributes[i].from;
            condition_numbers(w, &removal->attributes[i], line);
        }
    }
    if (w->count == before) { // a query
        why_line(w, KN_REFUSED_REQUIREMENT)->is_removal = true;
    }
}

#define UNMET_LINES 16

static void why_conditions(why *w)
{
    const kni_effect_type *type = w->spec->type;
    if ((type->flags & KNI_EFFECT_APPLICATION) != 0) {
        kni_unmet unmet[UNMET_LINES];
        uint32_t count = kni_conditions_unmet(w->spec, &type->def.application, unmet, UNMET_LINES);
        for (uint32_t i = 0; i < count && i < UNMET_LINES; i++) {
            why_unmet(w, &unmet[i]);
        }
    }
    if ((type->flags & KNI_EFFECT_REMOVAL) != 0 &&
        kni_conditions_met(w->spec, &type->def.removal)) {
        why_removal(w, &type->def.removal);
    }
}

// Numbers -------------------------------------------------------------------

// Missing values are found by lookup, which calls no hooks.
static bool why_parameter(why *w, kn_name parameter, uint32_t modifier1)
{
    if (parameter.index1 == 0 || !isnan(kn_spec_view_parameter(w->spec, parameter, NAN))) {
        return false;
    }
    kn_effect_refusal *line = why_line(w, KN_REFUSED_MISSING_VALUE);
    line->parameter = parameter;
    line->modifier = modifier1;
    return true;
}

static bool why_caller_value(why *w, kn_tag tag, uint32_t modifier1)
{
    if (!isnan(kn_spec_view_caller_value(w->spec, tag, NAN, false))) {
        return false;
    }
    kn_effect_refusal *line = why_line(w, KN_REFUSED_MISSING_VALUE);
    line->tag = tag;
    line->modifier = modifier1;
    return true;
}

static bool why_captures(why *w, const kn_capture *captures, uint32_t count, uint32_t modifier1)
{
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        float value;
        if (kni_capture_read(w->spec, &captures[i], &value) == KN_REFUSED_MISSING_ATTRIBUTE) {
            kn_effect_refusal *line = why_line(w, KN_REFUSED_MISSING_ATTRIBUTE);
            line->from = captures[i].from;
            line->attribute = captures[i].attribute;
            line->is_absent = true;
            line->modifier = modifier1;
            found = true;
        }
    }
    return found;
}

// An expression may have a default for what is missing, so it is evaluated first.
static bool why_expression(why *w, const kni_expression *code, uint32_t modifier1)
{
    float value;
    kn_result result = kni_expression_of_spec(w->spec, code, KNI_NONE, &value);
    if (result == KN_OK) {
        return false;
    }
    bool found = why_captures(w, code->captures, code->capture_count, modifier1);
    for (uint32_t i = 0; i < code->code_count; i++) {
        kni_code c = code->code[i];
        if (c.op == KNI_CODE_PARAMETER) {
            found |= why_parameter(w, (kn_name){code->references[c.a]}, modifier1);
        } else if (c.op == KNI_CODE_CALLER) {
            found |= why_caller_value(w, (kn_tag){code->references[c.a]}, modifier1);
        }
    }
    if (!found) {
        why_line(w, result)->modifier = modifier1;
    }
    return true;
}

static void why_magnitude(
    why *w, const kn_magnitude *magnitude, uint32_t slot, uint32_t modifier1, bool is_divisor)
{
    bool found = why_parameter(w, magnitude->scale.parameter, modifier1);
    bool is_function = false;
    if (magnitude->kind != KN_MAGNITUDE_SCALABLE) {
        found |= why_parameter(w, magnitude->pre_add.parameter, modifier1);
        found |= why_parameter(w, magnitude->post_add.parameter, modifier1);
    }
    if (magnitude->kind == KN_MAGNITUDE_ATTRIBUTE) {
        found |= why_captures(w, &magnitude->capture, 1, modifier1);
    } else if (magnitude->kind == KN_MAGNITUDE_SET_BY_CALLER && !magnitude->has_default) {
        found |= why_caller_value(w, magnitude->caller_tag, modifier1);
    } else if (magnitude->kind == KN_MAGNITUDE_CALCULATION) {
        const kni_calculation *type = KNI_ITEM(w->spec->world->library, KN_DEF_CALCULATION,
            kni_calculation, magnitude->calculation.index1 - 1);
        is_function = type->code == NULL;
        found |= is_function
                     ? why_captures(w, type->def.captures, type->def.capture_count, modifier1)
                     : why_expression(w, type->code, modifier1);
    }
    float value;
    if (!found && !(is_function && w->only != KN_OK)) {
        kn_result result = kni_magnitude(w->spec, magnitude, slot, &value);
        if (result == KN_OK && is_divisor && fabsf(value) < KN_DIVISOR_MIN) {
            result = KN_REFUSED_BAD_NUMBER;
        }
        if (result != KN_OK) {
            why_line(w, result)->modifier = modifier1;
        }
    }
}

static kn_effect_refusal *why_no_time(why *w, kn_time duration)
{
    kn_effect_refusal *line = why_line(w, KN_REFUSED_BLOCKED);
    line->value = w->spec->type->def.duration_value;
    line->from = KN_CAPTURE_FROM_TARGET;
    line->have = (float)kn_time_to_seconds(duration);
    line->min = 0.0f;
    line->is_above = true;
    return line;
}

static void why_times(why *w)
{
    const kni_effect_type *type = w->spec->type;
    const kn_effect_def *def = &type->def;
    if ((type->flags & KNI_EFFECT_ACTIVE) == 0) {
        return;
    }
    uint32_t before = w->count;
    bool is_fixed = (type->flags & KNI_EFFECT_CONST_TIME) != 0;
    if (def->duration_kind == KN_DURATION_TIMED && w->spec->duration < 0 && !is_fixed) {
        why_magnitude(w, &def->duration, type->duration_capture, 0, false);
    }
    if (def->is_periodic && w->spec->period <= 0 && !is_fixed) {
        why_magnitude(w, &def->period, type->period_capture, 0, false);
    }
    if (def->has_haste) {
        why_magnitude(w, &def->haste, type->haste_capture, 0, false);
    }
    kn_time duration, period;
    if (w->count == before && w->only == KN_OK) {
        kn_effect_refusal given;
        kn_spec_view asked = *w->spec;
        given.reason = KN_OK;
        asked.said = &given;
        kn_result result = kni_effect_times(&asked, &duration, &period);
        if (result == KN_REFUSED_BLOCKED) {
            kn_effect_refusal *line = why_no_time(w, duration);
            if (given.reason != KN_OK) {
                why_given(line, &given);
            }
        } else if (result != KN_OK) {
            (void)why_line(w, result);
        }
    }
}

static void why_requirement(why *w)
{
    const kn_effect_def *def = &w->spec->type->def;
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        if (def->parameters[i].required) {
            (void)why_parameter(w, def->parameters[i].name, 0);
        }
    }
    if ((w->spec->type->flags & KNI_EFFECT_REQUIREMENT) == 0) {
        return;
    }
    const kni_requirement *requirement = KNI_ITEM(
        w->spec->world->library, KN_DEF_REQUIREMENT, kni_requirement, def->requirement.index1 - 1);
    float value;
    if (requirement->function == NULL && !why_expression(w, requirement->formula.code, 0) &&
        kni_expression_of_spec(w->spec, requirement->formula.code, KNI_NONE, &value) == KN_OK &&
        value == 0.0f) {
        (void)why_line(w, KN_REFUSED_CUSTOM);
    }
}

static void why_chance(why *w)
{
    if ((w->spec->type->flags & KNI_EFFECT_CHANCE) == 0) {
        return;
    }
    if (w->only == KN_REFUSED_CHANCE) {
        why_line(w, KN_REFUSED_CHANCE)->have = w->application->chance;
        return;
    }
    uint32_t before = w->count;
    why_magnitude(w, &w->spec->type->def.chance, KNI_NONE, 0, false);
    float chance;
    if (w->count == before && w->only == KN_OK &&
        kni_application_chance(w->application, &chance) == KN_OK && chance <= 0.0f) {
        why_line(w, KN_REFUSED_CHANCE)->have = chance;
    }
}

static void why_numbers(why *w)
{
    const kni_effect_type *type = w->spec->type;
    why_times(w);
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        if (!modifier->is_constant) {
            bool is_divisor =
                modifier->op == KN_OP_DIVIDE_ADDITIVE || modifier->op == KN_OP_DIVIDE_COMPOUND;
            why_magnitude(
                w, &modifier->def->magnitude, type->modifier_capture[i], i + 1, is_divisor);
        }
    }
}

// Existing effects -----------------------------------------------------------

static void why_cycle(why *w)
{
    uint32_t modifier = kni_cycle_find(w->spec);
    if (modifier != KNI_NONE) {
        kn_effect_refusal *line = why_line(w, KN_REFUSED_CYCLE);
        line->attribute.index1 = w->spec->type->modifiers[modifier].attribute + 1;
        line->from = KN_CAPTURE_FROM_TARGET;
        line->modifier = modifier + 1;
    }
}

// Only for applications that have not happened: afterwards the effect that caused it may be
// removed.
static void why_others(why *w)
{
    kn_world *world = w->spec->world;
    const kni_effect_type *type = w->spec->type;
    kni_stack_plan plan = {KNI_NONE, 1, KN_OK};
    if ((type->flags & KNI_EFFECT_ACTIVE) != 0) {
        plan = kni_stack_plan_make(world, w->application);
        bool is_full = plan.existing != KNI_NONE && plan.result == KN_OK &&
                       kni_stack_denies(world, w->spec, plan.existing);
        if (plan.result != KN_OK || is_full) {
            kn_effect_refusal *line = why_line(w, is_full ? KN_REFUSED_STACK_DENIED : plan.result);
            line->effect = plan.existing != KNI_NONE ? kni_effect_id_of(world, plan.existing)
                                                     : (kn_effect_id){0};
        }
        if (plan.existing == KNI_NONE && !kni_tags_have_room(world, w->spec)) {
            (void)why_line(w, KN_REFUSED_LIMIT);
        }
    }
    float strength;
    uint32_t stronger = (type->flags & KNI_EFFECT_EXCLUSIVE) == 0
                            ? KNI_NONE
                            : kni_exclusive_stronger(w->spec, plan.count, &strength);
    if (stronger != KNI_NONE) {
        kn_effect_refusal *line = why_line(w, KN_REFUSED_EXCLUSIVE);
        line->effect = kni_effect_id_of(world, stronger);
        line->have = kni_exclusive_strength(w->spec, plan.count);
        line->min = strength;
    }
}

static void why_all(why *w)
{
    if (why_asks(w, KN_REFUSED_BLOCKED)) {
        why_gates(w);
    }
    if (w->only == KN_REFUSED_BLOCKED && w->application->by.index1 == 0) {
        (void)why_no_time(w, w->spec->duration); // what was computed
    }
    if (why_asks(w, KN_REFUSED_REQUIREMENT)) {
        why_conditions(w);
    }
    bool asks_numbers = why_asks(w, KN_REFUSED_MISSING_VALUE) ||
                        why_asks(w, KN_REFUSED_MISSING_ATTRIBUTE) ||
                        why_asks(w, KN_REFUSED_BAD_NUMBER);
    if (asks_numbers) {
        why_requirement(w);
    }
    if (asks_numbers || why_asks(w, KN_REFUSED_CHANCE)) {
        why_chance(w);
    }
    if (asks_numbers) {
        why_numbers(w);
    }
    if (w->spec->target_component != KNI_NONE) {
        if (why_asks(w, KN_REFUSED_CYCLE)) {
            why_cycle(w);
        }
        if (w->only == KN_OK) {
            why_others(w);
        }
    }
}

uint32_t kni_application_explain(
    const kni_application *application, kn_effect_refusal *out, uint32_t capacity)
{
    why w = {
        .application = application, .spec = &application->spec, .out = out, .capacity = capacity};
    uint32_t component = w.spec->target_component;
    if (component != KNI_NONE &&
        (kni_component_at(w.spec->world, component)->flags & KNI_COMPONENT_DYING) != 0) {
        (void)why_line(&w, KN_REFUSED_DYING);
        return w.count;
    }
    why_all(&w);
    return w.count;
}

static const kni_refusal_note *note_at(const kni_event_buffer *buffer, uint32_t offset1)
{
    return (const kni_refusal_note *)(const void *)(buffer->bytes + offset1 - 1);
}

// Keeps what an event has no room for. Returns its number, or 0 if there is nothing, or no room.
static uint8_t details_note(kn_world *world, const kn_effect_refusal *refusal)
{
    kni_event_buffer *buffer = &world->pending;
    bool has_details = refusal->fail != 0 || refusal->have != 0.0f || refusal->need != 0.0f ||
                       refusal->text[0] != 0 || refusal->modifier != 0 || isfinite(refusal->min) ||
                       isfinite(refusal->max);
    uint32_t offset;
    uint32_t last = buffer->note_last1 != 0 ? note_at(buffer, buffer->note_last1)->number : 0;
    if (!has_details || last == UINT8_MAX ||
        !kni_bytes_room(world, sizeof(kni_refusal_note), &offset)) {
        return 0;
    }
    kni_refusal_note note = {*refusal, buffer->note_last1, last + 1};
    memcpy(buffer->bytes + offset, &note, sizeof(note));
    buffer->note_last1 = offset + 1;
    return (uint8_t)note.number;
}

void kni_apply_refused(kn_world *world, const kni_application *application, kn_result result)
{
    const kn_spec_view *spec = &application->spec;
    if (application->refusal == NULL && !kni_wants(world, KN_EVENT_EFFECT_REFUSED)) {
        return;
    }
    kn_effect_refusal refusal;
    why w = {
        .application = application, .spec = spec, .out = &refusal, .capacity = 1, .only = result};
    why_all(&w);
    if (w.count == 0) {
        refusal = (kn_effect_refusal){.reason = result, .min = -INFINITY, .max = INFINITY};
    }
    if (result == KN_REFUSED_BLOCKED || result == KN_REFUSED_STACK_DENIED ||
        result == KN_REFUSED_EXCLUSIVE) {
        refusal.effect = application->by;
    }
    if (result == KN_REFUSED_BLOCKED) {
        refusal.fail = kni_gate_fail(world, application->gate);
    }
    if (application->given != NULL && application->given->reason != KN_OK) {
        why_given(&refusal, application->given);
    }
    if (application->refusal != NULL) {
        *application->refusal = refusal;
    }
    if (!kni_wants(world, KN_EVENT_EFFECT_REFUSED)) {
        return;
    }
    uint8_t details1 = details_note(world, &refusal);
    kn_event *event = kni_emit(world, KN_EVENT_EFFECT_REFUSED, spec->target);
    memset(&event->data, 0, sizeof(event->data));
    event->data.refusal.type = kni_type_id(spec->type);
    event->data.refusal.reason = result;
    event->data.refusal.source = spec->source;
    event->data.refusal.by = refusal.effect;
    event->data.refusal.tag = refusal.tag;
    event->data.refusal.attribute = refusal.attribute;
    event->data.refusal.parameter = refusal.parameter;
    event->data.refusal.from = (uint8_t)refusal.from;
    event->data.refusal.is_there = refusal.is_there;
    event->data.refusal.is_removal = refusal.is_removal;
    event->data.refusal.details1 = details1;
}

bool kn_effect_event_refusal(
    const kn_world *world, const kn_event *event, kn_effect_refusal *refusal)
{
    *refusal = (kn_effect_refusal){0};
    if (world == NULL || event == NULL || event->type != KN_EVENT_EFFECT_REFUSED) {
        return false;
    }
    const kni_event_buffer *buffer = world->log.is_pending ? &world->pending : &world->published;
    uint32_t number = event->data.refusal.details1, at1 = number != 0 ? buffer->note_last1 : 0;
    while (at1 != 0 && note_at(buffer, at1)->number != number) {
        at1 = note_at(buffer, at1)->previous1;
    }
    if (at1 != 0) {
        *refusal = note_at(buffer, at1)->refusal;
        return true;
    }
    *refusal = (kn_effect_refusal){
        .reason = event->data.refusal.reason,
        .from = (kn_capture_from)event->data.refusal.from,
        .tag = event->data.refusal.tag,
        .is_there = event->data.refusal.is_there,
        .is_removal = event->data.refusal.is_removal,
        .attribute = event->data.refusal.attribute,
        .parameter = event->data.refusal.parameter,
        .effect = event->data.refusal.by,
        .min = -INFINITY,
        .max = INFINITY,
    };
    return true;
}

// Text ----------------------------------------------------------------------

static const char *const side_words[] = {[KN_CAPTURE_FROM_SOURCE] = "source",
    [KN_CAPTURE_FROM_TARGET] = "target",
    [KN_CAPTURE_FROM_CAUSER] = "causer"};

static void text_range(kni_text *text, const kn_world *world, const kn_effect_refusal *refusal)
{
    bool has_min = isfinite(refusal->min), has_max = isfinite(refusal->max);
    kni_text_str(text, "'s ");
    kni_text_attribute(text, world, refusal->attribute, 0);
    if (refusal->is_absent) {
        kni_text_str(text, " does not exist");
        return;
    }
    if (!has_min && !has_max) {
        kni_text_str(text, refusal->is_removal ? " is in the range" : " is out of the range");
        return;
    }
    kni_text_str(text, " is ");
    kni_text_float(text, refusal->have);
    kni_text_str(text, refusal->is_removal ? ", which is" : ", must be");
    if (has_min) {
        kni_text_str(text, refusal->is_above ? " above " : " at least ");
        kni_text_float(text, refusal->min);
    }
    kni_text_str(text, has_min && has_max ? " and" : "");
    if (has_max) {
        kni_text_str(text, refusal->is_below ? " below " : " at most ");
        kni_text_float(text, refusal->max);
    }
}

static void text_requirement(
    kni_text *text, const kn_world *world, const kn_effect_refusal *refusal)
{
    kni_text_str(text, refusal->is_removal ? "it would be removed at once: " : "");
    kni_text_str(text, side_words[refusal->from]);
    if (refusal->attribute.index1 != 0) {
        text_range(text, world, refusal);
    } else if (refusal->tag.index1 == 0) {
        kni_text_str(text, refusal->is_removal ? " has such tags" : " needs other tags");
    } else {
        kni_text_str(text, refusal->is_there     ? " has "
                           : refusal->is_removal ? " lacks "
                                                 : " needs ");
        kni_text_tag(text, world, refusal->tag);
    }
}

static void text_missing(kni_text *text, const kn_world *world, const kn_effect_refusal *refusal)
{
    if (refusal->parameter.index1 != 0) {
        kni_text_str(text, "parameter ");
        kni_text_str(text, kn_name_text(world->library, refusal->parameter));
    } else if (refusal->tag.index1 != 0) {
        kni_text_str(text, "the caller value ");
        kni_text_tag(text, world, refusal->tag);
    } else {
        kni_text_str(text, "a value");
    }
    kni_text_str(text, " is missing");
}

// What the one who refuses says about it, after `before`. False if that is nothing.
static bool text_said(
    kni_text *text, const kn_world *world, const kn_effect_refusal *refusal, const char *before)
{
    kni_reason_facts facts = {
        refusal->fail, refusal->text, refusal->tag, {0}, refusal->have, refusal->need};
    const char *word = kn_library_fail_name(world->library, (kn_fail)refusal->fail);
    if (word[0] == 0 && refusal->text[0] == 0) {
        return false;
    }
    kni_text_str(text, before);
    if (!kni_text_reason(text, world, &facts)) {
        kni_text_str(text, word);
    }
    return true;
}

static void text_no_time(kni_text *text, const kn_world *world, const kn_effect_refusal *refusal)
{
    kni_text_str(text, kn_value_name(world->library, refusal->value));
    kni_text_str(text, " of the target makes its duration ");
    kni_text_float(text, refusal->have);
    kni_text_str(text, " s, must be above 0");
    text_said(text, world, refusal, ": ");
}

void kni_text_effect_refusal(
    kni_text *text, const kn_world *world, const kn_effect_refusal *refusal)
{
    switch (refusal->reason) {
    case KN_REFUSED_STALE_ID:
        kni_text_str(text, "its target is gone");
        break;
    case KN_REFUSED_DYING:
        kni_text_str(text, "its target is being destroyed");
        break;
    case KN_REFUSED_BLOCKED:
        if (refusal->value.index1 != 0) {
            text_no_time(text, world, refusal);
            break;
        }
        kni_text_str(text, "blocked by ");
        kni_text_effect(text, world, refusal->effect);
        kni_text_str(text, " of the ");
        kni_text_str(text, side_words[refusal->from]);
        if (refusal->tag.index1 != 0 || refusal->attribute.index1 != 0) {
            kni_text_str(text, " (");
            if (refusal->tag.index1 != 0) {
                kni_text_tag(text, world, refusal->tag);
            } else {
                kni_text_attribute(text, world, refusal->attribute, 0);
            }
            kni_text_char(text, ')');
        }
        text_said(text, world, refusal, ": ");
        break;
    case KN_REFUSED_REQUIREMENT:
        text_requirement(text, world, refusal);
        break;
    case KN_REFUSED_CUSTOM:
        if (!text_said(text, world, refusal, "")) {
            kni_text_str(text, "its requirement refuses it");
        }
        break;
    case KN_REFUSED_CHANCE:
        kni_text_str(text, "by chance");
        if (refusal->have > 0.0f) {
            kni_text_str(text, " (");
            kni_text_float(text, refusal->have);
            kni_text_str(text, ")");
        }
        break;
    case KN_REFUSED_STACK_DENIED:
        kni_text_effect(text, world, refusal->effect);
        kni_text_str(text, " takes no more stacks");
        break;
    case KN_REFUSED_EXCLUSIVE:
        kni_text_effect(text, world, refusal->effect);
        kni_text_str(text, " is stronger");
        break;
    case KN_REFUSED_MISSING_VALUE:
        text_missing(text, world, refusal);
        break;
    case KN_REFUSED_MISSING_ATTRIBUTE:
        kni_text_str(text, side_words[refusal->from]);
        kni_text_str(text, " has no ");
        if (refusal->attribute.index1 != 0) {
            kni_text_attribute(text, world, refusal->attribute, 0);
        } else {
            kni_text_str(text, "such attribute");
        }
        break;
    case KN_REFUSED_BAD_NUMBER:
        kni_text_str(text, "one of its numbers cannot be computed");
        break;
    case KN_REFUSED_CYCLE:
        kni_text_attribute(text, world, refusal->attribute, 0);
        kni_text_str(text, " would depend on itself");
        break;
    case KN_REFUSED_LIMIT:
        kni_text_str(text, "a limit is reached");
        break;
    default:
        kni_text_str(text, kn_result_name(refusal->reason));
        break;
    }
    if (refusal->modifier > 1 ||
        (refusal->modifier == 1 && refusal->tag.index1 == 0 && refusal->parameter.index1 == 0 &&
            refusal->attribute.index1 == 0)) {
        kni_text_str(text, " (modifier ");
        kni_text_u64(text, refusal->modifier);
        kni_text_char(text, ')');
    }
}

uint32_t kn_effect_refusal_print(
    const kn_world *world, const kn_effect_refusal *refusal, char *out, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, out, size);
    kni_text_effect_refusal(&text, world, refusal);
    return text.length;
}

#define EXPLAIN_LINES 16

uint32_t kn_effect_explain_print(
    kn_world *world, const kn_effect_apply_def *apply, char *out, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, out, size);
    kn_effect_refusal lines[EXPLAIN_LINES];
    uint32_t count = kn_effect_explain(world, apply, lines, EXPLAIN_LINES);
    kni_text_str(&text, kn_effect_type_name(world, apply->type));
    kni_text_str(&text, count == 0 ? ": can be applied" : ": ");
    for (uint32_t i = 0; i < count && i < EXPLAIN_LINES; i++) {
        kni_text_str(&text, i > 0 ? "; " : "");
        kni_text_effect_refusal(&text, world, &lines[i]);
    }
    return text.length;
}
