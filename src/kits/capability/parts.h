// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources of the capability kit share. The state of an entity is in these components:
//
// | Component                  | What it holds                                    | Who has it | |
// -------------------------- | ------------------------------------------------ | ----------------
// | | `Knack.CapabilitySets`     | the sets that the authority added                | all machines
// | | `Knack.CapabilityOwnSets`  | the same in mode local                           | this machine
// | | `Knack.Capabilities`       | its capabilities in their order (members)        | this machine
// | | `Knack.CapabilityHeads`    | the sets whose capabilities live here            | this machine
// | | `Knack.CapabilityInbox`    | messages that wait for something to be set up    | this machine
// | | `Knack.CapabilityCopies`   | data components as they were in the last run     | a client
// | | `Knack.CapabilityMail`     | messages to the owner                            | the owner
// | | `Knack.CapabilityNews`     | messages to all                                  | all machines
// | | `Knack.CapabilityBlock`... | blocks, one each, by scope                       | by scope | |
// `Knack.CapabilityGrants`   | effects and abilities of active capabilities     | this machine | |
// `Knack.Lane.<rate>...`     | nothing: something is to be evaluated in the lane | this machine |
// | `Capability.<name>`        | the state of one capability                      | this machine |
//
// One function makes members follow sets, whatever changed them: a call, a server, or a hook in the
// middle of a run (knc_capability_settle()).
#ifndef KNACK_CAPABILITY_PARTS_H
#define KNACK_CAPABILITY_PARTS_H

#include "knack/capability_trace.h"
#include "knack/tools.h"

#define LANES_MAX 32
#define SETS_MAX 256

// State -----------------------------------------------------------------------

typedef struct set_list {
    uint32_t next; // number of the set that was added last
    kn_capability_mode mode;
    kn_capability_control control;
} set_list;

typedef struct set_item {
    kn_capability_set_id set;
    uint32_t number;
    kn_capability_collection_id collection; // the one that added it; null for none
    uint32_t is_leaving;
    uint64_t created;  // a bit for each data component that clients get and the set takes along
    uint64_t mirrored; // a bit for each active member whose definition is mirrored
} set_item;

typedef struct host {
    uint64_t blocks;        // a client: mark of the authority's blocks that members have counted
    uint32_t busy;          // hooks run: sets and members stay as they are
    uint32_t is_dirty;      // something waits for that to end
    uint32_t connection;    // that of the entity, for which sides were found
    uint32_t is_detaching;  // everything goes when all sets have gone
    uint32_t bound;         // members with input that have a controller
    uint32_t sent;          // a client: messages to the authority
    uint32_t effect_blocks; // blocks that end with an effect
    uint32_t unused;
} host;

enum {
    MEMBER_STARTED = 1 << 0, // start_life has run
    MEMBER_SET_UP = 1 << 1,
    MEMBER_ACTIVE = 1 << 2,
    MEMBER_ENABLED = 1 << 3,
    MEMBER_CAN_TICK = 1 << 4,
    MEMBER_ALLOWED = 1 << 5, // this machine may run it
    MEMBER_DUE = 1 << 6,     // it is evaluated in the next run, also if it sleeps
    MEMBER_LEAVING = 1 << 7,
    MEMBER_IN_HOOK = 1 << 8, // its own transition hook runs
    MEMBER_WANTS_ON = 1 << 9,
    MEMBER_WANTS_OFF = 1 << 10,
    MEMBER_WAS_BLOCKED = 1 << 11, // a block has switched it off, or kept it off
    MEMBER_BOUND = 1 << 16,       // it has input and a controller
    MEMBER_USES_INPUT = 1 << 17,  // its contexts are on
};
#define MEMBER_LISTED (MEMBER_SET_UP | MEMBER_ENABLED | MEMBER_CAN_TICK | MEMBER_ALLOWED)

typedef struct member {
    kn_time elapsed;  // since it was evaluated, without blocked time
    kn_time cadence;  // of its interval
    kn_time interval; // 0: evaluated in every run
    kn_time changed;  // when it was switched
    kn_capability_id capability;
    uint32_t number;
    uint32_t set_number;
    uint32_t flags;  // MEMBER_*
    uint32_t blocks; // blocks that hit it
    uint16_t unused;
    uint8_t place; // in its set
    uint8_t lane;
    kn_time wakes;  // when it is due; 0: never
    uint64_t heard; // a client: mark of what it hears of, as it was in its last turn
} member;

