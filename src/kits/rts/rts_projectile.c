// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Projectiles. One is an entity with a timer for its arrival and costs nothing before. Its way
// consists of legs: straight parts that it flies at its speed. A homing one whose target has moved
// begins another leg from where it is.

#include "attack_parts.h"

#include <math.h>
#include <string.h>

#define PROJECTILE_COOKIE 0x50524f4au

// Ways ----------------------------------------------------------------------------------

static kn_vec3 between(kn_vec3 from, kn_vec3 to, float share)
{
    return (kn_vec3){from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share,
        from.z + (to.z - from.z) * share};
}

static kn_time way_time(const kn_rts_weapon_def *def, kn_vec3 from, kn_vec3 to)
{
    if (!(def->speed > 0.0f)) {
        return 0;
    }
    const kn_time time =
        kn_time_from_seconds((double)knc_rts_distance(from, to) / (double)def->speed);
    return time < KN_S(1000000) ? time : KN_S(1000000);
}

// Where a leg really ends if something is in the way; true if so.
static bool leg_is_blocked(const kn_world *world, const shot *s, kn_vec3 from, kn_vec3 *to)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    if (!s->def->is_blockable || kit->rules->find_obstacle.function == NULL) {
        return false;
    }
    kn_rts_flight_call call = {
        .target = s->target, .from = from, .to = *to, .weapon = s->weapon, .share = 1.0f};
    const kn_entity_id source =
        kn_entity_is_alive(world, s->source) ? s->source : (kn_entity_id){0};
    (void)kn_hook_read(world, kit->rules_kind, 1, &kit->rules->find_obstacle, source, &call);
    if (!(call.share < 1.0f)) {
        return false;
    }
    *to = between(from, *to, call.share > 0.0f ? call.share : 0.0f);
    return true;
}

static void leg_publish(kn_world *world, kn_entity_id entity, const projectile *p)
{
    const kn_rts_projectile_event event = {.source = p->source,
        .target = p->target,
        .weapon = p->weapon,
        .from = p->from,
        .to = p->to,
        .until = p->until};
    (void)kn_world_publish(world, entity, knc_rts_attack_of_world(world)->launched, &event);
}

static void leg_begin(kn_world *world, const shot *s, projectile *p, kn_vec3 from, kn_vec3 to)
{
    p->from = from;
    p->blocked = leg_is_blocked(world, s, from, &to);
    p->to = to;
    p->began = kn_world_now(world);
    p->until = p->began + way_time(s->def, from, to);
    p->legs++;
}

// Launching -----------------------------------------------------------------------------

static float expected_of(const kn_world *world, const shot *s)
{
    kn_rts_damage_def def = kn_rts_damage_def_default();
    kn_rts_damage damage;
    def.source = s->source;
    def.target = s->target;
    def.weapon = s->weapon;
    def.type = s->type;
    def.amount = s->amount;
    def.flags = s->flags & KN_RTS_DAMAGE_INPUTS;
    return s->target.index1 != 0 && kn_rts_damage_quote(world, &def, &damage) == KN_OK
               ? damage.dealt + damage.overkill
               : 0.0f;
}

static bool items_write(kn_world *world, kn_entity_id entity, const shot *s)
{
    if (s->item_count == 0) {
        return true;
    }
    shot_item *items = kn_component_resize(
        world, knc_rts_attack_of_world(world)->projectiles, entity, s->item_count);
    if (items != NULL) {
        memcpy(items, s->items, s->item_count * sizeof(*items));
    }
    return items != NULL;
}

static kn_result projectile_create(kn_world *world, const shot *s, kn_entity_id *entity)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    kn_result result = kn_entity_create(world, entity);
    if (result != KN_OK) {
        return result;
    }
    projectile p = {.source = s->source,
        .target = s->target,
        .owner = s->owner,
        .launched = kn_world_now(world),
        .weapon = s->weapon,
        .flags = s->flags | KN_RTS_DAMAGE_PROJECTILE,
        .type = s->type,
        .amount = s->amount,
        .expected = expected_of(world, s),
        .life_steal = s->life_steal,
        .level = s->level,
        .bounces = s->bounces};
    leg_begin(world, s, &p, s->from, s->at);
    projectile *own = kn_component_add(world, kit->projectiles, *entity);
    if (own != NULL) {
        *own = p;
    }
    if (own == NULL || !items_write(world, *entity, s)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    result = kn_timer_start(world, kit->arrival, *entity, p.until - p.began, NULL, NULL);
    if (result == KN_OK) {
        leg_publish(world, *entity, &p);
    }
    return result;
}

