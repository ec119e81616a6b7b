// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Changes of records under a world's feet: everything that is derived is thrown away first and
// rebuilt at the end, as after loading a save. In between, records may be removed and added without
// regard to lists, timers and counts. A snapshot from before undoes it all when something is wrong.

#include "store/store.h"

// Throwing away what is derived ---------------------------------------------

static void slots_clear(kn_world *world, kni_span *span)
{
    kni_span_clear(&world->heap, span, sizeof(uint32_t));
}

static void aggregators_strip(kn_world *world)
{
    KNI_POOL_EACH(i, &world->aggregators) {
        kni_aggregator *aggregator = kni_aggregator_at(world, i);
        kni_span_clear(&world->heap, &aggregator->mods, sizeof(kni_mod));
        kni_span_clear(&world->heap, &aggregator->dependents, sizeof(kni_dependent));
        kni_span_clear(&world->heap, &aggregator->sums, sizeof(kni_sums));
    }
    kni_pool_clear(&world->aggregators);
}

// Keeps only the counts of tags that are saved.
static void origins_strip(kn_world *world, kni_component *component)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < component->origins.count; i++) {
        const kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        if (kni_save_has_origin(row->origin)) {
            *KNI_SPAN_AT(world, component->origins, kni_origin_row, kept) = *row;
            kept++;
        }
    }
    component->origins.count = kept;
}

static void component_strip(kn_world *world, uint32_t slot)
{
    kni_component *component = kni_component_at(world, slot);
    slots_clear(world, &component->effects);
    slots_clear(world, &component->dependents);
    slots_clear(world, &component->owned);
    kni_span_clear(&world->heap, &component->tags, sizeof(kni_tag_row));
    kni_span_clear(&world->heap, &component->blocked, sizeof(kni_tag_row));
    kni_span_clear(&world->heap, &component->transients, sizeof(kni_value_link));
    origins_strip(world, component);
    component->gate_count = 0;
    component->watch_count = 0;
    component->owned_count = 0;
    component->edit_count = 0;
    component->child1 = 0;
    component->sibling1 = 0;
    component->sibling_back1 = 0;
    uint32_t count = world->layouts[component->layout].value_count;
    for (uint32_t i = 0; i < count; i++) {
        kni_values_of(world, component)[i].aggregator1 = 0;
    }
}

static void actor_strip(kn_world *world, kni_actor *actor)
{
    slots_clear(world, &actor->abilities);
    slots_clear(world, &actor->activations);
    slots_clear(world, &actor->charges);
    slots_clear(world, &actor->cues);
    kni_span_clear(&world->heap, &actor->watchers, sizeof(kni_watcher));
    actor->watch_mask = 0;
    actor->rate_count = 0;
}

static void world_strip(kn_world *world)
{
    aggregators_strip(world);
    KNI_POOL_EACH(i, &world->components) {
        component_strip(world, i);
    }
    KNI_POOL_EACH(i, &world->actors) {
        actor_strip(world, kni_actor_at(world, i));
    }
    KNI_POOL_EACH(i, &world->activations) {
        slots_clear(world, &kni_activation_at(world, i)->tasks);
        slots_clear(world, &kni_activation_at(world, i)->cues);
    }
    slots_clear(world, &world->targeting_tasks);
    slots_clear(world, &world->priced);
    world->unstarted_tasks = 0;
}

// Beginning and ending ------------------------------------------------------

kn_result kni_edit_begin(kni_edit *edit, kn_world *world, kn_error *error)
{
    *edit = (kni_edit){.world = world};
    kn_result result = kni_load_allowed(world, error);
    if (result != KN_OK) {
        return result;
    }
    if (world->is_broken) {
        return kni_error(error, KN_ERROR_WORLD_BROKEN, "the world is broken");
    }
    edit->size = kn_snapshot_size(world);
    edit->undo = kni_realloc(&world->memory, NULL, 0, edit->size);
    if (edit->undo == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory: cannot change the world");
    }
    result = kn_snapshot_take(world, edit->undo, edit->size, NULL);
    KN_ASSERT(result == KN_OK);
    edit->wanted = world->wanted;
    edit->published = world->published;
    edit->logged = world->log.told;
    world->wanted = 0; // nothing is published
    world_strip(world);
    return result;
}

