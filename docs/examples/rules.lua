-- SPDX-License-Identifier: MIT

-- The functions that the examples of docs/data-fields.md name with `script`.

attributes "Vitals" {
    post_execute = function(data)
        if data.attribute == "Vitals.Damage" then
            local health = data.entity:base("Vitals.Health")
            data.entity:set_base("Vitals.Health", health - data.new_base)
        end
    end,
}

event "Hit" {
    apply = function(record, magnitude)
        local health = record.target:base("Vitals.Health")
        record.target:set_base("Vitals.Health", health - magnitude)
    end,
}

event "Interrupt" {
    apply = function(record, magnitude) record.target:cancel_abilities() end,
}

execution "Explosion" {
    execute = function(self)
        self:output("Vitals.Damage", "add", 0.25 * self:capture(1) + self:capture(2))
    end,
}

policy "OneSlow" {
    qualify = function(self, modifiers)
        local slow = nil
        for _, m in ipairs(modifiers) do
            if not slow or m.influence < slow.influence then slow = m end
        end
        return { slow }
    end,
}

command "Rally" {
    run = function(command)
        local place = command.payload.place
        command.entity:send("Event.Hit", { magnitude = place.x + command.payload.radius })
    end,
}

timer "Respawn" {
    fired = function(self) world.spawn("Unit") end,
}

task "Charge" {
    state = { power = kn.f32 },
    start = function(self) self:wake_after(1) end,
    timer = function(self) self:tell(1) end,
}

logic "Shield" {
    state = { hits = kn.u32 },
    ticked = function(self) self.state.hits = self.state.hits + 1 end,
}

rule "Extinguish" {
    react = function(reaction) reaction.entity:remove_effects({ type = "Burn" }) end,
}

rule "Low Health" {
    react = function(reaction)
        if reaction.new_value < 10 then reaction.entity:apply("Dress Wounds") end
    end,
}

system "Wind" {
    run = function(self, dt)
        for _, entity in ipairs(world.entities()) do
            entity:set_base("Vitals.Mana", entity:base("Vitals.Mana") + dt)
        end
    end,
}

system "Census" {
    run = function(self)
        if world.entity_count() > 100 then world.set_system("Wind", false) end
    end,
}

ticker "Hover" {
    interval = 0.05,
    state = { fuel = kn.f32(3) },
    should_stop = function(self) return self.state.fuel <= 0 end,
    tick = function(self, dt) self.state.fuel = self.state.fuel - dt end,
}

ticker "Glow" {
    interval = 1,
    should_start = function(self) return self.entity:has_tag("State.Hidden") end,
    stopped = function(self) self.entity:apply("Burn") end,
}

watch "Wounded" {
    react = function(reaction) reaction.entity:start_watch("Seen", true) end,
}

watch "Seen" {
    react = function(reaction) reaction.entity:apply("Burn") end,
}

watch "Scorched" {
    state = { times = kn.u32 },
    react = function(reaction) reaction.state.times = reaction.state.times + 1 end,
}
