// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tags of the kit and the rules of a game, which may map them to tags of its own. This is the
// only place that spells their names.

#include "parts.h"

#include <math.h>

#define RULES_COOKIE 0x52545355u

typedef struct tag_row {
    const char *word; // in data files
    const char *name;
    const char *comment;
    const char *order_field; // of the order rules, which map it then; or NULL
} tag_row;

static const tag_row rows[KN_RTS_TAG_COUNT] = {
    [KN_RTS_PERMANENT] = {"permanent", "Knack.Rts.Permanent", "Above what units can do by nature.",
        NULL},
    [KN_RTS_CAN_ATTACK] = {"can_attack", "Knack.Status.CanAttack", "It can attack.", NULL},
    [KN_RTS_CAN_REPAIR] = {"can_repair", "Knack.Rts.Permanent.CanRepair",
        "It can repair machines and buildings of its side.", NULL},
    [KN_RTS_CAN_CONSTRUCT] = {"can_construct", "Knack.Rts.Permanent.CanConstruct", "It can build.",
        NULL},
    [KN_RTS_CAN_PRODUCE] = {"can_produce", "Knack.Rts.Permanent.CanProduce", "It can train units.",
        NULL},
    [KN_RTS_MOVABLE] = {"movable", "Knack.Rts.Permanent.Movable", "It can move.", NULL},
    [KN_RTS_IS_CONTAINER] = {"is_container", "Knack.Rts.Permanent.IsContainer",
        "It can hold other units.", NULL},
    [KN_RTS_IS_CONTAINABLE] = {"is_containable", "Knack.Rts.Permanent.IsContainable",
        "It fits into containers.", NULL},
    [KN_RTS_CAN_GATHER] = {"can_gather", "Knack.Status.CanGather", "It can gather resources.",
        NULL},
    [KN_RTS_IS_RESOURCE_SOURCE] = {"is_resource_source", "Knack.Rts.Permanent.IsResourceSource",
        "Resources can be gathered from it.", NULL},
    [KN_RTS_IS_RESOURCE_DRAIN] = {"is_resource_drain", "Knack.Rts.Permanent.IsResourceDrain",
        "Gatherers bring resources there.", NULL},
    [KN_RTS_SUMMONED] = {"summoned", "Knack.Rts.Permanent.Summoned",
        "An ability has created it; it may give no experience.", NULL},
    [KN_RTS_HAS_INVENTORY] = {"has_inventory", "Knack.Rts.Permanent.HasInventory",
        "It can carry items.", NULL},
    [KN_RTS_IS_ITEM] = {"is_item", "Knack.Rts.Permanent.IsItem", "An item that lies in the world.",
        NULL},
    [KN_RTS_IS_SHOP] = {"is_shop", "Knack.Rts.Permanent.IsShop", "It buys and sells items.", NULL},
    [KN_RTS_CHANGING] = {"changing", "Knack.Rts.Changing", "Above the states units are in.", NULL},
    [KN_RTS_ALIVE] = {"alive", "Knack.Status.Alive", "It lives.", "alive"},
    [KN_RTS_UNARMED] = {"unarmed", "Knack.Status.Unarmed", "It cannot attack now.", NULL},
    [KN_RTS_SILENCED] = {"silenced", "Knack.Rts.Changing.Silenced", "It cannot use abilities now.",
        NULL},
    [KN_RTS_STEALTHED] = {"stealthed", "Knack.Rts.Changing.Stealthed",
        "Hidden unless it is detected.", NULL},
    [KN_RTS_DETECTOR] = {"detector", "Knack.Rts.Changing.Detector", "It reveals the stealthed.",
        NULL},
    [KN_RTS_IMMOBILIZED] = {"immobilized", "Knack.Status.Immobilized", "It cannot move now.", NULL},
    [KN_RTS_MOVING] = {"moving", "Knack.Rts.Changing.IsMoving", "It moves.", NULL},
    [KN_RTS_INVULNERABLE] = {"invulnerable", "Knack.Status.Invulnerable", "It takes no damage.",
        NULL},
    [KN_RTS_INVISIBLE] = {"invisible", "Knack.Rts.Changing.Invisible",
        "Hidden, and never detected.", NULL},
    [KN_RTS_INJURED] = {"injured", "Knack.Rts.Changing.Injured", "Its health is below the maximum.",
        NULL},
    [KN_RTS_UNDER_CONSTRUCTION] = {"under_construction", "Knack.Rts.Changing.UnderConstruction",
        "A building that is not finished.", NULL},
    [KN_RTS_CONSTRUCTING] = {"constructing", "Knack.Status.Constructing",
        "It is building something.", NULL},
    [KN_RTS_CONTAINER_IS_OPEN] = {"container_is_open", "Knack.Rts.Changing.ContainerCanLoadAnyone",
        "A container that is open to any unit.", NULL},
    [KN_RTS_CONTAINER_IS_FULL] = {"container_is_full",
        "Knack.Rts.Changing.ContainerCapacityReached", "A container without room.", NULL},
    [KN_RTS_GATHERER_IS_FULL] = {"gatherer_is_full", "Knack.Rts.Changing.GatherCapacityReached",
        "A gatherer that carries as much as it can.", NULL},
    [KN_RTS_CARRIES_RESOURCES] = {"carries_resources", "Knack.Rts.Changing.IsCarryingResources",
        "It carries resources; another tag says which.", NULL},
    [KN_RTS_LAST_STAND] = {"last_stand", "Knack.Rts.Changing.LastStand",
        "Damage cannot kill it: its health stops at 1.", NULL},
    [KN_RTS_ASLEEP] = {"asleep", "Knack.Rts.Changing.Sleeped", "Incapacitated until it is damaged.",
        NULL},
    [KN_RTS_ABSORBS_DAMAGE] = {"absorbs_damage", "Knack.Rts.Changing.DamageAbsorbing",
        "It loses no health, but can be attacked.", NULL},
    [KN_RTS_RELATION] = {"relation", "Knack.Relation", "Above all relations.", NULL},
    [KN_RTS_SELF] = {"self", "Knack.Relation.Self", "The same entity.", "self"},
    [KN_RTS_FRIENDLY] = {"friendly", "Knack.Relation.Friendly", "On one side.", "friendly"},
    [KN_RTS_HOSTILE] = {"hostile", "Knack.Relation.Hostile", "Enemies.", "hostile"},
    [KN_RTS_NEUTRAL] = {"neutral", "Knack.Relation.Neutral", "Neither friend nor enemy.",
        "neutral"},
    [KN_RTS_SAME_PLAYER] = {"same_player", "Knack.Relation.SamePlayer",
        "Both belong to one player.", NULL},
    [KN_RTS_VISIBLE] = {"visible", "Knack.Relation.Visible", "One sees the other.", "visible"},
    [KN_RTS_BUILDING] = {"building", "Knack.Kind.Building", "A building.", NULL},
    [KN_RTS_UNIT] = {"unit", "Knack.Rts.Kind.Unit", "A unit that is not a building.", NULL},
    [KN_RTS_HERO] = {"hero", "Knack.Rts.Kind.Hero", "A hero.", NULL},
    [KN_RTS_GOLD] = {"gold", "Knack.Rts.Resource.Gold", "A kind of resources.", NULL},
    [KN_RTS_LUMBER] = {"lumber", "Knack.Rts.Resource.Lumber", "A kind of resources.", NULL},
    [KN_RTS_FAIL_BLOCKED] = {"fail_blocked", "Activation.Fail.BlockedByTags",
        "A blocking tag is there.", NULL},
    [KN_RTS_FAIL_MISSING] = {"fail_missing", "Activation.Fail.MissingTags",
        "A required tag is missing.", NULL},
    [KN_RTS_FAIL_COOLDOWN] = {"fail_cooldown", "Activation.Fail.OnCooldown",
        "The ability cools down.", NULL},
    [KN_RTS_FAIL_COST] = {"fail_cost", "Activation.Fail.CantAffordCost", "The cost is too high.",
        NULL},
    [KN_RTS_FAIL_NO_TARGET] = {"fail_no_target", "Knack.Order.NoTarget", "A target is needed.",
        NULL},
    [KN_RTS_EVENT_HIT] = {"event_hit", "Knack.Rts.Event.OnHitEffect",
        "Event: an attack of the entity has hit.", NULL},
    [KN_RTS_EVENT_ATTACK] = {"event_attack", "Knack.Rts.Event.Attack",
        "Event that triggers basic attacks.", NULL},
    [KN_RTS_ABILITY_ON_HIT] = {"ability_on_hit", "Knack.Rts.Ability.OnHitEffect",
        "Of passive abilities that work when an attack hits.", NULL},
    [KN_RTS_ABILITY_ATTACK] = {"ability_attack", "Knack.Ability.Attack",
        "Of attacks, and of the effects of their cooldown.", NULL},
    [KN_RTS_ABILITY_SLEEP] = {"ability_sleep", "Knack.Rts.Ability.Sleep",
        "Of effects that put to sleep; damage removes them.", NULL},
    [KN_RTS_MELEE] = {"melee", "Knack.Rts.Classification.Melee", "It fights hand to hand.", NULL},
    [KN_RTS_RANGED] = {"ranged", "Knack.Rts.Classification.Ranged", "It fights from a distance.",
        NULL},
    [KN_RTS_CONSTRUCTION_SITE] = {"construction_site", "Knack.Rts.Container.ConstructionSite",
        "A container for those who build it.", NULL},
    [KN_RTS_RESOURCE_CONTAINER] = {"resource_container", "Knack.Rts.Container.ResourceSource",
        "A container for those who gather from it.", NULL},
};

