// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The field tables of all defs: name, kind, offset and allowed range of every field, and the names
// of enum values. One table serves registration, data files, scripts, schemas and dumps.

#include "library/types.h"

#define F KNI_F
#define F_ENUM KNI_F_ENUM
#define F_FLAGS KNI_F_FLAGS
#define F_REF KNI_F_REF
#define F_STRUCT KNI_F_STRUCT
#define F_ARRAY KNI_F_ARRAY
#define F_REFS KNI_F_REFS

// Names of the values of enums, and of flags.

const char *const kni_capture_from_words[] = {
    [KN_CAPTURE_FROM_SOURCE] = "source",
    [KN_CAPTURE_FROM_TARGET] = "target",
    [KN_CAPTURE_FROM_CAUSER] = "causer",
};
static const char *const capture_value_names[] = {
    [KN_CAPTURE_FINAL] = "final",
    [KN_CAPTURE_BASE] = "base",
    [KN_CAPTURE_BONUS] = "bonus",
    [KN_CAPTURE_UP_TO_CHANNEL] = "up_to_channel",
    [KN_CAPTURE_MINIMUM] = "minimum",
    [KN_CAPTURE_MAXIMUM] = "maximum",
    [KN_CAPTURE_OVERFLOW] = "overflow",
    [KN_CAPTURE_EFFECTIVE_BONUS] = "effective_bonus",
};
static const char *const magnitude_kind_names[] = {
    [KN_MAGNITUDE_SCALABLE] = "scalable",
    [KN_MAGNITUDE_ATTRIBUTE] = "attribute",
    [KN_MAGNITUDE_CALCULATION] = "calculation",
    [KN_MAGNITUDE_SET_BY_CALLER] = "set_by_caller",
    [KN_MAGNITUDE_STACKS] = "stacks",
    [KN_MAGNITUDE_TICK_INDEX] = "tick_index",
    [KN_MAGNITUDE_TICK_COUNT] = "tick_count",
    [KN_MAGNITUDE_TALLY_LOSS] = "tally_loss",
    [KN_MAGNITUDE_TALLY_GAIN] = "tally_gain",
    [KN_MAGNITUDE_TALLY_NET] = "tally_net",
    [KN_MAGNITUDE_POOL] = "pool",
};
const char *const kni_op_words[] = {
    [KN_OP_ADD] = "add",
    [KN_OP_MULTIPLY] = "multiply",
    [KN_OP_DIVIDE] = "divide",
    [KN_OP_MULTIPLY_ADDITIVE] = "multiply_additive",
    [KN_OP_DIVIDE_ADDITIVE] = "divide_additive",
    [KN_OP_MULTIPLY_COMPOUND] = "multiply_compound",
    [KN_OP_DIVIDE_COMPOUND] = "divide_compound",
    [KN_OP_ADD_FINAL] = "add_final",
    [KN_OP_OVERRIDE] = "override",
};
static const char *const scaling_names[] = {
    [KN_STACK_SCALING_BY_PROFILE] = "by_profile",
    [KN_STACK_SCALING_YES] = "always",
    [KN_STACK_SCALING_NO] = "never",
};
static const char *const when_names[] = {
    [KN_REQUIREMENT_TIME_APPLIED] = "applied",
    [KN_REQUIREMENT_TIME_TICKED] = "ticked",
    [KN_REQUIREMENT_TIME_CONTINUOUS] = "continuous",
};
static const char *const group_rule_names[] = {
    [KN_GROUP_SUM] = "sum",
    [KN_GROUP_MAX] = "max",
    [KN_GROUP_MIN] = "min",
    [KN_GROUP_BEST] = "best",
};
static const char *const stacking_names[] = {
    [KN_STACK_NONE] = "none",
    [KN_STACK_BY_SOURCE] = "by_source",
    [KN_STACK_BY_TARGET] = "by_target",
};
static const char *const stack_rule_names[] = {
    [KN_STACK_JOIN] = "join",
    [KN_STACK_REFUSE] = "refuse",
    [KN_STACK_TAKE_OVER] = "take_over",
    [KN_STACK_RESTART] = "restart",
};
static const char *const refresh_names[] = {
    [KN_REFRESH_RESTART] = "restart",
    [KN_REFRESH_NEVER] = "never",
    [KN_REFRESH_EXTEND] = "extend",
    [KN_REFRESH_KEEP_LONGER] = "keep_longer",
    [KN_REFRESH_PANDEMIC] = "pandemic",
    [KN_REFRESH_COMPLETE_PERIOD] = "complete_period",
    [KN_REFRESH_ALIGN_TICK] = "align_tick",
};
static const char *const period_reset_names[] = {
    [KN_PERIOD_RESET] = "reset",
    [KN_PERIOD_KEEP] = "keep",
};
static const char *const expiration_names[] = {
    [KN_EXPIRE_CLEAR] = "clear",
    [KN_EXPIRE_ONE_AND_REFRESH] = "one_and_refresh",
    [KN_EXPIRE_REFRESH] = "refresh",
};
static const char *const merge_names[] = {
    [KN_MERGE_LATEST] = "latest",
    [KN_MERGE_HIGHEST_LEVEL] = "highest_level",
    [KN_MERGE_FIRST] = "first",
    [KN_MERGE_POOL] = "pool",
};
static const char *const stack_cap_names[] = {
    [KN_STACK_CAP_REPLACE_OLDEST] = "replace_oldest",
    [KN_STACK_CAP_REPLACE_FIRST_ENDING] = "replace_first_ending",
    [KN_STACK_CAP_REFUSE] = "refuse",
};
static const char *const child_when_names[] = {
    [KN_CHILD_APPLIED] = "applied",
    [KN_CHILD_EXECUTED] = "executed",
    [KN_CHILD_EXPIRED] = "expired",
    [KN_CHILD_REMOVED_EARLY] = "removed_early",
    [KN_CHILD_ENDED] = "ended",
    [KN_CHILD_OVERFLOW] = "overflow",
    [KN_CHILD_COUNT_REACHED] = "count_reached",
    [KN_CHILD_COUNT_HELD] = "count_held",
};
static const char *const recipient_names[] = {
    [KN_RECIPIENT_TARGET] = "target",
    [KN_RECIPIENT_SOURCE] = "source",
    [KN_RECIPIENT_INSTIGATOR] = "instigator",
};
static const char *const raise_when_names[] = {
    [KN_RAISE_APPLIED] = "applied",
    [KN_RAISE_EXECUTED] = "executed",
    [KN_RAISE_EXPIRED] = "expired",
    [KN_RAISE_REMOVED_EARLY] = "removed_early",
    [KN_RAISE_STACK_GAINED] = "stack_gained",
    [KN_RAISE_STACK_LOST] = "stack_lost",
};
static const char *const grant_removal_names[] = {
    [KN_GRANT_CANCEL] = "cancel",
    [KN_GRANT_AFTER_END] = "after_end",
    [KN_GRANT_KEEP] = "keep",
};
static const char *const follow_names[] = {
    [KN_GRANT_FOLLOW_IGNORE] = "ignore",
    [KN_GRANT_FOLLOW_CANCEL] = "cancel",
    [KN_GRANT_FOLLOW_AFTER_END] = "after_end",
};
static const char *const tag_edit_names[] = {
    [KN_TAG_EDIT_ADD] = "add",
    [KN_TAG_EDIT_REMOVE] = "remove",
    [KN_TAG_EDIT_REPLACE] = "replace",
};
static const char *const duration_kind_names[] = {
    [KN_DURATION_INSTANT] = "instant",
    [KN_DURATION_TIMED] = "duration",
    [KN_DURATION_INFINITE] = "infinite",
};
static const char *const live_time_names[] = {
    [KN_LIVE_NONE] = "none",
    [KN_LIVE_NEXT] = "next",
    [KN_LIVE_RESCALE] = "rescale",
};
static const char *const inhibit_period_names[] = {
    [KN_INHIBIT_NEVER_RESET] = "never_reset",
    [KN_INHIBIT_RESET] = "reset",
    [KN_INHIBIT_EXECUTE_AND_RESET] = "execute_and_reset",
    [KN_INHIBIT_PAUSE] = "pause",
};
static const char *const exclusive_rule_names[] = {
    [KN_EXCLUSIVE_NEWEST] = "newest",
    [KN_EXCLUSIVE_NEWEST_PER_SOURCE] = "newest_per_source",
    [KN_EXCLUSIVE_STRONGEST] = "strongest",
    [KN_EXCLUSIVE_BEST_COUNTS] = "best_counts",
    [KN_EXCLUSIVE_NAME_ONCE] = "name_once",
};
static const char *const link_names[] = {
    [KN_LINK_CLAMP] = "clamp",
    [KN_LINK_KEEP] = "keep",
    [KN_LINK_PROPORTION] = "proportion",
};
static const char *const rounding_names[] = {
    [KN_ROUND_NONE] = "none",
    [KN_ROUND_TRUNCATE] = "truncate",
    [KN_ROUND_HALF_AWAY] = "half_away",
    [KN_ROUND_HALF_TO_BASE] = "half_to_base",
    [KN_ROUND_UP] = "up",
    [KN_ROUND_DOWN] = "down",
};
static const char *const qualify_names[] = {
    [KN_QUALIFY_ALL] = "all",
    [KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE] = "most_negative_all_positive",
    [KN_QUALIFY_MOST_POSITIVE] = "most_positive",
    [KN_QUALIFY_GREATEST_ABSOLUTE] = "greatest_absolute",
    [KN_QUALIFY_ONE_PER_GROUP] = "one_per_group",
    [KN_QUALIFY_CUSTOM] = "custom",
};
static const char *const sync_names[] = {
    [KN_SYNC_ALL] = "all",
    [KN_SYNC_OWNER] = "owner",
    [KN_SYNC_NONE] = "none",
};
static const char *const curve_kind_names[] = {
    [KN_CURVE_STEP] = "step",
    [KN_CURVE_LINEAR] = "linear",
};
const char *const kni_trigger_words[] = {
    [KN_TRIGGER_EVENT] = "event",
    [KN_TRIGGER_TAG_ADDED] = "tag_added",
    [KN_TRIGGER_TAG_REMOVED] = "tag_removed",
    [KN_TRIGGER_ATTRIBUTE_CHANGED] = "attribute_changed",
    [KN_TRIGGER_EFFECT_APPLIED] = "effect_applied",
    [KN_TRIGGER_EFFECT_REMOVED] = "effect_removed",
    [KN_TRIGGER_EFFECT_STACKS] = "effect_stacks",
    [KN_TRIGGER_ABILITY_ACTIVATED] = "ability_activated",
    [KN_TRIGGER_ABILITY_COMMITTED] = "ability_committed",
    [KN_TRIGGER_ABILITY_ENDED] = "ability_ended",
    [KN_TRIGGER_OVERLAP] = "overlap",
    [KN_TRIGGER_MOVEMENT] = "movement",
    [KN_TRIGGER_ENTITY_CREATED] = "entity_created",
    [KN_TRIGGER_ENTITY_DESTROYED] = "entity_destroyed",
    [KN_TRIGGER_OWNER_CHANGED] = "owner_changed",
    [KN_TRIGGER_PARENT_CHANGED] = "parent_changed",
    [KN_TRIGGER_EFFECT_EXECUTED] = "effect_executed",
    [KN_TRIGGER_EFFECT_INHIBITED] = "effect_inhibited",
    [KN_TRIGGER_ABILITY_FAILED] = "ability_failed",
    [KN_TRIGGER_EFFECT_REAPPLIED] = "effect_reapplied",
    [KN_TRIGGER_ABILITY_GRANTED] = "ability_granted",
    [KN_TRIGGER_ABILITY_REMOVED] = "ability_removed",
    [KN_TRIGGER_SET_ADDED] = "set_added",
    [KN_TRIGGER_SET_REMOVED] = "set_removed",
    [KN_TRIGGER_CHARGES] = "charges",
    [KN_TRIGGER_CONNECTION_CHANGED] = "connection_changed",
};
static const char *const watch_kind_names[] = {
    [KN_WATCH_TRIGGER] = "trigger",
    [KN_WATCH_QUERY] = "query",
    [KN_WATCH_THRESHOLD] = "threshold",
};
static const char *const watch_edge_names[] = {
    [KN_WATCH_BECOMES_TRUE] = "becomes_true",
    [KN_WATCH_BECOMES_FALSE] = "becomes_false",
    [KN_WATCH_CHANGES] = "changes",
};
static const char *const container_target_names[] = {
    [KN_CONTAINER_SOURCE] = "source",
    [KN_CONTAINER_GIVEN] = "given",
    [KN_CONTAINER_CUSTOM] = "custom",
    [KN_CONTAINER_TARGETING] = "targeting",
    [KN_CONTAINER_DATA] = "data",
};
static const char *const field_kind_names[] = {
    [0] = "none",
    [KN_FIELD_U8] = "u8",
    [KN_FIELD_BOOL] = "bool",
    [KN_FIELD_U16] = "u16",
    [KN_FIELD_U32] = "u32",
    [KN_FIELD_I32] = "i32",
    [KN_FIELD_F32] = "f32",
    [KN_FIELD_U64] = "u64",
    [KN_FIELD_I64] = "i64",
    [KN_FIELD_TIME] = "time",
    [KN_FIELD_ENTITY] = "entity",
    [KN_FIELD_EFFECT] = "effect",
    [KN_FIELD_TAG] = "tag",
    [KN_FIELD_ATTRIBUTE] = "attribute",
    [KN_FIELD_VEC3] = "vec3",
    [KN_FIELD_CURVE] = "curve",
    [KN_FIELD_ABILITY] = "ability",
    [KN_FIELD_ACTIVATION] = "activation",
    [KN_FIELD_TASK] = "task",
    [KN_FIELD_TIMER] = "timer",
    [KN_FIELD_SPEC] = "spec",
    [KN_FIELD_REF] = "ref",
    [KN_FIELD_ENUM] = "enum",
};
static const char *const trigger_source_names[] = {
    [KN_TRIGGER_SOURCE_EVENT] = "event",
    [KN_TRIGGER_SOURCE_TAG_ADDED] = "tag_added",
    [KN_TRIGGER_SOURCE_TAG_REMOVED] = "tag_removed",
    [KN_TRIGGER_SOURCE_TAG_PRESENT] = "tag_present",
};
static const char *const commit_names[] = {
    [KN_COMMIT_EXPLICIT] = "explicit",
    [KN_COMMIT_AT_USE] = "at_use",
};
static const char *const instancing_names[] = {
    [KN_INSTANCING_PER_ACTOR] = "per_actor",
    [KN_INSTANCING_PER_EXECUTION] = "per_execution",
    [KN_INSTANCING_NONE] = "non_instanced",
};
static const char *const net_execution_names[] = {
    [KN_NET_EXECUTION_LOCAL_PREDICTED] = "local_predicted",
    [KN_NET_EXECUTION_LOCAL_ONLY] = "local_only",
    [KN_NET_EXECUTION_SERVER_ONLY] = "server_only",
    [KN_NET_EXECUTION_SERVER_INITIATED] = "server_initiated",
};
static const char *const net_security_names[] = {
    [KN_NET_SECURITY_CLIENT_OR_SERVER] = "client_or_server",
    [KN_NET_SECURITY_SERVER_ONLY_EXECUTION] = "server_only_execution",
    [KN_NET_SECURITY_SERVER_ONLY_TERMINATION] = "server_only_termination",
    [KN_NET_SECURITY_SERVER_ONLY_ALL] = "server_only_all",
};
static const char *const body_names[] = {
    [KN_BODY_NONE] = "none",
    [KN_BODY_USE] = "use",
    [KN_BODY_TIMED] = "timed",
    [KN_BODY_HELD] = "held",
    [KN_BODY_EFFECTS] = "effects",
    [KN_BODY_STAY] = "stay",
};
static const char *const cooldown_start_names[] = {
    [KN_COOLDOWN_AT_COMMIT] = "at_commit",
    [KN_COOLDOWN_AT_ACTIVATION] = "at_activation",
};
static const char *const apply_to_names[] = {
    [KN_APPLY_TO_OWNER] = "owner",
    [KN_APPLY_TO_TARGET] = "target",
    [KN_APPLY_TO_INSTIGATOR] = "instigator",
    [KN_APPLY_TO_TARGETING] = "targeting",
};
static const char *const level_up_names[] = {
    [KN_LEVEL_UP_RAISE] = "raise",
    [KN_LEVEL_UP_REGRANT] = "regrant",
};
static const char *const cue_phase_names[] = {
    [KN_CUE_ADDED] = "added",
    [KN_CUE_EXECUTED] = "executed",
    [KN_CUE_UPDATED] = "updated",
};
const char *const kni_confirm_words[] = {
    [KN_CONFIRM_INSTANT] = "instant",
    [KN_CONFIRM_USER] = "user",
    [KN_CONFIRM_CUSTOM] = "custom",
    [KN_CONFIRM_CUSTOM_MULTI] = "custom_multi",
};
static const char *const shape_names[] = {
    [KN_SHAPE_SELF] = "self",
    [KN_SHAPE_RAY] = "ray",
    [KN_SHAPE_POINT] = "point",
    [KN_SHAPE_SPHERE] = "sphere",
    [KN_SHAPE_CONE] = "cone",
    [KN_SHAPE_NEAREST] = "nearest",
    [KN_SHAPE_EVENT] = "event",
    [KN_SHAPE_CUSTOM] = "custom",
};

