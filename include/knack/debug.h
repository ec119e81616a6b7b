// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Looking into a world while it runs, without any UI: dumps as JSON, a log with categories, and
/// lists for a debug page. Nothing here is state: it is not saved, not rolled back, not hashed, and
/// results are the same with and without it. Text for people is kn_entity_dump().
///
/// Functions that print return the full length; the text is truncated to `size` bytes including the
/// final zero, and with a size of 0 the buffer may be NULL.
#ifndef KNACK_DEBUG_H
#define KNACK_DEBUG_H

#include "knack/task.h"

#ifdef __cplusplus
extern "C" {
#endif

// Dumps ---------------------------------------------------------------------

/// Writes everything that kn_entity_dump() writes as one JSON object. Ids are text,
/// "index:generation", or null; times are seconds as exact decimals, null for "never"; floats read
/// back to the same bits, and those JSON cannot write are "nan", "inf" and "-inf"; 64-bit numbers
/// are text. Keys and their order are always the same; lists are in order of creation, tags by
/// number. docs/debugging.md has the whole layout. 0 for a stale id.
KN_API uint32_t kn_entity_dump_json(
    const kn_world *world, kn_entity_id entity, char *text, uint32_t size);
/// Writes what belongs to the world itself as text: systems in the order they run, with when they
/// run next, tickers, watches for any entity and of components of the world, components, and
/// commands without an entity. Returns the full length; the text is truncated to `size` bytes
/// including the final zero.
KN_API uint32_t kn_world_dump(const kn_world *world, char *text, uint32_t size);
/// Writes every entity, by slot, the components of the world itself, its systems, tickers and
/// watches as one JSON object. A body only names its owner.
KN_API uint32_t kn_world_dump_json(const kn_world *world, char *text, uint32_t size);

/// Writes one attribute as a line: "Vitals.Health 92 (base 100, 0 to 120)".
/// kn_attribute_explain_text() explains the value. 0 for a stale id or an absent attribute.
KN_API uint32_t kn_attribute_print(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, char *text, uint32_t size);

// The log -------------------------------------------------------------------

/// Sets the lowest level of entries that a category logs. Verbose logs every event of the category
/// (which is collected for that, as for a listener) as kn_event_print() writes it, at the end of
/// the step or before the next line; also refused effects, and tasks. KN_LOG_ABILITIES at info logs
/// every refusal with its reasons, activations that the server rejected, and, once per type,
/// abilities that kn_activations_idle() finds; KN_LOG_NETWORK at info logs requests and batches;
/// KN_LOG_WORLD at info logs KN_EVENT_ERROR; KN_LOG_GAME is for kits and games: knack::combat logs
/// at verbose where each hit goes, and what becomes of each attempt of a proc.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for an unknown category or level;
///         KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_log_set_level(kn_world *world, kn_log_category category, kn_log_level level);
/// The level of a category; KN_LOG_OFF for an unknown one.
KN_API kn_log_level kn_log_level_of(const kn_world *world, kn_log_category category);
/// Makes all categories log warnings and errors again, and cues of all tags.
KN_API void kn_log_reset(kn_world *world);
/// Logs only cues with this tag or below it; null: all.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for an unknown tag
KN_API kn_result kn_log_set_cue_filter(kn_world *world, kn_tag tag);
/// The name of a category, such as "abilities"; "" for a number that is not one. Valid forever.
KN_API const char *kn_log_category_name(kn_log_category category);
/// The category with this name; KN_LOG_CATEGORY_COUNT when unknown.
KN_API kn_log_category kn_log_category_find(const char *name);
/// The name of a level, such as "warning"; "" for a number that is not one. Valid forever.
KN_API const char *kn_log_level_name(kn_log_level level);
/// The level with this name; KN_LOG_LEVEL_COUNT when unknown.
KN_API kn_log_level kn_log_level_find(const char *name);
/// Writes all categories with their levels, a line each.
KN_API uint32_t kn_log_print(const kn_world *world, char *text, uint32_t size);

/// True if an entry of this category and level would be logged: ask before you compose one.
KN_API bool kn_log_wants(const kn_world *world, kn_log_category category, kn_log_level level);
/// Logs an entry of your own, if its category and level are logged. Its strings need to be valid
/// during the call only.
KN_API void kn_log_write(const kn_world *world, const kn_log_entry *entry);

// Picking an entity ---------------------------------------------------------

/// The next actor by slot, and the first again after the last; bodies are left
/// out, their owner answers for them. Null gives the first. A stale id continues from its slot.
/// Null if there is none.
KN_API kn_entity_id kn_entity_cycle_next(const kn_world *world, kn_entity_id entity);
/// The previous actor by slot, and the last again before the first; null gives
/// the last. Otherwise as kn_entity_cycle_next().
KN_API kn_entity_id kn_entity_cycle_previous(const kn_world *world, kn_entity_id entity);

// Abilities -----------------------------------------------------------------

/// All tags of a granted ability, those of its def first. Returns how many there are; at most
/// `capacity` are written.
KN_API uint32_t kn_ability_tags(
    const kn_world *world, kn_ability_id ability, kn_tag *out, uint32_t capacity);

/// One block on ability tags: abilities with `tag` cannot start, because of this ability, this
/// effect or, if both are null, kn_abilities_block() with this source and key.
typedef struct kn_blocked_tag {
    kn_tag tag;                  ///< abilities with this tag, or one below it, are blocked
    kn_ability_id ability;       ///< the ability that blocks; null if something else does
    kn_activation_id activation; ///< the activation of that ability
    kn_effect_id effect;         ///< the effect that blocks; null if something else does
    kn_entity_id source;         ///< the source of a kn_abilities_block(); may be null
    uint64_t key;                ///< the key of a kn_abilities_block()
} kn_blocked_tag;

/// Every block on ability tags of an entity, by tag. Returns how many there are; at most `capacity`
/// are written.
KN_API uint32_t kn_entity_blocked_tags(
    const kn_world *world, kn_entity_id entity, kn_blocked_tag *out, uint32_t capacity);
/// Writes the abilities of an entity with their tags, then the tags that are blocked and what
/// blocks them. 0 for a stale id.
KN_API uint32_t kn_entity_ability_tags_print(
    const kn_world *world, kn_entity_id entity, char *text, uint32_t size);

/// Activations that nothing will end by itself: no task of theirs has been started, and none of
/// these holds:
/// - the ability activates on grant: a passive stays;
/// - it was triggered by KN_TRIGGER_SOURCE_TAG_PRESENT: it ends with the tag;
/// - the ability has an input and a hook for it;
/// - a timer has the id of the activation in its data;
/// - on a client, the server started it and will end it.
///
/// What game code ends by a call is listed too: the library cannot know. In order of their slots.
/// Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_activations_idle(
    const kn_world *world, kn_activation_id *out, uint32_t capacity);

