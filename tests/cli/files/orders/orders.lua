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
        unit:add_component("Soldier")
        unit:set("Soldier", "order", payload.order)
        unit:set("Soldier", "stance", payload.stance == "hold" and def.stance or payload.stance)
        print(unit:get("Soldier", "order"), unit:get("Soldier", "stance"))
    end,
}
