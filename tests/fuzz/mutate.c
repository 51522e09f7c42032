/* A driver for fuzz targets where no libFuzzer is: mutates examples, always in
 * the same way, and hands them over.
 *
 *     fuzz_decoder --runs 6000 [FILE…]     that many inputs
 *     fuzz_decoder --seconds 60 [--seed N] [FILE…]
 *     fuzz_decoder --one FILE              an input that was kept
 *
 * The input under way is kept in ./fuzz-last when the program is ended by a
 * signal. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/number.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_BYTES = 1 << 16, MOST_SEEDS = 256, MOST_CHANGES = 6 };

struct bytes {
    uint8_t *data;
    size_t n;
};

static struct bytes seeds[MOST_SEEDS];
static size_t n_seeds, n_words;
static uint64_t chance = UINT64_C(0x9e3779b97f4a7c15);
static struct bytes last; /* the input under way */

static uint64_t draw(void)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance;
}

static size_t below(size_t n)
{
    return n ? (size_t)(draw() % n) : 0;
}

/* ---- examples ---- */

static void add_seed(const void *data, size_t n)
{
    if (n_seeds == MOST_SEEDS || n > MOST_BYTES)
        return;
    seeds[n_seeds].data = mem_new(n + 1, 1);
    memcpy(seeds[n_seeds].data, data, n);
    seeds[n_seeds++].n = n;
}

static struct bytes read_file(const char *path)
{
    struct bytes out = {mem_new(MOST_BYTES, 1), 0};
    FILE *f = fopen(path, "re");

    if (!f) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    out.n = fread(out.data, 1, MOST_BYTES, f);
    fclose(f);
    return out;
}

/* ---- changes ---- */

/* Puts n bytes at `at`, in place of `less` of those that are there. */
static void put(struct bytes *b, size_t at, size_t less, const void *data,
                size_t n)
{
    if (b->n - less + n > MOST_BYTES)
        return;
    memmove(b->data + at + n, b->data + at + less, b->n - at - less);
    memcpy(b->data + at, data, n);
    b->n += n - less;
}

static void change_byte(struct bytes *b)
{
    static const uint8_t odd[] = {0,   1,    9,    10,   13,   ' ', '"', '\'',
                                  '{', '[',  ':',  ',',  '%',  '&', '*', '-',
                                  '#', '\\', 0x7f, 0x80, 0xc3, 0xff};

    if (b->n == 0)
        return;
    b->data[below(b->n)] =
        below(2) ? odd[below(sizeof odd)] : (uint8_t)below(256);
}

static void drop_piece(struct bytes *b)
{
    size_t at = below(b->n);

    put(b, at, below(b->n - at < 64 ? b->n - at : 64), "", 0);
}

static void double_piece(struct bytes *b)
{
    uint8_t piece[256];
    size_t at = below(b->n);
    size_t n = below(b->n - at < sizeof piece ? b->n - at : sizeof piece);

    memcpy(piece, b->data + at, n);
    for (size_t times = 1 + below(8); times > 0; times--)
        put(b, at, 0, piece, n);
}

static void add_word(struct bytes *b)
{
    const char *word = fuzz_words[below(n_words)];
    size_t at = below(b->n + 1);

    put(b, at, below(3) ? 0 : below(b->n - at < 16 ? b->n - at : 16), word,
        strlen(word));
}

static void take_over(struct bytes *b)
{
    const struct bytes *other = &seeds[below(n_seeds)];
    size_t from = below(other->n);
    size_t n = below(other->n - from + 1);

    put(b, below(b->n + 1), 0, other->data + from, n);
}

static void cut(struct bytes *b)
{
    b->n = below(b->n + 1);
}

static void mutate(struct bytes *b)
{
    static void (*const changes[])(struct bytes * b) = {
        change_byte, change_byte, drop_piece, double_piece,
        add_word,    add_word,    take_over,  cut};
    const struct bytes *seed = &seeds[below(n_seeds)];

    memcpy(b->data, seed->data, seed->n);
    b->n = seed->n;
    for (size_t n = below(MOST_CHANGES); n > 0; n--)
        changes[below(n > 1 ? 7 : 8)](b);
}

/* ---- running ---- */

static void keep_last(int signal_number)
{
    int fd = open("fuzz-last", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd >= 0 && write(fd, last.data, last.n) >= 0)
        close(fd);
    raise(signal_number);
}

static void watch_signals(void)
{
    static const int ends[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM};
    const struct sigaction act = {.sa_handler = keep_last,
                                  .sa_flags = (int)SA_RESETHAND | SA_NODEFER};

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigaction(ends[i], &act, NULL);
}

/* The target gets a copy of just that size: reading past it is seen. */
static void run(const struct bytes *b)
{
    struct bytes copy = {malloc(b->n ? b->n : 1), b->n};

    if (!copy.data)
        exit(2);
    memcpy(copy.data, b->data, b->n);
    last = copy;
    alarm(20); /* no input takes so long */
    LLVMFuzzerTestOneInput(copy.data, copy.n);
    free(copy.data);
}

struct wish {
    int64_t runs, seconds, seed;
    const char *one;
};

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s --runs N | --seconds N | --one FILE [--seed N] "
            "[FILE...]\n",
            program);
    exit(2);
}

/* Returns the index of the first FILE. */
static int read_wish(int argc, char **argv, struct wish *w)
{
    const struct {
        const char *name;
        int64_t *value;
    } numbers[] = {
        {"--runs", &w->runs}, {"--seconds", &w->seconds}, {"--seed", &w->seed}};
    int i = 1;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        bool known = strcmp(argv[i], "--one") == 0;

        if (i + 1 == argc)
            usage(argv[0]);
        if (known)
            w->one = argv[i + 1];
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
            if (strcmp(argv[i], numbers[n].name) == 0)
                known = number_read_int(argv[i + 1], numbers[n].value) &&
                        *numbers[n].value > 0;
        if (!known)
            usage(argv[0]);
    }
    return i;
}

static int64_t run_all(const struct wish *w)
{
    int64_t end = clock_steady_ms(&clock_real) + w->seconds * 1000, n = 0;
    struct bytes b = {mem_new(MOST_BYTES, 1), 0};

    for (size_t i = 0; i < n_seeds; i++)
        run(&seeds[i]);
    while (w->seconds ? clock_steady_ms(&clock_real) < end : n < w->runs) {
        mutate(&b);
        run(&b);
        n++;
    }
    free(b.data);
    return n;
}

int main(int argc, char **argv)
{
    struct wish w = {.runs = 1000};
    struct bytes b;
    int i = read_wish(argc, argv, &w);

    watch_signals();
    if (w.one) {
        b = read_file(w.one);
        run(&b);
        free(b.data);
        return 0;
    }
    chance ^= (uint64_t)w.seed * UINT64_C(0x2545f4914f6cdd1d);
    while (fuzz_words[n_words])
        n_words++;
    for (size_t s = 0; fuzz_seeds[s]; s++)
        add_seed(fuzz_seeds[s], strlen(fuzz_seeds[s]));
    for (; i < argc; i++) {
        b = read_file(argv[i]);
        add_seed(b.data, b.n);
        free(b.data);
    }
    printf("%lld inputs from %zu examples\n", (long long)run_all(&w), n_seeds);
    for (size_t s = 0; s < n_seeds; s++)
        free(seeds[s].data);
    return 0;
}
