-- SPDX-License-Identifier: MIT

-- What needs code: how things fall, whom medics mend, and how a village thinks.

rule "Fall" {
    react = function(self)
        local fallen = self.entity
        if fallen:value("Vitals.Health") > 0 or fallen:is_dying() then
            return
        end
        fallen:destroy()
    end,
}

order_type "Mend" {
    is_valid_target = function(self, call)
        local friend = call.target_entity
        return friend == nil or friend:value("Vitals.Health") < friend:value("Vitals.MaxHealth")
    end,
    -- the worse off, the better
    score = function(self, call)
        local friend = call.target_entity
        return { number = 1 - friend:value("Vitals.Health") / friend:value("Vitals.MaxHealth") }
    end,
}

-- All that a village has with a tag, by slot.
local function own(village, tag)
    local found = {}
    for _, entity in ipairs(world.sphere({ x = 40, y = 16, z = 0 }, 100, { required = tag })) do
        if entity:owner() == village then
            table.insert(found, entity)
        end
    end
    return found
end

local function enemy_of(village)
    for _, hall in ipairs(world.sphere({ x = 40, y = 16, z = 0 }, 100, { required = "Unit.Hall" })) do
        if hall:owner() ~= village then
            return hall
        end
    end
end

-- Soldiers first, then an archer for each, and a medic for every four fighters.
tree_action "Recruit" {
    run = function(self, call)
        local village = self.entity
        local soldiers = #own(village, "Unit.Soldier")
        local archers = #own(village, "Unit.Archer")
        local medics = #own(village, "Unit.Medic")
        local product = 0
        if medics * 4 + 4 <= soldiers + archers then
            product = 2
        elseif archers < soldiers then
            product = 1
        end
        for _, barracks in ipairs(own(village, "Unit.Barracks")) do
            barracks:issue_order("Knack.Produce", nil, nil, product)
        end
    end,
}

-- Goes to war with an army that is large enough.
tree_action "Muster" {
    run = function(self, call)
        local village = self.entity
        local enemy = enemy_of(village)
        if enemy == nil or #own(village, "Unit.Fighter") < call.number then
            return false
        end
        village:set_entity_key("Enemy", enemy)
        village:set_bool_key("IsAtWar", true)
    end,
}

-- Those who have nothing to do follow the others to the hall of the enemy.
tree_action "March" {
    run = function(self, call)
        local village = self.entity
        local enemy = village:get_entity_key("Enemy")
        local army = own(village, "Unit.Fighter")
        if enemy == nil or #army < 2 then
            village:set_bool_key("IsAtWar", false)
            return false
        end
        local idle = {}
        for _, fighter in ipairs(army) do
            if fighter:current_order().is_idle then
                table.insert(idle, fighter)
            end
        end
        if #idle > 0 then
            orders.issue_group(idle, "Knack.AttackMove", nil, enemy:position())
        end
    end,
}
