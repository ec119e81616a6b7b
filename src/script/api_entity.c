// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Methods of entities: tags, attributes, effects, abilities, events, cues, place.

#include "rows.h"

#include <string.h>

#define ENTITY args->v[0].as.entity

// The entity itself ---------------------------------------------------------

static int entity_is_alive(knl_args *args)
{
    return knl_push_bool(args, kn_entity_is_alive(args->world, ENTITY));
}

static int entity_is_dying(knl_args *args)
{
    return knl_push_bool(args, kn_entity_is_dying(args->world, ENTITY));
}

static int entity_destroy(knl_args *args)
{
    return knl_push_bool(args, kn_entity_destroy(args->writable, ENTITY));
}

static int entity_user(knl_args *args)
{
    return knl_push_count(args, kn_entity_user(args->world, ENTITY));
}

static int entity_set_user(knl_args *args)
{
    return knl_push_result(
        args, kn_entity_set_user(args->writable, ENTITY, (uint64_t)args->v[1].as.integer));
}

static int entity_avatar(knl_args *args)
{
    return knl_push_entity(args, kn_entity_avatar(args->world, ENTITY));
}

static int entity_set_avatar(knl_args *args)
{
    return knl_push_result(
        args, kn_entity_set_avatar(args->writable, ENTITY, args->v[1].as.entity));
}

static int entity_component_owner(knl_args *args)
{
    return knl_push_entity(args, kn_entity_actor(args->world, ENTITY));
}

static int entity_connection(knl_args *args)
{
    return knl_push_count(args, kn_entity_connection(args->world, ENTITY));
}

static int entity_set_connection(knl_args *args)
{
    return knl_push_result(
        args, kn_entity_set_connection(args->writable, ENTITY, args->v[1].as.number));
}

static int entity_parent(knl_args *args)
{
    return knl_push_entity(args, kn_entity_parent(args->world, ENTITY));
}

static int entity_set_parent(knl_args *args)
{
    return knl_push_result(
        args, kn_entity_set_parent(args->writable, ENTITY, args->v[1].as.entity));
}

static int entity_owner(knl_args *args)
{
    return knl_push_entity(args, kn_entity_owner(args->world, ENTITY));
}

static int entity_set_owner(knl_args *args)
{
    return knl_push_result(args, kn_entity_set_owner(args->writable, ENTITY, args->v[1].as.entity));
}

static const char *const role_names[] = {"authority", "server", "owner", "observer"};

static int entity_role(knl_args *args)
{
    lua_pushstring(args->L, role_names[kn_entity_role(args->world, ENTITY)]);
    return 1;
}

static int entity_is_local(knl_args *args)
{
    return knl_push_bool(args, kn_entity_is_local(args->world, ENTITY));
}

static const knl_row self_rows[] = {
    {"is_alive", entity_is_alive, NULL, "boolean", 0, "False once it is destroyed."},
    {"is_dying", entity_is_dying, NULL, "boolean", 0,
        "True while it is being destroyed: rules still see it."},
    {"destroy", entity_destroy, NULL, "boolean", KNL_CHANGES,
        "Destroys it; false if it no longer existed."},
    {"user", entity_user, NULL, "integer", 0, "The host's 64 bits."},
    {"set_user", entity_set_user, PARAMS(P("user", KNL_T_INTEGER)), "true|nil, refusal?",
        KNL_CHANGES, "Sets the host's 64 bits."},
    {"avatar", entity_avatar, NULL, "kn.entity?", 0, "Its avatar: the entity that is its body."},
    {"set_avatar", entity_set_avatar, PARAMS(P_OPT("avatar", T_ENTITY)), "true|nil, refusal?",
        KNL_CHANGES, "Sets its avatar; nil: itself."},
    {"component_owner", entity_component_owner, NULL, "kn.entity?", 0,
        "The entity whose tags, attributes and effects count for it: itself, or the owner of an "
        "avatar."},
    {"connection", entity_connection, NULL, "integer", 0,
        "The connection of the player that owns it; 0 for none."},
    {"set_connection", entity_set_connection, PARAMS(P("connection", KNL_T_U32)),
        "true|nil, refusal?", KNL_CHANGES, "Sets the connection."},
    {"parent", entity_parent, NULL, "kn.entity?", 0, "The entity it is attached to."},
    {"set_parent", entity_set_parent, PARAMS(P_OPT("parent", T_ENTITY)), "true|nil, refusal?",
        KNL_CHANGES, "Attaches it; nil detaches."},
    {"owner", entity_owner, NULL, "kn.entity?", 0, "The entity that owns it: a player, a team."},
    {"set_owner", entity_set_owner, PARAMS(P_OPT("owner", T_ENTITY)), "true|nil, refusal?",
        KNL_CHANGES, "Sets the entity that owns it; nil for none."},
    {"role", entity_role, NULL, "string", 0,
        "\"authority\", \"server\", \"owner\" or \"observer\"."},
    {"is_local", entity_is_local, NULL, "boolean", 0, "True if it is controlled on this machine."},
    ROWS_END,
};

