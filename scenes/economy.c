// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A market of twelve houses. Stores keep their proportion when a warehouse grows; goods are keyed
// instances of one set; prices are transient values with taxes and favours; trade is an event that
// runs through the pipeline and may be embargoed; ledgers are extension components.

#include "scene_tools.h"

#include <stddef.h>
#include <string.h>

#define HOUSES 12
#define GOODS 3

enum {
    TIMER_TRADE = 1,
    TIMER_YEAR,
    TIMER_POLITICS,
};

enum {
    STREAM_TRADE,
    STREAM_YEAR,
    STREAM_POLITICS,
};

typedef struct ledger {
    kn_entity_id partner; // of the last trade
    kn_time last;
    float turnover;
    uint32_t trades;
} ledger;

typedef struct ledger_line {
    uint32_t good;
    float price;
} ledger_line;

static kn_attribute_id stock(const kn_world *world)
{
    return rule_attribute(world, "Good.Stock");
}

// Notes a trade: the last few lines are kept.
static void write_ledger(kn_world *world, kn_entity_id house, kn_entity_id partner, float price)
{
    kn_component_type_id type = kn_component_find(kn_world_library(world), "Ledger");
    ledger *book = kn_component_add(world, type, house);
    if (book == NULL) {
        return;
    }
    book->partner = partner;
    book->last = kn_world_now(world);
    book->turnover += price;
    book->trades++;
    uint32_t trades = book->trades;
    ledger_line *lines = kn_component_resize(world, type, house, 1 + trades % 5);
    if (lines != NULL) {
        lines[trades % 5].good = trades;
        lines[trades % 5].price = price;
    }
}

// A trade that passed its gates: gold changes hands.
static void carry_out(void *user, kn_world *world, const kn_event_record *record, float magnitude)
{
    (void)user;
    kn_attribute_id gold = rule_attribute(world, "House.Gold");
    float held = kn_attribute_base(world, record->instigator, gold);
    float price = magnitude < held ? magnitude : held;
    (void)kn_attribute_set_base(world, record->instigator, gold, 0, held - price);
    float other = kn_attribute_base(world, record->target, gold);
    (void)kn_attribute_set_base(world, record->target, gold, 0, other + price);
    write_ledger(world, record->instigator, record->target, price);
}

// Favours count for friends only, and more for large trades.
static bool is_friend(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    if (record->magnitude > 30.0f) {
        answer->magnitude *= 0.9f;
    }
    return kn_entity_has_tag(world, record->target, rule_tag(world, "House.Friend"));
}

static uint32_t find_rich(void *user, const kn_world *world, kn_entity_id source,
    const kn_vec3 *origin, kn_entity_id *out, uint32_t capacity)
{
    (void)user;
    (void)source;
    (void)origin;
    uint32_t count = 0;
    kn_entity_id house = kn_entity_next(world, (kn_entity_id){0});
    for (; !kn_entity_id_is_null(house) && count < capacity; house = kn_entity_next(world, house)) {
        if (kn_attribute_value(world, house, rule_attribute(world, "House.Gold")) > 150.0f) {
            out[count++] = house;
        }
    }
    return count;
}

static kn_time trade(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    (void)data;
    kn_entity_id buyer = rule_random_entity(world, STREAM_TRADE);
    kn_entity_id seller = rule_random_entity(world, STREAM_TRADE);
    uint32_t good = kn_random_below(world, STREAM_TRADE, GOODS);
    float amount = (float)(1 + kn_random_below(world, STREAM_TRADE, 9));
    float held = kn_attribute_base_keyed(world, seller, stock(world), good);
    if (held < amount) {
        return KN_MS(11);
    }
    kn_tag tags[2] = {rule_tag(world, "Trade.Grain"), rule_tag(world, "Trade.Luxury.Silk")};
    kn_event_record record = kn_event_record_default();
    record.kind = kn_event_kind_find(kn_world_library(world), "Trade");
    record.instigator = buyer;
    record.target = seller;
    record.magnitude = amount * (2.0f + (float)good);
    record.tags = (kn_tags){&tags[good % 2], 1};
    kn_event_outcome outcome;
    if (kn_event_run(world, &record, &outcome) == KN_OK) {
        float bought = kn_attribute_base_keyed(world, buyer, stock(world), good);
        (void)kn_attribute_set_base(world, seller, stock(world), good, held - amount);
        (void)kn_attribute_set_base(world, buyer, stock(world), good, bought + amount);
    } else {
        (void)kn_entity_add_tag(
            world, buyer, rule_tag(world, "House.Slighted"), KN_TAG_ORIGIN_LOOSE, 1);
    }
    return KN_MS(23) + KN_US(kn_random_below(world, STREAM_TRADE, 7001));
}

