-- SPDX-License-Identifier: MIT

local STREAM_CRIT = 3 -- every purpose has a stream of its own
local DAMAGE = 40

-- A number from 0 up to 1 that belongs to one activation: client and server draw the same, whatever
-- else they have drawn or tried.
local function roll(seed)
    seed = seed + 0x9e3779b97f4a7c15
    seed = (seed ~ (seed >> 30)) * 0xbf58476d1ce4e5b9
    seed = (seed ~ (seed >> 27)) * 0x94d049bb133111eb
    seed = seed ~ (seed >> 31)
    return (seed >> 40) / 16777216
end

execution "ShotDamage" {
    execute = function(self)
        local damage = DAMAGE
        if self:has_asset_tag("Effect.CanCrit") then
            -- From an ability a client may predict it; else only the server rolls.
            local drawn = self.activation and roll(self.activation:seed()) or world.random(STREAM_CRIT)
            if drawn < self:capture(1) then damage = damage + self:capture(2) end
        end
        self:output("Unit.Health", "add", -damage)
    end,
}

-- At the target of the event.
ability "Shoot" {
    activate = function(self)
        self:apply("Shot", self.event.target)
        self:finish()
    end,
}
