// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the files of the script module share.
//
// A script has the text of its chunks, a list of bindings and a pool of machines. A machine
// (knl_vm) is one Lua state with all chunks loaded and every bound function at a number of its own
// in the registry, the same number in each machine. A call from the simulation makes a frame, which
// describes the call; the Lua side sees the frame through a `self` object that is reused by the
// next call of the same depth.
//
// Names begin with knl_, since those of the core, kni_, may be linked into the same program.
#ifndef KNL_SCRIPT_INTERNAL_H
#define KNL_SCRIPT_INTERNAL_H

#include "knack/knack.h"
#include "knack/script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdatomic.h>

typedef struct knl_vm knl_vm;
typedef struct knl_frame knl_frame;
typedef struct knl_args knl_args;
typedef struct knl_own knl_own;

// State ---------------------------------------------------------------------

#define KNL_STATE_MAX 4096
#define KNL_STATE_FIELDS_MAX 64

typedef struct knl_state_field {
    char *name;
    uint32_t kind; // kn_field_kind
    char *said;    // what kn.ref or kn.enum was called with; NULL for other kinds
    uint32_t offset;
    uint32_t count; // of an array; 1 otherwise
    bool is_array;
    uint8_t fallback[12]; // its value until it is written; all zero without a default
    uint32_t set1;        // offset + 1 of the byte that says it was written; 0 without a default
    char *set_name;       // name of that byte
} knl_state_field;

// Where the fields of a state table are. Those with a default have a byte each after all fields,
// with a name of its own, so that a field that is added to a saved state begins at its default.
typedef struct knl_layout {
    knl_state_field *fields;
    uint32_t count;
    uint32_t size;
    kn_field *entries; // the same for the library, those bytes included
    uint32_t entry_count;
} knl_layout;

// Definitions ---------------------------------------------------------------

typedef enum knl_def_kind {
    KNL_DEF_ABILITY,
    KNL_DEF_TASK,
    KNL_DEF_LOGIC,
    KNL_DEF_CALCULATION,
    KNL_DEF_EXECUTION,
    KNL_DEF_ATTRIBUTES,
    KNL_DEF_EVENT,
    KNL_DEF_RULE,
    KNL_DEF_CHECK,
    KNL_DEF_TARGETING,
    KNL_DEF_REQUIREMENT,
    KNL_DEF_CONDITION,
    KNL_DEF_TIMER,
    KNL_DEF_POLICY,
    KNL_DEF_TICKER,
    KNL_DEF_COMMAND,
    KNL_DEF_SYSTEM,
    KNL_DEF_COMPONENT,
    KNL_DEF_WATCH,
    KNL_DEF_COUNT,
    KNL_DEF_OWN = KNL_DEF_COUNT, // of kinds that games and kits register
    KNL_DEF_SLOTS,
} knl_def_kind;

#define KNL_HOOKS_MAX 16

typedef void knl_function(void);

// One hook of a kind of definition.
typedef struct knl_hook {
    const char *name;
    size_t offset;          // offset of the function in the def
    knl_function *function; // what is stored there if the script has the hook
    const char *signature;  // "fun(self: kn.running): boolean?"
    const char *doc;
} knl_hook;

typedef struct knl_def_info {
    const char *name; // as scripts call it
    const char *doc;
    const knl_hook *hooks; // ends with a NULL name
    // Offset + 1 of what a binding sets in the def; 0 if the def does not have it.
    size_t user1, name1, state_size1, state_fields1, state_count1;
    uint32_t state_max;     // the most bytes of state; 0 for none
    bool has_continuations; // further functions are handlers of tasks
    bool has_interval;      // a number of seconds, required
} knl_def_info;

extern const knl_def_info knl_def_infos[KNL_DEF_SLOTS];

typedef struct knl_binding knl_binding;

// A further function of an ability, found by the label of a task; or a hook of an own kind.
typedef struct knl_handler {
    uint32_t label; // hash of its name: the same in every version of the script
    uint32_t function;
    char *name;
    const knl_binding *binding;
} knl_handler;

struct knl_binding {
    kn_script *script;
    knl_def_kind kind;
    kn_def_kind own; // for KNL_DEF_OWN: the kind
    char *name;
    uint32_t index;                // index among the bindings of the script
    uint32_t hooks[KNL_HOOKS_MAX]; // numbers of its functions; 0 for none
    knl_handler *handlers;         // by label
    uint32_t handler_count;
    knl_layout layout;
    kn_time interval; // of a ticker
};

