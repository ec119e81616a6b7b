// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Plays random API calls on a world of one of the scenes' libraries, with stale ids, odd numbers
// and effects defined on the way. The structures are validated every few calls; snapshots, saves
// and repeated steps must give the same state again.

#include "fuzz_def.h"
#include "scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_MAX 400
#define ENTITIES_MAX 24
#define TYPES_MAX 24      // defined on the way
#define EVENTS_MAX 20000u // a step with more than this ends the run
#define SAVES_MAX 2       // they take more time than all other calls together
#define RING 16

typedef struct fuzz {
    fuzz_input in;
    const scene_info *scene;
    const kn_library *library;
    kn_world *world;
    uint32_t type_count;
    uint32_t defined; // of them, by this input
    uint32_t set_count;
    fuzz_refs refs;
    kn_container_id container; // null where the library has none
    kn_component_type_id component;
    uint8_t payload[64]; // as large as that of any scene
    uint32_t saves;
    bool is_over;

    // Ids that were good once.
    kn_entity_id entities[RING];
    kn_effect_id effects[RING];
    kn_spec_id specs[RING];
    kn_timer_id timers[RING];
    kn_listener_id listeners[RING];
    uint32_t entity_at, effect_at, spec_at, timer_at, listener_at;

    void *snapshot;
    size_t snapshot_size;
    uint64_t snapshot_hash;
    fuzz_def def;
} fuzz;

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_api: %s\n", what);
        abort();
    }
}

// Choices -------------------------------------------------------------------

static kn_entity_id take_entity(fuzz *f)
{
    uint32_t byte = take_u8(&f->in);
    if (byte == 255) {
        kn_entity_id any = {.index1 = take_u32(&f->in)};
        any.generation = take_u32(&f->in);
        return any;
    }
    if (byte == 254) {
        return (kn_entity_id){0};
    }
    uint32_t known = f->entity_at < RING ? f->entity_at : RING;
    return known > 0 ? f->entities[byte % known] : (kn_entity_id){0};
}

static kn_effect_id take_effect(fuzz *f)
{
    uint32_t byte = take_u8(&f->in);
    if (byte == 255) {
        kn_effect_id any = {.index1 = take_u32(&f->in)};
        any.generation = take_u32(&f->in);
        return any;
    }
    if (byte < 128) {
        // One that is alive, if there is one.
        kn_effect_id found[8];
        kn_effect_query query = kn_effect_query_default();
        uint32_t count = kn_effects_find(f->world, take_entity(f), &query, found, 8);
        if (count > 0) {
            return found[byte % (count < 8 ? count : 8)];
        }
    }
    return f->effects[byte % RING];
}

static kn_effect_type_id take_type(fuzz *f)
{
    uint32_t byte = take_u8(&f->in);
    if (f->defined > 0 && byte >= 64) {
        return (kn_effect_type_id){f->type_count - byte % f->defined};
    }
    return (kn_effect_type_id){1 + byte % f->type_count};
}

static kn_attribute_set_id take_set(fuzz *f)
{
    return (kn_attribute_set_id){1 + take_below(&f->in, f->set_count)};
}

static kn_tag take_known_tag(fuzz *f)
{
    return (kn_tag){1 + take_below(&f->in, kn_tag_count(f->library))};
}

static void note_effect(fuzz *f, kn_effect_id effect)
{
    if (!kn_effect_id_is_null(effect)) {
        f->effects[f->effect_at++ % RING] = effect;
    }
}

// Entities and tags ---------------------------------------------------------

static void call_entity(fuzz *f)
{
    kn_entity_id entity;
    if (kn_entity_count(f->world) < ENTITIES_MAX && kn_entity_create(f->world, &entity) == KN_OK) {
        f->entities[f->entity_at++ % RING] = entity;
        for (uint32_t i = take_below(&f->in, 3); i > 0; i--) {
            kn_attribute_set_id set = take_set(f);
            (void)!kn_attribute_set_add(f->world, entity, set, take_rarely(&f->in, 8) ? 1 : 0);
        }
    }
}

static void call_destroy(fuzz *f)
{
    if (take_rarely(&f->in, 2)) {
        kn_entity_id entity = take_entity(f);
        bool was_alive = kn_entity_is_alive(f->world, entity);
        must(kn_entity_destroy(f->world, entity) == was_alive, "kn_entity_destroy lies");
        must(!kn_entity_is_alive(f->world, entity), "destroyed and alive");
    }
}

