// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// An upgrade of the RTS kit that reaches all units of a player.

#include "bench.h"

#include "knack/rts_tech.h"

#include <stdlib.h>

#define UNITS 5000
#define OTHERS 500 // units under another filter, and of another player
#define LEVELS 20

typedef struct upgrade_scene {
    kn_library *library;
    kn_world *world;
    kn_entity_id player, units[UNITS];
    kn_attribute_id damage;
    kn_rts_upgrade_id upgrade;
} upgrade_scene;

static kn_tag tag_add(upgrade_scene *scene, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    kn_tag tag;
    def.name = name;
    bench_check(kn_tag_register(scene->library, &def, &tag, NULL), name);
    return tag;
}

static kn_rts_unit_type_id unit_add(
    upgrade_scene *scene, const char *name, kn_attribute_set_id set, kn_tag tag)
{
    kn_rts_unit_def def = kn_rts_unit_def_default();
    kn_rts_unit_type_id type;
    def.name = name;
    def.sets = &set;
    def.set_count = 1;
    def.initial_tags = (kn_tags){&tag, 1};
    bench_check(kn_rts_unit_register(scene->library, &def, &type, NULL), name);
    return type;
}

static void library_create(
    upgrade_scene *scene, kn_rts_unit_type_id *soldier, kn_rts_unit_type_id *other)
{
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    kn_attribute_def attributes[] = {
        kn_attribute_def_default(), kn_attribute_def_default(), kn_attribute_def_default()};
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id body;
    bench_check(kn_library_create(&def, &scene->library), "kn_library_create");
    bench_check(kn_order_register(scene->library, &error), error.message);
    bench_check(kn_rts_register(scene->library, &error), error.message);
    attributes[0].name = "Damage";
    attributes[0].default_value = 10.0f;
    attributes[1].name = "Health";
    attributes[2].name = "Speed";
    set.name = "Body";
    set.attributes = attributes;
    set.attribute_count = 3;
    bench_check(kn_attribute_set_register(scene->library, &set, &body, &error), error.message);
    scene->damage = kn_attribute_find(scene->library, "Body.Damage");
    const kn_tag melee = tag_add(scene, "Kind.Melee");
    *soldier = unit_add(scene, "Soldier", body, melee);
    *other = unit_add(scene, "Archer", body, tag_add(scene, "Kind.Ranged"));
    const kn_curve_point points[] = {{0.0f, 0.0f}, {LEVELS, LEVELS}};
    kn_curve_def curve = kn_curve_def_default();
    kn_curve_id bonus;
    curve.name = "Bonus";
    curve.points = points;
    curve.point_count = 2;
    bench_check(kn_curve_register(scene->library, &curve, &bonus, &error), error.message);
    kn_modifier_def modifier = kn_modifier_constant(scene->damage, KN_OP_ADD, 1.0f);
    modifier.magnitude.scale = kn_by_level(1.0f, bonus);
    kn_effect_def effect = kn_effect_def_default();
    kn_rts_upgrade_def upgrade = kn_rts_upgrade_def_default();
    effect.name = "SharpBlades";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.acts_on_owned = true;
    effect.owned.required = (kn_tags){&melee, 1};
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    bench_check(
        kn_effect_register(scene->library, &effect, &upgrade.effect, &error), error.message);
    upgrade.name = "Blades";
    upgrade.max_level = LEVELS;
    bench_check(
        kn_rts_upgrade_register(scene->library, &upgrade, &scene->upgrade, &error), error.message);
    bench_check(kn_library_finish(scene->library, &error), error.message);
}

static kn_entity_id unit_create(upgrade_scene *scene, kn_rts_unit_type_id type, kn_entity_id owner)
{
    kn_entity_id unit;
    bench_check(kn_entity_create(scene->world, &unit), "kn_entity_create");
    bench_check(kn_entity_set_owner(scene->world, unit, owner), "kn_entity_set_owner");
    bench_check(kn_rts_unit_add(scene->world, unit, type), "kn_rts_unit_add");
    return unit;
}

static void scene_create(upgrade_scene *scene)
{
    kn_world_def def = kn_world_def_default();
    kn_rts_unit_type_id soldier, other;
    kn_entity_id rival;
    library_create(scene, &soldier, &other);
    def.library = scene->library;
    def.entity_capacity = UNITS + 2 * OTHERS + 16;
    bench_check(kn_world_create(&def, &scene->world), "kn_world_create");
    bench_check(kn_entity_create(scene->world, &scene->player), "kn_entity_create");
    bench_check(kn_entity_create(scene->world, &rival), "kn_entity_create");
    for (uint32_t i = 0; i < UNITS; i++) {
        scene->units[i] = unit_create(scene, soldier, scene->player);
        if (i < OTHERS) {
            (void)unit_create(scene, other, scene->player);
            (void)unit_create(scene, soldier, rival);
        }
    }
    bench_check(kn_world_step(scene->world, KN_MS(16)), "kn_world_step");
}

// Sets the level, and reads what every unit has from it. Returns the time in milliseconds.
static double level_ms(upgrade_scene *scene, uint32_t level)
{
    float sum = 0.0f;
    const double start = bench_now_ns();
    bench_check(kn_rts_set_upgrade(scene->world, scene->player, scene->upgrade, level), "level");
    for (uint32_t i = 0; i < UNITS; i++) {
        sum += kn_attribute_value(scene->world, scene->units[i], scene->damage);
    }
    const double spent = bench_now_ns() - start;
    bench_check(sum == UNITS * (10.0f + (float)level) ? KN_OK : KN_ERROR_BAD_DATA, "damage");
    bench_check(kn_world_step(scene->world, KN_MS(16)), "kn_world_step");
    return spent / 1e6;
}

// From the call to the right number at each of 5,000 units: for the first level, for one more, and
// for the first effect of the world.
void bench_upgrade_5k(bench_report *bench)
{
    upgrade_scene *scene = calloc(1, sizeof(*scene));
    double first = 1e9, further = 1e9;
    bench_check(scene != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY, "calloc");
    scene_create(scene);
    const double cold = level_ms(scene, LEVELS); // takes memory for the modifiers
    for (uint32_t level = 1; level <= 5; level++) {
        (void)level_ms(scene, 0);
        const double once = level_ms(scene, level), more = level_ms(scene, level + 1);
        first = once < first ? once : first;
        further = more < further ? more : further;
    }
    bench_note(bench, "total_ms", first, "ms");
    bench_note(bench, "further_ms", further, "ms");
    bench_note(bench, "cold_ms", cold, "ms");
    kn_world_destroy(scene->world);
    kn_library_destroy(scene->library);
    free(scene);
}
