// See stdio.h.
#include "net/run/stdio.h"

#include "base/log.h"
#include "base/node.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

namespace skein {

/// Once for each time that the program has not looked.
static void note_refused_read() {
  static std::atomic<bool> noted{false};
  const bool failed = node.self != 0 && ferror_unlocked(stdin);
  if (failed && !noted.exchange(true, std::memory_order_relaxed))
    log("standard input was read on node %d: only node 0 has it. Read it before the thread moves, or pin the reader to "
        "node 0",
        node.self);
  else if (!failed)
    noted.store(false, std::memory_order_relaxed);
}

void stdio_start() {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  if (node.self == 0)
    return;
  // An end of file would be a lie, and the real thing is what stdio of node 0 reads ahead of.
  if (int unreadable = open("/", O_PATH | O_CLOEXEC); unreadable >= 0) {
    dup2(unreadable, STDIN_FILENO);
    close(unreadable);
  }
  atexit(note_refused_read);
}

void stdio_flush() {
  note_refused_read();
  if (__fpending(stdout) != 0)
    fflush(stdout);
}

} // namespace skein
