/* The board: what is under way, in memory. A cache of the store that may be
 * thrown away and read again at any time, and the list of what is to be done
 * once the store has it on disk. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_BOARD_H
#define TUNER_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/curve.h"
#include "metrics/follow.h"
#include "study/study.h"
#include "study/trial.h"
#include "tuner/engine.h"

struct live_curve {
    char *metric;
    struct curve curve;
};

/* Who forwards reports of an attempt, and how many came. */
struct live_sender {
    char name[ENGINE_SENDER];
    int64_t n;
};

/* A trial that has not ended. */
struct live_trial {
    struct live_trial *next;
    struct live_study *study;
    struct trial trial;       /* number, state, point */
    enum trial_reason reason; /* of its state; while STOPPING: what it will
                                 have ended for */
    char *detail;             /* the sentence beside the reason, "" if none */
    int attempt, broken;
    char *client;
    int64_t heard; /* steady; when its client was last heard of (tuner/lease.h)
                    */
    char *job_name, *folder; /* of the current attempt; NULL before the first */
    struct follow **follows; /* while it runs; of its replicas by rank, NULL
                                where nothing is followed */
    size_t n_follows;
    struct live_curve *curves;
    size_t n_curves, curves_cap;
    struct live_sender *senders;
    size_t n_senders;
    bool given;               /* put in from outside: it is about to end */
    char *hopeless;           /* why the study's rule finds it so
                                 (tuner/early.h); NULL = it does not */
    int64_t reports;          /* of this attempt */
    int64_t started_ms;       /* wall; 0 = not yet */
    int64_t not_before;       /* steady; a retry waits until then */
    int64_t deadline;         /* steady; 0 = none */
    int64_t kill_at;          /* steady; 0 = not stopping */
    bool ended;               /* its job has: `end` says how, reports may still
                                 be unread */
    struct launcher_news end; /* its texts are the three that follow */
    char *replica, *said;
    char *node;   /* of the current attempt, once it is known; else NULL */
    char *waits;  /* what its launcher says that it waits for; NULL = nothing */
    int strikes;  /* attempts in a row that broke and did not count */
    char *gpus;   /* of this machine that it has while it is not PENDING, with
                     commas; NULL = none */
    bool alone;   /* it ran out of memory beside others: only alone from then */
    bool crowded; /* others of this machine ran beside the current attempt */
    int64_t since; /* steady; it has waited for GPUs, processors or memory from
                      then on; 0 = it does not */
};

/* Somebody who asked a study that launches nothing for a trial. */
struct live_ask {
    struct live_ask *next;
    char *client;
    int nth; /* which of those that the client holds is meant, from 0 */
    engine_ask_fn *fn;
    void *ctx;
};

/* A study that has not ended, or is being looked at. */
struct live_study {
    struct live_study *next;
    int64_t id;
    char *name, *base_dir, *spec; /* spec: canonical JSON */
    struct study study;
    enum study_state state;
    char *reason;
    bool cancelled; /* ENDING because of a cancel */
    int64_t created_ms;
    int64_t next_number;
    int64_t counts[TRIAL_STATES]; /* without given ones */
    int64_t given;
    int64_t best_number;
    double best_value;
    int64_t since_best;
    struct live_trial *trials; /* by number */
    size_t n_trials;
    struct mind *mind; /* the opened algorithm; NULL while it thinks, or
                          before it was first asked */
    bool thinking;
    struct trial *missed; /* ended while the mind was thinking */
    size_t n_missed, missed_cap;
    struct stop_book *book; /* curves, for its stopping rule (tuner/early.h);
                               NULL before they were first needed */
    bool forget;            /* drop the mind when it is back */
    bool exhausted;         /* the algorithm said DONE */
    bool waits;             /* it said WAIT; until a trial ends */
    struct live_ask *asks;
    struct breaker { /* ends in a row that look alike */
        char *look;
        char *node; /* where all of them were; NULL = not known, or several */
        int in_a_row;
        char *why; /* it has tripped: nothing more begins; else NULL */
    } breaker;
    char *told_wait;    /* of what its trials wait for: the last that those who
                           follow it were told; NULL = nothing */
    int64_t told_at;    /* steady; when that was */
    int64_t told_used;  /* steady; when those who follow it were told of a GPU
                           that somebody else uses; 0 = never */
    bool is_short;      /* one of its trials waits for something of this
                           machine (tuner/hold.h) */
    bool wants_machine; /* all that is left of it must run alone: nothing else
                           begins on this machine */
    bool dirty;         /* fill has something to look at */
};

