/*
 * Preloaded into the server by the power-loss soak. Appends every change below one folder, with its data, to a log
 * outside that folder, so that surviving.ts can compute what a power loss would leave.
 *
 * fsync and fdatasync of these files do not reach the disk: they only take a moment and write a line. So each sync
 * covers exactly the changes that were logged when it began. One lock makes the order of the log the order of the
 * changes. If the process is killed between a change and its line, the change was never synced and may be lost.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "The recorder needs 64-bit offsets.");

#define MOST_FILES 65536
#define CLONE_RANGE 0x4020940d /* FICLONERANGE of linux/fs.h */
#define CLONE 0x40049409       /* FICLONE */

enum kind { CREATE = 1, MKDIR, WRITE, TRUNCATE, SYNC, RENAME, LINK, UNLINK, RMDIR };

struct header {
  uint32_t kind;
  uint32_t from_length;
  uint32_t to_length;
  uint32_t data_length;
  uint64_t inode;
  uint64_t number; /* an offset, a size, or how many changes a sync covers */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static int log_file = -1;
static uint64_t logged;
static unsigned longest_sync = 2000;
/* The inodes of open files below the root; 0 for all others. */
static uint64_t inodes[MOST_FILES];

#define REAL(result, name, ...)                              \
  static result (*real)(__VA_ARGS__);                        \
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("POWER_FOLDER");
  const char *file = getenv("POWER_LOG");
  if (!folder || !file) return;
  snprintf(root, sizeof root, "%s", folder);
  root_length = strlen(root);
  log_file = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_below(const char *path) {
  return log_file >= 0 && strncmp(path, root, root_length) == 0 &&
         (path[root_length] == '/' || path[root_length] == '\0');
}

/* Makes a path absolute. Returns NULL if it is not below the root. Expects paths without `..`, as the server's are. */
static const char *place(int folder, const char *path, char *buffer) {
  if (log_file < 0 || !path) return NULL;
  if (path[0] != '/') {
    char link[64];
    char base[PATH_MAX];
    snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, base, sizeof base - 1);
    if (length < 0) return NULL;
    base[length] = '\0';
    if (snprintf(buffer, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return NULL;
  } else {
    if (snprintf(buffer, PATH_MAX, "%s", path) >= PATH_MAX) return NULL;
  }
  size_t length = strlen(buffer);
  while (length > 1 && buffer[length - 1] == '/') buffer[--length] = '\0';
  return is_below(buffer) ? buffer : NULL;
}

static uint64_t inode_of(int file) {
  return file >= 0 && file < MOST_FILES ? __atomic_load_n(&inodes[file], __ATOMIC_ACQUIRE) : 0;
}

/* Appends a record to the log. The caller holds the lock. */
static void record(enum kind kind, uint64_t inode, uint64_t number, const char *from, const char *to,
                   const void *data, size_t length) {
  struct header header = {kind, from ? strlen(from) : 0, to ? strlen(to) : 0, length, inode, number};
  struct iovec parts[] = {
      {&header, sizeof header},
      {(void *)from, header.from_length},
      {(void *)to, header.to_length},
      {(void *)data, length},
  };
  size_t wanted = sizeof header + header.from_length + header.to_length + length;
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  if (real(log_file, parts, 4) != (ssize_t)wanted) {
    static const char words[] = "The power-loss recorder could not write its log.\n";
    syscall(SYS_write, 2, words, sizeof words - 1);
    abort();
  }
  logged += 1;
}

/* Logs bytes that were just written, as they are in the file. The caller holds the lock. */
static void record_range(int file, uint64_t inode, uint64_t offset, size_t length) {
  int reading = file;
  char link[64];
  int flags = (int)syscall(SYS_fcntl, file, F_GETFL);
  if ((flags & O_ACCMODE) == O_WRONLY) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    reading = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
  }
  char *bytes = malloc(length);
  ssize_t got = bytes ? (ssize_t)syscall(SYS_pread64, reading, bytes, length, offset) : -1;
  if (got > 0) record(WRITE, inode, offset, NULL, NULL, bytes, (size_t)got);
  free(bytes);
  if (reading != file) syscall(SYS_close, reading);
}

/* Where the last `length` bytes were written. The caller holds the lock. */
static uint64_t written_at(int file, size_t length) {
  return (uint64_t)syscall(SYS_lseek, file, 0, SEEK_CUR) - length;
}

static int open_recorded(int folder, const char *path, int flags, mode_t mode) {
  char buffer[PATH_MAX];
  const char *full = place(folder, path, buffer);
  if (!full) return (int)syscall(SYS_openat, folder, path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat before, after;
  int is_new = (flags & O_CREAT) && lstat(full, &before) != 0;
  int file = (int)syscall(SYS_openat, folder, path, flags, mode);
  int error = errno;
  if (file >= 0 && file < MOST_FILES && fstat(file, &after) == 0) {
    __atomic_store_n(&inodes[file], (uint64_t)after.st_ino, __ATOMIC_RELEASE);
    if (is_new) record(CREATE, after.st_ino, 0, full, NULL, NULL, 0);
    else if (flags & O_TRUNC) record(TRUNCATE, after.st_ino, 0, NULL, NULL, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return file;
}

#define MODE_OF(flags, last)                        \
  mode_t mode = 0;                                  \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {          \
    va_list more;                                   \
    va_start(more, last);                           \
    mode = va_arg(more, mode_t);                    \
    va_end(more);                                   \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  return open_recorded(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  return open_recorded(folder, path, flags, mode);
}
int creat(const char *path, mode_t mode) {
  return open_recorded(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

static void forget(int file) {
  if (file >= 0 && file < MOST_FILES) __atomic_store_n(&inodes[file], 0, __ATOMIC_RELEASE);
}
int close(int file) {
  REAL(int, "close", int);
  forget(file);
  return real(file);
}

/* Runs a write and logs what it wrote. `at`: the offset, or -1 to use the file's position. */
#define WRITING(file, at, call)                                                     \
  uint64_t inode = inode_of(file);                                                  \
  if (!inode) return call;                                                          \
  pthread_mutex_lock(&lock);                                                        \
  ssize_t done = call;                                                              \
  int error = errno;                                                                \
  if (done > 0) {                                                                   \
    int64_t asked = (int64_t)(at);                                                  \
    uint64_t offset = asked >= 0 ? (uint64_t)asked : written_at(file, (size_t)done); \
    record_range(file, inode, offset, (size_t)done);                                \
  }                                                                                 \
  pthread_mutex_unlock(&lock);                                                      \
  errno = error;                                                                    \
  return done

ssize_t write(int file, const void *data, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t);
  WRITING(file, -1, real(file, data, length));
}
ssize_t pwrite(int file, const void *data, size_t length, off_t at) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  WRITING(file, at, real(file, data, length, at));
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  WRITING(file, -1, real(file, parts, count));
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
  WRITING(file, at, real(file, parts, count, at));
}
ssize_t pwritev2(int file, const struct iovec *parts, int count, off_t at, int flags) {
  REAL(ssize_t, "pwritev2", int, const struct iovec *, int, off_t, int);
  WRITING(file, at, real(file, parts, count, at, flags));
}
ssize_t sendfile(int file, int from, off_t *at, size_t length) {
  REAL(ssize_t, "sendfile", int, int, off_t *, size_t);
  WRITING(file, -1, real(file, from, at, length));
}

/* Programs that copy have another way when the system does not offer these. */
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t length, unsigned flags) {
  REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
  if (!inode_of(to)) return real(from, from_at, to, to_at, length, flags);
  errno = ENOSYS;
  return -1;
}
int ioctl(int file, unsigned long request, ...) {
  va_list more;
  va_start(more, request);
  void *argument = va_arg(more, void *);
  va_end(more);
  REAL(int, "ioctl", int, unsigned long, ...);
  if (inode_of(file) && (request == CLONE || request == CLONE_RANGE)) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return real(file, request, argument);
}
long syscall(long number, ...) {
  va_list more;
  va_start(more, number);
  long a[6];
  for (int i = 0; i < 6; i += 1) a[i] = va_arg(more, long);
  va_end(more);
  static long (*real)(long, ...);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "syscall");
  if (number == SYS_close) forget((int)a[0]); /* libuv closes files this way */
  if (number == SYS_copy_file_range && inode_of((int)a[2])) {
    errno = ENOSYS;
    return -1;
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#define RESIZING(file, size_after, call)                                           \
  uint64_t inode = inode_of(file);                                                 \
  if (!inode) return call;                                                         \
  pthread_mutex_lock(&lock);                                                       \
  int result = call;                                                               \
  int error = errno;                                                               \
  if (result == 0) record(TRUNCATE, inode, (uint64_t)(size_after), NULL, NULL, NULL, 0); \
  pthread_mutex_unlock(&lock);                                                     \
  errno = error;                                                                   \
  return result

int ftruncate(int file, off_t size) {
  REAL(int, "ftruncate", int, off_t);
  RESIZING(file, size, real(file, size));
}

static uint64_t size_of(int file) {
  struct stat now;
  return fstat(file, &now) == 0 ? (uint64_t)now.st_size : 0;
}
int fallocate(int file, int mode, off_t at, off_t length) {
  REAL(int, "fallocate", int, int, off_t, off_t);
  RESIZING(file, size_of(file), real(file, mode, at, length));
}
int posix_fallocate(int file, off_t at, off_t length) {
  REAL(int, "posix_fallocate", int, off_t, off_t);
  RESIZING(file, size_of(file), real(file, at, length));
}

static int sync_recorded(int file, int (*real)(int)) {
  uint64_t inode = inode_of(file);
  if (!inode) return real(file);
  pthread_mutex_lock(&lock);
  uint64_t covered = logged;
  pthread_mutex_unlock(&lock);
  usleep((unsigned)(covered * 2654435761u) % longest_sync);
  pthread_mutex_lock(&lock);
  record(SYNC, inode, covered, NULL, NULL, NULL, 0);
  pthread_mutex_unlock(&lock);
  return 0;
}
int fsync(int file) {
  REAL(int, "fsync", int);
  return sync_recorded(file, real);
}
int fdatasync(int file) {
  REAL(int, "fdatasync", int);
  return sync_recorded(file, real);
}

static uint64_t inode_at(const char *path) {
  struct stat now;
  return lstat(path, &now) == 0 ? (uint64_t)now.st_ino : 0;
}

/* Sockets do not survive a power loss, and the log leaves them out. */
static int is_socket(const char *path) {
  struct stat now;
  return lstat(path, &now) == 0 && S_ISSOCK(now.st_mode);
}

/* Logs a change of names. A path outside the root is NULL. The caller holds the lock. */
static void record_names(enum kind kind, const char *from, const char *to) {
  if (from && (to || (kind != RENAME && kind != LINK))) {
    record(kind, kind == MKDIR ? inode_at(from) : 0, 0, from, to, NULL, 0);
  } else if (from && kind == RENAME) {
    record(UNLINK, 0, 0, from, NULL, NULL, 0);
  } else if (to) {
    /* What comes from outside is a new file with all of its content. */
    int file = (int)syscall(SYS_openat, AT_FDCWD, to, O_RDONLY | O_CLOEXEC, 0);
    record(CREATE, inode_at(to), 0, to, NULL, NULL, 0);
    if (file >= 0) {
      record_range(file, inode_at(to), 0, size_of(file));
      syscall(SYS_close, file);
    }
  }
}

/* Runs a call that changes names, and logs it if it succeeds. */
#define NAMING(kind, from_folder, from, to_folder, to, call)                         \
  char from_buffer[PATH_MAX], to_buffer[PATH_MAX];                                   \
  const char *from_path = place(from_folder, from, from_buffer);                     \
  const char *to_path = place(to_folder, to, to_buffer);                             \
  if (!from_path && !to_path) return call;                                           \
  pthread_mutex_lock(&lock);                                                         \
  int is_left_out = from_path && is_socket(from_path);                               \
  int result = call;                                                                 \
  int error = errno;                                                                 \
  if (result == 0 && !is_left_out) record_names(kind, from_path, to_path);            \
  pthread_mutex_unlock(&lock);                                                       \
  errno = error;                                                                     \
  return result

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  NAMING(RENAME, AT_FDCWD, from, AT_FDCWD, to, real(from, to));
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  REAL(int, "renameat", int, const char *, int, const char *);
  NAMING(RENAME, from_folder, from, to_folder, to, real(from_folder, from, to_folder, to));
}
int link(const char *from, const char *to) {
  REAL(int, "link", const char *, const char *);
  NAMING(LINK, AT_FDCWD, from, AT_FDCWD, to, real(from, to));
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  REAL(int, "linkat", int, const char *, int, const char *, int);
  NAMING(LINK, from_folder, from, to_folder, to, real(from_folder, from, to_folder, to, flags));
}
int unlink(const char *path) {
  REAL(int, "unlink", const char *);
  NAMING(UNLINK, AT_FDCWD, path, AT_FDCWD, NULL, real(path));
}
int unlinkat(int folder, const char *path, int flags) {
  REAL(int, "unlinkat", int, const char *, int);
  NAMING((flags & AT_REMOVEDIR ? RMDIR : UNLINK), folder, path, AT_FDCWD, NULL, real(folder, path, flags));
}
int remove(const char *path) {
  REAL(int, "remove", const char *);
  NAMING(UNLINK, AT_FDCWD, path, AT_FDCWD, NULL, real(path));
}
int rmdir(const char *path) {
  REAL(int, "rmdir", const char *);
  NAMING(RMDIR, AT_FDCWD, path, AT_FDCWD, NULL, real(path));
}
int mkdir(const char *path, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t);
  NAMING(MKDIR, AT_FDCWD, path, AT_FDCWD, NULL, real(path, mode));
}
int mkdirat(int folder, const char *path, mode_t mode) {
  REAL(int, "mkdirat", int, const char *, mode_t);
  NAMING(MKDIR, folder, path, AT_FDCWD, NULL, real(folder, path, mode));
}
char *mkdtemp(char *path) {
  REAL(char *, "mkdtemp", char *);
  pthread_mutex_lock(&lock);
  char *made = real(path);
  if (made && is_below(made)) record(MKDIR, inode_at(made), 0, made, NULL, NULL, 0);
  pthread_mutex_unlock(&lock);
  return made;
}

/* With 64-bit offsets, the functions for large files are the same ones. */
#define SAME(result, name, of, ...) result name(__VA_ARGS__) __attribute__((alias(#of)))
SAME(int, open64, open, const char *, int, ...);
SAME(int, openat64, openat, int, const char *, int, ...);
SAME(ssize_t, pwrite64, pwrite, int, const void *, size_t, off64_t);
SAME(ssize_t, pwritev64, pwritev, int, const struct iovec *, int, off64_t);
SAME(ssize_t, sendfile64, sendfile, int, int, off64_t *, size_t);
SAME(int, ftruncate64, ftruncate, int, off64_t);
SAME(int, fallocate64, fallocate, int, int, off64_t, off64_t);
SAME(int, posix_fallocate64, posix_fallocate, int, off64_t, off64_t);
