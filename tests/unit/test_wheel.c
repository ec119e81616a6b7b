// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/wheel.h"
#include "test_memory.h"

// The queue as one sorted array, the first to fire at the end.
typedef struct timer_model {
    kni_timer *timers;
    uint32_t count, capacity;
} timer_model;

typedef struct fixture {
    test_memory test;
    kni_memory memory;
    kni_wheel wheel;
    timer_model model;
    uint64_t seed;
    uint32_t number;
    kn_time now;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    test_memory_init(&f->test, &f->memory);
    kni_wheel_init(&f->wheel);
    *state = f;
    return f == NULL;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kni_wheel_free(&f->wheel, &f->memory);
    test_memory_expect_empty(&f->test, &f->memory);
    free(f->model.timers);
    free(f);
    return 0;
}

static int compare(const kni_timer *a, const kni_timer *b)
{
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->number != b->number) {
        return (int32_t)(a->number - b->number) < 0 ? -1 : 1;
    }
    return a->owner < b->owner ? -1 : a->owner > b->owner;
}

static void model_add(timer_model *model, kni_timer timer)
{
    if (model->count == model->capacity) {
        model->capacity = model->capacity * 2 + 16;
        model->timers = realloc(model->timers, model->capacity * sizeof timer);
    }
    uint32_t low = 0, high = model->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (compare(&model->timers[middle], &timer) > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    memmove(&model->timers[low + 1], &model->timers[low], (model->count - low) * sizeof timer);
    model->timers[low] = timer;
    model->count++;
}

static void add(fixture *f, kni_timer timer)
{
    assert_true(kni_wheel_add(&f->wheel, &f->memory, timer));
    model_add(&f->model, timer);
}

static void add_at(fixture *f, kn_time time)
{
    uint32_t number = f->number++;
    add(f, (kni_timer){time, number, (number * 7919u & 0x3fffffffu) | number % 4 << 30});
}

static bool pop_expected(fixture *f, kn_time until, kni_timer *timer)
{
    bool failed = false;
    bool popped = kni_wheel_pop(&f->wheel, &f->memory, until, timer, &failed);
    assert_false(failed);
    const kni_timer *expected = f->model.count > 0 ? &f->model.timers[f->model.count - 1] : NULL;
    assert_int_equal(popped, expected != NULL && expected->time <= until);
    if (popped) {
        assert_memory_equal(timer, expected, sizeof *timer);
        f->model.count--;
    }
    assert_int_equal(f->wheel.count, f->model.count);
    return popped;
}

static void drain(fixture *f, kn_time until)
{
    kni_timer timer;
    while (pop_expected(f, until, &timer)) {
    }
}

static void check_next_time(const fixture *f)
{
    kn_time next = kni_wheel_next_time(&f->wheel);
    if (f->model.count == 0) {
        assert_true(next == KN_TIME_INFINITE);
    } else {
        assert_true(next <= f->model.timers[f->model.count - 1].time);
    }
}

static void empty_wheel_has_nothing_to_fire(void **state)
{
    fixture *f = *state;
    kni_timer timer;
    assert_false(pop_expected(f, 0, &timer));
    assert_false(pop_expected(f, KN_TIME_MAX, &timer));
    check_next_time(f);
    assert_int_equal(f->test.calls, 0);
    assert_true(kni_wheel_validate(&f->wheel));
}

static void timers_fire_in_order_of_time(void **state)
{
    fixture *f = *state;
    const kn_time times[] = {KN_S(3600), KN_MS(20), 0, KN_S(5), KN_MS(21), 1, KN_S(86400) * 365};
    for (uint32_t i = 0; i < 7; i++) {
        add_at(f, times[i]);
    }
    assert_true(kni_wheel_validate(&f->wheel));
    drain(f, KN_MS(20));
    assert_int_equal(f->model.count, 4);
    check_next_time(f);
    drain(f, KN_TIME_MAX);
    assert_int_equal(f->wheel.count, 0);
}

static void asking_for_an_earlier_time_changes_nothing(void **state)
{
    fixture *f = *state;
    kni_timer timer;
    add_at(f, KN_S(3));
    assert_false(pop_expected(f, KN_S(2), &timer));
    assert_false(pop_expected(f, KN_MS(1), &timer));
    add_at(f, KN_MS(500));
    add_at(f, KN_S(3) + KN_MS(40));
    assert_false(pop_expected(f, KN_MS(1), &timer));
    assert_true(kni_wheel_validate(&f->wheel));
    drain(f, KN_MS(600));
    assert_int_equal(f->wheel.count, 2);
    assert_int_equal(f->wheel.cursor, KN_S(2) >> KNI_WHEEL_UNIT_BITS);
    drain(f, KN_S(4));
}

static void ties_fire_by_number_kind_and_slot(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t number = i * 37 % 75 + UINT32_MAX - 30; // wraps
        add(f, (kni_timer){KN_MS(50), number, (i / 75 * 3 % 4) << 30 | i % 3});
        add(f, (kni_timer){KN_MS(50) + i % 2, number, (i / 75) << 30 | i % 5});
    }
    drain(f, KN_S(1));
    assert_int_equal(f->wheel.count, 0);
}

