// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Procs: definitions, and the instances that bearers have of them. What an event does to them is in
// proc_run.c.

#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROC_COOKIE 0x6f72706bu
#define DECK_MAX 1000u

// The definition --------------------------------------------------------------------

kn_proc_action_def kn_proc_action_def_default(void)
{
    kn_proc_action_def def = {.to = KN_PROC_TO_BEARER};
    return def;
}

kn_proc_def kn_proc_def_default(void)
{
    kn_proc_def def = {
        .depth = 4,
        .chance = kn_magnitude_constant(-1.0f),
        .per_minute = kn_magnitude_constant(0.0f),
        .interval = kn_magnitude_constant(0.0f),
        .interval_floor = 1.5f,
        .deck = 20,
        .cooldown = kn_magnitude_constant(0.0f),
        .charges = kn_magnitude_constant(0.0f),
        .cookie = PROC_COOKIE,
    };
    return def;
}

static void action_init(void *def)
{
    *(kn_proc_action_def *)def = kn_proc_action_def_default();
}

static void proc_init(void *def)
{
    *(kn_proc_def *)def = kn_proc_def_default();
}

static const char *const on_words[] = {"hit_done", "hit_taken", "healing_done", "healing_taken",
    "use_begins", "use_ends", "kill", "death", "dispel_done", "dispel_taken", "interrupt_done",
    "interrupt_taken", "event"};
const char *knc_proc_on_word(uint32_t on)
{
    uint32_t i = 0;
    while (i + 1 < sizeof(on_words) / sizeof(*on_words) && (on >> i & 1) == 0) {
        i++;
    }
    return on_words[i];
}

static const char *const to_words[] = {"bearer", "other", "target", "source", "targeting"};
static const char *const random_words[] = {"plain", "accumulating", "deck", "bad_luck"};

static const kn_def_field action_fields[] = {
    KN_DEF_F_REF(kn_proc_action_def, effect, KN_DEF_EFFECT,
        "Effect to apply, with the bearer as its source; this, `ability` or `event` is required."),
    KN_DEF_F(kn_proc_action_def, stacks, KN_FIELD_U32,
        "Stacks of the effect to apply; default 0: as many as the effect says."),
    KN_DEF_F_REF(kn_proc_action_def, ability, KN_DEF_ABILITY,
        "Ability of the bearer to activate; the target of its event is who the action is for."),
    KN_DEF_F_REF(kn_proc_action_def, event, KN_DEF_TAG,
        "Event to send, with the magnitude of what happened."),
    KN_DEF_F_ENUM(kn_proc_action_def, to, to_words,
        "Who the action is for: the bearer, the other party, the target or the source of the "
        "event, or those that `targeting` finds; default bearer."),
    KN_DEF_F_REF(kn_proc_action_def, targeting, KN_DEF_TARGETING,
        "Finds those the action is for, with `to: targeting`."),
    KN_DEF_F_REF(kn_proc_action_def, magnitude_tag, KN_DEF_TAG,
        "Tag under which the effect reads the magnitude of what happened, such as the damage "
        "dealt; default none."),
    KN_DEF_F(kn_proc_action_def, no_procs, KN_FIELD_BOOL,
        "No proc at all reacts to what follows from the action; default false."),
};
static const kn_def_table action_table = {"proc_action_def", sizeof(kn_proc_action_def),
    action_fields, sizeof(action_fields) / sizeof(*action_fields), action_init};

