// Who talks to whom: how many messages each thread of this node has had over each channel, for policies that bring
// threads together (<skein/policy.h>).
//
// Nothing is counted, and no memory taken, until a policy asks for the first time. A channel is counted under the
// handle that the program knows, which stays the same when the channel moves. So the two ends of a conversation need
// not know of each other: whoever collects the counts of all nodes sees that they use one channel.
//
// The counts lie in one table of a fixed size, which is emptied each time it is collected. What finds no place in it is
// not counted: a program with very many threads that talk is seen in part in each period, and in the long run whole.
// Rejected: counts in a thread's record, which all threads would pay for, and which would be lost with each move.
#ifndef SKEIN_SCHED_TALKS_H
#define SKEIN_SCHED_TALKS_H

#include "thread/thread.h"

struct skein_policy_talk;

namespace skein {

/// Copies at most `most` counts and forgets them; the first call begins to count. Returns how many there were.
size_t talks_take(skein_policy_talk *to, size_t most);

void talks_after_fork();

} // namespace skein

#endif
