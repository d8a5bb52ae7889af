// The wire format of protocol buffers, as far as a trace needs it: fields with varints, with 8 bytes, and with a
// length. (protobuf.dev/programming-guides/encoding)
#ifndef SKEIN_LAUNCH_TRACES_PROTOBUF_H
#define SKEIN_LAUNCH_TRACES_PROTOBUF_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace skein::traces {

/// A message under construction.
class Message {
public:
  void number(unsigned field, uint64_t value) {
    key(field, 0);
    varint(value);
  }
  void fixed(unsigned field, uint64_t value) {
    key(field, 1);
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void real(unsigned field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fixed(field, bits);
  }
  void text(unsigned field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_.append(value);
  }
  void message(unsigned field, const Message &value) { text(field, value.bytes_); }

  const std::string &bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

private:
  void key(unsigned field, unsigned type) { varint(uint64_t{field} << 3 | type); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

/// Reads the fields of a message one after the other. Throws a std::string if they do not fit together.
class Fields {
public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  /// False at the end. Then number() is the field's, and value() or text() what it holds.
  bool next() {
    if (rest_.empty())
      return false;
    const uint64_t key = varint();
    number_ = static_cast<unsigned>(key >> 3);
    text_ = {};
    switch (key & 7) {
    case 0:
      value_ = varint();
      return true;
    case 1:
      memcpy(&value_, take(8).data(), 8);
      return true;
    case 2:
      text_ = take(varint());
      return true;
    case 5:
      value_ = 0;
      memcpy(&value_, take(4).data(), 4);
      return true;
    default:
      throw std::string("it is damaged: a field has a type that there is not");
    }
  }
  unsigned number() const { return number_; }
  uint64_t value() const { return value_; }
  double real() const {
    double value;
    memcpy(&value, &value_, sizeof value);
    return value;
  }
  std::string_view text() const { return text_; }

private:
  std::string_view take(uint64_t count) {
    if (count > rest_.size())
      throw std::string("it is damaged: a field is longer than what is left");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80))
        return value;
    }
    throw std::string("it is damaged: a number is too long");
  }
  std::string_view rest_, text_;
  uint64_t value_ = 0;
  unsigned number_ = 0;
};

} // namespace skein::traces

#endif