static const kn_def_field proc_fields[] = {
    KN_DEF_F(kn_proc_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_proc_def, effect, KN_DEF_EFFECT,
        "Effect that brings the proc along; default: that of `ability`, otherwise the effect or "
        "ability with the same name."),
    KN_DEF_F_REF(kn_proc_def, ability, KN_DEF_ABILITY,
        "Ability that brings the proc along while it is granted."),
    KN_DEF_F_FLAGS(kn_proc_def, on, on_words, "What it reacts to; required."),
    KN_DEF_F(kn_proc_def, priority, KN_FIELD_I32,
        "Procs with a higher priority are tested first, then older ones; default 0."),
    KN_DEF_F(kn_proc_def, outcomes, KN_DEF_FIELD_TAGS,
        "Outcomes of hits that it reacts to, such as `Knack.Outcome.Critical`; default: what was "
        "not avoided if the bearer does it, what came through if the bearer takes it."),
    KN_DEF_F_PART(kn_proc_def, tags, "kn_tag_requirement",
        "Tags of the hit, ability or event that it needs; default: any."),
    KN_DEF_F_REF(kn_proc_def, condition, KN_DEF_CONDITION,
        "A condition on the event that must hold; default none."),
    KN_DEF_F_REFS(kn_proc_def, abilities, ability_count, KN_DEF_ABILITY,
        "It reacts only to what comes from these abilities; default: any."),
    KN_DEF_F(kn_proc_def, no_periodic, KN_FIELD_BOOL,
        "Ticks of periodic effects do not count; default false."),
    KN_DEF_F(kn_proc_def, triggered, KN_FIELD_BOOL,
        "It reacts to events that follow from other procs too; default false."),
    KN_DEF_F(kn_proc_def, depth, KN_FIELD_U32,
        "Most procs in the chain of causes of an event that it reacts to, with `triggered`; "
        "default 4."),
    KN_DEF_F(kn_proc_def, no_procs, KN_FIELD_BOOL,
        "No proc at all reacts to what follows from it; default false."),
    KN_DEF_F_PART(kn_proc_def, chance, "kn_magnitude",
        "Chance of an attempt, 0 to 1; below 0, the default: always, or what `per_minute` gives."),
    KN_DEF_F_PART(kn_proc_def, per_minute, "kn_magnitude",
        "Successes per minute to aim for: the chance of an attempt is that number times the "
        "seconds that the action took, divided by 60; default 0: `chance` counts."),
    KN_DEF_F_PART(kn_proc_def, interval, "kn_magnitude",
        "Seconds that one action takes, for `per_minute`; 0, the default: what the event says, "
        "otherwise the cast of the ability or the cooldown that its activation starts."),
    KN_DEF_F(kn_proc_def, interval_floor, KN_FIELD_F32,
        "Least seconds that a use of an ability counts as, for `per_minute`; default 1.5."),
    KN_DEF_F_ENUM(kn_proc_def, random, random_words,
        "Where its luck comes from: `plain` draws, `accumulating` chances, a shuffled `deck`, or "
        "a rate with protection against `bad_luck`; default plain."),
    KN_DEF_F(kn_proc_def, deck, KN_FIELD_U32,
        "Cards in the deck, with `random: deck`, 2 to 1000; default 20."),
    KN_DEF_F(kn_proc_def, server, KN_FIELD_BOOL,
        "Its draws come from a stream that clients do not know; default false."),
    KN_DEF_F_PART(kn_proc_def, cooldown, "kn_magnitude",
        "Seconds after a success in which it does not act; default 0."),
    KN_DEF_F(kn_proc_def, cooldown_per_bearer, KN_FIELD_BOOL,
        "All instances of a bearer have one cooldown; default false."),
    KN_DEF_F_PART(kn_proc_def, charges, "kn_magnitude",
        "How often it acts; the last time ends its effect; default 0: any number of times."),
    KN_DEF_F(kn_proc_def, uses_stacks, KN_FIELD_BOOL,
        "Each time it acts uses up a stack of its effect; default false."),
    KN_DEF_F_ARRAY(
        kn_proc_def, actions, action_count, &action_table, "What it does, in this order."),
    KN_DEF_F_HOOK(kn_proc_def, acts, "A function that is called after the actions."),
    KN_DEF_F(kn_proc_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table proc_table = {"proc_def", sizeof(kn_proc_def), proc_fields,
    sizeof(proc_fields) / sizeof(*proc_fields), proc_init};

static const kn_field event_fields[] = {
    KN_FIELD(kn_proc_event, bearer, KN_FIELD_ENTITY),
    KN_FIELD(kn_proc_event, other, KN_FIELD_ENTITY),
    KN_FIELD(kn_proc_event, source, KN_FIELD_ENTITY),
    KN_FIELD(kn_proc_event, target, KN_FIELD_ENTITY),
    KN_FIELD(kn_proc_event, activation, KN_FIELD_ACTIVATION),
    KN_FIELD_TO(kn_proc_event, ability, "ability"),
    KN_FIELD_TO(kn_proc_event, effect, "effect"),
    KN_FIELD(kn_proc_event, outcome, KN_FIELD_TAG),
    KN_FIELD_INIT(
        "outcomes", KN_FIELD_TAG, offsetof(kn_proc_event, outcomes), KN_HIT_OUTCOMES_MAX - 1),
    KN_FIELD(kn_proc_event, on, KN_FIELD_U32),
    KN_FIELD(kn_proc_event, flags, KN_FIELD_U32),
    KN_FIELD(kn_proc_event, magnitude, KN_FIELD_F32),
    KN_FIELD(kn_proc_event, interval, KN_FIELD_F32),
    KN_FIELD(kn_proc_event, cookie, KN_FIELD_U32),
};

static bool action_is_whole(const kn_proc_action_def *action)
{
    int parts =
        (action->effect.index1 != 0) + (action->ability.index1 != 0) + (action->event.index1 != 0);
    bool finds = action->to == KN_PROC_TO_TARGETING;
    return parts == 1 && finds == (action->targeting.index1 != 0);
}

static kn_result proc_check_actions(const kn_proc_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < def->action_count; i++) {
        if (!action_is_whole(&def->actions[i])) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "proc `%s`: action %u needs one of effect, ability and event, and a targeting "
                "only with to: targeting",
                def->name, i + 1);
        }
    }
    bool has_charges = !knc_buff_magnitude_is_zero(&def->charges) || def->uses_stacks;
    if (def->action_count == 0 && def->acts.function == NULL && !has_charges) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "proc `%s` does nothing; give it actions, or charges that it uses up", def->name);
    }
    return KN_OK;
}

