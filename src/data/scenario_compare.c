// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Comparing: one number, name or text of what is expected with what is there; how a difference is
// reported, and why it is so.

#include "scenario_expect.h"

#include <string.h>

bool kni_look_has(const kni_look *at, kni_key key)
{
    return kni_part_has(at->part, key);
}

kni_difference *kni_differ(const kni_look *at)
{
    uint32_t index = at->out->count < KNI_DIFFERENCES ? at->out->count : KNI_DIFFERENCES;
    kni_difference *difference = &at->out->items[index];
    at->out->count++;
    kni_difference_begin(difference);
    return difference;
}

kni_line *kni_why_since(const kni_look *at, uint32_t count)
{
    return at->out->count > count && count < KNI_DIFFERENCES ? &at->out->items[count].why : NULL;
}

// Why -----------------------------------------------------------------------

const char *kni_look_entity(const kni_look *at)
{
    return kni_run_name_text(at->run, at->part->entity);
}

void kni_why_event(const kn_scenario_run *run, kni_line *why, kn_entity_id entity,
    kn_event_type first, kn_event_type last, uint32_t about)
{
    uint32_t count = run->history_count < KNI_HISTORY ? run->history_count : KNI_HISTORY;
    for (uint32_t i = 1; why != NULL && i <= count; i++) {
        const kni_past_event *past = &run->history[(run->history_count - i) % KNI_HISTORY];
        const kn_event *event = &past->event;
        bool is_it = event->type >= first && event->type <= last &&
                     kn_entity_id_equal(event->entity, entity);
        if (is_it && about > 0) {
            // The first member of these is the number of a tag, attribute or, after its id, a type.
            uint32_t number = first == KN_EVENT_EFFECT_APPLIED ? event->data.effect.type.index1
                                                               : event->data.tag.tag.index1;
            is_it = number == about;
        }
        if (is_it) {
            kni_line_add(why, "%slast: %s", why->length > 0 ? "\n" : "", past->line);
            if (past->cause[0] != 0) {
                kni_line_add(why, "\n  because: %s", past->cause);
            }
            return;
        }
    }
}

void kni_explain_ability(const kn_scenario_run *run, kn_ability_id ability, kni_line *why)
{
    char text[KNI_WHY_SIZE];
    if (why != NULL && kn_ability_is_alive(run->world, ability)) {
        (void)kn_ability_explain_print(run->world, ability, NULL, text, sizeof(text));
        kni_line_add(why, "%s", text);
    }
}

// Numbers -------------------------------------------------------------------

bool kni_is_near(float value, float wanted, const kni_tolerance *tolerance)
{
    float apart = value > wanted ? value - wanted : wanted - value;
    float size = wanted < 0.0f ? -wanted : wanted;
    float most = tolerance->is_share ? tolerance->amount * size : tolerance->amount;
    return value == wanted || apart <= most;
}

bool kni_time_is_near(kn_time value, kn_time wanted, const kni_tolerance *tolerance)
{
    kn_time apart = value > wanted ? value - wanted : wanted - value;
    double size = kn_time_to_seconds(wanted < 0 ? -wanted : wanted);
    double most = (double)tolerance->amount * (tolerance->is_share ? size : 1.0);
    return value == wanted || (apart >= 0 && apart <= kn_time_from_seconds(most));
}

bool kni_vector_is_near(kn_vec3 value, kn_vec3 wanted, const kni_tolerance *tolerance)
{
    return kni_is_near(value.x, wanted.x, tolerance) && kni_is_near(value.y, wanted.y, tolerance) &&
           kni_is_near(value.z, wanted.z, tolerance);
}

void kni_line_tolerance(kni_line *line, const kni_tolerance *tolerance)
{
    if (tolerance->amount > 0.0f) {
        kni_line_add(line, " (give or take ");
        kni_line_float(line, tolerance->amount * (tolerance->is_share ? 100.0f : 1.0f));
        kni_line_add(line, "%s)", tolerance->is_share ? "%" : "");
    }
}

#define NEAR_SHARE 1e-5f // two numbers that differ only by rounding

// Numbers that differ in their last digits: sums of floats. Says how to allow that.
void kni_propose_tolerance(kni_difference *difference, float value, float wanted)
{
    float apart = value > wanted ? value - wanted : wanted - value;
    float size = wanted < 0.0f ? -wanted : wanted;
    if (!(apart > 0.0f && apart <= size * NEAR_SHARE)) {
        return;
    }
    // The least power of ten that is enough, as it is written by hand.
    uint32_t digits = 0;
    double amount = 1.0;
    while (digits < 12 && amount / 10.0 >= (double)apart) {
        amount /= 10.0;
        digits++;
    }
    while (amount < (double)apart) {
        amount *= 10.0;
    }
    kni_line_add(&difference->why, "the difference is a rounding error: `tolerance: ");
    if (digits > 0) {
        kni_line_add(&difference->why, "0.%0*d", (int)digits, 1);
    } else {
        kni_line_add(&difference->why, "%llu", (unsigned long long)amount);
    }
    kni_line_add(&difference->why, "` allows it, here or for the whole file");
}

void kni_found_float(kni_line *found, float value)
{
    kni_line_add(found, "it is ");
    kni_line_float(found, value);
}

