/* The same file, seed and results give the same points, bit for bit: those
 * that were recorded once, after any number of restarts, and with sixteen
 * studies at the same time.
 *
 * An algorithm that finds better points finds other ones, and its recording in
 * tests/algorithms/data is made anew (its first line, the study, stays):
 *
 *     test_algorithms_replay record FILE... */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <cblas.h>
#include <gnu/libc-version.h>
#include <gsl/gsl_version.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "algorithms/encode.h"
#include "base/mem.h"
#include "tests/algorithms/recording.h"
#include "tests/lib/suite.h"

enum { THREADS = 16, AT_ONCE = 3 };

static const char *const names[] = {"bayesian", "conditional", "noisy",
                                    "tpe",      "cma-es",      "quasi-random",
                                    "random",   "grid"};
enum { RECORDINGS = sizeof names / sizeof *names };

/* What the last bits of a point hang on. */
static char *made_with(void)
{
    return mem_format("%s, glibc %s, gsl %s", openblas_get_config(),
                      gnu_get_libc_version(), gsl_version);
}

static void load(struct recording *r, const char *name)
{
    const char *source = getenv("HYPERTUNE_SOURCE");
    char *path = mem_format("%s/tests/algorithms/data/%s.jsonl",
                            source ? source : ".", name);

    recording_read(r, path, false);
    ck_assert_uint_gt(r->n, 9);
    free(path);
}

/* ---- asking again ---- */

/* What came for one ask. */
struct reply {
    int rc;
    enum algorithm_answer answer;
    struct suggestion suggestion;
};

/* Replies to every ask of a recording. */
struct replies {
    struct reply *items; /* for each of its trials */
    size_t n;
};

static void replies_clear(struct replies *p)
{
    for (size_t i = 0; i < p->n; i++)
        point_clear(&p->items[i].suggestion.point);
    free(p->items);
    *p = (struct replies){.items = NULL};
}

/* Opens the algorithm and tells it what had ended by event k. Asserts nothing,
 * for it may run in any thread; NULL if it did not open. */
static void *state_at(const struct recording *r,
                      const struct algorithm_type *type, size_t k)
{
    void *state = mem_new(1, type->state_size);
    struct err e;

    if (type->open(state, &r->study, &e) < 0) {
        free(state);
        return NULL;
    }
    for (size_t j = 0; j < k; j++)
        if (!r->events[j].ask)
            type->tell(state, &r->trials[r->events[j].i].trial);
    return state;
}

static void ask_at(const struct recording *r, const struct algorithm_type *type,
                   const void *state, size_t k, struct reply *out)
{
    struct trial *running = mem_new(r->n, sizeof *running);
    const struct trial **list = mem_new(r->n, sizeof *list);
    size_t n = recording_running(r, k, running);
    struct err e;

    for (size_t i = 0; i < n; i++)
        list[i] = &running[i];
    point_init(&out->suggestion.point, &r->study.space);
    out->rc = type->ask(state, (int64_t)r->events[k].i + 1, list, n,
                        &out->suggestion, &out->answer, &e);
    free(list);
    free(running);
}

/* Goes through all events; with `restarts`, from scratch at each ask. */
static void replay(const struct recording *r, bool restarts,
                   struct replies *out)
{
    const struct algorithm_type *type = algorithms_find(r->study.algorithm);
    void *state = state_at(r, type, 0);

    *out = (struct replies){.items = mem_new(r->n, sizeof *out->items)};
    for (size_t k = 0; state && k < r->n_events; k++) {
        const struct event *event = &r->events[k];

        if (!event->ask) {
            type->tell(state, &r->trials[event->i].trial);
            continue;
        }
        if (restarts) {
            type->close(state);
            free(state);
            state = state_at(r, type, k);
        }
        ask_at(r, type, state, k, &out->items[event->i]);
        out->n++;
    }
    if (state)
        type->close(state);
    free(state);
}

/* Whether all values are, bit for bit; values that do not exist mean
 * nothing. */
static bool same_bits(const struct point *a, const struct point *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->values[i].active != b->values[i].active ||
            (a->values[i].active &&
             memcmp(&a->values[i].whole, &b->values[i].whole,
                    sizeof a->values[i].whole) != 0))
            return false;
    return true;
}

