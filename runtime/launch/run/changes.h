// Nodes that come to a running run, and nodes that leave it: the launcher's side of the pictures in
// net/wire/bootstrap.h. How a node comes is in nodes_come.cpp, how one leaves in nodes_leave.cpp.
//
// There is one change at a time, and further ones wait for their turn, so that every node sees the same changes in the
// same order. Whoever has asked for a change (an *asker*: a `skein node` that is connected, or the program) hears how
// it goes.
//
// Invariants
//  * A number belongs to one node for ever. Numbers are taken in their order.
//  * A node that comes counts from the moment at which node 0 is told to admit it. If it ends before, or is given up,
//    it is withdrawn: the nodes that were told of it forget it, and the run goes on as if nobody had asked. After that
//    its end is a death like any other.
//  * A node that leaves is drained first, which can be taken back. From `part` on it cannot. The node has *departed*
//    when node 0, which has all that it kept, is told so; all others are then told, too, and so is each node that comes
//    later. Once they have answered, nothing in the run depends on its process, and only then is that told to end.
//    If it ends before, it is dead.
//  * Nobody waits for an answer of a node that is dead.
//
// Rejected: several changes at once, since node 0 would have to order them again, and a node that comes would have to
// be told of others that come at the same time; and taking back when the others have parted from a node, since they
// would have to meet it again as one that comes.
#ifndef SKEIN_LAUNCH_RUN_CHANGES_H
#define SKEIN_LAUNCH_RUN_CHANGES_H

#include "launch/run/run_node.h"

#include <deque>
#include <set>
#include <utility>

namespace skein::launch {

/// What an asker hears.
enum class News : uint8_t {
  progress, // in words
  came,     // the node is there
  left,     // the node's process has ended, and nothing was lost
  kept,     // the checkpoint is complete: its bytes, and milliseconds of pause and in all
  failed,   // why, in words
  over,     // the run is, before the change was made
};

/// What the changes need of the launcher.
class ChangesOwner {
public:
  /// Starts another node, with the next number, on this host (empty) or on that one, and calls Changes::started or
  /// cannot_start, now or later.
  virtual void start_late(const std::string &host) = 0;
  /// Tells the user something, by `skein run`.
  virtual void say(const std::string &text) = 0;
  virtual void tell(uint64_t asker, News news, int node, const std::string &text) = 0;

protected:
  ~ChangesOwner() = default;
};

class Changes {
public:
  static constexpr uint64_t program = 0; // the asker that is no `skein node`

  /// `nodes` never move in memory, and have room for all numbers.
  Changes(std::vector<Node> &nodes, ChangesOwner &owner) : nodes_(nodes), owner_(owner) {}
  Changes(const Changes &) = delete;

  /// The run may have so many numbers for nodes, and a node that comes so many seconds (0: as many as it likes).
  void settle(int numbers, int start_s) {
    numbers_ = numbers;
    start_s_ = start_s;
  }
  /// The run has begun: changes can be made.
  void begin();
  /// The run is over: there will be no change any more. May be called again.
  void over();
  /// The run was asked to end, and no node shall come or leave any more.
  void close(const std::string &why);

  /// How many numbers are taken, or about to be.
  int numbers_taken() const;
  /// In words, why so many more nodes cannot come; empty: they can.
  std::string why_not(int more) const;
  /// Asks for so many nodes on a host (empty: this one). Returns why not, in words, or nothing.
  std::string add(uint64_t asker, int nodes, const std::string &host);
  /// Has these nodes leave, in this order. Returns why not, in words (then none of them leaves), or nothing.
  std::string drain(uint64_t asker, const std::vector<int> &numbers);
  /// The program wants so many nodes (at least 1), when all has come to pass that was asked for: its last word counts,
  /// so what is not done yet of those before may be taken back. Returns why there will be fewer, in words, or nothing.
  std::string want(int nodes);
  /// The asker has gone: what it has asked for is taken back, as far as that is possible.
  void cancel(uint64_t asker);

  /// No change is begun until `release`.
  void hold() { held_ = true; }
  void release();
  /// A change is under way.
  bool is_busy() const { return current() != nullptr; }
  /// In words, what that is.
  std::string waits_for_words() const;

