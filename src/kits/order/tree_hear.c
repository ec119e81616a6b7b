// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What wakes trees: a rule for each tag, event and attribute that some tree waits for or watches,
// so that trees at rest cost nothing until it happens; the end of abilities, and of entities.

#include "tree_parts.h"

#include <stdio.h>
#include <stdlib.h>

static void hearing_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const tree_hearing *h = user;
    if (!kn_world_is_client(world)) {
        knc_tree_signal(world, reaction->entity, h->trigger, h->index1);
    }
}

static kn_result hear(
    kn_library *library, tree_kit *kit, kn_trigger trigger, uint32_t index1, kn_error *error)
{
    for (const tree_hearing *h = kit->hearings; h != NULL; h = h->next) {
        if (h->trigger == trigger && h->index1 == index1) {
            return KN_OK;
        }
    }
    tree_hearing *h = index1 != 0 ? calloc(1, sizeof(*h)) : NULL;
    if (h == NULL) {
        return index1 == 0 ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    }
    *h = (tree_hearing){kit->hearings, trigger, index1};
    kit->hearings = h;
    char name[64];
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    (void)snprintf(name, sizeof(name), "Knack.TreeHears.%u.%u", (unsigned)trigger, index1);
    def.name = name;
    def.trigger = trigger;
    def.function = hearing_rule;
    def.user = h;
    if (trigger == KN_TRIGGER_ATTRIBUTE_CHANGED) {
        def.attribute.index1 = index1;
    } else {
        def.tag.index1 = index1;
    }
    return kn_rule_register(library, &def, &rule, error);
}

static kn_result tags_hear(
    kn_library *library, tree_kit *kit, kn_tags tags, bool events, kn_error *error)
{
    static const kn_trigger triggers[] = {
        KN_TRIGGER_TAG_ADDED, KN_TRIGGER_TAG_REMOVED, KN_TRIGGER_EVENT};
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < tags.count; i++) {
        for (uint32_t j = 0; result == KN_OK && j < (events ? 3 : 2); j++) {
            result = hear(library, kit, triggers[j], tags.data[i].index1, error);
        }
    }
    return result;
}

static kn_result node_hear(
    kn_library *library, tree_kit *kit, const kn_tree_node *node, uint32_t depth, kn_error *error)
{
    kn_result result = KN_OK;
    switch (node->kind) {
    case KN_TREE_WAIT_EVENT:
        result = hear(library, kit, KN_TRIGGER_EVENT, node->tag.index1, error);
        break;
    case KN_TREE_WAIT_TAG:
        result = hear(library, kit, KN_TRIGGER_TAG_ADDED, node->tag.index1, error);
        break;
    case KN_TREE_WAIT_NO_TAG:
        result = hear(library, kit, KN_TRIGGER_TAG_REMOVED, node->tag.index1, error);
        break;
    case KN_TREE_WAIT_ATTRIBUTE:
        result = hear(library, kit, KN_TRIGGER_ATTRIBUTE_CHANGED, node->attribute.index1, error);
        break;
    default:
        break;
    }
    for (uint32_t i = 0; result == KN_OK && i < node->condition_count; i++) {
        const kn_tree_condition *c = &node->conditions[i];
        if (c->aborts == KN_TREE_ABORTS_NONE) {
            continue;
        }
        result = tags_hear(library, kit, c->required, false, error);
        result = result != KN_OK ? result : tags_hear(library, kit, c->blocked, false, error);
        result = result != KN_OK ? result : tags_hear(library, kit, c->wakes, true, error);
        if (result == KN_OK) {
            result = hear(library, kit, KN_TRIGGER_ATTRIBUTE_CHANGED, c->attribute.index1, error);
        }
    }
    for (uint32_t i = 0; result == KN_OK && depth < KN_TREE_DEPTH_MAX && i < node->child_count;
         i++) {
        result = node_hear(library, kit, &node->children[i], depth + 1, error);
    }
    return result;
}

kn_result knc_tree_hear_expand(kn_library *library, tree_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->tree_kind); i++) {
        const kn_tree_def *def = kn_def_get(library, kit->tree_kind, i);
        result = node_hear(library, kit, &def->root, 0, error);
    }
    return result;
}

void knc_tree_hearings_release(tree_kit *kit)
{
    while (kit->hearings != NULL) {
        tree_hearing *h = kit->hearings;
        kit->hearings = h->next;
        free(h);
    }
}

// Abilities and entities --------------------------------------------------------------------

static void ability_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    const tree_run *run =
        kn_world_is_client(world) ? NULL : knc_tree_run_read(world, reaction->entity);
    if (run == NULL || run->result != KN_TREE_RUNNING) {
        return;
    }
    const tree_call call = {
        .kind = TREE_CALL_ABILITY,
        .activation = reaction->activation,
        .result = reaction->end_reason == KN_ENDED_DONE ? KN_TREE_SUCCEEDED : KN_TREE_FAILED,
    };
    (void)knc_tree_call(world, reaction->entity, &call);
}

// Keys that hold an entity that is gone are cleared, so that those who watch them hear of it.
static void boards_forget(kn_world *world, kn_entity_id gone)
{
    const tree_kit *kit = knc_tree_kit_of_world(world);
    kn_component_referrer found;
    const board_value nothing = {0};
    while (kn_component_referrers(world, kit->boards, 0, gone, &found, 1) > 0) {
        if (knc_tree_value_write(world, found.entity, found.item + 1, &nothing) != KN_OK) {
            return;
        }
    }
}

static void destroyed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (!kn_world_is_client(world)) {
        const tree_run *run = knc_tree_run_read(world, reaction->entity);
        if (run != NULL && run->result == KN_TREE_RUNNING) {
            const tree_call call = {.kind = TREE_CALL_STOP};
            (void)knc_tree_call(world, reaction->entity, &call);
        }
        boards_forget(world, reaction->entity);
    }
}

kn_result knc_tree_life_register(kn_library *library, tree_kit *kit, kn_error *error)
{
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    def.name = "Knack.TreeAbilityEnds";
    def.trigger = KN_TRIGGER_ABILITY_ENDED;
    def.function = ability_rule;
    def.user = kit;
    kn_result result = kn_rule_register(library, &def, &rule, error);
    def.name = "Knack.TreeEntityEnds";
    def.trigger = KN_TRIGGER_ENTITY_DESTROYED;
    def.function = destroyed_rule;
    return result != KN_OK ? result : kn_rule_register(library, &def, &rule, error);
}
