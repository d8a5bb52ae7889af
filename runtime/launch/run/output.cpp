// Forwarding of output by lines; see output.h.
#include "launch/run/output.h"

#include "launch/run/clock_ms.h"

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace skein::launch {

namespace {
constexpr uint64_t patience_ms = 100;
constexpr size_t line_bytes_max =
    64 << 10; // longer lines are cut, so that a node without line ends cannot fill the launcher's memory
} // namespace

bool write_all(int descriptor, const char *text, size_t bytes) {
  while (bytes > 0) {
    const ssize_t count = write(descriptor, text, bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    text += count;
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

Output::Output(Output &&other) noexcept
    : from_(std::exchange(other.from_, -1)), to_(other.to_), prefix_(std::move(other.prefix_)),
      writer_(std::move(other.writer_)), text_(std::move(other.text_)), in_line_(other.in_line_),
      since_ms_(other.since_ms_) {}

Output::~Output() { close_source(); }

void Output::close_source() {
  if (from_ >= 0)
    close(from_);
  from_ = -1;
}

bool Output::pump() {
  char buffer[16 << 10];
  while (from_ >= 0) {
    ssize_t count = read(from_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno == EAGAIN)
      return true;
    if (count <= 0)
      close_source();
    else {
      if (text_.empty())
        since_ms_ = clock_ms();
      text_.append(buffer, static_cast<size_t>(count));
      write_lines();
    }
  }
  return false;
}

void Output::write_lines() {
  size_t end = text_.rfind('\n');
  if (end == std::string::npos && text_.size() < line_bytes_max)
    return;
  size_t bytes = end == std::string::npos ? text_.size() : end + 1;
  write_text(text_.data(), bytes);
  text_.erase(0, bytes);
  since_ms_ = clock_ms();
}

int Output::due_ms(uint64_t now_ms) const {
  if (text_.empty())
    return -1;
  uint64_t due = since_ms_ + patience_ms;
  return due <= now_ms ? 0 : static_cast<int>(due - now_ms);
}

void Output::flush_overdue(uint64_t now_ms) {
  if (due_ms(now_ms) == 0)
    flush();
}

void Output::flush() {
  if (!text_.empty())
    write_text(text_.data(), text_.size());
  text_.clear();
}

void Output::finish() {
  pump();
  flush();
  if (in_line_)
    write_text("\n", 1);
}

// Writes text, with the prefix in front of each line that begins in it.
void Output::write_text(const char *text, size_t bytes) {
  std::string prefixed;
  for (size_t i = 0; i < bytes; i++) {
    if (!in_line_)
      prefixed += prefix_;
    prefixed += text[i];
    in_line_ = text[i] != '\n';
  }
  if (!writer_(to_, prefixed.data(), prefixed.size()))
    close_source(); // the nodes shall see that as they would without the launcher
}

} // namespace skein::launch
