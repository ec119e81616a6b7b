// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What strategy games rely on of abilities, attributes and effects: every field of an ability can
// be read and acts, sets have hooks, definitions can be asked without a unit, and what is missing
// leads to an answer.

#include "rts/rts_test.h"

#include "knack/data.h"
#include "knack/debug.h"
#include "knack/rts_card.h"
#include "knack/task.h"

static kn_ability_type_id ability_of(fixture *f, const kn_ability_def *def)
{
    kn_ability_type_id type;
    kn_error error = {0};
    if (kn_ability_register(f->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static kn_ability_id grant(fixture *f, kn_entity_id entity, kn_ability_type_id type)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    kn_ability_id ability;
    def.type = type;
    assert_int_equal(kn_ability_grant(f->world, entity, &def, &ability), KN_OK);
    return ability;
}

static kn_rts_unit_type_id plain_unit(fixture *f, const kn_attribute_set_id *set)
{
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Plain";
    def.sets = set;
    def.set_count = set != NULL;
    return unit_type_add(f, &def);
}

// Fields of abilities ----------------------------------------------------------------------

// RTS-097, RTS-100: each field can be read again, the whole list of triggers too, and tags of
// abilities cancel and block others.
static void fields_of_abilities_are_read_and_act(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_tag magic = tag_named(&f, "Ability.Magic"), dance = tag_named(&f, "Ability.Dance"),
                 song = tag_named(&f, "Ability.Song"), ready = tag_named(&f, "State.Ready"),
                 mute = tag_named(&f, "State.Mute"), go = tag_named(&f, "Event.Go");
    const kn_trigger_def triggers[] = {
        {go, KN_TRIGGER_SOURCE_EVENT, 0}, {ready, KN_TRIGGER_SOURCE_TAG_ADDED, 0}};
    kn_ability_def def = kn_ability_def_default();
    def.name = "Charm";
    def.body = KN_BODY_STAY;
    def.tags = (kn_tags){&magic, 1};
    def.cancel_with = (kn_tags){&dance, 1};
    def.block_with = (kn_tags){&song, 1};
    def.activation.required = (kn_tags){&ready, 1};
    def.activation.ignored = (kn_tags){&mute, 1};
    def.source.required = (kn_tags){&ready, 1};
    def.target.ignored = (kn_tags){&mute, 1};
    def.triggers = triggers;
    def.trigger_count = 2;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    const kn_ability_type_id charm = ability_of(&f, &def);
    def = kn_ability_def_default();
    def.name = "Dance";
    def.body = KN_BODY_STAY;
    def.tags = (kn_tags){&dance, 1};
    const kn_ability_type_id dances = ability_of(&f, &def);
    def.name = "Song";
    def.tags = (kn_tags){&song, 1};
    const kn_ability_type_id sings = ability_of(&f, &def);
    world_begin(&f);
    const kn_ability_def *read = kn_ability_type_get_def(f.library, charm);
    assert_int_equal(read->tags.data[0].index1, magic.index1);
    assert_int_equal(read->activation.required.data[0].index1, ready.index1);
    assert_int_equal(read->activation.ignored.data[0].index1, mute.index1);
    assert_int_equal(read->source.required.data[0].index1, ready.index1);
    assert_int_equal(read->target.ignored.data[0].index1, mute.index1);
    assert_int_equal(read->trigger_count, 2);
    assert_int_equal(read->triggers[0].tag.index1, go.index1);
    assert_int_equal(read->triggers[1].tag.index1, ready.index1);
    assert_int_equal(read->triggers[1].source, KN_TRIGGER_SOURCE_TAG_ADDED);
    assert_int_equal(read->instancing, KN_INSTANCING_PER_EXECUTION);
    assert_int_equal(read->net_execution, KN_NET_EXECUTION_SERVER_ONLY);
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(f.world, &unit), KN_OK);
    const kn_ability_id a = grant(&f, unit, charm), b = grant(&f, unit, dances),
                        c = grant(&f, unit, sings);
    assert_int_equal(kn_ability_activate(f.world, b, NULL, NULL), KN_OK);
    assert_int_equal(kn_ability_activate(f.world, a, NULL, NULL), KN_REFUSED_REQUIREMENT);
    gain(&f, unit, ready); // triggers it, which cancels the dance and blocks the song
    assert_true(kn_ability_is_active(f.world, a));
    assert_false(kn_ability_is_active(f.world, b));
    assert_int_equal(kn_ability_activate(f.world, c, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_ability_cancel(f.world, a), KN_OK);
    assert_int_equal(kn_ability_activate(f.world, c, NULL, NULL), KN_OK);
    gain(&f, unit, mute);
    assert_int_equal(kn_ability_activate(f.world, a, NULL, NULL), KN_REFUSED_BLOCKED);
    fixture_close(&f);
}

static uint32_t counted;

static kn_result count_up(const kn_ability_call *call)
{
    uint32_t *own = kn_activation_state(call->world, call->activation);
    counted = own != NULL ? ++*own : 0;
    return KN_OK;
}

// RTS-098: one at a time that keeps its state, any number with a state each, or none at all.
static void abilities_are_instanced_in_three_ways(void **state)
{
    static const char *const names[] = {"PerActor", "PerExecution", "None"};
    kn_ability_type_id types[3];
    kn_ability_id abilities[3];
    fixture f;
    (void)state;
    fixture_open(&f);
    for (uint32_t i = 0; i < 3; i++) {
        kn_ability_def def = kn_ability_def_default();
        def.name = names[i];
        def.instancing = (kn_instancing)i;
        def.activate = count_up;
        def.state_size = i < 2 ? sizeof(uint32_t) : 0;
        types[i] = ability_of(&f, &def);
    }
    world_begin(&f);
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(f.world, &unit), KN_OK);
    for (uint32_t i = 0; i < 3; i++) {
        abilities[i] = grant(&f, unit, types[i]);
        assert_int_equal(kn_ability_activate(f.world, abilities[i], NULL, NULL), KN_OK);
        assert_int_equal(counted, i < 2 ? 1 : 0);
    }
    assert_int_equal(kn_ability_activate(f.world, abilities[0], NULL, NULL), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_ability_cancel(f.world, abilities[0]), KN_OK);
    assert_int_equal(kn_ability_activate(f.world, abilities[0], NULL, NULL), KN_OK);
    assert_int_equal(counted, 2); // it goes on with what it had
    assert_int_equal(kn_ability_activate(f.world, abilities[1], NULL, NULL), KN_OK);
    assert_int_equal(counted, 1);
    kn_ability_info info;
    assert_true(kn_ability_get(f.world, abilities[1], &info));
    assert_int_equal(info.active_count, 2);
    assert_false(kn_ability_is_active(f.world, abilities[2])); // over when its function returns
    fixture_close(&f);
}

// RTS-099: the cost effect says which attribute pays, the cooldown effect how long and by which
// tags.
static void costs_and_cooldowns_are_effects(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_attribute_set_id set = set_add(&f, "Vitals", "Mana");
    const kn_attribute_id mana = attribute_named(&f, "Vitals.Mana");
    const kn_tag cooling = tag_named(&f, "Cooldown.Blink");
    kn_effect_def cooldown = kn_effect_def_default();
    kn_ability_def def = kn_ability_def_default();
    cooldown.name = "BlinkCooldown";
    cooldown.duration_kind = KN_DURATION_TIMED;
    cooldown.duration = kn_magnitude_constant(3);
    cooldown.granted_tags = (kn_tags){&cooling, 1};
    assert_int_equal(kn_effect_register(f.library, &cooldown, &def.cooldown_effect, NULL), KN_OK);
    def.cost_effect = instant_add(&f, "BlinkCost", mana, KN_OP_ADD, -30);
    def.name = "Blink";
    def.body = KN_BODY_USE;
    const kn_ability_type_id blink = ability_of(&f, &def);
    const kn_rts_unit_type_id type = plain_unit(&f, &set);
    world_begin(&f);
    const kn_entity_id unit = unit_create(&f, type, f.us), other = unit_create(&f, type, f.them);
    const kn_ability_id ability = grant(&f, unit, blink);
    assert_int_equal(kn_attribute_set_base(f.world, unit, mana, 0, 50), KN_OK);
    assert_int_equal(kn_ability_activate(f.world, ability, NULL, NULL), KN_OK);
    assert_true(kn_attribute_value(f.world, unit, mana) == 20);
    assert_true(kn_attribute_value(f.world, other, mana) == 0);
    assert_true(kn_entity_has_tag(f.world, unit, cooling));
    assert_int_equal(kn_ability_activate(f.world, ability, NULL, NULL), KN_REFUSED_COOLDOWN);
    step_ms(&f, 3000);
    assert_false(kn_entity_has_tag(f.world, unit, cooling));
    assert_int_equal(kn_ability_activate(f.world, ability, NULL, NULL), KN_REFUSED_COST);
    fixture_close(&f);
}

static struct {
    kn_effect_type_id burn, glow;
    kn_tag event;
    kn_entity_id created;
} spell;

static kn_result cast_spell(const kn_ability_call *call, const kn_event_record *event)
{
    kn_event_record record = kn_event_record_default();
    record.instigator = call->owner;
    record.target = event->target;
    (void)kn_effect_apply_simple(call->world, spell.burn, call->owner, event->target, 1, NULL);
    (void)kn_effect_apply_simple(call->world, spell.glow, call->owner, call->owner, 1, NULL);
    assert_int_equal(kn_entity_create(call->world, &spell.created), KN_OK);
    (void)kn_entity_set_owner(call->world, spell.created, call->owner);
    (void)kn_event_send(call->world, event->target, spell.event, &record);
    return kn_activation_end(call->world, call->activation);
}

// RTS-112, RTS-143: what an ability does is its own code: effects on the target and on itself,
// entities, and events. The caster is the source.
static void abilities_act_by_their_code(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    const kn_attribute_set_id set = set_add(&f, "Vitals", "Health");
    const kn_attribute_id health = attribute_named(&f, "Vitals.Health");
    const kn_trigger_def trigger = {tag_named(&f, "Event.Burnt"), KN_TRIGGER_SOURCE_EVENT, 0};
    kn_effect_def glow = kn_effect_def_default();
    glow.name = "Glow";
    glow.duration_kind = KN_DURATION_INFINITE;
    assert_int_equal(kn_effect_register(f.library, &glow, &spell.glow, NULL), KN_OK);
    spell.burn = instant_add(&f, "Burn", health, KN_OP_ADD, -7);
    spell.event = trigger.tag;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Fireball";
    def.activate_by_event = cast_spell;
    const kn_ability_type_id fireball = ability_of(&f, &def);
    def = kn_ability_def_default();
    def.name = "Scream";
    def.body = KN_BODY_STAY;
    def.triggers = &trigger;
    def.trigger_count = 1;
    const kn_ability_type_id scream = ability_of(&f, &def);
    const kn_rts_unit_type_id type = plain_unit(&f, &set);
    world_begin(&f);
    const kn_entity_id caster = unit_create(&f, type, f.us), foe = unit_create(&f, type, f.them);
    const kn_ability_id ability = grant(&f, caster, fireball), reply = grant(&f, foe, scream);
    kn_event_record event = kn_event_record_default();
    event.instigator = caster;
    event.target = foe;
    assert_int_equal(kn_ability_activate(f.world, ability, &event, NULL), KN_OK);
    step_ms(&f, 10);
    assert_true(kn_attribute_value(f.world, foe, health) == -7);
    assert_true(kn_attribute_value(f.world, caster, health) == 0);
    assert_int_equal(kn_rts_get_effect_time(f.world, caster, spell.glow).count, 1);
    assert_int_equal(kn_rts_get_effect_time(f.world, foe, spell.glow).count, 0);
    assert_true(kn_entity_id_equal(kn_entity_owner(f.world, spell.created), caster));
    assert_true(kn_ability_is_active(f.world, reply));
    fixture_close(&f);
}

// Attribute sets -------------------------------------------------------------------------------

typedef struct set_scene {
    fixture f;
    kn_attribute_set_id set;
    kn_attribute_id health, armor, damage, shown;
    uint32_t executed;
} set_scene;

static float keep_above_zero(void *user, const kn_attribute_change *change)
{
    const set_scene *s = user;
    return change->attribute.index1 == s->health.index1 && change->new_value < 0
               ? 0
               : change->new_value;
}

static float at_most_nine(void *user, const kn_attribute_change *change)
{
    const set_scene *s = user;
    return change->attribute.index1 == s->armor.index1 && change->new_value > 9 ? 9
                                                                                : change->new_value;
}

// The value that players see is derived from the health.
static void derive(void *user, const kn_attribute_change *change)
{
    const set_scene *s = user;
    if (change->attribute.index1 == s->health.index1) {
        (void)kn_attribute_set_base(
            change->world, change->entity, s->shown, 0, change->new_value * 2);
    }
}

// Damage is taken from the health, less what the armor keeps.
static void take_damage(void *user, const kn_execute_data *data)
{
    set_scene *s = user;
    if (data->attribute.index1 == s->damage.index1) {
        const float armor = kn_attribute_value(data->world, data->entity, s->armor);
        const float health = kn_attribute_base(data->world, data->entity, s->health);
        s->executed++;
        (void)kn_attribute_set_base(
            data->world, data->entity, s->health, 0, health - (data->new_base - armor));
    }
}

static void set_open(set_scene *s)
{
    static const char *const names[] = {"Health", "Armor", "Damage", "Shown"};
    kn_attribute_def attributes[4];
    kn_attribute_set_def def = kn_attribute_set_def_default();
    *s = (set_scene){0};
    fixture_open(&s->f);
    for (uint32_t i = 0; i < 4; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = names[i];
        attributes[i].is_meta = i == 2;
    }
    def.name = "Body";
    def.attributes = attributes;
    def.attribute_count = 4;
    def.hooks = (kn_attribute_hooks){.user = s,
        .pre_base_change = keep_above_zero,
        .post_base_change = derive,
        .pre_change = at_most_nine,
        .post_execute = take_damage};
    assert_int_equal(kn_attribute_set_register(s->f.library, &def, &s->set, NULL), KN_OK);
    s->health = attribute_named(&s->f, "Body.Health");
    s->armor = attribute_named(&s->f, "Body.Armor");
    s->damage = attribute_named(&s->f, "Body.Damage");
    s->shown = attribute_named(&s->f, "Body.Shown");
}

static kn_effect_type_id lasting_add(
    fixture *f, const char *name, kn_attribute_id attribute, float magnitude)
{
    const kn_modifier_def modifier = kn_modifier_constant(attribute, KN_OP_ADD, magnitude);
    kn_effect_def def = kn_effect_def_default();
    kn_effect_type_id effect;
    def.name = name;
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(2);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    assert_int_equal(kn_effect_register(f->library, &def, &effect, NULL), KN_OK);
    return effect;
}

// RTS-115, RTS-119, RTS-120, RTS-121, RTS-122: base and current values, and what the hooks of a set
// make of changes: limits of both, derived values, and damage as a value of its own.
static void sets_react_to_changes(void **state)
{
    set_scene s;
    (void)state;
    set_open(&s);
    const kn_effect_type_id hit = instant_add(&s.f, "Hit", s.damage, KN_OP_ADD, 30),
                            shield = lasting_add(&s.f, "Shield", s.armor, 4),
                            wall = lasting_add(&s.f, "Wall", s.armor, 40);
    const kn_rts_unit_type_id type = plain_unit(&s.f, &s.set);
    world_begin(&s.f);
    kn_world *world = s.f.world;
    const kn_entity_id unit = unit_create(&s.f, type, s.f.us),
                       foe = unit_create(&s.f, type, s.f.them);
    assert_int_equal(kn_attribute_set_base(world, unit, s.health, 0, 100), KN_OK);
    assert_true(kn_attribute_value(world, unit, s.shown) == 200);
    assert_int_equal(kn_attribute_set_base(world, unit, s.armor, 0, 2), KN_OK);
    assert_int_equal(kn_effect_apply_simple(world, shield, foe, unit, 1, NULL), KN_OK);
    assert_true(kn_attribute_base(world, unit, s.armor) == 2);
    assert_true(kn_attribute_value(world, unit, s.armor) == 6);
    assert_int_equal(kn_effect_apply_simple(world, hit, foe, unit, 1, NULL), KN_OK);
    assert_int_equal(s.executed, 1);
    assert_true(kn_attribute_value(world, unit, s.health) == 76); // 100 - (30 - 6)
    assert_true(kn_attribute_value(world, unit, s.shown) == 152);
    assert_true(kn_attribute_base(world, unit, s.damage) == 0); // spent
    assert_true(kn_attribute_value(world, foe, s.health) == 0);
    step_ms(&s.f, 2000); // the shield ends
    assert_true(kn_attribute_value(world, unit, s.armor) == 2);
    assert_int_equal(kn_effect_apply_simple(world, wall, foe, unit, 1, NULL), KN_OK);
    assert_true(kn_attribute_value(world, unit, s.armor) == 9); // not 42
    assert_true(kn_attribute_base(world, unit, s.armor) == 2);
    assert_int_equal(kn_attribute_set_base(world, unit, s.health, 0, -40), KN_OK);
    assert_true(kn_attribute_base(world, unit, s.health) == 0);
    fixture_close(&s.f);
}

// RTS-116: a set, and what it means for units, has no hooks and no tags unless somebody says so.
static void sets_do_nothing_by_default(void **state)
{
    fixture f;
    (void)state;
    const kn_attribute_set_def set = kn_attribute_set_def_default();
    assert_int_equal(set.attribute_count, 0);
    assert_true(set.hooks.pre_base_change == NULL && set.hooks.post_execute == NULL);
    kn_rts_part_def part = kn_rts_part_def_default();
    assert_true(part.initialized.function == NULL && part.provide.function == NULL);
    assert_int_equal(part.status_tags.count, 0);
    fixture_open(&f);
    part.name = "Nothing";
    part.set = set_add(&f, "Bare", "Number");
    assert_int_equal(kn_rts_part_register(f.library, &part, NULL), KN_OK);
    const kn_rts_unit_type_id type = plain_unit(&f, &part.set);
    world_begin(&f);
    const kn_entity_id unit = unit_create(&f, type, f.us);
    kn_tag tags[4];
    assert_int_equal(kn_entity_tags(f.world, unit, tags, 4), 1); // it lives
    assert_true(kn_attribute_value(f.world, unit, attribute_named(&f, "Bare.Number")) == 0);
    fixture_close(&f);
}

// Without a unit -------------------------------------------------------------------------------

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_grid_register(library, NULL, error);
}

