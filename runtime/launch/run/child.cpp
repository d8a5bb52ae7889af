// Starting one node: socket pair, pipes if its lines get a prefix; then fork, environment, exec, or a request to the
// process that forks the nodes of this run, which was started in the same way.
//
// Invariants
//  * A node never outlives its launcher: the kernel kills it when the launcher is gone (PR_SET_PDEATHSIG).
//  * Between fork and exec the launcher is single-threaded, so any function may be called there.
//  * UCX reads its environment when it is loaded, some of it before main: everything is set before exec.
#include "launch/run/child.h"

#include "launch/run/file_of_node.h"
#include "os/linux/descriptors.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

namespace {

std::string problem(const char *what) { return std::string(what) + ": " + strerror(errno); }

bool addresses_are_random() {
  const int persona = personality(0xffffffff);
  return persona >= 0 && !(persona & ADDR_NO_RANDOMIZE);
}

bool is_restored(const Launch &launch, bool late) { return !launch.restored.empty() && !late; }

/// `fixed`: the launcher has switched off that the node's addresses are random.
void send_welcome(const Launch &launch, int number, int socket, bool late, bool fixed) {
  bootstrap::Welcome welcome{};
  welcome.header.type = bootstrap::Type::welcome;
  welcome.header.node = number;
  welcome.count = launch.nodes;
  welcome.founders = launch.founders;
  welcome.seed = launch.seed;
  welcome.flags = (fixed ? bootstrap::welcome_addresses_fixed : 0) |
                  (launch.several_hosts ? bootstrap::welcome_several_hosts : 0) | (late ? bootstrap::welcome_late : 0) |
                  (is_restored(launch, late) ? bootstrap::welcome_restored : 0) |
                  (launch.share_stacks ? bootstrap::welcome_stacks : 0);
  memcpy(welcome.token, launch.token, sizeof welcome.token);
  const bool sent = send_with(socket, &welcome, sizeof welcome, launch.memory_files.data(), launch.memory_files.size());
  const int why = errno;
  explicit_bzero(welcome.token, sizeof welcome.token);
  if (!sent)
    throw std::string("cannot greet a node: ") + strerror(why);
}

struct Ends {
  int ours = -1, theirs = -1;
};
Ends socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw problem("cannot open a socket pair");
  return {ends[0], ends[1]};
}

int pidfd_of(pid_t process) {
  const auto pidfd = static_cast<int>(syscall(SYS_pidfd_open, process, 0)); // glibc 2.36 declares it for C only
  if (pidfd < 0)
    throw problem("pidfd_open (Linux 5.3 or later is needed)");
  return pidfd;
}

struct Pipes {
  int read_end[2] = {-1, -1};
  int write_end[2] = {-1, -1}; // [0] becomes stdout, [1] stderr
};

Pipes open_pipes() {
  Pipes pipes;
  for (int i = 0; i < 2; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw problem("cannot open a pipe for a node's output");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pipes.read_end[i] = ends[0];
    pipes.write_end[i] = ends[1];
  }
  return pipes;
}

/// The cores of a share of this host.
cpu_set_t cores_of(const Launch &launch, int share) {
  const auto shares = static_cast<size_t>(launch.shares), which = static_cast<size_t>(share);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (size_t at = launch.cores.size() * which / shares; at < launch.cores.size() * (which + 1) / shares; at++)
    CPU_SET(launch.cores[at], &cores);
  return cores;
}

/// In a child of the launcher: becomes the program, with what all nodes have in common.
/// `copy` is the file of a checkpoint that it is made of; empty: it is new.
[[noreturn]] void become_program(const Launch &launch, pid_t launcher, int socket, const std::string &copy,
                                 bool fixed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher)
    _exit(127); // the launcher died before the line above
  if (fixed)
    personality(static_cast<unsigned long>(personality(0xffffffff)) | ADDR_NO_RANDOMIZE);
  for (const auto &[name, value] : launch.environment)
    setenv(name.c_str(), value.c_str(), 0);
  if (socket >= 0) {
    fcntl(socket, F_SETFD, 0); // it survives exec; the node's runtime makes it private again
    setenv(bootstrap::descriptor_variable, std::to_string(socket).c_str(), 1);
  } else {
    unsetenv(bootstrap::descriptor_variable);
  }
  if (!copy.empty())
    setenv(bootstrap::restore_variable, copy.c_str(), 1);
  else
    unsetenv(bootstrap::restore_variable);
  if (!launch.monitors_in.empty())
    setenv(bootstrap::monitor_variable, launch.monitors_in.c_str(), 1);
  else
    unsetenv(bootstrap::monitor_variable);
  if (!launch.cores.empty())
    setenv(bootstrap::shares_variable, std::to_string(launch.shares).c_str(), 1);
  else
    unsetenv(bootstrap::shares_variable);
  setrlimit(RLIMIT_NOFILE, &launch.open_files);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &launch.signal_mask, nullptr);

  std::vector<char *> arguments;
  for (const std::string &argument : launch.command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  int why = errno;
  fprintf(stderr, "skein run: cannot start %s: %s\n", arguments[0], strerror(why));
  _exit(why == ENOENT ? 127 : 126);
}

