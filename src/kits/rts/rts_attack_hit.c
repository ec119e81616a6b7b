// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attacks from the strike on: what the attacker brings along, evasion, damage, effects, life steal,
// events, splash and bounces.

#include "attack_parts.h"

#include <math.h>

// What the attacker brings along --------------------------------------------------------

static bool group_is_taken(const kn_world *world, const shot *s, kn_tag group)
{
    for (uint32_t i = 0; i < s->item_count && group.index1 != 0; i++) {
        const kn_rts_attack_modifier_def *other = knc_rts_modifier_of(world, s->items[i].modifier);
        if (other != NULL && other->group.index1 == group.index1) {
            return true;
        }
    }
    return false;
}

typedef struct shot_numbers {
    float add, factor, critical_chance;
} shot_numbers;

static void modifier_use(
    kn_world *world, shot *s, kn_rts_attack_modifier_id modifier, shot_numbers *n)
{
    const kn_rts_attack_modifier_def *def = knc_rts_modifier_of(world, modifier);
    const float chance = knc_rts_number(world, &def->chance, s->source, s->target, s->level);
    if (chance < 1.0f && !knc_rts_luck(world, chance, NULL)) {
        return;
    }
    s->items[s->item_count++] = (shot_item){.modifier = modifier};
    n->add += knc_rts_number(world, &def->add, s->source, s->target, s->level);
    n->factor *= knc_rts_number(world, &def->factor, s->source, s->target, s->level);
    n->critical_chance +=
        knc_rts_number(world, &def->critical_chance, s->source, s->target, s->level);
    s->life_steal += knc_rts_number(world, &def->life_steal, s->source, s->target, s->level);
    s->type = def->damage_type.index1 != 0 ? def->damage_type : s->type;
}

static void modifiers_use(kn_world *world, shot *s, shot_numbers *n)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    for (uint32_t i = 0; i < kit->modifier_count && s->item_count < MODIFIERS_MAX; i++) {
        const kn_rts_attack_modifier_id modifier = {kit->modifiers[i]};
        const kn_rts_attack_modifier_def *def = knc_rts_modifier_of(world, modifier);
        if (kn_entity_has_tag(world, s->source, def->tag) &&
            !group_is_taken(world, s, def->group)) {
            modifier_use(world, s, modifier, n);
        }
    }
}

static float weapon_damage(kn_world *world, const shot *s)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    const kn_attribute_id damage = s->def->damage_attribute.index1 != 0
                                       ? s->def->damage_attribute
                                       : kit->attributes[KN_RTS_ATTACK_DAMAGE];
    float amount = kn_attribute_value(world, s->source, damage);
    if (s->def->spread > 0.0f) {
        amount *= 1.0f + s->def->spread * (2.0f * kn_random_float(world, kit->stream) - 1.0f);
    }
    return amount;
}

static float source_multiplier(const kn_world *world, kn_entity_id source)
{
    const kn_attribute_id multiplier =
        knc_rts_attack_of_world(world)->attributes[KN_RTS_ATTACK_MULTIPLIER];
    return kn_attribute_exists(world, source, multiplier, 0)
               ? kn_attribute_value(world, source, multiplier)
               : 1.0f;
}

void knc_rts_shot_make(
    kn_world *world, kn_rts_weapon_id weapon, float amount, uint32_t *failures, shot *s)
{
    shot_numbers n = {.factor = 1.0f};
    s->owner = kn_entity_owner(world, s->source);
    s->weapon = weapon;
    s->def = knc_rts_weapon_of(world, weapon);
    s->type = s->def->damage_type;
    s->bounces = s->def->bounce.count;
    s->life_steal = knc_rts_number(world, &s->def->life_steal, s->source, s->target, s->level);
    n.critical_chance =
        knc_rts_number(world, &s->def->critical_chance, s->source, s->target, s->level);
    amount = amount < 0.0f ? weapon_damage(world, s) : amount;
    modifiers_use(world, s, &n);
    amount = (amount + n.add) * n.factor * source_multiplier(world, s->source);
    s->flags |= KN_RTS_DAMAGE_MULTIPLIED;
    if (knc_rts_luck(world, n.critical_chance, failures)) {
        amount *= knc_rts_number(world, &s->def->critical_factor, s->source, s->target, s->level);
        s->flags |= KN_RTS_DAMAGE_CRITICAL;
    }
    s->amount = amount > 0.0f && isfinite(amount) ? amount : 0.0f;
    s->life_steal = s->life_steal > 0.0f && isfinite(s->life_steal) ? s->life_steal : 0.0f;
}