// Checks that each value of an enum with a count has a name.
#define COMPLETE(names, count) _Static_assert(sizeof(names) / sizeof(*(names)) == (count), #names)
COMPLETE(magnitude_kind_names, KN_MAGNITUDE_KIND_COUNT);
COMPLETE(kni_op_words, KN_OP_COUNT);
COMPLETE(child_when_names, KN_CHILD_WHEN_COUNT);
COMPLETE(raise_when_names, KN_RAISE_WHEN_COUNT);
COMPLETE(follow_names, KN_GRANT_FOLLOW_COUNT);
COMPLETE(trigger_source_names, KN_TRIGGER_SOURCE_COUNT);
COMPLETE(kni_trigger_words, KN_TRIGGER_COUNT);
COMPLETE(watch_kind_names, KN_WATCH_KIND_COUNT);
COMPLETE(watch_edge_names, KN_WATCH_EDGE_COUNT);
COMPLETE(body_names, KN_BODY_COUNT);
COMPLETE(cooldown_start_names, KN_COOLDOWN_START_COUNT);
COMPLETE(apply_to_names, KN_APPLY_TO_COUNT);
COMPLETE(net_execution_names, KN_NET_EXECUTION_COUNT);
COMPLETE(net_security_names, KN_NET_SECURITY_COUNT);
COMPLETE(shape_names, KN_SHAPE_COUNT);

