// `skein ps` and `skein status` (launch/command has their help).
#ifndef SKEIN_LAUNCH_MONITORS_LISTING_H
#define SKEIN_LAUNCH_MONITORS_LISTING_H

#include <map>
#include <set>
#include <string>
#include <vector>

namespace skein::monitors {

/// A run that the `skein` command has found.
struct FoundRun {
  int launcher; // 0: unknown, and so are the age and the words
  std::string folder;
  double age_s;
  std::string words;
  std::set<int> left;               // nodes that have left it
  std::map<int, std::string> hosts; // those of nodes that are not on the launcher's
};

/// A line for each run, of text with a heading or of JSON. Returns the exit status.
int list_runs(const std::vector<FoundRun> &runs, bool json);
/// A line for each node of a run. Returns the exit status.
int show_status(const FoundRun &run, bool json);

} // namespace skein::monitors

#endif
