// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The field tables of all state structs, and the hash over any record by its table. Where a record
// holds plain bytes (states of abilities and tasks, target data), the functions here find the
// references in them.

#include "world/state_tables.h"

#include "world/world.h"

#define F KNI_F
#define F_LIMIT KNI_F_LIMIT
#define F_SPAN KNI_F_SPAN
#define F_BYTES(type, member, bytes)                                                               \
    KNI_FIELD(type, member, KN_STATE_FIELD_LIST, bytes, 1, 0, &kni_byte_item_table, NULL)

// Tables --------------------------------------------------------------------

static const kn_def_field entity_fields[] = {
    F(kni_entity, generation, KN_FIELD_U32),
    F(kni_entity, user, KN_FIELD_U64),
};
KNI_TABLE(kni_entity_table, kni_entity, entity_fields);

static const kn_def_field component_fields[] = {
    F_LIMIT(kni_component, entity, KN_STATE_FIELD_SLOT, KN_STATE_ENTITY),
    F(kni_component, avatar, KN_FIELD_ENTITY),
    F(kni_component, parent, KN_FIELD_ENTITY),
    F(kni_component, owner, KN_FIELD_ENTITY),
    F(kni_component, connection, KN_FIELD_U32),
};
KNI_TABLE(kni_component_table, kni_component, component_fields);

static const kn_def_field value_fields[] = {
    F(kni_value, base, KN_FIELD_F32),
    F(kni_value, current, KN_FIELD_F32),
};
KNI_TABLE(kni_value_table, kni_value, value_fields);

static const kn_def_field tag_row_fields[] = {
    F_LIMIT(kni_tag_row, tag, KN_STATE_FIELD_REF16, KN_DEF_TAG),
    F(kni_tag_row, count, KN_FIELD_U16),
    F(kni_tag_row, total, KN_FIELD_U32),
};
KNI_TABLE(kni_tag_row_table, kni_tag_row, tag_row_fields);

static const kn_def_field origin_row_fields[] = {
    F_LIMIT(kni_origin_row, tag, KN_STATE_FIELD_REF16, KN_DEF_TAG),
    F_LIMIT(kni_origin_row, origin, KN_STATE_FIELD_ENUM8, KN_TAG_ORIGIN_COUNT),
    F_LIMIT(kni_origin_row, sync, KN_STATE_FIELD_ENUM8, KN_TAG_SYNC_COUNT_ALL + 1),
    F(kni_origin_row, count, KN_FIELD_U32),
};
KNI_TABLE(kni_origin_row_table, kni_origin_row, origin_row_fields);

static const kn_def_field effect_fields[] = {
    F(kni_effect, number, KN_FIELD_U64),
    F(kni_effect, source, KN_FIELD_ENTITY),
    F(kni_effect, start, KN_FIELD_TIME),
    F(kni_effect, duration, KN_FIELD_TIME),
    F(kni_effect, next_tick, KN_FIELD_TIME),
    F_LIMIT(kni_effect, type, KN_STATE_FIELD_INDEX16, KN_DEF_EFFECT),
    F_LIMIT(kni_effect, flags, KN_STATE_FIELD_FLAGS16, KNI_ACTIVE_STATE),
    F_LIMIT(kni_effect, component, KN_STATE_FIELD_SLOT, KN_STATE_LINKS),
    F(kni_effect, stacks, KN_FIELD_U32),
    F(kni_effect, level, KN_FIELD_F32),
    F(kni_effect, executions, KN_FIELD_U32),
};
KNI_TABLE(kni_effect_table, kni_effect, effect_fields);

static const kn_def_field caller_pair_fields[] = {
    F_LIMIT(kni_pair, key, KN_DEF_FIELD_REF, KN_DEF_TAG),
    F(kni_pair, value, KN_FIELD_F32),
};
KNI_TABLE(kni_caller_pair_table, kni_pair, caller_pair_fields);

static const kn_def_field named_pair_fields[] = {
    F_LIMIT(kni_pair, key, KN_DEF_FIELD_REF, KN_DEF_NAME),
    F(kni_pair, value, KN_FIELD_F32),
};
KNI_TABLE(kni_named_pair_table, kni_pair, named_pair_fields);
// Those of abilities; an empty list leaves the hash as it was before abilities had them.
static KNI_TABLE(parameter_pair_table, kni_pair, named_pair_fields);

static const kn_def_field tag_item_fields[] = {
    {"tag", KN_DEF_FIELD_REF, KN_DEF_TAG, 0, 1, 0, NULL, NULL, NULL, NULL}};
KNI_TABLE(kni_tag_item_table, uint32_t, tag_item_fields);

