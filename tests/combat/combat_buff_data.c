// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Buffs, dispels, diminishing returns, procs and auras as designers write them.

#include "group.h"

#include <knack/combat.h>
#include <knack/data.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char content[] =
    "kits: [combat]\n"
    "tags: [Dispel.Magic, School.Fire, Control.Stun, State.Dead, Knack.Dispel.Cleanse,\n"
    "  Knack.Proc.Parry]\n"
    "attribute_sets:\n"
    "  Vitals: {attributes: {Health: {default_value: 1000, min: 0}, Mana: {default_value: 100},\n"
    "    Power: {default_value: 2}}}\n"
    "combat:\n"
    "  Rules: {health: Vitals.Health, dead: State.Dead}\n"
    "effects:\n"
    "  Shield: {duration: 30, parameters: {Amount: 300}}\n"
    "  ManaShield: {duration: infinite}\n"
    "  Link: {duration: infinite}\n"
    "  Stun: {duration: 4, duration_value: Knack.Duration, asset_tags: Control.Stun}\n"
    "  Gain: {modifiers: {Vitals.Power: 1}}\n"
    "  Surge: {duration: infinite}\n"
    "  Devotion: {duration: infinite}\n"
    "  Armor: {duration: infinite}\n"
    "conditions:\n"
    "  Strong: {expression: event.magnitude > 10}\n"
    "abilities:\n"
    "  Talent: {body: use}\n"
    "diminishing:\n"
    "  Stuns: {factors: [1, 0.65, 0.4, 0], cap: 8, reset: 18, targets: {ignored: State.Dead}}\n"
    "buffs:\n"
    "  Shield:\n"
    "    dispel_type: Dispel.Magic\n"
    "    resistance: 0.25\n"
    "    absorb: {amount: $Amount, share: 0.9, priority: 2, again: sum,\n"
    "      hits: {required: School.Fire}}\n"
    "  ManaShield: {absorb: {pays: Vitals.Mana, points: 2}}\n"
    "  Link: {polarity: hidden, shares: {part: 0.3, to: instigator}, reflects: {part: 0.1},\n"
    "    removed_on_death: false}\n"
    "  Stun: {polarity: debuff, breaks_after: 50, diminishing: Stuns}\n"
    "dispels:\n"
    "  Cleanse: {polarity: [debuff, hidden], types: Dispel.Magic, count: 2,\n"
    "    on: Knack.Dispel.Cleanse, steals: true}\n"
    "procs:\n"
    "  Surge:\n"
    "    on: [hit_done, use_ends]\n"
    "    chance: 0.1 * source.Vitals.Power\n"
    "    cooldown: 3\n"
    "    random: accumulating\n"
    "    condition: Strong\n"
    "    tags: {required: School.Fire}\n"
    "    abilities: [Talent]\n"
    "    actions: [{effect: Gain}, {effect: Stun, to: other, no_procs: true}]\n"
    "  Talent: {on: event, per_minute: 2, charges: 3, random: bad_luck,\n"
    "    actions: [{event: Knack.Proc.Parry, to: source}]}\n"
    "auras:\n"
    "  Devotion: {effect: Armor, radius: 10 * source.Vitals.Power, condition: Strong,\n"
    "    includes_self: true, interval: 1, linger: 2}\n";

static kn_library *library_of(const char *text, const char *words)
{
    static const kn_kit kits[] = {{"combat", kn_combat_register}};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library = NULL;
    def.kits = kits;
    def.kit_count = 1;
    def.warn = false;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "combat.yaml", text, strlen(text)), KN_OK);
    kn_result result = kn_data_build(data, &library);
    bool is_said = false;
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        kn_data_message message = kn_data_message_at(data, i);
        if (words == NULL) {
            print_error("%u:%u %s\n", message.line, message.column, message.text);
        } else {
            is_said |= strstr(message.text, words) != NULL;
        }
    }
    assert_int_equal(result, words == NULL ? KN_OK : KN_ERROR_BAD_DATA);
    assert_true(words == NULL || is_said);
    kn_data_destroy(data);
    return library;
}

