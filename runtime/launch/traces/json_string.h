// A text in quotes, as JSON has it.
#ifndef SKEIN_LAUNCH_TRACES_JSON_STRING_H
#define SKEIN_LAUNCH_TRACES_JSON_STRING_H

#include "base/json_text.h"

#include <string>
#include <string_view>

namespace skein {

inline std::string json_string(std::string_view text) {
  std::string json;
  json_quote(text.data(), text.size(), [&](const char *bytes, size_t count) { json.append(bytes, count); });
  return json;
}

} // namespace skein

#endif
