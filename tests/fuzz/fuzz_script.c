// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Random calls of the Lua API. The input becomes the text of an ability, of two tickers and of a
// policy: each byte or two is a call of some function of the reference with arguments that mostly
// fit and sometimes do not. Whatever it is, the world stays valid, nothing asserts, a step made
// again after a rollback ends in the same state, and so does a save. Now and then the bytes are
// loaded as they are: the loader must refuse what is no Lua.

#include "fuzz_input.h"

#include "scenario/script_arena.h"

#define TEXT_MAX 16000

typedef struct writer {
    fuzz_input in;
    char text[TEXT_MAX];
    size_t length;
    bool is_ticker; // and not an ability
} writer;

static void must(bool condition, const char *what)
{
    if (!condition) {
        (void)fprintf(stderr, "fuzz_script: %s\n", what);
        abort();
    }
}

static void put(writer *w, const char *text)
{
    size_t length = strlen(text);
    if (w->length + length < TEXT_MAX) {
        memcpy(w->text + w->length, text, length + 1);
        w->length += length;
    }
}

// Each with a letter for what every argument should be; see fitting_value().
static const char *const world_functions[] = {"now", "random:i", "random_below:ii",
    "random_range:nni", "curve:xn", "create", "entities", "entity_count", "effect_count", "run:R",
    "vetoes:R", "sphere:vnF", "box:vvvF", "cone:vvnnF", "ray:vvnnF", "nearest:vnF", "get:Cyi",
    "set:Cyxi", "add_component:C", "spawn:Zn", "tag_matches:TT", NULL};
static const char *const entity_functions[] = {"is_alive", "destroy", "user", "set_user:i",
    "avatar", "set_avatar:e", "component_owner", "connection", "set_connection:i", "parent",
    "set_parent:e", "owner", "set_owner:e", "role", "is_local", "has_tag:T", "has_tag_exact:T",
    "has_any_tag:T", "has_all_tags:T", "matches:x", "tag_count:T", "tag_count_exact:T", "tags",
    "add_tag:Tix", "remove_tag:Tix", "set_tag_count:Tix", "is_tag_blocked:T", "value:Ai", "base:Ai",
    "has_attribute:Ai", "bounds:Ai", "set_base:Ani", "init:Ani", "init_group:xii",
    "add_attributes:Si", "remove_attributes:Si", "has_attributes:Si", "explain:Ai", "evaluate:xnR",
    "apply:EP", "spec:EP", "apply_container:xx", "effects:Q", "count_effects:Q",
    "remove_effects:Qix", "effects_remaining:Q", "send:TR", "cue:Tx", "add_cue:Tx", "remove_cue:T",
    "remove_cues", "cue_count:T", "suppress_cues:b", "position", "view", "find_targets:x",
    "start_timer:Wnx", "start_ticker:W", "stop_ticker:W", "has_ticker:W", "ticker_runs:W",
    "overlap:e", "movement_mode:i", "stop_animations", "get:Cyi", "set:Cyxi", "add_component:C",
    "remove_component:C", "has_component:C", "resize:Ci", "item_count:C", "get_item:Cyi",
    "set_item:Cyix", "grant:Bx", "grant_once:BxR", "abilities:x", "remove_abilities:xx",
    "cancel_abilities:x", "activate:B", "activate_tags:T", "activations", "grant_set:x",
    "revoke_set:xx", "cooldown:T", "bind_input:ii", "press:i", "release:i", "confirm", "cancel",
    NULL};
static const char *const effect_functions[] = {"is_alive", "type", "target", "source", "level",
    "stacks", "remaining", "info", "magnitude:i", "caller_value:Tn", "remove:ix", "set_remaining:n",
    "add_remaining:nn", "scale_remaining:n", "set_total:n", "restart:n", "set_level:n",
    "set_stacks:i", "set_caller_value:Tn", "refresh", "execute", NULL};
static const char *const spec_functions[] = {"is_alive", "destroy", "copy", "apply:e",
    "caller_value:Tn", "set_caller_value:Tn", "set_parameter:xn", "set_level:n", "set_duration:n",
    "set_period:n", "set_stacks:i", "add_granted_tag:T", "add_asset_tag:T", "set_context:Pb", NULL};
