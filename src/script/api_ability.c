// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Abilities: granting, asking, activating, cooldowns; and what runs.

#include "rows.h"

static const char *const removal_names[] = {"cancel", "after_end"};

static kn_grant_removal removal_arg(const knl_value *value)
{
    return knl_u32_arg(value, 0) == 1 ? KN_GRANT_AFTER_END : KN_GRANT_CANCEL;
}

// Of entities ---------------------------------------------------------------

#define ENTITY args->v[0].as.entity

#define GRANT(name, field, doc) O_FIELD(name, KN_STRUCT_ABILITY_GRANT_DEF, field, doc)

const knl_param knl_grant_options[] = {
    GRANT("level", "level", "default 1"),
    GRANT("input", "input", "input number; 0: none; default: as the def says"),
    GRANT("source", "source", "the entity that grants it"),
    GRANT("object", "source_object", "64 bits for the host"),
    GRANT("user", "user", "64 bits for the host"),
    GRANT("tags", "dynamic_tags", "additional tags of the ability"),
    GRANT("values", "caller_values", "caller values for all its effects"),
    GRANT("parameters", "parameters", "parameters for all its effects"),
    GRANT("share", "share", "true: grants an existing one once more"),
    O_END,
};

static kn_ability_grant_def grant_take(knl_args *args)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type.index1 = args->v[1].as.number;
    (void)knl_options_fill(
        args, knl_grant_options, &args->v[2], KN_STRUCT_ABILITY_GRANT_DEF, &def, NULL);
    return def;
}

static int push_ability(knl_args *args, kn_result result, kn_ability_id ability)
{
    if (result != KN_OK) {
        return knl_push_result(args, result);
    }
    KNL_PUSH_ID(args->L, KNL_ID_ABILITY, ability);
    return 1;
}

static int entity_grant(knl_args *args)
{
    kn_ability_grant_def def = grant_take(args);
    kn_ability_id ability = {0};
    kn_result result = kn_ability_grant(args->writable, ENTITY, &def, &ability);
    return push_ability(args, result, ability);
}

static int entity_grant_once(knl_args *args)
{
    kn_ability_grant_def def = grant_take(args);
    bool has_event = args->v[3].is_given;
    kn_event_record event;
    kn_target_data data;
    if (has_event) {
        knl_record_take(args, &args->v[3], &event, &data);
    }
    kn_ability_id ability = {0};
    kn_result result =
        kn_ability_grant_once(args->writable, ENTITY, &def, has_event ? &event : NULL, &ability);
    if (result == KN_OK && ability.index1 == 0) {
        return knl_push_result(args, KN_OK);
    }
    return push_ability(args, result, ability);
}

#define QUERY(name, doc) O_FIELD(name, KN_STRUCT_ABILITY_QUERY, name, doc)

const knl_param knl_ability_query_options[] = {
    QUERY("type", "of this type, or one descended from it"),
    QUERY("all_tags", "with all of these"),
    QUERY("any_tags", "with any of these"),
    QUERY("no_tags", "with none of these"),
    QUERY("input", "bound to this input"),
    QUERY("effect", "granted by this effect"),
    QUERY("is_active", "only those that are active"),
    QUERY("ignore", "excludes the ability of this activation"),
    O_END,
};

static kn_ability_query ability_query_take(knl_args *args)
{
    kn_ability_query query = kn_ability_query_default();
    (void)knl_options_fill(
        args, knl_ability_query_options, &args->v[1], KN_STRUCT_ABILITY_QUERY, &query, NULL);
    return query;
}

#define FOUND_MAX 256

// Room for `count` ids as long as the call.
static void *ids_push(lua_State *L, uint32_t count)
{
    return lua_newuserdatauv(L, ((size_t)count + 1) * sizeof(uint64_t), 0);
}

static int entity_abilities(knl_args *args)
{
    kn_ability_id found[FOUND_MAX];
    kn_ability_query query = ability_query_take(args);
    uint32_t count = kn_abilities_find(args->world, ENTITY, &query, found, FOUND_MAX);
    count = count < FOUND_MAX ? count : FOUND_MAX;
    knl_ids_push(args->L, KNL_ID_ABILITY, found, count);
    return 1;
}

static int entity_remove_abilities(knl_args *args)
{
    kn_ability_query query = ability_query_take(args);
    return knl_push_count(
        args, kn_abilities_remove(args->writable, ENTITY, &query, removal_arg(&args->v[2])));
}

