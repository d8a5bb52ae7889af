// `skein agent`; see launch/run/agent.h.
#include "launch/command/command.h"
#include "launch/run/agent.h"

#include <fcntl.h>
#include <unistd.h>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein agent

Starts nodes on this host for a `skein run --hosts` on another one, which starts this by ssh and speaks to it over its
input and output. It is not for use by hand.
)";

Action declare(CLI::App &line) {
  line.description(description);
  return [] {
    if (isatty(STDIN_FILENO))
      throw std::string("this is started by `skein run --hosts`, on another host");
    // The nodes have neither end of the line.
    const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return serve_launcher(in, out, Guest());
  };
}

} // namespace

extern const Command agent_command = {"agent", "what `skein run --hosts` starts on another host", declare};

} // namespace skein::launch
