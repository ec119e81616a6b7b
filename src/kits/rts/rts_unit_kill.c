// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Death of units: what they lose and gain by it, who gets the credit, and who the experience.

#include "parts.h"

#include <math.h>
#include <string.h>

#define SHARERS_MAX 256 // units that share in one kill
#define OWNERS_MAX 8    // from a projectile to the unit behind it

static const rts_kit *kit_of(const kn_world *world)
{
    return knc_rts_kit_of_world(world);
}

bool kn_rts_is_dead(const kn_world *world, kn_entity_id unit)
{
    const unit_state *state = knc_rts_unit_read(world, unit);
    return state != NULL && state->is_dead != 0;
}

// Who is behind it ------------------------------------------------------------------

// The unit that something counts for: itself, or the nearest owner that is a unit; otherwise what
// it was.
static kn_entity_id unit_behind(const kn_world *world, kn_entity_id entity)
{
    kn_entity_id at = entity;
    for (uint32_t i = 0; i < OWNERS_MAX && at.index1 != 0; i++) {
        if (knc_rts_unit_read(world, at) != NULL) {
            return at;
        }
        at = kn_entity_owner(world, at);
    }
    return entity;
}

// The source of the innermost effect or ability of a chain of causes; null for none.
static kn_entity_id cause_source(const kn_world *world, kn_cause cause)
{
    kn_cause_info info;
    while (kn_cause_get(world, cause, &info)) {
        if (info.source.index1 != 0) {
            return info.source;
        }
        if (info.kind == KN_CAUSE_ABILITY || info.kind == KN_CAUSE_END ||
            info.kind == KN_CAUSE_TASK) {
            return info.entity;
        }
        cause = info.parent;
    }
    return (kn_entity_id){0};
}

// Damage that is remembered -----------------------------------------------------------

static bool hit_is_recent(const kn_world *world, const kn_rts_hit *hit)
{
    return kn_world_now(world) - hit->at <= kit_of(world)->rules->assist_window;
}

static void hits_forget(kn_world *world, kn_entity_id unit)
{
    const kn_component_type_id type = kit_of(world)->units.hits;
    uint32_t count = 0, kept = 0;
    kn_rts_hit *hits = kn_component_items(world, type, unit, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (hit_is_recent(world, &hits[i])) {
            hits[kept++] = hits[i];
        }
    }
    if (kept < count) {
        (void)kn_component_resize(world, type, unit, kept);
    }
}

static void hit_remember(kn_world *world, kn_entity_id unit, kn_entity_id attacker, float damage)
{
    const kn_component_type_id type = kit_of(world)->units.hits;
    uint32_t count = 0;
    if (kn_component_add(world, type, unit) == NULL) {
        return;
    }
    hits_forget(world, unit);
    kn_rts_hit *hits = kn_component_items(world, type, unit, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (kn_entity_id_equal(hits[i].attacker, attacker)) {
            hits[i].at = kn_world_now(world);
            hits[i].damage += damage;
            return;
        }
    }
    hits = kn_component_resize(world, type, unit, count + 1);
    if (hits != NULL) {
        hits[count] =
            (kn_rts_hit){.attacker = attacker, .at = kn_world_now(world), .damage = damage};
    }
}

uint32_t kn_rts_hits(const kn_world *world, kn_entity_id unit, kn_rts_hit *out, uint32_t capacity)
{
    uint32_t count = 0, found = 0;
    const kn_rts_hit *hits =
        knc_rts_unit_read(world, unit) != NULL
            ? kn_component_read_items(world, kit_of(world)->units.hits, unit, &count)
            : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (hit_is_recent(world, &hits[i])) {
            if (found < capacity) {
                out[found] = hits[i];
            }
            found++;
        }
    }
    return found;
}

// The latest one; of several at the same time the last that began to.
static kn_entity_id hits_latest(const kn_world *world, kn_entity_id unit)
{
    uint32_t count = 0;
    const kn_rts_hit *hits =
        kn_component_read_items(world, kit_of(world)->units.hits, unit, &count);
    const kn_rts_hit *latest = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (hit_is_recent(world, &hits[i]) && (latest == NULL || hits[i].at >= latest->at)) {
            latest = &hits[i];
        }
    }
    return latest != NULL ? latest->attacker : (kn_entity_id){0};
}

// Experience ------------------------------------------------------------------------

// Whether a unit can gain experience from the death of another.
static bool may_share(const kn_world *world, kn_entity_id unit, kn_entity_id killed)
{
    const rts_kit *kit = kit_of(world);
    const unit_state *state = knc_rts_unit_read(world, unit);
    const unit_levels *levels = knc_rts_levels_read(world, unit);
    if (levels == NULL || state->is_dead != 0 || kn_entity_is_dying(world, unit) ||
        kn_entity_id_equal(unit, killed) ||
        levels->level >= knc_rts_unit_def(world, state->type)->max_level) {
        return false;
    }
    return !kit->rules->only_enemies ||
           (kn_order_get_relation(world, unit, killed) & KN_ORDER_HOSTILE) != 0;
}

typedef struct share_search {
    kn_entity_id killed, killer;
} share_search;

