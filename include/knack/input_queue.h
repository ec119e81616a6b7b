// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The input queue: what lies between the buttons of a player and the use of abilities. Part of
/// knack::combat.
///
/// A button that is pressed a little early counts: an ability that cannot be used because of a cast
/// or cooldown that is about to end waits, and is used at the exact time it can be. A cast with a
/// long time to go is cancelled by the next ability, but only if that can be used. Abilities may be
/// used again as long as their button is held, and casts may end when it is released.
///
///   kn_input_press_def press = kn_input_press_def_default();
///   press.ability = fireball;
///   press.event.target = wolf;
///   kn_input_outcome outcome;
///   kn_result result = kn_input_queue_press(world, hero, &press, &outcome);
///
/// The queue is a part of the simulation: server and client work it out from the same commands
/// `Knack.Press`, `Knack.Release` and `Knack.ClearQueue`, so that it is predicted, rolled back and
/// exact. Nothing in it is polled, but for abilities that are used automatically and wait for
/// something other than a cast or a cooldown.
///
/// Which button means which ability is up to the game; when that changes, it calls
/// kn_input_queue_clear().
#ifndef KNACK_INPUT_QUEUE_H
#define KNACK_INPUT_QUEUE_H

#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

// Definitions -------------------------------------------------------------------

/// What the input queue knows of an ability, in data files under `inputs`. Abilities without such a
/// definition have the defaults. Start from kn_input_def_default().
typedef struct kn_input_def {
    const char *name;           ///< unique name; required
    kn_ability_type_id ability; ///< the ability; default: the one of the same name
    /// The ability is used again as long as its button is held, until another ability is pressed;
    /// default false.
    bool automatic;
    /// Releasing its button cancels the cast of the ability, unless it ends within the window;
    /// default false.
    bool cancel_on_release;
    /// Pressing it while it is being cast does nothing; default false: it is like any other press.
    bool ignores_itself;
    /// With `one_per_category`: the category whose place it waits in; null: a place that all
    /// abilities without a category share.
    kn_tag category;
    /// Seconds before the end of what keeps it from being used in which a press waits; below 0, the
    /// default: as the input rules say.
    float window;
    uint32_t cookie; ///< set by kn_input_def_default(); do not change it
} kn_input_def;

/// How many presses wait.
typedef enum kn_input_form {
    KN_INPUT_ONE_PLACE,        ///< one, and a newer one replaces it
    KN_INPUT_ONE_PER_CATEGORY, ///< one of each category; they are tried in the order of the presses
    KN_INPUT_FORM_COUNT,       ///< number of the values above; not a value itself
} kn_input_form;

/// The rules of the input queue, in data files under `input_rules`: at most one definition for a
/// library. Start from kn_input_rules_def_default().
typedef struct kn_input_rules_def {
    const char *name; ///< unique name, such as `Rules`; required
    /// Seconds before the end of a cast or cooldown in which a press waits for it; default 0.2.
    float window;
    kn_input_form form; ///< how many presses wait; default one_place
    /// A press cancels a cast before it is known whether the new ability can be used; default
    /// false.
    bool cancels_first;
    /// A press also waits for cooldowns other than the global one; default true.
    bool waits_for_cooldown;
    /// Seconds between two automatic attempts, where neither a cast nor a cooldown says when the
    /// next one makes sense, above 0; default 0.1.
    float retry;
    uint32_t cookie; ///< set by kn_input_rules_def_default(); do not change it
} kn_input_rules_def;

/// An input with nothing set: it waits as the rules say.
KN_API kn_input_def kn_input_def_default(void);
/// Registers what the queue knows of an ability. kn_library_finish() refuses definitions without an
/// ability, and two for one ability.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for a window
/// that
///         is not finite; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library
///         without the kit; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_input_register(
    kn_library *library, const kn_input_def *def, kn_error *error);
/// The input of an ability, in a finished library; it belongs to the library. NULL if it has none.
KN_API const kn_input_def *kn_input_of_ability(
    const kn_library *library, kn_ability_type_id ability);
