// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The world as text for people: explanations, events, causes, whole entities. Entities go by their
// place ("entity 3"), effects by name and creation number ("Burn #12"), which is never used twice.

#include "dump_actor.h"
#include "task.h"

#include "text.h"

// Parts ---------------------------------------------------------------------

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// Spaces up to `width` characters after `start`.
static void text_pad(kni_text *text, uint32_t start, uint32_t width)
{
    while (text->length - start < width) {
        kni_text_char(text, ' ');
    }
}

static void text_entity(kni_text *text, kn_entity_id entity)
{
    if (entity.index1 == 0) {
        kni_text_str(text, "none");
        return;
    }
    kni_text_str(text, "entity ");
    kni_text_u64(text, entity.index1);
}

static void text_number(kni_text *text, kn_effect_id effect)
{
    kni_text_str(text, "#");
    kni_text_u64(text, effect.generation);
}

static void text_type(kni_text *text, const kn_world *world, kn_effect_type_id type)
{
    const char *name = kn_effect_type_name(world, type);
    kni_text_str(text, name[0] != 0 ? name : "effect");
}

// "Burn #12", or "Burn" for an instant effect.
static void text_type_and_number(
    kni_text *text, const kn_world *world, kn_effect_type_id type, kn_effect_id effect)
{
    text_type(text, world, type);
    if (effect.index1 != 0) {
        kni_text_char(text, ' ');
        text_number(text, effect);
    }
}

// The same for an effect of which only the id is known.
static void text_effect(kni_text *text, const kn_world *world, kn_effect_id effect)
{
    uint32_t slot = kni_effect_find(world, effect);
    if (effect.index1 == 0) {
        kni_text_str(text, "none");
    } else if (slot == KNI_NONE) {
        text_number(text, effect);
        kni_text_str(text, " (gone)");
    } else {
        kn_effect_type_id type = {(uint32_t)kni_effect_at(world, slot)->type + 1};
        text_type_and_number(text, world, type, effect);
    }
}

static void text_tag(kni_text *text, const kn_world *world, kn_tag tag)
{
    const char *name = kn_tag_name(world->library, tag);
    kni_text_str(text, name[0] != 0 ? name : "none");
}

// "Vitals.Health", or "Vitals.Health[2]" in an instance with a key.
static void text_attribute(
    kni_text *text, const kn_world *world, kn_attribute_id attribute, uint32_t key)
{
    const char *name = kn_attribute_name(world->library, attribute);
    kni_text_str(text, name[0] != 0 ? name : "none");
    if (key != 0) {
        kni_text_char(text, '[');
        kni_text_u64(text, key);
        kni_text_char(text, ']');
    }
}

static void text_time(kni_text *text, kn_time time)
{
    kni_text_fixed(text, kn_time_to_seconds(time), 3);
    kni_text_str(text, " s");
}

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

// "Add -20", "Multiply Additive x0.9", "Divide Compound /2", "Override =5".
static void text_operation(kni_text *text, kn_op op, float magnitude)
{
    kni_text_str(text, kn_op_name(op));
    kni_text_char(text, ' ');
    switch (op) {
    case KN_OP_ADD:
    case KN_OP_ADD_FINAL:
        kni_text_str(text, magnitude >= 0.0f ? "+" : "");
        break;
    case KN_OP_OVERRIDE:
        kni_text_char(text, '=');
        break;
    case KN_OP_DIVIDE:
    case KN_OP_DIVIDE_ADDITIVE:
    case KN_OP_DIVIDE_COMPOUND:
        kni_text_char(text, '/');
        break;
    default:
        kni_text_char(text, 'x');
        break;
    }
    kni_text_float(text, magnitude);
}

// What a modifier does; in brackets, with the reason, when it does not take part.
static void text_modifier(kni_text *text, kn_op op, float magnitude, uint32_t stacks,
    uint32_t channel, kn_qualification qualification)
{
    if (qualification != KN_QUALIFIES) {
        kni_text_char(text, '(');
    }
    text_operation(text, op, magnitude);
    if (stacks > 1) {
        kni_text_str(text, " (");
        kni_text_u64(text, stacks);
        kni_text_str(text, " stacks)");
    }
    if (channel > 0) {
        kni_text_str(text, " in channel ");
        kni_text_u64(text, channel);
    }
    if (qualification != KN_QUALIFIES) {
        kni_text_str(text, ": ");
        kni_text_str(text, kn_qualification_name(qualification));
        kni_text_char(text, ')');
    }
}

// Explanations --------------------------------------------------------------

// What an explanation is about.
typedef struct explained {
    const kn_world *world;
    float minimum, maximum;
} explained;

