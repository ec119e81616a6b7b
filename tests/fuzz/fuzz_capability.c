// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Capabilities made of fuzz input: overlapping sets on entities with owners and players, whose
// hooks add and remove sets, block, switch, move and destroy in the middle of runs. A component of
// the world keeps the books: the brackets of every capability nest, no hook comes after the end of
// its life, and what the kit says of itself agrees. In between the world is saved, loaded and
// rolled back and must stay the same. Hooks take their choices from a program, the first bytes of
// the input, and the books remember the place in it, so that a world that is taken back does the
// same.

#include "fuzz_input.h"

#include "knack/capability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTITIES = 4,
    SETS = 5,
    TAGS = 6,
    CALLS_MAX = 40,
    COPIES_MAX = 6,    // saves, rollbacks and calms of one run
    MEMBERS_MAX = 64,  // more than an entity can have here
    PROGRAM_MAX = 128, // bytes of the input for hooks
    BUDGET = 24,       // what hooks may do during one call from outside
    DEPTH_MAX = 5,     // hooks that cause hooks
};

static const char *const tag_names[TAGS] = {
    "Move", "Move.Fly", "Look", "X.Own", "State.Stunned", "State.Slow"};

// The books ---------------------------------------------------------------------------

enum {
    IN_LIFE = 1 << 0,
    IN_SETUP = 1 << 1,
    IN_ACTIVE = 1 << 2,
    IN_CONTROL = 1 << 3,
};

typedef struct books {
    kn_entity_id entities[ENTITIES];
    uint32_t cursor; // place in the program
    uint32_t budget;
    uint32_t depth;
    uint32_t is_calm; // hooks do nothing, and predicates change nothing
} books;

typedef struct entry {
    uint64_t entity;
    uint32_t number;
    uint32_t flags; // IN_*
} entry;

typedef struct stage {
    kn_library *library;
    kn_component_type_id books;
    kn_capability_set_id sets[SETS];
    kn_capability_collection_id collection;
    kn_tag tags[TAGS], alarm;
    kn_effect_type_id effects[2];
    kn_input_action_id jump;
    kn_input_context_id foot;
    kn_capability_rules_def rules;
} stage;

static stage stages[3]; // one for each kind of rules; made once
static const stage *now_on;
static uint8_t program[PROGRAM_MAX];
static uint32_t program_size;

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_capability: %s\n", what);
        abort();
    }
}

// What a call may return, whatever it is given.
static kn_result sane(kn_result result)
{
    must(result == KN_OK || kn_result_is_refused(result) || result == KN_ERROR_INVALID_ARGUMENT,
        kn_result_name(result));
    return result;
}

static books *books_of(kn_world *world)
{
    return kn_component_get(world, now_on->books, (kn_entity_id){0});
}

static const books *books_read(const kn_world *world, const entry **entries, uint32_t *count)
{
    const void *found = NULL;
    *count = 0;
    const books *b =
        kn_component_read_whole(world, now_on->books, (kn_entity_id){0}, &found, count);
    *entries = found;
    return b;
}

static const entry *entry_read(const kn_world *world, kn_entity_id entity, uint32_t number)
{
    const entry *entries;
    uint32_t count;
    (void)books_read(world, &entries, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].entity == kn_entity_id_pack(entity) && entries[i].number == number) {
            return &entries[i];
        }
    }
    return NULL;
}

static void entry_set(kn_world *world, const entry *found, uint32_t flags)
{
    const entry *entries;
    uint32_t count;
    (void)books_read(world, &entries, &count);
    uint32_t at = (uint32_t)(found - entries);
    ((entry *)kn_component_items(world, now_on->books, (kn_entity_id){0}, &count))[at].flags =
        flags;
}

static void entry_add(kn_world *world, kn_entity_id entity, uint32_t number)
{
    const entry *before;
    uint32_t count;
    (void)books_read(world, &before, &count);
    entry *entries = kn_component_resize(world, now_on->books, (kn_entity_id){0}, count + 1);
    must(entries != NULL, "no memory for the books");
    entries[count] = (entry){kn_entity_id_pack(entity), number, IN_LIFE};
}

static void entry_remove(kn_world *world, const entry *found)
{
    const entry *before;
    uint32_t count;
    (void)books_read(world, &before, &count);
    uint32_t at = (uint32_t)(found - before);
    entry *entries = kn_component_items(world, now_on->books, (kn_entity_id){0}, &count);
    entries[at] = entries[count - 1];
    (void)kn_component_resize(world, now_on->books, (kn_entity_id){0}, count - 1);
}

// Choices -------------------------------------------------------------------------------

// Where choices come from: the input, or in hooks the program.
typedef struct chooser {
    kn_world *world;
    fuzz_input *in; // NULL in hooks
} chooser;

static uint32_t pick_byte(chooser *c)
{
    if (c->in != NULL) {
        return take_u8(c->in);
    }
    books *b = books_of(c->world);
    return program[b->cursor++ % program_size];
}

static uint32_t pick(chooser *c, uint32_t bound)
{
    return pick_byte(c) % bound;
}

static kn_entity_id pick_entity(chooser *c)
{
    uint32_t byte = pick_byte(c);
    return byte >= 252 ? (kn_entity_id){0} : books_of(c->world)->entities[byte % ENTITIES];
}

static kn_capability_set_id pick_set(chooser *c)
{
    uint32_t byte = pick_byte(c);
    return byte >= 252 ? (kn_capability_set_id){byte - 252} : now_on->sets[byte % SETS];
}

static kn_tag pick_tag(chooser *c)
{
    uint32_t byte = pick_byte(c);
    return byte >= 252 ? (kn_tag){byte - 252} : now_on->tags[byte % TAGS];
}

