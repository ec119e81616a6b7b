// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Log lines about abilities and tasks, and which activations are idle.

#include "ability/task.h"
#include "world/log.h"
#include "world/names.h"

#include <string.h>

// Whether a timer of a rule has the activation in its data, and so will act on it.
static bool timer_names(const kn_world *world, uint32_t slot)
{
    kn_activation_id id = kni_activation_id_of(world, slot);
    for (uint32_t i = kni_pool_next(&world->timers, 0); i != KNI_NONE;
         i = kni_pool_next(&world->timers, i + 1)) {
        const kni_rule_timer *timer = (const kni_rule_timer *)(void *)world->timers.records + i;
        for (uint32_t at = 0; at + sizeof(id) <= KN_TIMER_DATA_SIZE; at += 4) {
            if (memcmp(timer->data + at, &id, sizeof(id)) == 0) {
                return true;
            }
        }
    }
    return false;
}

// Whether nothing but a timer of a rule will end an activation.
static bool seems_idle(const kn_world *world, uint32_t slot)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    const kni_ability *ability = kni_ability_at(world, activation->ability);
    const kn_ability_def *def = &kni_ability_type_at(world->library, ability->type)->def;
    bool is_passing = (activation->flags & (KNI_ACTIVATION_STARTING | KNI_ACTIVATION_ENDING)) != 0;
    bool by_presence = (activation->flags & KNI_ACTIVATION_BY_PRESENCE) != 0;
    bool by_input =
        ability->input != 0 && (def->input_pressed != NULL || def->input_released != NULL);
    bool by_server =
        world->def.is_client && def->net_execution == KN_NET_EXECUTION_SERVER_INITIATED;
    if (is_passing || by_presence || by_input || by_server || def->activates_on_grant) {
        return false;
    }
    for (uint32_t i = 0; i < activation->tasks.count; i++) {
        const kni_task *task =
            kni_task_at(world, *KNI_SPAN_AT(world, activation->tasks, uint32_t, i));
        if ((task->flags & KNI_TASK_STARTED) != 0) {
            return false;
        }
    }
    return true;
}

bool kni_activation_is_idle(const kn_world *world, uint32_t slot)
{
    return seems_idle(world, slot) && !timer_names(world, slot);
}

static bool idle_is_told(const kn_world *world, uint32_t slot)
{
    uint32_t type = kni_ability_at(world, kni_activation_at(world, slot)->ability)->type;
    return (world->log.idle_told[type / 64] >> type % 64 & 1) != 0;
}

bool kni_idle_mark(const kn_world *world, bool is_for_log)
{
    uint32_t count = 0;
    for (uint32_t i = kni_pool_next(&world->activations, 0); i != KNI_NONE;
         i = kni_pool_next(&world->activations, i + 1)) {
        uint16_t *flags = &kni_activation_at(world, i)->flags;
        *flags &= (uint16_t)~KNI_ACTIVATION_IDLE;
        if (!(is_for_log && idle_is_told(world, i)) && seems_idle(world, i)) {
            *flags |= KNI_ACTIVATION_IDLE;
            count++;
        }
    }
    for (uint32_t i = count > 0 ? kni_pool_next(&world->timers, 0) : KNI_NONE; i != KNI_NONE;
         i = kni_pool_next(&world->timers, i + 1)) {
        const kni_rule_timer *timer = kni_pool_at(&world->timers, i);
        kn_activation_id id;
        for (uint32_t at = 0; at + sizeof(id) <= KN_TIMER_DATA_SIZE; at += 4) {
            memcpy(&id, timer->data + at, sizeof(id));
            uint32_t slot = kni_activation_find(world, id);
            if (slot != KNI_NONE) {
                kni_activation_at(world, slot)->flags &= (uint16_t)~KNI_ACTIVATION_IDLE;
            }
        }
    }
    return count > 0;
}

