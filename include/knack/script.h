// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Rules in Lua 5.4, as safe to roll back as rules in C. Part of knack::script; docs/scripting.md
/// is the guide, docs/lua-api.md lists everything a script can call.
///
///     ability "Meteor" {
///         state = { target = kn.entity, hits = kn.u32 },
///         activate = function(self)
///             self.state.target = self.event and self.event.target
///             if not self:commit() then return false end
///             self:wait(0.5, "land")
///         end,
///         land = function(self)
///             self:apply("Burn", self.state.target)
///             self:finish()
///         end,
///     }
///
/// A script is filled with chunks of source text, then its definitions are bound to defs before
/// those are registered:
///
///     kn_script_create(library, NULL, &script, &error);
///     kn_script_load(script, "meteor.lua", text, size, &error);
///     kn_ability_def def = kn_ability_def_default();
///     def.name = "Meteor";
///     kn_script_bind_ability(script, "Meteor", &def, &error); // sets hooks, user and state
///     kn_ability_register(library, &def, &meteor, &error);
///     kn_script_destroy(script); // the library keeps it as long as it needs it
///
/// What must last from one call to the next lives in `self.state`, bytes that the world owns.
/// Nothing else can: once a chunk is loaded, its globals, its locals and every table they reach are
/// read-only. So any virtual machine gives the same result, and worlds on several threads share one
/// script: each outermost call takes a free machine, or makes one.
#ifndef KNACK_SCRIPT_H
#define KNACK_SCRIPT_H

#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Chunks of Lua for one library, and the machines that run them. Opaque; see kn_script_create().
typedef struct kn_script kn_script;

/// Limits of a script. Start from kn_script_def_default().
typedef struct kn_script_def {
    /// Memory of the script and its machines; the log receives every error with a traceback, and
    /// what scripts print (KN_LOG_INFO). Both are called on the thread of the world that runs.
    kn_hooks hooks;
    /// Most instructions of one outermost call, those of calls inside it included; counted in steps
    /// of 1,000. Work of the library counts as instructions by its size: docs/lua-api.md has the
    /// costs. Loading a chunk has the same limit. Default 1,000,000.
    uint32_t instruction_limit;
    /// Most instructions of all outermost calls of one step together, or of one call of the host
    /// between steps; each call counts as 100 more. Calls beyond that fail; tickers wait for their
    /// next look. Policies, which see no world, are not counted. Default 20,000,000.
    uint32_t step_instruction_limit;
    /// Most bytes one machine may hold. A safeguard, not a rule of the game: keep it far above what
    /// scripts need. Default 8 MiB.
    size_t memory_limit;
    /// Most calls inside calls, as when a script activates an ability whose body is a script. At
    /// most 32. Default 16.
    uint32_t depth_limit;
    uint32_t cookie; ///< set by kn_script_def_default(); do not change it
} kn_script_def;

/// A def with the default limits.
KN_API kn_script_def kn_script_def_default(void);

/// Creates an empty script for a library that is not finished yet. Give it up with
/// kn_script_destroy(). Scripts have the functions that the library has by now
/// (knack/function.h): register kits before.
/// @param def NULL for the defaults
/// @return KN_OK; KN_ERROR_WORLD_LOCKED for a finished library; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults or limits out of range; KN_ERROR_BAD_DATA if the Lua library is a
///         version this module does not support, or a function of the library has a name that
///         scripts use otherwise; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_script_create(
    kn_library *library, const kn_script_def *def, kn_script **script, kn_error *error);
/// Gives the script up. NULL is ignored. It lives on as long as its library, that is until the last
/// world is gone: bound defs point into it.
KN_API void kn_script_destroy(kn_script *script);

/// Runs a chunk once, takes over what it defines and freezes it. Text only; compiled chunks are
/// refused. On an error nothing of the chunk stays.
/// @param chunk_name for messages, such as a file name
/// @param error code, line and what is wrong; may be NULL
/// @return KN_OK; KN_ERROR_BAD_DATA for anything wrong with the text, or for a definition or global
///         that an earlier chunk has; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_script_load(
    kn_script *script, const char *chunk_name, const char *text, size_t size, kn_error *error);

// Binding -------------------------------------------------------------------
//
// Each function looks up a definition by kind and name, and sets the hooks it has, `user` and,
// where there is one, the state with its fields; `name` too if it is NULL. Bound defs point into
// the script, which lives as long as the library. The same definition may be bound to several defs.

/// Binds `ability "Name" { state = {...}, activate = function(self) ... end, ... }` to a def.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if no chunk defines it; KN_ERROR_BAD_DATA for a definition
///         that makes no sense; KN_ERROR_INVALID_ARGUMENT for a def with a `user` of its own;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_script_bind_ability(
    kn_script *script, const char *name, kn_ability_def *def, kn_error *error);
/// Binds `task "Name" { state = {...}, start = function(self) ... end, ... }` to a def. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_task(
    kn_script *script, const char *name, kn_task_type_def *def, kn_error *error);