static const char *const ability_functions[] = {"is_alive", "is_active", "type", "owner", "level",
    "info", "set_level:n", "set_input:i", "set_user:i", "add_tag:T", "remove_tag:T", "has_tag:T",
    "caller_value:Tn", "set_caller_value:Tn", "check:R", "explain", "reasons", "activate:R",
    "cancel", "revoke:x", "remove:x", "quote", "cooldowns", "cooldown", "charges:T",
    "add_charges:iT", "reset_cooldown:T", "change_cooldown:nTn", "scale_cooldown:nT", NULL};
static const char *const running_functions[] = {"wait:nH", "every:nHi", "wait_event:THK",
    "wait_tag:THK", "wait_no_tag:THK", "wait_release:H", "play:xHK", "aim:xHK", "move:MH",
    "task:DHK", "is_alive", "apply:EeP", "commit:T", "commit_cost:T", "commit_cooldown:T",
    "commit_cooldown_key:T", "paid:A", "random:i", "refund:n", "finish", "cancel",
    "set_cancelable:b", "set_blocking:b", "seed", "tasks", "find_task:x", NULL};
static const char *const ticker_functions[] = {"stop", NULL};
static const char *const task_functions[] = {"is_alive", "stop", "set_remaining:n",
    "add_remaining:n", "info", "targets", "confirm", "cancel", "provide:x", NULL};

// Whom to call, and what it can do.
static const struct {
    const char *receiver;
    const char *const *functions;
} receivers[] = {{"world.", world_functions}, {"o:", entity_functions}, {"t:", entity_functions},
    {"fx:", effect_functions}, {"sp:", spec_functions}, {"ab:", ability_functions},
    {"self:", running_functions}, {"tk:", task_functions}};

static const char *const values[] = {"nil", "0", "1", "2.5", "-1", "1e30", "0/0", "1/0", "true",
    "false", "''", "{}", "o", "t", "fx", "ab", "self.activation", "'State.Dead'", "'Event.Hot'",
    "'Data.Power'", "'Vitals.Health'", "'Vitals'", "'Burn'", "'Hit'", "'Mend'", "'Bolt'", "'Heal'",
    "'go'", "{x = 1, y = 2, z = 3}", "{type = 'Burn'}",
    "{level = 2, values = {['Data.Power'] = 3}}", "{'State.Dead', 'Event.Hot'}",
    "{tag = 'Event.Hot', magnitude = 2, target = o}", "3", "'Knack.Grid.Body'", "'radius'",
    "'position'", "'layers'", "'delay'", "'event'", "'tag_added'", "'attribute'", "'threshold'",
    "'effect_removed'", "'spawn'", "'motion'", "'confirm'", "{delay = 0.1}",
    "{tag = 'Event.Hot', repeats = true}",
    "{attribute = 'Vitals.Health', compare = 'less', value = 50}",
    "{motion = {kind = 'jump', distance = 3, height = 1}}", "{kind = 'force', strength = 2}",
    "{o, t}", "{{type = 'location', position = {x = 0, y = 0, z = 0}}, o}",
    "{ignore = o, limit = 2}", "'any_tags(State.Dead)'", "{stacks = 3, duration = 1, source = t}",
    "9007199254740993", "-5", "{is_active = true}", "65536", "4294967295", "'by_call'", "'synced'",
    "0.5"};

#define PICK(in, list) list[take_u8(in) % (sizeof(list) / sizeof((list)[0]))]

