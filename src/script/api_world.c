// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The module `world`: time, random numbers, entities, records, and who is where.

#include "rows.h"

#include <float.h>
#include <string.h>

// Time and chance -----------------------------------------------------------

static int world_now(knl_args *args)
{
    lua_pushnumber(args->L, kn_time_to_seconds(kn_world_now(args->world)));
    return 1;
}

static int world_random(knl_args *args)
{
    return knl_push_float(args, kn_random_float(args->writable, knl_u32_arg(&args->v[0], 0)));
}

static int world_stream(knl_args *args)
{
    uint32_t stream = kn_stream_find(kn_world_library(args->world), args->v[0].as.text);
    if (stream == KN_STREAM_NONE) {
        lua_pushnil(args->L);
    } else {
        lua_pushinteger(args->L, stream);
    }
    return 1;
}

static int world_random_below(knl_args *args)
{
    return knl_push_count(
        args, kn_random_below(args->writable, knl_u32_arg(&args->v[1], 0), args->v[0].as.number));
}

static int world_random_range(knl_args *args)
{
    float low = args->v[0].as.value, high = args->v[1].as.value;
    float share = kn_random_float(args->writable, knl_u32_arg(&args->v[2], 0));
    return knl_push_float(args, low + (high - low) * share);
}

static int world_curve(knl_args *args)
{
    kn_curve_id curve = {args->v[0].as.number};
    return knl_push_float(args, kn_curve_at(args->library, curve, args->v[1].as.value));
}

static int world_tag_matches(knl_args *args)
{
    return knl_push_bool(
        args, kn_tag_matches(args->library, knl_tag_arg(&args->v[0]), knl_tag_arg(&args->v[1])));
}

// Definitions ---------------------------------------------------------------

static kn_def_kind kind_arg(knl_args *args)
{
    const char *name = args->v[0].as.text;
    kn_def_kind kind = kn_kind_find(args->library, name);
    if (kind == KN_DEF_KIND_COUNT) {
        knl_raise(args->L, "there is no kind of definitions `%.80s`", name);
    }
    return kind;
}

static int world_def(knl_args *args)
{
    kn_def_kind kind = kind_arg(args);
    const char *name = args->v[1].as.text;
    uint32_t index1 = kn_def_find(args->library, kind, name);
    const void *def = kn_def_get(args->library, kind, index1);
    if (index1 == 0) {
        knl_raise(args->L, "there is no %s `%.80s`", kn_kind_name(args->library, kind), name);
    }
    if (def == NULL) {
        knl_raise(args->L, "a %s has no fields", kn_kind_name(args->library, kind));
    }
    knl_def_push(args->L, kn_kind_table(args->library, kind), def);
    return 1;
}

static int world_defs(knl_args *args)
{
    kn_def_kind kind = kind_arg(args);
    uint32_t count = kn_def_count(args->library, kind);
    lua_createtable(args->L, (int)count, 0);
    for (uint32_t i = 1; i <= count; i++) {
        lua_pushstring(args->L, kn_def_name(args->library, kind, i));
        lua_rawseti(args->L, -2, i);
    }
    return 1;
}

// A magnitude in a definition, by the name of its field.
static int world_magnitude(knl_args *args)
{
    kn_def_kind kind = kind_arg(args);
    const char *name = args->v[1].as.text, *field_name = args->v[2].as.text;
    const char *def = kn_def_get(args->library, kind, kn_def_find(args->library, kind, name));
    if (def == NULL) {
        knl_raise(args->L, "there is no %s `%.80s`", kn_kind_name(args->library, kind), name);
    }
    const kn_def_field *field = kn_def_field_find(kn_kind_table(args->library, kind), field_name);
    if (field == NULL || field->kind != KN_DEF_FIELD_STRUCT || field->count != 1 ||
        strcmp(field->table->name, "kn_magnitude") != 0) {
        knl_raise(args->L, "there is no magnitude `%.80s` in %s `%.80s`", field_name,
            kn_kind_name(args->library, kind), name);
    }
    kn_magnitude magnitude;
    memcpy(&magnitude, def + field->offset, sizeof(magnitude));
    float value;
    kn_result result = kn_magnitude_evaluate(args->world, &magnitude, args->v[3].as.entity,
        args->v[4].as.entity, args->v[5].is_given ? args->v[5].as.value : 1.0f, &value);
    return result == KN_OK ? knl_push_float(args, value) : knl_push_result(args, result);
}

