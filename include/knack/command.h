// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Commands: what players and peers want done.
///
/// Every input of a player is a command of a registered kind: activate, press, release, confirm,
/// cancel, targets, end, and those of kits and games. The payload of a kind is a plain struct with
/// a field table, so that recordings, saves, dumps, scripts and the network handle all of them
/// alike. The host issues commands between steps:
///
///   kn_command_press press = {.input = 3};
///   kn_command command = {.type = kn_command_type_press(), .entity = hero,
///       .payload = &press, .size = sizeof(press)};
///   kn_result result = kn_world_command(world, &command, &error);
///
/// They wait in the world, as a part of its state, and are carried out first in the next step:
/// ordered by connection, then by sequence, then by arrival. KN_EVENT_COMMAND has the result of
/// each.
#ifndef KNACK_COMMAND_H
#define KNACK_COMMAND_H

#include "knack/ability.h"
#include "knack/target.h"

#ifdef __cplusplus
extern "C" {
#endif

// Commands ------------------------------------------------------------------

/// Most bytes of the payload of a kind of command.
#define KN_COMMAND_SIZE_MAX 1024
/// Most parts of a batch.
#define KN_COMMAND_PARTS_MAX 16
/// Most bytes of all payloads and target data of one command, those of its parts included.
#define KN_COMMAND_BYTES_MAX 8192

typedef struct kn_command kn_command;

/// One command. `{0}` is a good start; `type` and mostly `entity` are required. What it points to
/// is copied when it is issued; in functions that receive a command it is valid during the call.
struct kn_command {
    kn_command_type_id type; ///< kind of the command; required
    /// Connection of the player who sends it; 0: this machine itself. A network fills it in from
    /// where a message came, and never from the message.
    uint32_t connection;
    uint32_t sequence;      ///< number of the command among those of its connection
    kn_entity_id entity;    ///< the entity that is to act
    const void *payload;    ///< the struct of the kind; NULL: all zero
    uint32_t size;          ///< bytes of the payload; 0 for NULL
    kn_target_view targets; ///< target data, for kinds with `has_targets`
    /// The commands of a batch, in order; NULL for all other kinds. Connection and sequence are
    /// those of the batch; a null entity means that of the batch.
    const kn_command *parts;
    uint32_t part_count; ///< number of parts of a batch, 1 to KN_COMMAND_PARTS_MAX
    /// The time of the world at which the player saw the others when it gave the command, 0 to
    /// KN_TIME_MAX; 0, and any time that is not past: the present. While the command is carried
    /// out, with the reactions to it, a space that keeps the past answers as of then
    /// (kn_space.rewind). Parts of a batch have that of the batch. A server limits what clients
    /// claim.
    kn_time view;
    /// In `check` and `function` of a kind: where kn_check_refuse() puts why they refuse the
    /// command. NULL everywhere else; issuing a command ignores it.
    kn_check_answer *answer;
};

/// Carries out a command, in a step, before timers fire. A rule: it may change the world, must be
/// deterministic, and keeps no state outside the world.
/// @return KN_OK; anything else is published as the result of the command. After kn_check_refuse()
///         KN_OK counts as the refusal of its reasons, see kn_fail_result()
typedef kn_result kn_command_fn(void *user, kn_world *world, const kn_command *command);
/// Decides whether a command may be carried out, directly before that. Must be pure. It says why
/// not with numbers and text by kn_check_refuse() with the `answer` of the command.
/// @return KN_OK; anything else is published as the result of the command, which is dropped. After
///         kn_check_refuse() KN_OK counts as the refusal of its reasons
typedef kn_result kn_command_check_fn(void *user, const kn_world *world, const kn_command *command);

/// A kind of command. Start from kn_command_def_default().
typedef struct kn_command_def {
    const char *name; ///< unique name; required
    /// Bytes of the payload, at most KN_COMMAND_SIZE_MAX; data files may leave it out; 0: the kind
    /// has no payload.
    uint32_t size;
    const kn_field *fields; ///< the fields of the payload, in order
    uint32_t field_count;   ///< number of entries in `fields`
    bool has_targets;       ///< commands of the kind may carry target data; default false
    /// Only the connection that controls the entity (kn_entity_set_connection()), or connection 0,
    /// may send the command; default true.
    bool owner_only;
    kn_command_check_fn *check; ///< decides whether a command may be carried out; may be NULL
    kn_command_fn *function;    ///< carries out a command; required
    void *user;                 ///< passed to `check` and `function`
    uint32_t cookie;            ///< set by kn_command_def_default(); do not change it
} kn_command_def;

/// A kind of command without a payload, for the owner only.
KN_API kn_command_def kn_command_def_default(void);
/// Registers a kind of command.
/// @return KN_OK; KN_ERROR_BAD_DATA for a size out of range, fields that do not cover the struct
///         byte for byte, no function, or an invalid name; KN_REFUSED_DUPLICATE for a name that is
///         taken; KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED
///         once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_command_register(
    kn_library *library, const kn_command_def *def, kn_command_type_id *type, kn_error *error);
