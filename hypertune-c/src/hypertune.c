/* hypertune.c - one report, one line, one write.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing here takes a lock, allocates after open, or trusts that the
 * descriptor is still ours: a child that closed every descriptor, or a trainer
 * that did, must never find a report in another file. */
#define _POSIX_C_SOURCE 200809L

#include "hypertune.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    NAME_MOST = 255,             /* bytes of a metric's name that are kept */
    ESCAPED = 6 * NAME_MOST + 1, /* each byte as \u00XX, at worst */
    NUMBER = 32,                 /* a double or an int64 as text */
    SEQUENCE = 80,               /* three such numbers */
    LINE = 2 * ESCAPED + 6 * NUMBER + 256
};

struct hypertune {
    int fd;      /* -1 outside a trial; replaced if someone closed it */
    int torn;    /* the last write was cut short: begin with a newline */
    int rewrite; /* the file is the Python package's: no sequence in it */
    dev_t device;
    ino_t inode;
    int64_t pid, start, counter; /* the three parts of a sequence */
    int task_index;
    char *path, *stop_file, *checkpoint_dir; /* into text[] */
    const char *trial_id, *task_type;
    char trial[ESCAPED]; /* the trial's ID as it stands in a line */
    char text[];
};

/* ---- text ---- */

/* Reads one character of UTF-8 and says how many bytes it took; bytes that are
 * no UTF-8 are taken singly, as U+FFFD. */
static size_t decode(const unsigned char *s, size_t n, unsigned *out)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    unsigned c = size == 1 ? s[0] : s[0] & (0xffU >> (size + 1));

    *out = 0xfffd;
    if ((s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4 || size > n)
        return 1;
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 1;
        c = c << 6 | (s[i] & 0x3fU);
    }
    if (c < least[size] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 1;
    *out = c;
    return size;
}

static char *put(char *at, const char *s)
{
    size_t n = strlen(s);

    memcpy(at, s, n + 1);
    return at + n;
}

static char *put_hex(char *at, unsigned c)
{
    static const char digits[] = "0123456789abcdef";

    *at++ = '\\';
    *at++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4)
        *at++ = digits[c >> shift & 15];
    return at;
}

static char *put_escaped(char *at, unsigned c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *found = c && c < 0x80 ? strchr(plain, (int)c) : NULL;

    if (found) {
        *at++ = '\\';
        *at++ = letter[found - plain];
    } else if (c >= 0x20 && c < 0x7f) {
        *at++ = (char)c;
    } else if (c < 0x10000) {
        at = put_hex(at, c);
    } else {
        at = put_hex(at, 0xd800 + ((c - 0x10000) >> 10));
        at = put_hex(at, 0xdc00 + ((c - 0x10000) & 0x3ff));
    }
    return at;
}

/* Writes s as it stands between the quotes of a JSON string, in ASCII; at most
 * NAME_MOST bytes of it, in whole characters. */
static void escape(const char *s, char out[ESCAPED])
{
    size_t n = strnlen(s, NAME_MOST + 4), used = 0;

    while (used < n) {
        unsigned c;
        size_t size = decode((const unsigned char *)s + used, n - used, &c);

        if (used + size > NAME_MOST)
            break;
        used += size;
        out = put_escaped(out, c);
    }
    *out = '\0';
}

/* The significant digits of |x| (finite) as "DDDD", its decimal point left
 * out, whatever the program's locale; *exponent is that of the first one. */
static int digits_of(double x, char out[NUMBER], int *exponent)
{
    char text[NUMBER + 8];
    int n = 0;

    /* Tiny numbers have few digits; others read back from 15 at the earliest.
     */
    for (int precision = fabs(x) < 1e-300 ? 0 : 14; precision < 17;
         precision++) {
        snprintf(text, sizeof text, "%.*e", precision, x);
        if (strtod(text, NULL) == x)
            break;
    }
    for (const char *c = text; *c && *c != 'e'; c++)
        if (*c >= '0' && *c <= '9')
            out[n++] = *c;
    *exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    while (n > 1 && out[n - 1] == '0')
        n--;
    return n;
}

/* d.ddde-07: what is too small or too large to be written out. */
static char *put_scaled(char *at, const char *digits, int n, int exponent)
{
    int size = abs(exponent);

    *at++ = digits[0];
    if (n > 1)
        *at++ = '.';
    for (int i = 1; i < n; i++)
        *at++ = digits[i];
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
        *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    return at;
}

