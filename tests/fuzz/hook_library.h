// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A random library of which every hook does whatever a stream of the world tells it, out of every
// call that changes a world. All of it is state: hooks know no pointers and no globals, so that a
// rollback, a loaded save or a twin repeats it.
#ifndef KNACK_HOOK_LIBRARY_H
#define KNACK_HOOK_LIBRARY_H

#include "fuzz_input.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHIM = 0, // the stream that hooks draw from
    TAGS = 8,
    ATTRIBUTES = 6,
    SETS = 2,
    EFFECTS = 10,
    ABILITIES = 6,
    KEPT = 4,      // specs and timers that are remembered
    FUEL_MAX = 12, // deeds of all hooks at one moment
    ENTITIES_MAX = 12,
    EFFECTS_MAX = 16, // of an entity
    ABILITIES_MAX = 10,
    TASKS_MAX = 40,
};

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "hooks: %s\n", what);
        abort();
    }
}

// A number with its lowest byte first in memory, or back: for bytes whose fields the library does
// not know, so that they are the same on every machine.
static uint32_t little(uint32_t number)
{
    const uint8_t bytes[4] = {
        (uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24)};
    memcpy(&number, bytes, sizeof(number));
    return number;
}

// Results of deeds do not matter: the world says no as often as it likes.
static inline void done(kn_result result)
{
    (void)result;
}

// What is remembered, as components ------------------------------------------

// Of the world.
typedef struct fuel {
    kn_time at;
    uint32_t left;
    uint32_t next;
    uint32_t spec_index[KEPT], spec_generation[KEPT];
    uint32_t timer_index[KEPT], timer_generation[KEPT];
} fuel;

static const kn_field fuel_fields[] = {
    KN_FIELD_INIT("at", KN_FIELD_TIME, offsetof(fuel, at), 1),
    KN_FIELD_INIT("left", KN_FIELD_U32, offsetof(fuel, left), 1),
    KN_FIELD_INIT("next", KN_FIELD_U32, offsetof(fuel, next), 1),
    KN_FIELD_INIT("spec_index", KN_FIELD_U32, offsetof(fuel, spec_index), KEPT),
    KN_FIELD_INIT("spec_generation", KN_FIELD_U32, offsetof(fuel, spec_generation), KEPT),
    KN_FIELD_INIT("timer_index", KN_FIELD_U32, offsetof(fuel, timer_index), KEPT),
    KN_FIELD_INIT("timer_generation", KN_FIELD_U32, offsetof(fuel, timer_generation), KEPT),
};

// Of entities.
typedef struct note {
    kn_entity_id who;
    kn_effect_id effect;
    uint32_t count;
    float number;
} note;

static const kn_field note_fields[] = {
    KN_FIELD_INIT("who", KN_FIELD_ENTITY, offsetof(note, who), 1),
    KN_FIELD_INIT("effect", KN_FIELD_EFFECT, offsetof(note, effect), 1),
    KN_FIELD_INIT("count", KN_FIELD_U32, offsetof(note, count), 1),
    KN_FIELD_INIT("number", KN_FIELD_F32, offsetof(note, number), 1),
};

// Of effects with logic, abilities and tasks.
typedef struct diary {
    uint32_t begun, ended, last;
    float number;
} diary;

static const kn_field diary_fields[] = {
    KN_FIELD_INIT("begun", KN_FIELD_U32, offsetof(diary, begun), 1),
    KN_FIELD_INIT("ended", KN_FIELD_U32, offsetof(diary, ended), 1),
    KN_FIELD_INIT("last", KN_FIELD_U32, offsetof(diary, last), 1),
    KN_FIELD_INIT("number", KN_FIELD_F32, offsetof(diary, number), 1),
};

#define FUEL ((kn_component_type_id){1})
#define NOTE ((kn_component_type_id){2})
#define PAYLOAD ((kn_context_type_id){1})

static fuel *fuel_of(kn_world *world)
{
    fuel *f = kn_component_add(world, FUEL, (kn_entity_id){0});
    must(f != NULL, "memory");
    return f;
}

static void fuel_fill(kn_world *world)
{
    fuel *f = fuel_of(world);
    f->at = kn_world_now(world);
    f->left = FUEL_MAX;
}

// Hooks of one moment share what there is, however the steps are cut.
static bool fuel_take(kn_world *world)
{
    fuel *f = fuel_of(world);
    if (f->at != kn_world_now(world)) {
        f->at = kn_world_now(world);
        f->left = FUEL_MAX;
    }
    if (f->left == 0) {
        return false;
    }
    f->left--;
    return true;
}

// Choices ----------------------------------------------------------------------

static uint32_t whim(kn_world *world, uint32_t bound)
{
    return kn_random_below(world, WHIM, bound);
}

static kn_tag some_tag(kn_world *world)
{
    return (kn_tag){1 + whim(world, kn_tag_count(kn_world_library(world)))};
}

static kn_attribute_id some_attribute(kn_world *world)
{
    return (kn_attribute_id){1 + whim(world, ATTRIBUTES)};
}

static kn_attribute_set_id some_set(kn_world *world)
{
    return (kn_attribute_set_id){1 + whim(world, SETS)};
}

static kn_effect_type_id some_type(kn_world *world)
{
    return (kn_effect_type_id){1 + whim(world, EFFECTS)};
}

static kn_ability_type_id some_ability_type(kn_world *world)
{
    return (kn_ability_type_id){1 + whim(world, ABILITIES)};
}

// Who is here, or anybody.
static kn_entity_id somebody(kn_world *world, kn_entity_id here)
{
    uint32_t count = kn_entity_count(world);
    if (count == 0 || (kn_entity_is_alive(world, here) && whim(world, 2) == 0)) {
        return here;
    }
    kn_entity_id entity = {0};
    for (uint32_t i = 1 + whim(world, count); i > 0; i--) {
        entity = kn_entity_next(world, entity);
    }
    return entity;
}

static kn_effect_id some_effect(kn_world *world, kn_entity_id entity)
{
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id found[EFFECTS_MAX] = {{0, 0}};
    uint32_t count = kn_effects_find(world, entity, &query, found, EFFECTS_MAX);
    return count == 0 ? found[0] : found[whim(world, count < EFFECTS_MAX ? count : EFFECTS_MAX)];
}

static kn_ability_id some_ability(kn_world *world, kn_entity_id entity)
{
    kn_ability_id found[ABILITIES_MAX] = {{0, 0}};
    uint32_t count = kn_abilities_find(world, entity, NULL, found, ABILITIES_MAX);
    return count == 0 ? found[0]
                      : found[whim(world, count < ABILITIES_MAX ? count : ABILITIES_MAX)];
}

static kn_activation_id some_activation(kn_world *world, kn_entity_id entity)
{
    kn_activation_id found[8] = {{0, 0}};
    uint32_t count = kn_activations(world, entity, found, 8);
    return count == 0 ? found[0] : found[whim(world, count < 8 ? count : 8)];
}

