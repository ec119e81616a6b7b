// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Random abilities, random inputs. The first bytes define a library of abilities whose hooks do
// what the world's random numbers choose: commit, wait, end, cancel others, grant, remove,
// destroy. The rest plays calls on a few actors. Structures are validated all the time; a step made
// again after a rollback, and a world made from a save, must end in the same state.

#include "fuzz_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABILITIES 6
#define TAGS 8
#define ACTORS 4
#define CALLS_MAX 200
#define SAVES_MAX 2
#define WHIM 0 // the stream hooks draw from

typedef struct fuzz {
    fuzz_input in;
    kn_library *library;
    kn_world *world;
    kn_world_def world_def;
    kn_tag tags[TAGS];
    kn_attribute_id mana;
    kn_attribute_set_id set;
    kn_effect_type_id buff;
    kn_ability_type_id types[ABILITIES];
    kn_entity_id actors[ACTORS];
    uint32_t saves;
} fuzz;

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_ability: %s\n", what);
        abort();
    }
}

// Hooks ---------------------------------------------------------------------

static kn_ability_type_id some_type(kn_world *world)
{
    char name[16];
    (void)snprintf(name, sizeof name, "A%u", kn_random_below(world, WHIM, ABILITIES));
    return kn_ability_type_find(kn_world_library(world), name);
}

static void wait_for_something(const kn_ability_call *call)
{
    kn_world *world = call->world;
    uint32_t kind = 1 + kn_random_below(world, WHIM, KN_TASK_KIND_COUNT - 1);
    kn_task_def def = kn_task_def_default((kn_task_kind)kind);
    def.delay = KN_MS(kn_random_below(world, WHIM, 200));
    def.interval = KN_MS(1 + kn_random_below(world, WHIM, 200));
    def.count = kn_random_below(world, WHIM, 4);
    def.tag.index1 = 1 + kn_random_below(world, WHIM, kn_tag_count(kn_world_library(world)));
    def.attribute.index1 = 1;
    def.value = (float)kn_random_below(world, WHIM, 100);
    def.effect_type.index1 = 1;
    def.repeats = kn_random_below(world, WHIM, 4) == 0;
    def.timeout = KN_MS(kn_random_below(world, WHIM, 300));
    def.animation.index1 = 1;
    def.targeting.index1 = 1;
    def.confirm = (kn_confirm)kn_random_below(world, WHIM, KN_CONFIRM_COUNT);
    def.label = kind;
    kn_task_id task;
    if (kn_random_below(world, WHIM, 8) == 0) {
        kn_result made = kn_task_create(world, call->activation, &def, &task); // and forgotten
        (void)made;
    } else {
        kn_result run = kn_task_run(world, call->activation, &def, &task);
        (void)run;
    }
}

// One call of a hook.
static void act(const kn_ability_call *call)
{
    kn_world *world = call->world;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    switch (kn_random_below(world, WHIM, 24)) {
    case 0:
    case 1: {
        kn_result paid = kn_activation_commit(world, call->activation);
        (void)paid;
        break;
    }
    case 2:
        (void)kn_activation_end(world, call->activation);
        break;
    case 3:
        (void)kn_activation_cancel(world, call->activation);
        break;
    case 4:
        (void)kn_abilities_cancel(world, call->owner, NULL);
        break;
    case 5:
        (void)kn_ability_remove(world, call->ability, KN_GRANT_AFTER_END);
        break;
    case 6:
        (void)kn_ability_remove(world, call->ability, KN_GRANT_CANCEL);
        break;
    case 7: {
        grant.type = some_type(world);
        kn_ability_id ability;
        kn_result granted = kn_ability_grant(world, call->owner, &grant, &ability);
        (void)granted;
        break;
    }
    case 8:
        (void)kn_ability_activate_type(world, call->owner, some_type(world), NULL);
        break;
    case 9:
        if (kn_random_below(world, WHIM, 8) == 0) {
            (void)kn_entity_destroy(world, call->owner);
        }
        break;
    case 10: {
        kn_tag tag = {1 + kn_random_below(world, WHIM, TAGS)};
        (void)kn_event_send(world, call->owner, tag, NULL);
        break;
    }
    case 11: {
        kn_effect_type_id buff = {1};
        (void)kn_activation_apply(world, call->activation, buff, call->owner, NULL);
        break;
    }
    case 12: {
        kn_tag tag = {1 + kn_random_below(world, WHIM, TAGS)};
        kn_cue_params params = kn_cue_params_default();
        params.activation = call->activation;
        (void)kn_cue_add(world, call->owner, tag, &params);
        break;
    }
    case 13:
        (void)kn_activation_set_cancelable(
            world, call->activation, kn_random_below(world, WHIM, 2) == 0);
        break;
    case 14: {
        kn_ability_id ability = call->ability;
        (void)kn_ability_set_level(world, &ability, (float)kn_random_below(world, WHIM, 5));
        break;
    }
    default:
        wait_for_something(call);
        break;
    }
}

