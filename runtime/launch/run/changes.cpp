// The queue of changes, and what comings and leavings have in common; see changes.h.
#include "launch/run/changes.h"

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

/// The nodes that there are when all has come to pass that was asked for.
int Changes::nodes_staying() const {
  int staying = 0;
  for (const Node &node : nodes_)
    staying += node.is_there() && leaving(node).empty();
  for (const Change &change : queue_)
    staying += !change.leaves && (!change.node || change.node->standing == Standing::coming);
  return staying;
}

std::string Changes::want(int nodes) {
  int more = nodes - nodes_staying();
  for (size_t i = queue_.size(); i-- > 0 && more != 0;) { // the last ones first
    const Change &change = queue_[i];
    if (change.asker != program || change.leaves != (more > 0) || !change.host.empty())
      continue;
    if (change.stage == Stage::waiting)
      queue_.erase(queue_.begin() + static_cast<ptrdiff_t>(i));
    else if (change.stage != Stage::draining || !take_back("the program wants it to"))
      continue;
    more += more > 0 ? -1 : 1;
  }
  if (more > 0) {
    const std::string why = why_not(more);
    if (const int possible = std::min(more, numbers_ - numbers_taken()); possible > 0)
      add(program, possible, "");
    return why;
  }
  std::vector<int> go;
  for (size_t i = nodes_.size(); i-- > 1 && more < 0;)
    if (nodes_[i].is_there() && leaving(nodes_[i]).empty()) {
      go.push_back(nodes_[i].number);
      more++;
    }
  return go.empty() ? "" : drain(program, go);
}

void Changes::cancel(uint64_t asker) {
  queue_.erase(
      std::remove_if(queue_.begin(), queue_.end(),
                     [&](const Change &change) { return change.asker == asker && change.stage == Stage::waiting; }),
      queue_.end());
  if (const Change *change = current(); change && change->asker == asker)
    take_back("who has asked for it has gone");
}

void Changes::close(const std::string &why) {
  closed_ = why;
  std::deque<Change> given_up;
  for (Change &change : std::exchange(queue_, {}))
    (change.stage == Stage::waiting ? given_up : queue_).push_back(std::move(change));
  for (const Change &change : given_up)
    owner_.tell(change.asker, News::failed, change.node ? change.node->number : -1,
                (change.leaves ? "stays: " : "") + why);
  take_back(why);
}

/// Takes back the current change, if there is one and that is possible.
bool Changes::take_back(const std::string &why) {
  Change *change = current();
  if (!change || !change->node)
    return false;
  switch (change->stage) {
  case Stage::starting:
  case Stage::meeting:
    withdraw("is not waited for: " + why, false);
    return true;
  case Stage::draining:
    stay(*change, why);
    return true;
  default:
    return false;
  }
}

void Changes::over() {
  if (std::exchange(over_, true))
    return;
  if (Change *change = current(); change && change->node && !change->leaves) {
    change->node->standing = Standing::withdrawn;
    change->node->signal(SIGKILL);
    if (!change->node->begun)
      change->node->host->give_up();
  }
  for (const Change &change : std::exchange(queue_, {})) {
    const int number = change.node ? change.node->number : -1;
    if (change.stage == Stage::ending)
      owner_.tell(change.asker, News::left, number, "has left the run, which is over");
    else
      owner_.tell(change.asker, News::over, number, "the run is over");
  }
}

// What the owner does here may end the change, and ask for others.
void Changes::proceed() {
  if (std::exchange(proceeding_, true))
    return;
  while (begun_ && !over_ && !held_ && !queue_.empty() && !current()) {
    if (Change &change = queue_.front(); change.leaves)
      drain(change);
    else
      start(change);
  }
  proceeding_ = false;
}

/// The current change has come to its end.
void Changes::conclude(News news, const std::string &text) {
  const Change done = std::move(queue_.front());
  queue_.pop_front();
  owner_.tell(done.asker, news, done.node ? done.node->number : -1, text);
  if (news == News::failed && !done.leaves) // what has kept this node away keeps others away, too
    while (!queue_.empty() && queue_.front().asker == done.asker && !queue_.front().leaves) {
      queue_.pop_front();
      owner_.tell(done.asker, News::failed, -1, "another node is not started: the one before did not come");
    }
  proceed();
}

void Changes::release() {
  held_ = false;
  proceed();
}

std::string Changes::waits_for_words() const {
  const Change *change = current();
  if (!change)
    return "waits for a checkpoint";
  return "waits for " + (change->node ? name_of(*change->node) : "another node") +
         (change->leaves ? " to leave" : " to come") + (change->kept_by.empty() ? "" : ": it " + change->kept_by);
}

/// Tells an asker, or all, which other one's change theirs wait for.
void Changes::tell_waiting(uint64_t asker) {
  const Change *change = current();
  if (!change && !held_)
    return;
  const std::string text = waits_for_words();
  std::set<uint64_t> told = {program};
  if (change)
    told.insert(change->asker);
  for (const Change &waiting : queue_)
    if ((asker == program || asker == waiting.asker) && told.insert(waiting.asker).second)
      owner_.tell(waiting.asker, News::progress, -1, text);
}

bool Changes::on_packet(Node &from, const bootstrap::Packet &packet, size_t bytes) {
  switch (from.standing) {
  case Standing::withdrawn:
    return true;
  case Standing::left:
    if (packet.header.type == Type::done)
      from.send({.type = Type::leave});
    return true;
  case Standing::coming:
    return on_packet_of_newcomer(from, packet, bytes);
  case Standing::member:
    break;
  }
  switch (packet.header.type) {
  case Type::admitted:
    if (Change *change = current();
        from.number == 0 && change && change->stage == Stage::admitting && change->node->number == packet.header.node)
      admitted(*change);
    return true;
  case Type::draining:
  case Type::drained:
  case Type::handed_over:
  case Type::departed:
    if (Change *change = current(); change && change->leaves && change->node->number == packet.header.node)
      on_packet_of_departure(*change, from, packet, bytes);
    return true;
  default:
    return false;
  }
}

bool Changes::on_end(Node &node, const std::string &how, bool well) {
  switch (node.standing) {
  case Standing::coming:
    withdraw(how, false);
    return true;
  case Standing::left:
    has_ended(node, how, well);
    return true;
  case Standing::withdrawn:
    return true;
  case Standing::member:
    return false;
  }
  return false;
}

bool Changes::on_death(Node &node, const std::string &how) {
  if (node.standing == Standing::coming)
    withdraw(how, false);
  if (node.standing != Standing::member)
    return true;
  if (current(node, Stage::admitting)) { // the others are to hear the same as node 0, which has been told to admit it
    admit_for_others(node);
    conclude(News::failed, how);
  }
  departures_without(node, how);
  return false;
}

void Changes::tick(uint64_t now_ms) {
  Change *change = current();
  if (!change || change->until_ms == 0 || now_ms < change->until_ms)
    return;
  if (change->leaves)
    kill_heedless(*change);
  else
    give_up_late(*change);
}

int Changes::due_ms(uint64_t now_ms) const {
  if (queue_.empty() || queue_.front().until_ms == 0)
    return -1;
  const uint64_t until = queue_.front().until_ms;
  return until > now_ms ? static_cast<int>(until - now_ms) : 0;
}

} // namespace skein::launch