/// Writes how the abilities of a library are built, as a table: name, tags, cost, cooldown, commit,
/// triggers, instancing, where each runs and what else is set, a line each in order of
/// registration.
KN_API uint32_t kn_library_abilities_print(const kn_library *library, char *text, uint32_t size);

// Memory --------------------------------------------------------------------

/// Moves the memory of a world on every call that may change it, so that a pointer that is used
/// beyond its lifetime (a state block, a component, a payload, an event's tags) is found by a
/// sanitizer on the first run. For tests: slow, but it changes no result. Off at first.
KN_API void kn_world_set_moving(kn_world *world, bool is_moving);

// Tasks ---------------------------------------------------------------------

/// Counts of the tasks of one kind, and for KN_TASK_CUSTOM of one type.
typedef struct kn_task_tally {
    kn_task_kind kind;    ///< the kind of task that is counted
    kn_task_type_id type; ///< the type of custom tasks; null for other kinds
    uint64_t made;        ///< tasks created since recording began; 0 while it is off
    uint32_t alive;       ///< tasks alive now
} kn_task_tally;

/// Starts to count tasks as they are created, from 0, or stops and forgets the counts. Off at
/// first, when it costs nothing. Starting twice keeps the counts.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_task_tally_record(kn_world *world, bool recording);
/// True while tasks are counted.
KN_API bool kn_task_tally_is_recording(const kn_world *world);
/// Kinds with at least one task, past or present: most created first, then most alive, then by kind
/// and type. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_task_tallies(const kn_world *world, kn_task_tally *out, uint32_t capacity);
/// Writes the first `top` rows (0: all) of kn_task_tallies() as a table.
KN_API uint32_t kn_task_tally_print(const kn_world *world, uint32_t top, char *text, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
