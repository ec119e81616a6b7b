// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Requirements that a hook adds to those of an order type, for a unit and a variant. Those of the
// current order are kept with the unit, as they were when it began.

#include "parts.h"

#include <string.h>

// Of the current order of a unit. The items are its tags.
typedef struct kept_tags {
    uint32_t unused;
} kept_tags;

typedef struct kept_tag {
    kn_tag tag;
    uint32_t list; // kn_order_tag_list
} kept_tag;

// The lists of the arguments of the hook.
static kn_tags list_of(const kn_order_tags_call *call, kn_order_tag_list list)
{
    const kn_tag *const lists[KN_ORDER_TAG_LIST_COUNT] = {
        call->source_required, call->source_blocked, call->target_required, call->target_blocked};
    const uint32_t counts[KN_ORDER_TAG_LIST_COUNT] = {call->source_required_count,
        call->source_blocked_count, call->target_required_count, call->target_blocked_count};
    return (kn_tags){
        lists[list], counts[list] < KN_ORDER_FIND_TAGS_MAX ? counts[list] : KN_ORDER_FIND_TAGS_MAX};
}

static kn_tags plain_list(const kn_order_tags *tags, kn_order_tag_list list)
{
    const kn_tags lists[KN_ORDER_TAG_LIST_COUNT] = {
        tags->source_required, tags->source_blocked, tags->target_required, tags->target_blocked};
    return lists[list];
}

bool knc_order_find_tags(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, bool is_success, kn_order_tags_call *call)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_order_type_def *def = knc_order_type_of(world, type);
    if (def == NULL || def->find_tags.function == NULL) {
        return false;
    }
    *call = (kn_order_tags_call){.type = type, .index = index, .is_success = is_success};
    return kn_hook_read(world, kit->type_kind, type.index1, &def->find_tags, unit, call) == KN_OK;
}

kn_order_tags knc_order_found_tags(const kn_order_tags_call *call)
{
    return (kn_order_tags){list_of(call, KN_ORDER_SOURCE_REQUIRED),
        list_of(call, KN_ORDER_SOURCE_BLOCKED), list_of(call, KN_ORDER_TARGET_REQUIRED),
        list_of(call, KN_ORDER_TARGET_BLOCKED)};
}

uint32_t kn_order_get_tags(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, bool is_success, kn_order_tag_list list, kn_tag *out, uint32_t capacity)
{
    const kn_order_type_def *def = knc_order_type_of(world, type);
    kn_order_tags_call call;
    if (def == NULL || (uint32_t)list >= KN_ORDER_TAG_LIST_COUNT) {
        return 0;
    }
    const kn_tag alive = knc_order_kit_of_world(world)->tags[TAG_ALIVE];
    kn_tags parts[3] = {{0}, plain_list(is_success ? &def->success : &def->tags, list), {0}};
    if (def->needs_life && !is_success && list == KN_ORDER_SOURCE_REQUIRED) {
        parts[0] = (kn_tags){&alive, 1};
    }
    if (knc_order_find_tags(world, type, unit, index, is_success, &call)) {
        parts[2] = list_of(&call, list);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT(parts); i++) {
        for (uint32_t j = 0; j < parts[i].count; j++, count++) {
            if (count < capacity) {
                out[count] = parts[i].data[j];
            }
        }
    }
    return count;
}

// The current order ---------------------------------------------------------------------

void knc_order_tags_forget(kn_world *world, kn_entity_id unit)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    if (kit->has_found_tags) {
        (void)kn_component_remove(world, kit->kept_tags, unit);
    }
}

void knc_order_tags_keep(kn_world *world, kn_entity_id unit, const kn_order *order)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    kn_order_tags_call call;
    if (!kit->has_found_tags ||
        !knc_order_find_tags(world, order->type, unit, order->index, false, &call)) {
        return;
    }
    uint32_t count = 0, at = 0;
    for (kn_order_tag_list list = 0; list < KN_ORDER_TAG_LIST_COUNT; list++) {
        count += list_of(&call, list).count;
    }
    kept_tag *items = NULL; // without memory the world is broken
    if (count > 0 && kn_component_add(world, kit->kept_tags, unit) != NULL) {
        items = kn_component_resize(world, kit->kept_tags, unit, count);
    }
    for (kn_order_tag_list list = 0; items != NULL && list < KN_ORDER_TAG_LIST_COUNT; list++) {
        const kn_tags tags = list_of(&call, list);
        for (uint32_t i = 0; i < tags.count; i++) {
            items[at++] = (kept_tag){tags.data[i], (uint32_t)list};
        }
    }
}

// What the current order of a unit needs besides, as kept, in the form of the hook.
bool knc_order_tags_kept(const kn_world *world, kn_entity_id unit, kn_order_tags_call *call)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    uint32_t count = 0;
    const kept_tag *items =
        kit->has_found_tags ? kn_component_read_items(world, kit->kept_tags, unit, &count) : NULL;
    *call = (kn_order_tags_call){0};
    kn_tag *const lists[KN_ORDER_TAG_LIST_COUNT] = {
        call->source_required, call->source_blocked, call->target_required, call->target_blocked};
    uint32_t *const counts[KN_ORDER_TAG_LIST_COUNT] = {&call->source_required_count,
        &call->source_blocked_count, &call->target_required_count, &call->target_blocked_count};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t list = items[i].list; // a save may have anything
        if (list < KN_ORDER_TAG_LIST_COUNT && *counts[list] < KN_ORDER_FIND_TAGS_MAX) {
            lists[list][(*counts[list])++] = items[i].tag;
        }
    }
    return count > 0;
}

kn_result knc_order_tags_register(kn_library *library, order_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD(kept_tags, unused, KN_FIELD_U32)};
    static const kn_field item_fields[] = {
        KN_FIELD(kept_tag, tag, KN_FIELD_TAG),
        KN_FIELD(kept_tag, list, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.OrderTags";
    def.size = sizeof(kept_tags);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(kept_tag);
    def.item_fields = item_fields;
    def.item_field_count = COUNT(item_fields);
    def.sync = KN_SYNC_NONE;
    return kn_component_register(library, &def, &kit->kept_tags, error);
}
