// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Lua's library as scripts have it: every function in reach is listed with its cost, none does more
// than it costs, and none gives away what is not its own.

#include "scenario/script_fixture.h"

// What is in reach ----------------------------------------------------------

static char page[1 << 17];

static void page_add(void *user, const char *text)
{
    size_t *length = user;
    size_t more = strlen(text);
    assert_true(*length + more < sizeof(page));
    memcpy(page + *length, text, more + 1);
    *length += more;
}

// Whether the reference lists it, in one of the forms it has for functions.
static bool is_listed(const char *name)
{
    static const char *const forms[] = {"| `%s` |", "- `%s(", "\n### %s\n", " = %s("};
    char text[128];
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        (void)snprintf(text, sizeof(text), forms[i], name);
        if (strstr(page, text) != NULL) {
            return true;
        }
    }
    return false;
}

static char reached[1 << 15]; // a name on each line

static void reached_log(void *user, const kn_log_entry *entry)
{
    (void)user;
    if (entry->level != KN_LOG_ERROR) {
        strncat(reached, entry->message, sizeof(reached) - strlen(reached) - 2);
        strcat(reached, "\n");
    }
}

static void every_function_in_reach_is_listed(void **state)
{
    fixture *f = *state;
    kn_script_def def = kn_script_def_default();
    def.hooks.log_fn = reached_log;
    kn_error error = {0};
    assert_int_equal(kn_script_create(f->library, &def, &the_script, &error), KN_OK);
    reached[0] = 0;
    assert_int_equal(run_body(f,
                         "function walk(path, t)\n"
                         "  for k, v in pairs(t) do\n"
                         "    if type(v) == 'function' then print(path .. k)\n"
                         "    elseif type(v) == 'table' then walk(path .. k .. '.', v) end\n"
                         "  end\n"
                         "end",
                         "walk('', _ENV)"),
        KN_OK);
    size_t length = 0;
    kn_script_print_page(KN_SCRIPT_PAGE_MARKDOWN, page_add, &length);
    uint32_t count = 0;
    for (char *name = strtok(reached, "\n"); name != NULL; name = strtok(NULL, "\n")) {
        if (!is_listed(name) && strcmp(name, "walk") != 0) {
            fail_msg("scripts reach `%s`, and the reference does not list it", name);
        }
        count++;
    }
    assert_in_range(count, 80, 1000); // it is a walk over everything
}

// string.format -------------------------------------------------------------

static void formats_as_lua_does(void **state)
{
    fixture *f = *state;
    run(f, "local f = string.format\n"
           "print(f('[%5d|%-5d|%05d|%+d|% d|%.3d|%5.3d]', 42, 42, 42, 42, 42, 7, 7))\n"
           "print(f('[%x|%X|%#x|%o|%u|%i]', 255, 255, 255, 8, 7, -3))\n"
           "print(f('[%c|%3c|%-3c]', 65, 66, 67))\n"
           "print(f('[%s|%5s|%-5s|%.2s|%5.1s]', 'abc', 'ab', 'ab', 'abc', 'xyz'))\n"
           "print(f('[%f|%.0f|%8.2f|%-8.2f|%e|%g|%G|%#.0f]', 1.5, 2.5, 3.14159, 3.14159, 1e10, "
           "1e-10, 1e20, 3))\n"
           "print(f('[%d%%|%5.1f|%.3f|%5f]', 50, 0/0, 1/0, -(0/0)))\n"
           "print(#f('%99d', 1), #f('%.99f', 1e308), #f('%99.99f', -1e308), f('%.14g', 0.1))\n"
           "print(f('%s %s', nil, true), f('a\\0b%sc\\0', 'x\\0y') == 'a\\0bx\\0yc\\0')");
    EXPECT_LOG(f, "[   42|42   |00042|+42| 42|007|  007]. "
                  "[ff|FF|0xff|10|7|-3]. "
                  "[A|  B|C  ]. "
                  "[abc|   ab|ab   |ab|    x]. "
                  "[1.500000|2|    3.14|3.14    |1.000000e+10|1e-10|1E+20|3.]. "
                  "[50%|  nan|inf|  nan]. "
                  "99\t409\t410\t0.1. "
                  "nil true\ttrue. ");
}

static void long_text_is_not_cut(void **state)
{
    fixture *f = *state;
    run(f, "local s = ('x'):rep(5000)\n"
           "print(#string.format('%s', s), #string.format('%9s', s), #string.format('%-99s', s), "
           "#string.format('%.99s', s))");
    EXPECT_LOG(f, "5000\t5000\t5000\t99. ");
}

