-- SPDX-License-Identifier: MIT

-- What needs code: how things fall, which friends medics heal, and how a village thinks.

order_type "Heal" {
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

-- The valley, and all that is in it with a tag, by slot.
local middle, edge = { x = 38, y = 14, z = 0 }, 80
local function all(tag)
    return world.sphere(middle, edge, { required = tag })
end

local function own(village, tag)
    local found = {}
    for _, entity in ipairs(all(tag)) do
        if entity:owner() == village then
            table.insert(found, entity)
        end
    end
    return found
end

-- The dead are gone, and a village without its hall gives up.
rule "Fall" {
    react = function(self)
        local fallen = self.entity
        local village = fallen:owner()
        if fallen:has_tag("Unit.Hall") and village then
            for _, unit in ipairs(own(village, "Unit")) do
                unit:destroy()
            end
        else
            fallen:destroy()
        end
    end,
}

local function nearest(from, entities)
    local best, least
    local at = from:position()
    for _, entity in ipairs(entities) do
        local there = entity:position()
        local distance = (there.x - at.x) * (there.x - at.x) + (there.y - at.y) * (there.y - at.y)
        if least == nil or distance < least then
            best, least = entity, distance
        end
    end
    return best
end

local function idle_of(units)
    local idle = {}
    for _, unit in ipairs(units) do
        if unit:current_order().is_idle then
            table.insert(idle, unit)
        end
    end
    return idle
end

-- Workers without work go to the nearest mine that has something left; a hall trains more of them.
tree_action "Work" {
    run = function(self, call)
        local village = self.entity
        local workers = own(village, "Unit.Worker")
        local mines = {}
        for _, mine in ipairs(all("Knack.Kind.Resource")) do
            if mine:value("Deposit.Gold") > 0 then
                table.insert(mines, mine)
            end
        end
        for _, worker in ipairs(idle_of(workers)) do
            local mine = nearest(worker, mines)
            if mine then
                worker:issue_order("Knack.Gather", mine)
            end
        end
        -- the first barracks come before more of them
        local needed = #own(village, "Unit.Barracks") > 0 and 30 or 180
        for _, hall in ipairs(own(village, "Unit.Hall")) do
            if #workers < call.number and village:value("Stock.Gold") >= needed then
                hall:issue_order("Knack.Produce", nil, nil, 0)
            end
        end
    end,
}

-- What is built next, by its place among the products of a worker: barracks, a smithy, a tower, then more barracks and towers.
local BARRACKS, TOWER, SMITHY = 0, 1, 2
local COSTS = { [BARRACKS] = 120, [TOWER] = 100, [SMITHY] = 90 }
local function next_building(village)
    local barracks, towers = #own(village, "Unit.Barracks"), #own(village, "Unit.Tower")
    if barracks > 0 and #own(village, "Unit.Smithy") == 0 then
        return SMITHY
    elseif barracks + towers >= 5 then
        return nil
    end
    return barracks > towers and TOWER or BARRACKS
end

-- One building after the other. A worker puts it up on the side of the hall that looks at the enemy, and goes back to work.
tree_action "Settle" {
    run = function(self, call)
        local village = self.entity
        local hall = own(village, "Unit.Hall")[1]
        local workers = own(village, "Unit.Worker")
        if hall == nil or #workers < 3 then
            return
        end
        local sites = own(village, "Knack.Status.Constructing")
        if #sites > 0 then -- one that nobody builds any more
            local worker = nearest(sites[1], workers)
            if worker:current_order().order == "Knack.Gather" then
                worker:issue_order("Knack.Construct", sites[1])
            end
            return
        end
        local product = next_building(village)
        if product == nil or village:value("Stock.Gold") < COSTS[product] then
            return
        end
        local at = hall:position()
        local ahead = at.x < middle.x and 1 or -1
        local row = (#own(village, "Knack.Kind.Building") - 1) % 6
        local place = { x = at.x + ahead * (6 + 4 * (row % 2)), y = at.y + ahead * (5 * row - 12), z = 0 }
        for _, worker in ipairs(workers) do
            if worker:current_order().order == "Knack.Build" then
                return -- somebody is on the way
            end
        end
        nearest(hall, workers):issue_order("Knack.Build", nil, place, product)
    end,
}

-- The smithy makes better what the village likes to fight with; siegecraft comes before the second lesson.
tree_action "Study" {
    run = function(self, call)
        local village = self.entity
        local favourite = village:value("Plan.Archers") > 0.5 and "Arrows" or "Blades"
        local lesson = favourite
        if village:rts_upgrade_level(favourite) > 0 and village:rts_upgrade_level("Siege") == 0 then
            lesson = "Siege"
        end
        for _, smithy in ipairs(own(village, "Unit.Smithy")) do
            if #smithy:rts_research_info(lesson).why_not == 0 then
                smithy:rts_research(lesson)
            end
        end
    end,
}

-- What the barracks train next, by the place of the product in their list: a medic for every five fighters, a catapult for
-- every six, and otherwise soldiers and archers as the village likes.
local SOLDIER, ARCHER, MEDIC, CATAPULT = 0, 1, 2, 3
local function next_of(village)
    local soldiers, archers = #own(village, "Unit.Soldier"), #own(village, "Unit.Archer")
    local medics, catapults = #own(village, "Unit.Medic"), #own(village, "Unit.Catapult")
    if medics * 5 + 4 <= soldiers + archers then
        return MEDIC
    elseif catapults * 6 + 5 <= soldiers + archers and village:rts_meets("Catapult") then
        return CATAPULT
    elseif archers + 1 <= (soldiers + archers + 1) * village:value("Plan.Archers") then
        return ARCHER
    end
    return SOLDIER
end

-- A village with four fighters wants a captain, and saves for it.
local CAPTAIN, CAPTAIN_COST, RECRUIT_COST = 1, 150, 60
local function wants_captain(village)
    return #own(village, "Unit.Captain") == 0 and #own(village, "Unit.Fighter") >= 4
end

tree_action "Recruit" {
    run = function(self, call)
        local village = self.entity
        local product = next_of(village)
        local needed = RECRUIT_COST + (wants_captain(village) and CAPTAIN_COST or 0)
        for _, barracks in ipairs(own(village, "Unit.Barracks")) do
            if village:value("Stock.Gold") >= needed and not barracks:has_tag("Knack.Status.Constructing") then
                barracks:issue_order("Knack.Produce", nil, nil, product)
            end
        end
    end,
}

-- Buys the first of these that a smithy near by sells and the village can pay for.
local function shop(captain, smithies)
    for _, item in ipairs { "Whetstone", "Shield", "Potion" } do
        for _, smithy in ipairs(smithies) do
            if #captain:rts_buy_info(smithy, item).why_not == 0 then
                captain:rts_buy(smithy, item)
                return
            end
        end
    end
end

local function drink(captain)
    local potion = captain:rts_carried_item("Potion")
    if potion and captain:value("Vitals.Health") < captain:value("Vitals.MaxHealth") - 60 then
        potion:rts_use_item()
    end
end

-- A captain learns what it can, buys what it needs, drinks when it is hurt, and cries out when it fights.
tree_action "Lead" {
    run = function(self, call)
        local village = self.entity
        for _, captain in ipairs(own(village, "Unit.Captain")) do
            if captain:rts_points() > 0 and not captain:rts_learn("Smite") then
                captain:rts_learn("WarCry")
            end
            shop(captain, own(village, "Unit.Smithy"))
            drink(captain)
            if captain:rts_ability_level("WarCry") > 0 and captain:current_order().order == "Attack" then
                captain:issue_order("WarCry")
            end
        end
        local hall = own(village, "Unit.Hall")[1]
        if hall and wants_captain(village) and village:value("Stock.Gold") >= CAPTAIN_COST then
            hall:issue_order("Knack.Produce", nil, nil, CAPTAIN)
        end
    end,
}

-- What to march to: the nearest building of somebody else.
local function enemy_of(village, army)
    local others = {}
    for _, building in ipairs(all("Knack.Kind.Building")) do
        if building:owner() ~= village then
            table.insert(others, building)
        end
    end
    return nearest(army[1], others)
end

-- Goes to war with an army that is large enough, sooner or later: nobody knows when.
tree_action "Muster" {
    run = function(self, call)
        local village = self.entity
        local army = own(village, "Unit.Fighter")
        if #army < call.number or world.random_below(4) > 0 then
            return false
        end
        local enemy = enemy_of(village, army)
        if enemy == nil then
            return false
        end
        village:set_entity_key("Enemy", enemy)
        village:set_bool_key("IsAtWar", true)
    end,
}

-- Those who have nothing to do go where the others are.
tree_action "March" {
    run = function(self, call)
        local village = self.entity
        local army = own(village, "Unit.Fighter")
        if #army < 2 then
            village:set_bool_key("IsAtWar", false)
            return false
        end
        local enemy = village:get_entity_key("Enemy") or enemy_of(village, army)
        if enemy == nil then
            village:set_bool_key("IsAtWar", false)
            return false
        end
        village:set_entity_key("Enemy", enemy)
        local idle = idle_of(army)
        if #idle > 0 then
            orders.issue_group(idle, "Knack.AttackMove", nil, enemy:position())
        end
    end,
}
