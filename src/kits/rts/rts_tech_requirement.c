// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Requirements: questions about the tags of a player. Those for one thing are a chain, so that
// nothing else is looked at.

#include "knack/rts_text.h"
#include "tech_parts.h"

#include <string.h>

bool knc_rts_tech_holds(const kn_world *world, kn_entity_id player, const tech_question *question,
    kn_order_errors *errors)
{
    bool holds = true;
    for (uint32_t i = 0; i < question->required.count; i++) {
        if (!kn_entity_has_tag(world, player, question->required.data[i])) {
            knc_rts_missing_add(errors, question->required.data[i]);
            holds = false;
        }
    }
    for (uint32_t i = 0; i < question->blocked.count; i++) {
        if (kn_entity_has_tag(world, player, question->blocked.data[i])) {
            knc_rts_blocking_add(errors, question->blocked.data[i]);
            holds = false;
        }
    }
    if (question->query != NULL && !kn_entity_matches_query(world, player, question->query)) {
        kn_order_errors_add(errors, knc_rts_tech_of_world(world)->tags[TECH_TAG_TECHNOLOGY]);
        holds = false;
    }
    return holds;
}

static bool def_holds(const kn_world *world, kn_entity_id player, const kn_rts_requirement_def *def,
    kn_order_errors *errors)
{
    const tech_question question = {def->required, def->blocked, def->query};
    return knc_rts_tech_holds(world, player, &question, errors);
}

static uint32_t first_of(const tech_kit *kit, tech_what what, uint32_t index1)
{
    return index1 - 1 < kit->first_count[what] ? kit->first[what][index1 - 1] : 0;
}

bool knc_rts_tech_meets(const kn_world *world, kn_entity_id player, tech_what what, uint32_t index1,
    uint32_t level, kn_order_errors *errors)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    const kn_library *library = kn_world_library(world);
    bool meets = true;
    for (uint32_t i = first_of(kit, what, index1); i != 0; i = kit->next[i - 1]) {
        const kn_rts_requirement_def *def = kn_def_get(library, kit->requirement_kind, i);
        if (level >= def->from_level || what == TECH_PRODUCT || what == TECH_ORDER) {
            meets = def_holds(world, player, def, errors) && meets;
        }
    }
    return meets;
}

// Who must have something for a unit: its owner, or itself.
static kn_entity_id player_of(const kn_world *world, kn_entity_id unit)
{
    const kn_entity_id owner = kn_entity_owner(world, unit);
    return kn_entity_is_alive(world, owner) ? owner : unit;
}

bool knc_rts_tech_order_gate(void *user, const kn_world *world, kn_entity_id unit,
    kn_order_type_id type, int32_t index, kn_order_errors *errors)
{
    const tech_kit *kit = user;
    (void)index;
    return first_of(kit, TECH_ORDER, type.index1) == 0 ||
           knc_rts_tech_meets(world, player_of(world, unit), TECH_ORDER, type.index1, 0, errors);
}

bool knc_rts_tech_asks_learners(const kn_library *library)
{
    const tech_kit *kit = knc_rts_tech_of(library);
    return kit != NULL && kit->asks_learners;
}

bool knc_rts_tech_may_learn(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability, uint32_t level)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    return kit == NULL || first_of(kit, TECH_ABILITY, ability.index1) == 0 ||
           knc_rts_tech_meets(
               world, player_of(world, unit), TECH_ABILITY, ability.index1, level, NULL);
}

bool kn_rts_requirement_check(const kn_world *world, kn_entity_id player,
    kn_rts_requirement_id requirement, kn_order_errors *errors)
{
    const kn_rts_requirement_def *def =
        world != NULL ? kn_rts_requirement_get_def(kn_world_library(world), requirement) : NULL;
    return def != NULL && kn_entity_is_alive(world, player) &&
           def_holds(world, player, def, errors);
}

// Text ------------------------------------------------------------------------------

typedef struct line {
    char *text;
    uint32_t size, length;
} line;

static void line_add(line *l, const char *before, const char *words)
{
    const char *const parts[] = {l->length > 0 ? before : "", words};
    for (uint32_t i = 0; i < COUNT(parts); i++) {
        for (const char *c = parts[i]; *c != 0; c++, l->length++) {
            if (l->text != NULL && l->length + 1 < l->size) {
                l->text[l->length] = *c;
                l->text[l->length + 1] = 0;
            }
        }
    }
}