static void widths_that_are_too_long_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *format, *message;
    } bad[] = {
        {"%.999f", "`%.999`: a width or precision has at most two digits"},
        {"%9999d", "`%999`: a width or precision has at most two digits"},
        {"%4000000d", "`%400`: a width or precision has at most two digits"},
        {"%000000000000000000100d", "too many flags"},
        {"%1000s", "`%100`: a width or precision has at most two digits"},
        {"%.100s", "`%.100`: a width or precision has at most two digits"},
        {"%*d", "`%*` is not available"},
        {"%5", "`%5` ends too early"},
        {"%", "`%` ends too early"},
        {"%a", "`%a` is not available"},
        {"%q", "`%q` is not available"},
        {"%p", "`%p` is not available"},
        {"%ld", "`%l` is not available"},
        {"%.3c", "`%.3c` is not available"},
        {"%05s", "`%05s` is not available"},
        {"%#d", "`%#d` is not available"},
        {"%5.5.5f", "`%5.5.` is not available"},
        {"%d %d", "`%d` has no argument"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text), "X = string.format('%s', 1)", bad[i].format);
        assert_int_equal(load_refused(text), 1);
        EXPECT_ERROR(bad[i].message);
    }
}

// Nothing is kept -----------------------------------------------------------

// What pairs() gives is good as long as the call that asked for it.
static void the_object_of_pairs_keeps_nothing(void **state)
{
    run_fails(*state, "local box = {n = 0}\nF, O = pairs({box = box})\n",
        "local _, b = F(O, nil)\nb.n = b.n + 1", "pairs: the call the loop began in has ended");
}

static void the_object_of_pairs_gives_no_functions_with_variables(void **state)
{
    run_fails(*state,
        "local n = 0\nlocal function inc() n = n + 1 return n end\nF, O = pairs({inc = inc})\n",
        "local _, i = F(O, nil)\nprint(i())", "pairs: the call the loop began in has ended");
}

static void tables_behind_an_index_are_read_only(void **state)
{
    run_fails(*state,
        "local deep = {list = {}}\nlocal middle = setmetatable({}, {__index = deep})\n"
        "TOP = setmetatable({}, {__index = middle})\n",
        "TOP.list.x = 1", "field `x` is read-only");
}

static void tables_behind_a_newindex_are_read_only(void **state)
{
    run_fails(*state, "local sink = {}\nTOP = setmetatable({}, {__newindex = sink})\n", "TOP.x = 1",
        "field `x` is read-only");
}

// Loading -------------------------------------------------------------------

// Wherever Lua ends a line, a comment ends.
static void powers_are_found_after_every_line_end(void **state)
{
    (void)state;
    assert_int_equal(load_refused("-- a comment\rlocal x = 2 ^ 0.5"), 2);
    EXPECT_ERROR("test.lua:2: `^` gives different digits");
    assert_int_equal(load_refused("-- a\r\n-- b\n\r-- c\n-- d\rlocal x = 2 ^ 0.5"), 5);
    assert_int_equal(load_refused("local s = 'a\\\r\nb\\z \r\n c' local x = 2 ^ 0.5"), 3);
    assert_int_equal(load_refused("local s = [[\r\n\r]] local x = 2 ^ 0.5"), 3);
    assert_int_equal(load_refused("-- [[ ^\n--[=[\r]] ^ ]=]local x = 2 ^ 0.5"), 3);
    assert_int_equal(load_refused("local x = 0x1p4^2"), 1);
    load("-- 2 ^ 2\r-- 2 ^ 2\nA = '^' --[[ ^ \r ^ ]] B = \"\\\"^\" C = [=[^]]^]=]");
}

static void a_byte_order_mark_is_fine(void **state)
{
    fixture *f = *state;
    load("\xef\xbb\xbf"
         "A = 1");
    run(f, "print(A)");
    EXPECT_LOG(f, "1. ");
}

// Costs ---------------------------------------------------------------------

typedef struct cost_case {
    const char *body;
    uint64_t least; // instructions it must count as
} cost_case;

#define LONG "('x'):rep(16000)"
#define MANY "local t = {} for i = 1, 10000 do t[i] = i end "

