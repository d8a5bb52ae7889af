/* What the sources of this room share.
 *
 * They are compiled by skeincc and linked into each program as libskein_library.a, of which the linker takes what the
 * program needs. Each function `__skein_c_NAME` stands for the C library's NAME: the pass library-calls redirects calls
 * in code compiled by skeincc, so that shared libraries and foreign code go on with the C library's own. */
#ifndef SKEIN_STDLIB_LIBRARY_H
#define SKEIN_STDLIB_LIBRARY_H

#include "abi/library_calls.h"

#include <skein/heap.h>
#include <skein/skein.h>
#include <stdatomic.h>

/* A lock of the library, for a few instructions without a call that blocks. */
SKEIN_NOMIGRATE static inline void library_lock(atomic_flag *lock) {
  unsigned round = 0;
  while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
    __skein_lock_wait(&round);
}
SKEIN_NOMIGRATE static inline void library_unlock(atomic_flag *lock) {
  atomic_flag_clear_explicit(lock, memory_order_release);
}

#endif
