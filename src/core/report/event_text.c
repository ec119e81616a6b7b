// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events as text, one line each: what happened, and in brackets why.

#include "report/dump.h"

#include <math.h>

static void text_change(kni_text *text, float old_value, float new_value)
{
    kni_text_float(text, old_value);
    kni_text_str(text, " -> ");
    kni_text_float(text, new_value);
}

static void text_counts(kni_text *text, uint32_t old_count, uint32_t new_count)
{
    kni_text_u64(text, old_count);
    kni_text_str(text, " -> ");
    kni_text_u64(text, new_count);
}

const char *kn_event_type_name(kn_event_type type)
{
    static const char *const names[KN_EVENT_TYPE_COUNT] = {
        [KN_EVENT_ENTITY_CREATED] = "entity created",
        [KN_EVENT_ENTITY_DESTROYED] = "entity destroyed",
        [KN_EVENT_AVATAR_CHANGED] = "avatar changed",
        [KN_EVENT_OWNER_CHANGED] = "owner changed",
        [KN_EVENT_TAG_COUNT] = "tag count",
        [KN_EVENT_TAG_CHANGED] = "tag changed",
        [KN_EVENT_ATTRIBUTE_CHANGED] = "attribute changed",
        [KN_EVENT_ATTRIBUTE_INITIALISED] = "attribute initialised",
        [KN_EVENT_SET_ADDED] = "set added",
        [KN_EVENT_SET_REMOVED] = "set removed",
        [KN_EVENT_EFFECT_APPLIED] = "effect applied",
        [KN_EVENT_EFFECT_EXECUTED] = "effect executed",
        [KN_EVENT_EFFECT_REMOVED] = "effect removed",
        [KN_EVENT_EFFECT_STACKS] = "effect stacks",
        [KN_EVENT_EFFECT_STACK_DENIED] = "effect stack denied",
        [KN_EVENT_EFFECT_INHIBITED] = "effect inhibited",
        [KN_EVENT_EFFECT_TIME] = "effect time",
        [KN_EVENT_EFFECT_BLOCKED] = "effect blocked",
        [KN_EVENT_EFFECT_PART_BLOCKED] = "effect part blocked",
        [KN_EVENT_EFFECT_REFUSED] = "effect refused",
        [KN_EVENT_RESTRICTED] = "restricted",
        [KN_EVENT_RECORD] = "record",
        [KN_EVENT_CUE] = "cue",
        [KN_EVENT_ERROR] = "error",
        [KN_EVENT_ABILITY_GRANTED] = "ability granted",
        [KN_EVENT_ABILITY_CHANGED] = "ability changed",
        [KN_EVENT_ABILITY_REMOVED] = "ability removed",
        [KN_EVENT_ABILITY_ACTIVATED] = "ability activated",
        [KN_EVENT_ABILITY_CONFIRMED] = "ability confirmed",
        [KN_EVENT_ABILITY_COMMITTED] = "ability committed",
        [KN_EVENT_ABILITY_ENDED] = "ability ended",
        [KN_EVENT_ABILITY_FAILED] = "ability failed",
        [KN_EVENT_ABILITY_STATUS] = "ability status",
        [KN_EVENT_CHARGES] = "charges",
        [KN_EVENT_ANIMATION] = "animation",
        [KN_EVENT_MOTION] = "motion",
        [KN_EVENT_RETICLE] = "reticle",
        [KN_EVENT_COMMAND] = "command",
        [KN_EVENT_REQUEST] = "request",
        [KN_EVENT_CUSTOM] = "custom",
        [KN_EVENT_EARLY_USE] = "early use",
    };
    return (uint32_t)type < KN_EVENT_TYPE_COUNT ? names[type] : "";
}

