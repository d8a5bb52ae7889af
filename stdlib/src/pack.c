/* Packed threads: what runs on a thread's own stack. Whoever unpacks an image has often just heard that the last thread
 * with that private memory has ended. If that was on another node, the owner of the addresses may hear it a little
 * later. So a thread that finds them in use elsewhere waits, and asks again. */
#include "library.h"

#include "abi/pack_calls.h"

#include <skein/pack.h>
#include <skein/sync.h>

enum { first_ns = 100000, most_ns = 20000000 }; /* 40 ms in all */

int skein_unpack(const void *image, size_t bytes, skein_thread_t *thread) {
  int code = __skein_unpack(image, bytes, thread);
  for (uint64_t pause = first_ns; code == SKEIN_PACK_ABROAD && pause < most_ns; pause *= 2) {
    skein_sleep_ns(pause);
    code = __skein_unpack(image, bytes, thread);
  }
  return code == SKEIN_PACK_ABROAD ? SKEIN_EBUSY : code;
}

int skein_roll_back(const void *image, size_t bytes) {
  int code = __skein_roll_back(image, bytes);
  for (uint64_t pause = first_ns; code == SKEIN_PACK_ABROAD && pause < most_ns; pause *= 2) {
    skein_sleep_ns(pause);
    code = __skein_roll_back(image, bytes);
  }
  return code == SKEIN_PACK_ABROAD ? SKEIN_EBUSY : code;
}