// Takes the counts of tags that are saved out of a component. What its children count stays.
static bool rows_take(kn_world *world, uint32_t slot, kni_span *rows)
{
    const uint32_t size = sizeof(kni_origin_row);
    uint32_t count = kni_component_at(world, slot)->origins.count;
    if (count == 0) {
        return true;
    }
    if (!kni_span_reserve(&world->heap, &world->memory, rows, count, size)) {
        return false;
    }
    kni_component *component = kni_component_at(world, slot);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        kni_origin_row row = *KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        bool is_saved = kni_save_has_origin(row.origin);
        *(is_saved ? KNI_SPAN_AT(world, *rows, kni_origin_row, rows->count)
                   : KNI_SPAN_AT(world, component->origins, kni_origin_row, kept)) = row;
        rows->count += is_saved;
        kept += !is_saved;
    }
    component->origins.count = kept;
    return true;
}

// Tags that effects do not grant, counted as the API would.
static bool tags_restore(kni_load *r)
{
    kn_world *world = r->world;
    memset(
        world->tag_bits, 0, (size_t)world->components.used * world->tag_words * sizeof(uint64_t));
    KNI_POOL_EACH(i, &world->components) {
        kni_span rows = {0};
        bool ok = rows_take(world, i, &rows) || kni_load_no_memory(r);
        for (uint32_t j = 0; j < rows.count && ok; j++) {
            kni_origin_row row = *KNI_SPAN_AT(world, rows, kni_origin_row, j);
            ok = kni_load_tag(r, i, &row);
        }
        kni_span_clear(&world->heap, &rows, sizeof(kni_origin_row));
        if (!ok) {
            return false;
        }
    }
    return true;
}

void kni_events_forget_unused(kn_world *world)
{
    KNI_POOL_EACH(i, &world->payloads) {
        kni_payload_at(world, i)->references = 0;
    }
    KNI_POOL_EACH(i, &world->activations) {
        const kni_activation *activation = kni_activation_at(world, i);
        if (activation->payload1 != 0) {
            kni_payload_at(world, activation->payload1 - 1)->references++;
        }
    }
    KNI_POOL_EACH(i, &world->payloads) {
        if (kni_payload_at(world, i)->references == 0) {
            kni_forget(world, KNI_POOL_PAYLOADS, i);
        }
    }
}

// What abilities and events count of their activations; events that nobody needs any more go.
static void counts_restore(kn_world *world)
{
    KNI_POOL_EACH(i, &world->abilities) {
        kni_ability_at(world, i)->active_count = 0;
    }
    KNI_POOL_EACH(i, &world->activations) {
        kni_ability_at(world, kni_activation_at(world, i)->ability)->active_count++;
    }
    kni_events_forget_unused(world);
}

// Activations name abilities and events by slots, and tasks their activations; whoever counts them
// relies on that.
static bool slots_accept(kni_load *r)
{
    const kn_world *world = r->world;
    KNI_POOL_EACH(i, &world->activations) {
        const kni_activation *activation = kni_activation_at(world, i);
        if (!kni_pool_is_live(&world->abilities, activation->ability) ||
            (activation->payload1 != 0 &&
                !kni_pool_is_live(&world->payloads, activation->payload1 - 1))) {
            return kni_load_fail(r, "an activation has an invalid number or ability");
        }
    }
    return true;
}

static bool effects_accept(kni_load *r)
{
    KNI_POOL_EACH(i, &r->world->effects) {
        if (!kni_load_accept(r, kni_effect_problem(r->world, i, true))) {
            return false;
        }
    }
    KNI_POOL_EACH(i, &r->world->specs) {
        if (!kni_load_accept(r, kni_spec_problem(r->world, i, true))) {
            return false;
        }
    }
    KNI_POOL_EACH(i, &r->world->timers) {
        if (!kni_load_accept(r, kni_rule_timer_problem(r->world, i, true))) {
            return false;
        }
    }
    return true;
}

static bool all_restore(kni_load *r)
{
    kn_world *world = r->world;
    if (!kni_tag_bits_reserve(world)) {
        return kni_load_no_memory(r);
    }
    // Until now they led from entities to their records; now all are bound again.
    KNI_POOL_EACH(i, &world->entities) {
        kni_entity_at(world, i)->component1 = 0;
    }
    KNI_POOL_EACH(i, &world->components) {
        kni_component_at(world, i)->actor1 = 0;
    }
    if (!kni_load_links(r) || !effects_accept(r) || !tags_restore(r) || !slots_accept(r)) {
        return false;
    }
    counts_restore(world);
    kni_watches_clear(world);
    kni_tag_blocks_clear(world);
    return kni_load_actors_accept(r) && kni_load_derived(r);
}

