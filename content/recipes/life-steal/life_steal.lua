-- SPDX-License-Identifier: MIT

execution "DealDamage" {
    execute = function(self)
        local damage = self:caller_value("Data.Amount", 0)
        self:output("Unit.Health", "add", -damage)
        if self.source and self:has_asset_tag("Effect.CanSteal") then
            -- A source that died meanwhile is not healed; that is not an error.
            self.source:apply("Heal", {
                source = self.source,
                values = { ["Data.Amount"] = damage * self:capture(1) },
            })
        end
    end,
}