static kn_result activate(const kn_ability_call *call)
{
    uint32_t deeds = kn_random_below(call->world, WHIM, 4);
    for (uint32_t i = 0; i < deeds; i++) {
        act(call);
    }
    return kn_random_below(call->world, WHIM, 16) == 0 ? KN_REFUSED_CUSTOM : KN_OK;
}

static void task_done(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    act(call);
}

static void ended(const kn_ability_call *call, kn_end_reason reason)
{
    (void)reason;
    if (kn_random_below(call->world, WHIM, 3) == 0) {
        act(call);
    }
}

static void plain_hook(const kn_ability_call *call)
{
    if (kn_random_below(call->world, WHIM, 6) == 0) {
        act(call);
    }
}

static bool find_owner(const kn_targeting_call *call, kn_target_data *out)
{
    kn_target_entity record = {call->owner};
    return kn_target_add(kn_world_library(call->world), out, kn_target_type_entity(), &record) ==
           KN_OK;
}

// The library ---------------------------------------------------------------

static void declare_basics(fuzz *f)
{
    for (uint32_t i = 0; i < TAGS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, i < 4 ? "T%u" : "T0.S%u", i);
        kn_tag_def def = kn_tag_def_default();
        def.name = name;
        must(kn_tag_register(f->library, &def, &f->tags[i], NULL) == KN_OK, "tag");
    }
    kn_attribute_def mana = kn_attribute_def_default();
    mana.name = "Mana";
    mana.default_value = 100.0f;
    mana.base_min = kn_limit_constant(0.0f);
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "S";
    set.attributes = &mana;
    set.attribute_count = 1;
    must(kn_attribute_set_register(f->library, &set, &f->set, NULL) == KN_OK, "set");
    f->mana = kn_attribute_find(f->library, "S.Mana");
    kn_name ability_name;
    must(kn_name_register(f->library, "A0", &ability_name, NULL) == KN_OK, "name");
    kn_grant_def granted = {.ability = ability_name, .level = kn_constant(1.0f), .input = -1};
    granted.removal = (kn_grant_removal)take_below(&f->in, 3);
    granted.follow_inhibition = (kn_grant_follow)take_below(&f->in, KN_GRANT_FOLLOW_COUNT);
    kn_modifier_def drain = kn_modifier_constant(f->mana, KN_OP_ADD, -3.0f);
    kn_effect_def buff = kn_effect_def_default();
    buff.name = "Buff";
    buff.duration_kind = KN_DURATION_TIMED;
    buff.duration = kn_magnitude_constant(0.3f);
    buff.modifiers = &drain;
    buff.modifier_count = 1;
    buff.granted_tags = (kn_tags){&f->tags[take_below(&f->in, TAGS)], 1};
    kn_tag off = f->tags[take_below(&f->in, TAGS)];
    if (!kn_tag_matches(f->library, buff.granted_tags.data[0], off)) { // it would switch itself off
        buff.ongoing.target.ignored = (kn_tags){&off, 1};
    }
    buff.blocked_ability_tags = (kn_tags){&f->tags[take_below(&f->in, TAGS)], 1};
    buff.grants = &granted;
    buff.grant_count = take_below(&f->in, 2);
    must(kn_effect_register(f->library, &buff, &f->buff, NULL) == KN_OK, "effect");
    kn_notify_def notify = {0.05f, f->tags[0]};
    kn_animation_def animation = kn_animation_def_default();
    animation.name = "Wave";
    animation.length = 0.2f;
    animation.blend_out = 0.05f;
    animation.notifies = &notify;
    animation.notify_count = 1;
    kn_animation_id animation_id;
    must(kn_animation_register(f->library, &animation, &animation_id, NULL) == KN_OK, "animation");
    kn_targeting_def targeting = kn_targeting_def_default();
    targeting.name = "Owner";
    targeting.shape = KN_SHAPE_CUSTOM;
    targeting.find = find_owner;
    kn_targeting_id targeting_id;
    must(kn_targeting_register(f->library, &targeting, &targeting_id, NULL) == KN_OK, "targeting");
}

