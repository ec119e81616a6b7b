// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Looking at trees: nodes one by one, and a drawing as text.

#include "tree_parts.h"

const char *knc_tree_node_name(const kn_tree_node *def)
{
    return def->name != NULL && def->name[0] != 0 ? def->name : knc_tree_node_words[def->kind];
}

// The plan and the state of the tree of an entity; NULL if there is none.
const plan *knc_tree_plan_of(const kn_world *world, kn_entity_id entity, const node_state **states)
{
    const tree_kit *kit = knc_tree_kit_of_world(world);
    const tree_run *run = kit != NULL ? knc_tree_run_read(world, entity) : NULL;
    const plan *p = run != NULL ? knc_tree_plan(kit, run->tree) : NULL;
    *states = p != NULL ? knc_tree_states_read(world, entity, p) : NULL;
    return *states != NULL ? p : NULL;
}

bool kn_tree_get_node(
    const kn_world *world, kn_entity_id entity, uint32_t index, kn_tree_node_info *info)
{
    const node_state *states;
    const plan *p = knc_tree_plan_of(world, entity, &states);
    *info = (kn_tree_node_info){0};
    if (p == NULL || index >= p->node_count) {
        return false;
    }
    const plan_node *node = &p->nodes[index];
    info->name = knc_tree_node_name(node->def);
    info->kind = node->def->kind;
    info->depth = node->depth;
    uint32_t state = states[index].state;
    info->state = state < KN_TREE_STATE_COUNT ? (kn_tree_state)state : KN_TREE_STATE_NONE;
    info->condition = info->state == KN_TREE_STATE_BLOCKED ? states[index].child : 0;
    return true;
}

static void tags_print(kn_text *out, const kn_library *library, const char *before, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        kn_text_add(out, "%s%s", i > 0 ? ", " : before, kn_tag_name(library, tags.data[i]));
    }
}

static void number_print(kn_text *out, float number)
{
    char text[48];
    (void)kn_float_print(number, text, sizeof(text));
    kn_text_add(out, "%s", text);
}

static void compare_print(
    kn_text *out, const kn_library *library, const char *what, const kn_tree_condition *def)
{
    static const char *const words[] = {" is set", " < ", " <= ", " = ", " is not ", " >= ", " > "};
    kn_text_add(out, "%s%s", what, words[def->compare]);
    if (def->compare == KN_TREE_IS_SET) {
        return;
    }
    if (def->with != NULL && def->with[0] != 0) {
        kn_text_add(out, "%s", def->with);
    } else if (def->tag.index1 != 0) {
        kn_text_add(out, "%s", kn_tag_name(library, def->tag));
    } else {
        number_print(out, def->number);
    }
}

// What a condition tests, in words.
void knc_tree_condition_print(kn_text *out, const kn_library *library, const plan_condition *c)
{
    const tree_kit *kit = knc_tree_kit_of(library);
    const kn_tree_condition *def = c->def;
    kn_text_add(out, "%s", def->inverted ? "not: " : "");
    if (def->name != NULL && def->name[0] != 0) {
        kn_text_add(out, "%s", def->name);
    } else if (c->within1 != 0) {
        kn_text_add(out, "%s within %s", def->key, def->within);
    } else if (c->key1 != 0) {
        compare_print(out, library, def->key, def);
    } else if (def->attribute.index1 != 0) {
        compare_print(
            out, library, kn_def_name(library, KN_DEF_ATTRIBUTE, def->attribute.index1), def);
    } else if (def->condition.index1 != 0) {
        kn_text_add(out, "%s", kn_condition_name(library, def->condition));
    } else if (def->action.index1 != 0) {
        kn_text_add(out, "%s", kn_def_name(library, kit->action_kind, def->action.index1));
    } else {
        tags_print(out, library, "has ", def->required);
        kn_text_add(out, "%s", def->required.count > 0 && def->blocked.count > 0 ? " and " : "");
        tags_print(out, library, "has no ", def->blocked);
    }
}

static void node_print(
    kn_text *out, const kn_world *world, const plan *p, uint32_t n, const node_state *states)
{
    static const char *const words[KN_TREE_STATE_COUNT] = {
        [KN_TREE_STATE_NONE] = "",
        [KN_TREE_STATE_RUNNING] = ": running",
        [KN_TREE_STATE_SUCCEEDED] = ": succeeded",
        [KN_TREE_STATE_FAILED] = ": failed",
        [KN_TREE_STATE_ABORTED] = ": aborted",
        [KN_TREE_STATE_BLOCKED] = ": not taken",
    };
    const plan_node *node = &p->nodes[n];
    const node_state *s = &states[n];
    const char *kind = knc_tree_node_words[node->def->kind];
    const char *name = knc_tree_node_name(node->def);
    kn_text_add(out, "%*s%s", (int)(node->depth * 2 + 2), "", name);
    if (name != kind) {
        kn_text_add(out, " (%s)", kind);
    }
    kn_text_add(out, "%s", s->state < KN_TREE_STATE_COUNT ? words[s->state] : "");
    if (s->state == KN_TREE_STATE_BLOCKED && s->child < node->condition_count) {
        kn_text_add(out, ", because this does not hold: ");
        knc_tree_condition_print(
            out, kn_world_library(world), &p->conditions[node->first_condition + s->child]);
    }
    if (s->state == KN_TREE_STATE_RUNNING && s->timer.index1 != 0) {
        kn_text_add(out, ", ");
        number_print(out, (float)kn_time_to_seconds(kn_timer_remaining(world, s->timer)));
        kn_text_add(out, " s left");
    }
    if (node->def->kind == KN_TREE_COOLDOWN && s->until > kn_world_now(world) &&
        s->state != KN_TREE_STATE_RUNNING) {
        kn_text_add(out, ", ready in ");
        number_print(out, (float)kn_time_to_seconds(s->until - kn_world_now(world)));
        kn_text_add(out, " s");
    }
    kn_text_add(out, "\n");
}

