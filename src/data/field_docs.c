// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Printed by scripts/field-docs from the comments in include/knack.

#include "field_docs.h"

const kni_field_doc kni_field_docs[] = {
    {"kn_wire", "min", "The range that is sent; equal: there is none."},
    {"kn_wire", "max", "The range that is sent; equal: there is none."},
    {"kn_wire", "step", "Smallest difference that is sent; 0, the default: all bits."},
    {"kn_wire", "group",
        "Number of a group, 0 to 31: a projection may leave out whole groups; default 0."},
    {"kn_field", "name",
        "Name of the field, used once in its struct; required; saves find the field by it."},
    {"kn_field", "kind",
        "What the field holds; required.\n`u8`: a whole number from 0 to 255\n`bool`: true or "
        "false\n`u16`: a whole number from 0 to 65535\n`u32`: a whole number from 0 to about 4.2 "
        "billion\n`i32`: a whole number, negative ones too, up to about 2.1 billion\n`f32`: a "
        "number\n`u64`: a whole number of 64 bits, from 0\n`i64`: a whole number of 64 bits, "
        "negative ones too\n`time`: a time or a span of time\n`entity`: an entity\n`effect`: an "
        "active effect\n`tag`: a tag; saved by name\n`attribute`: an attribute; saved by "
        "name\n`vec3`: a position or direction\n`curve`: a curve; saved by name\n`ability`: a "
        "granted ability\n`activation`: a running ability\n`task`: a task\n`timer`: a "
        "timer\n`spec`: a prepared effect\n`ref`: a definition of the kind `refers_to`; saved by "
        "name\n`enum`: one of `words`; saved by word"},
    {"kn_field", "offset", "Bytes from the start of the struct; data files may leave it out."},
    {"kn_field", "count", "Number of elements, for an array; 0 means 1."},
    {"kn_field", "refers_to",
        "For `ref`, and required there: the kind of definition, such as \"effect\"; an own kind "
        "must be registered before. For `enum`: the name of an enum of the program, instead of "
        "`words`."},
    {"kn_field", "words",
        "For `enum`, and required there unless it refers to one: 1 to 256 words of letters, digits "
        "and `_`, separated by blanks; the first stands for 0."},
    {"kn_field", "sync",
        "Who receives the field over the network; default all.\n`all`: every client\n`owner`: only "
        "the client that owns the entity\n`none`: nobody"},
    {"kn_field", "wire", "How exactly the field is sent; default: all bits."},
    {"kn_fail_def", "name",
        "Unique name, a word for data, scenarios and scripts, such as `silenced`; required."},
    {"kn_fail_def", "tag", "Tag that stands for the reason, as those of `fail_tags`."},
    {"kn_fail_def", "text",
        "What explanations say, such as `needs {need} rage, has {have}`: `{need}`, `{have}`, "
        "`{tag}` and `{ability}` stand for the numbers, the tag and the name of the ability of the "
        "refusal; default: its name."},
    {"kn_trigger_def", "tag", "The event or tag that triggers the ability; required."},
    {"kn_trigger_def", "source",
        "What triggers the ability: an event, or gaining, losing or having the tag; default "
        "event.\n`event`: an event with `tag` or a tag below it\n`tag_added`: the owner gains "
        "`tag`\n`tag_removed`: the owner loses `tag`\n`tag_present`: the owner gains `tag`; the "
        "activation ends when the tag is lost, cancelable or not"},
    {"kn_trigger_def", "priority",
        "Of several abilities the one with the higher priority is triggered first, then the one "
        "granted first; default 0."},
    {"kn_cost_def", "attribute", "The attribute that pays; required."},
    {"kn_cost_def", "amount", "Amount to pay, by level; a negative one is gained; default 0."},
    {"kn_cost_def", "share_of",
        "The amount is a share of this attribute: 0.1 is a tenth of it; left out: a plain number."},
    {"kn_cost_def", "up_to",
        "Pay what is there, up to the amount, instead of refusing; default false."},
    {"kn_cost_def", "minimum", "Least that must be there, with `up_to`; default 0."},
    {"kn_cost_def", "value",
        "Transient value of the owner whose modifiers change the amount, without its sign; those "
        "that need an event do not take part."},
    {"kn_cooldown_def", "key",
        "Tag of a cooldown that all abilities with the same tag share; left out: the ability's "
        "own."},
    {"kn_cooldown_def", "duration",
        "Seconds until a spent charge returns, by level; 0 or less: at once; default 0."},
    {"kn_cooldown_def", "value",
        "Transient value of the owner whose modifiers change the duration."},
    {"kn_cooldown_def", "rate",
        "Attribute of the owner that is the speed of the cooldown, followed live: 2 is twice as "
        "fast; an owner without it counts as 1."},
    {"kn_cooldown_def", "charges", "Most charges; default 1."},
    {"kn_cooldown_def", "cost", "Charges that a use spends; default 1."},
    {"kn_cooldown_def", "returned", "Charges that return at a time; default 1."},
    {"kn_cooldown_def", "charges_from",
        "Attribute of the owner that is the most charges, followed live, instead of `charges`, "
        "which counts for owners without it: those that are there stay, up to a lower maximum, and "
        "a cycle begins for those that are missing."},
    {"kn_cooldown_def", "cost_value",
        "Transient value of the owner whose modifiers change `cost`."},
    {"kn_cooldown_def", "returned_value",
        "Transient value of the owner whose modifiers change `returned`, evaluated when a use or a "
        "cycle begins."},
    {"kn_cooldown_def", "restart_on_use",
        "Each use starts the running cooldown again; default false."},
    {"kn_cooldown_def", "spacing",
        "For bursts: seconds between two uses while charges are left; default 0."},
    {"kn_cooldown_def", "all_after_idle",
        "Charges do not return one by one: all come back once the ability has not been used for "
        "`duration`; default false."},
    {"kn_cooldown_def", "predict_length",
        "For networking: clients need not wait for the server to know the length; default true."},
    {"kn_cooldown_def", "starts",
        "When a use starts the cooldown: at the commit, or already at the activation; default "
        "at_commit.\n`at_commit`: when the ability commits\n`at_activation`: as soon as the "
        "ability is activated, as a global cooldown does. While it runs it refuses other "
        "activations, but not the first commit of the activation that started it"},
    {"kn_ability_apply_def", "effect", "The effect to apply; this or `container` is required."},
    {"kn_ability_apply_def", "container", "A container to apply instead of one effect."},
    {"kn_ability_apply_def", "to",
        "Who receives the effect; for a container with `given`, the targets it is given; default "
        "owner.\n`owner`: the owner of the ability\n`target`: the targets that came with the "
        "event, else its target; nobody without an event\n`instigator`: the instigator of the "
        "event; nobody without an event\n`targeting`: those that `targeting` finds, at once"},
    {"kn_ability_apply_def", "targeting", "Finds the recipients, for `targeting`."},
    {"kn_ability_apply_def", "magnitude_tag",
        "Tag under which the effect reads the magnitude of the event."},
    {"kn_ability_apply_def", "while_active",
        "The effect ends with the ability: one stack is removed when the activation ends, unless "
        "other activations still hold every stack. Not for `use`; default false."},
    {"kn_end_reason_def", "name",
        "Unique name, for data, scenarios and scripts, such as `interrupted`; required."},
    {"kn_end_reason_def", "tag", "Tag that stands for the reason."},
    {"kn_end_reason_def", "text", "What logs and printed events say; default: its name."},
    {"kn_ability_call", "world", "The world the ability is in."},
    {"kn_ability_call", "user", "The `user` of the ability def, or of the check."},
    {"kn_ability_call", "owner", "The entity that has the ability."},
    {"kn_ability_call", "avatar", "The owner's body; the owner itself if it has no other."},
    {"kn_ability_call", "ability", "The ability the hook belongs to."},
    {"kn_ability_call", "activation", "The activation; null in hooks about the grant."},
    {"kn_ability_call", "has_event", "The activation was, or would be, triggered by an event."},
    {"kn_ability_call", "answer",
        "In can_activate and checks: where kn_check_refuse() puts reasons; NULL in other hooks."},
    {"kn_ability_def", "name", "Unique name; required."},
    {"kn_ability_def", "parent",
        "Another ability: data files start from its fields, and queries for it find this ability "
        "too; may be left out."},
    {"kn_ability_def", "tags", "Tags that describe the ability."},
    {"kn_ability_def", "cancel_with",
        "Activation cancels other abilities of the owner with any of these tags, never the ability "
        "itself."},
    {"kn_ability_def", "block_with",
        "While active, other abilities of the owner with any of these tags cannot start."},
    {"kn_ability_def", "owned_tags", "Tags the owner has while the ability is active."},
    {"kn_ability_def", "activation",
        "Tags the owner must have, or must not have, to activate the ability."},
    {"kn_ability_def", "source",
        "Tags the instigator of the event must have, or must not have; for activations by an "
        "event."},
    {"kn_ability_def", "target",
        "Tags the target of the event must have, or must not have; for activations by an event."},
    {"kn_ability_def", "cost_effect", "An instant effect whose modifiers are part of the cost."},
    {"kn_ability_def", "costs", "What a commit of the ability costs, besides `cost_effect`."},
    {"kn_ability_def", "cooldown_effect",
        "An effect that a commit applies and that grants the tags of the cooldown; it lasts, and "
        "has no executions."},
    {"kn_ability_def", "cooldown_caller_tag",
        "Tag under which `cooldown_effect` reads `cooldown_duration`."},
    {"kn_ability_def", "cooldown_duration",
        "Seconds passed to `cooldown_effect`, by level; default 0."},
    {"kn_ability_def", "cooldown_tags",
        "The ability is on cooldown while its owner has any of these tags, wherever they come "
        "from; those that `cooldown_effect` grants count too."},
    {"kn_ability_def", "cooldowns",
        "Cooldowns with charges; the ability is ready when each has enough."},
    {"kn_ability_def", "commit",
        "When the ability pays its cost and starts its cooldowns; default explicit.\n`explicit`: "
        "when its function says so\n`at_use`: before its function runs; checked once"},
    {"kn_ability_def", "body",
        "What the ability does by itself, without functions: it pays at the start, whatever "
        "`commit` says, and must not have the functions `activate` and `activate_by_event`; "
        "default none.\n`none`: nothing: its functions, or the code that activates it, do "
        "everything and end it\n`use`: over at once\n`timed`: active for `lasts` seconds\n`held`: "
        "active until its input is released. Ends at once if the input is not down, except on a "
        "server that started it for a client: there the client's release message ends "
        "it\n`effects`: active until the last of the effects it applied has ended\n`stay`: active "
        "until it is ended or cancelled, or the tag of its trigger is lost"},
    {"kn_ability_def", "applies", "What the ability applies when it has a `body`, in this order."},
    {"kn_ability_def", "lasts",
        "With `timed`: seconds, by level at the start; 0 or less: over at once; default 0."},
    {"kn_ability_def", "triggers", "Events and tags that activate the ability."},
    {"kn_ability_def", "instancing",
        "How often the ability runs at once, and what it keeps; default per_actor.\n`per_actor`: "
        "one activation at a time; its state is kept from one to the next\n`per_execution`: any "
        "number at once, each with a state of its own, zero at first\n`non_instanced`: no state "
        "and no tasks: over when its function returns"},
    {"kn_ability_def", "net_execution",
        "Where the ability runs; default local_predicted.\n`local_predicted`: on the owning client "
        "at once, then on the server\n`local_only`: only on the owning client\n`server_only`: only "
        "on the server\n`server_initiated`: on the server, then on the owning client"},
    {"kn_ability_def", "net_security",
        "What the server lets the owning client ask for; default "
        "client_or_server.\n`client_or_server`: no request is ignored\n`server_only_execution`: "
        "requests to start are ignored\n`server_only_termination`: requests to cancel or end are "
        "ignored\n`server_only_all`: requests to start, cancel or end are ignored"},
    {"kn_ability_def", "respects_remote_cancel",
        "When the client ends or cancels the ability, the server does too; default false."},
    {"kn_ability_def", "sends_input",
        "While the ability runs on a client, presses and releases of its input are sent to the "
        "server; default false."},
    {"kn_ability_def", "no_activation_by_input",
        "The input does not activate the ability, it only reaches its tasks; default false."},
    {"kn_ability_def", "activates_on_grant",
        "The ability activates as soon as it is granted and its owner has a body, as passives do; "
        "default false."},
    {"kn_ability_def", "retriggers",
        "An activation while the ability is active ends the running one first; otherwise it is "
        "refused; default false."},
    {"kn_ability_def", "works_when_dead",
        "The ability can be activated while its owner is dead (`dead_tag`); default false."},
    {"kn_ability_def", "ends_with_avatar",
        "The ability is cancelled when its owner gets another body; default false."},
    {"kn_ability_def", "level_up",
        "What a new level does to activations that run; default raise.\n`raise`: what runs goes on "
        "at the new level\n`regrant`: what runs is cancelled, and the ability is granted anew"},
    {"kn_ability_def", "input",
        "Number of the input that activates the ability, unless its grant names another; default "
        "0: none."},
    {"kn_ability_def", "state_size", "Bytes of state, at most 4096: plain data without pointers."},
    {"kn_ability_def", "state_fields",
        "The fields of the state, in order, covering all of it: it is saved and dumped by name. "
        "None: it is saved as raw bytes."},
    {"kn_ability_def", "resets_state",
        "The state is zeroed at each activation, for `per_actor`; default false."},
    {"kn_ability_def", "user", "Passed to every hook."},
    {"kn_ability_grant_def", "type", "The ability to grant; required."},
    {"kn_ability_grant_def", "level", "Level of the ability; default 1."},
    {"kn_ability_grant_def", "input",
        "Input to bind; KN_INPUT_FROM_DEF, the default: as the def says; 0: none."},
    {"kn_ability_grant_def", "source",
        "Who or what grants it; may be left out, and may be destroyed later."},
    {"kn_ability_grant_def", "source_object",
        "64 bits of the host for who or what grants it; passed on to its effects."},
    {"kn_ability_grant_def", "user", "64 bits for the host."},
    {"kn_ability_grant_def", "dynamic_tags", "Ability tags besides those of the def."},
    {"kn_ability_grant_def", "caller_values",
        "Caller values passed to every effect the ability applies."},
    {"kn_ability_grant_def", "caller_value_count", "At most 32."},
    {"kn_ability_grant_def", "parameters",
        "Parameters, by name, passed to every effect the ability applies; those that the "
        "application itself gives win."},
    {"kn_ability_grant_def", "parameter_count", "At most 32."},
    {"kn_ability_grant_def", "share",
        "An ability of this type that is there already is granted once more instead: it stays "
        "until each grant is revoked."},
    {"kn_ability_info", "type", "The ability type it was granted from."},
    {"kn_ability_info", "owner", "The entity that has the ability."},
    {"kn_ability_info", "level", "Level of the ability."},
    {"kn_ability_info", "input", "Input the ability is bound to; 0: none."},
    {"kn_ability_info", "is_pressed", "The input is down."},
    {"kn_ability_info", "is_removing", "The ability is removed when what runs has ended."},
    {"kn_ability_info", "grants", "How often the ability is granted."},
    {"kn_ability_info", "active_count", "Number of running activations."},
    {"kn_ability_info", "latest", "The running activation that began last; null for none."},
    {"kn_ability_info", "source", "Who or what granted it; null for none and once it is gone."},
    {"kn_ability_info", "source_object", "64 bits of the host for who or what granted it."},
    {"kn_ability_info", "user", "64 bits for the host."},
    {"kn_ability_info", "effect", "The effect that granted it; null for none."},
    {"kn_ability_query", "type",
        "Abilities of this type, or of one that descends from it by `parent`; left out: any."},
    {"kn_ability_query", "all_tags", "Abilities that have all of these tags."},
    {"kn_ability_query", "any_tags", "Abilities that have any of these tags; empty: not tested."},
    {"kn_ability_query", "no_tags", "Abilities that have none of these tags."},
    {"kn_ability_query", "input", "Abilities bound to this input; 0: any."},
    {"kn_ability_query", "effect", "Abilities granted by this effect; left out: any."},
    {"kn_ability_query", "is_active", "Only abilities that run."},
    {"kn_ability_query", "meets_tags", "Only abilities whose tag requirements are met now."},
    {"kn_ability_query", "ignore", "Not the ability of this activation."},
    {"kn_ability_set_entry", "type", "The ability to grant; required."},
    {"kn_ability_set_entry", "level", "Level of the ability; default 1."},
    {"kn_ability_set_entry", "input",
        "Number of the input to bind; 0: none; default: as the ability says."},
    {"kn_ability_set_entry", "parameters",
        "Parameters, by name, that every effect the ability applies gets; at most 32."},
    {"kn_ability_set_def", "name", "Unique name; required."},
    {"kn_ability_set_def", "entries", "The abilities of the set, granted in this order."},
    {"kn_refusal_line", "reason", "One reason."},
    {"kn_refusal_line", "tag", "The tag that is there, or missing."},
    {"kn_refusal_line", "attribute", "The attribute that cannot pay."},
    {"kn_refusal_line", "have", "Value of the attribute, or charges."},
    {"kn_refusal_line", "need", "Value or charges needed."},
    {"kn_refusal_line", "remaining", "Time left of the cooldown."},
    {"kn_refusal_line", "total", "Whole length of the cooldown."},
    {"kn_refusal_line", "effect", "The effect behind it; null for none."},
    {"kn_refusal_line", "ability", "The ability behind it; null for none."},
    {"kn_refusal_line", "check", "The check that refuses; null for none."},
    {"kn_refusal_line", "source", "The source of a kn_abilities_block(); null for none."},
    {"kn_refusal_line", "key",
        "The key of a kn_abilities_block(); 0 for none. A check that sets it speaks for the block: "
        "text leaves out what the block itself would say about `tag` and those below it."},
    {"kn_refusal_line", "text",
        "What the refusing hook says about it, at most 80 - 1 bytes; \"\" for nothing."},
    {"kn_check_def", "name", "Unique name; required."},
    {"kn_check_def", "ability",
        "Only abilities of this type, or of one that descends from it by `parent`; left out: any."},
    {"kn_check_def", "tags",
        "Only abilities whose tags match, those added to them included; left out: any."},
    {"kn_check_def", "priority",
        "Of several checks the one with the higher priority comes first, then the one registered "
        "first; default 0."},
    {"kn_check_def", "condition",
        "A condition that must hold (an expression or a function): its instigator is the owner of "
        "the ability, its target that of the event, or the owner; everything else is the event's."},
    {"kn_check_def", "reason",
        "Name of the reason if the condition does not hold or the function returns false, such as "
        "`silenced`: a fail reason of the library, or a built-in one; default `custom`."},
    {"kn_check_def", "user", "Passed to `check`."},
    {"kn_cost_quote", "attribute", "The attribute that pays."},
    {"kn_cost_quote", "amount", "What would be taken; negative: gained."},
    {"kn_cost_quote", "have", "Base value of the attribute now."},
    {"kn_cost_quote", "is_affordable", "The attribute can pay."},
    {"kn_cooldown_info", "key", "The shared key; null for an ability's own cooldown."},
    {"kn_cooldown_info", "charges", "Charges there are now."},
    {"kn_cooldown_info", "max_charges", "Most charges at the ability's level."},
    {"kn_cooldown_info", "remaining",
        "Time left of the running cycle; 0 when none runs, KN_TIME_INFINITE if its speed is 0."},
    {"kn_cooldown_info", "total", "Whole length of the running cycle."},
    {"kn_cooldown_info", "wait", "Time until a use is possible, as things stand."},
    {"kn_cancel", "reason",
        "`cancelled`, the default, or a reason of the library.\n`ended`: the ability ended it: its "
        "job is done\n`cancelled`: a hook of the ability, or game code, cancelled it\n`by_tags`: "
        "another ability cancels those with its tags\n`retriggered`: the ability was activated "
        "again\n`removed`: the ability was removed\n`owner_gone`: the owner was "
        "destroyed\n`failed`: the commit was refused, or the activate hook did not return "
        "KN_OK\n`tag_lost`: the tag of its `tag_present` trigger was lost\n`rejected`: the server "
        "refused what was predicted\n`remote`: the other side ended it"},
    {"kn_cancel", "instigator", "Who cancels it; may be left out."},
    {"kn_cancel", "tag", "What it is about, such as the kind of interrupt; left out: nothing."},
    {"kn_cancel", "number", "A number for those who react to it; finite; default 0."},
    {"kn_archetype_value", "attribute",
        "The attribute to set; one of the archetype's sets must have it."},
    {"kn_archetype_value", "value",
        "The starting value, by level of the entity; a parameter is not allowed."},
    {"kn_archetype_effect", "type", "The effect to apply; required."},
    {"kn_archetype_effect", "level", "Level of the effect, by level of the entity; default 1."},
    {"kn_archetype_timer", "type", "The timer to start; required."},
    {"kn_archetype_timer", "delay",
        "Time until the timer first fires, not negative; default 0: in the next step."},
    {"kn_archetype_def", "name", "Unique name; required."},
    {"kn_archetype_def", "parent",
        "Archetype to inherit from: all of its parts come first; may be left out."},
    {"kn_archetype_def", "sets", "Attribute sets the entity gets."},
    {"kn_archetype_def", "group",
        "Group of `starting_values` that the entity gets its values from; left out: the parent's, "
        "or none."},
    {"kn_archetype_def", "values", "Starting values that replace those of the group."},
    {"kn_archetype_def", "tags", "Tags the entity starts with; they are sent to clients."},
    {"kn_archetype_def", "ability_sets", "Ability sets whose abilities the entity is granted."},
    {"kn_archetype_def", "abilities", "Further abilities the entity is granted."},
    {"kn_archetype_def", "effects", "Effects that the entity applies to itself at the start."},
    {"kn_archetype_def", "timers", "Timers to start once the entity has everything else."},
    {"kn_limit", "is_set", "There is a limit; data files need not write it."},
    {"kn_limit", "value", "The limit itself, or a number that is added to `attribute`."},
    {"kn_limit", "attribute",
        "The attribute whose current value is the limit: a name in the same set, or "
        "\"Set.Attribute\"."},
    {"kn_attribute_def", "name",
        "Name of the attribute, used once in its set; required. Its full name is \"Set.Name\"."},
    {"kn_attribute_def", "default_value", "Base value that the attribute starts with; default 0."},
    {"kn_attribute_def", "has_random",
        "Start at a random number from `random_min` to `random_max` instead of `default_value`; it "
        "is drawn when the set is added."},
    {"kn_attribute_def", "random_min",
        "Lowest starting value: a random number between the two is drawn when the set is added, "
        "instead of `default_value`."},
    {"kn_attribute_def", "random_max",
        "Highest starting value: a random number between the two is drawn when the set is added, "
        "instead of `default_value`."},
    {"kn_attribute_def", "base_min", "Lower limit of the base value; default none."},
    {"kn_attribute_def", "base_max", "Upper limit of the base value; default none."},
    {"kn_attribute_def", "min", "Lower limit of the current value; default none."},
    {"kn_attribute_def", "max", "Upper limit of the current value; default none."},
    {"kn_attribute_def", "link",
        "What happens to the value when an attribute that limits it changes; default "
        "clamp.\n`clamp`: the value is clamped to the new range\n`keep`: the value stays, and is "
        "clamped at its next change\n`proportion`: the value keeps its relative place within the "
        "range: half stays half"},
    {"kn_attribute_def", "profile", "How modifiers combine; default `gas`."},
    {"kn_attribute_def", "rounding",
        "How base and current value are rounded; default none.\n`none`: not rounded\n`truncate`: "
        "toward zero\n`half_away`: to nearest, halves away from zero\n`half_to_base`: to nearest, "
        "halves toward the base value\n`up`: toward positive infinity\n`down`: toward negative "
        "infinity"},
    {"kn_attribute_def", "minimum_one", "A rounded value is at least 1, unless the base is 0."},
    {"kn_attribute_def", "qualify",
        "Which modifiers count; default all.\n`all`: all modifiers\n`most_negative_all_positive`: "
        "the strongest negative one and all positive ones: one slow, all boosts\n`most_positive`: "
        "only the one that raises the result most\n`greatest_absolute`: only the one with the "
        "largest influence, up or down\n`one_per_group`: the strongest of each modifier "
        "group\n`custom`: those that a registered policy function picks"},
    {"kn_attribute_def", "policy", "The policy that picks the modifiers that count, for `custom`."},
    {"kn_attribute_def", "sync",
        "Who receives the attribute over the network; default all; meta attributes are never "
        "sent.\n`all`: every client\n`owner`: only the client that owns the entity\n`none`: "
        "nobody"},
    {"kn_attribute_def", "wire", "How exactly the attribute is sent; default: all bits."},
    {"kn_attribute_def", "is_meta",
        "A placeholder such as Damage: effects write it, a function of the set uses it, and it is "
        "0 again."},
    {"kn_attribute_def", "event_kind",
        "For meta attributes: name of the event kind that runs when the attribute is written."},
    {"kn_attribute_def", "is_static", "After the start every modifier and change is refused."},
    {"kn_attribute_def", "no_modifiers",
        "Modifiers of lasting effects are refused: only the base may change, as with health."},
    {"kn_attribute_def", "is_hidden", "Editors leave the attribute out of their lists."},
    {"kn_attribute_def", "decimals",
        "Digits after the decimal point when the value is shown; default 0."},
    {"kn_attribute_def", "display_name", "Name shown to players; may be left out."},
    {"kn_attribute_change", "world", "The world the entity is in."},
    {"kn_attribute_change", "entity", "The entity whose attribute changes."},
    {"kn_attribute_change", "attribute", "The attribute that changes."},
    {"kn_attribute_change", "key", "Set instance of the attribute; 0 by default."},
    {"kn_attribute_change", "old_value", "The value before."},
    {"kn_attribute_change", "new_value", "The value about to be stored, or just stored."},
    {"kn_execute_data", "world", "The world the target is in."},
    {"kn_execute_data", "entity", "The target of the effect."},
    {"kn_execute_data", "attribute", "The attribute whose base value is modified."},
    {"kn_execute_data", "key", "Set instance of the attribute; 0 by default."},
    {"kn_execute_data", "op",
        "How the modifier changes the base value.\n`add`: adds the magnitude to the "
        "base\n`multiply`: multiplies, as the value's profile says: `multiply_additive` or "
        "`multiply_compound`\n`divide`: divides, as the value's profile says: `divide_additive` or "
        "`divide_compound`\n`multiply_additive`: factors add up: x1.5 and x1.5 make "
        "x2\n`divide_additive`: divisors add up: /1.5 and /1.5 make /2\n`multiply_compound`: "
        "factors multiply: x1.5 and x1.5 make x2.25\n`divide_compound`: divisors multiply: /1.5 "
        "and /1.5 make /2.25\n`add_final`: adds the magnitude after all factors\n`override`: "
        "replaces the value; the highest priority wins, then the last applied"},
    {"kn_execute_data", "magnitude", "The pre-execute hook may change it."},
    {"kn_execute_data", "old_base", "Base value before; post-execute only."},
    {"kn_execute_data", "new_base", "Base value after; post-execute only."},
    {"kn_execute_data", "spec",
        "The effect; NULL if no effect is behind it; valid during the call."},
    {"kn_attribute_hooks", "user", "Passed to every hook."},
    {"kn_attribute_set_def", "name", "Unique name; required."},
    {"kn_attribute_set_def", "parent",
        "Attribute set to inherit from: its attributes come first and keep their names; may be "
        "left out."},
    {"kn_attribute_set_def", "attributes",
        "The attributes of the set; with those of its parents, 1 to 4096."},
    {"kn_attribute_set_def", "hooks",
        "Functions called on changes; one that is not set is the parent's."},
    {"kn_modifier_view", "op",
        "How the modifier changes the value.\n`add`: adds the magnitude to the base\n`multiply`: "
        "multiplies, as the value's profile says: `multiply_additive` or "
        "`multiply_compound`\n`divide`: divides, as the value's profile says: `divide_additive` or "
        "`divide_compound`\n`multiply_additive`: factors add up: x1.5 and x1.5 make "
        "x2\n`divide_additive`: divisors add up: /1.5 and /1.5 make /2\n`multiply_compound`: "
        "factors multiply: x1.5 and x1.5 make x2.25\n`divide_compound`: divisors multiply: /1.5 "
        "and /1.5 make /2.25\n`add_final`: adds the magnitude after all factors\n`override`: "
        "replaces the value; the highest priority wins, then the last applied"},
    {"kn_modifier_view", "channel", "Channel of the modifier, 0 to 15."},
    {"kn_modifier_view", "magnitude", "Magnitude, scaled by stacks."},
    {"kn_modifier_view", "stacks", "Stack count of the effect."},
    {"kn_modifier_view", "group", "Group of the modifier."},
    {"kn_modifier_view", "source", "Who applied its effect; may be left out."},
    {"kn_modifier_view", "type", "The effect it belongs to."},
    {"kn_modifier_view", "influence", "How far it alone moves the base, signed."},
    {"kn_command_def", "name", "Unique name; required."},
    {"kn_command_def", "size",
        "Bytes of the payload, at most 1024; data files may leave it out; 0: the kind has no "
        "payload."},
    {"kn_command_def", "fields", "The fields of the payload, in order."},
    {"kn_command_def", "has_targets", "Commands of the kind may carry target data; default false."},
    {"kn_command_def", "owner_only",
        "Only the connection that controls the entity, or connection 0, may send the command; "
        "default true."},
    {"kn_command_def", "check", "Decides whether a command may be carried out; may be left out."},
    {"kn_command_def", "function", "Carries out a command; required."},
    {"kn_command_def", "user", "Passed to `check` and `function`."},
    {"kn_component_reference", "field", "Name of a field of kind entity; required."},
    {"kn_component_reference", "of_items",
        "The field is one of the items; default false: of the component itself."},
    {"kn_component_reference", "when_destroyed",
        "What happens when the entity it refers to is destroyed, after the components of that "
        "entity were removed; default leave.\n`leave`: nothing: it holds a stale id from then "
        "on\n`clear`: the reference becomes null\n`remove`: the component is removed; the item, "
        "for a field of items"},
    {"kn_component_def", "name", "Unique name; required; saves find the component by it."},
    {"kn_component_def", "size", "Bytes of the struct, 1 to 65536; data files may leave it out."},
    {"kn_component_def", "fields", "The fields of the struct, in order; required."},
    {"kn_component_def", "item_size",
        "Bytes of an item of the list that the component ends with, at most 65536; data files may "
        "leave it out; 0: there is no list."},
    {"kn_component_def", "item_fields",
        "The fields of an item of that list, in order; required with `item_size`."},
    {"kn_component_def", "several",
        "An entity may have any number of these components, each with an id; default false: one."},
    {"kn_component_def", "sync",
        "Who receives the component over the network; default all: those who may see its fields. "
        "With `none` it belongs to one machine: projections for clients leave it out and leave "
        "alone what the other world has of it, and its changes are not noted.\n`all`: every "
        "client\n`owner`: only the client that owns the entity\n`none`: nobody"},
    {"kn_component_def", "added",
        "Called when a component was added, zeroed, before the call that adds it returns: it can "
        "set the values that a component begins with. Not called when a save is loaded or a "
        "snapshot restored. May be NULL."},
    {"kn_component_def", "removed",
        "Called before a component is removed, by a call or with its entity, whose tags and "
        "attributes can still be read: it can release what the component stands for. Not called "
        "when a save is loaded, a snapshot restored or the world destroyed. May be NULL."},
    {"kn_component_def", "user", "Passed to the hooks."},
    {"kn_component_def", "references",
        "Fields that refer to entities and are indexed by them, so that it costs little to find "
        "what refers to an entity; at most 8, none twice."},
    {"kn_calculation_def", "name", "Unique name; required."},
    {"kn_calculation_def", "captures", "Attributes that the calculation reads."},
    {"kn_calculation_def", "function", "Computes the number; set this or `expression`."},
    {"kn_calculation_def", "user", "Passed to `function`."},
    {"kn_calculation_def", "expression",
        "A formula instead of a function, such as `source.Combat.Power * (1 + 0.1 * level)`; see "
        "docs/expressions.md. What it names must be registered before; the attributes it reads are "
        "appended to `captures`. A result that is not a number (division by zero, root of a "
        "negative number), or a missing value, refuses the application."},
    {"kn_execution_def", "name", "Unique name; required."},
    {"kn_execution_def", "captures", "Attributes that the execution reads."},
    {"kn_execution_def", "transients",
        "Names, as tags, of variables that effects may change for the execution."},
    {"kn_execution_def", "predict",
        "Clients run the execution ahead of the server; false: they leave it out until the server "
        "has confirmed the tick; default true."},
    {"kn_execution_def", "function", "Called at each execution; required."},
    {"kn_execution_def", "user", "Passed to `function`."},
    {"kn_effect_reapplication", "application",
        "This application: its caller values, tags and context. Valid during the call."},
    {"kn_effect_reapplication", "source", "Who applied it this time; may be left out or stale."},
    {"kn_effect_reapplication", "instigator",
        "Instigator of the context, otherwise the source; may be stale."},
    {"kn_effect_reapplication", "causer", "Weapon or projectile of the context; null for none."},
    {"kn_effect_reapplication", "ability", "The ability behind the application; null for none."},
    {"kn_effect_reapplication", "activation",
        "The activation behind the application; null for none."},
    {"kn_effect_reapplication", "origin", "Origin of the context, with `has_origin`."},
    {"kn_effect_reapplication", "has_origin", "`origin` is set."},
    {"kn_effect_reapplication", "took_over",
        "The effect now has the source, level, values and context of this application; otherwise "
        "it has kept its own."},
    {"kn_effect_reapplication", "level", "Level of the application."},
    {"kn_effect_reapplication", "stacks", "Stacks that the application brought."},
    {"kn_effect_reapplication", "old_stacks", "Stacks of the effect before."},
    {"kn_effect_reapplication", "new_stacks",
        "Stacks of the effect now; `old_stacks` at the limit."},
    {"kn_effect_reapplication", "source_object", "The host's 64 bits in the context."},
    {"kn_effect_reapplication", "old_remaining",
        "Time that was left before; KN_TIME_INFINITE for no end."},
    {"kn_effect_reapplication", "new_remaining",
        "Time that is left now; KN_TIME_INFINITE for no end."},
    {"kn_effect_logic_def", "name", "Unique name; required."},
    {"kn_effect_logic_def", "state_size",
        "Bytes of state, at most 4096: plain data without pointers."},
    {"kn_effect_logic_def", "state_fields",
        "The fields of the state, in order, covering all of it: it is saved and dumped by name. "
        "None: it is saved as raw bytes."},
    {"kn_effect_logic_def", "user", "Passed to every hook."},
    {"kn_stacking", "kind",
        "Which applications share one active effect; default none.\n`none`: every application is "
        "an effect of its own\n`by_source`: one stack per source and target\n`by_target`: one "
        "stack per target"},
    {"kn_stacking", "key_level", "Only applications of the same level share a stack."},
    {"kn_stacking", "key_object",
        "Only applications with the same source object, such as a weapon, share a stack."},
    {"kn_stacking", "on_lower_level",
        "What a further application does whose level is below the stack's; default join.\n`join`: "
        "the new application joins the stack\n`refuse`: the new application is "
        "refused\n`take_over`: it joins, and level, source and values of the stack are now its "
        "own, whatever `merge` says\n`restart`: as `take_over`, and the count starts again at "
        "`initial`"},
    {"kn_stacking", "on_equal_level",
        "What a further application does whose level is the stack's; default join.\n`join`: the "
        "new application joins the stack\n`refuse`: the new application is refused\n`take_over`: "
        "it joins, and level, source and values of the stack are now its own, whatever `merge` "
        "says\n`restart`: as `take_over`, and the count starts again at `initial`"},
    {"kn_stacking", "on_higher_level",
        "What a further application does whose level is above the stack's; default join.\n`join`: "
        "the new application joins the stack\n`refuse`: the new application is "
        "refused\n`take_over`: it joins, and level, source and values of the stack are now its "
        "own, whatever `merge` says\n`restart`: as `take_over`, and the count starts again at "
        "`initial`"},
    {"kn_stacking", "on_same_source",
        "What a further application of the same source does, as `merge` has kept it; default "
        "join.\n`join`: the new application joins the stack\n`refuse`: the new application is "
        "refused\n`take_over`: it joins, and level, source and values of the stack are now its "
        "own, whatever `merge` says\n`restart`: as `take_over`, and the count starts again at "
        "`initial`"},
    {"kn_stacking", "on_other_source",
        "What a further application of another source does, for `by_target`; default "
        "join.\n`join`: the new application joins the stack\n`refuse`: the new application is "
        "refused\n`take_over`: it joins, and level, source and values of the stack are now its "
        "own, whatever `merge` says\n`restart`: as `take_over`, and the count starts again at "
        "`initial`"},
    {"kn_stacking", "limit", "Most stacks, by level; 0 or less: no limit; default 0."},
    {"kn_stacking", "limit_per_source",
        "Most stacks of one source, for `by_target` with `own_timers`; 0 or less: no limit; "
        "default 0."},
    {"kn_stacking", "initial", "Stacks that the first application starts with; default 1."},
    {"kn_stacking", "per_application", "Stacks that each further application adds; default 1."},
    {"kn_stacking", "refresh",
        "What a further application does to the remaining time; default restart.\n`restart`: the "
        "full duration from now\n`never`: the remaining time stays as it is\n`extend`: the new "
        "duration is added to the remaining time\n`keep_longer`: the remaining time or the new "
        "duration, whichever is longer\n`pandemic`: the new duration plus the remaining time, of "
        "which at most the share `pandemic` of the new duration\n`complete_period`: the running "
        "period to its end, then the full duration\n`align_tick`: the full duration, lengthened to "
        "end on a tick"},
    {"kn_stacking", "pandemic",
        "Most of the remaining time that `pandemic` keeps, as a share of the new duration; default "
        "0.3."},
    {"kn_stacking", "period_reset",
        "What a further application does to the next tick; default reset.\n`reset`: the next tick "
        "comes a full period from now\n`keep`: the next tick comes when it was due"},
    {"kn_stacking", "expiration",
        "What happens when the duration is over; default clear.\n`clear`: the whole effect "
        "ends\n`one_and_refresh`: one stack is removed, and the duration starts again\n`refresh`: "
        "the duration starts again with all stacks, until something removes them"},
    {"kn_stacking", "merge",
        "Whose level, source and values a stack has; default latest.\n`latest`: of the latest "
        "application\n`highest_level`: of the application with the highest level; of equal levels "
        "the latest\n`first`: of the first application\n`pool`: of the latest; what the others "
        "have not dealt yet is kept and spread over the ticks that are left, for magnitudes of "
        "kind `pool`"},
    {"kn_stacking", "deny_overflow",
        "An application at the limit is refused; otherwise it only refreshes the stack."},
    {"kn_stacking", "clear_on_overflow",
        "With `deny_overflow`: an application that is refused at the limit also ends the stack."},
    {"kn_stacking", "tick_on_stack", "A periodic effect also ticks at each further application."},
    {"kn_stacking", "own_timers", "Each stack has a duration of its own, and ends alone."},
    {"kn_stacking", "at_cap",
        "What happens at the limit, with `own_timers`; default replace_oldest.\n`replace_oldest`: "
        "the oldest stack is replaced\n`replace_first_ending`: the stack that ends first is "
        "replaced; of several the oldest\n`refuse`: the application is refused"},
    {"kn_stacking", "common_timer",
        "With `own_timers`: all stacks end `common_duration` after the last application."},
    {"kn_stacking", "common_duration",
        "With `common_timer`: seconds; 0 or less: the duration of the effect; default 0."},
    {"kn_attribute_condition", "from",
        "Whose attribute: the target's or the source's; default target.\n`source`: the entity that "
        "applies the effect\n`target`: the entity that receives the effect\n`causer`: the weapon "
        "or projectile named in the context"},
    {"kn_attribute_condition", "attribute", "The attribute to test; required."},
    {"kn_attribute_condition", "key",
        "Instance of the attribute set, for entities that have the set several times; default 0."},
    {"kn_attribute_condition", "has_min",
        "`min`, or `max`, is tested; at least one of the four bounds is required."},
    {"kn_attribute_condition", "has_max",
        "`min`, or `max`, is tested; at least one of the four bounds is required."},
    {"kn_attribute_condition", "has_above",
        "`above`, or `below`, is tested; at least one of the four bounds is required."},
    {"kn_attribute_condition", "has_below",
        "`above`, or `below`, is tested; at least one of the four bounds is required."},
    {"kn_attribute_condition", "min", "Lowest value that meets the condition."},
    {"kn_attribute_condition", "max", "Highest value that meets the condition."},
    {"kn_attribute_condition", "above", "The value must lie above this number."},
    {"kn_attribute_condition", "below", "The value must lie below this number."},
    {"kn_attribute_condition", "relative_to",
        "The limits are shares of this attribute: 0.5 is half of it; left out: plain numbers."},
    {"kn_attribute_condition", "group",
        "All conditions of one group must hold, and one group is enough; default 0."},
    {"kn_conditions", "target", "Tags the target must have, or must not have."},
    {"kn_conditions", "source",
        "Tags the source must have, or must not have; once the source is gone, required tags fail "
        "and ignored ones pass."},
    {"kn_conditions", "attributes",
        "Tests of attributes; all must hold, unless their `group` differs."},
    {"kn_gate_def", "kind", "Kind of events to block; left out: applications of effects."},
    {"kn_gate_def", "as_instigator",
        "Block what the bearer of the effect does; otherwise what happens to the bearer; default "
        "false."},
    {"kn_gate_def", "source_any", "Block if the source has any of these tags."},
    {"kn_gate_def", "source", "Block if the source has, or does not have, these tags."},
    {"kn_gate_def", "record",
        "Block if the event has, or does not have, these tags; those of an effect are its asset "
        "and granted tags."},
    {"kn_gate_def", "types", "Block these effects."},
    {"kn_gate_def", "modifies", "Block effects that modify this attribute; left out: any."},
    {"kn_gate_def", "condition", "Block if this condition on the event holds."},
    {"kn_gate_def", "parts",
        "Block only modifiers and executions with any of these tags, not the whole effect; an "
        "effect of which nothing is left is refused."},
    {"kn_gate_def", "reason",
        "Name of the reason that refusals by this gate give, such as `warded`: a fail reason of "
        "the library, or a built-in one; default none."},
    {"kn_child_def", "type", "The effect to start; this or `type_name` is required."},
    {"kn_child_def", "type_name",
        "Name of the effect to start, which may be registered later; left out: `type`."},
    {"kn_child_def", "when",
        "When the child is started; default applied.\n`applied`: after a successful application, "
        "first or further\n`executed`: after an execution that asks for it\n`expired`: when its "
        "duration is over\n`removed_early`: when it ends in any other way\n`ended`: when it ends, "
        "in any way\n`overflow`: after an application at the stack limit, refused or "
        "not\n`count_reached`: when the stack count rises to `count`\n`count_held`: as long as the "
        "stack count is at or above `count`"},
    {"kn_child_def", "count",
        "Stack count for `count_reached` and `count_held`, at least 2; default 2."},
    {"kn_child_def", "every", "With `count_reached`: at every multiple of `count` too."},
    {"kn_child_def", "to",
        "Who receives the child; default target.\n`target`: the target of the effect\n`source`: "
        "the source of the effect\n`instigator`: the instigator of the context; the source if "
        "there is none"},
    {"kn_child_def", "stacks", "Stacks to apply; default 0: as many as the child says."},
    {"kn_child_def", "remove_with_parent",
        "The child ends with this effect; of a stack, only those stacks that this effect added."},
    {"kn_child_def", "inherit_level",
        "The child has the level of this effect; false: level 1; default true."},
    {"kn_child_def", "inherit_source",
        "The child has the source of this effect; false: the target is its source; default true."},
    {"kn_child_def", "copy_caller_values",
        "The child gets the numbers that the caller passed to this effect; default true."},
    {"kn_child_def", "source",
        "Tags the source must have, or must not have, for the child to start."},
    {"kn_raise_def", "when",
        "When the event is sent; default applied.\n`applied`: after a successful application, "
        "first or further\n`executed`: after each execution\n`expired`: when its duration is "
        "over\n`removed_early`: when it ends in any other way\n`stack_gained`: when its stack "
        "count rises\n`stack_lost`: when its stack count falls"},
    {"kn_raise_def", "tag", "Tag of the event; required."},
    {"kn_raise_def", "to",
        "Who receives the event; default target.\n`target`: the target of the effect\n`source`: "
        "the source of the effect\n`instigator`: the instigator of the context; the source if "
        "there is none"},
    {"kn_raise_def", "magnitude", "Magnitude of the event; default 0."},
    {"kn_calculation_modifier", "capture",
        "Which capture of the execution to change, counted from 0; not read with `transient`."},
    {"kn_calculation_modifier", "transient",
        "A variable of the execution to change instead of a capture."},
    {"kn_calculation_modifier", "op",
        "What to do with the number: add, multiply, divide or override; default add.\n`add`: adds "
        "the magnitude to the base\n`multiply`: multiplies, as the value's profile says: "
        "`multiply_additive` or `multiply_compound`\n`divide`: divides, as the value's profile "
        "says: `divide_additive` or `divide_compound`\n`multiply_additive`: factors add up: x1.5 "
        "and x1.5 make x2\n`divide_additive`: divisors add up: /1.5 and /1.5 make "
        "/2\n`multiply_compound`: factors multiply: x1.5 and x1.5 make x2.25\n`divide_compound`: "
        "divisors multiply: /1.5 and /1.5 make /2.25\n`add_final`: adds the magnitude after all "
        "factors\n`override`: replaces the value; the highest priority wins, then the last "
        "applied"},
    {"kn_calculation_modifier", "magnitude", "The number, by level; default 0."},
    {"kn_execution_use", "execution", "The execution to run; required."},
    {"kn_execution_use", "modifiers", "Changes to what the execution reads."},
    {"kn_execution_use", "tags",
        "Tags that describe this execution, so that a gate can void it alone (`parts`)."},
    {"kn_parameter_def", "name",
        "Name under which an application sets the parameter, and `$Name` reads it; required."},
    {"kn_parameter_def", "value", "Value when the application sets none; default 0."},
    {"kn_parameter_def", "required",
        "An application that does not set it is refused; default false."},
    {"kn_named_value", "name", "Name under which effects read the number; required."},
    {"kn_named_value", "value", "The number; default 0."},
    {"kn_grant_def", "ability",
        "Name of the ability; one that is not an ability is passed to the program (the world's "
        "grant hook)."},
    {"kn_grant_def", "level", "Level of the ability, by level of the effect; default 1."},
    {"kn_grant_def", "input",
        "Number of the input to bind the ability to; 0: none; default -1: as the ability says."},
    {"kn_grant_def", "removal",
        "What happens to the ability when the effect ends; default cancel.\n`cancel`: the ability "
        "is cancelled and removed at once\n`after_end`: the ability may finish, then it is "
        "removed\n`keep`: the ability stays"},
    {"kn_grant_def", "follow_inhibition",
        "What happens to the ability while the effect is inhibited; default ignore.\n`ignore`: "
        "nothing: the ability stays\n`cancel`: what runs is cancelled, and the ability cannot "
        "start. An ability that activates on grant does so again when the effect acts "
        "again\n`after_end`: the ability is removed as soon as what runs has ended, and granted "
        "anew when the effect acts again; if it still runs then, it stays. If game code removes it "
        "meanwhile, it stays removed"},
    {"kn_grant_def", "parameters",
        "Parameters, by name, that every effect the ability applies gets; at most 32."},
    {"kn_cancel_def", "with", "Cancel abilities with any of these tags; empty: any ability."},
    {"kn_cancel_def", "without", "Spare abilities with any of these tags."},
    {"kn_cancel_def", "on_tick",
        "Cancel at each tick of a periodic effect; false: at each application; default false."},
    {"kn_tag_edit", "kind",
        "Whether the tag is shown, hidden or replaced; default add.\n`add`: shows `tag`\n`remove`: "
        "hides `tag` and the tags below it, no matter where they come from\n`replace`: shows "
        "`with` in place of `tag` and the tags below it, while there is one"},
    {"kn_tag_edit", "tag", "The tag to show, hide or replace."},
    {"kn_tag_edit", "with", "The tag to show instead, for `replace`."},
    {"kn_effect_def", "name", "Unique name; required."},
    {"kn_effect_def", "parent",
        "Another effect: data files start from its fields, and queries for it find this effect "
        "too; may be left out."},
    {"kn_effect_def", "duration_kind",
        "Whether the effect is instant, lasts for `duration`, or until it is removed; default "
        "instant.\n`instant`: changes base values at once and is over; grants nothing, not even "
        "for a moment\n`duration`: active for the seconds in `duration`\n`infinite`: active until "
        "it is removed"},
    {"kn_effect_def", "duration",
        "Seconds the effect lasts; data files may also write `instant` or `infinite`."},
    {"kn_effect_def", "live_duration",
        "Whether the duration follows attributes, level and caller values while the effect runs; "
        "default none.\n`none`: computed once, when the effect is applied\n`next`: a duration gets "
        "longer or shorter at once, by the difference; a period changes after the next "
        "tick\n`rescale`: as `next`, but the running period changes too: the next tick comes one "
        "new period after the last"},
    {"kn_effect_def", "duration_value",
        "A transient value of the target whose modifiers change the duration of each application, "
        "such as resistance to stuns: evaluated with the duration in seconds, after haste, as base "
        "and magnitude, and the asset tags as tags of the event. A result of 0 or less refuses the "
        "application. Needs a duration in seconds; stacks without end are left alone; a live "
        "duration is evaluated again when it changes, and kept if that leaves no time."},
    {"kn_effect_def", "is_periodic",
        "The effect executes every `period` instead of modifying continuously."},
    {"kn_effect_def", "period",
        "Seconds between two ticks, above 0; a periodic effect changes base values at each tick."},
    {"kn_effect_def", "live_period",
        "Whether the period follows attributes, level and caller values while the effect runs; "
        "default none.\n`none`: computed once, when the effect is applied\n`next`: a duration gets "
        "longer or shorter at once, by the difference; a period changes after the next "
        "tick\n`rescale`: as `next`, but the running period changes too: the next tick comes one "
        "new period after the last"},
    {"kn_effect_def", "skip_first_tick",
        "No tick when the effect is applied: the first comes after a period; default false."},
    {"kn_effect_def", "partial_last_tick",
        "An effect that expires within a period ticks once more, with the share of the period that "
        "has passed; default false."},
    {"kn_effect_def", "inhibit_period",
        "What becomes of the ticks of an effect that is inhibited and later acts again; default "
        "never_reset.\n`never_reset`: ticks stay where they were; those that fall into the "
        "inhibition do nothing\n`reset`: the next tick comes a full period after the effect acts "
        "again\n`execute_and_reset`: a tick at the moment the effect acts again, the next a full "
        "period later\n`pause`: the period stops and goes on where it stopped"},
    {"kn_effect_def", "has_haste", "Duration and period are divided by `haste`."},
    {"kn_effect_def", "haste",
        "Speed of the effect: 2 halves duration and period, so that the number of ticks stays; "
        "above 0."},
    {"kn_effect_def", "modifiers", "Changes to attributes and transient values."},
    {"kn_effect_def", "executions",
        "Executions to run when the effect is applied, or at each tick."},
    {"kn_effect_def", "parameters", "Numbers that an application may set by name."},
    {"kn_effect_def", "asset_tags", "Tags that describe the effect; the target does not get them."},
    {"kn_effect_def", "granted_tags", "Tags the target has while the effect is active."},
    {"kn_effect_def", "tag_edits",
        "Changes to the tags that the target shows while the effect is active, in this order."},
    {"kn_effect_def", "blocked_ability_tags",
        "Abilities of the target with any of these tags cannot start while the effect is active."},
    {"kn_effect_def", "cue_tags",
        "Cues to play: once for an instant effect and at each tick, otherwise while the effect is "
        "active."},
    {"kn_effect_def", "cue_attribute",
        "Attribute whose modifier gives the magnitude of the cues; left out: that of the first "
        "modifier."},
    {"kn_effect_def", "cue_min",
        "Lowest magnitude: cues see the range between the two as 0 to 1; equal: no range."},
    {"kn_effect_def", "cue_max",
        "Highest magnitude: cues see the range between the two as 0 to 1; equal: no range."},
    {"kn_effect_def", "no_cue_on_stack",
        "Further applications to a stack play no cue; default false."},
    {"kn_effect_def", "cue_needs_success",
        "Phases of the cues that are played only on success; default none.\n`added`: cues are "
        "added only when a modifier of the effect acts: its attribute is there and its conditions "
        "are met. Tested when the effect begins or acts again and, as long as the cues were not "
        "added, whenever its stacks, level or magnitude change\n`executed`: cues are executed only "
        "when a modifier or an execution really changed something\n`updated`: cues are updated "
        "only when the magnitude they see changed, not just stacks or level"},
    {"kn_effect_def", "application",
        "Conditions for the effect to be applied; otherwise it is refused."},
    {"kn_effect_def", "ongoing",
        "Conditions for the effect to act; while they are not met, it stays but is inhibited."},
    {"kn_effect_def", "removal",
        "Conditions under which the effect is removed, and cannot be applied; without any, it "
        "stays."},
    {"kn_effect_def", "chance",
        "Chance that an application succeeds, 0 to 1; below 0 counts as 0, above 1 as 1. "
        "Attributes are read when the effect is applied, even those of snapshots; default 1."},
    {"kn_effect_def", "requirement",
        "A requirement for the effect to be applied, as a formula or function."},
    {"kn_effect_def", "stacking", "How several applications of the effect stack."},
    {"kn_effect_def", "exclusive_group",
        "Group of effects that exclude each other on one target, of any type."},
    {"kn_effect_def", "exclusive_rule",
        "How the effects of the exclusive group treat each other; default newest.\n`newest`: a new "
        "member replaces all others\n`newest_per_source`: a new member replaces those of the same "
        "source\n`strongest`: a new member that is weaker is refused; any other replaces what is "
        "there\n`best_counts`: all stay; of those that change one value in one direction, only the "
        "strongest acts\n`name_once`: all stay; of several effects of one type, only the strongest "
        "acts"},
    {"kn_effect_def", "gates",
        "What the target is immune to, or cannot do, while the effect is active."},
    {"kn_effect_def", "remove_effects_with",
        "An application removes effects on the target that have any of these asset or granted "
        "tags."},
    {"kn_effect_def", "cancels",
        "Running abilities of the target that an application, or a tick, cancels."},
    {"kn_effect_def", "children", "Effects that this effect starts."},
    {"kn_effect_def", "raises", "Events that this effect sends to rules and abilities."},
    {"kn_effect_def", "grants", "Abilities the target has while the effect is active."},
    {"kn_effect_def", "ends_with_source",
        "The effect is removed when its source is destroyed; default false."},
    {"kn_effect_def", "keeps_tally",
        "The effect counts what it really takes away and adds, for magnitudes and scripts; default "
        "false."},
    {"kn_effect_def", "acts_on_owned",
        "The modifiers act on every entity that the target owns, as a player owns units; default "
        "false."},
    {"kn_effect_def", "owned",
        "With `acts_on_owned`: only on owned entities that have, or do not have, these tags."},
    {"kn_effect_def", "logic", "Functions and state of the effect."},
    {"kn_effect_def", "predict",
        "Clients apply the effect ahead of the server; false: it appears there when the server has "
        "confirmed it, costs and cooldowns too; default true."},
    {"kn_caller_value", "tag", "Tag under which effects read the number."},
    {"kn_caller_value", "value", "The number; must be finite."},
    {"kn_effect_context", "instigator", "Who is responsible; left out: the source."},
    {"kn_effect_context", "causer", "The weapon or projectile."},
    {"kn_effect_context", "source_object",
        "64 bits for the host; part of the stack key with `key_object`."},
    {"kn_effect_context", "origin", "Where it comes from, with `has_origin`."},
    {"kn_effect_context", "has_origin", "`origin` is set."},
    {"kn_effect_context", "payload_type", "Type of the payload."},
    {"kn_effect_context", "payload", "Plain bytes of the size registered for the type; copied."},
    {"kn_effect_context", "targets",
        "Target data, see target.h; copied; KN_ERROR_BAD_DATA if malformed."},
    {"kn_effect_context", "target_size", "Bytes of target data."},
    {"kn_effect_context", "ability", "The ability behind the effect."},
    {"kn_effect_context", "activation", "The activation behind the effect."},
    {"kn_effect_refusal", "reason", "The result that kn_effect_apply() returns for it."},
    {"kn_effect_refusal", "from",
        "Whose tag, attribute or gate it is.\n`source`: the entity that applies the "
        "effect\n`target`: the entity that receives the effect\n`causer`: the weapon or projectile "
        "named in the context"},
    {"kn_effect_refusal", "tag",
        "The tag that decides. For a gate: the tag of the effect or its source that it blocks. For "
        "a missing caller value: its tag."},
    {"kn_effect_refusal", "is_there",
        "True: the tag is present and must not be; false: it is missing."},
    {"kn_effect_refusal", "is_removal",
        "The effect's `removal` conditions hold: it would be removed at once."},
    {"kn_effect_refusal", "is_absent", "The entity does not have the attribute."},
    {"kn_effect_refusal", "attribute",
        "An attribute that is absent, out of range, or would depend on itself."},
    {"kn_effect_refusal", "have",
        "The attribute's value, the strength in an exclusive group, or the chance."},
    {"kn_effect_refusal", "min", "Range that `have` must be in; infinite for no limit."},
    {"kn_effect_refusal", "max", "Range that `have` must be in; infinite for no limit."},
    {"kn_effect_refusal", "is_above", "`min`, or `max`, itself is out of range."},
    {"kn_effect_refusal", "is_below", "`min`, or `max`, itself is out of range."},
    {"kn_effect_refusal", "value",
        "The `duration_value` of the effect, if it leaves no time; `have` is its result in "
        "seconds."},
    {"kn_effect_refusal", "parameter", "The parameter that is missing."},
    {"kn_effect_refusal", "modifier", "Index + 1 of the modifier concerned; 0: none."},
    {"kn_effect_refusal", "effect",
        "The effect whose gate blocks, whose stack refuses, or which is stronger."},
    {"kn_effect_refusal", "fail",
        "Reason that the requirement function or the gate gives: a bit of kn_fail, as a rule one "
        "that the library registers; 0: none."},
    {"kn_effect_refusal", "need",
        "What a requirement function or the condition of a gate says is needed."},
    {"kn_effect_refusal", "text",
        "What a requirement function or the condition of a gate says about it, with `{need}`, "
        "`{have}` and `{tag}` for the numbers and the tag; \"\" for nothing."},
    {"kn_effect_apply_def", "type", "The effect to apply; required."},
    {"kn_effect_apply_def", "target", "Who receives the effect; required."},
    {"kn_effect_apply_def", "source", "Who applies the effect; may be left out."},
    {"kn_effect_apply_def", "level", "Level of the effect; default 1."},
    {"kn_effect_apply_def", "stacks", "Stacks to add; 0: as the def says."},
    {"kn_effect_apply_def", "duration",
        "Duration in place of the def's; below 0: as the def says. KN_TIME_INFINITE is for stacks "
        "with `own_timers`: this one stays until removed."},
    {"kn_effect_apply_def", "period", "Period in place of the def's; below 0: as the def says."},
    {"kn_effect_apply_def", "caller_values", "Numbers set under tags."},
    {"kn_effect_apply_def", "named_values", "Numbers set under names."},
    {"kn_effect_apply_def", "dynamic_granted_tags", "Granted tags besides those of the def."},
    {"kn_effect_apply_def", "dynamic_asset_tags", "Asset tags besides those of the def."},
    {"kn_effect_apply_def", "context", "Who and what is behind the effect; may be left out."},
    {"kn_effect_apply_def", "ignore_gates", "Gates cannot refuse the application."},
    {"kn_effect_apply_def", "refusal", "Receives the first reason of a refusal; may be left out."},
    {"kn_container_def", "name", "Unique name; required."},
    {"kn_container_def", "tag",
        "Tag that describes the container, for the program; may be left out."},
    {"kn_container_def", "target",
        "Which entities the container reaches; default `given`.\n`source`: the source "
        "itself\n`given`: the entities that the call, or the ability, passes in "
        "`targets`\n`custom`: those that a function finds; the source may be gone\n`targeting`: "
        "those that `targeting_type` finds, at once\n`data`: those named in the target data that "
        "the call, or the event, passes in `data`"},
    {"kn_container_def", "targeting", "Finds the targets, for `custom`."},
    {"kn_container_def", "user", "Passed to `targeting`."},
    {"kn_container_def", "targeting_type", "Finds the targets, for `targeting`."},
    {"kn_container_def", "effects",
        "Effects to apply to every target, in this order; at least one."},
    {"kn_container_value", "type", "The effect that gets the number; left out: all."},
    {"kn_container_value", "value", "The number and its tag."},
    {"kn_container_apply_def", "container", "The container to apply; required."},
    {"kn_container_apply_def", "source",
        "Who applies the effects; required unless targets are given or found by a function."},
    {"kn_container_apply_def", "level", "Level of the effects; default 1."},
    {"kn_container_apply_def", "targets", "The targets, for `given`."},
    {"kn_container_apply_def", "data", "Target data, see target.h, for `data`."},
    {"kn_container_apply_def", "data_size", "Bytes of `data`."},
    {"kn_container_apply_def", "values", "Caller values for the effects, at most 32."},
    {"kn_container_apply_def", "context", "Who and what is behind the effects; may be left out."},
    {"kn_effect_query", "type",
        "Effects of this type, or of one that descends from it by `parent`; left out: any."},
    {"kn_effect_query", "any_tags", "Effects with any of these asset or granted tags."},
    {"kn_effect_query", "all_tags",
        "Effects with all of these among their asset and granted tags."},
    {"kn_effect_query", "asset_tags", "Effects with any of these asset tags."},
    {"kn_effect_query", "granted_tags", "Effects with any of these granted tags."},
    {"kn_effect_query", "tag_query",
        "Effects whose asset and granted tags match; may be left out."},
    {"kn_effect_query", "source_tags",
        "Effects whose source meets this: tags captured by the spec, otherwise those it has now."},
    {"kn_effect_query", "source", "Effects of this source; left out: any."},
    {"kn_effect_query", "has_source_object", "`source_object` is tested."},
    {"kn_effect_query", "source_object", "Effects with these 64 bits in their context."},
    {"kn_effect_query", "modifies", "Effects that modify this attribute; left out: any."},
    {"kn_effect_query", "ignore", "Effects to leave out."},
    {"kn_effect_query", "user", "Passed to `predicate`."},
    {"kn_effect_info", "type", "The type of the effect."},
    {"kn_effect_info", "target", "The entity the effect is on."},
    {"kn_effect_info", "source", "Who applied it; may be left out or stale."},
    {"kn_effect_info", "instigator",
        "Instigator of the context, otherwise the source; may be stale."},
    {"kn_effect_info", "causer", "Weapon or projectile of the context; null for none."},
    {"kn_effect_info", "source_object", "The host's 64 bits in the context."},
    {"kn_effect_info", "level", "Level of the effect."},
    {"kn_effect_info", "stacks", "Stack count, at least 1."},
    {"kn_effect_info", "start", "Simulated time at which the running duration began."},
    {"kn_effect_info", "duration", "Total length; KN_TIME_INFINITE for an infinite effect."},
    {"kn_effect_info", "remaining", "Time left; KN_TIME_INFINITE for an infinite effect."},
    {"kn_effect_info", "period", "Time between two ticks; 0: not periodic."},
    {"kn_effect_info", "next_tick", "Simulated time of the next tick; KN_TIME_INFINITE for none."},
    {"kn_effect_info", "executions", "Ticks so far, one that is running included."},
    {"kn_effect_info", "is_inhibited", "The effect's `ongoing` conditions are not met."},
    {"kn_effect_info", "tally_loss",
        "What the effect really took away, and added, with `keeps_tally`."},
    {"kn_effect_info", "tally_gain",
        "What the effect really took away, and added, with `keeps_tally`."},
    {"kn_effect_info", "origin", "Origin of the context, with `has_origin`."},
    {"kn_effect_info", "has_origin", "`origin` is set."},
    {"kn_cause_info", "parent", "The cause of this cause; 0 at the root."},
    {"kn_cause_info", "kind", "What kind of cause it is."},
    {"kn_cause_info", "depth", "Links before it in the running step; 0 where the chain began."},
    {"kn_cause_info", "entity", "The entity it happens to; for abilities the owner."},
    {"kn_cause_info", "effect", "The active effect concerned; may be left out or stale."},
    {"kn_cause_info", "type", "The type of the effect concerned; null for none."},
    {"kn_cause_info", "source",
        "KN_CAUSE_APPLY, and timers of effects: who applied the effect; may be left out."},
    {"kn_cause_info", "tag", "The tag concerned; null for none."},
    {"kn_cause_info", "ability", "KN_CAUSE_ABILITY, _END, _TASK: the ability."},
    {"kn_cause_info", "command", "KN_CAUSE_COMMAND: the kind of command."},
    {"kn_cause_info", "system", "KN_CAUSE_SYSTEM: the system."},
    {"kn_cause_info", "custom", "KN_CAUSE_CUSTOM: its kind."},
    {"kn_cause_info", "def_kind",
        "KN_CAUSE_CUSTOM: the kn_def_kind of the definition concerned, and its number from 1; 0 "
        "and 0 for none."},
    {"kn_cause_info", "def1",
        "KN_CAUSE_CUSTOM: the kn_def_kind of the definition concerned, and its number from 1; 0 "
        "and 0 for none."},
    {"kn_event", "type", "What happened."},
    {"kn_event", "cause", "Why it happened."},
    {"kn_event", "time", "Simulated time at which it happened."},
    {"kn_event", "entity", "The entity it happened to; may be stale already."},
    {"kn_custom_event_def", "name", "Unique name, such as \"OrderGiven\"; required."},
    {"kn_custom_event_def", "size",
        "Bytes of the payload, at most 4096; data files may leave it out; 0: there is none."},
    {"kn_custom_event_def", "fields", "The fields of the payload, in order; required with `size`."},
    {"kn_custom_event_def", "text",
        "How an event is printed, with fields in braces: `follows the order {order}`; left out: "
        "the name and all fields."},
    {"kn_custom_event_def", "command",
        "In the world of a client, such an event asks for a command of this kind, with the entity "
        "and the payload of the event, to be sent to the server: so that rules of a client can ask "
        "for something. Sessions send it. Copies of a command that is on its way are not sent "
        "again, so payloads should differ. The command must have a payload of the same size; "
        "default none."},
    {"kn_event_record", "kind",
        "Which pipeline the record runs through; required by kn_event_run()."},
    {"kn_event_record", "tags", "Describe the event: school, hit style ...; at most 62."},
    {"kn_event_record", "instigator", "Who causes it; may be left out."},
    {"kn_event_record", "target", "The entity it happens to."},
    {"kn_event_record", "magnitude", "How much of it; must be finite."},
    {"kn_event_record", "object", "64 bits for the host, such as the weapon or projectile."},
    {"kn_event_record", "object2", "64 more bits for the host."},
    {"kn_event_record", "effect", "The effect the event comes from; NULL for none; not kept."},
    {"kn_event_record", "tag",
        "Tag under which the event was sent; filled in for those who receive it."},
    {"kn_event_record", "has_instigator_tags",
        "Abilities test `instigator_tags` and `target_tags` instead of the tags those entities "
        "have."},
    {"kn_event_record", "has_target_tags",
        "Abilities test `instigator_tags` and `target_tags` instead of the tags those entities "
        "have."},
    {"kn_event_record", "instigator_tags",
        "Tags of the instigator that abilities test, with `has_instigator_tags`."},
    {"kn_event_record", "target_tags",
        "Tags of the target that abilities test, with `has_target_tags`."},
    {"kn_event_record", "data", "Target data, see target.h; may be left out."},
    {"kn_event_record", "data_size", "Bytes of target data."},
    {"kn_event_record", "ignore_modifiers",
        "Modifiers of instigator and target do not change the magnitude."},
    {"kn_event_record", "ignore_gates", "Gates cannot refuse the record."},
    {"kn_value_def", "name", "Unique name, such as \"CastLength\"; required."},
    {"kn_value_def", "profile", "How modifiers combine; default `combat`."},
    {"kn_value_def", "has_min", "The result has a lower, or upper, bound."},
    {"kn_value_def", "has_max", "The result has a lower, or upper, bound."},
    {"kn_value_def", "min", "Lower limit of the result; default none."},
    {"kn_value_def", "max", "Upper limit of the result; default none."},
    {"kn_value_def", "rounding",
        "How the result is rounded; default none.\n`none`: not rounded\n`truncate`: toward "
        "zero\n`half_away`: to nearest, halves away from zero\n`half_to_base`: to nearest, halves "
        "toward the base value\n`up`: toward positive infinity\n`down`: toward negative infinity"},
    {"kn_value_def", "minimum_one", "A rounded result is at least 1, unless the base is 0."},
    {"kn_value_def", "context_free",
        "Modifiers with conditions on an event are refused: for values that something else "
        "caches."},
    {"kn_value_def", "factor",
        "Attribute of the entity that multiplies the value; an entity without it counts as 1."},
    {"kn_value_def", "adjust",
        "Called with the result of the modifiers, before limits and rounding, unless modifiers are "
        "left out (`is_static`) or the entity is stale; may be left out."},
    {"kn_value_def", "user", "Passed to `adjust`."},
    {"kn_event_kind_def", "name", "Unique name, such as \"Damage\"; required."},
    {"kn_event_kind_def", "tag",
        "Tag by which rules and listeners recognise events of this kind; may be left out."},
    {"kn_event_kind_def", "outgoing",
        "Transient value of the instigator whose modifiers change the magnitude first."},
    {"kn_event_kind_def", "incoming",
        "Transient value of the target whose modifiers change the magnitude next."},
    {"kn_event_kind_def", "restrictable",
        "Gates of effects may refuse events of this kind; default true."},
    {"kn_event_kind_def", "gate_sees_final",
        "Gates see the magnitude after modifiers; false: the one before; default true."},
    {"kn_event_kind_def", "apply", "Carries out a record that passed its gates; may be left out."},
    {"kn_event_kind_def", "user", "Passed to `apply`."},
    {"kn_reaction", "trigger",
        "What happened.\n`event`: an event is sent or run, and its tag is `tag` or below "
        "it\n`tag_added`: an entity gains `tag`\n`tag_removed`: an entity loses "
        "`tag`\n`attribute_changed`: `attribute` changes\n`effect_applied`: an effect becomes "
        "active. Applying it once more triggers `effect_reapplied`, and an instant effect triggers "
        "`effect_executed`. Set `effect_type` to react to effects of one type only, here and in "
        "the other triggers for effects\n`effect_removed`: an active effect ends\n`effect_stacks`: "
        "the stack count of an effect changes\n`ability_activated`: an ability is activated; "
        "`ability` and `activation` say which\n`ability_committed`: an ability pays its "
        "cost\n`ability_ended`: an activation ends, for `end_reason`; its id and that of the "
        "ability may be stale already. If it was cancelled, `instigator`, `tag` and `magnitude` "
        "come from the cancel\n`overlap`: `instigator` touches the entity\n`movement`: the entity "
        "changes how it moves: `key` is the new mode\n`entity_created`: an entity is "
        "created\n`entity_destroyed`: an entity is about to be destroyed: it is dying, but "
        "everything it has can still be read\n`owner_changed`: the entity gets another owner: "
        "`other` instead of `old_other`\n`parent_changed`: the entity changes its parent from "
        "`old_other` to `other`; either may be left out\n`effect_executed`: an instant effect or a "
        "tick of a periodic effect is executed. `old_count` is the index of the tick, `new_count` "
        "the stack count; `effect` is null for an instant effect\n`effect_inhibited`: an effect is "
        "inhibited (`new_count` is 0) or starts to act again (`new_count` is 1)\n`ability_failed`: "
        "an ability cannot be activated or committed; `fail_reasons` says why\n`effect_reapplied`: "
        "an active effect is applied once more, even if that changes neither its stacks nor its "
        "time. `old_count` and `new_count` are stack counts\n`ability_granted`: the entity gains "
        "an ability. Granting a shared ability again does not trigger it\n`ability_removed`: the "
        "entity has lost an ability; its id is stale already\n`set_added`: the entity gains the "
        "attribute set `set`, instance `key`: its attributes have their starting "
        "values\n`set_removed`: the entity loses the attribute set `set`, instance "
        "`key`\n`charges`: the charges of a cooldown change from `old_count` to `new_count`, or "
        "only its running cycle changes. `ability` is the ability it belongs to; `tag` is the key "
        "of a shared cooldown\n`connection_changed`: control of the entity passes to another "
        "player or to nobody: `old_count` and `new_count` are the connections"},
    {"kn_reaction", "entity", "The entity it happened to."},
    {"kn_reaction", "cause", "Why it happened."},
    {"kn_reaction", "tag",
        "The tag that was gained or lost, under which the event was sent, of a kn_cancel, or of a "
        "shared cooldown."},
    {"kn_reaction", "attribute", "The attribute that changed."},
    {"kn_reaction", "key", "Instance of the attribute set; `movement`: the movement mode."},
    {"kn_reaction", "old_value", "Value of the attribute before."},
    {"kn_reaction", "new_value", "Value of the attribute now."},
    {"kn_reaction", "old_count",
        "Stacks of the effect, count of the tag, charges, or connection, before."},
    {"kn_reaction", "new_count",
        "Stacks of the effect, count of the tag, charges, or connection, now."},
    {"kn_reaction", "effect", "The effect concerned; may be stale already."},
    {"kn_reaction", "effect_type", "Type of the effect concerned."},
    {"kn_reaction", "reason",
        "Why the effect ended.\n`expired`: the time of the effect was over\n`by_call`: game code "
        "removed it\n`dispelled`: game code removed it as a dispel\n`by_effect`: another effect "
        "removes effects with its tags\n`overwritten`: an exclusive group or a take-over replaced "
        "it\n`requirement`: a removal requirement was met\n`target_died`: the target of the effect "
        "was destroyed\n`source_gone`: the source was destroyed, and the effect ends with its "
        "source\n`parent_ended`: the effect that started it ended\n`charges_used`: never set by "
        "the library: for game code that uses up an effect\n`stack_cleared`: overflow cleared the "
        "stack\n`shortened`: the remaining time was set to 0 or less\n`mispredicted`: never set by "
        "the library: for a transport, when the server did not apply it\n`rule`: never set by the "
        "library: for the effect's own logic"},
    {"kn_reaction", "instigator",
        "Who caused the event, applied the effect, touches the entity, or cancelled the "
        "activation."},
    {"kn_reaction", "magnitude", "Magnitude of the event, or number of a kn_cancel."},
    {"kn_reaction", "ability", "The ability concerned, or behind the effect; null for none."},
    {"kn_reaction", "activation", "The activation concerned, or behind the effect."},
    {"kn_reaction", "end_reason", "Why the activation ended, a kn_end_reason."},
    {"kn_reaction", "fail_reasons", "Why the ability was refused, kn_fail bits."},
    {"kn_reaction", "other", "The owner or parent now; may be left out."},
    {"kn_reaction", "old_other", "The owner or parent before; may be left out or stale."},
    {"kn_reaction", "record",
        "`event`: the record that was sent, with target, tags, objects and target data, without "
        "its `effect`. `ability_failed`: the event that the ability was to be activated with, "
        "likewise; NULL if there was none. NULL for other triggers."},
    {"kn_reaction", "causer", "Weapon or projectile of the effect's context; null for none."},
    {"kn_reaction", "level", "Level of the effect; of a further application, its own."},
    {"kn_reaction", "ability_type",
        "KN_TRIGGER_ABILITY_*: the type of the ability, also when the ability is gone."},
    {"kn_reaction", "object", "The host's 64 bits in the effect's context."},
    {"kn_reaction", "old_remaining",
        "KN_TRIGGER_EFFECT_REAPPLIED: time left before and now; KN_TIME_INFINITE for no end."},
    {"kn_reaction", "new_remaining",
        "KN_TRIGGER_EFFECT_REAPPLIED: time left before and now; KN_TIME_INFINITE for no end."},
    {"kn_reaction", "set", "The attribute set that was added or removed; null for none."},
    {"kn_rule_def", "name", "Unique name; required."},
    {"kn_rule_def", "trigger",
        "What the rule reacts to; default event.\n`event`: an event is sent or run, and its tag is "
        "`tag` or below it\n`tag_added`: an entity gains `tag`\n`tag_removed`: an entity loses "
        "`tag`\n`attribute_changed`: `attribute` changes\n`effect_applied`: an effect becomes "
        "active. Applying it once more triggers `effect_reapplied`, and an instant effect triggers "
        "`effect_executed`. Set `effect_type` to react to effects of one type only, here and in "
        "the other triggers for effects\n`effect_removed`: an active effect ends\n`effect_stacks`: "
        "the stack count of an effect changes\n`ability_activated`: an ability is activated; "
        "`ability` and `activation` say which\n`ability_committed`: an ability pays its "
        "cost\n`ability_ended`: an activation ends, for `end_reason`; its id and that of the "
        "ability may be stale already. If it was cancelled, `instigator`, `tag` and `magnitude` "
        "come from the cancel\n`overlap`: `instigator` touches the entity\n`movement`: the entity "
        "changes how it moves: `key` is the new mode\n`entity_created`: an entity is "
        "created\n`entity_destroyed`: an entity is about to be destroyed: it is dying, but "
        "everything it has can still be read\n`owner_changed`: the entity gets another owner: "
        "`other` instead of `old_other`\n`parent_changed`: the entity changes its parent from "
        "`old_other` to `other`; either may be left out\n`effect_executed`: an instant effect or a "
        "tick of a periodic effect is executed. `old_count` is the index of the tick, `new_count` "
        "the stack count; `effect` is null for an instant effect\n`effect_inhibited`: an effect is "
        "inhibited (`new_count` is 0) or starts to act again (`new_count` is 1)\n`ability_failed`: "
        "an ability cannot be activated or committed; `fail_reasons` says why\n`effect_reapplied`: "
        "an active effect is applied once more, even if that changes neither its stacks nor its "
        "time. `old_count` and `new_count` are stack counts\n`ability_granted`: the entity gains "
        "an ability. Granting a shared ability again does not trigger it\n`ability_removed`: the "
        "entity has lost an ability; its id is stale already\n`set_added`: the entity gains the "
        "attribute set `set`, instance `key`: its attributes have their starting "
        "values\n`set_removed`: the entity loses the attribute set `set`, instance "
        "`key`\n`charges`: the charges of a cooldown change from `old_count` to `new_count`, or "
        "only its running cycle changes. `ability` is the ability it belongs to; `tag` is the key "
        "of a shared cooldown\n`connection_changed`: control of the entity passes to another "
        "player or to nobody: `old_count` and `new_count` are the connections"},
    {"kn_rule_def", "tag", "The tag to react to; required for events and tags."},
    {"kn_rule_def", "attribute", "The attribute to react to; required for `attribute_changed`."},
    {"kn_rule_def", "effect_type",
        "The effect to react to, for the triggers of effects; left out: any effect."},
    {"kn_rule_def", "priority",
        "Of several rules the one with the higher priority runs first, then the one registered "
        "first; default 0."},
    {"kn_rule_def", "function", "Called when the rule is triggered; required."},
    {"kn_rule_def", "wants",
        "Called with each reaction that triggers the rule; false: it is passed over, at no cost in "
        "the reaction queue. May be left out: the rule wants all."},
    {"kn_rule_def", "user", "Passed to `function` and `wants`."},
    {"kn_system_def", "name", "Unique name; required; saves find the system by it."},
    {"kn_system_def", "rate",
        "Runs per second, 1 to 1,000,000; exact in the long run: 60 gives 60 runs in each second. "
        "Required unless there is a `period`."},
    {"kn_system_def", "period", "Time between two runs, above 0, instead of a `rate`."},
    {"kn_system_def", "group",
        "Of systems that are due at the same time those of the lower group run first; -1000 is for "
        "movement, 1000 for what cleans up; default 0."},
    {"kn_system_def", "group_name",
        "The group by its name instead of a number: `input`, `movement`, `rules`, `cleanup`, or "
        "one that is registered, in data files in `system_groups`; default: the number counts."},
    {"kn_system_def", "order",
        "In a group the system with the lower order runs first, then the one registered first; "
        "default 0."},
    {"kn_system_def", "enabled",
        "The system runs in every world that does not switch it off; false: only in those that "
        "switch it on; default true."},
    {"kn_system_def", "function", "Called for each run; required."},
    {"kn_system_def", "user", "Passed to `function`."},
    {"kn_system_group_def", "name",
        "Unique name, other than those that every library has; required."},
    {"kn_system_group_def", "number",
        "The group: of systems that are due at the same time those of the lower number run first; "
        "-1000 is for movement, 1000 for what cleans up; default 0."},
    {"kn_tag_requirement", "required",
        "All of these tags must be there; a tag below one of them counts too."},
    {"kn_tag_requirement", "ignored",
        "None of these tags may be there, nor a tag below one of them."},
    {"kn_tag_requirement", "query", "A tag query that must match too; may be left out."},
    {"kn_target_type_def", "name", "Unique name; required."},
    {"kn_target_type_def", "size", "Bytes of the struct, 1 to 512; data files may leave it out."},
    {"kn_target_type_def", "fields", "The fields of the struct, in order; required."},
    {"kn_targeting_call", "world", "The world, for reading."},
    {"kn_targeting_call", "user", "The `user` of the targeting def."},
    {"kn_targeting_call", "owner", "The entity that asks."},
    {"kn_targeting_call", "avatar", "The owner's body; the owner itself if it has no other."},
    {"kn_targeting_call", "activation", "The activation that asks; null outside an ability."},
    {"kn_targeting_call", "task", "The task that asks; null outside a task."},
    {"kn_targeting_def", "name", "Unique name; required."},
    {"kn_targeting_def", "shape",
        "Where to look for targets; default self.\n`self`: the entity itself\n`ray`: the first "
        "things that a ray hits\n`point`: the place where a ray ends: the ground under the "
        "cursor\n`sphere`: entities in a ball around a point at `offset`\n`cone`: entities in a "
        "cone\n`nearest`: the nearest entities within `radius`\n`event`: the targets that came "
        "with the event that triggered the ability\n`custom`: what a function finds"},
    {"kn_targeting_def", "from_view",
        "Start at the view point of the entity's body; otherwise at its position and facing."},
    {"kn_targeting_def", "offset",
        "Where the start is moved to: x along the facing, y and z along the axes of the world."},
    {"kn_targeting_def", "range", "Length of rays and cones."},
    {"kn_targeting_def", "radius",
        "Radius of spheres, thickness of rays, and how far `nearest` looks."},
    {"kn_targeting_def", "cosine",
        "Cosine of half the angle of a cone: 0 for a half-space, 0.5 for 60 degrees to each side."},
    {"kn_targeting_def", "limit", "Most targets; 0: as many as fit, at most 128."},
    {"kn_targeting_def", "layers", "Layers to look on, one bit for each; default all."},
    {"kn_targeting_def", "includes_self", "The entity that looks may be a target; default false."},
    {"kn_targeting_def", "tags", "Tags that a target must have, or must not have."},
    {"kn_targeting_def", "accept", "Decides last which targets are accepted; may be left out."},
    {"kn_targeting_def", "confirms",
        "Ways to confirm that the targeting supports; default all.\n`instant`: at once\n`user`: "
        "when the player presses the confirm or cancel input, or the game confirms\n`custom`: when "
        "the game confirms; inputs do not\n`custom_multi`: whenever the game confirms, any number "
        "of times"},
    {"kn_targeting_def", "interval",
        "Time between two looks; default 0: each time the game updates targeting."},
    {"kn_targeting_def", "persists",
        "Targets stay until there are new ones, or until they are destroyed."},
    {"kn_targeting_def", "server_looks",
        "The server finds the targets itself, and a client only sends that it confirmed; default "
        "false."},
    {"kn_targeting_def", "reticle_scale",
        "Scale of the reticle, for the program that draws it; default 1, 1, 1."},
    {"kn_targeting_def", "user", "Passed to `accept`, `find` and `validate`."},
    {"kn_notify_def", "time", "Seconds from the start of the animation, at rate 1."},
    {"kn_notify_def", "tag",
        "Tag of the event that the owner and the ability receive at that moment; required."},
    {"kn_section_def", "name", "Name of the section; required."},
    {"kn_section_def", "start", "Seconds from the start of the animation, at rate 1."},
    {"kn_animation_def", "name", "Unique name; required."},
    {"kn_animation_def", "length", "Length in seconds, at rate 1; above 0."},
    {"kn_animation_def", "blend_out",
        "Seconds before the end at which the animation begins to blend out, at rate 1; 0: it does "
        "not."},
    {"kn_animation_def", "sections", "Named parts, at which the animation can be started."},
    {"kn_animation_def", "notifies", "Moments at which an event is sent, in order of time."},
    {"kn_animation_def", "user",
        "64 bits for the program, such as the number of an asset; default 0."},
    {"kn_task_def", "kind",
        "What the task does or waits for.\n`delay`: waits for `delay`\n`repeat`: reports every "
        "`interval`, first after one, `count` times; 0: forever\n`event`: waits for an event with "
        "`tag` or a tag below it\n`tag_added`: waits until `tag` is gained; at once if it is "
        "there\n`tag_removed`: waits until `tag` is lost; at once if it is not there\n`tag_query`: "
        "waits until `query` matches, or does not with `when_false`; at once if so\n`attribute`: "
        "waits until `attribute` changes\n`threshold`: waits until `attribute` meets `compare` "
        "with `value`; at once if so\n`effect_applied`: waits for an active effect of "
        "`effect_type`, or any\n`effect_removed`: waits until `effect`, or one of `effect_type`, "
        "ends; at once if `effect` is gone\n`effect_stacks`: waits until the stack count of "
        "`effect`, or of one of `effect_type`, changes; `gone` when `effect` "
        "ends\n`ability_activated`: waits until another ability with any of `tags`, or any other, "
        "is activated\n`ability_committed`: waits until another ability with any of `tags`, or any "
        "other, is committed\n`ability_ended`: waits until another ability with any of `tags`, or "
        "any other, ends\n`input_pressed`: waits for a press of the ability's input; at once with "
        "`test_now` if it is down\n`input_released`: waits for a release of the ability's input; "
        "the result has the time it was held\n`confirm`: waits for the owner's confirm or cancel "
        "input\n`overlap`: waits for kn_host_overlap()\n`movement`: waits for "
        "kn_host_movement_mode() with `mode`, or any\n`animation`: plays `animation`\n`spawn`: "
        "creates an entity, on the authority and on clients that predict creation "
        "(kn_world_def.own_entities)\n`motion`: moves the owner by `motion` until it is "
        "over\n`state`: a named part of the ability that lasts until it is ended\n`net_sync`: a "
        "sync point: waits for the other side by `sync`, at most `timeout`; at once in a world "
        "that is alone, and for abilities that only one side runs. See "
        "docs/prediction.md\n`target`: looks for targets by `targeting` until they are "
        "confirmed\n`cue`: shows the cue `tag` until it ends\n`custom`: a task of a registered "
        "type"},
    {"kn_task_def", "type", "Type of a custom task."},
    {"kn_task_def", "label", "Number for the ability: returned with every result."},
    {"kn_task_def", "name", "Name to find the task by; may be left out."},
    {"kn_task_def", "entity",
        "The entity to watch; left out: the owner. An `effect` is watched on its target."},
    {"kn_task_def", "repeats", "The task goes on after a result; default false."},
    {"kn_task_def", "test_now", "Inputs: one that is down already counts."},
    {"kn_task_def", "timeout",
        "Time after which the task ends with `timed_out`; 0: never, and for `net_sync` the "
        "library's `sync_timeout`."},
    {"kn_task_def", "resource", "Resource the task claims."},
    {"kn_task_def", "conflict", "What happens when another task claims the same resource."},
    {"kn_task_def", "delay", "`delay`: time to wait."},
    {"kn_task_def", "interval", "`repeat`: time between two results."},
    {"kn_task_def", "count", "`repeat`: number of results; 0: forever."},
    {"kn_task_def", "tag", "The event, tag or cue concerned."},
    {"kn_task_def", "tags", "KN_TASK_ABILITY_*: tags of the ability to wait for; empty: any."},
    {"kn_task_def", "query", "`tag_query`: the query to match; copied."},
    {"kn_task_def", "when_false", "`tag_query`: waits until the query does not match."},
    {"kn_task_def", "attribute", "`attribute`, `threshold`: the attribute to watch."},
    {"kn_task_def", "relative_to",
        "`threshold`: `value` is a share of this attribute; left out: a number."},
    {"kn_task_def", "compare",
        "`threshold`: how the attribute is compared with `value`.\n`less`: the attribute is below "
        "the number\n`less_equal`: the attribute is at most the number\n`equal`: the attribute "
        "equals the number\n`not_equal`: the attribute differs from the number\n`greater_equal`: "
        "the attribute is at least the number\n`greater`: the attribute is above the number"},
    {"kn_task_def", "value", "`threshold`: number to compare with."},
    {"kn_task_def", "effect_type",
        "KN_TASK_EFFECT_*: the type of effect to wait for; left out: any."},
    {"kn_task_def", "effect",
        "`effect_removed`, _STACKS: the effect to watch; left out: any of the type."},
    {"kn_task_def", "mode", "`movement`: the movement mode to wait for; 0: any."},
    {"kn_task_def", "animation", "`animation`: the animation to play."},
    {"kn_task_def", "section", "`animation`: section to start at; left out: the beginning."},
    {"kn_task_def", "rate", "`animation`: speed, above 0; default 1."},
    {"kn_task_def", "start", "`animation`: where to begin within the animation."},
    {"kn_task_def", "no_result_after_blend_out",
        "`animation`: nothing is reported after `blend_out`."},
    {"kn_task_def", "user", "`spawn`: the 64 bits for the host of the spawned entity."},
    {"kn_task_def", "targeting", "`target`: how to find targets."},
    {"kn_task_def", "confirm",
        "`target`: when targets are final.\n`instant`: at once\n`user`: when the player presses "
        "the confirm or cancel input, or the game confirms\n`custom`: when the game confirms; "
        "inputs do not\n`custom_multi`: whenever the game confirms, any number of times"},
    {"kn_task_def", "motion", "`motion`: how to move the owner; copied."},
    {"kn_task_def", "motion_start",
        "`motion`: where and how the motion begins; the time is filled in."},
    {"kn_task_def", "sync",
        "`net_sync`: who waits; default the server.\n`server_waits`: the server waits for the "
        "client's signal; the client goes on at once. Both have then gone on at the same simulated "
        "time, if the signal came in time for its tick\n`client_waits`: the client waits until the "
        "server is known to have passed; the server goes on at once\n`both_wait`: the server waits "
        "for the client's signal, the client until the server is known to have passed"},
    {"kn_task_def", "params", "`custom`: the first bytes of its state; copied."},
    {"kn_task_def", "param_size", "`custom`: bytes of `params`."},
    {"kn_task_result", "task", "The task; stale if it has ended."},
    {"kn_task_result", "kind",
        "What the task does or waits for.\n`delay`: waits for `delay`\n`repeat`: reports every "
        "`interval`, first after one, `count` times; 0: forever\n`event`: waits for an event with "
        "`tag` or a tag below it\n`tag_added`: waits until `tag` is gained; at once if it is "
        "there\n`tag_removed`: waits until `tag` is lost; at once if it is not there\n`tag_query`: "
        "waits until `query` matches, or does not with `when_false`; at once if so\n`attribute`: "
        "waits until `attribute` changes\n`threshold`: waits until `attribute` meets `compare` "
        "with `value`; at once if so\n`effect_applied`: waits for an active effect of "
        "`effect_type`, or any\n`effect_removed`: waits until `effect`, or one of `effect_type`, "
        "ends; at once if `effect` is gone\n`effect_stacks`: waits until the stack count of "
        "`effect`, or of one of `effect_type`, changes; `gone` when `effect` "
        "ends\n`ability_activated`: waits until another ability with any of `tags`, or any other, "
        "is activated\n`ability_committed`: waits until another ability with any of `tags`, or any "
        "other, is committed\n`ability_ended`: waits until another ability with any of `tags`, or "
        "any other, ends\n`input_pressed`: waits for a press of the ability's input; at once with "
        "`test_now` if it is down\n`input_released`: waits for a release of the ability's input; "
        "the result has the time it was held\n`confirm`: waits for the owner's confirm or cancel "
        "input\n`overlap`: waits for kn_host_overlap()\n`movement`: waits for "
        "kn_host_movement_mode() with `mode`, or any\n`animation`: plays `animation`\n`spawn`: "
        "creates an entity, on the authority and on clients that predict creation "
        "(kn_world_def.own_entities)\n`motion`: moves the owner by `motion` until it is "
        "over\n`state`: a named part of the ability that lasts until it is ended\n`net_sync`: a "
        "sync point: waits for the other side by `sync`, at most `timeout`; at once in a world "
        "that is alone, and for abilities that only one side runs. See "
        "docs/prediction.md\n`target`: looks for targets by `targeting` until they are "
        "confirmed\n`cue`: shows the cue `tag` until it ends\n`custom`: a task of a registered "
        "type"},
    {"kn_task_result", "output",
        "What the task reports.\n`fired`: what it waited for happened\n`finished`: nothing more "
        "will come: a motion or a state has ended\n`confirmed`: `confirm`: the player "
        "confirmed\n`cancelled`: `confirm`, `target`: the player cancelled\n`blend_out`: "
        "`animation`: the last part began\n`completed`: `animation`: it was played to its "
        "end\n`interrupted`: another task claimed its resource, the host stopped the animation, or "
        "the owner of an animation or a motion got another body\n`notify`: `animation`: a notify "
        "was reached, `tag`\n`timed_out`: `timeout` passed first\n`gone`: what it watched is gone"},
    {"kn_task_result", "label", "Number that the ability gave the task."},
    {"kn_task_result", "name", "Name of the task."},
    {"kn_task_info", "kind",
        "What the task does or waits for.\n`delay`: waits for `delay`\n`repeat`: reports every "
        "`interval`, first after one, `count` times; 0: forever\n`event`: waits for an event with "
        "`tag` or a tag below it\n`tag_added`: waits until `tag` is gained; at once if it is "
        "there\n`tag_removed`: waits until `tag` is lost; at once if it is not there\n`tag_query`: "
        "waits until `query` matches, or does not with `when_false`; at once if so\n`attribute`: "
        "waits until `attribute` changes\n`threshold`: waits until `attribute` meets `compare` "
        "with `value`; at once if so\n`effect_applied`: waits for an active effect of "
        "`effect_type`, or any\n`effect_removed`: waits until `effect`, or one of `effect_type`, "
        "ends; at once if `effect` is gone\n`effect_stacks`: waits until the stack count of "
        "`effect`, or of one of `effect_type`, changes; `gone` when `effect` "
        "ends\n`ability_activated`: waits until another ability with any of `tags`, or any other, "
        "is activated\n`ability_committed`: waits until another ability with any of `tags`, or any "
        "other, is committed\n`ability_ended`: waits until another ability with any of `tags`, or "
        "any other, ends\n`input_pressed`: waits for a press of the ability's input; at once with "
        "`test_now` if it is down\n`input_released`: waits for a release of the ability's input; "
        "the result has the time it was held\n`confirm`: waits for the owner's confirm or cancel "
        "input\n`overlap`: waits for kn_host_overlap()\n`movement`: waits for "
        "kn_host_movement_mode() with `mode`, or any\n`animation`: plays `animation`\n`spawn`: "
        "creates an entity, on the authority and on clients that predict creation "
        "(kn_world_def.own_entities)\n`motion`: moves the owner by `motion` until it is "
        "over\n`state`: a named part of the ability that lasts until it is ended\n`net_sync`: a "
        "sync point: waits for the other side by `sync`, at most `timeout`; at once in a world "
        "that is alone, and for abilities that only one side runs. See "
        "docs/prediction.md\n`target`: looks for targets by `targeting` until they are "
        "confirmed\n`cue`: shows the cue `tag` until it ends\n`custom`: a task of a registered "
        "type"},
    {"kn_task_info", "type", "Type of a custom task; null for other kinds."},
    {"kn_task_info", "activation", "The activation the task belongs to."},
    {"kn_task_info", "label", "Number that the ability gave the task."},
    {"kn_task_info", "name", "Name of the task."},
    {"kn_task_info", "is_started", "Kn_task_start() was called."},
    {"kn_task_info", "start", "Simulated time at which it was started."},
    {"kn_task_info", "due", "Simulated time at which its timer fires; KN_TIME_INFINITE for none."},
    {"kn_task_call", "world", "The world; may be changed."},
    {"kn_task_call", "user", "The `user` of the task type."},
    {"kn_task_call", "task", "The task the hook is called for."},
    {"kn_task_call", "activation", "The activation the task belongs to."},
    {"kn_task_call", "ability", "The ability that the activation runs."},
    {"kn_task_call", "owner", "The entity that has the ability."},
    {"kn_task_type_def", "name", "Unique name; required."},
    {"kn_task_type_def", "state_size",
        "Bytes of state, at most 4096: plain data without pointers; `params` of the task come "
        "first."},
    {"kn_task_type_def", "state_fields",
        "The fields of the state, in order, covering all of it: it is saved and dumped by name. "
        "None: it is saved as raw bytes."},
    {"kn_task_type_def", "user", "Passed to every hook."},
    {"kn_ticker_def", "name", "Unique name, also among components and timers; required."},
    {"kn_ticker_def", "interval", "Time between two checks, above 0; required."},
    {"kn_ticker_def", "state_size",
        "Bytes of state on each entity, at most 4096: plain data without pointers."},
    {"kn_ticker_def", "state_fields",
        "The fields of the state, in order, covering all of it; required if there is a state."},
    {"kn_ticker_def", "added",
        "Called when it is added to an entity, to fill in its state, which is zeroed; may be left "
        "out."},
    {"kn_ticker_def", "should_start",
        "Called at each check while it is not running: whether it starts; left out: it starts at "
        "once."},
    {"kn_ticker_def", "should_stop",
        "Called at each check while it is running: whether it stops; left out: it stops when "
        "`should_start` no longer holds."},
    {"kn_ticker_def", "tick",
        "Called at each check while it is running and does not stop; may be left out."},
    {"kn_ticker_def", "stopped",
        "Called when it stops running, or is removed while running; not called when its entity is "
        "destroyed; may be left out."},
    {"kn_ticker_def", "user", "Passed to the hooks."},
    {"kn_value_profile", "multiply_compound",
        "What `multiply` means: true `multiply_compound`, false `multiply_additive`."},
    {"kn_value_profile", "divide_compound",
        "What `divide` means: true `divide_compound`, false `divide_additive`."},
    {"kn_value_profile", "allow_divide",
        "Modifiers may divide; false: registering one that does is refused."},
    {"kn_value_profile", "allow_override",
        "Modifiers may override; false: registering one that does is refused."},
    {"kn_value_profile", "allow_final",
        "Modifiers may use `add_final`; false: registering one that does is refused."},
    {"kn_value_profile", "scale_with_stacks",
        "Modifiers scale with their effect's stack count unless their `scaling` says otherwise."},
    {"kn_value_profile", "clamp_factors", "A compound factor below 0 counts as 0."},
    {"kn_value_profile", "clamp_sum",
        "The base and all that is added to it make at least 0 (clamp A)."},
    {"kn_value_profile", "clamp_product", "The result after all factors is at least 0 (clamp B)."},
    {"kn_curve_point", "x", "Where the point is, usually a level."},
    {"kn_curve_point", "y", "Value of the curve at x."},
    {"kn_curve_def", "name", "Unique name; required."},
    {"kn_curve_def", "kind",
        "How values between two points are found; default `linear`.\n`step`: the y of the last "
        "point at or before x; before the first point, that of the first\n`linear`: straight lines "
        "between points; before the first and after the last, their y"},
    {"kn_curve_def", "points",
        "The points of the curve, at least one; x must increase, and all numbers must be finite."},
    {"kn_scalable", "value", "The number; with `curve`, a factor on it."},
    {"kn_scalable", "curve",
        "The value is multiplied by this curve at the level; left out: it is the same at every "
        "level."},
    {"kn_scalable", "parameter", "A parameter of the effect that is read instead of `value`."},
    {"kn_capture", "attribute", "The attribute to read; required."},
    {"kn_capture", "key",
        "Instance of the attribute set, for entities that have the set several times; default 0."},
    {"kn_capture", "from",
        "Whose attribute to read; default source.\n`source`: the entity that applies the "
        "effect\n`target`: the entity that receives the effect\n`causer`: the weapon or projectile "
        "named in the context"},
    {"kn_capture", "value",
        "Which number of the attribute to read; default the current value.\n`final`: the current "
        "value\n`base`: the base value\n`bonus`: current value minus base value\n`up_to_channel`: "
        "the value that modifiers in channels below `channel` give\n`minimum`: the declared "
        "minimum; without one the application is refused\n`maximum`: the declared maximum; without "
        "one the application is refused\n`overflow`: what the limits cut off: the value without "
        "them minus the current value\n`effective_bonus`: current value minus base value, both "
        "within the limits"},
    {"kn_capture", "channel",
        "The first channel that is left out, for `up_to_channel`; default 0."},
    {"kn_capture", "snapshot",
        "True: the attribute is read once: the source's when the effect is prepared, the target's "
        "when it is applied. False: it is read when the effect is applied, and a lasting effect "
        "follows its changes. Default false."},
    {"kn_capture", "has_default",
        "Use `default_value` when the attribute is absent. Otherwise the application is refused; "
        "an execution that lacks a capture does nothing."},
    {"kn_capture", "default_value",
        "Value to use when the entity does not have the attribute; default 0."},
    {"kn_capture", "source_filter",
        "Only modifiers on the attribute whose source has all of these tags count; empty: all."},
    {"kn_capture", "target_filter",
        "Only modifiers on the attribute whose target has all of these tags count; empty: all."},
    {"kn_magnitude", "kind",
        "Where the number comes from; default `scalable`.\n`scalable`: the number in "
        "`scale`\n`attribute`: the attribute read by `capture`\n`calculation`: the result of "
        "`calculation`\n`set_by_caller`: the number that the application sets under "
        "`caller_tag`\n`stacks`: the stack count of the effect\n`tick_index`: how often the effect "
        "has ticked before: 0 at the first tick\n`tick_count`: how often the effect ticks in all; "
        "0 if that is unknown\n`tally_loss`: what the effect has really taken away so far; needs "
        "`keeps_tally`\n`tally_gain`: what the effect has really added so far; needs "
        "`keeps_tally`\n`tally_net`: gain minus loss so far; needs `keeps_tally`\n`pool`: each "
        "application puts `pre_add`, or the number under `caller_tag`, into a pool; a tick takes "
        "what is left of it, divided by the ticks that are left. Needs a stack with `merge` "
        "`pool`"},
    {"kn_magnitude", "scale",
        "Factor on the number that `kind` gives; default 1. For `scalable` it is the number "
        "itself; default 0."},
    {"kn_magnitude", "pre_add",
        "Added to the number before it is multiplied by `scale`; default 0."},
    {"kn_magnitude", "post_add", "Added after the multiplication by `scale`; default 0."},
    {"kn_magnitude", "capture", "The attribute to read, for `attribute`."},
    {"kn_magnitude", "calculation", "The calculation to run, for `calculation`."},
    {"kn_magnitude", "caller_tag",
        "Tag under which the application sets the number, for `set_by_caller`."},
    {"kn_magnitude", "has_default",
        "Use `default_value` when the caller value is missing; otherwise refuse."},
    {"kn_magnitude", "default_value", "Value to use when the application sets none; default 0."},
    {"kn_magnitude", "final_curve", "Curve in which the result is looked up at the end."},
    {"kn_modifier_def", "attribute", "The attribute to change; this or `value` is required."},
    {"kn_modifier_def", "key",
        "Instance of the attribute set, for entities that have the set several times; default 0."},
    {"kn_modifier_def", "value",
        "A transient value of the target to change instead of an attribute."},
    {"kn_modifier_def", "op",
        "What the modifier does with its magnitude; default add.\n`add`: adds the magnitude to the "
        "base\n`multiply`: multiplies, as the value's profile says: `multiply_additive` or "
        "`multiply_compound`\n`divide`: divides, as the value's profile says: `divide_additive` or "
        "`divide_compound`\n`multiply_additive`: factors add up: x1.5 and x1.5 make "
        "x2\n`divide_additive`: divisors add up: /1.5 and /1.5 make /2\n`multiply_compound`: "
        "factors multiply: x1.5 and x1.5 make x2.25\n`divide_compound`: divisors multiply: /1.5 "
        "and /1.5 make /2.25\n`add_final`: adds the magnitude after all factors\n`override`: "
        "replaces the value; the highest priority wins, then the last applied"},
    {"kn_modifier_def", "channel",
        "Evaluation channel, 0 to 15: the result of a channel is the base of the next; default 0."},
    {"kn_modifier_def", "magnitude", "How much to add, multiply by, divide by, or set."},
    {"kn_modifier_def", "scaling",
        "Whether the magnitude scales with the stack count; default by profile.\n`by_profile`: as "
        "the value's profile says (`scale_with_stacks`)\n`always`: the magnitude scales with the "
        "stack count\n`never`: the magnitude does not scale with the stack count"},
    {"kn_modifier_def", "stack_curve",
        "Curve looked up at the stack count: the magnitude is multiplied by it, not by the count."},
    {"kn_modifier_def", "source",
        "Tags the source must have, or must not have, for the modifier to act."},
    {"kn_modifier_def", "target",
        "Tags the target must have, or must not have, for the modifier to act."},
    {"kn_modifier_def", "event",
        "Tags the event must have, or must not have, for the modifier to act; transient values "
        "only."},
    {"kn_modifier_def", "when",
        "When the tags of source and target are tested; default applied.\n`applied`: once, at "
        "application; the default\n`ticked`: at application and at each tick\n`continuous`: "
        "whenever the tags change"},
    {"kn_modifier_def", "condition",
        "A condition on the event that must hold for the modifier to act; transient values only."},
    {"kn_modifier_def", "group",
        "Group of modifiers that combine by `group_rule`; left out: the modifier stands alone."},
    {"kn_modifier_def", "group_rule",
        "How the modifiers of the group combine; default sum.\n`sum`: all take part\n`max`: only "
        "the one that raises the result most\n`min`: only the one that lowers the result "
        "most\n`best`: the strongest that raises and the strongest that lowers the result"},
    {"kn_modifier_def", "has_limit_min",
        "The total of the group, per channel and operation, is kept within limits."},
    {"kn_modifier_def", "has_limit_max",
        "The total of the group, per channel and operation, is kept within limits."},
    {"kn_modifier_def", "limit_min",
        "Lowest total of the group; of the limits of its members, the strictest counts."},
    {"kn_modifier_def", "limit_max",
        "Highest total of the group; of the limits of its members, the strictest counts."},
    {"kn_modifier_def", "priority",
        "Of several modifiers that override, the highest priority wins; default 0."},
    {"kn_modifier_def", "tags",
        "Tags that describe this modifier, so that a gate can void it alone (`parts`)."},
    {"kn_watch_def", "name", "Unique name; required; saves find the watch by it."},
    {"kn_watch_def", "kind",
        "What it waits for; default trigger.\n`trigger`: each time that `trigger` "
        "happens\n`query`: the tags of its entity begin or cease to match `query`\n`threshold`: "
        "`attribute` of its entity begins or ceases to compare with a number"},
    {"kn_watch_def", "trigger",
        "For a trigger: what has to happen; default event.\n`event`: an event is sent or run, and "
        "its tag is `tag` or below it\n`tag_added`: an entity gains `tag`\n`tag_removed`: an "
        "entity loses `tag`\n`attribute_changed`: `attribute` changes\n`effect_applied`: an effect "
        "becomes active. Applying it once more triggers `effect_reapplied`, and an instant effect "
        "triggers `effect_executed`. Set `effect_type` to react to effects of one type only, here "
        "and in the other triggers for effects\n`effect_removed`: an active effect "
        "ends\n`effect_stacks`: the stack count of an effect changes\n`ability_activated`: an "
        "ability is activated; `ability` and `activation` say which\n`ability_committed`: an "
        "ability pays its cost\n`ability_ended`: an activation ends, for `end_reason`; its id and "
        "that of the ability may be stale already. If it was cancelled, `instigator`, `tag` and "
        "`magnitude` come from the cancel\n`overlap`: `instigator` touches the entity\n`movement`: "
        "the entity changes how it moves: `key` is the new mode\n`entity_created`: an entity is "
        "created\n`entity_destroyed`: an entity is about to be destroyed: it is dying, but "
        "everything it has can still be read\n`owner_changed`: the entity gets another owner: "
        "`other` instead of `old_other`\n`parent_changed`: the entity changes its parent from "
        "`old_other` to `other`; either may be left out\n`effect_executed`: an instant effect or a "
        "tick of a periodic effect is executed. `old_count` is the index of the tick, `new_count` "
        "the stack count; `effect` is null for an instant effect\n`effect_inhibited`: an effect is "
        "inhibited (`new_count` is 0) or starts to act again (`new_count` is 1)\n`ability_failed`: "
        "an ability cannot be activated or committed; `fail_reasons` says why\n`effect_reapplied`: "
        "an active effect is applied once more, even if that changes neither its stacks nor its "
        "time. `old_count` and `new_count` are stack counts\n`ability_granted`: the entity gains "
        "an ability. Granting a shared ability again does not trigger it\n`ability_removed`: the "
        "entity has lost an ability; its id is stale already\n`set_added`: the entity gains the "
        "attribute set `set`, instance `key`: its attributes have their starting "
        "values\n`set_removed`: the entity loses the attribute set `set`, instance "
        "`key`\n`charges`: the charges of a cooldown change from `old_count` to `new_count`, or "
        "only its running cycle changes. `ability` is the ability it belongs to; `tag` is the key "
        "of a shared cooldown\n`connection_changed`: control of the entity passes to another "
        "player or to nobody: `old_count` and `new_count` are the connections"},
    {"kn_watch_def", "tag",
        "For events: this tag or one below it; for tags: exactly this one, required; for effects "
        "and abilities: those that have the tag; left out: any."},
    {"kn_watch_def", "attribute",
        "The attribute to wait for; required for `attribute_changed` and thresholds."},
    {"kn_watch_def", "effect_type", "For effects: only those of this type; left out: any."},
    {"kn_watch_def", "effects",
        "For effects: only active ones that match when it happens; default: all, and instant "
        "effects too. `source`, `source_object` and `ignore` name things of a world: a type cannot "
        "have them."},
    {"kn_watch_def", "ability_type", "For abilities: only those of this type; left out: any."},
    {"kn_watch_def", "query", "For a query: what the tags must match; required."},
    {"kn_watch_def", "compare",
        "For a threshold: how the attribute is compared; default less.\n`less`: the attribute is "
        "below the number\n`less_equal`: the attribute is at most the number\n`equal`: the "
        "attribute equals the number\n`not_equal`: the attribute differs from the "
        "number\n`greater_equal`: the attribute is at least the number\n`greater`: the attribute "
        "is above the number"},
    {"kn_watch_def", "value", "For a threshold: the number it is compared with."},
    {"kn_watch_def", "edge",
        "Query and threshold: when it is called; default becomes_true.\n`becomes_true`: the "
        "condition begins to hold\n`becomes_false`: the condition ceases to hold\n`changes`: the "
        "condition begins or ceases to hold"},
    {"kn_watch_def", "state_size",
        "Bytes of state of each watch, at most 1024: plain data without pointers."},
    {"kn_watch_def", "state_fields",
        "The fields of the state, in order, covering all of it; required if there is a state. "
        "Saves find them by name."},
    {"kn_watch_def", "state_field_count", "Number of fields of the state."},
    {"kn_watch_def", "function", "Called when it happens; required."},
    {"kn_watch_def", "user", "Passed to `function`."},
};
const uint32_t kni_field_doc_count = sizeof(kni_field_docs) / sizeof(*kni_field_docs);