static void explain_what(kni_text *text, const explained *about, const kn_explain_line *line)
{
    (void)about;
    switch (line->kind) {
    case KN_EXPLAIN_BASE:
        kni_text_str(text, "base");
        break;
    case KN_EXPLAIN_MODIFIER:
        text_modifier(
            text, line->op, line->magnitude, line->stacks, line->channel, line->qualification);
        break;
    case KN_EXPLAIN_LIMIT:
        kni_text_str(text, "limit of the group");
        break;
    case KN_EXPLAIN_HOOK:
        kni_text_str(text, "hook of the set");
        break;
    case KN_EXPLAIN_CLAMP:
        kni_text_str(text, line->delta > 0.0f ? "minimum" : "maximum");
        break;
    default:
        kni_text_str(text, "rounding");
        break;
    }
}

static void explain_who(kni_text *text, const explained *about, const kn_explain_line *line)
{
    if (line->kind == KN_EXPLAIN_BASE) {
        kni_text_float(text, line->result);
    } else if (line->kind == KN_EXPLAIN_CLAMP) {
        kni_text_float(text, line->delta > 0.0f ? about->minimum : about->maximum);
    } else if (line->kind == KN_EXPLAIN_MODIFIER) {
        text_type_and_number(text, about->world, line->type, line->effect);
        if (line->source.index1 != 0) {
            kni_text_str(text, " by ");
            text_entity(text, line->source);
        }
    }
}

typedef void explain_part(kni_text *text, const explained *about, const kn_explain_line *line);

static uint32_t explain_width(
    explain_part *part, const explained *about, const kn_explain_line *lines, uint32_t count)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < count; i++) {
        kni_text probe;
        kni_text_init(&probe, NULL, 0);
        part(&probe, about, &lines[i]);
        width = larger(width, probe.length);
    }
    return width;
}

static void explain_lines(
    kni_text *text, const explained *about, const kn_explain_line *lines, uint32_t count)
{
    uint32_t what_width = explain_width(explain_what, about, lines, count) + 2;
    uint32_t who_width = explain_width(explain_who, about, lines, count) + 2;
    for (uint32_t i = 0; i < count; i++) {
        const kn_explain_line *line = &lines[i];
        bool has_result = line->kind != KN_EXPLAIN_BASE &&
                          (line->kind != KN_EXPLAIN_MODIFIER ||
                              line->qualification == KN_QUALIFIES || line->delta != 0.0f);
        bool has_who = explain_width(explain_who, about, line, 1) > 0;
        kni_text_str(text, "  ");
        uint32_t start = text->length;
        explain_what(text, about, line);
        if (has_who || has_result) {
            text_pad(text, start, what_width);
            explain_who(text, about, line);
        }
        if (has_result) {
            text_pad(text, start, what_width + who_width);
            kni_text_str(text, "-> ");
            kni_text_float(text, line->result);
        }
        kni_text_char(text, '\n');
    }
}

#define EXPLAIN_LINES 64

uint32_t kn_attribute_explain_text(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    kn_explain_line few[EXPLAIN_LINES];
    kn_explain_line *lines = few;
    uint32_t count = kn_attribute_explain(world, entity, attribute, key, few, EXPLAIN_LINES);
    if (count == 0) {
        return 0;
    }
    // Many modifiers need a block for the time of this call; without one the text is shorter.
    kni_memory memory = world->memory;
    uint32_t shown = count < EXPLAIN_LINES ? count : EXPLAIN_LINES;
    if (count > EXPLAIN_LINES) {
        lines = kni_realloc(&memory, NULL, 0, count * sizeof(*lines));
        if (lines != NULL) {
            shown = kn_attribute_explain(world, entity, attribute, key, lines, count);
        } else {
            lines = few;
        }
    }
    explained about = {.world = world};
    kn_attribute_bounds(world, entity, attribute, key, &about.minimum, &about.maximum);
    text_attribute(&text, world, attribute, key);
    kni_text_char(&text, ' ');
    kni_text_float(&text, kn_attribute_value_keyed(world, entity, attribute, key));
    kni_text_str(&text, " (base ");
    kni_text_float(&text, kn_attribute_base_keyed(world, entity, attribute, key));
    kni_text_str(&text, ")\n");
    explain_lines(&text, &about, lines, shown);
    if (shown < count) {
        kni_text_str(&text, "  ...\n");
    }
    if (lines != few) {
        kni_free(&memory, lines, count * sizeof(*lines));
    }
    return text.length;
}

// Causes --------------------------------------------------------------------

static void cause_effect(
    kni_text *text, const kn_world *world, const kn_cause_info *info, bool brief)
{
    kn_effect_id none = {0};
    text_type_and_number(text, world, info->type, brief ? none : info->effect);
}

static void cause_where(kni_text *text, const kn_cause_info *info, const char *word, bool brief)
{
    if (!brief && info->entity.index1 != 0) {
        kni_text_char(text, ' ');
        kni_text_str(text, word);
        kni_text_char(text, ' ');
        text_entity(text, info->entity);
    }
}

// One link. The brief form leaves out numbers and the entity.
static void text_cause(kni_text *text, const kn_world *world, const kn_cause_info *info, bool brief)
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
            text_tag(text, world, info->tag);
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
            text_tag(text, world, info->tag);
        }
        break;
    case KN_CAUSE_EVENT:
        kni_text_str(text, "event");
        if (info->tag.index1 != 0) {
            kni_text_char(text, ' ');
            text_tag(text, world, info->tag);
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
        kni_text_str(text, info->kind == KN_CAUSE_END    ? "end of "
                           : info->kind == KN_CAUSE_TASK ? "task of "
                                                         : "");
        kni_text_str(text, kn_ability_type_name(world->library, info->ability));
        break;
    }
    cause_where(text, info, "on", brief);
}

