// Starts the room thread once for a test process, with main stacks of 1 MiB and thread stacks of 64 KiB.
#ifndef SKEIN_TEST_UNIT_THREAD_ARENA_H
#define SKEIN_TEST_UNIT_THREAD_ARENA_H

#include "base/knobs.h"
#include "thread/stack.h"
#include "thread/table.h"

inline void arena_once() {
  static bool started = false;
  if (started)
    return;
  started = true;
  skein::knobs.stack_max = 1 << 20;
  skein::stacks_start();
  skein::thread_table_start(1);
}

#endif
