// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Fights made of fuzz input: casts, interrupts, hits, dispels, procs, threat, deaths,
// resurrections, presses and resources, in any order and with any numbers. In between the world is
// saved, loaded and rolled back and must stay the same; after each call the world is valid, every
// hit adds up, and health, resources, charges, pools and threat are within their bounds.

#include "fuzz_input.h"

#include "knack/combat.h"
#include "knack/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTITIES = 5,
    CALLS_MAX = 60,
    COPIES_MAX = 4, // saves and rollbacks of one run each
    EFFECTS_MAX = 60,
};

static const char content[] =
    "kits: [combat]\n"
    "settings: {dead_tag: State.Dead}\n"
    "tags: [School.Fire, School.Frost, State.Dead, State.Rooted, Team.Monster, Dispel.Magic,\n"
    "  Dispel.Poison, Knack.Dispel.Cleanse, Knack.Proc.Swing]\n"
    "attribute_sets:\n"
    "  Vitals:\n"
    "    attributes:\n"
    "      MaxHealth: {default_value: 100, base_min: 1, base_max: 1000}\n"
    "      Health: {default_value: 100, base_min: 0, base_max: MaxHealth}\n"
    "      MaxMana: {default_value: 50, base_min: 0, base_max: 500}\n"
    "      Mana: {default_value: 20, base_min: 0, base_max: MaxMana}\n"
    "      Rage: {default_value: 0, base_min: 0, base_max: 100}\n"
    "      Haste: {default_value: 1, base_min: 0.1, base_max: 10}\n"
    "combat: {Rules: {health: Vitals.Health, dead: State.Dead, threat_tag: Team.Monster}}\n"
    "resources:\n"
    "  Mana: {attribute: Vitals.Mana, regeneration: {amount: 5, interval: 0.5, delay: 1,\n"
    "    while_casting: 0.5}}\n"
    "  Rage: {attribute: Vitals.Rage, decay: {amount: 2, delay: 1, in_combat: 0}}\n"
    "outcomes:\n"
    "  Missed: {of: damage, chance: 0.1, factor: 0, ends: true}\n"
    "  Critical: {chance: 0.3, factor: 2}\n";

static const char effects[] =
    "effects:\n"
    "  Strike: {modifiers: {Hit.Damage: 12}}\n"
    "  Mend: {modifiers: {Hit.Healing: 9}}\n"
    "  Burn: {duration: 3, period: 0.5, asset_tags: School.Fire, modifiers: {Hit.Damage: 4}}\n"
    "  Renew: {duration: 4, period: 1, modifiers: {Hit.Healing: 6}}\n"
    "  Shield: {duration: 6}\n"
    "  Barrier: {duration: 6}\n"
    "  Curse: {duration: 9, stacking: {kind: by_target, limit: 4}}\n"
    "  Poison: {duration: 9, stacking: {kind: by_source, limit: 2}}\n"
    "  Stun: {duration: 2, duration_value: Knack.Duration, granted_tags: State.Rooted}\n"
    "  Sap: {duration: 3, duration_value: Knack.Duration}\n"
    "  Guarded: {duration: 5}\n"
    "  Mirror: {duration: 5}\n"
    "  Thorns: {duration_kind: infinite}\n"
    "  Streak: {duration: 8, stacking: {kind: by_target, limit: 3}}\n"
    "  Spark: {duration: 8}\n"
    "  Weak: {duration: 5, modifiers: [{value: Knack.DamageTaken, op: multiply, magnitude: 1.5}]}\n"
    "  Swift: {duration: 4, modifiers: [{value: Knack.CastLength, op: multiply, magnitude: 0.5}]}\n"
    "  Hasty: {duration: 4, modifiers: [{attribute: Vitals.Haste, op: multiply, magnitude: 2}]}\n"
    "  Frail: {duration: 4, modifiers: [{attribute: Vitals.MaxHealth, op: multiply, magnitude: "
    "0.5}]}\n"
    "  Immune: {duration: 2, gates: [{kind: Knack.Damage, record: {ignored: School.Frost}}]}\n"
    "  Undying: {duration: 3, gates: [{kind: Knack.Death, record: {ignored: School.Frost}}]}\n"
    "  Steady: {duration: 3, gates: [{kind: Knack.Interrupt, record: {ignored: School.Frost}}]}\n"
    "  Kick: {raises: {Knack.Interrupt: 2}}\n"
    "  Taunt: {raises: {Knack.Taunt: 2}}\n"
    "  Cleansed: {raises: {Knack.Dispel.Cleanse: 0}}\n"
    "  Doom: {raises: {Knack.Kill: 1}}\n"
    "  Rise: {raises: {Knack.Resurrect: 0.4}}\n"
    "  Banner: {duration: 5}\n"
    "  Inspired: {duration_kind: infinite}\n"
    "  Pricked: {duration: 2, modifiers: [{value: Knack.HealingDone, op: multiply, magnitude: "
    "0.5}]}\n";

