// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Causes: why something happens, as chains that end in a call of the host. Records live in the
// event buffers; what a timer of an effect sets off starts a chain, of which the record keeps just
// enough to name the effect's source and ability.

#include "world/names.h"

// Chains are limited by length and, where they branch, by number: what sets itself off twice would
// double with every link. Only links beyond a quarter of the length count, which wide but short
// reactions do not reach.
#define CHAIN_DEEP_LINKS 64 // for each link that a chain may have

static inline bool cause_find(
    const kn_world *world, kn_cause cause, const kni_cause_record **record)
{
    const kni_event_buffer *buffer = &world->pending;
    if (cause - 1 - buffer->cause_base >= buffer->cause_count) {
        buffer = &world->published;
    }
    uint32_t index = cause - 1 - buffer->cause_base;
    if (cause == 0 || index >= buffer->cause_count) {
        return false;
    }
    *record = &buffer->causes[index];
    return true;
}

// Reports once for all chains that begin with one cause. Always returns false.
static bool chain_cut(kn_world *world, kn_entity_id entity, kn_effect_type_id type, uint32_t detail)
{
    if (!world->is_chain_reported) {
        world->is_chain_reported = true;
        kni_emit_error(world, KN_REFUSED_LIMIT, entity, type.index1, 0, detail);
    }
    return false;
}

static bool chain_goes_on(
    kn_world *world, uint32_t depth, kn_entity_id entity, kn_effect_type_id type)
{
    if (depth == 1 && world->chain_root != world->cause) {
        world->chain_root = world->cause;
        world->chain_deep = 0;
        world->is_chain_reported = false;
    }
    uint32_t limit = world->def.chain_limit;
    if (depth > limit) {
        return chain_cut(world, entity, type, depth);
    }
    if (depth <= limit / 4) {
        return true;
    }
    return ++world->chain_deep <= CHAIN_DEEP_LINKS * limit ||
           chain_cut(world, entity, type, world->chain_deep);
}

bool kni_cause_begin_slow(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    kn_effect_id effect, kn_effect_type_id type, uint32_t tag, kn_cause *previous)
{
    kni_event_buffer *buffer = &world->pending;
    *previous = world->cause;
    uint32_t depth = 0;
    if (world->cause != 0) {
        const kni_cause_record *parent;
        depth = cause_find(world, world->cause, &parent) ? parent->depth + 1u : 0;
        if (!chain_goes_on(world, depth, entity, type)) {
            return false;
        }
    }
    if (buffer->cause_count >= buffer->cause_capacity &&
        !kni_grow(&world->memory, &buffer->causes, &buffer->cause_capacity, buffer->cause_count + 1,
            sizeof(kni_cause_record))) {
        kni_break(world);
        return false;
    }
    buffer->causes[buffer->cause_count] = (kni_cause_record){
        .parent = world->cause,
        .tag = tag,
        .kind = (uint8_t)kind,
        .depth = (uint16_t)depth,
        .type1 = (uint16_t)type.index1,
        .entity = entity,
        .effect = effect,
    };
    buffer->cause_count++;
    world->cause = buffer->cause_base + buffer->cause_count;
    return true;
}

bool kni_cause_begin_timed_slow(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    uint32_t slot, uint32_t ability1, kn_cause *previous)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_effect_type_id type = {effect->type + 1u};
    if (!kni_cause_begin_slow(
            world, kind, entity, kni_effect_id_of(world, slot), type, 0, previous)) {
        return false;
    }
    if (*previous == 0) {
        kni_cause_record *record = &world->pending.causes[world->pending.cause_count - 1];
        record->source = effect->source;
        record->has_source = 1;
        record->ability1 = (uint16_t)ability1;
    }
    return true;
}

kn_cause kn_world_cause(const kn_world *world)
{
    return world != NULL ? world->cause : 0;
}

// The links behind a root, from when its effect was applied; `bit` says which.
static void cause_behind(
    const kni_cause_record *root, kn_cause cause, uint32_t bit, kn_cause_info *info)
{
    bool is_apply = bit == KNI_CAUSE_APPLIED;
    *info = (kn_cause_info){
        .parent = is_apply && root->ability1 != 0 ? cause | KNI_CAUSE_BY_ABILITY : 0,
        .kind = is_apply ? KN_CAUSE_APPLY : KN_CAUSE_ABILITY,
        .entity = is_apply ? root->entity : root->source,
        .effect = is_apply ? root->effect : (kn_effect_id){0},
        .type = {is_apply ? root->type1 : 0u},
        .source = is_apply ? root->source : (kn_entity_id){0},
        .ability = {is_apply ? 0u : root->ability1},
    };
}

