// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The capability kit, knack::capability: behaviour from small, ordered slices. It is written on
/// the public headers of the core alone.
///
/// A capability is a piece of standing behaviour, such as walking, climbing or aiming. It decides
/// itself when it is active, is ticked while it is, and can be blocked by tag. A set lists
/// capabilities in the order in which they run, with the data components that they share; an entity
/// gets whole sets. Order, tags and conditions are data, bodies are C or Lua:
///
///   kn_capability_def glide = kn_capability_def_default();
///   glide.name = "Glide";
///   glide.tags = (kn_tags){&move, 1};
///   glide.should_activate.function = glide_should_activate; // KN_OK means yes
///   glide.should_deactivate.function = glide_should_deactivate;
///   glide.tick.function = glide_tick;
///   ...
///   result = kn_capability_set_add(world, hero, kn_capability_set_find(library, "Movement"),
///   NULL);
///
/// The life of a capability on an entity, in this order:
///
/// | Hook                | When                                                              |
/// | ------------------- | ----------------------------------------------------------------- |
/// | `start_life`        | once, on every machine that knows the set                         |
/// | `setup`             | when this machine may run it (kn_capability_side)                 |
/// | `should_activate`   | while inactive, at each evaluation                                |
/// | `activated`         | after each switch to active                                       |
/// | `should_deactivate` | right after `setup`, and while active, at each evaluation         |
/// | `tick`              | at each evaluation, while active                                  |
/// | `deactivated`       | after each switch to inactive                                     |
/// | `end_capability`    | when the set goes, or this machine may not run it any more        |
/// | `end_life`          | once, when the set goes                                           |
///
/// Sets run at a fixed rate of their own inside the step, whatever the length of the host's steps
/// is, so that 30, 60 and 144 Hz, a server and a rollback come to the same state.
///
/// A library has the kit after kn_capability_register(); content asks for it with
/// `kits: [capability]`.
#ifndef KNACK_CAPABILITY_H
#define KNACK_CAPABILITY_H

#include "knack/capability_input.h"
#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_capability_id)
KN_TYPE_ID(kn_capability_set_id)
KN_TYPE_ID(kn_capability_collection_id)

/// Registers the capability kit: its kinds of definitions, components, events and rules. Before
/// definitions that use them, once per library.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the library has the kit, or a name of the kit is taken;
///         KN_ERROR_INVALID_ARGUMENT without a library; KN_ERROR_WORLD_LOCKED once it is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_capability_register(kn_library *library, kn_error *error);
/// True for a library that has the kit.
KN_API bool kn_capability_is_there(const kn_library *library);

// Sides -----------------------------------------------------------------------

/// On which machines a capability runs. The machine of a world is the authority unless
/// kn_world_def.is_client says otherwise; kn_world_def.is_dedicated and .connection say the rest.
typedef enum kn_capability_side {
    KN_SIDE_ALWAYS,              ///< on every machine
    KN_SIDE_AUTHORITY,           ///< on the authority
    KN_SIDE_LOCAL,               ///< where the entity is controlled
    KN_SIDE_AUTHORITY_AND_LOCAL, ///< on the authority and where the entity is controlled
    /// Where the entity, or the owner of it, or the owner of that, is controlled: the first one of
    /// them that can be controlled decides.
    KN_SIDE_OWNER_LOCAL,
    KN_SIDE_CLIENTS, ///< on every machine that is not a dedicated server
    KN_SIDE_COUNT,   ///< number of the values above; not a value itself
} kn_capability_side;

/// Who controls an entity with capabilities.
typedef enum kn_capability_control {
    /// The player whose connection the entity has (kn_entity_set_connection()); without one, the
    /// authority, as with an AI; an entity without connection that has an owner, nobody.
    KN_CONTROL_AUTOMATIC,
    KN_CONTROL_AUTHORITY, ///< the authority, whatever connection it has
    KN_CONTROL_NOBODY,    ///< nobody: it cannot be controlled
    KN_CONTROL_COUNT,     ///< number of the values above; not a value itself
} kn_capability_control;

/// Most steps from an entity to its owner, and on to the owner of that, for KN_SIDE_OWNER_LOCAL.
#define KN_CAPABILITY_OWNERS_MAX 16

/// True if a capability with this side runs for this entity in this world. False for a stale id.
KN_API bool kn_capability_runs_here(
    const kn_world *world, kn_entity_id entity, kn_capability_side side);

// Capabilities ------------------------------------------------------------------

/// What decides whether a capability begins active, when it is set up.
typedef enum kn_capability_initial {
    KN_INITIAL_STOP,  ///< active unless it should deactivate; the default
    KN_INITIAL_START, ///< active if it should activate
    KN_INITIAL_BOTH,  ///< active if it should activate and should not deactivate
    KN_INITIAL_COUNT, ///< number of the values above; not a value itself
} kn_capability_initial;

