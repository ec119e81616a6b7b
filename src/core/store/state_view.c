// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Records of a world for tools: tables, walks, views, and writing single fields.

#include "store/store.h"

#include "report/dump.h"

// Kinds ---------------------------------------------------------------------

typedef struct state_info {
    const char *name;
    const kn_def_table *table;
    uint32_t pool; // KNI_POOL_COUNT for those that are not records of a pool
} state_info;

static const state_info state_kinds[KN_STATE_KIND_COUNT] = {
    [KN_STATE_NONE] = {"", NULL, KNI_POOL_COUNT},
    [KN_STATE_ENTITY] = {"entity", &kni_entity_table, KNI_POOL_ENTITIES},
    [KN_STATE_LINKS] = {"links", &kni_component_table, KNI_POOL_COMPONENTS},
    [KN_STATE_ATTRIBUTE] = {"attribute", &kni_value_table, KNI_POOL_COUNT},
    [KN_STATE_TAG] = {"tag", &kni_origin_row_table, KNI_POOL_COUNT},
    [KN_STATE_EFFECT] = {"effect", &kni_effect_table, KNI_POOL_EFFECTS},
    [KN_STATE_CONTEXT] = {"context", &kni_rare_table, KNI_POOL_COUNT},
    [KN_STATE_INPUTS] = {"inputs", &kni_actor_table, KNI_POOL_ACTORS},
    [KN_STATE_ABILITY] = {"ability", &kni_ability_table, KNI_POOL_ABILITIES},
    [KN_STATE_COOLDOWN] = {"cooldown", &kni_charge_table, KNI_POOL_CHARGES},
    [KN_STATE_ACTIVATION] = {"activation", &kni_activation_table, KNI_POOL_ACTIVATIONS},
    [KN_STATE_EVENT] = {"event", &kni_payload_table, KNI_POOL_PAYLOADS},
    [KN_STATE_TASK] = {"task", &kni_task_table, KNI_POOL_TASKS},
    [KN_STATE_CUE] = {"cue", &kni_cue_table, KNI_POOL_CUES},
    [KN_STATE_TIMER] = {"timer", &kni_rule_timer_table, KNI_POOL_TIMERS},
    [KN_STATE_WATCH] = {"watch", &kni_watch_table, KNI_POOL_WATCHES},
    [KN_STATE_BLOCK] = {"block", &kni_tag_block_table, KNI_POOL_TAG_BLOCKS},
    [KN_STATE_COMPONENT] = {"component", NULL, KNI_POOL_COUNT},
    [KN_STATE_SPEC] = {"spec", &kni_spec_table, KNI_POOL_SPECS},
    [KN_STATE_SPEC_CONTEXT] = {"spec context", &kni_rare_table, KNI_POOL_COUNT},
    [KN_STATE_COMMAND] = {"command", &kni_command_table, KNI_POOL_COMMANDS},
    [KN_STATE_SWITCH] = {"switch", &kni_switch_table, KNI_POOL_SWITCHES},
};

static const state_info *info_of(kn_state_kind kind)
{
    return &state_kinds[(uint32_t)kind < KN_STATE_KIND_COUNT ? kind : KN_STATE_NONE];
}

const char *kn_state_kind_name(kn_state_kind kind)
{
    return info_of(kind)->name;
}

const kn_def_table *kn_state_table(kn_state_kind kind)
{
    return info_of(kind)->table;
}

// Views ---------------------------------------------------------------------

static const kni_rare *rare_of(const kn_world *world, kn_state_ref ref)
{
    uint32_t rare1 = 0;
    if (ref.kind == KN_STATE_CONTEXT && kni_pool_is_live(&world->effects, ref.slot)) {
        rare1 = kni_effect_at(world, ref.slot)->rare1;
    } else if (ref.kind == KN_STATE_SPEC_CONTEXT && kni_pool_is_live(&world->specs, ref.slot)) {
        rare1 = ((const kni_spec *)kni_pool_at(&world->specs, ref.slot))->rare1;
    }
    return rare1 != 0 ? kni_rare_at(world, rare1) : NULL;
}

