/* What a study of 100,000 trials costs to look at and to go on with.
 *
 *     bench_store [FILE [TRIALS]]
 *
 * Fills FILE (made anew; default ./bench-store.db) and prints the median and
 * the worst of many calls beside the limit that we set the median, all in
 * microseconds. Compare `commit` with what the disk needs for one fsync:
 * nothing else is waited for. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "store/store.h"

enum { ROUNDS = 200, BATCH = 1000, REPORTS = 3 };

static struct store *store;
static int64_t study, trials = 100000;
static uint64_t chance = 1;

static void must(int rc, const struct err *e)
{
    if (!rc)
        return;
    fprintf(stderr, "bench_store: %s\n", e->text);
    exit(1);
}

static double draw(void)
{
    chance = chance * 6364136223846793005U + 1442695040888963407U;
    return (double)(chance >> 11) / 9007199254740992.0;
}

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* ---- a study of everyday shape ---- */

static void move(int64_t number, enum trial_state from, enum trial_state to)
{
    const struct trial_change c = {.study_id = study,
                                   .number = number,
                                   .from = from,
                                   .to = to,
                                   .detail = "",
                                   .attempt = 1,
                                   .has_value = true,
                                   .value = draw(),
                                   .now_ms = 1700000000000 + number};
    struct err e;

    must(store_trial_move(store, &c, &e), &e);
}

static void tell(const char *kind)
{
    const struct event_row row = {
        .study_id = study,
        .time_ms = 1700000000000,
        .kind = kind,
        .body = "{\"number\": 12345, \"from\": \"RUNNING\", \"to\": "
                "\"SUCCEEDED\", \"reason\": \"value\", \"params\": "
                "{\"learning_rate\": 0.0123, \"hidden\": 64}}"};
    struct err e;
    int64_t id;

    must(store_event_add(store, &row, &id, &e), &e);
}

static void report(int64_t number)
{
    struct report_row row = {.study_id = study,
                             .number = number,
                             .attempt = 1,
                             .metric = "accuracy",
                             .time_ms = 1700000000000};
    struct err e;

    for (row.ordinal = 0; row.ordinal < REPORTS; row.ordinal++) {
        row.value = draw();
        must(store_report_add(store, &row, &e), &e);
    }
}

/* From chosen to ended; one in a hundred fails. */
static void live(void)
{
    const struct trial_row row = {
        .study_id = study,
        .point = "{\"learning_rate\": 0.012345678901234567, \"hidden\": 64, "
                 "\"momentum\": 0.91234567890123456, \"optimizer\": \"adam\"}",
        .source = "random",
        .created_ms = 1700000000000};
    struct err e;
    int64_t number;

    must(store_trial_add(store, &row, &number, &e), &e);
    move(number, TRIAL_PENDING, TRIAL_LAUNCHING);
    must(store_attempt_add(store, study, number, 1, 5, &e), &e);
    move(number, TRIAL_LAUNCHING, TRIAL_RUNNING);
    report(number);
    must(store_attempt_marks(store, study, number, 1, "reports:345", 3, &e),
         &e);
    must(store_attempt_end(store, study, number, 1, "exit 0", 9, &e), &e);
    move(number, TRIAL_RUNNING, number % 100 ? TRIAL_SUCCEEDED : TRIAL_FAILED);
    tell("trial");
}

static void fill(void)
{
    const struct study_row row = {.name = "bench",
                                  .spec = "{}",
                                  .source = "",
                                  .base_dir = "/",
                                  .maximize = true};
    double begun = now_us();
    struct err e;

    must(store_begin(store, &e), &e);
    must(store_study_add(store, &row, &study, &e), &e);
    for (int64_t i = 1; i <= trials; i++) {
        live();
        if (i % BATCH)
            continue;
        must(store_commit(store, &e), &e);
        must(store_begin(store, &e), &e);
    }
    must(store_commit(store, &e), &e);
    printf("filled with %lld trials: %.1f us a trial (add, 3 moves, attempt, "
           "%d reports, event)\n",
           (long long)trials, (now_us() - begun) / (double)trials, REPORTS);
}

/* ---- what is timed ---- */

