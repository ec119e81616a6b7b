// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "scenario_tables.h"

#include "scenario_call.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TIMES_MAX 10000 // one action

// Keys ----------------------------------------------------------------------

#define AT(field) offsetof(kni_part, field)

const kni_key_info kni_keys[KNI_KEY_COUNT_OF_KEYS] = {
    [KNI_KEY_ABILITIES] = {"abilities", KNI_READ_LEVELLED, AT(abilities), KN_DEF_ABILITY,
        "abilities it has: a list, or a mapping to a level or to `level` and `input`"},
    [KNI_KEY_ABILITY] = {"ability", KNI_READ_ABILITY, AT(ability), 0,
        "an ability: a name, or a type with `entity`"},
    [KNI_KEY_ABILITY_SET] = {"set", KNI_READ_TYPE, AT(ability_set), KN_DEF_ABILITY_SET,
        "a set of abilities of the library"},
    [KNI_KEY_ABILITY_TAGS] = {"ability_tags", KNI_READ_TAGS, AT(ability_tags), 0,
        "abilities that have all of these tags"},
    [KNI_KEY_ABILITY_TYPE] = {"ability", KNI_READ_TYPE, AT(ability.type), KN_DEF_ABILITY,
        "a type of ability"},
    [KNI_KEY_ABOVE] = {"above", KNI_READ_BOUND, AT(bounds.above), AT(bounds.has_above),
        "the value is above this number"},
    [KNI_KEY_ACTION] = {"action", KNI_READ_WORD, AT(cue_action), KNI_WORDS_CUE_ACTION,
        "for a cue: added, executed, updated or removed"},
    [KNI_KEY_ACTIVATION] = {"activation", KNI_READ_NAME, AT(activation), KNI_NAME_ACTIVATION,
        "an activation, by the name that `as` gave it"},
    [KNI_KEY_ACTIVATION_MODE] = {"mode", KNI_READ_WORD, AT(activation_mode), KNI_WORDS_MODE,
        "what the activation is to this machine"},
    [KNI_KEY_ACTIVE] = {"active", KNI_READ_BOOL, AT(active), 0, "whether it runs"},
    [KNI_KEY_ADD] = {"add", KNI_READ_TIME, AT(add), 0,
        "adds to the time left; a negative time shortens it"},
    [KNI_KEY_ADD_CHARGES] = {"charges", KNI_READ_I32, AT(add_charges), 0,
        "charges to add; negative: to remove"},
    [KNI_KEY_AGE] = {"age", KNI_READ_TIME, AT(age), 0, "time since it began"},
    [KNI_KEY_ALIVE] = {"alive", KNI_READ_BOOL, AT(alive), 0, "whether it exists"},
    [KNI_KEY_ARCHETYPE] = {"archetype", KNI_READ_TYPE, AT(archetype), KN_DEF_ARCHETYPE,
        "the archetype of the library it starts with"},
    [KNI_KEY_ANSWER] = {"answer", KNI_READ_WORD, AT(answer), KNI_WORDS_RESULT,
        "what the server must say to the command of a client"},
    [KNI_KEY_AS] = {"as", KNI_READ_AS, AT(as), 0, "a name for what this action creates"},
    [KNI_KEY_ASSET_TAGS] = {"asset_tags", KNI_READ_TAGS, AT(asset_tags), 0,
        "additional tags of the effect itself"},
    [KNI_KEY_AS_SERVER] = {"as_server", KNI_READ_STATE_PARTS, AT(as_server), 0,
        "true, or a list of parts: the client has of the entity what the server has at that tick"},
    [KNI_KEY_AT] = {"at", KNI_READ_TIME, AT(at), 0, "the exact time of the event"},
    [KNI_KEY_ATTRIBUTE] = {"attribute", KNI_READ_TYPE, AT(attribute), KN_DEF_ATTRIBUTE,
        "an attribute, such as Vitals.Health"},
    [KNI_KEY_ATTRIBUTES] = {"attributes", KNI_READ_ATTRIBUTES, AT(attributes), 0,
        "attributes and their expected values: a number, or `value`, `base`, `above` ..."},
    [KNI_KEY_AT_LEAST] = {"at_least", KNI_READ_BOUND, AT(bounds.least), AT(bounds.has_least),
        "the value is this number or higher"},
    [KNI_KEY_AT_MOST] = {"at_most", KNI_READ_BOUND, AT(bounds.most), AT(bounds.has_most),
        "the value is this number or lower"},
    [KNI_KEY_AVATAR] = {"avatar", KNI_READ_NOBODY, AT(avatar), KNI_NAME_ENTITY,
        "the entity that is its body; null for none"},
    [KNI_KEY_BASE] = {"base", KNI_READ_BOUND, AT(bounds.base), AT(bounds.has_base),
        "the base value; of a transient value: what it starts from"},
    [KNI_KEY_BELOW] = {"below", KNI_READ_BOUND, AT(bounds.below), AT(bounds.has_below),
        "the value is below this number"},
    [KNI_KEY_BLOCK_KEY] = {"key", KNI_READ_U64, AT(block_key), 0,
        "which of the blocks of its source; default 0"},
    [KNI_KEY_CALLER_VALUES] = {"caller_values", KNI_READ_CALLER_VALUES, AT(caller_values), 0,
        "caller values, by tag"},
    [KNI_KEY_CANCEL] = {"cancel", KNI_READ_U32, AT(cancel), 0, "number of the input that cancels"},
    [KNI_KEY_CAP] = {"cap", KNI_READ_TIME, AT(cap), 0,
        "the most time that may be left after adding"},
    [KNI_KEY_CAUSER] = {"causer", KNI_READ_NAME, AT(causer), KNI_NAME_ENTITY,
        "the entity that caused it directly: a projectile, a weapon"},
    [KNI_KEY_CHARGES] = {"charges", KNI_READ_U32, AT(charges), 0, "charges left"},
    [KNI_KEY_CLOSED] = {"closed", KNI_READ_WORD, AT(closed), KNI_WORDS_CLOSED,
        "why the connection of the client ended; none: it has not"},
    [KNI_KEY_COMMAND] = {"command", KNI_READ_TYPE, AT(command), KN_DEF_COMMAND,
        "a kind of command, such as `activate`"},
    [KNI_KEY_COMPONENT] = {"component", KNI_READ_TYPE, AT(component), KN_DEF_COMPONENT,
        "a component of the entity, or of the world itself; a ticker is one"},
    [KNI_KEY_CONFIRM] = {"confirm", KNI_READ_U32, AT(confirm), 0,
        "number of the input that confirms"},
    [KNI_KEY_CONNECTION] = {"connection", KNI_READ_CONNECTION, AT(connection), 0,
        "connection of the player that owns it, or that sends a command: a number, or with "
        "`machines` the name of one"},
    [KNI_KEY_CONTAINER] = {"container", KNI_READ_TYPE, AT(container), KN_DEF_CONTAINER,
        "a container of effects of the library"},
    [KNI_KEY_CONTEXT] = {"context", KNI_READ_TYPE, AT(context), KN_DEF_CONTEXT,
        "the kind of payload that is passed along"},
    [KNI_KEY_COOLDOWN] = {"cooldown", KNI_READ_TIME, AT(cooldown), 0,
        "time left until it can be used again"},
    [KNI_KEY_COOLDOWN_KEY] = {"cooldown_key", KNI_READ_TYPE, AT(cooldown_key), KN_DEF_TAG,
        "the tag of a shared cooldown; default: the ability's own"},
    [KNI_KEY_COOLDOWN_TAGS] = {"cooldown_tags", KNI_READ_TAGS, AT(cooldown_tags), 0,
        "cooldowns with any of these tags; the longest counts"},
    [KNI_KEY_COSTS] = {"costs", KNI_READ_VALUES, AT(costs), 0,
        "what it would cost now, by attribute"},
    [KNI_KEY_COUNT] = {"count", KNI_READ_U32, AT(count), 0, "how many"},
    [KNI_KEY_COUNTS] = {"counts", KNI_READ_COUNTERS, AT(counters), 0,
        "what the session of the client counted: a number, or `at_most`, `above` ..."},
    [KNI_KEY_CUE] = {"cue", KNI_READ_TYPE, AT(cue), KN_DEF_TAG, "the tag of a cue"},
    [KNI_KEY_CUSTOM] = {"custom", KNI_READ_TYPE, AT(custom), KN_DEF_CUSTOM_EVENT,
        "the kind of custom event"},
    [KNI_KEY_DELAY] = {"delay", KNI_READ_TIME, AT(delay), 0, "time until it fires"},
    [KNI_KEY_DURATION] = {"duration", KNI_READ_TIME, AT(duration), 0, "the whole length"},
    [KNI_KEY_EFFECT] = {"effect", KNI_READ_EFFECT, AT(effect), 0,
        "an effect: a name, or a type with `entity`"},
    [KNI_KEY_EFFECTS] = {"effects", KNI_READ_LEVELLED, AT(effects), KN_DEF_EFFECT,
        "effects it applies to itself: a list, or a mapping to levels"},
    [KNI_KEY_EFFECT_COUNT] = {"effects", KNI_READ_U32, AT(effect_count), 0,
        "how many effects it has"},
    [KNI_KEY_EFFECT_TYPE] = {"effect", KNI_READ_TYPE, AT(effect.type), KN_DEF_EFFECT,
        "a type of effect"},
    [KNI_KEY_END_REASON] = {"reason", KNI_READ_WORD, AT(end_reason), KNI_WORDS_END_REASON,
        "why the activation ended"},
    [KNI_KEY_ENTITY] = {"entity", KNI_READ_NAME, AT(entity), KNI_NAME_ENTITY,
        "the entity it concerns"},
    [KNI_KEY_ERROR] = {"error", KNI_READ_WORD, AT(error), KNI_WORDS_RESULT,
        "the result an error was reported with"},
    [KNI_KEY_EVENT] = {"event", KNI_READ_EVENT, AT(event), 0, "the event it is activated with"},
    [KNI_KEY_EVENT_TAKE] = {"take", KNI_READ_WORD, AT(take), KNI_WORDS_EVENT_TAKE,
        "which number to measure"},
    [KNI_KEY_EVENT_TYPE] = {"event", KNI_READ_WORD, AT(event_type), KNI_WORDS_EVENT_TYPE,
        "a type of event, such as `effect applied`"},
    [KNI_KEY_EXACT_TAGS] = {"exact_tags", KNI_READ_TAG_COUNTS, AT(exact_tags), 0,
        "tags it has exactly, not just a tag below them: a list, or a mapping to counts"},
    [KNI_KEY_EXECUTE] = {"execute", KNI_READ_BOOL, AT(execute), 0,
        "true: executes a periodic effect now"},
    [KNI_KEY_EXECUTIONS] = {"executions", KNI_READ_U32, AT(executions), 0,
        "how often it was executed"},
    [KNI_KEY_EXISTS] = {"exists", KNI_READ_BOOL, AT(exists), 0, "whether it exists; default true"},
    [KNI_KEY_EXPECT] = {"expect", KNI_READ_WORD, AT(result), KNI_WORDS_RESULT,
        "the expected result; default ok"},
    [KNI_KEY_EXPLANATION] = {"explanation", KNI_READ_TEXTS, AT(explanation), 0,
        "texts that must appear in the explanation, in this order"},
    [KNI_KEY_FACING] = {"facing", KNI_READ_VECTOR, AT(facing), 0,
        "the direction it faces: [x, y, z]"},
    [KNI_KEY_FACTOR] = {"factor", KNI_READ_F32, AT(factor), 0,
        "multiplies the time left by this number"},
    [KNI_KEY_FIELDS] = {"fields", KNI_READ_FIELDS, AT(fields), 0,
        "fields of the component, or of the custom event, and their expected values"},
    [KNI_KEY_FLOOR] = {"floor", KNI_READ_TIME, AT(floor), 0,
        "the minimum time that remains when shortening"},
    [KNI_KEY_FROM] = {"from", KNI_READ_NAME, AT(from), KNI_NAME_ENTITY, "the source"},
    [KNI_KEY_GAINED] = {"gained", KNI_READ_F32, AT(gained), 0,
        "what each attribute gained from it, if it keeps a tally"},
    [KNI_KEY_GRANTED] = {"granted", KNI_READ_BOOL, AT(granted), 0,
        "whether it has the ability; default true"},
    [KNI_KEY_GRANTED_TAGS] = {"granted_tags", KNI_READ_TAGS, AT(granted_tags), 0,
        "additional tags the target gets"},
    [KNI_KEY_GROUP] = {"group", KNI_READ_TEXT, AT(group), 0,
        "group of rows in the table of starting values"},
    [KNI_KEY_HAPPENED] = {"happened", KNI_READ_U32, AT(happened), 0,
        "how often it has happened so far; default: at least once"},
    [KNI_KEY_HASH] = {"hash", KNI_READ_HASH, AT(hash), 0,
        "the hash of the world at that time, without a variant and with the seed of the file"},
    [KNI_KEY_HIDE] = {"hide", KNI_READ_NAMES, AT(hide), 0,
        "entities that the client does not see from now on"},
    [KNI_KEY_IGNORE_GATES] = {"ignore_gates", KNI_READ_BOOL, AT(ignore_gates), 0,
        "true: nothing blocks it"},
    [KNI_KEY_INHIBITED] = {"inhibited", KNI_READ_BOOL, AT(inhibited), 0, "whether it is inhibited"},
    [KNI_KEY_INPUT] = {"input", KNI_READ_U32, AT(input), 0, "number of an input"},
    [KNI_KEY_INSTANCE] = {"instance", KNI_READ_U32, AT(instance), 0,
        "which of several components of the type, counted from 1; default 1"},
    [KNI_KEY_INSTIGATOR] = {"instigator", KNI_READ_NAME, AT(instigator), KNI_NAME_ENTITY,
        "the entity responsible for it"},
    [KNI_KEY_INTERRUPTED] = {"interrupted", KNI_READ_BOOL, AT(interrupted), 0,
        "whether the owner of the cue ended early"},
    [KNI_KEY_JOINED] = {"joined", KNI_READ_BOOL, AT(joined), 0,
        "whether the client has joined and has a world"},
    [KNI_KEY_KEEP_CAPTURES] = {"keep_captures", KNI_READ_BOOL, AT(keep_captures), 0,
        "true: values captured from the source are kept when the context is replaced"},
    [KNI_KEY_KEY] = {"key", KNI_READ_U32, AT(key), 0,
        "which instance of an attribute set; default 0"},
    [KNI_KEY_KIND] = {"kind", KNI_READ_TYPE, AT(kind), KN_DEF_EVENT_KIND,
        "a kind of event of the library"},
    [KNI_KEY_LEVEL] = {"level", KNI_READ_F32, AT(level), 0, "the level"},
    [KNI_KEY_LINE] = {"line", KNI_READ_U32, AT(line), 0, "the line of the script that failed"},
    [KNI_KEY_LOCATION] = {"location", KNI_READ_VECTOR, AT(location), 0,
        "where a cue is shown: [x, y, z]"},
    [KNI_KEY_LOOSE_ORIGIN] = {"origin", KNI_READ_WORD, AT(origin), KNI_WORDS_LOOSE_ORIGIN,
        "the origin of the tags; default loose"},
    [KNI_KEY_LOST] = {"lost", KNI_READ_F32, AT(lost), 0,
        "what each attribute lost to it, if it keeps a tally"},
    [KNI_KEY_MACHINE] = {"on", KNI_READ_MACHINE, AT(machine), 0,
        "the machine where it is done or looked at; default: the server"},
    [KNI_KEY_MAGNITUDE] = {"magnitude", KNI_READ_F32, AT(magnitude), 0,
        "the magnitude: for an effect that of its first modifier, for an attribute the change"},
    [KNI_KEY_MEASURE] = {"measure", KNI_READ_MEASURE, AT(measure), 0,
        "a number of the section `measure`, as of now"},
    [KNI_KEY_MEETS_TAGS] = {"meets_tags", KNI_READ_BOOL, AT(meets_tags), 0,
        "true: only abilities whose tags allow it now"},
    [KNI_KEY_MODE] = {"mode", KNI_READ_U32, AT(mode), 0, "a movement mode of the host"},
    [KNI_KEY_NEXT] = {"next", KNI_READ_TIME, AT(next), 0, "time until the next execution"},
    [KNI_KEY_NO_TAGS] = {"no_tags", KNI_READ_TAGS, AT(no_tags), 0,
        "tags it must not have, nor any tag below them"},
    [KNI_KEY_OBJECT] = {"object", KNI_READ_U64, AT(object), 0,
        "64 bits for the host: a weapon, an item"},
    [KNI_KEY_OLD] = {"old", KNI_READ_F32, AT(old), 0, "the value before"},
    [KNI_KEY_OLD_COUNT] = {"old_count", KNI_READ_U32, AT(old_count), 0, "the count before"},
    [KNI_KEY_ON] = {"on", KNI_READ_BOOL, AT(on), 0, "whether it is turned on"},
    [KNI_KEY_ORIGIN] = {"origin", KNI_READ_WORD, AT(origin), KNI_WORDS_ORIGIN,
        "the origin of the tags; default loose"},
    [KNI_KEY_ORIGIN_POINT] = {"origin", KNI_READ_VECTOR, AT(origin_point), 0,
        "its origin: [x, y, z]"},
    [KNI_KEY_OTHER] = {"other", KNI_READ_NAME, AT(other), KNI_NAME_ENTITY, "the other entity"},
    [KNI_KEY_OUTCOME] = {"outcome", KNI_READ_F32, AT(outcome), 0, "the expected magnitude"},
    [KNI_KEY_OWNER] = {"owner", KNI_READ_NOBODY, AT(owner), KNI_NAME_ENTITY,
        "the entity that owns it; null for none"},
    [KNI_KEY_PAID] = {"paid", KNI_READ_VALUES, AT(paid), 0,
        "what the activation has paid, by attribute"},
    [KNI_KEY_PARAMETERS] = {"parameters", KNI_READ_PARAMETERS, AT(parameters), 0,
        "numbers for the parameters of the effect, or of the effects of the ability, by name"},
    [KNI_KEY_PARENT] = {"parent", KNI_READ_NOBODY, AT(parent), KNI_NAME_ENTITY,
        "the entity it is attached to; null for none"},
    [KNI_KEY_PART] = {"part", KNI_READ_WORD, AT(commit_part), KNI_WORDS_COMMIT,
        "all, cost or cooldown; default all"},
    [KNI_KEY_PARTS] = {"parts", KNI_READ_PARTS, AT(parts), 0,
        "the commands of a `batch`, in order"},
    [KNI_KEY_PAYLOAD] = {"payload", KNI_READ_FIELDS, AT(payload), 1,
        "the contents of the payload: a list such as [{f32: 1.5}, {u32: 7}], byte for byte"},
    [KNI_KEY_PERIOD] = {"period", KNI_READ_TIME, AT(period), 0, "time between two executions"},
    [KNI_KEY_PER_SECOND] = {"per_second", KNI_READ_BOOL, AT(per_second), 0,
        "true: divide by the duration of the run"},
    [KNI_KEY_POSITION] = {"position", KNI_READ_VECTOR, AT(position), 0,
        "where it is: [x, y, z]; needs `world: {grid: true}`"},
    [KNI_KEY_PRESSED] = {"pressed", KNI_READ_BOOL, AT(pressed), 0,
        "whether its input is held down"},
    [KNI_KEY_QUERY] = {"query", KNI_READ_QUERY, AT(query), 0,
        "a tag query, such as any_tags(A, B)"},
    [KNI_KEY_RADIUS] = {"radius", KNI_READ_F32, AT(radius), 0, "how large it is"},
    [KNI_KEY_READY] = {"ready", KNI_READ_BOOL, AT(ready), 0, "whether it can be used now"},
    [KNI_KEY_REASON] = {"reason", KNI_READ_WORD, AT(reason), KNI_WORDS_REASON,
        "why the effect, or the stacks, ended"},
    [KNI_KEY_REFRESH] = {"refresh", KNI_READ_BOOL, AT(refresh), 0,
        "true: recomputes its magnitudes"},
    [KNI_KEY_REFUSED] = {"refused", KNI_READ_FAILS, AT(refused), 0,
        "exactly these reasons against it; [] for none"},
    [KNI_KEY_REMAINING] = {"remaining", KNI_READ_TIME, AT(remaining), 0, "the time left"},
    [KNI_KEY_REMOVAL] = {"removal", KNI_READ_WORD, AT(removal), KNI_WORDS_REMOVAL,
        "what happens to running activations; default cancel"},
    [KNI_KEY_RESET] = {"reset", KNI_READ_BOOL, AT(reset), 0, "true: full charges, no cooldown"},
    [KNI_KEY_RESTART] = {"restart", KNI_READ_TIME, AT(restart), 0,
        "restarts it with this duration"},
    [KNI_KEY_REVOKED] = {"revoked", KNI_READ_BOOL, AT(revoked), 0,
        "true: the client reported it and took it back"},
    [KNI_KEY_SEQUENCE_NUMBER] = {"sequence", KNI_READ_U32, AT(sequence_number), 0,
        "number of the command among those of its connection"},
    [KNI_KEY_SETS] = {"sets", KNI_READ_TYPES, AT(sets), KN_DEF_ATTRIBUTE_SET, "attribute sets"},
    [KNI_KEY_SHARE] = {"share", KNI_READ_F32, AT(share), 0, "the share of what was paid, 0 to 1"},
    [KNI_KEY_SHARED] = {"shared", KNI_READ_BOOL, AT(shared), 0, "true: reuse an existing grant"},
    [KNI_KEY_SHOW] = {"show", KNI_READ_NAMES, AT(show), 0, "entities that the client sees again"},
    [KNI_KEY_SPEC] = {"spec", KNI_READ_NAME, AT(spec), KNI_NAME_SPEC,
        "a spec, by the name that `as` gave it"},
    [KNI_KEY_STACKS] = {"stacks", KNI_READ_U32, AT(stacks), 0, "stacks"},
    [KNI_KEY_STATE] = {"state", KNI_READ_FIELDS, AT(state), 0,
        "fields of the state of the activation, or of the effect's logic"},
    [KNI_KEY_STARTED_WITH] = {"started_with", KNI_READ_EVENT, AT(started_with), 0,
        "what it was activated with: keys of an event"},
    [KNI_KEY_SYNC] = {"sync", KNI_READ_WORD, AT(sync), KNI_WORDS_SYNC_MODE,
        "which clients receive its effects; default: the `mode` of the server"},
    [KNI_KEY_SYNC_MODE] = {"mode", KNI_READ_WORD, AT(sync), KNI_WORDS_SYNC_MODE,
        "which clients receive its effects"},
    [KNI_KEY_TAG] = {"tag", KNI_READ_TYPE, AT(tag), KN_DEF_TAG, "a tag"},
    [KNI_KEY_TAGS] = {"tags", KNI_READ_TAGS, AT(tags), 0, "tags"},
    [KNI_KEY_TAG_COUNTS] = {"tags", KNI_READ_TAG_COUNTS, AT(tag_counts), 0,
        "tags: a list, or a mapping to counts"},
    [KNI_KEY_TAKE] = {"take", KNI_READ_WORD, AT(take), KNI_WORDS_TAKE, "which number to measure"},
    [KNI_KEY_TARGET] = {"target", KNI_READ_NAME, AT(target), KNI_NAME_ENTITY,
        "the target of the event; for a reticle: the entity it is on"},
    [KNI_KEY_TARGET_DATA] = {"target_data", KNI_READ_RECORDS, AT(target_data), 0,
        "records of target data: [{location: {position: [1, 2, 3]}}, {hit: {entity: foe}}]"},
    [KNI_KEY_TARGETS] = {"targets", KNI_READ_NAMES, AT(targets), 0, "entities"},
    [KNI_KEY_TASK] = {"task", KNI_READ_WORD, AT(task), KNI_WORDS_TASK,
        "a kind of task of the activation, such as delay"},
    [KNI_KEY_TASK_NAME] = {"task_name", KNI_READ_TYPE, AT(task_name), KN_DEF_NAME,
        "the name a task of the activation was given"},
    [KNI_KEY_TASKS] = {"tasks", KNI_READ_U32, AT(tasks), 0,
        "how many tasks the activation has, or of this kind or name"},
    [KNI_KEY_TIMER] = {"timer", KNI_READ_NAME, AT(timer), KNI_NAME_TIMER,
        "a timer, by the name that `as` gave it"},
    [KNI_KEY_TIMER_TYPE] = {"timer", KNI_READ_TYPE, AT(timer_type), KN_DEF_TIMER,
        "a timer of the library"},
    [KNI_KEY_TIMES] = {"times", KNI_READ_U32, AT(times), TIMES_MAX, "how often"},
    [KNI_KEY_TO] = {"to", KNI_READ_NAME, AT(to), KNI_NAME_ENTITY, "the target"},
    [KNI_KEY_TOLERANCE] = {"tolerance", KNI_READ_TOLERANCE, AT(bounds.tolerance), 0,
        "allowed difference: a number, for times in seconds, or a share such as 1%"},
    [KNI_KEY_TOTAL] = {"total", KNI_READ_TIME, AT(total), 0, "the whole length"},
    [KNI_KEY_TRANSIENT] = {"transient", KNI_READ_TYPE, AT(transient), KN_DEF_VALUE,
        "a transient value of the library"},
    [KNI_KEY_USER] = {"user", KNI_READ_U64, AT(user), 0, "64 bits for the host"},
    [KNI_KEY_VALID] = {"valid", KNI_READ_BOOL, AT(valid), 0,
        "for a reticle: whether it has a target"},
    [KNI_KEY_VALUE] = {"value", KNI_READ_BOUND, AT(bounds.value), AT(bounds.has_value),
        "the expected number"},
    [KNI_KEY_VALUES] = {"attributes", KNI_READ_VALUES, AT(attributes), 0,
        "base values to set, by attribute"},
    [KNI_KEY_WHY] = {"why", KNI_READ_TEXT, AT(why), 0,
        "for a refused effect: text that its reasons must contain, such as a tag"},
    [KNI_KEY_WITHOUT] = {"without", KNI_READ_TAGS, AT(without), 0,
        "excludes those with any of these tags"},
};

