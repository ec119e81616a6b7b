// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of upgrades, requirements and population, and what follows from them once the library
// is finished.

#include "tech_parts.h"

#include <math.h>
#include <stdlib.h>

#define UPGRADE_COOKIE 0x54454355u
#define REQUIREMENT_COOKIE 0x54454352u
#define POPULATION_COOKIE 0x54454350u
#define ARCHETYPE_DEPTH 32

// Upgrades --------------------------------------------------------------------------

kn_rts_upgrade_def kn_rts_upgrade_def_default(void)
{
    kn_rts_upgrade_def def = {.max_level = 1, .cookie = UPGRADE_COOKIE};
    return def;
}

static void upgrade_init(void *def)
{
    *(kn_rts_upgrade_def *)def = kn_rts_upgrade_def_default();
}

static const kn_def_field cost_fields[] = {
    KN_DEF_F(kn_rts_cost, attribute, KN_FIELD_ATTRIBUTE,
        "What is paid with, an attribute of the player; required."),
    KN_DEF_F_PART(kn_rts_cost, amount, "kn_scalable",
        "How much, 0 or more, by the level that is researched; default 0."),
};
static const kn_def_table cost_table = {
    "rts_cost", sizeof(kn_rts_cost), cost_fields, COUNT(cost_fields), NULL};

static const kn_def_field level_fields[] = {
    KN_DEF_F(kn_rts_upgrade_level, required, KN_DEF_FIELD_TAGS,
        "The player must have all of these to research the level."),
    KN_DEF_F(kn_rts_upgrade_level, blocked, KN_DEF_FIELD_TAGS,
        "The player must have none of these to research the level."),
    KN_DEF_F(kn_rts_upgrade_level, query, KN_DEF_FIELD_QUERY,
        "A question that the tags of the player must meet to research the level."),
    KN_DEF_F(kn_rts_upgrade_level, tags, KN_DEF_FIELD_TAGS,
        "Tags that the player has from this level on."),
};
static const kn_def_table level_table = {
    "rts_upgrade_level", sizeof(kn_rts_upgrade_level), level_fields, COUNT(level_fields), NULL};

static const kn_def_field upgrade_fields[] = {
    KN_DEF_F(kn_rts_upgrade_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F(kn_rts_upgrade_def, product, KN_DEF_FIELD_STRING,
        "The product that researches it, with `research: true`; default: the one called as the "
        "upgrade, if there is one."),
    KN_DEF_F(kn_rts_upgrade_def, max_level, KN_FIELD_U32, "Highest level, 1 to 1000; default 1."),
    KN_DEF_F_ARRAY(kn_rts_upgrade_def, costs, cost_count, &cost_table,
        "Its price, at most 8 attributes; default: that of the product."),
    KN_DEF_F_PART(kn_rts_upgrade_def, time, "kn_scalable",
        "Seconds to research it, by the level that is researched; default 0: those of the "
        "product."),
    KN_DEF_F_REF(kn_rts_upgrade_def, effect, KN_DEF_EFFECT,
        "An effect that the player has while it has the upgrade, at the level of the upgrade; with "
        "`acts_on_owned` it changes all units of the player. An instant one is executed when the "
        "level rises."),
    KN_DEF_F(kn_rts_upgrade_def, tags, KN_DEF_FIELD_TAGS,
        "Tags that the player has while it has the upgrade."),
    KN_DEF_F_ARRAY(kn_rts_upgrade_def, levels, level_count, &level_table,
        "What single levels need and give, from level 1 on."),
    KN_DEF_F_HOOK(kn_rts_upgrade_def, changed,
        "Called when the level for a player has changed, with `before` and `after`."),
    KN_DEF_F(kn_rts_upgrade_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table upgrade_table = {"rts_upgrade_def", sizeof(kn_rts_upgrade_def),
    upgrade_fields, COUNT(upgrade_fields), upgrade_init};

static kn_result costs_check(const kn_rts_upgrade_def *def, kn_error *error)
{
    if (def->cost_count > KN_PRODUCT_COSTS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts upgrade `%s`: it must have at most %u `costs`", def->name, KN_PRODUCT_COSTS_MAX);
    }
    for (uint32_t i = 0; i < def->cost_count; i++) {
        const kn_rts_cost *cost = &def->costs[i];
        bool is_bad = cost->attribute.index1 == 0 || cost->amount.parameter.index1 != 0 ||
                      !(cost->amount.value >= 0.0f) || isinf(cost->amount.value);
        for (uint32_t j = 0; j < i; j++) {
            is_bad |= def->costs[j].attribute.index1 == cost->attribute.index1;
        }
        if (is_bad) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts upgrade `%s`: each of its `costs` must have an attribute of its own, and an "
                "amount of 0 or more that is a number or a curve",
                def->name);
        }
    }
    return KN_OK;
}

static kn_result upgrade_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_upgrade_def *def = item;
    (void)user;
    (void)library;
    if (def->max_level < 1 || def->max_level > KN_RTS_UPGRADE_LEVEL_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts upgrade `%s`: `max_level` must be 1 to %u", def->name,
            (unsigned)KN_RTS_UPGRADE_LEVEL_MAX);
    }
    if (def->level_count > def->max_level) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts upgrade `%s`: it has %u `levels`, but its `max_level` is %u", def->name,
            (unsigned)def->level_count, (unsigned)def->max_level);
    }
    if (def->time.parameter.index1 != 0 || !(def->time.value >= 0.0f) || isinf(def->time.value)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts upgrade `%s`: `time` must be 0 or more, and a number or a curve", def->name);
    }
    return costs_check(def, error);
}

