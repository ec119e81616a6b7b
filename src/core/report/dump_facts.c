// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Facts for the dumps that have to be found first, once for text and JSON.

#include "report/dump.h"

// Explanations --------------------------------------------------------------

#define FEW (sizeof(((kni_explanation *)NULL)->few) / sizeof(kn_explain_line))

static uint32_t explanation_lines(
    const kn_world *world, const kni_explain_of *of, kn_explain_line *lines, uint32_t capacity)
{
    if (of->value.index1 != 0) {
        return kn_value_explain(
            world, of->entity, of->value, of->base, of->record, lines, capacity);
    }
    return kn_attribute_explain(world, of->entity, of->attribute, of->key, lines, capacity);
}

void kni_explanation_take(
    const kn_world *world, const kni_explain_of *of, kni_explanation *explanation)
{
    explanation->lines = explanation->few;
    explanation->total = explanation_lines(world, of, explanation->few, FEW);
    explanation->count = explanation->total < FEW ? explanation->total : (uint32_t)FEW;
    if (explanation->total <= FEW) {
        return;
    }
    kni_memory memory = world->memory; // freed before anyone counts it
    kn_explain_line *lines =
        kni_realloc(&memory, NULL, 0, explanation->total * sizeof(kn_explain_line));
    if (lines != NULL) {
        explanation->lines = lines;
        explanation->count = explanation_lines(world, of, lines, explanation->total);
    }
}

void kni_explanation_drop(const kn_world *world, kni_explanation *explanation)
{
    if (explanation->lines != explanation->few) {
        kni_memory memory = world->memory;
        kni_free(&memory, explanation->lines, explanation->total * sizeof(kn_explain_line));
    }
}

// Modifiers -----------------------------------------------------------------

static uint32_t mod_find(const kn_world *world, const kni_aggregator *aggregator,
    const kni_effect *effect, uint32_t index)
{
    for (uint32_t i = 0; i < aggregator->mods.count; i++) {
        const kni_mod *mod = KNI_SPAN_AT(world, aggregator->mods, kni_mod, i);
        if (mod->number == effect->number && mod->modifier == index) {
            return i;
        }
    }
    return KNI_NONE;
}

// Whether a modifier in a list takes part there.
static kn_qualification mod_qualification(const kn_world *world, uint32_t slot, uint32_t index,
    const kni_effect *effect, kni_evaluation *evaluation)
{
    const kni_aggregator *aggregator = kni_aggregator_at(world, slot);
    uint32_t at = mod_find(world, aggregator, effect, index);
    if (at == KNI_NONE) {
        return KN_QUALIFICATION_REQUIREMENT;
    }
    evaluation->world = world;
    evaluation->channel_end = KN_CHANNEL_MAX + 1;
    evaluation->factor = 1.0f;
    evaluation->mods = kni_span_at(&world->heap, &aggregator->mods, 0, sizeof(kni_mod));
    evaluation->count = aggregator->mods.count;
    return kni_qualification(evaluation, at);
}

kn_qualification kni_modifier_qualification(
    const kn_world *world, const kni_effect *effect, uint32_t index)
{
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_modifier *modifier = &type->modifiers[index];
    const kni_component *component = kni_component_at(world, effect->component);
    if (effect->rare1 != 0 &&
        (kni_rare_at(world, effect->rare1)->off_modifiers >> index & 1) != 0) {
        return KN_QUALIFICATION_REQUIREMENT;
    }
    if ((effect->flags & KNI_ACTIVE_INHIBITED) != 0) {
        return KN_QUALIFICATION_INHIBITED;
    }
    bool is_owned = (type->flags & KNI_EFFECT_OWNED) != 0;
    if (modifier->attribute == KNI_NONE) {
        uint32_t aggregator = kni_transient_find(world, component, modifier->value);
        if (is_owned || (type->flags & KNI_EFFECT_PERIODIC) != 0 || aggregator == KNI_NONE) {
            return KN_QUALIFICATION_OK;
        }
        const kn_value_def *def =
            &KNI_ITEM(world->library, KN_DEF_VALUE, kni_value_type, modifier->value)->def;
        kni_evaluation evaluation = {.profile = &def->profile};
        return mod_qualification(world, aggregator, index, effect, &evaluation);
    }
    uint32_t position =
        is_owned ? 0 : kni_position_keyed(world, component, modifier->attribute, modifier->key);
    if (position == KNI_NONE) {
        return KN_QUALIFICATION_PARKED;
    }
    if (is_owned || (type->flags & KNI_EFFECT_PERIODIC) != 0) {
        return KN_QUALIFICATION_OK;
    }
    kni_value value = kni_values_of(world, component)[position];
    if (value.aggregator1 == 0) {
        return KN_QUALIFICATION_REQUIREMENT;
    }
    const kn_attribute_def *def = &kni_attribute_at(world->library, modifier->attribute)->def;
    kni_evaluation evaluation = {
        .profile = &def->profile,
        .qualify = def->qualify,
        .policy = def->policy.index1,
        .base = value.base,
    };
    return mod_qualification(world, value.aggregator1 - 1, index, effect, &evaluation);
}

