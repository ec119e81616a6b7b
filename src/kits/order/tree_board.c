// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Blackboards: a component of the entity, with an item for each key of its layout.

#include "tree_parts.h"

#include <math.h>
#include <stdlib.h>

// Layouts -------------------------------------------------------------------------------

static const kn_blackboard_key_def order_keys[KEY_COUNT] = {
    [KEY_TYPE] = {"Order_OrderType", KN_BLACKBOARD_ORDER, 0},
    [KEY_LOCATION] = {"Order_Location", KN_BLACKBOARD_VECTOR, 0},
    [KEY_TARGET] = {"Order_Target", KN_BLACKBOARD_ENTITY, 0},
    [KEY_INDEX] = {"Order_Index", KN_BLACKBOARD_INT, 0},
    [KEY_RANGE] = {"Order_Range", KN_BLACKBOARD_FLOAT, 0},
    [KEY_HOME] = {"Order_HomeLocation", KN_BLACKBOARD_VECTOR, 0},
};

void knc_tree_boards_release(tree_kit *kit)
{
    for (uint32_t i = 0; i < kit->board_count; i++) {
        free(kit->boards_of[i].keys);
    }
    free(kit->boards_of);
    kit->boards_of = NULL;
    kit->board_count = 0;
}

kn_result knc_tree_boards_make(const kn_library *library, tree_kit *kit, kn_error *error)
{
    uint32_t count = kn_def_count(library, kit->board_kind);
    (void)error;
    knc_tree_boards_release(kit);
    kit->boards_of = count > 0 ? calloc(count, sizeof(*kit->boards_of)) : NULL;
    if (count > 0 && kit->boards_of == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->board_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const kn_blackboard_def *def = kn_def_get(library, kit->board_kind, i + 1);
        board_plan *board = &kit->boards_of[i];
        board->order_count = def->order_keys ? KEY_COUNT : 0;
        board->count = board->order_count + def->key_count;
        board->keys = calloc(board->count + 1, sizeof(*board->keys));
        if (board->keys == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        for (uint32_t j = 0; j < board->count; j++) {
            board->keys[j] =
                j < board->order_count ? order_keys[j] : def->keys[j - board->order_count];
        }
    }
    return KN_OK;
}

const board_plan *knc_tree_board_of(const tree_kit *kit, kn_blackboard_id board)
{
    return board.index1 - 1 < kit->board_count ? &kit->boards_of[board.index1 - 1] : NULL;
}

uint32_t knc_tree_key_find(const board_plan *board, const char *name)
{
    for (uint32_t i = 0; board != NULL && i < board->count; i++) {
        if (strcmp(board->keys[i].name, name) == 0) {
            return i + 1;
        }
    }
    return 0;
}

// The component -------------------------------------------------------------------------

kn_result knc_tree_board_component(kn_library *library, tree_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD_TO(board_state, layout, "blackboard")};
    static const kn_field values[] = {
        KN_FIELD(board_value, entity, KN_FIELD_ENTITY),
        KN_FIELD(board_value, vector, KN_FIELD_VEC3),
        KN_FIELD(board_value, whole, KN_FIELD_I32),
        KN_FIELD(board_value, number, KN_FIELD_F32),
        KN_FIELD_TO(board_value, order, "order type"),
        KN_FIELD(board_value, tag, KN_FIELD_TAG),
        KN_FIELD(board_value, is_set, KN_FIELD_U32),
    };
    const kn_component_reference entity = {.field = "entity", .of_items = true};
    kn_component_def def = kn_component_def_default();
    def.references = &entity;
    def.reference_count = 1;
    def.name = "Knack.Blackboard";
    def.size = sizeof(board_state);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(board_value);
    def.item_fields = values;
    def.item_field_count = COUNT(values);
    def.sync = KN_SYNC_NONE;
    return kn_component_register(library, &def, &kit->boards, error);
}

