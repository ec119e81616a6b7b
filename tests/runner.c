// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Runs the groups of a test program. Each group runs in a process of its own, so that one that
// crashes is one failure and the others go on; what it prints is shown only if it fails. A filter
// that leaves a single group runs it in this process, where a debugger and valgrind see it.

#define _DEFAULT_SOURCE // fork(), anonymous memory

#include "group.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef _WIN32
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#ifdef STAND_IN_DEFINE
STAND_IN_DEFINE
#endif

// Ends with NULL. Written by CMake.
extern const test_group *const test_groups[];

static const char usage[] =
    "usage: %s [--list] [--filter NAME] [--jobs N] [--times]\n"
    "  --list         print the tests, a line each: GROUP.TEST\n"
    "  --filter NAME  only the group, or the test GROUP.TEST, of that name; * stands for anything\n"
    "  --jobs N       as many groups at a time; default 1\n"
    "  --times        print the ten slowest tests\n";

typedef struct options {
    const char *program;
    const char *filter; // NULL for all tests
    unsigned jobs;
    bool is_list, has_times;
} options;

// What is left of a group by the filter.
typedef struct selection {
    const test_group *group;
    struct CMUnitTest *tests;
    double *seconds; // of each test
    size_t count;
} selection;

static bool matches(const char *pattern, const char *name)
{
    if (*pattern == '*') {
        return matches(pattern + 1, name) || (*name != '\0' && matches(pattern, name + 1));
    }
    return *pattern == *name && (*pattern == '\0' || matches(pattern + 1, name + 1));
}

static bool is_selected(const char *filter, const test_group *group, const struct CMUnitTest *test)
{
    char name[512];
    snprintf(name, sizeof(name), "%s.%s", group->name, test->name);
    return filter == NULL || matches(filter, group->name) || matches(filter, name);
}

static void *zeroed(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    return block;
}

// Zeroed numbers that the processes share.
static double *shared_numbers(size_t count)
{
#ifdef _WIN32
    return zeroed(count, sizeof(double));
#else
    void *block = mmap(
        NULL, count * sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return block != MAP_FAILED ? block : zeroed(count, sizeof(double));
#endif
}

// The groups with at least one selected test. With --list, prints the tests.
static selection *selections;
static size_t selection_count;

static void select_tests(const options *o)
{
    size_t groups = 0, tests = 0;
    for (; test_groups[groups] != NULL; groups++) {
        tests += test_groups[groups]->count;
    }
    selections = zeroed(groups + 1, sizeof(*selections));
    struct CMUnitTest *copies = zeroed(tests + 1, sizeof(*copies));
    double *seconds = shared_numbers(tests + 1);
    size_t copied = 0;
    for (size_t i = 0; i < groups; i++) {
        selection *s = &selections[selection_count];
        *s = (selection){test_groups[i], copies + copied, seconds + copied, 0};
        for (size_t k = 0; k < s->group->count; k++) {
            if (is_selected(o->filter, s->group, &s->group->tests[k])) {
                s->tests[s->count++] = s->group->tests[k];
                if (o->is_list) {
                    printf("%s.%s\n", s->group->name, s->group->tests[k].name);
                }
            }
        }
        copied += s->count;
        selection_count += s->count > 0;
    }
}

// Seconds since some moment.
static double now(void)
{
#ifdef _WIN32
    return (double)clock() / CLOCKS_PER_SEC;
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
#endif
}

// Zero if all tests of the group passed.
static int run_group(const options *o, const selection *s)
{
    const test_group *g = s->group;
    int failed = 0;
    // With times, each test is a group of its own.
    for (size_t i = 0, count = o->has_times ? 1 : s->count; i < s->count; i += count) {
        double begin = now();
        failed |= _cmocka_run_group_tests(g->name, &s->tests[i], count, g->setup, g->teardown);
        s->seconds[i] = now() - begin;
    }
    if (failed != 0) {
        printf("%s failed; to run it alone: %s --filter %s\n", g->name, o->program, g->name);
    }
    return failed;
}

static void print_slowest(void)
{
    for (int i = 0; i < 10; i++) {
        const selection *slowest = NULL;
        size_t test = 0;
        for (size_t k = 0; k < selection_count; k++) {
            for (size_t t = 0; t < selections[k].count; t++) {
                if (slowest == NULL || selections[k].seconds[t] > slowest->seconds[test]) {
                    slowest = &selections[k];
                    test = t;
                }
            }
        }
        if (slowest == NULL || slowest->seconds[test] < 0) {
            return;
        }
        printf("%8.2f s  %s.%s\n", slowest->seconds[test], slowest->group->name,
            slowest->tests[test].name);
        slowest->seconds[test] = -1; // listed
    }
}

#ifdef _WIN32

static size_t run_all(const options *o)
{
    size_t failed = 0;
    for (size_t i = 0; i < selection_count; i++) {
        failed += run_group(o, &selections[i]) != 0;
    }
    return failed;
}

#else

typedef struct child {
    pid_t process; // 0: free
    FILE *output;
    const selection *selection;
} child;

static void child_start(const options *o, child *c, const selection *s)
{
    *c = (child){0, tmpfile(), s};
    fflush(NULL);
    c->process = c->output != NULL ? fork() : -1;
    if (c->process < 0) {
        perror(o->program);
        exit(2);
    }
    if (c->process == 0) {
        dup2(fileno(c->output), STDOUT_FILENO);
        dup2(fileno(c->output), STDERR_FILENO);
        exit(run_group(o, s) != 0);
    }
}

// Waits for one of the groups and says what is wrong with it. False if it failed.
static bool child_finish(const options *o, child *children)
{
    int status = 0;
    pid_t process = wait(&status);
    child *c = children;
    while (c->process != process) {
        c++;
    }
    c->process = 0;
    bool passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!passed) {
        char text[4096];
        size_t size;
        rewind(c->output);
        while ((size = fread(text, 1, sizeof(text), c->output)) > 0) {
            fwrite(text, 1, size, stdout);
        }
        if (WIFSIGNALED(status)) {
            const char *name = c->selection->group->name;
            printf("%s ended by signal %d; to run it alone: %s --filter %s\n", name,
                WTERMSIG(status), o->program, name);
        }
    }
    fclose(c->output);
    return passed;
}

