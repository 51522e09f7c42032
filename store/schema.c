/* The tables. Their comments are kept in the file, so that `.schema` in the
 * sqlite3 shell explains them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/schema.h"

#include "base/text.h"
#include "store/inside.h"

/* "Hypt", in the header of every file that is ours. */
#define APPLICATION_ID 0x48797074

/* Texts that seldom change lie in `study`, numbers that change with every trial
 * in `tally`, so that a move writes a few bytes and not a whole study file. */
#define STEP_1                                                                 \
    "CREATE TABLE study (\n"                                                   \
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                \
    "  name TEXT NOT NULL UNIQUE,\n"                                           \
    "  state TEXT NOT NULL,\n"                                                 \
    "  reason TEXT NOT NULL,\n"                                                \
    "  stopping INTEGER NOT NULL,  -- 1 while ENDING because of a cancel\n"    \
    "  maximize INTEGER NOT NULL,\n"                                           \
    "  created_ms INTEGER NOT NULL,\n"                                         \
    "  ended_ms INTEGER NOT NULL,  -- 0 = not yet\n"                           \
    "  base_dir TEXT NOT NULL,\n"                                              \
    "  spec TEXT NOT NULL,         -- JSON, the long form\n"                   \
    "  source TEXT NOT NULL        -- the file as it was submitted\n"          \
    ") STRICT;\n"                                                              \
    "CREATE TABLE tally (\n"                                                   \
    "  study_id INTEGER PRIMARY KEY REFERENCES study ON DELETE CASCADE,\n"     \
    "  next_number INTEGER NOT NULL DEFAULT 1,\n"                              \
    "  changes INTEGER NOT NULL DEFAULT 0,     -- the last trial.changed\n"    \
    "  ends INTEGER NOT NULL DEFAULT 0,        -- the last ended_order\n"      \
    "  events INTEGER NOT NULL DEFAULT 0,      -- rows in event\n"             \
    "  best_number INTEGER NOT NULL DEFAULT 0, -- 0 = none\n"                  \
    "  best_value REAL,\n"                                                     \
    "  since_best INTEGER NOT NULL DEFAULT 0,\n"                               \
    "  pending INTEGER NOT NULL DEFAULT 0,     -- trials in each state\n"      \
    "  launching INTEGER NOT NULL DEFAULT 0,\n"                                \
    "  running INTEGER NOT NULL DEFAULT 0,\n"                                  \
    "  stopping INTEGER NOT NULL DEFAULT 0,\n"                                 \
    "  succeeded INTEGER NOT NULL DEFAULT 0,\n"                                \
    "  stopped INTEGER NOT NULL DEFAULT 0,\n"                                  \
    "  infeasible INTEGER NOT NULL DEFAULT 0,\n"                               \
    "  failed INTEGER NOT NULL DEFAULT 0\n"                                    \
    ") STRICT;\n"                                                              \
    "CREATE TABLE trial (\n"                                                   \
    "  study_id INTEGER NOT NULL REFERENCES study ON DELETE CASCADE,\n"        \
    "  number INTEGER NOT NULL,\n"                                             \
    "  state TEXT NOT NULL,\n"                                                 \
    "  reason TEXT NOT NULL,\n"                                                \
    "  detail TEXT NOT NULL,\n"                                                \
    "  point TEXT NOT NULL,            -- JSON\n"                              \
    "  source TEXT NOT NULL,           -- what chose the point\n"              \
    "  client TEXT NOT NULL,\n"                                                \
    "  attempt INTEGER NOT NULL,\n"                                            \
    "  broken INTEGER NOT NULL,\n"                                             \
    "  value REAL,\n"                                                          \
    "  loss REAL,                      -- of a SUCCEEDED one: the value, or\n" \
    "                                  -- its negative when maximizing\n"      \
    "  step INTEGER NOT NULL,\n"                                               \
    "  created_ms INTEGER NOT NULL,\n"                                         \
    "  started_ms INTEGER NOT NULL,    -- 0 = not yet\n"                       \
    "  ended_ms INTEGER NOT NULL,\n"                                           \
    "  changed INTEGER NOT NULL,       -- tally.changes at the last change\n"  \
    "  ended_order INTEGER NOT NULL,   -- tally.ends at its end, else 0\n"     \
    "  PRIMARY KEY (study_id, number)\n"                                       \
    ") STRICT, WITHOUT ROWID;\n"                                               \
    "CREATE UNIQUE INDEX trial_changed ON trial (study_id, changed);\n"        \
    "CREATE INDEX trial_state ON trial (study_id, state, number);\n"           \
    "CREATE UNIQUE INDEX trial_ended ON trial (study_id, ended_order)\n"       \
    "  WHERE ended_order > 0;\n"                                               \
    "CREATE INDEX trial_loss ON trial (study_id, loss, number)\n"              \
    "  WHERE loss IS NOT NULL;\n"                                              \
    "CREATE TABLE attempt (\n"                                                 \
    "  study_id INTEGER NOT NULL,\n"                                           \
    "  number INTEGER NOT NULL,\n"                                             \
    "  attempt INTEGER NOT NULL,\n"                                            \
    "  begun_ms INTEGER NOT NULL,\n"                                           \
    "  ended_ms INTEGER NOT NULL,      -- 0 = under way\n"                     \
    "  outcome TEXT NOT NULL,\n"                                               \
    "  marks TEXT NOT NULL,            -- how far its reports were read\n"     \
    "  reports INTEGER NOT NULL,\n"                                            \
    "  PRIMARY KEY (study_id, number, attempt),\n"                             \
    "  FOREIGN KEY (study_id, number) REFERENCES trial ON DELETE CASCADE\n"    \
    ") STRICT, WITHOUT ROWID;\n"                                               \
    "CREATE TABLE report (\n"                                                  \
    "  study_id INTEGER NOT NULL,\n"                                           \
    "  number INTEGER NOT NULL,\n"                                             \
    "  attempt INTEGER NOT NULL,\n"                                            \
    "  metric TEXT NOT NULL,\n"                                                \
    "  ordinal INTEGER NOT NULL,\n"                                            \
    "  step INTEGER NOT NULL,\n"                                               \
    "  value REAL,                     -- NULL = nan; Inf and -Inf are kept\n" \
    "  time_ms INTEGER NOT NULL,\n"                                            \
    "  PRIMARY KEY (study_id, number, attempt, metric, ordinal),\n"            \
    "  FOREIGN KEY (study_id, number) REFERENCES trial ON DELETE CASCADE\n"    \
    ") STRICT, WITHOUT ROWID;\n"                                               \
    "CREATE TABLE event (\n"                                                   \
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                \
    "  study_id INTEGER NOT NULL REFERENCES study ON DELETE CASCADE,\n"        \
    "  time_ms INTEGER NOT NULL,\n"                                            \
    "  kind TEXT NOT NULL,\n"                                                  \
    "  body TEXT NOT NULL              -- JSON object\n"                       \
    ") STRICT;\n"                                                              \
    "CREATE INDEX event_study ON event (study_id);  -- and its id, implied\n"

