// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What must be true of abilities, their activations and tasks.

#include "buffer.h"
#include "scenario_expect.h"

#include <stdio.h>

// Abilities -----------------------------------------------------------------

static void refusal_test(const kni_look *at, kn_ability_id ability, const char *whose)
{
    const kni_part *part = at->part;
    if (!kni_look_has(at, KNI_KEY_REFUSED) && !kni_look_has(at, KNI_KEY_READY)) {
        return; // hooks are not asked for nothing
    }
    // Whether it can be used, whoever its target will be.
    uint32_t fails = kn_ability_check(at->run->world, ability, NULL) & ~(uint32_t)KN_FAIL_NO_TARGET;
    uint32_t before = at->out->count;
    if (kni_look_has(at, KNI_KEY_REFUSED) && fails != part->refused) {
        const kn_library *library = kn_world_library(at->run->world);
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s is refused: ", whose);
        kni_fails_print(&difference->expected, library, part->refused);
        kni_line_add(&difference->found, "the reasons are: ");
        kni_fails_print(&difference->found, library, fails);
    }
    (void)kni_test_bool(
        at, KNI_KEY_READY, part->ready, fails == 0, whose, "is ready", "is not ready");
    kni_explain_ability(at->run, ability, kni_why_since(at, before));
}

static void cooldown_test(const kni_look *at, kn_ability_id ability, const char *whose)
{
    const kni_part *part = at->part;
    kn_time remaining = 0, total = 0;
    kn_cooldown_info info = {0};
    (void)kn_ability_cooldown(at->run->world, ability, &remaining, &total);
    (void)kn_ability_charges(at->run->world, ability, (kn_tag){part->cooldown_key}, &info);
    uint32_t before = at->out->count;
    kni_test_time(at, KNI_KEY_COOLDOWN, part->cooldown, remaining, "the cooldown", whose);
    kni_test_time(at, KNI_KEY_TOTAL, part->total, total, "the whole cooldown", whose);
    kni_test_whole(at, KNI_KEY_CHARGES, part->charges, info.charges, "charges", whose);
    kni_explain_ability(at->run, ability, kni_why_since(at, before));
}

#define COSTS_MAX 32

static void costs_test(const kni_look *at, kn_ability_id ability, const char *whose)
{
    kn_cost_quote quotes[COSTS_MAX];
    uint32_t count = kn_ability_quote(at->run->world, ability, quotes, COSTS_MAX);
    for (uint32_t i = 0; i < at->part->costs.count; i++) {
        const kni_attribute_bounds *one = &at->part->costs.data[i];
        float amount = 0.0f;
        for (uint32_t k = 0; k < count && k < COSTS_MAX; k++) {
            bool is_it = kn_attribute_id_equal(quotes[k].attribute, one->attribute);
            amount = is_it ? quotes[k].amount : amount;
        }
        char what[KNI_LINE_SIZE];
        (void)snprintf(what, sizeof(what), "the cost in %s",
            kn_attribute_name(at->run->scenario->library, one->attribute));
        kni_test_f32(at, KNI_KEY_COSTS, one->bounds.value, amount, what, whose);
    }
}

static void ability_fields_test(
    const kni_look *at, kn_ability_id ability, const kn_ability_info *info, const char *whose)
{
    const kni_part *part = at->part;
    uint32_t before = at->out->count;
    (void)kni_test_bool(at, KNI_KEY_ACTIVE, part->active, info->active_count > 0, whose,
        "is active", "is not active");
    kni_test_f32(at, KNI_KEY_LEVEL, part->level, info->level, "the level", whose);
    kni_test_whole(
        at, KNI_KEY_COUNT, part->count, info->active_count, "the number of activations", whose);
    kni_why_event(at->run, kni_why_since(at, before), info->owner, KN_EVENT_ABILITY_GRANTED,
        KN_EVENT_ABILITY_FAILED, 0);
    (void)kni_test_bool(at, KNI_KEY_PRESSED, part->pressed, info->is_pressed, whose, "is held down",
        "is not held down");
    kni_test_whole(at, KNI_KEY_INPUT, part->input, info->input, "the input", whose);
    if (!kn_ability_is_alive(at->run->world, ability)) {
        return;
    }
    refusal_test(at, ability, whose);
    cooldown_test(at, ability, whose);
    costs_test(at, ability, whose);
    if (kni_look_has(at, KNI_KEY_EXPLANATION) && !kni_look_has(at, KNI_KEY_ATTRIBUTE)) {
        char text[2 * KNI_WHY_SIZE];
        (void)kn_ability_explain_print(at->run->world, ability, NULL, text, sizeof(text));
        kni_test_explanation(at, text, whose);
    }
}