typedef struct knl_chunk {
    char *name;
    char *text;
    size_t size;
} knl_chunk;

#define KNL_POOL_SIZE 64
#define KNL_ERRORS_KEPT 16
#define KNL_DEPTH_MAX 32

struct kn_script {
    kn_hooks hooks;
    kn_library *library;
    uint32_t instruction_limit;
    uint32_t step_instruction_limit;
    size_t memory_limit;
    uint32_t depth_limit;
    atomic_uint references; // the creator and the library
    uint32_t kind_count;    // own kinds that have a word for definitions
    knl_own *own;           // functions that games and kits registered

    knl_chunk *chunks;
    uint32_t chunk_count, chunk_capacity;
    knl_binding **bindings;
    uint32_t binding_count, binding_capacity;
    uint32_t function_count;

    _Atomic(knl_vm *) pool[KNL_POOL_SIZE]; // machines that are not in use

    atomic_flag error_flag, *error_lock; // a pointer, since queries on a const script lock it too
    uint64_t error_count;
    kn_script_error errors[KNL_ERRORS_KEPT]; // a ring
};

void *knl_script_realloc(kn_script *script, void *ptr, size_t old_size, size_t new_size);
char *knl_script_strdup(kn_script *script, const char *text, size_t length);
void knl_script_log(
    const kn_script *script, kn_log_level level, const char *message, const char *chunk, int line);
// Fills an error, unless it is NULL, and returns its code.
kn_result knl_fail(kn_error *error, kn_result code, const char *message);
// Keeps an error and logs it.
void knl_script_report(kn_script *script, const kn_script_error *error);
// Whether the string at `index` can be a name: not empty, and without a zero byte.
bool knl_is_name(lua_State *L, int index);
const knl_binding *knl_script_find_binding(
    const kn_script *script, knl_def_kind kind, const char *name);
void knl_layout_free(kn_script *script, knl_layout *layout);
// Binds a definition; `user` must be NULL: the binding takes its place.
kn_result knl_script_bind(kn_script *script, knl_def_kind kind, kn_def_kind own, const char *name,
    const void *user, knl_binding **binding, kn_error *error);
// What its definitions are called: "ability", or the name of an own kind.
const char *knl_binding_title(const knl_binding *binding);
// What a watch of this type is bound to; NULL for one in C.
const knl_binding *knl_watch_binding(const kn_library *library, kn_watch_type_id type);
// The number of a handler by label; 0 for none.
uint32_t knl_handler_find(const knl_binding *binding, uint32_t label);
uint32_t knl_handler_label(const char *name);

// Machines ------------------------------------------------------------------

// Classes of the objects through which a call is seen.
typedef enum knl_self_kind {
    KNL_SELF_RUNNING,  // an ability
    KNL_SELF_TASK,     // a custom task
    KNL_SELF_EFFECT,   // calculation, execution, requirement, logic
    KNL_SELF_CHANGE,   // of an attribute's value
    KNL_SELF_EXECUTE,  // of a modifier on a base value
    KNL_SELF_RECORD,   // an event record
    KNL_SELF_REACTION, // of a rule
    KNL_SELF_TARGETING,
    KNL_SELF_TIMER,
    KNL_SELF_POLICY,
    KNL_SELF_TICKER,
    KNL_SELF_COMMAND,
    KNL_SELF_SYSTEM,
    KNL_SELF_COMPONENT, // a component in one of its hooks
    KNL_SELF_HOOK,      // a definition of an own kind in one of its hooks
    KNL_SELF_WATCH,     // of a watch
    KNL_SELF_COUNT,
} knl_self_kind;

// Modifiers that a policy chooses from.
typedef struct knl_policy_call {
    float base;
    const kn_modifier_view *modifiers;
    uint32_t count;
} knl_policy_call;