const char *kn_removal_reason_name(kn_removal_reason reason)
{
    static const char *const names[KN_REMOVAL_REASON_COUNT] = {
        [0] = "",
        [KN_REMOVED_EXPIRED] = "expired",
        [KN_REMOVED_BY_CALL] = "by call",
        [KN_REMOVED_DISPELLED] = "dispelled",
        [KN_REMOVED_BY_EFFECT] = "by effect",
        [KN_REMOVED_OVERWRITTEN] = "overwritten",
        [KN_REMOVED_REQUIREMENT] = "requirement",
        [KN_REMOVED_TARGET_DIED] = "target died",
        [KN_REMOVED_SOURCE_GONE] = "source gone",
        [KN_REMOVED_PARENT_ENDED] = "parent ended",
        [KN_REMOVED_CHARGES_USED] = "charges used",
        [KN_REMOVED_STACK_CLEARED] = "stack cleared",
        [KN_REMOVED_SHORTENED] = "shortened",
        [KN_REMOVED_MISPREDICTED] = "mispredicted",
        [KN_REMOVED_RULE] = "rule",
    };
    return (uint32_t)reason < KN_REMOVAL_REASON_COUNT ? names[reason] : "";
}

static void event_text_effect(kni_text *text, const kn_world *world, const kn_event *event)
{
    const uint32_t count = event->data.effect.count;
    const char *reason = kn_removal_reason_name(event->data.effect.reason);
    kni_text_type_and_number(text, world, event->data.effect.type, event->data.effect.effect);
    switch (event->type) {
    case KN_EVENT_EFFECT_APPLIED:
        kni_text_str(text, " applied");
        if (count > 1) {
            kni_text_str(text, ", ");
            kni_text_u64(text, count);
            kni_text_str(text, " stacks");
        }
        break;
    case KN_EVENT_EFFECT_EXECUTED:
        kni_text_str(text, " executed");
        break;
    case KN_EVENT_EFFECT_REMOVED:
        kni_text_str(text, " removed: ");
        kni_text_str(text, reason);
        break;
    case KN_EVENT_EFFECT_STACKS:
        if (count == event->data.effect.old_count) {
            kni_text_str(text, " applied again, ");
            kni_text_u64(text, count);
            kni_text_str(text, count == 1 ? " stack" : " stacks");
            break;
        }
        kni_text_str(text, " stacks ");
        text_counts(text, event->data.effect.old_count, count);
        if (reason[0] != 0) {
            kni_text_str(text, ": ");
            kni_text_str(text, reason);
        }
        break;
    case KN_EVENT_EFFECT_STACK_DENIED:
        kni_text_str(text, " denied a stack");
        break;
    case KN_EVENT_EFFECT_INHIBITED:
        kni_text_str(text, count == 0 ? " inhibited" : " no longer inhibited");
        break;
    case KN_EVENT_EFFECT_TIME:
        kni_text_str(text, " changed its time");
        break;
    default:
        if (event->type == KN_EVENT_EFFECT_PART_BLOCKED) {
            kni_text_str(text, " part ");
            kni_text_u64(text, count);
        }
        kni_text_str(text, " blocked by ");
        kni_text_effect(text, world, event->data.effect.by);
        break;
    }
}

static void event_text_refusal(kni_text *text, const kn_world *world, const kn_event *event)
{
    kni_text_type_and_number(text, world, event->data.refusal.type, (kn_effect_id){0});
    if (event->data.refusal.source.index1 != 0) {
        kni_text_str(text, " by ");
        kni_text_entity(text, event->data.refusal.source);
    }
    kni_text_str(text, " refused: ");
    kn_effect_refusal refusal;
    (void)kn_effect_event_refusal(world, event, &refusal);
    kni_text_effect_refusal(text, world, &refusal);
}

static void event_text_record(kni_text *text, const kn_world *world, const kn_event *event)
{
    if (event->data.record.tag.index1 != 0) {
        kni_text_tag(text, world, event->data.record.tag);
    } else {
        kni_text_str(text, kn_event_kind_name(world->library, event->data.record.kind));
    }
    kni_text_char(text, ' ');
    kni_text_float(text, event->data.record.magnitude);
    if (event->data.record.instigator.index1 != 0) {
        kni_text_str(text, " from ");
        kni_text_entity(text, event->data.record.instigator);
    }
    if (event->type == KN_EVENT_RESTRICTED) {
        kni_text_str(text, " blocked by ");
        kni_text_effect(text, world, event->data.record.by);
    }
}

