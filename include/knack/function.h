// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Functions that games and kits give to scripts. A function is a name, a table of arguments, a
/// table of results and code in C that sees both as plain structs; nothing in it knows which
/// language calls it. Scripts of a library have its functions as they have ours: arguments are
/// checked before the code runs, `knack check` finds misspelt names, and the reference and the
/// annotations for editors list them.
///
///   typedef struct ammo_arguments {
///       kn_entity_id entity;
///       uint32_t rounds;
///   } ammo_arguments;
///   typedef struct ammo_results {
///       uint32_t loaded;
///   } ammo_results;
///
///   static const kn_def_field ammo_fields[] = {
///       KN_DEF_F(ammo_arguments, entity, KN_FIELD_ENTITY, NULL),
///       KN_DEF_F(ammo_arguments, rounds, KN_FIELD_U32, "How many to load; default all."),
///   };
///   static const kn_def_table ammo_table = {
///       "ammo_arguments", sizeof(ammo_arguments), ammo_fields, 2, NULL};
///
///   static kn_result ammo_load(void *user, const kn_function_call *call)
///   {
///       const ammo_arguments *a = call->arguments;
///       ammo_results *r = call->results;
///       return magazine_load(call->writable, a->entity, a->rounds, &r->loaded);
///   }
///
///   kn_function_def def = kn_function_def_default();
///   def.name = "entity:load_ammo"; // in Lua: local loaded = gunner:load_ammo(6)
///   def.arguments = &ammo_table;
///   def.required = 1;
///   def.results = &ammo_result_table;
///   def.flags = KN_FUNCTION_CHANGES | KN_FUNCTION_REFUSES;
///   def.function = ammo_load;
///   kn_result result = kn_function_register(library, &def, &error);
#ifndef KNACK_FUNCTION_H
#define KNACK_FUNCTION_H

#include "knack/kind.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most arguments of a function, the one it is called on included.
#define KN_FUNCTION_ARGUMENTS_MAX 8
/// Most bytes of the arguments, and of the results, of a function.
#define KN_FUNCTION_SIZE_MAX 1024
/// Most entities of an argument that is a list.
#define KN_FUNCTION_ENTITIES_MAX 64
/// Most functions of one library.
#define KN_FUNCTION_MAX 1024

/// What a function is, as bits.
typedef enum kn_function_flag {
    KN_FUNCTION_CHANGES = 1 << 0, ///< it changes the world: calls that may only read cannot use it
    KN_FUNCTION_REFUSES = 1 << 1, ///< it may be refused: scripts then get nil and the reason
    KN_FUNCTION_FLAGS = 3,        ///< all of the bits above
} kn_function_flag;

/// What scripts get of the results.
typedef enum kn_function_form {
    KN_FUNCTION_VALUES, ///< the fields, as that many results
    KN_FUNCTION_TABLE,  ///< one table with the fields
    /// A list of tables with the fields: the function calls kn_function_add() for each.
    KN_FUNCTION_LIST,
    KN_FUNCTION_VALUE_LIST, ///< as KN_FUNCTION_LIST, but a list of the values of the first field
    KN_FUNCTION_FORM_COUNT, ///< number of the values above; not a value itself
} kn_function_form;

/// Takes one element of a list; see kn_function_add().
typedef void kn_function_add_fn(void *context, const void *element);

/// One call of a function. Valid during the call.
typedef struct kn_function_call {
    const kn_world *world; ///< the world
    kn_world *writable;    ///< the same for functions with KN_FUNCTION_CHANGES; otherwise NULL
    /// The struct of the arguments. Those that were left out have what `init` of the table writes,
    /// otherwise zeroes. NULL without arguments. Texts and tags in it are valid during the call.
    const void *arguments;
    uint32_t given; ///< a bit for each argument that was not left out, in the order of the table
    /// The struct of the results, zeroed; NULL for lists and without results. Texts in it must be
    /// valid until the world is called again.
    void *results;
    kn_function_add_fn *add; ///< takes elements of a list; call kn_function_add() instead
    void *context;           ///< passed to `add`
} kn_function_call;

/// A function in C. It is a rule: it must be deterministic, and keeps no state outside of the
/// world.
/// @return KN_OK; what else it returns is passed on to the script: refusals as nil and their name,
///         errors as errors
typedef kn_result kn_function_fn(void *user, const kn_function_call *call);

/// A function for scripts. Start from kn_function_def_default().
typedef struct kn_function_def {
    /// What scripts call: `entity:name` for something of an entity, and so on for `effect`,
    /// `ability` and `activation`; `module.name` for a function of a module of its own, such as
    /// `ammo.types`. Letters a-z, digits and `_`; required.
    const char *name;
    const char *text; ///< what it does, one or more sentences; may be NULL
    /// The arguments in their order; the first one is what the function is called on, if its name
    /// has a colon. Each is a KN_FIELD_BOOL, _U32, _I32, _I64, _F32, _TIME, _VEC3, _ENTITY,
    /// _EFFECT, _ABILITY, _ACTIVATION, _TAG or _ATTRIBUTE, a KN_DEF_FIELD_STRING, _REF, _ENUM or
    /// _TAGS, or, as the last one, a KN_DEF_FIELD_STRUCT: a table of options, which may all be
    /// left out. One of them may be a list of entities: a KN_DEF_FIELD_ARRAY whose table has one
    /// field, a KN_FIELD_ENTITY. Own kinds and enums that fields name are registered before.
    /// Copied. NULL: none.
    const kn_def_table *arguments;
    uint32_t required; ///< how many arguments, from the first on, must be given; default 0
    /// The results; the same kinds of fields as for arguments, without structs inside. The name of
    /// the table is that of the table in scripts, such as `cast_info`. Copied. NULL: the function
    /// returns true.
    const kn_def_table *results;
    kn_function_form form;    ///< what scripts get of the results; default values
    uint32_t flags;           ///< kn_function_flag bits; default none
    kn_function_fn *function; ///< the code; required
    void *user;               ///< passed to `function`
    uint32_t cookie;          ///< set by kn_function_def_default(); do not change it
} kn_function_def;

/// A function with nothing set.
KN_API kn_function_def kn_function_def_default(void);
/// Registers a function for scripts. Scripts have what the library had when they were created
/// (knack/script.h), so register functions together with what they are about.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken, and for another table of results
///         with the name of an earlier one; KN_REFUSED_LIMIT beyond KN_FUNCTION_MAX;
///         KN_ERROR_BAD_DATA for a name or table that makes no sense; KN_ERROR_WORLD_LOCKED once
///         the library is finished; KN_ERROR_INVALID_ARGUMENT for a def without its defaults;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_function_register(
    kn_library *library, const kn_function_def *def, kn_error *error);
/// How many functions are registered; 0 for NULL.
KN_API uint32_t kn_function_count(const kn_library *library);
/// A function by index, from 0, in order of registration; it belongs to the library. NULL past the
/// end.
KN_API const kn_function_def *kn_function_get_def(const kn_library *library, uint32_t index);

/// Adds an element to the list that a function returns.
/// @param element the struct of the results; copied, but texts in it must be valid until the world
///                is called again
static inline void kn_function_add(const kn_function_call *call, const void *element)
{
    call->add(call->context, element);
}

#ifdef __cplusplus
}
#endif

#endif