static const char rules[] =
    "diminishing: {Stuns: {reset: 4}}\n"
    "buffs:\n"
    "  Shield: {absorb: {amount: 30}}\n"
    "  Barrier: {absorb: {amount: 0, pays: Vitals.Mana, points: 2, share: 0.5}}\n"
    "  Curse: {polarity: debuff, dispel_type: Dispel.Magic, resistance: 0.2}\n"
    "  Poison: {polarity: debuff, dispel_type: Dispel.Poison, priority: 2}\n"
    "  Stun: {polarity: debuff, diminishing: Stuns, breaks_after: 20}\n"
    "  Sap: {polarity: debuff, diminishing: Stuns, breaks_after: 0}\n"
    "  Guarded: {shares: {part: 0.4, to: source}}\n"
    "  Mirror: {reflects: {part: 0.5}}\n"
    "  Thorns: {removed_on_death: false}\n"
    "  Streak: {dispel_type: Dispel.Magic}\n"
    "dispels:\n"
    "  Cleanse: {types: Dispel.Magic, count: 2, on: Knack.Dispel.Cleanse}\n"
    "  Purge: {count: 3, whole: true}\n"
    "  Steal: {polarity: buff, steals: true, count: 2}\n"
    "procs:\n"
    "  Thorns: {on: hit_taken, chance: 0.5, cooldown: 0.3, actions: [{effect: Pricked, to: "
    "other}]}\n"
    "  Streak: {on: hit_done, uses_stacks: true, actions: [{effect: Strike, to: other}]}\n"
    "  Spark: {on: [kill, use_ends, interrupt_taken, event], charges: 3, chance: 0.7, random: "
    "accumulating, actions: [{effect: Shield}]}\n"
    "auras: {Banner: {effect: Inspired, linger: 0.5}}\n"
    "abilities:\n"
    "  Fireball: {tags: [School.Fire], costs: {Vitals.Mana: 8}, cooldowns: [{key: "
    "Knack.Cooldown.Global, duration: 1, starts: at_activation}]}\n"
    "  Blizzard: {tags: [School.Frost], cooldowns: [{duration: 2, charges: 2}]}\n"
    "  Charge: {tags: [School.Fire]}\n"
    "  Jab: {body: use, costs: {Vitals.Rage: 5}, applies: [{effect: Strike, to: target}]}\n"
    "casts:\n"
    "  Fireball: {length: 1.5 / source.Vitals.Haste, applies: [{effect: Strike, to: target}, "
    "{effect: Burn, to: target}], commit: completion, revalidate: true, breaks_on: "
    "[State.Rooted]}\n"
    "  Blizzard: {kind: channel, length: 2, ticks: 4, initial_tick: true, applies: [{effect: "
    "Strike, to: target}]}\n"
    "  Charge: {kind: held, length: 1, stages: 3, hold: 0.5, applies: [{effect: Strike, to: "
    "target}]}\n"
    "inputs: {Fireball: {automatic: true}, Charge: {cancel_on_release: true}}\n"
    "archetypes:\n"
    "  Unit: {sets: [Vitals, Hit], abilities: [Fireball, Blizzard, Charge, Jab]}\n"
    "  Monster: {parent: Unit, tags: [Team.Monster]}\n";