// Forms ---------------------------------------------------------------------

#define K(name) KNI_KEY_##name
#define END KNI_KEYS_END
#define NOTHING KNI_NAME_KIND_COUNT
#define ENTITY_KEYS                                                                                \
    K(ARCHETYPE), K(LEVEL), K(SETS), K(TAG_COUNTS), K(ABILITIES), K(EFFECTS), K(VALUES), K(GROUP), \
        K(POSITION), K(RADIUS), K(FACING), K(OWNER), K(PARENT), K(CONNECTION), K(USER), K(SYNC)
#define COMMON_KEYS K(MACHINE), K(EXPECT) // of actions
#define SPEC_KEYS                                                                                  \
    K(FROM), K(LEVEL), K(STACKS), K(DURATION), K(PERIOD), K(CALLER_VALUES), K(PARAMETERS),         \
        K(ASSET_TAGS), K(GRANTED_TAGS), CONTEXT_KEYS
#define CONTEXT_KEYS                                                                               \
    K(INSTIGATOR), K(CAUSER), K(OBJECT), K(ORIGIN_POINT), K(CONTEXT), K(PAYLOAD), K(TARGETS),      \
        K(TARGET_DATA)
#define BOUND_KEYS K(VALUE), K(BASE), K(ABOVE), K(BELOW), K(AT_LEAST), K(AT_MOST), K(TOLERANCE)
#define CUE_KEYS K(CAUSER), K(OBJECT), K(LOCATION), K(INTERRUPTED)
#define RECORD_KEYS                                                                                \
    K(TAG), K(TAGS), K(INSTIGATOR), K(TARGET), K(MAGNITUDE), K(TARGETS), K(TARGET_DATA), K(OBJECT)

