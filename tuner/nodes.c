/* Which machines trials ran on, and which of them is avoided. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "tuner/breaker.h"
#include "tuner/run.h"

enum {
    BAD_MOST = 3,           /* so many in a row, and the node is avoided */
    AVOIDED_MS = 3600000,   /* for so long */
    REMEMBERED_MS = 3600000 /* what was seen elsewhere counts so long */
};

/* A trial that broke there at once. */
struct broken_there {
    int64_t study, number;
};

struct node_seen {
    char *name;
    char *look; /* of the last that broke there at once; NULL = none did */
    int64_t look_at, good_at, avoided_until; /* steady; 0 = never */
    struct broken_there row[BAD_MOST];       /* since the last that went well */
    int in_a_row;
};

static struct node_seen *find(const struct board *b, const char *name)
{
    for (size_t i = 0; i < b->n_nodes; i++)
        if (strcmp(b->nodes[i].name, name) == 0)
            return &b->nodes[i];
    return NULL;
}

static struct node_seen *node_of(struct board *b, const char *name)
{
    struct node_seen *n = find(b, name);
    void *nodes = b->nodes;

    if (n)
        return n;
    mem_grow(&nodes, &b->nodes_cap, b->n_nodes + 1, sizeof *b->nodes);
    b->nodes = nodes;
    n = &b->nodes[b->n_nodes++];
    *n = (struct node_seen){.name = mem_copy_text(name)};
    return n;
}

static bool is_avoided(const struct board *b, const struct node_seen *n)
{
    return n->avoided_until > board_steady(b);
}

static bool is_recent(const struct board *b, int64_t at)
{
    return at && board_steady(b) - at < REMEMBERED_MS;
}

void nodes_good(struct board *b, const struct live_trial *t)
{
    struct node_seen *n;

    if (!t->node)
        return;
    n = node_of(b, t->node);
    n->good_at = board_steady(b);
    n->in_a_row = 0;
}

/* ---- the evidence ---- */

/* Whether a trial runs elsewhere that has not broken at once. */
static bool lives_elsewhere(const struct board *b, const char *name)
{
    int64_t now = board_now(b);

    for (const struct live_study *s = b->studies; s; s = s->next)
        for (const struct live_trial *t = s->trials; t; t = t->next)
            if (t->trial.state == TRIAL_RUNNING && t->node && !t->ended &&
                strcmp(t->node, name) != 0 &&
                now - t->started_ms > NODES_AT_ONCE_MS)
                return true;
    return false;
}

/* The node is to blame if trials go well elsewhere, and none broke there so. */
static bool is_its_fault(const struct board *b, const struct node_seen *n)
{
    bool well = lives_elsewhere(b, n->name);

    for (size_t i = 0; i < b->n_nodes; i++) {
        const struct node_seen *other = &b->nodes[i];

        if (other == n)
            continue;
        if (other->look && is_recent(b, other->look_at) &&
            strcmp(other->look, n->look) == 0)
            return false;
        well = well || is_recent(b, other->good_at);
    }
    return well;
}

/* ---- what follows ---- */

struct taking_back {
    struct live_study *study;
    struct live_trial *trial;
    struct err err;
};

static bool take_back(void *ctx, const struct trial_row *row)
{
    struct taking_back *taking = ctx;

    if (row->state == TRIAL_FAILED)
        board_take_trial(taking->study, row, &taking->trial, &taking->err);
    return false;
}

/* One that has FAILED there is PENDING again; one that waits for its next
 * attempt has lost none. */
static int undo(struct board *b, const struct broken_there *it,
                const struct run_cause *cause)
{
    struct taking_back taking = {.study = board_study(b, it->study)};
    struct live_trial *t;
    struct err e;

    if (!taking.study)
        return 0;
    t = board_trial(taking.study, it->number);
    if (t) {
        t->broken -= t->broken > 0;
        return 0;
    }
    if (store_trial_get(b->parts.store, it->study, it->number, take_back,
                        &taking, &e))
        return e.code == ERR_ABSENT ? 0 : board_fail(b, &e);
    if (!taking.trial)
        return 0;
    taking.trial->broken -= taking.trial->broken > 0;
    board_forget_mind(taking.study);
    return run_move(b, taking.trial, TRIAL_PENDING, cause);
}