// Finding products -------------------------------------------------------------------

static uint32_t product_named(const kn_library *library, const char *name)
{
    return kn_order_produce_is_there(library)
               ? kn_def_find(library, kn_kind_find(library, "product"), name)
               : 0;
}

static kn_result upgrade_find_product(
    const kn_library *library, tech_kit *kit, uint32_t index1, kn_error *error)
{
    const kn_rts_upgrade_def *def = kn_def_get(library, kit->upgrade_kind, index1);
    const uint32_t found = product_named(library, def->product != NULL ? def->product : def->name);
    const kn_product_def *product =
        found != 0 ? kn_product_get_def(library, (kn_product_id){found}) : NULL;
    const bool is_meant = def->product != NULL || (product != NULL && product->research);
    if (!is_meant) {
        return KN_OK; // by call alone
    }
    if (product == NULL || !product->research) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts upgrade `%s`: there is no product `%s` with `research: true`", def->name,
            def->product);
    }
    if (kit->products[found - 1].upgrade.index1 != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts upgrade `%s`: the product `%s` researches `%s` already", def->name, product->name,
            kn_def_name(library, kit->upgrade_kind, kit->products[found - 1].upgrade.index1));
    }
    kit->products[found - 1].upgrade.index1 = index1;
    kit->upgrade_products[index1 - 1] = found;
    return KN_OK;
}

// The population of the unit that an archetype becomes by one of its tags.
static float archetype_population(
    const kn_library *library, const tech_kit *kit, kn_archetype_id archetype)
{
    const kn_def_kind units = kit->rts->units.unit_kind;
    float population = 0.0f;
    for (uint32_t depth = 0; archetype.index1 != 0 && depth < ARCHETYPE_DEPTH; depth++) {
        const kn_archetype_def *def = kn_archetype_get_def(library, archetype);
        for (uint32_t i = 1; def != NULL && i <= kn_def_count(library, units); i++) {
            const kn_rts_unit_def *unit = kn_def_get(library, units, i);
            if (unit->name_tag.index1 != 0 && kn_tags_has_exact(def->tags, unit->name_tag)) {
                population += unit->population;
            }
        }
        archetype = def != NULL ? def->parent : (kn_archetype_id){0};
    }
    return population;
}

static kn_result products_plan(const kn_library *library, tech_kit *kit)
{
    const bool is_there = kn_order_produce_is_there(library);
    const uint32_t count = is_there ? kn_def_count(library, kn_kind_find(library, "product")) : 0;
    free(kit->products);
    kit->products = calloc(count + 1, sizeof(*kit->products));
    kit->product_count = kit->products != NULL ? count : 0;
    for (uint32_t i = 0; i < kit->product_count; i++) {
        kit->products[i].population = archetype_population(
            library, kit, kn_product_get_def(library, (kn_product_id){i + 1})->archetype);
    }
    return kit->products != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

static kn_result upgrades_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    tech_kit *kit = user;
    const uint32_t count = kn_def_count(library, kind);
    kn_result result = products_plan(library, kit);
    free(kit->upgrade_products);
    kit->upgrade_products = calloc(count + 1, sizeof(*kit->upgrade_products));
    kit->upgrade_count = kit->upgrade_products != NULL ? count : 0;
    if (result == KN_OK && kit->upgrade_products == NULL) {
        result = KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 1; result == KN_OK && i <= count; i++) {
        result = upgrade_find_product(library, kit, i, error);
    }
    return result;
}

