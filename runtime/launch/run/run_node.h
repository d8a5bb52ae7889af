// A node, as the launcher knows it.
#ifndef SKEIN_LAUNCH_RUN_RUN_NODE_H
#define SKEIN_LAUNCH_RUN_RUN_NODE_H

#include "launch/run/host.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace skein::launch {

/// Others miss a node; see Launcher::examine.
struct Suspicion {
  uint64_t since_ms = 0; // 0: there is none
  uint64_t moved_ms = 0; // when it was last seen to get on
  uint64_t told_ms = 0;  // when another node said so last
  int by = 0;            // which node said so; -1: the launcher itself has not heard of it
  int silences = 0;      // how many times the patience of that node is over
  std::string why;
  Vitals then; // those at the beginning, or since its host has told them again
  uint64_t cpu_ms_last = 0;
};

/// What a node is to the run.
enum class Standing : uint8_t {
  coming,    // it was started in a running run, and does not count yet
  member,    // it counts: a founder from the start, another one when it was admitted
  withdrawn, // it was coming, and will not come
  left,      // it was a member, and nothing depends on its process any more, which is to end
};

/// How long a node that was told to end may take for that, in milliseconds.
inline constexpr int grace_ms = 3500;

struct Node {
  int number = 0;
  Host *host = nullptr;
  Standing standing = Standing::member;
  std::vector<char> address; // that of its transport; empty until it has joined
  bool begun = false;        // its process exists
  bool joined = false;
  bool introduced = false; // it knows where the others are
  bool met = false;        // it has said hello to all others, and they to it
  int missed_by = -1;      // before that: a node to which it has not said hello
  bool done = false;       // it has stopped talking to the others, at the end of the run
  bool exiting = false;    // it has announced a call of exit()
  bool dead = false;       // the others have been told that it died
  bool ended = false;
  Suspicion suspicion;
  bool answered = false; // it has answered a ping, in this suspicion or the last
  int pings = 0;         // so many it has not answered
  // It was told to leave, and then to stay: so many answers later, what it says of its leaving is no old news.
  int pings_until_heard = 0;
  bool parted = false;   // the others do not use it any more, since it leaves, and so do not miss it
  bool departed = false; // node 0 was told that what this node kept is its own from here on

  /// Before the begin: the run waits for it.
  bool is_expected() const { return standing == Standing::member && !dead; }
  /// It is one of those that make up the run now.
  bool is_there() const { return standing == Standing::member && !dead && !ended; }
  /// It listens to what is said of the others.
  bool hears_of_others() const {
    return !ended && (standing == Standing::member || (standing == Standing::coming && introduced));
  }
  void send(const void *packet, size_t bytes) const {
    if (host) // else it was no node any more when the run was restored
      host->send(number, packet, bytes);
  }
  void send(const bootstrap::Header &header) const { send(&header, sizeof header); }
  void send_text(const bootstrap::Header &header, const std::string &text) const {
    bootstrap::Packet packet;
    packet.header = header;
    const size_t bytes = std::min(text.size(), sizeof packet.bytes);
    memcpy(packet.bytes, text.data(), bytes);
    send(&packet, sizeof packet.header + bytes);
  }
  void ping() {
    send({.type = bootstrap::Type::ping});
    pings++;
  }
  void answers_ping() {
    answered = true;
    pings -= pings > 0;
    pings_until_heard -= pings_until_heard > 0;
  }
  /// Its transport is there.
  void joins_at(const bootstrap::Packet &packet, size_t bytes) {
    address.assign(packet.bytes, packet.bytes + bytes);
    joined = true;
  }
  /// Tells it where another node is.
  void send_peer(const Node &about) const {
    bootstrap::Packet packet;
    packet.header = {.type = bootstrap::Type::peer, .node = about.number};
    memcpy(packet.bytes, about.address.data(), about.address.size());
    send(&packet, sizeof packet.header + about.address.size());
  }
  void signal(int number_of_signal) const {
    if (!ended)
      host->signal(number, number_of_signal);
  }
  Vitals vitals() const { return host->vitals(number); }
};

inline std::string name_of(const Node &node) { return "node " + std::to_string(node.number); }

} // namespace skein::launch

#endif