static bool share_accept(void *user, const kn_world *world, kn_entity_id entity)
{
    const share_search *s = user;
    return !kn_entity_id_equal(entity, s->killer) && may_share(world, entity, s->killed) &&
           (kn_order_get_relation(world, s->killer, entity) & KN_ORDER_FRIENDLY) != 0;
}

// The killer first, then those of its side who are near, by slot.
static uint32_t sharers_find(
    const kn_world *world, kn_entity_id killed, kn_entity_id killer, kn_entity_id *out)
{
    const kn_rts_rules_def *rules = kit_of(world)->rules;
    share_search search = {killed, killer};
    kn_space_filter filter = kn_space_filter_default();
    kn_sphere around = {.radius = rules->share_radius};
    uint32_t count = 0;
    if (may_share(world, killer, killed)) {
        out[count++] = killer;
    }
    if (rules->share == KN_RTS_SHARE_KILLER ||
        !kn_space_position(kn_world_space(world), world, killed, &around.center)) {
        return count;
    }
    filter.accept = share_accept;
    filter.user = &search;
    const uint32_t room = SHARERS_MAX - count;
    const uint32_t found =
        kn_space_sphere(kn_world_space(world), world, &around, &filter, out + count, room);
    return count + (found < room ? found : room);
}

static void experience_share(
    kn_world *world, kn_entity_id killed, kn_entity_id killer, float experience)
{
    kn_entity_id sharers[SHARERS_MAX];
    if (!(experience > 0.0f) || killer.index1 == 0) {
        return;
    }
    const uint32_t count = sharers_find(world, killed, killer, sharers);
    const bool is_split = kit_of(world)->rules->share == KN_RTS_SHARE_SPLIT;
    const float each = is_split && count > 0 ? experience / (float)count : experience;
    for (uint32_t i = 0; i < count; i++) {
        (void)kn_rts_add_experience(world, sharers[i], each);
    }
}

static bool is_assist(
    const kn_world *world, const kn_rts_hit *hit, kn_entity_id killed, kn_entity_id killer)
{
    return hit_is_recent(world, hit) && !kn_entity_id_equal(hit->attacker, killer) &&
           !kn_entity_id_equal(hit->attacker, killed) &&
           knc_rts_unit_read(world, hit->attacker) != NULL;
}

static uint32_t assists_count(const kn_world *world, kn_entity_id killed, kn_entity_id killer)
{
    uint32_t count = 0, found = 0;
    const kn_rts_hit *hits =
        kn_component_read_items(world, kit_of(world)->units.hits, killed, &count);
    for (uint32_t i = 0; i < count; i++) {
        found += is_assist(world, &hits[i], killed, killer);
    }
    return found;
}

static void assists_reward(
    kn_world *world, kn_entity_id killed, kn_entity_id killer, float experience)
{
    const rts_kit *kit = kit_of(world);
    const kn_component_type_id type = kit->units.hits;
    uint32_t count = 0;
    const kn_rts_hit *hits = kn_component_read_items(world, type, killed, &count);
    for (uint32_t i = 0; i < count; i++) {
        const kn_rts_hit hit = hits[i];
        if (is_assist(world, &hit, killed, killer)) {
            const bool gains = may_share(world, hit.attacker, killed);
            const kn_rts_assist_event event = {
                killed, hit.damage, gains ? experience * kit->rules->assist_share : 0.0f};
            (void)kn_world_publish(world, hit.attacker, kit->units.assist, &event);
            if (event.experience > 0.0f) {
                (void)kn_rts_add_experience(world, hit.attacker, event.experience);
            }
        }
        hits = kn_component_read_items(world, type, killed, &count);
    }
    (void)kn_component_resize(world, type, killed, 0);
}

// Death -----------------------------------------------------------------------------

static void tag_clear(kn_world *world, kn_entity_id unit, kn_tag tag)
{
    static const kn_tag_origin origins[] = {KN_TAG_ORIGIN_LOOSE_SYNCED, KN_TAG_ORIGIN_LOOSE};
    for (uint32_t i = 0; i < COUNT(origins); i++) {
        if (kn_entity_tag_count_origin(world, unit, tag, origins[i]) > 0) {
            (void)kn_entity_set_tag_count(world, unit, tag, origins[i], 0);
        }
    }
}

static float experience_of(const kn_world *world, kn_entity_id unit)
{
    const rts_kit *kit = kit_of(world);
    const bool is_summoned = kn_entity_has_tag(world, unit, kit->tags[KN_RTS_SUMMONED]);
    return is_summoned && !kit->rules->summoned_give_experience
               ? 0.0f
               : kn_rts_granted_experience(world, unit);
}

