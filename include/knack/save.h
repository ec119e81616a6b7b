// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Four ways to keep a world: snapshots (block copies, same process), saves (portable, by name),
/// hashes (64 bits over all that decides the future) and recordings (a save, the steps and
/// commands since, and the hashes they must give).
#ifndef KNACK_SAVE_H
#define KNACK_SAVE_H

#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Snapshots -----------------------------------------------------------------

/// Bytes a snapshot takes now.
KN_API size_t kn_snapshot_size(const kn_world *world);
/// Copies the world's state into a buffer, good for this process only. Listeners and published
/// events are not part of it.
/// @return KN_OK, KN_ERROR_BUFFER_TOO_SMALL, KN_ERROR_WORLD_LOCKED, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_snapshot_take(
    const kn_world *world, void *buffer, size_t size, size_t *written);
/// Puts the state back; what the last step published is dropped. Mends a broken world. Takes the
/// snapshot of another world too, if that has the same library and every effect type it made at
/// run time was made here as well, in the same order. On an error the world is as it was. The
/// bytes are trusted: what comes from outside the process should be a save.
/// @return KN_OK, KN_ERROR_BAD_DATA for a foreign snapshot, KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_LOCKED from a rule or a listener
KN_API KN_MUST_USE kn_result kn_snapshot_restore(kn_world *world, const void *buffer, size_t size);

// Saves ---------------------------------------------------------------------

/// Version of the save format this library writes.
#define KN_SAVE_VERSION 4

/// Writes the world; `written` receives the bytes needed in any case. Pass a NULL buffer to ask.
/// Components and blocks of state with fields are written by name; blocks without, and context
/// payloads, as they lie in memory.
/// @return KN_OK, KN_ERROR_BUFFER_TOO_SMALL, KN_ERROR_WORLD_LOCKED, KN_ERROR_WORLD_BROKEN,
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_save_write(
    const kn_world *world, void *buffer, size_t size, size_t *written);
/// Replaces the state of a world by a save. Types are found by name; unknown ones are listed in
/// the error. Corrupt or foreign input is refused and the world stays as it was. The library may
/// have changed since: numbers of types do not matter, attributes that came to a set begin at
/// their default, values follow changed modifiers, fields of components and states that came begin
/// at zero and those that left are dropped, arrays keep what fits. What cannot be matched is
/// refused: attributes that left a set, effects with other captures or another number of modifiers,
/// fields of another kind, blocks without fields of another size. Listeners stay; published events
/// are dropped.
/// @return KN_OK, KN_ERROR_BAD_DATA, KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_LOCKED
KN_API KN_MUST_USE kn_result kn_save_read(
    kn_world *world, const void *buffer, size_t size, kn_error *error);

// Reloading -----------------------------------------------------------------

/// Gives a live world another library, such as one built from changed files: its state is matched
/// by name as kn_save_read() does, and stays as it was where it cannot be. Live ids stay good. What
/// the host holds by number (tags, attributes, types) it has to look up again; grids and cue
/// players have to be created anew. Listeners stay; published events are dropped. A running ability
/// whose body was KN_BODY_STAY ends as its new body says: a timed one when `lasts` has passed since
/// its start, one for a use at once. Those that wait for their end do so as before.
/// @return as kn_save_read(); KN_REFUSED_NOT_FOUND when a listener waits for something the new
///         library does not have. On anything but KN_OK the world keeps its library and state
KN_API KN_MUST_USE kn_result kn_world_reload(
    kn_world *world, const kn_library *library, kn_error *error);

// Hashes --------------------------------------------------------------------

/// Hash of everything that decides the future. Equal on every machine for equal worlds.
KN_API uint64_t kn_world_hash(const kn_world *world);
/// Hash of one entity: its tags, attributes, effects and components. 0 for a stale id.
KN_API uint64_t kn_entity_hash(const kn_world *world, kn_entity_id entity);
/// The first difference between two worlds of one library as a sentence, such as
/// "entity 12, effect Burn, remaining 1.2 s against 1.25 s". False when they are equal.
KN_API bool kn_world_difference(
    const kn_world *world, const kn_world *other, char *text, uint32_t size);

// Recordings ----------------------------------------------------------------

/// A command of the host: opaque bytes that the game's handler turns into calls.
typedef void kn_command_fn(
    void *user, kn_world *world, uint32_t connection, const void *bytes, uint32_t size);

typedef struct kn_recording kn_recording;

/// Starts a recording with a save of the world. The world must outlive it.
/// @param handler carries out commands, here and at replay
KN_API KN_MUST_USE kn_result kn_recording_begin(
    kn_world *world, kn_command_fn *handler, void *user, kn_recording **recording);
/// Notes a command and carries it out at the next kn_recording_step(), sorted by connection and
/// order of arrival.
KN_API KN_MUST_USE kn_result kn_recording_command(
    kn_recording *recording, uint32_t connection, const void *bytes, uint32_t size);
/// Carries out the commands, steps the world, notes the hash. When the step fails after commands
/// were carried out, the recording ends before it and every further step is refused.
/// @return as kn_world_step(), KN_ERROR_OUT_OF_MEMORY with nothing done
KN_API KN_MUST_USE kn_result kn_recording_step(kn_recording *recording, kn_time dt);
/// The recording so far. Valid until the next call.
KN_API const void *kn_recording_bytes(const kn_recording *recording, size_t *size);
KN_API void kn_recording_destroy(kn_recording *recording);

/// One step of a recording.
typedef struct kn_recorded_step {
    kn_time dt;
    uint32_t commands; ///< carried out before it
    uint64_t hash;     ///< of the world after it
    size_t begin;      ///< the recording cut here ends before this step,
    size_t end;        ///< and cut here with it
} kn_recorded_step;

/// Walks the steps of a recording without playing it. `*at` is 0 at first and moves on.
/// @return false beyond the last step, with KN_OK as the code of the error, and for anything that
///         is no recording or damaged, with KN_ERROR_BAD_DATA
KN_API bool kn_recording_next(
    const void *bytes, size_t size, size_t *at, kn_recorded_step *step, kn_error *error);

/// Where a replay went another way.
typedef struct kn_replay_report {
    uint32_t steps;           ///< steps replayed
    uint32_t commands;        ///< commands carried out
    bool diverged;            ///< a hash differed
    uint32_t diverged_step;   ///< the first step whose hash differed, from 0
    uint64_t expected, found; ///< its hashes
} kn_replay_report;

/// Plays a recording into a world of the same library: reads its save, repeats its steps, compares
/// every hash, and stops at the first difference. Corrupt input is refused before anything changes.
/// A recording that was cut between two steps is a shorter recording.
/// @return KN_OK, also when it diverged; KN_ERROR_BAD_DATA for damage or another library;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_LOCKED, or what a step returned
KN_API KN_MUST_USE kn_result kn_replay(kn_world *world, const void *bytes, size_t size,
    kn_command_fn *handler, void *user, kn_replay_report *report, kn_error *error);

#ifdef __cplusplus
}
#endif

#endif