/// Arguments passed to the hooks of a capability. The entity is that of the kn_hook_call.
typedef struct kn_capability_call {
    kn_time dt;          ///< `tick`: time since it was evaluated last, without blocked time
    uint32_t number;     ///< which capability of the entity: see kn_capability_state()
    uint32_t set_number; ///< which set of the entity it belongs to
    /// `heard`: what happened, a kn_trigger; otherwise 0.
    uint32_t trigger;
    kn_tag tag;                ///< `heard`: the tag that was gained or lost, or of the event
    kn_attribute_id attribute; ///< `heard`: the attribute that changed
    float magnitude;           ///< `heard`: magnitude of the event, or new value of the attribute
    kn_entity_id instigator;   ///< `heard`: who caused the event; may be null
    /// Its state, see kn_capability_state(); NULL if it has none. Valid until the next call that
    /// may create something.
    const void *state;
    void *writable_state; ///< the same, to write to; NULL in hooks that must only read
    void *user; ///< of a capability that `presents`: that of its presenter; otherwise NULL
} kn_capability_call;

/// Arguments passed to `data_changed`: a field of a data component of the set has another value
/// than before. The component has all of its new values; kn_capability_old_data() has the old ones.
typedef struct kn_capability_data_change {
    uint32_t number;                ///< which capability of the entity
    uint32_t set_number;            ///< which set of the entity it belongs to
    kn_component_type_id component; ///< the component
    uint32_t field;                 ///< index of the field; the number of fields: the list of items
} kn_capability_data_change;

/// A message from one machine to another, to the same capability of the same entity. Its meaning is
/// up to the game. `{0}` with `number` and `message` is a good start.
typedef struct kn_capability_message {
    kn_vec3 vector;      ///< a position or direction; must be finite
    float value;         ///< a number; must be finite
    uint32_t number;     ///< which capability of the entity, see kn_capability_number(); required
    uint32_t message;    ///< what it is about
    uint32_t data;       ///< a number
    uint32_t stamp;      ///< tells messages of a client apart; set when it is sent
    kn_entity_id other;  ///< an entity; may be null
    uint32_t connection; ///< for the hook: who sent it; 0: the authority
    uint32_t set_number; ///< for the hook: number of the set
} kn_capability_message;

/// Most members, and most data components, of a set.
#define KN_CAPABILITY_MEMBERS_MAX 64