static void everything_can_be_written_in_data_files(void **state)
{
    (void)state;
    kn_library *library = library_of(content, NULL);
    const kn_buff_def *shield =
        kn_buff_get_def(library, kn_buff_of(library, kn_effect_type_find(library, "Shield")));
    assert_true(shield->absorb.share == 0.9f && shield->absorb.priority == 2);
    assert_true(shield->absorb.again == KN_ABSORB_SUM && shield->removed_on_death);
    assert_string_equal(kn_tag_name(library, shield->dispel_type), "Dispel.Magic");
    const kn_buff_def *link =
        kn_buff_get_def(library, kn_buff_of(library, kn_effect_type_find(library, "Link")));
    assert_true(link->polarity == KN_POLARITY_HIDDEN && !link->removed_on_death);
    assert_true(link->shares.to == KN_RECIPIENT_INSTIGATOR);
    const kn_dispel_def *cleanse = kn_def_get(library, kn_kind_find(library, "dispel"), 1);
    assert_int_equal(cleanse->polarity, KN_POLARITY_BIT_DEBUFF | KN_POLARITY_BIT_HIDDEN);
    assert_true(cleanse->steals && cleanse->types.count == 1);
    const kn_diminishing_def *stuns = kn_def_get(library, kn_kind_find(library, "diminishing"), 1);
    assert_true(stuns->factor_count == 4 && stuns->factors[1].value == 0.65f);
    assert_true(stuns->cap == 8.0f && stuns->reset == 18.0f);
    const kn_proc_def *surge = kn_proc_get_def(library, (kn_proc_id){1});
    assert_int_equal(surge->on, KN_PROC_HIT_DONE | KN_PROC_USE_ENDS);
    assert_true(surge->random == KN_PROC_ACCUMULATING && surge->action_count == 2);
    assert_true(surge->actions[1].to == KN_PROC_TO_OTHER && surge->actions[1].no_procs);
    assert_true(surge->ability_count == 1 && surge->depth == 4);
    const kn_aura_def *aura = kn_def_get(library, kn_kind_find(library, "aura"), 1);
    assert_true(aura->includes_self && aura->interval == 1.0f && aura->linger == 2.0f);
    kn_library_destroy(library);
}

static void what_was_written_acts(void **state)
{
    (void)state;
    kn_library *library = library_of(content, NULL);
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    kn_entity_id entities[2];
    def.library = library;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_entity_create(world, &entities[i]), KN_OK);
        assert_int_equal(
            kn_attribute_set_add(world, entities[i], kn_attribute_set_find(library, "Vitals"), 0),
            KN_OK);
        assert_int_equal(
            kn_attribute_set_add(world, entities[i], kn_attribute_set_find(library, "Hit"), 0),
            KN_OK);
    }
    kn_effect_id shield;
    assert_int_equal(kn_effect_apply_simple(world, kn_effect_type_find(library, "Shield"),
                         entities[0], entities[1], 1.0f, &shield),
        KN_OK);
    kn_buff_info info;
    assert_true(kn_buff_get(world, shield, &info));
    assert_true(info.absorb_left == 300.0f); // the parameter of its effect
    kn_tag fire = kn_tag_find(library, "School.Fire");
    kn_hit_def hit = kn_hit_def_default();
    kn_hit took;
    hit.source = entities[0];
    hit.target = entities[1];
    hit.amount = 100.0f;
    hit.tags = (kn_tags){&fire, 1};
    assert_int_equal(kn_hit_run(world, &hit, &took), KN_OK);
    assert_true(fabsf(took.absorbed - 90.0f) < 0.001f);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void mistakes_are_reported_with_a_remedy(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"kits: [combat]\nbuffs: {Nowhere: {}}\n", "write effect:"},
        {"kits: [combat]\neffects: {A: {duration: 1}}\nprocs: {A: {charges: 2}}\n", "on: hit_done"},
        {"kits: [combat]\neffects: {A: {duration: 1}}\nauras: {A: {radius: 3}}\n",
            "effect: DevotionArmor"},
        {"kits: [combat]\ntags: [Clean]\ndispels: {A: {on: Clean}}\n", "Knack.Dispel.A"},
        {"kits: [combat]\neffects: {A: {duration: 1}}\nbuffs: {A: {polarity: good}}\n", "good"},
        {"kits: [combat]\ndiminishing: {A: {reset: -1}}\n", "at least 0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_null(library_of(rows[i].text, rows[i].words));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(everything_can_be_written_in_data_files),
    cmocka_unit_test(what_was_written_acts),
    cmocka_unit_test(mistakes_are_reported_with_a_remedy),
};

TEST_GROUP(combat_buff_data, tests, NULL, NULL);
