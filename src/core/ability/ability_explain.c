// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why an ability cannot start, as reasons with numbers and as text.

#include "ability/task.h"
#include "world/names.h"

#define EXPLAIN_LINES 16

typedef struct explanation {
    const kn_world *world;
    kn_refusal_line *out;
    uint32_t capacity;
    uint32_t count;
    uint32_t told; // reasons that have a line
    kn_refusal_line nowhere;
} explanation;

static kn_refusal_line *explain_line(explanation *e, kn_fail reason)
{
    kn_refusal_line *line = e->count < e->capacity ? &e->out[e->count] : &e->nowhere;
    e->count++;
    e->told |= (uint32_t)reason;
    memset(line, 0, sizeof(*line));
    line->reason = reason;
    return line;
}

// The effect that grants a tag to a component, or null.
static kn_effect_id tag_effect(const kn_world *world, uint32_t component, kn_tag tag)
{
    kn_effect_query query = kn_effect_query_default();
    query.granted_tags = (kn_tags){&tag, 1};
    kn_effect_id effect = {0};
    (void)kn_effects_find(world, kni_component_entity(world, component), &query, &effect, 1);
    return effect;
}

// The running ability that blocks a tag of this one; null for none.
static kn_ability_id block_ability(const kn_world *world, uint32_t slot, kn_tag tag)
{
    const kni_actor *actor = kni_actor_of(world, kni_ability_at(world, slot)->component);
    for (uint32_t i = 0; i < actor->activations.count; i++) {
        const kni_activation *activation =
            kni_activation_at(world, *KNI_SPAN_AT(world, actor->activations, uint32_t, i));
        kn_tags one = {&tag, 1};
        kn_tags blocks = kni_type_of_ability(world, activation->ability)->def.block_with;
        if (activation->ability != slot && (activation->flags & KNI_ACTIVATION_BLOCKS) != 0 &&
            kn_tags_has_any(world->library, one, blocks)) {
            return kni_ability_id_of(world, activation->ability);
        }
    }
    return (kn_ability_id){0};
}

// The effect that blocks a tag; null for none.
static kn_effect_id block_effect(const kn_world *world, const kni_component *component, kn_tag tag)
{
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        kn_tags one = {&tag, 1};
        kn_tags blocks = kni_type_at(world, effect->type)->def.blocked_ability_tags;
        if ((effect->flags & KNI_ACTIVE_ATTACHED) != 0 &&
            kn_tags_has_any(world->library, one, blocks)) {
            return kni_effect_id_of(world, slot);
        }
    }
    return (kn_effect_id){0};
}

// What blocks a tag of the ability: a running ability or an effect, and everyone who blocks it
// from outside.
static void explain_block(explanation *e, uint32_t slot, kn_tag tag)
{
    const kn_world *world = e->world;
    uint32_t component = kni_ability_at(world, slot)->component;
    if (!kni_ability_tag_is_blocked(world, slot, tag)) {
        return;
    }
    kn_ability_id ability = block_ability(world, slot, tag);
    kn_effect_id effect = ability.index1 != 0
                              ? (kn_effect_id){0}
                              : block_effect(world, kni_component_at(world, component), tag);
    uint32_t first1 = kni_tag_block_first1(world, component);
    if (ability.index1 != 0 || effect.index1 != 0 || first1 == 0) {
        kn_refusal_line *line = explain_line(e, KN_FAIL_BLOCKED);
        line->tag = tag;
        line->ability = ability;
        line->effect = effect;
    }
    const kni_tag_block *block;
    for (uint32_t at1 = first1; at1 != 0; at1 = block->next1) {
        block = kni_tag_block_at(world, at1 - 1);
        if (kni_tag_matches(&world->library->tags, tag.index1, block->tag)) {
            kn_refusal_line *line = explain_line(e, KN_FAIL_BLOCKED);
            line->tag = tag;
            line->source = block->source;
            line->key = block->key;
        }
    }
}

