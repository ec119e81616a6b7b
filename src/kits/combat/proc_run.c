// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an event does to the procs of an entity: the tests, the roll, the actions. Items are found
// again after every call that may move them; instances come and go only by rules, which run when
// the event is over.

#include "parts.h"

#include <math.h>

#define EVENT_COOKIE 0x7665706bu
#define RECIPIENTS_MAX (KN_TARGET_BYTES_MAX / sizeof(kn_entity_id)) // no data has more

kn_proc_event kn_proc_event_default(void)
{
    kn_proc_event event = {.cookie = EVENT_COOKIE};
    return event;
}

// Tests -----------------------------------------------------------------------------

proc_chain knc_proc_chain_of(const kn_world *world)
{
    const proc_ids *ids = &knc_combat_of_world(world)->proc;
    proc_chain chain = {0};
    kn_cause_info info;
    for (kn_cause cause = kn_world_cause(world); kn_cause_get(world, cause, &info);
         cause = info.parent) {
        if (info.kind != KN_CAUSE_CUSTOM || info.custom.index1 != ids->cause.index1) {
            continue;
        }
        chain.is_suppressed |= info.tag.index1 == ids->no_procs.index1;
        if (chain.count < PROC_CHAIN_MAX) {
            chain.procs[chain.count++] = info.def1;
        }
    }
    return chain;
}

bool knc_proc_at(const kn_world *world, proc_try *try, uint32_t index)
{
    const kn_library *library = kn_world_library(world);
    uint32_t count;
    const proc_item *items =
        kn_component_read_items(world, knc_combat_of(library)->proc.procs, try->bearer, &count);
    if (items == NULL || index >= count) {
        return false;
    }
    try->item = items[index];
    try->def = kn_proc_get_def(library, try->item.proc);
    try->is_priced = try->def != NULL && !knc_buff_magnitude_is_zero(&try->def->charges);
    return true;
}

proc_item *knc_proc_item_find(kn_world *world, const proc_try *try)
{
    uint32_t count;
    proc_item *items =
        kn_component_items(world, knc_combat_of_world(world)->proc.procs, try->bearer, &count);
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (items[i].proc.index1 == try->item.proc.index1 &&
            kn_effect_id_equal(items[i].effect, try->item.effect) &&
            kn_ability_id_equal(items[i].ability, try->item.ability)) {
            return &items[i];
        }
    }
    return NULL;
}

// Stacks of the effect of an attempt that are left. Procs of one effect have them in common.
static uint32_t stacks_left(const kn_world *world, const proc_try *try)
{
    uint32_t count, left = kn_effect_stacks(world, try->item.effect);
    const proc_item *items =
        kn_component_read_items(world, knc_combat_of_world(world)->proc.procs, try->bearer, &count);
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (kn_effect_id_equal(items[i].effect, try->item.effect)) {
            left -= items[i].spent < left ? items[i].spent : left;
        }
    }
    return left;
}

uint32_t knc_proc_charges(const kn_world *world, const proc_try *try)
{
    if (try->def->uses_stacks) {
        return stacks_left(world, try);
    }
    return try->is_priced ? try->item.charges : UINT32_MAX;
}

kn_time knc_proc_ready_at(const kn_world *world, const proc_try *try)
{
    if (!try->def->cooldown_per_bearer) {
        return try->item.ready_at;
    }
    uint32_t count;
    const proc_cooldown *items = kn_component_read_items(
        world, knc_combat_of_world(world)->proc.cooldowns, try->bearer, &count);
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (items[i].proc.index1 == try->item.proc.index1) {
            return items[i].ready_at;
        }
    }
    return try->item.gained_at;
}

static bool proc_is_about_hits(uint32_t on)
{
    return (on & (KN_PROC_HIT_DONE | KN_PROC_HIT_TAKEN | KN_PROC_HEALING_DONE |
                     KN_PROC_HEALING_TAKEN)) != 0;
}