static kn_library *library_of(const char *text)
{
    static const kn_kit kits[] = {{"order", kn_order_register}, {"rts", kn_rts_register}};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library = NULL;
    def.kits = kits;
    def.kit_count = 2;
    def.prepare = prepare;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "a.yaml", text, strlen(text)), KN_OK);
    if (kn_data_build(data, &library) != KN_OK) {
        char line[512];
        (void)kn_data_message_print(data, 0, line, sizeof(line));
        fail_msg("%s", line);
    }
    kn_data_destroy(data);
    return library;
}

// RTS-162, RTS-164: definitions answer without a unit: values of tables by level, and all parts of
// a type with what it inherits and what it overrides. They belong to the library.
static void definitions_are_asked_without_a_unit(void **state)
{
    static const char text[] =
        "kits: [order, rts]\n"
        "tags: [Unit.Rifleman, Unit.Veteran, Elite]\n"
        "attribute_sets: {Combat: {attributes: {Damage: 1, Range: 1}}, Extra: {attributes: {Luck: "
        "3}}}\n"
        "curves: {Rifleman.Damage: [[1, 10], [5, 30]], Veteran.Combat.Damage: [[1, 50]]}\n"
        "abilities: {Shoot: {body: use}, Snipe: {body: use}}\n"
        "order_types: {Shoot: {ability: Shoot, policy: instant}}\n"
        "order_units: {Soldier: {commands: [Shoot]}}\n"
        "rts_units:\n"
        "  Rifleman: {name_tag: Unit.Rifleman, sets: [Combat], abilities: [Shoot],\n"
        "    order_unit: Soldier, granted_experience: 20}\n"
        "  Veteran: {parent: Rifleman, name_tag: Unit.Veteran, granted_experience: 35,\n"
        "    unlockable_abilities: [Snipe]}\n";
    kn_library *library = library_of(text);
    (void)state;
    const kn_rts_unit_type_id rifleman = kn_rts_unit_find(library, "Rifleman"),
                              veteran = kn_rts_unit_find(library, "Veteran"), none = {0};
    const kn_attribute_id damage = kn_attribute_find(library, "Combat.Damage"),
                          range = kn_attribute_find(library, "Combat.Range");
    float value = 7;
    assert_true(kn_rts_unit_table_value(library, rifleman, damage, 1, &value));
    assert_true(value == 10);
    assert_true(kn_rts_unit_table_value(library, rifleman, damage, 5, &value));
    assert_true(value == 30);
    assert_true(kn_rts_unit_table_value(library, veteran, damage, 1, &value));
    assert_true(value == 50);
    assert_false(kn_rts_unit_table_value(library, rifleman, range, 1, &value)); // no row
    assert_true(value == 0);
    assert_false(kn_rts_unit_table_value(library, none, damage, 1, &value));
    assert_true(value == 0);
    const kn_rts_unit_def *def = kn_rts_unit_get_def(library, veteran);
    assert_int_equal(def->set_count, 1); // inherited
    assert_string_equal(kn_attribute_set_name(library, def->sets[0]), "Combat");
    assert_int_equal(def->order_unit.index1, kn_unit_type_find(library, "Soldier").index1);
    assert_true(def->granted_experience.value == 35); // its own
    assert_true(kn_rts_unit_get_def(library, rifleman)->granted_experience.value == 20);
    assert_int_equal(kn_rts_unit_ability(library, veteran, 1).index1,
        kn_ability_type_find(library, "Snipe").index1);
    assert_int_equal(kn_rts_unit_get_def(library, rifleman)->unlockable_ability_count, 0);
    assert_null(kn_rts_unit_get_def(library, none));
    assert_ptr_equal(def, kn_rts_unit_get_def(library, veteran)); // shared
    kn_library_destroy(library);
}

