// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tables that calls and hooks are given: what is in them. Those that are made of a struct list its
// fields; the rest is for the reference, the annotations and the lints.
// tests/unit/test_script_results.c compares them with what is there.

#include "rows.h"

static const knl_field_row vec3_fields[] = {
    F("x", "number", "The first coordinate."),
    F("y", "number", "The second coordinate."),
    F("z", "number", "The third coordinate."),
    FIELDS_END,
};

static const knl_field_row hit_fields[] = {
    F("entity", "kn.entity?", "The entity that was hit; nil for scenery."),
    F("point", "kn.vec3", "The point that was hit."),
    F("normal", "kn.vec3", "The surface normal."),
    F("distance", "number", "The distance."),
    FIELDS_END,
};

static const knl_field_row target_fields[] = {
    F("type", "string",
        "\"entity\", \"hit\", \"location\", \"line\", or a type that the game defines."),
    F("entity", "kn.entity?", "entity, hit: the entity that was found."),
    F("point", "kn.vec3?", "hit: where."),
    F("normal", "kn.vec3?", "hit: the surface normal."),
    F("distance", "number?", "hit: the distance."),
    F("part", "integer?", "hit: bone or surface, for the host."),
    F("position", "kn.vec3?", "location: where."),
    F("direction", "kn.vec3?", "location, line: the direction; zero for none."),
    F("source", "kn.entity?", "line: the entity it starts at."),
    F("start", "kn.vec3?", "line: where it starts."),
    F("end", "kn.vec3?", "line: where it ends; read it as `target[\"end\"]`."),
    FIELDS_END,
};

static const knl_field_row event_fields[] = {
    F("tag", "string?", "What happened."),
    F("kind", "string?", "The event kind."),
    F("tags", "string[]", "Additional tags."),
    F("instigator", "kn.entity?", "The entity that caused it."),
    F("target", "kn.entity?", "The entity it happens to."),
    F("magnitude", "number", "The magnitude."),
    F("object", "integer", "The host's 64 bits."),
    F("object2", "integer", "64 more."),
    F_AS("targets", "data", "kn.target[]?", "Target data, if it has any."),
    FIELDS_END,
};

void knl_event_push(lua_State *L, const kn_event_record *record)
{
    if (record != NULL) {
        knl_struct_push(L, KNL_RESULT_EVENT, record);
    } else {
        lua_pushnil(L);
    }
}

static void knl_reaction_event(lua_State *L, const knl_frame *frame)
{
    knl_event_push(L, frame->reaction->record);
}

// Reasons of the library too.
void knl_fails_push(lua_State *L, uint32_t reasons)
{
    const kn_library *library = knl_vm_of(L)->script->library;
    lua_newtable(L);
    for (uint32_t i = 0, count = 0; i < 32; i++) {
        uint32_t reason = reasons & (1u << i);
        if (reason != 0) {
            lua_pushstring(L, kn_library_fail_name(library, (kn_fail)reason));
            lua_rawseti(L, -2, (lua_Integer)++count);
        }
    }
}

static void reaction_fails(lua_State *L, const knl_frame *frame)
{
    knl_fails_push(L, frame->reaction->fail_reasons);
}

static void watch_state(lua_State *L, const knl_frame *frame)
{
    knl_state_push(L, frame);
}

static void watch_is_true(lua_State *L, const knl_frame *frame)
{
    lua_pushboolean(L, frame->watch->is_true);
}

static void watch_owner(lua_State *L, const knl_frame *frame)
{
    KNL_PUSH_ID(L, KNL_ID_ENTITY, frame->watch->owner);
}