typedef struct fight {
    fuzz_input *in;
    const kn_library *library;
    kn_world *world;
    kn_entity_id entities[ENTITIES];
    kn_attribute_id health;
    kn_custom_event_id hit_event;
    uint32_t saves, rollbacks;
} fight;

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_combat: %s\n", what);
        abort();
    }
}

// What a call may return, whatever it is given.
static kn_result sane(kn_result result)
{
    must(result == KN_OK || kn_result_is_refused(result) || result == KN_ERROR_INVALID_ARGUMENT,
        kn_result_name(result));
    return result;
}

// The library is made once: it never changes.
static kn_library *the_library(void)
{
    static kn_library *library;
    static const kn_kit kits[] = {{"combat", kn_combat_register}};
    if (library != NULL) {
        return library;
    }
    kn_data_def def = kn_data_def_default();
    def.kits = kits;
    def.kit_count = 1;
    kn_data *data;
    must(kn_data_create(&def, &data) == KN_OK, "no data");
    must(kn_data_add_text(data, "a.yaml", content, strlen(content)) == KN_OK &&
             kn_data_add_text(data, "b.yaml", effects, strlen(effects)) == KN_OK &&
             kn_data_add_text(data, "c.yaml", rules, strlen(rules)) == KN_OK,
        "no text");
    if (kn_data_build(data, &library) != KN_OK) {
        char line[512];
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            (void)kn_data_message_print(data, i, line, sizeof(line));
            fprintf(stderr, "%s\n", line);
        }
        must(false, "no library");
    }
    kn_data_destroy(data);
    return library;
}

static kn_world *world_create(const kn_library *library, uint32_t seed)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.seed = seed;
    kn_world *world;
    must(kn_world_create(&def, &world) == KN_OK, "no world");
    return world;
}

// Choices -------------------------------------------------------------------------------

// Mostly one that lives; now and then none.
static kn_entity_id take_entity(fight *f)
{
    uint32_t byte = take_u8(f->in);
    return byte >= 250 ? (kn_entity_id){0} : f->entities[byte % ENTITIES];
}

static uint32_t take_def(fight *f, const char *kind)
{
    kn_def_kind number = kn_kind_find(f->library, kind);
    uint32_t byte = take_u8(f->in);
    return byte == 255 ? 10000 : byte % (kn_def_count(f->library, number) + 1);
}

static kn_effect_type_id take_type(fight *f)
{
    return (kn_effect_type_id){1 + take_below(f->in, kn_def_count(f->library, KN_DEF_EFFECT))};
}

static kn_ability_id take_ability(fight *f, kn_entity_id entity)
{
    kn_ability_id abilities[8];
    kn_ability_query query = kn_ability_query_default();
    uint32_t count = kn_abilities_find(f->world, entity, &query, abilities, 8);
    return count > 0 ? abilities[take_below(f->in, count < 8 ? count : 8)] : (kn_ability_id){0};
}

static kn_tags take_tags(fight *f, kn_tag *tag)
{
    static const char *const names[] = {"School.Fire", "School.Frost", "Dispel.Magic"};
    uint32_t byte = take_u8(f->in);
    *tag = kn_tag_find(f->library, names[byte % 3]);
    return (kn_tags){tag, byte < 128 ? 1 : 0};
}

// Mostly an amount that makes sense.
static float take_amount(fight *f)
{
    return take_rarely(f->in, 8) ? take_float(f->in) : (float)take_u8(f->in) * 0.5f;
}