// Tags ----------------------------------------------------------------------

static int entity_has_tag(knl_args *args)
{
    return knl_push_bool(args, kn_entity_has_tag(args->world, ENTITY, knl_tag_arg(&args->v[1])));
}

static int entity_has_tag_exact(knl_args *args)
{
    return knl_push_bool(
        args, kn_entity_has_tag_exact(args->world, ENTITY, knl_tag_arg(&args->v[1])));
}

static int entity_has_any_tag(knl_args *args)
{
    return knl_push_bool(args, kn_entity_has_any_tag(args->world, ENTITY, args->v[1].as.tags));
}

static int entity_has_all_tags(knl_args *args)
{
    return knl_push_bool(args, kn_entity_has_all_tags(args->world, ENTITY, args->v[1].as.tags));
}

static int entity_matches(knl_args *args)
{
    kn_tag_query query;
    kn_error error;
    if (kn_tag_query_parse(args->library, args->v[1].as.text, &query, &error) != KN_OK) {
        knl_raise(args->L, "`matches`: %s", error.message);
    }
    return knl_push_bool(args, kn_entity_matches_query(args->world, ENTITY, &query));
}

static int entity_tag_count(knl_args *args)
{
    return knl_push_count(args, kn_entity_tag_count(args->world, ENTITY, knl_tag_arg(&args->v[1])));
}

static int entity_tag_count_exact(knl_args *args)
{
    return knl_push_count(
        args, kn_entity_tag_count_exact(args->world, ENTITY, knl_tag_arg(&args->v[1])));
}

static int entity_tags(knl_args *args)
{
    kn_tag found[KN_TAG_SET_MAX * 4];
    uint32_t capacity = KN_TAG_SET_MAX * 4;
    uint32_t count = kn_entity_tags(args->world, ENTITY, found, capacity);
    knl_tags_push(args->L, (kn_tags){found, count < capacity ? count : capacity});
    return 1;
}

static const char *const origin_names[] = {"loose", "synced"};

static kn_tag_origin origin_arg(const knl_value *value)
{
    return knl_u32_arg(value, 0) == 1 ? KN_TAG_ORIGIN_LOOSE_SYNCED : KN_TAG_ORIGIN_LOOSE;
}

static int entity_add_tag(knl_args *args)
{
    return knl_push_result(args, kn_entity_add_tag(args->writable, ENTITY, knl_tag_arg(&args->v[1]),
                                     origin_arg(&args->v[3]), knl_u32_arg(&args->v[2], 1)));
}

static int entity_remove_tag(knl_args *args)
{
    return knl_push_result(
        args, kn_entity_remove_tag(args->writable, ENTITY, knl_tag_arg(&args->v[1]),
                  origin_arg(&args->v[3]), knl_u32_arg(&args->v[2], 1)));
}

static int entity_set_tag_count(knl_args *args)
{
    return knl_push_result(
        args, kn_entity_set_tag_count(args->writable, ENTITY, knl_tag_arg(&args->v[1]),
                  origin_arg(&args->v[3]), args->v[2].as.number));
}

static int entity_is_tag_blocked(knl_args *args)
{
    return knl_push_bool(
        args, kn_entity_ability_tag_blocked(args->world, ENTITY, knl_tag_arg(&args->v[1])));
}

static const knl_row tag_rows[] = {
    {"has_tag", entity_has_tag, PARAMS(P("tag", T_TAG)), "boolean", 0,
        "True if it has the tag or a tag below it."},
    {"has_tag_exact", entity_has_tag_exact, PARAMS(P("tag", T_TAG)), "boolean", 0,
        "True only if it has exactly this tag."},
    {"has_any_tag", entity_has_any_tag, PARAMS(P("tags", KNL_T_TAGS)), "boolean", 0,
        "True if it has any of them."},
    {"has_all_tags", entity_has_all_tags, PARAMS(P("tags", KNL_T_TAGS)), "boolean", 0,
        "True if it has all of them."},
    {"matches", entity_matches, PARAMS(P("query", KNL_T_TEXT)), "boolean", 0,
        "Tests a tag query, such as `all(any_tags(State.Wet), no_tags(Immune))`."},
    {"tag_count", entity_tag_count, PARAMS(P("tag", T_TAG)), "integer", 0,
        "The count of the tag and all tags below it."},
    {"tag_count_exact", entity_tag_count_exact, PARAMS(P("tag", T_TAG)), "integer", 0,
        "The count of the tag itself."},
    {"tags", entity_tags, NULL, "string[]", 0, "The tags it has."},
    {"add_tag", entity_add_tag,
        PARAMS(P("tag", T_TAG), P_OPT("count", KNL_T_U32),
            P_ENUM("origin", origin_names, KNL_OPTIONAL)),
        "true|nil, refusal?", KNL_CHANGES, "Adds to the count of a loose tag; default 1."},
    {"remove_tag", entity_remove_tag,
        PARAMS(P("tag", T_TAG), P_OPT("count", KNL_T_U32),
            P_ENUM("origin", origin_names, KNL_OPTIONAL)),
        "true|nil, refusal?", KNL_CHANGES, "Reduces the count of a loose tag; default 1."},
    {"set_tag_count", entity_set_tag_count,
        PARAMS(
            P("tag", T_TAG), P("count", KNL_T_U32), P_ENUM("origin", origin_names, KNL_OPTIONAL)),
        "true|nil, refusal?", KNL_CHANGES, "Sets the count of a loose tag."},
    {"is_tag_blocked", entity_is_tag_blocked, PARAMS(P("tag", T_TAG)), "boolean", 0,
        "True while abilities with this tag are blocked by an effect."},
    ROWS_END,
};

