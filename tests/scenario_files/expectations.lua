-- SPDX-License-Identifier: MIT

-- Counts how often it was told, and remembers by whom and what.
ability "Count" {
    state = { count = kn.u32, half = kn.f32, by = kn.entity, tag = kn.tag, ends = kn.time, way = kn.vec3,
        marks = kn.array(kn.i32, 3), full = kn.f32(7), mood = kn.enum("idle moving")("moving"),
        calm = kn.enum("idle moving"), last = kn.ref("effect"), none = kn.ref("curve") },
    activate = function(self)
        self.state.by = self.owner
        self.state.tag = "Event.Tick"
        self.state.way = { x = 1, y = 2, z = 3 }
        self.state.ends = 2.5
        self.state.marks[2] = -4
        self.state.mood = "moving"
        self.state.last = "Shield"
        self:task("event", "told", { tag = "Event.Tick", repeats = true })
    end,
    told = function(self)
        self.state.count = self.state.count + 1
        self.state.half = self.state.count / 2
        self.owner:add_component("Ammo")
        self.owner:set("Ammo", "rounds", self.state.count)
        self.owner:add_component("Brain")
        self.owner:set("Brain", "moods", "attacking", 2)
        self.owner:set("Brain", "order", "Count")
    end,
}

-- Burns a little fuel at every look.
ticker "Hover" {
    interval = 0.5,
    state = { fuel = kn.f32(3), looks = kn.u32 },
    tick = function(self, dt)
        self.state.fuel = self.state.fuel - dt
        self.state.looks = self.state.looks + 1
    end,
}

logic "Shield" {
    state = { held = kn.f32, ticks = kn.u32 },
    applied = function(self) self.state.held = 40 end,
    ticked = function(self)
        self.state.held = self.state.held - 7.5
        self.state.ticks = self.state.ticks + 1
    end,
}

ability "Broken" {
    activate = function(self)
        local nothing = nil
        nothing.field = 1
    end,
}
