// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Damaged saves. The first byte picks a scene, the second how far it has come and who reads it; the
// rest are edits of its save. Most of the time the checksum is mended afterwards. A save that is
// refused leaves the world as it was; one that is accepted gives a valid world that continues and
// saves the same again.

#include "fuzz_edit.h"
#include "scenes/scene_tools.h"

#include <stdio.h>

#define MOMENTS 3
#define EDITS_MAX 32
#define HEADER_SIZE 24 // mark, version, length, checksum

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_save: %s\n", what);
        abort();
    }
}

// A scene of its own: states with fields and bodies that wait -------------

typedef struct memo {
    kn_entity_id who;
    kn_tag mark;
    uint32_t hits;
    kn_effect_type_id cause;
    int mood;
} memo;

static const kn_field memo_fields[] = {
    KN_FIELD_INIT("who", KN_FIELD_ENTITY, offsetof(memo, who), 1),
    KN_FIELD_INIT("mark", KN_FIELD_TAG, offsetof(memo, mark), 1),
    KN_FIELD_INIT("hits", KN_FIELD_U32, offsetof(memo, hits), 1),
    KN_FIELD_TO(memo, cause, "effect"),
    KN_FIELD_WORDS(memo, mood, "calm angry"),
};

// The same after some work on the game: another order, one is gone, one is new.
static const kn_field memo_fields_later[] = {
    KN_FIELD_INIT("fresh", KN_FIELD_U16, 0, 2),
    KN_FIELD_INIT("mark", KN_FIELD_TAG, 4, 1),
    KN_FIELD_INIT("who", KN_FIELD_ENTITY, 8, 1),
    {.name = "mood", .kind = KN_FIELD_ENUM, .offset = 16, .words = "angry glad calm"},
    {.name = "cause", .kind = KN_FIELD_REF, .offset = 20, .refers_to = "effect"},
};

typedef struct memo_layout {
    const kn_field *fields; // NULL: plain bytes
    uint32_t count;
} memo_layout;

static void memo_fill(const kn_world *world, void *state, kn_entity_id who)
{
    memo filled = {.who = who, .mark = rule_tag(world, "State.Ward"), .hits = 3, .mood = 1};
    filled.cause = kn_effect_type_find(kn_world_library(world), "Ward");
    memcpy(state, &filled, sizeof(filled));
}

static void ward_applied(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    memo_fill(world, state, kn_spec_view_target(spec));
}

static void watch_start(const kn_task_call *call)
{
    memo_fill(call->world, kn_task_state(call->world, call->task), call->owner);
    kn_tag ward = rule_tag(call->world, "State.Ward");
    must(kn_task_watch(call->world, call->task, call->owner, KN_TRIGGER_TAG_REMOVED, ward.index1) ==
             KN_OK,
        "no watch");
}

static kn_result keep_activate(const kn_ability_call *call)
{
    memo_fill(call->world, kn_activation_state(call->world, call->activation), call->owner);
    kn_task_def task = kn_task_def_default(KN_TASK_CUSTOM);
    task.type = kn_task_type_find(kn_world_library(call->world), "Watch");
    return kn_task_run(call->world, call->activation, &task, NULL);
}

static void bodies_keep(
    scene_builder *builder, const char *name, kn_instancing instancing, memo_layout layout)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.instancing = instancing;
    def.state_size = sizeof(memo);
    def.state_fields = layout.fields;
    def.state_field_count = layout.count;
    def.activate = keep_activate;
    kn_ability_type_id type;
    scene_note(builder, kn_ability_register(builder->library, &def, &type, &builder->error));
}

static void bodies_body(scene_builder *builder, const char *name, kn_ability_body body)
{
    kn_ability_apply_def applies[2] = {
        {.effect = kn_effect_type_find(builder->library, "Ward"), .while_active = true},
        {.effect = kn_effect_type_find(builder->library, "Brief")}};
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.body = body;
    def.applies = applies;
    def.apply_count = 2;
    def.lasts = kn_constant(body == KN_BODY_TIMED ? 0.9f : 0.0f);
    def.input = 1;
    kn_ability_type_id type;
    scene_note(builder, kn_ability_register(builder->library, &def, &type, &builder->error));
}

