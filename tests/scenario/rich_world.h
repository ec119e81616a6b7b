// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A small world that uses everything there is to keep: every kind of magnitude that is stored,
// stacks with timers, children, logic, payloads, types made at run time, extension components,
// timers, specs, bodies, parents, owners, keyed sets. For the tests of saves, snapshots, hashes and
// recordings. Also an allocator that can be made to fail.
#ifndef RICH_WORLD_H
#define RICH_WORLD_H

#include "group.h"

#include "scenario/world_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Memory --------------------------------------------------------------------

typedef struct rich_memory {
    uint64_t calls;   // that made or enlarged a block
    uint64_t fail_at; // the call, counted from 1, from which on there is no memory; 0 = never
    size_t blocks;
} rich_memory;

static inline void *rich_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    rich_memory *memory = user;
    if (new_size == 0) {
        memory->blocks -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    if (new_size > old_size && memory->fail_at != 0 && ++memory->calls >= memory->fail_at) {
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    memory->blocks += ptr == NULL && block != NULL;
    return block;
}

static inline bool rich_ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

// The library ---------------------------------------------------------------

typedef struct rich_charge {
    uint32_t charges;
    float rate;
    kn_time ready;
    kn_entity_id partner;
    kn_tag tag;
    kn_attribute_id attribute;
    kn_vec3 place;
    uint16_t small;
    bool is_full;
    uint8_t kind;
    int64_t wide;
} rich_charge;

typedef struct rich_item {
    int32_t number;
    kn_tag tag;
} rich_item;

typedef struct rich_state {
    uint32_t ticks;
    float sum;
} rich_state;

static inline void rich_applied(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)world;
    ((rich_state *)state)->sum = kn_spec_view_level(spec);
}

static inline void rich_ticked(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)spec;
    rich_state *s = state;
    s->ticks++;
    s->sum += kn_random_float(world, 1);
}

// Stirs the world now and then: moves time on, draws numbers, applies and removes.
static inline kn_time rich_stir(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    uint32_t *count = data;
    (*count)++;
    const kn_library *library = kn_world_library(world);
    const char *names[4] = {"Burn", "Venom", "Bleed", "Brand"};
    kn_effect_type_id type = kn_effect_type_find(library, names[kn_random_below(world, 0, 4)]);
    (void)kn_effect_apply_simple(world, type, entity, entity, 1.0f, NULL);
    kn_tag lit = kn_tag_find(library, "State.Lit");
    if (*count % 3 == 0) {
        (void)kn_entity_set_tag_count(
            world, entity, lit, KN_TAG_ORIGIN_LOOSE, kn_random_below(world, 0, 2));
    }
    return KN_MS(300) + KN_US(kn_random_below(world, 0, 100000));
}

static inline void rich_cry(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    kn_effect_type_id type = kn_effect_type_find(kn_world_library(world), "Haste");
    (void)kn_effect_apply_simple(world, type, reaction->entity, reaction->entity, 2.0f, NULL);
}

static inline float rich_calculate(void *user, const kn_calculation *calculation)
{
    (void)user;
    return 1.0f + kn_calculation_capture(calculation, 0) * 0.25f;
}

typedef struct rich_names {
    kn_library *library;
    kn_attribute_id health, max_health, power, armor, sharpness;
    kn_tag fire, burning, lit, cursed, amount, part, immune, blocked;
    kn_name strength;
} rich_names;

static inline kn_tag rich_tag(kn_library *library, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(library, &def, &tag, NULL), KN_OK);
    return tag;
}

