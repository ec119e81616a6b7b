// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Systems: functions that run at a fixed rate of their own, inside the step. They are for rules
/// about many things at once, such as all projectiles or all queues of a kit, which a timer for
/// each of them would serve badly.
///
///   kn_system_def def = kn_system_def_default();
///   def.name = "Projectiles";
///   def.rate = 30; // times per second
///   def.function = projectiles_move;
///
/// The runs of a system are numbered from the world's time 0. Run n happens at n seconds divided by
/// the rate, rounded down to a microsecond, or at n times the period, whatever the length of the
/// host's steps is: one step of 1 s gives the same state as sixty of 1/60 s. The first one is run
/// 1, at the end of the first period. docs/step-order.md has its place in the step.
///
/// A system keeps no state of its own outside the world; components of entities and of the world
/// are made for that.
#ifndef KNACK_SYSTEM_H
#define KNACK_SYSTEM_H

#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most runs per second that a system can have.
#define KN_SYSTEM_RATE_MAX 1000000

/// Groups that systems of different authors agree on: `input`, `movement`, `rules` and `cleanup`
/// where a name is asked for. Any other number is a group as well, and kn_system_group_register()
/// gives it a name.
enum {
    KN_SYSTEM_GROUP_INPUT = -2000,    ///< reads what players and machines want
    KN_SYSTEM_GROUP_MOVEMENT = -1000, ///< moves bodies and projectiles
    KN_SYSTEM_GROUP_RULES = 0,        ///< everything else; the default
    KN_SYSTEM_GROUP_CLEANUP = 1000,   ///< removes what the others are done with
};

/// One run of a system. Valid during the call.
typedef struct kn_system_run {
    kn_system_id system; ///< the system that runs
    kn_time now;         ///< when the run happens; also kn_world_now()
    /// Time since the run before this one was due. All periods of a second add up to exactly one.
    kn_time period;
    uint64_t index; ///< number of the run, counted from the world's time 0; the first run is 1
} kn_system_run;

/// The function of a system. A rule: it may change the world, must be deterministic, and keeps no
/// state outside the world. Its calls take effect at once.
typedef void kn_system_fn(void *user, kn_world *world, const kn_system_run *run);

/// A system. Start from kn_system_def_default().
typedef struct kn_system_def {
    const char *name; ///< unique name; required; saves find the system by it
    /// Runs per second, 1 to 1,000,000; exact in the long run: 60 gives 60 runs in each second.
    /// Required unless there is a `period`.
    uint32_t rate;
    /// Time between two runs, above 0, instead of a `rate`.
    kn_time period;
    /// Of systems that are due at the same time those of the lower group run first; -1000 is for
    /// movement, 1000 for what cleans up; default 0.
    int32_t group;
    /// The group by its name instead of a number: `input`, `movement`, `rules`, `cleanup`, or one
    /// that is registered, in data files in `system_groups`; default: the number counts.
    const char *group_name;
    /// In a group the system with the lower order runs first, then the one registered first;
    /// default 0.
    int32_t order;
    /// The system runs in every world that does not switch it off; false: only in those that switch
    /// it on; default true.
    bool enabled;
    kn_system_fn *function; ///< called for each run; required
    void *user;             ///< passed to `function`
    uint32_t cookie;        ///< set by kn_system_def_default(); do not change it
} kn_system_def;

/// A def of a system that is enabled, with nothing else set.
KN_API kn_system_def kn_system_def_default(void);
/// Registers a system. kn_library_finish() refuses one whose `group_name` does not exist.
/// @return KN_OK; KN_ERROR_BAD_DATA for a system with neither rate nor period or with both, for a
///         rate above KN_SYSTEM_RATE_MAX, for a period below 0, for a group by number and by name,
///         or an invalid name;
///         KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults or function; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_system_register(
    kn_library *library, const kn_system_def *def, kn_system_id *system, kn_error *error);
/// The system with this name. Null when there is none; a finished library then logs a warning, once
/// per name.
KN_API kn_system_id kn_system_find(const kn_library *library, const char *name);
/// The name of a system; "" for null. Valid as long as the library.
KN_API const char *kn_system_name(const kn_library *library, kn_system_id system);
/// The def of a system as registered; it belongs to the library. NULL when unknown.
KN_API const kn_system_def *kn_system_get_def(const kn_library *library, kn_system_id system);
/// The group in which a system runs, also if it is given by name. 0 for an unknown system, and for
/// a name before the library is finished.
KN_API int32_t kn_system_group(const kn_library *library, kn_system_id system);

/// A name for a group of systems. Start from kn_system_group_def_default().
typedef struct kn_system_group_def {
    const char *name; ///< unique name, other than those that every library has; required
    /// The group: of systems that are due at the same time those of the lower number run first;
    /// -1000 is for movement, 1000 for what cleans up; default 0.
    int32_t number;
    uint32_t cookie; ///< set by kn_system_group_def_default(); do not change it
} kn_system_group_def;

/// A def of the group 0, without a name.
KN_API kn_system_group_def kn_system_group_def_default(void);
/// Registers a name for a group of systems. Several names may stand for one group.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken, also by one that every library
/// has;
///         KN_ERROR_BAD_DATA for an invalid name; KN_ERROR_INVALID_ARGUMENT for a def without its
///         defaults; KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_system_group_register(kn_library *library,
    const kn_system_group_def *def, kn_system_group_id *group, kn_error *error);
/// The registered group with this name. Null when there is none, also for those that every library
/// has; a finished library then logs a warning, once per name.
KN_API kn_system_group_id kn_system_group_find(const kn_library *library, const char *name);
/// The name of a registered group; "" for null. Valid as long as the library.
KN_API const char *kn_system_group_name(const kn_library *library, kn_system_group_id group);
/// The def of a registered group; it belongs to the library. NULL when unknown.
KN_API const kn_system_group_def *kn_system_group_get_def(
    const kn_library *library, kn_system_group_id group);
/// The number behind a name, of a registered group or one that every library has. False, and 0,
/// when there is none.
KN_API bool kn_system_group_number(const kn_library *library, const char *name, int32_t *number);

/// All systems in the order in which those that are due at the same time run. Returns how many
/// there are; at most `capacity` are written. 0 before the library is finished.
KN_API uint32_t kn_systems(const kn_library *library, kn_system_id *out, uint32_t capacity);
/// When run `index` of a system happens. KN_TIME_INFINITE for an unknown system and beyond
/// KN_TIME_MAX.
KN_API kn_time kn_system_time(const kn_library *library, kn_system_id system, uint64_t index);

/// Switches a system of one world on or off. That is part of the world's state: it is saved, hashed
/// and restored. A system that is switched on runs for the first time after now: a run that is due
/// at this very moment has passed. One that is on already keeps its next run.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for an unknown system; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_system_set_enabled(kn_world *world, kn_system_id system, bool is_enabled);
/// True if a system runs in this world. False for an unknown one.
KN_API bool kn_system_is_enabled(const kn_world *world, kn_system_id system);
/// When a system runs next; KN_TIME_INFINITE for one that is off and for an unknown one.
KN_API kn_time kn_system_next(const kn_world *world, kn_system_id system);

#ifdef __cplusplus
}
#endif

#endif