// Invariants ----------------------------------------------------------------------------

static bool is_near(double a, double b, double scale)
{
    double distance = a > b ? a - b : b - a;
    return distance <= 1e-3 * (1.0 + (scale > 0.0 ? scale : -scale));
}

static void hit_check(const kn_hit *hit)
{
    const float numbers[] = {
        hit->amount, hit->mitigated, hit->shared, hit->absorbed, hit->over, hit->dealt};
    double largest = 0.0;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        must(isfinite(numbers[i]), "a hit with a number that is not finite");
        double size = numbers[i] < 0.0f ? -(double)numbers[i] : (double)numbers[i];
        largest = size > largest ? size : largest;
    }
    must(hit->dealt >= 0.0f && hit->over >= 0.0f && hit->absorbed >= 0.0f && hit->shared >= 0.0f,
        "a hit with a part below 0");
    double sum = (double)hit->mitigated + (double)hit->shared + (double)hit->absorbed +
                 (double)hit->over + (double)hit->dealt;
    must(is_near(sum, (double)hit->amount, largest), "a hit that does not add up");
    must(hit->refused == 0 || hit->dealt == 0.0f, "a refused hit that was dealt");
}

static void events_check(const fight *f)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_CUSTOM &&
            event->data.custom.kind.index1 == f->hit_event.index1) {
            kn_hit hit;
            uint32_t size;
            const void *payload = kn_event_payload(f->world, event, &size);
            must(size == sizeof(hit), "a hit of another size");
            memcpy(&hit, payload, sizeof(hit));
            hit_check(&hit);
        }
    }
}

static void cooldowns_check(const fight *f, kn_entity_id entity)
{
    kn_ability_id abilities[8];
    kn_ability_query query = kn_ability_query_default();
    uint32_t count = kn_abilities_find(f->world, entity, &query, abilities, 8);
    for (uint32_t i = 0; i < count && i < 8; i++) {
        kn_cooldown_info infos[4];
        uint32_t cooldowns = kn_ability_cooldowns(f->world, abilities[i], infos, 4);
        for (uint32_t c = 0; c < cooldowns && c < 4; c++) {
            must(infos[c].charges <= infos[c].max_charges, "more charges than there can be");
        }
    }
}

static void threat_check(const fight *f, kn_entity_id entity)
{
    kn_threat_entry entries[ENTITIES + 1];
    uint32_t count = kn_threat_list(f->world, entity, entries, ENTITIES + 1);
    must(count <= ENTITIES, "more threat entries than entities");
    uint32_t targets = 0;
    for (uint32_t i = 0; i < count; i++) {
        must(isfinite(entries[i].threat) && entries[i].threat >= 0.0f, "threat out of range");
        targets += entries[i].is_target;
        must(kn_threat_get(f->world, entity, entries[i].entity) == entries[i].threat,
            "threat that differs from the list");
    }
    must(targets <= 1, "several targets");
    kn_entity_id others[ENTITIES];
    uint32_t opponents = kn_combat_opponents(f->world, entity, others, ENTITIES);
    must((opponents > 0) == kn_combat_in_combat(f->world, entity), "in combat with nobody");
    for (uint32_t i = 0; i < opponents && i < ENTITIES; i++) {
        must(kn_combat_is_fighting(f->world, others[i], entity), "combat of one side");
    }
}

