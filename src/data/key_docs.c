// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Help for the keys of data files that are not fields of a def: sections, and what every definition
// accepts. Schemas and the page of all fields show it.

#include "field_docs.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *key;
    const char *text;
} docs[] = {
    // Sections.
    {"kits",
        "Kits of the program that the library uses, by name: what they register, such as further "
        "sections, can be used in all files."},
    {"module", "Name of the module that declares the tags of this file; default: the file."},
    {"tags", "The tags of the game: a list, or a mapping from tags to comments. Below a restricted "
             "tag only the module that restricts it can declare tags."},
    {"redirects", "Old names of tags and attributes that files and saves may still use, and the "
                  "names that replace them."},
    {"common_tags", "The tags that are sent most often: they take fewer bits in messages."},
    {"names", "Names that only the program looks up; names that definitions use are known anyway."},
    {"settings", "Settings of the whole library."},
    {"starting_values", "Starting values of attributes, by group and level. A list has a value for "
                        "each level, from level 1; archetypes name their group."},
    {"lints_off", "Warnings that are turned off for the whole library, by name; `knack check "
                  "--list-lints` lists them."},
    {"curves", "Tables from a number, usually a level, to a number."},
    {"attribute_sets", "Sets of attributes: the numbers of an entity, such as health and speed, "
                       "with their limits."},
    {"values", "Transient values: numbers that are computed when they are needed, such as the time "
               "of a cast, and that effects may modify."},
    {"event_kinds",
        "Kinds of events, such as damage, that modifiers change and gates refuse before "
        "they happen."},
    {"calculations", "Formulas and functions that give a magnitude."},
    {"executions", "Functions that effects run: they may change several attributes at once."},
    {"requirements", "Formulas and scripts that decide whether an effect may be applied. Each is "
                     "written as `{expression: text}` or `{script: name}`."},
    {"conditions", "Formulas and scripts that decide whether a modifier or gate applies to an "
                   "event. Each is written as `{expression: text}` or `{script: name}`."},
    {"policies", "Scripts that decide which modifiers of an attribute count."},
    {"timers", "Scripts that are called when a timer fires."},
    {"tickers",
        "Behaviours that are checked at an interval on each entity that has them, with state of "
        "their own. Archetypes list them among their `timers`."},
    {"contexts", "Data that the program attaches to effects: each is a number of bytes."},
    {"components", "Data that the game attaches to entities, as fields with a name and a kind."},
    {"tasks", "Custom tasks of abilities: what takes time and is written in a script or in C."},
    {"animations", "What the simulation has to know about animations: lengths and moments."},
    {"target_types", "Kinds of target data besides entities, hits, places and lines."},
    {"targetings", "Ways to find targets: a shape, and which entities count."},
    {"commands", "Kinds of commands of players besides those that every library has: a payload "
                 "as fields with a name and a kind, and a function that carries them out."},
    {"effect_logics", "Functions and state that effects may have, in scripts or in C."},
    {"effects", "Effects: how attributes and tags change, at once, for a time, or until removed."},
    {"containers", "Several effects under one name, and the entities that they reach."},
    {"rules", "Functions that react to something: an event, a tag, a value, an effect."},
    {"watches",
        "Functions that wait for something to happen to an entity, from when a script or the "
        "program starts them."},
    {"system_groups", "Names for groups of systems, which run in the order of their numbers."},
    {"systems", "Functions that run at a fixed rate for the whole world, in scripts or in C."},
    {"abilities", "Abilities: what an entity can do, what that costs, and what it applies."},
    {"fail_reasons", "Reasons of the game why abilities are refused, besides the built-in ones."},
    {"end_reasons", "Reasons of the game why activations are cancelled."},
    {"checks",
        "Conditions of abilities, by type, by tags or for all: formulas, or functions in scripts "
        "or in C."},
    {"ability_sets", "Abilities that are granted together."},
    {"archetypes", "Templates of entities: attribute sets, starting values, tags, abilities and "
                   "effects under one name."},
    {"custom_events", "Kinds of events that rules and scripts publish for observers."},
    // What definitions accept.
    {"parent", "Another definition of this section to start from: fields that are given replace "
               "its fields."},
    {"script", "Name of the functions in Lua that belong to the definition; `~`: those of its "
               "parent do not."},
    {"native", "Name of the functions in C that belong to the definition; `~`: those of its parent "
               "do not."},
    {"expression", "A formula, such as `0.5 * source.Combat.Power`."},
    {"add", "What to add to the list of the parent."},
    {"remove", "What to remove from the list of the parent."},
    // Tags.
    {"comment", "What the tag is for; shown to those who pick tags."},
    {"source", "Where the tag is declared; default: the module of the file."},
    {"restricted", "Only the module that declares the tag can declare tags below it."},
    // Settings.
    {"fail_tags", "Tags that stand for the reasons why an ability is refused: `standard`, or a tag "
                  "for each reason."},
    {"dead_tag", "An entity with this tag counts as dead: abilities without `works_when_dead` are "
                 "refused."},
    {"cue_root", "The tag above all cues."},
    {"stale", "Tag for: the ability is gone, or being removed."},
    {"networking", "Tag for: its policies do not let this machine start it."},
    {"dead", "Tag for: the owner is dead or dying."},
    {"blocked", "Tag for: an active ability or effect, or a tag of the owner, blocks it."},
    {"missing_tags", "Tag for: required tags are missing."},
    {"cooldown", "Tag for: it is on cooldown, or has no charges left."},
    {"cost", "Tag for: the cost cannot be paid."},
    {"active", "Tag for: it is already active."},
    {"custom", "Tag for: its own function says no."},
    {"not_ready", "Tag for: its own function says that the event is not for it."},
    {"no_target", "Tag for: it has no entity to act on, or needs an event."},
    // Items of a payload in scenarios.
    {"u8", "A whole number of 1 byte."},
    {"u16", "A whole number of 2 bytes."},
    {"u32", "A whole number of 4 bytes."},
    {"u64", "A whole number of 8 bytes."},
    {"i32", "A whole number of 4 bytes, negative ones too."},
    {"i64", "A whole number of 8 bytes, negative ones too."},
    {"f32", "A number of 4 bytes."},
    {"entity", "The name of an entity."},
};

const char *kni_key_text(const char *key)
{
    for (size_t i = 0; i < sizeof(docs) / sizeof(*docs); i++) {
        if (strcmp(docs[i].key, key) == 0) {
            return docs[i].text;
        }
    }
    return NULL;
}