static kn_task_id some_task(kn_world *world, kn_entity_id entity)
{
    kn_task_id found[8] = {{0, 0}};
    uint32_t count = kn_tasks(world, some_activation(world, entity), found, 8);
    return count == 0 ? found[0] : found[whim(world, count < 8 ? count : 8)];
}

static kn_removal_reason some_reason(kn_world *world)
{
    return (kn_removal_reason)(1 + whim(world, KN_REMOVAL_REASON_COUNT - 1));
}

static kn_spec_id kept_spec(kn_world *world)
{
    uint32_t i = whim(world, KEPT);
    const fuel *f = fuel_of(world);
    return (kn_spec_id){f->spec_index[i], f->spec_generation[i]};
}

// Deeds ------------------------------------------------------------------------

static void deed_effects(kn_world *world, kn_entity_id here)
{
    kn_entity_id entity = somebody(world, here);
    kn_effect_id effect = some_effect(world, entity);
    kn_effect_query query = kn_effect_query_default();
    kn_time time = KN_MS(whim(world, 400));
    switch (whim(world, 16)) {
    case 0:
    case 1:
        done(kn_effect_remove(world, effect, 0, some_reason(world)));
        break;
    case 2:
        done(kn_effect_remove(world, effect, 1, some_reason(world)));
        break;
    case 3:
        query.type = some_type(world);
        done(kn_effects_remove(world, entity, &query, whim(world, 3), KN_REMOVED_BY_CALL, NULL));
        break;
    case 4: {
        kn_tag tag = some_tag(world);
        query.any_tags = (kn_tags){&tag, 1};
        done(kn_effects_remove(world, entity, &query, 0, KN_REMOVED_DISPELLED, NULL));
        break;
    }
    case 5:
        done(kn_effect_set_stacks(world, effect, whim(world, 6)));
        break;
    case 6:
        done(kn_effect_set_remaining(world, effect, time - KN_MS(50)));
        break;
    case 7:
        done(kn_effect_add_remaining(world, effect, time - KN_MS(200), -1));
        break;
    case 8:
        done(kn_effect_scale_remaining(world, effect, (float)whim(world, 4) * 0.5f));
        break;
    case 9:
        done(kn_effect_set_total(world, effect, time));
        break;
    case 10:
        done(kn_effect_restart(world, effect, time));
        break;
    case 11:
        done(kn_effect_set_level(world, effect, (float)whim(world, 6)));
        break;
    case 12:
        done(kn_effect_set_caller_value(world, effect, some_tag(world), 4.0f));
        break;
    case 13:
        done(kn_effect_refresh(world, effect));
        break;
    default:
        done(kn_effect_execute(world, effect));
        break;
    }
}

static void deed_apply(kn_world *world, kn_entity_id here)
{
    kn_entity_id target = somebody(world, here), source = somebody(world, here);
    if (kn_effects_count(world, target) >= EFFECTS_MAX) {
        return;
    }
    kn_effect_apply_def def = kn_effect_apply_def_default();
    // One choice a statement: the order within one is the compiler's.
    kn_caller_value value = {some_tag(world), 3.0f};
    kn_tag tags[2];
    tags[0] = some_tag(world);
    tags[1] = some_tag(world);
    uint32_t payload[4] = {little(whim(world, 5)), 0, 0, little(0x3f800000u)}; // 1.0f
    kn_effect_context context = {.payload_type = PAYLOAD, .payload = payload};
    context.instigator = somebody(world, here);
    context.causer = somebody(world, here);
    context.source_object = whim(world, 3);
    def.type = some_type(world);
    def.target = target;
    def.source = source;
    def.level = (float)(1 + whim(world, 4));
    def.stacks = whim(world, 4);
    def.caller_values = &value;
    def.caller_value_count = 1;
    def.dynamic_granted_tags = (kn_tags){tags, whim(world, 4) == 0 ? 1u : 0u};
    def.dynamic_asset_tags = (kn_tags){tags + 1, whim(world, 4) == 0 ? 1u : 0u};
    def.context = &context;
    kn_spec_id spec;
    kn_effect_id effect;
    switch (whim(world, 6)) {
    case 0:
    case 1:
        done(kn_effect_apply(world, &def, &effect));
        break;
    case 2:
        done(kn_effect_apply_simple(world, def.type, source, target, 1.0f, NULL));
        break;
    case 3:
        if (kn_spec_create(world, &def, &spec) == KN_OK) {
            uint32_t i = whim(world, KEPT);
            fuel *f = fuel_of(world);
            kn_spec_id old = {f->spec_index[i], f->spec_generation[i]};
            f->spec_index[i] = spec.index1;
            f->spec_generation[i] = spec.generation;
            kn_spec_destroy(world, old);
        }
        break;
    case 4:
        done(kn_spec_apply(world, kept_spec(world), target, &effect));
        break;
    default: {
        kn_container_apply_def apply = kn_container_apply_def_default();
        apply.container.index1 = 1;
        apply.source = source;
        apply.targets = &target;
        apply.target_count = 1;
        done(kn_container_apply(world, &apply, NULL));
        break;
    }
    }
}

static void spawn(kn_world *world)
{
    if (kn_entity_count(world) >= ENTITIES_MAX) {
        return;
    }
    kn_entity_id entity;
    if (whim(world, 2) == 0) {
        done(kn_archetype_spawn(world, (kn_archetype_id){1}, (float)(1 + whim(world, 3)), &entity));
    } else if (kn_entity_create(world, &entity) == KN_OK && whim(world, 2) == 0) {
        done(kn_attribute_set_add(world, entity, some_set(world), 0));
    }
}

static void deed_entities(kn_world *world, kn_entity_id here)
{
    kn_entity_id entity = somebody(world, here), other = somebody(world, here);
    if (whim(world, 4) == 0) {
        other = (kn_entity_id){0};
    }
    kn_attribute_set_id set = some_set(world);
    kn_attribute_id attribute = some_attribute(world);
    uint32_t key = whim(world, 4) == 0;
    switch (whim(world, 14)) {
    case 0:
        if (whim(world, 3) == 0) {
            (void)kn_entity_destroy(world, entity);
        }
        break;
    case 1:
    case 2:
        spawn(world);
        break;
    case 3:
    case 4:
        done(kn_attribute_set_add(world, entity, set, key));
        break;
    case 5:
        done(kn_attribute_set_remove(world, entity, set, key));
        break;
    case 6:
    case 7:
        done(kn_entity_set_owner(world, entity, other));
        break;
    case 8:
        done(kn_entity_set_parent(world, entity, other));
        break;
    case 9:
        done(kn_entity_set_avatar(world, entity, other));
        break;
    case 10:
        done(kn_attribute_init(world, entity, attribute, 0, (float)whim(world, 60) - 10.0f));
        break;
    default:
        done(kn_attribute_set_base(world, entity, attribute, 0, (float)whim(world, 80) - 10.0f));
        break;
    }
}