static void entity_check(const fight *f, kn_entity_id entity)
{
    if (!kn_entity_is_alive(f->world, entity)) {
        return;
    }
    float health = kn_attribute_value(f->world, entity, f->health);
    must(health >= 0.0f && isfinite(health), "health out of range");
    for (uint32_t i = 1; i <= 2; i++) {
        kn_resource_info info;
        must(kn_resource_get(f->world, entity, (kn_resource_id){i}, &info), "no resource");
        must(info.value >= info.minimum && info.value <= info.maximum, "a resource out of bounds");
    }
    float left = kn_absorb_left(f->world, entity);
    must(left >= 0.0f && isfinite(left), "a pool out of range");
    kn_cast_info cast;
    if (kn_cast_get(f->world, entity, &cast)) {
        must(cast.progress >= 0.0f && cast.progress <= 1.0f, "progress out of range");
        must(cast.tick <= cast.ticks && cast.stage <= cast.stages, "more ticks than there are");
        must(!kn_combat_is_dead(f->world, entity), "a dead caster");
    }
    float factor = kn_diminishing_factor(f->world, entity, (kn_diminishing_id){1});
    must(factor >= 0.0f && factor <= 1.0f, "a factor out of range");
    cooldowns_check(f, entity);
    threat_check(f, entity);
}

// Calls ---------------------------------------------------------------------------------

static void play_activate(fight *f)
{
    kn_entity_id entity = take_entity(f);
    kn_ability_id ability = take_ability(f, entity);
    kn_event_record record = kn_event_record_default();
    record.instigator = entity;
    record.target = take_entity(f);
    (void)sane(kn_ability_activate(f->world, ability, &record, NULL));
}

static void play_cast(fight *f)
{
    kn_entity_id entity = take_entity(f);
    switch (take_below(f->in, 5)) {
    case 0:
        (void)sane(kn_cast_cancel(f->world, entity, take_count(f->in)));
        return;
    case 1:
        (void)sane(kn_cast_release(f->world, entity));
        return;
    case 2:
        (void)sane(kn_cast_push_back(f->world, entity));
        return;
    case 3:
        (void)sane(kn_cast_set_interruptible(f->world, entity, take_bool(f->in)));
        return;
    default: {
        kn_activation_id running[2];
        uint32_t count = kn_activations(f->world, entity, running, 2);
        if (count > 0) {
            (void)sane(kn_cast_start(f->world, running[0], (kn_cast_id){take_def(f, "cast")}));
        }
    }
    }
}

static void play_interrupt(fight *f)
{
    kn_interrupt_def def = kn_interrupt_def_default();
    kn_tag tag;
    kn_interrupt_result done;
    def.target = take_entity(f);
    def.instigator = take_entity(f);
    def.any_tags = take_tags(f, &tag);
    def.lockout = take_amount(f);
    kn_result result = sane(kn_cast_interrupt(f->world, &def, &done));
    must(result != KN_OK || done.cast.index1 != 0, "an interrupt of nothing");
    must(result == KN_OK || done.lockout == 0.0f, "a lock-out without an interrupt");
}

static void play_lockout(fight *f)
{
    kn_entity_id entity = take_entity(f);
    kn_tag tag;
    kn_tags tags = take_tags(f, &tag);
    if (take_bool(f->in)) {
        (void)sane(kn_lockout_add(f->world, entity, tags, take_entity(f), take_amount(f)));
    } else {
        (void)sane(kn_lockout_remove(f->world, entity, tags.count > 0 ? tag : (kn_tag){0}));
    }
    (void)sane(kn_global_cooldown_end(f->world, entity));
}

static void play_apply(fight *f)
{
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = take_type(f);
    apply.source = take_entity(f);
    apply.target = take_entity(f);
    kn_effect_query query = kn_effect_query_default();
    if (kn_effects_find(f->world, apply.target, &query, NULL, 0) < EFFECTS_MAX) {
        (void)sane(kn_effect_apply(f->world, &apply, NULL));
    }
}

static void play_remove(fight *f)
{
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id found[8];
    uint32_t count = kn_effects_find(f->world, take_entity(f), &query, found, 8);
    if (count > 0) {
        kn_effect_id effect = found[take_below(f->in, count < 8 ? count : 8)];
        if (take_bool(f->in)) {
            (void)sane(kn_absorb_set(f->world, effect, take_amount(f)));
        } else {
            (void)sane(kn_effect_remove(f->world, effect, take_count(f->in), KN_REMOVED_DISPELLED));
        }
    }
}

