// Which hosts a run has, and how many nodes are to be on each.
#ifndef SKEIN_LAUNCH_RUN_PLACEMENT_H
#define SKEIN_LAUNCH_RUN_PLACEMENT_H

#include <string>
#include <utility>
#include <vector>

namespace skein::launch {

struct Place {
  std::string host; // as ssh takes it; empty: this host
  int nodes = 1;
  std::vector<int> numbers = {}; // of these nodes, if that is settled
};

/// Reads host[:nodes],…; a host is what ssh takes (name, user@name, an alias), or this one: localhost, its own name.
/// Numbers of nodes follow the list. Throws a std::string.
std::vector<Place> parse_hosts(const std::string &list);
/// Reads the same from a file, a host to a line, as host, host:nodes, or host slots=nodes; # begins a comment.
std::vector<Place> read_hosts(const std::string &file);
/// Fills the hosts in their order with so many nodes; 0: as many as there are places. Returns their number. Throws a
/// std::string if there are fewer places.
int fill(std::vector<Place> &places, int nodes);

/// Where nodes with these numbers are to be, each on the host that it was on if that is one of `hosts`, else where the
/// fewest are. None, if there is no host.
std::vector<Place> placed(const std::vector<std::pair<int, std::string>> &nodes, const std::vector<std::string> &hosts);

} // namespace skein::launch

#endif