bool kn_cause_get(const kn_world *world, kn_cause cause, kn_cause_info *info)
{
    if (world == NULL || info == NULL) {
        return false;
    }
    memset(info, 0, sizeof(*info));
    const kni_cause_record *record;
    uint32_t bit = cause & (KNI_CAUSE_APPLIED | KNI_CAUSE_BY_ABILITY);
    if (!cause_find(world, cause & ~bit, &record) || (bit != 0 && !record->has_source)) {
        return false;
    }
    if (bit != 0) {
        cause_behind(record, cause & ~bit, bit, info);
        return true;
    }
    *info = (kn_cause_info){
        .kind = (kn_cause_kind)record->kind,
        .depth = record->depth,
        .entity = record->entity,
        .type = {record->type1},
    };
    if (record->kind == KN_CAUSE_CUSTOM) {
        info->type.index1 = 0;
        info->custom.index1 = record->type1;
        info->def_kind = record->def.kind;
        info->def1 = record->def.number1;
    } else if (record->kind == KN_CAUSE_APPLY) {
        uint32_t component = kni_component_find(world, record->applier); // of an avatar: its owner
        info->source =
            component != KNI_NONE ? kni_component_entity(world, component) : record->applier;
    } else if (record->kind != KN_CAUSE_COMMAND && record->kind != KN_CAUSE_TASK) {
        info->effect = record->effect;
    }
    if (record->has_source) {
        bool is_known = record->source.index1 != 0 || record->ability1 != 0;
        info->parent = is_known ? cause | KNI_CAUSE_APPLIED : 0;
        info->source = record->source;
        return true;
    }
    info->parent = record->parent;
    bool is_ability = record->kind >= KN_CAUSE_ABILITY && record->kind <= KN_CAUSE_TASK;
    bool is_system = record->kind == KN_CAUSE_SYSTEM;
    info->ability.index1 = is_ability ? record->tag : 0;
    bool is_command = record->kind == KN_CAUSE_COMMAND;
    info->command.index1 = is_command ? record->tag : 0;
    info->system.index1 = is_system ? record->tag : 0;
    info->tag.index1 = is_ability || is_command || is_system ? 0 : record->tag;
    return true;
}

kni_key kni_cause_key(const kn_world *world, kn_cause cause)
{
    const kni_cause_record *record;
    cause &= ~(KNI_CAUSE_APPLIED | KNI_CAUSE_BY_ABILITY);
    // No chain is longer than this, so the walk ends whatever the buffers contain.
    uint32_t left = world->def.chain_limit + 3;
    while (left-- > 0 && cause_find(world, cause, &record)) {
        bool has_key = record->kind == KN_CAUSE_COMMAND || record->kind == KN_CAUSE_TASK;
        if (has_key && (record->key.connection | record->key.sequence) != 0) {
            return record->key;
        }
        if (record->has_source) {
            return kni_effect_key(world, record->effect);
        }
        cause = record->parent;
    }
    return (kni_key){0, 0};
}

static void cause_effect(
    kni_text *text, const kn_world *world, const kn_cause_info *info, bool brief)
{
    kn_effect_id none = {0};
    kni_text_type_and_number(text, world, info->type, brief ? none : info->effect);
}

static void cause_where(kni_text *text, const kn_cause_info *info, const char *word, bool brief)
{
    if (!brief && info->entity.index1 != 0) {
        kni_text_char(text, ' ');
        kni_text_str(text, word);
        kni_text_char(text, ' ');
        kni_text_entity(text, info->entity);
    }
}

