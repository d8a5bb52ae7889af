// Words of events as text; see recording.h.
#include "launch/traces/recording.h"
#include "launch/traces/folder.h"
#include "launch/traces/perfetto.h"
#include "net/wire/messages.h"
#include "thread/thread.h"

#include <skein/skein.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

namespace skein::traces {

namespace {

std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

uint64_t word_value(const Event &event, int word) { return word == 0 ? event.a : word == 1 ? event.b : event.c; }

} // namespace

const NodeInfo &Recording::node(int number) const {
  for (const NodeInfo &info : nodes_)
    if (info.node == number)
      return info;
  throw "there is no file of node " + std::to_string(number);
}

std::string Recording::text(int node, TextKind kind, uint64_t key) const {
  const auto found = texts_.find({node, kind, key});
  return found == texts_.end() ? hex(key) : found->second;
}

std::string thread_text(uint64_t id) {
  const int node = thread_id_node(id);
  return std::to_string(thread_id_number(id)) + (node ? " of node " + std::to_string(node) : "");
}

std::string plain_name(const char *name) {
  std::string text = name;
  if (!text.empty() && text.back() == '_')
    text.pop_back();
  for (char &c : text)
    if (c == '_')
      c = ' ';
  return text;
}

std::string word_text(const Recording &recording, const Event &event, int word) {
  const uint64_t value = word_value(event, word);
  switch (trace_event_table[static_cast<size_t>(event.event)].words[word].type) {
  case TraceWord::none:
    return "";
  case TraceWord::number:
  case TraceWord::bytes:
  case TraceWord::node:
    return std::to_string(value);
  case TraceWord::signed_:
    return std::to_string(word == 0 ? static_cast<int64_t>(value) : int64_t{static_cast<int32_t>(value)});
  case TraceWord::address:
    return hex(value);
  case TraceWord::code:
    return skein_error_name(static_cast<int>(value));
  case TraceWord::channel:
    return thread_text(value); // channels are numbered like threads
  case TraceWord::function:
    return recording.text(event.node, TextKind::function, value);
  case TraceWord::text:
    return recording.text(event.node, TextKind::text, value);
  case TraceWord::name:
    return recording.text(event.node, TextKind::name, value);
  case TraceWord::message:
    return std::string(message_name(static_cast<uint8_t>(value >> 16))) + " " + std::to_string(value & 0xffff);
  case TraceWord::load:
    return value < trace_load_count ? trace_load_names[value] : std::to_string(value);
  }
  return "";
}

std::string words_text(const Recording &recording, const Event &event) {
  std::string text;
  const TraceEventInfo &info = trace_event_table[static_cast<size_t>(event.event)];
  for (int word = 0; word < 3; word++)
    if (info.words[word].name)
      text += (text.empty() ? "" : ", ") + plain_name(info.words[word].name) + " " + word_text(recording, event, word);
  return text;
}

std::unique_ptr<Recording> open_recording(const std::string &path) {
  struct stat what;
  if (stat(path.c_str(), &what) != 0)
    throw "cannot read " + path + ": " + strerror(errno);
  return S_ISDIR(what.st_mode) ? open_folder(path) : open_perfetto(path);
}

} // namespace skein::traces