// Harvests, taxes on the rich, warehouses that come and go.
static kn_time turn_the_year(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    uint32_t year;
    rule_recall(&year, data, sizeof year);
    year++;
    rule_keep(data, &year, sizeof year);
    kn_entity_id house = rule_random_entity(world, STREAM_YEAR);
    (void)rule_apply(world, year % 2 == 0 ? "Warehouse" : "Harvest", house, house, 1.0f);

    kn_caller_value rate = {rule_tag(world, "Data.Rate"), 0.05f * (float)(year % 3)};
    kn_container_value value = {rule_effect(world, "Tax"), rate};
    kn_container_apply_def levy = kn_container_apply_def_default();
    levy.container = kn_container_find(kn_world_library(world), "Levy");
    levy.source = rule_entity(world, 0);
    levy.values = &value;
    levy.value_count = 1;
    (void)kn_container_apply(world, &levy, NULL);

    kn_attribute_set_id goods = kn_attribute_set_find(kn_world_library(world), "Good");
    if (kn_attribute_set_has(world, house, goods, 1)) {
        (void)kn_attribute_set_remove(world, house, goods, 1);
    } else if (kn_attribute_set_add(world, house, goods, 1) == KN_OK) {
        (void)kn_attribute_init_group(world, house, "Newcomer", 1 + year % 2, 1);
    }
    return KN_MS(470);
}

static kn_time do_politics(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    (void)data;
    static const char *const acts[] = {"Embargo", "Favour", "Guild", "Toll", "Guild"};
    kn_entity_id a = rule_random_entity(world, STREAM_POLITICS);
    kn_entity_id b = rule_random_entity(world, STREAM_POLITICS);
    uint32_t act = kn_random_below(world, STREAM_POLITICS, COUNT_OF(acts));
    float level = (float)(1 + kn_random_below(world, STREAM_POLITICS, 2));
    (void)rule_apply(world, acts[act], a, b, level);
    kn_tag slighted = rule_tag(world, "House.Slighted");
    if (kn_entity_tag_count(world, b, slighted) > 2) {
        (void)kn_entity_set_tag_count(world, b, slighted, KN_TAG_ORIGIN_LOOSE, 0);
        (void)kn_entity_add_loose_tag(
            world, b, rule_tag(world, "House.Friend"), KN_TAG_SYNC_COUNT_ALL);
    }
    return KN_MS(310) + KN_US(kn_random_below(world, STREAM_POLITICS, 20011));
}

static void declare_sets(scene_builder *builder)
{
    kn_attribute_def house[] = {
        scene_attribute("Coffers", 400.0f),
        scene_pool("Gold", 100.0f, "Coffers", KN_LINK_KEEP),
        scene_attribute("Renown", 1.0f),
        scene_attribute("Servants", 3.0f),
        scene_attribute("Founded", 1400.0f),
        scene_attribute("Skill", 1.0f),
    };
    house[1].rounding = KN_ROUND_DOWN;
    house[1].no_modifiers = true;
    house[2].profile = kn_value_profile_combat();
    house[3].rounding = KN_ROUND_HALF_TO_BASE;
    house[3].minimum_one = true;
    house[4].is_static = true;
    house[4].has_random = true;
    house[4].random_min = 1200.0f;
    house[4].random_max = 1500.0f;
    scene_set(builder, "House", house, COUNT_OF(house), NULL);

    kn_attribute_def good[] = {
        scene_attribute("Room", 100.0f),
        scene_pool("Stock", 40.0f, "Room", KN_LINK_PROPORTION),
    };
    good[0].base_min = kn_limit_constant(1.0f);
    good[0].min = kn_limit_constant(1.0f);
    scene_set(builder, "Good", good, COUNT_OF(good), NULL);

    static const kn_attribute_row rows[] = {
        {"Newcomer", "Good.Room", 1, 60.0f},
        {"Newcomer", "Good.Stock", 1, 20.0f},
        {"Newcomer", "Good.Room", 2, 90.0f},
        {"Newcomer", "Good.Stock", 2, 30.0f},
        {"Old", "House.Gold", 1, 120.0f},
        {"Old", "House.Renown", 1, 2.0f},
    };
    if (builder->result == KN_OK) {
        scene_note(builder,
            kn_attribute_table_register(builder->library, rows, COUNT_OF(rows), &builder->error));
    }
}

