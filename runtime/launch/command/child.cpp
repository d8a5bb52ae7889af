// Starting one node: socket pair, pipes if its lines get a prefix, fork, environment, exec.
//
// Invariants
//  * A node never outlives its launcher: the kernel kills it when the launcher is gone (PR_SET_PDEATHSIG).
//  * Between fork and exec the launcher is single-threaded, so any function may be called there.
//  * UCX reads its environment when it is loaded, some of it before main: everything is set before exec.
#include "launch/command/child.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

namespace {

std::string problem(const char *what) { return std::string(what) + ": " + strerror(errno); }

void send_welcome(const Launch &launch, int number, int socket) {
  bootstrap::Welcome welcome{};
  welcome.header.type = bootstrap::Type::welcome;
  welcome.header.node = number;
  welcome.count = launch.nodes;
  memcpy(welcome.token, launch.token, sizeof welcome.token);
  iovec part{&welcome, sizeof welcome};
  size_t bytes = launch.slices.size() * sizeof(int);
  std::vector<char> control(CMSG_SPACE(bytes));
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr *files = CMSG_FIRSTHDR(&message);
  files->cmsg_level = SOL_SOCKET;
  files->cmsg_type = SCM_RIGHTS;
  files->cmsg_len = CMSG_LEN(bytes);
  memcpy(CMSG_DATA(files), launch.slices.data(), bytes);
  if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
    throw problem("cannot greet a node");
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

/// This process runs on its share of the cores.
void bind(const Launch &launch, int number) {
  const size_t nodes = static_cast<size_t>(launch.nodes), node = static_cast<size_t>(number);
  cpu_set_t share;
  CPU_ZERO(&share);
  for (size_t at = launch.cores.size() * node / nodes; at < launch.cores.size() * (node + 1) / nodes; at++)
    CPU_SET(launch.cores[at], &share);
  sched_setaffinity(0, sizeof share, &share);
}

[[noreturn]] void become_node(const Launch &launch, int number, pid_t launcher, int socket, const Pipes *pipes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher)
    _exit(127); // the launcher died before the line above
  if (!launch.cores.empty())
    bind(launch, number);
  if (pipes) {
    dup2(pipes->write_end[0], STDOUT_FILENO);
    dup2(pipes->write_end[1], STDERR_FILENO);
  }
  if (number != 0) {
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
      dup2(nothing, STDIN_FILENO);
      close(nothing);
    }
  }
  for (const auto &[name, value] : launch.environment)
    setenv(name.c_str(), value.c_str(), 0);
  if (socket >= 0) {
    fcntl(socket, F_SETFD, 0); // it survives exec; the node's runtime makes it private again
    setenv(bootstrap::descriptor_variable, std::to_string(socket).c_str(), 1);
  } else {
    unsetenv(bootstrap::descriptor_variable);
  }
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

} // namespace

Child start_child(const Launch &launch, int number) {
  Child child;
  child.number = number;
  bool network = launch.nodes > 1;
  bool forwarded = launch.prefix; // otherwise all nodes write to what is ours: see net/stdio.h
  int ends[2] = {-1, -1};
  if (network) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      throw problem("cannot open a socket pair");
    send_welcome(launch, number, ends[0]);
  }
  Pipes pipes;
  if (forwarded)
    pipes = open_pipes();

  pid_t launcher = getpid();
  child.pid = fork();
  if (child.pid < 0)
    throw problem("cannot fork");
  if (child.pid == 0)
    become_node(launch, number, launcher, ends[1], forwarded ? &pipes : nullptr);

  child.pidfd = static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0)); // glibc 2.36 declares it for C only
  if (child.pidfd < 0)
    throw problem("pidfd_open (Linux 5.3 or later is needed)");
  child.socket = ends[0];
  if (ends[1] >= 0)
    close(ends[1]);
  std::string prefix = launch.prefix ? "[" + std::to_string(number) + "] " : "";
  for (int i = 0; forwarded && i < 2; i++) {
    close(pipes.write_end[i]);
    child.outputs.emplace_back(pipes.read_end[i], i + 1, prefix);
  }
  return child;
}

bool Child::send(const void *packet, size_t bytes) const {
  // A node that is stopped in a debugger must not stop the launcher: what does not fit is not sent.
  return socket >= 0 && ::send(socket, packet, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes);
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