static void call_relations(fuzz *f)
{
    kn_entity_id a = take_entity(f), b = take_entity(f);
    switch (take_below(&f->in, 7)) {
    case 0:
        (void)kn_entity_set_avatar(f->world, a, b);
        break;
    case 1:
        (void)kn_entity_set_parent(f->world, a, b);
        break;
    case 2:
        (void)kn_entity_set_owner(f->world, a, b);
        break;
    case 3:
        (void)kn_entity_set_connection(f->world, a, take_u8(&f->in));
        break;
    case 4:
        (void)kn_entity_set_user(f->world, a, take_u32(&f->in));
        break;
    case 5:
        (void)kn_entity_make_actor(f->world, a);
        break;
    default:
        (void)kn_entity_avatar(f->world, a);
        (void)kn_entity_actor(f->world, a);
        (void)kn_entity_parent(f->world, a);
        (void)kn_entity_owner(f->world, a);
        (void)kn_entity_connection(f->world, a);
        (void)kn_entity_user(f->world, a);
        (void)kn_entity_is_actor(f->world, a);
        (void)kn_entity_next(f->world, a);
        break;
    }
}

static void call_tags(fuzz *f)
{
    static const kn_tag_origin origins[] = {KN_TAG_ORIGIN_LOOSE, KN_TAG_ORIGIN_LOOSE_SYNCED,
        KN_TAG_ORIGIN_MINIMAL, KN_TAG_ORIGIN_ABILITY};
    kn_entity_id entity = take_entity(f);
    kn_tag tag = take_known_tag(f);
    kn_tag_origin origin = origins[take_below(&f->in, 4)];
    switch (take_below(&f->in, 5)) {
    case 0:
    case 1:
        (void)kn_entity_add_tag(f->world, entity, tag, origin, take_count(&f->in));
        break;
    case 2:
        (void)kn_entity_remove_tag(f->world, entity, tag, origin, take_count(&f->in));
        break;
    case 3:
        origin = origins[take_below(&f->in, 2)];
        (void)kn_entity_set_tag_count(f->world, entity, tag, origin, take_count(&f->in));
        break;
    default:
        (void)kn_entity_add_loose_tag(f->world, entity, tag, (kn_tag_sync)take_below(&f->in, 4));
        break;
    }
}

static void read_tags(fuzz *f)
{
    kn_entity_id entity = take_entity(f);
    kn_tag tag = take_tag(&f->in, &f->refs);
    kn_tag some[2] = {tag, take_tag(&f->in, &f->refs)};
    kn_tags tags = {some, 2};
    kn_tag_requirement requirement = {.required = {some, 1}, .ignored = {some + 1, 1}};
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ANY_TAGS);
    kn_tag_query_tag(&query, take_known_tag(f));
    kn_tag_query_end(&query);
    bool has = kn_entity_has_tag(f->world, entity, tag);
    (void)kn_entity_tag_count(f->world, entity, tag); // which tag edits do not change
    must(!kn_entity_has_tag_exact(f->world, entity, tag) || has, "exact without hierarchical");
    (void)kn_entity_has_any_tag(f->world, entity, tags);
    (void)kn_entity_has_all_tags(f->world, entity, tags);
    (void)kn_entity_meets(f->world, entity, &requirement);
    (void)kn_entity_matches_query(f->world, entity, &query);
    uint32_t exact = kn_entity_tag_count_exact(f->world, entity, tag);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < KN_TAG_ORIGIN_COUNT; i++) {
        sum += kn_entity_tag_count_origin(f->world, entity, tag, (kn_tag_origin)i);
    }
    must(sum == exact, "origins do not add up");
    kn_tag owned[64];
    (void)kn_entity_tags(f->world, entity, owned, take_below(&f->in, 64));
    (void)kn_entity_tag_sync(f->world, entity, tag);
    (void)kn_entity_ability_tag_blocked(f->world, entity, tag);
}

// Attributes ----------------------------------------------------------------

static void call_attributes(fuzz *f)
{
    kn_entity_id entity = take_entity(f);
    kn_attribute_id attribute = {1 + take_below(&f->in, kn_attribute_count(f->library))};
    uint32_t key = take_rarely(&f->in, 8) ? take_below(&f->in, 3) : 0;
    switch (take_below(&f->in, 6)) {
    case 0:
        (void)!kn_attribute_set_add(f->world, entity, take_set(f), key);
        break;
    case 1:
        (void)kn_attribute_set_remove(f->world, entity, take_set(f), key);
        break;
    case 2:
    case 3:
        (void)kn_attribute_set_base(f->world, entity, attribute, key, take_float(&f->in));
        break;
    case 4:
        (void)kn_attribute_init(f->world, entity, attribute, key, take_float(&f->in));
        break;
    default: {
        const char *group = take_bool(&f->in) ? "Newcomer" : "Old";
        (void)kn_attribute_init_group(f->world, entity, group, take_below(&f->in, 3), key);
        break;
    }
    }
}