/* What is done once the commit is through. */
enum deed_kind { DEED_LAUNCH, DEED_STOP, DEED_LOST, DEED_KEPT, DEED_ASKED };

struct deed {
    enum deed_kind kind;
    int64_t study, number; /* LAUNCH, STOP, ASKED: looked up again when done */
    engine_kept_fn *kept;
    engine_ask_fn *asked;
    void *ctx;
    struct err err; /* ASKED with number 0 */
};

struct board {
    struct engine_parts parts;
    struct live_study *studies;
    struct deed *deeds;
    size_t n_deeds, deeds_cap;
    bool broken;        /* a write failed: nothing of this round may be kept */
    struct err trouble; /* what failed */
    bool disk_low;
    int64_t disk_seen;  /* steady; when the free space was last looked at */
    int reads_left;     /* until the next tick: rounds of the followers of
                           ended jobs, beyond one for each */
    int64_t generation; /* raised whenever everything is read again */
    struct thought *thoughts;   /* given to the worker and not back yet */
    struct swept_folder *swept; /* being removed */
    char *kept_gpus;            /* of this machine, with commas: held by jobs of
                                   studies that cannot be read; NULL = none */
    int64_t gpus_freed;         /* steady; when a trial last gave some back */
    int64_t look_asked;         /* steady; when a look at them was last asked
                                   for; 0 = never */
    bool look_seen;             /* what that look showed was acted on */
    struct node_seen *nodes;    /* machines where trials have run
                                   (tuner/nodes.h) */
    size_t n_nodes, nodes_cap;
    int64_t *touched; /* studies for which `changed` is due */
    size_t n_touched, touched_cap;
};

struct live_study *board_study(const struct board *b, int64_t id);
struct live_trial *board_trial(const struct live_study *s, int64_t number);
/* By a job's name; NULL if no live trial's current attempt has it. */
struct live_trial *board_job(const struct board *b, const char *job_name);

/* Takes a study row in; its trials are not. The study must decode. */
int board_take(struct board *b, const struct study_row *row,
               struct live_study **out, struct err *e);
/* Reads state, reason, counts and best of the study again from the store. */
int board_refresh(struct board *b, struct live_study *s, struct err *e);
/* Only what a trial's move changes: counts, best and the next number. */
int board_recount(struct board *b, struct live_study *s, struct err *e);
/* A trial of the row, put in its place by number. */
int board_take_trial(struct live_study *s, const struct trial_row *row,
                     struct live_trial **out, struct err *e);

void board_drop_trial(struct live_trial *t); /* has ended: off the board */
void board_drop_study(struct board *b, struct live_study *s);
void board_drop_all(struct board *b);

/* Sets job_name and folder for the trial's current attempt. */
void board_name_job(const struct board *b, struct live_trial *t);
/* STATE/trials/NAME/NUMBER, or STATE/trials/NAME for number 0. Yours. */
char *board_folder(const struct board *b, const char *name, int64_t number);

void board_deed(struct board *b, const struct deed *d);
/* The one who has waited longest for a trial of the study is told after the
 * commit: its number, or 0 and why there is none. */
void board_answer(struct board *b, struct live_study *s, int64_t number,
                  const struct err *e);
/* All who wait are told why there is none. */
void board_refuse(struct board *b, struct live_study *s, const struct err *e);
/* `changed` will be called for the study after the commit. */
void board_touch(struct board *b, int64_t study);
/* A study that has ended and was only looked at. */
void board_drop_ended(struct board *b, struct live_study *s);

/* rc; and if that is -1, what failed is set in *e. */
int board_outcome(const struct board *b, int rc, struct err *e);

/* A failed write: remembers it and returns -1. */
int board_fail(struct board *b, const struct err *e);

int64_t board_now(const struct board *b); /* wall */
int64_t board_steady(const struct board *b);
/* How many trials may run at once. */
int board_parallel(const struct board *b, const struct live_study *s);
/* The curves are read again when next needed. */
void board_forget_book(struct live_study *s);
/* Its algorithm is told all again when next asked, and the book is forgotten:
 * an ended trial has come back to life, or is no more. */
void board_forget_mind(struct live_study *s);
/* Something of this machine was given back, or somebody who waited for it does
 * no longer: those who wait may look again. */
void board_freed(struct board *b);
/* Ends the following of the trial's current attempt. */
void board_unfollow(struct live_trial *t);
/* True if the study launches jobs itself. */
bool board_launches(const struct live_study *s);
/* The launcher that the study names; NULL if this service has none such. */
struct launcher *board_launcher(const struct board *b,
                                const struct live_study *s);

#endif
