// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sections of a save about effects, specs and timers of rules.

#include "store/store.h"

void kni_load_sort(kni_load *r, const kni_span *span, size_t size)
{
    kni_sort_by_key(kni_span_at(&r->world->heap, span, 0, size), size, span->count);
}

static bool rare_accept(kni_load *r, const kni_rare *rare, const kni_effect_type *type)
{
    if (rare->captures.count != type->capture_count ||
        (rare->magnitudes.count != 0 && rare->magnitudes.count != type->modifier_count)) {
        return kni_load_changed(
            r, "effect `%s` has different captures or modifiers than in %s", type->name);
    }
    kni_load_sort(r, &rare->caller, sizeof(kni_pair));
    kni_load_sort(r, &rare->named, sizeof(kni_pair));
    kni_load_sort(r, &rare->granted, sizeof(uint32_t));
    kni_load_sort(r, &rare->asset, sizeof(uint32_t));
    kni_load_sort(r, &rare->source_tags, sizeof(uint32_t));
    return kni_load_accept(r, kni_rare_problem(r->world, rare, type, true));
}

uint32_t kni_load_rare(kni_load *r, const kni_effect_type *type)
{
    uint8_t has = kn_read_u8(&r->in);
    if (!kni_load_ok(r) || has == 0) {
        return 0;
    }
    uint32_t slot = kni_pool_acquire(&r->world->rares, &r->world->memory);
    if (slot == KNI_NONE) {
        kni_load_no_memory(r);
        return 0;
    }
    kni_rare *rare = kni_pool_at(&r->world->rares, slot); // only the heap grows while it is read
    if (has > 1) {
        kni_load_fail(r, "a choice is unknown");
    } else if (kni_load_record(r, &kni_rare_table, rare, type, false)) {
        rare_accept(r, rare, type);
    }
    return slot + 1;
}

// Whether the type is what it was when the save was written; then whether the effect is good.
static bool effect_accept(kni_load *r, uint32_t slot)
{
    const kn_world *world = r->world;
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & KNI_EFFECT_ACTIVE) == 0) {
        return kni_load_changed(r, "effect `%s` is active in %s but instant here", type->name);
    }
    if ((type->flags & KNI_EFFECT_NEEDS_RARE) != 0 && effect->rare1 == 0) {
        return kni_load_changed(r,
            "effect `%s` has other needs than in %s: it now keeps captures, timers or state",
            type->name);
    }
    bool has_state = effect->rare1 != 0 && kni_rare_at(world, effect->rare1)->state != 0;
    bool wants_state = kni_rare_blocks(world, type, 0).size[KNI_BLOCK_STATE] != 0;
    if (effect->rare1 != 0 && has_state != wants_state) {
        return kni_load_changed(r, "effect `%s` has different logic than in %s", type->name);
    }
    return kni_load_accept(r, kni_effect_problem(world, slot, true));
}

// A state with fields that the logic did not have when the save was written.
static bool effect_state_begin(kni_load *r, const kni_effect *effect)
{
    kni_rare *rare = effect->rare1 != 0 ? kni_rare_at(r->world, effect->rare1) : NULL;
    const kni_fields *fields =
        kni_rare_blocks(r->world, kni_type_at(r->world, effect->type), 0).state;
    if (rare != NULL && rare->state == 0 && fields->number1 != 0) {
        static const uint8_t zero[KNI_STATE_MAX];
        kni_load_block(r, (uint8_t *)&rare->state, zero, fields->size);
    }
    return kni_load_ok(r);
}

bool kni_load_effects(kni_load *r)
{
    if (!kni_load_section(r, SAVE_EFFECTS)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = kni_load_count(r, 5 + kni_load_size_min(r, &kni_effect_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!kni_load_slot(r, &world->effects, count, &previous1, &slot)) {
            return false;
        }
        kni_effect *effect = kni_effect_at(world, slot);
        if (!kni_load_record(r, &kni_effect_table, effect, NULL, false)) {
            return false;
        }
        effect->rare1 = kni_load_rare(r, kni_type_at(world, effect->type));
        if (!kni_load_ok(r) || !effect_state_begin(r, effect) || !effect_accept(r, slot)) {
            return false;
        }
    }
    return kni_load_section_end(r);
}

bool kni_load_specs(kni_load *r)
{
    if (!kni_load_section(r, SAVE_SPECS)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = kni_load_count(r, 5 + kni_load_size_min(r, &kni_spec_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!kni_load_slot(r, &world->specs, count, &previous1, &slot)) {
            return false;
        }
        kni_spec *spec = kni_pool_at(&world->specs, slot);
        if (!kni_load_record(r, &kni_spec_table, spec, NULL, false)) {
            return false;
        }
        spec->rare1 = kni_load_rare(r, kni_type_at(world, spec->type));
        if (!kni_load_ok(r) || !kni_load_accept(r, kni_spec_problem(world, slot, true))) {
            return false;
        }
    }
    return kni_load_section_end(r);
}

bool kni_load_timers(kni_load *r)
{
    if (!kni_load_section(r, SAVE_TIMERS)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = kni_load_count(r, 4 + kni_load_size_min(r, &kni_rule_timer_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!kni_load_slot(r, &world->timers, count, &previous1, &slot)) {
            return false;
        }
        kni_rule_timer *timer = kni_pool_at(&world->timers, slot);
        if (!kni_load_record(r, &kni_rule_timer_table, timer, NULL, false)) {
            return false;
        }
        if (!kni_load_accept(r, kni_rule_timer_problem(world, slot, true))) {
            return false;
        }
    }
    return kni_load_section_end(r);
}
