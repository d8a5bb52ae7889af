// See stdio.h.
#include "net/stdio.h"

#include "base/log.h"
#include "base/node.h"
#include "thread/thread.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/types.h>
#include <unistd.h>

namespace skein {

namespace {

ssize_t refuse_to_read(void *, char *, size_t) {
  const Thread *thread = thread_current();
  log("thread %s reads standard input on node %d: only node 0 has it. Read it before the thread moves, or pin the "
      "reader "
      "to node 0",
      thread ? thread_name(thread->id).text : "(none)", node.self);
  errno = EBADF;
  return -1;
}

} // namespace

void stdio_start() {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  if (node.self == 0)
    return;
  // An end of file would be a lie, and the real thing is what stdio of node 0 reads ahead of.
  if (int unreadable = open("/", O_PATH | O_CLOEXEC); unreadable >= 0) {
    dup2(unreadable, STDIN_FILENO);
    close(unreadable);
  }
  cookie_io_functions_t functions{};
  functions.read = refuse_to_read;
  if (FILE *nothing = fopencookie(nullptr, "r", functions))
    stdin = nothing;
}

void stdio_flush() {
  if (__fpending(stdout) != 0)
    fflush(stdout);
}

} // namespace skein