kn_result kn_cause_open(kn_world *world, const kn_cause_link *link, kn_cause *previous)
{
    *previous = 0;
    if (world == NULL || link == NULL || world->depth == 0 || link->type.index1 == 0 ||
        link->type.index1 > world->library->own_cause_count ||
        link->tag.index1 > kn_tag_count(world->library) ||
        link->def1 > kn_def_count(world->library, (kn_def_kind)link->def_kind)) {
        KN_ASSERT(world != NULL && link != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kn_effect_type_id none = {0};
    if (!kni_cause_begin_slow(world, KN_CAUSE_CUSTOM, link->entity, (kn_effect_id){0}, none,
            link->tag.index1, previous)) {
        *previous = 0;
        return kni_leave(world, KN_REFUSED_LIMIT);
    }
    kni_cause_record *record = &world->pending.causes[world->pending.cause_count - 1];
    record->type1 = (uint16_t)link->type.index1;
    record->def.kind = link->def1 != 0 ? link->def_kind : 0;
    record->def.number1 = link->def1;
    return kni_leave(world, KN_OK);
}

void kn_cause_close(kn_world *world, kn_cause previous)
{
    if (world != NULL && world->depth > 0) {
        world->cause = previous;
    }
}

// The text of its kind, or the name and what it has.
static void cause_custom(
    kni_text *text, const kn_world *world, const kn_cause_info *info, bool brief)
{
    const kn_library *library = world->library;
    if (info->custom.index1 == 0 || info->custom.index1 > library->own_cause_count) {
        kni_text_str(text, "a cause");
        return;
    }
    const kni_own_cause *own = &library->own_causes[info->custom.index1 - 1];
    const char *def = kn_def_name(library, (kn_def_kind)info->def_kind, info->def1);
    if (own->text == NULL) {
        kni_text_str(text, own->name);
        if (def[0] != 0) {
            kni_text_char(text, ' ');
            kni_text_str(text, def);
        }
        if (info->tag.index1 != 0) {
            kni_text_char(text, ' ');
            kni_text_tag(text, world, info->tag);
        }
        cause_where(text, info, "of", brief);
        return;
    }
    for (const char *at = own->text; *at != 0; at++) {
        if (*at != '{') {
            kni_text_char(text, *at);
            continue;
        }
        if (at[1] == 'e') {
            kni_text_entity(text, info->entity);
        } else if (at[1] == 't') {
            kni_text_tag(text, world, info->tag);
        } else {
            kni_text_str(text, def[0] != 0 ? def : "none");
        }
        at += strcspn(at, "}");
    }
}

void kni_text_cause(kni_text *text, const kn_world *world, const kn_cause_info *info, bool brief)
{
    static const char *const words[] = {
        [KN_CAUSE_TICK] = "tick of ",
        [KN_CAUSE_EXPIRE] = "expiry of ",
        [KN_CAUSE_REMOVE] = "removal of ",
        [KN_CAUSE_CHILD] = "child ",
    };
    switch (info->kind) {
    case KN_CAUSE_HOST:
        kni_text_str(text, "host");
        return;
    case KN_CAUSE_APPLY:
        cause_effect(text, world, info, true); // it may not have a number yet
        kni_text_str(text, " applied");
        if (!brief && info->source.index1 != 0) {
            kni_text_str(text, " by ");
            kni_text_entity(text, info->source);
        }
        break;
    case KN_CAUSE_TICK:
    case KN_CAUSE_EXPIRE:
    case KN_CAUSE_REMOVE:
    case KN_CAUSE_CHILD:
        kni_text_str(text, words[info->kind]);
        cause_effect(text, world, info, brief);
        break;
    case KN_CAUSE_TAG:
        if (info->type.index1 != 0) {
            kni_text_str(text, "conditions of ");
            cause_effect(text, world, info, brief);
        } else {
            kni_text_str(text, "tag ");
            kni_text_tag(text, world, info->tag);
        }
        break;
    case KN_CAUSE_ATTRIBUTE:
        kni_text_str(text, "change of an attribute");
        break;
    case KN_CAUSE_RULE:
        kni_text_str(text, "rule");
        if (info->type.index1 != 0) {
            kni_text_str(text, " about ");
            cause_effect(text, world, info, brief);
        } else if (info->tag.index1 != 0) {
            kni_text_str(text, " about ");
            kni_text_tag(text, world, info->tag);
        }
        break;
    case KN_CAUSE_EVENT:
        kni_text_str(text, "event");
        if (info->tag.index1 != 0) {
            kni_text_char(text, ' ');
            kni_text_tag(text, world, info->tag);
        }
        break;
    case KN_CAUSE_TIMER:
        kni_text_str(text, "timer");
        break;
    case KN_CAUSE_DESTROY:
        kni_text_str(text, "destruction");
        cause_where(text, info, "of", brief);
        return;
    case KN_CAUSE_ABILITY:
    case KN_CAUSE_END:
    case KN_CAUSE_TASK:
    case KN_CAUSE_KIND_COUNT:
        kni_text_str(text, info->kind == KN_CAUSE_END    ? "end of "
                           : info->kind == KN_CAUSE_TASK ? "task of "
                                                         : "");
        kni_text_str(text, kn_ability_type_name(world->library, info->ability));
        break;
    case KN_CAUSE_CUSTOM:
        cause_custom(text, world, info, brief);
        return;
    case KN_CAUSE_COMMAND:
        kni_text_str(text, "command ");
        kni_text_str(text, kn_command_name(world->library, info->command));
        cause_where(text, info, "of", brief);
        return;
    case KN_CAUSE_SYSTEM:
        kni_text_str(text, "system ");
        kni_text_str(text, kn_system_name(world->library, info->system));
        return;
    }
    cause_where(text, info, "on", brief);
}

uint32_t kn_cause_print(const kn_world *world, kn_cause cause, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    kn_cause_info info;
    // No chain is longer than this, so the walk ends whatever the buffers contain.
    uint32_t left = world != NULL ? world->def.chain_limit + 3 : 0;
    while (cause != 0 && left-- > 0 && kn_cause_get(world, cause, &info)) {
        kni_text_cause(&text, world, &info, false);
        kni_text_str(&text, " <- ");
        cause = info.parent;
    }
    kni_text_str(&text, cause == 0 ? "host" : "...");
    return text.length;
}
