-- SPDX-License-Identifier: MIT

-- Who plays a runner controls its capabilities: the player whose connection it has, or the one of this
-- machine. Without a controller no capability hears of input.
rule "TakeControl" {
    react = function(reaction)
        local entity = reaction.entity
        if mover.is_authority(entity) and entity:has_tag("Unit.Runner") then
            entity:set_controller(math.max(entity:connection(), 1))
        end
    end,
}
