// `skein doctor`: looks at the machine as a run would, before a run fails on it.
//
// Each check tries what the runtime needs (it maps, it locks, it opens) where that can be tried, since a setting that
// is read says what ought to work, and a container or a security module may still refuse it. Each finding says what to
// do.
#include "launch/command/command.h"
#include "os/linux/page_faults.h"
#include "os/linux/write_faults.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <linux/membarrier.h>
#include <memory>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein doctor [--quiet]

Checks whether this machine can run programs whose threads move, and what would slow them down or limit them: the
kernel, cores, memory and its limits, how processes reach each other's memory, transports, and the compiler.
)";

constexpr char footer[] =
    R"(Each line begins with ok, warn (it works, but …) or FAIL (programs, or runs of several nodes, will not start), and says
what to do. Status 0 if nothing failed, 1 otherwise.
)";

enum class State { ok, warn, fail };

struct Result {
  State state;
  std::string text;
};

[[gnu::format(printf, 2, 3)]] Result result(State state, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return {state, text};
}

/// The number in a file of /proc or /sys; `otherwise` if it cannot be read.
long number_in(const char *path, long otherwise) {
  std::ifstream file(path);
  long number;
  return file >> number ? number : otherwise;
}

Result check_kernel() {
  utsname about;
  uname(&about);
  if (strcmp(about.machine, "x86_64") != 0)
    return result(State::fail, "%s on %s; Skein runs on x86_64 Linux only", about.sysname, about.machine);
  int major = 0, minor = 0;
  sscanf(about.release, "%d.%d", &major, &minor);
  if (major < 5 || (major == 5 && minor < 10))
    return result(State::warn, "%s %s is older than any that Skein is tested on (5.10)", about.sysname, about.release);
  return result(State::ok, "%s %s on x86_64", about.sysname, about.release);
}

Result check_proc() {
  if (access("/proc/self/fd", R_OK) != 0)
    return result(State::fail, "is not mounted, and runs of several nodes need it: mount -t proc proc /proc");
  return result(State::ok, "is mounted");
}

Result check_cores() {
  const size_t cores = usable_cores().size();
  if (cores < 2)
    return result(State::warn,
                  "%zu usable: nodes and workers take turns on it, and nothing runs faster than on one node", cores);
  return result(State::ok, "%zu usable", cores);
}

Result check_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  uint64_t kib, available = 0;
  while (file >> name >> kib >> unit)
    if (name == "MemAvailable:")
      available = kib >> 10;
  if (available == 0)
    return result(State::warn, "cannot be told: /proc/meminfo cannot be read");
  if (available < 512)
    return result(State::warn, "%llu MiB are free; a run of two nodes takes some 200 MiB before the program's own",
                  static_cast<unsigned long long>(available));
  return result(State::ok, "%llu MiB are free", static_cast<unsigned long long>(available));
}

/// As much as the stacks of a run reserve: addresses, no memory.
Result check_addresses() {
  constexpr size_t wanted = size_t{1} << 40;
  rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur != RLIM_INFINITY)
    return result(State::warn,
                  "are limited to %llu MiB (ulimit -v): there is room for fewer stacks, and less shared memory; "
                  "ulimit -v unlimited",
                  static_cast<unsigned long long>(limit.rlim_cur >> 20));
  void *range = mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return result(State::fail, "1 TiB of addresses cannot be reserved (%s): is vm.overcommit_memory 2? Set it to 0",
                  strerror(errno));
  munmap(range, wanted);
  return result(State::ok, "1 TiB can be reserved");
}

Result check_mappings() {
  constexpr long usual = 65530;
  const long most = number_in("/proc/sys/vm/max_map_count", 0);
  if (most < usual)
    return result(State::warn,
                  "%ld for each process: a stack in use takes two, so some %ld threads can have one; "
                  "sysctl vm.max_map_count=1048576",
                  most, most / 2);
  return result(State::ok, "%ld for each process, enough for some %ld stacks in use", most, most / 2);
}

Result check_files() {
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t wanted = 1024;
  if (limit.rlim_max < wanted)
    return result(State::warn, "%llu at most: a run of many nodes needs a few for each pair of nodes; ulimit -Hn 4096",
                  static_cast<unsigned long long>(limit.rlim_max));
  return result(State::ok, "%llu at most", static_cast<unsigned long long>(limit.rlim_max));
}

