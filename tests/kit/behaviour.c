// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Behaviours: a component with a list says which ones an entity has, a system lets them act in
// order, and a component that may be there several times is one block each.

#include "parts.h"

#include <stdio.h>
#include <string.h>

#define BEHAVIOUR_RATE 10 // runs of the system in a second
#define CLAIMS_MAX 16     // behaviours of one entity that can claim something in one run

// What an entity has of one behaviour. The list is the component `Kit.Behaviours`.
typedef struct behaviour_item {
    behaviour_id behaviour;
    behaviour_state state;
    uint32_t waited; // runs since it acted
    uint32_t acts;   // how often it has acted
} behaviour_item;

typedef struct behaviour_list {
    uint32_t runs; // of the system since the entity has behaviours
} behaviour_list;

// One block. The component is `Kit.Block`, and an entity may have any number of them.
typedef struct behaviour_block {
    kn_entity_id source;
    kn_tag tag;
    uint32_t unused;
} behaviour_block;

static const char *const behaviour_state_words[] = {"idle", "acting", "waiting", "blocked"};

static const kn_field behaviour_list_fields[] = {
    KN_FIELD(behaviour_list, runs, KN_FIELD_U32),
};
static const kn_field behaviour_item_fields[] = {
    KN_FIELD_TO(behaviour_item, behaviour, "behaviour"),
    {.name = "state",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(behaviour_item, state),
        .refers_to = "behaviour_state"},
    KN_FIELD(behaviour_item, waited, KN_FIELD_U32),
    KN_FIELD(behaviour_item, acts, KN_FIELD_U32),
};
static const kn_field behaviour_block_fields[] = {
    KN_FIELD(behaviour_block, source, KN_FIELD_ENTITY),
    KN_FIELD(behaviour_block, tag, KN_FIELD_TAG),
    KN_FIELD(behaviour_block, unused, KN_FIELD_U32),
};

// A block ends with its source.
static const kn_component_reference behaviour_block_references[] = {
    {.field = "source", .when_destroyed = KN_REFERENCE_REMOVE},
};

typedef struct behaviour_changed {
    behaviour_id behaviour;
    behaviour_state state;
} behaviour_changed;

static const kn_field behaviour_changed_fields[] = {
    KN_FIELD_TO(behaviour_changed, behaviour, "behaviour"),
    {.name = "state",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(behaviour_changed, state),
        .refers_to = "behaviour_state"},
};

// The definition ----------------------------------------------------------------

#define BEHAVIOUR_COOKIE 0x76686562u

behaviour_def behaviour_def_default(void)
{
    behaviour_def def = {.every = 1, .cookie = BEHAVIOUR_COOKIE};
    return def;
}

static void behaviour_init(void *def)
{
    *(behaviour_def *)def = behaviour_def_default();
}

