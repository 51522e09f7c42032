/* The place on disk where the state lies. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/mem.h"

static int make_one(const char *path, struct err *e)
{
    struct stat st;

    if (!mkdir(path, 0700))
        return 0;
    if (errno == EEXIST && !stat(path, &st)) {
        if (S_ISDIR(st.st_mode))
            return 0;
        return err_set(e, ERR_IO, "%s is a file, not a folder", path);
    }
    err_errno(e, errno, "cannot make the folder %s", path);
    if (e)
        e->code = ERR_IO;
    return -1;
}

int disk_make_folder(const char *path, struct err *e)
{
    char *part = mem_copy_text(path);
    int rc = *path ? 0 : err_set(e, ERR_IO, "the folder's name is empty");

    for (char *c = part + (*part == '/'); !rc && *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        rc = make_one(part, e);
        *c = '/';
    }
    if (!rc)
        rc = make_one(part, e);
    free(part);
    return rc;
}

const char *disk_network_name(unsigned long type)
{
    static const struct {
        unsigned long type;
        const char *name;
    } rows[] = {
        {0x6969, "NFS"},        {0x517B, "SMB"},      {0xFF534D42, "CIFS"},
        {0xFE534D42, "SMB"},    {0x5346414F, "AFS"},  {0x0BD00BD0, "Lustre"},
        {0x00C36400, "CephFS"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type == (type & 0xFFFFFFFFUL))
            return rows[i].name;
    return NULL;
}

/* The folder that holds path. Yours. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return mem_copy_text(".");
    return mem_copy_bytes(path, slash == path ? 1 : (size_t)(slash - path));
}

int disk_check_local(const char *path, struct err *e)
{
    const char *allow = getenv("HYPERTUNE_ALLOW_NETWORK_DISK");
    char *folder = folder_of(path);
    const char *name = NULL;
    struct statfs fs;

    if (!statfs(folder, &fs))
        name = disk_network_name((unsigned long)fs.f_type);
    free(folder);
    if (!name || (allow && !strcmp(allow, "1")))
        return 0;
    return err_set(e, ERR_IO,
                   "%s lies on a network disk (%s), where a database can be "
                   "damaged: name a state directory on a local disk, or set "
                   "HYPERTUNE_ALLOW_NETWORK_DISK=1",
                   path, name);
}