static kn_result proc_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_proc_def *def = item;
    (void)user;
    (void)library;
    if ((def->on & KN_PROC_ON) == 0 || (def->on & ~(uint32_t)KN_PROC_ON) != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "proc `%s` reacts to nothing; write what, such as on: hit_done", def->name);
    }
    if (def->effect.index1 != 0 && def->ability.index1 != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "proc `%s` has both an effect and an ability that bring it along; leave out one",
            def->name);
    }
    if (def->uses_stacks && def->ability.index1 != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "proc `%s` uses up stacks, but abilities have none; write charges:", def->name);
    }
    if (def->uses_stacks && !knc_buff_magnitude_is_zero(&def->charges)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "proc `%s` has charges and uses up stacks; leave out one of them", def->name);
    }
    if (def->random == KN_PROC_BAD_LUCK && knc_buff_magnitude_is_zero(&def->per_minute)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "proc `%s`: random: bad_luck needs a rate; write per_minute:", def->name);
    }
    if (def->deck < 2 || def->deck > DECK_MAX || !(def->interval_floor >= 0.0f) ||
        !isfinite(def->interval_floor)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "proc `%s`: a deck has 2 to %u cards, and interval_floor is at least 0", def->name,
            DECK_MAX);
    }
    return proc_check_actions(def, error);
}

