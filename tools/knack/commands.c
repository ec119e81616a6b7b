// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The table of commands. Help, the manual page, completion and docs/cli.md are made from it.

#include "cli.h"

#define MANY UINT32_MAX
#define OPTIONS(table) (table), sizeof(table) / sizeof(*(table))
#define OPTION_JSON                                                                                \
    {                                                                                              \
        "json", 0, CLI_FLAG, NULL, "print the result as JSON", 0, 0                                \
    }

#define OPTION_VARIANT                                                                             \
    {                                                                                              \
        "variant", 0, CLI_TEXT, "NAME", "play this variant; base is the scenario as written", 0, 0 \
    }
#define OPTION_SEED                                                                                \
    {                                                                                              \
        "seed", 0, CLI_NUMBER, "N", "seed of the random numbers", 0, UINT64_MAX                    \
    }
#define OPTION_AT                                                                                  \
    {                                                                                              \
        "at", 0, CLI_TIME, "TIME", "run until this time, such as 2.5s; default: the end", 0, 0     \
    }

const cli_option cli_common[] = {
    {"color", 0, CLI_WORD, "auto|always|never",
        "when to use colours; auto: on a terminal, unless NO_COLOR is set", 0, 0},
    {"help", 'h', CLI_FLAG, NULL, "print this help", 1, 0},
};
const uint32_t cli_common_count = sizeof(cli_common) / sizeof(*cli_common);

static const cli_option check_options[] = {
    {"strict", 's', CLI_FLAG, NULL, "treat warnings as problems", 0, 0},
    {"off", 0, CLI_LINTS, "LINT",
        "turn off this lint; separate several with commas, or repeat the option", 0, 0},
    {"list-lints", 0, CLI_FLAG, NULL, "print the names of all lints and what they find", 1, 0},
    {"quiet", 'q', CLI_FLAG, NULL, "only report problems", 0, 0},
    OPTION_JSON,
};

static const cli_option run_options[] = {
    {"verbose", 'v', CLI_FLAG, NULL, "print every action and every event, numbered", 0, 0},
    {"variant", 0, CLI_TEXT, "NAME",
        "play only this variant; base is the scenario as written; can be repeated", 0, 0},
    OPTION_SEED,
    {"check", 0, CLI_WORD, "none|sync|heavy|both",
        "also check that every step can be rolled back (sync), or saved and loaded (heavy)", 0, 0},
    OPTION_JSON,
};

static const cli_option watch_options[] = {
    {"verbose", 'v', CLI_FLAG, NULL, "print every action and every event, numbered", 0, 0},
    {"variant", 0, CLI_TEXT, "NAME",
        "play only this variant; base is the scenario as written; can be repeated", 0, 0},
    OPTION_SEED,
    {"check", 0, CLI_WORD, "none|sync|heavy|both",
        "also check that every step can be rolled back (sync), or saved and loaded (heavy)", 0, 0},
    {"also", 0, CLI_FILE, "PATH", "another file or folder to watch; can be repeated", 0, 0},
    {"interval", 0, CLI_NUMBER, "MS", "milliseconds between checks; default 250", 1, 60000},
    {"times", 0, CLI_NUMBER, "N", "stop after this many plays; default: never", 1, UINT64_MAX},
    {"json", 0, CLI_FLAG, NULL, "print the result of every play as one line of JSON", 0, 0},
};

