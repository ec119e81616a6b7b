// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Capabilities that present as designers write them: in data files, with functions in Lua that can
// only read.

#include "group.h"

#include "knack/capability_presenter.h"
#include "knack/data.h"
#include "knack/script.h"

#include <stdio.h>
#include <string.h>

#define expect_ok(call) assert_int_equal(call, KN_OK)
#define EXPECT_PRINTED(text)                                                                       \
    do {                                                                                           \
        assert_string_equal(printed, text);                                                        \
        printed[0] = 0;                                                                            \
    } while (0)

static char printed[1024];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s;", entry->message);
}

static const char script[] =
    "capability 'Dust' {\n"
    "  setup = function(self) print('setup', self.name) end,\n"
    "  should_activate = function(self)\n"
    "    return self.entity:has_tag('State.Running') and self.entity:get('Body', 'speed') > 3\n"
    "  end,\n"
    "  should_deactivate = function(self) return not self.entity:has_tag('State.Running') end,\n"
    "  activated = function(self, args) print('on', args.number, args.set_number) end,\n"
    "  tick = function(self, args) print('dust', args.dt, self.entity:get('Body', 'speed')) end,\n"
    "  deactivated = function() print('off') end,\n"
    "}\n"
    "capability 'Vandal' {\n"
    "  should_activate = function() return true end,\n"
    "  tick = function(self) self.entity:add_tag('State.Running') print('unreached') end,\n"
    "}\n"
    "capability 'Greedy' {input = function() end}\n";

static const char content[] =
    "kits: [capability]\n"
    "tags: [State.Running]\n"
    "components: {Body: {fields: {speed: f32}}}\n"
    "capabilities:\n"
    "  Run: {when: {required: [State.Running]}}\n"
    "  Dust: {script: Dust, presents: true, side: clients, initial: both, interval: 0.1}\n"
    "capability_sets:\n"
    "  Hero: {capabilities: [Run, Dust], data: [Body], rate: 10}\n";

static kn_data *data_of(kn_script_loader *loader, const char *yaml)
{
    static const kn_kit kits[] = {{"capability", kn_capability_register}};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    def.kits = kits;
    def.kit_count = 1;
    def.warn = false;
    def.scripts = kn_script_loader_scripts(loader);
    expect_ok(kn_data_create(&def, &data));
    expect_ok(kn_data_add_text(data, "hooks.lua", script, strlen(script)));
    expect_ok(kn_data_add_text(data, "show.yaml", yaml, strlen(yaml)));
    return data;
}

static kn_script_loader *loader_create(void)
{
    kn_script_def def = kn_script_def_default();
    kn_script_loader *loader;
    def.hooks.log_fn = log_line;
    expect_ok(kn_script_loader_create(&def, &loader));
    return loader;
}

typedef struct stage {
    kn_script_loader *loader;
    kn_data *data;
    kn_library *library;
    kn_world *world;
    kn_entity_id hero;
    kn_capability_presenter *presenter;
} stage;

static stage stage_begin(const char *yaml)
{
    stage s = {.loader = loader_create()};
    printed[0] = 0;
    s.data = data_of(s.loader, yaml);
    kn_result result = kn_data_build(s.data, &s.library);
    for (uint32_t i = 0; i < kn_data_message_count(s.data); i++) {
        print_error("%s\n", kn_data_message_at(s.data, i).text);
    }
    expect_ok(result);
    kn_world_def world_def = kn_world_def_default();
    kn_capability_presenter_def def = kn_capability_presenter_def_default();
    world_def.library = def.library = s.library;
    expect_ok(kn_world_create(&world_def, &s.world));
    expect_ok(kn_entity_create(s.world, &s.hero));
    expect_ok(
        kn_capability_set_add(s.world, s.hero, kn_capability_set_find(s.library, "Hero"), NULL));
    expect_ok(kn_capability_presenter_create(&def, &s.presenter));
    return s;
}

static void stage_end(const stage *s)
{
    kn_capability_presenter_destroy(s->presenter);
    assert_true(kn_world_validate(s->world));
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    kn_data_destroy(s->data);
    kn_script_loader_destroy(s->loader);
}

static void show(const stage *s, int ms)
{
    uint64_t hash = kn_world_hash(s->world);
    expect_ok(kn_capability_present(s->presenter, s->world, KN_MS(ms)));
    assert_int_equal(kn_world_hash(s->world), hash);
}