kn_result kni_edit_end(kni_edit *edit, kni_load *r)
{
    kn_world *world = edit->world;
    uint64_t work = world->work_done;
    bool ok = r->result == KN_OK && all_restore(r);
    if (!ok) {
        kn_result result = kn_snapshot_restore(world, edit->undo, edit->size);
        KN_ASSERT(result == KN_OK); // there was room for it before
        (void)result;
        world->published.count = edit->published.count;
        world->published.cause_count = edit->published.cause_count;
        world->published.cue_count = edit->published.cue_count;
        world->published.byte_count = edit->published.byte_count;
        world->published.note_last1 = edit->published.note_last1;
        world->log.told = edit->logged;
    } else {
        kni_extensions_replaced(world, world);
        kni_marks_all(world);
        kni_touch_stop(world);
        KNI_POOL_EACH(i, &world->actors) {
            world->heard |= kni_actor_at(world, i)->watch_mask;
        }
    }
    world->wanted = edit->wanted;
    world->work_done = work;
    world->reaction_first = 0;
    world->reaction_count = 0;
    kni_records_reset(world);
    kni_free(&world->memory, edit->undo, edit->size);
    kni_heap_settle(&world->heap, &world->memory);
    kni_validate_call(world);
    return r->result;
}

// Forgetting records --------------------------------------------------------

// Frees what a record's lists and blocks hold.
static void record_clear(
    kn_world *world, const kn_def_table *table, void *record, const kni_block_sizes *blocks)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        uint8_t *at = (uint8_t *)record + field->offset;
        if (field->kind == KN_STATE_FIELD_LIST) {
            kni_span span;
            memcpy(&span, at, sizeof(span));
            kni_span_clear(&world->heap, &span, field->table->size);
            memcpy(at, &span, sizeof(span));
        } else if (field->kind == KN_STATE_FIELD_BLOCK) {
            kni_ref ref = (kni_ref)kni_field_load(at, sizeof(ref));
            kni_heap_release(&world->heap, ref, kni_block_size(blocks, field->limit));
            memset(at, 0, sizeof(ref));
        }
    }
}

static void rare_forget(kn_world *world, uint32_t rare1, uint32_t type)
{
    if (rare1 == 0) {
        return;
    }
    kni_rare *rare = kni_rare_at(world, rare1);
    kni_block_sizes blocks = kni_rare_blocks(world, kni_type_at(world, type), rare->payload_type);
    record_clear(world, &kni_rare_table, rare, &blocks);
    kni_pool_release(&world->rares, rare1 - 1);
}

static void activation_forget_rest(kn_world *world, uint32_t slot)
{
    KNI_POOL_EACH(i, &world->tasks) {
        if (kni_task_at(world, i)->activation == slot) {
            kni_forget(world, KNI_POOL_TASKS, i);
        }
    }
}

static void ability_forget_rest(kn_world *world, uint32_t slot)
{
    KNI_POOL_EACH(i, &world->activations) {
        if (kni_activation_at(world, i)->ability == slot) {
            kni_forget(world, KNI_POOL_ACTIVATIONS, i);
        }
    }
    KNI_POOL_EACH(i, &world->charges) {
        if (kni_charge_at(world, i)->ability1 == slot + 1) {
            kni_forget(world, KNI_POOL_CHARGES, i);
        }
    }
}

static bool id_is_slot(kn_entity_id id, uint32_t slot)
{
    return id.index1 == slot + 1;
}

// Everything that is on a component.
static void component_forget_rest(kn_world *world, uint32_t slot)
{
    kni_component *component = kni_component_at(world, slot);
    kni_part_forget(world, KN_PART_EFFECTS, slot, KNI_NONE);
    kni_part_forget(world, KN_PART_ABILITIES, slot, KNI_NONE);
    kni_part_forget(world, KN_PART_CUES, slot, KNI_NONE);
    KNI_POOL_EACH(i, &world->actors) {
        if (kni_actor_at(world, i)->component == slot) {
            kni_pool_release(&world->actors, i);
        }
    }
    uint32_t count = world->layouts[component->layout].value_count;
    kni_heap_release(&world->heap, component->values, count * sizeof(kni_value));
    kni_span_clear(&world->heap, &component->origins, sizeof(kni_origin_row));
}

