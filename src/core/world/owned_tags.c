// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tags of entities. A component has a sorted list of rows: the count of the tag itself, and the
// count of it and everything below it. One bit per tag answers "has" at once. Counts that do not
// come from effects are also kept by origin, so that no origin can remove what another added.

#include "world/world.h"

#define ROWS_FEW 8

// Index of the first row at or above `tag`. Bisects a long list, then searches from the end.
static uint32_t row_lower_bound(const kni_tag_row *rows, uint32_t count, uint32_t tag)
{
    uint32_t low = 0;
    while (count - low > ROWS_FEW) {
        uint32_t middle = low + (count - low) / 2;
        if (rows[middle].tag < tag) {
            low = middle + 1;
        } else {
            count = middle;
        }
    }
    while (count > low && rows[count - 1].tag >= tag) {
        count--;
    }
    return count;
}

static const kni_tag_row *row_find(const kn_world *world, const kni_span *span, uint32_t tag)
{
    const kni_tag_row *rows = kni_span_at(&world->heap, span, 0, sizeof(kni_tag_row));
    uint32_t index = row_lower_bound(rows, span->count, tag);
    return index < span->count && rows[index].tag == tag ? &rows[index] : NULL;
}

// Inserts a row; NULL when out of memory.
static kni_tag_row *row_insert(kn_world *world, kni_span *span, uint32_t index, uint32_t tag)
{
    kni_tag_row *row =
        kni_span_insert(&world->heap, &world->memory, span, index, sizeof(kni_tag_row));
    if (row == NULL) {
        kni_break(world);
        return NULL;
    }
    *row = (kni_tag_row){(uint16_t)tag, 0, 0};
    return row;
}

uint32_t kni_row_count_large(const kn_world *world, uint32_t component, const kni_tag_row *row)
{
    const kni_span *span = &kni_component_at(world, component)->tags;
    uint32_t count = row->total;
    for (uint32_t i = 0; i < span->count; i++) {
        const kni_tag_row *below = KNI_SPAN_AT(world, *span, kni_tag_row, i);
        uint32_t depth;
        const uint16_t *chain = kni_tag_chain(&world->library->tags, below->tag, &depth);
        count -= depth > 1 && chain[1] == row->tag ? below->total : 0;
    }
    return count;
}

// Origins -------------------------------------------------------------------

static uint32_t origin_lower_bound(
    const kn_world *world, const kni_component *component, uint32_t tag, uint32_t origin)
{
    uint32_t index = 0;
    while (index < component->origins.count) {
        const kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, index);
        if (row->tag > tag || (row->tag == tag && row->origin >= origin)) {
            break;
        }
        index++;
    }
    return index;
}

static kni_origin_row *origin_find(
    const kn_world *world, const kni_component *component, uint32_t tag, uint32_t origin)
{
    uint32_t index = origin_lower_bound(world, component, tag, origin);
    if (index >= component->origins.count) {
        return NULL;
    }
    kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, index);
    return row->tag == tag && row->origin == origin ? row : NULL;
}

static void origin_change(
    kn_world *world, kni_component *component, uint32_t tag, uint32_t origin, int32_t change)
{
    uint32_t index = origin_lower_bound(world, component, tag, origin);
    kni_origin_row *row = origin_find(world, component, tag, origin);
    if (row == NULL) {
        row =
            kni_span_insert(&world->heap, &world->memory, &component->origins, index, sizeof(*row));
        if (row == NULL) {
            kni_break(world);
            return;
        }
        *row = (kni_origin_row){(uint16_t)tag, (uint8_t)origin, 0, 0};
    }
    row->count += (uint32_t)change;
    if (row->count == 0) {
        kni_span_remove(&world->heap, &component->origins, index, sizeof(*row));
    }
}

// Edits ---------------------------------------------------------------------

void kni_tag_edit_apply(const kn_library *library, const kn_tag_edit *edit, uint64_t *shown)
{
    uint64_t bit = UINT64_C(1) << (edit->tag.index1 & 63);
    if (edit->kind == KN_TAG_EDIT_ADD) {
        shown[edit->tag.index1 >> 6] |= bit;
        return;
    }
    bool found = false;
    for (uint32_t tag = 1; tag <= kn_tag_count(library); tag++) {
        uint64_t other = UINT64_C(1) << (tag & 63);
        kn_tag own = {tag};
        if ((shown[tag >> 6] & other) != 0 && kn_tag_matches(library, own, edit->tag)) {
            shown[tag >> 6] &= ~other;
            found = true;
        }
    }
    if (found && edit->kind == KN_TAG_EDIT_REPLACE) {
        shown[edit->with.index1 >> 6] |= UINT64_C(1) << (edit->with.index1 & 63);
    }
}

