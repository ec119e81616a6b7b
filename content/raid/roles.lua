-- SPDX-License-Identifier: MIT

-- How each role plays: its abilities in order of preference, each with who it is used on. Ten times
-- a second the first one that can be used is used; cooldowns, costs and casts say which that is.

-- Guards first: they came last.
local function enemy()
    local enemies = raid.enemies()
    return enemies[#enemies]
end

-- The first entity for which a test holds.
local function first(entities, test)
    for _, entity in ipairs(entities) do
        if test(entity) then return entity end
    end
end

local function tank() return first(raid.players(), function(e) return e:has_tag("Role.Tank") end) end

-- The player with the smallest part of its health, if that is below a limit.
local function hurt(limit)
    return function()
        local found, lowest = nil, limit
        for _, player in ipairs(raid.players()) do
            local health = raid.health(player)
            if health < lowest then found, lowest = player, health end
        end
        return found
    end
end

local function without(effect, find)
    return function()
        local player = find()
        return player and player:count_effects({ type = effect }) == 0 and player or nil
    end
end

local TANK = {
    { "Taunt", function(me)
        return first(raid.enemies(), function(e) return raid.target_of(e) and raid.target_of(e) ~= me end)
    end, free = true },
    { "Wall", function(me) return raid.health(me) < 0.6 and me or nil end, free = true },
    { "Sweep", enemy },
    { "Slam", enemy },
}

local HEALER = {
    { "Cleanse", function()
        return first(raid.players(), function(e) return e:count_effects({ type = "Cursed" }) > 0 end)
    end },
    { "Mend", hurt(0.4) },
    { "Ward", without("Warded", function() return enemy() and tank() end) },
    { "Renew", without("Renewing", hurt(0.8)) },
    { "Mend", hurt(0.8) },
}

local MAGE = {
    { "Combustion", enemy },
    { "Pyroblast", function(me) return me:has_tag("State.HotStreak") and enemy() or nil end },
    { "Flames", enemy },
    { "Firebolt", enemy },
}

local ROGUE = {
    { "Kick", function() return first(raid.enemies(), raid.can_be_kicked) end, free = true },
    { "Finish", function(me) return me:value("Cunning.Combo") >= 5 and enemy() or nil end },
    { "Stab", function(me) return me:value("Cunning.Combo") < 5 and enemy() or nil end },
}

local RANGER = {
    { "Shoot", enemy, free = true },
    { "Venom", without("Poisoned", enemy) },
    { "Snipe", enemy },
}

ticker "Tank"(raid.bot(TANK))
ticker "Healer"(raid.bot(HEALER))
ticker "Mage"(raid.bot(MAGE))
ticker "Rogue"(raid.bot(ROGUE))
ticker "Ranger"(raid.bot(RANGER))
