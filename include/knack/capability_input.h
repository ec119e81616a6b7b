// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Input for capabilities: named actions, mapping contexts, controllers, and the way from a key of
/// the player to a hook. Part of knack::capability.
///
/// What a player does are **actions**, such as Move or Jump, each with a value: a button, or one to
/// three axes. Contexts map keys to actions; which of them count is up to the capabilities that are
/// bound at the moment:
///
///   input_actions:
///     Move: {kind: axis2}
///     Jump: {kind: button, once: true}
///   input_contexts:
///     OnFoot:
///       priority: 10
///       mappings:
///         - {key: W, action: Move, axis: y}
///         - {key: S, action: Move, axis: y, scale: -1}
///         - {key: Space, action: Jump}
///   capabilities:
///     Walk:
///       inputs: [{action: Move}]
///       contexts: [OnFoot]
///       input: {script: walk_input}
///
/// The game says who controls an entity, on the server: kn_entity_set_connection(), then
/// kn_capability_set_controller(). From then on the capabilities of the entity that take input are
/// bound, on the server and on the client of that player.
///
/// Keys are the host's: a kn_input_mapper turns them into commands `Knack.Action`, which are
/// carried out on the client, as a prediction, and on the server alike. Each run of a set makes
/// events of what is held (kn_input_trigger) and calls the hook `input` of the capabilities that
/// are bound to them, in their order.
///
///   kn_input_key_named(mapper, "W", is_down ? 1.0f : 0.0f);
///   ...
///   result = kn_input_mapper_serve(mapper, kn_client_world(client), &hero, 1);
///   uint32_t count = kn_input_mapper_commands(mapper, commands, 16);
///   for (uint32_t i = 0; i < count; i++) {
///       result = kn_client_command(client, &commands[i], NULL, NULL);
///   }
#ifndef KNACK_CAPABILITY_INPUT_H
#define KNACK_CAPABILITY_INPUT_H

#include "knack/kind.h"
#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_input_action_id)
KN_TYPE_ID(kn_input_context_id)

// Actions -----------------------------------------------------------------------

/// What values an action has. Other axes than its own are 0.
typedef enum kn_input_kind {
    KN_INPUT_KIND_BUTTON, ///< `x` is 1 while it is held; otherwise 0
    KN_INPUT_KIND_AXIS,   ///< `x`
    KN_INPUT_KIND_AXIS2,  ///< `x` and `y`
    KN_INPUT_KIND_AXIS3,  ///< `x`, `y` and `z`
    KN_INPUT_KIND_COUNT,  ///< number of the values above; not a value itself
} kn_input_kind;

/// What happens to an action, in runs of the set of a capability. While it is held, a run has one
/// of `triggered` and `ongoing`. A press that began and ended between two runs has its events in
/// the next one.
typedef enum kn_input_trigger {
    KN_INPUT_TRIGGER_STARTED,   ///< its value left 0
    KN_INPUT_TRIGGER_ONGOING,   ///< it is held, and not triggered in this run
    KN_INPUT_TRIGGER_TRIGGERED, ///< it is held for long enough; see kn_input_action_def
    KN_INPUT_TRIGGER_CANCELED,  ///< it ended without having been triggered; the value is 0
    KN_INPUT_TRIGGER_COMPLETED, ///< it ended after it was triggered; the value is 0
    KN_INPUT_TRIGGER_COUNT,     ///< number of the values above; not a value itself
} kn_input_trigger;

/// An input action, in data files under `input_actions`. Start from kn_input_action_def_default().
typedef struct kn_input_action_def {
    const char *name;   ///< unique name; required
    kn_input_kind kind; ///< what values it has; default button
    /// How long it is held before it is triggered, from 0; default 0: at once.
    kn_time hold;
    bool once; ///< it is triggered once each time it is held; default false: again and again
    /// Time between two triggers while it is held, from 0; default 0: in every run.
    kn_time repeat;
    float deadzone;  ///< values up to this length count as 0, from 0; default 0
    float limit;     ///< longer values are shortened to this length, from 0; default 0: any length
    uint32_t cookie; ///< set by kn_input_action_def_default(); do not change it
} kn_input_action_def;

/// A def with the defaults named above.
KN_API kn_input_action_def kn_input_action_def_default(void);
/// Registers an action.
/// @return KN_OK; KN_ERROR_BAD_DATA for times or lengths below 0; KN_REFUSED_DUPLICATE for a name
///         that is taken; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a library
///         without the kit; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_input_action_register(
    kn_library *library, const kn_input_action_def *def, kn_input_action_id *id, kn_error *error);