[[noreturn]] void become_node(const Launch &launch, const Child &node, pid_t launcher, int socket, const Pipes *pipes,
                              bool late, bool fixed) {
  if (!launch.cores.empty()) {
    const cpu_set_t cores = cores_of(launch, node.share);
    sched_setaffinity(0, sizeof cores, &cores);
  }
  if (pipes) {
    dup2(pipes->write_end[0], STDOUT_FILENO);
    dup2(pipes->write_end[1], STDERR_FILENO);
  }
  if (node.number != 0) {
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
      dup2(nothing, STDIN_FILENO);
      close(nothing);
    }
  }
  become_program(launch, launcher, socket, is_restored(launch, late) ? file_of_node(launch.restored, node.number) : "",
                 fixed);
}

} // namespace

namespace {

/// A node that has no process yet, with the launcher's ends of its socket and pipes; `socket` and `pipes` are the
/// others.
Child prepare_child(const Launch &launch, int number, int share, bool late, int &socket, Pipes &pipes, bool fixed) {
  Child child;
  child.number = number;
  child.share = share;
  if (launch.nodes > 1) {
    const Ends ends = socket_pair();
    child.socket = ends.ours;
    socket = ends.theirs;
    send_welcome(launch, number, ends.ours, late, fixed);
  }
  if (launch.prefix || launch.forwarded) { // else they write to the launcher's own output: see net/run/stdio.h
    pipes = open_pipes();
    for (int i = 0; i < 2; i++)
      child.outputs.emplace_back(pipes.read_end[i], i + 1, launch.prefix ? "[" + std::to_string(number) + "] " : "");
  }
  return child;
}

void close_theirs(int socket, const Pipes &pipes) {
  for (int end : {socket, pipes.write_end[0], pipes.write_end[1]})
    if (end >= 0)
      close(end);
}

} // namespace

void Child::began(pid_t process) {
  pid = process;
  pidfd = pidfd_of(process);
}

Child start_child(const Launch &launch, int number, int share, bool late) {
  int socket = -1;
  Pipes pipes;
  const bool fixed = launch.same_image && addresses_are_random();
  Child child = prepare_child(launch, number, share, late, socket, pipes, fixed);
  const pid_t launcher = getpid(), process = fork();
  if (process < 0)
    throw problem("cannot fork");
  if (process == 0)
    become_node(launch, child, launcher, socket, pipes.write_end[0] >= 0 ? &pipes : nullptr, late, fixed);
  close_theirs(socket, pipes);
  child.began(process);
  return child;
}

Nursery start_nursery(const Launch &launch) {
  Nursery nursery;
  const Ends ends = socket_pair();
  const pid_t launcher = getpid(), process = fork();
  if (process < 0)
    throw problem("cannot fork");
  if (process == 0)
    become_program(launch, launcher, ends.theirs, "", launch.fixed && addresses_are_random());
  close(ends.theirs);
  nursery.pid = process;
  nursery.socket = ends.ours;
  nursery.pidfd = pidfd_of(process);
  return nursery;
}

Child request_child(const Launch &launch, const Nursery &nursery, int number, int share, bool late) {
  int socket = -1;
  Pipes pipes;
  Child child = prepare_child(launch, number, share, late, socket, pipes, launch.fixed && addresses_are_random());
  bootstrap::ForkRequest request{};
  request.header = {.type = bootstrap::Type::fork, .node = number};
  request.launcher = getpid();
  if (!launch.cores.empty()) {
    const cpu_set_t cores = cores_of(launch, share);
    static_assert(sizeof cores == sizeof request.cores);
    request.bound = 1;
    memcpy(request.cores, &cores, sizeof cores);
  }
  std::vector<int> theirs = {socket};
  for (int end : pipes.write_end)
    if (end >= 0)
      theirs.push_back(end);
  const bool sent = send_with(nursery.socket, &request, sizeof request, theirs.data(), theirs.size());
  close_theirs(socket, pipes);
  if (!sent && errno != EPIPE && errno != ECONNRESET) // if it is gone, its end will be noticed
    throw problem("cannot ask for a node");
  return child;
}

void Nursery::signal(int number) const {
  if (pid != 0)
    syscall(SYS_pidfd_send_signal, pidfd, number, nullptr, 0);
}

void Nursery::end() {
  if (pid != 0) {
    signal(SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  for (int descriptor : {socket, pidfd})
    if (descriptor >= 0)
      close(descriptor);
  *this = {};
}

void Child::keep(const Descriptors &others) {
  for (const int descriptor : descriptors)
    if (descriptor >= 0)
      close(descriptor);
  descriptors = others;
}

bool Child::send(const void *packet, size_t bytes, const Descriptors &along) const {
  const auto count = static_cast<size_t>(std::count_if(along.begin(), along.end(), [](int one) { return one >= 0; }));
  // A node that is stopped in a debugger must not stop the launcher, so a packet that does not fit is not sent.
  return socket >= 0 && send_with(socket, packet, bytes, along.data(), count, MSG_DONTWAIT);
}

void Child::signal(int number_of_signal) const {
  if (!ended)
    syscall(SYS_pidfd_send_signal, pidfd, number_of_signal, nullptr, 0);
}

std::string how_it_ended(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return "was killed by signal " + std::to_string(WTERMSIG(wait_status)) + " (" + strsignal(WTERMSIG(wait_status)) +
           ")";
  return "ended with status " + std::to_string(WEXITSTATUS(wait_status));
}

int shell_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

} // namespace skein::launch