static void line_tags(
    line *l, const kn_library *library, const char *words, const kn_tag *tags, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0) {
            line_add(l, "; ", words);
        }
        line_add(l, i == 0 ? " " : ", ", kn_rts_tag_last_part(library, tags[i]));
    }
}

// Requirements with a text of their own; the tags that it stands for are added to `told`.
static void line_requirements(line *l, const kn_world *world, kn_entity_id player, tech_what what,
    uint32_t index1, uint32_t level, kn_order_errors *told)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    for (uint32_t i = first_of(kit, what, index1); i != 0; i = kit->next[i - 1]) {
        const kn_rts_requirement_def *def =
            kn_def_get(kn_world_library(world), kit->requirement_kind, i);
        const bool counts = what != TECH_UPGRADE || level >= def->from_level;
        if (counts && def->text != NULL && !def_holds(world, player, def, told)) {
            line_add(l, "; ", def->text);
        }
    }
}

static void line_shortages(line *l, const kn_library *library, const kn_product_answer *answer)
{
    for (uint32_t i = 0; i < answer->shortage_count; i++) {
        const char *name = kn_attribute_name(library, answer->shortages[i].attribute);
        const char *dot = strrchr(name, '.');
        char number[64];
        (void)kn_rts_number_print(answer->shortages[i].amount, 2, number, sizeof(number));
        line_add(l, i == 0 ? "; " : ", ", i == 0 ? "needs " : "");
        line_add(l, "", number);
        line_add(l, " more ", dot != NULL ? dot + 1 : name);
    }
}

static bool is_told(const kn_tag *tags, uint32_t count, kn_tag tag)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tags[i].index1 == tag.index1) {
            return true;
        }
    }
    return false;
}

// Those that no text stands for.
static void line_list(line *l, const kn_library *library, const char *words, const kn_tag *tags,
    uint32_t count, const kn_tag *told, uint32_t told_count)
{
    kn_tag left[KN_ORDER_ERRORS_MAX];
    uint32_t left_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_told(told, told_count, tags[i])) {
            left[left_count++] = tags[i];
        }
    }
    line_tags(l, library, words, left, left_count);
}

uint32_t kn_rts_product_why_not(
    const kn_world *world, kn_entity_id producer, kn_product_id product, char *text, uint32_t size)
{
    line l = {text, size, 0};
    if (text != NULL && size > 0) {
        text[0] = 0;
    }
    const kn_library *library = world != NULL ? kn_world_library(world) : NULL;
    const bool is_there = knc_rts_tech_of_world(world) != NULL &&
                          kn_order_produce_is_there(library) && product.index1 != 0;
    const kn_product_def *def = is_there ? kn_product_get_def(library, product) : NULL;
    if (def == NULL) {
        return 0;
    }
    const tech_kit *kit = knc_rts_tech_of_world(world);
    kn_product_answer answer;
    const kn_result result = def->site ? kn_site_check(world, producer, product, NULL, &answer)
                                       : kn_product_check(world, producer, product, &answer);
    if (result == KN_OK) {
        return 0;
    }
    const kn_entity_id player = kn_product_payer(world, producer);
    const kn_rts_upgrade_id upgrade = knc_rts_upgrade_of(kit, product);
    const uint32_t level = kn_rts_upgrade_level_of(world, player, upgrade) + 1;
    kn_order_errors told = {0};
    line_requirements(&l, world, player, TECH_PRODUCT, product.index1, 0, &told);
    line_requirements(&l, world, player, TECH_UPGRADE, upgrade.index1, level, &told);
    line_list(&l, library, "requires", answer.errors.missing, answer.errors.missing_count,
        told.missing, told.missing_count);
    line_list(&l, library, "not with", answer.errors.blocking, answer.errors.blocking_count,
        told.blocking, told.blocking_count);
    line_shortages(&l, library, &answer);
    for (uint32_t i = 0; i < answer.errors.other_count; i++) {
        const kn_tag tag = answer.errors.others[i];
        // What is missing of the price is listed above.
        if (!is_told(told.others, told.other_count, tag) &&
            strcmp(kn_tag_name(library, tag), "Knack.Order.Cost") != 0) {
            line_add(&l, "; ", kn_rts_tag_last_part(library, tag));
        }
    }
    if (l.length == 0) {
        line_add(&l, "", kn_result_name(result));
    }
    return l.length;
}