const kni_form_info kni_verbs[KNI_VERB_COUNT] = {
    [KNI_VERB_ACTIVATE] = {"activate", "activates an ability, or all abilities with certain tags",
        END, KNI_NAME_ACTIVATION, {K(ENTITY), END}, {K(ABILITY), K(TAGS), END},
        {K(ENTITY), K(ABILITY), K(TAGS), K(EVENT), K(AS), COMMON_KEYS, K(ANSWER), K(REFUSED),
            K(COUNT), K(TIMES), END}},
    [KNI_VERB_ADD_SETS] = {"add_sets", "adds attribute sets", END, NOTHING, {K(ENTITY), K(SETS)},
        {END}, {K(ENTITY), K(SETS), K(KEY), COMMON_KEYS, END}},
    [KNI_VERB_ADD_TAGS] = {"add_tags", "adds to the counts of tags", END, NOTHING,
        {K(ENTITY), K(TAG_COUNTS)}, {END}, {K(ENTITY), K(TAG_COUNTS), K(ORIGIN), COMMON_KEYS, END}},
    [KNI_VERB_AIM] = {"aim", "advances time for targeting only", K(DURATION), NOTHING,
        {K(DURATION), END}, {END}, {K(DURATION), K(TIMES), COMMON_KEYS, END}},
    [KNI_VERB_APPLY] = {"apply", "applies an effect", END, KNI_NAME_EFFECT, {K(TO), END},
        {K(EFFECT_TYPE), K(SPEC), END},
        {K(EFFECT_TYPE), K(SPEC), K(ACTIVATION), K(TO), SPEC_KEYS, K(IGNORE_GATES), K(TIMES), K(AS),
            COMMON_KEYS, K(WHY), END}},
    [KNI_VERB_BIND] = {"bind", "sets the inputs that confirm and cancel", END, NOTHING,
        {K(ENTITY), END}, {END}, {K(ENTITY), K(CONFIRM), K(CANCEL), COMMON_KEYS, END}},
    [KNI_VERB_BLOCK] = {"block", "blocks ability tags of an entity until `unblock`", END, NOTHING,
        {K(ENTITY), K(TAGS)}, {END}, {K(ENTITY), K(TAGS), K(FROM), K(BLOCK_KEY), COMMON_KEYS, END}},
    [KNI_VERB_CANCEL] = {"cancel", "cancels an activation, or all that match", END, NOTHING,
        {END, END}, {K(ACTIVATION), K(ABILITY), K(ENTITY), END},
        {K(ENTITY), K(ABILITY), K(ACTIVATION), K(TAGS), K(WITHOUT), K(END_REASON), K(INSTIGATOR),
            K(TAG), K(MAGNITUDE), K(COUNT), COMMON_KEYS, K(ANSWER), END}},
    [KNI_VERB_CANCEL_INPUT] = {"cancel_input", "cancels targeting without an input", K(ENTITY),
        NOTHING, {K(ENTITY), END}, {END}, {K(ENTITY), COMMON_KEYS, K(ANSWER), END}},
    [KNI_VERB_CHANGE] = {"change", "changes an active effect", END, NOTHING, {K(EFFECT), END},
        {END},
        {K(EFFECT), K(ENTITY), K(LEVEL), K(STACKS), K(REMAINING), K(ADD), K(CAP), K(FACTOR),
            K(TOTAL), K(RESTART), K(CALLER_VALUES), K(EXECUTE), K(REFRESH), COMMON_KEYS, END}},
    [KNI_VERB_CHANGE_SPEC] = {"change_spec", "changes a spec before it is applied again", END,
        NOTHING, {K(SPEC), END}, {END},
        {K(SPEC), K(LEVEL), K(STACKS), K(DURATION), K(PERIOD), K(CALLER_VALUES), K(PARAMETERS),
            K(ASSET_TAGS), K(GRANTED_TAGS), CONTEXT_KEYS, K(KEEP_CAPTURES), COMMON_KEYS, END}},
    [KNI_VERB_CHARGES] = {"charges", "changes charges and cooldowns of an ability", END, NOTHING,
        {K(ABILITY), END}, {END},
        {K(ENTITY), K(ABILITY), K(COOLDOWN_KEY), K(ADD_CHARGES), K(RESET), K(ADD), K(FLOOR),
            K(FACTOR), COMMON_KEYS, END}},
    [KNI_VERB_COMMIT] = {"commit", "commits an activation: pays its cost and starts its cooldowns",
        END, NOTHING, {END, END}, {K(ACTIVATION), K(ABILITY), END},
        {K(ENTITY), K(ABILITY), K(ACTIVATION), K(PART), K(COOLDOWN_KEY), COMMON_KEYS, END}},
    [KNI_VERB_CONFIRM] = {"confirm", "confirms targeting without an input", K(ENTITY), NOTHING,
        {K(ENTITY), END}, {END}, {K(ENTITY), COMMON_KEYS, K(ANSWER), END}},
    [KNI_VERB_CONTAINER] = {"container", "applies a container of effects", END, NOTHING,
        {K(CONTAINER), END}, {END},
        {K(CONTAINER), K(FROM), K(LEVEL), K(CALLER_VALUES), CONTEXT_KEYS, K(COUNT), COMMON_KEYS,
            END}},
    [KNI_VERB_CUE] = {"cue", "executes, adds, updates or removes a cue", END, NOTHING,
        {K(ENTITY), K(CUE)}, {END},
        {K(ENTITY), K(CUE), K(ACTION), K(MAGNITUDE), K(INSTIGATOR), K(CAUSER), K(OBJECT),
            K(LOCATION), COMMON_KEYS, END}},
    [KNI_VERB_DESTROY] = {"destroy", "destroys an entity", K(ENTITY), NOTHING, {K(ENTITY), END},
        {END}, {K(ENTITY), COMMON_KEYS, END}},
    [KNI_VERB_DESTROY_SPEC] = {"destroy_spec", "destroys a spec", K(SPEC), NOTHING, {K(SPEC), END},
        {END}, {K(SPEC), COMMON_KEYS, END}},
    [KNI_VERB_END] = {"end", "ends an activation normally", END, NOTHING, {END, END},
        {K(ACTIVATION), K(ABILITY), END},
        {K(ENTITY), K(ABILITY), K(ACTIVATION), COMMON_KEYS, K(ANSWER), END}},
    [KNI_VERB_FREEZE] = {"freeze", "stops a client for a time: it neither sends nor receives", END,
        NOTHING, {K(MACHINE), K(DURATION)}, {END}, {K(MACHINE), K(DURATION), K(EXPECT), END}},
    [KNI_VERB_GRANT] = {"grant", "grants an ability, or an ability set", END, KNI_NAME_ABILITY,
        {K(ENTITY), END}, {K(ABILITY_TYPE), K(ABILITY_SET), END},
        {K(ENTITY), K(ABILITY_TYPE), K(ABILITY_SET), K(LEVEL), K(INPUT), K(FROM), K(TAGS),
            K(CALLER_VALUES), K(PARAMETERS), K(SHARED), K(AS), COMMON_KEYS, END}},
    [KNI_VERB_GRANT_ONCE] = {"grant_once", "grants an ability, activates it once, and removes it",
        END, KNI_NAME_ABILITY, {K(ENTITY), K(ABILITY_TYPE)}, {END},
        {K(ENTITY), K(ABILITY_TYPE), K(LEVEL), K(INPUT), K(FROM), K(TAGS), K(CALLER_VALUES),
            K(PARAMETERS), K(EVENT), K(AS), COMMON_KEYS, END}},
    [KNI_VERB_INIT] = {"init",
        "sets base values without hooks, or from the table of starting values", END, NOTHING,
        {K(ENTITY), END}, {K(VALUES), K(GROUP), END},
        {K(ENTITY), K(VALUES), K(GROUP), K(LEVEL), K(KEY), COMMON_KEYS, END}},
    [KNI_VERB_ISSUE] = {"issue", "issues a command for the next step", END, NOTHING,
        {K(COMMAND), END}, {END},
        {K(COMMAND), K(ENTITY), K(FIELDS), K(CONNECTION), K(SEQUENCE_NUMBER), K(TARGETS),
            K(TARGET_DATA), K(PARTS), COMMON_KEYS, K(ANSWER), END}},
    [KNI_VERB_JOIN] = {"join", "lets a client join, or join again", K(MACHINE), NOTHING,
        {K(MACHINE), END}, {END}, {K(MACHINE), K(EXPECT), END}},
    [KNI_VERB_LEAVE] = {"leave", "lets a client leave", K(MACHINE), NOTHING, {K(MACHINE), END},
        {END}, {K(MACHINE), K(EXPECT), END}},
    [KNI_VERB_MOVE] = {"move", "moves an entity to another position", END, NOTHING,
        {K(ENTITY), END}, {END}, {K(ENTITY), K(POSITION), K(FACING), COMMON_KEYS, END}},
    [KNI_VERB_MOVEMENT] = {"movement", "reports the movement mode of an entity, as the host does",
        END, NOTHING, {K(ENTITY), K(MODE)}, {END}, {K(ENTITY), K(MODE), COMMON_KEYS, END}},
    [KNI_VERB_NETWORK] = {"network", "changes the conditions between clients and the server", END,
        NOTHING, {END, END}, {END}, {END}},
    [KNI_VERB_OVERLAP] = {"overlap", "reports that two entities overlap, as the host does", END,
        NOTHING, {K(ENTITY), K(OTHER)}, {END}, {K(ENTITY), K(OTHER), COMMON_KEYS, END}},
    [KNI_VERB_PRESS] = {"press", "presses an input", END, NOTHING, {K(ENTITY), K(INPUT)}, {END},
        {K(ENTITY), K(INPUT), K(EVENT), COMMON_KEYS, K(ANSWER), END}},
    [KNI_VERB_PROVIDE] = {"provide", "provides targets to an activation that is targeting", END,
        NOTHING, {END, END}, {K(ACTIVATION), K(ABILITY), END},
        {K(ENTITY), K(ABILITY), K(ACTIVATION), K(TARGETS), K(TARGET_DATA), COMMON_KEYS, K(ANSWER),
            END}},
    [KNI_VERB_REFUND] = {"refund", "refunds a share of what an activation has paid", END, NOTHING,
        {K(SHARE), END}, {K(ACTIVATION), K(ABILITY), END},
        {K(ENTITY), K(ABILITY), K(ACTIVATION), K(SHARE), COMMON_KEYS, END}},
    [KNI_VERB_RELATE] = {"relate", "sets owner, parent, avatar or connection of an entity", END,
        NOTHING, {K(ENTITY), END}, {END},
        {K(ENTITY), K(OWNER), K(PARENT), K(AVATAR), K(CONNECTION), COMMON_KEYS, END}},
    [KNI_VERB_RELEASE] = {"release", "releases an input", END, NOTHING, {K(ENTITY), K(INPUT)},
        {END}, {K(ENTITY), K(INPUT), COMMON_KEYS, K(ANSWER), END}},
    [KNI_VERB_REMOVE] = {"remove", "removes effects, or stacks of them", END, NOTHING, {END, END},
        {K(EFFECT), K(TAGS), K(FROM), END},
        {K(ENTITY), K(EFFECT), K(TAGS), K(FROM), K(STACKS), K(REASON), K(COUNT), COMMON_KEYS, END}},
    [KNI_VERB_REMOVE_CUES] = {"remove_cues", "removes every added cue, except those of effects",
        K(ENTITY), NOTHING, {K(ENTITY), END}, {END}, {K(ENTITY), K(COUNT), COMMON_KEYS, END}},
    [KNI_VERB_REMOVE_SETS] = {"remove_sets", "removes attribute sets", END, NOTHING,
        {K(ENTITY), K(SETS)}, {END}, {K(ENTITY), K(SETS), K(KEY), COMMON_KEYS, END}},
    [KNI_VERB_REMOVE_TAGS] = {"remove_tags", "reduces the counts of tags", END, NOTHING,
        {K(ENTITY), K(TAG_COUNTS)}, {END}, {K(ENTITY), K(TAG_COUNTS), K(ORIGIN), COMMON_KEYS, END}},
    [KNI_VERB_RESCHEDULE] = {"reschedule", "changes the time left of a task of an activation", END,
        NOTHING, {END, END}, {K(ACTIVATION), K(ABILITY), END},
        {K(ENTITY), K(ABILITY), K(ACTIVATION), K(TASK), K(TASK_NAME), K(REMAINING), K(ADD),
            COMMON_KEYS, END}},
    [KNI_VERB_REVOKE] = {"revoke", "removes an ability, or an ability set", END, NOTHING,
        {END, END}, {K(ABILITY), K(ABILITY_SET), END},
        {K(ENTITY), K(ABILITY), K(ABILITY_SET), K(REMOVAL), COMMON_KEYS, END}},
    [KNI_VERB_RUN] = {"run", "runs an event through the pipeline of its kind", END, NOTHING,
        {K(KIND), END}, {END},
        {K(KIND), RECORD_KEYS, K(IGNORE_GATES), K(OUTCOME), K(TOLERANCE), COMMON_KEYS, END}},
    [KNI_VERB_SEND] = {"send", "sends an event to rules, abilities and listeners", END, NOTHING,
        {K(TO), K(TAG)}, {END}, {K(TO), RECORD_KEYS, COMMON_KEYS, END}},
    [KNI_VERB_SET] = {"set", "sets base values", END, NOTHING, {K(ENTITY), K(VALUES)}, {END},
        {K(ENTITY), K(VALUES), K(KEY), COMMON_KEYS, END}},
    [KNI_VERB_SET_LEVEL] = {"set_level", "sets the level of an ability", END, NOTHING,
        {K(ABILITY), K(LEVEL)}, {END}, {K(ENTITY), K(ABILITY), K(LEVEL), COMMON_KEYS, END}},
    [KNI_VERB_SET_TAGS] = {"set_tags", "sets the counts of tags", END, NOTHING,
        {K(ENTITY), K(TAG_COUNTS)}, {END},
        {K(ENTITY), K(TAG_COUNTS), K(LOOSE_ORIGIN), COMMON_KEYS, END}},
    [KNI_VERB_SIGHT] = {"sight", "changes which entities a client sees", END, NOTHING,
        {K(MACHINE), END}, {K(HIDE), K(SHOW), END}, {K(MACHINE), K(HIDE), K(SHOW), K(EXPECT), END}},
    [KNI_VERB_SPAWN] = {"spawn", "creates an entity", END, KNI_NAME_ENTITY, {K(AS), END}, {END},
        {ENTITY_KEYS, K(AS), COMMON_KEYS, END}},
    [KNI_VERB_SPEC] = {"spec", "captures a source now for an effect to be applied later", END,
        KNI_NAME_SPEC, {K(EFFECT_TYPE), K(AS)}, {END},
        {K(EFFECT_TYPE), SPEC_KEYS, K(AS), COMMON_KEYS, END}},
    [KNI_VERB_START_TIMER] = {"start_timer", "starts a timer, with or without an entity", END,
        KNI_NAME_TIMER, {K(TIMER_TYPE), K(DELAY)}, {END},
        {K(TIMER_TYPE), K(ENTITY), K(DELAY), K(AS), COMMON_KEYS, END}},
    [KNI_VERB_STOP_TIMER] = {"stop_timer", "stops a timer", K(TIMER), NOTHING, {K(TIMER), END},
        {END}, {K(TIMER), COMMON_KEYS, END}},
    [KNI_VERB_SUPPRESS_CUES] = {"suppress_cues",
        "suppresses the cues of an entity, or shows them again", END, NOTHING, {K(ENTITY), K(ON)},
        {END}, {K(ENTITY), K(ON), K(EXPECT), END}},
    [KNI_VERB_SYNC] = {"sync", "sets which clients receive the effects of an entity", END, NOTHING,
        {K(ENTITY), K(SYNC_MODE)}, {END}, {K(ENTITY), K(SYNC_MODE), K(EXPECT), END}},
    [KNI_VERB_UNBLOCK] = {"unblock", "lifts blocks of ability tags by the same source and key", END,
        NOTHING, {K(ENTITY), END}, {END},
        {K(ENTITY), K(TAGS), K(FROM), K(BLOCK_KEY), COMMON_KEYS, END}},
};