// What a rule and a watch know of what happened.
#define REACTION_FIELDS                                                                            \
    F("trigger", "kn.trigger", "What happened."),                                                  \
        F("entity", "kn.entity?", "The entity it happens to."), F("tag", "string?", "The tag."),   \
        F("attribute", "string?", "The attribute."),                                               \
        F("key", "integer", "The instance of its set; or the movement mode."),                     \
        F("old_value", "number", "The attribute's value before."),                                 \
        F("new_value", "number", "The attribute's value after."),                                  \
        F("old_count", "integer", "Stacks, the count of the tag, or charges, before."),            \
        F("new_count", "integer", "Stacks, the count of the tag, or charges, after."),             \
        F("effect", "kn.effect?", "The effect."), F("effect_type", "string?", "Its type."),        \
        F("reason", "kn.removal_reason?", "Why it was removed."),                                  \
        F("instigator", "kn.entity?", "The entity that caused it, or cancelled it."),              \
        F("magnitude", "number", "The magnitude of the event, or the number of a cancel."),        \
        F("ability", "kn.ability?", "The ability."),                                               \
        F("activation", "kn.activation?", "Its activation."),                                      \
        F("end_reason", "kn.end_reason?", "Why the activation ended."),                            \
        F_OWN("fail_reasons", "string[]", reaction_fails, "ability_failed: why it was refused."),  \
        F("other", "kn.entity?", "The owner or parent now."),                                      \
        F("old_other", "kn.entity?", "The owner or parent before."),                               \
        F_OWN("event", "kn.event?", knl_reaction_event, "The event with everything it carries."),  \
        F("causer", "kn.entity?", "Weapon or projectile behind the effect."),                      \
        F("level", "number", "The level of the effect, or of a further application."),             \
        F("ability_type", "string?", "The type of the ability, also when it is gone."),            \
        F("object", "integer", "The host's 64 bits behind the effect."),                           \
        F("old_remaining", "number?", "effect_reapplied: seconds left before; nil for forever."),  \
        F("new_remaining", "number?", "effect_reapplied: seconds left now; nil for forever."),     \
        F("set", "string?", "The attribute set that was added or removed.")

const knl_field_row knl_reaction_fields[] = {REACTION_FIELDS, FIELDS_END};
const knl_field_row knl_watch_fields[] = {REACTION_FIELDS,
    F_OWN("is_true", "boolean", watch_is_true,
        "query and threshold: whether the condition holds now."),
    F_OWN("watch_owner", "kn.entity?", watch_owner, "The entity that the watch belongs to."),
    F_OWN("state", "table", watch_state, "State that lasts as long as the watch."), FIELDS_END};

// What follows the name depends on the output and the kind.
static const knl_field_row task_result_fields[] = {
    F("task", "kn.task", "Which task."),
    F("kind", "kn.task_kind", "Its kind."),
    F("name", "string?", "Its name."),
    F_OWN("output", "kn.task_output|integer", NULL,
        "What happened; for a custom task, the number it reported."),
    F_OWN("data", "number[]?", NULL, "custom: the numbers it reported."),
    F_OWN("tag", "string?", NULL, "tag_*, a notify of an animation, and a cancel: the tag."),
    F_OWN("is_there", "boolean?", NULL, "tag_*: whether the entity has the tag now."),
    F_OWN("index", "integer?", NULL, "repeat: which repetition, from 1."),
    F_OWN("is_last", "boolean?", NULL, "repeat: whether it is the last repetition."),
    F_OWN("event", "kn.event?", NULL, "event: what happened."),
    F_OWN("attribute", "string?", NULL, "attribute, threshold: which."),
    F_OWN("old_value", "number?", NULL, "attribute, threshold: before."),
    F_OWN("new_value", "number?", NULL, "attribute, threshold: after."),
    F_OWN("effect", "kn.effect?", NULL, "effect_*: which."),
    F_OWN("type", "string?", NULL, "effect_*: its type."),
    F_OWN("count", "integer?", NULL, "effect_*: stacks now."),
    F_OWN("old_count", "integer?", NULL, "effect_*: stacks before."),
    F_OWN("reason", "kn.removal_reason|kn.end_reason|nil", NULL,
        "effect_*, ability_*: why it ended."),
    F_OWN("ability", "kn.ability?", NULL, "ability_*: which."),
    F_OWN("activation", "kn.activation?", NULL, "ability_*: its activation."),
    F_OWN("instigator", "kn.entity?", NULL, "ability_ended: who cancelled it."),
    F_OWN("number", "number?", NULL,
        "ability_ended: the number that came with a cancel; 0 if none did."),
    F_OWN("held", "number?", NULL, "input_*: how long it was held."),
    F_OWN("entity", "kn.entity?", NULL, "overlap, spawn: the entity that touches, or was created."),
    F_OWN("mode", "integer?", NULL, "movement: the mode."),
    F_OWN("targets", "kn.target[]?", NULL, "target: what was found."),
    FIELDS_END,
};

