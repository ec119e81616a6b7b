// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L // isatty, fileno
#endif

#include "show.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#if defined(_WIN32)
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

#define BAR_WIDTH 10
#define TEXT_WIDTH 23

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

static void bar(float share, const char *full)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    uint32_t eighths = (uint32_t)(share * BAR_WIDTH * 8 + 0.5f);
    printf("%s", full);
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

// The bar of an attribute, such as "Mana" and "MaxMana", with its numbers in `width` columns.
static void pool(const demo_fight *fight, uint32_t fighter, const char *attribute,
    const char *colour_of_bar, int width)
{
    char name[32], numbers[32];
    snprintf(name, sizeof(name), "Max%s", attribute);
    float value = fight_value(fight, fighter, attribute), most = fight_value(fight, fighter, name);
    bar(value / most, colour_of_bar);
    snprintf(numbers, sizeof(numbers), "%3.0f/%.0f", (double)value, (double)most);
    printf(" %-*s", width, numbers);
}

static void health(const demo_fight *fight, uint32_t fighter, int width)
{
    float share = fight_value(fight, fighter, "Health") / fight_value(fight, fighter, "MaxHealth");
    pool(fight, fighter, "Health", share > 0.5f ? GREEN : share > 0.25f ? YELLOW : RED, width);
}

void show_bars(const demo_fight *fight)
{
    printf("           %s%s%s  health ", BOLD, fighter_names[AYLA], PLAIN);
    health(fight, AYLA, 7);
    printf("   mana ");
    pool(fight, AYLA, "Mana", BLUE, 7);
    printf("   stamina ");
    pool(fight, AYLA, "Stamina", YELLOW, 0);
    printf("\n           %s%s%s  health ", BOLD, fighter_names[KORG], PLAIN);
    health(fight, KORG, 7);
    printf("   %s%s%s  ", BOLD, fighter_names[IMP], PLAIN);
    health(fight, IMP, 7);
    printf("   %s%s%s   ", BOLD, fighter_names[GNOLL], PLAIN);
    health(fight, GNOLL, 0);
    printf("\n");
}

// Names ---------------------------------------------------------------------

static const char *name_of(const demo_fight *fight, kn_entity_id entity)
{
    for (uint32_t i = 0; i < FIGHTER_COUNT; i++) {
        if (kn_entity_id_equal(fight->fighters[i], entity)) {
            return fighter_names[i];
        }
    }
    return "somebody";
}

// The last part: Meteor of GA_Meteor, Mana of Hero.Mana.
static const char *short_name(const char *name)
{
    const char *part = strrchr(name, '.');
    const char *prefixed = part != NULL ? part + 1 : name;
    bool has_prefix = strncmp(prefixed, "GA_", 3) == 0 || strncmp(prefixed, "GE_", 3) == 0;
    return has_prefix ? prefixed + 3 : prefixed;
}

static const char *ability_name(const demo_fight *fight, kn_ability_type_id type)
{
    return short_name(kn_ability_type_name(fight->library, type));
}

static bool is_tag(const demo_fight *fight, kn_tag tag, const char *name)
{
    return tag.index1 == kn_tag_find(fight->library, name).index1;
}

// Causes --------------------------------------------------------------------

static void print_cause(const demo_fight *fight, const kn_cause_info *info, kn_entity_id about)
{
    static const char *const words[KN_CAUSE_TASK + 1] = {
        [KN_CAUSE_TICK] = "tick of ",
        [KN_CAUSE_EXPIRE] = "end of ",
        [KN_CAUSE_REMOVE] = "removal of ",
        [KN_CAUSE_RULE] = "rule about ",
        [KN_CAUSE_EVENT] = "event ",
        [KN_CAUSE_END] = "end of ",
    };
    const char *word = words[info->kind];
    printf("%s", word != NULL ? word : "");
    if (info->kind == KN_CAUSE_TIMER) {
        printf("%s's timer", name_of(fight, info->entity));
    } else if (info->ability.index1 != 0) {
        bool is_own = kn_entity_id_equal(info->entity, about);
        printf("%s%s%s", is_own ? "" : name_of(fight, info->entity), is_own ? "" : "'s ",
            ability_name(fight, info->ability));
    } else if (info->type.index1 != 0) {
        printf("%s", short_name(kn_effect_type_name(fight->world, info->type)));
    } else if (info->tag.index1 != 0) {
        printf("%s", short_name(kn_tag_name(fight->library, info->tag)));
    }
}

// That Meteor begins because of Meteor is obvious.
static bool is_itself(const kn_event *event, const kn_cause_info *info)
{
    bool is_about_ability =
        event->type == KN_EVENT_ABILITY_ACTIVATED || event->type == KN_EVENT_ABILITY_ENDED;
    return is_about_ability && kn_entity_id_equal(event->entity, info->entity) &&
           event->data.ability.type.index1 == info->ability.index1;
}

// "(Damage <- Ayla's Meteor)" after a gap: the chain of causes without ids. kn_cause_print() gives
// the full form.
static void print_causes(const demo_fight *fight, const kn_event *event, int gap)
{
    kn_cause_info info;
    bool is_first = true;
    for (kn_cause cause = event->cause; kn_cause_get(fight->world, cause, &info);
         cause = info.parent) {
        if (is_itself(event, &info)) {
            continue;
        }
        if (is_first) {
            printf("%*s%s(", gap, "", DIM);
        } else {
            printf(" <- ");
        }
        print_cause(fight, &info, event->entity);
        is_first = false;
    }
    printf("%s%s\n", is_first ? "" : ")", is_first ? "" : PLAIN);
}