static kn_result upgrades_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    return knc_rts_tech_expand(library, user, error);
}

static kn_result upgrades_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(kn_rts_upgrade_call, before, KN_FIELD_U32),
        KN_FIELD(kn_rts_upgrade_call, after, KN_FIELD_U32),
    };
    const kn_kind_hook hook = {"changed", sizeof(kn_rts_upgrade_call), fields, COUNT(fields), NULL};
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts upgrade";
    kind.section = "rts_upgrades";
    kind.table = &upgrade_table;
    kind.text = "Something that a player researches, which changes all of its units or what it may "
                "make.";
    kind.check = upgrade_check;
    kind.expand = upgrades_expand;
    kind.finish = upgrades_finish;
    kind.user = kit;
    kind.hooks = &hook;
    kind.hook_count = 1;
    return kn_kind_register(library, &kind, &kit->upgrade_kind, error);
}

// Requirements ----------------------------------------------------------------------

kn_rts_requirement_def kn_rts_requirement_def_default(void)
{
    kn_rts_requirement_def def = {.cookie = REQUIREMENT_COOKIE};
    return def;
}

static void requirement_init(void *def)
{
    *(kn_rts_requirement_def *)def = kn_rts_requirement_def_default();
}

static const kn_def_field requirement_fields[] = {
    KN_DEF_F(kn_rts_requirement_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F(kn_rts_requirement_def, product, KN_DEF_FIELD_STRING,
        "To make the product of this name; with none of `product`, `upgrade`, `ability` and "
        "`order`, it is for what is called as the requirement."),
    KN_DEF_F_KIND(kn_rts_requirement_def, upgrade, "rts upgrade", "To research this upgrade."),
    KN_DEF_F_REF(
        kn_rts_requirement_def, ability, KN_DEF_ABILITY, "To learn or raise this ability."),
    KN_DEF_F_KIND(kn_rts_requirement_def, order, "order type", "To obey orders of this type."),
    KN_DEF_F(kn_rts_requirement_def, from_level, KN_FIELD_U32,
        "The first level of the upgrade or ability that it is for; default 0: all of them."),
    KN_DEF_F(
        kn_rts_requirement_def, required, KN_DEF_FIELD_TAGS, "The player must have all of these."),
    KN_DEF_F(
        kn_rts_requirement_def, blocked, KN_DEF_FIELD_TAGS, "The player must have none of these."),
    KN_DEF_F(kn_rts_requirement_def, query, KN_DEF_FIELD_QUERY,
        "A question that the tags of the player must meet."),
    KN_DEF_F(kn_rts_requirement_def, text, KN_DEF_FIELD_STRING,
        "What players read if it is not met; default: the names of the tags that are missing."),
    KN_DEF_F(kn_rts_requirement_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table requirement_table = {"rts_requirement_def",
    sizeof(kn_rts_requirement_def), requirement_fields, COUNT(requirement_fields),
    requirement_init};

static kn_result requirement_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_requirement_def *def = item;
    (void)user;
    (void)library;
    const int count = (def->product != NULL) + (def->upgrade.index1 != 0) +
                      (def->ability.index1 != 0) + (def->order.index1 != 0);
    if (count > 1) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts requirement `%s`: write one of `product`, `upgrade`, `ability` and `order`, not "
            "several",
            def->name);
    }
    if (def->required.count == 0 && def->blocked.count == 0 && def->query == NULL) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts requirement `%s`: it needs `required`, `blocked` or a `query`", def->name);
    }
    return KN_OK;
}

// What a requirement is for; TECH_WHAT_COUNT: nothing.
static tech_what requirement_for(const kn_library *library, const tech_kit *kit,
    const kn_rts_requirement_def *def, uint32_t *index1)
{
    const uint32_t given[TECH_WHAT_COUNT] = {
        [TECH_PRODUCT] = def->product != NULL ? product_named(library, def->product) : 0,
        [TECH_UPGRADE] = def->upgrade.index1,
        [TECH_ABILITY] = def->ability.index1,
        [TECH_ORDER] = def->order.index1};
    for (uint32_t i = 0; i < TECH_WHAT_COUNT; i++) {
        if (given[i] != 0 || (i == TECH_PRODUCT && def->product != NULL)) {
            *index1 = given[i];
            return (tech_what)i;
        }
    }
    const uint32_t named[TECH_WHAT_COUNT] = {[TECH_PRODUCT] = product_named(library, def->name),
        [TECH_UPGRADE] = kn_def_find(library, kit->upgrade_kind, def->name),
        [TECH_ABILITY] = kn_def_find(library, KN_DEF_ABILITY, def->name),
        [TECH_ORDER] = kn_def_find(library, kn_kind_find(library, "order type"), def->name)};
    for (uint32_t i = 0; i < TECH_WHAT_COUNT; i++) {
        if (named[i] != 0) {
            *index1 = named[i];
            return (tech_what)i;
        }
    }
    return TECH_WHAT_COUNT;
}