// A value of the kind a letter stands for.
static const char *fitting_value(fuzz_input *in, char letter)
{
    static const struct {
        char letter;
        const char *values[4];
    } kinds[] = {{'e', {"o", "t", "self.avatar", "nil"}}, {'f', {"fx", "fx", "fx", "nil"}},
        {'s', {"sp", "sp", "sp", "nil"}}, {'a', {"ab", "ab", "ab", "nil"}},
        {'c', {"self.activation", "self.activation", "self.activation", "nil"}},
        {'k', {"tk", "tk", "tk", "nil"}},
        {'T', {"'State.Dead'", "'Event.Hot'", "'Data.Power'", "{'State.Dead', 'Event'}"}},
        {'A', {"'Vitals.Health'", "'Vitals.Mana'", "'Vitals.Armour'", "'Wild.Might'"}},
        {'S', {"'Vitals'", "'Vitals'", "'Wild'", "'vitals'"}},
        {'E', {"'Burn'", "'Hit'", "'Mend'", "'Grow'"}},
        {'B', {"'Bolt'", "'Chain'", "'Heal'", "'Wild'"}}, {'n', {"0", "1.5", "-2", "1e30"}},
        {'i', {"0", "1", "2", "65536"}}, {'b', {"true", "false", "true", "false"}},
        {'v', {"{x = 1, y = 2, z = 3}", "{x = 0, y = 0, z = 0}", "{x = 1e30, y = 0, z = 0}",
                  "o:position()"}},
        {'C', {"'Knack.Grid.Body'", "'Tick'", "'Knack.Grid.Body'", "'None'"}},
        {'y', {"'radius'", "'position'", "'n'", "'nothing'"}},
        {'W', {"'Tick'", "'Tock'", "'Tick'", "'None'"}},
        {'Z', {"'Pet'", "'Pet'", "'Pet'", "'None'"}},
        {'R', {"{tag = 'Event.Hot', target = t}", "{magnitude = 3, targets = {o, t}}",
                  "{tags = 'Event.Hot', instigator = o}", "nil"}},
        {'P', {"{level = 3, source = t, targets = {o, {type = 'location'}}}",
                  "{values = {['Data.Power'] = 2}, stacks = 2}",
                  "{duration = 0.5, period = 0.1, ignore_gates = true}", "nil"}},
        {'Q', {"{type = 'Burn'}", "{source = o}", "{modifies = 'Vitals.Health'}", "nil"}},
        {'F', {"{ignore = o}", "{required = 'State.Dead', limit = 2}", "{layers = 1}", "nil"}},
        {'K', {"{delay = 0.1, interval = 0.1, tag = 'Event.Hot', attribute = 'Vitals.Health'}",
                  "{timeout = 0.1, tag = 'State.Dead', interval = 0.05, count = 2}",
                  "{motion = {kind = 'jump', distance = 3, height = 1}, repeats = true, "
                  "query = 'any_tags(State.Dead)'}",
                  "nil"}},
        {'D', {"'delay'", "'event'", "'spawn'", "'tag_added'"}},
        {'H', {"'go'", "'on'", "nil", "'go'"}},
        {'M', {"{kind = 'force', strength = 2}", "{kind = 'radial', pulls = true, radius = 3}",
                  "{kind = 'follow', target = t}", "{}"}}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (kinds[i].letter == letter) {
            return kinds[i].values[take_below(in, 4)];
        }
    }
    return PICK(in, values);
}

static void put_call(writer *w)
{
    uint32_t who = take_below(&w->in, sizeof(receivers) / sizeof(receivers[0]));
    const char *const *functions = receivers[who].functions;
    if (w->is_ticker && functions == running_functions) {
        functions = ticker_functions;
    }
    uint32_t count = 0;
    while (functions[count] != NULL) {
        count++;
    }
    const char *function = functions[take_below(&w->in, count)];
    const char *letters = strchr(function, ':');
    char name[64] = "";
    strncat(name, function, letters != NULL ? (size_t)(letters - function) : sizeof(name) - 1);
    put(w, "    r = ");
    put(w, receivers[who].receiver);
    put(w, name);
    put(w, "(");
    for (uint32_t i = 1; letters != NULL && letters[i] != '\0'; i++) {
        put(w, i > 1 ? ", " : "");
        put(w, take_rarely(&w->in, 12) ? PICK(&w->in, values) : fitting_value(&w->in, letters[i]));
    }
    put(w, ")\n");
    // What a call made is used by the next ones; if it is of another kind, they fail.
    static const char *const keeps[] = {"", "", "", "", "", "    fx = r or fx\n",
        "    ab = r or ab\n", "    t = r or t\n", "    sp = r or sp\n", "    tk = r or tk\n"};
    put(w, PICK(&w->in, keeps));
}

