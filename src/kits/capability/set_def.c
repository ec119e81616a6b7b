// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of sets, collections, presets and rules.

#include "parts.h"

#include <stdio.h>
#include <stdlib.h>

#define SET_COOKIE 0x74657363u
#define COLLECTION_COOKIE 0x6c6f6363u
#define PRESET_COOKIE 0x65727063u
#define RULES_COOKIE 0x6c757263u

// Sets ------------------------------------------------------------------------

kn_capability_set_def kn_capability_set_def_default(void)
{
    kn_capability_set_def def = {.rate = 60, .cookie = SET_COOKIE};
    return def;
}

static void set_init(void *def)
{
    *(kn_capability_set_def *)def = kn_capability_set_def_default();
}

static const kn_def_field set_fields[] = {
    KN_DEF_F(kn_capability_set_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_KINDS(kn_capability_set_def, capabilities, capability_count, "capability",
        "Its capabilities in the order in which they run; at most 64, none twice."),
    KN_DEF_F_REFS(kn_capability_set_def, data, data_count, KN_DEF_COMPONENT,
        "Components that come and go with the set, and which its capabilities share."),
    KN_DEF_F_REFS(kn_capability_set_def, needs, need_count, KN_DEF_COMPONENT,
        "Components that the entity must have before a client sets up the set, besides `data`."),
    KN_DEF_F(kn_capability_set_def, rate, KN_FIELD_U32,
        "Runs per second; 0: the program says when; default 60."),
    KN_DEF_F(kn_capability_set_def, group, KN_DEF_FIELD_STRING,
        "Name of the group of systems that its capabilities run in: `input`, `movement`, `rules`, "
        "`cleanup` or one of `system_groups`; default rules."),
    KN_DEF_F(kn_capability_set_def, strict, KN_FIELD_BOOL,
        "A capability that does not exist is an error; default false: it is passed over."),
    KN_DEF_F(kn_capability_set_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table set_table = {"capability_set_def", sizeof(kn_capability_set_def),
    set_fields, sizeof(set_fields) / sizeof(*set_fields), set_init};

static kn_result set_members_check(const capability_kit *kit, const kn_library *library,
    const kn_capability_set_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < def->capability_count; i++) {
        uint32_t index1 = def->capabilities[i].index1;
        for (uint32_t j = 0; index1 != 0 && j < i; j++) {
            if (def->capabilities[j].index1 == index1) {
                return kn_error_set(error, KN_ERROR_BAD_DATA,
                    "capability set `%s`: `%s` is there twice; a set has each capability once",
                    def->name, kn_def_name(library, kit->capability_kind, index1));
            }
        }
    }
    return KN_OK;
}

static kn_result set_data_check(
    const kn_library *library, const kn_capability_set_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < def->data_count; i++) {
        const kn_component_def *component = kn_component_get_def(library, def->data[i]);
        if (component == NULL || component->several) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "capability set `%s`: data component `%s` must be one that an entity has once",
                def->name, kn_component_name(library, def->data[i]));
        }
        for (uint32_t j = 0; j < i; j++) {
            if (def->data[j].index1 == def->data[i].index1) {
                return kn_error_set(error, KN_ERROR_BAD_DATA,
                    "capability set `%s`: data component `%s` is there twice", def->name,
                    kn_component_name(library, def->data[i]));
            }
        }
    }
    return KN_OK;
}

static kn_result set_check(void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_capability_set_def *def = item;
    if (def->capability_count > KN_CAPABILITY_MEMBERS_MAX ||
        def->data_count > KN_CAPABILITY_MEMBERS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability set `%s`: it must have at most %u capabilities and %u data components",
            def->name, KN_CAPABILITY_MEMBERS_MAX, KN_CAPABILITY_MEMBERS_MAX);
    }
    if (def->rate > KN_SYSTEM_RATE_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability set `%s`: its rate must be at most %u", def->name, KN_SYSTEM_RATE_MAX);
    }
    kn_result result = set_members_check(user, library, def, error);
    return result != KN_OK ? result : set_data_check(library, def, error);
}

static kn_result set_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    return knc_capability_set_plans_expand(library, user, error);
}

// Notes a capability that does not exist, for a warning when the library is finished.
static void gap_note(capability_kit *kit, uint32_t set1, uint32_t place)
{
    gap *noted = calloc(1, sizeof(*noted));
    if (noted != NULL) {
        *noted = (gap){kit->gaps, set1, place};
        kit->gaps = noted;
    }
}