// Mostly one of the entity's capabilities.
static uint32_t pick_number(chooser *c, kn_entity_id entity)
{
    kn_capability_info infos[MEMBERS_MAX];
    uint32_t count = kn_capabilities(c->world, entity, infos, MEMBERS_MAX), byte = pick_byte(c);
    must(count <= MEMBERS_MAX, "more capabilities than there can be");
    return count == 0 || byte >= 252 ? byte : infos[byte % count].number;
}

static kn_effect_id pick_effect(chooser *c, kn_entity_id entity)
{
    kn_effect_id found[8];
    kn_effect_query query = kn_effect_query_default();
    uint32_t count = kn_effects_find(c->world, entity, &query, found, 8);
    return count > 0 ? found[pick(c, count < 8 ? count : 8)] : (kn_effect_id){0};
}

static kn_time pick_time(chooser *c)
{
    static const kn_time odd[] = {0, -1, 1, INT64_MIN, INT64_MAX, KN_TIME_MAX};
    uint32_t byte = pick_byte(c);
    return byte < sizeof(odd) / sizeof(*odd) ? odd[byte] : KN_MS(byte * 2);
}

// What can be done, from outside and from hooks --------------------------------------------

static void do_set(chooser *c, kn_entity_id entity, uint32_t own)
{
    (void)own;
    kn_capability_set_id set = pick_set(c);
    uint32_t number;
    kn_result result = sane(kn_capability_set_add(c->world, entity, set, &number));
    must(result != KN_OK || number != 0, "added without a number");
}

static void do_set_remove(chooser *c, kn_entity_id entity, uint32_t own)
{
    kn_capability_set_id set = pick_set(c);
    kn_capability_info info;
    if (pick(c, 2) == 0 && kn_capability_get_info(c->world, entity, own, &info)) {
        set = info.set; // its own one
    }
    uint32_t before = books_of(c->world)->cursor;
    kn_result result = sane(kn_capability_set_remove(c->world, entity, set));
    must(result != KN_OK || c->in == NULL || books_of(c->world)->cursor != before ||
             kn_capability_set_number(c->world, entity, set) == 0,
        "a set was removed and is there");
}

static void do_collection(chooser *c, kn_entity_id entity, uint32_t own)
{
    (void)own;
    if (pick(c, 2) == 0) {
        (void)sane(kn_capability_collection_add(c->world, entity, now_on->collection));
    } else {
        (void)sane(kn_capability_collection_remove(c->world, entity, now_on->collection));
    }
}

static void do_attach(chooser *c, kn_entity_id entity, uint32_t own)
{
    (void)own;
    uint32_t byte = pick_byte(c);
    if (byte < 32) {
        (void)kn_capability_detach(c->world, entity);
    } else {
        (void)sane(kn_capability_attach(c->world, entity, (kn_capability_mode)(byte % 3),
            (kn_capability_control)(byte / 3 % 4)));
    }
}

static kn_capability_source pick_source(chooser *c, kn_entity_id own_entity, uint32_t own)
{
    kn_capability_source source = {
        .kind = (kn_capability_source_kind)pick(c, KN_CAPABILITY_SOURCE_COUNT + 1),
        .key = pick(c, 2),
    };
    bool is_own = pick(c, 2) == 0;
    switch (source.kind) {
    case KN_CAPABILITY_SOURCE_ENTITY:
        source.entity = pick_entity(c);
        break;
    case KN_CAPABILITY_SOURCE_MEMBER:
        source.entity = is_own ? own_entity : pick_entity(c);
        source.number = is_own ? own : pick_number(c, source.entity);
        break;
    case KN_CAPABILITY_SOURCE_SET:
        source.entity = is_own ? own_entity : pick_entity(c);
        source.number = kn_capability_set_number(c->world, source.entity, pick_set(c));
        break;
    case KN_CAPABILITY_SOURCE_EFFECT:
        source.effect = pick_effect(c, pick_entity(c));
        break;
    default:
        break;
    }
    return source;
}

static void do_block(chooser *c, kn_entity_id entity, uint32_t own)
{
    uint32_t byte = pick_byte(c);
    kn_capability_block block = {
        .tag = pick_tag(c),
        .scope = (kn_capability_scope)(byte % (KN_CAPABILITY_SCOPE_COUNT + 1)),
        .source = pick_source(c, entity, own),
        .while_active = (byte & 16) != 0,
        .hits_source = (byte & 32) != 0,
    };
    kn_result result = sane(kn_capability_block_add(c->world, entity, &block));
    must(result != KN_OK || kn_capability_tag_is_blocked(c->world, entity, block.tag),
        "a block that does not block");
}

// Mostly one that is there.
static void do_unblock(chooser *c, kn_entity_id entity, uint32_t own)
{
    kn_capability_block blocks[8];
    uint32_t count = kn_capability_blocks(c->world, entity, blocks, 8);
    if (count > 0 && pick(c, 4) != 0) {
        const kn_capability_block *block = &blocks[pick(c, count < 8 ? count : 8)];
        (void)sane(kn_capability_block_remove(c->world, entity, block->tag, &block->source));
    } else {
        kn_tag tag = pick_tag(c);
        kn_capability_source source = pick_source(c, entity, own);
        (void)sane(kn_capability_block_remove(c->world, entity, tag, &source));
    }
}

static void do_switch(chooser *c, kn_entity_id entity, uint32_t own)
{
    uint32_t byte = pick_byte(c), number = byte < 96 ? own : pick_number(c, entity);
    if ((byte & 1) != 0) {
        (void)sane(kn_capability_activate(c->world, entity, number));
    } else {
        (void)sane(kn_capability_deactivate(c->world, entity, number));
    }
}