const knl_param knl_cancel_options[] = {
    O("reason", KNL_T_TEXT, "a reason that the library registers; default: cancelled"),
    O_FIELD("instigator", KN_STRUCT_CANCEL, "instigator", "who cancels it"),
    O_FIELD("tag", KN_STRUCT_CANCEL, "tag", "what it is about"),
    O_FIELD("number", KN_STRUCT_CANCEL, "number", "a number for those who react to it"),
    O_END,
};

static kn_cancel cancel_take(knl_args *args, const knl_value *value)
{
    kn_cancel cancel = kn_cancel_default();
    (void)knl_options_fill(args, knl_cancel_options, value, KN_STRUCT_CANCEL, &cancel, NULL);
    const knl_value *reason = knl_option(value, 0);
    if (reason->is_given) {
        cancel.reason = kn_end_reason_find(args->library, reason->as.text);
        if (cancel.reason != KN_ENDED_CANCELLED &&
            kn_end_reason_get_def(args->library, cancel.reason) == NULL) {
            knl_raise(args->L, "`%s` is not a reason that the library registers", reason->as.text);
        }
    }
    return cancel;
}

static int entity_cancel_abilities(knl_args *args)
{
    kn_ability_query query = ability_query_take(args);
    kn_cancel cancel = cancel_take(args, &args->v[2]);
    return knl_push_count(args, kn_abilities_cancel_with(args->writable, ENTITY, &query, &cancel));
}

static kn_result blocks_change(
    knl_args *args, kn_result (*change)(kn_world *world, kn_entity_id entity, kn_tags tags,
                        kn_entity_id source, uint64_t key))
{
    const knl_value *tags = &args->v[1], *source = &args->v[2], *key = &args->v[3];
    return change(args->writable, ENTITY, tags->is_given ? tags->as.tags : (kn_tags){NULL, 0},
        source->is_given ? source->as.entity : (kn_entity_id){0},
        key->is_given ? (uint64_t)key->as.integer : 0);
}

static int entity_block_abilities(knl_args *args)
{
    return knl_push_result(args, blocks_change(args, kn_abilities_block));
}

static int entity_unblock_abilities(knl_args *args)
{
    return knl_push_result(args, blocks_change(args, kn_abilities_unblock));
}

static int push_activation(knl_args *args, kn_result result, kn_activation_id activation)
{
    if (result != KN_OK || activation.index1 == 0) {
        return knl_push_result(args, result);
    }
    KNL_PUSH_ID(args->L, KNL_ID_ACTIVATION, activation);
    return 1;
}

static int entity_activate(knl_args *args)
{
    kn_ability_type_id type = {args->v[1].as.number};
    kn_activation_id activation = {0};
    kn_result result = kn_ability_activate_type(args->writable, ENTITY, type, &activation);
    return push_activation(args, result, activation);
}

static int entity_activate_tags(knl_args *args)
{
    uint32_t activated = 0;
    kn_result result =
        kn_ability_activate_tags(args->writable, ENTITY, args->v[1].as.tags, &activated);
    return result == KN_OK ? knl_push_count(args, activated) : knl_push_result(args, result);
}

static int entity_activations(knl_args *args)
{
    uint32_t count = kn_activations(args->world, ENTITY, NULL, 0);
    kn_activation_id *found = ids_push(args->L, count);
    (void)kn_activations(args->world, ENTITY, found, count);
    knl_ids_push(args->L, KNL_ID_ACTIVATION, found, count);
    return 1;
}

static int entity_grant_set(knl_args *args)
{
    kn_ability_set_id set = {args->v[1].as.number};
    return knl_push_result(args, kn_ability_set_grant(args->writable, ENTITY, set, NULL, 0));
}

static int entity_revoke_set(knl_args *args)
{
    kn_ability_set_id set = {args->v[1].as.number};
    return knl_push_result(
        args, kn_ability_set_remove(args->writable, ENTITY, set, removal_arg(&args->v[2])));
}

static int push_times(knl_args *args, bool found, kn_time remaining, kn_time total)
{
    if (!found) {
        lua_pushnil(args->L);
        return 1;
    }
    knl_seconds_push(args->L, remaining);
    knl_seconds_push(args->L, total);
    return 2;
}

static int entity_cooldown(knl_args *args)
{
    kn_time remaining = 0, total = 0;
    bool found = kn_cooldown_remaining(args->world, ENTITY, args->v[1].as.tags, &remaining, &total);
    return push_times(args, found, remaining, total);
}