uint32_t kn_cause_print(const kn_world *world, kn_cause cause, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    kn_cause_info info;
    while (cause != 0 && kn_cause_get(world, cause, &info)) {
        text_cause(&text, world, &info, false);
        kni_text_str(&text, " <- ");
        // A parent is always older: whatever the buffers hold, the walk ends.
        cause = info.parent < cause ? info.parent : 0;
    }
    kni_text_str(&text, cause == 0 ? "host" : "...");
    return text.length;
}

// Events --------------------------------------------------------------------

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
        [KN_EVENT_REQUEST] = "request",
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
        [KN_REMOVED_BY_EFFECT] = "by another effect",
        [KN_REMOVED_OVERWRITTEN] = "overwritten",
        [KN_REMOVED_REQUIREMENT] = "requirement",
        [KN_REMOVED_TARGET_DIED] = "target died",
        [KN_REMOVED_SOURCE_GONE] = "source gone",
        [KN_REMOVED_PARENT_ENDED] = "parent ended",
        [KN_REMOVED_CHARGES_USED] = "charges used",
        [KN_REMOVED_STACK_CLEARED] = "stack cleared",
        [KN_REMOVED_SHORTENED] = "shortened",
        [KN_REMOVED_MISPREDICTED] = "mispredicted",
        [KN_REMOVED_RULE] = "by its own rule",
    };
    return (uint32_t)reason < KN_REMOVAL_REASON_COUNT ? names[reason] : "";
}

static void event_effect(kni_text *text, const kn_world *world, const kn_event *event)
{
    const uint32_t count = event->data.effect.count;
    const char *reason = kn_removal_reason_name(event->data.effect.reason);
    text_type_and_number(text, world, event->data.effect.type, event->data.effect.effect);
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
        kni_text_str(text, count == 0 ? " switched off" : " switched on");
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
        text_effect(text, world, event->data.effect.by);
        break;
    }
}

static void event_record(kni_text *text, const kn_world *world, const kn_event *event)
{
    if (event->data.record.tag.index1 != 0) {
        text_tag(text, world, event->data.record.tag);
    } else {
        kni_text_str(text, kn_event_kind_name(world->library, event->data.record.kind));
    }
    kni_text_char(text, ' ');
    kni_text_float(text, event->data.record.magnitude);
    if (event->data.record.instigator.index1 != 0) {
        kni_text_str(text, " from ");
        text_entity(text, event->data.record.instigator);
    }
    if (event->type == KN_EVENT_RESTRICTED) {
        kni_text_str(text, " blocked by ");
        text_effect(text, world, event->data.record.by);
    }
}

static void event_cue(kni_text *text, const kn_world *world, const kn_event *event)
{
    static const char *const actions[] = {
        [KN_CUE_ADDED] = " added",
        [KN_CUE_EXECUTED] = " executed",
        [KN_CUE_UPDATED] = " updated",
        [KN_CUE_REMOVED] = " removed",
    };
    kni_text_str(text, "cue ");
    text_tag(text, world, event->data.cue.tag);
    if ((uint32_t)event->data.cue.action <= KN_CUE_REMOVED) {
        kni_text_str(text, actions[event->data.cue.action]);
    }
    if (event->data.cue.type.index1 != 0) {
        kni_text_str(text, event->data.cue.interrupted ? " early by " : " by ");
        text_type_and_number(text, world, event->data.cue.type, event->data.cue.effect);
    }
    kni_text_str(text, ", magnitude ");
    kni_text_float(text, event->data.cue.magnitude);
}

static void event_error(kni_text *text, const kn_world *world, const kn_event *event)
{
    kni_text_str(text, "error ");
    kni_text_str(text, kn_result_name(event->data.error.code));
    if (event->data.error.type.index1 != 0) {
        kni_text_str(text, " in ");
        text_type(text, world, event->data.error.type);
    }
    if (event->data.error.attribute.index1 != 0) {
        kni_text_str(text, " at ");
        text_attribute(text, world, event->data.error.attribute, 0);
    }
    if (event->data.error.detail != 0) {
        kni_text_str(text, ", detail ");
        kni_text_u64(text, event->data.error.detail);
    }
}

static void event_avatar(kni_text *text, const kn_event *event)
{
    kni_text_str(text, event->type == KN_EVENT_AVATAR_CHANGED ? "avatar " : "owner ");
    text_entity(text, event->data.avatar.old_avatar);
    kni_text_str(text, " -> ");
    text_entity(text, event->data.avatar.avatar);
}