// Every bound that a number breaks.
void kni_test_bounds(const kni_look *at, const kni_bounds *bounds, float value, const char *what)
{
    const struct {
        bool is_broken;
        const char *word;
        float bound;
    } tests[] = {
        {bounds->has_value && !kni_is_near(value, bounds->value, &bounds->tolerance), "is ",
            bounds->value},
        {bounds->has_above && !(value > bounds->above), "is above ", bounds->above},
        {bounds->has_below && !(value < bounds->below), "is below ", bounds->below},
        {bounds->has_least && !(value >= bounds->least), "is at least ", bounds->least},
        {bounds->has_most && !(value <= bounds->most), "is at most ", bounds->most},
    };
    for (uint32_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        if (tests[i].is_broken) {
            kni_difference *difference = kni_differ(at);
            kni_line_add(&difference->expected, "%s %s", what, tests[i].word);
            kni_line_float(&difference->expected, tests[i].bound);
            kni_found_float(&difference->found, value);
            if (i == 0) {
                kni_line_tolerance(&difference->expected, &bounds->tolerance);
                kni_propose_tolerance(difference, value, tests[i].bound);
            }
        }
    }
}

// Each of these tests one field; with the field not given it holds.

void kni_test_whole(const kni_look *at, kni_key key, uint64_t wanted, uint64_t found,
    const char *what, const char *whose)
{
    if (kni_look_has(at, key) && wanted != found) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(
            &difference->expected, "%s of %s is %llu", what, whose, (unsigned long long)wanted);
        kni_line_add(&difference->found, "it is %llu", (unsigned long long)found);
    }
}

void kni_test_time(const kni_look *at, kni_key key, kn_time wanted, kn_time found, const char *what,
    const char *whose)
{
    if (kni_look_has(at, key) && !kni_time_is_near(found, wanted, &at->part->bounds.tolerance)) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s of %s is ", what, whose);
        kni_line_time(&difference->expected, wanted);
        kni_line_add(&difference->found, "it is ");
        kni_line_time(&difference->found, found);
    }
}

void kni_test_f32(
    const kni_look *at, kni_key key, float wanted, float found, const char *what, const char *whose)
{
    if (kni_look_has(at, key) && !kni_is_near(found, wanted, &at->part->bounds.tolerance)) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "%s of %s is ", what, whose);
        kni_line_float(&difference->expected, wanted);
        kni_found_float(&difference->found, found);
        kni_propose_tolerance(difference, found, wanted);
    }
}

bool kni_test_bool(const kni_look *at, kni_key key, bool wanted, bool found, const char *whose,
    const char *yes, const char *no)
{
    if (!kni_look_has(at, key) || wanted == found) {
        return true;
    }
    kni_difference *difference = kni_differ(at);
    kni_line_add(&difference->expected, "%s %s", whose, wanted ? yes : no);
    kni_line_add(&difference->found, "it %s", found ? yes : no);
    return false;
}

void kni_test_name(const kni_look *at, kni_key key, uint32_t wanted, kn_entity_id found,
    const char *what, const char *whose)
{
    if (!kni_look_has(at, key) || kn_entity_id_equal(kni_run_entity(at->run, wanted), found)) {
        return;
    }
    kni_difference *difference = kni_differ(at);
    const char *name = kn_scenario_run_name(at->run, found);
    kni_line_add(
        &difference->expected, "%s of %s is %s", what, whose, kni_run_name_text(at->run, wanted));
    kni_line_add(&difference->found, "it is %s",
        name != NULL                  ? name
        : kn_entity_id_is_null(found) ? "nobody"
                                      : "an unnamed entity");
}

void kni_test_vector(const kni_look *at, kni_key key, kn_vec3 wanted, bool exists, kn_vec3 found,
    const char *what, const char *whose)
{
    if (!kni_look_has(at, key) ||
        (exists && kni_vector_is_near(found, wanted, &at->part->bounds.tolerance))) {
        return;
    }
    kni_difference *difference = kni_differ(at);
    kni_line_add(&difference->expected, "%s of %s is ", what, whose);
    kni_line_vector(&difference->expected, wanted);
    if (exists) {
        kni_line_add(&difference->found, "it is ");
        kni_line_vector(&difference->found, found);
    } else {
        kni_line_add(&difference->found, "there is none");
    }
}

// Explanations --------------------------------------------------------------

// Whether a text has a part; any number of blanks is as good as one.
static const char *text_find(const char *text, const char *part)
{
    for (const char *from = text; *from != 0; from++) {
        const char *a = from, *b = part;
        while (*b != 0 && *a != 0 && *a != '\n') {
            if (*b == ' ' && *a == ' ') {
                a += strspn(a, " ");
                b += strspn(b, " ");
            } else if (*a == *b) {
                a++;
                b++;
            } else {
                break;
            }
        }
        if (*b == 0) {
            return a;
        }
    }
    return NULL;
}

// Parts of lines that must come in this order, each in a line of its own.
void kni_test_explanation(const kni_look *at, const char *text, const char *what)
{
    const char *from = text;
    for (uint32_t i = 0; i < at->part->explanation.count; i++) {
        const char *part = at->part->explanation.data[i];
        const char *found = text_find(from, part);
        if (found == NULL) {
            kni_difference *difference = kni_differ(at);
            kni_line_add(&difference->expected, "the explanation of %s has `%s`%s", what, part,
                i > 0 ? " after the previous one" : "");
            kni_line_add(&difference->found, "it does not");
            kni_line_add(&difference->why, "%s", text);
            while (difference->why.length > 0 && difference->why.length < KNI_WHY_SIZE &&
                   difference->why_text[difference->why.length - 1] == '\n') {
                difference->why_text[--difference->why.length] = 0;
            }
            return;
        }
        from = found + strcspn(found, "\n");
    }
}
