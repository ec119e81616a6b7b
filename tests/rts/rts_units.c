// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Units: what they begin with, attributes from tables, tags of parts and of players.

#include "rts/rts_test.h"

typedef struct body_data {
    uint32_t flies, swims;
} body_data;

typedef struct game {
    fixture f;
    kn_attribute_set_id vitals, combat;
    kn_attribute_id health, max_health, damage, multiplier;
    kn_component_type_id body;
    kn_tag name, flies, swims, own_tag, hero_tag;
    kn_ability_type_id shoot, heal, bomb;
    kn_rts_unit_def def;
    kn_rts_unit_type_id type;
    char log[512]; // what hooks have seen, in order
    bool drops_damage;
} game;

static void say(game *g, const char *word)
{
    size_t length = strlen(g->log);
    (void)snprintf(g->log + length, sizeof(g->log) - length, "%s%s", length > 0 ? " " : "", word);
}

// Health is limited by MaxHealth, which comes after it, so that the order of reading matters.
static game *game_open(void)
{
    static const kn_field fields[] = {
        KN_FIELD(body_data, flies, KN_FIELD_U32),
        KN_FIELD(body_data, swims, KN_FIELD_U32),
    };
    game *g = calloc(1, sizeof(*g));
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_component_def body = kn_component_def_default();
    assert_non_null(g);
    fixture_open(&g->f);
    attributes[0].name = "Health";
    attributes[0].base_min = kn_limit_constant(0);
    attributes[0].base_max = kn_limit_attribute("MaxHealth");
    attributes[0].max = kn_limit_attribute("MaxHealth");
    attributes[1].name = "MaxHealth";
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 2;
    assert_int_equal(kn_attribute_set_register(g->f.library, &set, &g->vitals, NULL), KN_OK);
    g->combat = set_add(&g->f, "Combat", "Damage Multiplier");
    g->health = attribute_named(&g->f, "Vitals.Health");
    g->max_health = attribute_named(&g->f, "Vitals.MaxHealth");
    g->damage = attribute_named(&g->f, "Combat.Damage");
    g->multiplier = attribute_named(&g->f, "Combat.Multiplier");
    body.name = "Body";
    body.size = sizeof(body_data);
    body.fields = fields;
    body.field_count = 2;
    assert_int_equal(kn_component_register(g->f.library, &body, &g->body, NULL), KN_OK);
    g->name = tag_named(&g->f, "Unit.FactionA.Rifleman");
    g->flies = tag_named(&g->f, "Test.CanFly");
    g->swims = tag_named(&g->f, "Test.CanSwim");
    g->own_tag = tag_named(&g->f, "Test.Own");
    g->hero_tag = tag_named(&g->f, "Test.Hero");
    g->shoot = ability_add(&g->f, "Shoot", 3);
    g->heal = ability_add(&g->f, "Heal", 3);
    g->bomb = ability_add(&g->f, "Bomb", 2);
    g->def = kn_rts_unit_def_default();
    g->def.name = "RiflemanOfA";
    g->def.name_tag = g->name;
    return g;
}

static kn_attribute_set_id both_sets[2];

static void game_begin(game *g)
{
    both_sets[0] = g->vitals;
    both_sets[1] = g->combat;
    g->def.sets = both_sets;
    g->def.set_count = 2;
    g->type = unit_type_add(&g->f, &g->def);
    world_begin(&g->f);
}

static void game_destroy(game *g)
{
    fixture_close(&g->f);
    free(g);
}

static float value(const game *g, kn_entity_id unit, kn_attribute_id attribute)
{
    return kn_attribute_value(g->f.world, unit, attribute);
}

static void row_add(game *g, const char *group, const char *attribute, uint32_t level, float number)
{
    const kn_attribute_row row = {group, attribute, level, number};
    assert_int_equal(kn_attribute_table_register(g->f.library, &row, 1, NULL), KN_OK);
}

// RTS-001, RTS-002, RTS-033, RTS-038, RTS-188, RTSV-T1, RTSV-T2, RTSV-T3, RTSV-T4
static void the_last_part_of_the_name_tag_is_the_group(void **state)
{
    game *g = game_open();
    (void)state;
    const kn_tag tags[] = {kn_rts_tag(g->f.library, KN_RTS_CAN_ATTACK),
        tag_named(&g->f, "Unit.Infantry.Rifleman"), tag_named(&g->f, "Buildings.B.Factory"),
        tag_named(&g->f, "Alone"), {0}};
    const char *const last[] = {"CanAttack", "Rifleman", "Factory", "Alone", ""};
    game_begin(g);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(kn_rts_tag_last_part(g->f.library, tags[i]), last[i]);
    }
    assert_string_equal(kn_rts_unit_group(g->f.library, g->type), "Rifleman");
    assert_string_equal(kn_rts_unit_group(g->f.library, (kn_rts_unit_type_id){0}), "");
    const kn_entity_id unit = unit_create(&g->f, g->type, g->f.us);
    assert_int_equal(kn_rts_unit_get_type(g->f.world, unit).index1, g->type.index1);
    assert_int_equal(kn_rts_unit_get_def(g->f.library, g->type)->name_tag.index1, g->name.index1);
    assert_int_equal(kn_rts_unit_find(g->f.library, "RiflemanOfA").index1, g->type.index1);
    assert_int_equal(kn_rts_unit_add(g->f.world, unit, g->type), KN_REFUSED_DUPLICATE);
    assert_int_equal(
        kn_rts_unit_add(g->f.world, g->f.us, (kn_rts_unit_type_id){9}), KN_ERROR_INVALID_ARGUMENT);
    game_destroy(g);
}

