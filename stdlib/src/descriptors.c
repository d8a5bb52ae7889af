/* Descriptors: small numbers that mean an open file in one process, and perhaps another file in the next.
 *
 * Open files do not move with a thread. What must not happen is that it reads or writes another file of that number on
 * the node where it has arrived. So in a run of several nodes each node remembers for each descriptor which thread got
 * it. A use is let through if
 *
 *   * it is standard output or error, which all nodes share, or standard input on node 0;
 *   * the thread got the descriptor on this node (and may have been elsewhere since then); or
 *   * the thread has never moved: then it has it from somebody of its own node.
 *
 * Everything else fails with EBADF, and says on standard error once for each descriptor what happened. After a move
 * that also goes for a descriptor that another thread of the new node handed over: its number alone does not tell whose
 * it is.
 *
 * Calls that get here: those of code compiled by skeincc. Functions of the library that keep a descriptor inside
 * (fopen) hand out pointers to its memory, with which a thread cannot leave.
 *
 * Rejected: a range of numbers for each node (programs expect the lowest free number; UCX takes numbers, too); a list
 * in thread-local memory that moves with the thread (every thread that opens a file then needs private memory, which
 * costs more than the file). */
#include "library.h"

#include "abi/entry_points.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <skein/nodes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { DESCRIPTORS = 1 << 20 }; /* for greater ones it is not known which thread got them */
/* Threads, by descriptor; 0: not known. Memory exists only where it is used. */
static _Atomic uint64_t *_Atomic holders;

/* This bit is set if the descriptor keeps the thread here while the program itself does not ask it to leave. A
 * descriptor inside of a FILE or DIR does not keep it, since it is not seen when that is closed: there the pointer
 * keeps the thread. */
static const uint64_t COUNTED = UINT64_C(1) << 63;

static _Atomic uint64_t *holder_of(int descriptor) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS)
    return NULL;
  _Atomic uint64_t *table = holders, *none = NULL;
  if (!table) {
    const size_t bytes = DESCRIPTORS * sizeof *table;
    table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED)
      return NULL;
    if (!atomic_compare_exchange_strong(&holders, &none, table)) {
      munmap(table, bytes);
      table = none;
    }
  }
  return &table[descriptor];
}

/* Notes which thread has `descriptor` from here on. */
static void note(int descriptor, uint64_t holder) {
  if (descriptor <= STDERR_FILENO || skein_nodes_most() == 1)
    return;
  const int error = errno;
  _Atomic uint64_t *entry = holder_of(descriptor);
  const uint64_t before = entry ? atomic_exchange_explicit(entry, holder, memory_order_relaxed) : holder;
  if (before != holder && (before & COUNTED))
    __skein_descriptor_closed(before & ~COUNTED);
  if (before != holder && (holder & COUNTED))
    __skein_descriptor_opened();
  errno = error;
}

/* The calling thread got `descriptor` (or an error) here; `of_stream`: one that a FILE or DIR keeps. */
static int got(int descriptor) {
  note(descriptor, skein_self() | COUNTED);
  return descriptor;
}
static int got_of_stream(int descriptor) {
  note(descriptor, skein_self());
  return descriptor;
}

/* What this thread has been told about: the latest. */
static _Thread_local int told[8];
static _Thread_local unsigned told_count;

static int refuse(int descriptor, const char *function) {
  int known = 0;
  for (unsigned i = 0; i < told_count && i < 8; i++)
    known |= told[i] == descriptor;
  if (!known) {
    told[told_count++ % 8] = descriptor;
    dprintf(STDERR_FILENO, "skein: %s: descriptor %d is not open on node %d for thread %llu, which moved here%s\n",
            function, descriptor, skein_node(), (unsigned long long)skein_self(),
            descriptor == STDIN_FILENO ? ": standard input is read on node 0 only"
                                       : " and did not open it: open files do not move. Open it after the move");
  }
  errno = EBADF;
  return 0;
}

/* Whether the thread may use `descriptor` on this node. */
static int usable(int descriptor, const char *function) {
  if (skein_nodes_most() == 1 || descriptor < 0 || descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO)
    return 1;
  if (descriptor == STDIN_FILENO && skein_node() != 0)
    return refuse(descriptor, function);
  if (descriptor == STDIN_FILENO || __skein_moves() == 0)
    return 1;
  const _Atomic uint64_t *holder = holder_of(descriptor);
  return (holder && (atomic_load_explicit(holder, memory_order_relaxed) & ~COUNTED) == skein_self()) ||
         refuse(descriptor, function);
}

/* --- what gives descriptors -------------------------------------------------------------------------------------- */

static mode_t mode_after(int flags, va_list rest) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