static void do_change(chooser *c, kn_entity_id entity, uint32_t own)
{
    uint32_t byte = pick_byte(c), number = byte < 96 ? own : pick_number(c, entity);
    switch (byte % 7) {
    case 0:
        (void)sane(kn_capability_set_enabled(c->world, entity, number, pick(c, 2) != 0));
        return;
    case 1:
        (void)sane(kn_capability_set_can_tick(c->world, entity, number, pick(c, 2) != 0));
        return;
    case 2:
        (void)sane(kn_capability_set_interval(c->world, entity, number, pick_time(c)));
        return;
    case 3:
        (void)sane(kn_capability_move(c->world, entity, number, pick(c, 9)));
        return;
    case 4:
        (void)sane(kn_capability_wake(c->world, entity, number));
        return;
    case 5:
        (void)sane(kn_capability_wake_after(c->world, entity, number, pick_time(c)));
        return;
    default:
        (void)sane(kn_capability_evaluate(c->world, entity, number));
    }
}

static void do_control(chooser *c, kn_entity_id entity, uint32_t own)
{
    (void)own;
    switch (pick(c, 5)) {
    case 0:
        (void)sane(kn_entity_set_owner(c->world, entity, pick_entity(c)));
        return;
    case 1:
        (void)sane(kn_entity_set_connection(c->world, entity, pick(c, 3)));
        return;
    case 2:
        (void)sane(kn_capability_remove_controller(c->world, entity));
        return;
    default: {
        kn_controller controller = {.entity = pick_entity(c), .number = pick(c, 3)};
        (void)sane(kn_capability_set_controller(c->world, entity, controller));
    }
    }
}

static void do_bind(chooser *c, kn_entity_id entity, uint32_t own)
{
    uint32_t byte = pick_byte(c), number = byte < 128 ? own : pick_number(c, entity);
    switch (byte % 4) {
    case 0:
        (void)sane(kn_capability_bind_action(
            c->world, entity, number, now_on->jump, (kn_input_trigger)pick(c, 6)));
        return;
    case 1:
        (void)sane(kn_capability_bind_context(c->world, entity, number, now_on->foot));
        return;
    case 2:
        (void)sane(kn_capability_use_input(c->world, entity, number));
        return;
    default:
        (void)sane(kn_capability_stop_input(c->world, entity, number));
    }
}

