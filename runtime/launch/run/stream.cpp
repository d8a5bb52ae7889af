// Frames and their stream; see stream.h.
#include "launch/run/stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace skein::launch {

void FrameReader::take(void *to, size_t bytes) {
  if (bytes > left_) {
    sound_ = false;
    left_ = 0;
    memset(to, 0, bytes);
    return;
  }
  memcpy(to, at_, bytes);
  at_ += bytes;
  left_ -= bytes;
}

FrameReader &FrameReader::operator>>(std::string &text) {
  uint32_t bytes;
  *this >> bytes;
  if (bytes > left_) {
    sound_ = false;
    bytes = 0;
    left_ = 0;
  }
  text.assign(at_, bytes);
  at_ += bytes;
  left_ -= bytes;
  return *this;
}

/// Erases what is done with, if it is more than what is left.
static void forget(std::string &bytes, size_t &done) {
  if (done < bytes.size() - done)
    return;
  bytes.erase(0, done);
  done = 0;
}

Stream::Stream(int in, int out) : in_(in), out_(out) {
  for (int descriptor : {in, out})
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

Stream::~Stream() {
  close(in_);
  if (out_ != in_)
    close(out_);
}

void Stream::greet() { outgoing_.append(greeting, sizeof greeting - 1); }

void Stream::send(FrameHeader header, const void *data, size_t bytes) {
  header.bytes = static_cast<uint32_t>(bytes);
  outgoing_.append(reinterpret_cast<const char *>(&header), sizeof header);
  if (bytes > 0)
    outgoing_.append(static_cast<const char *>(data), bytes);
}

bool Stream::flush() {
  while (sent_ < outgoing_.size()) {
    const ssize_t count = write(out_, outgoing_.data() + sent_, outgoing_.size() - sent_);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno == EAGAIN)
      return true;
    if (count < 0) {
      outgoing_.clear(); // nobody listens; receive() will say so
      sent_ = 0;
      return false;
    }
    explicit_bzero(outgoing_.data() + sent_, static_cast<size_t>(count)); // the token may have been in it
    sent_ += static_cast<size_t>(count);
    forget(outgoing_, sent_);
  }
  return false;
}

bool Stream::flush_all(int patience_ms) {
  while (flush()) {
    pollfd room = {out_, POLLOUT, 0};
    if (poll(&room, 1, patience_ms) == 0)
      return false;
  }
  return true;
}

bool Stream::receive() {
  char buffer[64 << 10];
  for (;;) {
    const ssize_t count = read(in_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno == EAGAIN)
      break;
    if (count <= 0)
      return false;
    incoming_.append(buffer, static_cast<size_t>(count));
    if (incoming_.size() - taken_ > 2 * frame_bytes_most)
      break; // the rest is read when these frames are done with
  }
  if (!greeted_) {
    const size_t at = incoming_.find(greeting, 0, sizeof greeting - 1);
    if (at != std::string::npos) {
      incoming_.erase(0, at + sizeof greeting - 1);
      greeted_ = true;
    } else if (incoming_.size() > frame_bytes_most) {
      return false;
    }
  }
  return !broken_;
}

bool Stream::next(FrameHeader &header, std::string &data) {
  const size_t there = incoming_.size() - taken_;
  if (!greeted_ || there < sizeof header)
    return false;
  char *const frame = incoming_.data() + taken_;
  memcpy(&header, frame, sizeof header);
  if (header.bytes > frame_bytes_most) {
    broken_ = true;
    return false;
  }
  if (there < sizeof header + header.bytes)
    return false;
  data.assign(frame + sizeof header, header.bytes);
  explicit_bzero(frame, sizeof header + header.bytes); // the token may have been in it
  taken_ += sizeof header + header.bytes;
  forget(incoming_, taken_);
  return true;
}

} // namespace skein::launch
