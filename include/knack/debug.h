// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Looking into a world while it runs, without any UI: dumps as JSON, a log with categories, and
/// lists for a debug page. Nothing here is state: it is not saved, not rolled back, not hashed, and
/// results are the same with and without it. Text for people is kn_entity_dump().
///
/// Functions that print return the full length; the text is cut to `size` bytes including the
/// final zero, and with a size of 0 the buffer may be NULL.
#ifndef KNACK_DEBUG_H
#define KNACK_DEBUG_H

#include "knack/task.h"

#ifdef __cplusplus
extern "C" {
#endif

// Dumps ---------------------------------------------------------------------

/// Everything kn_entity_dump() tells, as one JSON object. Ids are text, "index:generation", or
/// null; times are seconds as exact decimals, null for "never"; floats read back to the same bits,
/// and those JSON cannot write are "nan", "inf" and "-inf"; numbers of 64 bits are text. Keys and
/// their order do not depend on what is there, and lists are in order of creation, tags by number.
/// 0 for a stale id. docs/debugging.md has the whole layout.
KN_API uint32_t kn_entity_dump_json(
    const kn_world *world, kn_entity_id entity, char *text, uint32_t size);
/// Every entity, by place, and the components of the world itself. A body only tells whose it is.
KN_API uint32_t kn_world_dump_json(const kn_world *world, char *text, uint32_t size);

/// One attribute in a line: "Vitals.Health 92 (base 100, 0 to 120)". kn_attribute_explain_text()
/// says why. 0 for a stale id or an absent attribute.
KN_API uint32_t kn_attribute_print(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, char *text, uint32_t size);

// The log -------------------------------------------------------------------

/// From now on a category tells entries of this level and above. Verbose tells every event of the
/// category (which is recorded for that, as for a listener) as kn_event_print() writes it, at the
/// end of the step or before the next line; and effects that were refused, and tasks.
/// KN_LOG_ABILITIES at info tells every refusal with its reasons, activations that the server
/// rejected, and once per type abilities that kn_activations_idle() finds; KN_LOG_NETWORK at info
/// tells requests and batches; KN_LOG_WORLD at info tells KN_EVENT_ERROR.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for an unknown category or level;
///         KN_ERROR_OUT_OF_MEMORY: nothing has changed
KN_API kn_result kn_log_set_level(kn_world *world, kn_log_category category, kn_log_level level);
/// KN_LOG_OFF for an unknown category.
KN_API kn_log_level kn_log_level_of(const kn_world *world, kn_log_category category);
/// All categories tell warnings and errors again, of all cues.
KN_API void kn_log_reset(kn_world *world);
/// Only cues with this tag, or below it, are told; null: all.
KN_API kn_result kn_log_set_cue_filter(kn_world *world, kn_tag tag);
/// "abilities" and "warning", and back, for a console; "" and the counts when unknown.
KN_API const char *kn_log_category_name(kn_log_category category);
KN_API kn_log_category kn_log_category_find(const char *name);
KN_API const char *kn_log_level_name(kn_log_level level);
KN_API kn_log_level kn_log_level_find(const char *name);
/// All categories with their levels, a line each.
KN_API uint32_t kn_log_print(const kn_world *world, char *text, uint32_t size);

/// Whether an entry would be told: ask before making the text of one.
KN_API bool kn_log_tells(const kn_world *world, kn_log_category category, kn_log_level level);
/// Writes an entry of your own, if it is told.
KN_API void kn_log_write(const kn_world *world, const kn_log_entry *entry);

// Whom to look at -----------------------------------------------------------

/// The next and the previous entity with a component, round and round; bodies are left out, their
/// owner answers for them. From null: the first and the last. An id that is stale goes on from
/// where it was. Null if there is nobody.
KN_API kn_entity_id kn_entity_cycle_next(const kn_world *world, kn_entity_id entity);
KN_API kn_entity_id kn_entity_cycle_previous(const kn_world *world, kn_entity_id entity);

// Abilities -----------------------------------------------------------------

/// All tags of a granted ability, those of its def first. Returns how many there are.
KN_API uint32_t kn_ability_tags(
    const kn_world *world, kn_ability_id ability, kn_tag *out, uint32_t capacity);

/// Abilities with `tag` cannot start: who says so.
typedef struct kn_blocked_tag {
    kn_tag tag;
    kn_ability_id ability;       ///< null if an effect blocks
    kn_activation_id activation; ///< of that ability
    kn_effect_id effect;         ///< null if an ability blocks
} kn_blocked_tag;

/// Every block on ability tags of an entity, by tag. Returns how many there are.
KN_API uint32_t kn_entity_blocked_tags(
    const kn_world *world, kn_entity_id entity, kn_blocked_tag *out, uint32_t capacity);
/// The abilities of an entity with their tags, then the tags that are blocked and by whom, as text.
/// 0 for a stale id.
KN_API uint32_t kn_entity_ability_tags_print(
    const kn_world *world, kn_entity_id entity, char *text, uint32_t size);

/// Activations that nothing will end by itself: no task of theirs has been started, and none of
/// these holds:
///   - the ability activates on grant: a passive stays;
///   - it was triggered by KN_ON_TAG_PRESENT: it goes with the tag;
///   - the ability has an input and a hook that hears it;
///   - a timer has the id of the activation in its data;
///   - on a client, the server started it and will end it.
/// What game code ends by call is listed too: the library cannot know. In order of their places;
/// returns how many there are.
KN_API uint32_t kn_activations_idle(
    const kn_world *world, kn_activation_id *out, uint32_t capacity);

/// How the abilities of a library are built, as a table: name, tags, cost, cooldown, commit,
/// triggers, instancing, where it runs and what else is set, a line each in order of registration.
KN_API uint32_t kn_library_abilities_print(const kn_library *library, char *text, uint32_t size);

// Memory --------------------------------------------------------------------

/// Moves the memory of a world on every call that may change it, so that a pointer that is used
/// beyond its lifetime (a state block, a component, a payload, an event's tags) is found by a
/// sanitizer on the first run. For tests: slow, but it changes no result. Off at first.
KN_API void kn_world_set_moving(kn_world *world, bool is_moving);

// Tasks ---------------------------------------------------------------------

/// Tasks of one kind, and for KN_TASK_CUSTOM of one type.
typedef struct kn_task_tally {
    kn_task_kind kind;
    kn_task_type_id type; ///< KN_TASK_CUSTOM
    uint64_t made;        ///< since recording began; 0 if it does not run
    uint32_t alive;       ///< now
} kn_task_tally;

/// Counts tasks as they are made, from 0, or stops and forgets. Off at first; then it costs
/// nothing.
KN_API kn_result kn_task_tally_record(kn_world *world, bool recording);
KN_API bool kn_task_tally_is_recording(const kn_world *world);
/// Kinds of which there are or were any: most made first, then most alive, then by kind and type.
/// At most `capacity` are written: the top so many. Returns how many there are.
KN_API uint32_t kn_task_tallies(const kn_world *world, kn_task_tally *out, uint32_t capacity);
/// The top so many (0: all) as a table.
KN_API uint32_t kn_task_tally_print(const kn_world *world, uint32_t top, char *text, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