static uint32_t rare_type(const kn_world *world, kn_state_ref ref)
{
    return ref.kind == KN_STATE_CONTEXT
               ? kni_effect_at(world, ref.slot)->type
               : ((const kni_spec *)kni_pool_at(&world->specs, ref.slot))->type;
}

// The count of a tag at a place among those that are saved; NULL past the end.
static kni_origin_row *row_of(const kn_world *world, uint32_t component, uint32_t place)
{
    const kni_span *rows = &kni_component_at(world, component)->origins;
    for (uint32_t i = 0; i < rows->count; i++) {
        kni_origin_row *row = KNI_SPAN_AT(world, *rows, kni_origin_row, i);
        if (kni_save_has_origin(row->origin) && place-- == 0) {
            return row;
        }
    }
    return NULL;
}

static const kni_extension_head *head_of(const kn_world *world, kn_state_ref ref)
{
    if (ref.of == 0 || ref.of > kni_ref_count(world->library, KN_DEF_COMPONENT) ||
        !kni_pool_is_live(&world->extensions[ref.of - 1].pool, ref.slot)) {
        return NULL;
    }
    return kni_extension_at(&world->extensions[ref.of - 1], ref.slot);
}

// Where a record is; NULL for one that does not exist.
static void *record_of(const kn_world *world, kn_state_ref ref)
{
    const state_info *info = info_of(ref.kind);
    if (info->pool != KNI_POOL_COUNT) {
        const kni_pool *pool = kni_world_pool(world, info->pool);
        bool is_there = kni_pool_is_live(pool, ref.slot);
        if (is_there && ref.kind == KN_STATE_EVENT) {
            is_there = kni_pool_is_live(&world->activations, ref.of - 1) &&
                       kni_activation_at(world, ref.of - 1)->payload1 == ref.slot + 1;
        }
        return is_there ? kni_pool_at(pool, ref.slot) : NULL;
    }
    switch (ref.kind) {
    case KN_STATE_CONTEXT:
    case KN_STATE_SPEC_CONTEXT:
        return (void *)(uintptr_t)rare_of(world, ref);
    case KN_STATE_COMPONENT: {
        const kni_extension_head *head = head_of(world, ref);
        return head != NULL ? (void *)(uintptr_t)(head + 1) : NULL;
    }
    case KN_STATE_ATTRIBUTE:
    case KN_STATE_TAG: {
        if (!kni_pool_is_live(&world->components, ref.of - 1)) {
            return NULL;
        }
        const kni_component *component = kni_component_at(world, ref.of - 1);
        if (ref.kind == KN_STATE_TAG) {
            return row_of(world, ref.of - 1, ref.slot);
        }
        return ref.slot < world->layouts[component->layout].value_count
                   ? kni_values_of(world, component) + ref.slot
                   : NULL;
    }
    default:
        return NULL;
    }
}

// The component that a record is on, KNI_NONE for those that are not on one.
static uint32_t component_of(const kn_world *world, kn_state_ref ref, const void *record)
{
    uint32_t activation = KNI_NONE, ability = KNI_NONE;
    switch (ref.kind) {
    case KN_STATE_LINKS:
        return ref.slot;
    case KN_STATE_ATTRIBUTE:
    case KN_STATE_TAG:
        return ref.of - 1;
    case KN_STATE_EFFECT:
    case KN_STATE_CONTEXT:
        return kni_effect_at(world, ref.slot)->component;
    case KN_STATE_INPUTS:
        return ((const kni_actor *)record)->component;
    case KN_STATE_COOLDOWN:
        return ((const kni_charge *)record)->component;
    case KN_STATE_CUE:
        return ((const kni_cue *)record)->component;
    case KN_STATE_ABILITY:
        ability = ref.slot;
        break;
    case KN_STATE_ACTIVATION:
        activation = ref.slot;
        break;
    case KN_STATE_EVENT:
        activation = ref.of - 1;
        break;
    case KN_STATE_TASK:
        activation = ((const kni_task *)record)->activation;
        break;
    default:
        return KNI_NONE;
    }
    ability = activation != KNI_NONE ? kni_activation_at(world, activation)->ability : ability;
    return kni_ability_at(world, ability)->component;
}