static void deed_tags(kn_world *world, kn_entity_id here)
{
    kn_entity_id entity = somebody(world, here);
    kn_tag tag = some_tag(world);
    kn_event_record record = kn_event_record_default();
    kn_event_outcome outcome;
    kn_tag tags[2];
    tags[0] = some_tag(world);
    tags[1] = some_tag(world);
    kn_target_data data = {0};
    kn_target_entity target = {somebody(world, here)};
    record.tags = (kn_tags){tags, 2};
    record.instigator = somebody(world, here);
    record.target = entity;
    record.magnitude = (float)whim(world, 12);
    if (whim(world, 2) == 0 &&
        kn_target_add(kn_world_library(world), &data, kn_target_type_entity(), &target) == KN_OK) {
        record.data = data.bytes;
        record.data_size = data.size;
    }
    switch (whim(world, 10)) {
    case 0:
    case 1:
        done(kn_entity_add_tag(world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1));
        break;
    case 2:
    case 3:
        done(kn_entity_remove_tag(world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1));
        break;
    case 4:
        done(kn_entity_set_tag_count(world, entity, tag, KN_TAG_ORIGIN_LOOSE, whim(world, 3)));
        break;
    case 5:
    case 6:
        done(kn_event_send(world, entity, tag, &record));
        break;
    case 7:
        record.kind.index1 = 2;
        done(kn_event_run(world, &record, &outcome));
        break;
    case 8:
        done(kn_ability_activate(world, some_ability(world, entity), &record, NULL));
        break;
    default: {
        kn_cue_params params = kn_cue_params_default();
        params.activation = some_activation(world, entity);
        done(whim(world, 2) == 0 ? kn_cue_add(world, entity, tag, &params)
                                 : kn_cue_remove(world, entity, tag));
        break;
    }
    }
}

static void deed_grants(kn_world *world, kn_entity_id here)
{
    kn_entity_id entity = somebody(world, here);
    kn_ability_id ability = some_ability(world, entity), granted;
    kn_grant_removal removal = (kn_grant_removal)whim(world, 3);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_tag tag = some_tag(world);
    grant.type = some_ability_type(world);
    grant.share = whim(world, 3) == 0;
    grant.dynamic_tags = (kn_tags){&tag, whim(world, 3) == 0 ? 1u : 0u};
    bool has_room = kn_abilities_find(world, entity, NULL, NULL, 0) < ABILITIES_MAX;
    switch (whim(world, 14)) {
    case 0:
    case 1:
    case 2:
        if (has_room) {
            done(kn_ability_grant(world, entity, &grant, &granted));
        }
        break;
    case 3:
        if (has_room) {
            done(kn_ability_grant_once(world, entity, &grant, NULL, &granted));
        }
        break;
    case 4:
        done(kn_ability_revoke(world, ability, removal));
        break;
    case 5:
        done(kn_ability_remove(world, ability, removal));
        break;
    case 6: {
        kn_ability_query query = kn_ability_query_default();
        query.type = grant.type;
        (void)kn_abilities_remove(world, entity, &query, removal);
        break;
    }
    case 7:
        if (has_room) {
            done(kn_ability_set_grant(world, entity, (kn_ability_set_id){1}, NULL, 0));
        }
        break;
    case 8:
        done(kn_ability_set_remove(world, entity, (kn_ability_set_id){1}, removal));
        break;
    case 9:
        done(kn_ability_set_level(world, &ability, (float)whim(world, 4)));
        break;
    case 10:
        done(whim(world, 2) == 0 ? kn_ability_add_tag(world, ability, tag)
                                 : kn_ability_remove_tag(world, ability, tag));
        break;
    case 11:
        done(kn_ability_add_charges(world, ability, (kn_tag){0}, (int32_t)whim(world, 5) - 2));
        break;
    case 12:
        done(kn_ability_set_caller_value(world, ability, tag, (float)whim(world, 4)));
        break;
    default:
        done(kn_ability_set_input(world, ability, whim(world, 4)));
        break;
    }
}

static void wait_for_something(kn_world *world, kn_entity_id here)
{
    kn_activation_id activation = some_activation(world, here);
    if (kn_task_count(world) >= TASKS_MAX) {
        return;
    }
    uint32_t kind =
        whim(world, 3) == 0 ? (uint32_t)KN_TASK_CUSTOM : 1 + whim(world, KN_TASK_KIND_COUNT - 1);
    kn_task_def def = kn_task_def_default((kn_task_kind)kind);
    def.type.index1 = 1;
    def.delay = KN_MS(whim(world, 200));
    def.interval = KN_MS(20 + whim(world, 200));
    def.count = whim(world, 4);
    def.tag = some_tag(world);
    def.attribute = some_attribute(world);
    def.value = (float)whim(world, 60);
    def.effect_type = some_type(world);
    def.effect = some_effect(world, here);
    def.repeats = whim(world, 4) == 0;
    def.timeout = KN_MS(whim(world, 300));
    def.animation.index1 = 1;
    def.targeting.index1 = 1;
    def.confirm = (kn_confirm)whim(world, KN_CONFIRM_COUNT);
    def.resource = whim(world, 3) == 0 ? some_tag(world) : (kn_tag){0};
    def.conflict = (kn_task_conflict)whim(world, KN_TASK_CONFLICT_COUNT);
    def.label = kind;
    if (kind == KN_TASK_SPAWN && kn_entity_count(world) >= ENTITIES_MAX) {
        return;
    }
    kn_task_id task;
    done(whim(world, 8) == 0 ? kn_task_create(world, activation, &def, &task)
                             : kn_task_run(world, activation, &def, &task));
}

static void deed_runs(kn_world *world, kn_entity_id here)
{
    kn_entity_id entity = somebody(world, here);
    kn_ability_id ability = some_ability(world, entity);
    kn_activation_id activation = some_activation(world, entity);
    kn_task_id task = some_task(world, entity);
    switch (whim(world, 26)) {
    case 0:
    case 1:
        done(kn_ability_activate(world, ability, NULL, NULL));
        break;
    case 2:
        done(kn_ability_activate_type(world, entity, some_ability_type(world), NULL));
        break;
    case 3:
        done(kn_activation_end(world, activation));
        break;
    case 4:
        done(kn_activation_cancel(world, activation));
        break;
    case 5:
        done(kn_ability_cancel(world, ability));
        break;
    case 6:
        (void)kn_abilities_cancel(world, entity, NULL);
        break;
    case 7:
        done(kn_input_confirm(world, entity));
        break;
    case 8:
        done(kn_input_cancel(world, entity));
        break;
    case 9:
        done(kn_input_press(world, entity, 1 + whim(world, 3)));
        break;
    case 10:
        done(kn_input_release(world, entity, 1 + whim(world, 3)));
        break;
    case 11:
        done(kn_target_confirm(world, task));
        break;
    case 12:
        done(kn_target_cancel(world, task));
        break;
    case 13:
        done(kn_task_end(world, task));
        break;
    case 14:
        done(kn_activation_commit(world, activation));
        break;
    case 15:
        done(kn_activation_set_cancelable(world, activation, whim(world, 2) == 0));
        break;
    case 16:
        done(kn_activation_set_blocking(world, activation, whim(world, 2) == 0));
        break;
    case 17:
        done(kn_activation_refund(world, activation, 0.5f));
        break;
    case 18:
        done(kn_activation_apply(world, activation, some_type(world), entity, NULL));
        break;
    case 19:
        done(kn_host_overlap(world, entity, somebody(world, here)));
        break;
    case 20: {
        uint32_t bytes[2] = {whim(world, 9), 7};
        done(kn_task_report(
            world, task, KN_TASK_CUSTOM_OUTPUT, bytes, sizeof bytes, whim(world, 2) == 0));
        break;
    }
    case 21:
        done(kn_task_watch(world, task, entity, (kn_trigger)whim(world, KN_TRIGGER_COUNT), 0));
        break;
    default:
        wait_for_something(world, entity);
        break;
    }
}