// Describes one call. Members that do not belong to it are NULL.
struct knl_frame {
    const kn_world *world; // NULL: the call sees its arguments and nothing else
    kn_world *writable;    // NULL: the call may only read
    kn_world *told;        // where errors are published although the call only reads; may be NULL
    const knl_binding *binding;
    const char *function_name; // for messages
    knl_self_kind self;
    const kn_ability_call *ability;
    const kn_task_call *task;
    const kn_spec_view *spec;
    const kn_calculation *calculation;
    kn_execution *execution;
    const kn_attribute_change *change;
    const kn_execute_data *execute;
    const kn_event_record *record;
    const kn_reaction *reaction;
    const kn_targeting_call *targeting;
    const knl_policy_call *policy;
    const kn_command *command;
    const kn_system_run *run;
    const kn_component_call *component_call;
    const kn_hook_call *hook_call;
    const kn_watch_call *watch;
    uint32_t open_causes; // that the call has opened and not closed
    kn_entity_id entity;
    void *state; // for logic, timers and watches; abilities and tasks have theirs in the world
    kn_ticker_id ticker; // tickers have theirs on the entity

    // Pushes further arguments and returns how many; may be NULL.
    int (*push)(lua_State *L, const knl_frame *frame);
    const void *data; // for `push`
    // Takes `result_count` results from the top of the stack; may be NULL. Raises errors.
    void (*take)(lua_State *L, int first, knl_frame *frame);
    int result_count;
    void *out; // for `take`
};

// A `self` or `self.state`: valid as long as its frame is the one it was made for.
typedef struct knl_self {
    uint32_t depth;
    uint64_t serial;
} knl_self;

typedef struct knl_where {
    char chunk[64];
    uint32_t line;
} knl_where;

struct knl_vm {
    lua_State *L;
    kn_script *script;
    knl_vm *outer; // the machine that this thread used before
    size_t bytes;
    size_t traffic;  // bytes allocated in this outermost call
    int64_t budget;  // instructions left
    int64_t granted; // `budget` when the outermost call began
    uint64_t calls;
    uint64_t most_instructions;
    bool is_loading;
    bool is_limited;      // allocations above the limits are refused
    bool seeks_stack;     // the block that grows now is the stack
    bool has_large_stack; // since the outermost call began
    const void *stack;    // block of the stack; like `latest`, the newest block, only ever compared
    const void *latest;
    size_t stack_bytes, latest_bytes;
    knl_where memory_where; // where memory was last refused
    const char *refusal;    // and why
    uint32_t depth;
    uint64_t serial;
    knl_frame *frames[KNL_DEPTH_MAX + 1];
    uint64_t serials[KNL_DEPTH_MAX + 1];
    knl_self *selves[KNL_DEPTH_MAX + 1][KNL_SELF_COUNT];
    knl_self *states[KNL_DEPTH_MAX + 1];
    // Elements of the lists that functions of games and kits are making, inner calls behind outer
    // ones.
    uint8_t *elements;
    size_t element_bytes, element_capacity;
};

static inline knl_vm *knl_vm_of(lua_State *L)
{
    knl_vm *vm;
    void *space = lua_getextraspace(L);
    vm = *(knl_vm **)space;
    return vm;
}

// Indices in the registry.
enum {
    KNL_REG_SHARED = 8,   // globals of all chunks
    KNL_REG_DEFS,         // kind -> name -> table
    KNL_REG_PENDING,      // the same of the chunk being loaded
    KNL_REG_STATE_META,   // metatable of `self.state`
    KNL_REG_ARRAY_META,   // of arrays in it
    KNL_REG_TYPE_META,    // of kn.u32 and the like
    KNL_REG_NAMES = 16,   // + knl_name_kind: name -> number
    KNL_REG_META = 64,    // + knl_self_kind: metatable
    KNL_REG_CLASSES = 80, // + kind of id: methods
    KNL_REG_STATE = 96,   // + depth
    KNL_REG_SELF = 160,   // + depth * KNL_SELF_COUNT + kind
    KNL_REG_BOUND = 1024, // + 2 * binding: names of its fields; + function in what follows
};