/// A capability, in data files under `capabilities`. Start from kn_capability_def_default().
typedef struct kn_capability_def {
    const char *name;        ///< unique name; required
    kn_capability_side side; ///< where it runs; default always
    bool can_tick;           ///< it is evaluated again and again; false: only on request; default
                             ///< true
    kn_time interval;        ///< time between two evaluations; default 0: in every run of its set
    bool staggered; ///< the first interval is shorter, by the slot of the entity; default false
    kn_tags tags;   ///< blocks of one of these tags, or of a parent, stop it; default none
    /// While the entity has one of these tags, or one below them, the capability is blocked.
    kn_tags blocked_by;
    kn_capability_initial initial; ///< whether it begins active; default stop
    /// It should be active while the tags of the entity meet this, and inactive while they do not;
    /// together with the hooks. Default: no requirement.
    kn_tag_requirement when;
    /// It should activate while this condition holds; instigator and target are the entity. Default
    /// none.
    kn_condition_id start_when;
    /// It should deactivate while this condition holds. Default none.
    kn_condition_id stop_when;
    kn_tags grants_tags;                 ///< tags that the entity has while it is active
    kn_tags blocks;                      ///< tags that it blocks while it is active
    bool blocks_itself;                  ///< its own blocks stop it too; default false
    const kn_effect_type_id *effects;    ///< effects on the entity while it is active
    uint32_t effect_count;               ///< number of entries in `effects`
    const kn_ability_type_id *abilities; ///< abilities that the entity has while it is active
    uint32_t ability_count;              ///< number of entries in `abilities`
    /// The state of each capability on an entity: plain data, zero at first. Read and write it with
    /// kn_capability_state().
    const kn_field *state;
    uint32_t state_count; ///< number of entries in `state`
    bool resets_state;    ///< the state is zeroed at each activation; default false
    /// Name of the group of systems that it runs in, such as `movement`; NULL: that of its set.
    const char *group;
    /// It sleeps until one of these tags, or of `when` and `blocked_by`, is gained or lost, or
    /// something else happens that it hears of: it is not evaluated meanwhile, unless it is active
    /// and has a `tick`. Then it is evaluated once, in its place of the order. Default false: it is
    /// evaluated in every run.
    bool sleeps;
    kn_tags hears_tags;                      ///< it hears when the entity gains or loses these tags
    const kn_attribute_id *hears_attributes; ///< it hears when these attributes change
    uint32_t hears_attribute_count;          ///< number of entries in `hears_attributes`
    kn_tags hears_events;                    ///< it hears of events with these tags, or below them
    /// It hears when these effects begin or end on the entity.
    const kn_effect_type_id *hears_effects;
    uint32_t hears_effect_count; ///< number of entries in `hears_effects`
    /// It hears when these abilities of the entity are activated or end.
    const kn_ability_type_id *hears_abilities;
    uint32_t hears_ability_count; ///< number of entries in `hears_abilities`
    /// Clients know whether it is active on the authority (kn_capability_info.is_mirrored_active);
    /// default false.
    bool mirrored;
    kn_hook start_life;        ///< called once on every machine, when the set comes
    kn_hook setup;             ///< called when this machine may run it
    kn_hook should_activate;   ///< KN_OK: it should be active; default yes; must only read
    kn_hook should_deactivate; ///< KN_OK: it should not be active; default no; must only read
    kn_hook activated;         ///< called after it became active on this machine
    kn_hook deactivated;       ///< called after it became inactive on this machine
    kn_hook tick;              ///< called at each evaluation while it is active
    kn_hook end_capability;    ///< called when this machine may not run it any more
    kn_hook end_life;          ///< called once on every machine, when the set has gone
    /// Called at once when something happens that it hears of. On a client, what the server sends
    /// wakes it without this call.
    kn_hook heard;
    kn_hook mirror_changed; ///< called on clients when the authority has switched it
    /// Input actions that its hook `input` hears of, once somebody controls the entity; see
    /// knack/capability_input.h.
    const kn_capability_input *inputs;
    uint32_t input_count;                ///< number of entries in `inputs`
    const kn_input_context_id *contexts; ///< mapping contexts that it uses; at most 64
    uint32_t context_count;              ///< number of entries in `contexts`
    bool hears_input_always;     ///< `input` is called while it is inactive or blocked too; default
                                 ///< false
    kn_hook input;               ///< called when something happens to an action that it is bound to
    kn_hook controller_attached; ///< called when somebody controls the entity, before it is bound
    kn_hook controller_detached; ///< called when nobody does any more, and before `end_capability`
    kn_hook bind; ///< called when it is bound: may bind more than its definition says
    /// Called on clients, at the beginning of a run, for each field of a data component of its set
    /// that has another value than in the run before: the server has sent it, or rules of the
    /// client have changed it. Arguments: kn_capability_data_change.
    kn_hook data_changed;
    kn_hook message; ///< called with a kn_capability_message that arrives; default: it takes none
    /// It gets messages also on machines that may not run it, after `start_life`; default false.
    bool messages_always;
    /// It is for presentation only: a presenter of the host runs it frame by frame
    /// (knack/capability_presenter.h), and the world does not know it. It may have a side, tags,
    /// `blocked_by`, conditions, an interval, a state and the hooks from `start_life` to
    /// `end_life`, which can only read the world. Default false.
    bool presents;
    uint32_t cookie; ///< set by kn_capability_def_default(); do not change it
} kn_capability_def;

/// A def with the defaults named above.
KN_API kn_capability_def kn_capability_def_default(void);
/// Registers a capability.
/// @return KN_OK; KN_ERROR_BAD_DATA for an interval below 0, a state that makes no sense, or a
///         field that one that `presents` cannot have;
///         KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults or a library without the kit; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_capability_def_register(
    kn_library *library, const kn_capability_def *def, kn_capability_id *id, kn_error *error);
/// The capability with this name; null when there is none.
KN_API kn_capability_id kn_capability_find(const kn_library *library, const char *name);
/// The def of a capability as registered; it belongs to the library. NULL when unknown.
KN_API const kn_capability_def *kn_capability_get_def(
    const kn_library *library, kn_capability_id id);

// Sets --------------------------------------------------------------------------

/// A set of capabilities, in data files under `capability_sets`. Start from
/// kn_capability_set_def_default().
typedef struct kn_capability_set_def {
    const char *name; ///< unique name; required
    /// Its members in the order in which they run; at most 64, none twice. In C, a null one is
    /// passed over, with a warning of the library, unless the set is `strict`.
    const kn_capability_id *capabilities;
    uint32_t capability_count; ///< number of entries in `capabilities`
    /// Components that come and go with the set: its capabilities share them. Several sets of an
    /// entity may name the same type; the last one takes it along. Clients get them as
    /// kn_component_def.sync and the fields say, before they set up the set; with `none` every
    /// machine makes its own. When the authority removes a set, a client finds the components that
    /// it had got for it gone when it ends the set.
    const kn_component_type_id *data;
    uint32_t data_count; ///< number of entries in `data`
    /// Components that the entity must have before a client sets up the set, besides its `data`.
    const kn_component_type_id *needs;
    uint32_t need_count; ///< number of entries in `needs`
    /// Runs per second, 1 to 1,000,000; 0: the host calls kn_capabilities_update(); default 60.
    uint32_t rate;
    /// Name of the group of systems that its capabilities run in; NULL, the default: `rules`.
    const char *group;
    bool strict;     ///< a null capability is an error; default false
    uint32_t cookie; ///< set by kn_capability_set_def_default(); do not change it
} kn_capability_set_def;