static void deed_components(kn_world *world, kn_entity_id here)
{
    kn_entity_id entity = somebody(world, here), who = somebody(world, here);
    kn_effect_id effect = some_effect(world, entity);
    uint32_t i = whim(world, KEPT);
    switch (whim(world, 7)) {
    case 0:
    case 1: {
        note *n = kn_component_add(world, NOTE, entity);
        if (n != NULL) {
            n->who = who;
            n->effect = effect;
            n->count++;
        }
        break;
    }
    case 2:
        (void)kn_component_remove(world, NOTE, entity);
        break;
    case 3: {
        uint32_t length = whim(world, 6);
        note *items = kn_component_resize(world, NOTE, entity, length);
        if (items != NULL) {
            items[length - 1].count++;
        }
        break;
    }
    case 4:
    case 5: {
        uint32_t data[4] = {little(whim(world, 100)), 0, 0, 0};
        kn_time delay = KN_MS(whim(world, 200));
        kn_timer_id timer;
        if (kn_timer_start(world, (kn_timer_type_id){1},
                whim(world, 2) == 0 ? entity : (kn_entity_id){0}, delay, data, &timer) == KN_OK) {
            fuel *f = fuel_of(world);
            kn_timer_id old = {f->timer_index[i], f->timer_generation[i]};
            f->timer_index[i] = timer.index1;
            f->timer_generation[i] = timer.generation;
            (void)kn_timer_cancel(world, old);
        }
        break;
    }
    default: {
        const fuel *f = fuel_of(world);
        (void)kn_timer_cancel(world, (kn_timer_id){f->timer_index[i], f->timer_generation[i]});
        break;
    }
    }
}

// One call out of all there are.
static void deed(kn_world *world, kn_entity_id here)
{
    switch (whim(world, 12)) {
    case 0:
    case 1:
    case 2:
        deed_effects(world, here);
        break;
    case 3:
    case 4:
        deed_apply(world, here);
        break;
    case 5:
    case 6:
        deed_entities(world, here);
        break;
    case 7:
        deed_tags(world, here);
        break;
    case 8:
        deed_grants(world, here);
        break;
    case 9:
    case 10:
        deed_runs(world, here);
        break;
    default:
        deed_components(world, here);
        break;
    }
}

// What a hook does.
static void act(kn_world *world, kn_entity_id here)
{
    for (uint32_t i = whim(world, 3); i > 0 && fuel_take(world); i--) {
        deed(world, here);
    }
}

// Hooks ------------------------------------------------------------------------

// What a hook was handed is still good after what it did.
static void spec_read(const kn_spec_view *spec)
{
    if (spec == NULL) {
        return;
    }
    kn_tag tag = {1};
    float sum = kn_spec_view_level(spec) + (float)kn_spec_view_stacks(spec) +
                kn_spec_view_caller_value(spec, tag, 0.0f, false) +
                (float)kn_spec_view_source_object(spec) + (float)kn_spec_view_tick(spec) +
                (float)kn_spec_view_causer(spec).index1 + (float)kn_spec_view_target(spec).index1;
    kn_vec3 origin;
    sum += (float)kn_spec_view_instigator(spec).index1 +
           (kn_spec_view_origin(spec, &origin) ? origin.x : 0.0f);
    const uint32_t *payload = kn_spec_view_payload(spec, PAYLOAD);
    sum += payload != NULL ? (float)little(payload[3]) : 0.0f;
    sum += (float)(kn_spec_view_has_asset_tag(spec, tag) + kn_spec_view_source_has_tag(spec, tag) +
                   kn_spec_view_target_has_tag(spec, tag));
    must(sum == sum, "a number of a spec");
}

static void record_read(const kn_event_record *record)
{
    if (record == NULL) {
        return;
    }
    uint32_t sum = (uint32_t)record->object;
    for (uint32_t i = 0; i < record->tags.count; i++) {
        must(record->tags.data[i].index1 != 0, "a tag of an event");
    }
    kn_target_view view = {record->data, record->data_size};
    sum += record->data != NULL ? kn_target_count(view) : 0;
    (void)sum;
    spec_read(record->effect);
}

static bool hook_pre_execute(void *user, kn_execute_data *data)
{
    (void)user;
    act(data->world, data->entity);
    spec_read(data->spec);
    return whim(data->world, 8) != 0;
}

static void hook_post_execute(void *user, const kn_execute_data *data)
{
    (void)user;
    act(data->world, data->entity);
    spec_read(data->spec);
}

static float hook_pre(void *user, const kn_attribute_change *change)
{
    (void)user;
    act(change->world, change->entity);
    return change->new_value;
}

static void hook_post(void *user, const kn_attribute_change *change)
{
    (void)user;
    act(change->world, change->entity);
}

static void hook_execution(void *user, kn_execution *execution)
{
    (void)user;
    kn_world *world = kn_execution_world(execution);
    float before = kn_execution_capture(execution, 0);
    act(world, kn_execution_target(execution));
    spec_read(kn_execution_spec(execution));
    float after = kn_execution_capture(execution, 0); // values may have changed, at once
    kn_execution_output(
        execution, some_attribute(world), 0, KN_OP_ADD, before > after ? -2.0f : -1.0f);
    if (whim(world, 4) == 0) {
        kn_execution_trigger_children(execution);
    }
}

static kn_requirement_answer hook_requirement(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    (void)user;
    act(world, kn_spec_view_target(spec));
    spec_read(spec);
    switch (whim(world, 8)) {
    case 0:
        return KN_REQUIREMENT_DENY;
    case 1:
        *existing = some_effect(world, kn_spec_view_target(spec));
        return KN_REQUIREMENT_HANDLED;
    default:
        return KN_REQUIREMENT_ALLOW;
    }
}

