// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a script can reach, what it cannot keep, and what happens when it goes too far.

#include "scenario/script_fixture.h"

#include <locale.h>

// What is there, what is not ------------------------------------------------

static void nothing_of_the_host_is_in_reach(void **state)
{
    fixture *f = *state;
    run(f,
        "for _, name in ipairs {'io', 'os', 'debug', 'package', 'require', 'load', 'loadstring', "
        "'dofile', 'loadfile', 'collectgarbage', 'rawset', 'rawget', 'next', 'getmetatable', "
        "'pcall', 'xpcall', 'coroutine', 'utf8', 'rawequal', 'rawlen', '_G', 'warn'} do\n"
        "  if _ENV[name] ~= nil then print(name) end\n"
        "end\n"
        "for _, name in ipairs {'dump', 'gmatch', 'gsub', 'match', 'find', 'pack', 'unpack'} do\n"
        "  if string[name] ~= nil then print('string', name) end\n"
        "end\n"
        "for _, name in ipairs {'random', 'randomseed'} do\n"
        "  if math[name] ~= nil then print('math', name) end\n"
        "end\n"
        "print(table.move)");
    EXPECT_LOG(f, "nil. ");
}

static void pairs_walks_in_one_order(void **state)
{
    fixture *f = *state;
    run(f, "local t = {b = 1, a = 2, [true] = 3, [10] = 4, [-2] = 5, ab = 6, [false] = 7, 8}\n"
           "local s = ''\n"
           "for k, v in pairs(t) do s = s .. tostring(k) .. '=' .. v .. ' ' end\n"
           "print(s)\n"
           "for k in pairs(t) do t[k] = nil; t.b = nil end\n"
           "for k in pairs(t) do print('left', k) end\n"
           "for k, v in pairs {} do print('none') end");
    EXPECT_LOG(f, "-2=5 1=8 10=4 a=2 ab=6 b=1 false=7 true=3 . ");
}

static void keys_without_an_order_are_refused(void **state)
{
    run_fails(*state, "", "for k in pairs {[{}] = 1} do end", "a key of type table");
}

static void keys_that_are_fractions_are_refused(void **state)
{
    run_fails(*state, "", "for k in pairs {[0.5] = 1} do end", "a fraction");
}

static void sorting_is_stable_and_the_same_everywhere(void **state)
{
    fixture *f = *state;
    run(f, "local t = {}\n"
           "for i = 1, 300 do t[i] = {i % 7, i} end\n"
           "table.sort(t, function(a, b) return a[1] < b[1] end)\n"
           "for i = 2, 300 do\n"
           "  assert(t[i - 1][1] < t[i][1] or t[i - 1][1] == t[i][1] and t[i - 1][2] < t[i][2])\n"
           "end\n"
           "local s = {3, 1, 2}\n table.sort(s)\n print(table.concat(s, ' '))\n"
           "local w = {'b', 'B', 'a'}\n table.sort(w)\n print(table.concat(w, ' '))");
    EXPECT_LOG(f, "1 2 3. B a b. ");
}

static void formats_without_addresses(void **state)
{
    fixture *f = *state;
    run(f,
        "print(tostring({}), tostring(print), tostring(self), tostring(nil), 0/0, -(0/0))\n"
        "print(string.format('%s %s %5.2f %d %x %% %5s|%-5s|%c %g', {}, print, 1.5, 7, 255, 'ab', "
        "'cd', 65, 1e300))\n"
        "print(('x'):rep(3), #'abc', ('abc'):upper(), 7 // 2, 2.0, 1e15, 3 | 4)");
    EXPECT_LOG(f, "table\tfunction\tuserdata\tnil\tnan\tnan. "
                  "table function  1.50 7 ff %    ab|cd   |A 1e+300. "
                  "xxx\t3\tABC\t3\t2.0\t1e+15\t7. ");
}

static void percent_p_is_refused(void **state)
{
    run_fails(*state, "", "string.format('%p', {})", "`%p` is not available");
}

static void numbers_and_order_do_not_follow_the_locale(void **state)
{
    fixture *f = *state;
    const char *locale = setlocale(LC_ALL, "de_DE.UTF-8");
    run(f, "print(1.5 .. '', tonumber('1.5'), tonumber('1,5'), 'Z' < 'a', string.format('%.1f', "
           "2.5))");
    EXPECT_LOG(f, "1.5\t1.5\tnil\ttrue\t2.5. ");
    (void)locale; // where the locale is not installed this proves less
    (void)setlocale(LC_ALL, "C");
}

static void own_functions_of_numbers_are_right(void **state)
{
    fixture *f = *state;
    run(f,
        "local function near(a, b) return math.abs(a - b) <= 1e-13 * math.max(1, math.abs(b)) end\n"
        "assert(near(math.sin(1), 0.84147098480789650665))\n"
        "assert(near(math.cos(1), 0.54030230586813971740))\n"
        "assert(near(math.sin(100), -0.50636564110975879366))\n"
        "assert(near(math.tan(0.5), 0.54630248984379051326))\n"
        "assert(near(math.atan(1), math.pi / 4))\n"
        "assert(near(math.atan(1, -1), 3 * math.pi / 4))\n"
        "assert(near(math.atan(-1, -1), -3 * math.pi / 4))\n"
        "assert(near(math.atan(2, 0), math.pi / 2))\n"
        "assert(near(math.atan(0, -1), math.pi))\n"
        "assert(near(math.asin(0.5), math.pi / 6))\n"
        "assert(near(math.acos(-1), math.pi))\n"
        "assert(near(math.exp(1), 2.71828182845904523536))\n"
        "assert(near(math.exp(-20), 2.06115362243855783e-9))\n"
        "assert(near(math.log(10), 2.30258509299404568402))\n"
        "assert(near(math.log(8, 2), 3))\n"
        "assert(near(math.pow(2, 0.5), math.sqrt(2)))\n"
        "assert(math.pow(3, 4) == 81 and math.pow(2, -2) == 0.25 and math.pow(7, 0) == 1)\n"
        "assert(math.exp(1000) == math.huge and math.exp(-1000) == 0)\n"
        "assert(math.log(0) == -math.huge)\n"
        "assert(math.clamp(5, 1, 3) == 3 and math.clamp(0, 1, 3) == 1 and math.clamp(2, 1, 3) == "
        "2)\n"
        "assert(math.f32(0.1) ~= 0.1 and math.f32(math.f32(0.1)) == math.f32(0.1))\n"
        "assert(math.f32(16777217) == 16777216 and math.f32(1.5) == 1.5)\n"
        "assert(near(math.sin(-2.5), -math.sin(2.5)) and near(math.cos(1e5), "
        "-0.99936080743821223))\n"
        "print('right')");
    EXPECT_LOG(f, "right. ");
}

