/* Packed threads: what runs on a thread's own stack. Whoever unpacks an image has often just heard that the last thread
 * with that private memory has ended. If that was on another node, the owner of the addresses may hear it a little
 * later. So a thread that finds them in use elsewhere waits, and asks again. */
#include "library.h"

#include "abi/pack_calls.h"

#include <skein/pack.h>
#include <skein/sync.h>

enum { first_ns = 100000, most_ns = 20000000 }; /* 40 ms in all */

/* Waits for `*pause_ns`, the next time for twice as long. 0: it has waited long enough. */
static int waits_once_more(uint64_t *pause_ns) {
  if (*pause_ns >= most_ns)
    return 0;
  skein_sleep_ns(*pause_ns);
  *pause_ns *= 2;
  return 1;
}

int skein_unpack(const void *image, size_t bytes, skein_thread_t *thread) {
  uint64_t pause_ns = first_ns;
  int code;
  do
    code = __skein_unpack(image, bytes, thread);
  while (code == SKEIN_PACK_ABROAD && waits_once_more(&pause_ns));
  return code & SKEIN_PACK_CODE;
}

int skein_roll_back(const void *image, size_t bytes) {
  uint64_t pause_ns = first_ns;
  int code;
  do
    code = __skein_roll_back(image, bytes);
  while (code == SKEIN_PACK_ABROAD && waits_once_more(&pause_ns));
  return code & SKEIN_PACK_CODE;
}
