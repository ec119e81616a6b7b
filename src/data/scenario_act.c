// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Actions of the timeline as calls of the API.

#include "scenario_call.h"
#include "scenario_sessions.h"

#include <string.h>

// Names and what they stand for ---------------------------------------------

uint64_t kni_run_packed(const kn_scenario_run *run, uint32_t name)
{
    return name > 0 ? run->names[name - 1] : 0;
}

kn_entity_id kni_run_entity(const kn_scenario_run *run, uint32_t name)
{
    return kn_entity_id_unpack(kni_run_packed(run, name));
}

const char *kni_run_name_text(const kn_scenario_run *run, uint32_t name)
{
    return name > 0 ? run->scenario->names[name - 1].text : "nobody";
}

kn_effect_id kni_run_effect(const kn_scenario_run *run, const kni_part *part)
{
    if (part->effect.name > 0) {
        return kn_effect_id_unpack(kni_run_packed(run, part->effect.name));
    }
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id effect = {0};
    query.type.index1 = part->effect.type;
    query.source = kni_run_entity(run, part->from);
    if (kn_effects_find(run->world, kni_run_entity(run, part->entity), &query, &effect, 1) == 0) {
        return (kn_effect_id){0};
    }
    return effect;
}

kn_ability_id kni_run_ability(const kn_scenario_run *run, const kni_part *part)
{
    if (part->ability.name > 0) {
        return kn_ability_id_unpack(kni_run_packed(run, part->ability.name));
    }
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id ability = {0};
    query.type.index1 = part->ability.type;
    if (part->ability.type == 0 || kn_abilities_find(run->world, kni_run_entity(run, part->entity),
                                       &query, &ability, 1) == 0) {
        return (kn_ability_id){0};
    }
    return ability;
}

kn_activation_id kni_run_activation(const kn_scenario_run *run, const kni_part *part)
{
    kn_ability_info info;
    if (part->activation > 0) {
        return kn_activation_id_unpack(kni_run_packed(run, part->activation));
    }
    if (!kn_ability_get(run->world, kni_run_ability(run, part), &info)) {
        return (kn_activation_id){0};
    }
    return info.latest;
}

static void name_bind(kn_scenario_run *run, const kni_part *part, uint64_t packed)
{
    if (part->as > 0) {
        run->names[part->as - 1] = packed;
    }
}

// Results -------------------------------------------------------------------

static void act_fail(
    kn_scenario_run *run, const kni_part *part, const char *expected, kni_difference *difference)
{
    kni_action_print(run, part, &difference->expected);
    kni_line_add(&difference->expected, "%s%s", expected[0] != 0 ? " " : "", expected);
    kni_run_fail(run, &part->place, difference);
}

// The reasons as text must have a part in common with what was expected.
static void expect_why(kn_scenario_run *run, const kni_part *part, kn_result result)
{
    if (part->verb != KNI_VERB_APPLY || part->why == NULL || run->quiet ||
        (result != KN_OK && strstr(run->refusal, part->why) != NULL)) {
        return;
    }
    kni_difference difference;
    kni_difference_begin(&difference);
    kni_line_add(&difference.found, "%s", result == KN_OK ? "it was applied" : run->refusal);
    char wanted[KNI_LINE_SIZE];
    kni_line line = {wanted, sizeof(wanted), 0};
    kni_line_add(&line, "is refused because of `%s`", part->why);
    act_fail(run, part, wanted, &difference);
}

static void expect_result(kn_scenario_run *run, const kni_part *part, kn_result result)
{
    kn_result wanted = kni_part_has(part, KNI_KEY_EXPECT) ? (kn_result)part->result : KN_OK;
    bool is_broken = result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN;
    if (is_broken && run->broken == KN_OK) {
        run->broken = result;
    }
    if (result == wanted || run->quiet || kni_part_has(part, KNI_KEY_REFUSED)) {
        expect_why(run, part, result);
        return;
    }
    char words[2][48];
    kni_difference difference;
    kni_difference_begin(&difference);
    kni_line_add(
        &difference.found, "the result is %s", kni_result_word(result, words[0], sizeof(words[0])));
    // Of a script, which says so itself; or of a client, before the server knows.
    bool is_failure = result == KN_ERROR_BAD_DATA || part->machine > 0;
    if (!is_failure && (part->verb == KNI_VERB_ACTIVATE || part->verb == KNI_VERB_COMMIT)) {
        kni_explain_ability(run, kni_run_ability(run, part), &difference.why);
    }
    if (part->verb == KNI_VERB_APPLY && kn_result_is_refused(result)) {
        kni_line_add(&difference.why, "%s", run->refusal);
    }
    (void)kni_result_word(wanted, words[1], sizeof(words[1]));
    char expected[64] = "is ";
    (void)strncat(expected, words[1], sizeof(expected) - 8);
    act_fail(run, part, expected, &difference);
}

static void expect_count(kn_scenario_run *run, const kni_part *part, uint32_t count)
{
    if (!kni_part_has(part, KNI_KEY_COUNT) || part->count == count || run->quiet) {
        return;
    }
    kni_difference difference;
    kni_difference_begin(&difference);
    kni_line_add(&difference.expected, "%u of: ", part->count);
    kni_line_add(&difference.found, "there were %u", count);
    act_fail(run, part, "", &difference);
}

static kn_result first_bad(kn_result a, kn_result b)
{
    return a != KN_OK ? a : b;
}

// Records -------------------------------------------------------------------

typedef struct record_data {
    kn_event_record record;
    kn_target_data targets;
} record_data;