static void read_attributes(fuzz *f)
{
    kn_entity_id entity = take_entity(f);
    kn_attribute_id attribute = take_attribute(&f->in, &f->refs);
    uint32_t key = take_rarely(&f->in, 8) ? take_below(&f->in, 3) : 0;
    float value = kn_attribute_value_keyed(f->world, entity, attribute, key);
    must(value - value == 0.0f, "a value that is not finite");
    (void)kn_attribute_value(f->world, entity, attribute);
    (void)kn_attribute_base(f->world, entity, attribute);
    float base = kn_attribute_base_keyed(f->world, entity, attribute, key);
    must(base - base == 0.0f, "a base that is not finite");
    float minimum, maximum;
    kn_attribute_bounds(f->world, entity, attribute, key, &minimum, &maximum);
    kn_attribute_set_instance sets[4];
    (void)kn_attribute_sets(f->world, entity, sets, take_below(&f->in, 5));
    (void)kn_attribute_set_has(f->world, entity, take_set(f), key);
    kn_explain_line lines[64];
    uint32_t count = kn_attribute_explain(f->world, entity, attribute, key, lines, 64);
    must(
        (count > 0) == kn_attribute_exists(f->world, entity, attribute, key), "nothing to explain");
    if (count > 0 && count <= 64) {
        must(lines[count - 1].result == value, "the explanation is not the value");
    }
    char text[512];
    (void)kn_attribute_explain_text(
        f->world, entity, attribute, key, text, take_below(&f->in, 255));
}

// Effects -------------------------------------------------------------------

static void define_type(fuzz *f)
{
    if (f->defined >= TYPES_MAX) {
        return;
    }
    uint32_t number = take_rarely(&f->in, 8) ? take_below(&f->in, 4) : f->type_count;
    f->refs.types = f->type_count;
    fuzz_def_take(&f->def, &f->in, &f->refs, number);
    kn_effect_type_id type;
    kn_error error;
    if (kn_world_effect_register(f->world, &f->def.def, &type, &error) == KN_OK) {
        must(kn_effect_type_get_def(f->world, type) != NULL, "a type without a def");
        if (type.index1 > f->type_count) {
            f->type_count = type.index1;
            f->defined++;
        }
    }
}

static void fill_apply(fuzz *f, kn_effect_apply_def *apply, kn_caller_value *values,
    kn_named_value *named, kn_tag *tags, kn_effect_context *context)
{
    apply->type = take_type(f);
    apply->source = take_entity(f);
    apply->target = take_entity(f);
    uint32_t bits = take_u8(&f->in);
    if ((bits & 1) != 0) {
        apply->level = take_float(&f->in);
        apply->stacks = take_count(&f->in);
    }
    if ((bits & 2) != 0) {
        apply->duration = take_time(&f->in);
        apply->period = take_period(&f->in);
    }
    if ((bits & 4) != 0) {
        values[0].tag = take_known_tag(f);
        values[0].value = take_float(&f->in);
        values[1].tag = take_known_tag(f);
        values[1].value = take_small_float(&f->in);
        apply->caller_values = values;
        apply->caller_value_count = 2;
    }
    if ((bits & 8) != 0) {
        named[0] = (kn_named_value){{1}, take_float(&f->in)};
        apply->named_values = named;
        apply->named_value_count = kn_name_text(f->library, named[0].name)[0] != '\0';
    }
    if ((bits & 0x30) == 0x30) {
        tags[0] = take_known_tag(f);
        tags[1] = take_known_tag(f);
        apply->dynamic_granted_tags = (kn_tags){tags, 1 + take_below(&f->in, 2)};
        apply->dynamic_asset_tags = (kn_tags){tags + 1, 1};
    }
    if ((bits & 0x40) != 0) {
        context->instigator = take_entity(f);
        context->causer = take_entity(f);
        context->source_object = take_below(&f->in, 3);
        context->payload_type = kn_context_type_find(f->library, "Bolt");
        context->payload = kn_context_type_id_is_null(context->payload_type) ? NULL : f->payload;
        apply->context = context;
    }
    apply->ignore_gates = (bits & 0x81) == 0x81;
}

static void call_apply(fuzz *f)
{
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_caller_value values[2];
    kn_named_value named[1];
    kn_tag tags[2];
    kn_effect_context context = {0};
    fill_apply(f, &apply, values, named, tags, &context);
    kn_effect_id effect;
    (void)!kn_effect_apply(f->world, &apply, &effect);
    note_effect(f, effect);
}

static void call_apply_simple(fuzz *f)
{
    kn_effect_id effect;
    kn_effect_type_id type = take_type(f);
    kn_entity_id source = take_entity(f), target = take_entity(f);
    (void)kn_effect_apply_simple(
        f->world, type, source, target, 1.0f + (float)take_below(&f->in, 3), &effect);
    note_effect(f, effect);
}

