// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A fight on the terminal, then explained, rolled back and saved. With --bench it also
// measures a few things.

#include "scenes/hero_kit.h"
#include "show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t size)
{
    void *bytes = malloc(size);
    must(bytes != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY, NULL);
    return bytes;
}

// A snapshot in its own buffer.
typedef struct moment {
    void *bytes;
    size_t size;
} moment;

static moment remember(const kn_world *world)
{
    moment now = {.size = kn_snapshot_size(world)};
    now.bytes = allocate(now.size);
    must(kn_snapshot_take(world, now.bytes, now.size, &now.size), NULL);
    return now;
}

static void go_back(kn_world *world, moment then)
{
    must(kn_snapshot_restore(world, then.bytes, then.size), NULL);
}

// Why? ----------------------------------------------------------------------

// The number that floated over a fighter in the last step.
static float number_over(const demo_fight *fight, uint32_t fighter)
{
    kn_events events = kn_world_events(fight->world);
    kn_tag number = kn_tag_find(fight->library, "GameplayCue.Number");
    for (uint32_t i = events.count; i-- > 0;) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_CUE && event->data.cue.tag.index1 == number.index1 &&
            kn_entity_id_equal(event->entity, fight->fighters[fighter])) {
            return event->data.cue.magnitude;
        }
    }
    return 0;
}

// The hit took one plate of the armour with it, so the question is asked before the hit: the world
// goes back, answers, and plays on to where it was.
static void why_this_damage(demo_fight *fight, moment before)
{
    kn_time now = kn_world_now(fight->world);
    float shown = number_over(fight, KORG);
    char text[1024];
    snprintf(text, sizeof(text), "Why is this damage %g?", (double)shown);
    show_title(text);
    go_back(fight->world, before);
    kn_attribute_id armour = kn_attribute_find(fight->library, "Hero.Armour");
    kn_attribute_explain_text(fight->world, fight->fighters[KORG], armour, 0, text, sizeof(text));
    float asked =
        kn_ability_caller_value(fight->world, fight_ability(fight, AYLA, HERO_INPUT_METEOR),
            kn_tag_find(fight->library, "Data.Damage"), 0);
    float plates = fight_value(fight, KORG, "Armour");
    float left = asked * 100 / (100 + plates);
    printf("At %g s, the meteor in the air, Korg's armour was\n\n%s\n",
        kn_time_to_seconds(kn_world_now(fight->world)), text);
    printf("damage  %g asked for x 100 / (100 + %g armour) = %g, %s\n", (double)asked,
        (double)plates, (double)left, left == shown ? "the number shown" : "NOT THE NUMBER SHOWN");
    fight_play(fight, now, NULL);
}

static void why_no_meteor(const demo_fight *fight)
{
    show_title("Why did Meteor fail?");
    char text[256];
    (void)kn_ability_explain_print(
        fight->world, fight_ability(fight, AYLA, HERO_INPUT_METEOR), NULL, text, sizeof(text));
    printf("%s\n", text);
}

// Back in time --------------------------------------------------------------

// The world goes back to the falling meteor, shows what it knew there, and plays the same steps
// again.
static void roll_back(demo_fight *fight, moment then, kn_time end)
{
    kn_world *world = fight->world;
    uint64_t first = kn_world_hash(world);
    show_title("Roll back to the falling meteor, resimulate");
    go_back(world, then);
    uint64_t back = kn_world_hash(world);
    kn_time start = kn_world_now(world);
    show_state(fight, AYLA);
    fight_play(fight, end, NULL);
    uint64_t second = kn_world_hash(world);
    printf("\n  at %g s         hash %016" PRIx64 "\n", kn_time_to_seconds(end), first);
    printf("  back at %g s  hash %016" PRIx64 "\n", kn_time_to_seconds(start), back);
    printf("  at %g s again   hash %016" PRIx64 "  %s\n", kn_time_to_seconds(end), second,
        first == second ? "equal" : "DIFFERENT");
}

static bool are_equal(const kn_world *a, const kn_world *b)
{
    return kn_world_hash(a) == kn_world_hash(b);
}

// A save is portable: a second world reads it in the middle of the fight and plays the same. If it
// did not, the library would say where.
static void save_and_load(demo_fight *fight, kn_time end)
{
    show_title("Save, load, compare");
    size_t size;
    must(kn_save_write(fight->world, NULL, 0, &size), NULL); // asks for the size
    void *bytes = allocate(size);
    must(kn_save_write(fight->world, bytes, size, &size), NULL);
    demo_fight copy = *fight;
    copy.world = fight_world_create(fight->library);
    kn_error error = {0};
    must(kn_save_read(copy.world, bytes, size, &error), &error);
    free(bytes);
    printf("  saved at %g s, loaded again  %s, %zu bytes\n",
        kn_time_to_seconds(kn_world_now(copy.world)),
        are_equal(fight->world, copy.world) ? "equal" : "DIFFERENT", size);

    fight_play(fight, end, NULL);
    fight_play(&copy, end, NULL);
    printf("  both fought out to %g s        %s\n", kn_time_to_seconds(end),
        are_equal(fight->world, copy.world) ? "equal" : "DIFFERENT");

    must(kn_input_press(copy.world, copy.fighters[AYLA], HERO_INPUT_DASH), NULL);
    char text[256];
    if (kn_world_difference(fight->world, copy.world, text, sizeof(text))) {
        printf("  one dash more in the copy     %s\n", text);
    }
    kn_world_destroy(copy.world);
}

int main(int argument_count, char **arguments)
{
    bool benches = argument_count > 1 && strcmp(arguments[1], "--bench") == 0;
    show_init();
    kn_library *library = fight_library_create();
    demo_fight fight;
    fight_create(&fight, library);

    show_title("A fight");
    show_bars(&fight);
    fight_play(&fight, KN_MS(1500), show_fight);
    moment falling = remember(fight.world);
    fight_play(&fight, KN_S(2), show_fight);
    why_this_damage(&fight, falling);
    show_title("The fight goes on");
    fight_play(&fight, KN_MS(2850), show_fight);
    why_no_meteor(&fight);
    show_title("And to its end");
    fight_play(&fight, KN_S(6), show_fight);

    roll_back(&fight, falling, KN_S(6));
    go_back(fight.world, falling);
    free(falling.bytes);
    save_and_load(&fight, KN_S(6));
    kn_world_destroy(fight.world);
    kn_library_destroy(library);

    if (benches) {
        show_title("How fast?");
        bench_run();
    } else {
        printf("\nWith --bench this program also measures; `make bench` measures everything.\n");
    }
    return 0;
}