static void bodies_states(scene_builder *builder, memo_layout layout)
{
    kn_component_def note = kn_component_def_default();
    note.name = "Note";
    note.size = sizeof(memo);
    note.fields = layout.fields != NULL ? layout.fields : memo_fields;
    note.field_count = layout.fields != NULL ? layout.count : COUNT_OF(memo_fields);
    kn_component_type_id component;
    scene_note(
        builder, kn_component_register(builder->library, &note, &component, &builder->error));
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Ward";
    logic.state_size = sizeof(memo);
    logic.state_fields = layout.fields;
    logic.state_field_count = layout.count;
    logic.applied = ward_applied;
    kn_effect_def ward = scene_effect_def("Ward", KN_DURATION_INFINITE, 0.0f);
    kn_tag tag = scene_tag(builder, "State.Ward");
    ward.granted_tags = ONE_TAG(tag);
    scene_note(
        builder, kn_effect_logic_register(builder->library, &logic, &ward.logic, &builder->error));
    (void)scene_effect(builder, &ward);
    kn_task_type_def watch = kn_task_type_def_default();
    watch.name = "Watch";
    watch.state_size = sizeof(memo);
    watch.state_fields = layout.fields;
    watch.state_field_count = layout.count;
    watch.start = watch_start;
    kn_task_type_id task;
    scene_note(builder, kn_task_type_register(builder->library, &watch, &task, &builder->error));
}

static void bodies_declare_with(scene_builder *builder, memo_layout layout, bool is_later)
{
    if (is_later) {
        (void)scene_tag(builder, "A.First"); // all numbers are others
    }
    kn_attribute_def health = scene_attribute("Health", 100.0f);
    (void)scene_set(builder, "Unit", &health, 1, NULL);
    bodies_states(builder, layout);
    kn_effect_def brief = scene_effect_def("Brief", KN_DURATION_TIMED, 1.0f);
    (void)scene_effect(builder, &brief);
    bodies_keep(builder, "Keep", KN_INSTANCING_PER_ACTOR, layout);
    bodies_keep(builder, "Run", KN_INSTANCING_PER_EXECUTION, layout);
    bodies_body(builder, "Timed", is_later ? KN_BODY_STAY : KN_BODY_TIMED);
    bodies_body(builder, "Held", is_later ? KN_BODY_TIMED : KN_BODY_HELD);
    bodies_body(builder, "Effects", is_later ? KN_BODY_HELD : KN_BODY_EFFECTS);
    bodies_body(builder, "Stay", is_later ? KN_BODY_EFFECTS : KN_BODY_STAY);
}

static void bodies_declare(scene_builder *builder)
{
    bodies_declare_with(builder, (memo_layout){memo_fields, COUNT_OF(memo_fields)}, false);
}

static void bodies_declare_later(scene_builder *builder)
{
    bodies_declare_with(
        builder, (memo_layout){memo_fields_later, COUNT_OF(memo_fields_later)}, true);
}

static void bodies_declare_plain(scene_builder *builder)
{
    bodies_declare_with(builder, (memo_layout){NULL, 0}, false);
}

static void bodies_populate(scene_stage *stage)
{
    static const char *const names[] = {"Keep", "Run", "Timed", "Effects", "Stay", "Held"};
    kn_entity_id actor = scene_actor(stage, "Unit");
    void *note = kn_component_add(stage->world, kn_component_find(stage->library, "Note"), actor);
    must(note != NULL, "no component");
    memo_fill(stage->world, note, actor);
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = kn_ability_type_find(stage->library, names[i]);
        kn_ability_id ability;
        scene_act(stage, kn_ability_grant(stage->world, actor, &grant, &ability));
        if (i + 1 < COUNT_OF(names)) {
            scene_act(stage, kn_ability_activate(stage->world, ability, NULL, NULL));
        }
    }
    scene_act(stage, kn_input_press(stage->world, actor, 1));
}

static const scene_info bodies = {
    .name = "bodies", .declare = bodies_declare, .populate = bodies_populate, .seconds = 2};
static const scene_info bodies_later = {.name = "bodies later", .declare = bodies_declare_later};
// Writes what has no names yet; read by one that has.
static const scene_info bodies_plain = {
    .name = "bodies plain", .declare = bodies_declare_plain, .populate = bodies_populate};

// Subjects ------------------------------------------------------------------

#define SUBJECTS_OWN 2