// Loading -------------------------------------------------------------------

static void compiled_chunks_are_refused(void **state)
{
    (void)state;
    assert_int_equal(load_refused("\x1bLua"), 1);
    EXPECT_ERROR("compiled chunks are refused");
}

static void powers_are_refused_with_their_line(void **state)
{
    (void)state;
    assert_int_equal(load_refused("local a = 1\nlocal b = '^' -- ^\nlocal c = [[\n^]]\n"
                                  "--[==[ ^\n]] ]==] local d = \"\\\"^\"\nlocal e = 2 ^ 0.5"),
        7);
    EXPECT_ERROR("test.lua:7: `^` gives different digits");
    load("local s = [==[ ]] ^ ]==] .. '\\'^' -- x ^ y");
}

static void syntax_errors_name_the_line(void **state)
{
    (void)state;
    assert_int_equal(load_refused("local a = 1\nlocal = 2"), 2);
    EXPECT_ERROR("test.lua:2:");
    assert_int_equal(load_refused("local a\n\nerror('no')"), 3);
    EXPECT_ERROR("test.lua:3: no");
}

static void what_a_chunk_leaves_is_read_only(void **state)
{
    fixture *f = *state;
    run_fails(f, "CONFIG = {damage = {low = 1}}\n", "CONFIG.damage.low = 2",
        "test.lua:4: field `low` is read-only");
    EXPECT_ERROR("stack traceback");
    EXPECT_ERROR("ability T.activate");
}

static void tables_in_upvalues_are_read_only(void **state)
{
    run_fails(*state, "local seen = {}\n", "seen[1] = true", "field `1` is read-only");
}

static void tables_in_keys_metatables_and_functions_are_read_only(void **state)
{
    fixture *f = *state;
    run_fails(f,
        "local deep = {}\n"
        "local mt = {__index = function(t, k) return deep end}\n"
        "local T = setmetatable({}, mt)\n"
        "local KEYED = {[function() return T end] = 1}\n"
        "HOLD = KEYED",
        "for _, try in ipairs {1} do local d = HOLD end\n"
        "for k in pairs {1} do end\n"
        "local d = X or {} ; HOLD.x = 1",
        "field `x` is read-only");
}

static void objects_with_metatables_still_read_after_freezing(void **state)
{
    fixture *f = *state;
    load("local Base = {name = 'base'}\n"
         "Base.greet = function(self) return 'I am ' .. self.name end\n"
         "THING = setmetatable({name = 'thing'}, {__index = Base, __tostring = function(t) return "
         "'<' .. t.name .. '>' end, __call = function(t, x) return x + 1 end})\n"
         "LAZY = setmetatable({}, {__index = function(t, k) return k .. '!' end})\n"
         "LIST = {10, 20, 30}");
    run(f,
        "print(THING:greet(), tostring(THING), THING(1), LAZY.x, #LIST, table.unpack(LIST))\n"
        "local s = 0\n for i, v in ipairs(LIST) do s = s + i * v end\n"
        "for k, v in pairs(LIST) do s = s + v end\n print(s)\n"
        "local own = setmetatable({}, {__index = THING})\n own.name = 'mine'\n print(own:greet())");
    EXPECT_LOG(f, "I am thing\t<thing>\t2\tx!\t3\t10\t20\t30. 200. I am mine. ");
}

static void globals_cannot_be_assigned_by_rules(void **state)
{
    run_fails(*state, "", "count = (count or 0) + 1",
        "test.lua:3: global `count` cannot be assigned by a rule");
}

static void modules_are_read_only(void **state)
{
    run_fails(*state, "", "math.pi = 3", "field `pi` is read-only");
}

static void changing_a_frozen_table_through_the_library_is_caught(void **state)
{
    run_fails(
        *state, "LIST = {1}\n", "table.insert(LIST, 2)", "test.lua:4: field `2` is read-only");
}

static void a_metatable_cannot_be_put_on_a_frozen_table(void **state)
{
    run_fails(*state, "LIST = {1}\n", "setmetatable(LIST, {})", "is read-only");
}

static void assigning_to_a_variable_of_the_chunk_is_refused_at_load(void **state)
{
    (void)state;
    assert_int_equal(load_refused("local hits = 0\n"
                                  "ability 'T' {\n"
                                  "    activate = function(self)\n"
                                  "        hits = hits + 1\n"
                                  "    end,\n"
                                  "}"),
        4);
    EXPECT_ERROR("test.lua:4: a rule assigns to `hits`");
    // In a function inside the function, and in one that only another function knows.
    assert_int_equal(load_refused("local n = 0\nlocal function deep()\n return function()\n"
                                  "  n = 1\n end\nend\nfunction f() return deep end"),
        4);
    // A variable of a function that made the rule.
    assert_int_equal(load_refused("local function counter()\n local n = 0\n"
                                  " return function() n = n + 1 return n end\nend\n"
                                  "ability 'T' { activate = counter() }"),
        3);
    EXPECT_ERROR("assigns to `n`");
    // Hidden in a metatable, and as the environment.
    assert_int_equal(load_refused("local n\nX = setmetatable({}, {__index = function(t, k)\n"
                                  " n = k\nend})"),
        3);
    assert_int_equal(load_refused("function f()\n _ENV = {}\nend"), 2);
}

