-- SPDX-License-Identifier: MIT

-- Death and stun: what they stop, what is paid, and how the dead come back.

local RESPAWN_SECONDS = 3

death = {}

-- Everything but what runs by itself all the time.
local function cancel_actions(entity)
    entity:cancel_abilities { no_tags = "Ability.Passive" }
end

function death.die(victim, killer)
    victim:add_tag("State.Dead")
    cancel_actions(victim)
    if killer and killer ~= victim then
        killer:apply("GE_Bounty", {
            source = victim,
            values = {
                ["Data.Gold"] = victim:value("Hero.GoldBounty"),
                ["Data.XP"] = victim:value("Hero.XPBounty"),
            },
        })
    end
    victim:start_timer("Respawn", RESPAWN_SECONDS)
end

-- Alive again, with full health, some way back on its own side.
timer "Respawn" {
    fired = function(self)
        local entity = self.entity
        entity:set_tag_count("State.Dead", 0)
        entity:set_base("Hero.Health", entity:value("Hero.MaxHealth"))
        field.move(entity, entity:user() & 1 ~= 0 and 800 or -800, 0)
    end,
}

rule "StunCancels" {
    react = function(reaction) cancel_actions(reaction.entity) end,
}