const board_value *knc_tree_values_read(
    const kn_world *world, const tree_kit *kit, kn_entity_id entity, const board_plan **layout)
{
    const void *items;
    uint32_t count = 0;
    const board_state *state = kn_component_read_whole(world, kit->boards, entity, &items, &count);
    *layout = state != NULL ? knc_tree_board_of(kit, state->layout) : NULL;
    return *layout != NULL && (*layout)->count == count ? items : NULL;
}

static const board_value *values_read(
    const kn_world *world, kn_entity_id entity, const board_plan **layout)
{
    return knc_tree_values_read(world, knc_tree_kit_of_world(world), entity, layout);
}

board_value knc_tree_value_read(const kn_world *world, kn_entity_id entity, uint32_t key1)
{
    const board_plan *layout;
    const board_value *values = values_read(world, entity, &layout);
    board_value value = {0};
    if (values != NULL && key1 - 1 < layout->count) {
        value = values[key1 - 1];
    }
    if (value.entity.index1 != 0 && !kn_entity_is_alive(world, value.entity)) {
        value = (board_value){0};
    }
    return value;
}

static bool value_equal(const board_value *a, const board_value *b)
{
    return a->is_set == b->is_set && kn_entity_id_equal(a->entity, b->entity) &&
           a->vector.x == b->vector.x && a->vector.y == b->vector.y && a->vector.z == b->vector.z &&
           a->whole == b->whole && a->number == b->number && a->order.index1 == b->order.index1 &&
           a->tag.index1 == b->tag.index1;
}

kn_result knc_tree_value_write(
    kn_world *world, kn_entity_id entity, uint32_t key1, const board_value *value)
{
    const tree_kit *kit = knc_tree_kit_of_world(world);
    uint32_t count = 0;
    board_value *values = kn_component_items(world, kit->boards, entity, &count);
    if (key1 - 1 >= count) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (!value_equal(&values[key1 - 1], value)) {
        values[key1 - 1] = *value;
        knc_tree_signal(world, entity, HEAR_KEY, key1);
    }
    return KN_OK;
}

// What a key begins with.
static board_value value_begin(const kn_blackboard_key_def *key)
{
    board_value value = {.is_set = key->number != 0.0f};
    if (key->kind == KN_BLACKBOARD_FLOAT) {
        value.number = key->number;
    } else if (key->kind == KN_BLACKBOARD_INT) {
        value.whole = (int32_t)key->number;
    } else {
        value.whole = key->number != 0.0f;
    }
    return value;
}