const kni_form_info kni_forms[KNI_FORM_COUNT] = {
    [KNI_FORM_ENTITY] = {"entity", "an entity that exists at the beginning", END, NOTHING,
        {END, END}, {END}, {ENTITY_KEYS, END}},
    [KNI_FORM_EXPECTATION] = {"expectation", "what must be true", END, NOTHING, {END, END},
        {K(ENTITY), K(EFFECT), K(ABILITY), K(ACTIVATION), K(TIMER), K(COMPONENT), K(MEASURE),
            K(HASH), K(JOINED), K(CLOSED), K(COUNTS), END},
        {K(ENTITY), K(ATTRIBUTES), K(KEY), BOUND_KEYS, K(TAG_COUNTS), K(EXACT_TAGS), K(NO_TAGS),
            K(QUERY), K(EXISTS), K(STACKS), K(REMAINING), K(DURATION), K(PERIOD), K(EXECUTIONS),
            K(LEVEL), K(INHIBITED), K(FROM), K(EFFECT_COUNT), K(ACTIVE), K(GRANTED), K(READY),
            K(CHARGES), K(COOLDOWN), K(TOTAL), K(ALIVE), K(TIMER), K(HASH), K(USER), K(CUE),
            K(TRANSIENT), K(COOLDOWN_TAGS), K(ABILITY_TAGS), K(MEETS_TAGS), K(ACTIVATION),
            K(EFFECT), K(ABILITY), K(ATTRIBUTE), K(COUNT), K(REFUSED), K(MAGNITUDE),
            K(COOLDOWN_KEY), K(OWNER), K(PARENT), K(AVATAR), K(CONNECTION), K(POSITION), K(SETS),
            K(INSTIGATOR), K(CAUSER), K(OBJECT), K(CALLER_VALUES), K(NEXT), K(LOST), K(GAINED),
            K(INPUT), K(PRESSED), K(COSTS), K(TASK), K(TASK_NAME), K(TASKS), K(AGE),
            K(ACTIVATION_MODE), K(STARTED_WITH), K(PAID), K(TARGETS), K(COMPONENT), K(INSTANCE),
            K(FIELDS), K(STATE), K(MEASURE), K(EXPLANATION), K(MACHINE), K(AS_SERVER), K(JOINED),
            K(CLOSED), K(COUNTS), END}},
    [KNI_FORM_CUE] = {"cue", "a cue that is published; every key must match", END, NOTHING,
        {K(CUE), END}, {END},
        {K(CUE), K(ENTITY), K(ACTION), K(MAGNITUDE), K(EFFECT), K(AT), K(TOLERANCE), K(INSTIGATOR),
            CUE_KEYS, K(MACHINE), END}},
    [KNI_FORM_RECORD] = {"event", "the event an ability is activated with", END, NOTHING,
        {END, END}, {END}, {RECORD_KEYS, K(KIND), END}},
    [KNI_FORM_MEASURE] = {"measure", "a number to measure of an attribute", END, NOTHING,
        {K(ATTRIBUTE), K(TAKE)}, {END},
        {K(ENTITY), K(ATTRIBUTE), K(KEY), K(TAKE), K(PER_SECOND), END}},
    [KNI_FORM_BOUNDS] = {"attributes", "what a number must be", K(VALUE), NOTHING, {END, END},
        {END}, {BOUND_KEYS, END}},
    [KNI_FORM_ABILITY] = {"abilities", "how an ability is granted", K(LEVEL), NOTHING, {END, END},
        {END}, {K(LEVEL), K(INPUT), END}},
    [KNI_FORM_EFFECT] = {"effects", "how an effect is applied", K(LEVEL), NOTHING, {END, END},
        {END}, {K(LEVEL), END}},
    [KNI_FORM_PART] = {"parts", "a command of a batch", K(COMMAND), NOTHING, {K(COMMAND), END},
        {END}, {K(COMMAND), K(ENTITY), K(FIELDS), K(TARGETS), K(TARGET_DATA), END}},
};