// RTS-141, RTS-278: texts and names of pictures are the game's: they come back as they were
// written, as keys of a translation or in any language. Numbers are filled in on demand.
static void texts_are_the_games_own(void **state)
{
    fixture f = {0};
    char out[32];
    (void)state;
    f.library = library_of("kits: [order, rts]\n"
                           "effects: {Chill: {duration: 3}}\n"
                           "abilities: {Frost: {body: use}}\n"
                           "rts_displays:\n"
                           "  Chill: {title: \"K\xc3\xa4lte\", icon: \"#42/chill\",\n"
                           "    description: \"{duration} s\"}\n"
                           "  Frost: {title: ui.frost.title, description: ui.frost.text,\n"
                           "    icon: \"a b\"}\n");
    world_begin_with(&f, kn_world_def_default());
    const kn_effect_type_id chill = kn_effect_type_find(f.library, "Chill");
    const kn_ability_type_id frost = kn_ability_type_find(f.library, "Frost");
    const kn_rts_look look = kn_rts_effect_look(f.library, chill);
    assert_string_equal(look.title, "K\xc3\xa4lte");
    assert_string_equal(look.icon, "#42/chill");
    assert_string_equal(kn_rts_effect_display(f.library, chill)->description, "{duration} s");
    (void)kn_rts_describe_effect(f.world, f.us, chill, 1, out, sizeof(out));
    assert_string_equal(out, "3 s");
    assert_string_equal(kn_rts_ability_look(f.library, frost).title, "ui.frost.title");
    assert_string_equal(kn_rts_ability_look(f.library, frost).icon, "a b");
    (void)kn_rts_describe_ability(f.world, f.us, frost, 1, out, sizeof(out));
    assert_string_equal(out, "ui.frost.text");
    fixture_close(&f);
}