// Others that point at it are out of date.
static void entity_forget_links(kn_world *world, uint32_t slot)
{
    KNI_POOL_EACH(i, &world->components) {
        kni_component *component = kni_component_at(world, i);
        if (id_is_slot(component->avatar, slot)) {
            component->avatar = (kn_entity_id){component->entity + 1, component->generation};
        }
        if (id_is_slot(component->parent, slot)) {
            component->parent = (kn_entity_id){0};
        }
    }
    KNI_POOL_EACH(i, &world->watches) {
        if (id_is_slot(((const kni_watch *)kni_pool_at(&world->watches, i))->owner, slot)) {
            kni_forget(world, KNI_POOL_WATCHES, i);
        }
    }
    KNI_POOL_EACH(i, &world->tag_blocks) {
        if (id_is_slot(kni_tag_block_at(world, i)->source, slot)) {
            kni_forget(world, KNI_POOL_TAG_BLOCKS, i);
        }
    }
}

static void entity_forget_rest(kn_world *world, uint32_t slot)
{
    KNI_POOL_EACH(i, &world->components) {
        if (kni_component_at(world, i)->entity == slot) {
            kni_forget(world, KNI_POOL_COMPONENTS, i);
        }
    }
    kni_part_forget(world, KN_PART_TIMERS, KNI_NONE, slot);
    kni_part_forget(world, KN_PART_WATCHES, KNI_NONE, slot);
    for (uint32_t type = 0; type < world->library->registries[KN_DEF_COMPONENT].count; type++) {
        uint32_t slot1;
        while ((slot1 = kni_extension_first1(&world->extensions[type], slot)) != 0) {
            kni_extension_release(world, type, slot1 - 1);
        }
    }
    entity_forget_links(world, slot);
}

// The record itself, without what belongs to it.
static void record_release(kn_world *world, uint32_t pool, uint32_t slot)
{
    void *record = kni_pool_at(kni_world_pool(world, pool), slot);
    if (pool == KNI_POOL_EFFECTS) {
        rare_forget(world, ((kni_effect *)record)->rare1, ((kni_effect *)record)->type);
    } else if (pool == KNI_POOL_SPECS) {
        rare_forget(world, ((kni_spec *)record)->rare1, ((kni_spec *)record)->type);
    }
    const kn_def_table *table = kni_pools[pool].table;
    if (table != NULL) {
        record_clear(world, table, record, NULL);
    }
    kni_pool_release(kni_world_pool(world, pool), slot);
}

void kni_forget(kn_world *world, uint32_t pool, uint32_t slot)
{
    switch (pool) {
    case KNI_POOL_ENTITIES:
        entity_forget_rest(world, slot);
        break;
    case KNI_POOL_COMPONENTS:
        component_forget_rest(world, slot);
        break;
    case KNI_POOL_ABILITIES:
        ability_forget_rest(world, slot);
        break;
    case KNI_POOL_ACTIVATIONS:
        activation_forget_rest(world, slot);
        break;
    default:
        break;
    }
    record_release(world, pool, slot);
}

// Which component or entity a record belongs to; KNI_NONE where that does not apply.
static uint32_t record_component(uint32_t pool, const void *record)
{
    switch (pool) {
    case KNI_POOL_EFFECTS:
        return ((const kni_effect *)record)->component;
    case KNI_POOL_ABILITIES:
        return ((const kni_ability *)record)->component;
    case KNI_POOL_CHARGES:
        return ((const kni_charge *)record)->component;
    case KNI_POOL_CUES:
        return ((const kni_cue *)record)->component;
    default:
        return KNI_NONE;
    }
}

static bool record_is_of(
    const kn_world *world, uint32_t pool, const void *record, uint32_t component, uint32_t entity)
{
    switch (pool) {
    case KNI_POOL_TAG_BLOCKS:
        return component != KNI_NONE && id_is_slot(((const kni_tag_block *)record)->entity,
                                            kni_component_at(world, component)->entity);
    case KNI_POOL_TIMERS:
        return id_is_slot(((const kni_rule_timer *)record)->entity, entity);
    case KNI_POOL_WATCHES:
        return id_is_slot(((const kni_watch *)record)->entity, entity);
    default:
        return component != KNI_NONE && record_component(pool, record) == component;
    }
}