Result check_barriers() {
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (commands < 0 || !(commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    return result(State::fail, "membarrier(PRIVATE_EXPEDITED) is not there, with which workers lock each other out: a "
                               "kernel without CONFIG_MEMBARRIER, or a container that forbids the call");
  return result(State::ok, "membarrier works");
}

Result check_clock() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  if (!(file >> name))
    return result(State::ok, "cannot be told here");
  if (name != "tsc" && name != "kvm-clock" && name != "hyperv_clocksource_tsc_page")
    return result(State::warn, "'%s' costs a system call each time it is read: statistics and timers are slower",
                  name.c_str());
  return result(State::ok, "'%s' is read without a system call", name.c_str());
}

/// Runs `body` in a process of its own. True if it returned true.
template <class Body> bool in_child(Body &&body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(body() ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Nodes are children of one launcher, and read each other's memory where the system lets them.
Result check_other_memory() {
  static int word = 42;
  int hold[2];
  if (pipe(hold) != 0)
    return result(State::warn, "cannot be told: %s", strerror(errno));
  const pid_t other = fork();
  if (other == 0) {
    char end;
    close(hold[1]);
    _exit(read(hold[0], &end, 1) == 0 ? 0 : 1); // lives until the pipe is closed
  }
  const bool reached = other > 0 && in_child([&] {
                         int copy = 0;
                         iovec here = {&copy, sizeof copy}, there = {&word, sizeof word};
                         return process_vm_readv(other, &here, 1, &there, 1, 0) == sizeof copy && copy == word;
                       });
  close(hold[0]);
  close(hold[1]);
  if (other > 0)
    waitpid(other, nullptr, 0);
  if (!reached)
    return result(State::warn, "one node may not read another one's memory, so large messages are copied twice: sysctl "
                               "kernel.yama.ptrace_scope=0, or a container with CAP_SYS_PTRACE");
  return result(State::ok, "nodes of this host read each other's");
}

Result check_shared_memory() {
  if (access("/dev/shm", W_OK) != 0)
    return result(State::warn, "/dev/shm cannot be written: the sockets of a run are made in /tmp");
  return result(State::ok, "/dev/shm can be written");
}

Result check_transport(const char *library, const char *what, const char *package) {
  const std::string path = program_directory() + "/../lib/skein/" + library;
  std::string why = "the file is missing";
  // In a process of its own: a transport brings threads and exit handlers.
  int report[2];
  if (access(path.c_str(), R_OK) == 0 && pipe(report) == 0) {
    const bool loads = in_child([&] {
      if (dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL))
        return true;
      const char *text = dlerror();
      (void)!write(report[1], text, strlen(text));
      return false;
    });
    char text[400];
    close(report[1]);
    const ssize_t length = read(report[0], text, sizeof text);
    close(report[0]);
    if (loads)
      return result(State::ok, "%s", what);
    why.assign(text, length > 0 ? static_cast<size_t>(length) : 0);
  }
  return result(State::fail, "%s cannot be loaded (%s): apt-get install %s, or install Skein again", library,
                why.c_str(), package);
}

Result check_missing_pages() {
  if (const char *why = page_faults_start())
    return result(State::warn, "%s: with moves=lazy threads take all of their memory along, as without", why);
  return result(State::ok, "pages can be fetched when they are touched (moves=lazy)");
}

Result check_kept_pages() {
  if (const char *why = write_faults_start())
    return result(State::warn, "%s: checkpoints copy shared memory of one host while all nodes wait", why);
  return result(State::ok, "pages of shared memory can be kept while they are written to (checkpoints)");
}

Result check_shared() { return check_transport("libskein_shm.so", "shared memory, for nodes of one host", "libc6"); }
Result check_fabric() { return check_transport("libskein_ucx.so", "UCX, for --transport ucx:", "libucx0"); }
Result check_sealed() { return check_transport("libskein_tcp.so", "TLS over TCP, for --transport tcp", "libssl3"); }

Result check_loopback() {
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool works = listening >= 0 && bind(listening, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0 &&
                     listen(listening, 1) == 0;
  const int why = errno;
  if (listening >= 0)
    close(listening);
  if (!works)
    return result(State::warn, "127.0.0.1 cannot be listened on (%s): --transport tcp will not work; ip link set lo up",
                  strerror(why));
  return result(State::ok, "127.0.0.1 can be listened on");
}

Result check_compiler() {
  const std::string path = program_directory() + "/skeincc";
  if (access(path.c_str(), X_OK) != 0)
    return result(State::ok, "not here: this installation runs programs, and compiles none");
  FILE *output = popen(("'" + path + "' --version 2>&1").c_str(), "r");
  char line[200] = "", rest[200];
  const bool read = output && fgets(line, sizeof line, output);
  line[strcspn(line, "\n")] = 0;
  while (read && fgets(rest, sizeof rest, output))
    ; // it would end by SIGPIPE otherwise
  if (!output || pclose(output) != 0 || !read)
    return result(State::fail, "skeincc does not start (%s): apt-get install clang-22 lld-22", line);
  return result(State::ok, "%s", line);
}

constexpr struct {
  const char *name;
  Result (*check)();
} checks[] = {
    {"kernel", check_kernel},
    {"/proc", check_proc},
    {"cores", check_cores},
    {"memory", check_memory},
    {"addresses", check_addresses},
    {"mappings", check_mappings},
    {"open files", check_files},
    {"barriers", check_barriers},
    {"clock", check_clock},
    {"other memory", check_other_memory},
    {"shared memory", check_shared_memory},
    {"missing pages", check_missing_pages},
    {"kept pages", check_kept_pages},
    {"transport", check_shared},
    {"UCX", check_fabric},
    {"TLS", check_sealed},
    {"loopback", check_loopback},
    {"compiler", check_compiler},
};

int run(bool quiet) {
  unsigned counts[3] = {};
  for (const auto &each : checks) {
    const Result found = each.check();
    counts[static_cast<size_t>(found.state)]++;
    static const char *const words[] = {"ok", "warn", "FAIL"};
    if (!quiet || found.state != State::ok)
      printf("%-5s %-14s %s\n", words[static_cast<size_t>(found.state)], each.name, found.text.c_str());
    fflush(stdout);
  }
  if (!quiet)
    printf("\n%u as it should be, %u to look at, %u failed\n", counts[0], counts[1], counts[2]);
  return counts[2] == 0 ? 0 : 1;
}

Action declare(CLI::App &line) {
  line.description(description)->footer(footer);
  auto quiet = std::make_shared<bool>();
  line.add_flag("--quiet", *quiet, "print only what is not as it should be");
  return [quiet] { return run(*quiet); };
}

} // namespace

extern const Command doctor_command = {"doctor", "check whether this machine can run programs of Skein", declare};

} // namespace skein::launch