static void declare_trade(scene_builder *builder)
{
    if (builder->result != KN_OK) {
        return;
    }
    kn_value_id price = {0}, fee = {0};
    kn_value_def value = kn_value_def_default();
    value.name = "Price";
    value.rounding = KN_ROUND_HALF_AWAY;
    value.minimum_one = true;
    value.factor = scene_find_attribute(builder, "House.Skill");
    scene_note(builder, kn_value_register(builder->library, &value, &price, &builder->error));
    value = kn_value_def_default();
    value.name = "Fee";
    value.has_max = true;
    value.max = 60.0f;
    scene_note(builder, kn_value_register(builder->library, &value, &fee, &builder->error));
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Trade";
    kind.tag = scene_tag(builder, "Event.Trade");
    kind.outgoing = price;
    kind.incoming = fee;
    kind.apply = carry_out;
    kn_event_kind_id id = {0};
    kn_condition_id friendly = {0};
    if (builder->result == KN_OK) {
        scene_note(builder, kn_event_kind_register(builder->library, &kind, &id, &builder->error));
        scene_note(builder, kn_condition_register(builder->library, "Friend", is_friend, NULL,
                                &friendly, &builder->error));
    }

    kn_tag luxury = scene_tag(builder, "Trade.Luxury");
    kn_gate_def no_luxury = {.kind = id};
    no_luxury.record.required = ONE_TAG(luxury);
    kn_effect_def embargo = scene_effect_def("Embargo", KN_DURATION_TIMED, 1.5f);
    embargo.gates = &no_luxury;
    embargo.gate_count = 1;
    embargo.stacking.kind = KN_STACK_BY_TARGET;
    embargo.stacking.limit = kn_constant(1.0f);
    scene_effect(builder, &embargo);

    kn_modifier_def cheaper = kn_modifier_def_default();
    cheaper.value = price;
    cheaper.op = KN_OP_MULTIPLY;
    cheaper.magnitude = kn_magnitude_constant(0.9f);
    cheaper.condition = friendly;
    scene_simple_effect(builder, "Favour", KN_DURATION_TIMED, 2.4f, cheaper);

    kn_tag grain = scene_tag(builder, "Trade.Grain");
    kn_modifier_def dearer = kn_modifier_def_default();
    dearer.value = fee;
    dearer.op = KN_OP_ADD;
    dearer.magnitude = kn_magnitude_constant(3.0f);
    dearer.event.required = ONE_TAG(grain);
    dearer.scaling = KN_STACK_SCALING_YES;
    kn_gate_def no_export = {.kind = id, .as_instigator = true};
    kn_tag slighted = scene_tag(builder, "House.Slighted");
    no_export.source_any = ONE_TAG(slighted);
    kn_effect_def toll = scene_effect_def("Toll", KN_DURATION_TIMED, 1.9f);
    toll.modifiers = &dearer;
    toll.modifier_count = 1;
    toll.gates = &no_export;
    toll.gate_count = 1;
    toll.stacking.kind = KN_STACK_BY_TARGET;
    toll.stacking.own_timers = true;
    scene_effect(builder, &toll);
}

static void declare_wealth(scene_builder *builder)
{
    kn_attribute_id gold = scene_find_attribute(builder, "House.Gold");
    kn_attribute_id room = scene_find_attribute(builder, "Good.Room");
    kn_attribute_id grain = scene_find_attribute(builder, "Good.Stock");
    kn_tag rate = scene_tag(builder, "Data.Rate");

    kn_modifier_def rooms[GOODS];
    for (uint32_t i = 0; i < GOODS; i++) {
        rooms[i] = kn_modifier_constant(room, KN_OP_MULTIPLY, 1.25f + 0.25f * (float)i);
        rooms[i].key = i;
    }
    kn_effect_def warehouse = scene_effect_def("Warehouse", KN_DURATION_TIMED, 3.1f);
    warehouse.modifiers = rooms;
    warehouse.modifier_count = GOODS;
    scene_effect(builder, &warehouse);

    kn_modifier_def crop[2] = {
        kn_modifier_constant(grain, KN_OP_ADD, 2.5f), kn_modifier_constant(grain, KN_OP_ADD, 1.5f)};
    crop[1].key = 1;
    kn_effect_def harvest = scene_effect_def("Harvest", KN_DURATION_TIMED, 2.0f);
    scene_every(&harvest, 0.25f);
    harvest.modifiers = crop;
    harvest.modifier_count = 2;
    scene_effect(builder, &harvest);

    kn_modifier_def due = kn_modifier_def_default();
    due.attribute = gold;
    due.op = KN_OP_MULTIPLY;
    due.magnitude = kn_magnitude_set_by_caller(rate);
    due.magnitude.scale = kn_constant(-1.0f);
    due.magnitude.post_add = kn_constant(1.0f);
    kn_effect_type_id tax = scene_simple_effect(builder, "Tax", KN_DURATION_INSTANT, 0.0f, due);
    kn_container_def levy = kn_container_def_default();
    levy.name = "Levy";
    levy.target = KN_CONTAINER_CUSTOM;
    levy.targeting = find_rich;
    levy.effects = &tax;
    levy.effect_count = 1;
    kn_container_id container;
    if (builder->result == KN_OK) {
        scene_note(
            builder, kn_container_register(builder->library, &levy, &container, &builder->error));
    }

    kn_modifier_def guild[3] = {
        kn_modifier_constant(
            scene_find_attribute(builder, "House.Renown"), KN_OP_MULTIPLY_COMPOUND, 1.1f),
        kn_modifier_constant(scene_find_attribute(builder, "House.Servants"), KN_OP_ADD, 0.75f),
        kn_modifier_constant(scene_find_attribute(builder, "House.Skill"), KN_OP_ADD, -0.1f),
    };
    guild[0].scaling = KN_STACK_SCALING_YES;
    guild[2].group = scene_tag(builder, "Group.Skill");
    guild[2].has_limit_min = true;
    guild[2].limit_min = -0.15f;
    kn_effect_def member = scene_effect_def("Guild", KN_DURATION_TIMED, 2.7f);
    member.modifiers = guild;
    member.modifier_count = COUNT_OF(guild);
    member.stacking.kind = KN_STACK_BY_SOURCE;
    scene_effect(builder, &member);
}