static const cost_case cost_cases[] = {
    {"local s = " LONG, 1000 + 16000},
    {"local s = " LONG "; local t = s .. s:sub(1, 300)", 16000 + 1000},
    {"local n = tonumber((' '):rep(16000))", 16000 + 4000},
    {"local n = tostring(" LONG ")", 16000 + 1000},
    {"local n = (" LONG "):upper()", 16000 + 1000},
    {"local n = (" LONG "):lower()", 16000 + 1000},
    {"local n = (" LONG "):reverse()", 16000 + 1000},
    {"local n = (" LONG "):byte(1, -1)", 16000 + 16000},
    {"local n = math.abs((' '):rep(15999) .. '1')", 16000 + 4000},
    {"local n = string.format('%s', " LONG ")", 16000 + 1000},
    {"local n = string.format('%.99f', 1e300)", 1600},
    {"print(" LONG ")", 16000 + 16000},
    {MANY "table.insert(t, 1, 0)", 40000},
    {MANY "table.remove(t, 1)", 40000},
    {MANY "local n = select('#', table.unpack(t, 1, 2000))", 3999},
    {MANY "table.sort(t)", 160000},
    {MANY "for k in pairs(t) do break end", 160000},
    {MANY "local s = table.concat(t, '', 1, 1000)", 4000},
    {"local t = setmetatable({}, {__index = {}}) for i = 1, 1000 do local x = t.x end", 4000},
    {"for i = 1, 1000 do local x = world.now() end", 10000},
    {"for i = 1, 30 do self.owner:apply('Mark') end\n"
     "for i = 1, 1000 do local x = self.owner:count_effects({type = 'Mark'}) end",
        40000},
    {"for i = 1, 30 do world.create() end\n"
     "for i = 1, 1000 do local x = world.sphere({x = 0, y = 0, z = 0}, 1) end",
        40000},
    {"for i = 1, 1000 do local x = self.owner:has_tag('State.Dead') end", 20000},
};

static void work_of_the_library_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cost_cases) / sizeof(cost_cases[0]); i++) {
        void *one = NULL;
        (void)setup(&one);
        (void)script_begin(one, NULL);
        register_tag(one, "State.Dead");
        kn_effect_def mark = infinite("Mark");
        (void)effect_register(one, &mark);
        run(one, cost_cases[i].body);
        uint64_t cost = kn_script_get_stats(the_script).instructions;
        if (cost < cost_cases[i].least || cost > 1000000) {
            fail_msg("%s: costs %llu, expected at least %llu", cost_cases[i].body,
                (unsigned long long)cost, (unsigned long long)cost_cases[i].least);
        }
        (void)teardown_script(&one);
    }
}

// What would run for hours, or for ever.
static const char *const endless[] = {
    "local t = setmetatable({}, {__index = table.concat}) print(#table.concat(t, '', 1, "
    "1000000000))",
    "local t = setmetatable({}, {__index = type}) print(#table.concat(t, '', 1, math.maxinteger))",
    "local t = {} for i = 1, 30000 do t[i] = i end\n"
    "for i = 1, 60000 do table.insert(t, 1, 0) table.remove(t, 1) end",
    "local a, b = ('x'):rep(16000), ('x'):rep(15999) .. 'x'\n"
    "while true do a = (a == b) and a:sub(1, -1) or a end",
    "local a = (' '):rep(16000) while true do local n = tonumber(a) end",
    "local t = {} for i = 1, 2000 do t[i] = i end\n"
    "while true do local n = select('#', table.unpack(t)) end",
    "table.unpack({}, 1, math.maxinteger)",
    "table.unpack({}, math.mininteger, math.maxinteger)",
    "local s = '' for i = 1, 1e9 do s = ('ab'):rep(8000) end",
    "local t = {} for i = 1, 20000 do t['k' .. i] = i end while true do for k in pairs(t) do break "
    "end "
    "end",
    "local t = {} for i = 1, 20000 do t[i] = i end local f, o = pairs(t)\n"
    "for i = 1, 20000 do t[i] = nil end while true do f(o, nil) end",
    "local a = setmetatable({}, {}) for i = 1, 150 do a = setmetatable({}, {__index = a}) end\n"
    "while true do local x = a.x end",
    "while true do print('on and on') end",
    "while true do world.entities() end",
    "while true do string.format('%99.99f', 1e308) end",
};

static void what_goes_on_for_ever_is_stopped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
        void *one = NULL;
        (void)setup(&one);
        (void)script_begin(one, NULL);
        assert_int_equal(run_body(one, "", endless[i]), KN_ERROR_BAD_DATA);
        if (strstr(last_error, "more than 1000000 instructions in one call") == NULL) {
            fail_msg("%s\n%s", endless[i], last_error);
        }
        assert_in_range(kn_script_get_stats(the_script).instructions, 990000, 1000000);
        (void)teardown_script(&one);
    }
}