static int entity_bind_input(knl_args *args)
{
    return knl_push_result(
        args, kn_input_bind(args->writable, ENTITY, args->v[1].as.number, args->v[2].as.number));
}

static int entity_press(knl_args *args)
{
    kn_event_record record;
    kn_target_data data;
    knl_record_take(args, &args->v[2], &record, &data);
    return knl_push_result(args, kn_input_press_with(args->writable, ENTITY, args->v[1].as.number,
                                     args->v[2].is_given ? &record : NULL));
}

static int entity_release(knl_args *args)
{
    return knl_push_result(args, kn_input_release(args->writable, ENTITY, args->v[1].as.number));
}

static int entity_confirm(knl_args *args)
{
    return knl_push_result(args, kn_input_confirm(args->writable, ENTITY));
}

static int entity_cancel(knl_args *args)
{
    return knl_push_result(args, kn_input_cancel(args->writable, ENTITY));
}

const knl_row knl_entity_ability_rows[] = {
    {"grant", entity_grant,
        PARAMS(P("ability", T_ABILITY_TYPE), P_OPTIONS("options", knl_grant_options)),
        "kn.ability|nil, refusal?", KNL_CHANGES, "Grants the entity an ability."},
    {"grant_once", entity_grant_once,
        PARAMS(P("ability", T_ABILITY_TYPE), P_OPTIONS("options", knl_grant_options),
            P_OPTIONS("event", knl_record_options)),
        "kn.ability|true|nil, refusal?", KNL_CHANGES,
        "Grants an ability, activates it once, optionally with an event, and removes it when the "
        "activation ends."},
    {"abilities", entity_abilities, PARAMS(P_OPTIONS("query", knl_ability_query_options)),
        "kn.ability[]", 0, "The entity's abilities in the order they were granted, at most 256."},
    {"remove_abilities", entity_remove_abilities,
        PARAMS(P_OPTIONS("query", knl_ability_query_options),
            P_ENUM("removal", removal_names, KNL_OPTIONAL)),
        "integer", KNL_CHANGES, "Removes abilities. Returns how many."},
    {"cancel_abilities", entity_cancel_abilities,
        PARAMS(P_OPTIONS("query", knl_ability_query_options), P_OPTIONS("why", knl_cancel_options)),
        "integer", KNL_CHANGES,
        "Cancels active abilities, optionally with a reason, an instigator and more. Returns how "
        "many."},
    {"block_abilities", entity_block_abilities,
        PARAMS(P("tags", KNL_T_TAGS), P_OPT("source", T_ENTITY), P_OPT("key", KNL_T_INTEGER)),
        "true|nil, refusal?", KNL_CHANGES,
        "Blocks abilities with these tags until the same source lifts it with the same key, or is "
        "destroyed."},
    {"unblock_abilities", entity_unblock_abilities,
        PARAMS(P_OPT("tags", KNL_T_TAGS), P_OPT("source", T_ENTITY), P_OPT("key", KNL_T_INTEGER)),
        "true|nil, refusal?", KNL_CHANGES,
        "Lifts blocks of this source and key: those on the tags, or all. Blocks of others stay."},
    {"activate", entity_activate, PARAMS(P("ability", T_ABILITY_TYPE)),
        "kn.activation|true|nil, refusal?", KNL_CHANGES,
        "Activates the first ability of this type that can be activated."},
    {"activate_tags", entity_activate_tags, PARAMS(P("tags", KNL_T_TAGS)), "integer|nil, refusal?",
        KNL_CHANGES, "Tries to activate every ability that has all of the tags."},
    {"activations", entity_activations, NULL, "kn.activation[]", 0,
        "The active uses of its abilities, in the order they began."},
    {"grant_set", entity_grant_set, PARAMS(P("set", T_ABILITY_SET)), "true|nil, refusal?",
        KNL_CHANGES, "Grants an ability set."},
    {"revoke_set", entity_revoke_set,
        PARAMS(P("set", T_ABILITY_SET), P_ENUM("removal", removal_names, KNL_OPTIONAL)),
        "true|nil, refusal?", KNL_CHANGES, "Removes the abilities of a granted set."},
    {"cooldown", entity_cooldown, PARAMS(P("tags", KNL_T_TAGS)), "number?, number?", 0,
        "Time left and total length of the longest cooldown with these tags; nil if there is "
        "none."},
    {"bind_input", entity_bind_input, PARAMS(P("confirm", KNL_T_U32), P("cancel", KNL_T_U32)),
        "true|nil, refusal?", KNL_CHANGES,
        "Sets the inputs that confirm and cancel targeting; 0: none."},
    {"press", entity_press, PARAMS(P("input", KNL_T_U32), P_OPTIONS("event", knl_record_options)),
        "true|nil, refusal?", KNL_CHANGES,
        "Presses an input; abilities it activates receive the event."},
    {"release", entity_release, PARAMS(P("input", KNL_T_U32)), "true|nil, refusal?", KNL_CHANGES,
        "Releases an input."},
    {"confirm", entity_confirm, NULL, "true|nil, refusal?", KNL_CHANGES, "Confirms targeting."},
    {"cancel", entity_cancel, NULL, "true|nil, refusal?", KNL_CHANGES, "Cancels targeting."},
    ROWS_END,
};

