// Prepares the standard streams of a node; see stdio.h.
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

/// Logs once that standard input was read here, and once more if the program has cleared the error since.
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
  // Reading must fail: an end of file would be wrong, and what stdio of node 0 has read ahead is not to be had here.
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