kn_result knc_rts_projectile_send(kn_world *world, shot *s, kn_entity_id *entity)
{
    kn_entity_id created = {0};
    if (!(s->def->speed > 0.0f) && !leg_is_blocked(world, s, s->from, &s->at)) {
        (void)knc_rts_shot_hit(world, s);
    } else if (s->def->speed > 0.0f) {
        kn_result result = projectile_create(world, s, &created);
        if (result != KN_OK) {
            (void)kn_entity_destroy(world, created);
            return result;
        }
    } else { // stopped at once
        s->target = (kn_entity_id){0};
        (void)knc_rts_shot_hit(world, s);
    }
    if (entity != NULL) {
        *entity = created;
    }
    return KN_OK;
}

kn_rts_projectile_def kn_rts_projectile_def_default(void)
{
    kn_rts_projectile_def def = {.amount = -1.0f, .level = 1.0f, .cookie = PROJECTILE_COOKIE};
    return def;
}

typedef struct launch_call {
    const kn_rts_projectile_def *def;
    kn_entity_id projectile;
} launch_call;

static kn_result launch_run(void *user, kn_world *world)
{
    launch_call *c = user;
    const kn_rts_projectile_def *def = c->def;
    shot s = {.source = def->source, .target = def->target, .level = def->level};
    knc_rts_shot_make(world, def->weapon, def->amount, NULL, &s);
    s.from = def->from;
    if (!def->has_from) {
        (void)knc_rts_position(world, def->source, &s.from);
    }
    s.at = def->to;
    if (def->target.index1 != 0) {
        (void)knc_rts_position(world, def->target, &s.at);
    }
    return knc_rts_projectile_send(world, &s, &c->projectile);
}

