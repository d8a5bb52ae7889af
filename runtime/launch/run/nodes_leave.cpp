// How a node leaves a running run; see changes.h.
#include "launch/run/changes.h"

#include "launch/run/clock_ms.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace skein::launch {

using bootstrap::Type;

std::string Changes::why_not_drain(int number) const {
  if (number == 0)
    return "node 0 cannot leave: it leads the run, and keeps what other nodes leave behind";
  const std::string name = "node " + std::to_string(number);
  if (number < 0 || number >= static_cast<int>(nodes_.size()))
    return "there is no " + name + ": `skein node list` lists those that there are";
  const Node &node = nodes_[static_cast<size_t>(number)];
  switch (node.standing) {
  case Standing::coming:
    return name + " has not joined the run yet, and can leave only when it has";
  case Standing::withdrawn:
    return name + " did not come";
  case Standing::left:
    return name + " has left already";
  case Standing::member:
    break;
  }
  if (!node.is_there())
    return name + " is dead: nothing is left there that could go elsewhere";
  if (!leaving(node).empty())
    return name + " is to leave already: `skein node list` says what keeps it";
  return "";
}

std::string Changes::drain(uint64_t asker, const std::vector<int> &numbers) {
  if (over_)
    return "the run is over";
  if (!closed_.empty())
    return closed_;
  for (size_t i = 0; i < numbers.size(); i++) {
    if (std::string why = why_not_drain(numbers[i]); !why.empty())
      return why;
    if (std::count(numbers.begin(), numbers.end(), numbers[i]) > 1)
      return "node " + std::to_string(numbers[i]) + " is named twice";
  }
  if (!begun_)
    return "the run has not begun, and nodes can leave only when it has";
  for (const int number : numbers) {
    Change &change = queue_.emplace_back();
    change.asker = asker;
    change.leaves = true;
    change.node = &nodes_[static_cast<size_t>(number)];
  }
  proceed();
  tell_waiting(asker);
  return "";
}

std::string Changes::leaving(const Node &node) const {
  for (const Change &change : queue_)
    if (change.leaves && change.node == &node)
      return change.stage == Stage::waiting ? "is to leave"
             : change.kept_by.empty()       ? "leaves"
                                            : "leaves: it " + change.kept_by;
  return "";
}

void Changes::drain(Change &change) {
  change.stage = Stage::draining;
  send_to({.type = Type::drain, .node = change.node->number, .status = 1}, [](const Node &) { return true; });
  tell(change, "is to leave");
  tell_waiting();
}

/// The node has not parted from anybody, and goes on as if nobody had asked. It may have said meanwhile that it is
/// drained: that is over when it has answered a question that is asked now.
void Changes::stay(Change &change, const std::string &why) {
  Node &node = *change.node;
  send_to({.type = Type::drain, .node = node.number, .status = 0}, [](const Node &) { return true; });
  node.ping();
  node.pings_until_heard = node.pings;
  conclude(News::failed, "stays: " + why);
}

void Changes::on_packet_of_departure(Change &change, const Node &from, const bootstrap::Packet &packet, size_t bytes) {
  const bool own = &from == change.node && from.pings_until_heard == 0;
  switch (packet.header.type) {
  case Type::draining:
    if (own && change.stage == Stage::draining)
      keep(change, bytes != 0 ? std::string(packet.bytes, bytes)
                              : "is kept by " + std::to_string(packet.header.status) + " things");
    break;
  case Type::drained:
    if (own && change.stage == Stage::draining)
      part(change);
    break;
  case Type::handed_over:
    if (own && change.stage == Stage::parting)
      inherit(change);
    break;
  default:
    if (change.stage == Stage::inheriting && from.number == 0)
      depart(change);
    else if (change.stage == Stage::departing && change.unanswered.erase(from.number) != 0)
      end_when_all_have_answered(change);
  }
}

void Changes::keep(Change &change, const std::string &why) {
  if (change.kept_by == why)
    return;
  change.kept_by = why;
  tell(change, "stays for now: it " + why);
  tell_waiting();
}

void Changes::part(Change &change) {
  change.stage = Stage::parting;
  change.kept_by.clear();
  change.node->parted = true;
  send_to({.type = Type::part, .node = change.node->number}, [&](const Node &other) { return &other != change.node; });
  tell(change, "takes leave of the others");
}

void Changes::inherit(Change &change) {
  change.stage = Stage::inheriting;
  change.node->departed = true;
  nodes_[0].send({.type = Type::departed, .node = change.node->number});
}

void Changes::depart_for_others(const Node &node) {
  send_to({.type = Type::departed, .node = node.number},
          [&](const Node &other) { return other.number != 0 && &other != &node; });
}

void Changes::depart(Change &change) {
  change.stage = Stage::departing;
  for (const Node &other : nodes_)
    if (other.number != 0 && &other != change.node && other.is_there())
      change.unanswered.insert(other.number);
  depart_for_others(*change.node);
  end_when_all_have_answered(change);
}

/// Then nobody knows it any more.
void Changes::end_when_all_have_answered(Change &change) {
  if (!change.unanswered.empty())
    return;
  change.stage = Stage::ending;
  change.until_ms = clock_ms() + grace_ms;
  change.node->standing = Standing::left;
  change.node->send({.type = Type::end});
}

void Changes::kill_heedless(Change &change) {
  change.until_ms = 0;
  owner_.say(name_of(*change.node) + " has left the run, but does not end, and is killed");
  change.node->signal(SIGKILL);
}

/// The process of a node that has left.
void Changes::has_ended(const Node &node, const std::string &how, bool well) {
  if (!current(node, Stage::ending))
    return; // the run is over
  const std::string text = "has left the run" + (well ? "" : "; its process " + how);
  owner_.say(name_of(node) + " " + text);
  conclude(News::left, text);
}

/// A node of the run has died.
void Changes::departures_without(const Node &node, const std::string &how) {
  const auto waiting = std::find_if(queue_.begin(), queue_.end(), [&](const Change &change) {
    return change.leaves && change.node == &node && change.stage == Stage::waiting;
  });
  if (waiting != queue_.end()) {
    const uint64_t asker = waiting->asker;
    queue_.erase(waiting);
    owner_.tell(asker, News::failed, node.number, how);
  }
  Change *change = current();
  if (!change || !change->leaves)
    return;
  if (change->node == &node) {
    if (change->stage == Stage::inheriting) // the others are to hear the same as node 0
      depart_for_others(node);
    conclude(News::failed, how + " before it had left");
  } else if (change->unanswered.erase(node.number) != 0) {
    end_when_all_have_answered(*change);
  }
}

} // namespace skein::launch