/// A def with the defaults named above.
KN_API kn_capability_set_def kn_capability_set_def_default(void);
/// Registers a set.
/// @return as kn_capability_def_register(); KN_ERROR_BAD_DATA for a capability that is there twice,
///         too many of them, or a component with `several`
KN_API KN_MUST_USE kn_result kn_capability_set_register(kn_library *library,
    const kn_capability_set_def *def, kn_capability_set_id *id, kn_error *error);
/// The set with this name; null when there is none.
KN_API kn_capability_set_id kn_capability_set_find(const kn_library *library, const char *name);
/// The def of a set as registered; it belongs to the library. NULL when unknown.
KN_API const kn_capability_set_def *kn_capability_set_get_def(
    const kn_library *library, kn_capability_set_id id);

/// Sets that are added together, in data files under `capability_collections`. Start from
/// kn_capability_collection_def_default().
typedef struct kn_capability_collection_def {
    const char *name;                 ///< unique name; required
    const kn_capability_set_id *sets; ///< the sets, in the order in which they are added
    uint32_t set_count;               ///< number of entries in `sets`
    uint32_t cookie; ///< set by kn_capability_collection_def_default(); do not change it
} kn_capability_collection_def;

/// A def with nothing set.
KN_API kn_capability_collection_def kn_capability_collection_def_default(void);
/// Registers a collection.
/// @return as kn_capability_def_register(); KN_ERROR_BAD_DATA for a set that is there twice
KN_API KN_MUST_USE kn_result kn_capability_collection_register(kn_library *library,
    const kn_capability_collection_def *def, kn_capability_collection_id *id, kn_error *error);
/// The collection with this name; null when there is none.
KN_API kn_capability_collection_id kn_capability_collection_find(
    const kn_library *library, const char *name);

/// Where the sets of an entity come from.
typedef enum kn_capability_mode {
    /// The authority adds and removes sets, and clients follow; the default. What rules add on a
    /// client is predicted, and the server corrects it.
    KN_CAPABILITY_MODE_AUTHORITY,
    /// Every machine adds and removes sets for itself, and nothing is sent. On a client, data
    /// components of such sets should have `sync: none`: what a server sends about an entity
    /// replaces the others.
    KN_CAPABILITY_MODE_LOCAL,
    KN_CAPABILITY_MODE_COUNT, ///< number of the values above; not a value itself
} kn_capability_mode;

/// What entities with a tag begin with, in data files under `capability_presets`: the sets, then
/// those of the collections. Start from kn_capability_preset_def_default().
typedef struct kn_capability_preset_def {
    const char *name;                 ///< unique name; required
    kn_tag tag;                       ///< entities that gain this tag get the sets; required
    kn_capability_mode mode;          ///< where their sets come from; default authority
    kn_capability_control control;    ///< who controls them; default automatic
    const kn_capability_set_id *sets; ///< sets to add
    uint32_t set_count;               ///< number of entries in `sets`
    const kn_capability_collection_id *collections; ///< collections to add after them
    uint32_t collection_count;                      ///< number of entries in `collections`
    uint32_t cookie; ///< set by kn_capability_preset_def_default(); do not change it
} kn_capability_preset_def;

/// A def with the defaults named above.
KN_API kn_capability_preset_def kn_capability_preset_def_default(void);
/// Registers a preset.
/// @return as kn_capability_def_register(); KN_ERROR_BAD_DATA without a tag
KN_API KN_MUST_USE kn_result kn_capability_preset_register(
    kn_library *library, const kn_capability_preset_def *def, kn_error *error);

/// How all capabilities of a library behave, in data files under `capability_rules`: at most one
/// definition. Start from kn_capability_rules_def_default().
typedef struct kn_capability_rules_def {
    const char *name; ///< unique name, such as `Rules`; required
    /// Blocks do not reach capabilities that are not evaluated again and again (`can_tick: false`);
    /// default false: they do.
    bool literal_blocks;
    /// A blocked capability that begins active is switched off in its first run; default false: it
    /// begins inactive.
    bool literal_start;
    /// A capability that is disabled stays as it is; default false: it is deactivated.
    bool freezes_disabled;
    /// Blocks of ability tags, by effects and abilities, count for capabilities with these tags
    /// too; default false.
    bool shares_ability_blocks;
    /// Predicates are asked twice, and different answers are reported (kn_capability_problem);
    /// default false.
    bool asks_twice;
    uint32_t flip_limit;  ///< most switches of one capability in one run; default 16
    kn_time wait_warning; ///< a set of a client that waits longer is reported; default 5 s
    uint32_t cookie;      ///< set by kn_capability_rules_def_default(); do not change it
} kn_capability_rules_def;

