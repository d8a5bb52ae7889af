// Threads go where the shared memory is that they read and write (LDGM: each decides on its own accesses, and may go to
// any node). What pays, and how that is known, is told in dsm/follow.h. Nobody is sent for the load's sake.
#include <skein/policy.h>

SKEIN_POLICY(follow, .what = "LDGM, sender", .start = [] { skein_policy_follow(1); });