/// The action with this name. Null when there is none; a finished library then logs a warning, once
/// per name.
KN_API kn_input_action_id kn_input_action_find(const kn_library *library, const char *name);
/// The def of an action as registered; it belongs to the library. NULL when unknown.
KN_API const kn_input_action_def *kn_input_action_get_def(
    const kn_library *library, kn_input_action_id id);

// Contexts ----------------------------------------------------------------------

/// Where the value of a key goes.
typedef enum kn_input_axis {
    KN_INPUT_AXIS_X,     ///< `x` of the action
    KN_INPUT_AXIS_Y,     ///< `y` of the action
    KN_INPUT_AXIS_Z,     ///< `z` of the action
    KN_INPUT_AXIS_COUNT, ///< number of the values above; not a value itself
} kn_input_axis;

/// A key that is mapped to an action. Start from kn_input_mapping_default(). Several keys of one
/// action are added up.
typedef struct kn_input_mapping {
    const char *key; ///< name of the key, such as `Space`; NULL: see `number`
    uint32_t number; ///< number of the key, below KN_INPUT_KEYS_NAMED; 0: see `key`, or none
    kn_input_action_id action; ///< the action; required
    kn_input_axis axis;        ///< where its value goes; default x
    float scale; ///< factor of its value; below 0 it is the other way round; default 1
    /// Values of the key up to this count as 0, and those beyond grow from there, 0 to less than 1;
    /// default 0.
    float deadzone;
} kn_input_mapping;

/// A mapping with the defaults named above.
KN_API kn_input_mapping kn_input_mapping_default(void);

/// Most mappings of a context.
#define KN_INPUT_MAPPINGS_MAX 256

/// A mapping context, in data files under `input_contexts`: keys that count while a capability uses
/// it. Start from kn_input_context_def_default().
typedef struct kn_input_context_def {
    const char *name; ///< unique name; required
    /// A key that contexts of higher priority map does nothing in this one; default 0.
    int32_t priority;
    const kn_input_mapping *mappings; ///< what keys do; at most 256
    uint32_t mapping_count;           ///< number of entries in `mappings`
    uint32_t cookie;                  ///< set by kn_input_context_def_default(); do not change it
} kn_input_context_def;

/// A def with nothing set.
KN_API kn_input_context_def kn_input_context_def_default(void);
/// Registers a context.
/// @return as kn_input_action_register(); KN_ERROR_BAD_DATA for a mapping without an action, with
///         both a name and a number of the key, an axis that its action does not have, or a number
///         that makes no sense
KN_API KN_MUST_USE kn_result kn_input_context_register(
    kn_library *library, const kn_input_context_def *def, kn_input_context_id *id, kn_error *error);
/// The context with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_input_context_id kn_input_context_find(const kn_library *library, const char *name);
/// The def of a context as registered; it belongs to the library. NULL when unknown.
KN_API const kn_input_context_def *kn_input_context_get_def(
    const kn_library *library, kn_input_context_id id);

// Bindings of capabilities ------------------------------------------------------------

/// What a capability hears of an action, in kn_capability_def. Start from
/// kn_capability_input_default().
typedef struct kn_capability_input {
    kn_input_action_id action; ///< the action; a null one is passed over, with a warning
    kn_input_trigger on;       ///< what happens to it; default triggered
} kn_capability_input;

/// Nothing bound to `triggered`.
KN_API kn_capability_input kn_capability_input_default(void);

/// Who controls an entity: an entity, a number of the game, or both.
typedef struct kn_controller {
    kn_entity_id entity; ///< an entity, such as one for the player; may be null
    uint32_t number;     ///< a number, such as that of the player; 0 for none
    uint32_t version;    ///< how often control was given or taken so far; set by the kit
} kn_controller;

/// Arguments passed to the hooks `input`, `controller_attached`, `controller_detached` and `bind`
/// of a capability. The entity is that of the kn_hook_call.
typedef struct kn_capability_input_call {
    uint32_t number;           ///< which capability of the entity: see kn_capability_state()
    uint32_t set_number;       ///< which set of the entity it belongs to
    kn_input_action_id action; ///< `input`: the action
    kn_input_trigger on;       ///< `input`: what happened to it
    kn_vec3 value;             ///< `input`: its value
    /// `input`, an answer: 1 keeps the event from capabilities that follow in the order.
    uint32_t consumed;
    /// Who controls the entity; for `controller_detached` who did.
    kn_controller controller;
} kn_capability_input_call;

