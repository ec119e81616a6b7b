// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The combat log and its meters.

#include "combat_hit_test.h"

static kn_combat_log *log_of(uint32_t rows, uint32_t cells)
{
    kn_combat_log_def def = kn_combat_log_def_default();
    kn_combat_log *log;
    def.row_capacity = rows;
    def.cell_capacity = cells;
    expect_ok(kn_combat_log_create(&def, &log));
    return log;
}

static void hit_with(arena *a, kn_entity_id source, kn_entity_id target, kn_hit_kind kind,
    float amount, kn_ability_type_id ability, kn_effect_type_id effect)
{
    kn_hit_def def = kn_hit_def_default();
    def.source = source;
    def.target = target;
    def.kind = kind;
    def.amount = amount;
    def.ability = ability;
    def.effect = effect;
    (void)kn_hit_run(a->world, &def, NULL);
}

typedef struct stage {
    arena a;
    kn_ability_type_id bolt, heal;
    kn_effect_type_id burn, armour;
    kn_combat_log *log;
} stage;

static void begin(stage *s, uint32_t rows, uint32_t cells)
{
    arena_begin(&s->a);
    kn_ability_def bolt = kn_ability_def_default(), heal = kn_ability_def_default();
    bolt.name = "Bolt";
    heal.name = "Heal";
    s->bolt = arena_ability(&s->a, &bolt);
    s->heal = arena_ability(&s->a, &heal);
    kn_effect_def burn = kn_effect_def_default();
    burn.name = "Burn";
    s->burn = arena_effect(&s->a, &burn);
    s->armour =
        value_effect(&s->a, "Armour", "Knack.DamageTaken", KN_OP_MULTIPLY, 0.5f, (kn_tags){0});
    kn_outcome_def critical = kn_outcome_def_default();
    kn_error error = {0};
    critical.name = "Critical";
    critical.chance = kn_magnitude_constant(1.0f);
    critical.factor = kn_magnitude_constant(2.0f);
    critical.tags.required = (kn_tags){&s->a.fire, 1};
    expect_ok(kn_outcome_register(s->a.library, &critical, NULL, &error));
    arena_start(&s->a);
    s->log = log_of(rows, cells);
}

static void end(stage *s)
{
    kn_combat_log_destroy(s->log);
    arena_end(&s->a);
}

static void read(stage *s)
{
    settle(&s->a);
    (void)kn_combat_log_read(s->log, s->a.world);
}

// Rows --------------------------------------------------------------------------------

static void every_hit_is_a_row_and_a_line(void **state)
{
    stage s;
    (void)state;
    begin(&s, 64, 64);
    arena *a = &s.a;
    (void)arena_apply(a, s.armour, a->foe, a->foe);
    arena_until(a, 1250);
    hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, 50.0f, s.bolt, s.burn);
    settle(a);
    assert_int_equal(kn_combat_log_read(s.log, a->world), 3); // the hit, and combat of two
    kn_combat_row row;
    assert_true(kn_combat_log_row(s.log, 0, &row));
    assert_int_equal(row.kind, KN_COMBAT_ROW_HIT);
    assert_true(row.time == KN_MS(1250));
    assert_int_equal(row.event.index1, kn_custom_event_find(a->library, "Knack.Hit").index1);
    expect_entity(row.entity, a->foe);
    expect_entity(row.source, a->hero);
    expect_entity(row.target, a->foe);
    assert_int_equal(row.ability.index1, s.bolt.index1);
    assert_int_equal(row.effect.index1, s.burn.index1);
    assert_true(row.hit.amount == 50.0f && row.hit.dealt == 25.0f && row.hit.mitigated == 25.0f);
    char text[256], wanted[256];
    uint32_t length = kn_combat_log_print(s.log, a->world, 0, text, sizeof(text));
    (void)snprintf(wanted, sizeof(wanted),
        "1.25 s  entity %u takes 25 of 50 damage from entity %u (Bolt): 25 mitigated",
        a->foe.index1, a->hero.index1);
    assert_string_equal(text, wanted);
    assert_int_equal(length, strlen(wanted));
    assert_int_equal(kn_combat_log_print(s.log, a->world, 0, NULL, 0), length);
    assert_true(kn_combat_log_row(s.log, 1, &row));
    assert_int_equal(row.kind, KN_COMBAT_ROW_OTHER);
    expect_entity(row.entity, a->hero);
    expect_entity(row.target, a->foe);
    (void)kn_combat_log_print(s.log, a->world, 1, text, sizeof(text));
    (void)snprintf(wanted, sizeof(wanted), "1.25 s  entity %u: CombatStarted with entity %u",
        a->hero.index1, a->foe.index1);
    assert_string_equal(text, wanted);
    assert_false(kn_combat_log_row(s.log, 3, &row));
    assert_int_equal(row.entity.index1, 0);
    assert_int_equal(kn_combat_log_print(s.log, a->world, 3, text, sizeof(text)), 0);
    end(&s);
}

