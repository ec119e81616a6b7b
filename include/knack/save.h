// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Four ways to keep a world: snapshots (block copies, same process), saves (portable, by name),
/// hashes (64 bits over all that decides the future) and recordings (a save, the steps and commands
/// since, and the hashes they must give).
#ifndef KNACK_SAVE_H
#define KNACK_SAVE_H

#include "knack/command.h"
#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Snapshots -----------------------------------------------------------------

/// Bytes that kn_snapshot_take() needs now.
KN_API size_t kn_snapshot_size(const kn_world *world);
/// Copies the world's state into a buffer, for use in this process only. Listeners and published
/// events are not part of it. `written` receives the bytes needed, also when the buffer is too
/// small; may be NULL.
/// @return KN_OK; KN_ERROR_BUFFER_TOO_SMALL; KN_ERROR_WORLD_LOCKED from a rule;
///         KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_snapshot_take(
    const kn_world *world, void *buffer, size_t size, size_t *written);
/// Restores the state; what the last step published is dropped. Repairs a broken world. Accepts the
/// snapshot of another world too, if that has the same library and every effect type it registered
/// at run time was registered here as well, in the same order. The bytes are trusted: what comes
/// from outside the process should be a save.
/// @return KN_OK; KN_ERROR_BAD_DATA for a foreign snapshot; KN_ERROR_OUT_OF_MEMORY;
///         KN_ERROR_WORLD_LOCKED from a rule or a listener. On anything but KN_OK the world is as
///         it was
KN_API KN_MUST_USE kn_result kn_snapshot_restore(kn_world *world, const void *buffer, size_t size);

// Saves ---------------------------------------------------------------------

/// Version of the save format this library writes.
#define KN_SAVE_VERSION 5

/// Writes the world into a buffer; `written` receives the bytes needed. Pass a NULL buffer to ask
/// for them. Components and blocks of state with fields are written by name; blocks without fields,
/// context payloads and the data of timers as raw bytes. All else is the same on every machine; raw
/// bytes are if you write numbers in them in one byte order.
/// @return KN_OK, also for a NULL buffer; KN_ERROR_BUFFER_TOO_SMALL; KN_ERROR_WORLD_LOCKED from a
///         rule; KN_ERROR_WORLD_BROKEN; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_save_write(
    const kn_world *world, void *buffer, size_t size, size_t *written);
/// Replaces the state of a world by a save. Types are found by name. The library may have changed
/// since: numbers of types do not matter, attributes that were added to a set begin at their
/// default, values follow changed modifiers, added fields of components and states begin at zero,
/// removed ones are dropped, and arrays keep what fits. What cannot be matched is refused: unknown
/// types, attributes that were removed from a set, effects with other captures or another number of
/// modifiers, fields of another kind, blocks without fields of another size. Listeners stay;
/// published events are dropped.
/// @return KN_OK; KN_ERROR_BAD_DATA for input that is corrupt, foreign or does not match, and
///         `error` says what; KN_ERROR_OUT_OF_MEMORY; KN_ERROR_WORLD_LOCKED from a rule or a
///         listener. On anything but KN_OK the world is as it was
KN_API KN_MUST_USE kn_result kn_save_read(
    kn_world *world, const void *buffer, size_t size, kn_error *error);

// Reloading -----------------------------------------------------------------

/// Gives a live world another library, such as one built from changed files. Its state is matched
/// by name as in kn_save_read(). Live ids stay valid. What the host holds by number (tags,
/// attributes, types) it has to look up again; grids and cue players have to be created anew.
/// Listeners stay; published events are dropped. A running ability whose body was KN_BODY_STAY ends
/// as its new body says: a timed one when `lasts` has passed since its start, KN_BODY_USE at once.
/// Those that wait for something else to end them go on waiting.
/// @return as kn_save_read(); KN_REFUSED_NOT_FOUND when a listener wants something the new library
///         does not have; KN_ERROR_INVALID_ARGUMENT for a library that is not finished;
///         KN_ERROR_WORLD_BROKEN. On anything but KN_OK the world keeps its library and state
KN_API KN_MUST_USE kn_result kn_world_reload(
    kn_world *world, const kn_library *library, kn_error *error);

// Hashes --------------------------------------------------------------------

/// Hash of everything that decides the future. Equal on every machine for equal worlds; raw bytes
/// (see kn_save_write()) have to be equal, too.
KN_API uint64_t kn_world_hash(const kn_world *world);
/// Hash of one entity: its tags, attributes, effects and components. 0 for a stale id.
KN_API uint64_t kn_entity_hash(const kn_world *world, kn_entity_id entity);
/// Writes the first difference between two worlds of one library as a sentence, such as "entity 12,
/// effect Burn, remaining 1.2 s against 1.25 s", truncated to `size` bytes including the final
/// zero. False when they are equal.
KN_API bool kn_world_difference(
    const kn_world *world, const kn_world *other, char *text, uint32_t size);

// Recordings ----------------------------------------------------------------

/// A recording in progress. Opaque; see kn_recording_begin().
typedef struct kn_recording kn_recording;