// RTS-022, RTS-034, RTS-036, RTS-037, RTS-039, RTSV-B1, RTSV-B2
static void attributes_are_read_from_three_forms_of_rows(void **state)
{
    game *g = game_open();
    float number;
    (void)state;
    (void)curve_add(&g->f, "Rifleman.Damage", (const float[]){10, 20, 30, 40, 50}, 5);
    (void)curve_add(&g->f, "Rifleman.Vitals.MaxHealth", (const float[]){100, 120}, 2);
    (void)curve_add(&g->f, "Rifleman.MaxHealth", (const float[]){1, 2}, 2); // the longer name wins
    (void)curve_add(&g->f, "Other.Multiplier", (const float[]){7}, 1);
    row_add(g, "Rifleman", "Combat.Damage", 2, 99); // for one level alone
    row_add(g, "Rifleman", "Vitals.Health", 1, 80);
    row_add(g, "Rifleman", "Combat.Multiplier", 0, 4); // no unit has level 0
    g->def.level = 1;
    game_begin(g);
    const kn_entity_id unit = unit_create(&g->f, g->type, g->f.us);
    assert_true(value(g, unit, g->damage) == 10);
    assert_true(value(g, unit, g->max_health) == 100);
    assert_true(value(g, unit, g->health) == 80); // although its limit comes later
    assert_true(value(g, unit, g->multiplier) == 0);
    assert_int_equal(kn_rts_read_attributes(g->f.world, unit, 2), KN_OK);
    assert_true(value(g, unit, g->damage) == 99);
    assert_true(value(g, unit, g->health) == 80); // no row for level 2
    assert_true(kn_rts_unit_table_value(g->f.library, g->type, g->damage, 5, &number));
    assert_true(number == 50);
    assert_true(kn_rts_unit_table_value(g->f.library, g->type, g->damage, 2, &number));
    assert_true(number == 99);
    assert_false(kn_rts_unit_table_value(g->f.library, g->type, g->multiplier, 1, &number));
    assert_true(number == 0);
    assert_false(
        kn_rts_unit_table_value(g->f.library, (kn_rts_unit_type_id){0}, g->damage, 1, &number));
    assert_true(number == 0);
    game_destroy(g);
}

static kn_result filter(void *user, const kn_hook_call *call)
{
    const game *g = user;
    kn_rts_filter_call *c = call->arguments;
    assert_null(call->writable);
    assert_int_equal(c->answer, 1);
    if (g->drops_damage && c->attribute.index1 == g->damage.index1) {
        c->answer = 0;
    }
    return KN_OK;
}

static void part_add(game *g, const kn_rts_part_def *part)
{
    assert_int_equal(kn_rts_part_register(g->f.library, part, NULL), KN_OK);
}

// RTS-035, RTS-060, RTSV-B6, RTSV-B7, RTSV-B8, RTS-117
static void parts_keep_attributes_from_being_read(void **state)
{
    game *g = game_open();
    kn_rts_part_def part = kn_rts_part_def_default();
    (void)state;
    (void)curve_add(&g->f, "Rifleman.Damage", (const float[]){10, 20, 30}, 3);
    (void)curve_add(&g->f, "Rifleman.Multiplier", (const float[]){3, 4}, 2);
    (void)curve_add(&g->f, "Rifleman.MaxHealth", (const float[]){100, 120}, 2);
    part.name = "CombatPart";
    part.set = g->combat;
    part.never = &g->multiplier;
    part.never_count = 1;
    part.may_initialize = (kn_hook){filter, g};
    part_add(g, &part);
    part = kn_rts_part_def_default();
    part.name = "VitalsPart";
    part.set = g->vitals;
    part.initial_only = &g->max_health;
    part.initial_only_count = 1;
    part.filled = &g->health;
    part.filled_count = 1;
    part_add(g, &part);
    game_begin(g);
    const kn_entity_id unit = unit_create(&g->f, g->type, g->f.us);
    assert_true(value(g, unit, g->multiplier) == 0);
    assert_true(value(g, unit, g->max_health) == 100);
    assert_true(value(g, unit, g->health) == 100); // filled
    assert_int_equal(kn_attribute_set_base(g->f.world, unit, g->health, 0, 40), KN_OK);
    assert_int_equal(kn_rts_read_attributes(g->f.world, unit, 2), KN_OK);
    assert_true(value(g, unit, g->health) == 40);
    assert_true(value(g, unit, g->max_health) == 100);
    assert_true(value(g, unit, g->multiplier) == 0);
    assert_true(value(g, unit, g->damage) == 20);
    g->drops_damage = true;
    assert_int_equal(kn_rts_read_attributes(g->f.world, unit, 3), KN_OK);
    assert_true(value(g, unit, g->damage) == 20);
    game_destroy(g);
}