// What is made once for each scene.
typedef struct subject {
    kn_library *library;
    kn_library *reader; // another that reads some of its saves
    fuzz_block saves[MOMENTS];
} subject;

static fuzz_block write_save(const kn_world *world)
{
    fuzz_block save = {0};
    must(kn_save_write(world, NULL, 0, &save.size) == KN_OK, "no size");
    save.data = malloc(save.size);
    must(save.data != NULL, "no memory");
    must(kn_save_write(world, save.data, save.size, &save.size) == KN_OK, "no save");
    return save;
}

static kn_world *new_world(const kn_library *library)
{
    kn_world *world;
    must(scene_create_empty_world(library, NULL, &world) == KN_OK, "no world");
    return world;
}

static void check_accepted(const kn_library *library, kn_world *world)
{
    must(kn_world_validate(world), "an accepted save gives a world that is not valid");
    fuzz_block again = write_save(world);
    kn_world *copy = new_world(library);
    kn_error error = {0};
    if (kn_save_read(copy, again.data, again.size, &error) != KN_OK) {
        must(false, error.message);
    }
    must(kn_world_hash(copy) == kn_world_hash(world), "saved again it is another world");
    kn_world_destroy(copy);
    free(again.data);
    must(kn_world_step(world, KN_US(100)) == KN_OK, "the loaded world does not step");
    must(kn_world_validate(world), "the loaded world is not valid after a step");
}

static kn_library *new_library(const scene_info *scene)
{
    kn_library *library;
    kn_error error = {0};
    if (scene_create_library(scene, NULL, &library, &error) != KN_OK) {
        must(false, error.message);
    }
    return library;
}

static const subject *subject_of(uint32_t index)
{
    static subject subjects[16];
    subject *found = &subjects[index];
    if (found->library == NULL) {
        bool is_plain = index > scene_count;
        const scene_info *own = is_plain ? &bodies_plain : &bodies;
        const scene_info *scene = index < scene_count ? scene_list[index] : own;
        found->library = new_library(scene);
        found->reader = found->library;
        if (index >= scene_count) {
            found->reader = new_library(is_plain ? &bodies : &bodies_later);
        }
        kn_world *world = new_world(found->library);
        for (uint32_t i = 0; i < MOMENTS; i++) {
            found->saves[i] = write_save(world); // the first one of an empty world
            must(i > 0 || scene_populate(scene, world) == KN_OK, "no actors");
            must(kn_world_step(world, KN_MS(700)) == KN_OK, "no step");
        }
        kn_world_destroy(world);
        for (uint32_t i = 0; i < MOMENTS; i++) {
            kn_error error = {0};
            kn_world *read = new_world(found->reader);
            if (kn_save_read(read, found->saves[i].data, found->saves[i].size, &error) != KN_OK) {
                must(false, error.message);
            }
            check_accepted(found->reader, read);
            kn_world_destroy(read);
        }
    }
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const subject *scene = subject_of(take_below(&input, scene_count + SUBJECTS_OWN));
    uint32_t choice = take_u8(&input);
    const kn_library *library = choice / MOMENTS % 2 == 0 ? scene->library : scene->reader;
    const fuzz_block *good = &scene->saves[choice % MOMENTS];
    size_t room = good->size * 2;
    fuzz_block save = {malloc(room), good->size};
    must(save.data != NULL, "no memory");
    memcpy(save.data, good->data, good->size);
    for (uint32_t i = 0; i < EDITS_MAX && input.size > 0; i++) {
        fuzz_edit(&save, room, &input);
    }
    if (choice < 240 && save.size >= HEADER_SIZE) {
        store_u64(save.data + 8, save.size);
        store_u64(save.data + 16, checksum(0, save.data + HEADER_SIZE, save.size - HEADER_SIZE));
    }

    // A block of its own size, so that reading behind the end is noticed.
    uint8_t *exact = malloc(save.size > 0 ? save.size : 1);
    must(exact != NULL, "no memory");
    memcpy(exact, save.data, save.size);
    kn_world *world = new_world(library);
    uint64_t before = kn_world_hash(world);
    kn_error error;
    if (kn_save_read(world, exact, save.size, &error) == KN_OK) {
        check_accepted(library, world);
    } else {
        must(kn_world_hash(world) == before, "a refused save changed the world");
    }
    kn_world_destroy(world);
    free(exact);
    free(save.data);
    return 0;
}
