// The names of the types of messages, for logs and for `skein trace`.
#include "net/wire/messages.h"

namespace skein {

const char *message_name(uint8_t type) {
  static constexpr const char *names[] = {
      nullptr,      "hello",    "heartbeat", "threads",    "verdict",  "steal",         "nothing",       "policy",
      "ended",      "moved",    "slot",      "join",       "global",   "global create", nullptr,         "statistics",
      "count",      "counted",  "quiet",     "main ended", "allocate", "release",       nullptr,         nullptr,
      "reply",      "stealing", "wanted",    "regions",    "request",  "credits",       "await",         "quiesce",
      nullptr,      "change",   "range",     "peer",       "detach",   "arrived",       "parcel",        "cancel",
      "agree",      "stand",    "channel",   "offer",      "attempt",  "withdraw",      "trace classes", "clock",
      "clock told", "claim",    "informed",  "farewell",   "estate",   "seal key",      "coming",        "readable",
  };
  static_assert(sizeof names / sizeof *names == static_cast<size_t>(MessageType::last) + 1);
  return type < sizeof names / sizeof *names && names[type] ? names[type] : "unknown";
}

} // namespace skein