// What a game adds -------------------------------------------------------------------------------

static uint32_t called[12];

#define COUNTS(name, which)                                                                        \
    static kn_result name(void *user, const kn_hook_call *call)                                    \
    {                                                                                              \
        (void)user;                                                                                \
        (void)call;                                                                                \
        called[which]++;                                                                           \
        return KN_OK;                                                                              \
    }
COUNTS(hook_provide, 0)
COUNTS(hook_initialized, 1)
COUNTS(hook_experience, 2)
COUNTS(hook_level, 3)
COUNTS(hook_killed, 4)
COUNTS(hook_filter, 5)
COUNTS(hook_range, 6)
COUNTS(hook_score, 7)
COUNTS(hook_relation, 8)
COUNTS(hook_autos, 9)

static void on_level(const kn_ability_call *call, float old_level)
{
    (void)call;
    (void)old_level;
    called[10]++;
}

static kn_result on_activate(const kn_ability_call *call)
{
    called[11]++;
    return kn_activation_end(call->world, call->activation);
}

// RTS-277: each place where a game adds its own is called.
static void games_add_their_own(void **state)
{
    fixture f;
    (void)state;
    memset(called, 0, sizeof(called));
    fixture_open(&f);
    kn_order_rules_def rules = kn_order_rules_def_default();
    rules.name = "Rules";
    rules.relation.function = hook_relation;
    assert_int_equal(kn_order_rules_register(f.library, &rules, NULL), KN_OK);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Bolt";
    ability.activate = on_activate;
    ability.level_changed = on_level;
    const kn_ability_type_id bolt = ability_of(&f, &ability);
    kn_rts_ability_def order = kn_rts_ability_def_default();
    order.name = "Bolt";
    order.max_level = 2;
    order.target_kind = KN_ORDER_TARGET_ENTITY;
    order.scores_targets = true;
    order.find_range.function = hook_range;
    order.score.function = hook_score;
    assert_int_equal(kn_rts_ability_register(f.library, &order, NULL), KN_OK);
    kn_rts_part_def part = kn_rts_part_def_default();
    part.name = "Part";
    part.may_initialize.function = hook_filter;
    assert_int_equal(kn_rts_part_register(f.library, &part, NULL), KN_OK);
    kn_unit_type_def obeys = kn_unit_type_def_default();
    kn_rts_unit_def def = kn_rts_unit_def_default();
    const kn_attribute_set_id set = set_add(&f, "Vitals", "Health");
    (void)curve_add(&f, "Hero.Health", (const float[]){5}, 1);
    obeys.name = def.name = "Hero";
    obeys.provide.function = hook_autos;
    assert_int_equal(kn_unit_type_register(f.library, &obeys, &def.order_unit, NULL), KN_OK);
    def.sets = &set;
    def.set_count = 1;
    def.abilities = &bolt;
    def.ability_count = 1;
    def.can_level = true;
    def.max_level = 5;
    def.experience_per_level = kn_constant(100);
    def.provide.function = hook_provide;
    def.initialized.function = hook_initialized;
    def.experience_changed.function = hook_experience;
    def.level_changed.function = hook_level;
    def.killed.function = hook_killed;
    const kn_rts_unit_type_id type = unit_type_add(&f, &def);
    world_begin(&f);
    const kn_entity_id hero = unit_create(&f, type, f.us), foe = unit_create(&f, type, f.them);
    place(&f, hero, 0, 0);
    place(&f, foe, 1, 0);
    const kn_order_type_id use = kn_order_type_find(f.library, "Knack.UseUnitAbility");
    (void)kn_order_get_range(f.world, use, hero, 0);
    (void)kn_order_find_target(f.world, use, hero, 0, 50, 50, (kn_vec3){0}, NULL);
    assert_int_equal(kn_rts_add_experience(f.world, hero, 120), KN_OK);
    assert_int_equal(kn_rts_raise_ability(f.world, hero, bolt, true), KN_OK);
    assert_int_equal(kn_ability_activate_type(f.world, hero, bolt, NULL), KN_OK);
    assert_int_equal(kn_rts_kill(f.world, foe, hero), KN_OK);
    for (uint32_t i = 0; i < 12; i++) {
        if (called[i] == 0) {
            fail_msg("nothing called %u", (unsigned)i);
        }
    }
    assert_int_equal(called[2], 1);
    assert_int_equal(called[3], 1);
    assert_int_equal(called[4], 1);
    assert_int_equal(called[10], 1);
    assert_int_equal(called[11], 1);
    fixture_close(&f);
}