static void tags_die(kn_world *world, kn_entity_id unit, const kn_rts_unit_def *def)
{
    tag_clear(world, unit, kit_of(world)->tags[KN_RTS_ALIVE]);
    for (uint32_t i = 0; i < def->death_tags_added.count; i++) {
        (void)kn_entity_add_tag(
            world, unit, def->death_tags_added.data[i], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
    for (uint32_t i = 0; i < def->death_tags_removed.count; i++) {
        tag_clear(world, unit, def->death_tags_removed.data[i]);
    }
}

// `killer` may be null: then the latest one who has damaged it.
static void unit_die(kn_world *world, kn_entity_id unit, kn_entity_id killer)
{
    const rts_kit *kit = kit_of(world);
    unit_state *state = kn_component_get(world, kit->units.state, unit);
    const kn_rts_unit_type_id type = state->type;
    const kn_rts_unit_def *def = knc_rts_unit_def(world, type);
    state->is_dead = 1;
    knc_rts_gift_look(world, unit);
    killer = unit_behind(world, killer.index1 != 0 ? killer : hits_latest(world, unit));
    kn_rts_killed_call call = {
        killer, experience_of(world, unit), assists_count(world, unit, killer)};
    if (def != NULL) {
        tags_die(world, unit, def);
        kn_rts_killed_call asked = call;
        if (kn_hook_run(world, kit->units.unit_kind, type.index1, &def->killed, unit, &asked) ==
                KN_OK &&
            isfinite(asked.experience)) {
            call.experience = asked.experience;
        }
    }
    const kn_rts_killed_event event = {call.killer, call.experience, call.assists};
    (void)kn_world_publish(world, unit, kit->units.killed, &event);
    knc_rts_items_die(world, unit);
    experience_share(world, unit, killer, call.experience);
    assists_reward(world, unit, killer, call.experience);
}

typedef struct kill_call {
    kn_entity_id unit, killer;
} kill_call;

static kn_result kill_run(void *user, kn_world *world)
{
    const kill_call *c = user;
    unit_die(world, c->unit,
        c->killer.index1 != 0 ? c->killer : cause_source(world, kn_world_cause(world)));
    return KN_OK;
}

kn_result kn_rts_kill(kn_world *world, kn_entity_id unit, kn_entity_id killer)
{
    kn_result result = knc_rts_unit_check(world, unit);
    if (result != KN_OK) {
        return result;
    }
    if (kn_rts_is_dead(world, unit)) {
        return KN_REFUSED_DUPLICATE;
    }
    kill_call c = {unit, killer};
    return kn_world_call(world, kill_run, &c);
}

// Rules -----------------------------------------------------------------------------

static bool is_living_unit(const kn_world *world, kn_entity_id unit)
{
    const unit_state *state = kn_world_is_client(world) ? NULL : knc_rts_unit_read(world, unit);
    return state != NULL && state->is_dead == 0;
}

static void alive_lost_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_tag alive = kit_of(world)->tags[KN_RTS_ALIVE];
    (void)user;
    if (is_living_unit(world, reaction->entity) &&
        !kn_entity_has_tag(world, reaction->entity, alive)) {
        unit_die(world, reaction->entity, cause_source(world, reaction->cause));
    }
}

static void alive_gained_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_entity_id unit = reaction->entity;
    (void)user;
    if (kn_world_is_client(world) || !kn_rts_is_dead(world, unit) ||
        !kn_entity_has_tag(world, unit, reaction->tag)) {
        return;
    }
    unit_state *state = kn_component_get(world, kit_of(world)->units.state, unit);
    const kn_rts_unit_def *def = knc_rts_unit_def(world, state->type);
    state->is_dead = 0;
    knc_rts_gift_look(world, unit);
    for (uint32_t i = 0; def != NULL && i < def->death_tags_added.count; i++) {
        (void)kn_entity_remove_tag(
            world, unit, def->death_tags_added.data[i], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
}

static void health_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_entity_id unit = reaction->entity;
    (void)user;
    if (!is_living_unit(world, unit) || reaction->key != 0) {
        return;
    }
    const kn_entity_id source = cause_source(world, reaction->cause);
    const float lost = reaction->old_value - reaction->new_value;
    if (lost > 0.0f && source.index1 != 0 && kit_of(world)->rules->assist_window > 0) {
        const kn_entity_id attacker = unit_behind(world, source);
        if (!kn_entity_id_equal(attacker, unit)) {
            hit_remember(world, unit, attacker, lost);
        }
    }
    if (reaction->new_value <= 0.0f && reaction->old_value > 0.0f) {
        unit_die(world, unit, source);
    }
}

kn_result knc_rts_kills_expand(kn_library *library, rts_kit *kit, kn_error *error)
{
    const kn_tag alive = kit->tags[KN_RTS_ALIVE];
    kn_result result = knc_rts_rule_register(library, "Knack.RtsDies", KN_TRIGGER_TAG_REMOVED,
        alive, (kn_attribute_id){0}, alive_lost_rule, NULL, error);
    if (result == KN_OK) {
        result = knc_rts_rule_register(library, "Knack.RtsLives", KN_TRIGGER_TAG_ADDED, alive,
            (kn_attribute_id){0}, alive_gained_rule, NULL, error);
    }
    if (result == KN_OK && kit->rules->health.index1 != 0) {
        result = knc_rts_rule_register(library, "Knack.RtsHealth", KN_TRIGGER_ATTRIBUTE_CHANGED,
            (kn_tag){0}, kit->rules->health, health_rule, NULL, error);
    }
    return result;
}