static const kn_def_field behaviour_fields[] = {
    KN_DEF_F(behaviour_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F(behaviour_def, order, KN_FIELD_I32,
        "The behaviour with the lower order acts first, then the one defined first; default 0."),
    KN_DEF_F(behaviour_def, every, KN_FIELD_U32,
        "It acts in every nth run; there are 10 in a second; default 1."),
    KN_DEF_F(behaviour_def, tag, KN_FIELD_TAG, "Blocks of this tag, or of a parent, stop it."),
    KN_DEF_F(behaviour_def, claims, KN_FIELD_TAG,
        "What it needs for itself, such as the legs: those behind it that need the same wait."),
    KN_DEF_F_REF(behaviour_def, when, KN_DEF_CONDITION,
        "A condition that must hold; instigator and target are the entity."),
    KN_DEF_F_REF(behaviour_def, effect, KN_DEF_EFFECT, "What the entity applies to itself."),
    KN_DEF_F_REF(behaviour_def, ability, KN_DEF_ABILITY, "An ability that the entity activates."),
    KN_DEF_F(behaviour_def, act, KN_DEF_FIELD_POINTER, NULL),
    KN_DEF_F(behaviour_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table behaviour_table = {"behaviour_def", sizeof(behaviour_def),
    behaviour_fields, sizeof(behaviour_fields) / sizeof(*behaviour_fields), behaviour_init};

static kn_result behaviour_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const behaviour_def *def = item;
    (void)user;
    (void)library;
    if (def->every == 0) {
        (void)snprintf(error->message, sizeof(error->message),
            "behaviour `%s`: `every` must be at least 1", def->name);
        return KN_ERROR_BAD_DATA;
    }
    return KN_OK;
}

kn_result behaviour_register(
    kn_library *library, const behaviour_def *def, behaviour_id *id, kn_error *error)
{
    return kn_def_register(library, kit_of(library)->behaviour.kind, def, &id->index1, error);
}

behaviour_id behaviour_find(const kn_library *library, const char *name)
{
    return (behaviour_id){kn_def_find(library, kit_of(library)->behaviour.kind, name)};
}

static const behaviour_def *behaviour_get(const kn_library *library, behaviour_id id)
{
    return kn_def_get(library, kit_of(library)->behaviour.kind, id.index1);
}

// Having them ---------------------------------------------------------------------

static const behaviour_ids *ids_of(const kn_world *world)
{
    return &kit_of(kn_world_library(world))->behaviour;
}

kn_result behaviour_add(kn_world *world, kn_entity_id entity, behaviour_id id)
{
    kn_component_type_id type = ids_of(world)->list;
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (behaviour_get(kn_world_library(world), id) == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (behaviour_read(world, entity, id, NULL, NULL)) {
        return KN_REFUSED_DUPLICATE;
    }
    uint32_t count = 0;
    behaviour_item *items;
    if (kn_component_add(world, type, entity) == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    (void)kn_component_read_items(world, type, entity, &count);
    items = kn_component_resize(world, type, entity, count + 1);
    if (items == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    items[count].behaviour = id;
    return KN_OK;
}

bool behaviour_remove(kn_world *world, kn_entity_id entity, behaviour_id id)
{
    kn_component_type_id type = ids_of(world)->list;
    uint32_t count = 0;
    behaviour_item *items = kn_component_items(world, type, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].behaviour.index1 == id.index1) {
            memmove(&items[i], &items[i + 1], (count - i - 1) * sizeof(*items));
            (void)kn_component_resize(world, type, entity, count - 1);
            return true;
        }
    }
    return false;
}

bool behaviour_read(const kn_world *world, kn_entity_id entity, behaviour_id id,
    behaviour_state *state, uint32_t *acts)
{
    uint32_t count = 0;
    const behaviour_item *items =
        kn_component_read_items(world, ids_of(world)->list, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].behaviour.index1 == id.index1) {
            if (state != NULL) {
                *state = items[i].state;
            }
            if (acts != NULL) {
                *acts = items[i].acts;
            }
            return true;
        }
    }
    return false;
}

// Blocks ------------------------------------------------------------------------------

// The block of a tag by a source; null if there is none.
static kn_component_id block_find(
    const kn_world *world, kn_entity_id entity, kn_tag tag, kn_entity_id source)
{
    kn_component_type_id type = ids_of(world)->block;
    kn_component_id id = {0};
    while ((id = kn_component_instance_next(world, type, entity, id)).index1 != 0) {
        const behaviour_block *block = kn_component_instance_read(world, type, id);
        if (kn_tag_equal(block->tag, tag) && kn_entity_id_equal(block->source, source)) {
            break;
        }
    }
    return id;
}

kn_result behaviour_block_add(kn_world *world, kn_entity_id entity, kn_tag tag, kn_entity_id source)
{
    kn_component_type_id type = ids_of(world)->block;
    kn_component_id id;
    if (tag.index1 == 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (source.index1 != 0 && !kn_entity_is_alive(world, source)) {
        return KN_REFUSED_STALE_ID;
    }
    if (block_find(world, entity, tag, source).index1 != 0) {
        return KN_REFUSED_DUPLICATE;
    }
    kn_result result = kn_component_instance_add(world, type, entity, &id);
    if (result != KN_OK) {
        return result;
    }
    behaviour_block *block = kn_component_instance_get(world, type, id);
    block->tag = tag;
    block->source = source;
    return KN_OK;
}

bool behaviour_block_remove(kn_world *world, kn_entity_id entity, kn_tag tag, kn_entity_id source)
{
    return kn_component_instance_remove(
        world, ids_of(world)->block, block_find(world, entity, tag, source));
}

bool behaviour_is_blocked(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    const kn_library *library = kn_world_library(world);
    kn_component_type_id type = ids_of(world)->block;
    kn_component_id id = {0};
    while ((id = kn_component_instance_next(world, type, entity, id)).index1 != 0) {
        const behaviour_block *block = kn_component_instance_read(world, type, id);
        if (kn_tag_matches(library, tag, block->tag)) {
            return true;
        }
    }
    return false;
}

uint32_t behaviour_blocks_by(const kn_world *world, kn_entity_id source)
{
    return kn_component_referrers(world, ids_of(world)->block, 0, source, NULL, 0);
}

// Ticking ---------------------------------------------------------------------------

// Claims of those that have acted in the run of one entity.
typedef struct behaviour_claims {
    kn_tag tags[CLAIMS_MAX];
    uint32_t count;
} behaviour_claims;

static bool is_before(const kn_library *library, behaviour_id a, behaviour_id b)
{
    int32_t order_a = behaviour_get(library, a)->order, order_b = behaviour_get(library, b)->order;
    return order_a != order_b ? order_a < order_b : a.index1 < b.index1;
}

// The item that follows `last`, or the first. Looks for it each time: what acts may add and remove
// behaviours, and a reload may change their order.
static behaviour_item *item_after(kn_world *world, kn_entity_id entity, behaviour_id last)
{
    const kn_library *library = kn_world_library(world);
    uint32_t count = 0;
    behaviour_item *items = kn_component_items(world, ids_of(world)->list, entity, &count);
    behaviour_item *next = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].behaviour.index1 == 0) {
            continue; // a script may have added an item that names nothing
        }
        if ((last.index1 == 0 || is_before(library, last, items[i].behaviour)) &&
            (next == NULL || is_before(library, items[i].behaviour, next->behaviour))) {
            next = &items[i];
        }
    }
    return next;
}