// Events --------------------------------------------------------------------

// What a line says, and in which colour.
typedef struct line {
    char text[96];
    const char *colour;
} line;

// Always true, so that callers can return it.
static bool say(line *out, const char *shade, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out->text, sizeof(out->text), format, arguments);
    va_end(arguments);
    out->colour = shade;
    return true;
}

static bool tell_tag(const demo_fight *fight, const kn_event *event, line *out)
{
    bool came = event->data.tag.count > 0;
    bool is_dead =
        kn_entity_has_tag(fight->world, event->entity, kn_tag_find(fight->library, "State.Dead"));
    if (is_tag(fight, event->data.tag.tag, "State.Dead")) {
        return say(out, came ? RED : GREEN, came ? "dies" : "is back");
    }
    if (is_tag(fight, event->data.tag.tag, "State.Stunned") && !is_dead) {
        return say(out, YELLOW, came ? "is stunned" : "is no longer stunned");
    }
    return false;
}

// Costs, armour and gold. Health is shown by numbers and bars.
static bool tell_attribute(const demo_fight *fight, const kn_event *event, line *out)
{
    const char *name =
        short_name(kn_attribute_name(fight->library, event->data.attribute.attribute));
    float before = event->data.attribute.old_value, now = event->data.attribute.new_value;
    bool is_paid = (strcmp(name, "Mana") == 0 || strcmp(name, "Stamina") == 0) && now < before;
    if (is_paid || strcmp(name, "Gold") == 0 || strcmp(name, "Armour") == 0) {
        return say(
            out, now < before ? BLUE : GREEN, "%s %g -> %g", name, (double)before, (double)now);
    }
    return false;
}

// "Meteor refused: OnCooldown, CantAffordCost": the library's tags of the reasons.
static bool tell_refusal(const demo_fight *fight, const kn_event *event, line *out)
{
    kn_tag tags[KN_FAIL_COUNT];
    uint32_t count =
        kn_ability_fail_tags(fight->world, event->data.ability.reasons, tags, KN_FAIL_COUNT);
    (void)say(out, YELLOW, "%s refused", ability_name(fight, event->data.ability.type));
    for (uint32_t i = 0; i < count && i < KN_FAIL_COUNT; i++) {
        size_t length = strlen(out->text);
        snprintf(out->text + length, sizeof(out->text) - length, "%s %s", i > 0 ? "," : ":",
            short_name(kn_tag_name(fight->library, tags[i])));
    }
    return true;
}

// The gun fires too often to show more than its hits.
static bool tell_ability(const demo_fight *fight, const kn_event *event, line *out)
{
    const char *name = ability_name(fight, event->data.ability.type);
    if (event->type == KN_EVENT_ABILITY_FAILED) {
        return tell_refusal(fight, event, out);
    }
    if (strcmp(name, "FireGun") == 0) {
        return false;
    }
    if (event->type == KN_EVENT_ABILITY_ACTIVATED) {
        return say(out, BOLD, "begins %s", name);
    }
    kn_end_reason reason = (kn_end_reason)event->data.ability.end_reason;
    return kn_end_is_cancelled(reason) ? say(out, YELLOW, "%s %s", name, kn_end_reason_name(reason))
                                       : say(out, "", "ends %s", name);
}

// What happened, in words; false for what the story leaves out.
static bool tell(const demo_fight *fight, const kn_event *event, line *out)
{
    switch (event->type) {
    case KN_EVENT_ATTRIBUTE_CHANGED:
        return tell_attribute(fight, event, out);
    case KN_EVENT_TAG_CHANGED:
        return tell_tag(fight, event, out);
    case KN_EVENT_CUE:
        return is_tag(fight, event->data.cue.tag, "GameplayCue.Number") &&
               say(out, RED, "takes %.3g", (double)event->data.cue.magnitude);
    case KN_EVENT_ABILITY_ACTIVATED:
    case KN_EVENT_ABILITY_ENDED:
    case KN_EVENT_ABILITY_FAILED:
        return tell_ability(fight, event, out);
    default:
        return false;
    }
}

void show_fight(const demo_fight *fight)
{
    kn_events events = kn_world_events(fight->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        line out;
        if (tell(fight, event, &out)) {
            int length = (int)strlen(out.text);
            printf("%7.3f s  %-5s %s%s%s", kn_time_to_seconds(event->time),
                name_of(fight, event->entity), out.colour, out.text, PLAIN);
            print_causes(fight, event, length < TEXT_WIDTH ? TEXT_WIDTH - length : 1);
        }
    }
    if (kn_world_now(fight->world) % KN_S(2) == 0) {
        show_bars(fight);
    }
}

// State ---------------------------------------------------------------------

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

void show_state(const demo_fight *fight, uint32_t fighter)
{
    char text[8192];
    (void)kn_entity_dump(fight->world, fight->fighters[fighter], text, sizeof(text));
    bool is_shown = false;
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        if (*at != ' ') { // a heading
            is_shown = begins_with(at, "tags") || begins_with(at, "abilities") ||
                       begins_with(at, "cooldowns");
        }
        const char *ready = strstr(at, ": ready");
        bool is_ready = ready != NULL && ready < at + length;
        if (is_shown && !is_ready) {
            printf("  %.*s\n", (int)length, at);
        }
        at += length + (at[length] == '\n');
    }
}
