// Which node decides, for policies that have a decision maker.
#ifndef SKEIN_BALANCE_MAKERS_H
#define SKEIN_BALANCE_MAKERS_H

#include "base/node.h"

#include <skein/policy.h>

namespace skein {

inline bool node_lives(int which) { return which == node.self || skein_policy_peer(which); }

/// The highest number that lives of those from `first` on and below `end`: another one takes over when it dies; -1:
/// none lives. Node 0, where main mostly is, comes last, since it finds the end of the run and has more to do than
/// others.
inline int highest_living(int first, int end) {
  for (int each = end - 1; each >= first; each--)
    if (node_lives(each))
      return each;
  return -1;
}

} // namespace skein

#endif