// Called for each node after its line; may be NULL.
typedef void node_more_fn(kn_text *out, const kn_world *world, kn_entity_id entity, const plan *p,
    uint32_t n, board_view *view);

static uint32_t tree_print(
    const kn_world *world, kn_entity_id entity, node_more_fn *more, char *text, uint32_t size)
{
    static const char *const words[KN_TREE_RESULT_COUNT] = {
        [KN_TREE_SUCCEEDED] = "succeeded",
        [KN_TREE_FAILED] = "failed",
        [KN_TREE_RUNNING] = "running",
        [KN_TREE_ABORTED] = "aborted",
    };
    kn_text out = kn_text_begin(text, size);
    const node_state *states;
    const plan *p = knc_tree_plan_of(world, entity, &states);
    kn_tree_info info;
    board_view view = {0};
    if (p == NULL || !kn_tree_get_info(world, entity, &info)) {
        return 0;
    }
    kn_text_add(&out, "%s: %s\n", p->def->name,
        (uint32_t)info.result < KN_TREE_RESULT_COUNT ? words[info.result] : "");
    for (uint32_t n = 0; n < p->node_count; n++) {
        node_print(&out, world, p, n, states);
        if (more != NULL) {
            more(&out, world, entity, p, n, &view);
        }
    }
    return out.length;
}

uint32_t kn_tree_print(const kn_world *world, kn_entity_id entity, char *text, uint32_t size)
{
    return tree_print(world, entity, NULL, text, size);
}

// Explanations ------------------------------------------------------------------------------

static void conditions_explain(kn_text *out, const kn_world *world, kn_entity_id entity,
    const plan *p, uint32_t n, board_view *view)
{
    static const char *const aborts[KN_TREE_ABORTS_COUNT] = {
        [KN_TREE_ABORTS_NONE] = "",
        [KN_TREE_ABORTS_SELF] = "; interrupts the node",
        [KN_TREE_ABORTS_LOWER] = "; interrupts later branches",
        [KN_TREE_ABORTS_BOTH] = "; interrupts the node and later branches",
    };
    const plan_node *node = &p->nodes[n];
    for (uint32_t i = 0; i < node->condition_count; i++) {
        const plan_condition *c = &p->conditions[node->first_condition + i];
        bool holds = knc_tree_condition_holds(world, entity, p, c, view);
        kn_text_add(out, "%*s%s ", (int)(node->depth * 2 + 6), "", holds ? "[yes]" : "[no]");
        knc_tree_condition_print(out, kn_world_library(world), c);
        kn_text_add(out, "%s\n", aborts[c->def->aborts]);
    }
}

uint32_t kn_tree_explain(const kn_world *world, kn_entity_id entity, char *text, uint32_t size)
{
    return tree_print(world, entity, conditions_explain, text, size);
}

static void vector_print(kn_text *out, kn_vec3 at)
{
    kn_text_add(out, "[");
    number_print(out, at.x);
    kn_text_add(out, ", ");
    number_print(out, at.y);
    kn_text_add(out, ", ");
    number_print(out, at.z);
    kn_text_add(out, "]");
}

uint32_t kn_blackboard_print(const kn_world *world, kn_entity_id entity, kn_order_name_fn *name,
    void *user, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    const tree_kit *kit = knc_tree_kit_of_world(world);
    const kn_library *library = kn_world_library(world);
    const board_plan *layout;
    if (kit == NULL || knc_tree_values_read(world, kit, entity, &layout) == NULL) {
        return 0;
    }
    kn_text_add(&out, "%s\n",
        kn_def_name(library, kit->board_kind, kn_blackboard_get(world, entity).index1));
    for (uint32_t i = 0; i < layout->count; i++) {
        board_value v = knc_tree_value_read(world, entity, i + 1);
        kn_text_add(&out, "  %s: ", layout->keys[i].name);
        if (v.is_set == 0) {
            kn_text_add(&out, "not set\n");
            continue;
        }
        switch (layout->keys[i].kind) {
        case KN_BLACKBOARD_BOOL:
            kn_text_add(&out, "%s", v.whole != 0 ? "true" : "false");
            break;
        case KN_BLACKBOARD_INT:
            kn_text_add(&out, "%d", v.whole);
            break;
        case KN_BLACKBOARD_FLOAT:
            number_print(&out, v.number);
            break;
        case KN_BLACKBOARD_VECTOR:
            vector_print(&out, v.vector);
            break;
        case KN_BLACKBOARD_ENTITY:
            knc_order_name(&out, world, v.entity, name, user);
            break;
        case KN_BLACKBOARD_ORDER:
            kn_text_add(&out, "%s", kn_def_name(library, kit->orders->type_kind, v.order.index1));
            break;
        default:
            kn_text_add(&out, "%s", kn_tag_name(library, v.tag));
            break;
        }
        kn_text_add(&out, "\n");
    }
    return out.length;
}