static void event_text_cue(kni_text *text, const kn_world *world, const kn_event *event)
{
    static const char *const actions[] = {
        [KN_CUE_ADDED] = " added",
        [KN_CUE_EXECUTED] = " executed",
        [KN_CUE_UPDATED] = " updated",
        [KN_CUE_REMOVED] = " removed",
    };
    kni_text_str(text, "cue ");
    kni_text_tag(text, world, event->data.cue.tag);
    if ((uint32_t)event->data.cue.action <= KN_CUE_REMOVED) {
        kni_text_str(text, actions[event->data.cue.action]);
    }
    if (event->data.cue.type.index1 != 0) {
        kni_text_str(text, event->data.cue.interrupted ? " early by " : " by ");
        kni_text_type_and_number(text, world, event->data.cue.type, event->data.cue.effect);
    }
    kni_text_str(text, ", magnitude ");
    kni_text_float(text, event->data.cue.magnitude);
}

static void event_text_error(kni_text *text, const kn_world *world, const kn_event *event)
{
    kni_text_str(text, "error ");
    kni_text_str(text, kn_result_name(event->data.error.code));
    if (event->data.error.type.index1 != 0) {
        kni_text_str(text, " in ");
        kni_text_type_and_number(text, world, event->data.error.type, (kn_effect_id){0});
    }
    if (event->data.error.ability.index1 != 0) {
        kni_text_str(text, " in ");
        kni_text_str(text, kn_ability_type_name(world->library, event->data.error.ability));
    }
    if (event->data.error.attribute.index1 != 0) {
        kni_text_str(text, " at ");
        kni_text_attribute(text, world, event->data.error.attribute, 0);
    }
    if (event->data.error.detail != 0) {
        kni_text_str(text, ", detail ");
        kni_text_u64(text, event->data.error.detail);
    }
}

static void event_text_avatar(kni_text *text, const kn_event *event)
{
    kni_text_str(text, event->type == KN_EVENT_AVATAR_CHANGED ? "avatar " : "owner ");
    kni_text_entity(text, event->data.avatar.old_avatar);
    kni_text_str(text, " -> ");
    kni_text_entity(text, event->data.avatar.avatar);
}

static void event_text_tag(kni_text *text, const kn_world *world, const kn_event *event)
{
    if (event->type == KN_EVENT_TAG_CHANGED) {
        kni_text_str(text, event->data.tag.count > 0 ? "gains " : "loses ");
        kni_text_tag(text, world, event->data.tag.tag);
        return;
    }
    kni_text_tag(text, world, event->data.tag.tag);
    kni_text_char(text, ' ');
    text_counts(text, event->data.tag.old_count, event->data.tag.count);
}

static void text_reasons(kni_text *text, const kn_world *world, uint32_t reasons)
{
    bool is_first = true;
    for (uint32_t i = 0; i < 32; i++) {
        if ((reasons >> i & 1) != 0) {
            kni_text_str(text, is_first ? ": " : ", ");
            kni_text_str(text, kni_fail_word(world->library, i));
            is_first = false;
        }
    }
}

static void event_text_ability(kni_text *text, const kn_world *world, const kn_event *event)
{
    kni_text_str(text, kn_ability_type_name(world->library, event->data.ability.type));
    kni_text_char(text, ' ');
    switch (event->type) {
    case KN_EVENT_ABILITY_ENDED:
        kni_text_str(text, "ended");
        if (event->data.ability.end_reason > KN_ENDED_DONE) {
            kni_text_str(text, ": ");
            kni_text_str(text, kni_end_word(world->library, event->data.ability.end_reason));
            if (event->data.ability.instigator.index1 != 0) {
                kni_text_str(text, " by ");
                kni_text_entity(text, event->data.ability.instigator);
            }
        }
        break;
    case KN_EVENT_ABILITY_FAILED:
        kni_text_str(text, "refused");
        text_reasons(text, world, event->data.ability.reasons);
        break;
    case KN_EVENT_ABILITY_STATUS:
        kni_text_str(text, event->data.ability.reasons == 0 ? "ready" : "not ready");
        text_reasons(text, world, event->data.ability.reasons);
        break;
    default:
        kni_text_str(text, kn_event_type_name(event->type) + sizeof("ability"));
        break;
    }
}

static void event_text_charges(kni_text *text, const kn_world *world, const kn_event *event)
{
    bool is_early = event->type == KN_EVENT_EARLY_USE;
    kni_text_str(text, is_early ? "uses too early" : "charges ");
    if (event->data.charges.key.index1 != 0) {
        kni_text_str(text, is_early ? " of " : "");
        kni_text_tag(text, world, event->data.charges.key);
        kni_text_str(text, is_early ? "" : " ");
    }
    if (is_early) {
        return;
    }
    text_counts(text, event->data.charges.old_charges, event->data.charges.charges);
}