static kn_entity_id entity_of(const kn_world *world, kn_state_ref ref, const void *record)
{
    uint32_t component = component_of(world, ref, record);
    if (component != KNI_NONE) {
        return kni_component_entity(world, component);
    }
    switch (ref.kind) {
    case KN_STATE_ENTITY:
        return kni_entity_id_of(world, ref.slot);
    case KN_STATE_TIMER:
        return ((const kni_rule_timer *)record)->entity;
    case KN_STATE_WATCH:
        return ((const kni_watch *)record)->entity;
    case KN_STATE_BLOCK:
        return ((const kni_tag_block *)record)->entity;
    case KN_STATE_COMPONENT:
        return head_of(world, ref)->entity;
    case KN_STATE_COMMAND:
        return ((const kni_command *)record)->entity;
    default:
        return (kn_entity_id){0};
    }
}

// The attribute at a position of a component, as index + 1.
static uint32_t attribute_at(const kn_world *world, uint32_t component, uint32_t position)
{
    const kni_layout *layout = &world->layouts[kni_component_at(world, component)->layout];
    uint32_t i = 0;
    while (i + 1 < layout->set_count && layout->sets[i + 1].first <= position) {
        i++;
    }
    return kni_set_at(world->library, layout->sets[i].set)
               ->attributes[position - layout->sets[i].first] +
           1;
}

static uint32_t type_of(
    const kn_world *world, kn_state_ref ref, const void *record, kn_def_kind *kind)
{
    *kind = KN_DEF_KIND_COUNT;
    switch (ref.kind) {
    case KN_STATE_ATTRIBUTE:
        *kind = KN_DEF_ATTRIBUTE;
        return attribute_at(world, ref.of - 1, ref.slot);
    case KN_STATE_TAG:
        *kind = KN_DEF_TAG;
        return ((const kni_origin_row *)record)->tag;
    case KN_STATE_EFFECT:
        *kind = KN_DEF_EFFECT;
        return ((const kni_effect *)record)->type + 1u;
    case KN_STATE_CONTEXT:
    case KN_STATE_SPEC_CONTEXT:
        *kind = KN_DEF_EFFECT;
        return rare_type(world, ref) + 1;
    case KN_STATE_SPEC:
        *kind = KN_DEF_EFFECT;
        return ((const kni_spec *)record)->type + 1;
    case KN_STATE_ABILITY:
        *kind = KN_DEF_ABILITY;
        return ((const kni_ability *)record)->type + 1u;
    case KN_STATE_COOLDOWN:
        *kind = KN_DEF_ABILITY;
        return ((const kni_charge *)record)->type + 1u;
    case KN_STATE_ACTIVATION:
        *kind = KN_DEF_ABILITY;
        return kni_ability_at(world, ((const kni_activation *)record)->ability)->type + 1u;
    case KN_STATE_EVENT:
        *kind = KN_DEF_EVENT_KIND;
        return ((const kni_payload *)record)->kind1;
    case KN_STATE_TASK:
        *kind = KN_DEF_TASK;
        return ((const kni_task *)record)->type1;
    case KN_STATE_CUE:
        *kind = KN_DEF_TAG;
        return ((const kni_cue *)record)->tag;
    case KN_STATE_TIMER:
        *kind = KN_DEF_TIMER;
        return ((const kni_rule_timer *)record)->type + 1;
    case KN_STATE_WATCH:
        *kind = KN_DEF_WATCH;
        return ((const kni_watch *)record)->type + 1;
    case KN_STATE_BLOCK:
        *kind = KN_DEF_TAG;
        return ((const kni_tag_block *)record)->tag;
    case KN_STATE_COMPONENT:
        *kind = KN_DEF_COMPONENT;
        return ref.of;
    case KN_STATE_COMMAND:
        *kind = KN_DEF_COMMAND;
        return ((const kni_command *)record)->type1;
    case KN_STATE_SWITCH:
        *kind = KN_DEF_SYSTEM;
        return ((const kni_switch *)record)->system + 1;
    default:
        return 0;
    }
}