void kni_tags_owned(const kn_world *world, uint32_t slot, uint64_t *owned)
{
    const kni_component *component = kni_component_at(world, slot);
    memset(owned, 0, world->tag_words * sizeof(uint64_t));
    for (uint32_t i = 0; i < component->tags.count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->tags, kni_tag_row, i);
        if (row->count > 0) {
            owned[row->tag >> 6] |= UINT64_C(1) << (row->tag & 63);
        }
    }
}

void kni_tags_shown(const kn_world *world, uint32_t slot, uint64_t *shown, uint64_t *with_parents)
{
    const kni_component *component = kni_component_at(world, slot);
    kni_tags_owned(world, slot, shown);
    memset(with_parents, 0, world->tag_words * sizeof(uint64_t));
    for (uint32_t i = 0; i < component->effects.count && component->edit_count > 0; i++) {
        const kni_effect *effect =
            kni_effect_at(world, *KNI_SPAN_AT(world, component->effects, uint32_t, i));
        const kn_effect_def *def = &kni_type_at(world, effect->type)->def;
        bool acts = (effect->flags & KNI_ACTIVE_ATTACHED) != 0;
        for (uint32_t e = 0; acts && e < def->tag_edit_count; e++) {
            kni_tag_edit_apply(world->library, &def->tag_edits[e], shown);
        }
    }
    for (uint32_t tag = 1; tag <= kn_tag_count(world->library); tag++) {
        if ((shown[tag >> 6] >> (tag & 63) & 1) == 0) {
            continue;
        }
        uint32_t depth;
        const uint16_t *chain = kni_tag_chain(&world->library->tags, tag, &depth);
        for (uint32_t i = 0; i < depth; i++) {
            with_parents[chain[i] >> 6] |= UINT64_C(1) << (chain[i] & 63);
        }
    }
}

bool kni_shows_tag_exact(const kn_world *world, uint32_t slot, uint32_t tag)
{
    if (kni_component_at(world, slot)->edit_count == 0) {
        return kni_tag_count_exact(world, slot, tag) > 0;
    }
    uint64_t *shown = world->tag_scratch;
    kni_tags_shown(world, slot, shown, shown + world->tag_words);
    return (shown[tag >> 6] >> (tag & 63) & 1) != 0;
}

static void tag_tell(
    kn_world *world, uint32_t slot, uint32_t tag, uint32_t old_total, uint32_t total);

void kni_tags_show(kn_world *world, uint32_t slot)
{
    uint64_t *shown = world->tag_scratch;
    uint64_t *now = shown + world->tag_words;
    uint64_t *before = now + world->tag_words;
    uint64_t *bits = world->tag_bits + (size_t)slot * world->tag_words;
    size_t size = world->tag_words * sizeof(uint64_t);
    kni_tags_shown(world, slot, shown, now);
    memcpy(before, bits, size);
    memcpy(bits, now, size);
    // All bits are updated before the first event; publishing only queues, so the scratch stays
    // valid.
    for (uint32_t tag = 1; tag <= kn_tag_count(world->library); tag++) {
        uint32_t was = (uint32_t)(before[tag >> 6] >> (tag & 63) & 1);
        uint32_t is = (uint32_t)(now[tag >> 6] >> (tag & 63) & 1);
        if (was != is) {
            tag_tell(world, slot, tag, was, is);
        }
    }
}

// Changes -------------------------------------------------------------------