static void an_empty_string_is_repeated_in_no_time(void **state)
{
    fixture *f = *state;
    load("X = (''):rep(math.maxinteger)");
    run(f, "print(#X, #(''):rep(math.maxinteger, ''), #('x'):rep(-1), #('x'):rep(3, ', '))");
    EXPECT_LOG(f, "0\t0\t0\t7. ");
}

static void one_large_cost_does_not_take_the_step_from_others(void **state)
{
    fixture *f = *state;
    load("ability 'Large' { activate = function(self) self:wait(0.1, 'go') end,\n"
         "  go = function(self) table.unpack({}, 1, 1 << 40) end }\n"
         "ability 'Small' { activate = function(self) self:wait(0.1, 'go') end,\n"
         "  go = function(self) print('small') self:finish() end }");
    kn_ability_type_id large = bound(f, "Large"), small = bound(f, "Small");
    begin(f);
    activate(f, grant(f, large));
    activate(f, grant(f, small));
    step(f, KN_MS(200));
    EXPECT_LOG(f, "small. ");
    EXPECT_ERROR("more than 1000000 instructions in one call");
}

// Lua hands on all the values of a call within one instruction.
static void too_many_values_at_once_are_stopped(void **state)
{
    run_fails(*state, "",
        "local function more(n, ...)\n"
        "  if n == 0 then while true do local c = select('#', ...) end end\n"
        "  return more(n - 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)\n"
        "end\n"
        "more(2000)",
        "too many calls inside calls, or too many values at once");
}

static void too_deep_calls_are_stopped(void **state)
{
    run_fails(*state, "",
        "local function deep(n) if n == 0 then return 0 end return 1 + deep(n - 1) end\n"
        "print(deep(300))\nprint(deep(100000))",
        "too many calls inside calls");
    EXPECT_LOG((fixture *)*state, "300. ");
}

static void a_metamethod_is_a_function(void **state)
{
    (void)state;
    (void)load_refused("X = setmetatable({}, {__call = setmetatable({}, {__call = print})})");
    EXPECT_ERROR("setmetatable: `__call` takes a function, got table");
    (void)load_refused("X = setmetatable({}, {__index = 'x'})");
    EXPECT_ERROR("setmetatable: `__index` takes a function or a table, got string");
}

static void a_constant_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char text[17000];
    (void)snprintf(text, sizeof(text), "X = '%16500d'", 1);
    (void)load_refused(text);
    EXPECT_ERROR("a string of more than 16384 bytes");
    load("X = 1");
}

// Hostile arguments ---------------------------------------------------------

static const char *const hostile_values[] = {"nil", "true", "false", "0", "-1", "1", "2", "255",
    "1.5", "-0.0", "0/0", "1/0", "-1/0", "1e308", "5e-324", "math.maxinteger", "math.mininteger",
    "1 << 31", "1 << 32", "(1 << 53) + 1", "''", "'x'", "'0'", "'-0x1p-1074'", "'nan'", "'\\0'",
    "'%s'", "'%99.99f'", "'%5.5d %c %s'", "'%'", "('9'):rep(16000)", "(' '):rep(16000)",
    "('%d'):rep(8000)", "('\\0'):rep(16384)", "'State.Dead'", "'none'", "{}", "{1, 2, 3}",
    "{[1] = 1, [1000000] = 2}", "{x = 1, y = 2, z = 3}", "{'b', 'a'}", "big", "holes", "chain",
    "liar", "frozen", "self", "self.state", "self.owner", "print", "string.rep", "table.unpack",
    "kn.u32", "kn.array", "world", "f", "o", "function(...) return ... end", "function() end",
    "table.unpack(big, 1, 300)"};

static const char hostile_before[] =
    "frozen = {1, 2, {3}}\n"
    "function prepare()\n"
    "  local big, holes = {}, {1, nil, 3, nil, 5}\n"
    "  for i = 1, 2000 do big[i] = i end\n"
    "  local chain = {}\n"
    "  for i = 1, 60 do chain = setmetatable({}, {__index = chain, __newindex = chain}) end\n"
    "  local liar = setmetatable({}, {__index = type, __eq = type, __lt = type, __tostring = "
    "type,\n"
    "    __concat = type, __call = select})\n"
    "  return big, holes, chain, liar\n"
    "end\n";

static uint32_t random_below(uint64_t *random, size_t bound)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*random >> 33) % bound);
}

