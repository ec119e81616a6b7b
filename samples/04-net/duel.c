// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The rules of the duel. A strike takes 20 health, less the armour of whoever is hit; guarding
// gives 15 armour for a second.

#include "duel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

// The library ---------------------------------------------------------------

static void attributes_register(kn_library *library)
{
    kn_attribute_def attributes[2];
    attributes[0] = kn_attribute_def_default();
    attributes[0].name = "Health";
    attributes[0].default_value = 100;
    attributes[0].base_min = kn_limit_constant(0);
    attributes[1] = kn_attribute_def_default();
    attributes[1].name = "Armour";
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "Fighter";
    def.attributes = attributes;
    def.attribute_count = 2;
    kn_attribute_set_id set;
    must(kn_attribute_set_register(library, &def, &set, NULL), "Fighter");
}

static kn_effect_type_id wound_register(kn_library *library)
{
    kn_modifier_def less = kn_modifier_def_default();
    less.attribute = kn_attribute_find(library, "Fighter.Health");
    less.magnitude = kn_magnitude_attribute(
        kn_attribute_find(library, "Fighter.Armour"), KN_CAPTURE_FROM_TARGET, false, 1);
    less.magnitude.post_add = kn_constant(-20);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Wound";
    def.modifiers = &less;
    def.modifier_count = 1;
    kn_effect_type_id type;
    must(kn_effect_register(library, &def, &type, NULL), "Wound");
    return type;
}

static kn_effect_type_id guarding_register(kn_library *library)
{
    kn_tag_def tag_def = kn_tag_def_default();
    tag_def.name = "State.Guarding";
    kn_tag tag;
    must(kn_tag_register(library, &tag_def, &tag, NULL), "State.Guarding");
    kn_modifier_def more =
        kn_modifier_constant(kn_attribute_find(library, "Fighter.Armour"), KN_OP_ADD, 15);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Guarding";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(1);
    def.modifiers = &more;
    def.modifier_count = 1;
    def.granted_tags = (kn_tags){&tag, 1};
    kn_effect_type_id type;
    must(kn_effect_register(library, &def, &type, NULL), "Guarding");
    return type;
}

// An ability that applies one effect and then needs a moment.
static void ability_register(kn_library *library, const char *name, uint32_t input,
    kn_effect_type_id effect, kn_apply_to to, float seconds)
{
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    apply.effect = effect;
    apply.to = to;
    kn_cooldown_def cooldown = kn_cooldown_seconds(seconds);
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.input = input;
    def.body = KN_BODY_USE;
    def.applies = &apply;
    def.apply_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    kn_ability_type_id type;
    must(kn_ability_register(library, &def, &type, NULL), name);
}

kn_library *duel_library(void)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    must(kn_library_create(&def, &library), "library");
    attributes_register(library);
    kn_effect_type_id wound = wound_register(library);
    kn_effect_type_id guarding = guarding_register(library);
    ability_register(library, "Strike", DUEL_STRIKE, wound, KN_APPLY_TO_TARGET, 0.8f);
    ability_register(library, "Guard", DUEL_GUARD, guarding, KN_APPLY_TO_OWNER, 2);
    must(kn_library_finish(library, NULL), "library");
    return library;
}

// The world -----------------------------------------------------------------

kn_world *duel_world(const kn_library *library)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    must(kn_world_create(&def, &world), "world");
    return world;
}

void duel_spawn(kn_world *world, uint32_t connection)
{
    const kn_library *library = kn_world_library(world);
    static const char *const abilities[] = {"Strike", "Guard"};
    kn_entity_id fighter;
    must(kn_entity_create(world, &fighter), "fighter");
    must(kn_attribute_set_add(world, fighter, kn_attribute_set_find(library, "Fighter"), 0), "set");
    for (size_t i = 0; i < sizeof(abilities) / sizeof(*abilities); i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = kn_ability_type_find(library, abilities[i]);
        kn_ability_id ability;
        must(kn_ability_grant(world, fighter, &grant, &ability), abilities[i]);
    }
    must(kn_entity_set_connection(world, fighter, connection), "connection");
}

void duel_remove(kn_world *world, uint32_t connection)
{
    (void)kn_entity_destroy(world, duel_fighter(world, connection));
}

kn_entity_id duel_fighter(const kn_world *world, uint32_t connection)
{
    kn_entity_id entity = {0};
    while (world != NULL && !kn_entity_id_is_null(entity = kn_entity_next(world, entity))) {
        if (kn_entity_connection(world, entity) == connection) {
            return entity;
        }
    }
    return (kn_entity_id){0};
}

kn_entity_id duel_opponent(const kn_world *world, uint32_t connection)
{
    kn_entity_id entity = {0};
    while (world != NULL && !kn_entity_id_is_null(entity = kn_entity_next(world, entity))) {
        if (kn_entity_connection(world, entity) != connection) {
            return entity;
        }
    }
    return (kn_entity_id){0};
}

float duel_health(const kn_world *world, kn_entity_id fighter)
{
    return kn_attribute_value(
        world, fighter, kn_attribute_find(kn_world_library(world), "Fighter.Health"));
}

// A command is all that a player ever sends. The client carries it out at once, the server when it
// gets there: in the same tick.
kn_result duel_press(kn_client *client, uint32_t input)
{
    const kn_world *world = kn_client_world(client);
    uint32_t connection = kn_client_connection(client);
    kn_command_press press = {.input = input};
    press.event.target = duel_opponent(world, connection);
    kn_command command = {.type = kn_command_type_press(),
        .entity = duel_fighter(world, connection),
        .payload = &press,
        .size = sizeof(press)};
    return kn_client_command(client, &command, NULL, NULL);
}

// What players see ----------------------------------------------------------

bool duel_describe(const kn_world *world, const kn_event *event,
    const char *const names[DUEL_PLAYERS], char *text, size_t size)
{
    const kn_library *library = kn_world_library(world);
    uint32_t connection = kn_entity_connection(world, event->entity);
    if (connection == 0 || connection > DUEL_PLAYERS) {
        return false;
    }
    const char *who = names[connection - 1];
    if (event->type == KN_EVENT_ATTRIBUTE_CHANGED &&
        event->data.attribute.attribute.index1 ==
            kn_attribute_find(library, "Fighter.Health").index1) {
        double before = (double)event->data.attribute.old_value;
        double now = (double)event->data.attribute.new_value;
        snprintf(
            text, size, "%s's health %g -> %g%s", who, before, now, now <= 0 ? ": a fall" : "");
        return true;
    }
    if (event->type == KN_EVENT_TAG_CHANGED &&
        event->data.tag.tag.index1 == kn_tag_find(library, "State.Guarding").index1) {
        snprintf(text, size, "%s %s", who, event->data.tag.count > 0 ? "guards" : "is open again");
        return true;
    }
    return false;
}

// The server's host ---------------------------------------------------------

void duel_follow(kn_server *server, kn_world *world, void (*joined)(const kn_server_event *event))
{
    kn_server_event event;
    while (kn_server_next_event(server, &event)) {
        if (event.kind == KN_SERVER_JOINED) {
            duel_spawn(world, event.connection);
            if (joined != NULL) {
                joined(&event);
            }
        } else if (event.kind == KN_SERVER_LEFT) {
            duel_remove(world, event.connection);
        }
    }
}