// Events ----------------------------------------------------------------------

#define E(name) KN_EVENT_##name

const kni_event_row kni_event_rows[] = {
    {E(ENTITY_CREATED), E(ENTITY_DESTROYED), {END}},
    {E(AVATAR_CHANGED), E(AVATAR_CHANGED), {K(AVATAR), END}},
    {E(OWNER_CHANGED), E(OWNER_CHANGED), {K(OWNER), END}},
    {E(TAG_COUNT), E(TAG_CHANGED), {K(TAG), K(COUNT), K(OLD_COUNT), END}},
    {E(ATTRIBUTE_CHANGED), E(ATTRIBUTE_INITIALISED),
        {K(ATTRIBUTE), K(KEY), K(OLD), K(VALUE), K(ABOVE), K(BELOW), K(AT_LEAST), K(AT_MOST),
            K(MAGNITUDE), END}},
    {E(SET_ADDED), E(SET_REMOVED), {K(KEY), END}},
    {E(EFFECT_APPLIED), E(EFFECT_EXECUTED), {K(EFFECT), K(COUNT), K(OLD_COUNT), END}},
    {E(EFFECT_REMOVED), E(EFFECT_STACKS), {K(EFFECT), K(COUNT), K(OLD_COUNT), K(REASON), END}},
    {E(EFFECT_STACK_DENIED), E(EFFECT_PART_BLOCKED), {K(EFFECT), K(COUNT), K(OLD_COUNT), END}},
    {E(EFFECT_REFUSED), E(EFFECT_REFUSED), {K(EFFECT), K(WHY), END}},
    {E(RESTRICTED), E(RECORD), {K(TAG), K(KIND), K(INSTIGATOR), K(MAGNITUDE), END}},
    {E(CUE), E(CUE), {K(TAG), K(ACTION), K(EFFECT), K(MAGNITUDE), K(INSTIGATOR), CUE_KEYS, END}},
    {E(ERROR), E(ERROR), {K(ERROR), K(EFFECT), K(ABILITY), K(ATTRIBUTE), K(LINE), END}},
    {E(ABILITY_GRANTED), E(ABILITY_COMMITTED), {K(ABILITY), K(ACTIVATION), END}},
    {E(ABILITY_ENDED), E(ABILITY_ENDED), {K(ABILITY), K(ACTIVATION), K(END_REASON), END}},
    {E(ABILITY_FAILED), E(ABILITY_FAILED), {K(ABILITY), K(ACTIVATION), K(REFUSED), END}},
    {E(ABILITY_STATUS), E(ABILITY_STATUS), {K(ABILITY), END}},
    {E(CHARGES), E(CHARGES), {K(ABILITY), K(TAG), K(COUNT), K(OLD_COUNT), END}},
    {E(ANIMATION), E(MOTION), {END}},
    {E(REQUEST), E(REQUEST), {K(ABILITY), K(ACTIVATION), END}},
    {E(RETICLE), E(RETICLE), {K(TARGET), K(VALID), END}},
    {E(COMMAND), E(COMMAND),
        {K(COMMAND), K(CONNECTION), K(SEQUENCE_NUMBER), K(ERROR), K(REFUSED), K(ACTIVATION), END}},
    {E(CUSTOM), E(CUSTOM), {K(CUSTOM), K(FIELDS), END}},
    {E(EARLY_USE), E(EARLY_USE), {K(ABILITY), K(TAG), K(COUNT), K(OLD_COUNT), END}},
};
const uint32_t kni_event_row_count = sizeof(kni_event_rows) / sizeof(*kni_event_rows);

const kni_event_row *kni_event_row_of(uint32_t type)
{
    uint32_t i = 0;
    while (i + 1 < kni_event_row_count && type > (uint32_t)kni_event_rows[i].last) {
        i++;
    }
    return &kni_event_rows[i];
}

bool kni_event_row_has(const kni_event_row *row, kni_key key)
{
    uint32_t i = 0;
    while (row->keys[i] != END && row->keys[i] != (uint8_t)key) {
        i++;
    }
    return row->keys[i] != END;
}

