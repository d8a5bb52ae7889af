// This decides which nodes are given up: those that another one has rejected or does not hear any more, and those that
// are stopped; see launcher.h.
#include "base/knobs.h"
#include "launch/run/launcher.h"
#include "launch/run/vitals.h"

#include <algorithm>

namespace skein::launch {

static bool may_be_given_up(const Node &node) { return node.is_there() || node.standing == Standing::coming; }

// A node has sent another one what cannot be: it is damaged, and nobody can tell what else it will do.
void Launcher::rejected(Node &node, int by, const std::string &why) {
  if (over_ || !may_be_given_up(node))
    return;
  say(name_of(node) + " " + why + ", says node " + std::to_string(by));
  died(node, 128 + SIGKILL, why);
  node.signal(SIGKILL);
}

// Others have not heard of a node for a while. It may be dead, or late: the launcher looks at it, and asks it.
void Launcher::suspected(Node &node, int by, int silences, const std::string &why) {
  // Nothing goes to a node from which the others have parted, so what it does not hear is no sign of anything.
  if (over_ || !may_be_given_up(node) || (by >= 0 && nodes_[static_cast<size_t>(by)].parted))
    return;
  Suspicion &suspicion = node.suspicion;
  if (suspicion.since_ms == 0) {
    suspicion.then = node.vitals();
    suspicion.since_ms = suspicion.moved_ms = clock_ms();
    suspicion.cpu_ms_last = suspicion.then.cpu_ms_of_all();
    if (silences <= 1)
      node.answered = false;
    node.ping();
  }
  suspicion.told_ms = clock_ms();
  suspicion.by = by;
  suspicion.silences = silences;
  suspicion.why = why;
  examine(node);
}

// No node misses one from which all have parted, so the launcher asks it itself.
void Launcher::watch_parted() {
  for (Node &node : nodes_)
    if (node.parted && node.is_there() && !over_ && knobs.heartbeat_ms != 0 && node.suspicion.since_ms == 0 &&
        clock_ms() - node.suspicion.told_ms >= silence_ms())
      suspected(node, -1, 1, "is not heard of while it leaves");
}

// The node is dead if it is stopped; if it sleeps and does not answer; if a thread has had seconds of a processor and
// it does not answer; or if it answers the launcher, but nothing of it reaches the other node for several times its
// patience. Otherwise it is waited for.
void Launcher::examine(Node &node) {
  Suspicion &suspicion = node.suspicion;
  if (suspicion.since_ms == 0)
    return;
  if (over_ || !may_be_given_up(node)) {
    suspicion.since_ms = 0;
    return;
  }
  const uint64_t now = clock_ms();
  const Vitals vitals = node.vitals();
  const uint64_t cpu_ms = vitals.cpu_ms_of_all();
  if (suspicion.then.unknown && !vitals.unknown) { // what it did meanwhile is not held against it
    suspicion.then = vitals;
    suspicion.moved_ms = now;
    node.ping();
  }
  suspicion.then.unknown |= vitals.unknown;
  if (vitals.runnable || cpu_ms != suspicion.cpu_ms_last)
    suspicion.moved_ms = now;
  suspicion.cpu_ms_last = cpu_ms;
  const uint64_t still_ms = now - suspicion.moved_ms;
  std::string verdict;
  if (vitals.unknown)
    return;                                                     // it is heard of again, or its host is given up
  if ((vitals.stopped && suspicion.by >= 0) || !vitals.there) { // no time has passed before the launcher's own question
    verdict = vitals.words();
  } else if (node.answered) {
    if (suspicion.silences < silences_most || node.parted) {
      suspicion.since_ms = 0; // if it was only late, the other node hears of it now, too
      return;
    }
    Node &other = nodes_[static_cast<size_t>(suspicion.by)];
    if (is_deaf(other)) {
      suspicion.since_ms = 0;
      const std::string why = "hears nobody any more";
      say(name_of(other) + " " + why + ", though they answer `skein run`");
      died(other, 128 + SIGKILL, why);
      other.signal(SIGKILL);
      return;
    }
    verdict = "it answers `skein run`, but nothing of it reaches that node";
  } else if (still_ms >= (vitals.disk ? stuck_disk_ms : stuck_ms)) {
    verdict = vitals.words() + std::string(", and does not answer");
  } else if (vitals.cpu_ms_most_since(suspicion.then) >= heedless_ms) {
    // The node's threads share what it gets, so its progress thread would have had as much, if it could run.
    verdict = "it runs, and does not answer (a handler that does not return?)";
  } else {
    if (!late_told_ && now - suspicion.since_ms >= heedless_ms) {
      late_told_ = true;
      say(name_of(node) +
          " is late: " + (suspicion.by < 0 ? "" : "node " + std::to_string(suspicion.by) + " says that ") + "it " +
          suspicion.why + ", but " + vitals.words() + ". It is waited for");
    }
    return;
  }
  suspicion.since_ms = 0;
  say(name_of(node) + " " + suspicion.why + (suspicion.by < 0 ? "" : ", says node " + std::to_string(suspicion.by)) +
      ": " + verdict);
  died(node, 128 + SIGKILL, suspicion.why + " (" + verdict + ")");
  node.signal(SIGKILL);
}

// If one of two nodes does not hear the other, which one is to blame? The one that hears none of several; if there are
// only two, the one that is not node 0, since node 0 can go on. (Over UCX, a node that is killed while it writes into
// another one's queue of shared memory leaves an entry there that is never complete, and nothing is read after it.)
bool Launcher::is_deaf(const Node &node) const {
  int missed = 0, living = 0;
  for (const Node &other : nodes_)
    if (&other != &node && other.is_there()) {
      living++;
      missed += other.answered && other.suspicion.by == node.number && other.suspicion.silences > 1 &&
                clock_ms() - other.suspicion.told_ms < 2 * silence_ms();
    }
  return missed == living && (living > 1 || node.number != 0);
}

uint64_t Launcher::silence_ms() const { return std::max<uint64_t>(3000, 15 * knobs.heartbeat_ms); }

// No node misses another one before the begin (watch_start) and without heartbeats. A run of one node is left alone: no
// node waits for it, and it may be stopped and go on like any other program.
bool Launcher::watches_stopped() const { return nodes_.size() > 1 && begun_ && !over_ && knobs.heartbeat_ms != 0; }

// A node that is stopped is missed by others, unless it is the last one, or these are stopped, too. So the launcher
// looks for itself whether all that live are stopped and stay so, for as long as a node would have waited. A node that
// computes or sleeps does not count as stopped, nor does one that gets on between two looks (cpulimit, for example,
// stops and wakes it).
void Launcher::watch_stopped() {
  if (!watches_stopped())
    return;
  const uint64_t now = clock_ms();
  if (now < looked_ms_ + look_every_ms)
    return;
  // A gap between two looks counts as one at most: in a longer one the launcher was stopped itself (^Z).
  const uint64_t gap_ms = std::min(now - looked_ms_, look_every_ms);
  looked_ms_ = now;
  uint64_t cpu_ms = 0;
  for (const Node &node : nodes_) {
    if (!node.is_there())
      continue;
    const Vitals vitals = node.vitals();
    if (vitals.unknown || !vitals.stopped || vitals.runnable) {
      all_stopped_ = false;
      return;
    }
    cpu_ms += vitals.cpu_ms_of_all();
  }
  if (!all_stopped_ || cpu_ms != stopped_cpu_ms_) {
    all_stopped_ = true;
    stopped_cpu_ms_ = cpu_ms;
    stopped_ms_ = 0;
    return;
  }
  stopped_ms_ += gap_ms;
  if (stopped_ms_ < silence_ms())
    return;
  for (Node &node : nodes_) {
    if (!node.is_there())
      continue;
    say(name_of(node) + " is stopped, and no node is left to miss it");
    died(node, 128 + SIGKILL, "is stopped");
    node.signal(SIGKILL);
  }
}

} // namespace skein::launch
