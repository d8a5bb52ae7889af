// The agent: what serves a run that was started on another host. Its line (line.h) comes from ssh (`skein agent`) or
// was made by `skein join`. It has a LocalHost, and does nothing but pass on what the launcher orders and what that
// reports.
#ifndef SKEIN_LAUNCH_RUN_AGENT_H
#define SKEIN_LAUNCH_RUN_AGENT_H

#include <string>
#include <vector>

namespace skein::launch {

/// How the agent of `skein join` differs from one that was called.
struct Guest {
  int rank = -1;                    // the number of its node, if that is known
  int places = 0;                   // nodes that it offers; 0: it was called, and the launcher knows
  std::vector<std::string> program; // to be started in the place of the launcher's, in this folder; empty: that one
  std::string network;              // in which its nodes listen; empty: the launcher's choice
};

/// Serves one run over the descriptors of its line, which it owns. Returns the exit status.
int serve_launcher(int in, int out, const Guest &guest);

} // namespace skein::launch

#endif
