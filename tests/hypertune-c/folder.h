/* A folder for one test, an environment as a trial has it, and what was
 * written there. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_HYPERTUNE_C_FOLDER_H
#define TESTS_HYPERTUNE_C_FOLDER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct folder {
    char path[256];
    char reports[300]; /* PATH/reports */
};

/* Takes every variable that the library reads out of the environment. */
static inline void forget_trial(void)
{
    static const char *const names[] = {"HYPERTUNE_REPORT_FILE",
                                        "CLOUD_ML_HP_METRIC_FILE",
                                        "HYPERTUNE_STOP_FILE",
                                        "HYPERTUNE_TRIAL",
                                        "CLOUD_ML_TRIAL_ID",
                                        "HYPERTUNE_CHECKPOINT_DIR",
                                        "AIP_CHECKPOINT_DIR",
                                        "CLUSTER_SPEC",
                                        "TF_CONFIG"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
}

/* A new folder, and an environment that names its report file only. */
static inline void folder_make(struct folder *f)
{
    const char *base = getenv("TMPDIR");

    snprintf(f->path, sizeof f->path, "%.200s/htc.XXXXXX",
             base && *base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(f->path));
    snprintf(f->reports, sizeof f->reports, "%s/reports", f->path);
    forget_trial();
    setenv("HYPERTUNE_REPORT_FILE", f->reports, 1);
}

/* The file's bytes, yours to free; "" if it is not there. */
static inline char *folder_read(const char *path)
{
    FILE *in = fopen(path, "r");
    char *data = NULL;
    size_t n = 0, cap = 0;

    do {
        cap += 65536;
        data = realloc(data, cap + 1);
        ck_assert_ptr_nonnull(data);
        n += in ? fread(data + n, 1, cap - n, in) : 0;
    } while (n == cap);
    data[n] = '\0';
    if (in)
        fclose(in);
    return data;
}

static inline void folder_drop(const struct folder *f)
{
    unlink(f->reports);
    rmdir(f->path);
}

#endif