/// A def with the defaults named above.
KN_API kn_capability_rules_def kn_capability_rules_def_default(void);
/// Registers the rules of a library.
/// @return as kn_capability_def_register(); KN_REFUSED_DUPLICATE if there are some already
KN_API KN_MUST_USE kn_result kn_capability_rules_register(
    kn_library *library, const kn_capability_rules_def *def, kn_error *error);

// On entities -----------------------------------------------------------------------

/// Makes an entity one that can have capabilities. Adding a set does it as well, with the defaults.
/// @return KN_OK; KN_REFUSED_DUPLICATE if it is one already; KN_REFUSED_STALE_ID; KN_REFUSED_DYING;
///         KN_REFUSED_BLOCKED on a client with KN_CAPABILITY_MODE_AUTHORITY;
///         KN_ERROR_INVALID_ARGUMENT; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_attach(
    kn_world *world, kn_entity_id entity, kn_capability_mode mode, kn_capability_control control);
/// Removes all sets, the last one first, and everything that the kit has on the entity. False if
/// there is nothing.
KN_API bool kn_capability_detach(kn_world *world, kn_entity_id entity);

/// Adds a set to an entity, after those that it has: its data components come first, then
/// `start_life` of all members, then each of them is set up. From a hook of one of the entity's
/// capabilities it takes effect when the run is over.
/// @param number receives the number of the set on the entity; that of the present one for
///               KN_REFUSED_DUPLICATE; may be NULL
/// @return KN_OK; KN_REFUSED_DUPLICATE if the entity has the set; KN_REFUSED_NOT_FOUND for an
///         unknown set; KN_REFUSED_STALE_ID; KN_REFUSED_DYING; KN_REFUSED_BLOCKED on a client, with
///         KN_CAPABILITY_MODE_AUTHORITY and outside of the simulation; KN_REFUSED_LIMIT while the
///         set is being removed, and beyond 256 sets; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_set_add(
    kn_world *world, kn_entity_id entity, kn_capability_set_id set, uint32_t *number);
/// Removes a set: its members are deactivated and end from the last to the first, then its data
/// components go. From a hook of one of the entity's capabilities its members are passed over at
/// once, and end when the run is over.
/// @return KN_OK; KN_REFUSED_NOT_FOUND; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED as above;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_set_remove(
    kn_world *world, kn_entity_id entity, kn_capability_set_id set);
/// The number of a set on an entity; 0 if the entity does not have it.
KN_API uint32_t kn_capability_set_number(
    const kn_world *world, kn_entity_id entity, kn_capability_set_id set);
/// Adds the sets of a collection that the entity does not have yet.
/// @return as kn_capability_set_add(); KN_OK if there is nothing to add
KN_API kn_result kn_capability_collection_add(
    kn_world *world, kn_entity_id entity, kn_capability_collection_id collection);
/// Removes the sets that this collection has added, the last one first.
/// @return as kn_capability_set_remove()
KN_API kn_result kn_capability_collection_remove(
    kn_world *world, kn_entity_id entity, kn_capability_collection_id collection);

/// Evaluates the capabilities of an entity whose sets have rate 0, with so much time passed; with
/// the null id, those of all entities. For hosts that schedule them, from a rule or between steps.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for a time below 0;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capabilities_update(kn_world *world, kn_entity_id entity, kn_time dt);
/// Looks at once whether sides have changed or sets have come in from a server; runs do it anyway.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capabilities_refresh(kn_world *world);
/// Removes all sets of all entities in reverse order, such as before the world is destroyed.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capabilities_shut_down(kn_world *world);

// One capability of an entity ---------------------------------------------------------

/// The number of a capability on an entity: the first one of this kind, in a certain set or with 0
/// in any; 0 if there is none. It is the same on all machines that have the set from the authority,
/// and is not given to another.
KN_API uint32_t kn_capability_number(
    const kn_world *world, kn_entity_id entity, kn_capability_id id, uint32_t set_number);
/// True if a capability of an entity is active on this machine: the first one of this kind.
KN_API bool kn_capability_is_active(
    const kn_world *world, kn_entity_id entity, kn_capability_id id);
