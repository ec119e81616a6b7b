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
    return entity:has_tag("Knack.Casting") and entity:get("Knack.Cast", "is_interruptible") == 1
end

-- Uses an ability if nothing speaks against it. True if it did.
function raid.use(entity, name, target)
    local ability = entity:abilities({ type = name })[1]
    local event = { target = target, instigator = entity }
    return ability and not ability:check(event) and ability:activate(event) ~= nil
end

-- Uses the first ability of a list that can be used now. A line of it has the name of the ability,
-- and a function that finds its target; without a target it is left out.
function raid.play(entity, list)
    for _, line in ipairs(list) do
        local target = line[2](entity)
        if target and raid.use(entity, line[1], target) then return end
    end
end

-- Everybody on one side, for abilities that reach all of them.
local function as_targets(entities)
    local targets = {}
    for i, entity in ipairs(entities) do targets[i] = { type = "entity", entity = entity } end
    return targets
end
targeting "Players" { find = function(self) return as_targets(raid.players()) end }
targeting "Enemies" { find = function(self) return as_targets(raid.enemies()) end }