// The machine for a call on this thread: the one in use, or one from the pool, or a new one. NULL
// when out of memory.
knl_vm *knl_vm_enter(kn_script *script);
void knl_vm_leave(knl_vm *vm);
void knl_vm_destroy(knl_vm *vm);
// Creates a machine with all chunks and bindings.
knl_vm *knl_vm_create(kn_script *script, kn_error *error);
// Runs a chunk and stores what it defines.
kn_result knl_vm_load(knl_vm *vm, const knl_chunk *chunk, kn_error *error);
// Fills a binding from its definition. Once for each machine; the first one also allocates.
kn_result knl_vm_bind(knl_vm *vm, knl_binding *binding, bool is_first, kn_error *error);
// Calls a function by number. KN_OK, or KN_ERROR_BAD_DATA after reporting an error.
kn_result knl_call(knl_frame *frame, uint32_t function);
// Reports the error of a call that could not be made; KN_ERROR_BAD_DATA.
kn_result knl_call_refuse(const knl_frame *frame, const char *message);
// Whether the step has instructions left for the call; reports it if not.
bool knl_call_is_possible(const knl_frame *frame);
// Calls a hook; KN_OK when there is none.
kn_result knl_call_hook(knl_frame *frame, uint32_t hook);

// Ends the link of the chain of causes that the call opened last. False if there is none.
bool knl_cause_close(knl_frame *frame);
// The frame behind a self object on the stack; raises an error if it is something else.
knl_frame *knl_self_frame(lua_State *L, int index);
knl_frame *knl_frame_test(lua_State *L, const knl_self *self);
// Raises an error that names the first Lua function above and its line.
_Noreturn void knl_raise(lua_State *L, const char *format, ...) KN_PRINTF(2, 3);
void knl_where_of(lua_State *L, knl_where *where);

// Costs ---------------------------------------------------------------------

// The most bytes of a string in scripts, so that one instruction that compares two is short.
#define KNL_STRING_MAX 16384
// The most values on the stack of a machine, which has room for twice as many as it needs.
#define KNL_STACK_MAX 6000
// Reading or writing a string costs one instruction for this many bytes.
#define KNL_BYTES_PER_COST 16
// Reading a string as a number costs one for this many.
#define KNL_DIGITS_PER_COST 4

// Counts work outside Lua's own code as this many instructions; raises the error of the limit.
void knl_charge(lua_State *L, uint64_t cost);

// One function of Lua's library, or our replacement for it.
typedef struct knl_library_row {
    const char *module; // NULL for a global
    const char *name;
    lua_CFunction own;            // our replacement; NULL for Lua's own
    void (*charge)(lua_State *L); // charges more than the arguments; NULL for no more
    bool reads_numbers;           // strings among its arguments are read as numbers
    const char *cost;             // the same as text, for the reference
} knl_library_row;

extern const knl_library_row knl_library_rows[]; // ends with a NULL name

// Parts of a machine --------------------------------------------------------

// Pushes a table of the globals that scripts may use of Lua's own library.
void knl_sandbox_open(lua_State *L);
int knl_math_acos(lua_State *L);
int knl_math_asin(lua_State *L);
int knl_math_atan(lua_State *L);
int knl_math_clamp(lua_State *L);
int knl_math_cos(lua_State *L);
int knl_math_exp(lua_State *L);
int knl_math_f32(lua_State *L);
int knl_math_log(lua_State *L);
int knl_math_pow(lua_State *L);
int knl_math_sin(lua_State *L);
int knl_math_tan(lua_State *L);
int knl_string_format(lua_State *L);
// For __index and __newindex that are tables; upvalue 1 is the table.
int knl_index_through(lua_State *L);
int knl_newindex_through(lua_State *L);
// Replaces what is at `index` by text that contains no address; pushes it and returns it.
const char *knl_tostring(lua_State *L, int index, size_t *length);

// Makes the table at the top and all it reaches read-only, in place. Raises an error for a function
// that assigns to a variable that outlives it.
void knl_freeze(lua_State *L);
// Pushes the content of a frozen table at `index`. False, with nothing pushed, for others.
bool knl_frozen_content(lua_State *L, int index);
// Freezes a table of globals, which are read from `shared` afterwards.
void knl_freeze_globals(lua_State *L, int globals, int shared);

// An assignment to an upvalue of the function at the top, in it or in functions inside it.
typedef struct knl_assignment {
    uint32_t upvalue; // from 0
    uint32_t line;
} knl_assignment;
typedef enum knl_scan {
    KNL_SCAN_CLEAN,
    KNL_SCAN_ASSIGNS,
    KNL_SCAN_UNKNOWN, // not the bytecode of a Lua that this module knows
} knl_scan;
knl_scan knl_bytecode_scan(lua_State *L, knl_assignment *assignment);
// Finds what the text of a chunk must not contain. False: `line` and `message` say what.
bool knl_source_check(const char *text, size_t size, uint32_t *line, const char **message);

