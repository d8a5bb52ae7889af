// How a node comes to a running run; see changes.h.
#include "launch/run/changes.h"

#include "launch/run/clock_ms.h"

#include <csignal>

namespace skein::launch {

using bootstrap::Type;

std::string Changes::why_not(int more) const {
  if (over_)
    return "the run is over";
  if (!closed_.empty())
    return closed_;
  const int taken = numbers_taken();
  const std::string most = ": it was started for at most " + std::to_string(numbers_) + " (--max-nodes)";
  if (taken == numbers_)
    return "the run has no number left for another node" + most;
  if (taken + more > numbers_)
    return "the run has numbers left for " + std::to_string(numbers_ - taken) + " more, not for " +
           std::to_string(more) + most;
  return "";
}

std::string Changes::add(uint64_t asker, int nodes, const std::string &host) {
  if (std::string why = why_not(nodes); !why.empty())
    return why;
  for (int i = 0; i < nodes; i++) {
    Change &change = queue_.emplace_back();
    change.asker = asker;
    change.host = host;
  }
  proceed();
  tell_waiting(asker);
  return "";
}

void Changes::start(Change &change) {
  change.stage = Stage::starting;
  change.until_ms = start_s_ > 0 ? clock_ms() + static_cast<uint64_t>(start_s_) * 1000 : 0;
  owner_.start_late(std::string(change.host));
}

void Changes::started(Node &node) {
  Change &change = queue_.front();
  change.node = &node;
  node.standing = Standing::coming;
  tell(change, "is started");
  tell_waiting();
}

void Changes::cannot_start(const std::string &why) {
  owner_.say("no other node could be started: " + why);
  conclude(News::failed, "the node could not be started: " + why);
}

bool Changes::on_packet_of_newcomer(Node &from, const bootstrap::Packet &packet, size_t bytes) {
  const Type type = packet.header.type;
  if (Change *change = current(from, Stage::starting); change && type == Type::address) {
    from.joins_at(packet, bytes);
    meet(*change);
  } else if (Change *at = current(from, Stage::meeting); at && type == Type::met) {
    admit(*at);
  } else if (type == Type::rejects) { // if one of the two is damaged, it is the one that nobody has met so far
    withdraw("has rejected node " + std::to_string(packet.header.node) + ", which " + std::string(packet.bytes, bytes),
             false);
  } else {
    return type != Type::alive && type != Type::suspect && type != Type::misses;
  }
  return true;
}

void Changes::meet(Change &change) {
  Node &node = *change.node;
  change.stage = Stage::meeting;
  node.introduced = true;
  for (const Node &other : nodes_)
    if (other.is_there()) {
      node.send_peer(other);
      other.send_peer(node);
    } else if (other.departed) {
      node.send({.type = Type::departed, .node = other.number});
    }
  node.send({.type = Type::start});
  tell(change, "meets the others");
}

/// From here on it is a node like any other: if it ends, it is dead.
void Changes::admit(Change &change) {
  change.stage = Stage::admitting;
  change.until_ms = 0; // node 0 answers, or is given up
  change.node->met = true;
  change.node->standing = Standing::member;
  nodes_[0].send({.type = Type::admit, .node = change.node->number});
}

void Changes::admit_for_others(const Node &node) {
  send_to({.type = Type::admit, .node = node.number},
          [&](const Node &other) { return other.number != 0 && &other != &node; });
}

void Changes::admitted(Change &change) {
  admit_for_others(*change.node);
  change.node->send({.type = Type::begin});
  conclude(News::came, "has joined the run");
}

/// The node that was about to come does not. `forgotten`: its process may not exist yet, and will not.
void Changes::withdraw(const std::string &how, bool forgotten) {
  const Change change = queue_.front();
  Node &node = *change.node;
  node.standing = Standing::withdrawn;
  if (change.stage == Stage::meeting)
    send_to({.type = Type::withdrawn, .node = node.number}, [](const Node &) { return true; });
  node.signal(SIGKILL); // if there is no process yet, it is killed when there is
  if (forgotten && !node.begun && !node.ended)
    node.host->give_up();
  owner_.say(name_of(node) + " " + how + "; the run goes on without it");
  conclude(News::failed, how);
}

void Changes::give_up_late(const Change &change) {
  const std::string limit = " within " + std::to_string(start_s_) + " s (SKEIN_OPTIONS=start_s=)";
  if (!change.node)
    return cannot_start("host " + change.host + " has not answered" + limit);
  const Node &node = *change.node;
  withdraw((!node.begun    ? "has not been forked"
            : !node.joined ? "has not joined"
                           : "has not met all others") +
               limit + ": " + node.vitals().words(),
           true);
}

} // namespace skein::launch