static void do_tag(chooser *c, kn_entity_id entity, uint32_t own)
{
    (void)own;
    kn_tag tag = now_on->tags[pick(c, TAGS)];
    if (pick(c, 2) == 0) {
        (void)sane(kn_entity_add_tag(c->world, entity, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
    } else {
        (void)sane(kn_entity_remove_tag(c->world, entity, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
    }
}

static void do_effect(chooser *c, kn_entity_id entity, uint32_t own)
{
    (void)own;
    uint32_t byte = pick_byte(c);
    if (byte < 96) {
        (void)sane(kn_effect_remove(c->world, pick_effect(c, entity), 0, KN_REMOVED_BY_CALL));
    } else if (kn_effects_count(c->world, entity) < 16) {
        (void)sane(kn_effect_apply_simple(
            c->world, now_on->effects[byte % 2], pick_entity(c), entity, 1.0f, NULL));
    }
}

static void do_event(chooser *c, kn_entity_id entity, uint32_t own)
{
    kn_capability_message message = {.number = own, .message = pick_byte(c)};
    kn_event_record record = kn_event_record_default();
    record.target = entity;
    record.instigator = pick_entity(c);
    switch (message.message % 4) {
    case 0:
        (void)sane(kn_capability_send_to_all(c->world, entity, &message));
        return;
    case 1:
        (void)sane(kn_capability_send_to_owner(c->world, entity, &message));
        return;
    case 2:
        (void)sane(kn_capability_send_to_authority(c->world, entity, &message));
        return;
    default:
        (void)sane(kn_event_send(c->world, entity, now_on->alarm, &record));
    }
}

static void do_all(chooser *c, kn_entity_id entity, uint32_t own)
{
    (void)own;
    uint32_t byte = pick_byte(c);
    if (byte < 16) {
        (void)sane(kn_capabilities_shut_down(c->world));
    } else if (byte < 128) {
        (void)sane(kn_capabilities_refresh(c->world));
    } else {
        (void)sane(kn_capabilities_update(c->world, entity, KN_MS(byte - 128)));
    }
}

static void do_destroy(chooser *c, kn_entity_id entity, uint32_t own)
{
    (void)own;
    if (pick(c, 3) == 0) {
        (void)kn_entity_destroy(c->world, entity);
    }
}

typedef void do_fn(chooser *c, kn_entity_id entity, uint32_t own);

static do_fn *const doings[] = {do_set, do_set, do_set_remove, do_collection, do_attach, do_block,
    do_block, do_unblock, do_switch, do_switch, do_switch, do_change, do_change, do_change,
    do_control, do_control, do_bind, do_tag, do_tag, do_effect, do_event, do_all, do_destroy};

static void do_something(chooser *c, kn_entity_id entity, uint32_t own)
{
    doings[pick(c, sizeof(doings) / sizeof(*doings))](c, entity, own);
}

// Hooks -----------------------------------------------------------------------------------

// What a hook needs, what it must not find, and what it changes.
typedef struct hook_row {
    const char *name;
    uint32_t needed, wrong, begins, ends;
} hook_row;

enum {
    ROW_START_LIFE,
    ROW_SETUP,
    ROW_ACTIVATED,
    ROW_DEACTIVATED,
    ROW_TICK,
    ROW_END,
    ROW_END_LIFE,
    ROW_HEARD,
    ROW_MESSAGE,
    ROW_EARLY_MESSAGE,
    ROW_INPUT,
    ROW_ACTIVE_INPUT,
    ROW_ATTACHED,
    ROW_DETACHED,
    ROW_BIND,
};

static const hook_row hook_rows[] = {
    [ROW_START_LIFE] = {"start_life", 0, 0, IN_LIFE, 0},
    [ROW_SETUP] = {"setup", IN_LIFE, IN_SETUP | IN_ACTIVE | IN_CONTROL, IN_SETUP, 0},
    [ROW_ACTIVATED] = {"activated", IN_LIFE | IN_SETUP, IN_ACTIVE, IN_ACTIVE, 0},
    [ROW_DEACTIVATED] = {"deactivated", IN_LIFE | IN_SETUP | IN_ACTIVE, 0, 0, IN_ACTIVE},
    [ROW_TICK] = {"tick", IN_LIFE | IN_SETUP | IN_ACTIVE, 0, 0, 0},
    [ROW_END] = {"end_capability", IN_LIFE | IN_SETUP, IN_ACTIVE | IN_CONTROL, 0, IN_SETUP},
    [ROW_END_LIFE] = {"end_life", IN_LIFE, IN_SETUP | IN_ACTIVE | IN_CONTROL, 0, IN_LIFE},
    [ROW_HEARD] = {"heard", IN_LIFE | IN_SETUP, 0, 0, 0},
    [ROW_MESSAGE] = {"message", IN_LIFE | IN_SETUP, 0, 0, 0},
    [ROW_EARLY_MESSAGE] = {"message", IN_LIFE, 0, 0, 0},
    [ROW_INPUT] = {"input", IN_LIFE | IN_SETUP | IN_CONTROL, 0, 0, 0},
    [ROW_ACTIVE_INPUT] = {"input", IN_LIFE | IN_SETUP | IN_CONTROL | IN_ACTIVE, 0, 0, 0},
    [ROW_ATTACHED] = {"controller_attached", IN_LIFE | IN_SETUP, IN_CONTROL, IN_CONTROL, 0},
    [ROW_DETACHED] = {"controller_detached", IN_LIFE | IN_SETUP | IN_CONTROL, 0, 0, IN_CONTROL},
    [ROW_BIND] = {"bind", IN_LIFE | IN_SETUP | IN_CONTROL, 0, 0, 0},
};

static uint32_t hook_number(const hook_row *row, const kn_hook_call *call)
{
    ptrdiff_t kind = row - hook_rows;
    if (kind == ROW_MESSAGE || kind == ROW_EARLY_MESSAGE) {
        return ((const kn_capability_message *)call->arguments)->number;
    }
    return kind >= ROW_INPUT ? ((const kn_capability_input_call *)call->arguments)->number
                             : ((const kn_capability_call *)call->arguments)->number;
}

static void hook_enter(kn_world *world, const hook_row *row, kn_entity_id entity, uint32_t number)
{
    const entry *found = entry_read(world, entity, number);
    if (row == &hook_rows[ROW_START_LIFE]) {
        must(found == NULL, "start_life of one that lives");
        entry_add(world, entity, number);
        return;
    }
    must(found != NULL && (found->flags & row->needed) == row->needed &&
             (found->flags & row->wrong) == 0,
        row->name);
    if (row == &hook_rows[ROW_END_LIFE]) {
        entry_remove(world, found);
        return;
    }
    entry_set(world, found, (found->flags | row->begins) & ~row->ends);
}

static kn_result hook(void *user, const kn_hook_call *call)
{
    const hook_row *row = user;
    kn_world *world = call->writable;
    uint32_t number = hook_number(row, call);
    must(world != NULL, "a hook that cannot change its world");
    hook_enter(world, row, call->entity, number);
    books *b = books_of(world);
    if (b->is_calm != 0 || b->budget == 0 || b->depth >= DEPTH_MAX ||
        program[b->cursor++ % program_size] >= 128) {
        return KN_OK;
    }
    b->budget--;
    b->depth++;
    chooser c = {world, NULL};
    kn_entity_id entity = pick(&c, 3) != 0 ? call->entity : pick_entity(&c);
    do_something(&c, entity, number);
    books_of(world)->depth--;
    return KN_OK;
}

static const char stops; // only its address counts

// A predicate depends on the time and the program, and on nothing else.
static kn_result predicate(void *user, const kn_hook_call *call)
{
    const kn_capability_call *c = call->arguments;
    const entry *entries;
    uint32_t count;
    const entry *found = entry_read(call->world, call->entity, c->number);
    must(call->writable == NULL, "a predicate that can change its world");
    must(found != NULL && (found->flags & IN_SETUP) != 0, "a predicate of one that is not set up");
    uint32_t at = c->number * 5 + call->entity.index1 + (user == &stops ? 3u : 0u) +
                  (uint32_t)(kn_world_now(call->world) / KN_MS(50));
    bool is_calm = books_read(call->world, &entries, &count)->is_calm != 0;
    return !is_calm && (program[at % program_size] & 4) != 0 ? KN_OK : KN_REFUSED_CUSTOM;
}

// The library -------------------------------------------------------------------------------

static kn_hook hook_of(uint32_t row)
{
    return (kn_hook){hook, (void *)(uintptr_t)&hook_rows[row]};
}

static kn_capability_def capability(const char *name)
{
    kn_capability_def def = kn_capability_def_default();
    def.name = name;
    def.start_life = hook_of(ROW_START_LIFE);
    def.setup = hook_of(ROW_SETUP);
    def.activated = hook_of(ROW_ACTIVATED);
    def.deactivated = hook_of(ROW_DEACTIVATED);
    def.tick = hook_of(ROW_TICK);
    def.end_capability = hook_of(ROW_END);
    def.end_life = hook_of(ROW_END_LIFE);
    def.should_activate.function = predicate;
    def.should_deactivate = (kn_hook){predicate, (void *)(uintptr_t)&stops};
    return def;
}

static kn_capability_id registered(kn_library *library, const kn_capability_def *def)
{
    kn_capability_id id;
    kn_error error = {0};
    must(kn_capability_def_register(library, def, &id, &error) == KN_OK, error.message);
    return id;
}

static void things_register(stage *s)
{
    kn_error error = {0};
    kn_tag_def tag = kn_tag_def_default();
    for (uint32_t i = 0; i < TAGS; i++) {
        tag.name = tag_names[i];
        must(kn_tag_register(s->library, &tag, &s->tags[i], &error) == KN_OK, error.message);
    }
    tag.name = "Event.Alarm";
    must(kn_tag_register(s->library, &tag, &s->alarm, &error) == KN_OK, error.message);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Shield";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.granted_tags = (kn_tags){&s->tags[4], 1};
    must(kn_effect_register(s->library, &effect, &s->effects[0], &error) == KN_OK, error.message);
    effect.name = "Slow";
    effect.duration_kind = KN_DURATION_TIMED;
    effect.duration = kn_magnitude_constant(0.3f);
    effect.granted_tags = (kn_tags){&s->tags[5], 1};
    must(kn_effect_register(s->library, &effect, &s->effects[1], &error) == KN_OK, error.message);
    kn_input_action_def action = kn_input_action_def_default();
    action.name = "Jump";
    action.hold = KN_MS(40);
    must(kn_input_action_register(s->library, &action, &s->jump, &error) == KN_OK, error.message);
    kn_input_context_def context = kn_input_context_def_default();
    context.name = "OnFoot";
    must(kn_input_context_register(s->library, &context, &s->foot, &error) == KN_OK, error.message);
    const kn_field fields[] = {
        KN_FIELD_INIT("entities", KN_FIELD_ENTITY, offsetof(books, entities), ENTITIES),
        KN_FIELD(books, cursor, KN_FIELD_U32),
        KN_FIELD(books, budget, KN_FIELD_U32),
        KN_FIELD(books, depth, KN_FIELD_U32),
        KN_FIELD(books, is_calm, KN_FIELD_U32),
    };
    const kn_field items[] = {
        KN_FIELD(entry, entity, KN_FIELD_U64),
        KN_FIELD(entry, number, KN_FIELD_U32),
        KN_FIELD(entry, flags, KN_FIELD_U32),
    };
    kn_component_def component = kn_component_def_default();
    component.name = "Books";
    component.size = sizeof(books);
    component.fields = fields;
    component.field_count = sizeof(fields) / sizeof(*fields);
    component.item_size = sizeof(entry);
    component.item_fields = items;
    component.item_field_count = sizeof(items) / sizeof(*items);
    component.sync = KN_SYNC_NONE;
    must(kn_component_register(s->library, &component, &s->books, &error) == KN_OK, error.message);
}

static kn_component_type_id data_register(stage *s, const char *name, kn_sync sync)
{
    const kn_field field = KN_FIELD_INIT("uses", KN_FIELD_U32, 0, 1);
    kn_component_type_id type;
    kn_component_def def = kn_component_def_default();
    def.name = name;
    def.size = 4;
    def.fields = &field;
    def.field_count = 1;
    def.sync = sync;
    must(kn_component_register(s->library, &def, &type, NULL) == KN_OK, "no data component");
    return type;
}

enum {
    WALK, // asked in every run
    FLY,  // always on, with an interval
    LOOK, // sleeps, hears, blocks
    STUN, // not evaluated in runs, gives a tag
    AIM,  // local, blocked by that tag, brings an effect, staggered
    RIDE, // of the owner, by tags alone, brings an ability, sleeps
    SULK, // of clients, blocks itself
    JUMP, // takes input while it is active
    MENU, // takes input always, mirrored
    SINK, // brings the effect that stops it
    CAPABILITIES,
};

static void capabilities_register(stage *s, kn_capability_id *ids)
{
    const kn_tag *t = s->tags;
    const kn_field count = KN_FIELD_INIT("count", KN_FIELD_U32, 0, 1);
    kn_ability_def ability = kn_ability_def_default();
    kn_ability_type_id leap;
    ability.name = "Leap";
    must(kn_ability_register(s->library, &ability, &leap, NULL) == KN_OK, "no ability");

    kn_capability_def walk = capability("Walk");
    walk.tags = (kn_tags){&t[0], 1};
    walk.hears_tags = (kn_tags){&t[4], 1};
    walk.heard = hook_of(ROW_HEARD);
    walk.message = hook_of(ROW_MESSAGE);
    walk.state = &count;
    walk.state_count = 1;
    ids[WALK] = registered(s->library, &walk);

    kn_capability_def fly = capability("Fly");
    fly.tags = (kn_tags){&t[1], 1};
    fly.blocks = (kn_tags){&t[2], 1};
    fly.interval = KN_MS(70);
    fly.should_activate.function = NULL;
    fly.should_deactivate.function = NULL;
    ids[FLY] = registered(s->library, &fly);

    kn_capability_def look = capability("Look");
    look.tags = (kn_tags){&t[2], 1};
    look.blocks = (kn_tags){&t[0], 1};
    look.sleeps = true;
    look.hears_events = (kn_tags){&s->alarm, 1};
    look.hears_tags = (kn_tags){&t[4], 1};
    look.hears_effects = s->effects;
    look.hears_effect_count = 2;
    look.heard = hook_of(ROW_HEARD);
    ids[LOOK] = registered(s->library, &look);

    kn_capability_def stun = capability("Stun");
    stun.side = KN_SIDE_AUTHORITY;
    stun.tags = (kn_tags){&t[3], 1};
    stun.can_tick = false;
    stun.tick = (kn_hook){0};
    stun.grants_tags = (kn_tags){&t[4], 1};
    ids[STUN] = registered(s->library, &stun);

    kn_capability_def aim = capability("Aim");
    aim.side = KN_SIDE_LOCAL;
    aim.blocked_by = (kn_tags){&t[4], 1};
    aim.effects = &s->effects[1];
    aim.effect_count = 1;
    aim.interval = KN_MS(90);
    aim.staggered = true;
    ids[AIM] = registered(s->library, &aim);

    kn_capability_def ride = capability("Ride");
    ride.side = KN_SIDE_OWNER_LOCAL;
    ride.when.required = (kn_tags){&t[0], 1};
    ride.should_activate.function = NULL;
    ride.should_deactivate.function = NULL;
    ride.tick = (kn_hook){0};
    ride.sleeps = true;
    ride.abilities = &leap;
    ride.ability_count = 1;
    ids[RIDE] = registered(s->library, &ride);

    kn_capability_def sulk = capability("Sulk");
    sulk.side = KN_SIDE_CLIENTS;
    sulk.tags = sulk.blocks = (kn_tags){&t[3], 1};
    sulk.blocks_itself = true;
    ids[SULK] = registered(s->library, &sulk);

    kn_capability_input inputs[KN_INPUT_TRIGGER_COUNT];
    for (uint32_t i = 0; i < KN_INPUT_TRIGGER_COUNT; i++) {
        inputs[i] = (kn_capability_input){s->jump, (kn_input_trigger)i};
    }
    kn_capability_def jump = capability("Jump");
    jump.side = KN_SIDE_AUTHORITY_AND_LOCAL;
    jump.tags = (kn_tags){&t[1], 1};
    jump.inputs = inputs;
    jump.input_count = KN_INPUT_TRIGGER_COUNT;
    jump.contexts = &s->foot;
    jump.context_count = 1;
    jump.input = hook_of(ROW_ACTIVE_INPUT);
    jump.controller_attached = hook_of(ROW_ATTACHED);
    jump.controller_detached = hook_of(ROW_DETACHED);
    jump.bind = hook_of(ROW_BIND);
    jump.state = &count;
    jump.state_count = 1;
    jump.resets_state = true;
    ids[JUMP] = registered(s->library, &jump);

    kn_capability_def menu = jump;
    menu.name = "Menu";
    menu.side = KN_SIDE_LOCAL;
    menu.tags = (kn_tags){&t[2], 1};
    menu.initial = KN_INITIAL_BOTH;
    menu.can_tick = false;
    menu.tick = (kn_hook){0};
    menu.mirrored = true;
    menu.hears_input_always = true;
    menu.input = hook_of(ROW_INPUT);
    ids[MENU] = registered(s->library, &menu);

    kn_capability_def sink = capability("Sink");
    sink.blocked_by = (kn_tags){&t[5], 1};
    sink.effects = &s->effects[1];
    sink.effect_count = 1;
    sink.sleeps = true;
    sink.initial = KN_INITIAL_START;
    sink.message = hook_of(ROW_EARLY_MESSAGE);
    sink.messages_always = true;
    ids[SINK] = registered(s->library, &sink);
}

static void sets_register(stage *s, const kn_capability_id *ids)
{
    const kn_component_type_id shared = data_register(s, "Shared", KN_SYNC_ALL),
                               own = data_register(s, "Own", KN_SYNC_NONE);
    const kn_component_type_id both[] = {shared, own};
    static const struct {
        const char *name;
        uint32_t rate, count, members[4], data_count, data_from;
    } rows[SETS] = {
        {"Ground", 60, 3, {WALK, FLY, LOOK}, 1, 0},
        {"Fight", 20, 3, {LOOK, STUN, AIM}, 2, 0},
        {"Player", 60, 4, {RIDE, SULK, JUMP, MENU}, 1, 1},
        {"Host", 0, 4, {SINK, WALK, AIM, JUMP}, 2, 0},
        {"Mixed", 20, 4, {STUN, SINK, MENU, FLY}, 0, 0},
    };
    for (uint32_t i = 0; i < SETS; i++) {
        kn_capability_id members[4];
        kn_capability_set_def def = kn_capability_set_def_default();
        kn_error error = {0};
        for (uint32_t m = 0; m < rows[i].count; m++) {
            members[m] = ids[rows[i].members[m]];
        }
        def.name = rows[i].name;
        def.rate = rows[i].rate;
        def.capabilities = members;
        def.capability_count = rows[i].count;
        def.data = both + rows[i].data_from;
        def.data_count = rows[i].data_count;
        must(kn_capability_set_register(s->library, &def, &s->sets[i], &error) == KN_OK,
            error.message);
    }
    const kn_capability_set_id sets[] = {s->sets[4], s->sets[0], s->sets[2]};
    kn_capability_collection_def collection = kn_capability_collection_def_default();
    collection.name = "All";
    collection.sets = sets;
    collection.set_count = 3;
    must(kn_capability_collection_register(s->library, &collection, &s->collection, NULL) == KN_OK,
        "no collection");
}

static const stage *stage_of(uint32_t index)
{
    stage *s = &stages[index];
    kn_capability_id ids[CAPABILITIES];
    kn_error error = {0};
    if (s->library != NULL) {
        return s;
    }
    kn_library_def def = kn_library_def_default();
    must(kn_library_create(&def, &s->library) == KN_OK, "no library");
    must(kn_capability_register(s->library, &error) == KN_OK, error.message);
    things_register(s);
    capabilities_register(s, ids);
    sets_register(s, ids);
    s->rules = kn_capability_rules_def_default();
    s->rules.name = "Rules";
    s->rules.literal_blocks = s->rules.literal_start = s->rules.freezes_disabled = index == 1;
    s->rules.asks_twice = index == 2;
    s->rules.flip_limit = index == 2 ? 2 : s->rules.flip_limit;
    must(kn_capability_rules_register(s->library, &s->rules, &error) == KN_OK, error.message);
    must(kn_library_finish(s->library, &error) == KN_OK, error.message);
    return s;
}

// Invariants ------------------------------------------------------------------------------

typedef struct play {
    fuzz_input *in;
    kn_world *world;
    uint32_t machine; // what the world is
    uint32_t copies;
} play;

static void info_check(const play *p, kn_entity_id entity, const kn_capability_info *info)
{
    const entry *e = entry_read(p->world, entity, info->number);
    must(e != NULL, "one that lives without start_life");
    must(((e->flags & IN_SETUP) != 0) == info->is_set_up, "set up without setup");
    must(((e->flags & IN_ACTIVE) != 0) == info->is_active, "active without activated");
    must(((e->flags & IN_CONTROL) != 0) == kn_capability_is_bound(p->world, entity, info->number),
        "bound without controller_attached");
    must(info->is_set_up == info->is_allowed, "set up where it may not run");
    must(!info->is_active || info->is_set_up, "active without being set up");
    must(!info->is_active || info->is_enabled || now_on->rules.freezes_disabled,
        "active although it is disabled");
    must(info->side == KN_SIDE_OWNER_LOCAL ||
             info->is_allowed == kn_capability_runs_here(p->world, entity, info->side),
        "a side that is not followed");
    must(info->is_listed == (info->is_allowed && info->is_enabled && info->can_tick),
        "listed for no reason");
    must(kn_capability_set_number(p->world, entity, info->set) == info->set_number,
        "a capability without its set");
    must(info->is_blocked == (info->blocked_tag.index1 != 0), "blocked by nothing");
}

static void entity_check(const play *p, kn_entity_id entity, kn_capability_counts *all)
{
    kn_capability_info infos[MEMBERS_MAX];
    uint32_t count = kn_capabilities(p->world, entity, infos, MEMBERS_MAX);
    kn_capability_counts counts = kn_capability_count(p->world, entity), sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        info_check(p, entity, &infos[i]);
        must(infos[i].place == i, "a place that is not its own");
        for (uint32_t j = 0; j < i; j++) {
            must(infos[j].number != infos[i].number, "a number that is there twice");
        }
        sum.total++;
        sum.listed += infos[i].is_listed;
        sum.active += infos[i].is_active;
        sum.asleep += infos[i].is_asleep;
        sum.blocked += infos[i].is_blocked;
    }
    sum.entities = count > 0;
    must(memcmp(&sum, &counts, sizeof(sum)) == 0, "counts that do not agree");
    all->total += sum.total;
    all->listed += sum.listed;
    all->active += sum.active;
    all->asleep += sum.asleep;
    all->blocked += sum.blocked;
    all->entities += sum.entities;
}

static void world_check(const play *p)
{
    const entry *entries;
    uint32_t count;
    const books *b = books_read(p->world, &entries, &count);
    kn_capability_counts all = {0}, counts = kn_capability_count(p->world, (kn_entity_id){0});
    must(b->depth == 0, "a hook that has not returned");
    for (uint32_t i = 0; i < ENTITIES; i++) {
        if (kn_entity_is_alive(p->world, b->entities[i])) {
            entity_check(p, b->entities[i], &all);
        }
    }
    must(memcmp(&all, &counts, sizeof(all)) == 0, "counts of the world that do not agree");
    must(all.total == count, "one that has gone without end_life");
    must(kn_world_validate(p->world), "the world is not valid");
}

// Play ------------------------------------------------------------------------------------

static kn_world *world_create(const play *p)
{
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    def.library = now_on->library;
    def.is_client = p->machine == 1;
    def.is_dedicated = p->machine == 2;
    def.connection = p->machine == 2 ? 0 : 1;
    must(kn_world_create(&def, &world) == KN_OK, "no world");
    return world;
}

static void step(kn_world *world, kn_time time)
{
    kn_result result = kn_world_step(world, time);
    must(result == KN_OK, kn_result_name(result));
}

// Entities that were destroyed are replaced.
static void spawn(play *p)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        kn_entity_id entity = books_of(p->world)->entities[i];
        if (kn_entity_is_alive(p->world, entity)) {
            continue;
        }
        must(kn_entity_create(p->world, &entity) == KN_OK, "no entity");
        books_of(p->world)->entities[i] = entity;
        (void)sane(kn_entity_set_connection(p->world, entity, i < 2 ? i + 1 : 0));
        if (p->machine == 1) {
            (void)sane(kn_capability_attach(
                p->world, entity, KN_CAPABILITY_MODE_LOCAL, KN_CONTROL_AUTOMATIC));
        }
    }
}

static uint8_t *snapshot(const play *p, size_t *size)
{
    *size = kn_snapshot_size(p->world);
    uint8_t *bytes = malloc(*size);
    must(bytes != NULL && kn_snapshot_take(p->world, bytes, *size, size) == KN_OK, "no snapshot");
    return bytes;
}

static void restore(const play *p, uint8_t *bytes, size_t size, uint64_t hash)
{
    must(kn_snapshot_restore(p->world, bytes, size) == KN_OK, "not restored");
    must(kn_world_hash(p->world) == hash, "restored to another state");
    free(bytes);
}

static void save_and_load(play *p)
{
    size_t size;
    kn_error error = {0};
    must(kn_save_write(p->world, NULL, 0, &size) == KN_OK, "no size");
    uint8_t *bytes = malloc(size);
    must(bytes != NULL && kn_save_write(p->world, bytes, size, &size) == KN_OK, "no save");
    kn_world *loaded = world_create(p);
    kn_world_set_connection(loaded, kn_world_connection(p->world));
    must(kn_save_read(loaded, bytes, size, &error) == KN_OK, error.message);
    must(kn_world_hash(loaded) == kn_world_hash(p->world), "the save is another world");
    free(bytes);
    kn_time time = KN_MS(1 + take_u8(p->in));
    step(p->world, time);
    step(loaded, time);
    must(kn_world_hash(loaded) == kn_world_hash(p->world), "the loaded world went elsewhere");
    kn_world_destroy(p->world);
    p->world = loaded;
}

static void roll_back(play *p)
{
    size_t size;
    uint8_t *bytes = snapshot(p, &size);
    uint64_t before = kn_world_hash(p->world);
    kn_time time = KN_MS(1 + take_u8(p->in));
    step(p->world, time);
    uint64_t after = kn_world_hash(p->world);
    restore(p, bytes, size, before);
    step(p->world, time);
    must(kn_world_hash(p->world) == after, "made again it ends differently");
}

// While hooks and predicates change nothing, two runs switch off whatever is blocked.
static void calm_down(play *p)
{
    size_t size;
    uint8_t *bytes = snapshot(p, &size);
    uint64_t before = kn_world_hash(p->world);
    books_of(p->world)->is_calm = 1;
    for (uint32_t run = 0; run < 3; run++) {
        step(p->world, KN_MS(100));
        (void)sane(kn_capabilities_update(p->world, (kn_entity_id){0}, KN_MS(100)));
    }
    world_check(p);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        kn_capability_info infos[MEMBERS_MAX];
        uint32_t count =
            kn_capabilities(p->world, books_of(p->world)->entities[i], infos, MEMBERS_MAX);
        for (uint32_t m = 0; m < count; m++) {
            bool is_reached =
                infos[m].is_listed || (infos[m].is_enabled && !now_on->rules.literal_blocks);
            must(!infos[m].is_blocked || !infos[m].is_active || !is_reached,
                "blocked and active after its run");
        }
    }
    restore(p, bytes, size, before);
}