static bool is_finite(kn_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

kn_result kn_rts_projectile_launch(
    kn_world *world, const kn_rts_projectile_def *def, kn_entity_id *projectile_id)
{
    launch_call c = {.def = def};
    kn_result result = KN_ERROR_INVALID_ARGUMENT;
    if (projectile_id != NULL) {
        *projectile_id = (kn_entity_id){0};
    }
    if (def == NULL || def->cookie != PROJECTILE_COOKIE) {
        return result;
    }
    result = knc_rts_attack_may_change(world, def->source);
    if (result == KN_OK && knc_rts_weapon_of(world, def->weapon) == NULL) {
        result = KN_ERROR_INVALID_ARGUMENT;
    }
    if (result == KN_OK && def->target.index1 != 0 && !kn_entity_is_alive(world, def->target)) {
        result = KN_REFUSED_STALE_ID;
    }
    if (result == KN_OK && (!is_finite(def->from) || !is_finite(def->to) ||
                               !isfinite(def->amount) || !isfinite(def->level))) {
        result = KN_REFUSED_BAD_NUMBER;
    }
    if (result == KN_OK) {
        result = kn_world_call(world, launch_run, &c);
    }
    if (projectile_id != NULL) {
        *projectile_id = c.projectile;
    }
    return result;
}

// Arriving ------------------------------------------------------------------------------

static shot shot_of(const kn_world *world, kn_entity_id entity, const projectile *p)
{
    shot s = {.source = p->source,
        .target = p->target,
        .causer = entity,
        .owner = p->owner,
        .weapon = p->weapon,
        .def = knc_rts_weapon_of(world, p->weapon),
        .type = p->type,
        .amount = p->amount,
        .life_steal = p->life_steal,
        .level = p->level,
        .flags = p->flags & KN_RTS_DAMAGE_INPUTS,
        .bounces = p->bounces,
        .from = p->from,
        .at = p->to};
    uint32_t count = 0;
    const shot_item *items =
        kn_component_read_items(world, knc_rts_attack_of_world(world)->projectiles, entity, &count);
    s.item_count = count < SHOT_ITEMS_MAX ? count : SHOT_ITEMS_MAX;
    if (s.item_count > 0) {
        memcpy(s.items, items, s.item_count * sizeof(*items));
    }
    return s;
}

static bool is_alive(const kn_world *world, kn_entity_id entity)
{
    const kn_tag alive = knc_rts_attack_of_world(world)->rts->tags[KN_RTS_ALIVE];
    return kn_entity_has_tag(world, entity, alive) && !kn_entity_is_dying(world, entity);
}

static bool is_touched(const kn_world *world, const shot *s)
{
    const kn_sphere around = {s->at, s->def->hit_radius};
    kn_space_filter filter = kn_space_filter_default();
    kn_vec3 there;
    filter.only = s->target;
    return !knc_rts_position(world, s->target, &there) ||
           knc_rts_distance(there, s->at) <= s->def->hit_radius ||
           kn_space_sphere(kn_world_space(world), world, &around, &filter, NULL, 0) > 0;
}

// Flies on to where the target is; the time that it takes.
static kn_time fly_on(kn_world *world, kn_entity_id entity, const shot *s, kn_vec3 to)
{
    projectile *p = kn_component_get(world, knc_rts_attack_of_world(world)->projectiles, entity);
    p->target = s->target;
    projectile next = *p;
    leg_begin(world, s, &next, p->to, to);
    if (next.until <= next.began) {
        next.until = next.began + 1;
    }
    *p = next;
    leg_publish(world, entity, &next);
    return next.until - next.began;
}

static kn_time finish(
    kn_world *world, kn_entity_id entity, const shot *s, kn_rts_projectile_end end)
{
    const kn_rts_projectile_ended event = {.source = s->source,
        .target = s->target,
        .weapon = s->weapon,
        .end = (uint32_t)end,
        .at = s->at};
    (void)kn_world_publish(world, entity, knc_rts_attack_of_world(world)->ended, &event);
    (void)kn_entity_destroy(world, entity);
    return 0;
}

// Ends without a target, with splash.
static kn_time land(kn_world *world, kn_entity_id entity, shot *s, kn_rts_projectile_end end)
{
    const kn_entity_id target = s->target;
    s->target = (kn_entity_id){0};
    (void)knc_rts_shot_hit(world, s);
    s->target = target;
    return finish(world, entity, s, end);
}

static kn_time hit(kn_world *world, kn_entity_id entity, shot *s)
{
    kn_vec3 there;
    if (knc_rts_position(world, s->target, &there)) {
        s->at = there;
    }
    return finish(world, entity, s, knc_rts_shot_hit(world, s));
}

static kn_time target_is_lost(kn_world *world, kn_entity_id entity, shot *s)
{
    kn_vec3 there = s->at;
    switch (s->def->target_lost) {
    case KN_RTS_LOST_LANDS:
        return land(world, entity, s, KN_RTS_PROJECTILE_LOST_TARGET);
    case KN_RTS_LOST_TURNS: {
        const kn_entity_id next = knc_rts_shot_next(world, s, s->def->turn_radius, false);
        if (next.index1 != 0) {
            s->target = next;
            (void)knc_rts_position(world, next, &there);
            return fly_on(world, entity, s, there);
        }
        return finish(world, entity, s, KN_RTS_PROJECTILE_LOST_TARGET);
    }
    default:
        return finish(world, entity, s, KN_RTS_PROJECTILE_LOST_TARGET);
    }
}

static kn_time place_is_reached(kn_world *world, kn_entity_id entity, shot *s)
{
    if (s->target.index1 == 0 || !is_alive(world, s->target) || !is_touched(world, s)) {
        s->target = knc_rts_shot_next(world, s, s->def->hit_radius, false);
    }
    return s->target.index1 != 0 ? finish(world, entity, s, knc_rts_shot_hit(world, s))
                                 : land(world, entity, s, KN_RTS_PROJECTILE_LANDED);
}

static kn_time target_is_reached(kn_world *world, kn_entity_id entity, const projectile *p, shot *s)
{
    kn_vec3 there;
    if (!is_alive(world, s->target)) {
        return target_is_lost(world, entity, s);
    }
    if (s->def->guide == KN_RTS_GUIDE_TIMED || is_touched(world, s) ||
        !knc_rts_position(world, s->target, &there)) {
        return hit(world, entity, s);
    }
    const bool is_late =
        s->def->lifetime > 0 && kn_world_now(world) - p->launched >= s->def->lifetime;
    return is_late || p->legs >= LEGS_MAX ? land(world, entity, s, KN_RTS_PROJECTILE_TIMED_OUT)
                                          : fly_on(world, entity, s, there);
}

static kn_time arrive(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const attack_kit *kit = user;
    const projectile *own = kn_component_read(world, kit->projectiles, entity);
    (void)data;
    if (own == NULL || kn_world_is_client(world)) {
        return 0; // clients see what the authority makes of it
    }
    const projectile p = *own;
    shot s = shot_of(world, entity, &p);
    if (s.def == NULL) { // of a save that names none
        (void)kn_entity_destroy(world, entity);
        return 0;
    }
    if (!kn_entity_is_alive(world, s.source) && s.owner.index1 != 0) {
        (void)kn_entity_set_owner(world, entity, s.owner); // it acts in its own name
    }
    if (s.def->ends_with_source && !is_alive(world, s.source)) {
        return finish(world, entity, &s, KN_RTS_PROJECTILE_LOST_SOURCE);
    }
    if (p.blocked != 0) {
        return land(world, entity, &s, KN_RTS_PROJECTILE_BLOCKED);
    }
    return s.def->guide == KN_RTS_GUIDE_LOCATION || s.target.index1 == 0
               ? place_is_reached(world, entity, &s)
               : target_is_reached(world, entity, &p, &s);
}

// Looking at projectiles ----------------------------------------------------------------

static const projectile *projectile_read(const kn_world *world, kn_entity_id entity)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    return kit != NULL ? kn_component_read(world, kit->projectiles, entity) : NULL;
}

