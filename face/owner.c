/* The owner's token. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/owner.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "io/secret.h"

static bool is_token(const char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i < n; i++)
        if (!isgraph((unsigned char)text[i]))
            return false;
    return n >= OWNER_LEAST && n <= OWNER_MOST;
}

static int read_token(FILE *file, const char *path, char **out, struct err *e)
{
    char line[OWNER_MOST + 2] = "";
    struct stat st;

    if (!fgets(line, sizeof line, file))
        *line = 0;
    line[strcspn(line, "\r\n")] = 0;
    if (!is_token(line))
        return err_set(e, ERR_IO,
                       "%s holds no token: delete it, and the service makes a "
                       "new one",
                       path);
    if (!fstat(fileno(file), &st) && (st.st_mode & 077))
        log_write(LOG_LEVEL_WARN, "token_is_open",
                  "path=\"%s\" advice=\"chmod 600\"", path);
    *out = mem_copy_text(line);
    return 0;
}

/* Writes it beside its place and moves it there, so that it is whole or not
 * there at all. */
static int write_token(const char *path, const char *token, struct err *e)
{
    char *beside = mem_format("%s.new", path);
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    int rc = file ? 0 : -1;

    if (file) {
        rc = fprintf(file, "%s\n", token) < 0 || fflush(file) || fsync(fd);
        rc |= fclose(file);
    }
    if (!rc)
        rc = rename(beside, path);
    if (rc)
        err_errno(e, errno, "cannot write %s", path);
    free(beside);
    return rc ? -1 : 0;
}

static int make_token(const char *path, char **out, struct err *e)
{
    char secret[SECRET_TEXT];

    if (secret_make(secret, e))
        return -1;
    *out = mem_format(OWNER_PREFIX "%s", secret);
    if (!write_token(path, *out, e))
        return 0;
    free(*out);
    *out = NULL;
    return -1;
}

int owner_token(const char *state_dir, char **out, struct err *e)
{
    char *path = mem_format("%s/token", state_dir);
    FILE *file = fopen(path, "re");
    int rc;

    *out = NULL;
    if (file) {
        rc = read_token(file, path, out, e);
        (void)fclose(file);
    } else if (errno == ENOENT) {
        rc = make_token(path, out, e);
    } else {
        rc = err_errno(e, errno, "cannot read %s", path);
    }
    free(path);
    return rc;
}