static void timer_is_not_due_before_its_microsecond(void **state)
{
    fixture *f = *state;
    kni_timer timer;
    add_at(f, 8192);
    add_at(f, 8193);
    assert_false(pop_expected(f, 8191, &timer));
    assert_true(pop_expected(f, 8192, &timer));
    assert_false(pop_expected(f, 8192, &timer));
    assert_true(kni_wheel_next_time(&f->wheel) == 8193);
    assert_true(pop_expected(f, 8193, &timer));
}

static void timer_added_while_its_bucket_is_open_fires_in_order(void **state)
{
    fixture *f = *state;
    kni_timer timer;
    add_at(f, 10000);
    add_at(f, 10010);
    add_at(f, 10020);
    assert_true(pop_expected(f, 12000, &timer));
    add_at(f, 10015); // between two of the run
    add_at(f, 10010); // after its twin, which was created first
    add_at(f, 9000);  // in the past: next
    add_at(f, 12001);
    assert_true(kni_wheel_validate(&f->wheel));
    assert_true(pop_expected(f, 12000, &timer));
    assert_int_equal(timer.time, 9000);
    drain(f, 12000);
    assert_int_equal(f->wheel.count, 1);
    assert_true(kni_wheel_next_time(&f->wheel) == 12001);
    drain(f, 12001);
}

static void short_period_ticks_many_times_in_one_step(void **state)
{
    fixture *f = *state;
    kni_timer timer;
    for (uint32_t i = 0; i < 3; i++) {
        add_at(f, 100 + i * 33);
    }
    uint32_t fired = 0;
    while (pop_expected(f, KN_MS(100), &timer)) {
        timer.time += 100;
        add(f, timer);
        fired++;
    }
    assert_int_equal(fired, 3 * 1000 - 2);
    assert_true(kni_wheel_validate(&f->wheel));
}

static void next_entries_of_the_run_can_be_seen_ahead(void **state)
{
    fixture *f = *state;
    kni_timer timer;
    for (uint32_t i = 0; i < 40; i++) {
        add_at(f, 5000 + i);
    }
    assert_true(pop_expected(f, 6000, &timer));
    assert_int_equal(kni_wheel_ahead(&f->wheel, 0)->time, 5001);
    assert_int_equal(kni_wheel_ahead(&f->wheel, 38)->time, 5039);
    assert_null(kni_wheel_ahead(&f->wheel, 39));
}

// One add per power of two and its neighbours, so that every level and the parking beyond the last
// is crossed.
static void every_distance_finds_its_way_through_the_levels(void **state)
{
    fixture *f = *state;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t power = 0; power < 62; power++) {
            for (int64_t around = -1; around <= 1; around++) {
                int64_t time = f->now + ((int64_t)1 << power) + around;
                if (time <= KN_TIME_MAX) {
                    add_at(f, time);
                }
            }
        }
        assert_true(kni_wheel_validate(&f->wheel));
        f->now += KN_S(1000) * (round + 1);
        drain(f, f->now);
        assert_true(kni_wheel_validate(&f->wheel));
    }
    drain(f, KN_TIME_MAX);
    assert_int_equal(f->wheel.count, 0);
    add_at(f, KN_TIME_MAX);
    add_at(f, 5);
    drain(f, KN_TIME_MAX);
}

static bool number_is_even(void *user, kni_timer timer)
{
    assert_non_null(user);
    return timer.number % 2 == 0;
}

