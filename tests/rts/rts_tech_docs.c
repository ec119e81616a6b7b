// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The example of docs/rts-technology.md is loaded and played.

#include "rts/tech_test.h"

#include "knack/rts_text.h"

// The first block of YAML of the guide.
static const char *guide(void)
{
    static char text[16 * 1024];
    FILE *file = fopen(RTS_DOCS "/rts-technology.md", "r");
    assert_non_null(file);
    char line[512];
    size_t length = 0;
    bool is_open = false;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            if (is_open) {
                break;
            }
            is_open = true;
        } else if (is_open) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s", line);
            assert_true(length < sizeof(text));
        }
    }
    assert_int_equal(fclose(file), 0);
    return text;
}

static void the_example_of_the_guide_plays(void **state)
{
    realm *r = realm_of(realm_library(guide()));
    char text[128];
    (void)state;
    const kn_entity_id barracks = spawn(r, "Barracks", r->us), smithy = spawn(r, "Smithy", r->us);
    const kn_entity_id footman = spawn(r, "Footman", r->us);
    assert_int_equal(make(r, barracks, "Knight"), KN_REFUSED_REQUIREMENT);
    base_set(r, r->us, "Stock.Gold", 200);
    (void)kn_rts_product_why_not(r->world, barracks, product(r, "Knight"), text, sizeof(text));
    assert_string_equal(text, "requires Steel; needs 20 more Gold; Population");
    (void)spawn(r, "Hall", r->us);
    (void)kn_rts_describe_product(r->world, smithy, product(r, "Blades"), text, sizeof(text));
    assert_string_equal(text, "+2 damage for 100 gold in 60 s.");
    assert_int_equal(kn_rts_research(r->world, smithy, upgrade(r, "Blades")), KN_OK);
    step_s(r, 60);
    assert_true(value(r, footman, "Combat.Damage") == 12);
    assert_true(has(r, r->us, "Tech.Steel") && !has(r, r->us, "Tech.Mithril"));
    (void)kn_rts_describe_product(r->world, smithy, product(r, "Blades"), text, sizeof(text));
    assert_string_equal(text, "+4 damage for 150 gold in 90 s.");
    base_set(r, r->us, "Stock.Gold", 500);
    assert_int_equal(make(r, barracks, "Knight"), KN_OK);
    assert_true(value(r, r->us, "Stock.Population") == 6);
    assert_true(value(r, r->us, "Stock.PopulationCap") == 10);
    realm_free(r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_example_of_the_guide_plays),
};

TEST_GROUP(rts_tech_docs, tests, NULL, NULL);
