/* Recordings as text and in memory. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/algorithms/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/node.h"
#include "base/number.h"
#include "study/codec.h"
#include "tests/lib/suite.h"

static struct node *parse(const char *line)
{
    struct node *node = NULL;
    struct faults f;

    faults_init(&f);
    ck_assert_msg(node_parse(line, strlen(line), &node, &f) == 0, "%s", line);
    faults_clear(&f);
    return node;
}

static const char *text_at(const struct node *map, const char *key)
{
    const struct node *n = node_get(map, key);

    ck_assert_msg(n && n->text, "no %s", key);
    return n->text;
}

static void read_study(struct recording *r, const char *line)
{
    struct faults f;

    faults_init(&f);
    ck_assert_msg(codec_decode(line, strlen(line), "", &r->study, &f) == 0,
                  "%s", f.n ? f.items[0].text : "");
    faults_clear(&f);
    r->first = mem_copy_text(line);
    r->first[strcspn(r->first, "\n")] = '\0';
}

static void read_made(struct recording *r, const char *line)
{
    struct node *node = parse(line);

    r->made = mem_copy_text(text_at(node, "made"));
    node_free(node);
}

static void read_ask(struct recording *r, const struct node *node)
{
    struct suggestion s = {.source = ""};
    struct err e = {.text = ""};

    ck_assert_msg(point_read_node(&s.point, &r->study.space,
                                  node_get(node, "point"), false, &e) == 0,
                  "%s", e.text);
    snprintf(s.source, sizeof s.source, "%s", text_at(node, "source"));
    recording_ask(r, &s);
}

static void read_tell(struct recording *r, const struct node *node)
{
    enum trial_state state = TRIAL_FAILED;
    double value = 0, number = 0;
    bool valued = node_get(node, "value") != NULL;

    ck_assert(number_read(text_at(node, "tell"), &number));
    ck_assert(number >= 1 && number <= (double)r->n);
    ck_assert(trial_state_read(text_at(node, "state"), &state));
    ck_assert(!valued || number_read(text_at(node, "value"), &value));
    recording_tell(r, (size_t)number - 1, state, valued ? &value : NULL);
}

void recording_read(struct recording *r, const char *path, bool head)
{
    FILE *in = fopen(path, "re");
    char *line = NULL;
    size_t cap = 0;

    *r = (struct recording){.first = NULL};
    ck_assert_msg(in != NULL, "%s", path);
    ck_assert_int_gt(getline(&line, &cap, in), 0);
    read_study(r, line);
    if (!head) {
        ck_assert_int_gt(getline(&line, &cap, in), 0);
        read_made(r, line);
    }
    while (!head && getline(&line, &cap, in) >= 0) {
        struct node *node = parse(line);

        if (node_get(node, "ask"))
            read_ask(r, node);
        else
            read_tell(r, node);
        node_free(node);
    }
    free(line);
    fclose(in);
}

static void write_event(const struct recording *r, const struct event *event,
                        FILE *out)
{
    const struct recorded *it = &r->trials[event->i];
    char number[NUMBER_TEXT];
    struct text point;

    if (event->ask) {
        text_init(&point);
        point_write_json(&it->trial.point, &r->study.space, &point);
        fprintf(out, "{\"ask\": %zu, \"source\": \"%s\", \"point\": %s}\n",
                event->i + 1, it->source, text_str(&point));
        text_clear(&point);
        return;
    }
    fprintf(out, "{\"tell\": %zu, \"state\": \"%s\"", event->i + 1,
            trial_state_name(it->trial.state));
    if (it->trial.has_value)
        fprintf(out, ", \"value\": %s", number_print(it->trial.value, number));
    fputs("}\n", out);
}

void recording_write(const struct recording *r, FILE *out)
{
    fprintf(out, "%s\n{\"made\": \"%s\"}\n", r->first, r->made);
    for (size_t k = 0; k < r->n_events; k++)
        write_event(r, &r->events[k], out);
}

void recording_clear(struct recording *r)
{
    for (size_t i = 0; i < r->n; i++)
        trial_clear(&r->trials[i].trial);
    free(r->trials);
    free(r->events);
    free(r->first);
    free(r->made);
    study_clear(&r->study);
    *r = (struct recording){.first = NULL};
}

static void add_event(struct recording *r, bool ask, size_t i)
{
    mem_grow((void **)&r->events, &r->cap_events, r->n_events + 1,
             sizeof *r->events);
    r->events[r->n_events++] = (struct event){.ask = ask, .i = i};
}

void recording_ask(struct recording *r, struct suggestion *s)
{
    struct recorded *it = NULL;

    mem_grow((void **)&r->trials, &r->cap, r->n + 1, sizeof *r->trials);
    it = &r->trials[r->n];
    *it = (struct recorded){.trial = {.number = (int64_t)r->n + 1,
                                      .state = TRIAL_RUNNING,
                                      .point = s->point}};
    snprintf(it->source, sizeof it->source, "%s", s->source);
    add_event(r, true, r->n++);
}

void recording_tell(struct recording *r, size_t i, enum trial_state state,
                    const double *value)
{
    struct trial *t = &r->trials[i].trial;

    t->state = state;
    t->has_value = value != NULL;
    t->value = value ? *value : 0;
    add_event(r, false, i);
}

size_t recording_running(const struct recording *r, size_t k, struct trial *out)
{
    bool *ended = mem_new(r->n, sizeof *ended);
    size_t asked = 0, n = 0;

    for (size_t j = 0; j < k; j++) {
        asked += r->events[j].ask;
        if (!r->events[j].ask)
            ended[r->events[j].i] = true;
    }
    for (size_t i = 0; i < asked; i++)
        if (!ended[i])
            out[n++] = (struct trial){.number = r->trials[i].trial.number,
                                      .state = TRIAL_RUNNING,
                                      .point = r->trials[i].trial.point};
    free(ended);
    return n;
}
