// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// A trace of capabilities: what was called, switched and blocked when and why, as rows and as
/// lines, and timelines that are drawn from it. Part of knack::capability.
///
///   kn_capability_trace_def def = kn_capability_trace_def_default();
///   kn_capability_trace *trace;
///   kn_result result = kn_capability_trace_create(&def, &trace);
///   ...
///   result = kn_capability_trace_calls(world, NULL); // functions and what stops them, too
///   ...
///   kn_world_step(world, KN_MS(16));
///   kn_capability_trace_read(trace, world);
///   ...
///   kn_capability_timeline_def hero = kn_capability_timeline_def_default();
///   hero.entity = entity;
///   kn_capability_timeline_print(trace, world, &hero, text, sizeof(text));
///
/// A trace is an observer: it reads the events of a world and never changes it, so that results are
/// the same with and without it. Its memory is allocated when it is created; only timelines
/// allocate more, and free it before they return. It is not thread-safe, and should read one world
/// at a time: clear it before it reads another.
#ifndef KNACK_CAPABILITY_TRACE_H
#define KNACK_CAPABILITY_TRACE_H

#include "knack/capability.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A trace. Opaque; see kn_capability_trace_create().
typedef struct kn_capability_trace kn_capability_trace;

/// Writes the name of an entity, such as that of a player, which may be gone already. The text has
/// `size` bytes including the final zero.
typedef void kn_capability_name_fn(
    void *user, const kn_world *world, kn_entity_id entity, char *text, uint32_t size);

/// How to create a trace. Start from kn_capability_trace_def_default().
typedef struct kn_capability_trace_def {
    kn_hooks hooks; ///< memory of the trace; all-zero for malloc
    /// Rows that are kept, 1 to 1048576; the oldest is dropped for a new one; default 4096.
    uint32_t row_capacity;
    /// Capabilities that can be stopped at the same time and have rows of that, 1 to 65536; further
    /// ones have none; default 1024.
    uint32_t stop_capacity;
    kn_entity_id entity; ///< only rows about this entity; null: all
    /// Rows for calls of functions. False: only for the first and the last one of each life, which
    /// keeps long traces small; default true.
    bool calls;
    kn_capability_name_fn *name; ///< names entities; NULL: "entity 3"
    void *name_user;             ///< passed to `name`
    uint32_t cookie;             ///< set by kn_capability_trace_def_default(); do not change it
} kn_capability_trace_def;

/// A def with the defaults named above.
KN_API kn_capability_trace_def kn_capability_trace_def_default(void);
/// Creates a trace. Destroy it with kn_capability_trace_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a capacity out of
///         range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_capability_trace_create(
    const kn_capability_trace_def *def, kn_capability_trace **trace);
/// Destroys a trace. NULL is ignored.
KN_API void kn_capability_trace_destroy(kn_capability_trace *trace);

// Calls -----------------------------------------------------------------------------

/// What a capability was called for, or why it was passed over in a run.
typedef enum kn_capability_hook {
    KN_CAPABILITY_HOOK_START_LIFE,        ///< `start_life`
    KN_CAPABILITY_HOOK_SETUP,             ///< `setup`
    KN_CAPABILITY_HOOK_SHOULD_ACTIVATE,   ///< the question whether it should activate: `answer`
    KN_CAPABILITY_HOOK_SHOULD_DEACTIVATE, ///< the question whether it should deactivate: `answer`
    KN_CAPABILITY_HOOK_TICK,              ///< `tick`, with `dt`
    KN_CAPABILITY_HOOK_END_CAPABILITY,    ///< `end_capability`
    KN_CAPABILITY_HOOK_END_LIFE,          ///< `end_life`
    KN_CAPABILITY_HOOK_STOPPED,           ///< none: `tag` stops it
    /// None: it is passed over, since its interval is not over, or from now on, since it was
    /// disabled.
    KN_CAPABILITY_HOOK_PASSED,
    KN_CAPABILITY_HOOK_COUNT, ///< number of the values above; not a value itself
} kn_capability_hook;