static void explain_tags(explanation *e, uint32_t slot)
{
    const kni_ability *own = kni_ability_at(e->world, slot);
    if (own->effect.index1 != 0 && kni_ability_is_suspended(e->world, own)) {
        explain_line(e, KN_FAIL_BLOCKED)->effect = own->effect;
    }
    const kn_world *world = e->world;
    const kni_ability *ability = kni_ability_at(world, slot);
    const kn_ability_def *def = &kni_type_of_ability(world, slot)->def;
    kn_tags lists[2] = {def->tags, kni_ability_dynamic_tags(world, ability)};
    for (uint32_t l = 0; l < 2; l++) {
        for (uint32_t i = 0; i < lists[l].count; i++) {
            explain_block(e, slot, lists[l].data[i]);
        }
    }
    const kn_tag_requirement *need = &def->activation;
    for (uint32_t i = 0; i < need->ignored.count; i++) {
        if (kni_has_tag(world, ability->component, need->ignored.data[i].index1)) {
            kn_refusal_line *line = explain_line(e, KN_FAIL_BLOCKED);
            line->tag = need->ignored.data[i];
            line->effect = tag_effect(world, ability->component, line->tag);
        }
    }
    for (uint32_t i = 0; i < need->required.count; i++) {
        if (!kni_has_tag(world, ability->component, need->required.data[i].index1)) {
            explain_line(e, KN_FAIL_MISSING_TAGS)->tag = need->required.data[i];
        }
    }
}

// Whether neither an effect nor a record of the ability explains a cooldown tag.
static bool tag_is_foreign(const kn_world *world, uint32_t slot, kn_tag tag)
{
    uint32_t component = kni_ability_at(world, slot)->component;
    uint32_t charge = kni_charge_find(world, component, tag.index1, slot);
    return kni_has_tag(world, component, tag.index1) &&
           (charge == KNI_NONE || kni_charge_at(world, charge)->has_tag == 0);
}

static void explain_cooldowns(explanation *e, uint32_t slot)
{
    const kn_world *world = e->world;
    const kni_ability_type *type = kni_type_of_ability(world, slot);
    for (uint32_t i = 0; i < kni_cooldown_count(type); i++) {
        kni_cooldown cooldown;
        bool is_record = i < type->def.cooldown_count;
        bool is_there = kni_cooldown_at(world, slot, i, &cooldown) && cooldown.info.wait > 0;
        if (!is_there && (is_record || !tag_is_foreign(world, slot, cooldown.info.key))) {
            continue;
        }
        kn_refusal_line *line = explain_line(e, KN_FAIL_COOLDOWN);
        line->tag = cooldown.info.key;
        line->have = (float)cooldown.info.charges;
        line->need = (float)cooldown.cost;
        line->remaining = cooldown.info.wait;
        line->total = cooldown.wait_total;
        if (!is_record) {
            line->effect = tag_effect(world, kni_ability_at(world, slot)->component, line->tag);
        }
    }
}

static void explain_costs(explanation *e, const kni_price *price)
{
    for (uint32_t i = 0; i < price->count; i++) {
        const kni_cost_step *step = &price->steps[i];
        if (step->is_cut || step->is_missing) {
            kn_refusal_line *line = explain_line(e, KN_FAIL_COST);
            line->attribute.index1 = step->attribute + 1;
            line->have = step->before;
            line->need = step->before - step->after;
        }
    }
}

// Uses results that are known already, so that no hook is called again: reasons, and the price if
// the cost is one.
static void explain_reasons(explanation *e, uint32_t slot, uint32_t reasons, const kni_price *price)
{
    if ((reasons & KN_FAIL_COOLDOWN) != 0) {
        explain_cooldowns(e, slot);
    }
    if ((reasons & KN_FAIL_COST) != 0) {
        explain_costs(e, price);
    }
    explain_tags(e, slot);
    uint32_t plain = reasons & ~e->told; // those without tags or numbers of their own
    for (uint32_t i = 0; i < 32; i++) {
        if ((plain >> i & 1) != 0) {
            (void)explain_line(e, (kn_fail)(1u << i));
        }
    }
}

// The same, and what hooks said.
static void explain_answer(
    explanation *e, uint32_t slot, const kn_check_answer *answer, const kni_price *price)
{
    explain_reasons(e, slot, answer->plain, price);
    for (uint32_t i = 0; i < answer->count; i++) {
        kn_refusal_line *line = explain_line(e, KN_FAIL_CUSTOM);
        if (i < answer->capacity) {
            *line = answer->lines[i];
        }
    }
}

