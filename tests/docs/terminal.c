// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Draws docs/pictures/explain.svg: what the demo explains, as a picture of a terminal.
// usage: page_terminal WHAT_THE_DEMO_PRINTS

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 64
#define LINE_MAX 200
#define LINE_HEIGHT 18
#define LETTER_WIDTH 8
#define MARGIN 16

// Lines from one that begins with the first text to the next that begins with the second.
static const char *const ranges[][2] = {
    {"2.000 s  Korg  takes 42", "2.000 s  Korg  is stunned"},
    {"2.000 s  Korg  Armour", "2.000 s  Korg  Meteor cancelled"},
    {"Why is this damage", "damage  63"},
    {"Why did Meteor", "GA_Meteor"},
};

static char lines[LINES_MAX][LINE_MAX];
static int line_count;

static void add(const char *line)
{
    if (line_count == LINES_MAX) {
        (void)fprintf(stderr, "too many lines\n");
        exit(1);
    }
    (void)snprintf(lines[line_count++], LINE_MAX, "%.*s", (int)strcspn(line, "\n"), line);
}

static bool begins_with(const char *line, const char *text)
{
    return strncmp(line + strspn(line, " "), text, strlen(text)) == 0;
}

static void add_range(const char *path, const char *first, const char *last)
{
    FILE *file = fopen(path, "r");
    char line[LINE_MAX];
    bool is_inside = false, is_done = false;
    while (file != NULL && !is_done && fgets(line, sizeof line, file) != NULL) {
        is_inside |= begins_with(line, first);
        if (is_inside) {
            add(line);
        }
        is_done = is_inside && begins_with(line, last);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    if (!is_done) {
        (void)fprintf(stderr, "%s: no lines from `%s` to `%s`\n", path, first, last);
        exit(1);
    }
}

static void put_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '<') {
            (void)printf("&lt;");
        } else if (text[i] == '&') {
            (void)printf("&amp;");
        } else {
            (void)printf("%c", text[i]);
        }
    }
}

static void put_span(const char *class, const char *text, size_t length)
{
    if (length > 0) {
        (void)printf("<tspan class=\"%s\">", class);
        put_text(text, length);
        (void)printf("</tspan>");
    }
}

// Questions stand out, causes in brackets step back, and so does all but the result of a line.
static void put_line(const char *line, int y)
{
    size_t length = strlen(line);
    const char *cause = length > 0 && line[length - 1] == ')' ? strrchr(line, '(') : NULL;
    const char *result = strstr(line, "-> ");
    result = result == NULL || cause != NULL ? strstr(line, "= ") : result;
    (void)printf("<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">", MARGIN, y);
    if (length > 0 && line[length - 1] == '?') {
        put_span("q", line, length);
    } else if (cause != NULL) {
        put_span("p", line, (size_t)(cause - line));
        put_span("c", cause, strlen(cause));
    } else if (result != NULL) {
        put_span("p", line, (size_t)(result - line));
        put_span("r", result, strlen(result));
    } else {
        put_span("p", line, length);
    }
    (void)printf("</text>\n");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: page_terminal WHAT_THE_DEMO_PRINTS\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (i > 1) {
            add("");
        }
        add_range(argv[1], ranges[i][0], ranges[i][1]);
    }
    size_t longest = 0;
    for (int i = 0; i < line_count; i++) {
        longest = strlen(lines[i]) > longest ? strlen(lines[i]) : longest;
    }
    int width = (int)longest * LETTER_WIDTH + 2 * MARGIN;
    int height = line_count * LINE_HEIGHT + 2 * MARGIN;
    (void)printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                 "height=\"%d\" role=\"img\">\n"
                 "<style>text{font:13px monospace}.p{fill:#d8dee9}.c{fill:#8b95a7}"
                 ".q{fill:#ebcb8b;font-weight:bold}.r{fill:#a3be8c;font-weight:bold}</style>\n"
                 "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#242933\"/>\n",
        width, height, width, height, width, height);
    for (int i = 0; i < line_count; i++) {
        put_line(lines[i], MARGIN + 12 + i * LINE_HEIGHT);
    }
    (void)printf("</svg>\n");
    return 0;
}
