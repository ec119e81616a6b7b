-- SPDX-License-Identifier: MIT

-- The bodies of movement.yaml. A capability is asked whether it should be active, and writes its share
-- of the velocity while it is. What lasts is in the component that all of them share.

local STAMINA = 100
local REST = 15           -- stamina per second that comes back
local RESTED = 30         -- who is tired goes on from here
local WALK = 4            -- metres per second
local SPRINT, SPRINT_COST = 8, 25
local CLIMB, CLIMB_COST, CLIMB_NEEDS = 2, 20, 10
local SWIM = 3
local DASH, DASH_TIME, DASH_COST = 16, 0.25, 20
local JUMP = 6
local GRAVITY = 18
local DEGREE = math.pi / 180

-- Functions that flight.lua uses as well.
mover = {}

-- True where the state counts. Other machines get it from there, or predict it.
function mover.is_authority(entity)
    local role = entity:role()
    return role == "authority" or role == "server"
end

-- What is to the right and ahead, as a way in the world.
function mover.turn(entity, right, ahead)
    local yaw = entity:get("Mover", "yaw") * DEGREE
    local c, s = math.cos(yaw), math.sin(yaw)
    return { x = c * ahead + s * right, y = s * ahead - c * right, z = 0 }
end

-- Adds degrees to yaw and pitch; nobody looks further up than straight up.
function mover.look(entity, value)
    local pitch = entity:get("Mover", "pitch") + value.y
    entity:set("Mover", "yaw", math.fmod(entity:get("Mover", "yaw") + value.x, 360))
    entity:set("Mover", "pitch", math.max(-89, math.min(89, pitch)))
end

local function velocity(entity) return entity:get("Mover", "velocity") end

local function set_velocity(entity, x, y, z)
    entity:set("Mover", "velocity", { x = x, y = y, z = z })
end

local function stamina(entity) return entity:get("Mover", "stamina") end

local function spend(entity, amount)
    entity:set("Mover", "stamina", math.max(0, stamina(entity) - amount))
end

local function is_on_floor(entity)
    return entity:get("Mover", "height") <= 0 and velocity(entity).z <= 0
end

local function is_held(entity, action) return entity:action_value(action).x > 0 end

local function wants_to_go(entity)
    local move = entity:action_value("Move")
    return move.x ~= 0 or move.y ~= 0
end

-- Along the floor, as the player says; up and down stay as they are.
local function go(entity, speed)
    local move = entity:action_value("Move")
    local way = mover.turn(entity, move.x, move.y)
    set_velocity(entity, way.x * speed, way.y * speed, velocity(entity).z)
end

capability "Rest" {
    start_life = function(self)
        if mover.is_authority(self.entity) then self.entity:set("Mover", "stamina", STAMINA) end
    end,
    tick = function(self, args)
        self.entity:set("Mover", "stamina", math.min(STAMINA, stamina(self.entity) + REST * args.dt))
    end,
}

capability "Tired" {
    should_activate = function(self) return stamina(self.entity) <= 0 end,
    should_deactivate = function(self) return stamina(self.entity) >= RESTED end,
}

capability "Stand" {
    tick = function(self) set_velocity(self.entity, 0, 0, velocity(self.entity).z) end,
}

capability "Look" {
    input = function(self, args) mover.look(self.entity, args.value) end,
}

-- Getting hold of a wall takes more than holding on to it.
capability "Climb" {
    should_activate = function(self)
        return is_held(self.entity, "Climb") and stamina(self.entity) >= CLIMB_NEEDS
    end,
    should_deactivate = function(self)
        return not is_held(self.entity, "Climb") or stamina(self.entity) <= 0
    end,
    tick = function(self, args)
        local move = self.entity:action_value("Move")
        local way = mover.turn(self.entity, move.x, 0)
        set_velocity(self.entity, way.x * CLIMB, way.y * CLIMB, move.y * CLIMB)
        spend(self.entity, CLIMB_COST * args.dt)
    end,
    deactivated = function(self) set_velocity(self.entity, 0, 0, 0) end,
}

capability "Swim" {
    tick = function(self)
        go(self.entity, SWIM)
        local way = velocity(self.entity)
        set_velocity(self.entity, way.x, way.y, self.entity:action_value("UpDown").x * SWIM)
    end,
    deactivated = function(self) set_velocity(self.entity, 0, 0, 0) end,
}

-- Straight on for a moment, whatever is pressed meanwhile.
capability "Dash" {
    input = function(self) self.entity:set("Wish", "dash", true) end,
    should_activate = function(self)
        return self.entity:get("Wish", "dash") and stamina(self.entity) >= DASH_COST
    end,
    should_deactivate = function(self) return self.entity:get("Mover", "dash_left") <= 0 end,
    activated = function(self)
        local move = self.entity:action_value("Move")
        local way = mover.turn(self.entity, move.x, move.y)
        local length = math.sqrt(way.x * way.x + way.y * way.y)
        if length == 0 then
            way, length = mover.turn(self.entity, 0, 1), 1
        end
        local factor = DASH / length
        self.entity:set("Mover", "dash", { x = way.x * factor, y = way.y * factor, z = 0 })
        self.entity:set("Mover", "dash_left", DASH_TIME)
        spend(self.entity, DASH_COST)
    end,
    tick = function(self, args)
        local way = self.entity:get("Mover", "dash")
        set_velocity(self.entity, way.x, way.y, velocity(self.entity).z)
        self.entity:set("Mover", "dash_left", self.entity:get("Mover", "dash_left") - args.dt)
    end,
}

capability "Jump" {
    input = function(self) self.entity:set("Wish", "jump", true) end,
    should_activate = function(self)
        return self.entity:get("Wish", "jump") and is_on_floor(self.entity)
    end,
    should_deactivate = function(self) return velocity(self.entity).z <= 0 end,
    activated = function(self)
        local way = velocity(self.entity)
        set_velocity(self.entity, way.x, way.y, JUMP)
    end,
}

capability "Sprint" {
    should_activate = function(self)
        return is_held(self.entity, "Sprint") and wants_to_go(self.entity) and is_on_floor(self.entity)
    end,
    should_deactivate = function(self)
        return not (is_held(self.entity, "Sprint") and wants_to_go(self.entity))
    end,
    tick = function(self, args)
        go(self.entity, SPRINT)
        spend(self.entity, SPRINT_COST * args.dt)
    end,
}

-- Also in the air, where it steers.
capability "Walk" {
    should_activate = function(self) return wants_to_go(self.entity) end,
    should_deactivate = function(self) return not wants_to_go(self.entity) end,
    tick = function(self) go(self.entity, WALK) end,
}

capability "Fall" {
    should_activate = function(self) return not is_on_floor(self.entity) end,
    should_deactivate = function(self) return is_on_floor(self.entity) end,
    tick = function(self, args)
        local way = velocity(self.entity)
        set_velocity(self.entity, way.x, way.y, way.z - GRAVITY * args.dt)
    end,
}

-- The floor is the only thing in the way that this folder knows of. A game has more of them, and moves
-- the body itself.
capability "Travel" {
    tick = function(self, args)
        local way = velocity(self.entity)
        local height = self.entity:get("Mover", "height") + way.z * args.dt
        if height <= 0 then
            height = 0
            set_velocity(self.entity, way.x, way.y, math.max(0, way.z))
        end
        self.entity:set("Mover", "height", height)
        self.entity:set("Wish", "jump", false)
        self.entity:set("Wish", "dash", false)
        self.entity:set("Wish", "way", { x = 0, y = 0, z = 0 })
    end,
}