static void sweep_drops_the_dead_and_keeps_the_rest(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 3000; i++) {
        add_at(f, KN_MS(1) * (i % 700) * (i % 11));
    }
    drain(f, KN_MS(40));
    for (uint32_t i = 0; i < 200; i++) {
        add_at(f, KN_MS(30) + i * 77 % 200);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->model.count; i++) {
        if (f->model.timers[i].number % 2 == 0) {
            f->model.timers[kept++] = f->model.timers[i];
        } else {
            kni_wheel_cancelled(&f->wheel);
        }
    }
    assert_int_equal(f->wheel.dead, f->model.count - kept);
    f->model.count = kept;
    uint64_t calls = f->test.calls;
    kni_wheel_sweep(&f->wheel, number_is_even, f);
    assert_int_equal(f->test.calls, calls);
    assert_int_equal(f->wheel.count, kept);
    assert_int_equal(f->wheel.dead, 0);
    assert_true(kni_wheel_validate(&f->wheel));
    drain(f, KN_TIME_MAX);
}

static void sweep_is_wanted_when_most_are_dead(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 4000; i++) {
        add_at(f, KN_S(1) + i);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        assert_false(kni_wheel_wants_sweep(&f->wheel));
        kni_wheel_cancelled(&f->wheel);
    }
    kni_wheel_cancelled(&f->wheel);
    assert_true(kni_wheel_wants_sweep(&f->wheel));
    kni_wheel_dropped(&f->wheel);
    assert_false(kni_wheel_wants_sweep(&f->wheel));
}

static void reset_wheel_opens_at_the_given_time(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 1000; i++) {
        add_at(f, i * 977);
    }
    drain(f, 5000);
    kni_wheel_cancelled(&f->wheel);
    kni_wheel_reset(&f->wheel, KN_S(500));
    f->model.count = 0;
    assert_int_equal(f->wheel.count, 0);
    assert_int_equal(f->wheel.dead, 0);
    assert_true(kni_wheel_validate(&f->wheel));
    for (uint32_t i = 0; i < 100; i++) {
        add_at(f, KN_S(500) + i * i * 100);
    }
    assert_true(kni_wheel_validate(&f->wheel));
    drain(f, KN_S(600));
    assert_int_equal(f->wheel.count, 0);
}

// Sizes and shapes that take each path of the sort.
static void any_bucket_is_sorted(void **state)
{
    fixture *f = *state;
    static const uint32_t sizes[] = {1, 2, 16, 17, 24, 25, 26, 100, 400, 1500, 5000};
    f->now = 4096;
    for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (uint32_t shape = 0; shape < 7; shape++) {
            for (uint32_t i = 0; i < sizes[s]; i++) {
                uint32_t n = sizes[s];
                kni_timer timer = {f->now, i, i};
                switch (shape) {
                case 0: // spread
                    timer.time += test_below(&f->seed, 4096);
                    break;
                case 1: // all at once, in order
                    break;
                case 2: // all at once, in reverse
                    timer.number = n - i;
                    break;
                case 3: // all at once, in disorder
                    timer.number = (uint32_t)test_random(&f->seed) % (n * 4);
                    break;
                case 4: // two runs
                    timer.number = i * 2 < n ? i : n - i;
                    break;
                case 5: // one big cluster in the middle of others
                    timer.time += i % 3 == 0 ? test_below(&f->seed, 4096) : 2000;
                    timer.number = (uint32_t)test_random(&f->seed) % n;
                    break;
                default: // equal entries
                    timer.number = timer.owner = i % 3;
                    break;
                }
                add(f, timer);
            }
            drain(f, f->now + 4095);
            assert_int_equal(f->wheel.count, 0);
            f->now += 4096 * (1 + test_below(&f->seed, 3));
        }
    }
}

static kn_time random_delay(fixture *f)
{
    switch (test_below(&f->seed, 12)) {
    case 0:
        return test_below(&f->seed, 50);
    case 1:
        return test_below(&f->seed, 5000);
    case 2:
    case 3:
    case 4:
        return test_below(&f->seed, 1100000);
    case 5:
    case 6:
        return KN_S(1);
    case 7:
        return KN_MS(1) * test_below(&f->seed, 20000);
    case 8:
        return KN_S(1) * test_below(&f->seed, 100000);
    case 9:
        return (kn_time)(test_random(&f->seed) >> (2 + test_below(&f->seed, 60)));
    case 10:
        return -(kn_time)test_below(&f->seed, 20000);
    default:
        return (kn_time)test_below(&f->seed, 40) * 4096;
    }
}

