-- SPDX-License-Identifier: MIT

ability "Poke" {
    activate = function(self)
        self:apply("Poke", self.owner)
        self:finish()
    end,
}
