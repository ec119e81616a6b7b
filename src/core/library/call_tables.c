// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The field tables of what calls take and give: defs of calls, queries, infos, and what hooks
// receive.

#include "library/types.h"

#define F KNI_F
#define F_ENUM KNI_F_ENUM
#define F_FLAGS KNI_F_FLAGS
#define F_REF KNI_F_REF
#define F_STRUCT KNI_F_STRUCT
#define F_ARRAY KNI_F_ARRAY
// A pointer to one struct.
#define F_TO(type, member, table)                                                                  \
    KNI_FIELD(type, member, KN_DEF_FIELD_POINTER, 0, 1, 0, table, NULL)
#define F_BYTES(type, member, size_member)                                                         \
    KNI_FIELD(type, member, KN_CALL_FIELD_BYTES, 0, 1, (uint32_t)offsetof(type, size_member),      \
        NULL, NULL)

// Text of at most a number of bytes.
#define F_TEXT(type, member)                                                                       \
    KNI_FIELD(type, member, KN_CALL_FIELD_TEXT, 0, sizeof(((type *)0)->member), 0, NULL, NULL)

#define ENTITY KN_FIELD_ENTITY
#define EFFECT KN_FIELD_EFFECT
#define ABILITY KN_FIELD_ABILITY
#define ACTIVATION KN_FIELD_ACTIVATION
#define TASK KN_FIELD_TASK
#define POINTER KN_DEF_FIELD_POINTER
#define TAGS KN_DEF_FIELD_TAGS

// Words ---------------------------------------------------------------------

static const char *const removal_reason_words[KN_REMOVAL_REASON_COUNT] = {
    [0] = "",
    [KN_REMOVED_EXPIRED] = "expired",
    [KN_REMOVED_BY_CALL] = "by_call",
    [KN_REMOVED_DISPELLED] = "dispelled",
    [KN_REMOVED_BY_EFFECT] = "by_effect",
    [KN_REMOVED_OVERWRITTEN] = "overwritten",
    [KN_REMOVED_REQUIREMENT] = "requirement",
    [KN_REMOVED_TARGET_DIED] = "target_died",
    [KN_REMOVED_SOURCE_GONE] = "source_gone",
    [KN_REMOVED_PARENT_ENDED] = "parent_ended",
    [KN_REMOVED_CHARGES_USED] = "charges_used",
    [KN_REMOVED_STACK_CLEARED] = "stack_cleared",
    [KN_REMOVED_SHORTENED] = "shortened",
    [KN_REMOVED_MISPREDICTED] = "mispredicted",
    [KN_REMOVED_RULE] = "rule",
};
static const char *const sync_wait_words[KN_SYNC_WAIT_COUNT] = {
    [KN_SYNC_SERVER_WAITS] = "server_waits",
    [KN_SYNC_CLIENT_WAITS] = "client_waits",
    [KN_SYNC_BOTH_WAIT] = "both_wait",
};
static const char *const sync_expiry_words[KN_SYNC_EXPIRY_COUNT] = {
    [KN_SYNC_CONTINUE] = "continue",
    [KN_SYNC_CANCEL] = "cancel",
};
static const char *const end_reason_words[KN_END_REASON_COUNT] = {
    [0] = "",
    [KN_ENDED_DONE] = "ended",
    [KN_ENDED_CANCELLED] = "cancelled",
    [KN_ENDED_BY_TAGS] = "by_tags",
    [KN_ENDED_RETRIGGERED] = "retriggered",
    [KN_ENDED_REMOVED] = "removed",
    [KN_ENDED_OWNER_GONE] = "owner_gone",
    [KN_ENDED_FAILED] = "failed",
    [KN_ENDED_TAG_LOST] = "tag_lost",
    [KN_ENDED_REJECTED] = "rejected",
    [KN_ENDED_REMOTE] = "remote",
};
static const char *const fail_words[KN_FAIL_COUNT] = {"stale", "networking", "dead", "blocked",
    "missing_tags", "cooldown", "cost", "active", "custom", "not_ready", "no_target"};
static const char *const task_kind_words[KN_TASK_KIND_COUNT] = {
    [0] = "",
    [KN_TASK_DELAY] = "delay",
    [KN_TASK_REPEAT] = "repeat",
    [KN_TASK_EVENT] = "event",
    [KN_TASK_TAG_ADDED] = "tag_added",
    [KN_TASK_TAG_REMOVED] = "tag_removed",
    [KN_TASK_TAG_QUERY] = "tag_query",
    [KN_TASK_ATTRIBUTE] = "attribute",
    [KN_TASK_THRESHOLD] = "threshold",
    [KN_TASK_EFFECT_APPLIED] = "effect_applied",
    [KN_TASK_EFFECT_REMOVED] = "effect_removed",
    [KN_TASK_EFFECT_STACKS] = "effect_stacks",
    [KN_TASK_ABILITY_ACTIVATED] = "ability_activated",
    [KN_TASK_ABILITY_COMMITTED] = "ability_committed",
    [KN_TASK_ABILITY_ENDED] = "ability_ended",
    [KN_TASK_INPUT_PRESSED] = "input_pressed",
    [KN_TASK_INPUT_RELEASED] = "input_released",
    [KN_TASK_CONFIRM] = "confirm",
    [KN_TASK_OVERLAP] = "overlap",
    [KN_TASK_MOVEMENT] = "movement",
    [KN_TASK_ANIMATION] = "animation",
    [KN_TASK_SPAWN] = "spawn",
    [KN_TASK_MOTION] = "motion",
    [KN_TASK_STATE] = "state",
    [KN_TASK_NET_SYNC] = "net_sync",
    [KN_TASK_TARGET] = "target",
    [KN_TASK_CUE] = "cue",
    [KN_TASK_CUSTOM] = "custom",
};
static const char *const task_output_words[KN_TASK_GONE + 1] = {
    [0] = "",
    [KN_TASK_FIRED] = "fired",
    [KN_TASK_FINISHED] = "finished",
    [KN_TASK_CONFIRMED] = "confirmed",
    [KN_TASK_CANCELLED] = "cancelled",
    [KN_TASK_BLEND_OUT] = "blend_out",
    [KN_TASK_COMPLETED] = "completed",
    [KN_TASK_INTERRUPTED] = "interrupted",
    [KN_TASK_NOTIFY] = "notify",
    [KN_TASK_TIMED_OUT] = "timed_out",
    [KN_TASK_GONE] = "gone",
};
static const char *const task_conflict_words[KN_TASK_CONFLICT_COUNT] = {
    "interrupt", "refuse", "allow"};
const char *const kni_compare_words[KN_COMPARE_COUNT] = {
    [KN_COMPARE_LESS] = "less",
    [KN_COMPARE_LESS_EQUAL] = "less_equal",
    [KN_COMPARE_EQUAL] = "equal",
    [KN_COMPARE_NOT_EQUAL] = "not_equal",
    [KN_COMPARE_GREATER_EQUAL] = "greater_equal",
    [KN_COMPARE_GREATER] = "greater",
};

