// What `skein run` and `skein rank` settle before they start a launcher; in run.cpp.
#ifndef SKEIN_LAUNCH_COMMAND_RUN_SETTINGS_H
#define SKEIN_LAUNCH_COMMAND_RUN_SETTINGS_H

#include "launch/run/launcher.h"

namespace skein::launch {

/// Some knobs are for the launcher, too. What is wrong with any of them is said once, instead of by each node. Throws a
/// std::string.
void read_knobs(Launch &launch, Conduct &conduct);

/// For nodes on several hosts: they talk over sockets, and no host can map another one's memory.
void settle_sockets(Launch &launch);

} // namespace skein::launch

#endif