// Abilities -----------------------------------------------------------------

#define ABILITY args->v[0].as.ability

static int ability_is_alive(knl_args *args)
{
    return knl_push_bool(args, kn_ability_is_alive(args->world, ABILITY));
}

static int ability_is_active(knl_args *args)
{
    return knl_push_bool(args, kn_ability_is_active(args->world, ABILITY));
}

static int ability_level(knl_args *args)
{
    return knl_push_float(args, kn_ability_level(args->world, ABILITY));
}

static int ability_type(knl_args *args)
{
    kn_ability_info info;
    if (kn_ability_get(args->world, ABILITY, &info)) {
        knl_ability_type_push(args->L, info.type);
    } else {
        lua_pushnil(args->L);
    }
    return 1;
}

static int ability_owner(knl_args *args)
{
    kn_ability_info info = {0};
    (void)kn_ability_get(args->world, ABILITY, &info);
    return knl_push_entity(args, info.owner);
}

static int ability_info(knl_args *args)
{
    kn_ability_info info;
    if (kn_ability_get(args->world, ABILITY, &info)) {
        knl_struct_push(args->L, KNL_RESULT_ABILITY_INFO, &info);
    } else {
        lua_pushnil(args->L);
    }
    return 1;
}

static int ability_set_level(knl_args *args)
{
    kn_ability_id ability = ABILITY;
    kn_result result = kn_ability_set_level(args->writable, &ability, args->v[1].as.value);
    return push_ability(args, result, ability);
}

static int ability_set_input(knl_args *args)
{
    return knl_push_result(
        args, kn_ability_set_input(args->writable, ABILITY, args->v[1].as.number));
}

static int ability_set_user(knl_args *args)
{
    return knl_push_result(
        args, kn_ability_set_user(args->writable, ABILITY, (uint64_t)args->v[1].as.integer));
}

static int ability_add_tag(knl_args *args)
{
    return knl_push_result(
        args, kn_ability_add_tag(args->writable, ABILITY, knl_tag_arg(&args->v[1])));
}

static int ability_remove_tag(knl_args *args)
{
    return knl_push_result(
        args, kn_ability_remove_tag(args->writable, ABILITY, knl_tag_arg(&args->v[1])));
}

static int ability_has_tag(knl_args *args)
{
    return knl_push_bool(args, kn_ability_has_tag(args->world, ABILITY, knl_tag_arg(&args->v[1])));
}

static int ability_caller_value(knl_args *args)
{
    return knl_push_float(args, kn_ability_caller_value(args->world, ABILITY,
                                    knl_tag_arg(&args->v[1]), knl_float_arg(&args->v[2], 0.0f)));
}

static int ability_set_caller_value(knl_args *args)
{
    return knl_push_result(args, kn_ability_set_caller_value(args->writable, ABILITY,
                                     knl_tag_arg(&args->v[1]), args->v[2].as.value));
}

static int ability_parameter(knl_args *args)
{
    return knl_push_float(
        args, kn_ability_parameter(args->world, ABILITY, (kn_name){args->v[1].as.number},
                  knl_float_arg(&args->v[2], 0.0f)));
}

static int ability_set_parameter(knl_args *args)
{
    return knl_push_result(args, kn_ability_set_parameter(args->writable, ABILITY,
                                     (kn_name){args->v[1].as.number}, args->v[2].as.value));
}

// An array of the names of reasons; nil if there is none.
static int push_reasons(knl_args *args, uint32_t reasons)
{
    lua_State *L = args->L;
    if (reasons == 0) {
        lua_pushnil(L);
        return 1;
    }
    lua_newtable(L);
    lua_Integer count = 0;
    for (uint32_t i = 0; i < 31; i++) {
        if ((reasons & 1u << i) != 0) {
            knl_fail_push(L, (kn_fail)(1u << i));
            lua_rawseti(L, -2, ++count);
        }
    }
    return 1;
}

