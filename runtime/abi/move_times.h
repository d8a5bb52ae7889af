/* When the parts of this node's latest moves happened, for `skein bench migrate`.
 *
 * One move, seen from both nodes; CLOCK_MONOTONIC, which all processes of a host share:
 *
 *      source       the call      captured
 *                   |- capture -->|                                         (walk, classify, copy, checksum)
 *                                 |--- transfer --->|                       (messages, wake-ups)
 *      destination                                  arrived      restored
 *                                                   |-relocation>|          (verify, new stack, relocate)
 *                                                                |- resume -> the call returns
 *
 * The values are those of the last thread that left this node (captured) and the last that came (arrived, restored), so
 * a measurement lets one thread move at a time. A node notes them from the first time that it is asked. */
#ifndef SKEIN_ABI_MOVE_TIMES_H
#define SKEIN_ABI_MOVE_TIMES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct skein_move_times {
  uint64_t captured_ns;
  uint64_t arrived_ns;
  uint64_t restored_ns;
};

/* This node's. Does not block, does not migrate. */
void __skein_move_times(struct skein_move_times *to);

#ifdef __cplusplus
}
#endif
#endif