static void event_tag(kni_text *text, const kn_world *world, const kn_event *event)
{
    if (event->type == KN_EVENT_TAG_CHANGED) {
        kni_text_str(text, event->data.tag.count > 0 ? "gains " : "loses ");
        text_tag(text, world, event->data.tag.tag);
        return;
    }
    text_tag(text, world, event->data.tag.tag);
    kni_text_char(text, ' ');
    text_counts(text, event->data.tag.old_count, event->data.tag.count);
}

static void text_reasons(kni_text *text, uint32_t reasons)
{
    static const char *const words[KN_FAIL_COUNT] = {"gone", "networking", "dead",
        "blocked by tags", "missing tags", "on cooldown", "cannot pay", "already active",
        "own condition", "not ready"};
    bool is_first = true;
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        if ((reasons >> i & 1) != 0) {
            kni_text_str(text, is_first ? ": " : ", ");
            kni_text_str(text, words[i]);
            is_first = false;
        }
    }
}

static void event_ability(kni_text *text, const kn_world *world, const kn_event *event)
{
    kni_text_str(text, kn_ability_type_name(world->library, event->data.ability.type));
    kni_text_char(text, ' ');
    switch (event->type) {
    case KN_EVENT_ABILITY_ENDED:
        kni_text_str(text, "ended");
        if (event->data.ability.end_reason > KN_ENDED) {
            kni_text_str(text, ": ");
            kni_text_str(text, kn_end_reason_name((kn_end_reason)event->data.ability.end_reason));
        }
        break;
    case KN_EVENT_ABILITY_FAILED:
        kni_text_str(text, "refused");
        text_reasons(text, event->data.ability.reasons);
        break;
    case KN_EVENT_ABILITY_STATUS:
        kni_text_str(text, event->data.ability.reasons == 0 ? "ready" : "not ready");
        text_reasons(text, event->data.ability.reasons);
        break;
    default:
        kni_text_str(text, kn_event_type_name(event->type) + sizeof("ability"));
        break;
    }
}

static void event_charges(kni_text *text, const kn_world *world, const kn_event *event)
{
    kni_text_str(text, "charges ");
    if (event->data.charges.key.index1 != 0) {
        text_tag(text, world, event->data.charges.key);
        kni_text_char(text, ' ');
    }
    text_counts(text, event->data.charges.old_charges, event->data.charges.charges);
}

static void event_what(kni_text *text, const kn_world *world, const kn_event *event)
{
    switch (event->type) {
    case KN_EVENT_CHARGES:
        event_charges(text, world, event);
        break;
    case KN_EVENT_ANIMATION:
        kni_text_str(text, event->data.animation.plays ? "plays " : "stops ");
        kni_text_str(text, kni_ref_name(world->library, KNI_REF_ANIMATION,
                               event->data.animation.animation.index1));
        break;
    case KN_EVENT_REQUEST: {
        static const char *const parts[] = {" activate", " targets", " confirm", " decline",
            " press", " release", " end", " cancel"};
        kni_text_str(text, "asks the server:");
        for (uint32_t i = 0; i < 8; i++) {
            kni_text_str(text, (event->data.request.parts >> i & 1) != 0 ? parts[i] : "");
        }
        break;
    }
    case KN_EVENT_RETICLE:
        kni_text_str(text, event->data.reticle.is_valid ? "aims at " : "aims at nothing");
        if (event->data.reticle.is_valid) {
            if (event->data.reticle.is_entity) {
                text_entity(text, event->data.reticle.target);
            } else {
                kni_text_str(text, "a place");
            }
        }
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
        event_avatar(text, event);
        break;
    case KN_EVENT_TAG_COUNT:
    case KN_EVENT_TAG_CHANGED:
        event_tag(text, world, event);
        break;
    case KN_EVENT_ATTRIBUTE_CHANGED:
    case KN_EVENT_ATTRIBUTE_INITIALISED:
        text_attribute(text, world, event->data.attribute.attribute, event->data.attribute.key);
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
    case KN_EVENT_RESTRICTED:
    case KN_EVENT_RECORD:
        event_record(text, world, event);
        break;
    case KN_EVENT_CUE:
        event_cue(text, world, event);
        break;
    case KN_EVENT_ERROR:
        event_error(text, world, event);
        break;
    default:
        if (event->type >= KN_EVENT_EFFECT_APPLIED && event->type <= KN_EVENT_EFFECT_PART_BLOCKED) {
            event_effect(text, world, event);
        } else if (event->type >= KN_EVENT_ABILITY_GRANTED &&
                   event->type <= KN_EVENT_ABILITY_STATUS) {
            event_ability(text, world, event);
        } else {
            kni_text_str(text, "unknown event");
        }
        break;
    }
}

// "Burn applied (Burn applied)" says nothing twice.
static bool cause_is_plain(const kn_event *event, const kn_cause_info *info)
{
    return event->type == KN_EVENT_EFFECT_APPLIED && info->kind == KN_CAUSE_APPLY &&
           kn_effect_type_id_equal(event->data.effect.type, info->type);
}