/// Binds `logic "Name" { state = {...}, applied = function(self) ... end, ... }` to a def. Results
/// as kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_logic(
    kn_script *script, const char *name, kn_effect_logic_def *def, kn_error *error);
/// Binds `calculation "Name" { calculate = function(self) return number end }` to a def. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_calculation(
    kn_script *script, const char *name, kn_calculation_def *def, kn_error *error);
/// Binds `execution "Name" { execute = function(self) ... end }` to a def. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_execution(
    kn_script *script, const char *name, kn_execution_def *def, kn_error *error);
/// Binds `attributes "Name" { pre_change = function(change) return number end, ... }` to the hooks
/// of a set. Results as kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_attribute_hooks(
    kn_script *script, const char *name, kn_attribute_hooks *hooks, kn_error *error);
/// Binds `event "Name" { apply = function(record, magnitude) ... end }` to a def. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_event_kind(
    kn_script *script, const char *name, kn_event_kind_def *def, kn_error *error);
/// Binds `ability_check "Name" { check = function(self, event) ... end }` to a def. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_check(
    kn_script *script, const char *name, kn_check_def *def, kn_error *error);
/// Binds `rule "Name" { react = function(reaction) ... end }` to a def. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_rule(
    kn_script *script, const char *name, kn_rule_def *def, kn_error *error);
/// Binds `command "Name" { run = function(command) ... end, check = function(command) ... end }` to
/// a def. Either may return false to refuse the command with KN_REFUSED_CUSTOM. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_command(
    kn_script *script, const char *name, kn_command_def *def, kn_error *error);
/// Binds `system "Name" { run = function(self, dt) ... end }`. Results as kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_system(
    kn_script *script, const char *name, kn_system_def *def, kn_error *error);
/// Binds `watch "Name" { react = function(reaction) ... end }`. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_watch(
    kn_script *script, const char *name, kn_watch_def *def, kn_error *error);
/// Binds `component "Name" { added = function(self) ... end, removed = function(self) ... end }` to
/// a def. Results as kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_component(
    kn_script *script, const char *name, kn_component_def *def, kn_error *error);
/// Binds `targeting "Name" { find = function(self) return targets end, ... }` to a def. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_targeting(
    kn_script *script, const char *name, kn_targeting_def *def, kn_error *error);

/// Binds a definition of an own kind (knack/kind.h) with its hooks: `order "Name" { run =
/// function(self, args) ... end, ... }` for the kind `order`. Scripts have a word for each own kind
/// that the library had when the script was created: its name with `_` for spaces, unless that is
/// the name of something else in scripts. A hook gets the arguments as a table. It may return a
/// table, whose fields are the answers, or false, which is KN_REFUSED_CUSTOM.
/// @param def the struct of the kind; only its hooks that the script defines are set
/// @return KN_OK; KN_REFUSED_NOT_FOUND if no chunk defines it; KN_ERROR_BAD_DATA for a definition
///         that makes no sense; KN_ERROR_INVALID_ARGUMENT for a kind that is not an own one;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_script_bind_kind(
    kn_script *script, kn_def_kind kind, const char *name, void *def, kn_error *error);

/// A bound requirement, to be passed to kn_requirement_register().
typedef struct kn_script_requirement {
    kn_requirement_fn *function; ///< the function to register
    void *user;                  ///< the `user` to register with the function
} kn_script_requirement;
/// A bound condition, to be passed to kn_condition_register().
typedef struct kn_script_condition {
    kn_condition_fn *function; ///< the function to register
    void *user;                ///< the `user` to register with the function
} kn_script_condition;
/// A bound timer function, to be passed to kn_timer_type_register().
typedef struct kn_script_timer {
    kn_timer_fn *function; ///< the function to register
    void *user;            ///< the `user` to register with the function
} kn_script_timer;
/// A bound policy, to be passed to kn_policy_register().
typedef struct kn_script_policy {
    kn_policy_fn *function; ///< the function to register
    void *user;             ///< the `user` to register with the function
} kn_script_policy;

/// Binds `requirement "Name" { allow = function(self) return true end }`. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_requirement(
    kn_script *script, const char *name, kn_script_requirement *bound, kn_error *error);
/// Binds `condition "Name" { test = function(record, magnitude) return true end }`. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_condition(
    kn_script *script, const char *name, kn_script_condition *bound, kn_error *error);
/// Binds `timer "Name" { state = {...}, fired = function(self) return seconds end }`. Register it
/// under this name: `start_timer` finds the layout of its 16 bytes by it. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_timer(
    kn_script *script, const char *name, kn_script_timer *bound, kn_error *error);
/// Binds `ticker "Name" { interval = seconds, state = {...}, tick = function(self, dt) ... end, ...
/// }` to a def, with its state; an interval that the def has already stays. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_ticker_def(
    kn_script *script, const char *name, kn_ticker_def *def, kn_error *error);