// Reports what is suspicious in the text of a chunk, once the library is finished.
void knl_script_lint(kn_script *script, const kn_library *library, const char *text, size_t size,
    kn_data_report_fn *tell, void *user);

// The table kn: types of state fields.
void knl_state_open(lua_State *L);
// Reads the table at `index`, or nil, into a layout. Raises errors.
void knl_layout_read(lua_State *L, int index, uint32_t max, kn_script *script, knl_layout *layout);
void knl_state_push(lua_State *L, const knl_frame *frame);
// Writes a table of values at `index` into a zeroed block with this layout. Raises errors.
void knl_state_fill(lua_State *L, int index, const knl_layout *layout, void *block);
// Writes the defaults into a zeroed block that others see too.
void knl_state_begin(const knl_layout *layout, uint8_t *block);
// What a field holds.
typedef struct knl_field_type {
    uint32_t kind;    // kn_field_kind
    const char *said; // KN_FIELD_REF: its `refers_to`; KN_FIELD_ENUM: its `words`
} knl_field_type;

static inline knl_field_type knl_field_type_of(const kn_field *field)
{
    return (knl_field_type){
        (uint32_t)field->kind, field->kind == KN_FIELD_REF ? field->refers_to : field->words};
}

// One element of a field; both raise errors.
void knl_field_push(lua_State *L, knl_field_type type, const void *bytes);
void knl_field_take(lua_State *L, int index, knl_field_type type, const char *name, void *bytes);
uint32_t knl_field_size(uint32_t kind);
// Name and description of the types a state can have, from 0; NULL at the end.
const char *knl_state_type(uint32_t index, const char **doc);

// Ids and names -------------------------------------------------------------

// Live ids are integers of generation, kind and slot. The kind keeps one from being taken for
// another.
typedef enum knl_id_kind {
    KNL_ID_ENTITY = 1,
    KNL_ID_EFFECT,
    KNL_ID_SPEC,
    KNL_ID_TIMER,
    KNL_ID_ABILITY,
    KNL_ID_ACTIVATION,
    KNL_ID_TASK,
    KNL_ID_COUNT,
} knl_id_kind;

extern const char *const knl_id_names[KNL_ID_COUNT];

// Null becomes nil.
void knl_id_push(lua_State *L, knl_id_kind kind, uint32_t index1, uint32_t generation);
// False for anything but an id of this kind; nil is the null id.
bool knl_id_test(lua_State *L, int index, knl_id_kind kind, uint32_t *index1, uint32_t *generation);

#define KNL_PUSH_ID(L, kind, id) knl_id_push(L, kind, (id).index1, (id).generation)

typedef enum knl_name_kind {
    KNL_NAME_TAG,
    KNL_NAME_ATTRIBUTE,
    KNL_NAME_ATTRIBUTE_SET,
    KNL_NAME_EFFECT_TYPE,
    KNL_NAME_ABILITY_TYPE,
    KNL_NAME_ABILITY_SET,
    KNL_NAME_VALUE,
    KNL_NAME_EVENT_KIND,
    KNL_NAME_NAME,
    KNL_NAME_CURVE,
    KNL_NAME_CONTAINER,
    KNL_NAME_TIMER_TYPE,
    KNL_NAME_COMPONENT,
    KNL_NAME_TASK_TYPE,
    KNL_NAME_ANIMATION,
    KNL_NAME_TARGETING,
    KNL_NAME_ARCHETYPE,
    KNL_NAME_SYSTEM,
    KNL_NAME_CUSTOM_EVENT,
    KNL_NAME_TICKER,
    KNL_NAME_WATCH,
    KNL_NAME_COUNT,
} knl_name_kind;

extern const char *const knl_name_titles[KNL_NAME_COUNT];
kn_def_kind knl_name_def_kind(knl_name_kind kind);