static bool proc_likes_outcome(const kn_world *world, const proc_try *try)
{
    const proc_ids *ids = &knc_combat_of_world(world)->proc;
    const kn_proc_event *event = try->event;
    bool is_taken = (event->on & (KN_PROC_HIT_TAKEN | KN_PROC_HEALING_TAKEN)) != 0;
    if (!proc_is_about_hits(event->on)) {
        return true;
    }
    if (try->def->outcomes.count == 0) {
        uint32_t nothing = KN_PROC_FLAG_AVOIDED | (is_taken ? KN_PROC_FLAG_ABSORBED : 0u);
        return (event->flags & nothing) == 0;
    }
    kn_tag tags[KN_HIT_OUTCOMES_MAX + 1];
    uint32_t count = 0;
    tags[count++] = event->outcome.index1 != 0 ? event->outcome : ids->normal;
    for (uint32_t i = 0; i < KN_HIT_OUTCOMES_MAX - 1 && event->outcomes[i].index1 != 0; i++) {
        tags[count++] = event->outcomes[i];
    }
    if ((event->flags & KN_PROC_FLAG_ABSORBED) != 0) {
        tags[count++] = ids->absorbed;
    }
    return kn_tags_has_any(kn_world_library(world), (kn_tags){tags, count}, try->def->outcomes);
}

static bool proc_likes_ability(const proc_try *try)
{
    for (uint32_t i = 0; i < try->def->ability_count; i++) {
        if (try->def->abilities[i].index1 == try->event->ability.index1) {
            return true;
        }
    }
    return try->def->ability_count == 0;
}

// Whether the use behind the event has brought the instance along. A hit names its ability only, so
// the use that brought it counts as long as it runs, and in the moment in which it did.
static bool proc_is_of_same_use(const kn_world *world, const proc_try *try)
{
    kn_activation_id gained_by = try->item.gained_by;
    if (gained_by.index1 == 0) {
        return false;
    }
    if (try->event->activation.index1 != 0) {
        return kn_activation_id_equal(gained_by, try->event->activation);
    }
    kn_ability_info info;
    bool is_recent =
        kn_activation_is_alive(world, gained_by) || try->item.gained_at == kn_world_now(world);
    return try->event->ability.index1 != 0 && is_recent &&
           (!kn_ability_get(world, kn_activation_ability(world, gained_by), &info) ||
               info.type.index1 == try->event->ability.index1);
}

// Guards against loops. Life and death are exempt from the filter for what is triggered.
static kn_proc_answer proc_guard(const kn_world *world, const proc_try *try)
{
    const proc_chain *chain = try->chain;
    bool is_life = (try->event->on & (KN_PROC_KILL | KN_PROC_DEATH)) != 0;
    bool is_triggered = (try->event->flags & KN_PROC_FLAG_TRIGGERED) != 0 || chain->count > 0;
    (void)world;
    if (chain->is_suppressed || (try->event->flags & KN_PROC_FLAG_NO_PROCS) != 0) {
        return KN_PROC_SUPPRESSED;
    }
    for (uint32_t i = 0; i < chain->count; i++) {
        if (chain->procs[i] == try->item.proc.index1) {
            return KN_PROC_ITSELF;
        }
    }
    if (is_triggered && !try->def->triggered && !is_life) {
        return KN_PROC_TRIGGERED;
    }
    return chain->count > try->def->depth ? KN_PROC_DEPTH : KN_PROC_MAY_ACT;
}

static kn_proc_answer proc_filter(const kn_world *world, const proc_try *try)
{
    if ((try->def->on & try->event->on) == 0) {
        return KN_PROC_OTHER_EVENT;
    }
    if (!proc_likes_outcome(world, try)) {
        return KN_PROC_OUTCOME;
    }
    if (!kn_tag_requirement_is_met(kn_world_library(world), &try->def->tags, try->tags)) {
        return KN_PROC_TAGS;
    }
    if (!proc_likes_ability(try)) {
        return KN_PROC_ABILITY;
    }
    if (try->def->no_periodic && (try->event->flags & KN_PROC_FLAG_PERIODIC) != 0) {
        return KN_PROC_PERIODIC;
    }
    kn_proc_answer answer = proc_guard(world, try);
    return answer == KN_PROC_MAY_ACT && proc_is_of_same_use(world, try) ? KN_PROC_SAME_USE : answer;
}

static kn_event_record proc_record(const proc_try *try)
{
    kn_event_record record = kn_event_record_default();
    record.instigator = try->event->source;
    record.target = try->event->target;
    record.tags = try->tags;
    record.magnitude = try->event->magnitude;
    return record;
}

