// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A fight whose rules are scripts: everybody walks a grid, throws bolts that take time, calls
// lightning that jumps, and heals; damage is an execution, a calculation and logic in Lua. Plain C,
// so that determinism tests can use it as well.
#ifndef SCRIPT_ARENA_H
#define SCRIPT_ARENA_H

#include "knack/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_FIGHTERS 12

typedef struct arena {
    kn_library *library;
    kn_script *script;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id fighters[ARENA_FIGHTERS];
    uint32_t count;
    uint32_t errors;
    bool tells; // writes the first error
} arena;

static const char arena_chunk[] =
    "local REACH = 9\n"
    "local NAMES = {bolt = 'Bolt', chain = 'Chain', heal = 'Heal'}\n"
    "\n"
    "local function enemies(self, radius)\n"
    "    local found = {}\n"
    "    local here = self.owner:position()\n"
    "    for _, hit in ipairs(world.nearest(here, radius, {ignore = self.owner})) do\n"
    "        if not hit.entity:has_tag('State.Dead') then found[#found + 1] = hit.entity end\n"
    "    end\n"
    "    return found\n"
    "end\n"
    "\n"
    "-- Chooses what to do next, for ever.\n"
    "ability 'Mind' {\n"
    "    state = { turns = kn.u32, mood = kn.f32(0.5) },\n"
    "    activate = function(self) self:wait(0.1 + world.random() * 0.2, 'think') end,\n"
    "    think = function(self)\n"
    "        local s = self.state\n"
    "        s.turns = s.turns + 1\n"
    "        s.mood = s.mood * 0.9 + world.random(1) * 0.1 + math.sin(s.turns) * 0.01\n"
    "        if self.owner:value('Vitals.Health') <= 0 then\n"
    "            self.owner:add_tag('State.Dead')\n"
    "            self:wait(2, 'rise')\n"
    "            return\n"
    "        end\n"
    "        local name = NAMES.bolt\n"
    "        if s.mood > 0.55 then name = NAMES.chain end\n"
    "        if self.owner:value('Vitals.Health') < 40 then name = NAMES.heal end\n"
    "        local _, why = self.owner:activate(name)\n"
    "        self:wait(why and 0.15 or 0.3, 'think')\n"
    "    end,\n"
    "    rise = function(self)\n"
    "        self.owner:remove_tag('State.Dead')\n"
    "        self.owner:set_base('Vitals.Health', 100)\n"
    "        self:wait(0.5, 'think')\n"
    "    end,\n"
    "}\n"
    "\n"
    "ability 'Bolt' {\n"
    "    state = { target = kn.entity, power = kn.f32(1.5) },\n"
    "    activate = function(self)\n"
    "        local target = enemies(self, REACH)[1]\n"
    "        if not target then return false, 'not_found' end\n"
    "        if not self:commit() then return false, 'cost' end\n"
    "        self.state.target = target\n"
    "        self.state.power = self.state.power + world.random_below(4)\n"
    "        self:wait(0.25, 'land')\n"
    "    end,\n"
    "    land = function(self)\n"
    "        local target = self.state.target\n"
    "        if target:is_alive() then\n"
    "            self:apply('Hit', target, {values = {['Data.Power'] = self.state.power}})\n"
    "            self:apply('Burn', target)\n"
    "        end\n"
    "        self:finish()\n"
    "    end,\n"
    "}\n"
    "\n"
    "ability 'Chain' {\n"
    "    state = { seen = kn.array(kn.entity, 4), jumps = kn.u8 },\n"
    "    activate = function(self)\n"
    "        if not self:commit() then return false, 'cost' end\n"
    "        self:every(0.12, 'jump', 4)\n"
    "    end,\n"
    "    jump = function(self, result)\n"
    "        local s = self.state\n"
    "        for _, e in ipairs(enemies(self, REACH)) do\n"
    "            local is_new = true\n"
    "            for i = 1, s.jumps do is_new = is_new and s.seen[i] ~= e end\n"
    "            if is_new then\n"
    "                s.jumps = s.jumps + 1\n"
    "                s.seen[s.jumps] = e\n"
    "                self:apply('Hit', e, {values = {['Data.Power'] = 3 / s.jumps}})\n"
    "                break\n"
    "            end\n"
    "        end\n"
    "        if result.is_last then self:finish() end\n"
    "    end,\n"
    "}\n"
    "\n"
    "ability 'Heal' {\n"
    "    activate = function(self)\n"
    "        if not self:commit() then return false, 'cost' end\n"
    "        self:apply('Mend', self.owner)\n"
    "        self:finish()\n"
    "    end,\n"
    "}\n"
    "\n"
    "execution 'Hit' {\n"
    "    execute = function(self)\n"
    "        local power = self:caller_value('Data.Power', 1)\n"
    "        local armour = self:capture(1)\n"
    "        local damage = power * (5 + math.sqrt(self.level)) * 20 / (20 + armour)\n"
    "        self:output('Vitals.Health', 'add', -damage)\n"
    "    end,\n"
    "}\n"
    "\n"
    "calculation 'Burning' {\n"
    "    calculate = function(self) return -(1 + self.stacks * 0.25 + math.exp(-self.level)) end,\n"
    "}\n"
    "\n"
    "logic 'Burning' {\n"
    "    state = { heat = kn.f32 },\n"
    "    ticked = function(self)\n"
    "        self.state.heat = self.state.heat + 0.5\n"
    "        if self.state.heat >= 2 then\n"
    "            self.target:send('Event.Hot', {magnitude = self.state.heat})\n"
    "        end\n"
    "    end,\n"
    "}\n"
    "\n"
    "rule 'Hot' {\n"
    "    react = function(reaction)\n"
    "        local armour = reaction.entity:base('Vitals.Armour')\n"
    "        reaction.entity:set_base('Vitals.Armour', math.max(0, armour - 0.25))\n"
    "    end,\n"
    "}\n";

