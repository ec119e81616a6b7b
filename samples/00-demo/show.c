// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L // isatty, fileno
#endif

#include "show.h"

#include <stdio.h>
#include <string.h>
#if defined(_WIN32)
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

#define BAR_WIDTH 16

static bool has_colours;

void show_init(void)
{
    has_colours = isatty(fileno(stdout)) != 0;
}

static const char *colour(const char *code)
{
    return has_colours ? code : "";
}

#define RED colour("\033[31m")
#define GREEN colour("\033[32m")
#define YELLOW colour("\033[33m")
#define BLUE colour("\033[36m")
#define DIM colour("\033[2m")
#define BOLD colour("\033[1m")
#define PLAIN colour("\033[0m")

void show_title(const char *title)
{
    printf("\n%s%s%s\n\n", BOLD, title, PLAIN);
}

// Bars ----------------------------------------------------------------------

static void bar(float share)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    uint32_t eighths = (uint32_t)(share * BAR_WIDTH * 8 + 0.5f);
    printf("%s", share > 0.5f ? GREEN : share > 0.25f ? YELLOW : RED);
    for (uint32_t i = 0; i < eighths / 8; i++) {
        fputs("█", stdout);
    }
    fputs(parts[eighths % 8], stdout);
    printf("%s%s", PLAIN, DIM);
    for (uint32_t i = (eighths + 7) / 8; i < BAR_WIDTH; i++) {
        fputs("·", stdout);
    }
    printf("%s", PLAIN);
}

void show_bars(const demo_fight *fight)
{
    const demo_types *types = fight->types;
    printf("         ");
    for (uint32_t i = 0; i < FIGHTER_COUNT; i++) {
        kn_entity_id fighter = fight->fighters[i];
        bool is_last = i + 1 == FIGHTER_COUNT;
        printf("  %s ", fighter_names[i]);
        if (!kn_entity_is_alive(fight->world, fighter)) {
            printf("%-*s", is_last ? 0 : BAR_WIDTH + 8, "dead");
            continue;
        }
        float health = kn_attribute_value(fight->world, fighter, types->health);
        float max_health = kn_attribute_value(fight->world, fighter, types->max_health);
        bar(health / max_health);
        printf(" %3.0f/%-*.0f", (double)health, is_last ? 0 : 3, (double)max_health);
    }
    printf("\n");
}

// Events --------------------------------------------------------------------

static const char *name_of(const demo_fight *fight, kn_entity_id entity)
{
    for (uint32_t i = 0; i < FIGHTER_COUNT; i++) {
        if (kn_entity_id_equal(fight->fighters[i], entity)) {
            return fighter_names[i];
        }
    }
    return "somebody";
}

// "tick of Burn", "Burn <- Fireball": the chain of causes without ids. kn_cause_print() gives the
// full form.
static void print_causes(const demo_fight *fight, kn_cause cause)
{
    static const char *const words[] = {[KN_CAUSE_TICK] = "tick of ",
        [KN_CAUSE_EXPIRE] = "end of ",
        [KN_CAUSE_REMOVE] = "removal of ",
        [KN_CAUSE_TAG] = "conditions of ",
        [KN_CAUSE_RULE] = "rule",
        [KN_CAUSE_DESTROY] = "death"};
    kn_cause_info info;
    const char *separator = "";
    for (; kn_cause_get(fight->world, cause, &info); cause = info.parent) {
        const char *word = words[info.kind];
        printf("%s%s%s", separator, word != NULL ? word : "",
            kn_effect_type_name(fight->world, info.type));
        separator = " <- ";
    }
}

// What happened, in words; false for what the story leaves out.
static bool print_event(const demo_fight *fight, const kn_event *event, char *text, size_t size)
{
    const demo_types *types = fight->types;
    const kn_world *world = fight->world;
    const char *effect = kn_effect_type_name(world, event->data.effect.type);
    switch (event->type) {
    case KN_EVENT_ATTRIBUTE_CHANGED: {
        kn_attribute_id attribute = event->data.attribute.attribute;
        if (kn_attribute_id_equal(attribute, types->damage)) {
            return false; // meta: what it does to Shield and Health is told
        }
        snprintf(text, size, "%s %g -> %g",
            strchr(kn_attribute_name(types->library, attribute), '.') + 1,
            (double)event->data.attribute.old_value, (double)event->data.attribute.new_value);
        return true;
    }
    case KN_EVENT_EFFECT_APPLIED:
        snprintf(text, size, "+ %s", effect);
        return true;
    case KN_EVENT_EFFECT_REMOVED:
        if (event->data.effect.reason == KN_REMOVED_TARGET_DIED) {
            return false;
        }
        snprintf(
            text, size, "- %s (%s)", effect, kn_removal_reason_name(event->data.effect.reason));
        return true;
    case KN_EVENT_EFFECT_STACKS:
        snprintf(text, size, "%s stacks %u -> %u", effect, event->data.effect.old_count,
            event->data.effect.count);
        return true;
    case KN_EVENT_EFFECT_INHIBITED:
        snprintf(text, size, "%s switched %s", effect, event->data.effect.count > 0 ? "on" : "off");
        return true;
    case KN_EVENT_EFFECT_BLOCKED: {
        kn_effect_info by;
        kn_effect_get(world, event->data.effect.by, &by);
        snprintf(text, size, "%s blocked by %s", effect, kn_effect_type_name(world, by.type));
        return true;
    }
    case KN_EVENT_ENTITY_DESTROYED:
        snprintf(text, size, "dies");
        return true;
    default:
        return false;
    }
}

static const char *event_colour(const kn_event *event)
{
    switch (event->type) {
    case KN_EVENT_ATTRIBUTE_CHANGED:
        return event->data.attribute.new_value < event->data.attribute.old_value ? RED : GREEN;
    case KN_EVENT_EFFECT_BLOCKED:
    case KN_EVENT_EFFECT_INHIBITED:
        return YELLOW;
    default:
        return BLUE;
    }
}

void show_fight(const demo_fight *fight, const char *blow)
{
    if (blow != NULL) {
        printf(
            "%7.3f s  %s%s%s\n", kn_time_to_seconds(kn_world_now(fight->world)), BOLD, blow, PLAIN);
        return;
    }
    kn_events events = kn_world_events(fight->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        char text[80];
        if (!print_event(fight, event, text, sizeof(text))) {
            continue;
        }
        printf("%7.3f s    %-6s %s%-28s%s %s(", kn_time_to_seconds(event->time),
            name_of(fight, event->entity), event_colour(event), text, PLAIN, DIM);
        print_causes(fight, event->cause);
        printf(")%s\n", PLAIN);
    }
    if (kn_world_now(fight->world) % KN_S(1) == 0) {
        show_bars(fight);
    }
}
