// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Upgrades of players and their research, and technology that units give.

#include "rts/tech_test.h"

#include "knack/rts_card.h"

// Custom events `Knack.RtsUpgrade` of the last step, such as "Blades 0->1".
static const char *upgrades_published(realm *r)
{
    static char text[512];
    const kn_events events = kn_world_events(r->world);
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM ||
            strcmp(kn_custom_event_name(r->library, event->data.custom.kind), "Knack.RtsUpgrade") !=
                0) {
            continue;
        }
        const kn_rts_upgrade_event *payload = kn_event_payload(r->world, event, &size);
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s %u->%u%s",
            length > 0 ? " " : "", kn_rts_upgrade_get_def(r->library, payload->upgrade)->name,
            (unsigned)payload->before, (unsigned)payload->after,
            payload->building.index1 != 0 ? " researched" : "");
    }
    return text;
}

// Upgrades --------------------------------------------------------------------------

// BEY-030: an upgrade acts on all units of a player under its filter, present and future.
static void an_upgrade_changes_all_units_present_and_future(void **state)
{
    realm *r = *state;
    const kn_entity_id old = spawn(r, "Footman", r->us), foe = spawn(r, "Footman", r->them);
    const kn_entity_id hero = spawn(r, "Hero", r->us); // not under the filter
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 1), KN_OK);
    const kn_entity_id young = spawn(r, "Footman", r->us);
    assert_true(value(r, old, "Combat.Damage") == 12);
    assert_true(value(r, young, "Combat.Damage") == 12);
    assert_true(value(r, hero, "Combat.Damage") == 10);
    assert_true(value(r, foe, "Combat.Damage") == 10);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 3), KN_OK);
    assert_true(value(r, old, "Combat.Damage") == 19);
    own(r, old, r->them);
    assert_true(value(r, old, "Combat.Damage") == 10);
    own(r, old, r->us);
    assert_true(value(r, old, "Combat.Damage") == 19);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 2), KN_OK);
    assert_true(value(r, young, "Combat.Damage") == 15);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 0), KN_OK);
    assert_true(value(r, young, "Combat.Damage") == 10);
    assert_int_equal(kn_effects_count(r->world, r->us), 0);
}

// RTS-019, RTS-045: units copy tags that upgrades give their owner.
static void an_upgrade_gives_the_player_tags_by_level(void **state)
{
    realm *r = *state;
    const kn_entity_id footman = spawn(r, "Footman", r->us), foe = spawn(r, "Footman", r->them);
    const kn_rts_upgrade_id blades = upgrade(r, "Blades");
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 1), KN_OK);
    assert_true(has(r, r->us, "Tech.Steel") && !has(r, r->us, "Tech.Steel.Fine"));
    assert_true(has(r, footman, "Tech.Steel") && !has(r, foe, "Tech.Steel"));
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 3), KN_OK);
    assert_true(has(r, r->us, "Tech.Steel.Fine"));
    assert_int_equal(
        kn_entity_tag_count_exact(r->world, r->us, tag_of(r, "Tech.Steel")), 1); // once
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 1), KN_OK);
    assert_false(has(r, r->us, "Tech.Steel.Fine"));
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 0), KN_OK);
    assert_false(has(r, r->us, "Tech.Steel") || has(r, footman, "Tech.Steel"));
}

static void upgrades_of_a_player_are_listed_and_published(void **state)
{
    realm *r = *state;
    kn_rts_upgrade_info list[4];
    assert_int_equal(kn_rts_upgrades(r->world, r->us, list, 4), 0);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Cheat"), 9), KN_OK);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 1), KN_OK);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 1), KN_OK);
    step_s(r, 1);
    assert_string_equal(upgrades_published(r), "Cheat 0->2 Blades 0->1");
    assert_int_equal(kn_rts_upgrades(r->world, r->us, list, 1), 2);
    assert_int_equal(list[0].upgrade.index1, upgrade(r, "Cheat").index1);
    assert_int_equal(list[0].level, 2); // the highest
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Cheat"), 0), KN_OK);
    assert_int_equal(kn_rts_upgrades(r->world, r->us, list, 4), 1);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->us, upgrade(r, "Cheat")), 0);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->them, upgrade(r, "Blades")), 0);
}

static void an_instant_effect_is_executed_when_the_level_rises(void **state)
{
    realm *r = *state;
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Loom"), 1), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 1007);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Loom"), 0), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 1007);
}

static void bad_calls_about_upgrades_are_refused(void **state)
{
    realm *r = *state;
    const kn_rts_upgrade_id blades = upgrade(r, "Blades"), none = {0};
    kn_entity_id gone = spawn(r, "Smithy", r->us);
    assert_true(kn_entity_destroy(r->world, gone));
    assert_int_equal(kn_rts_set_upgrade(r->world, gone, blades, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, none, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_research(r->world, gone, blades), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_research(r->world, r->us, none), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_research(r->world, r->us, blades), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_research(r->world, r->us, upgrade(r, "Cheat")), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_cancel_research(r->world, r->us, blades), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_cancel_research(r->world, gone, blades), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, gone, blades), 0);
    assert_int_equal(kn_rts_upgrades(r->world, gone, NULL, 0), 0);
    assert_false(kn_rts_can_research(r->world, gone, blades, NULL));
    assert_false(kn_rts_can_research(NULL, gone, blades, NULL));
    kn_world *client = realm_world(r->library, true);
    kn_entity_id player;
    assert_int_equal(kn_entity_create(client, &player), KN_OK);
    assert_int_equal(kn_rts_set_upgrade(client, player, blades, 1), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_research(client, player, blades), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_cancel_research(client, player, blades), KN_REFUSED_BLOCKED);
    kn_world_destroy(client);
}