bool kn_state_get(const kn_world *world, kn_state_ref ref, kn_state_view *view)
{
    if (world == NULL || view == NULL) {
        KN_ASSERT(world != NULL && view != NULL);
        return false;
    }
    memset(view, 0, sizeof(*view));
    const void *record = record_of(world, ref);
    if (record == NULL) {
        return false;
    }
    view->table = ref.kind == KN_STATE_COMPONENT
                      ? &kni_component_type_at(world->library, ref.of - 1)->record.table
                      : info_of(ref.kind)->table;
    view->record = record;
    view->entity = entity_of(world, ref, record);
    view->type = type_of(world, ref, record, &view->type_kind);
    return true;
}

// Lists ---------------------------------------------------------------------

static uint32_t span_show(const kn_world *world, const kn_def_field *field, const uint8_t *record,
    const void **items, const kn_def_table **table)
{
    kni_span span;
    memcpy(&span, record + field->offset, sizeof(span));
    *items = span.count > 0 ? kni_heap_at(&world->heap, span.ref) : NULL;
    *table = field->table;
    if (field->table == &kni_byte_item_table) {
        const kni_fields *state = kni_bytes_have_state(field->limit)
                                      ? kni_bytes_state(world, (kni_bytes)field->limit, record)
                                      : NULL;
        bool has_fields = state != NULL && state->number1 != 0 && span.count >= state->size;
        *table = has_fields ? &state->table : NULL;
    }
    return span.count;
}

static uint32_t block_show(const kn_world *world, kn_state_ref ref, const kn_def_field *field,
    const uint8_t *record, const void **items, const kn_def_table **table)
{
    kni_ref block = (kni_ref)kni_field_load(record + field->offset, sizeof(block));
    kni_block_sizes blocks = kni_rare_blocks(world, kni_type_at(world, rare_type(world, ref)),
        ((const kni_rare *)(const void *)record)->payload_type);
    if (block == 0) {
        return 0;
    }
    *items = kni_heap_at(&world->heap, block);
    if (field->limit == KNI_BLOCK_STATE && blocks.state->number1 != 0) {
        *table = &blocks.state->table;
    }
    return kni_block_size(&blocks, field->limit);
}

uint32_t kn_state_list(const kn_world *world, kn_state_ref ref, uint32_t field, const void **items,
    const kn_def_table **table)
{
    kn_state_view view;
    if (items == NULL || table == NULL) {
        KN_ASSERT(items != NULL && table != NULL);
        return 0;
    }
    *items = NULL;
    *table = NULL;
    if (!kn_state_get(world, ref, &view) || field >= view.table->field_count) {
        return 0;
    }
    const kn_def_field *which = &view.table->fields[field];
    switch (which->kind) {
    case KN_STATE_FIELD_LIST:
        return span_show(world, which, view.record, items, table);
    case KN_STATE_FIELD_BLOCK:
        return block_show(world, ref, which, view.record, items, table);
    default:
        return 0;
    }
}

uint32_t kn_state_items(
    const kn_world *world, kn_state_ref ref, const void **items, const kn_def_table **table)
{
    if (world == NULL || items == NULL || table == NULL) {
        KN_ASSERT(world != NULL && items != NULL && table != NULL);
        return 0;
    }
    *items = NULL;
    *table = NULL;
    const kni_extension_head *head = ref.kind == KN_STATE_COMPONENT ? head_of(world, ref) : NULL;
    if (head == NULL) {
        return 0;
    }
    *table = &kni_component_type_at(world->library, ref.of - 1)->items.table;
    *items = head->items.count > 0 ? kni_heap_at(&world->heap, head->items.ref) : NULL;
    return head->items.count;
}

