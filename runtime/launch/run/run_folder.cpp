// The folder and its keeper; see run_folder.h.
#include "launch/run/run_folder.h"
#include "os/linux/descriptors.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace skein::launch {

namespace {

enum : char { node_started = 'n', farewell = 'f', keeper_started = 'k' };

bool remove_folder(const std::string &path) {
  if (DIR *folder = opendir(path.c_str())) {
    while (const dirent *entry = readdir(folder))
      unlinkat(dirfd(folder), entry->d_name, 0); // fails for "." and ".."
    closedir(folder);
  }
  return rmdir(path.c_str()) == 0 || errno == ENOENT;
}

/// Receives what was sent: a letter, and a pidfd unless it is a farewell. 0: there is no sender any more, or, with
/// MSG_DONTWAIT, nothing has arrived yet.
char receive_letter(int socket, int &pidfd, int flags = 0) {
  char letter;
  return receive_with(socket, &letter, 1, &pidfd, 1, flags) == 1 ? letter : 0;
}

void send_pidfd(int socket, char letter, int pidfd) { send_with(socket, &letter, 1, &pidfd, 1); }

[[noreturn]] void keep(const std::string &path, const std::string &other, int socket) {
  prctl(PR_SET_NAME, "skein-keeper");
  // No file of the launcher stays open here: a process that reads the launcher's output waits until all ends are
  // closed.
  const int nothing = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3; standard++)
    dup2(nothing, standard);
  dup2(socket, 3);
  closefrom(4);
  [[maybe_unused]] int changed = chdir("/");
  std::vector<int> nodes;
  int pidfd;
  for (char letter; (letter = receive_letter(3, pidfd)) != 0;) {
    if (letter == farewell)
      _exit(0);
    nodes.push_back(pidfd);
  }
  for (int node : nodes)
    syscall(SYS_pidfd_send_signal, node, SIGKILL, nullptr, 0);
  for (int node : nodes) {
    pollfd ended = {node, POLLIN, 0};
    while (poll(&ended, 1, -1) < 0 && errno == EINTR)
      ;
  }
  // A node of which the keeper could not be told any more dies with its parent, too, but perhaps not yet.
  for (int tries = 0; tries < 200 && !(remove_folder(path) && (other.empty() || remove_folder(other))); tries++)
    usleep(5000);
  _exit(0);
}

} // namespace

const char *run_folder_parent() {
  return access(run_folder_parents[0], W_OK) == 0 ? run_folder_parents[0] : run_folder_parents[1];
}

void RunFolder::make(const char *parent, const std::string &other) {
  uint64_t random;
  if (getrandom(&random, sizeof random, 0) != sizeof random)
    throw std::string("getrandom: ") + strerror(errno);
  char begin[32], end[32];
  snprintf(begin, sizeof begin, run_folder_name, getpid());
  snprintf(end, sizeof end, "%016llx", static_cast<unsigned long long>(random));
  const std::string path = parent + ('/' + std::string(begin)) + end;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::string("cannot open a socket pair: ") + strerror(errno);
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before); // the keeper keeps them blocked for ever
  // It is forked twice, so that it is no child of the launcher: a process that waits for all children would wait for
  // it. The launcher does not wait here until it is there, since what the two tell each other stays in the socket.
  between_ = fork();
  if (between_ == 0) {
    setsid();
    const pid_t keeper = fork();
    if (keeper == 0) {
      close(ends[0]);
      keep(path, other, ends[1]);
    }
    if (const auto pidfd = keeper > 0 ? static_cast<int>(syscall(SYS_pidfd_open, keeper, 0)) : -1; pidfd >= 0)
      send_pidfd(ends[1], keeper_started, pidfd);
    _exit(0);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  keeper_ = ends[0];
  if (between_ < 0)
    throw std::string("cannot fork: ") + strerror(errno);
  if (mkdir(path.c_str(), 0700) != 0)
    throw "cannot make a folder for the files of the run, " + path + ": " + strerror(errno);
  path_ = path;
  other_ = other;
}

void RunFolder::add(int pidfd) {
  if (keeper_ >= 0)
    send_pidfd(keeper_, node_started, pidfd);
}

void RunFolder::settle() {
  if (between_ > 0 && waitpid(between_, nullptr, WNOHANG) != 0)
    between_ = 0;
}

RunFolder::~RunFolder() {
  if (!path_.empty())
    remove_folder(path_);
  if (!other_.empty())
    remove_folder(other_);
  if (between_ > 0) { // it may be stopped, and the launcher does not wait for the keeper any more
    kill(between_, SIGKILL);
    waitpid(between_, nullptr, 0);
  }
  if (keeper_ < 0)
    return;
  const char letter = farewell;
  send(keeper_, &letter, 1, MSG_NOSIGNAL);
  int pidfd;
  if (receive_letter(keeper_, pidfd, MSG_DONTWAIT) == keeper_started && pidfd >= 0) { // it may be stopped, too
    syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
    close(pidfd);
  }
  close(keeper_);
}

} // namespace skein::launch