static kn_tags some_tags(fuzz *f)
{
    kn_tags tags = {&f->tags[take_below(&f->in, TAGS)], take_rarely(&f->in, 3) ? 1u : 0u};
    return tags;
}

// Data in place of functions.
static void take_body(fuzz *f, kn_ability_def *def, kn_ability_apply_def *applies)
{
    fuzz_input *in = &f->in;
    bool is_use = def->instancing == KN_INSTANCING_NONE;
    def->activate = NULL;
    def->body = is_use ? KN_BODY_USE : (kn_ability_body)(1 + take_below(in, KN_BODY_COUNT - 1));
    def->lasts = kn_constant(def->body == KN_BODY_TIMED ? 0.05f : 0.0f);
    def->applies = applies;
    def->apply_count = 1 + take_below(in, 2);
    for (uint32_t i = 0; i < def->apply_count; i++) {
        applies[i] = (kn_ability_apply_def){.effect = f->buff,
            .to = (kn_apply_to)take_below(in, KN_APPLY_TO_TARGETING),
            .while_active = def->body != KN_BODY_USE && take_bool(in)};
    }
}

static void declare_ability(fuzz *f, uint32_t index)
{
    fuzz_input *in = &f->in;
    char name[16];
    (void)snprintf(name, sizeof name, "A%u", index);
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant((float)take_below(in, 60))};
    cost.up_to = take_rarely(in, 4);
    kn_cooldown_def cooldown = kn_cooldown_seconds((float)take_below(in, 20) * 0.05f);
    cooldown.key = take_bool(in) ? f->tags[take_below(in, TAGS)] : (kn_tag){0};
    cooldown.charges = kn_constant((float)take_below(in, 4));
    cooldown.spacing = kn_constant(take_rarely(in, 3) ? 0.05f : 0.0f);
    cooldown.restart_on_use = take_rarely(in, 4);
    cooldown.all_after_idle = take_rarely(in, 4);
    kn_trigger_def trigger = {f->tags[take_below(in, TAGS)],
        (kn_trigger_source)take_below(in, KN_TRIGGER_SOURCE_COUNT), (int32_t)take_below(in, 3)};
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.tags = (kn_tags){&f->tags[take_below(in, TAGS)], 1};
    def.cancel_with = some_tags(f);
    def.block_with = some_tags(f);
    def.owned_tags = some_tags(f);
    def.activation.required = some_tags(f);
    def.activation.ignored = some_tags(f);
    def.costs = &cost;
    def.cost_count = take_below(in, 2);
    def.cooldowns = &cooldown;
    def.cooldown_count = take_below(in, 2);
    def.commit = take_rarely(in, 3) ? KN_COMMIT_AT_USE : KN_COMMIT_EXPLICIT;
    def.triggers = &trigger;
    def.trigger_count = take_below(in, 2);
    def.instancing = (kn_instancing)take_below(in, 3);
    def.activates_on_grant = take_rarely(in, 4);
    def.retriggers = take_rarely(in, 3);
    def.level_up = take_rarely(in, 3) ? KN_LEVEL_UP_REGRANT : KN_LEVEL_UP_RAISE;
    def.input = take_below(in, 4);
    def.state_size = def.instancing == KN_INSTANCING_NONE ? 0 : take_below(in, 40);
    const kn_field state[] = {KN_FIELD_INIT("flag", KN_FIELD_BOOL, 0, 1),
        KN_FIELD_INIT("rest", KN_FIELD_U8, 1, def.state_size - 1)};
    if (def.state_size > 1 && def.state_size % 2 == 0) { // the others are plain bytes
        def.state_fields = state;
        def.state_field_count = 2;
    }
    def.activate = activate;
    def.task_done = task_done;
    def.ended = ended;
    def.pre_activate = take_rarely(in, 3) ? plain_hook : NULL;
    def.granted = take_rarely(in, 4) ? plain_hook : NULL;
    def.removed = take_rarely(in, 4) ? plain_hook : NULL;
    def.input_pressed = take_rarely(in, 3) ? plain_hook : NULL;
    kn_ability_apply_def applies[2];
    if (take_rarely(in, 3)) {
        take_body(f, &def, applies);
    }
    must(kn_ability_register(f->library, &def, &f->types[index], NULL) == KN_OK, "ability");
}