static void add_random(fixture *f)
{
    kn_time time = f->now + random_delay(f);
    time = time < 0 ? 0 : time > KN_TIME_MAX ? KN_TIME_MAX : time;
    if (f->model.count > 0 && test_below(&f->seed, 5) == 0) {
        time = f->model.timers[test_below(&f->seed, f->model.count)].time;
    }
    add_at(f, time);
}

static void step_random(fixture *f)
{
    static const kn_time lengths[] = {
        0, 1, 100, 4096, 16667, 16667, 16667, 33333, KN_S(1), KN_S(300), KN_S(86400)};
    f->now += lengths[test_below(&f->seed, 11)];
    if (test_below(&f->seed, 400) == 0) {
        f->now += (kn_time)(test_random(&f->seed) >> (10 + test_below(&f->seed, 20)));
    }
    kni_timer timer;
    uint32_t again = test_below(&f->seed, 40);
    while (pop_expected(f, f->now, &timer)) {
        if (again > 0 && test_below(&f->seed, 3) == 0) {
            again--;
            timer.time += test_below(&f->seed, 3000);
            timer.number = f->number++;
            add(f, timer);
        }
    }
}

typedef struct wheel_save {
    uint8_t *bytes;
    size_t size;
    kni_timer *timers;
    uint32_t count;
    uint32_t number;
    kn_time now;
} wheel_save;

static void save(const fixture *f, wheel_save *saved)
{
    saved->size = kni_wheel_snapshot_size(&f->wheel);
    saved->bytes = realloc(saved->bytes, saved->size);
    assert_ptr_equal(kni_wheel_snapshot(&f->wheel, saved->bytes), saved->bytes + saved->size);
    saved->count = f->model.count;
    saved->timers = realloc(saved->timers, (saved->count + 1) * sizeof *saved->timers);
    if (saved->count > 0) {
        memcpy(saved->timers, f->model.timers, saved->count * sizeof *saved->timers);
    }
    saved->number = f->number;
    saved->now = f->now;
}

static void load(fixture *f, const wheel_save *saved)
{
    assert_ptr_equal(
        kni_wheel_restore(&f->wheel, &f->memory, saved->bytes), saved->bytes + saved->size);
    assert_true(saved->count <= f->model.capacity);
    if (saved->count > 0) {
        memcpy(f->model.timers, saved->timers, saved->count * sizeof *saved->timers);
    }
    f->model.count = saved->count;
    f->number = saved->number;
    f->now = saved->now;
}

static bool model_alive(void *user, kni_timer timer)
{
    const fixture *f = user;
    (void)f;
    return timer.number % 8 != 3;
}

static void sweep_random(fixture *f)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->model.count; i++) {
        if (model_alive(f, f->model.timers[i])) {
            f->model.timers[kept++] = f->model.timers[i];
        }
    }
    f->model.count = kept;
    kni_wheel_sweep(&f->wheel, model_alive, f);
    assert_int_equal(f->wheel.count, kept);
}

static void wheel_behaves_like_a_sorted_array(void **state)
{
    fixture *f = *state;
    wheel_save saved = {0};
    for (uint32_t run = 0; run < 40; run++) {
        f->seed = run;
        f->number = run % 2 == 0 ? 0 : UINT32_MAX - 2000;
        f->now = run % 3 == 0 ? 0 : KN_S(test_below(&f->seed, 1000000));
        kni_wheel_reset(&f->wheel, f->now);
        f->model.count = 0;
        uint32_t crowd = 1 + test_below(&f->seed, 60);
        save(f, &saved);
        for (uint32_t round = 0; round < 250; round++) {
            for (uint32_t i = test_below(&f->seed, crowd); i > 0; i--) {
                add_random(f);
            }
            step_random(f);
            check_next_time(f);
            switch (test_below(&f->seed, 40)) {
            case 0:
                sweep_random(f);
                break;
            case 1:
                save(f, &saved);
                break;
            case 2:
                load(f, &saved);
                break;
            case 3: // into a wheel that knows nothing
                save(f, &saved);
                kni_wheel_free(&f->wheel, &f->memory);
                load(f, &saved);
                break;
            default:
                break;
            }
            if (round % 10 == 0) {
                assert_true(kni_wheel_validate(&f->wheel));
            }
        }
        drain(f, KN_TIME_MAX);
        assert_int_equal(f->wheel.count, 0);
        assert_true(kni_wheel_validate(&f->wheel));
    }
    free(saved.bytes);
    free(saved.timers);
}

