// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Keys of a player and the commands that follow from them. Nothing here is a part of a world: a
// mapper reads which contexts entities use, and remembers what it has sent.

#include "parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAPPER_COOKIE 0x70616d69u

typedef struct key_state {
    char name[KN_INPUT_KEY_NAME_MAX]; // "": it has a number of the host
    uint32_t number;
    float value;
    uint64_t pressed; // when it was pressed, by the clock of the mapper
    bool is_taken;    // by a context, while commands are worked out
    int32_t taken_by; // priority of that
    int32_t owner;    // highest priority of a context that took it since it was pressed
} key_state;

// A context that an entity uses.
typedef struct served_context {
    kn_entity_id entity;
    kn_input_context_id context;
    uint32_t version; // of the controller
    int32_t priority;
    uint64_t since; // by the clock of the mapper
} served_context;

// An action of an entity and what was sent of it.
typedef struct served_action {
    kn_entity_id entity;
    kn_input_action_id action;
    uint32_t version; // of the controller
    kn_vec3 sent, value;
} served_action;

typedef struct rebinding {
    kn_input_context_id context;
    kn_input_action_id action;
    uint32_t index;
    uint32_t key;
} rebinding;

typedef struct list {
    void *items;
    uint32_t count, capacity;
} list;

struct kn_input_mapper {
    const kn_library *library;
    uint32_t connection;
    uint64_t clock; // counts presses and contexts that came
    list keys;      // key_state; those with a name have the number KN_INPUT_KEYS_NAMED + place
    list contexts;  // served_context, by priority
    list actions;   // served_action
    list rebindings;
    list payloads; // kn_action_command
};

// Lists ---------------------------------------------------------------------------

static bool list_reserve(list *l, uint32_t count, size_t size)
{
    if (count <= l->capacity) {
        return true;
    }
    uint32_t capacity = l->capacity < 8 ? 8 : l->capacity;
    while (capacity < count) {
        capacity *= 2;
    }
    void *items = realloc(l->items, capacity * size);
    if (items == NULL) {
        return false;
    }
    l->items = items;
    l->capacity = capacity;
    return true;
}

static void *list_add(list *l, size_t size)
{
    if (!list_reserve(l, l->count + 1, size)) {
        return NULL;
    }
    void *item = (char *)l->items + l->count++ * size;
    memset(item, 0, size);
    return item;
}

static void list_remove(list *l, uint32_t index, size_t size)
{
    char *at = (char *)l->items + index * size;
    memmove(at, at + size, (l->count - index - 1) * size);
    l->count--;
}

// Life ----------------------------------------------------------------------------

kn_input_mapper_def kn_input_mapper_def_default(void)
{
    kn_input_mapper_def def = {.cookie = MAPPER_COOKIE};
    return def;
}

