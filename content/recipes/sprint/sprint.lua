-- SPDX-License-Identifier: MIT

-- The effect does the work, and is kept in the state, where a rollback finds it. `ended` runs exactly
-- once, whether the player let go, something cancelled the ability or the stamina ran out.

local function hold(self, effect)
    local held, why = self:apply(effect, self.owner)
    if not held then return false, why end
    self.state.held = held
    self:wait_release("released")
    return true
end

local function let_go(self)
    if self.state.held then self.state.held:remove() end
end

ability "Aim" {
    state = { held = kn.effect },
    activate = function(self) return hold(self, "Aiming") end,
    released = function(self) self:finish() end,
    ended = let_go,
}

ability "Sprint" {
    state = { held = kn.effect },
    activate = function(self)
        local paid, why = self:commit_cost()
        if not paid then return false, why end
        self:every(0.5, "drain")
        return hold(self, "Sprinting")
    end,
    -- It checks before it takes: the first payment that cannot be made ends the sprint.
    drain = function(self)
        if not self:commit_cost() then self:finish() end
    end,
    released = function(self) self:finish() end,
    ended = let_go,
}