/// Replaces the check of a kind, a predefined one too: for the rules of a network about who may
/// send what. NULL: every command of the kind is carried out, as far as `owner_only` lets it.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for an unknown kind; KN_ERROR_WORLD_LOCKED once the
///         library is finished
KN_API KN_MUST_USE kn_result kn_command_set_check(
    kn_library *library, kn_command_type_id type, kn_command_check_fn *check, void *user);
/// The kind of command with this name. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_command_type_id kn_command_find(const kn_library *library, const char *name);
/// The name of a kind of command; "" for null. Valid as long as the library.
KN_API const char *kn_command_name(const kn_library *library, kn_command_type_id type);
/// The def of a kind as registered; it belongs to the library. Those of predefined kinds have no
/// function. NULL when unknown.
KN_API const kn_command_def *kn_command_get_def(const kn_library *library, kn_command_type_id type);

// Predefined kinds ----------------------------------------------------------

/// Most tags of the event that goes along with a command.
#define KN_COMMAND_TAGS_MAX 8

/// The event that an ability is activated with, as part of a payload; see kn_event_record. Target
/// data of the command becomes that of the event.
typedef struct kn_command_event {
    uint64_t object;                  ///< 64 bits for the host, such as the weapon or projectile
    uint64_t object2;                 ///< 64 more bits for the host
    kn_entity_id instigator;          ///< who causes it; may be null
    kn_entity_id target;              ///< the entity it happens to; may be null
    float magnitude;                  ///< how much of it; must be finite
    kn_tag tag;                       ///< tag under which the event was sent; may be null
    kn_tag tags[KN_COMMAND_TAGS_MAX]; ///< tags that describe the event; null ones are left out
    /// 1: there is an event even if nothing else of it is set and the command has no target data.
    uint32_t by_event;
    uint32_t unused; ///< fills up the struct; zero
} kn_command_event;

/// Payload of the kind `activate`: which ability, and the event it is activated with. The ability
/// is named by its id, or by at least one of type, tag and input; all that are set must hold.
typedef struct kn_command_activate {
    /// The ability, which must be the entity's; null: what type, tag and input say.
    kn_ability_id ability;
    kn_ability_type_id type; ///< type of the ability, or one it descends from; null: any
    kn_tag tag;              ///< tag that the ability has; null: any
    uint32_t input;          ///< input that the ability is bound to; 0: any
    /// 0: the first ability that fits and can be activated; 1: all that fit.
    uint32_t all;
    kn_command_event event; ///< the event that the ability is activated with
} kn_command_activate;

/// Payload of the kind `press`.
typedef struct kn_command_press {
    uint32_t input;         ///< the input that is pressed, from 1
    uint32_t unused;        ///< fills up the struct; zero
    kn_command_event event; ///< the event that abilities are activated with
} kn_command_press;

/// Payload of the kind `release`.
typedef struct kn_command_release {
    uint32_t input; ///< the input that is released, from 1
} kn_command_release;

/// Payload of the kinds `confirm`, `cancel` and `targets`: which task they are for.
typedef struct kn_command_task {
    /// The targeting task, which must be one of the entity; null: `confirm` and `cancel` go to
    /// every task that waits for them, `targets` to the first targeting task.
    kn_task_id task;
    /// With a null task, for `targets`: only tasks of this ability; null: of any.
    kn_ability_id ability;
} kn_command_task;

