-- SPDX-License-Identifier: MIT

-- A champion whose hooks and abilities use the functions of the RTS kit.
rts_unit "Champion" {
    provide = function(self)
        return {tag1 = "Unit.Proud", count = 1}
    end,
    level_changed = function(self, call)
        self.entity:publish("Risen", {level = call.after, points = self.entity:rts_points()})
    end,
}

rts_unit "Goblin" {
    killed = function(self, call)
        -- Worth more for those who have few levels.
        return {experience = call.experience + 50}
    end,
}

ability "Train" {
    activate = function(self)
        local owner = self.owner
        assert(owner:rts_learn_info("Fireball").max_level == 2)
        assert(owner:rts_learn("Fireball"))
        local learned, why = owner:rts_learn("Fireball")
        owner:publish("Trained", {
            level = owner:rts_ability_level("Fireball"),
            points = owner:rts_points(),
            refused = learned == nil and why ~= nil,
        })
        self:finish()
    end,
}

ability "Forget" {
    activate = function(self)
        assert(self.owner:rts_reset())
        assert(self.owner:rts_set_level(1))
        assert(self.owner:rts_level_progress() == 0)
        self:finish()
    end,
}