// Conditions ----------------------------------------------------------------

kn_spec_view kni_effect_look(const kn_world *world, uint32_t slot)
{
    kn_world *same; // views also serve rules, so they hold a mutable world; this one is only read
    memcpy(&same, &world, sizeof(same));
    kn_spec_view view;
    kni_view_of_effect(same, slot, &view);
    return view;
}

// Tags ----------------------------------------------------------------------

static bool bit_is_set(const uint64_t *bits, uint32_t tag)
{
    return (bits[tag >> 6] >> (tag & 63) & 1) != 0;
}

kni_tag_look kni_tag_look_of(const kn_world *world, uint32_t slot, uint32_t tag)
{
    const kni_component *component = kni_component_at(world, slot);
    kni_tag_look look = {.is_shown = kni_tag_count_exact(world, slot, tag) > 0};
    if (component->edit_count == 0) {
        return look;
    }
    // The edits again, one by one: the one that adds or removes the tag is the answer.
    uint64_t *shown = world->tag_scratch;
    kni_tags_owned(world, slot, shown);
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t at = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, at);
        const kn_effect_def *def = &kni_type_at(world, effect->type)->def;
        bool acts = (effect->flags & KNI_ACTIVE_ATTACHED) != 0;
        for (uint32_t e = 0; acts && e < def->tag_edit_count; e++) {
            kni_tag_edit_apply(world->library, &def->tag_edits[e], shown);
            if (bit_is_set(shown, tag) != look.is_shown) {
                look.is_shown = !look.is_shown;
                look.by = kni_effect_id_of(world, at);
                look.with = look.is_shown ? (kn_tag){0} : def->tag_edits[e].with;
            }
        }
    }
    return look;
}

uint32_t kni_tag_next(const kn_world *world, uint32_t slot, uint32_t tag)
{
    const kni_component *component = kni_component_at(world, slot);
    uint32_t next = 0;
    for (uint32_t i = 0; i < component->tags.count && next == 0; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->tags, kni_tag_row, i);
        next = row->tag > tag && row->count > 0 ? row->tag : 0; // a count of 0 means absent
    }
    if (component->edit_count == 0) {
        return next;
    }
    uint64_t *shown = world->tag_scratch;
    kni_tags_shown(world, slot, shown, shown + world->tag_words);
    uint32_t end = next != 0 ? next : kn_tag_count(world->library) + 1;
    for (uint32_t other = tag + 1; other < end; other++) {
        if (bit_is_set(shown, other)) {
            return other;
        }
    }
    return next;
}

const char *kni_origin_word(kn_tag_origin origin)
{
    static const char *const words[KN_TAG_ORIGIN_COUNT] = {
        [KN_TAG_ORIGIN_LOOSE] = "loose",
        [KN_TAG_ORIGIN_LOOSE_SYNCED] = "synced",
        [KN_TAG_ORIGIN_EFFECT] = "effects",
        [KN_TAG_ORIGIN_MINIMAL] = "minimal",
        [KN_TAG_ORIGIN_ABILITY] = "abilities",
        [KN_TAG_ORIGIN_CHILD] = "parts",
    };
    return words[origin];
}

typedef struct blocker_list {
    kn_blocked_tag *out;
    uint32_t skip, capacity, count;
} blocker_list;

static void blocker_add(blocker_list *list, kn_blocked_tag blocker)
{
    uint32_t place = list->count - list->skip; // wraps for those before the first wanted
    if (place < list->capacity) {
        list->out[place] = blocker;
    }
    list->count++;
}