static uint32_t what_count(const kn_library *library, const tech_kit *kit, tech_what what)
{
    switch (what) {
    case TECH_PRODUCT:
        return kn_order_produce_is_there(library)
                   ? kn_def_count(library, kn_kind_find(library, "product"))
                   : 0;
    case TECH_UPGRADE:
        return kn_def_count(library, kit->upgrade_kind);
    case TECH_ABILITY:
        return kn_def_count(library, KN_DEF_ABILITY);
    default:
        return kn_def_count(library, kn_kind_find(library, "order type"));
    }
}

static void requirements_free(tech_kit *kit)
{
    for (uint32_t i = 0; i < TECH_WHAT_COUNT; i++) {
        free(kit->first[i]);
        kit->first[i] = NULL;
        kit->first_count[i] = 0;
    }
    free(kit->next);
    kit->next = NULL;
    kit->asks_learners = false;
}

// Chains the requirements for each thing, in the order in which they are registered.
static kn_result requirements_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    tech_kit *kit = user;
    const uint32_t count = kn_def_count(library, kind);
    requirements_free(kit);
    kit->next = calloc(count + 1, sizeof(*kit->next));
    bool is_good = kit->next != NULL;
    for (uint32_t i = 0; is_good && count > 0 && i < TECH_WHAT_COUNT; i++) {
        const uint32_t number = what_count(library, kit, (tech_what)i);
        kit->first[i] = calloc(number + 1, sizeof(*kit->first[i]));
        is_good = kit->first[i] != NULL;
        kit->first_count[i] = is_good ? number : 0;
    }
    if (!is_good) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = count; i > 0; i--) {
        const kn_rts_requirement_def *def = kn_def_get(library, kind, i);
        uint32_t index1 = 0;
        const tech_what what = requirement_for(library, kit, def, &index1);
        if (what == TECH_PRODUCT && index1 == 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts requirement `%s`: there is no product `%s`", def->name, def->product);
        }
        kit->asks_learners = kit->asks_learners || what == TECH_ABILITY;
        if (what != TECH_WHAT_COUNT) {
            kit->next[i - 1] = kit->first[what][index1 - 1];
            kit->first[what][index1 - 1] = i;
        }
    }
    return KN_OK;
}

static kn_result requirements_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts requirement";
    kind.section = "rts_requirements";
    kind.table = &requirement_table;
    kind.text = "What a player must have to make a product, research an upgrade, learn an ability "
                "or give an order.";
    kind.check = requirement_check;
    kind.finish = requirements_finish;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->requirement_kind, error);
}

// Population ------------------------------------------------------------------------

kn_rts_population_def kn_rts_population_def_default(void)
{
    kn_rts_population_def def = {.cookie = POPULATION_COOKIE};
    return def;
}

static void population_init(void *def)
{
    *(kn_rts_population_def *)def = kn_rts_population_def_default();
}

static const char *const reserve_words[] = {"start", "queue"};

static const kn_def_field population_fields[] = {
    KN_DEF_F(kn_rts_population_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F(kn_rts_population_def, used, KN_FIELD_ATTRIBUTE,
        "Attribute of players: how much population is used; required."),
    KN_DEF_F(kn_rts_population_def, cap, KN_FIELD_ATTRIBUTE,
        "Attribute of players: for how much population there is room; default none: only `limit` "
        "counts."),
    KN_DEF_F(kn_rts_population_def, limit, KN_FIELD_F32,
        "Highest cap that counts, 0 or more; default 0: any."),
    KN_DEF_F_ENUM(kn_rts_population_def, reserve, reserve_words,
        "When the population of a product counts as used: at the `start` of work, or when it is in "
        "the `queue`; default start."),
    KN_DEF_F(kn_rts_population_def, queues_without_room, KN_FIELD_BOOL,
        "Products may be queued without room, and wait; default false: they are refused."),
    KN_DEF_F(kn_rts_population_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table population_table = {"rts_population_def", sizeof(kn_rts_population_def),
    population_fields, COUNT(population_fields), population_init};

static kn_result population_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_population_def *def = item;
    (void)user;
    (void)library;
    if (def->used.index1 == 0 || def->used.index1 == def->cap.index1 || !(def->limit >= 0.0f) ||
        isinf(def->limit)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts population `%s`: it needs `used`, another attribute as its `cap`, and a `limit` "
            "of 0 or more",
            def->name);
    }
    if (def->reserve == KN_RTS_RESERVE_QUEUE && def->queues_without_room) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts population `%s`: what is reserved in the `queue` cannot be queued without room",
            def->name);
    }
    return KN_OK;
}