/// Binds a ticker as kn_script_bind_ticker_def() does and registers it (kn_ticker_register()), with
/// the timer type and the component that carry it. Archetypes may list the timer.
/// @param type receives the timer type
/// @return as kn_script_bind_ability(); KN_REFUSED_DUPLICATE if there is a timer or component of
///         this name
KN_API KN_MUST_USE kn_result kn_script_bind_ticker(
    kn_script *script, const char *name, kn_timer_type_id *type, kn_error *error);
/// Binds `policy "Name" { qualify = function(self, modifiers) return those end }`. It sees
/// `self.base` and the modifiers, not the world; after an error all modifiers take part. Results as
/// kn_script_bind_ability().
KN_API KN_MUST_USE kn_result kn_script_bind_policy(
    kn_script *script, const char *name, kn_script_policy *bound, kn_error *error);

// Tickers -------------------------------------------------------------------
//
// The same as the functions of knack/ticker.h, with the name of a ticker, be it in Lua or in C.

/// Adds a ticker to an entity. It looks for the first time now: within this step, or at the
/// beginning of the next.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if there is no such ticker; KN_REFUSED_DUPLICATE if the
///         entity has it already; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_script_ticker_start(
    kn_world *world, kn_entity_id entity, const char *name);
/// Removes a ticker, after its `stopped` if it runs. False if there is none.
KN_API bool kn_script_ticker_stop(kn_world *world, kn_entity_id entity, const char *name);
/// True if the entity has the ticker, whether it runs or not.
KN_API bool kn_script_ticker_is_there(const kn_world *world, kn_entity_id entity, const char *name);
/// True if the ticker runs, that is between `started` and `stopped`.
KN_API bool kn_script_ticker_runs(const kn_world *world, kn_entity_id entity, const char *name);

// Data files ----------------------------------------------------------------

/// Scripts for libraries that are built from files (knack/data.h): `.lua` files are chunks, and
/// `script: Name` in a definition binds it.
typedef struct kn_script_loader kn_script_loader;

/// Creates a loader. Destroy it with kn_script_loader_destroy().
/// @param def NULL for the defaults
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_script_loader_create(
    const kn_script_def *def, kn_script_loader **loader);
/// Destroys a loader. NULL is ignored. Libraries that were built keep their scripts.
KN_API void kn_script_loader_destroy(kn_script_loader *loader);
/// The script engine for kn_data_def.scripts. Valid as long as the loader.
KN_API kn_data_scripts kn_script_loader_scripts(kn_script_loader *loader);
/// The script of the last build, for its errors and statistics; NULL before the first. Valid until
/// the next build or the end of the loader.
KN_API kn_script *kn_script_loader_script(const kn_script_loader *loader);

// Looking at it -------------------------------------------------------------

/// One error of a script.
typedef struct kn_script_error {
    char chunk[64]; ///< chunk in which it happened; "" if unknown
    uint32_t line;  ///< line in the chunk; 0 if unknown
    /// Definition that ran, such as "ability Meteor.land"; "" while a chunk was loaded.
    char definition[64];
    char message[256];    ///< what happened
    char traceback[1024]; ///< stack trace, truncated
} kn_script_error;

// Both functions may be called while worlds run on other threads.

/// Number of errors since the script was created. Refusals are not errors.
KN_API uint64_t kn_script_error_count(const kn_script *script);
/// One of the last 16 errors, 0 for the latest. False, and all zero, past the end.
KN_API bool kn_script_get_error(const kn_script *script, uint32_t index, kn_script_error *error);

/// What a script holds. Only idle machines are counted: all of them, since no call is running.
typedef struct kn_script_stats {
    uint32_t machines;     ///< number of machines
    uint64_t bytes;        ///< bytes that the machines hold
    uint64_t calls;        ///< outermost calls so far
    uint64_t instructions; ///< most instructions of one outermost call, in thousands rounded down
} kn_script_stats;

/// What a script holds. Call it only while no world that uses the script runs.
KN_API kn_script_stats kn_script_get_stats(kn_script *script);

/// A reference of everything a script can call, printed from the tables the bindings are made of.
typedef enum kn_script_page {
    KN_SCRIPT_PAGE_MARKDOWN, ///< docs/lua-api.md
    KN_SCRIPT_PAGE_LUALS,    ///< annotations for the Lua language server
} kn_script_page;

/// Receives one piece of a page. `text` is valid during the call.
typedef void kn_script_write_fn(void *user, const char *text);
/// Passes a page to `write`, piece by piece: what every script can call.
KN_API void kn_script_print_page(kn_script_page page, kn_script_write_fn *write, void *user);
/// Passes a page to `write` that also has the functions of a library (knack/function.h), such as
/// those of its kits: print your own annotations with it.
/// @return KN_OK; KN_ERROR_BAD_DATA for a function whose name scripts use otherwise;
///         KN_ERROR_INVALID_ARGUMENT for NULL; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_script_print_library_page(kn_script_page page,
    const kn_library *library, kn_script_write_fn *write, void *user, kn_error *error);

#ifdef __cplusplus
}
#endif

#endif