// Calls a function with some of the values; returns the bytes written.
static size_t hostile_call(uint64_t *random, const char *function, char *out, size_t size)
{
    size_t length = (size_t)snprintf(out, size, "do local r = %s(", function);
    uint32_t count = random_below(random, 5);
    for (uint32_t i = 0; i < count; i++) {
        const char *value = hostile_values[random_below(
            random, sizeof(hostile_values) / sizeof(hostile_values[0]))];
        length += (size_t)snprintf(out + length, size - length, "%s%s", i > 0 ? ", " : "", value);
    }
    return length + (size_t)snprintf(out + length, size - length, ") end\n");
}

// One ability calls one function; whether it fails is its business. What counts is that it comes
// back, within what a call may cost, and that the world is none the worse for it.
static void hostile_round(uint64_t *random, const char *function)
{
    void *one = NULL;
    (void)setup(&one);
    fixture *f = one;
    kn_script_def def = kn_script_def_default();
    def.instruction_limit = 300000;
    (void)script_begin(f, &def);
    register_tag(f, "State.Dead");
    char body[4096];
    size_t length = (size_t)snprintf(body, sizeof(body),
        "local big, holes, chain, liar = prepare()\nlocal f, o = pairs({1, 2})\n");
    uint32_t calls = 1 + random_below(random, 3);
    for (uint32_t i = 0; i < calls; i++) {
        length += hostile_call(random, function, body + length, sizeof(body) - length);
    }
    char text[8192];
    (void)snprintf(text, sizeof(text),
        "%s\nability 'T' { state = {n = kn.u32, a = kn.array(kn.u8, 3)}, activate = "
        "function(self)\n"
        "%s\nend }",
        hostile_before, body);
    load(text);
    kn_ability_type_id type = bound(f, "T");
    begin(f);
    (void)kn_ability_activate(f->world, grant(f, type), NULL, NULL);
    kn_script_stats stats = kn_script_get_stats(the_script);
    assert_in_range(stats.instructions, 0, def.instruction_limit);
    assert_in_range(stats.bytes, 1, def.memory_limit);
    assert_true(kn_world_validate(f->world));
    (void)teardown_script(&one);
}

static void hostile_arguments_do_no_harm(void **state)
{
    (void)state;
    size_t length = 0;
    kn_script_print_page(KN_SCRIPT_PAGE_MARKDOWN, page_add, &length);
    uint64_t random = 20;
    uint32_t count = 0;
    for (const char *at = strstr(page, "| Function |"); (at = strstr(at, "\n| `")) != NULL;) {
        char name[64] = "";
        at += strlen("\n| `");
        strncat(name, at, strcspn(at, "`"));
        if (strcmp(name, "kn.array") == 0 || strcspn(at, "\n") == 0) {
            continue;
        }
        for (uint32_t i = 0; i < 12; i++) {
            hostile_round(&random, name);
        }
        count++;
        const char *end = strstr(at, "\n");
        if (end == NULL || end[1] != '|') {
            break; // the end of the table
        }
    }
    assert_in_range(count, 40, 100);
    static const char *const further[] = {"f", "kn.array", "kn.u32", "kn.vec3", "kn.entity",
        "world.sphere", "world.get", "world.run", "self.owner.matches", "self.owner.apply",
        "self.owner.effects", "self.task", "self.wait", "self.state.a", "('').rep"};
    for (size_t i = 0; i < sizeof(further) / sizeof(further[0]); i++) {
        for (uint32_t j = 0; j < 12; j++) {
            hostile_round(&random, further[i]);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(every_function_in_reach_is_listed, setup, teardown_script),
    SCRIPTED(formats_as_lua_does),
    SCRIPTED(long_text_is_not_cut),
    SCRIPTED(widths_that_are_too_long_are_refused),
    SCRIPTED(the_object_of_pairs_keeps_nothing),
    SCRIPTED(the_object_of_pairs_gives_no_functions_with_variables),
    SCRIPTED(tables_behind_an_index_are_read_only),
    SCRIPTED(tables_behind_a_newindex_are_read_only),
    SCRIPTED(powers_are_found_after_every_line_end),
    SCRIPTED(a_byte_order_mark_is_fine),
    cmocka_unit_test(work_of_the_library_counts),
    cmocka_unit_test(what_goes_on_for_ever_is_stopped),
    SCRIPTED(an_empty_string_is_repeated_in_no_time),
    SCRIPTED(one_large_cost_does_not_take_the_step_from_others),
    SCRIPTED(too_many_values_at_once_are_stopped),
    SCRIPTED(too_deep_calls_are_stopped),
    SCRIPTED(a_metamethod_is_a_function),
    SCRIPTED(a_constant_that_is_too_long_is_refused),
    cmocka_unit_test(hostile_arguments_do_no_harm),
};

TEST_GROUP(test_script_library, tests, NULL, NULL);