// The number behind the name at `index`. Raises an error for a name that is not registered.
uint32_t knl_name_take(lua_State *L, int index, knl_name_kind kind, const char *argument);
// The name of a number; nil for null.
void knl_tag_push(lua_State *L, kn_tag tag);
void knl_attribute_push(lua_State *L, kn_attribute_id attribute);
void knl_effect_type_push(lua_State *L, const kn_world *world, kn_effect_type_id type);
void knl_ability_type_push(lua_State *L, kn_ability_type_id type);
void knl_text_push(lua_State *L, const char *text); // "" becomes nil
void knl_name_push(lua_State *L, kn_def_kind kind, uint32_t index1);

// The tables of bindings ----------------------------------------------------

typedef enum knl_type {
    KNL_T_END,
    KNL_T_BOOL,
    KNL_T_INTEGER,
    KNL_T_U32,
    KNL_T_NUMBER,  // a float
    KNL_T_SECONDS, // a kn_time
    KNL_T_TEXT,
    KNL_T_HANDLER, // name of a handler: its label
    KNL_T_VEC3,
    KNL_T_ANY,      // stays on the stack
    KNL_T_OPTIONS,  // a table with the fields of `extra`
    KNL_T_TAGS,     // a tag, or an array of tags
    KNL_T_VALUES,   // tag = number
    KNL_T_NAMED,    // name = number
    KNL_T_TARGETS,  // an array, see knl_targets_take()
    KNL_T_ENTITIES, // an array
    KNL_T_ENUM,     // one of the words in `extra`
    KNL_T_FIELD,    // as the table of a struct says of its field `extra`
    KNL_T_SELF,
    KNL_T_MEMBER,    // as the kn_def_field `extra` says
    KNL_T_DEF,       // name of a definition of the kind that the kn_def_field `extra` names
    KNL_T_ID = 32,   // + knl_id_kind
    KNL_T_NAME = 48, // + knl_name_kind
} knl_type;

#define KNL_OPTIONAL 1u

typedef struct knl_param {
    const char *name;
    uint8_t type;
    uint8_t flags;
    uint16_t number;   // of words; of a field: the kn_struct
    const void *extra; // const knl_param * of options, const char *const * of words, a field's name
    const char *doc;   // of options
} knl_param;

typedef union knl_data {
    bool flag;
    int64_t integer;
    uint32_t number; // for a name, an enum or a label
    float value;
    kn_time time;
    const char *text;
    int index; // on the stack
    kn_vec3 vec;
    kn_tags tags;
    kn_entity_id entity;
    kn_effect_id effect;
    kn_spec_id spec;
    kn_timer_id timer;
    kn_ability_id ability;
    kn_activation_id activation;
    kn_task_id task;
    knl_frame *frame;
    const struct knl_value *options; // see knl_option()
} knl_data;

typedef struct knl_value {
    knl_data as;
    const kn_def_field *field; // where it goes, for KNL_T_FIELD
    bool is_given;
} knl_value;

#define KNL_ARGS_MAX 8
#define KNL_OPTIONS_MAX 40
#define KNL_SETS_MAX 6
#define KNL_VALUES_MAX 32

typedef struct knl_row knl_row;

struct knl_args {
    lua_State *L;
    knl_vm *vm;
    const kn_world *world;
    kn_world *writable;
    const kn_library *library;
    knl_frame *frame;
    const knl_row *row;
    knl_value v[KNL_ARGS_MAX]; // arguments; for a method, the first is the object it is called on
    knl_value o[KNL_OPTIONS_MAX]; // options: of each table first those that are not fields
    uint32_t option_count;
    kn_tag_set sets[KNL_SETS_MAX];
    uint32_t set_count;
    kn_caller_value caller[KNL_VALUES_MAX];
    uint32_t caller_count;
    kn_named_value named[KNL_VALUES_MAX];
    uint32_t named_count;
    kn_entity_id entities[KN_FUNCTION_ENTITIES_MAX];
    uint32_t entity_count;
};

#define KNL_CHANGES 1u // not for calls that may only read
#define KNL_EFFECTS 2u // searches the effects of its receiver, and charges for it
#define KNL_SPACE 4u   // searches the entities of the world

struct knl_row {
    const char *name;
    int (*call)(knl_args *args);
    const knl_param *params; // ends with KNL_T_END; NULL for none
    const char *returns;     // types for the reference; NULL for nothing
    uint8_t flags;
    const char *doc;
};