static bool see_study(void *ctx, const struct study_row *row)
{
    *(int64_t *)ctx += row->next_number;
    return true;
}

static bool see_trial(void *ctx, const struct trial_row *row)
{
    *(int64_t *)ctx += row->number;
    return true;
}

static bool see_event(void *ctx, const struct event_row *row)
{
    *(int64_t *)ctx += row->id;
    return true;
}

static int64_t seen;

static void get_study(void)
{
    struct err e;

    must(store_study_get(store, study, see_study, &seen, &e), &e);
}

static void get_best(void)
{
    struct err e;

    must(store_trial_best(store, study, 10, see_trial, &seen, &e), &e);
}

static void list(const struct trial_filter *f)
{
    struct err e;

    must(store_trial_list(store, study, f, see_trial, &seen, &e), &e);
}

static void list_page(void)
{
    list(&(struct trial_filter){.after = trials / 2, .limit = 100});
}

static void list_changed(void)
{
    list(&(struct trial_filter){.changed_after = trials * 4 - 100});
}

static void list_failed(void)
{
    list(&(struct trial_filter){.states = 1U << TRIAL_FAILED, .limit = 100});
}

static void list_live(void)
{
    list(&(struct trial_filter){
        .states = 1U << TRIAL_PENDING | 1U << TRIAL_LAUNCHING |
                  1U << TRIAL_RUNNING | 1U << TRIAL_STOPPING});
}

static void list_events(void)
{
    struct err e;

    must(
        store_event_list(store, study, trials - 100, 100, see_event, &seen, &e),
        &e);
}

static void add_event(void)
{
    struct err e;

    must(store_begin(store, &e), &e);
    tell("warning");
}

static void live_once(void)
{
    struct err e;

    must(store_begin(store, &e), &e);
    live();
}

static void live_and_commit(void)
{
    struct err e;

    live_once();
    must(store_commit(store, &e), &e);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(const char *what, void (*call)(void), double limit)
{
    double us[ROUNDS];
    struct err e;

    for (int i = 0; i < ROUNDS; i++) {
        double begun = now_us();

        call();
        us[i] = now_us() - begun;
    }
    must(store_commit(store, &e), &e);
    qsort(us, ROUNDS, sizeof us[0], by_size);
    printf("%-24s %10.1f %10.1f %10.0f%s\n", what, us[ROUNDS / 2],
           us[ROUNDS - 1], limit, us[ROUNDS / 2] > limit ? "  over" : "");
}

static void measure_all(void)
{
    static const struct {
        const char *what;
        void (*call)(void);
        double limit;
    } rows[] = {
        {"study and its counts", get_study, 100},
        {"ten best trials", get_best, 1000},
        {"page of 100 trials", list_page, 2000},
        {"100 trials changed last", list_changed, 2000},
        {"100 FAILED trials", list_failed, 2000},
        {"all that live (none)", list_live, 1000},
        {"page of 100 events", list_events, 2000},
        {"one event, trimmed", add_event, 100},
        {"one trial, whole life", live_once, 1000},
        {"the same and commit", live_and_commit, 20000},
    };

    printf("%-24s %10s %10s %10s\n", "microseconds", "median", "worst",
           "limit");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        measure(rows[i].what, rows[i].call, rows[i].limit);
}

static void remove_all(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm"};

    for (size_t i = 0; i < 3; i++) {
        char *name = mem_format("%s%s", path, endings[i]);

        unlink(name);
        free(name);
    }
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "./bench-store.db";
    double begun;
    struct err e;

    if (argc > 2 && (!number_read_int(argv[2], &trials) || trials < 1000)) {
        fprintf(stderr, "bench_store: TRIALS is a number from 1000\n");
        return 2;
    }
    if (!access(path, F_OK)) {
        fprintf(stderr, "bench_store: %s is there already\n", path);
        return 2;
    }
    must(store_open(&store, path, &e), &e);
    fill();
    measure_all();
    begun = now_us();
    must(store_begin(store, &e), &e);
    must(store_study_delete(store, study, &e), &e);
    must(store_commit(store, &e), &e);
    printf("deleting the study: %.0f ms\n", (now_us() - begun) / 1e3);
    store_close(store);
    remove_all(path);
    return seen ? 0 : 1;
}