static int world_holds(knl_args *args)
{
    kn_event_record record;
    kn_target_data data;
    kn_condition_id condition = {kn_def_find(args->library, KN_DEF_CONDITION, args->v[0].as.text)};
    if (condition.index1 == 0) {
        knl_raise(args->L, "there is no condition `%.80s`", args->v[0].as.text);
    }
    knl_record_take(args, &args->v[1], &record, &data);
    return knl_push_bool(args, kn_condition_holds(args->world, condition, &record));
}

// Causes --------------------------------------------------------------------

static void cause_push(lua_State *L, const kn_library *library, const kn_cause_info *info)
{
    knl_struct_push(L, KNL_RESULT_CAUSE, info);
    knl_text_push(L, kn_cause_type_name(library, info->custom));
    lua_setfield(L, -2, "custom");
    if (info->def1 != 0) {
        knl_text_push(L, kn_kind_name(library, (kn_def_kind)info->def_kind));
        lua_setfield(L, -2, "def_kind");
        knl_text_push(L, kn_def_name(library, (kn_def_kind)info->def_kind, info->def1));
        lua_setfield(L, -2, "def");
    }
}

// The chain of what is running now, from the innermost link to the outermost.
static int world_causes(knl_args *args)
{
    kn_cause_info info;
    kn_cause cause = kn_world_cause(args->world);
    lua_createtable(args->L, 4, 0);
    for (lua_Integer i = 1; kn_cause_get(args->world, cause, &info); i++) {
        cause_push(args->L, args->library, &info);
        lua_rawseti(args->L, -2, i);
        cause = info.parent;
    }
    return 1;
}

static int world_key(knl_args *args)
{
    kn_prediction_key key = kn_world_key(args->world);
    if (kn_prediction_key_is_null(key)) {
        lua_pushnil(args->L);
        return 1;
    }
    lua_pushinteger(args->L, key.connection);
    lua_pushinteger(args->L, key.sequence);
    return 2;
}

static int world_is_predicting(knl_args *args)
{
    return knl_push_bool(args, kn_world_is_predicting(args->world));
}

enum { LINK_ENTITY, LINK_TAG, LINK_KIND, LINK_DEF };

static const knl_param link_options[] = {
    O("entity", T_ENTITY, "the entity concerned"),
    O("tag", T_TAG, "the tag concerned"),
    O("kind", KNL_T_TEXT, "with `def`: the kind of the definition concerned"),
    O("def", KNL_T_TEXT, "with `kind`: the name of the definition concerned"),
    O_END,
};

static void link_def_take(knl_args *args, const knl_value *o, kn_cause_link *link)
{
    if (!o[LINK_KIND].is_given || !o[LINK_DEF].is_given) {
        knl_raise(args->L, "`kind` and `def` need each other");
    }
    const char *kind = o[LINK_KIND].as.text, *name = o[LINK_DEF].as.text;
    link->def_kind = (uint32_t)kn_kind_find(args->library, kind);
    link->def1 = kn_def_find(args->library, (kn_def_kind)link->def_kind, name);
    if (link->def1 == 0) {
        knl_raise(args->L, "there is no %.64s `%.80s`", kind, name);
    }
}

static int world_open_cause(knl_args *args)
{
    const knl_value *o = args->o; // all zero without options
    knl_frame *frame = args->vm->frames[args->vm->depth];
    kn_cause_link link = {.type = kn_cause_type_find(args->library, args->v[0].as.text)};
    if (link.type.index1 == 0) {
        knl_raise(args->L, "there is no kind of causes `%.80s`", args->v[0].as.text);
    }
    link.entity = o[LINK_ENTITY].as.entity;
    link.tag = knl_tag_arg(&o[LINK_TAG]);
    if (o[LINK_KIND].is_given || o[LINK_DEF].is_given) {
        link_def_take(args, o, &link);
    }
    kn_cause previous;
    kn_result result = kn_cause_open(args->writable, &link, &previous);
    frame->open_causes += result == KN_OK;
    return knl_push_result(args, result);
}

