// Checkpoints on a node: when the launcher says so and the node has halted (net/run/halting.h), a copy of the process
// is made (copy.h). In a process that is made of such a copy (restore.h), the node joins the run of the others' copies.
//
//     progress thread                     worker 0's kernel thread
//       | packet `cut`                      |  halted
//       | worker_zero_runs ---------------> |  notes what slices of shared memory hold, then forks
//       | <-------------------------------- |
//       | says `copied`
//                                           |  reborn: rooms put right what was the former process's alone;
//                                           |  net_reborn; the workers and the rest of the kernel threads begin;
//                                           |  all go on
//
// docs/design.md, "Checkpoints", has the whole.
#ifndef SKEIN_CHECKPOINT_CHECKPOINT_H
#define SKEIN_CHECKPOINT_CHECKPOINT_H

namespace skein {

void checkpoint_start();

} // namespace skein

#endif