static void say_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static void begin(fuzz *f)
{
    kn_library_def library = kn_library_def_default();
    library.hooks.log_fn = say_nothing;
    must(kn_library_create(&library, &f->library) == KN_OK, "library");
    declare_basics(f);
    for (uint32_t i = 0; i < ABILITIES; i++) {
        declare_ability(f, i);
    }
    must(kn_library_finish(f->library, NULL) == KN_OK, "finish");
    f->world_def = kn_world_def_default();
    f->world_def.library = f->library;
    f->world_def.hooks.log_fn = say_nothing;
    f->world_def.seed = take_u8(&f->in);
    f->world_def.chain_limit = 12;
    f->world_def.reaction_limit = 200;
    f->world_def.task_limit = 64;
    must(kn_world_create(&f->world_def, &f->world) == KN_OK, "world");
}

// Calls ---------------------------------------------------------------------

static kn_entity_id actor(fuzz *f)
{
    kn_entity_id *place = &f->actors[take_below(&f->in, ACTORS)];
    if (!kn_entity_is_alive(f->world, *place) && take_bool(&f->in)) {
        must(kn_entity_create(f->world, place) == KN_OK, "entity");
        must(kn_attribute_set_add(f->world, *place, f->set, 0) == KN_OK, "set of entity");
        (void)kn_input_bind(f->world, *place, 1, 2);
    }
    return *place;
}

static kn_ability_id ability_of(fuzz *f, kn_entity_id entity)
{
    kn_ability_id ids[8] = {{0, 0}};
    uint32_t count = kn_abilities_find(f->world, entity, NULL, ids, 8);
    return count == 0 ? ids[0] : ids[take_below(&f->in, count < 8 ? count : 8)];
}

// Steps, goes back and steps again: the same must come out.
static void step_twice(fuzz *f, kn_time dt)
{
    size_t size = kn_snapshot_size(f->world), written = 0;
    void *snapshot = malloc(size);
    must(snapshot != NULL && kn_snapshot_take(f->world, snapshot, size, &written) == KN_OK,
        "snapshot");
    must(kn_world_step(f->world, dt) == KN_OK, "step");
    uint64_t hash = kn_world_hash(f->world);
    must(kn_snapshot_restore(f->world, snapshot, written) == KN_OK, "restore");
    must(kn_world_validate(f->world), "validation after a restore");
    must(kn_world_step(f->world, dt) == KN_OK, "step again");
    must(kn_world_hash(f->world) == hash, "a repeated step ends in another state");
    free(snapshot);
}

// Two worlds in the same state, whose random numbers are the same too.
static void must_agree(const fuzz *f, const kn_world *a, const kn_world *b, const char *what)
{
    must(kn_world_hash(a) == kn_world_hash(b), what);
    for (uint32_t i = 0; i < ACTORS; i++) {
        kn_activation_id running[16];
        uint32_t count = kn_activations(a, f->actors[i], running, 16);
        for (uint32_t r = 0; r < count && r < 16; r++) {
            must(kn_activation_seed(a, running[r]) == kn_activation_seed(b, running[r]), what);
            for (uint32_t s = 0; s < r; s++) {
                must(kn_activation_seed(a, running[r]) != kn_activation_seed(a, running[s]),
                    "two activations have one seed");
            }
        }
    }
}

// What a host may call after a step, the same in both worlds.
static void call_both(const fuzz *f, kn_world *a, kn_world *b)
{
    kn_world *worlds[2] = {a, b};
    for (uint32_t w = 0; w < 2; w++) {
        for (uint32_t i = 0; i < ACTORS; i++) {
            (void)kn_event_send(worlds[w], f->actors[i], f->tags[i % TAGS], NULL);
            (void)kn_input_press(worlds[w], f->actors[i], 1 + i % 4);
        }
        (void)kn_random_u32(worlds[w], 0);
    }
}

// A world loaded from a save must continue like the one that was saved, whatever seed it began
// with.
static void save_and_load(fuzz *f)
{
    size_t size;
    must(kn_save_write(f->world, NULL, 0, &size) == KN_OK, "size of a save");
    void *save = malloc(size);
    must(save != NULL && kn_save_write(f->world, save, size, &size) == KN_OK, "save");
    kn_world *copy;
    kn_error error;
    kn_world_def def = f->world_def;
    def.seed++;
    must(kn_world_create(&def, &copy) == KN_OK, "second world");
    if (kn_save_read(copy, save, size, &error) != KN_OK) {
        fprintf(stderr, "%s\n", error.message);
        must(false, "load");
    }
    must(kn_world_validate(copy), "validation after a load");
    must_agree(f, copy, f->world, "a save loads into another state");
    call_both(f, copy, f->world);
    must_agree(f, copy, f->world, "a loaded world answers otherwise");
    must(kn_world_step(copy, KN_MS(50)) == KN_OK, "step of the copy");
    must(kn_world_step(f->world, KN_MS(50)) == KN_OK, "step");
    must_agree(f, copy, f->world, "a loaded world goes another way");
    kn_world_destroy(copy);
    free(save);
}

