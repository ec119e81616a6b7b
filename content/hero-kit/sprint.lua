-- SPDX-License-Identifier: MIT

-- Sprinting: faster as long as the input is held and there is stamina for the next half second.
ability "GA_Sprint" {
    state = { effect = kn.effect },

    activate = function(self)
        local paid, why = self:commit_cost()
        if not paid then return false, why end
        local effect, refusal = self:apply("GE_Sprint", self.owner)
        if not effect then return false, refusal end
        self.state.effect = effect
        self:wait_release("released")
        self:every(0.5, "drain")
    end,

    drain = function(self)
        if not self:commit_cost() then self:finish() end
    end,

    released = function(self) self:finish() end,

    ended = function(self)
        if self.state.effect then self.state.effect:remove() end
    end,
}