static bool has_targets(const kni_part *part)
{
    return part->targets.count > 0 || kni_part_has(part, KNI_KEY_TARGET_DATA);
}

static void record_of(const kn_scenario_run *run, const kni_part *part, record_data *out)
{
    kn_event_record *record = &out->record;
    *record = kn_event_record_default();
    record->kind.index1 = part->kind;
    record->tag.index1 = part->tag;
    record->tags = part->tags;
    record->instigator = kni_run_entity(run, part->instigator);
    record->target = kni_run_entity(run, part->target);
    record->magnitude = part->magnitude;
    record->object = part->object;
    record->ignore_gates = part->ignore_gates;
    if (has_targets(part)) {
        kni_targets_of(run, part, &out->targets);
        record->data = out->targets.bytes;
        record->data_size = out->targets.size;
    }
}

// Effects -------------------------------------------------------------------

#define PAYLOAD_MAX 4096

// Who and what stands behind an effect, and the bytes that it points at.
typedef struct context_data {
    kn_effect_context context;
    bool is_given;
    kn_target_data targets;
    uint64_t payload[PAYLOAD_MAX / 8];
} context_data;

static void context_of(const kn_scenario_run *run, const kni_part *part, context_data *out)
{
    static const kni_key keys[] = {KNI_KEY_INSTIGATOR, KNI_KEY_CAUSER, KNI_KEY_OBJECT,
        KNI_KEY_ORIGIN_POINT, KNI_KEY_CONTEXT, KNI_KEY_TARGETS, KNI_KEY_TARGET_DATA};
    kn_effect_context *context = &out->context;
    *context = (kn_effect_context){.instigator = kni_run_entity(run, part->instigator),
        .causer = kni_run_entity(run, part->causer),
        .source_object = part->object,
        .origin = part->origin_point,
        .has_origin = kni_part_has(part, KNI_KEY_ORIGIN_POINT)};
    out->is_given = false;
    for (uint32_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        out->is_given |= kni_part_has(part, keys[i]);
    }
    if (has_targets(part)) {
        kni_targets_of(run, part, &out->targets);
        context->targets = out->targets.bytes;
        context->target_size = out->targets.size;
    }
    kn_context_type_id type = {part->context};
    if (part->context > 0 &&
        kn_context_type_size(run->scenario->library, type) <= sizeof(out->payload)) {
        kni_node wrong;
        kn_error error;
        memset(out->payload, 0, sizeof(out->payload));
        (void)kni_payload_read(run->scenario, run, part->context, part->payload,
            (uint8_t *)out->payload, &wrong, &error);
        context->payload_type = type;
        context->payload = out->payload;
    }
}

static kn_effect_apply_def apply_def_of(
    const kn_scenario_run *run, const kni_part *part, context_data *data)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type.index1 = part->effect.type;
    def.target = kni_run_entity(run, part->to);
    def.source = kni_run_entity(run, part->from);
    def.level = kni_part_has(part, KNI_KEY_LEVEL) ? part->level : def.level;
    def.stacks = part->stacks;
    def.duration = kni_part_has(part, KNI_KEY_DURATION) ? part->duration : def.duration;
    def.period = kni_part_has(part, KNI_KEY_PERIOD) ? part->period : def.period;
    def.caller_values = part->caller_values.data;
    def.caller_value_count = part->caller_values.count;
    def.named_values = part->parameters.data;
    def.named_value_count = part->parameters.count;
    def.dynamic_asset_tags = part->asset_tags;
    def.dynamic_granted_tags = part->granted_tags;
    def.ignore_gates = part->ignore_gates;
    context_of(run, part, data);
    def.context = data->is_given ? &data->context : NULL;
    return def;
}

static kn_result act_apply(kn_scenario_run *run, const kni_part *part)
{
    context_data data;
    kn_effect_apply_def def = apply_def_of(run, part, &data);
    kn_effect_id effect = {0};
    kn_effect_refusal refusal = {0};
    kn_result result;
    def.refusal = &refusal;
    if (part->spec > 0) {
        kn_spec_id spec = kn_spec_id_unpack(kni_run_packed(run, part->spec));
        result = kn_spec_apply_why(run->world, spec, def.target, &effect, &refusal);
    } else if (part->activation > 0) {
        result = kn_activation_apply_def(run->world, kni_run_activation(run, part), &def, &effect);
    } else {
        result = kn_effect_apply(run->world, &def, &effect);
    }
    name_bind(run, part, kn_effect_id_pack(effect));
    if (kn_result_is_refused(result)) {
        refusal.reason = result; // an activation that is gone has none of its own
        (void)kn_effect_refusal_print(run->world, &refusal, run->refusal, sizeof(run->refusal));
    }
    return result;
}

static kn_result act_spec(kn_scenario_run *run, const kni_part *part)
{
    context_data data;
    kn_effect_apply_def def = apply_def_of(run, part, &data);
    kn_spec_id spec = {0};
    kn_result result = kn_spec_create(run->world, &def, &spec);
    name_bind(run, part, kn_spec_id_pack(spec));
    return result;
}