uint32_t kn_event_print(const kn_world *world, const kn_event *event, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    text_time(&text, event->time);
    kni_text_str(&text, "  ");
    text_entity(&text, event->entity);
    kni_text_str(&text, "  ");
    event_what(&text, world, event);
    kn_cause_info info;
    if (event->cause != 0 && kn_cause_get(world, event->cause, &info) &&
        !cause_is_plain(event, &info)) {
        kni_text_str(&text, "  (");
        text_cause(&text, world, &info, true);
        kni_text_char(&text, ')');
    }
    return text.length;
}

// Entities: tags ------------------------------------------------------------

static void dump_link(kni_text *text, const char *name, kn_entity_id entity)
{
    if (entity.index1 != 0) {
        kni_text_str(text, ", ");
        kni_text_str(text, name);
        kni_text_char(text, ' ');
        text_entity(text, entity);
    }
}

static void dump_heading(
    kni_text *text, const kn_world *world, kn_entity_id entity, const kni_component *component)
{
    text_entity(text, entity);
    kni_text_str(text, " at ");
    text_time(text, world->now);
    if (component != NULL) {
        kn_entity_id holder = kni_entity_id_of(world, component->entity);
        if (!kn_entity_id_equal(holder, entity)) {
            dump_link(text, "body of", holder);
        } else if (!kn_entity_id_equal(component->avatar, entity)) {
            dump_link(text, "body", component->avatar);
        }
        dump_link(text, "part of", component->parent);
        dump_link(text, "owned by", component->owner);
        if (component->connection != 0) {
            kni_text_str(text, ", connection ");
            kni_text_u64(text, component->connection);
        }
        if ((component->flags & KNI_COMPONENT_DYING) != 0) {
            kni_text_str(text, ", dying");
        }
    }
    uint64_t user = kn_entity_user(world, entity);
    if (user != 0) {
        kni_text_str(text, ", user ");
        kni_text_u64(text, user);
    }
    kni_text_char(text, '\n');
}

// Counts by origin, those that are not 0.
static void dump_origins(kni_text *text, const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    static const char *const names[KN_ORIGIN_COUNT] = {
        [KN_ORIGIN_LOOSE] = "loose",
        [KN_ORIGIN_LOOSE_SYNCED] = "synced",
        [KN_ORIGIN_EFFECT] = "effects",
        [KN_ORIGIN_MINIMAL] = "minimal",
        [KN_ORIGIN_ABILITY] = "abilities",
        [KN_ORIGIN_CHILD] = "parts",
    };
    bool is_first = true;
    for (uint32_t i = 0; i < KN_ORIGIN_COUNT; i++) {
        uint32_t count = kn_entity_tag_count_origin(world, entity, tag, (kn_tag_origin)i);
        if (count > 0) {
            kni_text_str(text, is_first ? "  (" : ", ");
            kni_text_str(text, names[i]);
            kni_text_char(text, ' ');
            kni_text_u64(text, count);
            is_first = false;
        }
    }
    kni_text_str(text, is_first ? "" : ")");
}

// A tag the entity itself has; parents are implied, and what is counted to 0 is not there.
static bool row_is_owned(const kni_tag_row *row)
{
    return row->count > 0;
}

static void dump_tags(
    kni_text *text, const kn_world *world, kn_entity_id entity, const kni_component *component)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < component->tags.count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->tags, kni_tag_row, i);
        kn_tag tag = {row->tag};
        if (row_is_owned(row)) {
            width = larger(width, (uint32_t)strlen(kn_tag_name(world->library, tag)));
        }
    }
    if (width == 0) {
        return;
    }
    kni_text_str(text, "tags\n");
    for (uint32_t i = 0; i < component->tags.count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->tags, kni_tag_row, i);
        kn_tag tag = {row->tag};
        if (!row_is_owned(row)) {
            continue;
        }
        kni_text_str(text, "  ");
        uint32_t start = text->length;
        text_tag(text, world, tag);
        text_pad(text, start, width + 2);
        kni_text_u64(text, row->count);
        dump_origins(text, world, entity, tag);
        kni_text_char(text, '\n');
    }
}

static void dump_blocked(kni_text *text, const kn_world *world, const kni_component *component)
{
    if (component->blocked.count == 0) {
        return;
    }
    kni_text_str(text, "blocked abilities\n");
    for (uint32_t i = 0; i < component->blocked.count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->blocked, kni_tag_row, i);
        kn_tag tag = {row->tag};
        kni_text_str(text, "  ");
        text_tag(text, world, tag);
        kni_text_str(text, "  ");
        kni_text_u64(text, row->total);
        kni_text_char(text, '\n');
    }
}

// Entities: attributes ------------------------------------------------------

static uint32_t attribute_width(
    const kn_world *world, const kni_component *component, uint32_t position, bool is_value)
{
    uint32_t key;
    uint32_t index = kni_attribute_at_position(world, component, position, &key);
    kni_text probe;
    kni_text_init(&probe, NULL, 0);
    if (is_value) {
        kni_text_float(&probe, kni_values_of(world, component)[position].current);
    } else {
        text_attribute(&probe, world, (kn_attribute_id){index + 1}, key);
    }
    return probe.length;
}