// Attributes ----------------------------------------------------------------

static int entity_value(knl_args *args)
{
    return knl_push_float(args, kn_attribute_value_keyed(args->world, ENTITY,
                                    knl_attribute_arg(&args->v[1]), knl_u32_arg(&args->v[2], 0)));
}

static int entity_base(knl_args *args)
{
    return knl_push_float(args, kn_attribute_base_keyed(args->world, ENTITY,
                                    knl_attribute_arg(&args->v[1]), knl_u32_arg(&args->v[2], 0)));
}

static int entity_has_attribute(knl_args *args)
{
    return knl_push_bool(args, kn_attribute_exists(args->world, ENTITY,
                                   knl_attribute_arg(&args->v[1]), knl_u32_arg(&args->v[2], 0)));
}

static int entity_bounds(knl_args *args)
{
    float minimum, maximum;
    kn_attribute_bounds(args->world, ENTITY, knl_attribute_arg(&args->v[1]),
        knl_u32_arg(&args->v[2], 0), &minimum, &maximum);
    lua_pushnumber(args->L, (double)minimum);
    lua_pushnumber(args->L, (double)maximum);
    return 2;
}

static int entity_set_base(knl_args *args)
{
    return knl_push_result(
        args, kn_attribute_set_base(args->writable, ENTITY, knl_attribute_arg(&args->v[1]),
                  knl_u32_arg(&args->v[3], 0), args->v[2].as.value));
}

static int entity_init(knl_args *args)
{
    return knl_push_result(
        args, kn_attribute_init(args->writable, ENTITY, knl_attribute_arg(&args->v[1]),
                  knl_u32_arg(&args->v[3], 0), args->v[2].as.value));
}

static int entity_init_group(knl_args *args)
{
    return knl_push_result(args, kn_attribute_init_group(args->writable, ENTITY, args->v[1].as.text,
                                     args->v[2].as.number, knl_u32_arg(&args->v[3], 0)));
}

static int entity_add_attributes(knl_args *args)
{
    kn_attribute_set_id set = {args->v[1].as.number};
    return knl_push_result(
        args, kn_attribute_set_add(args->writable, ENTITY, set, knl_u32_arg(&args->v[2], 0)));
}

static int entity_remove_attributes(knl_args *args)
{
    kn_attribute_set_id set = {args->v[1].as.number};
    return knl_push_result(
        args, kn_attribute_set_remove(args->writable, ENTITY, set, knl_u32_arg(&args->v[2], 0)));
}

static int entity_has_attributes(knl_args *args)
{
    kn_attribute_set_id set = {args->v[1].as.number};
    return knl_push_bool(
        args, kn_attribute_set_has(args->world, ENTITY, set, knl_u32_arg(&args->v[2], 0)));
}

static int entity_explain(knl_args *args)
{
    char text[2048];
    (void)kn_attribute_explain_text(args->world, ENTITY, knl_attribute_arg(&args->v[1]),
        knl_u32_arg(&args->v[2], 0), text, sizeof(text));
    lua_pushstring(args->L, text);
    return 1;
}

static int entity_evaluate(knl_args *args)
{
    kn_value_id value = {args->v[1].as.number};
    kn_event_record record;
    kn_target_data data;
    if (args->v[3].is_given) {
        knl_record_take(args, &args->v[3], &record, &data);
    }
    return knl_push_float(args, kn_value_evaluate(args->world, ENTITY, value, args->v[2].as.value,
                                    args->v[3].is_given ? &record : NULL, false));
}

static int entity_explain_value(knl_args *args)
{
    kn_value_id value = {args->v[1].as.number};
    kn_event_record record;
    kn_target_data data;
    if (args->v[3].is_given) {
        knl_record_take(args, &args->v[3], &record, &data);
    }
    char text[2048];
    text[0] = 0; // no lines for a stale entity
    (void)kn_value_explain_text(args->world, ENTITY, value, args->v[2].as.value,
        args->v[3].is_given ? &record : NULL, text, sizeof(text));
    lua_pushstring(args->L, text);
    return 1;
}

