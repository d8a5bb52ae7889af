// One line of JSON under construction.
#ifndef SKEIN_MONITOR_JSON_LINE_H
#define SKEIN_MONITOR_JSON_LINE_H

#include "base/buffer.h"

#include <cstdint>

namespace skein {

/// Without memory the line is cut, and `whole` false.
class JsonLine {
public:
  /// '{' or '['; named if it stands in an object.
  void open(char bracket, const char *name = nullptr);
  void close(char bracket);
  void number(const char *name, uint64_t value);
  void text(const char *name, const char *value);
  void truth(const char *name, bool value) { literal(name, value ? "true" : "false"); }

  /// Ends the line, and begins another one in the same memory when `clear` is called.
  void end() { add("\n", 1); }
  void clear();
  bool whole() const { return whole_; }
  const unsigned char *data() const { return buffer_.data(); }
  size_t size() const { return buffer_.size(); }

private:
  void begin(const char *name);
  void literal(const char *name, const char *value);
  void quoted(const char *text);
  void add(const char *bytes, size_t count);

  Buffer buffer_;
  bool first_ = true; // nothing stands in the innermost bracket yet
  bool whole_ = true;
};

} // namespace skein

#endif