static inline void rich_sets(rich_names *n)
{
    const char *names[5] = {"Health", "MaxHealth", "Power", "Armor", "Damage"};
    const float values[5] = {100.0f, 150.0f, 12.0f, 3.0f, 0.0f};
    kn_attribute_def attributes[5];
    for (uint32_t i = 0; i < 5; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = names[i];
        attributes[i].default_value = values[i];
    }
    attributes[0].min = kn_limit_constant(0.0f);
    attributes[0].max = kn_limit_attribute("MaxHealth");
    attributes[0].base_max = kn_limit_attribute("MaxHealth");
    attributes[2].has_random = true;
    attributes[2].random_min = 10.0f;
    attributes[2].random_max = 20.0f;
    attributes[4].is_meta = true;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 5;
    kn_attribute_set_id id;
    assert_int_equal(kn_attribute_set_register(n->library, &set, &id, NULL), KN_OK);
    kn_attribute_def sharp = kn_attribute_def_default();
    sharp.name = "Sharpness";
    sharp.default_value = 4.0f;
    set.name = "Weapon";
    set.attributes = &sharp;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(n->library, &set, &id, NULL), KN_OK);
    n->health = kn_attribute_find(n->library, "Vitals.Health");
    n->max_health = kn_attribute_find(n->library, "Vitals.MaxHealth");
    n->power = kn_attribute_find(n->library, "Vitals.Power");
    n->armor = kn_attribute_find(n->library, "Vitals.Armor");
    n->sharpness = kn_attribute_find(n->library, "Weapon.Sharpness");
}

static inline void rich_register(const rich_names *n, const kn_effect_def *def)
{
    kn_effect_type_id type;
    kn_error error = {0};
    kn_result result = kn_effect_register(n->library, def, &type, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", def->name, error.message);
    }
}

static inline kn_effect_def rich_effect(const char *name, kn_duration_kind kind, float seconds)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(seconds);
    return def;
}

static inline void rich_effect_of(const rich_names *n, const char *name, kn_duration_kind kind,
    float seconds, kn_modifier_def modifier)
{
    kn_effect_def def = rich_effect(name, kind, seconds);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    rich_register(n, &def);
}

static inline kn_modifier_def rich_modifier(kn_attribute_id attribute, kn_magnitude magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = attribute;
    modifier.op = KN_OP_ADD;
    modifier.magnitude = magnitude;
    return modifier;
}

static inline void rich_stacking_effects(const rich_names *n)
{
    kn_modifier_def loss = kn_modifier_constant(n->health, KN_OP_ADD, -1.5f);
    kn_effect_def burn = rich_effect("Burn", KN_DURATION_TIMED, 4.0f);
    burn.is_periodic = true;
    burn.period = kn_magnitude_constant(0.7f);
    burn.modifiers = &loss;
    burn.modifier_count = 1;
    burn.asset_tags = (kn_tags){&n->fire, 1};
    burn.granted_tags = (kn_tags){&n->burning, 1};
    rich_register(n, &burn);

    kn_modifier_def weak = kn_modifier_constant(n->power, KN_OP_ADD, -0.5f);
    kn_effect_def venom = rich_effect("Venom", KN_DURATION_TIMED, 2.5f);
    venom.modifiers = &weak;
    venom.modifier_count = 1;
    venom.stacking.kind = KN_STACK_BY_TARGET;
    venom.stacking.own_timers = true;
    venom.stacking.limit = kn_constant(4.0f);
    rich_register(n, &venom);

    kn_effect_def bleed = rich_effect("Bleed", KN_DURATION_TIMED, 3.0f);
    bleed.is_periodic = true;
    bleed.period = kn_magnitude_constant(1.0f);
    bleed.partial_last_tick = true;
    bleed.keeps_tally = true;
    bleed.modifiers = &loss;
    bleed.modifier_count = 1;
    bleed.stacking.kind = KN_STACK_BY_SOURCE;
    bleed.stacking.limit = kn_constant(3.0f);
    bleed.stacking.expiration = KN_EXPIRE_ONE_AND_REFRESH;
    kn_child_def child = kn_child_def_default();
    child.type_name = "Haste";
    child.when = KN_CHILD_COUNT_HELD;
    child.count = 2;
    child.remove_with_parent = true;
    bleed.children = &child;
    bleed.child_count = 1;
    rich_register(n, &bleed);

    kn_modifier_def pool = rich_modifier(n->health, kn_magnitude_of(KN_MAGNITUDE_POOL));
    pool.magnitude.scale = kn_constant(-1.0f);
    pool.magnitude.pre_add = kn_constant(6.0f);
    kn_effect_def brand = rich_effect("Brand", KN_DURATION_TIMED, 2.0f);
    brand.is_periodic = true;
    brand.period = kn_magnitude_constant(0.5f);
    brand.modifiers = &pool;
    brand.modifier_count = 1;
    brand.stacking.kind = KN_STACK_BY_TARGET;
    brand.stacking.merge = KN_MERGE_POOL;
    rich_register(n, &brand);
}