static int ability_check(knl_args *args)
{
    kn_event_record record;
    kn_target_data data;
    if (args->v[1].is_given) {
        knl_record_take(args, &args->v[1], &record, &data);
    }
    return push_reasons(
        args, kn_ability_check(args->world, ABILITY, args->v[1].is_given ? &record : NULL));
}

static int ability_explain(knl_args *args)
{
    char text[1024];
    (void)kn_ability_explain_print(args->world, ABILITY, NULL, text, sizeof(text));
    lua_pushstring(args->L, text);
    return 1;
}

static int ability_reasons(knl_args *args)
{
    kn_refusal_line lines[32];
    uint32_t count = kn_ability_explain(args->world, ABILITY, NULL, lines, 32);
    knl_structs_push(args->L, KNL_RESULT_REASON, lines, count < 32 ? count : 32);
    return 1;
}

static int ability_activate(knl_args *args)
{
    kn_event_record record;
    kn_target_data data;
    kn_activation_id activation = {0};
    if (args->v[1].is_given) {
        knl_record_take(args, &args->v[1], &record, &data);
    }
    kn_result result = kn_ability_activate(
        args->writable, ABILITY, args->v[1].is_given ? &record : NULL, &activation);
    return push_activation(args, result, activation);
}

static int ability_cancel(knl_args *args)
{
    return knl_push_result(args, kn_ability_cancel(args->writable, ABILITY));
}

static int ability_revoke(knl_args *args)
{
    return knl_push_result(
        args, kn_ability_revoke(args->writable, ABILITY, removal_arg(&args->v[1])));
}

static int ability_remove(knl_args *args)
{
    return knl_push_result(
        args, kn_ability_remove(args->writable, ABILITY, removal_arg(&args->v[1])));
}

static int ability_quote(knl_args *args)
{
    kn_cost_quote quotes[32];
    uint32_t count = kn_ability_quote(args->world, ABILITY, quotes, 32);
    knl_structs_push(args->L, KNL_RESULT_PRICE, quotes, count < 32 ? count : 32);
    return 1;
}

static int ability_cooldowns(knl_args *args)
{
    kn_cooldown_info infos[32];
    uint32_t count = kn_ability_cooldowns(args->world, ABILITY, infos, 32);
    knl_structs_push(args->L, KNL_RESULT_COOLDOWN, infos, count < 32 ? count : 32);
    return 1;
}

static int ability_cooldown(knl_args *args)
{
    kn_time remaining = 0, total = 0;
    bool found = kn_ability_cooldown(args->world, ABILITY, &remaining, &total);
    return push_times(args, found, remaining, total);
}

static int ability_charges(knl_args *args)
{
    kn_cooldown_info info;
    if (kn_ability_charges(args->world, ABILITY, knl_tag_arg(&args->v[1]), &info)) {
        knl_struct_push(args->L, KNL_RESULT_COOLDOWN, &info);
    } else {
        lua_pushnil(args->L);
    }
    return 1;
}

static int ability_add_charges(knl_args *args)
{
    int64_t charges = args->v[1].as.integer;
    charges = charges > 65535 ? 65535 : charges < -65535 ? -65535 : charges;
    return knl_push_result(args, kn_ability_add_charges(args->writable, ABILITY,
                                     knl_tag_arg(&args->v[2]), (int32_t)charges));
}

static int ability_reset_cooldown(knl_args *args)
{
    return knl_push_result(
        args, kn_ability_reset_cooldown(args->writable, ABILITY, knl_tag_arg(&args->v[1])));
}

static int ability_change_cooldown(knl_args *args)
{
    return knl_push_result(
        args, kn_ability_change_cooldown(args->writable, ABILITY, knl_tag_arg(&args->v[2]),
                  args->v[1].as.time, knl_time_arg(&args->v[3], 0)));
}

static int ability_scale_cooldown(knl_args *args)
{
    return knl_push_result(args, kn_ability_scale_cooldown(args->writable, ABILITY,
                                     knl_tag_arg(&args->v[2]), args->v[1].as.value));
}