// Each handler is a few calls; an error ends it and the next handler runs.
static void put_handler(writer *w, const char *name)
{
    put(w, "  ");
    put(w, name);
    put(w, " = function(self, result)\n    local o, t = self.owner, self.state.t\n"
           "    local fx, ab, sp, tk = self.state.fx, self.ability, o:spec('Burn'), result and "
           "result.task\n    local r\n");
    uint32_t count = 1 + take_below(&w->in, 6);
    for (uint32_t i = 0; i < count; i++) {
        put_call(w);
    }
    put(w, "    self.state.n = self.state.n + 1\n  end,\n");
}

// A hook that only reads: a call now and then, and an answer.
static void put_question(writer *w, const char *name)
{
    static const char *const answers[] = {"true", "true", "world.now() < 0.2", "self.state.n < 3",
        "o:has_tag('State.Dead')", "self.runs", "not self.runs", "nil"};
    if (take_rarely(&w->in, 4)) {
        return; // without this one
    }
    put(w, "  ");
    put(w, name);
    put(w, " = function(self)\n    local t = world.entities()[1]\n"
           "    local o, fx, ab, sp, tk, r = self.entity or t\n    if world.now() > 0.25 then\n");
    put_call(w);
    put(w, "    end\n    return ");
    put(w, PICK(&w->in, answers));
    put(w, "\n  end,\n");
}

static void put_ticker_hook(writer *w, const char *name)
{
    put(w, "  ");
    put(w, name);
    put(w, " = function(self, dt)\n    local t = world.entities()[2]\n"
           "    local o = self.entity or t\n"
           "    local fx, ab, sp = o:effects()[1], o:abilities()[1], o:spec('Grow')\n"
           "    local tk, r\n    self.state.n = self.state.n + 1\n");
    uint32_t count = take_below(&w->in, 4);
    for (uint32_t i = 0; i < count; i++) {
        put_call(w);
    }
    put(w, "  end,\n");
}

static void put_ticker(writer *w, const char *name)
{
    static const char *const intervals[] = {"0.02", "0.05", "0.001", "1"};
    put(w, "ticker '");
    put(w, name);
    put(w, "' {\n  interval = ");
    put(w, PICK(&w->in, intervals));
    put(w, ",\n  state = { n = kn.u32(1), last = kn.tag, who = kn.array(kn.entity, 2) },\n");
    w->is_ticker = true;
    put_question(w, "should_start");
    put_question(w, "should_stop");
    put_ticker_hook(w, "started");
    put_ticker_hook(w, "tick");
    put_ticker_hook(w, "stopped");
    w->is_ticker = false;
    put(w, "}\n");
}

static void put_policy(writer *w)
{
    static const char *const bodies[] = {"return m", "return nil", "return {}", "return {m[1]}",
        "return {m[#m], m[1], m[1]}", "if #m > 1 then return {m[2]} end", "error('none')",
        "return {m[1], 1}", "return 5", "return {{index = 1}}", "return {{index = 1e30}}",
        "return world.now()", "if m[1].influence > 2 then return {} end",
        "if m[1].source:is_alive() then return m end", "if self.base > 5 then return {} end",
        "m[1].index = 2 return m"};
    put(w, "policy 'Pick' { qualify = function(self, m)\n    ");
    if (take_bool(&w->in)) {
        put(w, "if #m > 2 then return {m[1], m[3]} end\n    ");
    }
    put(w, PICK(&w->in, bodies));
    put(w, "\nend }\n");
}

static void write_script(writer *w)
{
    put(w, "ability 'Wild' {\n  state = { t = kn.entity, fx = kn.effect, n = kn.u32 },\n"
           "  activate = function(self)\n    self.state.t = world.entities()[1]\n"
           "    self.state.fx = self.owner:apply('Burn')\n"
           "    for i = 1, 8 do self:wait(i * 0.05, i % 2 == 0 and 'go' or 'on') end\n  end,\n");
    put_handler(w, "go");
    put_handler(w, "on");
    put_handler(w, "input_pressed");
    put(w, "  can_activate = function(self)\n    local o, t, fx, ab, sp, tk, r = self.owner, "
           "self.owner, nil, self.ability\n");
    put(w, "    if world.now() > 0.3 then\n");
    put_call(w);
    put(w, "    end\n    return true\n  end,\n}\n");
    put_policy(w);
    put_ticker(w, "Tick");
    put_ticker(w, "Tock");
}

