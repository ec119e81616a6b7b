-- SPDX-License-Identifier: MIT

-- Aiming: slower, but each shot hurts more, as long as the input is held.
ability "GA_Aim" {
    state = { effect = kn.effect },

    activate = function(self)
        local effect, why = self:apply("GE_Aim", self.owner)
        if not effect then return false, why end
        self.state.effect = effect
        self:wait_release("released")
    end,

    released = function(self) self:finish() end,

    ended = function(self)
        if self.state.effect then self.state.effect:remove() end
    end,
}