// Queues a check of every effect whose conditions read the tag.
static void tag_wake(kn_world *world, uint32_t slot, uint32_t tag)
{
    const kni_component *component = kni_component_at(world, slot);
    const kni_span *lists[2] = {&component->effects, &component->dependents};
    for (uint32_t l = 0; l < 2; l++) {
        if (l == 0 && component->watch_count == 0) {
            continue;
        }
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            uint32_t effect = *KNI_SPAN_AT(world, *lists[l], uint32_t, i);
            const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, effect)->type);
            if ((type->watch[tag / 64] >> (tag % 64) & 1) != 0) {
                kni_effect_queue_recheck(world, effect);
            }
        }
    }
    uint32_t owner = kni_component_find(world, component->owner);
    if (owner != KNI_NONE && kni_component_at(world, owner)->owned_count > 0) {
        // The entities that an effect acts on may depend on the tag.
        const kni_component *from = kni_component_at(world, owner);
        for (uint32_t i = 0; i < from->effects.count; i++) {
            uint32_t effect = *KNI_SPAN_AT(world, from->effects, uint32_t, i);
            const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, effect)->type);
            if ((type->flags & KNI_EFFECT_OWNED) != 0 &&
                ((type->flags & KNI_EFFECT_CONTINUOUS) != 0 ||
                    !kn_tag_requirement_is_empty(&type->def.owned))) {
                kni_effect_queue_recheck(world, effect);
            }
        }
    }
}

KNI_SLOW static void tag_react(
    kn_world *world, uint32_t slot, uint32_t tag, uint32_t old_total, uint32_t total)
{
    kn_trigger trigger = total > 0 ? KN_TRIGGER_TAG_ADDED : KN_TRIGGER_TAG_REMOVED;
    if (kni_is_heard(world, slot, trigger)) {
        kn_reaction reaction = {.trigger = trigger,
            .entity = kni_component_entity(world, slot),
            .tag = {tag},
            .old_count = old_total,
            .new_count = total};
        kni_react_all(world, slot, &reaction);
    }
}

static void tag_publish(kn_world *world, kn_event_type type, const kni_component *component,
    uint32_t tag, uint32_t old_total, uint32_t total)
{
    kn_entity_id entity = {component->entity + 1, component->generation};
    kn_event *event = kni_emit(world, type, entity);
    event->data.tag.tag.index1 = tag;
    event->data.tag.count = total;
    event->data.tag.old_count = old_total;
}

static void tag_tell(
    kn_world *world, uint32_t slot, uint32_t tag, uint32_t old_total, uint32_t total)
{
    kni_component *component = kni_component_at(world, slot);
    if (kni_wants(world, KN_EVENT_TAG_COUNT)) {
        tag_publish(world, KN_EVENT_TAG_COUNT, component, tag, old_total, total);
    }
    if ((old_total == 0) == (total == 0)) {
        return;
    }
    if (kni_wants(world, KN_EVENT_TAG_CHANGED)) {
        tag_publish(world, KN_EVENT_TAG_CHANGED, component, tag, old_total, total);
    }
    if (component->watch_count > 0 || component->dependents.count > 0 ||
        component->owner.index1 != 0) {
        tag_wake(world, slot, tag);
    }
    kni_touch_component(world, component);
    if ((world->heard & (1u << KN_TRIGGER_TAG_ADDED | 1u << KN_TRIGGER_TAG_REMOVED)) != 0) {
        tag_react(world, slot, tag, old_total, total);
    }
}

bool kni_tag_can_change(const kn_world *world, uint32_t component, uint32_t tag, int32_t change)
{
    int64_t count = (int64_t)kni_tag_count_exact(world, component, tag) + change;
    return count >= 0 && (change <= 0 || count <= UINT16_MAX);
}

// The row's total was changed already.
static void row_count_change(kn_world *world, uint32_t slot, kni_tag_row *row, int32_t change)
{
    uint32_t count = row->count + (uint32_t)change;
    if (row->count == KNI_TAG_COUNT_MAX) {
        count = kni_row_count_large(world, slot, row);
    }
    row->count = (uint16_t)(count < KNI_TAG_COUNT_MAX ? count : KNI_TAG_COUNT_MAX);
}