static void logic_act(kn_world *world, const kn_spec_view *spec, void *state)
{
    diary *d = state;
    must(d->begun >= d->ended && d->begun - d->ended < 64, "a diary of an effect");
    d->begun++;
    act(world, kn_spec_view_target(spec));
    spec_read(spec);
    d->ended++;
    d->last = kn_spec_view_stacks(spec);
}

static void logic_plain(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    logic_act(world, spec, state);
}

static void logic_stacks(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    uint32_t old_count, uint32_t new_count)
{
    (void)user;
    must(old_count != new_count, "stacks changed to what they were");
    logic_act(world, spec, state);
}

static void logic_inhibited(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, bool is_inhibited)
{
    (void)user;
    (void)is_inhibited;
    logic_act(world, spec, state);
}

static void logic_removed(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, kn_removal_reason reason)
{
    (void)user;
    (void)reason;
    logic_act(world, spec, state);
}

static void logic_reapplied(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    const kn_effect_reapplication *again)
{
    (void)user;
    must(again->new_stacks > 0 && again->old_stacks > 0 && again->stacks > 0, "a reapplication");
    must(again->new_remaining >= 0 && again->old_remaining >= 0, "time of a reapplication");
    spec_read(again->application);
    logic_act(world, spec, state);
    spec_read(again->application);
}

static void hook_grant(void *user, kn_world *world, kn_entity_id entity, kn_effect_id effect,
    const kn_grant_def *grant, bool is_granted)
{
    (void)user;
    (void)is_granted;
    act(world, entity);
    must(grant->ability.index1 != 0 && effect.index1 != 0, "a grant");
}

static void hook_kind(void *user, kn_world *world, const kn_event_record *record, float magnitude)
{
    (void)user;
    (void)magnitude;
    act(world, record->target);
    record_read(record);
}

static void hook_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    act(world, reaction->entity);
}

static kn_time hook_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    uint32_t *numbers = data;
    numbers[1] = little(little(numbers[1]) + 1);
    act(world, entity);
    numbers[2] = little(little(numbers[2]) + little(numbers[0]));
    return little(numbers[1]) < 3 ? KN_MS(little(numbers[0])) : 0;
}

static void ability_act(const kn_ability_call *call)
{
    diary *state = kn_activation_state(call->world, call->activation);
    if (state != NULL) {
        state->begun++;
    }
    act(call->world, call->owner);
}

static kn_result hook_activate(const kn_ability_call *call)
{
    ability_act(call);
    wait_for_something(call->world, call->owner);
    return whim(call->world, 16) == 0 ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result hook_activate_by_event(const kn_ability_call *call, const kn_event_record *event)
{
    ability_act(call);
    record_read(event);
    if (whim(call->world, 4) == 0 && fuel_take(call->world)) {
        done(kn_ability_activate(call->world, some_ability(call->world, call->owner), event, NULL));
    }
    record_read(event);
    return KN_OK;
}

static void hook_ended(const kn_ability_call *call, kn_end_reason reason)
{
    (void)reason;
    ability_act(call);
}

// Pure, as they have to be.
static bool hook_can_activate(const kn_ability_call *call, const kn_event_record *event)
{
    record_read(event);
    return kn_attribute_value(call->world, call->owner, (kn_attribute_id){3}) > -100.0f;
}

static bool hook_responds(const kn_ability_call *call, const kn_event_record *event)
{
    record_read(event);
    return event == NULL || event->magnitude < 11.0f || call->owner.index1 % 2 == 0;
}

static void hook_level(const kn_ability_call *call, float old_level)
{
    (void)old_level;
    ability_act(call);
}

static void hook_task_done(const kn_ability_call *call, const kn_task_result *result)
{
    ability_act(call);
    if (result->kind == KN_TASK_EVENT && result->output == KN_TASK_FIRED) {
        record_read(result->data.event);
    }
    if (result->kind == KN_TASK_CUSTOM && result->data.custom.size == 8) {
        must(((const uint32_t *)result->data.custom.data)[1] == 7, "what a task told");
    }
}

static void task_act(const kn_task_call *call)
{
    diary *state = kn_task_state(call->world, call->task);
    if (state != NULL) {
        state->begun++;
    }
    act(call->world, call->owner);
}

static void hook_task_start(const kn_task_call *call)
{
    done(kn_task_wait(call->world, call->task, KN_MS(10 + whim(call->world, 100))));
    done(kn_task_watch(
        call->world, call->task, call->owner, (kn_trigger)whim(call->world, KN_TRIGGER_COUNT), 0));
    task_act(call);
}

static void hook_task_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    (void)reaction;
    task_act(call);
}

static kn_time hook_task_timer(const kn_task_call *call)
{
    task_act(call);
    return whim(call->world, 2) == 0 ? KN_MS(50) : 0;
}

static bool find_owner(const kn_targeting_call *call, kn_target_data *out)
{
    kn_target_entity record = {call->owner};
    return kn_target_add(kn_world_library(call->world), out, kn_target_type_entity(), &record) ==
           KN_OK;
}

// The library --------------------------------------------------------------------

// Tags by use, so that no effect switches itself off: 0 to 4 are granted, 5 and 6 are conditions,
// 7 removes.
static const char *const tag_names[TAGS] = {
    "T0", "T1", "T0.S2", "T0.S3", "T1.S4", "U5", "U6", "V7"};

typedef struct hook_library {
    fuzz_input in;
    kn_library *library;
    kn_tag tags[TAGS];
    kn_attribute_id attributes[ATTRIBUTES];
    kn_name names[3]; // of abilities, and of none
    kn_curve_id curve;
    bool lasts[EFFECTS];
} hook_library;

static kn_tag take_some_tag(hook_library *l, uint32_t first, uint32_t count)
{
    return l->tags[first + take_below(&l->in, count)];
}

static void register_sets(hook_library *l)
{
    static const char *const names[ATTRIBUTES] = {
        "Health", "MaxHealth", "Power", "Damage", "Mana", "Rage"};
    kn_attribute_def defs[ATTRIBUTES];
    for (uint32_t i = 0; i < ATTRIBUTES; i++) {
        defs[i] = kn_attribute_def_default();
        defs[i].name = names[i];
        defs[i].default_value = 40.0f;
    }
    defs[0].max = kn_limit_attribute("MaxHealth");
    defs[0].link = take_bool(&l->in) ? KN_LINK_PROPORTION : KN_LINK_CLAMP;
    defs[3].is_meta = true;
    defs[3].default_value = 0.0f;
    defs[3].event_kind = "Hit";
    defs[4].base_min = kn_limit_constant(0.0f);
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.hooks = (kn_attribute_hooks){
        NULL, hook_pre_execute, hook_pre, hook_post, hook_pre, hook_post, hook_post_execute};
    set.name = "S";
    set.attributes = defs;
    set.attribute_count = 4;
    kn_attribute_set_id id;
    must(kn_attribute_set_register(l->library, &set, &id, NULL) == KN_OK && id.index1 == 1, "set");
    set.name = "R";
    set.hooks.pre_change = NULL; // so that the validator can tell what its values must be
    set.attributes = defs + 4;
    set.attribute_count = 2;
    must(kn_attribute_set_register(l->library, &set, &id, NULL) == KN_OK && id.index1 == 2, "set");
    for (uint32_t i = 0; i < ATTRIBUTES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s.%s", i < 4 ? "S" : "R", names[i]);
        l->attributes[i] = kn_attribute_find(l->library, name);
        must(l->attributes[i].index1 == i + 1, "attribute");
    }
}

