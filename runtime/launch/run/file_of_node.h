// What a node has in a folder of all nodes: its copy in that of a checkpoint, the socket of its monitor in that of the
// run, what it records in that of a trace.
#ifndef SKEIN_LAUNCH_RUN_FILE_OF_NODE_H
#define SKEIN_LAUNCH_RUN_FILE_OF_NODE_H

#include <string>

namespace skein::launch {

inline std::string file_of_node(const std::string &folder, int number) {
  return folder + "/node-" + std::to_string(number);
}

} // namespace skein::launch

#endif