static void variables_of_a_running_rule_may_be_assigned_by_functions_inside_it(void **state)
{
    fixture *f = *state;
    load("local function each(list, fn) for _, v in ipairs(list) do fn(v) end end\n"
         "EACH = each\n"
         "local id = 0\n"
         "local function next_id() id = id + 1 return id end -- only while the chunk is loaded\n"
         "FIRST = next_id()");
    run(f, "local sum = 0\n EACH({1, 2, 3}, function(v) sum = sum + v end)\n print(sum, FIRST)");
    EXPECT_LOG(f, "6\t1. ");
}

static void definitions_are_made_while_loading_only(void **state)
{
    run_fails(*state, "local define = ability\n", "define 'X' {}",
        "definitions can only be made while a chunk is being loaded");
}

static void chunks_share_globals_and_do_not_replace_them(void **state)
{
    fixture *f = *state;
    load("A = 1\nfunction later() return B end");
    load("B = A + 1");
    (void)load_refused("A = 3");
    EXPECT_ERROR("global `A` already exists");
    (void)load_refused("math = {}");
    EXPECT_ERROR("global `math` already exists");
    load("ability 'X' { activate = function(self) print(A, B, later()) end }");
    (void)load_refused("ability 'X' { activate = function() end }");
    EXPECT_ERROR("ability `X` already exists");
    (void)load_refused("ability 'Y' {} ability 'Y' {}");
    EXPECT_ERROR("`Y` is defined twice");
    kn_ability_type_id type = bound(f, "X");
    begin(f);
    activate(f, grant(f, type));
    EXPECT_LOG(f, "1\t2\t2. ");
}

static void a_chunk_that_fails_leaves_nothing(void **state)
{
    fixture *f = *state;
    load("A = 1");
    (void)load_refused("B = 2\nability 'X' { activate = function() end }\nerror('late')");
    kn_ability_def def = kn_ability_def_default();
    kn_error error;
    assert_int_equal(kn_script_bind_ability(the_script, "X", &def, &error), KN_REFUSED_NOT_FOUND);
    assert_non_null(strstr(error.message, "no chunk defines ability `X`"));
    assert_null(def.user);
    load("ability 'X' { activate = function(self) print(A, B) end }");
    kn_ability_type_id type = bound(f, "X");
    begin(f);
    activate(f, grant(f, type));
    EXPECT_LOG(f, "1\tnil. ");
}

static void there_is_no_world_while_a_chunk_is_loaded(void **state)
{
    (void)state;
    assert_int_equal(load_refused("local t = world.now()"), 1);
    EXPECT_ERROR("there is no world while a chunk is being loaded");
}

static void metatables_that_show_the_collector_are_refused(void **state)
{
    (void)state;
    (void)load_refused("setmetatable({}, {__gc = function() end})");
    EXPECT_ERROR("`__gc` is not available");
    (void)load_refused("setmetatable({}, {__mode = 'k'})");
    EXPECT_ERROR("`__mode` is not available");
    (void)load_refused("setmetatable({}, {__len = function() return 1e15 end})");
    (void)load_refused("setmetatable({}, {__close = function() end})");
    // A change afterwards has no effect: the metatable was copied.
    load("local mt = {}\nX = setmetatable({}, mt)\nmt.__mode = 'k'");
}