static void play_step(play *p)
{
    step(p->world, KN_MS(take_u8(p->in)));
}

static void play_copy(play *p)
{
    static void (*const kinds[])(play * p) = {save_and_load, roll_back, calm_down, calm_down};
    uint32_t kind = take_below(p->in, 4);
    if (p->copies++ < COPIES_MAX) {
        kinds[kind](p);
    }
}

static void play_act(play *p)
{
    chooser c = {p->world, p->in};
    kn_action_command payload = {now_on->jump, {take_bool(p->in) ? 1.0f : 0.0f, 0.0f, 0.0f}};
    kn_command command = {.type = kn_command_find(now_on->library, "Knack.Action"),
        .connection = take_below(p->in, 3),
        .entity = pick_entity(&c),
        .payload = &payload,
        .size = sizeof(payload)};
    (void)sane(kn_world_command(p->world, &command, NULL));
}

static void play_call(play *p)
{
    chooser c = {p->world, p->in};
    kn_entity_id entity = pick_entity(&c);
    do_something(&c, entity, pick_number(&c, entity));
}

static void play_connection(play *p)
{
    kn_world_set_connection(p->world, take_below(p->in, 3));
    (void)sane(kn_capabilities_refresh(p->world));
}

// Nothing is left, whichever way it ends.
static void play_end(play *p)
{
    const entry *entries;
    uint32_t count;
    books_of(p->world)->is_calm = 1;
    if (take_bool(p->in)) {
        (void)sane(kn_capabilities_shut_down(p->world));
    } else {
        for (uint32_t i = 0; i < ENTITIES; i++) {
            (void)kn_entity_destroy(p->world, books_of(p->world)->entities[i]);
        }
    }
    (void)books_read(p->world, &entries, &count);
    must(count == 0, "one that has not ended with everything");
    must(kn_capability_count(p->world, (kn_entity_id){0}).total == 0, "one that is left");
    step(p->world, KN_S(1));
    must(kn_world_validate(p->world), "the world is not valid");
}

static void play_on(play *p)
{
    static void (*const calls[])(play * p) = {play_step, play_step, play_step, play_copy, play_copy,
        play_act, play_act, play_connection, play_call, play_call, play_call, play_call, play_call,
        play_call, play_call, play_call, play_call, play_call};
    uint32_t count = 0;
    while (p->in->size > 0 && count++ < CALLS_MAX) {
        books_of(p->world)->budget = BUDGET;
        calls[take_below(p->in, sizeof(calls) / sizeof(*calls))](p);
        world_check(p);
        spawn(p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    uint32_t byte = take_u8(&in);
    play p = {.in = &in, .machine = byte / 3 % 4};
    now_on = stage_of(byte % 3);
    program_size = 1 + take_below(&in, PROGRAM_MAX);
    for (uint32_t i = 0; i < program_size; i++) {
        program[i] = (uint8_t)take_u8(&in);
    }
    p.world = world_create(&p);
    kn_world_set_moving(p.world, byte >= 128);
    must(kn_component_add(p.world, now_on->books, (kn_entity_id){0}) != NULL, "no books");
    spawn(&p);
    play_on(&p);
    play_end(&p);
    kn_world_destroy(p.world);
    return 0;
}