typedef struct head {
    kn_time since; // when it began to wait for its components
    kn_capability_set_id set;
    uint32_t number;
    uint32_t is_there; // its members live; 0: it waits
    uint32_t is_reported;
    uint64_t mirrored; // as it was seen last
    uint64_t created;  // the same for data components that belong to one machine
    uint32_t posts[2]; // a client: the last message to the owner, and to all, that it has had
} head;

typedef struct block_record {
    kn_tag tag;
    kn_capability_source_kind kind;
    kn_entity_id entity;
    kn_effect_id effect;
    uint64_t key;
    uint32_t number;
    uint32_t flags; // BLOCK_*
} block_record;

enum {
    BLOCK_WHILE_ACTIVE = 1 << 0,
    BLOCK_HITS_SOURCE = 1 << 1,
};

typedef struct grant_item {
    kn_effect_id effect;
    kn_ability_id ability;
    uint32_t number; // of the member
    uint32_t unused;
} grant_item;

// A copy of a data component, in words, on a client.
typedef struct copy_record {
    kn_component_type_id component;
    uint32_t size; // in bytes
} copy_record;

typedef struct copy_word {
    uint64_t word;
} copy_word;

// Of the world itself. The items are a heap, the earliest first.
typedef struct clock_state {
    uint32_t connection; // of the world, for which sides were found
    uint32_t posts;      // messages of the authority so far
} clock_state;

// A message of the authority, as clients get it.
typedef struct post_item {
    kn_capability_message message;
    kn_time sent;
    uint32_t number;
    uint32_t connection; // of the receiver; 0: all
} post_item;

typedef struct clock_item {
    kn_time at;
    kn_entity_id entity;
    uint32_t number;
    uint32_t unused;
} clock_item;

typedef struct lane_mark {
    uint32_t unused;
} lane_mark;

// What precedes the state of a capability in its component.
typedef struct state_head {
    uint32_t number; // of the member
    uint32_t unused;
} state_head;

// Who controls an entity. It stays when nobody does any more, so that versions go on.
typedef struct controller_state {
    kn_entity_id entity;
    uint32_t number;
    uint32_t version; // of the controller; changes when control is given or taken
    uint32_t is_there;
    uint32_t unused;
} controller_state;

// An action that was used since the controller came.
typedef struct action_state {
    kn_time since; // when it was pressed
    kn_time until; // when it was released
    kn_input_action_id action;
    uint32_t presses;
    kn_vec3 value;
    kn_vec3 last; // that was not 0
} action_state;

// What a machine has bound, and the controller that it is for.
typedef struct binding_list {
    kn_entity_id entity;
    uint32_t number;
    uint32_t version;
} binding_list;

typedef struct binding_item {
    uint32_t number;             // of the member
    kn_input_action_id action;   // null: it is a context
    kn_input_context_id context; // null: it is an action
    kn_input_trigger on;
} binding_item;

typedef enum action_phase {
    PHASE_REST,
    PHASE_HELD,
    PHASE_TRIGGERED,
} action_phase;

// An action as the runs of one lane have told of it.
typedef struct phase_item {
    kn_time next; // when it is triggered
    kn_input_action_id action;
    uint32_t lane;
    uint32_t presses; // told so far
    action_phase phase;
} phase_item;

// The kit of a library --------------------------------------------------------

// What is worked out of a capability once the library is finished.
typedef struct capability_plan {
    const kn_capability_def *def;
    kn_hook should_activate, should_deactivate, tick;
    kn_component_type_id state; // null: it has none
    uint32_t state_size;        // without its head
    bool is_single;             // an entity has it once at most: so its state is found at once
    bool sleeps, is_owner_side;
    bool has_when, asks_data; // tags or conditions besides its hooks
    bool has_tags_against;    // `blocked_by`, or shared blocks of abilities
    bool has_input;           // something to bind, or a hook about controllers
    bool presents;            // presenters run it, not the world
} capability_plan;