static const cli_option explain_options[] = {
    OPTION_AT,
    {"ability", 0, CLI_TEXT, "NAME", "explain why this ability can or cannot be used", 0, 0},
    {"effect", 0, CLI_TEXT, "NAME", "explain why this effect can or cannot be applied to ENTITY", 0,
        0},
    {"from", 0, CLI_TEXT, "ENTITY", "with --effect: the entity that applies it; default: none", 0,
        0},
    {"event", 0, CLI_NUMBER, "N",
        "explain what caused event N of knack run --verbose, and where it went if it is a hit", 1,
        UINT64_MAX},
    {"hits", 0, CLI_FLAG, NULL,
        "combat kit: list the hits that ENTITY, or anybody, dealt and took, with the numbers of "
        "their events",
        0, 0},
    {"proc", 0, CLI_TEXT, "NAME",
        "combat kit: explain what this proc of ENTITY did, and why it did not act", 0, 0},
    {"capability", 0, CLI_TEXT, "NAME",
        "capability kit: explain why this capability of ENTITY is active or not", 0, 0},
    {"timeline", 0, CLI_FLAG, NULL,
        "capability kit: show when the capabilities of ENTITY were active or stopped, and by what",
        0, 0},
    {"since", 0, CLI_TIME, "TIME", "with --timeline: begin at this time; default: 0", 0, 0},
    {"order", 0, CLI_TEXT, "TYPE",
        "order kit: explain why ENTITY would obey such an order or not, and which targets it found",
        0, 0},
    {"target", 0, CLI_TEXT, "ENTITY", "with --order: the entity it is aimed at; default: none", 0,
        0},
    {"location", 0, CLI_TEXT, "X,Y", "with --order: the point it is aimed at; default: none", 0, 0},
    {"index", 0, CLI_NUMBER, "N", "with --order: its variant; default: none", 0, INT32_MAX},
    {"autos", 0, CLI_FLAG, NULL, "order kit: explain why ENTITY gives itself an order or does not",
        0, 0},
    {"tree", 0, CLI_FLAG, NULL,
        "order kit: show the behaviour tree of ENTITY with the conditions that hold", 0, 0},
    {"svg", 0, CLI_FILE, "FILE",
        "with --timeline or --tree: draw it as an SVG picture instead; - is stdout", 0, 0},
    OPTION_VARIANT,
    OPTION_SEED,
    OPTION_JSON,
};

static const cli_option dump_options[] = {
    OPTION_AT,
    OPTION_VARIANT,
    OPTION_SEED,
    {"save", 0, CLI_FILE, "FILE", "write a save of the world instead", 0, 0},
    OPTION_JSON,
};

static const cli_option record_options[] = {
    OPTION_AT,
    OPTION_VARIANT,
    OPTION_SEED,
    OPTION_JSON,
};

static const cli_option replay_options[] = {
    {"until", 0, CLI_TIME, "TIME", "play only the steps up to this time", 0, 0},
    {"step", 0, CLI_FLAG, NULL, "print every step with its hash", 0, 0},
    {"dump", 0, CLI_FLAG, NULL, "print the world at that time", 0, 0},
    {"variant", 0, CLI_TEXT, "NAME", "the variant that was recorded", 0, 0},
    OPTION_JSON,
};

static const cli_option diff_options[] = {
    {"library", 0, CLI_FILE, "PATH", "a file or folder of the library; can be repeated", 0, 0},
    {"scenario", 0, CLI_FILE, "FILE", "use the library of this scenario; required for recordings",
        0, 0},
    {"variant", 0, CLI_TEXT, "NAME", "the variant that was recorded", 0, 0},
    OPTION_JSON,
};

static const cli_option bench_options[] = {
    {"repeat", 'n', CLI_NUMBER, "N", "number of runs, of which the best counts; default 7", 1,
        1000000},
    OPTION_VARIANT,
    OPTION_SEED,
    OPTION_JSON,
};

static const cli_option sim_options[] = {
    {"runs", 'n', CLI_NUMBER, "N", "runs of each variant; default 1000", 1, 10000000},
    {"seed", 0, CLI_NUMBER, "N",
        "seed of the first run, increased by 1 for each further run; default 1", 0, UINT64_MAX},
    {"threads", 'j', CLI_NUMBER, "N", "number of threads; default: one per core", 1, 1024},
    {"variant", 0, CLI_TEXT, "NAME",
        "play only this variant; base is the scenario as written; can be repeated", 0, 0},
    {"measure", 0, CLI_TEXT, "NAME", "show only this measure; can be repeated", 0, 0},
    {"meter", 0, CLI_TEXT, "WHAT:ENTITY[:ABILITY]",
        "combat kit: measure what ENTITY did or took, with one ability or effect or with all; "
        "WHAT is done, dps, taken, absorbed, mitigated, healing, hps, healed, overhealing, hits, "
        "criticals or kills; can be repeated",
        0, 0},
    {"bins", 0, CLI_NUMBER, "N", "number of bars in a histogram; default 10", 1, 200},
    {"svg", 0, CLI_FILE, "FILE", "draw the distributions as an SVG picture; - is stdout", 0, 0},
    {"csv", 0, CLI_FILE, "FILE", "write each run as a line of CSV; - is stdout", 0, 0},
    OPTION_JSON,
};

#define OPTION_RATE                                                                                \
    {                                                                                              \
        "rate", 0, CLI_NUMBER, "N", "ticks per second; default 60", 10, 128                        \
    }
