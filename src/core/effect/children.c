// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an effect sets off: events it raises, and effects that start and end with it.

#include "effect/effect.h"

static kn_entity_id child_recipient(const kn_spec_view *spec, kn_recipient to)
{
    switch (to) {
    case KN_RECIPIENT_SOURCE:
        return spec->source;
    case KN_RECIPIENT_INSTIGATOR: {
        kn_entity_id instigator = spec->rare1 != 0
                                      ? kni_rare_at(spec->world, spec->rare1)->instigator
                                      : (kn_entity_id){0};
        return instigator.index1 != 0 ? instigator : spec->source;
    }
    default:
        return spec->target;
    }
}

kn_tags kni_asset_tags(const kn_spec_view *spec, kn_tag *room, uint32_t capacity)
{
    kn_tags own = spec->type->def.asset_tags;
    kni_span dynamic = {0};
    if (spec->rare1 != 0) {
        dynamic = kni_rare_at(spec->world, spec->rare1)->asset;
    }
    if (dynamic.count == 0) {
        return own;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < own.count && count < capacity; i++) {
        room[count++] = own.data[i];
    }
    for (uint32_t i = 0; i < dynamic.count && count < capacity; i++) {
        room[count++] = (kn_tag){*KNI_SPAN_AT(spec->world, dynamic, uint32_t, i)};
    }
    return (kn_tags){room, count};
}

void kni_raise(kn_world *world, const kn_spec_view *spec, kn_raise_when when)
{
    kn_tag room[KN_TAG_SET_MAX];
    for (uint32_t i = 0; i < spec->type->def.raise_count; i++) {
        const kn_raise_def *raise = &spec->type->def.raises[i];
        kn_entity_id to = child_recipient(spec, raise->to);
        if (raise->when != when || !kn_entity_is_alive(world, to)) {
            continue;
        }
        // Whoever receives it, the event is about the target of the effect.
        kn_event_record record = kn_event_record_default();
        record.tags = kni_asset_tags(spec, room, KN_TAG_SET_MAX);
        record.instigator = spec->source;
        record.target = spec->target;
        record.object = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->source_object : 0;
        (void)kni_magnitude(spec, &raise->magnitude, KNI_NONE, &record.magnitude);
        kni_send(world, to, record.kind, raise->tag, record.instigator, record.magnitude, &record);
    }
}

// Creates a spec for a child and queues its application.
static void child_start(kn_world *world, const kn_spec_view *spec, uint32_t index)
{
    const kn_child_def *child = &spec->type->def.children[index];
    kn_entity_id to = child_recipient(spec, child->to);
    if (!kn_entity_is_alive(world, to)) {
        return;
    }
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = child->type;
    def.source = child->inherit_source ? spec->source : spec->target;
    def.level = child->inherit_level ? spec->level : 1.0f;
    def.stacks = child->stacks;
    kn_spec_id id;
    if (kn_spec_create(world, &def, &id) != KN_OK) {
        return;
    }
    if (child->copy_caller_values && spec->rare1 != 0) {
        for (uint32_t i = 0; i < kni_rare_at(world, spec->rare1)->caller.count; i++) {
            kni_pair pair =
                *KNI_SPAN_AT(world, kni_rare_at(world, spec->rare1)->caller, kni_pair, i);
            kn_tag tag = {pair.key};
            (void)kn_spec_set_caller_value(world, id, tag, pair.value);
        }
    }
    if (spec->rare1 != 0) {
        const kni_rare *rare = kni_rare_at(world, spec->rare1);
        kn_effect_context context = {.instigator = rare->instigator,
            .causer = rare->causer,
            .source_object = rare->source_object,
            .origin = rare->origin,
            .has_origin = rare->has_origin != 0,
            .targets = kni_targets_view(world, &rare->targets).data,
            .target_size = rare->targets.count};
        (void)kn_spec_set_context(world, id, &context, true);
    }
    kni_queued *queued = kni_react(world, KNI_REACT_SPEC);
    queued->entity = to;
    queued->spec.id = id;
    queued->spec.parent = kn_spec_view_effect(spec);
    bool is_tied = child->remove_with_parent || child->when == KN_CHILD_COUNT_HELD;
    queued->spec.child1 = is_tied && spec->effect != KNI_NONE ? index + 1 : 0;
}

void kni_children_start(kn_world *world, const kn_spec_view *spec, kn_child_when when,
    uint32_t old_count, uint32_t count)
{
    for (uint32_t i = 0; i < spec->type->def.child_count; i++) {
        const kn_child_def *child = &spec->type->def.children[i];
        if (child->when != when || (!kn_tag_requirement_is_empty(&child->source) &&
                                       !kni_source_meets(spec, &child->source))) {
            continue;
        }
        uint32_t times = 1;
        if (when == KN_CHILD_COUNT_REACHED) {
            times = child->every ? count / child->count - old_count / child->count
                                 : (old_count < child->count && count >= child->count);
            times = count > old_count ? times : 0;
        } else if (when == KN_CHILD_COUNT_HELD) {
            times = old_count < child->count && count >= child->count;
        }
        for (uint32_t n = 0; n < times && n < 64; n++) {
            child_start(world, spec, i);
        }
    }
}

// Ends children that are tied to an effect: all of them, or those of one def.
void kni_children_end(kn_world *world, uint32_t slot, uint32_t child, bool all)
{
    uint32_t rare1 = kni_effect_at(world, slot)->rare1;
    if (rare1 == 0) {
        return;
    }
    kni_mark_effect(world, slot);
    for (uint32_t i = kni_rare_at(world, rare1)->children.count; i-- > 0;) {
        kni_child_link link =
            *KNI_SPAN_AT(world, kni_rare_at(world, rare1)->children, kni_child_link, i);
        if (!all && link.child != child) {
            continue;
        }
        kni_span_remove(
            &world->heap, &kni_rare_at(world, rare1)->children, i, sizeof(kni_child_link));
        kni_queued *queued = kni_react(world, KNI_REACT_LET_GO);
        queued->effect.id = link.effect;
        queued->effect.hold = (kni_claim){link.stacks, link.start, link.source};
        queued->effect.reason = KN_REMOVED_PARENT_ENDED;
    }
}