// Functions that write defaults, for use in the tables.

#define INIT(type)                                                                                 \
    static void type##_init(void *def)                                                             \
    {                                                                                              \
        *(type *)def = type##_default();                                                           \
    }
INIT(kn_modifier_def)
INIT(kn_attribute_condition)
INIT(kn_grant_def)
INIT(kn_child_def)
INIT(kn_raise_def)
INIT(kn_effect_def)
INIT(kn_attribute_def)
INIT(kn_attribute_set_def)
INIT(kn_curve_def)
INIT(kn_value_def)
INIT(kn_event_kind_def)
INIT(kn_rule_def)
INIT(kn_system_def)
INIT(kn_system_group_def)
INIT(kn_ticker_def)
INIT(kn_effect_query)
INIT(kn_watch_def)
INIT(kn_calculation_def)
INIT(kn_execution_def)
INIT(kn_effect_logic_def)
INIT(kn_container_def)
INIT(kn_component_def)
INIT(kn_cooldown_def)
INIT(kn_ability_def)
INIT(kn_ability_set_def)
INIT(kn_task_type_def)
INIT(kn_animation_def)
INIT(kn_target_type_def)
INIT(kn_targeting_def)
INIT(kn_archetype_def)
INIT(kn_command_def)
INIT(kn_fail_def)
INIT(kn_end_reason_def)
INIT(kn_check_def)
INIT(kn_custom_event_def)

// Parts that several defs share.

static const kn_def_field requirement_fields[] = {
    F(kn_tag_requirement, required, KN_DEF_FIELD_TAGS),
    F(kn_tag_requirement, ignored, KN_DEF_FIELD_TAGS),
    F(kn_tag_requirement, query, KN_DEF_FIELD_QUERY),
};
KNI_TABLE(kni_requirement_table, kn_tag_requirement, requirement_fields);

static const kn_def_field scalable_fields[] = {
    F(kn_scalable, value, KN_FIELD_F32),
    F_REF(kn_scalable, curve, KN_DEF_CURVE),
    F_REF(kn_scalable, parameter, KN_DEF_NAME),
};
static KNI_TABLE(scalable_table, kn_scalable, scalable_fields);

static const kn_def_field capture_fields[] = {
    F_REF(kn_capture, attribute, KN_DEF_ATTRIBUTE),
    F(kn_capture, key, KN_FIELD_U32),
    F_ENUM(kn_capture, from, kni_capture_from_words),
    F_ENUM(kn_capture, value, capture_value_names),
    F(kn_capture, channel, KN_FIELD_U8),
    F(kn_capture, snapshot, KN_FIELD_BOOL),
    F(kn_capture, has_default, KN_FIELD_BOOL),
    F(kn_capture, default_value, KN_FIELD_F32),
    F(kn_capture, source_filter, KN_DEF_FIELD_TAGS),
    F(kn_capture, target_filter, KN_DEF_FIELD_TAGS),
};
static KNI_TABLE(capture_table, kn_capture, capture_fields);

static const kn_def_field magnitude_fields[] = {
    F_ENUM(kn_magnitude, kind, magnitude_kind_names),
    F_STRUCT(kn_magnitude, scale, &scalable_table),
    F_STRUCT(kn_magnitude, pre_add, &scalable_table),
    F_STRUCT(kn_magnitude, post_add, &scalable_table),
    F_STRUCT(kn_magnitude, capture, &capture_table),
    F_REF(kn_magnitude, calculation, KN_DEF_CALCULATION),
    F_REF(kn_magnitude, caller_tag, KN_DEF_TAG),
    F(kn_magnitude, has_default, KN_FIELD_BOOL),
    F(kn_magnitude, default_value, KN_FIELD_F32),
    F_REF(kn_magnitude, final_curve, KN_DEF_CURVE),
};
static KNI_TABLE(magnitude_table, kn_magnitude, magnitude_fields);

static const kn_def_field modifier_fields[] = {
    F_REF(kn_modifier_def, attribute, KN_DEF_ATTRIBUTE),
    F(kn_modifier_def, key, KN_FIELD_U32),
    F_REF(kn_modifier_def, value, KN_DEF_VALUE),
    F_ENUM(kn_modifier_def, op, kni_op_words),
    F(kn_modifier_def, channel, KN_FIELD_U8),
    F_STRUCT(kn_modifier_def, magnitude, &magnitude_table),
    F_ENUM(kn_modifier_def, scaling, scaling_names),
    F_REF(kn_modifier_def, stack_curve, KN_DEF_CURVE),
    F_STRUCT(kn_modifier_def, source, &kni_requirement_table),
    F_STRUCT(kn_modifier_def, target, &kni_requirement_table),
    F_STRUCT(kn_modifier_def, event, &kni_requirement_table),
    F_ENUM(kn_modifier_def, when, when_names),
    F_REF(kn_modifier_def, condition, KN_DEF_CONDITION),
    F_REF(kn_modifier_def, group, KN_DEF_TAG),
    F_ENUM(kn_modifier_def, group_rule, group_rule_names),
    F(kn_modifier_def, has_limit_min, KN_FIELD_BOOL),
    F(kn_modifier_def, has_limit_max, KN_FIELD_BOOL),
    F(kn_modifier_def, limit_min, KN_FIELD_F32),
    F(kn_modifier_def, limit_max, KN_FIELD_F32),
    F(kn_modifier_def, priority, KN_FIELD_I32),
    F(kn_modifier_def, tags, KN_DEF_FIELD_TAGS),
};
static KNI_TABLE_INIT(modifier_table, kn_modifier_def, modifier_fields, kn_modifier_def_init);

static const kn_def_field stacking_fields[] = {
    F_ENUM(kn_stacking, kind, stacking_names),
    F(kn_stacking, key_level, KN_FIELD_BOOL),
    F(kn_stacking, key_object, KN_FIELD_BOOL),
    F_ENUM(kn_stacking, on_lower_level, stack_rule_names),
    F_ENUM(kn_stacking, on_equal_level, stack_rule_names),
    F_ENUM(kn_stacking, on_higher_level, stack_rule_names),
    F_ENUM(kn_stacking, on_same_source, stack_rule_names),
    F_ENUM(kn_stacking, on_other_source, stack_rule_names),
    F_STRUCT(kn_stacking, limit, &scalable_table),
    F_STRUCT(kn_stacking, limit_per_source, &scalable_table),
    F_STRUCT(kn_stacking, initial, &scalable_table),
    F_STRUCT(kn_stacking, per_application, &scalable_table),
    F_ENUM(kn_stacking, refresh, refresh_names),
    F_STRUCT(kn_stacking, pandemic, &scalable_table),
    F_ENUM(kn_stacking, period_reset, period_reset_names),
    F_ENUM(kn_stacking, expiration, expiration_names),
    F_ENUM(kn_stacking, merge, merge_names),
    F(kn_stacking, deny_overflow, KN_FIELD_BOOL),
    F(kn_stacking, clear_on_overflow, KN_FIELD_BOOL),
    F(kn_stacking, tick_on_stack, KN_FIELD_BOOL),
    F(kn_stacking, own_timers, KN_FIELD_BOOL),
    F_ENUM(kn_stacking, at_cap, stack_cap_names),
    F(kn_stacking, common_timer, KN_FIELD_BOOL),
    F_STRUCT(kn_stacking, common_duration, &scalable_table),
};
static KNI_TABLE(stacking_table, kn_stacking, stacking_fields);

static const kn_def_field attribute_condition_fields[] = {
    F_ENUM(kn_attribute_condition, from, kni_capture_from_words),
    F_REF(kn_attribute_condition, attribute, KN_DEF_ATTRIBUTE),
    F(kn_attribute_condition, key, KN_FIELD_U32),
    F(kn_attribute_condition, has_min, KN_FIELD_BOOL),
    F(kn_attribute_condition, has_max, KN_FIELD_BOOL),
    F(kn_attribute_condition, has_above, KN_FIELD_BOOL),
    F(kn_attribute_condition, has_below, KN_FIELD_BOOL),
    F(kn_attribute_condition, min, KN_FIELD_F32),
    F(kn_attribute_condition, max, KN_FIELD_F32),
    F(kn_attribute_condition, above, KN_FIELD_F32),
    F(kn_attribute_condition, below, KN_FIELD_F32),
    F_REF(kn_attribute_condition, relative_to, KN_DEF_ATTRIBUTE),
    F(kn_attribute_condition, group, KN_FIELD_U32),
};
static KNI_TABLE_INIT(attribute_condition_table, kn_attribute_condition, attribute_condition_fields,
    kn_attribute_condition_init);

