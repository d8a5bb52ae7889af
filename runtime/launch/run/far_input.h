// The input of node 0 on another host: what comes to the launcher's standard input goes through the stream to the
// agent, and into a pipe there.
//
// The launcher reads ahead of the node by a bounded number of bytes, as ssh does: what the node does not read is lost
// to whoever shares the input with the launcher. From a terminal it reads only in the foreground, where it is not
// stopped.
#ifndef SKEIN_LAUNCH_RUN_FAR_INPUT_H
#define SKEIN_LAUNCH_RUN_FAR_INPUT_H

#include "launch/run/loop.h"

#include <cstddef>
#include <functional>
#include <string>

namespace skein::launch {

/// The launcher's end.
class InputSource {
public:
  /// `send` carries bytes to the agent; none: the input has ended.
  InputSource(Loop &loop, std::function<void(const std::string &bytes)> send) : loop_(loop), send_(std::move(send)) {}
  InputSource(const InputSource &) = delete;
  ~InputSource() { end(); }

  /// The node has begun.
  void begin();
  /// So many bytes more have found room in the pipe, or are not wanted.
  void taken(size_t bytes);
  /// The node has ended.
  void end();

private:
  void read_on();
  void read_piece();

  static constexpr size_t ahead_most = 256 << 10, piece_bytes = 32 << 10;
  Loop &loop_;
  std::function<void(const std::string &bytes)> send_;
  bool reads_ = false;
  bool watched_ = false;
  bool waits_ = true; // it can be waited for; a regular file cannot, and has something at any time
  size_t ahead_ = 0;
};

/// The agent's end.
class InputPipe {
public:
  InputPipe(Loop &loop, std::function<void(size_t bytes)> taken) : loop_(loop), taken_(std::move(taken)) {}
  InputPipe(const InputPipe &) = delete;
  ~InputPipe() { close(); }

  /// Puts a pipe in the place of this process's standard input, which node 0 inherits. Throws a std::string.
  void open();
  void heard(const std::string &bytes);
  /// The node has ended.
  void close();

private:
  void flush();

  Loop &loop_;
  std::function<void(size_t bytes)> taken_;
  int pipe_ = -1;
  bool ends_ = false; // when all is written
  std::string waiting_;
};

} // namespace skein::launch

#endif
