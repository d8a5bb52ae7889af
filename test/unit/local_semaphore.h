// Waiting for a semaphore of this process without handles: a stub of the tests' own (test_semaphore_wait, in a .S file
// of the program that includes this once) around the core of sync/semaphore.h.
#ifndef TEST_UNIT_LOCAL_SEMAPHORE_H
#define TEST_UNIT_LOCAL_SEMAPHORE_H

#include "sync/semaphore.h"

extern "C" {
int test_semaphore_wait(skein::Semaphore *semaphore);
skein::Thread *test_semaphore_wait_call(skein::Thread *self, uint64_t semaphore) {
  return skein::semaphore_wait_local(*reinterpret_cast<skein::Semaphore *>(semaphore), self);
}
}

#endif