// Research --------------------------------------------------------------------------

static void research_costs_what_its_level_costs_and_takes_its_time(void **state)
{
    realm *r = *state;
    const kn_entity_id smithy = spawn(r, "Smithy", r->us), hall = spawn(r, "Hall", r->us);
    const kn_rts_upgrade_id blades = upgrade(r, "Blades");
    kn_rts_research_info info;
    (void)hall;
    assert_true(kn_rts_can_research(r->world, smithy, blades, &info));
    assert_true(info.level == 0 && info.max_level == 3 && info.terms.cost_count == 2);
    assert_true(info.terms.costs[0].amount == 100 && info.terms.costs[1].amount == 10);
    assert_true(info.terms.time == KN_S(20));
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 900 && value(r, r->us, "Stock.Wood") == 490);
    step_s(r, 19);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->us, blades), 0);
    step_s(r, 1);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->us, blades), 1);
    assert_string_equal(upgrades_published(r), "Blades 0->1 researched");
    assert_true(kn_rts_can_research(r->world, smithy, blades, &info));
    assert_true(info.terms.costs[0].amount == 150 && info.terms.time == KN_S(30));
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 750);
    step_s(r, 30);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->us, blades), 2);
    // An upgrade without a price and time of its own has those of its product.
    assert_int_equal(kn_rts_research(r->world, smithy, upgrade(r, "Loom")), KN_OK);
    assert_true(value(r, r->us, "Stock.Wood") == 460);
    step_s(r, 3);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->us, upgrade(r, "Loom")), 1);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->them, upgrade(r, "Loom")), 0);
}

static void only_one_building_researches_an_upgrade(void **state)
{
    realm *r = *state;
    const kn_entity_id first = spawn(r, "Smithy", r->us), second = spawn(r, "Smithy", r->us);
    const kn_entity_id foreign = spawn(r, "Smithy", r->them);
    const kn_rts_upgrade_id blades = upgrade(r, "Blades");
    kn_rts_research_info info;
    kn_rts_upgrade_info list;
    assert_int_equal(kn_rts_research(r->world, first, blades), KN_OK);
    assert_int_equal(kn_rts_upgrades(r->world, r->us, &list, 1), 1);
    assert_true(
        list.level == 0 && list.researched_level == 1 && kn_entity_id_equal(list.building, first));
    assert_int_equal(kn_rts_research(r->world, first, blades), KN_REFUSED_EXCLUSIVE);
    assert_int_equal(kn_rts_research(r->world, second, blades), KN_REFUSED_EXCLUSIVE);
    assert_false(kn_rts_can_research(r->world, second, blades, &info));
    assert_int_equal(info.why_not, KN_RTS_RESEARCH_RUNS);
    assert_true(kn_rts_can_research(r->world, foreign, blades, NULL)); // another player
    assert_int_equal(kn_rts_cancel_research(r->world, r->us, blades), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 1000 && value(r, r->us, "Stock.Wood") == 500);
    assert_int_equal(kn_rts_upgrades(r->world, r->us, NULL, 0), 0);
    assert_int_equal(kn_rts_research(r->world, second, blades), KN_OK);
    assert_int_equal(kn_product_cancel(r->world, second, 0), KN_OK); // as players cancel
    assert_true(kn_rts_can_research(r->world, first, blades, NULL));
}

static void research_says_all_that_is_against_it(void **state)
{
    realm *r = *state;
    const kn_entity_id smithy = spawn(r, "Smithy", r->us), hall = spawn(r, "Hall", r->us);
    const kn_rts_upgrade_id blades = upgrade(r, "Blades");
    kn_rts_research_info info;
    assert_false(kn_rts_can_research(r->world, hall, blades, &info));
    assert_int_equal(info.why_not, KN_RTS_RESEARCH_NOT_HERE);
    assert_true(kn_entity_destroy(r->world, hall));
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 1), KN_OK);
    base_set(r, r->us, "Stock.Gold", 149);
    assert_false(kn_rts_can_research(r->world, smithy, blades, &info));
    assert_int_equal(info.why_not, KN_RTS_RESEARCH_REQUIREMENT | KN_RTS_RESEARCH_COST);
    assert_int_equal(info.answer.errors.missing_count, 1);
    assert_int_equal(info.answer.errors.missing[0].index1, tag_of(r, "Tech.Hall").index1);
    assert_true(info.answer.shortage_count == 1 && info.answer.shortages[0].amount == 1);
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 2), KN_OK);
    assert_false(kn_rts_can_research(r->world, smithy, blades, &info)); // `from_level` 3
    assert_int_equal(info.answer.errors.missing[0].index1, tag_of(r, "Tech.Barracks").index1);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 3), KN_OK);
    base_set(r, r->us, "Stock.Gold", 1000);
    assert_false(kn_rts_can_research(r->world, smithy, blades, &info));
    assert_int_equal(info.why_not, KN_RTS_RESEARCH_AT_MAXIMUM);
    assert_true(info.terms.costs[0].amount == 200); // that of the last level
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_REFUSED_LIMIT);
}