// False if the origin has not added that much: after a reload an ability may own other tags.
static bool tag_change(
    kn_world *world, uint32_t slot, uint32_t tag, kn_tag_origin origin, int32_t change)
{
    uint32_t depth;
    const uint16_t *chain = kni_tag_chain(&world->library->tags, tag, &depth);
    kni_component *component = kni_component_at(world, slot);
    uint64_t *bits = world->tag_bits + (size_t)slot * world->tag_words;
    uint32_t old_totals[KN_TAG_DEPTH_MAX];
    if (origin != KN_TAG_ORIGIN_EFFECT && change < 0) {
        const kni_origin_row *has = origin_find(world, component, tag, origin);
        if (has == NULL || has->count < (uint32_t)-change) {
            return false;
        }
    }

    // All counts are updated first, so that everything that is notified sees consistent counts.
    // Ancestors have lower numbers, so their rows are before this one, and they count what is below
    // them: if one is gained or lost, so are those below it.
    bool is_edited = component->edit_count > 0;
    kni_tag_row *rows = KNI_SPAN_AT(world, component->tags, kni_tag_row, 0);
    uint32_t end = component->tags.count, gained = 0;
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t at = chain[i];
        uint32_t index = row_lower_bound(rows, end, at);
        if (index == component->tags.count || rows[index].tag != at) {
            if (row_insert(world, &component->tags, index, at) == NULL) {
                return false;
            }
            rows = KNI_SPAN_AT(world, component->tags, kni_tag_row, 0);
        }
        kni_tag_row *row = &rows[index];
        end = index;
        uint32_t old_total = row->total, total = old_total + (uint32_t)change;
        old_totals[i] = old_total;
        row->total = total;
        if (i == 0) {
            row_count_change(world, slot, row, change);
        }
        if (old_total != 0 && total != 0) {
            continue;
        }
        gained = i + 1;
        uint64_t bit = is_edited ? 0 : UINT64_C(1) << (at & 63);
        if (total == 0) {
            bits[at >> 6] &= ~bit;
            kni_span_remove(&world->heap, &component->tags, index, sizeof(*row));
        } else {
            bits[at >> 6] |= bit;
        }
    }
    if (origin != KN_TAG_ORIGIN_EFFECT) {
        origin_change(world, component, tag, origin, change);
    }
    if (is_edited) {
        kni_tags_show(world, slot);
        return true;
    }
    uint32_t told = kni_wants(world, KN_EVENT_TAG_COUNT) ? depth : gained;
    for (uint32_t i = 0; i < told; i++) {
        tag_tell(world, slot, chain[i], old_totals[i], old_totals[i] + (uint32_t)change);
    }
    return true;
}

// A parent counts its children's tags, and so on upwards.
void kni_tag_change(
    kn_world *world, uint32_t slot, uint32_t tag, kn_tag_origin origin, int32_t change)
{
    kni_mark(world, slot, KN_PART_TAGS);
    while (slot != KNI_NONE && tag_change(world, slot, tag, origin, change) && !world->is_broken) {
        slot = kni_component_find(world, kni_component_at(world, slot)->parent);
        origin = KN_TAG_ORIGIN_CHILD;
    }
}

void kni_blocked_change(kn_world *world, uint32_t slot, uint32_t tag, int32_t change)
{
    kni_component *component = kni_component_at(world, slot);
    const kni_tag_row *rows = KNI_SPAN_AT(world, component->blocked, kni_tag_row, 0);
    uint32_t index = row_lower_bound(rows, component->blocked.count, tag);
    bool is_new = index == component->blocked.count || rows[index].tag != tag;
    if (is_new && row_insert(world, &component->blocked, index, tag) == NULL) {
        return;
    }
    kni_touch(world, slot);
    kni_tag_row *row = KNI_SPAN_AT(world, component->blocked, kni_tag_row, index);
    row->total += (uint32_t)change;
    if (row->total == 0) {
        kni_span_remove(&world->heap, &component->blocked, index, sizeof(*row));
    }
    kni_touch(world, slot);
}

// Public: changing ----------------------------------------------------------