static void binding_says_what_is_wrong(void **state)
{
    fixture *f = *state;
    load("ability 'Empty' { state = {} }\n"
         "ability 'Odd' { activate = function() end, damage = 7 }\n"
         "ability 'Many' { state = {a = kn.array(kn.u64, 600)}, activate = function() end }\n"
         "ability 'Plain' { state = {a = 7}, activate = function() end }\n"
         "calculation 'Stateful' { state = {a = kn.u8}, calculate = function() end }\n"
         "timer 'Large' { state = {a = kn.vec3, b = kn.entity}, fired = function() end }");
    static const struct {
        const char *name, *message;
    } bad[] = {{"Empty", "has no function"}, {"Odd", "an unknown field `damage`"},
        {"Many", "4800 bytes, but at most 4096"}, {"Plain", "every field is name = type"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        kn_ability_def def = kn_ability_def_default();
        kn_error error = {0};
        assert_int_equal(
            kn_script_bind_ability(the_script, bad[i].name, &def, &error), KN_ERROR_BAD_DATA);
        if (strstr(error.message, bad[i].message) == NULL) {
            fail_msg("%s", error.message);
        }
        assert_null(def.user);
        assert_null(def.activate);
    }
    kn_calculation_def calculation = kn_calculation_def_default();
    assert_int_equal(
        kn_script_bind_calculation(the_script, "Stateful", &calculation, NULL), KN_ERROR_BAD_DATA);
    kn_script_timer timer;
    assert_int_equal(kn_script_bind_timer(the_script, "Large", &timer, NULL), KN_ERROR_BAD_DATA);
    kn_ability_def taken = ability_def(f, "Taken");
    assert_int_equal(
        kn_script_bind_ability(the_script, "Odd", &taken, NULL), KN_ERROR_INVALID_ARGUMENT);
}

static void nothing_is_loaded_or_bound_once_the_library_is_finished(void **state)
{
    fixture *f = *state;
    load("ability 'X' { activate = function() end }");
    begin(f);
    kn_ability_def def = kn_ability_def_default();
    kn_error error;
    assert_int_equal(kn_script_bind_ability(the_script, "X", &def, &error), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_script_load(the_script, "a", "", 0, &error), KN_ERROR_WORLD_LOCKED);
    kn_script *script;
    assert_int_equal(kn_script_create(f->library, NULL, &script, &error), KN_ERROR_WORLD_LOCKED);
    assert_null(script);
}

static void the_text_is_part_of_the_library_hash(void **state)
{
    (void)state;
    uint64_t hashes[3];
    const char *const texts[3] = {"A = 1", "A = 2", "A = 1"};
    for (uint32_t i = 0; i < 3; i++) {
        void *one = NULL;
        setup(&one);
        fixture *f = one;
        kn_script *kept = the_script;
        script_begin(f, NULL);
        load(texts[i]);
        kn_script_destroy(the_script);
        the_script = kept;
        begin(f);
        hashes[i] = kn_library_hash(f->library);
        teardown(&one);
    }
    assert_true(hashes[0] == hashes[2]);
    assert_true(hashes[0] != hashes[1]);
}

static char stub[1 << 17];

static void stub_add(void *user, const char *text)
{
    size_t *length = user;
    size_t more = strlen(text);
    assert_true(*length + more < sizeof(stub));
    memcpy(stub + *length, text, more + 1);
    *length += more;
}

// They define what every script has already, so that they get as far as that.
static void the_annotations_are_lua(void **state)
{
    (void)state;
    size_t length = 0;
    kn_script_print_page(KN_SCRIPT_PAGE_LUALS, stub_add, &length);
    (void)load_refused(stub);
    EXPECT_ERROR("already exists");
}

// Limits --------------------------------------------------------------------

static int setup_small(void **state)
{
    (void)setup(state);
    kn_script_def def = kn_script_def_default();
    def.instruction_limit = 100000;
    def.memory_limit = 1 << 20;
    def.depth_limit = 4;
    (void)script_begin(*state, &def);
    return 0;
}

#define SMALL(test) cmocka_unit_test_setup_teardown(test, setup_small, teardown_script)

// A second ability shows that the machine still works.
static const char *const well = "ability 'Well' { activate = function(self) print('well') end }\n";

static void goes_too_far(fixture *f, const char *body, const char *message)
{
    load(well);
    char text[2048];
    (void)snprintf(
        text, sizeof(text), "ability 'Far' { activate = function(self)\n%s\nend }", body);
    load(text);
    kn_ability_type_id far = bound(f, "Far"), other = bound(f, "Well");
    begin(f);
    kn_ability_id bad = grant(f, far), good = grant(f, other);
    for (uint32_t i = 0; i < 3; i++) {
        kn_activation_id activation = {0};
        assert_int_equal(kn_ability_activate(f->world, bad, NULL, &activation), KN_ERROR_BAD_DATA);
        EXPECT_ERROR(message);
        assert_false(kn_activation_is_alive(f->world, activation));
        activate(f, good);
        EXPECT_LOG(f, "well. ");
        step(f, KN_MS(10));
        assert_int_equal(kn_ability_cancel(f->world, good), KN_OK);
    }
    assert_int_equal(kn_script_error_count(the_script), 3);
    assert_in_range(kn_script_get_stats(the_script).bytes, 1, 1 << 20);
}

static void an_endless_loop_is_stopped(void **state)
{
    goes_too_far(*state, "while true do end", "test.lua:2: more than 100000 instructions");
}

static void endless_recursion_is_stopped(void **state)
{
    goes_too_far(*state, "local function f() return 1 + f() end f()", "test.lua:2:");
}

static void endless_tail_calls_are_stopped(void **state)
{
    goes_too_far(*state, "local function f() return f() end f()", "more than 100000 instructions");
}

static void large_strings_are_stopped(void **state)
{
    goes_too_far(
        *state, "local s = ('x'):rep(1e9)", "test.lua:2: string.rep: a string of more than 16384");
}

static void growing_strings_are_stopped(void **state)
{
    goes_too_far(*state, "local s = 'x' while true do s = s .. s end",
        "test.lua:2: a string of more than 16384 bytes");
}

static void large_tables_are_stopped(void **state)
{
    goes_too_far(*state, "local t = {} for i = 1, 1e9 do t[i] = {} end", "not enough memory");
}

static void copies_of_a_large_string_are_stopped(void **state)
{
    goes_too_far(*state, "local s = ('x'):rep(16000) for i = 1, 1e9 do local t = s .. i end",
        "test.lua:2: more than 100000 instructions");
}

static void a_loop_while_loading_is_stopped(void **state)
{
    (void)state;
    (void)load_refused("while true do end");
    EXPECT_ERROR("more than 100000 instructions");
    (void)load_refused("X = {} for i = 1, 1e9 do X[i] = {} end");
    EXPECT_ERROR("not enough memory");
    load(well);
}

static void scripts_that_call_scripts_end_at_the_depth_limit(void **state)
{
    fixture *f = *state;
    load("ability 'Deep' { activate = function(self)\n"
         "  local again, why = self.owner:activate('Deep')\n"
         "  print(again ~= nil, why)\n"
         "  self:finish()\n"
         "end }");
    kn_ability_def def = kn_ability_def_default();
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    assert_int_equal(kn_script_bind_ability(the_script, "Deep", &def, NULL), KN_OK);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    activate(f, grant(f, type));
    EXPECT_ERROR("too many calls inside calls");
    EXPECT_LOG(f, "false\tfailed. true\tnil. true\tnil. true\tnil. ");
    assert_int_equal(kn_script_error_count(the_script), 1);
}

// Ten of these, due at once, with enough instructions for four and a part of the fifth.
static const char *const busy =
    "ability 'Busy' {\n"
    "  activate = function(self) self:wait(0.1, 'work') end,\n"
    "  work = function(self) for i = 1, 10000 do local x = i * i end print('done') self:finish() "
    "end,\n"
    "}";

static void the_calls_of_a_step_share_a_limit(void **state)
{
    fixture *f = *state;
    kn_script_def def = kn_script_def_default();
    def.step_instruction_limit = 100000;
    (void)script_begin(f, &def);
    load(busy);
    kn_ability_type_id type = bound(f, "Busy");
    begin(f);
    kn_ability_id abilities[10];
    for (uint32_t i = 0; i < 10; i++) {
        abilities[i] = grant(f, type);
        activate(f, abilities[i]);
    }
    for (uint32_t round = 0; round < 2; round++) { // the second after a rollback
        size_t size = kn_snapshot_size(f->world);
        void *before = test_malloc(size);
        assert_int_equal(kn_snapshot_take(f->world, before, size, NULL), KN_OK);
        step(f, KN_MS(50));
        uint64_t errors = kn_script_error_count(the_script);
        step(f, KN_MS(100));
        EXPECT_LOG(f, "done. done. done. done. ");
        EXPECT_ERROR("more than 100000 instructions in one step");
        assert_int_equal(kn_script_error_count(the_script), errors + 6);
        assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
        snapshot_restore(f->world, before, size);
        test_free(before);
    }
    // Spread over steps, each has its own.
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(kn_ability_cancel(f->world, abilities[i]), KN_OK);
    }
    uint64_t errors = kn_script_error_count(the_script);
    for (uint32_t i = 0; i < 10; i++) {
        activate(f, abilities[i]);
        step(f, KN_MS(20));
    }
    step(f, KN_MS(100));
    EXPECT_LOG(f, "done. done. done. done. done. done. done. done. done. done. ");
    assert_int_equal(kn_script_error_count(the_script), errors);
}