static inline void arena_check(kn_result result, const kn_error *error, const char *what)
{
    if (result != KN_OK) {
        (void)fprintf(stderr, "arena: %s: %s %s\n", what, kn_result_name(result),
            error != NULL ? error->message : "");
        abort();
    }
}

static inline kn_tag arena_tag(arena *a, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag;
    arena_check(kn_tag_register(a->library, &def, &tag, NULL), NULL, name);
    return tag;
}

static inline void arena_attributes(arena *a)
{
    static const char *const names[4] = {"Health", "MaxHealth", "Mana", "Armour"};
    kn_attribute_def attributes[4];
    for (uint32_t i = 0; i < 4; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = names[i];
        attributes[i].default_value = i == 3 ? 10.0f : 100.0f;
        attributes[i].base_min = kn_limit_constant(0.0f);
    }
    attributes[0].base_max = kn_limit_attribute("MaxHealth");
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 4;
    kn_attribute_set_id id;
    arena_check(kn_attribute_set_register(a->library, &set, &id, NULL), NULL, "Vitals");
}

static inline kn_modifier_def arena_health(arena *a, kn_magnitude magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = kn_attribute_find(a->library, "Vitals.Health");
    modifier.op = KN_OP_ADD;
    modifier.magnitude = magnitude;
    return modifier;
}

static inline void arena_effects(arena *a)
{
    kn_error error = {0};
    kn_effect_type_id type;
    kn_capture armour = {.attribute = kn_attribute_find(a->library, "Vitals.Armour"),
        .from = KN_CAPTURE_FROM_TARGET};
    kn_execution_def execution = kn_execution_def_default();
    execution.captures = &armour;
    execution.capture_count = 1;
    arena_check(kn_script_bind_execution(a->script, "Hit", &execution, &error), &error, "Hit");
    kn_execution_id hit_id;
    arena_check(kn_execution_register(a->library, &execution, &hit_id, &error), &error, "Hit");
    kn_execution_use use = {.execution = hit_id};
    kn_effect_def hit = kn_effect_def_default();
    hit.name = "Hit";
    hit.executions = &use;
    hit.execution_count = 1;
    arena_check(kn_effect_register(a->library, &hit, &type, &error), &error, "Hit");

    kn_calculation_def calculation = kn_calculation_def_default();
    arena_check(
        kn_script_bind_calculation(a->script, "Burning", &calculation, &error), &error, "Burning");
    kn_calculation_id burning;
    arena_check(kn_calculation_register(a->library, &calculation, &burning, &error), &error, "");
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    arena_check(kn_script_bind_logic(a->script, "Burning", &logic, &error), &error, "Burning");
    kn_effect_logic_id logic_id;
    arena_check(kn_effect_logic_register(a->library, &logic, &logic_id, &error), &error, "");
    kn_modifier_def burn_modifier = arena_health(a, kn_magnitude_calculation(burning));
    kn_effect_def burn = kn_effect_def_default();
    burn.name = "Burn";
    burn.duration_kind = KN_DURATION_TIMED;
    burn.duration = kn_magnitude_constant(3.0f);
    burn.is_periodic = true;
    burn.period = kn_magnitude_constant(0.5f);
    burn.stacking.kind = KN_STACK_BY_TARGET;
    burn.stacking.limit = kn_constant(5.0f);
    burn.modifiers = &burn_modifier;
    burn.modifier_count = 1;
    burn.logic = logic_id;
    arena_check(kn_effect_register(a->library, &burn, &type, &error), &error, "Burn");

    kn_modifier_def mend_modifier = arena_health(a, kn_magnitude_constant(25.0f));
    kn_effect_def mend = kn_effect_def_default();
    mend.name = "Mend";
    mend.modifiers = &mend_modifier;
    mend.modifier_count = 1;
    arena_check(kn_effect_register(a->library, &mend, &type, &error), &error, "Mend");
}

