// A socket delivers a stream of bytes; here it is cut into messages. docs/wire-format.md has the format.
//
//     header 8          payload
//     +--------------+  +--------------------------------------+
//     | bytes | kind |  | whole: a message of at most 64 KiB   |
//     +--------------+  | begin: how long a large one will be  |
//                       | part:  at most 64 KiB of it          |
//                       +--------------------------------------+
//
// Whole messages may come between the parts of a large one, so that none waits for a gigabyte to go by. Only one large
// message is under way at a time in each direction.
//
// What comes here has been written by a node that knows the run's secret; still nothing of it is believed: no length is
// used before it has been compared with its limit, and memory for a large message grows with what has arrived of it,
// not with what was announced. The first violation ends the connection. This file uses no socket, so that it can be
// fuzzed as it is.
#ifndef SKEIN_NET_WIRE_TCP_FRAMES_H
#define SKEIN_NET_WIRE_TCP_FRAMES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace skein::tcp {

enum class FrameKind : uint8_t { whole = 1, begin, part };

struct FrameHeader {
  uint32_t bytes; // that follow
  FrameKind kind;
  uint8_t zero[3];
};
static_assert(sizeof(FrameHeader) == 8);

/// A message up to this travels whole, and a larger one in parts of as much.
inline constexpr size_t frame_most = 64 << 10;
/// The largest message: a slice of shared memory, and some.
inline constexpr uint64_t message_most = UINT64_C(65) << 30;

/// One direction of one connection, as it arrives.
class FrameReader {
public:
  ~FrameReader() { free(memory_); }
  FrameReader() = default;
  FrameReader(const FrameReader &) = delete;

  /// Where the next `room` bytes of the stream may be written, of which `take` is then told with data null. Null: they
  /// must be given to `take`.
  char *direct(size_t &room) {
    room = part_left_;
    return part_left_ ? memory_ + arrived_ : nullptr;
  }

  /// Calls sink.whole(bytes, count) for each whole message, where it lies, and sink.large(memory, count) for a large
  /// one, whose memory is from malloc and belongs to the sink then; both return false to refuse it. Returns null, or
  /// what is wrong with the stream; `used` is how many of the bytes need not come again.
  template <class Sink> const char *take(const char *data, size_t bytes, size_t &used, Sink &sink) {
    size_t at = 0;
    const char *wrong = nullptr;
    while (!wrong) {
      if (part_left_) {
        const size_t now = std::min(part_left_, bytes - at);
        if (data)
          memcpy(memory_ + arrived_, data + at, now);
        at += now;
        arrived_ += now;
        part_left_ -= now;
        if (part_left_)
          break;
        if (arrived_ < total_)
          continue;
        char *message = memory_;
        const uint64_t total = total_;
        memory_ = nullptr;
        total_ = arrived_ = room_ = 0;
        if (!sink.large(message, total))
          wrong = "a large message that is not wanted";
        continue;
      }
      FrameHeader header;
      if (!data || bytes - at < sizeof header)
        break;
      memcpy(&header, data + at, sizeof header);
      if (header.zero[0] || header.zero[1] || header.zero[2])
        wrong = "a frame whose header is not understood";
      else if (header.kind == FrameKind::whole) {
        if (header.bytes > frame_most) {
          wrong = "a frame that is too long";
        } else if (bytes - at - sizeof header < header.bytes) {
          break;
        } else {
          const char *payload = data + at + sizeof header;
          at += sizeof header + header.bytes;
          if (!sink.whole(payload, header.bytes))
            wrong = "a message that is not wanted";
        }
      } else if (header.kind == FrameKind::begin) {
        uint64_t total;
        if (header.bytes != sizeof total) {
          wrong = "an announcement of a large message that is not understood";
        } else if (bytes - at < sizeof header + sizeof total) {
          break;
        } else {
          memcpy(&total, data + at + sizeof header, sizeof total);
          at += sizeof header + sizeof total;
          if (total_)
            wrong = "a large message within another";
          else if (total <= frame_most || total > message_most)
            wrong = "a large message of a size that is not allowed";
          else
            total_ = total;
        }
      } else if (header.kind == FrameKind::part) {
        at += sizeof header;
        if (header.bytes == 0 || header.bytes > frame_most || header.bytes > total_ - arrived_)
          wrong = "more of a large message than was announced";
        else if (!reserve(arrived_ + header.bytes))
          wrong = "a large message for which there is no memory";
        else
          part_left_ = header.bytes;
      } else {
        wrong = "a frame of an unknown kind";
      }
    }
    used = at;
    return wrong;
  }

private:
  /// Makes room for so many bytes of the large message: for all of it if it is moderate, else in steps that double.
  bool reserve(uint64_t bytes) {
    constexpr uint64_t at_once = 64 << 20;
    if (bytes <= room_)
      return true;
    const uint64_t room = std::min(total_, std::max(at_once, 2 * room_));
    auto *memory = static_cast<char *>(realloc(memory_, room));
    if (!memory)
      return false;
    memory_ = memory;
    room_ = room;
    return true;
  }

  char *memory_ = nullptr; // of the large message that is under way
  uint64_t total_ = 0, arrived_ = 0, room_ = 0;
  size_t part_left_ = 0; // of the frame that is being read
};

} // namespace skein::tcp

#endif