// A thousand short calls: none reaches the counter, together they count.
static void short_calls_count_for_the_limit_of_a_step(void **state)
{
    fixture *f = *state;
    kn_script_def def = kn_script_def_default();
    def.step_instruction_limit = 5000;
    (void)script_begin(f, &def);
    load("ability 'Short' {\n"
         "  activate = function(self) self:every(0.001, 'tick') end,\n"
         "  tick = function(self) end,\n"
         "}");
    kn_ability_type_id type = bound(f, "Short");
    begin(f);
    kn_ability_id ability = grant(f, type);
    activate(f, ability);
    step(f, KN_MS(50)); // 50 calls of 100
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 1);
    assert_int_equal(kn_script_error_count(the_script), 0);
    step(f, KN_MS(51));
    EXPECT_ERROR("more than 5000 instructions in one step");
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
    activate(f, ability);
    step(f, KN_MS(50));
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 1);
}

// Calculations --------------------------------------------------------------

// A calculation in a script, and an effect that adds what it returns to health.
static kn_effect_type_id calculated(fixture *f, const char *name)
{
    kn_calculation_def def = kn_calculation_def_default();
    assert_int_equal(kn_script_bind_calculation(the_script, name, &def, NULL), KN_OK);
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.op = KN_OP_ADD;
    modifier.magnitude = kn_magnitude_calculation(calculation);
    return effect_of(f, name, KN_DURATION_INSTANT, &modifier, 1);
}

typedef struct outcome {
    const char *body;
    float adds;          // 0: the application is refused
    const char *message; // the error begins with it; NULL: there is none
    enum {
        RETURNS,
        RAISES,  // an error in its line, the third
        STOPPED, // likewise, and what calls it in Lua is stopped with it: they share the limit
    } end;
} outcome;

#define GOT "expected a number as the result, got "

static const outcome outcomes[] = {
    {"return 3.5", 3.5f, NULL, RETURNS},
    {"return 7", 7.0f, NULL, RETURNS},
    {"return 3, 4", 3.0f, NULL, RETURNS},
    {"return 2, 'and', {}", 2.0f, NULL, RETURNS},
    {"", 0.0f, NULL, RETURNS},
    {"return", 0.0f, NULL, RETURNS},
    {"return nil", 0.0f, NULL, RETURNS},
    {"return nil, 4", 0.0f, NULL, RETURNS},
    {"return 0/0", 0.0f, NULL, RETURNS},
    {"return math.huge", 0.0f, NULL, RETURNS},
    {"return -math.huge", 0.0f, NULL, RETURNS},
    {"return 1e300", 0.0f, NULL, RETURNS},
    {"return 'five'", 0.0f, GOT "string", RETURNS},
    {"return '5'", 0.0f, GOT "string", RETURNS},
    {"return {1}", 0.0f, GOT "table", RETURNS},
    {"return true", 0.0f, GOT "boolean", RETURNS},
    {"return false, 5", 0.0f, GOT "boolean", RETURNS},
    {"return self", 0.0f, GOT "userdata", RETURNS},
    {"return print", 0.0f, GOT "function", RETURNS},
    {"error('no')", 0.0f, "test.lua:3: no", RAISES},
    {"error({})", 0.0f, "table", RAISES},
    {"error()", 0.0f, "nil", RAISES},
    {"return self.nothing", 0.0f, "test.lua:3: ", RAISES},
    {"while true do end", 0.0f, "test.lua:3: more than 30000 instructions in one call", STOPPED},
    {"local function f() return 1 + f() end return f()", 0.0f,
        "test.lua:3: too many calls inside calls, or too many values at once", STOPPED},
    {"local t = {} for i = 1, 1e9 do t[i] = {{}, {}} end", 0.0f, "test.lua:3: not enough memory",
        RAISES},
    {"return (('x'):rep(1e9))", 0.0f, "test.lua:3: string.rep: a string of more than 16384 bytes",
        RAISES},
};

static int setup_smallest(void **state)
{
    (void)setup(state);
    kn_script_def def = kn_script_def_default();
    def.instruction_limit = 30000;
    def.memory_limit = 1 << 19;
    (void)script_begin(*state, &def);
    return 0;
}

// Loads a calculation with this body and one that is well.
static void load_calculations(fixture *f, const char *body, kn_effect_type_id types[2])
{
    char text[512];
    (void)snprintf(text, sizeof(text),
        "calculation 'Good' { calculate = function(self) return 1 end }\n"
        "calculation 'Odd' { calculate = function(self)\n%s\nend }",
        body);
    load(text);
    types[0] = calculated(f, "Good");
    types[1] = calculated(f, "Odd");
}

static float health_after(fixture *f, kn_effect_type_id type, kn_result expected)
{
    set_base(f, f->hero, f->health, 10.0f);
    kn_result result = kn_effect_apply_simple(f->world, type, f->foe, f->hero, 1.0f, NULL);
    assert_int_equal(result, expected);
    return value_of(f, f->health);
}