/// Payload of the custom event `Knack.CapabilityCalled`. Published just before each call, and after
/// a question is answered, for capabilities without such functions too, except for `tick`. Switches
/// are `Knack.CapabilityChanged`, published just before `activated` and `deactivated`. Only worlds
/// in which a listener names this kind publish it: see kn_capability_trace_calls().
typedef struct kn_capability_called {
    kn_time dt;                  ///< `tick`: the time that it is passed
    kn_capability_id capability; ///< its definition
    uint32_t number;             ///< its number on the entity
    kn_capability_hook hook;     ///< what it was called for
    uint32_t answer;             ///< of a question with all its conditions: 1 for yes; otherwise 0
    kn_tag tag;                  ///< KN_CAPABILITY_HOOK_STOPPED: the tag; otherwise null
    /// KN_CAPABILITY_HOOK_STOPPED: 1 if the tag is blocked; 0 if the entity has it, or it is that
    /// of an ability which is blocked.
    uint32_t is_block;
} kn_capability_called;

/// Has a world publish `Knack.CapabilityCalled`, so that traces have rows of calls and of what
/// stops capabilities. It adds a listener that does nothing else.
/// @param listener receives its id, for kn_listener_remove(); may be NULL
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a world without the kit; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_capability_trace_calls(kn_world *world, kn_listener_id *listener);

// Rows ------------------------------------------------------------------------------

/// What a row is about.
typedef enum kn_capability_row_kind {
    KN_CAPABILITY_ROW_CALLED,     ///< something was called: `hook`, `answer`, `dt`
    KN_CAPABILITY_ROW_CHANGED,    ///< it was switched: `is_on`, `reason`
    KN_CAPABILITY_ROW_STOPPED,    ///< `tag` began to stop it (`is_on`), or it runs again
    KN_CAPABILITY_ROW_BLOCKED,    ///< a block of `tag` by `source` began (`is_on`) or ended
    KN_CAPABILITY_ROW_PROBLEM,    ///< `fault`
    KN_CAPABILITY_ROW_KIND_COUNT, ///< number of the values above; not a value itself
} kn_capability_row_kind;

/// One row of a trace. What does not belong to its kind is zero.
typedef struct kn_capability_row {
    kn_time time;                   ///< when it happened
    kn_entity_id entity;            ///< the entity
    kn_capability_row_kind kind;    ///< what it is
    kn_capability_id capability;    ///< the capability; null for a block, or a problem of a set
    uint32_t number;                ///< its number on the entity; 0 if it has none here
    kn_capability_hook hook;        ///< KN_CAPABILITY_ROW_CALLED: what was called
    kn_time dt;                     ///< of a tick
    bool answer;                    ///< of a question
    bool is_on;                     ///< it is active, stopped, or blocked from now on
    bool is_block;                  ///< KN_CAPABILITY_ROW_STOPPED: by a block, not a tag it has
    kn_capability_reason reason;    ///< why it was switched
    kn_tag tag;                     ///< the tag that stops, or is blocked
    kn_capability_source source;    ///< who blocks
    kn_capability_id blocker;       ///< the capability that blocks, as far as it was there
    kn_capability_set_id set;       ///< the set that blocks, or of a problem
    kn_effect_type_id effect;       ///< the effect that blocks, as far as it was there
    kn_capability_fault fault;      ///< what is wrong
    kn_component_type_id component; ///< of a problem: what a set waits for
    kn_cause_info cause;            ///< why: the innermost link of the chain of causes
} kn_capability_row;

/// Reads what a world has published last (kn_world_events()): call it once after each step.
/// @return how many rows were added
KN_API uint32_t kn_capability_trace_read(kn_capability_trace *trace, const kn_world *world);
/// Reads one event, from a listener or an array of events; those of other modules are ignored.
/// @return how many rows were added: 0 to 2
KN_API uint32_t kn_capability_trace_add(
    kn_capability_trace *trace, const kn_world *world, const kn_event *event);
/// How many rows are kept.
KN_API uint32_t kn_capability_trace_count(const kn_capability_trace *trace);
/// How many rows were added since the trace was created or cleared, those dropped included.
KN_API uint64_t kn_capability_trace_total(const kn_capability_trace *trace);
/// A row, the oldest that is kept first. False, and a zeroed row, past the end.
KN_API bool kn_capability_trace_row(
    const kn_capability_trace *trace, uint32_t index, kn_capability_row *row);
