/* What trials have of this machine. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/hold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

enum {
    FRESH_MS = 2000,  /* what was seen of the GPUs is true so long */
    ANSWER_MS = 2000, /* a look that takes longer is not waited for */
    AGAIN_MS = 5000   /* the next look while somebody waits */
};

/* Sums of fractions of processors are not exact. */
#define HAIR 1e-6

/* Of all replicas; more than can be counted is without end. */
static void add_memory(int64_t *sum, int64_t replicas, int64_t each)
{
    int64_t all;

    if (__builtin_mul_overflow(replicas, each, &all) ||
        __builtin_add_overflow(*sum, all, sum))
        *sum = INT64_MAX;
}

struct hold_needs hold_needs(const struct study *s)
{
    struct hold_needs sum = {0};

    for (int r = 0; r < STUDY_ROLES; r++) {
        const struct study_task *task = &s->job.tasks[r];

        sum.gpus += task->replicas * task->gpus;
        sum.cpus += task->replicas * task->cpus;
        add_memory(&sum.memory, task->replicas, task->memory);
    }
    return sum;
}

bool hold_is_here(const struct study *s)
{
    const char *launcher = s->job.launcher;

    return strcmp(launcher, "local") == 0 || strcmp(launcher, "container") == 0;
}

/* What there is in all; what is not known is without end. */
static struct hold_needs machine(const struct board *b)
{
    const struct engine_parts *p = &b->parts;

    return (struct hold_needs){.gpus = p->gpus ? (int)p->gpus->n : 0,
                               .cpus = p->processors > 0 ? p->processors : 1,
                               .memory = p->memory > 0 ? p->memory : INT64_MAX};
}

static bool fits(const struct hold_needs *needs, const struct hold_needs *free_)
{
    return needs->gpus <= free_->gpus &&
           (needs->cpus <= 0 || needs->cpus <= free_->cpus + HAIR) &&
           (needs->memory <= 0 || needs->memory <= free_->memory);
}

static void subtract(struct hold_needs *from, const struct hold_needs *n)
{
    from->gpus -= n->gpus;
    from->cpus -= n->cpus;
    from->memory -= n->memory;
}

static void print_memory(int64_t bytes, char *out, size_t size)
{
    if (bytes >= 1 << 30)
        snprintf(out, size, "%.4g GiB", (double)bytes / (1 << 30));
    else
        snprintf(out, size, "%.4g MiB", (double)bytes / (1 << 20));
}

int hold_check(const struct board *b, const struct study *s, struct err *e)
{
    struct hold_needs needs = hold_needs(s), all = machine(b);
    char asked[NUMBER_TEXT], there[NUMBER_TEXT];

    if (!study_launches(s) || !hold_is_here(s) || fits(&needs, &all))
        return 0;
    if (needs.gpus > all.gpus)
        return err_set(e, ERR_INVALID,
                       "gpus: a trial needs %d, this machine has %d (see "
                       "--gpus of hypertuned)",
                       needs.gpus, all.gpus);
    if (needs.cpus > all.cpus + HAIR)
        return err_set(e, ERR_INVALID,
                       "cpus: a trial needs %s, this machine has %s (see "
                       "--processors of hypertuned)",
                       number_print(needs.cpus, asked),
                       number_print(all.cpus, there));
    print_memory(needs.memory, asked, sizeof asked);
    print_memory(all.memory, there, sizeof there);
    return err_set(e, ERR_INVALID,
                   "memory: a trial needs %s, this machine has %s (see "
                   "--memory of hypertuned)",
                   asked, there);
}

/* ---- what is free ---- */

static bool holds(const struct live_trial *t)
{
    return t->trial.state != TRIAL_PENDING && board_launches(t->study) &&
           hold_is_here(&t->study->study);
}

/* The next trial that holds something after `t` (NULL: the first). */
static struct live_trial *next_holder(const struct board *b,
                                      const struct live_trial *t)
{
    struct live_study *s = t ? t->study : b->studies;
    struct live_trial *at = t ? t->next : s ? s->trials : NULL;

    for (; s; s = s->next, at = s ? s->trials : NULL) {
        if (!at || !board_launches(s) || !hold_is_here(&s->study))
            continue;
        for (; at; at = at->next)
            if (holds(at))
                return at;
    }
    return NULL;
}