static void register_functions(hook_library *l)
{
    kn_library *library = l->library;
    kn_capture captures[2] = {
        {.attribute = l->attributes[2], .from = KN_CAPTURE_FROM_SOURCE, .has_default = true},
        {.attribute = l->attributes[0], .from = KN_CAPTURE_FROM_TARGET, .has_default = true}};
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "X";
    execution.captures = captures;
    execution.capture_count = 2;
    execution.function = hook_execution;
    kn_execution_id execution_id;
    must(kn_execution_register(library, &execution, &execution_id, NULL) == KN_OK, "execution");
    kn_requirement_id requirement;
    must(kn_requirement_register(library, "Q", hook_requirement, NULL, &requirement, NULL) == KN_OK,
        "requirement");
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "L";
    logic.state_size = sizeof(diary);
    logic.state_fields = diary_fields;
    logic.state_field_count = 4;
    logic.applied = logic_plain;
    logic.ticked = logic_plain;
    logic.stacks_changed = logic_stacks;
    logic.inhibited = logic_inhibited;
    logic.removed = logic_removed;
    logic.reapplied = logic_reapplied;
    logic.executed = logic_plain;
    kn_effect_logic_id logic_id;
    must(kn_effect_logic_register(library, &logic, &logic_id, NULL) == KN_OK, "logic");
    kn_task_type_def task = kn_task_type_def_default();
    task.name = "K";
    task.state_size = sizeof(diary);
    task.state_fields = diary_fields;
    task.state_field_count = 4;
    task.start = hook_task_start;
    task.woken = hook_task_woken;
    task.timer = hook_task_timer;
    task.ended = task_act;
    kn_task_type_id task_id;
    must(kn_task_type_register(library, &task, &task_id, NULL) == KN_OK, "task type");
    kn_timer_type_id timer;
    must(kn_timer_type_register(library, "W", hook_timer, NULL, &timer, NULL) == KN_OK, "timer");
    kn_animation_def animation = kn_animation_def_default();
    kn_notify_def notify = {0.05f, l->tags[0]};
    animation.name = "Wave";
    animation.length = 0.2f;
    animation.notifies = &notify;
    animation.notify_count = 1;
    kn_animation_id animation_id;
    must(kn_animation_register(library, &animation, &animation_id, NULL) == KN_OK, "animation");
    kn_targeting_def targeting = kn_targeting_def_default();
    targeting.name = "Owner";
    targeting.shape = KN_SHAPE_CUSTOM;
    targeting.find = find_owner;
    kn_targeting_id targeting_id;
    must(kn_targeting_register(library, &targeting, &targeting_id, NULL) == KN_OK, "targeting");
}

