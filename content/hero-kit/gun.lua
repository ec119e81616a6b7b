-- SPDX-License-Identifier: MIT

-- The gun: a moment of the animation lets the bullet go, and the bullet takes its time.

local REACH = 900
local DAMAGE, AIMED_DAMAGE = 10, 14

-- A moment, and longer over long ways; in whole microseconds, as the library counts.
local function flight_seconds(from, to)
    return (40000 + field.way2(from, to) // 4) / 1000000
end

local function bullet_leaves(self)
    local from = field.place_of(self.owner)
    local target = field.nearest_foe(self.owner, from, REACH)
    self.state.target = target
    self:wait(flight_seconds(from, field.place_of(target)), "hit")
end

ability "GA_FireGun" {
    state = { target = kn.entity },

    activate = function(self)
        local paid, why = self:commit()
        if not paid then return false, why end
        self:play("Fire", "animated")
    end,

    animated = function(self, result)
        if not field.is_authority(self.owner) then
            -- A client has no bullet of its own: with the animation all is over.
            if result.output ~= "notify" then self:finish() end
        elseif result.output == "notify" then
            bullet_leaves(self)
        elseif result.output == "interrupted" then
            self:cancel()
        end
    end,

    hit = function(self)
        local target = self.state.target
        if target and target:is_alive() then
            local damage = self.owner:has_tag("State.Aiming") and AIMED_DAMAGE or DAMAGE
            self:apply("GE_Damage", target, { values = { ["Data.Damage"] = damage } })
            target:cue("GameplayCue.Impact")
        end
        self:finish()
    end,
}
