/* LD_PRELOAD for the store: notes how much of each file a flush covered, and can make flushes slow or fail.
 *
 * SHIM_DIR/flushed  gets "<inode> <size>\n" after every successful fsync or fdatasync
 * SHIM_DIR/slow     while it exists, every flush takes 1.5 s
 * SHIM_DIR/eio      while it exists, every flush fails with EIO
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int there(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", getenv("SHIM_DIR"), name);
    return access(path, F_OK) == 0;
}

static int flushed(int fd, const char *name) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    struct stat st;
    if (there("eio")) {
        errno = EIO;
        return -1;
    }
    if (there("slow")) usleep(1500000);
    int known = fstat(fd, &st); /* Before the flush: bytes written meanwhile may not be covered. */
    int done = real(fd);
    if (done == 0 && known == 0 && S_ISREG(st.st_mode)) {
        char path[512], line[64];
        snprintf(path, sizeof path, "%s/flushed", getenv("SHIM_DIR"));
        int log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
        int n = snprintf(line, sizeof line, "%llu %lld\n", (unsigned long long)st.st_ino, (long long)st.st_size);
        if (log >= 0) {
            if (write(log, line, n) != n) abort();
            close(log);
        }
    }
    return done;
}

int fsync(int fd) { return flushed(fd, "fsync"); }
int fdatasync(int fd) { return flushed(fd, "fdatasync"); }