// A number of the def, for this attempt.
static float proc_number(const kn_world *world, const proc_try *try, const kn_magnitude *magnitude)
{
    float value;
    if (magnitude->kind == KN_MAGNITUDE_SCALABLE && magnitude->scale.curve.index1 == 0 &&
        magnitude->scale.parameter.index1 == 0) {
        return magnitude->scale.value;
    }
    if (try->item.effect.index1 != 0 && magnitude->kind != KN_MAGNITUDE_ATTRIBUTE &&
        magnitude->kind != KN_MAGNITUDE_CALCULATION) {
        return kn_effect_evaluate(world, try->item.effect, magnitude, &value) == KN_OK ? value
                                                                                       : 0.0f;
    }
    kn_result result =
        kn_magnitude_evaluate(world, magnitude, try->bearer, try->event->other, try->level, &value);
    return result == KN_OK ? value : 0.0f;
}

// How long the cast of an ability takes; 0 for one that is not cast.
static float cast_seconds(const kn_world *world, kn_entity_id user, kn_ability_type_id type)
{
    const kn_library *library = kn_world_library(world);
    const kn_cast_def *def = kn_cast_get_def(library, kn_cast_of_ability(library, type));
    float seconds;
    if (def == NULL ||
        kn_magnitude_evaluate(world, &def->length, user, user, 1.0f, &seconds) != KN_OK) {
        return 0.0f;
    }
    kn_value_id value = def->value.index1 != 0 ? def->value : knc_combat_of(library)->cast.length;
    return kn_value_evaluate(world, user, value, seconds, NULL, false);
}

// How often an ability can be used at most: its cast, or the cooldown it starts at its activation.
static float ability_interval(const kn_world *world, kn_entity_id user, kn_ability_type_id type)
{
    const kn_ability_def *def = kn_ability_type_get_def(kn_world_library(world), type);
    float longest = cast_seconds(world, user, type);
    for (uint32_t i = 0; def != NULL && i < def->cooldown_count; i++) {
        const kn_cooldown_def *cooldown = &def->cooldowns[i];
        if (cooldown->starts != KN_COOLDOWN_AT_ACTIVATION) {
            continue;
        }
        float seconds = cooldown->duration.value;
        if (cooldown->value.index1 != 0) {
            seconds = kn_value_evaluate(world, user, cooldown->value, seconds, NULL, false);
        }
        longest = seconds > longest ? seconds : longest;
    }
    return longest;
}

// Seconds that the action behind the event took; 0: unknown.
static float proc_interval(const kn_world *world, const proc_try *try)
{
    float seconds = proc_number(world, try, &try->def->interval);
    seconds = seconds > 0.0f ? seconds : try->event->interval;
    if (try->event->ability.index1 == 0) {
        return seconds;
    }
    if (!(seconds > 0.0f)) {
        seconds = ability_interval(world, try->event->source, try->event->ability);
    }
    return seconds > try->def->interval_floor ? seconds : try->def->interval_floor;
}

// Raises the chance of a rate that has failed for too long.
static float proc_luck(const kn_world *world, const proc_try *try, float rate, float chance)
{
    if (try->def->random != KN_PROC_BAD_LUCK || !(rate > 0.0f)) {
        return chance;
    }
    kn_time since = kn_world_now(world) - try->item.succeeded_at;
    float waited = (float)kn_time_to_seconds(since) * rate / 60.0f; // in expected times
    float factor = 1.0f + (waited - 1.5f) * 3.0f;
    return factor > 1.0f ? chance * factor : chance;
}

static float proc_base_chance(
    const kn_world *world, const proc_try *try, const kn_event_record *record)
{
    const proc_ids *ids = &knc_combat_of_world(world)->proc;
    float chance = proc_number(world, try, &try->def->chance);
    float rate = proc_number(world, try, &try->def->per_minute);
    if (!(rate > 0.0f)) {
        return chance < 0.0f ? 1.0f : chance;
    }
    float seconds = proc_interval(world, try);
    if (!(seconds > 0.0f)) {
        if (!(chance < 0.0f)) {
            return chance;
        }
        seconds = try->def->interval_floor;
    }
    rate = kn_value_evaluate(world, try->bearer, ids->rate, rate, record, false);
    return proc_luck(world, try, rate, rate * seconds / 60.0f);
}

