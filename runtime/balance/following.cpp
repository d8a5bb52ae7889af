// Threads go where the shared memory is that they read and write (LDGM: each decides on its own accesses, and may go to
// any node). dsm/follow.h explains when that pays, and how it is known. No thread is sent because of the load.
#include <skein/policy.h>

SKEIN_POLICY(
    follow, .what = "LDGM, sender", .start = [] { skein_policy_follow(1); }, .stop = [] { skein_policy_follow(0); });