static void the_card_shows_price_and_reasons_of_research(void **state)
{
    realm *r = *state;
    const kn_entity_id smithy = spawn(r, "Smithy", r->us);
    kn_rts_button buttons[8];
    char text[256];
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 1), KN_OK);
    assert_int_equal(kn_rts_card(r->world, &smithy, 1, buttons, 8), 3);
    assert_string_equal(buttons[0].look.title, "Sharp blades");
    assert_false(buttons[0].is_ready);
    assert_int_equal(buttons[0].cost_count, 2);
    assert_true(buttons[0].costs[0].amount == 150 && buttons[0].costs[0].is_affordable);
    assert_int_equal(buttons[0].why_not.missing_count, 1);
    assert_int_equal(buttons[0].why_not.missing[0].index1, tag_of(r, "Tech.Hall").index1);
    (void)kn_rts_button_print(r->world, &buttons[0], text, sizeof(text));
    assert_non_null(strstr(text, "Tech.Hall"));
    assert_true(buttons[1].is_ready); // Loom
    // The order that the button gives is what players send.
    kn_order order = kn_order_of(buttons[1].order);
    order.index = buttons[1].index;
    assert_int_equal(kn_order_issue(r->world, smithy, &order, NULL), KN_OK);
    step_s(r, 3);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->us, upgrade(r, "Loom")), 1);
    assert_int_equal(kn_order_issue(r->world, smithy, &order, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_card(r->world, &smithy, 1, buttons, 8), 3);
    assert_int_equal(
        buttons[1].why_not.others[0].index1, tag_of(r, "Knack.Order.AtMaximum").index1);
}

static void a_level_that_is_set_cancels_the_research_of_it(void **state)
{
    realm *r = *state;
    const kn_entity_id smithy = spawn(r, "Smithy", r->us);
    const kn_rts_upgrade_id blades = upgrade(r, "Blades");
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_OK);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 1), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 1000);
    assert_int_equal(kn_producer_queue(r->world, smithy, NULL, 0), 0);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 0), KN_OK);
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_OK);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 2), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 1000);
    step_s(r, 60);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->us, blades), 2);
    // One that is not reached goes on, from where it began.
    gain(r, r->us, "Tech.Barracks");
    gain(r, r->us, "Tech.Hall");
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_OK);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 0), KN_OK);
    step_s(r, 60);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->us, blades), 3);
}

static void research_ends_with_its_building(void **state)
{
    realm *r = *state;
    const kn_rts_upgrade_id blades = upgrade(r, "Blades"), loom = upgrade(r, "Loom");
    kn_entity_id smithy = spawn(r, "Smithy", r->us);
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_OK);
    assert_int_equal(kn_rts_kill(r->world, smithy, (kn_entity_id){0}), KN_OK); // `on_death: lose`
    assert_true(value(r, r->us, "Stock.Gold") == 900);
    assert_int_equal(kn_rts_upgrades(r->world, r->us, NULL, 0), 0);
    kn_entity_id hall = spawn(r, "Hall", r->us);
    assert_int_equal(kn_rts_research(r->world, hall, loom), KN_OK);
    assert_true(value(r, r->us, "Stock.Wood") == 470);
    assert_true(kn_entity_destroy(r->world, hall)); // `on_death: refund`, half of it
    assert_true(value(r, r->us, "Stock.Wood") == 480);
    assert_int_equal(kn_rts_upgrades(r->world, r->us, NULL, 0), 0);
}

static void research_does_not_change_sides(void **state)
{
    realm *r = *state;
    const kn_rts_upgrade_id blades = upgrade(r, "Blades");
    const kn_entity_id smithy = spawn(r, "Smithy", r->us); // `on_owner_change: keep`
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_OK);
    own(r, smithy, r->them);
    assert_int_equal(kn_producer_queue(r->world, smithy, NULL, 0), 0);
    assert_true(value(r, r->us, "Stock.Gold") == 1000);
    step_s(r, 60);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->us, blades), 0);
    assert_int_equal(kn_rts_upgrade_level_of(r->world, r->them, blades), 0);
    const kn_entity_id lab = spawn(r, "Lab", r->us); // `on_owner_change: lose`
    assert_int_equal(kn_rts_research(r->world, lab, upgrade(r, "Loom")), KN_OK);
    own(r, lab, r->them);
    assert_true(value(r, r->us, "Stock.Wood") == 480);
    assert_int_equal(kn_rts_upgrades(r->world, r->us, NULL, 0), 0);
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_OK);
    assert_true(kn_entity_destroy(r->world, r->them)); // nobody is left to have it
    step_s(r, 60);
    assert_int_equal(kn_producer_queue(r->world, smithy, NULL, 0), 0);
}

// The hook of an upgrade ------------------------------------------------------------

static uint32_t hook_calls;
static uint32_t hook_level; // seen by a call inside the hook

static kn_result changed_hook(void *user, const kn_hook_call *call)
{
    const kn_rts_upgrade_call *c = call->arguments;
    const kn_rts_upgrade_id own = {call->index1};
    (void)user;
    hook_calls++;
    if (c->after == 1) {
        assert_int_equal(kn_rts_set_upgrade(call->writable, call->entity, own, 2), KN_OK);
        hook_level = kn_rts_upgrade_level_of(call->world, call->entity, own);
    } else if (c->after == 3) {
        assert_int_equal(kn_rts_set_upgrade(call->writable, call->entity, own, 4), KN_OK);
    } else if (c->after == 4) { // back and forth, without an end
        assert_int_equal(kn_rts_set_upgrade(call->writable, call->entity, own, 3), KN_OK);
    }
    return KN_OK;
}