static const knl_row ability_rows[] = {
    {"is_alive", ability_is_alive, NULL, "boolean", 0, "False once it is removed."},
    {"is_active", ability_is_active, NULL, "boolean", 0, "True while it is active."},
    {"type", ability_type, NULL, "string?", 0, "Its name."},
    {"owner", ability_owner, NULL, "kn.entity?", 0, "The entity that has it."},
    {"level", ability_level, NULL, "number", 0, "Its level."},
    {"info", ability_info, NULL, "kn.ability_info?", 0, "A table with everything about it."},
    {"set_level", ability_set_level, PARAMS(P("level", KNL_T_NUMBER)), "kn.ability|nil, refusal?",
        KNL_CHANGES, "Sets its level; its id may change."},
    {"set_input", ability_set_input, PARAMS(P("input", KNL_T_U32)), "true|nil, refusal?",
        KNL_CHANGES, "Binds it to an input; 0: none."},
    {"set_user", ability_set_user, PARAMS(P("user", KNL_T_INTEGER)), "true|nil, refusal?",
        KNL_CHANGES, "Sets the host's 64 bits."},
    {"add_tag", ability_add_tag, PARAMS(P("tag", T_TAG)), "true|nil, refusal?", KNL_CHANGES,
        "Adds a tag."},
    {"remove_tag", ability_remove_tag, PARAMS(P("tag", T_TAG)), "true|nil, refusal?", KNL_CHANGES,
        "Removes a tag."},
    {"has_tag", ability_has_tag, PARAMS(P("tag", T_TAG)), "boolean", 0,
        "True if it has the tag or a tag below it."},
    {"caller_value", ability_caller_value, PARAMS(P("tag", T_TAG), P_OPT("fallback", KNL_T_NUMBER)),
        "number", 0, "A caller value that is passed to its effects."},
    {"set_caller_value", ability_set_caller_value,
        PARAMS(P("tag", T_TAG), P("value", KNL_T_NUMBER)), "true|nil, refusal?", KNL_CHANGES,
        "Sets a caller value that is passed to its effects."},
    {"parameter", ability_parameter, PARAMS(P("name", T_NAME), P_OPT("fallback", KNL_T_NUMBER)),
        "number", 0, "A parameter that is passed to its effects."},
    {"set_parameter", ability_set_parameter, PARAMS(P("name", T_NAME), P("value", KNL_T_NUMBER)),
        "true|nil, refusal?", KNL_CHANGES, "Sets a parameter that is passed to its effects."},
    {"check", ability_check, PARAMS(P_OPTIONS("event", knl_record_options)), "string[]?", 0,
        "All reasons why it cannot be activated now; nil if there are none."},
    {"explain", ability_explain, NULL, "string", 0, "The same reasons as a sentence with numbers."},
    {"reasons", ability_reasons, NULL, "kn.reason[]", 0, "The same reasons as tables."},
    {"activate", ability_activate, PARAMS(P_OPTIONS("event", knl_record_options)),
        "kn.activation|true|nil, refusal?", KNL_CHANGES, "Activates it, with or without an event."},
    {"cancel", ability_cancel, NULL, "true|nil, refusal?", KNL_CHANGES, "Cancels its active uses."},
    {"revoke", ability_revoke, PARAMS(P_ENUM("removal", removal_names, KNL_OPTIONAL)),
        "true|nil, refusal?", KNL_CHANGES, "Removes one grant."},
    {"remove", ability_remove, PARAMS(P_ENUM("removal", removal_names, KNL_OPTIONAL)),
        "true|nil, refusal?", KNL_CHANGES, "Removes it, however often it was granted."},
    {"quote", ability_quote, NULL, "kn.price[]", 0, "Its current cost."},
    {"cooldowns", ability_cooldowns, NULL, "kn.cooldown[]", 0, "Its cooldowns."},
    {"cooldown", ability_cooldown, NULL, "number?, number?", 0,
        "Time left and total length of its longest cooldown; nil if there is none."},
    {"charges", ability_charges, PARAMS(P_OPT("key", T_TAG)), "kn.cooldown?", 0,
        "Its own charges, or those shared under a key."},
    {"add_charges", ability_add_charges, PARAMS(P("charges", KNL_T_INTEGER), P_OPT("key", T_TAG)),
        "true|nil, refusal?", KNL_CHANGES, "Adds charges; a negative number removes them."},
    {"reset_cooldown", ability_reset_cooldown, PARAMS(P_OPT("key", T_TAG)), "true|nil, refusal?",
        KNL_CHANGES, "Restores all charges and stops the recharge."},
    {"change_cooldown", ability_change_cooldown,
        PARAMS(P("seconds", KNL_T_SECONDS), P_OPT("key", T_TAG), P_OPT("floor", KNL_T_SECONDS)),
        "true|nil, refusal?", KNL_CHANGES,
        "Adds to the time left; `floor` is the minimum that remains."},
    {"scale_cooldown", ability_scale_cooldown,
        PARAMS(P("factor", KNL_T_NUMBER), P_OPT("key", T_TAG)), "true|nil, refusal?", KNL_CHANGES,
        "Multiplies the time left."},
    ROWS_END,
};

