// `skein join` offers this host to a run that listens (`skein run --listen`); see launch/run/agent.h.
#include "launch/command/command.h"
#include "launch/run/agent.h"
#include "launch/run/line.h"
#include "net/wire/bootstrap.h"

#include <fcntl.h>
#include <memory>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein join ADDRESS:PORT --key-file FILE [options] [-- program [arguments…]]

Has nodes of a run on this host: one that was started elsewhere by `skein run --listen ADDRESS:PORT --joins N`, with the
same key. Waits for up to 60 s until somebody listens there, and then until the run has ended. The nodes' output appears
where the run was started.
)";

constexpr char footer[] =
    R"(The program is the run's own, at the same path and in the same folder, unless another path to the same build is given
here: that is started in this folder, with the run's arguments behind those given here. The exit status is the first one
of the nodes here that is not 0, or 1 if this host was not taken. The variables of the environment are those of here, but for
SKEIN_OPTIONS, which is the run's.
)";

struct Options {
  std::string to, key_file;
  Guest guest;
};

int join(const Options &options, Arguments program) {
  if (!program.empty() && program[0] == "--")
    program.erase(program.begin());
  Guest guest = options.guest;
  guest.program = std::move(program);
  pid_t tunnel = 0;
  const int line = start_with_socket({tunnel_program(), "connect", options.to, options.key_file, "SOCKET"}, SOCK_STREAM,
                                     false, tunnel);
  const int status = serve_launcher(line, line, guest);
  waitpid(tunnel, nullptr, 0);
  return status;
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  options->guest.places = 1;
  line.description(description)->footer(footer);
  line.prefix_command();
  line.add_option("ADDRESS:PORT", options->to, "where the run listens")->required();
  line.add_option("--key-file", options->key_file, "16 random bytes, the same as the run's, which nobody else may read")
      ->required()
      ->type_name("FILE");
  line.add_option("-n,--nodes", options->guest.places, "how many nodes may be here (1)")
      ->type_name("N")
      ->check(CLI::Range(1, bootstrap::nodes_max).description(""));
  line.add_option("--network", options->guest.network,
                  "an interface (eth0) or a range of addresses (10.1.0.0/16) in which\n"
                  "nodes listen; else the address that the run sees")
      ->type_name("NET");
  return [options, &line] { return join(*options, line.remaining()); };
}

} // namespace

extern const Command join_command = {"join", "have nodes of a run on this host", declare};

} // namespace skein::launch