typedef struct set_plan {
    const kn_capability_set_def *def;
    bool sees_changes;                        // a member has a hook for changes of data
    uint32_t presented;                       // how many of its capabilities presenters run
    uint8_t lanes[KN_CAPABILITY_MEMBERS_MAX]; // of each member
} set_plan;

typedef struct lane {
    uint32_t rate; // 0: the host calls
    const char *group;
    kn_component_type_id mark;
    kn_system_id system;
} lane;

// Who hears of something.
typedef struct hearing {
    struct hearing *next;
    kn_trigger trigger;
    uint32_t index1; // tag, attribute, type of effect or ability
    kn_capability_id *capabilities;
    uint32_t count;
} hearing;

// A capability of a set, or a context of a capability, that does not exist.
typedef struct gap {
    struct gap *next;
    uint32_t owner1, place;
} gap;

typedef struct capability_kit {
    kn_def_kind capability_kind, set_kind, collection_kind, preset_kind, rules_kind;
    kn_def_kind action_kind, context_kind;
    kn_component_type_id sets, own_sets, hosts, heads, grants, clock, chains, inbox, mail, news,
        copies;
    kn_component_type_id controllers, own_controllers, actions, bindings, phases;
    kn_command_type_id act;
    kn_component_type_id blocks[KN_CAPABILITY_SCOPE_COUNT];
    kn_custom_event_id changed, blocked, problem, message, called;
    const kn_capability_rules_def *rules; // once finished, those of the library or the defaults
    kn_capability_rules_def default_rules;
    capability_plan *plans;
    set_plan *set_plans;
    uint32_t plan_count, set_plan_count;
    lane lanes[LANES_MAX];
    uint32_t lane_count;
    hearing *hearings;
    gap *gaps, *context_gaps;
    bool presents; // there are capabilities that presenters run
} capability_kit;

// capability.c
capability_kit *knc_capability_kit_of(const kn_library *library);
const capability_kit *knc_capability_kit_of_world(const kn_world *world);
void knc_capability_report(
    kn_world *world, kn_entity_id entity, const kn_capability_problem *problem);

// Kinds: capability_def.c, set_def.c
kn_result knc_capability_kind_register(kn_library *library, capability_kit *kit, kn_error *error);
kn_result knc_capability_sets_register(kn_library *library, capability_kit *kit, kn_error *error);

// plan.c
kn_result knc_capability_plans_expand(kn_library *library, capability_kit *kit, kn_error *error);
kn_result knc_capability_set_plans_expand(
    kn_library *library, capability_kit *kit, kn_error *error);
void knc_capability_plans_finish(capability_kit *kit, const kn_library *library);
void knc_capability_plans_release(capability_kit *kit);

// host.c: sets of entities, and members that follow them.
kn_result knc_capability_components_register(
    kn_library *library, capability_kit *kit, kn_error *error);
// The sets of an entity and their number; NULL without any list.
const set_list *knc_capability_sets_read(
    const kn_world *world, kn_entity_id entity, const set_item **items, uint32_t *count);
// The type of the list that the entity has; null for none.
kn_component_type_id knc_capability_sets_type(const kn_world *world, kn_entity_id entity);
// The def of a set that lives here; NULL if there is none with this number.
const kn_capability_set_def *knc_capability_set_def_of(
    const kn_world *world, kn_entity_id entity, uint32_t set_number);
// Makes members follow sets, sides and blocks, or notes that it has to be done.
void knc_capability_settle(kn_world *world, kn_entity_id entity);
void knc_capability_settle_all(kn_world *world);
// Whether something of the entity came in from outside; then settles it.
void knc_capability_look(kn_world *world, kn_entity_id entity);
kn_result knc_capability_may_change(const kn_world *world, kn_entity_id entity);
// Between the two, sets and members stay as they are; what has to follow does so in the end.
void knc_capability_hold(kn_world *world, kn_entity_id entity);
void knc_capability_let_go(kn_world *world, kn_entity_id entity);
// Removes everything, at once or when hooks are done.
bool knc_capability_detach_all(kn_world *world, kn_entity_id entity);

// A capability has the same number on every machine.
static inline uint32_t knc_capability_number_at(uint32_t set_number, uint32_t place)
{
    return (set_number - 1) * KN_CAPABILITY_MEMBERS_MAX + place + 1;
}