static void declare_ledger(scene_builder *builder)
{
    static const kn_field fields[] = {
        KN_FIELD_INIT("partner", KN_FIELD_ENTITY, offsetof(ledger, partner), 1),
        KN_FIELD_INIT("last", KN_FIELD_TIME, offsetof(ledger, last), 1),
        KN_FIELD_INIT("turnover", KN_FIELD_F32, offsetof(ledger, turnover), 1),
        KN_FIELD_INIT("trades", KN_FIELD_U32, offsetof(ledger, trades), 1),
    };
    static const kn_field lines[] = {
        KN_FIELD_INIT("good", KN_FIELD_U32, offsetof(ledger_line, good), 1),
        KN_FIELD_INIT("price", KN_FIELD_F32, offsetof(ledger_line, price), 1),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Ledger";
    def.size = sizeof(ledger);
    def.fields = fields;
    def.field_count = COUNT_OF(fields);
    def.item_size = sizeof(ledger_line);
    def.item_fields = lines;
    def.item_field_count = COUNT_OF(lines);
    kn_component_type_id type;
    if (builder->result == KN_OK) {
        scene_note(builder, kn_component_register(builder->library, &def, &type, &builder->error));
    }
}

static void declare(scene_builder *builder)
{
    scene_tag(builder, "House.Friend");
    scene_tag(builder, "House.Slighted");
    scene_tag(builder, "Trade.Luxury.Silk");
    declare_sets(builder);
    declare_trade(builder);
    declare_wealth(builder);
    declare_ledger(builder);
    scene_timer(builder, TIMER_TRADE, "Trade", trade);
    scene_timer(builder, TIMER_YEAR, "Year", turn_the_year);
    scene_timer(builder, TIMER_POLITICS, "Politics", do_politics);
}

static void populate(scene_stage *stage)
{
    for (uint32_t i = 0; i < HOUSES; i++) {
        kn_entity_id house = scene_actor(stage, "House");
        for (uint32_t good = 0; good < GOODS && stage->result == KN_OK; good++) {
            scene_act(stage, kn_attribute_set_add(stage->world, house,
                                 kn_attribute_set_find(stage->library, "Good"), good));
        }
        if (i % 3 == 0 && stage->result == KN_OK) {
            scene_act(stage, kn_attribute_init_group(stage->world, house, "Old", 1, 0));
            scene_act(
                stage, kn_entity_add_tag(stage->world, house,
                           kn_tag_find(stage->library, "House.Friend"), KN_TAG_ORIGIN_LOOSE, 1));
        }
    }
    scene_start_timer(stage, TIMER_TRADE, (kn_entity_id){0}, KN_MS(20));
    scene_start_timer(stage, TIMER_YEAR, (kn_entity_id){0}, KN_MS(200));
    scene_start_timer(stage, TIMER_POLITICS, (kn_entity_id){0}, KN_MS(150));
}

const scene_info scene_economy = {
    .name = "economy",
    .summary = "a market with stores, prices and embargoes",
    .declare = declare,
    .populate = populate,
    .seconds = 20,
};