kni_form_info kni_event_form(const kni_event_row *row, kni_pattern_use use)
{
    static const uint8_t own[][4] = {
        [KNI_PATTERN_EXPECTED] = {K(HAPPENED), K(MACHINE), K(REVOKED), END},
        [KNI_PATTERN_SEQUENCE] = {K(MACHINE), END},
        [KNI_PATTERN_MEASURE] = {K(EVENT_TAKE), K(PER_SECOND), END},
    };
    kni_form_info form = {"event", "an event that happens; every key must match", END, NOTHING,
        {K(EVENT_TYPE), END}, {END}, {K(EVENT_TYPE), K(AT), K(ENTITY), K(TOLERANCE)}};
    uint32_t count = 4;
    if (use == KNI_PATTERN_MEASURE) {
        form.doc = "a number to measure of events";
        form.required[1] = K(EVENT_TAKE);
    }
    for (uint32_t i = 0; row->keys[i] != END; i++) {
        form.keys[count++] = row->keys[i];
    }
    for (uint32_t i = 0; own[use][i] != END; i++) {
        form.keys[count++] = own[use][i];
    }
    form.keys[count] = END;
    return form;
}

// Expectations ----------------------------------------------------------------

// Keys that are not here stand for themselves.
const kni_belonging kni_belongings[] = {
    {K(ACTIVATION_MODE), {K(ACTIVATION), K(ABILITY), END}},
    {K(ACTIVE), {K(ABILITY), K(ACTIVATION), K(ABILITY_TAGS), END}},
    {K(AGE), {K(ACTIVATION), K(ABILITY), END}},
    {K(ALIVE), {K(ENTITY), END}},
    {K(AS_SERVER), {K(ENTITY), END}},
    {K(AVATAR), {K(ENTITY), END}},
    {K(CALLER_VALUES), {K(EFFECT), END}},
    {K(CAUSER), {K(EFFECT), END}},
    {K(CHARGES), {K(ABILITY), END}},
    {K(CONNECTION), {K(ENTITY), END}},
    {K(COOLDOWN), {K(ABILITY), END}},
    {K(COOLDOWN_KEY), {K(CHARGES), END}},
    {K(COSTS), {K(ABILITY), END}},
    {K(COUNT), {K(EFFECT), K(ABILITY), K(ABILITY_TAGS), K(CUE), K(COMPONENT), END}},
    {K(DURATION), {K(EFFECT), K(COOLDOWN_TAGS), END}},
    {K(EFFECT_COUNT), {K(ENTITY), END}},
    {K(EXACT_TAGS), {K(ENTITY), END}},
    {K(EXECUTIONS), {K(EFFECT), END}},
    {K(EXISTS),
        {K(EFFECT), K(ATTRIBUTE), K(ATTRIBUTES), K(COOLDOWN_TAGS), K(TIMER), K(COMPONENT), END}},
    {K(EXPLANATION), {K(ATTRIBUTE), K(ABILITY), END}},
    {K(FIELDS), {K(COMPONENT), END}},
    {K(FROM), {K(EFFECT), END}},
    {K(GAINED), {K(EFFECT), END}},
    {K(GRANTED), {K(ABILITY), END}},
    {K(INHIBITED), {K(EFFECT), END}},
    {K(INPUT), {K(ABILITY), END}},
    {K(INSTANCE), {K(COMPONENT), END}},
    {K(INSTIGATOR), {K(EFFECT), END}},
    {K(KEY), {K(ATTRIBUTE), K(ATTRIBUTES), K(SETS), END}},
    {K(LEVEL), {K(EFFECT), K(ABILITY), END}},
    {K(LOST), {K(EFFECT), END}},
    {K(MAGNITUDE), {K(EFFECT), END}},
    {K(MEETS_TAGS), {K(ABILITY_TAGS), END}},
    {K(NEXT), {K(EFFECT), END}},
    {K(NO_TAGS), {K(ENTITY), END}},
    {K(OBJECT), {K(EFFECT), END}},
    {K(OWNER), {K(ENTITY), END}},
    {K(PAID), {K(ACTIVATION), K(ABILITY), END}},
    {K(PARENT), {K(ENTITY), END}},
    {K(PERIOD), {K(EFFECT), END}},
    {K(POSITION), {K(ENTITY), END}},
    {K(PRESSED), {K(ABILITY), END}},
    {K(QUERY), {K(ENTITY), END}},
    {K(READY), {K(ABILITY), END}},
    {K(REFUSED), {K(ABILITY), END}},
    {K(REMAINING), {K(EFFECT), K(COOLDOWN_TAGS), K(TIMER), K(TASK), K(TASK_NAME), END}},
    {K(SETS), {K(ENTITY), END}},
    {K(STACKS), {K(EFFECT), END}},
    {K(STATE), {K(EFFECT), K(ACTIVATION), K(ABILITY), END}},
    {K(STARTED_WITH), {K(ACTIVATION), K(ABILITY), END}},
    {K(TAG_COUNTS), {K(ENTITY), END}},
    {K(TARGETS), {K(EFFECT), END}},
    {K(TASK), {K(ACTIVATION), K(ABILITY), END}},
    {K(TASKS), {K(ACTIVATION), K(ABILITY), END}},
    {K(TASK_NAME), {K(ACTIVATION), K(ABILITY), END}},
    {K(TOTAL), {K(ABILITY), END}},
    {K(USER), {K(ENTITY), END}},
};
const uint32_t kni_belonging_count = sizeof(kni_belongings) / sizeof(*kni_belongings);

const char *kni_verb_name(uint32_t verb)
{
    return verb < KNI_VERB_COUNT ? kni_verbs[verb].name : "";
}

uint32_t kni_verb_find(const char *name)
{
    uint32_t verb = 0;
    while (verb < KNI_VERB_COUNT && strcmp(kni_verbs[verb].name, name) != 0) {
        verb++;
    }
    return verb;
}

uint8_t kni_form_key(const kni_form_info *form, const char *name)
{
    uint32_t i = 0;
    while (form->keys[i] != KNI_KEYS_END && strcmp(kni_keys[form->keys[i]].name, name) != 0) {
        i++;
    }
    return form->keys[i];
}

// Words ---------------------------------------------------------------------

const char *kni_result_word(kn_result result, char *text, size_t size)
{
    static const char *const prefixes[] = {"KN_REFUSED_", "KN_ERROR_", "KN_"};
    const char *name = kn_result_name(result);
    for (uint32_t i = 0; i < 3; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0) {
            name += length;
            break;
        }
    }
    size_t at = 0;
    for (; name[at] != 0 && at + 1 < size; at++) {
        char c = name[at];
        text[at] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    text[at] = 0;
    return text;
}

_Static_assert((int)KN_EVENT_TYPE_COUNT <= KNI_WORDS_MAX && (int)KN_RESULT_COUNT <= KNI_WORDS_MAX &&
                   (int)KN_REMOVAL_REASON_COUNT <= KNI_WORDS_MAX &&
                   (int)KN_END_REASON_COUNT <= KNI_WORDS_MAX &&
                   (int)KN_TASK_KIND_COUNT <= KNI_WORDS_MAX,
    "words");

// A list of words: what one of them is, and the words, unless word_at() knows them.
typedef struct word_list {
    const char *what;
    uint32_t count;
    const char *const *items;
} word_list;

static const char *const check_words[] = {"sync", "heavy"};
static const char *const closed_words[] = {
    "none", "host", "left", "timeout", "version", "library", "full", "refused", "abuse"};
static const char *const counter_words[] = {
    [KNI_COUNTER_ACCEPTED] = "accepted",
    [KNI_COUNTER_REFUSED] = "refused",
    [KNI_COUNTER_CORRECTIONS] = "corrections",
    [KNI_COUNTER_CORRECTED] = "corrected",
    [KNI_COUNTER_RESIMULATED] = "resimulated",
    [KNI_COUNTER_REVOKED] = "revoked",
    [KNI_COUNTER_RESYNCS] = "resyncs",
    [KNI_COUNTER_LATE] = "late",
    [KNI_COUNTER_BAD] = "bad",
    [KNI_COUNTER_LEAD] = "lead",
    [KNI_COUNTER_VISIBLE] = "visible",
    [KNI_COUNTER_OUT_OF_SIGHT] = "out_of_sight",
    [KNI_COUNTER_MESSAGES_SENT] = "messages_sent",
    [KNI_COUNTER_MESSAGES_RECEIVED] = "messages_received",
    [KNI_COUNTER_BYTES_SENT] = "bytes_sent",
    [KNI_COUNTER_BYTES_RECEIVED] = "bytes_received",
    [KNI_COUNTER_STATE_BYTES] = "state_bytes",
};
_Static_assert(sizeof(counter_words) / sizeof(*counter_words) == KNI_COUNTER_KINDS, "each counter");
const char *const kni_counter_docs[KNI_COUNTER_KINDS] = {
    [KNI_COUNTER_ACCEPTED] = "commands that the server carried out",
    [KNI_COUNTER_REFUSED] = "commands that the server refused",
    [KNI_COUNTER_CORRECTIONS] = "times that something was predicted wrong, or was not known",
    [KNI_COUNTER_CORRECTED] = "entities that were replaced by what the server has",
    [KNI_COUNTER_RESIMULATED] = "ticks that were simulated again",
    [KNI_COUNTER_REVOKED] = "events that were taken back",
    [KNI_COUNTER_RESYNCS] = "entities that had to be asked for again",
    [KNI_COUNTER_LATE] = "commands that came to the server after their tick",
    [KNI_COUNTER_BAD] = "payloads and messages that made no sense, on both sides",
    [KNI_COUNTER_LEAD] = "ticks from what it knows of the server to its own present",
    [KNI_COUNTER_VISIBLE] = "entities that it has or is about to get",
    [KNI_COUNTER_OUT_OF_SIGHT] = "entities that went out of its sight",
    [KNI_COUNTER_MESSAGES_SENT] = "datagrams that it sent",
    [KNI_COUNTER_MESSAGES_RECEIVED] = "datagrams that arrived",
    [KNI_COUNTER_BYTES_SENT] = "bytes that it sent",
    [KNI_COUNTER_BYTES_RECEIVED] = "bytes that the server sent to it",
    [KNI_COUNTER_STATE_BYTES] = "those of them that are state of the world",
};
static const char *const commit_words[] = {"all", "cost", "cooldown"};
static const char *const origin_words[] = {"loose", "synced", NULL, "minimal", "ability"};
static const char *const mode_words[] = {
    NULL, "authority", "predicting", "confirmed", "rejected", "remote"};