static void call_spec(fuzz *f)
{
    kn_spec_id spec = f->specs[take_below(&f->in, RING)];
    kn_tag tag;
    switch (take_below(&f->in, 12)) {
    case 0:
    case 1: {
        kn_effect_apply_def apply = kn_effect_apply_def_default();
        kn_caller_value values[2];
        kn_named_value named[1];
        kn_tag tags[2];
        kn_effect_context context = {0};
        fill_apply(f, &apply, values, named, tags, &context);
        kn_spec_id made;
        if (kn_spec_create(f->world, &apply, &made) == KN_OK) {
            kn_spec_destroy(f->world, f->specs[f->spec_at % RING]);
            f->specs[f->spec_at++ % RING] = made;
        }
        break;
    }
    case 2:
        kn_spec_destroy(f->world, spec);
        break;
    case 3: {
        kn_spec_id copy;
        if (kn_spec_copy(f->world, spec, &copy) == KN_OK) {
            kn_spec_destroy(f->world, f->specs[f->spec_at % RING]);
            f->specs[f->spec_at++ % RING] = copy;
        }
        break;
    }
    case 4:
        tag = take_known_tag(f);
        (void)kn_spec_set_caller_value(f->world, spec, tag, take_float(&f->in));
        (void)kn_spec_caller_value(f->world, spec, take_known_tag(f), 1.0f);
        if (f->refs.names > 0) {
            (void)kn_spec_set_named_value(f->world, spec, (kn_name){1}, take_float(&f->in));
        }
        (void)kn_spec_is_alive(f->world, spec);
        break;
    case 5:
        (void)kn_spec_set_level(f->world, spec, take_float(&f->in));
        (void)kn_spec_set_stacks(f->world, spec, take_count(&f->in));
        break;
    case 6:
        (void)kn_spec_set_duration(f->world, spec, take_time(&f->in));
        (void)kn_spec_set_period(f->world, spec, take_period(&f->in));
        break;
    case 7:
        (void)kn_spec_add_granted_tag(f->world, spec, take_known_tag(f));
        (void)kn_spec_add_asset_tag(f->world, spec, take_known_tag(f));
        break;
    case 8: {
        kn_effect_context context = {.causer = take_entity(f)};
        context.instigator = take_entity(f);
        (void)kn_spec_set_context(f->world, spec, &context, take_bool(&f->in));
        break;
    }
    default: {
        kn_effect_id effect;
        (void)!kn_spec_apply(f->world, spec, take_entity(f), &effect);
        note_effect(f, effect);
        break;
    }
    }
}

static void call_container(fuzz *f)
{
    if (kn_container_id_is_null(f->container)) {
        return;
    }
    kn_entity_id targets[3];
    for (uint32_t i = 0; i < 3; i++) {
        targets[i] = take_entity(f);
    }
    kn_container_value value = {.type = take_type(f)};
    value.value.tag = take_known_tag(f);
    value.value.value = take_float(&f->in);
    kn_container_apply_def apply = kn_container_apply_def_default();
    apply.container = f->container;
    apply.source = take_entity(f);
    apply.level = 1.0f;
    apply.targets = targets;
    apply.target_count = take_below(&f->in, 4);
    apply.values = &value;
    apply.value_count = 1;
    uint32_t applied;
    (void)kn_container_apply(f->world, &apply, &applied);
}

static kn_removal_reason take_reason(fuzz *f)
{
    return (kn_removal_reason)(1 + take_below(&f->in, KN_REMOVAL_REASON_COUNT - 1));
}

static void call_remove(fuzz *f)
{
    if (take_bool(&f->in)) {
        kn_effect_id effect = take_effect(f);
        uint32_t stacks = take_count(&f->in);
        (void)kn_effect_remove(f->world, effect, stacks, take_reason(f));
        return;
    }
    kn_tag tag = take_known_tag(f);
    kn_effect_id ignored = take_effect(f);
    kn_effect_query query = kn_effect_query_default();
    uint32_t bits = take_u8(&f->in);
    query.type = (bits & 1) != 0 ? take_type(f) : (kn_effect_type_id){0};
    query.any_tags = (kn_tags){&tag, (bits & 2) != 0};
    query.granted_tags = (kn_tags){&tag, (bits & 12) == 12};
    query.source = (bits & 0x30) == 0x30 ? take_entity(f) : (kn_entity_id){0};
    query.modifies =
        (bits & 0xc0) == 0xc0 ? take_attribute(&f->in, &f->refs) : (kn_attribute_id){0};
    query.ignore = &ignored;
    query.ignore_count = take_below(&f->in, 2);
    uint32_t removed;
    kn_entity_id entity = take_entity(f);
    kn_time remaining, duration;
    (void)kn_effects_remaining(f->world, entity, &query, &remaining, &duration);
    uint32_t stacks = take_count(&f->in);
    (void)kn_effects_remove(f->world, entity, &query, stacks, take_reason(f), &removed);
}