static kn_result proc_tables_create(proc_ids *ids, const kn_library *library)
{
    knc_proc_part_free(ids);
    ids->effect_count = kn_def_count(library, KN_DEF_EFFECT);
    ids->ability_count = kn_def_count(library, KN_DEF_ABILITY);
    ids->proc_count = kn_def_count(library, ids->kind);
    ids->by_effect = calloc(ids->effect_count + 1u, sizeof(uint32_t));
    ids->by_ability = calloc(ids->ability_count + 1u, sizeof(uint32_t));
    ids->next = calloc(ids->proc_count + 1u, sizeof(uint32_t));
    bool is_there = ids->by_effect != NULL && ids->by_ability != NULL && ids->next != NULL;
    return is_there ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

// Finds out what brings a proc along, and lists it there, behind those that were registered before.
static kn_result proc_place(combat *kit, const kn_library *library, uint32_t proc, kn_error *error)
{
    proc_ids *ids = &kit->proc;
    const kn_proc_def *def = kn_def_get(library, ids->kind, proc);
    uint32_t ability1 = def->ability.index1;
    uint32_t effect1 = ability1 != 0 ? 0 : knc_combat_effect_named(library, def->effect, def->name);
    if (effect1 == 0 && ability1 == 0) {
        ability1 = kn_def_find(library, KN_DEF_ABILITY, def->name);
    }
    const kn_effect_def *effect = kn_def_get(library, KN_DEF_EFFECT, effect1);
    if (effect == NULL && ability1 == 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "nothing brings proc `%s` along: there is no effect or ability of this name; write "
            "effect: or ability:",
            def->name);
    }
    if (effect != NULL && effect->duration_kind == KN_DURATION_INSTANT) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "proc `%s` comes with the instant effect `%s`; give that a duration", def->name,
            effect->name);
    }
    if (effect == NULL && def->uses_stacks) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "proc `%s` uses up stacks, but abilities have none; write charges:", def->name);
    }
    uint32_t *place = effect != NULL ? &ids->by_effect[effect1] : &ids->by_ability[ability1];
    while (*place != 0) {
        place = &ids->next[*place];
    }
    *place = proc;
    kit->buff.wanted[effect1] |= effect != NULL ? EFFECT_PROC : 0;
    return KN_OK;
}

static kn_result proc_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    combat *kit = user;
    kn_result result = proc_tables_create(&kit->proc, library);
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kind); i++) {
        result = proc_place(kit, library, i, error);
    }
    return result;
}

kn_result kn_proc_register(
    kn_library *library, const kn_proc_def *def, kn_proc_id *proc, kn_error *error)
{
    kn_proc_id ignored;
    proc = proc != NULL ? proc : &ignored;
    proc->index1 = 0;
    if (!kn_combat_is_there(library) || def == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(library, knc_combat_of(library)->proc.kind, def, &proc->index1, error);
}

const kn_proc_def *kn_proc_get_def(const kn_library *library, kn_proc_id proc)
{
    return kn_combat_is_there(library)
               ? kn_def_get(library, knc_combat_of(library)->proc.kind, proc.index1)
               : NULL;
}

// Instances -------------------------------------------------------------------------

static const kn_field procs_fields[] = {KN_FIELD(procs, on, KN_FIELD_U32)};
static const kn_field proc_item_fields[] = {
    KN_FIELD(proc_item, effect, KN_FIELD_EFFECT),
    KN_FIELD(proc_item, ability, KN_FIELD_ABILITY),
    KN_FIELD(proc_item, gained_by, KN_FIELD_ACTIVATION),
    KN_FIELD(proc_item, gained_at, KN_FIELD_TIME),
    KN_FIELD(proc_item, ready_at, KN_FIELD_TIME),
    KN_FIELD(proc_item, succeeded_at, KN_FIELD_TIME),
    KN_FIELD_TO(proc_item, proc, "proc"),
    KN_FIELD(proc_item, charges, KN_FIELD_U32),
    KN_FIELD(proc_item, spent, KN_FIELD_U32),
    KN_FIELD(proc_item, failures, KN_FIELD_U32),
    KN_FIELD(proc_item, cards, KN_FIELD_U32),
    KN_FIELD(proc_item, wins, KN_FIELD_U32),
};
static const kn_field cooldowns_fields[] = {KN_FIELD(procs, on, KN_FIELD_U32)};
static const kn_field cooldown_fields[] = {
    KN_FIELD(proc_cooldown, ready_at, KN_FIELD_TIME),
    KN_FIELD_TO(proc_cooldown, proc, "proc"),
    KN_FIELD(proc_cooldown, unused, KN_FIELD_U32),
};

static int32_t item_priority(const kn_library *library, const proc_item *item)
{
    const kn_proc_def *def = kn_proc_get_def(library, item->proc);
    return def != NULL ? def->priority : 0;
}

// Puts an item behind those of the same priority, so that the oldest comes first.
static void item_insert(kn_world *world, kn_entity_id bearer, const proc_item *item)
{
    const kn_library *library = kn_world_library(world);
    kn_component_type_id type = knc_combat_of(library)->proc.procs;
    const kn_proc_def *def = kn_proc_get_def(library, item->proc);
    uint32_t count = 0;
    if (kn_component_add(world, type, bearer) == NULL) {
        return;
    }
    (void)kn_component_read_items(world, type, bearer, &count);
    proc_item *items = kn_component_resize(world, type, bearer, count + 1);
    if (items == NULL) {
        return;
    }
    uint32_t at = count;
    while (at > 0 && item_priority(library, &items[at - 1]) < def->priority) {
        items[at] = items[at - 1];
        at--;
    }
    items[at] = *item;
    ((procs *)kn_component_get(world, type, bearer))->on |= def->on;
}

static bool item_belongs(const proc_item *item, kn_effect_id effect, kn_ability_id ability)
{
    return effect.index1 != 0 ? kn_effect_id_equal(item->effect, effect)
                              : kn_ability_id_equal(item->ability, ability);
}

// Removes the items that an effect or ability has brought along.
static void items_remove(
    kn_world *world, kn_entity_id bearer, kn_effect_id effect, kn_ability_id ability)
{
    const kn_library *library = kn_world_library(world);
    kn_component_type_id type = knc_combat_of(library)->proc.procs;
    uint32_t count, kept = 0, on = 0;
    proc_item *items = kn_component_items(world, type, bearer, &count);
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (!item_belongs(&items[i], effect, ability)) {
            const kn_proc_def *def = kn_proc_get_def(library, items[i].proc);
            on |= def != NULL ? def->on : 0;
            items[kept++] = items[i];
        }
    }
    if (items == NULL || kept == count) {
        return;
    }
    if (kept == 0) {
        (void)kn_component_remove(world, type, bearer);
        return;
    }
    (void)kn_component_resize(world, type, bearer, kept);
    ((procs *)kn_component_get(world, type, bearer))->on = on;
}