// Lists everything that blocks exactly this tag.
static void blockers_of(blocker_list *list, const kn_world *world, uint32_t slot, kn_tag tag)
{
    const kni_component *component = kni_component_at(world, slot);
    const kni_actor *actor = kni_actor_of(world, slot);
    for (uint32_t i = 0; actor != NULL && i < actor->activations.count; i++) {
        uint32_t at = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        const kni_activation *activation = kni_activation_at(world, at);
        kn_blocked_tag blocker = {.tag = tag,
            .activation = kni_activation_id_of(world, at),
            .ability = kni_ability_id_of(world, activation->ability)};
        kn_tags blocks = kni_type_of_ability(world, activation->ability)->def.block_with;
        if ((activation->flags & KNI_ACTIVATION_BLOCKS) != 0 && kn_tags_has_exact(blocks, tag)) {
            blocker_add(list, blocker);
        }
    }
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t at = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, at);
        kn_tags blocks = kni_type_at(world, effect->type)->def.blocked_ability_tags;
        if ((effect->flags & KNI_ACTIVE_ATTACHED) != 0 && kn_tags_has_exact(blocks, tag)) {
            blocker_add(list, (kn_blocked_tag){.tag = tag, .effect = kni_effect_id_of(world, at)});
        }
    }
    const kni_tag_block *block;
    for (uint32_t at1 = kni_tag_block_first1(world, slot); at1 != 0; at1 = block->next1) {
        block = kni_tag_block_at(world, at1 - 1);
        if (block->tag == tag.index1) {
            blocker_add(
                list, (kn_blocked_tag){.tag = tag, .source = block->source, .key = block->key});
        }
    }
}

uint32_t kni_blocked_tags(
    const kn_world *world, uint32_t slot, uint32_t skip, kn_blocked_tag *out, uint32_t capacity)
{
    blocker_list list = {out, skip, capacity, 0};
    const kni_span *blocked = &kni_component_at(world, slot)->blocked;
    for (uint32_t i = 0; i < blocked->count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, *blocked, kni_tag_row, i);
        blockers_of(&list, world, slot, (kn_tag){row->tag});
    }
    return list.count;
}

// Abilities -----------------------------------------------------------------

uint32_t kni_ability_tag_count(const kn_world *world, uint32_t slot)
{
    return kni_type_of_ability(world, slot)->def.tags.count +
           kni_ability_at(world, slot)->tags.count;
}

kn_tag kni_ability_tag_at(const kn_world *world, uint32_t slot, uint32_t index)
{
    kn_tags own = kni_type_of_ability(world, slot)->def.tags;
    const kni_ability *ability = kni_ability_at(world, slot);
    return index < own.count
               ? own.data[index]
               : (kn_tag){*KNI_SPAN_AT(world, ability->tags, uint32_t, index - own.count)};
}

const char *kni_fail_word(const kn_library *library, uint32_t index)
{
    static const char *const words[KN_FAIL_COUNT] = {"gone", "networking", "dead",
        "blocked by tags", "missing tags", "on cooldown", "cannot pay", "already active",
        "own condition", "not ready", "no target"};
    return index < KN_FAIL_COUNT ? words[index]
                                 : kn_library_fail_name(library, (kn_fail)(UINT32_C(1) << index));
}

const char *kni_end_word(const kn_library *library, uint32_t reason)
{
    const kn_end_reason_def *own = kn_end_reason_get_def(library, (kn_end_reason)reason);
    return own != NULL && own->text != NULL
               ? own->text
               : kn_library_end_reason_name(library, (kn_end_reason)reason);
}

// States ----------------------------------------------------------------------

static kni_state_look state_look(const kn_world *world, const kni_fields *fields, kni_ref ref)
{
    bool has_it = fields->number1 != 0 && ref != 0;
    return (kni_state_look){&fields->table, has_it ? kni_heap_at(&world->heap, ref) : NULL};
}

kni_state_look kni_effect_state_look(const kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    kni_ref ref = effect->rare1 != 0 ? kni_rare_at(world, effect->rare1)->state : 0;
    return state_look(
        world, kni_rare_blocks(world, kni_type_at(world, effect->type), 0).state, ref);
}

kni_state_look kni_ability_state_look(const kn_world *world, uint32_t slot)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    return state_look(
        world, kni_bytes_state(world, KNI_BYTES_ABILITY, ability), ability->state.ref);
}

kni_state_look kni_activation_state_look(const kn_world *world, uint32_t slot)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    return state_look(
        world, kni_bytes_state(world, KNI_BYTES_ACTIVATION, activation), activation->state.ref);
}

kni_state_look kni_task_state_look(const kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    return state_look(world, kni_bytes_state(world, KNI_BYTES_TASK, task), task->data.ref);
}

kni_state_look kni_watch_state_look(const kn_world *world, uint32_t slot)
{
    const kni_watch *watch = kni_pool_at(&world->watches, slot);
    return state_look(world, kni_bytes_state(world, KNI_BYTES_WATCH, watch), watch->state.ref);
}