void kni_test_ability(const kni_look *at)
{
    const kni_part *part = at->part;
    bool by_name = part->ability.name > 0;
    if (!by_name && part->ability.type == 0) {
        return;
    }
    char whose[KNI_LINE_SIZE];
    const char *text =
        by_name ? kni_run_name_text(at->run, part->ability.name)
                : kn_def_name(at->run->scenario->library, KN_DEF_ABILITY, part->ability.type);
    (void)snprintf(whose, sizeof(whose), by_name ? "%s" : "%s of %s", text, kni_look_entity(at));
    kn_ability_info info = {0};
    kn_ability_id ability = kni_run_ability(at->run, part);
    bool found = kn_ability_get(at->run->world, ability, &info);
    bool wanted = kni_look_has(at, KNI_KEY_GRANTED) ? part->granted : true;
    if (found != wanted) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s is %s", whose, wanted ? "granted" : "not granted");
        kni_line_add(&difference->found, "it is%s", found ? "" : " not");
        return;
    }
    ability_fields_test(at, ability, &info, whose);
}

void kni_test_ability_tags(const kni_look *at)
{
    if (!kni_look_has(at, KNI_KEY_ABILITY_TAGS)) {
        return;
    }
    const kni_part *part = at->part;
    kn_ability_query query = kn_ability_query_default();
    query.all_tags = part->ability_tags;
    query.meets_tags = part->meets_tags;
    query.is_active = kni_look_has(at, KNI_KEY_ACTIVE) && part->active;
    uint32_t count =
        kn_abilities_find(at->run->world, kni_run_entity(at->run, part->entity), &query, NULL, 0);
    kni_test_whole(
        at, KNI_KEY_COUNT, part->count, count, "the number of such abilities", kni_look_entity(at));
}

// Activations ---------------------------------------------------------------

// Tasks of the kind and name that are asked for; `first` is the one that is due first. False
// without memory.
static bool tasks_find(
    const kni_look *at, kn_activation_id activation, uint32_t *found, kn_task_info *first)
{
    const kn_scenario_run *run = at->run;
    const kni_part *part = at->part;
    uint32_t all = kn_tasks(run->world, activation, NULL, 0);
    size_t size = ((size_t)all + 1) * sizeof(kn_task_id);
    kn_task_id *tasks = kn_memory_resize(&run->hooks, NULL, 0, size);
    if (tasks == NULL) {
        return false;
    }
    (void)kn_tasks(run->world, activation, tasks, all);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all; i++) {
        kn_task_info info;
        bool is_it = kn_task_get(run->world, tasks[i], &info) &&
                     (part->task == 0 || (uint32_t)info.kind == part->task) &&
                     (part->task_name == 0 || info.name.index1 == part->task_name);
        if (is_it && (count == 0 || info.due < first->due)) {
            *first = info;
        }
        count += is_it;
    }
    kn_memory_free(&run->hooks, tasks, size);
    *found = count;
    return true;
}