#define OPTION_SEND_EVERY                                                                          \
    {                                                                                              \
        "send-every", 0, CLI_NUMBER, "N",                                                          \
            "ticks from one datagram of state to the next; default 2", 1, 16                       \
    }
#define OPTION_ARCHETYPE                                                                           \
    {                                                                                              \
        "archetype", 0, CLI_TEXT, "NAME",                                                          \
            "what players get, in turn if it is repeated; default: all archetypes with abilities", \
            0, 0                                                                                   \
    }

#define OPTION_SIGHT                                                                               \
    {                                                                                              \
        "sight", 0, CLI_NUMBER, "N",                                                               \
            "distance up to which players see others; default: they see everything", 1, 1000000    \
    }

static const cli_option serve_options[] = {
    {"address", 0, CLI_TEXT, "ADDRESS", "where to listen; default 127.0.0.1", 0, 0},
    {"port", 'p', CLI_NUMBER, "N", "port to listen on, 0 for any free one; default 40000", 0,
        65535},
    OPTION_RATE,
    OPTION_SEND_EVERY,
    {"players", 0, CLI_NUMBER, "N", "most players at a time; default 64", 1, 4096},
    OPTION_ARCHETYPE,
    OPTION_SIGHT,
    {"key-file", 0, CLI_FILE, "FILE",
        "the key of those who may join, created if it is missing; required for an address that "
        "other machines reach",
        0, 0},
    OPTION_SEED,
    {"for", 0, CLI_TIME, "TIME", "end after this time; default: never", 0, 0},
    {"record", 0, CLI_FILE, "FILE", "record everything for knack replay", 0, 0},
    OPTION_JSON,
};

static const cli_option bots_options[] = {
    {"count", 'n', CLI_NUMBER, "N", "number of bots; default 10", 1, 4000},
    {"for", 0, CLI_TIME, "TIME", "how long they play; default 10 s", 0, 0},
    {"network", 0, CLI_WORD, "perfect|lan|wifi|mobile|awful",
        "the line of each bot; default perfect", 0, 0},
    {"latency", 0, CLI_TIME, "TIME", "time that datagrams take in each direction", 0, 0},
    {"jitter", 0, CLI_TIME, "TIME", "by how much that time varies", 0, 0},
    {"loss", 0, CLI_TEXT, "SHARE", "share of datagrams that is lost, such as 5%", 0, 0},
    {"actions", 0, CLI_NUMBER, "N", "uses of abilities per second and bot; default 2", 0, 50},
    {"connect", 0, CLI_TEXT, "ADDRESS:PORT",
        "play on this server; default: one in the same process", 0, 0},
    {"key-file", 0, CLI_FILE, "FILE", "with --connect: the key file of the server", 0, 0},
    {"wait", 0, CLI_TIME, "TIME", "how long bots may take to join; default 60 s", 0, 0},
    {"reconnect", 0, CLI_FLAG, NULL, "connect again when a connection is lost", 0, 0},
    {"churn", 0, CLI_TIME, "TIME",
        "time after which another bot vanishes without a word and comes back; implies --reconnect",
        0, 0},
    {"threads", 'j', CLI_NUMBER, "N", "threads for bots; default: one per core, less one", 1, 1024},
    OPTION_RATE,
    OPTION_SEND_EVERY,
    OPTION_ARCHETYPE,
    OPTION_SIGHT,
    OPTION_SEED,
    {"plot", 0, CLI_FILE, "FILE", "draw the distributions as an SVG picture; - is stdout", 0, 0},
    OPTION_JSON,
};

static const cli_option docs_options[] = {
    {"output", 'o', CLI_FILE, "FILE", "write to a file instead of stdout", 0, 0},
    {"title", 0, CLI_TEXT, "TEXT", "title of the page", 0, 0},
    {"code", 0, CLI_FILE, "PATH",
        "a file or folder of code in which to look for names of tags, effects and abilities; can "
        "be repeated",
        0, 0},
    {"json", 0, CLI_FLAG, NULL, "print the definitions and their uses as JSON instead", 0, 0},
};

static const cli_option new_options[] = {
    {"name", 0, CLI_TEXT, "NAME", "name of the project; default: the name of the folder", 0, 0},
    OPTION_JSON,
};

