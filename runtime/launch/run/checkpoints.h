// Checkpoints of a run: the launcher's side of the picture in net/wire/bootstrap.h. When one is due or asked for, the
// nodes halt, are counted, make copies of themselves, go on, and the copies write themselves. A checkpoint is
// *complete* when all copies are written and its manifest is (checkpoint_folder.h); only then does anybody hear of it.
//
// Invariants
//  * One checkpoint at a time, and none beside a change (changes.h): a checkpoint that is due waits for the change that
//    is under way, and further changes wait for the checkpoint.
//  * Nodes are cut only when no message is under way: a node that has halted sends nothing by itself, so when as much
//    was handled by one round of counting as had been sent by the next one, nothing is (Mattern, Algorithms for
//    distributed termination detection, 1987: the four-counter method).
//  * Every node that was told to halt is told to go on, once, whatever happens. A checkpoint that cannot be completed
//    is given up: its folder is removed, the nodes hear that it was not kept, and the run goes on.
//  * After an attempt that took too long the run goes on for a while without another one: while nodes halt they do not
//    miss each other, and who goes on gives the others new time, so a node that another one does not hear would never
//    be found by attempts that follow each other.
//  * Numbers are never used again, also that of a checkpoint that was given up: its copies may still be writing.
//
// Rejected: to halt nodes one after the other, which shortens nothing, since all wait for the last one; to give up a
// checkpoint when a node joins or leaves, since a run whose nodes often do would never have one.
#ifndef SKEIN_LAUNCH_RUN_CHECKPOINTS_H
#define SKEIN_LAUNCH_RUN_CHECKPOINTS_H

#include "launch/run/changes.h"

#include <map>

namespace skein::launch {

struct Checkpoint {
  int number = 0;
  std::vector<int> nodes; // whose copies it has
  uint64_t bytes = 0;     // of these, without what they share with earlier ones
  uint64_t pause_ms = 0;  // for which threads did not run
  uint64_t took_ms = 0;   // until it was complete
};

/// What the checkpoints need of the launcher.
class CheckpointsOwner {
public:
  /// Makes a folder for the nodes' copies, and returns its path. Throws a std::string.
  virtual std::string begin_checkpoint(int number) = 0;
  /// All nodes have made their copies, and stand: what they have written so far is what the checkpoint covers.
  virtual void has_cut() = 0;
  /// All copies are written. True: they are where they are to be. False: `spread` will be called when they are. Throws
  /// a std::string.
  virtual bool spread_checkpoint(const Checkpoint &checkpoint) = 0;
  /// Makes the checkpoint complete, and fills in its bytes. Throws a std::string.
  virtual void complete_checkpoint(Checkpoint &checkpoint) = 0;
  virtual void drop_checkpoint(int number) = 0;
  virtual void say(const std::string &text) = 0;
  virtual void tell(uint64_t asker, News news, int number, const std::string &text) = 0;

protected:
  ~CheckpointsOwner() = default;
};

class Checkpoints {
public:
  /// `nodes` never move in memory.
  Checkpoints(std::vector<Node> &nodes, Changes &changes, CheckpointsOwner &owner)
      : nodes_(nodes), changes_(changes), owner_(owner) {}
  Checkpoints(const Checkpoints &) = delete;

  /// There are to be checkpoints, with numbers behind `last`, every so many seconds (0: only when asked for). Nodes may
  /// take so many seconds to halt, and to make a copy. When they have taken longer, there is no other attempt for so
  /// many milliseconds.
  void settle(int last, int every_s, int patience_s, uint64_t respite_ms);
  /// The same number, when it is known that a higher one was used.
  void settle(int last) { now_.number = std::max(now_.number, last); }
  /// The run has begun.
  void begin(uint64_t now_ms);
  /// The run is over, or starts again from a checkpoint. May be called again.
  void over();

  /// Asks for a checkpoint now. Returns why not, in words, or nothing; then the asker hears `kept` or `failed`.
  std::string ask(uint64_t asker);
  /// The asker has gone. What was begun for it goes on.
  void cancel(uint64_t asker);

  /// True: the packet was about a checkpoint.
  bool on_packet(Node &from, const bootstrap::Packet &packet, size_t bytes);
  /// The copies of a checkpoint are where they are to be; or why they are not, in words.
  void spread(int number, const std::string &why);
  /// The node is dead, and marked so; `how` in words that follow its name.
  void on_death(const Node &node, const std::string &how);

  void tick(uint64_t now_ms);
  int due_ms(uint64_t now_ms) const;

  /// The last complete one of this run; number 0: there is none yet.
  const Checkpoint &last() const { return last_; }
  uint64_t last_at_ms() const { return last_at_ms_; }
  /// In words, why the one after that was given up; empty: it was not.
  const std::string &failed() const { return failed_; }

private:
  enum class Stage : uint8_t {
    idle,
    waiting,   // for a change, or for copies of a checkpoint that was given up
    halting,   // until all nodes stand
    counting,  // until no message is under way
    cutting,   // until all have made their copies
    writing,   // the nodes go on, and their copies write
    spreading, // until all copies are where they are to be
  };
  bool is_wanted(uint64_t now_ms) const;
  bool stands() const { return stage_ >= Stage::halting && stage_ <= Stage::cutting; }
  void halt(uint64_t now_ms);
  void count();
  void counted();
  void cut();
  void go_on();
  void complete();
  void conclude();
  void give_up(const std::string &why);
  void close(int status, const std::string &why);
  void heard(Node &from, const bootstrap::Packet &packet, const std::string &text);
  bool has_answered(const Node &from);
  void on_time_over(uint64_t now_ms);
  std::string who_is_missing() const;
  void send_all(const bootstrap::Header &packet, const std::string &text = "") const;
  void tell_progress(const std::string &text);

  std::vector<Node> &nodes_;
  Changes &changes_;
  CheckpointsOwner &owner_;
  bool settled_ = false, begun_ = false, over_ = false;
  uint64_t every_ms_ = 0, patience_ms_ = 0, respite_ms_ = 0;
  uint64_t due_at_ms_ = 0;     // 0: only when asked for
  uint64_t not_before_ms_ = 0; // also when asked for
  bool wished_ = false;        // by the program
  std::set<uint64_t> askers_;

  Stage stage_ = Stage::idle;
  Checkpoint now_; // the one under way
  std::string folder_;
  uint64_t began_ms_ = 0;
  uint64_t until_ms_ = 0;    // 0: for ever
  uint64_t count_at_ms_ = 0; // when the next round of counting is to begin; 0: it has
  int rounds_ = 0;
  uint64_t handled_before_ = 0; // by the round before
  std::map<int, bootstrap::Counts> counts_;
  std::set<int> unanswered_; // nodes that have not said what they have to in this stage
  std::set<int> unwritten_;  // nodes whose copies are not written; of the checkpoint before, if one was given up
  int unwritten_of_ = 0;     // the number of the checkpoint of these
  std::map<int, std::string> kept_by_; // what nodes have told that keeps them from halting
  std::set<uint64_t> served_;          // askers whose checkpoint has been cut
  std::string told_;                   // the last progress
  Checkpoint last_;
  uint64_t last_at_ms_ = 0;
  std::string failed_;
};

} // namespace skein::launch

#endif