static kn_result act_change_spec(kn_scenario_run *run, const kni_part *part)
{
    kn_world *world = run->world;
    kn_spec_id spec = kn_spec_id_unpack(kni_run_packed(run, part->spec));
    kn_result result = kn_spec_is_alive(world, spec) ? KN_OK : KN_REFUSED_STALE_ID;
    if (kni_part_has(part, KNI_KEY_LEVEL)) {
        result = first_bad(result, kn_spec_set_level(world, spec, part->level));
    }
    if (kni_part_has(part, KNI_KEY_STACKS)) {
        result = first_bad(result, kn_spec_set_stacks(world, spec, part->stacks));
    }
    if (kni_part_has(part, KNI_KEY_DURATION)) {
        result = first_bad(result, kn_spec_set_duration(world, spec, part->duration));
    }
    if (kni_part_has(part, KNI_KEY_PERIOD)) {
        result = first_bad(result, kn_spec_set_period(world, spec, part->period));
    }
    for (uint32_t i = 0; i < part->caller_values.count; i++) {
        const kn_caller_value *value = &part->caller_values.data[i];
        result = first_bad(result, kn_spec_set_caller_value(world, spec, value->tag, value->value));
    }
    for (uint32_t i = 0; i < part->parameters.count; i++) {
        const kn_named_value *value = &part->parameters.data[i];
        result = first_bad(result, kn_spec_set_named_value(world, spec, value->name, value->value));
    }
    for (uint32_t i = 0; i < part->asset_tags.count; i++) {
        result = first_bad(result, kn_spec_add_asset_tag(world, spec, part->asset_tags.data[i]));
    }
    for (uint32_t i = 0; i < part->granted_tags.count; i++) {
        result =
            first_bad(result, kn_spec_add_granted_tag(world, spec, part->granted_tags.data[i]));
    }
    context_data data;
    context_of(run, part, &data);
    if (data.is_given) {
        result =
            first_bad(result, kn_spec_set_context(world, spec, &data.context, part->keep_captures));
    }
    return result;
}

static kn_result act_destroy_spec(kn_scenario_run *run, const kni_part *part)
{
    kn_spec_id spec = kn_spec_id_unpack(kni_run_packed(run, part->spec));
    kn_result result = kn_spec_is_alive(run->world, spec) ? KN_OK : KN_REFUSED_STALE_ID;
    kn_spec_destroy(run->world, spec);
    return result;
}

static kn_result act_remove(kn_scenario_run *run, const kni_part *part)
{
    kn_removal_reason reason =
        part->reason > 0 ? (kn_removal_reason)part->reason : KN_REMOVED_BY_CALL;
    if (part->effect.name > 0) {
        return kn_effect_remove(run->world, kni_run_effect(run, part), part->stacks, reason);
    }
    kn_effect_query query = kn_effect_query_default();
    uint32_t removed = 0;
    query.type.index1 = part->effect.type;
    query.any_tags = part->tags;
    query.source = kni_run_entity(run, part->from);
    kn_result result = kn_effects_remove(
        run->world, kni_run_entity(run, part->entity), &query, part->stacks, reason, &removed);
    if (result == KN_OK && removed == 0 && !kni_part_has(part, KNI_KEY_COUNT)) {
        result = KN_REFUSED_NOT_FOUND;
    }
    expect_count(run, part, removed);
    return result;
}

static kn_result act_change(kn_scenario_run *run, const kni_part *part)
{
    kn_world *world = run->world;
    kn_effect_id effect = kni_run_effect(run, part);
    kn_result result = kn_effect_is_alive(world, effect) ? KN_OK : KN_REFUSED_STALE_ID;
    if (kni_part_has(part, KNI_KEY_LEVEL)) {
        result = first_bad(result, kn_effect_set_level(world, effect, part->level));
    }
    if (kni_part_has(part, KNI_KEY_STACKS)) {
        result = first_bad(result, kn_effect_set_stacks(world, effect, part->stacks));
    }
    for (uint32_t i = 0; i < part->caller_values.count; i++) {
        const kn_caller_value *value = &part->caller_values.data[i];
        result =
            first_bad(result, kn_effect_set_caller_value(world, effect, value->tag, value->value));
    }
    if (kni_part_has(part, KNI_KEY_RESTART)) {
        result = first_bad(result, kn_effect_restart(world, effect, part->restart));
    }
    if (kni_part_has(part, KNI_KEY_TOTAL)) {
        result = first_bad(result, kn_effect_set_total(world, effect, part->total));
    }
    if (kni_part_has(part, KNI_KEY_FACTOR)) {
        result = first_bad(result, kn_effect_scale_remaining(world, effect, part->factor));
    }
    if (kni_part_has(part, KNI_KEY_ADD)) {
        kn_time cap = kni_part_has(part, KNI_KEY_CAP) ? part->cap : -1;
        result = first_bad(result, kn_effect_add_remaining(world, effect, part->add, cap));
    }
    if (kni_part_has(part, KNI_KEY_REMAINING)) {
        result = first_bad(result, kn_effect_set_remaining(world, effect, part->remaining));
    }
    if (part->refresh) {
        result = first_bad(result, kn_effect_refresh(world, effect));
    }
    if (part->execute) {
        result = first_bad(result, kn_effect_execute(world, effect));
    }
    return result;
}

#define TARGETS_MAX 256

