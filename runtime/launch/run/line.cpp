// How lines come about; see line.h.
#include "launch/run/line.h"

#include "launch/command/command.h"
#include "launch/tunnel/letters.h"
#include "os/linux/descriptors.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

int start_with_socket(std::vector<std::string> words, int kind, bool as_standard, pid_t &process) {
  int ends[2];
  if (socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::string("cannot open a socket pair: ") + strerror(errno);
  const pid_t parent = getpid();
  process = fork();
  if (process < 0)
    throw std::string("cannot fork: ") + strerror(errno);
  if (process > 0) {
    close(ends[1]);
    return ends[0];
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  setsid(); // the terminal's ^C and ^Z are for the nodes, to which the launcher passes them on
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (as_standard) {
    dup2(ends[1], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
  } else {
    fcntl(ends[1], F_SETFD, 0);
    std::replace(words.begin(), words.end(), std::string("SOCKET"), std::to_string(ends[1]));
  }
  std::vector<char *> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  fprintf(stderr, "skein: cannot start %s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

Line call_by_ssh(const std::string &host, const std::vector<std::string> &ssh, const std::string &agent) {
  Line line;
  line.host = host;
  line.called = true;
  for (const std::string &word : ssh)
    line.carrier += (line.carrier.empty() ? "" : " ") + word;
  std::vector<std::string> words = ssh;
  words.push_back(host);
  words.push_back(agent);
  line.socket = start_with_socket(std::move(words), SOCK_STREAM, true, line.process);
  return line;
}

Door::Door(Loop &loop, const std::string &at, const std::string &key_file)
    : loop_(loop), control_(start_with_socket({tunnel_program(), "listen", at, key_file, "SOCKET"}, SOCK_SEQPACKET,
                                              false, process_)) {
  loop_.watch(control_, Loop::Kind::message, [this] { on_control(); });
}

void Door::shut() {
  if (control_ < 0)
    return;
  loop_.forget(control_);
  close(control_);
  control_ = -1;
}

Door::~Door() {
  shut();
  kill(process_, SIGKILL); // what it carries has come to its end
  waitpid(process_, nullptr, 0);
}

void Door::on_control() {
  char text[512];
  int descriptor;
  const ssize_t bytes = receive_with(control_, text, sizeof text, &descriptor, 1, MSG_DONTWAIT);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (bytes <= 0)
    throw std::string("skein-tunnel, which listens for `skein join`, has ended");
  const std::string words(text + 1, static_cast<size_t>(bytes) - 1);
  if (text[0] == tunnel::says_failed)
    throw words;
  if (text[0] == tunnel::says_listening)
    return on_open(words);
  Line line;
  line.host = words;
  line.carrier = "skein join";
  line.socket = descriptor;
  if (line.socket >= 0)
    on_line(std::move(line));
}

} // namespace skein::launch