static const kn_def_field conditions_fields[] = {
    F_STRUCT(kn_conditions, target, &kni_requirement_table),
    F_STRUCT(kn_conditions, source, &kni_requirement_table),
    F_ARRAY(kn_conditions, attributes, attribute_count, &attribute_condition_table),
};
static KNI_TABLE(conditions_table, kn_conditions, conditions_fields);

static const kn_def_field gate_fields[] = {
    F_REF(kn_gate_def, kind, KN_DEF_EVENT_KIND),
    F(kn_gate_def, as_instigator, KN_FIELD_BOOL),
    F(kn_gate_def, source_any, KN_DEF_FIELD_TAGS),
    F_STRUCT(kn_gate_def, source, &kni_requirement_table),
    F_STRUCT(kn_gate_def, record, &kni_requirement_table),
    F_REFS(kn_gate_def, types, type_count, KN_DEF_EFFECT),
    F_REF(kn_gate_def, modifies, KN_DEF_ATTRIBUTE),
    F_REF(kn_gate_def, condition, KN_DEF_CONDITION),
    F(kn_gate_def, parts, KN_DEF_FIELD_TAGS),
    F(kn_gate_def, reason, KN_DEF_FIELD_STRING),
};
static KNI_TABLE(gate_table, kn_gate_def, gate_fields);

static const kn_def_field child_fields[] = {
    F_REF(kn_child_def, type, KN_DEF_EFFECT),
    F(kn_child_def, type_name, KN_DEF_FIELD_STRING),
    F_ENUM(kn_child_def, when, child_when_names),
    F(kn_child_def, count, KN_FIELD_U32),
    F(kn_child_def, every, KN_FIELD_BOOL),
    F_ENUM(kn_child_def, to, recipient_names),
    F(kn_child_def, stacks, KN_FIELD_U32),
    F(kn_child_def, remove_with_parent, KN_FIELD_BOOL),
    F(kn_child_def, inherit_level, KN_FIELD_BOOL),
    F(kn_child_def, inherit_source, KN_FIELD_BOOL),
    F(kn_child_def, copy_caller_values, KN_FIELD_BOOL),
    F_STRUCT(kn_child_def, source, &kni_requirement_table),
};
static KNI_TABLE_INIT(child_table, kn_child_def, child_fields, kn_child_def_init);

static const kn_def_field raise_fields[] = {
    F_ENUM(kn_raise_def, when, raise_when_names),
    F_REF(kn_raise_def, tag, KN_DEF_TAG),
    F_ENUM(kn_raise_def, to, recipient_names),
    F_STRUCT(kn_raise_def, magnitude, &magnitude_table),
};
static KNI_TABLE_INIT(raise_table, kn_raise_def, raise_fields, kn_raise_def_init);

static const kn_def_field calculation_modifier_fields[] = {
    F(kn_calculation_modifier, capture, KN_FIELD_U32),
    F_REF(kn_calculation_modifier, transient, KN_DEF_TAG),
    F_ENUM(kn_calculation_modifier, op, kni_op_words),
    F_STRUCT(kn_calculation_modifier, magnitude, &scalable_table),
};
static KNI_TABLE(calculation_modifier_table, kn_calculation_modifier, calculation_modifier_fields);

static const kn_def_field execution_use_fields[] = {
    F_REF(kn_execution_use, execution, KN_DEF_EXECUTION),
    F_ARRAY(kn_execution_use, modifiers, modifier_count, &calculation_modifier_table),
    F(kn_execution_use, tags, KN_DEF_FIELD_TAGS),
};
static KNI_TABLE(execution_use_table, kn_execution_use, execution_use_fields);

static const kn_def_field parameter_fields[] = {
    F_REF(kn_parameter_def, name, KN_DEF_NAME),
    F(kn_parameter_def, value, KN_FIELD_F32),
    F(kn_parameter_def, required, KN_FIELD_BOOL),
};
static KNI_TABLE(parameter_table, kn_parameter_def, parameter_fields);

static const kn_def_field named_value_fields[] = {
    F_REF(kn_named_value, name, KN_DEF_NAME),
    F(kn_named_value, value, KN_FIELD_F32),
};
KNI_TABLE(kni_named_value_table, kn_named_value, named_value_fields);

static const kn_def_field grant_fields[] = {
    F_REF(kn_grant_def, ability, KN_DEF_NAME),
    F_STRUCT(kn_grant_def, level, &scalable_table),
    F(kn_grant_def, input, KN_FIELD_I32),
    F_ENUM(kn_grant_def, removal, grant_removal_names),
    F_ENUM(kn_grant_def, follow_inhibition, follow_names),
    F_ARRAY(kn_grant_def, parameters, parameter_count, &kni_named_value_table),
};
static KNI_TABLE_INIT(grant_table, kn_grant_def, grant_fields, kn_grant_def_init);

static const kn_def_field cancel_fields[] = {
    F(kn_cancel_def, with, KN_DEF_FIELD_TAGS),
    F(kn_cancel_def, without, KN_DEF_FIELD_TAGS),
    F(kn_cancel_def, on_tick, KN_FIELD_BOOL),
};
static KNI_TABLE(cancel_table, kn_cancel_def, cancel_fields);

static const kn_def_field tag_edit_fields[] = {
    F_ENUM(kn_tag_edit, kind, tag_edit_names),
    F_REF(kn_tag_edit, tag, KN_DEF_TAG),
    F_REF(kn_tag_edit, with, KN_DEF_TAG),
};
static KNI_TABLE(tag_edit_table, kn_tag_edit, tag_edit_fields);