uint32_t kn_ability_explain(const kn_world *world, kn_ability_id ability,
    const kn_event_record *event, kn_refusal_line *out, uint32_t capacity)
{
    explanation e = {.world = world, .out = out, .capacity = capacity};
    uint32_t slot = kni_ability_find(world, ability);
    if (slot == KNI_NONE) {
        (void)explain_line(&e, KN_FAIL_STALE);
        return e.count;
    }
    kni_price price;
    kni_attempt attempt = kni_attempt_here(event);
    kn_refusal_line lines[EXPLAIN_LINES];
    kn_check_answer answer = {.lines = lines, .capacity = EXPLAIN_LINES};
    (void)kni_ability_check_all(world, slot, &attempt, &answer, &price);
    explain_answer(&e, slot, &answer, &price);
    return e.count;
}

// On a client, the usual cause is that the owner has no connection set.
static void print_networking(kni_text *text, const kn_world *world, kn_ability_id ability)
{
    kn_ability_info info = {0};
    (void)kn_ability_get(world, ability, &info);
    kni_text_str(text, "not allowed on this machine");
    if (world->def.is_client && world->def.connection == 0) {
        kni_text_str(text, " (this client has no connection)");
    } else if (world->def.is_client && kn_entity_connection(world, info.owner) == 0) {
        kni_text_str(text, " (its owner has no connection)");
    }
}

// Who refuses, for a reason that says nothing about itself.
static void print_own(kni_text *text, const kn_world *world, const kn_refusal_line *line)
{
    if (line->check.index1 != 0) {
        kni_text_str(text, "check ");
        kni_text_str(text, kn_check_name(world->library, line->check));
        kni_text_str(text, " refuses it");
    } else {
        kni_text_str(text, "its own condition refuses it");
    }
}

// Whether several types of abilities have cooldowns with this key, such as a global one.
static bool key_is_shared(const kn_library *library, kn_tag key)
{
    uint32_t count = 0;
    for (uint32_t i = 1; key.index1 != 0 && i <= kn_def_count(library, KN_DEF_ABILITY); i++) {
        const kn_ability_def *def = kn_def_get(library, KN_DEF_ABILITY, i);
        bool has_it = false;
        for (uint32_t k = 0; k < def->cooldown_count; k++) {
            has_it |= def->cooldowns[k].key.index1 == key.index1;
        }
        count += has_it;
    }
    return count > 1;
}