static kn_result tag_add(kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin,
    int64_t change, uint32_t *component)
{
    if (tag.index1 == 0 || tag.index1 > kn_tag_count(world->library) ||
        (uint32_t)origin >= KN_TAG_ORIGIN_COUNT || origin == KN_TAG_ORIGIN_EFFECT ||
        origin == KN_TAG_ORIGIN_CHILD) {
        KN_ASSERT(tag.index1 != 0 && (uint32_t)origin < KN_TAG_ORIGIN_COUNT);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    *component = kni_component_ensure(world, slot);
    if (*component == KNI_NONE) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    const kni_origin_row *row =
        origin_find(world, kni_component_at(world, *component), tag.index1, origin);
    int64_t count = (row != NULL ? row->count : 0) + change;
    if (origin == KN_TAG_ORIGIN_ABILITY && change < 0) {
        count -= world->above->abilities_hold(world, *component, tag.index1); // these remove them
    }
    if (count < 0 || change > UINT16_MAX) {
        return KN_REFUSED_LIMIT;
    }
    for (uint32_t at = *component; at != KNI_NONE;
         at = kni_component_find(world, kni_component_at(world, at)->parent)) {
        if (!kni_tag_can_change(world, at, tag.index1, (int32_t)change)) {
            return KN_REFUSED_LIMIT;
        }
    }
    if (change != 0) {
        kni_tag_change(world, *component, tag.index1, origin, (int32_t)change);
    }
    return KN_OK;
}

kn_result kn_entity_add_tag(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count)
{
    kn_result result = kni_enter(world);
    uint32_t component;
    return result != KN_OK
               ? result
               : kni_leave(world, tag_add(world, entity, tag, origin, count, &component));
}

kn_result kn_entity_remove_tag(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count)
{
    kn_result result = kni_enter(world);
    uint32_t component;
    return result != KN_OK
               ? result
               : kni_leave(world, tag_add(world, entity, tag, origin, -(int64_t)count, &component));
}

kn_result kn_entity_set_tag_count(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count)
{
    if (origin != KN_TAG_ORIGIN_LOOSE && origin != KN_TAG_ORIGIN_LOOSE_SYNCED) {
        KN_ASSERT(origin == KN_TAG_ORIGIN_LOOSE || origin == KN_TAG_ORIGIN_LOOSE_SYNCED);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    int64_t change = (int64_t)count - kn_entity_tag_count_origin(world, entity, tag, origin);
    uint32_t component;
    return kni_leave(world, tag_add(world, entity, tag, origin, change, &component));
}

kn_result kn_entity_add_loose_tag(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_sync sync)
{
    if ((uint32_t)sync > KN_TAG_SYNC_COUNT_ALL) {
        KN_ASSERT((uint32_t)sync <= KN_TAG_SYNC_COUNT_ALL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kn_tag_origin origin =
        sync == KN_TAG_SYNC_NONE ? KN_TAG_ORIGIN_LOOSE : KN_TAG_ORIGIN_LOOSE_SYNCED;
    uint32_t component;
    result = tag_add(world, entity, tag, origin, 1, &component);
    if (result == KN_OK && !world->is_broken) {
        kni_origin_row *row =
            origin_find(world, kni_component_at(world, component), tag.index1, origin);
        if (row != NULL) {
            row->sync = (uint8_t)sync;
        }
    }
    return kni_leave(world, result);
}

kn_tag_sync kn_entity_tag_sync(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE) {
        return KN_TAG_SYNC_NONE;
    }
    const kni_origin_row *row = origin_find(
        world, kni_component_at(world, component), tag.index1, KN_TAG_ORIGIN_LOOSE_SYNCED);
    return row != NULL ? (kn_tag_sync)row->sync : KN_TAG_SYNC_NONE;
}

// Public: queries -----------------------------------------------------------

bool kn_entity_has_tag(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    uint32_t slot = entity.index1 - 1;
    if (world == NULL || slot >= world->entities.used || tag.index1 >= world->tag_limit) {
        return false;
    }
    const kni_entity *record = kni_entity_at(world, slot);
    // Without a component, or for a free slot, this is the empty row before the first.
    const uint64_t *bits =
        world->tag_bits - world->tag_words + (size_t)record->component1 * world->tag_words;
    uint64_t is_current = record->generation == entity.generation; // no branch: it nearly always is
    return (bits[tag.index1 >> 6] >> (tag.index1 & 63) & is_current) != 0;
}

uint32_t kni_tag_count_exact(const kn_world *world, uint32_t component, uint32_t tag)
{
    const kni_tag_row *row = row_find(world, &kni_component_at(world, component)->tags, tag);
    return row != NULL ? kni_row_count(world, component, row) : 0;
}

uint32_t kn_entity_tag_count(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE || tag.index1 > UINT16_MAX) {
        return 0;
    }
    const kni_tag_row *row = row_find(world, &kni_component_at(world, component)->tags, tag.index1);
    return row != NULL ? row->total : 0;
}

uint32_t kn_entity_tag_count_exact(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    uint32_t component = kni_component_find(world, entity);
    return component == KNI_NONE || tag.index1 > UINT16_MAX
               ? 0
               : kni_tag_count_exact(world, component, tag.index1);
}

uint32_t kn_entity_tag_count_origin(
    const kn_world *world, kn_entity_id entity, kn_tag tag, kn_tag_origin origin)
{
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE || (uint32_t)origin >= KN_TAG_ORIGIN_COUNT || tag.index1 > UINT16_MAX) {
        return 0;
    }
    const kni_component *component = kni_component_at(world, slot);
    if (origin != KN_TAG_ORIGIN_EFFECT) {
        const kni_origin_row *row = origin_find(world, component, tag.index1, origin);
        return row != NULL ? row->count : 0;
    }
    uint32_t others = 0;
    for (uint32_t i = 0; i < component->origins.count; i++) {
        const kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        others += row->tag == tag.index1 ? row->count : 0;
    }
    return kni_tag_count_exact(world, slot, tag.index1) - others;
}

bool kn_entity_has_tag_exact(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    uint32_t component = kni_component_find(world, entity);
    return component != KNI_NONE && tag.index1 != 0 && tag.index1 < world->tag_limit &&
           kni_shows_tag_exact(world, component, tag.index1);
}

bool kn_entity_has_any_tag(const kn_world *world, kn_entity_id entity, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (kn_entity_has_tag(world, entity, tags.data[i])) {
            return true;
        }
    }
    return false;
}