static bool is_claimed(const behaviour_claims *claims, kn_tag tag)
{
    for (uint32_t i = 0; i < claims->count; i++) {
        if (kn_tag_equal(claims->tags[i], tag)) {
            return true;
        }
    }
    return false;
}

static behaviour_state behaviour_decide(const kn_world *world, kn_entity_id entity,
    const behaviour_def *def, const behaviour_claims *claims)
{
    if (def->tag.index1 != 0 && behaviour_is_blocked(world, entity, def->tag)) {
        return BEHAVIOUR_BLOCKED;
    }
    if (def->when.index1 != 0) {
        kn_event_record record = kn_event_record_default();
        record.instigator = entity;
        record.target = entity;
        if (!kn_condition_holds(world, def->when, &record)) {
            return BEHAVIOUR_IDLE;
        }
    }
    return def->claims.index1 != 0 && is_claimed(claims, def->claims) ? BEHAVIOUR_WAITING
                                                                      : BEHAVIOUR_ACTING;
}

static void behaviour_act(kn_world *world, kn_entity_id entity, behaviour_id id)
{
    const behaviour_ids *ids = ids_of(world);
    const behaviour_def *def = behaviour_get(kn_world_library(world), id);
    kn_cause_link link = {
        .type = ids->cause, .entity = entity, .def_kind = (uint32_t)ids->kind, .def1 = id.index1};
    kn_cause previous;
    if (kn_cause_open(world, &link, &previous) != KN_OK) {
        return;
    }
    if (def->effect.index1 != 0) {
        (void)kn_effect_apply_simple(world, def->effect, entity, entity, 1.0f, NULL);
    }
    if (def->ability.index1 != 0) {
        (void)kn_ability_activate_type(world, entity, def->ability, NULL);
    }
    if (def->act != NULL) {
        def->act(world, entity);
    }
    kn_cause_close(world, previous);
}

