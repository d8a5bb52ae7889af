#include "monitor/json_line.h"
#include "base/json_text.h"

#include <cstdio>
#include <cstring>

namespace skein {

void JsonLine::add(const char *bytes, size_t count) {
  unsigned char *to = buffer_.extend(count, 512);
  if (to)
    memcpy(to, bytes, count);
  else
    whole_ = false;
}

void JsonLine::quoted(const char *text) {
  json_quote(text, strlen(text), [this](const char *bytes, size_t count) { add(bytes, count); });
}

void JsonLine::begin(const char *name) {
  if (!first_)
    add(",", 1);
  first_ = false;
  if (!name)
    return;
  quoted(name);
  add(":", 1);
}

void JsonLine::literal(const char *name, const char *value) {
  begin(name);
  add(value, strlen(value));
}

void JsonLine::open(char bracket, const char *name) {
  begin(name);
  add(&bracket, 1);
  first_ = true;
}

void JsonLine::close(char bracket) {
  add(&bracket, 1);
  first_ = false;
}

void JsonLine::number(const char *name, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(value));
  literal(name, digits);
}

void JsonLine::text(const char *name, const char *value) {
  begin(name);
  quoted(value);
}

void JsonLine::clear() {
  buffer_.clear();
  first_ = true;
  whole_ = true;
}

} // namespace skein