static kn_result vitals_ready(void *user, const kn_hook_call *call)
{
    const kn_rts_init_call *c = call->arguments;
    game *g = user;
    assert_int_equal(c->is_initial, 1);
    // Attributes are there; everything else comes later.
    assert_true(kn_attribute_value(call->world, call->entity, g->damage) == 10);
    assert_int_equal(kn_abilities_find(call->world, call->entity, NULL, NULL, 0), 0);
    assert_false(kn_rts_can_level(call->world, call->entity));
    say(g, "attributes");
    return KN_OK;
}

static void heal_granted(const kn_ability_call *call)
{
    game *g = call->user;
    kn_ability_info info;
    // Experience and starting abilities are there, tags are not.
    assert_true(kn_rts_experience(call->world, call->owner) == 100);
    assert_int_equal(kn_rts_ability_level_of(call->world, call->owner, g->shoot), 1);
    assert_false(kn_entity_has_tag(call->world, call->owner, g->own_tag));
    assert_true(kn_ability_get(call->world, call->ability, &info));
    assert_true(info.level == 2);
    say(g, "abilities");
}

static kn_result provide_own(void *user, const kn_hook_call *call)
{
    game *g = user;
    kn_rts_provide_call *c = call->arguments;
    assert_null(call->writable);
    assert_int_equal(kn_rts_ability_level_of(call->world, call->entity, g->shoot), 1);
    assert_false(kn_entity_has_tag(call->world, call->entity, g->own_tag));
    say(g, "provide");
    c->tags[c->count++] = g->swims;
    return KN_OK;
}

// RTS-003, RTS-005, RTS-009, RTS-027, RTS-029, RTS-032, RTS-040, RTS-154, RTS-157, RTS-159, RTS-272
static void units_begin_in_a_stated_order(void **state)
{
    game *g = game_open();
    (void)state;
    kn_ability_def heal = kn_ability_def_default();
    kn_ability_type_id told;
    heal.name = "ToldHeal";
    heal.granted = heal_granted;
    heal.user = g;
    assert_int_equal(kn_ability_register(g->f.library, &heal, &told, NULL), KN_OK);
    kn_rts_ability_def rise = kn_rts_ability_def_default();
    rise.name = "ToldHeal";
    rise.max_level = 2;
    assert_int_equal(kn_rts_ability_register(g->f.library, &rise, NULL), KN_OK);
    (void)curve_add(&g->f, "Rifleman.Damage", (const float[]){5, 10}, 2);
    const kn_ability_type_id abilities[] = {g->shoot, told};
    const kn_rts_ability_level levels[] = {{told, 7}, {g->bomb, 2}}; // 7 is more than it has
    const kn_tag player_tag = tag_named(&g->f, "Player.Upgrade");
    g->def.abilities = abilities;
    g->def.ability_count = 2;
    g->def.initial_levels = levels;
    g->def.initial_level_count = 2;
    g->def.initial_tags = (kn_tags){&g->own_tag, 1};
    g->def.player_tags = (kn_tags){&player_tag, 1};
    g->def.can_level = true;
    g->def.max_level = 3;
    g->def.level = 2;
    g->def.experience_per_level = kn_constant(100);
    g->def.initialized = (kn_hook){vitals_ready, g};
    g->def.provide = (kn_hook){provide_own, g};
    game_begin(g);
    gain(&g->f, g->f.us, player_tag);
    const kn_entity_id unit = unit_create(&g->f, g->type, g->f.us);
    assert_string_equal(g->log, "attributes abilities provide");
    assert_int_equal(kn_abilities_find(g->f.world, unit, NULL, NULL, 0), 3);
    assert_int_equal(kn_rts_ability_level_of(g->f.world, unit, told), 2);
    assert_int_equal(kn_rts_ability_level_of(g->f.world, unit, g->bomb), 2);
    const kn_tag all[] = {
        g->name, g->own_tag, g->swims, player_tag, kn_rts_tag(g->f.library, KN_RTS_ALIVE)};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(
            kn_entity_tag_count_origin(g->f.world, unit, all[i], KN_TAG_ORIGIN_LOOSE_SYNCED), 1);
    }
    game_destroy(g);
}

static kn_result provide_body(void *user, const kn_hook_call *call)
{
    game *g = user;
    kn_rts_provide_call *c = call->arguments;
    const body_data *body = kn_component_read(call->world, g->body, call->entity);
    assert_int_equal(c->count, 0); // it cannot see what others have provided
    c->tags[c->count++] = kn_rts_tag(kn_world_library(call->world), KN_RTS_MOVABLE);
    if (body->flies != 0) {
        c->tags[c->count++] = g->flies;
    }
    if (body->swims != 0) {
        c->tags[c->count++] = g->swims;
    }
    say(g, "component");
    return KN_OK;
}

static kn_result provide_set(void *user, const kn_hook_call *call)
{
    (void)call;
    say(user, "set");
    return KN_OK;
}

static kn_result provide_unit(void *user, const kn_hook_call *call)
{
    game *g = user;
    kn_rts_provide_call *c = call->arguments;
    c->tags[c->count++] = g->own_tag;
    c->tags[c->count++] = g->flies; // twice is once
    say(g, "unit");
    return KN_OK;
}