static inline void rich_switched_effects(const rich_names *n)
{
    kn_modifier_def shine = kn_modifier_constant(n->armor, KN_OP_ADD, 2.0f);
    kn_effect_def aura = rich_effect("Aura", KN_DURATION_INFINITE, 0.0f);
    aura.modifiers = &shine;
    aura.modifier_count = 1;
    aura.ongoing.target.required = (kn_tags){&n->lit, 1};
    aura.blocked_ability_tags = (kn_tags){&n->blocked, 1};
    rich_register(n, &aura);

    kn_modifier_def heal = kn_modifier_constant(n->health, KN_OP_ADD, 0.5f);
    kn_effect_def glow = rich_effect("Glow", KN_DURATION_INFINITE, 0.0f);
    glow.is_periodic = true;
    glow.period = kn_magnitude_constant(0.4f);
    glow.inhibit_period = KN_INHIBIT_PAUSE;
    glow.ongoing.target.required = (kn_tags){&n->lit, 1};
    glow.modifiers = &heal;
    glow.modifier_count = 1;
    rich_register(n, &glow);

    kn_modifier_def brave = kn_modifier_constant(n->power, KN_OP_MULTIPLY, 1.25f);
    brave.when = KN_REQUIREMENT_TIME_CONTINUOUS;
    brave.target.required = (kn_tags){&n->burning, 1};
    rich_effect_of(n, "Brave", KN_DURATION_INFINITE, 0.0f, brave);

    kn_gate_def gate = {0};
    gate.record.required = (kn_tags){&n->cursed, 1};
    kn_effect_def ward = rich_effect("Ward", KN_DURATION_INFINITE, 0.0f);
    ward.gates = &gate;
    ward.gate_count = 1;
    ward.granted_tags = (kn_tags){&n->immune, 1};
    rich_register(n, &ward);

    kn_tag_edit edit = {KN_TAG_EDIT_REPLACE, n->lit, n->cursed};
    kn_effect_def mask = rich_effect("Mask", KN_DURATION_TIMED, 3.0f);
    mask.tag_edits = &edit;
    mask.tag_edit_count = 1;
    rich_register(n, &mask);

    kn_modifier_def lead = kn_modifier_constant(n->armor, KN_OP_ADD, 1.0f);
    kn_effect_def banner = rich_effect("Banner", KN_DURATION_INFINITE, 0.0f);
    banner.modifiers = &lead;
    banner.modifier_count = 1;
    banner.acts_on_owned = true;
    rich_register(n, &banner);
}

