// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The abilities an effect grants while it is active, and what happens to them while it is
// inhibited. Hooks run at each grant, so everything is looked up again afterwards.

#include "ability/actor.h"

static const kn_grant_def *grant_at(const kn_world *world, uint32_t effect, uint32_t index)
{
    return &kni_type_at(world, kni_effect_at(world, effect)->type)->def.grants[index];
}

static kn_ability_type_id grant_ability(const kn_world *world, const kn_grant_def *grant)
{
    return (kn_ability_type_id){
        kni_ref_find(world->library, KN_DEF_ABILITY, kn_name_text(world->library, grant->ability))};
}

// The ability that a grant created, or KNI_NONE.
static uint32_t granted_find(const kn_world *world, uint32_t effect, uint32_t index)
{
    kn_effect_id id = kni_effect_id_of(world, effect);
    const kni_actor *actor = kni_actor_of(world, kni_effect_at(world, effect)->component);
    for (uint32_t i = 0; actor != NULL && i < actor->abilities.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->abilities, uint32_t, i);
        const kni_ability *ability = kni_ability_at(world, slot);
        if (ability->grant1 == index + 1 && kn_effect_id_equal(ability->effect, id) &&
            (ability->flags & KNI_ABILITY_GONE) == 0) {
            return slot;
        }
    }
    return KNI_NONE;
}

static void grant_carry_out(kn_world *world, uint32_t effect, uint32_t index)
{
    const kn_grant_def *grant = grant_at(world, effect, index);
    kn_ability_type_id ability = grant_ability(world, grant);
    kn_effect_id id = kni_effect_id_of(world, effect);
    kn_spec_view spec;
    kni_view_of_effect(world, effect, &spec);
    if (ability.index1 != 0) {
        kn_ability_grant_def def = kn_ability_grant_def_default();
        def.type = ability;
        (void)kni_scalable(&spec, &grant->level, &def.level);
        def.input = grant->input < 0 ? KN_INPUT_FROM_DEF : (uint32_t)grant->input;
        def.source = spec.source;
        def.parameters = grant->parameters;
        def.parameter_count = grant->parameter_count;
        kni_hold(world);
        kni_ability_grant_by_effect(world, spec.target_component, &def, id, index);
        kni_release(world);
    } else if (world->def.grant_fn != NULL) {
        kni_hold(world);
        world->def.grant_fn(world->def.grant_user, world, spec.target, id, grant, true);
        kni_release(world);
    }
}

static uint64_t *parked_of(kn_world *world, uint32_t effect)
{
    kni_mark_effect(world, effect);
    return &kni_rare_at(world, kni_effect_at(world, effect)->rare1)->parked;
}

static uint32_t grant_count(const kn_world *world, kn_effect_id id)
{
    uint32_t slot = kni_effect_find(world, id);
    return slot == KNI_NONE ? 0
                            : kni_type_at(world, kni_effect_at(world, slot)->type)->def.grant_count;
}

void kni_grants_begin(kn_world *world, uint32_t effect)
{
    kn_effect_id id = kni_effect_id_of(world, effect);
    for (uint32_t i = 0; i < grant_count(world, id); i++) {
        const kn_grant_def *grant = grant_at(world, effect, i);
        bool is_off = (kni_effect_at(world, effect)->flags & KNI_ACTIVE_INHIBITED) != 0;
        if (is_off && grant->follow_inhibition == KN_GRANT_FOLLOW_AFTER_END &&
            grant_ability(world, grant).index1 != 0) {
            *parked_of(world, effect) |= UINT64_C(1) << i;
        } else {
            grant_carry_out(world, effect, i);
        }
    }
}

