-- SPDX-License-Identifier: MIT

-- Takes half a second, and wounds the target of the attack.
ability "Strike" {
    state = { target = kn.entity },

    activate = function(self)
        local paid, why = self:commit()
        if not paid then return false, why end
        self.state.target = self.event.target
        self:wait(0.5, "lands")
    end,

    lands = function(self)
        self:apply("Wound", self.state.target)
        self:finish()
    end,
}