const char *kn_rts_tag_text(kn_rts_tag_name which)
{
    return (uint32_t)which < KN_RTS_TAG_COUNT ? rows[which].name : "";
}

kn_tag kn_rts_tag(const kn_library *library, kn_rts_tag_name which)
{
    const rts_kit *kit = library != NULL ? knc_rts_kit_of(library) : NULL;
    return kit != NULL && (uint32_t)which < KN_RTS_TAG_COUNT ? kit->tags[which] : (kn_tag){0};
}

// Rules -----------------------------------------------------------------------------

kn_rts_rules_def kn_rts_rules_def_default(void)
{
    kn_rts_rules_def def = {.only_enemies = true, .cookie = RULES_COOKIE};
    return def;
}

static void rules_init(void *def)
{
    *(kn_rts_rules_def *)def = kn_rts_rules_def_default();
}

static void map_init(void *def)
{
    *(kn_rts_tag_map *)def = (kn_rts_tag_map){.tag = KN_RTS_PERMANENT};
}

static const kn_def_field map_fields[] = {
    KN_DEF_F_ENUM_OF(kn_rts_tag_map, tag, "rts_tag", "The tag of the kit; required."),
    KN_DEF_F_REF(kn_rts_tag_map, is, KN_DEF_TAG, "The tag that stands for it; required."),
};
static const kn_def_table map_table = {
    "rts_tag_map", sizeof(kn_rts_tag_map), map_fields, COUNT(map_fields), map_init};