static void tasks_test(const kni_look *at, kn_activation_id activation, const char *whose)
{
    const kn_world *world = at->run->world;
    kn_task_info first = {0};
    uint32_t count;
    if (!tasks_find(at, activation, &count, &first)) {
        kni_line_add(
            &kni_differ(at)->found, "there is not enough memory for the tasks of %s", whose);
        return;
    }
    bool is_asked = kni_look_has(at, KNI_KEY_TASK) || kni_look_has(at, KNI_KEY_TASK_NAME);
    if (is_asked && count == 0 && !kni_look_has(at, KNI_KEY_TASKS)) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s has such a task", whose);
        kni_line_add(&difference->found, "it has %u others", kn_tasks(world, activation, NULL, 0));
        return;
    }
    kni_test_whole(at, KNI_KEY_TASKS, at->part->tasks, count, "the number of tasks", whose);
    kn_time left = first.due == KN_TIME_INFINITE ? first.due : first.due - kn_world_now(world);
    if (count > 0) {
        kni_test_time(
            at, KNI_KEY_REMAINING, at->part->remaining, left, "the time left of that task", whose);
    }
}

static void paid_test(const kni_look *at, kn_activation_id activation, const char *whose)
{
    for (uint32_t i = 0; i < at->part->paid.count; i++) {
        const kni_attribute_bounds *one = &at->part->paid.data[i];
        char what[KNI_LINE_SIZE];
        (void)snprintf(what, sizeof(what), "what was paid in %s",
            kn_attribute_name(at->run->scenario->library, one->attribute));
        kni_test_f32(at, KNI_KEY_PAID, one->bounds.value,
            kn_activation_paid(at->run->world, activation, one->attribute), what, whose);
    }
}

static void tags_are_test(const kni_look *at, kn_tags found, const char *whose)
{
    const kni_part *part = at->part;
    const kn_library *library = at->run->scenario->library;
    char text[KNI_LINE_SIZE];
    bool ok = !kni_look_has(at, KNI_KEY_TAGS) || part->tags.count == found.count;
    for (uint32_t i = 0; ok && i < part->tags.count; i++) {
        bool is_there = false;
        for (uint32_t k = 0; k < found.count; k++) {
            is_there |= found.data[k].index1 == part->tags.data[i].index1;
        }
        ok = is_there;
    }
    if (!ok) {
        kni_difference *difference = kni_differ(at);
        (void)kn_tags_print(library, part->tags, text, sizeof(text));
        kni_line_add(
            &difference->expected, "the tags of %s are %s", whose, text[0] != 0 ? text : "none");
        (void)kn_tags_print(library, found, text, sizeof(text));
        kni_line_add(&difference->found, "they are %s", text[0] != 0 ? text : "none");
    }
}

static void number_test(const kni_look *at, kni_key key, kn_def_kind kind, uint32_t wanted,
    uint32_t found, const char *whose)
{
    const kn_library *library = at->run->scenario->library;
    if (!kni_look_has(at, key) || wanted == found) {
        return;
    }
    kni_difference *difference = kni_differ(at);
    kni_line_add(&difference->expected, "the %s of %s is %s", kn_kind_name(library, kind), whose,
        kn_def_name(library, kind, wanted));
    kni_line_add(
        &difference->found, "it is %s", found > 0 ? kn_def_name(library, kind, found) : "none");
}