static const kn_def_field magnitude_item_fields[] = {
    {"value", KN_FIELD_F32, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
KNI_TABLE(kni_magnitude_item_table, float, magnitude_item_fields);

static const kn_def_field capture_item_fields[] = {
    {"value", KN_STATE_FIELD_ABSENT, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
KNI_TABLE(kni_capture_item_table, float, capture_item_fields);

static const kn_def_field stack_fields[] = {
    F(kni_stack, start, KN_FIELD_TIME),
    F(kni_stack, end, KN_FIELD_TIME),
    F(kni_stack, source, KN_FIELD_ENTITY),
};
KNI_TABLE(kni_stack_table, kni_stack, stack_fields);

static const kn_def_field child_link_fields[] = {
    F(kni_child_link, effect, KN_FIELD_EFFECT),
    F(kni_child_link, child, KN_FIELD_U32),
    F(kni_child_link, stacks, KN_FIELD_U32),
    F(kni_child_link, start, KN_FIELD_TIME),
    F(kni_child_link, source, KN_FIELD_ENTITY),
};
KNI_TABLE(kni_child_link_table, kni_child_link, child_link_fields);

// The payload's type is listed before the payload, so that a reader knows its size.
static const kn_def_field rare_fields[] = {
    F_SPAN(kni_rare, caller, &kni_caller_pair_table),
    F_SPAN(kni_rare, named, &kni_named_pair_table),
    F_SPAN(kni_rare, granted, &kni_tag_item_table),
    F_SPAN(kni_rare, asset, &kni_tag_item_table),
    F_SPAN(kni_rare, magnitudes, &kni_magnitude_item_table),
    F_SPAN(kni_rare, captures, &kni_capture_item_table),
    F_SPAN(kni_rare, source_tags, &kni_tag_item_table),
    F_SPAN(kni_rare, stacks, &kni_stack_table),
    F_SPAN(kni_rare, children, &kni_child_link_table),
    F_BYTES(kni_rare, targets, KNI_BYTES_TARGETS),
    F_LIMIT(kni_rare, state, KN_STATE_FIELD_BLOCK, KNI_BLOCK_STATE),
    F_LIMIT(kni_rare, payload_type, KN_DEF_FIELD_REF, KN_DEF_CONTEXT),
    F_LIMIT(kni_rare, payload, KN_STATE_FIELD_BLOCK, KNI_BLOCK_PAYLOAD),
    F(kni_rare, has_source_tags, KN_FIELD_U32),
    F(kni_rare, instigator, KN_FIELD_ENTITY),
    F(kni_rare, causer, KN_FIELD_ENTITY),
    F(kni_rare, ability, KN_FIELD_ABILITY),
    F(kni_rare, activation, KN_FIELD_ACTIVATION),
    F(kni_rare, source_object, KN_FIELD_U64),
    F(kni_rare, origin, KN_FIELD_VEC3),
    F(kni_rare, has_origin, KN_FIELD_U32),
    F(kni_rare, period, KN_FIELD_TIME),
    F(kni_rare, base_duration, KN_FIELD_TIME),
    F(kni_rare, paused, KN_FIELD_TIME),
    F(kni_rare, last_tick, KN_FIELD_TIME),
    F(kni_rare, off_modifiers, KN_FIELD_U64),
    F(kni_rare, off_executions, KN_FIELD_U64),
    F(kni_rare, parked, KN_FIELD_U64),
    F(kni_rare, tally_loss, KN_FIELD_F32),
    F(kni_rare, tally_gain, KN_FIELD_F32),
    F(kni_rare, pool, KN_FIELD_F32),
    F(kni_rare, given, KN_FIELD_U32),
    F(kni_rare, held, KN_FIELD_U32),
    F(kni_rare, spare, KN_FIELD_U32),
    F(kni_rare, by_connection, KN_FIELD_U32), // since version 5, see kni_late_fields()
    F(kni_rare, by_sequence, KN_FIELD_U32),
};
KNI_TABLE(kni_rare_table, kni_rare, rare_fields);

static const kn_def_field spec_fields[] = {
    F(kni_spec, number, KN_FIELD_U64),
    F(kni_spec, source, KN_FIELD_ENTITY),
    F(kni_spec, duration, KN_FIELD_TIME),
    F(kni_spec, period, KN_FIELD_TIME),
    F_LIMIT(kni_spec, type, KN_STATE_FIELD_INDEX32, KN_DEF_EFFECT),
    F(kni_spec, level, KN_FIELD_F32),
    F(kni_spec, stacks, KN_FIELD_U32),
    F(kni_spec, flags, KN_FIELD_U32),
};
KNI_TABLE(kni_spec_table, kni_spec, spec_fields);

static const kn_def_field rule_timer_fields[] = {
    F(kni_rule_timer, number, KN_FIELD_U64),
    F(kni_rule_timer, entity, KN_FIELD_ENTITY),
    F(kni_rule_timer, time, KN_FIELD_TIME),
    F_LIMIT(kni_rule_timer, type, KN_STATE_FIELD_INDEX32, KN_DEF_TIMER),
    KNI_FN(kni_rule_timer, data, KN_FIELD_U8, KN_TIMER_DATA_SIZE),
};
KNI_TABLE(kni_rule_timer_table, kni_rule_timer, rule_timer_fields);

static const kn_def_field random_fields[] = {
    F(kni_random, state, KN_FIELD_U64),
    F(kni_random, increment, KN_FIELD_U64),
};
KNI_TABLE(kni_random_table, kni_random, random_fields);

static const kn_def_field extension_head_fields[] = {
    F(kni_extension_head, entity, KN_FIELD_ENTITY),
};
KNI_TABLE(kni_extension_head_table, kni_extension_head, extension_head_fields);

static const kn_def_field extension_instance_fields[] = {
    F(kni_extension_head, entity, KN_FIELD_ENTITY),
    F(kni_extension_head, generation, KN_FIELD_U32),
};
KNI_TABLE(kni_extension_instance_table, kni_extension_head, extension_instance_fields);

// Actors ----------------------------------------------------------------------

static const kn_def_field byte_item_fields[] = {
    {"byte", KN_FIELD_U8, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
KNI_TABLE(kni_byte_item_table, uint8_t, byte_item_fields);

static const kn_def_field slot_item_fields[] = {
    {"slot", KN_FIELD_U32, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
KNI_TABLE(kni_slot_item_table, uint32_t, slot_item_fields);

static const kn_def_field actor_fields[] = {
    F_LIMIT(kni_actor, component, KN_STATE_FIELD_SLOT, KN_STATE_LINKS),
    F(kni_actor, confirm, KN_FIELD_U32),
    F(kni_actor, cancel, KN_FIELD_U32),
    F(kni_actor, flags, KN_FIELD_U32),
    F(kni_actor, tolerance, KN_FIELD_TIME), // since version 5
    F(kni_actor, early_limit, KN_FIELD_TIME),
};
KNI_TABLE(kni_actor_table, kni_actor, actor_fields);

static const kn_def_field ability_fields[] = {
    F(kni_ability, number, KN_FIELD_U64),
    F_LIMIT(kni_ability, component, KN_STATE_FIELD_SLOT, KN_STATE_LINKS),
    F_LIMIT(kni_ability, type, KN_STATE_FIELD_INDEX16, KN_DEF_ABILITY),
    F_LIMIT(kni_ability, flags, KN_STATE_FIELD_FLAGS16, KNI_ABILITY_STATE),
    F(kni_ability, level, KN_FIELD_F32), F(kni_ability, input, KN_FIELD_U32),
    F(kni_ability, active_count, KN_FIELD_U32), F(kni_ability, grants, KN_FIELD_U32),
    F_LIMIT(kni_ability, set1, KN_DEF_FIELD_REF, KN_DEF_ABILITY_SET),
    F(kni_ability, source, KN_FIELD_ENTITY), F(kni_ability, effect, KN_FIELD_EFFECT),
    F(kni_ability, grant1, KN_FIELD_U32), F(kni_ability, source_object, KN_FIELD_U64),
    F(kni_ability, user, KN_FIELD_U64), F_SPAN(kni_ability, tags, &kni_tag_item_table),
    F_SPAN(kni_ability, caller, &kni_caller_pair_table),
    F_BYTES(kni_ability, state, KNI_BYTES_ABILITY),                            // after the type
    F(kni_ability, salt, KN_FIELD_U32), F(kni_ability, at_once, KN_FIELD_U32), // since version 4
    F(kni_ability, started, KN_FIELD_TIME),
    F_SPAN(kni_ability, named, &parameter_pair_table), // since version 5
};
KNI_TABLE(kni_ability_table, kni_ability, ability_fields);

static const kn_def_field paid_fields[] = {
    F_LIMIT(kni_pair, key, KN_DEF_FIELD_REF, KN_DEF_ATTRIBUTE),
    F(kni_pair, value, KN_FIELD_F32),
};
static KNI_TABLE(paid_table, kni_pair, paid_fields);

static const kn_def_field activation_fields[] = {
    F(kni_activation, number, KN_FIELD_U64),
    F(kni_activation, start, KN_FIELD_TIME),
    F_LIMIT(kni_activation, ability, KN_STATE_FIELD_SLOT, KN_STATE_ABILITY),
    F_LIMIT(kni_activation, flags, KN_STATE_FIELD_FLAGS16, KNI_ACTIVATION_STATE),
    F(kni_activation, trigger, KN_FIELD_U16),
    F_LIMIT(kni_activation, payload1, KN_STATE_FIELD_SLOT1, KN_STATE_EVENT),
    F_BYTES(kni_activation, state, KNI_BYTES_ACTIVATION), // after the ability
    F_SPAN(kni_activation, paid, &paid_table),
    F(kni_activation, seed, KN_FIELD_U64),  // since version 4
    F(kni_activation, keyed, KN_FIELD_U32), // since version 5
    F(kni_activation, by_connection, KN_FIELD_U32),
    F(kni_activation, by_sequence, KN_FIELD_U32),
    F(kni_activation, points, KN_FIELD_U32),
    F(kni_activation, signals, KN_FIELD_U32),
};
KNI_TABLE(kni_activation_table, kni_activation, activation_fields);

static const kn_def_field charge_fields[] = {
    F(kni_charge, number, KN_FIELD_U64),
    F(kni_charge, start, KN_FIELD_TIME),
    F(kni_charge, end, KN_FIELD_TIME),
    F(kni_charge, next_use, KN_FIELD_TIME),
    F_LIMIT(kni_charge, component, KN_STATE_FIELD_SLOT, KN_STATE_LINKS),
    F_LIMIT(kni_charge, key, KN_DEF_FIELD_REF, KN_DEF_TAG),
    F_LIMIT(kni_charge, ability1, KN_STATE_FIELD_SLOT1, KN_STATE_ABILITY),
    F(kni_charge, charges, KN_FIELD_U32),
    F(kni_charge, max, KN_FIELD_U32),
    F(kni_charge, returned, KN_FIELD_U32),
    F(kni_charge, cost, KN_FIELD_U32),
    F_LIMIT(kni_charge, rate, KN_DEF_FIELD_REF, KN_DEF_ATTRIBUTE),
    F(kni_charge, speed, KN_FIELD_F32),
    F_LIMIT(kni_charge, type, KN_STATE_FIELD_INDEX16, KN_DEF_ABILITY),
    F(kni_charge, cooldown, KN_FIELD_U8),
    F(kni_charge, has_tag, KN_FIELD_U8),
    F(kni_charge, level, KN_FIELD_F32),
    F(kni_charge, left, KN_FIELD_TIME),
    F(kni_charge, borrowed, KN_FIELD_U32), // since version 5
    F(kni_charge, by_use, KN_FIELD_U32),
    F(kni_charge, early, KN_FIELD_TIME),
    F(kni_charge, used, KN_FIELD_TIME),
    F(kni_charge, length, KN_FIELD_TIME),
};
KNI_TABLE(kni_charge_table, kni_charge, charge_fields);

static const kn_def_field payload_fields[] = {
    F(kni_payload, number, KN_FIELD_U64),
    F(kni_payload, references, KN_FIELD_U32),
    F_LIMIT(kni_payload, kind1, KN_DEF_FIELD_REF, KN_DEF_EVENT_KIND),
    F_LIMIT(kni_payload, tag, KN_DEF_FIELD_REF, KN_DEF_TAG),
    F(kni_payload, magnitude, KN_FIELD_F32),
    F(kni_payload, instigator, KN_FIELD_ENTITY),
    F(kni_payload, target, KN_FIELD_ENTITY),
    F(kni_payload, object, KN_FIELD_U64),
    F(kni_payload, object2, KN_FIELD_U64),
    F_SPAN(kni_payload, tags, &kni_tag_item_table),
    F_SPAN(kni_payload, instigator_tags, &kni_tag_item_table),
    F_SPAN(kni_payload, target_tags, &kni_tag_item_table),
    F_BYTES(kni_payload, data, KNI_BYTES_TARGETS),
    F(kni_payload, has_instigator_tags, KN_FIELD_U32),
    F(kni_payload, has_target_tags, KN_FIELD_U32),
};
KNI_TABLE(kni_payload_table, kni_payload, payload_fields);

static const kn_def_field task_fields[] = {
    F(kni_task, number, KN_FIELD_U64), F(kni_task, start, KN_FIELD_TIME),
    F(kni_task, due, KN_FIELD_TIME), F(kni_task, timeout, KN_FIELD_TIME),
    F(kni_task, interval, KN_FIELD_TIME), F(kni_task, next_look, KN_FIELD_TIME),
    F(kni_task, entity, KN_FIELD_ENTITY), F(kni_task, effect, KN_FIELD_EFFECT),
    F_LIMIT(kni_task, activation, KN_STATE_FIELD_SLOT, KN_STATE_ACTIVATION),
    F(kni_task, kind, KN_FIELD_U16),
    F_LIMIT(kni_task, flags, KN_STATE_FIELD_FLAGS16, KNI_TASK_STATE_FLAGS),
    F(kni_task, label, KN_FIELD_U32), F_LIMIT(kni_task, name, KN_DEF_FIELD_REF, KN_DEF_NAME),
    F_LIMIT(kni_task, resource, KN_DEF_FIELD_REF, KN_DEF_TAG),
    F_LIMIT(kni_task, tag, KN_DEF_FIELD_REF, KN_DEF_TAG),
    F_LIMIT(kni_task, attribute, KN_DEF_FIELD_REF, KN_DEF_ATTRIBUTE),
    F_LIMIT(kni_task, relative_to, KN_DEF_FIELD_REF, KN_DEF_ATTRIBUTE),
    F_LIMIT(kni_task, effect_type, KN_DEF_FIELD_REF, KN_DEF_EFFECT),
    F_LIMIT(kni_task, type1, KN_DEF_FIELD_REF, KN_DEF_TASK),
    F_LIMIT(kni_task, animation, KN_DEF_FIELD_REF, KN_DEF_ANIMATION),
    F_LIMIT(kni_task, section, KN_DEF_FIELD_REF, KN_DEF_NAME),
    F_LIMIT(kni_task, targeting, KN_DEF_FIELD_REF, KN_DEF_TARGETING),
    F(kni_task, count, KN_FIELD_U32), F(kni_task, limit, KN_FIELD_U32),
    F(kni_task, value, KN_FIELD_F32),
    F_BYTES(kni_task, data, KNI_BYTES_TASK), // after the fields that say how to read it
};
KNI_TABLE(kni_task_table, kni_task, task_fields);

static const kn_def_field cue_fields[] = {
    F(kni_cue, number, KN_FIELD_U64),
    F_LIMIT(kni_cue, component, KN_STATE_FIELD_SLOT, KN_STATE_LINKS),
    F_LIMIT(kni_cue, tag, KN_DEF_FIELD_REF, KN_DEF_TAG),
    F(kni_cue, count, KN_FIELD_U32),
    F(kni_cue, flags, KN_FIELD_U32),
    F(kni_cue, instigator, KN_FIELD_ENTITY),
    F(kni_cue, causer, KN_FIELD_ENTITY),
    F(kni_cue, activation, KN_FIELD_ACTIVATION),
    F(kni_cue, source_object, KN_FIELD_U64),
    F(kni_cue, location, KN_FIELD_VEC3),
    F(kni_cue, normal, KN_FIELD_VEC3),
    F(kni_cue, magnitude, KN_FIELD_F32),
    F(kni_cue, change, KN_FIELD_F32),
    F(kni_cue, normalised, KN_FIELD_F32),
    F(kni_cue, effect_level, KN_FIELD_F32),
    F(kni_cue, ability_level, KN_FIELD_F32),
    F(kni_cue, stacks, KN_FIELD_U32),
    F_LIMIT(kni_cue, payload_type, KN_DEF_FIELD_REF, KN_DEF_CONTEXT),
    F_SPAN(kni_cue, payload, &kni_byte_item_table),
    F_BYTES(kni_cue, targets, KNI_BYTES_TARGETS),
};
KNI_TABLE(kni_cue_table, kni_cue, cue_fields);

static const kn_def_field command_fields[] = {
    F(kni_command, number, KN_FIELD_U64),
    F_LIMIT(kni_command, type1, KN_DEF_FIELD_REF, KN_DEF_COMMAND),
    F(kni_command, entity, KN_FIELD_ENTITY),
    F(kni_command, connection, KN_FIELD_U32),
    F(kni_command, sequence, KN_FIELD_U32),
    F(kni_command, part, KN_FIELD_U32),
    F(kni_command, parts, KN_FIELD_U32),
    F_BYTES(kni_command, payload, KNI_BYTES_COMMAND),
    F_BYTES(kni_command, targets, KNI_BYTES_TARGETS),
    F(kni_command, view, KN_FIELD_TIME),
};
KNI_TABLE(kni_command_table, kni_command, command_fields);
static const kn_def_field watch_fields[] = {
    F(kni_watch, number, KN_FIELD_U64),
    F(kni_watch, entity, KN_FIELD_ENTITY),
    F(kni_watch, owner, KN_FIELD_ENTITY),
    F_LIMIT(kni_watch, type, KN_STATE_FIELD_INDEX32, KN_DEF_WATCH),
    F(kni_watch, flags, KN_FIELD_U32),
    F(kni_watch, value, KN_FIELD_F32),
    KNI_FN(kni_watch, data, KN_FIELD_U8, KN_WATCH_DATA_SIZE),
    F_BYTES(kni_watch, state, KNI_BYTES_WATCH), // after the type
    F_LIMIT(kni_watch, component_type, KN_DEF_FIELD_REF, KN_DEF_COMPONENT),
    KNI_FN(kni_watch, component, KN_FIELD_U32, 2),
};
KNI_TABLE(kni_watch_table, kni_watch, watch_fields);

static const kn_def_field tag_block_fields[] = {
    F(kni_tag_block, number, KN_FIELD_U64),
    F(kni_tag_block, entity, KN_FIELD_ENTITY),
    F(kni_tag_block, source, KN_FIELD_ENTITY),
    F(kni_tag_block, key, KN_FIELD_U64),
    F_LIMIT(kni_tag_block, tag, KN_DEF_FIELD_REF, KN_DEF_TAG),
};
KNI_TABLE(kni_tag_block_table, kni_tag_block, tag_block_fields);

static const kn_def_field switch_fields[] = {
    F_LIMIT(kni_switch, system, KN_STATE_FIELD_INDEX32, KN_DEF_SYSTEM),
    F(kni_switch, is_on, KN_FIELD_U32),
};
KNI_TABLE(kni_switch_table, kni_switch, switch_fields);

#define POOL(member, type, table, mark, what)                                                      \
    {                                                                                              \
        offsetof(kn_world, member), sizeof(type), table, mark, what, 2                             \
    }

const kni_pool_info kni_pools[KNI_POOL_COUNT] = {
    [KNI_POOL_ENTITIES] = POOL(entities, kni_entity, NULL, 0, "entity"),
    [KNI_POOL_COMPONENTS] = POOL(components, kni_component, NULL, 0, "component"),
    [KNI_POOL_EFFECTS] = POOL(effects, kni_effect, NULL, 0, "effect"),
    [KNI_POOL_RARES] = POOL(rares, kni_rare, NULL, 0, "extension"),
    [KNI_POOL_SPECS] = POOL(specs, kni_spec, NULL, 0, "spec"),
    [KNI_POOL_AGGREGATORS] = POOL(aggregators, kni_aggregator, NULL, 0, "value"),
    [KNI_POOL_TIMERS] = POOL(timers, kni_rule_timer, NULL, 0, "timer"),
    [KNI_POOL_ACTORS] =
        POOL(actors, kni_actor, &kni_actor_table, KNI_MARK('A', 'C', 'T', 'O'), "actor"),
    [KNI_POOL_ABILITIES] =
        POOL(abilities, kni_ability, &kni_ability_table, KNI_MARK('A', 'B', 'I', 'L'), "ability"),
    [KNI_POOL_ACTIVATIONS] = POOL(activations, kni_activation, &kni_activation_table,
        KNI_MARK('A', 'C', 'T', 'I'), "activation"),
    [KNI_POOL_CHARGES] =
        POOL(charges, kni_charge, &kni_charge_table, KNI_MARK('C', 'H', 'A', 'R'), "cooldown"),
    [KNI_POOL_PAYLOADS] =
        POOL(payloads, kni_payload, &kni_payload_table, KNI_MARK('P', 'A', 'Y', 'L'), "payload"),
    [KNI_POOL_CUES] = POOL(cues, kni_cue, &kni_cue_table, KNI_MARK('C', 'U', 'E', 'S'), "cue"),
    [KNI_POOL_TASKS] = POOL(tasks, kni_task, &kni_task_table, KNI_MARK('T', 'A', 'S', 'K'), "task"),
    [KNI_POOL_COMMANDS] = {offsetof(kn_world, commands), sizeof(kni_command), &kni_command_table,
        KNI_MARK('C', 'M', 'N', 'D'), "command", 5},
    [KNI_POOL_SWITCHES] = {offsetof(kn_world, switches), sizeof(kni_switch), &kni_switch_table,
        KNI_MARK('S', 'W', 'I', 'T'), "system", 5},
    [KNI_POOL_WATCHES] = {offsetof(kn_world, watches), sizeof(kni_watch), &kni_watch_table,
        KNI_MARK('W', 'T', 'C', 'H'), "watch", 5},
    [KNI_POOL_TAG_BLOCKS] = {offsetof(kn_world, tag_blocks), sizeof(kni_tag_block),
        &kni_tag_block_table, KNI_MARK('B', 'L', 'C', 'K'), "block", 5},
};

// Bytes with references -----------------------------------------------------

static const kni_fields no_state = {.table = {.name = "state"}};

const kni_fields *kni_bytes_state(const kn_world *world, kni_bytes which, const void *record)
{
    if (which == KNI_BYTES_TASK) {
        const kni_task *task = record;
        return task->kind != KN_TASK_CUSTOM || task->type1 == 0
                   ? &no_state
                   : &KNI_ITEM(world->library, KN_DEF_TASK, kni_task_type, task->type1 - 1)->state;
    }
    if (which == KNI_BYTES_WATCH) {
        uint32_t type = ((const kni_watch *)record)->type;
        return &KNI_ITEM(world->library, KN_DEF_WATCH, kni_watch_type, type)->state;
    }
    if (which == KNI_BYTES_COMMAND) {
        uint32_t type1 = ((const kni_command *)record)->type1;
        return type1 == 0 ? &no_state
                          : &KNI_ITEM(world->library, KN_DEF_COMMAND, kni_command_type, type1 - 1)
                                 ->payload;
    }
    uint32_t type = KNI_NONE;
    if (which == KNI_BYTES_ABILITY) {
        type = ((const kni_ability *)record)->type;
    } else if (which == KNI_BYTES_ACTIVATION) {
        uint32_t slot = ((const kni_activation *)record)->ability;
        type = kni_pool_is_live(&world->abilities, slot) ? kni_ability_at(world, slot)->type
                                                         : KNI_NONE;
    }
    if (type == KNI_NONE) {
        return &no_state;
    }
    const kni_ability_type *ability = kni_ability_type_at(world->library, type);
    bool has_it =
        ability->def.instancing ==
        (which == KNI_BYTES_ABILITY ? KN_INSTANCING_PER_ACTOR : KN_INSTANCING_PER_EXECUTION);
    return has_it ? &ability->state : &no_state;
}

const char *kni_referred_name(const kn_world *world, const kn_def_field *field, const void *at)
{
    kn_def_kind kind = kni_field_ref_kind(field);
    uint32_t index1 = kni_element_index1(field, at);
    return kind == KN_DEF_EFFECT ? kn_effect_type_name(world, (kn_effect_type_id){index1})
                                 : kni_ref_name(world->library, kind, index1);
}

uint32_t kni_bytes_shape(const kn_world *world, kni_bytes which, const void *bytes, uint32_t size)
{
    return which == KNI_BYTES_TARGETS &&
           kn_target_is_valid(world->library, (kn_target_view){bytes, size});
}

// Turns numbers round where the machine needs it.
static void numbers_order(uint8_t *bytes, uint32_t count, uint32_t size)
{
    for (uint32_t i = 0; kni_is_big_endian() && i < count; i++) {
        kni_order(bytes + i * size, size);
    }
}

static void query_order(uint8_t *bytes)
{
    numbers_order(bytes + offsetof(kn_tag_query, count), 1, 2);
    numbers_order(bytes + offsetof(kn_tag_query, open), KN_QUERY_DEPTH_MAX, 2);
    numbers_order(bytes + offsetof(kn_tag_query, tokens), KN_QUERY_TOKENS_MAX, 4);
}

static bool query_refs(uint8_t *bytes, uint32_t size, const kni_ref_walk *walk)
{
    kn_tag_query query;
    bool ok = size == sizeof(query);
    if (ok) {
        if (!walk->is_saving) {
            query_order(bytes);
        }
        memcpy(&query, bytes, sizeof(query));
    }
    for (uint32_t i = 0; ok && i < query.count; i++) {
        ok = i < KN_QUERY_TOKENS_MAX;
        if (ok && query.tokens[i] >> 24 == 0) { // a tag; else a node
            ok = walk->visit(walk->user, KN_DEF_TAG, &query.tokens[i]);
        }
    }
    if (ok) {
        memcpy(bytes, &query, sizeof(query));
        if (walk->is_saving) {
            query_order(bytes);
        }
    }
    return ok;
}

// The kind of definition that a watch of a custom task refers to.
static kn_def_kind watched_kind(uint32_t trigger)
{
    switch (trigger) {
    case KN_TRIGGER_EVENT:
    case KN_TRIGGER_TAG_ADDED:
    case KN_TRIGGER_TAG_REMOVED:
        return KN_DEF_TAG;
    case KN_TRIGGER_ATTRIBUTE_CHANGED:
        return KN_DEF_ATTRIBUTE;
    case KN_TRIGGER_EFFECT_APPLIED:
    case KN_TRIGGER_EFFECT_REMOVED:
    case KN_TRIGGER_EFFECT_STACKS:
    case KN_TRIGGER_EFFECT_EXECUTED:
    case KN_TRIGGER_EFFECT_INHIBITED:
    case KN_TRIGGER_EFFECT_REAPPLIED:
        return KN_DEF_EFFECT;
    default:
        return KN_DEF_KIND_COUNT;
    }
}

static bool watches_refs(uint8_t *bytes, uint32_t size, const kni_ref_walk *walk)
{
    bool ok = size % sizeof(kni_task_watched) == 0;
    if (ok && !walk->is_saving) {
        numbers_order(bytes, size / 4, 4);
    }
    for (uint32_t at = 0; ok && at < size; at += (uint32_t)sizeof(kni_task_watched)) {
        kni_task_watched watched;
        memcpy(&watched, bytes + at, sizeof(watched));
        kn_def_kind kind = watched_kind(watched.trigger);
        if (kind != KN_DEF_KIND_COUNT) {
            ok = kni_ref_walk_at(walk, kind, bytes + at + offsetof(kni_task_watched, what));
        }
    }
    if (ok && walk->is_saving) {
        numbers_order(bytes, size / 4, 4);
    }
    return ok;
}

static bool task_refs(const kn_world *world, const kni_task *task, uint8_t *bytes, uint32_t size,
    const kni_ref_walk *walk)
{
    switch (task->kind) {
    case KN_TASK_TAG_QUERY:
        return query_refs(bytes, size, walk);
    case KN_TASK_ABILITY_ACTIVATED:
    case KN_TASK_ABILITY_COMMITTED:
    case KN_TASK_ABILITY_ENDED: {
        bool ok = size % sizeof(kn_tag) == 0;
        for (uint32_t at = 0; ok && at < size; at += (uint32_t)sizeof(kn_tag)) {
            ok = kni_ref_walk_alone(walk, KN_DEF_TAG, bytes + at);
        }
        return ok;
    }
    case KN_TASK_MOTION: {
        uint32_t count;
        const kn_field *fields = kn_motion_source_fields(&count);
        bool ok = size == sizeof(kn_motion_source);
        for (uint32_t i = 0; ok && i < count; i++) {
            const kn_def_field field = {.name = fields[i].name,
                .kind = (uint8_t)fields[i].kind,
                .offset = fields[i].offset,
                .count = fields[i].count};
            ok = kni_field_refs(&field, bytes, walk);
        }
        return ok;
    }
    case KN_TASK_TARGET:
        return kni_target_refs(world->library, bytes, size, walk);
    case KN_TASK_CUSTOM:
        return watches_refs(bytes, size, walk);
    default:
        return true;
    }
}

bool kni_bytes_refs(const kn_world *world, kni_bytes which, const void *record, uint32_t shape,
    uint8_t *bytes, uint32_t size, const kni_ref_walk *walk)
{
    if (which == KNI_BYTES_TASK) {
        return task_refs(world, record, bytes, size, walk);
    }
    return shape == 0 || kni_target_refs(world->library, bytes, size, walk);
}

// Blocks --------------------------------------------------------------------

kni_block_sizes kni_rare_blocks(
    const kn_world *world, const kni_effect_type *type, uint32_t payload_type)
{
    kni_block_sizes blocks = {{0, 0}, &no_state};
    if (type->def.logic.index1 != 0) {
        blocks.state =
            &KNI_ITEM(world->library, KN_DEF_EFFECT_LOGIC, kni_logic, type->def.logic.index1 - 1)
                 ->state;
        blocks.size[KNI_BLOCK_STATE] = blocks.state->size;
    }
    if (payload_type != 0) {
        blocks.size[KNI_BLOCK_PAYLOAD] =
            KNI_ITEM(world->library, KN_DEF_CONTEXT, kni_context_type, payload_type - 1)->size;
    }
    return blocks;
}

// Hash ----------------------------------------------------------------------

// Hashes the fields of a state and returns how many bytes it covers. States without fields are
// plain.
static uint32_t state_hash_begin(const kn_world *world, const kni_fields *state,
    const uint8_t *bytes, uint32_t size, kni_hash *hash)
{
    if (state->number1 == 0 || size < state->size) {
        return 0;
    }
    static const kni_block_sizes no_blocks = {{0, 0}, &no_state};
    kni_state_hash(world, &state->table, bytes, &no_blocks, hash);
    return state->size;
}

static bool ref_keep(void *user, kn_def_kind kind, uint32_t *number)
{
    (void)user;
    (void)kind;
    (void)number;
    return true;
}

// Bytes of a record whose layout is known, in the order that is the same on every machine; those
// at `front` and what the host keeps are hashed as they lie. Target data is never larger than the
// copy.
static void bytes_hash(const kn_world *world, kni_bytes which, const void *record,
    const uint8_t *bytes, uint32_t front, uint32_t size, kni_hash *hash)
{
    uint8_t copy[KN_TARGET_BYTES_MAX];
    if (!kni_is_big_endian() || size > sizeof(copy) ||
        (which != KNI_BYTES_TASK && which != KNI_BYTES_TARGETS)) {
        kni_hash_bytes(hash, bytes, size);
        return;
    }
    memcpy(copy, bytes, size);
    uint32_t shape = kni_bytes_shape(world, which, bytes, size);
    const kni_ref_walk walk = {ref_keep, NULL, NULL, true};
    (void)kni_bytes_refs(world, which, record, shape, copy + front, size - front, &walk);
    kni_hash_bytes(hash, copy, size);
}

static void field_hash(const kn_world *world, const kn_def_field *field, const uint8_t *at,
    const kni_block_sizes *blocks, kni_hash *hash)
{
    switch (field->kind) {
    case KN_STATE_FIELD_LIST: {
        kni_span span;
        memcpy(&span, at, sizeof(span));
        if (span.count == 0 && field->table == &parameter_pair_table) {
            break;
        }
        kni_hash_u64(hash, span.count);
        if (field->table == &kni_byte_item_table) {
            kni_bytes which = (kni_bytes)field->limit;
            const void *record = at - field->offset;
            const kni_fields *state = kni_bytes_state(world, which, record);
            const uint8_t *bytes = kni_heap_at(&world->heap, span.ref);
            uint32_t begin = state_hash_begin(world, state, bytes, span.count, hash);
            uint32_t front = state->size < span.count ? state->size : span.count;
            bytes_hash(
                world, which, record, bytes + begin, front - begin, span.count - begin, hash);
            break;
        }
        for (uint32_t i = 0; i < span.count; i++) {
            const void *item = kni_span_at(&world->heap, &span, i, field->table->size);
            kni_state_hash(world, field->table, item, blocks, hash);
        }
        break;
    }
    case KN_STATE_FIELD_BLOCK: {
        kni_ref ref = (kni_ref)kni_field_load(at, sizeof(ref));
        uint32_t size = ref != 0 ? kni_block_size(blocks, field->limit) : 0;
        kni_hash_u64(hash, size);
        if (size > 0) {
            const uint8_t *bytes = kni_heap_at(&world->heap, ref);
            uint32_t begin = field->limit == KNI_BLOCK_STATE
                                 ? state_hash_begin(world, blocks->state, bytes, size, hash)
                                 : 0;
            kni_hash_bytes(hash, bytes + begin, size - begin);
        }
        break;
    }
    default:
        kni_element_hash(field, at, hash);
        break;
    }
}

uint32_t kni_late_fields(const kn_def_table *table)
{
    return table == &kni_activation_table ? 4
           : table == &kni_rare_table     ? 2
           : table == &kni_charge_table   ? 5
           : table == &kni_actor_table    ? 2
                                          : 0;
}

// How many fields of a record are hashed. Without what its late fields say, the hash is that of
// before they came.
static uint32_t hashed_count(const kn_def_table *table, const void *record)
{
    uint32_t late = kni_late_fields(table);
    for (uint32_t i = table->field_count - late; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (kni_field_load((const uint8_t *)record + field->offset, kni_field_size(field)) != 0) {
            return table->field_count;
        }
    }
    return table->field_count - late;
}

void kni_state_hash(const kn_world *world, const kn_def_table *table, const void *record,
    const kni_block_sizes *blocks, kni_hash *hash)
{
    uint32_t count = hashed_count(table, record);
    for (uint32_t i = 0; i < count; i++) {
        if (table->fields[i].offset == offsetof(kni_activation, keyed) &&
            table == &kni_activation_table && ((const kni_activation *)record)->keyed == 0) {
            continue; // came with version 5, too
        }
        const kn_def_field *field = &table->fields[i];
        const uint8_t *at = (const uint8_t *)record + field->offset;
        if (field->kind == KN_FIELD_U8 && field->count > 1) {
            kni_hash_bytes(hash, at, field->count);
            continue;
        }
        size_t size = kni_field_size(field);
        for (uint32_t j = 0; j < field->count; j++) {
            field_hash(world, field, at + size * j, blocks, hash);
        }
    }
}

// Types made at run time ----------------------------------------------------

uint32_t kni_types_used(const kn_world *world)
{
    uint32_t used = kni_library_type_count(world);
    if (world->type_count == used) {
        return used;
    }
    KNI_POOL_EACH(i, &world->effects) {
        uint32_t type = kni_effect_at(world, i)->type;
        used = type >= used ? type + 1 : used;
    }
    KNI_POOL_EACH(i, &world->specs) {
        uint32_t type = ((const kni_spec *)kni_pool_at(&world->specs, i))->type;
        used = type >= used ? type + 1 : used;
    }
    return used;
}

uint64_t kni_dynamic_types_hash(const kn_world *world, uint32_t type_count)
{
    kni_hash hash = kni_hash_begin(0);
    for (uint32_t i = kni_library_type_count(world); i < type_count; i++) {
        kni_hash_str(&hash, world->types[i]->name);
        kni_def_hash(world->library, &kni_effect_def_table, &world->types[i]->def, &hash);
    }
    return kni_hash_end(&hash);
}