static inline void rich_reading_effects(const rich_names *n)
{
    rich_effect_of(
        n, "Haste", KN_DURATION_TIMED, 6.0f, kn_modifier_constant(n->power, KN_OP_MULTIPLY, 1.5f));
    rich_effect_of(n, "Bond", KN_DURATION_TIMED, 20.0f,
        rich_modifier(
            n->max_health, kn_magnitude_attribute(n->power, KN_CAPTURE_FROM_SOURCE, false, 2.0f)));
    rich_effect_of(n, "Echo", KN_DURATION_TIMED, 20.0f,
        rich_modifier(
            n->armor, kn_magnitude_attribute(n->power, KN_CAPTURE_FROM_SOURCE, true, 0.5f)));
    rich_effect_of(n, "Curse", KN_DURATION_TIMED, 9.0f,
        rich_modifier(n->armor, kn_magnitude_set_by_caller(n->amount)));
    kn_modifier_def edge = kn_modifier_constant(n->sharpness, KN_OP_ADD, 3.0f);
    edge.key = 7;
    rich_effect_of(n, "Edge", KN_DURATION_INFINITE, 0.0f, edge);

    kn_modifier_def by_name = rich_modifier(n->armor, kn_magnitude_parameter(n->strength));
    kn_parameter_def parameter = {.name = n->strength, .value = 1.0f};
    kn_effect_def gift = rich_effect("Gift", KN_DURATION_INFINITE, 0.0f);
    gift.modifiers = &by_name;
    gift.modifier_count = 1;
    gift.parameters = &parameter;
    gift.parameter_count = 1;
    rich_register(n, &gift);

    kn_value_def value = kn_value_def_default();
    value.name = "CastLength";
    kn_value_id cast;
    assert_int_equal(kn_value_register(n->library, &value, &cast, NULL), KN_OK);
    kn_modifier_def quick = kn_modifier_def_default();
    quick.value = cast;
    quick.op = KN_OP_MULTIPLY;
    quick.magnitude = kn_magnitude_constant(0.5f);
    rich_effect_of(n, "Quick", KN_DURATION_INFINITE, 0.0f, quick);

    kn_capture capture = {.attribute = n->max_health, .from = KN_CAPTURE_FROM_TARGET};
    kn_calculation_def calculation = kn_calculation_def_default();
    calculation.name = "Quarter";
    calculation.captures = &capture;
    calculation.capture_count = 1;
    calculation.function = rich_calculate;
    kn_calculation_id quarter;
    assert_int_equal(kn_calculation_register(n->library, &calculation, &quarter, NULL), KN_OK);
    rich_effect_of(n, "Giant", KN_DURATION_INFINITE, 0.0f,
        rich_modifier(n->armor, kn_magnitude_calculation(quarter)));

    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Counter";
    static const kn_field state[] = {
        KN_FIELD_INIT("ticks", KN_FIELD_U32, offsetof(rich_state, ticks), 1),
        KN_FIELD_INIT("sum", KN_FIELD_F32, offsetof(rich_state, sum), 1)};
    logic.state_size = sizeof(rich_state);
    logic.state_fields = state;
    logic.state_field_count = 2;
    logic.applied = rich_applied;
    logic.ticked = rich_ticked;
    kn_effect_def counter = rich_effect("Counter", KN_DURATION_INFINITE, 0.0f);
    counter.is_periodic = true;
    counter.period = kn_magnitude_constant(0.6f);
    assert_int_equal(kn_effect_logic_register(n->library, &logic, &counter.logic, NULL), KN_OK);
    rich_register(n, &counter);
}