static void call_change(fuzz *f)
{
    kn_effect_id effect = take_effect(f);
    kn_time time;
    kn_tag tag;
    switch (take_below(&f->in, 10)) {
    case 0:
        (void)kn_effect_set_remaining(f->world, effect, take_time(&f->in));
        break;
    case 1:
        time = take_time(&f->in);
        (void)kn_effect_add_remaining(f->world, effect, time, take_time(&f->in));
        break;
    case 2:
        (void)kn_effect_scale_remaining(f->world, effect, take_float(&f->in));
        break;
    case 3:
        (void)kn_effect_set_total(f->world, effect, take_time(&f->in));
        break;
    case 4:
        (void)kn_effect_restart(f->world, effect, take_time(&f->in));
        break;
    case 5:
        (void)kn_effect_set_level(f->world, effect, take_float(&f->in));
        break;
    case 6:
        (void)kn_effect_set_stacks(f->world, effect, take_count(&f->in));
        break;
    case 7:
        tag = take_known_tag(f);
        (void)kn_effect_set_caller_value(f->world, effect, tag, take_float(&f->in));
        break;
    case 8:
        (void)kn_effect_refresh(f->world, effect);
        break;
    default:
        (void)kn_effect_execute(f->world, effect);
        break;
    }
}

static void read_effects(fuzz *f)
{
    kn_effect_id effect = take_effect(f);
    kn_effect_info info;
    bool found = kn_effect_get(f->world, effect, &info);
    must(found == kn_effect_is_alive(f->world, effect), "an effect between life and death");
    if (found) {
        must(info.stacks > 0 && info.stacks == kn_effect_stacks(f->world, effect), "no stacks");
        must(info.remaining >= 0 && info.remaining == kn_effect_remaining(f->world, effect),
            "remaining");
        must(kn_entity_is_alive(f->world, info.target), "a target that is gone");
    }
    float magnitude = kn_effect_magnitude(f->world, effect, take_below(&f->in, 4));
    must(magnitude - magnitude == 0.0f, "a magnitude that is not finite");
    (void)kn_effect_caller_value(f->world, effect, take_known_tag(f), 0.0f);
    (void)kn_effect_state(f->world, effect);
    (void)kn_effect_payload(f->world, effect, kn_context_type_find(f->library, "Bolt"));
    (void)kn_effect_type_name(f->world, take_type(f));
    (void)kn_effects_count(f->world, take_entity(f));
    char text[256];
    kn_entity_id entity = take_entity(f);
    uint32_t size = take_u8(&f->in);
    (void)kn_entity_dump(f->world, entity, text, size);
    (void)kn_entity_dump_json(f->world, entity, text, size);
}

// Records, rules, timers, listeners, components -----------------------------

static void call_record(fuzz *f)
{
    kn_tag tags[2];
    tags[0] = take_known_tag(f);
    tags[1] = take_known_tag(f);
    kn_entity_id entity;
    kn_event_record record = kn_event_record_default();
    record.kind.index1 = 1 + take_below(&f->in, f->refs.kinds);
    record.tags = (kn_tags){tags, take_below(&f->in, 3)};
    record.instigator = take_entity(f);
    record.target = take_entity(f);
    record.magnitude = take_float(&f->in);
    uint32_t bits = take_u8(&f->in);
    record.ignore_modifiers = (bits & 3) == 3;
    record.ignore_gates = (bits & 12) == 12;
    switch (bits >> 4 & 3) {
    case 0: {
        kn_effect_id vetoes[4];
        (void)kn_event_vetoes(f->world, &record, vetoes, 4);
        break;
    }
    case 1:
        entity = take_entity(f);
        tags[0] = take_known_tag(f);
        (void)kn_event_send(f->world, entity, tags[0], take_bool(&f->in) ? &record : NULL);
        break;
    case 2:
        if (f->refs.values > 0) {
            kn_value_id value = {1 + take_below(&f->in, f->refs.values)};
            float base = take_float(&f->in);
            bool is_static = take_bool(&f->in);
            entity = take_entity(f);
            (void)kn_value_evaluate(
                f->world, entity, value, base, take_bool(&f->in) ? &record : NULL, is_static);
        }
        break;
    default: {
        kn_event_outcome outcome;
        (void)kn_event_run(f->world, &record, &outcome);
        break;
    }
    }
}

static void call_timer(fuzz *f)
{
    kn_timer_id timer;
    kn_entity_id entity;
    switch (take_below(&f->in, 3)) {
    case 0:
        entity = take_entity(f);
        if (kn_timer_start(f->world, (kn_timer_type_id){1}, entity, take_time(&f->in), NULL,
                &timer) == KN_OK) {
            (void)kn_timer_cancel(f->world, f->timers[f->timer_at % RING]);
            f->timers[f->timer_at++ % RING] = timer;
        }
        break;
    case 1:
        (void)kn_timer_cancel(f->world, f->timers[take_below(&f->in, RING)]);
        break;
    default:
        (void)kn_timer_remaining(f->world, f->timers[take_below(&f->in, RING)]);
        break;
    }
}

