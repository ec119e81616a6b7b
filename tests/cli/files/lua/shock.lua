-- SPDX-License-Identifier: MIT
ability "Shock" {
    activate = function(self)
        self:apply("Zap", self.owner)
        self:finish()
    end,
}