static const cli_option schema_options[] = {
    {"scenario", 's', CLI_FLAG, NULL, "print the schema of scenarios instead", 0, 0},
    {"lua", 'l', CLI_FLAG, NULL, "print the script API instead, for the Lua language server", 0, 0},
    {"output", 'o', CLI_FILE, "FILE", "write to a file instead of stdout", 0, 0},
    {"json", 0, CLI_FLAG, NULL, "report errors as JSON too; the schema is always JSON", 0, 0},
};

static const cli_option write_options[] = {
    {"output", 'o', CLI_FILE, "FILE", "write to a file instead of stdout", 0, 0},
    {"json", 0, CLI_FLAG, NULL, "write JSON, which can also be read as a data file", 0, 0},
};

const cli_command cli_commands[] = {
    {"check", "PATH...", 1, MANY, "find mistakes in data files",
        "Reads data files and folders as one library and reports every error with file, line, "
        "column and remedy, and warns about what is legal but suspicious. The file name - means "
        "stdin.",
        "knack check content\nknack check --strict --json content/hero.yaml content/shared\n"
        "knack check --off unused-effect,unused-ability content",
        OPTIONS(check_options), check_main},
    {"run", "SCENARIO...", 1, MANY, "play scenarios and report failed expectations",
        "Plays every scenario as written and in all its variants. A failed expectation is reported "
        "with its place in the file, what was found instead, and why. A folder stands for all "
        "files in folders called `scenarios` below it; the file name - means stdin.",
        "knack run content\nknack run scenarios/*.yaml\nknack run --verbose scenarios/meteor.yaml\n"
        "knack run --check both --variant strong duel.yaml",
        OPTIONS(run_options), run_main},
    {"watch", "SCENARIO...", 1, MANY, "play scenarios again whenever a file changes",
        "Plays scenarios, and plays them again when they or the files of their libraries change. A "
        "folder stands for all files in folders called `scenarios` below it. Press Ctrl-C to stop.",
        "knack watch content\nknack watch scenarios/meteor.yaml", OPTIONS(watch_options),
        watch_main},
    {"explain", "SCENARIO [ENTITY [ATTRIBUTE]]", 1, 3,
        "explain a value, an ability, an effect or an event",
        "Plays a scenario up to a time and explains one thing: why an attribute has its value, why "
        "an ability can or cannot be used, why an effect can or cannot be applied, or what caused "
        "an event. With the combat kit: where the damage of a hit went, and why a proc did not "
        "act. With the capability kit: why a capability is active or not, and a timeline of all "
        "capabilities of an entity. With the order kit: why a unit does not obey, why it does "
        "nothing by itself, and why a behaviour tree did not take a branch.",
        "knack explain meteor.yaml --at 2.5s foe Vitals.Health\n"
        "knack explain meteor.yaml --at 2.5s hero --ability Meteor\n"
        "knack explain meteor.yaml --at 2.5s foe --effect Burn --from hero\n"
        "knack explain meteor.yaml --event 17\n"
        "knack explain raid.yaml boss --hits\n"
        "knack explain raid.yaml --at 12s mage --proc 'Hot Streak'\n"
        "knack explain swim.yaml --at 1s swimmer --capability Walk\n"
        "knack explain swim.yaml swimmer --timeline --since 0.5s --svg swimmer.svg\n"
        "knack explain raid.yaml --at 2s soldier --order Attack --target foe\n"
        "knack explain raid.yaml --at 2s soldier --tree",
        OPTIONS(explain_options), explain_main},
    {"dump", "SCENARIO [ENTITY]", 1, 2, "print an entity, or the world, at a time",
        "Plays a scenario up to a time and prints everything about one entity, or about all of "
        "them and the world itself, with its systems, tickers and watches. With the capability "
        "kit, the text has the sets and capabilities of entities as a tree; with the order kit, "
        "orders, blackboards and behaviour trees. Name an entity as in the scenario, or by its "
        "number as in `#3`.",
        "knack dump meteor.yaml --at 2.5s foe\nknack dump meteor.yaml --json\n"
        "knack dump meteor.yaml --at 2.5s --save before.knack",
        OPTIONS(dump_options), dump_main},
    {"record", "SCENARIO FILE", 2, 2, "record a run of a scenario",
        "Plays a scenario and writes its initial state, every action, and the hash of every step.",
        "knack record meteor.yaml meteor.rec", OPTIONS(record_options), record_main},
    {"replay", "SCENARIO FILE", 2, 2, "play a recording again and compare every step",
        "Plays a recording of a scenario and compares the hash of every step with the recorded "
        "one. If another variant matches, it is named. For a recording of knack serve, name its "
        "content instead of a scenario.",
        "knack replay meteor.yaml meteor.rec\n"
        "knack replay meteor.yaml meteor.rec --until 2.5s --dump\n"
        "knack replay content match.rec",
        OPTIONS(replay_options), replay_main},
    {"diff", "FILE FILE", 2, 2, "list the differences between two saves or recordings",
        "Compares two saves, or two recordings up to the first step that differs, and lists the "
        "differences by entity and field, at most 100 lines.",
        "knack diff before.knack after.knack --library content\n"
        "knack diff mine.rec yours.rec --scenario meteor.yaml",
        OPTIONS(diff_options), diff_main},
    {"bench", "SCENARIO", 1, 1, "measure how fast a scenario runs",
        "Plays a scenario several times and reports how long the best run took.",
        "knack bench --repeat 20 siege.yaml", OPTIONS(bench_options), bench_main},
    {"sim", "SCENARIO...", 1, MANY, "play scenarios many times and compare their measures",
        "Plays scenarios and their variants with many seeds on all cores and reports the "
        "distributions of their measures, side by side. The numbers do not depend on the number of "
        "threads; variants are played with the same seeds.",
        "knack sim --runs 10000 builds.yaml\n"
        "knack sim builds.yaml --measure dps --svg dps.svg --csv runs.csv\n"
        "knack sim raid.yaml --meter dps:mage --meter done:mage:Firebolt --meter taken:tank",
        OPTIONS(sim_options), sim_main},
    {"serve", "CONTENT", 1, 1, "run a server over UDP with this content",
        "Reads a data file or folder as a library and runs a server that players join over UDP. "
        "Each gets an entity of an archetype and controls it by commands. Without --key-file "
        "everybody on this machine can join, and nobody else. Press Ctrl-C to stop.",
        "knack serve content\n"
        "knack serve content --port 0 --players 200 --record match.rec\n"
        "knack serve content --address 0.0.0.0 --key-file server.key",
        OPTIONS(serve_options), serve_main},
    {"bots", "CONTENT", 1, 1, "let many clients play over UDP, on bad networks",
        "Starts clients that join a server over UDP and use the abilities of their entities at "
        "random, on lines with latency and loss. Reports bytes, corrections, how far clients run "
        "ahead, and how long ticks take, by percentile. Without --connect the server is part of "
        "the process, and in the end its state is compared with that of the clients. The exit code "
        "is 1 if a client differs, or a connection was lost.",
        "knack bots content --count 100 --latency 80ms --loss 5% --for 30s\n"
        "knack bots content --network mobile --plot bots.svg\n"
        "knack bots content --connect 127.0.0.1:40000 --count 50",
        OPTIONS(bots_options), bots_main},
    {"docs", "PATH...", 1, MANY, "write a reference of a library as HTML",
        "Reads data files and folders as one library and writes one HTML file that documents it: "
        "archetypes, abilities, effects, attributes, tags, and what uses what, including scripts "
        "and code. Comments above and beside definitions are included. The page is self-contained.",
        "knack docs content -o reference.html\n"
        "knack docs content --code src --title 'My game' -o reference.html",
        OPTIONS(docs_options), docs_main},
    {"new", "FOLDER", 1, 1, "start a project",
        "Creates a folder (or uses an existing empty one) with a small game in it: content in YAML "
        "and Lua, scenarios, a program that plays it, a CMake project that builds it, and the "
        "schemas that editors read.",
        "knack new my-game", OPTIONS(new_options), new_main},
    {"schema", "", 0, 0, "print schemas for completion and checks in editors",
        "Prints the JSON Schema of data files or of scenarios, or annotations of the script API. "
        "With them, editors complete names and show what they mean. `knack new` writes all three.",
        "knack schema -o knack.schema.json\nknack schema --scenario -o scenario.schema.json\n"
        "knack schema --lua -o knack.lua",
        OPTIONS(schema_options), schema_main},
    {"write", "PATH...", 1, MANY, "print a library as one canonical file",
        "Reads data files and folders as one library and writes all of it as one YAML document "
        "that builds the same library again, except for functions.",
        "knack write content > library.yaml\nknack write content --json -o library.json",
        OPTIONS(write_options), write_main},
};
const uint32_t cli_command_count = sizeof(cli_commands) / sizeof(*cli_commands);