// RTS-008, RTS-118, RTS-123, RTS-154, RTS-155, RTS-156, RTS-158, RTSV-B14, RTSV-B15, RTSV-B16
static void sets_components_and_the_unit_provide_tags(void **state)
{
    game *g = game_open();
    kn_rts_part_def part = kn_rts_part_def_default();
    (void)state;
    const kn_tag can_attack = kn_rts_tag(g->f.library, KN_RTS_CAN_ATTACK);
    part.name = "BodyPart";
    part.component = g->body;
    part.provide = (kn_hook){provide_body, g};
    part_add(g, &part);
    part = kn_rts_part_def_default();
    part.name = "AttackPart";
    part.set = g->combat;
    part.status_tags = (kn_tags){&can_attack, 1};
    part.provide = (kn_hook){provide_set, g};
    part_add(g, &part);
    g->def.provide = (kn_hook){provide_unit, g};
    game_begin(g);
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(g->f.world, &unit), KN_OK);
    body_data *body = kn_component_add(g->f.world, g->body, unit);
    body->flies = 1;
    assert_int_equal(kn_rts_unit_add(g->f.world, unit, g->type), KN_OK);
    assert_string_equal(g->log, "set component unit");
    assert_true(kn_entity_has_tag(g->f.world, unit, can_attack));
    assert_true(kn_entity_has_tag(g->f.world, unit, kn_rts_tag(g->f.library, KN_RTS_MOVABLE)));
    assert_true(kn_entity_has_tag(g->f.world, unit, g->own_tag));
    assert_int_equal(kn_entity_tag_count(g->f.world, unit, g->flies), 1);
    assert_false(kn_entity_has_tag(g->f.world, unit, g->swims));
    // What it becomes later does not count.
    body = kn_component_get(g->f.world, g->body, unit);
    body->swims = 1;
    step_ms(&g->f, 100);
    assert_false(kn_entity_has_tag(g->f.world, unit, g->swims));
    // A unit without the component has nothing of it.
    const kn_entity_id other = unit_create(&g->f, g->type, g->f.us);
    assert_false(kn_entity_has_tag(g->f.world, other, kn_rts_tag(g->f.library, KN_RTS_MOVABLE)));
    assert_true(kn_entity_has_tag(g->f.world, other, can_attack));
    game_destroy(g);
}

// RTS-002, RTS-146: by exactly the name tag; one below it is another type.
static void entities_become_units_by_their_name_tag(void **state)
{
    game *g = game_open();
    (void)state;
    kn_rts_unit_def any = g->def, elite = g->def;
    any.name = "Any";
    any.name_tag = tag_named(&g->f, "Unit.FactionA");
    (void)unit_type_add(&g->f, &any);
    elite.name = "Elite";
    elite.name_tag = tag_named(&g->f, "Unit.FactionA.Rifleman.Elite");
    const kn_rts_unit_type_id elite_type = unit_type_add(&g->f, &elite);
    const kn_tag veteran = tag_named(&g->f, "Unit.FactionA.Rifleman.Veteran"); // of no type
    game_begin(g);
    kn_entity_id plain, better, none;
    assert_int_equal(kn_entity_create(g->f.world, &none), KN_OK);
    gain(&g->f, none, veteran);
    assert_int_equal(kn_rts_unit_get_type(g->f.world, none).index1, 0);
    assert_int_equal(kn_entity_create(g->f.world, &plain), KN_OK);
    assert_int_equal(kn_entity_create(g->f.world, &better), KN_OK);
    gain(&g->f, plain, g->name);
    gain(&g->f, better, elite.name_tag);
    assert_int_equal(kn_rts_unit_get_type(g->f.world, plain).index1, g->type.index1);
    assert_int_equal(kn_rts_unit_get_type(g->f.world, better).index1, elite_type.index1);
    assert_int_equal(kn_rts_unit_get_type(g->f.world, g->f.us).index1, 0);
    game_destroy(g);
}

static kn_result note_trigger(const kn_ability_call *call)
{
    say(call->user, "triggered");
    (void)kn_activation_end(call->world, call->activation);
    return KN_OK;
}

