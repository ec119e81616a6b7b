-- SPDX-License-Identifier: MIT

-- The bodies of flight.yaml.

local FLY = 10 -- metres per second

local function ask(entity, is_flying)
    if mover.is_authority(entity) then
        world.command("SetMode", entity, { is_flying = is_flying })
    else
        entity:publish("AskForMode", { is_flying = is_flying })
    end
end

capability "Pilot" {
    bind = function(self, args)
        local is_inverted = self.entity:has_tag("Option.InvertPitch")
        self.entity:bind_context(args.number, is_inverted and "FlyingInverted" or "Flying")
    end,
    setup = function(self) ask(self.entity, true) end,
}

-- Each input adds to the way; the tick goes it, and Travel forgets it.
capability "Fly" {
    input = function(self, args)
        if args.action == "Look" then
            mover.look(self.entity, args.value)
            return
        end
        local way = self.entity:get("Wish", "way")
        if args.action == "Move" then
            local turned = mover.turn(self.entity, args.value.x, args.value.y)
            way = { x = way.x + turned.x, y = way.y + turned.y, z = way.z }
        else
            way = { x = way.x, y = way.y, z = way.z + args.value.x }
        end
        self.entity:set("Wish", "way", way)
    end,
    tick = function(self)
        local way = self.entity:get("Wish", "way")
        self.entity:set("Mover", "velocity", { x = way.x * FLY, y = way.y * FLY, z = way.z * FLY })
    end,
}

-- The server's answer: only those with wings fly. Commands of players who do not control the entity do
-- not come as far as this.
command "SetMode" {
    check = function(command)
        return command.entity ~= nil and command.entity:has_tag("Gear.Wings")
    end,
    run = function(command)
        command.entity:set_tag_count("Mode.Flying", command.payload.is_flying and 1 or 0, "synced")
    end,
}
