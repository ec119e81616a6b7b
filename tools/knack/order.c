// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The order kit for knack explain, knack dump and knack docs.

#include "order.h"

#include "knack/tree.h"

#include <stdlib.h>
#include <string.h>

// What an explanation is about.
typedef struct order_why {
    const kn_world *world;
    kn_entity_id entity;
    kn_order order;
} order_why;

static uint32_t why_print(const void *user, char *out, uint32_t size)
{
    const order_why *why = user;
    return kn_order_explain(why->world, why->entity, &why->order, NULL, NULL, out, size);
}

static uint32_t autos_print(const void *user, char *out, uint32_t size)
{
    const order_why *why = user;
    return kn_order_explain_autos(why->world, why->entity, NULL, NULL, out, size);
}

static uint32_t tree_print(const void *user, char *out, uint32_t size)
{
    const order_why *why = user;
    return kn_tree_explain(why->world, why->entity, out, size);
}

static bool kit_is_there(const cli *call, const stage *on)
{
    bool is_there = kn_order_is_there(kn_scenario_library(on->scenario));
    if (!is_there) {
        cli_tell(call, "%s does not use the order kit; its libraries need kits: [order]",
            call->arguments[0]);
    }
    return is_there;
}

// Plays up to the time of the call, and finds the entity that it names.
static cli_code why_play(const cli *call, stage *on, order_why *why)
{
    kn_scenario_run_def def = kn_scenario_run_def_default();
    cli_code code = stage_run_until(call, on, &def);
    code = code == CLI_GOOD ? stage_entity(call, on, call->arguments[1], &why->entity) : code;
    why->world = code == CLI_GOOD ? kn_scenario_run_world(on->run) : NULL;
    return code;
}

// The explanation with the names of the scenario.
static void why_text(const stage *on, text_print_fn *print, const order_why *why, text *out)
{
    text plain = {0};
    text_print(&plain, print, why);
    stage_names(out, on->run, on->scenario, text_of(&plain));
    text_free(&plain);
}

// Orders ----------------------------------------------------------------------

typedef struct type_words {
    const kn_library *library;
    kn_def_kind kind;
} type_words;

static const char *type_word(const void *user, uint32_t index)
{
    const type_words *words = user;
    return index < kn_def_count(words->library, words->kind)
               ? kn_def_name(words->library, words->kind, index + 1)
               : NULL;
}

static kn_order_type_id type_find(const cli *call, const kn_library *library, const char *name)
{
    kn_order_type_id type = kn_order_type_find(library, name);
    if (type.index1 == 0) {
        type_words words = {library, kn_kind_find(library, "order type")};
        const char *nearest = cli_nearest(name, type_word, &words);
        cli_tell(call, "there is no order type `%s`%s%s%s", name,
            nearest != NULL ? "; did you mean `" : "", nearest != NULL ? nearest : "",
            nearest != NULL ? "`?" : "");
    }
    return type;
}

// "3,4" or "3,4,0".
static bool location_parse(const char *words, kn_vec3 *at)
{
    float numbers[3] = {0.0f};
    uint32_t count = 0;
    while (count < 3) {
        char *end;
        numbers[count++] = strtof(words, &end);
        if (end == words) {
            return false;
        }
        words = end + (*end == ',');
        if (*end == 0) {
            break;
        }
    }
    *at = (kn_vec3){numbers[0], numbers[1], numbers[2]};
    return *words == 0 && count >= 2;
}

static cli_code order_read(const cli *call, const stage *on, order_why *why)
{
    const char *target = cli_text_of(call, "target", NULL);
    const char *location = cli_text_of(call, "location", NULL);
    kn_vec3 at;
    if (cli_has(call, "index")) {
        why->order.index = (int32_t)cli_number_of(call, "index", 0);
    }
    if (location != NULL) {
        if (!location_parse(location, &at)) {
            cli_tell(call, "--location takes X,Y or X,Y,Z, not `%s`", location);
            return CLI_USAGE;
        }
        kn_order_set_location(&why->order, at);
    }
    return target != NULL ? stage_entity(call, on, target, &why->order.target) : CLI_GOOD;
}