// RTS-031, RTS-113: an ability whose tag is there already starts when it is granted, or when the
// tag comes.
static void abilities_of_tags_start_with_the_unit(void **state)
{
    game *g = game_open();
    (void)state;
    kn_ability_def def = kn_ability_def_default();
    kn_trigger_def trigger = kn_trigger_def_default();
    kn_ability_type_id passive, late;
    trigger.source = KN_TRIGGER_SOURCE_TAG_PRESENT;
    trigger.tag = g->own_tag;
    def.name = "Passive";
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.activate = note_trigger;
    def.user = g;
    assert_int_equal(kn_ability_register(g->f.library, &def, &passive, NULL), KN_OK);
    def.name = "Late";
    assert_int_equal(kn_ability_register(g->f.library, &def, &late, NULL), KN_OK);
    g->def.abilities = &passive;
    g->def.ability_count = 1;
    kn_rts_unit_def tagged = g->def;
    tagged.name = "Tagged";
    tagged.name_tag.index1 = 0;
    tagged.initial_tags = (kn_tags){&g->own_tag, 1};
    const kn_rts_unit_type_id tagged_type = unit_type_add(&g->f, &tagged);
    game_begin(g);
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(g->f.world, &unit), KN_OK);
    gain(&g->f, unit, g->own_tag);
    assert_int_equal(kn_rts_unit_add(g->f.world, unit, g->type), KN_OK);
    step_ms(&g->f, 10);
    assert_string_equal(g->log, "triggered");
    // It also starts when the tag comes after the ability, and once.
    kn_entity_id other;
    assert_int_equal(kn_entity_create(g->f.world, &other), KN_OK);
    assert_int_equal(kn_rts_unit_add(g->f.world, other, g->type), KN_OK);
    assert_string_equal(g->log, "triggered");
    gain(&g->f, other, g->own_tag);
    assert_string_equal(g->log, "triggered triggered");
    // Also if something else grants it.
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = late;
    grant.source = g->f.us;
    assert_int_equal(kn_ability_grant(g->f.world, other, &grant, NULL), KN_OK);
    assert_string_equal(g->log, "triggered triggered triggered");
    // An entity that is not a unit is left alone.
    gain(&g->f, g->f.us, g->own_tag);
    assert_int_equal(kn_ability_grant(g->f.world, g->f.us, &grant, NULL), KN_OK);
    assert_string_equal(g->log, "triggered triggered triggered");
    // A tag that the unit begins with comes after its abilities, and starts them once.
    g->log[0] = 0;
    (void)unit_create(&g->f, tagged_type, g->f.us);
    assert_string_equal(g->log, "triggered");
    game_destroy(g);
}

typedef struct ends {
    kn_ability_type_id type;
    kn_ability_id ability;
    bool is_cancelled;
    uint32_t count;
} ends;

static void note_end(void *user, kn_world *world, const kn_event *event)
{
    ends *e = user;
    (void)world;
    e->type = event->data.ability.type;
    e->ability = event->data.ability.ability;
    e->is_cancelled = kn_end_is_cancelled(event->data.ability.end_reason);
    e->count++;
}

static kn_result stay(const kn_ability_call *call)
{
    (void)call;
    return KN_OK;
}

// RTS-025, RTS-026: whoever listens hears that an ability ended, which one, and whether it was
// cancelled.
static void the_end_of_abilities_is_published(void **state)
{
    game *g = game_open();
    (void)state;
    kn_ability_def def = kn_ability_def_default();
    kn_ability_type_id channel;
    def.name = "Channel";
    def.activate = stay;
    assert_int_equal(kn_ability_register(g->f.library, &def, &channel, NULL), KN_OK);
    g->def.abilities = &channel;
    g->def.ability_count = 1;
    game_begin(g);
    ends seen[2] = {{{0}, {0}, false, 0}};
    const kn_entity_id unit = unit_create(&g->f, g->type, g->f.us);
    for (uint32_t i = 0; i < 2; i++) {
        kn_listener_def listener = kn_listener_def_default();
        kn_listener_id id;
        listener.type = KN_EVENT_ABILITY_ENDED;
        listener.entity = unit;
        listener.function = note_end;
        listener.user = &seen[i];
        assert_int_equal(kn_listener_add(g->f.world, &listener, &id), KN_OK);
    }
    kn_ability_id ability;
    assert_int_equal(kn_abilities_find(g->f.world, unit, NULL, &ability, 1), 1);
    for (uint32_t i = 0; i < 2; i++) {
        kn_activation_id activation;
        assert_int_equal(kn_ability_activate(g->f.world, ability, NULL, &activation), KN_OK);
        assert_int_equal(i == 0 ? kn_activation_end(g->f.world, activation)
                                : kn_activation_cancel(g->f.world, activation),
            KN_OK);
        step_ms(&g->f, 10);
        for (uint32_t j = 0; j < 2; j++) {
            assert_int_equal(seen[j].count, i + 1);
            assert_int_equal(seen[j].type.index1, channel.index1);
            assert_int_equal(seen[j].ability.index1, ability.index1);
            assert_int_equal(seen[j].is_cancelled, i);
        }
    }
    game_destroy(g);
}

typedef struct logged {
    char text[1024];
    uint32_t count;
} logged;

static void note_log(void *user, const kn_log_entry *entry)
{
    logged *l = user;
    if (entry->category == KN_LOG_GAME) {
        (void)snprintf(l->text, sizeof(l->text), "%s", entry->message);
        l->count++;
    }
}