static uint32_t deck_wins(const kn_proc_def *def, float chance)
{
    float wins = (chance < 1.0f ? chance : 1.0f) * (float)def->deck + 0.5f;
    return (uint32_t)wins;
}

// The chance of this very attempt.
static float proc_chance_now(const proc_try *try, float chance)
{
    if (try->def->random == KN_PROC_ACCUMULATING) {
        return kn_random_accumulating(chance, try->item.failures);
    }
    if (try->def->random == KN_PROC_DECK) {
        uint32_t cards = try->item.cards != 0 ? try->item.cards : try->def->deck;
        uint32_t wins = try->item.cards != 0 ? try->item.wins : deck_wins(try->def, chance);
        return (float)wins / (float)cards;
    }
    return chance;
}

kn_proc_answer knc_proc_test(const kn_world *world, proc_try *try, float *chance)
{
    kn_event_record record;
    *chance = 0.0f;
    if (knc_proc_charges(world, try) == 0) {
        return KN_PROC_NO_CHARGES;
    }
    if (knc_proc_ready_at(world, try) > kn_world_now(world)) {
        return KN_PROC_ON_COOLDOWN;
    }
    kn_proc_answer answer = proc_filter(world, try);
    if (answer != KN_PROC_MAY_ACT) {
        return answer;
    }
    if (try->item.effect.index1 != 0) {
        kn_effect_info info;
        if (!kn_effect_get(world, try->item.effect, &info)) {
            return KN_PROC_NOT_THERE;
        }
        if (info.is_inhibited) {
            return KN_PROC_INHIBITED;
        }
        try->type = info.type;
        try->level = info.level;
    } else {
        try->type.index1 = 0;
        try->level = kn_ability_level(world, try->item.ability);
    }
    record = proc_record(try);
    if (try->def->condition.index1 != 0 &&
        !kn_condition_holds(world, try->def->condition, &record)) {
        return KN_PROC_CONDITION;
    }
    *chance = proc_base_chance(world, try, &record);
    *chance = kn_value_evaluate(
        world, try->bearer, knc_combat_of_world(world)->proc.chance, *chance, &record, false);
    return *chance > 0.0f ? KN_PROC_MAY_ACT : KN_PROC_NO_CHANCE;
}

// The roll --------------------------------------------------------------------------

static bool draw(kn_world *world, const proc_try *try, float chance)
{
    const proc_ids *ids = &knc_combat_of_world(world)->proc;
    uint32_t stream = try->def->server ? ids->server_stream : ids->stream;
    return chance >= 1.0f || kn_random_float(world, stream) < chance;
}

// Draws, and keeps what later draws depend on.
static bool proc_roll(kn_world *world, const proc_try *try, float chance)
{
    if (try->def->random != KN_PROC_ACCUMULATING && try->def->random != KN_PROC_DECK) {
        return draw(world, try, chance);
    }
    const proc_ids *ids = &knc_combat_of_world(world)->proc;
    proc_item *item = knc_proc_item_find(world, try);
    if (item == NULL) {
        return false;
    }
    if (try->def->random == KN_PROC_ACCUMULATING) {
        bool wins = draw(world, try, proc_chance_now(try, chance));
        item->failures = wins ? 0 : item->failures + 1;
        return wins;
    }
    if (item->cards == 0) {
        item->cards = try->def->deck;
        item->wins = deck_wins(try->def, chance);
    }
    uint32_t stream = try->def->server ? ids->server_stream : ids->stream;
    bool wins = kn_random_below(world, stream, item->cards) < item->wins;
    item->cards--;
    item->wins -= wins;
    return wins;
}

// Actions ---------------------------------------------------------------------------

static uint32_t action_recipients(
    const kn_world *world, const proc_try *try, const kn_proc_action_def *action, kn_entity_id *out)
{
    const kn_proc_event *event = try->event;
    if (action->to == KN_PROC_TO_TARGETING) {
        kn_target_data data;
        if (!kn_targeting_query(world, action->targeting, try->bearer, &data)) {
            return 0;
        }
        return kn_target_entities(kn_target_data_view(&data), out, RECIPIENTS_MAX);
    }
    const kn_entity_id by_to[] = {try->bearer, event->other, event->target, event->source};
    out[0] = by_to[action->to];
    return kn_entity_is_alive(world, out[0]) ? 1 : 0;
}

