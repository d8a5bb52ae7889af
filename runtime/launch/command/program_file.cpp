// Whether a command is the file of a Skein program that can be asked to fork the nodes of a run: its runtime leaves a
// note in it (launch/start_fork.cpp). A script, or a program that starts another one, has no such note, and then each
// node is started by itself.
#include "launch/command/elf_file.h"
#include "launch/run/child.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace skein::launch {

std::string found_program(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return name;
  const char *path = getenv("PATH");
  const std::string folders = path ? path : "/bin:/usr/bin";
  for (size_t at = 0; at <= folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    const std::string folder = folders.substr(at, end - at);
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0)
      return file;
    at = end + 1;
  }
  return "";
}

bool can_fork(const Launch &launch) {
  try {
    return ElfFile(found_program(launch.command[0])).any_note([](std::string_view name, uint32_t type, auto bytes) {
      uint32_t version = 0;
      if (name != SKEIN_NOTE_NAME || type != bootstrap::note_forks || bytes.size() != sizeof version)
        return false;
      memcpy(&version, bytes.data(), sizeof version);
      return version == bootstrap::version;
    });
  } catch (const std::string &) {
    return false; // a script, or nothing that can be read: the start will tell
  }
}

} // namespace skein::launch