// RTS-021, RTS-041, RTS-042
static void tags_are_counted_sent_and_logged_on_request(void **state)
{
    for (uint32_t logs = 0; logs < 2; logs++) {
        game *g = game_open();
        logged log = {"", 0};
        kn_world_def def = kn_world_def_default();
        (void)state;
        g->def.logs_tags = logs != 0;
        g->type = unit_type_add(&g->f, &g->def);
        library_finish(&g->f);
        def.hooks.log_fn = note_log;
        def.hooks.log_user = &log;
        world_begin_with(&g->f, def);
        kn_log_set_level(g->f.world, KN_LOG_GAME, KN_LOG_INFO);
        const kn_entity_id unit = unit_create(&g->f, g->type, g->f.us);
        const kn_tag two[] = {g->own_tag, g->flies};
        log.count = 0;
        assert_int_equal(kn_rts_add_tags(g->f.world, unit, (kn_tags){two, 2}), KN_OK);
        assert_int_equal(kn_rts_add_tags(g->f.world, unit, (kn_tags){two, 1}), KN_OK);
        assert_int_equal(kn_entity_tag_count(g->f.world, unit, g->own_tag), 2);
        assert_int_equal(
            kn_entity_tag_count_origin(g->f.world, unit, g->own_tag, KN_TAG_ORIGIN_LOOSE_SYNCED),
            2);
        assert_int_equal(log.count, logs * 3);
        assert_int_equal(kn_rts_remove_tags(g->f.world, unit, (kn_tags){two, 2}), KN_OK);
        assert_true(kn_entity_has_tag(g->f.world, unit, g->own_tag));
        assert_false(kn_entity_has_tag(g->f.world, unit, g->flies));
        assert_int_equal(log.count, logs * 5);
        assert_int_equal(kn_rts_remove_tags(g->f.world, unit, (kn_tags){&g->flies, 1}), KN_OK);
        assert_int_equal(log.count, logs * 5); // it was not there
        if (logs != 0) {
            assert_non_null(strstr(log.text, "(RiflemanOfA) loses `Test.CanFly`"));
        }
        const kn_tag bad[] = {g->own_tag, {0}};
        assert_int_equal(
            kn_rts_add_tags(g->f.world, unit, (kn_tags){bad, 2}), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(kn_entity_tag_count(g->f.world, unit, g->own_tag), 1);
        assert_int_equal(
            kn_rts_add_tags(g->f.world, g->f.us, (kn_tags){two, 2}), KN_REFUSED_NOT_FOUND);
        game_destroy(g);
    }
}

// Lists have no gaps, so places cannot shift: an entry that names nothing is refused. What is named
// twice is granted once.
static void lists_of_abilities_have_no_gaps(void **state)
{
    game *g = game_open();
    kn_rts_unit_def def = g->def;
    kn_error error = {0};
    (void)state;
    const kn_ability_type_id gap[] = {g->shoot, {0}}, twice[] = {g->shoot, g->heal, g->shoot};
    def.abilities = gap;
    def.ability_count = 2;
    assert_int_not_equal(kn_rts_unit_register(g->f.library, &def, NULL, &error), KN_OK);
    assert_non_null(strstr(error.message, "abilities, entry 1 does not name anything"));
    g->def.abilities = twice;
    g->def.ability_count = 3;
    game_begin(g);
    const kn_entity_id unit = unit_create(&g->f, g->type, g->f.us);
    assert_int_equal(kn_abilities_find(g->f.world, unit, NULL, NULL, 0), 2);
    game_destroy(g);
}

static kn_result end_it(void *user, const kn_hook_call *call)
{
    (void)user;
    return kn_rts_unit_remove(call->writable, call->entity);
}

// A hook may end the unit while it begins: then it gets nothing more.
static void a_unit_may_end_while_it_begins(void **state)
{
    game *g = game_open();
    (void)state;
    g->def.abilities = &g->shoot;
    g->def.ability_count = 1;
    g->def.initialized = (kn_hook){end_it, g};
    game_begin(g);
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(g->f.world, &unit), KN_OK);
    assert_int_equal(kn_rts_unit_add(g->f.world, unit, g->type), KN_OK);
    assert_int_equal(kn_rts_unit_get_type(g->f.world, unit).index1, 0);
    assert_int_equal(kn_abilities_find(g->f.world, unit, NULL, NULL, 0), 0);
    assert_false(kn_entity_has_tag(g->f.world, unit, g->name));
    game_destroy(g);
}

