// Output of the nodes, under --prefix or on another host. It is read from a pipe for each node, and written by whole
// lines, each of which starts with the prefix `[node] `, if there is one. A line that stays unfinished for 100 ms (such
// as a prompt) is written as far as it goes; so is one of a node that has made a copy of itself for a checkpoint, which
// covers it. Lines of different nodes come in the order in which they are read here.
#ifndef SKEIN_LAUNCH_COMMAND_OUTPUT_H
#define SKEIN_LAUNCH_COMMAND_OUTPUT_H

#include <cstdint>
#include <functional>
#include <string>

namespace skein::launch {

class Output {
public:
  /// Forwards what arrives on `from` (a non-blocking descriptor, owned from here on), which is a node's descriptor
  /// `to`.
  Output(int from, int to, std::string prefix) : from_(from), to_(to), prefix_(std::move(prefix)) {}
  Output(Output &&other) noexcept;
  Output(const Output &) = delete;
  ~Output();

  /// Where the lines go, with the descriptor's number. It returns false if they have no reader any more.
  using Writer = std::function<bool(int to, const char *text, size_t bytes)>;
  void writes_to(Writer writer) { writer_ = std::move(writer); }

  int descriptor() const { return from_; }
  /// Reads what is there. False at the end of the stream (or if the output has no reader any more): then the descriptor
  /// is closed.
  bool pump();
  /// The milliseconds until `flush_overdue` has something to do; -1: never.
  int due_ms(uint64_t now_ms) const;
  void flush_overdue(uint64_t now_ms);
  /// Writes what has been read, as far as it goes.
  void flush();
  /// The end of the output: writes what is left.
  void finish();

private:
  void write_lines();
  void write_text(const char *text, size_t bytes);
  void close_source();

  int from_;
  int to_;
  std::string prefix_;
  Writer writer_;
  std::string text_;      // read, not written; never holds a whole line after pump()
  bool in_line_ = false;  // part of the current line was written already
  uint64_t since_ms_ = 0; // when the unfinished line began to wait
};

/// Writes all of it. False: nobody reads it any more.
bool write_all(int descriptor, const char *text, size_t bytes);

} // namespace skein::launch

#endif