// Who can be reached --------------------------------------------------------------------

bool knc_rts_may_reach(const kn_world *world, kn_entity_id party, kn_entity_id entity,
    uint32_t relations, const kn_tag_requirement *tags)
{
    const kn_tag alive = knc_rts_attack_of_world(world)->rts->tags[KN_RTS_ALIVE];
    if (!kn_entity_has_tag(world, entity, alive) || kn_entity_is_dying(world, entity) ||
        !kn_entity_meets(world, entity, tags)) {
        return false;
    }
    const uint32_t relation = kn_order_get_relation(world, party, entity);
    return (relation & KN_ORDER_SELF) != 0 ? (relations & KN_ORDER_SELF) != 0
                                           : (relation & relations) != 0;
}

kn_entity_id knc_rts_shot_party(const kn_world *world, const shot *s)
{
    return kn_entity_is_alive(world, s->source) ? s->source : s->causer;
}

typedef struct reach {
    const shot *s;
    kn_entity_id party;
    uint32_t relations;
    const kn_tag_requirement *tags;
    bool may_return;
} reach;

static bool was_hit(const shot *s, kn_entity_id entity)
{
    for (uint32_t i = 0; i < s->item_count; i++) {
        if (kn_entity_id_equal(s->items[i].hit, entity)) {
            return true;
        }
    }
    return false;
}

static bool reach_accepts(void *user, const kn_world *world, kn_entity_id entity)
{
    const reach *r = user;
    return !kn_entity_id_equal(entity, r->s->target) && !kn_entity_id_equal(entity, r->s->causer) &&
           (r->may_return || !was_hit(r->s, entity)) &&
           knc_rts_may_reach(world, r->party, entity, r->relations, r->tags);
}

kn_entity_id knc_rts_shot_next(const kn_world *world, const shot *s, float radius, bool may_return)
{
    reach r = {s, knc_rts_shot_party(world, s), s->def->relations, &s->def->target, may_return};
    const kn_sphere around = {s->at, radius};
    kn_space_filter filter = kn_space_filter_default();
    kn_space_hit found;
    filter.accept = reach_accepts;
    filter.user = &r;
    return kn_space_nearest(kn_world_space(world), world, &around, &filter, &found, 1) == 1
               ? found.entity
               : (kn_entity_id){0};
}

// Splash --------------------------------------------------------------------------------

static uint32_t area_find(const kn_world *world, const shot *s, kn_entity_id *out)
{
    const kn_rts_splash *splash = &s->def->splash;
    const kn_space *space = kn_world_space(world);
    const kn_vec3 way = {s->at.x - s->from.x, s->at.y - s->from.y, s->at.z - s->from.z};
    const float length = knc_rts_distance(s->at, s->from);
    reach r = {s, knc_rts_shot_party(world, s), splash->relations, &splash->tags, true};
    kn_space_filter filter = kn_space_filter_default();
    filter.accept = reach_accepts;
    filter.user = &r;
    uint32_t count = 0;
    if (splash->shape == KN_RTS_SPLASH_CIRCLE) {
        const kn_sphere circle = {s->at, splash->radius};
        count = kn_space_sphere(space, world, &circle, &filter, out, AREA_MAX);
    } else if (splash->shape == KN_RTS_SPLASH_CONE && length > 0.0f) {
        const kn_cone cone = {s->from, way, splash->cos_half_angle, splash->radius};
        count = kn_space_cone(space, world, &cone, &filter, out, AREA_MAX);
    } else if (splash->shape == KN_RTS_SPLASH_LINE && length > 0.0f) {
        const float half = splash->radius * 0.5f, scale = half / length;
        const kn_box line = {.center = {s->from.x + way.x * scale, s->from.y + way.y * scale,
                                 s->from.z + way.z * scale},
            .half = {half, splash->width * 0.5f, splash->width * 0.5f},
            .forward = way,
            .up = {0, 0, 1}};
        count = kn_space_box(space, world, &line, &filter, out, AREA_MAX);
    }
    count = count < AREA_MAX ? count : AREA_MAX;
    return splash->limit > 0 && count > splash->limit ? splash->limit : count;
}

