// The changes, step by step; see changes.h.
#include "launch/run/changes.h"

#include "launch/run/clock_ms.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace skein::launch {

using bootstrap::Type;

void Changes::begin() {
  begun_ = true;
  proceed();
}

int Changes::numbers_taken() const {
  int taken = static_cast<int>(nodes_.size());
  for (const Change &change : queue_)
    taken += change.node == nullptr;
  return taken;
}

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
  return "";
}

void Changes::cancel(uint64_t asker) {
  queue_.erase(
      std::remove_if(queue_.begin(), queue_.end(),
                     [&](const Change &change) { return change.asker == asker && change.stage == Stage::waiting; }),
      queue_.end());
  if (const Change *change = current();
      change && change->asker == asker && change->node && change->stage != Stage::admitting)
    withdraw("is not wanted any more", false);
}

void Changes::close(const std::string &why) {
  closed_ = why;
  std::deque<Change> given_up;
  for (Change &change : std::exchange(queue_, {}))
    (change.stage == Stage::waiting ? given_up : queue_).push_back(std::move(change));
  for (const Change &change : given_up)
    owner_.tell(change.asker, News::failed, -1, why);
  if (const Change *change = current(); change && change->node && change->stage != Stage::admitting)
    withdraw("is not waited for: " + why, false);
}

void Changes::over() {
  if (std::exchange(over_, true))
    return;
  if (Change *change = current(); change && change->node) {
    change->node->standing = Standing::withdrawn;
    change->node->signal(SIGKILL);
    if (!change->node->begun)
      change->node->host->give_up();
  }
  for (const Change &change : std::exchange(queue_, {}))
    owner_.tell(change.asker, News::over, change.node ? change.node->number : -1, "the run is over");
}

// What the owner does here may end the change, and ask for others.
void Changes::proceed() {
  if (std::exchange(proceeding_, true))
    return;
  while (begun_ && !over_ && !queue_.empty() && !current()) {
    Change &change = queue_.front();
    change.stage = Stage::starting;
    change.until_ms = start_s_ > 0 ? clock_ms() + static_cast<uint64_t>(start_s_) * 1000 : 0;
    owner_.start_late(std::string(change.host));
  }
  proceeding_ = false;
}

/// The current change has come to its end.
void Changes::conclude(News news, const std::string &text) {
  const Change done = std::move(queue_.front());
  queue_.pop_front();
  owner_.tell(done.asker, news, done.node ? done.node->number : -1, text);
  if (news == News::failed) // what has kept this node away keeps others away, too
    while (!queue_.empty() && queue_.front().asker == done.asker) {
      queue_.pop_front();
      owner_.tell(done.asker, News::failed, -1, "another node is not started: the one before did not come");
    }
  proceed();
}

void Changes::started(Node &node) {
  Change &change = queue_.front();
  change.node = &node;
  node.standing = Standing::coming;
  tell(change, "is started");
}

void Changes::cannot_start(const std::string &why) {
  owner_.say("no other node could be started: " + why);
  conclude(News::failed, "the node could not be started: " + why);
}

bool Changes::on_packet(Node &from, const bootstrap::Packet &packet, size_t bytes) {
  const Type type = packet.header.type;
  if (from.standing == Standing::withdrawn)
    return true;
  if (type == Type::admitted) {
    Change *change = current();
    if (from.number == 0 && change && change->stage == Stage::admitting && change->node->number == packet.header.node)
      admitted(*change);
    return true;
  }
  if (from.standing != Standing::coming)
    return false;
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
  for (const Node &other : nodes_)
    if (other.number != 0 && &other != &node && other.is_there())
      other.send({.type = Type::admit, .node = node.number});
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
    for (const Node &other : nodes_)
      if (other.is_there())
        other.send({.type = Type::withdrawn, .node = node.number});
  node.signal(SIGKILL); // if there is no process yet, it is killed when there is
  if (forgotten && !node.begun && !node.ended)
    node.host->give_up();
  owner_.say(name_of(node) + " " + how + "; the run goes on without it");
  conclude(News::failed, how);
}

bool Changes::on_end(Node &node, const std::string &how) {
  if (node.standing == Standing::coming)
    withdraw(how, false);
  return node.standing == Standing::withdrawn;
}

bool Changes::on_death(Node &node, const std::string &how) {
  if (node.standing == Standing::coming)
    withdraw(how, false);
  if (current(node, Stage::admitting)) { // the others are to hear the same as node 0, which has been told to admit it
    admit_for_others(node);
    conclude(News::failed, how);
  }
  return node.standing == Standing::withdrawn;
}

void Changes::tick(uint64_t now_ms) {
  const Change *change = current();
  if (!change || change->until_ms == 0 || now_ms < change->until_ms)
    return;
  const std::string limit = " within " + std::to_string(start_s_) + " s (SKEIN_OPTIONS=start_s=)";
  if (!change->node)
    return cannot_start("host " + change->host + " has not answered" + limit);
  const Node &node = *change->node;
  withdraw((!node.begun    ? "has not been forked"
            : !node.joined ? "has not joined"
                           : "has not met all others") +
               limit + ": " + node.vitals().words(),
           true);
}

int Changes::due_ms(uint64_t now_ms) const {
  if (queue_.empty() || queue_.front().until_ms == 0)
    return -1;
  const uint64_t until = queue_.front().until_ms;
  return until > now_ms ? static_cast<int>(until - now_ms) : 0;
}

} // namespace skein::launch