static uint32_t charges_at_first(const kn_world *world, const kn_proc_def *def, kn_effect_id effect,
    kn_ability_id ability, kn_entity_id bearer)
{
    float charges;
    kn_result result = effect.index1 != 0
                           ? kn_effect_evaluate(world, effect, &def->charges, &charges)
                           : kn_magnitude_evaluate(world, &def->charges, bearer, bearer,
                                 kn_ability_level(world, ability), &charges);
    return result == KN_OK && charges >= 1.0f ? (uint32_t)(charges < 1e6f ? charges : 1e6f) : 0;
}

static void items_add(kn_world *world, const kn_reaction *reaction, uint32_t first)
{
    const kn_library *library = kn_world_library(world);
    const proc_ids *ids = &knc_combat_of(library)->proc;
    kn_time now = kn_world_now(world);
    for (uint32_t i = first; i != 0; i = ids->next[i]) {
        proc_item item = {.effect = reaction->effect,
            .ability = reaction->effect.index1 == 0 ? reaction->ability : (kn_ability_id){0},
            .gained_by = reaction->activation,
            .gained_at = now,
            .ready_at = now,
            .succeeded_at = now,
            .proc = {i}};
        item.charges = charges_at_first(world, kn_proc_get_def(library, item.proc), item.effect,
            item.ability, reaction->entity);
        item_insert(world, reaction->entity, &item);
    }
}

void knc_proc_effect_began(kn_world *world, const kn_reaction *reaction)
{
    const proc_ids *ids = &knc_combat_of_world(world)->proc;
    if (kn_effect_is_alive(world, reaction->effect)) {
        items_add(world, reaction, ids->by_effect[reaction->effect_type.index1]);
    }
}

