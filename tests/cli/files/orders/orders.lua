-- SPDX-License-Identifier: MIT
order "Attack" {
    begin = function(self, args)
        self.entity:apply(world.def(self.kind, self.name).effect)
    end,
}

command "Order" {
    run = function(command)
        local payload = command.payload
        local def = world.def("order", payload.order)
        local unit = command.entity
        if not unit:has_component("Soldier") then
            unit:add_component("Soldier")
            unit:start_watch("Hurry", true, { state = { calls = 3 } })
            unit:start_ticker("Breathe")
        end
        unit:set("Soldier", "order", payload.order)
        unit:set("Soldier", "stance", payload.stance == "hold" and def.stance or payload.stance)
        print(unit:get("Soldier", "order"), unit:get("Soldier", "stance"))
    end,
}

system "March" {
    run = function(self, dt) end,
}

ticker "Breathe" {
    interval = 1,
    tick = function(self, dt) end,
}

watch "Hurry" {
    state = { calls = kn.u32 },
    react = function(reaction) reaction.state.calls = reaction.state.calls + 1 end,
}