kn_result kn_capability_set_register(kn_library *library, const kn_capability_set_def *def,
    kn_capability_set_id *id, kn_error *error)
{
    kn_capability_set_id ignored;
    kn_capability_id members[KN_CAPABILITY_MEMBERS_MAX];
    id = id != NULL ? id : &ignored;
    id->index1 = 0;
    if (library == NULL || def == NULL || !kn_capability_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    capability_kit *kit = knc_capability_kit_of(library);
    kn_capability_set_def cut = *def;
    bool is_cut = !def->strict && def->capability_count <= KN_CAPABILITY_MEMBERS_MAX;
    cut.capability_count = is_cut ? 0 : def->capability_count;
    for (uint32_t i = 0; is_cut && i < def->capability_count; i++) {
        if (def->capabilities[i].index1 != 0) {
            members[cut.capability_count++] = def->capabilities[i];
        }
    }
    cut.capabilities = is_cut ? members : def->capabilities;
    kn_result result = kn_def_register(library, kit->set_kind, &cut, &id->index1, error);
    for (uint32_t i = 0; result == KN_OK && i < def->capability_count; i++) {
        if (def->capabilities[i].index1 == 0) {
            gap_note(kit, id->index1, i);
        }
    }
    return result;
}

kn_capability_set_id kn_capability_set_find(const kn_library *library, const char *name)
{
    kn_capability_set_id id = {0};
    if (kn_capability_is_there(library)) {
        id.index1 = kn_def_find(library, knc_capability_kit_of(library)->set_kind, name);
    }
    return id;
}

const kn_capability_set_def *kn_capability_set_get_def(
    const kn_library *library, kn_capability_set_id id)
{
    return kn_capability_is_there(library)
               ? kn_def_get(library, knc_capability_kit_of(library)->set_kind, id.index1)
               : NULL;
}

// Collections -------------------------------------------------------------------

kn_capability_collection_def kn_capability_collection_def_default(void)
{
    kn_capability_collection_def def = {.cookie = COLLECTION_COOKIE};
    return def;
}

static void collection_init(void *def)
{
    *(kn_capability_collection_def *)def = kn_capability_collection_def_default();
}

static const kn_def_field collection_fields[] = {
    KN_DEF_F(kn_capability_collection_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_KINDS(kn_capability_collection_def, sets, set_count, "capability set",
        "The sets, in the order in which they are added."),
    KN_DEF_F(kn_capability_collection_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table collection_table = {"capability_collection_def",
    sizeof(kn_capability_collection_def), collection_fields,
    sizeof(collection_fields) / sizeof(*collection_fields), collection_init};

static kn_result collection_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_capability_collection_def *def = item;
    (void)user;
    (void)library;
    for (uint32_t i = 0; i < def->set_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (def->sets[j].index1 == def->sets[i].index1) {
                return kn_error_set(error, KN_ERROR_BAD_DATA,
                    "capability collection `%s`: a set is there twice", def->name);
            }
        }
    }
    return KN_OK;
}

kn_result kn_capability_collection_register(kn_library *library,
    const kn_capability_collection_def *def, kn_capability_collection_id *id, kn_error *error)
{
    kn_capability_collection_id ignored;
    id = id != NULL ? id : &ignored;
    id->index1 = 0;
    if (library == NULL || def == NULL || !kn_capability_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(
        library, knc_capability_kit_of(library)->collection_kind, def, &id->index1, error);
}

kn_capability_collection_id kn_capability_collection_find(
    const kn_library *library, const char *name)
{
    kn_capability_collection_id id = {0};
    if (kn_capability_is_there(library)) {
        id.index1 = kn_def_find(library, knc_capability_kit_of(library)->collection_kind, name);
    }
    return id;
}

// Presets -------------------------------------------------------------------------

static const char *const mode_words[] = {
    [KN_CAPABILITY_MODE_AUTHORITY] = "authority",
    [KN_CAPABILITY_MODE_LOCAL] = "local",
};
static const char *const control_words[] = {
    [KN_CONTROL_AUTOMATIC] = "automatic",
    [KN_CONTROL_AUTHORITY] = "authority",
    [KN_CONTROL_NOBODY] = "nobody",
};

kn_capability_preset_def kn_capability_preset_def_default(void)
{
    kn_capability_preset_def def = {.cookie = PRESET_COOKIE};
    return def;
}

static void preset_init(void *def)
{
    *(kn_capability_preset_def *)def = kn_capability_preset_def_default();
}

static const kn_def_field preset_fields[] = {
    KN_DEF_F(kn_capability_preset_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_capability_preset_def, tag, KN_DEF_TAG,
        "Entities that gain this tag get the sets; required."),
    KN_DEF_F_ENUM(kn_capability_preset_def, mode, mode_words,
        "Where their sets come from: `authority` or `local`, each machine for itself; default "
        "authority."),
    KN_DEF_F_ENUM(kn_capability_preset_def, control, control_words,
        "Who controls them: `automatic`, `authority` or `nobody`; default automatic."),
    KN_DEF_F_KINDS(kn_capability_preset_def, sets, set_count, "capability set", "Sets to add."),
    KN_DEF_F_KINDS(kn_capability_preset_def, collections, collection_count, "capability collection",
        "Collections to add after them."),
    KN_DEF_F(kn_capability_preset_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table preset_table = {"capability_preset_def", sizeof(kn_capability_preset_def),
    preset_fields, sizeof(preset_fields) / sizeof(*preset_fields), preset_init};

static kn_result preset_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_capability_preset_def *def = item;
    (void)user;
    (void)library;
    if (def->tag.index1 == 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability preset `%s` must name the tag of its entities: tag: Unit.Hero", def->name);
    }
    return KN_OK;
}

static void preset_give(kn_world *world, kn_entity_id entity, const kn_capability_preset_def *def)
{
    (void)kn_capability_attach(world, entity, def->mode, def->control);
    for (uint32_t i = 0; i < def->set_count; i++) {
        (void)kn_capability_set_add(world, entity, def->sets[i], NULL);
    }
    for (uint32_t i = 0; i < def->collection_count; i++) {
        (void)kn_capability_collection_add(world, entity, def->collections[i]);
    }
}

// The sets of the authority come to clients by themselves.
static void preset_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const capability_kit *kit = user;
    const kn_library *library = kn_world_library(world);
    uint32_t count = kn_def_count(library, kit->preset_kind);
    for (uint32_t i = 1; i <= count; i++) {
        const kn_capability_preset_def *def = kn_def_get(library, kit->preset_kind, i);
        if (def->tag.index1 == reaction->tag.index1 &&
            (!kn_world_is_client(world) || def->mode == KN_CAPABILITY_MODE_LOCAL)) {
            preset_give(world, reaction->entity, def);
        }
    }
}

static kn_result preset_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    uint32_t count = kn_def_count(library, kind);
    for (uint32_t i = 1; i <= count; i++) {
        const kn_capability_preset_def *def = kn_def_get(library, kind, i);
        char name[96];
        kn_rule_id rule;
        kn_rule_def rule_def = kn_rule_def_default();
        (void)snprintf(name, sizeof(name), "Knack.CapabilityPreset.%u", def->tag.index1);
        rule_def.name = name;
        rule_def.trigger = KN_TRIGGER_TAG_ADDED;
        rule_def.tag = def->tag;
        rule_def.function = preset_rule;
        rule_def.user = user;
        kn_result result = kn_rule_register(library, &rule_def, &rule, error);
        if (result != KN_OK && result != KN_REFUSED_DUPLICATE) { // several presets for one tag
            return result;
        }
    }
    return KN_OK;
}

kn_result kn_capability_preset_register(
    kn_library *library, const kn_capability_preset_def *def, kn_error *error)
{
    if (library == NULL || def == NULL || !kn_capability_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t index1;
    return kn_def_register(
        library, knc_capability_kit_of(library)->preset_kind, def, &index1, error);
}

// Rules -----------------------------------------------------------------------------

kn_capability_rules_def kn_capability_rules_def_default(void)
{
    kn_capability_rules_def def = {
        .flip_limit = 16, .wait_warning = KN_S(5), .cookie = RULES_COOKIE};
    return def;
}

static void rules_init(void *def)
{
    *(kn_capability_rules_def *)def = kn_capability_rules_def_default();
}

static const kn_def_field rules_fields[] = {
    KN_DEF_F(kn_capability_rules_def, name, KN_DEF_FIELD_STRING,
        "Unique name, such as `Rules`; required."),
    KN_DEF_F(kn_capability_rules_def, literal_blocks, KN_FIELD_BOOL,
        "Blocks do not reach capabilities with `can_tick: false`; default false: they do."),
    KN_DEF_F(kn_capability_rules_def, literal_start, KN_FIELD_BOOL,
        "A blocked capability that begins active is switched off in its first run; default false: "
        "it begins inactive."),
    KN_DEF_F(kn_capability_rules_def, freezes_disabled, KN_FIELD_BOOL,
        "A capability that is disabled stays as it is; default false: it is deactivated."),
    KN_DEF_F(kn_capability_rules_def, shares_ability_blocks, KN_FIELD_BOOL,
        "Blocks of ability tags, by effects and abilities, count for capabilities with these tags "
        "too; default false."),
    KN_DEF_F(kn_capability_rules_def, asks_twice, KN_FIELD_BOOL,
        "Predicates are asked twice, and different answers are reported; default false."),
    KN_DEF_F(kn_capability_rules_def, flip_limit, KN_FIELD_U32,
        "Most switches of one capability in one run; default 16."),
    KN_DEF_F(kn_capability_rules_def, wait_warning, KN_FIELD_TIME,
        "A set of a client that waits longer for its components is reported; default 5 s."),
    KN_DEF_F(kn_capability_rules_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table rules_table = {"capability_rules_def", sizeof(kn_capability_rules_def),
    rules_fields, sizeof(rules_fields) / sizeof(*rules_fields), rules_init};

static kn_result rules_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_capability_rules_def *def = item;
    const capability_kit *kit = user;
    if (kn_def_count(library, kit->rules_kind) > 0) {
        (void)kn_error_set(error, KN_ERROR_BAD_DATA,
            "there are capability rules already: `%s`; a library has one set",
            kn_def_name(library, kit->rules_kind, 1));
        return KN_REFUSED_DUPLICATE;
    }
    if (def->flip_limit == 0 || def->flip_limit > UINT16_MAX || def->wait_warning < 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "capability rules `%s`: `flip_limit` must be 1 to 65535, and `wait_warning` at least 0",
            def->name);
    }
    return KN_OK;
}

static kn_result rules_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    capability_kit *kit = user;
    const kn_capability_rules_def *def = kn_def_get(library, kind, 1);
    (void)error;
    kit->rules = def != NULL ? def : &kit->default_rules;
    return KN_OK;
}

kn_result kn_capability_rules_register(
    kn_library *library, const kn_capability_rules_def *def, kn_error *error)
{
    if (library == NULL || def == NULL || !kn_capability_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t index1;
    return kn_def_register(
        library, knc_capability_kit_of(library)->rules_kind, def, &index1, error);
}

// Registration ------------------------------------------------------------------------

typedef struct kind_row {
    const char *name, *section, *text;
    const kn_def_table *table;
    kn_kind_check_fn *check;
    kn_kind_expand_fn *expand;
    kn_kind_finish_fn *finish;
} kind_row;

static const kind_row kinds[] = {
    {"capability set", "capability_sets",
        "Capabilities in the order in which they run, and the components that they share.",
        &set_table, set_check, set_expand, NULL},
    {"capability collection", "capability_collections", "Sets that are added together.",
        &collection_table, collection_check, NULL, NULL},
    {"capability preset", "capability_presets", "Sets that entities with a tag begin with.",
        &preset_table, preset_check, preset_expand, NULL},
    {"capability rules", "capability_rules",
        "How all capabilities behave: one definition for the whole library.", &rules_table,
        rules_check, NULL, rules_finish},
};

kn_result knc_capability_sets_register(kn_library *library, capability_kit *kit, kn_error *error)
{
    kn_def_kind *const ids[] = {
        &kit->set_kind, &kit->collection_kind, &kit->preset_kind, &kit->rules_kind};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        kn_kind_def kind = kn_kind_def_default();
        kind.name = kinds[i].name;
        kind.section = kinds[i].section;
        kind.text = kinds[i].text;
        kind.table = kinds[i].table;
        kind.check = kinds[i].check;
        kind.expand = kinds[i].expand;
        kind.finish = kinds[i].finish;
        kind.user = kit;
        kn_result result = kn_kind_register(library, &kind, ids[i], error);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}