// Listeners may call the API: this one removes itself, others, or an effect.
static void listen(void *user, kn_world *world, const kn_event *event)
{
    fuzz *f = user;
    if (world != f->world) {
        return;
    }
    char text[128];
    (void)kn_event_print(world, event, text, sizeof text);
    (void)kn_cause_print(world, event->cause, text, sizeof text);
    switch (take_below(&f->in, 6)) {
    case 0:
        (void)kn_listener_remove(world, f->listeners[take_below(&f->in, RING)]);
        break;
    case 1:
        (void)kn_effect_remove(world, take_effect(f), 1, KN_REMOVED_BY_CALL);
        break;
    case 2:
        (void)kn_effect_apply_simple(world, take_type(f), event->entity, event->entity, 1.0f, NULL);
        break;
    case 3:
        must(kn_world_step(world, KN_MS(1)) == KN_ERROR_WORLD_LOCKED, "stepping in a listener");
        break;
    case 4:
        (void)kn_entity_destroy(world, event->entity);
        break;
    default:
        break;
    }
}

static void call_listener(fuzz *f)
{
    if (take_bool(&f->in)) {
        (void)kn_listener_remove(f->world, f->listeners[take_below(&f->in, RING)]);
        return;
    }
    kn_listener_def def = kn_listener_def_default();
    def.type = (kn_event_type)take_below(&f->in, KN_EVENT_TYPE_COUNT);
    uint32_t bits = take_u8(&f->in);
    def.entity = (bits & 1) != 0 ? take_entity(f) : (kn_entity_id){0};
    def.tag = (bits & 2) != 0 ? take_known_tag(f) : (kn_tag){0};
    def.owner = (bits & 4) != 0 ? take_entity(f) : (kn_entity_id){0};
    def.effect_type = (bits & 8) != 0 ? take_type(f) : (kn_effect_type_id){0};
    def.effect = (bits & 16) != 0 ? take_effect(f) : (kn_effect_id){0};
    def.function = listen;
    def.user = f;
    kn_listener_id listener;
    if (kn_listener_count(f->world) < 8 && kn_listener_add(f->world, &def, &listener) == KN_OK) {
        f->listeners[f->listener_at++ % RING] = listener;
    }
}

static void call_component(fuzz *f)
{
    kn_component_type_id type = f->component;
    if (kn_component_type_id_is_null(type)) {
        return;
    }
    kn_entity_id entity = take_entity(f);
    uint32_t count;
    switch (take_below(&f->in, 5)) {
    case 0:
    case 1:
        if (kn_component_add(f->world, type, entity) != NULL) {
            (void)kn_component_resize(f->world, type, entity, take_u8(&f->in));
        }
        break;
    case 2:
        (void)kn_component_remove(f->world, type, entity);
        break;
    case 3:
        (void)kn_component_next(f->world, type, entity);
        (void)kn_component_read(f->world, type, entity);
        break;
    default:
        (void)kn_component_get(f->world, type, entity);
        (void)kn_component_items(f->world, type, entity, &count);
        break;
    }
}

static void call_random(fuzz *f)
{
    uint32_t stream = take_u8(&f->in);
    uint32_t bound = take_u8(&f->in);
    (void)kn_random_u32(f->world, stream);
    must(
        bound == 0 || kn_random_below(f->world, stream, bound) < bound, "a random number too high");
    float value = kn_random_float(f->world, KN_STREAM_INIT);
    must(value >= 0.0f && value < 1.0f, "a random float out of range");
}

// Time, snapshots, saves ----------------------------------------------------

static kn_time take_step(fuzz *f)
{
    static const uint32_t spans[] = {0, 1, 999, 16667, 33333, 50000, 7, 100};
    return KN_US(spans[take_below(&f->in, 8)]);
}

// Steps; a world with too much going on ends the run.
static void step(fuzz *f, kn_time dt)
{
    kn_result result = kn_world_step(f->world, dt);
    must(result == KN_OK, "a step failed");
    kn_events events = kn_world_events(f->world);
    f->is_over = f->is_over || events.count > EVENTS_MAX;
}

static void call_step(fuzz *f)
{
    step(f, take_step(f));
}

static void call_long_step(fuzz *f)
{
    for (uint32_t i = 0; i < 10 && !f->is_over; i++) {
        step(f, KN_MS(50));
    }
}

static void read_events(fuzz *f)
{
    kn_events events = kn_world_events(f->world);
    if (events.count > 0) {
        const kn_event *event = &events.data[take_u8(&f->in) % events.count];
        char text[256];
        uint32_t size = take_u8(&f->in);
        (void)kn_event_print(f->world, event, text, size);
        (void)kn_cause_print(f->world, event->cause, text, size);
        kn_cause_info info;
        (void)kn_cause_get(f->world, event->cause, &info);
    }
}