static void expect_outcome(fixture *f, kn_effect_type_id type, const outcome *o)
{
    uint64_t errors = kn_script_error_count(the_script);
    kn_result expected = o->adds != 0.0f ? KN_OK : KN_REFUSED_BAD_NUMBER;
    assert_near(health_after(f, type, expected), 10.0f + o->adds);
    assert_int_equal(kn_script_error_count(the_script), errors + (o->message != NULL));
    if (o->message != NULL) {
        kn_script_error error;
        assert_true(kn_script_get_error(the_script, 0, &error));
        if (strncmp(error.message, o->message, strlen(o->message)) != 0) {
            fail_msg("%s: \"%s\"", o->body, error.message);
        }
        assert_string_equal(error.definition, "calculation Odd.calculate");
        assert_string_equal(error.chunk, o->end != RETURNS ? "test.lua" : "");
        assert_int_equal(error.line, o->end != RETURNS ? 3 : 0);
    }
}

// The first call of a machine and those that follow, and one that is well after each of them.
static void each_result_of_a_calculation_has_its_outcome(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(outcomes); i++) {
        void *fresh = NULL;
        (void)setup_smallest(&fresh);
        fixture *f = fresh;
        kn_effect_type_id types[2];
        load_calculations(f, outcomes[i].body, types);
        begin(f);
        for (uint32_t call = 0; call < 4; call++) {
            expect_outcome(f, types[1], &outcomes[i]);
            assert_near(health_after(f, types[0], KN_OK), 11.0f);
        }
        step(f, 0);
        assert_int_equal(error_count(f, KN_ERROR_BAD_DATA), 0); // an application may be a query
        assert_int_equal(teardown_script(&fresh), 0);
    }
}

// Applies an effect many times; the machine holds no more in the end.
static void expect_flat(fixture *f, kn_effect_type_id type, uint32_t calls, const char *what)
{
    uint64_t highest[2] = {0};
    for (uint32_t call = 0; call < calls; call++) {
        (void)kn_effect_apply_simple(f->world, type, f->foe, f->hero, 1.0f, NULL);
        assert_int_equal(call % 16 == 0 ? kn_world_step(f->world, 1) : KN_OK, KN_OK);
        uint64_t bytes = kn_script_get_stats(the_script).bytes;
        uint64_t *most = &highest[call >= 1000];
        *most = bytes > *most ? bytes : *most;
    }
    if (highest[1] > highest[0] + 32768) {
        fail_msg("%s: %u more bytes", what, (unsigned)(highest[1] - highest[0]));
    }
}

// Nothing stays behind in the machine, however a call ends.
static void calculations_leave_nothing_behind(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(outcomes); i++) {
        void *fresh = NULL;
        (void)setup_smallest(&fresh);
        fixture *f = fresh;
        kn_effect_type_id types[2];
        load_calculations(f, outcomes[i].body, types);
        begin(f);
        expect_flat(
            f, types[1], outcomes[i].end == STOPPED ? 1200 : 4000 / SHARE(2), outcomes[i].body);
        assert_near(health_after(f, types[0], KN_OK), 11.0f);
        assert_int_equal(teardown_script(&fresh), 0);
    }
}

// Nobody takes what it returns.
static void executions_leave_nothing_behind(void **state)
{
    fixture *f = *state;
    load("execution 'Run' { execute = function(self) return 1, 'two', {3} end }");
    kn_execution_def def = kn_execution_def_default();
    assert_int_equal(kn_script_bind_execution(the_script, "Run", &def, NULL), KN_OK);
    kn_execution_id execution;
    assert_int_equal(kn_execution_register(f->library, &def, &execution, NULL), KN_OK);
    kn_effect_def effect = instant("Run");
    kn_execution_use run = {.execution = execution};
    effect.executions = &run;
    effect.execution_count = 1;
    kn_effect_type_id type = effect_register(f, &effect);
    begin(f);
    expect_flat(f, type, 4000, "an execution");
    expect_no_error();
}

// In the middle of an ability in Lua, which goes on.
static void an_ability_goes_on_after_its_calculations(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(outcomes); i++) {
        const outcome *o = &outcomes[i];
        bool is_stopped = o->end == STOPPED;
        void *fresh = NULL;
        (void)setup_smallest(&fresh);
        fixture *f = fresh;
        kn_effect_type_id types[2];
        load_calculations(f, o->body, types);
        load("ability 'Outer' { activate = function(self)\n"
             "  local a, b = self, {}\n\n"
             "  local ok, why = self.owner:apply('Odd')\n"
             "  print(ok, why, a == self, #b)\n"
             "  ok, why = self.owner:apply('Good')\n"
             "  print(ok, why, a == self, #b)\n"
             "  self:finish()\n"
             "end }");
        kn_ability_type_id type = bound(f, "Outer");
        begin(f);
        kn_ability_id ability = grant(f, type);
        uint64_t errors = 0;
        for (uint32_t call = 0; call < 3; call++) {
            set_base(f, f->hero, f->health, 10.0f);
            kn_result result = kn_ability_activate(f->world, ability, NULL, NULL);
            assert_int_equal(result, is_stopped ? KN_ERROR_BAD_DATA : KN_OK);
            EXPECT_LOG(f, is_stopped        ? ""
                          : o->adds != 0.0f ? "true\tnil\ttrue\t0. true\tnil\ttrue\t0. "
                                            : "nil\tbad_number\ttrue\t0. true\tnil\ttrue\t0. ");
            assert_near(value_of(f, f->health), 10.0f + (is_stopped ? 0.0f : o->adds + 1.0f));
            errors += is_stopped ? 2 : o->message != NULL;
            assert_int_equal(kn_script_error_count(the_script), errors);
            kn_script_error error;
            if (o->message != NULL && kn_script_get_error(the_script, is_stopped, &error)) {
                assert_string_equal(error.definition, "calculation Odd.calculate");
                assert_string_equal(error.chunk, "test.lua");
                assert_int_equal(error.line, o->end != RETURNS ? 3 : 4); // 4 called it
                assert_non_null(strstr(error.message, o->message));
                bool is_traced = strstr(o->message, "not enough memory") == NULL;
                assert_int_equal(strstr(error.traceback, "test.lua:4:") != NULL, is_traced);
            }
            step(f, 1);
        }
        assert_int_equal(teardown_script(&fresh), 0);
    }
}