bool kn_rts_projectile_get(const kn_world *world, kn_entity_id entity, kn_rts_projectile_info *info)
{
    const projectile *p = projectile_read(world, entity);
    *info = (kn_rts_projectile_info){0};
    if (p == NULL) {
        return false;
    }
    *info = (kn_rts_projectile_info){.weapon = p->weapon,
        .source = p->source,
        .target = p->target,
        .owner = p->owner,
        .from = p->from,
        .to = p->to,
        .began = p->began,
        .until = p->until,
        .expected = p->expected,
        .flags = p->flags};
    return true;
}

bool kn_rts_projectile_position(const kn_world *world, kn_entity_id entity, kn_vec3 *position)
{
    const projectile *p = projectile_read(world, entity);
    *position = (kn_vec3){0};
    if (p == NULL) {
        return false;
    }
    const kn_time now = kn_world_now(world);
    if (now >= p->until) {
        *position = p->to;
    } else {
        const double share = (double)(now - p->began) / (double)(p->until - p->began);
        *position = between(p->from, p->to, share > 0.0 ? (float)share : 0.0f);
    }
    return true;
}

float kn_rts_pending_damage(const kn_world *world, kn_entity_id target)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    kn_component_referrer found[64], last;
    const kn_component_referrer *after = NULL;
    float sum = 0.0f;
    uint32_t count = UINT32_MAX;
    while (kit != NULL && count > COUNT(found)) { // page by page
        count = kn_component_referrers_after(
            world, kit->projectiles, kit->target_reference, target, after, found, COUNT(found));
        const uint32_t written = count < COUNT(found) ? count : COUNT(found);
        for (uint32_t i = 0; i < written; i++) {
            const projectile *p = kn_component_read(world, kit->projectiles, found[i].entity);
            sum += p != NULL ? p->expected : 0.0f;
        }
        last = found[written > 0 ? written - 1 : 0];
        after = &last;
    }
    return sum;
}

bool kn_rts_is_doomed(const kn_world *world, kn_entity_id target)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    if (kit == NULL || !kn_attribute_exists(world, target, kit->health, 0)) {
        return false;
    }
    const float pending = kn_rts_pending_damage(world, target);
    return pending > 0.0f && pending >= kn_attribute_value(world, target, kit->health);
}

// Registering ---------------------------------------------------------------------------