// Only what this call has opened: the innermost link, since what is called in between closes its
// own.
bool knl_cause_close(knl_frame *frame)
{
    kn_cause_info info;
    bool is_open = frame->open_causes > 0 &&
                   kn_cause_get(frame->world, kn_world_cause(frame->world), &info) &&
                   info.kind == KN_CAUSE_CUSTOM;
    if (is_open) {
        kn_cause_close(frame->writable, info.parent);
        frame->open_causes--;
    }
    return is_open;
}

static int world_close_cause(knl_args *args)
{
    return knl_push_bool(args, knl_cause_close(args->vm->frames[args->vm->depth]));
}

static int world_cause(knl_args *args)
{
    kn_cause_info info;
    if (kn_cause_get(args->world, kn_world_cause(args->world), &info)) {
        cause_push(args->L, args->library, &info);
    } else {
        lua_pushnil(args->L);
    }
    return 1;
}

// Entities ------------------------------------------------------------------

static int world_publish(knl_args *args)
{
    return knl_publish(
        args, (kn_entity_id){0}, (kn_custom_event_id){args->v[0].as.number}, &args->v[1]);
}

static int world_create(knl_args *args)
{
    kn_entity_id entity;
    kn_result result = kn_entity_create(args->writable, &entity);
    return result == KN_OK ? knl_push_entity(args, entity) : knl_push_result(args, result);
}

static int world_spawn(knl_args *args)
{
    kn_archetype_id archetype = {args->v[0].as.number};
    kn_entity_id entity;
    kn_result result =
        kn_archetype_spawn(args->writable, archetype, knl_float_arg(&args->v[1], 1.0f), &entity);
    return result == KN_OK ? knl_push_entity(args, entity) : knl_push_result(args, result);
}

static int world_entities(knl_args *args)
{
    kn_entity_id entity = {0};
    lua_createtable(args->L, (int)kn_entity_count(args->world), 0);
    for (lua_Integer i = 1; (entity = kn_entity_next(args->world, entity)).index1 != 0; i++) {
        KNL_PUSH_ID(args->L, KNL_ID_ENTITY, entity);
        lua_rawseti(args->L, -2, i);
    }
    return 1;
}

static int world_entity_count(knl_args *args)
{
    return knl_push_count(args, kn_entity_count(args->world));
}

static int world_effect_count(knl_args *args)
{
    return knl_push_count(args, kn_world_get_stats(args->world).effects);
}

// Records -------------------------------------------------------------------

static int world_run(knl_args *args)
{
    kn_event_record record;
    kn_target_data data;
    kn_event_outcome outcome;
    knl_record_take(args, &args->v[0], &record, &data);
    if (record.kind.index1 == 0) {
        knl_raise(args->L, "`run` needs a kind");
    }
    kn_result result = kn_event_run(args->writable, &record, &outcome);
    if (result != KN_OK) {
        return knl_push_result(args, result);
    }
    return knl_push_float(args, outcome.magnitude);
}

static int world_vetoes(knl_args *args)
{
    kn_event_record record;
    kn_target_data data;
    kn_effect_id found[64];
    knl_record_take(args, &args->v[0], &record, &data);
    if (record.kind.index1 == 0) {
        knl_raise(args->L, "`vetoes` needs a kind");
    }
    uint32_t count = kn_event_vetoes(args->world, &record, found, 64);
    count = count < 64 ? count : 64;
    knl_ids_push(args->L, KNL_ID_EFFECT, found, count);
    return 1;
}

// Space ---------------------------------------------------------------------

enum { FILTER_LAYERS, FILTER_IGNORE, FILTER_REQUIRED, FILTER_IGNORED, FILTER_LIMIT };

const knl_param knl_filter_options[] = {
    O("layers", KNL_T_U32, "layers to search, as bits; default: all"),
    O("ignore", T_ENTITY, "excludes this entity"),
    O("required", KNL_T_TAGS, "tags they must have, all of them"),
    O("without", KNL_T_TAGS, "tags they must not have"),
    O("limit", KNL_T_U32, "maximum number of results; default and maximum 256"),
    O_END,
};

