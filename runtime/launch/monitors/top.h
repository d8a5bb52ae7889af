// `skein top` (launch/command/top_command.cpp has its help).
#ifndef SKEIN_LAUNCH_MONITORS_TOP_H
#define SKEIN_LAUNCH_MONITORS_TOP_H

#include <string>

namespace skein::monitors {

/// On a terminal, until its user or the run ends it. Returns the exit status.
int top(const std::string &folder, double interval_s);
/// One view of an interval, as text.
int top_once(const std::string &folder, double interval_s);
/// What each node answers, a line each.
int top_json(const std::string &folder);

} // namespace skein::monitors

#endif