/// The state of a capability, for writing; NULL if there is none. Valid until the next call that
/// may create something.
KN_API void *kn_capability_state(kn_world *world, kn_entity_id entity, uint32_t number);
/// The state of a capability, for reading; NULL if there is none. Valid until the next call that
/// may create something.
KN_API const void *kn_capability_read_state(
    const kn_world *world, kn_entity_id entity, uint32_t number);

/// Asks for activation. From a hook of the capability itself, it happens when the hook returns.
/// @return KN_OK, also if it is active already; KN_REFUSED_NOT_FOUND; KN_REFUSED_BLOCKED if it is
///         blocked, disabled or leaving, or this machine may not run it; KN_REFUSED_STALE_ID;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_activate(kn_world *world, kn_entity_id entity, uint32_t number);
/// Asks for deactivation.
/// @return KN_OK, also if it is inactive; KN_REFUSED_NOT_FOUND; KN_REFUSED_STALE_ID;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_deactivate(kn_world *world, kn_entity_id entity, uint32_t number);
/// Evaluates a capability now, without a tick: blocks, then `should_activate` or
/// `should_deactivate`. For those with `can_tick: false`.
/// @return as kn_capability_deactivate()
KN_API kn_result kn_capability_evaluate(kn_world *world, kn_entity_id entity, uint32_t number);
/// Takes a capability out of the runs, and deactivates it, or puts it back.
/// @return as kn_capability_deactivate()
KN_API kn_result kn_capability_set_enabled(
    kn_world *world, kn_entity_id entity, uint32_t number, bool is_enabled);
/// Lets a capability be evaluated in runs, or not any more; it stays active or inactive.
/// @return as kn_capability_deactivate()
KN_API kn_result kn_capability_set_can_tick(
    kn_world *world, kn_entity_id entity, uint32_t number, bool can_tick);
/// Sets the time between two evaluations, 0 for every run; it begins anew.
/// @return as kn_capability_deactivate(); KN_REFUSED_BAD_NUMBER below 0
KN_API kn_result kn_capability_set_interval(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_time interval);
/// Moves a capability to another place in the order of its entity, from 0; no hook runs.
/// @return as kn_capability_deactivate()
KN_API kn_result kn_capability_move(
    kn_world *world, kn_entity_id entity, uint32_t number, uint32_t place);
/// Evaluates a capability that sleeps in its next run.
/// @return as kn_capability_deactivate()
KN_API kn_result kn_capability_wake(kn_world *world, kn_entity_id entity, uint32_t number);
/// Evaluates a capability that sleeps in its first run after so much time; the earliest one that
/// was asked for counts.
/// @return as kn_capability_deactivate(); KN_REFUSED_BAD_NUMBER below 0
KN_API kn_result kn_capability_wake_after(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_time delay);

// Blocks ------------------------------------------------------------------------------

/// What blocks: the block ends with it.
typedef enum kn_capability_source_kind {
    KN_CAPABILITY_SOURCE_KEY,    ///< nothing but the key: it is lifted by a call
    KN_CAPABILITY_SOURCE_ENTITY, ///< `entity`
    KN_CAPABILITY_SOURCE_MEMBER, ///< capability `number` of `entity`
    KN_CAPABILITY_SOURCE_SET,    ///< set `number` of `entity`
    KN_CAPABILITY_SOURCE_EFFECT, ///< `effect`
    KN_CAPABILITY_SOURCE_COUNT,  ///< number of the values above; not a value itself
} kn_capability_source_kind;

/// Who blocks a tag.
typedef struct kn_capability_source {
    kn_capability_source_kind kind; ///< what it is; default key
    uint32_t number;                ///< of a capability or set
    kn_entity_id entity;            ///< of an entity, capability or set
    kn_effect_id effect;            ///< of an effect
    uint64_t key;                   ///< tells blocks of one source apart
} kn_capability_source;

/// Which machines a block is for.
typedef enum kn_capability_scope {
    KN_CAPABILITY_SCOPE_LOCAL, ///< this one; the default
    KN_CAPABILITY_SCOPE_OWNER, ///< this one and the client that controls the entity
    KN_CAPABILITY_SCOPE_ALL,   ///< all
    KN_CAPABILITY_SCOPE_COUNT, ///< number of the values above; not a value itself
} kn_capability_scope;

/// A block of a tag.
typedef struct kn_capability_block {
    kn_tag tag;                  ///< capabilities with this tag, or one below it, are blocked
    kn_capability_scope scope;   ///< which machines it is for
    kn_capability_source source; ///< who blocks
    bool while_active;           ///< of a capability: it ends when that is deactivated
    bool hits_source;            ///< of a capability: it is blocked itself too
} kn_capability_block;