/// Rules with the usual numbers.
KN_API kn_input_rules_def kn_input_rules_def_default(void);
/// Registers the rules of the queue.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the library has rules already; KN_ERROR_BAD_DATA for a
///         window below 0, a retry of 0 or less, or numbers that are not finite;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library without the kit;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_input_rules_register(
    kn_library *library, const kn_input_rules_def *def, kn_error *error);
/// The rules of a library: those that were registered, or the usual ones. NULL without the kit.
KN_API const kn_input_rules_def *kn_input_rules(const kn_library *library);

// Pressing and releasing ----------------------------------------------------------

/// What became of a press.
typedef enum kn_input_outcome {
    KN_INPUT_REFUSED,       ///< the ability was refused, or the press was not for this entity
    KN_INPUT_USED,          ///< the ability was activated
    KN_INPUT_WAITS,         ///< it waits for a cast or cooldown
    KN_INPUT_IGNORED,       ///< the ability is being cast, and ignores itself
    KN_INPUT_OUTCOME_COUNT, ///< number of the values above; not a value itself
} kn_input_outcome;

/// A press of a button. Start from kn_input_press_def_default().
typedef struct kn_input_press_def {
    kn_ability_id ability;  ///< the ability that the button means now; required
    kn_command_event event; ///< the event that it is activated with; all zero: without one
    kn_target_view targets; ///< target data of the event; at most KN_INPUT_TARGETS_MAX bytes
    uint32_t connection;    ///< connection of the player who pressed it; 0: this machine
    uint32_t cookie;        ///< set by kn_input_press_def_default(); do not change it
} kn_input_press_def;

/// Most bytes of target data of a press.
#define KN_INPUT_TARGETS_MAX 256

/// A press with nothing set.
KN_API kn_input_press_def kn_input_press_def_default(void);
/// Presses the button of an ability: uses the ability, lets it wait, or refuses it. Whatever it
/// does, the automatic use of another ability ends.
/// @param outcome receives what became of it; KN_INPUT_REFUSED on anything but KN_OK; may be NULL
/// @return KN_OK, also if it waits or is ignored; otherwise as kn_ability_activate(), with
///         KN_EVENT_ABILITY_FAILED and its reasons; KN_REFUSED_STALE_ID for a stale entity;
///         KN_REFUSED_NOT_FOUND for an ability of somebody else; KN_REFUSED_BAD_NUMBER for an
///         event whose magnitude is not finite; KN_REFUSED_LIMIT for too much target data;
///         KN_ERROR_BAD_DATA for malformed target data; KN_ERROR_INVALID_ARGUMENT for a def without
///         its defaults, or a library without the kit; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_input_queue_press(
    kn_world *world, kn_entity_id entity, const kn_input_press_def *def, kn_input_outcome *outcome);
/// Releases the button of an ability: automatic use ends, and with `cancel_on_release` its cast is
/// cancelled unless it ends within the window. A press of such an ability that still waits is
/// dropped; others go on waiting.
/// @return KN_OK, also if nothing was to do; KN_REFUSED_STALE_ID for a stale entity;
///         KN_REFUSED_BLOCKED for a cast that is not cancelable; KN_ERROR_INVALID_ARGUMENT for a
///         library without the kit; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_input_queue_release(
    kn_world *world, kn_entity_id entity, kn_ability_id ability);
/// Drops everything that waits, and ends automatic use: the player cancels, or the buttons mean
/// other abilities from now on. Casts go on.
/// @return KN_OK, also if nothing waited; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for a
///         library without the kit; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_input_queue_clear(kn_world *world, kn_entity_id entity);

/// A press that waits.
typedef struct kn_input_waiting {
    kn_ability_id ability; ///< the ability that will be used
    kn_tag category;       ///< its category; null: none
    kn_time since;         ///< when it was pressed
    kn_time due;           ///< when it is tried, as things stand
    bool waits_for_cast;   ///< it waits for the end of a cast, otherwise for a cooldown
} kn_input_waiting;