static const char *const share_words[KN_RTS_SHARE_COUNT] = {
    [KN_RTS_SHARE_KILLER] = "killer",
    [KN_RTS_SHARE_ALL] = "all",
    [KN_RTS_SHARE_SPLIT] = "split",
};

static const kn_def_field rules_fields[] = {
    KN_DEF_F(kn_rts_rules_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_ARRAY(kn_rts_rules_def, tags, tag_count, &map_table,
        "Tags that the game calls otherwise than the kit, each once."),
    KN_DEF_F_REF(kn_rts_rules_def, health, KN_DEF_ATTRIBUTE,
        "A unit dies when this attribute falls to 0; default: only when it loses the tag of the "
        "living."),
    KN_DEF_F_ENUM(kn_rts_rules_def, share, share_words,
        "Who gets the experience for a kill: the `killer`, `all` of its side within `share_radius` "
        "in full, or these in equal parts (`split`); default killer."),
    KN_DEF_F(kn_rts_rules_def, share_radius, KN_FIELD_F32,
        "How far from the killed unit others share in the experience; default 0."),
    KN_DEF_F(kn_rts_rules_def, only_enemies, KN_FIELD_BOOL,
        "Experience goes to enemies of the killed unit alone; default true."),
    KN_DEF_F(kn_rts_rules_def, summoned_give_experience, KN_FIELD_BOOL,
        "Units with the tag `Knack.Rts.Permanent.Summoned` give experience, too; default false."),
    KN_DEF_F(kn_rts_rules_def, assist_window, KN_FIELD_TIME,
        "Time in which damage counts as an assist; default 0: damage is not remembered."),
    KN_DEF_F(kn_rts_rules_def, assist_share, KN_FIELD_F32,
        "Part of the experience that each assist gets besides, 0 to 1; default 0."),
    KN_DEF_F(kn_rts_rules_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table rules_table = {
    "rts_rules_def", sizeof(kn_rts_rules_def), rules_fields, COUNT(rules_fields), rules_init};

static kn_result rules_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_rules_def *def = item;
    bool seen[KN_RTS_TAG_COUNT] = {false};
    (void)user;
    (void)library;
    for (uint32_t i = 0; i < def->tag_count; i++) {
        const kn_rts_tag_map *map = &def->tags[i];
        const tag_row *row = &rows[map->tag];
        if (map->is.index1 == 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts rules `%s`: the tag for `%s` is missing in `is`", def->name, row->word);
        }
        if (row->order_field != NULL) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts rules `%s`: `%s` is a tag of the order kit; map it with `%s` of `order_rules`",
                def->name, row->word, row->order_field);
        }
        if (seen[map->tag]) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts rules `%s`: `%s` is mapped twice; leave one of the two out", def->name,
                row->word);
        }
        seen[map->tag] = true;
    }
    if (!(def->share_radius >= 0.0f) || isinf(def->share_radius) ||
        (def->share != KN_RTS_SHARE_KILLER && def->share_radius <= 0.0f)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts rules `%s`: `share_radius` must be 0 or more, and above 0 with `share: %s`",
            def->name, share_words[def->share]);
    }
    if (!(def->assist_share >= 0.0f && def->assist_share <= 1.0f) || def->assist_window < 0 ||
        def->assist_window > KN_TIME_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts rules `%s`: `assist_share` must be 0 to 1, and `assist_window` 0 or more",
            def->name);
    }
    return KN_OK;
}

