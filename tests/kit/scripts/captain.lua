-- SPDX-License-Identifier: MIT

-- A captain in Lua who reads the kit and drives it. The first unit is led, the second is the foe,
-- the third interferes; entity 1 owns them.

local function units()
    local all = world.entities()
    return all[2], all[3], all[4]
end

local runs = {
    function(led, foe, rival)
        -- Definitions, with their formulas.
        local attack = world.def("order", "Attack")
        print(attack.aim, attack.ability, attack.tag, attack.when)
        print(world.magnitude("order", "Guard", "patience", led),
            world.holds("Weaker", { instigator = led, target = foe }))
        -- Commands with a payload.
        print(world.command("order", led, { order = "Attack", target = foe, place = "now" }))
        world.command("order", led, { order = "Walk", place = "last" })
        world.command("order", led, { order = "Guard", target = led, place = "last" })
        -- Behaviours and blocks are components like any other.
        led:add_component("Kit.Behaviours")
        led:resize("Kit.Behaviours", 2)
        led:set_item("Kit.Behaviours", "behaviour", 1, "Wander")
        led:set_item("Kit.Behaviours", "behaviour", 2, "Walk")
        local block = led:add_instance("Kit.Block")
        led:set("Kit.Block", "tag", "Behaviour.Legs.Walk", nil, block)
        led:set("Kit.Block", "source", rival, nil, block)
        foe:abilities({ type = "Fireball" })[1]:activate({ target = led })
    end,
    function(led, foe, rival)
        print(led:get("Kit.Orders", "current"), led:get("Kit.Orders", "target") == foe,
            led:item_count("Kit.Orders"), led:has_tag("Unit.Busy"))
        print(led:get_item("Kit.Behaviours", "state", 1), led:get_item("Kit.Behaviours", "state", 2))
        print(#rival:referrers("Kit.Block", "source"), #foe:referrers("Kit.Orders", "target"))
        -- A function that the kit brings along.
        local bar = casting.bar(foe)
        print(bar.ability, bar.remaining, bar.pushed, casting.bar(led))
        foe:send("Kit.Interrupt", { instigator = rival, magnitude = 3 })
    end,
    function(led, foe, rival)
        print(foe:abilities({ type = "Meteor" })[1]:explain())
        rival:destroy() -- and with it its block
    end,
    function(led, foe, rival)
        print(#led:instances("Kit.Block"), led:get("Kit.Orders", "current"))
        world.command("clear_orders", led, { keep_current = 1 })
    end,
    function(led, foe, rival)
        print(led:item_count("Kit.Orders"), led:get_item("Kit.Behaviours", "state", 2))
    end,
}

system "Captain" {
    run = function(self, dt)
        local run = runs[self.index]
        if run then
            run(units())
        end
    end,
}

rule "Report" {
    react = function(reaction)
        if reaction.end_reason == "interrupted" then
            print(reaction.end_reason, reaction.tag, reaction.magnitude,
                world.causes()[2].kind)
        end
    end,
}