/// Tells the capabilities of an entity who controls it, once their set and the controller are
/// there, whichever comes first. For each of those that take input and run on this machine, in
/// their order: `controller_attached` is called, its `inputs` and `contexts` are bound, `bind` is
/// called, its contexts are on. The same controller again changes nothing; another one takes over
/// as after kn_capability_remove_controller(). Actions that are held begin anew.
///
/// It is a part of the state that the server sends to the client of the player. From a hook of one
/// of the entity's capabilities it takes effect when the run is over.
/// @return KN_OK; KN_REFUSED_STALE_ID for an entity or controller that is gone; KN_REFUSED_DYING;
///         KN_REFUSED_BLOCKED on a client, unless its capabilities are KN_CAPABILITY_MODE_LOCAL;
///         KN_ERROR_INVALID_ARGUMENT without an entity or number; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_set_controller(
    kn_world *world, kn_entity_id entity, kn_controller controller);
/// Tells the capabilities of an entity that nobody controls it any more, also when the entity of
/// the controller is destroyed. For each that is bound, from the last to the first: its contexts
/// are off, its bindings go, `controller_detached` is called. It stays active. What was held is
/// forgotten, without further events.
/// @return as kn_capability_set_controller(); KN_OK if nobody does
KN_API kn_result kn_capability_remove_controller(kn_world *world, kn_entity_id entity);
/// Who controls an entity, as far as this machine knows; false if nobody does. `controller` may be
/// NULL.
KN_API bool kn_capability_get_controller(
    const kn_world *world, kn_entity_id entity, kn_controller *controller);

/// Binds a capability to an action, mostly from its hook `bind`, until the controller or the
/// capability goes. What is bound already stays so.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for a capability that is not there, and for a null or
///         unknown action, which is reported (KN_CAPABILITY_FAULT_BINDING); KN_REFUSED_BLOCKED
///         while it has no controller; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for an
///         unknown trigger; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_bind_action(kn_world *world, kn_entity_id entity, uint32_t number,
    kn_input_action_id action, kn_input_trigger on);
/// Binds a capability to a context in the same way.
/// @return as kn_capability_bind_action()
KN_API kn_result kn_capability_bind_context(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_input_context_id context);
/// Switches the contexts of a capability on. They are on once it is bound.
/// @return KN_OK, also if they are; KN_REFUSED_NOT_FOUND; KN_REFUSED_BLOCKED while it has no
///         controller; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_use_input(kn_world *world, kn_entity_id entity, uint32_t number);
/// Switches the contexts of a capability off; it stays bound to its actions.
/// @return as kn_capability_use_input()
KN_API kn_result kn_capability_stop_input(kn_world *world, kn_entity_id entity, uint32_t number);
/// True while a capability is bound: it runs on this machine, takes input and has a controller.
KN_API bool kn_capability_is_bound(const kn_world *world, kn_entity_id entity, uint32_t number);
/// The contexts that capabilities of an entity use now, each once: those of higher priority first,
/// equal ones in the order of the capabilities. Returns how many there are; at most `capacity` are
/// written.
KN_API uint32_t kn_capability_contexts(
    const kn_world *world, kn_entity_id entity, kn_input_context_id *out, uint32_t capacity);

/// Payload of the command `Knack.Action`: a new value of an action, for the connection that
/// controls the entity. It is kept until the next one. Refused with KN_REFUSED_BLOCKED for an
/// entity without a controller, KN_REFUSED_NOT_FOUND without an action, KN_REFUSED_STALE_ID,
/// KN_REFUSED_DYING.
typedef struct kn_action_command {
    kn_input_action_id action; ///< the action
    kn_vec3 value;             ///< its new value; 0: it is not held any more
} kn_action_command;

/// The value that an action of an entity has now; 0 if it is not held. For capabilities that look
/// at it in their `tick`.
KN_API kn_vec3 kn_capability_action_value(
    const kn_world *world, kn_entity_id entity, kn_input_action_id action);
/// When an action that is held began to be; KN_TIME_INFINITE if it is not held.
KN_API kn_time kn_capability_action_since(
    const kn_world *world, kn_entity_id entity, kn_input_action_id action);

// The mapper ----------------------------------------------------------------------------

/// Keys of the player and what they do: no part of the state, and nothing that the simulation
/// knows. One for each player of this machine.
typedef struct kn_input_mapper kn_input_mapper;

/// From this number on, keys have names: kn_input_key_number().
#define KN_INPUT_KEYS_NAMED UINT32_C(0x80000000)
/// Most bytes of the name of a key, its final zero included.
#define KN_INPUT_KEY_NAME_MAX 64

/// A mapper. Start from kn_input_mapper_def_default().
typedef struct kn_input_mapper_def {
    const kn_library *library; ///< a finished library with the kit; required
    uint32_t connection;       ///< connection of the player, for its commands; default 0
    uint32_t cookie;           ///< set by kn_input_mapper_def_default(); do not change it
} kn_input_mapper_def;

