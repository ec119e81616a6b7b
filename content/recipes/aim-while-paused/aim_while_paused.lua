-- SPDX-License-Identifier: MIT

-- Aims until the player confirms. The timeout counts the fight's time: nobody loses a target to a
-- long pause.
ability "Bolt" {
    state = { target = kn.entity },

    activate = function(self)
        self:aim("Sight", "chosen", { confirm = "user", timeout = 5 })
    end,

    -- A choice made during the pause arrives at once; what begins here runs when time does.
    chosen = function(self, result)
        if result.output == "fired" then
            self.state.target = result.targets[1].entity
            self:wait(0.25, "arrives")
        else
            self:cancel()
        end
    end,

    arrives = function(self)
        self:apply("Bolt", self.state.target)
        self:finish()
    end,
}

ability "Dash" {
    activate = function(self)
        self:commit()
        self:finish()
    end,
}
