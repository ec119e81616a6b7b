-- SPDX-License-Identifier: MIT

-- A cost with `up_to` pays what is there; only the activation knows how much that was.
ability "Finish" {
    activate_by_event = function(self, event)
        local paid, why = self:commit()
        if not paid then return false, why end
        local points = self:paid("Cunning.Combo")
        self:apply("Finish Hit", event.target, { values = { ["Data.Points"] = points } })
        self:finish()
    end,
}