// Whether a function may call itself that often, in the first call of a machine or a later one.
static bool goes_deep(uint32_t depth, bool is_first)
{
    void *fresh = NULL;
    (void)setup_smallest(&fresh);
    fixture *f = fresh;
    char body[256]; // the limit is looked at now and then
    (void)snprintf(body, sizeof(body),
        "local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end\n"
        "local x = f(%u) for i = 1, 3000 do x = x + 1 end return 1",
        (unsigned)depth);
    kn_effect_type_id types[2];
    load_calculations(f, body, types);
    begin(f);
    for (uint32_t i = is_first ? 0 : 3; i > 0; i--) {
        assert_near(health_after(f, types[0], KN_OK), 11.0f);
    }
    bool is_good = kn_effect_apply_simple(f->world, types[1], f->foe, f->hero, 1.0f, NULL) == KN_OK;
    assert_int_equal(teardown_script(&fresh), 0);
    return is_good;
}

// Machines come from a pool: what a call may do must not depend on what its machine did before.
static void the_limit_of_the_stack_is_the_same_for_all_calls(void **state)
{
    uint32_t good = 100, bad = 3000;
    (void)state;
    assert_true(goes_deep(good, true));
    assert_false(goes_deep(bad, true));
    while (bad - good > 1) {
        uint32_t middle = good + (bad - good) / 2;
        bool is_good = goes_deep(middle, true);
        good = is_good ? middle : good;
        bad = is_good ? bad : middle;
    }
    assert_true(goes_deep(good, false));
    assert_false(goes_deep(bad, false));
}

// Errors --------------------------------------------------------------------

static void the_last_errors_are_kept(void **state)
{
    fixture *f = *state;
    load("ability 'Bad' { activate = function(self)\n"
         "  error('number ' .. math.tointeger(self.level))\nend }");
    kn_ability_type_id type = bound(f, "Bad");
    begin(f);
    kn_ability_id ability = grant(f, type);
    for (uint32_t i = 1; i <= 20; i++) {
        assert_int_equal(kn_ability_set_level(f->world, &ability, (float)i), KN_OK);
        assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_ERROR_BAD_DATA);
    }
    assert_int_equal(kn_script_error_count(the_script), 20);
    kn_script_error error;
    assert_true(kn_script_get_error(the_script, 0, &error));
    assert_string_equal(error.chunk, "test.lua");
    assert_int_equal(error.line, 2);
    assert_string_equal(error.message, "test.lua:2: number 20");
    assert_string_equal(error.definition, "ability Bad.activate");
    assert_non_null(strstr(error.traceback, "test.lua:2:"));
    assert_true(kn_script_get_error(the_script, 15, &error));
    assert_string_equal(error.message, "test.lua:2: number 5");
    assert_false(kn_script_get_error(the_script, 16, &error));
    assert_int_equal(error.line, 0);
}

static void errors_that_are_no_text_are_told_too(void **state)
{
    run_fails(*state, "", "error({1})", "table");
}

static void a_def_without_its_default_is_refused(void **state)
{
    fixture *f = *state;
    kn_script *script;
    kn_script_def def = kn_script_def_default();
    def.depth_limit = 33;
    assert_int_equal(kn_script_create(f->library, &def, &script, NULL), KN_ERROR_INVALID_ARGUMENT);
    def = kn_script_def_default();
    def.instruction_limit = 0;
    assert_int_equal(kn_script_create(f->library, &def, &script, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_null(script);
    kn_script_destroy(NULL);
}

// Memory --------------------------------------------------------------------

typedef struct failing_memory {
    int64_t left; // allocations until one fails; below 0: never
    int64_t blocks;
} failing_memory;

static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    failing_memory *memory = user;
    (void)old_size;
    if (new_size == 0) {
        memory->blocks -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    if (ptr == NULL || new_size > old_size) {
        if (memory->left == 0) {
            return NULL;
        }
        memory->left -= memory->left > 0;
    }
    void *block = realloc(ptr, new_size);
    memory->blocks += ptr == NULL;
    return block;
}

// Creates, loads and binds with a limited number of allocations; true when that was enough.
static bool lives_with(failing_memory *memory, int64_t allocations)
{
    void *one = NULL;
    setup(&one);
    fixture *f = one;
    kn_script_def def = kn_script_def_default();
    def.hooks.realloc_fn = failing_realloc;
    def.hooks.realloc_user = memory;
    def.hooks.log_fn = script_log;
    def.hooks.log_user = f;
    memory->left = allocations;
    kn_script *script = NULL;
    kn_result result = kn_script_create(f->library, &def, &script, NULL);
    const char *text = "local big = {1, 2, 3}\n"
                       "ability 'X' { state = {a = kn.u32(7), b = kn.array(kn.entity, 3)},\n"
                       "  activate = function(self) self.state.a = big[1] self:wait(1, 'go') end,\n"
                       "  go = function(self) self:finish() end }";
    if (result == KN_OK) {
        result = kn_script_load(script, "x", text, strlen(text), NULL);
    }
    kn_ability_def ability = kn_ability_def_default();
    if (result == KN_OK) {
        result = kn_script_bind_ability(script, "X", &ability, NULL);
    }
    memory->left = -1;
    if (result == KN_OK) {
        kn_ability_type_id type = ability_register(f, &ability);
        begin(f);
        activate(f, grant(f, type));
        step(f, KN_S(2));
    }
    kn_script_destroy(script);
    teardown(&one);
    assert_int_equal(memory->blocks, 0);
    return result == KN_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    failing_memory memory = {-1, 0};
    assert_true(lives_with(&memory, -1));
    int64_t allocations = 0;
    // Lua collects and tries again, so that later allocations are worth fewer tests.
    while (!lives_with(&memory, allocations)) {
        allocations += allocations < 64 ? 1 : 37;
        assert_in_range(allocations, 0, 1000000);
    }
    assert_in_range(allocations, 100, 1000000);
}

// The first call makes its self, which takes memory; those that follow need none.
static void a_calculation_without_memory_is_an_error(void **state)
{
    (void)state;
    failing_memory memory = {-1, 0};
    void *fresh = NULL;
    (void)setup(&fresh);
    fixture *f = fresh;
    kn_script_def def = kn_script_def_default();
    def.hooks.realloc_fn = failing_realloc;
    def.hooks.realloc_user = &memory;
    (void)script_begin(f, &def);
    kn_effect_type_id types[2];
    load_calculations(f, "return 2", types);
    begin(f);
    memory.left = 0;
    for (uint32_t call = 1; call <= 3; call++) {
        assert_near(health_after(f, types[0], KN_REFUSED_BAD_NUMBER), 10.0f);
        assert_int_equal(kn_script_error_count(the_script), call);
        EXPECT_ERROR("not enough memory");
    }
    memory.left = -1;
    assert_near(health_after(f, types[0], KN_OK), 11.0f);
    memory.left = 0;
    assert_near(health_after(f, types[1], KN_OK), 12.0f);
    assert_int_equal(kn_script_error_count(the_script), 3);
    assert_int_equal(teardown_script(&fresh), 0);
    assert_int_equal(memory.blocks, 0);
}

static void memory_stays_flat_over_many_activations(void **state)
{
    fixture *f = *state;
    load("ability 'Busy' { state = {n = kn.u32}, activate = function(self)\n"
         "  local t = {}\n"
         "  for i = 1, 10 do t[i] = {i, tostring(i)} end\n"
         "  self.state.n = self.state.n + #t\n"
         "  local text = 'n ' .. self.state.n\n"
         "  self:finish()\n"
         "end }");
    kn_ability_type_id type = bound(f, "Busy");
    begin(f);
    kn_ability_id ability = grant(f, type);
    uint64_t highest[2] = {0};
    enum { MANY = 100000 / SHARE(10) };
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_OK);
        if (i % 1000 == 999) {
            step(f, 0);
            uint64_t bytes = kn_script_get_stats(the_script).bytes;
            uint64_t *most = &highest[i >= MANY / 2];
            *most = bytes > *most ? bytes : *most;
        }
    }
    expect_no_error();
    assert_in_range(highest[1], 0, highest[0] + 65536);
    assert_in_range(highest[1], 0, 1 << 20);
}

