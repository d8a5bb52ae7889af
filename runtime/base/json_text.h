// Texts as JSON has them (RFC 8259).
#ifndef SKEIN_BASE_JSON_TEXT_H
#define SKEIN_BASE_JSON_TEXT_H

#include <cstddef>

namespace skein {

/// Calls add(bytes, count) for one piece of the text after the other, in quotes and escaped.
template <class Add> void json_quote(const char *text, size_t bytes, Add &&add) {
  add("\"", 1);
  for (const char *at = text, *end = text + bytes; at != end; at++) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte == '"' || byte == '\\') {
      const char escaped[] = {'\\', *at};
      add(escaped, sizeof escaped);
    } else if (byte < ' ') {
      const char escaped[] = {'\\', 'u', '0', '0', static_cast<char>('0' + byte / 16), "0123456789abcdef"[byte % 16]};
      add(escaped, sizeof escaped);
    } else {
      add(at, 1);
    }
  }
  add("\"", 1);
}

} // namespace skein

#endif