typedef struct knl_field_row {
    const char *name;
    const char *type;
    const char *field; // of the struct of its class; NULL: not one of them
    void (*push)(lua_State *L, const knl_frame *frame); // of a self, if it is not
    const char *doc;
} knl_field_row;

#define KNL_ROWS_MAX 8

// Functions of a module, methods of a kind of id, or fields and methods of a self.
typedef struct knl_class {
    const char *name;
    const char *doc;
    const knl_field_row *fields; // ends with a NULL name; may be NULL
    // Each ends with a NULL name; the receiver is not in their params.
    const knl_row *rows[KNL_ROWS_MAX];
    uint32_t struct1; // kn_struct + 1 that `fields` are of; 0 for none
    size_t at;        // of a self: where its frame has the pointer to that struct
} knl_class;

extern const knl_class knl_class_world;
extern const knl_class knl_class_command;
extern const knl_class knl_class_hook;
extern const knl_class knl_class_entity;
extern const knl_row knl_component_rows[], knl_world_component_rows[], knl_own_component_rows[];
extern const knl_row knl_entity_ability_rows[];
extern const knl_row knl_activation_rows[];
extern const knl_row knl_running_rows[];
extern const knl_row knl_own_task_rows[];
extern const knl_param knl_filter_options[], knl_effect_query_options[], knl_container_options[],
    knl_cue_options[], knl_ability_query_options[], knl_grant_options[], knl_task_options[],
    knl_motion_options[];
extern const knl_class knl_class_effect, knl_class_spec, knl_class_timer, knl_class_ability,
    knl_class_activation, knl_class_task;
extern const knl_class *const knl_id_classes[KNL_ID_COUNT];
// Tables that scripts are given.
typedef enum knl_result {
    KNL_RESULT_VEC3,
    KNL_RESULT_HIT,
    KNL_RESULT_TARGET,
    KNL_RESULT_EVENT,
    KNL_RESULT_REACTION,
    KNL_RESULT_TASK_RESULT,
    KNL_RESULT_MODIFIER,
    KNL_RESULT_EFFECT_INFO,
    KNL_RESULT_REAPPLICATION,
    KNL_RESULT_ABILITY_INFO,
    KNL_RESULT_COOLDOWN,
    KNL_RESULT_REASON,
    KNL_RESULT_EFFECT_REFUSAL,
    KNL_RESULT_PRICE,
    KNL_RESULT_TASK_INFO,
    KNL_RESULT_CAUSE,
    KNL_RESULT_CANCEL,
    KNL_RESULT_COUNT,
} knl_result;
// As classes without functions.
extern const knl_class knl_result_classes[KNL_RESULT_COUNT];
extern const knl_field_row knl_reaction_fields[], knl_watch_fields[];
extern const knl_class *const knl_self_classes[KNL_SELF_COUNT];

// Functions of games and kits --------------------------------------------------

// What a library has of them, as rows and classes like ours. NULL without memory, or for a name
// that is one of ours: `error` says which.
knl_own *knl_own_create(const kn_hooks *hooks, const kn_library *library, kn_error *error);
void knl_own_destroy(knl_own *own);
// The rows that a class has besides its own; NULL for none. For all of these `own` may be NULL.
const knl_row *knl_own_rows(const knl_own *own, const knl_class *class);
// Modules, and tables that functions return, by index; NULL at the end.
const knl_class *knl_own_module(const knl_own *own, uint32_t index);
const knl_class *knl_own_result(const knl_own *own, uint32_t index);
// Whether functions of this class are called with a dot: the module `world`, or one of these.
bool knl_class_is_module(const knl_own *own, const knl_class *class);
// Writes one argument into a struct.
void knl_value_store(
    knl_args *args, const kn_def_table *table, const knl_value *value, uint8_t *to);

// Makes the module `world`, the methods of ids and those of self objects.
void knl_api_open(lua_State *L, int globals);

