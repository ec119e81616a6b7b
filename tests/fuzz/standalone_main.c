// SPDX-License-Identifier: MIT

// Runs a fuzz target without libFuzzer: every file of its corpus, then inputs from a fixed seed.
// Those are random bytes or, every other time, a corpus file with a few bytes changed.
// usage: fuzz_x CORPUS_DIRECTORY COUNT MAX_LENGTH

#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    uint8_t *data;
    size_t size;
} input;

typedef struct corpus {
    input *inputs;
    size_t count;
} corpus;

static void *allocate(size_t size)
{
    void *block = malloc(size > 0 ? size : 1);
    if (block == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return block;
}

// SplitMix64: small, and the same everywhere.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static input read_input(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    long size = ftell(file);
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    input result = {allocate((size_t)size), (size_t)size};
    if (fread(result.data, 1, result.size, file) != result.size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    return result;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// A target may have no corpus yet: a missing directory is an empty one.
static corpus read_corpus(const char *directory)
{
    corpus result = {0};
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_visible, alphasort);
    if (count <= 0) {
        free(entries);
        return result;
    }
    result.inputs = allocate((size_t)count * sizeof *result.inputs);
    result.count = (size_t)count;
    for (size_t i = 0; i < result.count; i++) {
        size_t length = strlen(directory) + strlen(entries[i]->d_name) + 2;
        char *path = allocate(length);
        (void)snprintf(path, length, "%s/%s", directory, entries[i]->d_name);
        result.inputs[i] = read_input(path);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return result;
}

// Each input gets a block of exactly its size, so that a sanitizer sees the first byte too far.
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = allocate(size);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_random(uint64_t *state, size_t max_length, uint8_t *buffer)
{
    size_t size = (size_t)(next_random(state) % (max_length + 1));
    for (size_t i = 0; i < size; i++) {
        buffer[i] = (uint8_t)next_random(state);
    }
    run(buffer, size);
}

static void run_mutated(uint64_t *state, const corpus *files)
{
    const input *origin = &files->inputs[next_random(state) % files->count];
    uint8_t *data = allocate(origin->size);
    size_t size = origin->size;
    if (size > 0) {
        memcpy(data, origin->data, size);
        for (uint64_t changes = 1 + next_random(state) % 4; changes > 0; changes--) {
            data[next_random(state) % size] = (uint8_t)next_random(state);
        }
        if (next_random(state) % 4 == 0) {
            size = (size_t)(next_random(state) % size);
        }
    }
    run(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s CORPUS_DIRECTORY COUNT MAX_LENGTH\n", argv[0]);
        return 2;
    }
    unsigned long count = strtoul(argv[2], NULL, 10);
    size_t max_length = (size_t)strtoul(argv[3], NULL, 10);

    corpus files = read_corpus(argv[1]);
    for (size_t i = 0; i < files.count; i++) {
        run(files.inputs[i].data, files.inputs[i].size);
    }

    uint64_t state = 1;
    uint8_t *buffer = allocate(max_length);
    for (unsigned long i = 0; i < count; i++) {
        if (files.count > 0 && i % 2 == 1) {
            run_mutated(&state, &files);
        } else {
            run_random(&state, max_length, buffer);
        }
    }
    free(buffer);

    printf("%zu corpus files, %lu generated inputs\n", files.count, count);
    for (size_t i = 0; i < files.count; i++) {
        free(files.inputs[i].data);
    }
    free(files.inputs);
    return 0;
}
