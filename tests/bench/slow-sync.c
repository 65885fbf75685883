/*
 * A preloaded library that makes each fsync and fdatasync take at least SLOW_SYNC_MS, as on a slow disk, and counts
 * them in the first 8 bytes of the file SYNC_COUNT, which has to exist.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *counted;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("SYNC_COUNT");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) counted = mapped;
  close(file);
}

static int slowly(const char *name, int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *ms = getenv("SLOW_SYNC_MS");
  if (counted) __atomic_fetch_add(counted, 1, __ATOMIC_RELAXED);
  if (ms) usleep((useconds_t)(atoi(ms) * 1000));
  return real(file);
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
