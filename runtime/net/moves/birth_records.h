// What the node where a thread was born knows of it, and what the files that keep these records share; for those alone,
// others see births.h. Where threads are that are away, and what is said to them: births.cpp; who waits for their ends:
// joins.cpp; the records of a node that leaves, and their heir: birth_estate.cpp.
#ifndef SKEIN_NET_MOVES_BIRTH_RECORDS_H
#define SKEIN_NET_MOVES_BIRTH_RECORDS_H

#include "base/id_table.h"
#include "base/lock.h"
#include "net/moves/births.h"
#include "sync/join.h"

#include <atomic>
#include <cstdint>

namespace skein {

/// The record of a thread that is away.
struct Away {
  int32_t node; // where it went last
  uint16_t moves;
  bool detached;
  bool cancelled;
};

/// Call `call` of node `from` is answered when the thread has ended.
struct Watch {
  uint64_t thread;
  uint64_t call;
  int from;
  Watch *next;
};

/// The call that a thread born here has to answer.
struct Debt {
  int from;
  uint64_t call;
};

extern SpinLock births_lock; // for all that follows
extern IdTable<Away> away;
extern IdTable<Debt> debts;
extern std::atomic<uint32_t> debt_count;
extern Watch *watches;
extern std::atomic<uint32_t> watch_count;
extern std::atomic<uint64_t> departures; // of threads born here, counted under the lock when their record is made

/// Whether this node keeps the record of a thread of that id, if there ever was one. Which ids nodes have given that
/// have left, nobody knows.
inline bool may_keep(uint64_t id) {
  return thread_kept_here(id) && (thread_id_node(id) != node.self || thread_id_given(id));
}

// --- joins.cpp -------------------------------------------------------------------------------------------------------

void joins_start();

// A thread's result, as it travels.
WireResult result_out(const Result &result, bool taken);
Result result_in(const WireResult &result);

/// Whether somebody on another node waits for a thread born here.
bool watched(uint64_t id);
/// Answers the calls that watch a thread: with the error `text`, or else with `result`, or, if that is null, with the
/// result that is kept here.
void answer_watches(uint64_t id, int code, const char *text, const Result *result = nullptr);
/// Tells the node where a thread born here is that somebody waits for its end; false if it is not away. The waiter must
/// be on its list before: then a death is seen either here, or by births_report_death, which finds the waiter.
bool want_end(uint64_t id);
/// A thread born here has ended, or was lost: the call that it has to answer is forgotten, or failed.
void forget_debt(uint64_t id);
void fail_debt(uint64_t id, int dead);
/// A thread born here was lost with node `dead`: fails the call that it has to answer, and all that wait for its end.
void fail_lost_thread(uint64_t id, int dead);

// --- birth_estate.cpp ------------------------------------------------------------------------------------------------

void birth_estate_start();

} // namespace skein

#endif