/* What the algorithm expected of a point when it chose it. */
#define STEP_2                                                                 \
    "ALTER TABLE trial ADD COLUMN forecast TEXT NOT NULL DEFAULT '';\n"

/* Trials that were put in from outside: which they are, and how many. */
#define STEP_3                                                                 \
    "ALTER TABLE trial ADD COLUMN given INTEGER NOT NULL DEFAULT 0;\n"         \
    "ALTER TABLE tally ADD COLUMN given INTEGER NOT NULL DEFAULT 0;\n"

/* Tokens that were given to others. The secret itself is kept nowhere. */
#define STEP_4                                                                 \
    "CREATE TABLE token (\n"                                                   \
    "  name TEXT PRIMARY KEY,\n"                                               \
    "  hash TEXT NOT NULL UNIQUE,      -- SHA-256 of the secret, hex\n"        \
    "  role TEXT NOT NULL,\n"                                                  \
    "  created_ms INTEGER NOT NULL,\n"                                         \
    "  expires_ms INTEGER NOT NULL     -- 0 = never\n"                         \
    ") STRICT, WITHOUT ROWID;\n"

/* What Google's interfaces know of studies and trials besides. */
#define STEP_5                                                                 \
    "CREATE TABLE google (\n"                                                  \
    "  study_id INTEGER PRIMARY KEY REFERENCES study ON DELETE CASCADE,\n"     \
    "  kind TEXT NOT NULL,             -- studies, customJobs, ...\n"          \
    "  project TEXT NOT NULL,\n"                                               \
    "  location TEXT NOT NULL,\n"                                              \
    "  display_name TEXT NOT NULL,\n"                                          \
    "  body TEXT NOT NULL,             -- JSON, as it was sent\n"              \
    "  labels TEXT NOT NULL            -- JSON object, or ''\n"                \
    ") STRICT;\n"                                                              \
    "CREATE INDEX google_of ON google (kind, project, location, "              \
    "study_id);\n"                                                             \
    "CREATE INDEX google_named ON google (kind, project, location, "           \
    "display_name);\n"                                                         \
    "CREATE TABLE google_trial (\n"                                            \
    "  study_id INTEGER NOT NULL,\n"                                           \
    "  number INTEGER NOT NULL,\n"                                             \
    "  final TEXT NOT NULL,            -- JSON, the last measurement\n"        \
    "  why TEXT NOT NULL,              -- it is infeasible\n"                  \
    "  PRIMARY KEY (study_id, number),\n"                                      \
    "  FOREIGN KEY (study_id, number) REFERENCES trial ON DELETE CASCADE\n"    \
    ") STRICT, WITHOUT ROWID;\n"                                               \
    "CREATE TABLE google_measurement (\n"                                      \
    "  study_id INTEGER NOT NULL,\n"                                           \
    "  number INTEGER NOT NULL,\n"                                             \
    "  ordinal INTEGER NOT NULL,       -- from 1\n"                            \
    "  body TEXT NOT NULL,             -- JSON\n"                              \
    "  PRIMARY KEY (study_id, number, ordinal),\n"                             \
    "  FOREIGN KEY (study_id, number) REFERENCES trial ON DELETE CASCADE\n"    \
    ") STRICT, WITHOUT ROWID;\n"                                               \
    "CREATE TABLE google_operation (\n"                                        \
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                \
    "  parent TEXT NOT NULL,           -- name of what it works on\n"          \
    "  done INTEGER NOT NULL,\n"                                               \
    "  body TEXT NOT NULL              -- JSON: metadata and its end\n"        \
    ") STRICT;\n"                                                              \
    "CREATE INDEX google_operation_of ON google_operation (parent, id);\n"