// The pools of the records of a part; 0 for none.
static const uint8_t part_pools[KN_PART_COUNT][3] = {
    [KN_PART_EFFECTS] = {KNI_POOL_EFFECTS, 0},
    [KN_PART_ABILITIES] = {KNI_POOL_ABILITIES, KNI_POOL_CHARGES, KNI_POOL_TAG_BLOCKS},
    [KN_PART_CUES] = {KNI_POOL_CUES, 0},
    [KN_PART_TIMERS] = {KNI_POOL_TIMERS, 0},
    [KN_PART_WATCHES] = {KNI_POOL_WATCHES, 0},
};

void kni_part_forget(kn_world *world, kn_part part, uint32_t component, uint32_t entity)
{
    for (uint32_t p = 0; p < 3 && part_pools[part][p] != 0; p++) {
        uint32_t index = part_pools[part][p];
        KNI_POOL_EACH(i, kni_world_pool(world, index)) {
            if (record_is_of(world, index, kni_pool_at(kni_world_pool(world, index), i), component,
                    entity)) {
                kni_forget(world, index, i);
            }
        }
    }
}

// The index of the entity that a record is on; 0: the world itself.
static uint32_t record_entity1(const kn_world *world, uint32_t pool, const void *record)
{
    uint32_t component = KNI_NONE;
    switch (pool) {
    case KNI_POOL_TIMERS:
        return ((const kni_rule_timer *)record)->entity.index1;
    case KNI_POOL_WATCHES:
        return ((const kni_watch *)record)->entity.index1;
    case KNI_POOL_TAG_BLOCKS:
        return ((const kni_tag_block *)record)->entity.index1;
    case KNI_POOL_TASKS: {
        uint32_t activation = ((const kni_task *)record)->activation;
        component = kni_ability_at(world, kni_activation_at(world, activation)->ability)->component;
        break;
    }
    case KNI_POOL_ACTIVATIONS:
        component = kni_ability_at(world, ((const kni_activation *)record)->ability)->component;
        break;
    default:
        component = record_component(pool, record);
        break;
    }
    return kni_component_at(world, component)->entity + 1;
}

void kni_parts_forget(kn_world *world, const uint32_t *parts, uint32_t count)
{
    // What belongs to others comes before them.
    static const struct {
        uint8_t pool, part;
    } kinds[] = {{KNI_POOL_EFFECTS, KN_PART_EFFECTS}, {KNI_POOL_TASKS, KN_PART_ABILITIES},
        {KNI_POOL_ACTIVATIONS, KN_PART_ABILITIES}, {KNI_POOL_CHARGES, KN_PART_ABILITIES},
        {KNI_POOL_ABILITIES, KN_PART_ABILITIES}, {KNI_POOL_TAG_BLOCKS, KN_PART_ABILITIES},
        {KNI_POOL_CUES, KN_PART_CUES}, {KNI_POOL_TIMERS, KN_PART_TIMERS},
        {KNI_POOL_WATCHES, KN_PART_WATCHES}};
    for (uint32_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        const kni_pool *pool = kni_world_pool(world, kinds[k].pool);
        KNI_POOL_EACH(i, pool) {
            uint32_t entity1 = record_entity1(world, kinds[k].pool, kni_pool_at(pool, i));
            if (entity1 < count && (parts[entity1] >> kinds[k].part & 1) != 0) {
                record_release(world, kinds[k].pool, i);
            }
        }
    }
}

bool kni_part_is_empty(const kn_world *world, kn_part part, uint32_t component, uint32_t entity)
{
    const kni_component *c = component != KNI_NONE ? kni_component_at(world, component) : NULL;
    const kni_actor *actor =
        c != NULL && c->actor1 != 0 ? kni_actor_at(world, c->actor1 - 1) : NULL;
    switch (part) {
    case KN_PART_EFFECTS:
        return c == NULL || c->effects.count == 0;
    case KN_PART_ABILITIES:
        return (actor == NULL || (actor->abilities.count == 0 && actor->charges.count == 0)) &&
               (c == NULL || kni_tag_block_first1(world, component) == 0);
    case KN_PART_CUES:
        return actor == NULL || actor->cues.count == 0;
    case KN_PART_TIMERS:
        return kni_timer_next1(world, entity + 1, 0) == 0;
    case KN_PART_WATCHES:
        return kni_watch_next1(world, entity + 1, 0) == 0;
    default:
        return true;
    }
}