static void tags_json(
    json *out, const kn_library *library, const char *key, const kn_tag *tags, uint32_t count)
{
    json_begin(out, key, '[');
    for (uint32_t i = 0; i < count; i++) {
        json_text(out, NULL, kn_tag_name(library, tags[i]));
    }
    json_end(out, ']');
}

static void order_json(const order_why *why, const char *words)
{
    const kn_library *library = kn_world_library(why->world);
    kn_order_errors errors = {0};
    kn_vec3 at = why->order.location;
    if (why->order.uses_location == 0) {
        (void)kn_space_position(kn_world_space(why->world), why->world, why->order.target, &at);
    }
    kn_order_target target = kn_order_look(why->world, why->entity, why->order.target, at);
    bool can_obey =
        kn_order_can_obey(why->world, why->order.type, why->entity, why->order.index, &errors);
    bool is_possible = kn_order_is_valid_target(why->world, why->order.type, why->entity, &target,
                           why->order.index, &errors) &&
                       can_obey && kn_unit_get_type(why->world, why->entity).index1 != 0;
    json out = {0};
    json_begin(&out, NULL, '{');
    json_text(&out, "order", kn_order_type_get_def(library, why->order.type)->name);
    json_bool(&out, "possible", is_possible);
    tags_json(&out, library, "missing", errors.missing, errors.missing_count);
    tags_json(&out, library, "blocking", errors.blocking, errors.blocking_count);
    tags_json(&out, library, "reasons", errors.others, errors.other_count);
    json_text(&out, "text", words);
    json_end(&out, '}');
    json_print(&out);
}

cli_code order_explain(const cli *call, stage *on)
{
    order_why why = {.order = kn_order_default()};
    text words = {0};
    if (!kit_is_there(call, on)) {
        return CLI_BAD;
    }
    why.order.type =
        type_find(call, kn_scenario_library(on->scenario), cli_text_of(call, "order", ""));
    if (why.order.type.index1 == 0) {
        return CLI_BAD;
    }
    cli_code code = why_play(call, on, &why);
    code = code == CLI_GOOD ? order_read(call, on, &why) : code;
    if (code == CLI_GOOD) {
        why_text(on, why_print, &why, &words);
        if (cli_has(call, "json")) {
            order_json(&why, text_of(&words));
        } else {
            (void)printf("%s", text_of(&words));
        }
    }
    text_free(&words);
    return code;
}

cli_code order_explain_autos(const cli *call, stage *on)
{
    order_why why = {.order = kn_order_default()};
    text words = {0};
    cli_code code = kit_is_there(call, on) ? why_play(call, on, &why) : CLI_BAD;
    if (code == CLI_GOOD) {
        why_text(on, autos_print, &why, &words);
        if (words.length == 0) {
            cli_tell(call, "`%s` does not obey orders", call->arguments[1]);
            code = CLI_BAD;
        } else if (cli_has(call, "json")) {
            json out = {0};
            json_begin(&out, NULL, '{');
            json_text(&out, "text", text_of(&words));
            json_end(&out, '}');
            json_print(&out);
        } else {
            (void)printf("%s", text_of(&words));
        }
    }
    text_free(&words);
    return code;
}

// Trees -------------------------------------------------------------------------

typedef struct tree_view {
    const kn_library *library;
    kn_tree_id tree;
    const kn_world *world;
    kn_entity_id entity;
} tree_view;

static uint32_t svg_print(const void *user, char *out, uint32_t size)
{
    const tree_view *view = user;
    return kn_tree_svg(view->library, view->tree, view->world, view->entity, out, size);
}