/* Where an attempt ran, what it held there, and what was to blame for its end.
 */
#define STEP_6                                                                 \
    "ALTER TABLE attempt ADD COLUMN gpus TEXT NOT NULL DEFAULT '';\n"          \
    "ALTER TABLE attempt ADD COLUMN node TEXT NOT NULL DEFAULT '';\n"          \
    "ALTER TABLE attempt ADD COLUMN blame TEXT NOT NULL DEFAULT '';\n"

/* What a stopped trial would have ended with, as others' curves told then, and
 * how unsure that is; the search is told it again after a restart. */
#define STEP_7                                                                 \
    "ALTER TABLE trial ADD COLUMN foreseen REAL;\n"                            \
    "ALTER TABLE trial ADD COLUMN unsure REAL;\n"

/* The values of a trial whose study has several objectives. */
#define STEP_8                                                                 \
    "ALTER TABLE trial ADD COLUMN objectives TEXT NOT NULL DEFAULT '';\n"

/* Studies of several objectives have no stopping rule: it is taken away where
 * it could be written. */
#define STEP_9                                                                 \
    "UPDATE study SET spec = json_remove(spec, '$.stop_early')\n"              \
    "WHERE CASE WHEN json_valid(spec)\n"                                       \
    "  THEN json_type(spec, '$.objectives') = 'object'\n"                      \
    "   AND json_type(spec, '$.stop_early') IS NOT NULL\n"                     \
    "  ELSE 0 END;\n"

const struct schema_step schema_steps[] = {
    {1, STEP_1}, {2, STEP_2}, {3, STEP_3}, {4, STEP_4}, {5, STEP_5},
    {6, STEP_6}, {7, STEP_7}, {8, STEP_8}, {9, STEP_9},
};
const size_t schema_n_steps = sizeof schema_steps / sizeof schema_steps[0];

int schema_check(struct store *s, size_t n, struct err *e)
{
    int64_t id, tables, taken;

    if (inside_ask(s, "PRAGMA application_id", &id, e) ||
        inside_ask(s, "PRAGMA user_version", &taken, e) ||
        inside_ask(s, "SELECT count(*) FROM sqlite_schema", &tables, e))
        return -1;
    if (id != APPLICATION_ID && (id || taken || tables))
        return err_set(e, ERR_IO,
                       "%s is not a Hypertune database: another program made "
                       "it",
                       s->path);
    if (taken > (int64_t)n)
        return err_set(e, ERR_CONFLICT,
                       "%s was written by a newer Hypertune (its tables are "
                       "version %lld, ours are %zu): use that one",
                       s->path, (long long)taken, n);
    return 0;
}

static int take(struct store *s, const struct schema_step *step, struct err *e)
{
    struct text mark;
    int rc;

    if (inside_exec(s, step->sql, e))
        return -1;
    text_init(&mark);
    text_addf(&mark, "PRAGMA user_version = %d", step->number);
    rc = inside_exec(s, text_str(&mark), e);
    text_clear(&mark);
    return rc;
}

static int take_all(struct store *s, const struct schema_step *steps, size_t n,
                    struct err *e)
{
    int64_t taken;

    if (inside_ask(s, "PRAGMA user_version", &taken, e))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (steps[i].number > taken && take(s, &steps[i], e))
            return -1;
    return inside_exec(s, "PRAGMA application_id = 0x48797074", e);
}

int schema_update(struct store *s, const struct schema_step *steps, size_t n,
                  struct err *e)
{
    int64_t taken;

    if (inside_ask(s, "PRAGMA user_version", &taken, e))
        return -1;
    if (taken >= (int64_t)n)
        return 0;
    if (inside_exec(s, "BEGIN IMMEDIATE", e))
        return -1;
    if (take_all(s, steps, n, e) == 0 && inside_exec(s, "COMMIT", e) == 0)
        return 0;
    inside_exec(s, "ROLLBACK", NULL);
    return -1;
}
