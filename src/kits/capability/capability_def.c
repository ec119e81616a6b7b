// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of capabilities: what designers write, and what makes no sense.

#include "parts.h"

#include <stdlib.h>
#include <string.h>

#define CAPABILITY_COOKIE 0x62617063u

kn_capability_def kn_capability_def_default(void)
{
    kn_capability_def def = {.can_tick = true, .cookie = CAPABILITY_COOKIE};
    return def;
}

static void capability_init(void *def)
{
    *(kn_capability_def *)def = kn_capability_def_default();
}

static const char *const side_words[] = {
    [KN_SIDE_ALWAYS] = "always",
    [KN_SIDE_AUTHORITY] = "authority",
    [KN_SIDE_LOCAL] = "local",
    [KN_SIDE_AUTHORITY_AND_LOCAL] = "authority_and_local",
    [KN_SIDE_OWNER_LOCAL] = "owner_local",
    [KN_SIDE_CLIENTS] = "clients",
};
static const char *const initial_words[] = {
    [KN_INITIAL_STOP] = "stop",
    [KN_INITIAL_START] = "start",
    [KN_INITIAL_BOTH] = "both",
};

static const kn_def_field capability_fields[] = {
    KN_DEF_F(kn_capability_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_ENUM(kn_capability_def, side, side_words,
        "On which machines it runs: `always`, `authority`, `local` (where the entity is "
        "controlled), `authority_and_local`, `owner_local` (where its owner is) or `clients` "
        "(not on a dedicated server); default always."),
    KN_DEF_F(kn_capability_def, can_tick, KN_FIELD_BOOL,
        "It is evaluated again and again; false: only on request; default true."),
    KN_DEF_F(kn_capability_def, interval, KN_FIELD_TIME,
        "Time between two evaluations; default 0: in every run of its set."),
    KN_DEF_F(kn_capability_def, staggered, KN_FIELD_BOOL,
        "The first interval is shorter, by the slot of the entity, so that many entities share "
        "the work; default false."),
    KN_DEF_F(kn_capability_def, tags, KN_DEF_FIELD_TAGS,
        "Blocks of one of these tags, or of a parent, stop it; default none."),
    KN_DEF_F(kn_capability_def, blocked_by, KN_DEF_FIELD_TAGS,
        "While the entity has one of these tags, or one below them, it is blocked."),
    KN_DEF_F_ENUM(kn_capability_def, initial, initial_words,
        "What decides whether it begins active: `stop` (unless it should deactivate), `start` (if "
        "it should activate) or `both`; default stop."),
    KN_DEF_F_PART(kn_capability_def, when, "kn_tag_requirement",
        "It should be active while the tags of the entity meet this, and inactive while they do "
        "not; together with its functions."),
    KN_DEF_F_REF(kn_capability_def, start_when, KN_DEF_CONDITION,
        "It should activate while this condition holds; instigator and target are the entity."),
    KN_DEF_F_REF(kn_capability_def, stop_when, KN_DEF_CONDITION,
        "It should deactivate while this condition holds."),
    KN_DEF_F(kn_capability_def, grants_tags, KN_DEF_FIELD_TAGS,
        "Tags that the entity has while it is active, on this machine."),
    KN_DEF_F(kn_capability_def, blocks, KN_DEF_FIELD_TAGS,
        "Tags of capabilities that it blocks while it is active."),
    KN_DEF_F(kn_capability_def, blocks_itself, KN_FIELD_BOOL,
        "Its own blocks stop it too; default false."),
    KN_DEF_F_REFS(kn_capability_def, effects, effect_count, KN_DEF_EFFECT,
        "Effects on the entity while it is active."),
    KN_DEF_F_REFS(kn_capability_def, abilities, ability_count, KN_DEF_ABILITY,
        "Abilities that the entity has while it is active."),
    KN_DEF_F_PARTS(kn_capability_def, state, state_count, "kn_field",
        "The state of each capability on an entity, zero at first."),
    KN_DEF_F(kn_capability_def, resets_state, KN_FIELD_BOOL,
        "The state is zeroed at each activation; default false."),
    KN_DEF_F(kn_capability_def, group, KN_DEF_FIELD_STRING,
        "Name of the group of systems that it runs in, such as `movement`; default: that of its "
        "set."),
    KN_DEF_F(kn_capability_def, sleeps, KN_FIELD_BOOL,
        "It is not evaluated until it hears of something, or a tag of `when` or `blocked_by` "
        "changes, unless it is active and has a `tick`; default false."),
    KN_DEF_F(kn_capability_def, hears_tags, KN_DEF_FIELD_TAGS,
        "It hears when the entity gains or loses these tags."),
    KN_DEF_F_REFS(kn_capability_def, hears_attributes, hears_attribute_count, KN_DEF_ATTRIBUTE,
        "It hears when these attributes change."),
    KN_DEF_F(kn_capability_def, hears_events, KN_DEF_FIELD_TAGS,
        "It hears of events with these tags, or below them."),
    KN_DEF_F_REFS(kn_capability_def, hears_effects, hears_effect_count, KN_DEF_EFFECT,
        "It hears when these effects begin or end on the entity."),
    KN_DEF_F_REFS(kn_capability_def, hears_abilities, hears_ability_count, KN_DEF_ABILITY,
        "It hears when these abilities of the entity are activated or end."),
    KN_DEF_F(kn_capability_def, mirrored, KN_FIELD_BOOL,
        "Clients know whether it is active on the authority; default false."),
    KN_DEF_F_HOOK(
        kn_capability_def, start_life, "Called once on every machine, when the set comes."),
    KN_DEF_F_HOOK(kn_capability_def, setup, "Called when this machine may run it."),
    KN_DEF_F_HOOK(kn_capability_def, should_activate,
        "Whether it should be active, while it is not; it must change nothing. Default yes."),
    KN_DEF_F_HOOK(kn_capability_def, should_deactivate,
        "Whether it should stop, while it is active and when it is set up; it must change "
        "nothing. Default no."),
    KN_DEF_F_HOOK(kn_capability_def, activated, "Called after it became active on this machine."),
    KN_DEF_F_HOOK(
        kn_capability_def, deactivated, "Called after it became inactive on this machine."),
    KN_DEF_F_HOOK(kn_capability_def, tick, "Called at each evaluation while it is active."),
    KN_DEF_F_HOOK(kn_capability_def, end_capability,
        "Called when this machine may not run it any more, and when the set goes."),
    KN_DEF_F_HOOK(kn_capability_def, end_life, "Called once on every machine, when the set goes."),
    KN_DEF_F_HOOK(kn_capability_def, heard,
        "Called at once when something happens that it hears of; not for what a server sends."),
    KN_DEF_F_HOOK(kn_capability_def, mirror_changed,
        "Called on clients when the authority has switched it; needs `mirrored`."),
    KN_DEF_F_ARRAY(kn_capability_def, inputs, input_count, &knc_capability_input_table,
        "Input actions that its function `input` hears of, once somebody controls the entity."),
    KN_DEF_F_KINDS(kn_capability_def, contexts, context_count, "input context",
        "Mapping contexts that it uses, once somebody controls the entity; at most 64."),
    KN_DEF_F(kn_capability_def, hears_input_always, KN_FIELD_BOOL,
        "`input` is called while it is inactive or blocked too; default false."),
    KN_DEF_F_HOOK(kn_capability_def, input,
        "Called when something happens to an action that it is bound to; `consumed: 1` keeps it "
        "from capabilities that follow."),
    KN_DEF_F_HOOK(kn_capability_def, controller_attached,
        "Called when somebody controls the entity, before it is bound."),
    KN_DEF_F_HOOK(kn_capability_def, controller_detached,
        "Called when nobody controls the entity any more, and before `end_capability`."),
    KN_DEF_F_HOOK(kn_capability_def, bind,
        "Called when it is bound: it may bind more than its definition says."),
    KN_DEF_F_HOOK(kn_capability_def, data_changed,
        "Called on clients for each field of a data component of its set that has changed."),
    KN_DEF_F_HOOK(kn_capability_def, message,
        "Called when a message of another machine arrives; default: it takes none."),
    KN_DEF_F(kn_capability_def, messages_always, KN_FIELD_BOOL,
        "It gets messages also on machines that may not run it, after `start_life`; default "
        "false."),
    KN_DEF_F(kn_capability_def, presents, KN_FIELD_BOOL,
        "It is for presentation only: the program runs it frame by frame, and the world does not "
        "know it; default false."),
    KN_DEF_F(kn_capability_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table capability_table = {"capability_def", sizeof(kn_capability_def),
    capability_fields, sizeof(capability_fields) / sizeof(*capability_fields), capability_init};

static const kn_field call_fields[] = {
    KN_FIELD(kn_capability_call, dt, KN_FIELD_TIME),
    KN_FIELD(kn_capability_call, number, KN_FIELD_U32),
    KN_FIELD(kn_capability_call, set_number, KN_FIELD_U32),
    KN_FIELD(kn_capability_call, trigger, KN_FIELD_U32),
    KN_FIELD(kn_capability_call, tag, KN_FIELD_TAG),
    KN_FIELD(kn_capability_call, attribute, KN_FIELD_ATTRIBUTE),
    KN_FIELD(kn_capability_call, magnitude, KN_FIELD_F32),
    KN_FIELD(kn_capability_call, instigator, KN_FIELD_ENTITY),
};

static const kn_field change_fields[] = {
    KN_FIELD(kn_capability_data_change, number, KN_FIELD_U32),
    KN_FIELD(kn_capability_data_change, set_number, KN_FIELD_U32),
    KN_FIELD_TO(kn_capability_data_change, component, "component"),
    KN_FIELD(kn_capability_data_change, field, KN_FIELD_U32),
};

static const char *const hook_names[] = {
    "start_life",
    "setup",
    "should_activate",
    "should_deactivate",
    "activated",
    "deactivated",
    "tick",
    "end_capability",
    "end_life",
    "heard",
    "mirror_changed",
};
#define HOOK_COUNT (sizeof(hook_names) / sizeof(*hook_names))

static const kn_field input_call_fields[] = {
    KN_FIELD(kn_capability_input_call, number, KN_FIELD_U32),
    KN_FIELD(kn_capability_input_call, set_number, KN_FIELD_U32),
    KN_FIELD_TO(kn_capability_input_call, action, "input action"),
    KN_FIELD_WORDS(kn_capability_input_call, on, "started ongoing triggered canceled completed"),
    KN_FIELD(kn_capability_input_call, value, KN_FIELD_VEC3),
    KN_FIELD(kn_capability_input_call, consumed, KN_FIELD_U32),
    KN_FIELD_INIT(
        "controller", KN_FIELD_ENTITY, offsetof(kn_capability_input_call, controller.entity), 1),
    KN_FIELD_INIT("controller_number", KN_FIELD_U32,
        offsetof(kn_capability_input_call, controller.number), 1),
    KN_FIELD_INIT("controller_version", KN_FIELD_U32,
        offsetof(kn_capability_input_call, controller.version), 1),
};
static const char *const input_hook_names[] = {
    "input",
    "controller_attached",
    "controller_detached",
    "bind",
};
#define INPUT_HOOK_COUNT (sizeof(input_hook_names) / sizeof(*input_hook_names))
#define CONTEXTS_MAX 64

// The first field that would change the world or needs it to run; NULL if there is none.
static const char *field_of_members(const kn_capability_def *def)
{
    const struct {
        const char *name;
        bool is_given;
    } fields[] = {
        {"staggered", def->staggered},
        {"grants_tags", def->grants_tags.count > 0},
        {"blocks", def->blocks.count > 0},
        {"blocks_itself", def->blocks_itself},
        {"effects", def->effect_count > 0},
        {"abilities", def->ability_count > 0},
        {"group", def->group != NULL},
        {"sleeps", def->sleeps},
        {"hears_tags", def->hears_tags.count > 0},
        {"hears_attributes", def->hears_attribute_count > 0},
        {"hears_events", def->hears_events.count > 0},
        {"hears_effects", def->hears_effect_count > 0},
        {"hears_abilities", def->hears_ability_count > 0},
        {"mirrored", def->mirrored},
        {"heard", def->heard.function != NULL},
        {"mirror_changed", def->mirror_changed.function != NULL},
        {"inputs", def->input_count > 0},
        {"contexts", def->context_count > 0},
        {"hears_input_always", def->hears_input_always},
        {"input", def->input.function != NULL},
        {"controller_attached", def->controller_attached.function != NULL},
        {"controller_detached", def->controller_detached.function != NULL},
        {"bind", def->bind.function != NULL},
        {"data_changed", def->data_changed.function != NULL},
        {"message", def->message.function != NULL},
        {"messages_always", def->messages_always},
    };
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
        if (fields[i].is_given) {
            return fields[i].name;
        }
    }
    return NULL;
}

static kn_result capability_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_capability_def *def = item;
    (void)user;
    (void)library;
    if (def->interval < 0 || def->interval > KN_TIME_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability `%s`: its interval must be at least 0", def->name);
    }
    for (uint32_t i = 0; i < def->state_count; i++) {
        if (strncmp(def->state[i].name, "capability_", strlen("capability_")) == 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "capability `%s`: the field `%s` of its state must not begin with `capability_`",
                def->name, def->state[i].name);
        }
    }
    if (def->presents && field_of_members(def) != NULL) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability `%s`: it cannot have `%s`, because it is for presentation only "
            "(`presents`); move that to another capability",
            def->name, field_of_members(def));
    }
    if (def->mirror_changed.function != NULL && !def->mirrored) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability `%s`: `mirror_changed` is called only with `mirrored: true`", def->name);
    }
    if (def->context_count > CONTEXTS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability `%s`: it must have at most %u contexts", def->name, CONTEXTS_MAX);
    }
    if (def->input_count > 0 && def->input.function == NULL) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability `%s`: it has `inputs` and no function `input` that hears of them",
            def->name);
    }
    return KN_OK;
}