static void register_basics(hook_library *l)
{
    kn_library *library = l->library;
    for (uint32_t i = 0; i < TAGS; i++) {
        kn_tag_def def = kn_tag_def_default();
        def.name = tag_names[i];
        must(kn_tag_register(library, &def, &l->tags[i], NULL) == KN_OK, "tag");
    }
    static const char *const names[3] = {"A0", "A1", "Ghost"};
    for (uint32_t i = 0; i < 3; i++) {
        must(kn_name_register(library, names[i], &l->names[i], NULL) == KN_OK, "name");
    }
    kn_curve_point points[2] = {{0, 1}, {5, 3}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "C";
    curve.points = points;
    curve.point_count = 2;
    must(kn_curve_register(library, &curve, &l->curve, NULL) == KN_OK, "curve");
    kn_context_type_id context;
    must(kn_context_type_register(library, "P", 16, &context, NULL) == KN_OK &&
             context.index1 == PAYLOAD.index1,
        "payload");
    kn_component_def component = kn_component_def_default();
    kn_component_type_id type;
    component.name = "Fuel";
    component.size = sizeof(fuel);
    component.fields = fuel_fields;
    component.field_count = 7;
    must(kn_component_register(library, &component, &type, NULL) == KN_OK, "component");
    component.name = "Note";
    component.size = sizeof(note);
    component.fields = note_fields;
    component.field_count = 4;
    component.item_size = sizeof(note);
    component.item_fields = note_fields;
    component.item_field_count = 4;
    must(kn_component_register(library, &component, &type, NULL) == KN_OK && type.index1 == 2,
        "component");
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Hit";
    kind.tag = l->tags[0];
    kind.apply = hook_kind;
    kn_event_kind_id kind_id;
    must(kn_event_kind_register(library, &kind, &kind_id, NULL) == KN_OK && kind_id.index1 == 2,
        "kind");
}

static kn_magnitude take_number(hook_library *l, float usual)
{
    fuzz_input *in = &l->in;
    kn_attribute_id power = l->attributes[take_bool(in) ? 2 : 4];
    kn_magnitude magnitude;
    bool is_live;
    switch (take_below(in, 6)) {
    case 0:
        is_live = take_bool(in);
        magnitude = kn_magnitude_attribute(power,
            take_bool(in) ? KN_CAPTURE_FROM_SOURCE : KN_CAPTURE_FROM_TARGET, !is_live,
            usual / 40.0f);
        magnitude.capture.has_default = true;
        magnitude.capture.default_value = 40.0f;
        return magnitude;
    case 1:
        return kn_magnitude_by_level(usual, l->curve);
    case 2:
        magnitude = kn_magnitude_set_by_caller(l->tags[take_below(in, TAGS)]);
        magnitude.has_default = true;
        magnitude.post_add = kn_constant(usual);
        return magnitude;
    default:
        return kn_magnitude_constant(usual);
    }
}

static void take_stacks(hook_library *l, kn_effect_def *def)
{
    fuzz_input *in = &l->in;
    kn_stacking *stacking = &def->stacking;
    stacking->kind = (kn_stacking_kind)take_below(in, 3);
    if (stacking->kind == KN_STACK_NONE) {
        return;
    }
    uint32_t bits = take_u8(in);
    stacking->limit = kn_constant((float)take_below(in, 6));
    stacking->initial = kn_constant((float)(1 + take_below(in, 3)));
    stacking->refresh = (kn_refresh)take_below(in, 7);
    stacking->period_reset = (kn_period_reset)(bits & 1);
    stacking->expiration = (kn_expiration)take_below(in, 3);
    stacking->merge = (kn_merge)take_below(in, 4);
    stacking->deny_overflow = (bits & 6) == 6;
    stacking->clear_on_overflow = (bits & 14) == 14;
    stacking->tick_on_stack = (bits & 16) != 0;
    stacking->own_timers = (bits & 96) == 96 && def->duration_kind == KN_DURATION_TIMED;
    if (stacking->own_timers) {
        def->live_duration = KN_LIVE_NONE;
    }
    stacking->at_cap = (kn_stack_cap)take_below(in, 3);
    stacking->on_other_source = (bits & 128) != 0 && stacking->kind == KN_STACK_BY_TARGET
                                    ? (kn_stack_rule)take_below(in, 4)
                                    : KN_STACK_JOIN;
}

static void register_effect(hook_library *l, uint32_t number)
{
    fuzz_input *in = &l->in;
    char name[16];
    (void)snprintf(name, sizeof name, "E%u", number);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = (kn_duration_kind)((1 + take_u8(in)) % 3);
    l->lasts[number] = def.duration_kind != KN_DURATION_INSTANT;
    if (def.duration_kind == KN_DURATION_TIMED) {
        def.duration = take_number(l, 0.05f + (float)take_below(in, 20) * 0.03f);
        def.live_duration = (kn_live_time)take_below(in, 2);
    }
    if (def.duration_kind != KN_DURATION_INSTANT && take_below(in, 3) != 0) {
        def.is_periodic = true;
        def.period = take_number(l, 0.06f + (float)take_below(in, 10) * 0.02f);
        def.live_period = (kn_live_time)take_below(in, 3);
        uint32_t bits = take_u8(in);
        def.skip_first_tick = (bits & 1) != 0;
        def.partial_last_tick = (bits & 2) != 0;
        def.inhibit_period = (kn_inhibit_period)(bits >> 2 & 3);
    }
    kn_modifier_def modifiers[3];
    def.modifiers = modifiers;
    def.modifier_count = take_below(in, 4);
    for (uint32_t i = 0; i < def.modifier_count; i++) {
        modifiers[i] = kn_modifier_def_default();
        modifiers[i].attribute = l->attributes[take_below(in, ATTRIBUTES)];
        modifiers[i].key = take_rarely(in, 8) ? 1 : 0;
        modifiers[i].op = KN_OP_ADD;
        modifiers[i].magnitude = take_number(l, (float)take_below(in, 12) - 4.0f);
    }
    kn_execution_use use = {.execution = {1}};
    def.executions = &use;
    def.execution_count =
        (def.duration_kind == KN_DURATION_INSTANT || def.is_periodic) && take_bool(in) ? 1 : 0;
    kn_tag asset = take_some_tag(l, 0, TAGS), granted = take_some_tag(l, 0, 5);
    kn_tag off = take_some_tag(l, 5, 2), removing = l->tags[7], blocked = take_some_tag(l, 0, TAGS);
    kn_tag removes = take_some_tag(l, 0, TAGS);
    uint32_t bits = take_u8(in);
    def.asset_tags = (kn_tags){&asset, 1};
    def.cue_tags = (kn_tags){&asset, bits & 1};
    if (def.duration_kind != KN_DURATION_INSTANT) {
        def.granted_tags = (kn_tags){&granted, bits >> 1 & 1};
        def.blocked_ability_tags = (kn_tags){&blocked, (bits & 12) == 12};
        if ((bits & 16) != 0) {
            def.ongoing.target.ignored = (kn_tags){&off, 1};
        }
        def.removal.target.required = (kn_tags){&removing, (bits & 96) == 96};
        def.logic.index1 = take_below(in, 3) != 0;
        take_stacks(l, &def);
        def.keeps_tally = (bits & 128) != 0;
        bits = take_u8(in);
        def.acts_on_owned = (bits & 3) == 3 && !def.is_periodic;
        def.ends_with_source = (bits & 12) == 12;
        if ((bits & 48) == 48) {
            def.exclusive_group = l->tags[0];
            def.exclusive_rule = (kn_exclusive_rule)take_below(in, 5);
        }
    }
    def.remove_effects_with = (kn_tags){&removes, take_rarely(in, 4) ? 1u : 0u};
    def.requirement.index1 = take_rarely(in, 4) ? 1 : 0;
    kn_child_def child = kn_child_def_default();
    if (number > 0 && take_bool(in)) {
        child.type.index1 = 1 + take_below(in, number);
        child.when = (kn_child_when)take_below(in, KN_CHILD_WHEN_COUNT);
        if (def.duration_kind == KN_DURATION_INSTANT) {
            child.when = KN_CHILD_APPLIED;
        }
        child.count = 2;
        child.to = (kn_recipient)take_below(in, 3);
        child.remove_with_parent =
            def.duration_kind != KN_DURATION_INSTANT && child.when < 2 && take_bool(in);
        def.children = &child;
        def.child_count = 1;
    }
    kn_raise_def raise = kn_raise_def_default();
    raise.when = def.duration_kind == KN_DURATION_INSTANT
                     ? KN_RAISE_APPLIED
                     : (kn_raise_when)take_below(in, KN_RAISE_WHEN_COUNT);
    raise.tag = take_some_tag(l, 0, TAGS);
    def.raises = &raise;
    def.raise_count = take_rarely(in, 3) ? 1 : 0;
    kn_grant_def grant = {.ability = l->names[take_below(in, 3)], .level = kn_constant(1.0f)};
    grant.input = -1;
    grant.removal = (kn_grant_removal)take_below(in, 3);
    grant.follow_inhibition = (kn_grant_follow)take_below(in, KN_GRANT_FOLLOW_COUNT);
    def.grants = &grant;
    def.grant_count = def.duration_kind != KN_DURATION_INSTANT && take_rarely(in, 3) ? 1 : 0;
    kn_cancel_def cancel = {.with = {&asset, 1}, .on_tick = def.is_periodic && take_bool(in)};
    def.cancels = &cancel;
    def.cancel_count = take_rarely(in, 5) ? 1 : 0;
    kn_effect_type_id type;
    kn_error error;
    if (kn_effect_register(l->library, &def, &type, &error) != KN_OK) {
        fprintf(stderr, "%s: %s\n", name, error.message);
        must(false, "effect");
    }
}

static kn_tags take_some_tags(hook_library *l)
{
    const kn_tag *tag = &l->tags[take_below(&l->in, TAGS)];
    return (kn_tags){tag, take_rarely(&l->in, 4) ? 1u : 0u};
}

static void register_ability(hook_library *l, uint32_t number)
{
    fuzz_input *in = &l->in;
    char name[16];
    (void)snprintf(name, sizeof name, "A%u", number);
    kn_cost_def cost = {
        .attribute = l->attributes[4], .amount = kn_constant((float)take_below(in, 20))};
    kn_cooldown_def cooldown = kn_cooldown_seconds((float)take_below(in, 10) * 0.05f);
    cooldown.charges = kn_constant((float)(1 + take_below(in, 3)));
    kn_trigger_def trigger = {.tag = l->tags[take_below(in, TAGS)]};
    trigger.source = (kn_trigger_source)take_below(in, KN_TRIGGER_SOURCE_COUNT);
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.tags = (kn_tags){&l->tags[take_below(in, TAGS)], 1};
    def.cancel_with = take_some_tags(l);
    def.block_with = take_some_tags(l);
    def.owned_tags = take_some_tags(l);
    def.activation.ignored = take_some_tags(l);
    def.costs = &cost;
    def.cost_count = take_below(in, 2);
    def.cooldowns = &cooldown;
    def.cooldown_count = take_below(in, 2);
    def.commit = take_bool(in) ? KN_COMMIT_AT_USE : KN_COMMIT_EXPLICIT;
    def.triggers = &trigger;
    def.trigger_count = take_below(in, 2);
    def.instancing = (kn_instancing)take_below(in, 3);
    def.activates_on_grant = take_rarely(in, 3);
    def.retriggers = take_rarely(in, 3);
    def.ends_with_avatar = take_rarely(in, 3);
    def.level_up = take_rarely(in, 3) ? KN_LEVEL_UP_REGRANT : KN_LEVEL_UP_RAISE;
    def.input = take_below(in, 4);
    if (def.instancing != KN_INSTANCING_NONE) {
        def.state_size = sizeof(diary);
        def.state_fields = diary_fields;
        def.state_field_count = 4;
    }
    kn_ability_apply_def apply = {.effect = {1 + take_below(in, EFFECTS)}};
    if (take_rarely(in, 4)) {
        def.body = def.instancing == KN_INSTANCING_NONE
                       ? KN_BODY_USE
                       : (kn_ability_body)(1 + take_below(in, KN_BODY_COUNT - 1));
        def.lasts = kn_constant(def.body == KN_BODY_TIMED ? 0.1f : 0.0f);
        apply.while_active =
            def.body != KN_BODY_USE && l->lasts[apply.effect.index1 - 1] && take_bool(in);
        def.applies = &apply;
        def.apply_count = 1;
    } else {
        def.activate = hook_activate;
        def.activate_by_event = take_bool(in) ? hook_activate_by_event : NULL;
    }
    uint32_t bits = take_u8(in);
    def.pre_activate = (bits & 1) != 0 ? ability_act : NULL;
    def.ended = hook_ended;
    def.can_activate = (bits & 2) != 0 ? hook_can_activate : NULL;
    def.responds = (bits & 4) != 0 ? hook_responds : NULL;
    def.granted = (bits & 8) != 0 ? ability_act : NULL;
    def.removed = (bits & 16) != 0 ? ability_act : NULL;
    def.avatar_set = (bits & 32) != 0 ? ability_act : NULL;
    def.level_changed = (bits & 64) != 0 ? hook_level : NULL;
    def.input_pressed = (bits & 128) != 0 ? ability_act : NULL;
    def.input_released = ability_act;
    def.task_done = hook_task_done;
    kn_ability_type_id type;
    kn_error error;
    if (kn_ability_register(l->library, &def, &type, &error) != KN_OK) {
        fprintf(stderr, "%s: %s\n", name, error.message);
        must(false, "ability");
    }
}

static void register_rules(hook_library *l)
{
    static const kn_trigger triggers[] = {KN_TRIGGER_EVENT, KN_TRIGGER_TAG_ADDED,
        KN_TRIGGER_TAG_REMOVED, KN_TRIGGER_ATTRIBUTE_CHANGED, KN_TRIGGER_EFFECT_APPLIED,
        KN_TRIGGER_EFFECT_REMOVED, KN_TRIGGER_EFFECT_STACKS, KN_TRIGGER_EFFECT_REAPPLIED,
        KN_TRIGGER_EFFECT_EXECUTED};
    for (uint32_t i = 0; i < sizeof triggers / sizeof triggers[0]; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "Rule%u", i);
        kn_rule_def rule = kn_rule_def_default();
        rule.name = name;
        rule.trigger = triggers[i];
        rule.function = hook_rule;
        if (triggers[i] <= KN_TRIGGER_TAG_REMOVED) {
            rule.tag = take_some_tag(l, 0, TAGS);
        } else if (triggers[i] == KN_TRIGGER_ATTRIBUTE_CHANGED) {
            rule.attribute = l->attributes[take_below(&l->in, ATTRIBUTES)];
        }
        kn_rule_id id;
        must(kn_rule_register(l->library, &rule, &id, NULL) == KN_OK, "rule");
    }
}