/* Whether the list has that word. */
static bool lists(const char *list, const char *id)
{
    size_t n = strlen(id);

    for (const char *at = list; at && *at; at += *at == ',') {
        size_t len = strcspn(at, ",");

        if (len == n && strncmp(at, id, n) == 0)
            return true;
        at += len;
    }
    return false;
}

static const struct live_trial *holder_of(const struct board *b, const char *id)
{
    for (struct live_trial *t = next_holder(b, NULL); t; t = next_holder(b, t))
        if (t->gpus && lists(t->gpus, id))
            return t;
    return NULL;
}

static bool is_ours(const struct board *b, const char *id)
{
    return holder_of(b, id) || lists(b->kept_gpus, id);
}

/* Most of its memory is taken, and was when no trial had it. */
static bool is_used(const struct board *b, const struct gpu *g)
{
    return b->parts.look && b->parts.gpus->looked > b->gpus_freed &&
           g->used > g->memory / 2 && !is_ours(b, g->id);
}

static bool is_free(const struct board *b, const struct gpu *g)
{
    return !is_ours(b, g->id) && !is_used(b, g);
}

static int free_gpus(const struct board *b)
{
    int n = 0;

    for (size_t i = 0; b->parts.gpus && i < b->parts.gpus->n; i++)
        n += is_free(b, &b->parts.gpus->items[i]);
    return n;
}

static struct hold_needs what_is_free(const struct board *b)
{
    struct hold_needs left = machine(b);

    for (struct live_trial *t = next_holder(b, NULL); t;
         t = next_holder(b, t)) {
        struct hold_needs has = hold_needs(&t->study->study);

        subtract(&left, &has);
    }
    left.gpus = free_gpus(b);
    return left;
}

/* ---- who comes first ---- */

/* A study that has nothing left but trials that must be alone. */
static const struct live_study *machine_wanted(const struct board *b)
{
    for (const struct live_study *s = b->studies; s; s = s->next)
        if (s->wants_machine && s->state == STUDY_ACTIVE)
            return s;
    return NULL;
}

static const struct live_trial *loner(const struct board *b)
{
    const struct live_trial *t = next_holder(b, NULL);

    while (t && !t->alone)
        t = next_holder(b, t);
    return t;
}

static bool waits(const struct board *b, const struct live_trial *t)
{
    return t->since && t->trial.state == TRIAL_PENDING && !t->alone &&
           t->study->state == STUDY_ACTIVE && t->not_before <= board_steady(b);
}

static bool comes_before(const struct live_trial *a, const struct live_trial *t,
                         int64_t since)
{
    if (a->since != since)
        return a->since < since;
    if (a->study != t->study)
        return a->study->id < t->study->id;
    return a->trial.number < t->trial.number;
}

/* The one that waits and comes next after `last`, before t. */
static struct live_trial *next_waiter(const struct board *b,
                                      const struct live_trial *last,
                                      const struct live_trial *t, int64_t since)
{
    struct live_trial *best = NULL;

    for (struct live_study *s = b->studies; s; s = s->next)
        for (struct live_trial *w = s->is_short ? s->trials : NULL; w;
             w = w->next)
            if (w != t && waits(b, w) && comes_before(w, t, since) &&
                (!last || comes_before(last, w, w->since)) &&
                (!best || comes_before(w, best, best->since)))
                best = w;
    return best;
}

static void keep_for(struct hold_needs *left, const struct hold_needs *needs)
{
    subtract(left, needs);
    if (left->gpus < 0)
        left->gpus = 0;
    if (left->cpus < 0)
        left->cpus = 0;
    if (left->memory < 0)
        left->memory = 0;
}

/* Takes off *left what is not t's to take; gives the one who comes before it,
 * if there is one. */
static struct live_trial *who_comes_first(const struct board *b,
                                          const struct live_trial *t,
                                          int64_t since,
                                          struct hold_needs *left)
{
    struct hold_needs all = machine(b);
    int64_t now = board_steady(b);
    struct live_trial *w = NULL;

    while ((w = next_waiter(b, w, t, since))) {
        struct hold_needs needs = hold_needs(&w->study->study);

        if (!fits(&needs, &all))
            continue; /* the machine has become smaller: it waits in vain */
        if (fits(&needs, left))
            return w;
        if (now - w->since >= HOLD_PASS_MS)
            keep_for(left, &needs);
    }
    return NULL;
}