static void play_hit(fight *f)
{
    kn_hit_def def = kn_hit_def_default();
    kn_tag tag;
    def.kind = take_bool(f->in) ? KN_HIT_HEALING : KN_HIT_DAMAGE;
    def.source = take_entity(f);
    def.target = take_entity(f);
    def.amount = take_amount(f);
    def.tags = take_tags(f, &tag);
    def.flags = take_bool(f->in) ? 0 : (take_u8(f->in) | take_u8(f->in) << 8) & KN_HIT_FLAGS;
    def.level = take_float(f->in);
    uint32_t lines = kn_hit_explain(f->world, &def, NULL, 0);
    kn_hit hit;
    kn_result result = sane(kn_hit_run(f->world, &def, &hit));
    hit_check(&hit);
    must(result != KN_OK || lines > 0, "a hit that could not be explained");
    must(result == KN_OK || hit.dealt == 0.0f, "a hit that was refused and dealt");
    if (result == KN_OK && take_rarely(f->in, 4)) {
        kn_hit reflected;
        (void)sane(kn_hit_reflect(f->world, &hit, take_amount(f), &reflected));
        hit_check(&reflected);
    }
}

static void play_dispel(fight *f)
{
    kn_dispel_id dispel = {take_def(f, "dispel")};
    kn_entity_id source = take_entity(f), target = take_entity(f);
    uint32_t candidates = kn_dispel_candidates(f->world, dispel, source, target, NULL, 0);
    kn_dispel_result done;
    kn_result result = sane(kn_dispel(f->world, dispel, source, target, &done));
    must(done.removed + done.resisted <= done.attempts && done.stolen <= done.removed,
        "a dispel that does not add up");
    must(result != KN_OK || candidates > 0 || done.removed == 0, "a dispel of no candidate");
}

static void play_proc(fight *f)
{
    kn_proc_event event = kn_proc_event_default();
    kn_tag tag;
    kn_proc_line lines[8];
    event.bearer = take_entity(f);
    event.other = take_entity(f);
    event.source = take_entity(f);
    event.target = take_entity(f);
    event.on = 1u << take_below(f->in, KN_PROC_ON_COUNT + 1);
    event.flags = take_u8(f->in) & 31;
    event.magnitude = take_amount(f);
    event.interval = take_amount(f);
    kn_tags tags = take_tags(f, &tag);
    uint32_t count = kn_proc_explain(f->world, &event, tags, lines, 8), acted = 0;
    (void)sane(kn_proc_run(f->world, &event, tags, &acted));
    must(acted <= count, "more procs acted than there are");
}

static void play_threat(fight *f)
{
    kn_entity_id owner = take_entity(f), other = take_entity(f);
    switch (take_below(f->in, 12)) {
    case 0:
        (void)sane(kn_threat_begin(f->world, owner));
        return;
    case 1:
        (void)sane(kn_threat_set(f->world, owner, other, take_float(f->in)));
        return;
    case 2:
        (void)sane(kn_threat_scale(f->world, owner, other, take_float(f->in)));
        return;
    case 3:
        (void)sane(kn_threat_remove(f->world, owner, other));
        return;
    case 4:
        (void)sane(kn_threat_clear(f->world, owner));
        return;
    case 5:
        (void)sane(kn_threat_leave(f->world, owner));
        return;
    case 6:
        (void)sane(kn_threat_taunt(f->world, owner, other, take_time(f->in)));
        return;
    case 7:
        (void)sane(kn_threat_fixate(f->world, owner, other, take_time(f->in)));
        return;
    case 8:
        (void)sane(kn_threat_suppress(f->world, owner, other, take_time(f->in)));
        return;
    case 9:
        (void)sane(kn_threat_redirect(f->world, owner, other, take_float(f->in), take_time(f->in)));
        return;
    case 10:
        (void)sane(kn_threat_update(f->world, owner));
        return;
    default:
        (void)sane(kn_threat_add(f->world, owner, other, take_float(f->in)));
    }
}