static void name_of(
    void *user, const kn_world *world, kn_entity_id entity, char *text, uint32_t size)
{
    const arena *a = user;
    (void)world;
    (void)snprintf(text, size, "%s", kn_entity_id_equal(entity, a->hero) ? "Jaina" : "the dragon");
}

static void deaths_are_rows_and_the_host_names_entities(void **state)
{
    stage s;
    (void)state;
    begin(&s, 64, 64);
    arena *a = &s.a;
    kn_combat_log_def def = kn_combat_log_def_default();
    kn_combat_log *log;
    def.only_hits = true;
    def.name = name_of;
    def.name_user = a;
    expect_ok(kn_combat_log_create(&def, &log));
    hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, 1100.0f, (kn_ability_type_id){0}, s.burn);
    expect_ok(kn_combat_resurrect(a->world, a->foe, a->hero, 0.5f));
    settle(a);
    assert_int_equal(kn_combat_log_read(log, a->world), 3);
    char text[256];
    (void)kn_combat_log_print(log, a->world, 0, text, sizeof(text));
    assert_string_equal(text,
        "0 s  the dragon takes 1000 of 1100 damage from Jaina (Burn): 100 overkill, and dies");
    (void)kn_combat_log_print(log, a->world, 1, text, sizeof(text));
    assert_string_equal(text, "0 s  the dragon dies (Burn) by Jaina");
    (void)kn_combat_log_print(log, a->world, 2, text, sizeof(text));
    assert_string_equal(text, "0 s  the dragon lives again by Jaina");
    kn_combat_row row;
    assert_true(kn_combat_log_row(log, 1, &row));
    assert_int_equal(row.kind, KN_COMBAT_ROW_DIED);
    expect_entity(row.source, a->hero);
    assert_true(kn_combat_log_row(log, 2, &row));
    assert_int_equal(row.kind, KN_COMBAT_ROW_RESURRECTED);
    (void)kn_combat_log_print(log, a->world, 0, text, 9);
    assert_string_equal(text, "0 s  the");
    kn_combat_log_destroy(log);
    end(&s);
}

static void the_oldest_rows_are_dropped(void **state)
{
    stage s;
    (void)state;
    begin(&s, 4, 64);
    arena *a = &s.a;
    for (uint32_t i = 1; i <= 10; i++) {
        hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, (float)i, s.bolt, s.burn);
    }
    read(&s);
    assert_int_equal(kn_combat_log_count(s.log), 4);
    assert_int_equal(kn_combat_log_total(s.log), 12);
    kn_combat_row row;
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(kn_combat_log_row(s.log, i, &row));
        assert_true(row.hit.amount == (float)(7 + i));
    }
    kn_combat_log_clear(s.log);
    assert_int_equal(kn_combat_log_count(s.log), 0);
    kn_meter_query query = kn_meter_query_default();
    assert_int_equal(kn_combat_meter(s.log, &query, NULL, 0), 0);
    end(&s);
}