// The same timers, popped in steps of different length.
static void length_of_a_step_does_not_show(void **state)
{
    fixture *f = *state;
    static const kn_time lengths[] = {1000, 6944, 16667, 33333, KN_S(1), KN_S(100)};
    for (uint32_t i = 0; i < 6; i++) {
        kni_wheel_reset(&f->wheel, 0);
        f->model.count = 0;
        f->seed = 77;
        f->number = 0;
        for (uint32_t j = 0; j < 2000 / SHARE(4); j++) {
            add_at(f, test_below(&f->seed, 20000000));
        }
        uint64_t sum = 0, fired = 0;
        for (kn_time now = 0; now < KN_S(25); now += lengths[i]) {
            kn_time until = now + lengths[i] < KN_S(25) ? now + lengths[i] : KN_S(25);
            kni_timer timer;
            while (pop_expected(f, until, &timer)) {
                sum = sum * 31 + (uint64_t)timer.time + timer.number;
                fired++;
                timer.time += KN_MS(700);
                add(f, timer);
            }
        }
        static uint64_t first_sum, first_fired;
        first_sum = i == 0 ? sum : first_sum;
        first_fired = i == 0 ? fired : first_fired;
        assert_int_equal(sum, first_sum);
        assert_int_equal(fired, first_fired);
    }
}

static void restored_wheel_is_the_same_to_the_byte(void **state)
{
    fixture *f = *state;
    wheel_save first = {0}, second = {0};
    f->seed = 5;
    for (uint32_t i = 0; i < 3000; i++) {
        add_random(f);
    }
    for (uint32_t i = 0; i < 20; i++) {
        step_random(f);
        add_random(f);
    }
    save(f, &first);
    kni_wheel other;
    kni_wheel_init(&other);
    f->test.fail_at = 0;
    assert_non_null(kni_wheel_restore(&other, &f->memory, first.bytes));
    assert_true(kni_wheel_validate(&other));
    assert_int_equal(kni_wheel_snapshot_size(&other), first.size);
    second.bytes = malloc(first.size);
    kni_wheel_snapshot(&other, second.bytes);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    kni_wheel_free(&other, &f->memory);
    free(first.bytes);
    free(first.timers);
    free(second.bytes);
}

static void restore_without_memory_changes_nothing(void **state)
{
    fixture *f = *state;
    wheel_save full = {0}, before = {0};
    f->seed = 6;
    for (uint32_t i = 0; i < 500; i++) {
        add_at(f, 5000 + i * 3);
    }
    kni_timer timer;
    assert_true(pop_expected(f, 7000, &timer));
    for (uint32_t i = 0; i < 50; i++) {
        add_at(f, 6000);
    }
    save(f, &full);
    kni_wheel_free(&f->wheel, &f->memory);
    f->model.count = 0;
    add_at(f, 1);
    save(f, &before);
    for (uint64_t fail = 1;; fail++) {
        f->test.fail_at = f->test.calls + fail;
        const uint8_t *end = kni_wheel_restore(&f->wheel, &f->memory, full.bytes);
        f->test.fail_at = 0;
        if (end != NULL) {
            assert_true(fail > 3);
            break;
        }
        assert_true(kni_wheel_validate(&f->wheel));
        assert_int_equal(kni_wheel_snapshot_size(&f->wheel), before.size);
    }
    load(f, &full);
    drain(f, KN_TIME_MAX);
    free(full.bytes);
    free(full.timers);
    free(before.bytes);
    free(before.timers);
}

// Whether `count` further adds cannot run out of memory as it is.
static bool wheel_has_room(const kni_wheel *wheel, uint32_t count)
{
    uint32_t chunks = wheel->chunk_capacity - wheel->chunk_used + wheel->chunk_free_count;
    return chunks >= kni_wheel_chunks_for(count);
}