uint32_t kn_state_print(const kn_world *world, kn_state_ref ref, char *buffer, uint32_t size)
{
    kni_text text;
    kn_state_view view;
    kni_text_init(&text, buffer, size);
    if (!kn_state_get(world, ref, &view)) {
        return 0;
    }
    kni_text_str(&text, info_of(ref.kind)->name);
    if (view.type != 0) {
        kni_text_char(&text, ' ');
        kni_text_str(&text, view.type_kind == KN_DEF_EFFECT
                                ? kn_effect_type_name(world, (kn_effect_type_id){view.type})
                                : kni_ref_name(world->library, view.type_kind, view.type));
    }
    kni_text_str(&text, ": ");
    for (uint32_t f = 0; f < view.table->field_count; f++) {
        const void *items;
        const kn_def_table *table;
        const kn_def_field *field = &view.table->fields[f];
        kni_text_str(&text, f > 0 ? "; " : "");
        kni_text_str(&text, field->name);
        kni_text_char(&text, ' ');
        if (field->kind == KN_STATE_FIELD_LIST || field->kind == KN_STATE_FIELD_BLOCK) {
            kni_text_char(&text, '[');
            kni_text_u64(&text, kn_state_list(world, ref, f, &items, &table));
            kni_text_char(&text, ']');
        } else {
            kni_text_field(&text, world, field, view.record);
        }
    }
    return text.length;
}

// Walks ---------------------------------------------------------------------

// Whose records are walked.
typedef struct walk {
    const kn_world *world;
    uint32_t entity;    // slot; KNI_NONE for the world
    uint32_t component; // its own; KNI_NONE for none
    const kni_actor *actor;
} walk;

// Slot + 1 of the one after `slot1` in a list; of the first for 0.
static uint32_t list_next1(const kn_world *world, const kni_span *slots, uint32_t slot1)
{
    uint32_t i = 0;
    while (
        slot1 != 0 && i < slots->count && *KNI_SPAN_AT(world, *slots, uint32_t, i) != slot1 - 1) {
        i++;
    }
    i += slot1 != 0;
    return i < slots->count ? *KNI_SPAN_AT(world, *slots, uint32_t, i) + 1 : 0;
}

// Of the effects with a context.
static uint32_t context_next1(const walk *w, uint32_t slot1)
{
    const kni_span *effects = &kni_component_at(w->world, w->component)->effects;
    do {
        slot1 = list_next1(w->world, effects, slot1);
    } while (slot1 != 0 && kni_effect_at(w->world, slot1 - 1)->rare1 == 0);
    return slot1;
}

// An event is shown with the first of its activations.
static bool is_first_with_event(const walk *w, uint32_t activation)
{
    uint32_t payload1 = kni_activation_at(w->world, activation)->payload1;
    const kni_span *list = &w->actor->activations;
    uint32_t first1 = list_next1(w->world, list, 0);
    while (payload1 != 0 && kni_activation_at(w->world, first1 - 1)->payload1 != payload1) {
        first1 = list_next1(w->world, list, first1);
    }
    return payload1 != 0 && first1 == activation + 1;
}

static bool event_next(const walk *w, kn_state_ref *ref, bool is_begun)
{
    uint32_t at1 = is_begun ? ref->of : 0;
    do {
        at1 = list_next1(w->world, &w->actor->activations, at1);
    } while (at1 != 0 && !is_first_with_event(w, at1 - 1));
    ref->of = at1;
    ref->slot = at1 != 0 ? kni_activation_at(w->world, at1 - 1)->payload1 - 1 : 0;
    return at1 != 0;
}

static uint32_t task_next1(const walk *w, uint32_t slot1)
{
    const kni_span *list = &w->actor->activations;
    uint32_t at1 = slot1 != 0 ? kni_task_at(w->world, slot1 - 1)->activation + 1
                              : list_next1(w->world, list, 0);
    while (at1 != 0) {
        slot1 = list_next1(w->world, &kni_activation_at(w->world, at1 - 1)->tasks, slot1);
        if (slot1 != 0) {
            return slot1;
        }
        at1 = list_next1(w->world, list, at1);
    }
    return 0;
}

static bool component_next(const walk *w, kn_state_ref *ref, bool is_begun)
{
    uint32_t types = kni_ref_count(w->world->library, KN_DEF_COMPONENT);
    uint32_t type = is_begun ? ref->of - 1 : 0, next1 = 0;
    if (is_begun) {
        next1 = kni_extension_at(&w->world->extensions[type], ref->slot)->next1;
        type += next1 == 0;
    }
    while (next1 == 0 && type < types) {
        next1 = kni_extension_first1(&w->world->extensions[type], w->entity);
        type += next1 == 0;
    }
    ref->of = type + 1;
    ref->slot = next1 - 1;
    return next1 != 0;
}