static inline void rich_component_type(const rich_names *n)
{
    static const kn_field fields[] = {
        KN_FIELD_INIT("charges", KN_FIELD_U32, offsetof(rich_charge, charges), 1),
        KN_FIELD_INIT("rate", KN_FIELD_F32, offsetof(rich_charge, rate), 1),
        KN_FIELD_INIT("ready", KN_FIELD_TIME, offsetof(rich_charge, ready), 1),
        KN_FIELD_INIT("partner", KN_FIELD_ENTITY, offsetof(rich_charge, partner), 1),
        KN_FIELD_INIT("tag", KN_FIELD_TAG, offsetof(rich_charge, tag), 1),
        KN_FIELD_INIT("attribute", KN_FIELD_ATTRIBUTE, offsetof(rich_charge, attribute), 1),
        KN_FIELD_INIT("place", KN_FIELD_VEC3, offsetof(rich_charge, place), 1),
        KN_FIELD_INIT("small", KN_FIELD_U16, offsetof(rich_charge, small), 1),
        KN_FIELD_INIT("is_full", KN_FIELD_BOOL, offsetof(rich_charge, is_full), 1),
        KN_FIELD_INIT("kind", KN_FIELD_U8, offsetof(rich_charge, kind), 1),
        KN_FIELD_INIT("wide", KN_FIELD_I64, offsetof(rich_charge, wide), 1),
    };
    static const kn_field items[] = {
        KN_FIELD_INIT("number", KN_FIELD_I32, offsetof(rich_item, number), 1),
        KN_FIELD_INIT("tag", KN_FIELD_TAG, offsetof(rich_item, tag), 1),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Charge";
    def.size = sizeof(rich_charge);
    def.fields = fields;
    def.field_count = sizeof(fields) / sizeof(*fields);
    def.item_size = sizeof(rich_item);
    def.item_fields = items;
    def.item_field_count = 2;
    kn_component_type_id type;
    assert_int_equal(kn_component_register(n->library, &def, &type, NULL), KN_OK);
}

// `extra` tags come first and give every other tag another number.
// What commands of the kind Afflict did, in order, for those that look.
typedef struct rich_log {
    uint32_t connections[256];
    uint32_t sequences[256];
    uint8_t effects[256];
    uint32_t count;
    float bonus; // a host that is not deterministic adds this to what it does
} rich_log;

static inline rich_log **rich_log_now(void)
{
    static rich_log *now;
    return &now;
}

// Which effect, and to which entity.
typedef struct rich_afflict {
    uint8_t effect;
    uint8_t entity;
} rich_afflict;

static inline kn_result rich_afflict_run(void *user, kn_world *world, const kn_command *command)
{
    (void)user;
    const rich_afflict *afflict = command->payload;
    rich_log *l = *rich_log_now();
    if (l != NULL && l->count < 256) {
        l->effects[l->count] = afflict->effect;
        l->sequences[l->count] = command->sequence;
        l->connections[l->count++] = command->connection;
    }
    const char *names[4] = {"Haste", "Burn", "Venom", "Bleed"};
    kn_entity_id target = {0};
    for (uint32_t i = 0; i <= afflict->entity % 4u; i++) {
        target = kn_entity_next(world, target);
    }
    kn_effect_type_id type =
        kn_effect_type_find(kn_world_library(world), names[afflict->effect % 4u]);
    return kn_effect_apply_simple(
        world, type, target, target, 1.0f + (l != NULL ? l->bonus : 0.0f), NULL);
}

static inline void rich_commands(rich_names *n)
{
    static const kn_field fields[] = {{.name = "effect",
                                          .kind = KN_FIELD_U8,
                                          .offset = offsetof(rich_afflict, effect),
                                          .count = 1},
        {.name = "entity",
            .kind = KN_FIELD_U8,
            .offset = offsetof(rich_afflict, entity),
            .count = 1}};
    kn_command_def def = kn_command_def_default();
    def.name = "Afflict";
    def.size = sizeof(rich_afflict);
    def.fields = fields;
    def.field_count = 2;
    def.owner_only = false;
    def.function = rich_afflict_run;
    kn_command_type_id type;
    assert_int_equal(kn_command_register(n->library, &def, &type, NULL), KN_OK);
}

static inline kn_library *rich_library(uint32_t extra)
{
    rich_names n = {0};
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &n.library), KN_OK);
    for (uint32_t i = 0; i < extra; i++) {
        char name[32];
        snprintf(name, sizeof(name), "Aaa.Extra%u", (unsigned)i);
        rich_tag(n.library, name);
    }
    n.fire = rich_tag(n.library, "Element.Fire");
    n.burning = rich_tag(n.library, "State.Burning");
    n.lit = rich_tag(n.library, "State.Lit");
    n.cursed = rich_tag(n.library, "Kind.Curse");
    n.amount = rich_tag(n.library, "Data.Amount");
    n.part = rich_tag(n.library, "Data.Other");
    n.immune = rich_tag(n.library, "State.Immune");
    n.blocked = rich_tag(n.library, "Ability.Jump");
    assert_int_equal(kn_name_register(n.library, "strength", &n.strength, NULL), KN_OK);
    rich_sets(&n);
    rich_stacking_effects(&n);
    rich_switched_effects(&n);
    rich_reading_effects(&n);
    rich_component_type(&n);
    kn_timer_type_id timer;
    assert_int_equal(
        kn_timer_type_register(n.library, "Stir", rich_stir, NULL, &timer, NULL), KN_OK);
    kn_context_type_id context;
    assert_int_equal(kn_context_type_register(n.library, "Hit", 12, &context, NULL), KN_OK);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Cry";
    rule.trigger = KN_TRIGGER_TAG_ADDED;
    rule.tag = n.burning;
    rule.function = rich_cry;
    kn_rule_id rule_id;
    assert_int_equal(kn_rule_register(n.library, &rule, &rule_id, NULL), KN_OK);
    rich_commands(&n);
    kn_error error = {0};
    if (kn_library_finish(n.library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return n.library;
}

// The world -----------------------------------------------------------------

static inline kn_world *rich_empty_world(const kn_library *library, rich_memory *memory)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.seed = 42;
    def.entity_capacity = 16; // small, so that everything has to grow
    def.actor_capacity = 16;
    def.effect_capacity = 16;
    def.event_capacity = 16;
    def.heap_capacity = 1024;
    if (memory != NULL) {
        def.hooks.realloc_fn = rich_realloc;
        def.hooks.realloc_user = memory;
    }
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    return world;
}