// An observer changes nothing.
static void a_log_does_not_change_the_world(void **state)
{
    uint64_t hashes[2];
    (void)state;
    for (uint32_t pass = 0; pass < 2; pass++) {
        stage s;
        begin(&s, 8, 8);
        for (uint32_t i = 0; i < 30; i++) {
            hit_with(&s.a, s.a.hero, s.a.foe, KN_HIT_DAMAGE, 3.0f, s.bolt, s.burn);
            expect_ok(kn_world_step(s.a.world, KN_MS(50)));
            if (pass == 1) {
                (void)kn_combat_log_read(s.log, s.a.world);
            }
        }
        hashes[pass] = kn_world_hash(s.a.world);
        end(&s);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Meters ------------------------------------------------------------------------------

static void meters_add_up_by_source_target_and_ability(void **state)
{
    stage s;
    kn_meter_row rows[8];
    (void)state;
    begin(&s, 64, 64);
    arena *a = &s.a;
    kn_ability_type_id none = {0};
    hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, 100.0f, s.bolt, s.burn);
    hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, 60.0f, none, s.burn);
    hit_with(a, a->ally, a->foe, KN_HIT_DAMAGE, 200.0f, s.bolt, (kn_effect_type_id){0});
    hit_with(a, a->foe, a->hero, KN_HIT_DAMAGE, 40.0f, s.bolt, (kn_effect_type_id){0});
    hit_with(a, a->ally, a->hero, KN_HIT_HEALING, 70.0f, s.heal, (kn_effect_type_id){0});
    kn_hit_def critical = hit_of(a, 50.0f);
    critical.ability = s.bolt;
    critical.tags = (kn_tags){&a->fire, 1};
    arena_until(a, 4000);
    (void)kn_combat_log_read(s.log, a->world);
    expect_ok(kn_hit_run(a->world, &critical, NULL));
    (void)arena_apply(a, s.armour, a->foe, a->foe);
    read(&s);
    kn_meter_query query = kn_meter_query_default();
    assert_int_equal(kn_combat_meter(s.log, &query, rows, 8), 3);
    expect_entity(rows[0].entity, a->hero); // 260
    expect_entity(rows[1].entity, a->ally); // 200
    expect_entity(rows[2].entity, a->foe);  // 40
    assert_true(rows[0].amount == 260.0 && rows[0].hits == 3 && rows[0].criticals == 1);
    assert_true(rows[0].largest == 100.0 && rows[0].avoided == 0 && rows[0].kills == 0);
    assert_true(rows[0].mitigated == -50.0); // the critical hit was larger than asked for
    assert_true(rows[0].per_second == 65.0 && rows[0].share == 260.0 / 500.0);
    query.by = KN_METER_BY_TARGET;
    assert_int_equal(kn_combat_meter(s.log, &query, rows, 1), 2);
    expect_entity(rows[0].entity, a->foe);
    assert_true(rows[0].amount == 460.0);
    query.by = KN_METER_BY_ABILITY;
    query.source = a->hero;
    assert_int_equal(kn_combat_meter(s.log, &query, rows, 8), 2);
    assert_int_equal(rows[0].ability.index1, s.bolt.index1);
    assert_int_equal(rows[0].effect.index1, 0);
    assert_true(rows[0].amount == 200.0);
    assert_int_equal(rows[1].ability.index1, 0);
    assert_int_equal(rows[1].effect.index1, s.burn.index1);
    assert_true(rows[1].amount == 60.0);
    query.target = a->ally;
    assert_int_equal(kn_combat_meter(s.log, &query, rows, 8), 0);
    query = kn_meter_query_default();
    query.kind = KN_HIT_HEALING;
    assert_int_equal(kn_combat_meter(s.log, &query, rows, 8), 1);
    expect_entity(rows[0].entity, a->ally);
    assert_true(rows[0].amount == 40.0 && rows[0].over == 30.0);
    end(&s);
}