static kn_result component_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    enum { FIRST_HIDDEN = 10 };
    kn_field fields[] = {
        KN_FIELD(projectile, source, KN_FIELD_ENTITY),
        KN_FIELD(projectile, target, KN_FIELD_ENTITY),
        KN_FIELD(projectile, owner, KN_FIELD_ENTITY),
        KN_FIELD(projectile, from, KN_FIELD_VEC3),
        KN_FIELD(projectile, to, KN_FIELD_VEC3),
        KN_FIELD(projectile, began, KN_FIELD_TIME),
        KN_FIELD(projectile, until, KN_FIELD_TIME),
        KN_FIELD(projectile, launched, KN_FIELD_TIME),
        KN_FIELD_TO(projectile, weapon, "rts weapon"),
        KN_FIELD(projectile, flags, KN_FIELD_U32),
        KN_FIELD(projectile, type, KN_FIELD_TAG), // from here on the authority's
        KN_FIELD(projectile, amount, KN_FIELD_F32),
        KN_FIELD(projectile, expected, KN_FIELD_F32),
        KN_FIELD(projectile, life_steal, KN_FIELD_F32),
        KN_FIELD(projectile, level, KN_FIELD_F32),
        KN_FIELD(projectile, bounces, KN_FIELD_U32),
        KN_FIELD(projectile, legs, KN_FIELD_U32),
        KN_FIELD(projectile, blocked, KN_FIELD_U32),
    };
    kn_field items[] = {
        KN_FIELD(shot_item, hit, KN_FIELD_ENTITY),
        KN_FIELD_TO(shot_item, modifier, "rts attack modifier"),
        KN_FIELD(shot_item, unused, KN_FIELD_U32),
    };
    const kn_component_reference of_target = {.field = "target"};
    for (uint32_t i = FIRST_HIDDEN; i < COUNT(fields); i++) {
        fields[i].sync = KN_SYNC_NONE;
    }
    for (uint32_t i = 0; i < COUNT(items); i++) {
        items[i].sync = KN_SYNC_NONE;
    }
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Rts.Projectile";
    def.size = sizeof(projectile);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(shot_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.references = &of_target;
    def.reference_count = 1;
    kn_result result = kn_component_register(library, &def, &kit->projectiles, error);
    kit->target_reference = kn_component_reference_find(library, kit->projectiles, "target", false);
    return result;
}

kn_result knc_rts_projectiles_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    static const kn_field launched_fields[] = {
        KN_FIELD(kn_rts_projectile_event, source, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_projectile_event, target, KN_FIELD_ENTITY),
        KN_FIELD_TO(kn_rts_projectile_event, weapon, "rts weapon"),
        KN_FIELD(kn_rts_projectile_event, from, KN_FIELD_VEC3),
        KN_FIELD(kn_rts_projectile_event, to, KN_FIELD_VEC3),
        KN_FIELD(kn_rts_projectile_event, unused, KN_FIELD_U32),
        KN_FIELD(kn_rts_projectile_event, until, KN_FIELD_TIME),
    };
    static const kn_field ended_fields[] = {
        KN_FIELD(kn_rts_projectile_ended, source, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_projectile_ended, target, KN_FIELD_ENTITY),
        KN_FIELD_TO(kn_rts_projectile_ended, weapon, "rts weapon"),
        KN_FIELD(kn_rts_projectile_ended, end, KN_FIELD_U32),
        KN_FIELD(kn_rts_projectile_ended, at, KN_FIELD_VEC3),
        KN_FIELD(kn_rts_projectile_ended, unused, KN_FIELD_U32),
    };
    kn_result result = component_register(library, kit, error);
    if (result == KN_OK) {
        result =
            kn_timer_type_register(library, "Knack.RtsArrival", arrive, kit, &kit->arrival, error);
    }
    if (result == KN_OK) {
        result = knc_rts_event_register(library, "Knack.RtsProjectile",
            sizeof(kn_rts_projectile_event), launched_fields, COUNT(launched_fields),
            "flies at {target} from {source} with {weapon}", &kit->launched, error);
    }
    return result == KN_OK ? knc_rts_event_register(library, "Knack.RtsProjectileEnded",
                                 sizeof(kn_rts_projectile_ended), ended_fields, COUNT(ended_fields),
                                 "ends at {target}: {end}", &kit->ended, error)
                           : result;
}