static const char *const cause_kind_words[KN_CAUSE_KIND_COUNT] = {"host", "apply", "tick", "expire",
    "remove", "child", "tag", "attribute", "rule", "event", "timer", "destroy", "ability", "end",
    "task", "command", "system", "custom"};
static const char *const cue_action_words[KN_CUE_REMOVED + 1] = {
    "added", "executed", "updated", "removed"};

// Parts ---------------------------------------------------------------------

static const kn_def_field caller_value_fields[] = {
    F_REF(kn_caller_value, tag, KN_DEF_TAG),
    F(kn_caller_value, value, KN_FIELD_F32),
};
static KNI_TABLE(caller_value_table, kn_caller_value, caller_value_fields);

static const kn_def_field container_value_fields[] = {
    F_REF(kn_container_value, type, KN_DEF_EFFECT),
    F_STRUCT(kn_container_value, value, &caller_value_table),
};
static KNI_TABLE(container_value_table, kn_container_value, container_value_fields);

// Elements of lists of ids.
static const kn_def_field entity_fields[] = {{"id", ENTITY, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
static KNI_TABLE(entity_table, kn_entity_id, entity_fields);
static const kn_def_field effect_fields[] = {{"id", EFFECT, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
static KNI_TABLE(effect_table, kn_effect_id, effect_fields);

// Effects -------------------------------------------------------------------

static const kn_def_field effect_context_fields[] = {
    F(kn_effect_context, instigator, ENTITY),
    F(kn_effect_context, causer, ENTITY),
    F(kn_effect_context, source_object, KN_FIELD_U64),
    F(kn_effect_context, origin, KN_FIELD_VEC3),
    F(kn_effect_context, has_origin, KN_FIELD_BOOL),
    F_REF(kn_effect_context, payload_type, KN_DEF_CONTEXT),
    F(kn_effect_context, payload, POINTER),
    F_BYTES(kn_effect_context, targets, target_size),
    F(kn_effect_context, ability, ABILITY),
    F(kn_effect_context, activation, ACTIVATION),
};
static KNI_TABLE(effect_context_table, kn_effect_context, effect_context_fields);

static const kn_def_field effect_refusal_fields[] = {
    F(kn_effect_refusal, reason, KN_CALL_FIELD_RESULT),
    F_ENUM(kn_effect_refusal, from, kni_capture_from_words),
    F_REF(kn_effect_refusal, tag, KN_DEF_TAG),
    F(kn_effect_refusal, is_there, KN_FIELD_BOOL),
    F(kn_effect_refusal, is_removal, KN_FIELD_BOOL),
    F(kn_effect_refusal, is_absent, KN_FIELD_BOOL),
    F_REF(kn_effect_refusal, attribute, KN_DEF_ATTRIBUTE),
    F(kn_effect_refusal, have, KN_FIELD_F32),
    F(kn_effect_refusal, min, KN_FIELD_F32),
    F(kn_effect_refusal, max, KN_FIELD_F32),
    F(kn_effect_refusal, is_above, KN_FIELD_BOOL),
    F(kn_effect_refusal, is_below, KN_FIELD_BOOL),
    F_REF(kn_effect_refusal, value, KN_DEF_VALUE),
    F_REF(kn_effect_refusal, parameter, KN_DEF_NAME),
    F(kn_effect_refusal, modifier, KN_FIELD_U32),
    F(kn_effect_refusal, effect, EFFECT),
    F_FLAGS(kn_effect_refusal, fail, fail_words),
    F(kn_effect_refusal, need, KN_FIELD_F32),
    F_TEXT(kn_effect_refusal, text),
};
static KNI_TABLE(effect_refusal_table, kn_effect_refusal, effect_refusal_fields);

static const kn_def_field effect_apply_fields[] = {
    F_REF(kn_effect_apply_def, type, KN_DEF_EFFECT),
    F(kn_effect_apply_def, target, ENTITY),
    F(kn_effect_apply_def, source, ENTITY),
    F(kn_effect_apply_def, level, KN_FIELD_F32),
    F(kn_effect_apply_def, stacks, KN_FIELD_U32),
    F(kn_effect_apply_def, duration, KN_FIELD_TIME),
    F(kn_effect_apply_def, period, KN_FIELD_TIME),
    F_ARRAY(kn_effect_apply_def, caller_values, caller_value_count, &caller_value_table),
    F_ARRAY(kn_effect_apply_def, named_values, named_value_count, &kni_named_value_table),
    F(kn_effect_apply_def, dynamic_granted_tags, TAGS),
    F(kn_effect_apply_def, dynamic_asset_tags, TAGS),
    F_TO(kn_effect_apply_def, context, &effect_context_table),
    F(kn_effect_apply_def, ignore_gates, KN_FIELD_BOOL),
    F_TO(kn_effect_apply_def, refusal, &effect_refusal_table),
    F(kn_effect_apply_def, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE(effect_apply_table, kn_effect_apply_def, effect_apply_fields);

static const kn_def_field effect_query_fields[] = {
    F_REF(kn_effect_query, type, KN_DEF_EFFECT),
    F(kn_effect_query, any_tags, TAGS),
    F(kn_effect_query, all_tags, TAGS),
    F(kn_effect_query, asset_tags, TAGS),
    F(kn_effect_query, granted_tags, TAGS),
    F(kn_effect_query, tag_query, KN_DEF_FIELD_QUERY),
    F_STRUCT(kn_effect_query, source_tags, &kni_requirement_table),
    F(kn_effect_query, source, ENTITY),
    F(kn_effect_query, has_source_object, KN_FIELD_BOOL),
    F(kn_effect_query, source_object, KN_FIELD_U64),
    F_REF(kn_effect_query, modifies, KN_DEF_ATTRIBUTE),
    F_ARRAY(kn_effect_query, ignore, ignore_count, &effect_table),
    F(kn_effect_query, predicate, POINTER),
    F(kn_effect_query, user, POINTER),
    F(kn_effect_query, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE(effect_query_table, kn_effect_query, effect_query_fields);

static const kn_def_field effect_info_fields[] = {
    F_REF(kn_effect_info, type, KN_DEF_EFFECT),
    F(kn_effect_info, target, ENTITY),
    F(kn_effect_info, source, ENTITY),
    F(kn_effect_info, instigator, ENTITY),
    F(kn_effect_info, causer, ENTITY),
    F(kn_effect_info, source_object, KN_FIELD_U64),
    F(kn_effect_info, level, KN_FIELD_F32),
    F(kn_effect_info, stacks, KN_FIELD_U32),
    F(kn_effect_info, start, KN_FIELD_TIME),
    F(kn_effect_info, duration, KN_FIELD_TIME),
    F(kn_effect_info, remaining, KN_FIELD_TIME),
    F(kn_effect_info, period, KN_FIELD_TIME),
    F(kn_effect_info, next_tick, KN_FIELD_TIME),
    F(kn_effect_info, executions, KN_FIELD_U32),
    F(kn_effect_info, is_inhibited, KN_FIELD_BOOL),
    F(kn_effect_info, tally_loss, KN_FIELD_F32),
    F(kn_effect_info, tally_gain, KN_FIELD_F32),
    F(kn_effect_info, origin, KN_FIELD_VEC3),
    F(kn_effect_info, has_origin, KN_FIELD_BOOL),
};
static KNI_TABLE(effect_info_table, kn_effect_info, effect_info_fields);

static const kn_def_field container_apply_fields[] = {
    F_REF(kn_container_apply_def, container, KN_DEF_CONTAINER),
    F(kn_container_apply_def, source, ENTITY),
    F(kn_container_apply_def, level, KN_FIELD_F32),
    F_ARRAY(kn_container_apply_def, targets, target_count, &entity_table),
    F_BYTES(kn_container_apply_def, data, data_size),
    F_ARRAY(kn_container_apply_def, values, value_count, &container_value_table),
    F_TO(kn_container_apply_def, context, &effect_context_table),
    F(kn_container_apply_def, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE(container_apply_table, kn_container_apply_def, container_apply_fields);

// Attributes ----------------------------------------------------------------

static const kn_def_field modifier_view_fields[] = {
    F_ENUM(kn_modifier_view, op, kni_op_words),
    F(kn_modifier_view, channel, KN_FIELD_U8),
    F(kn_modifier_view, magnitude, KN_FIELD_F32),
    F(kn_modifier_view, stacks, KN_FIELD_U32),
    F_REF(kn_modifier_view, group, KN_DEF_TAG),
    F(kn_modifier_view, source, ENTITY),
    F_REF(kn_modifier_view, type, KN_DEF_EFFECT),
    F(kn_modifier_view, influence, KN_FIELD_F32),
};
static KNI_TABLE(modifier_view_table, kn_modifier_view, modifier_view_fields);

static const kn_def_field attribute_change_fields[] = {
    F(kn_attribute_change, world, POINTER),
    F(kn_attribute_change, entity, ENTITY),
    F_REF(kn_attribute_change, attribute, KN_DEF_ATTRIBUTE),
    F(kn_attribute_change, key, KN_FIELD_U32),
    F(kn_attribute_change, old_value, KN_FIELD_F32),
    F(kn_attribute_change, new_value, KN_FIELD_F32),
};
static KNI_TABLE(attribute_change_table, kn_attribute_change, attribute_change_fields);

static const kn_def_field execute_data_fields[] = {
    F(kn_execute_data, world, POINTER),
    F(kn_execute_data, entity, ENTITY),
    F_REF(kn_execute_data, attribute, KN_DEF_ATTRIBUTE),
    F(kn_execute_data, key, KN_FIELD_U32),
    F_ENUM(kn_execute_data, op, kni_op_words),
    F(kn_execute_data, magnitude, KN_FIELD_F32),
    F(kn_execute_data, old_base, KN_FIELD_F32),
    F(kn_execute_data, new_base, KN_FIELD_F32),
    F(kn_execute_data, spec, POINTER),
};
static KNI_TABLE(execute_data_table, kn_execute_data, execute_data_fields);

static const kn_def_field cancel_fields[] = {
    F_ENUM(kn_cancel, reason, end_reason_words),
    F(kn_cancel, instigator, ENTITY),
    F_REF(kn_cancel, tag, KN_DEF_TAG),
    F(kn_cancel, number, KN_FIELD_F32),
    F(kn_cancel, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE(cancel_table, kn_cancel, cancel_fields);

static const kn_def_field reapplication_fields[] = {
    F(kn_effect_reapplication, application, POINTER),
    F(kn_effect_reapplication, source, ENTITY),
    F(kn_effect_reapplication, instigator, ENTITY),
    F(kn_effect_reapplication, causer, ENTITY),
    F(kn_effect_reapplication, ability, ABILITY),
    F(kn_effect_reapplication, activation, ACTIVATION),
    F(kn_effect_reapplication, origin, KN_FIELD_VEC3),
    F(kn_effect_reapplication, has_origin, KN_FIELD_BOOL),
    F(kn_effect_reapplication, took_over, KN_FIELD_BOOL),
    F(kn_effect_reapplication, level, KN_FIELD_F32),
    F(kn_effect_reapplication, stacks, KN_FIELD_U32),
    F(kn_effect_reapplication, old_stacks, KN_FIELD_U32),
    F(kn_effect_reapplication, new_stacks, KN_FIELD_U32),
    F(kn_effect_reapplication, source_object, KN_FIELD_U64),
    F(kn_effect_reapplication, old_remaining, KN_FIELD_TIME),
    F(kn_effect_reapplication, new_remaining, KN_FIELD_TIME),
};
static KNI_TABLE(reapplication_table, kn_effect_reapplication, reapplication_fields);

// Events and reactions ------------------------------------------------------

static const kn_def_field event_record_fields[] = {
    F_REF(kn_event_record, kind, KN_DEF_EVENT_KIND),
    F(kn_event_record, tags, TAGS),
    F(kn_event_record, instigator, ENTITY),
    F(kn_event_record, target, ENTITY),
    F(kn_event_record, magnitude, KN_FIELD_F32),
    F(kn_event_record, object, KN_FIELD_U64),
    F(kn_event_record, object2, KN_FIELD_U64),
    F(kn_event_record, effect, POINTER),
    F_REF(kn_event_record, tag, KN_DEF_TAG),
    F(kn_event_record, has_instigator_tags, KN_FIELD_BOOL),
    F(kn_event_record, has_target_tags, KN_FIELD_BOOL),
    F(kn_event_record, instigator_tags, TAGS),
    F(kn_event_record, target_tags, TAGS),
    F_BYTES(kn_event_record, data, data_size),
    F(kn_event_record, ignore_modifiers, KN_FIELD_BOOL),
    F(kn_event_record, ignore_gates, KN_FIELD_BOOL),
    F(kn_event_record, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE(event_record_table, kn_event_record, event_record_fields);

static const kn_def_field reaction_fields[] = {
    F_ENUM(kn_reaction, trigger, kni_trigger_words),
    F(kn_reaction, entity, ENTITY),
    F(kn_reaction, cause, KN_CALL_FIELD_CAUSE),
    F_REF(kn_reaction, tag, KN_DEF_TAG),
    F_REF(kn_reaction, attribute, KN_DEF_ATTRIBUTE),
    F(kn_reaction, key, KN_FIELD_U32),
    F(kn_reaction, old_value, KN_FIELD_F32),
    F(kn_reaction, new_value, KN_FIELD_F32),
    F(kn_reaction, old_count, KN_FIELD_U32),
    F(kn_reaction, new_count, KN_FIELD_U32),
    F(kn_reaction, effect, EFFECT),
    F_REF(kn_reaction, effect_type, KN_DEF_EFFECT),
    F_ENUM(kn_reaction, reason, removal_reason_words),
    F(kn_reaction, instigator, ENTITY),
    F(kn_reaction, magnitude, KN_FIELD_F32),
    F(kn_reaction, ability, ABILITY),
    F(kn_reaction, activation, ACTIVATION),
    F_ENUM(kn_reaction, end_reason, end_reason_words),
    F_FLAGS(kn_reaction, fail_reasons, fail_words),
    F(kn_reaction, other, ENTITY),
    F(kn_reaction, old_other, ENTITY),
    F(kn_reaction, record, POINTER),
    F(kn_reaction, causer, ENTITY),
    F(kn_reaction, level, KN_FIELD_F32),
    F_REF(kn_reaction, ability_type, KN_DEF_ABILITY),
    F(kn_reaction, object, KN_FIELD_U64),
    F(kn_reaction, old_remaining, KN_FIELD_TIME),
    F(kn_reaction, new_remaining, KN_FIELD_TIME),
    F_REF(kn_reaction, set, KN_DEF_ATTRIBUTE_SET),
};
static KNI_TABLE(reaction_table, kn_reaction, reaction_fields);

static const kn_def_field cause_info_fields[] = {
    F(kn_cause_info, parent, KN_CALL_FIELD_CAUSE),
    F_ENUM(kn_cause_info, kind, cause_kind_words),
    F(kn_cause_info, depth, KN_FIELD_U32),
    F(kn_cause_info, entity, ENTITY),
    F(kn_cause_info, effect, EFFECT),
    F_REF(kn_cause_info, type, KN_DEF_EFFECT),
    F(kn_cause_info, source, ENTITY),
    F_REF(kn_cause_info, tag, KN_DEF_TAG),
    F_REF(kn_cause_info, ability, KN_DEF_ABILITY),
    F_REF(kn_cause_info, command, KN_DEF_COMMAND),
    F_REF(kn_cause_info, system, KN_DEF_SYSTEM),
    F(kn_cause_info, custom, KN_FIELD_U32),
    F(kn_cause_info, def_kind, KN_FIELD_U32),
    F(kn_cause_info, def1, KN_FIELD_U32),
};
static KNI_TABLE(cause_info_table, kn_cause_info, cause_info_fields);

// Abilities -----------------------------------------------------------------

static const kn_def_field ability_grant_fields[] = {
    F_REF(kn_ability_grant_def, type, KN_DEF_ABILITY),
    F(kn_ability_grant_def, level, KN_FIELD_F32),
    F(kn_ability_grant_def, input, KN_FIELD_U32),
    F(kn_ability_grant_def, source, ENTITY),
    F(kn_ability_grant_def, source_object, KN_FIELD_U64),
    F(kn_ability_grant_def, user, KN_FIELD_U64),
    F(kn_ability_grant_def, dynamic_tags, TAGS),
    F_ARRAY(kn_ability_grant_def, caller_values, caller_value_count, &caller_value_table),
    F_ARRAY(kn_ability_grant_def, parameters, parameter_count, &kni_named_value_table),
    F(kn_ability_grant_def, share, KN_FIELD_BOOL),
    F(kn_ability_grant_def, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE(ability_grant_table, kn_ability_grant_def, ability_grant_fields);

static const kn_def_field ability_query_fields[] = {
    F_REF(kn_ability_query, type, KN_DEF_ABILITY),
    F(kn_ability_query, all_tags, TAGS),
    F(kn_ability_query, any_tags, TAGS),
    F(kn_ability_query, no_tags, TAGS),
    F(kn_ability_query, input, KN_FIELD_U32),
    F(kn_ability_query, effect, EFFECT),
    F(kn_ability_query, is_active, KN_FIELD_BOOL),
    F(kn_ability_query, meets_tags, KN_FIELD_BOOL),
    F(kn_ability_query, ignore, ACTIVATION),
    F(kn_ability_query, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE(ability_query_table, kn_ability_query, ability_query_fields);

static const kn_def_field ability_info_fields[] = {
    F_REF(kn_ability_info, type, KN_DEF_ABILITY),
    F(kn_ability_info, owner, ENTITY),
    F(kn_ability_info, level, KN_FIELD_F32),
    F(kn_ability_info, input, KN_FIELD_U32),
    F(kn_ability_info, is_pressed, KN_FIELD_BOOL),
    F(kn_ability_info, is_removing, KN_FIELD_BOOL),
    F(kn_ability_info, grants, KN_FIELD_U32),
    F(kn_ability_info, active_count, KN_FIELD_U32),
    F(kn_ability_info, latest, ACTIVATION),
    F(kn_ability_info, source, ENTITY),
    F(kn_ability_info, source_object, KN_FIELD_U64),
    F(kn_ability_info, user, KN_FIELD_U64),
    F(kn_ability_info, effect, EFFECT),
};
static KNI_TABLE(ability_info_table, kn_ability_info, ability_info_fields);

static const kn_def_field ability_call_fields[] = {
    F(kn_ability_call, world, POINTER),
    F(kn_ability_call, user, POINTER),
    F(kn_ability_call, owner, ENTITY),
    F(kn_ability_call, avatar, ENTITY),
    F(kn_ability_call, ability, ABILITY),
    F(kn_ability_call, activation, ACTIVATION),
    F(kn_ability_call, has_event, KN_FIELD_BOOL),
    F(kn_ability_call, answer, POINTER),
};
static KNI_TABLE(ability_call_table, kn_ability_call, ability_call_fields);

static const kn_def_field refusal_line_fields[] = {
    F_FLAGS(kn_refusal_line, reason, fail_words),
    F_REF(kn_refusal_line, tag, KN_DEF_TAG),
    F_REF(kn_refusal_line, attribute, KN_DEF_ATTRIBUTE),
    F(kn_refusal_line, have, KN_FIELD_F32),
    F(kn_refusal_line, need, KN_FIELD_F32),
    F(kn_refusal_line, remaining, KN_FIELD_TIME),
    F(kn_refusal_line, total, KN_FIELD_TIME),
    F(kn_refusal_line, effect, EFFECT),
    F(kn_refusal_line, ability, ABILITY),
    F_REF(kn_refusal_line, check, KN_DEF_CHECK),
    F(kn_refusal_line, source, ENTITY),
    F(kn_refusal_line, key, KN_FIELD_U64),
    F_TEXT(kn_refusal_line, text),
};
static KNI_TABLE(refusal_line_table, kn_refusal_line, refusal_line_fields);

static const kn_def_field cost_quote_fields[] = {
    F_REF(kn_cost_quote, attribute, KN_DEF_ATTRIBUTE),
    F(kn_cost_quote, amount, KN_FIELD_F32),
    F(kn_cost_quote, have, KN_FIELD_F32),
    F(kn_cost_quote, is_affordable, KN_FIELD_BOOL),
};
static KNI_TABLE(cost_quote_table, kn_cost_quote, cost_quote_fields);

static const kn_def_field cooldown_info_fields[] = {
    F_REF(kn_cooldown_info, key, KN_DEF_TAG),
    F(kn_cooldown_info, charges, KN_FIELD_U32),
    F(kn_cooldown_info, max_charges, KN_FIELD_U32),
    F(kn_cooldown_info, remaining, KN_FIELD_TIME),
    F(kn_cooldown_info, total, KN_FIELD_TIME),
    F(kn_cooldown_info, wait, KN_FIELD_TIME),
};
static KNI_TABLE(cooldown_info_table, kn_cooldown_info, cooldown_info_fields);

// Tasks and motions ---------------------------------------------------------

static const kn_def_field motion_start_fields[] = {
    F(kn_motion_start, time, KN_FIELD_TIME),
    F(kn_motion_start, position, KN_FIELD_VEC3),
    F(kn_motion_start, velocity, KN_FIELD_VEC3),
    F(kn_motion_start, mode, KN_FIELD_U32),
    F(kn_motion_start, number, KN_FIELD_U32),
    F(kn_motion_start, target, ENTITY),
};
static KNI_TABLE(motion_start_table, kn_motion_start, motion_start_fields);

static const kn_def_field task_fields[] = {
    F_ENUM(kn_task_def, kind, task_kind_words),
    F_REF(kn_task_def, type, KN_DEF_TASK),
    F(kn_task_def, label, KN_FIELD_U32),
    F_REF(kn_task_def, name, KN_DEF_NAME),
    F(kn_task_def, entity, ENTITY),
    F(kn_task_def, repeats, KN_FIELD_BOOL),
    F(kn_task_def, test_now, KN_FIELD_BOOL),
    F(kn_task_def, timeout, KN_FIELD_TIME),
    F_REF(kn_task_def, resource, KN_DEF_TAG),
    F_ENUM(kn_task_def, conflict, task_conflict_words),
    F(kn_task_def, delay, KN_FIELD_TIME),
    F(kn_task_def, interval, KN_FIELD_TIME),
    F(kn_task_def, count, KN_FIELD_U32),
    F_REF(kn_task_def, tag, KN_DEF_TAG),
    F(kn_task_def, tags, TAGS),
    F(kn_task_def, query, KN_DEF_FIELD_QUERY),
    F(kn_task_def, when_false, KN_FIELD_BOOL),
    F_REF(kn_task_def, attribute, KN_DEF_ATTRIBUTE),
    F_REF(kn_task_def, relative_to, KN_DEF_ATTRIBUTE),
    F_ENUM(kn_task_def, compare, kni_compare_words),
    F(kn_task_def, value, KN_FIELD_F32),
    F_REF(kn_task_def, effect_type, KN_DEF_EFFECT),
    F(kn_task_def, effect, EFFECT),
    F(kn_task_def, mode, KN_FIELD_U32),
    F_REF(kn_task_def, animation, KN_DEF_ANIMATION),
    F_REF(kn_task_def, section, KN_DEF_NAME),
    F(kn_task_def, rate, KN_FIELD_F32),
    F(kn_task_def, start, KN_FIELD_TIME),
    F(kn_task_def, no_result_after_blend_out, KN_FIELD_BOOL),
    F(kn_task_def, user, KN_FIELD_U64),
    F_REF(kn_task_def, targeting, KN_DEF_TARGETING),
    F_ENUM(kn_task_def, confirm, kni_confirm_words),
    F_TO(kn_task_def, motion, &kni_motion_def_table),
    F_STRUCT(kn_task_def, motion_start, &motion_start_table),
    F_ENUM(kn_task_def, sync, sync_wait_words),
    F_ENUM(kn_task_def, sync_expiry, sync_expiry_words),
    F_BYTES(kn_task_def, params, param_size),
    F(kn_task_def, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE(task_table, kn_task_def, task_fields);

static const kn_def_field task_info_fields[] = {
    F_ENUM(kn_task_info, kind, task_kind_words),
    F_REF(kn_task_info, type, KN_DEF_TASK),
    F(kn_task_info, activation, ACTIVATION),
    F(kn_task_info, label, KN_FIELD_U32),
    F_REF(kn_task_info, name, KN_DEF_NAME),
    F(kn_task_info, is_started, KN_FIELD_BOOL),
    F(kn_task_info, start, KN_FIELD_TIME),
    F(kn_task_info, due, KN_FIELD_TIME),
};
static KNI_TABLE(task_info_table, kn_task_info, task_info_fields);

static const kn_def_field task_call_fields[] = {
    F(kn_task_call, world, POINTER),
    F(kn_task_call, user, POINTER),
    F(kn_task_call, task, TASK),
    F(kn_task_call, activation, ACTIVATION),
    F(kn_task_call, ability, ABILITY),
    F(kn_task_call, owner, ENTITY),
};
static KNI_TABLE(task_call_table, kn_task_call, task_call_fields);

static const kn_def_field task_result_fields[] = {
    F(kn_task_result, task, TASK),
    F_ENUM(kn_task_result, kind, task_kind_words),
    F_ENUM(kn_task_result, output, task_output_words),
    F(kn_task_result, label, KN_FIELD_U32),
    F_REF(kn_task_result, name, KN_DEF_NAME),
};
static KNI_TABLE(task_result_table, kn_task_result, task_result_fields);

// A member of `data`, by its own name.
#define MEMBER(struct_, path, name_, kind_, limit_, names_)                                        \
    {                                                                                              \
        name_, kind_, limit_, (uint32_t)offsetof(struct_, data.path), 1, 0, NULL, names_, NULL,    \
            NULL                                                                                   \
    }
#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))
#define D(path, name_, kind_) MEMBER(kn_task_result, path, name_, kind_, 0, NULL)
#define D_ENUM(path, name_, words)                                                                 \
    MEMBER(kn_task_result, path, name_, KN_DEF_FIELD_ENUM, COUNT_OF(words), words)
#define D_REF(path, name_, ref) MEMBER(kn_task_result, path, name_, KN_DEF_FIELD_REF, ref, NULL)
#define D_TABLE(fields) static KNI_TABLE(fields##_table, kn_task_result, fields)

static const kn_def_field repeat_data[] = {
    D(repeat.index, "index", KN_FIELD_U32),
    D(repeat.is_last, "is_last", KN_FIELD_BOOL),
};
D_TABLE(repeat_data);
static const kn_def_field tag_data[] = {
    D_REF(tag.tag, "tag", KN_DEF_TAG),
    D(tag.is_there, "is_there", KN_FIELD_BOOL),
};
D_TABLE(tag_data);
static const kn_def_field attribute_data[] = {
    D_REF(attribute.attribute, "attribute", KN_DEF_ATTRIBUTE),
    D(attribute.old_value, "old_value", KN_FIELD_F32),
    D(attribute.new_value, "new_value", KN_FIELD_F32),
};
D_TABLE(attribute_data);
static const kn_def_field effect_data[] = {
    D(effect.effect, "effect", EFFECT),
    D_REF(effect.type, "type", KN_DEF_EFFECT),
    D(effect.count, "count", KN_FIELD_U32),
    D(effect.old_count, "old_count", KN_FIELD_U32),
    D_ENUM(effect.reason, "reason", removal_reason_words),
};
D_TABLE(effect_data);
static const kn_def_field ability_data[] = {
    D(ability.ability, "ability", ABILITY),
    D(ability.activation, "activation", ACTIVATION),
    D_ENUM(ability.reason, "reason", end_reason_words),
};
D_TABLE(ability_data);
static const kn_def_field ended_data[] = {
    D(ability.ability, "ability", ABILITY),
    D(ability.activation, "activation", ACTIVATION),
    D_ENUM(ability.reason, "reason", end_reason_words),
    D(ability.instigator, "instigator", ENTITY),
    D_REF(ability.tag, "tag", KN_DEF_TAG),
    D(ability.number, "number", KN_FIELD_F32),
};
D_TABLE(ended_data);
static const kn_def_field held_data[] = {D(held, "held", KN_FIELD_TIME)};
D_TABLE(held_data);
static const kn_def_field entity_data[] = {D(entity, "entity", ENTITY)};
D_TABLE(entity_data);
static const kn_def_field mode_data[] = {D(mode, "mode", KN_FIELD_U32)};
D_TABLE(mode_data);
static const kn_def_field targets_data[] = {D(targets, "targets", KN_CALL_FIELD_TARGETS)};
D_TABLE(targets_data);
static const kn_def_field custom_data[] = {
    {"data", KN_CALL_FIELD_BYTES, 0, (uint32_t)offsetof(kn_task_result, data.custom.data), 1,
        (uint32_t)offsetof(kn_task_result, data.custom.size), NULL, NULL, NULL, NULL}};
D_TABLE(custom_data);

// Data of events ------------------------------------------------------------

#define E(path, name_, kind_) MEMBER(kn_event, path, name_, kind_, 0, NULL)
#define E_REF(path, name_, ref) MEMBER(kn_event, path, name_, KN_DEF_FIELD_REF, ref, NULL)
#define E_ENUM(path, name_, words)                                                                 \
    MEMBER(kn_event, path, name_, KN_DEF_FIELD_ENUM, COUNT_OF(words), words)
#define E_TABLE(fields) static KNI_TABLE(fields##_table, kn_event, fields)

static const kn_def_field event_fields[] = {
    F(kn_event, type, KN_FIELD_U32),
    F(kn_event, cause, KN_CALL_FIELD_CAUSE),
    F(kn_event, time, KN_FIELD_TIME),
    F(kn_event, entity, ENTITY),
};
static KNI_TABLE(event_table, kn_event, event_fields);

static const kn_def_field event_tag[] = {
    E_REF(tag.tag, "tag", KN_DEF_TAG),
    E(tag.count, "count", KN_FIELD_U32),
    E(tag.old_count, "old_count", KN_FIELD_U32),
};
E_TABLE(event_tag);
static const kn_def_field event_attribute[] = {
    E_REF(attribute.attribute, "attribute", KN_DEF_ATTRIBUTE),
    E(attribute.key, "key", KN_FIELD_U32),
    E(attribute.old_value, "old_value", KN_FIELD_F32),
    E(attribute.new_value, "new_value", KN_FIELD_F32),
    E(attribute.effect, "effect", EFFECT),
};
E_TABLE(event_attribute);
static const kn_def_field event_set[] = {
    E_REF(set.set, "set", KN_DEF_ATTRIBUTE_SET),
    E(set.key, "key", KN_FIELD_U32),
};
E_TABLE(event_set);

#define E_EFFECT                                                                                   \
    E(effect.effect, "effect", EFFECT), E_REF(effect.type, "type", KN_DEF_EFFECT),                 \
        E(effect.count, "count", KN_FIELD_U32), E(effect.old_count, "old_count", KN_FIELD_U32),    \
        E_ENUM(effect.reason, "reason", removal_reason_words), E(effect.source, "source", ENTITY)

static const kn_def_field event_effect[] = {E_EFFECT, E(effect.level, "level", KN_FIELD_F32)};
E_TABLE(event_effect);
static const kn_def_field event_blocked[] = {E_EFFECT, E(effect.by, "by", EFFECT)};
E_TABLE(event_blocked);
static const kn_def_field event_refusal[] = {
    E_REF(refusal.type, "type", KN_DEF_EFFECT),
    E(refusal.reason, "reason", KN_CALL_FIELD_RESULT),
    E(refusal.source, "source", ENTITY),
    E(refusal.by, "by", EFFECT),
    E_REF(refusal.tag, "tag", KN_DEF_TAG),
    E_REF(refusal.attribute, "attribute", KN_DEF_ATTRIBUTE),
    E_REF(refusal.parameter, "parameter", KN_DEF_NAME),
    E(refusal.from, "from", KN_FIELD_U8),
    E(refusal.is_there, "is_there", KN_FIELD_BOOL),
    E(refusal.is_removal, "is_removal", KN_FIELD_BOOL),
    E(refusal.details1, "details1", KN_FIELD_U8),
};
E_TABLE(event_refusal);
static const kn_def_field event_of_record[] = {
    E_REF(record.kind, "kind", KN_DEF_EVENT_KIND),
    E_REF(record.tag, "tag", KN_DEF_TAG),
    E(record.instigator, "instigator", ENTITY),
    E(record.magnitude, "magnitude", KN_FIELD_F32),
    E(record.by, "by", EFFECT),
};
E_TABLE(event_of_record);
static const kn_def_field event_cue[] = {
    E_REF(cue.tag, "tag", KN_DEF_TAG),
    E_ENUM(cue.action, "action", cue_action_words),
    E(cue.effect, "effect", EFFECT),
    E_REF(cue.type, "type", KN_DEF_EFFECT),
    E(cue.magnitude, "magnitude", KN_FIELD_F32),
    E(cue.interrupted, "interrupted", KN_FIELD_BOOL),
    E(cue.params1, "params1", KN_FIELD_U32),
};
E_TABLE(event_cue);
static const kn_def_field event_avatar[] = {
    E(avatar.avatar, "avatar", ENTITY),
    E(avatar.old_avatar, "old_avatar", ENTITY),
};
E_TABLE(event_avatar);
static const kn_def_field event_ability[] = {
    E(ability.ability, "ability", ABILITY),
    E_REF(ability.type, "type", KN_DEF_ABILITY),
    E(ability.activation, "activation", ACTIVATION),
    E_ENUM(ability.end_reason, "end_reason", end_reason_words),
    MEMBER(kn_event, ability.reasons, "reasons", KN_FIELD_U32, KN_FAIL_COUNT, fail_words),
    E(ability.tags1, "tags1", KN_FIELD_U32),
    E(ability.instigator, "instigator", ENTITY),
};
E_TABLE(event_ability);
static const kn_def_field event_ended[] = {
    E(ability.ability, "ability", ABILITY),
    E_REF(ability.type, "type", KN_DEF_ABILITY),
    E(ability.activation, "activation", ACTIVATION),
    E_ENUM(ability.end_reason, "end_reason", end_reason_words),
    E_REF(ability.tag, "tag", KN_DEF_TAG),
    E(ability.number, "number", KN_FIELD_F32),
    E(ability.instigator, "instigator", ENTITY),
};
E_TABLE(event_ended);
static const kn_def_field event_animation[] = {
    E_REF(animation.animation, "animation", KN_DEF_ANIMATION),
    E(animation.task, "task", TASK),
    E(animation.plays, "plays", KN_FIELD_BOOL),
    E(animation.rate, "rate", KN_FIELD_F32),
    E(animation.start, "start", KN_FIELD_TIME),
    E_REF(animation.section, "section", KN_DEF_NAME),
};
E_TABLE(event_animation);
static const kn_def_field event_motion[] = {
    E(motion.task, "task", TASK),
    E(motion.begins, "begins", KN_FIELD_BOOL),
};
E_TABLE(event_motion);
static const kn_def_field event_request[] = {
    E(request.ability, "ability", ABILITY),
    E(request.activation, "activation", ACTIVATION),
    E(request.parts, "parts", KN_FIELD_U32),
    E(request.offset1, "offset1", KN_FIELD_U32),
    E(request.size, "size", KN_FIELD_U32),
    E(request.is_pressed, "is_pressed", KN_FIELD_BOOL),
    E(request.event1, "event1", KN_FIELD_U32),
    E(request.use, "use", KN_FIELD_U32),
    E(request.point, "point", KN_FIELD_U32),
};
E_TABLE(event_request);
static const kn_def_field event_reticle[] = {
    E(reticle.task, "task", TASK),
    E(reticle.target, "target", ENTITY),
    E(reticle.is_valid, "is_valid", KN_FIELD_BOOL),
    E(reticle.is_entity, "is_entity", KN_FIELD_BOOL),
};
E_TABLE(event_reticle);
static const kn_def_field event_command[] = {
    E_REF(command.type, "type", KN_DEF_COMMAND),
    E(command.connection, "connection", KN_FIELD_U32),
    E(command.sequence, "sequence", KN_FIELD_U32),
    E(command.part, "part", KN_FIELD_U32),
    E(command.result, "result", KN_CALL_FIELD_RESULT),
    MEMBER(kn_event, command.reasons, "reasons", KN_FIELD_U32, KN_FAIL_COUNT, fail_words),
    E(command.activation, "activation", ACTIVATION),
    E(command.lines1, "lines1", KN_FIELD_U32),
    E(command.line_count, "line_count", KN_FIELD_U32),
};
E_TABLE(event_command);
static const kn_def_field event_custom[] = {
    E_REF(custom.kind, "kind", KN_DEF_CUSTOM_EVENT),
    E(custom.offset1, "offset1", KN_FIELD_U32),
    E(custom.size, "size", KN_FIELD_U32),
};
E_TABLE(event_custom);
static const kn_def_field event_charges[] = {
    E(charges.ability, "ability", ABILITY),
    E_REF(charges.key, "key", KN_DEF_TAG),
    E(charges.charges, "charges", KN_FIELD_U32),
    E(charges.old_charges, "old_charges", KN_FIELD_U32),
    E(charges.end, "end", KN_FIELD_TIME),
};
E_TABLE(event_charges);
static const kn_def_field event_error[] = {
    E(error.code, "code", KN_CALL_FIELD_RESULT),
    E(error.detail, "detail", KN_FIELD_U32),
    E_REF(error.type, "type", KN_DEF_EFFECT),
    E_REF(error.attribute, "attribute", KN_DEF_ATTRIBUTE),
    E_REF(error.ability, "ability", KN_DEF_ABILITY),
};
E_TABLE(event_error);

// Targets and cues ----------------------------------------------------------

static const kn_def_field targeting_call_fields[] = {
    F(kn_targeting_call, world, POINTER),
    F(kn_targeting_call, user, POINTER),
    F(kn_targeting_call, owner, ENTITY),
    F(kn_targeting_call, avatar, ENTITY),
    F(kn_targeting_call, activation, ACTIVATION),
    F(kn_targeting_call, task, TASK),
};
static KNI_TABLE(targeting_call_table, kn_targeting_call, targeting_call_fields);

static const kn_def_field space_hit_fields[] = {
    F(kn_space_hit, entity, ENTITY),
    F(kn_space_hit, point, KN_FIELD_VEC3),
    F(kn_space_hit, normal, KN_FIELD_VEC3),
    F(kn_space_hit, distance, KN_FIELD_F32),
};
static KNI_TABLE(space_hit_table, kn_space_hit, space_hit_fields);

static const kn_def_field cue_fields[] = {
    F(kn_cue_params, instigator, ENTITY),
    F(kn_cue_params, causer, ENTITY),
    F(kn_cue_params, source_object, KN_FIELD_U64),
    F(kn_cue_params, location, KN_FIELD_VEC3),
    F(kn_cue_params, normal, KN_FIELD_VEC3),
    F(kn_cue_params, has_location, KN_FIELD_BOOL),
    F(kn_cue_params, has_normal, KN_FIELD_BOOL),
    F(kn_cue_params, magnitude, KN_FIELD_F32),
    F(kn_cue_params, change, KN_FIELD_F32),
    F(kn_cue_params, normalised, KN_FIELD_F32),
    F(kn_cue_params, effect_level, KN_FIELD_F32),
    F(kn_cue_params, ability_level, KN_FIELD_F32),
    F(kn_cue_params, stacks, KN_FIELD_U32),
    F(kn_cue_params, source_tags, TAGS),
    F(kn_cue_params, target_tags, TAGS),
    F_REF(kn_cue_params, payload_type, KN_DEF_CONTEXT),
    F(kn_cue_params, payload, POINTER),
    F(kn_cue_params, targets, KN_CALL_FIELD_TARGETS),
    F(kn_cue_params, activation, ACTIVATION),
    F(kn_cue_params, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE(cue_table, kn_cue_params, cue_fields);

// All of them ---------------------------------------------------------------

const kn_def_table *kn_struct_table(kn_struct which)
{
    static const kn_def_table *const tables[KN_STRUCT_COUNT] = {
        [KN_STRUCT_EFFECT_APPLY_DEF] = &effect_apply_table,
        [KN_STRUCT_EFFECT_CONTEXT] = &effect_context_table,
        [KN_STRUCT_EFFECT_QUERY] = &effect_query_table,
        [KN_STRUCT_EFFECT_INFO] = &effect_info_table,
        [KN_STRUCT_EFFECT_REFUSAL] = &effect_refusal_table,
        [KN_STRUCT_CONTAINER_APPLY_DEF] = &container_apply_table,
        [KN_STRUCT_MODIFIER_VIEW] = &modifier_view_table,
        [KN_STRUCT_ATTRIBUTE_CHANGE] = &attribute_change_table,
        [KN_STRUCT_EXECUTE_DATA] = &execute_data_table,
        [KN_STRUCT_EVENT] = &event_table,
        [KN_STRUCT_EVENT_RECORD] = &event_record_table,
        [KN_STRUCT_REACTION] = &reaction_table,
        [KN_STRUCT_ABILITY_GRANT_DEF] = &ability_grant_table,
        [KN_STRUCT_ABILITY_QUERY] = &ability_query_table,
        [KN_STRUCT_ABILITY_INFO] = &ability_info_table,
        [KN_STRUCT_ABILITY_CALL] = &ability_call_table,
        [KN_STRUCT_REFUSAL_LINE] = &refusal_line_table,
        [KN_STRUCT_COST_QUOTE] = &cost_quote_table,
        [KN_STRUCT_COOLDOWN_INFO] = &cooldown_info_table,
        [KN_STRUCT_TASK_DEF] = &task_table,
        [KN_STRUCT_TASK_INFO] = &task_info_table,
        [KN_STRUCT_TASK_CALL] = &task_call_table,
        [KN_STRUCT_TASK_RESULT] = &task_result_table,
        [KN_STRUCT_MOTION_DEF] = &kni_motion_def_table,
        [KN_STRUCT_MOTION_START] = &motion_start_table,
        [KN_STRUCT_TARGETING_CALL] = &targeting_call_table,
        [KN_STRUCT_SPACE_HIT] = &space_hit_table,
        [KN_STRUCT_CUE_PARAMS] = &cue_table,
        [KN_STRUCT_CAUSE_INFO] = &cause_info_table,
        [KN_STRUCT_CANCEL] = &cancel_table,
        [KN_STRUCT_EFFECT_REAPPLICATION] = &reapplication_table,
    };
    return (uint32_t)which < KN_STRUCT_COUNT ? tables[which] : NULL;
}

const kn_def_table *kn_task_data_table(uint32_t kind)
{
    static const kn_def_table *const tables[KN_TASK_KIND_COUNT] = {
        [KN_TASK_REPEAT] = &repeat_data_table,
        [KN_TASK_TAG_ADDED] = &tag_data_table,
        [KN_TASK_TAG_REMOVED] = &tag_data_table,
        [KN_TASK_TAG_QUERY] = &tag_data_table,
        [KN_TASK_ATTRIBUTE] = &attribute_data_table,
        [KN_TASK_THRESHOLD] = &attribute_data_table,
        [KN_TASK_EFFECT_APPLIED] = &effect_data_table,
        [KN_TASK_EFFECT_REMOVED] = &effect_data_table,
        [KN_TASK_EFFECT_STACKS] = &effect_data_table,
        [KN_TASK_ABILITY_ACTIVATED] = &ability_data_table,
        [KN_TASK_ABILITY_COMMITTED] = &ability_data_table,
        [KN_TASK_ABILITY_ENDED] = &ended_data_table,
        [KN_TASK_INPUT_PRESSED] = &held_data_table,
        [KN_TASK_INPUT_RELEASED] = &held_data_table,
        [KN_TASK_OVERLAP] = &entity_data_table,
        [KN_TASK_MOVEMENT] = &mode_data_table,
        [KN_TASK_ANIMATION] = &tag_data_table,
        [KN_TASK_SPAWN] = &entity_data_table,
        [KN_TASK_TARGET] = &targets_data_table,
        [KN_TASK_CUSTOM] = &custom_data_table,
    };
    return kind < KN_TASK_KIND_COUNT ? tables[kind] : NULL;
}

const kn_def_table *kn_event_data_table(kn_event_type type)
{
    static const kn_def_table *const tables[KN_EVENT_TYPE_COUNT] = {
        [KN_EVENT_AVATAR_CHANGED] = &event_avatar_table,
        [KN_EVENT_OWNER_CHANGED] = &event_avatar_table,
        [KN_EVENT_TAG_COUNT] = &event_tag_table,
        [KN_EVENT_TAG_CHANGED] = &event_tag_table,
        [KN_EVENT_ATTRIBUTE_CHANGED] = &event_attribute_table,
        [KN_EVENT_ATTRIBUTE_INITIALISED] = &event_attribute_table,
        [KN_EVENT_SET_ADDED] = &event_set_table,
        [KN_EVENT_SET_REMOVED] = &event_set_table,
        [KN_EVENT_EFFECT_APPLIED] = &event_effect_table,
        [KN_EVENT_EFFECT_EXECUTED] = &event_effect_table,
        [KN_EVENT_EFFECT_REMOVED] = &event_effect_table,
        [KN_EVENT_EFFECT_STACKS] = &event_effect_table,
        [KN_EVENT_EFFECT_STACK_DENIED] = &event_effect_table,
        [KN_EVENT_EFFECT_INHIBITED] = &event_effect_table,
        [KN_EVENT_EFFECT_TIME] = &event_effect_table,
        [KN_EVENT_EFFECT_BLOCKED] = &event_blocked_table,
        [KN_EVENT_EFFECT_PART_BLOCKED] = &event_blocked_table,
        [KN_EVENT_EFFECT_REFUSED] = &event_refusal_table,
        [KN_EVENT_RESTRICTED] = &event_of_record_table,
        [KN_EVENT_RECORD] = &event_of_record_table,
        [KN_EVENT_CUE] = &event_cue_table,
        [KN_EVENT_ERROR] = &event_error_table,
        [KN_EVENT_ABILITY_GRANTED] = &event_ability_table,
        [KN_EVENT_ABILITY_CHANGED] = &event_ability_table,
        [KN_EVENT_ABILITY_REMOVED] = &event_ability_table,
        [KN_EVENT_ABILITY_ACTIVATED] = &event_ability_table,
        [KN_EVENT_ABILITY_CONFIRMED] = &event_ability_table,
        [KN_EVENT_ABILITY_COMMITTED] = &event_ability_table,
        [KN_EVENT_ABILITY_ENDED] = &event_ended_table,
        [KN_EVENT_ABILITY_FAILED] = &event_ability_table,
        [KN_EVENT_ABILITY_STATUS] = &event_ability_table,
        [KN_EVENT_CHARGES] = &event_charges_table,
        [KN_EVENT_ANIMATION] = &event_animation_table,
        [KN_EVENT_MOTION] = &event_motion_table,
        [KN_EVENT_REQUEST] = &event_request_table,
        [KN_EVENT_RETICLE] = &event_reticle_table,
        [KN_EVENT_COMMAND] = &event_command_table,
        [KN_EVENT_CUSTOM] = &event_custom_table,
        [KN_EVENT_EARLY_USE] = &event_charges_table,
    };
    return (uint32_t)type < KN_EVENT_TYPE_COUNT ? tables[type] : NULL;
}
