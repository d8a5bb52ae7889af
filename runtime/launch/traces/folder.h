// A recording that is a folder with a file for each node.
//
// The events of all rings are merged by time while they are read, so that a recording may be larger than memory. Times
// of a node become nanoseconds by the pairs of clocks that its recorder has noted. The clock of another host is
// compared with node 0's: by the answers that node 0 gave to "what time is it?", and since no thread arrives before it
// has left. The line that keeps farthest from all these bounds is taken for the distance of the two clocks.
#ifndef SKEIN_LAUNCH_TRACES_FOLDER_H
#define SKEIN_LAUNCH_TRACES_FOLDER_H

#include "launch/traces/recording.h"

namespace skein::traces {

std::unique_ptr<Recording> open_folder(const std::string &path);

} // namespace skein::traces

#endif