static int entity_records(knl_args *args)
{
    const char *kind = args->v[1].is_given ? args->v[1].as.text : NULL;
    kn_state_ref ref = {KN_STATE_NONE, 0, 0};
    lua_Integer count = 0;
    lua_newtable(args->L);
    while (kn_state_next(args->world, ENTITY, &ref)) {
        if (kind != NULL && strcmp(kind, kn_state_kind_name(ref.kind)) != 0) {
            continue;
        }
        char text[1024];
        (void)kn_state_print(args->world, ref, text, sizeof(text));
        knl_charge(args->L, sizeof(text) / 8);
        lua_pushstring(args->L, text);
        lua_rawseti(args->L, -2, ++count);
    }
    return 1;
}

static const knl_row attribute_rows[] = {
    {"value", entity_value, PARAMS(P("attribute", T_ATTRIBUTE), P_OPT("key", KNL_T_U32)), "number",
        0, "The current value; 0 if it does not have the attribute."},
    {"base", entity_base, PARAMS(P("attribute", T_ATTRIBUTE), P_OPT("key", KNL_T_U32)), "number", 0,
        "The base value."},
    {"records", entity_records, PARAMS(P_OPT("kind", KNL_T_TEXT)), "string[]", 0,
        "Everything that is saved of it, a line for each record, such as `effect Burn: ...`; of "
        "one "
        "kind, such as `cooldown`, or of all."},
    {"has_attribute", entity_has_attribute,
        PARAMS(P("attribute", T_ATTRIBUTE), P_OPT("key", KNL_T_U32)), "boolean", 0,
        "True if it has the attribute."},
    {"bounds", entity_bounds, PARAMS(P("attribute", T_ATTRIBUTE), P_OPT("key", KNL_T_U32)),
        "number, number", 0, "The minimum and maximum in force."},
    {"set_base", entity_set_base,
        PARAMS(P("attribute", T_ATTRIBUTE), P("value", KNL_T_NUMBER), P_OPT("key", KNL_T_U32)),
        "true|nil, refusal?", KNL_CHANGES, "Sets a base value. Prefer effects."},
    {"init", entity_init,
        PARAMS(P("attribute", T_ATTRIBUTE), P("value", KNL_T_NUMBER), P_OPT("key", KNL_T_U32)),
        "true|nil, refusal?", KNL_CHANGES, "Sets base and current value together."},
    {"init_group", entity_init_group,
        PARAMS(P("group", KNL_T_TEXT), P("level", KNL_T_U32), P_OPT("key", KNL_T_U32)),
        "true|nil, refusal?", KNL_CHANGES, "Sets the starting values of a group and level."},
    {"add_attributes", entity_add_attributes,
        PARAMS(P("set", T_ATTRIBUTE_SET), P_OPT("key", KNL_T_U32)), "true|nil, refusal?",
        KNL_CHANGES, "Adds an attribute set."},
    {"remove_attributes", entity_remove_attributes,
        PARAMS(P("set", T_ATTRIBUTE_SET), P_OPT("key", KNL_T_U32)), "true|nil, refusal?",
        KNL_CHANGES, "Removes an attribute set."},
    {"has_attributes", entity_has_attributes,
        PARAMS(P("set", T_ATTRIBUTE_SET), P_OPT("key", KNL_T_U32)), "boolean", 0,
        "True if it has the set."},
    {"explain", entity_explain, PARAMS(P("attribute", T_ATTRIBUTE), P_OPT("key", KNL_T_U32)),
        "string", 0, "Explains the value, one line per contribution."},
    {"evaluate", entity_evaluate,
        PARAMS(
            P("value", T_VALUE), P("base", KNL_T_NUMBER), P_OPTIONS("record", knl_record_options)),
        "number", 0, "Evaluates a transient value, such as the length of a cast."},
    {"explain_value", entity_explain_value,
        PARAMS(
            P("value", T_VALUE), P("base", KNL_T_NUMBER), P_OPTIONS("record", knl_record_options)),
        "string", 0, "Explains what `evaluate` returns, one line per contribution."},
    ROWS_END,
};

// Effects -------------------------------------------------------------------

static int entity_apply(knl_args *args)
{
    kn_effect_apply_def def;
    kn_effect_context context;
    kn_target_data data;
    knl_apply_take(args, &args->v[2], &def, &context, &data);
    def.type.index1 = args->v[1].as.number;
    def.target = ENTITY;
    kn_effect_id effect;
    kn_effect_refusal refusal = {0};
    def.refusal = &refusal;
    kn_result result = kn_effect_apply(args->writable, &def, &effect);
    return knl_push_applied(args, result, effect, &refusal);
}