_Static_assert(sizeof(mode_words) / sizeof(*mode_words) == KN_ACTIVATION_MODE_COUNT, "every mode");
static const char *const preset_words[] = {"perfect", "lan", "wifi", "mobile", "awful"};
static const char *const state_part_words[] = {"entity", "attributes", "tags", "effects",
    "abilities", "cues", "timers", "watches", "components"};
_Static_assert(sizeof(state_part_words) / sizeof(*state_part_words) == KN_PART_COUNT, "each part");
static const char *const sync_mode_words[] = {"full", "mixed", "minimal"};
static const char *const removal_words[] = {"cancel", "after_end", "keep"};

#define FIXED(what, items)                                                                         \
    {                                                                                              \
        what, sizeof(items) / sizeof(*(items)), items                                              \
    }

static const word_list word_lists[] = {
    [KNI_WORDS_CHECK] = FIXED("check", check_words),
    [KNI_WORDS_CLOSED] = FIXED("reason of a connection to end", closed_words),
    [KNI_WORDS_COMMIT] = FIXED("part of a commit", commit_words),
    [KNI_WORDS_COUNTER] = FIXED("number that a client counts called", counter_words),
    [KNI_WORDS_CUE_ACTION] = {"action of a cue", KN_CUE_REMOVED + 1, NULL},
    [KNI_WORDS_END_REASON] = {"reason to end", KN_END_REASON_COUNT, NULL},
    [KNI_WORDS_EVENT_TAKE] = {"number to measure of events", KNI_TAKE_KINDS, NULL},
    [KNI_WORDS_EVENT_TYPE] = {"type of event", KN_EVENT_TYPE_COUNT, NULL},
    [KNI_WORDS_FAIL] = {"reason", KN_FAIL_COUNT, NULL},
    [KNI_WORDS_LOOSE_ORIGIN] = {"origin of such tags", 2, origin_words},
    [KNI_WORDS_MODE] = FIXED("mode of an activation", mode_words),
    [KNI_WORDS_ORIGIN] = FIXED("origin of tags", origin_words),
    [KNI_WORDS_PRESET] = FIXED("preset of a network", preset_words),
    [KNI_WORDS_REASON] = {"reason to remove an effect", KN_REMOVAL_REASON_COUNT, NULL},
    [KNI_WORDS_REMOVAL] = FIXED("way to remove an ability", removal_words),
    [KNI_WORDS_RESULT] = {"result", KN_RESULT_COUNT, NULL},
    [KNI_WORDS_STATE_PART] = FIXED("part of an entity", state_part_words),
    [KNI_WORDS_SYNC_MODE] = FIXED("sync mode", sync_mode_words),
    [KNI_WORDS_TAKE] = {"number to measure of an attribute", KNI_TAKE_KINDS, NULL},
    [KNI_WORDS_TASK] = {"kind of task", KN_TASK_KIND_COUNT, NULL},
};

// A word of a list that is not fixed; NULL for one that is not allowed.
static const char *word_at(kni_word_list list, uint32_t i, kni_words *words)
{
    static const char *const takes[KNI_TAKE_KINDS] = {"value", "base", "lost", "gained", "lowest",
        "highest", "count", "sum", "first", "last", "happened"};
    switch (list) {
    case KNI_WORDS_CUE_ACTION:
        return kn_def_field_find(kn_event_data_table(KN_EVENT_CUE), "action")->names[i];
    case KNI_WORDS_END_REASON:
        return kn_end_reason_name((kn_end_reason)i);
    case KNI_WORDS_EVENT_TAKE:
    case KNI_WORDS_TAKE:
        return (i >= KNI_TAKE_COUNT) == (list == KNI_WORDS_EVENT_TAKE) ? takes[i] : NULL;
    case KNI_WORDS_EVENT_TYPE:
        return kn_event_type_name((kn_event_type)i);
    case KNI_WORDS_FAIL:
        return kn_fail_name((kn_fail)(1 << i));
    case KNI_WORDS_REASON:
        return kn_removal_reason_name((kn_removal_reason)i);
    case KNI_WORDS_RESULT:
        return kni_result_word((kn_result)i, words->texts[i], sizeof(words->texts[i]));
    case KNI_WORDS_TASK:
        return kn_def_field_find(kn_struct_table(KN_STRUCT_TASK_DEF), "kind")->names[i];
    default:
        return word_lists[list].items[i];
    }
}

void kni_words_of(kni_word_list list, kni_words *words)
{
    words->what = word_lists[list].what;
    words->count = word_lists[list].count;
    for (uint32_t i = 0; i < words->count; i++) {
        words->items[i] = word_at(list, i, words);
    }
}

// Keys outside of parts -------------------------------------------------------