static inline kn_effect_type_id rich_type(const kn_world *world, const char *name)
{
    kn_effect_type_id type = kn_effect_type_find(kn_world_library(world), name);
    assert_true(type.index1 != 0);
    return type;
}

static inline kn_effect_id rich_apply(
    kn_world *world, const char *name, kn_entity_id source, kn_entity_id target)
{
    kn_effect_id effect;
    kn_result result =
        kn_effect_apply_simple(world, rich_type(world, name), source, target, 1.5f, &effect);
    if (result != KN_OK) {
        fail_msg("%s: %s", name, kn_result_name(result));
    }
    return effect;
}

static inline void rich_apply_detailed(kn_world *world, kn_entity_id source, kn_entity_id target)
{
    const kn_library *library = kn_world_library(world);
    kn_caller_value caller[2] = {
        {kn_tag_find(library, "Data.Other"), 9.0f}, {kn_tag_find(library, "Data.Amount"), -1.25f}};
    kn_named_value named = {kn_name_find(library, "strength"), 2.5f};
    kn_tag granted[2] = {kn_tag_find(library, "State.Lit"), kn_tag_find(library, "Element.Fire")};
    kn_tag asset = kn_tag_find(library, "Kind.Curse");
    const char payload[12] = "eleven char";
    kn_effect_context context = {.instigator = source,
        .causer = target,
        .source_object = 77,
        .origin = {1.0f, -2.0f, 3.5f},
        .has_origin = true,
        .payload_type = {1},
        .payload = payload};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = rich_type(world, "Curse");
    def.source = source;
    def.target = target;
    def.level = 2.0f;
    def.caller_values = caller;
    def.caller_value_count = 2;
    def.named_values = &named;
    def.named_value_count = 1;
    def.dynamic_granted_tags = (kn_tags){granted, 2};
    def.dynamic_asset_tags = (kn_tags){&asset, 1};
    def.context = &context;
    assert_int_equal(kn_effect_apply(world, &def, NULL), KN_OK);
    def.type = rich_type(world, "Gift");
    assert_int_equal(kn_effect_apply(world, &def, NULL), KN_OK);
    def.type = rich_type(world, "Echo");
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(world, &def, &spec), KN_OK);
}

static inline void rich_extension(kn_world *world, kn_entity_id entity)
{
    const kn_library *library = kn_world_library(world);
    kn_component_type_id type = kn_component_find(library, "Charge");
    rich_charge *charge = kn_component_add(world, type, entity);
    assert_non_null(charge);
    charge->charges = 3;
    charge->rate = 0.1f;
    charge->ready = KN_MS(1500);
    charge->partner = entity;
    charge->tag = kn_tag_find(library, "State.Lit");
    charge->attribute = kn_attribute_find(library, "Vitals.Power");
    charge->place = (kn_vec3){1.0f, 2.0f, 3.0f};
    charge->small = 500;
    charge->is_full = true;
    charge->kind = 9;
    charge->wide = -5;
    rich_item *items = kn_component_resize(world, type, entity, 3);
    assert_non_null(items);
    items[1].number = -7;
    items[2].tag = kn_tag_find(library, "Element.Fire");
}