static void dump_attributes(kni_text *text, const kn_world *world, const kni_component *component)
{
    uint32_t count = world->layouts[component->layout].value_count;
    uint32_t name_width = 0, value_width = 0;
    for (uint32_t i = 0; i < count; i++) {
        name_width = larger(name_width, attribute_width(world, component, i, false));
        value_width = larger(value_width, attribute_width(world, component, i, true));
    }
    if (count > 0) {
        kni_text_str(text, "attributes\n");
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key;
        uint32_t index = kni_attribute_at_position(world, component, i, &key);
        const kni_attribute *attribute = kni_attribute_at(world->library, index);
        kni_value value = kni_values_of(world, component)[i];
        kni_text_str(text, "  ");
        uint32_t start = text->length;
        text_attribute(text, world, (kn_attribute_id){index + 1}, key);
        text_pad(text, start, name_width + 2);
        kni_text_float(text, value.current);
        text_pad(text, start, name_width + 2 + value_width + 2);
        kni_text_str(text, "base ");
        kni_text_float(text, value.base);
        if ((attribute->flags & KNI_ATTRIBUTE_META) != 0) {
            kni_text_str(text, "  meta");
        }
        kni_text_char(text, '\n');
    }
}

// Entities: effects ---------------------------------------------------------

static uint32_t dump_mod_find(const kn_world *world, const kni_aggregator *aggregator,
    const kni_effect *effect, uint32_t index)
{
    for (uint32_t i = 0; i < aggregator->mods.count; i++) {
        const kni_mod *mod = KNI_SPAN_AT(world, aggregator->mods, kni_mod, i);
        if (mod->number == effect->number && mod->modifier == index) {
            return i;
        }
    }
    return KNI_NONE;
}

// Whether a modifier in a list takes part there.
static kn_qualification mod_qualification(const kn_world *world, uint32_t slot, uint32_t index,
    const kni_effect *effect, kni_evaluation *evaluation)
{
    const kni_aggregator *aggregator = kni_aggregator_at(world, slot);
    uint32_t at = dump_mod_find(world, aggregator, effect, index);
    if (at == KNI_NONE) {
        return KN_NOT_REQUIREMENT;
    }
    evaluation->world = world;
    evaluation->channel_end = KN_CHANNEL_MAX + 1;
    evaluation->factor = 1.0f;
    evaluation->mods = kni_span_at(&world->heap, &aggregator->mods, 0, sizeof(kni_mod));
    evaluation->count = aggregator->mods.count;
    evaluation->applied = aggregator->mods.count;
    return kni_qualification(evaluation, at);
}

static kn_qualification modifier_state(
    const kn_world *world, const kni_effect *effect, const kni_effect_type *type, uint32_t index)
{
    const kni_modifier *modifier = &type->modifiers[index];
    const kni_component *component = kni_component_at(world, effect->component);
    if (effect->ext1 != 0 && (kni_ext_at(world, effect->ext1)->off_modifiers >> index & 1) != 0) {
        return KN_NOT_REQUIREMENT;
    }
    if ((effect->flags & KNI_ACTIVE_INHIBITED) != 0) {
        return KN_NOT_INHIBITED;
    }
    bool is_owned = (type->flags & KNI_EFFECT_OWNED) != 0;
    if (modifier->attribute == KNI_NONE) {
        uint32_t aggregator = kni_transient_find(world, component, modifier->value);
        if (is_owned || (type->flags & KNI_EFFECT_PERIODIC) != 0 || aggregator == KNI_NONE) {
            return KN_QUALIFIES;
        }
        const kn_value_def *def =
            &KNI_ITEM(world->library, KNI_REF_VALUE, kni_value_type, modifier->value)->def;
        kni_evaluation evaluation = {.profile = &def->profile};
        return mod_qualification(world, aggregator, index, effect, &evaluation);
    }
    uint32_t position =
        is_owned ? 0 : kni_position_keyed(world, component, modifier->attribute, modifier->key);
    if (position == KNI_NONE) {
        return KN_NOT_PARKED;
    }
    if (is_owned || (type->flags & KNI_EFFECT_PERIODIC) != 0) {
        return KN_QUALIFIES;
    }
    kni_value value = kni_values_of(world, component)[position];
    if (value.aggregator1 == 0) {
        return KN_NOT_REQUIREMENT;
    }
    const kn_attribute_def *def = &kni_attribute_at(world->library, modifier->attribute)->def;
    kni_evaluation evaluation = {
        .profile = &def->profile,
        .qualify = def->qualify,
        .policy = def->policy.index1,
        .base = value.base,
    };
    return mod_qualification(world, value.aggregator1 - 1, index, effect, &evaluation);
}

static void modifier_target(kni_text *text, const kn_world *world, const kni_modifier *modifier)
{
    if (modifier->attribute == KNI_NONE) {
        kni_text_str(text, kn_value_name(world->library, (kn_value_id){modifier->value + 1}));
    } else {
        text_attribute(text, world, (kn_attribute_id){modifier->attribute + 1}, modifier->key);
    }
}