static void print_line(
    kni_text *text, const kn_world *world, kn_ability_id ability, const kn_refusal_line *line)
{
    const char *tag = kn_tag_name(world->library, line->tag);
    kn_ability_info behind = {0};
    (void)kn_ability_get(world, line->ability, &behind);
    kni_reason_facts facts = {
        (uint32_t)line->reason, line->text, line->tag, behind.type, line->have, line->need};
    if (kni_text_reason(text, world, &facts)) {
        return;
    }
    switch (line->reason) {
    case KN_FAIL_COOLDOWN:
        kni_text_str(text, "on cooldown");
        if (line->remaining > 0 && line->remaining != KN_TIME_INFINITE) {
            kni_text_str(text, " for ");
            kni_text_fixed(text, kn_time_to_seconds(line->remaining), 1);
            kni_text_str(text, " of ");
            kni_text_seconds(text, line->total);
        }
        if (key_is_shared(world->library, line->tag)) {
            kni_text_str(text, " (");
            kni_text_str(text, tag);
            kni_text_char(text, ')');
        }
        break;
    case KN_FAIL_COST:
        kni_text_str(text, "needs ");
        kni_text_float(text, line->need);
        kni_text_char(text, ' ');
        kni_text_str(text, kn_attribute_name(world->library, line->attribute));
        kni_text_str(text, ", has ");
        kni_text_float(text, line->have);
        break;
    case KN_FAIL_BLOCKED:
        kni_text_str(text, "blocked by ");
        if (line->tag.index1 == 0 && line->effect.index1 != 0) { // the effect that granted it
            kn_effect_info info;
            (void)kn_effect_get(world, line->effect, &info);
            kni_text_str(text, "effect ");
            kni_text_str(text, kn_effect_type_name(world, info.type));
            kni_text_str(text, ", which is inhibited");
            break;
        }
        kni_text_str(text, line->tag.index1 != 0 ? tag : "tags");
        if (line->ability.index1 != 0) {
            kn_ability_info info;
            (void)kn_ability_get(world, line->ability, &info);
            kni_text_str(text, " (ability ");
            kni_text_str(text, kn_ability_type_name(world->library, info.type));
            kni_text_char(text, ')');
        } else if (line->effect.index1 != 0) {
            kn_effect_info info;
            (void)kn_effect_get(world, line->effect, &info);
            kni_text_str(text, " (effect ");
            kni_text_str(text, kn_effect_type_name(world, info.type));
            kni_text_char(text, ')');
        } else if (line->source.index1 != 0 || line->key != 0) {
            kni_text_str(text, " (");
            kni_text_block_source(text, line->source, line->key);
            kni_text_char(text, ')');
        }
        break;
    case KN_FAIL_MISSING_TAGS:
        kni_text_str(text, "needs ");
        kni_text_str(text, line->tag.index1 != 0 ? tag : "other tags");
        break;
    case KN_FAIL_DEAD:
        kni_text_str(text, "dead");
        break;
    case KN_FAIL_ACTIVE:
        kni_text_str(text, "already active");
        break;
    case KN_FAIL_NETWORKING:
        print_networking(text, world, ability);
        break;
    case KN_FAIL_STALE:
        kni_text_str(text, "gone");
        break;
    case KN_FAIL_NOT_READY:
        kni_text_str(text, "not for this event");
        break;
    case KN_FAIL_NO_TARGET:
        kni_text_str(text, "needs a target");
        break;
    default:
        print_own(text, world, line);
        break;
    }
}

// Whether a check has more to say about a block than the block itself: see kn_refusal_line.key.
static bool line_is_told(
    const kn_world *world, const kn_refusal_line *lines, uint32_t count, uint32_t index)
{
    const kn_refusal_line *line = &lines[index];
    bool is_told = false;
    for (uint32_t i = 0; i < count && line->reason == KN_FAIL_BLOCKED && line->key != 0; i++) {
        is_told |= lines[i].reason != KN_FAIL_BLOCKED && lines[i].key == line->key &&
                   kn_tag_matches(world->library, line->tag, lines[i].tag);
    }
    return is_told;
}

static void print_lines(kni_text *text, const kn_world *world, kn_ability_id ability,
    const kn_refusal_line *lines, uint32_t count)
{
    const char *separator = "";
    count = count < EXPLAIN_LINES ? count : EXPLAIN_LINES;
    for (uint32_t i = 0; i < count; i++) {
        if (!line_is_told(world, lines, count, i)) {
            kni_text_str(text, separator);
            print_line(text, world, ability, &lines[i]);
            separator = "; ";
        }
    }
}

void kni_text_refusal_line(kni_text *text, const kn_world *world, const kn_refusal_line *line)
{
    print_line(text, world, line->ability, line);
}

void kni_text_refusal(kni_text *text, const kn_world *world, uint32_t slot,
    const kn_check_answer *answer, const kni_price *price)
{
    kn_refusal_line lines[EXPLAIN_LINES];
    explanation e = {.world = world, .out = lines, .capacity = EXPLAIN_LINES};
    explain_answer(&e, slot, answer, price);
    print_lines(text, world, kni_ability_id_of(world, slot), lines, e.count);
}

uint32_t kn_ability_explain_print(const kn_world *world, kn_ability_id ability,
    const kn_event_record *event, char *out, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, out, size);
    kn_ability_info info = {0};
    (void)kn_ability_get(world, ability, &info);
    kni_text_str(
        &text, info.type.index1 != 0 ? kn_ability_type_name(world->library, info.type) : "ability");
    kni_text_str(&text, ": ");
    kn_refusal_line lines[EXPLAIN_LINES];
    uint32_t count = kn_ability_explain(world, ability, event, lines, EXPLAIN_LINES);
    if (count == 0) {
        kni_text_str(&text, "ready");
    }
    print_lines(&text, world, ability, lines, count);
    return text.length;
}