static kn_result population_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    tech_kit *kit = user;
    if (kn_def_count(library, kind) > 1) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "there are two definitions in `rts_population`; leave one of them out");
    }
    kit->population = kn_def_count(library, kind) > 0 ? kn_def_get(library, kind, 1) : NULL;
    return KN_OK;
}

static kn_result population_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts population";
    kind.section = "rts_population";
    kind.table = &population_table;
    kind.text = "How many units players may have.";
    kind.check = population_check;
    kind.finish = population_finish;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->population_kind, error);
}

// Registering and finding -----------------------------------------------------------

kn_result knc_rts_tech_kinds_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    kn_result result = upgrades_register(library, kit, error);
    result = result != KN_OK ? result : requirements_register(library, kit, error);
    return result != KN_OK ? result : population_register(library, kit, error);
}

void knc_rts_tech_plans_release(tech_kit *kit)
{
    requirements_free(kit);
    free(kit->products);
    free(kit->upgrade_products);
}

kn_result kn_rts_upgrade_register(
    kn_library *library, const kn_rts_upgrade_def *def, kn_rts_upgrade_id *upgrade, kn_error *error)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    kn_rts_upgrade_id ignored;
    upgrade = upgrade != NULL ? upgrade : &ignored;
    upgrade->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->upgrade_kind, def, &upgrade->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_rts_upgrade_id kn_rts_upgrade_find(const kn_library *library, const char *name)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    kn_rts_upgrade_id upgrade = {0};
    if (kit != NULL) {
        upgrade.index1 = kn_def_find_expected(library, kit->upgrade_kind, name);
    }
    return upgrade;
}

const kn_rts_upgrade_def *kn_rts_upgrade_get_def(
    const kn_library *library, kn_rts_upgrade_id upgrade)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    return kit != NULL && upgrade.index1 != 0
               ? kn_def_get(library, kit->upgrade_kind, upgrade.index1)
               : NULL;
}

kn_product_id kn_rts_upgrade_product(const kn_library *library, kn_rts_upgrade_id upgrade)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    kn_product_id product = {0};
    if (kit != NULL && upgrade.index1 - 1 < kit->upgrade_count) {
        product.index1 = kit->upgrade_products[upgrade.index1 - 1];
    }
    return product;
}

kn_rts_upgrade_id knc_rts_upgrade_of(const tech_kit *kit, kn_product_id product)
{
    return kit != NULL && product.index1 - 1 < kit->product_count
               ? kit->products[product.index1 - 1].upgrade
               : (kn_rts_upgrade_id){0};
}

kn_rts_upgrade_id kn_rts_product_upgrade(const kn_library *library, kn_product_id product)
{
    return knc_rts_upgrade_of(knc_rts_tech_of(library), product);
}

kn_result kn_rts_requirement_register(kn_library *library, const kn_rts_requirement_def *def,
    kn_rts_requirement_id *requirement, kn_error *error)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    kn_rts_requirement_id ignored;
    requirement = requirement != NULL ? requirement : &ignored;
    requirement->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->requirement_kind, def, &requirement->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_rts_requirement_id kn_rts_requirement_find(const kn_library *library, const char *name)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    kn_rts_requirement_id requirement = {0};
    if (kit != NULL) {
        requirement.index1 = kn_def_find_expected(library, kit->requirement_kind, name);
    }
    return requirement;
}

const kn_rts_requirement_def *kn_rts_requirement_get_def(
    const kn_library *library, kn_rts_requirement_id requirement)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    return kit != NULL && requirement.index1 != 0
               ? kn_def_get(library, kit->requirement_kind, requirement.index1)
               : NULL;
}

kn_result kn_rts_population_register(
    kn_library *library, const kn_rts_population_def *def, kn_error *error)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    uint32_t ignored;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->population_kind, def, &ignored, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

float kn_rts_product_population(const kn_library *library, kn_product_id product)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    return kit != NULL && product.index1 - 1 < kit->product_count
               ? kit->products[product.index1 - 1].population
               : 0.0f;
}