const char *kni_task_kind_word(uint32_t kind)
{
    static const char *const words[KN_TASK_KIND_COUNT] = {
        [0] = "",
        [KN_TASK_DELAY] = "delay",
        [KN_TASK_REPEAT] = "repeat",
        [KN_TASK_EVENT] = "wait for event",
        [KN_TASK_TAG_ADDED] = "wait for tag",
        [KN_TASK_TAG_REMOVED] = "wait for loss of tag",
        [KN_TASK_TAG_QUERY] = "wait for tags",
        [KN_TASK_ATTRIBUTE] = "wait for change of",
        [KN_TASK_THRESHOLD] = "wait for threshold of",
        [KN_TASK_EFFECT_APPLIED] = "wait for effect",
        [KN_TASK_EFFECT_REMOVED] = "wait for end of effect",
        [KN_TASK_EFFECT_STACKS] = "wait for stacks of effect",
        [KN_TASK_ABILITY_ACTIVATED] = "wait for ability",
        [KN_TASK_ABILITY_COMMITTED] = "wait for commit",
        [KN_TASK_ABILITY_ENDED] = "wait for end of ability",
        [KN_TASK_INPUT_PRESSED] = "wait for press",
        [KN_TASK_INPUT_RELEASED] = "wait for release",
        [KN_TASK_CONFIRM] = "wait for confirmation",
        [KN_TASK_OVERLAP] = "wait for overlap",
        [KN_TASK_MOVEMENT] = "wait for movement mode",
        [KN_TASK_ANIMATION] = "animation",
        [KN_TASK_SPAWN] = "spawn",
        [KN_TASK_MOTION] = "motion",
        [KN_TASK_STATE] = "state",
        [KN_TASK_NET_SYNC] = "sync point",
        [KN_TASK_TARGET] = "targeting",
        [KN_TASK_CUE] = "cue",
        [KN_TASK_CUSTOM] = "task",
    };
    return words[kind];
}

bool kni_task_subject(
    const kn_world *world, const kni_task *task, uint32_t index, const char **name)
{
    const struct {
        kn_def_kind kind;
        uint32_t index1;
    } subjects[] = {{KN_DEF_TAG, task->tag}, {KN_DEF_ATTRIBUTE, task->attribute},
        {KN_DEF_TASK, task->type1}, {KN_DEF_ANIMATION, task->animation},
        {KN_DEF_TARGETING, task->targeting}, {KN_DEF_NAME, task->name}};
    for (uint32_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++) {
        if (subjects[i].index1 != 0 && index-- == 0) {
            *name = kni_ref_name(world->library, subjects[i].kind, subjects[i].index1);
            return true;
        }
    }
    return false;
}

void kni_text_task(kni_text *text, const kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    kni_text_str(text, kni_task_kind_word(task->kind));
    const char *name;
    for (uint32_t i = 0; kni_task_subject(world, task, i, &name); i++) {
        kni_text_char(text, ' ');
        kni_text_str(text, name);
    }
    if ((task->flags & KNI_TASK_STARTED) == 0) {
        kni_text_str(text, ", not started");
    } else if (kni_task_due(task) != KN_TIME_INFINITE) {
        kni_text_str(text, ", due in ");
        kni_text_seconds(text, kni_task_due(task) - world->now);
    }
}

// "Activation.Fail.OnCooldown, Activation.Fail.CantAffordCost"
static void text_fail_tags(kni_text *text, const kn_world *world, uint32_t reasons)
{
    kn_tag tags[32];
    uint32_t count = kn_ability_fail_tags(world, reasons, tags, 32);
    kni_text_tags(text, world, (kn_tags){tags, count});
    kni_text_str(text, count > 0 ? ": " : "");
}