static kn_result capability_expand(
    void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    return knc_capability_plans_expand(library, user, error);
}

static kn_result capability_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    (void)error;
    knc_capability_plans_finish(user, library);
    return KN_OK;
}

kn_result knc_capability_kind_register(kn_library *library, capability_kit *kit, kn_error *error)
{
    kn_kind_hook hooks[HOOK_COUNT + INPUT_HOOK_COUNT + 2];
    for (size_t i = 0; i < HOOK_COUNT; i++) {
        hooks[i] = (kn_kind_hook){hook_names[i], offsetof(kn_capability_call, state), call_fields,
            sizeof(call_fields) / sizeof(*call_fields), NULL};
    }
    for (size_t i = 0; i < INPUT_HOOK_COUNT; i++) {
        hooks[HOOK_COUNT + i] =
            (kn_kind_hook){input_hook_names[i], sizeof(kn_capability_input_call), input_call_fields,
                sizeof(input_call_fields) / sizeof(*input_call_fields), NULL};
    }
    hooks[HOOK_COUNT + INPUT_HOOK_COUNT] = (kn_kind_hook){"message", sizeof(kn_capability_message),
        knc_capability_message_fields, KNC_CAPABILITY_MESSAGE_FIELDS, NULL};
    hooks[HOOK_COUNT + INPUT_HOOK_COUNT + 1] =
        (kn_kind_hook){"data_changed", sizeof(kn_capability_data_change), change_fields,
            sizeof(change_fields) / sizeof(*change_fields), NULL};
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "capability";
    kind.section = "capabilities";
    kind.table = &capability_table;
    kind.text = "A piece of standing behaviour that switches itself on and off; sets of them go "
                "onto entities.";
    kind.check = capability_check;
    kind.expand = capability_expand;
    kind.finish = capability_finish;
    kind.user = kit;
    kind.hooks = hooks;
    kind.hook_count = HOOK_COUNT + INPUT_HOOK_COUNT + 2;
    return kn_kind_register(library, &kind, &kit->capability_kind, error);
}

