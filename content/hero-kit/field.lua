-- SPDX-License-Identifier: MIT

-- The field: where everybody is, and who is whose foe. Other files use these functions.

local BODY = "Knack.Grid.Body"
local f32 = math.f32

field = {}

-- Where somebody stands; nobody, and who has no body, stands in the middle.
function field.place_of(entity)
    return entity and entity:get(BODY, "position") or { x = 0, y = 0, z = 0 }
end

-- Where somebody looks; nil without a body.
function field.facing_of(entity)
    return entity:get(BODY, "facing")
end

-- Puts somebody with a body somewhere else.
function field.move(entity, x, y)
    local place = entity:get(BODY, "position")
    if place then
        entity:set(BODY, "position", { x = place.x + x, y = place.y + y, z = place.z })
    end
end

-- The square of the way between two places, seen from above. Rounded at each step, as in C: how long
-- a bullet flies depends on the last bit.
function field.way2(a, b)
    local x, y = f32(a.x - b.x), f32(a.y - b.y)
    return f32(f32(x * x) + f32(y * y))
end

-- On the other side, and not dead.
function field.is_foe(self, other)
    return (self:user() ~ other:user()) & 1 ~= 0 and not other:has_tag("State.Dead")
end

-- The nearest foe within a radius around a place, or nil.
function field.nearest_foe(self, place, radius)
    for _, hit in ipairs(world.nearest(place, radius, { without = "State.Dead" })) do
        if field.is_foe(self, hit.entity) then return hit.entity end
    end
end

-- All foes whose middle is within a radius around a place.
function field.foes_within(self, place, radius)
    local foes = {}
    for _, entity in ipairs(world.entities()) do
        if entity:has_component(BODY) and field.is_foe(self, entity)
            and field.way2(entity:get(BODY, "position"), place) <= radius * radius then
            foes[#foes + 1] = entity
        end
    end
    return foes
end

-- What has consequences for others happens where the state of the entity counts; a client that
-- predicts an ability only shows it.
function field.is_authority(entity)
    local role = entity:role()
    return role == "authority" or role == "server"
end
