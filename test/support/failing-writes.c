// Preloaded into a process, fails its writes to the files below a directory with EIO while a file says so: one integer of 64
// bits. A disk that is about to die does the same: what it has can still be read.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile const int64_t *fails;
static const char *under;

__attribute__((constructor)) static void open_switch(void) {
  const char *path = getenv("FAILING_WRITES_FILE");
  under = getenv("FAILING_WRITES_UNDER");
  int file = path && under ? open(path, O_RDONLY) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) fails = mapped;
}

static int is_failing(int file) {
  if (!fails || !*fails) return 0;
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, under, strlen(under))) return 0;
  errno = EIO;
  return 1;
}

ssize_t write(int file, const void *bytes, size_t count) {
  return is_failing(file) ? -1 : syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  return is_failing(file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) { return pwrite64(file, bytes, count, at); }

ssize_t writev(int file, const struct iovec *pieces, int count) {
  return is_failing(file) ? -1 : syscall(SYS_writev, file, pieces, count);
}

ssize_t pwritev64(int file, const struct iovec *pieces, int count, off64_t at) {
  return is_failing(file) ? -1 : syscall(SYS_pwritev, file, pieces, count, at, 0);
}

ssize_t pwritev(int file, const struct iovec *pieces, int count, off_t at) {
  return pwritev64(file, pieces, count, at);
}

int fsync(int file) { return is_failing(file) ? -1 : (int)syscall(SYS_fsync, file); }

int fdatasync(int file) { return is_failing(file) ? -1 : (int)syscall(SYS_fdatasync, file); }