static float splash_share(const kn_world *world, const shot *s, kn_entity_id entity)
{
    const kn_rts_splash *splash = &s->def->splash;
    kn_vec3 there = s->at;
    (void)knc_rts_position(world, entity, &there);
    const float distance =
        knc_rts_distance(splash->shape == KN_RTS_SPLASH_CIRCLE ? s->at : s->from, there);
    const float factor = splash->falloff.index1 != 0
                             ? kn_curve_at(kn_world_library(world), splash->falloff, distance)
                             : 1.0f;
    return factor > 0.0f && isfinite(factor) ? splash->share * factor : 0.0f;
}

static kn_rts_damage_def damage_of(const shot *s, kn_entity_id target, float amount, uint32_t flags)
{
    kn_rts_damage_def def = kn_rts_damage_def_default();
    def.source = s->source;
    def.target = target;
    def.causer = s->causer;
    def.weapon = s->weapon;
    def.type = s->type;
    def.amount = amount;
    def.flags = s->flags | flags;
    return def;
}

// Applies an effect of an attack; that one is refused is ordinary.
static void effect_try(kn_world *world, const kn_effect_apply_def *apply)
{
    kn_result result = kn_effect_apply(world, apply, NULL);
    (void)result;
}

// Life comes from all damage of an attack.
static void life_steal(kn_world *world, const shot *s, float dealt)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    const kn_caller_value value = {kit->value_tag, dealt * s->life_steal};
    if (!(value.value > 0.0f) || !kn_entity_is_alive(world, s->source) ||
        !kn_entity_has_tag(world, s->source, kit->rts->tags[KN_RTS_ALIVE])) {
        return;
    }
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = kit->heal;
    apply.target = apply.source = s->source;
    apply.caller_values = &value;
    apply.caller_value_count = 1;
    effect_try(world, &apply);
}

static void hit_tell(kn_world *world, const shot *s, const kn_rts_damage *damage)
{
    if (s->def->hit.function != NULL) {
        kn_rts_damage call = *damage;
        (void)kn_hook_run(world, knc_rts_attack_of_world(world)->weapon_kind, s->weapon.index1,
            &s->def->hit, damage->source, &call);
    }
}

static void splash_deal(kn_world *world, const shot *s)
{
    kn_entity_id found[AREA_MAX];
    const uint32_t count =
        s->def->splash.shape != KN_RTS_SPLASH_NONE ? area_find(world, s, found) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const float amount = s->amount * splash_share(world, s, found[i]);
        const kn_rts_damage_def def = damage_of(s, found[i], amount, KN_RTS_DAMAGE_SPLASH);
        kn_rts_damage damage;
        if (amount > 0.0f && kn_rts_damage_deal(world, &def, &damage) == KN_OK) {
            life_steal(world, s, damage.dealt);
            hit_tell(world, s, &damage);
        }
    }
}

// The hit -------------------------------------------------------------------------------

static bool is_evaded(kn_world *world, const shot *s)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    if (!s->def->evadable) {
        return false;
    }
    const float chance =
        knc_rts_number(world, &kit->rules->evasion, s->source, s->target, s->level);
    if (!(chance > 0.0f)) {
        return false;
    }
    evader *own = kn_component_add(world, kit->evaders, s->target);
    uint32_t failures = own != NULL ? own->failures : 0;
    const bool is_lucky = knc_rts_luck(world, chance, &failures);
    own = kn_component_get(world, kit->evaders, s->target);
    if (own != NULL) {
        own->failures = failures;
    }
    return is_lucky;
}