static uint32_t pool_next1(const kni_pool *pool, uint32_t slot1)
{
    return kni_pool_next(pool, slot1) + 1;
}

// Those of the world itself.
static uint32_t world_next1(const walk *w, kn_state_kind kind, uint32_t slot1)
{
    switch (kind) {
    case KN_STATE_SPEC:
    case KN_STATE_SPEC_CONTEXT: // every spec has one
        return pool_next1(&w->world->specs, slot1);
    case KN_STATE_COMMAND:
        return pool_next1(&w->world->commands, slot1);
    case KN_STATE_SWITCH:
        return pool_next1(&w->world->switches, slot1);
    default:
        return 0;
    }
}

// Those of an ability component.
static uint32_t own_next1(const walk *w, kn_state_kind kind, uint32_t slot1)
{
    const kni_component *component = kni_component_at(w->world, w->component);
    const kni_actor *actor = w->actor;
    switch (kind) {
    case KN_STATE_LINKS:
        return slot1 == 0 ? w->component + 1 : 0;
    case KN_STATE_ATTRIBUTE:
        return slot1 < w->world->layouts[component->layout].value_count ? slot1 + 1 : 0;
    case KN_STATE_TAG:
        return row_of(w->world, w->component, slot1) != NULL ? slot1 + 1 : 0;
    case KN_STATE_EFFECT:
        return list_next1(w->world, &component->effects, slot1);
    case KN_STATE_CONTEXT:
        return context_next1(w, slot1);
    case KN_STATE_INPUTS:
        return slot1 == 0 ? component->actor1 : 0;
    case KN_STATE_ABILITY:
        return actor != NULL ? list_next1(w->world, &actor->abilities, slot1) : 0;
    case KN_STATE_COOLDOWN:
        return actor != NULL ? list_next1(w->world, &actor->charges, slot1) : 0;
    case KN_STATE_ACTIVATION:
        return actor != NULL ? list_next1(w->world, &actor->activations, slot1) : 0;
    case KN_STATE_TASK:
        return actor != NULL ? task_next1(w, slot1) : 0;
    case KN_STATE_CUE:
        return actor != NULL ? list_next1(w->world, &actor->cues, slot1) : 0;
    default:
        return 0;
    }
}

// The next record of the kind that `ref` has. `is_begun`: after the one it names.
static bool walk_next(const walk *w, kn_state_ref *ref, bool is_begun)
{
    uint32_t slot1 = is_begun ? ref->slot + 1 : 0, entity1 = w->entity + 1;
    switch (ref->kind) {
    case KN_STATE_ENTITY:
        slot1 = is_begun || w->entity == KNI_NONE ? 0 : entity1;
        break;
    case KN_STATE_TIMER:
        slot1 = kni_timer_next1(w->world, entity1, slot1);
        break;
    case KN_STATE_WATCH:
        slot1 = kni_watch_next1(w->world, entity1, slot1);
        break;
    case KN_STATE_BLOCK:
        slot1 = kni_tag_block_next1(w->world, entity1, slot1);
        break;
    case KN_STATE_COMPONENT:
        return component_next(w, ref, is_begun);
    case KN_STATE_EVENT:
        return w->actor != NULL && event_next(w, ref, is_begun);
    default:
        slot1 = w->entity == KNI_NONE      ? world_next1(w, ref->kind, slot1)
                : w->component != KNI_NONE ? own_next1(w, ref->kind, slot1)
                                           : 0;
        break;
    }
    bool is_inside = ref->kind == KN_STATE_ATTRIBUTE || ref->kind == KN_STATE_TAG;
    ref->of = is_inside ? w->component + 1 : 0;
    ref->slot = slot1 - 1;
    return slot1 != 0;
}