static void meters_count_misses_kills_and_what_gates_refuse(void **state)
{
    stage s;
    kn_meter_row row;
    (void)state;
    arena_begin(&s.a);
    arena *a = &s.a;
    kn_effect_type_id shell =
        gate_effect(a, "Shell", "Knack.Damage", arena_condition(a, "Small", "event.magnitude < 5"));
    arena_start(a);
    s.log = log_of(16, 16);
    (void)arena_apply(a, shell, a->foe, a->foe);
    kn_hit_def small = hit_of(a, 4.0f);
    expect_result(kn_hit_run(a->world, &small, NULL), KN_REFUSED_BLOCKED);
    (void)strike(a, 1200.0f);
    read(&s);
    kn_meter_query query = kn_meter_query_default();
    assert_int_equal(kn_combat_meter(s.log, &query, &row, 1), 1);
    assert_true(row.hits == 2 && row.avoided == 1 && row.kills == 1 && row.mitigated == 4.0);
    assert_true(row.amount == 1000.0 && row.over == 200.0 && row.absorbed == 0.0);
    assert_true(row.shared == 0.0 && row.share == 1.0);
    end(&s);
}

static void a_window_counts_the_last_seconds(void **state)
{
    stage s;
    kn_meter_row row;
    (void)state;
    begin(&s, 256, 64);
    arena *a = &s.a;
    for (uint32_t i = 0; i < 20; i++) {
        hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, i < 10 ? 10.0f : 20.0f, s.bolt, s.burn);
        expect_ok(kn_world_step(a->world, KN_MS(1000)));
        (void)kn_combat_log_read(s.log, a->world);
    }
    kn_meter_query query = kn_meter_query_default();
    query.window = KN_MS(5000);
    assert_int_equal(kn_combat_meter(s.log, &query, &row, 1), 1);
    assert_true(row.amount == 100.0 && row.per_second == 20.0 && row.hits == 5);
    query.window = KN_MS(100000); // longer than the fight: 19 s from the first hit to the last
    (void)kn_combat_meter(s.log, &query, &row, 1);
    assert_true(row.amount == 300.0 && row.per_second == 300.0 / 19.0);
    query.window = 0;
    (void)kn_combat_meter(s.log, &query, &row, 1);
    assert_true(row.amount == 300.0 && row.per_second == 300.0 / 19.0);
    kn_combat_meter_reset(s.log);
    assert_int_equal(kn_combat_meter(s.log, &query, &row, 1), 0);
    query.window = KN_MS(5000);
    assert_int_equal(kn_combat_meter(s.log, &query, &row, 1), 0);
    assert_in_range(kn_combat_log_count(s.log), 20, 256);
    hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, 7.0f, s.bolt, s.burn);
    read(&s);
    assert_int_equal(kn_combat_meter(s.log, &query, &row, 1), 1);
    assert_true(row.amount == 7.0 && row.per_second == 7.0);
    end(&s);
}

static void combinations_beyond_the_capacity_are_counted_together(void **state)
{
    stage s;
    kn_meter_row rows[8];
    (void)state;
    begin(&s, 16, 2);
    arena *a = &s.a;
    kn_effect_type_id none = {0};
    hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, 10.0f, s.bolt, none);
    hit_with(a, a->ally, a->foe, KN_HIT_DAMAGE, 20.0f, s.bolt, none);
    hit_with(a, a->lord, a->foe, KN_HIT_DAMAGE, 40.0f, s.bolt, none);
    hit_with(a, a->foe, a->lord, KN_HIT_DAMAGE, 5.0f, s.bolt, none);
    hit_with(a, a->foe, a->lord, KN_HIT_HEALING, 5.0f, s.heal, none);
    hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, 10.0f, s.bolt, none);
    read(&s);
    kn_meter_query query = kn_meter_query_default();
    assert_int_equal(kn_combat_meter(s.log, &query, rows, 8), 3);
    assert_int_equal(rows[0].entity.index1, 0);
    assert_true(rows[0].amount == 45.0 && rows[0].hits == 2);
    expect_entity(rows[1].entity, a->hero); // equal amounts by their first hit
    expect_entity(rows[2].entity, a->ally);
    query.kind = KN_HIT_HEALING;
    assert_int_equal(kn_combat_meter(s.log, &query, rows, 8), 1);
    assert_true(rows[0].amount == 5.0);
    end(&s);
}