static bool action_apply(
    kn_world *world, const proc_try *try, const kn_proc_action_def *action, kn_entity_id target)
{
    kn_effect_context context = {.activation = try->event->activation,
        .ability = kn_activation_ability(world, try->event->activation)};
    kn_caller_value value = {action->magnitude_tag, try->event->magnitude};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = action->effect;
    apply.source = try->bearer;
    apply.target = target;
    apply.level = try->level;
    apply.stacks = action->stacks;
    apply.caller_values = &value;
    apply.caller_value_count = action->magnitude_tag.index1 != 0 ? 1 : 0;
    if (context.ability.index1 != 0) {
        apply.context = &context;
    }
    return kn_effect_apply(world, &apply, NULL) == KN_OK;
}

static bool action_activate(kn_world *world, const proc_try *try, const kn_proc_action_def *action,
    const kn_event_record *record)
{
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id ability;
    query.type = action->ability;
    return kn_abilities_find(world, try->bearer, &query, &ability, 1) > 0 &&
           kn_ability_activate(world, ability, record, NULL) == KN_OK;
}

static bool action_run(
    kn_world *world, const proc_try *try, const kn_proc_action_def *action, kn_entity_id recipient)
{
    if (action->effect.index1 != 0) {
        return action_apply(world, try, action, recipient);
    }
    kn_event_record record = proc_record(try);
    record.instigator = try->bearer;
    record.target = recipient;
    if (action->ability.index1 != 0) {
        return action_activate(world, try, action, &record);
    }
    return kn_event_send(world, recipient, action->event, &record) == KN_OK;
}

static bool proc_cause_open(kn_world *world, const proc_try *try, bool no_procs, kn_cause *previous)
{
    const proc_ids *ids = &knc_combat_of_world(world)->proc;
    kn_cause_link link = {.type = ids->cause,
        .entity = try->bearer,
        .tag = no_procs ? ids->no_procs : (kn_tag){0},
        .def_kind = (uint32_t)ids->kind,
        .def1 = try->item.proc.index1};
    return kn_cause_open(world, &link, previous) == KN_OK;
}

// Runs the actions; true if one of them did something.
static bool proc_actions(kn_world *world, const proc_try *try)
{
    bool has_acted = try->def->action_count == 0 && try->def->acts.function == NULL;
    kn_cause previous;
    for (uint32_t i = 0; i < try->def->action_count; i++) {
        const kn_proc_action_def *action = &try->def->actions[i];
        kn_entity_id recipients[RECIPIENTS_MAX];
        uint32_t count = action_recipients(world, try, action, recipients);
        if (count == 0 ||
            !proc_cause_open(world, try, try->def->no_procs || action->no_procs, &previous)) {
            continue;
        }
        for (uint32_t r = 0; r < count; r++) {
            has_acted |= action_run(world, try, action, recipients[r]);
        }
        kn_cause_close(world, previous);
    }
    if (try->def->acts.function != NULL &&
        proc_cause_open(world, try, try->def->no_procs, &previous)) {
        kn_proc_event event = *try->event;
        has_acted |= kn_hook_run(world, knc_combat_of_world(world)->proc.kind,
                         try->item.proc.index1, &try->def->acts, try->bearer, &event) == KN_OK;
        kn_cause_close(world, previous);
    }
    return has_acted;
}

// After a success -------------------------------------------------------------------

static void cooldown_of_bearer(kn_world *world, const proc_try *try, kn_time ready_at)
{
    kn_component_type_id type = knc_combat_of_world(world)->proc.cooldowns;
    kn_time now = kn_world_now(world);
    uint32_t count = 0, kept = 0;
    if (kn_component_add(world, type, try->bearer) == NULL) {
        return;
    }
    proc_cooldown *items = kn_component_items(world, type, try->bearer, &count);
    for (uint32_t i = 0; i < count; i++) { // those that are over are forgotten
        if (items[i].ready_at > now && items[i].proc.index1 != try->item.proc.index1) {
            items[kept++] = items[i];
        }
    }
    items = kn_component_resize(world, type, try->bearer, kept + 1);
    if (items != NULL) {
        items[kept] = (proc_cooldown){ready_at, try->item.proc, 0};
    }
}

