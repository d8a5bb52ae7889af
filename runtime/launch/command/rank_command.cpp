// `skein rank`: what a program becomes that was started as a rank of a PMIx job (start_pmix.cpp): rank 0 the launcher
// of the run, with node 0 as its child; the others agents, each with the node of its number.
#include "launch/command/command.h"
#include "launch/command/run_settings.h"
#include "launch/command/runs.h"
#include "launch/run/agent.h"
#include "launch/run/host_facts.h"
#include "launch/run/launcher.h"
#include "launch/run/line.h"
#include "launch/run/pmix.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein rank program [arguments…]

What a program becomes that mpirun or srun has started (`mpirun -n 4 ./program`): node K of one run is rank K's. It is
not for use by hand. SKEIN_OPTIONS=pmix=off leaves each rank a run of its own.
)";

constexpr size_t key_bytes = 16;

std::string hex(const uint8_t (&bytes)[key_bytes]) {
  std::string text;
  for (const uint8_t byte : bytes) {
    char two[3];
    snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}

/// A file of the key that has no name and that only this user can read, for the tunnel.
int key_file(const std::string &text) {
  uint8_t key[key_bytes] = {};
  if (text.size() != 2 * sizeof key)
    throw std::string("rank 0 has told a key that is none (another version of Skein?)");
  for (size_t i = 0; i < sizeof key; i++)
    key[i] = static_cast<uint8_t>(strtoul(text.substr(2 * i, 2).c_str(), nullptr, 16));
  const int file = memfd_create("skein-key", 0);
  if (file < 0 || fchmod(file, S_IRUSR | S_IWUSR) != 0 || write(file, key, sizeof key) != sizeof key)
    throw std::string("cannot keep the run's key: ") + strerror(errno);
  explicit_bzero(key, sizeof key);
  return file;
}

std::string path_of(int file) { return "/dev/fd/" + std::to_string(file); }

/// A socket that listens on a port that is free, on all addresses.
int open_listener(uint16_t &port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  socklen_t bytes = sizeof address;
  address.sin_family = AF_INET;
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr *>(&address), bytes) != 0 ||
      listen(listener, 1024) != 0 || getsockname(listener, reinterpret_cast<sockaddr *>(&address), &bytes) != 0)
    throw std::string("cannot listen for the other ranks: ") + strerror(errno);
  port = ntohs(address.sin_port);
  return listener;
}

int be_first(const PmixJob &job, Launch launch, Hosts hosts) {
  hosts.joins = static_cast<int>(job.ranks) - 1;
  hosts.by_rank = true;
  launch.nodes = launch.founders = static_cast<int>(job.ranks);
  Conduct conduct;
  settle_sockets(launch);
  read_knobs(launch, conduct);
  Course course;
  return run_nodes(std::move(launch), conduct, std::move(hosts), course);
}

int be_other(const PmixJob &job, const std::string &where, const std::string &key) {
  Guest guest;
  guest.places = 1;
  guest.rank = static_cast<int>(job.rank);
  pid_t tunnel = 0;
  const int file = key_file(key);
  const int line =
      start_with_socket({tunnel_program(), "connect", where, path_of(file), "SOCKET"}, SOCK_STREAM, false, tunnel);
  close(file); // the tunnel has it
  const int status = serve_launcher(line, line, guest);
  waitpid(tunnel, nullptr, 0);
  return status;
}

int be_rank(const Arguments &command) {
  if (command.empty())
    throw std::string("which program?");
  Launch launch;
  Hosts hosts;
  launch.command = command;
  const PmixJob job = pmix_meet([&](unsigned ranks) {
    if (ranks == 1)
      return std::string();
    uint8_t key[key_bytes];
    if (getrandom(key, sizeof key, 0) != sizeof key)
      throw std::string("getrandom: ") + strerror(errno);
    uint16_t port;
    const std::string text = hex(key);
    hosts.for_door = {open_listener(port), key_file(text)};
    hosts.listen = "fd:" + std::to_string(hosts.for_door[0]);
    hosts.key_file = path_of(hosts.for_door[1]);
    std::string word = text;
    for (const std::string &address : addresses_of_this_host())
      word += (word.size() == text.size() ? " " : ",") + address + ":" + std::to_string(port);
    return word;
  });
  for (const char *variable : {"PMIX_NAMESPACE", "PMIX_RANK"}) // the nodes are no ranks, nor what they start
    unsetenv(variable);
  if (job.ranks == 1)
    return become(command);
  if (job.ranks > bootstrap::nodes_max)
    throw "a run has at most " + std::to_string(bootstrap::nodes_max) + " nodes, and this job " +
        std::to_string(job.ranks) + " ranks";
  if (job.rank == 0)
    return be_first(job, std::move(launch), std::move(hosts));
  const size_t space = job.word.find(' ');
  if (space == std::string::npos)
    throw std::string("rank 0 has not told where it is");
  return be_other(job, job.word.substr(space + 1), job.word.substr(0, space));
}

Action declare(CLI::App &line) {
  line.description(description);
  line.prefix_command();
  return [&line] { return be_rank(line.remaining()); };
}

} // namespace

extern const Command rank_command = {"rank", "what a program becomes that mpirun or srun has started", declare};

} // namespace skein::launch
