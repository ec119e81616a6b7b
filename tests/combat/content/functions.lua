-- SPDX-License-Identifier: MIT

-- Calls every function that the combat kit gives to scripts. `hero` and `ally` are units, `boss` has a
-- threat table.

local function units()
    local all = world.entities()
    return all[1], all[2], all[3]
end
local function same(have, want, what)
    if have ~= want then
        error((what or "value") .. ": " .. tostring(have) .. ", not " .. tostring(want), 2)
    end
end
local function refused(have, why, want)
    same(have, nil, "result")
    same(why, want, "refusal")
end
local function skill(entity, type)
    return entity:abilities({ type = type })[1]
end
ability "Slam" {
    activate = function(self)
        refused(self:cast(), select(2, self:cast()), "not_found")
        same(self:start_cast("Fireball"), true)
        same(self:cast().cast, "Fireball")
        refused(nil, select(2, self:start_cast("Fireball")), "duplicate")
    end,
}
local runs = {
    -- threat
    function(hero, ally, boss)
        same(hero:has_threat_table(), false)
        refused(nil, select(2, hero:add_threat(boss, 1)), "not_found")
        same(boss:add_threat(hero, 10), true)
        same(boss:add_threat(ally, 4), true)
        same(boss:has_threat_table(), true)
        same(boss:threat(hero), 10.0)
        same(hero:threat(boss), 0.0)
        same(boss:has_threat(ally), true)
        same(boss:has_threat(boss), false)
        same(boss:set_threat(ally, 25), true)
        same(boss:scale_threat(ally, 2), true)
        local list = boss:threat_list()
        same(#list, 2)
        same(list[1].entity, ally)
        same(list[1].threat, 50.0)
        same(list[2].entity, hero)
        same(list[2].is_suppressed, false)
        local top, threat = boss:top_threat()
        same(top, ally)
        same(threat, 50.0)
        refused(hero:top_threat(), select(2, hero:top_threat()), "not_found")
        same(ally:threat_owners()[1], boss)
        same(boss:update_threat_target(), true)
        same(boss:threat_target(), ally)
        same(hero:taunt(boss, 3), true)
        same(boss:threat_target(), hero)
        same(boss:fixate(ally, 2), true)
        same(boss:threat_target(), ally)
        same(boss:suppress_threat(ally, 2), true)
        same(boss:threat_list()[2].is_suppressed, true)
        same(hero:redirect_threat(ally, 0.5, 10), true)
        same(boss:add_threat(hero, 40), true)
        same(boss:threat(ally), 70.0)
        same(boss:remove_threat(hero), true)
        same(boss:has_threat(hero), false)
        same(ally:leave_threat(), true)
        same(#boss:threat_list(), 0)
        same(boss:clear_threat(), true)
        same(hero:begin_threat(), true)
        same(hero:has_threat_table(), true)
    end,
    -- combat
    function(hero, ally, boss)
        boss:leave_combat()
        same(hero:in_combat(), false)
        same(hero:start_combat(boss), true)
        same(hero:is_fighting(boss), true)
        same(ally:is_fighting(boss), false)
        same(hero:in_combat(), true)
        same(#boss:opponents(), 1)
        same(boss:opponents()[1], hero)
        same(hero:combat_remaining(boss), 6.0)
        same(ally:combat_remaining(boss), 0.0)
        same(hero:end_combat(boss), true)
        same(hero:in_combat(), false)
        hero:start_combat(boss)
        same(boss:leave_combat(), true)
        same(hero:in_combat(), false)
    end,
    -- hits and life
    function(hero, ally, boss)
        local hit = boss:damage(30, { source = hero, tags = "School.Fire" })
        same(hit.dealt, 30.0)
        same(hit.source, hero)
        same(hit.target, boss)
        same(hit.outcome, nil)
        same(hit.has_killed, false)
        same(boss:value("Vitals.Health"), 70.0)
        same(boss:threat(hero), 15.0) -- half of it is redirected
        boss:leave_combat()
        boss:clear_threat()
        boss:damage(5, { source = ally, no_threat = true, no_combat = true })
        same(boss:threat(ally), 0.0)
        same(ally:in_combat(), false)
        same(boss:damage(10, { outcome = "Knack.Outcome.Critical" }).dealt, 20.0)
        hit = boss:heal(100)
        same(hit.dealt, 55.0)
        same(hit.over, 45.0)
        same(hit.source, nil)
        refused(nil, select(2, boss:damage(-1)), "bad_number")
        local lines = boss:explain_damage(120)
        same(lines[1].stage, "amount")
        same(lines[1].result, 120.0)
        same(lines[#lines].stage, "health")
        same(lines[#lines].result, 100.0)
        same(boss:explain_healing(7)[1].result, 7.0)
        same(boss:is_dead(), false)
        same(boss:kill(hero), true)
        same(boss:is_dead(), true)
        refused(nil, select(2, boss:damage(1)), "dying")
        refused(nil, select(2, hero:resurrect(0.5)), "not_found")
        same(boss:resurrect(0.5, ally), true)
        same(boss:value("Vitals.Health"), 50.0)
    end,
    -- casts
    function(hero, ally, boss)
        refused(hero:cast(), select(2, hero:cast()), "not_found")
        skill(hero, "Fireball"):activate({ target = boss })
    end,
    function(hero, ally, boss)
        local cast = hero:cast()
        same(cast.ability, "Fireball")
        same(cast.cast, "Fireball")
        same(cast.kind, "plain")
        same(cast.total, 2.0)
        same(cast.finish - cast.start, 2.0)
        same(cast.progress, 0.0)
        same(cast.is_interruptible, true)
        same(cast.activation:cast().cast, "Fireball")
        local left, total = hero:global_cooldown()
        same(left, 1.5)
        same(total, 1.5)
        same(hero:end_global_cooldown(), true)
        same(hero:global_cooldown(), 0.0)
        same(hero:push_back_cast(), true)
        same(hero:cast().pushed, 1)
        same(hero:set_interruptible(false), true)
        refused(nil, select(2, hero:interrupt()), "blocked")
        same(hero:set_interruptible(true), true)
        refused(nil, select(2, hero:interrupt({ any_tags = "Team.Monster" })), "not_found")
        local done = hero:interrupt({ instigator = boss, lockout = 4 })
        same(done.cast, "Fireball")
        same(done.lockout, 4.0)
        same(hero:lockouts()[1].tag, "School.Fire")
        same(hero:lockouts()[1].instigator, boss)
        same(hero:end_lockout("School.Fire"), true)
        same(#hero:lockouts(), 0)
        same(hero:lock_out({ "School.Fire", "Team.Monster" }, 3, ally), true)
        same(hero:lockouts()[2].tag, "Team.Monster")
        same(hero:end_lockout(), true)
        skill(hero, "Charge"):activate()
    end,
    function(hero, ally, boss)
        same(hero:release_cast(), true)
        refused(nil, select(2, hero:release_cast()), "not_found")
        skill(hero, "Charge"):activate()
    end,
    function(hero, ally, boss)
        same(hero:cancel_cast(), true)
        refused(nil, select(2, hero:cancel_cast(1)), "not_found")
        skill(hero, "Slam"):activate()
    end,
    function(hero, ally, boss)
        same(hero:cast().cast, "Fireball")
        hero:cancel_cast()
    end,
    -- the input queue
    function(hero, ally, boss)
        hero:end_global_cooldown()
        local fireball, charge = skill(hero, "Fireball"), skill(hero, "Charge")
        same(hero:queue_press(fireball, { target = boss, magnitude = 2 }), "used")
        same(hero:automatic_ability(), fireball)
        same(#hero:queue(), 0)
        same(hero:queue_release(fireball), true)
        same(hero:automatic_ability(), nil)
        refused(nil, select(2, hero:queue_press(skill(ally, "Fireball"))), "not_found")
        same(#fireball:use_status(), 0)
        same(charge:restrict("Knack.Restricted.Standing", true), true)
        same(charge:use_status()[1], "custom")
        same(charge:restrict("Knack.Restricted.Standing", false), true)
        same(#charge:use_status(), 0)
        same(hero:clear_queue(), true)
        print("wait")
    end,
    -- a press that waits: 1.9 s have passed
    function(hero, ally, boss)
        local fireball = skill(hero, "Fireball")
        same(hero:queue_press(fireball), "waits")
        local waiting = hero:queue()[1]
        same(waiting.ability, fireball)
        same(waiting.waits_for_cast, true)
        same(hero:clear_queue(), true)
        same(#hero:queue(), 0)
        hero:cancel_cast()
    end,
    -- resources
    function(hero, ally, boss)
        same(hero:resources()[1], "Mana")
        same(#hero:resources(), 1)
        local mana = hero:resource("Mana")
        same(mana.resource, "Mana")
        same(mana.maximum, 50.0)
        same(mana.is_regenerating, true)
        same(hero:change_resource("Mana", 100, { source = ally }), 50.0 - mana.value)
    end,
    function(hero, ally, boss)
        same(hero:resource("Mana").next, nil)
        same(hero:change_resource("Mana", -10, { ignore_modifiers = true,
            tags = { "School.Fire" } }), -10.0)
        same(hero:start_resource("Mana", { maximum = 30, value = 12 }), true)
        same(hero:resource("Mana").value, 12.0)
        same(hero:resource("Mana").maximum, 30.0)
        same(ally:resource("Mana").maximum, 50.0)
        refused(nil, select(2, hero:start_resource("Mana", { value = -1 })), "bad_number")
    end,
    -- buffs and dispels; effects act as buffs once their rules have run
    function(hero, ally, boss)
        hero:apply("Shield", { source = ally })
        hero:apply("Curse")
        hero:apply("Curse")
        hero:apply("Curse")
        hero:apply("Stun")
        hero:apply("Thorns")
        ally:apply("Banner")
    end,
    function(hero, ally, boss)
        local shield = hero:effects({ type = "Shield" })[1]
        same(shield:buff().buff, "Shield")
        same(shield:buff().polarity, "buff")
        same(shield:buff().absorb_left, 40.0)
        same(hero:absorb_left(), 40.0)
        same(shield:set_absorb(15), true)
        same(hero:absorb_left(), 15.0)
        same(ally:absorb_left(), 0.0)
        local thorns = hero:effects({ type = "Thorns" })[1]
        refused(thorns:buff(), select(2, thorns:buff()), "not_found")
        same(hero:damage(20, { source = boss, no_procs = true }).absorbed, 15.0)
        same(hero:diminishing_level("Stuns"), 1)
        same(hero:diminishing_factor("Stuns"), 0.5)
        same(ally:diminishing_factor("Stuns"), 1.0)
        same(hero:reset_diminishing("Stuns"), true)
        same(hero:diminishing_level("Stuns"), 0)
        local curse = hero:effects({ type = "Curse" })[1]
        same(#hero:dispel_candidates("Cleanse"), 1)
        same(hero:dispel_candidates("Cleanse", ally)[1], curse)
        local done = hero:dispel("Cleanse", ally)
        same(done.attempts, 2)
        same(done.removed, 2)
        same(curse:stacks(), 1)
    end,
    -- procs and auras
    function(hero, ally, boss)
        same(hero:proc("Thorns").cooldown, 0.0)
        refused(ally:proc("Thorns"), select(2, ally:proc("Thorns")), "not_found")
        local lines = hero:explain_procs("hit_taken", { other = boss, magnitude = 3 })
        same(#lines, 1)
        same(lines[1].answer, "may_act")
        same(lines[1].chance, 1.0)
        same(hero:explain_procs("hit_done")[1].answer, "other_event")
        same(hero:explain_procs("hit_taken", { triggered = true })[1].answer, "triggered")
        same(hero:run_procs("hit_taken", { other = boss, source = boss, target = hero,
            magnitude = 3, interval = 1.5, tags = "School.Fire", ability = "Slam",
            effect = "Curse", outcome = "Knack.Outcome.Normal", periodic = true }), 1)
        same(boss:count_effects({ type = "Pricked" }), 1)
        same(hero:proc("Thorns").cooldown, 5.0)
        same(hero:run_procs("hit_taken"), 0)
        same(ally:set_aura_member("Banner", hero, true), true)
        same(ally:update_aura("Banner"), true)
        same(#ally:aura_members("Banner"), 1)
        same(ally:aura_members("Banner")[1], hero)
        same(hero:count_effects({ type = "Inspired" }), 1)
        same(ally:set_aura_member("Banner", hero, false), true)
        refused(nil, select(2, hero:update_aura("Banner")), "not_found")
    end,
}
command "Run" {
    run = function(command)
        local hero, ally, boss = units()
        if runs[command.sequence] then
            runs[command.sequence](hero, ally, boss)
        end
        print(runs[command.sequence] and "done" or "end")
    end,
}
local bad = {
    function(hero, boss) boss:add_threat(hero) end,
    function(hero, boss) boss:add_threat("hero", 1) end,
    function(hero, boss) boss:add_threat(hero, "much") end,
    function(hero, boss) boss:damage(1, { sorce = hero }) end,
    function(hero, boss) boss:damage(1, { tags = "School.Ice" }) end,
    function(hero, boss) boss:damage(1, 5) end,
    function(hero, boss) hero:resource("Rage") end,
    function(hero, boss) hero:resource(7) end,
    function(hero, boss) hero:run_procs("hit_taking") end,
    function(hero, boss) hero:cancel_cast(-1) end,
    function(hero, boss) hero:queue_press(boss) end,
    function(hero, boss) hero:dispel() end,
    function(hero, boss) hero:lock_out("School.Fire", 0 / 0) end,
    function(hero, boss) hero:treat(boss) end,
}
command "Bad" {
    run = function(command)
        local hero, ally, boss = units()
        bad[command.sequence](hero, boss)
        print("not refused")
    end,
}
    -- What only reads cannot change anything, but it can look.
command "Look" {
    run = function(command) end,
    check = function(command)
        local hero, ally, boss = units()
        print(boss:threat(hero))
        boss:set_threat(hero, 1)
        print("changed")
    end,
}