static void proc_start_cooldown(kn_world *world, const proc_try *try)
{
    if (knc_buff_magnitude_is_zero(&try->def->cooldown) && try->def->random != KN_PROC_BAD_LUCK) {
        return;
    }
    float seconds = proc_number(world, try, &try->def->cooldown);
    kn_time now = kn_world_now(world);
    kn_time ready_at = seconds > 0.0f ? now + kn_time_from_seconds((double)seconds) : now;
    proc_item *item = knc_proc_item_find(world, try);
    if (item != NULL) {
        item->ready_at = ready_at;
        item->succeeded_at = now;
    }
    if (try->def->cooldown_per_bearer && ready_at > now) {
        cooldown_of_bearer(world, try, ready_at);
    }
}

// Uses up a charge or a stack, and returns how many are left. The last one ends the effect.
static uint32_t proc_spend(kn_world *world, const proc_try *try)
{
    if (!try->is_priced && !try->def->uses_stacks) {
        return 0;
    }
    proc_item *item = knc_proc_item_find(world, try);
    if (item == NULL) {
        return 0;
    }
    if (!try->def->uses_stacks) {
        uint32_t left = item->charges > 0 ? --item->charges : 0;
        if (left == 0 && try->item.effect.index1 != 0) {
            (void)kn_effect_remove(world, try->item.effect, 0, KN_REMOVED_CHARGES_USED);
        }
        return left;
    }
    uint32_t stacks = kn_effect_stacks(world, try->item.effect);
    uint32_t left = stacks_left(world, try);
    if (left == 0) {
        return 0; // an action took the last one
    }
    left--;
    (void)kn_effect_remove(world, try->item.effect, 1, KN_REMOVED_CHARGES_USED);
    item = knc_proc_item_find(world, try);
    if (item != NULL && kn_effect_stacks(world, try->item.effect) == stacks) {
        item->spent++; // the removal waits for the end of an operation
    }
    return left;
}

static bool proc_act(kn_world *world, const proc_try *try, float chance)
{
    if (!proc_actions(world, try)) {
        return false;
    }
    kn_proc_acted event = {.other = try->event->other,
        .effect = try->type,
        .proc = try->item.proc,
        .on = try->event->on,
        .chance = chance};
    proc_start_cooldown(world, try);
    event.charges = proc_spend(world, try);
    (void)kn_world_publish(world, try->bearer, knc_combat_of_world(world)->proc.acted, &event);
    return true;
}

// Events ----------------------------------------------------------------------------

typedef struct run_call {
    const kn_proc_event *event;
    kn_tags tags;
    uint32_t acted;
} run_call;

static void proc_tell(const kn_world *world, const proc_try *try, kn_proc_answer answer,
    float chance, const char *what)
{
    if (answer == KN_PROC_OTHER_EVENT || !kn_log_wants(world, KN_LOG_GAME, KN_LOG_VERBOSE)) {
        return;
    }
    kn_proc_line line = knc_proc_line_of(world, try);
    line.answer = answer;
    line.chance = chance;
    knc_proc_log(world, try, &line, what);
}

static bool proc_attempt(kn_world *world, proc_try *try)
{
    float chance;
    kn_proc_answer answer = knc_proc_test(world, try, &chance);
    if (answer != KN_PROC_MAY_ACT) {
        proc_tell(world, try, answer, chance, NULL);
        return false;
    }
    float now = proc_chance_now(try, chance);
    if (!proc_roll(world, try, chance)) {
        proc_tell(world, try, answer, now, "no luck");
        return false;
    }
    bool has_acted = proc_act(world, try, now < 1.0f ? now : 1.0f);
    proc_tell(world, try, answer, now, has_acted ? "acts" : "its actions do nothing");
    return has_acted;
}

static kn_result proc_run_call(void *user, kn_world *world)
{
    run_call *call = user;
    kn_entity_id bearer = kn_entity_actor(world, call->event->bearer);
    const procs *own = kn_component_read(world, knc_combat_of_world(world)->proc.procs, bearer);
    if (own == NULL || (own->on & call->event->on) == 0) {
        return KN_OK;
    }
    proc_chain chain = knc_proc_chain_of(world);
    proc_try try = {.event = call->event, .tags = call->tags, .bearer = bearer, .chain = &chain};
    for (uint32_t i = 0; knc_proc_at(world, &try, i); i++) {
        call->acted += try.def != NULL && proc_attempt(world, &try);
    }
    return KN_OK;
}

