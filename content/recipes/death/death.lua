-- SPDX-License-Identifier: MIT

-- One rule for all ways to die, at the exact time, on every machine that simulates the entity.
rule "Die" {
    react = function(reaction)
        local entity = reaction.entity
        if reaction.new_value > 0 or entity:has_tag("State.Dead") then return end
        entity:add_tag("State.Dead") -- a loose tag: each machine finds out by itself
        entity:cancel_abilities()
        entity:remove_effects { asset_tags = "Effect.EndsWithDeath" }
    end,
}

-- Stays active until something ends it.
ability "Swing" { activate = function(self) end }

-- The ghost takes its body back.
ability "Haunt" {
    activate = function(self)
        self.owner:set_tag_count("State.Dead", 0)
        self.owner:set_base("Unit.Health", 50)
        self:finish()
    end,
}
