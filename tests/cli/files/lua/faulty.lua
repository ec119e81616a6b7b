-- SPDX-License-Identifier: MIT
ability "Shock" {
    activate = function(self)
        self:wait(0.5, "strike")
    end,
    strike = function(self)
        self:apply("Zap", self.target)
    end,
}
