// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Displays in data files: the example of docs/rts.md, and where mistakes are reported.

#include "rts/rts_test.h"

#include "knack/data.h"
#include "knack/mover.h"
#include "knack/rts_card.h"

// The first block of YAML of the guide with a word.
static size_t read_block(char *text, size_t size, const char *word)
{
    FILE *file = fopen(RTS_DOCS "/rts.md", "r");
    assert_non_null(file);
    char line[512];
    size_t length = 0;
    bool is_open = false;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            if (is_open && strstr(text, word) != NULL) {
                break;
            }
            is_open = strncmp(line, "```yaml", 7) == 0;
            length = 0;
            text[0] = 0;
        } else if (is_open) {
            length += (size_t)snprintf(text + length, size - length, "%s", line);
            assert_true(length < size);
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_true(is_open);
    return length;
}

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_grid_register(library, NULL, error);
}

// The library of a text, or the first message about it.
static kn_library *library_of(const char *text, size_t length, char *message, uint32_t size)
{
    static const kn_kit kits[] = {{"order", kn_order_register}, {"rts", kn_rts_register}};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library = NULL;
    def.kits = kits;
    def.kit_count = 2;
    def.prepare = prepare;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "guide.yaml", text, length), KN_OK);
    const kn_result result = kn_data_build(data, &library);
    assert_int_equal(result == KN_OK, library != NULL);
    message[0] = 0;
    if (kn_data_message_count(data) > 0) {
        (void)kn_data_message_print(data, 0, message, size);
    }
    kn_data_destroy(data);
    return library;
}

static void the_example_of_the_guide_is_shown(void **state)
{
    static char text[16 * 1024];
    char message[512];
    fixture f = {0};
    (void)state;
    f.library =
        library_of(text, read_block(text, sizeof(text), "  FrostBolt:"), message, sizeof(message));
    assert_string_equal(message, "");
    world_begin_with(&f, kn_world_def_default());
    const kn_entity_id mage = unit_create(&f, kn_rts_unit_find(f.library, "Mage"), f.us);
    kn_rts_button button;
    assert_int_equal(kn_rts_card(f.world, &mage, 1, &button, 1), 1);
    assert_string_equal(button.look.title, "Frost Bolt");
    assert_string_equal(button.look.icon, "frost_bolt");
    assert_int_equal(button.look.button, 0);
    assert_true(button.is_ready);
    assert_int_equal(button.max_level, 3);
    (void)kn_rts_describe_button(f.world, &button, message, sizeof(message));
    assert_string_equal(message, "Hits for 24 and slows by 30% for 3 s. Costs 20 mana.");
    (void)kn_rts_describe_ability(f.world, mage, button.ability, 2, message, sizeof(message));
    assert_string_equal(message, "Hits for 24 and slows by 30% for 4 s. Costs 20 mana.");
    const kn_effect_type_id chill = kn_effect_type_find(f.library, "Chill");
    (void)kn_rts_describe_effect(f.world, mage, chill, 3, message, sizeof(message));
    assert_string_equal(message, "Slowed by 30% for 5 s.");
    fixture_close(&f);
}

// The example of orders for abilities: the fireball is a button of its own, and is used at a
// target.
static void the_example_of_orders_is_obeyed(void **state)
{
    static char text[16 * 1024];
    char message[512];
    fixture f = {0};
    (void)state;
    f.library = library_of(
        text, read_block(text, sizeof(text), "[Knack.UseUnitAbility]"), message, sizeof(message));
    assert_string_equal(message, "");
    world_begin_with(&f, kn_world_def_default());
    const kn_rts_unit_type_id type = kn_rts_unit_find(f.library, "Mage");
    const kn_entity_id mage = unit_create(&f, type, f.us), foe = unit_create(&f, type, f.them);
    kn_rts_button buttons[4];
    assert_int_equal(kn_rts_card(f.world, &mage, 1, buttons, 4), 3);
    assert_string_equal(buttons[0].look.title, "Shield");
    assert_int_equal(buttons[0].auto_state, KN_RTS_AUTO_OFF);
    assert_string_equal(buttons[2].look.title, "Ball of fire");
    assert_string_equal(buttons[2].look.preview, "Circle");
    assert_int_equal(buttons[2].look.preview_snap, KN_ORDER_SNAP_CURSOR);
    assert_int_equal(buttons[2].target_kind, KN_ORDER_TARGET_ENTITY);
    (void)kn_rts_describe_button(f.world, &buttons[2], message, sizeof(message));
    assert_string_equal(message, "Reaches 8.");
    kn_order order = kn_order_on(buttons[2].order, foe);
    order.index = buttons[2].index;
    assert_int_equal(
        kn_order_issue(f.world, mage, &order, NULL), KN_REFUSED_REQUIREMENT); // not learned
    assert_int_equal(kn_rts_raise_ability(f.world, mage, buttons[2].ability, false), KN_OK);
    place(&f, mage, 0, 0);
    place(&f, foe, 3, 0);
    assert_int_equal(kn_order_issue(f.world, mage, &order, NULL), KN_OK);
    kn_move_info move; // the host moves it
    assert_true(kn_move_get_info(f.world, mage, &move));
    assert_true(move.range == 8);
    for (int i = 0; i < 2; i++) { // there, and turned
        assert_true(kn_move_get_info(f.world, mage, &move));
        assert_int_equal(kn_move_finish(f.world, mage, move.ticket, KN_MOVE_ARRIVED), KN_OK);
        step_ms(&f, 10);
    }
    const kn_attribute_id health = attribute_named(&f, "Vitals.Health");
    assert_true(kn_attribute_value(f.world, foe, health) == 80);
    assert_true(kn_attribute_value(f.world, mage, health) == 100);
    fixture_close(&f);
}

static void mistakes_have_a_line(void **state)
{
    static const char text[] = "kits: [order, rts]\n"
                               "effects:\n"
                               "  Chill: {duration: 3}\n"
                               "rts_displays:\n"
                               "  Chill:\n"
                               "    description: \"for {duraton} s\"\n";
    char message[512];
    (void)state;
    kn_library *library = library_of(text, sizeof(text) - 1, message, sizeof(message));
    assert_null(library);
    assert_non_null(strstr(message, "guide.yaml:5"));
    assert_non_null(strstr(message, "{duraton}"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_example_of_the_guide_is_shown),
    cmocka_unit_test(the_example_of_orders_is_obeyed),
    cmocka_unit_test(mistakes_have_a_line),
};

TEST_GROUP(rts_card_docs, tests, NULL, NULL);