kn_result kn_input_mapper_create(const kn_input_mapper_def *def, kn_input_mapper **mapper)
{
    if (mapper == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *mapper = NULL;
    if (def == NULL || def->cookie != MAPPER_COOKIE || !kn_capability_is_there(def->library) ||
        !kn_library_is_finished(def->library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_input_mapper *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    created->library = def->library;
    created->connection = def->connection;
    *mapper = created;
    return KN_OK;
}

void kn_input_mapper_destroy(kn_input_mapper *mapper)
{
    if (mapper == NULL) {
        return;
    }
    free(mapper->keys.items);
    free(mapper->contexts.items);
    free(mapper->actions.items);
    free(mapper->rebindings.items);
    free(mapper->payloads.items);
    free(mapper);
}

// Keys ----------------------------------------------------------------------------

bool knc_capability_input_key_is_valid(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length >= KN_INPUT_KEY_NAME_MAX || name[0] == '#' || name[0] == ' ' ||
        name[length - 1] == ' ') {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (iscntrl((unsigned char)name[i])) {
            return false;
        }
    }
    return true;
}

static key_state *key_find(const kn_input_mapper *mapper, uint32_t number)
{
    key_state *keys = mapper->keys.items;
    for (uint32_t i = 0; i < mapper->keys.count; i++) {
        if (keys[i].number == number) {
            return &keys[i];
        }
    }
    return NULL;
}

uint32_t kn_input_key_number(kn_input_mapper *mapper, const char *name)
{
    if (mapper == NULL || name == NULL || !knc_capability_input_key_is_valid(name)) {
        return 0;
    }
    const key_state *keys = mapper->keys.items;
    for (uint32_t i = 0; i < mapper->keys.count; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return keys[i].number;
        }
    }
    uint32_t number = KN_INPUT_KEYS_NAMED + mapper->keys.count;
    key_state *key = list_add(&mapper->keys, sizeof(*key));
    if (key == NULL) {
        return 0;
    }
    (void)snprintf(key->name, sizeof(key->name), "%s", name);
    key->number = number;
    return number;
}

kn_result kn_input_key(kn_input_mapper *mapper, uint32_t key, float value)
{
    if (mapper == NULL || key == 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!isfinite(value)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    key_state *state = key_find(mapper, key);
    if (state == NULL && key >= KN_INPUT_KEYS_NAMED) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    state = state != NULL ? state : list_add(&mapper->keys, sizeof(*state));
    if (state == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    state->number = key;
    if (state->value == 0.0f && value != 0.0f) {
        state->pressed = ++mapper->clock;
        state->owner = INT32_MIN;
    }
    state->value = value;
    return KN_OK;
}

kn_result kn_input_key_named(kn_input_mapper *mapper, const char *name, float value)
{
    return kn_input_key(mapper, kn_input_key_number(mapper, name), value);
}

void kn_input_release_keys(kn_input_mapper *mapper)
{
    key_state *keys = mapper != NULL ? mapper->keys.items : NULL;
    for (uint32_t i = 0; keys != NULL && i < mapper->keys.count; i++) {
        keys[i].value = 0.0f;
    }
}

// Mappings --------------------------------------------------------------------------

// Which mapping of its action a mapping is.
static uint32_t mapping_index(const kn_input_context_def *def, uint32_t place)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < place; i++) {
        index += def->mappings[i].action.index1 == def->mappings[place].action.index1;
    }
    return index;
}

static bool mapping_exists(const kn_input_mapper *mapper, kn_input_context_id context,
    kn_input_action_id action, uint32_t index)
{
    const kn_input_context_def *def = kn_input_context_get_def(mapper->library, context);
    for (uint32_t i = 0; def != NULL && i < def->mapping_count; i++) {
        if (def->mappings[i].action.index1 == action.index1 && mapping_index(def, i) == index) {
            return true;
        }
    }
    return false;
}

static rebinding *rebinding_find(const kn_input_mapper *mapper, kn_input_context_id context,
    kn_input_action_id action, uint32_t index)
{
    rebinding *items = mapper->rebindings.items;
    for (uint32_t i = 0; i < mapper->rebindings.count; i++) {
        if (items[i].context.index1 == context.index1 && items[i].action.index1 == action.index1 &&
            items[i].index == index) {
            return &items[i];
        }
    }
    return NULL;
}

static uint32_t default_key(kn_input_mapper *mapper, const kn_input_mapping *mapping)
{
    return mapping->key != NULL ? kn_input_key_number(mapper, mapping->key) : mapping->number;
}

static uint32_t mapped_key(kn_input_mapper *mapper, kn_input_context_id context,
    const kn_input_context_def *def, uint32_t place)
{
    const kn_input_mapping *mapping = &def->mappings[place];
    const rebinding *own =
        mapper->rebindings.count > 0
            ? rebinding_find(mapper, context, mapping->action, mapping_index(def, place))
            : NULL;
    return own != NULL ? own->key : default_key(mapper, mapping);
}

static void key_print(const kn_input_mapper *mapper, uint32_t key, char *text, uint32_t size)
{
    const key_state *state = key_find(mapper, key);
    if (state != NULL && state->name[0] != 0) {
        (void)snprintf(text, size, "%s", state->name);
    } else if (key != 0) {
        (void)snprintf(text, size, "#%u", key);
    } else {
        text[0] = 0;
    }
}

uint32_t kn_input_mappings(kn_input_mapper *mapper, kn_input_context_id context,
    kn_input_mapping_info *out, uint32_t capacity)
{
    const kn_input_context_def *def =
        mapper != NULL ? kn_input_context_get_def(mapper->library, context) : NULL;
    if (def == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < def->mapping_count && i < capacity; i++) {
        const kn_input_mapping *mapping = &def->mappings[i];
        out[i] = (kn_input_mapping_info){
            .action = mapping->action,
            .index = mapping_index(def, i),
            .key = mapped_key(mapper, context, def, i),
            .default_key = default_key(mapper, mapping),
            .axis = mapping->axis,
            .scale = mapping->scale,
        };
        key_print(mapper, out[i].key, out[i].key_name, sizeof(out[i].key_name));
    }
    return def->mapping_count;
}

kn_result kn_input_rebind(kn_input_mapper *mapper, kn_input_context_id context,
    kn_input_action_id action, uint32_t index, uint32_t key)
{
    if (mapper == NULL || (key >= KN_INPUT_KEYS_NAMED && key_find(mapper, key) == NULL)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!mapping_exists(mapper, context, action, index)) {
        return KN_REFUSED_NOT_FOUND;
    }
    rebinding *own = rebinding_find(mapper, context, action, index);
    own = own != NULL ? own : list_add(&mapper->rebindings, sizeof(*own));
    if (own == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *own = (rebinding){context, action, index, key};
    return KN_OK;
}

void kn_input_reset(kn_input_mapper *mapper, kn_input_context_id context)
{
    for (uint32_t i = mapper != NULL ? mapper->rebindings.count : 0; i-- > 0;) {
        const rebinding *items = mapper->rebindings.items;
        if (context.index1 == 0 || items[i].context.index1 == context.index1) {
            list_remove(&mapper->rebindings, i, sizeof(*items));
        }
    }
}

// Text ------------------------------------------------------------------------------

uint32_t kn_input_save(kn_input_mapper *mapper, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    for (uint32_t i = 0; mapper != NULL && i < mapper->rebindings.count; i++) {
        const rebinding *own = (const rebinding *)mapper->rebindings.items + i;
        char key[KN_INPUT_KEY_NAME_MAX];
        key_print(mapper, own->key, key, sizeof(key));
        kn_text_add(&out, "%s / %s / %u =%s%s\n",
            kn_input_context_get_def(mapper->library, own->context)->name,
            kn_input_action_get_def(mapper->library, own->action)->name, own->index,
            key[0] != 0 ? " " : "", key);
    }
    return out.length;
}

typedef struct line_parts {
    char context[256], action[256], key[KN_INPUT_KEY_NAME_MAX];
    uint32_t index;
    bool is_empty;
} line_parts;

// Copies what precedes a separator, or all, and returns what follows it; NULL if it is not there or
// does not fit.
static const char *part_read(
    const char *at, const char *end, const char *separator, char *out, size_t size)
{
    size_t length = strlen(separator);
    const char *found = at;
    while (found + length <= end && memcmp(found, separator, length) != 0) {
        found++;
    }
    if (found + length > end || (size_t)(found - at) >= size) {
        return NULL;
    }
    memcpy(out, at, (size_t)(found - at));
    out[found - at] = 0;
    return found + length;
}

static bool number_read(const char *text, uint32_t *number)
{
    uint64_t value = 0;
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || i >= 10) {
            return false;
        }
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *number = (uint32_t)value;
    return length > 0 && value < KN_INPUT_KEYS_NAMED;
}

static bool line_read(const char *at, const char *end, line_parts *parts)
{
    char index[16];
    while (end > at && (end[-1] == '\r' || end[-1] == ' ')) {
        end--;
    }
    parts->is_empty = at == end;
    if (parts->is_empty) {
        return true;
    }
    at = part_read(at, end, " / ", parts->context, sizeof(parts->context));
    at = at != NULL ? part_read(at, end, " / ", parts->action, sizeof(parts->action)) : NULL;
    at = at != NULL ? part_read(at, end, " =", index, sizeof(index)) : NULL;
    if (at == NULL || !number_read(index, &parts->index)) {
        return false;
    }
    at += at < end && *at == ' ';
    if ((size_t)(end - at) >= sizeof(parts->key)) {
        return false;
    }
    memcpy(parts->key, at, (size_t)(end - at));
    parts->key[end - at] = 0;
    uint32_t ignored;
    return parts->key[0] == 0 ||
           (parts->key[0] == '#' ? number_read(parts->key + 1, &ignored) && ignored != 0
                                 : knc_capability_input_key_is_valid(parts->key));
}

static kn_result line_apply(kn_input_mapper *mapper, const line_parts *parts)
{
    const capability_kit *kit = knc_capability_kit_of(mapper->library);
    const kn_input_context_id context = {
        kn_def_find(mapper->library, kit->context_kind, parts->context)};
    const kn_input_action_id action = {
        kn_def_find(mapper->library, kit->action_kind, parts->action)};
    uint32_t key = 0;
    if (!mapping_exists(mapper, context, action, parts->index)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (parts->key[0] == '#') {
        (void)number_read(parts->key + 1, &key);
    } else if (parts->key[0] != 0) {
        key = kn_input_key_number(mapper, parts->key);
        if (key == 0) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    return kn_input_rebind(mapper, context, action, parts->index, key);
}

static kn_result lines_apply(
    kn_input_mapper *mapper, const char *text, uint32_t *ignored, kn_error *error)
{
    uint32_t line = 0;
    while (*text != 0) {
        const char *end = strchr(text, '\n');
        end = end != NULL ? end : text + strlen(text);
        line_parts parts;
        line++;
        if (!line_read(text, end, &parts)) {
            kn_result bad = kn_error_set(error, KN_ERROR_BAD_DATA,
                "line %u: expected `Context / Action / index = key`", line);
            error->code = bad;
            error->line = line;
            return bad;
        }
        kn_result result = parts.is_empty ? KN_OK : line_apply(mapper, &parts);
        if (result == KN_REFUSED_NOT_FOUND) {
            ++*ignored;
        } else if (result != KN_OK) {
            return result;
        }
        text = *end != 0 ? end + 1 : end;
    }
    return KN_OK;
}

kn_result kn_input_load(
    kn_input_mapper *mapper, const char *text, uint32_t *ignored, kn_error *error)
{
    kn_error no_error = {0};
    uint32_t no_ignored;
    ignored = ignored != NULL ? ignored : &no_ignored;
    error = error != NULL ? error : &no_error;
    *ignored = 0;
    if (mapper == NULL || text == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    const list before = mapper->rebindings;
    mapper->rebindings = (list){0};
    kn_result result = lines_apply(mapper, text, ignored, error);
    if (result != KN_OK) {
        free(mapper->rebindings.items);
        mapper->rebindings = before;
        return result;
    }
    free(before.items);
    return KN_OK;
}

// Serving -----------------------------------------------------------------------------

static const served_context *context_find(
    const list *contexts, kn_entity_id entity, kn_input_context_id context, uint32_t version)
{
    const served_context *items = contexts->items;
    for (uint32_t i = 0; i < contexts->count; i++) {
        if (kn_entity_id_equal(items[i].entity, entity) && items[i].version == version &&
            items[i].context.index1 == context.index1) {
            return &items[i];
        }
    }
    return NULL;
}

static served_action *action_find(
    const kn_input_mapper *mapper, kn_entity_id entity, kn_input_action_id action)
{
    served_action *items = mapper->actions.items;
    for (uint32_t i = 0; i < mapper->actions.count; i++) {
        if (kn_entity_id_equal(items[i].entity, entity) &&
            items[i].action.index1 == action.index1) {
            return &items[i];
        }
    }
    return NULL;
}

// Adds a context behind those of the same or a higher priority.
static bool context_add(list *contexts, const served_context *context)
{
    if (!list_reserve(contexts, contexts->count + 1, sizeof(*context))) {
        return false;
    }
    served_context *items = contexts->items;
    uint32_t at = contexts->count;
    while (at > 0 && items[at - 1].priority < context->priority) {
        items[at] = items[at - 1];
        at--;
    }
    items[at] = *context;
    contexts->count++;
    return true;
}

static bool entity_serve(
    kn_input_mapper *mapper, list *contexts, const kn_world *world, kn_entity_id entity)
{
    kn_controller controller;
    if (!kn_capability_get_controller(world, entity, &controller)) {
        return true;
    }
    uint32_t count = kn_capability_contexts(world, entity, NULL, 0);
    kn_input_context_id *ids = calloc((size_t)count + 1, sizeof(*ids));
    if (ids == NULL) {
        return false;
    }
    (void)kn_capability_contexts(world, entity, ids, count);
    bool is_done = true;
    for (uint32_t i = 0; i < count && is_done; i++) {
        const served_context *before =
            context_find(&mapper->contexts, entity, ids[i], controller.version);
        const served_context context = {
            .entity = entity,
            .context = ids[i],
            .version = controller.version,
            .priority = kn_input_context_get_def(mapper->library, ids[i])->priority,
            .since = before != NULL ? before->since : mapper->clock + 1,
        };
        is_done = context_add(contexts, &context);
    }
    free(ids);
    return is_done;
}

// Room for what the contexts can send, so that working out commands cannot fail.
static bool actions_add(kn_input_mapper *mapper, const list *contexts)
{
    const served_context *items = contexts->items;
    for (uint32_t i = 0; i < contexts->count; i++) {
        const kn_input_context_def *def =
            kn_input_context_get_def(mapper->library, items[i].context);
        for (uint32_t j = 0; j < def->mapping_count; j++) {
            const kn_input_mapping *mapping = &def->mappings[j];
            served_action *action = action_find(mapper, items[i].entity, mapping->action);
            if (mapping->key != NULL && kn_input_key_number(mapper, mapping->key) == 0) {
                return false;
            }
            if (action != NULL) {
                continue;
            }
            action = list_add(&mapper->actions, sizeof(*action));
            if (action == NULL) {
                return false;
            }
            action->entity = items[i].entity;
            action->action = mapping->action;
            action->version = items[i].version;
        }
    }
    return list_reserve(&mapper->payloads, mapper->actions.count, sizeof(kn_action_command));
}

// What was sent to entities that are not served any more, or have another controller, is void.
static void actions_forget(
    kn_input_mapper *mapper, const kn_world *world, const kn_entity_id *entities, uint32_t count)
{
    for (uint32_t i = mapper->actions.count; i-- > 0;) {
        served_action *action = (served_action *)mapper->actions.items + i;
        kn_controller controller;
        bool is_served = false;
        for (uint32_t j = 0; j < count; j++) {
            is_served = is_served || kn_entity_id_equal(entities[j], action->entity);
        }
        if (!is_served || !kn_capability_get_controller(world, action->entity, &controller)) {
            list_remove(&mapper->actions, i, sizeof(*action));
        } else if (controller.version != action->version) {
            action->version = controller.version;
            action->sent = (kn_vec3){0.0f, 0.0f, 0.0f};
        }
    }
}

kn_result kn_input_mapper_serve(
    kn_input_mapper *mapper, const kn_world *world, const kn_entity_id *entities, uint32_t count)
{
    if (mapper == NULL || world == NULL || kn_world_library(world) != mapper->library ||
        (entities == NULL && count > 0)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    list contexts = {0};
    bool is_done = true;
    for (uint32_t i = 0; i < count && is_done; i++) {
        is_done = entity_serve(mapper, &contexts, world, entities[i]);
    }
    if (!is_done || !actions_add(mapper, &contexts)) {
        free(contexts.items);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    free(mapper->contexts.items);
    mapper->contexts = contexts;
    mapper->clock++;
    actions_forget(mapper, world, entities, count);
    return KN_OK;
}

// Commands --------------------------------------------------------------------------------

// What a key gives, with its deadzone and scale.
static float key_value(const kn_input_mapping *mapping, float value)
{
    float size = fabsf(value);
    if (size <= mapping->deadzone) {
        return 0.0f;
    }
    size = (size - mapping->deadzone) / (1.0f - mapping->deadzone);
    return (value < 0.0f ? -size : size) * mapping->scale;
}

static void mapping_add(const kn_input_mapper *mapper, const served_context *context,
    const kn_input_mapping *mapping, key_state *key)
{
    served_action *action = action_find(mapper, context->entity, mapping->action);
    if (action == NULL || (key->is_taken && key->taken_by > context->priority)) {
        return;
    }
    key->is_taken = true;
    key->taken_by = context->priority;
    key->owner = key->owner > context->priority ? key->owner : context->priority;
    bool is_button =
        kn_input_action_get_def(mapper->library, mapping->action)->kind == KN_INPUT_KIND_BUTTON;
    if (is_button && (key->pressed < context->since || key->owner > context->priority)) {
        return; // it was pressed for something else
    }
    float *const axes[] = {&action->value.x, &action->value.y, &action->value.z};
    *axes[mapping->axis] += key_value(mapping, key->value);
}

static void values_find(kn_input_mapper *mapper)
{
    key_state *keys = mapper->keys.items;
    served_action *actions = mapper->actions.items;
    const served_context *contexts = mapper->contexts.items;
    for (uint32_t i = 0; i < mapper->keys.count; i++) {
        keys[i].is_taken = false;
    }
    for (uint32_t i = 0; i < mapper->actions.count; i++) {
        actions[i].value = (kn_vec3){0.0f, 0.0f, 0.0f};
    }
    for (uint32_t i = 0; i < mapper->contexts.count; i++) {
        const kn_input_context_def *def =
            kn_input_context_get_def(mapper->library, contexts[i].context);
        for (uint32_t j = 0; j < def->mapping_count; j++) {
            key_state *key = key_find(mapper, mapped_key(mapper, contexts[i].context, def, j));
            if (key != NULL) {
                mapping_add(mapper, &contexts[i], &def->mappings[j], key);
            }
        }
    }
}

uint32_t kn_input_mapper_commands(kn_input_mapper *mapper, kn_command *out, uint32_t capacity)
{
    uint32_t count = 0;
    if (mapper == NULL || out == NULL) {
        return 0;
    }
    values_find(mapper);
    for (uint32_t i = 0; i < mapper->actions.count && count < capacity; i++) {
        served_action *action = (served_action *)mapper->actions.items + i;
        kn_vec3 value = knc_capability_input_shape(
            kn_input_action_get_def(mapper->library, action->action), action->value);
        if (value.x == action->sent.x && value.y == action->sent.y && value.z == action->sent.z) {
            continue;
        }
        kn_action_command *payload = (kn_action_command *)mapper->payloads.items + count;
        *payload = (kn_action_command){action->action, value};
        action->sent = value;
        out[count++] = (kn_command){
            .type = knc_capability_kit_of(mapper->library)->act,
            .connection = mapper->connection,
            .entity = action->entity,
            .payload = payload,
            .size = sizeof(*payload),
        };
    }
    return count;
}
