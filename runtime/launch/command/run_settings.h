// What `skein run` and `skein rank` settle before they start a launcher; in run.cpp.
#ifndef SKEIN_LAUNCH_COMMAND_RUN_SETTINGS_H
#define SKEIN_LAUNCH_COMMAND_RUN_SETTINGS_H

#include "launch/run/launcher.h"

#include <CLI/App.hpp>

namespace skein::launch {

/// Some knobs are for the launcher, too. What is wrong with any of them is said once, instead of by each node. Throws a
/// std::string.
void read_knobs(Launch &launch, Conduct &conduct);

/// Options that say how a run is to have checkpoints; not where.
void declare_checkpoint_settings(CLI::App &line, CheckpointSettings &settings);

/// For a run with checkpoints. Throws a std::string if it is to talk in a way that allows none.
void settle_for_checkpoints(Launch &launch, const std::string &transport);

/// What nodes need in their environment to talk in that way. Throws a std::string.
void set_environment(Launch &launch, const std::string &transport);

/// For nodes on several hosts: they talk over sockets, and no host can map another one's memory.
void settle_sockets(Launch &launch);

} // namespace skein::launch

#endif