static void what_a_hook_sets_takes_effect_when_it_is_done(void **state)
{
    kn_library_def def = kn_library_def_default();
    kn_rts_upgrade_def one = kn_rts_upgrade_def_default();
    kn_rts_upgrade_id id;
    kn_library *library;
    kn_entity_id player;
    (void)state;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    assert_int_equal(kn_order_register(library, NULL), KN_OK);
    assert_int_equal(kn_rts_register(library, NULL), KN_OK);
    one.name = "Steel";
    one.max_level = 5;
    one.changed.function = changed_hook;
    assert_int_equal(kn_rts_upgrade_register(library, &one, &id, NULL), KN_OK);
    assert_int_equal(kn_rts_upgrade_register(library, &one, NULL, NULL), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_rts_upgrade_register(library, NULL, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK); // without production
    kn_world *world = realm_world(library, false);
    assert_int_equal(kn_entity_create(world, &player), KN_OK);
    hook_calls = 0;
    assert_int_equal(kn_rts_set_upgrade(world, player, id, 1), KN_OK);
    assert_int_equal(hook_level, 1);
    assert_int_equal(hook_calls, 2);
    assert_int_equal(kn_rts_upgrade_level_of(world, player, id), 2);
    assert_int_equal(kn_rts_set_upgrade(world, player, id, 3), KN_OK);
    assert_int_equal(hook_calls, 2 + 256);
    assert_int_equal(kn_rts_set_upgrade(world, player, id, 0), KN_OK);
    assert_int_equal(kn_rts_upgrades(world, player, NULL, 0), 0);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

// Technology ------------------------------------------------------------------------

static void units_give_their_owner_tags_while_one_of_them_lives(void **state)
{
    realm *r = *state;
    const kn_entity_id first = spawn(r, "Barracks", r->us), second = spawn(r, "Barracks", r->us);
    assert_true(has(r, r->us, "Tech.Barracks"));
    assert_false(has(r, r->them, "Tech.Barracks"));
    assert_int_equal(kn_rts_kill(r->world, first, (kn_entity_id){0}), KN_OK);
    assert_true(has(r, r->us, "Tech.Barracks"));
    own(r, second, r->them);
    assert_true(!has(r, r->us, "Tech.Barracks") && has(r, r->them, "Tech.Barracks"));
    own(r, second, (kn_entity_id){0});
    assert_false(has(r, r->them, "Tech.Barracks"));
    own(r, second, r->us);
    assert_true(kn_entity_destroy(r->world, second));
    assert_false(has(r, r->us, "Tech.Barracks"));
    assert_int_equal(kn_entity_add_tag(r->world, first, kn_rts_tag(r->library, KN_RTS_ALIVE),
                         KN_TAG_ORIGIN_LOOSE_SYNCED, 1),
        KN_OK); // it lives again
    assert_true(has(r, r->us, "Tech.Barracks"));
    assert_int_equal(kn_rts_unit_remove(r->world, first), KN_OK);
    assert_false(has(r, r->us, "Tech.Barracks"));
}

static void a_building_gives_tags_when_it_is_finished(void **state)
{
    realm *r = *state;
    const kn_entity_id worker = spawn(r, "Worker", r->us), farm = spawn(r, "Farm", r->us);
    const char *under = kn_rts_tag_text(KN_RTS_UNDER_CONSTRUCTION);
    kn_entity_id site;
    assert_true(value(r, r->us, "Crowd.Cap") == 8);
    gain(r, farm, under);
    assert_true(value(r, r->us, "Crowd.Cap") == 0);
    lose(r, farm, under);
    assert_true(value(r, r->us, "Crowd.Cap") == 8);
    // The site is the building itself.
    assert_int_equal(
        kn_site_begin(r->world, worker, product(r, "Farm"), (kn_vec3){9, 0, 0}, NULL, &site),
        KN_OK);
    step_s(r, 3);
    assert_true(value(r, r->us, "Crowd.Cap") == 8);
    step_s(r, 1);
    assert_true(value(r, r->us, "Crowd.Cap") == 16);
    // Another entity takes the place of the site.
    assert_int_equal(
        kn_site_begin(r->world, worker, product(r, "Barracks"), (kn_vec3){19, 0, 0}, NULL, &site),
        KN_OK);
    step_s(r, 5);
    assert_false(has(r, r->us, "Tech.Barracks"));
    step_s(r, 1);
    assert_true(has(r, r->us, "Tech.Barracks"));
    // One that is cancelled never was there.
    assert_int_equal(
        kn_site_begin(r->world, worker, product(r, "Farm"), (kn_vec3){29, 0, 0}, NULL, &site),
        KN_OK);
    assert_int_equal(kn_site_cancel(r->world, site), KN_OK);
    step_s(r, 9);
    assert_true(value(r, r->us, "Crowd.Cap") == 16);
}

static void a_unit_survives_the_end_of_its_owner(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->them);
    assert_true(has(r, r->them, "Tech.Hall"));
    assert_true(kn_entity_destroy(r->world, r->them));
    step_s(r, 1);
    own(r, hall, r->us);
    assert_true(has(r, r->us, "Tech.Hall"));
    assert_int_equal(kn_entity_tag_count(r->world, r->us, tag_of(r, "Tech.Hall")), 1);
    assert_true(value(r, r->us, "Crowd.Cap") == 10);
}

// Requirements ----------------------------------------------------------------------

static void a_product_needs_what_its_requirement_says(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->us);
    const kn_entity_id barracks = spawn(r, "Barracks", r->them);
    kn_product_answer answer;
    char text[256];
    (void)barracks;
    gain(r, r->us, "Tech.Lost");
    assert_int_equal(
        kn_product_check(r->world, hall, product(r, "Hero"), &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.missing_count, 2);
    assert_int_equal(answer.errors.blocking_count, 1);
    assert_int_equal(answer.errors.blocking[0].index1, tag_of(r, "Tech.Lost").index1);
    gain(r, r->us, "Tech.War"); // of several requirements all must be met
    assert_int_equal(
        kn_product_check(r->world, hall, product(r, "Footman"), &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.blocking_count, 2);
    assert_int_equal(kn_rts_product_why_not(r->world, hall, product(r, "Hero"), text, sizeof(text)),
        strlen("requires Barracks, Steel; not with Lost"));
    assert_string_equal(text, "requires Barracks, Steel; not with Lost");
    lose(r, r->us, "Tech.Lost");
    own(r, barracks, r->us); // `Tech.Barracks.Large` is a kind of barracks
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 1), KN_OK);
    assert_int_equal(kn_product_check(r->world, hall, product(r, "Hero"), NULL), KN_OK);
    assert_int_equal(
        kn_rts_product_why_not(r->world, hall, product(r, "Hero"), text, sizeof(text)), 0);
    assert_string_equal(text, "");
}