#define OPEN(name)                                                                                                     \
  int __skein_c_##name(const char *path, int flags, ...) {                                                             \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode_t mode = mode_after(flags, rest);                                                                             \
    va_end(rest);                                                                                                      \
    return got(name(path, flags, mode));                                                                               \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
  int __skein_c_##name(int folder, const char *path, int flags, ...) {                                                 \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode_t mode = mode_after(flags, rest);                                                                             \
    va_end(rest);                                                                                                      \
    if (folder != AT_FDCWD && !usable(folder, #name))                                                                  \
      return -1;                                                                                                       \
    return got(name(folder, path, flags, mode));                                                                       \
  }
OPENAT(openat)
OPENAT(openat64)

#define MAKE(name, parameters, arguments)                                                                              \
  int __skein_c_##name parameters { return got(name arguments); }
MAKE(creat, (const char *path, mode_t mode), (path, mode))
MAKE(creat64, (const char *path, mode_t mode), (path, mode))
MAKE(mkstemp, (char *path), (path))
MAKE(mkstemp64, (char *path), (path))
MAKE(memfd_create, (const char *name, unsigned flags), (name, flags))
MAKE(socket, (int domain, int type, int protocol), (domain, type, protocol))
MAKE(epoll_create, (int size), (size))
MAKE(epoll_create1, (int flags), (flags))
MAKE(eventfd, (unsigned value, int flags), (value, flags))

int __skein_c_fileno(FILE *stream) { return got_of_stream(fileno(stream)); }
int __skein_c_dirfd(DIR *folder) { return got_of_stream(dirfd(folder)); }

#define MAKE_TWO(name, parameters, arguments)                                                                          \
  int __skein_c_##name parameters {                                                                                    \
    int result = name arguments;                                                                                       \
    if (result == 0)                                                                                                   \
      got(two[0]), got(two[1]);                                                                                        \
    return result;                                                                                                     \
  }
MAKE_TWO(pipe, (int two[2]), (two))
MAKE_TWO(pipe2, (int two[2], int flags), (two, flags))
MAKE_TWO(socketpair, (int domain, int type, int protocol, int two[2]), (domain, type, protocol, two))

/* --- what makes one of another ----------------------------------------------------------------------------------- */

#define MAKE_FROM(name, parameters, arguments)                                                                         \
  int __skein_c_##name parameters { return usable(descriptor, #name) ? got(name arguments) : -1; }
MAKE_FROM(dup, (int descriptor), (descriptor))
MAKE_FROM(dup2, (int descriptor, int to), (descriptor, to))
MAKE_FROM(dup3, (int descriptor, int to, int flags), (descriptor, to, flags))
MAKE_FROM(accept, (int descriptor, struct sockaddr *peer, socklen_t *bytes), (descriptor, peer, bytes))
MAKE_FROM(accept4, (int descriptor, struct sockaddr *peer, socklen_t *bytes, int flags),
          (descriptor, peer, bytes, flags))