void kni_grants_end(kn_world *world, uint32_t effect)
{
    for (uint32_t i = 0;
         i < kni_type_at(world, kni_effect_at(world, effect)->type)->def.grant_count; i++) {
        const kn_grant_def *grant = grant_at(world, effect, i);
        uint32_t slot = granted_find(world, effect, i);
        if (slot != KNI_NONE) {
            kni_ability_revoke_by_effect(world, slot, grant->removal);
        } else if (world->def.grant_fn != NULL && grant_ability(world, grant).index1 == 0) {
            kn_entity_id target =
                kni_component_entity(world, kni_effect_at(world, effect)->component);
            kni_hold(world);
            world->def.grant_fn(world->def.grant_user, world, target,
                kni_effect_id_of(world, effect), grant, false);
            kni_release(world);
        }
    }
}

static void follow_off(kn_world *world, uint32_t effect, uint32_t index, kn_grant_follow follow)
{
    uint32_t slot = granted_find(world, effect, index);
    if (slot == KNI_NONE || kni_ability_at(world, slot)->grants > 1 ||
        (kni_ability_at(world, slot)->flags & KNI_ABILITY_REMOVING) != 0) {
        return;
    }
    if (follow == KN_GRANT_FOLLOW_CANCEL) {
        (void)kn_ability_cancel(world, kni_ability_id_of(world, slot));
    } else {
        *parked_of(world, effect) |= UINT64_C(1) << index;
        kni_ability_park(world, slot);
    }
}

static void follow_on(kn_world *world, uint32_t effect, uint32_t index, kn_grant_follow follow)
{
    uint32_t slot = granted_find(world, effect, index);
    if (follow == KN_GRANT_FOLLOW_CANCEL) {
        if (slot != KNI_NONE && kni_type_of_ability(world, slot)->def.activates_on_grant &&
            kni_ability_at(world, slot)->active_count == 0) {
            kn_activation_id activation;
            kni_attempt attempt = kni_attempt_here(NULL);
            (void)kni_activate(world, slot, &attempt, &activation);
        }
        return;
    }
    bool was_parked = (*parked_of(world, effect) >> index & 1) != 0;
    *parked_of(world, effect) &= ~(UINT64_C(1) << index);
    if (slot != KNI_NONE && (kni_ability_at(world, slot)->flags & KNI_ABILITY_PARKED) != 0) {
        kni_ability_unpark(world, slot);
    } else if (was_parked && slot == KNI_NONE) {
        grant_carry_out(world, effect, index);
    }
}

void kni_grants_follow(kn_world *world, uint32_t effect, bool off)
{
    kn_effect_id id = kni_effect_id_of(world, effect);
    kni_touch(world, kni_effect_at(world, effect)->component);
    for (uint32_t i = 0; i < grant_count(world, id) && !world->is_broken; i++) {
        kn_grant_follow follow = grant_at(world, effect, i)->follow_inhibition;
        if (follow == KN_GRANT_FOLLOW_IGNORE) {
            continue;
        }
        if (off) {
            follow_off(world, effect, i, follow);
        } else {
            follow_on(world, effect, i, follow);
        }
    }
}

bool kni_grants_parked_are_good(const kn_world *world, uint32_t effect)
{
    const kni_effect *e = kni_effect_at(world, effect);
    const kn_effect_def *def = &kni_type_at(world, e->type)->def;
    uint64_t parked = e->rare1 != 0 ? kni_rare_at(world, e->rare1)->parked : 0;
    bool ok = parked == 0 || (e->flags & KNI_ACTIVE_INHIBITED) != 0;
    for (uint32_t i = 0; ok && i < 64 && parked >> i != 0; i++) {
        ok = (parked >> i & 1) == 0 || (i < def->grant_count && def->grants[i].follow_inhibition ==
                                                                    KN_GRANT_FOLLOW_AFTER_END);
    }
    return ok;
}

void kni_effect_cancels(kn_world *world, const kn_spec_view *spec, bool on_tick)
{
    for (uint32_t i = 0; i < spec->type->def.cancel_count; i++) {
        const kn_cancel_def *cancel = &spec->type->def.cancels[i];
        if (cancel->on_tick == on_tick) {
            kn_ability_query query = kn_ability_query_default();
            query.any_tags = cancel->with;
            query.no_tags = cancel->without;
            (void)kn_abilities_cancel(world, spec->target, &query);
        }
    }
}