/// The presses of an entity that wait, in the order they are tried. Returns how many there are; at
/// most `capacity` are written. 0 for a stale id.
KN_API uint32_t kn_input_queue_get(
    const kn_world *world, kn_entity_id entity, kn_input_waiting *out, uint32_t capacity);
/// The ability that an entity uses automatically as its button is held; null for none and for a
/// stale id.
KN_API kn_ability_id kn_input_queue_automatic(const kn_world *world, kn_entity_id entity);

/// Payload of the command `Knack.Press`, which may carry target data: kn_input_queue_press().
typedef struct kn_input_press_command {
    kn_ability_id ability;  ///< the ability that the button means now
    kn_command_event event; ///< the event that it is activated with
} kn_input_press_command;

/// Payload of the command `Knack.Release`: kn_input_queue_release(). The command
/// `Knack.ClearQueue`, kn_input_queue_clear(), has no payload.
typedef struct kn_input_release_command {
    kn_ability_id ability; ///< the ability whose button is released
} kn_input_release_command;

/// What happened to a press that waited, or to automatic use.
typedef enum kn_input_happening {
    KN_INPUT_QUEUED,          ///< it waits
    KN_INPUT_TRIED,           ///< its time has come, and the ability was tried
    KN_INPUT_REPLACED,        ///< a newer press took its place
    KN_INPUT_DROPPED,         ///< cleared, released, or its owner or ability is dead or gone
    KN_INPUT_STARTED,         ///< automatic use began
    KN_INPUT_STOPPED,         ///< automatic use ended
    KN_INPUT_HAPPENING_COUNT, ///< number of the values above; not a value itself
} kn_input_happening;

/// Payload of the event `Knack.Input`.
typedef struct kn_input_event {
    kn_ability_id ability;   ///< the ability; may be stale already
    kn_time due;             ///< when it is tried; 0 for automatic use
    kn_input_happening what; ///< what happened
    kn_result result;        ///< KN_INPUT_TRIED: what the activation returned; otherwise KN_OK
} kn_input_event;

// What can be used ------------------------------------------------------------------

/// Why an ability cannot be used now, as bits, for buttons: what lasts, not what passes by itself
/// within a moment. The global cooldown, a cast of the owner and its death are not among them.
typedef enum kn_use_fail {
    KN_USE_CHARGES = 1 << 0,  ///< not enough charges, or a cooldown other than the global one
    KN_USE_RESOURCE = 1 << 1, ///< the cost cannot be paid
    KN_USE_CUSTOM = 1 << 2,   ///< the ability restricts itself: kn_use_restrict(), required tags
    KN_USE_TAG = 1 << 3,      ///< others restrict it: blocked tags
    KN_USE_GONE = 1 << 4,     ///< the ability is gone, or being removed
    KN_USE_FAIL_COUNT = 5,    ///< number of the reasons above; not a reason itself
} kn_use_fail;

/// The castable status of an ability: all kn_use_fail bits that hold; 0 if it can be used. Whenever
/// it may have changed, KN_EVENT_ABILITY_STATUS is published, if that is wanted.
KN_API uint32_t kn_use_status(kn_world *world, kn_ability_id ability);
/// The first of a set of kn_use_fail bits: the one to show. 0 for none.
KN_API kn_use_fail kn_use_primary(uint32_t reasons);
/// Adds or lifts a restriction that an ability imposes on itself, such as "only while moving".
/// While it has any, it is refused; kn_ability_explain() names them, and KN_EVENT_ABILITY_STATUS is
/// published. Adding one that is there, or lifting one that is not, changes nothing.
/// @param tag `Knack.Restricted` or a tag below it, such as `Knack.Restricted.Standing`
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for any other tag, or a library
///         without the kit; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_use_restrict(
    kn_world *world, kn_ability_id ability, kn_tag tag, bool is_restricted);

#ifdef __cplusplus
}
#endif

#endif