static void a_query_has_a_text_for_players(void **state)
{
    realm *r = *state;
    const kn_entity_id smithy = spawn(r, "Smithy", r->us);
    kn_product_answer answer;
    char text[256];
    assert_int_equal(
        kn_product_check(r->world, smithy, product(r, "Plain"), &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.others[0].index1, tag_of(r, "Knack.Order.Technology").index1);
    (void)kn_rts_product_why_not(r->world, smithy, product(r, "Plain"), text, sizeof(text));
    assert_string_equal(text, "Requires a hall or what was lost");
    assert_int_equal(kn_rts_product_why_not(r->world, smithy, product(r, "Plain"), text, 9), 32);
    assert_string_equal(text, "Requires");
    assert_int_equal(kn_rts_product_why_not(r->world, smithy, product(r, "Plain"), NULL, 0), 32);
    gain(r, r->us, "Tech.Lost");
    assert_int_equal(kn_product_check(r->world, smithy, product(r, "Plain"), NULL), KN_OK);
    base_set(r, r->us, "Stock.Gold", 40.5f);
    base_set(r, r->us, "Stock.Wood", 0);
    (void)kn_rts_product_why_not(r->world, smithy, product(r, "Blades"), text, sizeof(text));
    assert_string_equal(text, "needs 59.5 more Gold, 10 more Wood");
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 2), KN_OK);
    (void)kn_rts_product_why_not(r->world, smithy, product(r, "Blades"), text, sizeof(text));
    assert_string_equal(
        text, "Requires barracks for the third level; needs 159.5 more Gold, 10 more Wood");
    assert_int_equal(
        kn_rts_product_why_not(r->world, smithy, (kn_product_id){0}, text, sizeof(text)), 0);
    (void)kn_rts_product_why_not(r->world, smithy, product(r, "Hero"), text, sizeof(text));
    assert_string_equal(text, "KN_REFUSED_NOT_FOUND");
}

static void an_ability_is_learned_with_its_technology(void **state)
{
    realm *r = *state;
    const kn_entity_id hero = spawn(r, "Hero", r->us);
    const kn_ability_type_id cleave = kn_ability_type_find(r->library, "Cleave");
    kn_rts_learn_info info;
    assert_int_equal(kn_rts_learn(r->world, hero, cleave), KN_OK); // from level 2 on
    assert_false(kn_rts_can_learn(r->world, hero, cleave, &info));
    assert_int_equal(info.why_not, KN_RTS_NO_TECHNOLOGY);
    assert_int_equal(kn_rts_learn(r->world, hero, cleave), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_points(r->world, hero), 2);
    gain(r, r->us, "Tech.Steel");
    assert_int_equal(kn_rts_learn(r->world, hero, cleave), KN_OK);
    assert_int_equal(kn_rts_ability_level_of(r->world, hero, cleave), 2);
    own(r, hero, r->them);
    assert_false(kn_rts_can_learn(r->world, hero, cleave, NULL));
}

static void an_order_needs_its_technology(void **state)
{
    realm *r = *state;
    const kn_entity_id footman = spawn(r, "Footman", r->us);
    const kn_order_type_id charge = kn_order_type_find(r->library, "Charge");
    const kn_order order = kn_order_of(charge);
    kn_order_errors errors = {0};
    assert_false(kn_order_can_obey(r->world, charge, footman, -1, &errors));
    assert_int_equal(errors.missing_count, 1);
    assert_int_equal(errors.missing[0].index1, tag_of(r, "Tech.Steel").index1);
    assert_int_not_equal(kn_order_issue(r->world, footman, &order, NULL), KN_OK);
    char text[512];
    (void)kn_order_explain(r->world, footman, &order, NULL, NULL, text, sizeof(text));
    assert_non_null(strstr(text, "it needs Tech.Steel"));
    gain(r, r->us, "Tech.Lost");
    (void)kn_order_explain(r->world, footman, &order, NULL, NULL, text, sizeof(text));
    assert_non_null(strstr(text, "it is blocked by Tech.Lost"));
    lose(r, r->us, "Tech.Lost");
    gain(r, r->us, "Tech.Steel");
    assert_true(kn_order_can_obey(r->world, charge, footman, -1, NULL));
    (void)kn_order_explain(r->world, footman, &order, NULL, NULL, text, sizeof(text));
    assert_null(strstr(text, "Tech.Steel"));
    assert_int_equal(kn_order_issue(r->world, footman, &order, NULL), KN_OK);
    own(r, footman, (kn_entity_id){0}); // without an owner its own tags count
    assert_false(kn_order_can_obey(r->world, charge, footman, -1, NULL));
    gain(r, footman, "Tech.Steel");
    assert_true(kn_order_can_obey(r->world, charge, footman, -1, NULL));
}