/* Whom it concerns: the live studies of that launcher. */
static void warn_all(struct board *b, const char *launcher,
                     const char *sentence)
{
    for (struct live_study *s = b->studies; s; s = s->next)
        if (s->trials && !b->broken &&
            strcmp(s->study.job.launcher, launcher) == 0)
            run_warn(b, s, sentence);
}

/* The last of the row is being judged. */
static void avoid(struct board *b, struct node_seen *n, struct live_study *s)
{
    char *sentence =
        mem_format("node %s is avoided for an hour: %d trials in a row ended "
                   "at once there (%s), while others go well elsewhere; "
                   "`resume` ends that",
                   n->name, n->in_a_row, n->look);
    char *detail = mem_format(
        "broke on %s, which is avoided now: it is tried elsewhere", n->name);
    struct run_cause cause = {.reason = REASON_LOST, .detail = detail};

    n->avoided_until = board_steady(b) + AVOIDED_MS;
    log_write(LOG_LEVEL_WARN, "node_avoided", "node=%s look=\"%s\"", n->name,
              n->look);
    for (int i = 0; i < n->in_a_row - 1; i++)
        if (undo(b, &n->row[i], &cause))
            break;
    breaker_calm(s);
    n->in_a_row = 0;
    warn_all(b, s->study.job.launcher, sentence);
    free(sentence);
    free(detail);
}

/* Broken in the same way on two machines: neither is to blame. */
static void forgive_alike(struct board *b, const char *name, const char *look)
{
    for (size_t i = 0; i < b->n_nodes; i++) {
        struct node_seen *n = &b->nodes[i];

        if (strcmp(n->name, name) != 0 && n->look &&
            strcmp(n->look, look) == 0 && is_avoided(b, n))
            n->avoided_until = 0;
    }
}

bool nodes_bad(struct board *b, const struct live_trial *t, const char *look)
{
    struct node_seen *n;

    if (!t->node)
        return false;
    n = node_of(b, t->node);
    free(n->look);
    n->look = mem_copy_text(look);
    n->look_at = board_steady(b);
    forgive_alike(b, n->name, look);
    if (is_avoided(b, n))
        return true;               /* it was on its way there already */
    if (n->in_a_row == BAD_MOST) { /* the oldest is forgotten */
        memmove(n->row, n->row + 1, (BAD_MOST - 1) * sizeof *n->row);
        n->in_a_row--;
    }
    n->row[n->in_a_row++] =
        (struct broken_there){t->study->id, t->trial.number};
    if (n->in_a_row < BAD_MOST || !is_its_fault(b, n))
        return false;
    avoid(b, n, t->study);
    return true;
}

/* ---- looking ---- */

void nodes_avoided(const struct board *b, struct text *out)
{
    for (size_t i = 0; i < b->n_nodes; i++)
        if (is_avoided(b, &b->nodes[i]))
            text_addf(out, "%s%s", out->len ? "," : "", b->nodes[i].name);
}

void nodes_why(const struct board *b, struct text *out)
{
    for (size_t i = 0; i < b->n_nodes; i++) {
        const struct node_seen *n = &b->nodes[i];

        if (is_avoided(b, n))
            text_addf(out,
                      "node %s is avoided for another %lld min: trials ended "
                      "at once there (%s), and go well elsewhere\n",
                      n->name,
                      (long long)(n->avoided_until - board_steady(b)) / 60000 +
                          1,
                      n->look);
    }
}

void nodes_clear(struct board *b)
{
    for (size_t i = 0; i < b->n_nodes; i++) {
        free(b->nodes[i].name);
        free(b->nodes[i].look);
    }
    free(b->nodes);
    b->nodes = NULL;
    b->n_nodes = b->nodes_cap = 0;
}

void nodes_forgive(struct board *b)
{
    nodes_clear(b);
}