static const knl_field_row modifier_fields[] = {
    F_OWN("index", "integer", NULL, "Its index among the modifiers, from 1."),
    F("op", "kn.op", "Its operation."),
    F("channel", "integer", "Its channel."),
    F("magnitude", "number", "The magnitude of one stack, or of all, as the effect says."),
    F("stacks", "integer", "Stacks of the effect."),
    F("group", "string?", "The group, of which only one modifier applies."),
    F("source", "kn.entity?", "Who made the effect."),
    F("type", "string?", "The effect it belongs to."),
    F("influence", "number", "What it alone would do to the value."),
    FIELDS_END,
};

static const knl_field_row effect_info_fields[] = {
    F("type", "string", "Its name."),
    F("target", "kn.entity", "The entity that has it."),
    F("source", "kn.entity?", "The entity that applied it; it may no longer exist."),
    F("instigator", "kn.entity?", "The instigator."),
    F("causer", "kn.entity?", "The causer: a bullet, a trap."),
    F_AS("object", "source_object", "integer", "The host's 64 bits."),
    F("level", "number", "Its level."),
    F("stacks", "integer", "Its stacks."),
    F("start", "number", "When it began."),
    F("duration", "number?", "Its duration; nil if it lasts forever."),
    F("remaining", "number?", "Seconds left; nil if it lasts forever."),
    F("period", "number", "Seconds between ticks; 0 for none."),
    F("next_tick", "number?", "When it ticks next; nil for never."),
    F("executions", "integer", "How many times it was executed."),
    F("is_inhibited", "boolean", "Whether it is inhibited."),
    F("tally_loss", "number", "The total it took."),
    F("tally_gain", "number", "The total it gave."),
    F("origin", "kn.vec3?", "Where it came from, if known."),
    FIELDS_END,
};

static const knl_field_row reapplication_fields[] = {
    F("source", "kn.entity?", "The entity that applied it this time."),
    F("instigator", "kn.entity?", "The instigator of this application."),
    F("causer", "kn.entity?", "The causer: a bullet, a trap."),
    F("ability", "kn.ability?", "The ability behind this application."),
    F("activation", "kn.activation?", "The activation behind this application."),
    F("origin", "kn.vec3?", "Where it came from, if known."),
    F("took_over", "boolean",
        "Whether the effect now has the source, level and values of this application."),
    F("level", "number", "The level of this application."),
    F("stacks", "integer", "The stacks it brought."),
    F("old_stacks", "integer", "Stacks of the effect before."),
    F("new_stacks", "integer", "Stacks of the effect after."),
    F_AS("object", "source_object", "integer", "The host's 64 bits."),
    F("old_remaining", "number?", "Seconds that were left; nil if it lasted forever."),
    F("new_remaining", "number?", "Seconds left now; nil if it lasts forever."),
    FIELDS_END,
};

static const knl_field_row ability_info_fields[] = {
    F("type", "string", "Its name."),
    F("owner", "kn.entity", "The entity that has it."),
    F("level", "number", "Its level."),
    F("input", "integer", "Its input; 0 for none."),
    F("is_pressed", "boolean", "Whether the input is down."),
    F("is_removing", "boolean", "Whether it is removed when its last activation ends."),
    F("grants", "integer", "How many times it was granted."),
    F("active_count", "integer", "How many activations are active."),
    F("latest", "kn.activation?", "The most recent activation."),
    F("source", "kn.entity?", "The entity that granted it."),
    F_AS("object", "source_object", "integer", "The host's 64 bits."),
    F("user", "integer", "Your own 64 bits."),
    F("effect", "kn.effect?", "The effect that grants it."),
    FIELDS_END,
};