#define FOUND_MAX 256

typedef struct filter {
    kn_space_filter filter;
    kn_tag_requirement tags;
    uint32_t limit;
} filter;

static void filter_take(knl_args *args, filter *out)
{
    const knl_value *o = args->o; // all zero without options
    *out = (filter){.filter = kn_space_filter_default()};
    out->filter.layers = knl_u32_arg(&o[FILTER_LAYERS], out->filter.layers);
    out->filter.ignore = o[FILTER_IGNORE].as.entity;
    if (o[FILTER_REQUIRED].is_given) {
        out->tags.required = o[FILTER_REQUIRED].as.tags;
    }
    if (o[FILTER_IGNORED].is_given) {
        out->tags.ignored = o[FILTER_IGNORED].as.tags;
    }
    out->filter.tags = &out->tags;
    out->limit = knl_u32_arg(&o[FILTER_LIMIT], FOUND_MAX);
    out->limit = out->limit < FOUND_MAX ? out->limit : FOUND_MAX;
}

static int push_entities(knl_args *args, const kn_entity_id *found, uint32_t count, uint32_t limit)
{
    knl_ids_push(args->L, KNL_ID_ENTITY, found, count < limit ? count : limit);
    return 1;
}

static int push_hits(knl_args *args, const kn_space_hit *hits, uint32_t count, uint32_t limit)
{
    knl_structs_push(args->L, KNL_RESULT_HIT, hits, count < limit ? count : limit);
    return 1;
}

static int world_sphere(knl_args *args)
{
    filter f;
    kn_entity_id found[FOUND_MAX];
    filter_take(args, &f);
    kn_sphere sphere = {args->v[0].as.vec, args->v[1].as.value};
    uint32_t count = kn_space_sphere(
        kn_world_space(args->world), args->world, &sphere, &f.filter, found, f.limit);
    return push_entities(args, found, count, f.limit);
}

static int world_box(knl_args *args)
{
    filter f;
    kn_entity_id found[FOUND_MAX];
    filter_take(args, &f);
    kn_box box = {.center = args->v[0].as.vec, .half = args->v[1].as.vec};
    if (args->v[2].is_given) {
        box.forward = args->v[2].as.vec;
        box.up = (kn_vec3){0.0f, 0.0f, 1.0f};
    }
    uint32_t count =
        kn_space_box(kn_world_space(args->world), args->world, &box, &f.filter, found, f.limit);
    return push_entities(args, found, count, f.limit);
}

static int world_cone(knl_args *args)
{
    filter f;
    kn_entity_id found[FOUND_MAX];
    filter_take(args, &f);
    kn_cone cone = {args->v[0].as.vec, args->v[1].as.vec, args->v[2].as.value, args->v[3].as.value};
    uint32_t count =
        kn_space_cone(kn_world_space(args->world), args->world, &cone, &f.filter, found, f.limit);
    return push_entities(args, found, count, f.limit);
}

static int world_ray(knl_args *args)
{
    filter f;
    kn_space_hit found[FOUND_MAX];
    filter_take(args, &f);
    kn_ray ray = {args->v[0].as.vec, args->v[1].as.vec, args->v[2].as.value,
        knl_float_arg(&args->v[3], 0.0f)};
    uint32_t count =
        kn_space_ray(kn_world_space(args->world), args->world, &ray, &f.filter, found, f.limit);
    return push_hits(args, found, count, f.limit);
}

static int world_nearest(knl_args *args)
{
    filter f;
    kn_space_hit found[FOUND_MAX];
    filter_take(args, &f);
    kn_sphere sphere = {args->v[0].as.vec, args->v[1].as.value};
    uint32_t count = kn_space_nearest(
        kn_world_space(args->world), args->world, &sphere, &f.filter, found, f.limit);
    return push_hits(args, found, count, f.limit);
}

// Systems -------------------------------------------------------------------

static int world_set_system(knl_args *args)
{
    kn_system_id system = {args->v[0].as.number};
    return knl_push_result(args, kn_system_set_enabled(args->writable, system, args->v[1].as.flag));
}