const knl_class knl_class_ability = {"ability",
    "An ability granted to an entity. Ids are integers; nil means none.", NULL, {ability_rows}, 0,
    0};

// Activations ---------------------------------------------------------------

#define ACTIVATION args->v[0].as.activation

static int activation_is_alive(knl_args *args)
{
    return knl_push_bool(args, kn_activation_is_alive(args->world, ACTIVATION));
}

static int activation_apply(knl_args *args)
{
    kn_effect_apply_def def;
    kn_effect_context context;
    kn_target_data data;
    knl_apply_take(args, &args->v[3], &def, &context, &data);
    def.type.index1 = args->v[1].as.number;
    def.target = args->v[2].as.entity;
    kn_effect_id effect;
    kn_effect_refusal refusal = {0};
    def.refusal = &refusal;
    kn_result result = kn_activation_apply_def(args->writable, ACTIVATION, &def, &effect);
    return knl_push_applied(args, result, effect, &refusal);
}

static int commit_part(knl_args *args, kn_commit_part part)
{
    kn_tag_set *tags = args->v[1].is_given ? &args->sets[0] : NULL;
    return knl_push_result(
        args, kn_activation_commit_tagged(args->writable, ACTIVATION, part, tags));
}

static int activation_commit(knl_args *args)
{
    return commit_part(args, KN_COMMIT_ALL);
}

static int activation_commit_cost(knl_args *args)
{
    return commit_part(args, KN_COMMIT_COST);
}

static int activation_commit_cooldown(knl_args *args)
{
    return commit_part(args, KN_COMMIT_COOLDOWN);
}

static int activation_commit_cooldown_key(knl_args *args)
{
    return knl_push_result(args,
        kn_activation_commit_cooldown_key(args->writable, ACTIVATION, knl_tag_arg(&args->v[1])));
}

static int activation_paid(knl_args *args)
{
    return knl_push_float(
        args, kn_activation_paid(args->world, ACTIVATION, knl_attribute_arg(&args->v[1])));
}

static int activation_refund(knl_args *args)
{
    return knl_push_result(
        args, kn_activation_refund(args->writable, ACTIVATION, args->v[1].as.value));
}

static int activation_finish(knl_args *args)
{
    return knl_push_result(args, kn_activation_end(args->writable, ACTIVATION));
}

static int activation_cancel(knl_args *args)
{
    kn_cancel cancel = cancel_take(args, &args->v[1]);
    return knl_push_result(args, kn_activation_cancel_with(args->writable, ACTIVATION, &cancel));
}

static int activation_set_cancelable(knl_args *args)
{
    return knl_push_result(
        args, kn_activation_set_cancelable(args->writable, ACTIVATION, args->v[1].as.flag));
}

static int activation_set_blocking(knl_args *args)
{
    return knl_push_result(
        args, kn_activation_set_blocking(args->writable, ACTIVATION, args->v[1].as.flag));
}

static int activation_seed(knl_args *args)
{
    return knl_push_count(args, kn_activation_seed(args->world, ACTIVATION));
}

static int activation_random(knl_args *args)
{
    return knl_push_float(
        args, kn_activation_random(args->world, ACTIVATION, knl_u32_arg(&args->v[1], 0)));
}

static int activation_tasks(knl_args *args)
{
    uint32_t count = kn_tasks(args->world, ACTIVATION, NULL, 0);
    kn_task_id *found = ids_push(args->L, count);
    (void)kn_tasks(args->world, ACTIVATION, found, count);
    knl_ids_push(args->L, KNL_ID_TASK, found, count);
    return 1;
}

static int activation_find_task(knl_args *args)
{
    kn_name name = {args->v[1].as.number};
    kn_task_id task = kn_task_find(args->world, ACTIVATION, name);
    KNL_PUSH_ID(args->L, KNL_ID_TASK, task);
    return 1;
}