static void a_requirement_can_be_asked_by_name(void **state)
{
    realm *r = *state;
    const kn_rts_requirement_id noble = kn_rts_requirement_find(r->library, "Noble");
    kn_order_errors errors = {0};
    gain(r, r->us, "Tech.Hall");
    assert_false(kn_rts_requirement_check(r->world, r->us, noble, &errors));
    assert_int_equal(errors.missing_count, 1);
    gain(r, r->us, "Tech.Steel");
    assert_true(kn_rts_requirement_check(r->world, r->us, noble, NULL));
    assert_false(kn_rts_requirement_check(r->world, r->them, noble, NULL));
    assert_false(kn_rts_requirement_check(r->world, (kn_entity_id){0}, noble, NULL));
    assert_false(kn_rts_requirement_check(r->world, r->us, (kn_rts_requirement_id){0}, NULL));
}

// Resources -------------------------------------------------------------------------

static void a_price_is_paid_whole_or_not_at_all(void **state)
{
    realm *r = *state;
    kn_product_cost costs[] = {
        {attribute(r, "Stock.Gold"), 400}, {attribute(r, "Stock.Wood"), 500.5f}};
    kn_product_shortage missing[2];
    assert_int_equal(kn_rts_missing(r->world, r->us, costs, 2, missing, 2), 1);
    assert_true(
        missing[0].attribute.index1 == costs[1].attribute.index1 && missing[0].amount == 0.5f);
    assert_int_equal(kn_rts_pay(r->world, r->us, costs, 2), KN_REFUSED_COST);
    assert_true(value(r, r->us, "Stock.Gold") == 1000);
    costs[1].amount = 100;
    assert_int_equal(kn_rts_missing(r->world, r->us, costs, 2, NULL, 0), 0);
    assert_int_equal(kn_rts_pay(r->world, r->us, costs, 2), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 600 && value(r, r->us, "Stock.Wood") == 400);
    costs[1] = (kn_product_cost){attribute(r, "Stock.Favor"), 15}; // never below 10
    assert_int_equal(kn_rts_pay(r->world, r->us, costs, 2), KN_REFUSED_COST);
    assert_true(value(r, r->us, "Stock.Gold") == 600 && value(r, r->us, "Stock.Favor") == 20);
    costs[0].amount = -1;
    assert_int_equal(kn_rts_pay(r->world, r->us, costs, 2), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_rts_missing(r->world, r->us, costs, 2, NULL, 0), UINT32_MAX);
    assert_int_equal(kn_rts_pay(r->world, r->us, NULL, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_missing(r->world, r->us, NULL, 1, NULL, 0), UINT32_MAX);
    assert_int_equal(kn_rts_pay(r->world, r->us, NULL, 0), KN_OK); // it costs nothing
    assert_int_equal(kn_rts_missing(r->world, r->us, NULL, 0, NULL, 0), 0);
    assert_int_equal(kn_rts_pay(r->world, (kn_entity_id){0}, costs, 2), KN_REFUSED_STALE_ID);
}

static void a_player_gives_to_another(void **state)
{
    realm *r = *state;
    const kn_attribute_id gold = attribute(r, "Stock.Gold"), wood = attribute(r, "Stock.Wood");
    const kn_entity_id smithy = spawn(r, "Smithy", r->us);
    assert_int_equal(kn_rts_transfer(r->world, r->us, r->them, gold, 300), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 700 && value(r, r->them, "Stock.Gold") == 1300);
    assert_int_equal(kn_rts_transfer(r->world, r->us, r->them, gold, 701), KN_REFUSED_COST);
    assert_int_equal(kn_rts_transfer(r->world, r->us, r->them, wood, 101), KN_REFUSED_LIMIT);
    assert_true(value(r, r->us, "Stock.Wood") == 500 && value(r, r->them, "Stock.Wood") == 500);
    assert_int_equal(
        kn_rts_transfer(r->world, r->us, smithy, gold, 1), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(
        kn_rts_transfer(r->world, r->us, (kn_entity_id){0}, gold, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_transfer(r->world, r->us, r->them, gold, -1), KN_REFUSED_BAD_NUMBER);
    own(r, r->us, smithy); // owners of their own make them enemies
    own(r, r->them, r->them);
    assert_int_equal(kn_rts_transfer(r->world, r->us, r->them, gold, 1), KN_REFUSED_REQUIREMENT);
}

// What is paid and what is left are rounded, each in its own way.
static void amounts_that_are_rounded_are_paid(void **state)
{
    realm *r = *state;
    const kn_attribute_id gold = attribute(r, "Stock.Gold");
    kn_product_cost costs[] = {{gold, 0.1f}, {attribute(r, "Stock.Wood"), 0}};
    base_set(r, r->us, "Stock.Gold", 100);
    base_set(r, r->them, "Stock.Gold", 3.4f);
    assert_int_equal(kn_rts_pay(r->world, r->us, costs, 2), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 100.0f - 0.1f);
    assert_int_equal(kn_rts_transfer(r->world, r->us, r->them, gold, 5), KN_OK);
    assert_true(value(r, r->them, "Stock.Gold") == 3.4f + 5.0f);
    assert_true(value(r, r->us, "Stock.Gold") == 100.0f - 0.1f - 5.0f);
    // Nothing is lost by what is refused either.
    base_set(r, r->us, "Stock.Gold", 0.7f);
    base_set(r, r->us, "Stock.Wood", 16.7f);
    base_set(r, r->them, "Stock.Wood", 599.99f);
    costs[1] = (kn_product_cost){attribute(r, "Stock.Favor"), 15}; // never below 10
    for (float amount = 0.01f; amount < 0.7f; amount += 0.01f) {
        costs[0].amount = amount;
        assert_int_equal(kn_rts_pay(r->world, r->us, costs, 2), KN_REFUSED_COST);
        assert_true(value(r, r->us, "Stock.Gold") == 0.7f);
        assert_int_equal(
            kn_rts_transfer(r->world, r->us, r->them, attribute(r, "Stock.Wood"), amount * 20),
            KN_REFUSED_LIMIT);
        assert_true(value(r, r->us, "Stock.Wood") == 16.7f);
        assert_true(value(r, r->them, "Stock.Wood") == 599.99f);
    }
    assert_true(value(r, r->us, "Stock.Favor") == 20);
}

// Bad data --------------------------------------------------------------------------

static void bad_definitions_are_reported(void **state)
{
    static const struct {
        const char *old, *now, *message;
    } cases[] = {
        {"Cheat: {max_level: 2}", "Cheat: {max_level: 0}", "`max_level` must be 1 to 1000"},
        {"Cheat: {max_level: 2}", "Cheat: {levels: [{}, {}]}", "it has 2 `levels`"},
        {"Cheat: {max_level: 2}", "Cheat: {time: -1}", "`time` must be 0 or more"},
        {"Cheat: {max_level: 2}", "Cheat: {product: Nothing}", "no product `Nothing`"},
        {"Cheat: {max_level: 2}", "Cheat: {product: Footman}", "`research: true`"},
        {"Cheat: {max_level: 2}", "Cheat: {product: Loom}", "researches `Loom` already"},
        {"Cheat: {max_level: 2}", "Cheat: {costs: [{amount: 2}]}", "an attribute of its own"},
        {"Noble: {required: [Tech.Hall, Tech.Steel]}", "Noble: {}", "it needs `required`"},
        {"Noble: {required", "Noble: {product: Nothing, required", "no product `Nothing`"},
        {"Noble: {required", "Noble: {product: Hero, ability: Cleave, required", "not several"},
        {"limit: 30}", "limit: -1}", "a `limit` of 0 or more"},
        {"limit: 30}", "reserve: queue, queues_without_room: true}", "cannot be queued"},
        {"limit: 30}\n", "limit: 30}\n  Second: {used: Crowd.Used}\n", "two definitions"},
        {"population: 1}", "population: 0.1}", "in steps of 0.125"},
        {"research: true}", "research: false}", "`research: true`"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kn_data *data = realm_data(realm_text_with(cases[i].old, cases[i].now));
        kn_library *library = NULL;
        char line[512] = "";
        assert_int_not_equal(kn_data_build(data, &library), KN_OK);
        assert_true(kn_data_message_count(data) > 0);
        (void)kn_data_message_print(data, 0, line, sizeof(line));
        if (strstr(line, cases[i].message) == NULL) {
            fail_msg("case %u: \"%s\" is not in \"%s\"", (unsigned)i, cases[i].message, line);
        }
        kn_data_destroy(data);
    }
}

// Copies ----------------------------------------------------------------------------

static void technology_is_saved_and_rolled_back(void **state)
{
    realm *r = *state;
    const kn_entity_id smithy = spawn(r, "Smithy", r->us), hall = spawn(r, "Hall", r->us);
    const kn_entity_id footman = spawn(r, "Footman", r->us);
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, upgrade(r, "Blades"), 1), KN_OK);
    assert_int_equal(kn_rts_research(r->world, smithy, upgrade(r, "Blades")), KN_OK);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    step_s(r, 5);
    size_t size, save_size;
    void *snapshot = snapshot_of(r->world, &size), *save = save_of(r->world, &save_size);
    step_s(r, 40);
    const uint64_t hash = kn_world_hash(r->world);
    assert_true(value(r, footman, "Combat.Damage") == 15);
    snapshot_restore(r->world, snapshot, size);
    assert_true(value(r, footman, "Combat.Damage") == 12);
    assert_true(value(r, r->us, "Crowd.Used") == 4);
    step_s(r, 40);
    assert_int_equal(kn_world_hash(r->world), hash);
    kn_world *copy = realm_world(r->library, false);
    kn_grid *grid;
    kn_grid_def def = kn_grid_def_default();
    def.world = copy;
    assert_int_equal(kn_grid_create(&def, &grid), KN_OK);
    kn_world_set_space(copy, kn_grid_space(grid));
    save_load(copy, save, save_size);
    assert_int_equal(kn_world_step(copy, KN_S(40)), KN_OK);
    assert_int_equal(kn_world_hash(copy), hash);
    kn_grid_destroy(grid);
    kn_world_destroy(copy);
    free(snapshot);
    free(save);
}

// A damaged save may say that the hook of an upgrade runs: nothing waits for it.
static void an_upgrade_waits_for_no_hook_of_a_save(void **state)
{
    realm *r = *state;
    const kn_component_type_id type = kn_component_find(r->library, "Knack.RtsUpgrades");
    const kn_component_def *def = kn_component_get_def(r->library, type);
    const kn_rts_upgrade_id blades = upgrade(r, "Blades");
    uint32_t count;
    size_t size;
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 1), KN_OK);
    uint8_t *item = kn_component_items(r->world, type, r->us, &count);
    assert_int_equal(count, 1);
    assert_string_equal(def->item_fields[3].name, "busy");
    memcpy(item + def->item_fields[3].offset, &(uint32_t){1}, sizeof(uint32_t));
    step_s(r, 1);
    void *save = save_of(r->world, &size);
    kn_world *copy = realm_world(r->library, false);
    save_load(copy, save, size);
    assert_int_equal(kn_rts_set_upgrade(copy, r->us, blades, 2), KN_OK);
    assert_int_equal(kn_rts_upgrade_level_of(copy, r->us, blades), 2);
    assert_int_equal(kn_rts_set_upgrade(copy, r->us, blades, 0), KN_OK);
    assert_int_equal(kn_rts_upgrades(copy, r->us, NULL, 0), 0);
    kn_world_destroy(copy);
    free(save);
}