kn_result knc_tree_board_add(kn_world *world, kn_entity_id entity, kn_blackboard_id board)
{
    const tree_kit *kit = knc_tree_kit_of_world(world);
    const board_plan *layout = knc_tree_board_of(kit, board), *old;
    const board_value *before = values_read(world, entity, &old);
    if (old == layout && (before != NULL || layout->count == 0)) {
        return KN_OK;
    }
    board_value kept[KN_BLACKBOARD_KEYS_MAX];
    for (uint32_t i = 0; i < layout->count; i++) {
        const kn_blackboard_key_def *key = &layout->keys[i];
        uint32_t at = before != NULL ? knc_tree_key_find(old, key->name) : 0;
        bool stays = at != 0 && old->keys[at - 1].kind == key->kind;
        kept[i] = stays ? before[at - 1] : value_begin(key);
    }
    board_state *state = kn_component_add(world, kit->boards, entity);
    if (state == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    state->layout = board;
    board_value *values = kn_component_resize(world, kit->boards, entity, layout->count);
    if (values == NULL && layout->count > 0) {
        (void)kn_component_remove(world, kit->boards, entity);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < layout->count; i++) {
        values[i] = kept[i];
    }
    return KN_OK;
}

typedef struct add_call {
    kn_entity_id entity;
    kn_blackboard_id board;
} add_call;

static kn_result add_run(void *user, kn_world *world)
{
    const add_call *c = user;
    return knc_tree_board_add(world, c->entity, c->board);
}

kn_result kn_blackboard_add(kn_world *world, kn_entity_id entity, kn_blackboard_id board)
{
    kn_result result = knc_tree_check(world, entity);
    if (result != KN_OK) {
        return result;
    }
    add_call c = {entity, board};
    return knc_tree_board_of(knc_tree_kit_of_world(world), board) != NULL
               ? kn_world_call(world, add_run, &c)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_blackboard_id kn_blackboard_get(const kn_world *world, kn_entity_id entity)
{
    const tree_kit *kit = knc_tree_kit_of_world(world);
    const board_state *state = kit != NULL ? kn_component_read(world, kit->boards, entity) : NULL;
    return state != NULL ? state->layout : (kn_blackboard_id){0};
}

// Reading and writing ---------------------------------------------------------------------

static kn_result key_read(const kn_world *world, kn_entity_id entity, const char *key,
    kn_blackboard_kind kind, board_value *value)
{
    const board_plan *layout;
    *value = (board_value){0};
    if (knc_tree_kit_of_world(world) == NULL || key == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t key1 =
        values_read(world, entity, &layout) != NULL ? knc_tree_key_find(layout, key) : 0;
    if (key1 == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (layout->keys[key1 - 1].kind != kind) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *value = knc_tree_value_read(world, entity, key1);
    return KN_OK;
}

kn_result kn_blackboard_get_bool(
    const kn_world *world, kn_entity_id entity, const char *key, bool *value)
{
    board_value v;
    kn_result result = key_read(world, entity, key, KN_BLACKBOARD_BOOL, &v);
    *value = v.whole != 0;
    return result;
}

kn_result kn_blackboard_get_int(
    const kn_world *world, kn_entity_id entity, const char *key, int32_t *value)
{
    board_value v;
    kn_result result = key_read(world, entity, key, KN_BLACKBOARD_INT, &v);
    *value = v.whole;
    return result;
}

kn_result kn_blackboard_get_float(
    const kn_world *world, kn_entity_id entity, const char *key, float *value)
{
    board_value v;
    kn_result result = key_read(world, entity, key, KN_BLACKBOARD_FLOAT, &v);
    *value = v.number;
    return result;
}

kn_result kn_blackboard_get_vector(
    const kn_world *world, kn_entity_id entity, const char *key, kn_vec3 *value)
{
    board_value v;
    kn_result result = key_read(world, entity, key, KN_BLACKBOARD_VECTOR, &v);
    *value = v.vector;
    return result;
}

kn_result kn_blackboard_get_entity(
    const kn_world *world, kn_entity_id entity, const char *key, kn_entity_id *value)
{
    board_value v;
    kn_result result = key_read(world, entity, key, KN_BLACKBOARD_ENTITY, &v);
    *value = v.entity;
    return result;
}

kn_result kn_blackboard_get_order(
    const kn_world *world, kn_entity_id entity, const char *key, kn_order_type_id *value)
{
    board_value v;
    kn_result result = key_read(world, entity, key, KN_BLACKBOARD_ORDER, &v);
    *value = v.order;
    return result;
}

kn_result kn_blackboard_get_tag(
    const kn_world *world, kn_entity_id entity, const char *key, kn_tag *value)
{
    board_value v;
    kn_result result = key_read(world, entity, key, KN_BLACKBOARD_TAG, &v);
    *value = v.tag;
    return result;
}

typedef struct set_call {
    kn_entity_id entity;
    uint32_t key1;
    const board_value *value;
} set_call;

static kn_result set_run(void *user, kn_world *world)
{
    const set_call *c = user;
    return knc_tree_value_write(world, c->entity, c->key1, c->value);
}

// A kind of KN_BLACKBOARD_KIND_COUNT stands for any.
static kn_result key_write(kn_world *world, kn_entity_id entity, const char *key,
    kn_blackboard_kind kind, const board_value *value)
{
    const board_plan *layout;
    kn_result result = key != NULL ? knc_tree_check(world, entity) : KN_ERROR_INVALID_ARGUMENT;
    if (result != KN_OK) {
        return result;
    }
    uint32_t key1 =
        values_read(world, entity, &layout) != NULL ? knc_tree_key_find(layout, key) : 0;
    if (key1 == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (kind != KN_BLACKBOARD_KIND_COUNT && layout->keys[key1 - 1].kind != kind) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (key1 <= layout->order_count) {
        return KN_REFUSED_BLOCKED;
    }
    if (!isfinite(value->number) || !isfinite(value->vector.x) || !isfinite(value->vector.y) ||
        !isfinite(value->vector.z)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    set_call c = {entity, key1, value};
    return kn_world_call(world, set_run, &c);
}

kn_result kn_blackboard_set_bool(kn_world *world, kn_entity_id entity, const char *key, bool value)
{
    const board_value v = {.whole = value, .is_set = 1};
    return key_write(world, entity, key, KN_BLACKBOARD_BOOL, &v);
}

kn_result kn_blackboard_set_int(
    kn_world *world, kn_entity_id entity, const char *key, int32_t value)
{
    const board_value v = {.whole = value, .is_set = 1};
    return key_write(world, entity, key, KN_BLACKBOARD_INT, &v);
}

kn_result kn_blackboard_set_float(
    kn_world *world, kn_entity_id entity, const char *key, float value)
{
    const board_value v = {.number = value, .is_set = 1};
    return key_write(world, entity, key, KN_BLACKBOARD_FLOAT, &v);
}

kn_result kn_blackboard_set_vector(
    kn_world *world, kn_entity_id entity, const char *key, kn_vec3 value)
{
    const board_value v = {.vector = value, .is_set = 1};
    return key_write(world, entity, key, KN_BLACKBOARD_VECTOR, &v);
}

kn_result kn_blackboard_set_entity(
    kn_world *world, kn_entity_id entity, const char *key, kn_entity_id value)
{
    const board_value v = {.entity = value, .is_set = value.index1 != 0};
    return key_write(world, entity, key, KN_BLACKBOARD_ENTITY, &v);
}

kn_result kn_blackboard_set_order(
    kn_world *world, kn_entity_id entity, const char *key, kn_order_type_id value)
{
    const board_value v = {.order = value, .is_set = value.index1 != 0};
    return value.index1 == 0 || knc_order_type_of(world, value) != NULL
               ? key_write(world, entity, key, KN_BLACKBOARD_ORDER, &v)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_result kn_blackboard_set_tag(kn_world *world, kn_entity_id entity, const char *key, kn_tag value)
{
    const board_value v = {.tag = value, .is_set = value.index1 != 0};
    return key_write(world, entity, key, KN_BLACKBOARD_TAG, &v);
}

kn_result kn_blackboard_clear(kn_world *world, kn_entity_id entity, const char *key)
{
    const board_value v = {0};
    return key_write(world, entity, key, KN_BLACKBOARD_KIND_COUNT, &v);
}

bool kn_blackboard_is_set(const kn_world *world, kn_entity_id entity, const char *key)
{
    const board_plan *layout;
    bool is_there = key != NULL && knc_tree_kit_of_world(world) != NULL &&
                    values_read(world, entity, &layout) != NULL;
    return is_there &&
           knc_tree_value_read(world, entity, knc_tree_key_find(layout, key)).is_set != 0;
}

bool kn_blackboard_get_current_order(
    const kn_world *world, kn_entity_id entity, kn_blackboard_order *out)
{
    const board_plan *layout;
    *out = (kn_blackboard_order){0};
    if (knc_tree_kit_of_world(world) == NULL || values_read(world, entity, &layout) == NULL ||
        layout->order_count == 0) {
        return false;
    }
    board_value v[KEY_COUNT];
    for (uint32_t i = 0; i < KEY_COUNT; i++) {
        v[i] = knc_tree_value_read(world, entity, i + 1);
    }
    *out = (kn_blackboard_order){v[KEY_TYPE].order, v[KEY_LOCATION].vector, v[KEY_TARGET].entity,
        v[KEY_INDEX].whole, v[KEY_RANGE].number, v[KEY_HOME].vector};
    return true;
}