static const kn_def_field effect_fields[] = {
    F(kn_effect_def, name, KN_DEF_FIELD_STRING),
    F(kn_effect_def, parent, KN_DEF_FIELD_STRING),
    F_ENUM(kn_effect_def, duration_kind, duration_kind_names),
    F_STRUCT(kn_effect_def, duration, &magnitude_table),
    F_ENUM(kn_effect_def, live_duration, live_time_names),
    F_REF(kn_effect_def, duration_value, KN_DEF_VALUE),
    F(kn_effect_def, is_periodic, KN_FIELD_BOOL),
    F_STRUCT(kn_effect_def, period, &magnitude_table),
    F_ENUM(kn_effect_def, live_period, live_time_names),
    F(kn_effect_def, skip_first_tick, KN_FIELD_BOOL),
    F(kn_effect_def, partial_last_tick, KN_FIELD_BOOL),
    F_ENUM(kn_effect_def, inhibit_period, inhibit_period_names),
    F(kn_effect_def, has_haste, KN_FIELD_BOOL),
    F_STRUCT(kn_effect_def, haste, &magnitude_table),
    F_ARRAY(kn_effect_def, modifiers, modifier_count, &modifier_table),
    F_ARRAY(kn_effect_def, executions, execution_count, &execution_use_table),
    F_ARRAY(kn_effect_def, parameters, parameter_count, &parameter_table),
    F(kn_effect_def, asset_tags, KN_DEF_FIELD_TAGS),
    F(kn_effect_def, granted_tags, KN_DEF_FIELD_TAGS),
    F_ARRAY(kn_effect_def, tag_edits, tag_edit_count, &tag_edit_table),
    F(kn_effect_def, blocked_ability_tags, KN_DEF_FIELD_TAGS),
    F(kn_effect_def, cue_tags, KN_DEF_FIELD_TAGS),
    F_REF(kn_effect_def, cue_attribute, KN_DEF_ATTRIBUTE),
    F(kn_effect_def, cue_min, KN_FIELD_F32),
    F(kn_effect_def, cue_max, KN_FIELD_F32),
    F(kn_effect_def, no_cue_on_stack, KN_FIELD_BOOL),
    F_FLAGS(kn_effect_def, cue_needs_success, cue_phase_names),
    F_STRUCT(kn_effect_def, application, &conditions_table),
    F_STRUCT(kn_effect_def, ongoing, &conditions_table),
    F_STRUCT(kn_effect_def, removal, &conditions_table),
    F_STRUCT(kn_effect_def, chance, &magnitude_table),
    F_REF(kn_effect_def, requirement, KN_DEF_REQUIREMENT),
    F_STRUCT(kn_effect_def, stacking, &stacking_table),
    F_REF(kn_effect_def, exclusive_group, KN_DEF_TAG),
    F_ENUM(kn_effect_def, exclusive_rule, exclusive_rule_names),
    F_ARRAY(kn_effect_def, gates, gate_count, &gate_table),
    F(kn_effect_def, remove_effects_with, KN_DEF_FIELD_TAGS),
    F_ARRAY(kn_effect_def, cancels, cancel_count, &cancel_table),
    F_ARRAY(kn_effect_def, children, child_count, &child_table),
    F_ARRAY(kn_effect_def, raises, raise_count, &raise_table),
    F_ARRAY(kn_effect_def, grants, grant_count, &grant_table),
    F(kn_effect_def, ends_with_source, KN_FIELD_BOOL),
    F(kn_effect_def, keeps_tally, KN_FIELD_BOOL),
    F(kn_effect_def, acts_on_owned, KN_FIELD_BOOL),
    F_STRUCT(kn_effect_def, owned, &kni_requirement_table),
    F_REF(kn_effect_def, logic, KN_DEF_EFFECT_LOGIC),
    F(kn_effect_def, predict, KN_FIELD_BOOL),
    F(kn_effect_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_effect_def_table, kn_effect_def, effect_fields, kn_effect_def_init);

static const kn_def_field profile_fields[] = {
    F(kn_value_profile, multiply_compound, KN_FIELD_BOOL),
    F(kn_value_profile, divide_compound, KN_FIELD_BOOL),
    F(kn_value_profile, allow_divide, KN_FIELD_BOOL),
    F(kn_value_profile, allow_override, KN_FIELD_BOOL),
    F(kn_value_profile, allow_final, KN_FIELD_BOOL),
    F(kn_value_profile, scale_with_stacks, KN_FIELD_BOOL),
    F(kn_value_profile, clamp_factors, KN_FIELD_BOOL),
    F(kn_value_profile, clamp_sum, KN_FIELD_BOOL),
    F(kn_value_profile, clamp_product, KN_FIELD_BOOL),
};
static KNI_TABLE(profile_table, kn_value_profile, profile_fields);

static const kn_def_field limit_fields[] = {
    F(kn_limit, is_set, KN_FIELD_BOOL),
    F(kn_limit, value, KN_FIELD_F32),
    F(kn_limit, attribute, KN_DEF_FIELD_STRING),
};
static KNI_TABLE(limit_table, kn_limit, limit_fields);

static const kn_def_field wire_fields[] = {
    F(kn_wire, min, KN_FIELD_F32),
    F(kn_wire, max, KN_FIELD_F32),
    F(kn_wire, step, KN_FIELD_F32),
    F(kn_wire, group, KN_FIELD_U32),
};
static KNI_TABLE(wire_table, kn_wire, wire_fields);

static const kn_def_field attribute_fields[] = {
    F(kn_attribute_def, name, KN_DEF_FIELD_STRING),
    F(kn_attribute_def, default_value, KN_FIELD_F32),
    F(kn_attribute_def, has_random, KN_FIELD_BOOL),
    F(kn_attribute_def, random_min, KN_FIELD_F32),
    F(kn_attribute_def, random_max, KN_FIELD_F32),
    F_STRUCT(kn_attribute_def, base_min, &limit_table),
    F_STRUCT(kn_attribute_def, base_max, &limit_table),
    F_STRUCT(kn_attribute_def, min, &limit_table),
    F_STRUCT(kn_attribute_def, max, &limit_table),
    F_ENUM(kn_attribute_def, link, link_names),
    F_STRUCT(kn_attribute_def, profile, &profile_table),
    F_ENUM(kn_attribute_def, rounding, rounding_names),
    F(kn_attribute_def, minimum_one, KN_FIELD_BOOL),
    F_ENUM(kn_attribute_def, qualify, qualify_names),
    F_REF(kn_attribute_def, policy, KN_DEF_POLICY),
    F_ENUM(kn_attribute_def, sync, sync_names),
    F_STRUCT(kn_attribute_def, wire, &wire_table),
    F(kn_attribute_def, is_meta, KN_FIELD_BOOL),
    F(kn_attribute_def, event_kind, KN_DEF_FIELD_STRING),
    F(kn_attribute_def, is_static, KN_FIELD_BOOL),
    F(kn_attribute_def, no_modifiers, KN_FIELD_BOOL),
    F(kn_attribute_def, is_hidden, KN_FIELD_BOOL),
    F(kn_attribute_def, decimals, KN_FIELD_U8),
    F(kn_attribute_def, display_name, KN_DEF_FIELD_STRING),
    F(kn_attribute_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_attribute_def_table, kn_attribute_def, attribute_fields, kn_attribute_def_init);

static const kn_def_field hooks_fields[] = {
    F(kn_attribute_hooks, user, KN_DEF_FIELD_POINTER),
    F(kn_attribute_hooks, pre_execute, KN_DEF_FIELD_POINTER),
    F(kn_attribute_hooks, pre_base_change, KN_DEF_FIELD_POINTER),
    F(kn_attribute_hooks, post_base_change, KN_DEF_FIELD_POINTER),
    F(kn_attribute_hooks, pre_change, KN_DEF_FIELD_POINTER),
    F(kn_attribute_hooks, post_change, KN_DEF_FIELD_POINTER),
    F(kn_attribute_hooks, post_execute, KN_DEF_FIELD_POINTER),
};
static KNI_TABLE(hooks_table, kn_attribute_hooks, hooks_fields);

static const kn_def_field attribute_set_fields[] = {
    F(kn_attribute_set_def, name, KN_DEF_FIELD_STRING),
    F_REF(kn_attribute_set_def, parent, KN_DEF_ATTRIBUTE_SET),
    F_ARRAY(kn_attribute_set_def, attributes, attribute_count, &kni_attribute_def_table),
    F_STRUCT(kn_attribute_set_def, hooks, &hooks_table),
    F(kn_attribute_set_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_attribute_set_def_table, kn_attribute_set_def, attribute_set_fields,
    kn_attribute_set_def_init);

static const kn_def_field curve_point_fields[] = {
    F(kn_curve_point, x, KN_FIELD_F32),
    F(kn_curve_point, y, KN_FIELD_F32),
};
static KNI_TABLE(curve_point_table, kn_curve_point, curve_point_fields);

static const kn_def_field curve_fields[] = {
    F(kn_curve_def, name, KN_DEF_FIELD_STRING),
    F_ENUM(kn_curve_def, kind, curve_kind_names),
    F_ARRAY(kn_curve_def, points, point_count, &curve_point_table),
    F(kn_curve_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_curve_def_table, kn_curve_def, curve_fields, kn_curve_def_init);

static const kn_def_field value_fields[] = {
    F(kn_value_def, name, KN_DEF_FIELD_STRING),
    F_STRUCT(kn_value_def, profile, &profile_table),
    F(kn_value_def, has_min, KN_FIELD_BOOL),
    F(kn_value_def, has_max, KN_FIELD_BOOL),
    F(kn_value_def, min, KN_FIELD_F32),
    F(kn_value_def, max, KN_FIELD_F32),
    F_ENUM(kn_value_def, rounding, rounding_names),
    F(kn_value_def, minimum_one, KN_FIELD_BOOL),
    F(kn_value_def, context_free, KN_FIELD_BOOL),
    F_REF(kn_value_def, factor, KN_DEF_ATTRIBUTE),
    F(kn_value_def, adjust, KN_DEF_FIELD_POINTER),
    F(kn_value_def, user, KN_DEF_FIELD_POINTER),
    F(kn_value_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_value_def_table, kn_value_def, value_fields, kn_value_def_init);

static const kn_def_field event_kind_fields[] = {
    F(kn_event_kind_def, name, KN_DEF_FIELD_STRING),
    F_REF(kn_event_kind_def, tag, KN_DEF_TAG),
    F_REF(kn_event_kind_def, outgoing, KN_DEF_VALUE),
    F_REF(kn_event_kind_def, incoming, KN_DEF_VALUE),
    F(kn_event_kind_def, restrictable, KN_FIELD_BOOL),
    F(kn_event_kind_def, gate_sees_final, KN_FIELD_BOOL),
    F(kn_event_kind_def, apply, KN_DEF_FIELD_POINTER),
    F(kn_event_kind_def, user, KN_DEF_FIELD_POINTER),
    F(kn_event_kind_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(
    kni_event_kind_def_table, kn_event_kind_def, event_kind_fields, kn_event_kind_def_init);

static const kn_def_field rule_fields[] = {
    F(kn_rule_def, name, KN_DEF_FIELD_STRING),
    F_ENUM(kn_rule_def, trigger, kni_trigger_words),
    F_REF(kn_rule_def, tag, KN_DEF_TAG),
    F_REF(kn_rule_def, attribute, KN_DEF_ATTRIBUTE),
    F_REF(kn_rule_def, effect_type, KN_DEF_EFFECT),
    F(kn_rule_def, priority, KN_FIELD_I32),
    F(kn_rule_def, function, KN_DEF_FIELD_POINTER),
    F(kn_rule_def, wants, KN_DEF_FIELD_POINTER),
    F(kn_rule_def, user, KN_DEF_FIELD_POINTER),
    F(kn_rule_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_rule_def_table, kn_rule_def, rule_fields, kn_rule_def_init);

static const kn_def_field system_fields[] = {
    F(kn_system_def, name, KN_DEF_FIELD_STRING),
    F(kn_system_def, rate, KN_FIELD_U32),
    F(kn_system_def, period, KN_FIELD_TIME),
    F(kn_system_def, group, KN_FIELD_I32),
    F(kn_system_def, group_name, KN_DEF_FIELD_STRING),
    F(kn_system_def, order, KN_FIELD_I32),
    F(kn_system_def, enabled, KN_FIELD_BOOL),
    F(kn_system_def, function, KN_DEF_FIELD_POINTER),
    F(kn_system_def, user, KN_DEF_FIELD_POINTER),
    F(kn_system_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_system_def_table, kn_system_def, system_fields, kn_system_def_init);

static const kn_def_field system_group_fields[] = {
    F(kn_system_group_def, name, KN_DEF_FIELD_STRING),
    F(kn_system_group_def, number, KN_FIELD_I32),
    F(kn_system_group_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(
    kni_system_group_def_table, kn_system_group_def, system_group_fields, kn_system_group_def_init);

static const kn_def_field calculation_fields[] = {
    F(kn_calculation_def, name, KN_DEF_FIELD_STRING),
    F_ARRAY(kn_calculation_def, captures, capture_count, &capture_table),
    F(kn_calculation_def, function, KN_DEF_FIELD_POINTER),
    F(kn_calculation_def, user, KN_DEF_FIELD_POINTER),
    F(kn_calculation_def, expression, KN_DEF_FIELD_STRING),
    F(kn_calculation_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(
    kni_calculation_def_table, kn_calculation_def, calculation_fields, kn_calculation_def_init);

static const kn_def_field execution_fields[] = {
    F(kn_execution_def, name, KN_DEF_FIELD_STRING),
    F_ARRAY(kn_execution_def, captures, capture_count, &capture_table),
    F(kn_execution_def, transients, KN_DEF_FIELD_TAGS),
    F(kn_execution_def, predict, KN_FIELD_BOOL),
    F(kn_execution_def, function, KN_DEF_FIELD_POINTER),
    F(kn_execution_def, user, KN_DEF_FIELD_POINTER),
    F(kn_execution_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_execution_def_table, kn_execution_def, execution_fields, kn_execution_def_init);

static const kn_def_field public_field_fields[] = {
    F(kn_field, name, KN_DEF_FIELD_STRING),
    F_ENUM(kn_field, kind, field_kind_names),
    F(kn_field, offset, KN_FIELD_U32),
    F(kn_field, count, KN_FIELD_U32),
    F(kn_field, refers_to, KN_DEF_FIELD_STRING),
    F(kn_field, words, KN_DEF_FIELD_STRING),
    F_ENUM(kn_field, sync, sync_names),
    F_STRUCT(kn_field, wire, &wire_table),
};
static KNI_TABLE(public_field_table, kn_field, public_field_fields);

static const kn_def_field logic_fields[] = {
    F(kn_effect_logic_def, name, KN_DEF_FIELD_STRING),
    F(kn_effect_logic_def, state_size, KN_FIELD_U32),
    F_ARRAY(kn_effect_logic_def, state_fields, state_field_count, &public_field_table),
    F(kn_effect_logic_def, applied, KN_DEF_FIELD_POINTER),
    F(kn_effect_logic_def, ticked, KN_DEF_FIELD_POINTER),
    F(kn_effect_logic_def, stacks_changed, KN_DEF_FIELD_POINTER),
    F(kn_effect_logic_def, inhibited, KN_DEF_FIELD_POINTER),
    F(kn_effect_logic_def, removed, KN_DEF_FIELD_POINTER),
    F(kn_effect_logic_def, reapplied, KN_DEF_FIELD_POINTER),
    F(kn_effect_logic_def, executed, KN_DEF_FIELD_POINTER),
    F(kn_effect_logic_def, user, KN_DEF_FIELD_POINTER),
    F(kn_effect_logic_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_logic_def_table, kn_effect_logic_def, logic_fields, kn_effect_logic_def_init);

static const kn_def_field container_fields[] = {
    F(kn_container_def, name, KN_DEF_FIELD_STRING),
    F_REF(kn_container_def, tag, KN_DEF_TAG),
    F_ENUM(kn_container_def, target, container_target_names),
    F(kn_container_def, targeting, KN_DEF_FIELD_POINTER),
    F(kn_container_def, user, KN_DEF_FIELD_POINTER),
    F_REF(kn_container_def, targeting_type, KN_DEF_TARGETING),
    F_REFS(kn_container_def, effects, effect_count, KN_DEF_EFFECT),
    F(kn_container_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_container_def_table, kn_container_def, container_fields, kn_container_def_init);

static const char *const reference_policy_names[] = {
    [KN_REFERENCE_LEAVE] = "leave",
    [KN_REFERENCE_CLEAR] = "clear",
    [KN_REFERENCE_REMOVE] = "remove",
};

static const kn_def_field reference_fields[] = {
    F(kn_component_reference, field, KN_DEF_FIELD_STRING),
    F(kn_component_reference, of_items, KN_FIELD_BOOL),
    F_ENUM(kn_component_reference, when_destroyed, reference_policy_names),
};
static KNI_TABLE(reference_table, kn_component_reference, reference_fields);

static const kn_def_field component_fields[] = {
    F(kn_component_def, name, KN_DEF_FIELD_STRING),
    F(kn_component_def, size, KN_FIELD_U32),
    F_ARRAY(kn_component_def, fields, field_count, &public_field_table),
    F(kn_component_def, item_size, KN_FIELD_U32),
    F_ARRAY(kn_component_def, item_fields, item_field_count, &public_field_table),
    F(kn_component_def, several, KN_FIELD_BOOL),
    F_ENUM(kn_component_def, sync, sync_names),
    F(kn_component_def, added, KN_DEF_FIELD_POINTER),
    F(kn_component_def, removed, KN_DEF_FIELD_POINTER),
    F(kn_component_def, user, KN_DEF_FIELD_POINTER),
    F_ARRAY(kn_component_def, references, reference_count, &reference_table),
    F(kn_component_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_component_def_table, kn_component_def, component_fields, kn_component_def_init);

// Abilities -----------------------------------------------------------------

static const kn_def_field trigger_fields[] = {
    F_REF(kn_trigger_def, tag, KN_DEF_TAG),
    F_ENUM(kn_trigger_def, source, trigger_source_names),
    F(kn_trigger_def, priority, KN_FIELD_I32),
};
static KNI_TABLE(trigger_table, kn_trigger_def, trigger_fields);

static const kn_def_field cost_fields[] = {
    F_REF(kn_cost_def, attribute, KN_DEF_ATTRIBUTE),
    F_STRUCT(kn_cost_def, amount, &scalable_table),
    F_REF(kn_cost_def, share_of, KN_DEF_ATTRIBUTE),
    F(kn_cost_def, up_to, KN_FIELD_BOOL),
    F_STRUCT(kn_cost_def, minimum, &scalable_table),
    F_REF(kn_cost_def, value, KN_DEF_VALUE),
};
static KNI_TABLE(cost_table, kn_cost_def, cost_fields);

static const kn_def_field cooldown_fields[] = {
    F_REF(kn_cooldown_def, key, KN_DEF_TAG),
    F_STRUCT(kn_cooldown_def, duration, &scalable_table),
    F_REF(kn_cooldown_def, value, KN_DEF_VALUE),
    F_REF(kn_cooldown_def, rate, KN_DEF_ATTRIBUTE),
    F_STRUCT(kn_cooldown_def, charges, &scalable_table),
    F_STRUCT(kn_cooldown_def, cost, &scalable_table),
    F_STRUCT(kn_cooldown_def, returned, &scalable_table),
    F_REF(kn_cooldown_def, charges_from, KN_DEF_ATTRIBUTE),
    F_REF(kn_cooldown_def, cost_value, KN_DEF_VALUE),
    F_REF(kn_cooldown_def, returned_value, KN_DEF_VALUE),
    F(kn_cooldown_def, restart_on_use, KN_FIELD_BOOL),
    F_STRUCT(kn_cooldown_def, spacing, &scalable_table),
    F(kn_cooldown_def, all_after_idle, KN_FIELD_BOOL),
    F(kn_cooldown_def, predict_length, KN_FIELD_BOOL),
    F_ENUM(kn_cooldown_def, starts, cooldown_start_names),
};
static KNI_TABLE_INIT(cooldown_table, kn_cooldown_def, cooldown_fields, kn_cooldown_def_init);

static const kn_def_field apply_fields[] = {
    F_REF(kn_ability_apply_def, effect, KN_DEF_EFFECT),
    F_REF(kn_ability_apply_def, container, KN_DEF_CONTAINER),
    F_ENUM(kn_ability_apply_def, to, apply_to_names),
    F_REF(kn_ability_apply_def, targeting, KN_DEF_TARGETING),
    F_REF(kn_ability_apply_def, magnitude_tag, KN_DEF_TAG),
    F(kn_ability_apply_def, while_active, KN_FIELD_BOOL),
};
static KNI_TABLE(apply_table, kn_ability_apply_def, apply_fields);

static const kn_def_field ability_fields[] = {
    F(kn_ability_def, name, KN_DEF_FIELD_STRING),
    F(kn_ability_def, parent, KN_DEF_FIELD_STRING),
    F(kn_ability_def, tags, KN_DEF_FIELD_TAGS),
    F(kn_ability_def, cancel_with, KN_DEF_FIELD_TAGS),
    F(kn_ability_def, block_with, KN_DEF_FIELD_TAGS),
    F(kn_ability_def, owned_tags, KN_DEF_FIELD_TAGS),
    F_STRUCT(kn_ability_def, activation, &kni_requirement_table),
    F_STRUCT(kn_ability_def, source, &kni_requirement_table),
    F_STRUCT(kn_ability_def, target, &kni_requirement_table),
    F_REF(kn_ability_def, cost_effect, KN_DEF_EFFECT),
    F_ARRAY(kn_ability_def, costs, cost_count, &cost_table),
    F_REF(kn_ability_def, cooldown_effect, KN_DEF_EFFECT),
    F_REF(kn_ability_def, cooldown_caller_tag, KN_DEF_TAG),
    F_STRUCT(kn_ability_def, cooldown_duration, &scalable_table),
    F(kn_ability_def, cooldown_tags, KN_DEF_FIELD_TAGS),
    F_ARRAY(kn_ability_def, cooldowns, cooldown_count, &cooldown_table),
    F_ENUM(kn_ability_def, commit, commit_names),
    F_ENUM(kn_ability_def, body, body_names),
    F_ARRAY(kn_ability_def, applies, apply_count, &apply_table),
    F_STRUCT(kn_ability_def, lasts, &scalable_table),
    F_ARRAY(kn_ability_def, triggers, trigger_count, &trigger_table),
    F_ENUM(kn_ability_def, instancing, instancing_names),
    F_ENUM(kn_ability_def, net_execution, net_execution_names),
    F_ENUM(kn_ability_def, net_security, net_security_names),
    F(kn_ability_def, respects_remote_cancel, KN_FIELD_BOOL),
    F(kn_ability_def, sends_input, KN_FIELD_BOOL),
    F(kn_ability_def, no_activation_by_input, KN_FIELD_BOOL),
    F(kn_ability_def, activates_on_grant, KN_FIELD_BOOL),
    F(kn_ability_def, retriggers, KN_FIELD_BOOL),
    F(kn_ability_def, works_when_dead, KN_FIELD_BOOL),
    F(kn_ability_def, ends_with_avatar, KN_FIELD_BOOL),
    F_ENUM(kn_ability_def, level_up, level_up_names),
    F(kn_ability_def, input, KN_FIELD_U32),
    F(kn_ability_def, state_size, KN_FIELD_U32),
    F_ARRAY(kn_ability_def, state_fields, state_field_count, &public_field_table),
    F(kn_ability_def, resets_state, KN_FIELD_BOOL),
    F(kn_ability_def, activate, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, activate_by_event, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, pre_activate, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, ended, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, can_activate, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, responds, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, granted, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, removed, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, avatar_set, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, level_changed, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, input_pressed, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, input_released, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, task_done, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, user, KN_DEF_FIELD_POINTER),
    F(kn_ability_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_ability_def_table, kn_ability_def, ability_fields, kn_ability_def_init);

static const kn_def_field ability_set_entry_fields[] = {
    F_REF(kn_ability_set_entry, type, KN_DEF_ABILITY),
    F(kn_ability_set_entry, level, KN_FIELD_F32),
    F(kn_ability_set_entry, input, KN_FIELD_U32),
    F_ARRAY(kn_ability_set_entry, parameters, parameter_count, &kni_named_value_table),
};

static void ability_set_entry_init(void *def)
{
    *(kn_ability_set_entry *)def =
        (kn_ability_set_entry){.level = 1.0f, .input = KN_INPUT_FROM_DEF};
}

static KNI_TABLE_INIT(ability_set_entry_table, kn_ability_set_entry, ability_set_entry_fields,
    ability_set_entry_init);

static const kn_def_field ability_set_fields[] = {
    F(kn_ability_set_def, name, KN_DEF_FIELD_STRING),
    F_ARRAY(kn_ability_set_def, entries, entry_count, &ability_set_entry_table),
    F(kn_ability_set_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(
    kni_ability_set_def_table, kn_ability_set_def, ability_set_fields, kn_ability_set_def_init);

// Tasks ---------------------------------------------------------------------

static const kn_def_field task_type_fields[] = {
    F(kn_task_type_def, name, KN_DEF_FIELD_STRING),
    F(kn_task_type_def, state_size, KN_FIELD_U32),
    F_ARRAY(kn_task_type_def, state_fields, state_field_count, &public_field_table),
    F(kn_task_type_def, start, KN_DEF_FIELD_POINTER),
    F(kn_task_type_def, woken, KN_DEF_FIELD_POINTER),
    F(kn_task_type_def, timer, KN_DEF_FIELD_POINTER),
    F(kn_task_type_def, synced, KN_DEF_FIELD_POINTER),
    F(kn_task_type_def, ended, KN_DEF_FIELD_POINTER),
    F(kn_task_type_def, user, KN_DEF_FIELD_POINTER),
    F(kn_task_type_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_task_type_def_table, kn_task_type_def, task_type_fields, kn_task_type_def_init);

static const kn_def_field ticker_fields[] = {
    F(kn_ticker_def, name, KN_DEF_FIELD_STRING),
    F(kn_ticker_def, interval, KN_FIELD_TIME),
    F(kn_ticker_def, state_size, KN_FIELD_U32),
    F_ARRAY(kn_ticker_def, state_fields, state_field_count, &public_field_table),
    F(kn_ticker_def, added, KN_DEF_FIELD_POINTER),
    F(kn_ticker_def, should_start, KN_DEF_FIELD_POINTER),
    F(kn_ticker_def, should_stop, KN_DEF_FIELD_POINTER),
    F(kn_ticker_def, started, KN_DEF_FIELD_POINTER),
    F(kn_ticker_def, tick, KN_DEF_FIELD_POINTER),
    F(kn_ticker_def, stopped, KN_DEF_FIELD_POINTER),
    F(kn_ticker_def, user, KN_DEF_FIELD_POINTER),
    F(kn_ticker_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_ticker_def_table, kn_ticker_def, ticker_fields, kn_ticker_def_init);

// A query without what names something of a world.
static const kn_def_field effect_filter_fields[] = {
    F_REF(kn_effect_query, type, KN_DEF_EFFECT),
    F(kn_effect_query, any_tags, KN_DEF_FIELD_TAGS),
    F(kn_effect_query, all_tags, KN_DEF_FIELD_TAGS),
    F(kn_effect_query, asset_tags, KN_DEF_FIELD_TAGS),
    F(kn_effect_query, granted_tags, KN_DEF_FIELD_TAGS),
    F(kn_effect_query, tag_query, KN_DEF_FIELD_QUERY),
    F_STRUCT(kn_effect_query, source_tags, &kni_requirement_table),
    F_REF(kn_effect_query, modifies, KN_DEF_ATTRIBUTE),
    F(kn_effect_query, predicate, KN_DEF_FIELD_POINTER),
    F(kn_effect_query, user, KN_DEF_FIELD_POINTER),
    F(kn_effect_query, cookie, KN_DEF_FIELD_COOKIE),
};
static KNI_TABLE_INIT(
    effect_filter_table, kn_effect_query, effect_filter_fields, kn_effect_query_init);

static const kn_def_field watch_fields[] = {
    F(kn_watch_def, name, KN_DEF_FIELD_STRING),
    F_ENUM(kn_watch_def, kind, watch_kind_names),
    F_ENUM(kn_watch_def, trigger, kni_trigger_words),
    F_REF(kn_watch_def, tag, KN_DEF_TAG),
    F_REF(kn_watch_def, attribute, KN_DEF_ATTRIBUTE),
    F_REF(kn_watch_def, effect_type, KN_DEF_EFFECT),
    F_STRUCT(kn_watch_def, effects, &effect_filter_table),
    F_REF(kn_watch_def, ability_type, KN_DEF_ABILITY),
    F(kn_watch_def, query, KN_DEF_FIELD_QUERY),
    F_ENUM(kn_watch_def, compare, kni_compare_words),
    F(kn_watch_def, value, KN_FIELD_F32),
    F_ENUM(kn_watch_def, edge, watch_edge_names),
    F(kn_watch_def, state_size, KN_FIELD_U32),
    F_ARRAY(kn_watch_def, state_fields, state_field_count, &public_field_table),
    F(kn_watch_def, function, KN_DEF_FIELD_POINTER),
    F(kn_watch_def, user, KN_DEF_FIELD_POINTER),
    F(kn_watch_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_watch_def_table, kn_watch_def, watch_fields, kn_watch_def_init);

static const kn_def_field section_fields[] = {
    F_REF(kn_section_def, name, KN_DEF_NAME),
    F(kn_section_def, start, KN_FIELD_F32),
};
static KNI_TABLE(section_table, kn_section_def, section_fields);

static const kn_def_field notify_fields[] = {
    F(kn_notify_def, time, KN_FIELD_F32),
    F_REF(kn_notify_def, tag, KN_DEF_TAG),
};
static KNI_TABLE(notify_table, kn_notify_def, notify_fields);

static const kn_def_field animation_fields[] = {
    F(kn_animation_def, name, KN_DEF_FIELD_STRING),
    F(kn_animation_def, length, KN_FIELD_F32),
    F(kn_animation_def, blend_out, KN_FIELD_F32),
    F_ARRAY(kn_animation_def, sections, section_count, &section_table),
    F_ARRAY(kn_animation_def, notifies, notify_count, &notify_table),
    F(kn_animation_def, user, KN_FIELD_U64),
    F(kn_animation_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_animation_def_table, kn_animation_def, animation_fields, kn_animation_def_init);

// Targets -------------------------------------------------------------------

static const kn_def_field target_type_fields[] = {
    F(kn_target_type_def, name, KN_DEF_FIELD_STRING),
    F(kn_target_type_def, size, KN_FIELD_U32),
    F_ARRAY(kn_target_type_def, fields, field_count, &public_field_table),
    F(kn_target_type_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(
    kni_target_type_def_table, kn_target_type_def, target_type_fields, kn_target_type_def_init);

static const kn_def_field command_fields[] = {
    F(kn_command_def, name, KN_DEF_FIELD_STRING),
    F(kn_command_def, size, KN_FIELD_U32),
    F_ARRAY(kn_command_def, fields, field_count, &public_field_table),
    F(kn_command_def, has_targets, KN_FIELD_BOOL),
    F(kn_command_def, owner_only, KN_FIELD_BOOL),
    F(kn_command_def, check, KN_DEF_FIELD_POINTER),
    F(kn_command_def, function, KN_DEF_FIELD_POINTER),
    F(kn_command_def, user, KN_DEF_FIELD_POINTER),
    F(kn_command_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_command_def_table, kn_command_def, command_fields, kn_command_def_init);

static const kn_def_field targeting_fields[] = {
    F(kn_targeting_def, name, KN_DEF_FIELD_STRING),
    F_ENUM(kn_targeting_def, shape, shape_names),
    F(kn_targeting_def, from_view, KN_FIELD_BOOL),
    F(kn_targeting_def, offset, KN_FIELD_VEC3),
    F(kn_targeting_def, range, KN_FIELD_F32),
    F(kn_targeting_def, radius, KN_FIELD_F32),
    F(kn_targeting_def, cosine, KN_FIELD_F32),
    F(kn_targeting_def, limit, KN_FIELD_U32),
    F(kn_targeting_def, layers, KN_FIELD_U32),
    F(kn_targeting_def, includes_self, KN_FIELD_BOOL),
    F_STRUCT(kn_targeting_def, tags, &kni_requirement_table),
    F(kn_targeting_def, accept, KN_DEF_FIELD_POINTER),
    F_FLAGS(kn_targeting_def, confirms, kni_confirm_words),
    F(kn_targeting_def, interval, KN_FIELD_TIME),
    F(kn_targeting_def, persists, KN_FIELD_BOOL),
    F(kn_targeting_def, server_looks, KN_FIELD_BOOL),
    F(kn_targeting_def, reticle_scale, KN_FIELD_VEC3),
    F(kn_targeting_def, find, KN_DEF_FIELD_POINTER),
    F(kn_targeting_def, validate, KN_DEF_FIELD_POINTER),
    F(kn_targeting_def, user, KN_DEF_FIELD_POINTER),
    F(kn_targeting_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_targeting_def_table, kn_targeting_def, targeting_fields, kn_targeting_def_init);

// Reasons -------------------------------------------------------------------

static const kn_def_field fail_fields[] = {
    F(kn_fail_def, name, KN_DEF_FIELD_STRING),
    F_REF(kn_fail_def, tag, KN_DEF_TAG),
    F(kn_fail_def, text, KN_DEF_FIELD_STRING),
    F(kn_fail_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_fail_def_table, kn_fail_def, fail_fields, kn_fail_def_init);

static const kn_def_field end_reason_fields[] = {
    F(kn_end_reason_def, name, KN_DEF_FIELD_STRING),
    F_REF(kn_end_reason_def, tag, KN_DEF_TAG),
    F(kn_end_reason_def, text, KN_DEF_FIELD_STRING),
    F(kn_end_reason_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(
    kni_end_reason_def_table, kn_end_reason_def, end_reason_fields, kn_end_reason_def_init);

static const kn_def_field check_fields[] = {
    F(kn_check_def, name, KN_DEF_FIELD_STRING),
    F_REF(kn_check_def, ability, KN_DEF_ABILITY),
    F(kn_check_def, tags, KN_DEF_FIELD_QUERY),
    F(kn_check_def, priority, KN_FIELD_I32),
    F_REF(kn_check_def, condition, KN_DEF_CONDITION),
    F(kn_check_def, reason, KN_DEF_FIELD_STRING),
    F(kn_check_def, check, KN_DEF_FIELD_POINTER),
    F(kn_check_def, user, KN_DEF_FIELD_POINTER),
    F(kn_check_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_check_def_table, kn_check_def, check_fields, kn_check_def_init);

// Archetypes ----------------------------------------------------------------

static const kn_def_field archetype_value_fields[] = {
    F_REF(kn_archetype_value, attribute, KN_DEF_ATTRIBUTE),
    F_STRUCT(kn_archetype_value, value, &scalable_table),
};
static KNI_TABLE(archetype_value_table, kn_archetype_value, archetype_value_fields);

static void archetype_effect_init(void *def)
{
    *(kn_archetype_effect *)def = (kn_archetype_effect){.level = kn_constant(1.0f)};
}

static const kn_def_field archetype_effect_fields[] = {
    F_REF(kn_archetype_effect, type, KN_DEF_EFFECT),
    F_STRUCT(kn_archetype_effect, level, &scalable_table),
};
static KNI_TABLE_INIT(
    archetype_effect_table, kn_archetype_effect, archetype_effect_fields, archetype_effect_init);

static const kn_def_field archetype_timer_fields[] = {
    F_REF(kn_archetype_timer, type, KN_DEF_TIMER),
    F(kn_archetype_timer, delay, KN_FIELD_TIME),
};
static KNI_TABLE(archetype_timer_table, kn_archetype_timer, archetype_timer_fields);

static const kn_def_field archetype_fields[] = {
    F(kn_archetype_def, name, KN_DEF_FIELD_STRING),
    F_REF(kn_archetype_def, parent, KN_DEF_ARCHETYPE),
    F_REFS(kn_archetype_def, sets, set_count, KN_DEF_ATTRIBUTE_SET),
    F(kn_archetype_def, group, KN_DEF_FIELD_STRING),
    F_ARRAY(kn_archetype_def, values, value_count, &archetype_value_table),
    F(kn_archetype_def, tags, KN_DEF_FIELD_TAGS),
    F_REFS(kn_archetype_def, ability_sets, ability_set_count, KN_DEF_ABILITY_SET),
    F_ARRAY(kn_archetype_def, abilities, ability_count, &ability_set_entry_table),
    F_ARRAY(kn_archetype_def, effects, effect_count, &archetype_effect_table),
    F_ARRAY(kn_archetype_def, timers, timer_count, &archetype_timer_table),
    F(kn_archetype_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(kni_archetype_def_table, kn_archetype_def, archetype_fields, kn_archetype_def_init);

// Custom events -------------------------------------------------------------

static const kn_def_field custom_event_fields[] = {
    F(kn_custom_event_def, name, KN_DEF_FIELD_STRING),
    F(kn_custom_event_def, size, KN_FIELD_U32),
    F_ARRAY(kn_custom_event_def, fields, field_count, &public_field_table),
    F(kn_custom_event_def, text, KN_DEF_FIELD_STRING),
    F_REF(kn_custom_event_def, command, KN_DEF_COMMAND),
    F(kn_custom_event_def, cookie, KN_DEF_FIELD_COOKIE),
};
KNI_TABLE_INIT(
    kni_custom_event_def_table, kn_custom_event_def, custom_event_fields, kn_custom_event_def_init);

// Parts that own kinds may have too -----------------------------------------

static const kn_def_field hook_fields[] = {
    F(kn_hook, function, KN_DEF_FIELD_POINTER),
    F(kn_hook, user, KN_DEF_FIELD_POINTER),
};
KNI_TABLE(kni_hook_table, kn_hook, hook_fields);

static const kn_def_field hook_def_fields[] = {
    F(kn_kind_hook, field, KN_DEF_FIELD_STRING),
    F(kn_kind_hook, size, KN_FIELD_U32),
    F_ARRAY(kn_kind_hook, fields, field_count, &public_field_table),
    F(kn_kind_hook, text, KN_DEF_FIELD_STRING),
};
KNI_TABLE(kni_kind_hook_table, kn_kind_hook, hook_def_fields);

const kn_def_table *kn_def_part_table(const char *name)
{
    static const kn_def_table *const parts[] = {&scalable_table, &magnitude_table, &capture_table,
        &kni_requirement_table, &modifier_table, &limit_table, &attribute_condition_table,
        &gate_table, &profile_table, &cost_table, &cooldown_table, &apply_table,
        &public_field_table, &kni_hook_table};
    for (size_t i = 0; name != NULL && i < sizeof(parts) / sizeof(*parts); i++) {
        if (strcmp(parts[i]->name, name) == 0) {
            return parts[i];
        }
    }
    return NULL;
}