/// Writes a row as a line, such as "1.250 s  entity 3  Walk: inactive, since it was blocked".
/// Returns the full length; the text is truncated to `size` bytes including the final zero. 0 past
/// the end.
KN_API uint32_t kn_capability_trace_print(const kn_capability_trace *trace, const kn_world *world,
    uint32_t index, char *text, uint32_t size);
/// Drops all rows.
KN_API void kn_capability_trace_clear(kn_capability_trace *trace);

// Timelines ---------------------------------------------------------------------------

/// Which part of a trace a timeline shows. Start from kn_capability_timeline_def_default().
typedef struct kn_capability_timeline_def {
    kn_entity_id entity; ///< the entity; required; it may be gone
    kn_time from;        ///< where it begins; default 0; not before the oldest row that is kept
    kn_time to;          ///< where it ends; default KN_TIME_INFINITE: now
    /// Columns of time in the text, 10 to 1000, and a tenth of the width of the picture; default
    /// 80.
    uint32_t columns;
    const char *title; ///< heading of the picture; NULL: the name of the entity
    uint32_t cookie;   ///< set by kn_capability_timeline_def_default(); do not change it
} kn_capability_timeline_def;

/// What a span of a timeline is.
typedef enum kn_capability_span_kind {
    KN_CAPABILITY_SPAN_INACTIVE, ///< the capability was there, and inactive
    KN_CAPABILITY_SPAN_ACTIVE,   ///< the capability was active
    KN_CAPABILITY_SPAN_STOPPED,  ///< the capability was inactive, and `tag` stopped it
    KN_CAPABILITY_SPAN_BLOCK,    ///< `tag` was blocked by `source`
    /// `tag` itself stopped a capability: the entity had it, or abilities with it were blocked.
    KN_CAPABILITY_SPAN_TAG,
    KN_CAPABILITY_SPAN_KIND_COUNT, ///< number of the values above; not a value itself
} kn_capability_span_kind;

/// A part of one row of a timeline.
typedef struct kn_capability_span {
    kn_capability_span_kind kind; ///< what it is
    uint32_t row;                 ///< which row of the timeline, from 0
    kn_time from, to;             ///< when it began and ended, within the timeline
    kn_capability_id capability;  ///< the capability; of a block, the one that blocks
    uint32_t number;              ///< number of the capability; 0 for a tag
    kn_capability_reason reason;  ///< KN_CAPABILITY_SPAN_ACTIVE: why it was activated
    kn_tag tag;                   ///< the tag that stopped it, or was blocked
    bool is_block; ///< KN_CAPABILITY_SPAN_STOPPED: by a block of the tag, not by the tag itself
    kn_capability_source source; ///< of a block: who blocked
} kn_capability_span;

/// A timeline with nothing but the defaults named above.
KN_API kn_capability_timeline_def kn_capability_timeline_def_default(void);
/// A timeline as spans, row by row and each in the order of time: first the capabilities in their
/// order, then the blocks and tags that stopped them in the order in which they began. Without
/// kn_capability_trace_calls() it does not know what stopped inactive capabilities, and shows them
/// as inactive. Returns how many there are; at most `capacity` are written. 0 for a def without its
/// defaults, and without memory.
KN_API uint32_t kn_capability_timeline(const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_timeline_def *def, kn_capability_span *out, uint32_t capacity);
/// Writes a timeline as text: a row for each capability, and one for each block with who blocks.
/// Returns the full length; the text is truncated to `size` bytes including the final zero. 0 if
/// there is nothing.
KN_API uint32_t kn_capability_timeline_print(const kn_capability_trace *trace,
    const kn_world *world, const kn_capability_timeline_def *def, char *text, uint32_t size);
/// Writes the same as a picture, a whole SVG file. Returns the full length; the text is truncated
/// to `size` bytes including the final zero. 0 if there is nothing.
KN_API uint32_t kn_capability_timeline_svg(const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_timeline_def *def, char *text, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