static kn_result act_container(kn_scenario_run *run, const kni_part *part)
{
    kn_container_apply_def def = kn_container_apply_def_default();
    kn_entity_id targets[TARGETS_MAX];
    kn_container_value values[TARGETS_MAX];
    def.container.index1 = part->container;
    def.source = kni_run_entity(run, part->from);
    def.level = kni_part_has(part, KNI_KEY_LEVEL) ? part->level : 1.0f;
    for (uint32_t i = 0; i < part->targets.count && i < TARGETS_MAX; i++) {
        targets[i] = kni_run_entity(run, part->targets.data[i]);
        def.target_count++;
    }
    for (uint32_t i = 0; i < part->caller_values.count && i < TARGETS_MAX; i++) {
        values[i] = (kn_container_value){{0}, part->caller_values.data[i]};
        def.value_count++;
    }
    context_data data;
    context_of(run, part, &data);
    def.targets = targets;
    def.values = values;
    def.data = data.context.targets;
    def.data_size = data.context.target_size;
    if (data.is_given) {
        // Target data goes along by itself.
        data.context.targets = NULL;
        data.context.target_size = 0;
        def.context = &data.context;
    }
    uint32_t applied = 0;
    kn_result result = kn_container_apply(run->world, &def, &applied);
    expect_count(run, part, applied);
    return result;
}

// Abilities -----------------------------------------------------------------

static kn_ability_grant_def grant_def_of(const kn_scenario_run *run, const kni_part *part)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type.index1 = part->ability.type;
    def.level = kni_part_has(part, KNI_KEY_LEVEL) ? part->level : def.level;
    def.input = kni_part_has(part, KNI_KEY_INPUT) ? part->input : def.input;
    def.source = kni_run_entity(run, part->from);
    def.dynamic_tags = part->tags;
    def.caller_values = part->caller_values.data;
    def.caller_value_count = part->caller_values.count;
    def.parameters = part->parameters.data;
    def.parameter_count = part->parameters.count;
    def.share = part->shared;
    return def;
}

static kn_result act_grant(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    kn_ability_id ability = {0};
    kn_result result;
    if (part->ability_set > 0) {
        kn_ability_set_id set = {part->ability_set};
        result = kn_ability_set_grant(run->world, entity, set, &ability, 1);
    } else {
        kn_ability_grant_def def = grant_def_of(run, part);
        result = kn_ability_grant(run->world, entity, &def, &ability);
    }
    name_bind(run, part, kn_ability_id_pack(ability));
    return result;
}

static kn_result act_grant_once(kn_scenario_run *run, const kni_part *part)
{
    kn_ability_grant_def def = grant_def_of(run, part);
    kn_ability_id ability = {0};
    record_data data;
    if (part->event != NULL) {
        record_of(run, part->event, &data);
    }
    kn_result result = kn_ability_grant_once(run->world, kni_run_entity(run, part->entity), &def,
        part->event != NULL ? &data.record : NULL, &ability);
    name_bind(run, part, kn_ability_id_pack(ability));
    return result;
}

static kn_result act_revoke(kn_scenario_run *run, const kni_part *part)
{
    kn_grant_removal removal = (kn_grant_removal)part->removal;
    if (part->ability_set > 0) {
        kn_ability_set_id set = {part->ability_set};
        return kn_ability_set_remove(run->world, kni_run_entity(run, part->entity), set, removal);
    }
    return kn_ability_revoke(run->world, kni_run_ability(run, part), removal);
}