static const knl_field_row cooldown_fields[] = {
    F("key", "string?", "The tag it is shared under; nil for an ability's own."),
    F("charges", "integer", "Charges left."),
    F("max_charges", "integer", "Maximum charges."),
    F("remaining", "number?",
        "Seconds left of the recharge cycle; 0 when none is running, nil if it is paused."),
    F("total", "number?", "Length of a recharge cycle in seconds."),
    F("wait", "number?", "Seconds until it can be used, as things stand; nil for never."),
    FIELDS_END,
};

static const knl_field_row reason_fields[] = {
    F("reason", "kn.fail", "Why it is refused."),
    F("tag", "string?", "The tag that blocks, or is missing."),
    F("attribute", "string?", "The attribute."),
    F("have", "number", "The current value, or charges."),
    F("need", "number", "What would be needed."),
    F("remaining", "number?", "Time left of the cooldown."),
    F("total", "number?", "Its whole length."),
    F("effect", "kn.effect?", "The effect that causes it."),
    F("ability", "kn.ability?", "The ability that causes it."),
    F("check", "string?", "The check that refuses."),
    F("source", "kn.entity?", "The source of a block, see `block_abilities`."),
    F("key", "integer", "The key of a block."),
    F("text", "string?", "What the refusing function says about it."),
    FIELDS_END,
};

static const knl_field_row effect_refusal_fields[] = {
    F("reason", "refusal", "Why it is refused, as the call says it."),
    F_OWN("text", "string", NULL, "The same as a sentence with names and numbers."),
    F("from", "string",
        "Whose tag, attribute or gate it is: \"source\", \"target\" or \"causer\"."),
    F("tag", "string?",
        "The tag that decides; of a gate, what it knows the effect by; of a missing value, its "
        "tag."),
    F("is_there", "boolean", "Whether the tag is there and must not be; else it is missing."),
    F("is_removal", "boolean", "Whether its conditions for removal hold."),
    F("is_absent", "boolean", "Whether the attribute is not there."),
    F("attribute", "string?", "The attribute: absent, out of its range, or following itself."),
    F("have", "number", "Its value, the strength in an exclusive group, or the chance."),
    F_OWN("min", "number?", NULL, "What it must be at least."),
    F_OWN("max", "number?", NULL, "What it must be at most."),
    F("is_above", "boolean", "Whether `min` itself is too little."),
    F("is_below", "boolean", "Whether `max` itself is too much."),
    F("value", "string?",
        "The value of the target that leaves the effect no time; `have` is its result."),
    F("parameter", "string?", "The parameter that is missing."),
    F_OWN("modifier", "integer?", NULL, "The modifier concerned, from 1."),
    F("effect", "kn.effect?", "Whose gate blocks, whose stack it is, or the stronger one."),
    F("fail", "kn.fail?", "The reason that a requirement or gate gives."),
    F("need", "number", "What a requirement or gate says is needed."),
    FIELDS_END,
};

static const knl_field_row price_fields[] = {
    F("attribute", "string", "The attribute that is paid with."),
    F("amount", "number", "The magnitude."),
    F("have", "number", "How much is available."),
    F("is_affordable", "boolean", "Whether that is enough."),
    FIELDS_END,
};

static const knl_field_row task_info_fields[] = {
    F("kind", "kn.task_kind", "Its kind."),
    F("activation", "kn.activation", "The activation it belongs to."),
    F("name", "string?", "Its name."),
    F("is_started", "boolean", "False until the call that created it returns."),
    F("start", "number", "When it began."),
    F("due", "number?", "When it is due; nil if it waits for something else."),
    FIELDS_END,
};