const kni_field_info kni_fields[KNI_FIELD_COUNT] = {
    [KNI_FIELD_SCENARIO] = {"scenario", KNI_GROUP_FILE, KNI_VALUE_TEXT, "the title, a sentence"},
    [KNI_FIELD_COMMENT] = {"comment", KNI_GROUP_FILE, KNI_VALUE_ANY, "anything"},
    [KNI_FIELD_LIBRARIES] = {"libraries", KNI_GROUP_FILE, KNI_VALUE_PATHS,
        "data files or folders, relative to this file"},
    [KNI_FIELD_LIBRARY] = {"library", KNI_GROUP_FILE, KNI_VALUE_LIBRARY,
        "a data document inside the scenario"},
    [KNI_FIELD_WORLD] = {"world", KNI_GROUP_FILE, KNI_VALUE_WORLD, "settings of the world"},
    [KNI_FIELD_CHECK] = {"check", KNI_GROUP_FILE, KNI_VALUE_CHECKS,
        "additional checks: every step is rolled back and repeated (sync), the world is saved and "
        "loaded (heavy)"},
    [KNI_FIELD_TOLERANCE] = {"tolerance", KNI_GROUP_FILE, KNI_VALUE_TOLERANCE,
        "how much numbers may differ unless stated otherwise; default 0"},
    [KNI_FIELD_MACHINES] = {"machines", KNI_GROUP_FILE, KNI_VALUE_MACHINES,
        "the server and its clients, by name: the scenario is played over a simulated network"},
    [KNI_FIELD_ENTITIES] = {"entities", KNI_GROUP_FILE, KNI_VALUE_ENTITIES,
        "the entities at the beginning, by name"},
    [KNI_FIELD_TIMELINE] = {"timeline", KNI_GROUP_FILE, KNI_VALUE_TIMELINE,
        "what is done and expected, and when"},
    [KNI_FIELD_END] = {"end", KNI_GROUP_FILE, KNI_VALUE_TIME,
        "when the run ends; default: the last time of the timeline"},
    [KNI_FIELD_EXPECT] = {"expect", KNI_GROUP_FILE, KNI_VALUE_EXPECTATIONS,
        "what must be true at the end"},
    [KNI_FIELD_ALWAYS] = {"always", KNI_GROUP_FILE, KNI_VALUE_EXPECTATIONS,
        "what must be true after every step"},
    [KNI_FIELD_NEVER] = {"never", KNI_GROUP_FILE, KNI_VALUE_EXPECTATIONS,
        "what must not be true after any step"},
    [KNI_FIELD_EVENTS] = {"events", KNI_GROUP_FILE, KNI_VALUE_EVENTS,
        "events that must happen, in this order"},
    [KNI_FIELD_CUES] = {"cues", KNI_GROUP_FILE, KNI_VALUE_CUES,
        "cues that must be published, in this order"},
    [KNI_FIELD_HASH] = {"hash", KNI_GROUP_FILE, KNI_VALUE_HASH,
        "the hash of the world at the end, without a variant and with the seed of the file"},
    [KNI_FIELD_MEASURE] = {"measure", KNI_GROUP_FILE, KNI_VALUE_MEASURES,
        "numbers to measure during a run, by name"},
    [KNI_FIELD_VARIANTS] = {"variants", KNI_GROUP_FILE, KNI_VALUE_VARIANTS,
        "other entities or seeds for the same timeline, by name"},
    [KNI_FIELD_WORLD_SEED] = {"seed", KNI_GROUP_WORLD, KNI_VALUE_SEED,
        "seed of the random numbers; default 1"},
    [KNI_FIELD_WORLD_STEP] = {"step", KNI_GROUP_WORLD, KNI_VALUE_STEP,
        "length of a step: a time, or a fraction of a second; default 1/60 s"},
    [KNI_FIELD_WORLD_START] = {"start", KNI_GROUP_WORLD, KNI_VALUE_TIME,
        "time at which the world starts; default 0"},
    [KNI_FIELD_WORLD_GRID] = {"grid", KNI_GROUP_WORLD, KNI_VALUE_GRID,
        "gives entities positions: true, or the size of a grid cell"},
    [KNI_FIELD_WORLD_MOTION] = {"motion", KNI_GROUP_WORLD, KNI_VALUE_BOOL,
        "false: motions do not move bodies, because the content does so itself; default true"},
    [KNI_FIELD_WORLD_TASK_LIMIT] = {"task_limit", KNI_GROUP_WORLD, KNI_VALUE_COUNT,
        "maximum number of tasks at once; default 0: no limit"},
    [KNI_FIELD_ENTRY_AT] = {"at", KNI_GROUP_ENTRY, KNI_VALUE_TIME, "at this time"},
    [KNI_FIELD_ENTRY_AFTER] = {"after", KNI_GROUP_ENTRY, KNI_VALUE_TIME,
        "this long after the previous entry"},
    [KNI_FIELD_ENTRY_EVERY] = {"every", KNI_GROUP_ENTRY, KNI_VALUE_TIME,
        "repeatedly, with this interval"},
    [KNI_FIELD_ENTRY_FROM] = {"from", KNI_GROUP_ENTRY, KNI_VALUE_TIME,
        "with `every`: the first time; default: that of the previous entry"},
    [KNI_FIELD_ENTRY_UNTIL] = {"until", KNI_GROUP_ENTRY, KNI_VALUE_TIME,
        "with `every`: the last time; default: the end"},
    [KNI_FIELD_ENTRY_DO] = {"do", KNI_GROUP_ENTRY, KNI_VALUE_ACTIONS, "actions"},
    [KNI_FIELD_ENTRY_EXPECT] = {"expect", KNI_GROUP_ENTRY, KNI_VALUE_EXPECTATIONS,
        "what must be true: before the actions if written before `do`, otherwise after them"},
    [KNI_FIELD_ENTRY_COMMENT] = {"comment", KNI_GROUP_ENTRY, KNI_VALUE_ANY, "anything"},
    [KNI_FIELD_ACTION_ADVANCE] = {"advance", KNI_GROUP_ACTION, KNI_VALUE_TIME,
        "advances time before the next entry"},
    [KNI_FIELD_ACTION_EXPECT] = {"expect", KNI_GROUP_ACTION, KNI_VALUE_EXPECTATIONS,
        "what must be true now"},
    [KNI_FIELD_VARIANT_ENTITIES] = {"entities", KNI_GROUP_VARIANT, KNI_VALUE_VARIANT_ENTITIES,
        "keys of entities to change, by name"},
    [KNI_FIELD_VARIANT_WORLD] = {"world", KNI_GROUP_VARIANT, KNI_VALUE_VARIANT_WORLD,
        "settings of the world to change"},
    [KNI_FIELD_VARIANT_EXPECT] = {"expect", KNI_GROUP_VARIANT, KNI_VALUE_EXPECTATIONS,
        "what must also be true at the end"},
    [KNI_FIELD_VARIANT_SEED] = {"seed", KNI_GROUP_VARIANT_WORLD, KNI_VALUE_SEED,
        "seed of the random numbers"},
    [KNI_FIELD_VARIANT_STEP] = {"step", KNI_GROUP_VARIANT_WORLD, KNI_VALUE_STEP,
        "length of a step"},
    [KNI_FIELD_SERVER_RATE] = {"rate", KNI_GROUP_SERVER, KNI_VALUE_COUNT,
        "ticks per second, 10 to 128; default 60"},
    [KNI_FIELD_SERVER_SEND_EVERY] = {"send_every", KNI_GROUP_SERVER, KNI_VALUE_COUNT,
        "ticks from one datagram of state to the next, 1 to 16; default 2"},
    [KNI_FIELD_SERVER_MODE] = {"mode", KNI_GROUP_SERVER, KNI_VALUE_SYNC_MODE,
        "sync mode of entities without one of their own; default full"},
    [KNI_FIELD_SERVER_RELEVANCE_EVERY] = {"relevance_every", KNI_GROUP_SERVER, KNI_VALUE_COUNT,
        "ticks until it is looked again who sees an entity, 1 to 1000; default 10"},
    [KNI_FIELD_SERVER_COMMAND_RATE] = {"command_rate", KNI_GROUP_SERVER, KNI_VALUE_COUNT,
        "most commands per second of a client; default 50"},
    [KNI_FIELD_SERVER_BYTES_PER_SECOND] = {"bytes_per_second", KNI_GROUP_SERVER, KNI_VALUE_COUNT,
        "most bytes of state per second and client, at least 1000; default 60000"},
    [KNI_FIELD_SERVER_BURST_BYTES] = {"burst_bytes", KNI_GROUP_SERVER, KNI_VALUE_COUNT,
        "bytes of state that may be sent at once after a quiet time; default 120000"},
    [KNI_FIELD_SERVER_TIMEOUT] = {"timeout", KNI_GROUP_SERVER, KNI_VALUE_TIME,
        "a connection ends when nothing was heard for so long; default 10 s"},
    [KNI_FIELD_MACHINE_JOIN] = {"join", KNI_GROUP_MACHINE, KNI_VALUE_TIME,
        "when the client begins to join; default: at the start"},
    [KNI_FIELD_MACHINE_LEAVE] = {"leave", KNI_GROUP_MACHINE, KNI_VALUE_TIME,
        "when the client leaves; default: it does not"},
    [KNI_FIELD_MACHINE_HIDE] = {"hide", KNI_GROUP_MACHINE, KNI_VALUE_NAMES,
        "entities that the client does not see"},
    [KNI_FIELD_MACHINE_MARGIN] = {"margin", KNI_GROUP_MACHINE, KNI_VALUE_TIME,
        "how much earlier than needed commands are to arrive; default 5 ms"},
    [KNI_FIELD_MACHINE_LEAD_MAX] = {"lead_max", KNI_GROUP_MACHINE, KNI_VALUE_TIME,
        "most time that the client runs ahead of what it knows of the server; default 1 s"},
    [KNI_FIELD_MACHINE_TIMEOUT] = {"timeout", KNI_GROUP_MACHINE, KNI_VALUE_TIME,
        "the connection ends when nothing was heard for so long; default 10 s"},
    [KNI_FIELD_MACHINE_UP] = {"up", KNI_GROUP_MACHINE, KNI_VALUE_CONDITIONS,
        "conditions on the way to the server that differ from those of both ways"},
    [KNI_FIELD_MACHINE_DOWN] = {"down", KNI_GROUP_MACHINE, KNI_VALUE_CONDITIONS,
        "conditions on the way from the server that differ from those of both ways"},
    [KNI_FIELD_CONDITION_PRESET] = {"preset", KNI_GROUP_CONDITIONS, KNI_VALUE_PRESET,
        "all conditions at once: perfect (default), lan, wifi, mobile or awful"},
    [KNI_FIELD_CONDITION_LATENCY] = {"latency", KNI_GROUP_CONDITIONS, KNI_VALUE_TIME,
        "time that a datagram travels, each way; at most 1 hour"},
    [KNI_FIELD_CONDITION_JITTER] = {"jitter", KNI_GROUP_CONDITIONS, KNI_VALUE_TIME,
        "by how much longer a datagram may travel"},
    [KNI_FIELD_CONDITION_LOSS] = {"loss", KNI_GROUP_CONDITIONS, KNI_VALUE_SHARE,
        "share of datagrams that are lost: 5 % or 0.05"},
    [KNI_FIELD_CONDITION_BURST_ENTER] = {"burst_enter", KNI_GROUP_CONDITIONS, KNI_VALUE_SHARE,
        "probability that a burst of loss begins with a datagram"},
    [KNI_FIELD_CONDITION_BURST_LEAVE] = {"burst_leave", KNI_GROUP_CONDITIONS, KNI_VALUE_SHARE,
        "probability that a burst is over before the next datagram"},
    [KNI_FIELD_CONDITION_BURST_LOSS] = {"burst_loss", KNI_GROUP_CONDITIONS, KNI_VALUE_SHARE,
        "share of datagrams in a burst that are lost"},
    [KNI_FIELD_CONDITION_DUPLICATE] = {"duplicate", KNI_GROUP_CONDITIONS, KNI_VALUE_SHARE,
        "share of datagrams that arrive twice"},
    [KNI_FIELD_CONDITION_REORDER] = {"reorder", KNI_GROUP_CONDITIONS, KNI_VALUE_SHARE,
        "share of datagrams that others overtake"},
    [KNI_FIELD_CONDITION_REORDER_DELAY] = {"reorder_delay", KNI_GROUP_CONDITIONS, KNI_VALUE_TIME,
        "how much longer those travel"},
    [KNI_FIELD_CONDITION_CORRUPT] = {"corrupt", KNI_GROUP_CONDITIONS, KNI_VALUE_SHARE,
        "share of datagrams that are changed on the way"},
    [KNI_FIELD_CONDITION_BYTES_PER_SECOND] = {"bytes_per_second", KNI_GROUP_CONDITIONS,
        KNI_VALUE_COUNT, "bytes that are carried in a second; 0: no limit"},
    [KNI_FIELD_CONDITION_QUEUE_BYTES] = {"queue_bytes", KNI_GROUP_CONDITIONS, KNI_VALUE_COUNT,
        "bytes that may wait for their turn; 0: no limit"},
};

kni_range kni_field_range(kni_field field)
{
    static const struct {
        kni_field field;
        kni_range range;
    } ranges[] = {
        {KNI_FIELD_SERVER_RATE, {10, 128}},
        {KNI_FIELD_SERVER_SEND_EVERY, {1, 16}},
        {KNI_FIELD_SERVER_RELEVANCE_EVERY, {1, 1000}},
        {KNI_FIELD_SERVER_COMMAND_RATE, {1, 1000000}},
        {KNI_FIELD_SERVER_BYTES_PER_SECOND, {1000, 1000000000}},
        {KNI_FIELD_SERVER_BURST_BYTES, {1200, 1000000000}},
    };
    for (uint32_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
        if (ranges[i].field == field) {
            return ranges[i].range;
        }
    }
    return (kni_range){0, UINT32_MAX};
}

kni_node kni_field_get(kni_node mapping, kni_field field)
{
    return kni_node_get(mapping, kni_fields[field].name);
}

// A client has the conditions of its network, and one way of it has nothing else.
static bool group_has(kni_group group, kni_group of)
{
    return of == group || (group == KNI_GROUP_MACHINE && of == KNI_GROUP_CONDITIONS);
}

kni_field kni_field_find(kn_scenario *scenario, kni_group group, kni_node node)
{
    static const char *const whats[KNI_GROUP_COUNT] = {"section", "setting of a world called",
        "key of a timeline called", "action", "key of a variant called",
        "setting of a variant called", "setting of a server called", "setting of a client called",
        "condition of a network called"};
    const char
        *words[(uint32_t)KNI_FIELD_COUNT + (uint32_t)KNI_VERB_COUNT + KNI_FUNCTION_WORDS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < KNI_FIELD_COUNT; i++) {
        if (group_has(group, kni_fields[i].group)) {
            words[count++] = kni_fields[i].name;
            if (strcmp(kni_fields[i].name, kni_node_key(node)) == 0) {
                return (kni_field)i;
            }
        }
    }
    for (uint32_t i = 0; group == KNI_GROUP_ACTION && i < KNI_VERB_COUNT; i++) {
        words[count++] = kni_verbs[i].name;
    }
    if (group == KNI_GROUP_ACTION) {
        kni_function_words(scenario->library, true, words, &count, sizeof(words) / sizeof(*words));
    }
    if (group == KNI_GROUP_ACTION &&
        kni_function_may_be(scenario, kni_node_key(node), words, count)) {
        return KNI_FIELD_COUNT;
    }
    if (group == KNI_GROUP_ACTION &&
        kni_function_find(scenario->library, kni_node_key(node), false) != NULL) {
        kni_scenario_key_error(scenario, node,
            "`%s` changes nothing: it is not an action, but can be expected", kni_node_key(node));
        return KNI_FIELD_COUNT;
    }
    kni_place place = kni_node_key_place(node);
    kni_scenario_unknown(scenario, &place, whats[group], kni_node_key(node), words, count);
    return KNI_FIELD_COUNT;
}
