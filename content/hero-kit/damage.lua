-- SPDX-License-Identifier: MIT

-- Damage that has passed the armour arrives in Hero.Damage (GE_Damage); here it is spent on health.

attributes "Hero" {
    post_execute = function(data)
        local victim, killer, damage = data.entity, data.source, data.new_base
        if data.attribute ~= "Hero.Damage" or victim:has_tag("State.Dead") then return end
        victim:set_base("Hero.Health", victim:base("Hero.Health") - damage)
        victim:cue("GameplayCue.Number", { magnitude = damage, instigator = killer })
        victim:send("Event.Hurt", { instigator = killer, target = victim, magnitude = damage })
        if victim:base("Hero.Health") <= 0 then death.die(victim, killer) end
    end,
}