static void register_bundles(hook_library *l)
{
    kn_effect_type_id effects[2] = {{1}, {2}};
    kn_container_def container = kn_container_def_default();
    container.name = "Box";
    container.target = KN_CONTAINER_GIVEN;
    container.effects = effects;
    container.effect_count = 2;
    kn_container_id container_id;
    must(kn_container_register(l->library, &container, &container_id, NULL) == KN_OK, "container");
    kn_ability_set_entry entries[2] = {{.type = {1}, .level = 1.0f, .input = KN_INPUT_FROM_DEF},
        {.type = {2}, .level = 2.0f, .input = 3}};
    kn_ability_set_def set = kn_ability_set_def_default();
    set.name = "Kit";
    set.entries = entries;
    set.entry_count = 2;
    kn_ability_set_id set_id;
    must(kn_ability_set_register(l->library, &set, &set_id, NULL) == KN_OK, "ability set");
    kn_attribute_set_id sets[2] = {{1}, {2}};
    kn_archetype_effect effect = {{1 + take_below(&l->in, EFFECTS)}, kn_constant(1.0f)};
    kn_archetype_def archetype = kn_archetype_def_default();
    archetype.name = "Being";
    archetype.sets = sets;
    archetype.set_count = 1 + take_below(&l->in, 2);
    archetype.abilities = entries;
    archetype.ability_count = 2;
    archetype.effects = &effect;
    archetype.effect_count = 1;
    kn_archetype_id archetype_id;
    must(kn_archetype_register(l->library, &archetype, &archetype_id, NULL) == KN_OK, "archetype");
}

static void say_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

// Takes its choices from `in` and moves it on.
static kn_library *hook_library_create(fuzz_input *in)
{
    hook_library l = {.in = *in};
    kn_library_def def = kn_library_def_default();
    def.hooks.log_fn = say_nothing;
    must(kn_library_create(&def, &l.library) == KN_OK, "library");
    register_basics(&l);
    register_sets(&l);
    register_functions(&l);
    for (uint32_t i = 0; i < EFFECTS; i++) {
        register_effect(&l, i);
    }
    for (uint32_t i = 0; i < ABILITIES; i++) {
        register_ability(&l, i);
    }
    register_rules(&l);
    register_bundles(&l);
    kn_error error;
    if (kn_library_finish(l.library, &error) != KN_OK) {
        fprintf(stderr, "%s\n", error.message);
        must(false, "finish");
    }
    *in = l.in;
    return l.library;
}

#endif