kn_result kn_capability_def_register(
    kn_library *library, const kn_capability_def *def, kn_capability_id *id, kn_error *error)
{
    kn_capability_id ignored;
    id = id != NULL ? id : &ignored;
    id->index1 = 0;
    if (library == NULL || def == NULL || !kn_capability_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    // Contexts that do not exist are passed over, with a warning when the library is finished.
    capability_kit *kit = knc_capability_kit_of(library);
    kn_input_context_id contexts[CONTEXTS_MAX];
    kn_capability_def cut = *def;
    bool is_cut = def->context_count <= CONTEXTS_MAX;
    cut.context_count = is_cut ? 0 : def->context_count;
    for (uint32_t i = 0; is_cut && i < def->context_count; i++) {
        if (def->contexts[i].index1 != 0) {
            contexts[cut.context_count++] = def->contexts[i];
        }
    }
    cut.contexts = is_cut ? contexts : def->contexts;
    kn_result result = kn_def_register(library, kit->capability_kind, &cut, &id->index1, error);
    for (uint32_t i = 0; result == KN_OK && i < def->context_count; i++) {
        gap *noted = def->contexts[i].index1 == 0 ? calloc(1, sizeof(*noted)) : NULL;
        if (noted != NULL) {
            *noted = (gap){kit->context_gaps, id->index1, i};
            kit->context_gaps = noted;
        }
    }
    return result;
}

kn_capability_id kn_capability_find(const kn_library *library, const char *name)
{
    kn_capability_id id = {0};
    if (kn_capability_is_there(library)) {
        id.index1 = kn_def_find(library, knc_capability_kit_of(library)->capability_kind, name);
    }
    return id;
}

const kn_capability_def *kn_capability_get_def(const kn_library *library, kn_capability_id id)
{
    return kn_capability_is_there(library)
               ? kn_def_get(library, knc_capability_kit_of(library)->capability_kind, id.index1)
               : NULL;
}