/// Blocks a tag on an entity. One tag and source count once. Capabilities that follow in the order
/// of the present run are stopped in it, those before in the next one.
/// @return KN_OK, also if it was there; KN_ERROR_INVALID_ARGUMENT for an unknown tag or a source
///         that makes no sense; KN_REFUSED_STALE_ID for an entity or source that is gone;
///         KN_REFUSED_BLOCKED on a client for a scope other than local; KN_REFUSED_NOT_FOUND for an
///         entity without capabilities; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_block_add(
    kn_world *world, kn_entity_id entity, const kn_capability_block *block);
/// Lifts the block of a tag by a source; those of others stay.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if this source does not block it; KN_REFUSED_BLOCKED on a
///         client, outside of the simulation, for a block of the authority; KN_REFUSED_STALE_ID
KN_API kn_result kn_capability_block_remove(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_capability_source *source);
/// True while a tag, or a parent of it, is blocked on an entity.
KN_API bool kn_capability_tag_is_blocked(const kn_world *world, kn_entity_id entity, kn_tag tag);
/// The blocks of an entity, local ones first. Returns how many there are; at most `capacity` are
/// written.
KN_API uint32_t kn_capability_blocks(
    const kn_world *world, kn_entity_id entity, kn_capability_block *out, uint32_t capacity);

// Data components ---------------------------------------------------------------------

/// In `data_changed`: a data component as it was before. Fields that are not sent (KN_SYNC_NONE)
/// have the value of some earlier time.
/// @param items receives the items of its list; NULL if there were none; may be NULL
/// @param count receives their number; may be NULL
/// @return the component; NULL outside of such a hook if nothing is kept of it. Valid until the
///         next call that may create something
KN_API const void *kn_capability_old_data(const kn_world *world, kn_entity_id entity,
    kn_component_type_id component, const void **items, uint32_t *count);

// Messages ----------------------------------------------------------------------------
//
// A capability that is set up on a machine gets messages by its hook `message`. Those that come
// while its set waits or is being set up are kept, at most 32 per entity, and follow after `setup`.
// On machines that may not run it they are dropped, unless it has `messages_always`.
//
// Messages of a client are commands, kind `Knack.CapabilityMessage`: the authority carries them out
// in their order, and answers. It refuses those of a connection that controls neither the entity
// nor an owner of it (KN_REFUSED_BLOCKED), and those for capabilities that do not exist
// (KN_REFUSED_NOT_FOUND): KN_EVENT_COMMAND has the result. A client that simulates a tick again
// sends what it has sent already only if that changed, or came at another time after it was
// answered. So the authority should bear to get a message twice.
//
// Messages of the authority are a part of the entity for five seconds: every client that knows the
// entity within this time gets them once, in order, also one that joins.

/// From a hook or rule: sends a message to the authority, from the machine that controls the
/// entity, or an owner of it. On the authority itself it arrives at once. A client's host gives a
/// command of the kind `Knack.CapabilityMessage` with this payload instead (kn_client_command()).
/// @return KN_OK; KN_REFUSED_NOT_FOUND if the entity has no such capability, or it takes no
///         messages; KN_REFUSED_BLOCKED on a client that does not control it, and on a client
///         outside of the simulation; on the authority, if it may not run there and does not have
///         `messages_always`; KN_REFUSED_LIMIT if too many wait; KN_REFUSED_BAD_NUMBER for numbers
///         that are not finite; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_send_to_authority(
    kn_world *world, kn_entity_id entity, const kn_capability_message *message);
/// From the authority: sends a message to the machine that controls the entity, or an owner of it.
/// If that is the authority, or nobody does, it arrives here at once.
/// @return as above; KN_REFUSED_BLOCKED on a client; KN_REFUSED_LIMIT if more than 32 of the last
///         five seconds are on their way
KN_API kn_result kn_capability_send_to_owner(
    kn_world *world, kn_entity_id entity, const kn_capability_message *message);
/// From the authority: sends a message to all machines. Here it arrives at once.
/// @return as kn_capability_send_to_owner(); KN_OK also if the authority itself may not run it
KN_API kn_result kn_capability_send_to_all(
    kn_world *world, kn_entity_id entity, const kn_capability_message *message);

// Looking at it -----------------------------------------------------------------------

/// A capability of an entity as it is now.
typedef struct kn_capability_info {
    kn_capability_id capability; ///< its definition
    kn_capability_set_id set;    ///< the set that it came with
    uint32_t number;             ///< its number on the entity
    uint32_t set_number;         ///< number of the set on the entity
    uint32_t place;              ///< its place in the order of the entity, from 0
    kn_capability_side side;     ///< where it runs
    bool is_allowed;             ///< this machine may run it
    bool is_set_up;              ///< between `setup` and `end_capability`
    bool is_active;              ///< active on this machine
    bool is_enabled;             ///< kn_capability_set_enabled()
    bool can_tick;               ///< kn_capability_set_can_tick()
    bool is_listed;              ///< it is evaluated in runs: allowed, enabled, and can tick
    bool is_asleep;              ///< it waits until it hears of something
    bool is_blocked;             ///< a block, or a tag of the entity, stops it
    bool is_mirrored_active;     ///< active on the authority, if its definition is `mirrored`
    kn_tag blocked_tag;          ///< the tag that stops it; null if nothing does
    kn_time interval;            ///< time between two evaluations
    kn_time changed;             ///< when it was last switched; 0 if never
} kn_capability_info;

