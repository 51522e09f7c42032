/* Reads the few words of slurm.began and slurm.ended. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slurm/slurm_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "slurm/slurm_words.h"
#include "trials/proc.h"

enum { LINE = 1500, SIGNALS = 64, BY_SIGNAL = 128 };

/* The file's first line; false if it is not complete. */
static bool read_line(const char *folder, const char *file, char out[LINE])
{
    char *path = mem_format("%s/%s", folder, file);
    ssize_t n = proc_file(path, out, LINE);
    char *end = n > 0 ? strchr(out, '\n') : NULL;

    free(path);
    if (!end)
        return false;
    *end = '\0';
    return true;
}

bool slurm_files_began(const char *folder, struct slurm_began *out)
{
    char line[LINE];
    char word[32];

    *out = (struct slurm_began){0};
    if (!read_line(folder, "slurm.began", line))
        return false;
    if (slurm_words_value(line, "id", word, sizeof word))
        out->id = strtoll(word, NULL, 10);
    slurm_words_value(line, "node", out->node, sizeof out->node);
    return true;
}

/* A shell says 128 and the signal's number of who died of one. */
static void read_exit(struct slurm_ended *out, int code)
{
    out->exit_code = code;
    if (code > BY_SIGNAL && code <= BY_SIGNAL + SIGNALS) {
        out->exit_code = -1;
        out->signal_number = code - BY_SIGNAL;
    }
}

bool slurm_files_ended(const char *folder, struct slurm_ended *out)
{
    static const char refused[] = " refused=";
    char line[LINE];
    char word[32];
    const char *why;

    *out = (struct slurm_ended){.exit_code = 1};
    if (!read_line(folder, "slurm.ended", line))
        return false;
    why = strstr(line, refused);
    if (why)
        snprintf(out->refused, sizeof out->refused, "%s",
                 why + strlen(refused));
    if (slurm_words_value(line, "exit", word, sizeof word))
        read_exit(out, (int)strtol(word, NULL, 10));
    if (slurm_words_value(line, "term", word, sizeof word))
        out->terminated = *word == '1';
    if (slurm_words_value(line, "ms", word, sizeof word))
        out->ran_ms = strtoll(word, NULL, 10);
    slurm_words_value(line, "replica", out->replica, sizeof out->replica);
    slurm_words_value(line, "node", out->node, sizeof out->node);
    return true;
}

bool slurm_files_claim(const char *folder)
{
    static const char words[] = "id=0\n";
    char *path = mem_format("%s/slurm.began", folder);
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

    free(path);
    if (fd < 0)
        return false;
    if (write(fd, words, sizeof words - 1) < 0) {
        close(fd); /* an empty file keeps it from beginning as well */
        return true;
    }
    close(fd);
    return true;
}

bool slurm_files_ask(const char *folder)
{
    char *path = mem_format("%s/slurm.asked", folder);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    bool is = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        close(fd);
    free(path);
    return is;
}

bool slurm_files_asked(const char *folder)
{
    char *path = mem_format("%s/slurm.asked", folder);
    bool is = access(path, F_OK) == 0;

    free(path);
    return is;
}