static void play_combat(fight *f)
{
    kn_entity_id a = take_entity(f), b = take_entity(f);
    switch (take_below(f->in, 3)) {
    case 0:
        (void)sane(kn_combat_start(f->world, a, b));
        return;
    case 1:
        (void)sane(kn_combat_end(f->world, a, b));
        return;
    default:
        (void)sane(kn_combat_leave(f->world, a));
    }
}

static void play_life(fight *f)
{
    kn_entity_id entity = take_entity(f), by = take_entity(f);
    if (take_bool(f->in)) {
        kn_result result = sane(kn_combat_kill(f->world, entity, by));
        must(result != KN_OK || kn_combat_is_dead(f->world, entity), "killed and not dead");
    } else {
        kn_result result = sane(kn_combat_resurrect(f->world, entity, by, take_float(f->in)));
        must(result != KN_OK || !kn_combat_is_dead(f->world, entity), "resurrected and dead");
    }
}

static void play_press(fight *f)
{
    kn_entity_id entity = take_entity(f);
    kn_input_press_def def = kn_input_press_def_default();
    kn_input_outcome outcome;
    switch (take_below(f->in, 4)) {
    case 0:
        (void)sane(kn_input_queue_release(f->world, entity, take_ability(f, entity)));
        return;
    case 1:
        (void)sane(kn_input_queue_clear(f->world, entity));
        must(kn_input_queue_get(f->world, entity, NULL, 0) == 0, "cleared, and something waits");
        return;
    default:
        def.ability = take_ability(f, take_rarely(f->in, 8) ? take_entity(f) : entity);
        def.event.target = take_entity(f);
        def.event.magnitude = take_float(f->in);
        (void)sane(kn_input_queue_press(f->world, entity, &def, &outcome));
    }
}

static void play_resource(fight *f)
{
    kn_resource_change_def def = kn_resource_change_def_default();
    kn_tag tag;
    float changed;
    def.entity = take_entity(f);
    def.source = take_entity(f);
    def.resource = (kn_resource_id){take_def(f, "resource")};
    def.amount = take_float(f->in);
    def.tags = take_tags(f, &tag);
    if (take_rarely(f->in, 4)) {
        kn_resource_init_def init = kn_resource_init_def_default();
        init.resource = def.resource;
        init.has_maximum = take_bool(f->in);
        init.maximum = take_amount(f);
        init.has_value = take_bool(f->in);
        init.value = take_amount(f);
        (void)sane(kn_resource_init(f->world, def.entity, &init));
    } else {
        (void)sane(kn_resource_change(f->world, &def, &changed));
        must(isfinite(changed), "a change that is not finite");
    }
}

static void play_other(fight *f)
{
    kn_entity_id entity = take_entity(f);
    switch (take_below(f->in, 4)) {
    case 0:
        (void)sane(kn_aura_set_member(
            f->world, entity, (kn_aura_id){take_def(f, "aura")}, take_entity(f), take_bool(f->in)));
        return;
    case 1:
        (void)sane(kn_aura_update(f->world, entity, (kn_aura_id){take_def(f, "aura")}));
        return;
    case 2:
        (void)sane(kn_diminishing_reset(
            f->world, entity, (kn_diminishing_id){take_def(f, "diminishing")}));
        return;
    default: { // haste, and how much health there can be
        bool is_haste = take_bool(f->in);
        kn_attribute_id attribute =
            kn_attribute_find(f->library, is_haste ? "Vitals.Haste" : "Vitals.MaxHealth");
        (void)sane(kn_attribute_set_base(f->world, entity, attribute, 0, take_amount(f)));
    }
    }
}

static void spawn(fight *f, uint32_t index)
{
    const char *archetype = index % 2 == 0 ? "Unit" : "Monster";
    must(kn_archetype_spawn(f->world, kn_archetype_find(f->library, archetype), 1.0f,
             &f->entities[index]) == KN_OK,
        "no entity");
}