static void a_meter_is_printed_as_a_table(void **state)
{
    stage s;
    (void)state;
    begin(&s, 64, 64);
    arena *a = &s.a;
    hit_with(a, a->hero, a->foe, KN_HIT_DAMAGE, 300.0f, s.bolt, s.burn);
    arena_until(a, 2000);
    (void)kn_combat_log_read(s.log, a->world);
    hit_with(a, a->foe, a->hero, KN_HIT_DAMAGE, 1100.0f, s.bolt, s.burn);
    read(&s);
    kn_meter_query query = kn_meter_query_default();
    char text[512], wanted[512];
    uint32_t length = kn_combat_meter_print(s.log, a->world, &query, text, sizeof(text));
    (void)snprintf(wanted, sizeof(wanted),
        "damage                   amount      %%      per s   hits   crit   absorbed       over\n"
        "entity %-13u     1000.0   76.9      500.0      1      0        0.0      100.0\n"
        "entity %-13u      300.0   23.1      150.0      1      0        0.0        0.0\n",
        a->foe.index1, a->hero.index1);
    assert_string_equal(text, wanted);
    assert_int_equal(length, strlen(wanted));
    query.by = KN_METER_BY_ABILITY;
    (void)kn_combat_meter_print(s.log, a->world, &query, text, sizeof(text));
    assert_non_null(strstr(text, "Bolt  "));
    query.kind = KN_HIT_HEALING;
    assert_int_equal(kn_combat_meter_print(s.log, a->world, &query, text, sizeof(text)), 0);
    end(&s);
}

// What the meters add up is what hits report.
static void the_sum_of_a_meter_is_the_sum_of_its_hits(void **state)
{
    stage s;
    uint64_t seed = 99;
    double asked = 0.0;
    (void)state;
    begin(&s, 8, 64);
    arena *a = &s.a;
    kn_entity_id all[] = {a->hero, a->foe, a->ally, a->lord};
    (void)arena_apply(a, s.armour, a->foe, a->foe);
    for (uint32_t i = 0; i < 800; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t bits = (uint32_t)(seed >> 33);
        kn_hit_def def = kn_hit_def_default();
        def.source = all[bits & 3u];
        def.target = all[bits >> 2 & 3u];
        def.amount = (float)(bits >> 4 & 255u);
        if (kn_hit_run(a->world, &def, NULL) == KN_REFUSED_DYING) {
            expect_ok(kn_combat_resurrect(a->world, def.target, def.source, 1.0f));
        } else {
            asked += (double)def.amount;
        }
        read(&s);
    }
    kn_meter_row rows[4];
    for (uint32_t by = 0; by < 2; by++) {
        kn_meter_query query = kn_meter_query_default();
        query.by = (kn_meter_by)by;
        assert_int_equal(kn_combat_meter(s.log, &query, rows, 4), 4);
        double sum = 0.0, shares = 0.0;
        for (uint32_t i = 0; i < 4; i++) {
            sum += rows[i].amount + rows[i].absorbed + rows[i].shared + rows[i].mitigated +
                   rows[i].over;
            shares += rows[i].share;
            assert_true(i == 0 || rows[i - 1].amount >= rows[i].amount);
        }
        assert_true(sum > asked - 0.1 && sum < asked + 0.1);
        assert_true(shares > 0.999 && shares < 1.001);
    }
    end(&s);
}

// Bad input and memory ----------------------------------------------------------------