/// A def with nothing set.
KN_API kn_input_mapper_def kn_input_mapper_def_default(void);
/// Creates a mapper without keys, with the mappings of the library.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library that is
///         not finished or without the kit; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_input_mapper_create(
    const kn_input_mapper_def *def, kn_input_mapper **mapper);
/// Destroys a mapper; NULL is fine.
KN_API void kn_input_mapper_destroy(kn_input_mapper *mapper);

/// The number of a key with a name, from KN_INPUT_KEYS_NAMED; the same for the same name. 0 for a
/// name that is empty, too long, begins with `#`, begins or ends with a space or has control
/// characters, and without memory.
KN_API uint32_t kn_input_key_number(kn_input_mapper *mapper, const char *name);
/// Says what a key has now: 1 for a button that is down, 0 for one that is up, and whatever an axis
/// has. It stays until the next call.
/// @return KN_OK; KN_REFUSED_BAD_NUMBER, with nothing changed, for a number that is not finite;
///         KN_ERROR_INVALID_ARGUMENT for key 0 and for a number that no name has;
///         KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_input_key(kn_input_mapper *mapper, uint32_t key, float value);
/// The same by name.
/// @return as kn_input_key()
KN_API kn_result kn_input_key_named(kn_input_mapper *mapper, const char *name, float value);
/// Lets go of all keys, such as when the window loses the focus.
KN_API void kn_input_release_keys(kn_input_mapper *mapper);

/// Sets the entities of the player, and reads which contexts these entities use: once per frame.
/// Keys that were down before a context came, or that a context of higher priority took while they
/// were down, do not press its buttons until they are pressed again; axes go on. Entities that are
/// not named any more are forgotten without a command.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a world with another library;
///         KN_ERROR_OUT_OF_MEMORY, with nothing changed
KN_API KN_MUST_USE kn_result kn_input_mapper_serve(
    kn_input_mapper *mapper, const kn_world *world, const kn_entity_id *entities, uint32_t count);
/// The commands for all actions whose values have changed since the last call: to be issued with
/// kn_world_command() or kn_client_command(). What does not fit comes with the next call. Payloads
/// are valid until the next call for the mapper.
/// @return how many were written, at most `capacity`
KN_API uint32_t kn_input_mapper_commands(
    kn_input_mapper *mapper, kn_command *out, uint32_t capacity);

/// A mapping as it is now.
typedef struct kn_input_mapping_info {
    kn_input_action_id action;            ///< the action
    uint32_t index;                       ///< which mapping of this action in the context, from 0
    uint32_t key;                         ///< the key; 0: none
    uint32_t default_key;                 ///< the key that the definition has; 0: none
    kn_input_axis axis;                   ///< where its value goes
    float scale;                          ///< factor of its value
    char key_name[KN_INPUT_KEY_NAME_MAX]; ///< name of the key; its number for one without; "" for 0
} kn_input_mapping_info;

/// The mappings of a context in their order. Returns how many there are; at most `capacity` are
/// written. 0 for an unknown context.
KN_API uint32_t kn_input_mappings(kn_input_mapper *mapper, kn_input_context_id context,
    kn_input_mapping_info *out, uint32_t capacity);
/// Moves a mapping to another key.
/// @param index which mapping of this action in the context, from 0
/// @param key number of the key; 0 leaves the mapping without a key
/// @return KN_OK; KN_REFUSED_NOT_FOUND if the context has no such mapping;
///         KN_ERROR_INVALID_ARGUMENT if no key has this number; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_input_rebind(kn_input_mapper *mapper, kn_input_context_id context,
    kn_input_action_id action, uint32_t index, uint32_t key);
/// Takes back what was rebound in a context; with the null id, in all.
KN_API void kn_input_reset(kn_input_mapper *mapper, kn_input_context_id context);
/// Writes what was rebound as text, a line each: `OnFoot / Jump / 0 = Left Shift`. Numbers of keys
/// are written as `#17`, no key as nothing. Returns the full length; the text is truncated to
/// `size` bytes including the final zero.
KN_API uint32_t kn_input_save(kn_input_mapper *mapper, char *text, uint32_t size);
/// Reads what kn_input_save() wrote, in the place of what is rebound now. Empty lines are fine.
/// Mappings that the library does not have, such as of an older version, are passed over.
/// @param ignored receives the number of lines passed over; may be NULL
/// @return KN_OK; KN_ERROR_BAD_DATA for a line of another form, with nothing changed, and `error`
///         has its number; KN_ERROR_INVALID_ARGUMENT for NULL; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_input_load(
    kn_input_mapper *mapper, const char *text, uint32_t *ignored, kn_error *error);

#ifdef __cplusplus
}
#endif

#endif
