-- SPDX-License-Identifier: MIT

-- Damage: armour takes its share, the rest arrives in Hero.Damage, and the set spends it on health.

-- Damage asked for, less what armour takes away: 100 / (100 + armour).
execution "Damage" {
    execute = function(self)
        local damage = self:caller_value("Data.Damage", 0)
        local armour = math.max(self:capture(1), 0)
        self:output("Hero.Damage", "add", damage * 100 / (100 + armour))
    end,
}

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