/* ---- looking whether others use the GPUs ---- */

static void ask(struct board *b)
{
    b->look_asked = board_steady(b);
    b->look_seen = false;
    b->parts.look(b->parts.ctx);
}

static bool is_asked(const struct board *b)
{
    return b->look_asked && b->parts.gpus->looked < b->look_asked;
}

/* Whether what was seen is true enough to give GPUs out. If not, a look is
 * asked for; one that takes too long is not waited for. */
static bool was_looked(struct board *b)
{
    int64_t now = board_steady(b);

    if (!b->parts.look || (b->parts.gpus->looked > b->gpus_freed &&
                           now - b->parts.gpus->looked < FRESH_MS))
        return true;
    if (!is_asked(b))
        ask(b);
    return now - b->look_asked >= ANSWER_MS;
}

static bool any_short(const struct board *b)
{
    for (const struct live_study *s = b->studies; s; s = s->next)
        if (s->is_short)
            return true;
    return false;
}

void hold_tick(struct board *b)
{
    int64_t now = board_steady(b);

    if (!b->parts.look || !b->look_asked || !any_short(b))
        return;
    if (is_asked(b) ? now - b->look_asked >= ANSWER_MS : !b->look_seen)
        board_freed(b);
    b->look_seen = !is_asked(b);
    if (b->look_seen && now - b->look_asked >= AGAIN_MS)
        ask(b);
}

bool hold_used(const struct board *b, const struct live_trial *t,
               struct text *out)
{
    char there[NUMBER_TEXT], all[NUMBER_TEXT];
    size_t len = out->len;

    if (hold_needs(&t->study->study).gpus <= 0 ||
        !hold_is_here(&t->study->study))
        return false;
    for (size_t i = 0; b->parts.gpus && i < b->parts.gpus->n; i++) {
        const struct gpu *g = &b->parts.gpus->items[i];

        if (!is_used(b, g))
            continue;
        print_memory(g->memory - g->used, there, sizeof there);
        print_memory(g->memory, all, sizeof all);
        text_addf(out,
                  "%s%s has %s of %s free, and no trial of this service uses "
                  "it",
                  out->len > len ? "; " : "", g->id, there, all);
    }
    return out->len > len;
}

static bool is_free_for(struct board *b, struct live_trial *t)
{
    struct hold_needs needs = hold_needs(&t->study->study);
    struct hold_needs left;
    struct live_trial *first;

    if (t->alone)
        return !next_holder(b, NULL) && (!needs.gpus || was_looked(b));
    if (loner(b) || machine_wanted(b))
        return false;
    left = what_is_free(b);
    if (!fits(&needs, &left))
        return false;
    first = who_comes_first(b, t, t->since ? t->since : board_steady(b), &left);
    if (first)
        first->study->dirty = true;
    return !first && fits(&needs, &left) && (!needs.gpus || was_looked(b));
}

bool hold_may_begin(struct board *b, struct live_trial *t)
{
    if (!hold_is_here(&t->study->study) || is_free_for(b, t))
        return true;
    t->study->is_short = true;
    if (!t->since)
        t->since = board_steady(b);
    return false;
}

/* ---- taking ---- */

static char *pick_gpus(const struct board *b, int n)
{
    struct text list;

    if (n <= 0)
        return NULL;
    text_init(&list);
    for (size_t i = 0; n > 0 && b->parts.gpus && i < b->parts.gpus->n; i++) {
        const struct gpu *g = &b->parts.gpus->items[i];

        if (!is_free(b, g))
            continue;
        text_addf(&list, "%s%s", list.len ? "," : "", g->id);
        n--;
    }
    return text_take(&list);
}

void hold_take(struct board *b, struct live_trial *t)
{
    bool waited = t->since != 0;

    t->since = 0;
    t->crowded = false;
    free(t->gpus);
    t->gpus = NULL;
    if (!hold_is_here(&t->study->study))
        return;
    t->gpus = pick_gpus(b, hold_needs(&t->study->study).gpus);
    for (struct live_trial *other = next_holder(b, NULL); other;
         other = next_holder(b, other))
        other->crowded = t->crowded = true;
    if (waited)
        board_freed(b); /* others may have waited for this one's turn */
}