static size_t run_all(const options *o)
{
    child *children = zeroed(o->jobs, sizeof(*children));
    size_t failed = 0, running = 0;
    for (size_t next = 0; next < selection_count || running > 0;) {
        if (next < selection_count && running < o->jobs) {
            child *c = children;
            while (c->process != 0) {
                c++;
            }
            child_start(o, c, &selections[next++]);
            running++;
        } else {
            failed += !child_finish(o, children);
            running--;
        }
    }
    free(children);
    return failed;
}

#endif

static options read_options(int argc, char **argv)
{
    options o = {.program = argv[0], .jobs = 1};
    for (int i = 1; i < argc; i++) {
        const char *value = argv[i + 1]; // NULL behind the last one
        if (strcmp(argv[i], "--list") == 0) {
            o.is_list = true;
        } else if (strcmp(argv[i], "--times") == 0) {
            o.has_times = true;
        } else if (strcmp(argv[i], "--filter") == 0 && value != NULL) {
            o.filter = value;
            i++;
        } else if (strcmp(argv[i], "--jobs") == 0 && value != NULL && atoi(value) > 0) {
            o.jobs = (unsigned)atoi(value);
            i++;
        } else {
            fprintf(stderr, usage, argv[0]);
            exit(2);
        }
    }
    return o;
}

int main(int argc, char **argv)
{
    options o = read_options(argc, argv);
    select_tests(&o);
    if (o.is_list) {
        return 0;
    }
    if (selection_count == 0) {
        fprintf(stderr, "%s: no test is called '%s'\n", o.program, o.filter);
        return 2;
    }
    bool is_alone = selection_count == 1 && o.filter != NULL;
    size_t failed = is_alone ? run_group(&o, selections) != 0 : run_all(&o);
    if (o.has_times) {
        print_slowest();
    }
    if (!is_alone) {
        printf("%zu passed, %zu failed\n", selection_count - failed, failed);
    }
    return failed > 0;
}