static const knl_field_row cause_fields[] = {
    F("kind", "kn.cause_kind", "What kind of cause it is."),
    F("entity", "kn.entity?", "The entity it happens to; for abilities the owner."),
    F("effect", "kn.effect?", "The active effect concerned; it may no longer exist."),
    F("type", "string?", "The type of that effect."),
    F("source", "kn.entity?", "Who applied it, where that is known."),
    F("tag", "string?", "The tag concerned."),
    F("ability", "string?", "The ability, for \"ability\", \"end\" and \"task\"."),
    F("command", "string?", "The kind of command."),
    F("system", "string?", "The system."),
    F_OWN("custom", "string?", NULL, "The kind of a cause that a game or kit registers."),
    F_OWN("def_kind", "string?", NULL, "For those: the kind of the definition concerned."),
    F_OWN("def", "string?", NULL, "For those: the definition concerned."),
    FIELDS_END,
};

static const knl_field_row cancel_fields[] = {
    F("reason", "kn.end_reason", "Why it ends."),
    F("instigator", "kn.entity?", "Who cancelled it."),
    F("tag", "string?", "What it is about."),
    F("number", "number", "A number that came with it; 0 if none did."),
    FIELDS_END,
};

#define PLAIN(name, doc, fields)                                                                   \
    {                                                                                              \
        name, doc, fields, {NULL}, 0, 0                                                            \
    }
#define RESULT(name, which, doc, fields)                                                           \
    {                                                                                              \
        name, doc, fields, {NULL}, KN_STRUCT_##which + 1, 0                                        \
    }

const knl_class knl_result_classes[KNL_RESULT_COUNT] = {
    [KNL_RESULT_VEC3] = PLAIN("vec3", "A position or a direction.", vec3_fields),
    [KNL_RESULT_HIT] = RESULT("hit", SPACE_HIT, "A result of a spatial query.", hit_fields),
    [KNL_RESULT_TARGET] = PLAIN("target",
        "A record of target data. A type that the game defines has its own fields.", target_fields),
    [KNL_RESULT_EVENT] = RESULT("event", EVENT_RECORD, "An event record.", event_fields),
    [KNL_RESULT_REACTION] = RESULT("reaction", REACTION,
        "What woke a custom task; each trigger fills the fields that belong to it.",
        knl_reaction_fields),
    [KNL_RESULT_TASK_RESULT] = RESULT("task_result", TASK_RESULT,
        "What a task reports to its ability; each kind fills the fields that belong to it.",
        task_result_fields),
    [KNL_RESULT_MODIFIER] =
        RESULT("modifier", MODIFIER_VIEW, "What a policy chooses from.", modifier_fields),
    [KNL_RESULT_EFFECT_INFO] =
        RESULT("effect_info", EFFECT_INFO, "Everything about an effect.", effect_info_fields),
    [KNL_RESULT_REAPPLICATION] = RESULT("reapplication", EFFECT_REAPPLICATION,
        "A further application that joined an effect, and what it did.", reapplication_fields),
    [KNL_RESULT_ABILITY_INFO] =
        RESULT("ability_info", ABILITY_INFO, "Everything about an ability.", ability_info_fields),
    [KNL_RESULT_COOLDOWN] = RESULT("cooldown", COOLDOWN_INFO, "A cooldown.", cooldown_fields),
    [KNL_RESULT_REASON] =
        RESULT("reason", REFUSAL_LINE, "One reason for a refusal.", reason_fields),
    [KNL_RESULT_EFFECT_REFUSAL] = RESULT("effect_refusal", EFFECT_REFUSAL,
        "One reason why an effect is refused.", effect_refusal_fields),
    [KNL_RESULT_PRICE] = RESULT("price", COST_QUOTE, "One cost.", price_fields),
    [KNL_RESULT_TASK_INFO] =
        RESULT("task_info", TASK_INFO, "Everything about a task.", task_info_fields),
    [KNL_RESULT_CANCEL] =
        RESULT("cancel", CANCEL, "Why an activation ends, and who cancelled it.", cancel_fields),
    [KNL_RESULT_CAUSE] =
        RESULT("cause", CAUSE_INFO, "One link of a chain of causes.", cause_fields),
};