// Takes no bytes, so that old inputs keep their meaning.
static void block_or_unblock(fuzz *f, kn_entity_id entity)
{
    size_t whim = f->in.size;
    kn_tags tags = {&f->tags[whim % TAGS], 1};
    kn_entity_id source = whim % 5 == 0 ? (kn_entity_id){0} : f->actors[whim / 2 % ACTORS];
    (void)(whim / 8 % 3 == 0 ? kn_abilities_unblock(f->world, entity, tags, source, whim % 2)
                             : kn_abilities_block(f->world, entity, tags, source, whim % 2));
}

static void call(fuzz *f)
{
    kn_world *world = f->world;
    kn_entity_id entity = actor(f);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    switch (take_below(&f->in, 19)) {
    case 0:
    case 1: {
        grant.type = f->types[take_below(&f->in, ABILITIES)];
        grant.level = (float)take_below(&f->in, 4);
        grant.share = take_rarely(&f->in, 3);
        kn_ability_id ability;
        kn_result result = kn_ability_grant(world, entity, &grant, &ability);
        (void)result;
        break;
    }
    case 2: {
        grant.type = f->types[take_below(&f->in, ABILITIES)];
        kn_ability_id ability;
        kn_result result = kn_ability_grant_once(world, entity, &grant, NULL, &ability);
        (void)result;
        break;
    }
    case 3:
    case 4:
        (void)kn_ability_activate(world, ability_of(f, entity), NULL, NULL);
        break;
    case 5:
        (void)kn_input_press(world, entity, 1 + take_below(&f->in, 4));
        break;
    case 6:
        (void)kn_input_release(world, entity, 1 + take_below(&f->in, 4));
        break;
    case 7:
        (void)kn_ability_remove(
            world, ability_of(f, entity), (kn_grant_removal)take_below(&f->in, 3));
        break;
    case 8:
        (void)kn_abilities_cancel(world, entity, NULL);
        block_or_unblock(f, entity);
        break;
    case 9: {
        kn_tag tag = f->tags[take_below(&f->in, TAGS)];
        kn_tag_origin origin = take_bool(&f->in) ? KN_TAG_ORIGIN_LOOSE : KN_TAG_ORIGIN_ABILITY;
        uint32_t count = take_rarely(&f->in, 4) ? UINT16_MAX : 1;
        (void)kn_entity_add_tag(world, entity, tag, origin, count);
        break;
    }
    case 10: {
        kn_tag tag = f->tags[take_below(&f->in, TAGS)];
        kn_tag_origin origin = take_bool(&f->in) ? KN_TAG_ORIGIN_LOOSE : KN_TAG_ORIGIN_ABILITY;
        (void)kn_entity_remove_tag(world, entity, tag, origin, 1);
        break;
    }
    case 11:
        (void)kn_event_send(world, entity, f->tags[take_below(&f->in, TAGS)], NULL);
        break;
    case 17:
        (void)kn_entity_set_parent(
            world, entity, take_bool(&f->in) ? f->actors[take_below(&f->in, ACTORS)] : entity);
        break;
    case 12:
        (void)kn_effect_apply_simple(world, f->buff, entity, entity, 1.0f, NULL);
        break;
    case 13:
        (void)kn_attribute_set_base(world, entity, f->mana, 0, take_float(&f->in));
        break;
    case 14:
        (void)kn_ability_add_charges(
            world, ability_of(f, entity), (kn_tag){0}, (int32_t)take_below(&f->in, 5) - 2);
        break;
    case 15:
        if (take_rarely(&f->in, 6)) {
            (void)kn_entity_destroy(world, entity);
        } else {
            must(kn_targeting_step(world, KN_MS(take_u8(&f->in))) == KN_OK, "targeting");
        }
        break;
    case 16:
        if (f->saves++ < SAVES_MAX) {
            save_and_load(f);
        }
        break;
    default:
        step_twice(f, KN_MS(take_u8(&f->in)));
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz *f = calloc(1, sizeof *f);
    must(f != NULL, "memory");
    f->in = (fuzz_input){data, size};
    begin(f);
    for (uint32_t i = 0; i < CALLS_MAX && f->in.size > 0; i++) {
        call(f);
        must(kn_world_validate(f->world), "validation");
    }
    step_twice(f, KN_S(1));
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}
