// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What no definition may say: each mistake has its own sentence, and what is right beside it is
// taken.

#include "data_fixture.h"

static const char base[] =
    "tags: [State.Low, State.High, GameplayCue.Hit, Data.Damage, Ability.A]\n"
    "names: [P, Q]\n"
    "attribute_sets:\n"
    "  Vitals:\n"
    "    attributes:\n"
    "      Health: 100\n"
    "      Mana: 10\n"
    "      Still: {default_value: 1, is_static: true}\n"
    "      Plain: {default_value: 1, no_modifiers: true}\n"
    "values:\n"
    "  Heal: {}\n"
    "  Free: {context_free: true}\n"
    "  Wide: {profile: {allow_divide: true, allow_override: true, allow_final: true}}\n"
    "  Bare: {profile: {allow_divide: false, allow_override: false, allow_final: false}}\n"
    "effects:\n"
    "  Hit: {modifiers: {Vitals.Health: -1}}\n"
    "  Low: {duration: 5, granted_tags: [State.Low]}\n"
    "abilities: {A: {body: use}}\n"
    "event_kinds: {Free: {restrictable: false}, Gated: {restrictable: true}}\n"
    "conditions: {Any: {expression: \"1 > 0\"}}\n";

typedef struct mistake {
    const char *bad, *message;
    const char *good; // the same without the mistake; NULL if there is nothing to it
} mistake;