static inline void arena_ability(arena *a, const char *name, float seconds)
{
    kn_error error = {0};
    kn_cooldown_def cooldown = kn_cooldown_seconds(seconds);
    kn_tag dead = kn_tag_find(a->library, "State.Dead");
    kn_ability_def def = kn_ability_def_default();
    if (seconds > 0.0f) {
        def.cooldowns = &cooldown;
        def.cooldown_count = 1;
        def.instancing = KN_INSTANCING_PER_EXECUTION;
        def.activation.ignored = (kn_tags){&dead, 1};
    } else {
        def.activates_on_grant = true;
    }
    arena_check(kn_script_bind_ability(a->script, name, &def, &error), &error, name);
    kn_ability_type_id type;
    arena_check(kn_ability_register(a->library, &def, &type, &error), &error, name);
}

static inline void arena_log(void *user, const kn_log_entry *entry)
{
    arena *a = user;
    a->errors += entry->level == KN_LOG_ERROR;
    if (a->errors == 1 && entry->level == KN_LOG_ERROR && a->tells) {
        (void)fprintf(stderr, "arena: %s\n", entry->message);
    }
}

// A library with its script and what it defines, not finished yet.
static inline void arena_begin_with(arena *a, kn_script_def def)
{
    kn_error error = {0};
    *a = (arena){0};
    kn_library_def library = kn_library_def_default();
    arena_check(kn_library_create(&library, &a->library), NULL, "library");
    (void)arena_tag(a, "Data.Power");
    (void)arena_tag(a, "State.Dead");
    kn_tag hot = arena_tag(a, "Event.Hot");
    arena_attributes(a);
    arena_check(kn_grid_register(a->library, NULL, &error), &error, "grid");
    def.hooks.log_fn = arena_log;
    def.hooks.log_user = a;
    arena_check(kn_script_create(a->library, &def, &a->script, &error), &error, "script");
    arena_check(
        kn_script_load(a->script, "arena.lua", arena_chunk, sizeof(arena_chunk) - 1, &error),
        &error, "arena.lua");
    arena_effects(a);
    arena_ability(a, "Bolt", 0.8f);
    arena_ability(a, "Chain", 2.0f);
    arena_ability(a, "Heal", 1.5f);
    arena_ability(a, "Mind", 0.0f);
    kn_rule_def rule = kn_rule_def_default();
    rule.trigger = KN_TRIGGER_EVENT;
    rule.tag = hot;
    arena_check(kn_script_bind_rule(a->script, "Hot", &rule, &error), &error, "Hot");
    kn_rule_id rule_id;
    arena_check(kn_rule_register(a->library, &rule, &rule_id, &error), &error, "Hot");
}

static inline void arena_begin(arena *a)
{
    arena_begin_with(a, kn_script_def_default());
}

static inline void arena_finish(arena *a)
{
    kn_error error = {0};
    arena_check(kn_library_finish(a->library, &error), &error, "finish");
}

static inline void arena_open(arena *a)
{
    arena_begin(a);
    a->tells = true;
    arena_finish(a);
}

// An empty world with a grid.
static inline void arena_world_with(arena *a, kn_world_def def)
{
    def.library = a->library;
    arena_check(kn_world_create(&def, &a->world), NULL, "world");
    kn_grid_def grid = kn_grid_def_default();
    grid.world = a->world;
    arena_check(kn_grid_create(&grid, &a->grid), NULL, "grid");
    kn_world_set_space(a->world, kn_grid_space(a->grid));
}

static inline void arena_world(arena *a, uint64_t seed)
{
    kn_world_def def = kn_world_def_default();
    def.seed = seed;
    arena_world_with(a, def);
}

static inline void arena_populate(arena *a)
{
    static const char *const abilities[4] = {"Bolt", "Chain", "Heal", "Mind"};
    kn_attribute_set_id vitals = kn_attribute_set_find(a->library, "Vitals");
    for (uint32_t i = 0; i < ARENA_FIGHTERS; i++) {
        kn_entity_id *fighter = &a->fighters[a->count++];
        arena_check(kn_entity_create(a->world, fighter), NULL, "entity");
        arena_check(kn_attribute_set_add(a->world, *fighter, vitals, 0), NULL, "vitals");
        kn_body body = kn_body_default();
        body.position = (kn_vec3){(float)(i % 4) * 3.0f, (float)(i / 4) * 3.5f, 0.0f};
        arena_check(kn_grid_set_body(a->grid, *fighter, &body), NULL, "body");
        for (uint32_t k = 0; k < 4; k++) {
            kn_ability_grant_def grant = kn_ability_grant_def_default();
            grant.type = kn_ability_type_find(a->library, abilities[k]);
            grant.level = 1.0f + (float)(i % 3);
            kn_ability_id ability;
            arena_check(kn_ability_grant(a->world, *fighter, &grant, &ability), NULL, "grant");
        }
    }
}

static inline void arena_close(arena *a)
{
    kn_grid_destroy(a->grid);
    kn_world_destroy(a->world);
    kn_script_destroy(a->script);
    kn_library_destroy(a->library);
    *a = (arena){0};
}

#endif