/* ---- looking ---- */

static void add_holders(const struct board *b, struct text *out)
{
    for (const struct live_trial *t = next_holder(b, NULL); t;
         t = next_holder(b, t))
        if (t->gpus)
            text_addf(out, "; trial %lld of %s holds %s",
                      (long long)t->trial.number, t->study->name, t->gpus);
    if (b->kept_gpus)
        text_addf(out, "; studies that cannot be read hold %s", b->kept_gpus);
}

static void add_others(const struct board *b, const struct live_trial *t,
                       struct text *out)
{
    struct text others;

    text_init(&others);
    if (hold_used(b, t, &others))
        text_addf(out, "; %s", text_str(&others));
    text_clear(&others);
}

static void add_shortage(const struct board *b, const struct live_trial *t,
                         const struct hold_needs *left, struct text *out)
{
    struct hold_needs sum = hold_needs(&t->study->study);
    const struct hold_needs *needs = &sum;
    char asked[NUMBER_TEXT], there[NUMBER_TEXT];

    if (needs->gpus > left->gpus) {
        text_addf(out, "needs %d GPU%s, %d %s free", needs->gpus,
                  needs->gpus == 1 ? "" : "s", left->gpus,
                  left->gpus == 1 ? "is" : "are");
        add_holders(b, out);
        add_others(b, t, out);
    } else if (needs->cpus > left->cpus + HAIR) {
        text_addf(out, "needs %s processors, %s are free",
                  number_print(needs->cpus, asked),
                  number_print(left->cpus > 0 ? left->cpus : 0, there));
    } else {
        print_memory(needs->memory, asked, sizeof asked);
        print_memory(left->memory > 0 ? left->memory : 0, there, sizeof there);
        text_addf(out, "needs %s of memory, %s are free", asked, there);
    }
}

static void name_trial(const struct live_trial *t, struct text *out)
{
    text_addf(out, "trial %lld of %s", (long long)t->trial.number,
              t->study->name);
}

void hold_why(const struct board *b, const struct live_trial *t,
              struct text *out)
{
    struct hold_needs needs = hold_needs(&t->study->study);
    struct hold_needs left = what_is_free(b);
    const struct live_trial *other = loner(b);
    const struct live_study *wanted = machine_wanted(b);
    struct err never;

    if (!hold_is_here(&t->study->study) || t->trial.state != TRIAL_PENDING)
        return;
    if (t->alone) {
        text_add(out, "it ran out of memory beside others, and waits until "
                      "it can run alone");
    } else if (!t->since) {
        return;
    } else if (hold_check(b, &t->study->study, &never)) {
        text_add(out, never.text);
    } else if (other) {
        name_trial(other, out);
        text_add(out, " ran out of memory beside others and runs alone now");
    } else if (wanted) {
        text_addf(out,
                  "a trial of %s ran out of memory beside others and runs "
                  "alone next",
                  wanted->name);
    } else if (!fits(&needs, &left)) {
        add_shortage(b, t, &left, out);
    } else if (needs.gpus && b->parts.look && is_asked(b)) {
        text_add(out, "whether others use its GPUs is being looked at");
    } else {
        other = who_comes_first(b, t, t->since, &left);
        text_add(out, "what it needs is kept for ");
        if (other)
            name_trial(other, out);
        else
            text_add(out, "a trial that has waited longer");
    }
}

/* ---- the replicas' parts ---- */

char *hold_gpus(const struct live_trial *t, int rank)
{
    const struct study *s = &t->study->study;
    const char *at = t->gpus;
    enum study_role role;
    int skip = 0, n, index;
    const char *from;

    for (int i = 0; i < rank; i++) {
        study_replica(s, i, &role, &index);
        skip += s->job.tasks[role].gpus;
    }
    study_replica(s, rank, &role, &index);
    n = s->job.tasks[role].gpus;
    if (!at || n <= 0)
        return NULL;
    for (; skip > 0 && *at; skip--) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    for (from = at; n > 0 && *at; n--)
        at += strcspn(at + (*at == ','), ",") + (*at == ',');
    return mem_copy_bytes(from, (size_t)(at - from));
}