static int entity_spec(knl_args *args)
{
    kn_effect_apply_def def;
    kn_effect_context context;
    kn_target_data data;
    knl_apply_take(args, &args->v[2], &def, &context, &data);
    def.type.index1 = args->v[1].as.number;
    def.source = ENTITY;
    kn_spec_id spec;
    kn_result result = kn_spec_create(args->writable, &def, &spec);
    if (result != KN_OK) {
        return knl_push_result(args, result);
    }
    KNL_PUSH_ID(args->L, KNL_ID_SPEC, spec);
    return 1;
}

#define QUERY(name, doc) O_FIELD(name, KN_STRUCT_EFFECT_QUERY, name, doc)

const knl_param knl_effect_query_options[] = {
    QUERY("type", "of this type, or one descended from it"),
    QUERY("any_tags", "asset or granted tags: any of these"),
    QUERY("all_tags", "asset or granted tags: all of these"),
    QUERY("asset_tags", "asset tags: any of these"),
    QUERY("granted_tags", "granted tags: any of these"),
    QUERY("source", "applied by this entity"),
    QUERY("modifies", "with a modifier on this attribute"),
    O_END,
};

// False if there is no test.
static bool effect_query_take(knl_args *args, kn_effect_query *query)
{
    *query = kn_effect_query_default();
    return knl_options_fill(
        args, knl_effect_query_options, &args->v[1], KN_STRUCT_EFFECT_QUERY, query, NULL);
}

#define FOUND_MAX 256

static int entity_effects(knl_args *args)
{
    kn_effect_id found[FOUND_MAX];
    kn_effect_query query;
    (void)effect_query_take(args, &query);
    uint32_t count = kn_effects_find(args->world, ENTITY, &query, found, FOUND_MAX);
    count = count < FOUND_MAX ? count : FOUND_MAX;
    knl_ids_push(args->L, KNL_ID_EFFECT, found, count);
    return 1;
}

static int entity_count_effects(knl_args *args)
{
    kn_effect_query query;
    (void)effect_query_take(args, &query);
    return knl_push_count(args, kn_effects_find(args->world, ENTITY, &query, NULL, 0));
}

static int entity_remove_effects(knl_args *args)
{
    kn_effect_query query;
    uint32_t removed = 0;
    if (!effect_query_take(args, &query)) {
        knl_raise(
            args->L, "`remove_effects` needs at least one test: it does not remove everything");
    }
    kn_result result =
        kn_effects_remove(args->writable, ENTITY, &query, knl_u32_arg(&args->v[2], 0),
            (kn_removal_reason)knl_u32_arg(&args->v[3], KN_REMOVED_BY_CALL), &removed);
    return result == KN_OK ? knl_push_count(args, removed) : knl_push_result(args, result);
}

static int entity_effects_remaining(knl_args *args)
{
    kn_effect_query query;
    (void)effect_query_take(args, &query);
    kn_time remaining, duration;
    if (!kn_effects_remaining(args->world, ENTITY, &query, &remaining, &duration)) {
        lua_pushnil(args->L);
        return 1;
    }
    knl_seconds_push(args->L, remaining);
    knl_seconds_push(args->L, duration);
    return 2;
}

#define CONTAINER(name, doc) O_FIELD(name, KN_STRUCT_CONTAINER_APPLY_DEF, name, doc)

const knl_param knl_container_options[] = {
    CONTAINER("level", "default 1"),
    CONTAINER("targets", "for containers whose targets are given"),
    CONTAINER("data", "for containers whose targets are target data"),
    O("values", KNL_T_VALUES, "caller values for all effects"),
    O_END,
};

static int entity_apply_container(knl_args *args)
{
    kn_container_apply_def def = kn_container_apply_def_default();
    kn_container_value values[KNL_VALUES_MAX];
    kn_target_data data;
    uint32_t applied = 0;
    def.container.index1 = args->v[1].as.number;
    def.source = ENTITY;
    (void)knl_options_fill(
        args, knl_container_options, &args->v[2], KN_STRUCT_CONTAINER_APPLY_DEF, &def, &data);
    for (uint32_t i = 0; i < args->caller_count; i++) {
        values[i] = (kn_container_value){{0}, args->caller[i]};
    }
    def.values = values;
    def.value_count = args->caller_count;
    kn_result result = kn_container_apply(args->writable, &def, &applied);
    return result == KN_OK ? knl_push_count(args, applied) : knl_push_result(args, result);
}

