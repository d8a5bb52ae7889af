// What the launcher and its agent on another host say to each other: frames on a stream of bytes, which ssh carries, or
// TLS (line.h). So the run's token may be among them.
//
//      launcher                                 agent
//         |<- hello: what its host is like ------- |   after a greeting line, before which a login shell may have its
//         say | -- start: command, nodes, token … ---> |
//         |<- begun: node, vitals … -------------- |
//         | -- packet: node <--------> packet: node|   those of net/wire/bootstrap.h, in both directions
//         |<- output: node, descriptor, text ----- |
//         |-- input: bytes ---------------------> |   for node 0, and how much of it was taken (far_input.h)
//         |-- monitor: node, connection <--------> |   what is said to a node's monitor, and by it (monitor_relay.h)
//         | -- signal, signal_all, ending, … ----> |
//         |<- recording: node, bytes ------------- |   with --trace (far_trace.h)
//         |<- end: node, status from waitpid ----- |
//         |<- finished --------------------------- |   the last node has ended, and this was the last of its output
//         | -- alive ----------------------------> |   once a second; the agent sends vitals as often,
//                                                      and how many of these it had heard by then
//
// A frame is a Header and so many bytes. Numbers are those of x86-64, and both ends are of one version of Skein, which
// the hello says first. An agent whose stream ends, or is silent for too long, kills its nodes and ends.
#ifndef SKEIN_LAUNCH_RUN_STREAM_H
#define SKEIN_LAUNCH_RUN_STREAM_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace skein::launch {

enum class Word : uint32_t {
  hello = 1,
  start,
  packet,
  signal,
  signal_all,
  ending,
  give_up,
  alive,
  begun,
  output,
  end,
  never_there,
  words,
  failed, // to start: why, in words
  vitals,
  finished,
  refuse,     // the launcher does not want the host: why, in words
  start_late, // one more node, in a run that has begun
  complete,   // no further node will be asked for
  monitor,    // no bytes: one side has hung up
  recording,  // a piece of it
  input,      // of node 0; no bytes: its end. From the agent: so many bytes have been taken
  disk,       // something is to be done with the folder of checkpoints there (disk.h),
  disk_done,  // and was, in the same order
};

struct FrameHeader {
  Word word{};
  int32_t node = 0;   // that it is about
  int32_t number = 0; // signal, descriptor, status, connection, how many bytes or signs of life
  uint32_t bytes = 0; // that follow
};
static_assert(sizeof(FrameHeader) == 16);

inline constexpr char greeting[] = "\n\x01skein-agent\x02\n";
inline constexpr size_t frame_bytes_most = 8 << 20; // the command line is the longest thing

/// Puts values behind each other.
class FrameWriter {
public:
  template <class T> FrameWriter &operator<<(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
    return *this;
  }
  FrameWriter &operator<<(const std::string &text) {
    *this << static_cast<uint32_t>(text.size());
    bytes_ += text;
    return *this;
  }
  const std::string &bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// Takes them out again. Once something was missing, all that follows is zero or empty, and `sound` is false.
class FrameReader {
public:
  explicit FrameReader(const std::string &bytes) : at_(bytes.data()), left_(bytes.size()) {}
  template <class T> FrameReader &operator>>(T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    take(&value, sizeof value);
    return *this;
  }
  FrameReader &operator>>(bool &value) { // of which only two of the 256 bytes are values
    uint8_t byte;
    *this >> byte;
    value = byte != 0;
    return *this;
  }
  FrameReader &operator>>(std::string &text);
  bool sound() const { return sound_; }

private:
  void take(void *to, size_t bytes);
  const char *at_;
  size_t left_;
  bool sound_ = true;
};

/// One end of the stream. What does not fit into it waits in memory.
class Stream {
public:
  /// Owns both descriptors, which may be one, and makes them non-blocking.
  Stream(int in, int out);
  Stream(const Stream &) = delete;
  ~Stream();

  int in() const { return in_; }
  int out() const { return out_; }
  /// Skips all up to the other side's greeting.
  void expect_greeting() { greeted_ = false; }
  void greet();
  void send(FrameHeader header, const void *data, size_t bytes); // no default: text in quotes would be sent as nothing
  void send(const FrameHeader &header) { send(header, nullptr, 0); }
  void send(const FrameHeader &header, const std::string &data) { send(header, data.data(), data.size()); }
  /// Writes what can be written without waiting. Afterwards, whether something is left.
  bool flush();
  /// Waits until all is written, or the stream has ended. False: nothing could be written for so long (-1: for ever).
  bool flush_all(int patience_ms);
  /// Reads what is there. False: the stream has ended, or holds what is no frame.
  bool receive();
  /// The next frame that is complete. False: there is none.
  bool next(FrameHeader &header, std::string &data);

private:
  int in_, out_;
  bool greeted_ = true;
  bool broken_ = false; // what was read is no frame
  // Much may lie there, of which little comes or goes at a time: what is done with is erased now and then.
  std::string incoming_, outgoing_;
  size_t taken_ = 0, sent_ = 0; // so many bytes are
};

} // namespace skein::launch

#endif