// RTS-268: clients see the attributes of units, and the owner its upgrades.
static void clients_see_upgrades_of_their_own_player(void **state)
{
    realm *r = *state;
    const kn_entity_id smithy = spawn(r, "Smithy", r->us), footman = spawn(r, "Footman", r->us);
    const kn_entity_id all[] = {r->us, r->them, smithy, footman};
    const kn_rts_upgrade_id blades = upgrade(r, "Blades");
    kn_rts_research_info info;
    kn_rts_upgrade_info list;
    assert_int_equal(kn_rts_set_upgrade(r->world, r->us, blades, 1), KN_OK);
    gain(r, r->us, "Tech.Hall");
    assert_int_equal(kn_rts_research(r->world, smithy, blades), KN_OK);
    kn_world *owner = realm_world(r->library, true), *other = realm_world(r->library, true);
    project(r->world, owner, all, 4, KN_VIEWER_OWNER);
    project(r->world, other, all, 4, KN_VIEWER_OTHERS);
    assert_int_equal(kn_rts_upgrade_level_of(owner, r->us, blades), 1);
    assert_int_equal(kn_rts_upgrades(owner, r->us, &list, 1), 1);
    assert_int_equal(list.researched_level, 2);
    assert_false(kn_rts_can_research(owner, smithy, blades, &info));
    assert_int_equal(info.why_not & KN_RTS_RESEARCH_RUNS, KN_RTS_RESEARCH_RUNS);
    assert_true(info.terms.costs[0].amount == 150);
    assert_int_equal(kn_rts_upgrade_level_of(other, r->us, blades), 0);
    const kn_attribute_id damage = attribute(r, "Combat.Damage");
    assert_true(kn_attribute_value(owner, footman, damage) == 12);
    assert_true(kn_attribute_value(other, footman, damage) == 12);
    assert_int_equal(kn_world_step(owner, KN_S(60)), KN_OK); // what follows is for the authority
    assert_int_equal(kn_rts_upgrade_level_of(owner, r->us, blades), 1);
    kn_world_destroy(owner);
    kn_world_destroy(other);
}