bool kn_entity_has_all_tags(const kn_world *world, kn_entity_id entity, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (!kn_entity_has_tag(world, entity, tags.data[i])) {
            return false;
        }
    }
    return true;
}

typedef struct tag_subject {
    const kn_world *world;
    uint32_t component;
} tag_subject;

static bool subject_has(const void *subject, uint32_t tag, bool exact)
{
    const tag_subject *s = subject;
    if (s->component == KNI_NONE) {
        return false;
    }
    return exact ? kni_shows_tag_exact(s->world, s->component, tag)
                 : kni_has_tag(s->world, s->component, tag);
}

bool kni_component_meets(
    const kn_world *world, uint32_t component, const kn_tag_requirement *requirement)
{
    tag_subject subject = {world, component};
    return kni_requirement_eval(requirement, subject_has, &subject);
}

bool kn_entity_meets(
    const kn_world *world, kn_entity_id entity, const kn_tag_requirement *requirement)
{
    return kn_entity_is_alive(world, entity) &&
           kni_component_meets(world, kni_component_find(world, entity), requirement);
}

bool kn_entity_matches_query(const kn_world *world, kn_entity_id entity, const kn_tag_query *query)
{
    if (!kn_entity_is_alive(world, entity)) {
        return false;
    }
    tag_subject subject = {world, kni_component_find(world, entity)};
    return kni_tag_query_eval(query, subject_has, &subject);
}

uint32_t kn_entity_tags(const kn_world *world, kn_entity_id entity, kn_tag *out, uint32_t capacity)
{
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE) {
        return 0;
    }
    const kni_component *component = kni_component_at(world, slot);
    uint32_t count = 0;
    if (component->edit_count > 0) {
        uint64_t *shown = world->tag_scratch;
        kni_tags_shown(world, slot, shown, shown + world->tag_words);
        for (uint32_t tag = 1; tag <= kn_tag_count(world->library); tag++) {
            if ((shown[tag >> 6] >> (tag & 63) & 1) != 0) {
                if (count < capacity) {
                    out[count].index1 = tag;
                }
                count++;
            }
        }
        return count;
    }
    for (uint32_t i = 0; i < component->tags.count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->tags, kni_tag_row, i);
        if (row->count > 0) {
            if (count < capacity) {
                out[count].index1 = row->tag;
            }
            count++;
        }
    }
    return count;
}

bool kn_entity_ability_tag_blocked(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE || tag.index1 == 0 || tag.index1 > kn_tag_count(world->library)) {
        return false;
    }
    uint32_t depth;
    const uint16_t *chain = kni_tag_chain(&world->library->tags, tag.index1, &depth);
    for (uint32_t i = 0; i < depth; i++) {
        if (row_find(world, &kni_component_at(world, slot)->blocked, chain[i]) != NULL) {
            return true;
        }
    }
    return false;
}