static void quiet(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

// An attribute whose modifiers the policy chooses, and an effect with one.
static void add_policy(arena *a)
{
    kn_error error = {0};
    kn_script_policy bound;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Might";
    attribute.default_value = 1.0f;
    attribute.qualify = KN_QUALIFY_CUSTOM;
    arena_check(kn_script_bind_policy(a->script, "Pick", &bound, &error), &error, "Pick");
    arena_check(kn_policy_register(
                    a->library, "Pick", bound.function, bound.user, &attribute.policy, &error),
        &error, "Pick");
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Wild";
    set.attributes = &attribute;
    set.attribute_count = 1;
    kn_attribute_set_id set_id;
    arena_check(kn_attribute_set_register(a->library, &set, &set_id, &error), &error, "Wild");
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = kn_attribute_find(a->library, "Wild.Might");
    modifier.magnitude = kn_magnitude_constant(3.0f);
    kn_effect_def grow = kn_effect_def_default();
    grow.name = "Grow";
    grow.duration_kind = KN_DURATION_TIMED;
    grow.duration = kn_magnitude_constant(0.15f);
    grow.modifiers = &modifier;
    grow.modifier_count = 1;
    kn_effect_type_id type;
    arena_check(kn_effect_register(a->library, &grow, &type, &error), &error, "Grow");
}

// The tickers, and an archetype that has one of them.
static void add_tickers(arena *a)
{
    kn_error error = {0};
    kn_archetype_timer timer = {.delay = KN_MS(100)};
    kn_timer_type_id tock;
    arena_check(kn_script_bind_ticker(a->script, "Tick", &timer.type, &error), &error, "Tick");
    arena_check(kn_script_bind_ticker(a->script, "Tock", &tock, &error), &error, "Tock");
    kn_attribute_set_id sets[2] = {
        kn_attribute_set_find(a->library, "Vitals"), kn_attribute_set_find(a->library, "Wild")};
    kn_archetype_def pet = kn_archetype_def_default();
    pet.name = "Pet";
    pet.sets = sets;
    pet.set_count = 2;
    pet.timers = &timer;
    pet.timer_count = 1;
    kn_archetype_id id;
    arena_check(kn_archetype_register(a->library, &pet, &id, &error), &error, "Pet");
}

static bool open_wild(arena *a, const writer *w)
{
    kn_error error = {0};
    kn_script_def script = kn_script_def_default();
    script.instruction_limit = 50000; // what goes round for ever ends soon
    script.step_instruction_limit = 100000;
    arena_begin_with(a, script);
    if (kn_script_load(a->script, "wild.lua", w->text, w->length, &error) != KN_OK) {
        (void)fprintf(stderr, "%s\n%s", error.message, w->text);
        return false;
    }
    kn_ability_def def = kn_ability_def_default();
    def.input = 1;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    arena_check(kn_script_bind_ability(a->script, "Wild", &def, &error), &error, "Wild");
    kn_ability_type_id type;
    arena_check(kn_ability_register(a->library, &def, &type, &error), &error, "Wild");
    add_policy(a);
    add_tickers(a);
    arena_finish(a);
    return true;
}

static void play(arena *a, uint32_t count)
{
    kn_attribute_set_id wild = kn_attribute_set_find(a->library, "Wild");
    for (uint32_t i = 0; i < count; i++) {
        (void)!kn_attribute_set_add(a->world, a->fighters[i], wild, 0);
        (void)!kn_script_ticker_start(a->world, a->fighters[i], i % 2 == 0 ? "Tick" : "Tock");
    }
    (void)!kn_script_ticker_start(a->world, (kn_entity_id){0}, "Tock");
    kn_ability_type_id type = kn_ability_type_find(a->library, "Wild");
    for (uint32_t i = 0; i < count; i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = type;
        kn_ability_id ability;
        if (kn_ability_grant(a->world, a->fighters[i], &grant, &ability) == KN_OK) {
            (void)kn_ability_activate(a->world, ability, NULL, NULL);
            (void)kn_input_press(a->world, a->fighters[i], 1);
        }
    }
}

static void step_twice(arena *a, kn_time dt)
{
    size_t size = kn_snapshot_size(a->world);
    void *snapshot = malloc(size);
    must(kn_snapshot_take(a->world, snapshot, size, &size) == KN_OK, "snapshot");
    must(kn_world_step(a->world, dt) == KN_OK, "step");
    must(kn_world_validate(a->world), "valid");
    uint64_t hash = kn_world_hash(a->world);
    must(kn_snapshot_restore(a->world, snapshot, size) == KN_OK, "restore");
    must(kn_world_step(a->world, dt) == KN_OK, "step again");
    must(kn_world_hash(a->world) == hash, "the same after going back");
    free(snapshot);
}

// A save of the world is the same world.
static void save_and_load(arena *a)
{
    size_t size;
    must(kn_save_write(a->world, NULL, 0, &size) == KN_OK, "size of the save");
    void *save = malloc(size);
    must(kn_save_write(a->world, save, size, &size) == KN_OK, "save");
    uint64_t hash = kn_world_hash(a->world);
    kn_error error = {0};
    kn_result result = kn_save_read(a->world, save, size, &error);
    if (result != KN_OK) {
        (void)fprintf(stderr, "%s\n", error.message);
    }
    must(result == KN_OK, "load");
    must(kn_world_hash(a->world) == hash, "the same after loading");
    must(kn_world_validate(a->world), "valid after loading");
    free(save);
}

static void told(void *user, const char *lint, uint32_t line, uint32_t column, const char *sentence)
{
    (void)user;
    must(strncmp(lint, "script-", 7) == 0 && line > 0 && column > 0, "a finding has a place");
    must(sentence[0] != '\0', "and a sentence");
}

// Any text: it is loaded or refused, and if it is Lua the lints look at it.
static void load_raw(const uint8_t *data, size_t size)
{
    kn_library *library;
    kn_script_loader *loader;
    kn_script_def def = kn_script_def_default();
    def.hooks.log_fn = quiet;
    kn_library_def own = kn_library_def_default();
    must(kn_library_create(&own, &library) == KN_OK, "library");
    must(kn_script_loader_create(&def, &loader) == KN_OK, "loader");
    kn_data_scripts scripts = kn_script_loader_scripts(loader);
    kn_error error = {0};
    must(scripts.begin(scripts.user, library, &error) == KN_OK, "script");
    const char *text = (const char *)data;
    if (scripts.load(scripts.user, "raw", text, size, &error) != KN_OK) {
        must(error.code != KN_OK && error.message[0] != '\0', "an error has a message");
    } else {
        must(kn_library_finish(library, &error) == KN_OK, "finish");
        scripts.lint(scripts.user, library, text, size, told, NULL);
    }
    kn_script_loader_destroy(loader);
    kn_library_destroy(library);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] % 16 == 15) {
        load_raw(data + 1, size - 1);
        return 0;
    }
    static writer w;
    w = (writer){.in = {data, size}};
    write_script(&w);
    arena a;
    must(open_wild(&a, &w), "what was written is Lua");
    kn_world_def def = kn_world_def_default();
    def.hooks.log_fn = quiet;
    def.reaction_limit = 1000; // handlers that wait for nothing end soon
    def.task_limit = 100;
    arena_world_with(&a, def);
    arena_populate(&a);
    play(&a, 3);
    must(kn_world_validate(a.world), "valid");
    for (uint32_t i = 0; i < 6; i++) {
        step_twice(&a, KN_MS(80));
        if (i == 3) {
            save_and_load(&a);
        }
    }
    (void)kn_script_ticker_stop(a.world, a.fighters[0], "Tick");
    must(kn_world_validate(a.world), "valid at the end");
    arena_close(&a);
    return 0;
}