static void behaviours_run(kn_world *world, kn_entity_id entity)
{
    const behaviour_ids *ids = ids_of(world);
    const kn_library *library = kn_world_library(world);
    behaviour_claims claims = {.count = 0};
    behaviour_id last = {0};
    behaviour_item *item;
    ((behaviour_list *)kn_component_get(world, ids->list, entity))->runs++;
    while ((item = item_after(world, entity, last)) != NULL) {
        last = item->behaviour;
        const behaviour_def *def = behaviour_get(library, last);
        behaviour_changed event = {last, behaviour_decide(world, entity, def, &claims)};
        bool has_changed = item->state != event.state;
        item->state = event.state;
        bool is_due = event.state == BEHAVIOUR_ACTING && ++item->waited >= def->every;
        if (is_due) {
            item->waited = 0;
            item->acts++;
        }
        if (event.state == BEHAVIOUR_ACTING && def->claims.index1 != 0 &&
            claims.count < CLAIMS_MAX) {
            claims.tags[claims.count++] = def->claims;
        }
        if (has_changed) {
            (void)kn_world_publish(world, entity, ids->changed, &event);
        }
        if (is_due) {
            behaviour_act(world, entity, last); // `item` is not valid after this
        }
    }
}

static void behaviour_system(void *user, kn_world *world, const kn_system_run *run)
{
    kn_component_type_id type = ids_of(world)->list;
    kn_entity_id entity = {0};
    (void)user;
    (void)run;
    while ((entity = kn_component_next(world, type, entity)).index1 != 0) {
        behaviours_run(world, entity);
    }
}

// Registration ------------------------------------------------------------------------

static kn_result behaviour_components_register(
    kn_library *library, behaviour_ids *ids, kn_error *error)
{
    kn_component_def list = kn_component_def_default();
    list.name = "Kit.Behaviours";
    list.size = sizeof(behaviour_list);
    list.fields = behaviour_list_fields;
    list.field_count = 1;
    list.item_size = sizeof(behaviour_item);
    list.item_fields = behaviour_item_fields;
    list.item_field_count = 4;
    kn_component_def block = kn_component_def_default();
    block.name = "Kit.Block";
    block.size = sizeof(behaviour_block);
    block.fields = behaviour_block_fields;
    block.field_count = 3;
    block.several = true;
    block.references = behaviour_block_references;
    block.reference_count = 1;
    kn_result result = kn_component_register(library, &list, &ids->list, error);
    return result != KN_OK ? result : kn_component_register(library, &block, &ids->block, error);
}

kn_result behaviour_part_register(kn_library *library, kit *own, kn_error *error)
{
    behaviour_ids *ids = &own->behaviour;
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "behaviour";
    kind.section = "behaviours";
    kind.table = &behaviour_table;
    kind.text = "What units do by themselves, ten times a second and in order.";
    kind.check = behaviour_check;
    kn_custom_event_def changed = kn_custom_event_def_default();
    changed.name = "BehaviourChanged";
    changed.size = sizeof(behaviour_changed);
    changed.fields = behaviour_changed_fields;
    changed.field_count = 2;
    changed.text = "{behaviour} is {state}";
    kn_system_def system = kn_system_def_default();
    system.name = "Kit.Behaviours";
    system.rate = BEHAVIOUR_RATE;
    system.group = KN_SYSTEM_GROUP_RULES;
    system.function = behaviour_system;
    kn_result result = kn_kind_register(library, &kind, &ids->kind, error);
    if (result == KN_OK) {
        result = kn_enum_register(library, "behaviour_state", behaviour_state_words, 4, error);
    }
    if (result == KN_OK) {
        result = behaviour_components_register(library, ids, error);
    }
    if (result == KN_OK) {
        result = kn_custom_event_register(library, &changed, &ids->changed, error);
    }
    if (result == KN_OK) {
        result = kn_cause_type_register(
            library, "behaviour", "behaviour {def} of {entity}", &ids->cause, error);
    }
    return result != KN_OK ? result : kn_system_register(library, &system, &ids->system, error);
}