bool kn_state_next(const kn_world *world, kn_entity_id entity, kn_state_ref *ref)
{
    if (world == NULL || ref == NULL) {
        KN_ASSERT(world != NULL && ref != NULL);
        return false;
    }
    walk w = {world, KNI_NONE, KNI_NONE, NULL};
    bool is_begun = ref->kind != KN_STATE_NONE;
    bool is_good = !is_begun || record_of(world, *ref) != NULL;
    if (entity.index1 != 0) {
        w.entity = kni_entity_find(world, entity);
        is_good = is_good && w.entity != KNI_NONE;
    }
    if (is_good && w.entity != KNI_NONE) {
        uint32_t component = kni_entity_at(world, w.entity)->component1 - 1;
        if (component != KNI_NONE && kni_component_at(world, component)->entity == w.entity) {
            w.component = component;
            w.actor = kni_actor_of(world, component);
        }
    }
    for (; is_good && (uint32_t)ref->kind < KN_STATE_KIND_COUNT; ref->kind++) {
        if (walk_next(&w, ref, is_begun)) {
            return true;
        }
        is_begun = false;
    }
    *ref = (kn_state_ref){KN_STATE_NONE, 0, 0};
    return false;
}

// Writing -------------------------------------------------------------------

// Fields that ids and lists are made of.
static bool field_is_fixed(const kn_def_field *field)
{
    return kni_kind_of(field->kind)->words == 0 || field->kind == KN_STATE_FIELD_SLOT ||
           field->kind == KN_STATE_FIELD_SLOT1 || strcmp(field->name, "number") == 0 ||
           strcmp(field->name, "generation") == 0;
}

static const char *element_problem(
    const kn_world *world, const kn_def_field *field, const uint8_t *value)
{
    kn_def_kind kind = kni_field_ref_kind(field);
    if (kind != KN_DEF_KIND_COUNT) {
        uint32_t index1 = kni_element_index1(field, value);
        uint32_t count =
            kind == KN_DEF_EFFECT ? world->type_count : kni_ref_count(world->library, kind);
        bool may_be_null = field->kind != KN_STATE_FIELD_REF16 &&
                           kni_kind_of(field->kind)->number != KNI_NUMBER_INDEX;
        return index1 > count || (index1 == 0 && !may_be_null) ? "a reference points to nothing"
                                                               : NULL;
    }
    if (field->kind == KN_FIELD_ENUM && kni_field_load(value, 4) >= field->limit) {
        return "a number has no word";
    }
    return kni_element_problem(field, value);
}

static void element_store(const kn_def_field *field, uint8_t *at, const uint8_t *value)
{
    if (field->kind == KN_STATE_FIELD_FLAGS16) {
        uint64_t kept = kni_field_load(at, 2) & ~(uint64_t)field->limit;
        kni_field_store(at, 2, kept | (kni_field_load(value, 2) & field->limit));
        return;
    }
    memcpy(at, value, kni_field_size(field));
}

kn_result kn_state_set(kn_world *world, kn_state_ref ref, uint32_t field, uint32_t element,
    const void *value, kn_error *error)
{
    kn_state_view view;
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (world == NULL || value == NULL) {
        KN_ASSERT(world != NULL && value != NULL);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "the world or the value is missing");
    }
    if (!kn_state_get(world, ref, &view)) {
        return kni_error(error, KN_REFUSED_STALE_ID, "there is no such record");
    }
    const kn_def_field *which = field < view.table->field_count ? &view.table->fields[field] : NULL;
    if (which == NULL || element >= which->count || field_is_fixed(which)) {
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "field %s cannot be written",
            which != NULL ? which->name : "?");
    }
    const char *problem = element_problem(world, which, value);
    if (problem != NULL) {
        return kni_error(error, KN_ERROR_BAD_DATA, "field %s: %s", which->name, problem);
    }
    kni_edit edit;
    kn_result result = kni_edit_begin(&edit, world, error);
    if (result != KN_OK) {
        return result;
    }
    uint8_t *record = record_of(world, ref);
    element_store(which, record + which->offset + kni_field_size(which) * element, value);
    kni_load load = {.world = world, .version = KN_SAVE_VERSION, .is_direct = true, .error = error};
    return kni_edit_end(&edit, &load);
}