// member.c: one member, its hooks and switches. Members are found anew after every hook.
member *knc_capability_member(kn_world *world, kn_entity_id entity, uint32_t number);
const member *knc_capability_member_read(
    const kn_world *world, kn_entity_id entity, uint32_t number, uint32_t *place);
// Runs a hook of a member, if it has it.
kn_result knc_capability_hook(
    kn_world *world, kn_entity_id entity, const member *m, const kn_hook *hook);
// The same with arguments; numbers and state are filled in.
kn_result knc_capability_hook_with(kn_world *world, kn_entity_id entity, const member *m,
    const capability_kit *kit, const kn_hook *hook, kn_capability_call call);
// Whether it may be activated: set up, enabled, not leaving, not blocked.
bool knc_capability_may_start(const kn_world *world, kn_entity_id entity, const member *m);
void knc_capability_switch(kn_world *world, kn_entity_id entity, uint32_t number, bool is_active,
    kn_capability_reason reason);
void knc_capability_setup(kn_world *world, kn_entity_id entity, uint32_t number);
void knc_capability_end(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_capability_reason reason);
kn_result knc_capability_state_add(kn_world *world, kn_entity_id entity, const member *m);
// The state of a member whose plan has one.
const void *knc_capability_state_read(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan, uint32_t number);
void knc_capability_state_remove(kn_world *world, kn_entity_id entity, const member *m);

// block.c
// Whether blocks or tags stop a member, and which one of them; the second is quick.
bool knc_capability_is_stopped(const kn_world *world, kn_entity_id entity, const member *m,
    const capability_plan *plan, kn_tag *by);
static inline bool knc_capability_is_blocked(
    const kn_world *world, kn_entity_id entity, const member *m, const capability_plan *plan)
{
    return m->blocks > 0 ||
           (plan->has_tags_against && knc_capability_is_stopped(world, entity, m, plan, NULL));
}
// Blocks that end with an effect, without one that is just going.
uint32_t knc_capability_count_effect_blocks(
    const kn_world *world, kn_entity_id entity, const kn_component_call *without);
// What stops a capability that presents; null if nothing does.
kn_tag knc_capability_stopped_by(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan);
void knc_capability_count_blocks(kn_world *world, kn_entity_id entity, member *m);
// Counts anew what hits the members of an entity, without one that is just going.
void knc_capability_count_all_blocks(
    kn_world *world, kn_entity_id entity, const kn_component_call *without);
void knc_capability_lift_blocks(kn_world *world, kn_entity_id entity,
    kn_capability_source_kind kind, uint32_t number, bool is_while_active);
void knc_capability_lift_dead_blocks(kn_world *world, kn_entity_id entity);
void knc_capability_block_declared(kn_world *world, kn_entity_id entity, const member *m);
// A number that tells the blocks of an entity that the authority sends from others.
uint64_t knc_capability_blocks_mark(const kn_world *world, kn_entity_id entity);

// trace.c: what observers want to know of calls.
kn_result knc_capability_calls_register(kn_library *library, capability_kit *kit, kn_error *error);
// Publishes a call, if somebody wants it; then members have to be found anew.
void knc_capability_tell(kn_world *world, kn_entity_id entity, const member *m,
    kn_capability_hook hook, bool answer, kn_time dt);
void knc_capability_tell_stopped(kn_world *world, kn_entity_id entity, const member *m);

// evaluate.c
// What a definition says besides its hooks: whether it agrees to start, and wants to stop.
bool knc_capability_data_agrees(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan);
bool knc_capability_data_objects(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan);
bool knc_capability_should_start(
    const kn_world *world, kn_entity_id entity, const member *m, const capability_kit *kit);
bool knc_capability_should_stop(
    const kn_world *world, kn_entity_id entity, const member *m, const capability_kit *kit);
kn_result knc_capability_system_register(
    kn_library *library, capability_kit *kit, uint32_t index, kn_error *error);
