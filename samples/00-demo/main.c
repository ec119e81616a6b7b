// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A fight told on the terminal, then explained, rolled back and saved. With --bench it also
// measures a few things.

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

static void explain(const demo_fight *fight, kn_entity_id entity, kn_attribute_id attribute)
{
    char text[1024];
    kn_attribute_explain_text(fight->world, entity, attribute, 0, text, sizeof(text));
    printf("%s\n", text);
}

// Every number can say where it comes from.
static void why(const demo_fight *fight)
{
    kn_entity_id troll = fight->fighters[TROLL];
    char title[80];
    snprintf(title, sizeof(title), "Why is the Troll's Health %g?",
        (double)kn_attribute_value(fight->world, troll, fight->types->health));
    show_title(title);
    explain(fight, troll, fight->types->health);
    explain(fight, troll, fight->types->max_health);
}

// The world goes back in time and plays the same steps again.
static void roll_back(demo_fight *fight, const void *snapshot, size_t size, kn_time end)
{
    show_title("The same again: roll back, resimulate");
    kn_world *world = fight->world;
    uint64_t first = kn_world_hash(world);
    printf("  at %g s        hash %016" PRIx64 "\n", kn_time_to_seconds(end), first);
    must(kn_snapshot_restore(world, snapshot, size), NULL);
    printf("  back to %g s   hash %016" PRIx64 "\n", kn_time_to_seconds(kn_world_now(world)),
        kn_world_hash(world));
    fight_play(fight, end, NULL);
    uint64_t second = kn_world_hash(world);
    printf("  at %g s again  hash %016" PRIx64 "  %s\n", kn_time_to_seconds(end), second,
        first == second ? "equal" : "DIFFERENT");
}

static bool are_equal(const kn_world *a, const kn_world *b)
{
    return kn_world_hash(a) == kn_world_hash(b);
}

// A save is portable: a second world reads it in the middle of the fight and goes on alike. If it
// did not, the library would say where.
static void save_and_load(demo_fight *fight, kn_time end)
{
    show_title("Save, load, compare");
    size_t size;
    must(kn_save_write(fight->world, NULL, 0, &size), NULL); // asks for the size
    void *bytes = allocate(size);
    must(kn_save_write(fight->world, bytes, size, &size), NULL);
    demo_fight copy = *fight;
    fight_world_create(fight->types, &copy.world);
    kn_error error = {0};
    must(kn_save_read(copy.world, bytes, size, &error), &error);
    free(bytes);
    printf("  saved at %g s, loaded again  %s, %zu bytes\n",
        kn_time_to_seconds(kn_world_now(copy.world)),
        are_equal(fight->world, copy.world) ? "equal" : "DIFFERENT", size);

    fight_play(fight, end, NULL);
    fight_play(&copy, end, NULL);
    printf("  both fought out to %g s      %s\n", kn_time_to_seconds(end),
        are_equal(fight->world, copy.world) ? "equal" : "DIFFERENT");

    (void)kn_effect_apply_simple(
        copy.world, fight->types->effects[CLAW], (kn_entity_id){0}, copy.fighters[AYLA], 1, NULL);
    char text[256];
    if (kn_world_difference(fight->world, copy.world, text, sizeof(text))) {
        printf("  one more claw in the copy   %s\n", text);
    }
    kn_world_destroy(copy.world);
}

int main(int argument_count, char **arguments)
{
    bool benches = argument_count > 1 && strcmp(arguments[1], "--bench") == 0;
    show_init();
    demo_types types;
    fight_types_create(&types);
    demo_fight fight;
    fight_create(&fight, &types);

    show_title("A fight");
    show_bars(&fight);
    fight_play(&fight, KN_S(3), show_fight);
    size_t size = kn_snapshot_size(fight.world);
    void *snapshot = allocate(size);
    must(kn_snapshot_take(fight.world, snapshot, size, &size), NULL);
    fight_play(&fight, KN_S(5), show_fight);
    why(&fight);
    show_title("The fight goes on");
    fight_play(&fight, KN_S(8), show_fight);

    roll_back(&fight, snapshot, size, KN_S(8));
    must(kn_snapshot_restore(fight.world, snapshot, size), NULL);
    free(snapshot);
    save_and_load(&fight, KN_S(8));
    kn_world_destroy(fight.world);
    kn_library_destroy(types.library);

    if (benches) {
        show_title("How fast?");
        bench_run();
    } else {
        printf("\nWith --bench this program also measures; `make bench` measures everything.\n");
    }
    return 0;
}