static const knl_row effect_rows[] = {
    {"apply", entity_apply,
        PARAMS(P("effect", T_EFFECT_TYPE), P_OPTIONS("options", knl_apply_options)),
        "kn.effect|true|nil, refusal?, kn.effect_refusal?", KNL_CHANGES,
        "Applies an effect to it. Returns the active effect, or true for an instant one."},
    {"spec", entity_spec,
        PARAMS(P("effect", T_EFFECT_TYPE), P_OPTIONS("options", knl_apply_options)),
        "kn.spec|nil, refusal?", KNL_CHANGES,
        "Makes a spec with it as the source, to be applied later; its current values are "
        "captured."},
    {"apply_container", entity_apply_container,
        PARAMS(P("container", T_CONTAINER), P_OPTIONS("options", knl_container_options)),
        "integer|nil, refusal?", KNL_CHANGES,
        "Applies a container with it as the source. Returns how many effects were applied."},
    {"effects", entity_effects, PARAMS(P_OPTIONS("query", knl_effect_query_options)), "kn.effect[]",
        KNL_EFFECTS, "Its active effects, in the order they were created, at most 256."},
    {"count_effects", entity_count_effects, PARAMS(P_OPTIONS("query", knl_effect_query_options)),
        "integer", KNL_EFFECTS, "How many of its active effects match."},
    {"remove_effects", entity_remove_effects,
        PARAMS(P_OPTIONS("query", knl_effect_query_options), P_OPT("stacks", KNL_T_U32),
            P_WORDS("reason", WORDS_REMOVAL_REASON, KNL_OPTIONAL)),
        "integer|nil, refusal?", KNL_CHANGES | KNL_EFFECTS,
        "Removes stacks of effects that match, or all stacks. Returns how many effects matched."},
    {"effects_remaining", entity_effects_remaining,
        PARAMS(P_OPTIONS("query", knl_effect_query_options)), "number?, number?", 0,
        "Time left and duration of the matching effect that ends last; nil if there is none."},
    ROWS_END,
};

// Events, cues, place, timers -----------------------------------------------

static int entity_send(knl_args *args)
{
    kn_event_record record;
    kn_target_data data;
    knl_record_take(args, &args->v[2], &record, &data);
    return knl_push_result(
        args, kn_event_send(args->writable, ENTITY, knl_tag_arg(&args->v[1]), &record));
}

static int entity_publish(knl_args *args)
{
    return knl_publish(args, ENTITY, (kn_custom_event_id){args->v[1].as.number}, &args->v[2]);
}

#define CUE(name, field, doc) O_FIELD(name, KN_STRUCT_CUE_PARAMS, field, doc)

const knl_param knl_cue_options[] = {
    CUE("magnitude", "magnitude", "the magnitude"),
    CUE("location", "location", "where it happens"),
    CUE("normal", "normal", "direction"),
    CUE("instigator", "instigator", "the entity responsible"),
    CUE("causer", "causer", "the entity that caused it directly"),
    CUE("object", "source_object", "64 bits for the host"),
    O_END,
};

static kn_cue_params cue_take(knl_args *args)
{
    kn_cue_params params = kn_cue_params_default();
    (void)knl_options_fill(args, knl_cue_options, &args->v[2], KN_STRUCT_CUE_PARAMS, &params, NULL);
    return params;
}

static int entity_cue(knl_args *args)
{
    kn_cue_params params = cue_take(args);
    return knl_push_result(
        args, kn_cue_execute(args->writable, ENTITY, knl_tag_arg(&args->v[1]), &params));
}

static int entity_add_cue(knl_args *args)
{
    kn_cue_params params = cue_take(args);
    return knl_push_result(
        args, kn_cue_add(args->writable, ENTITY, knl_tag_arg(&args->v[1]), &params));
}

static int entity_remove_cue(knl_args *args)
{
    return knl_push_result(args, kn_cue_remove(args->writable, ENTITY, knl_tag_arg(&args->v[1])));
}

static int entity_remove_cues(knl_args *args)
{
    return knl_push_count(args, kn_cues_remove_all(args->writable, ENTITY));
}

static int entity_cue_count(knl_args *args)
{
    return knl_push_count(args, kn_cue_count(args->world, ENTITY, knl_tag_arg(&args->v[1])));
}

static int entity_suppress_cues(knl_args *args)
{
    return knl_push_result(
        args, kn_entity_suppress_cues(args->writable, ENTITY, args->v[1].as.flag));
}

static int entity_position(knl_args *args)
{
    kn_vec3 position;
    if (kn_space_position(kn_world_space(args->world), args->world, ENTITY, &position)) {
        knl_vec3_push(args->L, position);
    } else {
        lua_pushnil(args->L);
    }
    return 1;
}

static int entity_view(knl_args *args)
{
    kn_view_point view;
    if (!kn_space_view(kn_world_space(args->world), args->world, ENTITY, &view)) {
        lua_pushnil(args->L);
        return 1;
    }
    knl_vec3_push(args->L, view.origin);
    knl_vec3_push(args->L, view.direction);
    return 2;
}

static int entity_find_targets(knl_args *args)
{
    kn_targeting_id targeting = {args->v[1].as.number};
    kn_target_data data;
    if (!kn_targeting_query(args->world, targeting, ENTITY, &data)) {
        lua_newtable(args->L);
        return 1;
    }
    knl_targets_push(args->L, args->world, kn_target_data_view(&data));
    return 1;
}

