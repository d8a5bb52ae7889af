// `skein agent`; see launch/run/agent.h.
#include "launch/command/command.h"
#include "launch/run/agent.h"

#include <cstdio>
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
    return serve_launcher();
  };
}

} // namespace

extern const Command agent_command = {"agent", "what `skein run --hosts` starts on another host", declare};

} // namespace skein::launch