static void proc_raise(kn_world *world, const kn_proc_event *event, kn_tags tags)
{
    run_call call = {event, tags, 0};
    (void)kn_world_call(world, proc_run_call, &call);
}

kn_result kn_proc_run(kn_world *world, const kn_proc_event *event, kn_tags tags, uint32_t *acted)
{
    if (acted != NULL) {
        *acted = 0;
    }
    if (!kn_combat_is_there(kn_world_library(world)) || event == NULL ||
        event->cookie != EVENT_COOKIE || event->on == 0 || (event->on & (event->on - 1)) != 0 ||
        (event->on & KN_PROC_ON) == 0 || tags.count > KN_TAG_SET_MAX) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!isfinite(event->magnitude) || !isfinite(event->interval)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (!kn_entity_is_alive(world, event->bearer)) {
        return KN_REFUSED_STALE_ID;
    }
    run_call call = {event, tags, 0};
    kn_result result = kn_world_call(world, proc_run_call, &call);
    if (acted != NULL) {
        *acted = call.acted;
    }
    return result;
}

// Whether an entity has procs that react to some of `on`: the first, quick test.
static bool proc_listens(const kn_world *world, kn_entity_id entity, uint32_t on)
{
    const procs *own = kn_component_read(
        world, knc_combat_of_world(world)->proc.procs, kn_entity_actor(world, entity));
    return own != NULL && (own->on & on) != 0;
}

static kn_proc_event proc_event_of_hit(const kn_hit *hit)
{
    kn_proc_event event = kn_proc_event_default();
    float came = hit->dealt + hit->over;
    event.source = hit->source;
    event.target = hit->target;
    event.ability = hit->ability;
    event.effect = hit->effect;
    event.outcome = hit->outcome;
    for (uint32_t i = 0; i < KN_HIT_OUTCOMES_MAX - 1; i++) {
        event.outcomes[i] = hit->outcomes[i];
    }
    event.magnitude = hit->dealt;
    event.flags |= (hit->flags & KN_HIT_TRIGGERED) != 0 ? KN_PROC_FLAG_TRIGGERED : 0u;
    event.flags |= (hit->flags & KN_HIT_PERIODIC) != 0 ? KN_PROC_FLAG_PERIODIC : 0u;
    if (!(came > 0.0f) && hit->absorbed > 0.0f) {
        event.flags |= KN_PROC_FLAG_ABSORBED;
    } else if (!(came + hit->shared > 0.0f) && hit->amount > 0.0f) {
        event.flags |= KN_PROC_FLAG_AVOIDED;
    }
    return event;
}

static void proc_raise_for(kn_world *world, kn_proc_event *event, kn_tags tags, uint32_t on,
    kn_entity_id bearer, kn_entity_id other)
{
    if (bearer.index1 == 0 || !proc_listens(world, bearer, on)) {
        return;
    }
    event->on = on;
    event->bearer = bearer;
    event->other = other;
    proc_raise(world, event, tags);
}

void knc_proc_hit(kn_world *world, const kn_hit *hit)
{
    bool is_damage = hit->kind == KN_HIT_DAMAGE;
    if ((hit->flags & KN_HIT_NO_PROCS) != 0) {
        return;
    }
    kn_proc_event event = proc_event_of_hit(hit);
    proc_raise_for(world, &event, kn_hit_tags(hit),
        is_damage ? KN_PROC_HIT_DONE : KN_PROC_HEALING_DONE, hit->source, hit->target);
    proc_raise_for(world, &event, kn_hit_tags(hit),
        is_damage ? KN_PROC_HIT_TAKEN : KN_PROC_HEALING_TAKEN, hit->target, hit->source);
}

// Somebody has died, of a hit or otherwise. What reacts to that may end with it, so it comes first.
void knc_proc_death_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    kn_proc_event event = kn_proc_event_default();
    kn_tags tags = reaction->record != NULL ? reaction->record->tags : (kn_tags){0};
    (void)user;
    event.source = reaction->instigator;
    event.target = reaction->entity;
    event.magnitude = reaction->magnitude;
    proc_raise_for(world, &event, tags, KN_PROC_KILL, reaction->instigator, reaction->entity);
    proc_raise_for(world, &event, tags, KN_PROC_DEATH, reaction->entity, reaction->instigator);
    knc_buff_died(world, reaction->entity);
}