// CAP-003, CAP-050
static void lua_presents_what_it_reads(void **state)
{
    (void)state;
    stage s = stage_begin(content);
    kn_tag running = kn_tag_find(s.library, "State.Running");
    kn_component_type_id body = kn_component_find(s.library, "Body");
    expect_ok(kn_world_step(s.world, KN_MS(100)));
    show(&s, 50);
    EXPECT_PRINTED("setup\tDust;");
    expect_ok(kn_entity_add_tag(s.world, s.hero, running, KN_TAG_ORIGIN_LOOSE, 1));
    *(float *)kn_component_get(s.world, body, s.hero) = 4.5f;
    show(&s, 50);
    EXPECT_PRINTED("");
    show(&s, 50);
    EXPECT_PRINTED("on\t2\t1;dust\t0.1\t4.5;");
    expect_ok(kn_world_step(s.world, KN_MS(100)));
    EXPECT_PRINTED(""); // the world does nothing with it
    expect_ok(kn_entity_remove_tag(s.world, s.hero, running, KN_TAG_ORIGIN_LOOSE, 1));
    show(&s, 250);
    EXPECT_PRINTED("off;");
    stage_end(&s);
}

static void lua_cannot_change_the_world(void **state)
{
    (void)state;
    stage s = stage_begin("kits: [capability]\n"
                          "tags: [State.Running]\n"
                          "capabilities: {Vandal: {script: Vandal, presents: true}}\n"
                          "capability_sets: {Hero: {capabilities: [Vandal]}}\n");
    show(&s, 10);
    EXPECT_PRINTED("");
    for (int i = 0; i < 2; i++) {
        show(&s, 10);
        if (strstr(printed, "`add_tag` changes the world, but this call may only read") == NULL ||
            strstr(printed, "unreached") != NULL) {
            fail_msg("%s", printed);
        }
    }
    assert_false(kn_entity_has_tag(s.world, s.hero, kn_tag_find(s.library, "State.Running")));
    assert_int_equal(kn_world_events(s.world).count, 0);
    stage_end(&s);
}

// The platformer raises dust where somebody runs on the ground.
static void content_has_something_to_present(void **state)
{
    static const kn_kit kit = {"capability", kn_capability_register};
    (void)state;
    stage s = {.loader = loader_create()};
    kn_data_def data_def = kn_data_def_default();
    data_def.kits = &kit;
    data_def.kit_count = 1;
    data_def.scripts = kn_script_loader_scripts(s.loader);
    expect_ok(kn_data_create(&data_def, &s.data));
    expect_ok(kn_data_add_folder(s.data, CAPABILITY_DOCS "/../content/platformer"));
    expect_ok(kn_data_build(s.data, &s.library));
    kn_world_def world_def = kn_world_def_default();
    kn_capability_presenter_def def = kn_capability_presenter_def_default();
    world_def.library = def.library = s.library;
    expect_ok(kn_world_create(&world_def, &s.world));
    expect_ok(kn_archetype_spawn(s.world, kn_archetype_find(s.library, "Runner"), 1.0f, &s.hero));
    expect_ok(kn_capability_presenter_create(&def, &s.presenter));
    const kn_capability_id dust = kn_capability_find(s.library, "Dust");
    const kn_capability_set_id any = {0};
    show(&s, 10);
    assert_false(kn_capability_presenter_is_active(s.presenter, s.hero, any, dust));
    static const char *const tags[] = {"State.Sprinting", "State.Airborne"};
    for (int i = 0; i < 2; i++) {
        expect_ok(kn_entity_add_tag(
            s.world, s.hero, kn_tag_find(s.library, tags[i]), KN_TAG_ORIGIN_LOOSE, 1));
        show(&s, 10);
        assert_int_equal(kn_capability_presenter_is_active(s.presenter, s.hero, any, dust), i == 0);
    }
    stage_end(&s);
}

static void mistakes_are_said_when_content_is_loaded(void **state)
{
    static const struct {
        const char *yaml, *words;
    } rows[] = {
        {"capabilities: {Dust: {presents: true, grants_tags: [State.Running]}}\n",
            "`Dust`: it cannot have `grants_tags`"},
        {"capabilities: {Dust: {presents: true, sleeps: true}}\n",
            "`Dust`: it cannot have `sleeps`"},
        {"capabilities: {Greedy: {presents: true, script: Greedy}}\n",
            "`Greedy`: it cannot have `input`"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char yaml[512];
        kn_script_loader *loader = loader_create();
        (void)snprintf(
            yaml, sizeof(yaml), "kits: [capability]\ntags: [State.Running]\n%s", rows[i].yaml);
        kn_data *data = data_of(loader, yaml);
        kn_library *library;
        bool is_said = false;
        assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
        for (uint32_t j = 0; j < kn_data_message_count(data); j++) {
            is_said |= strstr(kn_data_message_at(data, j).text, rows[i].words) != NULL;
        }
        assert_true(is_said);
        kn_data_destroy(data);
        kn_script_loader_destroy(loader);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lua_presents_what_it_reads),
    cmocka_unit_test(lua_cannot_change_the_world),
    cmocka_unit_test(content_has_something_to_present),
    cmocka_unit_test(mistakes_are_said_when_content_is_loaded),
};

TEST_GROUP(capability_presenter_data, tests, NULL, NULL);