static int world_system_is_on(knl_args *args)
{
    kn_system_id system = {args->v[0].as.number};
    return knl_push_bool(args, kn_system_is_enabled(args->world, system));
}

// The module ----------------------------------------------------------------

static const knl_row world_rows[] = {
    {"now", world_now, NULL, "number", 0,
        "The time in seconds; inside a step, the time of the current event."},
    {"random", world_random, PARAMS(P_OPT("stream", KNL_T_U32)), "number", KNL_CHANGES,
        "A number from 0 up to, but not including, 1, from a random stream of the world (default "
        "stream 0)."},
    {"stream", world_stream, PARAMS(P("name", KNL_T_TEXT)), "integer?", 0,
        "The number of a random stream that a kit or game registered; nil when there is none."},
    {"random_below", world_random_below, PARAMS(P("bound", KNL_T_U32), P_OPT("stream", KNL_T_U32)),
        "integer", KNL_CHANGES, "An integer from 0 up to, but not including, the bound."},
    {"random_range", world_random_range,
        PARAMS(P("low", KNL_T_NUMBER), P("high", KNL_T_NUMBER), P_OPT("stream", KNL_T_U32)),
        "number", KNL_CHANGES, "A number between the two."},
    {"curve", world_curve, PARAMS(P("curve", T_CURVE), P("x", KNL_T_NUMBER)), "number", 0,
        "The value of a curve at x."},
    {"tag_matches", world_tag_matches, PARAMS(P("tag", T_TAG), P("parent", T_TAG)), "boolean", 0,
        "Whether a tag equals another one, or is below it."},
    {"def", world_def, PARAMS(P("kind", KNL_T_TEXT), P("name", KNL_T_TEXT)), "table", 0,
        "The fields of a definition, such as `world.def(\"effect\", \"Burn\")`, also of kinds that "
        "kits bring along; a table of its own, without functions and what is not set."},
    {"defs", world_defs, PARAMS(P("kind", KNL_T_TEXT)), "string[]", 0,
        "The names of all definitions of a kind, in the order they were registered."},
    {"magnitude", world_magnitude,
        PARAMS(P("kind", KNL_T_TEXT), P("name", KNL_T_TEXT), P("field", KNL_T_TEXT),
            P_OPT("source", T_ENTITY), P_OPT("target", T_ENTITY), P_OPT("level", KNL_T_NUMBER)),
        "number|nil, refusal?", 0,
        "The number that a magnitude of a definition has now, such as `world.magnitude(\"order\", "
        "\"Attack\", \"threat\", unit, foe)`; level 1 unless given."},
    {"holds", world_holds,
        PARAMS(P("condition", KNL_T_TEXT), P_OPTIONS("record", knl_record_options)), "boolean", 0,
        "Whether a condition holds for a record."},
    {"cause", world_cause, NULL, "kn.cause?", 0,
        "Why the function that runs is called; nil if the host itself calls."},
    {"causes", world_causes, NULL, "kn.cause[]", 0,
        "The chain of causes of what is running now, the innermost first; empty if the host itself "
        "calls."},
    {"key", world_key, NULL, "integer?, integer?", 0,
        "The command behind what is running now: the connection that sent it, and its sequence; "
        "nil if no command is."},
    {"is_predicting", world_is_predicting, NULL, "boolean", 0,
        "True on a client whose world is ahead of what the server is known to have done."},
    {"open_cause", world_open_cause,
        PARAMS(P("cause", KNL_T_TEXT), P_OPTIONS("link", link_options)), "true|nil, refusal?",
        KNL_CHANGES,
        "Begins a link of the chain of causes, of a kind that the program has registered: what the "
        "function does until `close_cause` has it as its cause. One that is not closed ends with "
        "the function."},
    {"close_cause", world_close_cause, NULL, "boolean", KNL_CHANGES,
        "Ends the link that `open_cause` began last in this function; false if there is none."},
    {"publish", world_publish, PARAMS(P("event", T_CUSTOM_EVENT), P_OPT("fields", KNL_T_ANY)),
        "true|nil, refusal?", KNL_CHANGES,
        "Publishes a custom event that concerns no entity, for observers."},
    {"create", world_create, NULL, "kn.entity|nil, refusal?", KNL_CHANGES, "Creates an entity."},
    {"spawn", world_spawn, PARAMS(P("archetype", T_ARCHETYPE), P_OPT("level", KNL_T_NUMBER)),
        "kn.entity|nil, refusal?", KNL_CHANGES,
        "Creates an entity from an archetype, at a level; default 1."},
    {"entities", world_entities, NULL, "kn.entity[]", 0, "All live entities, by slot."},
    {"entity_count", world_entity_count, NULL, "integer", 0, "How many entities there are."},
    {"effect_count", world_effect_count, NULL, "integer", 0, "How many effects are active."},
    {"run", world_run, PARAMS(P_OPTIONS("record", knl_record_options)), "number|nil, refusal?",
        KNL_CHANGES,
        "Runs a record through the pipeline of its kind. Returns the final magnitude."},
    {"vetoes", world_vetoes, PARAMS(P_OPTIONS("record", knl_record_options)), "kn.effect[]", 0,
        "The effects whose gates would veto the record now."},
    {"command", knl_world_command,
        PARAMS(P("kind", KNL_T_TEXT), P_OPT("entity", T_ENTITY), P_OPT("payload", KNL_T_ANY),
            P_OPTIONS("options", knl_command_options)),
        "true|nil, refusal?", KNL_CHANGES,
        "Issues a command of an entity for the next step. `payload` has fields of its kind; those "
        "that are missing are zero."},
    {"batch", knl_world_batch,
        PARAMS(P_OPT("entity", T_ENTITY), P("parts", KNL_T_ANY),
            P_OPTIONS("options", knl_batch_options)),
        "true|nil, refusal?", KNL_CHANGES,
        "Issues several commands for the next step that are carried out with nothing in between. "
        "Each part is a table with `kind`, and if needed `entity` (default: that of the batch), "
        "`payload` and `targets`."},
    {"sphere", world_sphere,
        PARAMS(P("center", KNL_T_VEC3), P("radius", KNL_T_NUMBER),
            P_OPTIONS("filter", knl_filter_options)),
        "kn.entity[]", KNL_SPACE, "The entities that touch a sphere, by slot."},
    {"box", world_box,
        PARAMS(P("center", KNL_T_VEC3), P("half", KNL_T_VEC3), P_OPT("forward", KNL_T_VEC3),
            P_OPTIONS("filter", knl_filter_options)),
        "kn.entity[]", KNL_SPACE,
        "The entities that touch a box; without `forward` it is aligned with the axes."},
    {"cone", world_cone,
        PARAMS(P("origin", KNL_T_VEC3), P("direction", KNL_T_VEC3), P("cosine", KNL_T_NUMBER),
            P("length", KNL_T_NUMBER), P_OPTIONS("filter", knl_filter_options)),
        "kn.entity[]", KNL_SPACE,
        "The entities that touch a cone; `cosine` is that of half its angle."},
    {"ray", world_ray,
        PARAMS(P("origin", KNL_T_VEC3), P("direction", KNL_T_VEC3), P("length", KNL_T_NUMBER),
            P_OPT("radius", KNL_T_NUMBER), P_OPTIONS("filter", knl_filter_options)),
        "kn.hit[]", KNL_SPACE, "The entities that a ray, or a moving sphere, hits, nearest first."},
    {"nearest", world_nearest,
        PARAMS(P("center", KNL_T_VEC3), P("radius", KNL_T_NUMBER),
            P_OPTIONS("filter", knl_filter_options)),
        "kn.hit[]", KNL_SPACE, "The entities that touch a sphere, nearest first."},
    {"set_system", world_set_system, PARAMS(P("system", T_SYSTEM), P("on", KNL_T_BOOL)),
        "true|nil, refusal?", KNL_CHANGES,
        "Switches a system on or off in this world. It runs for the first time after now."},
    {"system_is_on", world_system_is_on, PARAMS(P("system", T_SYSTEM)), "boolean", 0,
        "Whether a system runs in this world."},
    ROWS_END,
};

const knl_class knl_class_world = {"world",
    "The world in which the call happens. There is none while a chunk is being loaded.", NULL,
    {world_rows, knl_world_component_rows}, 0, 0};
