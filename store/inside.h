/* What the files of this room share: the connection and its statements. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_INSIDE_H
#define STORE_INSIDE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

/* A statement that was prepared once and stays until the store is closed. */
struct inside_kept {
    const char *sql; /* told apart by its address */
    sqlite3_stmt *statement;
};

struct store {
    sqlite3 *db;
    char *path;
    bool open;      /* a transaction, as the caller sees it */
    bool failed;    /* something in it failed: it can only be rolled back */
    struct err why; /* what failed */
    int last;       /* SQLite's extended code of the last failure */
    struct inside_kept *kept;
    size_t n_kept, cap_kept;
    struct store_counts counts;
};

/* The statement of that text, which must be a constant of the program: its
 * address is remembered. Bind, then inside_run or inside_row. A statement that
 * is still giving rows to a callback further up is prepared a second time.
 * NULL with *e if it cannot be. inside_change asserts that a transaction is
 * open, and refuses one in which something has failed. */
sqlite3_stmt *inside_look(struct store *s, const char *sql, struct err *e);
sqlite3_stmt *inside_change(struct store *s, const char *sql, struct err *e);

/* Binds text that stays where it is until the statement is done; NULL is "". */
void inside_bind_text(sqlite3_stmt *q, int at, const char *text);

/* Never NULL; valid until the next row. */
const char *inside_text(sqlite3_stmt *q, int column);

/* Runs a statement that gives no rows, and is done with it. */
int inside_run(struct store *s, sqlite3_stmt *q, struct err *e);

/* The next row: 1; none is left: 0; failed: -1. After 0 and -1 the statement
 * is done with; after a 1 that is the last the caller says inside_done. */
int inside_row(struct store *s, sqlite3_stmt *q, struct err *e);
void inside_done(struct store *s, sqlite3_stmt *q);

/* Turns SQLite's last failure into *e, in our words, and marks an open
 * transaction as failed. Returns -1. */
int inside_fail(struct store *s, struct err *e);

/* Whether the last failure was that a key is there already, or that one that
 * is pointed to is not. Such a failure changes nothing and leaves the
 * transaction whole. */
bool inside_is_twice(const struct store *s);
bool inside_is_orphan(const struct store *s);

/* Statements for once: several without rows; one with one integer. */
int inside_exec(struct store *s, const char *sql, struct err *e);
int inside_ask(struct store *s, const char *sql, int64_t *out, struct err *e);

#endif