static const mistake mistakes[] = {
    {"effects: {E: {modifiers: [{attribute: Vitals.Health, magnitude: {kind: "
     "attribute}}]}}",
        "effect `E`, a modifier: does not name an attribute",
        "effects: {E: {modifiers: [{attribute: Vitals.Health, magnitude: {kind: attribute, "
        "capture: {attribute: Vitals.Mana}}}]}}"},
    {"effects: {E: {modifiers: [{attribute: Vitals.Health, magnitude: {kind: "
     "calculation}}]}}",
        "effect `E`, a modifier: does not name a calculation", NULL},
    {"effects: {E: {modifiers: [{attribute: Vitals.Health, magnitude: {kind: "
     "set_by_caller}}]}}",
        "effect `E`, a modifier: does not name a tag",
        "effects: {E: {modifiers: [{attribute: Vitals.Health, magnitude: {kind: "
        "set_by_caller, caller_tag: Data.Damage}}]}}"},
    {"effects: {E: {duration: {kind: attribute}}}",
        "effect `E`, duration: does not name an attribute",
        "effects: {E: {duration: {kind: attribute, capture: {attribute: Vitals.Mana}}}}"},
    {"effects: {E: {duration: 5, period: {kind: set_by_caller}}}",
        "effect `E`, period: does not name a tag",
        "effects: {E: {duration: 5, period: {kind: set_by_caller, caller_tag: Data.Damage}}}"},
    {"effects: {E: {raises: [{tag: Data.Damage}, {tag: Data.Damage, magnitude: {kind: "
     "attribute}}]}}",
        "effect `E`, a raised event: does not name an attribute",
        "effects: {E: {raises: [{tag: Data.Damage}, {tag: Data.Damage, magnitude: 3}]}}"},
    {"effects: {E: {modifiers: [{magnitude: 1}]}}",
        "effect `E`: a modifier changes either one attribute or one value",
        "effects: {E: {duration: 5, modifiers: [{value: Heal, magnitude: 1}]}}"},
    {"effects: {E: {duration: 5, modifiers: [{attribute: Vitals.Health, value: Heal, "
     "magnitude: 1}]}}",
        "effect `E`: a modifier changes either one attribute or one value",
        "effects: {E: {duration: 5, modifiers: [{attribute: Vitals.Health, magnitude: 1}]}}"},
    {"effects: {E: {modifiers: [{attribute: Vitals.Health, channel: 16, magnitude: 1}]}}",
        "effect `E`: the channel must be from 0 to 15",
        "effects: {E: {modifiers: [{attribute: Vitals.Health, channel: 15, magnitude: 1}]}}"},
    {"effects: {E: {duration: 5, modifiers: [{value: Bare, op: divide, magnitude: 2}]}}",
        "effect `E`: the value's profile does not allow Divide Compound",
        "effects: {E: {duration: 5, modifiers: [{value: Wide, op: divide, magnitude: 2}]}}"},
    {"effects: {E: {duration: 5, modifiers: [{value: Bare, op: override, magnitude: 2}]}}",
        "effect `E`: the value's profile does not allow Override",
        "effects: {E: {duration: 5, modifiers: [{value: Wide, op: override, magnitude: 2}]}}"},
    {"effects: {E: {duration: 5, modifiers: [{value: Bare, op: add_final, magnitude: 2}]}}",
        "effect `E`: the value's profile does not allow Add Final",
        "effects: {E: {duration: 5, modifiers: [{value: Wide, op: add_final, magnitude: 2}]}}"},
    {"effects: {E: {modifiers: [{attribute: Vitals.Health, op: divide, magnitude: 0}]}}",
        "effect `E` divides by zero",
        "effects: {E: {modifiers: [{attribute: Vitals.Health, op: divide, magnitude: 0.5}]}}"},
    {"effects: {E: {duration: 5, modifiers: [{attribute: Vitals.Health, magnitude: {kind: "
     "pool, scale: 9}}]}}",
        "effect `E`: a pool is dealt out by ticks, so the effect needs a period",
        "effects: {E: {duration: 5, period: 1, modifiers: [{attribute: Vitals.Health, "
        "magnitude: {kind: pool, scale: 9}}]}}"},
    {"effects: {E: {duration: 5, modifiers: [{attribute: Vitals.Health, condition: Any, "
     "magnitude: 1}]}}",
        "effect `E`: Vitals.Health is cached, so its modifiers cannot look at an event",
        "effects: {E: {duration: 5, modifiers: [{value: Heal, condition: Any, magnitude: "
        "1}]}}"},
    {"effects: {E: {duration: 5, modifiers: [{attribute: Vitals.Health, event: "
     "[State.Low], magnitude: 1}]}}",
        "effect `E`: Vitals.Health is cached, so its modifiers cannot look at an event",
        "effects: {E: {duration: 5, modifiers: [{value: Heal, event: [State.Low], magnitude: "
        "1}]}}"},
    {"effects: {E: {modifiers: {Vitals.Still: 1}}}",
        "effect `E`: Vitals.Still does not accept such modifiers",
        "effects: {E: {modifiers: {Vitals.Plain: 1}}}"},
    {"effects: {E: {duration: 5, modifiers: {Vitals.Plain: 1}}}",
        "effect `E`: Vitals.Plain does not accept such modifiers",
        "effects: {E: {duration: 5, period: 1, modifiers: {Vitals.Plain: 1}}}"},
    {"effects: {E: {duration: 5, modifiers: [{value: Free, condition: Any, magnitude: "
     "1}]}}",
        "effect `E`: value `Free` is context-free, so its modifiers cannot have conditions",
        "effects: {E: {duration: 5, modifiers: [{value: Free, magnitude: 1}]}}"},
    {"effects: {E: {modifiers: [{value: Heal, magnitude: 1}]}}",
        "effect `E`: only an effect with a duration and without a period can modify value `Heal`",
        "effects: {E: {duration: infinite, modifiers: [{value: Heal, magnitude: 1}]}}"},
    {"effects: {E: {duration: 5, period: 1, modifiers: [{value: Heal, magnitude: 1}]}}",
        "effect `E`: only an effect with a duration and without a period can modify value `Heal`",
        NULL},
    {"effects: {E: {duration: 5, gates: [{}]}}",
        "effect `E`: a gate without any test would block everything",
        "effects: {E: {duration: 5, gates: [{source_any: [State.Low]}, {types: [Hit]}, "
        "{modifies: Vitals.Health}, {condition: Any}, {parts: [State.Low]}, {source: "
        "[State.Low]}, {record: [State.Low]}]}}"},
    {"effects: {E: {duration: 5, gates: [{kind: Free, source_any: [State.Low]}]}}",
        "effect `E`: event kind `Free` has no gates",
        "effects: {E: {duration: 5, gates: [{kind: Gated, source_any: [State.Low]}]}}"},
    {"effects: {E: {duration: 5, gates: [{kind: Gated, types: [Hit]}]}}",
        "effect `E`: types, attributes and parts are only for gates on effect applications",
        "effects: {E: {duration: 5, gates: [{types: [Hit]}]}}"},
    {"effects: {E: {duration: 5, gates: [{kind: Gated, modifies: Vitals.Health}]}}",
        "effect `E`: types, attributes and parts are only for gates on effect applications", NULL},
    {"effects: {E: {duration: 5, gates: [{kind: Gated, parts: [State.Low]}]}}",
        "effect `E`: types, attributes and parts are only for gates on effect applications", NULL},
    {"effects: {E: {application: {attributes: [{attribute: Vitals.Mana, min: 1}, "
     "{attribute: Vitals.Mana}]}}}",
        "effect `E`, application condition 1: needs an attribute of source or target, and a "
        "minimum (`min`, `above`) or maximum (`max`, `below`)",
        "effects: {E: {application: {attributes: [{attribute: Vitals.Mana, max: 1}, "
        "{attribute: Vitals.Mana, above: 1}, {attribute: Vitals.Mana, below: 1}]}}}"},
    {"effects: {E: {duration: 5, ongoing: {attributes: [{min: 1}]}}}",
        "effect `E`, ongoing condition 0: needs an attribute of source or target, and a minimum "
        "(`min`, `above`) or maximum (`max`, `below`)",
        NULL},
    {"effects: {E: {duration: 5, removal: {attributes: [{attribute: Vitals.Mana, min: 1, "
     "from: causer}]}}}",
        "effect `E`, removal condition 0: needs an attribute of source or target, and a minimum "
        "(`min`, `above`) or maximum (`max`, `below`)",
        "effects: {E: {duration: 5, removal: {attributes: [{attribute: Vitals.Mana, min: 1, "
        "from: source}]}}}"},
    {"effects: {E: {duration: 5, granted_tags: [State.High, State.Low], ongoing: {target: "
     "{ignored: [State.Low]}}}}",
        "effect `E` grants State.Low, which its ongoing requirement forbids",
        "effects: {E: {duration: 5, granted_tags: [State.High], ongoing: {target: {ignored: "
        "[State.Low]}}}}"},
    {"effects: {E: {duration: 5, granted_tags: [State.Low], removal: {target: [State]}}}",
        "effect `E` grants State.Low, which removes it",
        "effects: {E: {duration: 5, granted_tags: [State.Low], removal: {target: [State, "
        "Ability.A]}}}"},
    {"effects: {E: {duration: 0}}", "effect `E`: its duration must be above 0",
        "effects: {E: {duration: 0.001}}"},
    {"effects: {E: {period: 1}}", "effect `E`: an instant effect has no period", NULL},
    {"effects: {E: {duration: 5, period: 0}}", "effect `E`: its period must be above 0",
        "effects: {E: {duration: 5, period: 0.000001}}"},
    {"effects: {E: {stacking: {kind: by_target}}}", "effect `E`: an instant effect cannot stack",
        "effects: {E: {duration: 5, stacking: {kind: by_target}}}"},
    {"effects: {E: {duration: 5, stacking: {own_timers: true}}}",
        "effect `E` has stack rules but does not stack",
        "effects: {E: {duration: 5, stacking: {kind: by_target, own_timers: true}}}"},
    {"effects: {E: {duration: 5, stacking: {tick_on_stack: true}}}",
        "effect `E` has stack rules but does not stack",
        "effects: {E: {duration: 5, stacking: {kind: by_target, tick_on_stack: true}}}"},
    {"effects: {E: {duration: 5, stacking: {deny_overflow: true}}}",
        "effect `E` has stack rules but does not stack",
        "effects: {E: {duration: 5, stacking: {kind: by_source, deny_overflow: true}}}"},
    {"effects: {E: {duration: infinite, stacking: {kind: by_target, own_timers: true}}}",
        "effect `E`: stacks with their own timers need a duration", NULL},
    {"effects: {E: {duration: 5, live_duration: rescale, stacking: {kind: by_target, "
     "own_timers: true}}}",
        "effect `E`: stacks with their own timers keep the duration they began with",
        "effects: {E: {duration: 5, live_duration: none, stacking: {kind: by_target, "
        "own_timers: true}}}"},
    {"effects: {E: {duration: 5, stacking: {kind: by_target, clear_on_overflow: true}}}",
        "effect `E`: `clear_on_overflow` needs `deny_overflow`",
        "effects: {E: {duration: 5, stacking: {kind: by_target, clear_on_overflow: true, "
        "deny_overflow: true}}}"},
    {"effects: {E: {cue_tags: [GameplayCue.Hit, State.Low]}}",
        "effect `E`: State.Low is not registered as a cue",
        "effects: {E: {cue_tags: [GameplayCue.Hit]}}"},
    {"effects: {E: {cancels: [{with: [Ability]}, {}]}}",
        "effect `E`: entry 1 of the abilities it cancels does not name a tag",
        "effects: {E: {cancels: [{with: [Ability]}, {without: [Ability]}]}}"},
    {"effects: {E: {duration: 5, cancels: [{with: [Ability], on_tick: true}]}}",
        "effect `E`: it cancels on ticks but has no period",
        "effects: {E: {duration: 5, period: 1, cancels: [{with: [Ability], on_tick: true}]}}"},
    {"effects: {E: {grants: [A]}}", "effect `E`: an instant effect cannot grant abilities",
        "effects: {E: {duration: 5, grants: [A]}}"},
    {"effects: {E: {acts_on_owned: true}}",
        "effect `E`: only an effect with a duration and without a period can act on owned entities",
        "effects: {E: {duration: infinite, acts_on_owned: true}}"},
    {"effects: {E: {duration: 5, period: 1, acts_on_owned: true}}",
        "effect `E`: only an effect with a duration and without a period can act on owned entities",
        "effects: {E: {duration: 5, acts_on_owned: true}}"},
    {"effects: {E: {duration: 5, stacking: {kind: by_target}, children: [Hit, {type: Hit, "
     "when: count_reached, count: 1}]}}",
        "effect `E`, child 1: a threshold must be at least 2",
        "effects: {E: {duration: 5, stacking: {kind: by_target}, children: [Hit, {type: Hit, "
        "when: count_reached, count: 2}]}}"},
    {"effects: {E: {duration: 5, stacking: {kind: by_target}, children: [{type: Low, "
     "when: count_held, count: 1}]}}",
        "effect `E`, child 0: a threshold must be at least 2",
        "effects: {E: {duration: 5, stacking: {kind: by_target}, children: [{type: Low, "
        "when: count_held, count: 2}]}}"},
    {"effects: {E: {children: [Hit, {when: applied}]}}",
        "effect `E`, child 1 does not name an effect", NULL},
    {"effects: {E: {duration: 5, tag_edits: [{tag: State.Low}, {kind: remove}]}}",
        "effect `E`, tag edit 1 does not name a tag",
        "effects: {E: {duration: 5, tag_edits: [{tag: State.Low}, {kind: remove, tag: "
        "State.Low}]}}"},
    {"effects: {E: {duration: 5, tag_edits: [{kind: replace, tag: State.Low}]}}",
        "effect `E`, tag edit 0 does not name a tag",
        "effects: {E: {duration: 5, tag_edits: [{kind: replace, tag: State.Low, with: "
        "State.High}]}}"},
    {"effects: {E: {raises: [{tag: Data.Damage}, {}]}}",
        "effect `E`, raised event 1 does not name a tag", NULL},
    {"effects: {E: {parameters: [{name: P}, {name: Q}, {name: P}]}}",
        "effect `E`: parameter 2 needs a unique name",
        "effects: {E: {parameters: [{name: P}, {name: Q}]}}"},
    {"effects: {E: {chance: 1.5}}", "effect `E`: the chance must be from 0 to 1",
        "effects: {E: {chance: 1}}"},
    {"effects: {E: {chance: -0.5}}", "effect `E`: the chance must be from 0 to 1",
        "effects: {E: {chance: 0}}"},
    {"effects: {E: {executions: [{}]}}", "effect `E` uses an execution without a name", NULL},
    {"attribute_sets: {Bad: {attributes: {A: {has_random: true, random_min: 2, "
     "random_max: 1}}}}",
        "Bad.A: random_min is above random_max",
        "attribute_sets: {Bad: {attributes: {A: {has_random: true, random_min: 2, "
        "random_max: 2}}}}"},
    {"attribute_sets: {Bad: {attributes: {A: {default_value: 1, max: Nobody}}}}",
        "Bad.A is limited by `Nobody`, which is not declared",
        "attribute_sets: {Bad: {attributes: {A: {default_value: 1, max: B}, B: 1}}}"},
    {"attribute_sets: {Bad: {attributes: {A: {default_value: 1, max: B}, B: "
     "{default_value: 1, base_max: A}}}}",
        "Bad.A is limited by itself, through other attributes: break the cycle",
        "attribute_sets: {Bad: {attributes: {A: {default_value: 1, max: B}, B: "
        "{default_value: 1, base_max: C}, C: 1}}}"},
    {"attribute_sets: {Bad: {attributes: {A: {default_value: 1, min: 2, max: 1}}}}",
        "Bad.A: its minimum is above its maximum",
        "attribute_sets: {Bad: {attributes: {A: {default_value: 2, min: 2, max: 2}}}}"},
    {"attribute_sets: {Bad: {attributes: {A: {default_value: 1, event_kind: Gated}}}}",
        "Bad.A: only a meta attribute can run an event kind",
        "attribute_sets: {Bad: {attributes: {A: {default_value: 1, is_meta: true, "
        "event_kind: Gated}}}}"},
    {"attribute_sets: {Bad: {attributes: {}}}", "set `Bad` needs 1 to 4096 attributes", NULL},
    {"values: {Bad: {min: 2, max: 1}}", "value `Bad`: its minimum is above its maximum",
        "values: {Bad: {min: 2, max: 2}}"},
    {"curves: {C: [[1, 1], [1, 2]]}", "curve `C`: x of point 1 does not increase",
        "curves: {C: [[1, 1], [2, 2]]}"},
    {"ability_sets: {S: {entries: [A, {level: 2}]}}",
        "ability set `S`: entry 1 does not name an ability",
        "ability_sets: {S: {entries: [A, {type: A, level: 2}]}}"},
    {"animations: {X: {length: 0}}",
        "animation `X`: the length must be above 0, and the blend-out must not exceed it",
        "animations: {X: {length: 1}}"},
    {"animations: {X: {length: 1, blend_out: 2}}",
        "animation `X`: the length must be above 0, and the blend-out must not exceed it",
        "animations: {X: {length: 1, blend_out: 1}}"},
    {"animations: {X: {length: 2, notifies: [{tag: State.Low, time: 1}, {tag: State.Low, "
     "time: 0.5}]}}",
        "animation `X`: notify 1 has no tag, or is earlier than the previous one",
        "animations: {X: {length: 2, notifies: [{tag: State.Low, time: 1}, {tag: State.Low, "
        "time: 1}]}}"},
    {"animations: {X: {length: 2, notifies: [{time: 1}]}}",
        "animation `X`: notify 0 has no tag, or is earlier than the previous one", NULL},
    {"animations: {X: {length: 2, sections: [{name: P, start: 0}, {name: Q, start: 3}]}}",
        "animation `X`: section 1 has no name, or lies outside the animation",
        "animations: {X: {length: 2, sections: [{name: P, start: 0}, {name: Q, start: 1}]}}"},
    {"archetypes: {X: {sets: [Vitals], abilities: [A, {while_active: false}]}}",
        "there is no field `while_active` here; expected one of: type, level, input, parameters",
        "archetypes: {X: {sets: [Vitals], abilities: [A, {type: A, level: 1}]}}"},
    {"archetypes: {X: {sets: [Vitals], effects: [Low, {while_active: false}]}}",
        "there is no field `while_active` here; expected one of: type, level",
        "archetypes: {X: {sets: [Vitals], effects: [Low, {type: Low, level: 1}]}}"},
    {"archetypes: {X: {values: {Vitals.Health: 3}}}",
        "archetype `X` has a value for Vitals.Health, but none of its sets has that attribute",
        "archetypes: {X: {sets: [Vitals], values: {Vitals.Health: 3}}}"},
    {"targetings: {T: {range: -1}}",
        "targeting `T`: range, radius and interval must be at least 0, the cosine from -1 to 1",
        "targetings: {T: {range: 0}}"},
    {"containers: {C: {effects: []}}",
        "container `C` needs effects, and a function or type for targets it has to find",
        "containers: {C: {effects: [Hit]}}"},
    {"components: {C: {fields: {}}}",
        "component `C`: its size must be 1 to 65536, with a field table for every part",
        "components: {C: {fields: {a: u8}}}"},
    {"executions: {X: {captures: [{}]}}", "execution `X`: capture 0 does not name an attribute",
        NULL},
    {"attribute_sets: {Bad: {attributes: {A: {default_value: 1, qualify: custom}}}}",
        "Bad.A: a custom policy needs a function", NULL},
    {"attribute_sets: {Bad: {attributes: {A: {default_value: 1, is_meta: true, "
     "event_kind: Nothing}}}}",
        "Bad.A runs event kind `Nothing`, which is not registered", NULL},
    {"attribute_sets: {Bad: {attributes: {A: {default_value: 1, base_min: 2, base_max: "
     "1}}}}",
        "Bad.A: its minimum is above its maximum",
        "attribute_sets: {Bad: {attributes: {A: {default_value: 1, base_min: 1, base_max: 1, "
        "min: 3, max: 3}}}}"},
    {"targetings: {T: {radius: -1}}",
        "targeting `T`: range, radius and interval must be at least 0, the cosine from -1 to 1",
        "targetings: {T: {radius: 0, cosine: -1}}"},
    {"targetings: {T: {cosine: 1.5}}",
        "targeting `T`: range, radius and interval must be at least 0, the cosine from -1 to 1",
        "targetings: {T: {cosine: 1}}"},
    {"targetings: {T: {cosine: -1.5}}",
        "targeting `T`: range, radius and interval must be at least 0, the cosine from -1 to 1",
        NULL},
    {"targetings: {T: {shape: custom}}", "targeting `T` has no function to find targets", NULL},
    {"abilities: {B: {body: use, cost_effect: Low}}",
        "ability `B`: its cost must be an instant effect of modifiers, without executions",
        "abilities: {B: {body: use, cost_effect: Hit}}"},
    {"effects: {E: {chance: 0.5}}\n"
     "abilities: {B: {body: use, cost_effect: E}}",
        "ability `B`: its cost effect must not have conditions or a chance", NULL},
    {"effects: {E: {application: {target: [State.Low]}}}\n"
     "abilities: {B: {body: use, cost_effect: E}}",
        "ability `B`: its cost effect must not have conditions or a chance", NULL},
    {"effects: {E: {application: {source: [State.Low]}}}\n"
     "abilities: {B: {body: use, cost_effect: E}}",
        "ability `B`: its cost effect must not have conditions or a chance", NULL},
    {"effects: {E: {application: {attributes: [{attribute: Vitals.Mana, min: 1}]}}}\n"
     "abilities: {B: {body: use, cost_effect: E}}",
        "ability `B`: its cost effect must not have conditions or a chance", NULL},
    {"abilities: {B: {body: use, cooldown_effect: Hit}}",
        "ability `B`: its cooldown effect must have a duration",
        "abilities: {B: {body: use, cooldown_effect: Low}}"},
    {"effects: {E: {duration: 5, chance: 0.5, granted_tags: [State.Low]}}\n"
     "abilities: {B: {body: use, cooldown_effect: E}}",
        "ability `B`: its cooldown effect must not have conditions or a chance", NULL},
    {"effects: {E: {duration: 5, removal: {target: [State.Low]}, granted_tags: "
     "[State.High]}}\n"
     "abilities: {B: {body: use, cooldown_effect: E}}",
        "ability `B`: its cooldown effect must not have conditions or a chance", NULL},
    {"effects: {E: {duration: 5}}\n"
     "abilities: {B: {body: use, cooldown_effect: E}}",
        "ability `B`: its cooldown effect must grant a tag that identifies it",
        "effects: {E: {duration: 5}}\n"
        "abilities: {B: {body: use, cooldown_effect: E, cooldown_tags: [State.Low]}}"},
    {"abilities: {B: {body: use, applies: [{while_active: false}]}}",
        "ability `B`: each entry of `applies` names either an effect or a container",
        "abilities: {B: {body: use, applies: [{effect: Hit}]}}"},
    {"containers: {C: {effects: [Hit]}}\n"
     "abilities: {B: {body: use, applies: [{effect: Hit, container: C}]}}",
        "ability `B`: each entry of `applies` names either an effect or a container",
        "containers: {C: {effects: [Hit]}}\n"
        "abilities: {B: {body: use, applies: [{container: C}]}}"},
    {"abilities: {B: {body: use, applies: [{effect: Hit, to: targeting}]}}",
        "ability `B`: `to: targeting` needs a `targeting` type, and `targeting` needs `to: "
        "targeting`",
        NULL},
    {"targetings: {T: {range: 5}}\n"
     "abilities: {B: {body: use, applies: [{effect: Hit, targeting: T}]}}",
        "ability `B`: `to: targeting` needs a `targeting` type, and `targeting` needs `to: "
        "targeting`",
        "targetings: {T: {range: 5}}\n"
        "abilities: {B: {body: use, applies: [{effect: Hit, to: targeting, targeting: T}]}}"},
    {"targetings: {T: {range: 5}}\n"
     "containers: {C: {effects: [Hit]}}\n"
     "abilities: {B: {body: use, applies: [{container: C, to: targeting, targeting: T}]}}",
        "ability `B`: `targeting` is for effects; a container finds its own targets", NULL},
    {"abilities: {B: {body: use, applies: [{effect: Low, while_active: true}]}}",
        "ability `B`: `while_active` needs a body that lasts; this one ends at once",
        "abilities: {B: {body: stay, applies: [{effect: Low, while_active: true}]}}"},
    {"abilities: {B: {body: stay, applies: [{effect: Hit, while_active: true}]}}",
        "ability `B`: `while_active` needs an effect with a duration",
        "abilities: {B: {body: stay, applies: [{effect: Hit}]}}"},
    {"abilities: {B: {triggers: [{tag: State.Low}]}}",
        "ability `B`: it has triggers but nothing to do; give it a body, such as `use`, or "
        "functions",
        "abilities: {B: {body: use, triggers: [{tag: State.Low}]}}"},
    {"abilities: {B: {applies: [{effect: Hit}]}}",
        "ability `B`: `applies` and `lasts` need a body, such as `use`", NULL},
    {"abilities: {B: {lasts: 3}}", "ability `B`: `applies` and `lasts` need a body, such as `use`",
        "abilities: {B: {body: timed, lasts: 3}}"},
    {"abilities: {B: {body: stay, instancing: non_instanced}}",
        "ability `B`: without instances the body can only be `use`",
        "abilities: {B: {body: use, instancing: non_instanced}}"},
    {"abilities: {B: {body: use, lasts: 3}}",
        "ability `B`: the body `timed` needs `lasts`, and `lasts` needs the body `timed`", NULL},
    {"abilities: {B: {body: timed}}",
        "ability `B`: the body `timed` needs `lasts`, and `lasts` needs the body `timed`", NULL},
    {"abilities: {B: {body: effects}}",
        "ability `B`: the body `effects` needs effects in `applies`",
        "abilities: {B: {body: effects, applies: [{effect: Low}]}}"},
    {"abilities: {B: {body: use, costs: [{attribute: Vitals.Mana, amount: 1}, {amount: "
     "1}]}}",
        "ability `B`: a cost does not name an attribute",
        "abilities: {B: {body: use, costs: [{attribute: Vitals.Mana, amount: 1}]}}"},
    {"abilities: {B: {body: use, cooldowns: [{duration: 1}, {duration: 2}]}}",
        "ability `B`: with several cooldowns, each needs a key",
        "abilities: {B: {body: use, cooldowns: [{duration: 1}, {duration: 2, key: "
        "State.Low}]}}"},
    {"effects: {\"a/b\": {duration: 5}}",
        "effect `a/b`: a name has 1 to 255 characters: letters, digits, `_`, `-`, `.` and spaces",
        "effects: {\"a_b-c.d 9\": {duration: 5}}"},
    {"effects: {E: {application: {target: {query: State.Low}}}}",
        "`State.Low` is a tag; put it into an operator such as any_tags()",
        "effects: {E: {application: {target: {query: any_tags(State.Low)}}}}"},
    {"effects: {E: {application: {target: {query: any_tag(State.Low)}}}}",
        "`any_tag` is not an operator; did you mean `any_tags`?",
        "effects: {E: {application: {target: {query: all_tags_exact(State.Low)}}}}"},
    {"effects: {E: {application: {target: {query: sometimes(State.Low)}}}}",
        "`sometimes` is not an operator; the operators are any_tags, all_tags, no_tags, the same "
        "with _exact, any, all and none",
        NULL},
    {"effects: {E: {application: {target: {query: \")\"}}}}",
        "expected an operator such as `any_tags(`, not `)`", NULL},
    {"effects: {E: {application: {target: {query: \"any_tags(State.Low\"}}}}",
        "expected `,` or `)`, not the end", NULL},
    {"effects: {E: {application: {target: {query: \"any_tags(State.Low,)\"}}}}",
        "expected the name of a tag, not `)`", NULL},
    {"effects: {E: {application: {target: {query: \"any_tags(State.Low) "
     "no_tags(State.High)\"}}}}",
        "expected the end of the query, not `n`; join nodes with all(...) or any(...)",
        "effects: {E: {application: {target: {query: \"all(any_tags(State.Low), "
        "no_tags(State.High))\"}}}}"},
    {"effects: {E: {application: {target: {query: \"any_tags(State.Lwo)\"}}}}",
        "tag `State.Lwo` is not registered; did you mean `State.Low`?", NULL},
    {"effects: {E: {application: {target: {query: \"any_tags(Zebra)\"}}}}",
        "tag `Zebra` is not registered; register it first", NULL},
    {"tags: [A..B]",
        "`A..B` is not a tag name: parts are letters, digits, `_` and `-`; did you mean `A.B`?",
        NULL},
    {"tags: [\"A B\"]",
        "`A B` is not a tag name: parts are letters, digits, `_` and `-`; did you mean `A_B`?",
        NULL},
    {"calculations: {C: {expression: \"target.Vitals.Health +\"}}",
        "calculation `C`: expected a value, not the end",
        "calculations: {C: {expression: \"target.Vitals.Health + 1\"}}"},
    {"calculations: {C: {expression: \"Vitals.Healht\"}}",
        "calculation `C`: unknown name `Vitals.Healht`; begin with source, target, causer, param "
        "or caller",
        NULL},
    {"calculations: {C: {expression: \"target.Vitals.Health.most\"}}",
        "calculation `C`: `Vitals.Health` has no `most`; there are base, bonus, effective_bonus, "
        "min, max and overflow",
        "calculations: {C: {expression: \"target.Vitals.Health.max\"}}"},
    {"calculations: {C: {expression: \"snapshot(3)\"}}",
        "calculation `C`: snapshot() takes an attribute, as in `snapshot(source.Set.Name)`, not "
        "`3`",
        "calculations: {C: {expression: \"snapshot(target.Vitals.Health)\"}}"},
    {"calculations: {C: {expression: \"3 ?\? 4\"}}",
        "calculation `C`: `?\?` must follow an attribute, a parameter or a caller value",
        "calculations: {C: {expression: \"target.Vitals.Health ?\? 4\"}}"},
    {"calculations: {C: {expression: \"12ab\"}}",
        "calculation `C`: the number `12` runs into what follows; put an operator between them",
        NULL},
    {"calculations: {C: {expression: \"1 2\"}}", "calculation `C`: expected an operator, not `2`",
        NULL},
    {"calculations: {C: {expression: \"floor(1, 2)\"}}", "calculation `C`: floor() takes one value",
        "calculations: {C: {expression: \"floor(1)\"}}"},
    {"calculations: {C: {expression: \"floro(1)\"}}",
        "calculation `C`: unknown name `floro`; did you mean `floor`?", NULL},
    {"calculations: {C: {expression: \"(1\"}}", "calculation `C`: expected `)`, not the end", NULL},
    {"effects: {E: {duration: 5, granted_tags: {State.Low: 1}}}",
        "tags are a list, or a mapping with `add` and `remove`",
        "effects: {E: {duration: 5, granted_tags: {add: [State.Low]}}}"},
    {"effects: {E: {modifiers: [{attribute: Vitals.Health, magnitude: {kind: attribute, "
     "capture: Vitals.Mana}}]}}",
        "`Vitals.Mana` does not begin with `source.`, `target.` or `causer.`",
        "effects: {E: {modifiers: [{attribute: Vitals.Health, magnitude: {kind: attribute, "
        "capture: causer.Vitals.Mana}}]}}"},
    {"values: {V: {profile: combta}}", "there is no profile `combta`; did you mean `combat`?",
        "values: {V: {profile: combat}, W: {profile: gas}}"},
    {"effects: {E: {modifiers: 5}}", "expected a list for `modifiers`, but this is a text",
        "effects: {E: {modifiers: []}}"},
    {"effects: {E: {name: F}}", "there is no field `name` here; the name is the key above", NULL},
    {"settings: {fail_tags: 5}", "expected `standard`, or a mapping from reasons to tags",
        "settings: {fail_tags: standard}"},
    {"settings: {fail_tags: usual}", "expected `standard`, or a mapping from reasons to tags",
        NULL},
    {"starting_values: [[Hero, Vitals.Health, 1]]",
        "a row must be a list of group, attribute, level and value",
        "starting_values: [[Hero, Vitals.Health, 1, 5]]"},
    {"effects: {E: {parent: Nobody}}", "there is no effect `Nobody`",
        "effects: {E: {parent: Hit}}"},
    {"starting_values: {Hero: {Vitals.Nothing: 3}}", "there is no attribute `Vitals.Nothing`",
        "starting_values: {Hero: {Vitals.Health: 3}}"},
    {"contexts: {C: 65537}", "expected a whole number from 1 to 65536, not `65537`",
        "contexts: {C: 65536}"},
    {"components: {C: {fields: {a: u8, b: nothing}}}",
        "`nothing` is not a value of `kind`; expected one of: none, u8, bool, u16, u32, i32, f32, "
        "u64, i64, time, entity, effect, tag, attribute, vec3, curve, ability, activation, task, "
        "timer, spec, ref, enum",
        "components: {C: {fields: {a: u8, b: u32}}}"},
    {"effects: {E: {modifiers: [{attribute: Vitals.Health, op: ad, magnitude: 1}]}}",
        "`ad` is not a value of `op`; expected one of: add, multiply, divide, multiply_additive, "
        "divide_additive, multiply_compound, divide_compound, add_final, override",
        "effects: {E: {modifiers: [{attribute: Vitals.Health, op: add, magnitude: 1}]}}"},
    {"effects: {E: {duration: 5, granted_tags: [State.Lwo]}}",
        "there is no tag `State.Lwo`; did you mean `State.Low`?", NULL},
    {"effects: {E: {duration: five}}",
        "calculation `effect E 1`: unknown name `five`; begin with source, target, causer, param "
        "or caller",
        NULL},
    {"effects: {E: {duration: 5, period: 1 minute}}",
        "expected a number or a formula, not `1 minute`: write 60",
        "effects: {E: {duration: 5, period: 1 s}}"},
    {"abilities: {B: {script: Jump}}", "`Jump` is a script, but the program does not load scripts",
        NULL},
};

