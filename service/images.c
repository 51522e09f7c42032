/* The file that --image-map names. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

static int no_file(const char *path, int error_number, struct err *e)
{
    return err_errno(e, error_number, "the image map %s cannot be read", path);
}

static int read_all(const char *path, struct text *out, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char piece[4096];
    ssize_t n;

    if (fd < 0)
        return no_file(path, errno, e);
    while ((n = read(fd, piece, sizeof piece)) > 0 &&
           out->len <= NODE_MOST_BYTES)
        text_add_bytes(out, piece, (size_t)n);
    if (n < 0)
        no_file(path, errno, e);
    close(fd);
    return n < 0 ? -1 : 0;
}

/* A folder may come later, so that a map is not refused for it. */
static void look_for_folders(const struct image_map *m)
{
    struct stat is;

    for (size_t i = 0; i < m->n; i++) {
        const char *workdir = m->images[i].workdir;

        if (workdir && (stat(workdir, &is) || !S_ISDIR(is.st_mode)))
            log_write(LOG_LEVEL_WARN, "image_map",
                      "image=%s why=\"its workdir %s is no folder\"",
                      m->images[i].name, workdir);
    }
}

int images_read(struct image_map *out, const char *path, struct err *e)
{
    const char *slash = strrchr(path, '/');
    char *folder = mem_copy_bytes(path, slash ? (size_t)(slash - path) : 0);
    struct text bytes;
    int rc;

    text_init(&bytes);
    rc = read_all(path, &bytes, e);
    if (!rc)
        rc = image_map_read(out, text_str(&bytes), bytes.len, path, folder, e);
    if (!rc)
        look_for_folders(out);
    text_clear(&bytes);
    free(folder);
    return rc;
}