/// The capabilities of an entity in their order. Returns how many there are; at most `capacity` are
/// written.
KN_API uint32_t kn_capabilities(
    const kn_world *world, kn_entity_id entity, kn_capability_info *out, uint32_t capacity);
/// One capability of an entity; false if there is none.
KN_API bool kn_capability_get_info(
    const kn_world *world, kn_entity_id entity, uint32_t number, kn_capability_info *info);
/// Capabilities of an entity, or with the null id of all entities.
typedef struct kn_capability_counts {
    uint32_t total;    ///< all of them
    uint32_t listed;   ///< evaluated in runs
    uint32_t active;   ///< active
    uint32_t asleep;   ///< listed, but waiting
    uint32_t blocked;  ///< stopped by a block or a tag
    uint32_t entities; ///< entities that have some
} kn_capability_counts;

/// Counts capabilities of an entity; with the null id, of all.
KN_API kn_capability_counts kn_capability_count(const kn_world *world, kn_entity_id entity);
/// The sets and capabilities of an entity as a tree of text. Returns the full length; the text is
/// truncated to `size` bytes including the final zero. 0 for an entity without capabilities.
KN_API uint32_t kn_capability_print(
    const kn_world *world, kn_entity_id entity, char *text, uint32_t size);
/// Why a capability is active or not, line by line: side, blocks and who blocks, conditions, hooks.
/// Returns the full length; the text is truncated to `size` bytes including the final zero. 0 if
/// the entity does not have it.
KN_API uint32_t kn_capability_explain(
    const kn_world *world, kn_entity_id entity, uint32_t number, char *text, uint32_t size);

/// Why a capability was switched.
typedef enum kn_capability_reason {
    KN_CAPABILITY_REASON_SETUP,     ///< it was set up
    KN_CAPABILITY_REASON_CONDITION, ///< its conditions said so
    KN_CAPABILITY_REASON_REQUEST,   ///< a call
    KN_CAPABILITY_REASON_BLOCKED,   ///< it was blocked
    KN_CAPABILITY_REASON_DISABLED,  ///< it was disabled
    KN_CAPABILITY_REASON_SIDE,      ///< this machine may not run it any more
    KN_CAPABILITY_REASON_REMOVED,   ///< its set was removed
    KN_CAPABILITY_REASON_COUNT,     ///< number of the values above; not a value itself
} kn_capability_reason;

/// Payload of the custom event `Knack.CapabilityChanged`: a capability was switched on this
/// machine. Its entity is that of the event.
typedef struct kn_capability_changed {
    kn_capability_id capability; ///< its definition
    uint32_t number;             ///< its number on the entity
    uint32_t is_active;          ///< 1: it is active now; 0: it is not
    kn_capability_reason reason; ///< why
} kn_capability_changed;

/// Payload of the custom event `Knack.CapabilityBlocked`: a block began or ended.
typedef struct kn_capability_blocked {
    kn_tag tag;                  ///< the tag
    uint32_t is_blocked;         ///< 1: the block began; 0: it ended
    kn_capability_source source; ///< who blocks
} kn_capability_blocked;

/// What is wrong with a capability or a set.
typedef enum kn_capability_fault {
    KN_CAPABILITY_FAULT_FLIPS,   ///< its own hooks switched it too often; `flip_limit` ended it
    KN_CAPABILITY_FAULT_ANSWERS, ///< a predicate answered otherwise when it was asked again
    KN_CAPABILITY_FAULT_WAITS,   ///< a set waits for components for too long
    KN_CAPABILITY_FAULT_LOOP,    ///< hooks added and removed sets without end
    KN_CAPABILITY_FAULT_BINDING, ///< an action or context that does not exist was to be bound
    KN_CAPABILITY_FAULT_COUNT,   ///< number of the values above; not a value itself
} kn_capability_fault;

/// Payload of the custom event `Knack.CapabilityProblem`.
typedef struct kn_capability_problem {
    kn_capability_fault fault;      ///< what is wrong
    kn_capability_id capability;    ///< the capability; null if it is about a set
    kn_capability_set_id set;       ///< the set; null if it is about a capability
    kn_component_type_id component; ///< the first component that a set waits for; null for none
} kn_capability_problem;

#ifdef __cplusplus
}
#endif

#endif