static void dump_modifiers(kni_text *text, const kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    uint32_t width = 0;
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        kni_text probe;
        kni_text_init(&probe, NULL, 0);
        modifier_target(&probe, world, &type->modifiers[i]);
        width = larger(width, probe.length);
    }
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        kn_qualification qualification = modifier_state(world, effect, type, i);
        kni_text_str(text, "    ");
        uint32_t start = text->length;
        modifier_target(text, world, modifier);
        text_pad(text, start, width + 2);
        text_modifier(text, (kn_op)modifier->op,
            kn_effect_magnitude(world, kni_effect_id_of(world, slot), i), 1, modifier->channel,
            qualification);
        if (qualification == KN_QUALIFIES && (type->flags & KNI_EFFECT_PERIODIC) != 0) {
            kni_text_str(text, " each tick");
        }
        if ((type->flags & KNI_EFFECT_OWNED) != 0) {
            kni_text_str(text, " on all it owns");
        }
        kni_text_char(text, '\n');
    }
}

static void dump_granted(kni_text *text, const kn_world *world, const kni_effect *effect)
{
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_ext *ext = effect->ext1 != 0 ? kni_ext_at(world, effect->ext1) : NULL;
    uint32_t dynamic = ext != NULL ? ext->granted.count : 0;
    if (type->granted_count + dynamic == 0) {
        return;
    }
    kni_text_str(text, "    grants ");
    for (uint32_t i = 0; i < type->granted_count + dynamic; i++) {
        kn_tag tag = {i < type->granted_count
                          ? type->granted[i].index1
                          : *KNI_SPAN_AT(world, ext->granted, uint32_t, i - type->granted_count)};
        kni_text_str(text, i > 0 ? ", " : "");
        text_tag(text, world, tag);
    }
    kni_text_char(text, '\n');
}

static void dump_effect_times(kni_text *text, const kn_world *world, const kn_effect_info *info)
{
    if (info->duration == KN_TIME_INFINITE) {
        kni_text_str(text, ", forever");
    } else {
        kni_text_str(text, ", ");
        kni_text_seconds(text, info->remaining);
        kni_text_str(text, " left of ");
        kni_text_seconds(text, info->duration);
    }
    if (info->period == 0) {
        return;
    }
    kni_text_str(text, ", every ");
    kni_text_seconds(text, info->period);
    bool is_finite = info->duration != KN_TIME_INFINITE;
    if (info->next_tick == KN_TIME_INFINITE ||
        (is_finite && info->next_tick - world->now > info->remaining)) {
        kni_text_str(text, ", no tick due");
    } else {
        kni_text_str(text, ", next tick in ");
        kni_text_seconds(text, info->next_tick - world->now);
    }
    kni_text_str(text, ", ");
    kni_text_u64(text, info->executions);
    kni_text_str(text, " done");
}

static void dump_effect(kni_text *text, const kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_effect_info info;
    if (!kn_effect_get(world, id, &info)) {
        return;
    }
    kni_text_str(text, "  ");
    text_type_and_number(text, world, info.type, id);
    kni_text_str(text, "  level ");
    kni_text_float(text, info.level);
    kni_text_str(text, ", ");
    kni_text_u64(text, info.stacks);
    kni_text_str(text, info.stacks == 1 ? " stack" : " stacks");
    dump_effect_times(text, world, &info);
    if (info.source.index1 != 0) {
        kni_text_str(text, ", by ");
        text_entity(text, info.source);
        kni_text_str(text, kn_entity_is_alive(world, info.source) ? "" : " (gone)");
    }
    if (info.tally_gain != 0.0f || info.tally_loss != 0.0f) {
        kni_text_str(text, ", gained ");
        kni_text_float(text, info.tally_gain);
        kni_text_str(text, ", lost ");
        kni_text_float(text, info.tally_loss);
    }
    kni_text_str(text, info.is_inhibited ? ", switched off\n" : "\n");
    dump_modifiers(text, world, slot);
    dump_granted(text, world, effect);
}

static void dump_effects(kni_text *text, const kn_world *world, const kni_component *component)
{
    if (component->effects.count > 0) {
        kni_text_str(text, "effects\n");
    }
    for (uint32_t i = 0; i < component->effects.count; i++) {
        dump_effect(text, world, *KNI_SPAN_AT(world, component->effects, uint32_t, i));
    }
}

// Entities: extension components --------------------------------------------