  /// For `start_late`: the node has its number, and is about to have a process.
  void started(Node &node);
  void cannot_start(const std::string &why);
  /// Whether `start_late` was called for a node on that host, and nothing has come of it yet.
  bool waits_for(const std::string &host) {
    const Change *change = current();
    return change && !change->node && change->host == host;
  }
  /// In words, how far a node that is to leave has come; empty: it is not to leave.
  std::string leaving(const Node &node) const;

  /// True: the packet was about a change.
  bool on_packet(Node &from, const bootstrap::Packet &packet, size_t bytes);
  /// A node's process has ended (`well`: with status 0), or there will be none; `how` in words that follow its name.
  /// True: it did not count, or does not any more.
  bool on_end(Node &node, const std::string &how, bool well = false);
  /// A node is to be given up; it is not marked as dead yet. True: it is withdrawn instead.
  bool on_death(Node &node, const std::string &how);

  void tick(uint64_t now_ms);
  int due_ms(uint64_t now_ms) const;

private:
  enum class Stage : uint8_t {
    waiting,
    // a node comes
    starting,
    meeting,
    admitting,
    // a node leaves
    draining,   // until nothing runs there
    parting,    // the others do not use it any more, and node 0 gets what it has kept
    inheriting, // node 0 makes that its own
    departing,  // the others hear of it
    ending,     // its process does
  };
  struct Change {
    uint64_t asker = program;
    Node *node = nullptr;
    Stage stage = Stage::waiting;
    bool leaves = false;
    uint64_t until_ms = 0;    // 0: for ever
    std::string host;         // on which a node that comes is to be
    std::string kept_by;      // what a node that leaves has told, in words that follow its name
    std::set<int> unanswered; // the nodes that were told that it has departed
  };
  const Change *current() const {
    return !queue_.empty() && queue_.front().stage != Stage::waiting ? &queue_.front() : nullptr;
  }
  Change *current() { return const_cast<Change *>(std::as_const(*this).current()); }
  Change *current(const Node &node, Stage stage) {
    Change *change = current();
    return change && change->node == &node && change->stage == stage ? change : nullptr;
  }
  void proceed();
  void conclude(News news, const std::string &text);
  bool take_back(const std::string &why);
  int nodes_staying() const;
  void tell(const Change &change, const std::string &text) {
    owner_.tell(change.asker, News::progress, change.node->number, text);
  }
  void tell_waiting(uint64_t asker = program);
  /// Sends this to all nodes that are there and are meant.
  template <typename Meant> void send_to(const bootstrap::Header &packet, Meant meant) const {
    for (const Node &node : nodes_)
      if (node.is_there() && meant(node))
        node.send(packet);
  }

  // nodes_come.cpp
  void start(Change &change);
  bool on_packet_of_newcomer(Node &from, const bootstrap::Packet &packet, size_t bytes);
  void meet(Change &change);
  void admit(Change &change);
  void admitted(Change &change);
  void admit_for_others(const Node &node);
  void withdraw(const std::string &how, bool forgotten);
  void give_up_late(const Change &change);

  // nodes_leave.cpp
  std::string why_not_drain(int number) const;
  void drain(Change &change);
  void stay(Change &change, const std::string &why);
  void on_packet_of_departure(Change &change, const Node &from, const bootstrap::Packet &packet, size_t bytes);
  void keep(Change &change, const std::string &why);
  void part(Change &change);
  void inherit(Change &change);
  void depart(Change &change);
  void depart_for_others(const Node &node);
  void end_when_all_have_answered(Change &change);
  void kill_heedless(Change &change);
  void has_ended(const Node &node, const std::string &how, bool well);
  void departures_without(const Node &node, const std::string &how);

  std::vector<Node> &nodes_;
  ChangesOwner &owner_;
  std::deque<Change> queue_; // the first one is under way
  int numbers_ = 0, start_s_ = 0;
  bool begun_ = false, over_ = false;
  bool proceeding_ = false, held_ = false;
  std::string closed_; // why nothing changes any more
};

} // namespace skein::launch

#endif