static int entity_start_timer(knl_args *args)
{
    kn_timer_type_id type = {args->v[1].as.number};
    uint64_t data[KN_TIMER_DATA_SIZE / 8] = {0};
    lua_pushvalue(args->L, 2);
    const knl_binding *binding =
        knl_script_find_binding(args->vm->script, KNL_DEF_TIMER, lua_tostring(args->L, -1));
    lua_pop(args->L, 1);
    if (args->v[3].is_given) {
        if (binding == NULL || lua_type(args->L, args->v[3].as.index) != LUA_TTABLE) {
            knl_raise(args->L, "`state` takes a table of fields the timer declares");
        }
        knl_state_fill(args->L, args->v[3].as.index, &binding->layout, data);
    }
    kn_timer_id timer;
    kn_time delay = args->v[2].as.time;
    kn_result result =
        kn_timer_start(args->writable, type, ENTITY, delay > 0 ? delay : 0, data, &timer);
    if (result != KN_OK) {
        return knl_push_result(args, result);
    }
    KNL_PUSH_ID(args->L, KNL_ID_TIMER, timer);
    return 1;
}

static kn_ticker_id ticker_arg(const knl_args *args)
{
    return (kn_ticker_id){args->v[1].as.number};
}

static int entity_start_ticker(knl_args *args)
{
    return knl_push_result(args, kn_ticker_start(args->writable, ticker_arg(args), ENTITY));
}

static int entity_stop_ticker(knl_args *args)
{
    return knl_push_bool(args, kn_ticker_stop(args->writable, ticker_arg(args), ENTITY));
}

static int entity_has_ticker(knl_args *args)
{
    return knl_push_bool(args, kn_ticker_is_there(args->world, ticker_arg(args), ENTITY));
}

static int entity_ticker_runs(knl_args *args)
{
    return knl_push_bool(args, kn_ticker_is_running(args->world, ticker_arg(args), ENTITY));
}

enum { WATCH_OWNER, WATCH_VALUE, WATCH_STATE, WATCH_COMPONENT, WATCH_INSTANCE };

static const knl_param watch_options[] = {
    O("owner", T_ENTITY, "the watch ends with this entity too"),
    O("value", KNL_T_NUMBER, "threshold: the number the attribute is compared with"),
    O("state", KNL_T_ANY, "a table of fields of its state"),
    O("component", T_COMPONENT, "the watch ends with this component of its owner"),
    O("instance", KNL_T_INTEGER, "which one, if there may be several"),
    O_END,
};

// The state that a watch begins with, by the fields of its type.
static const void *watch_state_take(
    knl_args *args, kn_watch_type_id type, const knl_value *given, uint64_t *block)
{
    const kn_watch_def *def = kn_watch_type_get_def(args->library, type);
    const knl_binding *binding = knl_watch_binding(args->library, type);
    if (!given->is_given) {
        return NULL;
    }
    if (def->state_size == 0 || lua_type(args->L, given->as.index) != LUA_TTABLE) {
        knl_raise(args->L, "`state` takes a table of fields the watch declares");
    }
    memset(block, 0, def->state_size);
    if (binding != NULL) {
        knl_state_fill(args->L, given->as.index, &binding->layout, block);
    } else {
        knl_record_fields_take(
            args->L, given->as.index, def->state_fields, def->state_field_count, (uint8_t *)block);
    }
    return block;
}

static int entity_start_watch(knl_args *args)
{
    const knl_value *o = args->o; // all zero without options
    uint64_t block[KN_WATCH_STATE_MAX / 8];
    kn_watch_start_def def = kn_watch_start_def_default();
    def.type.index1 = args->v[1].as.number;
    def.entity = ENTITY;
    def.once = args->v[2].is_given && args->v[2].as.flag;
    def.owner = o[WATCH_OWNER].as.entity;
    def.has_value = o[WATCH_VALUE].is_given;
    def.value = knl_float_arg(&o[WATCH_VALUE], 0.0f);
    def.state = watch_state_take(args, def.type, &o[WATCH_STATE], block);
    def.component_type.index1 = o[WATCH_COMPONENT].is_given ? o[WATCH_COMPONENT].as.number : 0;
    if (o[WATCH_INSTANCE].is_given) {
        def.component = kn_component_id_unpack((uint64_t)o[WATCH_INSTANCE].as.integer);
    }
    return knl_push_result(args, kn_watch_start(args->writable, &def, NULL));
}

static int entity_stop_watch(knl_args *args)
{
    kn_watch_type_id type = {args->v[1].as.number};
    lua_pushinteger(args->L, kn_watches_stop(args->writable, type, ENTITY));
    return 1;
}

static int entity_overlap(knl_args *args)
{
    return knl_push_result(args, kn_host_overlap(args->writable, ENTITY, args->v[1].as.entity));
}

static int entity_movement_mode(knl_args *args)
{
    return knl_push_result(
        args, kn_host_movement_mode(args->writable, ENTITY, args->v[1].as.number));
}