// The first task that matches: of its kind, under its name, or any with a timer.
static kn_result act_reschedule(kn_scenario_run *run, const kni_part *part)
{
    kn_activation_id activation = kni_run_activation(run, part);
    if (!kn_activation_is_alive(run->world, activation)) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t all = kn_tasks(run->world, activation, NULL, 0);
    size_t size = ((size_t)all + 1) * sizeof(kn_task_id);
    kn_task_id *tasks = kn_memory_resize(&run->hooks, NULL, 0, size);
    if (tasks == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    (void)kn_tasks(run->world, activation, tasks, all);
    kn_result result = KN_REFUSED_NOT_FOUND;
    for (uint32_t i = 0; i < all && result == KN_REFUSED_NOT_FOUND; i++) {
        kn_task_info info;
        if (!kn_task_get(run->world, tasks[i], &info) ||
            (part->task != 0 && (uint32_t)info.kind != part->task) ||
            (part->task_name != 0 && info.name.index1 != part->task_name)) {
            continue;
        }
        result = kni_part_has(part, KNI_KEY_REMAINING)
                     ? kn_task_set_remaining(run->world, tasks[i], part->remaining)
                     : kn_task_add_remaining(run->world, tasks[i], part->add);
    }
    kn_memory_free(&run->hooks, tasks, size);
    return result;
}

static void expect_refusal(
    kn_scenario_run *run, const kni_part *part, kn_result result, uint32_t reasons)
{
    bool is_refused = result != KN_OK;
    if (!kni_part_has(part, KNI_KEY_REFUSED) || run->quiet ||
        (is_refused && reasons == part->refused)) {
        return;
    }
    kni_difference difference;
    kni_difference_begin(&difference);
    if (is_refused) {
        kni_line_add(&difference.found, "the reasons are ");
        kni_fails_print(&difference.found, kn_world_library(run->world), reasons);
        kni_explain_ability(run, kni_run_ability(run, part), &difference.why);
    } else {
        kni_line_add(&difference.found, "it was activated");
    }
    char wanted[128];
    kni_line line = {wanted, sizeof(wanted), 0};
    kni_line_add(&line, "is refused: ");
    kni_fails_print(&line, kn_world_library(run->world), part->refused);
    act_fail(run, part, wanted, &difference);
}

static kn_result act_activate(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    kn_activation_id activation = {0};
    kn_result result;
    if (kni_part_has(part, KNI_KEY_TAGS)) {
        uint32_t activated = 0;
        result = kn_ability_activate_tags(run->world, entity, part->tags, &activated);
        expect_count(run, part, activated);
        return result;
    }
    record_data data;
    const kn_event_record *event = NULL;
    if (part->event != NULL) {
        record_of(run, part->event, &data);
        event = &data.record;
    }
    kn_ability_id ability = kni_run_ability(run, part);
    uint32_t reasons = kn_ability_check(run->world, ability, event);
    if (part->ability.name == 0 && event == NULL) {
        kn_ability_type_id type = {part->ability.type};
        result = kn_ability_activate_type(run->world, entity, type, &activation);
    } else {
        result = kn_ability_activate(run->world, ability, event, &activation);
    }
    name_bind(run, part, kn_activation_id_pack(activation));
    expect_refusal(run, part, result, reasons);
    return result;
}

static kn_result act_commit(kn_scenario_run *run, const kni_part *part)
{
    kn_activation_id activation = kni_run_activation(run, part);
    if (kni_part_has(part, KNI_KEY_COOLDOWN_KEY)) {
        return kn_activation_commit_cooldown_key(
            run->world, activation, (kn_tag){part->cooldown_key});
    }
    return part->commit_part == 1   ? kn_activation_commit_cost(run->world, activation)
           : part->commit_part == 2 ? kn_activation_commit_cooldown(run->world, activation)
                                    : kn_activation_commit(run->world, activation);
}

static kn_result act_cancel(kn_scenario_run *run, const kni_part *part)
{
    kn_cancel cancel = kn_cancel_default();
    if (kni_part_has(part, KNI_KEY_END_REASON)) {
        cancel.reason = (kn_end_reason)part->end_reason;
    }
    cancel.instigator = kni_run_entity(run, part->instigator);
    cancel.tag.index1 = part->tag;
    cancel.number = part->magnitude;
    if (part->activation > 0) {
        return kn_activation_cancel_with(run->world, kni_run_activation(run, part), &cancel);
    }
    if (part->ability.name > 0 || part->ability.type > 0) {
        return kn_ability_cancel_with(run->world, kni_run_ability(run, part), &cancel);
    }
    kn_ability_query query = kn_ability_query_default();
    query.any_tags = part->tags;
    query.no_tags = part->without;
    expect_count(run, part,
        kn_abilities_cancel_with(run->world, kni_run_entity(run, part->entity), &query, &cancel));
    return KN_OK;
}

static kn_result act_charges(kn_scenario_run *run, const kni_part *part)
{
    kn_world *world = run->world;
    kn_ability_id ability = kni_run_ability(run, part);
    kn_tag key = {part->cooldown_key};
    kn_result result = KN_OK;
    if (kni_part_has(part, KNI_KEY_ADD_CHARGES)) {
        result = kn_ability_add_charges(world, ability, key, part->add_charges);
    }
    if (kni_part_has(part, KNI_KEY_ADD)) {
        result = first_bad(
            result, kn_ability_change_cooldown(world, ability, key, part->add, part->floor));
    }
    if (kni_part_has(part, KNI_KEY_FACTOR)) {
        result = first_bad(result, kn_ability_scale_cooldown(world, ability, key, part->factor));
    }
    if (part->reset) {
        result = first_bad(result, kn_ability_reset_cooldown(world, ability, key));
    }
    return result;
}

static kn_result act_set_level(kn_scenario_run *run, const kni_part *part)
{
    kn_ability_id ability = kni_run_ability(run, part);
    kn_result result = kn_ability_set_level(run->world, &ability, part->level);
    if (part->ability.name > 0 && result == KN_OK) {
        run->names[part->ability.name - 1] = kn_ability_id_pack(ability);
    }
    return result;
}

static kn_result act_press(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    if (part->event == NULL) {
        return kn_input_press(run->world, entity, part->input);
    }
    record_data data;
    record_of(run, part->event, &data);
    return kn_input_press_with(run->world, entity, part->input, &data.record);
}

static kn_result act_issue(kn_scenario_run *run, const kni_part *part)
{
    kn_command_data data; // only what is used of it is filled in
    if (!kni_command_of(run, part, &data)) {
        return KN_ERROR_BAD_DATA;
    }
    bool is_recorded = run->recording != NULL && !run->quiet; // a rollback repeats it quietly
    return is_recorded ? kn_recording_command(run->recording, &data.command, NULL)
                       : kn_world_command(run->world, &data.command, NULL);
}

// Targets for the first task of an activation that looks for some.
static kn_result act_provide(kn_scenario_run *run, const kni_part *part)
{
    kn_activation_id activation = kni_run_activation(run, part);
    kn_task_id tasks[32];
    uint32_t count = kn_tasks(run->world, activation, tasks, 32);
    kn_target_data data;
    kni_targets_of(run, part, &data);
    for (uint32_t i = 0; i < count && i < 32; i++) {
        kn_task_info info;
        if (kn_task_get(run->world, tasks[i], &info) && info.kind == KN_TASK_TARGET) {
            return kn_target_provide(run->world, tasks[i], kn_target_data_view(&data));
        }
    }
    return kn_activation_is_alive(run->world, activation) ? KN_REFUSED_NOT_FOUND
                                                          : KN_REFUSED_STALE_ID;
}

// Events, tags, attributes ----------------------------------------------------

static kn_result act_run(kn_scenario_run *run, const kni_part *part)
{
    record_data data;
    record_of(run, part, &data);
    kn_event_outcome outcome;
    kn_result result = kn_event_run(run->world, &data.record, &outcome);
    if (kni_part_has(part, KNI_KEY_OUTCOME) && !run->quiet && result == KN_OK &&
        !kni_is_near(outcome.magnitude, part->outcome, &part->bounds.tolerance)) {
        kni_difference difference;
        char wanted[64];
        kni_line line = {wanted, sizeof(wanted), 0};
        kni_difference_begin(&difference);
        kni_line_add(&line, "comes to ");
        kni_line_float(&line, part->outcome);
        kni_line_add(&difference.found, "it comes to ");
        kni_line_float(&difference.found, outcome.magnitude);
        act_fail(run, part, wanted, &difference);
    }
    return result;
}

static kn_result act_send(kn_scenario_run *run, const kni_part *part)
{
    record_data data;
    record_of(run, part, &data);
    kn_tag tag = {part->tag};
    return kn_event_send(run->world, kni_run_entity(run, part->to), tag, &data.record);
}

static kn_result act_tags(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    kn_tag_origin origin = (kn_tag_origin)part->origin;
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < part->tag_counts.count; i++) {
        const kni_tag_amount *amount = &part->tag_counts.data[i];
        uint32_t count = amount->has_count ? amount->count : 1;
        kn_result one =
            part->verb == KNI_VERB_ADD_TAGS
                ? kn_entity_add_tag(run->world, entity, amount->tag, origin, count)
            : part->verb == KNI_VERB_REMOVE_TAGS
                ? kn_entity_remove_tag(run->world, entity, amount->tag, origin, count)
                : kn_entity_set_tag_count(run->world, entity, amount->tag, origin, count);
        result = first_bad(result, one);
    }
    return result;
}