// One element of a field. The struct is the game's: nothing is assumed about its alignment.
static void dump_element(
    kni_text *text, const kn_world *world, uint32_t kind, const uint8_t *bytes, size_t size)
{
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        int32_t i32;
        float f32;
        uint64_t u64;
        int64_t i64;
        kn_entity_id entity;
        kn_effect_id effect;
        kn_tag tag;
        kn_attribute_id attribute;
        kn_curve_id curve;
        kn_vec3 vec3;
    } value = {0};
    if (size > sizeof(value)) {
        return;
    }
    memcpy(&value, bytes, size);
    switch (kind) {
    case KN_FIELD_U8:
        kni_text_u64(text, value.u8);
        break;
    case KN_FIELD_BOOL:
        kni_text_str(text, value.u8 != 0 ? "true" : "false");
        break;
    case KN_FIELD_U16:
        kni_text_u64(text, value.u16);
        break;
    case KN_FIELD_U32:
        kni_text_u64(text, value.u32);
        break;
    case KN_FIELD_I32:
        kni_text_i64(text, value.i32);
        break;
    case KN_FIELD_F32:
        kni_text_float(text, value.f32);
        break;
    case KN_FIELD_U64:
        kni_text_u64(text, value.u64);
        break;
    case KN_FIELD_I64:
        kni_text_i64(text, value.i64);
        break;
    case KN_FIELD_TIME:
        kni_text_seconds(text, value.i64);
        break;
    case KN_FIELD_ENTITY:
        text_entity(text, value.entity);
        break;
    case KN_FIELD_EFFECT:
        text_effect(text, world, value.effect);
        break;
    case KN_FIELD_TAG:
        text_tag(text, world, value.tag);
        break;
    case KN_FIELD_ATTRIBUTE:
        text_attribute(text, world, value.attribute, 0);
        break;
    case KN_FIELD_CURVE:
        kni_text_str(text, kn_curve_name(world->library, value.curve));
        break;
    case KN_FIELD_VEC3:
        kni_text_float(text, value.vec3.x);
        kni_text_char(text, ' ');
        kni_text_float(text, value.vec3.y);
        kni_text_char(text, ' ');
        kni_text_float(text, value.vec3.z);
        break;
    default:
        kni_text_char(text, '?');
        break;
    }
}

static void dump_field(
    kni_text *text, const kn_world *world, const kni_field *field, const uint8_t *record)
{
    size_t size = kni_field_size(field);
    for (uint32_t i = 0; i < field->count; i++) {
        kni_text_str(text, i > 0 ? ", " : "");
        dump_element(text, world, field->kind, record + field->offset + i * size, size);
    }
}

static void dump_items(kni_text *text, const kn_world *world, const kni_component_type *type,
    const kni_extension_head *head)
{
    const kni_table *table = &type->item_table;
    for (uint32_t i = 0; i < head->items.count; i++) {
        const uint8_t *item = kni_span_at(&world->heap, &head->items, i, table->size);
        kni_text_str(text, "    [");
        kni_text_u64(text, i);
        kni_text_str(text, "]");
        for (uint32_t f = 0; f < table->field_count; f++) {
            kni_text_str(text, f > 0 ? "; " : " ");
            kni_text_str(text, table->fields[f].name);
            kni_text_char(text, ' ');
            dump_field(text, world, &table->fields[f], item);
        }
        kni_text_char(text, '\n');
    }
}

static void dump_extension(kni_text *text, const kn_world *world, const kni_component_type *type,
    const kni_extension_head *head)
{
    const kni_table *table = &type->table;
    const uint8_t *record = (const uint8_t *)(head + 1);
    uint32_t width = 0;
    for (uint32_t f = 0; f < table->field_count; f++) {
        width = larger(width, (uint32_t)strlen(table->fields[f].name));
    }
    kni_text_str(text, "  ");
    kni_text_str(text, type->name);
    kni_text_char(text, '\n');
    for (uint32_t f = 0; f < table->field_count; f++) {
        kni_text_str(text, "    ");
        uint32_t start = text->length;
        kni_text_str(text, table->fields[f].name);
        text_pad(text, start, width + 2);
        dump_field(text, world, &table->fields[f], record);
        kni_text_char(text, '\n');
    }
    dump_items(text, world, type, head);
}

static void dump_extensions(kni_text *text, const kn_world *world, uint32_t entity_slot)
{
    bool is_first = true;
    for (uint32_t i = 0; i < kni_ref_count(world->library, KNI_REF_COMPONENT); i++) {
        const kni_extension *extension = &world->extensions[i];
        if (entity_slot >= extension->by_entity_capacity ||
            extension->by_entity[entity_slot] == 0) {
            continue;
        }
        kni_text_str(text, is_first ? "components\n" : "");
        is_first = false;
        dump_extension(text, world,
            KNI_ITEM(world->library, KNI_REF_COMPONENT, const kni_component_type, i),
            kni_pool_at(&extension->pool, extension->by_entity[entity_slot] - 1));
    }
}

uint32_t kn_entity_dump(const kn_world *world, kn_entity_id entity, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE) {
        return 0;
    }
    uint32_t component_slot = kni_component_find(world, entity);
    const kni_component *component =
        component_slot != KNI_NONE ? kni_component_at(world, component_slot) : NULL;
    dump_heading(&text, world, entity, component);
    if (component != NULL) {
        dump_tags(&text, world, entity, component);
        dump_blocked(&text, world, component);
        dump_attributes(&text, world, component);
        dump_effects(&text, world, component);
        kni_dump_actor(&text, world, component_slot);
    }
    dump_extensions(&text, world, slot);
    return text.length;
}