static bool same_reply(const struct reply *a, const struct reply *b)
{
    const struct suggestion *x = &a->suggestion, *y = &b->suggestion;

    return a->rc == b->rc && a->answer == b->answer &&
           same_bits(&x->point, &y->point) &&
           strcmp(x->source, y->source) == 0 && x->foreseen == y->foreseen &&
           x->mean == y->mean && x->improvement == y->improvement;
}

/* The first trial for which they differ; n if none. */
static size_t first_other(const struct replies *a, const struct replies *b)
{
    size_t i = 0;

    while (i < a->n && i < b->n && same_reply(&a->items[i], &b->items[i]))
        i++;
    return i;
}

/* ---- the promises ---- */

static bool exact(const char *source)
{
    static const char *const sources[] = {"sobol", "random", "grid"};

    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(sources[i], source) == 0)
            return true;
    return false;
}

START_TEST(a_recorded_study_is_replayed)
{
    struct recording r;
    struct replies now;
    char *here = made_with();
    bool same = false;

    load(&r, names[_i]);
    same = strcmp(here, r.made) == 0;
    if (!same)
        printf("%s was recorded with %s, and here is %s: points that come out "
               "of a model may differ in their last bits and are only "
               "checked to lie in the space\n",
               names[_i], r.made, here);
    replay(&r, false, &now);
    ck_assert_uint_eq(now.n, r.n);
    for (size_t i = 0; i < r.n; i++) {
        const struct reply *got = &now.items[i];

        ck_assert_int_eq(got->rc, 0);
        ck_assert_int_eq(got->answer, ALGORITHM_POINT);
        ck_assert(point_in(&got->suggestion.point, &r.study.space));
        if (!same && !exact(r.trials[i].source))
            continue;
        ck_assert_msg(
            same_bits(&got->suggestion.point, &r.trials[i].trial.point),
            "%s: trial %zu is another than the recorded one; if the algorithm "
            "was changed on purpose, record it again (see this file's head)",
            names[_i], i + 1);
        ck_assert_str_eq(got->suggestion.source, r.trials[i].source);
    }
    replies_clear(&now);
    recording_clear(&r);
    free(here);
}
END_TEST

START_TEST(a_restart_before_each_question_changes_nothing)
{
    struct recording r;
    struct replies straight, restarted;

    load(&r, names[_i]);
    replay(&r, false, &straight);
    replay(&r, true, &restarted);
    ck_assert_uint_eq(straight.n, r.n);
    ck_assert_uint_eq(restarted.n, r.n);
    ck_assert_msg(first_other(&straight, &restarted) == r.n, "%s: trial %zu",
                  names[_i], first_other(&straight, &restarted) + 1);
    replies_clear(&straight);
    replies_clear(&restarted);
    recording_clear(&r);
}
END_TEST

struct part {
    const struct recording *r;
    struct replies replies;
    pthread_t thread;
};

static void *part_run(void *ctx)
{
    struct part *p = ctx;

    replay(p->r, false, &p->replies);
    return NULL;
}

START_TEST(sixteen_studies_at_once_go_as_one_alone)
{
    struct recording r;
    struct replies alone;
    struct part parts[THREADS];

    load(&r, names[_i]);
    replay(&r, false, &alone);
    for (size_t t = 0; t < THREADS; t++) {
        parts[t] = (struct part){.r = &r};
        ck_assert_int_eq(
            pthread_create(&parts[t].thread, NULL, part_run, &parts[t]), 0);
    }
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(parts[t].thread, NULL);
        ck_assert_uint_eq(parts[t].replies.n, r.n);
        ck_assert_msg(first_other(&alone, &parts[t].replies) == r.n,
                      "%s: trial %zu", names[_i],
                      first_other(&alone, &parts[t].replies) + 1);
        replies_clear(&parts[t].replies);
    }
    replies_clear(&alone);
    recording_clear(&r);
}
END_TEST

/* ---- recording ---- */

/* A bowl in the features, where what does not exist counts as it is. */
static double bowl(const struct encode *e, const struct point *p)
{
    double *row = mem_new(e->n, sizeof *row), sum = 0;

    encode_row(e, p, row);
    for (size_t i = 0; i < e->n; i++)
        sum += (row[i] - 0.3) * (row[i] - 0.3);
    free(row);
    return sum;
}