static void nodes_json(json *out, const order_why *why)
{
    static const char *const states[KN_TREE_STATE_COUNT] = {
        "none", "running", "succeeded", "failed", "aborted", "blocked"};
    kn_tree_node_info node;
    json_begin(out, "nodes", '[');
    for (uint32_t i = 0; kn_tree_get_node(why->world, why->entity, i, &node); i++) {
        json_begin(out, NULL, '{');
        json_text(out, "name", node.name);
        json_count(out, "depth", node.depth);
        json_text(out, "state", states[node.state]);
        json_end(out, '}');
    }
    json_end(out, ']');
}

static cli_code tree_show(const cli *call, const stage *on, const order_why *why)
{
    const kn_library *library = kn_world_library(why->world);
    const char *file = cli_text_of(call, "svg", NULL);
    kn_tree_info info;
    text words = {0};
    cli_code code = CLI_GOOD;
    if (!kn_tree_get_info(why->world, why->entity, &info)) {
        cli_tell(call, "`%s` never ran a tree", call->arguments[1]);
        return CLI_BAD;
    }
    if (file != NULL) {
        tree_view view = {library, info.tree, why->world, why->entity};
        text_print(&words, svg_print, &view);
        code = file_write(call, file, text_of(&words), words.length) ? CLI_GOOD : CLI_UNREADABLE;
        text_free(&words);
    }
    why_text(on, tree_print, why, &words);
    if (code == CLI_GOOD && cli_has(call, "json")) {
        json out = {0};
        json_begin(&out, NULL, '{');
        json_text(&out, "tree", kn_tree_get_def(library, info.tree)->name);
        json_bool(&out, "running", info.result == KN_TREE_RUNNING);
        nodes_json(&out, why);
        json_text(&out, "text", text_of(&words));
        json_end(&out, '}');
        json_print(&out);
    } else if (code == CLI_GOOD && file == NULL) {
        (void)printf("%s", text_of(&words));
    }
    text_free(&words);
    return code;
}

cli_code order_explain_tree(const cli *call, stage *on)
{
    order_why why = {.order = kn_order_default()};
    if (cli_has(call, "json") && strcmp(cli_text_of(call, "svg", ""), "-") == 0) {
        cli_tell(call, "only one output can go to stdout");
        return CLI_USAGE;
    }
    cli_code code = kit_is_there(call, on) ? why_play(call, on, &why) : CLI_BAD;
    return code == CLI_GOOD ? tree_show(call, on, &why) : code;
}

// Dumps and pages -----------------------------------------------------------------

static uint32_t unit_print(const void *user, char *out, uint32_t size)
{
    const order_why *why = user;
    return kn_unit_print(why->world, why->entity, NULL, NULL, out, size);
}

static uint32_t board_print(const void *user, char *out, uint32_t size)
{
    const order_why *why = user;
    return kn_blackboard_print(why->world, why->entity, NULL, NULL, out, size);
}

static uint32_t drawing_print(const void *user, char *out, uint32_t size)
{
    const order_why *why = user;
    return kn_tree_print(why->world, why->entity, out, size);
}

void order_dump(text *to, const kn_world *world, kn_entity_id entity)
{
    static const struct {
        const char *heading;
        text_print_fn *print;
    } parts[] = {{"orders", unit_print}, {"blackboard", board_print}, {"tree", drawing_print}};
    const order_why what = {.world = world, .entity = entity};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        text words = {0};
        text_print(&words, parts[i].print, &what);
        if (words.length > 0) {
            text_format(to, "%s\n", parts[i].heading);
        }
        for (const char *line = text_of(&words); *line != 0;) {
            size_t length = strcspn(line, "\n");
            text_add(to, "  ");
            text_bytes(to, line, length);
            text_add(to, "\n");
            line += line[length] == '\n' ? length + 1 : length;
        }
        text_free(&words);
    }
}

void order_picture(text *to, const kn_library *library, kn_def_kind kind, uint32_t index1)
{
    if (!kn_order_is_there(library) || kind != kn_kind_find(library, "tree")) {
        return;
    }
    tree_view view = {library, {index1}, NULL, {0}};
    text picture = {0};
    text_print(&picture, svg_print, &view);
    text_add(to, text_of(&picture));
    text_free(&picture);
}