/// Starts a recording with a save of the world, commands that wait included. The world must outlive
/// it. Destroy it with kn_recording_destroy().
/// @return as kn_save_write()
KN_API KN_MUST_USE kn_result kn_recording_begin(kn_world *world, kn_recording **recording);
/// Issues a command with kn_world_command(), and records it with the next kn_recording_step(). From
/// a listener, while the recording steps, it is issued when the step is over. What rules issue
/// needs no recording: the replay does it again.
/// @return KN_OK; as kn_world_command(), with nothing recorded
KN_API KN_MUST_USE kn_result kn_recording_command(
    kn_recording *recording, const kn_command *command, kn_error *error);
/// Adds a note to the next step: bytes for the host, which a replay passes over. For what the host
/// does to the world besides issuing commands: a host that notes its calls can repeat them when it
/// walks a recording with kn_recording_next() and kn_recording_next_note(). The bytes are copied.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for more than 2^31 - 1 bytes; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_recording_note(
    kn_recording *recording, const void *bytes, uint32_t size);
/// Steps the world, which carries out the commands that were issued, and records all of it with the
/// hash.
/// @return as kn_world_step(); KN_ERROR_OUT_OF_MEMORY with nothing done. When the step fails after
///         commands were issued, the recording ends before it, and every further step returns
///         KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_recording_step(kn_recording *recording, kn_time dt);
/// The recording so far, and its size. Valid until the next step of the recording.
KN_API const void *kn_recording_bytes(const kn_recording *recording, size_t *size);
/// Ends a recording and frees its bytes. NULL is ignored. The world goes on.
KN_API void kn_recording_destroy(kn_recording *recording);

/// One step of a recording.
typedef struct kn_recorded_step {
    kn_time dt;        ///< length of the step
    uint32_t commands; ///< number of commands issued before the step
    uint32_t notes;    ///< number of notes of the host
    uint64_t hash;     ///< hash of the world after the step
    size_t begin;      ///< offset of the step: a recording truncated here ends before it
    size_t end;        ///< offset behind the step: a recording truncated here ends with it
} kn_recorded_step;

/// Walks the steps of a recording without playing it. `*at` is 0 at first and is advanced by the
/// call.
/// @return true for a step; false past the last one, with KN_OK as the code of the error, and for
///         anything that is not a recording or is damaged, with KN_ERROR_BAD_DATA
KN_API bool kn_recording_next(
    const void *bytes, size_t size, size_t *at, kn_recorded_step *step, kn_error *error);

/// Walks the commands of a recorded step, in the order in which they were issued. `*at` is 0 at
/// first and is advanced by the call. `library` must be the one that the recording was made with.
/// @param step what kn_recording_next() filled in for these bytes
/// @return true for a command; false past the last one, with KN_OK as the code of the error, and
///         for one that the library does not accept, with KN_ERROR_BAD_DATA
KN_API bool kn_recording_next_command(const void *bytes, size_t size, const kn_recorded_step *step,
    size_t *at, const kn_library *library, kn_command_data *command, kn_error *error);

/// Walks the notes of a recorded step in the order in which they were added. `*at` is 0 at first
/// and is advanced by the call; of a note and a command the one with the lower `*at` came first.
/// @param step what kn_recording_next() filled in for these bytes
/// @param note_size receives the size of the note
/// @return the bytes of the note, inside of `bytes`; NULL past the last one
KN_API const void *kn_recording_next_note(
    const void *bytes, size_t size, const kn_recorded_step *step, size_t *at, uint32_t *note_size);

/// Checks a whole recording and reads the save that it begins with into a world of the same
/// library: for a host that walks a recording by itself, to repeat what it noted.
/// @return KN_OK; KN_ERROR_BAD_DATA for damage or another library, before anything changes;
///         KN_ERROR_OUT_OF_MEMORY; KN_ERROR_WORLD_LOCKED from a rule or a listener
KN_API KN_MUST_USE kn_result kn_recording_restore(
    kn_world *world, const void *bytes, size_t size, kn_error *error);

/// How a replay went, and where it diverged.
typedef struct kn_replay_report {
    uint32_t steps;           ///< steps replayed
    uint32_t commands;        ///< commands issued
    uint32_t notes;           ///< notes of the host that were there
    bool diverged;            ///< a hash differed
    uint32_t diverged_step;   ///< the first step whose hash differed, from 0
    uint64_t expected, found; ///< hash of that step as recorded, and as replayed
} kn_replay_report;

/// Plays a recording into a world of the same library: reads its save, repeats its steps, compares
/// every hash, and stops at the first difference. What the host did besides issuing commands is not
/// repeated. Corrupt input is refused before anything changes.
/// A recording truncated between two steps is a shorter recording. `report` may be NULL.
/// @return KN_OK, also when it diverged; KN_ERROR_BAD_DATA for damage or another library;
///         KN_ERROR_OUT_OF_MEMORY; KN_ERROR_WORLD_LOCKED from a rule or a listener; or what a step
///         returned
KN_API KN_MUST_USE kn_result kn_replay(
    kn_world *world, const void *bytes, size_t size, kn_replay_report *report, kn_error *error);

#ifdef __cplusplus
}
#endif

#endif
