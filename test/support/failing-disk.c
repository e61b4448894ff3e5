// Preloaded into a process, makes the files below a directory those of a disk that is about to die, while a file says so: one
// integer of 64 bits, 1 for writes that fail with EIO and 2 for reads. A page of a mapped file that cannot be read ends the
// process with SIGBUS, as the kernel does it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITES = 1, READS = 2 };

static volatile const int64_t *fails;
static const char *under;
static int empty = -1;

static int fails_at(const char *path, int what) {
  return fails && (*fails & what) && !strncmp(path, under, strlen(under));
}

static int is_failing(int file, int what) {
  if (!fails || !(*fails & what)) return 0;
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (!fails_at(path, what)) return 0;
  errno = EIO;
  return 1;
}

// Nothing can be read of a mapping of an empty file.
static void empty_mapping(void *at, size_t length) {
  syscall(SYS_mmap, at, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, empty, 0);
}

static void empty_mappings(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps) return;
  char line[PATH_MAX + 128];
  while (fgets(line, sizeof line, maps)) {
    uintptr_t from, to;
    char *path = strchr(line, '/');
    if (path && sscanf(line, "%lx-%lx", &from, &to) == 2 && fails_at(path, READS)) empty_mapping((void *)from, to - from);
  }
  fclose(maps);
}

static void *watch(void *unused) {
  (void)unused;
  struct timespec pause = {0, 1000000};
  while (!(*fails & READS)) nanosleep(&pause, NULL);
  empty_mappings();
  return NULL;
}

// The watching thread blocks all signals, so that the process still gets its own.
static void start_watch(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (!pthread_create(&thread, NULL, watch, NULL)) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

__attribute__((constructor)) static void open_switch(void) {
  const char *path = getenv("FAILING_DISK_FILE");
  under = getenv("FAILING_DISK_UNDER");
  int file = path && under ? open(path, O_RDONLY) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  empty = memfd_create("empty", MFD_CLOEXEC);
  if (mapped == MAP_FAILED || empty < 0) return;
  fails = mapped;
  start_watch();
}

ssize_t write(int file, const void *bytes, size_t count) {
  return is_failing(file, WRITES) ? -1 : syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  return is_failing(file, WRITES) ? -1 : syscall(SYS_pwrite64, file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) { return pwrite64(file, bytes, count, at); }

ssize_t writev(int file, const struct iovec *pieces, int count) {
  return is_failing(file, WRITES) ? -1 : syscall(SYS_writev, file, pieces, count);
}

ssize_t pwritev64(int file, const struct iovec *pieces, int count, off64_t at) {
  return is_failing(file, WRITES) ? -1 : syscall(SYS_pwritev, file, pieces, count, at, 0);
}

ssize_t pwritev(int file, const struct iovec *pieces, int count, off_t at) {
  return pwritev64(file, pieces, count, at);
}

int fsync(int file) { return is_failing(file, WRITES) ? -1 : (int)syscall(SYS_fsync, file); }

int fdatasync(int file) { return is_failing(file, WRITES) ? -1 : (int)syscall(SYS_fdatasync, file); }

ssize_t read(int file, void *bytes, size_t count) {
  return is_failing(file, READS) ? -1 : syscall(SYS_read, file, bytes, count);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t at) {
  return is_failing(file, READS) ? -1 : syscall(SYS_pread64, file, bytes, count, at);
}

ssize_t pread(int file, void *bytes, size_t count, off_t at) { return pread64(file, bytes, count, at); }

ssize_t readv(int file, const struct iovec *pieces, int count) {
  return is_failing(file, READS) ? -1 : syscall(SYS_readv, file, pieces, count);
}

ssize_t preadv64(int file, const struct iovec *pieces, int count, off64_t at) {
  return is_failing(file, READS) ? -1 : syscall(SYS_preadv, file, pieces, count, at, 0);
}

ssize_t preadv(int file, const struct iovec *pieces, int count, off_t at) { return preadv64(file, pieces, count, at); }

void *mmap64(void *at, size_t length, int protection, int flags, int file, off64_t from) {
  void *mapped = (void *)syscall(SYS_mmap, at, length, protection, flags, file, from);
  if (mapped != MAP_FAILED && file >= 0 && is_failing(file, READS)) empty_mapping(mapped, length);
  return mapped;
}

void *mmap(void *at, size_t length, int protection, int flags, int file, off_t from) {
  return mmap64(at, length, protection, flags, file, from);
}