// "asks the server for Shot, key 12: activate targets end, 24 bytes"
static void event_text_request(kni_text *text, const kn_world *world, const kn_event *event)
{
    static const char *const parts[] = {" activate", " targets", " confirm", " decline", " press",
        " release", " end", " cancel", " sync"};
    kn_ability_info info = {0};
    bool is_there = kn_ability_get(world, event->data.request.ability, &info);
    kni_text_str(text, "requests from the server: ");
    kni_text_str(
        text, is_there ? kn_ability_type_name(world->library, info.type) : "an ability (gone)");
    kni_text_str(text, ", key ");
    kni_text_u64(text, event->data.request.activation.generation);
    kni_text_char(text, ':');
    for (uint32_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        kni_text_str(text, (event->data.request.parts >> i & 1) != 0 ? parts[i] : "");
    }
    if (event->data.request.size > 0) {
        kni_text_str(text, ", ");
        kni_text_u64(text, event->data.request.size);
        kni_text_str(text, " bytes");
    }
}

// "command activate done", "command Build refused: custom: needs 50 gold, has 20", or "command
// activate refused: cooldown: on cooldown, cannot pay"
static void event_text_command(kni_text *text, const kn_world *world, const kn_event *event)
{
    kn_result result = event->data.command.result;
    kni_text_str(text, "command ");
    kni_text_str(text, kn_command_name(world->library, event->data.command.type));
    if (event->data.command.part > 0) {
        kni_text_str(text, ", part ");
        kni_text_u64(text, event->data.command.part);
    }
    kni_text_str(text, result == KN_OK                ? " done"
                       : kn_result_is_refused(result) ? " refused: "
                                                      : " failed: ");
    kni_text_str(text, result == KN_OK ? "" : kn_result_name(result));
    kn_refusal_line lines[KN_COMMAND_LINES_MAX];
    uint32_t count = kn_command_event_lines(world, event, lines, KN_COMMAND_LINES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        kni_text_str(text, i == 0 ? ": " : "; ");
        kni_text_refusal_line(text, world, &lines[i]);
    }
    if (count == 0) {
        text_reasons(text, world, event->data.command.reasons);
    }
}

// The text of its kind with the fields in place, or its name and all fields.
static void event_text_custom(kni_text *text, const kn_world *world, const kn_event *event)
{
    uint32_t index1 = event->data.custom.kind.index1;
    if (index1 == 0 || index1 > kn_def_count(world->library, KN_DEF_CUSTOM_EVENT)) {
        kni_text_str(text, "unknown event");
        return;
    }
    const kni_custom_event *kind =
        KNI_ITEM(world->library, KN_DEF_CUSTOM_EVENT, kni_custom_event, index1 - 1);
    uint32_t size;
    const uint8_t *payload = kn_event_payload(world, event, &size);
    if (kind->def.text == NULL || size < kind->def.size) {
        kni_text_str(text, kind->name);
        if (payload != NULL && size >= kind->def.size) {
            kni_text_str(text, ": ");
            kni_text_record(text, world, &kind->payload.table, payload);
        }
        return;
    }
    for (const char *at = kind->def.text; *at != 0; at++) {
        size_t length = *at == '{' ? strcspn(at + 1, "}") : 0;
        const kn_def_field *found = NULL;
        for (uint32_t i = 0; *at == '{' && i < kind->payload.table.field_count; i++) {
            const kn_def_field *field = &kind->payload.table.fields[i];
            bool is_it = strlen(field->name) == length && strncmp(field->name, at + 1, length) == 0;
            found = is_it ? field : found;
        }
        if (found != NULL) {
            kni_text_field(text, world, found, payload);
            at += length + 1;
        } else {
            kni_text_char(text, *at);
        }
    }
}