// The errors of a file beside the base, one line each.
static void errors_of(const char *text, char *out, size_t size)
{
    kn_data_def def = kn_data_def_default();
    def.warn = false;
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    data_add(data, "base.yaml", base);
    data_add(data, "t.yaml", text);
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < kn_data_message_count(data) && length < size; i++) {
        kn_data_message message = kn_data_message_at(data, i);
        assert_true(message.is_error);
        assert_string_equal(message.file, "t.yaml");
        assert_true(message.line > 0 && message.column > 0);
        length += (size_t)snprintf(
            out + length, size - length, "%s%s", length > 0 ? "\n" : "", message.text);
    }
    assert_int_equal(result == KN_OK, out[0] == 0);
    assert_int_equal(library != NULL, out[0] == 0);
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void every_mistake_of_a_definition_is_told_in_its_own_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        char errors[2048];
        errors_of(mistakes[i].bad, errors, sizeof(errors));
        if (strcmp(errors, mistakes[i].message) != 0) {
            fail_msg(
                "%s\nexpected: %s\nbut it is: %s", mistakes[i].bad, mistakes[i].message, errors);
        }
        if (mistakes[i].good != NULL) {
            errors_of(mistakes[i].good, errors, sizeof(errors));
            if (errors[0] != 0) {
                fail_msg("%s\nis refused: %s", mistakes[i].good, errors);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_mistake_of_a_definition_is_told_in_its_own_words),
};

TEST_GROUP(data_refusals, tests, NULL, NULL);