// Has a member evaluated in the next run of its lane.
void knc_capability_due(kn_world *world, kn_entity_id entity, member *m);
void knc_capability_lane_join(kn_world *world, kn_entity_id entity, uint32_t index);
bool knc_capability_is_asleep(const capability_plan *plan, uint32_t flags);
// Whether runs pass it over until it hears of something.
bool knc_capability_waits(const capability_plan *plan, uint32_t flags);

// side.c
bool knc_capability_side_allows(
    const kn_world *world, kn_entity_id entity, kn_capability_side side);
// The connection that controls an entity, or the owner of it, and so on; 0: none does.
uint32_t knc_capability_controller(const kn_world *world, kn_entity_id entity);

// data.c: on a client, calls hooks for data components that have changed.
void knc_capability_data_look(kn_world *world, kn_entity_id entity);

// message.c
#define KNC_CAPABILITY_MESSAGE_FIELDS 9
extern const kn_field knc_capability_message_fields[KNC_CAPABILITY_MESSAGE_FIELDS];
kn_result knc_capability_messages_register(
    kn_library *library, capability_kit *kit, kn_error *error);
// Delivers messages that have waited for something to be set up.
void knc_capability_messages_deliver(kn_world *world, kn_entity_id entity);
// On a client: delivers what has come from the authority.
void knc_capability_posts_look(kn_world *world);
// On the authority: takes away what is old.
void knc_capability_posts_expire(kn_world *world);

// input_def.c
extern const kn_def_table knc_capability_input_table;
extern const char *const knc_capability_input_trigger_words[KN_INPUT_TRIGGER_COUNT];
kn_result knc_capability_input_kinds_register(
    kn_library *library, capability_kit *kit, kn_error *error);
// The value that an action has for what came in.
kn_vec3 knc_capability_input_shape(const kn_input_action_def *def, kn_vec3 value);

// input.c
kn_result knc_capability_input_register(kn_library *library, capability_kit *kit, kn_error *error);
// Makes bindings follow the controller and members that were set up.
void knc_capability_input_follow(kn_world *world, kn_entity_id entity);
// Whether they have to.
bool knc_capability_input_is_behind(const kn_world *world, kn_entity_id entity);
// Takes bindings away from a member that ends.
void knc_capability_input_release(kn_world *world, kn_entity_id entity, uint32_t number);
bool knc_capability_input_was_forwarded(const kn_world *world, kn_entity_id entity);
// Who controls an entity; NULL if nobody does.
const controller_state *knc_capability_input_controller_read(
    const kn_world *world, kn_entity_id entity);
// Who controls it for those who are bound.
kn_controller knc_capability_input_controller(const kn_world *world, kn_entity_id entity);
bool knc_capability_input_is_bound_to(
    const kn_world *world, kn_entity_id entity, const binding_item *binding);
const member *knc_capability_input_members(
    const kn_world *world, kn_entity_id entity, uint32_t *count);

// input_event.c
kn_result knc_capability_input_act_check(
    void *user, const kn_world *world, const kn_command *command);
kn_result knc_capability_input_act(void *user, kn_world *world, const kn_command *command);
// Tells bound members of a lane what happened to actions.
void knc_capability_input_run(kn_world *world, kn_entity_id entity, uint32_t index);
// Whether the lane has to run because of what is held.
bool knc_capability_input_needs(const kn_world *world, kn_entity_id entity, uint32_t index);
// Lets lanes run for which actions have come in.
void knc_capability_input_wake(kn_world *world, kn_entity_id entity);
void knc_capability_input_wake_all(kn_world *world);

// input_script.c
kn_result knc_capability_input_functions_register(
    kn_library *library, capability_kit *kit, kn_error *error);

// input_mapper.c
bool knc_capability_input_key_is_valid(const char *name);

// wake.c
kn_result knc_capability_hearings_expand(kn_library *library, capability_kit *kit, kn_error *error);
void knc_capability_hearings_release(capability_kit *kit);
kn_result knc_capability_rules_of_life_register(
    kn_library *library, capability_kit *kit, kn_error *error);
void knc_capability_clock_run(kn_world *world);
// On a client: tells the state that a member hears of from others.
uint64_t knc_capability_heard_mark(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan);
// On a client: wakes members for which that state has changed. What a server sends sets off no
// rules.
void knc_capability_arrivals_hear(kn_world *world, kn_entity_id entity);

#endif