// What the order rules call the tags that belong to them; null where they say nothing.
static void order_tags(const kn_library *library, kn_tag *tags)
{
    const kn_order_rules_def *order = kn_def_get(library, kn_kind_find(library, "order rules"), 1);
    if (order != NULL) {
        tags[KN_RTS_ALIVE] = order->alive;
        tags[KN_RTS_SELF] = order->self;
        tags[KN_RTS_FRIENDLY] = order->friendly;
        tags[KN_RTS_HOSTILE] = order->hostile;
        tags[KN_RTS_NEUTRAL] = order->neutral;
        tags[KN_RTS_VISIBLE] = order->visible;
    }
}

// The tags that the library has for reasons of refused abilities; null where it has none.
static void fail_tags(const kn_library *library, kn_tag *tags)
{
    tags[KN_RTS_FAIL_BLOCKED] = kn_ability_fail_tag(library, KN_FAIL_BLOCKED);
    tags[KN_RTS_FAIL_MISSING] = kn_ability_fail_tag(library, KN_FAIL_MISSING_TAGS);
    tags[KN_RTS_FAIL_COOLDOWN] = kn_ability_fail_tag(library, KN_FAIL_COOLDOWN);
    tags[KN_RTS_FAIL_COST] = kn_ability_fail_tag(library, KN_FAIL_COST);
}

// Names that were redirected stand for the tag at the end of the redirects.
static void tags_resolve(const kn_library *library, rts_kit *kit)
{
    kn_tag named[KN_RTS_TAG_COUNT] = {{0}};
    order_tags(library, named);
    fail_tags(library, named);
    for (uint32_t i = 0; i < kit->rules->tag_count; i++) {
        named[kit->rules->tags[i].tag] = kit->rules->tags[i].is;
    }
    for (uint32_t i = 0; i < KN_RTS_TAG_COUNT; i++) {
        kit->tags[i] = named[i].index1 != 0 ? named[i] : kn_tag_find(library, rows[i].name);
    }
}

static kn_result rules_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    rts_kit *kit = user;
    if (kn_def_count(library, kind) > 1) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "there must be only one of the rts rules");
    }
    const kn_rts_rules_def *found = kn_def_get(library, kind, 1);
    kit->rules = found != NULL ? found : &kit->default_rules;
    tags_resolve(library, kit);
    return KN_OK;
}

static kn_result rules_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts rules";
    kind.section = "rts_rules";
    kind.table = &rules_table;
    kind.text = "What all units have in common: the tags of the game.";
    kind.check = rules_check;
    kind.expand = rules_expand;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->rules_kind, error);
}

kn_result kn_rts_rules_register(kn_library *library, const kn_rts_rules_def *def, kn_error *error)
{
    uint32_t ignored;
    return def != NULL && kn_rts_is_there(library)
               ? kn_def_register(library, knc_rts_kit_of(library)->rules_kind, def, &ignored, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_result knc_rts_tags_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    const char *words[KN_RTS_TAG_COUNT];
    kn_result result = KN_OK;
    kit->default_rules = kn_rts_rules_def_default();
    kit->rules = &kit->default_rules;
    for (uint32_t i = 0; result == KN_OK && i < KN_RTS_TAG_COUNT; i++) {
        kn_tag_def def = kn_tag_def_default();
        def.name = rows[i].name;
        def.comment = rows[i].comment;
        def.source = "knack";
        words[i] = rows[i].word;
        result = kn_tag_register(library, &def, &kit->tags[i], error);
    }
    // Refused abilities have tags for their reasons; a program may have named its own before.
    if (result == KN_OK && kn_ability_fail_tag(library, KN_FAIL_COOLDOWN).index1 == 0) {
        result = kn_ability_fail_tags_register(library, error);
    }
    if (result == KN_OK) {
        result = kn_enum_register(library, "rts_tag", words, KN_RTS_TAG_COUNT, error);
    }
    return result != KN_OK ? result : rules_register(library, kit, error);
}