void kni_log_refusal(kn_world *world, uint32_t slot, const struct kn_check_answer *answer,
    bool is_asked, const struct kni_price *price)
{
    uint32_t reasons = answer->plain | answer->reasons;
    kn_entity_id owner = kni_component_entity(world, kni_ability_at(world, slot)->component);
    const char *name = kni_type_of_ability(world, slot)->name;
    bool is_request = is_asked && !world->def.is_client;
    char line[KNI_LOG_LINE_SIZE];
    kni_text text;
    kni_log_begin(world, &text, line, owner);
    kni_text_str(&text, is_request             ? "client activation of "
                        : world->def.is_client ? "activation of "
                                               : "");
    kni_text_str(&text, name);
    kni_text_str(&text, is_request             ? " rejected: "
                        : world->def.is_client ? " failed: "
                                               : " refused: ");
    text_fail_tags(&text, world, reasons);
    kni_text_refusal(&text, world, slot, answer, price);
    kni_log_line(world, KN_LOG_ABILITIES, KN_LOG_INFO, kn_fail_result(reasons), line);
}

void kni_log_rejected(kn_world *world, uint32_t slot)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    char line[KNI_LOG_LINE_SIZE];
    kni_text text;
    kni_log_begin(world, &text, line,
        kni_component_entity(world, kni_ability_at(world, activation->ability)->component));
    kni_text_str(&text, "activation of ");
    kni_text_str(&text, kni_type_of_ability(world, activation->ability)->name);
    kni_text_str(&text, " failed, key ");
    kni_text_u64(&text, (uint32_t)activation->number);
    kni_text_str(&text, ": rejected by the server");
    kni_log_line(world, KN_LOG_ABILITIES, KN_LOG_INFO, KN_OK, line);
}

void kni_log_task(kn_world *world, uint32_t slot, const char *what)
{
    uint32_t ability = kni_activation_at(world, kni_task_at(world, slot)->activation)->ability;
    char line[KNI_LOG_LINE_SIZE];
    kni_text text;
    kni_log_begin(
        world, &text, line, kni_component_entity(world, kni_ability_at(world, ability)->component));
    kni_text_str(&text, kni_type_of_ability(world, ability)->name);
    kni_text_str(&text, " task ");
    kni_text_str(&text, what);
    kni_text_str(&text, ": ");
    kni_text_task(&text, world, slot);
    kni_log_line(world, KN_LOG_TASKS, KN_LOG_VERBOSE, KN_OK, line);
}

void kni_log_batch(kn_world *world, uint32_t ability, const char *what)
{
    char line[KNI_LOG_LINE_SIZE];
    kni_text text;
    kni_log_begin(
        world, &text, line, kni_component_entity(world, kni_ability_at(world, ability)->component));
    kni_text_str(&text, "batch of ");
    kni_text_str(&text, kni_type_of_ability(world, ability)->name);
    kni_text_char(&text, ' ');
    kni_text_str(&text, what);
    kni_log_line(world, KN_LOG_NETWORK, KN_LOG_INFO, KN_OK, line);
}

void kni_log_idle(kn_world *world)
{
    uint32_t first = kni_idle_mark(world, true) ? kni_pool_next(&world->activations, 0) : KNI_NONE;
    for (uint32_t i = first; i != KNI_NONE; i = kni_pool_next(&world->activations, i + 1)) {
        const kni_ability *ability = kni_ability_at(world, kni_activation_at(world, i)->ability);
        if ((kni_activation_at(world, i)->flags & KNI_ACTIVATION_IDLE) == 0 ||
            idle_is_told(world, i)) {
            continue;
        }
        world->log.idle_told[ability->type / 64] |= UINT64_C(1) << ability->type % 64;
        char line[KNI_LOG_LINE_SIZE];
        kni_text text;
        kni_log_begin(world, &text, line, kni_component_entity(world, ability->component));
        kni_text_str(&text, kni_ability_type_at(world->library, ability->type)->name);
        kni_text_str(&text, " is active but waits for nothing: does it forget to end?");
        kni_log_line(world, KN_LOG_ABILITIES, KN_LOG_INFO, KN_OK, line);
    }
}