// RTS-279: what a game has left out leads to an answer, not to harm.
static void what_is_missing_has_an_answer(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Bare"; // no code, no trigger, no display, no data
    const kn_ability_type_id bare = ability_of(&f, &ability);
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Bare"; // obeys nothing, has no tables
    def.abilities = &bare;
    def.ability_count = 1;
    const kn_rts_unit_type_id type = unit_type_add(&f, &def);
    world_begin(&f);
    const kn_entity_id unit = unit_create(&f, type, f.us);
    const kn_order_type_id use = kn_order_type_find(f.library, "Knack.UseUnitAbility");
    kn_order order = kn_order_of(use);
    kn_rts_button button;
    kn_rts_event event;
    char text[8] = "?";
    order.index = 0;
    assert_int_not_equal(kn_order_issue(f.world, unit, &order, NULL), KN_OK);
    assert_int_equal(kn_rts_card(f.world, &unit, 1, &button, 1), 0);
    assert_int_equal(kn_rts_describe_ability(f.world, unit, bare, 1, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    assert_string_equal(kn_rts_ability_look(f.library, bare).title, "Bare");
    assert_int_equal(kn_rts_event_trigger(f.library, bare).index1, 0);
    assert_int_equal(kn_rts_event_for_order(f.world, unit, &order, &event), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_ability_activate_type(f.world, unit, bare, NULL), KN_OK); // does nothing
    assert_int_equal(kn_rts_add_experience(f.world, unit, 50), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_kill(f.world, unit, (kn_entity_id){0}), KN_OK);
    assert_true(kn_rts_is_dead(f.world, unit));
    fixture_close(&f);
}

static char logged[512];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    const size_t length = strlen(logged);
    (void)snprintf(logged + length, sizeof(logged) - length, "%s;", entry->message);
}

// RTS-021, RTS-281: a dump of a unit has its tags, attributes, abilities and effects; changes of
// tags are logged for types that want it; all attributes can be listed.
static void units_are_dumped(void **state)
{
    static char dump[16 * 1024];
    fixture f;
    (void)state;
    logged[0] = 0;
    fixture_open(&f);
    const kn_attribute_set_id set = set_add(&f, "Vitals", "Health Mana");
    const kn_tag marked = tag_named(&f, "State.Marked");
    const kn_ability_type_id bolt = ability_add(&f, "Bolt", 1);
    kn_effect_def effect = kn_effect_def_default();
    kn_effect_type_id chill;
    effect.name = "Chill";
    effect.duration_kind = KN_DURATION_INFINITE;
    assert_int_equal(kn_effect_register(f.library, &effect, &chill, NULL), KN_OK);
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Hero";
    def.sets = &set;
    def.set_count = 1;
    def.abilities = &bolt;
    def.ability_count = 1;
    def.logs_tags = true;
    const kn_rts_unit_type_id type = unit_type_add(&f, &def);
    library_finish(&f);
    kn_world_def world = kn_world_def_default();
    world.hooks.log_fn = log_line;
    world_begin_with(&f, world);
    const kn_entity_id unit = unit_create(&f, type, f.us);
    assert_int_equal(kn_log_set_level(f.world, KN_LOG_GAME, KN_LOG_INFO), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f.world, chill, f.them, unit, 1, NULL), KN_OK);
    assert_int_equal(kn_rts_add_tags(f.world, unit, (kn_tags){&marked, 1}), KN_OK);
    assert_non_null(strstr(logged, "State.Marked"));
    (void)kn_entity_dump(f.world, unit, dump, sizeof(dump));
    static const char *const words[] = {
        "State.Marked", "Vitals.Health", "Vitals.Mana", "Bolt", "Chill"};
    for (uint32_t i = 0; i < 5; i++) {
        if (strstr(dump, words[i]) == NULL) {
            fail_msg("%s is not in %s", words[i], dump);
        }
    }
    uint32_t found = 0;
    for (uint32_t i = 1; i <= kn_attribute_count(f.library); i++) {
        found += kn_attribute_set_of(f.library, (kn_attribute_id){i}).index1 == set.index1;
    }
    assert_int_equal(found, 2);
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(fields_of_abilities_are_read_and_act),
    cmocka_unit_test(abilities_are_instanced_in_three_ways),
    cmocka_unit_test(costs_and_cooldowns_are_effects),
    cmocka_unit_test(abilities_act_by_their_code),
    cmocka_unit_test(sets_react_to_changes),
    cmocka_unit_test(sets_do_nothing_by_default),
    cmocka_unit_test(definitions_are_asked_without_a_unit),
    cmocka_unit_test(texts_are_the_games_own),
    cmocka_unit_test(games_add_their_own),
    cmocka_unit_test(what_is_missing_has_an_answer),
    cmocka_unit_test(units_are_dumped),
};

TEST_GROUP(rts_ability_data, tests, NULL, NULL);