static void play_replace(fight *f)
{
    uint32_t index = take_below(f->in, ENTITIES);
    kn_entity_destroy(f->world, f->entities[index]);
    spawn(f, index);
}

static void step(fight *f, kn_world *world, kn_time time)
{
    (void)f;
    kn_result result = kn_world_step(world, time);
    must(result == KN_OK, kn_result_name(result));
}

static void save_and_load(fight *f)
{
    size_t size;
    kn_error error = {0};
    must(kn_save_write(f->world, NULL, 0, &size) == KN_OK, "no size");
    uint8_t *bytes = malloc(size);
    must(bytes != NULL && kn_save_write(f->world, bytes, size, &size) == KN_OK, "no save");
    kn_world *loaded = world_create(f->library, 0);
    must(kn_save_read(loaded, bytes, size, &error) == KN_OK, error.message);
    must(kn_world_hash(loaded) == kn_world_hash(f->world), "the save is another world");
    free(bytes);
    kn_time time = KN_MS(10 * (1 + take_u8(f->in)));
    step(f, f->world, time);
    step(f, loaded, time);
    must(kn_world_hash(loaded) == kn_world_hash(f->world), "the loaded world went elsewhere");
    kn_world_destroy(f->world);
    f->world = loaded;
}

static void roll_back(fight *f)
{
    size_t size = kn_snapshot_size(f->world);
    void *bytes = malloc(size);
    must(bytes != NULL && kn_snapshot_take(f->world, bytes, size, &size) == KN_OK, "no snapshot");
    uint64_t before = kn_world_hash(f->world);
    kn_time time = KN_MS(10 * (1 + take_u8(f->in)));
    step(f, f->world, time);
    uint64_t after = kn_world_hash(f->world);
    must(kn_snapshot_restore(f->world, bytes, size) == KN_OK, "not restored");
    must(kn_world_hash(f->world) == before, "restored to another state");
    step(f, f->world, time);
    must(kn_world_hash(f->world) == after, "made again it ends differently");
    free(bytes);
}

static void play_step(fight *f)
{
    uint32_t byte = take_u8(f->in);
    if (byte >= 240 && f->saves < COPIES_MAX) {
        f->saves++;
        save_and_load(f);
    } else if (byte >= 225 && f->rollbacks < COPIES_MAX) {
        f->rollbacks++;
        roll_back(f);
    } else {
        step(f, f->world, KN_MS(byte * 5));
    }
    events_check(f);
}

static void play_on(fight *f)
{
    static void (*const calls[])(fight * f) = {play_step, play_step, play_step, play_activate,
        play_activate, play_cast, play_interrupt, play_lockout, play_apply, play_apply, play_apply,
        play_remove, play_hit, play_hit, play_dispel, play_proc, play_threat, play_combat,
        play_life, play_press, play_press, play_resource, play_other, play_replace};
    uint32_t count = 0;
    while (f->in->size > 0 && count++ < CALLS_MAX) {
        calls[take_below(f->in, sizeof(calls) / sizeof(*calls))](f);
        for (uint32_t i = 0; i < ENTITIES; i++) {
            entity_check(f, f->entities[i]);
        }
        must(kn_world_validate(f->world), "the world is not valid");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    fight f = {.in = &in, .library = the_library()};
    f.world = world_create(f.library, take_u8(&in));
    f.health = kn_attribute_find(f.library, "Vitals.Health");
    f.hit_event = kn_custom_event_find(f.library, "Knack.Hit");
    for (uint32_t i = 0; i < ENTITIES; i++) {
        spawn(&f, i);
    }
    play_on(&f);
    step(&f, f.world, KN_S(20));
    events_check(&f);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        entity_check(&f, f.entities[i]);
    }
    kn_world_destroy(f.world);
    return 0;
}