static inline void rich_dynamic(kn_world *world, kn_entity_id source, kn_entity_id target)
{
    const kn_library *library = kn_world_library(world);
    kn_modifier_def modifier = rich_modifier(kn_attribute_find(library, "Vitals.Armor"),
        kn_magnitude_attribute(
            kn_attribute_find(library, "Vitals.Power"), KN_CAPTURE_FROM_TARGET, false, 0.25f));
    kn_tag burning = kn_tag_find(library, "State.Burning");
    kn_effect_def def = rich_effect("Brew of the day", KN_DURATION_TIMED, 8.0f);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.granted_tags = (kn_tags){&burning, 1};
    kn_effect_type_id type;
    kn_error error = {0};
    if (kn_world_effect_register(world, &def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(kn_effect_apply_simple(world, type, source, target, 1.0f, NULL), KN_OK);
}

#define RICH_ACTORS 6

// Entities 1 and on are actors; the last ones are a body, a weapon, and one that is gone.
static inline kn_world *rich_world_create(const kn_library *library, rich_memory *memory)
{
    kn_world *world = rich_empty_world(library, memory);
    kn_attribute_set_id vitals = kn_attribute_set_find(library, "Vitals");
    kn_attribute_set_id weapon = kn_attribute_set_find(library, "Weapon");
    kn_entity_id actors[RICH_ACTORS];
    for (uint32_t i = 0; i < RICH_ACTORS; i++) {
        assert_int_equal(kn_entity_create(world, &actors[i]), KN_OK);
        assert_int_equal(kn_attribute_set_add(world, actors[i], vitals, 0), KN_OK);
        assert_int_equal(kn_entity_set_user(world, actors[i], 1000 + i), KN_OK);
    }
    kn_entity_id body, blade, gone;
    assert_int_equal(kn_entity_create(world, &body), KN_OK);
    assert_int_equal(kn_entity_create(world, &gone), KN_OK);
    assert_int_equal(kn_entity_create(world, &blade), KN_OK);
    assert_int_equal(kn_entity_set_avatar(world, actors[0], body), KN_OK);
    assert_int_equal(kn_attribute_set_add(world, gone, vitals, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(world, blade, weapon, 7), KN_OK);
    assert_int_equal(kn_attribute_set_add(world, blade, weapon, 0), KN_OK);
    kn_tag lit = kn_tag_find(library, "State.Lit");
    kn_tag fire = kn_tag_find(library, "Element.Fire");
    assert_int_equal(kn_entity_add_tag(world, blade, fire, KN_TAG_ORIGIN_LOOSE, 2), KN_OK);
    assert_int_equal(kn_entity_set_parent(world, blade, actors[1]), KN_OK);
    assert_int_equal(kn_entity_add_loose_tag(world, actors[1], lit, KN_TAG_SYNC_COUNT_ALL), KN_OK);
    assert_int_equal(kn_entity_add_tag(world, actors[2], lit, KN_TAG_ORIGIN_ABILITY, 3), KN_OK);
    assert_int_equal(kn_entity_set_connection(world, actors[2], 5), KN_OK);
    assert_int_equal(kn_entity_set_owner(world, actors[3], actors[2]), KN_OK);
    assert_int_equal(kn_entity_set_owner(world, actors[4], actors[2]), KN_OK);

    const char *names[] = {"Burn", "Venom", "Venom", "Bleed", "Bleed", "Brand", "Aura", "Glow",
        "Brave", "Bond", "Echo", "Quick", "Giant", "Counter"};
    for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        rich_apply(world, names[i], actors[i % 3], actors[(i + 1) % 4]);
        rich_apply(world, names[i], actors[(i + 2) % RICH_ACTORS], actors[(i + 5) % RICH_ACTORS]);
    }
    rich_apply(world, "Bleed", actors[1], actors[5]);
    rich_apply(world, "Bleed", actors[1], actors[5]); // two stacks hold a child
    rich_apply(world, "Edge", actors[0], blade);
    rich_apply(world, "Banner", actors[0], actors[2]);
    rich_apply(world, "Echo", gone, actors[5]);
    rich_apply_detailed(world, actors[1], actors[3]);
    rich_apply(world, "Ward", actors[4], actors[4]);
    rich_apply(world, "Mask", actors[1], actors[2]);
    rich_dynamic(world, actors[5], actors[0]);
    rich_extension(world, actors[3]);
    rich_extension(world, (kn_entity_id){0});
    for (uint32_t i = 0; i < 3; i++) {
        kn_timer_id timer;
        kn_timer_type_id type = {1};
        assert_int_equal(
            kn_timer_start(world, type, actors[i], KN_MS(100 + 50 * i), NULL, &timer), KN_OK);
    }
    assert_true(kn_entity_destroy(world, gone));
    return world;
}

static inline void rich_step(kn_world *world, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        assert_int_equal(kn_world_step(world, KN_US(33333)), KN_OK);
    }
}

#endif