static void call_snapshot(fuzz *f)
{
    size_t size = kn_snapshot_size(f->world);
    free(f->snapshot);
    f->snapshot = malloc(size);
    must(f->snapshot != NULL, "no memory");
    size_t written;
    must(size == 0 || kn_snapshot_take(f->world, f->snapshot, size - 1, &written) ==
                          KN_ERROR_BUFFER_TOO_SMALL,
        "a snapshot in too small a buffer");
    must(kn_snapshot_take(f->world, f->snapshot, size, &written) == KN_OK, "no snapshot");
    f->snapshot_size = written;
    f->snapshot_hash = kn_world_hash(f->world);
}

static void restore(fuzz *f)
{
    must(kn_snapshot_restore(f->world, f->snapshot, f->snapshot_size) == KN_OK, "no restore");
    must(kn_world_hash(f->world) == f->snapshot_hash, "restored to another state");
}

static void call_restore(fuzz *f)
{
    if (f->snapshot != NULL) {
        restore(f);
    }
}

// A step, made twice from the same snapshot. Listeners would take other bytes the second time.
static void call_sync(fuzz *f)
{
    if (kn_listener_count(f->world) > 0) {
        return;
    }
    kn_time dt = take_step(f);
    call_snapshot(f);
    step(f, dt);
    uint64_t hash = kn_world_hash(f->world);
    restore(f);
    step(f, dt);
    must(kn_world_hash(f->world) == hash, "the same step ended differently");
}

// Odd input is reported all the time.
static void say_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

// A grant is one more effect.
static void grant(void *user, kn_world *world, kn_entity_id entity, kn_effect_id effect,
    const kn_grant_def *granted, bool is_granted)
{
    (void)user;
    (void)effect;
    if (is_granted && granted->removal == KN_GRANT_CANCEL) {
        (void)kn_effect_apply_simple(world, (kn_effect_type_id){2}, entity, entity, 1.0f, NULL);
    }
}

static kn_world *new_world(const kn_library *library)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.entity_capacity = 16;
    def.actor_capacity = 16;
    def.effect_capacity = 32;
    def.event_capacity = 64;
    def.heap_capacity = 4096;
    def.chain_limit = 12;
    def.reaction_limit = 400;
    def.hooks.log_fn = say_nothing;
    def.grant_fn = grant;
    kn_world *world;
    must(kn_world_create(&def, &world) == KN_OK, "no world");
    return world;
}

// Saves, loads into a new world, and continues with that one.
static void call_save(fuzz *f)
{
    if (f->saves++ >= SAVES_MAX) {
        return;
    }
    size_t size = 0, written = 0, again = 0;
    must(kn_save_write(f->world, NULL, 0, &size) == KN_OK, "a save has no size");
    void *first = malloc(size), *second = malloc(size);
    must(first != NULL && second != NULL, "no memory");
    must(kn_save_write(f->world, first, size, &written) == KN_OK, "no save");
    must(written == size, "a save of another size");
    kn_world *loaded = new_world(f->library);
    kn_error error = {0};
    if (kn_save_read(loaded, first, written, &error) != KN_OK) {
        must(false, error.message);
    }
    if (kn_world_hash(loaded) != kn_world_hash(f->world)) {
        char text[256] = "";
        (void)kn_world_difference(f->world, loaded, text, sizeof text);
        must(false, text);
    }
    must(kn_world_validate(loaded), "the loaded world is not valid");
    must(kn_save_write(loaded, second, size, &again) == KN_OK && again == written &&
             memcmp(first, second, written) == 0,
        "the loaded world saves to other bytes");
    free(first);
    free(second);
    kn_world_destroy(f->world);
    f->world = loaded;
    free(f->snapshot); // of a world with other types, perhaps
    f->snapshot = NULL;
}

// What breaks the contract on purpose ---------------------------------------

static bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static void call_wrongly(fuzz *f)
{
    uint64_t hash = kn_world_hash(f->world);
    kn_assert_set_handler(ignore_assert);
    kn_entity_id entity = take_entity(f);
    switch (take_below(&f->in, 8)) {
    case 0:
        must(kn_entity_add_tag(f->world, entity, (kn_tag){9999}, KN_TAG_ORIGIN_LOOSE, 1) != KN_OK,
            "an unknown tag");
        break;
    case 1:
        must(kn_entity_add_tag(f->world, entity, (kn_tag){1}, KN_TAG_ORIGIN_EFFECT, 1) != KN_OK,
            "an origin that is not for callers");
        break;
    case 2: {
        kn_effect_apply_def apply = {0};
        must(kn_effect_apply(f->world, &apply, NULL) != KN_OK, "a def without its default");
        break;
    }
    case 3:
        must(kn_effect_remove(f->world, take_effect(f), 0, (kn_removal_reason)77) != KN_OK,
            "a reason out of range");
        break;
    case 4:
        must(kn_world_step(f->world, -1) == KN_ERROR_INVALID_ARGUMENT, "a step back");
        must(kn_world_step(f->world, INT64_MAX) == KN_ERROR_INVALID_ARGUMENT, "too long a step");
        break;
    case 5: {
        kn_effect_query query = kn_effect_query_default();
        uint32_t removed;
        must(kn_effects_remove(f->world, entity, &query, 0, KN_REMOVED_BY_CALL, &removed) != KN_OK,
            "a query for everything");
        break;
    }
    case 6: {
        kn_effect_def def = {0};
        kn_effect_type_id type;
        kn_error error;
        must(kn_world_effect_register(f->world, &def, &type, &error) != KN_OK, "an empty def");
        break;
    }
    default:
        must(kn_snapshot_restore(f->world, "nonsense", 8) != KN_OK, "a foreign snapshot");
        break;
    }
    kn_assert_set_handler(NULL);
    must(kn_world_hash(f->world) == hash, "a refused call changed something");
}

// ---------------------------------------------------------------------------

typedef void call_fn(fuzz *f);

static call_fn *const calls[] = {call_entity, call_entity, call_destroy, call_relations, call_tags,
    call_tags, read_tags, call_attributes, call_attributes, read_attributes, define_type,
    define_type, define_type, call_apply, call_apply, call_apply, call_apply, call_apply,
    call_apply_simple, call_apply_simple, call_spec, call_spec, call_container, call_remove,
    call_remove, call_change, call_change, call_change, read_effects, call_record, call_record,
    call_timer, call_listener, call_component, call_random, call_step, call_step, call_step,
    call_long_step, read_events, call_snapshot, call_restore, call_sync, call_save, call_wrongly};

#define CALL_COUNT (sizeof calls / sizeof calls[0])

// Libraries are made once; worlds for every input.
static const kn_library *library_of(uint32_t index)
{
    static kn_library *libraries[16];
    if (libraries[index] == NULL) {
        kn_error error = {0};
        if (scene_create_library(scene_list[index], NULL, &libraries[index], &error) != KN_OK) {
            must(false, error.message);
        }
    }
    return libraries[index];
}

// How many things there are of each kind. Functions have no names to count them by.
static fuzz_refs count_refs(const scene_info *scene, const kn_library *library)
{
    fuzz_refs refs = {.library = library};
    refs.tags = kn_tag_count(library);
    refs.attributes = kn_attribute_count(library);
    while (kn_curve_name(library, (kn_curve_id){refs.curves + 1})[0] != '\0') {
        refs.curves++;
    }
    while (kn_name_text(library, (kn_name){refs.names + 1})[0] != '\0') {
        refs.names++;
    }
    while (kn_value_name(library, (kn_value_id){refs.values + 1})[0] != '\0') {
        refs.values++;
    }
    while (kn_event_kind_name(library, (kn_event_kind_id){refs.kinds + 1})[0] != '\0') {
        refs.kinds++;
    }
    bool is_duel = strcmp(scene->name, "duel") == 0;
    refs.calculations = is_duel || strcmp(scene->name, "derived") == 0 ? 1 : 0;
    refs.conditions = is_duel || strcmp(scene->name, "economy") == 0 ? 1 : 0;
    refs.executions = is_duel ? 1 : 0;
    refs.requirements = is_duel ? 1 : 0;
    refs.logics = is_duel ? 1 : 0;
    return refs;
}

static void start(fuzz *f)
{
    uint32_t byte = take_u8(&f->in);
    f->scene = scene_list[byte % scene_count];
    f->library = library_of(byte % scene_count);
    f->refs = count_refs(f->scene, f->library);
    f->world = new_world(f->library);
    while (kn_effect_type_name(f->world, (kn_effect_type_id){f->type_count + 1})[0] != '\0') {
        f->type_count++;
    }
    while (kn_attribute_set_name(f->library, (kn_attribute_set_id){f->set_count + 1})[0] != '\0') {
        f->set_count++;
    }
    f->container = kn_container_find(f->library, "Levy");
    f->component = kn_component_find(f->library, "Ledger");
    for (uint32_t i = 0; i < 4; i++) {
        call_entity(f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz f;
    f = (fuzz){.in = {data, size}};
    start(&f);
    for (uint32_t i = 0; i < CALLS_MAX && f.in.size > 0 && !f.is_over; i++) {
        calls[take_u8(&f.in) % CALL_COUNT](&f);
        if (i % 16 == 15) {
            must(kn_world_validate(f.world), "the world is not valid");
        }
    }
    must(kn_world_validate(f.world), "the world is not valid at the end");
    free(f.snapshot);
    kn_world_destroy(f.world);
    return 0;
}