static const struct CMUnitTest tests[] = {
    SCRIPTED(nothing_of_the_host_is_in_reach),
    SCRIPTED(pairs_walks_in_one_order),
    SCRIPTED(keys_without_an_order_are_refused),
    SCRIPTED(keys_that_are_fractions_are_refused),
    SCRIPTED(sorting_is_stable_and_the_same_everywhere),
    SCRIPTED(formats_without_addresses),
    SCRIPTED(percent_p_is_refused),
    SCRIPTED(numbers_and_order_do_not_follow_the_locale),
    SCRIPTED(own_functions_of_numbers_are_right),
    SCRIPTED(compiled_chunks_are_refused),
    SCRIPTED(powers_are_refused_with_their_line),
    SCRIPTED(syntax_errors_name_the_line),
    SCRIPTED(what_a_chunk_leaves_is_read_only),
    SCRIPTED(tables_in_upvalues_are_read_only),
    SCRIPTED(tables_in_keys_metatables_and_functions_are_read_only),
    SCRIPTED(objects_with_metatables_still_read_after_freezing),
    SCRIPTED(globals_cannot_be_assigned_by_rules),
    SCRIPTED(modules_are_read_only),
    SCRIPTED(changing_a_frozen_table_through_the_library_is_caught),
    SCRIPTED(a_metatable_cannot_be_put_on_a_frozen_table),
    SCRIPTED(assigning_to_a_variable_of_the_chunk_is_refused_at_load),
    SCRIPTED(variables_of_a_running_rule_may_be_assigned_by_functions_inside_it),
    SCRIPTED(definitions_are_made_while_loading_only),
    SCRIPTED(chunks_share_globals_and_do_not_replace_them),
    SCRIPTED(a_chunk_that_fails_leaves_nothing),
    SCRIPTED(there_is_no_world_while_a_chunk_is_loaded),
    SCRIPTED(metatables_that_show_the_collector_are_refused),
    SCRIPTED(binding_says_what_is_wrong),
    SCRIPTED(nothing_is_loaded_or_bound_once_the_library_is_finished),
    SCRIPTED(the_text_is_part_of_the_library_hash),
    SCRIPTED(the_annotations_are_lua),
    SMALL(an_endless_loop_is_stopped),
    SMALL(endless_recursion_is_stopped),
    SMALL(endless_tail_calls_are_stopped),
    SMALL(large_strings_are_stopped),
    SMALL(growing_strings_are_stopped),
    SMALL(large_tables_are_stopped),
    SMALL(copies_of_a_large_string_are_stopped),
    SMALL(a_loop_while_loading_is_stopped),
    SMALL(scripts_that_call_scripts_end_at_the_depth_limit),
    cmocka_unit_test_setup_teardown(the_calls_of_a_step_share_a_limit, setup, teardown_script),
    cmocka_unit_test_setup_teardown(
        short_calls_count_for_the_limit_of_a_step, setup, teardown_script),
    cmocka_unit_test(each_result_of_a_calculation_has_its_outcome),
    cmocka_unit_test(calculations_leave_nothing_behind),
    cmocka_unit_test_setup_teardown(
        executions_leave_nothing_behind, setup_smallest, teardown_script),
    cmocka_unit_test(an_ability_goes_on_after_its_calculations),
    cmocka_unit_test(the_limit_of_the_stack_is_the_same_for_all_calls),
    SCRIPTED(the_last_errors_are_kept),
    SCRIPTED(errors_that_are_no_text_are_told_too),
    SCRIPTED(a_def_without_its_default_is_refused),
    cmocka_unit_test(every_allocation_may_fail),
    cmocka_unit_test(a_calculation_without_memory_is_an_error),
    SCRIPTED(memory_stays_flat_over_many_activations),
};

TEST_GROUP(test_script_sandbox, tests, NULL, NULL);