static void effects_apply(
    kn_world *world, const shot *s, const kn_effect_type_id *effects, uint32_t count)
{
    const kn_effect_context context = {.instigator = s->source, .causer = s->causer};
    for (uint32_t i = 0; i < count; i++) {
        kn_effect_apply_def apply = kn_effect_apply_def_default();
        apply.type = effects[i];
        apply.target = s->target;
        apply.source = s->source;
        apply.level = s->level;
        apply.context = &context;
        effect_try(world, &apply);
    }
}

static void all_effects_apply(kn_world *world, const shot *s)
{
    effects_apply(world, s, s->def->effects, s->def->effect_count);
    for (uint32_t i = 0; i < s->item_count; i++) {
        const kn_rts_attack_modifier_def *def = knc_rts_modifier_of(world, s->items[i].modifier);
        if (def != NULL) {
            effects_apply(world, s, def->effects, def->effect_count);
        }
    }
}

// Passive abilities of the attacker wait for this event.
static void on_hit_send(kn_world *world, const shot *s, const kn_rts_damage *damage)
{
    const rts_kit *rts = knc_rts_attack_of_world(world)->rts;
    kn_event_record record = kn_event_record_default();
    if (!kn_entity_is_alive(world, s->source)) {
        return;
    }
    record.instigator = s->source;
    record.target = s->target;
    record.magnitude = damage->dealt;
    record.tags = (kn_tags){&s->type, s->type.index1 != 0 ? 1 : 0};
    (void)kn_event_send(world, s->source, rts->tags[KN_RTS_EVENT_HIT], &record);
}

static void bounce(kn_world *world, shot *s)
{
    shot next = *s;
    if (next.bounces == 0 || next.item_count >= SHOT_ITEMS_MAX) {
        return;
    }
    next.items[next.item_count++] = (shot_item){.hit = s->target};
    const kn_entity_id target =
        knc_rts_shot_next(world, &next, s->def->bounce.radius, s->def->bounce.may_return);
    if (target.index1 == 0) {
        return;
    }
    next.bounces--;
    next.amount *= s->def->bounce.share;
    next.flags |= KN_RTS_DAMAGE_BOUNCED;
    next.target = target;
    next.from = s->at;
    (void)knc_rts_position(world, target, &next.at);
    if (s->def->kind == KN_RTS_WEAPON_RANGED) {
        next.causer = (kn_entity_id){0};
        (void)knc_rts_projectile_send(world, &next, NULL);
    } else {
        (void)knc_rts_shot_hit(world, &next);
    }
}

static kn_rts_projectile_end target_hit(kn_world *world, shot *s)
{
    const kn_rts_damage_def def = damage_of(s, s->target, s->amount, 0);
    kn_rts_damage damage;
    if (is_evaded(world, s)) {
        knc_rts_damage_avoided(world, &def, KN_RTS_DAMAGE_EVADED);
        return KN_RTS_PROJECTILE_EVADED;
    }
    if (kn_rts_damage_deal(world, &def, &damage) == KN_OK) {
        all_effects_apply(world, s);
        life_steal(world, s, damage.dealt);
        on_hit_send(world, s, &damage);
        hit_tell(world, s, &damage);
    }
    splash_deal(world, s);
    bounce(world, s);
    return KN_RTS_PROJECTILE_HIT;
}

kn_rts_projectile_end knc_rts_shot_hit(kn_world *world, shot *s)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    const kn_cause_link link = {.type = kit->cause,
        .entity = s->source,
        .def_kind = (uint32_t)kit->weapon_kind,
        .def1 = s->weapon.index1};
    kn_cause previous;
    const bool is_open = kn_cause_open(world, &link, &previous) == KN_OK;
    kn_rts_projectile_end end = KN_RTS_PROJECTILE_LANDED;
    if (s->target.index1 != 0) {
        end = target_hit(world, s);
    } else if (s->def->splash.lands) {
        splash_deal(world, s);
    }
    if (is_open) {
        kn_cause_close(world, previous);
    }
    return end;
}