// What an entity has already, from an archetype or by call, is not given twice.
static void units_keep_what_their_entity_has(void **state)
{
    game *g = game_open();
    (void)state;
    const kn_rts_ability_level level = {g->shoot, 2};
    const kn_ability_type_id both[] = {g->shoot, g->heal};
    g->def.abilities = both;
    g->def.ability_count = 2;
    g->def.initial_levels = &level;
    g->def.initial_level_count = 1;
    game_begin(g);
    kn_entity_id unit;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    assert_int_equal(kn_entity_create(g->f.world, &unit), KN_OK);
    assert_int_equal(kn_attribute_set_add(g->f.world, unit, g->combat, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(g->f.world, unit, g->damage, 0, 77), KN_OK);
    grant.type = g->shoot;
    assert_int_equal(kn_ability_grant(g->f.world, unit, &grant, NULL), KN_OK);
    grant.type = g->heal;
    grant.level = 3;
    assert_int_equal(kn_ability_grant(g->f.world, unit, &grant, NULL), KN_OK);
    assert_int_equal(
        kn_entity_add_tag(g->f.world, unit, g->name, KN_TAG_ORIGIN_LOOSE_SYNCED, 1), KN_OK);
    assert_int_equal(kn_rts_unit_get_type(g->f.world, unit).index1, g->type.index1);
    assert_true(value(g, unit, g->damage) == 77);
    assert_int_equal(kn_abilities_find(g->f.world, unit, NULL, NULL, 0), 2);
    assert_int_equal(kn_rts_ability_level_of(g->f.world, unit, g->shoot), 2);
    assert_int_equal(kn_rts_ability_level_of(g->f.world, unit, g->heal), 3);
    assert_int_equal(kn_entity_tag_count(g->f.world, unit, g->name), 1);
    game_destroy(g);
}

static void expect_bad(game *g, const kn_rts_unit_def *def, const char *words)
{
    kn_error error = {0};
    assert_int_equal(kn_rts_unit_register(g->f.library, def, NULL, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("`%s` is not in `%s`", words, error.message);
    }
}

// RTS-280
static void types_that_make_no_sense_are_refused(void **state)
{
    game *g = game_open();
    kn_rts_unit_def def = g->def;
    (void)state;
    const kn_rts_ability_level no_level = {g->shoot, 0}, no_ability = {{0}, 1};
    const kn_rts_player_ability no_tag = {{0}, g->shoot};
    def.initial_levels = &no_level;
    def.initial_level_count = 1;
    expect_bad(g, &def, "each of the `initial_levels` needs an `ability`");
    def.initial_levels = &no_ability;
    expect_bad(g, &def, "each of the `initial_levels` needs an `ability`");
    def = g->def;
    def.player_abilities = &no_tag;
    def.player_ability_count = 1;
    expect_bad(g, &def, "each of the `player_abilities` needs a `tag` and an `ability`");
    def = g->def;
    def.cookie = 0;
    assert_int_equal(
        kn_rts_unit_register(g->f.library, &def, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_unit_register(g->f.library, NULL, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    game_destroy(g);
}

// Players -----------------------------------------------------------------------------

typedef struct players {
    kn_tag armor, speed, fire;
    kn_entity_id unit, other;
} players;

static players players_begin(game *g)
{
    static kn_tag copied[2];
    static kn_rts_player_ability rises;
    players p = {.armor = tag_named(&g->f, "Player.Armor"),
        .speed = tag_named(&g->f, "Player.Speed"),
        .fire = tag_named(&g->f, "Player.Fire")};
    copied[0] = p.armor;
    copied[1] = p.speed;
    rises = (kn_rts_player_ability){p.fire, g->shoot};
    g->def.player_tags = (kn_tags){copied, 2};
    g->def.player_abilities = &rises;
    g->def.player_ability_count = 1;
    g->def.abilities = &g->shoot;
    g->def.ability_count = 1;
    game_begin(g);
    gain(&g->f, g->f.us, p.armor);
    p.unit = unit_create(&g->f, g->type, g->f.us);
    p.other = unit_create(&g->f, g->type, g->f.them);
    return p;
}

// RTS-019, RTS-045
static void tags_of_the_owner_are_followed(void **state)
{
    game *g = game_open();
    (void)state;
    const players p = players_begin(g);
    const kn_world *world = g->f.world;
    assert_true(kn_entity_has_tag(world, p.unit, p.armor));
    assert_false(kn_entity_has_tag(world, p.unit, p.speed));
    assert_false(kn_entity_has_tag(world, p.other, p.armor));
    gain(&g->f, g->f.us, p.speed);
    assert_true(kn_entity_has_tag(world, p.unit, p.speed));
    assert_false(kn_entity_has_tag(world, p.other, p.speed));
    gain(&g->f, g->f.us, p.speed); // a second time is not a second copy
    assert_int_equal(kn_entity_tag_count(world, p.unit, p.speed), 1);
    lose(&g->f, g->f.us, p.speed);
    assert_true(kn_entity_has_tag(world, p.unit, p.speed));
    lose(&g->f, g->f.us, p.speed);
    assert_false(kn_entity_has_tag(world, p.unit, p.speed));
    // A tag of its own stays when the copy goes.
    gain(&g->f, p.unit, p.armor);
    lose(&g->f, g->f.us, p.armor);
    assert_int_equal(kn_entity_tag_count(world, p.unit, p.armor), 1);
    game_destroy(g);
}

// RTSV-A9, RTS-045, RTS-046
static void a_unit_that_changes_sides_leaves_tags_behind(void **state)
{
    game *g = game_open();
    (void)state;
    const players p = players_begin(g);
    gain(&g->f, g->f.them, p.speed);
    own(&g->f, p.unit, g->f.them);
    assert_false(kn_entity_has_tag(g->f.world, p.unit, p.armor));
    assert_true(kn_entity_has_tag(g->f.world, p.unit, p.speed));
    lose(&g->f, g->f.us, p.armor);
    gain(&g->f, g->f.us, p.armor);
    assert_false(kn_entity_has_tag(g->f.world, p.unit, p.armor)); // no further mirroring
    own(&g->f, p.unit, (kn_entity_id){0});
    assert_false(kn_entity_has_tag(g->f.world, p.unit, p.speed));
    own(&g->f, p.unit, g->f.us);
    assert_true(kn_entity_has_tag(g->f.world, p.unit, p.armor));
    game_destroy(g);
}

// RTSV-A8, RTS-020, RTS-047
static void abilities_rise_with_tags_of_the_owner(void **state)
{
    game *g = game_open();
    (void)state;
    const players p = players_begin(g);
    gain(&g->f, g->f.us, p.fire);
    assert_int_equal(kn_rts_ability_level_of(g->f.world, p.unit, g->shoot), 2);
    assert_int_equal(kn_rts_ability_level_of(g->f.world, p.other, g->shoot), 1);
    assert_int_equal(kn_rts_points(g->f.world, p.unit), 0);
    lose(&g->f, g->f.us, p.fire); // the level stays
    assert_int_equal(kn_rts_ability_level_of(g->f.world, p.unit, g->shoot), 2);
    gain(&g->f, g->f.us, p.fire); // once for each owner
    assert_int_equal(kn_rts_ability_level_of(g->f.world, p.unit, g->shoot), 2);
    gain(&g->f, g->f.them, p.fire);
    own(&g->f, p.unit, g->f.them);
    assert_int_equal(kn_rts_ability_level_of(g->f.world, p.unit, g->shoot), 3);
    // Units that come later have it, too.
    const kn_entity_id late = unit_create(&g->f, g->type, g->f.us);
    assert_int_equal(kn_rts_ability_level_of(g->f.world, late, g->shoot), 2);
    game_destroy(g);
}

static void a_player_that_is_gone_leaves_nothing(void **state)
{
    game *g = game_open();
    (void)state;
    const players p = players_begin(g);
    assert_true(kn_entity_destroy(g->f.world, g->f.us));
    assert_false(kn_entity_has_tag(g->f.world, p.unit, p.armor));
    assert_int_equal(kn_rts_unit_remove(g->f.world, p.unit), KN_OK);
    assert_int_equal(kn_rts_unit_remove(g->f.world, p.unit), KN_REFUSED_NOT_FOUND);
    game_destroy(g);
}

static void a_unit_that_ends_leaves_what_it_had_from_its_owner(void **state)
{
    game *g = game_open();
    (void)state;
    const players p = players_begin(g);
    assert_int_equal(kn_rts_unit_remove(g->f.world, p.unit), KN_OK);
    assert_false(kn_entity_has_tag(g->f.world, p.unit, p.armor));
    assert_true(kn_entity_has_tag(g->f.world, p.unit, g->name));
    gain(&g->f, g->f.us, p.speed);
    assert_false(kn_entity_has_tag(g->f.world, p.unit, p.speed));
    game_destroy(g);
}

// Many units of one player, so that pages of the index matter.
static void all_units_of_a_player_follow(void **state)
{
    game *g = game_open();
    kn_entity_id units[50];
    (void)state;
    const players p = players_begin(g);
    for (uint32_t i = 0; i < 50; i++) {
        units[i] = unit_create(&g->f, g->type, g->f.us);
    }
    gain(&g->f, g->f.us, p.speed);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(kn_entity_has_tag(g->f.world, units[i], p.speed));
    }
    game_destroy(g);
}

// RTS-007: how a unit obeys belongs to its type.
static void units_obey_as_their_type_says(void **state)
{
    game *g = game_open();
    kn_unit_type_def orders = kn_unit_type_def_default();
    kn_unit_type_id type;
    (void)state;
    orders.name = "Soldier";
    assert_int_equal(kn_unit_type_register(g->f.library, &orders, &type, NULL), KN_OK);
    g->def.order_unit = type;
    game_begin(g);
    const kn_entity_id unit = unit_create(&g->f, g->type, g->f.us);
    assert_int_equal(kn_unit_get_type(g->f.world, unit).index1, type.index1);
    game_destroy(g);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_last_part_of_the_name_tag_is_the_group),
    cmocka_unit_test(attributes_are_read_from_three_forms_of_rows),
    cmocka_unit_test(parts_keep_attributes_from_being_read),
    cmocka_unit_test(units_begin_in_a_stated_order),
    cmocka_unit_test(sets_components_and_the_unit_provide_tags),
    cmocka_unit_test(entities_become_units_by_their_name_tag),
    cmocka_unit_test(abilities_of_tags_start_with_the_unit),
    cmocka_unit_test(the_end_of_abilities_is_published),
    cmocka_unit_test(tags_are_counted_sent_and_logged_on_request),
    cmocka_unit_test(lists_of_abilities_have_no_gaps),
    cmocka_unit_test(a_unit_may_end_while_it_begins),
    cmocka_unit_test(units_keep_what_their_entity_has),
    cmocka_unit_test(types_that_make_no_sense_are_refused),
    cmocka_unit_test(tags_of_the_owner_are_followed),
    cmocka_unit_test(a_unit_that_changes_sides_leaves_tags_behind),
    cmocka_unit_test(abilities_rise_with_tags_of_the_owner),
    cmocka_unit_test(a_player_that_is_gone_leaves_nothing),
    cmocka_unit_test(a_unit_that_ends_leaves_what_it_had_from_its_owner),
    cmocka_unit_test(all_units_of_a_player_follow),
    cmocka_unit_test(units_obey_as_their_type_says),
};

TEST_GROUP(rts_units, tests, NULL, NULL);