/* The argument is an integer or an address, and passed on as it is. */
#define CONTROL(name)                                                                                                  \
  int __skein_c_##name(int descriptor, int command, ...) {                                                             \
    va_list rest;                                                                                                      \
    va_start(rest, command);                                                                                           \
    void *argument = va_arg(rest, void *);                                                                             \
    va_end(rest);                                                                                                      \
    if (!usable(descriptor, #name))                                                                                    \
      return -1;                                                                                                       \
    int result = name(descriptor, command, argument);                                                                  \
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? got(result) : result;                                    \
  }
CONTROL(fcntl)
CONTROL(fcntl64)

int __skein_c_ioctl(int descriptor, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return usable(descriptor, "ioctl") ? ioctl(descriptor, request, argument) : -1;
}

int __skein_c_close(int descriptor) {
  if (!usable(descriptor, "close"))
    return -1;
  note(descriptor, 0);
  return close(descriptor);
}

/* --- what uses them ---------------------------------------------------------------------------------------------- */

#define USE(result, failed, name, parameters, arguments)                                                               \
  result __skein_c_##name parameters { return usable(descriptor, #name) ? name arguments : (result)failed; }

USE(ssize_t, -1, read, (int descriptor, void *to, size_t bytes), (descriptor, to, bytes))
USE(ssize_t, -1, write, (int descriptor, const void *from, size_t bytes), (descriptor, from, bytes))
USE(ssize_t, -1, pread, (int descriptor, void *to, size_t bytes, off_t at), (descriptor, to, bytes, at))
USE(ssize_t, -1, pread64, (int descriptor, void *to, size_t bytes, off_t at), (descriptor, to, bytes, at))
USE(ssize_t, -1, pwrite, (int descriptor, const void *from, size_t bytes, off_t at), (descriptor, from, bytes, at))
USE(ssize_t, -1, pwrite64, (int descriptor, const void *from, size_t bytes, off_t at), (descriptor, from, bytes, at))
USE(ssize_t, -1, readv, (int descriptor, const struct iovec *pieces, int count), (descriptor, pieces, count))
USE(ssize_t, -1, writev, (int descriptor, const struct iovec *pieces, int count), (descriptor, pieces, count))
USE(off_t, -1, lseek, (int descriptor, off_t offset, int from), (descriptor, offset, from))
USE(off_t, -1, lseek64, (int descriptor, off_t offset, int from), (descriptor, offset, from))
USE(int, -1, fsync, (int descriptor), (descriptor))
USE(int, -1, fdatasync, (int descriptor), (descriptor))
USE(int, -1, ftruncate, (int descriptor, off_t bytes), (descriptor, bytes))
USE(int, -1, ftruncate64, (int descriptor, off_t bytes), (descriptor, bytes))
USE(int, -1, fstat, (int descriptor, struct stat *to), (descriptor, to))
USE(int, -1, fstat64, (int descriptor, struct stat64 *to), (descriptor, to))
USE(int, -1, fchmod, (int descriptor, mode_t mode), (descriptor, mode))
USE(int, -1, fchdir, (int descriptor), (descriptor))
USE(int, -1, flock, (int descriptor, int operation), (descriptor, operation))
USE(int, -1, lockf, (int descriptor, int command, off_t bytes), (descriptor, command, bytes))
USE(int, 0, isatty, (int descriptor), (descriptor))
USE(int, -1, connect, (int descriptor, const struct sockaddr *to, socklen_t bytes), (descriptor, to, bytes))
USE(int, -1, bind, (int descriptor, const struct sockaddr *to, socklen_t bytes), (descriptor, to, bytes))
USE(int, -1, listen, (int descriptor, int waiting), (descriptor, waiting))
USE(int, -1, shutdown, (int descriptor, int how), (descriptor, how))
USE(ssize_t, -1, send, (int descriptor, const void *from, size_t bytes, int flags), (descriptor, from, bytes, flags))
USE(ssize_t, -1, recv, (int descriptor, void *to, size_t bytes, int flags), (descriptor, to, bytes, flags))
USE(ssize_t, -1, sendto,
    (int descriptor, const void *from, size_t bytes, int flags, const struct sockaddr *to, socklen_t to_bytes),
    (descriptor, from, bytes, flags, to, to_bytes))
USE(ssize_t, -1, recvfrom,
    (int descriptor, void *to, size_t bytes, int flags, struct sockaddr *from, socklen_t *from_bytes),
    (descriptor, to, bytes, flags, from, from_bytes))
USE(ssize_t, -1, sendmsg, (int descriptor, const struct msghdr *message, int flags), (descriptor, message, flags))
USE(ssize_t, -1, recvmsg, (int descriptor, struct msghdr *message, int flags), (descriptor, message, flags))
USE(int, -1, getsockopt, (int descriptor, int level, int name, void *to, socklen_t *bytes),
    (descriptor, level, name, to, bytes))
USE(int, -1, setsockopt, (int descriptor, int level, int name, const void *from, socklen_t bytes),
    (descriptor, level, name, from, bytes))
USE(int, -1, getsockname, (int descriptor, struct sockaddr *to, socklen_t *bytes), (descriptor, to, bytes))
USE(int, -1, getpeername, (int descriptor, struct sockaddr *to, socklen_t *bytes), (descriptor, to, bytes))
USE(int, -1, epoll_wait, (int descriptor, struct epoll_event *to, int most, int wait_ms),
    (descriptor, to, most, wait_ms))
USE(int, -1, epoll_ctl, (int descriptor, int operation, int of, struct epoll_event *event),
    (descriptor, operation, of, event))

#define STREAM(type, name, parameters, arguments)                                                                      \
  type *__skein_c_##name parameters {                                                                                  \
    type *stream = usable(descriptor, #name) ? name arguments : NULL;                                                  \
    if (stream)                                                                                                        \
      got_of_stream(descriptor);                                                                                       \
    return stream;                                                                                                     \
  }
STREAM(FILE, fdopen, (int descriptor, const char *mode), (descriptor, mode))
STREAM(DIR, fdopendir, (int descriptor), (descriptor))

#define MAP(name)                                                                                                      \
  void *__skein_c_##name(void *at, size_t bytes, int protection, int flags, int descriptor, off_t from) {              \
    if (!(flags & MAP_ANONYMOUS) && !usable(descriptor, #name))                                                        \
      return MAP_FAILED;                                                                                               \
    return name(at, bytes, protection, flags, descriptor, from);                                                       \
  }
MAP(mmap)
MAP(mmap64)

#define TRANSFER(name)                                                                                                 \
  ssize_t __skein_c_##name(int to, int from, off_t *at, size_t bytes) {                                                \
    return usable(to, #name) && usable(from, #name) ? name(to, from, at, bytes) : -1;                                  \
  }
TRANSFER(sendfile)
TRANSFER(sendfile64)

int __skein_c_poll(struct pollfd *of, nfds_t count, int wait_ms) {
  for (nfds_t i = 0; i < count; ++i)
    if (!usable(of[i].fd, "poll"))
      return -1;
  return poll(of, count, wait_ms);
}

int __skein_c_select(int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict exceptional,
                     struct timeval *restrict wait) {
  for (int i = 0; i < count; ++i)
    if ((readable && FD_ISSET(i, readable)) || (writable && FD_ISSET(i, writable)) ||
        (exceptional && FD_ISSET(i, exceptional)))
      if (!usable(i, "select"))
        return -1;
  return select(count, readable, writable, exceptional, wait);
}