/// Payload of the kinds `end` and `cancel_ability`: which activation ends.
typedef struct kn_command_end {
    kn_activation_id activation; ///< the activation, which must be one of the entity
    /// With a null activation: the latest one of this ability ends (`end`), or all of them are
    /// cancelled (`cancel_ability`).
    kn_ability_id ability;
} kn_command_end;

/// Payload of the kind `sync`: which sync point a client has reached; see kn_peer_sync().
typedef struct kn_command_sync {
    kn_ability_id ability; ///< the ability, which must be the entity's
    uint32_t use;          ///< number of the command that began its activation; 0: none did
    uint32_t point;        ///< number of the sync point among those of the activation, from 0
} kn_command_sync;

/// Payload of the kind `tolerance`: what the cooldowns of the entity tolerate; see kn_tolerance.
typedef struct kn_command_tolerance {
    kn_time early; ///< how long before its end a cooldown may be used again
    kn_time limit; ///< most that uses of one cooldown may be too early, added up
} kn_command_tolerance;

/// The kind `activate`, which every library has: kn_ability_activate(), with kn_command_activate
/// and target data. From another connection than the world's own: kn_peer_activate().
static inline kn_command_type_id kn_command_type_activate(void)
{
    kn_command_type_id type = {1};
    return type;
}
/// The kind `press`, which every library has: kn_input_press_with(), with kn_command_press and
/// target data. From another connection than the world's own: kn_peer_press().
static inline kn_command_type_id kn_command_type_press(void)
{
    kn_command_type_id type = {2};
    return type;
}
/// The kind `release`, which every library has: kn_input_release(), with kn_command_release.
static inline kn_command_type_id kn_command_type_release(void)
{
    kn_command_type_id type = {3};
    return type;
}
/// The kind `confirm`, which every library has: kn_input_confirm(), or kn_target_confirm() of one
/// task, with kn_command_task.
static inline kn_command_type_id kn_command_type_confirm(void)
{
    kn_command_type_id type = {4};
    return type;
}
/// The kind `cancel`, which every library has: kn_input_cancel(), or kn_target_cancel() of one
/// task, with kn_command_task.
static inline kn_command_type_id kn_command_type_cancel(void)
{
    kn_command_type_id type = {5};
    return type;
}
/// The kind `targets`, which every library has: kn_target_provide(), with kn_command_task and
/// target data.
static inline kn_command_type_id kn_command_type_targets(void)
{
    kn_command_type_id type = {6};
    return type;
}
/// The kind `end`, which every library has: kn_activation_end(), with kn_command_end. From another
/// connection than the world's own: kn_peer_end().
static inline kn_command_type_id kn_command_type_end(void)
{
    kn_command_type_id type = {7};
    return type;
}
/// The kind `cancel_ability`, which every library has: kn_activation_cancel(), or
/// kn_ability_cancel(), with kn_command_end. From another connection than the world's own:
/// kn_peer_end().
static inline kn_command_type_id kn_command_type_cancel_ability(void)
{
    kn_command_type_id type = {8};
    return type;
}
/// The kind `batch`, which every library has: its parts are carried out in order, with nothing in
/// between, each by itself: one that is refused does not keep the others from being carried out.
/// Each publishes its result; that of the batch is the first which is not KN_OK. A part must not be
/// a batch itself.
static inline kn_command_type_id kn_command_type_batch(void)
{
    kn_command_type_id type = {9};
    return type;
}

/// The kind `sync`, which every library has: a sync point was reached, with kn_command_sync.
/// kn_client sends it by itself; see KN_TASK_NET_SYNC and kn_peer_sync().
static inline kn_command_type_id kn_command_type_sync(void)
{
    kn_command_type_id type = {10};
    return type;
}

/// The kind `tolerance`, which every library has: kn_entity_set_tolerance(), with
/// kn_command_tolerance. For connection 0 alone: kn_server gives it before a command that came
/// late, so that recordings have it.
static inline kn_command_type_id kn_command_type_tolerance(void)
{
    kn_command_type_id type = {11};
    return type;
}

// Issuing -------------------------------------------------------------------

/// Checks a command as kn_world_command() does, without a world: for messages.
/// @return KN_OK; KN_ERROR_BAD_DATA for what kn_world_command() refuses, and `error` says what;
///         KN_ERROR_INVALID_ARGUMENT for NULL
KN_API KN_MUST_USE kn_result kn_command_check(
    const kn_library *library, const kn_command *command, kn_error *error);