static kn_result act_attributes(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    kn_result result = KN_OK;
    if (part->group != NULL) {
        uint32_t level =
            kni_part_has(part, KNI_KEY_LEVEL) && part->level > 0.0f && part->level < 1e6f
                ? (uint32_t)part->level
                : 1;
        result = kn_attribute_init_group(run->world, entity, part->group, level, part->key);
    }
    for (uint32_t i = 0; i < part->attributes.count; i++) {
        const kni_attribute_bounds *one = &part->attributes.data[i];
        kn_result set = part->verb == KNI_VERB_SET
                            ? kn_attribute_set_base(
                                  run->world, entity, one->attribute, part->key, one->bounds.value)
                            : kn_attribute_init(
                                  run->world, entity, one->attribute, part->key, one->bounds.value);
        result = first_bad(result, set);
    }
    return result;
}

static kn_result act_sets(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < part->sets.count; i++) {
        kn_attribute_set_id set = {part->sets.data[i]};
        result =
            first_bad(result, part->verb == KNI_VERB_ADD_SETS
                                  ? kn_attribute_set_add(run->world, entity, set, part->key)
                                  : kn_attribute_set_remove(run->world, entity, set, part->key));
    }
    return result;
}

static kn_result act_cue(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    kn_tag tag = {part->cue};
    kn_cue_params params = kn_cue_params_default();
    params.magnitude = part->magnitude;
    params.instigator = kni_run_entity(run, part->instigator);
    params.causer = kni_run_entity(run, part->causer);
    params.source_object = part->object;
    params.has_location = kni_part_has(part, KNI_KEY_LOCATION);
    params.location = part->location;
    if (!kni_part_has(part, KNI_KEY_ACTION) || part->cue_action == KN_CUE_EXECUTED) {
        return kn_cue_execute(run->world, entity, tag, &params);
    }
    return part->cue_action == KN_CUE_ADDED ? kn_cue_add(run->world, entity, tag, &params)
                                            : kn_cue_remove(run->world, entity, tag);
}

