// See far_input.h.
#include "launch/run/far_input.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace skein::launch {

// --- the launcher's end ----------------------------------------------------------------------------------------------

void InputSource::begin() {
  reads_ = true;
  read_on();
}

void InputSource::taken(size_t bytes) {
  ahead_ -= bytes < ahead_ ? bytes : ahead_;
  read_on();
}

void InputSource::end() {
  reads_ = false;
  if (watched_)
    loop_.forget(STDIN_FILENO);
  watched_ = false;
}

/// Reads as long as that is not too far ahead of the node.
void InputSource::read_on() {
  const bool wanted = reads_ && ahead_ < ahead_most;
  if (waits_ && wanted && !watched_) {
    try {
      loop_.watch(STDIN_FILENO, Loop::Kind::message, [this] {
        read_piece();
        read_on();
      });
      watched_ = true;
    } catch (const std::string &) {
      waits_ = false;
    }
  } else if (watched_ && !wanted) {
    loop_.forget(STDIN_FILENO);
    watched_ = false;
  }
  while (!waits_ && reads_ && ahead_ < ahead_most)
    read_piece();
}

void InputSource::read_piece() {
  pollfd readable = {STDIN_FILENO, POLLIN, 0}; // somebody else may have read what was there
  if (poll(&readable, 1, 0) <= 0)
    return;
  const pid_t foreground = tcgetpgrp(STDIN_FILENO); // -1: no terminal
  const bool background = foreground >= 0 && foreground != getpgrp();
  char bytes[piece_bytes];
  const ssize_t got = background ? 0 : read(STDIN_FILENO, bytes, sizeof bytes);
  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (got <= 0) {
    send_("");
    return end();
  }
  ahead_ += static_cast<size_t>(got);
  send_(std::string(bytes, static_cast<size_t>(got)));
}

// --- the agent's end -------------------------------------------------------------------------------------------------

void InputPipe::open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[0], STDIN_FILENO) < 0)
    throw std::string("cannot open a pipe for the input of node 0: ") + strerror(errno);
  ::close(ends[0]);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  pipe_ = ends[1];
  loop_.watch(pipe_, Loop::Kind::message, [this] { flush(); });
}

void InputPipe::heard(const std::string &bytes) {
  if (pipe_ < 0)
    return taken_(bytes.size());
  ends_ = ends_ || bytes.empty();
  waiting_ += bytes;
  flush();
}

void InputPipe::flush() {
  while (!waiting_.empty()) {
    const ssize_t written = write(pipe_, waiting_.data(), waiting_.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0 && errno == EAGAIN)
      break;
    if (written < 0) // nobody reads it any more
      return close();
    waiting_.erase(0, static_cast<size_t>(written));
    taken_(static_cast<size_t>(written));
  }
  if (waiting_.empty() && ends_)
    return close();
  loop_.watch_for_room(pipe_, !waiting_.empty());
}

void InputPipe::close() {
  if (pipe_ < 0)
    return;
  loop_.forget(pipe_);
  ::close(pipe_);
  pipe_ = -1;
  taken_(waiting_.size());
  waiting_.clear();
}

} // namespace skein::launch