static void reserved_adds_need_no_memory(void **state)
{
    fixture *f = *state;
    for (uint32_t round = 0; round < 60; round++) {
        f->test.fail_at = 0;
        step_random(f);
        uint32_t count = 1 + test_below(&f->seed, round % 10 == 0 ? 60000 / SHARE(20) : 300);
        assert_true(kni_wheel_reserve(&f->wheel, &f->memory, count));
        assert_true(wheel_has_room(&f->wheel, count));
        f->test.fail_at = 1;
        for (uint32_t i = 0; i < count; i++) {
            if (round % 3 == 0) {
                add_at(f, f->now); // late, and no room in the heap
            } else {
                add_random(f);
            }
        }
        assert_true(kni_wheel_validate(&f->wheel));
        check_next_time(f);
        f->test.fail_at = 0;
        if (round % 10 == 0) {
            drain(f, KN_TIME_MAX);
            f->now = 0;
            kni_wheel_reset(&f->wheel, 0);
        }
    }
    f->test.fail_at = 1;
    assert_false(kni_wheel_reserve(&f->wheel, &f->memory, 100000000));
    assert_true(kni_wheel_validate(&f->wheel));
}

static void late_timers_wait_when_the_heap_cannot_grow(void **state)
{
    fixture *f = *state;
    assert_true(kni_wheel_reserve(&f->wheel, &f->memory, 3000));
    f->test.fail_at = 1;
    for (uint32_t i = 0; i < 3000; i++) {
        add_at(f, 4000 - i);
    }
    assert_true(kni_wheel_next_time(&f->wheel) == 1001);
    kni_timer timer;
    bool failed = false;
    assert_false(kni_wheel_pop(&f->wheel, &f->memory, 4000, &timer, &failed));
    assert_true(failed);
    assert_true(kni_wheel_validate(&f->wheel));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->model.count; i++) {
        if (f->model.timers[i].number % 2 == 0) {
            f->model.timers[kept++] = f->model.timers[i];
        }
    }
    f->model.count = kept;
    kni_wheel_sweep(&f->wheel, number_is_even, f);
    assert_true(kni_wheel_validate(&f->wheel));
    f->test.fail_at = 0;
    wheel_save saved = {0};
    save(f, &saved);
    drain(f, 4000);
    assert_int_equal(f->wheel.count, 0);
    load(f, &saved);
    assert_true(kni_wheel_validate(&f->wheel));
    drain(f, 4000);
    assert_int_equal(f->wheel.count, 0);
    free(saved.bytes);
    free(saved.timers);
}

// Entries of one coarse chunk need many fine ones, and there is none left.
static void cascade_without_memory_can_be_repeated(void **state)
{
    fixture *f = *state;
    kn_time start = KN_S(2) >> 16 << 16; // where a bucket of level 1 begins
    for (uint32_t i = 0; i < 16; i++) {
        add_at(f, start + i * 4096);
    }
    f->test.fail_at = 1;
    for (kn_time time = KN_S(100);; time += KN_S(1)) {
        uint32_t number = f->number++;
        kni_timer timer = {time, number, number};
        if (!kni_wheel_add(&f->wheel, &f->memory, timer)) {
            break;
        }
        model_add(&f->model, timer);
    }
    for (uint32_t i = 0; i < 3; i++) {
        kni_timer timer;
        bool failed = false;
        assert_false(kni_wheel_pop(&f->wheel, &f->memory, start, &timer, &failed));
        assert_true(failed);
        assert_true(kni_wheel_validate(&f->wheel));
        assert_int_equal(f->wheel.count, f->model.count);
        assert_true(kni_wheel_next_time(&f->wheel) <= start);
    }
    f->test.fail_at = 0;
    drain(f, start + 5 * 4096);
    drain(f, KN_TIME_MAX);
    assert_int_equal(f->wheel.count, 0);
}