static void bad_logs_and_queries_are_refused(void **state)
{
    stage s;
    kn_combat_log *log;
    (void)state;
    begin(&s, 4, 4);
    kn_combat_log_def def = kn_combat_log_def_default();
    def.cookie = 0;
    expect_result(kn_combat_log_create(&def, &log), KN_ERROR_INVALID_ARGUMENT);
    assert_null(log);
    expect_result(kn_combat_log_create(NULL, &log), KN_ERROR_INVALID_ARGUMENT);
    def = kn_combat_log_def_default();
    expect_result(kn_combat_log_create(&def, NULL), KN_ERROR_INVALID_ARGUMENT);
    def.row_capacity = 0;
    expect_result(kn_combat_log_create(&def, &log), KN_ERROR_INVALID_ARGUMENT);
    def.row_capacity = (1u << 20) + 1;
    expect_result(kn_combat_log_create(&def, &log), KN_ERROR_INVALID_ARGUMENT);
    def.row_capacity = 1;
    def.cell_capacity = 0;
    expect_result(kn_combat_log_create(&def, &log), KN_ERROR_INVALID_ARGUMENT);
    def.cell_capacity = (1u << 16) + 1;
    expect_result(kn_combat_log_create(&def, &log), KN_ERROR_INVALID_ARGUMENT);
    kn_combat_log_destroy(NULL);
    assert_int_equal(kn_combat_log_read(s.log, NULL), 0);
    assert_int_equal(kn_combat_log_read(NULL, s.a.world), 0);
    assert_false(kn_combat_log_add(s.log, s.a.world, NULL));
    kn_meter_query query = {0};
    assert_int_equal(kn_combat_meter(s.log, &query, NULL, 0), 0);
    assert_int_equal(kn_combat_meter(NULL, &query, NULL, 0), 0);
    assert_int_equal(kn_combat_meter(s.log, NULL, NULL, 0), 0);
    end(&s);
}

typedef struct budget {
    uint32_t left;
    size_t bytes;
} budget;

static void *limited(void *user, void *ptr, size_t old_size, size_t new_size)
{
    budget *own = user;
    if (new_size == 0) {
        own->bytes -= old_size;
        free(ptr);
        return NULL;
    }
    if (own->left == 0) {
        return NULL;
    }
    own->left--;
    own->bytes += new_size - old_size;
    return realloc(ptr, new_size);
}

static void a_log_without_memory_leaks_nothing_and_reading_allocates_nothing(void **state)
{
    stage s;
    (void)state;
    begin(&s, 4, 4);
    for (uint32_t left = 0;; left++) {
        budget own = {left, 0};
        kn_combat_log_def def = kn_combat_log_def_default();
        kn_combat_log *log;
        def.hooks.realloc_fn = limited;
        def.hooks.realloc_user = &own;
        kn_result result = kn_combat_log_create(&def, &log);
        if (result == KN_OK) {
            own.left = 0; // nothing more is needed
            hit_with(&s.a, s.a.hero, s.a.foe, KN_HIT_DAMAGE, 1.0f, s.bolt, s.burn);
            settle(&s.a);
            assert_true(kn_combat_log_read(log, s.a.world) > 0);
            kn_combat_log_destroy(log);
            assert_int_equal(own.bytes, 0);
            break;
        }
        expect_result(result, KN_ERROR_OUT_OF_MEMORY);
        assert_null(log);
        assert_int_equal(own.bytes, 0);
        assert_true(left < 16);
    }
    end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_hit_is_a_row_and_a_line),
    cmocka_unit_test(deaths_are_rows_and_the_host_names_entities),
    cmocka_unit_test(the_oldest_rows_are_dropped),
    cmocka_unit_test(a_log_does_not_change_the_world),
    cmocka_unit_test(meters_add_up_by_source_target_and_ability),
    cmocka_unit_test(meters_count_misses_kills_and_what_gates_refuse),
    cmocka_unit_test(a_window_counts_the_last_seconds),
    cmocka_unit_test(combinations_beyond_the_capacity_are_counted_together),
    cmocka_unit_test(a_meter_is_printed_as_a_table),
    cmocka_unit_test(the_sum_of_a_meter_is_the_sum_of_its_hits),
    cmocka_unit_test(bad_logs_and_queries_are_refused),
    cmocka_unit_test(a_log_without_memory_leaks_nothing_and_reading_allocates_nothing),
};

TEST_GROUP(combat_log, tests, NULL, NULL);