// What an activation was started with.
static void record_test(
    const kni_look *outer, const kni_part *part, kn_activation_id activation, const char *name)
{
    kn_event_record record;
    if (part == NULL) {
        return;
    }
    if (!kn_activation_event(outer->run->world, activation, &record)) {
        kni_difference *difference = kni_differ(outer);
        kni_line_add(&difference->expected, "%s was started with an event", name);
        kni_line_add(&difference->found, "it was not");
        return;
    }
    kni_look inner = {outer->run, part, outer->out};
    const kni_look *at = &inner;
    char whose[KNI_LINE_SIZE];
    (void)snprintf(whose, sizeof(whose), "the event of %s", name);
    kn_target_view view = {record.data, record.data_size};
    number_test(at, KNI_KEY_TAG, KN_DEF_TAG, part->tag, record.tag.index1, whose);
    number_test(at, KNI_KEY_KIND, KN_DEF_EVENT_KIND, part->kind, record.kind.index1, whose);
    kni_test_name(
        at, KNI_KEY_INSTIGATOR, part->instigator, record.instigator, "the instigator", whose);
    kni_test_name(at, KNI_KEY_TARGET, part->target, record.target, "the target", whose);
    kni_test_f32(at, KNI_KEY_MAGNITUDE, part->magnitude, record.magnitude, "the magnitude", whose);
    kni_test_whole(at, KNI_KEY_OBJECT, part->object, record.object, "the object", whose);
    tags_are_test(at, record.tags, whose);
    kni_test_targets(at, part, view, whose);
}

static void mode_test(const kni_look *at, kn_activation_id activation, const char *whose)
{
    uint32_t mode = (uint32_t)kn_activation_get_mode(at->run->world, activation);
    uint32_t wanted = at->part->activation_mode;
    if (!kni_look_has(at, KNI_KEY_ACTIVATION_MODE) || mode == wanted) {
        return;
    }
    kni_words words;
    kni_words_of(KNI_WORDS_MODE, &words);
    kni_difference *difference = kni_differ(at);
    kni_line_add(&difference->expected, "the mode of %s is %s", whose, words.items[wanted]);
    kni_line_add(
        &difference->found, "it is %s", words.items[mode] != NULL ? words.items[mode] : "none");
}

static void activation_state_test(
    const kni_look *at, kn_activation_id activation, const char *whose)
{
    kn_ability_info info = {0};
    (void)kn_ability_get(at->run->world, kn_activation_ability(at->run->world, activation), &info);
    const kn_ability_def *def =
        kn_def_get(at->run->scenario->library, KN_DEF_ABILITY, info.type.index1);
    kni_fields_of of = {0};
    if (def != NULL) {
        of = (kni_fields_of){
            .name = whose, .fields = def->state_fields, .count = def->state_field_count};
    }
    kni_test_state(at, of, kn_activation_state(at->run->world, activation), whose);
}

// One that has a name, or the one of an ability that began last if something is asked about it.
void kni_test_activation(const kni_look *at)
{
    static const kni_key keys[] = {KNI_KEY_TASK, KNI_KEY_TASK_NAME, KNI_KEY_TASKS, KNI_KEY_AGE,
        KNI_KEY_ACTIVATION_MODE, KNI_KEY_STARTED_WITH, KNI_KEY_PAID};
    const kni_part *part = at->part;
    const kn_world *world = at->run->world;
    bool of_effect = part->effect.name > 0 || part->effect.type > 0;
    bool is_asked = part->activation > 0 || (kni_look_has(at, KNI_KEY_STATE) && !of_effect);
    for (uint32_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        is_asked |= kni_look_has(at, keys[i]);
    }
    if (!is_asked) {
        return;
    }
    const char *whose =
        part->activation > 0 ? kni_run_name_text(at->run, part->activation) : "the activation";
    kn_activation_id activation = kni_run_activation(at->run, part);
    bool wanted = kni_look_has(at, KNI_KEY_ACTIVE) ? part->active : true;
    bool found = kn_activation_is_alive(world, activation);
    if (wanted != found) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s %s", whose, wanted ? "is active" : "is over");
        kni_line_add(&difference->found, "%s", found ? "it is active" : "it is over");
        return;
    }
    if (!found) {
        return;
    }
    kn_time age = kn_world_now(world) - kn_activation_start(world, activation);
    tasks_test(at, activation, whose);
    kni_test_time(at, KNI_KEY_AGE, part->age, age, "the age", whose);
    mode_test(at, activation, whose);
    record_test(at, part->started_with, activation, whose);
    paid_test(at, activation, whose);
    if (!of_effect) {
        activation_state_test(at, activation, whose);
    }
}
