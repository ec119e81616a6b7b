-- SPDX-License-Identifier: MIT

-- Who is who, and how anybody who plays by itself uses abilities. Other files use these functions.

raid = {}

local function living(tag)
    local found = {}
    for _, entity in ipairs(world.entities()) do
        if entity:has_tag(tag) and not entity:has_tag("State.Dead") then
            found[#found + 1] = entity
        end
    end
    return found
end

function raid.players() return living("Raid.Player") end
function raid.enemies() return living("Raid.Enemy") end

-- A player, by chance.
function raid.anybody()
    local players = raid.players()
    return players[world.random_below(#players) + 1]
end

-- How much of its health somebody has, 0 to 1.
function raid.health(entity)
    return entity:value("Vitals.Health") / entity:value("Vitals.MaxHealth")
end

-- Who an enemy attacks, by its threat table; nil as long as nobody has done anything to it.
function raid.target_of(enemy)
    return enemy:get("Knack.Threat", "target")
end

-- True while somebody casts what a kick would interrupt.
function raid.can_be_kicked(entity)
    return entity:get("Knack.Cast", "is_interruptible") == 1
end

-- The ability of this name, if somebody has it and nothing speaks against using it now, on
-- whoever it may be.
local function ready(entity, name)
    local ability = entity:abilities({ type = name })[1]
    return ability and not ability:check({ target = entity }) and ability or nil
end

-- Uses an ability if it can be used. True if it was.
function raid.use(entity, name, target)
    local ability = ready(entity, name)
    return ability and ability:activate({ target = target, instigator = entity }) ~= nil
end

-- Uses the first ability of a list that can be used now. A line of it has the name of the ability,
-- and a function that finds its target; without a target it is left out. Lines that are `free` are
-- looked at during the global cooldown and casts too.
function raid.play(entity, list)
    local busy = entity:has_tag("Knack.Cooldown.Global") or entity:has_component("Knack.Cast")
    for _, line in ipairs(list) do
        local ability = (line.free or not busy) and ready(entity, line[1])
        local target = ability and line[2](entity)
        if target and ability:activate({ target = target, instigator = entity }) then return end
    end
end

-- A ticker that plays a list as long as its entity lives.
function raid.bot(list)
    return {
        interval = 0.1,
        tick = function(self)
            if self.entity:has_tag("State.Dead") then self:stop() else raid.play(self.entity, list) end
        end,
    }
end

-- Everybody on one side, for abilities that reach all of them.
local function as_targets(entities)
    local targets = {}
    for i, entity in ipairs(entities) do targets[i] = { type = "entity", entity = entity } end
    return targets
end
targeting "Players" { find = function(self) return as_targets(raid.players()) end }
targeting "Enemies" { find = function(self) return as_targets(raid.enemies()) end }