static void event_text_what(kni_text *text, const kn_world *world, const kn_event *event)
{
    switch (event->type) {
    case KN_EVENT_CHARGES:
    case KN_EVENT_EARLY_USE:
        event_text_charges(text, world, event);
        break;
    case KN_EVENT_ANIMATION:
        kni_text_str(text, event->data.animation.plays ? "plays " : "stops ");
        kni_text_str(text,
            kni_ref_name(world->library, KN_DEF_ANIMATION, event->data.animation.animation.index1));
        break;
    case KN_EVENT_REQUEST:
        event_text_request(text, world, event);
        break;
    case KN_EVENT_CUSTOM:
        event_text_custom(text, world, event);
        break;
    case KN_EVENT_RETICLE:
        kni_text_str(text, event->data.reticle.is_valid ? "aims at " : "aims at nothing");
        if (event->data.reticle.is_valid) {
            if (event->data.reticle.is_entity) {
                kni_text_entity(text, event->data.reticle.target);
            } else {
                kni_text_str(text, "a place");
            }
        }
        break;
    case KN_EVENT_COMMAND:
        event_text_command(text, world, event);
        break;
    case KN_EVENT_MOTION:
        kni_text_str(text, event->data.motion.begins ? "motion begins" : "motion ends");
        break;
    case KN_EVENT_ENTITY_CREATED:
        kni_text_str(text, "created");
        break;
    case KN_EVENT_ENTITY_DESTROYED:
        kni_text_str(text, "destroyed");
        break;
    case KN_EVENT_AVATAR_CHANGED:
    case KN_EVENT_OWNER_CHANGED:
        event_text_avatar(text, event);
        break;
    case KN_EVENT_TAG_COUNT:
    case KN_EVENT_TAG_CHANGED:
        event_text_tag(text, world, event);
        break;
    case KN_EVENT_ATTRIBUTE_CHANGED:
    case KN_EVENT_ATTRIBUTE_INITIALISED:
        kni_text_attribute(text, world, event->data.attribute.attribute, event->data.attribute.key);
        kni_text_str(text, event->type == KN_EVENT_ATTRIBUTE_INITIALISED ? " initialised " : " ");
        text_change(text, event->data.attribute.old_value, event->data.attribute.new_value);
        break;
    case KN_EVENT_SET_ADDED:
    case KN_EVENT_SET_REMOVED:
        kni_text_str(text, event->type == KN_EVENT_SET_ADDED ? "gets set " : "loses set ");
        kni_text_str(text, kn_attribute_set_name(world->library, event->data.set.set));
        if (event->data.set.key != 0) {
            kni_text_char(text, '[');
            kni_text_u64(text, event->data.set.key);
            kni_text_char(text, ']');
        }
        break;
    case KN_EVENT_EFFECT_REFUSED:
        event_text_refusal(text, world, event);
        break;
    case KN_EVENT_RESTRICTED:
    case KN_EVENT_RECORD:
        event_text_record(text, world, event);
        break;
    case KN_EVENT_CUE:
        event_text_cue(text, world, event);
        break;
    case KN_EVENT_ERROR:
        event_text_error(text, world, event);
        break;
    default:
        if (event->type >= KN_EVENT_EFFECT_APPLIED && event->type <= KN_EVENT_EFFECT_PART_BLOCKED) {
            event_text_effect(text, world, event);
        } else if (event->type >= KN_EVENT_ABILITY_GRANTED &&
                   event->type <= KN_EVENT_ABILITY_STATUS) {
            event_text_ability(text, world, event);
        } else {
            kni_text_str(text, "unknown event");
        }
        break;
    }
}

// Avoids saying the same twice, as in "Burn applied (Burn applied)".
static bool cause_is_plain(const kn_event *event, const kn_cause_info *info)
{
    return event->type == KN_EVENT_EFFECT_APPLIED && info->kind == KN_CAUSE_APPLY &&
           kn_effect_type_id_equal(event->data.effect.type, info->type);
}

uint32_t kn_event_print(const kn_world *world, const kn_event *event, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    kni_text_time(&text, event->time);
    kni_text_str(&text, "  ");
    kni_text_entity(&text, event->entity);
    kni_text_str(&text, "  ");
    event_text_what(&text, world, event);
    kn_cause_info info;
    if (event->cause != 0 && kn_cause_get(world, event->cause, &info) &&
        !cause_is_plain(event, &info)) {
        kni_text_str(&text, "  (");
        kni_text_cause(&text, world, &info, true);
        kni_text_char(&text, ')');
    }
    return text.length;
}