static int entity_stop_animations(knl_args *args)
{
    return knl_push_result(args, kn_host_animation_stopped(args->writable, ENTITY));
}

static const knl_row other_rows[] = {
    {"send", entity_send, PARAMS(P("tag", T_TAG), P_OPTIONS("record", knl_record_options)),
        "true|nil, refusal?", KNL_CHANGES,
        "Sends it an event: abilities, tasks and rules that wait for the tag receive it."},
    {"publish", entity_publish, PARAMS(P("event", T_CUSTOM_EVENT), P_OPT("fields", KNL_T_ANY)),
        "true|nil, refusal?", KNL_CHANGES,
        "Publishes a custom event that happened to it, for observers: nothing in the simulation "
        "notices. `fields` are those of its payload; what is left out is zero."},
    {"cue", entity_cue, PARAMS(P("tag", T_TAG), P_OPTIONS("params", knl_cue_options)),
        "true|nil, refusal?", KNL_CHANGES, "Executes a cue that happens once."},
    {"add_cue", entity_add_cue, PARAMS(P("tag", T_TAG), P_OPTIONS("params", knl_cue_options)),
        "true|nil, refusal?", KNL_CHANGES,
        "Adds a cue that lasts until it has been removed as often as added."},
    {"remove_cue", entity_remove_cue, PARAMS(P("tag", T_TAG)), "true|nil, refusal?", KNL_CHANGES,
        "Removes a cue that was added, once."},
    {"remove_cues", entity_remove_cues, NULL, "integer", KNL_CHANGES,
        "Removes all cues that were added. Returns how many."},
    {"cue_count", entity_cue_count, PARAMS(P("tag", T_TAG)), "integer", 0,
        "How many times a cue is active."},
    {"suppress_cues", entity_suppress_cues, PARAMS(P("suppressed", KNL_T_BOOL)),
        "true|nil, refusal?", KNL_CHANGES, "While suppressed, none of its cues is published."},
    {"position", entity_position, NULL, "kn.vec3?", 0, "Its position; nil if it has none."},
    {"view", entity_view, NULL, "kn.vec3?, kn.vec3?", 0,
        "The position and direction it looks from."},
    {"find_targets", entity_find_targets, PARAMS(P("targeting", T_TARGETING)), "kn.target[]", 0,
        "Looks for targets once, with a targeting type."},
    {"start_timer", entity_start_timer,
        PARAMS(P("timer", T_TIMER_TYPE), P("delay", KNL_T_SECONDS), P_OPT("state", KNL_T_ANY)),
        "kn.timer|nil, refusal?", KNL_CHANGES, "Starts a timer that ends with the entity."},
    {"start_ticker", entity_start_ticker, PARAMS(P("ticker", T_TICKER)), "true|nil, refusal?",
        KNL_CHANGES,
        "Adds a ticker to it, which looks for the first time now; \"duplicate\" if it already has "
        "it."},
    {"stop_ticker", entity_stop_ticker, PARAMS(P("ticker", T_TICKER)), "boolean", KNL_CHANGES,
        "Removes a ticker, after calling its `stopped` if it is running; false if it has none."},
    {"start_watch", entity_start_watch,
        PARAMS(P("watch", T_WATCH), P_OPT("once", KNL_T_BOOL), P_OPTIONS("options", watch_options)),
        "true|nil, refusal?", KNL_CHANGES,
        "Starts a watch on it, which waits until it is stopped, or with `once` until it is "
        "called."},
    {"stop_watch", entity_stop_watch, PARAMS(P("watch", T_WATCH)), "integer", KNL_CHANGES,
        "Stops all watches of this name on it. Returns how many there were."},
    {"has_ticker", entity_has_ticker, PARAMS(P("ticker", T_TICKER)), "boolean", 0,
        "Whether it has a ticker."},
    {"ticker_runs", entity_ticker_runs, PARAMS(P("ticker", T_TICKER)), "boolean", 0,
        "Whether it has a ticker that is running."},
    {"overlap", entity_overlap, PARAMS(P("other", T_ENTITY)), "true|nil, refusal?", KNL_CHANGES,
        "Notifies tasks that the two overlap."},
    {"movement_mode", entity_movement_mode, PARAMS(P("mode", KNL_T_U32)), "true|nil, refusal?",
        KNL_CHANGES, "Notifies tasks that its movement mode has changed."},
    {"stop_animations", entity_stop_animations, NULL, "true|nil, refusal?", KNL_CHANGES,
        "Interrupts its animations."},
    ROWS_END,
};

const knl_class knl_class_entity = {"entity",
    "An actor, or anything else things happen to. Ids are integers; nil means none.", NULL,
    {self_rows, tag_rows, attribute_rows, effect_rows, other_rows, knl_component_rows,
        knl_entity_ability_rows},
    0, 0};
