-- SPDX-License-Identifier: MIT

rule "DropEverything" {
    react = function(reaction)
        reaction.entity:cancel_abilities { any_tags = "Ability.Action" }
    end,
}

-- Takes a second.
ability "Swing" {
    activate = function(self) self:wait(1, "done") end,
    done = function(self) self:finish() end,
}

-- Runs until it is removed.
ability "Aura" { activate = function(self) end }