static void damaged_wheel_fails_validation(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 100; i++) {
        add_at(f, 5000 + i);
        add_at(f, KN_S(1));
    }
    kni_timer timer;
    assert_true(pop_expected(f, 6000, &timer));
    add_at(f, 10);
    add_at(f, 20);
    assert_true(kni_wheel_validate(&f->wheel));
    kn_assert_set_handler(test_ignore_assert);

    kni_wheel good = f->wheel;
    f->wheel.count++;
    assert_false(kni_wheel_validate(&f->wheel));
    f->wheel = good;
    f->wheel.cursor += 1000; // now there are buckets before it
    assert_false(kni_wheel_validate(&f->wheel));
    f->wheel = good;
    f->wheel.occupied[2][1] = 1;
    assert_false(kni_wheel_validate(&f->wheel));
    f->wheel = good;
    f->wheel.chunk_free = f->wheel.chunk_used + 1;
    assert_false(kni_wheel_validate(&f->wheel));
    f->wheel = good;
    f->wheel.chunk_free = 0;
    assert_false(kni_wheel_validate(&f->wheel));
    f->wheel = good;
    f->wheel.run[50].time += 10; // later than its successor
    assert_false(kni_wheel_validate(&f->wheel));
    f->wheel.run[50].time -= 10;
    f->wheel.heap[0].time += 100;
    assert_false(kni_wheel_validate(&f->wheel));
    f->wheel.heap[0].time -= 100;

    kn_assert_set_handler(NULL);
    assert_true(kni_wheel_validate(&f->wheel));
    drain(f, KN_TIME_MAX);
}

// A whole life with memory failing at the first allocation, the second, and so on: what was not
// done can be repeated, and the order is that of the model.
static void running_out_of_memory_loses_nothing(void **state)
{
    fixture *f = *state;
    for (uint64_t fail = 1; fail < 60; fail++) {
        f->seed = 9;
        f->number = 0;
        f->now = 0;
        kni_wheel_free(&f->wheel, &f->memory);
        f->model.count = 0;
        f->test.fail_at = f->test.calls + fail;
        uint32_t failures = 0;
        for (uint32_t round = 0; round < 60; round++) {
            for (uint32_t i = 0; i < 60; i++) {
                uint32_t number = f->number++;
                // Some far enough to cascade, many at the same moment.
                kn_time delay = i % 4 == 0 ? test_below(&f->seed, 30000000) : KN_MS(40);
                kni_timer timer = {f->now + delay, number * 7919u % 1000, number};
                while (!kni_wheel_add(&f->wheel, &f->memory, timer)) {
                    assert_true(kni_wheel_validate(&f->wheel));
                    f->test.fail_at = 0;
                    failures++;
                }
                model_add(&f->model, timer);
            }
            f->now += round % 20 == 19 ? KN_S(10) : 16667;
            bool failed = false;
            kni_timer timer;
            while (kni_wheel_pop(&f->wheel, &f->memory, f->now, &timer, &failed) || failed) {
                if (failed) {
                    assert_true(kni_wheel_validate(&f->wheel));
                    assert_int_equal(f->wheel.count, f->model.count);
                    f->test.fail_at = 0;
                    failed = false;
                    failures++;
                    continue;
                }
                assert_memory_equal(&timer, &f->model.timers[--f->model.count], sizeof timer);
            }
            assert_true(f->model.count == 0 || f->model.timers[f->model.count - 1].time > f->now);
        }
        assert_true(failures <= 1);
        f->test.fail_at = 0;
        drain(f, KN_TIME_MAX);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(empty_wheel_has_nothing_to_fire),
    TEST(timers_fire_in_order_of_time),
    TEST(asking_for_an_earlier_time_changes_nothing),
    TEST(ties_fire_by_number_kind_and_slot),
    TEST(timer_is_not_due_before_its_microsecond),
    TEST(timer_added_while_its_bucket_is_open_fires_in_order),
    TEST(short_period_ticks_many_times_in_one_step),
    TEST(next_entries_of_the_run_can_be_seen_ahead),
    TEST(every_distance_finds_its_way_through_the_levels),
    TEST(sweep_drops_the_dead_and_keeps_the_rest),
    TEST(sweep_is_wanted_when_most_are_dead),
    TEST(reset_wheel_opens_at_the_given_time),
    TEST(any_bucket_is_sorted),
    TEST(wheel_behaves_like_a_sorted_array),
    TEST(length_of_a_step_does_not_show),
    TEST(restored_wheel_is_the_same_to_the_byte),
    TEST(restore_without_memory_changes_nothing),
    TEST(reserved_adds_need_no_memory),
    TEST(late_timers_wait_when_the_heap_cannot_grow),
    TEST(cascade_without_memory_can_be_repeated),
    TEST(damaged_wheel_fails_validation),
    TEST(running_out_of_memory_loses_nothing),
};

TEST_GROUP(test_wheel, tests, NULL, NULL);
