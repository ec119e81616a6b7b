// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The example of docs/rts.md is loaded and played.

#include "guide.h"
#include "rts/rts_test.h"

#include "knack/data.h"

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_grid_register(library, NULL, error);
}

static kn_library *library_of_the_guide(void)
{
    static const kn_kit kits[] = {{"order", kn_order_register}, {"rts", kn_rts_register}};
    static char text[16 * 1024];
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library = NULL;
    def.kits = kits;
    def.kit_count = 2;
    def.prepare = prepare;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    const size_t length = guide_block(RTS_DOCS "/rts.md", text, sizeof(text));
    assert_int_equal(kn_data_add_text(data, "guide.yaml", text, length), KN_OK);
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        print_message("%s\n", line);
    }
    assert_int_equal(result, KN_OK);
    assert_int_equal(kn_data_message_count(data), 0);
    kn_data_destroy(data);
    return library;
}

static kn_entity_id unit_named(fixture *f, const char *tag, kn_entity_id owner, float x)
{
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(f->world, &unit), KN_OK);
    own(f, unit, owner);
    place(f, unit, x, 0);
    gain(f, unit, kn_tag_find(f->library, tag));
    return unit;
}

// RTS-002, RTS-004, RTS-014, RTS-017, RTS-022: units are data.
static void the_example_of_the_guide_plays(void **state)
{
    fixture f = {.library = library_of_the_guide()};
    (void)state;
    world_begin_with(&f, kn_world_def_default());
    const kn_attribute_id damage = attribute_named(&f, "Combat.Damage");
    const kn_attribute_id health = attribute_named(&f, "Vitals.Health");
    const kn_ability_type_id cleave = kn_ability_type_find(f.library, "Cleave");
    const kn_ability_type_id rally = kn_ability_type_find(f.library, "Rally");
    const kn_effect_type_id blow = {kn_def_find(f.library, KN_DEF_EFFECT, "Blow")};
    const kn_entity_id captain = unit_named(&f, "Unit.Captain", f.us, 0);
    const kn_entity_id footman = unit_named(&f, "Unit.Footman", f.them, 5);
    assert_true(kn_attribute_value(f.world, captain, damage) == 20);
    assert_true(kn_attribute_value(f.world, captain, health) == 300);
    assert_true(kn_attribute_value(f.world, footman, health) == 120);
    assert_true(kn_rts_granted_experience(f.world, captain) == 50);
    gain(&f, f.us, kn_tag_find(f.library, "Player.Upgrade.Steel"));
    assert_int_equal(kn_rts_ability_level_of(f.world, captain, cleave), 2);
    assert_int_equal(kn_effect_apply_simple(f.world, blow, captain, footman, 1, NULL), KN_OK);
    assert_true(kn_rts_is_dead(f.world, footman));
    assert_true(kn_entity_has_tag(f.world, footman, kn_tag_find(f.library, "Status.Corpse")));
    assert_true(kn_rts_experience(f.world, captain) == 60);
    assert_int_equal(kn_rts_add_experience(f.world, captain, 40), KN_OK);
    assert_int_equal(kn_rts_level(f.world, captain), 2);
    assert_true(kn_attribute_value(f.world, captain, damage) == 25);
    kn_rts_learn_info info;
    assert_false(kn_rts_can_learn(f.world, captain, rally, &info));
    assert_int_equal(info.why_not, KN_RTS_LEVEL_TOO_LOW);
    assert_int_equal(info.required_level, 6);
    assert_int_equal(kn_rts_set_level(f.world, captain, 6), KN_OK);
    assert_int_equal(kn_rts_learn(f.world, captain, rally), KN_OK);
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_example_of_the_guide_plays),
};

TEST_GROUP(rts_docs, tests, NULL, NULL);