static const struct CMUnitTest tests[] = {
    TEST(an_upgrade_changes_all_units_present_and_future),
    TEST(an_upgrade_gives_the_player_tags_by_level),
    TEST(upgrades_of_a_player_are_listed_and_published),
    TEST(an_instant_effect_is_executed_when_the_level_rises),
    TEST(bad_calls_about_upgrades_are_refused),
    TEST(research_costs_what_its_level_costs_and_takes_its_time),
    TEST(only_one_building_researches_an_upgrade),
    TEST(research_says_all_that_is_against_it),
    TEST(the_card_shows_price_and_reasons_of_research),
    TEST(a_level_that_is_set_cancels_the_research_of_it),
    TEST(research_ends_with_its_building),
    TEST(research_does_not_change_sides),
    cmocka_unit_test(what_a_hook_sets_takes_effect_when_it_is_done),
    TEST(units_give_their_owner_tags_while_one_of_them_lives),
    TEST(a_building_gives_tags_when_it_is_finished),
    TEST(a_unit_survives_the_end_of_its_owner),
    TEST(a_product_needs_what_its_requirement_says),
    TEST(a_query_has_a_text_for_players),
    TEST(an_ability_is_learned_with_its_technology),
    TEST(an_order_needs_its_technology),
    TEST(a_requirement_can_be_asked_by_name),
    TEST(a_price_is_paid_whole_or_not_at_all),
    TEST(a_player_gives_to_another),
    TEST(amounts_that_are_rounded_are_paid),
    cmocka_unit_test(bad_definitions_are_reported),
    TEST(technology_is_saved_and_rolled_back),
    TEST(an_upgrade_waits_for_no_hook_of_a_save),
    TEST(clients_see_upgrades_of_their_own_player),
};

TEST_GROUP(rts_tech, tests, NULL, NULL);