static kn_result act_remove_cues(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    if (!kn_entity_is_alive(run->world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    expect_count(run, part, kn_cues_remove_all(run->world, entity));
    return KN_OK;
}

// Entities ------------------------------------------------------------------

static kn_result place_entity(kn_scenario_run *run, kn_entity_id entity, const kni_part *part)
{
    bool has_place = kni_part_has(part, KNI_KEY_POSITION) || kni_part_has(part, KNI_KEY_RADIUS) ||
                     kni_part_has(part, KNI_KEY_FACING);
    if (!has_place) {
        return KN_OK;
    }
    if (run->grid == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_body body;
    if (!kn_grid_get_body(run->grid, entity, &body)) {
        body = kn_body_default();
    }
    if (kni_part_has(part, KNI_KEY_POSITION)) {
        body.position = part->position;
    }
    if (kni_part_has(part, KNI_KEY_RADIUS)) {
        body.radius = part->radius;
    }
    if (kni_part_has(part, KNI_KEY_FACING)) {
        body.facing = part->facing;
    }
    return kn_grid_set_body(run->grid, entity, &body);
}

static kn_result relate_entity(kn_scenario_run *run, kn_entity_id entity, const kni_part *part)
{
    kn_result result = KN_OK;
    if (kni_part_has(part, KNI_KEY_OWNER)) {
        kn_entity_id owner = kni_run_entity(run, part->owner);
        result = first_bad(result, kn_entity_set_owner(run->world, entity, owner));
    }
    if (kni_part_has(part, KNI_KEY_PARENT)) {
        kn_entity_id parent = kni_run_entity(run, part->parent);
        result = first_bad(result, kn_entity_set_parent(run->world, entity, parent));
    }
    if (kni_part_has(part, KNI_KEY_AVATAR)) {
        kn_entity_id avatar = kni_run_entity(run, part->avatar);
        result = first_bad(result, kn_entity_set_avatar(run->world, entity, avatar));
    }
    if (kni_part_has(part, KNI_KEY_CONNECTION)) {
        result = first_bad(result,
            run->sessions != NULL ? kni_sessions_control(run, entity, part->controller)
                                  : kn_entity_set_connection(run->world, entity, part->connection));
    }
    return result;
}

static kn_result equip_entity(kn_scenario_run *run, kn_entity_id entity, const kni_part *part)
{
    kn_world *world = run->world;
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < part->sets.count; i++) {
        kn_attribute_set_id set = {part->sets.data[i]};
        result = kn_attribute_set_add(world, entity, set, 0);
    }
    if (result == KN_OK && part->group != NULL) {
        uint32_t level = part->level > 0.0f && part->level < 1e6f ? (uint32_t)part->level : 1;
        result = kn_attribute_init_group(world, entity, part->group, level, 0);
    }
    for (uint32_t i = 0; result == KN_OK && i < part->attributes.count; i++) {
        const kni_attribute_bounds *one = &part->attributes.data[i];
        result = kn_attribute_init(world, entity, one->attribute, 0, one->bounds.value);
    }
    for (uint32_t i = 0; result == KN_OK && i < part->tag_counts.count; i++) {
        const kni_tag_amount *amount = &part->tag_counts.data[i];
        result = kn_entity_add_tag(world, entity, amount->tag, KN_TAG_ORIGIN_LOOSE_SYNCED,
            amount->has_count ? amount->count : 1);
    }
    for (uint32_t i = 0; result == KN_OK && i < part->abilities.count; i++) {
        const kni_levelled *one = &part->abilities.data[i];
        kn_ability_grant_def def = kn_ability_grant_def_default();
        def.type.index1 = one->type;
        def.level = one->level;
        def.input = one->input;
        kn_ability_id ability;
        result = kn_ability_grant(world, entity, &def, &ability);
    }
    for (uint32_t i = 0; result == KN_OK && i < part->effects.count; i++) {
        const kni_levelled *one = &part->effects.data[i];
        kn_effect_type_id type = {one->type};
        result = kn_effect_apply_simple(world, type, entity, entity, one->level, NULL);
    }
    if (result == KN_OK && kni_part_has(part, KNI_KEY_SYNC)) {
        result = kni_sessions_set_mode(run, entity, part->sync);
    }
    return result == KN_OK ? place_entity(run, entity, part) : result;
}

static kn_result spawn_entity(kn_scenario_run *run, const kni_part *part, kn_entity_id *out)
{
    kn_entity_id entity = {0};
    kn_archetype_id archetype = {part->archetype};
    float level = kni_part_has(part, KNI_KEY_LEVEL) ? part->level : 1.0f;
    kn_result result = part->archetype > 0
                           ? kn_archetype_spawn(run->world, archetype, level, &entity)
                           : kn_entity_create(run->world, &entity);
    *out = entity;
    name_bind(run, part, kn_entity_id_pack(entity));
    if (result == KN_OK && kni_part_has(part, KNI_KEY_USER)) {
        result = kn_entity_set_user(run->world, entity, part->user);
    }
    if (result == KN_OK) {
        result = equip_entity(run, entity, part);
    }
    return result;
}

// In a timeline those it names are there.
static kn_result act_spawn(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity;
    kn_result result = spawn_entity(run, part, &entity);
    return result == KN_OK ? relate_entity(run, entity, part) : result;
}

kn_result kni_run_populate(kn_scenario_run *run, const kni_part *const *entities, uint32_t count)
{
    kn_result broken = KN_OK;
    for (uint32_t i = 0; i < count && broken == KN_OK; i++) {
        kni_part part = *entities[i];
        part.verb = KNI_VERB_SPAWN;
        kn_entity_id entity;
        expect_result(run, &part, spawn_entity(run, &part, &entity));
        broken = run->broken;
    }
    // Afterwards, since they may name each other.
    for (uint32_t i = 0; i < count && broken == KN_OK; i++) {
        kni_part part = *entities[i];
        part.verb = KNI_VERB_RELATE;
        part.entity = part.as;
        expect_result(run, &part, relate_entity(run, kni_run_entity(run, part.as), &part));
        broken = run->broken;
    }
    return broken;
}

static kn_result act_move(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    return kn_entity_is_alive(run->world, entity) ? place_entity(run, entity, part)
                                                  : KN_REFUSED_STALE_ID;
}

// A name that stands for nobody is not the same as no name.
static kn_result act_start_timer(kn_scenario_run *run, const kni_part *part)
{
    kn_entity_id entity = kni_run_entity(run, part->entity);
    kn_timer_type_id type = {part->timer_type};
    kn_timer_id timer = {0};
    kn_result result = KN_REFUSED_STALE_ID;
    if (part->entity == 0 || kn_entity_is_alive(run->world, entity)) {
        result = kn_timer_start(run->world, type, entity, part->delay, NULL, &timer);
    }
    name_bind(run, part, kn_timer_id_pack(timer));
    return result;
}

static kn_result act_stop_timer(kn_scenario_run *run, const kni_part *part)
{
    kn_timer_id timer = kn_timer_id_unpack(kni_run_packed(run, part->timer));
    return kn_timer_cancel(run->world, timer) ? KN_OK : KN_REFUSED_STALE_ID;
}

// All of them ---------------------------------------------------------------

static kn_result act_simple(kn_scenario_run *run, const kni_part *part)
{
    kn_world *world = run->world;
    kn_entity_id entity = kni_run_entity(run, part->entity);
    switch (part->verb) {
    case KNI_VERB_AIM:
        return kn_targeting_step(world, part->duration);
    case KNI_VERB_BIND:
        return kn_input_bind(world, entity, part->confirm, part->cancel);
    case KNI_VERB_BLOCK:
        return kn_abilities_block(
            world, entity, part->tags, kni_run_entity(run, part->from), part->block_key);
    case KNI_VERB_UNBLOCK:
        return kn_abilities_unblock(
            world, entity, part->tags, kni_run_entity(run, part->from), part->block_key);
    case KNI_VERB_CANCEL_INPUT:
        return kn_input_cancel(world, entity);
    case KNI_VERB_CONFIRM:
        return kn_input_confirm(world, entity);
    case KNI_VERB_DESTROY:
        return kn_entity_destroy(world, entity) ? KN_OK : KN_REFUSED_STALE_ID;
    case KNI_VERB_END:
        return kn_activation_end(world, kni_run_activation(run, part));
    case KNI_VERB_MOVEMENT:
        return kn_host_movement_mode(world, entity, part->mode);
    case KNI_VERB_OVERLAP:
        return kn_host_overlap(world, entity, kni_run_entity(run, part->other));
    case KNI_VERB_REFUND:
        return kn_activation_refund(world, kni_run_activation(run, part), part->share);
    case KNI_VERB_RELATE:
        return relate_entity(run, entity, part);
    case KNI_VERB_RELEASE:
        return kn_input_release(world, entity, part->input);
    case KNI_VERB_SUPPRESS_CUES:
        return kn_entity_suppress_cues(world, entity, part->on);
    case KNI_VERB_FREEZE:
    case KNI_VERB_JOIN:
    case KNI_VERB_LEAVE:
    case KNI_VERB_NETWORK:
    case KNI_VERB_SIGHT:
        return kni_sessions_act(run, part);
    case KNI_VERB_SYNC:
        return kni_sessions_set_mode(run, entity, part->sync);
    default:
        return KN_ERROR_INVALID_ARGUMENT;
    }
}

typedef kn_result act_fn(kn_scenario_run *run, const kni_part *part);

static kn_result act_once(kn_scenario_run *run, const kni_part *part)
{
    static act_fn *const functions[KNI_VERB_COUNT] = {
        [KNI_VERB_ACTIVATE] = act_activate,
        [KNI_VERB_ADD_SETS] = act_sets,
        [KNI_VERB_ADD_TAGS] = act_tags,
        [KNI_VERB_APPLY] = act_apply,
        [KNI_VERB_CANCEL] = act_cancel,
        [KNI_VERB_CHANGE] = act_change,
        [KNI_VERB_CHANGE_SPEC] = act_change_spec,
        [KNI_VERB_CHARGES] = act_charges,
        [KNI_VERB_COMMIT] = act_commit,
        [KNI_VERB_CONTAINER] = act_container,
        [KNI_VERB_CUE] = act_cue,
        [KNI_VERB_DESTROY_SPEC] = act_destroy_spec,
        [KNI_VERB_GRANT] = act_grant,
        [KNI_VERB_GRANT_ONCE] = act_grant_once,
        [KNI_VERB_INIT] = act_attributes,
        [KNI_VERB_ISSUE] = act_issue,
        [KNI_VERB_MOVE] = act_move,
        [KNI_VERB_PRESS] = act_press,
        [KNI_VERB_PROVIDE] = act_provide,
        [KNI_VERB_REMOVE] = act_remove,
        [KNI_VERB_REMOVE_CUES] = act_remove_cues,
        [KNI_VERB_REMOVE_SETS] = act_sets,
        [KNI_VERB_REMOVE_TAGS] = act_tags,
        [KNI_VERB_RESCHEDULE] = act_reschedule,
        [KNI_VERB_REVOKE] = act_revoke,
        [KNI_VERB_RUN] = act_run,
        [KNI_VERB_SEND] = act_send,
        [KNI_VERB_SET] = act_attributes,
        [KNI_VERB_SET_LEVEL] = act_set_level,
        [KNI_VERB_SET_TAGS] = act_tags,
        [KNI_VERB_SPAWN] = act_spawn,
        [KNI_VERB_SPEC] = act_spec,
        [KNI_VERB_START_TIMER] = act_start_timer,
        [KNI_VERB_STOP_TIMER] = act_stop_timer,
    };
    if (part->machine > 0) {
        return kni_sessions_act(run, part);
    }
    if (part->verb == KNI_VERB_CALL) {
        return kni_call_act(run, part);
    }
    act_fn *function = functions[part->verb];
    return function != NULL ? function(run, part) : act_simple(run, part);
}

static void trace_action(kn_scenario_run *run, const kni_part *part, kn_result result)
{
    if (run->quiet) {
        return;
    }
    run->counts.actions++;
    if (run->def.trace != NULL) {
        char text[KNI_LINE_SIZE];
        kni_line line = {text, sizeof(text), 0};
        kni_action_print(run, part, &line);
        kn_scenario_trace trace = {.kind = KN_SCENARIO_TRACE_ACTION,
            .time = run->now,
            .world = run->world,
            .file = part->place.file != NULL ? part->place.file : "",
            .line = part->place.line,
            .column = part->place.column,
            .text = text,
            .result = result};
        run->def.trace(run->def.user, run, &trace);
    }
}

void kni_run_act(kn_scenario_run *run, const kni_part *part)
{
    uint32_t times = kni_part_has(part, KNI_KEY_TIMES) ? part->times : 1;
    for (uint32_t i = 0; i < times && run->broken == KN_OK; i++) {
        kn_result result = act_once(run, part);
        trace_action(run, part, result);
        expect_result(run, part, result);
    }
}