/// Queues a command for the next step. From rules too: a command issued while a step runs waits for
/// the step after it. Ids of live things may be stale: whether they still name something is decided
/// when the command is carried out.
/// @return KN_OK; KN_ERROR_BAD_DATA, with nothing queued, for an unknown kind, a payload of another
///         size, a choice that is unknown, a reference to something that is not registered, a
///         number that is not finite, target data that is malformed or not for this kind, a view
///         out of range, a batch without parts, in a batch, with too many or too large ones, or
///         parts of anything else; `error` says what. KN_ERROR_INVALID_ARGUMENT for NULL;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_world_command(
    kn_world *world, const kn_command *command, kn_error *error);
/// The commands that wait for the next step, in the order in which they will be carried out.
/// Returns how many there are; at most `capacity` are written. The parts of a batch follow it as
/// commands of their own, and its `parts` is NULL. Payloads and target data are valid until the
/// world changes.
KN_API uint32_t kn_world_commands(const kn_world *world, kn_command *out, uint32_t capacity);
/// Drops the commands that wait for the next step from one connection, such as one that was lost.
/// Returns how many, batches with their parts as one each.
KN_API uint32_t kn_world_drop_commands(kn_world *world, uint32_t connection);

// Results -------------------------------------------------------------------

/// Most lines that the event of a command keeps of what its check and function said.
#define KN_COMMAND_LINES_MAX 16

/// What the check or function of a command said against it, with reasons, tags, numbers and texts
/// (kn_check_refuse()). For events of the last step; also for listeners.
/// @param event a KN_EVENT_COMMAND; others have no lines
/// @param out receives the first `capacity` lines; may be NULL for a capacity of 0
/// @return how many there are, at most KN_COMMAND_LINES_MAX
KN_API uint32_t kn_command_event_lines(
    const kn_world *world, const kn_event *event, kn_refusal_line *out, uint32_t capacity);

// Bytes and text ------------------------------------------------------------

/// A command held by value, with everything it points to: what kn_command_read() fills. It must not
/// be copied: `command` points into it.
typedef struct kn_command_data {
    kn_command command;                     ///< the command
    kn_command parts[KN_COMMAND_PARTS_MAX]; ///< the parts of a batch, which `command` points to
    uint64_t bytes[KN_COMMAND_BYTES_MAX /
                   8]; ///< payloads and target data, which `command` and `parts` point to
} kn_command_data;

/// Writes a command in a form that is the same on every machine with an equal library (see
/// kn_library_hash()). Returns the bytes needed, and writes nothing if they do not fit; 0 for a
/// command that kn_command_check() refuses.
KN_API uint32_t kn_command_write(
    const kn_library *library, const kn_command *command, void *buffer, uint32_t size);
/// Reads what kn_command_write() wrote, and checks it as kn_command_check() does. The connection is
/// the one that was written: a network replaces it by that of the sender.
/// @return KN_OK; KN_ERROR_BAD_DATA for anything malformed, and `error` says what;
///         KN_ERROR_INVALID_ARGUMENT for NULL. On anything but KN_OK `data->command` is zeroed
KN_API KN_MUST_USE kn_result kn_command_read(const kn_library *library, const void *buffer,
    uint32_t size, kn_command_data *data, kn_error *error);
/// Replaces the ids of effects, abilities, activations, tasks and timers in the payloads of a
/// command by places, as the second ability of the command's entity: for machines that give such
/// records ids of their own (KN_IDENTITY_PLACES). Ids of other entities' records become null.
/// Target data and ids of entities stay.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for NULL; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_command_to_places(const kn_world *world, kn_command_data *data);
/// Replaces places by the ids that the records have in this world; null for a place that is not
/// there.
/// @return as kn_command_to_places()
KN_API KN_MUST_USE kn_result kn_command_from_places(const kn_world *world, kn_command_data *data);
/// Writes a command as a line of text, such as "activate Fireball of entity 3 on entity 7". Returns
/// the full length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_command_print(
    const kn_world *world, const kn_command *command, char *text, uint32_t size);
/// Writes a command as a JSON object with its kind, connection, sequence, view in seconds if it has
/// one, entity, the fields of its payload, its targets and its parts. Returns the full length; the
/// text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_command_json(
    const kn_world *world, const kn_command *command, char *text, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