/* 0.0ddd, dd.dd or dd00.0: at least one digit on either side of the point. */
static char *put_plain(char *at, const char *digits, int n, int exponent)
{
    for (int i = exponent < 0 ? exponent : 0; i < n || i <= exponent + 1; i++) {
        *at++ = '0';
        if (i >= 0 && i < n)
            at[-1] = digits[i];
        if (i == exponent)
            *at++ = '.';
    }
    return at;
}

/* The shortest text that reads back as x, as Python's str(float) has it. */
static void print_double(double x, char out[NUMBER])
{
    char digits[NUMBER] = "0", *at = out;
    int n, exponent;

    if (!isfinite(x)) {
        put(out, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
        return;
    }
    n = digits_of(x, digits, &exponent);
    if (signbit(x))
        *at++ = '-';
    if (exponent < -4 || exponent >= 16)
        at = put_scaled(at, digits, n, exponent);
    else
        at = put_plain(at, digits, n, exponent);
    *at = '\0';
}

/* ---- one line ---- */

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Unique for every report of every process: a child after fork has a pid of
 * its own, and takes a start of its own because pids come again. */
static void print_sequence(hypertune *h, int64_t now, char out[SEQUENCE])
{
    int64_t pid = getpid();

    if (__atomic_load_n(&h->pid, __ATOMIC_ACQUIRE) != pid) {
        __atomic_store_n(&h->start, now, __ATOMIC_RELEASE);
        __atomic_store_n(&h->pid, pid, __ATOMIC_RELEASE);
    }
    snprintf(out, SEQUENCE, "%lld-%llx-%lld", (long long)pid,
             (unsigned long long)__atomic_load_n(&h->start, __ATOMIC_ACQUIRE),
             (long long)__atomic_add_fetch(&h->counter, 1, __ATOMIC_RELAXED));
}

struct field {
    const char *key, *value;
    int bare; /* a number, without quotes */
};

/* Puts the metric among the fixed fields, by the order of their keys; one that
 * is named like a fixed field takes its place, as in Python. */
static size_t insert(struct field *fields, size_t n, const char *metric,
                     struct field field)
{
    size_t i = 0;

    while (i < n && strcmp(fields[i].key, metric) < 0)
        i++;
    if (i == n || strcmp(fields[i].key, metric) != 0) {
        memmove(fields + i + 1, fields + i, (n - i) * sizeof *fields);
        n++;
    }
    fields[i] = field;
    return n;
}

static size_t compose(hypertune *h, const char *metric, double value,
                      int64_t step, char line[LINE])
{
    int64_t now = now_ns();
    char name[ESCAPED], number[NUMBER], count[NUMBER], when[NUMBER],
        sequence[SEQUENCE];
    struct field fields[6] = {{"checkpoint_path", "", 0},
                              {"global_step", count, 0},
                              {"sequence", sequence, 0},
                              {"timestamp", when, 1},
                              {"trial", h->trial, 0}};
    size_t n = 5;
    char *at = line;

    if (!metric || !*metric)
        metric = "training/hptuning/metric";
    escape(metric, name);
    print_double(value, number);
    snprintf(count, sizeof count, "%lld", (long long)(step > 0 ? step : 0));
    snprintf(when, sizeof when, "%lld.%06d", (long long)(now / 1000000000),
             (int)(now % 1000000000 / 1000));
    print_sequence(h, now, sequence);
    if (h->rewrite) {
        memmove(fields + 2, fields + 3, 2 * sizeof *fields);
        n = 4;
    }
    n = insert(fields, n, metric, (struct field){name, number, 0});
    if (__atomic_exchange_n(&h->torn, 0, __ATOMIC_ACQ_REL))
        *at++ = '\n';
    for (size_t i = 0; i < n; i++) {
        at = put(at, i ? ", \"" : "{\"");
        at = put(put(at, fields[i].key), "\": ");
        at = put(at, fields[i].bare ? "" : "\"");
        at = put(put(at, fields[i].value), fields[i].bare ? "" : "\"");
    }
    return (size_t)(put(at, "}\n") - line);
}

/* ---- the file ---- */

/* Opens the report file for appending; a FIFO, a terminal or a device is
 * refused, because writing there may wait or signal. */
static int open_file(const char *path, int create, struct stat *st)
{
    int fd = open(
        path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | create,
        0644);

    if (fd < 0)
        return -1;
    if (fstat(fd, st) < 0 || !S_ISREG(st->st_mode)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The descriptor, if it still is the report file; else a new one. Whoever
 * closed ours may have another file under its number: it is left alone. */
static int descriptor(hypertune *h, struct stat *st)
{
    int fd = __atomic_load_n(&h->fd, __ATOMIC_ACQUIRE), again;

    if (fstat(fd, st) == 0 && st->st_dev == h->device && st->st_ino == h->inode)
        return fd;
    again = open_file(h->path, 0, st);
    if (again < 0)
        return -1;
    if (st->st_dev != h->device || st->st_ino != h->inode) {
        close(again); /* another file has that path now: not ours to write */
        return -1;
    }
    if (!__atomic_compare_exchange_n(&h->fd, &fd, again, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        close(again); /* another thread was faster */
        return fd;
    }
    return again;
}

/* Whether n bytes more would break the limit on the size of files, which
 * raises SIGXFSZ. */
static int over_limit(const struct stat *st, size_t n)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           limit.rlim_cur != RLIM_INFINITY &&
           (rlim_t)st->st_size + n > limit.rlim_cur;
}

static int append(hypertune *h, const char *metric, double value, int64_t step)
{
    char line[LINE];
    struct stat st;
    int fd = descriptor(h, &st);
    size_t n;
    ssize_t written = -1;

    if (fd < 0)
        return -1;
    n = compose(h, metric, value, step, line);
    if (!over_limit(&st, n)) {
        do
            written = write(fd, line, n);
        while (written < 0 && errno == EINTR);
    }
    if (written == (ssize_t)n)
        return 0;
    if (written > 0 || line[0] == '\n')
        __atomic_store_n(&h->torn, 1, __ATOMIC_RELEASE);
    return -1;
}

static void make_parents(const char *path)
{
    char folder[PATH_MAX];
    size_t n = strlen(path);

    if (n >= sizeof folder)
        return;
    memcpy(folder, path, n + 1);
    for (char *slash = strchr(folder + (n > 0), '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0755); /* open says what is wrong, if something is */
        *slash = '/';
    }
}

/* ---- CLUSTER_SPEC: just enough JSON to find two members ---- */

static const char *blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* The end of the string that begins at s; NULL if it has none. */
static const char *skip_string(const char *s)
{
    for (s++; *s && *s != '"'; s++)
        if (*s == '\\' && !*++s)
            return NULL;
    return *s ? s + 1 : NULL;
}

/* The end of the value that begins at s; NULL if it has none. */
static const char *skip_value(const char *s)
{
    int depth = 0;

    do {
        s = blanks(s);
        if (*s == '"') {
            if (!(s = skip_string(s)))
                return NULL;
            continue;
        }
        if (!*s)
            return NULL;
        if (strchr("}]", *s) && depth-- == 0)
            return s;
        if (strchr("{[", *s))
            depth++;
        if (strchr("{[]},:", *s))
            s++;
        else
            s += strcspn(s, " \t\r\n{[]},:\"");
    } while (depth > 0);
    return s;
}

/* The value of a member of the object that begins at s, or NULL. */
static const char *member(const char *s, const char *key)
{
    size_t n = strlen(key);

    if (!s || *(s = blanks(s)) != '{')
        return NULL;
    for (s = blanks(s + 1); *s == '"'; s = blanks(s + 1)) {
        const char *name = s + 1;

        s = skip_string(s);
        if (!s || *blanks(s) != ':')
            return NULL;
        if ((size_t)(s - 1 - name) == n && memcmp(name, key, n) == 0)
            return blanks(blanks(s) + 1);
        s = skip_value(blanks(s) + 1);
        if (!s || *(s = blanks(s)) != ',')
            return NULL;
    }
    return NULL;
}

/* Copies the task's type to out (as long as spec, at least) and sets *index;
 * leaves both alone where the text does not say. */
static void read_task(const char *spec, char *out, int *index)
{
    const char *task = member(spec, "task"), *type = member(task, "type"),
               *number = member(task, "index"), *end;

    if (type && *type == '"' && (end = skip_string(type))) {
        memcpy(out, type + 1, (size_t)(end - type - 2));
        out[end - type - 2] = '\0';
    }
    if (number) {
        long n = strtol(number, NULL, 10);

        if (n >= 0 && n <= INT_MAX)
            *index = (int)n;
    }
}

/* ---- opening ---- */

struct place {
    const char *path, *stop_file, *trial_id, *checkpoint_dir, *cluster;
    int rewrite;
};

static const char *env(const char *name, const char *other)
{
    const char *value = getenv(name);

    if (!value || !*value)
        value = other ? getenv(other) : NULL;
    return value && *value ? value : "";
}

static char *keep(char **room, const char *s, size_t spare)
{
    char *kept = *room;

    *room = put(kept, s) + 1 + spare;
    return kept;
}

/* gs:// is a place for a program only as /gcs/, where Google mounts it. */
static void settle_folder(char *folder)
{
    size_t n = strlen(folder);

    if (strncmp(folder, "gs://", 5) == 0)
        memcpy(folder, "/gcs/", 5);
    if (n > 0 && folder[n - 1] != '/')
        put(folder + n, "/");
}

static hypertune *build(const struct place *p)
{
    size_t room = strlen(p->path) + strlen(p->stop_file) + strlen(p->trial_id) +
                  strlen(p->checkpoint_dir) + strlen(p->cluster) + 32;
    hypertune *h = calloc(1, sizeof *h + room);
    char *at, *type;

    if (!h)
        return NULL;
    at = h->text;
    h->fd = -1;
    h->rewrite = p->rewrite;
    h->path = keep(&at, p->path, 0);
    h->stop_file = keep(&at, p->stop_file, 0);
    h->trial_id = keep(&at, p->trial_id, 0);
    h->checkpoint_dir = keep(&at, p->checkpoint_dir, 1);
    type = keep(&at, "master", strlen(p->cluster));
    h->task_type = type;
    settle_folder(h->checkpoint_dir);
    read_task(p->cluster, type, &h->task_index);
    escape(*p->trial_id ? p->trial_id : "0", h->trial);
    return h;
}

static int attach(hypertune *h)
{
    struct stat st;

    if (h->rewrite) /* as the Python package does */
        make_parents(h->path);
    h->fd = open_file(h->path, O_CREAT, &st);
    if (h->fd < 0)
        return -1;
    h->device = st.st_dev;
    h->inode = st.st_ino;
    return 0;
}

int hypertune_open(hypertune **out)
{
    int kept = errno, result = 0;
    struct place p = {env("HYPERTUNE_REPORT_FILE", NULL),
                      env("HYPERTUNE_STOP_FILE", NULL),
                      env("HYPERTUNE_TRIAL", "CLOUD_ML_TRIAL_ID"),
                      env("HYPERTUNE_CHECKPOINT_DIR", "AIP_CHECKPOINT_DIR"),
                      env("CLUSTER_SPEC", "TF_CONFIG"),
                      0};

    if (!*p.path) {
        p.path = env("CLOUD_ML_HP_METRIC_FILE", NULL);
        p.rewrite = 1;
    }
    *out = build(&p);
    if (!*out || (*p.path && attach(*out) < 0)) {
        free(*out);
        *out = NULL;
        result = -1;
    }
    errno = kept;
    return result;
}

int hypertune_report(hypertune *h, const char *metric, double value,
                     int64_t step)
{
    int kept = errno, result;

    if (!h || __atomic_load_n(&h->fd, __ATOMIC_ACQUIRE) < 0)
        return 0;
    result = append(h, metric, value, step);
    errno = kept;
    return result;
}

int hypertune_should_stop(const hypertune *h)
{
    int kept = errno, result;

    if (!h || !*h->stop_file)
        return 0;
    result = access(h->stop_file, F_OK) == 0;
    errno = kept;
    return result;
}

const char *hypertune_trial_id(const hypertune *h)
{
    return h ? h->trial_id : "";
}

const char *hypertune_task_type(const hypertune *h)
{
    return h ? h->task_type : "master";
}

int hypertune_task_index(const hypertune *h)
{
    return h ? h->task_index : 0;
}

const char *hypertune_checkpoint_dir(const hypertune *h)
{
    int kept = errno;

    if (!h)
        return "";
    if (*h->checkpoint_dir)
        make_parents(h->checkpoint_dir); /* it ends with '/' */
    errno = kept;
    return h->checkpoint_dir;
}

void hypertune_close(hypertune *h)
{
    int kept = errno;
    struct stat st;

    if (!h)
        return;
    if (h->fd >= 0 && fstat(h->fd, &st) == 0 && st.st_dev == h->device &&
        st.st_ino == h->inode)
        close(h->fd);
    free(h);
    errno = kept;
}