const knl_row knl_activation_rows[] = {
    {"is_alive", activation_is_alive, NULL, "boolean", 0, "False once it has ended."},
    {"apply", activation_apply,
        PARAMS(P("effect", T_EFFECT_TYPE), P("target", T_ENTITY),
            P_OPTIONS("options", knl_apply_options)),
        "kn.effect|true|nil, refusal?, kn.effect_refusal?", KNL_CHANGES,
        "Applies an effect on behalf of the ability, with its source, level and caller values."},
    {"commit", activation_commit, PARAMS(P_OPT("tags", KNL_T_TAGS)), "true|nil, refusal?",
        KNL_CHANGES,
        "Pays the cost and starts the cooldowns; the tags are published with the commit event."},
    {"commit_cost", activation_commit_cost, PARAMS(P_OPT("tags", KNL_T_TAGS)), "true|nil, refusal?",
        KNL_CHANGES, "Pays the cost."},
    {"commit_cooldown", activation_commit_cooldown, PARAMS(P_OPT("tags", KNL_T_TAGS)),
        "true|nil, refusal?", KNL_CHANGES, "Starts the cooldowns."},
    {"commit_cooldown_key", activation_commit_cooldown_key, PARAMS(P_OPT("key", T_TAG)),
        "true|nil, refusal?", KNL_CHANGES,
        "Starts one cooldown: the one with this key, or without a key the ability's own."},
    {"paid", activation_paid, PARAMS(P("attribute", T_ATTRIBUTE)), "number", 0,
        "How much of an attribute it has paid."},
    {"refund", activation_refund, PARAMS(P("share", KNL_T_NUMBER)), "true|nil, refusal?",
        KNL_CHANGES, "Refunds a share, 0 to 1, of what was paid."},
    {"finish", activation_finish, NULL, "true|nil, refusal?", KNL_CHANGES, "Ends it normally."},
    {"cancel", activation_cancel, PARAMS(P_OPTIONS("why", knl_cancel_options)),
        "true|nil, refusal?", KNL_CHANGES,
        "Cancels it, optionally with a reason, an instigator and more, for those who hear of it."},
    {"set_cancelable", activation_set_cancelable, PARAMS(P("is_cancelable", KNL_T_BOOL)),
        "true|nil, refusal?", KNL_CHANGES, "Sets whether it can be cancelled."},
    {"set_blocking", activation_set_blocking, PARAMS(P("is_blocking", KNL_T_BOOL)),
        "true|nil, refusal?", KNL_CHANGES, "Turns its blocking of other abilities on or off."},
    {"seed", activation_seed, NULL, "integer", 0,
        "A seed for random numbers, the same on server and client."},
    {"random", activation_random, PARAMS(P_OPT("index", KNL_T_U32)), "number", 0,
        "A number from 0 up to, but not including, 1 for this activation and an index (default 0), "
        "the same on server and client. 0 once it has ended."},
    {"tasks", activation_tasks, NULL, "kn.task[]", 0, "Its tasks, in the order they were created."},
    {"find_task", activation_find_task, PARAMS(P("name", T_NAME)), "kn.task?", 0,
        "Its first task with this name."},
    ROWS_END,
};

static int activation_ability(knl_args *args)
{
    KNL_PUSH_ID(args->L, KNL_ID_ABILITY, kn_activation_ability(args->world, ACTIVATION));
    return 1;
}

static int activation_owner(knl_args *args)
{
    return knl_push_entity(args, kn_activation_owner(args->world, ACTIVATION));
}

static int activation_start(knl_args *args)
{
    knl_seconds_push(args->L, kn_activation_start(args->world, ACTIVATION));
    return 1;
}

static int activation_event(knl_args *args)
{
    kn_event_record record;
    if (kn_activation_event(args->world, ACTIVATION, &record)) {
        knl_struct_push(args->L, KNL_RESULT_EVENT, &record);
    } else {
        lua_pushnil(args->L);
    }
    return 1;
}

// A running ability has these as fields.
static const knl_row activation_more[] = {
    {"ability", activation_ability, NULL, "kn.ability?", 0, "The ability it is a use of."},
    {"owner", activation_owner, NULL, "kn.entity?", 0, "The entity whose ability it is."},
    {"start", activation_start, NULL, "number", 0, "When it began."},
    {"event", activation_event, NULL, "kn.event?", 0, "The event that triggered it."},
    ROWS_END,
};

const knl_class knl_class_activation = {"activation",
    "One active use of an ability. Ids are integers; nil means none.", NULL,
    {activation_more, knl_activation_rows}, 0, 0};