// A further application brings all charges back.
void knc_proc_effect_again(kn_world *world, const kn_reaction *reaction)
{
    const kn_library *library = kn_world_library(world);
    kn_component_type_id type = knc_combat_of(library)->proc.procs;
    uint32_t count;
    proc_item *items = kn_component_items(world, type, reaction->entity, &count);
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (kn_effect_id_equal(items[i].effect, reaction->effect)) {
            const kn_proc_def *def = kn_proc_get_def(library, items[i].proc);
            items[i].gained_by = reaction->activation;
            items[i].gained_at = kn_world_now(world);
            items[i].charges = def == NULL ? 0
                                           : charges_at_first(world, def, items[i].effect,
                                                 items[i].ability, reaction->entity);
        }
    }
}

// Stacks that waited to be removed are gone now.
void knc_proc_effect_stacks(kn_world *world, const kn_reaction *reaction)
{
    uint32_t count;
    proc_item *items =
        kn_component_items(world, knc_combat_of_world(world)->proc.procs, reaction->entity, &count);
    uint32_t lost =
        reaction->old_count > reaction->new_count ? reaction->old_count - reaction->new_count : 0;
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (kn_effect_id_equal(items[i].effect, reaction->effect)) {
            uint32_t own = lost < items[i].spent ? lost : items[i].spent;
            items[i].spent -= own;
            lost -= own;
        }
    }
}

void knc_proc_effect_ended(kn_world *world, const kn_reaction *reaction)
{
    items_remove(world, reaction->entity, reaction->effect, (kn_ability_id){0});
}

static bool ability_is_wanted(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const proc_ids *ids = user;
    uint32_t type = reaction->ability_type.index1;
    (void)library;
    return type <= ids->ability_count && ids->by_ability[type] != 0;
}

static void ability_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const proc_ids *ids = &knc_combat_of_world(world)->proc;
    (void)user;
    if (reaction->trigger == KN_TRIGGER_ABILITY_REMOVED) {
        items_remove(world, reaction->entity, (kn_effect_id){0}, reaction->ability);
    } else if (kn_ability_is_alive(world, reaction->ability)) {
        items_add(world, reaction, ids->by_ability[reaction->ability_type.index1]);
    }
}

// Registration ----------------------------------------------------------------------

static const kn_field acted_fields[] = {
    KN_FIELD(kn_proc_acted, other, KN_FIELD_ENTITY),
    KN_FIELD_TO(kn_proc_acted, effect, "effect"),
    KN_FIELD_TO(kn_proc_acted, proc, "proc"),
    KN_FIELD(kn_proc_acted, on, KN_FIELD_U32),
    KN_FIELD(kn_proc_acted, chance, KN_FIELD_F32),
    KN_FIELD(kn_proc_acted, charges, KN_FIELD_U32),
};

static kn_result proc_components_register(kn_library *library, proc_ids *ids, kn_error *error)
{
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Procs";
    def.size = sizeof(procs);
    def.fields = procs_fields;
    def.field_count = 1;
    def.item_size = sizeof(proc_item);
    def.item_fields = proc_item_fields;
    def.item_field_count = sizeof(proc_item_fields) / sizeof(*proc_item_fields);
    kn_result result = kn_component_register(library, &def, &ids->procs, error);
    def.name = "Knack.ProcCooldowns";
    def.fields = cooldowns_fields;
    def.item_size = sizeof(proc_cooldown);
    def.item_fields = cooldown_fields;
    def.item_field_count = sizeof(cooldown_fields) / sizeof(*cooldown_fields);
    return result != KN_OK ? result : kn_component_register(library, &def, &ids->cooldowns, error);
}

static kn_result proc_kind_register(kn_library *library, combat *kit, kn_error *error)
{
    static const kn_kind_hook hook = {"acts", sizeof(kn_proc_event), event_fields,
        sizeof(event_fields) / sizeof(*event_fields),
        "Called after the actions of a proc, with what it reacts to."};
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "proc";
    kind.section = "procs";
    kind.table = &proc_table;
    kind.text = "Reactions to what happens in combat, with chances, cooldowns and charges.";
    kind.check = proc_check;
    kind.finish = proc_finish;
    kind.user = kit;
    kind.hooks = &hook;
    kind.hook_count = 1;
    return kn_kind_register(library, &kind, &kit->proc.kind, error);
}

