// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What plain fields say in words: the values of an enum, and the kind of definition that a
// reference names. The library keeps each list of words once, split, and numbers all of them, so
// that a save can name those it uses.

#include "library/types.h"

// Lists of words ------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The next word at *at, which is moved behind it; NULL at the end.
static const char *word_next(const char **at, uint32_t *length)
{
    const char *begin = *at;
    while (is_blank(*begin)) {
        begin++;
    }
    const char *end = begin;
    while (*end != 0 && !is_blank(*end)) {
        end++;
    }
    *at = end;
    *length = (uint32_t)(end - begin);
    return end > begin ? begin : NULL;
}

uint32_t kn_words_count(const char *words)
{
    uint32_t count = 0, length;
    while (words != NULL && word_next(&words, &length) != NULL) {
        count++;
    }
    return count;
}

const char *kn_words_at(const char *words, uint32_t index, uint32_t *length)
{
    const char *word = "";
    *length = 0;
    for (uint32_t i = 0; words != NULL && i <= index; i++) {
        word = word_next(&words, length);
        if (word == NULL) {
            return "";
        }
    }
    return word;
}

uint32_t kn_words_find(const char *words, const char *word)
{
    if (words == NULL || word == NULL) {
        return UINT32_MAX;
    }
    uint32_t length, index = 0;
    size_t wanted = strlen(word);
    for (const char *at; (at = word_next(&words, &length)) != NULL; index++) {
        if (length == wanted && memcmp(at, word, wanted) == 0) {
            return index;
        }
    }
    return UINT32_MAX;
}

static bool word_is_valid(const char *word, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        char c = word[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !(c >= '0' && c <= '9') && c != '_') {
            return false;
        }
    }
    return length <= KN_TAG_NAME_MAX;
}

// How often a word is in a list.
static uint32_t word_repeats(const char *words, const char *word, uint32_t length)
{
    uint32_t count = 0, found;
    for (const char *at; (at = word_next(&words, &found)) != NULL;) {
        count += found == length && memcmp(at, word, length) == 0;
    }
    return count;
}

kn_result kni_words_check(
    const char *what, const char *name, const kn_field *field, kn_error *error)
{
    uint32_t count = kn_words_count(field->words);
    if (count == 0 || count > KNI_WORDS_MAX) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s `%s`: field %s needs 1 to %d `words`, separated by blanks", what, name, field->name,
            KNI_WORDS_MAX);
    }
    const char *at = field->words;
    uint32_t length;
    for (const char *word; (word = word_next(&at, &length)) != NULL;) {
        if (!word_is_valid(word, length)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s `%s`: field %s has the word `%s`; words are letters, digits and `_`", what,
                name, field->name, kni_tag_quoted(word, length).text);
        }
        if (word_repeats(field->words, word, length) > 1) {
            return kni_error(error, KN_ERROR_BAD_DATA, "%s `%s`: field %s has the word `%s` twice",
                what, name, field->name, kni_tag_quoted(word, length).text);
        }
    }
    return KN_OK;
}

static bool words_split(kni_memory *memory, kni_words *words, const char *text)
{
    words->count = kn_words_count(text);
    words->text = kni_strdup(memory, text);
    if (words->text == NULL) {
        return false;
    }
    words->split = kni_strdup(memory, text);
    words->names = kni_realloc(memory, NULL, 0, words->count * sizeof(*words->names));
    if (words->split == NULL || words->names == NULL) {
        return false;
    }
    const char *at = words->text;
    uint32_t length;
    for (uint32_t i = 0; i < words->count; i++) {
        size_t begin = (size_t)(word_next(&at, &length) - words->text);
        words->split[begin + length] = 0;
        words->names[i] = words->split + begin;
    }
    return true;
}

void kni_words_free(kni_memory *memory, kni_words *words)
{
    if (words->names != NULL) {
        kni_free(memory, words->names, words->count * sizeof(*words->names));
    }
    if (words->split != NULL) { // zero bytes between its words
        kni_free(memory, words->split, strlen(words->text) + 1);
    }
    kni_strfree(memory, words->text);
}

const kni_words *kni_words_keep(kn_library *library, const char *text)
{
    for (uint32_t i = 0; i < library->words_count; i++) {
        if (strcmp(library->words[i].text, text) == 0) {
            return &library->words[i];
        }
    }
    if (!kni_grow(&library->memory, &library->words, &library->words_capacity,
            library->words_count + 1, sizeof(*library->words))) {
        return NULL;
    }
    kni_words *words = &library->words[library->words_count];
    *words = (kni_words){.first = library->word_total};
    if (!words_split(&library->memory, words, text)) {
        kni_words_free(&library->memory, words);
        return NULL;
    }
    library->words_count++;
    library->word_total += words->count;
    return words;
}

const char *kni_word_name(const kn_library *library, uint32_t number)
{
    for (uint32_t i = 0; i < library->words_count; i++) {
        const kni_words *words = &library->words[i];
        if (number - words->first < words->count) {
            return words->names[number - words->first];
        }
    }
    return "";
}

// Kinds of definitions --------------------------------------------------------

kn_result kni_refers_check(const kn_library *library, const char *what, const char *name,
    const kn_field *field, kn_error *error)
{
    if (field->refers_to == NULL || field->refers_to[0] == 0) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s `%s`: field %s needs `refers_to`: a kind of definition, such as effect", what, name,
            field->name);
    }
    if (kn_kind_find(library, field->refers_to) != KN_DEF_KIND_COUNT) {
        return KN_OK;
    }
    size_t length = strlen(field->refers_to);
    uint32_t limit = length <= KN_TAG_NAME_MAX ? 1 + (uint32_t)length / 5 : 0;
    const char *near = NULL;
    for (uint32_t i = 0; i < KN_DEF_KIND_END && limit > 0; i++) {
        const char *offered = kn_kind_name(library, (kn_def_kind)i);
        uint32_t edits = kni_tag_edits(field->refers_to, length, offered, strlen(offered), limit);
        if (offered[0] != 0 && edits <= limit) {
            near = offered;
            limit = edits > 0 ? edits - 1 : 0;
        }
    }
    return kni_error(error, KN_ERROR_BAD_DATA,
        "%s `%s`: field %s refers to `%s`, which is not a kind of definition%s%s%s", what, name,
        field->name, kni_tag_quoted(field->refers_to, length).text,
        near != NULL ? "; did you mean `" : "", near != NULL ? near : "", near != NULL ? "`?" : "");
}