// The result of an API function: pushes true; nil and the reason; or raises an error.
int knl_push_result(knl_args *args, kn_result result);
// The reason of a refusal as scripts see it: "cost".
const char *knl_refusal_name(kn_result result);
kn_result knl_refusal_find(const char *name);
void knl_vec3_push(lua_State *L, kn_vec3 vec);
bool knl_vec3_take(lua_State *L, int index, kn_vec3 *vec);
void knl_seconds_push(lua_State *L, kn_time time);   // nil for KN_TIME_INFINITE
void knl_set_field(lua_State *L, const char *name);  // of the table below the top
void knl_fails_push(lua_State *L, uint32_t reasons); // an array of the words for kn_fail bits
void knl_tags_push(lua_State *L, kn_tags tags);
void knl_targets_push(lua_State *L, const kn_world *world, kn_target_view view);
// The fields of a record: into the table at the top of the stack, and those that the table at
// `index` has out of it.
void knl_record_fields_push(
    lua_State *L, const kn_field *fields, uint32_t count, const uint8_t *bytes);
void knl_record_fields_take(
    lua_State *L, int index, const kn_field *fields, uint32_t count, uint8_t *bytes);
// The method `refuse`: adds a line to an answer.
extern const knl_param knl_refuse_options[];
int knl_refuse(knl_args *args, kn_check_answer *answer);
extern const knl_param knl_command_options[], knl_batch_options[];
int knl_world_batch(knl_args *args);
int knl_world_command(knl_args *args);
void knl_targets_take(lua_State *L, int index, const kn_library *library, kn_target_data *data);
void knl_task_result_push(lua_State *L, const kn_task_result *result);
// A record from options; `data` holds its targets and must stay as long as the record is used.
extern const knl_param knl_record_options[];
void knl_record_take(
    knl_args *args, const knl_value *options, kn_event_record *record, kn_target_data *data);
// Reads the options at `index`, with their tables of tags and values.
void knl_options_take(knl_args *args, int index, const knl_param *options, knl_value *values);
// A spec or an application from options; context and data must exist as long as it is used.
extern const knl_param knl_apply_options[];
// A reason, by name, and what is behind it.
kn_refusal_line knl_refusal_take(knl_args *args, const knl_value *reason, const knl_value *options);
void knl_apply_take(knl_args *args, const knl_value *options, kn_effect_apply_def *def,
    kn_effect_context *context, kn_target_data *data);
// What an application gives: the effect, or true for an instant one; else nil, the name of the
// refusal, and what is behind it.
int knl_push_applied(
    knl_args *args, kn_result result, kn_effect_id effect, const kn_effect_refusal *refusal);

// Structs by their tables -----------------------------------------------------

// Pushes a field of a struct that lies at `from`.
void knl_member_push(
    lua_State *L, const kn_def_table *table, const kn_def_field *field, const void *from);
// Pushes a table with the fields that the class lists; and an array of such tables.
void knl_struct_push(lua_State *L, knl_result result, const void *from);
// A record as a table; nil for NULL.
void knl_event_push(lua_State *L, const kn_event_record *record);
void knl_structs_push(lua_State *L, knl_result result, const void *from, uint32_t count);
// Adds the fields of a struct to the table at the top.
void knl_fields_add(lua_State *L, const kn_def_table *table, const void *from);
// Publishes a custom event with the fields of the table that `fields` is, if it is given.
int knl_publish(
    knl_args *args, kn_entity_id entity, kn_custom_event_id kind, const knl_value *fields);
// A def, or a struct inside one, as a table: without functions and what is not set.
void knl_def_push(lua_State *L, const kn_def_table *table, const void *def);
// The words of all bits, as a list.
void knl_bits_push(lua_State *L, const kn_def_field *field, uint32_t bits);
// An array of live ids.
void knl_ids_push(lua_State *L, knl_id_kind kind, const void *ids, uint32_t count);
// What a parameter takes if it is a field: its plain type, its words. Others stay as they are.
knl_param knl_param_plain(const knl_param *param);
// Writes the options that are fields of this struct into it; `data` holds its targets, if it has
// any, and may be NULL. False if none was given.
bool knl_options_fill(knl_args *args, const knl_param *options, const knl_value *argument,
    kn_struct which, void *to, kn_target_data *data);
// An option that is not a field, by its place among those.
const knl_value *knl_option(const knl_value *argument, uint32_t index);

// The words for the values of an enum, or for bits: those of a field.
const kn_def_field *knl_words(kn_struct which, const char *field);
void knl_word_push(lua_State *L, const kn_def_field *words, uint32_t value); // nil for none
// Words for reasons, those of the library too; nil for none.
void knl_end_reason_push(lua_State *L, kn_end_reason reason);
void knl_fail_push(lua_State *L, kn_fail reason);

#endif