static kn_result proc_names_register(kn_library *library, proc_ids *ids, kn_error *error)
{
    static const char *const names[] = {"Knack.Proc", "Knack.NoProcs", "Knack.Outcome.Normal",
        "Knack.Outcome.Absorbed", "Knack.Died"};
    kn_tag tags[5];
    kn_result result = knc_combat_tags_register(library, names, 5, tags, error);
    if (result != KN_OK) {
        return result;
    }
    ids->event = tags[0];
    ids->no_procs = tags[1];
    ids->normal = tags[2];
    ids->absorbed = tags[3];
    ids->died = tags[4];
    kn_value_def value = kn_value_def_default();
    value.name = "Knack.ProcRate";
    result = kn_stream_register(library, "Knack.Procs", false, &ids->stream, error);
    result = result != KN_OK ? result
                             : kn_stream_register(
                                   library, "Knack.Procs.Server", true, &ids->server_stream, error);
    result = result != KN_OK ? result : kn_value_register(library, &value, &ids->rate, error);
    value.name = "Knack.ProcChance";
    result = result != KN_OK ? result : kn_value_register(library, &value, &ids->chance, error);
    return result != KN_OK ? result
                           : kn_cause_type_register(
                                 library, "proc", "proc {def} of {entity}", &ids->cause, error);
}

static kn_result proc_rules_register(kn_library *library, combat *kit, kn_error *error)
{
    const struct {
        const char *name;
        kn_trigger trigger;
        kn_tag tag;
        kn_rule_fn *function;
        kn_rule_wants_fn *wants;
        void *user;
    } rows[] = {
        {"Knack.Procs.Granted", KN_TRIGGER_ABILITY_GRANTED, {0}, ability_rule, ability_is_wanted,
            &kit->proc},
        {"Knack.Procs.Revoked", KN_TRIGGER_ABILITY_REMOVED, {0}, ability_rule, ability_is_wanted,
            &kit->proc},
        {"Knack.Procs.Interrupt", KN_TRIGGER_ABILITY_ENDED, {0}, knc_proc_interrupt_rule,
            knc_proc_interrupt_wants, kit},
        {"Knack.Procs.Event", KN_TRIGGER_EVENT, kit->proc.event, knc_proc_event_rule, NULL, NULL},
        {"Knack.Procs.Death", KN_TRIGGER_EVENT, kit->proc.died, knc_proc_death_rule, NULL, NULL},
    };
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < sizeof(rows) / sizeof(*rows); i++) {
        kn_rule_def rule = kn_rule_def_default();
        kn_rule_id id;
        rule.name = rows[i].name;
        rule.trigger = rows[i].trigger;
        rule.tag = rows[i].tag;
        rule.function = rows[i].function;
        rule.wants = rows[i].wants;
        rule.user = rows[i].user;
        result = kn_rule_register(library, &rule, &id, error);
    }
    return result;
}

kn_result knc_proc_part_register(kn_library *library, combat *kit, kn_error *error)
{
    proc_ids *ids = &kit->proc;
    kn_result result = proc_names_register(library, ids, error);
    result = result != KN_OK ? result : proc_kind_register(library, kit, error);
    result = result != KN_OK ? result : proc_components_register(library, ids, error);
    result = result != KN_OK
                 ? result
                 : knc_combat_event_register(library, "Knack.Proc", sizeof(kn_proc_acted),
                       acted_fields, 6, "procs {proc}", &ids->acted, error);
    return result != KN_OK ? result : proc_rules_register(library, kit, error);
}

void knc_proc_part_free(proc_ids *ids)
{
    free(ids->by_effect);
    free(ids->by_ability);
    free(ids->next);
    ids->by_effect = NULL;
    ids->by_ability = NULL;
    ids->next = NULL;
}

void knc_proc_part_release(combat *kit)
{
    knc_proc_part_free(&kit->proc);
}