static kn_proc_event proc_event_of_use(
    const kn_world *world, kn_entity_id owner, kn_ability_type_id type, kn_tags *tags)
{
    const kn_ability_def *def = kn_ability_type_get_def(kn_world_library(world), type);
    kn_proc_event event = kn_proc_event_default();
    event.bearer = owner;
    event.source = owner;
    event.ability = type;
    *tags = def != NULL ? def->tags : (kn_tags){0};
    return event;
}

void knc_proc_use_begins(kn_world *world, kn_activation_id activation)
{
    kn_entity_id owner = kn_activation_owner(world, activation);
    kn_ability_info info;
    kn_event_record record;
    kn_tags tags;
    if (!proc_listens(world, owner, KN_PROC_USE_BEGINS) ||
        !kn_ability_get(world, kn_activation_ability(world, activation), &info)) {
        return;
    }
    kn_proc_event event = proc_event_of_use(world, owner, info.type, &tags);
    event.activation = activation;
    if (kn_activation_event(world, activation, &record)) {
        event.target = record.target;
        event.other = record.target;
        event.magnitude = record.magnitude;
    }
    event.on = KN_PROC_USE_BEGINS;
    proc_raise(world, &event, tags);
}

void knc_proc_use_ends(kn_world *world, kn_ability_id ability, kn_entity_id owner, bool is_done)
{
    kn_ability_info info;
    kn_tags tags;
    if (!is_done || !proc_listens(world, owner, KN_PROC_USE_ENDS) ||
        !kn_ability_get(world, ability, &info)) {
        return;
    }
    kn_proc_event event = proc_event_of_use(world, owner, info.type, &tags);
    event.on = KN_PROC_USE_ENDS;
    proc_raise(world, &event, tags);
}

void knc_proc_dispelled(
    kn_world *world, kn_entity_id source, kn_entity_id target, const kn_dispel_result *result)
{
    kn_proc_event event = kn_proc_event_default();
    if (result->removed == 0) {
        return;
    }
    event.source = source;
    event.target = target;
    event.magnitude = (float)result->removed;
    proc_raise_for(world, &event, (kn_tags){0}, KN_PROC_DISPEL_DONE, source, target);
    proc_raise_for(world, &event, (kn_tags){0}, KN_PROC_DISPEL_TAKEN, target, source);
}

bool knc_proc_interrupt_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const combat *kit = user;
    (void)library;
    return reaction->end_reason == (uint32_t)kit->cast.interrupted;
}

void knc_proc_interrupt_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    kn_tags tags;
    kn_proc_event event = proc_event_of_use(world, reaction->entity, reaction->ability_type, &tags);
    (void)user;
    event.source = reaction->instigator;
    event.target = reaction->entity;
    proc_raise_for(
        world, &event, tags, KN_PROC_INTERRUPT_DONE, reaction->instigator, reaction->entity);
    proc_raise_for(
        world, &event, tags, KN_PROC_INTERRUPT_TAKEN, reaction->entity, reaction->instigator);
}

void knc_proc_event_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (!proc_listens(world, reaction->entity, KN_PROC_EVENT)) {
        return;
    }
    kn_tag_set tags = {0};
    kn_proc_event event = kn_proc_event_default();
    event.bearer = reaction->entity;
    event.other = reaction->instigator;
    event.source = reaction->instigator;
    event.target = reaction->entity;
    event.magnitude = reaction->magnitude;
    event.on = KN_PROC_EVENT;
    if (reaction->record != NULL) {
        (void)kn_tag_set_append(&tags, reaction->record->tags);
    }
    (void)kn_tag_set_add(&tags, reaction->tag);
    proc_raise(world, &event, kn_tag_set_view(&tags));
}

bool knc_proc_take_charge(kn_world *world, kn_entity_id bearer, kn_effect_id effect)
{
    uint32_t count;
    proc_item *items =
        kn_component_items(world, knc_combat_of_world(world)->proc.procs, bearer, &count);
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (kn_effect_id_equal(items[i].effect, effect) && items[i].charges > 1) {
            items[i].charges--;
            return true;
        }
    }
    return false;
}
