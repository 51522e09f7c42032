/* Replicas by their names. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/replica.h"

#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"

/* Each role by its own name and as Vertex and TensorFlow call it. */
static const char *const aliases[STUDY_ROLES][2] = {
    [ROLE_MASTER] = {"workerpool0", "chief"},
    [ROLE_WORKER] = {"workerpool1", NULL},
    [ROLE_PS] = {"workerpool2", NULL},
    [ROLE_EVALUATOR] = {"workerpool3", NULL},
};

static bool is_word(const char *word, const char *text, size_t n)
{
    return word && strlen(word) == n && strncmp(word, text, n) == 0;
}

static bool names_role(enum study_role r, const char *text, size_t n)
{
    return is_word(study_role_name(r), text, n) ||
           is_word(aliases[r][0], text, n) || is_word(aliases[r][1], text, n);
}

static void list_all(const struct study *s, struct text *out)
{
    for (int r = 0; r < STUDY_ROLES; r++) {
        const char *name = study_role_name((enum study_role)r);
        int n = s->job.tasks[r].replicas;

        if (n == 0)
            continue;
        text_addf(out, "%s%s-0", out->len ? ", " : "", name);
        if (n > 1)
            text_addf(out, n > 2 ? " to %s-%d" : ", %s-%d", name, n - 1);
    }
}

int replica_find(const struct study *s, const char *name, char **out,
                 struct err *e)
{
    const char *dash = strrchr(name, '-');
    size_t n = dash ? (size_t)(dash - name) : strlen(name);
    struct text all;
    int64_t index = 0;

    for (int r = 0; r < STUDY_ROLES; r++) {
        enum study_role role = (enum study_role)r;

        if (!names_role(role, name, n) ||
            (dash && !number_read_int(dash + 1, &index)) ||
            (!dash && role != ROLE_MASTER) || index < 0 ||
            index >= s->job.tasks[r].replicas)
            continue;
        *out = role == ROLE_MASTER
                   ? mem_copy_text("")
                   : mem_format("%s-%lld", study_role_name(role),
                                (long long)index);
        return 0;
    }
    text_init(&all);
    list_all(s, &all);
    err_set(e, ERR_ABSENT,
            "a trial of study %s has no replica \"%.100s\": it "
            "has %s",
            s->name, name, text_str(&all));
    text_clear(&all);
    return -1;
}