/* Ends one of the running trials, by chance which, some without value. */
static size_t end_one(struct recording *r, void *state,
                      const struct algorithm_type *type, struct draw *chance,
                      const struct encode *e)
{
    struct trial *running = mem_new(r->n, sizeof *running);
    size_t n = recording_running(r, r->n_events, running);
    size_t i = (size_t)running[draw_below(chance, n)].number - 1;
    double value = bowl(e, &r->trials[i].trial.point) +
                   (r->study.noisy ? 0.05 * draw_normal(chance) : 0);

    free(running);
    if (i % 9 == 4 || i % 13 == 7)
        recording_tell(r, i, i % 9 == 4 ? TRIAL_INFEASIBLE : TRIAL_FAILED,
                       NULL);
    else
        recording_tell(r, i, i % 8 == 5 ? TRIAL_STOPPED : TRIAL_SUCCEEDED,
                       &value);
    type->tell(state, &r->trials[i].trial);
    return n - 1;
}

static void make(struct recording *r)
{
    const struct algorithm_type *type = algorithms_find(r->study.algorithm);
    void *state = state_at(r, type, 0);
    size_t running = 0;
    struct encode e;
    struct draw chance;

    ck_assert_ptr_nonnull(state);
    encode_init(&e, &r->study.space);
    draw_init(&chance, r->study.seed, DRAW_RANDOM, UINT64_MAX);
    while ((int64_t)r->n < r->study.trials) {
        struct trial *list = mem_new(r->n, sizeof *list);
        const struct trial **at = mem_new(r->n, sizeof *at);
        size_t n = recording_running(r, r->n_events, list);
        struct reply got = {.rc = 0};
        struct err err;

        for (size_t i = 0; i < n; i++)
            at[i] = &list[i];
        point_init(&got.suggestion.point, &r->study.space);
        got.rc = type->ask(state, (int64_t)r->n + 1, at, n, &got.suggestion,
                           &got.answer, &err);
        ck_assert(got.rc == 0 && got.answer == ALGORITHM_POINT);
        recording_ask(r, &got.suggestion);
        free(list);
        free(at);
        for (running++; running > draw_below(&chance, AT_ONCE);)
            running = end_one(r, state, type, &chance, &e);
    }
    encode_clear(&e);
    type->close(state);
    free(state);
}

static char **to_record; /* paths, ending with NULL */

START_TEST(recordings_are_made)
{
    for (char **path = to_record; *path; path++) {
        struct recording r;
        FILE *out = NULL;

        recording_read(&r, *path, true);
        r.made = made_with();
        make(&r);
        out = fopen(*path, "we");
        ck_assert_ptr_nonnull(out);
        recording_write(&r, out);
        ck_assert_int_eq(fclose(out), 0);
        recording_clear(&r);
    }
}
END_TEST

/* OpenBLAS chooses its kernels by the processor as it is loaded. One choice
 * for all that have it, so that recordings hold on many machines. */
static void begin_again(char **argv)
{
#ifdef __x86_64__
    if (getenv("OPENBLAS_CORETYPE") || !__builtin_cpu_supports("avx2") ||
        !__builtin_cpu_supports("fma"))
        return;
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    execv("/proc/self/exe", argv);
#else
    (void)argv;
#endif
}

int main(int argc, char **argv)
{
    Suite *suite = suite_create("algorithms/replay");
    TCase *c = tcase_create("all");
    SRunner *runner = NULL;
    int failed = 0;

    begin_again(argv);
    algorithms_init();
    tcase_set_timeout(c, 240);
    if (argc > 2 && strcmp(argv[1], "record") == 0) {
        to_record = argv + 2;
        tcase_add_test(c, recordings_are_made);
    } else {
        tcase_add_loop_test(c, a_recorded_study_is_replayed, 0, RECORDINGS);
        tcase_add_loop_test(c, a_restart_before_each_question_changes_nothing,
                            0, RECORDINGS);
        tcase_add_loop_test(c, sixteen_studies_at_once_go_as_one_alone, 0,
                            RECORDINGS);
    }
    suite_add_tcase(suite, c);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
